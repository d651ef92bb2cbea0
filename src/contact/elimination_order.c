/* SPDX-License-Identifier: MIT */
/* The order in which the parts are eliminated from 1 + H'P D H, and the positions of its blocks
 * (minimum degree ordering). Two parts are neighbours if a contact moves both. The part with the
 * fewest neighbours is eliminated first, which makes its neighbours neighbours of each other, and
 * so on. The pattern is symmetric. It depends only on which parts touch, and is reused while they
 * are the same. */
#include <string.h>

#include "base/arena.h"
#include "base/slice.h"
#include "kernels.h"
#include "solver.h"

typedef struct graph {
    zw_arena arena;
    int n;
    int **list, *degree;     /* neighbours not yet eliminated */
    int *mark, tick;         /* for unions */
    int *head, *next, *prev; /* parts by degree */
    int least;
    int nlater;
    long nupdate;
} graph;

/* ------------------------------------------------------------------------------------ the graph */

static void unlink_part(graph *g, int i) {
    if (g->prev[i] >= 0)
        g->next[g->prev[i]] = g->next[i];
    else
        g->head[g->degree[i]] = g->next[i];
    if (g->next[i] >= 0)
        g->prev[g->next[i]] = g->prev[i];
}

static void link_part(graph *g, int i) {
    int d = g->degree[i];
    g->prev[i] = -1;
    g->next[i] = g->head[d];
    if (g->head[d] >= 0)
        g->prev[g->head[d]] = i;
    g->head[d] = i;
    if (d < g->least)
        g->least = d;
}

/* the neighbours of i become those of i and k, without i and k */
static bool unite_neighbours(graph *g, int i, int k) {
    int n = 0, *list = ZW_NEW(&g->arena, int, g->degree[i] + g->degree[k] + 1);
    if (!list)
        return false;
    g->mark[i] = g->mark[k] = ++g->tick;
    for (int source = 0; source < 2; source++) {
        int from = source ? k : i;
        for (int a = 0; a < g->degree[from]; a++)
            if (g->mark[g->list[from][a]] != g->tick) {
                g->mark[g->list[from][a]] = g->tick;
                list[n++] = g->list[from][a];
            }
    }
    g->list[i] = list;
    g->degree[i] = n;
    return true;
}

static bool join_contacts(graph *g, const zw_contact_solver *s) {
    int *count = ZW_NEW(&g->arena, int, g->n + 1);
    for (int i = 0; count && i < s->ncontact; i++)
        for (int e = s->first[i]; e < s->first[i + 1]; e++)
            count[s->touch[e]] += s->first[i + 1] - s->first[i] - 1;
    for (int i = 0; i < g->n && !g->arena.failed; i++)
        g->list[i] = ZW_NEW(&g->arena, int, count[i] + 1);
    if (g->arena.failed)
        return false;
    for (int i = 0; i < s->ncontact; i++)
        for (int e = s->first[i]; e < s->first[i + 1]; e++)
            for (int f = s->first[i]; f < s->first[i + 1]; f++)
                if (s->touch[e] != s->touch[f])
                    g->list[s->touch[e]][g->degree[s->touch[e]]++] = s->touch[f];
    for (int i = 0; i < g->n; i++) { /* each neighbour once */
        int n = 0;
        g->tick++;
        for (int a = 0; a < g->degree[i]; a++)
            if (g->mark[g->list[i][a]] != g->tick) {
                g->mark[g->list[i][a]] = g->tick;
                g->list[i][n++] = g->list[i][a];
            }
        g->degree[i] = n;
    }
    return true;
}

static bool make_graph(graph *g, const zw_contact_solver *s) {
    int n = g->n = s->npart;
    g->list = ZW_NEW(&g->arena, int *, n + 1);
    g->degree = ZW_NEW(&g->arena, int, n + 1);
    g->mark = ZW_NEW(&g->arena, int, n + 1);
    g->head = ZW_NEW(&g->arena, int, n + 1);
    g->next = ZW_NEW(&g->arena, int, n + 1);
    g->prev = ZW_NEW(&g->arena, int, n + 1);
    if (g->arena.failed || !join_contacts(g, s))
        return false;
    for (int i = 0; i <= n; i++)
        g->head[i] = -1;
    g->least = n;
    for (int i = 0; i < n; i++)
        link_part(g, i);
    return true;
}

/* sets order and when; the list of a part keeps its neighbours at its elimination */
static bool eliminate_all(graph *g, int *order, int *when) {
    for (int k = 0; k < g->n; k++) {
        while (g->head[g->least] < 0)
            g->least++;
        int part = g->head[g->least];
        unlink_part(g, part);
        order[k] = part;
        when[part] = k;
        g->nlater += g->degree[part];
        g->nupdate += (long)g->degree[part] * g->degree[part];
        for (int a = 0; a < g->degree[part]; a++) {
            int i = g->list[part][a];
            unlink_part(g, i);
            if (!unite_neighbours(g, i, part))
                return false;
            link_part(g, i);
        }
    }
    return true;
}

/* ----------------------------------------------------------------------------------- the blocks */

static void sort_ints(int *a, int n) {
    for (int i = 1; i < n; i++) {
        int value = a[i], k = i;
        for (; k > 0 && a[k - 1] > value; k--)
            a[k] = a[k - 1];
        a[k] = value;
    }
}

/* the block (a, b) of two pivots; -1 - block if it is kept transposed */
static int find_block(const zw_contact_matrix *m, int a, int b) {
    if (a == b)
        return -1 - m->diagonal[a];
    int k = a < b ? a : b, other = a < b ? b : a, low = m->first[k], high = m->first[k + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (m->later[middle] < other)
            low = middle + 1;
        else
            high = middle;
    }
    return a < b ? m->upper[low] : -1 - m->lower[low];
}

static void place_blocks(zw_contact_matrix *m, const graph *g) {
    int block = 0, n = 0, update = 0;
    for (int k = 0; k < m->npart; k++) {
        int part = m->order[k], d = g->degree[part];
        m->first[k] = n;
        for (int a = 0; a < d; a++)
            m->later[n + a] = m->when[g->list[part][a]];
        sort_ints(m->later + n, d);
        m->diagonal[k] = block++;
        for (int a = n; a < n + d; a++) {
            m->upper[a] = block++;
            m->lower[a] = block++;
        }
        n += d;
    }
    m->first[m->npart] = n;
    for (int k = 0; k < m->npart; k++) {
        m->targets[k] = update;
        for (int a = m->first[k]; a < m->first[k + 1]; a++)
            for (int b = m->first[k]; b < m->first[k + 1]; b++)
                m->target[update++] = find_block(m, m->later[a], m->later[b]);
    }
    m->targets[m->npart] = update;
}

static void place_entries(const zw_contact_solver *s, zw_contact_matrix *m) {
    int n = 0;
    for (int i = 0; i < s->ncontact; i++)
        for (int e = s->first[i]; e < s->first[i + 1]; e++)
            for (int f = s->first[i]; f < s->first[i + 1]; f++)
                m->place[n++] = find_block(m, m->when[s->touch[e]], m->when[s->touch[f]]);
}

static int count_pairs(const zw_contact_solver *s) {
    int n = 0;
    for (int i = 0; i < s->ncontact; i++)
        n += (s->first[i + 1] - s->first[i]) * (s->first[i + 1] - s->first[i]);
    return n;
}

static void slice_matrix(const zw_contact_solver *s, zw_contact_matrix *m, const graph *g,
                         zw_slicer *b) {
    m->block = zw_slice_doubles(b, (g->n + 2 * g->nlater) * ZW_SQUARE);
    m->order = zw_slice_ints(b, g->n);
    m->when = zw_slice_ints(b, g->n);
    m->first = zw_slice_ints(b, g->n + 1);
    m->later = zw_slice_ints(b, g->nlater);
    m->upper = zw_slice_ints(b, g->nlater);
    m->lower = zw_slice_ints(b, g->nlater);
    m->diagonal = zw_slice_ints(b, g->n);
    m->targets = zw_slice_ints(b, g->n + 1);
    m->target = zw_slice_ints(b, (int)g->nupdate);
    m->place = zw_slice_ints(b, count_pairs(s));
    m->touch = zw_slice_ints(b, s->nentry);
    m->pivot = zw_slice(b, (size_t)g->n * 8);
    m->first_entry = zw_slice_ints(b, s->ncontact + 1);
}

/* ------------------------------------------------------------------------------ reuse */

/* is the present order valid for this problem? */
static bool is_ordered(const zw_contact_solver *s) {
    const zw_contact_matrix *m = &s->matrix;
    return m->npart == s->npart && m->nentry == s->nentry && m->ncontact == s->ncontact &&
           memcmp(m->touch, s->touch, sizeof *m->touch * (size_t)m->nentry) == 0 &&
           memcmp(m->first_entry, s->first, sizeof *m->first_entry * (size_t)m->ncontact) == 0;
}

void zw_contact_matrix_clear(zw_contact_solver *s) {
    zw_release(&s->alloc, s->matrix.memory, s->matrix.bytes);
    s->matrix = (zw_contact_matrix){0};
}

/* memory for the blocks of g, grown if necessary */
static zw_status reserve_memory(zw_contact_solver *s, const graph *g, zw_error *err) {
    zw_contact_matrix *m = &s->matrix;
    zw_slicer b = {0};
    slice_matrix(s, m, g, &b);
    if (b.used > m->bytes) {
        zw_contact_matrix_clear(s);
        m->memory = zw_allocate(&s->alloc, b.used);
        if (!m->memory)
            return zw_out_of_memory(err, NULL);
        m->bytes = b.used;
    }
    b = (zw_slicer){.base = m->memory};
    slice_matrix(s, m, g, &b);
    m->nblock = g->n + 2 * g->nlater;
    return ZW_OK;
}

static zw_status order_anew(zw_contact_solver *s, graph *g, zw_error *err) {
    zw_contact_matrix *m = &s->matrix;
    int *order = ZW_NEW(&g->arena, int, s->npart + 1), *when = ZW_NEW(&g->arena, int, s->npart + 1);
    m->npart = 0; /* invalid until all is done */
    if (g->arena.failed || !make_graph(g, s) || !eliminate_all(g, order, when))
        return zw_out_of_memory(err, NULL);
    ZW_TRY(reserve_memory(s, g, err));
    memcpy(m->order, order, sizeof *order * (size_t)s->npart);
    memcpy(m->when, when, sizeof *when * (size_t)s->npart);
    m->npart = s->npart;
    m->nentry = s->nentry;
    m->ncontact = s->ncontact;
    place_blocks(m, g);
    place_entries(s, m);
    memcpy(m->touch, s->touch, sizeof *m->touch * (size_t)s->nentry);
    memcpy(m->first_entry, s->first, sizeof *m->first_entry * (size_t)(s->ncontact + 1));
    return ZW_OK;
}

zw_status zw_contact_matrix_order(zw_contact_solver *s, zw_error *err) {
    if (is_ordered(s))
        return ZW_OK;
    graph g = {0};
    zw_arena_init(&g.arena, &s->alloc);
    zw_status status = order_anew(s, &g, err);
    zw_arena_clear(&g.arena);
    return status;
}
