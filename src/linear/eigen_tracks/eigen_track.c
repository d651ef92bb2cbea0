/* SPDX-License-Identifier: MIT */
/* From a matrix over an interval to its tracks: scale (balance), divide the zeros out that are
 * always there, replace A by polynomials, and walk from row to row. A step whose assignment is not
 * sure is halved: near a coalescence the steps shrink in proportion to the distance from it until
 * both are one to working accuracy, and then go over it. */
#include "eigen_track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "num/linear/lapack.h"

enum { SWEEPS = 30, REFINED = 4096, BESIDE = 3 };
#define SHORTEST 1e-13 /* step, of the range */
#define BEGINS 1e-9    /* of the range: where tracks get their names */
#define FINE 32        /* refined rows are no nearer to others than the FINE-th part of a step */
#define STENCIL                                                                                    \
    2e-3 /* of the range: distance of points that stand for one at which zeros are not told apart */

struct zw_track_memory {
    zw_arena arena;
};

void zw_track_options_init(zw_track_options *options, size_t size) {
    const zw_track_options all = {.size = size, .to = 1, .rows = 401};
    zw_options_begin(options, size, &all, sizeof all);
}

/* -------------------------------------------------------------- the matrix, scaled and deflated */

typedef struct source {
    const zw_track_options *o;
    int n;
    double *scale;  /* n: powers of two */
    double *A, *Aq; /* n x n */
    zw_deflation zeros;
    double middle; /* to which the coordinates of the quotient belong */
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
    for (int sweep = 0; sweep < SWEEPS; sweep++)
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

/* the scales of A somewhere in the middle, and the zeros that are there at three ordinary values */
static zw_status look_around(source *s) {
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

static zw_status evaluate_deflated(source *s, double value, double *A_q, bool *sharp,
                                   zw_error *err) {
    ZW_TRY(evaluate_matrix(s, value, s->middle, s->A, err));
    return zw_deflate(&s->zeros, s->A, A_q, sharp);
}

/* Where a further eigenvalue is zero, nothing tells it from those that always are. The quotient is
 * smooth, so that points on both sides give it. */
static zw_status from_both_sides(source *s, double value, double *A_q, zw_error *err) {
    static const double weight[BESIDE] = {1.5, -0.6, 0.1}; /* of distances 1, 2, 3 */
    double low = fmin(s->o->from, s->o->to), high = fmax(s->o->from, s->o->to),
           h = STENCIL * (high - low);
    int mm = s->zeros.m * s->zeros.m;
    bool sharp;
    if (value - BESIDE * h < low || value + BESIDE * h > high)
        return ZW_OK; /* at an end it stays as it is, with the right eigenvalues */
    memset(A_q, 0, sizeof(double) * (size_t)mm);
    for (int k = -BESIDE; k <= BESIDE; k++) {
        if (k == 0)
            continue;
        ZW_TRY(evaluate_deflated(s, value + k * h, s->Aq, &sharp, err));
        for (int i = 0; i < mm; i++)
            A_q[i] += weight[abs(k) - 1] / 2 * s->Aq[i];
    }
    return ZW_OK;
}

static zw_status give_matrix(void *user, double value, double middle, double *A_q, zw_error *err) {
    source *s = user;
    bool sharp;
    if (s->o->stop && s->o->stop(s->o->stop_user, 0))
        return zw_fail(err, ZW_E_NUMERIC, "stopped before the first row");
    s->zeros.err = err;
    if (s->middle != middle) {
        ZW_TRY(evaluate_matrix(s, middle, middle, s->A, err));
        ZW_TRY(zw_deflation_refer(&s->zeros, s->A));
        s->middle = middle;
    }
    ZW_TRY(evaluate_deflated(s, value, A_q, &sharp, err));
    return sharp ? ZW_OK : from_both_sides(s, value, A_q, err);
}

/* ----------------------------------------------------------------------------------------- rows */

static void add_row(zw_walk *w, const zw_spot *s, bool wanted) {
    zw_track *out = w->out;
    int k = out->nrow, n = out->n;
    double step = w->range / (w->options->rows - 1);
    if (!wanted &&
        (k >= w->options->rows + REFINED || fabs(s->value - out->value[k - 1]) < step / FINE))
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

static double row_value(const zw_walk *w, int i) {
    const zw_track_options *o = w->options;
    return i == o->rows - 1 ? o->to : o->from + i * (o->to - o->from) / (o->rows - 1);
}

/* ---------------------------------------------------------------------------------------- steps */

static zw_spot *free_spot(zw_walk *w, zw_spot *const *stack, int n) {
    for (int i = 0; i < ZW_WALK_DEPTH + 2; i++) {
        bool taken = &w->spots[i] == w->now;
        for (int k = 0; k < n; k++)
            taken |= stack[k] == &w->spots[i];
        if (!taken)
            return &w->spots[i];
    }
    return NULL;
}

/* the next point becomes the present one */
static zw_status commit_point(zw_walk *w, zw_spot *next, bool sure, bool wanted) {
    zw_spot_arrange(w, next, w->order);
    bool begins = fabs(next->value - w->options->from) <= BEGINS * w->range; /* names begin here */
    if (!sure && !begins && w->out->nlost++ == 0)
        w->out->lost_at = next->value;
    ZW_TRY(zw_walk_watch(w, w->now, next));
    w->now = next;
    add_row(w, next, wanted);
    return ZW_OK;
}

/* from the present point to a value of the same piece, by as many steps as it takes */
static zw_status advance_track(zw_walk *w, double value) {
    zw_spot *stack[ZW_WALK_DEPTH];
    int n = 0, piece = w->now->piece;
    stack[n++] = free_spot(w, stack, 0);
    ZW_TRY(zw_spot_find(w, stack[0], piece, value, true));
    while (n > 0) {
        zw_spot *next = stack[n - 1];
        bool sure = zw_spot_match(w, w->now, next);
        double h = next->value - w->now->value;
        if (sure || fabs(h) <= SHORTEST * w->range || n == ZW_WALK_DEPTH) {
            ZW_TRY(commit_point(w, next, sure, n == 1));
            n--;
            continue;
        }
        stack[n] = free_spot(w, stack, n);
        ZW_TRY(zw_spot_find(w, stack[n], piece, w->now->value + h / 2, true));
        n++;
    }
    return ZW_OK;
}

/* the same value in the coordinates of the next piece */
static zw_status change_piece(zw_walk *w, int piece) {
    zw_spot *next = free_spot(w, NULL, 0);
    ZW_TRY(zw_spot_find(w, next, piece, w->now->value, true));
    zw_spot_match(w, w->now, next);
    zw_spot_arrange(w, next, w->order);
    w->now = next;
    return ZW_OK;
}

static zw_status go_to(zw_walk *w, double value) {
    int step = w->options->to > w->options->from ? 1 : -1;
    for (;;) {
        const zw_matrix_interpolant_piece *p = &w->proxy.piece[w->now->piece];
        double edge = step > 0 ? p->high : p->low;
        int next = w->now->piece + step;
        if (step * (value - edge) <= 0 || next < 0 || next >= w->proxy.npiece)
            return advance_track(w, value);
        if (w->now->value != edge)
            ZW_TRY(advance_track(w, edge));
        ZW_TRY(change_piece(w, next));
    }
}

/* the order of the first point: the largest real parts first, of a pair the one above */
static void order_first(zw_walk *w, zw_spot *s) {
    for (int j = 0; j < w->m; j++)
        w->order[j] = j;
    for (int i = 1; i < w->m; i++)
        for (int k = i; k > 0 && s->re[w->order[k]] > s->re[w->order[k - 1]]; k--) {
            int swap = w->order[k];
            w->order[k] = w->order[k - 1];
            w->order[k - 1] = swap;
        }
    zw_spot_arrange(w, s, w->order);
}

static zw_status begin_track(zw_walk *w) {
    double from = w->options->from;
    w->now = &w->spots[0];
    for (int k = 0; k < w->proxy.npiece; k++) /* how large they become */
        ZW_TRY(zw_spot_find(w, &w->probe, k, (w->proxy.piece[k].low + w->proxy.piece[k].high) / 2,
                            false));
    ZW_TRY(zw_spot_find(w, &w->probe, w->proxy.npiece - 1, w->proxy.piece[w->proxy.npiece - 1].high,
                        false));
    ZW_TRY(zw_spot_find(w, &w->probe, 0, w->proxy.piece[0].low, false));
    ZW_TRY(zw_spot_find(w, w->now, from < w->options->to ? 0 : w->proxy.npiece - 1, from, true));
    order_first(w, w->now);
    for (int j = 0; j < w->m; j++)
        w->calm[j] = NAN;
    ZW_TRY(zw_walk_watch(w, w->now, w->now));
    add_row(w, w->now, true);
    return ZW_OK;
}

static zw_status follow_track(zw_walk *w) {
    const zw_track_options *o = w->options;
    ZW_TRY(begin_track(w));
    for (int i = 1; i < o->rows && !w->out->stopped; i++) {
        ZW_TRY(go_to(w, row_value(w, i)));
        if (o->stop && (i % 16 == 0 || i == o->rows - 1))
            w->out->stopped = o->stop(o->stop_user, (double)i / (o->rows - 1)) && i < o->rows - 1;
    }
    return zw_walk_conclude(w);
}

/* --------------------------------------------------------------------------------------- set-up */

static zw_status ask_lapack(zw_walk *w) {
    const zw_lapack *lapack = zw_num_lapack_for(w->m);
    int m = w->m, info, low, high, size = -1;
    double wanted = 0, norm;
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
                   w->right, &m, &low, &high, w->room, &norm, w->probe.condition, w->probe.slope_re,
                   &wanted, &size, w->iwork, &info, 1, 1, 1, 1);
    w->nwork = (int)wanted + 4 * m + 1;
    w->work = ZW_NEW(w->arena, double, w->nwork);
    return w->work ? ZW_OK : zw_out_of_memory(w->err, NULL);
}

static zw_status make_room(zw_walk *w) {
    zw_arena *arena = w->arena;
    int m = w->m, mm = m * m + 1;
    w->A = ZW_NEW(arena, double, mm);
    w->slope = ZW_NEW(arena, double, mm);
    w->left = ZW_NEW(arena, double, mm);
    w->right = ZW_NEW(arena, double, mm);
    w->room = ZW_NEW(arena, double, mm + m);
    w->cost = ZW_NEW(arena, double, mm);
    w->row_potential = ZW_NEW(arena, double, m + 1);
    w->column_potential = ZW_NEW(arena, double, m + 1);
    w->least = ZW_NEW(arena, double, m + 1);
    w->calm = ZW_NEW(arena, double, m + 1);
    w->matched = ZW_NEW(arena, int, m + 1);
    w->way = ZW_NEW(arena, int, m + 1);
    w->order = ZW_NEW(arena, int, m + 1);
    w->iwork = ZW_NEW(arena, int, 2 * m + 1);
    w->used = ZW_NEW(arena, bool, m + 1);
    w->side = ZW_NEW(arena, zw_walk_sign, m + 1);
    w->meet = ZW_NEW(arena, zw_walk_sign, mm);
    for (int i = 0; i < ZW_WALK_DEPTH + 2; i++)
        ZW_TRY(zw_spot_init(&w->spots[i], arena, m, w->err));
    ZW_TRY(zw_spot_init(&w->probe, arena, m, w->err));
    size_t rows = (size_t)(w->options->rows + REFINED + 1), n = (size_t)w->out->n;
    w->out->value = ZW_NEW(arena, double, rows);
    w->out->re = ZW_NEW(arena, double, rows *n + 1);
    w->out->im = ZW_NEW(arena, double, rows *n + 1);
    if (arena->failed)
        return zw_out_of_memory(w->err, NULL);
    return m > 0 ? ask_lapack(w) : ZW_OK;
}

static zw_status track_eigenvalues(zw_track *out, zw_arena *arena, const zw_track_options *o,
                                   zw_error *err) {
    source s = {.o = o, .n = o->n, .middle = NAN, .err = err};
    zw_walk *w = ZW_NEW(arena, zw_walk, 1);
    s.scale = ZW_NEW(arena, double, o->n + 1);
    s.A = ZW_NEW(arena, double, o->n * o->n + 1);
    s.Aq = ZW_NEW(arena, double, o->n * o->n + 1);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    *w = (zw_walk){.options = o, .out = out, .arena = arena, .err = err};
    w->range = fabs(o->to - o->from);
    w->size = o->unit;
    out->n = o->n;
    ZW_TRY(zw_deflation_init(&s.zeros, arena, o->n, o->unit, err));
    ZW_TRY(look_around(&s));
    w->m = s.zeros.m;
    out->nzero = o->n - s.zeros.m;
    out->nkernel = s.zeros.nlevel > 0 ? s.zeros.level[0] : 0;
    ZW_TRY(zw_matrix_interpolant_build(&w->proxy, arena, w->m, o->unit, fmin(o->from, o->to),
                                       fmax(o->from, o->to), give_matrix, &s, err));
    out->matrices = w->proxy.calls;
    out->rough = w->proxy.error;
    out->rough_at = w->proxy.error_at;
    ZW_TRY(make_room(w));
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
