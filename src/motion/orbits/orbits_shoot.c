/* SPDX-License-Identifier: MIT */
/* The same orbit by shooting (zwang/periodic.h): the motion is integrated with variable steps and
 * tolerances of 1e-12, its multipliers by the linearised equations along it. Only the start comes
 * from collocation, or from the end of a run. Where disturbances decay much faster than the motion,
 * stability limits explicit steps: their number is about the integral of |lambda|/EXPLICIT_REACH,
 * and if it is large a stiff method is used. */
#include <math.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "num/linear/spectrum.h"
#include "orbits_group.h"
#include "orbits_record.h"
#include "zwang/periodic.h"

/* |lambda h| up to which explicit methods of high order are stable on the negative axis. */
#define EXPLICIT_REACH 4.0
/* Explicit steps for one period from which the stiff method is used. Chosen by trial: with fewer
 * the explicit method of order 8 is faster at these tolerances. */
#define STIFF_STEPS 2e4
/* Tolerances of the integration: errors far below those of collocation, with which the result is
 * compared, and above round-off. */
#define SHOOTING_RTOL 1e-12
#define SHOOTING_ATOL 1e-14

/* the largest difference of two lists of multipliers, each from the nearest one, relative to
 * max(1, |mu|) */
static double multiplier_difference(const zw_orbit_motion *m, const zw_floquet *f) {
    double worst = 0;
    for (int i = 0; i < f->n; i++) {
        double least = INFINITY;
        for (int j = 0; j < m->nmultiplier; j++)
            least = fmin(least, hypot(m->re[j] - f->re[i], m->im[j] - f->im[i]));
        worst = fmax(worst, least / fmax(1, hypot(f->re[i], f->im[i])));
    }
    return m->nmultiplier ? worst : NAN;
}

static void compare_shooting(const zw_orbits *o, const zw_orbit_motion *m, const zw_shooting *s,
                             zw_orbits_shot *out) {
    out->period = s->period;
    out->iterations = s->iterations;
    out->residual = s->residual;
    out->period_off = fabs(s->period - m->period) / m->period;
    out->multipliers_off = multiplier_difference(m, &s->floquet);
    out->state_off = 0;
    for (int i = 0; i < o->nx; i++)
        if (o->essential[i])
            out->state_off = fmax(out->state_off, fabs(s->x[i] - m->x[i]) / o->scale[i]);
}

/* ------------------------------------------------------------------------------------- the shot */

zw_status zw_orbits_stiffness(zw_orbits *o, const zw_orbit *about, double *steps, zw_error *err) {
    enum { SAMPLES = 400 };
    zw_arena_mark mark = zw_arena_mark_now(&o->arena);
    int nx = o->nx;
    double *x = ZW_NEW(&o->arena, double, nx + 1), *J = ZW_NEW(&o->arena, double, nx *nx + 1),
           *re = ZW_NEW(&o->arena, double, 2 * nx + 1),
           *work = ZW_NEW(&o->arena, double, 3 * nx + 9);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    double *im = re + nx;
    *steps = 0;
    for (int i = 0; i < SAMPLES; i++) {
        double t = about->start + about->period * i / SAMPLES, most = 0;
        ZW_TRY(about->at(about->user, t, x, err));
        ZW_TRY(zw_flow_jacobian(o->flow, t, x, J, NULL, err));
        if (!zw_spectrum(nx, J, re, im, work))
            continue;
        for (int k = 0; k < nx; k++)
            most = fmax(most, -re[k]);
        *steps += most * about->period / SAMPLES / EXPLICIT_REACH;
    }
    zw_arena_release(&o->arena, mark);
    return ZW_OK;
}

static zw_status find_shot(zw_orbits *o, const zw_orbit *about, const double *x, int nodes,
                           const char *method, zw_shooting *shot, const char **used,
                           zw_error *err) {
    zw_shooting_options options = zw_shooting_options_default();
    zw_run_options run = zw_run_options_default();
    double steps;
    ZW_TRY(zw_orbits_stiffness(o, about, &steps, err));
    run.method = method && method[0] ? method : steps > STIFF_STEPS ? "radau" : "rk87";
    run.rtol = SHOOTING_RTOL;
    run.atol = SHOOTING_ATOL;
    *used = run.method;
    options.run = &run;
    options.period = about->period;
    options.is_period_free = o->autonomous;
    options.nodes = nodes;
    options.sign = o->sign;
    options.turn = o->turn;
    options.scale = o->scale;
    options.want = zw_kernel_serve;
    options.want_user = o->kernel;
    zw_status status = zw_shooting_find(shot, o->kernel, o->now, x, &options, err);
    return status >= 0 ? zw_flow_renew(o->flow, err) : status;
}

static zw_status reject_families(const zw_orbits *o, zw_error *err) {
    return zw_orbits_unit_multipliers(o)
               ? zw_fail(err, ZW_E_OPTION,
                         "shooting looks for single orbits: in a family, or with symmetries, each "
                         "has neighbours")
               : ZW_OK;
}

typedef struct stored_motion {
    const zw_orbits *o;
    const zw_orbit_motion *m;
} stored_motion;

static zw_status stored_motion_at(void *user, double t, double *x, zw_error *err) {
    const stored_motion *k = user;
    (void)err;
    zw_orbits_state_of(k->m, k->o->nx, k->o->options.stages, t / k->m->period, x);
    return ZW_OK;
}

zw_status zw_orbits_shoot(zw_orbits *o, int number, int nodes, const char *method,
                          zw_orbits_shot *out, zw_error *err) {
    const zw_orbit_motion *m = &o->motion[number];
    zw_shooting shot = {0};
    stored_motion k = {o, m};
    zw_orbit about = {.period = m->period, .at = stored_motion_at, .user = &k};
    *out = (zw_orbits_shot){0};
    ZW_TRY(reject_families(o, err));
    ZW_TRY(zw_orbits_load(o, m, err));
    zw_status status = find_shot(o, &about, m->x, nodes, method, &shot, &out->method, err);
    if (status >= 0)
        compare_shooting(o, m, &shot, out);
    zw_shooting_clear(&shot);
    return status;
}

zw_status zw_orbits_shoot_run(zw_orbits *o, int nodes, const char *method, zw_shooting *shot,
                              const char **used, zw_error *err) {
    zw_orbits_record r;
    double period = o->options.period, slope, end;
    zw_arena_mark mark = zw_arena_mark_now(&o->arena);
    double *a = ZW_NEW(&o->arena, double, 2 * o->nx + 1);
    *shot = (zw_shooting){0};
    if (!a)
        return zw_out_of_memory(err, NULL);
    double *b = a + o->nx;
    ZW_TRY(reject_families(o, err));
    ZW_TRY(zw_orbits_set(o, NAN, o->now, &period, &slope, err));
    ZW_TRY(zw_orbits_record_run(o, NULL, &r, err));
    if (o->autonomous && !(period > 0))
        ZW_TRY(zw_orbits_record_period(&r, false, &period, err));
    end = r.t[r.n - 1];
    double from =
        o->autonomous ? end - period : period * (floor(end / period * (1 + ZW_ROUNDOFF_SUM)) - 1);
    zw_orbit about = {.start = from, .period = period, .at = zw_orbits_record_at, .user = &r};
    if (from < r.t[0])
        return zw_fail(err, ZW_E_OPTION, "the period is longer than the run before it");
    ZW_TRY(zw_orbits_choose_group(o, &about, err));
    ZW_TRY(reject_families(o, err));
    ZW_TRY(zw_orbits_record_at(&r, from, a, err));
    ZW_TRY(zw_orbits_record_at(&r, from + period, b, err));
    zw_orbits_close(o, a, b);
    for (int i = 0; i < o->nx; i++) {
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < r.n; k++) {
            low = fmin(low, r.x[(size_t)k * (size_t)o->nx + (size_t)i]);
            high = fmax(high, r.x[(size_t)k * (size_t)o->nx + (size_t)i]);
        }
        o->scale[i] = high > low ? 0.5 * (high - low) : 1;
    }
    zw_status status = find_shot(o, &about, a, nodes, method, shot, used, err);
    zw_arena_release(&o->arena, mark);
    return status;
}
