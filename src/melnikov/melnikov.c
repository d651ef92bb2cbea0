/* SPDX-License-Identifier: MIT */
/* From a model to x' = f0(x) + eps f1(x, t) in the plane, and to C.
 *
 * f are the rates of the model: of two states of first order, or of a coordinate and its velocity.
 * The small parameters are 0 in f0; f1 is the derivative there. melnikov_conserved.c finds C.
 *
 * g = dC/dx . f1 is a sum of products; parameters that neither f0 nor C contains are factored
 * out of the integral: M = sum of factors times integrals of the rest. */
#include "melnikov.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"
#include "motion/jumps.h"

enum { CONSERVED_MOST = 400 }; /* of C that are printed */
/* of the distance to the saddle: of a point near the separatrix */
#define NEIGHBOUR_DISTANCE 1e-2
/* of the gradient of C near the separatrix: less on it counts as zero; that of a square is
 * proportional to the distance */
#define FLAT_GRADIENT 1e-6
/* estimated errors of an integral: an exact value that differs by more is not the same, see
 * below */
#define EXACT_ERRORS 10.0

void zw_melnikov_options_init(zw_melnikov_options *options, size_t size) {
    const zw_melnikov_options all = {.size = size, .terms = 3, .points = 41, .orders = 8};
    zw_options_begin(options, size, &all, sizeof all);
}

bool zw_melnikov_asked_to_stop(zw_melnikov *s, double done) {
    s->stopped |= s->options.stop && s->options.stop(s->options.stop_user, done);
    return s->stopped;
}

/* ---------------------------------------------------------------------------------- the options */

static int parameter_of(const zw_system *y, const char *name) {
    for (int i = 0; i < y->np; i++)
        if (strcmp(y->param[i].name, name) == 0)
            return i;
    return -1;
}

static zw_status report_unknown_parameter(const zw_melnikov *s, const char *name, zw_error *err) {
    const zw_system *y = s->sys;
    const char **names = zw_context_alloc(s->ctx, sizeof *names * (size_t)(y->np + 1));
    zw_fail(err, ZW_E_NAME, "--eps %s: there is no parameter of this name", name);
    if (!names)
        return ZW_E_NAME;
    for (int i = 0; i < y->np; i++)
        names[i] = y->param[i].name;
    const char *near = zw_nearest(name, y->np, names);
    if (near)
        zw_error_hint(err, "did you mean %s?", near);
    return ZW_E_NAME;
}

/* "eps" or "F, c". */
static zw_status read_small(zw_melnikov *s, zw_error *err) {
    const char *text = s->options.small;
    if (!text || !text[0]) {
        zw_fail(err, ZW_E_OPTION, "which parameter is small?");
        zw_error_hint(err, "--eps NAME; or several that are small together: --eps \"F, c\"");
        return ZW_E_OPTION;
    }
    while (*text) {
        char name[ZW_PARAMETER_RANGE_NAME];
        size_t skip = strspn(text, " ,\t"), n;
        text += skip;
        n = strcspn(text, " ,\t");
        if (n == 0)
            break;
        if (n >= sizeof name || s->nsmall == ZW_MELNIKOV_SMALL)
            return zw_fail(err, ZW_E_OPTION, "--eps %.60s: too long", s->options.small);
        memcpy(name, text, n);
        name[n] = 0;
        text += n;
        int i = parameter_of(s->sys, name);
        if (i < 0)
            return report_unknown_parameter(s, name, err);
        for (int k = 0; k < s->nsmall; k++)
            if (s->small[k] == i)
                return zw_fail(err, ZW_E_OPTION, "--eps %s: %s is named twice", s->options.small,
                               name);
        s->small[s->nsmall++] = i;
    }
    if (s->nsmall == 0)
        return zw_fail(err, ZW_E_OPTION, "--eps: a name is missing");
    return ZW_OK;
}

static zw_status read_over(zw_melnikov *s, const char *option, const char *text,
                           zw_parameter_range *o, zw_error *err) {
    ZW_TRY(zw_parameter_range_read(o, s->sys, text, err));
    if (o->parameter < 0)
        return zw_fail(err, ZW_E_OPTION, "%s %s: a parameter is expected", option, o->name);
    if (!(o->from != o->to))
        return zw_fail(err, ZW_E_OPTION, "%s %s: the range has no length", option, o->name);
    if (s->nsmall == 1 && o->parameter == s->small[0]) {
        zw_fail(err, ZW_E_OPTION, "%s %s: M does not depend on what is small", option, o->name);
        zw_error_hint(err, "M is the first derivative in %s; choose another parameter", o->name);
        return ZW_E_OPTION;
    }
    s->given[o->parameter] = true;
    return ZW_OK;
}

static zw_status read_ranges(zw_melnikov *s, zw_error *err) {
    const zw_melnikov_options *o = &s->options;
    s->has_over = o->over != NULL;
    s->has_marks = o->marks != NULL;
    s->has_expand = o->expand != NULL;
    if (s->has_over)
        ZW_TRY(read_over(s, "--over", o->over, &s->over[0], err));
    if (s->has_marks && (!s->has_over || o->cycles)) {
        zw_fail(err, ZW_E_OPTION,
                "--marks: curves of zeros over a second parameter need --over, and separatrices "
                "(no --cycles)");
        return ZW_E_OPTION;
    }
    if (s->has_marks)
        ZW_TRY(read_over(s, "--marks", o->marks, &s->over[1], err));
    if (s->has_marks && s->over[0].parameter == s->over[1].parameter)
        return zw_fail(err, ZW_E_OPTION, "--marks %s: it is the parameter of --over already",
                       s->over[1].name);
    if (s->has_expand)
        ZW_TRY(read_over(s, "--expand", o->expand, &s->expand, err));
    if (s->has_expand && o->cycles)
        return zw_fail(err, ZW_E_OPTION, "--expand is of separatrices, --cycles of closed curves");
    if (o->points < 3 || o->terms < 1 || o->terms > ZW_MELNIKOV_TERMS || o->side < -1 ||
        o->side > 1)
        return zw_fail(err, ZW_E_OPTION,
                       "a range has three points at least, a series 1 to %d terms, a side is 1, -1 "
                       "or 0 for both",
                       ZW_MELNIKOV_TERMS);
    if (o->rotating < -1 || o->rotating > 1 || (o->rotating && !o->cycles))
        return zw_fail(err, ZW_E_OPTION, "--rotating is a kind of --cycles: + or -");
    if (o->amplitude) {
        char end;
        if (sscanf(o->amplitude, "%lf:%lf%c", &s->amplitude[0], &s->amplitude[1], &end) != 2 ||
            !(s->amplitude[0] > 0) || !(s->amplitude[1] > s->amplitude[0]))
            return zw_fail(err, ZW_E_OPTION,
                           "--amplitude %.60s: two positive numbers, FROM:TO, are expected",
                           o->amplitude);
        s->has_amplitude = true;
    }
    return ZW_OK;
}

static zw_status read_master(zw_melnikov *s, zw_error *err) {
    s->master = -1;
    if (!s->options.master)
        return ZW_OK;
    for (int i = 0; i < 2; i++)
        if (strcmp(s->options.master, s->name[i]) == 0)
            s->master = i;
    if (s->master < 0)
        return zw_fail(err, ZW_E_NAME, "--master %s: the states are %s and %s", s->options.master,
                       s->name[0], s->name[1]);
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------ the rates */

static zw_status check_smooth(const zw_melnikov *s, zw_error *err) {
    ZW_TRY(zw_refuse_breaks(s->sys, ZW_E_OPTION, "separatrices are smooth motions", err));
    if (s->eq.nu > 0)
        return zw_fail(err, ZW_E_OPTION, "the model has inputs from outside");
    zw_expr jump;
    ZW_TRY(zw_find_jump(&s->eq, s->p, 0, NULL, &jump, err));
    if (jump == ZW_NULL)
        return ZW_OK;
    char *part = zw_print_within(s->ctx, jump, ZW_TEXT, 200);
    zw_fail(err, ZW_E_OPTION, "separatrices are smooth motions: rates jump by %.200s",
            part ? part : "a part of a force");
    zw_string_free(s->ctx, part);
    return ZW_E_OPTION;
}

static void name_states(zw_melnikov *s) {
    const zw_system *y = s->sys;
    for (int i = 0; i < 2; i++) {
        bool coord = i < s->eq.nq;
        s->x[i] = coord ? s->eq.q[i] : s->eq.v[i - s->eq.nq];
        s->name[i] = zw_expr_name(s->ctx, s->x[i]);
        s->unit[i] = coord               ? y->coord[i].unit
                     : s->eq.from_system ? "" /* a momentum */
                                         : y->velocity[i - s->eq.nq].unit;
        if (coord && y->coord[i].period != ZW_NULL && y->coord[i].period != ZW_ZERO)
            s->period[i] = zw_eval(s->ctx, y->coord[i].period, 0, NULL, NULL);
    }
}

/* Parameters that depend on the small ones are replaced by their expressions. */
zw_expr zw_melnikov_unfold(const zw_melnikov *s, zw_expr e) {
    const zw_system *y = s->sys;
    zw_expr small[ZW_MELNIKOV_SMALL];
    for (int k = 0; k < s->nsmall; k++)
        small[k] = y->param[s->small[k]].sym;
    for (int i = y->np - 1; i >= 0; i--) {
        bool is_small = false;
        for (int k = 0; k < s->nsmall; k++)
            is_small |= s->small[k] == i;
        if (is_small || !zw_depends(s->ctx, e, y->param[i].sym))
            continue;
        /* Their definition, down to independent ones. */
        zw_expr value = y->param[i].value;
        for (int j = i - 1; j >= 0; j--) {
            bool plain = false;
            for (int k = 0; k < s->nsmall; k++)
                plain |= s->small[k] == j;
            if (!plain && zw_depends(s->ctx, value, y->param[j].sym) &&
                zw_depends_any(s->ctx, y->param[j].value, s->nsmall, small))
                value = zw_subst(s->ctx, value, 1, &y->param[j].sym, &y->param[j].value);
        }
        if (zw_depends_any(s->ctx, value, s->nsmall, small))
            e = zw_subst(s->ctx, e, 1, &y->param[i].sym, &value);
    }
    return e;
}

/* The small parameters set to zero. */
zw_expr zw_melnikov_without(const zw_melnikov *s, zw_expr e) {
    zw_expr small[ZW_MELNIKOV_SMALL], zero[ZW_MELNIKOV_SMALL];
    for (int k = 0; k < s->nsmall; k++) {
        small[k] = s->sys->param[s->small[k]].sym;
        zero[k] = ZW_ZERO;
    }
    return zw_subst(s->ctx, e, s->nsmall, small, zero);
}

static zw_status report_singular(const zw_melnikov *s, zw_error *err) {
    zw_context_reset_status(s->ctx);
    zw_fail(err, ZW_E_DOMAIN, "without %s the rates have no value", s->options.small);
    zw_error_hint(err, "what is small has to vanish regularly: x' = f0(x) + eps*f1(x, t)");
    return ZW_E_DOMAIN;
}

/* Without excitation amplitudes that are 0, if only these make f0 depend on time. */
static void drop_idle(const zw_melnikov *s, zw_expr f[2]) {
    zw_context *ctx = s->ctx;
    bool timed = false;
    for (int i = 0; i < 2; i++)
        timed |= zw_depends(ctx, zw_melnikov_without(s, f[i]), s->sys->t);
    for (int k = 0; k < s->sys->np && timed; k++) {
        zw_expr p = s->sys->param[k].sym, zero = ZW_ZERO;
        bool is_small = false;
        for (int i = 0; i < s->nsmall; i++)
            is_small |= s->small[i] == k;
        for (int i = 0; i < 2 && !is_small && s->p[k] == 0; i++)
            f[i] = zw_subst(ctx, f[i], 1, &p, &zero);
    }
}

static zw_status make_rates(zw_melnikov *s, zw_error *err) {
    zw_context *ctx = s->ctx;
    zw_expr f[2];
    f[0] = s->eq.qdot[0];
    f[1] = s->eq.nv ? zw_div(ctx, s->eq.h[0], s->eq.M[0]) : s->eq.qdot[1];
    ZW_TRY(zw_context_status(ctx, err));
    bool any = false;
    f[0] = zw_melnikov_unfold(s, f[0]);
    f[1] = zw_melnikov_unfold(s, f[1]);
    drop_idle(s, f);
    for (int i = 0; i < 2; i++) {
        s->f0[i] = zw_melnikov_without(s, f[i]);
        s->f1[i] = ZW_ZERO;
        for (int k = 0; k < s->nsmall; k++) {
            zw_expr p = s->sys->param[s->small[k]].sym,
                    slope = zw_melnikov_without(s, zw_diff(ctx, f[i], p));
            s->f1[i] = zw_add(ctx, s->f1[i], s->nsmall > 1 ? zw_mul(ctx, p, slope) : slope);
        }
        if (zw_context_status(ctx, NULL) < 0)
            return zw_context_status(ctx, NULL) == ZW_E_MEMORY ? zw_out_of_memory(err, NULL)
                                                               : report_singular(s, err);
        any |= s->f1[i] != ZW_ZERO;
    }
    if (!any) {
        zw_fail(err, ZW_E_OPTION, "--eps %s: the rates do not depend on it to first order",
                s->options.small);
        return ZW_E_OPTION;
    }
    if (zw_depends(ctx, s->f0[0], s->sys->t) || zw_depends(ctx, s->f0[1], s->sys->t)) {
        zw_fail(err, ZW_E_DOMAIN, "without %s the rates still depend on time", s->options.small);
        zw_error_hint(err,
                      "the amplitude of the excitation has to be a small parameter as well: --eps "
                      "\"%s, AMPLITUDE\"",
                      s->options.small);
        return ZW_E_DOMAIN;
    }
    return ZW_OK;
}

/* ---- factors of parameters ---- */

/* A factor of parameters that neither f0 nor C contains. */
static bool is_outside(const zw_melnikov *s, zw_expr e) {
    const zw_expr inside[3] = {s->x[0], s->x[1], s->sys->t};
    if (zw_depends_any(s->ctx, e, 3, inside))
        return false;
    for (int i = 0; i < s->sys->np; i++) {
        zw_expr p = s->sys->param[i].sym;
        if (zw_depends(s->ctx, e, p) &&
            (zw_depends(s->ctx, s->f0[0], p) || zw_depends(s->ctx, s->f0[1], p) ||
             zw_depends(s->ctx, s->C, p)))
            return false;
    }
    return true;
}

/* False if there are too many. */
static bool sort_term(zw_melnikov *s, zw_expr number, zw_expr term) {
    zw_context *ctx = s->ctx;
    zw_expr out = ZW_ONE, in = number;
    int n;
    if (zw_expr_op(ctx, term) == ZW_OP_PRODUCT) {
        const zw_expr *a = zw_expr_args(ctx, term, &n);
        for (int i = 0; i < n; i += 2) {
            zw_expr factor = zw_pow(ctx, a[i], a[i + 1]);
            bool outside = is_outside(s, factor);
            *(outside ? &out : &in) = zw_mul(ctx, outside ? out : in, factor);
        }
    } else {
        bool outside = is_outside(s, term);
        *(outside ? &out : &in) = zw_mul(ctx, outside ? out : in, term);
    }
    for (int k = 0; k < s->npart; k++)
        if (s->factor[k] == out) {
            s->part[k] = zw_add(ctx, s->part[k], in);
            return true;
        }
    if (s->npart == ZW_MELNIKOV_PARTS)
        return false;
    s->factor[s->npart] = out;
    s->part[s->npart++] = in;
    return true;
}

static void draw_out(zw_melnikov *s) {
    zw_context *ctx = s->ctx;
    zw_expr e = zw_expand(ctx, s->g);
    int n;
    bool fine = e != ZW_NULL;
    if (fine && zw_expr_op(ctx, e) == ZW_OP_SUM) {
        const zw_expr *a = zw_expr_args(ctx, e, &n);
        fine = a[0] == ZW_ZERO || sort_term(s, a[0], ZW_ONE);
        for (int i = 1; i < n && fine; i += 2)
            fine = sort_term(s, a[i + 1], a[i]);
    } else if (fine) {
        fine = sort_term(s, ZW_ONE, e);
    }
    if (!fine || (s->npart == 1 && s->factor[0] == ZW_ONE))
        s->npart = 0;
}

/* --------------------------------------------------------------------------------------- set-up */

static zw_status build_melnikov(zw_melnikov *s, zw_error *err) {
    const zw_system *y = s->sys;
    zw_expr slope[2];
    s->p = ZW_NEW(&s->arena, double, y->np + 1);
    s->given = ZW_NEW(&s->arena, bool, y->np + 1);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_param_values(y, s->p, err));
    ZW_TRY(read_small(s, err));
    ZW_TRY(read_ranges(s, err));
    ZW_TRY(
        zw_derive(&s->eq, y, NULL, s->options.principle ? s->options.principle : "lagrange", err));
    ZW_TRY(check_smooth(s, err));
    if (s->eq.nc > 0 || s->eq.npos > 0 || s->eq.nvel > 0 || s->eq.nq + s->eq.nv != 2)
        return zw_melnikov_make_space(s, err);
    name_states(s);
    ZW_TRY(read_master(s, err));
    ZW_TRY(make_rates(s, err));
    ZW_TRY(zw_melnikov_find_conserved(s, err));
    zw_gradient(s->ctx, s->C, 2, s->x, slope);
    s->g = zw_dot(s->ctx, 2, slope, s->f1);
    ZW_TRY(zw_context_status(s->ctx, err));
    if (zw_depends(s->ctx, s->g, y->t))
        ZW_TRY(zw_forcing_find(&s->forcing, &s->eq, err));
    draw_out(s);
    s->eps = s->nsmall == 1 ? s->p[s->small[0]] : 1;
    if (!s->conserved) {
        char *text = zw_print_within(s->ctx, s->C, ZW_TEXT, CONSERVED_MOST);
        if (!text && zw_print_length(s->ctx, s->C) <= CONSERVED_MOST / 2.0)
            return zw_out_of_memory(err, NULL);
        s->conserved = zw_context_intern(s->ctx, text ? text : "of Hamilton's form");
        zw_string_free(s->ctx, text);
    }
    ZW_TRY(zw_context_status(s->ctx, err));
    return zw_melnikov_set_scale(s, err);
}

zw_status zw_melnikov_create(zw_melnikov **out, const zw_system *sys,
                             const zw_melnikov_options *options, zw_error *err) {
    assert(out && sys);
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_melnikov *s = zw_allocate(&alloc, sizeof *s);
    *out = NULL;
    if (!s)
        return zw_out_of_memory(err, NULL);
    *s = (zw_melnikov){.sys = sys, .ctx = sys->ctx, .options = zw_melnikov_options_default()};
    zw_arena_init(&s->arena, &alloc);
    zw_status status = ZW_OK;
    if (options)
        status =
            zw_options_adopt(&s->options, sizeof s->options, options, "zw_melnikov_options", err);
    if (status >= 0)
        status = build_melnikov(s, err);
    if (status < 0)
        zw_melnikov_destroy(s);
    else
        *out = s;
    return status;
}

void zw_melnikov_destroy(zw_melnikov *s) {
    if (!s)
        return;
    zw_allocator alloc = s->arena.alloc;
    for (int k = 0; k < ZW_MELNIKOV_SIDES; k++) {
        zw_plane_path_clear(s, &s->orbit[k].path);
        zw_plane_path_clear(s, &s->moving[k].path);
    }
    zw_plane_path_clear(s, &s->closed.path);
    zw_arena_clear(&s->arena);
    zw_release(&alloc, s, sizeof *s);
}

/* ----------------------------------------------------------------------------- the separatrices */

/* Size of eps f1 relative to f0: of the largest values along the motion, as f0 vanishes at its
 * ends. */
static double relative_size(const zw_melnikov *s, const zw_heteroclinic *o) {
    const zw_plane *m = &s->plane;
    double small = 0, large = 0;
    for (int k = 0; k <= 100; k++) {
        double t = o->t[0] + (o->t[1] - o->t[0]) * k / 100, x[2], f[2], f1[2];
        const zw_expr symbol[3] = {m->x[0], m->x[1], m->t};
        zw_heteroclinic_point(o, t, x);
        zw_plane_rates(m, x, f);
        const double value[3] = {x[0], x[1], t - o->zero};
        zw_eval_all(m->ctx, 2, m->f1, 3, symbol, value, f1);
        small = fmax(small, fabs(s->eps) * hypot(f1[0], f1[1]));
        large = fmax(large, hypot(f[0], f[1]));
    }
    return small / large;
}

static zw_status fill_parts(zw_melnikov *s, zw_heteroclinic *o, zw_melnikov_separatrix *out,
                            zw_error *err) {
    const zw_system *y = s->sys;
    zw_expr *symbol = zw_context_alloc(s->ctx, sizeof *symbol * (size_t)(y->np + 1));
    if (!symbol)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < y->np; i++)
        symbol[i] = y->param[i].sym;
    out->npart = s->npart;
    for (int k = 0; k < s->npart; k++) {
        zw_plane m;
        ZW_TRY(zw_plane_set(s, s->p, k, &m, err));
        ZW_TRY(zw_melnikov_integrate(s, &m, o, &out->integral[k], err));
        out->integral[k].error += o->closing * out->integral[k].size;
        out->factor_value[k] = zw_eval(s->ctx, s->factor[k], y->np, symbol, s->p);
        char *text = zw_print_within(s->ctx, s->factor[k], ZW_TEXT, 60);
        snprintf(out->factor[k], sizeof out->factor[k], "%s", text ? text : "...");
        zw_string_free(s->ctx, text);
    }
    return ZW_OK;
}

/* The integrals of separatrix 0 in exact numbers, if they are elementary and agree with the
 * computed ones. */
static zw_status fill_exact(zw_melnikov *s, zw_melnikov_separatrix *out, zw_error *err) {
    for (int k = 0; k < (out->npart ? out->npart : 1); k++) {
        const zw_melnikov_value *v = out->npart ? &out->integral[k] : &out->time;
        zw_melnikov_exact exact;
        if (v->base > 0)
            continue;
        ZW_TRY(zw_melnikov_exactly(s, out->npart ? k : -1, -1, 0, 1, &exact, err));
        if (exact.n > 0 && fabs(exact.term[0].value - v->mean) <=
                               EXACT_ERRORS * v->error + ZW_ROUNDOFF_VALUE * v->size)
            out->exact[k] = exact.term[0];
    }
    return ZW_OK;
}

/* Has C an extremum across the separatrix, as the square of a quantity that is 0 there? Then M
 * vanishes for any f1, and has no information. */
static bool is_flat(const zw_melnikov *s, const zw_heteroclinic *o) {
    double x[2], rate[2], here[2], there[2];
    zw_heteroclinic_point(o, o->zero, x);
    zw_plane_rates(&s->plane, x, rate);
    zw_plane_slope(&s->plane, x, here);
    double step = NEIGHBOUR_DISTANCE * hypot(x[0] - o->out.at[0], x[1] - o->out.at[1]) /
                  hypot(rate[0], rate[1]);
    x[0] -= step * rate[1];
    x[1] += step * rate[0];
    zw_plane_slope(&s->plane, x, there);
    return hypot(here[0], here[1]) <= FLAT_GRADIENT * hypot(there[0], there[1]);
}

static zw_status describe_separatrix(zw_melnikov *s, zw_heteroclinic *o,
                                     zw_melnikov_separatrix *out, zw_error *err) {
    double slope[2], turn[8], x[2];
    int nturn;
    *out = (zw_melnikov_separatrix){.side = o->side,
                                    .rate = {o->out.lambda, o->in.lambda},
                                    .level = o->level,
                                    .closing = o->closing,
                                    .drift = o->drift};
    zw_melnikov_reported(s, o->out.at, out->saddle[0]);
    zw_melnikov_reported(s, o->in.at, out->saddle[1]);
    zw_heteroclinic_point(o, o->zero, x);
    zw_melnikov_reported(s, x, out->middle);
    if (is_flat(s, o)) {
        zw_fail(err, ZW_E_DOMAIN, "the gradient of C = %s vanishes along the separatrix",
                s->conserved);
        zw_error_hint(err, "--conserved EXPR: another function of it, such as its root");
        return ZW_E_DOMAIN;
    }
    zw_plane_slope(&s->plane, x, slope);
    out->slope = hypot(slope[0] / s->scale[0], slope[1] / s->scale[1]);
    out->master = zw_heteroclinic_master(s, &s->plane, o, s->master, &nturn, turn);
    out->part = relative_size(s, o);
    ZW_TRY(zw_melnikov_integrate(s, &s->plane, o, &out->time, err));
    out->time.error += o->closing * out->time.size; /* error of the motion itself */
    out->step = o->time_step;
    zw_error trouble = {0};
    if (zw_melnikov_by_level(s, &s->plane, o, out->master, out->time.harmonics, &out->coordinate,
                             &trouble) < 0) {
        if (trouble.status == ZW_E_MEMORY)
            return zw_out_of_memory(err, NULL);
        out->coordinate = (zw_melnikov_value){.mean = NAN, .error = NAN, .low = NAN, .high = NAN};
    }
    return fill_parts(s, o, out, err);
}

static zw_status report_no_saddle(const zw_melnikov *s, zw_error *err) {
    zw_fail(err, ZW_E_DOMAIN, "without %s there is no saddle%s", s->options.small,
            s->options.at ? " where --at leads"
                          : " near the equilibria and the start of the model");
    zw_error_hint(err,
                  s->options.at
                      ? "Newton's method begins at --at: try another place, or leave it out"
                      : "--at \"%s=..., %s=...\" says where one is; --cycles asks for closed "
                        "curves about a centre",
                  s->name[0], s->name[1]);
    return ZW_E_DOMAIN;
}

static zw_status find_separatrices(zw_melnikov *s, zw_error *err) {
    double saddle[16][2];
    int n = zw_melnikov_zeros(s, false, 16, saddle, err);
    if (n < 0)
        return err ? err->status : ZW_E_OPTION;
    if (zw_context_status(s->ctx, NULL) == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (n == 0)
        return report_no_saddle(s, err);
    for (int k = 0; k < n && s->nseparatrix == 0; k++)
        for (int side = 1; side >= -1; side -= 2) {
            zw_heteroclinic *o = &s->orbit[s->nseparatrix];
            if (s->options.side && s->options.side != side)
                continue;
            char *why = s->why[side > 0 ? 0 : 1];
            ZW_TRY(zw_heteroclinic_find(s, &s->plane, saddle[k], side, o, why, err));
            if (!o->there)
                continue;
            memcpy(s->saddle, saddle[k], sizeof s->saddle);
            ZW_TRY(describe_separatrix(s, o, &s->separatrix[s->nseparatrix], err));
            if (s->nseparatrix++ == 0)
                ZW_TRY(fill_exact(s, &s->separatrix[0], err));
        }
    if (s->nseparatrix > 0)
        return ZW_OK;
    const char *why = s->why[s->options.side < 0 ? 1 : 0];
    zw_melnikov_reported(s, saddle[0], saddle[0]);
    zw_fail(err, ZW_E_DOMAIN, "what leaves the saddle %s = %.6g, %s = %.6g comes to no saddle: %s",
            s->name[0], saddle[0][0], s->name[1], saddle[0][1], why);
    zw_error_hint(err,
                  strstr(why, "C has no") ? "--conserved EXPR: a function of C that is finite there"
                                          : "%d saddle%s tried; --at chooses another place, --side "
                                            "the other side",
                  n, n == 1 ? " was" : "s were");
    return ZW_E_DOMAIN;
}

zw_status zw_melnikov_find(zw_melnikov *s, zw_error *err) {
    if (s->space.n > 0)
        return zw_melnikov_find_orbits(s, err);
    if (s->options.cycles)
        return zw_melnikov_find_cycles(s, err);
    ZW_TRY(find_separatrices(s, err));
    if (s->has_expand)
        ZW_TRY(zw_melnikov_expand(s, err));
    if (s->has_over)
        ZW_TRY(zw_melnikov_scan(s, err));
    if (s->has_marks)
        ZW_TRY(zw_melnikov_follow(s, err));
    return s->stopped ? ZW_STOPPED : ZW_OK;
}

int zw_melnikov_separatrices(const zw_melnikov *s) {
    return s->nseparatrix;
}
const zw_melnikov_separatrix *zw_melnikov_separatrix_at(const zw_melnikov *s, int i) {
    assert(i >= 0 && i < zw_melnikov_separatrices(s));
    return &s->separatrix[i];
}
int zw_melnikov_orbits(const zw_melnikov *s) {
    return s->norbit;
}
const zw_melnikov_orbit *zw_melnikov_orbit_at(const zw_melnikov *s, int i) {
    assert(i >= 0 && i < zw_melnikov_orbits(s));
    return &s->found[i];
}
const char *zw_melnikov_quantity(const zw_melnikov *s, int i) {
    return s->space.n > 0 ? s->space.text[i] : s->conserved;
}
int zw_melnikov_roots(const zw_melnikov *s) {
    return s->nroot;
}
const zw_melnikov_root *zw_melnikov_root_at(const zw_melnikov *s, int i) {
    assert(i >= 0 && i < zw_melnikov_roots(s));
    return &s->root[i];
}
int zw_melnikov_cycles(const zw_melnikov *s) {
    return s->ncycle;
}
const zw_melnikov_cycle *zw_melnikov_cycle_at(const zw_melnikov *s, int i) {
    return &s->cycle[i];
}
int zw_melnikov_resonances(const zw_melnikov *s) {
    return s->nresonance;
}
const zw_melnikov_resonance *zw_melnikov_resonance_at(const zw_melnikov *s, int i) {
    assert(i >= 0 && i < zw_melnikov_resonances(s));
    return &s->resonance[i];
}
int zw_melnikov_expansions(const zw_melnikov *s) {
    return s->nseries;
}
const zw_melnikov_series *zw_melnikov_series_at(const zw_melnikov *s, int i) {
    assert(i >= 0 && i < zw_melnikov_expansions(s));
    return &s->series[i];
}
void zw_melnikov_point(const zw_melnikov *s, int i, double t, double x[2]) {
    zw_heteroclinic_point(&s->orbit[i], t + s->orbit[i].zero, x);
    zw_melnikov_reported(s, x, x);
}
