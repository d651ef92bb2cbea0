/* SPDX-License-Identifier: MIT */
/* Steps of Levenberg and Marquardt (J. J. More 1978) on the condensed problem,
 *
 *   min |R z + c|^2 + lambda^2 |D z|^2     with bounds,
 *   D_j = |column j of R|, the largest so far,
 *
 * no longer than a radius, in |D z| of the parameters: at first that of a change by their own
 * values, and RADIUS_GROWTH times the last good step afterwards; parts of a motion are tied by
 * the data, and need none. (A first step that the linear problem alone chooses may lead to where
 * the data no longer determine the parameters, and that is a minimum too.) Steps are judged by
 * the sum of squares with a penalty on the gaps between nodes, 1/2 sum rho + mu sum |gap_i|/s_i
 * (exact for mu large enough; S. P. Han 1977). If a step would pass a bound, the parameter is
 * set to it, and the others are computed again. The iteration ends when an undamped step would
 * change parameters by less than a small part of their standard errors, |R z| < tolerance, and
 * the gaps are as small. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "fit.h"

#define RADIUS_REACHED 0.9 /* of the radius: a step that is as long as that is long enough */
#define PENALTY_MARGIN 1.2 /* times the largest multiplier of the gaps */
/* of the actual decrease to the predicted one: above, the radius is not too large (More) */
#define RATIO_KEEPS 0.25
#define RATIO_GOOD 0.6      /* above, the damping is reduced */
#define RATIO_VERY_GOOD 0.9 /* above, it is reduced by more */

enum {
    /* rejected steps before the iteration ends: the damping has grown by 1e7 */
    REJECTIONS = 18,
    BOUND_TRIES = 40 /* values of the damping for a step of a given length */
};
#define RADIUS_GROWTH 4 /* times the last good step: the next radius */
/* damping of an undamped step: singular values below are not determined (fit_judge.c) */
#define SMALLEST_LAMBDA 1e-9
/* of lambda after a rejected step: small, since in a narrow valley the step depends on its
 * square */
#define DAMPING_GROWTH 2.5
#define LARGEST_LOG_STEP 1.5 /* of a logarithm: a change of a parameter by a factor of 4.5 */
#define LOCAL_STEP 1         /* standard errors */
/* ratio to the previous step: undamped steps converge; with large residuals they need not */
#define CONVERGING 0.7
#define LOOSE_PROGRESS 0.01 /* of the cost: loose parts are near enough */
#define LARGEST_ROUNDED 0.1 /* standard errors: a last step that is round-off may not be longer */
/* of the cost: the least change that differs from round-off and the errors of the integration */
#define COST_ROUNDOFF 1e-9
/* first trial of lambda: it shortens only directions that are hardly determined */
#define FIRST_DAMPING 1e-6
#define SIZE_OF_ENTRY 1e-3 /* of the largest entry: least size of an entry that stays near zero */
#define SMALLEST_SIZE 1e-9 /* in SI units: if all entries are zero */
#define DAMPING_AFTER_FAILURE 1e-4 /* least lambda after a rejected step: less would repeat it */
#define SUFFICIENT_DECREASE 1e-4   /* of the predicted decrease (Armijo) */
#define COST_ZERO 1e-14            /* a cost of exact data: it cannot decrease any more */
#define FIRST_LAMBDA 1e-3 /* at the start: a nearly undamped step, which the radius limits */

static size_t doubles(int n) {
    return sizeof(double) * (size_t)n;
}

bool zw_fit_asked_to_stop(zw_fit *f, double done) {
    double all = f->progress + f->share * fmin(done, 1);
    f->stopped = f->stopped || (f->options.stop && f->options.stop(f->options.stop_user, all));
    return f->stopped;
}

/* ------------------------------------------------------------------------------------- one step */

/* Bounds of the step of unknown j. */
static void step_bounds(const zw_fit *f, int j, double *low, double *high) {
    *low = -INFINITY;
    *high = INFINITY;
    for (int i = 0; i < f->E; i++) {
        const zw_fit_experiment *e = &f->experiment[i];
        for (int k = 0; k < f->P; k++) {
            const zw_fit_param *p = &f->param[k];
            if (zw_fit_unknown(f, e, k) != j)
                continue;
            double v = e->value[k];
            if (p->is_held || f->norm[j] < ZW_FIT_IDLE) {
                *low = *high = 0;
            } else if (p->is_log) {
                *low = fmax(p->low > 0 ? log(p->low / v) : -INFINITY, -LARGEST_LOG_STEP);
                *high = fmin(log(p->high / v), LARGEST_LOG_STEP);
            } else {
                *low = (p->low - v) / p->scale;
                *high = (p->high - v) / p->scale;
            }
            return;
        }
    }
}

/* The step with the `fixed` unknowns at their values in z; scratch: (N + 1)^2. */
static void solve_step(const zw_fit *f, double lambda, const bool *fixed, double *z,
                       double *scratch) {
    int N = f->N, n = N + 1;
    double d[N + 1];
    memset(scratch, 0, doubles(n * n));
    for (int i = 0; i < N; i++) {
        double c = f->c[i];
        for (int j = i; j < N; j++) {
            if (fixed[j])
                c += f->R[i * N + j] * z[j];
            else
                scratch[i * n + j] = f->R[i * N + j];
        }
        scratch[i * n + N] = c;
        d[i] = fixed[i] ? 0 : f->norm[i] > 0 ? f->norm[i] : 1;
    }
    /* A fixed column is zero: its row must be added to the others. */
    double *whole = scratch + n * n;
    memcpy(whole, scratch, doubles(n * n));
    memset(scratch, 0, doubles(n * n));
    for (int i = 0; i < N; i++)
        zw_fit_absorb(n, scratch, 1, whole + i * n);
    for (int k = 0; k < f->nopen; k++) {
        memset(whole, 0, doubles(n));
        for (int j = 0; j < N; j++)
            whole[fixed[j] ? N : j] += f->open[k * N + j] * (fixed[j] ? z[j] : 1);
        zw_fit_absorb(n, scratch, 1, whole);
    }
    zw_fit_damp(n, scratch, lambda, d);
    for (int i = N - 1; i >= 0; i--) {
        if (fixed[i])
            continue;
        double sum = -scratch[i * n + N];
        for (int j = i + 1; j < N; j++)
            if (!fixed[j])
                sum -= scratch[i * n + j] * z[j];
        z[i] = scratch[i * n + i] != 0 ? sum / scratch[i * n + i] : 0;
    }
}

/* A step within the bounds; returns |R z|. */
double zw_fit_find_step(zw_fit *f, double lambda, double *z, double *scratch) {
    int N = f->N;
    bool fixed[N + 1];
    double low, high;
    for (int j = 0; j < N; j++) {
        fixed[j] = false;
        z[j] = 0;
        step_bounds(f, j, &low, &high);
        fixed[j] = low == 0 && high == 0;
    }
    for (int round = 0; round <= N; round++) {
        solve_step(f, lambda, fixed, z, scratch);
        int worst = -1;
        double most = ZW_ROUNDOFF_SUM, to = 0;
        for (int j = 0; j < N; j++) {
            if (fixed[j])
                continue;
            step_bounds(f, j, &low, &high);
            double over = z[j] < low ? low - z[j] : z[j] > high ? z[j] - high : 0;
            if (over > most) {
                most = over;
                worst = j;
                to = z[j] < low ? low : high;
            }
        }
        if (worst < 0)
            break;
        fixed[worst] = true;
        z[worst] = to;
    }
    double length = 0;
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = i; j < N; j++)
            sum += f->R[i * N + j] * z[j];
        length += sum * sum;
    }
    return sqrt(length);
}

/* |D z| of the parameters alone: states are led by the data, and their steps are short without a
 * bound. */
static double length_of(const zw_fit *f, const double *z) {
    double sum = 0;
    for (int j = f->N - zw_fit_parameters(f); j < f->N; j++)
        sum += f->norm[j] * f->norm[j] * z[j] * z[j];
    return sqrt(sum);
}

/* The step with the smallest lambda, f->lambda or more, that is not longer than the radius, to a
 * tenth. */
static void find_bounded_step(zw_fit *f, double *scratch) {
    double low = f->lambda, high = INFINITY;
    zw_fit_find_step(f, low, f->step, scratch);
    double length = length_of(f, f->step);
    for (int k = 0; k < BOUND_TRIES && (length > f->radius ||
                                        (high < INFINITY && length < RADIUS_REACHED * f->radius));
         k++) {
        *(length > f->radius ? &low : &high) = f->lambda;
        f->lambda = high < INFINITY ? sqrt(low * high) : fmax(10 * low, FIRST_DAMPING);
        zw_fit_find_step(f, f->lambda, f->step, scratch);
        length = length_of(f, f->step);
    }
}

/* 1/2 |R z + c|^2 plus the constant part. */
static double predicted_cost(const zw_fit *f, const double *z) {
    double cost = f->rest;
    for (int i = 0; i < f->N; i++) {
        double sum = f->c[i];
        for (int j = i; j < f->N; j++)
            sum += f->R[i * f->N + j] * z[j];
        cost += sum * sum;
    }
    return cost / 2;
}

/* 1/2 sum w r^2, whose linear model is `predicted`. */
static double weighted_cost(const zw_fit *f) {
    double cost = 0;
    for (int i = 0; i < f->E; i++) {
        const zw_fit_experiment *e = &f->experiment[i];
        for (int k = 0; k < e->nrow * f->nq; k++)
            if (!isnan(e->y[k])) {
                double r = (e->h[k] - e->y[k]) / zw_fit_sigma(f, e, k / f->nq, k % f->nq);
                cost += zw_fit_weight(f, r) * r * r / 2;
            }
    }
    return cost + zw_fit_prior_squares(f, false) / 2;
}

/* ------------------------------------------------------------------------------------- the gaps */

static void find_sizes(zw_fit *f) {
    double most = 0;
    for (int r = 0; r < f->nx; r++) {
        for (int i = 0; i < f->E; i++)
            for (int k = 0; k < f->experiment[i].K; k++)
                f->scale_x[r] = fmax(f->scale_x[r], fabs(f->experiment[i].node[k].x[r]));
        most = fmax(most, f->scale_x[r]);
    }
    for (int r = 0; r < f->nx; r++)
        f->scale_x[r] = fmax(f->scale_x[r], fmax(SIZE_OF_ENTRY * most, SMALLEST_SIZE));
}

static double gap_sum(const zw_fit *f) {
    double sum = 0;
    if (f->is_loose)
        return 0;
    for (int i = 0; i < f->E; i++)
        for (int k = 0; k + 1 < f->experiment[i].K; k++)
            for (int r = 0; r < f->nx; r++)
                sum += fabs(f->experiment[i].node[k].gap[r]) / f->scale_x[r];
    return sum;
}

/* Residual of a number after a node, changed by the step, to first order. */
static double residual_after(const zw_fit *f, const zw_fit_experiment *e, const zw_fit_node *node,
                             int cell, const double *y, const double *dp, const double *D) {
    double h = e->h[cell] - e->y[cell];
    for (int c = 0; c < node->n; c++)
        h += D[c] * y[c];
    for (int j = 0; j < f->P; j++)
        h += D[node->n + j] * dp[j];
    return h / zw_fit_sigma(f, e, cell / f->nq, cell % f->nq);
}

/* Directions of a node and changes of parameters by the step z. */
void zw_fit_follow_step(const zw_fit *f, const zw_fit_experiment *e, const zw_fit_node *node,
                        const double *z, double *y, double *dp) {
    int size = node->n0 + f->P;
    for (int c = 0; c < node->n; c++) {
        y[c] = node->w[c];
        for (int s = 0; s < node->n0; s++)
            y[c] += node->W[c * size + s] * z[node->first + s];
        for (int j = 0; j < f->P; j++)
            y[c] += node->W[c * size + node->n0 + j] * z[zw_fit_unknown(f, e, j)];
    }
    for (int j = 0; j < f->P; j++) {
        const zw_fit_param *p = &f->param[j];
        dp[j] = z[zw_fit_unknown(f, e, j)] * (p->is_log ? e->value[j] : p->scale);
    }
}

/* nu (of the node after) becomes that of node k: its rows, and the continuation. */
static void advance_multiplier(const zw_fit *f, const zw_fit_experiment *e, int k, const double *z,
                               double *nu) {
    const zw_fit_node *node = &e->node[k], *next = node + 1;
    int nx = f->nx, P = f->P, last = k + 1 < e->K ? next->row : e->nrow;
    double own[nx + 1], along[nx + 1], y[nx + 1], dp[P + 1];
    memset(own, 0, sizeof own);
    memset(along, 0, sizeof along);
    for (int r = 0; r < nx && k + 1 < e->K; r++) {
        for (int c = 0; c < next->n; c++)
            along[r] += next->T[r * next->n + c] * nu[c];
        for (int c = 0; c < node->n; c++)
            own[c] += node->Y[r * (node->n + P) + c] * along[r];
    }
    zw_fit_follow_step(f, e, node, z, y, dp);
    for (int cell = node->row * f->nq; cell < last * f->nq; cell++) {
        if (isnan(e->y[cell]))
            continue;
        const double *D = e->D + (size_t)cell * (size_t)(nx + P);
        double sigma = zw_fit_sigma(f, e, cell / f->nq, cell % f->nq);
        double weight = zw_fit_weight(f, (e->h[cell] - e->y[cell]) / sigma);
        double r = weight * residual_after(f, e, node, cell, y, dp, D) / sigma;
        for (int c = 0; c < node->n; c++)
            own[c] += r * D[c];
    }
    memcpy(nu, own, sizeof own);
}

/* The multipliers of the gaps at the end of the step z, from the last node back. The penalty must
 * exceed all of them. */
static void raise_penalty(zw_fit *f, const double *z) {
    double most = 0, nu[f->nx + 1];
    for (int i = 0; i < f->E; i++) {
        const zw_fit_experiment *e = &f->experiment[i];
        memset(nu, 0, sizeof nu);
        for (int k = e->K - 1; k >= 1; k--) {
            const zw_fit_node *node = &e->node[k];
            advance_multiplier(f, e, k, z, nu);
            for (int r = 0; r < f->nx; r++) {
                double entry = 0;
                for (int c = 0; c < node->n; c++)
                    entry += node->T[r * node->n + c] * nu[c];
                most = fmax(most, fabs(entry) * f->scale_x[r]);
            }
        }
    }
    if (f->sigma_gap < PENALTY_MARGIN * most)
        f->sigma_gap = 2 * most;
}

/* ---- trial steps ---- */

zw_status zw_fit_go(zw_fit *f, const double *z, double part, zw_error *err) {
    int nx = f->nx;
    bool fixed[nx + 1];
    for (int i = 0; i < f->E; i++) {
        zw_fit_experiment *e = &f->experiment[i];
        for (int j = 0; j < f->P; j++) {
            const zw_fit_param *p = &f->param[j];
            double step = part * z[zw_fit_unknown(f, e, j)];
            double v = p->is_log ? e->value[j] * exp(step) : e->value[j] + step * p->scale;
            e->tried[j] = p->is_held ? e->value[j] : fmin(fmax(v, p->low), p->high);
        }
        ZW_TRY(zw_fit_set_parameters(f, e, e->tried, err));
        for (int k = 0; k < e->K; k++) {
            zw_fit_node *node = &e->node[k];
            for (int r = 0; r < nx; r++)
                node->try[r] = node->x[r] + part * node->step[r];
            bool start = k == 0 && !f->all_free;
            if (start) {
                double there[nx + 1];
                ZW_TRY(zw_fit_model_start(f, e, e->tried, there, err));
                for (int r = 0; r < nx; r++) {
                    fixed[r] = !f->state_free[r];
                    if (fixed[r])
                        node->try[r] = there[r];
                }
                ZW_TRY(zw_fit_set_parameters(f, e, e->tried, err));
            }
            ZW_TRY(zw_flow_project(f->second_flow, node->t, node->try, start ? fixed : NULL, err));
        }
    }
    return ZW_OK;
}

static void swap(double **a, double **b) {
    double *c = *a;
    *a = *b;
    *b = c;
}

static void accept_trial(zw_fit *f) {
    for (int i = 0; i < f->E; i++) {
        zw_fit_experiment *e = &f->experiment[i];
        memcpy(e->value, e->tried, doubles(f->P));
        for (int k = 0; k < e->K; k++)
            swap(&e->node[k].x, &e->node[k].try);
    }
}

static zw_status all_motions(zw_fit *f, bool tried, bool derivatives, zw_error *err) {
    for (int i = 0; i < f->nstage; i++) {
        zw_sim_singular *s = &f->stage[i]->singular;
        s->quiet = tried || !derivatives;
        if (!s->quiet)
            s->text[0] = '\0';
    }
    for (int i = 0; i < f->E; i++)
        ZW_TRY(zw_fit_motion(f, &f->experiment[i], tried, derivatives, err));
    return ZW_OK;
}

/* The merit a part of the step away; infinite if there is no motion. */
static zw_status try_step(zw_fit *f, const double *z, double part, double *merit, zw_error *err) {
    zw_status status = zw_fit_go(f, z, part, NULL);
    if (status >= 0)
        status = all_motions(f, true, false, NULL);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    *merit = status < 0 ? INFINITY : zw_fit_cost(f, true) + f->sigma_gap * gap_sum(f);
    if (!isfinite(*merit))
        *merit = INFINITY;
    return ZW_OK;
}

/* ---- iteration ---- */

static void find_norms(zw_fit *f) {
    for (int j = 0; j < f->N; j++) {
        double sum = 0;
        for (int i = 0; i <= j; i++)
            sum += f->R[i * f->N + j] * f->R[i * f->N + j];
        f->norm[j] = fmax(f->norm[j], sqrt(sum));
    }
}

/* A change of all parameters by their own values. */
static double first_radius(const zw_fit *f) {
    double sum = 0;
    for (int i = 0; i < f->E; i++)
        for (int j = 0; j < f->P; j++) {
            double x = f->param[j].is_log ? 1 : f->experiment[i].value[j] / f->param[j].scale,
                   length = f->norm[zw_fit_unknown(f, &f->experiment[i], j)] * x;
            if (i == 0 || f->param[j].own)
                sum += length * length;
        }
    return sum > 0 && !f->manner.unbounded_first_step && zw_fit_is_in_one(f) ? sqrt(sum) : INFINITY;
}

/* The length of a last step, in standard errors: less cannot be distinguished from the round-off of
 * the measured and computed values, if the noise is not much larger than that. */
static double tolerance_of(const zw_fit *f) {
    double squares = 0;
    for (int i = 0; i < f->E; i++) {
        const zw_fit_experiment *e = &f->experiment[i];
        for (int k = 0; k < e->nrow * f->nq; k++)
            if (!isnan(e->y[k])) {
                double size = e->y[k] / zw_fit_sigma(f, e, k / f->nq, k % f->nq);
                squares += size * size;
            }
    }
    return fmax(f->options.tolerance, fmin(DBL_EPSILON * sqrt(squares), LARGEST_ROUNDED));
}

/* Directions that no data determine, such as the position on a plane if only angles are measured:
 * their derivatives are round-off, and steps along them would be long without effect. */
static zw_status find_open(zw_fit *f, zw_error *err) {
    double *s, *V, *norm;
    int N = f->N;
    bool *open;
    f->nopen = 0;
    ZW_TRY(zw_fit_decompose(f, &s, &V, &norm, &open, err));
    f->open = V;
    for (int k = 0; k < N; k++) {
        if (!open[k] || !zw_fit_is_of_starts(f, V + (size_t)k * (size_t)N))
            continue; /* of parameters: steps to a minimum need them */
        for (int j = 0; j < N; j++)
            f->open[f->nopen * N + j] = s[0] * norm[j] * V[k * N + j];
        f->nopen++;
    }
    return ZW_OK;
}

/* One accepted step: *done if nothing is left to do, or nothing can be done. */
static zw_status take_step(zw_fit *f, bool *done, zw_error *err) {
    int n = f->N + 1;
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    double *scratch = ZW_NEW(&f->arena, double, 2 * n * n);
    if (!scratch)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(find_open(f, err));
    double left = zw_fit_find_step(f, SMALLEST_LAMBDA, f->step, scratch);
    bool close = left < tolerance_of(f) && f->gap < f->options.tolerance;
    bool accepted = false;
    /* Near the minimum steps are small compared with standard errors, and the penalty would reject
     * good ones because of the second-order gaps (Maratos 1978). */
    bool local = left < LOCAL_STEP && f->gap < LOCAL_STEP &&
                 (!zw_fit_is_in_one(f) || left < CONVERGING * f->left);
    f->left = left;
    double part = 1, now = weighted_cost(f);
    zw_fit_spread(f, f->step);
    if (!f->is_loose)
        raise_penalty(f, f->step);
    double cost = zw_fit_cost(f, false);
    if (local)
        f->lambda = SMALLEST_LAMBDA;
    double merit = cost + f->sigma_gap * gap_sum(f), tried = INFINITY;
    for (int k = 0; k < REJECTIONS && !accepted; k++) {
        find_bounded_step(f, scratch);
        bool bent = true;
        if (f->manner.follows_bends && zw_fit_is_in_one(f) && f->options.loss == ZW_FIT_SQUARES)
            ZW_TRY(zw_fit_bend(f, f->step, scratch, &bent, err));
        if (!bent) {
            f->lambda = fmax(f->lambda * DAMPING_GROWTH, DAMPING_AFTER_FAILURE);
            continue;
        }
        zw_fit_spread(f, f->step);
        double gain = now - predicted_cost(f, f->step) + f->sigma_gap * gap_sum(f);
        zw_status status = try_step(f, f->step, part, &tried, err);
        if (status < 0)
            return status;
        accepted =
            (local && k == 0 && zw_fit_cost(f, true) <= cost + (left + f->gap) * (left + f->gap)) ||
            tried < merit - SUFFICIENT_DECREASE * part * fmax(gain, 0) ||
            (close && tried <= merit * (1 + ZW_ROUNDOFF_SUM) + COST_ZERO);
        double ratio = (merit - tried) / (part * gain), length = length_of(f, f->step);
        f->radius = !accepted             ? length / 2
                    : ratio > RATIO_KEEPS ? fmax(f->radius, RADIUS_GROWTH * length)
                                          : f->radius;
        if (!accepted) {
            f->lambda = fmax(f->lambda * DAMPING_GROWTH, DAMPING_AFTER_FAILURE);
            if (k % 2 && f->gap > f->options.tolerance)
                part /= 2;
        } else if (ratio > RATIO_GOOD) {
            f->lambda =
                fmax(f->lambda / (ratio > RATIO_VERY_GOOD ? 8 : DAMPING_GROWTH), SMALLEST_LAMBDA);
        }
        if (!accepted) /* the gaps were those of the trial */
            ZW_TRY(all_motions(f, false, false, err));
        if (!accepted && zw_fit_asked_to_stop(f, 0))
            break;
    }
    f->nopen = 0;
    zw_arena_release(&f->arena, mark);
    if (accepted) {
        accept_trial(f);
        f->converged = close;
    } else { /* no decrease beyond round-off */
        f->converged = close || (left < sqrt(COST_ROUNDOFF * fmax(merit, 1)) &&
                                 f->gap < 10 * f->options.tolerance);
    }
    f->cost = zw_fit_cost(f, false);
    *done = close || !accepted || (f->is_loose && merit - tried < LOOSE_PROGRESS * merit);
    return ZW_OK;
}

zw_status zw_fit_minimise(zw_fit *f, int most, zw_error *err) {
    bool done = false;
    f->converged = false;
    f->lambda = FIRST_LAMBDA;
    f->sigma_gap = 0;
    f->left = INFINITY;
    memset(f->scale_x, 0, doubles(f->nx));
    zw_status status = all_motions(f, false, true, err);
    if (status < 0)
        return status;
    f->cost = zw_fit_cost(f, false);
    for (int k = 0; k < most && !done; k++) {
        find_sizes(f);
        ZW_TRY(zw_fit_condense(f, false, err));
        if (k == 0 || f->manner.scales_anew)
            memset(f->norm, 0, doubles(f->N));
        find_norms(f);
        if (k == 0)
            f->radius = first_radius(f);
        f->iterations++;
        ZW_TRY(take_step(f, &done, err));
        ZW_TRY(all_motions(f, false, true, err));
        if (!done && zw_fit_asked_to_stop(f, (double)k / most))
            return ZW_STOPPED;
    }
    return ZW_OK;
}
