/* SPDX-License-Identifier: MIT */
/* The structure of a sweep: which coordinates are coupled, the order of their elimination, the
 * places of the blocks; and the points of its steps. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/vector_targets.h"
#include "blocks.h"
#include "motion/floquet/variation.h"
#include "sweep_private.h"

/* --------------------------------------------------------------------------------------- set-up */

/* abar_il = int_0^c_i (c_i - s) l_l(s) ds, by the same points: the degree is small enough */
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

static int entry_index(const zw_period_entry *e) {
    return e->kind == ZW_SERIES_ZERO ? -1 : e->at;
}

static zw_status make_structure(zw_sweep *s, zw_error *err) {
    const zw_period *p = s->p;
    int n = s->n;
    zw_arena *arena = &s->arena;
    s->link = ZW_NEW(arena, zw_sweep_link, p->npair + 1);
    s->link_first = ZW_NEW(arena, int, n + 2);
    s->order = ZW_NEW(arena, int, n + 1);
    s->position = ZW_NEW(arena, int, n + 1);
    s->block_index = ZW_NEW(arena, int, n *n + 1);
    s->first = ZW_NEW(arena, int, n + 2);
    s->list = ZW_NEW(arena, int, n *n + 1);
    bool *graph = ZW_NEW(arena, bool, n *n + 1), *done = ZW_NEW(arena, bool, n + 1);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < p->npair; i++) {
        const zw_period_pair *pair = &p->pair[i];
        graph[pair->row * n + pair->function] = graph[pair->function * n + pair->row] = true;
    }
    for (int i = 0; i < n; i++)
        graph[i * n + i] = true;
    zw_blocks_order(n, graph, done, s->order, s->position);
    int at = 0;
    for (int i = 0; i < n; i++) {
        s->first[i] = at;
        for (int j = 0; j < n; j++) {
            bool is_nonzero = graph[s->order[i] * n + s->order[j]];
            s->block_index[i * n + j] = is_nonzero ? s->nblock++ : -1;
            if (is_nonzero && j > i)
                s->list[at++] = j;
        }
    }
    s->first[n] = at;
    for (int i = 0; i < p->npair; i++) {
        const zw_period_pair *pair = &p->pair[i];
        s->mass_varies |= pair->entry[2].kind == ZW_SERIES_VARIES;
        s->link[s->nlink++] = (zw_sweep_link){
            .row = pair->row,
            .column = pair->function,
            .k = entry_index(&pair->entry[0]),
            .c = entry_index(&pair->entry[1]),
            .m = entry_index(&pair->entry[2]),
            .block = s->block_index[s->position[pair->row] * n + s->position[pair->function]]};
        s->link_first[pair->row + 1] = s->nlink;
    }
    for (int i = 0; i < n; i++) /* rows without entries */
        s->link_first[i + 1] =
            s->link_first[i + 1] > s->link_first[i] ? s->link_first[i + 1] : s->link_first[i];
    return ZW_OK;
}

static void make_result(zw_arena *arena, int n, zw_sweep_result *r) {
    r->re = ZW_NEW(arena, double, 2 * n + 1);
    r->im = ZW_NEW(arena, double, 2 * n + 1);
}

static zw_status allocate_sweep(zw_sweep *s, zw_error *err) {
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
        return zw_out_of_memory(err, NULL);
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
        return zw_out_of_memory(err, NULL);
    *s = (zw_sweep){.alloc = own,
                    .p = p,
                    .n = p->n,
                    .width = zw_fours(2 * p->n),
                    .level_in_use = 0,
                    .measured = -1};
    zw_arena_init(&s->arena, &own);
    find_rule(s);
    zw_status status = make_structure(s, err);
    if (status >= 0)
        status = allocate_sweep(s, err);
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

/* phase of a point (group of eight steps, stage, lane), which belongs to step 8 g + lane */
static double point_phase(const zw_sweep *s, int intervals, int point) {
    int lane = point % LANES, stage = point / LANES % STAGES, group = point / (LANES * STAGES);
    return 2 * M_PI * (group * LANES + lane + s->c[stage]) / intervals;
}

zw_status zw_sweep_make_level(zw_sweep *s, int number, zw_error *err) {
    zw_sweep_level *l = &s->level[number];
    int intervals = LANES << number, points = STAGES * intervals, top = s->p->fourier.top;
    if (l->intervals)
        return ZW_OK;
    l->tau = ZW_NEW(&s->arena, double, points);
    l->cosine = ZW_NEW(&s->arena, double, (top + 1) * points);
    l->sine = ZW_NEW(&s->arena, double, (top + 1) * points);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < points; i++) {
        l->tau[i] = point_phase(s, intervals, i);
        for (int h = 0; h <= top; h++) {
            l->cosine[h * points + i] = cos(h * l->tau[i]);
            l->sine[h * points + i] = sin(h * l->tau[i]);
        }
    }
    l->intervals = intervals;
    return ZW_OK;
}
