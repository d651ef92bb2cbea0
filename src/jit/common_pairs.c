/* SPDX-License-Identifier: MIT */
/* The order in which sums and products of many values are computed. First the pair that is in the
 * most lists is combined: it becomes one new entry in all of them, and so on until no pair is in
 * two lists (the greedy compression of Larsson and Moffat, Proc. IEEE 88, 2000). So x1 + x2 + x3
 * and x1 + x2 + x3 + x4, which the normal form of expressions keeps flat, become one sum and one
 * more addition, and products share their factors. A difference and its negative are the same pair.
 *
 * The remaining entries of a list are added in pairs, pairs of pairs, ...: a short chain of
 * dependent operations.
 *
 * Replacing a pair requires a new count of the pairs of each list with it, so a list of n entries
 * costs up to n^2. The pass has a budget and stops when it is used up; the remaining lists then
 * share less. Lists whose pairs would take too much memory are not changed.
 *
 * Counts of pairs are updated list by list; pairs are stored in buckets by their count. Entries of
 * a bucket whose count has changed since are moved or dropped when they are reached. */
#include "common_pairs.h"

#include <string.h>

enum {
    LIST_MAX = 256,       /* longer lists share nothing */
    WINDOW = 24,          /* largest distance in a list of the two entries of a pair */
    SHORT = 32,           /* entries; a list of n entries costs up to 2 n times its first count */
    VISITS_MIN = 3000000, /* pairs that may always be counted; shipped models: 1.2e6 at most */
    VISITS_LONG = 8, /* times the first count of long lists, and 2 SHORT times that of short ones */
    VISITS_FIRST = 10000000, /* of the first count: about 0.5 GB */
    VISITS_MOST = 30000000
};

/* entry of a list: 2 id + sign; ids from `base` on are pairs */
typedef uint32_t entry;

typedef struct pair {
    entry a, b; /* a without sign */
    int count;  /* lists that contain it */
    int first;  /* first of its occurrences, -1 ends the list */
    int stamp;  /* last visit that counted it */
    bool taken;
    zw_value made; /* its value, 0 if not made yet */
} pair;

/* a node of a linked list: a list that contains a pair, or a pair in a bucket */
typedef struct link {
    int item, next;
} link;

typedef struct sharer {
    zw_graph *g;
    zw_arena *scratch;
    int op;    /* ZW_GRAPH_SUM or ZW_GRAPH_PRODUCT */
    int base;  /* number of values when the pass began */
    int nlist; /* lists of that kind */
    entry **list;
    int *size;
    pair *pair;
    int npair, pair_capacity;
    int *slot; /* hash table of pairs, 1 + index */
    int nslot;
    link *link;
    int nlink, link_capacity;
    int *bucket; /* by count: first link, -1 ends */
    int highest, stamp;
    long visits;
    bool failed;
} sharer;

static uint32_t hash_pair(entry a, entry b) {
    uint64_t h = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32);
}

static bool rehash_pairs(sharer *s) {
    int nslot = s->nslot ? 2 * s->nslot : 1024;
    int *slot = ZW_NEW(s->scratch, int, nslot);
    if (!slot)
        return false;
    for (int i = 0; i < s->npair; i++) {
        uint32_t k = hash_pair(s->pair[i].a, s->pair[i].b) & (uint32_t)(nslot - 1);
        while (slot[k])
            k = (k + 1) & (uint32_t)(nslot - 1);
        slot[k] = i + 1;
    }
    s->slot = slot;
    s->nslot = nslot;
    return true;
}

/* the index of a pair, added if necessary; -1 if out of memory */
static int find_pair(sharer *s, entry a, entry b) {
    if (2 * s->npair >= s->nslot && !rehash_pairs(s))
        return -1;
    uint32_t k = hash_pair(a, b) & (uint32_t)(s->nslot - 1);
    for (; s->slot[k]; k = (k + 1) & (uint32_t)(s->nslot - 1)) {
        const pair *p = &s->pair[s->slot[k] - 1];
        if (p->a == a && p->b == b)
            return s->slot[k] - 1;
    }
    if (!zw_arena_grow(s->scratch, (void **)&s->pair, s->npair, &s->pair_capacity, sizeof(pair)))
        return -1;
    s->pair[s->npair] = (pair){.a = a, .b = b, .first = -1};
    s->slot[k] = ++s->npair;
    return s->npair - 1;
}

static void push_link(sharer *s, int *head, int item) {
    if (!zw_arena_grow(s->scratch, (void **)&s->link, s->nlink, &s->link_capacity, sizeof(link))) {
        s->failed = true;
        return;
    }
    s->link[s->nlink] = (link){item, *head};
    *head = s->nlink++;
}

/* Counts every pair of a list once, by = +1 or -1. */
static void count_pairs(sharer *s, int list, int by) {
    const entry *e = s->list[list];
    s->stamp++;
    s->visits += (long)s->size[list] * WINDOW;
    for (int i = 0; i < s->size[list]; i++)
        for (int j = i + 1; j < s->size[list] && j <= i + WINDOW && !s->failed; j++) {
            entry sign = e[i] & 1;
            int k = find_pair(s, e[i] ^ sign, e[j] ^ sign);
            if (k < 0) {
                s->failed = true;
                return;
            }
            pair *p = &s->pair[k];
            if (p->stamp == s->stamp)
                continue;
            p->stamp = s->stamp;
            p->count += by;
            if (by < 0 || p->taken)
                continue;
            push_link(s, &p->first, list);
            if (p->count > 1)
                push_link(s, &s->bucket[p->count], k);
            if (p->count > s->highest)
                s->highest = p->count;
        }
}

/* Positions of a pair in a list, and whether both signs are reversed; false if it is not there. */
static bool find_in_list(const sharer *s, int list, const pair *p, int *i, int *j, entry *sign) {
    const entry *e = s->list[list], last_sign = s->op == ZW_GRAPH_SUM ? 1 : 0;
    for (*i = 0; *i < s->size[list]; ++*i)
        for (*sign = 0; *sign <= last_sign; ++*sign) {
            if (e[*i] != (p->a ^ *sign))
                continue;
            for (*j = *i + 1; *j < s->size[list]; ++*j)
                if (e[*j] == (p->b ^ *sign))
                    return true;
        }
    return false;
}

static void remove_at(sharer *s, int list, int i) {
    entry *e = s->list[list];
    s->size[list]--;
    memmove(&e[i], &e[i + 1], sizeof *e * (size_t)(s->size[list] - i));
}

static void insert_sorted(sharer *s, int list, entry x) {
    entry *e = s->list[list];
    int i = s->size[list]++;
    for (; i > 0 && e[i - 1] > x; i--)
        e[i] = e[i - 1];
    e[i] = x;
}

/* Puts the pair in place of its two entries, in all lists that contain them. */
static void replace_pair(sharer *s, int k) {
    s->pair[k].taken = true;
    for (int o = s->pair[k].first; o >= 0 && !s->failed; o = s->link[o].next) {
        int list = s->link[o].item, i, j;
        entry sign;
        if (!find_in_list(s, list, &s->pair[k], &i, &j, &sign))
            continue;
        count_pairs(s, list, -1);
        do {
            remove_at(s, list, j);
            remove_at(s, list, i);
            insert_sorted(s, list, 2 * (entry)(s->base + k) + sign);
        } while (find_in_list(s, list, &s->pair[k], &i, &j, &sign));
        count_pairs(s, list, 1);
    }
}

static void replace_pairs(sharer *s) {
    long most = VISITS_MIN;
    for (int i = 0; i < s->nlist; i++)
        if (s->size[i] <= LIST_MAX && s->visits < VISITS_FIRST) {
            most += (s->size[i] <= SHORT ? 2L * SHORT : VISITS_LONG) * WINDOW * s->size[i];
            count_pairs(s, i, 1);
        }
    while (s->highest > 1 && !s->failed && s->visits < most && s->visits < VISITS_MOST) {
        int top = s->bucket[s->highest];
        if (top < 0) {
            s->highest--;
            continue;
        }
        int k = s->link[top].item, count = s->pair[k].count;
        s->bucket[s->highest] = s->link[top].next;
        if (s->pair[k].taken || count < 2)
            continue;
        if (count == s->highest)
            replace_pair(s, k);
        else if (count < s->highest)
            push_link(s, &s->bucket[count], k);
    }
}

/* ---- from lists to operations ---- */

static zw_value combine_pair(sharer *s, zw_signed a, zw_signed b, bool *negative) {
    *negative = false;
    if (s->op == ZW_GRAPH_PRODUCT)
        return zw_graph_mul(s->g, a.value, b.value);
    if (a.negative != b.negative && a.negative)
        return zw_graph_sub(s->g, b.value, a.value);
    *negative = a.negative;
    return a.negative == b.negative ? zw_graph_add(s->g, a.value, b.value)
                                    : zw_graph_sub(s->g, a.value, b.value);
}

/* the value of an entry, 0 if it is a pair not computed yet */
static zw_signed value_of(const sharer *s, const zw_value *map, entry e) {
    int id = (int)(e >> 1);
    return (zw_signed){(e & 1) != 0, id < s->base ? map[id] : s->pair[id - s->base].made};
}

/* Computes the value of a pair after those of the pairs in it. */
static void make_pair(sharer *s, const zw_value *map, entry e, entry *stack) {
    int depth = 0;
    stack[depth++] = e;
    while (depth) {
        pair *p = &s->pair[(int)(stack[depth - 1] >> 1) - s->base];
        zw_signed a = value_of(s, map, p->a), b = value_of(s, map, p->b);
        bool negative;
        if (!a.value)
            stack[depth++] = p->a;
        else if (!b.value)
            stack[depth++] = p->b;
        else {
            p->made = combine_pair(s, a, b, &negative);
            if (!p->made) {
                s->failed = true;
                return;
            }
            depth--;
        }
    }
}

/* All powers at once, from the highest bit of the exponents down: square the result, multiply by
 * the factors whose exponent has the bit. So x^2 y^2 is (x y)^2. Equal factors are adjacent. */
static zw_value product_of_parts(sharer *s, int n, const zw_signed *part) {
    zw_value v = s->g->one;
    int bit = 1;
    while (2 * bit <= n)
        bit *= 2;
    for (; bit > 0; bit /= 2) {
        v = zw_graph_mul(s->g, v, v);
        for (int i = 0, j; i < n; i = j) {
            for (j = i + 1; j < n && part[j].value == part[i].value; j++)
                ;
            if ((j - i) & bit)
                v = zw_graph_mul(s->g, v, part[i].value);
        }
    }
    return v;
}

static zw_value sum_of_parts(sharer *s, int n, zw_signed *part) {
    for (; n > 1; n = (n + 1) / 2)
        for (int i = 0; i < n; i += 2) {
            zw_signed sum = part[i];
            if (i + 1 < n)
                sum.value = combine_pair(s, part[i], part[i + 1], &sum.negative);
            part[i / 2] = sum;
        }
    return part[0].negative ? zw_graph_neg(s->g, part[0].value) : part[0].value;
}

static zw_value make_list(sharer *s, const zw_value *map, int list, entry *stack) {
    zw_arena_mark mark = zw_arena_mark_now(s->scratch);
    int n = s->size[list];
    zw_signed *part = ZW_NEW(s->scratch, zw_signed, n);
    for (int i = 0; part && i < n && !s->failed; i++) {
        entry e = s->list[list][i];
        part[i] = value_of(s, map, e);
        if (!part[i].value) {
            make_pair(s, map, e, stack);
            part[i] = value_of(s, map, e);
        }
    }
    zw_value v = 0;
    if (part && !s->failed)
        v = s->op == ZW_GRAPH_SUM ? sum_of_parts(s, n, part) : product_of_parts(s, n, part);
    zw_arena_release(s->scratch, mark);
    return v;
}

/* ---- the pass ---- */

static bool is_list(const zw_node *n) {
    return n->op == ZW_GRAPH_SUM || n->op == ZW_GRAPH_PRODUCT;
}

/* marks the values with the rate of the state that the roots need; others contain no lists */
static void mark_needed(const zw_graph *g, int n, const zw_value *v, bool *needed) {
    for (int i = 0; i < n; i++)
        needed[v[i]] = true;
    for (zw_value k = g->n - 1; k > 0; k--) {
        const zw_node *node = &g->node[k];
        if (!needed[k] || node->rate < ZW_RATE_STATE || node->op == ZW_CODE_INPUT)
            continue;
        zw_value operand[3] = {node->a, node->b, node->c};
        if (is_list(node))
            for (int i = 0; i < node->b; i++)
                needed[g->list[node->a + i].value] = true;
        else
            for (int i = 0; i < zw_code_arity(node->op); i++)
                needed[operand[i]] = true;
    }
}

/* The lists of one kind among the needed values; list_of[v] is the number of v's list. */
static bool collect_lists(sharer *s, const bool *needed, int *list_of) {
    const zw_graph *g = s->g;
    for (zw_value v = 1; v < s->base; v++)
        if (needed[v] && g->node[v].op == s->op)
            list_of[v] = s->nlist++;
    s->list = ZW_NEW(s->scratch, entry *, s->nlist + 1);
    s->size = ZW_NEW(s->scratch, int, s->nlist + 1);
    s->bucket = ZW_NEW(s->scratch, int, s->nlist + 2);
    if (s->scratch->failed)
        return false;
    for (int i = 0; i < s->nlist + 2; i++)
        s->bucket[i] = -1;
    for (zw_value v = 1; v < s->base; v++) {
        const zw_node *node = &g->node[v];
        if (!needed[v] || node->op != s->op)
            continue;
        entry *e = ZW_NEW(s->scratch, entry, node->b);
        if (!e)
            return false;
        for (int i = 0; i < node->b; i++)
            e[i] = 2 * (entry)g->list[node->a + i].value + g->list[node->a + i].negative;
        s->list[list_of[v]] = e;
        s->size[list_of[v]] = node->b;
    }
    return true;
}

static zw_value rebuild_value(zw_graph *g, const zw_value *map, zw_value v) {
    const zw_node n = g->node[v];
    if (n.rate < ZW_RATE_STATE || n.op == ZW_CODE_INPUT)
        return v;
    if (n.op == ZW_CODE_TABLE)
        return zw_graph_table(g, n.b, n.c, map[n.a]);
    int arity = zw_code_arity(n.op);
    return zw_graph_op(g, n.op, map[n.a], arity > 1 ? map[n.b] : 0, arity > 2 ? map[n.c] : 0);
}

static bool share_pairs(zw_graph *g, zw_arena *scratch, int n, zw_value *v) {
    sharer kind[2] = {{.op = ZW_GRAPH_SUM}, {.op = ZW_GRAPH_PRODUCT}};
    int base = g->n, npair = 0;
    bool *needed = ZW_NEW(scratch, bool, base);
    int *list_of = ZW_NEW(scratch, int, base);
    zw_value *map = ZW_NEW(scratch, zw_value, base);
    if (!needed || !list_of || !map)
        return false;
    mark_needed(g, n, v, needed);
    for (int k = 0; k < 2; k++) {
        sharer *s = &kind[k];
        s->g = g;
        s->scratch = scratch;
        s->base = base;
        if (!collect_lists(s, needed, list_of))
            return false;
        replace_pairs(s);
        if (s->failed)
            return false;
        npair += s->npair;
    }
    entry *stack = ZW_NEW(scratch, entry, npair + 1);
    if (!stack)
        return false;
    for (zw_value i = 1; i < base; i++) {
        if (!needed[i])
            continue;
        sharer *s = &kind[g->node[i].op == ZW_GRAPH_PRODUCT];
        map[i] =
            is_list(&g->node[i]) ? make_list(s, map, list_of[i], stack) : rebuild_value(g, map, i);
        if (!map[i])
            return false;
    }
    for (int i = 0; i < n; i++)
        v[i] = map[v[i]];
    return true;
}

zw_status zw_share(zw_graph *g, zw_arena *scratch, int n, zw_value *v) {
    zw_arena_mark mark = zw_arena_mark_now(scratch);
    bool done = share_pairs(g, scratch, n, v);
    zw_arena_release(scratch, mark);
    return done ? ZW_OK : ZW_E_MEMORY;
}
