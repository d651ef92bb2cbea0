/* SPDX-License-Identifier: MIT */
/* Curves over the plane of two parameters. One in closed form, left = right, is followed along the axis that gives more points: at
 * each of FINE values of the other one its zeros are bracketed on CELLS intervals and found by bisection and secants to the last
 * digits; the k-th zeros of all values are one part of the curve. Curves of results are their columns of the two names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "num/zero.h"
#include "regions.h"

enum { FINE = 201, CELLS = 128, PARTS = 4 };

typedef struct equation {
    zw_regions *r;
    zw_expr residual, *symbol;
    double *p;
    int varies; /* which axis is solved for */
    double other;
} equation;

static double residual(equation *e, double value) {
    const zw_regions *r = e->r;
    e->p[r->over[e->varies].parameter] = value;
    e->p[r->over[1 - e->varies].parameter] = e->other;
    if (zw_system_param_follow(r->sys, r->given, e->p, NULL) < 0)
        return NAN;
    return zw_eval(r->ctx, e->residual, r->sys->np, e->symbol, e->p);
}

/* a zero between a and b, where the signs differ */
static double solve(equation *e, double a, double b, double fa) {
    for (int k = 0; k < 200; k++) {
        double m = (a + b) / 2;
        if (m == a || m == b)
            break;
        double fm = residual(e, m);
        if (fm == 0)
            return m;
        if ((fm > 0) == (fa > 0))
            a = m;
        else
            b = m;
    }
    return (a + b) / 2;
}

static int zeros(equation *e, double *out) {
    const zw_over *o = &e->r->over[e->varies];
    int n = 0;
    double a = o->from, fa = residual(e, a);
    for (int k = 1; k <= CELLS && n < PARTS; k++) {
        double b = k == CELLS ? o->to : o->from + (o->to - o->from) * k / CELLS;
        double fb = residual(e, b);
        if (fa == 0)
            out[n++] = a;
        else if (fa * fb < 0)
            out[n++] = solve(e, a, b, fa);
        a = b;
        fa = fb;
    }
    if (fa == 0 && n < PARTS)
        out[n++] = a;
    return n;
}

/* zeros of FINE values of the other axis: found[i][k] */
static long sweep(equation *e, double (*found)[PARTS]) {
    const zw_over *o = &e->r->over[1 - e->varies];
    long all = 0;
    for (int i = 0; i < FINE; i++) {
        e->other = i == FINE - 1 ? o->to : o->from + (o->to - o->from) * i / (FINE - 1);
        int n = zeros(e, found[i]);
        for (int k = n; k < PARTS; k++)
            found[i][k] = NAN;
        all += n;
    }
    return all;
}

static void collect(const equation *e, double (*found)[PARTS], region_curve *c) {
    const zw_over *o = &e->r->over[1 - e->varies];
    for (int k = 0; k < PARTS; k++) {
        bool any = false;
        for (int i = 0; i < FINE; i++) {
            double *at = c->at + 2 * c->n;
            if (isnan(found[i][k]))
                continue;
            at[e->varies] = found[i][k];
            at[1 - e->varies] =
                i == FINE - 1 ? o->to : o->from + (o->to - o->from) * i / (FINE - 1);
            c->n++;
            any = true;
        }
        if (any) {
            c->at[2 * c->n] = c->at[2 * c->n + 1] = NAN;
            c->n++;
        }
    }
}

static zw_status closed_form(zw_regions *r, const char *text, region_curve *c, zw_error *err) {
    int np = r->sys->np;
    const char *equals = strchr(text, '='), *unit[2];
    zw_expr side[2];
    equation e = {.r = r, .varies = 1};
    if (!equals || !equals[1] || equals == text) {
        zw_fail(err, ZW_E_OPTION, "--curve %s: an equation is expected", text);
        zw_error_hint(err, "--curve \"w = 1 + kappa\", of parameters");
        return ZW_E_OPTION;
    }
    char *left = zw_arena_copy(&r->arena, text, (size_t)(equals - text));
    double(*found)[PARTS] = zw_arena_alloc(&r->arena, sizeof *found * FINE),
    (*other)[PARTS] = zw_arena_alloc(&r->arena, sizeof *other * FINE);
    e.symbol = ZW_NEW(&r->arena, zw_expr, np + 1);
    e.p = ZW_NEW(&r->arena, double, np + 1);
    c->at = ZW_NEW(&r->arena, double, 2 * PARTS * (FINE + 1));
    c->name = zw_arena_string(&r->arena, text);
    if (r->arena.failed)
        return region_no_memory(err);
    ZW_TRY(zw_model_quantity(&side[0], &unit[0], r->sys, "--curve", left, err));
    ZW_TRY(zw_model_quantity(&side[1], &unit[1], r->sys, "--curve", equals + 1, err));
    if (strcmp(unit[0], unit[1]) != 0 && side[0] != ZW_ZERO && side[1] != ZW_ZERO)
        return zw_fail(err, ZW_E_UNIT, "--curve %s: the left side is in %s, the right one in %s",
                       text, unit[0][0] ? unit[0] : "1", unit[1][0] ? unit[1] : "1");
    for (int k = 0; k < np; k++)
        e.symbol[k] = r->sys->param[k].sym;
    memcpy(e.p, region_p(r, 0), sizeof *e.p * (size_t)np);
    e.residual = zw_sub(r->ctx, side[0], side[1]);
    zw_expr foreign = zw_foreign_symbol(r->ctx, e.residual, np, e.symbol);
    if (foreign)
        return zw_fail(err, ZW_E_OPTION, "--curve %s: '%s' is no parameter", text,
                       zw_expr_name(r->ctx, foreign));
    long n = sweep(&e, found);
    e.varies = 0;
    long m = sweep(&e, other);
    e.varies = n >= m ? 1 : 0;
    collect(&e, n >= m ? found : other, c);
    return ZW_OK;
}

static zw_status of_result(zw_regions *r, int which, region_curve *c, zw_error *err) {
    const zw_table *t = r->options.with[which];
    const char *name = r->options.with_name[which];
    int column[2], kind = zw_table_find(t, "branch");
    for (int w = 0; w < 2; w++) {
        column[w] = zw_table_find(t, r->over[w].name);
        if (column[w] < 0) {
            zw_fail(err, ZW_E_OPTION, "--with %s: it has no column %s", name, r->over[w].name);
            zw_error_hint(err, "curves over both parameters: zwang continue --marks, zwang connect "
                               "--over ... --over");
            return ZW_E_OPTION;
        }
    }
    long rows = zw_table_rows(t);
    c->name = name;
    c->at = ZW_NEW(&r->arena, double, 4 * rows + 2);
    if (!c->at)
        return region_no_memory(err);
    for (long i = 0; i < rows; i++) {
        if (kind >= 0 && i > 0 && zw_table_at(t, i, kind) != zw_table_at(t, i - 1, kind)) {
            c->at[2 * c->n] = c->at[2 * c->n + 1] = NAN;
            c->n++;
        }
        for (int w = 0; w < 2; w++)
            c->at[2 * c->n + w] = zw_table_at(t, i, column[w]); /* SI, as results are */
        c->n++;
    }
    return ZW_OK;
}

static zw_status read_mark(zw_regions *r, int i, zw_error *err) {
    const char *text = r->options.mark[i], *equals = strchr(text, '='),
               *comma = equals ? strchr(equals, ',') : NULL;
    if (!comma) {
        zw_fail(err, ZW_E_OPTION, "--mark %s: NAME=VALUE,VALUE is expected", text);
        zw_error_hint(err, "--mark v1=1.2,1.03, the values of %s and %s", r->over[0].name,
                      r->over[1].name);
        return ZW_E_OPTION;
    }
    char *first = zw_arena_copy(&r->arena, equals + 1, (size_t)(comma - equals - 1));
    r->mark_name[i] = zw_arena_copy(&r->arena, text, (size_t)(equals - text));
    if (!first || !r->mark_name[i])
        return region_no_memory(err);
    const char *value[2] = {first, comma + 1};
    for (int w = 0; w < 2; w++)
        ZW_TRY(zw_model_number(&r->mark[i][w], r->sys, region_p(r, 0), "--mark", value[w],
                               r->sys->param[r->over[w].parameter].unit, err));
    return ZW_OK;
}

zw_status region_curves(zw_regions *r, zw_error *err) {
    const zw_regions_options *o = &r->options;
    r->curve = ZW_NEW(&r->arena, region_curve, o->ncurve + o->nwith + 1);
    r->mark = zw_arena_alloc(&r->arena, sizeof *r->mark * (size_t)(o->nmark + 1));
    r->mark_name = ZW_NEW(&r->arena, const char *, o->nmark + 1);
    if (r->arena.failed)
        return region_no_memory(err);
    for (int i = 0; i < o->ncurve; i++)
        ZW_TRY(closed_form(r, o->curve[i], &r->curve[r->ncurve++], err));
    for (int i = 0; i < o->nwith; i++)
        ZW_TRY(of_result(r, i, &r->curve[r->ncurve++], err));
    for (int i = 0; i < o->nmark; i++)
        ZW_TRY(read_mark(r, i, err));
    return ZW_OK;
}

/* the distance of a point from a straight piece, in cells */
static double distance(const double *a, const double *b, double x, double y) {
    double dx = b[0] - a[0], dy = b[1] - a[1], l = dx * dx + dy * dy;
    double t = l > 0 ? ((x - a[0]) * dx + (y - a[1]) * dy) / l : 0;
    t = fmin(1, fmax(0, t));
    return hypot(x - a[0] - t * dx, y - a[1] - t * dy);
}

bool region_is_near(const zw_regions *r, int a, int b) {
    double cell[2], at[2];
    for (int w = 0; w < 2; w++) {
        cell[w] = fabs(r->over[w].to - r->over[w].from) / (r->rows[w] - 1);
        at[w] = (r->point[a].at[w] + r->point[b].at[w]) / 2 / cell[w];
    }
    for (int i = 0; i < r->ncurve; i++)
        for (long k = 0; k + 1 < r->curve[i].n; k++) {
            const double *c = r->curve[i].at + 2 * k;
            const double from[2] = {c[0] / cell[0], c[1] / cell[1]},
                         to[2] = {c[2] / cell[0], c[3] / cell[1]};
            if (distance(from, to, at[0], at[1]) < 1.5)
                return true;
        }
    return false;
}
