/* SPDX-License-Identifier: MIT */
/* Disturbances of a motion obey M y'' + C y' + K y = 0 with the derivatives of the equations along
 * it. A step of length H is Gauss collocation with m stages for equations of second order; unknowns
 * are the accelerations A_i at its points,
 *
 *     y_i = y + c_i H y' + H^2 sum_l abar_il A_l,     y'_i = y' + H sum_l a_il A_l,
 *     M A_i + C_i y'_i + K_i y_i = 0,
 *
 * so that there is a block of m x m numbers for every pair of coupled coordinates: eliminated by
 * blocks in an order of minimum degree, eight steps in parallel. The columns of the fundamental
 * matrix then pass from step to step, in parallel as well. The order is 2 m.
 *
 * The error is the difference from the result with half the steps, and determines the number of
 * steps. It is measured at the first motion, at every twenty-fifth, and where a multiplier is close
 * to the unit circle. In between the last measured error is multiplied by four, and by the factor
 * (H^2 k)^(m + 1/2) with the largest k = K_ii/M_ii along the motion, as for an oscillator; if that
 * exceeds the tolerance, the error is measured again. (Conservation of volume alone is not enough:
 * Gauss's methods are symplectic and conserve it however large their error is. Where M is constant
 * it is checked as an alarm.)
 *
 * Multipliers that are close to each other are sensitive: their errors are enlarged by the
 * distance. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "base/vector_targets.h"
#include "num/linear/linalg.h"
#include "num/linear/spectrum.h"
#include "sweep_private.h"

/* factor of an error that was measured at a neighbouring motion; the motions of a branch change
 * little from one to the next */
#define ERROR_SAFETY 4
/* size of a column: beyond it the product of all steps loses more than four digits, and
 * zwang/periodic.h divides it */
#define COLUMN_GROWTH 1e4
/* distance of a multiplier from the unit circle at which a bifurcation may be close: the error is
 * then measured with the tolerance for bifurcations */
#define NEAR_CIRCLE 1e-3
/* distance of two multipliers below which their sensitivity counts: an error of the matrix is
 * enlarged by its inverse */
#define MULTIPLIERS_CLOSE 1e-2
/* distance from the unit circle that decides nothing, as in zwang/periodic.h */
#define DECISION_MARGIN 1e-6
/* error relative to that with half the steps, which should be 1/4096: more means that rounding is
 * reached */
#define ERROR_STALLED 0.1
/* error that may be rounding, of two nearly equal multipliers: the root of 1e-12 */
#define ERROR_ROUNDING 1e-6
#define LAST_LEVEL_TOLERANCE 1e-9 /* error that is accepted with the largest number of steps */
/* per degree of freedom: allowed difference between the sum of the exponents and the integrated
 * divergence, the errors of both being far smaller (ZW_ROUNDOFF_SOLVED) */
#define LIOUVILLE_EACH 1e-9
/* tolerance relative to the measured error: half the steps lose a factor 4096, and 16 remain */
#define HALVE_STEPS_AT 65536

/* -------------------------------------------------------------------------------- the equations */

/* evaluates states and derivatives at all stages of the eight steps of a group */
static void evaluate_stages(zw_sweep *s, const zw_sweep_level *l, int group, const double *x) {
    const zw_period *p = s->p;
    const zw_kernel *k = p->kernel;
    int points = STAGES * l->intervals, from = group * STAGES * LANES;
    for (int i = 0; i < s->n; i++)
        for (int stage = 0; stage < STAGES; stage++) {
            size_t of = (size_t)(from + stage * LANES);
            double *state = s->x + (size_t)((stage * k->nx + i) * LANES);
            /* one group of the table at a time: its rows have `points` entries */
            zw_fourier_move_group(
                &p->fourier, x + (size_t)(i * p->fourier.n), p->w, points, l->cosine + of,
                l->sine + of, state, state + (size_t)(k->nq * LANES),
                s->mass_varies ? s->z + (size_t)((stage * k->nz + i) * LANES) : NULL);
        }
    double factor = 1 / p->w;
    for (int i = 0; i < STAGES * LANES; i++)
        s->t[i] = l->tau[from + i] * factor;
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
            double factor = s->mass_varies ? 0 : 1 / fabs(M[0]);
            for (int e = 0; e < LANES; e++) {
                double ratio = fabs(K[e]) * (factor > 0 ? factor : 1 / fabs(M[e]));
                most = ratio > most ? ratio : most;
            }
        }
    }
    return most;
}

/* the block of a link: M on its diagonal, H a C + H^2 abar K */
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

/* M^-1 in s->inverse, unless it is known already */
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
         i++) /* M is symmetric, or its inverse is transposed: rows are solutions */
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
        /* entry (column, row) of the inverse, whose columns are stored one after another */
        double factor = k->c < 0 ? 0 : s->inverse[k->row * n + k->column];
        for (int stage = 0; factor != 0 && stage < STAGES; stage++)
            for (int e = 0; e < LANES; e++)
                sum -= H * s->b[stage] * factor * jac_at(s, k->c, stage)[e];
    }
    return sum;
}

/* ------------------------------------------------------------------------------------ the sweep */

ZW_CLONES static double largest_entry(int n, const double *Q, const double *V, double factor) {
    double most = 0;
    for (int i = 0; i < n; i++) { /* NaN counts as larger than all */
        double q = fabs(Q[i]), v = fabs(V[i]) * factor;
        most = q <= most ? most : q;
        most = v <= most ? most : v;
    }
    return most;
}

/* multipliers by the steps of a level; ZW_RETRY: they cannot be computed by a sweep */
static zw_status integrate_period(zw_sweep *s, int number, const double *x, zw_sweep_result *out,
                                  zw_error *err) {
    ZW_TRY(zw_sweep_make_level(s, number, err));
    const zw_sweep_level *l = &s->level[number];
    int n = s->n, width = s->width;
    double w = s->p->w, H = 2 * M_PI / (w * l->intervals);
    memset(s->Q, 0, sizeof(double) * (size_t)(n * width));
    memset(s->V, 0, sizeof(double) * (size_t)(n * width));
    /* velocities are in units of w: then all entries are of one size */
    for (int i = 0; i < n; i++) {
        s->Q[i * width + i] = 1;
        s->V[i * width + n + i] = w;
    }
    out->trace = s->stiff = 0;
    for (int group = 0; group < l->intervals / LANES; group++) {
        evaluate_stages(s, l, group, x);
        if (s->nblock > s->nlink) /* blocks that elimination fills */
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
        if (!(largest_entry(n * width, s->Q, s->V, 1 / w) < COLUMN_GROWTH))
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

static double multiplier_size(const zw_sweep_result *r, int i) {
    return sqrt(r->re[i] * r->re[i] + r->im[i] * r->im[i]);
}

/* the distance of every multiplier from that of the other result, in s->error; returns the largest,
 * relative */
static double compare_multipliers(zw_sweep *s, const zw_sweep_result *fine,
                                  const zw_sweep_result *coarse) {
    int n = 2 * s->n;
    double most = 0;
    memset(s->taken, 0, sizeof(bool) * (size_t)n);
    for (int j = 0; j < n; j++) {
        int best = -1;
        double least = INFINITY;
        for (int i = 0; i < n; i++) {
            double re = fine->re[j] - coarse->re[i], im = fine->im[j] - coarse->im[i],
                   square = re * re + im * im;
            if (!s->taken[i] && square < least) {
                least = square;
                best = i;
            }
        }
        if (best < 0)
            return INFINITY;
        s->taken[best] = true;
        s->error[j] = sqrt(least);
        most = fmax(most, s->error[j] / fmax(1, multiplier_size(fine, j)));
    }
    return most;
}

/* Is a multiplier near the unit circle? */
static bool is_near_circle(const zw_sweep *s, const zw_sweep_result *r) {
    for (int i = 0; i < 2 * s->n; i++)
        if (fabs(multiplier_size(r, i) - 1) < NEAR_CIRCLE)
            return true;
    return false;
}

/* Does the product of all multipliers differ from the integrated divergence? */
static bool violates_liouville(const zw_sweep *s, const zw_sweep_result *r) {
    double allowed = LIOUVILLE_EACH * s->n;
    for (int i = 0; i < 2 * s->n; i++)
        allowed += 10 * (s->error[i] + ZW_ROUNDOFF_VALUE) / fmax(multiplier_size(r, i), DBL_MIN);
    return fabs(r->sum - r->trace) > allowed; /* false without a trace (NaN) */
}

/* the error of the level in use, from the one measured at an earlier motion */
static double expected_error(const zw_sweep *s) {
    double ratio = s->stiff_measured > 0 ? s->stiff / s->stiff_measured : 1;
    return s->measured * pow(fmax(ratio, 1), STAGES + 0.5);
}

static void estimate_errors(zw_sweep *s, const zw_sweep_result *r) {
    int n = 2 * s->n;
    for (int i = 0; i < n; i++) {
        double distance = INFINITY, size = fmax(1, multiplier_size(r, i)),
               all = ERROR_SAFETY * fmax(expected_error(s), ZW_ROUNDOFF_VALUE);
        for (int j = 0; j < n; j++) {
            double re = r->re[i] - r->re[j], im = r->im[i] - r->im[j];
            distance = i == j ? distance : fmin(distance, re * re + im * im);
        }
        distance = sqrt(distance);
        s->error[i] =
            size *
            fmin(sqrt(all), all * fmax(1, MULTIPLIERS_CLOSE * size / fmax(distance, DBL_MIN)));
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
        double size = multiplier_size(r, i), band = DECISION_MARGIN + s->error[i];
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

/* From half the steps, whose result is in s->half, to the number that the tolerance needs: the last
 * two results are compared. */
static zw_status measure_error(zw_sweep *s, int from, const double *x, double tolerance,
                               zw_floquet *out, zw_error *err) {
    double previous = INFINITY;
    for (int number = from + 1; number < LEVELS; number++) {
        zw_status status = integrate_period(s, number, x, &s->full, err);
        if (status != ZW_OK)
            return status;
        double error = compare_multipliers(s, &s->full, &s->half);
        /* where the error does not fall as it should, it is rounding: for two nearly equal
         * multipliers the root of it */
        double enough = number + 1 < LEVELS ? tolerance : fmax(tolerance, LAST_LEVEL_TOLERANCE);
        if (ERROR_SAFETY * error <= enough ||
            (error < ERROR_ROUNDING && error > ERROR_STALLED * previous)) {
            s->measured = fmin(error, tolerance / ERROR_SAFETY);
            s->level_in_use = number - 1;
            s->motions_since_measured = 0;
            s->stiff_measured = s->stiff;
            if (violates_liouville(s, &s->full))
                return ZW_RETRY;
            report_floquet(s, &s->full, s->level[number].intervals, out);
            return ZW_OK;
        }
        previous = error;
        zw_sweep_result swap = s->half;
        s->half = s->full;
        s->full = swap;
    }
    return ZW_RETRY;
}

static zw_status find_multipliers(zw_sweep *s, const double *x, double tolerance, double close,
                                  zw_floquet *out, zw_error *err) {
    bool due = s->measured < 0 || s->motions_since_measured >= MEASURE_EVERY;
    /* much better than needed: half the steps may suffice, which the measurement decides */
    if (due && s->level_in_use > 0 && s->measured >= 0 && s->measured * HALVE_STEPS_AT < tolerance)
        s->level_in_use--;
    zw_status status = integrate_period(s, s->level_in_use, x, &s->half, err);
    if (status != ZW_OK)
        return status;
    s->motions_since_measured++;
    /* the state of the measurements is restored: it belongs to motions away from the circle */
    if (is_near_circle(s, &s->half)) {
        int number = s->level_in_use,
            motions_since_measured = due ? MEASURE_EVERY : s->motions_since_measured;
        double measured = s->measured, stiff_before = s->stiff_measured;
        status = measure_error(s, number, x, close, out, err);
        s->level_in_use = number;
        s->motions_since_measured = motions_since_measured;
        s->measured = measured;
        s->stiff_measured = stiff_before;
        return status;
    }
    if (due || ERROR_SAFETY * expected_error(s) > tolerance)
        return measure_error(s, s->level_in_use, x, tolerance, out, err);
    estimate_errors(s, &s->half);
    if (violates_liouville(s, &s->half))
        return measure_error(s, s->level_in_use, x, tolerance, out, err);
    report_floquet(s, &s->half, s->level[s->level_in_use].intervals, out);
    return ZW_OK;
}

zw_status zw_sweep_multipliers(zw_sweep *s, const double *x, double tolerance, double close,
                               zw_floquet *out, zw_error *err) {
    if (s->pause_left > 0) {
        s->pause_left--;
        return ZW_RETRY;
    }
    zw_status status = find_multipliers(s, x, tolerance, close, out, err);
    if (status == ZW_RETRY) { /* not supported for the next PAUSE motions */
        s->pause_left = PAUSE;
        s->level_in_use = 0;
        s->measured = -1;
    }
    return status;
}
