/* SPDX-License-Identifier: MIT */
/* The seam between generated code and numerics: functions on plain doubles. Numerics never see an
 * expression, expressions never see a solver.
 *
 * Inputs of every function: t (1), x = (q, v) (nx = nq + nv), z = (v', lambda) (nz = nv + nc) and the
 * cache c (ncache) that `prepare` computes from the parameters once per change of parameters. With
 * L lanes, every array holds L values side by side for each entry: x[i*L + lane].
 *
 *   function   uses     out
 *   prepare    p as x   c
 *   rhs        t x      qdot (nq), v' (nv), lambda (nc), quality (1): smallest relative pivot of the
 *                       factorisations, in (0,1]; <= 0 or tiny: singular
 *   mats       t x      M (nv nv), h (nv), C (nv nc), W (nc nv), b (nc), qdot (nq)
 *   jac        t x z    d qdot/dx (nq nx), d r/dx ((nv+nc) nx), r = (M v' - h - C lambda, W v' - b)
 *   pos        t x      phi (npos), Phi (npos nv), F (nq nv)
 *   vel        t x      psi (nvel), Psi (nvel nv)
 *   start_pos  t x      as pos with npos + nstart_pos rows: phi then start_phi; empty if there are no
 *   start_vel  t x      start rows at all, otherwise both are filled
 *   metric     t x      the mass matrix (nv nv) for projections where M is not it; else empty
 *   dae        t x z    dphi/dq (npos nq), dpsi/dq (nvel nq), dr/dt (nv+nc); one lane only
 *   obs        t x z    observables, the velocities of the system where those of the equations are
 *                       others (both: nobs), then T, V
 *   evt        t x z    event functions (nevt)
 *   act        t x z    what the events set (nact): the new values of all ZW_ACTION_SET of the system,
 *                       event by event
 *   power      t x z    the powers of zw_equations_powers (npower); only if the options ask for them
 * Matrices are row-major. A function allocates nothing and touches only out and work. */
#ifndef ZWANG_KERNEL_H
#define ZWANG_KERNEL_H

#include "equations.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_func zw_func;
struct zw_func {
    void (*call)(const zw_func *self, const double *t, const double *x, const double *z,
                 const double *c, double *out, double *work);
    const void *code; /* private to the back end */
    int nout, nwork;  /* doubles per lane */
    int nops;         /* arithmetic operations and function calls */
};

static inline void zw_call(const zw_func *f, const double *t, const double *x, const double *z,
                           const double *c, double *out, double *work) {
    f->call(f, t, x, z, c, out, work);
}

typedef struct zw_kernel {
    int lanes;
    int np, nq, nv, nc, nx, nz, npos, nvel, nobs, nevt, nact, npower, nunit, ncache;
    int nstart_pos, nstart_vel;
    int nwork; /* doubles of work (all lanes) enough for every function */
    int nout;  /* doubles of out (all lanes) enough for every function */
    zw_func prepare, rhs, mats, jac, pos, vel, obs, evt, act, power, start_pos, start_vel, metric,
        dae;
    zw_allocator alloc; /* of the context; the runs allocate with it too (fn NULL: malloc) */
    const int *unit;    /* nunit first indices of unit quaternions in x */
    const int *vel_row; /* nvel: the row of r that is the derivative of psi_i; -1: there is none */
    const int *event_direction;    /* nevt */
    const bool *event_stop;        /* nevt */
    const signed char *inequality; /* nc: kinds of rows as in zw_equations, for the minimisation of
                                      Gauss's principle; NULL: the linear equations are solved */
    bool unsymmetric;    /* M is no mass matrix: rows and columns have scales of their own */
    bool canonical;      /* v are the momenta of plain coordinates: q' = dH/dp, M = 1 */
    bool conservative;   /* T + V is constant along the motion: set by who knows it */
    bool evt_state_only; /* the event functions hold no z: it need not be known for them */
    bool pseudo;         /* rows of W may depend on each other: those are left out */
    bool unrolled;       /* rhs solves by generated code; otherwise rhs.call is NULL and the
                                    numerics solve with mats */
    struct zw_kernel_code *code; /* private */
} zw_kernel;

typedef struct zw_kernel_options {
    double lanes;      /* 1, 4 or 8 trajectories per call */
    double jit;        /* 0 interpreter only, 1 native code when it pays, 2 native code at once */
    double unroll_max; /* largest nv + nc that is factorised by generated code, 12 */
    double powers;     /* 1: with the function power */
} zw_kernel_options;

ZW_API zw_kernel_options zw_kernel_options_default(void);
/* Lower the equations to code. options may be NULL. */
ZW_API zw_status zw_kernel_create(zw_kernel **out, const zw_equations *eq,
                                  const zw_kernel_options *options, zw_error *err);
ZW_API void zw_kernel_destroy(zw_kernel *k);
/* Native code for all functions now; ZW_E_MISSING if LLVM cannot be loaded (the kernel stays as it
 * is). Results do not change: both tiers give the same bits. Not while another thread uses k. */
ZW_API zw_status zw_kernel_compile(zw_kernel *k, zw_error *err);
ZW_API bool zw_kernel_is_native(const zw_kernel *k);
/* Has enough been interpreted that compiling pays? Asked by the steppers between steps. */
ZW_API bool zw_kernel_wants_compile(const zw_kernel *k);

/* The kernel as a stand-alone C file (C11, needs libm only), new string from the context's
 * allocator, freed with zw_string_free. */
ZW_API char *zw_emit_c(const zw_equations *eq, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
