/* SPDX-License-Identifier: MIT */
/* Properties of an orbit in segments: multipliers, distances from grazing, measures of quantities
 * over a period.
 *
 * A disturbance (dx, dm) at the end of a segment moves the event by dt = -(sigma_x dx + sigma_m
 * dm)/(sigma_t + sigma_x f-), and becomes
 *
 *     dx+ = R_x dx + R_m dm + (R_x f- + R_t - f+) dt,
 *     dm+ = (the same of the memory, without f+). */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "motion/floquet/floquet.h"
#include "motion/segments/periodic.h"
#include "segmented.h"

/* Relative to the largest value of an event function over the orbit: a function that is smaller on
 * a whole segment is kept at zero by a constraint. */
#define FUNCTION_ZERO ZW_ROUNDOFF_SOLVED
/* Relative to the size of the memory: influence of disturbances that is round-off. */
#define MEMORY_ROUNDOFF ZW_ROUNDOFF_SOLVED
/* Margin of multipliers from the unit circle within which stability is undecided: that of shooting
 * (motion/segments/periodic.h). */
#define STABILITY_MARGIN 1e-6

/* ---------------------------------------------------------------------------------- multipliers */

/* takes Z (nz x c), disturbances at the beginning of segment k, to the beginning of the next one */
static zw_status carry_disturbances(zw_segmented *h, int k, bool second, int c, double *Z,
                                    double *scratch, zw_error *err) {
    const zw_segmented_piece *q = &h->piece[k], *next = &h->piece[(k + 1) % h->K];
    const double *Y = second ? q->Y2 : q->Y, *D = second ? q->D2 : q->D;
    int n = q->n + h->npar, nx = h->nx, inputs = 2 + h->nz;
    bool event = h->segment[k].event >= 0;
    double rate = D[0], *end = scratch, *after = end + h->nz;
    for (int i = 0; i < nx; i++)
        rate += D[1 + i] * q->to[i];
    if (event && rate == 0)
        return zw_fail(err, ZW_E_SINGULAR,
                       "an event function only touches zero (grazing) at t = %.10g", q->t + q->tau);
    for (int j = 0; j < c; j++) {
        for (int i = 0; i < nx; i++) {
            end[i] = 0;
            for (int l = 0; l < h->nm; l++)
                end[i] += Y[i * n + q->n + l] * Z[(nx + l) * c + j];
        }
        for (int a = 0; a < q->n; a++) {
            double along = 0;
            for (int i = 0; i < nx; i++)
                along += q->T[i * q->n + a] * Z[i * c + j];
            for (int i = 0; i < nx; i++)
                end[i] += Y[i * n + a] * along;
        }
        for (int l = 0; l < h->nm; l++)
            end[nx + l] = Z[(nx + l) * c + j];
        double later = 0;
        for (int i = 0; event && i < h->nz; i++)
            later -= D[1 + i] * end[i] / rate;
        for (int r = 0; r < h->nz; r++) {
            const double *row = D + (size_t)((1 + r) * inputs);
            double flow = row[0], own = 0;
            for (int i = 0; i < nx; i++)
                flow += row[1 + i] * q->to[i];
            for (int i = 0; i < h->nz; i++)
                own += row[1 + i] * end[i];
            bool drifts = k == h->K - 1 && r < nx && !h->essential[r];
            after[r] = drifts ? 0 : own + (flow - (r < nx ? next->from[r] : 0)) * later;
        }
        for (int r = 0; r < h->nz; r++)
            Z[r * c + j] = after[r];
    }
    return ZW_OK;
}

/* M (n x n) with respect to the basis T (nx x nt) at the beginning and the memory */
static zw_status map_period(zw_segmented *h, bool second, int nt, const double *T, double *M,
                            double *Z, double *scratch, zw_error *err) {
    int c = nt + h->nm;
    memset(Z, 0, sizeof(double) * (size_t)(h->nz * c));
    for (int i = 0; i < h->nx; i++)
        for (int j = 0; j < nt; j++)
            Z[i * c + j] = T[i * nt + j];
    for (int l = 0; l < h->nm; l++)
        Z[(h->nx + l) * c + nt + l] = 1;
    for (int k = 0; k < h->K; k++)
        ZW_TRY(carry_disturbances(h, k, second, c, Z, scratch, err));
    for (int j = 0; j < c; j++) {
        for (int i = 0; i < nt; i++) {
            M[i * c + j] = 0;
            for (int r = 0; r < h->nx; r++)
                M[i * c + j] += T[r * nt + i] * Z[r * c + j];
        }
        for (int l = 0; l < h->nm; l++)
            M[(nt + l) * c + j] = Z[(h->nx + l) * c + j];
    }
    return ZW_OK;
}

/* Is the memory at the end independent of the beginning? Then it contributes no multipliers other
 * than zero. */
static bool is_memory_independent(const zw_segmented *h, int nt, const double *M) {
    int c = nt + h->nm;
    for (int l = 0; l < h->nm; l++)
        for (int j = 0; j < c; j++)
            if (fabs(M[(nt + l) * c + j]) * (j < nt ? 1 : h->memory_scale[j - nt]) >
                MEMORY_ROUNDOFF * h->memory_scale[l])
                return false;
    return true;
}

static void cut_block(int n, int c, double *M) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            M[i * n + j] = M[i * c + j];
}

static zw_status find_multipliers(zw_segmented *h, zw_arena *work, const double *unknown,
                                  zw_floquet *out, zw_error *err) {
    int nx = h->nx, nt, c;
    double *T = ZW_NEW(work, double, nx *nx + 1), *M = ZW_NEW(work, double, 2 * h->nz * h->nz + 1),
           *Z = ZW_NEW(work, double, h->nz * h->nz + 1),
           *scratch = ZW_NEW(work, double, 2 * h->nz + 1),
           *wide = ZW_NEW(work, double, nx * h->nz + 1);
    if (work->failed)
        return zw_out_of_memory(err, NULL);
    double *M2 = M + (size_t)(h->nz * h->nz);
    zw_variation basis = {.nx = nx, .essential = h->essential};
    ZW_TRY(zw_segmented_prepare(h, unknown, h->known_a, 0, err));
    ZW_TRY(
        zw_variation_basis(&basis, work, h->leg.beside, h->piece[0].t, h->piece[0].x, &nt, T, err));
    ZW_TRY(map_period(h, false, nt, T, M, Z, scratch, err));
    ZW_TRY(map_period(h, true, nt, T, M2, Z, scratch, err));
    c = nt + h->nm;
    if (h->nm && is_memory_independent(h, nt, M)) {
        cut_block(nt, c, M);
        cut_block(nt, c, M2);
        c = nt;
    }
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < c; j++)
            wide[i * c + j] = j < nt ? T[i * nt + j] : 0;
    const zw_variation fine = {.nx = nx, .n = c, .A = M, .nchunk = 1},
                       other = {.nx = nx, .n = c, .A = M2, .nchunk = 1};
    const zw_floquet_judging how = {.period = zw_segmented_period(h, unknown),
                                    .margin = STABILITY_MARGIN,
                                    .autonomous = !h->driven,
                                    .T = wide,
                                    .jumps = NAN};
    return zw_floquet_fill(out, &h->arena.alloc, &fine, &other, &how, err);
}

zw_status zw_segmented_multipliers(zw_segmented *h, const double *unknown, double a,
                                   zw_floquet *out, zw_error *err) {
    zw_arena work;
    *out = (zw_floquet){0};
    zw_status status = zw_segmented_go_round(h, unknown, a, true, err);
    if (status == ZW_RETRY)
        return zw_fail(err, ZW_E_NUMERIC, "a segment of the orbit has no duration");
    ZW_TRY(status);
    zw_arena_init(&work, &h->arena.alloc);
    status = find_multipliers(h, &work, unknown, out, err);
    zw_arena_clear(&work);
    return status;
}

/* -------------------------------------------------------------------------------------- margins */

zw_status zw_segmented_run_again(zw_segmented *h, const double *unknown, double a, int k,
                                 zw_error *err) {
    zw_segmented_piece *q = &h->piece[k];
    ZW_TRY(zw_segmented_prepare(h, unknown, a, k, err));
    h->leg.trail = h->leg.check = NULL;
    if (!(q->tau > 0))
        return ZW_OK; /* it has no motion */
    return zw_segmented_leg_run(&h->leg, q->t, q->x, q->t + q->tau, h->leg.x, err);
}

/* integrates the segments once more, with what is recorded along them */
static zw_status run_again(zw_segmented *h, const double *unknown, double a, int k,
                           zw_segmented_watch *watch, zw_record *record, zw_error *err) {
    h->leg.watch = watch;
    h->leg.record = record;
    if (record) {
        zw_run *run = h->o.run(h->o.self, h->segment[k].stage);
        record->flow = zw_run_flow(run);
        record->k = zw_flow_kernel(record->flow);
    }
    zw_status status = zw_segmented_run_again(h, unknown, a, k, err);
    h->leg.watch = NULL;
    h->leg.record = NULL;
    return status;
}

static zw_status watch_all(zw_segmented *h, zw_arena *work, const double *unknown, double a,
                           zw_segmented_margins *out, zw_error *err) {
    int n = h->o.watch ? h->o.nwatch : 0;
    zw_segmented_watch w = {.function = h->o.watch, .self = h->o.self};
    double *least = ZW_NEW(work, double, 2 * h->K * n + 1), *most = ZW_NEW(work, double, n + 1);
    if (work->failed)
        return zw_out_of_memory(err, NULL);
    double *own_most = least + h->K * n;
    ZW_TRY(zw_segmented_watch_init(&w, work, h->nx, n, err));
    for (int k = 0; n && k < h->K; k++) {
        w.stage = h->segment[k].stage;
        zw_segmented_watch_begin(&w);
        ZW_TRY(run_again(h, unknown, a, k, &w, NULL, err));
        for (int i = 0; i < n; i++) {
            most[i] = fmax(most[i], w.most[i]);
            own_most[k * n + i] = w.most[i];
            least[k * n + i] =
                w.most[i] > 0
                    ? w.most[i] * zw_segmented_watch_least(&w, i, w.most[i], i >= h->o.nloose)
                    : NAN;
        }
    }
    for (int i = 0; i < n; i++)
        if (most[i] > 0)
            out->misfit = fmax(out->misfit, w.misfit[i] / most[i]);
    for (int k = 0; k < h->K; k++)
        for (int i = 0; i < n; i++) {
            double own = least[k * n + i] / most[i];
            if (own_most[k * n + i] < FUNCTION_ZERO * most[i])
                continue; /* a constraint keeps it at zero */
            if (!isnan(own) && !(own >= out->clearance)) {
                out->clearance = own;
                out->clearance_segment = k;
                out->clearance_event = i;
            }
        }
    return ZW_OK;
}

/* the slope of sigma at the end of segment k in the direction of its crossing, relative to its
 * terms */
static double crossing_of(const zw_segmented *h, int k) {
    const zw_segmented_piece *q = &h->piece[k];
    double rate = q->D[0], size = fabs(rate);
    for (int i = 0; i < h->nx; i++) {
        rate += q->D[1 + i] * q->to[i];
        size += fabs(q->D[1 + i]) * h->scale[i] / h->options.duration;
    }
    return h->segment[k].direction * rate / size;
}

static zw_status find_slack(zw_segmented *h, const double *unknown, double a,
                            zw_segmented_margins *out, zw_error *err) {
    for (int k = 0; h->o.slack && k < h->K; k++) {
        const zw_segmented_piece *q = &h->piece[k];
        double own = NAN;
        if (h->segment[k].event >= 0)
            ZW_TRY(h->o.slack(h->o.self, k, h->segment[k].stage, h->segment[k].event,
                              h->segment[(k + 1) % h->K].stage, q->t + q->tau, q->end,
                              unknown + zw_segmented_at(h, k) + h->nx, a, &own, err));
        if (!isnan(own) && !(own >= out->slack)) {
            out->slack = own;
            out->slack_segment = k;
        }
    }
    return ZW_OK;
}

zw_status zw_segmented_margin(zw_segmented *h, const double *unknown, double a,
                              zw_segmented_margins *out, zw_error *err) {
    zw_arena work;
    *out = (zw_segmented_margins){.crossing = NAN, .clearance = NAN, .shortest = NAN, .slack = NAN};
    zw_status status = zw_segmented_go_round(h, unknown, a, false, err);
    if (status == ZW_RETRY)
        return zw_fail(err, ZW_E_NUMERIC, "a segment of the orbit has no duration");
    ZW_TRY(status);
    ZW_TRY(find_slack(h, unknown, a, out, err));
    for (int k = 0; k < h->K; k++) {
        double part = h->piece[k].tau / zw_segmented_period(h, unknown);
        if (h->segment[k].event >= 0 && !(crossing_of(h, k) >= out->crossing)) {
            out->crossing = crossing_of(h, k);
            out->crossing_segment = k;
        }
        if (h->K > 1 && !(part >= out->shortest)) {
            out->shortest = part;
            out->shortest_segment = k;
        }
    }
    zw_arena_init(&work, &h->arena.alloc);
    status = watch_all(h, &work, unknown, a, out, err);
    zw_arena_clear(&work);
    return status;
}

/* ------------------------------------------------------------------------------------- measures */

static zw_status allocate_measures(const zw_segmented *h, const zw_kernel *k, int harmonics,
                                   zw_shooting *s, zw_error *err) {
    zw_arena arena;
    zw_arena_init(&arena, &h->arena.alloc);
    zw_shooting_memory *memory = ZW_NEW(&arena, zw_shooting_memory, 1);
    int n = h->nx + k->nobs + 3;
    *s = (zw_shooting){.nx = h->nx, .nquantity = n - 1, .harmonics = harmonics};
    s->mean = ZW_NEW(&arena, double, 4 * n);
    s->cosine = ZW_NEW(&arena, double, 2 * n * (harmonics + 1));
    s->x = ZW_NEW(&arena, double, h->nx + 1);
    s->drift = ZW_NEW(&arena, double, n);
    if (arena.failed) {
        zw_arena_clear(&arena);
        return zw_out_of_memory(err, NULL);
    }
    s->rms = s->mean + n;
    s->max = s->rms + n;
    s->min = s->max + n;
    s->sine = s->cosine + (size_t)(n * (harmonics + 1));
    memory->arena = arena;
    s->memory = memory;
    return ZW_OK;
}

/* The change of the quantities over a period: turns, drifts of entries that need not come back, and
 * changes of observables of either. The state after the period is that of its beginning with these
 * changes, so that jumps at its end do not count. */
static zw_status find_drift(zw_segmented *h, zw_arena *work, const double *unknown, double a,
                            const zw_shooting *s, double *drift, zw_error *err) {
    const double *end = h->piece[h->K - 1].end;
    int nx = h->nx, n = s->nquantity;
    double *from = ZW_NEW(work, double, 2 * n + 1), *to = from + n;
    if (work->failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < nx; i++) {
        from[i] = h->piece[0].x[i];
        drift[i] = h->essential[i] ? h->turn[i] : end[i] - from[i];
        to[i] = (h->essential[i] ? h->sign[i] : 1) * from[i] + drift[i];
    }
    ZW_TRY(zw_segmented_prepare(h, unknown, a, 0, err));
    ZW_TRY(zw_flow_observables(h->leg.flow, s->start, from, from + nx, err));
    ZW_TRY(zw_flow_observables(h->leg.flow, s->start + s->period, to, to + nx, err));
    for (int i = nx; i < n; i++)
        drift[i] = to[i] - from[i];
    return ZW_OK;
}

zw_status zw_segmented_measure(zw_segmented *h, const double *unknown, double a, int harmonics,
                               zw_shooting *out, zw_error *err) {
    zw_record record;
    zw_arena work;
    *out = (zw_shooting){0};
    zw_status status = zw_segmented_go_round(h, unknown, a, false, err);
    if (status == ZW_RETRY)
        return zw_fail(err, ZW_E_NUMERIC, "a segment of the orbit has no duration");
    ZW_TRY(status);
    ZW_TRY(allocate_measures(h, h->leg.k, harmonics, out, err));
    out->start = h->piece[0].t;
    out->period = zw_segmented_period(h, unknown);
    memcpy(out->x, unknown, sizeof(double) * (size_t)h->nx);
    zw_arena_init(&work, &h->arena.alloc);
    status = zw_record_init(&record, &work, out, h->leg.k, h->leg.flow, err);
    record.drift = out->drift;
    if (status >= 0)
        status = find_drift(h, &work, unknown, a, out, out->drift, err);
    for (int k = 0; k < h->K && status >= 0; k++)
        status = run_again(h, unknown, a, k, NULL, &record, err);
    if (status >= 0)
        zw_record_end(&record);
    else
        zw_shooting_clear(out);
    zw_arena_clear(&work);
    return status;
}

zw_status zw_segmented_state_at(zw_segmented *h, const double *unknown, double a, double t,
                                double *x, double *memory, int *stage, zw_error *err) {
    zw_status status = zw_segmented_go_round(h, unknown, a, false, err);
    if (status == ZW_RETRY)
        return zw_fail(err, ZW_E_NUMERIC, "a segment of the orbit has no duration");
    ZW_TRY(status);
    int k = 0;
    while (k + 1 < h->K && t >= h->piece[k + 1].t)
        k++;
    const zw_segmented_piece *q = &h->piece[k];
    ZW_TRY(zw_segmented_prepare(h, unknown, a, k, err));
    h->leg.trail = h->leg.check = NULL;
    if (memory)
        memcpy(memory, unknown + zw_segmented_at(h, k) + h->nx, sizeof(double) * (size_t)h->nm);
    *stage = h->segment[k].stage;
    if (!(t > q->t)) {
        memcpy(x, q->x, sizeof(double) * (size_t)h->nx);
        return ZW_OK;
    }
    return zw_segmented_leg_run(&h->leg, q->t, q->x, t, x, err);
}
