/* SPDX-License-Identifier: MIT */
/* From a matrix over an interval to its tracks: scale it (balance), divide out the zeros that it
 * has everywhere, replace it by polynomials, and follow the eigenvalues from row to row. A step
 * whose assignment is not certain is halved. Near a coalescence the steps shrink in proportion to
 * the distance from it, until the two eigenvalues are one to working accuracy; the next step then
 * crosses it. */
#include "eigen_track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"
#include "num/linear/lapack.h"

enum {
    BALANCE_SWEEPS = 30, /* powers of two settle after a few; a defective matrix never does */
    EXTRA_ROWS = 4096,   /* rows of the result between those asked for, at most */
    STENCIL_POINTS = 3,  /* on either side of a point where the zeros are not separated */
    STOP_ROWS = 16       /* rows between two calls of `stop` */
};
/* Steps relative to the range: 450 eps, below which the values themselves are rounded. */
#define STEP_MIN ZW_ROUNDOFF_VALUE
/* Of the range: before it no assignment is reported as uncertain, since tracks have no names yet;
 * beyond the rounding of the first value. */
#define NAMED_WITHIN 1e-9
#define EXTRA_ROW_PART 32 /* extra rows are at least this part of a step of the rows apart */
/* Of the range: distance of the points that stand for one at which zeros are not separated. Six
 * points give the value to the sixth order, 1e-16; at a tenth of the distance an eigenvalue with a
 * double zero, of size h^2, would not be separated either (SINGULAR_SEPARATED). */
#define STENCIL_DISTANCE 2e-3

struct zw_track_memory {
    zw_arena arena;
};

void zw_track_options_init(zw_track_options *options, size_t size) {
    const zw_track_options all = {.size = size, .to = 1, .rows = 401};
    zw_options_begin(options, size, &all, sizeof all);
}

/* -------------------------------------------------------------- the matrix, scaled and deflated */

/* The matrix of the caller, balanced and deflated. */
typedef struct source {
    const zw_track_options *o;
    int n;
    double *scale;  /* n: powers of two */
    double *A, *Aq; /* n x n */
    zw_deflation zeros;
    double middle; /* value to which the coordinates of the quotient belong; NaN at first */
    zw_error *err;
} source;

static zw_status evaluate_matrix(source *s, double value, double middle, double *A, zw_error *err) {
    ZW_TRY(s->o->matrix(s->o->user, value, middle, A, err));
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++) {
            A[i * s->n + j] *= s->scale[j] / s->scale[i];
            if (!isfinite(A[i * s->n + j]))
                return zw_fail(err, ZW_E_NONFINITE, "the matrix at %.10g is not finite", value);
        }
    return ZW_OK;
}

/* Powers of two that make rows and columns of A equally long (E. E. Osborne, 1960). */
static void balance_matrix(source *s, double *A) {
    int n = s->n;
    for (int sweep = 0; sweep < BALANCE_SWEEPS; sweep++)
        for (int i = 0; i < n; i++) {
            double row = 0, column = 0;
            for (int j = 0; j < n; j++)
                if (j != i) {
                    row += fabs(A[i * n + j]);
                    column += fabs(A[j * n + i]);
                }
            if (row == 0 || column == 0)
                continue;
            double f = exp2(round(log2(row / column) / 2));
            s->scale[i] *= f;
            for (int j = 0; j < n; j++) {
                A[i * n + j] /= f;
                A[j * n + i] *= f;
            }
        }
}

/* Scale A at an ordinary value near the middle, and count the zeros at three ordinary values. */
static zw_status prepare_source(source *s) {
    /* no fractions in which a symmetric model might be exceptional */
    static const double part[] = {0.5 + 0.0123, 0.2718281828, 0.7390851332};
    double from = s->o->from, range = s->o->to - from;
    for (int i = 0; i < s->n; i++)
        s->scale[i] = 1;
    ZW_TRY(evaluate_matrix(s, from + part[0] * range, from + part[0] * range, s->A, s->err));
    balance_matrix(s, s->A);
    for (int k = 0; k < 3; k++) {
        double value = from + part[k] * range;
        ZW_TRY(evaluate_matrix(s, value, value, s->A, s->err));
        ZW_TRY(zw_deflation_count(&s->zeros, s->A));
    }
    return ZW_OK;
}

static zw_status evaluate_deflated(source *s, double value, double *A_q, bool *separated,
                                   zw_error *err) {
    ZW_TRY(evaluate_matrix(s, value, s->middle, s->A, err));
    return zw_deflate(&s->zeros, s->A, A_q, separated);
}

/* Where a further eigenvalue is zero, it cannot be separated from those that are always zero. The
 * quotient is smooth, so that points on both sides determine it. */
static zw_status interpolate_across(source *s, double value, double *A_q, zw_error *err) {
    static const double weight[STENCIL_POINTS] = {1.5, -0.6, 0.1}; /* of distances 1, 2, 3 */
    double low = fmin(s->o->from, s->o->to), high = fmax(s->o->from, s->o->to),
           h = STENCIL_DISTANCE * (high - low);
    int mm = s->zeros.m * s->zeros.m;
    bool separated;
    if (value - STENCIL_POINTS * h < low || value + STENCIL_POINTS * h > high)
        return ZW_OK; /* near an end: keep the matrix, which has the right eigenvalues */
    memset(A_q, 0, sizeof(double) * (size_t)mm);
    for (int k = -STENCIL_POINTS; k <= STENCIL_POINTS; k++) {
        if (k == 0)
            continue;
        ZW_TRY(evaluate_deflated(s, value + k * h, s->Aq, &separated, err));
        for (int i = 0; i < mm; i++)
            A_q[i] += weight[abs(k) - 1] / 2 * s->Aq[i];
    }
    return ZW_OK;
}

static zw_status deflated_matrix(void *user, double value, double middle, double *A_q,
                                 zw_error *err) {
    source *s = user;
    bool separated;
    if (s->o->stop && s->o->stop(s->o->stop_user, 0))
        return zw_fail(err, ZW_E_NUMERIC, "stopped before the first row");
    s->zeros.err = err;
    if (s->middle != middle) {
        ZW_TRY(evaluate_matrix(s, middle, middle, s->A, err));
        ZW_TRY(zw_deflation_refer(&s->zeros, s->A));
        s->middle = middle;
    }
    ZW_TRY(evaluate_deflated(s, value, A_q, &separated, err));
    return separated ? ZW_OK : interpolate_across(s, value, A_q, err);
}

/* ----------------------------------------------------------------------------------------- rows */

static void add_row(zw_eigen_tracker *w, const zw_eigen_state *s, bool asked) {
    zw_track *out = w->out;
    int k = out->nrow, n = out->n;
    double step = w->range / (w->options->rows - 1);
    if (!asked && (k >= w->options->rows + EXTRA_ROWS ||
                   fabs(s->value - out->value[k - 1]) < step / EXTRA_ROW_PART))
        return;
    if (k > 0 && out->value[k - 1] == s->value)
        return;
    out->value[k] = s->value;
    for (int j = 0; j < w->m; j++) {
        out->re[k * n + j] = s->re[j];
        out->im[k * n + j] = s->im[j];
    }
    out->nrow++;
}

static double row_value(const zw_eigen_tracker *w, int i) {
    const zw_track_options *o = w->options;
    return i == o->rows - 1 ? o->to : o->from + i * (o->to - o->from) / (o->rows - 1);
}

/* ---------------------------------------------------------------------------------------- steps */

static zw_eigen_state *free_state(zw_eigen_tracker *w, zw_eigen_state *const *stack, int n) {
    for (int i = 0; i < ZW_EIGEN_TRACKER_DEPTH + 2; i++) {
        bool taken = &w->state[i] == w->current;
        for (int k = 0; k < n; k++)
            taken |= stack[k] == &w->state[i];
        if (!taken)
            return &w->state[i];
    }
    return NULL;
}

/* Make the next point the current one. */
static zw_status commit_point(zw_eigen_tracker *w, zw_eigen_state *next, bool sure, bool asked) {
    zw_eigen_state_reorder(w, next, w->order);
    /* names are given here, whatever the assignment */
    bool begins = fabs(next->value - w->options->from) <= NAMED_WITHIN * w->range;
    if (!sure && !begins && w->out->nlost++ == 0)
        w->out->lost_at = next->value;
    ZW_TRY(zw_eigen_tracker_check(w, w->current, next));
    w->current = next;
    add_row(w, next, asked);
    return ZW_OK;
}

/* From the current point to a value in the same piece, in steps with certain assignments. */
static zw_status advance_track(zw_eigen_tracker *w, double value) {
    zw_eigen_state *stack[ZW_EIGEN_TRACKER_DEPTH];
    int n = 0, piece = w->current->piece;
    stack[n++] = free_state(w, stack, 0);
    ZW_TRY(zw_eigen_state_compute(w, stack[0], piece, value, true));
    while (n > 0) {
        zw_eigen_state *next = stack[n - 1];
        bool sure = zw_eigen_state_match(w, w->current, next);
        double h = next->value - w->current->value;
        if (sure || fabs(h) <= STEP_MIN * w->range || n == ZW_EIGEN_TRACKER_DEPTH) {
            ZW_TRY(commit_point(w, next, sure, n == 1));
            n--;
            continue;
        }
        stack[n] = free_state(w, stack, n);
        ZW_TRY(zw_eigen_state_compute(w, stack[n], piece, w->current->value + h / 2, true));
        n++;
    }
    return ZW_OK;
}

/* The same value in the coordinates of the next piece. */
static zw_status change_piece(zw_eigen_tracker *w, int piece) {
    zw_eigen_state *next = free_state(w, NULL, 0);
    ZW_TRY(zw_eigen_state_compute(w, next, piece, w->current->value, true));
    zw_eigen_state_match(w, w->current, next);
    zw_eigen_state_reorder(w, next, w->order);
    w->current = next;
    return ZW_OK;
}

static zw_status advance_to(zw_eigen_tracker *w, double value) {
    int step = w->options->to > w->options->from ? 1 : -1;
    for (;;) {
        const zw_matrix_interpolant_piece *p = &w->interpolant.piece[w->current->piece];
        double edge = step > 0 ? p->high : p->low;
        int next = w->current->piece + step;
        if (step * (value - edge) <= 0 || next < 0 || next >= w->interpolant.npiece)
            return advance_track(w, value);
        if (w->current->value != edge)
            ZW_TRY(advance_track(w, edge));
        ZW_TRY(change_piece(w, next));
    }
}

/* Order of the first point: descending real parts, the upper one of a pair first. */
static void order_first(zw_eigen_tracker *w, zw_eigen_state *s) {
    for (int j = 0; j < w->m; j++)
        w->order[j] = j;
    for (int i = 1; i < w->m; i++)
        for (int k = i; k > 0 && s->re[w->order[k]] > s->re[w->order[k - 1]]; k--) {
            int swap = w->order[k];
            w->order[k] = w->order[k - 1];
            w->order[k - 1] = swap;
        }
    zw_eigen_state_reorder(w, s, w->order);
}

static zw_status begin_track(zw_eigen_tracker *w) {
    double from = w->options->from;
    w->current = &w->state[0];
    for (int k = 0; k < w->interpolant.npiece; k++) /* the largest eigenvalues of the range */
        ZW_TRY(zw_eigen_state_compute(
            w, &w->probe, k, (w->interpolant.piece[k].low + w->interpolant.piece[k].high) / 2,
            false));
    ZW_TRY(zw_eigen_state_compute(w, &w->probe, w->interpolant.npiece - 1,
                                  w->interpolant.piece[w->interpolant.npiece - 1].high, false));
    ZW_TRY(zw_eigen_state_compute(w, &w->probe, 0, w->interpolant.piece[0].low, false));
    ZW_TRY(zw_eigen_state_compute(
        w, w->current, from < w->options->to ? 0 : w->interpolant.npiece - 1, from, true));
    order_first(w, w->current);
    for (int j = 0; j < w->m; j++)
        w->neutral_since[j] = NAN;
    ZW_TRY(zw_eigen_tracker_check(w, w->current, w->current));
    add_row(w, w->current, true);
    return ZW_OK;
}

static zw_status follow_track(zw_eigen_tracker *w) {
    const zw_track_options *o = w->options;
    ZW_TRY(begin_track(w));
    for (int i = 1; i < o->rows && !w->out->stopped; i++) {
        ZW_TRY(advance_to(w, row_value(w, i)));
        if (o->stop && (i % STOP_ROWS == 0 || i == o->rows - 1))
            w->out->stopped = o->stop(o->stop_user, (double)i / (o->rows - 1)) && i < o->rows - 1;
    }
    return zw_eigen_tracker_finish(w);
}

/* --------------------------------------------------------------------------------------- set-up */

static zw_status query_lapack(zw_eigen_tracker *w) {
    const zw_lapack *lapack = zw_num_lapack_for(w->m);
    int m = w->m, info, low, high, size = -1;
    double asked = 0, norm;
    if (!lapack) {
        zw_fail(
            w->err, ZW_E_NUMERIC,
            "eigenvalues of more than %d rows need LAPACK, which is not installed or does not fit "
            "into memory",
            ZW_LAPACK_OWN);
        zw_error_hint(w->err, "install OpenBLAS (libopenblas0), or give the command more memory");
        return ZW_E_NUMERIC;
    }
    lapack->dgeevx("B", "V", "V", "N", &m, w->A, &m, w->probe.re, w->probe.im, w->left, &m,
                   w->right, &m, &low, &high, w->buffer, &norm, w->probe.condition,
                   w->probe.slope_re, &asked, &size, w->iwork, &info, 1, 1, 1, 1);
    w->nwork = (int)asked + 4 * m + 1;
    w->work = ZW_NEW(w->arena, double, w->nwork);
    return w->work ? ZW_OK : zw_out_of_memory(w->err, NULL);
}

static zw_status allocate_work(zw_eigen_tracker *w) {
    zw_arena *arena = w->arena;
    int m = w->m, mm = m * m + 1;
    w->A = ZW_NEW(arena, double, mm);
    w->slope = ZW_NEW(arena, double, mm);
    w->left = ZW_NEW(arena, double, mm);
    w->right = ZW_NEW(arena, double, mm);
    w->buffer = ZW_NEW(arena, double, mm + m);
    w->cost = ZW_NEW(arena, double, mm);
    w->row_potential = ZW_NEW(arena, double, m + 1);
    w->column_potential = ZW_NEW(arena, double, m + 1);
    w->least = ZW_NEW(arena, double, m + 1);
    w->neutral_since = ZW_NEW(arena, double, m + 1);
    w->matched = ZW_NEW(arena, int, m + 1);
    w->previous = ZW_NEW(arena, int, m + 1);
    w->order = ZW_NEW(arena, int, m + 1);
    w->iwork = ZW_NEW(arena, int, 2 * m + 1);
    w->used = ZW_NEW(arena, bool, m + 1);
    w->axis_sign = ZW_NEW(arena, zw_clear_sign, m + 1);
    w->pair_sign = ZW_NEW(arena, zw_clear_sign, mm);
    for (int i = 0; i < ZW_EIGEN_TRACKER_DEPTH + 2; i++)
        ZW_TRY(zw_eigen_state_init(&w->state[i], arena, m, w->err));
    ZW_TRY(zw_eigen_state_init(&w->probe, arena, m, w->err));
    size_t rows = (size_t)(w->options->rows + EXTRA_ROWS + 1), n = (size_t)w->out->n;
    w->out->value = ZW_NEW(arena, double, rows);
    w->out->re = ZW_NEW(arena, double, rows *n + 1);
    w->out->im = ZW_NEW(arena, double, rows *n + 1);
    if (arena->failed)
        return zw_out_of_memory(w->err, NULL);
    return m > 0 ? query_lapack(w) : ZW_OK;
}

static zw_status track_eigenvalues(zw_track *out, zw_arena *arena, const zw_track_options *o,
                                   zw_error *err) {
    source s = {.o = o, .n = o->n, .middle = NAN, .err = err};
    zw_eigen_tracker *w = ZW_NEW(arena, zw_eigen_tracker, 1);
    s.scale = ZW_NEW(arena, double, o->n + 1);
    s.A = ZW_NEW(arena, double, o->n * o->n + 1);
    s.Aq = ZW_NEW(arena, double, o->n * o->n + 1);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    *w = (zw_eigen_tracker){.options = o, .out = out, .arena = arena, .err = err};
    w->range = fabs(o->to - o->from);
    w->size = o->unit;
    out->n = o->n;
    ZW_TRY(zw_deflation_init(&s.zeros, arena, o->n, o->unit, err));
    ZW_TRY(prepare_source(&s));
    w->m = s.zeros.m;
    out->nzero = o->n - s.zeros.m;
    out->nkernel = s.zeros.nlevel > 0 ? s.zeros.level[0] : 0;
    ZW_TRY(zw_matrix_interpolant_build(&w->interpolant, arena, w->m, o->unit, fmin(o->from, o->to),
                                       fmax(o->from, o->to), deflated_matrix, &s, err));
    out->matrices = w->interpolant.calls;
    out->rough = w->interpolant.error;
    out->rough_at = w->interpolant.error_at;
    ZW_TRY(allocate_work(w));
    return follow_track(w);
}

zw_status zw_track_follow(zw_track *out, const zw_allocator *alloc, const zw_track_options *options,
                          zw_error *err) {
    zw_track_options o = zw_track_options_default();
    const zw_allocator plain = zw_allocator_default();
    *out = (zw_track){0};
    ZW_TRY(zw_options_adopt(&o, sizeof o, options, "zw_track_options", err));
    if (!(fabs(o.to - o.from) > 0) || !isfinite(o.to - o.from) || o.rows < 2 || o.n < 0)
        return zw_fail(err, ZW_E_OPTION,
                       "eigenvalues are followed between two different values, "
                       "with at least two rows");
    alloc = alloc ? alloc : &plain;
    out->memory = zw_allocate(alloc, sizeof *out->memory);
    if (!out->memory)
        return zw_out_of_memory(err, NULL);
    zw_arena_init(&out->memory->arena, alloc);
    zw_status status = track_eigenvalues(out, &out->memory->arena, &o, err);
    if (status < 0)
        zw_track_clear(out);
    return status;
}

void zw_track_clear(zw_track *t) {
    if (t->memory) {
        zw_allocator alloc = t->memory->arena.alloc;
        zw_arena_clear(&t->memory->arena);
        zw_release(&alloc, t->memory, sizeof *t->memory);
    }
    *t = (zw_track){0};
}
