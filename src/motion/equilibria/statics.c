/* SPDX-License-Identifier: MIT */
/* From a system to the statics of a configuration: forces, joints and rows of contacts come from
 * the kernel at rest, in which contacts are no constraints; src/contact/static_set.c solves for the
 * contact forces. */
#include "statics.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "contact/static_set.h"
#include "num/flow/flow.h"
#include "zwang/simulate.h"

/* of the lengths: the gap of a closed contact, above the rounding of a projection */
#define GAP_CLOSED 1e-9
#define AT_REST 1e-9 /* m/s or rad/s: invisible in any experiment, above rounding of rates */
/* of the forces: error of the spare above which its sign must be certain */
#define SPARE_UNKNOWN 1e-6

zw_status zw_statics_allocate(zw_statics *s, zw_rest_result *result, zw_error *err) {
    const zw_system *sys = s->sys;
    result->closed = ZW_NEW(&s->arena, bool, sys->ncontact + 1);
    result->yields = ZW_NEW(&s->arena, zw_yield, sys->ncontact + 1);
    result->force = ZW_NEW(&s->arena, double, (sys->ncontact + 1) * ZW_CONTACT_ROWS_MAX);
    result->x = ZW_NEW(&s->arena, double, sys->nq + sys->nv + 1);
    result->rest = (zw_rest){.unbalanced = -1,
                             .closed = result->closed,
                             .yields = result->yields,
                             .force = result->force,
                             .x = result->x};
    return zw_arena_status(&s->arena, err);
}

/* ---------------------------------------------------------------------------------- rejections */

static bool moves_with_time(const zw_system *sys, zw_expr e) {
    return e != ZW_NULL && zw_depends(sys->ctx, e, sys->t);
}

static zw_status reject_motion(const char *what, const char *name, zw_place place, zw_error *err) {
    zw_fail_at(err, ZW_E_MODEL, place, "the %s %s moves by itself: there is no rest", what, name);
    zw_error_hint(err, "zwang run computes its motion");
    return ZW_E_MODEL;
}

/* Is there a contact, and does none move with time? */
static zw_status check_contacts(const zw_system *sys, zw_error *err) {
    int n = 0;
    for (int i = 0; i < sys->ncontact; i++) {
        const zw_contact *c = &sys->contact[i];
        bool moves = moves_with_time(sys, c->gap);
        if (c->off)
            continue;
        n++;
        for (int b = 0; b < c->nblock; b++)
            for (int k = 0; k < c->block[b].nrow; k++)
                moves |= moves_with_time(sys, c->block[b].rate[k]);
        if (moves)
            return reject_motion("contact", c->name, c->place, err);
    }
    if (n > 0)
        return ZW_OK;
    zw_fail(err, ZW_E_MODEL, "the model %s has no contact", sys->name);
    zw_error_hint(err, "equilibria without contacts are found by zwang equilibria");
    return ZW_E_MODEL;
}

static zw_status check_constraints(const zw_statics *s, zw_error *err) {
    const zw_system *sys = s->sys;
    for (int i = 0; i < sys->nconstraint; i++)
        if (s->eq.holds[i] && moves_with_time(sys, sys->constraint[i].residual))
            return reject_motion("constraint", sys->constraint[i].name, sys->constraint[i].place,
                                 err);
    if (s->kernel->nc == s->kernel->nvel && !s->kernel->tilted)
        return ZW_OK;
    return zw_fail(err, ZW_E_MODEL,
                   "rest with contact is not supported for constraints on accelerations and "
                   "for forces that depend on multipliers");
}

static zw_status check_start(const zw_statics *s, const double *x, zw_error *err) {
    const zw_system *sys = s->sys;
    for (int i = 0; i < sys->nv; i++)
        if (fabs(x[sys->nq + i]) > AT_REST) {
            const zw_velocity *v = &sys->velocity[i];
            zw_fail_at(err, ZW_E_MODEL, v->place, "the start moves: %s = %.10g %s", v->name,
                       x[sys->nq + i], v->unit);
            zw_error_hint(err, "give a start at rest: --set \"%s=0\"", v->name);
            return ZW_E_MODEL;
        }
    return ZW_OK;
}

static zw_status check_overlaps(const zw_statics *s, zw_error *err) {
    bool any = false;
    for (int i = 0; i < s->sys->ncontact; i++) {
        const zw_contact *c = &s->sys->contact[i];
        any |= s->start.closed[i];
        if (s->start.yields[i] != ZW_YIELD_OVERLAPS)
            continue;
        zw_fail_at(err, ZW_E_MODEL, c->place, "the contact %s overlaps at the start", c->name);
        zw_error_hint(err, "start where its gap is zero: --set");
        return ZW_E_MODEL;
    }
    if (any)
        return ZW_OK;
    zw_fail(err, ZW_E_MODEL, "no contact is closed at the start");
    zw_error_hint(err, "start where a gap is zero (--set); without contacts zwang equilibria finds "
                       "what is at rest");
    return ZW_E_MODEL;
}

/* ---------------------------------------------------------------------------- one configuration */

static zw_contact_law law_of(const zw_contact_form *form, const double *number) {
    zw_contact_law law = {.nblock = form->nblock};
    const double *n = number + form->number + 1;
    for (int b = 0; b < form->nblock; b++, n += ZW_LAW_NUMBERS) {
        zw_friction f = zw_friction_block(form->kind[b], form->block_rows[b], n[0]);
        for (int i = 0; i < ZW_FRICTION_ROWS_MAX; i++) {
            f.axis[i] = n[1 + i];
            f.pull[i] = n[6 + i];
        }
        f.smooth = n[4];
        f.damping = n[5];
        f.nu = form->nu[b];
        law.block[b] = f;
    }
    return law;
}

/* The rows of a contact over all velocities. */
static void spread_rows(const zw_kernel *k, const zw_contact_form *form, const double *H,
                        double *out) {
    for (int e = form->first; e < form->first + form->ntouch; e++) {
        int part = k->touching[e].part, start = k->part_start[part],
            n = k->part_start[part + 1] - start;
        for (int a = 0; a < form->nrow; a++)
            for (int i = 0; i < n; i++)
                out[a * k->nv + k->part_velocity[start + i]] = H[k->touching[e].at + a * n + i];
    }
}

/* Which contacts are closed? gap is numbered without contacts that are off. */
static void find_closed(const zw_statics *s, const double *gap, zw_rest_result *result) {
    for (int i = 0, k = 0; i < s->sys->ncontact; i++) {
        const zw_contact *c = &s->sys->contact[i];
        double closed = GAP_CLOSED * s->size[i];
        result->yields[i] = ZW_YIELD_HOLDS;
        result->closed[i] = false;
        if (c->off)
            continue;
        result->closed[i] = !c->idle && (c->bilateral || gap[k] <= closed);
        if (!c->idle && !c->bilateral && !(gap[k] >= -closed))
            result->yields[i] = ZW_YIELD_OVERLAPS;
        k++;
    }
}

static zw_yield yield_of(const zw_contact *c, int block) {
    if (block < 0)
        return block == ZW_REST_LIFTS ? ZW_YIELD_LIFTS : ZW_YIELD_HOLDS;
    const char *part = c->block[block].part[0];
    return strncmp(part, "spin", 4) == 0                                       ? ZW_YIELD_PIVOTS
           : strncmp(part, "roll", 4) == 0 || strncmp(part, "contour", 7) == 0 ? ZW_YIELD_ROLLS
                                                                               : ZW_YIELD_SLIPS;
}

static void copy_answer(const zw_statics *s, const zw_rest_answer *a, const double *r,
                        const int *gives, zw_rest_result *result) {
    zw_rest *out = &result->rest;
    bool overlaps = false;
    memset(result->force, 0, sizeof(double) * (size_t)(s->sys->ncontact * ZW_CONTACT_ROWS_MAX));
    for (int i = 0, c = 0, k = 0; i < s->sys->ncontact; i++) {
        overlaps |= result->yields[i] == ZW_YIELD_OVERLAPS;
        if (s->sys->contact[i].off)
            continue;
        const zw_contact_form *form = &s->kernel->contact[k++];
        if (!result->closed[i])
            continue;
        memcpy(result->force + (size_t)(i * ZW_CONTACT_ROWS_MAX), r,
               sizeof(double) * (size_t)form->nrow);
        r += form->nrow;
        if (result->yields[i] != ZW_YIELD_OVERLAPS)
            result->yields[i] = yield_of(&s->sys->contact[i], gives[c]);
        c++;
    }
    out->spare = overlaps ? -INFINITY : a->spare;
    out->spare_error = a->doubt;
    out->factor = overlaps ? INFINITY : a->factor;
    out->hyperstatic = a->hyperstatic;
    out->unbalanced = a->balanced ? -1 : a->unbalanced;
    out->rests =
        a->balanced && !overlaps && a->spare >= -fmax(a->doubt, ZW_ROUNDOFF_VALUE * a->scale);
}

/* An error if a closed contact, or a joint, moves although all velocities are 0. */
static zw_status check_rates(const zw_statics *s, const zw_step_parts *at, const double *qdot,
                             const zw_rest_result *result, zw_error *err) {
    const zw_kernel *k = s->kernel;
    for (int i = 0; i < k->nq; i++)
        if (fabs(qdot[i]) > AT_REST)
            return reject_motion("coordinate", s->sys->coord[i].name, s->sys->coord[i].place, err);
    for (int i = 0; i < k->nvel; i++)
        if (fabs(at->psi[i]) > AT_REST)
            return zw_fail(err, ZW_E_MODEL, "constraints move by themselves: there is no rest");
    for (int i = 0, c = 0; i < s->sys->ncontact; i++) {
        if (s->sys->contact[i].off)
            continue;
        const zw_contact_form *form = &k->contact[c++];
        for (int a = 0; a < form->nrow && result->closed[i]; a++)
            if (fabs(at->rate[form->row + a]) > AT_REST)
                return reject_motion("support of the contact", s->sys->contact[i].name,
                                     s->sys->contact[i].place, err);
    }
    return ZW_OK;
}

static zw_status solve_statics(zw_statics *s, bool factor, zw_rest_result *result, zw_error *err) {
    const zw_kernel *k = s->kernel;
    zw_arena *arena = &s->arena;
    double t = 0, *out = ZW_NEW(arena, double, k->nout + 1),
           *law = ZW_NEW(arena, double, k->nout + 1), *qdot = ZW_NEW(arena, double, k->nout + 1),
           *H = ZW_NEW(arena, double, (k->ntouch + 1) * k->nv),
           *r = ZW_NEW(arena, double, k->ntouch + 1);
    int *gives = ZW_NEW(arena, int, k->ncontact + 1), n = 0, row = 0;
    zw_contact_law *laws = ZW_NEW(arena, zw_contact_law, k->ncontact + 1);
    bool *bilateral = ZW_NEW(arena, bool, k->ncontact + 1);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    const zw_args in = zw_num_args(s->flow, &t, result->x, NULL);
    zw_kernel_call(k, ZW_FN_STEP, &in, out, s->flow->work);
    zw_kernel_call(k, ZW_FN_LAW, &in, law, s->flow->work);
    zw_kernel_call(k, ZW_FN_QDOT, &in, qdot, s->flow->work);
    zw_step_parts at = zw_step_of(k, out);
    for (int i = 0; i < k->nv; i++)
        if (!isfinite(at.h[i]))
            return zw_fail(err, ZW_E_NONFINITE, "the force on %s is not finite",
                           s->sys->velocity[i].name);
    find_closed(s, at.gap, result);
    ZW_TRY(check_rates(s, &at, qdot, result, err));
    for (int i = 0, c = 0; i < s->sys->ncontact; i++) {
        if (s->sys->contact[i].off)
            continue;
        const zw_contact_form *form = &k->contact[c++];
        if (!result->closed[i])
            continue;
        laws[n] = law_of(form, law);
        bilateral[n++] = form->bilateral;
        spread_rows(k, form, at.H, H + (size_t)row * (size_t)k->nv);
        row += form->nrow;
    }
    zw_rest_problem problem = {.nv = k->nv,
                               .nvel = k->nvel,
                               .ncontact = n,
                               .h = at.h,
                               .Psi = at.Psi,
                               .H = H,
                               .law = laws,
                               .bilateral = bilateral};
    zw_rest_answer answer;
    ZW_TRY(zw_rest_solve(&problem, factor, arena, r, gives, &answer, err));
    if (answer.balanced && !(answer.doubt <= SPARE_UNKNOWN * answer.scale) &&
        !(fabs(answer.spare) > answer.doubt))
        return zw_fail(err, ZW_E_NUMERIC,
                       "the convex problem of the contact forces could not be solved, so it is "
                       "unknown whether they hold the model");
    copy_answer(s, &answer, r, gives, result);
    return ZW_OK;
}

zw_status zw_statics_at(zw_statics *s, bool factor, zw_rest_result *result, zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&s->arena);
    zw_status status = solve_statics(s, factor, result, err);
    zw_arena_release(&s->arena, mark);
    return status;
}

/* --------------------------------------------------------------------------------------- set-up */

/* Contacts are no constraints here. */
static zw_status build_statics(zw_statics *s, zw_error *err) {
    const zw_system *sys = s->sys;
    bool *on = ZW_NEW(&s->arena, bool, sys->nconstraint + 1);
    double *u = ZW_NEW(&s->arena, double, sys->nsignal + 1);
    zw_kernel_options options = zw_kernel_options_default();
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < sys->nconstraint; i++)
        on[i] = sys->constraint[i].on;
    for (int i = 0; i < sys->ncontact; i++) {
        const zw_contact *c = &sys->contact[i];
        on[c->closed] = false;
        for (int b = 0; b < c->nblock; b++)
            for (int k = 0; c->stuck[b] >= 0 && k < c->block[b].nrow; k++)
                on[c->stuck[b] + k] = false;
    }
    const zw_active active = {.constraint = on};
    options.jit = ZW_JIT_NEVER;
    options.unroll_max = 0; /* forces and rows themselves, nothing solved */
    options.functions = ZW_FUNCTIONS_RUN | ZW_SET(STEP) | ZW_SET(LAW) | ZW_SET(QDOT);
    ZW_TRY(zw_derive(&s->eq, sys, &active, "lagrange", err));
    ZW_TRY(zw_kernel_create(&s->kernel, &s->eq, &options, err));
    ZW_TRY(check_constraints(s, err));
    ZW_TRY(zw_flow_create(&s->flow, s->kernel, s->p, err));
    for (int i = 0; i < sys->nsignal; i++)
        u[i] = zw_system_signal_at(sys, i, s->p, 0, 0);
    zw_flow_set_inputs(s->flow, u);
    return ZW_OK;
}

static int count_forces(const zw_system *sys) {
    int n = 0;
    for (int i = 0; i < sys->ncontact; i++) {
        const zw_contact *c = &sys->contact[i];
        n += !c->off;
        for (int b = 0; b < c->nblock && !c->off; b++)
            n += c->block[b].nrow;
    }
    return n;
}

/* The largest length of the system: coordinates in m, and the parameters that belong to them. */
static zw_status measure_sizes(zw_statics *s, zw_error *err) {
    const zw_system *sys = s->sys;
    double *x = ZW_NEW(&s->arena, double, sys->nq + sys->nv + 1),
           *width = ZW_NEW(&s->arena, double, sys->nq + 1), size = 0;
    zw_said *said = ZW_NEW(&s->arena, zw_said, sys->nq + sys->nv + 1);
    s->size = ZW_NEW(&s->arena, double, sys->ncontact + 1);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_start_said(sys, s->p, x, said, width, err));
    for (int i = 0; i < sys->nq; i++)
        if (strcmp(sys->coord[i].unit, "m") == 0)
            size = fmax(size, fmax(fabs(s->start.x[i]), width[i]));
    for (int i = 0; i < sys->ncontact; i++)
        s->size[i] = sys->contact[i].angular || size == 0 ? 1 : size;
    return ZW_OK;
}

static zw_status set_up(zw_statics *s, const char *over, zw_error *err) {
    const zw_system *sys = s->sys;
    s->p = ZW_NEW(&s->arena, double, sys->np + 1);
    if (!s->p)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(check_contacts(sys, err));
    s->nforce = count_forces(sys);
    ZW_TRY(zw_statics_allocate(s, &s->start, err));
    ZW_TRY(zw_statics_allocate(s, &s->current, err));
    ZW_TRY(zw_statics_allocate(s, &s->other, err));
    ZW_TRY(zw_system_param_values(sys, s->p, err));
    ZW_TRY(zw_system_complete(sys, NULL, 0, s->p, s->start.x, NULL, err));
    ZW_TRY(build_statics(s, err));
    ZW_TRY(check_start(s, s->start.x, err));
    memset(s->start.x + sys->nq, 0, sizeof(double) * (size_t)sys->nv);
    ZW_TRY(measure_sizes(s, err));
    ZW_TRY(zw_statics_at(s, true, &s->start, err));
    ZW_TRY(check_overlaps(s, err));
    return over ? zw_statics_prepare(s, over, err) : ZW_OK;
}

zw_status zw_statics_create(zw_statics **out, const zw_system *sys, const char *over,
                            zw_error *err) {
    assert(out && sys);
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_statics *s = zw_allocate(&alloc, sizeof *s);
    *out = NULL;
    if (!s)
        return zw_out_of_memory(err, NULL);
    *s = (zw_statics){.sys = sys, .coordinate = -1};
    zw_arena_init(&s->arena, &alloc);
    zw_status status = set_up(s, over, err);
    if (status < 0) {
        zw_statics_destroy(s);
        return status;
    }
    *out = s;
    return ZW_OK;
}

void zw_statics_destroy(zw_statics *s) {
    if (!s)
        return;
    zw_allocator alloc = zw_context_allocator(s->sys->ctx);
    zw_run_destroy(s->closed_run);
    zw_kernel_destroy(s->closed_kernel);
    zw_flow_destroy(s->flow);
    zw_kernel_destroy(s->kernel);
    zw_arena_clear(&s->arena);
    zw_release(&alloc, s, sizeof *s);
}

const zw_rest *zw_statics_rest(const zw_statics *s) {
    return &s->start.rest;
}

int zw_statics_intervals(const zw_statics *s) {
    return s->n;
}

const zw_rest_interval *zw_statics_interval(const zw_statics *s, int i) {
    return i >= 0 && i < s->n ? &s->interval[i] : NULL;
}
