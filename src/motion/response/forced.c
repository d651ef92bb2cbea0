/* SPDX-License-Identifier: MIT */
/* From a system to its equations of harmonic balance: equations of motion, excitation frequency,
 * kernels of one and of eight lanes. */
#include "forced.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"
#include "mech/equations/variants.h"
#include "mech/system/ignorable_attitude.h"
#include "motion/harmonic/balance.h"
#include "motion/parameter_range.h"
#include "motion/segments/periodic.h"
#include "motion/winding_number.h"
#include "zwang/equations.h"

enum { HARMONICS_FIRST = 7, HARMONICS_MAX = 127, SETTLE = 50, POINTS_MAX = 5000 };
/* default error of a motion by harmonics that are left out, relative to its size: six digits */
#define DEFAULT_TOLERANCE 1e-6
/* default largest step, relative to the range: a picture then shows smooth curves */
#define DEFAULT_STEP_MAX 0.02
/* relative to the frequency of the model: a smaller excitation frequency may be rounding, and is
 * evaluated exactly */
#define FREQUENCY_LEAST 1e-6

void zw_forced_options_init(zw_forced_options *options, size_t size) {
    const zw_forced_options all = {.size = size,
                                   .harmonics_max = HARMONICS_MAX,
                                   .order = 1,
                                   .tolerance = DEFAULT_TOLERANCE,
                                   .settle = SETTLE,
                                   .points_max = POINTS_MAX,
                                   .step_max = DEFAULT_STEP_MAX,
                                   .stability = true};
    zw_options_begin(options, size, &all, sizeof all);
}

/* ----------------------------------------------------------------------------------- the number */

/* Is the only excitation frequency an affine function of the parameter, and does no other parameter
 * depend on it? Then its values need no expressions. */
static void find_affine_frequency(zw_forced *f) {
    const zw_system *s = f->sys;
    zw_context *ctx = s->ctx;
    double base, slope;
    if (!f->has_over || f->forcing.n != 1 || f->forcing.nother)
        return;
    zw_expr sym = s->param[f->over.parameter].sym, one = ZW_ONE;
    for (int i = 0; i < s->np; i++)
        if (i != f->over.parameter && zw_along(ctx, s->param[i].value, 1, &sym, &one) != ZW_ZERO)
            return;
    zw_expr first = zw_along(ctx, f->forcing.frequency[0], 1, &sym, &one);
    if (zw_along(ctx, first, 1, &sym, &one) != ZW_ZERO ||
        zw_forcing_base(&f->forcing, f->p, &base, NULL, NULL) < 0 ||
        zw_forcing_slope(&f->forcing, f->p, f->over.parameter, &slope, NULL) < 0)
        return;
    f->affine = true;
    f->affine_base = base - slope * f->p[f->over.parameter];
    f->affine_slope = slope;
    f->affine_size = base;
}

/* the frequency has the same sign as for the model, and is not close to zero */
static bool has_affine_frequency(const zw_forced *f, double value, double *base) {
    *base = f->affine_base + f->affine_slope * value;
    return f->affine && *base > FREQUENCY_LEAST * f->affine_size;
}

/* sets the first n excitation frequencies without a common period, and their slopes */
static zw_status set_tones(const zw_forced *f, const double *p, int n, double *w, double *slope,
                           zw_error *err) {
    double W[ZW_TONES_MAX], each[ZW_TONES_MAX];
    ZW_TRY(zw_forcing_tone_values(&f->forcing, &f->tones, p, f->has_over ? f->over.parameter : -1,
                                  W, each, err));
    memcpy(w, W, sizeof *w * (size_t)n);
    memcpy(slope, each, sizeof *slope * (size_t)n);
    return ZW_OK;
}

/* sets all frequencies, as harmonic balance requires */
static zw_status set_all(void *user, double value, double *p, double *w, double *w_slope,
                         zw_error *err) {
    const zw_forced *f = user;
    ZW_TRY(zw_forced_set(user, value, p, w, w_slope, err));
    return zw_forced_has_tones(f) ? set_tones(f, f->now, f->tones.n, w, w_slope, err) : ZW_OK;
}

zw_status zw_forced_set(void *user, double value, double *p, double *w, double *w_slope,
                        zw_error *err) {
    zw_forced *f = user;
    double base, slope = 0;
    if (!isnan(value) && has_affine_frequency(f, value, &base)) {
        memcpy(p, f->p, sizeof(double) * (size_t)f->sys->np);
        p[f->over.parameter] = value;
        if (p != f->now)
            memcpy(f->now, p, sizeof(double) * (size_t)f->sys->np);
        *w = base / f->options.order;
        *w_slope = f->affine_slope / f->options.order;
        return ZW_OK;
    }
    memcpy(p, f->p, sizeof(double) * (size_t)f->sys->np);
    if (f->options.free) {
        memcpy(f->now, p, sizeof(double) * (size_t)f->sys->np);
        *w = isnan(value) ? 1 : value;
        *w_slope = 1;
        return ZW_OK;
    }
    if (f->has_over && !isnan(value)) {
        p[f->over.parameter] = value;
        ZW_TRY(zw_system_param_follow(f->sys, f->given, p, err));
    }
    memcpy(f->now, p, sizeof(double) * (size_t)f->sys->np);
    if (f->cycles) {
        *w = f->cycle_w;
        *w_slope = 0;
        return ZW_OK;
    }
    if (zw_forced_has_tones(f))
        return set_tones(f, p, 1, w, w_slope, err);
    ZW_TRY(zw_forcing_base(&f->forcing, p, &base, NULL, err));
    if (f->has_over)
        ZW_TRY(zw_forcing_slope(&f->forcing, p, f->over.parameter, &slope, err));
    *w = base / f->options.order;
    *w_slope = slope / f->options.order;
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- set-up */

static zw_status read_over(zw_forced *f, zw_error *err) {
    if (f->options.free)
        return zw_forced_read_range(f, err);
    if (!f->options.over)
        return ZW_OK;
    ZW_TRY(zw_parameter_range_read(&f->over, f->sys, f->options.over, err));
    if (f->over.parameter < 0) {
        zw_fail(err, ZW_E_OPTION, "--over %s: forced motions are followed over a parameter",
                f->over.name);
        zw_error_hint(err, "coordinates are what is looked for");
        return ZW_E_OPTION;
    }
    if (f->options.with && f->options.with->of.parameter == f->over.parameter) {
        zw_fail(err, ZW_E_OPTION, "--for %s: the curves go over it already", f->over.name);
        zw_error_hint(err, "another parameter than that of --over");
        return ZW_E_OPTION;
    }
    f->has_over = true;
    f->given[f->over.parameter] = true;
    return ZW_OK;
}

zw_status zw_forced_values_read(zw_forced_values *out, const zw_system *sys, const char *text,
                                zw_error *err) {
    return zw_parameter_range_list(&out->of, sys, text, ZW_FORCED_VALUES, out->value, &out->n, err);
}

static zw_status set_second_value(zw_forced *f, zw_error *err) {
    const zw_forced_values *with = f->options.with;
    if (!with)
        return ZW_OK;
    f->p[with->of.parameter] = with->value[f->options.member];
    f->given[with->of.parameter] = true;
    return zw_system_param_follow(f->sys, f->given, f->p, err);
}

int zw_forced_run_parameters(const zw_forced *f, double value, zw_sim_number out[2]) {
    const zw_forced_values *with = f->options.with;
    int n = 0;
    if (f->has_over && !f->options.free && !isnan(value))
        out[n++] = (zw_sim_number){.index = f->over.parameter, .value = value};
    if (with)
        out[n++] =
            (zw_sim_number){.index = with->of.parameter, .value = with->value[f->options.member]};
    return n;
}

static zw_status reject_contacts(const zw_forced *f, zw_error *err) {
    for (int i = 0; i < f->sys->ncontact; i++) {
        const zw_contact *c = &f->sys->contact[i];
        bool smooth = c->bilateral;
        for (int b = 0; b < c->nblock; b++)
            smooth &= !zw_rubbing_is_set_valued(&c->block[b]);
        if (c->off || smooth)
            continue;
        zw_fail_at(err, ZW_E_OPTION, c->place,
                   "the contact %s opens or sticks: its forces have no series of harmonics, and "
                   "--shooting does not follow it",
                   c->name);
        zw_error_hint(
            err, "zwang orbit and zwang continue do; else a law with a stiff spring instead of the "
                 "contact (force wall (x) = -k*max(0, x - d)), or smooth friction in a bilateral "
                 "contact (--law, --bilateral)");
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

static zw_status create_kernels(zw_forced *f, zw_error *err) {
    zw_kernel_options o = zw_kernel_options_default();
    o.jit = ZW_JIT_WHEN_IT_PAYS;
    o.nparameter = f->has_over && !f->options.free ? 1 : 0;
    o.parameter = &f->over.parameter;
    o.functions = ZW_FUNCTIONS_ALL_METHODS | (f->options.free ? ZW_SET(OBS_JAC) : 0);
    ZW_TRY(zw_kernel_create(&f->kernel, &f->eq, &o, err));
    o.functions = ZW_HARMONIC_FUNCTIONS | (o.nparameter ? ZW_SET(JAC_P) : 0);
    o.lanes = 8;
    ZW_TRY(zw_kernel_create(&f->lanes, zw_forced_has_tones(f) ? &f->torus_eq : &f->eq, &o, err));
    return zw_flow_create(&f->flow, f->kernel, f->p, err);
}

/* sets typical sizes of the functions: widths of the model for coordinates, 1 for velocities and
 * multipliers */
static zw_status find_sizes(zw_forced *f, zw_error *err) {
    const zw_system *s = f->sys;
    double *x = ZW_NEW(&f->arena, double, s->nq + s->nv + 1), w, slope;
    zw_said *said = ZW_NEW(&f->arena, zw_said, s->nq + s->nv + 1);
    f->width = ZW_NEW(&f->arena, double, s->nq + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_start_said(s, f->p, x, said, f->width, err));
    ZW_TRY(zw_forced_set(f, NAN, f->now, &w, &slope, err));
    f->nfunction = zw_harmonic_functions(f->balance);
    f->scale = ZW_NEW(&f->arena, double, f->nfunction + 1);
    if (!f->scale)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < f->nfunction; i++)
        f->scale[i] = i < s->nq ? fmax(f->width[i], ZW_TINY) : 1;
    return ZW_OK;
}

double zw_forced_unit(const zw_forced *f) {
    if (f->options.free)
        return f->family.unit > 0 ? f->family.unit : 1;
    double range = f->has_over ? fabs(f->over.to - f->over.from) : 1;
    return range > 0 ? 0.1 * range : 1;
}

int *zw_forced_list_harmonics(const zw_forced *f, zw_arena *arena, int top, bool odd, int *n) {
    if (zw_forced_has_tones(f)) { /* levels of combinations */
        *n = f->level[top];
        return f->vector;
    }
    int *list = ZW_NEW(arena, int, top * f->options.order + 2);
    *n = 0;
    for (int h = odd ? 1 : 0; list && h <= top * f->options.order; h += odd ? 2 : 1)
        list[(*n)++] = h;
    return list;
}

static int larger_int(int a, int b) {
    return a > b ? a : b;
}

/* At a kink the derivatives of the equations jump by the part of the period that one point
 * represents, and so does the direction of a curve: with few points no step is small enough to
 * follow it. */
enum { KINKS = 64, KINK_POINTS = 1024, KINK_POINTS_EACH = 16, KINK_POINTS_TORUS = 1 << 14 };

/* kinks in the rates of velocities and coordinates; models of states have them in the latter */
static void find_kinks(zw_forced *f) {
    const zw_equations *eq = &f->eq;
    zw_kink kink[KINKS];
    for (int i = 0; i < 4; i++) {
        int n = zw_find_kinks(f->sys->ctx, i / 2 ? eq->nq : eq->nv, i / 2 ? eq->qdot : eq->h,
                              i % 2 ? eq->nv : eq->nq, i % 2 ? eq->v : eq->q, KINKS, kink);
        /* roots of expressions that do not vanish have no kink */
        for (int k = 0; k < n && k < KINKS; k++)
            f->kinks |= kink[k].op != ZW_OP_PRODUCT && kink[k].smooth < 1;
    }
}

/* even a single harmonic needs the forces at many points */
static int sample_count(int top) {
    return 8 * top > 64 ? 8 * top : 64;
}

static zw_status create_balance(zw_forced *f, int n, const int *harmonic, int top, bool slow,
                                zw_harmonic **out, zw_error *err) {
    zw_harmonic_options o = zw_harmonic_options_default();
    o.nharmonic = n;
    o.harmonic = harmonic;
    o.scale = f->scale;
    o.unit = zw_forced_unit(f);
    o.samples = f->options.slow ? sample_count(top) : 0;
    if (f->kinks)
        o.samples = larger_int(KINK_POINTS, KINK_POINTS_EACH * top * f->options.order);
    if (f->kinks && zw_forced_has_tones(f))
        o.samples = KINK_POINTS_TORUS;
    o.phases = zw_forced_phases(f);
    o.free = f->options.free;
    o.cycle = f->cycles;
    o.winding = f->winding;
    if (!o.harmonic)
        return zw_out_of_memory(err, NULL);
    zw_status status = zw_harmonic_create(out, f->lanes, f->p, &o, set_all, f, err);
    if (status >= 0)
        zw_harmonic_ridge(*out, f->family.ridge);
    if (status >= 0 && slow)
        status = zw_forced_slow_make(f, o.nharmonic, o.harmonic, o.samples, err);
    return status;
}

static zw_status create_balance_up_to(zw_forced *f, int top, bool odd, bool slow, zw_harmonic **out,
                                      zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    int n, *harmonic = zw_forced_list_harmonics(f, &f->arena, top, odd, &n);
    zw_status status = create_balance(f, n, harmonic, top, slow, out, err);
    zw_arena_release(&f->arena, mark);
    return status;
}

static zw_status reserve_coefficients(zw_forced *f, zw_error *err) {
    int n = zw_harmonic_problem(f->balance).n + 2;
    if (f->finer && zw_harmonic_problem(f->finer).n + 2 > n)
        n = zw_harmonic_problem(f->finer).n + 2;
    if (f->with_even && zw_harmonic_problem(f->with_even).n + 2 > n)
        n = zw_harmonic_problem(f->with_even).n + 2;
    if (n <= f->nx_capacity)
        return ZW_OK;
    double *x = ZW_NEW(&f->arena, double, n);
    if (x && f->x)
        memcpy(x, f->x, sizeof(double) * (size_t)f->nx_capacity);
    f->x = x;
    f->y = ZW_NEW(&f->arena, double, n);
    f->finer_x = ZW_NEW(&f->arena, double, n);
    f->b = ZW_NEW(&f->arena, double, n);
    f->last_x = ZW_NEW(&f->arena, double, n);
    f->last_known = false;
    f->nx_capacity = n;
    return zw_arena_status(&f->arena, err);
}

static void swap_balance(zw_harmonic **balance, zw_harmonic *replacement) {
    zw_harmonic_destroy(*balance);
    *balance = replacement;
}

/* combinations of several frequencies: the finer equations have the neighbours of those of the
 * motion that they judge */
static zw_status create_neighbour_balance(zw_forced *f, bool even, zw_harmonic **out,
                                          zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    int n = 0, *vector = NULL;
    zw_status status = zw_forced_tones_with_neighbours(f, even, &vector, &n, err);
    if (status >= 0)
        status = create_balance(f, n, vector, f->top, false, out, err);
    zw_arena_release(&f->arena, mark);
    return status;
}

zw_status zw_forced_make_finer(zw_forced *f, zw_error *err) {
    zw_harmonic *finer = NULL, *whole = NULL;
    zw_status status = create_neighbour_balance(f, false, &finer, err);
    if (status >= 0 && f->options.odd)
        status = create_neighbour_balance(f, true, &whole, err);
    if (status < 0) {
        zw_harmonic_destroy(finer);
        return status;
    }
    swap_balance(&f->finer, finer);
    swap_balance(&f->with_even, whole);
    f->nfiner = zw_harmonic_count(finer);
    if (!(f->finer_change = ZW_NEW(&f->arena, double, f->nfiner + 1)))
        return zw_out_of_memory(err, NULL);
    return reserve_coefficients(f, err);
}

/* for one frequency: the finer equations, with twice the harmonics, and those with even ones */
static zw_status create_finer_balances(zw_forced *f, int top, zw_error *err) {
    zw_harmonic *finer = NULL, *whole = NULL;
    bool odd = f->options.odd;
    zw_status status =
        /* an odd number: symmetric motions have no even harmonics */
        create_balance_up_to(f, larger_int(2 * top + 1, f->highest_driven), odd, false, &finer,
                             err);
    if (status >= 0 && odd) /* at least the second harmonic */
        status = create_balance_up_to(f, larger_int(top + 1, f->highest_driven), false, false,
                                      &whole, err);
    if (status < 0) {
        zw_harmonic_destroy(finer);
        return status;
    }
    swap_balance(&f->finer, finer);
    swap_balance(&f->with_even, whole);
    return ZW_OK;
}

zw_status zw_forced_set_harmonics(zw_forced *f, int top, zw_error *err) {
    zw_harmonic *balance = NULL;
    bool odd = f->options.odd, tones = zw_forced_has_tones(f);
    while (tones && top >= f->nlevel)
        ZW_TRY(zw_forced_tones_grow(f, err));
    zw_status status = create_balance_up_to(f, top, odd, f->options.slow, &balance, err);
    if (status >= 0 && !tones)
        status = create_finer_balances(f, top, err);
    if (status < 0) {
        zw_harmonic_destroy(balance);
        return status;
    }
    zw_harmonic *old = f->balance;
    f->balance = balance;
    f->top = top;
    status = tones && !f->x ? zw_forced_make_finer(f, err) : reserve_coefficients(f, err);
    if (status >= 0 && old) {
        zw_harmonic_embed(old, f->x, balance, f->y);
        memcpy(f->x, f->y, sizeof(double) * (size_t)zw_harmonic_problem(balance).n);
    }
    zw_harmonic_destroy(old);
    return status;
}

/* finds the highest harmonic of the excitation, which the motion contains however high it is */
static zw_status find_highest_driven(zw_forced *f, zw_error *err) {
    double base;
    f->highest_driven = 1;
    if (f->options.free || f->cycles)
        return ZW_OK;
    if (zw_forced_has_tones(f)) {
        for (int i = 0; i < f->forcing.n; i++) {
            int length = 0;
            for (int j = 0; j < f->tones.n; j++)
                length += abs(f->tones.multiple[i][j]);
            f->highest_driven = larger_int(f->highest_driven, length);
        }
        return ZW_OK;
    }
    int *multiple = ZW_NEW(&f->arena, int, f->forcing.n + 1);
    if (!multiple)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_forcing_base(&f->forcing, f->p, &base, multiple, err));
    for (int i = 0; i < f->forcing.n; i++)
        f->highest_driven = larger_int(f->highest_driven, abs(multiple[i]));
    return ZW_OK;
}

static int first_harmonics(const zw_forced *f) {
    const zw_forced_options *o = &f->options;
    if (zw_forced_has_tones(f)) /* the first level */
        return 0;
    int first = larger_int(HARMONICS_FIRST, f->highest_driven);
    return o->harmonics ? o->harmonics : first < o->harmonics_max ? first : o->harmonics_max;
}

zw_status zw_forced_reject_winding(const zw_forced *f, const char *method, zw_error *err) {
    if (!f->winding)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "%s does not know of angles that turn", method);
    zw_error_hint(err, "--winding belongs to the balance of harmonics");
    return ZW_E_OPTION;
}

zw_status zw_forced_reject_events(const zw_forced *f, const char *method, zw_error *err) {
    for (int i = 0; i < f->sys->nevent; i++) {
        const zw_event *e = &f->sys->event[i];
        if (!e->naction)
            continue;
        zw_fail_at(err, ZW_E_OPTION, e->place,
                   "%s does not know of events that change the motion, "
                   "as %s does",
                   method, e->name);
        zw_error_hint(err, "zwang response --shooting and zwang orbit follow them");
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

static zw_status read_winding(zw_forced *f, zw_error *err) {
    if (!f->options.winding)
        return ZW_OK;
    f->winding = ZW_NEW(&f->arena, double, f->sys->nq + 1);
    return f->winding ? zw_winding_read(f->sys, f->flow, f->options.winding, f->winding, err)
                      : zw_out_of_memory(err, NULL);
}

/* an error if time occurs only in events: in their functions, in the values that they set, as a
 * clock */
static zw_status reject_driven_events(const zw_forced *f, zw_error *err) {
    const zw_system *s = f->sys;
    for (int i = 0; i < s->nevent; i++) {
        const zw_event *e = &s->event[i];
        bool driven = e->period != ZW_NULL || zw_depends(s->ctx, e->value, s->t);
        for (int k = 0; k < e->naction; k++)
            driven |=
                e->action[k].kind == ZW_ACTION_SET && zw_depends(s->ctx, e->action[k].value, s->t);
        if (!e->naction || !driven)
            continue;
        zw_fail_at(err, ZW_E_OPTION, e->place,
                   "time enters only the event %s, not the equations of motion, which zwang "
                   "response does not support",
                   e->name);
        zw_error_hint(err, "use zwang orbit, with --over for branches");
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

/* quaternions have no Fourier series: removes those that nothing depends on */
static zw_status remove_attitudes(zw_forced *f, zw_error *err) {
    const zw_system *s = f->full;
    int removed;
    f->sys_index = ZW_NEW(&f->arena, int, s->nq + 1);
    f->attitude = ZW_NEW(&f->arena, zw_attitude, s->nframe + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_without_attitudes(&f->without_attitudes, s, f->sys_index, &removed, err));
    if (removed)
        f->sys = &f->without_attitudes;
    for (int i = 0; i < s->nframe && removed; i++)
        if (s->frame[i].quaternion >= 0 && f->sys_index[s->frame[i].quaternion] < 0)
            f->attitude[f->nattitude++] = zw_attitude_of(s, s->frame[i].quaternion);
    return ZW_OK;
}

static zw_status build_forced(zw_forced *f, zw_error *err) {
    ZW_TRY(remove_attitudes(f, err));
    const zw_system *s = f->sys;
    f->p = ZW_NEW(&f->arena, double, s->np + 1);
    f->now = ZW_NEW(&f->arena, double, s->np + 1);
    f->given = ZW_NEW(&f->arena, bool, s->np + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    if (f->options.order < 1 || f->options.harmonics < 0)
        return zw_fail(err, ZW_E_OPTION,
                       "harmonics and the order of a period are positive numbers");
    ZW_TRY(zw_system_param_values(s, f->p, err));
    ZW_TRY(set_second_value(f, err));
    ZW_TRY(read_over(f, err));
    ZW_TRY(reject_contacts(f, err));
    ZW_TRY(zw_derive_on_leaf(&f->eq, &f->on_leaf, s, f->options.active, f->p, &f->nhidden, err));
    if (f->options.taylor) {
        zw_equations whole = f->eq;
        ZW_TRY(zw_equations_few_terms(&f->eq, &whole, f->options.taylor, err));
    }
    if (!f->options.free)
        ZW_TRY(zw_forcing_find(&f->forcing, &f->eq, err));
    if (!f->options.free && f->forcing.autonomous) {
        ZW_TRY(reject_driven_events(f, err));
        ZW_TRY(zw_forced_cycles_check(f, err));
    } else if (!f->options.free) {
        ZW_TRY(zw_forced_tones_find(f, err));
    }
    double w, slope;
    ZW_TRY(zw_forced_set(f, NAN, f->now, &w, &slope, err));
    if (!f->options.free)
        ZW_TRY(zw_keep_conserved(&f->kept, &f->eq, &f->arena, f->options.active, f->p, f->given,
                                 f->has_over ? &f->over : NULL, err));
    find_affine_frequency(f);
    find_kinks(f);
    ZW_TRY(create_kernels(f, err));
    ZW_TRY(read_winding(f, err));
    ZW_TRY(find_highest_driven(f, err));
    ZW_TRY(zw_forced_set_harmonics(f, first_harmonics(f), err));
    ZW_TRY(find_sizes(f, err));
    zw_harmonic_scale(f->balance, f->scale, zw_forced_unit(f));
    zw_harmonic_scale(f->finer, f->scale, zw_forced_unit(f));
    f->nquantity = s->nq + s->nobservable;
    return f->options.free ? zw_forced_find_modes(f, err) : ZW_OK;
}

zw_status zw_forced_create(zw_forced **out, const zw_system *sys, const zw_forced_options *options,
                           zw_error *err) {
    assert(out && sys);
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_forced *f = zw_allocate(&alloc, sizeof *f);
    *out = NULL;
    if (!f)
        return zw_out_of_memory(err, NULL);
    *f = (zw_forced){.sys = sys,
                     .full = sys,
                     .drift_coordinate = -1,
                     .options = zw_forced_options_default(),
                     .worst_error = 0};
    zw_arena_init(&f->arena, &alloc);
    zw_status status = ZW_OK;
    if (options)
        status =
            zw_options_adopt(&f->options, sizeof f->options, options, "zw_forced_options", err);
    if (status >= 0)
        status = build_forced(f, err);
    if (status < 0)
        zw_forced_destroy(f);
    else
        *out = f;
    return status;
}

void zw_forced_destroy(zw_forced *f) {
    if (!f)
        return;
    zw_allocator alloc = f->arena.alloc;
    for (int i = 0; i < f->nchild; i++)
        zw_forced_destroy(f->child[i]);
    zw_event_orbits_destroy(f->event_orbits);
    zw_harmonic_destroy(f->balance);
    zw_harmonic_destroy(f->finer);
    zw_harmonic_destroy(f->with_even);
    zw_slow_destroy(f->slow);
    zw_floquet_clear(&f->last);
    zw_flow_destroy(f->flow);
    zw_kernel_destroy(f->kernel);
    zw_kernel_destroy(f->lanes);
    zw_flow_destroy(f->torus_flow);
    zw_kernel_destroy(f->torus_kernel);
    zw_arena_clear(&f->arena);
    zw_release(&alloc, f, sizeof *f);
}

/* ------------------------------------------------------------------------------------- results */

const zw_parameter_range *zw_forced_over(const zw_forced *f) {
    return f->has_over ? &f->over : NULL;
}

int zw_forced_attitudes(const zw_forced *f) {
    return f->nattitude;
}

int zw_forced_quantities(const zw_forced *f) {
    return f->nquantity;
}

const char *zw_forced_quantity(const zw_forced *f, int i, const char **unit) {
    assert(i >= 0 && i < zw_forced_quantities(f));
    const zw_system *s = f->sys;
    *unit = i < s->nq ? s->coord[i].unit : s->observable[i - s->nq].unit;
    return i < s->nq ? s->coord[i].name : s->observable[i - s->nq].name;
}

int zw_forced_motions(const zw_forced *f) {
    return f->nmotion;
}

zw_status zw_forced_unknowns(const zw_forced *f, int *n, zw_error *err) {
    zw_smoothness *smoothness;
    int count;
    *n = 0;
    if (f->options.harmonics || zw_forced_may_shoot(f))
        return ZW_OK;
    ZW_TRY(zw_equations_smoothness(&f->eq, &smoothness, &count, err));
    for (int i = 0; i < count; i++)
        if (smoothness[i].in & (ZW_KINKS_AT_RATES | ZW_KINKS_AT_CONSTRAINTS) &&
            smoothness[i].kink.smooth <= 1)
            *n = f->nfunction * (2 * f->options.harmonics_max + 1);
    return ZW_OK;
}

const zw_forced_motion *zw_forced_motion_at(const zw_forced *f, int number) {
    assert(number >= 0 && number < zw_forced_motions(f));
    return &f->motion[number];
}

int zw_forced_curve_count(const zw_forced *f) {
    return f->ncurve;
}

zw_cont_info zw_forced_curve_end(const zw_forced *f, int curve, int side) {
    assert(curve >= 0 && curve < zw_forced_curve_count(f) && (side == 0 || side == 1));
    return f->curve[curve].info[side];
}
