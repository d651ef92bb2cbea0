/* SPDX-License-Identifier: MIT */
/* Disturbances of a motion obey M y'' + C y' + K y = 0 with the derivatives of the equations along
 * it. A step of length H is one of Gauss's collocation with m stages for equations of second order;
 * unknowns are the accelerations A_i at its points,
 *
 *     y_i = y + c_i H y' + H^2 sum_l abar_il A_l,     y'_i = y' + H sum_l a_il A_l,     M A_i + C_i y'_i + K_i y_i = 0,
 *
 * so that there is a block of m x m numbers for every pair of coordinates that touch each other:
 * eliminated by blocks in an order of minimum degree, eight steps side by side. The columns of the
 * fundamental matrix are then carried from step to step, side by side as well. The order is 2 m.
 *
 * The error is the difference to what half the steps give, and the number of steps is chosen by it.
 * It is measured at the first motion, at every twenty-fifth, and where a multiplier is close to 1,
 * -1 or the unit circle. In between it is taken four times as large, and grows as (H^2 k)^(m + 1/2)
 * with the largest k = K_ii/M_ii on the way, as that of an oscillation does; if that is too much,
 * it is measured again. (Conservation of volume alone would not do: Gauss's methods are symplectic
 * and keep it however wrong they are. It is watched as an alarm, where M does not vary.)
 *
 * Where two multipliers are close to each other they are sensitive: errors are enlarged by the
 * distance. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vector_targets.h"
#include "num/linear/linalg.h"
#include "num/linear/spectrum.h"
#include "sweep_private.h"

#define SAFETY 4    /* of an error that was measured at a neighbour */
#define GROWN 1e4   /* of a column that is carried: too much for a plain product */
#define NEAR 1e-3   /* to the unit circle */
#define APART 1e-2  /* multipliers whose sensitivity is not asked for */
#define MARGIN 1e-6 /* of |mu| = 1, as in motion/segments/periodic.h */
#define ROUNDING 1e-13
#define STALLED 0.1 /* of the error of half the steps, which should be one in 4096 */
#define ROUGH 1e-6
#define LAST 1e-9 /* what most steps must hold */

/* -------------------------------------------------------------------------------- the equations */

/* states and derivatives at all stages of the eight steps of a group */
static void evaluate_stages(zw_sweep *s, const zw_sweep_level *l, int group, const double *x) {
    const zw_period *p = s->p;
    const zw_kernel *k = p->kernel;
    int points = STAGES * l->intervals, from = group * STAGES * LANES;
    for (int i = 0; i < s->n; i++)
        for (int stage = 0; stage < STAGES; stage++) {
            size_t of = (size_t)(from + stage * LANES);
            double *state = s->x + (size_t)((stage * k->nx + i) * LANES);
            /* one group of the table at a time: its rows are `points` long */
            zw_fourier_move_group(
                &p->fourier, x + (size_t)(i * p->fourier.n), p->w, points, l->cosine + of,
                l->sine + of, state, state + (size_t)(k->nq * LANES),
                s->mass_varies ? s->z + (size_t)((stage * k->nz + i) * LANES) : NULL);
        }
    double by = 1 / p->w;
    for (int i = 0; i < STAGES * LANES; i++)
        s->t[i] = l->tau[from + i] * by;
    for (int stage = 0; stage < STAGES; stage++) {
        const zw_args in = {.t = s->t + (size_t)(stage * LANES),
                            .x = s->x + (size_t)(stage * k->nx * LANES),
                            .z = s->z + (size_t)(stage * k->nz * LANES),
                            .u = p->input,
                            .c = p->cache};
        zw_kernel_call(k, ZW_FN_JAC, &in, s->jac + (size_t)(stage * p->size[ZW_FN_JAC] * LANES),
                       p->work);
        if (s->mass_varies || (stage == 0 && group == 0))
            zw_kernel_call(k, ZW_FN_MATS, &in,
                           s->mats + (size_t)(stage * p->size[ZW_FN_MATS] * LANES), p->work);
    }
}

/* the largest K_ii/M_ii of the eight steps */
ZW_CLONES static double stiffness(const zw_sweep *s) {
    double most = 0;
    for (int i = 0; i < s->nlink; i++) {
        const zw_sweep_link *k = &s->link[i];
        for (int stage = 0; k->row == k->column && k->k >= 0 && k->m >= 0 && stage < STAGES;
             stage++) {
            const double *K = jac_at(s, k->k, stage), *M = mass_at(s, k->m, stage);
            double by = s->mass_varies ? 0 : 1 / fabs(M[0]);
            for (int e = 0; e < LANES; e++) {
                double ratio = fabs(K[e]) * (by > 0 ? by : 1 / fabs(M[e]));
                most = ratio > most ? ratio : most;
            }
        }
    }
    return most;
}

/* M at its diagonal, H a C + H^2 abar K: every link has a block of its own */
ZW_CLONES static void put_block(const zw_sweep *s, const zw_sweep_link *k, double H) {
    static const double none[LANES] = {0};
    double *B = s->block + (size_t)k->block * BLOCK;
    for (int i = 0; i < STAGES; i++) {
        const double *K = k->k < 0 ? none : jac_at(s, k->k, i),
                     *C = k->c < 0 ? none : jac_at(s, k->c, i),
                     *M = k->m < 0 ? none : mass_at(s, k->m, i);
        for (int half = 0; half < LANES; half += ZW_FOUR) {
            zw_four stiff = H * H * ZW_LOAD(K + half), damp = H * ZW_LOAD(C + half);
            for (int l = 0; l < STAGES; l++) {
                double *to = B + (size_t)((i * STAGES + l) * LANES + half);
                ZW_STORE(to, s->abar[i][l] * stiff + s->a[i][l] * damp);
            }
            double *diagonal = B + (size_t)((i * STAGES + i) * LANES + half);
            ZW_STORE(diagonal, ZW_LOAD(diagonal) + ZW_LOAD(M + half));
        }
    }
}

/* ------------------------------------------------------------------------------- the divergence */

/* M^-1 into s->inverse, unless it is known */
static bool find_inverse(zw_sweep *s) {
    int n = s->n;
    bool same = true;
    for (int i = 0; i < s->nlink; i++) {
        const zw_sweep_link *k = &s->link[i];
        double m = k->m < 0 ? 0 : mass_at(s, k->m, 0)[0], *known = &s->mass[k->row * n + k->column];
        same &= *known == m;
        *known = m;
    }
    if (same)
        return true;
    double *LU = s->A;
    memcpy(LU, s->mass, sizeof(double) * (size_t)(n * n));
    if (!(zw_num_lu(n, LU, s->pivot) > zw_num_pivot_floor(n))) {
        s->mass[0] = NAN;
        return false;
    }
    for (int i = 0; i < n * n;
         i++) /* M is symmetric, or its inverse comes transposed: rows are solutions */
        s->inverse[i] = i % (n + 1) == 0;
    zw_num_lu_solve(n, LU, s->pivot, n, s->inverse);
    return true;
}

/* the integral of -tr(M^-1 C) over the steps of a group */
static double integrate_divergence(zw_sweep *s, double H) {
    int n = s->n;
    double sum = 0;
    if (s->mass_varies || !find_inverse(s))
        return NAN;
    for (int i = 0; i < s->nlink; i++) {
        const zw_sweep_link *k = &s->link[i];
        /* entry (column, row) of the inverse, whose columns are stored one after the other */
        double by = k->c < 0 ? 0 : s->inverse[k->row * n + k->column];
        for (int stage = 0; by != 0 && stage < STAGES; stage++)
            for (int e = 0; e < LANES; e++)
                sum -= H * s->b[stage] * by * jac_at(s, k->c, stage)[e];
    }
    return sum;
}

/* ------------------------------------------------------------------------------------ the sweep */

ZW_CLONES static double largest(int n, const double *Q, const double *V, double by) {
    double most = 0;
    for (int i = 0; i < n; i++) { /* what is no number is larger than all */
        double q = fabs(Q[i]), v = fabs(V[i]) * by;
        most = q <= most ? most : q;
        most = v <= most ? most : v;
    }
    return most;
}

/* multipliers by the steps of a level; ZW_RETRY: not so */
static zw_status go_round(zw_sweep *s, int number, const double *x, zw_sweep_result *out,
                          zw_error *err) {
    ZW_TRY(zw_sweep_make_level(s, number, err));
    const zw_sweep_level *l = &s->level[number];
    int n = s->n, width = s->width;
    double w = s->p->w, H = 2 * M_PI / (w * l->intervals);
    memset(s->Q, 0, sizeof(double) * (size_t)(n * width));
    memset(s->V, 0, sizeof(double) * (size_t)(n * width));
    for (int i = 0; i < n; i++) { /* velocities count by w: then all entries are of one size */
        s->Q[i * width + i] = 1;
        s->V[i * width + n + i] = w;
    }
    out->trace = s->stiff = 0;
    for (int group = 0; group < l->intervals / LANES; group++) {
        evaluate_stages(s, l, group, x);
        if (s->nblock > s->nlink) /* what elimination fills up */
            memset(s->block, 0, sizeof(double) * (size_t)(s->nblock * BLOCK));
        for (int i = 0; i < s->nlink; i++)
            put_block(s, &s->link[i], H);
        if (n > 1 && !zw_sweep_factor(s))
            return ZW_RETRY;
        out->trace += integrate_divergence(s, H);
        s->stiff = fmax(s->stiff, stiffness(s) * H * H * l->intervals * l->intervals);
        if (n == 1 && !zw_sweep_step_one(s, H))
            return ZW_RETRY;
        if (n == FEW)
            zw_sweep_step_two(s, H);
        for (int lane = 0; n > FEW && lane < LANES; lane++)
            zw_sweep_step(s, lane, H);
        if (!(largest(n * width, s->Q, s->V, 1 / w) < GROWN))
            return ZW_RETRY;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 2 * n; j++) {
            s->A[i * 2 * n + j] = s->Q[i * width + j];
            s->A[(n + i) * 2 * n + j] = s->V[i * width + j] / w;
        }
    if (!zw_spectrum(2 * n, s->A, out->re, out->im, s->work))
        return ZW_RETRY;
    out->sum = 0;
    for (int i = 0; i < 2 * n; i++)
        out->sum += 0.5 * log(out->re[i] * out->re[i] + out->im[i] * out->im[i]);
    return ZW_OK;
}

static double size_of(const zw_sweep_result *r, int i) {
    return sqrt(r->re[i] * r->re[i] + r->im[i] * r->im[i]);
}

/* of every multiplier the distance to that of the other result, into s->error; the largest,
 * relative */
static double compare_multipliers(zw_sweep *s, const zw_sweep_result *fine,
                                  const zw_sweep_result *rough) {
    int n = 2 * s->n;
    double most = 0;
    memset(s->taken, 0, sizeof(bool) * (size_t)n);
    for (int j = 0; j < n; j++) {
        int best = -1;
        double least = INFINITY;
        for (int i = 0; i < n; i++) {
            double re = fine->re[j] - rough->re[i], im = fine->im[j] - rough->im[i],
                   away = re * re + im * im;
            if (!s->taken[i] && away < least) {
                least = away;
                best = i;
            }
        }
        if (best < 0)
            return INFINITY;
        s->taken[best] = true;
        s->error[j] = sqrt(least);
        most = fmax(most, s->error[j] / fmax(1, size_of(fine, j)));
    }
    return most;
}

/* is a multiplier near the circle? */
static bool is_close(const zw_sweep *s, const zw_sweep_result *r) {
    for (int i = 0; i < 2 * s->n; i++)
        if (fabs(size_of(r, i) - 1) < NEAR)
            return true;
    return false;
}

/* the product of all, which the divergence knows */
static bool is_wrong(const zw_sweep *s, const zw_sweep_result *r) {
    double allowed = 1e-9 * s->n;
    for (int i = 0; i < 2 * s->n; i++)
        allowed += 10 * (s->error[i] + ROUNDING) / fmax(size_of(r, i), DBL_MIN);
    return fabs(r->sum - r->trace) > allowed; /* not if there is no trace */
}

/* of the present level, by what was measured at a motion before */
static double expected_error(const zw_sweep *s) {
    double ratio = s->stiff_then > 0 ? s->stiff / s->stiff_then : 1;
    return s->measured * pow(fmax(ratio, 1), STAGES + 0.5);
}

static void enlarge_errors(zw_sweep *s, const zw_sweep_result *r) {
    int n = 2 * s->n;
    for (int i = 0; i < n; i++) {
        double apart = INFINITY, size = fmax(1, size_of(r, i)),
               all = SAFETY * fmax(expected_error(s), ROUNDING);
        for (int j = 0; j < n; j++) {
            double re = r->re[i] - r->re[j], im = r->im[i] - r->im[j];
            apart = i == j ? apart : fmin(apart, re * re + im * im);
        }
        apart = sqrt(apart);
        s->error[i] = size * fmin(sqrt(all), all * fmax(1, APART * size / fmax(apart, DBL_MIN)));
    }
}

static void report_floquet(zw_sweep *s, const zw_sweep_result *r, int intervals, zw_floquet *out) {
    int n = 2 * s->n;
    bool inside = true;
    *out = (zw_floquet){.nx = n,
                        .n = n,
                        .period = 2 * M_PI / s->p->w,
                        .re = r->re,
                        .im = r->im,
                        .error = s->error,
                        .exponent = s->exponent,
                        .angle = s->angle,
                        .trivial = -1,
                        .liouville = fabs(r->sum - r->trace),
                        .intervals = intervals,
                        .chunks = 1};
    for (int i = 0; i < n; i++) {
        double size = size_of(r, i), band = MARGIN + s->error[i];
        out->accuracy = fmax(out->accuracy, s->error[i] / fmax(1, size));
        out->outside += size > 1 + band;
        inside &= size < 1 - band;
        s->exponent[i] = log(fmax(size, DBL_MIN)) / out->period;
        s->angle[i] = atan2(r->im[i], r->re[i]) / out->period;
    }
    out->verdict = out->outside ? ZW_FLOQUET_UNSTABLE
                   : inside     ? ZW_FLOQUET_STABLE
                                : ZW_FLOQUET_UNDECIDED;
}

/* from half the steps, already in s->half, to as many as the tolerance asks for: the last two are
 * compared */
static zw_status measure_error(zw_sweep *s, int from, const double *x, double tolerance,
                               zw_floquet *out, zw_error *err) {
    double before = INFINITY;
    for (int number = from + 1; number < LEVELS; number++) {
        zw_status status = go_round(s, number, x, &s->full, err);
        if (status != ZW_OK)
            return status;
        double error = compare_multipliers(s, &s->full, &s->half);
        /* where it does not fall as it should, rounding is what is left: of two that are nearly
         * one, its root */
        double enough = number + 1 < LEVELS ? tolerance : fmax(tolerance, LAST);
        if (SAFETY * error <= enough || (error < ROUGH && error > STALLED * before)) {
            s->measured = fmin(error, tolerance / SAFETY);
            s->now = number - 1;
            s->since = 0;
            s->stiff_then = s->stiff;
            if (is_wrong(s, &s->full))
                return ZW_RETRY;
            report_floquet(s, &s->full, s->level[number].intervals, out);
            return ZW_OK;
        }
        before = error;
        zw_sweep_result keep = s->half;
        s->half = s->full;
        s->full = keep;
    }
    return ZW_RETRY;
}

static zw_status find_multipliers(zw_sweep *s, const double *x, double tolerance, double close,
                                  zw_floquet *out, zw_error *err) {
    bool due = s->measured < 0 || s->since >= EVERY;
    /* much better than asked for: half the steps may do, which measuring tells */
    if (due && s->now > 0 && s->measured >= 0 && s->measured * 65536 < tolerance)
        s->now--;
    zw_status status = go_round(s, s->now, x, &s->half, err);
    if (status != ZW_OK)
        return status;
    s->since++;
    if (is_close(s, &s->half)) { /* what is known of the neighbours stays as it is */
        int number = s->now, since = due ? EVERY : s->since;
        double measured = s->measured, then = s->stiff_then;
        status = measure_error(s, number, x, close, out, err);
        s->now = number;
        s->since = since;
        s->measured = measured;
        s->stiff_then = then;
        return status;
    }
    if (due || SAFETY * expected_error(s) > tolerance)
        return measure_error(s, s->now, x, tolerance, out, err);
    enlarge_errors(s, &s->half);
    if (is_wrong(s, &s->half))
        return measure_error(s, s->now, x, tolerance, out, err);
    report_floquet(s, &s->half, s->level[s->now].intervals, out);
    return ZW_OK;
}

zw_status zw_sweep_multipliers(zw_sweep *s, const double *x, double tolerance, double close,
                               zw_floquet *out, zw_error *err) {
    if (s->resting > 0) {
        s->resting--;
        return ZW_RETRY;
    }
    zw_status status = find_multipliers(s, x, tolerance, close, out, err);
    if (status == ZW_RETRY) { /* not for some time */
        s->resting = REST;
        s->now = 0;
        s->measured = -1;
    }
    return status;
}
