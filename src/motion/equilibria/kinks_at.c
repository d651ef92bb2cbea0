/* SPDX-License-Identifier: MIT */
/* Along the motion x0 + r Re(q e^(i theta)) a surface s(x, z) = 0 on which the equations are not
 * smooth has the values
 *
 *     s0 + r Re(s_q e^(i theta)) + ...,     s_q = s_x q + s_z z_q,
 *
 * so it is met at r = |s0| / |s_q|; if s0 = 0 and s_q = 0 it is of order r^2. If a root has
 * derivatives at all, its argument is a sum of squares: then its second derivative decides, w0 +
 * r^2/2 (w_qq). */
#include "kinks_at.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "mech/principles/forces.h"

/* Surface at a motion relative to the effect of the entries of the state: zero. For roots, whose
 * argument is a sum of squares, the square of rounding. */
#define SURFACE_ZERO 1e-9
#define ROOT_ZERO 1e-24
#define PRINTED_LENGTH 80 /* letters of an expression that is printed in a message */
/* relative to the effect of the entries of q: no first-order motion; vectors are known to 1e-8
 * times their condition */
#define MODE_UNMOVED 1e-7

/* Work on the kinks at a motion. */
typedef struct kinks_work {
    zw_equilibria *e;
    zw_context *ctx;
    const zw_steady *at;
    int nx, nz, ny, nsym; /* ny = nx + nz */
    zw_expr *y;           /* ny: the symbols of x and z */
    zw_expr *sym;         /* nsym: parameters, t, u, then y and the direction d */
    double *value;        /* nsym */
    const zw_expr *d;     /* ny: symbols of a direction */
    double *q[2];         /* ny: real and imaginary part of (q, z_q) */
    double *sum;          /* ny: work */
    zw_error *err;
} kinks_work;

/* -------------------------------------------------------------------------------------- symbols */

static void list_state(kinks_work *l) {
    const zw_equations *eq = &l->e->eq;
    int n = 0;
    for (int i = 0; i < eq->nq; i++)
        l->y[n++] = eq->q[i];
    for (int i = 0; i < eq->nv; i++)
        l->y[n++] = eq->v[i];
    for (int i = 0; i < eq->nv; i++)
        l->y[n++] = eq->a[i];
    for (int i = 0; i < eq->nc; i++)
        l->y[n++] = eq->lambda[i];
}

static zw_status list_symbols(kinks_work *l) {
    const zw_system *s = l->e->sys;
    const zw_equations *eq = &l->e->eq;
    const double *p = zw_flow_parameters(l->e->flow);
    int n = 0;
    for (int i = 0; i < s->np; i++, n++) {
        l->sym[n] = s->param[i].sym;
        l->value[n] = p[i];
    }
    l->sym[n] = s->t;
    l->value[n++] = l->at->t;
    for (int i = 0; i < eq->nu; i++, n++) {
        l->sym[n] = eq->u[i];
        l->value[n] = zw_system_signal_at(s, i, p, l->at->t, l->at->t);
    }
    list_state(l);
    for (int i = 0; i < l->ny; i++, n++) {
        l->sym[n] = l->y[i];
        l->value[n] = i < l->nx ? l->at->x[i] : l->at->z[i - l->nx];
    }
    l->d = l->sym + n;
    for (int i = 0; i < l->ny; i++, n++) {
        char name[32];
        snprintf(name, sizeof name, "%%1.%d", i);
        l->sym[n] = zw_symbol(l->ctx, name);
    }
    l->nsym = n;
    return zw_context_status(l->ctx, l->err);
}

/* q with the resulting accelerations and multipliers. */
static zw_status list_directions(kinks_work *l, const double *q_re, const double *q_im) {
    const double *q[] = {q_re, q_im};
    zw_arena *arena = &l->e->arena;
    double *J = ZW_NEW(arena, double, l->nx * l->nx + 1),
           *Z = ZW_NEW(arena, double, l->nz * l->nx + 1);
    for (int k = 0; k < 2; k++)
        l->q[k] = ZW_NEW(arena, double, l->ny + 1);
    l->sum = ZW_NEW(arena, double, l->ny + 1);
    if (arena->failed)
        return zw_out_of_memory(l->err, NULL);
    if (!q_re)
        return ZW_OK;
    ZW_TRY(zw_flow_jacobian(l->e->flow, l->at->t, l->at->x, J, Z, l->err));
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < l->ny; i++) {
            l->q[k][i] = i < l->nx ? q[k][i] : 0;
            for (int j = 0; i >= l->nx && j < l->nx; j++)
                l->q[k][i] += Z[(i - l->nx) * l->nx + j] * q[k][j];
        }
    return ZW_OK;
}

static zw_status begin_directions(kinks_work *l, const double *q_re, const double *q_im) {
    const zw_system *s = l->e->sys;
    l->nx = l->e->kernel->nx;
    l->nz = l->e->kernel->nz;
    l->ny = l->nx + l->nz;
    int most = s->np + 1 + l->e->eq.nu + 2 * l->ny;
    l->y = ZW_NEW(&l->e->arena, zw_expr, l->ny + 1);
    l->sym = ZW_NEW(&l->e->arena, zw_expr, most + 1);
    l->value = ZW_NEW(&l->e->arena, double, most + 1);
    if (l->e->arena.failed)
        return zw_out_of_memory(l->err, NULL);
    ZW_TRY(list_symbols(l));
    return list_directions(l, q_re, q_im);
}

/* --------------------------------------------------------------------------------------- values */

static double value_of(const kinks_work *l, zw_expr e) {
    return zw_eval(l->ctx, e, l->nsym, l->sym, l->value);
}

/* The value of an expression that contains a direction. */
static double value_along(kinks_work *l, zw_expr e, const double *d) {
    memcpy(l->value + l->nsym - l->ny, d, sizeof(double) * (size_t)l->ny);
    return value_of(l, e);
}

/* The effect of entries of the size of x, and of q, on the surface to order 1 or, for roots, 2. */
static void sizes_of(kinks_work *l, zw_expr s, bool root, double *of_x, double *of_q) {
    *of_x = *of_q = 0;
    for (int i = 0; i < l->ny; i++) {
        zw_expr slope = zw_diff(l->ctx, s, l->y[i]);
        if (slope != ZW_ZERO && root)
            slope = zw_diff(l->ctx, slope, l->y[i]);
        if (slope == ZW_ZERO)
            continue;
        double by = fabs(value_of(l, slope)), q = hypot(l->q[0][i], l->q[1][i]),
               x = i < l->nx ? l->e->scale[i] : fabs(l->at->z[i - l->nx]);
        *of_x += root ? by * x * x : by * x;
        *of_q += root ? by * q * q : by * q;
    }
}

/* The largest w0 + r^2/2 w_uu over all phases: half of (w_aa + w_bb) + |w_qq|. */
static double largest_curvature(kinks_work *l, zw_expr second) {
    double *sum = l->sum, aa = value_along(l, second, l->q[0]),
           bb = value_along(l, second, l->q[1]);
    for (int i = 0; i < l->ny; i++)
        sum[i] = l->q[0][i] + l->q[1][i];
    double ab = (value_along(l, second, sum) - aa - bb) / 2;
    return (fabs(aa + bb) + hypot(aa - bb, 2 * ab)) / 4;
}

/* A root of something that is no sum of squares moves as soon as its argument does. */
static zw_kinks_at_place place_root(kinks_work *l, zw_expr w) {
    zw_expr first = zw_along(l->ctx, w, l->ny, l->y, l->d),
            second = zw_along(l->ctx, first, l->ny, l->y, l->d);
    double w0 = value_of(l, w),
           steep = hypot(value_along(l, first, l->q[0]), value_along(l, first, l->q[1])),
           bend = largest_curvature(l, second), of_x[2], of_q[2];
    sizes_of(l, w, false, &of_x[0], &of_q[0]);
    sizes_of(l, w, true, &of_x[1], &of_q[1]);
    zw_kinks_at_place p = {.here = fabs(w0) <= SURFACE_ZERO * of_x[0] + ROOT_ZERO * of_x[1],
                           .reach = INFINITY};
    p.moves = steep > MODE_UNMOVED * of_q[0] || bend > MODE_UNMOVED * MODE_UNMOVED * of_q[1];
    if (!p.here && steep > 0)
        p.reach = fabs(w0) / steep;
    if (!p.here && bend > 0)
        p.reach = fmin(p.reach, sqrt(fabs(w0) / bend));
    return p;
}

/* A table switches at the nearest of its knots. */
static double switch_offset(const kinks_work *l, const zw_kink *k) {
    double s0 = value_of(l, k->surface), best = INFINITY;
    if (k->op != ZW_OP_TABLE)
        return s0;
    const zw_spline *t = zw_spline_of(l->ctx, k->table);
    for (int i = 0; i < t->n; i++)
        if (fabs(s0 - t->x[i]) < fabs(best))
            best = s0 - t->x[i];
    return best;
}

/* atan2(y, x) has its cut only where x is negative. */
static bool is_off_cut(const kinks_work *l, const zw_kink *k) {
    int n;
    return k->op == ZW_OP_ATAN2 && value_of(l, zw_expr_args(l->ctx, k->part, &n)[1]) > 0;
}

static zw_kinks_at_place place_of(kinks_work *l, const zw_kink *k) {
    if (k->op == ZW_OP_PRODUCT)
        return place_root(l, k->surface);
    if (is_off_cut(l, k))
        return (zw_kinks_at_place){.reach = INFINITY};
    zw_expr first = zw_along(l->ctx, k->surface, l->ny, l->y, l->d);
    double s0 = switch_offset(l, k), of_x, of_q,
           slope = hypot(value_along(l, first, l->q[0]), value_along(l, first, l->q[1]));
    sizes_of(l, k->surface, false, &of_x, &of_q);
    zw_kinks_at_place p = {.here = fabs(s0) <= SURFACE_ZERO * of_x, .reach = INFINITY};
    p.moves = slope > MODE_UNMOVED * of_q;
    if (!p.here && p.moves)
        p.reach = fabs(s0) / slope;
    return p;
}

zw_status zw_kinks_at_motion(zw_equilibria *e, const zw_steady *at, const double *q_re,
                             const double *q_im, zw_smoothness **kink, zw_kinks_at_place **place,
                             int *n, zw_error *err) {
    kinks_work l = {.e = e, .ctx = e->sys->ctx, .at = at, .err = err};
    int all, found = 0;
    *n = 0;
    ZW_TRY(zw_equations_smoothness(&e->eq, kink, &all, err));
    *place = ZW_NEW(&e->arena, zw_kinks_at_place, all + 1);
    if (!*place)
        return zw_out_of_memory(err, NULL);
    if (all == 0)
        return ZW_OK;
    ZW_TRY(begin_directions(&l, q_re, q_im));
    for (int i = 0; i < all; i++)
        if ((*kink)[i].in & (ZW_KINKS_AT_RATES | ZW_KINKS_AT_CONSTRAINTS)) {
            (*kink)[found] = (*kink)[i];
            (*place)[found] = place_of(&l, &(*kink)[i].kink);
            found++;
        }
    *n = found;
    return zw_context_status(l.ctx, err);
}

/* ---------------------------------------------------------------------------------------- names */

/* Does one of n expressions of the system switch on this surface? */
static bool has_switch(const zw_equilibria *e, int n, const zw_expr *given, zw_expr surface) {
    zw_context *ctx = e->sys->ctx;
    const zw_equations *eq = &e->eq;
    zw_arena_mark mark = zw_scratch_mark(ctx);
    bool yes = false;
    zw_expr *own = ZW_SCRATCH_NEW(ctx, zw_expr, n + 1),
            *variable = ZW_SCRATCH_NEW(ctx, zw_expr, eq->nq + 2 * eq->nv + 2);
    zw_error ignored = {0};
    int m = 0;
    for (int i = 0; own && i < n; i++)
        own[i] = given[i];
    if (own && variable && zw_equations_translate(eq, n, own, &ignored) >= 0) {
        for (int i = 0; i < eq->nq; i++)
            variable[m++] = eq->q[i];
        for (int i = 0; i < eq->nv; i++) {
            variable[m++] = eq->v[i];
            variable[m++] = eq->a[i];
        }
        int found = zw_find_kinks(ctx, n, own, m, variable, 0, NULL);
        zw_kink *k = found > 0 ? ZW_SCRATCH_NEW(ctx, zw_kink, found) : NULL;
        if (k && zw_find_kinks(ctx, n, own, m, variable, found, k) == found)
            for (int i = 0; i < found; i++)
                yes |= k[i].surface == surface;
    }
    zw_scratch_release(ctx, mark);
    return yes;
}

/* A statement of the model. */
typedef struct statement {
    char words[160];
    zw_place place;
} statement;

static bool find_force(const zw_equilibria *e, zw_expr surface, statement *out) {
    const zw_system *s = e->sys;
    for (int i = 0; i < s->nforce; i++) {
        const zw_force *f = &s->force[i];
        char name[120];
        if (!has_switch(e, f->n, f->values, surface) && !has_switch(e, s->nv, f->Q, surface))
            continue;
        zw_force_label(s, f, name, sizeof name);
        snprintf(out->words, sizeof out->words, "%s%.120s",
                 f->constraint ? "nonideal "
                 : f->name[0]  ? "force "
                               : "",
                 name);
        out->place = f->place;
        return true;
    }
    return false;
}

static bool find_constraint(const zw_equilibria *e, zw_expr surface, statement *out) {
    const zw_system *s = e->sys;
    for (int i = 0; i < s->nconstraint; i++)
        if (e->eq.holds[i] && has_switch(e, 1, &s->constraint[i].residual, surface)) {
            snprintf(out->words, sizeof out->words, "constraint %.120s", s->constraint[i].name);
            out->place = s->constraint[i].place;
            return true;
        }
    return false;
}

static bool find_energy(const zw_equilibria *e, zw_expr surface, statement *out) {
    const zw_system *s = e->sys;
    const zw_expr energy[] = {s->T, s->potential, s->dissipation};
    static const char *const word[] = {"the kinetic energy", "the potential", "the dissipation"};
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].state && has_switch(e, 1, &s->coord[i].rate, surface)) {
            snprintf(out->words, sizeof out->words, "the rate of %.120s", s->coord[i].name);
            out->place = s->coord[i].place;
            return true;
        }
    for (int i = 0; i < s->nenergy; i++)
        if (has_switch(e, 1, &s->energy[i].value, surface)) {
            snprintf(out->words, sizeof out->words, "%s", word[s->energy[i].kind]);
            out->place = s->energy[i].place;
            return true;
        }
    for (int i = 0; i < 3; i++) /* with the contributions of bodies and weights */
        if (has_switch(e, 1, &energy[i], surface)) {
            snprintf(out->words, sizeof out->words, "%s", word[i]);
            return true;
        }
    return false;
}

static const char *word_of(zw_op op) {
    static const struct {
        zw_op op;
        const char *word;
    } words[] = {{ZW_OP_ABS, "an absolute value"},  {ZW_OP_SIGN, "a sign"},
                 {ZW_OP_MIN, "a minimum"},          {ZW_OP_MAX, "a maximum"},
                 {ZW_OP_LT, "a condition"},         {ZW_OP_LE, "a condition"},
                 {ZW_OP_COND, "a condition"},       {ZW_OP_TABLE, "a table at a knot"},
                 {ZW_OP_ATAN2, "atan2 at its cut"}, {ZW_OP_PRODUCT, "a root"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].op == op)
            return words[i].word;
    return "a switch";
}

zw_status zw_kinks_at_name(const zw_equilibria *e, const zw_kink *kink, char *out, size_t size,
                           zw_place *place, zw_error *err) {
    statement s = {.words = "the equations"};
    zw_context *ctx = e->sys->ctx;
    if (!find_force(e, kink->surface, &s) && !find_constraint(e, kink->surface, &s))
        find_energy(e, kink->surface, &s);
    bool printed = zw_print_length(ctx, kink->part) <= PRINTED_LENGTH;
    char *part = printed ? zw_print(ctx, kink->part, ZW_TEXT) : NULL;
    if (printed && !part)
        return zw_out_of_memory(err, NULL);
    snprintf(out, size, "%s%s%s in %s", word_of(kink->op), part ? ", " : "", part ? part : "",
             s.words);
    *place = s.place;
    zw_string_free(ctx, part);
    return zw_context_status(ctx, err);
}

zw_status zw_kinks_at_here(zw_equilibria *e, const zw_steady *at, char *out, size_t size,
                           zw_place *place, zw_error *err) {
    zw_smoothness *kink;
    zw_kinks_at_place *lies;
    int n;
    out[0] = '\0';
    *place = (zw_place){0};
    ZW_TRY(zw_kinks_at_motion(e, at, NULL, NULL, &kink, &lies, &n, err));
    for (int i = 0; i < n; i++) {
        char name[300];
        zw_place where;
        if (!lies[i].here)
            continue;
        ZW_TRY(zw_kinks_at_name(e, &kink[i].kink, name, sizeof name, &where, err));
        size_t used = strlen(out);
        *place = used ? *place : where;
        if (!strstr(out, name))
            snprintf(out + used, size - used, "%s%s", used ? ", or " : "", name);
    }
    return ZW_OK;
}
