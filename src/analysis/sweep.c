/* SPDX-License-Identifier: MIT */
/* Disturbances of a motion obey M y'' + C y' + K y = 0 with the derivatives of the equations along it. A step of length H is one of Gauss's collocation with m
 * stages for equations of second order; unknowns are the accelerations A_i at its points,
 *
 *     y_i = y + c_i H y' + H^2 sum_l abar_il A_l,     y'_i = y' + H sum_l a_il A_l,     M A_i + C_i y'_i + K_i y_i = 0,
 *
 * so that there is a block of m x m numbers for every pair of coordinates that touch each other: eliminated by blocks in an order of minimum degree, eight
 * steps side by side. The columns of the fundamental matrix are then carried from step to step, side by side as well. The order is 2 m.
 *
 * The error is the difference to what half the steps give, and the number of steps is chosen by it. It is measured at the first motion, at every twenty-fifth, and where a
 * multiplier is close to 1, -1 or the unit circle. In between it is taken four times as large, and grows as (H^2 k)^(m + 1/2) with the largest k = K_ii/M_ii on the
 * way, as that of an oscillation does; if that is too much, it is measured again. (Conservation of volume
 * alone would not do: Gauss's methods are symplectic and keep it however wrong they are. It is watched as an alarm, where M does not vary.)
 *
 * Where two multipliers are close to each other they are sensitive: errors are enlarged by the distance. */
#include "sweep.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "blocks.h"
#include "num/linalg.h"
#include "spectrum.h"
#include "variation.h"

enum {
    LANES = 8,
    STAGES = 6,
    LEVELS = 5,
    EVERY = 25,
    REST = 20,
    FEW = 2,
    BLOCK = STAGES * STAGES * LANES
};
#define SAFETY 4    /* of an error that was measured at a neighbour */
#define GROWN 1e4   /* of a column that is carried: too much for a plain product */
#define PIVOT 1e-7  /* of the diagonal */
#define NEAR 1e-3   /* to the unit circle */
#define APART 1e-2  /* multipliers whose sensitivity is not asked for */
#define MARGIN 1e-6 /* of |mu| = 1, as in zwang/floquet.h */
#define ROUNDING 1e-13
#define STALLED 0.1 /* of the error of half the steps, which should be one in 4096 */
#define ROUGH 1e-6
#define LAST 1e-9 /* what most steps must hold */

typedef struct level {
    int intervals;         /* 0: not made yet */
    double *tau;           /* points */
    double *cosine, *sine; /* (top + 1) x points */
} level;

/* a pair of coordinates that touch: where K, C, M stand among the outputs of JAC and MATS, -1: nowhere; the block */
typedef struct link {
    int row, column, k, c, m, block;
} link;

typedef struct result {
    double *re, *im;
    double sum, trace; /* of log |mu|, of the integral of the divergence */
} result;

struct zw_sweep {
    zw_allocator alloc;
    zw_arena arena;
    const zw_period *p;
    int n, width; /* coordinates; columns, filled up to a multiple of four */
    double a[STAGES][STAGES], abar[STAGES][STAGES], b[STAGES], bbar[STAGES], c[STAGES];
    level level[LEVELS];
    int now; /* the level that is used */
    int nlink;
    link *link;
    int *link_first;    /* n + 1 */
    int *order, *place; /* n */
    int *slot;          /* n x n in places: the block, -1 */
    int *first, *list;  /* of a place those behind it that it touches */
    int nblock;
    double *block;     /* nblock x BLOCK */
    double *t, *x, *z; /* of the points of eight steps: a group for every stage */
    double *jac, *mats;
    bool mass_varies, mass_diagonal;
    double *mass, *inverse; /* n x n, of the inverse that is known; NaN: none is */
    int *pivot;
    double *Q, *V, *R; /* n x width twice, n x m x width */
    double *A, *work;  /* 4 n^2; 6 n + 8 */
    result half, full, told;
    double *error, *exponent, *angle;
    bool *taken;
    double measured,
        stiff_then; /* the error that was measured last, negative: none; stiff as it was there */
    double stiff;   /* the largest K_ii/M_ii, times the square of the period */
    int since, resting;
};

/* --------------------------------------------------------------------------------------------------- set-up */

static zw_status no_memory(zw_error *err) {
    return zw_fail(err, ZW_E_MEMORY, "out of memory");
}

/* abar_il = int_0^c_i (c_i - s) l_l(s) ds, by the points themselves: the degree is small enough */
static void find_rule(zw_sweep *s) {
    zw_gauss g;
    zw_gauss_init(&g, STAGES);
    for (int i = 0; i < STAGES; i++) {
        s->c[i] = g.c[i];
        s->b[i] = g.b[i];
        s->bbar[i] = g.b[i] * (1 - g.c[i]);
        for (int l = 0; l < STAGES; l++) {
            s->a[i][l] = g.a[i][l];
            s->abar[i][l] = 0;
            for (int k = 0; k < STAGES; k++)
                s->abar[i][l] += g.c[i] * g.c[i] * g.b[k] * (1 - g.c[k]) *
                                 zw_gauss_lagrange(&g, l, g.c[i] * g.c[k]);
        }
    }
}

static int place_in(const zw_period_entry *e) {
    return e->kind == ZW_SERIES_ZERO ? -1 : e->at;
}

static zw_status make_structure(zw_sweep *s, zw_error *err) {
    const zw_period *p = s->p;
    int n = s->n;
    zw_arena *arena = &s->arena;
    s->link = ZW_NEW(arena, link, p->npair + 1);
    s->link_first = ZW_NEW(arena, int, n + 2);
    s->order = ZW_NEW(arena, int, n + 1);
    s->place = ZW_NEW(arena, int, n + 1);
    s->slot = ZW_NEW(arena, int, n *n + 1);
    s->first = ZW_NEW(arena, int, n + 2);
    s->list = ZW_NEW(arena, int, n *n + 1);
    bool *graph = ZW_NEW(arena, bool, n *n + 1), *done = ZW_NEW(arena, bool, n + 1);
    if (arena->failed)
        return no_memory(err);
    for (int i = 0; i < p->npair; i++) {
        const zw_period_pair *pair = &p->pair[i];
        graph[pair->row * n + pair->function] = graph[pair->function * n + pair->row] = true;
    }
    for (int i = 0; i < n; i++)
        graph[i * n + i] = true;
    zw_blocks_order(n, graph, done, s->order, s->place);
    int at = 0;
    for (int i = 0; i < n; i++) {
        s->first[i] = at;
        for (int j = 0; j < n; j++) {
            bool there = graph[s->order[i] * n + s->order[j]];
            s->slot[i * n + j] = there ? s->nblock++ : -1;
            if (there && j > i)
                s->list[at++] = j;
        }
    }
    s->first[n] = at;
    for (int i = 0; i < p->npair; i++) {
        const zw_period_pair *pair = &p->pair[i];
        s->mass_varies |= pair->entry[2].kind == ZW_SERIES_VARIES;
        s->mass_diagonal &= pair->row == pair->function || pair->entry[2].kind == ZW_SERIES_ZERO;
        s->link[s->nlink++] =
            (link){.row = pair->row,
                   .column = pair->function,
                   .k = place_in(&pair->entry[0]),
                   .c = place_in(&pair->entry[1]),
                   .m = place_in(&pair->entry[2]),
                   .block = s->slot[s->place[pair->row] * n + s->place[pair->function]]};
        s->link_first[pair->row + 1] = s->nlink;
    }
    for (int i = 0; i < n; i++) /* rows without entries */
        s->link_first[i + 1] =
            s->link_first[i + 1] > s->link_first[i] ? s->link_first[i + 1] : s->link_first[i];
    return ZW_OK;
}

static void make_result(zw_arena *arena, int n, result *r) {
    r->re = ZW_NEW(arena, double, 2 * n + 1);
    r->im = ZW_NEW(arena, double, 2 * n + 1);
}

static zw_status make_room(zw_sweep *s, zw_error *err) {
    const zw_kernel *k = s->p->kernel;
    zw_arena *arena = &s->arena;
    int n = s->n, points = STAGES * LANES;
    s->block = ZW_NEW(arena, double, s->nblock *BLOCK + LANES);
    s->t = ZW_NEW(arena, double, points);
    s->x = ZW_NEW(arena, double, k->nx *points + LANES);
    s->z = ZW_NEW(arena, double, k->nz *points + LANES);
    s->jac = ZW_NEW(arena, double, s->p->size[ZW_FN_JAC] * points + LANES);
    s->mats = ZW_NEW(arena, double, s->p->size[ZW_FN_MATS] * points + LANES);
    s->mass = ZW_NEW(arena, double, n *n + 1);
    s->inverse = ZW_NEW(arena, double, n *n + 1);
    s->pivot = ZW_NEW(arena, int, n + 1);
    s->Q = ZW_NEW(arena, double, n * s->width);
    s->V = ZW_NEW(arena, double, n * s->width);
    s->R = ZW_NEW(arena, double, n *STAGES * s->width);
    s->A = ZW_NEW(arena, double, 4 * n * n + 1);
    s->work = ZW_NEW(arena, double, 6 * n + 8);
    s->error = ZW_NEW(arena, double, 2 * n + 1);
    s->exponent = ZW_NEW(arena, double, 2 * n + 1);
    s->angle = ZW_NEW(arena, double, 2 * n + 1);
    s->taken = ZW_NEW(arena, bool, 2 * n + 1);
    make_result(arena, n, &s->half);
    make_result(arena, n, &s->full);
    if (arena->failed)
        return no_memory(err);
    s->mass[0] = NAN;
    return ZW_OK;
}

zw_status zw_sweep_create(zw_sweep **out, const zw_period *p, const zw_allocator *alloc,
                          zw_error *err) {
    zw_allocator own = alloc ? *alloc : zw_allocator_default();
    *out = NULL;
    if (!p->plain || p->kernel->nc || p->n == 0)
        return ZW_OK;
    zw_sweep *s = zw_allocate(&own, sizeof *s);
    if (!s)
        return no_memory(err);
    *s = (zw_sweep){.alloc = own,
                    .p = p,
                    .n = p->n,
                    .width = zw_fours(2 * p->n),
                    .mass_diagonal = true,
                    .now = 0,
                    .measured = -1};
    zw_arena_init(&s->arena, &own);
    find_rule(s);
    zw_status status = make_structure(s, err);
    if (status >= 0)
        status = make_room(s, err);
    if (status < 0)
        zw_sweep_destroy(s);
    else
        *out = s;
    return status;
}

void zw_sweep_destroy(zw_sweep *s) {
    if (!s)
        return;
    zw_allocator alloc = s->alloc;
    zw_arena_clear(&s->arena);
    zw_release(&alloc, s, sizeof *s);
}

/* point (group of eight steps, stage, lane): of step 8 g + lane */
static double tau_of(const zw_sweep *s, int intervals, int point) {
    int lane = point % LANES, stage = point / LANES % STAGES, group = point / (LANES * STAGES);
    return 2 * M_PI * (group * LANES + lane + s->c[stage]) / intervals;
}

static zw_status make_level(zw_sweep *s, int number, zw_error *err) {
    level *l = &s->level[number];
    int intervals = LANES << number, points = STAGES * intervals, top = s->p->fourier.top;
    if (l->intervals)
        return ZW_OK;
    l->tau = ZW_NEW(&s->arena, double, points);
    l->cosine = ZW_NEW(&s->arena, double, (top + 1) * points);
    l->sine = ZW_NEW(&s->arena, double, (top + 1) * points);
    if (s->arena.failed)
        return no_memory(err);
    for (int i = 0; i < points; i++) {
        l->tau[i] = tau_of(s, intervals, i);
        for (int h = 0; h <= top; h++) {
            l->cosine[h * points + i] = cos(h * l->tau[i]);
            l->sine[h * points + i] = sin(h * l->tau[i]);
        }
    }
    l->intervals = intervals;
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------------- the equations */

/* states and derivatives at all stages of the eight steps of a group */
static void evaluate(zw_sweep *s, const level *l, int group, const double *x) {
    const zw_period *p = s->p;
    const zw_kernel *k = p->kernel;
    int points = STAGES * l->intervals, from = group * STAGES * LANES;
    for (int i = 0; i < s->n; i++)
        for (int stage = 0; stage < STAGES; stage++) {
            size_t of = (size_t)(from + stage * LANES);
            double *state = s->x + (size_t)((stage * k->nx + i) * LANES);
            /* one group of the table at a time: its rows are `points` long */
            zw_fourier_move_group(&p->fourier, x + (size_t)(i * p->fourier.n), p->w, points,
                                  l->cosine + of, l->sine + of, state,
                                  state + (size_t)(k->nq * LANES),
                                  s->z + (size_t)((stage * k->nz + i) * LANES));
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

static const double *jac_at(const zw_sweep *s, int at, int stage) {
    return s->jac + (size_t)((stage * s->p->size[ZW_FN_JAC] + at) * LANES);
}

static const double *mass_at(const zw_sweep *s, int at, int stage) {
    return s->mats + (size_t)(((s->mass_varies ? stage : 0) * s->p->size[ZW_FN_MATS] + at) * LANES);
}

/* the largest K_ii/M_ii of the eight steps */
ZW_CLONES static double stiffness(const zw_sweep *s) {
    double most = 0;
    for (int i = 0; i < s->nlink; i++) {
        const link *k = &s->link[i];
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
ZW_CLONES static void put_block(const zw_sweep *s, const link *k, double H) {
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

/* ----------------------------------------------------------------------------------- factors of eight steps */

/* B <- B^-1 (in lanes) by elimination; the smallest pivot by its entry of the diagonal */
ZW_CLONES static double invert(double *restrict B) {
    double least = INFINITY, diagonal[STAGES][LANES];
    for (int i = 0; i < STAGES; i++)
        memcpy(diagonal[i], B + (size_t)((i * STAGES + i) * LANES), sizeof diagonal[i]);
    for (int k = 0; k < STAGES; k++) {
        double inverse[LANES], *pivot = B + (size_t)((k * STAGES + k) * LANES);
        for (int e = 0; e < LANES; e++) {
            double ratio = fabs(pivot[e]) / fabs(diagonal[k][e]);
            least = ratio < least ? ratio : least;
            inverse[e] = 1 / pivot[e];
            pivot[e] = 1;
        }
        for (int j = 0; j < STAGES; j++)
            for (int e = 0; e < LANES; e++)
                B[(k * STAGES + j) * LANES + e] *= inverse[e];
        for (int i = 0; i < STAGES; i++) {
            double f[LANES], *row = B + (size_t)(i * STAGES * LANES);
            if (i == k)
                continue;
            for (int e = 0; e < LANES; e++) {
                f[e] = row[k * LANES + e];
                row[k * LANES + e] = 0;
            }
            for (int j = 0; j < STAGES; j++)
                for (int e = 0; e < LANES; e++)
                    row[j * LANES + e] -= f[e] * B[(k * STAGES + j) * LANES + e];
        }
    }
    return least;
}

/* C = A B, or C -= A B */
ZW_CLONES static void multiply(const double *restrict A, const double *restrict B,
                               double *restrict C, bool subtract) {
    for (int i = 0; i < STAGES; i++)
        for (int half = 0; half < LANES; half += ZW_FOUR) {
            zw_four a[STAGES];
            for (int k = 0; k < STAGES; k++)
                a[k] = ZW_LOAD(A + (i * STAGES + k) * LANES + half);
            for (int j = 0; j < STAGES; j++) {
                const double *b = B + j * LANES + half;
                double *c = C + (i * STAGES + j) * LANES + half;
                zw_four sum = a[0] * ZW_LOAD(b), other = a[1] * ZW_LOAD(b + STAGES * LANES);
                for (int k = 2; k < STAGES; k += 2) {
                    sum += a[k] * ZW_LOAD(b + k * STAGES * LANES);
                    other += a[k + 1] * ZW_LOAD(b + (k + 1) * STAGES * LANES);
                }
                sum += other;
                if (subtract)
                    sum = ZW_LOAD(c) - sum;
                ZW_STORE(c, sum);
            }
        }
}

static double *block_at(const zw_sweep *s, int i, int j) {
    return s->block + (size_t)s->slot[i * s->n + j] * BLOCK;
}

/* A_kk^-1 in its place, A_kk^-1 A_kj to the right of it, A_ik below */
static bool factor(zw_sweep *s) {
    double room[BLOCK];
    for (int k = 0; k < s->n; k++) {
        double *pivot = block_at(s, k, k);
        if (!(invert(pivot) > PIVOT))
            return false;
        for (int j = s->first[k]; j < s->first[k + 1]; j++) {
            double *right = block_at(s, k, s->list[j]);
            memcpy(room, right, sizeof room);
            multiply(pivot, room, right, false);
        }
        for (int i = s->first[k]; i < s->first[k + 1]; i++)
            for (int j = s->first[k]; j < s->first[k + 1]; j++)
                multiply(block_at(s, s->list[i], k), block_at(s, k, s->list[j]),
                         block_at(s, s->list[i], s->list[j]), true);
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------- one step */

/* the right side of a coordinate: R_i = -sum K_i (Q + c_i H V) + C_i V */
ZW_KERNEL void put_side(const zw_sweep *s, int row, int lane, double H) {
    int width = s->width;
    double *R = s->R + (size_t)s->place[row] * STAGES * (size_t)width;
    for (int w = 0; w < STAGES * width; w += ZW_FOUR)
        ZW_STORE(R + w, ((zw_four){0}));
    for (int at = s->link_first[row]; at < s->link_first[row + 1]; at++) {
        const link *k = &s->link[at];
        double K[STAGES], C[STAGES];
        const double *Q = s->Q + (size_t)(k->column * width),
                     *V = s->V + (size_t)(k->column * width);
        for (int i = 0; i < STAGES; i++) {
            K[i] = k->k < 0 ? 0 : jac_at(s, k->k, i)[lane];
            C[i] = s->c[i] * H * K[i] + (k->c < 0 ? 0 : jac_at(s, k->c, i)[lane]);
        }
        for (int w = 0; w < width; w += ZW_FOUR) {
            zw_four q = ZW_LOAD(Q + w), v = ZW_LOAD(V + w);
            for (int i = 0; i < STAGES; i++) {
                double *to = R + i * width + w;
                ZW_STORE(to, ZW_LOAD(to) - (K[i] * q + C[i] * v));
            }
        }
    }
}

/* y (rows of all stages) = B x, or y -= B x; B is one lane of a block, y may be x */
ZW_KERNEL void apply(const double *B, int width, const double *x, double *y, bool subtract) {
    double f[STAGES * STAGES];
    for (int i = 0; i < STAGES * STAGES; i++)
        f[i] = B[i * LANES];
    for (int w = 0; w < width; w += ZW_FOUR) {
        zw_four v[STAGES];
        for (int k = 0; k < STAGES; k++)
            v[k] = ZW_LOAD(x + k * width + w);
        for (int i = 0; i < STAGES; i++) {
            const double *g = f + i * STAGES;
            double *to = y + i * width + w;
            zw_four sum = g[0] * v[0], other = g[1] * v[1];
            for (int k = 2; k < STAGES; k += 2) {
                sum += g[k] * v[k];
                other += g[k + 1] * v[k + 1];
            }
            sum += other;
            if (subtract)
                sum = ZW_LOAD(to) - sum;
            ZW_STORE(to, sum);
        }
    }
}

ZW_CLONES static void step(const zw_sweep *s, int lane, double H) {
    int n = s->n, width = s->width;
    size_t part = (size_t)(STAGES * width);
    for (int i = 0; i < n; i++)
        put_side(s, i, lane, H);
    for (int k = 0; k < n; k++) {
        double *own = s->R + (size_t)k * part;
        apply(block_at(s, k, k) + lane, width, own, own, false);
        for (int at = s->first[k]; at < s->first[k + 1]; at++)
            apply(block_at(s, s->list[at], k) + lane, width, own, s->R + (size_t)s->list[at] * part,
                  true);
    }
    for (int k = n - 1; k >= 0; k--)
        for (int at = s->first[k]; at < s->first[k + 1]; at++)
            apply(block_at(s, k, s->list[at]) + lane, width, s->R + (size_t)s->list[at] * part,
                  s->R + (size_t)k * part, true);
    for (int i = 0; i < n; i++) {
        const double *A = s->R + (size_t)s->place[i] * part;
        double *Q = s->Q + (size_t)(i * width), *V = s->V + (size_t)(i * width);
        for (int w = 0; w < width; w += ZW_FOUR) {
            zw_four q = {0}, v = {0}, before = ZW_LOAD(V + w);
            for (int l = 0; l < STAGES; l++) {
                zw_four a = ZW_LOAD(A + l * width + w);
                q += s->bbar[l] * a;
                v += s->b[l] * a;
            }
            ZW_STORE(Q + w, ZW_LOAD(Q + w) + (H * before + H * H * q));
            ZW_STORE(V + w, before + H * v);
        }
    }
}

/* --------------------------------------------------------------------------------- few columns: all steps at once */

/* y (stages, in lanes) = B x, or y -= B x */
ZW_KERNEL void apply_lanes(const double *B, const double *x, double *y, bool subtract) {
    for (int half = 0; half < LANES; half += ZW_FOUR) {
        zw_four v[STAGES];
        for (int k = 0; k < STAGES; k++)
            v[k] = ZW_LOAD(x + k * LANES + half);
        for (int i = 0; i < STAGES; i++) {
            const double *b = B + i * STAGES * LANES + half;
            zw_four sum = ZW_LOAD(b) * v[0], other = ZW_LOAD(b + LANES) * v[1];
            for (int k = 2; k < STAGES; k += 2) {
                sum += ZW_LOAD(b + k * LANES) * v[k];
                other += ZW_LOAD(b + (k + 1) * LANES) * v[k + 1];
            }
            sum += other;
            if (subtract)
                sum = ZW_LOAD(y + i * LANES + half) - sum;
            ZW_STORE(y + i * LANES + half, sum);
        }
    }
}

/* the accelerations (places x stages, in lanes) that a unit of coordinate or velocity number `column` gives rise to */
ZW_CLONES static void respond(const zw_sweep *s, int column, double H, double *restrict R) {
    int n = s->n, part = STAGES * LANES;
    bool velocity = column >= n;
    memset(R, 0, sizeof(double) * (size_t)(n * part));
    for (int at = 0; at < s->nlink; at++) {
        const link *k = &s->link[at];
        double *to = R + s->place[k->row] * part;
        for (int i = 0; k->column == column % n && i < STAGES; i++) {
            const double *K = k->k < 0 ? NULL : jac_at(s, k->k, i),
                         *C = k->c < 0 || !velocity ? NULL : jac_at(s, k->c, i);
            double by = velocity ? s->c[i] * H : 1;
            for (int e = 0; e < LANES; e++)
                to[i * LANES + e] -= (K ? by * K[e] : 0) + (C ? C[e] : 0);
        }
    }
    for (int k = 0; k < n; k++) {
        apply_lanes(block_at(s, k, k), R + k * part, R + k * part, false);
        for (int at = s->first[k]; at < s->first[k + 1]; at++)
            apply_lanes(block_at(s, s->list[at], k), R + k * part, R + s->list[at] * part, true);
    }
    for (int k = n - 1; k >= 0; k--)
        for (int at = s->first[k]; at < s->first[k + 1]; at++)
            apply_lanes(block_at(s, k, s->list[at]), R + s->list[at] * part, R + k * part, true);
}

/* what becomes of them in a step, in lanes: entry (i, column) of n coordinates and n velocities */
ZW_CLONES static void put_transfer(const zw_sweep *s, int column, double H,
                                   const double *restrict R, double *restrict T) {
    int n = s->n;
    for (int i = 0; i < n; i++) {
        const double *A = R + s->place[i] * STAGES * LANES;
        double *q = T + (i * 2 * n + column) * LANES, *v = T + ((n + i) * 2 * n + column) * LANES;
        for (int e = 0; e < LANES; e++) {
            double sum = 0, rate = 0;
            for (int l = 0; l < STAGES; l++) {
                sum += s->bbar[l] * A[l * LANES + e];
                rate += s->b[l] * A[l * LANES + e];
            }
            q[e] = (column == i) + (column == n + i ? H : 0) + H * H * sum;
            v[e] = (column == n + i) + H * rate;
        }
    }
}

/* the eight steps of a group one after the other: (Q, V) <- T (Q, V) */
ZW_KERNEL void multiply_steps(const zw_sweep *s, const int n, const double *T) {
    double now[2 * FEW][2 * FEW], next[2 * FEW][2 * FEW];
    int width = s->width;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 2 * n; j++) {
            now[i][j] = s->Q[i * width + j];
            now[n + i][j] = s->V[i * width + j];
        }
    for (int lane = 0; lane < LANES; lane++) {
        for (int i = 0; i < 2 * n; i++)
            for (int j = 0; j < 2 * n; j++) {
                double sum = 0;
                for (int k = 0; k < 2 * n; k++)
                    sum += T[(i * 2 * n + k) * LANES + lane] * now[k][j];
                next[i][j] = sum;
            }
        memcpy(now, next, sizeof now);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 2 * n; j++) {
            s->Q[i * width + j] = now[i][j];
            s->V[i * width + j] = now[n + i][j];
        }
}

/* One coordinate: its block with the two right sides, by elimination alone. Returns the smallest pivot by its entry of the diagonal. */
ZW_CLONES static double respond_one(const zw_sweep *s, double H, double *restrict T) {
    enum { WIDE = STAGES + 2 };
    double B[STAGES][WIDE][LANES], diagonal[STAGES][LANES], least = INFINITY;
    const link *k = &s->link[0];
    for (int i = 0; i < STAGES; i++) {
        const double *K = k->k < 0 ? NULL : jac_at(s, k->k, i),
                     *C = k->c < 0 ? NULL : jac_at(s, k->c, i);
        memcpy(B[i], s->block + (size_t)(i * STAGES * LANES), sizeof(double) * STAGES * LANES);
        for (int e = 0; e < LANES; e++) {
            double stiff = K ? K[e] : 0;
            B[i][STAGES][e] = -stiff;
            B[i][STAGES + 1][e] = -(s->c[i] * H * stiff + (C ? C[e] : 0));
            diagonal[i][e] = fabs(B[i][i][e]);
        }
    }
    for (int p = 0; p < STAGES; p++) {
        double inverse[LANES];
        for (int e = 0; e < LANES; e++) {
            double ratio = fabs(B[p][p][e]) / diagonal[p][e];
            least = ratio < least ? ratio : least;
            inverse[e] = 1 / B[p][p][e];
        }
        for (int j = p + 1; j < WIDE; j++)
            for (int e = 0; e < LANES; e++)
                B[p][j][e] *= inverse[e];
        for (int i = p + 1; i < STAGES; i++)
            for (int j = p + 1; j < WIDE; j++)
                for (int e = 0; e < LANES; e++)
                    B[i][j][e] -= B[i][p][e] * B[p][j][e];
    }
    for (int p = STAGES - 1; p > 0; p--)
        for (int i = 0; i < p; i++)
            for (int j = STAGES; j < WIDE; j++)
                for (int e = 0; e < LANES; e++)
                    B[i][j][e] -= B[i][p][e] * B[p][j][e];
    double R[STAGES * LANES];
    for (int column = 0; column < 2; column++) {
        for (int i = 0; i < STAGES; i++)
            memcpy(R + i * LANES, B[i][STAGES + column], sizeof B[0][0]);
        put_transfer(s, column, H, R, T);
    }
    return least;
}

static bool step_one(const zw_sweep *s, double H) {
    double T[4 * LANES];
    if (!(respond_one(s, H, T) > PIVOT))
        return false;
    multiply_steps(s, 1, T);
    return true;
}

static void step_all(const zw_sweep *s, double H) {
    double R[FEW * STAGES * LANES], T[4 * FEW * FEW * LANES];
    for (int column = 0; column < 2 * s->n; column++) {
        respond(s, column, H, R);
        put_transfer(s, column, H, R, T);
    }
    multiply_steps(s, FEW, T);
}

/* ---------------------------------------------------------------------------------------------- the divergence */

/* M^-1 into s->inverse, unless it is known */
static bool find_inverse(zw_sweep *s) {
    int n = s->n;
    bool same = true;
    for (int i = 0; i < s->nlink; i++) {
        const link *k = &s->link[i];
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
static double divergence(zw_sweep *s, double H) {
    int n = s->n;
    double sum = 0;
    if (s->mass_varies || !find_inverse(s))
        return NAN;
    for (int i = 0; i < s->nlink; i++) {
        const link *k = &s->link[i];
        /* entry (column, row) of the inverse, whose columns are stored one after the other */
        double by = k->c < 0 ? 0 : s->inverse[k->row * n + k->column];
        for (int stage = 0; by != 0 && stage < STAGES; stage++)
            for (int e = 0; e < LANES; e++)
                sum -= H * s->b[stage] * by * jac_at(s, k->c, stage)[e];
    }
    return sum;
}

/* ------------------------------------------------------------------------------------------------- the sweep */

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
static zw_status go_round(zw_sweep *s, int number, const double *x, result *out, zw_error *err) {
    ZW_TRY(make_level(s, number, err));
    const level *l = &s->level[number];
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
        evaluate(s, l, group, x);
        if (s->nblock > s->nlink) /* what elimination fills up */
            memset(s->block, 0, sizeof(double) * (size_t)(s->nblock * BLOCK));
        for (int i = 0; i < s->nlink; i++)
            put_block(s, &s->link[i], H);
        if (n > 1 && !factor(s))
            return ZW_RETRY;
        out->trace += divergence(s, H);
        s->stiff = fmax(s->stiff, stiffness(s) * H * H * l->intervals * l->intervals);
        if (n == 1 && !step_one(s, H))
            return ZW_RETRY;
        if (n == FEW)
            step_all(s, H);
        for (int lane = 0; n > FEW && lane < LANES; lane++)
            step(s, lane, H);
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

static double size_of(const result *r, int i) {
    return sqrt(r->re[i] * r->re[i] + r->im[i] * r->im[i]);
}

/* of every multiplier the distance to that of the other result, into s->error; the largest, relative */
static double compare(zw_sweep *s, const result *fine, const result *rough) {
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
static bool is_close(const zw_sweep *s, const result *r) {
    for (int i = 0; i < 2 * s->n; i++)
        if (fabs(size_of(r, i) - 1) < NEAR)
            return true;
    return false;
}

/* the product of all, which the divergence knows */
static bool is_wrong(const zw_sweep *s, const result *r) {
    double allowed = 1e-9 * s->n;
    for (int i = 0; i < 2 * s->n; i++)
        allowed += 10 * (s->error[i] + ROUNDING) / fmax(size_of(r, i), DBL_MIN);
    return fabs(r->sum - r->trace) > allowed; /* not if there is no trace */
}

/* of the present level, by what was measured at a motion before */
static double expected(const zw_sweep *s) {
    double ratio = s->stiff_then > 0 ? s->stiff / s->stiff_then : 1;
    return s->measured * pow(fmax(ratio, 1), STAGES + 0.5);
}

static void enlarge_errors(zw_sweep *s, const result *r) {
    int n = 2 * s->n;
    for (int i = 0; i < n; i++) {
        double apart = INFINITY, size = fmax(1, size_of(r, i)),
               all = SAFETY * fmax(expected(s), ROUNDING);
        for (int j = 0; j < n; j++) {
            double re = r->re[i] - r->re[j], im = r->im[i] - r->im[j];
            apart = i == j ? apart : fmin(apart, re * re + im * im);
        }
        apart = sqrt(apart);
        s->error[i] = size * fmin(sqrt(all), all * fmax(1, APART * size / fmax(apart, DBL_MIN)));
    }
}

static void tell(zw_sweep *s, const result *r, int intervals, zw_floquet *out) {
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

/* from half the steps, already in s->half, to as many as the tolerance asks for: the last two are compared */
static zw_status measure(zw_sweep *s, int from, const double *x, double tolerance, zw_floquet *out,
                         zw_error *err) {
    double before = INFINITY;
    for (int number = from + 1; number < LEVELS; number++) {
        zw_status status = go_round(s, number, x, &s->full, err);
        if (status != ZW_OK)
            return status;
        double error = compare(s, &s->full, &s->half);
        /* where it does not fall as it should, rounding is what is left: of two that are nearly one, its root */
        double enough = number + 1 < LEVELS ? tolerance : fmax(tolerance, LAST);
        if (SAFETY * error <= enough || (error < ROUGH && error > STALLED * before)) {
            s->measured = fmin(error, tolerance / SAFETY);
            s->now = number - 1;
            s->since = 0;
            s->stiff_then = s->stiff;
            if (is_wrong(s, &s->full))
                return ZW_RETRY;
            tell(s, &s->full, s->level[number].intervals, out);
            return ZW_OK;
        }
        before = error;
        result keep = s->half;
        s->half = s->full;
        s->full = keep;
    }
    return ZW_RETRY;
}

static zw_status find(zw_sweep *s, const double *x, double tolerance, double close, zw_floquet *out,
                      zw_error *err) {
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
        status = measure(s, number, x, close, out, err);
        s->now = number;
        s->since = since;
        s->measured = measured;
        s->stiff_then = then;
        return status;
    }
    if (due || SAFETY * expected(s) > tolerance)
        return measure(s, s->now, x, tolerance, out, err);
    enlarge_errors(s, &s->half);
    if (is_wrong(s, &s->half))
        return measure(s, s->now, x, tolerance, out, err);
    tell(s, &s->half, s->level[s->now].intervals, out);
    return ZW_OK;
}

zw_status zw_sweep_multipliers(zw_sweep *s, const double *x, double tolerance, double close,
                               zw_floquet *out, zw_error *err) {
    if (s->resting > 0) {
        s->resting--;
        return ZW_RETRY;
    }
    zw_status status = find(s, x, tolerance, close, out, err);
    if (status == ZW_RETRY) { /* not for some time */
        s->resting = REST;
        s->now = 0;
        s->measured = -1;
    }
    return status;
}
