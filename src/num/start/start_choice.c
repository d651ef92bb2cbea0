/* SPDX-License-Identifier: MIT */
/* Chooses the entries of a start that change. Of the rows A d = -r for the changes d of entries
 * that are not given, some are not satisfied (r != 0). A component consists of such rows, the
 * entries in them, the other rows with these entries, and so on. Entries in no component do not
 * change. Within a component the smallest set of entries is chosen that can satisfy its rows: with
 * the fewest guesses, then with the fewest others; of several such sets the one with the least
 * change in the metric, finally the one declared last.
 *
 * Whether a set can satisfy the rows is tested at a point where no gradient vanishes by chance (x^2
 * + y^2 = l^2 has none at 0), with the residuals of the origin; the size of the change is computed
 * at the origin. An entry without which the rows cannot be satisfied is in every set: usually these
 * are all. All combinations of the others are tried, if there are not too many; otherwise entries
 * that are not needed are removed one after the other. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "complete.h"
#include "num/linear/linalg.h"

enum { TESTS_LEAST = 50, TESTS_MOST = 4000 }; /* limits of the number of tests by OPERATIONS_MAX */
#define OPERATIONS_MAX 2e8                    /* of all tests, estimated: 0.2 s */
#define DEPENDENT_ROW 1e-10                   /* as in project.c */
#define ROW_SATISFIED 1e-8 /* residual relative to its terms: round-off with DEPENDENT_ROW 1e-10 */
#define CHANGE_ROUNDOFF 1e-6 /* error of kept entries over ROW_SATISFIED, of the largest change */
#define SAME_CHANGE ZW_SAME_VALUE /* relative difference of changes that count as equal */

static const double *moved_row(const zw_num_completion *c, const zw_num_linear *at, int i) {
    return c->v.F ? at->F + (size_t)i * (size_t)c->flow->k->nv : NULL;
}

static bool is_solved(const zw_num_completion *c, const zw_num_linear *at, const bool *in) {
    int nv = c->flow->k->nv;
    double longest = 0;
    for (int j = 0; j < nv; j++)
        longest = fmax(longest, fabs(c->flow->step[j]));
    for (int k = 0; k < c->v.m; k++) {
        if (!in[k])
            continue;
        double sum = c->value[k], size = fabs(c->value[k]);
        for (int j = 0; j < nv; j++) {
            double term = at->rows[k * nv + j] * c->flow->step[j];
            sum += term;
            /* kept entries have moved by round-off */
            size += fabs(term) + CHANGE_ROUNDOFF * fabs(at->rows[k * nv + j]) * longest;
        }
        if (!(fabs(sum) <= ROW_SATISFIED * size))
            return false;
    }
    return true;
}

/* the only velocity that a row of a kept entry moves, -1 if there are several */
static int only_velocity(int nv, const double *row) {
    int at = -1;
    for (int j = 0; j < nv; j++)
        if (row[j] != 0) {
            if (at >= 0)
                return -1;
            at = j;
        }
    return at;
}

/* Velocities that are fixed by a single kept entry are 0 and are removed: the remaining problem has
 * the size of the component. free (nv): the others, ascending; returns their number. Entries that
 * fix several velocities become the first *nfirst rows. */
static int gather_free(zw_num_completion *c, const zw_num_linear *at, const bool *kept, int *free,
                       int *nfirst) {
    zw_flow *flow = c->flow;
    int nv = flow->k->nv, nfree = 0, m = 0;
    for (int j = 0; j < nv; j++)
        free[j] = 1;
    for (int i = 0; i < c->v.n; i++) {
        const double *F = moved_row(c, at, i);
        int only = F ? only_velocity(nv, F) : i;
        if (!kept[i])
            continue;
        if (only >= 0)
            free[only] = 0;
        else
            memcpy(flow->rows + (size_t)m++ * (size_t)nv, F, sizeof *F * (size_t)nv);
    }
    for (int j = 0; j < nv; j++)
        if (free[j])
            free[nfree++] = j;
    *nfirst = m;
    return nfree;
}

/* the metric of some velocities, L L' restricted to them, factorised */
static void restrict_metric(const zw_flow *flow, int n, const int *free, double *out) {
    int nv = flow->k->nv;
    for (int a = 0; a < n; a++)
        for (int b = 0; b <= a; b++) {
            double sum = 0;
            for (int k = 0; k <= free[b]; k++) /* free ascends */
                sum += flow->L[free[a] * nv + k] * flow->L[free[b] * nv + k];
            out[a * n + b] = out[b * n + a] = sum;
        }
    zw_num_metric(n, out);
}

double zw_num_change(zw_num_completion *c, const zw_num_linear *at, const bool *kept,
                     const bool *in, int *freedom) {
    zw_flow *flow = c->flow;
    int nv = flow->k->nv, nfirst, *free = c->pivot, n = gather_free(c, at, kept, free, &nfirst),
        m = nfirst;
    const double *L = flow->L;
    if (n < nv) {
        restrict_metric(flow, n, free, c->H);
        L = c->H;
    }
    for (int k = 0; k < m; k++) {
        flow->residual[k] = 0;
        for (int j = 0; j < n; j++) /* in place: n <= nv, and free[j] >= j */
            flow->rows[k * n + j] = flow->rows[k * nv + free[j]];
    }
    for (int k = 0; k < c->v.m; k++) {
        if (!in[k])
            continue;
        for (int j = 0; j < n; j++)
            flow->rows[m * n + j] = at->rows[k * nv + free[j]];
        flow->residual[m++] = -c->value[k];
    }
    for (int k = 0; k < m; k++)
        zw_num_lower_solve(n, L, flow->rows + k * n);
    int rank = zw_num_rows_factor(m, n, flow->rows, nfirst, DEPENDENT_ROW, flow->tau, flow->order);
    zw_num_rows_solve(n, flow->rows, rank, flow->tau, flow->order, flow->residual, flow->step);
    double square = 0;
    for (int j = 0; j < n; j++)
        square += flow->step[j] * flow->step[j];
    zw_num_lower_solve_transposed(n, L, flow->step);
    for (int j = nv - 1, l = n - 1; j >= 0; j--)
        flow->step[j] = l >= 0 && free[l] == j ? flow->step[l--] : 0;
    if (freedom)
        *freedom = n - rank;
    return isfinite(square) && is_solved(c, at, in) ? square : INFINITY;
}

/* ---- a component ---- */

static bool is_involved(const zw_num_completion *c, int row, int i) {
    int nv = c->flow->k->nv;
    const zw_num_linear *both[] = {&c->here, &c->generic};
    for (int l = 0; l < 2; l++) {
        zw_num_level v = c->v;
        v.F = v.F ? both[l]->F : NULL;
        if (zw_num_level_involves(&v, nv, both[l]->rows + row * nv, i))
            return true;
    }
    return false;
}

static bool is_free(const zw_num_completion *c, int i) {
    return !c->given[c->v.offset + i];
}

/* finds the rows and free entries of the component of a row: row_in, and trial false for the
 * entries */
static void find_component(zw_num_completion *c, int row) {
    memset(c->row_in, 0, sizeof *c->row_in * (size_t)c->v.m);
    for (int i = 0; i < c->v.n; i++)
        c->trial[i] = true;
    c->row_in[row] = true;
    for (bool grows = true; grows;) {
        grows = false;
        for (int i = 0; i < c->v.n; i++) {
            if (!is_free(c, i) || !c->trial[i])
                continue;
            bool in = false;
            for (int k = 0; k < c->v.m && !in; k++)
                in = c->row_in[k] && is_involved(c, k, i);
            if (!in)
                continue;
            for (int l = 0; l < c->v.n; l++) /* all of a quaternion */
                if (is_free(c, l) && c->group[l] == c->group[i])
                    c->trial[l] = false;
            for (int k = 0; k < c->v.m; k++)
                c->row_in[k] = c->row_in[k] || is_involved(c, k, i);
            grows = true;
        }
    }
}

static void set_group(zw_num_completion *c, int group, bool kept) {
    for (int i = 0; i < c->v.n; i++)
        if (is_free(c, i) && c->group[i] == group)
            c->trial[i] = kept;
}

static bool can_do(zw_num_completion *c) {
    return zw_num_change(c, &c->generic, c->trial, c->row_in, NULL) < INFINITY;
}

static bool is_guessed(const zw_num_completion *c, int group) {
    for (int i = 0; i < c->v.n; i++)
        if (c->group[i] == group && c->said[c->v.offset + i] == ZW_GUESSED)
            return true;
    return false;
}

/* ---- sets of candidates ---- */

/* the largest number of sets that may be tried */
static int tests_most(const zw_num_completion *c) {
    double nv = c->flow->k->nv, most = OPERATIONS_MAX / (2 * (c->v.n + c->v.m) * nv * nv);
    return most < TESTS_LEAST ? TESTS_LEAST : most > TESTS_MOST ? TESTS_MOST : (int)most;
}

/* the next k of n in pick (ascending); false after the last ones */
static bool next_of(int k, int n, int *pick) {
    int i = k - 1;
    while (i >= 0 && pick[i] == n - k + i)
        i--;
    if (i < 0)
        return false;
    for (pick[i]++; ++i < k;)
        pick[i] = pick[i - 1] + 1;
    return true;
}

/* The best set of `guesses` of the first nguess candidates and `others` of the rest; all candidates
 * are kept at the beginning, and those of the set are not kept at the end. Returns the number of
 * sets. */
static int best_of_size(zw_num_completion *c, int n, int nguess, int guesses, int others,
                        int *tests) {
    const int most = tests_most(c);
    int *g = c->pick, *o = c->pick + guesses, *best = c->pick + guesses + others;
    double least = INFINITY;
    int found = 0;
    for (int i = 0; i < guesses; i++)
        g[i] = i;
    do {
        for (int i = 0; i < others; i++)
            o[i] = i;
        do {
            for (int i = 0; i < guesses + others; i++)
                set_group(c, c->candidate[i < guesses ? g[i] : nguess + c->pick[i]], false);
            if (++*tests <= most && can_do(c)) {
                double size = zw_num_change(c, &c->here, c->trial, c->row_in, NULL);
                if (!found || size < least * (1 - SAME_CHANGE)) {
                    least = size;
                    memcpy(best, c->pick, sizeof *best * (size_t)(guesses + others));
                }
                found++;
            }
            for (int i = 0; i < n; i++)
                set_group(c, c->candidate[i], true);
        } while (*tests < most && next_of(others, n - nguess, o));
    } while (*tests < most && next_of(guesses, nguess, g));
    for (int i = 0; found && i < guesses + others; i++)
        set_group(c, c->candidate[i < guesses ? best[i] : nguess + best[i]], false);
    return found;
}

/* the number of smallest sets; 0: too many to try */
static int smallest_set(zw_num_completion *c, int n, int nguess) {
    int tests = 0, found;
    for (int guesses = 0; guesses <= nguess; guesses++)
        for (int others = guesses ? 0 : 1; others <= n - nguess; others++) {
            found = best_of_size(c, n, nguess, guesses, others, &tests);
            if (found > 0 || tests >= tests_most(c))
                return found;
        }
    return 0;
}

/* Guesses are kept first, then what was declared first. (Candidates are in the opposite order,
 * within guesses and within the others.) */
static void leave_out(zw_num_completion *c, int n, int nguess) {
    for (int i = 0; i < n; i++)
        set_group(c, c->candidate[i], false);
    for (int l = 0; l < n; l++) {
        int i = l < nguess ? nguess - 1 - l : n - 1 - (l - nguess);
        set_group(c, c->candidate[i], true);
        if (!can_do(c))
            set_group(c, c->candidate[i], false);
    }
}

/* finds the candidates that are not needed in every set, which are kept then */
static int find_candidates(zw_num_completion *c, int *nguess) {
    int n = 0;
    for (int guessed = 1; guessed >= 0; guessed--) {
        for (int i = c->v.n - 1; i >= 0; i--) {
            if (c->trial[i] || c->group[i] != i || is_guessed(c, i) != guessed)
                continue;
            set_group(c, i, true);
            if (can_do(c))
                c->candidate[n++] = i;
            set_group(c, i, false);
        }
        if (guessed)
            *nguess = n;
    }
    for (int i = 0; i < n; i++)
        set_group(c, c->candidate[i], true);
    return n;
}

static void choose_in_component(zw_num_completion *c) {
    int freedom, nguess = 0;
    if (!(zw_num_change(c, &c->generic, c->trial, c->row_in, &freedom) < INFINITY))
        return; /* all of it: the search decides */
    int n = find_candidates(c, &nguess);
    if (can_do(c))
        return;
    int sets = smallest_set(c, n, nguess);
    if (sets == 0)
        leave_out(c, n, nguess);
    if (sets != 1)
        c->freedom += freedom;
}

void zw_num_choose_entries(zw_num_completion *c) {
    c->freedom = 0;
    memcpy(c->kept, c->given, sizeof *c->kept * (size_t)c->flow->k->nx);
    memset(c->reach, 0, sizeof *c->reach * (size_t)c->flow->k->nx);
    for (int i = 0; i < c->v.n; i++)
        c->kept[c->v.offset + i] = true;
    for (int k = 0; k < c->v.m; k++) {
        if (c->value[k] == 0)
            continue;
        find_component(c, k);
        bool first = true; /* or is it in the component of an earlier row? */
        for (int l = 0; l < k; l++)
            first = first && !(c->row_in[l] && c->value[l] != 0);
        for (int i = 0; i < c->v.n && first; i++)
            c->reach[c->v.offset + i] = c->reach[c->v.offset + i] || !c->trial[i];
        if (!first)
            continue;
        choose_in_component(c);
        for (int i = 0; i < c->v.n; i++)
            if (!c->trial[i])
                c->kept[c->v.offset + i] = false;
    }
}
