/* SPDX-License-Identifier: MIT */
/* The seam between generated code and numerics: functions on plain doubles. Numerics never see an
 * expression, expressions never see a solver.
 *
 * The functions, their inputs and the parts of their outputs are the rows of kernel.def. Inputs are
 * one struct (zw_args): t (1), x = (q, v) (nx = nq + nv), z = (v', lambda) (nz = nv + nc), external
 * inputs u (nu), up to three directions d in (x, z) (nx + nz each) and the cache c (ncache), which
 * zw_prepare computes from the parameters once per change of parameters. A pointer that a function
 * does not use may be NULL. With L lanes every array holds L values side by side for each entry:
 * x[i*L + lane]. A function allocates nothing and touches only out and work.
 *
 * Functions are built when somebody asks for them: at creation (zw_kernel_options.functions) or
 * later, by the owner (zw_kernel_require). Whether and when they become native code is the owner's
 * decision too.
 *
 * Threads: whoever has a const zw_kernel may call its functions in any number of threads, each with
 * workspace of its own. zw_kernel_require, zw_kernel_compile and zw_kernel_serve change the kernel,
 * and the first of them the context of its equations as well: no other thread may use either
 * meanwhile. Flows and runs allocate with the context's allocator when they are made and destroyed:
 * threads that do so on one kernel need an allocator that they may share, as malloc is. */
#ifndef ZWANG_KERNEL_H
#define ZWANG_KERNEL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "nonsmooth.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct zw_equations;

/* The numbers of the functions, and sets of them. */
typedef enum zw_function_name {
#define ZW_FUNCTION(NAME, name, inputs, about, parts) ZW_FN_##NAME,
#include "kernel.def"
#undef ZW_FUNCTION
    ZW_FN_COUNT
} zw_function_name;

typedef uint64_t zw_functions;
#define ZW_SET(NAME) ((zw_functions)1 << ZW_FN_##NAME)
/* What integration by an explicit method needs, and what any method of the library may need. */
#define ZW_FUNCTIONS_RUN                                                                           \
    (ZW_SET(RHS) | ZW_SET(MATS) | ZW_SET(POS) | ZW_SET(VEL) | ZW_SET(OBS) | ZW_SET(EVT) |          \
     ZW_SET(ACT) | ZW_SET(VALID) | ZW_SET(PRESS) | ZW_SET(START_POS) | ZW_SET(START_VEL) |         \
     ZW_SET(METRIC) | ZW_SET(DELAYED))
#define ZW_FUNCTIONS_ALL_METHODS (ZW_FUNCTIONS_RUN | ZW_SET(JAC) | ZW_SET(GRAD) | ZW_SET(TIME))

enum { /* which entries of zw_args a function reads */
       ZW_IN_T = 1,
       ZW_IN_X = 2,
       ZW_IN_Z = 4,
       ZW_IN_U = 8,
       ZW_IN_D1 = 16,
       ZW_IN_D2 = 32,
       ZW_IN_D3 = 64
};

/* ORDER: src/jit/code.h counts on this order of pointers. */
typedef struct zw_args {
    const double *t, *x, *z, *u, *d1, *d2, *d3;
    const double *c; /* the cache */
    const double *p; /* parameters: read by zw_prepare alone */
} zw_args;

typedef struct zw_func zw_func;
struct zw_func {
    void (*call)(const zw_func *self, const zw_args *in, double *out, double *work);
    const void *code; /* private to the back end */
    int nout, nwork;  /* doubles per lane */
    int nops;         /* arithmetic operations and function calls */
};

static inline void zw_call(const zw_func *f, const zw_args *in, double *out, double *work) {
    f->call(f, in, out, work);
}

/* Ranges. A quantity that changes with s has its values in one span and its slopes, the quotients
 * (f(s) - f(r)) / (s - r), in another, both perhaps without bound. */
typedef struct zw_interval {
    double low, high;
} zw_interval;
typedef struct zw_bound {
    zw_interval value, slope;
} zw_bound;
typedef struct zw_bound_args { /* NULL: nothing is known of them */
    const zw_bound *t, *x, *z, *u;
    const double *c; /* the cache */
} zw_bound_args;

/* The ranges of a function's outputs from those of its inputs, by interval arithmetic: all values
 * and slopes lie in them, but they may be far too wide. open (nout) chooses the outputs; NULL: all.
 * The others are left as they happen to be. */
typedef struct zw_bound_func zw_bound_func;
struct zw_bound_func {
    void (*call)(const zw_bound_func *self, const zw_bound_args *in, const bool *open,
                 zw_bound *out, zw_bound *work);
    const void *code;
    int nout, nwork; /* bounds */
    int nx;          /* how many entries of x it reads, */
    const int *x;    /* and which */
};

/* Functions that were built together share a part of the cache, which this fills from p. */
typedef struct zw_preparation zw_preparation;
struct zw_preparation {
    zw_func func;
    int first; /* entry of the cache */
    const zw_preparation *next;
};

/* A contact as the numerics see it. Velocities fall into parts that no mass and no constraint
 * couples, as free bodies do; a contact moves one or two of them, seldom more. */
enum {
    ZW_LAW_NUMBERS = 10
}; /* of a block: mu, 3 axes, smooth, damping (kg/s), 3 pulls, restitution */
typedef struct zw_contact_reach {
    int part, at; /* rows of the contact x velocities of the part, from H[at] on */
} zw_contact_reach;
typedef struct zw_contact_form {
    bool bilateral;
    bool absent;       /* switched off: it has no force for any gap */
    int row, nrow;     /* its rows among ntouch */
    int number;        /* its restitution in LAW, then its blocks */
    int first, ntouch; /* the parts that it moves, in touching */
    int nblock;
    zw_friction_kind kind[ZW_FRICTION_BLOCKS_MAX];
    int block_rows[ZW_FRICTION_BLOCKS_MAX];
    double nu[ZW_FRICTION_BLOCKS_MAX];
} zw_contact_form;

/* What an output of a function is by its form: zero whatever happens, the same for all times and
 * states, or neither. */
typedef enum zw_output_kind { ZW_OUTPUT_ZERO, ZW_OUTPUT_FIXED, ZW_OUTPUT_VARIES } zw_output_kind;

/* A delay: its past at nodes from 0 (now) to 1 (a delay ago), the first one being ZW_FN_DELAYED's
 * value. */
typedef struct zw_delay_line {
    int first, nodes;   /* x[first], ..., x[first + nodes - 1]: the others */
    const double *tail; /* nodes + 1: of these values, the last Legendre coefficient of the past */
} zw_delay_line;

typedef struct zw_kernel {
    int lanes;
    int np, nq, nv, nc, nx, nz, nu, npos, nvel, nobs, nevt, nact, npower, nunit,
        nintegral; /* rows of phi without a row of r */
    /* the last of these: constant along a run, which subtracts their values at its start */
    int nleaf;
    const bool *leaf_turns; /* nleaf: angles, which count modulo 2 pi */
    int nstart_pos, nstart_vel;
    int nfooting;           /* contacts that are watched */
    int npar;               /* parameters of the derivatives in parameters */
    int nsurface;           /* switching functions, known when ZW_FN_SURFACE is built */
    int ncache;             /* the sizes below grow with the functions */
    int nwork;              /* doubles of work (all lanes) enough for every function */
    int nout;               /* doubles of out (all lanes) enough for every function */
    int version;            /* counts what zw_kernel_require has added */
    zw_functions functions; /* those that are there; what has no outputs may be there too */
    zw_func fn[ZW_FN_COUNT];
    zw_bound_func evt_bound, surface_bound; /* of those functions, in kernels of one lane; call is
                                               NULL where there are none */
    zw_preparation prepare;
    zw_allocator alloc; /* of the context; flows and runs allocate with it too (fn NULL: malloc) */
    const int *parameter; /* npar: their numbers among the np */
    const int *unit;      /* nunit first indices of unit quaternions in x */
    const int *vel_row; /* nvel: the row of r that is the derivative of psi_i; -1: there is none */
    const int *event_direction; /* nevt */
    const bool *event_stop;     /* nevt */
    const bool *event_holds_z;  /* nevt: the function holds accelerations or multipliers; NULL:
                                      none, or all if not evt_state_only */
    const bool *event_holds_u;  /* nevt: it holds external inputs; NULL: none */
    const bool *event_acts;     /* nevt: it changes the motion; NULL: none does */
    const bool *footing_stop;   /* nfooting: the motion ends where it would pull; NULL: nowhere */
    const signed char *inequality; /* nc: kinds of rows as in zw_equations, for the minimisation of
                                      Gauss's principle; NULL: the linear equations are solved */
    const bool *ignorable; /* nq: the coordinate occurs in no rate and no constraint, but perhaps in
                              rates of other ignorable coordinates; no state whose rate depends on
                              itself; NULL: none */
    bool autonomous;       /* neither rates nor constraints hold time or external inputs */
    bool unsymmetric;      /* M is no mass matrix: rows and columns have scales of their own */
    bool own_metric;       /* the metric of projections is not M: it is ZW_FN_METRIC's */
    bool canonical;        /* v are the momenta of plain coordinates: q' = dH/dp, M = 1 */
    bool conservative;     /* T + V is constant along the motion: set by who knows it */
    bool evt_state_only;   /* the event functions hold no z: it need not be known for them */
    bool pseudo;           /* rows of W may depend on each other: those are left out */
    bool unrolled; /* rhs solves by generated code; otherwise it is not there and the numerics
                            solve with mats */
    bool native;   /* all functions are native code */
    int nmode;     /* modes after the nu inputs; 0 without zw_kernel_options.modes */
    int nswitch;
    const zw_switch *switches;      /* nswitch */
    zw_bound_func switches_bound;   /* as evt_bound */
    struct zw_kernel_code *code;    /* private */
    bool substituted;               /* as of zw_equations */
    int nfield;                     /* known when ZW_FN_FIELD is built, as is */
    const bool *field_own;          /* nfield: it turns a body about an axis of its own */
    bool tilted;                    /* forces depend on multipliers: C is not W' */
    int ncontact, ntouch, nlaw;     /* contacts, their rows, the numbers of their laws */
    int npart, nmass, ntouching;    /* parts, entries of their masses, entries of H */
    const zw_contact_form *contact; /* ncontact */
    const zw_contact_reach *touching;
    const int
        *part_start; /* npart + 1: the velocities of part i are part_velocity[part_start[i] ..] */
    const int *part_velocity; /* nv */
    const int *psi_part;      /* nvel: the part whose velocities the constraint holds */
    bool hits;                /* there is ZW_FN_HIT */
    bool jumping_gaps,        /* values of gaps may jump, as those of conditionals do */
        /* velocities of contacts hold prescribed parts: supports that move by themselves */
        moving_contacts;
    bool law_constant; /* the laws hold neither time nor state */
    bool plain_rates;  /* q' = v, entry by entry */
    /* npos: the row of r that is the second derivative of phi_i, or that follows from phi_i and the
     * others (integrals); -1: there is none */
    const int *pos_row;
    int ndelay;
    const zw_delay_line *delay; /* ndelay, in the order in which they are made of each other */
    /* zw_output_kind of the outputs of a function; NULL: nothing is known of them */
    const unsigned char *kind[ZW_FN_COUNT];
} zw_kernel;

/* The change `by` of the kept integral i since the start; an angle modulo 2 pi. */
static inline double zw_kernel_from_start(const zw_kernel *k, int i, double by) {
    return k->leaf_turns[i] ? remainder(by, 2 * 3.14159265358979323846) : by;
}

static inline bool zw_kernel_has(const zw_kernel *k, zw_functions functions) {
    return (k->functions & functions) == functions;
}

static inline void zw_kernel_call(const zw_kernel *k, zw_function_name name, const zw_args *in,
                                  double *out, double *work) {
    zw_call(&k->fn[name], in, out, work);
}

/* The cache (ncache) from the parameters (np). */
static inline void zw_prepare(const zw_kernel *k, const double *p, double *cache, double *work) {
    const zw_args in = {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, p};
    for (const zw_preparation *s = &k->prepare; s; s = s->next)
        if (s->func.call)
            zw_call(&s->func, &in, cache + (size_t)s->first * (size_t)k->lanes, work);
}

/* For every function a struct with its parts, zw_mats_parts { double *M, *h, ... }, and where these
 * lie in an array of its outputs, zw_mats_of(k, out). */
#define ZW_VECTOR(part, n) double *part;
#define ZW_MATRIX(part, rows, columns) double *part;
#define ZW_FUNCTION(NAME, name, inputs, about, parts)                                              \
    typedef struct zw_##name##_parts {                                                             \
        parts                                                                                      \
    } zw_##name##_parts;
#include "kernel.def"
#undef ZW_VECTOR
#undef ZW_MATRIX
#undef ZW_FUNCTION

#define ZW_VECTOR(part, n) (a.part = out, out += (size_t)(n) * (size_t)k->lanes);
#define ZW_MATRIX(part, rows, columns)                                                             \
    (a.part = out, out += (size_t)(rows) * (size_t)(columns) * (size_t)k->lanes);
#define ZW_FUNCTION(NAME, name, inputs, about, parts)                                              \
    static inline zw_##name##_parts zw_##name##_of(const zw_kernel *k, double *out) {              \
        zw_##name##_parts a;                                                                       \
        parts return a;                                                                            \
    }
#include "kernel.def"
#undef ZW_VECTOR
#undef ZW_MATRIX
#undef ZW_FUNCTION

/* The table as data: for listings, comments and bindings. columns 0: a vector of `rows`. */
typedef struct zw_part {
    const char *name;
    int rows, columns;
} zw_part;
enum { ZW_PARTS_MAX = 8 };
typedef struct zw_function_info {
    const char *name, *about;
    unsigned inputs; /* ZW_IN_... */
    int nparts;
    zw_part part[ZW_PARTS_MAX];
    int size; /* outputs per lane */
} zw_function_info;
ZW_API zw_function_info zw_kernel_describe(const zw_kernel *k, zw_function_name name);

typedef enum zw_jit {
    ZW_JIT_NEVER,
    ZW_JIT_WHEN_IT_PAYS, /* zw_kernel_serve compiles when enough has been interpreted */
    ZW_JIT_AT_ONCE
} zw_jit;

typedef struct zw_kernel_options {
    size_t size; /* of this struct, for the library */
    int lanes;   /* 1, 4 or 8 trajectories per call */
    zw_jit jit;
    int unroll_max;         /* largest nv + nc that is factorised by generated code, 12 */
    zw_functions functions; /* ZW_FUNCTIONS_ALL_METHODS */
    int nparameter; /* of the derivatives in parameters, in which the chosen ones do not follow
                               each other and all others do; -1: those given by numbers */
    const int *parameter; /* their numbers in the system, copied */
    bool modes;           /* kinks of rates and constraints take the pieces that modes say; false */
} zw_kernel_options;

ZW_API void zw_kernel_options_init(zw_kernel_options *options, size_t size);
static inline zw_kernel_options zw_kernel_options_default(void) {
    zw_kernel_options o;
    zw_kernel_options_init(&o, sizeof o);
    return o;
}

/* Lower the equations to code. options may be NULL. The context of the equations must outlive the
 * kernel; the struct need not. */
ZW_API zw_status zw_kernel_create(zw_kernel **out, const struct zw_equations *eq,
                                  const zw_kernel_options *options, zw_error *err);
ZW_API void zw_kernel_destroy(zw_kernel *k);
/* More functions. Flows and runs on the kernel must be informed (zw_flow_renew); runs that asked
 * for it by zw_run_on_want know. */
ZW_API zw_status zw_kernel_require(zw_kernel *k, zw_functions functions, zw_error *err);
/* Native code for all functions now; ZW_E_MISSING if LLVM cannot be loaded (the kernel stays as it
 * is). Results do not change: both tiers give the same bits. */
ZW_API zw_status zw_kernel_compile(zw_kernel *k, zw_error *err);
/* Has enough been interpreted that compiling pays? */
ZW_API bool zw_kernel_wants_compile(const zw_kernel *k);
/* For zw_run_on_want, with a kernel that belongs to one thread as `user`: builds the functions that
 * are wanted, and compiles where that pays. */
ZW_API zw_status zw_kernel_serve(void *kernel, zw_functions wanted, zw_error *err);

/* The kernel as a stand-alone C file (C99 or C++17, needs libm only): its functions, with a rhs for
 * systems of every size, the values of the parameters, the start and the inputs. A new string from
 * the context's allocator, freed with zw_string_free; NULL: err says why. */
ZW_API char *zw_emit_c(const struct zw_equations *eq, zw_error *err);
typedef struct zw_emit_options {
    size_t size;        /* of this struct, for the library */
    const char *header; /* the name by which the C file includes its header; NULL: it does not */
    const double *
        start; /* nq + nv of the equations: a start at time start_time that fulfils the constraints,
                            written as numbers; NULL: none */
    double start_time; /* s */
} zw_emit_options;
ZW_API void zw_emit_options_init(zw_emit_options *options, size_t size);
static inline zw_emit_options zw_emit_options_default(void) {
    zw_emit_options o;
    zw_emit_options_init(&o, sizeof o);
    return o;
}
/* The C file and a header with its functions, its sizes and the places of everything by name.
 * options and header may be NULL. Both are new strings as above, NULL after a failure. */
ZW_API zw_status zw_emit_files(const struct zw_equations *eq, const zw_emit_options *options,
                               char **c, char **header, zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* Native code: kernels become machine code by LLVM (14 to 22), which is loaded from a shared
 * library when it pays (zw_kernel_compile), once per process. Without it everything works,
 * interpreted, with the same bits.
 *
 * The newest one that is found is taken. The environment variable ZWANG_LLVM names another one, by
 * path or by soname (ZWANG_LLVM=libLLVM-15.so.1); then this one is used or none. */

/* What came of it so far; nothing is loaded by asking. ZW_OK: *library is the name of the one that
 * is in use, or NULL while nobody has wanted one (library itself may be NULL). ZW_E_MISSING: native
 * code was wanted and there is none; err says why and what to install. May be called at any time,
 * from any thread. */
ZW_API zw_status zw_native_library(const char **library, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
