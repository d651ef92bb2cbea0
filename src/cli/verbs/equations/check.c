/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "cli/cli.h"
#include "mech/system/build.h"
#include "mech/write/write.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "as JSON on standard output"},
    {0},
};

typedef struct report {
    const zw_system *s;
    const zw_classification *is;
    zw_census census;
    const double *p; /* values of the parameters */
    const zw_warnings *warnings;
    const zw_completion *start;
    zw_integrals leaf; /* of the start */
    int nvariant;
    const char *const *variants;
} report;

/* ---------------------------------------------------------------------------------- sentences */

static const char *constraint_nature(const zw_constraint *c) {
    switch (c->level) {
    case ZW_POSITION:
        return "position level, holonomic";
    case ZW_VELOCITY:
        return c->linear ? "velocity level, affine in the velocities"
                         : "velocity level, nonlinear in the velocities (Chetaev's rule)";
    case ZW_ACCELERATION:
        return c->inequality ? "acceleration level, inequality" : "acceleration level";
    }
    return "";
}

static const char *integrability_text(zw_integrability i) {
    return i == ZW_HOLONOMIC ? "holonomic" : i == ZW_NONHOLONOMIC ? "nonholonomic" : "undecided";
}

static const char *evidence_text(zw_evidence by) {
    return by == ZW_BY_FORM ? "by form" : by == ZW_PROVED ? "proved" : "at random states";
}

enum { LONG = 400 }; /* characters; longer expressions are not written out in a text */

/* the expression, or `otherwise` and its size if it is long */
static void put_expr(zw_text *out, zw_context *ctx, zw_expr e, const char *otherwise) {
    char *s = zw_print_within(ctx, e, ZW_TEXT, LONG);
    if (s)
        zw_text_put(out, s);
    else
        zw_text_printf(out, "%s(%ld operations, see --json)", otherwise, zw_count(ctx, 1, &e));
    zw_string_free(ctx, s);
}

static void put_name(zw_text *out, bool first, const char *name, const char *unit) {
    zw_text_printf(out, "%s%s", first ? "" : ", ", name);
    if (unit[0])
        zw_text_printf(out, " [%s]", unit);
}

static void put_coordinates(zw_text *out, const zw_system *s, const char *title, bool states) {
    bool first = true;
    for (int i = 0; i < s->nq; i++) {
        if (s->coord[i].state != states || zw_system_delay_of(s, i))
            continue;
        if (first)
            zw_text_printf(out, "%-13s", title);
        put_name(out, first, s->coord[i].name, s->coord[i].unit);
        first = false;
    }
    zw_text_put(out, first ? "" : "\n");
}

static void put_delays(zw_text *out, const zw_system *s) {
    for (int i = 0; i < s->ndelay; i++) {
        const zw_delay *d = &s->delay[i];
        zw_text_printf(out, "%-13s", i ? "" : "delays");
        put_name(out, true, d->name, s->coord[d->first].unit);
        zw_text_put(out, " = ");
        put_expr(out, s->ctx, d->of, "an expression ");
        zw_text_put(out, " by ");
        put_expr(out, s->ctx, d->lag, "an expression ");
        zw_text_printf(out, ", %d states\n", d->nodes);
    }
}

static void put_velocities(zw_text *out, const zw_system *s) {
    zw_text_printf(out, "%-13s%s", "velocities", s->nv ? "" : "none: states alone");
    for (int i = 0; i < s->nv; i++)
        put_name(out, i == 0, s->velocity[i].name, s->velocity[i].unit);
    zw_text_put(out, "\n");
}

/* --------------------------------------------------------------------------------------- text */

/* "b = 2*a - c", or "b depends on a, c" if the factors vary */
static void put_dependence(zw_text *out, const zw_system *s, const zw_constraint_class *k) {
    zw_text_printf(out, "%s %s ", s->constraint[k->constraint].name,
                   k->factor ? "=" : "depends on");
    for (int i = 0; i < k->ndepends; i++) {
        const char *name = s->constraint[k->depends[i]].name;
        double factor = k->factor ? fabs(k->factor[i]) : 1;
        if (!k->factor)
            zw_text_put(out, i ? ", " : "");
        else if (k->factor[i] < 0)
            zw_text_put(out, i ? " - " : "-");
        else
            zw_text_put(out, i ? " + " : "");
        if (fabs(factor - 1) > ZW_ROUNDOFF_SOLVED)
            zw_text_printf(out, "%.6g*", factor);
        zw_text_put(out, name);
    }
}

/* the line under a constraint: level, integrability alone and in the set, drift, friction */
static void put_class(zw_text *out, const zw_system *s, const zw_constraint_class *k) {
    const zw_constraint *c = &s->constraint[k->constraint];
    zw_text_put(out, constraint_nature(c));
    if (k->rheonomic)
        zw_text_put(out, ", rheonomic");
    if (c->level == ZW_VELOCITY && k->alone == ZW_UNDECIDED)
        zw_text_put(out, "; integrability undecided");
    else if (c->level == ZW_VELOCITY)
        zw_text_printf(out, "; %s (%s)", k->alone == ZW_HOLONOMIC ? "integrable" : "not integrable",
                       evidence_text(k->alone_by));
    if (c->level == ZW_VELOCITY && k->holonomic_here && k->alone == ZW_NONHOLONOMIC)
        zw_text_put(out, ", but integrable with the others");
    if (c->level == ZW_VELOCITY && c->linear && !k->homogeneous)
        zw_text_put(out, "; affine part outside its distribution");
    if (!k->ideal)
        zw_text_put(out, k->idle ? "; its work is given, but is zero on all displacements that the "
                                   "constraints allow"
                         : k->given ? "; not ideal: its work is given"
                                    : "; not ideal: a force depends on its multiplier");
}

/* "; event slip switches it on" */
static void put_switches(zw_text *out, const zw_system *s, int constraint) {
    for (int i = 0; i < s->nevent; i++)
        for (int k = 0; k < s->event[i].naction; k++) {
            const zw_action *a = &s->event[i].action[k];
            if ((a->kind == ZW_ACTION_ON || a->kind == ZW_ACTION_OFF) &&
                a->constraint == constraint)
                zw_text_printf(out, "; event %s switches it %s", s->event[i].name,
                               a->kind == ZW_ACTION_ON ? "on" : "off");
        }
}

static void put_events(zw_text *out, const zw_system *s) {
    bool act = false;
    for (int i = 0; i < s->nevent; i++) {
        zw_text_printf(out, "%-13s%s : ", i ? "" : "events", s->event[i].name);
        zw_event_text(out, s, &s->event[i]);
        zw_text_put(out, "\n");
        act |= s->event[i].naction > 0;
    }
    if (act)
        zw_text_printf(out,
                       "%-13swhat is said above of constraints and conservation holds between "
                       "events that act\n",
                       "");
}

static void put_contacts(zw_text *out, const zw_system *s) {
    bool open = false;
    for (int i = 0; i < s->ncontact; i++) {
        const zw_contact *c = &s->contact[i];
        zw_text_printf(out, "%s  %-12s gap ", i ? "" : "contacts\n", c->name);
        put_expr(out, s->ctx, c->gap, "");
        zw_text_printf(out, "; %s%s", c->bilateral ? "bilateral" : "unilateral",
                       c->off    ? " -- switched off"
                       : c->idle ? " -- switched off at the start"
                                 : "");
        put_switches(out, s, c->closed);
        zw_text_printf(out, "\n  %-12s ", "");
        zw_impact_words(out, s, c);
        for (int k = 0; k < c->nblock; k++) {
            zw_text_printf(out, "\n  %-12s ", "");
            zw_rubbing_words(out, s, &c->block[k]);
        }
        zw_text_put(out, c->nblock ? "\n" : ", no friction\n");
        open |= !c->bilateral && !c->off;
    }
    if (open)
        zw_text_printf(
            out, "%-13swhat is said of conservation and freedom holds while they are open\n", "");
}

static void put_constraints(zw_text *out, const report *r) {
    const zw_system *s = r->s;
    for (int i = 0, active = 0; i < s->nconstraint; i++) {
        const zw_constraint *c = &s->constraint[i];
        if (!c->on && zw_mech_contact_of(s, i)) /* listed as a contact */
            continue;
        zw_text_printf(out, "  %-12s ", c->name);
        put_expr(out, s->ctx, c->residual, "");
        zw_text_printf(out, " %s 0\n  %-12s ",
                       c->inequality == 0  ? "="
                       : c->inequality > 0 ? ">="
                                           : "<=",
                       "");
        if (c->on)
            put_class(out, s, &r->is->constraint[active++]);
        else
            zw_text_printf(out, "%s -- switched off", constraint_nature(c));
        put_switches(out, s, i);
        zw_text_put(out, "\n");
    }
}

/* adds constraints that depend on others to the warnings */
static void warn_dependences(const zw_system *s, const zw_classification *is, zw_warnings *out) {
    for (int i = 0; i < is->n; i++) {
        const zw_constraint_class *k = &is->constraint[i];
        const zw_constraint *c = &s->constraint[k->constraint];
        char key[96];
        zw_text how;
        if (k->ndepends < 0)
            continue;
        zw_text_init(&how, NULL);
        if (k->ndepends > 0) {
            zw_text_put(&how, " (");
            put_dependence(&how, s, k);
            zw_text_put(&how, ")");
        }
        snprintf(key, sizeof key, "dependence of %.60s", c->name);
        zw_warning d = zw_warning_of(key, NAN,
                                     "the constraint %s depends on those before it%s: Lagrange's "
                                     "multipliers are not unique",
                                     c->name, zw_text_get(&how));
        zw_warning_place(&d, c->place);
        zw_warning_hint(&d, "switch one of them off or use --by gauss");
        zw_warnings_add(out, &d);
        zw_text_clear(&how);
    }
}

/* the constraints as a whole and their consequences */
static void put_set(zw_text *out, const report *r) {
    const zw_classification *is = r->is;
    zw_text_printf(out, "%-13s", "set");
    if (is->set == ZW_UNDECIDED)
        zw_text_put(out, "integrability undecided");
    else
        zw_text_printf(out, "%s (%s)", integrability_text(is->set), evidence_text(is->set_by));
    if (is->ngrowth) {
        zw_text_put(out, "; ranks of its closure under brackets");
        for (int i = 0; i < is->ngrowth; i++)
            zw_text_printf(out, " %d", is->growth[i]);
        zw_text_printf(out, " of %d on (q, t)", is->dimension);
    }
    if (is->holonomic >= 0 && is->set != ZW_HOLONOMIC)
        zw_text_printf(out, "\n%-13s%d of its %d independent constraints %s holonomic", "",
                       is->holonomic, is->rank, is->holonomic == 1 ? "is" : "are");
    if (is->hidden > 0)
        zw_text_printf(out,
                       "\n%-13s%d condition%s on positions %s hidden in the velocity constraints",
                       "", is->hidden, is->hidden == 1 ? "" : "s", is->hidden == 1 ? "is" : "are");
    zw_text_printf(out, "\n%-13s%s, %s, %s\n", "", is->rheonomic ? "rheonomic" : "scleronomic",
                   is->homogeneous ? "rest is allowed" : "rest is not allowed (affine part)",
                   is->ideal ? "ideal" : "not ideal");
    zw_text_printf(out, "%-13snonholonomic and vakonomic motion %s\n", "principles",
                   is->agree                    ? "agree"
                   : is->set == ZW_NONHOLONOMIC ? "need not agree: the set is not integrable"
                   : is->set != ZW_HOLONOMIC    ? "may differ"
                   : is->ideal                  ? "cannot be compared: a constraint holds a state"
                                                : "cannot be compared: a constraint is not ideal");
}

static bool is_kept(const zw_system *s, const zw_integral *i) {
    for (int k = 0; k < i->n; k++)
        if (!s->constraint[i->of[k]].on)
            return false;
    return true;
}

static void put_integral(zw_text *out, const report *r, bool first, const zw_integral *i,
                         double at) {
    zw_text_printf(out, "%-13s", first ? "integrals" : "");
    put_expr(out, r->s->ctx, i->value, "a function ");
    zw_text_printf(out, " = %.10g", at);
    for (int k = 0; k < i->n; k++)
        zw_text_printf(out, "%s%s", k ? ", " : " by ", r->s->constraint[i->of[k]].name);
    zw_text_put(out, "\n");
}

/* the integrals of velocity constraints, and the leaf of the start */
static void put_integrals(zw_text *out, const report *r) {
    int n = 0;
    for (int i = 0; i < r->s->nintegral; i++)
        if (is_kept(r->s, &r->s->integral[i]))
            put_integral(out, r, n++ == 0, &r->s->integral[i], 0);
    for (int i = 0; i < r->leaf.n; i++)
        put_integral(out, r, n++ == 0, &r->leaf.integral[i], r->leaf.at[i]);
    if (r->leaf.n)
        zw_text_printf(out,
                       "%-13smotions stay on this leaf, that of the start, while these constraints "
                       "are active\n",
                       "");
    if (r->is->hidden > n)
        zw_text_printf(out,
                       "%-13s%d further condition%s on positions %s implied by the velocity "
                       "constraints, but no formula was found\n",
                       n ? "" : "integrals", r->is->hidden - n, r->is->hidden - n == 1 ? "" : "s",
                       r->is->hidden - n == 1 ? "is" : "are");
}

static void put_conserved(zw_text *out, const report *r) {
    for (int i = 0; i < r->is->nconserved; i++) {
        const zw_conserved *c = &r->is->conserved[i];
        zw_text_printf(out, "%-13s%s = ", i ? "" : "conserved", c->name);
        put_expr(out, r->s->ctx, c->value, strcmp(c->name, "energy") == 0 ? "T + V " : "");
        zw_text_printf(out, " (%s%s",
                       c->observed && c->by == ZW_AT_POINTS ? "numerically" : evidence_text(c->by),
                       c->given_zeros ? " while the parameters that are 0 stay 0" : "");
        if (c->while_open)
            zw_text_printf(out, ", while %s %s open", c->while_open,
                           strchr(c->while_open, ',') ? "are" : "is");
        zw_text_put(out, ")\n");
    }
    if (r->is->nconserved == 0)
        zw_text_printf(out, "%-13snothing that can be seen\n", "conserved");
}

static void put_parameters(zw_text *out, const report *r) {
    zw_text_printf(out, "%-13s", "parameters");
    for (int i = 0; i < r->s->np; i++) {
        zw_text_printf(out, "%s%s = %.6g", i ? ", " : "", r->s->param[i].name, r->p[i]);
        if (r->s->param[i].unit[0])
            zw_text_printf(out, " [%s]", r->s->param[i].unit);
    }
    zw_text_put(out, r->s->np ? "\n" : "none\n");
}

/* external inputs, and their values */
static void put_signals(zw_text *out, const report *r) {
    const zw_system *s = r->s;
    for (int i = 0; i < s->nsignal; i++) {
        const zw_signal *u = &s->signal[i];
        zw_text_printf(out, "%-13s", i ? "" : "signals");
        put_name(out, true, u->name, u->unit);
        if (u->table >= 0)
            zw_text_put(out, " by a table\n");
        else if (u->noise)
            zw_text_printf(out, " white noise, intensity %.6g\n", zw_system_noise_at(s, i, r->p));
        else
            zw_text_printf(out, " = %.6g\n", zw_system_signal_at(s, i, r->p, 0, 0));
    }
}

static void put_warnings(zw_text *out, const zw_warnings *list) {
    for (int i = 0; i < zw_warnings_count(list); i++) {
        char message[1600];
        zw_warning_format(zw_warnings_at(list, i), message, sizeof message);
        zw_text_printf(out, "%s\n", message);
    }
}

static void put_text(zw_text *out, const report *r) {
    const zw_system *s = r->s;
    const zw_census *census = &r->census;
    const char *const *unused;
    int nunused = zw_model_unused(s, &unused);
    zw_text_printf(out, "%s%s%s%s%s\n", s->name, s->title[0] ? ": " : "", s->title,
                   s->variant[0] ? ", variant " : "", s->variant);
    put_coordinates(out, s, "coordinates", false);
    put_coordinates(out, s, "states", true);
    put_delays(out, s);
    put_velocities(out, s);
    put_signals(out, r);
    put_parameters(out, r);
    bool others = false;
    for (int i = 0; i < s->nconstraint; i++)
        others |= !zw_mech_contact_of(s, i);
    if (census->active == 0)
        zw_text_printf(out, "%-13s%s\n", "constraints", others ? "none on" : "none");
    else
        zw_text_printf(out,
                       "%-13s%d on: %d of position, %d affine and %d nonlinear in velocities, "
                       "%d of acceleration; %d rheonomic\n",
                       "constraints", census->active, census->position, census->affine,
                       census->nonlinear, census->acceleration, census->rheonomic);
    put_constraints(out, r);
    put_contacts(out, s);
    if (census->active) {
        put_set(out, r);
        put_integrals(out, r);
    }
    if (s->nv)
        zw_text_printf(out, "%-13s%d = %d velocities - rank %d of the constraints\n", "freedom",
                       r->is->freedom, s->nv, r->is->rank);
    if (r->is->mass_rank < s->nv)
        zw_text_printf(out,
                       "%-13sof rank %d: what has no inertia is held by constraints or forces\n",
                       "mass matrix", r->is->mass_rank);
    if (s->nv || r->is->nconserved)
        put_conserved(out, r);
    put_events(out, s);
    cli_put_completion(out, r->start, "completed    ", "             ");
    zw_text_printf(out, "%-13s%d start values, %d observables, %d drawings\n", "also", s->nstart,
                   s->nobservable, s->ndrawing);
    for (int i = 0; i < r->nvariant; i++)
        zw_text_printf(out, "%-13s%s\n", i ? "" : "variants", r->variants[i]);
    for (int i = 0; i < nunused; i++)
        zw_text_printf(out, "note: %s\n", unused[i]);
    if (r->warnings)
        put_warnings(out, r->warnings);
}

/* --------------------------------------------------------------------------------------- JSON */

static const char *truth_text(bool b) {
    return b ? "true" : "false";
}

enum { LONG_JSON = 1 << 20 }; /* characters; longer expressions become null */

static void json_expr(zw_text *out, zw_context *ctx, zw_expr e) {
    char *s = zw_print_within(ctx, e, ZW_TEXT, LONG_JSON);
    if (s)
        zw_text_json(out, s);
    else
        zw_text_put(out, "null");
    zw_string_free(ctx, s);
}

static void json_coordinates(zw_text *out, const zw_system *s, const char *key, bool states) {
    bool first = true;
    zw_text_printf(out, ",\n  \"%s\": [", key);
    for (int i = 0; i < s->nq; i++) {
        if (s->coord[i].state != states)
            continue;
        zw_text_put(out, first ? "" : ", ");
        zw_text_json(out, s->coord[i].name);
        first = false;
    }
    zw_text_put(out, "]");
}

static void json_delays(zw_text *out, const zw_system *s) {
    for (int i = 0; i < s->ndelay; i++) {
        zw_text_put(out, i ? ", " : ",\n  \"delays\": [");
        zw_text_put(out, "{\"name\": ");
        zw_text_json(out, s->delay[i].name);
        zw_text_put(out, ", \"of\": ");
        json_expr(out, s->ctx, s->delay[i].of);
        zw_text_put(out, ", \"by\": ");
        json_expr(out, s->ctx, s->delay[i].lag);
        zw_text_printf(out, ", \"nodes\": %d}", s->delay[i].nodes);
    }
    zw_text_put(out, s->ndelay ? "]" : "");
}

static void json_velocities(zw_text *out, const zw_system *s) {
    zw_text_put(out, ",\n  \"velocities\": [");
    for (int i = 0; i < s->nv; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json(out, s->velocity[i].name);
    }
    zw_text_put(out, "]");
}

static void json_class(zw_text *out, const zw_system *s, const zw_constraint_class *k) {
    zw_text_printf(out,
                   ", \"alone\": \"%s\", \"alone_by\": \"%s\", \"holonomic_here\": %s, "
                   "\"rheonomic\": %s, \"rest_allowed\": %s, \"ideal\": %s",
                   integrability_text(k->alone), evidence_text(k->alone_by),
                   truth_text(k->holonomic_here), truth_text(k->rheonomic),
                   truth_text(k->homogeneous), truth_text(k->ideal));
    if (k->ndepends < 0)
        return;
    zw_text_put(out, ", \"depends_on\": [");
    for (int i = 0; i < k->ndepends; i++) {
        zw_text_put(out, i ? ", {\"name\": " : "{\"name\": ");
        zw_text_json(out, s->constraint[k->depends[i]].name);
        zw_text_put(out, ", \"factor\": ");
        zw_text_json_number(out, k->factor ? k->factor[i] : NAN);
        zw_text_put(out, "}");
    }
    zw_text_put(out, "]");
}

static void json_constraints(zw_text *out, const report *r) {
    const zw_system *s = r->s;
    zw_text_put(out, ",\n  \"constraints\": [");
    for (int i = 0, active = 0; i < s->nconstraint; i++) {
        const zw_constraint *c = &s->constraint[i];
        zw_text_put(out, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
        zw_text_json(out, c->name);
        zw_text_put(out, ", \"residual\": ");
        json_expr(out, s->ctx, c->residual);
        zw_text_put(out, ", \"nature\": ");
        zw_text_json(out, constraint_nature(c));
        zw_text_printf(out, ", \"on\": %s", truth_text(c->on));
        if (c->on)
            json_class(out, s, &r->is->constraint[active++]);
        zw_text_put(out, "}");
    }
    zw_text_put(out, "]");
}

static void json_integral(zw_text *out, const report *r, bool first, const zw_integral *i,
                          double at) {
    zw_text_printf(out, "%s{\"integral\": ", first ? "\n    " : ",\n    ");
    json_expr(out, r->s->ctx, i->value);
    zw_text_put(out, ", \"at_start\": ");
    zw_text_json_number(out, at);
    zw_text_put(out, ", \"of\": [");
    for (int k = 0; k < i->n; k++) {
        zw_text_put(out, k ? ", " : "");
        zw_text_json(out, r->s->constraint[i->of[k]].name);
    }
    zw_text_put(out, "]}");
}

static void json_set(zw_text *out, const report *r) {
    const zw_classification *is = r->is;
    zw_text_printf(out,
                   ",\n  \"set\": {\"integrability\": \"%s\", \"by\": \"%s\", "
                   "\"holonomic\": %d, \"hidden\": %d, \"growth\": [",
                   integrability_text(is->set), evidence_text(is->set_by), is->holonomic,
                   is->hidden);
    for (int i = 0; i < is->ngrowth; i++)
        zw_text_printf(out, "%s%d", i ? ", " : "", is->growth[i]);
    zw_text_printf(out,
                   "], \"dimension\": %d, \"rheonomic\": %s, \"rest_allowed\": %s, \"ideal\": %s, "
                   "\"nonholonomic_equals_vakonomic\": %s}",
                   is->dimension, truth_text(is->rheonomic), truth_text(is->homogeneous),
                   truth_text(is->ideal), truth_text(is->agree));
    zw_text_put(out, ",\n  \"integrals\": [");
    int n = 0;
    for (int i = 0; i < r->s->nintegral; i++)
        if (is_kept(r->s, &r->s->integral[i]))
            json_integral(out, r, n++ == 0, &r->s->integral[i], 0);
    for (int i = 0; i < r->leaf.n; i++)
        json_integral(out, r, n++ == 0, &r->leaf.integral[i], r->leaf.at[i]);
    zw_text_put(out, "]");
    zw_text_printf(out, ",\n  \"rank\": %d,\n  \"freedom\": %d,\n  \"mass_rank\": %d", is->rank,
                   is->freedom, is->mass_rank);
    zw_text_put(out, ",\n  \"conserved\": [");
    for (int i = 0; i < is->nconserved; i++) {
        zw_text_put(out, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
        zw_text_json(out, is->conserved[i].name);
        zw_text_put(out, ", \"value\": ");
        json_expr(out, r->s->ctx, is->conserved[i].value);
        zw_text_printf(out, ", \"by\": \"%s\", \"given_zero_parameters\": %s, \"observable\": %s",
                       evidence_text(is->conserved[i].by), truth_text(is->conserved[i].given_zeros),
                       truth_text(is->conserved[i].observed));
        if (is->conserved[i].while_open) {
            zw_text_put(out, ", \"while_open\": ");
            zw_text_json(out, is->conserved[i].while_open);
        }
        zw_text_put(out, "}");
    }
    zw_text_put(out, "]");
}

static void json_action(zw_text *out, const zw_system *s, const zw_action *a) {
    switch (a->kind) {
    case ZW_ACTION_SET:
        zw_text_put(out, "{\"set\": ");
        zw_text_json(out, zw_expr_name(s->ctx, a->what));
        zw_text_put(out, ", \"value\": ");
        json_expr(out, s->ctx, a->value);
        break;
    case ZW_ACTION_ON:
    case ZW_ACTION_OFF:
        zw_text_printf(
            out, "{\"switch\": \"%s\", \"constraint\": ", a->kind == ZW_ACTION_ON ? "on" : "off");
        zw_text_json(out, s->constraint[a->constraint].name);
        break;
    case ZW_ACTION_VARIANT:
        zw_text_put(out, "{\"variant\": ");
        zw_text_json(out, a->variant);
        break;
    }
    zw_text_put(out, "}");
}

static void json_events(zw_text *out, const zw_system *s) {
    zw_text_put(out, ",\n  \"events\": [");
    for (int i = 0; i < s->nevent; i++) {
        const zw_event *e = &s->event[i];
        zw_text_put(out, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
        zw_text_json(out, e->name);
        zw_text_put(out, e->period ? ", \"every\": " : ", \"zero\": ");
        json_expr(out, s->ctx, e->period ? e->period : e->value);
        if (e->period) {
            zw_text_put(out, ", \"from\": ");
            json_expr(out, s->ctx, e->phase);
        } else {
            zw_text_printf(out, ", \"direction\": %d", e->direction);
        }
        zw_text_printf(out, ", \"stop\": %s, \"actions\": [", truth_text(e->stop));
        for (int k = 0; k < e->naction; k++) {
            zw_text_put(out, k ? ", " : "");
            json_action(out, s, &e->action[k]);
        }
        zw_text_put(out, "]}");
    }
    zw_text_put(out, "]");
}

static void json_warnings(zw_text *out, const zw_warnings *list) {
    zw_text_put(out, ",\n  \"warnings\": [");
    for (int i = 0; list && i < zw_warnings_count(list); i++) {
        const zw_warning *d = zw_warnings_at(list, i);
        zw_text_put(out, i ? ",\n    {\"text\": " : "\n    {\"text\": ");
        zw_text_json(out, d->text);
        zw_text_put(out, ", \"hint\": ");
        zw_text_json(out, d->hint);
        zw_text_put(out, ", \"file\": ");
        zw_text_json(out, d->file);
        zw_text_printf(out, ", \"line\": %d, \"column\": %d}", d->line, d->column);
    }
    zw_text_put(out, "]");
}

static void put_json(zw_text *out, const report *r) {
    const zw_system *s = r->s;
    const char *const *unused;
    int nunused = zw_model_unused(s, &unused);
    zw_text_put(out, "{\n  \"model\": ");
    zw_text_json(out, s->name);
    zw_text_put(out, ",\n  \"variant\": ");
    zw_text_json(out, s->variant);
    json_coordinates(out, s, "coordinates", false);
    json_coordinates(out, s, "states", true);
    json_delays(out, s);
    json_velocities(out, s);
    zw_text_put(out, ",\n  \"signals\": [");
    for (int i = 0; i < s->nsignal; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json(out, s->signal[i].name);
    }
    zw_text_put(out, "]");
    zw_text_put(out, ",\n  \"parameters\": {");
    for (int i = 0; i < s->np; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json(out, s->param[i].name);
        zw_text_put(out, ": ");
        zw_text_json_number(out, r->p[i]);
    }
    zw_text_put(out, "}");
    json_constraints(out, r);
    if (s->ncontact) {
        zw_text_put(out, ",\n  ");
        zw_contacts_json(s, out);
    }
    json_set(out, r);
    json_events(out, s);
    zw_text_put(out, ",\n  \"start\": ");
    cli_put_completion_json(out, r->start);
    zw_text_put(out, ",\n  \"unused\": [");
    for (int i = 0; i < nunused; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json(out, unused[i]);
    }
    zw_text_put(out, "]");
    json_warnings(out, r->warnings);
    zw_text_put(out, "\n}\n");
}

/* A start that contradicts the constraints is an error, and so is a model beyond the limits; other
 * errors at the start are left to runs. */
static zw_status complete_start(const zw_system *s, const double *p, zw_completion *start,
                                zw_integrals *leaf, zw_warnings *warnings, zw_error *err) {
    double *x = zw_context_alloc(s->ctx, (size_t)(s->nq + s->nv + 1) * sizeof *x);
    if (!x)
        return zw_context_status(s->ctx, err);
    zw_error why = {0};
    zw_warning warning;
    *start = (zw_completion){0};
    zw_status status = zw_system_complete(s, NULL, 0, p, x, start, &why);
    if (status >= 0 && zw_completion_warning(start, &warning))
        zw_warnings_add(warnings, &warning);
    if (status >= 0)
        return zw_integrals_find(leaf, s, NULL, 0, p, x, 0, NULL, err);
    if (status != ZW_E_START && status != ZW_E_MEMORY)
        return zw_context_status(s->ctx, err);
    *err = why;
    return status;
}

static zw_status check_model(const cli_options *o, const cli_model *m, const char *path,
                             zw_error *err) {
    zw_classification is;
    zw_completion start;
    report r = {.s = m->sys, .is = &is, .warnings = o->quiet ? NULL : m->warnings};
    double *p = zw_context_alloc(m->ctx, (size_t)(m->sys->np + 1) * sizeof *p);
    if (!p)
        return zw_context_status(m->ctx, err);
    ZW_TRY(zw_system_param_values(m->sys, p, err));
    ZW_TRY(zw_classify(&is, m->sys, NULL, err));
    warn_dependences(m->sys, &is, m->warnings);
    ZW_TRY(zw_system_census(m->sys, NULL, &r.census, err));
    ZW_TRY(complete_start(m->sys, p, &start, &r.leaf, m->warnings, err));
    ZW_TRY(zw_model_variants(m->ctx, m->text ? m->text : "", m->length, path, &r.variants,
                             &r.nvariant, err));
    r.p = p;
    r.start = &start;
    zw_text out;
    zw_text_init(&out, NULL);
    if (o->json)
        put_json(&out, &r);
    else
        put_text(&out, &r);
    zw_text_tame(out.data);
    fputs(zw_text_get(&out), stdout);
    bool failed = out.failed;
    zw_text_clear(&out);
    return failed ? zw_out_of_memory(err, NULL) : ZW_OK;
}

static int run_check(const cli_options *o, const char *const *words, zw_error *err) {
    cli_model m;
    zw_status status = cli_model_open(&m, words[0], o, err);
    if (status >= 0)
        status = check_model(o, &m, words[0], err);
    status = cli_judge(o, m.warnings, status, err);
    cli_model_close(&m);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"messages and limits", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {0},
};

const cli_command cli_check = {
    .name = "check",
    .usage = "check MODEL [--json]",
    .about = "what a model says: unknowns, kind of constraints, freedoms, conserved quantities",
    .details =
        "Reads the model, checks units and names, and classifies the active constraints:\n"
        "holonomic or not, each alone and all together (Frobenius, by Lie brackets; proved\n"
        "by expressions where that works, otherwise at random states), redundant on which\n"
        "others, rheonomic, ideal, and whether nonholonomic and vakonomic motion agree.\n"
        "Conserved energies and momenta are written down. Constraints that contradict each\n"
        "other are errors, and so are motions that neither inertia nor a force determines.\n"
        "The start is completed as a run would do it: what is not where it began is listed,\n"
        "with other solutions; a start that contradicts the constraints is an error.\n"
        "What the model says and no verb uses yet is listed.",
    .examples = "  zwang check models/turntable_ball.zw\n"
                "  zwang check models/turntable_ball.zw --variant printed --json\n",
    .groups = groups,
    .random = true,
    .arguments = 1,
    .run = run_check,
};
