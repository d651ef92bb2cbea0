/* SPDX-License-Identifier: MIT */
/* The reduced model as text. States are the kept entries, by their names (x_dot if x' is a
 * component in axes that rotate). Observables, events and steady motions are kept if no symmetry
 * that was used changes them: X . dQ = 0 at random states. Angles are periodic if a full turn
 * changes no rate. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tolerance.h"
#include "expr/calculus/ratio.h"
#include "formulas/hides.h"
#include "reduce.h"
#include "state_text.h"
#include "zwang/equations.h"
#include "zwang/simulate.h"

/* of a root at the start: runs end where it has decreased to this, near the singularity at 0 */
#define ROOT_END 1e-3

typedef struct model_writer {
    const zw_reduction *r;
    zw_context *ctx;
    zw_state_text text;
    const char *source;
    int nold;
    zw_expr *old, *now; /* symbols of the full model and their replacements here */
    zw_expr *e;         /* rates, then observables, events, validity of contacts, integrals */
    int first_integral,
        nintegral; /* integrals of velocity constraints that can be written: they are constant */
    bool *kept;    /* observables, then events, then validity of contacts, that can be written */
    double *above; /* of roots: at the start */
    int first_footing, first_root, ndrawn;
    int first_momentum, first_routh; /* formulas in e: velocities; kinetic, potential, forces */
    bool seen_along;                 /* drawings need coordinates that were left out */
    struct {
        const zw_drawing *of;
        int n, first; /* formulas in e */
    } * drawn;
} model_writer;

/* -------------------------------------------------------------------------- what can be written */

/* A change of e is zero at the samples: is it zero everywhere? It is if e is analytic, and no
 * function of it hides the change. */
static bool is_zero_everywhere(const model_writer *a, zw_expr e, zw_expr change) {
    zw_reduction *r = (zw_reduction *)a->r;
    const zw_equations *eq = &r->all.eq;
    if (change == ZW_ZERO)
        return true;
    if (zw_explicit_has_kinks(&r->all, &r->arena, 1, &e))
        return false;
    return !(zw_hides(a->ctx, 1, &e, eq->nq, eq->q, false) ||
             zw_hides(a->ctx, 1, &e, eq->nv, eq->v, false)) ||
           zw_ratio_is_zero(a->ctx, change);
}

/* Does the formula change along a symmetry that was used? */
static bool is_changed(const model_writer *a, zw_expr e) {
    zw_reduction *r = (zw_reduction *)a->r;
    const zw_explicit *x = &r->all;
    for (int l = 0; l < x->nleft; l++) {
        const zw_left_out *left = &x->left[l];
        zw_expr sum = zw_diff(a->ctx, e, left->entry.sym);
        for (int i = 0; i < left->n; i++) {
            int k = left->index[i];
            zw_expr sym = k < x->eq.nq ? x->eq.q[k] : x->eq.v[k - x->eq.nq];
            sum = zw_add(a->ctx, sum, zw_mul(a->ctx, zw_diff(a->ctx, e, sym), left->X[i]));
        }
        zw_expr size = zw_add(a->ctx, ZW_ONE, zw_mul(a->ctx, e, e));
        if (!zw_reduce_is_zero(r, sum, size) || !is_zero_everywhere(a, e, sum))
            return true;
        zw_expr at = zw_real(a->ctx, left->at); /* the symmetries after it are those of the slice */
        e = zw_subst(a->ctx, e, 1, &left->entry.sym, &at);
    }
    return false;
}

static zw_expr at_slice(const model_writer *a, zw_expr e) {
    const zw_explicit *x = &a->r->rates;
    for (int l = 0; l < x->nleft; l++) {
        zw_expr at = zw_real(a->ctx, x->left[l].at);
        e = zw_subst(a->ctx, e, 1, &x->left[l].entry.sym, &at);
    }
    return zw_subst(a->ctx, e, a->nold, a->old, a->now);
}

/* Does it depend, among these symbols, only on those that keep their names as states? */
static bool is_state_only(const model_writer *a, zw_expr e, int n, const zw_expr *symbol) {
    for (int i = 0; i < n; i++) {
        bool kept = false;
        for (int k = 0; k < a->nold; k++)
            kept = kept || a->now[k] == symbol[i];
        if (!kept && zw_depends(a->ctx, e, symbol[i]))
            return false;
    }
    return true;
}

/* Does it need an entry of the full model that is no state here? */
static bool has_other_symbols(const model_writer *a, zw_expr e) {
    const zw_equations *eq = &a->r->rates.eq;
    return !is_state_only(a, e, eq->nq, eq->q) || !is_state_only(a, e, eq->nv, eq->v);
}

static bool is_expressible(const model_writer *a, zw_expr *e) {
    *e = zw_explicit_substitute(&a->r->all, *e);
    if (zw_state_text_has_forces(&a->text, *e) || is_changed(a, *e))
        return false;
    *e = at_slice(a, *e);
    return !has_other_symbols(a, *e);
}

static bool can_be_kept(void *user, zw_expr *e) {
    return is_expressible(user, e);
}

static bool has_drawings(const zw_system *s) {
    for (int i = 0; i < s->ndrawing; i++)
        if (strcmp(s->drawing[i].shape, "trace") != 0)
            return true;
    return false;
}

/* From axes that move with the coordinates left out: where these have their values. */
static bool is_visible_from_moving_axes(model_writer *a, zw_expr *e) {
    bool seen = !zw_state_text_has_forces(&a->text, *e);
    *e = at_slice(a, *e);
    a->seen_along = true;
    return seen && !has_other_symbols(a, *e);
}

/* The drawings of the model; without them, those of the statements if it draws only traces. */
static void collect_drawings(model_writer *a, int *n) {
    const zw_system *s = a->r->sys;
    int nsketch = has_drawings(s) ? 0 : s->nsketch;
    for (int i = 0; i < s->ndrawing + nsketch; i++) {
        const zw_drawing *d = i < s->ndrawing ? &s->drawing[i] : &s->sketch[i - s->ndrawing];
        if (strcmp(d->shape, "node") == 0 ||
            strcmp(d->shape, "support") == 0) /* of sketches alone: no statement draws them */
            continue;
        int count = zw_reduce_drawing(s, d, a->e + *n);
        bool fine = true, along = strcmp(d->shape, "trace") != 0;
        for (int k = 0; k < count && fine; k++)
            fine = is_expressible(a, &a->e[*n + k]) ||
                   (along && is_visible_from_moving_axes(a, &a->e[*n + k]));
        if (!fine)
            continue;
        count = zw_reduce_drawing_turns(a->ctx, d, count, a->e + *n);
        a->drawn[a->ndrawn].of = d;
        a->drawn[a->ndrawn].n = count;
        a->drawn[a->ndrawn++].first = *n;
        *n += count;
    }
}

/* x - r th is useless without x; s.s, of a ball that rolls at a given distance, is not */
static zw_status collect_integrals(model_writer *a, int *n, zw_error *err) {
    const zw_system *s = a->r->sys;
    zw_system on;
    ZW_TRY(zw_system_keep_integrals(&on, s, NULL, a->r->p, NULL, err));
    a->first_integral = *n;
    for (int i = s->nintegral; i < on.nintegral && i < s->nintegral + s->nconstraint; i++) {
        zw_expr e = on.integral[i].value;
        bool constant = true;
        if (on.integral[i].turns || !is_expressible(a, &e))
            continue;
        for (int k = 0; k < a->nold; k++)
            constant &= !zw_depends(a->ctx, e, a->now[k]);
        if (constant)
            continue;
        a->e[(*n)++] = e;
        a->nintegral++;
    }
    return zw_context_status(a->ctx, err);
}

/* Is a constraint of the statement active? */
static bool is_active(const zw_system *s, const zw_contact_validity *f) {
    size_t n = strlen(f->name);
    for (int i = 0; i < s->nconstraint; i++) {
        const char *name = s->constraint[i].name;
        if (s->constraint[i].on && strncmp(name, f->name, n) == 0 &&
            (name[n] == 0 || name[n] == '.'))
            return true;
    }
    return false;
}

static bool is_mechanical(const model_writer *a) {
    return a->r->routh && !a->r->options.coordinates;
}

static zw_status collect_expressions(model_writer *a, zw_error *err) {
    zw_reduction *r = (zw_reduction *)a->r;
    const zw_reduced *z = &r->result;
    const zw_system *s = r->sys;
    int n = 0;
    a->old = ZW_REDUCE_NEW(r, zw_expr, r->rates.nentry);
    a->now = ZW_REDUCE_NEW(r, zw_expr, r->rates.nentry);
    zw_expr *variable = ZW_REDUCE_NEW(r, zw_expr, z->n + s->np + r->nheld);
    int ndrawing = s->ndrawing + s->nsketch;
    a->e = ZW_REDUCE_NEW(r, zw_expr,
                         2 * r->rates.nentry + 2 + s->nobservable + s->nevent + s->nfooting +
                             r->all.nroot + ndrawing * ZW_REDUCE_DRAWN + s->nconstraint);
    a->drawn = zw_arena_alloc(&r->arena, (size_t)(ndrawing + 1) * sizeof *a->drawn);
    a->kept = ZW_REDUCE_NEW(r, bool, s->nobservable + s->nevent + s->nfooting);
    if (r->arena.failed)
        return zw_reduce_memory(err);
    for (a->nold = 0; a->nold < z->n; a->nold++) {
        a->old[a->nold] = z->entry[a->nold].sym;
        variable[a->nold] = a->now[a->nold] = zw_symbol(a->ctx, z->entry[a->nold].plain);
    }
    for (int i = 0; i < s->np; i++)
        variable[z->n + i] = s->param[i].sym;
    for (int i = 0; i < r->nheld; i++)
        variable[z->n + s->np + i] = r->held[i].sym;
    for (int i = 0; i < r->nheld; i++) {
        a->old[a->nold + i] = r->rates.eq.v[r->held[i].index - r->rates.eq.nq];
        a->now[a->nold + i] = zw_subst(a->ctx, r->held[i].velocity, a->nold, a->old, a->now);
    }
    a->nold += r->nheld;
    for (int i = 0; i < z->n; i++)
        a->e[n++] = at_slice(a, z->entry[i].rate);
    n += zw_state_text_collect(&a->text, can_be_kept, a, a->kept, a->e + n);
    a->first_footing = n;
    for (int i = 0; i < s->nfooting; i++) {
        zw_expr e = s->footing[i].valid;
        bool kept = e && is_active(s, &s->footing[i]) && is_expressible(a, &e) &&
                    zw_depends_any(a->ctx, e, z->n, a->now);
        a->kept[s->nobservable + s->nevent + i] = kept;
        a->e[n++] = kept ? e : ZW_ZERO;
    }
    ZW_TRY(collect_integrals(a, &n, err));
    a->first_momentum = n;
    for (int i = 0; i < r->nheld; i++)
        a->e[n++] = a->now[z->n + i];
    a->first_routh = n;
    if (is_mechanical(a)) {
        a->e[n++] = at_slice(a, r->routh->kinetic);
        a->e[n++] = at_slice(a, r->routh->potential);
        for (int i = 0; i < r->routh->n; i++)
            a->e[n++] = at_slice(a, r->routh->force[i]);
    }
    a->first_root = n;
    for (int i = 0; i < r->all.nroot; i++)
        a->e[n++] = at_slice(a, zw_explicit_substitute(&r->all, r->all.root[i].above));
    collect_drawings(a, &n);
    zw_state_text_name_tables(&a->text, n, a->e);
    zw_shorten(a->ctx, n, a->e);
    a->text.n = n;
    a->text.e = a->e;
    a->text.nstate = z->n;
    a->text.of = a->old;
    a->text.state = a->now;
    /* Products of parameters get no names: formulas of the text are simplified again. */
    a->text.nnamed = zw_name_common(a->ctx, n, a->e, z->n + s->np + r->nheld, variable,
                                    ZW_NAMED_LEAST, ZW_NAMED_MOST, a->text.named, a->text.meaning);
    return zw_context_status(a->ctx, err);
}

/* ------------------------------------------------------------------------------------- text */

/* A steady motion whose momenta differ from those of the start need not be steady with these. */
static bool has_momenta_of_start(const model_writer *a, const zw_motion *motion) {
    zw_reduction *r = (zw_reduction *)a->r;
    const zw_explicit *x = &r->all;
    int n = x->eq.nq + x->eq.nv, k = 1 + (int)(motion - r->sys->motion);
    double *at = ZW_REDUCE_NEW(r, double, n), value;
    bool same = r->nheld == 0 || (at && k < x->nplace);
    for (int i = 0; same && i < r->nheld; i++) {
        memcpy(at, x->place + k * n, (size_t)n * sizeof *at);
        same = zw_explicit_to_slice(x, &r->arena, 0, at) &&
               zw_explicit_eval(x, &r->arena, 1, &r->held[i].value, 0, at, &value) &&
               fabs(value - r->held[i].at) <= ZW_SAME_VALUE * (fabs(value) + fabs(r->held[i].at));
    }
    return same;
}

/* Is it given by states whose axes do not rotate? */
static bool can_be_steady(const model_writer *a, const zw_motion *motion) {
    int n = 0;
    for (int k = 0; k < motion->n; k++) {
        int l = zw_state_text_place(&a->text, motion->what[k]);
        if (l >= 0 && a->r->result.entry[l].turned)
            return false;
        n += l >= 0;
    }
    return motion->nfree == 0 && n > 0 && has_momenta_of_start(a, motion) &&
           motion->name[0] != '-'; /* one of the command line has no name */
}

static void put_steady(model_writer *a) {
    const zw_system *s = a->r->sys;
    for (int i = 0; i < s->nmotion; i++)
        if (can_be_steady(a, &s->motion[i]))
            zw_state_text_steady(&a->text, &s->motion[i]);
}

/* Is the motion the same after a full turn of this entry? */
static bool is_periodic(const model_writer *a, const zw_reduced_entry *e) {
    zw_reduction *r = (zw_reduction *)a->r;
    const zw_system *s = r->sys;
    if (e->index < s->nq && s->coord[e->index].period)
        return true;
    if (strcmp(e->unit, "rad") != 0)
        return false;
    zw_expr turned = zw_add(a->ctx, e->sym, zw_mul(a->ctx, zw_integer(a->ctx, 2), ZW_PI));
    for (int i = 0; i < r->rates.nentry + r->nheld; i++) {
        const zw_rated *z = &r->rates.entry[i];
        zw_expr rate = i < r->rates.nentry ? zw_div(a->ctx, z->num, z->den)
                                           : r->held[i - r->rates.nentry].value;
        zw_expr other = zw_subst(a->ctx, rate, 1, &e->sym, &turned);
        zw_expr change = zw_sub(a->ctx, other, rate);
        if (!zw_reduce_is_zero(r, change, rate) || !is_zero_everywhere(a, rate, change))
            return false;
    }
    return true;
}

static void put_periodic(model_writer *a) {
    const zw_reduced *z = &a->r->result;
    const zw_system *s = a->r->sys;
    for (int i = 0; i < z->n; i++) {
        const zw_reduced_entry *e = &z->entry[i];
        if (e->index < s->nq && is_periodic(a, e))
            zw_state_text_periodic(&a->text, a->now[i], s->coord[e->index].period);
    }
}

/* Names of observables, events and steady motions that are missing here. */
static void put_missing(model_writer *a) {
    const zw_system *s = a->r->sys;
    const char *comma = "# Not part of this model: ";
    for (int i = 0; i < s->nobservable + s->nevent; i++)
        if (!a->kept[i]) {
            zw_text_printf(a->text.out, "%s%s", comma,
                           i < s->nobservable ? s->observable[i].name
                                              : s->event[i - s->nobservable].name);
            comma = ", ";
        }
    for (int i = 0; i < s->nmotion; i++)
        if (!can_be_steady(a, &s->motion[i])) {
            zw_text_printf(a->text.out, "%s%s", comma, s->motion[i].name);
            comma = ", ";
        }
    for (int i = 0; i < s->nfooting; i++)
        if (s->footing[i].press && is_active(s, &s->footing[i])) {
            zw_text_printf(a->text.out, "%sthe force that presses %s", comma, s->footing[i].name);
            comma = ", ";
        }
    if (comma[0] == ',')
        zw_text_put(a->text.out, "\n");
}

static void put_names(model_writer *a, const char *before, int n, const zw_reduced_entry *e,
                      bool turned) {
    const char *comma = before;
    for (int i = 0; i < n; i++)
        if (e[i].turned || !turned) {
            zw_text_printf(a->text.out, "%s%s", comma, e[i].name);
            comma = ", ";
        }
    if (comma != before)
        zw_text_put(a->text.out, "\n");
}

/* Velocities that cannot keep their names, because these are the rates of coordinates here. */
static void put_renamed(model_writer *a) {
    const zw_reduced *z = &a->r->result;
    const char *comma = "# Velocities of the full model: ";
    for (int i = 0; i < z->n; i++)
        if (!z->entry[i].turned && strchr(z->entry[i].name, '\'') &&
            !strchr(z->entry[i].plain, '\'')) {
            zw_text_printf(a->text.out, "%s%s = %s", comma, z->entry[i].plain, z->entry[i].name);
            comma = ", ";
        }
    if (comma[0] == ',')
        zw_text_put(a->text.out, "\n");
}

static const zw_velocity *velocity_of(const model_writer *a, int momentum) {
    return &a->r->sys->velocity[a->r->held[momentum].index - a->r->sys->nq];
}

static void put_momenta(model_writer *a) {
    for (int i = 0; i < a->r->nheld; i++) {
        const zw_reduced_momentum *h = &a->r->held[i];
        zw_text_printf(a->text.out, "param %s = ", h->name);
        zw_text_number(a->text.out, h->at);
        zw_state_text_unit(&a->text, h->unit);
        zw_text_printf(a->text.out, "          # %s, conserved\n", h->about);
    }
}

/* The velocities determined by momenta. */
static void put_momentum_velocities(model_writer *a) {
    for (int i = 0; i < a->r->nheld; i++) {
        const zw_velocity *v = velocity_of(a, i);
        zw_state_text_observable(&a->text, zw_explicit_plain_name(&a->r->rates, v->name), v->unit,
                                 a->e[a->first_momentum + i]);
    }
}

/* Neither one of the coordinates nor a rate of them. */
static bool is_other_state(const model_writer *a, int i) {
    int index = a->r->result.entry[i].index;
    bool beside = index < a->r->sys->nq;
    for (int k = 0; k < a->r->routh->n; k++)
        beside = beside && a->r->routh->coordinate[k] != index;
    return beside;
}

/* Coordinates, with Routh's function as their energies. */
static void put_routh(model_writer *a) {
    const zw_reduced_routh *o = a->r->routh;
    const zw_system *s = a->r->sys;
    for (int i = 0; i < o->n; i++) {
        zw_text_printf(a->text.out, "coord %s", s->coord[o->coordinate[i]].name);
        zw_state_text_unit(&a->text, s->coord[o->coordinate[i]].unit);
        zw_text_put(a->text.out, "\n");
    }
    for (int k = 0; k < 2 + o->n; k++) {
        zw_expr e = a->e[a->first_routh + k];
        if (e == ZW_ZERO)
            continue;
        if (k < 2)
            zw_text_put(a->text.out, k ? "potential " : "kinetic ");
        else
            zw_text_printf(a->text.out, "force (%s) = ", s->coord[o->coordinate[k - 2]].name);
        zw_state_text_expr(&a->text, e);
        zw_text_put(a->text.out, "\n");
    }
}

static void put_head(model_writer *a, const char *source) {
    const zw_reduced *z = &a->r->result;
    const zw_system *s = a->r->sys;
    const char *comma = "# Given by the constraints: ";
    zw_state_text_head(&a->text, "The reduced equations of", "", "reduce", source);
    for (int i = 0; i < z->nreplaced; i++, comma = ", ")
        zw_text_printf(a->text.out, "%s%s", comma, zw_expr_name(a->ctx, z->symbol[i]));
    zw_text_put(a->text.out, z->nreplaced ? "\n" : "");
    put_names(a, "# Left out, because no rate depends on them: ", z->nleft, z->left, false);
    put_names(a, "# In axes that move with the coordinates left out: ", z->n, z->entry, true);
    put_renamed(a);
    comma = "# Given by conserved momenta: ";
    for (int i = 0; i < z->nmomentum; i++, comma = ", ")
        zw_text_printf(a->text.out, "%s%s", comma, velocity_of(a, i)->name);
    zw_text_put(a->text.out, z->nmomentum ? "\n" : "");
    put_missing(a);
    zw_text_printf(a->text.out, "model %s_reduced \"Reduced equations of %s\"\n", s->name, s->name);
    zw_text_put(a->text.out, a->text.units ? "\n" : "units none\n\n");
}

/* Runs end where a contact of the model is undefined. */
static void put_contact_ends(model_writer *a) {
    const zw_system *s = a->r->sys;
    for (int i = 0; i < s->nfooting; i++) {
        char name[200];
        if (!a->kept[s->nobservable + s->nevent + i])
            continue;
        snprintf(name, sizeof name, "%.150s_ends", s->footing[i].name);
        zw_explicit_make_new(s, sizeof name, name);
        zw_text_printf(a->text.out, "event %s : ", name);
        zw_state_text_expr(&a->text, a->e[a->first_footing + i]);
        zw_text_printf(a->text.out, " falling stop          # %s\n",
                       s->footing[i].beyond ? s->footing[i].beyond : s->footing[i].name);
    }
}

/* Runs end where a coordinate that a quadratic constraint gives would change its side. */
static void put_roots(model_writer *a) {
    const zw_explicit *x = &a->r->all;
    for (int i = 0; i < x->nroot; i++) {
        double start = a->above[i];
        zw_text_printf(a->text.out, "event %s_turns : ", x->root[i].name);
        zw_state_text_expr(&a->text, a->e[a->first_root + i]);
        zw_text_put(a->text.out, start > 0 ? " - " : " + ");
        zw_text_number(a->text.out, ROOT_END * fabs(start));
        zw_state_text_unit(&a->text, x->root[i].unit);
        zw_text_put(a->text.out, start > 0 ? " falling stop" : " rising stop");
        zw_text_printf(a->text.out, "          # %s would change its side\n", x->root[i].name);
    }
}

/* The entry that is the rate of this one, if it shall be a coordinate; -1 if none. */
static int acceleration_of(const model_writer *a, int i) {
    for (int k = 0; a->r->options.coordinates && k < a->r->result.n; k++)
        if (a->e[i] == a->now[k])
            return k;
    return -1;
}

static int coordinate_of(const model_writer *a, int rate) {
    for (int i = 0; i < a->r->result.n; i++)
        if (acceleration_of(a, i) == rate)
            return i;
    return -1;
}

static void put_coordinate(model_writer *a, int i, int rate) {
    zw_text_printf(a->text.out, "coord %s", zw_expr_name(a->ctx, a->now[i]));
    zw_state_text_unit(&a->text, a->r->result.entry[i].unit);
    zw_text_printf(a->text.out,
                   "\nkinetic 1/2*%s^2\nforce (%s) = ", zw_expr_name(a->ctx, a->now[rate]),
                   zw_expr_name(a->ctx, a->now[i]));
    zw_state_text_expr(&a->text, a->e[rate]);
    zw_text_put(a->text.out, "\n");
}

/* The fast variables. */
static void put_split(model_writer *a) {
    const zw_slow_fast *split = &a->r->sys->slow_fast;
    int n = 0;
    for (int i = 0; i < split->n; i++)
        n += zw_state_text_place(&a->text, split->fast[i]) >= 0;
    if (!split->small || n == 0 || n < split->n)
        return;
    zw_text_printf(a->text.out, "slow-fast %s : fast ", zw_expr_name(a->ctx, split->small));
    for (int i = 0; i < n; i++) {
        zw_text_put(a->text.out, i ? ", " : "");
        zw_state_text_expr(&a->text, a->now[zw_state_text_place(&a->text, split->fast[i])]);
    }
    zw_text_put(a->text.out, "\n");
}

static void put_all(void *user) {
    model_writer *a = user;
    const zw_reduced *z = &a->r->result;
    put_head(a, a->source);
    zw_state_text_parameters(&a->text);
    put_momenta(a);
    zw_state_text_tables(&a->text);
    zw_state_text_named(&a->text);
    zw_text_put(a->text.out, "\n");
    if (is_mechanical(a))
        put_routh(a);
    for (int i = 0; i < z->n; i++)
        if (is_mechanical(a)) {
            if (is_other_state(a, i))
                zw_state_text_state(&a->text, a->now[i], z->entry[i].unit, a->e[i]);
        } else if (acceleration_of(a, i) >= 0)
            put_coordinate(a, i, acceleration_of(a, i));
        else if (coordinate_of(a, i) < 0)
            zw_state_text_state(&a->text, a->now[i], z->entry[i].unit, a->e[i]);
    put_periodic(a);
    put_steady(a);
    put_split(a);
    for (int i = 0; i < z->n; i++)
        zw_state_text_start(&a->text, a->now[i], z->entry[i].unit, z->entry[i].at);
    zw_state_text_observables(&a->text, a->kept, a->e + z->n);
    for (int i = 0; i < a->nintegral; i++) {
        char name[32];
        snprintf(name, sizeof name, "integral_%d", i + 1);
        zw_state_text_observable(&a->text, name, "", a->e[a->first_integral + i]);
    }
    put_momentum_velocities(a);
    zw_state_text_events(&a->text, a->kept, a->e + z->n);
    put_contact_ends(a);
    put_roots(a);
    if (a->seen_along && a->ndrawn)
        zw_text_put(a->text.out,
                    "# Drawn as seen from axes that move with the coordinates left out.\n");
    for (int i = 0; i < a->ndrawn; i++)
        zw_reduce_put_drawing(&a->text, a->drawn[i].of, i + 1, a->drawn[i].n,
                              a->e + a->drawn[i].first);
}

static zw_status find_sides(model_writer *a, zw_error *err) {
    zw_reduction *r = (zw_reduction *)a->r;
    const zw_explicit *x = &r->all;
    double *start = ZW_REDUCE_NEW(r, double, x->eq.nq + x->eq.nv);
    zw_expr *above = ZW_REDUCE_NEW(r, zw_expr, x->nroot);
    a->above = ZW_REDUCE_NEW(r, double, x->nroot);
    if (r->arena.failed)
        return zw_reduce_memory(err);
    if (x->nroot == 0)
        return ZW_OK;
    for (int i = 0; i < x->nroot; i++)
        above[i] = x->root[i].above;
    ZW_TRY(zw_system_complete(r->sys, NULL, 0, r->p, start, NULL, err));
    if (!zw_explicit_eval(x, &r->arena, x->nroot, above, 0, start, a->above))
        return zw_fail(err, ZW_E_DOMAIN, "the formulas have no value at the start");
    return ZW_OK;
}

char *zw_reduction_model(const zw_reduction *r, const char *source, zw_error *err) {
    model_writer *a = ZW_REDUCE_NEW((zw_reduction *)r, model_writer, 1);
    zw_error why = {0};
    if (!a) {
        zw_reduce_memory(err);
        return NULL;
    }
    *a = (model_writer){
        .r = r, .ctx = r->ctx, .source = source, .text = {.ctx = r->ctx, .sys = r->sys, .p = r->p}};
    if (collect_expressions(a, err) < 0 || find_sides(a, err) < 0)
        return NULL;
    char *text = zw_state_text_write(&a->text, put_all, a, &why);
    if (!text) {
        zw_fail(err, why.status, "the reduced equations cannot be written as a model: %s",
                why.text);
        zw_error_hint(err, "names that the language does not have cannot be written");
    }
    return text;
}
