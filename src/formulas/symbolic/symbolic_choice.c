/* SPDX-License-Identifier: MIT */
/* The role of each entry of the state, by numbers at random parameter values: an entry that
 * is generally nonzero is nonzero there.
 *
 *   pinned     a disturbance along a symmetry changes them: one for each independent symmetry,
 *              positions if possible
 *   dependent  the constraints determine them: pivots of G, the least wanted entries first
 *   kept       the others; those that the user names, then angles and states, lengths, velocities
 *              of kept positions, others */
#include <math.h>
#include <string.h>

#include "base/option.h"
#include "base/tolerance.h"
#include "symbolic.h"

#define ENTRY_ROUNDOFF 1e-9 /* of the largest entry of its row: less counts as zero */
#define PIN_SHARE 1e-2      /* of the largest entry: a smaller one would be divided by */
/* of the largest entry of its row: smaller pivots are round-off of the elimination */
#define PIVOT_ROUNDOFF 1e-7

static const char *unit_of(const zw_symbolic *s, int i) {
    return i < s->eq.nq ? s->sys->coord[i].unit : s->sys->velocity[i - s->eq.nq].unit;
}

static bool is_angle(const zw_symbolic *s, int i) {
    const char *u = unit_of(s, i);
    return u[0] == '\0' || strncmp(u, "rad", 3) == 0 || strcmp(u, "1") == 0 ||
           strcmp(u, "1/s") == 0;
}

/* --------------------------------------------------------------------------------------- pinned */

static bool has_number(const int *list, int n, int x) {
    for (int i = 0; i < n; i++)
        if (list[i] == x)
            return true;
    return false;
}

static double largest_entry(const double *row, int n) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(row[i]));
    return most;
}

/* The symmetries in the order in which they get their rates: if they are not independent, rotations
 * about the body's axes first. */
static void order_rows(const zw_symbolic *s, int *order) {
    int n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < s->nsymmetry; i++)
            if (s->own[i] == (pass == 0))
                order[n++] = i;
}

static void eliminate_column(double *X, int rows, int nx, int row, int column) {
    for (int i = 0; i < rows; i++) {
        double factor = X[i * nx + column] / X[row * nx + column];
        for (int k = 0; k < nx && i != row; k++)
            X[i * nx + k] -= factor * X[row * nx + k];
        if (i != row)
            X[i * nx + column] = 0;
    }
}

static bool is_wanted(const zw_symbolic *s, int i) {
    for (int k = 0; k < s->options.nkeep; k++)
        if (strcmp(s->options.keep[k], zw_symbolic_entry(s, i)) == 0)
            return true;
    return false;
}

/* The first entry that this row moves: positions that the user did not name, then all others. */
static int find_pin(const zw_symbolic *s, const double *row, double most, int n) {
    for (int pass = 0; pass < 3; pass++)
        for (int i = 0; i < s->nx; i++) {
            bool good = pass == 2 || (!is_wanted(s, i) && (pass == 1 || i < s->eq.nq));
            if (good && fabs(row[i]) > ENTRY_ROUNDOFF * most &&
                fabs(row[i]) > PIN_SHARE * largest_entry(row, s->nx) &&
                !has_number(s->pinned, n, i))
                return i;
        }
    return -1;
}

zw_status zw_symbolic_pin(zw_symbolic *s, zw_error *err) {
    int m = s->nsymmetry, nx = s->nx, n = 0, *order = ZW_SYMBOLIC_NEW(s, int, m),
        *used = ZW_SYMBOLIC_NEW(s, int, m);
    double *X = ZW_SYMBOLIC_NEW(s, double, m *nx);
    zw_expr *field = ZW_SYMBOLIC_NEW(s, zw_expr, m * nx);
    s->pinned = ZW_SYMBOLIC_NEW(s, int, m);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    memcpy(field, s->X, (size_t)(m * nx) * sizeof *field);
    ZW_TRY(zw_symbolic_linear(s, m * nx, field, s->X, NULL, err));
    for (int i = 0; i < m * nx; i++)
        X[i] = zw_symbolic_value(s, 1, s->X[i]);
    double most = largest_entry(X, m * nx);
    order_rows(s, order);
    for (int k = 0; k < m; k++) {
        double *row = X + (size_t)order[k] * (size_t)nx;
        int pin = largest_entry(row, nx) > ENTRY_ROUNDOFF * most ? find_pin(s, row, most, n) : -1;
        if (pin < 0)
            /* it does not move this motion, or no more than the others do: its rate is 0 */
            continue;
        eliminate_column(X, m, nx, order[k], pin);
        used[n] = order[k];
        s->pinned[n++] = pin;
    }
    s->result.norbit = n;
    /* The independent ones, and their remaining parts. */
    zw_expr *kept = ZW_SYMBOLIC_NEW(s, zw_expr, n * nx),
            *general = ZW_SYMBOLIC_NEW(s, zw_expr, n * nx);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    for (int k = 0; k < n; k++) {
        memcpy(kept + (size_t)k * (size_t)nx, s->X + (size_t)used[k] * (size_t)nx,
               (size_t)nx * sizeof *kept);
        memcpy(general + (size_t)k * (size_t)nx, field + (size_t)used[k] * (size_t)nx,
               (size_t)nx * sizeof *general);
    }
    s->X = kept;
    s->DX = general;
    return ZW_OK;
}

/* ------------------------------------------------------------------------------ dependent, kept */

typedef struct chooser {
    zw_symbolic *s;
    double *G;      /* ng x nx, eliminated up to the present choice */
    bool *row_used; /* ng */
    int *rank;      /* nx: entries with a larger rank become dependent first */
} chooser;

/* One more pivot of the rows [first, last) in this column. */
static bool choose_pivot(chooser *c, int first, int last, int column) {
    zw_symbolic *s = c->s;
    int nx = s->nx, best = -1;
    double most = 0;
    for (int i = first; i < last; i++) {
        double part = fabs(c->G[i * nx + column]) /
                      fmax(ZW_TINY, largest_entry(c->G + (size_t)i * (size_t)nx, nx));
        if (!c->row_used[i] && part > most && part > PIVOT_ROUNDOFF) {
            best = i;
            most = part;
        }
    }
    if (best < 0)
        return false;
    eliminate_column(c->G, s->ng, nx, best, column);
    for (int i = 0; i < s->ng; i++) { /* rows that are dependent now */
        double *row = c->G + (size_t)i * (size_t)nx;
        for (int k = 0; k < nx; k++)
            if (fabs(row[k]) < ZW_ROUNDOFF_VALUE)
                row[k] = 0;
    }
    c->row_used[best] = true;
    s->row[s->ndependent] = best;
    s->dependent[s->ndependent++] = column;
    return true;
}

/* Columns [low, high) of rows [first, last), the least wanted first. */
static void choose_pivots(chooser *c, int first, int last, int low, int high) {
    const zw_symbolic *s = c->s;
    for (int rank = 9; rank >= 0; rank--)
        for (int i = high - 1; i >= low; i--)
            if (c->rank[i] == rank && !has_number(s->pinned, s->result.norbit, i) &&
                !has_number(s->dependent, s->ndependent, i))
                choose_pivot(c, first, last, i);
}

static void rank_positions(chooser *c) {
    const zw_symbolic *s = c->s;
    for (int i = 0; i < s->eq.nq; i++)
        c->rank[i] = is_wanted(s, i) ? 0 : s->sys->coord[i].state || is_angle(s, i) ? 2 : 3;
}

static void rank_velocities(chooser *c) {
    const zw_symbolic *s = c->s;
    for (int i = s->eq.nq; i < s->nx; i++) {
        const zw_velocity *v = &s->sys->velocity[i - s->eq.nq];
        int q = v->coord;
        bool kept = q >= 0 && !has_number(s->dependent, s->ndependent, q) &&
                    !has_number(s->pinned, s->result.norbit, q);
        bool wanted = is_wanted(s, i);
        bool of_wanted = q >= 0 && is_wanted(s, q);
        c->rank[i] = wanted           ? 0
                     : of_wanted      ? 1
                     : v->independent ? 2
                     : kept           ? 3
                     : is_angle(s, i) ? 5
                                      : 6;
        if (q >= 0 && has_number(s->dependent, s->ndependent, q))
            c->rank[i] = 8;
    }
}

/* A name that is no entry, or one that the constraints or symmetries determine. */
static zw_status check_wanted(const zw_symbolic *s, zw_error *err) {
    for (int k = 0; k < s->options.nkeep; k++) {
        const char *name = s->options.keep[k];
        int found = -1;
        for (int i = 0; i < s->nx; i++)
            if (strcmp(zw_symbolic_entry(s, i), name) == 0)
                found = i;
        if (found < 0) {
            const char *names[64];
            int n = 0;
            for (int i = 0; i < s->nx && n < 64; i++)
                names[n++] = zw_symbolic_entry(s, i);
            const char *close = zw_nearest(name, n, names);
            zw_fail(err, ZW_E_NAME, "there is no coordinate or velocity '%s'", name);
            if (close)
                zw_error_hint(err, "did you mean %s?", close);
            return ZW_E_NAME;
        }
        if (!has_number(s->kept, s->result.n, found)) {
            zw_fail(err, ZW_E_MODEL, "%s cannot be one of the small quantities: %s", name,
                    has_number(s->pinned, s->result.norbit, found)
                        ? "a symmetry shifts it"
                        : "the constraints give it from the others that are named");
            return ZW_E_MODEL;
        }
    }
    return ZW_OK;
}

static zw_status gather_constraints(zw_symbolic *s, zw_error *err) {
    const zw_equations *eq = &s->eq;
    int n = 0;
    s->ng = eq->npos + eq->nunit + eq->nvel;
    zw_expr *g = ZW_SYMBOLIC_NEW(s, zw_expr, s->ng);
    s->G = ZW_SYMBOLIC_NEW(s, zw_expr, s->ng * s->nx);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    for (int i = 0; i < eq->npos; i++)
        g[n++] = eq->phi[i];
    for (int i = 0; i < eq->nunit; i++) {
        g[n] = ZW_ZERO;
        for (int k = 0; k < 4; k++)
            g[n] = zw_add(s->ctx, g[n],
                          zw_mul(s->ctx, ZW_HALF, zw_pow(s->ctx, eq->q[eq->unit[i] + k], ZW_TWO)));
        n++;
    }
    for (int i = 0; i < eq->nvel; i++)
        g[n++] = eq->psi[i];
    return zw_symbolic_linear(s, n, g, NULL, s->G, err);
}

zw_status zw_symbolic_choose(zw_symbolic *s, zw_error *err) {
    int nx = s->nx, nq = s->eq.nq;
    ZW_TRY(gather_constraints(s, err));
    int positions = s->eq.npos + s->eq.nunit;
    chooser c = {s, ZW_SYMBOLIC_NEW(s, double, s->ng *nx), ZW_SYMBOLIC_NEW(s, bool, s->ng),
                 ZW_SYMBOLIC_NEW(s, int, nx)};
    s->dependent = ZW_SYMBOLIC_NEW(s, int, nx);
    s->row = ZW_SYMBOLIC_NEW(s, int, nx);
    s->kept = ZW_SYMBOLIC_NEW(s, int, nx);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    for (int i = 0; i < s->ng * nx; i++)
        c.G[i] = zw_symbolic_value(s, 1, s->G[i]);
    rank_positions(&c);
    choose_pivots(&c, 0, positions, 0, nq);
    rank_velocities(&c);
    choose_pivots(&c, positions, s->ng, nq, nx);
    choose_pivots(&c, 0, s->ng, 0, nx);
    for (int i = 0; i < s->ng; i++)
        if (!c.row_used[i] && largest_entry(c.G + (size_t)i * (size_t)nx, nx) > PIVOT_ROUNDOFF)
            return zw_fail(err, ZW_E_MODEL,
                           "symmetries and constraints of this motion take the same entries of the "
                           "state, for which there is no formula here");
    int n = 0;
    for (int i = 0; i < nx; i++)
        if (!has_number(s->pinned, s->result.norbit, i) &&
            !has_number(s->dependent, s->ndependent, i))
            s->kept[n++] = i;
    s->result.n = n;
    return check_wanted(s, err);
}
