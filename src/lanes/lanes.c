/* SPDX-License-Identifier: MIT */
#include "lanes.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "rosenbrock.h"

/* n vectors of L, aligned to cache lines */
static double *lanes_of(zw_arena *arena, int L, int n) {
    double *p = ZW_NEW(arena, double, (n + 1) * L + 8);
    return p ? (double *)(((uintptr_t)p + 63) & ~(uintptr_t)63) : NULL;
}

static zw_lanes_terms pack_terms(const double *row, int length) {
    zw_lanes_terms w = {0};
    for (int j = 0; j < ZW_RK_ROWS; j++) {
        if (row[j] == 0)
            continue;
        w.offset[w.n] = j * length;
        w.weight[w.n++] = row[j];
    }
    return w;
}

static void allocate_lanes(zw_lanes *l, zw_arena *a) {
    const zw_kernel *k = l->k;
    double **one[] = {&l->t,       &l->t1,       &l->h,        &l->before, &l->next,
                      &l->steps,   &l->active,   &l->accepted, &l->again,  &l->quality,
                      &l->stage_t, &l->rejected, &l->wanted,   &l->look};
    for (size_t i = 0; i < sizeof one / sizeof *one; i++)
        *one[i] = lanes_of(a, l->L, 1);
    l->y0 = lanes_of(a, l->L, l->n);
    l->y1 = lanes_of(a, l->L, l->n);
    l->stage = lanes_of(a, l->L, l->n);
    l->rate = lanes_of(a, 1, l->table->rows * l->row);
    l->r = lanes_of(a, l->L, (3 + l->table->ndense) * l->n);
    l->p = lanes_of(a, l->L, k->np);
    l->cache = lanes_of(a, l->L, k->ncache);
    l->scratch = lanes_of(a, 1, 2 * l->row);
    if (l->table == &zw_lanes_rodas) {
        l->u = lanes_of(a, l->L, 6 * l->n);
        l->J = lanes_of(a, l->L, l->n * l->n);
        l->E = lanes_of(a, l->L, l->n * l->n);
        l->in_time = lanes_of(a, l->L, l->n);
    }
    l->work = lanes_of(a, 1, k->nwork); /* size for all lanes, not per lane */
    l->out = lanes_of(a, 1, k->nout);
    int nv = k->nv, m = k->npos > k->nvel ? k->npos : k->nvel;
    m = m > k->nc ? m : k->nc;
    l->metric = lanes_of(a, l->L, nv * nv);
    l->rows = lanes_of(a, l->L, m * nv);
    l->kept = lanes_of(a, l->L, k->nc * nv);
    l->schur = lanes_of(a, l->L, m * m);
    l->side = lanes_of(a, l->L, k->nz + m);
    l->move = lanes_of(a, l->L, nv);
    l->open = lanes_of(a, l->L, 1);
    l->leaf = lanes_of(a, l->L, k->nleaf);
}

zw_status zw_lanes_init(zw_lanes *l, zw_arena *arena, const zw_kernel *k,
                        const zw_rk_tableau *table, const zw_lanes_options *options, int nvariation,
                        zw_error *err) {
    *l = (zw_lanes){.k = k, .table = table, .options = *options, .L = k->lanes};
    l->nvariation = nvariation;
    l->at = nvariation * k->nx;
    l->n = l->at + k->nx;
    l->row = (l->at + k->fn[ZW_FN_RHS].nout) * l->L;
    l->enough = nvariation > 0 || table == &zw_lanes_rodas ? 0 : 0.3;
    l->drifts = k->npos + k->nvel + k->nunit + k->nfooting > 0;
    bool stiff = table == &zw_lanes_rodas;
    l->code = zw_lanes_code_here();
    int size = nvariation > 0 || l->n > 8 ? 0 : l->n;
    l->attempt = stiff       ? zw_lanes_rosenbrock
                 : l->L == 4 ? l->code->four[size]
                             : l->code->eight[size];
    for (int i = 0; i < table->rows; i++)
        l->a[i] = pack_terms(table->a[i], l->row);
    for (int i = 0; i < table->ndense; i++)
        l->d[i] = pack_terms(table->d[i], l->row);
    l->e = pack_terms(table->e, l->row);
    allocate_lanes(l, arena);
    if (nvariation > 0)
        ZW_TRY(zw_lanes_linear_init(l, arena, err));
    return arena->failed ? zw_out_of_memory(err, "lanes") : ZW_OK;
}

static void set_mask(double *mask, int lane, bool on) {
    const uint64_t bits = on ? UINT64_MAX : 0;
    memcpy(mask + lane, &bits, sizeof bits);
}

unsigned zw_lanes_bits(const double *mask, int L) {
    unsigned bits = 0;
    for (int i = 0; i < L; i++) {
        uint64_t word;
        memcpy(&word, mask + i, sizeof word);
        bits |= (unsigned)(word & 1) << i;
    }
    return bits;
}

static bool is_any(const double *mask, int L) {
    uint64_t word[8] = {0}, all = 0;
    memcpy(word, mask, sizeof(double) * (size_t)L);
    for (int i = 0; i < 8; i++)
        all |= word[i];
    return all != 0;
}

void zw_lanes_put(zw_lanes *l, int lane, double t, const double *x, const double *p,
                  const double *variation) {
    int L = l->L;
    for (int i = 0; i < l->at; i++)
        l->y0[i * L + lane] = variation[i];
    for (int i = 0; i < l->k->nx; i++)
        l->y0[(l->at + i) * L + lane] = x[i];
    for (int i = 0; p && i < l->k->np; i++)
        l->p[i * L + lane] = p[i];
    l->dirty |= p != NULL;
    l->t[lane] = t;
    l->before[lane] = 0;
    l->fault[lane] = ZW_LANE_GOOD;
    l->fresh |= 1u << lane;
    set_mask(l->active, lane, true);
    set_mask(l->accepted, lane, false); /* its previous state is not used */
    set_mask(l->again, lane, false);
}

void zw_lanes_rest(zw_lanes *l, int lane) {
    set_mask(l->active, lane, false);
    set_mask(l->accepted, lane, false);
    l->fresh &= ~(1u << lane);
    l->next[lane] = INFINITY;
}

unsigned zw_lanes_moved(const zw_lanes *l) {
    return zw_lanes_bits(l->accepted, l->L);
}

/* lanes without a state compute with the numbers of one that has a state */
static void fill_empty(zw_lanes *l) {
    unsigned active = zw_lanes_bits(l->active, l->L);
    if (!active)
        return;
    int from = __builtin_ctz(active), L = l->L;
    for (int lane = 0; lane < L; lane++) {
        if (active >> lane & 1)
            continue;
        for (int i = 0; i < l->k->np; i++)
            l->p[i * L + lane] = l->p[i * L + from];
        for (int i = 0; i < l->n; i++)
            l->y0[i * L + lane] = l->y0[i * L + from];
        l->t[lane] = l->t[from];
        l->h[lane] = l->h[from];
    }
}

static void drop_lanes(zw_lanes *l, unsigned lanes) {
    for (int lane = 0; lane < l->L; lane++)
        if (lanes >> lane & 1) {
            l->fault[lane] = ZW_LANE_LEFT;
            set_mask(l->accepted, lane, false);
        }
    l->left |= lanes;
}

/* lanes in which a watched contact is no longer valid, or pulls */
static unsigned find_lifted(zw_lanes *l, const double *rate) {
    const zw_kernel *k = l->k;
    const zw_args in = {
        .t = l->t1, .x = l->y1 + l->at * l->L, .z = rate + (l->at + k->nq) * l->L, .c = l->cache};
    unsigned bad = 0;
    zw_kernel_call(k, ZW_FN_VALID, &in, l->out, l->work);
    for (int i = 0; i < k->nfooting * l->L; i++)
        bad |= (unsigned)!(l->out[i] > 0) << i % l->L;
    zw_kernel_call(k, ZW_FN_PRESS, &in, l->out, l->work);
    for (int i = 0; i < k->nfooting * l->L; i++)
        bad |= (unsigned)!(l->out[i] >= 0) << i % l->L;
    return bad & zw_lanes_moved(l);
}

/* projects the accepted ends onto the constraints and evaluates the rates there */
static void project_ends(zw_lanes *l) {
    double *end = l->rate + l->table->stages * l->row;
    drop_lanes(l, zw_lanes_project(l));
    zw_lanes_rates(l, l->t1, l->y1, end);
    if (l->k->nfooting > 0)
        drop_lanes(l, find_lifted(l, end));
}

void zw_lanes_disturb(zw_lanes *l, int lane, const double *variation) {
    for (int i = 0; i < l->at; i++)
        l->y1[i * l->L + lane] = variation[i];
    l->disturbed |= 1u << lane;
    l->has_dense = false;
}

/* bits of the lanes that need attention, with their faults */
static unsigned find_stops(zw_lanes *l) {
    unsigned look = zw_lanes_bits(l->look, l->L) | l->left, moved = zw_lanes_moved(l);
    for (int i = 0; i < l->L; i++) {
        if (!(look >> i & 1) || l->left >> i & 1)
            continue;
        if (!(moved >> i & 1))
            l->fault[i] = ZW_LANE_VANISHES;
        else if (l->steps[i] >= (double)l->options.steps_max)
            l->fault[i] = ZW_LANE_STEPS;
    }
    l->left = 0;
    return look;
}

unsigned zw_lanes_step(zw_lanes *l) {
    if (l->disturbed)
        zw_lanes_rates(l, l->t1, l->y1, l->rate + l->table->stages * l->row);
    l->disturbed = 0;
    if (l->moved)
        l->code->take_over(l);
    if (l->dirty) {
        fill_empty(l);
        zw_prepare(l->k, l->p, l->cache, l->work);
        l->dirty = false;
    }
    if (l->fresh && l->k->nleaf > 0)
        zw_lanes_keep_leaf(l);
    if (l->fresh)
        zw_lanes_begin(l);
    l->attempt(l);
    if (l->drifts && zw_lanes_moved(l))
        project_ends(l);
    l->moved = true;
    l->has_dense = false;
    return is_any(l->look, l->L) || l->left ? find_stops(l) : 0;
}
