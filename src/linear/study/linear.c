/* SPDX-License-Identifier: MIT */
/* From a steady motion to its linear equations: names become numbers of states, inputs and outputs,
 * src/linear/equations finds the matrices, and what it rejects gets its name and reason. */
#include "linear.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"

/* Shift of an input by which symmetries are tested: its effect on the rates of the states, relative
 * to typical ones. A tenth is well beyond rounding and leaves the model in its usual range. */
#define INPUT_SHIFT 0.1
/* Part of the motion's symmetry that the shifted model does not have: both are solutions; a
 * broken symmetry is lost by a part of the size of INPUT_SHIFT. */
#define SYMMETRY_LOST ZW_SAME_SOLUTION

void zw_linear_options_init(zw_linear_options *options, size_t size) {
    const zw_linear_options all = {.size = size, .ninput = -1, .noutput = -1};
    zw_options_begin(options, size, &all, sizeof all);
}

/* ---------------------------------------------------------------------------------------- names */

static int find_signal(const zw_system *s, const char *name) {
    for (int i = 0; i < s->nsignal; i++)
        if (strcmp(s->signal[i].name, name) == 0)
            return i;
    return -1;
}

static int find_parameter(const zw_system *s, const char *name) {
    for (int i = 0; i < s->np; i++)
        if (strcmp(s->param[i].name, name) == 0)
            return i;
    return -1;
}

/* "there is no ... NAME", with the most similar of n names as a hint. */
static zw_status report_unknown(zw_error *err, const char *what, const char *name, int n,
                                const char *const *names) {
    zw_fail(err, ZW_E_NAME, "there is no %s '%s'", what, name);
    const char *similar = names ? zw_nearest(name, n, names) : NULL;
    if (similar)
        zw_error_hint(err, "did you mean %s?", similar);
    return ZW_E_NAME;
}

static zw_status no_such_input(const zw_system *s, const char *name, zw_error *err) {
    int n = s->nsignal + s->np;
    const char **names = zw_context_alloc(s->ctx, sizeof *names * (size_t)(n + 1));
    for (int i = 0; names && i < n; i++)
        names[i] = i < s->nsignal ? s->signal[i].name : s->param[i - s->nsignal].name;
    return report_unknown(err, "signal or parameter", name, n, names);
}

zw_status zw_linear_prepare(const zw_system *sys, const zw_linear_options *options,
                            zw_equilibria_options *to, zw_error *err) {
    int n = 0, *parameter;
    to->functions |= ZW_SET(OBS_JAC) | ZW_SET(JAC_U);
    if (options->ninput <= 0)
        return ZW_OK;
    parameter = zw_context_alloc(sys->ctx, sizeof *parameter * (size_t)options->ninput);
    if (!parameter)
        return zw_context_status(sys->ctx, err);
    for (int i = 0; i < options->ninput; i++) {
        int p = find_parameter(sys, options->input[i]);
        if (p < 0 && find_signal(sys, options->input[i]) < 0)
            return no_such_input(sys, options->input[i], err);
        for (int j = 0; j < n; j++)
            if (parameter[j] == p)
                return zw_fail(err, ZW_E_NAME, "the input '%s' is there twice", options->input[i]);
        if (p >= 0)
            parameter[n++] = p;
    }
    if (n == 0)
        return ZW_OK;
    to->functions |= ZW_SET(JAC_P) | ZW_SET(OBS_P);
    to->nparameter = n;
    to->parameter = parameter;
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- inputs */

static zw_status take_inputs(zw_linear_equations *l, const zw_linear_options *o, zw_error *err) {
    const zw_system *s = l->e->sys;
    const zw_kernel *k = l->e->kernel;
    l->nin = o->ninput < 0 ? s->nsignal : o->ninput;
    l->in = ZW_NEW(&l->arena, zw_measured, l->nin + 1);
    l->in_name = ZW_NEW(&l->arena, const char *, l->nin + 1);
    l->in_unit = ZW_NEW(&l->arena, const char *, l->nin + 1);
    if (l->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < l->nin; i++) {
        const char *name = o->ninput < 0 ? s->signal[i].name : o->input[i];
        int signal = find_signal(s, name), p = find_parameter(s, name), chosen = 0;
        while (signal < 0 && chosen < k->npar && k->parameter[chosen] != p)
            chosen++;
        if (signal < 0 && (p < 0 || chosen == k->npar))
            return no_such_input(s, name, err);
        l->in[i] = signal >= 0 ? (zw_measured){ZW_QUANTITY_SIGNAL, signal}
                               : (zw_measured){ZW_QUANTITY_PARAMETER, chosen};
        l->in_name[i] = signal >= 0 ? s->signal[signal].name : s->param[p].name;
        l->in_unit[i] = signal >= 0 ? s->signal[signal].unit : s->param[p].unit;
    }
    return ZW_OK;
}

/* -------------------------------------------------------------------------------------- outputs */

/* The unit of a rate: unit/s. */
static const char *per_second(zw_linear_equations *l, const char *unit) {
    char text[ZW_DIM_TEXT];
    if (!unit[0] && !zw_linear_has_units(l))
        return "";
    zw_linear_quotient(unit, "s", text);
    char *copy = zw_arena_string(&l->arena, text);
    return copy ? copy : "";
}

/* A quantity of the model that can be an output. */
typedef struct named_quantity {
    const char *name, *unit;
    zw_measured quantity;
} named_quantity;

/* All quantities that can be an output: observables first, so that they take precedence. */
static named_quantity *list_outputs(zw_linear_equations *l, int *n) {
    const zw_equilibria *e = l->e;
    const zw_system *s = e->sys;
    const zw_equations *eq = &e->eq;
    const char *energy = zw_linear_has_units(l) ? "J" : "";
    int most = s->nobservable + eq->nq + 2 * eq->nv + s->nv + eq->nc + 3, count = 0;
    named_quantity *k = ZW_NEW(&l->arena, named_quantity, most + 1);
    if (!k)
        return NULL;
    for (int i = 0; i < s->nobservable; i++) /* those after them are values to hold */
        k[count++] = (named_quantity){
            s->observable[i].name, s->observable[i].unit, {ZW_QUANTITY_OBSERVABLE, i}};
    for (int i = 0; i < eq->nq + eq->nv; i++) {
        const char *unit, *name = zw_equilibria_entry(e, i, &unit);
        k[count++] = (named_quantity){name, unit, {ZW_QUANTITY_ENTRY, i}};
    }
    for (int i = 0; eq->system_v && i < s->nv; i++)
        k[count++] = (named_quantity){s->velocity[i].name,
                                      s->velocity[i].unit,
                                      {ZW_QUANTITY_OBSERVABLE, eq->nobservable + i}};
    for (int i = 0; i < eq->nv; i++) {
        const char *unit;
        zw_equilibria_entry(e, eq->nq + i, &unit);
        k[count++] = (named_quantity){
            zw_expr_name(s->ctx, eq->a[i]), per_second(l, unit), {ZW_QUANTITY_RATE, i}};
    }
    for (int i = 0; i < eq->nc; i++)
        k[count++] = (named_quantity){
            zw_expr_name(s->ctx, eq->lambda[i]),
            eq->constraint[i] >= 0 ? s->constraint[eq->constraint[i]].lambda_unit : "",
            {ZW_QUANTITY_RATE, eq->nv + i}};
    int nobs = e->kernel->nobs;
    k[count++] = (named_quantity){"kinetic", energy, {ZW_QUANTITY_OBSERVABLE, nobs}};
    k[count++] = (named_quantity){"potential", energy, {ZW_QUANTITY_OBSERVABLE, nobs + 1}};
    k[count++] = (named_quantity){"energy", energy, {ZW_QUANTITY_ENERGY, 0}};
    *n = count;
    return k;
}

static zw_status take_outputs(zw_linear_equations *l, const zw_linear_options *o, zw_error *err) {
    int n = 0;
    named_quantity *k = list_outputs(l, &n);
    l->nout = o->noutput < 0 ? l->e->sys->nobservable : o->noutput;
    l->out = ZW_NEW(&l->arena, zw_measured, l->nout + 1);
    l->out_name = ZW_NEW(&l->arena, const char *, l->nout + 1);
    l->out_unit = ZW_NEW(&l->arena, const char *, l->nout + 1);
    l->left_out = ZW_NEW(&l->arena, const char *, l->nout + 1);
    const char **names = ZW_NEW(&l->arena, const char *, n + 1);
    if (l->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int j = 0; j < n; j++)
        names[j] = k[j].name;
    for (int i = 0; i < l->nout; i++) {
        int j = o->noutput < 0 ? i : 0;
        while (o->noutput >= 0 && j < n && strcmp(k[j].name, o->output[i]) != 0)
            j++;
        if (j == n)
            return report_unknown(err,
                                  "observable, coordinate, velocity, acceleration or multiplier",
                                  o->output[i], n, names);
        l->out[i] = k[j].quantity;
        l->out_name[i] = k[j].name;
        l->out_unit[i] = k[j].unit;
    }
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- states */

static zw_status find_requested(zw_linear_equations *l, const zw_linear_options *o, int *requested,
                                zw_error *err) {
    const zw_equilibria *e = l->e;
    int n = e->eq.nq + e->eq.nv;
    const char *unit, **names = ZW_NEW(&l->arena, const char *, n + 1);
    for (int i = 0; names && i < n; i++)
        names[i] = zw_equilibria_entry(e, i, &unit);
    for (int i = 0; i < o->nstate; i++) {
        requested[i] = zw_equilibria_find_entry(e, o->state[i]);
        if (requested[i] < 0)
            return report_unknown(err, "coordinate or velocity", o->state[i], n, names);
    }
    return ZW_OK;
}

static zw_status reject_state(const zw_linear_equations *l, zw_status status, int bad,
                              zw_error *err) {
    const char *unit;
    if (bad < 0)
        return status;
    const char *name = zw_equilibria_entry(l->e, bad, &unit);
    if (status == ZW_E_SINGULAR && err) {
        snprintf(
            err->text, sizeof err->text,
            "%s is no state of its own: the constraints, or the states before it, determine it",
            name);
        zw_error_hint(err, "leave it out of --states");
    }
    if (status == ZW_E_DOMAIN && err) {
        snprintf(err->text, sizeof err->text,
                 "the linear equations of these states are not constant: %s or another of them "
                 "changes along the motion",
                 name);
        zw_error_hint(err, "choose states that stay as they are, or none");
    }
    return status;
}

/* Names of states: an entry, the rate of one, or a combination. */
static zw_status name_states(zw_linear_equations *l, zw_error *err) {
    const zw_states *s = &l->states;
    int mixed = 0;
    l->state_name = ZW_NEW(&l->arena, const char *, s->n + 1);
    l->state_unit = ZW_NEW(&l->arena, const char *, s->n + 1);
    if (l->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < s->n; i++) {
        const char *unit = "", *name = "";
        if (s->kind[i] != ZW_STATE_MIXED)
            name = zw_equilibria_entry(l->e, s->entry[i], &unit);
        if (s->kind[i] == ZW_STATE_RATE) {
            name = zw_arena_printf(&l->arena, "rate(%s)", name);
            unit = per_second(l, unit);
        } else if (s->kind[i] == ZW_STATE_MIXED)
            name = zw_arena_printf(&l->arena, "y%d", ++mixed);
        l->state_name[i] = name;
        l->state_unit[i] = unit;
    }
    return zw_arena_status(&l->arena, err);
}

/* At a motion at rest an output may change along the symmetries, as the position of a cart does.
 * The states then are the outputs themselves, if they are coordinates, or else the entries that
 * change most along the symmetries. */
typedef enum state_choice {
    ANY_STATES,
    OUTPUT_STATES,
    SYMMETRY_STATES,
    STATE_CHOICES
} state_choice;

static int choose_outputs(const zw_linear_equations *l, int *requested) {
    const zw_linearisation *a = &l->e->linear;
    int n = 0;
    for (int i = 0; i < l->nout; i++) {
        bool along = false;
        for (int j = 0; j < a->norbit && l->out[i].kind == ZW_QUANTITY_ENTRY; j++)
            along |= a->orbit_T[l->out[i].index * a->norbit + j] != 0;
        if (along)
            requested[n++] = l->out[i].index;
    }
    return n;
}

static int choose_along_symmetries(const zw_linear_equations *l, int *requested) {
    const zw_linearisation *a = &l->e->linear;
    for (int j = 0; j < a->norbit; j++) {
        double most = 0;
        for (int i = 0; i < a->nx; i++) {
            double part = fabs(a->orbit_T[i * a->norbit + j]) / l->e->scale[i];
            requested[j] = part > most ? i : requested[j];
            most = fmax(most, part);
        }
    }
    return a->norbit;
}

static zw_status choose_states(zw_linear_equations *l, const zw_linear_options *o,
                               state_choice which, zw_error *err) {
    const zw_equilibria *e = l->e;
    int *requested = ZW_NEW(&l->arena, int, o->nstate + l->nout + e->linear.norbit + 1), bad = -1,
        n = o->nstate;
    l->first_order = ZW_NEW(&l->arena, bool, e->eq.nq + 1);
    if (l->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < e->eq.nq && i < e->sys->nq; i++)
        l->first_order[i] = e->sys->coord[i].state;
    ZW_TRY(find_requested(l, o, requested, err));
    if (which != ANY_STATES)
        n = which == OUTPUT_STATES ? choose_outputs(l, requested)
                                   : choose_along_symmetries(l, requested);
    zw_states_clear(&l->states);
    zw_status status =
        zw_states_choose(&l->states, e->flow, &e->symmetries, &e->motion, &e->linear, e->scale,
                         l->first_order, n, n ? requested : NULL, &bad, err);
    return status < 0 ? reject_state(l, status, bad, err) : name_states(l, err);
}

/* ------------------------------------------------------------------------------------
 * rejections */

static zw_status reject_output(const zw_linear_equations *l, int i, zw_error *err) {
    if (l->inout.refused_out[i] == ZW_REFUSED_ROUGH) {
        zw_fail(err, ZW_E_DOMAIN, "%s has no derivative at the motion", l->out_name[i]);
        zw_error_hint(err, "abs, sign, min, max, if, a table or a root switches there; smooth it");
        return ZW_E_DOMAIN;
    }
    zw_fail(err, ZW_E_DOMAIN,
            "%s changes along the motion, or from one place of it to another: its linear equation "
            "is not constant",
            l->out_name[i]);
    zw_error_hint(err, "observe components that move along with the motion");
    return ZW_E_DOMAIN;
}

/* Requested outputs must be possible; observables that are outputs by default are left out if they
 * are not. */
static zw_status drop_outputs(zw_linear_equations *l, const zw_linear_options *o, bool *again,
                              zw_error *err) {
    int kept = 0;
    for (int i = 0; i < l->nout; i++) {
        if (l->inout.refused_out[i] && o->noutput >= 0)
            return reject_output(l, i, err);
        if (l->inout.refused_out[i]) {
            l->left_out[l->nleft++] = l->out_name[i];
            continue;
        }
        l->out[kept] = l->out[i];
        l->out_name[kept] = l->out_name[i];
        l->out_unit[kept++] = l->out_unit[i];
    }
    *again = kept < l->nout;
    l->nout = kept;
    return ZW_OK;
}

/* ---- An input must not change the motion's own symmetry, X_0 + sum c X: B is then constant for a
 * co-moving observer. A force in a fixed direction on a body that turns would rotate for this
 * observer. */

/* The shift of the input by which symmetries are tested: it changes the rates of the states about
 * as much as typical disturbances do. */
static double input_shift(const zw_linear_equations *l, int in, double value) {
    const zw_states *s = &l->states;
    double most = 0;
    for (int i = 0; i < s->n; i++) {
        double rate = 0, effect = fabs(l->inout.B[i * l->nin + in]);
        for (int j = 0; j < s->n; j++)
            for (int k = 0; k < s->nx; k++)
                rate += fabs(s->A[i * s->n + j] * s->E[j * s->nx + k]) * l->e->scale[k];
        if (effect > 0 && rate > 0)
            most = fmax(most, effect / rate);
    }
    double usual = value != 0 ? fabs(value) : 1;
    return most > 0 ? fmin(INPUT_SHIFT / most, usual) : INPUT_SHIFT * usual;
}

/* Shift input i by h from its value at the parameters p; h = 0 restores it. */
static zw_status move_input(const zw_linear_equations *l, int i, double h, const double *p,
                            zw_error *err) {
    const zw_equilibria *e = l->e;
    const zw_system *s = e->sys;
    zw_arena *arena = (zw_arena *)&l->arena;
    double *value = ZW_NEW(arena, double, s->np + 1), *u = ZW_NEW(arena, double, s->nsignal + 1);
    bool *given = ZW_NEW(arena, bool, s->np + 1);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    if (l->in[i].kind == ZW_QUANTITY_SIGNAL) {
        for (int j = 0; j < s->nsignal; j++)
            u[j] = zw_system_signal_at(s, j, p, e->options.t, e->options.t) +
                   (j == l->in[i].index ? h : 0);
        zw_flow_set_inputs(e->flow, u);
        return ZW_OK;
    }
    int chosen = e->kernel->parameter[l->in[i].index];
    memcpy(value, p, sizeof(double) * (size_t)s->np);
    for (int j = 0; j < s->np; j++)
        given[j] = e->given && e->given[j];
    given[chosen] = true;
    value[chosen] += h;
    if (h != 0)
        ZW_TRY(zw_system_param_follow(s, given, value, err));
    return zw_flow_set_parameters(e->flow, value, err);
}

/* The part of the motion's symmetry that `other` lacks: its combination of fields minus those of
 * `other`, by elimination with the rows in echelon form. */
static double lost_symmetry(const zw_linear_equations *l, const zw_symmetries *other) {
    const zw_symmetries *s = &l->e->symmetries;
    int n = s->nfield;
    double *z = ZW_NEW((zw_arena *)&l->arena, double, n + 1), size = 0, left_out = 0;
    if (!z || other->nfield != n)
        return INFINITY;
    for (int j = 0; j < n; j++) {
        z[j] = s->driven[j];
        for (int i = 0; i < s->n; i++)
            z[j] += l->e->motion.c[i] * s->combination[i * n + j];
        size = fmax(size, fabs(z[j]));
        z[j] -= other->driven[j];
    }
    for (int i = 0; i < other->n; i++) {
        const double *row = other->combination + (size_t)i * (size_t)n;
        int pivot = 0;
        while (pivot < n && row[pivot] == 0)
            pivot++;
        double part = pivot < n ? z[pivot] / row[pivot] : 0;
        for (int j = 0; j < n; j++)
            z[j] -= part * row[j];
    }
    for (int j = 0; j < n; j++)
        left_out = fmax(left_out, fabs(z[j]));
    return size > 0 ? left_out / size : left_out > 0 ? INFINITY : 0;
}

static zw_status reject_input(const zw_linear_equations *l, int i, zw_error *err) {
    if (err)
        *err = (zw_error){0};
    if (l->inout.refused_in[i])
        return zw_fail(err, ZW_E_DOMAIN, "the constraints cannot hold any more if %s changes",
                       l->in_name[i]);
    zw_fail(err, ZW_E_DOMAIN,
            "the motion follows a symmetry that %s breaks or changes: its linear equation is not "
            "constant",
            l->in_name[i]);
    zw_error_hint(err, l->in[i].kind == ZW_QUANTITY_SIGNAL
                           ? "let the input act in directions that move along with the motion"
                           : "follow the motions of other values with --over");
    return ZW_E_DOMAIN;
}

static zw_status check_input(const zw_linear_equations *l, int i, zw_error *err) {
    const zw_equilibria *e = l->e;
    zw_symmetries other = {0};
    bool signal = l->in[i].kind == ZW_QUANTITY_SIGNAL;
    double *p = ZW_NEW((zw_arena *)&l->arena, double, e->sys->np + 1);
    if (!p)
        return zw_out_of_memory(err, NULL);
    if (l->inout.refused_in[i])
        return reject_input(l, i, err);
    if (zw_linear_at_rest(l)) /* a motion at rest has no moving frame */
        return ZW_OK;
    memcpy(p, zw_flow_parameters(e->flow), sizeof(double) * (size_t)e->sys->np);
    double value = signal ? 0 : p[e->kernel->parameter[l->in[i].index]];
    zw_status status = move_input(l, i, input_shift(l, i, value), p, err);
    if (status >= 0)
        status = zw_symmetries_find(&other, e->flow, e->motion.t, e->motion.x, e->scale, err);
    bool fine = status >= 0 && lost_symmetry(l, &other) <= SYMMETRY_LOST;
    zw_symmetries_clear(&other);
    zw_status restored = move_input(l, i, 0, p, err);
    return restored < 0 ? restored : fine ? ZW_OK : reject_input(l, i, err);
}

/* -----------------------------------------------------------------------------------------
 * set-up */

static zw_status find_inout(zw_linear_equations *l, zw_error *err) {
    const zw_equilibria *e = l->e;
    zw_inout_clear(&l->inout);
    return zw_inout_find(&l->inout, e->flow, &e->symmetries, &e->motion, &e->linear, &l->states,
                         e->scale, l->nin, l->in, l->nout, l->out, err);
}

/* Does a requested output change along the symmetries, while the states are ours to choose? */
static bool needs_symmetry_states(const zw_linear_equations *l, const zw_linear_options *o) {
    bool moves = false;
    for (int i = 0; i < l->nout; i++)
        moves |= l->inout.refused_out[i] == ZW_REFUSED_MOVES;
    return moves && o->noutput > 0 && o->nstate == 0 && zw_linear_at_rest(l);
}

/* Are all eigenvalues in the left half-plane, and all noises of the model among the inputs? */
static zw_no_covariance stationary_reason(const zw_linear_equations *l) {
    const zw_system *s = l->e->sys;
    int noises = 0;
    for (int i = 0; i < s->nsignal; i++)
        noises += s->signal[i].noise != ZW_NULL;
    for (int i = 0; i < l->nin; i++)
        noises -= l->in[i].kind == ZW_QUANTITY_SIGNAL && s->signal[l->in[i].index].noise;
    if (!zw_system_is_random(s) || l->states.n == 0)
        return ZW_COVARIANCE_NO_STATES;
    if (noises != 0)
        return ZW_COVARIANCE_INPUTS;
    for (int j = 0; j < l->spectrum.n; j++)
        if (!(l->spectrum.re[j] < 0))
            return ZW_COVARIANCE_UNSTABLE;
    return zw_linear_delays_noise(l) ? ZW_COVARIANCE_DELAYED : ZW_COVARIANCE_THERE;
}

/* The symbols of time, coordinates, velocities and parameters, with their values at the motion. */
static zw_status list_values(zw_linear_equations *l, zw_expr **symbol, double **value, int *n,
                             zw_error *err) {
    const zw_equations *eq = &l->e->eq;
    const zw_system *s = l->e->sys;
    int nx = eq->nq + eq->nv;
    *n = 1 + nx + s->np;
    *symbol = ZW_NEW(&l->arena, zw_expr, *n + 1);
    *value = ZW_NEW(&l->arena, double, *n + 1);
    if (l->arena.failed)
        return zw_out_of_memory(err, NULL);
    (*symbol)[0] = s->t;
    (*value)[0] = l->e->motion.t;
    for (int i = 0; i < nx; i++) {
        (*symbol)[1 + i] = i < eq->nq ? eq->q[i] : eq->v[i - eq->nq];
        (*value)[1 + i] = l->e->motion.x[i];
    }
    for (int i = 0; i < s->np; i++) {
        (*symbol)[1 + nx + i] = s->param[i].sym;
        (*value)[1 + nx + i] = l->e->p[i];
    }
    return ZW_OK;
}

/* Does a noise multiply disturbances of the state? Second moments then do not obey Lyapunov's
 * equation. */
static zw_status find_multiplicative_noise(zw_linear_equations *l, bool *any, zw_error *err) {
    const zw_equations *eq = &l->e->eq;
    const zw_system *s = l->e->sys;
    zw_expr *symbol;
    double *value;
    int n;
    ZW_TRY(list_values(l, &symbol, &value, &n, err));
    *any = false;
    for (int k = 0; k < s->nsignal && !*any; k++)
        for (int i = 0; s->signal[k].noise && i < eq->nq + eq->nv && !*any; i++) {
            zw_expr gain =
                zw_diff(s->ctx, i < eq->nq ? eq->qdot[i] : eq->h[i - eq->nq], s->signal[k].sym);
            for (int j = 0; j < eq->nq + eq->nv && !*any; j++)
                *any = zw_depends(s->ctx, gain, symbol[1 + j]) &&
                       zw_eval(s->ctx, zw_diff(s->ctx, gain, symbol[1 + j]), n, symbol, value) != 0;
        }
    return zw_context_status(s->ctx, err);
}

static zw_status find_covariance(zw_linear_equations *l, zw_error *err) {
    size_t n = (size_t)l->states.n;
    bool multiplied;
    l->no_covariance = stationary_reason(l);
    if (l->no_covariance)
        return ZW_OK;
    ZW_TRY(find_multiplicative_noise(l, &multiplied, err));
    if (multiplied) {
        l->no_covariance = ZW_COVARIANCE_MULTIPLIED;
        return ZW_OK;
    }
    double *intensity = ZW_NEW(&l->arena, double, l->nin + 1),
           *P = ZW_NEW(&l->arena, double, n *n + 1);
    if (!intensity || !P)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < l->nin; i++)
        if (l->in[i].kind == ZW_QUANTITY_SIGNAL)
            intensity[i] = zw_system_noise_at(l->e->sys, l->in[i].index, l->e->p);
    zw_error why = {0};
    zw_status status = zw_covariance(&l->states, l->nin, l->inout.B, intensity, P, &why);
    if (status >= 0) {
        zw_linear_delays_vary(l, P);
        l->covariance = P;
    } else
        l->no_covariance = status == ZW_E_OPTION ? ZW_COVARIANCE_LARGE : ZW_COVARIANCE_UNSTABLE;
    return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
}

static zw_status solve_linear(zw_linear_equations *l, const zw_linear_options *o, zw_error *err) {
    const zw_equilibria *e = l->e;
    bool again;
    if (!e->linear_known)
        return zw_fail(err, ZW_E_OPTION, "zw_linear_create comes after zw_equilibria_find");
    ZW_TRY(take_inputs(l, o, err));
    ZW_TRY(take_outputs(l, o, err));
    ZW_TRY(choose_states(l, o, ANY_STATES, err));
    ZW_TRY(find_inout(l, err));
    for (int w = OUTPUT_STATES; w < STATE_CHOICES && needs_symmetry_states(l, o); w++) {
        zw_error dependent = {0};
        if (choose_states(l, o, (state_choice)w, &dependent) < 0)
            ZW_TRY(choose_states(l, o, ANY_STATES, err));
        ZW_TRY(find_inout(l, err));
    }
    ZW_TRY(drop_outputs(l, o, &again, err));
    if (again)
        ZW_TRY(find_inout(l, err));
    for (int i = 0; i < l->nin; i++)
        ZW_TRY(check_input(l, i, err));
    ZW_TRY(zw_second_order_find(&l->second, e->flow, &e->motion, &e->linear, &l->states,
                                l->first_order, err));
    ZW_TRY(zw_spectrum_find(&l->spectrum, &l->states, &l->inout, err));
    ZW_TRY(zw_linear_delays_find(l, err));
    return find_covariance(l, err);
}

zw_status zw_linear_create(zw_linear_equations **out, const zw_equilibria *e,
                           const zw_linear_options *options, zw_error *err) {
    assert(out);
    *out = NULL;
    zw_allocator alloc = zw_context_allocator(e->sys->ctx);
    zw_linear_options own = zw_linear_options_default();
    zw_linear_equations *l = zw_allocate(&alloc, sizeof *l);
    if (!l)
        return zw_out_of_memory(err, NULL);
    *l = (zw_linear_equations){.e = e};
    zw_arena_init(&l->arena, &alloc);
    zw_status status =
        options ? zw_options_adopt(&own, sizeof own, options, "zw_linear_options", err) : ZW_OK;
    if (status >= 0)
        status = solve_linear(l, &own, err);
    if (status < 0) {
        zw_linear_destroy(l);
        return status;
    }
    *out = l;
    return ZW_OK;
}

void zw_linear_destroy(zw_linear_equations *l) {
    if (!l)
        return;
    zw_allocator alloc = l->arena.alloc;
    zw_spectrum_clear(&l->spectrum);
    zw_second_order_clear(&l->second);
    zw_inout_clear(&l->inout);
    zw_states_clear(&l->states);
    zw_arena_clear(&l->arena);
    zw_release(&alloc, l, sizeof *l);
}

/* -------------------------------------------------------------------------------------- answers */

/* The covariance with delays is good as far as the nodes resolve what the noise excites. */
void zw_linear_warnings(const zw_linear_equations *l, zw_warnings *out) {
    const zw_system *s = l->e->sys;
    zw_warning w;
    if (!l->covariance || s->ndelay == 0 || (l->exact && !(l->past_lost > ZW_SAME_SOLUTION)))
        return;
    const zw_delay *d = &s->delay[l->past_lost_by];
    int more = 2 * d->nodes < ZW_DELAY_NODES_MAX ? 2 * d->nodes : ZW_DELAY_NODES_MAX;
    if (l->exact)
        w = zw_warning_of(
            "covariance", NAN,
            "the %d nodes of the delay %s do not resolve all frequencies of the noise: they miss "
            "%.2g of its standard deviation, which is set to that of the delayed quantity; its "
            "other covariances have an error of about the same size",
            d->nodes, d->name, l->past_lost);
    else
        w = zw_warning_of("covariance", NAN,
                          "the covariance is computed from the nodes of the delays, which do not "
                          "resolve high frequencies of the noise; its error is not known");
    zw_warning_place(&w, d->place);
    zw_warning_hint(&w, "more nodes: delay %s = ... by ... nodes %d", d->name, more);
    zw_warnings_add(out, &w);
}

const double *zw_linear_covariance(const zw_linear_equations *l) {
    return l->covariance;
}

const zw_states *zw_linear_states(const zw_linear_equations *l) {
    return &l->states;
}

const zw_inout *zw_linear_inout(const zw_linear_equations *l) {
    return &l->inout;
}

const zw_second_order *zw_linear_second_order(const zw_linear_equations *l) {
    return &l->second;
}

const zw_spectrum *zw_linear_spectrum(const zw_linear_equations *l) {
    return &l->spectrum;
}

static const char *entry_name(const char *const *name, const char *const *of, int i,
                              const char **unit) {
    if (unit)
        *unit = of[i];
    return name[i];
}

const char *zw_linear_state(const zw_linear_equations *l, int i, const char **unit) {
    return entry_name(l->state_name, l->state_unit, i, unit);
}

const char *zw_linear_input(const zw_linear_equations *l, int i, const char **unit) {
    return entry_name(l->in_name, l->in_unit, i, unit);
}

const char *zw_linear_output(const zw_linear_equations *l, int i, const char **unit) {
    return entry_name(l->out_name, l->out_unit, i, unit);
}

int zw_linear_left_out(const zw_linear_equations *l) {
    return l->nleft;
}

const char *zw_linear_left_out_name(const zw_linear_equations *l, int i) {
    assert(i >= 0 && i < zw_linear_left_out(l));
    return l->left_out[i];
}
