/* SPDX-License-Identifier: MIT */
/* The Gaussian at a point of the period and its derivatives. With r(x, v', lambda) = M v' - h - C
 * lambda, linear in v' and lambda, and u = M^-1 r, which is the deviation v' - a from the
 * acceleration a that M a = h + C lambda gives,
 *
 *     u' M u = max over u of 2 u' r(x, v' - u/2, lambda),        min over lambda: C' u = 0.
 *
 * Both u and lambda are stationary, so that the gradient is the one at fixed u and lambda,
 *
 *     d G = 2 u' (M dv' + R(v' - u/2) dx),        R(v') = dr/dx at v', lambda,
 *
 * and the second derivatives, with B = M dv' + R(a) dx, D = the derivative of C' u, P = M^-1 and A
 * = L^-1 C, M = L L',
 *
 *     d2 G = 2 u' r''(v' - u/2) + 2 B'P B - 2 (C'P B + D)' (A'A)^+ (C'P B + D).
 *
 * The Gauss-Newton matrix omits r'' and D: 2 Y'Y with Y = L^-1 B orthogonal to the columns of A.
 * For the residual of the equations, |r|^2, the same holds with u = r, v' for v' - u/2 and for a,
 * and P = 1; for |v' - a|^2 with M^-1 u for u, a for v' - u/2, P = M^-2, but D has a further term,
 * which is not computed. Columns of A that depend on others are left out: their multipliers are
 * zero.
 *
 * Constraints c (phi, or psi, or W v' - b on the lowest level that there is, and q' - qdot where
 * velocities are functions of their own) are weighted residuals: hold w^(2k) c^2 is added, where k
 * is the number of time derivatives from c to accelerations. A finite series can satisfy only
 * linear ones exactly; with more harmonics the others are satisfied better and better, for any
 * weight.
 *
 * The integral is the sum over equidistant points, exact as long as the integrand has fewer
 * harmonics than points. Where the motion meets kinks of the forces, at the phases tau_k(x), it is
 * the sum over Gauss points between them (panels.h). If the Gaussian g itself jumps there, the
 * gradient has an additional term, with sigma(tau_k, x) = 0:
 *
 *     d G += 1/w sum over k of (g(tau_k -) - g(tau_k +)) d tau_k,
 *     d tau_k = -sigma_x dx/(d sigma/d tau),
 *
 * and if only its gradient jumps, the second derivatives have the corresponding term of the
 * gradient. */
#include "gaussian.h"
#include "base/arena.h"

#include <math.h>
#include <string.h>

enum { LANES = 8 };
/* Relative to the largest Gaussian so far: rounding of a Gaussian that vanishes, the square of a
 * relative residual of 1e-10. */
#define GAUSSIAN_ROUNDOFF 1e-20
/* Relative to the largest Gaussian: a jump at a kink. The two points next to a kink differ by less
 * without one, and a smaller jump changes the gradient less than the error of the integral. */
#define JUMP_LEAST 1e-7
/* relative to its length: remainder of a dependent column of A after projection (4e5 eps) */
#define COLUMN_DEPENDENT 1e-10
/* relative to the diagonal entry: a pivot of M that is rounding (45 eps), so that M is not
 * positive */
#define MASS_PIVOT 1e-14

static size_t doubles(int n) {
    return sizeof(double) * (size_t)n;
}

/* --------------------------------------------------------------------------------------- set-up */

/* the rows cos, -h sin, -h^2 cos and sin, h cos, -h^2 sin */
static void tabulate_harmonics(zw_gaussian *g) {
    const zw_fourier *f = &g->period.fourier;
    int S = f->samples;
    for (int k = 0; k < f->nharmonic; k++)
        for (int sine = 0; sine < (f->harmonic[k] ? 2 : 1); sine++)
            for (int order = 0; order < ZW_GAUSSIAN_ORDERS; order++) {
                int h = f->harmonic[k], c = zw_fourier_first(f, k) + sine;
                bool turned = order == 1;
                double factor = (order == 0   ? 1
                                 : order == 1 ? h
                                              : -h * h) *
                                (turned && !sine ? -1 : 1);
                const double *from = (turned != sine ? f->sine : f->cosine) + (size_t)(h * S);
                double *to = g->base + (size_t)((order * f->n + c) * S);
                for (int s = 0; s < S; s++)
                    to[s] = factor * from[s];
            }
}

static void spread_evenly(zw_gaussian *g) {
    int S = g->period.fourier.capacity;
    for (int s = 0; s < S; s++) {
        g->tau[s] = 2 * M_PI * s / S;
        g->weight[s] = 2 * M_PI / S;
    }
    if (g->period.tau)
        zw_period_place(&g->period, S, g->tau, g->weight);
    tabulate_harmonics(g);
}

static void reserve_series(zw_gaussian *g, zw_arena *arena) {
    const zw_kernel *k = g->period.kernel;
    const zw_fourier *f = &g->period.fourier;
    int S = f->samples, jac = g->period.size[ZW_FN_JAC];
    g->base = ZW_NEW(arena, double, ZW_GAUSSIAN_ORDERS * f->n * S);
    g->all = ZW_NEW(arena, double, g->period.n * f->n + 1);
    g->rows = ZW_NEW(arena, double, g->period.n *S);
    g->dual = ZW_NEW(arena, double, S * k->nv + 1);
    g->lambda = ZW_NEW(arena, double, S * k->nc + 1);
    g->force = ZW_NEW(arena, double, S * k->nv + 1);
    g->z_gradient = ZW_NEW(arena, double, S * k->nz + 1);
    g->z_hessian = ZW_NEW(arena, double, S * k->nz + 1);
    g->jac_gradient = ZW_NEW(arena, double, S *jac + 1);
    g->jac_hessian = ZW_NEW(arena, double, S *jac + 1);
    g->shifted = ZW_NEW(arena, double, S * k->nc * k->nx + 1);
    g->shifted_jac = ZW_NEW(arena, double, S *jac + 1);
    g->gradient = ZW_NEW(arena, double, S * g->m + 1);
    g->hessian = ZW_NEW(arena, double, S * g->m * g->m + 1);
    g->second = ZW_NEW(arena, double, S * g->period.size[ZW_FN_SECOND] + LANES);
    g->series = ZW_NEW(arena, double, S);
    g->tau = ZW_NEW(arena, double, S);
    g->weight = ZW_NEW(arena, double, S);
    g->point = ZW_NEW(arena, double, S);
    for (int i = 0; i < 2; i++)
        g->direction[i] = ZW_NEW(arena, double, (k->nx + k->nz) * LANES + 1);
}

static void reserve_point(zw_gaussian *g, zw_arena *arena) {
    const zw_kernel *k = g->period.kernel;
    g->mass = ZW_NEW(arena, double, k->nv * k->nv + 1);
    g->L = ZW_NEW(arena, double, k->nv * k->nv + 1);
    g->A = ZW_NEW(arena, double, k->nv * k->nc + 1);
    g->Q = ZW_NEW(arena, double, k->nv * k->nc + 1);
    g->R = ZW_NEW(arena, double, k->nc * k->nc + 1);
    g->B = ZW_NEW(arena, double, k->nv * g->m + 1);
    g->BQ = ZW_NEW(arena, double, k->nc * g->m + 1);
    g->moved = ZW_NEW(arena, double, g->unknowns + 1);
    g->e = ZW_NEW(arena, double, k->nv + 1);
    g->v = ZW_NEW(arena, double, k->nv + 1);
    g->independent = ZW_NEW(arena, int, k->nc + 1);
}

/* highest harmonic of the integrand, if forces are cubic */
static int integrand_harmonics(int top) {
    return 6 * top;
}

/* makes everything that depends on the number of points */
static zw_status make_points(zw_gaussian *g, const zw_kernel *kernel, int nharmonic,
                             const int *harmonic, int points, zw_error *err) {
    zw_arena *arena = g->arena;
    ZW_TRY(zw_period_make(&g->period, arena, kernel, nharmonic, harmonic, points, err));
    ZW_TRY(zw_period_reject_levels(&g->period, "the minimum of Gauss' function", err));
    g->moving = g->period.n - kernel->nc;
    g->orders = g->period.plain ? 3 : 2;
    g->m = g->moving * g->orders;
    g->unknowns = g->moving * g->period.fourier.n;
    reserve_series(g, arena);
    reserve_point(g, arena);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    spread_evenly(g);
    return ZW_OK;
}

zw_status zw_gaussian_make(zw_gaussian *g, zw_arena *arena, const zw_kernel *kernel,
                           const zw_gauss_integral_options *o, double density, zw_error *err) {
    int top = o->nharmonic ? o->harmonic[o->nharmonic - 1] : 0;
    *g = (zw_gaussian){.weighing = o->weight,
                       .hold = o->hold,
                       .arena = arena,
                       .density = density,
                       .least = (int)(density * o->samples)};
    int points = o->samples > 0 ? g->least : (int)(density * integrand_harmonics(top)) + 1;
    ZW_TRY(make_points(g, kernel, o->nharmonic, o->harmonic, points, err));
    return o->switches ? zw_panels_make(&g->panels, arena, o->switches, top, err) : ZW_OK;
}

void zw_gaussian_set(zw_gaussian *g, const double *parameter, double w) {
    zw_period_set(&g->period, parameter, w);
    if (g->panels.kernel)
        zw_panels_set(&g->panels, parameter);
}

/* ----------------------------------------------------------------------------------- the points */

/* makes the same functions with memory for more points, at the same parameters */
static zw_status grow_points(zw_gaussian *g, int points) {
    const zw_kernel *k = g->period.kernel;
    zw_period old = g->period;
    double *parameter = ZW_NEW(g->arena, double, k->np + 1);
    if (!parameter)
        return ZW_E_MEMORY;
    for (int i = 0; i < k->np; i++)
        parameter[i] = old.parameter[i * LANES];
    ZW_TRY(make_points(g, k, old.fourier.nharmonic, old.fourier.harmonic, points, NULL));
    zw_period_set(&g->period, parameter, old.w);
    return ZW_OK;
}

/* places Gauss points between the kinks of the motion x, or equidistant points if it meets none */
static zw_status place_points(zw_gaussian *g, const double *x) {
    zw_panels *p = &g->panels;
    int harmonics =
        4 * g->period.fourier
                .top; /* for quadratic forces; the error of G shows where more are needed */
    if (!p->kernel)
        return ZW_OK;
    ZW_TRY(zw_panels_locate(p, &g->period, x));
    if (p->nkink == 0) {
        if (g->period.tau)
            spread_evenly(g);
        return ZW_OK;
    }
    int n = zw_panels_count(p, harmonics, g->density, g->least);
    if (n + LANES > g->period.fourier.capacity)
        ZW_TRY(grow_points(g, 2 * n));
    ZW_TRY(zw_panels_fill(p, harmonics, g->density, g->least, g->tau, g->weight));
    zw_period_place(&g->period, n, g->tau, g->weight);
    for (int s = n; s < g->period.fourier.samples; s++)
        g->weight[s] = 0;
    tabulate_harmonics(g);
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------- at a point */

/* entry i of a function with `size` outputs, at sample s */
static double entry_value(const double *out, int size, int s, int i) {
    return out[((s / LANES) * size + i) * LANES + s % LANES];
}

static void set_entry(double *out, int size, int s, int i, double value) {
    out[((s / LANES) * size + i) * LANES + s % LANES] = value;
}

static int mats_entry(const zw_gaussian *g, const double *part) {
    return (int)(part - g->period.mats) / LANES;
}

/* the factor L of M = L L'; false: M is not positive */
static bool factor_mass(zw_gaussian *g) {
    int n = g->period.kernel->nv;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = g->mass[i * n + j];
            for (int k = 0; k < j; k++)
                sum -= g->L[i * n + k] * g->L[j * n + k];
            if (i > j)
                g->L[i * n + j] = sum / g->L[j * n + j];
            else if (sum > MASS_PIVOT * fabs(g->mass[i * n + i]))
                g->L[i * n + i] = sqrt(sum);
            else
                return false;
        }
    return true;
}

/* L x = b, and L' x = b, for a column of an array of `stride` columns, in place */
static void lower_solve(const zw_gaussian *g, int stride, double *b) {
    int n = g->period.kernel->nv;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            b[i * stride] -= g->L[i * n + k] * b[k * stride];
        b[i * stride] /= g->L[i * n + i];
    }
}

static void upper_solve(const zw_gaussian *g, int stride, double *b) {
    int n = g->period.kernel->nv;
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            b[i * stride] -= g->L[k * n + i] * b[k * stride];
        b[i * stride] /= g->L[i * n + i];
    }
}

/* transforms columns of residuals such that the sum of their squares is the weighted Gaussian */
static void weigh_columns(const zw_gaussian *g, int columns, double *b) {
    if (g->weighing == ZW_GAUSS_FORCE)
        return;
    for (int j = 0; j < columns; j++) {
        lower_solve(g, columns, b + j);
        if (g->weighing == ZW_GAUSS_ACCELERATION)
            upper_solve(g, columns, b + j);
    }
}

/* A = Q R with orthonormal columns Q; column j of Q is zero where column j of A depends on
 * others */
static void orthogonalise_columns(zw_gaussian *g) {
    int n = g->period.kernel->nv, nc = g->period.kernel->nc;
    memcpy(g->Q, g->A, doubles(n * nc));
    memset(g->R, 0, doubles(nc * nc));
    for (int j = 0; j < nc; j++) {
        double before = 0, after = 0;
        for (int i = 0; i < n; i++)
            before += g->Q[i * nc + j] * g->Q[i * nc + j];
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < j; k++) {
                double dot = 0;
                for (int i = 0; i < n; i++)
                    dot += g->Q[i * nc + k] * g->Q[i * nc + j];
                g->R[k * nc + j] += dot;
                for (int i = 0; i < n; i++)
                    g->Q[i * nc + j] -= dot * g->Q[i * nc + k];
            }
        for (int i = 0; i < n; i++)
            after += g->Q[i * nc + j] * g->Q[i * nc + j];
        g->independent[j] = after > COLUMN_DEPENDENT * COLUMN_DEPENDENT * before;
        g->R[j * nc + j] = g->independent[j] ? sqrt(after) : 0;
        for (int i = 0; i < n; i++)
            g->Q[i * nc + j] = g->independent[j] ? g->Q[i * nc + j] / g->R[j * nc + j] : 0;
    }
}

/* M, its factor and A = Q R at sample s; false: the weight does not exist there */
static bool prepare_point(zw_gaussian *g, int s) {
    const zw_kernel *k = g->period.kernel;
    const double *mats = g->period.mats;
    zw_mats_parts part = zw_mats_of(k, g->period.mats);
    int size = g->period.size[ZW_FN_MATS];
    for (int i = 0; i < k->nv * k->nv; i++)
        g->mass[i] = entry_value(mats, size, s, mats_entry(g, part.M) + i);
    if (g->weighing != ZW_GAUSS_FORCE && !factor_mass(g))
        return false;
    for (int i = 0; i < k->nv * k->nc; i++)
        g->A[i] = entry_value(mats, size, s, mats_entry(g, part.C) + i);
    weigh_columns(g, k->nc, g->A);
    orthogonalise_columns(g);
    return true;
}

/* the multipliers that minimise |e| (weighted); e becomes its part orthogonal to the columns of
 * A */
static void minimise_multipliers(zw_gaussian *g, double *e, double *lambda) {
    int n = g->period.kernel->nv, nc = g->period.kernel->nc;
    for (int j = 0; j < nc; j++) {
        lambda[j] = 0;
        for (int i = 0; i < n; i++)
            lambda[j] += g->Q[i * nc + j] * e[i];
        for (int i = 0; i < n; i++)
            e[i] -= lambda[j] * g->Q[i * nc + j];
    }
    for (int j = nc - 1; j >= 0; j--) {
        if (!g->independent[j]) {
            lambda[j] = 0;
            continue;
        }
        for (int k = j + 1; k < nc; k++)
            lambda[j] -= g->R[j * nc + k] * lambda[k];
        lambda[j] /= g->R[j * nc + j];
    }
}

/* the arguments at which derivatives are taken; the Gaussian is |e|^2 with the weighted e */
static void weigh_residual(zw_gaussian *g, int s, const double *e) {
    const zw_kernel *k = g->period.kernel;
    double *u = g->v, *dual = g->dual + (size_t)(s * k->nv);
    memcpy(u, e, doubles(k->nv)); /* v' - a, or e itself */
    if (g->weighing == ZW_GAUSS_MASS)
        upper_solve(g, 1, u);
    memcpy(dual, u, doubles(k->nv));
    if (g->weighing == ZW_GAUSS_ACCELERATION) {
        lower_solve(g, 1, dual);
        upper_solve(g, 1, dual);
    }
    double first = g->weighing == ZW_GAUSS_MASS    ? 0.5
                   : g->weighing == ZW_GAUSS_FORCE ? 0
                                                   : 1,
           second = g->weighing == ZW_GAUSS_FORCE ? 0 : 1;
    for (int i = 0; i < k->nz; i++) {
        double v = i < k->nv ? entry_value(g->period.z, k->nz, s, i)
                             : g->lambda[s * k->nc + i - k->nv],
               d = i < k->nv ? u[i] : 0;
        set_entry(g->z_gradient, k->nz, s, i, v - first * d);
        set_entry(g->z_hessian, k->nz, s, i, v - second * d);
    }
}

/* M v' - h at sample s */
static void free_residual(zw_gaussian *g, int s, double *e) {
    const zw_kernel *k = g->period.kernel;
    zw_mats_parts part = zw_mats_of(k, g->period.mats);
    int size = g->period.size[ZW_FN_MATS];
    for (int i = 0; i < k->nv; i++) {
        e[i] = -entry_value(g->period.mats, size, s, mats_entry(g, part.h) + i);
        for (int j = 0; j < k->nv; j++)
            e[i] += g->mass[i * k->nv + j] * entry_value(g->period.z, k->nz, s, j);
    }
}

static void store_force(zw_gaussian *g, int s, const double *e) {
    const zw_kernel *k = g->period.kernel;
    zw_mats_parts part = zw_mats_of(k, g->period.mats);
    int size = g->period.size[ZW_FN_MATS];
    for (int i = 0; i < k->nv; i++) {
        double sum = e[i];
        for (int j = 0; j < k->nc; j++)
            sum -= entry_value(g->period.mats, size, s, mats_entry(g, part.C) + i * k->nc + j) *
                   g->lambda[s * k->nc + j];
        g->force[s * k->nv + i] = sum;
    }
}

/* the Gaussian at a sample; NaN if it has no value */
static double point_value(zw_gaussian *g, int s) {
    const zw_kernel *k = g->period.kernel;
    double sum = 0;
    if (!prepare_point(g, s))
        return NAN;
    free_residual(g, s, g->e);
    memcpy(g->B, g->e, doubles(k->nv));
    weigh_columns(g, 1, g->e);
    minimise_multipliers(g, g->e, g->lambda + (size_t)(s * k->nc));
    store_force(g, s, g->B);
    weigh_residual(g, s, g->e);
    for (int i = 0; i < k->nv; i++)
        sum += g->e[i] * g->e[i];
    return sum;
}

/* ------------------------------------------------------------------------------ the constraints */

/* number of rows of q' - qdot, which precede the equations of motion in zw_period_rows */
static int rate_rows(const zw_gaussian *g) {
    return g->period.plain ? 0 : g->period.kernel->nq;
}

static bool has_constraints(const zw_gaussian *g) {
    return rate_rows(g) > 0 || g->period.kernel->nc > 0;
}

/* weight of the square of a row; 0: an equation of motion */
static double weight_of(const zw_gaussian *g, int row) {
    const zw_kernel *k = g->period.kernel;
    int i = row - rate_rows(g) - k->nv;
    double w2 = g->period.w * g->period.w;
    if (i < 0)
        return row < rate_rows(g) ? g->hold * w2 : 0;
    int level = g->period.low[i];
    return g->hold * (level < 0 ? 1 : level < k->npos ? w2 * w2 : w2);
}

static double constraint_value(zw_gaussian *g) {
    int S = g->period.fourier.samples;
    double sum = 0;
    if (!has_constraints(g))
        return 0;
    zw_period_rows(&g->period, g->rows);
    for (int i = 0; i < g->period.n; i++) {
        double weight = weight_of(g, i), part = 0;
        for (int s = 0; weight > 0 && s < S; s++)
            part += g->weight[s] * g->rows[i * S + s] * g->rows[i * S + s];
        sum += weight * part;
    }
    return sum;
}

/* ------------------------------------------------------------------------------------ the value */

/* finds the fall of the Gaussian at every kink; true: there is a jump */
static bool find_jumps(zw_gaussian *g) {
    double largest = 0;
    bool found = false;
    for (int s = 0; s < g->period.fourier.samples && g->panels.kernel; s++)
        largest = fmax(largest, g->point[s]);
    g->largest_so_far = fmax(g->largest_so_far, largest);
    double least = fmax(JUMP_LEAST * largest, GAUSSIAN_ROUNDOFF * g->largest_so_far);
    for (int i = 0; i < g->panels.nkink; i++) {
        zw_panel_kink *k = &g->panels.kink[i];
        double fall = g->point[k->sample] - g->point[k->sample + 1];
        k->fall = k->may_jump && fabs(fall) > least ? fall : 0;
        found |= k->fall != 0;
    }
    return found;
}

/* chooses the weight of constraints: ten times the mean diagonal entry of M at the first sample */
static void choose_hold(zw_gaussian *g) {
    const zw_kernel *k = g->period.kernel;
    double sum = 0;
    if (g->hold > 0 || !has_constraints(g) || k->nv == 0)
        return;
    for (int i = 0; i < k->nv; i++)
        sum += entry_value(g->period.mats, g->period.size[ZW_FN_MATS], 0,
                           mats_entry(g, zw_mats_of(k, g->period.mats).M) + i * k->nv + i);
    g->hold = sum > 0 ? 10 * sum / k->nv : 1;
}

zw_status zw_gaussian_value_at(zw_gaussian *g, const double *x, zw_gaussian_value *value) {
    double sum = 0;
    ZW_TRY(place_points(g, x));
    memcpy(g->all, x, doubles(g->unknowns));
    zw_period_move(&g->period, g->all);
    choose_hold(g);
    for (int s = 0; s < g->period.fourier.samples; s++) {
        g->point[s] = point_value(g, s);
        sum += g->weight[s] * g->point[s];
    }
    g->jumps = find_jumps(g);
    value->G = sum / g->period.w;
    value->defect = constraint_value(g) / g->period.w;
    return isfinite(value->G) && isfinite(value->defect) ? ZW_OK : ZW_RETRY;
}

/* ---------------------------------------------------------------------------------- derivatives */

static void call_kernel(const zw_gaussian *g, zw_function_name name, const double *z, double *out) {
    const zw_period *p = &g->period;
    const zw_kernel *k = p->kernel;
    for (int i = 0; i < p->fourier.samples / LANES; i++) {
        const zw_args in = {.t = p->t + (size_t)(i * LANES),
                            .x = p->x + (size_t)(i * LANES * k->nx),
                            .z = z + (size_t)(i * LANES * k->nz),
                            .u = p->input,
                            .d1 = g->direction[0],
                            .d2 = g->direction[1],
                            .c = p->cache};
        zw_kernel_call(k, name, &in, out + (size_t)(i * LANES * p->size[name]), p->work);
    }
}

/* the entry of (x, z) of a local variable (function, order); -1: q' where velocities are functions
 * of their own */
static int entry_of(const zw_gaussian *g, int local) {
    const zw_kernel *k = g->period.kernel;
    int function = local / g->orders, order = local % g->orders;
    if (g->period.plain)
        return order == 0 ? function : order == 1 ? k->nq + function : k->nx + function;
    return order == 0 ? function : function < k->nq ? -1 : k->nx + function - k->nq;
}

/* d r_i/d local at sample s, from jac of some z */
static double slope_of(const zw_gaussian *g, const double *jac, int s, int i, int local) {
    const zw_kernel *k = g->period.kernel;
    int entry = entry_of(g, local), size = g->period.size[ZW_FN_JAC];
    if (entry < 0)
        return 0;
    if (entry < k->nx)
        return entry_value(jac, size, s, k->nq * k->nx + i * k->nx + entry);
    return entry_value(g->period.mats, g->period.size[ZW_FN_MATS], s, i * k->nv + entry - k->nx);
}

static void point_gradient(zw_gaussian *g, int s) {
    int nv = g->period.kernel->nv;
    for (int j = 0; j < g->m; j++) {
        double sum = 0;
        for (int i = 0; i < nv; i++)
            sum += g->dual[s * nv + i] * slope_of(g, g->jac_gradient, s, i, j);
        g->gradient[s * g->m + j] = 2 * sum;
    }
}

/* Q'Y, with the derivative of C' u times R'^-1 if exact */
static void project_on_constraints(zw_gaussian *g, int s, bool exact) {
    const zw_kernel *k = g->period.kernel;
    for (int c = 0; c < k->nc; c++)
        for (int j = 0; j < g->m; j++) {
            int entry = entry_of(g, j);
            double sum = exact && entry >= 0 && entry < k->nx
                             ? g->shifted[(s * k->nc + c) * k->nx + entry]
                             : 0;
            for (int b = 0; b < c; b++) /* BQ contains only R'^-1 D so far */
                sum -= g->R[b * k->nc + c] * g->BQ[b * g->m + j];
            g->BQ[c * g->m + j] = g->independent[c] ? sum / g->R[c * k->nc + c] : 0;
        }
    for (int c = 0; c < k->nc; c++)
        for (int j = 0; j < g->m; j++)
            for (int i = 0; i < k->nv; i++)
                g->BQ[c * g->m + j] += g->Q[i * k->nc + c] * g->B[i * g->m + j];
}

static void point_hessian(zw_gaussian *g, int s, bool exact) {
    const zw_kernel *k = g->period.kernel;
    int m = g->m;
    double *H = g->hessian + (size_t)s * (size_t)(m * m);
    prepare_point(g, s);
    for (int i = 0; i < k->nv; i++)
        for (int j = 0; j < m; j++)
            g->B[i * m + j] = slope_of(g, g->jac_hessian, s, i, j);
    weigh_columns(g, m, g->B);
    project_on_constraints(g, s, exact);
    memset(H, 0, doubles(m * m));
    for (int a = 0; a < m; a++)
        for (int b = 0; b < m; b++) {
            double sum = 0;
            for (int i = 0; i < k->nv; i++)
                sum += g->B[i * m + a] * g->B[i * m + b];
            for (int i = 0; i < k->nc; i++)
                sum -= g->BQ[i * m + a] * g->BQ[i * m + b];
            H[a * m + b] = 2 * sum;
        }
}

/* the derivative of C' u with respect to x at all points: differences of r with a multiplier
 * increased by 1 */
static void shift_multipliers(zw_gaussian *g) {
    const zw_kernel *k = g->period.kernel;
    int S = g->period.fourier.samples, size = g->period.size[ZW_FN_JAC];
    for (int c = 0; c < k->nc; c++) {
        for (int s = 0; s < S; s++)
            set_entry(g->z_gradient, k->nz, s, k->nv + c, g->lambda[s * k->nc + c] + 1);
        call_kernel(g, ZW_FN_JAC, g->z_gradient, g->shifted_jac);
        for (int s = 0; s < S; s++) {
            set_entry(g->z_gradient, k->nz, s, k->nv + c, g->lambda[s * k->nc + c]);
            for (int j = 0; j < k->nx; j++) {
                double sum = 0;
                for (int i = 0; i < k->nv; i++) {
                    int at = k->nq * k->nx + i * k->nx + j;
                    sum += g->dual[s * k->nv + i] * (entry_value(g->jac_gradient, size, s, at) -
                                                     entry_value(g->shifted_jac, size, s, at));
                }
                g->shifted[(s * k->nc + c) * k->nx + j] = sum;
            }
        }
    }
}

/* adds a constraint at all points, by its derivatives with respect to functions and orders */
static void add_constraint(zw_gaussian *g, int row, bool hessian) {
    int S = g->period.fourier.samples, m = g->m;
    double weight = weight_of(g, row);
    double *table = g->shifted_jac; /* m x S fits: jac has more rows */
    for (int j = 0; j < m; j++)
        zw_period_series(&g->period, row, j / g->orders, j % g->orders, table + (size_t)(j * S));
    for (int s = 0; s < S; s++) {
        double c = g->rows[row * S + s];
        for (int a = 0; a < m; a++) {
            g->gradient[s * m + a] += 2 * weight * c * table[a * S + s];
            for (int b = 0; hessian && b < m; b++)
                g->hessian[(s * m + a) * m + b] += 2 * weight * table[a * S + s] * table[b * S + s];
        }
    }
}

/* the sum of the second derivatives in the outputs of ZW_FN_SECOND (qdot, r, phi, psi) times their
 * factors, at sample s */
static double second_sum(const zw_gaussian *g, int s) {
    const zw_kernel *k = g->period.kernel;
    int S = g->period.fourier.samples, size = g->period.size[ZW_FN_SECOND], first = rate_rows(g);
    double sum = 0;
    for (int i = 0; i < first; i++)
        sum -= weight_of(g, i) * g->rows[i * S + s] * entry_value(g->second, size, s, i);
    for (int i = 0; i < k->nv; i++)
        sum += g->dual[s * k->nv + i] * entry_value(g->second, size, s, k->nq + i);
    for (int i = 0; i < k->nc; i++) {
        int row = first + k->nv + i, level = g->period.low[i];
        int at = level < 0 ? k->nq + k->nv + i : k->nq + k->nz + level;
        sum += weight_of(g, row) * g->rows[row * S + s] * entry_value(g->second, size, s, at);
    }
    return 2 * sum;
}

static void set_direction(zw_gaussian *g, int which, int entry) {
    const zw_kernel *k = g->period.kernel;
    memset(g->direction[which], 0, doubles((k->nx + k->nz) * LANES));
    for (int l = 0; l < LANES; l++)
        g->direction[which][entry * LANES + l] = 1;
}

/* the equations are linear in accelerations: second derivatives in two of them vanish */
static void add_second(zw_gaussian *g) {
    const zw_kernel *k = g->period.kernel;
    int S = g->period.fourier.samples, m = g->m;
    for (int a = 0; a < m; a++)
        for (int b = a; b < m; b++) {
            int i = entry_of(g, a), j = entry_of(g, b);
            if (i < 0 || j < 0 || (i >= k->nx && j >= k->nx))
                continue;
            set_direction(g, 0, i);
            set_direction(g, 1, j);
            call_kernel(g, ZW_FN_SECOND, g->z_gradient, g->second);
            for (int s = 0; s < S; s++) {
                double sum = second_sum(g, s);
                g->hessian[(s * m + a) * m + b] += sum;
                if (a != b)
                    g->hessian[(s * m + b) * m + a] += sum;
            }
        }
}

/* -------------------------------------------------------------------------- in the coefficients */

static const double *base_of(const zw_gaussian *g, int order, int c) {
    const zw_fourier *f = &g->period.fourier;
    return g->base + (size_t)((order * f->n + c) * f->samples);
}

static void gather_gradient(const zw_gaussian *g, double *gradient) {
    const zw_fourier *f = &g->period.fourier;
    for (int j = 0; j < g->moving; j++)
        for (int c = 0; c < f->n; c++) {
            double sum = 0, power = 1 / g->period.w;
            for (int order = 0; order < g->orders; order++, power *= g->period.w) {
                const double *base = base_of(g, order, c);
                for (int s = 0; s < f->samples; s++)
                    sum += power * g->weight[s] * base[s] *
                           g->gradient[s * g->m + j * g->orders + order];
            }
            gradient[j * f->n + c] = sum;
        }
}

/* eight sums in parallel: S is a multiple of eight */
static double dot(int S, const double *restrict a, const double *restrict b) {
    double sum[LANES] = {0};
    for (int s = 0; s < S; s += LANES)
        for (int l = 0; l < LANES; l++)
            sum[l] += a[s + l] * b[s + l];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/* the block of functions j, k: first sums over the orders of j, for each order of k */
static void gather_block(zw_gaussian *g, int j, int k, double *H) {
    const zw_fourier *f = &g->period.fourier;
    int S = f->samples, n = g->unknowns;
    double w = g->period.w;
    for (int c = 0; c < f->n; c++)
        for (int order = 0; order < g->orders; order++) {
            for (int s = 0; s < S; s++) {
                const double *at = g->hessian + (size_t)((s * g->m + k * g->orders + order) * g->m +
                                                         j * g->orders);
                double sum = 0, power = 1;
                for (int o = 0; o < g->orders; o++, power *= w)
                    sum += power * at[o] * base_of(g, o, c)[s];
                g->series[s] = g->weight[s] / w * pow(w, order) * sum;
            }
            for (int d = 0; d < f->n; d++) {
                const double *base = base_of(g, order, d);
                H[(j * f->n + c) * n + k * f->n + d] += dot(S, g->series, base);
            }
        }
}

static void gather_hessian(zw_gaussian *g, double *H) {
    int n = g->unknowns, size = g->period.fourier.n;
    memset(H, 0, doubles(n * n));
    for (int j = 0; j < g->moving; j++)
        for (int k = j; k < g->moving; k++)
            gather_block(g, j, k, H);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < (i / size) * size; j++)
            H[i * n + j] = H[j * n + i];
}

/* the derivative of the phase of a kink with respect to the coefficients (unknowns), in g->moved */
static void move_kink(zw_gaussian *g, const zw_panel_kink *k) {
    const zw_kernel *kernel = g->period.kernel;
    const zw_fourier *f = &g->period.fourier;
    const double *slope = g->panels.slope + k->slope;
    memset(g->moved, 0, doubles(g->unknowns));
    for (int j = 0; j < kernel->nx; j++) {
        bool is_rate = j >= kernel->nq && g->period.plain;
        int function = is_rate ? j - kernel->nq : j;
        double part = -slope[j] / k->rate * (is_rate ? g->period.w : 1);
        for (int c = 0; c < f->n && part != 0; c++)
            g->moved[function * f->n + c] += part * zw_fourier_base(f, c, is_rate ? 1 : 0, k->tau);
    }
}

static void add_jumps(zw_gaussian *g, double *gradient) {
    for (int i = 0; i < g->panels.nkink; i++) {
        const zw_panel_kink *k = &g->panels.kink[i];
        if (k->fall == 0)
            continue;
        move_kink(g, k);
        for (int c = 0; c < g->unknowns; c++)
            gradient[c] += k->fall / g->period.w * g->moved[c];
    }
}

/* adds the jumps of the gradient at kinks where the integrand does not jump */
static void add_kinks(zw_gaussian *g, double *H) {
    const zw_fourier *f = &g->period.fourier;
    int n = g->unknowns;
    for (int i = 0; i < g->panels.nkink; i++) {
        const zw_panel_kink *k = &g->panels.kink[i];
        const double *before = g->gradient + (size_t)(k->sample * g->m), *after = before + g->m;
        move_kink(g, k);
        for (int j = 0; j < g->m; j++) {
            double jump = 0.5 * (before[j] - after[j]) * pow(g->period.w, j % g->orders - 1);
            for (int c = 0; c < f->n; c++) {
                int row = j / g->orders * f->n + c;
                double part = jump * zw_fourier_base(f, c, j % g->orders, k->tau);
                for (int d = 0; d < n; d++) {
                    H[row * n + d] += part * g->moved[d];
                    H[d * n + row] += part * g->moved[d];
                }
            }
        }
    }
}

void zw_gaussian_derive(zw_gaussian *g, bool exact, double *gradient, double *H) {
    int S = g->period.fourier.samples;
    call_kernel(g, ZW_FN_JAC, g->z_gradient, g->jac_gradient);
    for (int s = 0; s < S; s++)
        point_gradient(g, s);
    if (H) {
        call_kernel(g, ZW_FN_JAC, g->z_hessian, g->jac_hessian);
        if (exact)
            shift_multipliers(g);
        for (int s = 0; s < S; s++)
            point_hessian(g, s, exact);
    }
    if (has_constraints(g))
        zw_period_derive(&g->period);
    for (int i = 0; i < g->period.n; i++)
        if (weight_of(g, i) > 0)
            add_constraint(g, i, H != NULL);
    gather_gradient(g, gradient);
    add_jumps(g, gradient);
    if (!H)
        return;
    if (exact)
        add_second(g);
    gather_hessian(g, H);
    if (exact)
        add_kinks(g, H);
}
