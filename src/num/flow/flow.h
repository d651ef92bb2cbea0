/* SPDX-License-Identifier: MIT */
/* The private type of a flow, shared by the sources of this folder. All arrays are slices of one
 * block; evaluating allocates nothing. */
#ifndef ZW_NUM_FLOW_FLOW_H
#define ZW_NUM_FLOW_FLOW_H

#include <string.h>

#include "base/tolerance.h"
#include "zwang/flow.h"

typedef struct zw_num_massless zw_num_massless;
typedef struct zw_num_workspace zw_num_workspace;

struct zw_flow {
    const zw_kernel *k;
    zw_allocator alloc;
    size_t bytes; /* of the block */
    double *p;    /* np */
    double *u;    /* nu: constant inputs; then nmode modes */
    double *u_at; /* the same of a function of time, at its last call */
    double *mode; /* nmode: the part of u after its nu entries */
    bool locked;  /* modes are set (events/switching.c): kinks use their pieces */
    zw_flow_input input;
    void *input_user;
    long projections;
    zw_flow_warning on_warning; /* may be NULL */
    void *on_warning_user;

    /* why the last call failed */
    zw_fault fault;
    bool fault_has_state;
    double *fault_x; /* nx: the state at which it was met, if it has one */

    /* kernel calls: a separate block, since these sizes grow with the functions */
    int version; /* version of the kernel for which they are */
    /* functions for which they are large enough: the kernel may have more */
    zw_functions functions;
    int ncache;
    void *calls;
    size_t calls_bytes;
    double *cache; /* ncache */
    double *out;   /* k->nout */
    double *work;  /* k->nwork */

    /* accel.c: the scaled matrix K and scratch of its solution */
    double *K;     /* nz x nz */
    double *scale; /* nz: scales of the columns of K */
    double *row;   /* nz: scales of its rows */
    double *qdot;  /* nq */
    double *z;     /* nz: values at one state */
    double *sides; /* nx right sides of nz for the Jacobian; scratch of the diagnosis */
    double *spare; /* nz */
    int *pivot;    /* nz */
    /* nc: 1 for a constraint row that depends on the others, or an inactive inequality (pseudo
     * kernels) */
    int *left_out;
    /* nc: inverse lengths of the rows of W in the metric of the masses (pseudo kernels) */
    double *unit;
    /* distance of the rows of W from depending on each other, at the last accelerations (pseudo
     * kernels); 1 or more: independent */
    double clearance;
    double *gauss;     /* scratch of the minimisation (kernels with inequalities) */
    int *gauss_places; /* its ints */

    /* project.c */
    double *L;        /* nv x nv: factor of the metric */
    double *rows;     /* (max(nq, nv) + max(npos, nvel)) x nv: fixed entries, then constraints */
    double *residual; /* the same size */
    double *tau;      /* nv */
    double *step;     /* nv: correction of the velocities or of the quasi-coordinates */
    double *trial;    /* nx */
    double *point;    /* nx */
    int *order;       /* number of rows: their order */
    double *size;     /* the same size: sizes of the rows by which their rank is decided */
    bool *omitted;    /* max(npos, nvel): rows left out near a singular position */
    double *reach; /* npos + nvel: largest length of Phi and Psi in the metric in this run (pseudo
                         kernels; 0: not known) */
    double *reach_sum; /* npos + nvel: the same for sums of absolute values of entries */
    double *kept;      /* nq with integrals: coordinates before a projection */
    double *leaf;      /* nleaf: values of the integrals at the start of the run */
    bool on_leaf;      /* integrals are conserved; false: no motion has begun, or they cannot be */

    /* slide.c: functions that stay at zero */
    int nslide;
    int *slide;       /* nswitch: numbers of the sliding functions */
    bool in_slide;    /* their modes are being solved for */
    bool slide_known; /* their modes are known, for this point: */
    double slide_t;
    double *slide_x;                                         /* nx */
    zw_error slide_trouble;                                  /* error of the solution there */
    double *mode_kept;                                       /* nmode */
    double *switch_slope;                                    /* nswitch x (nx + 1) */
    double *slide_d, *slide_ahead, *slide_b;                 /* nswitch */
    double *slide_A, *slide_LU;                              /* nswitch x nswitch */
    double *slide_rate, *slide_z, *slide_shifted, *slide_at; /* nx, nz, nx, nx */
    double *slide_here, *slide_there;                        /* nx + nc */
    int *slide_pivot;                                        /* nswitch */

    zw_num_workspace *workspace; /* of derivative.c and tangent.c; NULL until used */
    zw_num_massless *massless;   /* for velocities without inertia, else NULL */
};

/* flow.c. Checks that the kernel has these functions; the message names missing ones. */
zw_status zw_num_require(const zw_flow *flow, zw_functions functions, const char *who,
                         zw_error *err);

/* slide.c. The modes of sliding functions at (t, x). */
void zw_num_slide_update(zw_flow *flow, double t, const double *x);

/* The inputs of the kernel's functions at a point. */
static inline zw_args zw_num_args(zw_flow *flow, const double *t, const double *x,
                                  const double *z) {
    if (flow->nslide > 0 && !flow->in_slide)
        zw_num_slide_update(flow, *t, x);
    if (flow->input) { /* values that it does not set are the constant ones */
        memcpy(flow->u_at, flow->u, sizeof(double) * (size_t)(flow->k->nu + flow->k->nmode));
        flow->input(flow->input_user, *t, flow->u_at);
    }
    return (zw_args){
        .t = t, .x = x, .z = z, .u = flow->input ? flow->u_at : flow->u, .c = flow->cache};
}

/* Makes the last rows of phi, integrals, relative to their values at the start of the run; 0 before
 * a start. */
static inline void zw_num_from_start(const zw_flow *flow) {
    double *phi = flow->out + flow->k->npos - flow->k->nleaf; /* phi is the first part */
    for (int i = 0; i < flow->k->nleaf; i++)
        phi[i] = flow->on_leaf ? zw_kernel_from_start(flow->k, i, phi[i] - flow->leaf[i]) : 0;
}

/* A function of the kernel at a point, in flow->out. z may be NULL for functions that do not use
 * it. */
static inline double *zw_num_call(zw_flow *flow, zw_function_name name, double t, const double *x,
                                  const double *z) {
    const zw_args in = zw_num_args(flow, &t, x, z);
    zw_kernel_call(flow->k, name, &in, flow->out, flow->work);
    if (name == ZW_FN_POS)
        zw_num_from_start(flow);
    return flow->out;
}

/* The same with the parts of the result: zw_at_mats(flow, t, x, NULL).M */
#define ZW_FUNCTION(NAME, name, inputs, about, parts)                                              \
    static inline zw_##name##_parts zw_at_##name(zw_flow *flow, double t, const double *x,         \
                                                 const double *z) {                                \
        return zw_##name##_of(flow->k, zw_num_call(flow, ZW_FN_##NAME, t, x, z));                  \
    }
#include "zwang/kernel.def"
#undef ZW_FUNCTION

/* delay.c. Are the delays positive? */
zw_status zw_num_check_lags(zw_flow *flow, zw_error *err);
bool zw_num_all_finite(int n, const double *values);
/* Are n values finite? If not: ZW_E_NONFINITE, with `what` in the message and the state in the
 * fault. */
zw_status zw_num_check_finite(zw_flow *flow, double t, const double *x, int n, const double *values,
                              const char *what, zw_error *err);

/* accel.c. v' and lambda (z, nz) and q' at (t, x). ZW_E_SINGULAR, ZW_E_NONFINITE: flow->fault has
 * the row. */
zw_status zw_num_accel(zw_flow *flow, double t, const double *x, double *qdot, double *z,
                       zw_error *err);
/* J(i, j) = d x'_i / d x_j into J[i + j ld] (by columns). */
zw_status zw_num_jacobian(zw_flow *flow, double t, const double *x, double *J, int ld,
                          zw_error *err);
/* z at (t, x), with K left factorised; then dz = -K^-1 dr for the m columns of dr (nz rows of
 * `stride`), into rows of length `to`: the derivatives of z(x) from those of r at fixed z. */
zw_status zw_num_factorise(zw_flow *flow, double t, const double *x, double *z, zw_error *err);
void zw_num_implicit(zw_flow *flow, int m, int stride, const double *dr, int to, double *dz);
/* K, scaled, in flow->K, and its right side (h, b) (nz), scaled as its rows. */
void zw_num_assemble(zw_flow *flow, double t, const double *x, double *right);
/* flow.c. Reports a warning; call it for accepted steps only, not for trial steps. */
void zw_num_warning(const zw_flow *flow, zw_warning_kind kind, int index, double t, double value);
/* A constraint row whose remainder after the others is below this fraction of its length counts as
 * dependent on them (pseudo kernels). At a singular position the clearance grows with the distance,
 * and directions of a branch are known to eps over its square (singular.c): 5e-7 here. */
#define ZW_NUM_DEPENDENT_ROW 2e-5
/* clearance below which a position counts as near a singular one */
#define ZW_NUM_NEAR_SINGULAR 0.2
/* remainder of a row that depends on the others at all states: round-off of a sum */
#define ZW_NUM_ALWAYS_DEPENDENT ZW_ROUNDOFF_SUM
/* Record a fault, replacing an earlier one. */
void zw_num_fault(zw_flow *flow, zw_fault_kind kind, int index, double t, double value);

/* massless.c. If the mass matrix is singular at (t, x): can the velocities without inertia be found
 * from their equations? If so, flow->massless is created, and zw_num_accel gives their rates. If
 * not: ZW_E_SINGULAR with the reason. Does nothing if the accelerations are determined. */
zw_status zw_num_massless_find(zw_flow *flow, double t, const double *x, zw_error *err);
void zw_num_massless_destroy(zw_flow *flow);
/* Changes the velocities (and coordinates) without inertia of x so that their equations are
 * satisfied. */
zw_status zw_num_massless_settle(zw_flow *flow, double t, double *x, zw_error *err);
/* For zw_num_accel: q' and z = (v', lambda) at a consistent state. */
zw_status zw_num_massless_rates(zw_flow *flow, double t, const double *x, double *qdot, double *z,
                                zw_error *err);
/* Does this velocity follow from positions, without an equation that contains it? */
bool zw_num_massless_follows(const zw_flow *flow, int velocity);

/* project.c. Moves x onto phi = 0, unit quaternions and psi = 0. fixed may be NULL. */
zw_status zw_num_project(zw_flow *flow, double t, double *x, const bool *fixed, zw_error *err);
/* The same for a trial state: sizes of rows are not updated by it. */
zw_status zw_num_project_trial(zw_flow *flow, double t, double *x, zw_error *err);
/* A new motion begins: forgets the sizes of rows and the integrals of the last one. */
void zw_num_project_forget(zw_flow *flow);
/* Sets the integrals to their values at (t, x). */
void zw_num_keep_leaf(zw_flow *flow, double t, const double *x);
/* The same with the rows of the start in addition to the constraints: for the first state of a
 * run. */
zw_status zw_num_project_start(zw_flow *flow, double t, double *x, const bool *fixed,
                               zw_error *err);
/* The mass matrix of projections at (t, x), in flow->out. */
const double *zw_num_mass(zw_flow *flow, double t, const double *x);
/* Its factor into flow->L. */
void zw_num_set_metric(zw_flow *flow, double t, const double *x);
/* Largest |phi| and |psi| at (t, x). */
void zw_num_residuals(zw_flow *flow, double t, const double *x, double *position, double *velocity);
/* Are there constraints or unit quaternions? */
bool zw_num_has_constraints(const zw_kernel *k);

#endif
