/* SPDX-License-Identifier: MIT */
/* Explicit Runge-Kutta pairs on the generated kernel (the formulas: rk_tableau.h).
 *
 * The solution of higher order is continued (local extrapolation). After the error test a step is
 * projected onto the constraints; the rate at its end and the dense output are those of the
 * projected state.
 *
 * A decay faster than the motion keeps the steps at the limit of stability, for any tolerance. It
 * is detected as in Hairer and Wanner (1996, IV.2): the last stage and y1 belong to the same time,
 * and |k_end - k_last| / |y1 - last stage| is a lower bound of the Lipschitz constant in the
 * direction that has grown most in the stages. If h times it is near the limit in STIFF_STEPS
 * steps, another method is recommended.
 *
 * Rates and states are stored in blocks of BLOCK numbers, padded with zeros: the sums over the
 * stages run block by block in registers. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "num/internal.h"
#include "onestep.h"
#include "rk_tableau.h"
#include "step_polynomial.h"

/* STIFF_STEPS, SMOOTH_STEPS: steps at the limit of stability that show stiffness, and others that
 * refute it, as in Hairer and Wanner's code DOPRI5. */
enum { BLOCK = 4, HERMITE = 3, STIFF_STEPS = 15, SMOOTH_STEPS = 6 };

/* the entries of a row of the tableau that are not zero */
typedef struct terms {
    int n;
    int stage[ZW_RK_ROWS];
    double weight[ZW_RK_ROWS];
} terms;

typedef struct rk {
    size_t bytes;
    const zw_rk_tableau *table;
    terms a[ZW_RK_ROWS], e, d[ZW_RK_DENSE];
    int n; /* ny, rounded up to whole blocks */

    double h; /* length of the next step */
    zw_num_tolerance tol;
    zw_num_control control;
    bool moved;          /* y1 is the beginning of the next step */
    bool has_dense;      /* r belongs to the last step */
    int stiff, smooth;   /* numbers of steps at the limit of stability, and of others */
    double *y0, *y1;     /* n: both ends of the last step */
    double *stage, *sum; /* n: scratch */
    double *k;           /* rows x n: rates of the last step */
    double *land;        /* (stages + 1) x n: rates of a step to land */
    double *r;           /* (HERMITE + ndense) x n: dense output */
    long rhs_calls, error_fails;
} rk;

/* ---- sums over stages ---- */

static inline void sum_block(const terms *w, const double *k, int n, double *restrict sum) {
    for (int j = 0; j < w->n; j++) {
        const double *restrict kj = k + w->stage[j] * n;
        double weight = w->weight[j];
        for (int l = 0; l < BLOCK; l++)
            sum[l] += weight * kj[l];
    }
}

/* out = y + h sum_j w_j k_j */
static void combine_stages(const rk *s, const double *y, double h, const terms *w, const double *k,
                           double *restrict out) {
    for (int i = 0; i < s->n; i += BLOCK) {
        double sum[BLOCK] = {0};
        sum_block(w, k + i, s->n, sum);
        for (int l = 0; l < BLOCK; l++)
            out[i + l] = y[i + l] + h * sum[l];
    }
}

/* out = h sum_j w_j k_j */
static void weigh_stages(const rk *s, double h, const terms *w, const double *k,
                         double *restrict out) {
    for (int i = 0; i < s->n; i += BLOCK) {
        double sum[BLOCK] = {0};
        sum_block(w, k + i, s->n, sum);
        for (int l = 0; l < BLOCK; l++)
            out[i + l] = h * sum[l];
    }
}

/* ---- lifecycle ---- */

static int in_blocks(int n) {
    return (n + BLOCK - 1) / BLOCK * BLOCK;
}

static terms pack_terms(const double *row) {
    terms w = {0};
    for (int j = 0; j < ZW_RK_ROWS; j++) {
        if (row[j] == 0)
            continue;
        w.stage[w.n] = j;
        w.weight[w.n++] = row[j];
    }
    return w;
}

/* number of doubles after the struct, for n entries of y */
static size_t array_size(const zw_rk_tableau *table, int n) {
    int rows = 4 + table->rows + table->stages + 1 + HERMITE + table->ndense;
    return (size_t)rows * (size_t)n;
}

static zw_status create_rk(zw_run *run, const zw_rk_tableau *table, zw_error *err) {
    size_t bytes = sizeof(rk) + sizeof(double) * array_size(table, in_blocks(run->k->nx));
    rk *s = run->stepper = zw_allocate(&run->alloc, bytes);
    if (!s)
        return zw_out_of_memory(err, "a run");
    s->bytes = bytes;
    s->table = table;
    for (int i = 0; i < table->rows; i++)
        s->a[i] = pack_terms(table->a[i]);
    for (int i = 0; i < table->ndense; i++)
        s->d[i] = pack_terms(table->d[i]);
    s->e = pack_terms(table->e);
    return ZW_OK;
}

static zw_status create_54(zw_run *run, zw_error *err) {
    return create_rk(run, &zw_rk_54, err);
}

static zw_status create_87(zw_run *run, zw_error *err) {
    return create_rk(run, &zw_rk_87, err);
}

static void destroy_rk(zw_run *run) {
    rk *s = run->stepper;
    run->stepper = NULL;
    if (s)
        zw_release(&run->alloc, s, s->bytes);
}

/* arrays of n entries each, with zeros at the end of the last block */
static void slice_arrays(rk *s, int n) {
    double *at = (double *)(s + 1);
    memset(at, 0, sizeof(double) * array_size(s->table, n));
    s->n = n;
    s->y0 = at, at += n;
    s->y1 = at, at += n;
    s->stage = at, at += n;
    s->sum = at, at += n;
    s->k = at, at += s->table->rows * n;
    s->land = at, at += (s->table->stages + 1) * n;
    s->r = at;
}

static zw_status begin_rk(zw_run *run, zw_error *err) {
    rk *s = run->stepper;
    slice_arrays(s, in_blocks(run->ny));
    s->tol = (zw_num_tolerance){run->options.rtol, run->options.atol};
    s->control = (zw_num_control){0};
    s->moved = s->has_dense = false;
    s->stiff = s->smooth = 0;
    s->rhs_calls = s->error_fails = 0;
    memcpy(s->y0, run->y, sizeof(double) * (size_t)run->ny);
    if (zw_num_onestep_rate(run, run->now, s->y0, s->k, &s->rhs_calls) < 0)
        return zw_num_pass_on(&run->trouble, err);
    return ZW_OK;
}

static zw_status start_rk(zw_run *run, zw_error *err) {
    rk *s = run->stepper;
    ZW_TRY(begin_rk(run, err));
    s->h = zw_num_onestep_first(run, s->y0, s->k, s->table->embedded + 1, s->tol, s->stage, s->sum,
                                &s->rhs_calls);
    return ZW_OK;
}

/* the length of the steps is not changed */
static zw_status reverse_direction(zw_run *run, zw_error *err) {
    return begin_rk(run, err);
}

/* ---- a step ---- */

/* The rates 1 to stages - 1 and y1 of a step of length h from (t, y0), whose first rate has been
 * computed. */
static zw_status make_stages(zw_run *run, double t, double h, double *k, double *y1) {
    rk *s = run->stepper;
    const zw_rk_tableau *table = s->table;
    for (int i = 1; i < table->stages; i++) {
        combine_stages(s, s->y0, h, &s->a[i], k, s->stage);
        ZW_TRY(
            zw_num_onestep_rate(run, t + table->c[i] * h, s->stage, k + i * s->n, &s->rhs_calls));
    }
    combine_stages(s, s->y0, h, &s->a[table->stages], k, y1);
    return ZW_OK;
}

/* The error of a step to t1, INFINITY if a rate does not exist. */
static double attempt_step(zw_run *run, double t1) {
    rk *s = run->stepper;
    const zw_rk_tableau *table = s->table;
    double h = t1 - run->now;
    if (make_stages(run, run->now, h, s->k, s->y1) < 0)
        return INFINITY;
    if (table->e[table->stages] != 0 &&
        zw_num_onestep_rate(run, t1, s->y1, s->k + table->stages * s->n, &s->rhs_calls) < 0)
        return INFINITY;
    weigh_stages(s, h, &s->e, s->k, s->sum);
    return zw_num_onestep_norm(run->ny, s->sum, s->y0, s->y1, s->tol);
}

/* Projects the end of a step onto the constraints; computes the rate there. */
static zw_status finish_step(zw_run *run, double t1) {
    rk *s = run->stepper;
    const zw_rk_tableau *table = s->table;
    bool drifts = zw_num_drifts(run);
    zw_num_forget(run);
    if (drifts)
        ZW_TRY(zw_num_settle(run, t1, s->y1, &run->trouble));
    if (drifts || table->e[table->stages] == 0)
        ZW_TRY(zw_num_onestep_rate(run, t1, s->y1, s->k + table->stages * s->n, &s->rhs_calls));
    return ZW_OK;
}

/* Is |h lambda| beyond the limit, for the direction in which the last stage, still in s->stage,
 * differs from y1? */
static bool is_at_the_bound(const zw_run *run, double h) {
    const rk *s = run->stepper;
    const double *end = s->k + s->table->stages * s->n, *last = end - s->n;
    double rates = 0, states = 0, bound = s->table->stable / h;
    for (int i = 0; i < s->n; i++) {
        double k = end[i] - last[i], y = s->y1[i] - s->stage[i];
        rates += k * k;
        states += y * y;
    }
    return rates > bound * bound * states && states > 0;
}

static const char bound_by_stability[] = "the steps are bound by stability, not by accuracy: the "
                                         "motion is stiff, use --method radau or bdf";

static void watch_stability(zw_run *run, double h) {
    rk *s = run->stepper;
    if (is_at_the_bound(run, h)) {
        s->smooth = 0;
        if (++s->stiff == STIFF_STEPS)
            run->info.why = run->advice = bound_by_stability;
    } else if (s->stiff > 0 && ++s->smooth == SMOOTH_STEPS) {
        s->stiff = 0;
    }
}

/* the end of the last step is the beginning of the next one */
static void move_on(rk *s) {
    size_t bytes = sizeof(double) * (size_t)s->n;
    memcpy(s->y0, s->y1, bytes);
    memcpy(s->k, s->k + s->table->stages * s->n, bytes);
    s->moved = s->has_dense = false;
}

static zw_status step_rk(zw_run *run, zw_error *err) {
    rk *s = run->stepper;
    int order = s->table->embedded + 1;
    if (s->moved)
        move_on(s);
    double t1, h, wanted;
    for (;;) {
        wanted = s->h; /* a stop may allow less */
        t1 = zw_num_onestep_end(run, wanted);
        h = t1 - run->now;
        if (zw_num_onestep_vanishes(run->now, h))
            return zw_num_give_up(run, run->now, "the error test keeps failing", err);
        double error = attempt_step(run, t1);
        if (error <= 1 && finish_step(run, t1) < 0)
            error = INFINITY;
        if (error <= 1) {
            double next = fabs(h) * zw_num_onestep_accepted(&s->control, error, order);
            s->h = t1 == zw_method_stop(run) ? fmax(next, wanted) : next;
            break;
        }
        s->error_fails++;
        s->h = fabs(h) * zw_num_onestep_rejected(&s->control, error, order);
    }
    watch_stability(run, h);
    s->moved = true;
    zw_method_moved(run, t1);
    memcpy(run->y, s->y1, sizeof(double) * (size_t)run->ny);
    return ZW_OK;
}

/* ---- states within the last step ---- */

/* the rates of the dense output and its coefficients */
static zw_status make_dense(zw_run *run) {
    rk *s = run->stepper;
    const zw_rk_tableau *table = s->table;
    int n = s->n;
    double h = run->reached - run->before;
    for (int i = table->stages + 1; i < table->rows; i++) {
        combine_stages(s, s->y0, h, &s->a[i], s->k, s->stage);
        ZW_TRY(zw_num_onestep_rate(run, run->before + table->c[i] * h, s->stage, s->k + i * n,
                                   &s->rhs_calls));
    }
    const double *first = s->k, *end = s->k + table->stages * n;
    double *r1 = s->r, *r2 = r1 + n, *r3 = r2 + n;
    for (int i = 0; i < n; i++) {
        r1[i] = s->y1[i] - s->y0[i];
        r2[i] = h * first[i] - r1[i];
        r3[i] = r1[i] - h * end[i] - r2[i];
    }
    for (int m = 0; m < table->ndense; m++)
        weigh_stages(s, h, &s->d[m], s->k, s->r + (HERMITE + m) * n);
    s->has_dense = true;
    return ZW_OK;
}

static zw_status evaluate_dense(zw_run *run, double t, double *y, zw_error *err) {
    rk *s = run->stepper;
    if (!s->moved) { /* no step yet */
        memcpy(y, s->y0, sizeof(double) * (size_t)run->ny);
        return ZW_OK;
    }
    if (!s->has_dense && make_dense(run) < 0)
        return zw_num_pass_on(&run->trouble, err);
    double theta = (t - run->before) / (run->reached - run->before), factor[] = {theta, 1 - theta};
    int last = HERMITE + s->table->ndense - 1;
    for (int i = 0; i < run->ny; i++) {
        double value = 0;
        for (int m = last; m >= 0; m--)
            value = factor[m % 2] * (s->r[m * s->n + i] + value);
        y[i] = s->y0[i] + value;
    }
    return ZW_OK;
}

static zw_status dense_polynomial(zw_run *run, int *degree, double *c, zw_error *err) {
    rk *s = run->stepper;
    int last = HERMITE + s->table->ndense - 1, ny = run->ny;
    if (!s->has_dense && make_dense(run) < 0)
        return zw_num_pass_on(&run->trouble, err);
    memset(c, 0, sizeof(double) * (size_t)ny);
    for (int m = last; m >= 0; m--) {
        zw_num_poly_plus(ny, s->r + m * s->n, c);
        zw_num_poly_times(ny, last - m, 0.5, m % 2 ? -0.5 : 0.5, c);
    }
    zw_num_poly_plus(ny, s->y0, c);
    *degree = last + 1;
    return ZW_OK;
}

static zw_status step_to_time(zw_run *run, double t, double *y, zw_error *err) {
    rk *s = run->stepper;
    memcpy(s->land, s->k, sizeof(double) * (size_t)s->n);
    if (make_stages(run, run->before, t - run->before, s->land, s->sum) < 0)
        return zw_num_pass_on(&run->trouble, err);
    memcpy(y, s->sum, sizeof(double) * (size_t)run->ny);
    return zw_num_settle(run, t, y, err);
}

static void collect_statistics(const zw_run *run, zw_run_info *info) {
    const rk *s = run->stepper;
    info->rhs_calls += s->rhs_calls;
    info->error_fails += s->error_fails;
}

const zw_method zw_num_rk54 = {
    .name = "rk54",
    .title = "Runge-Kutta 5(4)",
    .about = "explicit, order 5 (Dormand and Prince): loose tolerances, many events",
    .traits = ZW_TRAIT_PLAIN_MEMORY,
    .create = create_54,
    .destroy = destroy_rk,
    .start = start_rk,
    .turn = reverse_direction,
    .step = step_rk,
    .dense = evaluate_dense,
    .land = step_to_time,
    .statistics = collect_statistics,
    .polynomial = dense_polynomial,
};

const zw_method zw_num_rk87 = {
    .name = "rk87",
    .title = "Runge-Kutta 8(7)",
    .about = "explicit, order 8 (Prince and Dormand): smooth motion at tight tolerances",
    .traits = ZW_TRAIT_PLAIN_MEMORY,
    .create = create_87,
    .destroy = destroy_rk,
    .start = start_rk,
    .turn = reverse_direction,
    .step = step_rk,
    .dense = evaluate_dense,
    .land = step_to_time,
    .statistics = collect_statistics,
    .polynomial = dense_polynomial,
};
