/* SPDX-License-Identifier: MIT */
/* The line of starts and the point symmetry, read from the options, for each point of the grid. A
 * mirror must be affine in the state,
 *
 *   M x = A x + c,     f(M x) = A f(x),     M a = a,     the section is invariant,
 *
 * and this is tested at random states at each tenth of the grid. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"
#include "base/units.h"
#include "regions.h"
#include "zwang/equations.h"

enum {
    SCAN = 24, /* default number of starts of the line */
    TESTS = 16 /* random states at which a mirror is tested */
};

static int find_entry(const zw_regions *r, const char *name) {
    for (int i = 0; i < r->sys->nq + r->sys->nv; i++)
        if (strcmp(zw_region_entry(r, i), name) == 0)
            return i;
    return -1;
}

/* "NAME = rest" -> entry, rest. */
static zw_status read_name(const zw_regions *r, const char *option, const char *text, int *entry,
                           const char **rest, zw_error *err) {
    char name[80];
    const char *names[ZW_REGION_STATES];
    size_t n = strcspn(text, "=");
    *rest = text[n] ? text + n + 1 : "";
    while (n > 0 && text[n - 1] == ' ')
        n--;
    snprintf(name, sizeof name, "%.*s", (int)(n < 79 ? n : 79), text);
    *entry = find_entry(r, name);
    if (*entry >= 0 && **rest)
        return ZW_OK;
    for (int i = 0; i < ZW_REGION_STATES; i++)
        names[i] = zw_region_entry(r, i);
    zw_fail(err, ZW_E_NAME, "--%s %s: '%s' is not a coordinate, state or velocity", option, text,
            name);
    const char *near = zw_nearest(name, ZW_REGION_STATES, names);
    zw_error_hint(err, near ? "did you mean %s?" : "the model has %s and %s",
                  near ? near : names[0], names[1]);
    return ZW_E_NAME;
}

/* Reads "from:to[:points]". */
static zw_status read_scan(zw_regions *r, const char *text, int *points, zw_error *err) {
    char *own = zw_arena_string(&r->arena, text), *end;
    if (!own)
        return zw_out_of_memory(err, NULL);
    char *colon = strchr(own, ':'), *second = colon ? strchr(colon + 1, ':') : NULL;
    *points = SCAN;
    if (second) {
        *second = '\0';
        long n = strtol(second + 1, &end, 10);
        if (*end || n < 4 || n > ZW_REGION_SAMPLES / 2)
            return zw_fail(err, ZW_E_OPTION, "--scan: between 4 and %d samples, not %s",
                           ZW_REGION_SAMPLES / 2, second + 1);
        *points = (int)n;
    }
    if (!colon || !colon[1]) {
        zw_fail(err, ZW_E_OPTION, "--scan %s: a range is expected", r->options.scan);
        zw_error_hint(err, "--scan \"gamma=pi/2:3*pi/2\"");
        return ZW_E_OPTION;
    }
    *colon = '\0';
    r->from = own;
    r->to = colon + 1;
    return ZW_OK;
}

/* Evenly, and closer and closer to both ends, where cycles appear: at a with the square root of the
 * distance from a Hopf bifurcation, at b exponentially near it for a connection, so that there more
 * samples are needed. */
static zw_status choose_samples(zw_regions *r, int points, zw_error *err) {
    static const double near[] = {1e-3, 3e-3, 1e-2};
    static const double far[] = {1e-2, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7};
    r->base = ZW_NEW(&r->arena, double, points + 10);
    if (!r->base)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < 3; i++)
        r->base[r->nbase++] = near[i];
    for (int i = 1; i <= points; i++)
        r->base[r->nbase++] = (double)i / (points + 1);
    for (int i = 0; i < 7; i++)
        r->base[r->nbase++] = 1 - far[i];
    return ZW_OK;
}

/* Value of the section or of an end, as an expression of parameters. */
static zw_status read_value(zw_regions *r, const char *option, const char *text, int entry,
                            zw_expr *out, zw_error *err) {
    const char *unit, *wanted = zw_region_unit(r, entry);
    zw_unit a = {.dim = zw_dim_none()}, b = {.dim = zw_dim_none()};
    ZW_TRY(zw_model_quantity(out, &unit, r->sys, option, text, err));
    if (unit[0])
        ZW_TRY(zw_unit_parse(&a, unit, strlen(unit), (zw_place){0}, err));
    if (wanted[0])
        ZW_TRY(zw_unit_parse(&b, wanted, strlen(wanted), (zw_place){0}, err));
    if (*out != ZW_ZERO && !zw_dim_fits(&a.dim, &b.dim))
        return zw_fail(err, ZW_E_UNIT, "%s: '%s' is in %s, %s in %s", option, text,
                       unit[0] ? unit : "1", zw_region_entry(r, entry), wanted[0] ? wanted : "1");
    zw_expr foreign = zw_foreign_symbol(r->ctx, *out, r->sys->np, r->symbol);
    if (foreign)
        return zw_fail(err, ZW_E_OPTION, "%s: '%s' contains %s, which is not a parameter", option,
                       text, zw_expr_name(r->ctx, foreign));
    return ZW_OK;
}

static zw_status find_ends(zw_regions *r, zw_error *err) {
    int np = r->sys->np;
    zw_expr root[3];
    r->ends = ZW_NEW(&r->arena, double, 3 * r->npoint);
    r->inner = ZW_NEW(&r->arena, double, r->npoint);
    r->until = ZW_NEW(&r->arena, double, r->npoint);
    if (r->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(read_value(r, "--section", r->value, r->across, &root[0], err));
    ZW_TRY(read_value(r, "--scan", r->from, r->along, &root[1], err));
    ZW_TRY(read_value(r, "--scan", r->to, r->along, &root[2], err));
    for (int i = 0; i < r->npoint; i++) {
        double *e = r->ends + 3 * i;
        zw_eval_all(r->ctx, 3, root, np, r->symbol, zw_region_parameters(r, i), e);
        if (!isfinite(e[0]) || !isfinite(e[1]) || !isfinite(e[2]) || e[1] == e[2])
            return zw_fail(err, ZW_E_OPTION, "--scan %s: the range has no length", r->options.scan);
    }
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- mirror */

static zw_status read_mirror(zw_regions *r, zw_error *err) {
    for (int i = 0; i < ZW_REGION_STATES; i++)
        r->image[i] = zw_region_symbol(r, i);
    char *text = zw_arena_string(&r->arena, r->options.mirror);
    for (char *at = text, *next; at; at = next) {
        int depth = 0, entry;
        const char *value, *unit;
        for (next = at; *next && (*next != ',' || depth); next++)
            depth += (*next == '(') - (*next == ')');
        next = *next ? (*next = '\0', next + 1) : NULL;
        at += strspn(at, " ");
        ZW_TRY(read_name(r, "mirror", at, &entry, &value, err));
        ZW_TRY(zw_model_quantity(&r->image[entry], &unit, r->sys, "--mirror", value, err));
    }
    return text ? ZW_OK : zw_out_of_memory(err, NULL);
}

/* A and c at the parameters of every point. */
static zw_status expand_mirror(zw_regions *r, zw_error *err) {
    int np = r->sys->np, n = np + ZW_REGION_STATES;
    zw_expr *symbol = ZW_NEW(&r->arena, zw_expr, n),
            root[ZW_REGION_STATES * (ZW_REGION_STATES + 1)];
    double *value = ZW_NEW(&r->arena, double, n);
    r->affine = zw_arena_alloc(&r->arena, sizeof *r->affine * ZW_REGION_STATES * (size_t)r->npoint);
    if (r->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int k = 0; k < ZW_REGION_STATES; k++)
        symbol[k] = zw_region_symbol(r, k);
    for (int k = 0; k < np; k++)
        symbol[ZW_REGION_STATES + k] = r->sys->param[k].sym;
    for (int i = 0; i < ZW_REGION_STATES; i++) {
        zw_expr constant = r->image[i];
        for (int k = 0; k < ZW_REGION_STATES; k++) {
            zw_expr slope = zw_diff(r->ctx, r->image[i], symbol[k]);
            root[i * (ZW_REGION_STATES + 1) + k] = slope;
            constant = zw_sub(r->ctx, constant, zw_mul(r->ctx, slope, symbol[k]));
            if (zw_depends_any(r->ctx, slope, ZW_REGION_STATES, symbol))
                return zw_fail(err, ZW_E_OPTION, "--mirror: the image of %s is not linear",
                               zw_region_entry(r, i));
        }
        root[i * (ZW_REGION_STATES + 1) + ZW_REGION_STATES] = zw_expand(r->ctx, constant);
    }
    ZW_TRY(zw_context_status(r->ctx, err));
    for (int i = 0; i < r->npoint; i++) {
        memcpy(value + ZW_REGION_STATES, zw_region_parameters(r, i), sizeof *value * (size_t)np);
        for (int k = 0; k < ZW_REGION_STATES; k++)
            value[k] = 0; /* the constants do not contain them */
        zw_eval_all(r->ctx, ZW_REGION_STATES * (ZW_REGION_STATES + 1), root, n, symbol, value,
                    (double *)(r->affine + (size_t)i * ZW_REGION_STATES));
    }
    return ZW_OK;
}

static void reflect_state(const zw_regions *r, int point, const double *x, double *y, bool vector) {
    for (int i = 0; i < ZW_REGION_STATES; i++) {
        const double *A = r->affine[point * ZW_REGION_STATES + i];
        y[i] = vector ? 0 : A[ZW_REGION_STATES];
        for (int k = 0; k < ZW_REGION_STATES; k++)
            y[i] += A[k] * x[k];
    }
}

static zw_status test_mirror(zw_regions *r, zw_flow *flow, int point, zw_sampler *states,
                             zw_error *err) {
    double x[ZW_REGION_STATES], y[ZW_REGION_STATES], f[ZW_REGION_STATES], g[ZW_REGION_STATES],
        Af[ZW_REGION_STATES], t;
    const double *ends = r->ends + 3 * point;
    ZW_TRY(zw_flow_set_parameters(flow, zw_region_parameters(r, point), err));
    x[r->across] = ends[0];
    x[r->along] = ends[1];
    reflect_state(r, point, x, y, false);
    for (int i = 0; i < ZW_REGION_STATES; i++)
        if (fabs(y[i] - x[i]) > ZW_ROUNDOFF_SUM * (1 + fabs(x[i])))
            return zw_fail(err, ZW_E_OPTION,
                           "--mirror: it moves the beginning of the scan, %s = %.10g to %.10g",
                           zw_region_entry(r, i), x[i], y[i]);
    if (r->affine[point * ZW_REGION_STATES + r->across][r->along] != 0)
        return zw_fail(err, ZW_E_OPTION, "--mirror: it turns the section");
    for (int k = 0; k < TESTS; k++) {
        ZW_TRY(zw_sampler_state(states, k, &t, x, err));
        reflect_state(r, point, x, y, false);
        if (zw_flow_rates(flow, 0, x, f, NULL, NULL) < 0 ||
            zw_flow_rates(flow, 0, y, g, NULL, NULL) < 0)
            continue;
        reflect_state(r, point, f, Af, true);
        for (int i = 0; i < ZW_REGION_STATES; i++) {
            double size = fabs(f[0]) + fabs(f[1]);
            if (fabs(g[i] - Af[i]) <= ZW_ROUNDOFF_SOLVED * size)
                continue;
            zw_fail(err, ZW_E_OPTION,
                    "--mirror is no symmetry of the motion: at %s = %.6g, %s = %.6g the rate of %s "
                    "is %.10g there, not %.10g",
                    zw_region_entry(r, 0), x[0], zw_region_entry(r, 1), x[1], zw_region_entry(r, i),
                    g[i], Af[i]);
            zw_error_hint(err, "leave it out: whole turns need no symmetry");
            return ZW_E_OPTION;
        }
    }
    return ZW_OK;
}

static zw_status test_mirrors(zw_regions *r, zw_error *err) {
    zw_equilibria *e;
    zw_sampler *states;
    ZW_TRY(zw_sampler_create(&states, r->sys, NULL, NULL, err));
    ZW_TRY(zw_equilibria_create(&e, r->sys, NULL, err));
    zw_status status = ZW_OK;
    for (int i = 0; i < r->npoint && status >= 0; i += r->npoint / 10 + 1)
        status = test_mirror(r, zw_equilibria_flow(e), i, states, err);
    zw_equilibria_destroy(e);
    return status;
}

/* ------------------------------------------------------------------------------------------ all */

static zw_status reject_size(const zw_regions *r, zw_error *err) {
    int nx = r->sys->nq + r->sys->nv;
    zw_fail(err, ZW_E_OPTION, "--section: cycles are counted in a plane, and the state has %d %s",
            nx, nx == 1 ? "entry" : "entries");
    zw_error_hint(
        err, "without --section only the equilibria are charted; zwang basin --over counts "
             "attractors of any model; zwang orbit --marks and zwang connect compute the "
             "boundaries of cycles, for --beside; zwang slow may reduce the model to two states");
    return ZW_E_OPTION;
}

zw_status zw_region_read_section(zw_regions *r, zw_error *err) {
    const zw_regions_options *o = &r->options;
    int points;
    r->event = -1;
    if (!o->section && !o->scan && !o->mirror)
        return ZW_OK;
    if (!o->section || !o->scan) {
        zw_fail(err, ZW_E_OPTION, "--%s is missing: cycles are counted on a line of starts",
                o->section ? "scan" : "section");
        zw_error_hint(err, "--section \"beta = pi/2\" --scan \"gamma=pi/2:3*pi/2\"");
        return ZW_E_OPTION;
    }
    if (r->sys->nq + r->sys->nv != ZW_REGION_STATES)
        return reject_size(r, err);
    r->cycles = true;
    ZW_TRY(read_name(r, "section", o->section, &r->across, &r->value, err));
    const char *range;
    ZW_TRY(read_name(r, "scan", o->scan, &r->along, &range, err));
    if (r->along == r->across)
        return zw_fail(err, ZW_E_OPTION, "--scan %s: the section holds it", o->scan);
    ZW_TRY(read_scan(r, range, &points, err));
    ZW_TRY(choose_samples(r, points, err));
    ZW_TRY(find_ends(r, err));
    for (int i = 0; i < r->sys->nevent; i++)
        if (strcmp(r->sys->event[i].name, "chart_section") == 0)
            r->event = i;
    r->mirrored = o->mirror != NULL;
    if (!r->mirrored)
        return ZW_OK;
    ZW_TRY(read_mirror(r, err));
    ZW_TRY(expand_mirror(r, err));
    return test_mirrors(r, err);
}
