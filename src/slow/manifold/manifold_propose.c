/* SPDX-License-Identifier: MIT */
/* A proposal of the fast variables, from the eigenvalues of the flow along a run. At every row the
 * Jacobian matrix of the rates of the state (without the entries that constraints determine) has
 * eigenvalues lambda_1, lambda_2, ... ordered by decreasing |Re|; a split after k of them has the
 * gap |Re lambda_k|/|lambda_(k+1)|, and the split with the largest minimum of the gap along the run
 * is reported. Eigenvalues that are zero up to round-off belong to neutral directions (ignorable
 * coordinates, conserved quantities): they have no time scale, and a split that leaves only neutral
 * ones has gap 0. The share of an entry i of the state in the fast directions is the sum of |p_i
 * q_i| over them, p and q the left and right eigenvectors, over the sum of all entries: it does not
 * depend on units. Parameters whose change by a thousandth changes the fast eigenvalues by as much
 * in the opposite direction may be the small one. */
#include <math.h>
#include <string.h>

#include "manifold.h"
#include "num/linear/dense.h"
#include "zwang/simulate.h"

enum {
    ROWS = 60,      /* of the run at which eigenvalues are computed */
    SMALL_MOST = 64 /* proposed parameters */
};
/* of the rates: eigenvalues of a double zero are off by the square root of round-off */
#define EIGENVALUE_ROUNDOFF 1e-8
/* Distance from -1 of the exponent of a small parameter, plus what the gap explains: other
 * exponents of physical laws are farther away. */
#define EXPONENT_ERROR 0.1

typedef struct proposer {
    zw_manifold *m;
    int n;
    zw_expr *J, *symbol; /* n x n; parameters and entries */
    double *value, *z, *A;
    zw_dense_eigen eigen;
    double noise; /* [1/s]: smaller eigenvalues are zero */
    int *order;
    double *least, *at; /* n: the least gap after k, and its row */
} proposer;

static zw_status prepare_proposer(proposer *p, zw_error *err) {
    zw_manifold *m = p->m;
    int n = p->n = m->rates.nentry, np = m->sys->np;
    p->J = ZW_MANIFOLD_NEW(m, zw_expr, n * n);
    p->symbol = ZW_MANIFOLD_NEW(m, zw_expr, np + n);
    p->value = ZW_MANIFOLD_NEW(m, double, np + n);
    p->A = ZW_MANIFOLD_NEW(m, double, n *n);
    p->order = ZW_MANIFOLD_NEW(m, int, n);
    p->least = ZW_MANIFOLD_NEW(m, double, n);
    p->at = ZW_MANIFOLD_NEW(m, double, n);
    if (m->arena.failed)
        return zw_manifold_memory(err);
    for (int i = 0; i < np; i++)
        p->symbol[i] = m->sys->param[i].sym;
    for (int i = 0; i < n; i++)
        p->symbol[np + i] = m->rates.entry[i].sym;
    for (int i = 0; i < n; i++) {
        zw_expr rate = zw_div(m->ctx, m->rates.entry[i].num, m->rates.entry[i].den);
        zw_gradient(m->ctx, rate, n, p->symbol + np, p->J + i * n);
        p->least[i] = INFINITY;
    }
    p->z = p->value + np;
    return zw_context_status(m->ctx, err);
}

static double size_of(const zw_dense_eigen *e, int i) {
    return hypot(e->re[i], e->im[i]);
}

/* Eigenvalues at the values in p, by decreasing |Re|. */
static bool find_eigenvalues(proposer *p, const double *parameters) {
    zw_manifold *m = p->m;
    int n = p->n;
    memcpy(p->value, parameters, (size_t)m->sys->np * sizeof *p->value);
    zw_eval_all(m->ctx, n * n, p->J, m->sys->np + n, p->symbol, p->value, p->A);
    for (int i = 0; i < n * n; i++)
        if (!isfinite(p->A[i]))
            return false;
    if (!zw_dense_eigenvalues(&m->arena, n, p->A, &p->eigen))
        return false;
    double sum = 0; /* of products with the unit of a squared rate, for any units of the entries */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += fabs(p->A[i * n + j] * p->A[j * n + i]);
    p->noise = EIGENVALUE_ROUNDOFF * sqrt(sum);
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; k > 0 && fabs(p->eigen.re[p->order[k - 1]]) < fabs(p->eigen.re[i]); k--)
            p->order[k] = p->order[k - 1];
        p->order[k] = i;
    }
    return true;
}

/* The same at the parameters of the model, where it must succeed. */
static zw_status decompose_here(proposer *p, zw_error *err) {
    if (find_eigenvalues(p, p->m->p))
        return ZW_OK;
    if (p->m->arena.failed)
        return zw_manifold_memory(err);
    return zw_fail(err, ZW_E_NUMERIC,
                   "the Jacobian of the rates has no finite eigenvalues along the run");
}

/* The gap after the first k of them; pairs stay together. */
static double gap_after(const proposer *p, int k) {
    const zw_dense_eigen *e = &p->eigen;
    int last = p->order[k - 1], next = p->order[k];
    double slow = 0;
    if (e->im[last] != 0 && e->re[last] == e->re[next] && e->im[last] == -e->im[next])
        return 0;
    for (int i = k; i < p->n; i++)
        slow = fmax(slow, size_of(e, p->order[i]));
    return slow > p->noise ? fabs(e->re[last]) / slow : 0;
}

static void take_row(proposer *p, const zw_table *rows, long k) {
    for (int i = 0; i < p->n; i++)
        p->z[i] = zw_table_at(rows, k, zw_table_find(rows, p->m->rates.entry[i].name));
}

static double part_of(const zw_dense_eigen *e, int n, int i, int j) {
    return hypot(e->right_re[i * n + j], e->right_im[i * n + j]) *
           hypot(e->left_re[i * n + j], e->left_im[i * n + j]);
}

static void add_shares(const proposer *p, int nfast, double *share, double weight) {
    const zw_dense_eigen *e = &p->eigen;
    int n = p->n;
    for (int k = 0; k < nfast; k++) {
        int j = p->order[k];
        double all =
            0; /* of the sizes of the products, so that the shares of a direction add up to 1 */
        for (int i = 0; i < n; i++)
            all += part_of(e, n, i, j);
        for (int i = 0; i < n && all > 0 && isfinite(all); i++)
            share[i] += weight * part_of(e, n, i, j) / all;
    }
}

static double fast_rate(const proposer *p, int nfast) {
    double sum = 0;
    for (int k = 0; k < nfast; k++)
        sum += fabs(p->eigen.re[p->order[k]]);
    return sum;
}

/* Parameters to which the fast rates are inversely proportional, at the state in p. */
static zw_status find_small(proposer *p, int nfast, zw_split_proposal *out, zw_error *err) {
    const zw_system *s = p->m->sys;
    const char **name = zw_context_alloc(p->m->ctx, SMALL_MOST * sizeof *name);
    double *moved = ZW_MANIFOLD_NEW(p->m, double, s->np);
    bool *given = ZW_MANIFOLD_NEW(p->m, bool, s->np);
    if (!name || p->m->arena.failed)
        return zw_manifold_memory(err);
    ZW_TRY(decompose_here(p, err));
    double rate = fast_rate(p, nfast);
    for (int i = 0; i < s->np && out->nsmall < SMALL_MOST; i++) {
        zw_error why = {0};
        if (p->m->p[i] == 0 || zw_foreign_symbol(p->m->ctx, s->param[i].value, 0, NULL))
            continue;
        memcpy(moved, p->m->p, (size_t)s->np * sizeof *moved);
        memset(given, 0, (size_t)s->np * sizeof *given);
        moved[i] *= 1.001;
        given[i] = true;
        if (zw_system_param_follow(s, given, moved, &why) < 0 || !find_eigenvalues(p, moved))
            continue;
        double exponent = log(fast_rate(p, nfast) / rate) / log(1.001);
        if (fabs(exponent + 1) < fmin(EXPONENT_ERROR + 1 / out->gap, 0.4))
            name[out->nsmall++] = s->param[i].name;
    }
    out->small = name;
    return ZW_OK;
}

static zw_status scan_rows(proposer *p, const zw_table *rows, zw_split_proposal *out,
                           zw_error *err) {
    long n = zw_table_rows(rows);
    for (long k = 0; k < n; k++) {
        take_row(p, rows, k);
        if (!find_eigenvalues(p, p->m->p))
            continue;
        out->npoint++;
        for (int i = 1; i < p->n; i++) {
            double gap = gap_after(p, i);
            if (gap < p->least[i]) {
                p->least[i] = gap;
                p->at[i] = (double)k;
            }
        }
    }
    if (out->npoint == 0)
        return zw_fail(err, ZW_E_NUMERIC, "the Jacobian is nowhere finite along the run");
    for (int i = 1; i < p->n; i++)
        if (out->nfast == 0 || p->least[i] > out->gap) {
            out->nfast = i;
            out->gap = p->least[i];
        }
    double *share = zw_context_alloc(p->m->ctx, (size_t)p->n * sizeof *share);
    if (!share)
        return zw_manifold_memory(err);
    out->share = share;
    if (!(out->gap > 1)) /* nothing is fast */
        return ZW_OK;
    out->attracting = true;
    long widest = 0;
    double most = -1;
    for (long k = 0; k < n; k++) {
        take_row(p, rows, k);
        if (!find_eigenvalues(p, p->m->p))
            continue;
        if (gap_after(p, out->nfast) > most) {
            most = gap_after(p, out->nfast);
            widest = k;
        }
        add_shares(p, out->nfast, share, 1.0 / out->npoint);
        for (int i = 0; i < out->nfast; i++)
            out->attracting = out->attracting && p->eigen.re[p->order[i]] < 0;
    }
    take_row(p, rows, (long)p->at[out->nfast]);
    ZW_TRY(decompose_here(p, err));
    out->fast_rate = fabs(p->eigen.re[p->order[out->nfast - 1]]);
    for (int i = out->nfast; i < p->n; i++)
        out->slow_rate = fmax(out->slow_rate, size_of(&p->eigen, p->order[i]));
    out->at = zw_table_at(rows, (long)p->at[out->nfast], 0);
    take_row(p, rows, widest); /* where the gap is largest */
    return find_small(p, out->nfast, out, err);
}

static zw_status propose_split(proposer *p, double until, zw_split_proposal *out, zw_error *err) {
    zw_sim_options o = zw_sim_options_default();
    zw_sim *sim = NULL;
    const char **name;
    ZW_TRY(zw_manifold_rates(p->m, err));
    if (p->m->rates.nentry < 2) {
        zw_fail(err, ZW_E_MODEL, "a state with one entry cannot be split");
        return ZW_E_MODEL;
    }
    ZW_TRY(prepare_proposer(p, err));
    out->nstate = p->n;
    out->name = name = zw_context_alloc(p->m->ctx, (size_t)p->n * sizeof *name);
    if (!name)
        return zw_manifold_memory(err);
    for (int i = 0; i < p->n; i++)
        name[i] = p->m->rates.entry[i].name;
    o.until = until;
    o.step_out = until / ROWS;
    zw_status status = zw_sim_create(&sim, p->m->sys, NULL, &o, err);
    if (status >= 0)
        status = zw_sim_run(sim, err);
    if (status >= 0)
        status = scan_rows(p, zw_sim_rows(sim), out, err);
    zw_sim_destroy(sim);
    return status;
}

zw_status zw_manifold_propose(const zw_system *sys, double until, zw_split_proposal *out,
                              zw_error *err) {
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_manifold m = {.sys = sys, .ctx = sys->ctx};
    proposer p = {.m = &m};
    *out = (zw_split_proposal){0};
    zw_arena_init(&m.arena, &alloc);
    m.p = ZW_MANIFOLD_NEW(&m, double, sys->np);
    zw_status status = m.p ? zw_system_param_values(sys, m.p, err) : zw_manifold_memory(err);
    if (status >= 0)
        status = propose_split(&p, until, out, err);
    zw_arena_clear(&m.arena);
    return status;
}
