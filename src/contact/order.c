/* SPDX-License-Identifier: MIT */
/* In which order the parts are eliminated from 1 + H'P D H, and where its blocks stand. Two parts are joined if a contact
 * moves both. The part with the fewest neighbours goes first, and joins these; so on. The pattern is symmetric. It depends
 * only on who touches whom, and is kept while that stays. */
#include <string.h>

#include "base/arena.h"
#include "base/slice.h"
#include "solver.h"

typedef struct graph {
    zw_arena arena;
    int n;
    int **list, *degree;     /* neighbours that are left */
    int *mark, tick;         /* for unions */
    int *head, *next, *prev; /* parts by degree */
    int least;
    int nlater;
    long nupdate;
} graph;

/* ------------------------------------------------------------------------------------------ the graph */

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

/* the neighbours of i become those of i and k, without both */
static bool unite(graph *g, int i, int k) {
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
    const zw_contact_problem *p = s->problem;
    int *count = ZW_NEW(&g->arena, int, g->n + 1);
    for (int i = 0; count && i < p->ncontact; i++)
        for (int e = s->first[i]; e < s->first[i + 1]; e++)
            count[p->entry[e].part] += s->first[i + 1] - s->first[i] - 1;
    for (int i = 0; i < g->n && !g->arena.failed; i++)
        g->list[i] = ZW_NEW(&g->arena, int, count[i] + 1);
    if (g->arena.failed)
        return false;
    for (int i = 0; i < p->ncontact; i++)
        for (int e = s->first[i]; e < s->first[i + 1]; e++)
            for (int f = s->first[i]; f < s->first[i + 1]; f++) {
                int a = p->entry[e].part, b = p->entry[f].part;
                if (a != b)
                    g->list[a][g->degree[a]++] = b;
            }
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
    int n = g->n = s->problem->npart;
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

/* order and when; the neighbours of a part at its elimination stay in its list */
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
            if (!unite(g, i, part))
                return false;
            link_part(g, i);
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------------ the blocks */

static void sort_ints(int *a, int n) {
    for (int i = 1; i < n; i++) {
        int value = a[i], k = i;
        for (; k > 0 && a[k - 1] > value; k--)
            a[k] = a[k - 1];
        a[k] = value;
    }
}

static int part_size(const zw_contact_solver *s, int pivot) {
    return s->problem->part[s->matrix.order[pivot]].n;
}

/* where block (a, b) of two pivots begins */
static int find_block(const zw_contact_matrix *m, int a, int b) {
    if (a == b)
        return m->diagonal[a];
    int k = a < b ? a : b, other = a < b ? b : a, low = m->first[k], high = m->first[k + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (m->later[middle] < other)
            low = middle + 1;
        else
            high = middle;
    }
    return a < b ? m->upper[low] : m->lower[low];
}

static void place_blocks(zw_contact_solver *s, const graph *g) {
    zw_contact_matrix *m = &s->matrix;
    int at = 0, n = 0, update = 0;
    for (int k = 0; k < m->npart; k++) {
        int part = m->order[k], d = g->degree[part];
        m->first[k] = n;
        for (int a = 0; a < d; a++)
            m->later[n + a] = m->when[g->list[part][a]];
        sort_ints(m->later + n, d);
        m->diagonal[k] = at;
        at += part_size(s, k) * part_size(s, k);
        for (int a = n; a < n + d; a++) {
            int size = part_size(s, k) * part_size(s, m->later[a]);
            m->upper[a] = at;
            m->lower[a] = at + size;
            at += 2 * size;
        }
        n += d;
    }
    m->first[m->npart] = n;
    m->size = at;
    for (int k = 0; k < m->npart; k++) {
        m->targets[k] = update;
        for (int a = m->first[k]; a < m->first[k + 1]; a++)
            for (int b = m->first[k]; b < m->first[k + 1]; b++)
                m->target[update++] = find_block(m, m->later[a], m->later[b]);
    }
    m->targets[m->npart] = update;
}

static void place_entries(zw_contact_solver *s) {
    const zw_contact_problem *p = s->problem;
    zw_contact_matrix *m = &s->matrix;
    int n = 0;
    for (int i = 0; i < p->ncontact; i++)
        for (int e = s->first[i]; e < s->first[i + 1]; e++)
            for (int f = s->first[i]; f < s->first[i + 1]; f++)
                m->place[n++] = find_block(m, m->when[p->entry[e].part], m->when[p->entry[f].part]);
}

static int count_pairs(const zw_contact_solver *s) {
    int n = 0;
    for (int i = 0; i < s->problem->ncontact; i++)
        n += (s->first[i + 1] - s->first[i]) * (s->first[i + 1] - s->first[i]);
    return n;
}

static int count_doubles(const zw_contact_solver *s, const graph *g, const int *order) {
    int size = 0;
    for (int k = 0; k < g->n; k++) {
        int part = order[k], n = s->problem->part[part].n;
        size += n * n;
        for (int a = 0; a < g->degree[part]; a++)
            size += 2 * n * s->problem->part[g->list[part][a]].n;
    }
    return size;
}

static void slice_matrix(zw_contact_solver *s, const graph *g, int doubles, zw_slicer *b) {
    zw_contact_matrix *m = &s->matrix;
    m->block = zw_slice_doubles(b, doubles);
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
    m->signature = zw_slice_ints(b, g->n + 2 * s->problem->nentry);
    m->pivot = zw_slice_ints(b, s->ncol);
}

/* ------------------------------------------------------------------------------------------- signature */

/* writes it, or compares it: false if it is another */
static bool sign(const zw_contact_solver *s, int *out, bool compare) {
    const zw_contact_problem *p = s->problem;
    int n = 0;
    for (int i = 0; i < p->npart + p->nentry; i++) {
        const zw_contact_entry *e = i < p->npart ? NULL : &p->entry[i - p->npart];
        int first = e ? e->contact : p->part[i].n, second = e ? e->part : 0;
        if (compare && (out[n] != first || (e && out[n + 1] != second)))
            return false;
        if (!compare) {
            out[n] = first;
            if (e)
                out[n + 1] = second;
        }
        n += e ? 2 : 1;
    }
    return true;
}

void zw_contact_matrix_clear(zw_contact_solver *s) {
    zw_release(&s->alloc, s->matrix.memory, s->matrix.bytes);
    s->matrix = (zw_contact_matrix){0};
}

static zw_status order_anew(zw_contact_solver *s, graph *g, zw_error *err) {
    const zw_contact_problem *p = s->problem;
    zw_slicer b = {0};
    int *order = ZW_NEW(&g->arena, int, p->npart + 1), *when = ZW_NEW(&g->arena, int, p->npart + 1);
    if (g->arena.failed || !make_graph(g, s) || !eliminate_all(g, order, when))
        return zw_fail(err, ZW_E_MEMORY, "out of memory");
    int doubles = count_doubles(s, g, order);
    zw_contact_matrix_clear(s);
    slice_matrix(s, g, doubles, &b);
    void *memory = zw_allocate(&s->alloc, b.used);
    if (!memory)
        return zw_fail(err, ZW_E_MEMORY, "out of memory");
    s->matrix = (zw_contact_matrix){.npart = p->npart,
                                    .nentry = p->nentry,
                                    .memory = memory,
                                    .bytes = b.used,
                                    .nsignature = p->npart + 2 * p->nentry};
    b = (zw_slicer){.base = memory};
    slice_matrix(s, g, doubles, &b);
    memcpy(s->matrix.order, order, sizeof *order * (size_t)p->npart);
    memcpy(s->matrix.when, when, sizeof *when * (size_t)p->npart);
    place_blocks(s, g);
    place_entries(s);
    sign(s, s->matrix.signature, false);
    return ZW_OK;
}

zw_status zw_contact_matrix_order(zw_contact_solver *s, zw_error *err) {
    const zw_contact_problem *p = s->problem;
    zw_contact_matrix *m = &s->matrix;
    if (m->memory && m->npart == p->npart && m->nentry == p->nentry && sign(s, m->signature, true))
        return ZW_OK;
    graph g = {0};
    zw_arena_init(&g.arena, &s->alloc);
    zw_status status = order_anew(s, &g, err);
    zw_arena_clear(&g.arena);
    return status;
}
