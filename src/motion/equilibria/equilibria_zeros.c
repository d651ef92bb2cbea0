/* SPDX-License-Identifier: MIT */
/* Names for the zero eigenvalues of a steady motion.
 *
 * Right null vectors n of A are neighbouring steady motions. The entries of the state that
 * distinguish them are chosen, first among those that the symmetries do not change, one after the
 * other by the largest part of the n that is not yet explained. Left null vectors l belong to
 * quantities that a disturbance does not change: l = dE T of the energy, and of the momenta
 *
 *     J_i = v'M v_i,     F v_i = X_i,q     of symmetries that are motions of the masses (E.
 * Noether).
 *
 * To first order at one motion more quantities may be unchanged than are conserved (all speeds of a
 * rolling wheel by one of them), so the rates of these quantities must vanish at nearby states,
 * too. A boost adds the velocity v_i of a symmetry to the motion: it is Galilean if [(0, v_i), f] =
 * X_i and the constraints admit it, at the motion and at nearby states. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "equilibria.h"
#include "num/linear/dense.h"

/* in the sizes of the state: a symmetry does not change the entry; true displacements are of order
 * 1 */
#define SYMMETRY_FIXES 1e-8
/* of a direction: an entry distinguishes members of a family; below, six digits of it are lost */
#define PART_EXPLAINED 1e-6
/* of the size of terms: zero; a thousand times the error of differences with DIFFERENCE_STEP,
 * 1e-10 */
#define TERMS_CANCEL 1e-7
#define DIFFERENCE_STEP 1e-5 /* of the state: eps^(1/3) */
/* of the state: distance of other states, at which a coincidence at the motion does not persist */
#define STATE_SPREAD 0.1
/* change of a quantity in the time of the motion, relative to it: conserved; after DIFFERENCE_STEP
 * this is 1e-11 of it, above rounding and the h^3 of the step */
#define QUANTITY_STAYS 1e-6
enum { STATES = 3 }; /* at which a quantity must be conserved */

/* Work on the names of zeros. */
typedef struct zeros_work {
    zw_equilibria *e;
    int nx, nq, nv, n, ns;
    double *X;   /* ns x nx: symmetries at a nearby state */
    double *N;   /* nfamily x nx: null vectors as states, in their sizes */
    double size; /* of A */
    bool *stays; /* ns + 1: momenta and energy that do not change at nearby states */
    zw_arena *work;
    zw_error *err;
} zeros_work;

/* ------------------------------------------------------------------------------------- families */

static zw_status find_null(zeros_work *a) {
    const zw_linearisation *l = &a->e->linear;
    int n = a->n, nf = l->nfamily;
    double *sv = ZW_NEW(a->work, double, n + 1), *V = ZW_NEW(a->work, double, n *n + 1);
    if (a->work->failed || !zw_dense_svd(a->work, n, n, l->A, sv, V, NULL))
        return zw_dense_failure(a->work, a->err);
    a->size = n > 0 ? sv[0] : 0;
    for (int k = 0; k < nf; k++)
        for (int i = 0; i < a->nx; i++)
            for (int j = 0; j < n; j++)
                a->N[k * a->nx + i] += l->T[i * n + j] * V[(n - nf + k) * n + j] / a->e->scale[i];
    for (int k = 0; k < nf; k++) {
        double length = zw_dense_norm(a->nx, a->N + (size_t)k * (size_t)a->nx);
        for (int i = 0; i < a->nx && length > 0; i++)
            a->N[k * a->nx + i] /= length;
    }
    return ZW_OK;
}

/* The symmetries at a nearby state: at the motion some velocity may be zero, and a rotation would
 * not change it. */
static zw_status evaluate_symmetries(zeros_work *a) {
    zw_equilibria *e = a->e;
    zw_random random = zw_random_stream(19, 0);
    double *x = ZW_NEW(a->work, double, a->nx + 1);
    if (!x)
        return zw_out_of_memory(a->err, NULL);
    for (int i = 0; i < a->nx; i++)
        x[i] = e->motion.x[i] + STATE_SPREAD * e->scale[i] * zw_random_real(&random, -1, 1);
    return zw_symmetries_at(&e->symmetries, e->flow, e->options.t, x, NULL, a->X, a->err);
}

static bool is_unchanged(const zeros_work *a, int i) {
    for (int k = 0; k < a->ns; k++)
        if (fabs(a->X[k * a->nx + i]) / a->e->scale[i] > SYMMETRY_FIXES)
            return false;
    return true;
}

/* The length of the part of the null vectors in entry i. */
static double null_part(const zeros_work *a, int i) {
    double sum = 0;
    for (int k = 0; k < a->e->linear.nfamily; k++)
        sum += pow(a->N[k * a->nx + i], 2);
    return sqrt(sum);
}

/* Remove from the null vectors what entry i explains. */
static void remove_entry(zeros_work *a, int i) {
    int nf = a->e->linear.nfamily, pivot = 0;
    for (int k = 1; k < nf; k++)
        if (fabs(a->N[k * a->nx + i]) > fabs(a->N[pivot * a->nx + i]))
            pivot = k;
    for (int k = 0; k < nf; k++) {
        double part = a->N[k * a->nx + i] / a->N[pivot * a->nx + i];
        for (int l = 0; k != pivot && l < a->nx; l++)
            a->N[k * a->nx + l] -= part * a->N[pivot * a->nx + l];
    }
    for (int l = 0; l < a->nx; l++)
        a->N[pivot * a->nx + l] = 0;
}

/* Entries that the symmetries do not change come first. */
static void choose_entries(zeros_work *a) {
    zw_zeros *z = &a->e->zeros;
    for (int pass = 0; pass < 2; pass++)
        while (z->nentry < a->e->linear.nfamily) {
            int best = -1;
            double most = PART_EXPLAINED;
            for (int i = 0; i < a->nx; i++)
                if ((pass || is_unchanged(a, i)) && null_part(a, i) > most * (1 + PART_EXPLAINED)) {
                    best = i;
                    most = null_part(a, i);
                }
            if (best < 0)
                break;
            z->entry[z->nentry++] = best;
            remove_entry(a, best);
        }
}

/* ------------------------------------------------------------------------- conserved quantities */

/* For the gradient l of a quantity: is l T A = 0, and not l T itself? */
static bool is_conserved(const zeros_work *a, const double *gradient, double size) {
    const zw_linearisation *l = &a->e->linear;
    double whole = 0, left = 0;
    for (int j = 0; j < a->n; j++) {
        double sum = 0, own = 0;
        for (int k = 0; k < a->n; k++)
            sum += gradient[k] * l->A[k * a->n + j];
        own = gradient[j];
        whole += own * own;
        left += sum * sum;
    }
    return sqrt(whole) > TERMS_CANCEL * size && sqrt(left) <= TERMS_CANCEL * a->size * sqrt(whole);
}

/* The momenta (ns) and the energy along the motion through x, a time h earlier and later: half the
 * difference, and their size. */
static zw_status measure_change(zeros_work *a, const double *x, double h, double *change,
                                double *size) {
    zw_equilibria *e = a->e;
    const zw_kernel *k = e->kernel;
    zw_arena_mark mark = zw_arena_mark_now(a->work);
    double *f = ZW_NEW(a->work, double, a->nx + 1), *y = ZW_NEW(a->work, double, a->nx + 1),
           *J = ZW_NEW(a->work, double, a->ns + 1),
           *observed = ZW_NEW(a->work, double, k->nobs + 3), t = e->options.t;
    bool *known = ZW_NEW(a->work, bool, a->ns + 1);
    if (a->work->failed)
        return zw_out_of_memory(a->err, NULL);
    zw_status status = zw_flow_rates(e->flow, t, x, f, NULL, a->err);
    for (int i = 0; i <= a->ns; i++)
        change[i] = size[i] = 0;
    for (int side = -1; side <= 1 && status >= 0; side += 2) {
        for (int l = 0; l < a->nx; l++)
            y[l] = x[l] + side * h * f[l];
        status = zw_symmetries_momenta(&e->symmetries, e->flow, t, y, NULL, J, known, a->err);
        if (status >= 0)
            status = zw_flow_observables(e->flow, t + side * h, y, observed, a->err);
        for (int i = 0; i <= a->ns && status >= 0; i++) {
            double value = i < a->ns ? J[i] : observed[k->nobs] + observed[k->nobs + 1];
            change[i] += 0.5 * side * value;
            size[i] = fmax(size[i], fabs(i < a->ns ? value : observed[k->nobs]));
        }
    }
    zw_arena_release(a->work, mark);
    return status;
}

/* stays (ns + 1): momenta and energy that do not change at nearby states. */
static zw_status test_conserved(zeros_work *a, bool *stays) {
    zw_equilibria *e = a->e;
    zw_random random = zw_random_stream(29, 0);
    double *x = ZW_NEW(a->work, double, a->nx + 1), *change = ZW_NEW(a->work, double, a->ns + 1),
           *size = ZW_NEW(a->work, double, a->ns + 1),
           h = a->size > 0 ? DIFFERENCE_STEP / a->size : DIFFERENCE_STEP;
    if (a->work->failed)
        return zw_out_of_memory(a->err, NULL);
    for (int i = 0; i <= a->ns; i++)
        stays[i] = true;
    for (int state = 0; state < STATES; state++) {
        zw_error ignored = {0};
        for (int l = 0; l < a->nx; l++)
            x[l] = e->motion.x[l] + STATE_SPREAD * e->scale[l] * zw_random_real(&random, -1, 1);
        if (zw_flow_project(e->flow, e->options.t, x, NULL, &ignored) < 0)
            continue;
        zw_error *err = a->err;
        a->err = &ignored;
        zw_status status = measure_change(a, x, h, change, size);
        a->err = err;
        if (a->work->failed)
            return zw_out_of_memory(a->err, NULL);
        for (int i = 0; i <= a->ns; i++)
            stays[i] &=
                status >= 0 && fabs(change[i]) <= QUANTITY_STAYS * DIFFERENCE_STEP * size[i];
    }
    return ZW_OK;
}

static zw_status check_energy(zeros_work *a) {
    zw_equilibria *e = a->e;
    const zw_kernel *k = e->kernel;
    double *dx = ZW_NEW(a->work, double, (k->nobs + 2) * a->nx + 1),
           *gradient = ZW_NEW(a->work, double, a->n + 1), size = 0;
    zw_error ignored = {0};
    if (a->work->failed)
        return zw_out_of_memory(a->err, NULL);
    if (zw_flow_observables_jacobian(e->flow, e->options.t, e->motion.x, dx, &ignored) < 0)
        return ZW_OK; /* an observable has no derivative here */
    for (int j = 0; j < a->n; j++)
        for (int i = 0; i < a->nx; i++) {
            double part = (dx[k->nobs * a->nx + i] + dx[(k->nobs + 1) * a->nx + i]) *
                          e->linear.T[i * a->n + j];
            gradient[j] += part;
            size = fmax(size, fabs(part));
        }
    e->zeros.energy = a->stays[a->ns] && is_conserved(a, gradient, size);
    return ZW_OK;
}

/* The gradients of all momenta along T, by differences; those that are left null vectors are
 * named. */
static zw_status check_momenta(zeros_work *a) {
    zw_equilibria *e = a->e;
    int ns = a->ns, n = a->n;
    double *x = ZW_NEW(a->work, double, a->nx + 1), *side = ZW_NEW(a->work, double, 2 * ns + 1),
           *gradient = ZW_NEW(a->work, double, ns *n + 1), *most = ZW_NEW(a->work, double, ns + 1);
    bool *known = ZW_NEW(a->work, bool, ns + 1), *all = ZW_NEW(a->work, bool, ns + 1);
    zw_error ignored = {0};
    if (a->work->failed)
        return zw_out_of_memory(a->err, NULL);
    for (int i = 0; i < ns; i++)
        all[i] = true;
    for (int j = 0; j < n; j++) {
        double size = 0;
        for (int l = 0; l < a->nx; l++)
            size = fmax(size, fabs(e->linear.T[l * n + j]) / e->scale[l]);
        double h = size > 0 ? DIFFERENCE_STEP / size : DIFFERENCE_STEP;
        for (int s = 0; s < 2; s++) {
            for (int l = 0; l < a->nx; l++)
                x[l] = e->motion.x[l] + (s ? -h : h) * e->linear.T[l * n + j];
            if (zw_symmetries_momenta(&e->symmetries, e->flow, e->options.t, x, NULL, side + s * ns,
                                      known, &ignored) < 0)
                return ZW_OK;
            for (int i = 0; i < ns; i++)
                all[i] &= known[i];
        }
        for (int i = 0; i < ns; i++) {
            double slope = (side[i] - side[ns + i]) / (2 * h);
            gradient[i * n + j] = slope;
            most[i] = fmax(most[i], fmax(fabs(side[i]), fabs(slope)));
        }
    }
    for (int i = 0; i < ns; i++)
        if (all[i] && a->stays[i] && is_conserved(a, gradient + (size_t)(i * n), most[i]))
            e->zeros.momentum[e->zeros.nmomentum++] = i;
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- boosts */

/* Do constraints on velocities admit (0, v)? */
static bool is_admitted(int ng, int nx, int nq, int nv, const double *G, const double *v) {
    for (int g = 0; g < ng; g++) {
        double sum = 0, size = 0;
        for (int k = 0; k < nv; k++) {
            sum += G[g * nx + nq + k] * v[k];
            size += fabs(G[g * nx + nq + k] * v[k]);
        }
        if (fabs(sum) > TERMS_CANCEL * size)
            return false;
    }
    return true;
}

/* Is Df (0, v_i) = X_i at x, within the constraints? If not, clear the flag. */
static zw_status test_boosts(zeros_work *a, const double *x, bool *boost) {
    zw_equilibria *e = a->e;
    int ng = zw_flow_levels(e->flow);
    int nx = a->nx, nv = a->nv;
    double *X = ZW_NEW(a->work, double, a->ns *nx + 1), *J = ZW_NEW(a->work, double, nx *nx + 1),
           *v = ZW_NEW(a->work, double, a->ns *nv + 1), *G = ZW_NEW(a->work, double, ng *nx + 1),
           t = e->options.t;
    bool *known = ZW_NEW(a->work, bool, a->ns + 1);
    if (a->work->failed)
        return zw_out_of_memory(a->err, NULL);
    ZW_TRY(zw_flow_jacobian(e->flow, t, x, J, NULL, a->err));
    ZW_TRY(zw_symmetries_at(&e->symmetries, e->flow, t, x, NULL, X, a->err));
    ZW_TRY(zw_symmetries_momenta(&e->symmetries, e->flow, t, x, v, NULL, known, a->err));
    ZW_TRY(zw_flow_constraints(e->flow, t, x, NULL, G, a->err));
    for (int i = 0; i < a->ns; i++) {
        boost[i] &= known[i] && is_admitted(ng, nx, a->nq, nv, G, v + (size_t)i * (size_t)nv);
        for (int l = 0; l < nx; l++) {
            double sum = -X[i * nx + l], size = fabs(sum);
            for (int k = 0; k < nv; k++) {
                double part = J[l * nx + a->nq + k] * v[i * nv + k];
                sum += part;
                size += fabs(part);
            }
            boost[i] &= fabs(sum) <= TERMS_CANCEL * size;
        }
    }
    return ZW_OK;
}

static zw_status check_boosts(zeros_work *a) {
    zw_equilibria *e = a->e;
    zw_random random = zw_random_stream(17, 0);
    zw_error ignored = {0};
    double *x = ZW_NEW(a->work, double, a->nx + 1);
    bool *boost = ZW_NEW(a->work, bool, a->ns + 1);
    if (a->work->failed)
        return zw_out_of_memory(a->err, NULL);
    for (int i = 0; i < a->ns; i++)
        boost[i] = true;
    for (int l = 0; l < a->nx; l++)
        x[l] = e->motion.x[l] + STATE_SPREAD * e->scale[l] * zw_random_real(&random, -1, 1);
    if (zw_flow_project(e->flow, e->options.t, x, NULL, &ignored) < 0)
        return ZW_OK;
    ZW_TRY(test_boosts(a, e->motion.x, boost));
    if (test_boosts(a, x, boost) < 0)
        return zw_arena_status(a->work, a->err);
    for (int i = 0; i < a->ns; i++)
        if (boost[i])
            e->zeros.boost[e->zeros.nboost++] = i;
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- names */

static zw_status name_zeros(zeros_work *a) {
    zw_equilibria *e = a->e;
    const zw_kernel *k = e->kernel;
    a->X = ZW_NEW(a->work, double, a->ns * a->nx + 1);
    a->N = ZW_NEW(a->work, double, e->linear.nfamily * a->nx + 1);
    if (a->work->failed)
        return zw_out_of_memory(a->err, NULL);
    ZW_TRY(evaluate_symmetries(a));
    ZW_TRY(find_null(a));
    if (e->family)
        choose_entries(a);
    a->stays = ZW_NEW(a->work, bool, a->ns + 1);
    if (a->work->failed)
        return zw_out_of_memory(a->err, NULL);
    if (!zw_kernel_has(k, ZW_SET(OBS) | ZW_SET(OBS_JAC))) {
        ZW_TRY(zw_kernel_require(e->kernel, ZW_SET(OBS) | ZW_SET(OBS_JAC), a->err));
        ZW_TRY(zw_flow_renew(e->flow, a->err));
    }
    ZW_TRY(test_conserved(a, a->stays));
    ZW_TRY(check_energy(a));
    bool plain = !k->own_metric && !k->unsymmetric && !k->canonical && k->autonomous;
    if (!plain)
        return ZW_OK;
    ZW_TRY(check_momenta(a));
    return check_boosts(a);
}

zw_status zw_equilibria_name_zeros(zw_equilibria *e, zw_error *err) {
    zw_arena work;
    const zw_kernel *k = e->kernel;
    zeros_work a = {.e = e, .nx = k->nx, .nq = k->nq, .nv = k->nv, .n = e->linear.n, .err = err};
    zw_zeros *z = &e->zeros;
    a.ns = e->symmetries.n;
    a.work = &work;
    *z = (zw_zeros){.entry = ZW_NEW(&e->arena, int, k->nx + 1),
                    .momentum = ZW_NEW(&e->arena, int, a.ns + 1),
                    .boost = ZW_NEW(&e->arena, int, a.ns + 1)};
    if (e->arena.failed)
        return zw_out_of_memory(err, NULL);
    if (e->linear.nzero == 0)
        return ZW_OK;
    zw_arena_init(&work, &k->alloc);
    zw_status status = name_zeros(&a);
    zw_arena_clear(&work);
    return status;
}
