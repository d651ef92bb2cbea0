/* SPDX-License-Identifier: MIT */
/* Checks that the velocity u of a contact belongs to its gap. Where the gap is closed the body can
 * only separate along the normal or slide across it: n . u = gap'. This is tested numerically, at
 * random states that Newton's method has moved along the gradient of the gap onto gap = 0; if none
 * is found nothing is reported.
 *
 * A place P is given besides slips that are scalars, not a vector: their directions are those of
 * the contact, t_1 and t_2 across n, if
 *
 *     n . P' = gap',    t_i . P' = slip_i,                                               (1)
 *
 * except for terms without velocities, which supports add. Otherwise the directions of its forces
 * are unknown. */
#include <math.h>
#include <string.h>

#include "build_contact.h"
#include "mech/system/sample.h"

enum { STATES = 5, NEWTON_STEPS = 30, STATES_SHOWN = 2 };
#define GAP_CLOSED 1e-12 /* [m] where bodies are of the order of 1 m: Newton's method ends */
/* Difference of velocities relative to their size: round-off at a gap of 1e-12 m is 1e-12, and a
 * wrong sign or a missing term differs by the order of 1. */
#define VELOCITY_DIFFERS 1e-7

static void normalise_quaternions(const zw_system *s, double *q) {
    for (int f = 0; f < s->nframe; f++) {
        double *e = q + s->frame[f].quaternion, sum = 0;
        if (s->frame[f].quaternion < 0)
            continue;
        for (int i = 0; i < 4; i++)
            sum += e[i] * e[i];
        for (int i = 0; i < 4; i++)
            e[i] /= sqrt(sum);
    }
}

/* moves the coordinates of the sample to a state with gap = 0 */
static bool close_gap(const zw_system *s, const zw_contact *c, const zw_expr *slope, double *step,
                      zw_sample *at) {
    double *q = at->value + s->np;
    for (int k = 0; k < NEWTON_STEPS; k++) {
        double gap = zw_sample_value(at, s, c->gap), size = 0;
        if (!isfinite(gap))
            return false;
        if (fabs(gap) < GAP_CLOSED)
            return true;
        for (int i = 0; i < s->nq; i++) {
            step[i] = zw_sample_value(at, s, slope[i]);
            size += step[i] * step[i];
        }
        if (!(size > 0) || !isfinite(size))
            return false;
        for (int i = 0; i < s->nq; i++)
            q[i] -= gap * step[i] / size;
        normalise_quaternions(s, q);
    }
    return false;
}

/* the normal component and the rate of the gap, at two states */
static zw_status reject_normal(zw_model *m, const zw_contact *c, zw_place place,
                               const double along[2], const double rate[2]) {
    double cross = along[0] * rate[1], other = along[1] * rate[0];
    bool is_multiple = along[0] != 0 && fabs(cross - other) <= VELOCITY_DIFFERS * fabs(cross);
    zw_fail_at(m->err, ZW_E_MODEL, place,
               "along the normal this velocity is not the rate of the gap of '%s' where it is "
               "closed",
               c->name);
    if (is_multiple && fabs(along[0] + rate[0]) < VELOCITY_DIFFERS * fabs(rate[0]))
        zw_error_hint(m->err, "it is its negative: does the normal point into the support?");
    else if (is_multiple)
        zw_error_hint(m->err, "it is 1/%.6g of it: the gap is to be a distance",
                      rate[0] / along[0]);
    else
        zw_error_hint(m->err, "a slip with three components is the velocity of the body relative "
                              "to its support at the contact point; the normal (default z) points "
                              "in the direction in which the gap opens");
    return ZW_E_MODEL;
}

/* both at a state; false if they have no value there */
static bool evaluate_rates(const zw_system *s, const zw_sample *at, const zw_contact *c,
                           const zw_expr velocity[3], zw_expr rate, double *along, double *is,
                           bool *differ) {
    double size = 0;
    *along = 0;
    *is = zw_sample_value(at, s, rate);
    for (int i = 0; i < 3; i++) {
        double u = zw_sample_value(at, s, velocity[i]);
        *along += u * zw_sample_value(at, s, c->normal[i]);
        size += fabs(u);
    }
    if (!isfinite(*along) || !isfinite(*is))
        return false;
    *differ = *differ || fabs(*along - *is) > VELOCITY_DIFFERS * (size + fabs(*is));
    return true;
}

static zw_status check_normal(zw_model *m, const zw_contact *c, const zw_expr velocity[3],
                              zw_place place) {
    zw_system *s = m->sys;
    zw_sample at;
    zw_expr *slope = ZW_SCRATCH_NEW(s->ctx, zw_expr, s->nq);
    double *step = ZW_SCRATCH_NEW(s->ctx, double, s->nq);
    if (!slope || !step)
        return zw_model_memory(m);
    if (zw_sample_init(&at, s, NULL) < 0) /* parameters without a value are reported elsewhere */
        return ZW_OK;
    for (int i = 0; i < s->nq; i++)
        slope[i] = zw_diff(s->ctx, c->gap, s->coord[i].sym);
    zw_expr rate = zw_system_dt(s, c->gap);
    double along[STATES_SHOWN] = {NAN, NAN}, is[STATES_SHOWN] = {NAN, NAN};
    bool differ = false;
    int found = 0;
    for (unsigned k = 0; k < STATES && found < STATES_SHOWN; k++) {
        zw_sample_scatter(&at, s, k);
        if (close_gap(s, c, slope, step, &at) &&
            evaluate_rates(s, &at, c, velocity, rate, &along[found], &is[found], &differ))
            found++;
    }
    return differ ? reject_normal(m, c, place, along, is) : ZW_OK;
}

/* ---- places ---- */

/* the part of an expression that depends on the velocities */
static double velocity_part(const zw_system *s, zw_sample *at, const double *v, zw_expr e) {
    double *now = at->value + s->np + s->nq, whole, rest;
    memcpy(now, v, sizeof *v * (size_t)s->nv);
    whole = zw_sample_value(at, s, e);
    memset(now, 0, sizeof *v * (size_t)s->nv);
    rest = zw_sample_value(at, s, e);
    memcpy(now, v, sizeof *v * (size_t)s->nv);
    return whole - rest;
}

/* true if a row of (1) is violated at a state */
static bool is_inconsistent(zw_model *m, zw_sample *at, const zw_contact_kinematics *c,
                            const double *v) {
    const zw_system *s = m->sys;
    const zw_contact *k = &c->contact;
    zw_expr rate[3];
    for (int i = 0; i < 3; i++)
        rate[i] = zw_system_dt(s, k->point[i]);
    for (int row = 0; row <= c->nslip; row++) {
        const zw_expr *direction = row ? k->tangent[row - 1] : k->normal;
        zw_expr given = row ? c->slip[row - 1] : zw_system_dt(s, k->gap);
        double is = velocity_part(s, at, v, given), along = 0, size = fabs(is);
        for (int i = 0; i < 3; i++) {
            double u = velocity_part(s, at, v, rate[i]);
            along += u * zw_sample_value(at, s, direction[i]);
            size += fabs(u);
        }
        if (fabs(along - is) > VELOCITY_DIFFERS * size)
            return true;
    }
    return false;
}

static zw_status compare_place(zw_model *m, const zw_contact_kinematics *c, zw_place place) {
    zw_system *s = m->sys;
    zw_sample at;
    zw_expr *slope = ZW_SCRATCH_NEW(s->ctx, zw_expr, s->nq);
    double *step = ZW_SCRATCH_NEW(s->ctx, double, s->nq),
           *v = ZW_SCRATCH_NEW(s->ctx, double, s->nv);
    bool differ = false;
    if (!slope || !step || !v)
        return zw_model_memory(m);
    if (zw_sample_init(&at, s, NULL) < 0)
        return ZW_OK;
    for (int i = 0; i < s->nq; i++)
        slope[i] = zw_diff(s->ctx, c->contact.gap, s->coord[i].sym);
    for (unsigned k = 0; k < STATES && !differ; k++) {
        zw_sample_scatter(&at, s, k);
        memcpy(v, at.value + s->np + s->nq, sizeof *v * (size_t)s->nv);
        differ = close_gap(s, &c->contact, slope, step, &at) && is_inconsistent(m, &at, c, v);
    }
    if (!differ)
        return ZW_OK;
    zw_fail_at(m->err, ZW_E_MODEL, place,
               "the directions of the contact '%s' are not known: the motion of this point does "
               "not agree with gap and slip",
               c->contact.name);
    zw_error_hint(m->err, "give the slip as a velocity in space and the normal on the side where "
                          "the gap opens: slip body.velocity(P), normal y, at P; without friction, "
                          "law none");
    return ZW_E_MODEL;
}

zw_status zw_contact_check_place(zw_model *m, const zw_contact_kinematics *c, zw_place place) {
    zw_arena_mark mark = zw_scratch_mark(m->ctx);
    zw_status status = compare_place(m, c, place);
    zw_scratch_release(m->ctx, mark);
    return status < 0 ? status : zw_model_check_expressions(m, place);
}

zw_status zw_contact_check(zw_model *m, const zw_contact *c, const zw_expr velocity[3],
                           zw_place place) {
    zw_arena_mark mark = zw_scratch_mark(m->ctx);
    zw_status status = check_normal(m, c, velocity, place);
    zw_scratch_release(m->ctx, mark);
    return status < 0 ? status : zw_model_check_expressions(m, place);
}
