/* SPDX-License-Identifier: MIT */
/* What a model says, described. Words have the label of a topic in the first 13 columns. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "check.h"
#include "expr/print/expr_report.h"
#include "mech/system/build.h"
#include "mech/write/write.h"

enum { LONG = 400 };           /* characters; words have longer expressions by their size only */
#define INDENT "             " /* 13 blanks */

/* -------------------------------------------------------------------------------------- unknowns */

/* an item of a line that begins with a label: "x [m]" */
static void report_name(zw_report *r, bool first, const char *label, const char *name,
                        const char *unit) {
    zw_report_open(r, NULL);
    zw_report_word(r, "name", name);
    zw_report_word(r, "unit", unit);
    zw_report_say(r, first ? label : ", ");
    zw_report_say(r, "{name}{unit? [{unit}]}");
    zw_report_close(r);
}

static void report_coordinates(zw_report *r, const zw_system *s, const char *key, const char *label,
                               bool states) {
    int n = 0, shown = 0;
    zw_report_list(r, key);
    for (int i = 0; i < s->nq; i++) {
        const zw_coord *q = &s->coord[i];
        bool delayed = zw_system_delay_of(s, i);
        n += !delayed && q->state == states;
        zw_report_mute(r, delayed); /* words have the delay instead of its states */
        if (q->state == states)
            report_name(r, shown == 0, label, q->name, q->unit);
        shown = n;
    }
    zw_report_mute(r, false);
    zw_report_close(r);
    zw_report_say(r, n ? "\n" : "");
}

static void report_delays(zw_report *r, const zw_system *s) {
    zw_report_list(r, "delays");
    for (int i = 0; i < s->ndelay; i++) {
        const zw_delay *d = &s->delay[i];
        zw_report_open(r, NULL);
        zw_report_word(r, "name", d->name);
        zw_report_word(r, "unit", s->coord[d->first].unit);
        bool of = zw_report_expr(r, "of", s->ctx, d->of, LONG),
             by = zw_report_expr(r, "by", s->ctx, d->lag, LONG);
        zw_report_count(r, "nodes", d->nodes);
        zw_report_say(r, i ? INDENT : "delays       ");
        zw_report_say(r, "{name}{unit? [{unit}]} = ");
        zw_report_say(r, of ? "{of}" : "an expression ({of_operations} operations, see --json)");
        zw_report_say(r, " delayed by ");
        zw_report_say(r, by ? "{by}" : "an expression ({by_operations} operations, see --json)");
        zw_report_say(r, ", {nodes|state|states}\n");
        zw_report_close(r);
    }
    zw_report_close(r);
}

static void report_velocities(zw_report *r, const zw_system *s) {
    zw_report_list(r, "velocities");
    for (int i = 0; i < s->nv; i++)
        report_name(r, i == 0, "velocities   ", s->velocity[i].name, s->velocity[i].unit);
    zw_report_close(r);
    zw_report_say(r, s->nv ? "\n" : "velocities   none: states alone\n");
}

static void report_parameters(zw_report *r, const zw_check *c) {
    const zw_system *s = c->sys;
    zw_report_say(r, s->np ? "parameters   " : "parameters   none");
    zw_report_list(r, "parameters");
    for (int i = 0; i < s->np; i++) {
        zw_report_open(r, NULL);
        zw_report_word(r, "name", s->param[i].name);
        zw_report_number(r, "value", c->p[i], &(zw_shown){.unit = s->param[i].unit, .digits = 6});
        zw_report_word(r, "unit", s->param[i].unit);
        zw_report_say(r, i ? ", {name} = {value}" : "{name} = {value}");
        zw_report_close(r);
    }
    zw_report_close(r);
    zw_report_say(r, "\n");
}

/* external inputs, and their values */
static void report_signals(zw_report *r, const zw_check *c) {
    const zw_system *s = c->sys;
    zw_report_list(r, "signals");
    for (int i = 0; i < s->nsignal; i++) {
        const zw_signal *u = &s->signal[i];
        const char *kind = u->table >= 0 ? "table" : u->noise ? "white noise" : "constant";
        zw_report_open(r, NULL);
        zw_report_word(r, "name", u->name);
        zw_report_word(r, "unit", u->unit);
        zw_report_word(r, "kind", kind);
        if (u->table < 0 && u->noise)
            zw_report_number(r, "intensity", zw_system_noise_at(s, i, c->p),
                             &(zw_shown){.digits = 6});
        else if (u->table < 0)
            zw_report_number(r, "value", zw_system_signal_at(s, i, c->p, 0, 0),
                             &(zw_shown){.digits = 6});
        zw_report_say(r, i ? INDENT : "signals      ");
        zw_report_say(r, "{name}{unit? [{unit}]}");
        zw_report_say(r, u->table >= 0 ? " from a table\n"
                         : u->noise    ? ": white noise of intensity {intensity}\n"
                                       : " = {value}\n");
        zw_report_close(r);
    }
    zw_report_close(r);
}

/* ----------------------------------------------------------------------------------- constraints */

static const char *level_words(const zw_constraint *c) {
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

static const char *integrability_word(zw_integrability i) {
    return i == ZW_HOLONOMIC ? "holonomic" : i == ZW_NONHOLONOMIC ? "nonholonomic" : "undecided";
}

static const char *evidence_words(zw_evidence by) {
    return by == ZW_BY_FORM ? "by form" : by == ZW_PROVED ? "proved" : "at random states";
}

static void report_depends(zw_report *r, const zw_system *s, const zw_constraint_class *k) {
    if (k->ndepends < 0)
        return;
    zw_report_list(r, "depends_on");
    for (int i = 0; i < k->ndepends; i++) {
        zw_report_open(r, NULL);
        zw_report_word(r, "name", s->constraint[k->depends[i]].name);
        zw_report_number(r, "factor", k->factor ? k->factor[i] : NAN, NULL);
        zw_report_close(r);
    }
    zw_report_close(r);
}

/* integrability alone and in the set, drift, friction */
static void report_class(zw_report *r, const zw_system *s, const zw_constraint_class *k) {
    const zw_constraint *c = &s->constraint[k->constraint];
    bool on_velocities = c->level == ZW_VELOCITY;
    zw_report_word(r, "alone", integrability_word(k->alone));
    zw_report_word(r, "alone_by", evidence_words(k->alone_by));
    zw_report_flag(r, "holonomic_here", k->holonomic_here);
    zw_report_flag(r, "rheonomic", k->rheonomic);
    zw_report_flag(r, "rest_allowed", k->homogeneous);
    zw_report_flag(r, "ideal", k->ideal);
    report_depends(r, s, k);
    zw_report_say(r, "{rheonomic?, rheonomic}");
    if (on_velocities && k->alone == ZW_UNDECIDED)
        zw_report_say(r, "; integrability undecided");
    else if (on_velocities)
        zw_report_say(r, k->alone == ZW_HOLONOMIC ? "; integrable ({alone_by})"
                                                  : "; not integrable ({alone_by})");
    if (on_velocities && k->holonomic_here && k->alone == ZW_NONHOLONOMIC)
        zw_report_say(r, ", but integrable with the others");
    if (on_velocities && c->linear)
        zw_report_say(r, "{rest_allowed!; does not allow rest}");
    if (!k->ideal)
        zw_report_say(r, k->idle ? "; its virtual work is given, but is zero for all displacements "
                                   "that the constraints allow"
                         : k->given ? "; not ideal: its virtual work is given"
                                    : "; not ideal: a force depends on its multiplier");
}

/* the events that switch a constraint */
static void report_switches(zw_report *r, const zw_system *s, int constraint) {
    zw_report_list(r, "switches");
    for (int i = 0; i < s->nevent; i++)
        for (int k = 0; k < s->event[i].naction; k++) {
            const zw_action *a = &s->event[i].action[k];
            if ((a->kind != ZW_ACTION_ON && a->kind != ZW_ACTION_OFF) ||
                a->constraint != constraint)
                continue;
            zw_report_open(r, NULL);
            zw_report_word(r, "event", s->event[i].name);
            zw_report_word(r, "to", a->kind == ZW_ACTION_ON ? "on" : "off");
            zw_report_say(r, "; event {event} switches it {to}");
            zw_report_close(r);
        }
    zw_report_close(r);
}

static void report_constraint(zw_report *r, const zw_system *s, int i,
                              const zw_constraint_class *k) {
    const zw_constraint *c = &s->constraint[i];
    zw_report_open(r, NULL);
    zw_report_word(r, "name", c->name);
    bool shown = zw_report_expr(r, "residual", s->ctx, c->residual, LONG);
    zw_report_word(r, "relation", c->inequality == 0 ? "=" : c->inequality > 0 ? ">=" : "<=");
    zw_report_word(r, "level", level_words(c));
    zw_report_flag(r, "active", c->on);
    /* a constraint of a contact that is open is listed with the contact */
    zw_report_mute(r, !c->on && zw_mech_contact_of(s, i));
    zw_report_say(r, "  {name:-11}");
    zw_report_say(r, shown ? "{residual}" : "({residual_operations} operations, see --json)");
    zw_report_say(r, " {relation} 0\n" INDENT "{level}");
    if (c->on)
        report_class(r, s, k);
    else
        zw_report_say(r, "; switched off");
    report_switches(r, s, i);
    zw_report_say(r, "\n");
    zw_report_mute(r, false);
    zw_report_close(r);
}

/* "2 active: 1 on positions, 1 affine in the velocities; 1 rheonomic" */
static void say_census(zw_report *r, const zw_census *census, bool others) {
    const struct {
        int n;
        const char *words;
    } kind[] = {{census->position, "{on_positions} on positions"},
                {census->affine, "{affine} affine in the velocities"},
                {census->nonlinear, "{nonlinear} nonlinear in the velocities"},
                {census->acceleration, "{on_accelerations} on accelerations"}};
    if (census->active == 0) {
        zw_report_say(r, others ? "constraints  none active\n" : "constraints  none\n");
        return;
    }
    zw_report_say(r, "constraints  {active} active: ");
    for (int i = 0, n = 0; i < 4; i++)
        if (kind[i].n > 0) {
            zw_report_say(r, n++ ? ", " : "");
            zw_report_say(r, kind[i].words);
        }
    zw_report_say(r, "{rheonomic?; {rheonomic} rheonomic}\n");
}

static void report_constraints(zw_report *r, const zw_check *c) {
    const zw_system *s = c->sys;
    const zw_census *census = &c->census;
    bool others = false;
    for (int i = 0; i < s->nconstraint; i++)
        others |= !zw_mech_contact_of(s, i);
    zw_report_open(r, "census");
    zw_report_count(r, "active", census->active);
    zw_report_count(r, "on_positions", census->position);
    zw_report_count(r, "affine", census->affine);
    zw_report_count(r, "nonlinear", census->nonlinear);
    zw_report_count(r, "on_accelerations", census->acceleration);
    zw_report_count(r, "rheonomic", census->rheonomic);
    say_census(r, census, others);
    zw_report_close(r);
    zw_report_list(r, "constraints");
    for (int i = 0, active = 0; i < s->nconstraint; i++) {
        report_constraint(r, s, i, &c->is.constraint[active]);
        active += s->constraint[i].on;
    }
    zw_report_close(r);
}

/* -------------------------------------------------------------------------------------- contacts */

static void report_contacts(zw_report *r, const zw_system *s) {
    bool open = false;
    if (!s->ncontact)
        return;
    zw_report_say(r, "contacts\n");
    zw_report_list(r, "contacts");
    for (int i = 0; i < s->ncontact; i++) {
        const zw_contact *c = &s->contact[i];
        zw_report_open(r, NULL);
        zw_report_say(r, "  {name:-11}gap ");
        zw_report_say(r, zw_print_length(s->ctx, c->gap) <= LONG
                             ? "{gap}"
                             : "(a long expression, see --json)");
        zw_report_say(r, c->bilateral ? "; bilateral" : "; unilateral");
        zw_report_say(r, c->off ? "; switched off" : c->idle ? "; switched off at the start" : "");
        report_switches(r, s, c->closed);
        zw_report_contact(r, s, c);
        zw_report_close(r);
        open |= !c->bilateral && !c->off;
    }
    zw_report_close(r);
    if (open)
        zw_report_say(r, INDENT "degrees of freedom and conserved quantities: while they are "
                                "open\n");
}

/* ----------------------------------------------------------------------------------- consequences */

static const char *agreement_words(const zw_classification *is) {
    return is->agree                    ? "agree"
           : is->set == ZW_NONHOLONOMIC ? "need not agree: the constraints are not integrable"
           : is->set != ZW_HOLONOMIC    ? "may differ"
           : is->ideal                  ? "cannot be compared: a constraint holds a state"
                                        : "cannot be compared: a constraint is not ideal";
}

static void report_growth(zw_report *r, const zw_classification *is) {
    zw_report_list(r, "growth");
    for (int i = 0; i < is->ngrowth; i++)
        zw_report_count(r, NULL, is->growth[i]);
    zw_report_close(r);
    zw_report_say(r, is->ngrowth ? "; ranks of the closure under Lie brackets:" : "");
    for (int i = 0; i < is->ngrowth; i++) {
        char rank[20];
        snprintf(rank, sizeof rank, " %d", is->growth[i]);
        zw_report_say(r, rank);
    }
    zw_report_count(r, "dimension", is->dimension);
    zw_report_say(r, is->ngrowth ? " of {dimension} on (q, t)" : "");
}

/* the constraints as a whole */
static void report_set(zw_report *r, const zw_check *c) {
    const zw_classification *is = &c->is;
    zw_report_open(r, "set");
    zw_report_word(r, "integrability", integrability_word(is->set));
    zw_report_word(r, "by", evidence_words(is->set_by));
    zw_report_count(r, "holonomic", is->holonomic);
    zw_report_count(r, "independent", is->rank);
    zw_report_count(r, "hidden", is->hidden);
    zw_report_flag(r, "rheonomic", is->rheonomic);
    zw_report_flag(r, "rest_allowed", is->homogeneous);
    zw_report_flag(r, "ideal", is->ideal);
    zw_report_flag(r, "nonholonomic_equals_vakonomic", is->agree);
    zw_report_word(r, "principles", agreement_words(is));
    zw_report_mute(r, c->census.active == 0);
    zw_report_say(r, is->set == ZW_UNDECIDED ? "together     integrability undecided"
                                             : "together     {integrability} ({by})");
    report_growth(r, is);
    if (is->holonomic >= 0 && is->set != ZW_HOLONOMIC)
        zw_report_say(r, "\n" INDENT "{holonomic} of the {independent} independent constraints "
                         "{holonomic#is|are} holonomic");
    zw_report_say(r, is->hidden > 0 ? "\n" INDENT
                                      "the velocity constraints imply {hidden|condition|"
                                      "conditions} on positions"
                                    : "");
    zw_report_say(r, "\n" INDENT "{rheonomic?rheonomic}{rheonomic!scleronomic}, rest is "
                     "{rest_allowed?allowed}{rest_allowed!not allowed (affine part)}, "
                     "{ideal!not }ideal\n"
                     "principles   nonholonomic and vakonomic motion {principles}\n");
    zw_report_mute(r, false);
    zw_report_close(r);
}

static bool is_kept(const zw_system *s, const zw_integral *i) {
    for (int k = 0; k < i->n; k++)
        if (!s->constraint[i->of[k]].on)
            return false;
    return true;
}

static void report_integral(zw_report *r, const zw_system *s, bool first, const zw_integral *i,
                            double at) {
    enum { MOST = 64 };
    const char *of[MOST];
    int n = i->n < MOST ? i->n : MOST;
    for (int k = 0; k < n; k++)
        of[k] = s->constraint[i->of[k]].name;
    zw_report_open(r, NULL);
    bool shown = zw_report_expr(r, "integral", s->ctx, i->value, LONG);
    zw_report_number(r, "at_start", at, NULL);
    zw_report_words(r, "of", n, of);
    zw_report_say(r, first ? "integrals    " : INDENT);
    zw_report_say(r, shown ? "{integral}"
                           : "a function ({integral_operations} operations, see "
                             "--json)");
    zw_report_say(r, " = {at_start} by {of}\n");
    zw_report_close(r);
}

/* the integrals of velocity constraints, and the leaf of the start */
static void report_integrals(zw_report *r, const zw_check *c) {
    const zw_system *s = c->sys;
    int n = 0;
    zw_report_mute(r, c->census.active == 0);
    zw_report_list(r, "integrals");
    for (int i = 0; i < s->nintegral; i++)
        if (is_kept(s, &s->integral[i]))
            report_integral(r, s, n++ == 0, &s->integral[i], 0);
    for (int i = 0; i < c->leaf.n; i++)
        report_integral(r, s, n++ == 0, &c->leaf.integral[i], c->leaf.at[i]);
    zw_report_close(r);
    zw_report_say(r, c->leaf.n ? INDENT "motions keep these values, those of the start, while "
                                        "these constraints are active\n"
                               : "");
    zw_report_count(r, "unknown_integrals", c->is.hidden > n ? c->is.hidden - n : 0);
    zw_report_say(r, n ? INDENT : "{unknown_integrals?integrals    }");
    zw_report_say(r, "{unknown_integrals?the velocity constraints imply {unknown_integrals|more "
                     "condition|more conditions} on positions, for which no formula was found\n}");
    zw_report_mute(r, false);
}

static void report_quantity(zw_report *r, const zw_check *c, int i) {
    const zw_conserved *k = &c->is.conserved[i];
    zw_report_open(r, NULL);
    zw_report_word(r, "name", k->name);
    bool shown = zw_report_expr(r, "value", c->sys->ctx, k->value, LONG);
    zw_report_word(r, "by",
                   k->observed && k->by == ZW_AT_POINTS ? "numerically" : evidence_words(k->by));
    zw_report_flag(r, "given_zero_parameters", k->given_zeros);
    zw_report_flag(r, "observable", k->observed);
    zw_report_word(r, "while_open", k->while_open);
    zw_report_say(r, i ? INDENT "{name} = " : "conserved    {name} = ");
    zw_report_say(r, shown                            ? "{value}"
                     : strcmp(k->name, "energy") == 0 ? "T + V ({value_operations} operations, see "
                                                        "--json)"
                                                      : "({value_operations} operations, see "
                                                        "--json)");
    zw_report_say(r, " ({by}{given_zero_parameters? while the parameters that are 0 stay 0}");
    zw_report_say(r, !k->while_open               ? ")\n"
                     : strchr(k->while_open, ',') ? ", while {while_open} are open)\n"
                                                  : ", while {while_open} is open)\n");
    zw_report_close(r);
}

static void report_freedom(zw_report *r, const zw_check *c) {
    const zw_system *s = c->sys;
    const zw_classification *is = &c->is;
    zw_report_count(r, "velocity_count", s->nv);
    zw_report_count(r, "rank", is->rank);
    zw_report_count(r, "degrees_of_freedom", is->freedom);
    zw_report_count(r, "mass_rank", is->mass_rank);
    if (s->nv)
        zw_report_say(r, "degrees of freedom: {degrees_of_freedom} ({velocity_count|velocity|"
                         "velocities}, {rank|independent constraint|independent constraints})\n");
    if (is->mass_rank < s->nv)
        zw_report_say(r, "mass matrix  rank {mass_rank}: constraints or forces determine what has "
                         "no inertia\n");
    zw_report_list(r, "conserved");
    for (int i = 0; i < is->nconserved; i++)
        report_quantity(r, c, i);
    zw_report_close(r);
    zw_report_say(r, s->nv && !is->nconserved ? "conserved    nothing was found\n" : "");
}

/* ---------------------------------------------------------------------------------------- events */

static void report_action(zw_report *r, const zw_system *s, const zw_action *a) {
    zw_report_open(r, NULL);
    switch (a->kind) {
    case ZW_ACTION_SET:
        zw_report_word(r, "set", zw_expr_name(s->ctx, a->what));
        zw_report_expr(r, "value", s->ctx, a->value, LONG);
        break;
    case ZW_ACTION_ON:
    case ZW_ACTION_OFF:
        zw_report_word(r, "switch", a->kind == ZW_ACTION_ON ? "on" : "off");
        zw_report_word(r, "constraint", s->constraint[a->constraint].name);
        break;
    case ZW_ACTION_VARIANT:
        zw_report_word(r, "variant", a->variant);
        break;
    }
    zw_report_close(r);
}

static void report_event(zw_report *r, const zw_system *s, int i) {
    const zw_event *e = &s->event[i];
    zw_text words;
    zw_text_init(&words, NULL);
    zw_event_text(&words, s, e);
    zw_report_open(r, NULL);
    zw_report_word(r, "name", e->name);
    zw_report_word(r, "words", zw_text_get(&words));
    if (e->period) {
        zw_report_expr(r, "every", s->ctx, e->period, LONG);
        zw_report_expr(r, "from", s->ctx, e->phase, LONG);
    } else {
        zw_report_expr(r, "zero", s->ctx, e->value, LONG);
        zw_report_count(r, "direction", e->direction);
    }
    zw_report_flag(r, "stop", e->stop);
    zw_report_list(r, "actions");
    for (int k = 0; k < e->naction; k++)
        report_action(r, s, &e->action[k]);
    zw_report_close(r);
    zw_report_say(r, i ? INDENT "{name} : {words}\n" : "events       {name} : {words}\n");
    zw_report_close(r);
    zw_text_clear(&words);
}

static void report_events(zw_report *r, const zw_system *s) {
    bool act = false;
    zw_report_list(r, "events");
    for (int i = 0; i < s->nevent; i++) {
        report_event(r, s, i);
        act |= s->event[i].naction > 0;
    }
    zw_report_close(r);
    zw_report_say(r, act ? INDENT "constraints and conserved quantities: between events that "
                                  "act\n"
                         : "");
}

/* ----------------------------------------------------------------------------------------- whole */

static void report_head(zw_report *r, const zw_system *s) {
    zw_report_word(r, "title", s->title);
    zw_report_word(r, "variant", s->variant);
    zw_report_say(r, "{model}{title?: {title}}{variant?, variant {variant}}\n");
}

static void report_rest(zw_report *r, const zw_check *c) {
    const zw_system *s = c->sys;
    const char *const *unused;
    int nunused = zw_model_unused(s, &unused);
    zw_report_count(r, "start_values", s->nstart);
    zw_report_count(r, "observables", s->nobservable);
    zw_report_count(r, "drawings", s->ndrawing);
    zw_report_words(r, "variants", c->nvariant, c->variant);
    zw_report_words(r, "unused", nunused, unused);
    zw_report_say(r, "also         {start_values|start value|start values}, {observables|"
                     "observable|observables}, {drawings|drawing|drawings}\n"
                     "{variants?variants     {variants}\n}{unused*note: {.}\n}");
}

void zw_check_report(const zw_check *c, zw_report *out) {
    const zw_system *s = c->sys;
    report_head(out, s);
    report_coordinates(out, s, "coordinates", "coordinates  ", false);
    report_coordinates(out, s, "states", "states       ", true);
    report_delays(out, s);
    report_velocities(out, s);
    report_signals(out, c);
    report_parameters(out, c);
    report_constraints(out, c);
    report_contacts(out, s);
    report_set(out, c);
    report_integrals(out, c);
    report_freedom(out, c);
    report_events(out, s);
    zw_report_open(out, "start");
    zw_report_mute(out, c->start.n == 0);
    zw_report_say(out, "completed    ");
    zw_completion_report(&c->start, INDENT, out);
    zw_report_mute(out, false);
    zw_report_close(out);
    report_rest(out, c);
}
