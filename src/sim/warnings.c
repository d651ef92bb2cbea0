/* SPDX-License-Identifier: MIT */
/* Warnings about a motion, with the names of the model. The numerics report kinds and numbers, the
 * rows show values; here they become sentences, one for each thing concerned. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "driven_sim.h"

void zw_sim_warning(zw_sim *sim, const zw_warning *doubt) {
    zw_warnings_add(sim->doubts, doubt);
}

const zw_warnings *zw_sim_warnings(const zw_sim *sim) {
    return sim->doubts;
}

zw_status zw_sim_warning_models(const zw_sim *sim, zw_error *err) {
    for (const zw_sim_variant_state *w = sim->worlds; w; w = w->next)
        ZW_TRY(zw_system_warnings(w->sys, w->p, sim->doubts, err));
    return ZW_OK;
}

/* the step of a method that does not control its error */
static void warn_step(const zw_sim_stage *stage, int index, double t) {
    const zw_run_options *o = &stage->sim->options.run;
    const zw_equations *eq = &stage->eq;
    const zw_system *s = eq->sys;
    if (zw_warnings_again(stage->sim->doubts, "step", t, NAN))
        return;
    const char *name = index < 0       ? "the state"
                       : index < s->nq ? s->coord[index].name
                                       : zw_expr_name(s->ctx, eq->v[index - s->nq]);
    zw_warning d = zw_warning_of("step", t, "the step of %g s is too long for the motion of %s",
                                 o->step, name);
    zw_warning_hint(&d, "a smaller --step, or a method that chooses its steps");
    zw_warnings_add(stage->sim->doubts, &d);
}

/* the jump of a slope between a constant past and the motion */
static void warn_past(const zw_sim_stage *stage, int index, double t, double value) {
    const zw_delay *delay = &stage->eq.sys->delay[index];
    char key[160], *of = zw_print_within(stage->eq.sys->ctx, delay->of, ZW_TEXT, 60);
    snprintf(key, sizeof key, "past of %.120s", delay->name);
    if (!zw_warnings_again(stage->sim->doubts, key, t, value)) {
        zw_warning d =
            zw_warning_of(key, t,
                          "the slope of %s jumps at the start, where its past is constant: "
                          "%s is wrong by up to about %.1g of its range around then",
                          of ? of : "what is delayed", delay->name, value);
        d.worst = value;
        zw_warning_place(&d, delay->place);
        zw_warning_hint(&d,
                        "a past that fits the start: delay %s = ... by ... history f(t); or nodes "
                        "%d, with which it is about half",
                        delay->name, 2 * delay->nodes);
        zw_warnings_add(stage->sim->doubts, &d);
    }
    zw_string_free(stage->eq.sys->ctx, of);
}

/* a past that its nodes do not resolve */
static void warn_delay(const zw_sim_stage *stage, int index, double t, double value) {
    const zw_delay *delay = &stage->eq.sys->delay[index];
    char key[160];
    snprintf(key, sizeof key, "delay %.120s", delay->name);
    if (zw_warnings_again(stage->sim->doubts, key, t, value))
        return;
    zw_warning d =
        zw_warning_of(key, t,
                      "the past of %s is not resolved by %d nodes: its last coefficient is "
                      "%.2g of its range",
                      delay->name, delay->nodes, value);
    d.worst = value;
    zw_warning_place(&d, delay->place);
    zw_warning_hint(&d, "more nodes: delay %s = ... by ... nodes %d; jumps are resolved slowly",
                    delay->name, 2 * delay->nodes);
    zw_warnings_add(stage->sim->doubts, &d);
}

/* a function that varies too fast, or is too rough, for all its zeros to be found */
static void warn_search(const zw_sim_stage *stage, int index, double t) {
    zw_sim_function f = {.name = "choice"};
    zw_warnings *list = stage->sim->doubts;
    char key[96];
    if (index >= 0)
        f = zw_sim_function_of(stage->world->sys, index);
    snprintf(key, sizeof key, "search %.80s", f.name);
    if (zw_warnings_again(list, key, t, NAN))
        return;
    zw_warning d =
        index >= 0 ? zw_warning_of(key, t, "the %s may come at times that were not seen", f.name)
                   : zw_warning_of(key, t,
                                   "a choice in the rates (if, abs, sign, ...) may turn at times "
                                   "that were not seen");
    zw_warning_place(&d, f.place);
    zw_warning_hint(&d, "it is not resolved within a step: a smaller --step-max may do");
    zw_warnings_add(list, &d);
}

static void warn_jump(const zw_sim_stage *stage, int event, double t) {
    zw_sim_function f = zw_sim_function_of(stage->world->sys, event);
    zw_warnings *list = stage->sim->doubts;
    char key[96];
    snprintf(key, sizeof key, "jump of %.80s", f.name);
    if (event >= stage->world->sys->nevent || zw_warnings_again(list, key, t, NAN))
        return; /* contact forces may jump */
    zw_warning d = zw_warning_of(key, t, "the function of the %s jumps through zero", f.name);
    zw_warning_place(&d, f.place);
    zw_warning_hint(&d, "a jump is taken for an event; a jump there and back within a step can be "
                        "missed: make the function continuous");
    zw_warnings_add(list, &d);
}

/* A pulling force is one entry: value NaN where it begins again, else an update of the present
 * entry. */
static bool pulls_again(zw_warnings *list, const char *key, double t, double value) {
    return isnan(value) ? zw_warnings_again(list, key, t, value)
                        : zw_warnings_extend(list, key, t, value);
}

/* a bilateral contact that pulls, in equations whose friction is linear in the force */
static void warn_reversed(const zw_sim_stage *stage, const zw_contact_validity *c, double t,
                          double value) {
    const zw_sim *sim = stage->sim;
    char key[160];
    snprintf(key, sizeof key, "contact %s", c->name);
    if (sim->contacts.steps || sim->options.contacts == ZW_SIM_CONTACTS_EVENTS ||
        pulls_again(sim->doubts, key, t, value))
        return; /* these schemes use the absolute value of the force */
    zw_warning d = zw_warning_of(
        key, t, "the bilateral contact %s pulls, where its friction has the wrong sign", c->name);
    d.worst = value;
    snprintf(d.unit, sizeof d.unit, "N");
    zw_warning_place(&d, c->place);
    zw_warning_hint(&d, "--contacts events and --contacts moreau take the size of the force");
    zw_warnings_add(sim->doubts, &d);
}

/* a contact that pulls; the values are those of ZW_WARNING_PULL */
static void warn_pull(const zw_sim_stage *stage, int index, double t, double value) {
    const zw_contact_validity *c = &stage->eq.sys->footing[index];
    zw_warnings *list = stage->sim->doubts;
    char key[160];
    for (int i = 0; i < stage->eq.sys->ncontact; i++)
        if (stage->eq.sys->contact[i].name == c->name) {
            warn_reversed(stage, c, t, value);
            return;
        }
    snprintf(key, sizeof key, "contact %s", c->name);
    if (pulls_again(list, key, t, value))
        return;
    zw_warning d =
        zw_warning_of(key, t, "%s is held by a force that pulls: it would lift off", c->name);
    d.worst = value;
    snprintf(d.unit, sizeof d.unit, "N");
    zw_warning_place(&d, c->place);
    zw_warning_hint(&d,
                    "add `, stop` to the statement to end the run there, or `, may pull` if it can "
                    "pull; or switch it off by an event: lambda(%s.footing) falling",
                    c->name);
    zw_warnings_add(list, &d);
}

static void warn_energy(const zw_sim_stage *stage, double t, double jump) {
    if (zw_warnings_again(stage->sim->doubts, "energy", t, jump))
        return;
    zw_warning d =
        zw_warning_of("energy", t,
                      "the energy is constant by the model, but changes by %.4g J, more than the "
                      "tolerances explain",
                      jump);
    zw_warning_hint(
        &d, stage->eq.nc > 0
                ? "where the constraints are singular on the way, derive by gauss and keep them "
                  "by projection; else try tighter tolerances or another method"
                : "try tighter tolerances or another method");
    d.worst = jump;
    snprintf(d.unit, sizeof d.unit, "J");
    zw_warnings_add(stage->sim->doubts, &d);
}

static void warn_drift(const zw_sim_stage *stage, double t, double drift) {
    if (zw_warnings_again(stage->sim->doubts, "drift of energy", t, drift))
        return;
    zw_warning d = zw_warning_of("drift of energy", t,
                                 "the energy is constant by the model, but is far from that of the "
                                 "start: errors of the steps have added up");
    zw_warning_hint(&d,
                    "take tighter tolerances or a shorter step; --method energy and rattle keep "
                    "the energy over long times");
    d.worst = drift;
    snprintf(d.unit, sizeof d.unit, "J");
    zw_warnings_add(stage->sim->doubts, &d);
}

/* the first of the integrals by its name */
static void warn_leaf(const zw_sim_stage *stage, double t) {
    zw_sim *sim = stage->sim;
    if (zw_warnings_again(sim->doubts, "leaf", t, NAN))
        return;
    const zw_equations *eq = &stage->eq;
    zw_place place = {0};
    const char *name = zw_equations_position_name(eq, eq->npos - stage->kernel->nleaf, &place);
    zw_warning d =
        zw_warning_of("leaf", t,
                      "what the constraint %s keeps constant has no finite value here, or "
                      "does not determine the motion: the motion may continue with another value",
                      name);
    zw_warning_place(&d, place);
    zw_warning_hint(&d,
                    "zwang check shows the formula; the constraint vanishes where it is singular");
    zw_warnings_add(sim->doubts, &d);
}

static void warn_elimination(const zw_sim_stage *stage, double t) {
    const zw_equations *eq = &stage->eq;
    if (zw_warnings_again(stage->sim->doubts, "elimination", t, NAN))
        return;
    char names[200] = "";
    for (int i = 0; i < eq->nv; i++)
        if (eq->dependent && eq->dependent[i]) {
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                     zw_expr_name(eq->sys->ctx, eq->v[i]));
        }
    zw_warning d =
        zw_warning_of("elimination", t,
                      "a step went over a place where the equations by %s are singular: the "
                      "constraints cannot be solved for %s there",
                      eq->principle, names);
    zw_warning_hint(&d, "`independent` in the model names velocities to be kept; --by lagrange "
                        "eliminates none, and maggi, kane and gibbs-appell pass such places");
    zw_warnings_add(stage->sim->doubts, &d);
}

/* a start at a point from which both pieces of the rates lead away */
static void warn_branch(const zw_sim_stage *stage, int index, double t) {
    const char *text = stage->kernel->switches[index].text;
    char key[96];
    snprintf(key, sizeof key, "branch at %.80s", text);
    if (zw_warnings_again(stage->sim->doubts, key, t, NAN))
        return;
    zw_warning d =
        zw_warning_of(key, t,
                      "the motion begins where %.200s switches, and is not determined: both "
                      "sides lead away from there",
                      text);
    zw_warning_hint(
        &d, "the run continues with the value of the expression there; start on the intended side");
    zw_warnings_add(stage->sim->doubts, &d);
}

/* a function that leaves zero by no more than its accuracy before it comes back */
static void warn_graze(const zw_sim_stage *stage, int event, double t) {
    zw_sim_function f = zw_sim_function_of(stage->world->sys, event);
    zw_warnings *list = stage->sim->doubts;
    char key[96];
    snprintf(key, sizeof key, "touch of %.80s", f.name);
    if (event >= stage->world->sys->nevent || zw_warnings_again(list, key, t, NAN))
        return; /* contacts: an impact or a mode within the accuracy does not change the motion */
    zw_warning d = zw_warning_of(key, t,
                                 "the function of the %s only touches zero within the tolerances, "
                                 "so they decide whether the event occurs",
                                 f.name);
    zw_warning_place(&d, f.place);
    zw_warning_hint(&d, "tighter tolerances know more of it");
    zw_warnings_add(list, &d);
}

static void warn_solve(const zw_sim_stage *stage, double t, double residual) {
    if (zw_warnings_again(stage->sim->doubts, "contact problem", t, residual))
        return;
    zw_warning d = zw_warning_of("contact problem", t,
                                 "the contact problem of a step is not solved to its tolerance");
    zw_warning_hint(&d, "try a smaller --step; the column `contact residual` shows the violation");
    d.worst = residual;
    zw_warnings_add(stage->sim->doubts, &d);
}

static void warn_gain(const zw_sim_stage *stage, double t, double gain) {
    if (zw_warnings_again(stage->sim->doubts, "energy of impacts", t, gain))
        return;
    zw_warning d =
        zw_warning_of("energy of impacts", t,
                      "impacts add energy: the laws of the contacts contradict each other");
    zw_warning_hint(
        &d, "different restitutions of one contact (e_N and e_T), or of contacts that are hit "
            "together, can do that; equal ones never do");
    d.worst = gain;
    snprintf(d.unit, sizeof d.unit, "J");
    zw_warnings_add(stage->sim->doubts, &d);
}

/* "the contact floor", or "the contacts" if there are several */
static void name_contact(const zw_sim_stage *stage, int index, char *text, size_t size) {
    if (index >= 0)
        snprintf(text, size, "the contact %s", zw_sim_contact(stage->eq.sys, index)->name);
    else
        snprintf(text, size, "the contacts");
}

static void warn_paradox(const zw_sim_stage *stage, int index, double t) {
    char name[160], key[200];
    name_contact(stage, index, name, sizeof name);
    snprintf(key, sizeof key, "paradox of %s", name);
    if (zw_warnings_again(stage->sim->doubts, key, t, NAN))
        return;
    zw_warning d = zw_warning_of(key, t,
                                 "%s cannot continue to slip (Painleve's paradox: a larger normal "
                                 "force increases itself); an impulse stops or reverses its slip",
                                 name);
    zw_warning_hint(
        &d, "an elastic model of the contact resolves this; with less friction it does not occur");
    zw_warnings_add(stage->sim->doubts, &d);
}

void zw_sim_warning_chain(const zw_sim *sim, const zw_contact *hit, const zw_contact *other,
                          double t) {
    static const char key[] = "impact that is passed on";
    if (zw_warnings_again(sim->doubts, key, t, NAN))
        return;
    zw_warning d = zw_warning_of(key, t,
                                 "the impact of the contact %s acts on the contact %s at the same "
                                 "moment: with restitution in both the laws do not determine what "
                                 "follows",
                                 hit->name, other->name);
    zw_warning_place(&d, hit->place);
    zw_warning_hint(&d,
                    "all contacts that touch are solved as one problem; a small gap between them "
                    "gives impacts one after the other, which can end otherwise");
    zw_warnings_add(sim->doubts, &d);
}

static void warn_several(const zw_sim_stage *stage, int index, double t) {
    char name[160], key[200];
    name_contact(stage, index, name, sizeof name);
    snprintf(key, sizeof key, "several motions of %s", name);
    if (zw_warnings_again(stage->sim->doubts, key, t, NAN))
        return;
    zw_warning d = zw_warning_of(
        key, t, "more than one motion obeys the laws of %s: this is one of them", name);
    zw_warning_hint(&d,
                    "rigid bodies on more contacts than hold them, or Painleve's paradox; the rule "
                    "is in docs/contact_runs.md");
    zw_warnings_add(stage->sim->doubts, &d);
}

static void warn_hyperstatic(const zw_sim_stage *stage, double t) {
    if (zw_warnings_again(stage->sim->doubts, "forces of contacts", t, NAN))
        return;
    zw_warning d = zw_warning_of("forces of contacts", t,
                                 "the contacts are more than rigid bodies need: the motion is "
                                 "determined, but forces of single contacts are not");
    zw_warning_hint(&d,
                    "the columns lambda(...) have one set of forces that does; their sums count");
    zw_warnings_add(stage->sim->doubts, &d);
}

int zw_sim_inertia_of(const zw_equations *eq, int velocity, int *coordinate) {
    int n = 0;
    for (int i = 0; i < eq->nq && n < ZW_SIM_PLACES; i++) {
        bool holds = false;
        for (int j = 0; j < eq->nv; j++)
            holds |= zw_depends(eq->sys->ctx, eq->M[velocity * eq->nv + j], eq->q[i]);
        if (holds)
            coordinate[n++] = i;
    }
    return n;
}

void zw_sim_singular_words(const zw_system *s, const char *velocity, int n, const int *coordinate,
                           const double *x, double distance, char *out, size_t size) {
    char place[ZW_SIM_PLACES * 60] = "";
    for (int i = 0; i < n; i++) {
        const zw_coord *c = &s->coord[coordinate[i]];
        size_t used = strlen(place);
        snprintf(place + used, sizeof place - used, "%s%.30s = %.3g%s%.10s", i ? ", " : " at ",
                 c->name, x[coordinate[i]], c->unit[0] ? " " : "", c->unit);
    }
    snprintf(out, size,
             "the coordinates are nearly singular%s: %s has %.1g of its largest inertia there, and "
             "its motion afterwards may be dominated by rounding",
             place, velocity, distance * distance);
}

const char zw_sim_singular_hint[] =
    "use other coordinates for this motion: angles about other axes, unit quaternions (a body "
    "without a frame) or Cartesian ones";

static void put_singular(zw_sim_singular *s, int index, double t, double distance) {
    const zw_equations *eq = s->eq;
    int coordinate[ZW_SIM_PLACES];
    zw_error ignored = {0};
    bool known = zw_run_dense(s->run, t, s->x, &ignored) >= 0;
    zw_sim_singular_words(eq->sys, zw_expr_name(eq->sys->ctx, eq->v[index]),
                          known ? zw_sim_inertia_of(eq, index, coordinate) : 0, coordinate, s->x,
                          distance, s->text, sizeof s->text);
}

void zw_sim_on_singular(void *user, zw_warning_kind kind, int index, double t, double value) {
    zw_sim_singular *s = user;
    if (kind == ZW_WARNING_SINGULAR && !s->quiet && !s->text[0])
        put_singular(s, index, t, value);
}

static void warn_singular(const zw_sim_stage *stage, int index, double t, double distance) {
    zw_sim_singular at = {.eq = &stage->eq, .run = stage->run, .x = stage->x};
    zw_warnings *list = stage->sim->doubts;
    char key[96];
    snprintf(key, sizeof key, "singular %.80s",
             zw_expr_name(stage->eq.sys->ctx, stage->eq.v[index]));
    if (zw_warnings_again(list, key, t, distance * distance))
        return;
    put_singular(&at, index, t, distance);
    zw_warning d = zw_warning_of(key, t, "%s", at.text);
    d.worst = distance * distance;
    zw_warning_hint(&d, "%s", zw_sim_singular_hint);
    zw_warnings_add(list, &d);
}

static void warn_pass(const zw_sim_stage *stage, int index, double t, double rate) {
    const zw_contact *c = zw_sim_contact(stage->eq.sys, index);
    char key[160];
    snprintf(key, sizeof key, "contact %s passed", c->name);
    if (zw_warnings_again(stage->sim->doubts, key, t, rate))
        return;
    zw_warning d =
        zw_warning_of(key, t, "the contact %s was passed through within one step", c->name);
    d.worst = rate;
    snprintf(d.unit, sizeof d.unit, "m/s");
    zw_warning_place(&d, c->place);
    zw_warning_hint(
        &d, "take a smaller --step: at this speed it must not be longer than what is passed");
    zw_warnings_add(stage->sim->doubts, &d);
}

void zw_sim_on_warning(void *user, zw_warning_kind kind, int index, double t, double value) {
    const zw_sim_stage *stage = user;
    switch (kind) {
    case ZW_WARNING_SINGULAR:
        warn_singular(stage, index, t, value);
        return;
    case ZW_WARNING_PULL:
        warn_pull(stage, index, t, value);
        return;
    case ZW_WARNING_PAST:
        warn_past(stage, index, t, value);
        return;
    case ZW_WARNING_DELAY:
        warn_delay(stage, index, t, value);
        return;
    case ZW_WARNING_STEP:
        warn_step(stage, index, t);
        return;
    case ZW_WARNING_SEARCH:
        warn_search(stage, index, t);
        return;
    case ZW_WARNING_JUMP:
        warn_jump(stage, index, t);
        return;
    case ZW_WARNING_ENERGY:
        warn_energy(stage, t, value);
        return;
    case ZW_WARNING_DRIFT:
        warn_drift(stage, t, value);
        return;
    case ZW_WARNING_ELIMINATION:
        warn_elimination(stage, t);
        return;
    case ZW_WARNING_LEAF:
        warn_leaf(stage, t);
        return;
    case ZW_WARNING_GRAZE:
        warn_graze(stage, index, t);
        return;
    case ZW_WARNING_BRANCH:
        warn_branch(stage, index, t);
        return;
    case ZW_WARNING_SOLVE:
        warn_solve(stage, t, value);
        return;
    case ZW_WARNING_GAIN:
        warn_gain(stage, t, value);
        return;
    case ZW_WARNING_PARADOX:
        warn_paradox(stage, index, t);
        return;
    case ZW_WARNING_SEVERAL:
        if (isnan(value))
            warn_several(stage, index, t);
        else
            zw_sim_warning_chain(stage->sim, zw_sim_contact(stage->eq.sys, index),
                                 zw_sim_contact(stage->eq.sys, (int)value), t);
        return;
    case ZW_WARNING_HYPERSTATIC:
        warn_hyperstatic(stage, t);
        return;
    case ZW_WARNING_PASS:
        warn_pass(stage, index, t, value);
        return;
    }
}

void zw_sim_warning_choice(const zw_sim *sim, double t) {
    const zw_equations *eq = &sim->stage->eq;
    if (zw_warnings_again(sim->doubts, "choice of velocities", t, NAN))
        return;
    zw_warning d = zw_warning_of("choice of velocities", t,
                                 "the velocities that %s eliminates are hardly determined by the "
                                 "constraints, and it has no other choice",
                                 eq->principle);
    zw_warning_hint(&d, "use --by lagrange or maggi");
    zw_warnings_add(sim->doubts, &d);
}

void zw_sim_warning_order(const zw_sim *sim, const zw_event *first, const zw_event *next,
                          double t) {
    char key[96];
    snprintf(key, sizeof key, "order of %s and %s", first->name, next->name);
    if (zw_warnings_again(sim->doubts, key, t, NAN))
        return;
    zw_warning d = zw_warning_of(key, t,
                                 "the events %s and %s come at one moment and set the same thing: "
                                 "they act one after the other, in the order of the model",
                                 first->name, next->name);
    zw_warning_place(&d, next->place);
    zw_warnings_add(sim->doubts, &d);
}

static void warn_column(const zw_sim *sim, double t, const char *name, const char *what,
                        zw_place place) {
    char key[160];
    snprintf(key, sizeof key, "column %s", name);
    if (zw_warnings_again(sim->doubts, key, t, NAN))
        return;
    zw_warning d = zw_warning_of(key, t, "the %s %s has no finite value", what, name);
    zw_warning_place(&d, place);
    zw_warnings_add(sim->doubts, &d);
}

/* An observable may be undefined somewhere (1/x where x passes zero) without an effect on the
 * motion. In a variant that lacks it, it is undefined without a warning. */
void zw_sim_warning_row(const zw_sim *sim, const double *row) {
    const zw_sim_stage *stage = sim->stage;
    const zw_system *s = stage->eq.sys;
    const zw_sim_columns *c = &sim->columns;
    int first = 1 + c->nq + c->nvelocity + c->nlambda;
    for (int i = 0; i < zw_table_columns(sim->rows); i++) {
        if (isfinite(row[i]))
            continue;
        int k = i - first;
        bool observed = k >= 0 && k < c->nobservable;
        int index = observed ? stage->observable[k] : -1;
        if (observed && index < 0)
            continue;
        warn_column(sim, row[0], zw_table_name(sim->rows, i),
                    index >= 0 && index < s->nobservable ? "observable" : "column",
                    index >= 0 && index < s->nobservable ? s->observable[index].place
                                                         : (zw_place){0});
    }
}
