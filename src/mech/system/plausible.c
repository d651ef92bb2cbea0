/* SPDX-License-Identifier: MIT */
/* Numbers of a system that are likely mistakes, at the start of the model:
 *
 *   - negative masses and kinetic energies; masses that change;
 *   - principal moments of inertia A <= B <= C of a body: integrals of y^2 + z^2, z^2 + x^2, x^2 +
 *     y^2 over its mass, so that 0 <= A and C <= A + B. For a body that only rotates about one
 *     fixed axis only that moment counts, and the others are not checked;
 *   - numbers beyond 10^+-75: products of four of them leave the range of doubles.
 *
 * These are warnings, not errors: a negative mass may represent a hole, and derivations work with
 * it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rotation.h"
#include "build.h"

#define EXTREME_NUMBER 1e75 /* fourth root of the range of doubles */
/* Violation relative to the sum of the moments: a flat body has C = A + B exactly, up to the ten
 * digits that a printed moment may have. */
#define INERTIA_ROUNDOFF 1e-9

zw_status zw_system_warning(zw_system *s, const zw_warning *doubt, zw_error *err) {
    void *list = s->doubt;
    if (!zw_mech_grow(s->ctx, &list, s->ndoubt, &s->store->doubt_capacity, sizeof *s->doubt))
        return zw_context_status(s->ctx, err);
    s->doubt = list;
    s->doubt[s->ndoubt++] = *doubt;
    return ZW_OK;
}

/* the values of all symbols at the start */
typedef struct start_values {
    const zw_system *s;
    int n;
    zw_expr *sym;
    double *value;
    int velocities; /* index of the first one */
    zw_warnings *out;
} start_values;

static zw_status make_values(const zw_system *s, const double *p, start_values *at, zw_error *err) {
    int nx = s->nq + s->nv, size = s->np + nx + s->nsignal + 1, n = 0;
    bool *fixed = ZW_SCRATCH_NEW(s->ctx, bool, nx);
    double *x = ZW_SCRATCH_NEW(s->ctx, double, nx);
    at->s = s;
    at->sym = ZW_SCRATCH_NEW(s->ctx, zw_expr, size);
    at->value = ZW_SCRATCH_NEW(s->ctx, double, size);
    if (!fixed || !x || !at->sym || !at->value)
        return zw_context_status(s->ctx, err);
    ZW_TRY(zw_system_start_state(s, p, x, fixed, err));
    for (int i = 0; i < s->np; i++, n++) {
        at->sym[n] = s->param[i].sym;
        at->value[n] = p[i];
    }
    for (int i = 0; i < s->nsignal; i++, n++) {
        at->sym[n] = s->signal[i].sym;
        at->value[n] = zw_system_signal_at(s, i, p, 0, 0);
    }
    at->sym[n++] = s->t;
    for (int i = 0; i < s->nq; i++, n++) {
        at->sym[n] = s->coord[i].sym;
        at->value[n] = x[i];
    }
    at->velocities = n;
    for (int i = 0; i < s->nv; i++, n++) {
        at->sym[n] = s->velocity[i].sym;
        at->value[n] = x[s->nq + i];
    }
    at->n = n;
    return ZW_OK;
}

static double value_of(const start_values *at, zw_expr e) {
    return zw_eval(at->s->ctx, e, at->n, at->sym, at->value);
}

static void add_warning(const start_values *at, zw_warning d, zw_place place, const char *hint) {
    zw_warning_place(&d, place);
    if (hint)
        zw_warning_hint(&d, "%s", hint);
    zw_warnings_add(at->out, &d);
}

/* ------------------------------------------------------------------------------------- size */

static bool is_extreme(double value) {
    return !(fabs(value) < EXTREME_NUMBER) || (value != 0 && fabs(value) < 1 / EXTREME_NUMBER);
}

static void check_size(const start_values *at, const char *what, const char *name, double value,
                       const char *unit, zw_place place) {
    char key[96];
    if (!is_extreme(value))
        return;
    snprintf(key, sizeof key, "size of %s %.60s", what, name);
    add_warning(at,
                zw_warning_of(key, NAN,
                              "the %s %s is %g%s%s: products of such numbers overflow or underflow",
                              what, name, value, unit[0] ? " " : "", unit),
                place, NULL);
}

/* starts computed from extreme parameters are not reported again */
static void check_numbers(const start_values *at, const double *p) {
    const zw_system *s = at->s;
    bool any = false;
    for (int i = 0; i < s->np; i++) {
        check_size(at, "parameter", s->param[i].name, p[i], s->param[i].unit, s->param[i].place);
        any = any || is_extreme(p[i]);
    }
    for (int i = 0; i < s->nstart && !any; i++)
        check_size(at, "start of", s->start[i].text, value_of(at, s->start[i].value), "",
                   s->start[i].place);
}

/* ------------------------------------------------------------------------------------- inertia */

/* Lagrange's equations of a mass m(t) are d(m v)/dt = F: mass that is added or lost is then at
 * rest, unlike a rocket's fuel. */
static void check_changing(const start_values *at, const char *what, const char *name, zw_expr mass,
                           zw_place place) {
    char key[96];
    bool changes = zw_depends(at->s->ctx, mass, at->s->t);
    for (int i = 0; i < at->s->nq && !changes; i++)
        changes = at->s->coord[i].state && zw_depends(at->s->ctx, mass, at->s->coord[i].sym);
    if (!changes)
        return;
    snprintf(key, sizeof key, "changing mass of %.60s", name);
    add_warning(at,
                zw_warning_of(
                    key, NAN,
                    "the mass of the %s %s changes, and the equations are d(m v)/dt = F: the mass "
                    "that joins or leaves is assumed to be at rest",
                    what, name),
                place,
                strcmp(what, "particle") == 0
                    ? "write after the position of the particle: exhaust (u, 0, 0) if mass leaves "
                      "with the velocity u relative to it; intake (w, 0, 0) if mass joins or "
                      "leaves with the velocity w; intake (0, 0, 0) if it is at rest"
                    : "if it leaves with the velocity v + u, add the force m'*(v + u)");
}

static void check_mass(const start_values *at, const char *what, const char *name, zw_expr mass,
                       zw_place place) {
    double value = value_of(at, mass);
    char key[96];
    check_size(at, what, name, value, "", place);
    if (!(value < 0))
        return;
    snprintf(key, sizeof key, "mass of %.60s", name);
    add_warning(at,
                zw_warning_of(key, NAN, "the mass of the %s %s is negative: %g", what, name, value),
                place, NULL);
}

static void check_moments(const start_values *at, const zw_body *b) {
    const zw_frame *f = &at->s->frame[b->frame];
    double J[6], moment[3], V[9], size = 0;
    int axis = -1, axes = 0;
    for (int i = 0; i < 6; i++) {
        J[i] = value_of(at, b->J[i]);
        size += fabs(J[i]);
    }
    for (int i = 0; i < 3; i++)
        if (f->w[i] != ZW_ZERO) {
            axis = i;
            axes++;
        }
    if (axes == 0 || !isfinite(size))
        return;
    char key[96];
    snprintf(key, sizeof key, "inertia of %.60s", b->name);
    zw_symmetric_axes((double[9]){J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]}, moment, V);
    double least = axes == 1 ? J[axis] : moment[2];
    if (least < -INERTIA_ROUNDOFF * size)
        add_warning(at,
                    zw_warning_of(key, NAN, "a moment of inertia of the body %s is negative: %g",
                                  b->name, least),
                    b->place, NULL);
    else if (axes > 1 && moment[0] > moment[1] + moment[2] + INERTIA_ROUNDOFF * size)
        add_warning(
            at,
            zw_warning_of(key, NAN,
                          "no body has the principal moments of inertia of %s: %g, %g and %g",
                          b->name, moment[2], moment[1], moment[0]),
            b->place, "the largest is never more than the sum of the others");
}

/* the kinetic energy of one velocity of unit size, without its parts of lower degree */
static double quadratic_part(const start_values *at, zw_expr T, int velocity) {
    double sum = 0;
    for (int k = -1; k <= 1; k++) {
        at->value[at->velocities + velocity] = k;
        sum += value_of(at, T) * (k ? 0.5 : -1);
    }
    at->value[at->velocities + velocity] = 0;
    return sum;
}

/* An expression may subtract an excess of the bodies: the whole kinetic energy is tested. */
static void check_kinetic(const start_values *at) {
    const zw_system *s = at->s;
    if (s->kinetic == ZW_ZERO)
        return;
    memset(at->value + at->velocities, 0, sizeof *at->value * (size_t)s->nv);
    for (int i = 0; i < s->nv; i++) {
        char key[96];
        if (!(quadratic_part(at, s->kinetic, i) < 0) || !(quadratic_part(at, s->T, i) < 0))
            continue;
        snprintf(key, sizeof key, "kinetic energy of %.60s", s->velocity[i].name);
        add_warning(at,
                    zw_warning_of(key, NAN, "the kinetic energy of the velocity %s is negative",
                                  s->velocity[i].name),
                    s->velocity[i].place, NULL);
    }
}

static zw_status check_system(const zw_system *s, const double *p, zw_warnings *out,
                              zw_error *err) {
    start_values at = {.out = out};
    ZW_TRY(make_values(s, p, &at, err));
    check_numbers(&at, p);
    for (int i = 0; i < s->nparticle; i++) {
        const zw_particle *q = &s->particle[i];
        if (!q->transfer)
            check_changing(&at, "particle", q->name, q->mass, q->place);
        check_mass(&at, "particle", q->name, q->mass, q->place);
    }
    for (int i = 0; i < s->nbody; i++) {
        check_changing(&at, "body", s->body[i].name, s->body[i].mass, s->body[i].place);
        check_mass(&at, "body", s->body[i].name, s->body[i].mass, s->body[i].place);
        check_moments(&at, &s->body[i]);
    }
    check_kinetic(&at);
    return zw_context_status(s->ctx, err);
}

zw_status zw_system_warnings(const zw_system *s, const double *p, zw_warnings *out, zw_error *err) {
    for (int i = 0; i < s->ndoubt; i++)
        zw_warnings_add(out, &s->doubt[i]);
    zw_arena_mark mark = zw_scratch_mark(s->ctx);
    zw_status status = check_system(s, p, out, err);
    zw_scratch_release(s->ctx, mark);
    return status;
}
