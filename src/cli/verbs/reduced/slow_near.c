/* SPDX-License-Identifier: MIT */
/* Near constraints (zwang slow --near): orders of the slips at the start and at the end, the
 * manifold along a run, the error of the orders; as text or JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "cli/picture.h"
#include "slow.h"
#include "zwang/manifold.h"

enum { TEXT, LATEX, JSON };
/* Limits of warnings, chosen by trial: they separate manifolds that runs approach from those that
 * they leave. */
#define RATE_RATIO_MIN 3      /* decay rate of the slips relative to the other rates */
#define RUN_DISTANCE_MAX 0.01 /* of a run from the manifold, relative to the slips */

#define TERM_RATIO_MAX 0.5 /* of a term to the one before: K orders then leave 1/2^K of the slips */
/* Distance of a run from the orders: relative to the slips on the manifold, unless it is round-off
 * relative to the speed. */
#define ORDER_DISTANCE_MAX 0.3
#define ORDER_DISTANCE_MIN 1e-9
#define CHANGE_MIN 1e-14 /* [SI]; a velocity of the start that changes by less is unchanged */

typedef struct job {
    const cli_options *o;
    const cli_model *model;
    const char *path;
    zw_slip_manifold *n;
    const zw_slip_manifold_result *r;
    bool json;
    int nnear;
    const char **near;
} job;

/* a row of the orders at a point */
typedef struct point {
    double t, g[(ZW_MANIFOLD_ORDER_MOST + 1) * ZW_SLIP_MANIFOLD_FAST_MOST],
        re[ZW_SLIP_MANIFOLD_FAST_MOST], im[ZW_SLIP_MANIFOLD_FAST_MOST],
        force[ZW_SLIP_MANIFOLD_FAST_MOST];
} point;

static bool ends_with(const char *path, const char *ending) {
    size_t n = path ? strlen(path) : 0, k = strlen(ending);
    return n >= k && strcmp(path + n - k, ending) == 0;
}

static void put_number(double value) {
    if (isfinite(value))
        printf("%.17g", value);
    else
        printf("null");
}

static void put_row(int n, const double *value) {
    printf("[");
    for (int i = 0; i < n; i++) {
        printf("%s", i ? ", " : "");
        put_number(value[i]);
    }
    printf("]");
}

static void put_names(const char *key, int n, const char *const *name) {
    printf("  \"%s\": [", key);
    for (int i = 0; i < n; i++)
        printf("%s\"%s\"", i ? ", " : "", name[i]);
    printf("]");
}

/* ----------------------------------------------------------------------------------------- text */

static void report_again(const char *option, const zw_option_list *list) {
    for (int i = 0; i < list->n; i++)
        printf(" --%s \"%s\"", option, list->item[i]);
}

static void report_head(const job *j) {
    const zw_slip_manifold_result *r = j->r;
    printf("near constraints: %s", r->name[0]);
    for (int i = 1; i < r->nf; i++)
        printf(", %s", r->name[i]);
    printf("; small: %s = %.6g%s%s%s, in ", r->small, r->eps, r->small_unit[0] ? " " : "",
           r->small_unit, r->chosen ? " (the only parameter that can be it)" : "");
    for (int i = 0; i < r->nforce; i++)
        printf("%s%s", i ? ", " : "", r->force[i]);
    const cli_model_options *m = &j->o->model;
    printf("\norder 0 is the model with them: zwang run %s%s%s", j->path,
           m->variant ? " --variant " : "", m->variant ? m->variant : "");
    report_again("set", &m->set);
    report_again("without", &m->without);
    report_again("law", &m->law);
    report_again("bilateral", &m->bilateral);
    report_again("unilateral", &m->unilateral);
    printf(" --with ");
    for (int i = 0; i < j->model->options.nwith; i++)
        printf("%s,", j->model->options.with[i]);
    for (int i = 0; i < j->nnear; i++)
        printf("%s%s", i ? "," : "", j->near[i]);
    printf("\n");
}

/* a start with slip does not belong to the constrained model: its slow point */
static zw_status report_start(const job *j, const double *slow, zw_error *err) {
    const zw_system *sys = j->model->sys;
    double size, speed, slips[ZW_SLIP_MANIFOLD_FAST_MOST];
    const char *before = "  the start slips; order 0 begins with ";
    ZW_TRY(zw_slip_manifold_slips(j->n, 0, j->r->start, slips, err));
    ZW_TRY(zw_slip_manifold_size(j->n, 0, j->r->start, slips, &size, &speed, err));
    if (size <= ZW_ROUNDOFF_SUM * speed)
        return ZW_OK;
    for (int i = 0; i < sys->nv; i++) {
        double value = slow[sys->nq + i], change = value - j->r->start[sys->nq + i];
        if (fabs(change) <= ZW_ROUNDOFF_SUM * fmax(fabs(value), fabs(change)) ||
            fabs(change) < CHANGE_MIN)
            continue;
        printf("%s%s = %.9g%s%s", before, sys->velocity[i].name, value,
               sys->velocity[i].unit[0] ? " " : "", sys->velocity[i].unit);
        before = ", ";
    }
    printf("\n");
    return ZW_OK;
}

/* 0 for values that are round-off relative to the others */
static double clean_rounding(int n, const double *value, int i) {
    double most = 0;
    for (int k = 0; k < n; k++)
        most = fmax(most, fabs(value[k]));
    return fabs(value[i]) < ZW_ROUNDOFF_SUM * most ? 0 : value[i];
}

static void report_point(const job *j, const point *p) {
    const zw_slip_manifold_result *r = j->r;
    printf("slips by powers of %s at t = %.6g s%s\n", r->small, p->t,
           p->t > 0 ? " of the model with them" : "");
    for (int i = 0; i < r->nf; i++) {
        printf("  %-12s", r->name[i]);
        for (int k = 1; k <= r->order; k++)
            printf(" %16.9g", clean_rounding(r->nf, p->g + k * r->nf, i));
        printf("   force of the constraint %.9g\n", clean_rounding(r->nf, p->force, i));
    }
    printf("  they die at the rate%s", r->nf > 1 ? "s" : "");
    for (int i = 0; i < r->nf; i++) {
        printf("%s %.6g", i ? "," : "", -p->re[i]);
        if (p->im[i] != 0)
            printf(" %c %.6gi", p->im[i] > 0 ? '+' : '-', fabs(p->im[i]));
    }
    printf(" 1/s\n");
}

static void report_along(const job *j, const zw_slip_manifold_along *a) {
    const zw_manifold_approach *d = &a->approach;
    printf("along a run of %.6g s\n", j->o->until);
    printf("  slips die at %.6g 1/s at least, at t = %.6g s, at %.6g 1/s at most", a->least, a->at,
           a->most);
    if (isfinite(a->gap))
        printf("; %.4g times as fast as all else moves, at least, at t = %.6g s", a->gap,
               a->gap_at);
    printf("\n  on the manifold slips are up to %.4g of the speed, in the measure of kinetic "
           "energy\n",
           a->slip);
    printf("  distance from the manifold up to %s^%d: %.6g at the start, %.6g at t = %.6g s%s\n",
           j->r->small, j->r->order, d->start, d->end, j->o->until,
           j->model->sys->no_units ? "" : ", in the root of J");
    if (isnan(d->rate))
        printf("  no rate of attraction: the distance does not fall far enough from this start\n");
    else
        printf("  it falls at the rate %.6g 1/s until t = %.3g s; by K/%s: %.6g", d->rate, d->until,
               j->r->small, d->predicted);
    if (!isnan(d->rate) && j->r->nf > 1)
        printf(" to %.6g", a->fastest);
    if (!isnan(d->rate))
        printf(" 1/s\n");
}

static void report_row(const char *label, int n, const double *value, const char *format) {
    printf("  %-34s", label);
    for (int k = 0; k < n; k++)
        if (isnan(value[k]))
            printf("%11s", "-");
        else
            printf(format, value[k]);
    printf("\n");
}

static void report_errors(const job *j, const zw_slip_manifold_errors *e) {
    char text[100];
    int n = j->r->order + 1;
    bool flows = j->o->slow.time > 0;
    printf("error of orders 0 to %d over the largest speed, at %d points; in brackets how sure the "
           "manifold without expansion is, and how far a run is from it\n",
           n - 1, e->npoint);
    for (int l = 0; l < e->nlevel; l++) {
        snprintf(text, sizeof text, "%s = %.6g (%.1e, %.1e)", j->r->small, e->eps[l],
                 e->uncertain[l], e->run[l]);
        report_row(text, n, e->manifold[l], "%11.2e");
    }
    report_row("power of it", n, e->slope, "%11.4f");
    if (!flows)
        return;
    printf("error of the slow velocities of the reduced flow after %.6g s\n", j->o->slow.time);
    for (int l = 0; l < e->nlevel; l++) {
        snprintf(text, sizeof text, "%s = %.6g", j->r->small, e->eps[l]);
        report_row(text, n, e->flow[l], "%11.2e");
    }
    report_row("power of it", n, e->flow_slope, "%11.4f");
}

/* ----------------------------------------------------------------------------------------- JSON */

static void put_head(const job *j) {
    const zw_slip_manifold_result *r = j->r;
    printf("{\n  \"small\": \"%s\",\n  \"eps\": ", r->small);
    put_number(r->eps);
    printf(",\n");
    put_names("near", r->nf, r->name);
    printf(",\n");
    put_names("units", r->nf, r->unit);
    printf(",\n");
    put_names("forces", r->nforce, r->force);
    printf(",\n  \"order\": %d,\n  \"points\": [", r->order);
}

static void put_point(const job *j, const point *p, bool first) {
    int nf = j->r->nf;
    printf("%s\n    {\"t\": ", first ? "" : ",");
    put_number(p->t);
    printf(", \"slips\": [");
    for (int k = 0; k <= j->r->order; k++) {
        printf("%s", k ? ", " : "");
        put_row(nf, p->g + k * nf);
    }
    printf("], \"rates_re\": ");
    put_row(nf, p->re);
    printf(", \"rates_im\": ");
    put_row(nf, p->im);
    printf(", \"forces_of_constraints\": ");
    put_row(nf, p->force);
    printf("}");
}

static void put_field(const char *key, double value) {
    printf(", \"%s\": ", key);
    put_number(value);
}

static void put_along(const zw_slip_manifold_along *a) {
    printf(",\n  \"run\": {\"least_rate\": ");
    put_number(a->least);
    put_field("at", a->at);
    put_field("most_rate", a->most);
    put_field("gap", a->gap);
    put_field("gap_at", a->gap_at);
    put_field("slip", a->slip);
    put_field("apart", a->apart);
    put_field("ratio", a->ratio);
    put_field("distance_start", a->approach.start);
    put_field("distance_end", a->approach.end);
    put_field("fall", a->approach.rate);
    put_field("fall_predicted", a->approach.predicted);
    put_field("fall_fastest", a->fastest);
    printf("}");
}

static void put_errors(const job *j, const zw_slip_manifold_errors *e) {
    int n = j->r->order + 1;
    printf(",\n  \"errors\": {\"eps\": ");
    put_row(e->nlevel, e->eps);
    printf(", \"uncertain\": ");
    put_row(e->nlevel, e->uncertain);
    printf(", \"run\": ");
    put_row(e->nlevel, e->run);
    printf(",\n    \"manifold\": [");
    for (int l = 0; l < e->nlevel; l++) {
        printf("%s", l ? ", " : "");
        put_row(n, e->manifold[l]);
    }
    printf("], \"powers\": ");
    put_row(n, e->slope);
    printf(",\n    \"flow\": [");
    for (int l = 0; l < e->nlevel; l++) {
        printf("%s", l ? ", " : "");
        put_row(n, e->flow[l]);
    }
    printf("], \"flow_powers\": ");
    put_row(n, e->flow_slope);
    printf("}");
}

/* ----------------------------------------------------------------------------------------- work */

static zw_status find_points(const job *j, zw_error *err) {
    double *x = zw_context_alloc(j->model->ctx, (size_t)j->r->nx * sizeof *x);
    if (!x)
        return zw_out_of_memory(err, NULL);
    memcpy(x, j->r->start, (size_t)j->r->nx * sizeof *x);
    ZW_TRY(zw_slip_manifold_move(j->n, 0, x, NULL, err));
    if (!j->json)
        ZW_TRY(report_start(j, x, err));
    for (int i = 0; i < (j->o->until > 0 ? 2 : 1); i++) {
        point p = {.t = i ? j->o->until : 0};
        if (i)
            ZW_TRY(zw_slip_manifold_flow(j->n, 0, j->r->eps, 0, p.t, x, err));
        ZW_TRY(zw_slip_manifold_expand(j->n, p.t, x, p.g, p.re, p.im, p.force, err));
        if (j->json)
            put_point(j, &p, i == 0);
        else
            report_point(j, &p);
    }
    if (j->json)
        printf("\n  ]");
    return ZW_OK;
}

static void warn_gap(const job *j, double gap, double at) {
    if (gap >= RATE_RATIO_MIN)
        return;
    zw_warning d =
        zw_warning_of("gap", NAN,
                      "slips die only %.3g times as fast as the rest moves, at t = %.6g s: "
                      "orders say little there, and the manifold need not exist",
                      gap, at);
    zw_warning_hint(&d, "a smaller value of %s", j->r->small);
    zw_warnings_add(j->model->warnings, &d);
}

/* excitations in time may be fast without an eigenvalue that shows it: the run does */
static void warn_apart(const job *j, const zw_slip_manifold_along *a) {
    if (j->r->order < 1 || !(a->apart > ORDER_DISTANCE_MIN) ||
        a->apart <= ORDER_DISTANCE_MAX * a->slip)
        return;
    zw_warning d =
        zw_warning_of("run beside the orders", NAN,
                      "after its first moments the run is up to %.2g of the speed away from "
                      "the manifold up to %s^%d, where slips are up to %.2g: this order says "
                      "little of it",
                      a->apart, j->r->small, j->r->order, a->slip);
    zw_warning_hint(&d, "a smaller value of %s; drives in time must be slow, too", j->r->small);
    zw_warnings_add(j->model->warnings, &d);
}

static void warn_ratio(const job *j, const zw_slip_manifold_along *a) {
    if (!(a->ratio > TERM_RATIO_MAX))
        return;
    zw_warning d =
        zw_warning_of("terms of the orders", NAN,
                      "along the run terms of the slips are up to %.3g of those of the order "
                      "before: orders say little, and the manifold need not exist",
                      a->ratio);
    zw_warning_hint(&d, "a smaller value of %s", j->r->small);
    zw_warnings_add(j->model->warnings, &d);
}

static void warn_errors(const job *j, const zw_slip_manifold_errors *e) {
    for (int l = 0; l < e->nlevel; l++)
        if (e->run[l] > RUN_DISTANCE_MAX * e->manifold[l][0]) {
            zw_warning d =
                zw_warning_of("run beside the manifold", NAN,
                              "at %s = %.6g a run of the whole model is not on the manifold "
                              "that was found, by %.2g of the speed",
                              j->r->small, e->eps[l], e->run[l]);
            zw_warning_hint(&d, "a smaller value of %s", j->r->small);
            zw_warnings_add(j->model->warnings, &d);
        }
}

static zw_status study_run(const job *j, zw_error *err) {
    zw_model_source source = cli_model_source(j->model, j->path);
    zw_slip_manifold_along a;
    zw_table *t = NULL;
    bool rows = j->o->out || j->o->picture;
    ZW_TRY(zw_slip_manifold_follow(j->n, j->o->until, j->o->step_out, &source, &a, rows ? &t : NULL,
                                   err));
    warn_gap(j, a.gap, a.gap_at);
    warn_apart(j, &a);
    warn_ratio(j, &a);
    if (j->json)
        put_along(&a);
    else
        report_along(j, &a);
    return rows ? cli_picture_and_table(j->o, j->model->warnings, t, err) : ZW_OK;
}

static zw_status study_manifold(const job *j, zw_error *err) {
    zw_slip_manifold_errors e;
    zw_error why = {0};
    double gap;
    if (j->json)
        put_head(j);
    else
        report_head(j);
    ZW_TRY(find_points(j, err));
    if (j->o->until > 0)
        ZW_TRY(study_run(j, err));
    else if (zw_slip_manifold_gap(j->n, 0, j->r->start, &gap, &why) >=
             0) /* not with dependent constraints */
        warn_gap(j, gap, 0);
    if (j->o->slow.levels) {
        ZW_TRY(zw_slip_manifold_measure(j->n, j->o->until, j->o->slow.levels, j->o->slow.time, &e,
                                        err));
        warn_errors(j, &e);
        if (j->json)
            put_errors(j, &e);
        else
            report_errors(j, &e);
    }
    if (j->json)
        printf("\n}\n");
    cli_report_warnings(j->o, j->model->warnings, false);
    return ZW_OK;
}

zw_status cli_slow_near_check(const cli_options *o, zw_error *err) {
    const char *other = o->slow.fast.n      ? "fast"
                        : o->slow.box.n     ? "box"
                        : o->slow.canard    ? "canard"
                        : o->slow.portrait  ? "portrait"
                        : o->slow.propose   ? "propose"
                        : o->slow.advise.n  ? "advise"
                        : o->slow.compare.n ? "compare"
                        : o->slow.points    ? "points"
                        : o->slow.hold      ? "hold"
                                            : NULL;
    if (other)
        return zw_fail(err, ZW_E_OPTION, "--near and --%s are two questions", other);
    if (!o->json && o->format == LATEX)
        return zw_fail(err, ZW_E_OPTION, "--near has numbers: --format text or json");
    if (ends_with(o->out, ".zw")) {
        zw_fail(err, ZW_E_OPTION, "--near has no formulas that could be a model");
        zw_error_hint(err, "order 0 is the model --with the constraints");
        return ZW_E_OPTION;
    }
    if (!(o->until > 0) && (o->slow.levels || o->out || o->picture)) {
        zw_fail(err, ZW_E_OPTION, "--%s: along which run?",
                o->slow.levels ? "measure"
                : o->out       ? "out"
                               : "picture");
        zw_error_hint(err, "--until 1");
        return ZW_E_OPTION;
    }
    if (o->slow.time > 0 && !o->slow.levels)
        return zw_fail(err, ZW_E_OPTION, "--time is of --measure");
    if (o->picture)
        ZW_TRY(zw_plot_check_path(o->picture, err));
    if (o->out)
        ZW_TRY(zw_table_can_write(o->out, err));
    return cli_guard_write(o, o->out, err);
}

zw_status cli_slow_near(const cli_options *o, const cli_model *m, const char *path, zw_error *err) {
    const char *near[CLI_SPLIT_MAX];
    zw_slip_manifold_options options = zw_slip_manifold_options_default();
    job j = {.o = o, .model = m, .path = path, .json = o->json || o->format == JSON, .near = near};
    ZW_TRY(cli_split(m->ctx, &o->slow.near, near, &j.nnear, err));
    options.small = o->slow.eps;
    options.nnear = j.nnear;
    options.near = near;
    options.order = o->slow.order;
    ZW_TRY(zw_slip_manifold_create(&j.n, m->sys, &options, err));
    j.r = zw_slip_manifold_get(j.n);
    zw_status status = study_manifold(&j, err);
    zw_slip_manifold_destroy(j.n);
    return status;
}
