/* SPDX-License-Identifier: MIT */
/* Minima of the Gaussian as a report and as tables. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "forced_gauss.h"
#include "motion/harmonic/balance.h"
#include "motion/notes.h"

enum { PERIOD_SAMPLES = 256, COEFFICIENTS_SHOWN = 12 };

static int count_functions(const zw_forced_gauss *g) {
    return g->n / g->per_function;
}

/* --------------------------------------------------------------------------------------- report */

static const char *verdict_words(const zw_forced_minimum *m) {
    return m->verdict == ZW_GAUSS_MOTION  ? "a motion"
           : m->verdict == ZW_GAUSS_GHOST ? "no motion"
                                          : "not decided";
}

/* rms and coefficients of a function of the series; in words the first ones */
static void report_function(zw_report *out, zw_forced_gauss *g, const zw_forced_minimum *m, int i) {
    const char *unit, *name = zw_forced_gauss_function(g, i, &unit);
    zw_report_open(out, NULL);
    zw_report_word(out, "name", name);
    zw_report_number(out, "rms", zw_gauss_integral_rms(g->integral, m->x, i),
                     &(zw_shown){.unit = unit, .digits = 9});
    zw_report_say(out, "    {name}: rms {rms}");
    zw_report_list(out, "coefficients");
    for (int k = 0; k < g->per_function; k++) {
        int at = i * g->per_function + k;
        zw_report_open(out, NULL);
        zw_report_word(out, "name", zw_forced_gauss_coefficient(g, at, &unit));
        zw_report_number(out, "value", m->x[at], &(zw_shown){.si_unit = unit, .digits = 6});
        if (k < COEFFICIENTS_SHOWN)
            zw_report_say(out, ", {name} = {value}");
        zw_report_close(out);
    }
    zw_report_close(out);
    zw_report_say(out, g->per_function > COEFFICIENTS_SHOWN ? ", ...\n" : "\n");
    zw_report_close(out);
}

/* the derivatives in g->slopes with respect to a parameter */
static void report_slope(zw_report *out, zw_forced_gauss *g, int i) {
    int per_slope = 1 + count_functions(g);
    zw_report_open(out, NULL);
    zw_report_word(out, "parameter", g->slope[i].name);
    zw_report_word(out, "unit", g->slope[i].unit);
    zw_report_number(out, "G", g->slopes[i * per_slope], &(zw_shown){.digits = 9});
    zw_report_say(out, "    dG/d{parameter} = {G}");
    zw_report_list(out, "rms");
    for (int k = 0; k < count_functions(g); k++) {
        const char *unit;
        zw_report_open(out, NULL);
        zw_report_word(out, "name", zw_forced_gauss_function(g, k, &unit));
        zw_report_number(out, "derivative", g->slopes[i * per_slope + 1 + k],
                         &(zw_shown){.digits = 9});
        zw_report_say(out, ", d rms({name})/d{parameter} = {derivative}");
        zw_report_close(out);
    }
    zw_report_close(out);
    zw_report_say(out, "{unit? (per {unit})}\n");
    zw_report_close(out);
}

static void report_slopes(zw_report *out, zw_forced_gauss *g, const zw_forced_minimum *m) {
    if (!g->nslope || zw_forced_gauss_derive(g, m, NULL) < 0)
        return;
    zw_report_list(out, "sensitivity");
    for (int i = 0; i < g->nslope; i++)
        report_slope(out, g, i);
    zw_report_close(out);
}

/* how the verdict was reached, by more and more harmonics */
static void report_judgement(zw_report *out, const zw_gauss_judgement *j) {
    double top[ZW_GAUSS_LEVELS];
    for (int i = 0; i < j->levels; i++)
        top[i] = j->top[i];
    zw_report_vector(out, "level_harmonics", j->levels, top, NULL, NULL);
    zw_report_vector(out, "level_G", j->levels, j->value, NULL, NULL);
    zw_report_vector(out, "level_rms", j->levels, j->rms, NULL, NULL);
    zw_report_number(out, "distance", j->distance, NULL);
    zw_report_number(out, "orbit_rms", j->orbit ? j->orbit_rms : (double)NAN, NULL);
}

static void report_bound(zw_report *out, const zw_gauss_bounded *b) {
    zw_report_number(out, "force_low", b->force_low, NULL);
    zw_report_number(out, "force_high", b->force_high, NULL);
    zw_report_number(out, "complementarity", b->complementarity, NULL);
    zw_report_vector(out, "phase", b->n, b->tau, NULL, NULL);
    zw_report_vector(out, "slack", b->n, b->slack, NULL, NULL);
    zw_report_vector(out, "multiplier", b->n, b->multiplier, NULL, NULL);
    zw_report_vector(out, "force", b->n, b->force, NULL, NULL);
}

static void report_minimum(zw_report *out, zw_forced_gauss *g, int number) {
    const zw_forced_minimum *m = &g->list[number];
    bool passed = g->options.nbound > 0 && m->bound.violation > 0;
    zw_report_open(out, NULL);
    zw_report_count(out, "number", number);
    zw_report_word(out, "verdict", verdict_words(m));
    zw_report_number(out, "G", m->result.value, &(zw_shown){.digits = 6});
    zw_report_number(out, "defect", m->result.defect, NULL);
    zw_report_number(out, "integration_error", m->result.error, NULL);
    zw_report_count(out, "starts", m->starts);
    zw_report_flag(out, "converged", m->result.converged);
    zw_report_say(out, "  {number}: {verdict}; G = {G} from {starts|start|starts}{converged!; the "
                       "minimisation did not converge, this is the best point found}\n");
    zw_report_list(out, "functions");
    for (int i = 0; i < count_functions(g); i++)
        report_function(out, g, m, i);
    zw_report_close(out);
    report_slopes(out, g, m);
    zw_report_word(out, "reason", m->bounded ? m->bound.text : m->judgement.text);
    zw_report_number(out, "violation", g->options.nbound > 0 ? m->bound.violation : (double)NAN,
                     &(zw_shown){.digits = 3});
    zw_report_say(out, "    {reason}\n");
    if (passed)
        zw_report_say(out, "    between the points at which bounds hold they are exceeded by "
                           "{violation}\n");
    if (m->bounded)
        report_bound(out, &m->bound);
    else
        report_judgement(out, &m->judgement);
    zw_report_close(out);
}

void zw_forced_gauss_report(zw_forced_gauss *g, zw_report *out) {
    zw_report_count(out, "harmonics", g->options.harmonics);
    zw_report_count(out, "minimum_count", g->nminimum);
    zw_report_flag(out, "bounds", g->options.nbound > 0);
    zw_report_say(out, "{model}: {minimum_count|minimum|minima} of the Gaussian over a period"
                       "{bounds? under bounds}\n");
    zw_report_list(out, "minima");
    for (int i = 0; i < g->nminimum; i++)
        report_minimum(out, g, i);
    zw_report_close(out);
}

/* --------------------------------------------------------------------------------------- tables */

zw_status zw_forced_gauss_begin(zw_forced_gauss *g, const char *kind, const zw_model_source *source,
                                zw_table **out, zw_error *err) {
    const zw_forced *f = g->f;
    zw_allocator alloc = zw_context_allocator(f->sys->ctx);
    *out = zw_table_create(&alloc);
    if (!*out ||
        zw_study_origin(*out, f->sys, f->eq.principle, f->p, f->options.active, source, kind) < 0) {
        zw_table_destroy(*out);
        *out = NULL;
        return zw_out_of_memory(err, NULL);
    }
    return ZW_OK;
}

zw_status zw_forced_gauss_end(zw_table **out, zw_status status, zw_error *err) {
    if (status >= 0)
        return status;
    zw_table_destroy(*out);
    *out = NULL;
    return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : status;
}

static double motion_number(const zw_forced_minimum *m) {
    return m->verdict == ZW_GAUSS_MOTION ? 1 : m->verdict == ZW_GAUSS_GHOST ? 0 : (double)NAN;
}

/* unit of (q'' - a)' M (q'' - a), of |q'' - a|^2, or of |M q'' - h|^2, times time */
const char *zw_forced_gauss_unit(const zw_forced_gauss *g) {
    const zw_system *s = g->f->sys;
    bool lengths = true, angles = true;
    for (int i = 0; i < s->nq; i++) {
        lengths &= strcmp(s->coord[i].unit, "m") == 0;
        angles &= strcmp(s->coord[i].unit, "rad") == 0;
    }
    switch (g->options.weight) {
    case ZW_GAUSS_ACCELERATION:
        return lengths ? "m^2/s^3" : angles ? "rad^2/s^3" : "";
    case ZW_GAUSS_FORCE:
        return lengths ? "N^2*s" : angles ? "N^2*m^2*s" : "";
    default:
        return lengths || angles ? "kg*m^2/s^3" : "";
    }
}

/* "m/(rad/s)" */
static void write_slope_unit(const char *unit, const char *per_unit, char *out, size_t size) {
    if (per_unit[0])
        snprintf(out, size, "%.40s/(%.40s)", unit[0] ? unit : "1", per_unit);
    else
        snprintf(out, size, "%.40s", unit);
}

static zw_status slope_columns(zw_forced_gauss *g, zw_table *t) {
    char name[2 * ZW_FORCED_COEFFICIENT], of_slope[100];
    const char *unit;
    for (int i = 0; i < g->nslope; i++) {
        const zw_forced_slope *s = &g->slope[i];
        snprintf(name, sizeof name, "dG_d%.120s", s->name);
        write_slope_unit(zw_forced_gauss_unit(g), s->unit, of_slope, sizeof of_slope);
        ZW_TRY(zw_table_column(t, name, zw_forced_gauss_unit(g)[0] ? of_slope : ""));
        for (int k = 0; k < count_functions(g); k++) {
            const char *of = zw_forced_gauss_function(g, k, &unit);
            snprintf(name, sizeof name, "drms_d%.120s(%.120s)", s->name, of);
            write_slope_unit(unit, s->unit, of_slope, sizeof of_slope);
            ZW_TRY(zw_table_column(t, name, of_slope));
        }
    }
    return ZW_OK;
}

zw_status zw_forced_gauss_columns(zw_forced_gauss *g, zw_table *t) {
    static const char *const names[] = {"G", "motion", "distance", "orbit", "converged", "error"};
    const char *unit, *of;
    char name[ZW_FORCED_COEFFICIENT];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bool integral = strcmp(names[i], "G") == 0 || strcmp(names[i], "error") == 0;
        ZW_TRY(zw_table_column(t, names[i], integral ? zw_forced_gauss_unit(g) : ""));
    }
    for (int i = 0; i < count_functions(g); i++) {
        of = zw_forced_gauss_function(g, i, &unit);
        snprintf(name, sizeof name, "rms(%.140s)", of);
        ZW_TRY(zw_table_column(t, name, unit));
    }
    ZW_TRY(slope_columns(g, t));
    for (int i = 0; i < g->n; i++) {
        of = zw_forced_gauss_coefficient(g, i, &unit);
        ZW_TRY(zw_table_column(t, of, unit));
    }
    return ZW_OK;
}

int zw_forced_gauss_row(const zw_forced_gauss *g, const zw_forced_minimum *m, double *row) {
    const zw_gauss_judgement *j = &m->judgement;
    int n = 0;
    row[n++] = m->result.value;
    row[n++] = motion_number(m);
    row[n++] = j->levels && j->orbit ? j->distance : (double)NAN;
    row[n++] = j->levels && j->orbit ? j->orbit_rms : (double)NAN;
    row[n++] = m->result.converged;
    row[n++] = m->result.error;
    for (int i = 0; i < count_functions(g); i++)
        row[n++] = zw_gauss_integral_rms(g->integral, m->x, i);
    for (int i = 0; i < g->nslope * (1 + count_functions(g)); i++)
        row[n++] = g->slopes[i];
    for (int i = 0; i < g->n; i++)
        row[n++] = m->x[i];
    return n;
}

zw_status zw_forced_gauss_table(zw_forced_gauss *g, const zw_model_source *source, zw_table **out,
                                zw_error *err) {
    assert(out);
    ZW_TRY(zw_forced_gauss_begin(g, "minima", source, out, err));
    zw_status status = zw_table_column(*out, "minimum", "");
    if (status >= 0)
        status = zw_forced_gauss_columns(g, *out);
    double *row = ZW_NEW(&g->found, double, zw_table_columns(*out) + 1);
    if (!row)
        status = ZW_E_MEMORY;
    for (int i = 0; status >= 0 && i < g->nminimum; i++) {
        status = zw_forced_gauss_derive(g, &g->list[i], err);
        row[0] = i;
        zw_forced_gauss_row(g, &g->list[i], row + 1);
        if (status >= 0)
            status = zw_table_row(*out, row);
    }
    return zw_forced_gauss_end(out, status, err);
}

/* ------------------------------------------------------------------------------ over the period */

/* unit of the force whose work along a coordinate is in joules, as usually written */
static void write_force_unit(const char *unit, char *out, size_t size) {
    if (strcmp(unit, "m") == 0)
        snprintf(out, size, "N");
    else if (strcmp(unit, "rad") == 0)
        snprintf(out, size, "N*m");
    else
        snprintf(out, size, "%s%.60s%s", unit[0] ? "J/(" : "", unit, unit[0] ? ")" : "");
}

static bool has_bounds(const zw_forced_gauss *g, const zw_forced_minimum *m) {
    return g->options.nbound > 0 && m->bound.nall > 0;
}

static zw_status period_columns(zw_forced_gauss *g, const zw_forced_minimum *m, zw_table *t) {
    const zw_system *s = g->f->sys;
    char name[ZW_FORCED_COEFFICIENT], force[80];
    const char *unit;
    ZW_TRY(zw_table_column(t, "t", "s"));
    for (int i = 0; i < count_functions(g); i++) {
        const char *of = zw_forced_gauss_function(g, i, &unit);
        ZW_TRY(zw_table_column(t, of, unit));
    }
    for (int i = 0; i < s->nv; i++) {
        bool plain = count_functions(g) == s->nq;
        write_force_unit(plain ? s->coord[i].unit : "", force, sizeof force);
        snprintf(name, sizeof name, "force(%.140s)",
                 plain ? s->coord[i].name : s->velocity[i].name);
        ZW_TRY(zw_table_column(t, name, plain ? force : ""));
    }
    for (int i = 0; i < g->f->eq.nc; i++)
        ZW_TRY(zw_table_column(t, zw_expr_name(s->ctx, g->f->eq.lambda[i]), ""));
    for (int b = 0; has_bounds(g, m) && b < g->options.nbound; b++) {
        const zw_gauss_bound *bound = &g->bound[b];
        unit = bound->observable ? s->observable[bound->index].unit : s->coord[bound->index].unit;
        write_force_unit(unit, force, sizeof force);
        snprintf(name, sizeof name, "slack(%d)", b + 1);
        ZW_TRY(zw_table_column(t, name, unit));
        snprintf(name, sizeof name, "lambda(%d)", b + 1);
        ZW_TRY(zw_table_column(t, name, force));
    }
    return ZW_OK;
}

static zw_status fill_period(zw_forced_gauss *g, const zw_forced_minimum *m,
                             zw_gauss_integral *fine, zw_table *t, zw_error *err) {
    int samples = zw_gauss_integral_samples(fine), nv = g->f->sys->nv, nc = g->f->eq.nc;
    double *force = ZW_NEW(&g->found, double, samples *nv + 1),
           *lambda = ZW_NEW(&g->found, double, samples *nc + 1),
           *row = ZW_NEW(&g->found, double, 2 * g->n + nv + nc + 2 * g->options.nbound + 2), w,
           slope;
    if (!force || !lambda || !row)
        return ZW_E_MEMORY;
    ZW_TRY(period_columns(g, m, t));
    ZW_TRY(zw_forced_set(g->f, g->value, g->f->now, &w, &slope, err));
    ZW_TRY(zw_gauss_integral_forces(fine, m->x, g->value, force, lambda, err));
    for (int s = 0; s <= samples; s++) {
        int n = 0, at = s % samples;
        double tau = 2 * M_PI * s / samples;
        row[n++] = tau / w;
        for (int i = 0; i < count_functions(g); i++)
            row[n++] = zw_gauss_integral_at(fine, m->x, i, tau);
        for (int i = 0; i < nv; i++)
            row[n++] = force[at * nv + i];
        for (int i = 0; i < nc; i++)
            row[n++] = lambda[at * nc + i];
        for (int b = 0; has_bounds(g, m) && b < g->options.nbound; b++) {
            size_t entry = (size_t)(at * (m->bound.nall / samples) * g->options.nbound + b);
            row[n++] = m->bound.all_slack[entry];
            row[n++] = m->bound.all_force[entry];
        }
        ZW_TRY(zw_table_row(t, row));
    }
    return ZW_OK;
}

zw_status zw_forced_gauss_period(zw_forced_gauss *g, int number, const zw_model_source *source,
                                 zw_table **out, zw_error *err) {
    assert(out);
    zw_gauss_integral *fine;
    *out = NULL;
    if (number < 0 || number >= g->nminimum)
        return zw_fail(err, ZW_E_OPTION, "--number %d: there are %d minima, counted from 0", number,
                       g->nminimum);
    int samples = PERIOD_SAMPLES;
    while (samples < 2 * g->harmonic[g->nharmonic - 1] + 2)
        samples *= 2;
    ZW_TRY(zw_forced_gauss_integral(g, samples, true, &fine, err));
    zw_status status = zw_forced_gauss_begin(g, "trial motion", source, out, err);
    if (status >= 0)
        status = zw_forced_gauss_end(out, fill_period(g, &g->list[number], fine, *out, err), err);
    zw_gauss_integral_destroy(fine);
    return status;
}
