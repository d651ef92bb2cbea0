/* SPDX-License-Identifier: MIT */
/* A slip manifold as a report, and its warnings. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/tolerance.h"
#include "slip.h"
#include "slow/order_errors.h"

/* Limits of warnings, chosen by trial: they separate manifolds that runs approach from those that
 * they leave. */
#define RATE_RATIO_MIN 3      /* decay rate of the slip velocities relative to the other rates */
#define RUN_DISTANCE_MAX 0.01 /* of a run from the manifold, relative to the slip velocities */
#define TERM_RATIO_MAX 0.5 /* of a term to the one before: K orders then leave 1/2^K of the slips */
/* Distance of a run from the orders: relative to the slip velocities on the manifold, unless it is
 * round-off relative to the speed. */
#define ORDER_DISTANCE_MAX 0.3
#define ORDER_DISTANCE_MIN 1e-9
#define CHANGE_MIN 1e-14 /* [SI]; a velocity of the start that changes by less is unchanged */

/* ----------------------------------------------------------------------------------- the problem */

static void put_options(zw_text *t, const char *option, int n, const char *const *value) {
    for (int i = 0; i < n; i++)
        zw_text_printf(t, " --%s \"%s\"", option, value[i]);
}

/* the command that runs order 0: the model with the constraints */
static void report_command(zw_report *out, const zw_slip_manifold *n,
                           const zw_slip_manifold_task *task) {
    static const zw_model_options none;
    const zw_model_source *source = task->source;
    const zw_model_options *m = source && source->options ? source->options : &none;
    zw_allocator alloc = zw_context_allocator(n->ctx);
    zw_text t;
    zw_text_init(&t, &alloc);
    zw_text_printf(&t, "zwang run %s", source && source->file ? source->file : n->sys->name);
    if (m->variant)
        zw_text_printf(&t, " --variant %s", m->variant);
    put_options(&t, "set", m->nset, m->set);
    put_options(&t, "without", m->nwithout, m->without);
    put_options(&t, "law", m->nlaw, m->law);
    zw_text_put(&t, " --with ");
    for (int i = 0; i < m->nwith; i++)
        zw_text_printf(&t, "%s,", m->with[i]);
    for (int i = 0; i < n->nnear; i++)
        zw_text_printf(&t, "%s%s", i ? "," : "", n->near[i]);
    zw_report_word(out, "command_of_order_0", zw_text_get(&t));
    zw_text_clear(&t);
    zw_report_say(out, "Order 0 is the model with these constraints: {command_of_order_0}\n");
}

static void report_constraints(zw_report *out, const zw_slip_manifold_result *r) {
    zw_report_list(out, "constraints");
    for (int i = 0; i < r->nf; i++) {
        zw_report_open(out, NULL);
        zw_report_word(out, "name", r->name[i]);
        zw_report_word(out, "unit", r->unit[i]);
        zw_report_say(out, i ? ", {name}" : "Slip manifold of {name}");
        zw_report_close(out);
    }
    zw_report_close(out);
}

static void report_problem(zw_report *out, const zw_slip_manifold *n,
                           const zw_slip_manifold_task *task) {
    const zw_slip_manifold_result *r = &n->result;
    report_constraints(out, r);
    zw_report_word(out, "small_parameter", r->small);
    zw_report_number(out, "small_value", r->eps, &(zw_shown){.unit = r->small_unit, .digits = 6});
    zw_report_flag(out, "small_chosen", r->chosen);
    zw_report_words(out, "forces", r->nforce, r->force);
    zw_report_count(out, "order", r->order);
    zw_report_say(out, "; small parameter {small_parameter} = {small_value}"
                       "{small_chosen? (the only one possible)}, in the forces {forces}\n");
    report_command(out, n, task);
}

/* ------------------------------------------------------------------------------------- the points */

static bool is_changed(double value, double change) {
    return fabs(change) > ZW_ROUNDOFF_SUM * fmax(fabs(value), fabs(change)) &&
           fabs(change) >= CHANGE_MIN;
}

static void report_slow_start(zw_report *out, const zw_slip_manifold *n, const double *slow) {
    const zw_system *sys = n->sys;
    bool any = false;
    zw_report_list(out, "slow_start");
    for (int i = 0; slow && i < sys->nv; i++) {
        double value = slow[sys->nq + i];
        if (!is_changed(value, value - n->start[sys->nq + i]))
            continue;
        zw_report_open(out, NULL);
        zw_report_word(out, "name", sys->velocity[i].name);
        zw_report_number(out, "value", value,
                         &(zw_shown){.unit = sys->velocity[i].unit, .digits = 9});
        zw_report_say(out, any ? ", {name} = {value}"
                               : "  The start has slip velocities; order 0 starts with {name} = "
                                 "{value}");
        zw_report_close(out);
        any = true;
    }
    zw_report_close(out);
    zw_report_say(out, any ? "\n" : "");
}

/* 0 for values that are round-off relative to the others */
static double clean_rounding(int n, const double *value, int i) {
    double most = 0;
    for (int k = 0; k < n; k++)
        most = fmax(most, fabs(value[k]));
    return fabs(value[i]) < ZW_ROUNDOFF_SUM * most ? 0 : value[i];
}

static void report_slip(zw_report *out, const zw_slip_manifold_result *r,
                        const zw_slip_manifold_place *p, int i) {
    double order[ZW_MANIFOLD_ORDER_MOST];
    zw_shown nine = {.digits = 9};
    for (int k = 1; k <= r->order; k++)
        order[k - 1] = clean_rounding(r->nf, p->g + k * r->nf, i);
    zw_report_open(out, NULL);
    zw_report_word(out, "constraint", r->name[i]);
    zw_report_vector(out, "coefficients", r->order, order, NULL, &nine);
    zw_report_number(out, "constraint_force", clean_rounding(r->nf, p->force, i), &nine);
    zw_report_say(out, "  {constraint:-12}{coefficients* {.:16}}   constraint force "
                       "{constraint_force}\n");
    zw_report_close(out);
}

static void report_rates(zw_report *out, int n, const zw_slip_manifold_place *p) {
    double decay[ZW_SLIP_MANIFOLD_FAST_MOST];
    for (int i = 0; i < n; i++)
        decay[i] = -p->rate_re[i];
    zw_report_complexes(out, "decay_rates", n, decay, p->rate_im,
                        &(zw_shown){.unit = "1/s", .digits = 6});
    zw_report_say(out, n > 1 ? "  Slip velocities decay at the rates {decay_rates}.\n"
                             : "  Slip velocities decay at the rate {decay_rates}.\n");
}

static void report_place(zw_report *out, const zw_slip_manifold_result *r,
                         const zw_slip_manifold_place *p) {
    zw_report_open(out, NULL);
    zw_report_number(out, "t", p->t, &(zw_shown){.unit = "s", .digits = 6});
    zw_report_say(
        out, p->t > 0 ? "Slip velocities in powers of {small_parameter} at t = {t} of order 0\n"
                      : "Slip velocities in powers of {small_parameter} at t = {t}\n");
    zw_report_list(out, "slips");
    for (int i = 0; i < r->nf; i++)
        report_slip(out, r, p, i);
    zw_report_close(out);
    report_rates(out, r->nf, p);
    zw_report_close(out);
}

/* -------------------------------------------------------------------------------------- the run */

static void report_run(zw_report *out, const zw_slip_manifold *n,
                       const zw_slip_manifold_summary *s) {
    const zw_slip_manifold_along *a = &s->along;
    const zw_manifold_approach *d = &a->approach;
    zw_shown rate = {.unit = "1/s", .digits = 6}, time = {.unit = "s", .digits = 6},
             ratio = {.digits = 4},
             distance = {.unit = n->sys->no_units ? "" : "J^(1/2)", .digits = 6};
    zw_report_open(out, "run");
    zw_report_number(out, "until", s->until, &time);
    zw_report_number(out, "decay_rate_least", a->least, &rate);
    zw_report_number(out, "decay_rate_least_time", a->at, &time);
    zw_report_number(out, "decay_rate_most", a->most, &rate);
    zw_report_number(out, "rate_ratio_least", a->gap, &ratio);
    zw_report_number(out, "rate_ratio_least_time", a->gap_at, &time);
    zw_report_number(out, "slip_largest", a->slip, &ratio);
    zw_report_number(out, "distance_largest_later", a->apart, &ratio);
    zw_report_number(out, "term_ratio_largest", a->ratio, &ratio);
    zw_report_number(out, "distance_start", d->start, &distance);
    zw_report_number(out, "distance_end", d->end, &distance);
    zw_report_number(out, "distance_decay_rate", d->rate, &rate);
    zw_report_number(out, "distance_decay_until", d->until, &(zw_shown){.unit = "s", .digits = 3});
    zw_report_number(out, "distance_decay_rate_predicted", d->predicted, &rate);
    zw_report_number(out, "distance_decay_rate_predicted_most", a->fastest, &rate);
    zw_report_say(
        out,
        "Along a run of {until}\n"
        "  Slip velocities decay at {decay_rate_least} or faster (least at t = "
        "{decay_rate_least_time}), at most at {decay_rate_most}"
        "{rate_ratio_least?; at least {rate_ratio_least} times as fast as all other motion, "
        "at t = {rate_ratio_least_time}}.\n"
        "  On the manifold they are up to {slip_largest} of the speed, measured by kinetic "
        "energy.\n"
        "  Distance from the manifold up to {small_parameter}^{order}: {distance_start} at the "
        "start, {distance_end} at the end.\n");
    zw_report_say(out, n->nf > 1 ? "{distance_decay_rate?  It decreases at the rate "
                                   "{distance_decay_rate} until t = {distance_decay_until}; "
                                   "predicted: {distance_decay_rate_predicted} to "
                                   "{distance_decay_rate_predicted_most}.\n}"
                                 : "{distance_decay_rate?  It decreases at the rate "
                                   "{distance_decay_rate} until t = {distance_decay_until}; "
                                   "predicted: {distance_decay_rate_predicted}.\n}");
    zw_report_say(out, "{distance_decay_rate!  No rate: from this start the distance does not "
                       "decrease far enough.\n}");
    zw_report_close(out);
}

static void report_errors(zw_report *out, const zw_slip_manifold *n,
                          const zw_slip_manifold_summary *s) {
    const zw_slip_manifold_errors *e = &s->errors;
    char title[200];
    zw_order_errors shown = {.key = "errors",
                             .title = title,
                             .small = n->result.small,
                             .unit = n->result.small_unit,
                             .norder = n->order + 1,
                             .nlevel = e->nlevel,
                             .eps = e->eps,
                             .npoint = e->npoint,
                             .error = e->manifold,
                             .power = e->slope,
                             .further = {{"uncertainty", "uncertainty", e->uncertain, false},
                                         {"run_distance", "run", e->run, false}}};
    snprintf(title, sizeof title,
             "Errors of orders 0 to %d relative to the largest speed, at %d points; uncertainty of "
             "the manifold, and distance of a run from it",
             n->order, e->npoint);
    zw_order_errors_report(out, &shown);
    if (!(s->time > 0))
        return;
    shown.key = "flow_errors";
    shown.error = e->flow;
    shown.power = e->flow_slope;
    memset(shown.further, 0, sizeof shown.further);
    snprintf(title, sizeof title, "Errors of the slow velocities of the reduced flow after %.6g s",
             s->time);
    zw_order_errors_report(out, &shown);
}

void zw_slip_manifold_report(const zw_slip_manifold *n, const zw_slip_manifold_task *task,
                             const zw_slip_manifold_summary *s, zw_report *out) {
    report_problem(out, n, task);
    report_slow_start(out, n, s->slow);
    zw_report_list(out, "places");
    for (int i = 0; i < s->nplace; i++)
        report_place(out, &n->result, &s->place[i]);
    zw_report_close(out);
    if (s->has_run)
        report_run(out, n, s);
    if (s->has_errors)
        report_errors(out, n, s);
}

/* ------------------------------------------------------------------------------------- warnings */

static void warn_gap(const zw_slip_manifold *n, double gap, double at, zw_warnings *out) {
    if (!(gap < RATE_RATIO_MIN))
        return;
    zw_warning d = zw_warning_of("gap", NAN,
                                 "slip velocities decay only %.3g times as fast as the rest moves, "
                                 "at t = %.6g s: the orders are inaccurate there, and the manifold "
                                 "need not exist",
                                 gap, at);
    zw_warning_hint(&d, "use a smaller value of %s", n->result.small);
    zw_warnings_add(out, &d);
}

/* excitations in time may be fast without an eigenvalue that shows it: the run does */
static void warn_distance(const zw_slip_manifold *n, const zw_slip_manifold_along *a,
                          zw_warnings *out) {
    if (n->order < 1 || !(a->apart > ORDER_DISTANCE_MIN) ||
        a->apart <= ORDER_DISTANCE_MAX * a->slip)
        return;
    zw_warning d = zw_warning_of(
        "run away from the orders", NAN,
        "after a short transient the run is up to %.2g of the speed away from the manifold up to "
        "%s^%d, where the slip velocities are up to %.2g: this order does not describe it",
        a->apart, n->result.small, n->order, a->slip);
    zw_warning_hint(&d, "use a smaller value of %s; excitations in time must be slow, too",
                    n->result.small);
    zw_warnings_add(out, &d);
}

static void warn_ratio(const zw_slip_manifold *n, const zw_slip_manifold_along *a,
                       zw_warnings *out) {
    if (!(a->ratio > TERM_RATIO_MAX))
        return;
    zw_warning d = zw_warning_of("terms of the orders", NAN,
                                 "along the run the terms of an order are up to %.3g of those of "
                                 "the order before: the orders are inaccurate, and the manifold "
                                 "need not exist",
                                 a->ratio);
    zw_warning_hint(&d, "use a smaller value of %s", n->result.small);
    zw_warnings_add(out, &d);
}

static void warn_errors(const zw_slip_manifold *n, const zw_slip_manifold_errors *e,
                        zw_warnings *out) {
    for (int l = 0; l < e->nlevel; l++)
        if (e->run[l] > RUN_DISTANCE_MAX * e->manifold[l][0]) {
            zw_warning d = zw_warning_of("run away from the manifold", NAN,
                                         "at %s = %.6g a run of the whole model is %.2g of the "
                                         "speed away from the manifold that was found",
                                         n->result.small, e->eps[l], e->run[l]);
            zw_warning_hint(&d, "use a smaller value of %s", n->result.small);
            zw_warnings_add(out, &d);
        }
}

void zw_slip_manifold_warnings(const zw_slip_manifold *n, const zw_slip_manifold_summary *s,
                               zw_warnings *out) {
    warn_gap(n, s->gap, s->gap_at, out);
    if (s->has_run) {
        warn_distance(n, &s->along, out);
        warn_ratio(n, &s->along, out);
    }
    if (s->has_errors)
        warn_errors(n, &s->errors, out);
}
