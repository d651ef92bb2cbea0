/* SPDX-License-Identifier: MIT */
/* From a system to a steady motion: derive, lower, complete the start, find the symmetries, solve,
 * linearise. */
#include "equilibria.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/random.h"
#include "base/tolerance.h"
#include "base/units.h"
#include "kinks_at.h"
#include "mech/equations/variants.h"
#include "num/linear/dense.h"
#include "zwang/equations.h"
#include "zwang/simulate.h"

/* rate along a symmetry in its unit: at rest, as rates are found to ZW_ROUNDOFF_SOLVED */
#define RATE_ZERO ZW_ROUNDOFF_SOLVED
/* Kinks: the linear equations on both sides of the motion differ by a part KINK_JUMP, and the
 * difference at KINK_NEAR is not a hundredth of that at KINK_FAR (in sizes of the state), as it
 * would be for smooth ones: these shrink by 1000. */
#define KINK_JUMP 1e-4
#define KINK_FAR 1e-6
#define KINK_NEAR 1e-9
#define KINK_SHRINKS 100
/* A real part that may be zero, times the condition of the eigenvalue: of its modulus (the error of
 * a located special point), and of the largest modulus (5 eps). */
#define NEUTRAL_OWN 1e-9
#define NEUTRAL_LARGEST 1e-15
/* distance relative to the modulus: eigenvalues that may be one multiple one; chosen by trial:
 * separates critical damping from two rates */
#define CLUSTER 1e-2
#define CLUSTER_FACTOR 100    /* on the splitting of a cluster by rounding: sizes of its vectors */
#define DETERMINANT_STEP 1e-5 /* of the sizes: distance of states with other determinants */
#define DETERMINANT_CHANGES 0.1 /* relative: next to a fold it changes sign within this distance */
/* error relative to an eigenvalue that deserves a warning: fewer than three digits are certain */
#define DIGITS_LOST 1e-3
/* Real part relative to the modulus that deserves a warning if its sign is open: undamped motions
 * have errors below it. */
#define DAMPING_OPEN 1e-7

void zw_equilibria_options_init(zw_equilibria_options *options, size_t size) {
    const zw_equilibria_options all = {.size = size, .by = "lagrange"};
    zw_options_begin(options, size, &all, sizeof all);
}

/* ---------------------------------------------------------------------------------------- names */

const char *zw_equilibria_entry(const zw_equilibria *e, int i, const char **unit) {
    const zw_system *s = e->sys;
    bool own = i >= e->eq.nq && e->eq.from_system;
    *unit = own ? "" : i < e->eq.nq ? s->coord[i].unit : s->velocity[i - e->eq.nq].unit;
    if (i < e->eq.nq)
        return s->coord[i].name;
    return own ? zw_expr_name(s->ctx, e->eq.v[i - e->eq.nq]) : s->velocity[i - e->eq.nq].name;
}

int zw_equilibria_find_entry(const zw_equilibria *e, const char *name) {
    const char *unit;
    for (int i = 0; i < e->eq.nq + e->eq.nv; i++)
        if (strcmp(zw_equilibria_entry(e, i, &unit), name) == 0)
            return i;
    return -1;
}

zw_status zw_equilibria_no_entry(zw_equilibria *e, const char *option, const char *name,
                                 zw_error *err) {
    int n = e->eq.nq + e->eq.nv;
    const char *unit, **names = ZW_NEW(&e->arena, const char *, n + 1);
    for (int i = 0; names && i < n; i++)
        names[i] = zw_equilibria_entry(e, i, &unit);
    zw_fail(err, ZW_E_NAME, "%s: there is no coordinate or velocity '%s'", option, name);
    const char *near = names ? zw_nearest(name, n, names) : NULL;
    if (near)
        zw_error_hint(err, "did you mean %s?", near);
    return ZW_E_NAME;
}

void zw_equilibria_symmetry_name(const zw_equilibria *e, int i, char *out, size_t size) {
    const zw_symmetries *s = &e->symmetries;
    const double *factor = i < 0 ? s->driven : s->combination + (size_t)i * (size_t)s->nfield;
    size_t used = 0;
    out[0] = '\0';
    for (int j = 0; j < s->nfield; j++) {
        char name[160];
        if (factor[j] == 0 || used + 1 >= size)
            continue;
        zw_displacement_name(e->sys, &e->displacement[j], name, sizeof name);
        const char *sign = factor[j] < 0 ? used ? " - " : "-" : used ? " + " : "";
        if (fabs(factor[j]) == 1)
            snprintf(out + used, size - used, "%s%s", sign, name);
        else
            snprintf(out + used, size - used, "%s%.6g*%s", sign, fabs(factor[j]), name);
        used = strlen(out);
    }
}

/* --------------------------------------------------------------------------------------- set-up */

/* The leaf of the start, or the one that is held. */
static zw_status choose_leaf(zw_equilibria *e, zw_error *err) {
    zw_system on_leaf;
    zw_expr *held = ZW_NEW(&e->arena, zw_expr, e->options.nhold + 1);
    if (!held)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < e->options.nhold; i++)
        held[i] = e->held[i].what;
    ZW_TRY(zw_system_on_leaf(&on_leaf, e->sys, e->options.active, e->options.t, e->p,
                             e->options.nhold, held, &e->nhidden, err));
    e->watched.integral = on_leaf.integral;
    e->watched.nintegral = on_leaf.nintegral;
    return ZW_OK;
}

/* The equations, with rates for all velocities near the start. */
static zw_status derive_equations(zw_equilibria *e, zw_error *err) {
    const zw_system *s = e->sys;
    zw_equations derived;
    ZW_TRY(zw_equilibria_read_holds(e, err));
    ZW_TRY(zw_equilibria_read_solve(e, err));
    ZW_TRY(choose_leaf(e, err));
    ZW_TRY(zw_derive(&derived, &e->watched, e->options.active, e->options.by, err));
    double *start = ZW_NEW(&e->arena, double, s->nq + s->nv + 1),
           *x = ZW_NEW(&e->arena, double, derived.nq + derived.nv + 1);
    bool *fixed = ZW_NEW(&e->arena, bool, s->nq + s->nv + 1);
    if (e->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_start_state(s, e->p, start, fixed, err));
    ZW_TRY(zw_equations_state(&derived, e->options.t, e->p, start, x, err));
    return zw_equations_with_rates(&e->eq, &derived, e->options.t, e->p, x, err);
}

/* Parameters of the kernel: those of the options, then those that are solved for. */
static zw_status choose_parameters(zw_equilibria *e, zw_kernel_options *kernel, zw_error *err) {
    const zw_equilibria_options *o = &e->options;
    int n = o->nparameter, *chosen, *column;
    kernel->nparameter = n;
    kernel->parameter = o->parameter;
    if (!o->nsolve)
        return ZW_OK;
    chosen = ZW_NEW(&e->arena, int, (n > 0 ? n : 0) + o->nsolve);
    column = ZW_NEW(&e->arena, int, o->nsolve);
    if (e->arena.failed)
        return zw_out_of_memory(err, NULL);
    n = n > 0 ? n : 0;
    for (int i = 0; i < n; i++)
        chosen[i] = o->parameter[i];
    for (int i = 0; i < o->nsolve; i++) {
        int k = 0;
        while (k < n && chosen[k] != e->solve[i])
            k++;
        column[i] = k;
        if (k == n)
            chosen[n++] = e->solve[i];
    }
    kernel->nparameter = n;
    kernel->parameter = chosen;
    e->problem.column = column;
    return ZW_OK;
}

static zw_status build_flow(zw_equilibria *e, zw_error *err) {
    zw_kernel_options options = zw_kernel_options_default();
    int n;
    options.jit = ZW_JIT_WHEN_IT_PAYS; /* pays in searches; otherwise there are few evaluations */
    options.functions =
        ZW_FUNCTIONS_ALL_METHODS | ZW_SET(FIELD) | ZW_SET(FIELD_FIRST) | e->options.functions;
    if (e->options.nhold)
        options.functions |= ZW_SET(OBS) | ZW_SET(OBS_JAC);
    if (e->options.nsolve)
        options.functions |= ZW_SET(JAC_P) | ZW_SET(OBS_P);
    ZW_TRY(zw_system_param_values(e->sys, e->p, err));
    ZW_TRY(derive_equations(e, err));
    ZW_TRY(choose_parameters(e, &options, err));
    ZW_TRY(zw_equations_displacements(&e->eq, &e->displacement, &n, err));
    ZW_TRY(zw_kernel_create(&e->kernel, &e->eq, &options, err));
    ZW_TRY(zw_flow_create(&e->flow, e->kernel, e->p, err));
    double *u = ZW_NEW(&e->arena, double, e->sys->nsignal + 1);
    if (!u)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < e->sys->nsignal; i++)
        u[i] = zw_system_signal_at(e->sys, i, e->p, e->options.t, e->options.t);
    zw_flow_set_inputs(e->flow, u);
    return ZW_OK;
}

/* The start, completed, in the velocities of the equations; typical sizes; held values. */
static zw_status place_start(zw_equilibria *e, zw_error *err) {
    const zw_system *s = e->sys;
    int n = s->nq + s->nv;
    double *x = ZW_NEW(&e->arena, double, n + 1), *width = ZW_NEW(&e->arena, double, s->nq + 1);
    zw_said *said = ZW_NEW(&e->arena, zw_said, n + 1);
    if (e->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_start_said(s, e->p, x, said, width, err));
    ZW_TRY(zw_system_complete(s, e->options.active, e->options.t, e->p, x, NULL, err));
    ZW_TRY(zw_equations_state(&e->eq, e->options.t, e->p, x, e->motion.x, err));
    ZW_TRY(zw_steady_scale(e->flow, e->options.t, e->motion.x, width, e->scale, err));
    memcpy(e->start, e->motion.x, sizeof(double) * (size_t)e->kernel->nx);
    return zw_equilibria_place_holds(e, err);
}

/* Rates that switch at a time are steady before and after it, but neither is an equilibrium of the
 * model. A root or a quotient, whose surface is a pole or the edge of its domain, is no switch. */
static zw_status reject_switches(const zw_equilibria *e, zw_error *err) {
    zw_smoothness *kinks;
    int n;
    ZW_TRY(zw_equations_smoothness(&e->eq, &kinks, &n, err));
    for (int i = 0; i < n; i++)
        if ((kinks[i].in & (ZW_KINKS_AT_RATES | ZW_KINKS_AT_CONSTRAINTS)) &&
            kinks[i].kink.op != ZW_OP_PRODUCT &&
            zw_depends(e->sys->ctx, kinks[i].kink.surface, e->sys->t)) {
            zw_fail(err, ZW_E_MODEL,
                    "something switches at given times, so no motion is steady for all time");
            zw_error_hint(
                err, "write a separate model or variant for the time before or after the switch");
            return ZW_E_MODEL;
        }
    return ZW_OK;
}

/* Name the velocity without inertia. */
static void name_fault(const zw_equilibria *e, zw_error *err) {
    zw_fault f = e->flow ? zw_flow_last_fault(e->flow) : (zw_fault){0};
    const char *unit;
    if (!err || f.kind != ZW_FAULT_MASS || f.index < 0)
        return;
    snprintf(err->text, sizeof err->text, "the mass matrix is singular: %s has no inertia",
             zw_equilibria_entry(e, e->eq.nq + f.index, &unit));
    snprintf(err->hint, sizeof err->hint, "give it a mass, or constrain it");
}

static zw_status set_up(zw_equilibria *e, zw_error *err) {
    e->p = ZW_NEW(&e->arena, double, e->sys->np + 1);
    e->hold = ZW_NEW(&e->arena, zw_hold, e->options.nhold + 1);
    e->held = ZW_NEW(&e->arena, zw_held, e->options.nhold + 1);
    if (e->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(build_flow(e, err));
    ZW_TRY(reject_switches(e, err));
    const zw_kernel *k = e->kernel;
    e->scale = ZW_NEW(&e->arena, double, k->nx + 1);
    e->start = ZW_NEW(&e->arena, double, k->nx + 1);
    e->motion = (zw_steady){.t = e->options.t,
                            .x = ZW_NEW(&e->arena, double, k->nx + 1),
                            .c = ZW_NEW(&e->arena, double, k->nfield + 1),
                            .z = ZW_NEW(&e->arena, double, k->nz + 1)};
    if (e->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(place_start(e, err));
    return zw_symmetries_find(&e->symmetries, e->flow, e->options.t, e->motion.x, e->scale, err);
}

zw_status zw_equilibria_create(zw_equilibria **out, const zw_system *sys,
                               const zw_equilibria_options *options, zw_error *err) {
    assert(out && sys);
    *out = NULL;
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_equilibria *e = zw_allocate(&alloc, sizeof *e);
    if (!e)
        return zw_out_of_memory(err, NULL);
    *e = (zw_equilibria){.sys = sys, .options = zw_equilibria_options_default()};
    zw_arena_init(&e->arena, &alloc);
    zw_status status = ZW_OK;
    if (options)
        status =
            zw_options_adopt(&e->options, sizeof e->options, options, "zw_equilibria_options", err);
    if (status >= 0)
        status = set_up(e, err);
    if (status < 0) {
        name_fault(e, err);
        zw_equilibria_destroy(e);
        return status;
    }
    *out = e;
    return ZW_OK;
}

void zw_equilibria_destroy(zw_equilibria *e) {
    if (!e)
        return;
    zw_allocator alloc = e->arena.alloc;
    zw_linearisation_clear(&e->linear);
    zw_search_clear(&e->search);
    zw_symmetries_clear(&e->symmetries);
    zw_flow_destroy(e->flow);
    zw_kernel_destroy(e->kernel);
    zw_arena_clear(&e->arena);
    zw_release(&alloc, e, sizeof *e);
}

/* ----------------------------------------------------------------------------------------- find */

/* "m/s^2" from "m/s"; "" if the unit is unknown. */
static void rate_unit(const char *unit, char *out, size_t size) {
    size_t length = strlen(unit);
    const char *power = length > 4 ? unit + length - 4 : "";
    if (strncmp(power, "/s^", 3) == 0 && power[3] >= '2' && power[3] <= '8')
        snprintf(out, size, "%.*s%c", (int)length - 1, unit, power[3] + 1);
    else if (length == 0)
        out[0] = '\0';
    else if (length > 2 && strcmp(unit + length - 2, "/s") == 0)
        snprintf(out, size, "%s^2", unit);
    else
        snprintf(out, size, "%s/s", unit);
}

void zw_equilibria_name_unmet(const zw_equilibria *e, const zw_steady *m, zw_error *err) {
    const char *unit, *name;
    size_t used = err ? strlen(err->text) : 0;
    if (!err || m->unmet == ZW_UNMET_NOTHING)
        return;
    if (m->unmet == ZW_UNMET_HOLD) {
        const zw_held *h = &e->held[m->unmet_index];
        snprintf(err->text + used, sizeof err->text - used,
                 "; %s misses what it is held at by %.3g%s%s", h->name, m->unmet_by,
                 h->unit[0] ? " " : "", h->unit);
    } else {
        char rate[ZW_DIM_TEXT];
        name = zw_equilibria_entry(e, m->unmet_index, &unit);
        rate_unit(unit, rate, sizeof rate);
        snprintf(err->text + used, sizeof err->text - used,
                 "; worst is the rate of %s, %.3g%s%s too much", name, m->unmet_by,
                 rate[0] ? " " : "", rate);
    }
    zw_error_hint(err, e->options.nhold ? "hold less, or start nearer to it (--set, --search)"
                                        : "start nearer to it (--set), or in many places "
                                          "(--search)");
}

/* f and the linear equations at a state at a distance from the motion. */
static zw_status evaluate_near(zw_equilibria *e, double distance, double *x, double *f, double *J,
                               zw_error *err) {
    zw_random random = zw_random_stream(3, 0);
    double t = e->options.t;
    for (int i = 0; i < e->kernel->nx; i++)
        x[i] = e->motion.x[i] + distance * e->scale[i] * zw_random_real(&random, -1, 1);
    ZW_TRY(zw_flow_rates(e->flow, t, x, f, NULL, err));
    return zw_symmetries_operator(&e->symmetries, e->flow, t, x, e->motion.c, J, err);
}

/* The difference of rates and linear equations on both sides of the motion, and relative to the
 * linear equations. As the distance goes to zero, the first does so if the rates have a derivative;
 * at a fold the second does as well. */
static zw_status compare_sides(zw_equilibria *e, double distance, double *change_of, double *part,
                               zw_error *err) {
    int nx = e->kernel->nx;
    zw_arena_mark mark = zw_arena_mark_now(&e->arena);
    double *x = ZW_NEW(&e->arena, double, nx + 1), *f = ZW_NEW(&e->arena, double, 2 * nx + 1),
           *J = ZW_NEW(&e->arena, double, 2 * nx * nx + 1), size = 0, change = 0;
    if (e->arena.failed)
        return zw_out_of_memory(err, NULL);
    zw_status status = evaluate_near(e, distance, x, f, J, err);
    if (status >= 0)
        status = evaluate_near(e, -distance, x, f + nx, J + (size_t)nx * (size_t)nx, err);
    for (int i = 0; i < nx; i++)
        change = fmax(change, fabs(f[i] - f[nx + i]) / e->scale[i]);
    for (int i = 0; i < nx * nx; i++) {
        double unit = e->scale[i % nx] / e->scale[i / nx];
        size = fmax(size, fabs(J[i]) * unit);
        change = fmax(change, fabs(J[i] - J[nx * nx + i]) * unit);
    }
    *change_of = change;
    *part = size > 0 ? change / size : change;
    zw_arena_release(&e->arena, mark);
    return status;
}

/* Name the statement whose switching function vanishes at the motion. */
static zw_status report_kink(zw_equilibria *e, zw_error *err) {
    char name[300];
    zw_place place;
    ZW_TRY(zw_kinks_at_here(e, &e->motion, name, sizeof name, &place, err));
    zw_fail_at(
        err, ZW_E_DOMAIN, place,
        "the motion lies where its rates have no derivative, so that small disturbances obey no "
        "linear equations%s%s",
        name[0] ? ": " : "", name);
    zw_error_hint(err, name[0] ? "smooth it, or hold the motion away from it"
                               : "a root or a quotient has no derivative there");
    return ZW_E_DOMAIN;
}

static zw_status check_smooth(zw_equilibria *e, zw_error *err) {
    double far, near, part;
    ZW_TRY(compare_sides(e, KINK_FAR, &far, &part, err));
    ZW_TRY(compare_sides(e, KINK_NEAR, &near, &part, err));
    return part > KINK_JUMP && near > far / KINK_SHRINKS ? report_kink(e, err) : ZW_OK;
}

/* Rounding of the real part of eigenvalue i. An error e of the matrix moves a simple eigenvalue by
 * its condition times e. For m eigenvalues that lie together the condition has no bound, but they
 * move by e^(1/m) only: critical damping is damping. */
static double real_part_rounding(const zw_linearisation *a, int i, double most) {
    double own = hypot(a->re[i], a->im[i]),
           neutral_part = (NEUTRAL_OWN * own + NEUTRAL_LARGEST * most) * fmax(1, a->condition[i]);
    int together = 0;
    for (int j = 0; j < a->n; j++)
        together += hypot(a->re[j] - a->re[i], a->im[j] - a->im[i]) <= CLUSTER * own;
    return together > 1 ? fmin(neutral_part, CLUSTER_FACTOR * own *
                                                 pow(NEUTRAL_LARGEST * most / own, 1.0 / together))
                        : neutral_part;
}

/* Warn about a real part that is not zero relative to its modulus, but within rounding of the
 * largest eigenvalue. */
static void warn_signs(zw_equilibria *e) {
    const zw_linearisation *a = &e->linear;
    double most = 0;
    for (int i = 0; i < a->n; i++)
        most = fmax(most, hypot(a->re[i], a->im[i]));
    for (int i = 0; i < a->n && !e->warning[0]; i++) {
        double own = hypot(a->re[i], a->im[i]), size = fabs(a->re[i]);
        if (!zw_equilibria_is_zero(a, i) && size > DAMPING_OPEN * own &&
            size <= real_part_rounding(a, i, most) &&
            zw_equilibria_resolves(e, e->p, a->re[i], a->im[i]))
            snprintf(
                e->warning, sizeof e->warning,
                "the real part %.3g 1/s of an eigenvalue cannot be distinguished from zero next "
                "to one of %.3g 1/s (condition %.1e): stability is open",
                a->re[i], most, a->condition[i]);
    }
}

/* Warn about digits of an eigenvalue lost by rounding of the largest one. */
static void warn_digits(zw_equilibria *e) {
    const zw_linearisation *a = &e->linear;
    double most = 0;
    for (int i = 0; i < a->n; i++)
        most = fmax(most, hypot(a->re[i], a->im[i]));
    for (int i = 0; i < a->n && !e->warning[0]; i++) {
        double own = hypot(a->re[i], a->im[i]),
               error = NEUTRAL_LARGEST * most * fmax(1, a->condition[i]) / own;
        if (!zw_equilibria_is_zero(a, i) && error > DIGITS_LOST && error < 1 &&
            zw_equilibria_resolves(e, e->p, a->re[i], a->im[i]))
            snprintf(e->warning, sizeof e->warning,
                     "the eigenvalue %.3g 1/s may be wrong by %.1g of its size next to one of %.3g "
                     "1/s",
                     a->re[i], error, most);
    }
}

/* By elimination, which copes with rows of very different sizes, unlike eigenvalues. */
static double evaluate_determinant(int n, double *A) {
    double product = 1;
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            p = fabs(A[i * n + k]) > fabs(A[p * n + k]) ? i : p;
        if (A[p * n + k] == 0)
            return 0;
        for (int j = 0; p != k && j < n; j++) {
            double swap = A[k * n + j];
            A[k * n + j] = A[p * n + j];
            A[p * n + j] = swap;
        }
        product *= (p == k ? 1 : -1) * A[k * n + k];
        for (int i = k + 1; i < n; i++) {
            double factor = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++)
                A[i * n + j] -= factor * A[k * n + j];
        }
    }
    return product;
}

/* A zero that no family explains is a zero of the matrix, or an eigenvalue lost in the rounding of
 * the largest one. In the latter case the determinant is not zero and nearly the same at nearby
 * states, while at a fold or a branch point it is proportional to the distance. */
static zw_status warn_zeros(zw_equilibria *e, zw_error *err) {
    const zw_linearisation *a = &e->linear;
    int nx = e->kernel->nx;
    double most = 0, others = 1, det[3];
    e->lost = false;
    if (e->family || a->nzero != 1 || a->n != nx)
        return ZW_OK;
    zw_arena_mark mark = zw_arena_mark_now(&e->arena);
    double *x = ZW_NEW(&e->arena, double, 2 * nx + 1), *J = ZW_NEW(&e->arena, double, nx *nx + 1);
    if (e->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int k = 0; k < 3; k++) {
        ZW_TRY(evaluate_near(e, DETERMINANT_STEP * (k - 1), x, x + nx, J, err));
        det[k] = evaluate_determinant(nx, J);
    }
    zw_arena_release(&e->arena, mark);
    for (int i = 0; i < a->n; i++) {
        double size = hypot(a->re[i], a->im[i]);
        most = fmax(most, size);
        if (!zw_equilibria_is_zero(a, i))
            others *= a->im[i] == 0 ? a->re[i] : size; /* a pair contributes its square */
    }
    e->lost = det[1] != 0 && fabs(det[0] - det[1]) < DETERMINANT_CHANGES * fabs(det[1]) &&
              fabs(det[2] - det[1]) < DETERMINANT_CHANGES * fabs(det[1]);
    if (e->lost && !e->warning[0])
        snprintf(e->warning, sizeof e->warning,
                 "an eigenvalue is lost in the rounding of one of %.3g 1/s: by the determinant it "
                 "is %.2g 1/s, not zero",
                 most, det[1] / others);
    return ZW_OK;
}

zw_status zw_equilibria_examine(zw_equilibria *e, zw_error *err) {
    ZW_TRY(zw_equilibria_warning_motion(e, err));
    zw_linearisation_clear(&e->linear);
    e->linear_known = false;
    e->curvature = (zw_curvature){0};
    ZW_TRY(check_smooth(e, err));
    ZW_TRY(zw_linearise(&e->linear, e->flow, &e->symmetries, &e->motion, err));
    ZW_TRY(zw_steady_is_family(e->flow, &e->symmetries, &e->motion, &e->linear, e->scale,
                               &e->family, err));
    ZW_TRY(warn_zeros(e, err));
    if (zw_equilibria_at_rest(e))
        ZW_TRY(zw_steady_curvature(e->flow, &e->motion, &e->curvature, err));
    else
        ZW_TRY(zw_equilibria_amended(e, &e->curvature, err));
    ZW_TRY(zw_equilibria_name_zeros(e, err));
    if (!e->warning[0])
        zw_equilibria_warning_delays(e, e->p, &e->linear, e->warning, sizeof e->warning);
    warn_signs(e);
    warn_digits(e);
    e->linear_known = true;
    return ZW_OK;
}

zw_status zw_equilibria_find(zw_equilibria *e, zw_error *err) {
    zw_status status = zw_equilibria_solve(e, err);
    if (status == ZW_E_NUMERIC)
        zw_equilibria_name_unmet(e, &e->motion, err);
    ZW_TRY(status);
    return zw_equilibria_examine(e, err);
}

/* -------------------------------------------------------------------------------------- answers */

const zw_equations *zw_equilibria_equations(const zw_equilibria *e) {
    return &e->eq;
}

const zw_symmetries *zw_equilibria_symmetries(const zw_equilibria *e) {
    return &e->symmetries;
}

const zw_steady *zw_equilibria_motion(const zw_equilibria *e) {
    return &e->motion;
}

const zw_linearisation *zw_equilibria_linear(const zw_equilibria *e) {
    return &e->linear;
}

zw_flow *zw_equilibria_flow(const zw_equilibria *e) {
    return e->flow;
}

const double *zw_equilibria_scale(const zw_equilibria *e) {
    return e->scale;
}

const char *zw_equilibria_warning(const zw_equilibria *e) {
    return e->warning[0] ? e->warning : NULL;
}

double zw_equilibria_parameter(const zw_equilibria *e, int i) {
    assert(i >= 0 && i < e->sys->np);
    return e->p[i];
}

zw_curvature zw_equilibria_curvature(const zw_equilibria *e) {
    return e->curvature;
}

const zw_search *zw_equilibria_found(const zw_equilibria *e) {
    return &e->search;
}

bool zw_equilibria_is_minimum(const zw_equilibria *e) {
    const zw_system *s = e->sys;
    zw_curvature c = e->curvature;
    bool plain = e->linear_known && zw_equilibria_at_rest(e) && c.known && c.down == 0 &&
                 c.flat == 0 && s->nforce == 0 && s->nsignal == 0 && e->symmetries.autonomous &&
                 (s->dissipation == ZW_ZERO || s->dissipation == ZW_NULL);
    for (int i = 0; i < s->nconstraint; i++)
        plain &= !e->eq.holds[i] || s->constraint[i].level == ZW_POSITION;
    return plain;
}

bool zw_equilibria_at_rest(const zw_equilibria *e) {
    for (int i = 0; i < e->symmetries.n; i++)
        if (fabs(e->motion.c[i]) > RATE_ZERO)
            return false;
    return e->symmetries.autonomous;
}

/* Is it one of the nzero smallest? */
bool zw_equilibria_is_zero(const zw_linearisation *a, int i) {
    int smaller = 0;
    double size = hypot(a->re[i], a->im[i]);
    for (int j = 0; j < a->n; j++) {
        double other = hypot(a->re[j], a->im[j]);
        smaller += other < size || (other == size && j < i);
    }
    return smaller < a->nzero;
}

int *zw_equilibria_order(const zw_equilibria *e, zw_arena *arena) {
    const zw_linearisation *a = &e->linear;
    int *order = ZW_NEW(arena, int, a->n + 1);
    double *re = ZW_NEW(arena, double, a->n + 1), *im = ZW_NEW(arena, double, a->n + 1);
    if (!order || !re || !im)
        return NULL;
    for (int i = 0; i < a->n; i++) {
        bool zero = zw_equilibria_is_zero(a, i);
        re[i] = zero ? 0 : a->re[i];
        im[i] = zero ? 0 : a->im[i];
    }
    zw_dense_order(a->n, re, im, order);
    return order;
}

zw_stability zw_linearisation_judge(const zw_linearisation *a, bool family, int *growing) {
    double most = 0;
    bool neutral = a->nzero > a->nfamily || !family; /* disturbances that grow as powers of time */
    int n = 0;
    for (int i = 0; i < a->n; i++)
        most = fmax(most, hypot(a->re[i], a->im[i]));
    for (int i = 0; i < a->n; i++) {
        if (zw_equilibria_is_zero(a, i))
            continue;
        double neutral_part = real_part_rounding(a, i, most);
        n += a->re[i] > neutral_part;
        neutral |= fabs(a->re[i]) <= neutral_part;
    }
    if (growing)
        *growing = n;
    return n > 0 ? ZW_UNSTABLE : neutral ? ZW_CENTRE : ZW_STABLE;
}

zw_stability zw_equilibria_stability(const zw_equilibria *e) {
    return zw_linearisation_judge(&e->linear, e->family, NULL);
}
