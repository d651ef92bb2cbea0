/* SPDX-License-Identifier: MIT */
/* Implemented in src/num/flow. */
/* A flow: one kernel with parameter values and workspace, at any point. Where every analysis
 * stands.
 *
 * The state x = (q, v) has the rate x' = f(t, x) = (qdot, v'), with z = (v', lambda) from the
 * linear system of equations.h, and stays on the manifold of the constraints, of dimension n,
 *
 *     g(t, x) = (phi, (e.e - 1)/2 of every unit quaternion e, psi) = 0,       ng rows, G = dg/dx.
 *
 * Many flows may stand on one const kernel, each in a thread of its own. Nothing here allocates but
 * zw_flow_create and zw_flow_renew. Matrices are row-major. */
#ifndef ZWANG_FLOW_H
#define ZWANG_FLOW_H

#include "kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_flow zw_flow;

/* A flow of a one-lane kernel with parameter values p (np), which are copied. The kernel must
 * outlive it. */
ZW_API zw_status zw_flow_create(zw_flow **out, const zw_kernel *kernel, const double *p,
                                zw_error *err);
ZW_API void zw_flow_destroy(zw_flow *flow);
/* After the kernel has got further functions (zw_kernel_require); until then they are missing
 * here. */
ZW_API zw_status zw_flow_renew(zw_flow *flow, zw_error *err);
ZW_API const zw_kernel *zw_flow_kernel(const zw_flow *flow);

ZW_API zw_status zw_flow_set_parameters(zw_flow *flow, const double *p, zw_error *err);
ZW_API const double *zw_flow_parameters(const zw_flow *flow);
/* The external inputs: constant values (nu), 0 at first, or a function of time that fills u (nu);
 * input NULL goes back to the constant values. The function finds the constant values in u. */
typedef void (*zw_flow_input)(void *user, double t, double *u);
ZW_API void zw_flow_set_inputs(zw_flow *flow, const double *u);
ZW_API void zw_flow_on_input(zw_flow *flow, zw_flow_input input, void *user);

/* Why the last call failed, by number, so that a caller who knows the names can say them. */
typedef enum zw_fault_kind {
    ZW_FAULT_NONE,
    ZW_FAULT_MASS, /* the mass matrix is singular; index: the velocity without inertia */
    /* constraint row `index` (of nc) depends on the others, or contradicts them */
    ZW_FAULT_CONSTRAINT,
    ZW_FAULT_STATE,    /* state x[index] or its rate is not finite */
    ZW_FAULT_POSITION, /* phi[index] cannot be satisfied; value: its residual */
    ZW_FAULT_VELOCITY, /* psi[index] cannot be satisfied; value: its residual */
    ZW_FAULT_UNIT,     /* the quaternion at x[index] cannot be given length one */
    ZW_FAULT_EVENT,    /* event function `index` is not finite */
    /* contact `index` of the system ends; value: 0 if it has no meaning any more, 1 if it would
     * pull */
    ZW_FAULT_CONTACT,
    /* no velocity opens or closes contact `index` (of those of the kernel) at this place */
    ZW_FAULT_MEET,
    /* the law of contact `index` (of those of the kernel) has a wrong number, value */
    ZW_FAULT_LAW,
    ZW_FAULT_GAP, /* the gap of contact `index` (of those of the kernel) jumps by value */
    /* the velocities do not determine the rates of the coordinates; index: the singular one */
    ZW_FAULT_QUASI
} zw_fault_kind;
typedef struct zw_fault {
    zw_fault_kind kind;
    int index;    /* -1 if unknown */
    double t;     /* s */
    double value; /* MASS, CONSTRAINT: smallest pivot relative to the largest */
} zw_fault;
ZW_API zw_fault zw_flow_last_fault(const zw_flow *flow);
/* The state x at which a value was not finite or a matrix singular; NULL if the fault is none of
 * that kind. */
ZW_API const double *zw_flow_fault_state(const zw_flow *flow);

/* What makes an accepted state or step doubtful without being a fault, reported by number while it
 * happens. */
typedef enum zw_warning_kind {
    ZW_WARNING_STEP, /* a step of fixed length does not resolve the motion; index: of x, or -1 */
    ZW_WARNING_JUMP, /* the function of event `index` jumps through zero within a step */
    /* event function `index` (-1: a switch of the rates) may have zeros that were not seen before
     * t */
    ZW_WARNING_SEARCH,
    /* contact `index` pulls; value: NaN where that begins, its least pressing force, 0 where it
     * ends */
    ZW_WARNING_PULL,
    /* the energy, constant by the model, changes more than the tolerances explain, by value */
    ZW_WARNING_ENERGY,
    ZW_WARNING_DRIFT, /* many small changes of it have added up to value */
    /* a step went over a place where the constraints do not determine the velocities that were
     * replaced by what they say */
    ZW_WARNING_ELIMINATION,
    /* the motion starts where switch `index` of the rates turns, and could leave to either side */
    ZW_WARNING_BRANCH,
    /* the function of event `index` crosses zero for the second time, and was not farther than
     * value in between */
    ZW_WARNING_GRAZE,
    ZW_WARNING_SOLVE, /* the contact problem of a step was solved up to a residual of value only */
    ZW_WARNING_GAIN,  /* the impulses of a step at contacts have added the energy value */
    /* contact `index` cannot go on slipping, by Painleve: it is stopped by an impulse */
    ZW_WARNING_PARADOX,
    /* more than one motion obeys the laws; index: the contact, or -1; value: NaN, or the contact it
     * acts on in an impact */
    ZW_WARNING_SEVERAL,
    ZW_WARNING_HYPERSTATIC, /* the forces of the contacts are not the only ones that do */
    /* nearly singular coordinates: velocity `index` has hardly any inertia at t; value: square root
     * of the ratio to its largest inertia */
    ZW_WARNING_SINGULAR,
    ZW_WARNING_LEAF, /* what constraints on velocities integrate to could not be kept from t on */
    /* the past of delay `index` has a last coefficient of value times its range: more nodes */
    ZW_WARNING_DELAY,
    /* the same of the jump of the slope at a start with a constant past, which has come to its end
     * at t */
    ZW_WARNING_PAST,
    /* contact `index` (of those of the kernel) was passed through within a step, at the rate
     * value */
    ZW_WARNING_PASS
} zw_warning_kind;
/* index: which one, as the kind says, or -1; value: how bad it is, NaN if that has no number. */
typedef void (*zw_flow_warning)(void *user, zw_warning_kind kind, int index, double t,
                                double value);
ZW_API void zw_flow_on_warning(zw_flow *flow, zw_flow_warning doubt, void *user);

/* ---- rates and their derivatives: exact, from the graph; ZW_E_NONFINITE where they are not finite
 * ---- */

/* x' (nx) and z (nz, may be NULL) at any state. */
ZW_API zw_status zw_flow_rates(zw_flow *flow, double t, const double *x, double *rate, double *z,
                               zw_error *err);
#define ZW_PAST_RESOLVED 1e-3 /* a past whose last coefficient is below this part of its range */
/* The last Legendre coefficient of the past of delay i (without sign); the range from *low to *high
 * grows by that past. The kernel needs ZW_FN_DELAYED. */
ZW_API double zw_flow_past(zw_flow *flow, double t, const double *x, int delay, double *low,
                           double *high);
/* M, h, C, W, b and q' there; valid up to the next call of anything with this flow. */
ZW_API zw_mats_parts zw_flow_matrices(zw_flow *flow, double t, const double *x);
/* df/dx (nx x nx) and dz/dx (nz x nx, may be NULL). The kernel needs ZW_FN_JAC. */
ZW_API zw_status zw_flow_jacobian(zw_flow *flow, double t, const double *x, double *J, double *Z,
                                  zw_error *err);
/* The same in time (nx, nz; ZW_FN_TIME), in the chosen parameters (nx x npar, nz x npar;
 * ZW_FN_JAC_P) and in the external inputs (nx x nu, nz x nu; ZW_FN_JAC_U). The last array may be
 * NULL. */
ZW_API zw_status zw_flow_in_time(zw_flow *flow, double t, const double *x, double *rate_t,
                                 double *z_t, zw_error *err);
ZW_API zw_status zw_flow_in_parameters(zw_flow *flow, double t, const double *x, double *J,
                                       double *dz, zw_error *err);
ZW_API zw_status zw_flow_in_inputs(zw_flow *flow, double t, const double *x, double *J, double *dz,
                                   zw_error *err);
/* The second derivative of f along u and v (nx each), B(u, v), and the third, C(u, v, w). g (ng,
 * may be NULL): the same derivative of the constraints, which carries the curvature of the
 * manifold. The kernel needs ZW_FN_JAC, ZW_FN_SECOND and for the third ZW_FN_THIRD. */
ZW_API zw_status zw_flow_second(zw_flow *flow, double t, const double *x, const double *u,
                                const double *v, double *B, double *g, zw_error *err);
ZW_API zw_status zw_flow_third(zw_flow *flow, double t, const double *x, const double *u,
                               const double *v, const double *w, double *C, double *g,
                               zw_error *err);

/* What is reported (nobs, then T and V) and the event functions (nevt), with their derivatives
 * along the motion's own z: in x (rows of nx) and in the chosen parameters (rows of npar). */
ZW_API zw_status zw_flow_observables(zw_flow *flow, double t, const double *x, double *value,
                                     zw_error *err);
ZW_API zw_status zw_flow_observables_jacobian(zw_flow *flow, double t, const double *x, double *dx,
                                              zw_error *err);
ZW_API zw_status zw_flow_observables_in_parameters(zw_flow *flow, double t, const double *x,
                                                   double *dp, zw_error *err);
/* The same of what is reported in the external inputs (rows of nu; ZW_FN_OBS_JAC, ZW_FN_JAC_U), and
 * in time at fixed x (ZW_FN_OBS_JAC, ZW_FN_TIME). */
ZW_API zw_status zw_flow_observables_in_inputs(zw_flow *flow, double t, const double *x, double *du,
                                               zw_error *err);
ZW_API zw_status zw_flow_observables_in_time(zw_flow *flow, double t, const double *x, double *dt,
                                             zw_error *err);
ZW_API zw_status zw_flow_events(zw_flow *flow, double t, const double *x, double *value,
                                zw_error *err);
ZW_API zw_status zw_flow_events_jacobian(zw_flow *flow, double t, const double *x, double *dx,
                                         zw_error *err);
ZW_API zw_status zw_flow_events_in_parameters(zw_flow *flow, double t, const double *x, double *dp,
                                              zw_error *err);

/* The fields of zw_equations_displacements (nfield x nx) and their derivatives in time at fixed x
 * (may be NULL); the kernel needs ZW_FN_FIELD. Their derivatives of order 1, 2 or 3 along as many
 * directions d (nx each): ZW_FN_FIELD_FIRST, _SECOND, _THIRD. */
ZW_API zw_status zw_flow_fields(zw_flow *flow, double t, const double *x, double *X, double *dt,
                                zw_error *err);
ZW_API zw_status zw_flow_fields_along(zw_flow *flow, double t, const double *x, int order,
                                      const double *const *d, double *X, zw_error *err);

/* The entries of x that are not ignorable coordinates (kernel.h), in an array of nx: their rates
 * depend on none but these, so that a steady motion is a fixed point of them. Returns their
 * number. */
ZW_API int zw_flow_essential(const zw_flow *flow, int *entry);

/* ---- the manifold of the constraints ---- */

/* ng, the number of rows of g. */
ZW_API int zw_flow_levels(const zw_flow *flow);
/* g (ng) and G (ng x nx), either may be NULL; their derivatives in time (ng) and in the chosen
 * parameters (ng x npar). G needs ZW_FN_GRAD. */
ZW_API zw_status zw_flow_constraints(zw_flow *flow, double t, const double *x, double *g, double *G,
                                     zw_error *err);
ZW_API zw_status zw_flow_constraints_in_time(zw_flow *flow, double t, const double *x, double *g_t,
                                             zw_error *err);
ZW_API zw_status zw_flow_constraints_in_parameters(zw_flow *flow, double t, const double *x,
                                                   double *g_p, zw_error *err);
/* Move x onto the constraints by the least amount in the metric of the mass matrix; entries with
 * fixed[i] stay (fixed may be NULL). */
ZW_API zw_status zw_flow_project(zw_flow *flow, double t, double *x, const bool *fixed,
                                 zw_error *err);
/* Move the vector u (nx) at x into the tangent space likewise. */
ZW_API zw_status zw_flow_project_tangent(zw_flow *flow, double t, const double *x, double *u,
                                         zw_error *err);
/* A basis T (nx x n, up to nx x nx doubles) of the tangent space ker G, orthonormal in a metric,
 * and its inverse D (n x nx) on that space: D T = 1. Either may be NULL. Constraints that depend on
 * others do not count. */
typedef enum zw_metric {
    ZW_METRIC_PLAIN, /* numbers as they are */
    ZW_METRIC_MASS   /* the mass matrix: of the velocities, and of the displacements they make */
} zw_metric;
ZW_API zw_status zw_flow_tangent(zw_flow *flow, double t, const double *x, zw_metric metric, int *n,
                                 double *T, double *D, zw_error *err);
/* Local coordinates y = D (x - x0) (n) about a point x0 of the manifold, with T and D from there
 * (or any other D that together with the constraints determines x), and the state that belongs to
 * them. ZW_E_SINGULAR here and below where coordinates and constraints leave directions free or
 * cannot hold together: those of a singular point, where branches of the manifold meet, are too
 * many beside it. */
ZW_API void zw_flow_to_local(const zw_flow *flow, const double *x0, int n, const double *D,
                             const double *x, double *y);
ZW_API zw_status zw_flow_from_local(zw_flow *flow, double t, const double *x0, int n,
                                    const double *D, const double *T, const double *y, double *x,
                                    zw_error *err);
/* dx/dy (nx x n), and the Jacobian dy'/dy (n x n) of the flow in them, at a state x. */
ZW_API zw_status zw_flow_unfold(zw_flow *flow, double t, const double *x, int n, const double *D,
                                double *dx_dy, zw_error *err);
ZW_API zw_status zw_flow_local_jacobian(zw_flow *flow, double t, const double *x, int n,
                                        const double *D, double *A, zw_error *err);

/* ---- as one implicit system R(t, Y, Y') = 0, see src/num/flow/dae.c ---- */

/* Y = (q, v, lambda, mu, nu), of this size; -1 if the equations cannot be written so (err says
 * why). */
ZW_API int zw_flow_dae_size(const zw_flow *flow, zw_error *err);
/* Y and Y' at a consistent state x: to be called before the others, and where rows become
 * redundant. */
ZW_API zw_status zw_flow_dae_start(zw_flow *flow, double t, const double *x, double *Y,
                                   double *rate, zw_error *err);
ZW_API zw_status zw_flow_dae_residual(zw_flow *flow, double t, const double *Y, const double *rate,
                                      double *R, zw_error *err);
/* J = dR/dY + c dR/dY'. */
ZW_API zw_status zw_flow_dae_jacobian(zw_flow *flow, double t, double c, const double *Y,
                                      const double *rate, double *J, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
