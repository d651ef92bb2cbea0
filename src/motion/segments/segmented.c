/* SPDX-License-Identifier: MIT */
/* The equations of orbits in segments (motion/segments/periodic.h). With E = (sigma, R) of (t, x, m, a) at
 * the end X of segment k, its derivatives D, and the derivatives of X from the disturbances of the
 * segment,
 *
 *     X_x = Y T',    X_m, X_a = the columns of parameters,    X_tau = f-,    X_t_k = f- - Y T' f_0,
 *
 * T an orthonormal basis of the tangent space of the constraints at its beginning, where x_k is
 * projected onto them, and f_0 the rate there within that space. The rows of segment k are sigma
 * and R - z_k+1; the last row is that of the period of an excitation, sum tau - P(a). The matrix is
 * small and dense. */
#include "segmented.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "branch/curve.h"
#include "motion/segments/periodic.h"
#include "num/linear/linalg.h"

enum { STAGES = 5, CHECK_STAGES = 4 };
/* Relative to the sizes of entries: steps of sixth-order differences of sigma and R, whose error
 * (1e-18) and round-off (eps/1e-3) are below the integration, and of the second accuracy. */
#define DIFFERENCE_STEP 1e-3
#define DIFFERENCE_STEP_CHECK 3e-3
/* Relative to the size of an entry: step of central differences of switching functions in
 * parameters, near eps^(1/3). */
#define SWITCH_STEP 1e-5
/* Relative to the value: the least size of the parameter. */
#define PARAMETER_SIZE 1e-3
/* Relative to the duration of the orbit: segments of other lengths are rejected, so that Newton's
 * method shortens its step; and how far negative durations are continued, beyond the zero
 * of one. */
#define LONGEST 20
#define NEGATIVE_MAX 0.01

void zw_segmented_options_init(zw_segmented_options *options, size_t size) {
    const zw_segmented_options all = {.size = size, .unit = 1, .duration = 1};
    zw_options_begin(options, size, &all, sizeof all);
}

/* ----------------------------------------------------------------------------------------- life */

static void copy_or(double *to, const double *from, int n, double otherwise) {
    for (int i = 0; i < n; i++)
        to[i] = from ? from[i] : otherwise;
}

static zw_status allocate_piece(zw_segmented *h, zw_segmented_piece *q, zw_error *err) {
    zw_arena *m = &h->arena;
    int nx = h->nx, columns = nx + h->npar, rows = 1 + h->nz, inputs = 2 + nx + h->nm;
    q->x = ZW_NEW(m, double, 5 * nx + 1);
    q->T = ZW_NEW(m, double, nx *nx + 1);
    q->Y = ZW_NEW(m, double, 2 * nx * columns + 1);
    q->E = ZW_NEW(m, double, rows);
    q->D = ZW_NEW(m, double, 2 * rows * inputs);
    if (m->failed)
        return zw_out_of_memory(err, NULL);
    q->end = q->x + nx;
    q->from = q->end + nx;
    q->to = q->from + nx;
    q->along = q->to + nx;
    q->Y2 = q->Y + (size_t)(nx * columns);
    q->D2 = q->D + (size_t)(rows * inputs);
    return ZW_OK;
}

static zw_status allocate_arrays(zw_segmented *h, zw_error *err) {
    zw_arena *m = &h->arena;
    const zw_kernel *k = zw_flow_kernel(h->o.flow(h->o.self, h->segment[0].stage));
    int nx = h->nx, n = h->n + 1;
    h->piece = ZW_NEW(m, zw_segmented_piece, h->K);
    h->scale = ZW_NEW(m, double, nx + 1);
    h->memory_scale = ZW_NEW(m, double, h->nm + 1);
    h->sign = ZW_NEW(m, double, nx + 1);
    h->turn = ZW_NEW(m, double, nx + 1);
    h->refer = ZW_NEW(m, double, nx + 1);
    h->essential = ZW_NEW(m, bool, nx + 1);
    h->p = ZW_NEW(m, double, k->np + 1);
    h->E1 = ZW_NEW(m, double, 2 * (1 + h->nz));
    h->shifted = ZW_NEW(m, double, h->nz + 1);
    h->work = ZW_NEW(m, double, 2 * nx + h->nz + 1);
    h->A = ZW_NEW(m, double, (size_t)n *(size_t)n);
    h->b = ZW_NEW(m, double, n);
    h->pivot = ZW_NEW(m, int, n);
    h->known = ZW_NEW(m, double, n);
    h->leg.rate = ZW_NEW(m, double, nx + 1);
    h->leg.x = ZW_NEW(m, double, nx + 1);
    h->leg.steps = ZW_NEW(m, double, h->npar + 1);
    h->basis.essential = ZW_NEW(m, bool, nx + 1);
    int modes = 0, switches = 0;
    for (int i = 0; i < h->K; i++) {
        const zw_kernel *own = zw_flow_kernel(h->o.flow(h->o.self, h->segment[i].stage));
        modes = own->nmode > modes ? own->nmode : modes;
        switches = own->nswitch > switches ? own->nswitch : switches;
    }
    ZW_TRY(zw_rate_jump_init(&h->leg.jump, m, nx, modes, switches, err));
    if (m->failed)
        return zw_out_of_memory(err, NULL);
    h->E2 = h->E1 + 1 + h->nz;
    h->leg.arena = m;
    h->basis.nx = nx;
    for (int i = 0; i < nx; i++)
        h->basis.essential[i] = true;
    for (int i = 0; i < h->K; i++)
        ZW_TRY(allocate_piece(h, &h->piece[i], err));
    ZW_TRY(zw_trail_init(&h->trail, m, nx, nx + h->npar, h->npar, STAGES, err));
    return zw_trail_init(&h->check, m, nx, nx + h->npar, h->npar, CHECK_STAGES, err);
}

static zw_status fill_segments(zw_segmented *h, zw_error *err) {
    const zw_segmented_options *o = &h->options;
    h->nx = h->o.nx;
    h->nm = h->o.nmemory;
    h->nz = h->nx + h->nm;
    h->npar = h->nm + (h->o.follows ? 1 : 0);
    h->K = o->nsegment;
    h->driven = h->o.period != NULL;
    if (h->K < 1 || !(o->duration > 0) || !(o->unit > 0))
        return zw_fail(err, ZW_E_OPTION, "an orbit has one segment at least, and takes its time");
    h->segment = ZW_NEW(&h->arena, zw_segmented_segment, h->K);
    if (!h->segment)
        return zw_out_of_memory(err, NULL);
    memcpy(h->segment, o->segment, sizeof *h->segment * (size_t)h->K);
    h->events = h->segment[0].event >= 0;
    if (!h->events && !h->driven)
        return zw_fail(err, ZW_E_OPTION,
                       "segments without events divide the period of an excitation, and the model "
                       "is not driven");
    h->n = h->K * (h->nz + 1) + (h->driven && h->events ? 1 : 0);
    ZW_TRY(allocate_arrays(h, err));
    copy_or(h->scale, o->scale, h->nx, 1);
    copy_or(h->memory_scale, o->memory_scale, h->nm, 1);
    copy_or(h->sign, o->sign, h->nx, 1);
    copy_or(h->turn, o->turn, h->nx, 0);
    for (int i = 0; i < h->nx; i++)
        h->essential[i] = o->essential ? o->essential[i] : true;
    return ZW_OK;
}

zw_status zw_segmented_create(zw_segmented **out, const zw_segmented_owner *owner,
                              const zw_segmented_options *options, const zw_allocator *alloc,
                              zw_error *err) {
    zw_arena arena;
    zw_arena_init(&arena, alloc);
    zw_segmented *h = ZW_NEW(&arena, zw_segmented, 1);
    *out = NULL;
    if (!h) {
        zw_arena_clear(&arena);
        return zw_out_of_memory(err, NULL);
    }
    h->arena = arena;
    h->o = *owner;
    h->options = zw_segmented_options_default();
    zw_status status =
        zw_options_adopt(&h->options, sizeof h->options, options, "zw_segmented_options", err);
    if (status >= 0)
        status = fill_segments(h, err);
    if (status < 0)
        zw_segmented_destroy(h);
    else
        *out = h;
    return status;
}

void zw_segmented_destroy(zw_segmented *h) {
    if (!h)
        return;
    zw_arena arena = h->arena;
    zw_arena_clear(&arena);
}

double *zw_segmented_state(const zw_segmented *h, double *unknown, int segment) {
    return unknown + zw_segmented_at(h, segment);
}

double *zw_segmented_memory(const zw_segmented *h, double *unknown, int segment) {
    return unknown + zw_segmented_at(h, segment) + h->nx;
}

double *zw_segmented_duration(const zw_segmented *h, double *unknown, int segment) {
    return unknown + zw_segmented_at(h, segment) + h->nz;
}

double *zw_segmented_start(const zw_segmented *h, double *unknown) {
    return h->driven && h->events ? unknown + h->K * (h->nz + 1) : NULL;
}

double zw_segmented_period(const zw_segmented *h, const double *unknown) {
    double sum = 0;
    for (int k = 0; k < h->K; k++)
        sum += unknown[zw_segmented_at(h, k) + h->nz];
    return sum;
}

void zw_segmented_refer(zw_segmented *h, const double *unknown) {
    memcpy(h->refer, unknown, sizeof(double) * (size_t)h->nx);
    h->is_known = false;
}

void zw_segmented_renew(zw_segmented *h) {
    h->is_known = false;
}

/* -------------------------------------------------------------------------- what ends a segment */

zw_status zw_segmented_behind(zw_segmented *h, int k, double t, const double *z, double a,
                              double *E, zw_error *err) {
    const zw_segmented_segment *s = &h->segment[k];
    int next = h->segment[(k + 1) % h->K].stage;
    if (s->event < 0) {
        E[0] = 0;
        memcpy(E + 1, z, sizeof(double) * (size_t)h->nz);
    } else {
        ZW_TRY(h->o.event(h->o.self, s->stage, s->event, t, z, z + h->nx, a, E, err));
        ZW_TRY(h->o.jump(h->o.self, k, s->stage, s->event, next, t, z, z + h->nx, a, E + 1,
                         E + 1 + h->nx, err));
    }
    for (int i = 0; k == h->K - 1 && i < h->nx; i++)
        E[1 + i] = h->essential[i] ? h->sign[i] * (E[1 + i] - h->turn[i]) : h->refer[i];
    return ZW_OK;
}

/* column `input` of D: t, the entries of z, a */
static zw_status difference_column(zw_segmented *h, int k, double t, const double *z, double a,
                                   int input, double step, double *D, zw_error *err) {
    static const double weight[3] = {3. / 4, -3. / 20, 1. / 60};
    int inputs = 2 + h->nz, rows = 1 + h->nz;
    for (int r = 0; r < rows; r++)
        D[r * inputs + input] = 0;
    for (int j = 1; j <= 3; j++) {
        for (int side = 0; side < 2; side++) {
            double by = (side ? -j : j) * step;
            memcpy(h->shifted, z, sizeof(double) * (size_t)h->nz);
            if (input > 0 && input <= h->nz)
                h->shifted[input - 1] += by;
            ZW_TRY(zw_segmented_behind(h, k, input == 0 ? t + by : t, h->shifted,
                                       input == inputs - 1 ? a + by : a, side ? h->E2 : h->E1,
                                       err));
        }
        for (int r = 0; r < rows; r++)
            D[r * inputs + input] += weight[j - 1] * (h->E1[r] - h->E2[r]) / step;
    }
    return ZW_OK;
}

static double size_of(const zw_segmented *h, int input, double a) {
    if (input == 0)
        return h->options.duration;
    if (input <= h->nx)
        return h->scale[input - 1];
    if (input <= h->nz)
        return h->memory_scale[input - 1 - h->nx];
    return fmax(h->options.unit, PARAMETER_SIZE * fabs(a));
}

static zw_status differentiate_all(zw_segmented *h, int k, double t, const double *z, double a,
                                   double apart, double *D, zw_error *err) {
    int inputs = 2 + h->nz;
    memset(D, 0, sizeof(double) * (size_t)(inputs * (1 + h->nz)));
    for (int i = 0; i < inputs; i++) {
        if ((i == 0 && !h->driven) || (i == inputs - 1 && !h->o.follows))
            continue;
        ZW_TRY(difference_column(h, k, t, z, a, i, apart * size_of(h, i, a), D, err));
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- segments */

zw_status zw_segmented_prepare(zw_segmented *h, const double *unknown, double a, int k,
                               zw_error *err) {
    int stage = h->segment[k].stage;
    const double *memory = unknown + zw_segmented_at(h, k) + h->nx;
    ZW_TRY(h->o.parameters(h->o.self, memory, a, h->p, err));
    h->leg.run = h->o.run(h->o.self, stage);
    h->leg.flow = zw_run_flow(h->leg.run);
    h->leg.beside = h->o.flow(h->o.self, stage);
    h->leg.k = zw_flow_kernel(h->leg.flow);
    ZW_TRY(zw_run_set_parameters(h->leg.run, h->p, err));
    ZW_TRY(zw_flow_set_parameters(h->leg.beside, h->p, err));
    h->now_memory = memory;
    h->now_a = a;
    return ZW_OK;
}

/* moves parameter i of the derivatives in the plain flow of the leg */
static zw_status move_parameter(void *self, int i, double by, zw_error *err) {
    zw_segmented *h = self;
    double *memory = h->work + 2 * h->nx;
    memcpy(memory, h->now_memory, sizeof(double) * (size_t)h->nm);
    if (i < h->nm)
        memory[i] += by;
    ZW_TRY(h->o.parameters(h->o.self, memory, i < h->nm ? h->now_a : h->now_a + by, h->p, err));
    return zw_flow_set_parameters(h->leg.beside, h->p, err);
}

/* the derivatives of the projected state in the parameters, in the last columns of Y */
static zw_status move_with_parameters(zw_segmented *h, zw_segmented_piece *q, zw_error *err) {
    int n = q->n + h->npar;
    for (int i = 0; i < h->npar; i++) {
        double step = h->leg.steps[i];
        for (int r = 0; r < h->nx; r++)
            q->Y[r * n + q->n + i] = 0;
        if (zw_flow_levels(h->leg.beside) == 0)
            continue;
        for (int side = 0; side < 2; side++) {
            double *x = h->work + side * h->nx;
            memcpy(x, q->x, sizeof(double) * (size_t)h->nx);
            ZW_TRY(move_parameter(h, i, side ? -step : step, err));
            ZW_TRY(zw_flow_project(h->leg.beside, q->t, x, NULL, err));
        }
        for (int r = 0; r < h->nx; r++)
            q->Y[r * n + q->n + i] = (h->work[r] - h->work[h->nx + r]) / (2 * step);
        ZW_TRY(move_parameter(h, i, 0, err));
    }
    return ZW_OK;
}

/* the beginning of the segment: the state on the constraints, a basis of directions and the rate in
 * it */
static zw_status begin_segment(zw_segmented *h, zw_segmented_piece *q, zw_error *err) {
    ZW_TRY(zw_flow_project(h->leg.beside, q->t, q->x, NULL, err));
    ZW_TRY(zw_variation_basis(&h->basis, &h->arena, h->leg.beside, q->t, q->x, &q->n, q->T, err));
    ZW_TRY(zw_flow_rates(h->leg.beside, q->t, q->x, q->from, NULL, err));
    memcpy(q->along, q->from, sizeof(double) * (size_t)h->nx);
    if (zw_flow_levels(h->leg.beside) > 0)
        ZW_TRY(zw_flow_project_tangent(h->leg.beside, q->t, q->x, q->along, err));
    for (int i = 0; i < h->npar; i++)
        h->leg.steps[i] = SWITCH_STEP * size_of(h, 1 + h->nx + i, h->now_a);
    ZW_TRY(move_with_parameters(h, q, err));
    int n = q->n + h->npar;
    for (int r = 0; r < h->nx; r++)
        for (int c = 0; c < q->n; c++)
            q->Y[r * n + c] = q->T[r * q->n + c];
    return ZW_OK;
}

static zw_status run_segment(zw_segmented *h, int k, double a, bool checked, zw_error *err) {
    zw_segmented_piece *q = &h->piece[k];
    size_t bytes = sizeof(double) * (size_t)(h->nx * (q->n + h->npar));
    h->trail.n = h->check.n = q->n + h->npar;
    memcpy(h->trail.Y, q->Y, bytes);
    memcpy(h->check.Y, q->Y, bytes);
    h->leg.trail = &h->trail;
    h->leg.check = checked ? &h->check : NULL;
    h->leg.record = NULL;
    h->leg.watch = NULL;
    h->leg.nudge = move_parameter;
    h->leg.nudge_self = h;
    h->leg.tangled = false;
    ZW_TRY((q->tau > 0 ? zw_segmented_leg_run : zw_segmented_leg_back)(&h->leg, q->t, q->x,
                                                                       q->t + q->tau, q->end, err));
    if (h->leg.tangled)
        return zw_fail(err, ZW_E_NUMERIC,
                       "rates jump in several ways at once, or without being crossed, near t = "
                       "%.10g: no saltation matrix exists for disturbances",
                       q->t + q->tau);
    memcpy(q->Y, h->trail.Y, bytes);
    memcpy(q->Y2, h->check.Y, bytes);
    (void)a;
    return zw_flow_rates(h->leg.beside, q->t + q->tau, q->end, q->to, NULL, err);
}

zw_status zw_segmented_go_round(zw_segmented *h, const double *unknown, double a, bool checked,
                                zw_error *err) {
    size_t bytes = sizeof(double) * (size_t)h->n;
    bool same = (h->known_a == a || (isnan(a) && isnan(h->known_a))) &&
                memcmp(h->known, unknown, bytes) == 0;
    if (h->is_known && same && (h->is_checked || !checked))
        return ZW_OK;
    h->is_known = false;
    if (h->driven)
        ZW_TRY(h->o.period(h->o.self, a, &h->P, &h->P_slope, err));
    double t = h->driven && h->events ? unknown[h->K * (h->nz + 1)] : 0;
    for (int k = 0; k < h->K; k++) {
        zw_segmented_piece *q = &h->piece[k];
        const double *z = unknown + zw_segmented_at(h, k);
        q->t = t;
        q->tau = z[h->nz];
        if (!(q->tau > -NEGATIVE_MAX * h->options.duration) ||
            !(q->tau < LONGEST * h->options.duration) || !isfinite(t))
            return ZW_RETRY;
        for (int i = 0; i < h->nz; i++)
            if (!isfinite(z[i]))
                return ZW_RETRY;
        memcpy(q->x, z, sizeof(double) * (size_t)h->nx);
        ZW_TRY(zw_segmented_prepare(h, unknown, a, k, err));
        ZW_TRY(begin_segment(h, q, err));
        ZW_TRY(run_segment(h, k, a, checked, err));
        double *at = h->work;
        memcpy(at, q->end, sizeof(double) * (size_t)h->nx);
        memcpy(at + h->nx, z + h->nx, sizeof(double) * (size_t)h->nm);
        t += q->tau;
        ZW_TRY(zw_segmented_behind(h, k, t, at, a, q->E, err));
        ZW_TRY(differentiate_all(h, k, t, at, a, DIFFERENCE_STEP, q->D, err));
        if (checked)
            ZW_TRY(differentiate_all(h, k, t, at, a, DIFFERENCE_STEP_CHECK, q->D2, err));
    }
    memcpy(h->known, unknown, bytes);
    h->known_a = a;
    h->is_known = true;
    h->is_checked = checked;
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------- the problem */

static zw_status evaluate_residual(void *self, const double *unknown, double a, double *r,
                                   zw_error *err) {
    zw_segmented *h = self;
    zw_error trouble = {0};
    zw_status status = zw_segmented_go_round(h, unknown, a, false, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (status != ZW_OK)
        return ZW_RETRY;
    for (int k = 0; k < h->K; k++) {
        const zw_segmented_piece *q = &h->piece[k];
        const double *next = unknown + zw_segmented_at(h, k + 1);
        double *row = r + zw_segmented_at(h, k);
        for (int i = 0; i < h->nz; i++)
            row[i] = q->E[1 + i] - next[i];
        row[h->nz] = h->segment[k].event < 0 ? q->tau - h->P / h->K : q->E[0];
    }
    if (h->driven && h->events)
        r[h->n - 1] = zw_segmented_period(h, unknown) - h->P;
    return ZW_OK;
}

/* D_x v for a vector of the state, in row r */
static double multiply_state(const zw_segmented *h, const double *D, int r, const double *v,
                             int stride) {
    double sum = 0;
    for (int i = 0; i < h->nx; i++)
        sum += D[r * (2 + h->nz) + 1 + i] * v[i * stride];
    return sum;
}

/* the rows of segment k: derivatives in its beginning, its duration, the durations before it, a */
static void put_segment(zw_segmented *h, int k, int size) {
    const zw_segmented_piece *q = &h->piece[k];
    int at = zw_segmented_at(h, k), n = q->n + h->npar, inputs = 2 + h->nz;
    double *shift = h->work; /* f- - Y T' f_0 */
    for (int i = 0; i < h->nx; i++)
        shift[i] = q->to[i];
    for (int c = 0; c < q->n; c++) {
        double along = 0;
        for (int i = 0; i < h->nx; i++)
            along += q->T[i * q->n + c] * q->along[i];
        for (int i = 0; i < h->nx; i++)
            shift[i] -= q->Y[i * n + c] * along;
    }
    for (int r = 0; r <= h->nz; r++) {
        double *row = h->A + (size_t)(at + (r ? r - 1 : h->nz)) * (size_t)size;
        if (r == 0 && h->segment[k].event < 0) {
            row[at + h->nz] = 1;
            row[size - 1] = -h->P_slope / h->K;
            continue;
        }
        for (int c = 0; c < q->n; c++) {
            double own = multiply_state(h, q->D, r, q->Y + c, n);
            for (int i = 0; i < h->nx; i++)
                row[at + i] += own * q->T[i * q->n + c];
        }
        for (int i = 0; i < h->nm; i++)
            row[at + h->nx + i] +=
                multiply_state(h, q->D, r, q->Y + q->n + i, n) + q->D[r * inputs + 1 + h->nx + i];
        double in_t = q->D[r * inputs];
        row[at + h->nz] += multiply_state(h, q->D, r, q->to, 1) + in_t;
        if (h->driven && (h->events || k > 0)) {
            double later = multiply_state(h, q->D, r, shift, 1) + in_t;
            if (h->events)
                row[h->n - 1] += later;
            for (int j = 0; j < k; j++)
                row[zw_segmented_at(h, j) + h->nz] += later;
        }
        if (h->o.follows)
            row[size - 1] +=
                multiply_state(h, q->D, r, q->Y + n - 1, n) + q->D[r * inputs + inputs - 1];
        if (r > 0)
            row[zw_segmented_at(h, k + 1) + r - 1] -= 1;
    }
}

static zw_status factor_jacobian(void *self, const double *unknown, double a, const double *last,
                                 zw_error *err) {
    zw_segmented *h = self;
    zw_error trouble = {0};
    int size = h->n + 1;
    zw_status status = zw_segmented_go_round(h, unknown, a, false, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (status != ZW_OK)
        return ZW_RETRY;
    memset(h->A, 0, sizeof(double) * (size_t)size * (size_t)size);
    for (int k = 0; k < h->K; k++)
        put_segment(h, k, size);
    if (h->driven && h->events) {
        double *row = h->A + (size_t)(h->n - 1) * (size_t)size;
        for (int k = 0; k < h->K; k++)
            row[zw_segmented_at(h, k) + h->nz] = 1;
        row[size - 1] = -h->P_slope;
    }
    memcpy(h->A + (size_t)h->n * (size_t)size, last, sizeof(double) * (size_t)size);
    if (!(zw_num_lu(size, h->A, h->pivot) > 0))
        return ZW_RETRY;
    return ZW_OK;
}

static void solve_factored(void *self, double *b) {
    zw_segmented *h = self;
    zw_num_lu_solve(h->n + 1, h->A, h->pivot, 1, b);
}

/* the weight of unknown i in the arclength */
static double weight_of(const zw_segmented *h, int i) {
    if (i >= h->K * (h->nz + 1))
        return 1 / (h->options.duration * h->options.duration);
    int in = i % (h->nz + 1);
    double size = in < h->nx   ? h->scale[in]
                  : in < h->nz ? h->memory_scale[in - h->nx]
                               : h->options.duration;
    return 1 / (size * size * h->K);
}

static double inner_product(void *self, const double *u, const double *v) {
    const zw_segmented *h = self;
    double sum = 0;
    for (int i = 0; i < h->n; i++)
        sum += u[i] * v[i] * weight_of(h, i);
    return sum;
}

static void dual_vector(void *self, const double *u, double *row) {
    const zw_segmented *h = self;
    for (int i = 0; i < h->n; i++)
        row[i] = u[i] * weight_of(h, i);
}

zw_cont_problem zw_segmented_problem(zw_segmented *h) {
    return (zw_cont_problem){.self = h,
                             .n = h->n,
                             .unit = h->options.unit,
                             .residual = evaluate_residual,
                             .factor = factor_jacobian,
                             .solve = solve_factored,
                             .inner = inner_product,
                             .dual = dual_vector};
}
