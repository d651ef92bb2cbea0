/* SPDX-License-Identifier: MIT */
/* B, C, D of statespace.h. How the state depends on a parameter by the constraints is a
 * least-squares solution of G x_p = -g_p, in units of the state and with rows of length one, so
 * that redundant constraints do no harm; Y E x_p is subtracted from it. An output o(t, x, z) is
 * differentiated with the motion's own z = (v', lambda).
 *
 * o must be the same everywhere on the orbit of the motion: o_x X = 0 for all symmetries, including
 * those whose directions are among the states, and along X_0, if there is one, o_t + o_x X_0 = 0.
 * Otherwise C depends on time. A motion at rest does not move along its orbit: there o_x X = 0 is
 * required only in the directions that are divided out. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "base/result_arena.h"
#include "base/tolerance.h"
#include "num/linear/dense.h"
#include "zwang/statespace.h"

/* in typical sizes: eps^(1/3), the best step of a central difference */
#define DIFFERENCE_STEP 1e-5
/* Rate of the motion's own symmetry, relative to the largest rate: below it the motion is at rest,
 * as the rates of a steady motion are found no better. */
#define MOTION_PACE ZW_ROUNDOFF_SOLVED
/* Change of an output along that symmetry, of its typical one: well above the error of a central
 * difference, eps^(2/3) = 4e-11, and of the rounding of o in it. */
#define ROTATED_OUTPUT 1e-6
/* part of o_x along the orbits: above, the output depends on the place; sqrt(eps), true ones are
 * larger */
#define ORBIT_CHANGE 1e-8
#define CHANGE_ROUNDOFF 1e-10 /* of the terms of a change, after a long computation: 5e5 eps */
/* Singular values of G relative to the largest: redundant rows. G is exact to about 1e-13; a larger
 * limit drops constraints between very different sizes. */
#define REDUNDANT_ROW 1e-10
/* part of g_p that no change of the state balances: above the error of REDUNDANT_ROW */
#define CONSTRAINT_UNMET 1e-8
/* Kinks: values and derivatives at two distances (in typical sizes) on both sides of the motion.
 * The differences of a smooth function shrink by 1000 from the one to the other; those of a kink
 * stay. */
#define KINK_FAR 1e-6
#define KINK_NEAR 1e-9
#define KINK_SHRINKS 10 /* at least, if smooth: between 1 and 1000 */
/* of an observable and its derivative: a difference that is rounding, ten times less than
 * KINK_NEAR */
#define KINK_ROUNDOFF 1e-10

/* Work on inputs and outputs. */
typedef struct inout_work {
    zw_flow *flow;
    const zw_kernel *k;
    const zw_symmetries *s;
    const zw_steady *at;
    const zw_linearisation *a;
    const zw_states *states;
    const double *scale;
    const zw_measured *in, *put;
    zw_inout *out;
    int nx, nz, nobs;                             /* nobs: with T and V */
    bool signals, parameters, observables, rates; /* what is needed */
    double *f_u, *z_u, *o_u;                      /* nx, nz, nobs x nu */
    double *f_p, *z_p, *o_p;                      /* the same x npar */
    double *x_p;                                  /* nx x npar */
    bool *held, *stuck; /* npar: in the constraints; and no change of the state satisfies these */
    double *Z, *O, *value;   /* nz x nx, nobs x nx, nobs */
    double *z_t, *o_t, *X_0; /* nz, nobs, nx */
    double *size;            /* n: typical sizes of the states */
    bool *rotated;           /* nout: not constant for a co-moving observer */
    bool *kink;              /* nobs: has a kink at the motion */
    zw_arena work;
    zw_error *err;
} inout_work;

static double *allocate_doubles(inout_work *f, int n) {
    return ZW_NEW(&f->work, double, n + 1);
}

/* ---------------------------------------------------------------------------------- derivatives */

static zw_status differentiate_inputs(inout_work *f) {
    double t = f->at->t;
    int nu = f->k->nu, np = f->k->npar;
    const double *x = f->at->x;
    f->f_u = allocate_doubles(f, f->nx * nu);
    f->z_u = allocate_doubles(f, f->nz * nu);
    f->o_u = allocate_doubles(f, f->nobs * nu);
    f->f_p = allocate_doubles(f, f->nx * np);
    f->z_p = allocate_doubles(f, f->nz * np);
    f->o_p = allocate_doubles(f, f->nobs * np);
    if (f->work.failed)
        return zw_out_of_memory(f->err, NULL);
    if (f->signals)
        ZW_TRY(zw_flow_in_inputs(f->flow, t, x, f->f_u, f->z_u, f->err));
    if (f->signals && f->observables)
        ZW_TRY(zw_flow_observables_in_inputs(f->flow, t, x, f->o_u, f->err));
    if (f->parameters)
        ZW_TRY(zw_flow_in_parameters(f->flow, t, x, f->f_p, f->z_p, f->err));
    if (f->parameters && f->observables)
        ZW_TRY(zw_flow_observables_in_parameters(f->flow, t, x, f->o_p, f->err));
    return ZW_OK;
}

static zw_status differentiate_outputs(inout_work *f) {
    double t = f->at->t;
    const double *x = f->at->x;
    double *J = allocate_doubles(f, f->nx * f->nx), *rate = allocate_doubles(f, f->nx);
    f->Z = allocate_doubles(f, f->nz * f->nx);
    f->O = allocate_doubles(f, f->nobs * f->nx);
    f->value = allocate_doubles(f, f->nobs);
    f->z_t = allocate_doubles(f, f->nz);
    f->o_t = allocate_doubles(f, f->nobs);
    f->X_0 = allocate_doubles(f, f->nx);
    double *X = allocate_doubles(f, f->s->n * f->nx);
    if (f->work.failed)
        return zw_out_of_memory(f->err, NULL);
    if (f->rates)
        ZW_TRY(zw_flow_jacobian(f->flow, t, x, J, f->Z, f->err));
    if (f->observables) {
        ZW_TRY(zw_flow_observables(f->flow, t, x, f->value, f->err));
        ZW_TRY(zw_flow_observables_jacobian(f->flow, t, x, f->O, f->err));
    }
    if (f->s->autonomous)
        return ZW_OK;
    ZW_TRY(zw_symmetries_at(f->s, f->flow, t, x, f->X_0, X, f->err));
    if (f->rates)
        ZW_TRY(zw_flow_in_time(f->flow, t, x, rate, f->z_t, f->err));
    return f->observables ? zw_flow_observables_in_time(f->flow, t, x, f->o_t, f->err) : ZW_OK;
}

/* --------------------------------------------------------- the state as a function of
 * parameters */

/* x_p = -G+ g_p; if its rows contradict each other, the column is stuck. */
static zw_status follow_column(inout_work *f, int j, int ng, const double *G, const double *length,
                               const double *g_p, const double *sv, const double *V,
                               const double *U) {
    int np = f->k->npar, nx = f->nx, least = ng < nx ? ng : nx;
    double *g = allocate_doubles(f, ng), *y = allocate_doubles(f, nx), size = 0, missed = 0;
    if (f->work.failed)
        return zw_out_of_memory(f->err, NULL);
    for (int i = 0; i < ng; i++)
        g[i] = length[i] > 0 ? -g_p[i * np + j] / length[i] : g_p[i * np + j];
    for (int l = 0; l < least && sv[l] > REDUNDANT_ROW * sv[0]; l++) {
        double part = 0;
        for (int i = 0; i < ng; i++)
            part += U[l * ng + i] * g[i];
        for (int i = 0; i < nx; i++)
            y[i] += V[l * nx + i] * part / sv[l];
    }
    for (int i = 0; i < ng; i++) {
        double met = 0;
        for (int l = 0; l < nx; l++)
            met += G[i * nx + l] * y[l];
        size = fmax(size, fabs(g[i]));
        missed = fmax(missed, fabs(met - g[i]));
    }
    f->held[j] = size > 0;
    f->stuck[j] = missed > CONSTRAINT_UNMET * size;
    for (int i = 0; i < nx; i++)
        f->x_p[i * np + j] = y[i] * f->scale[i];
    return ZW_OK;
}

/* Make E x_p = 0: the states are deviations from x_p. */
static void remove_states(inout_work *f) {
    const zw_states *s = f->states;
    int np = f->k->npar;
    for (int j = 0; j < np; j++)
        for (int i = 0; i < s->n; i++) {
            double part = 0;
            for (int l = 0; l < f->nx; l++)
                part += s->E[i * f->nx + l] * f->x_p[l * np + j];
            for (int l = 0; l < f->nx; l++)
                f->x_p[l * np + j] -= s->Y[l * s->n + i] * part;
        }
}

static zw_status follow_parameters(inout_work *f) {
    int ng = zw_flow_levels(f->flow), nx = f->nx, np = f->k->npar, least = ng < nx ? ng : nx;
    double t = f->at->t, *G = allocate_doubles(f, ng * nx), *g_p = allocate_doubles(f, ng * np),
           *length = allocate_doubles(f, ng), *sv = allocate_doubles(f, nx),
           *V = allocate_doubles(f, nx * nx), *U = allocate_doubles(f, ng * least);
    f->x_p = allocate_doubles(f, nx * np);
    f->held = ZW_NEW(&f->work, bool, np + 1);
    f->stuck = ZW_NEW(&f->work, bool, np + 1);
    if (f->work.failed)
        return zw_out_of_memory(f->err, NULL);
    if (!f->parameters || ng == 0)
        return ZW_OK;
    ZW_TRY(zw_flow_constraints(f->flow, t, f->at->x, NULL, G, f->err));
    ZW_TRY(zw_flow_constraints_in_parameters(f->flow, t, f->at->x, g_p, f->err));
    for (int i = 0; i < ng; i++) {
        for (int l = 0; l < nx; l++)
            G[i * nx + l] *= f->scale[l];
        length[i] = zw_dense_norm(nx, G + (size_t)i * (size_t)nx);
        for (int l = 0; l < nx && length[i] > 0; l++)
            G[i * nx + l] /= length[i];
    }
    if (!zw_dense_svd(&f->work, ng, nx, G, sv, V, U))
        return zw_dense_failure(&f->work, f->err);
    for (int j = 0; j < np; j++)
        ZW_TRY(follow_column(f, j, ng, G, length, g_p, sv, V, U));
    remove_states(f);
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- kinks */

/* Observables and their derivatives at a distance from the motion. */
static zw_status evaluate_near(inout_work *f, double distance, double *x, double *value,
                               double *O) {
    zw_random random = zw_random_stream(5, 0);
    for (int i = 0; i < f->nx; i++)
        x[i] = f->at->x[i] + distance * f->scale[i] * zw_random_real(&random, -1, 1);
    ZW_TRY(zw_flow_observables(f->flow, f->at->t, x, value, f->err));
    return zw_flow_observables_jacobian(f->flow, f->at->t, x, O, f->err);
}

/* The difference of observable i and its derivative on both sides of the motion; *size: their
 * size. */
static double side_difference(const inout_work *f, int i, const double *value, const double *O,
                              double *size) {
    double change = fabs(value[i] - value[f->nobs + i]);
    *size = fmax(fabs(value[i]), fabs(value[f->nobs + i]));
    for (int l = 0; l < f->nx; l++) {
        double here = O[i * f->nx + l] * f->scale[l],
               there = O[(f->nobs + i) * f->nx + l] * f->scale[l];
        *size = fmax(*size, fmax(fabs(here), fabs(there)));
        change = fmax(change, fabs(here - there));
    }
    return change;
}

/* A difference between both sides shrinks with the distance, unless there is a kink. */
static zw_status find_kinks(inout_work *f) {
    int nx = f->nx, nobs = f->nobs;
    double *x = allocate_doubles(f, nx), *value = allocate_doubles(f, 2 * nobs),
           *O = allocate_doubles(f, 2 * nobs * nx), *change_far = allocate_doubles(f, nobs);
    f->kink = ZW_NEW(&f->work, bool, nobs + 1);
    if (f->work.failed)
        return zw_out_of_memory(f->err, NULL);
    for (int pass = 0; f->observables && pass < 2; pass++) {
        double distance = pass ? KINK_NEAR : KINK_FAR, size;
        ZW_TRY(evaluate_near(f, distance, x, value, O));
        ZW_TRY(evaluate_near(f, -distance, x, value + nobs, O + (size_t)(nobs * nx)));
        for (int i = 0; i < nobs; i++) {
            double change = side_difference(f, i, value, O, &size);
            if (pass)
                f->kink[i] =
                    !(change <= change_far[i] / KINK_SHRINKS || change <= KINK_ROUNDOFF * size);
            change_far[i] = change;
        }
    }
    for (int i = 0; f->observables && i < nobs; i++)
        for (int l = 0; l < nx; l++)
            f->kink[i] |= !isfinite(f->O[i * nx + l]);
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------------- rows */

/* An output: its value, o_x (nx), o_t. */
static double derivatives_of(const inout_work *f, zw_measured q, double *o_x, double *o_t) {
    int nx = f->nx, i = q.index;
    memset(o_x, 0, sizeof(double) * (size_t)nx);
    *o_t = 0;
    switch (q.kind) {
    case ZW_QUANTITY_ENTRY:
        o_x[i] = 1;
        return f->at->x[i];
    case ZW_QUANTITY_RATE:
        memcpy(o_x, f->Z + (size_t)i * (size_t)nx, sizeof(double) * (size_t)nx);
        *o_t = f->z_t[i];
        return f->at->z[i];
    case ZW_QUANTITY_ENERGY:
        for (int l = 0; l < nx; l++)
            o_x[l] = f->O[(f->nobs - 2) * nx + l] + f->O[(f->nobs - 1) * nx + l];
        *o_t = f->o_t[f->nobs - 2] + f->o_t[f->nobs - 1];
        return f->value[f->nobs - 2] + f->value[f->nobs - 1];
    default:
        memcpy(o_x, f->O + (size_t)i * (size_t)nx, sizeof(double) * (size_t)nx);
        *o_t = f->o_t[i];
        return f->value[i];
    }
}

/* The derivative of an output with respect to input j at fixed x. */
static double direct_derivative(const inout_work *f, zw_measured put, zw_measured in) {
    bool signal = in.kind == ZW_QUANTITY_SIGNAL;
    int m = signal ? f->k->nu : f->k->npar, j = in.index, i = put.index;
    const double *o = signal ? f->o_u : f->o_p, *z = signal ? f->z_u : f->z_p;
    switch (put.kind) {
    case ZW_QUANTITY_RATE:
        return z[i * m + j];
    case ZW_QUANTITY_OBSERVABLE:
        return o[i * m + j];
    case ZW_QUANTITY_ENERGY:
        return o[(f->nobs - 2) * m + j] + o[(f->nobs - 1) * m + j];
    default:
        return 0;
    }
}

/* The size of the terms of a first-order change of o, in typical sizes of the state. */
static double terms_of(const inout_work *f, const double *o_x) {
    double terms = 0;
    for (int l = 0; l < f->nx; l++)
        terms += fabs(o_x[l]) * f->scale[l];
    return terms;
}

static bool is_at_rest(const inout_work *f) {
    for (int i = 0; i < f->s->n; i++)
        if (f->at->c[i] != 0)
            return false;
    for (int i = 0; i < f->nx && !f->s->autonomous; i++)
        if (f->X_0[i] != 0)
            return false;
    return true;
}

/* The change along direction j of the r orbits; 0 if it is rounding. */
static double change_along_orbit(const inout_work *f, int r, const double *orbit, const double *o_x,
                                 double floor, int j) {
    double sum = 0, typical = 0;
    for (int l = 0; l < f->nx; l++) {
        double x = orbit[l * r + j];
        sum += o_x[l] * x;
        typical = fmax(typical, fabs(x) / f->scale[l]);
    }
    return fabs(sum) > floor * typical ? fabs(sum) : 0;
}

/* ---- For a co-moving observer o is a constant function of the state only if it is invariant along
 * the motion's own symmetry xi = X_0 + sum c X not only at the motion but also near it: L = o_t +
 * o_x xi has no derivative with respect to the states. */

/* xi at the state of f->at. */
static zw_status drift_at(inout_work *f, double *xi) {
    double *X = allocate_doubles(f, f->s->n * f->nx);
    if (!X)
        return zw_out_of_memory(f->err, NULL);
    ZW_TRY(zw_symmetries_at(f->s, f->flow, f->at->t, f->at->x, xi, X, f->err));
    for (int i = 0; i < f->s->n; i++)
        for (int l = 0; l < f->nx; l++)
            xi[l] += f->at->c[i] * X[i * f->nx + l];
    return ZW_OK;
}

/* The rate at which xi changes what it moves, 1/s: its derivative Df - J in typical sizes. */
static zw_status find_pace(inout_work *f, double *pace) {
    int nx = f->nx;
    double *Df = allocate_doubles(f, nx * nx);
    if (!Df)
        return zw_out_of_memory(f->err, NULL);
    ZW_TRY(zw_flow_jacobian(f->flow, f->at->t, f->at->x, Df, NULL, f->err));
    double rate = *pace = 0;
    for (int i = 0; i < nx * nx; i++) {
        double unit = f->scale[i % nx] / f->scale[i / nx];
        rate = fmax(rate, fabs(Df[i]) * unit);
        *pace = fmax(*pace, fabs(Df[i] - f->a->J[i]) * unit);
    }
    if (*pace <= MOTION_PACE * rate)
        *pace = 0;
    return ZW_OK;
}

/* L of all outputs at the state of f->at. */
static zw_status evaluate_lie(inout_work *f, double *L) {
    double *o_x = allocate_doubles(f, f->nx), *xi = allocate_doubles(f, f->nx), o_t;
    if (f->work.failed)
        return zw_out_of_memory(f->err, NULL);
    ZW_TRY(differentiate_outputs(f));
    ZW_TRY(drift_at(f, xi));
    for (int i = 0; i < f->out->nout; i++) {
        derivatives_of(f, f->put[i], o_x, &o_t);
        L[i] = o_t;
        for (int l = 0; l < f->nx; l++)
            L[i] += o_x[l] * xi[l];
    }
    return ZW_OK;
}

/* dL/dy of state j by central differences: f->rotated[i] where it is not rounding. */
static zw_status differentiate_lie(inout_work *f, int j, double pace) {
    const zw_steady *motion = f->at;
    const zw_states *s = f->states;
    int nout = f->out->nout;
    double *x = allocate_doubles(f, f->nx), *L = allocate_doubles(f, 2 * nout),
           *o_x = allocate_doubles(f, f->nx), o_t, h = DIFFERENCE_STEP * f->size[j];
    zw_steady shifted = *motion;
    if (f->work.failed)
        return zw_out_of_memory(f->err, NULL);
    shifted.x = x;
    f->at = &shifted;
    zw_status status = ZW_OK;
    for (int side = 0; side < 2 && status >= 0; side++) {
        for (int l = 0; l < f->nx; l++)
            x[l] = motion->x[l] + (side ? -h : h) * s->Y[l * s->n + j];
        status = evaluate_lie(f, L + (size_t)side * (size_t)nout);
    }
    for (int i = 0; i < nout && status >= 0; i++) {
        derivatives_of(f, f->put[i], o_x, &o_t);
        double change = fabs(L[i] - L[nout + i]) / (2 * DIFFERENCE_STEP);
        f->rotated[i] |= !(change <= ROTATED_OUTPUT * pace * terms_of(f, o_x));
    }
    f->at = motion;
    return status;
}

static zw_status find_rotated(inout_work *f) {
    double pace;
    f->rotated = ZW_NEW(&f->work, bool, f->out->nout + 1);
    if (!f->rotated)
        return zw_out_of_memory(f->err, NULL);
    ZW_TRY(find_pace(f, &pace));
    for (int j = 0; j < f->states->n && pace > 0 && f->out->nout > 0; j++)
        ZW_TRY(differentiate_lie(f, j, pace));
    return ZW_OK;
}

/* Does it change along the orbits, or with time? */
static bool is_changing(const inout_work *f, double value, const double *o_x, double o_t) {
    const zw_states *s = f->states;
    double along = 0, whole = 0, drive = o_t, terms = fabs(o_t),
           floor = CHANGE_ROUNDOFF * (terms_of(f, o_x) + fabs(value));
    bool rests = is_at_rest(f);
    int r = rests ? s->norbit : f->a->norbit;
    for (int j = 0; j < r; j++)
        along =
            hypot(along, change_along_orbit(f, r, rests ? s->orbit : f->a->orbit_T, o_x, floor, j));
    for (int j = 0; j < s->n; j++) {
        double sum = 0;
        for (int l = 0; l < f->nx; l++)
            for (int i = 0; i < s->n; i++)
                sum += o_x[l] * s->Y[l * s->n + i] * s->H[i * s->n + j];
        whole = hypot(whole, sum);
    }
    for (int l = 0; l < f->nx && !f->s->autonomous; l++) {
        drive += o_x[l] * f->X_0[l];
        terms += fabs(o_x[l] * f->X_0[l]);
    }
    return along > ORBIT_CHANGE * hypot(along, whole) || fabs(drive) > ORBIT_CHANGE * terms;
}

static zw_refusal rejection_of(const inout_work *f, int i, double value, const double *o_x,
                               double o_t) {
    zw_measured q = f->put[i];
    bool kink = (q.kind == ZW_QUANTITY_OBSERVABLE && f->kink[q.index]) ||
                (q.kind == ZW_QUANTITY_ENERGY && (f->kink[f->nobs - 2] || f->kink[f->nobs - 1]));
    return kink                                               ? ZW_REFUSED_ROUGH
           : f->rotated[i] || is_changing(f, value, o_x, o_t) ? ZW_REFUSED_MOVES
                                                              : ZW_REFUSED_NOT;
}

static void fill_column(inout_work *f, int j) {
    zw_inout *out = f->out;
    const zw_states *s = f->states;
    bool signal = f->in[j].kind == ZW_QUANTITY_SIGNAL;
    int m = signal ? f->k->nu : f->k->npar, c = f->in[j].index, nx = f->nx;
    const double *f_in = signal ? f->f_u : f->f_p;
    out->in_constraint[j] = !signal && f->held[c];
    out->refused_in[j] = !signal && f->stuck[c] ? ZW_REFUSED_STUCK : ZW_REFUSED_NOT;
    for (int l = 0; l < nx && !out->refused_in[j]; l++) {
        double rate = f_in[l * m + c];
        for (int i = 0; !signal && i < nx; i++)
            rate += f->a->J[l * nx + i] * f->x_p[i * m + c];
        for (int i = 0; i < s->n; i++)
            out->B[i * out->nin + j] += s->E[i * nx + l] * rate;
    }
}

/* Set entries of B to zero that are rounding relative to typical rates if the parameter changes by
 * its whole value, or relative to the rest of the column: rounding would make any system
 * controllable. */
static void clean_column(inout_work *f, int j) {
    zw_inout *out = f->out;
    const zw_states *s = f->states;
    double most = 0, whole = 0;
    if (f->in[j].kind == ZW_QUANTITY_PARAMETER)
        whole = fabs(zw_flow_parameters(f->flow)[f->k->parameter[f->in[j].index]]);
    for (int i = 0; i < s->n; i++)
        most = fmax(most, fabs(out->B[i * out->nin + j]) / f->size[i]);
    for (int i = 0; i < s->n; i++) {
        double *b = &out->B[i * out->nin + j], rate = 0;
        for (int l = 0; l < s->n; l++)
            rate += fabs(s->A[i * s->n + l]) * f->size[l];
        if ((whole > 0 && fabs(*b) * whole <= ZW_ROUNDOFF_VALUE * rate) ||
            fabs(*b) < ZW_ROUNDOFF_VALUE * most * f->size[i])
            *b = 0;
    }
}

static zw_status find_sizes(inout_work *f) {
    const zw_states *s = f->states;
    f->size = allocate_doubles(f, s->n);
    if (!f->size)
        return zw_out_of_memory(f->err, NULL);
    for (int i = 0; i < s->n; i++)
        for (int l = 0; l < f->nx; l++)
            f->size[i] = fmax(f->size[i], fabs(s->E[i * f->nx + l]) * f->scale[l]);
    return ZW_OK;
}

static void fill_row(inout_work *f, int i, double *o_x) {
    zw_inout *out = f->out;
    const zw_states *s = f->states;
    int nx = f->nx, n = s->n, np = f->k->npar;
    double o_t;
    out->value[i] = derivatives_of(f, f->put[i], o_x, &o_t);
    out->refused_out[i] = rejection_of(f, i, out->value[i], o_x, o_t);
    if (out->refused_out[i])
        return;
    for (int l = 0; l < nx; l++)
        for (int j = 0; j < n; j++)
            out->C[i * n + j] += o_x[l] * s->Y[l * n + j];
    double terms = terms_of(f, o_x);
    for (int j = 0; j < n; j++)
        if (fabs(out->C[i * n + j]) * f->size[j] < ZW_ROUNDOFF_VALUE * terms)
            out->C[i * n + j] = 0;
    for (int j = 0; j < out->nin; j++) {
        double *D = &out->D[i * out->nin + j];
        if (out->refused_in[j])
            continue;
        *D = direct_derivative(f, f->put[i], f->in[j]);
        if (f->in[j].kind == ZW_QUANTITY_SIGNAL)
            continue;
        for (int l = 0; l < nx; l++)
            *D += o_x[l] * f->x_p[l * np + f->in[j].index];
        double whole = fabs(zw_flow_parameters(f->flow)[f->k->parameter[f->in[j].index]]);
        if (fabs(*D) * whole < ZW_ROUNDOFF_VALUE * (terms + fabs(out->value[i])))
            *D = 0;
    }
}

static zw_status allocate_outputs(inout_work *f, zw_arena *result) {
    zw_inout *out = f->out;
    out->B = ZW_NEW(result, double, out->n * out->nin + 1);
    out->C = ZW_NEW(result, double, out->nout * out->n + 1);
    out->D = ZW_NEW(result, double, out->nout * out->nin + 1);
    out->value = ZW_NEW(result, double, out->nout + 1);
    out->in_constraint = ZW_NEW(result, bool, out->nin + 1);
    out->refused_in = ZW_NEW(result, zw_refusal, out->nin + 1);
    out->refused_out = ZW_NEW(result, zw_refusal, out->nout + 1);
    return zw_arena_status(result, f->err);
}

static zw_status find_inout(inout_work *f, zw_arena *result) {
    double *o_x = allocate_doubles(f, f->nx);
    if (!o_x)
        return zw_out_of_memory(f->err, NULL);
    ZW_TRY(allocate_outputs(f, result));
    ZW_TRY(differentiate_inputs(f));
    ZW_TRY(find_sizes(f));
    ZW_TRY(find_rotated(f));
    ZW_TRY(differentiate_outputs(f));
    ZW_TRY(follow_parameters(f));
    ZW_TRY(find_kinks(f));
    for (int j = 0; j < f->out->nin; j++) {
        fill_column(f, j);
        clean_column(f, j);
    }
    for (int i = 0; i < f->out->nout; i++)
        fill_row(f, i, o_x);
    return ZW_OK;
}

/* Which derivatives are needed? */
static void find_needed(inout_work *f) {
    for (int j = 0; j < f->out->nin; j++) {
        f->signals |= f->in[j].kind == ZW_QUANTITY_SIGNAL;
        f->parameters |= f->in[j].kind == ZW_QUANTITY_PARAMETER;
    }
    for (int i = 0; i < f->out->nout; i++) {
        f->rates |= f->put[i].kind == ZW_QUANTITY_RATE;
        f->observables |=
            f->put[i].kind == ZW_QUANTITY_OBSERVABLE || f->put[i].kind == ZW_QUANTITY_ENERGY;
    }
}

zw_status zw_inout_find(zw_inout *out, zw_flow *flow, const zw_symmetries *s, const zw_steady *at,
                        const zw_linearisation *a, const zw_states *states, const double *scale,
                        int nin, const zw_measured *in, int nout, const zw_measured *put,
                        zw_error *err) {
    const zw_kernel *k = zw_flow_kernel(flow);
    inout_work f = {.flow = flow,
                    .k = k,
                    .s = s,
                    .at = at,
                    .a = a,
                    .states = states,
                    .scale = scale,
                    .in = in,
                    .put = put,
                    .out = out,
                    .nx = k->nx,
                    .nz = k->nz,
                    .nobs = k->nobs + 2,
                    .err = err};
    *out = (zw_inout){.n = states->n, .nin = nin, .nout = nout};
    out->memory = zw_result_arena_create(&k->alloc);
    if (!out->memory)
        return zw_out_of_memory(err, NULL);
    zw_arena_init(&f.work, &k->alloc);
    find_needed(&f);
    zw_status status = find_inout(&f, &out->memory->arena);
    zw_arena_clear(&f.work);
    if (status < 0)
        zw_inout_clear(out);
    return status;
}

void zw_inout_clear(zw_inout *b) {
    zw_result_arena_destroy(b->memory);
    *b = (zw_inout){0};
}
