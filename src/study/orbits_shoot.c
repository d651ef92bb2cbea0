/* SPDX-License-Identifier: MIT */
/* The same orbit by shooting (zwang/shooting.h): the motion is integrated with variable steps and tolerances of 1e-12, its multipliers by the linear equations along it. Nothing of it
 * comes from collocation but where it begins. */
#include <math.h>

#include "orbits.h"
#include "zwang/shooting.h"

/* by how much the multipliers of two lists differ, each from the nearest, relative to max(1, |mu|) */
static double apart(const zw_orbit_motion *m, const zw_floquet *f) {
    double worst = 0;
    for (int i = 0; i < f->n; i++) {
        double least = INFINITY;
        for (int j = 0; j < m->nmultiplier; j++)
            least = fmin(least, hypot(m->re[j] - f->re[i], m->im[j] - f->im[i]));
        worst = fmax(worst, least / fmax(1, hypot(f->re[i], f->im[i])));
    }
    return m->nmultiplier ? worst : NAN;
}

static void compare(const zw_orbits *o, const zw_orbit_motion *m, const zw_shooting *s,
                    zw_orbits_shot *out) {
    out->period = s->period;
    out->iterations = s->iterations;
    out->residual = s->residual;
    out->period_off = fabs(s->period - m->period) / m->period;
    out->multipliers_off = apart(m, &s->floquet);
    out->state_off = 0;
    for (int i = 0; i < o->nx; i++)
        if (o->essential[i])
            out->state_off = fmax(out->state_off, fabs(s->x[i] - m->x[i]) / o->scale[i]);
}

zw_status zw_orbits_shoot(zw_orbits *o, int number, int nodes, zw_orbits_shot *out, zw_error *err) {
    const zw_orbit_motion *m = &o->motion[number];
    zw_shooting_options options = zw_shooting_options_default();
    zw_shooting shot = {0};
    *out = (zw_orbits_shot){0};
    if (zw_orbits_ones(o))
        return zw_fail(
            err, ZW_E_OPTION,
            "shooting looks for single orbits: in a family, or with symmetries, each has "
            "neighbours");
    ZW_TRY(zw_orbits_load(o, m, err));
    options.period = m->period;
    options.is_period_free = o->autonomous;
    options.nodes = nodes;
    options.sign = o->sign;
    options.turn = o->turn;
    options.scale = o->scale;
    options.want = zw_kernel_serve;
    options.want_user = o->kernel;
    zw_status status = zw_shooting_find(&shot, o->kernel, o->now, m->x, &options, err);
    if (status >= 0)
        compare(o, m, &shot, out);
    zw_shooting_clear(&shot);
    if (status >= 0)
        status = zw_flow_renew(o->flow, err);
    return status;
}
