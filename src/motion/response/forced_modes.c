/* SPDX-License-Identifier: MIT */
/* The equilibrium and the modes with which families of free motions begin. Is the system
 * conservative? With E = T + V the power dE/dx f(t, x) + dE/dt at states near the start, by exact
 * derivatives, must vanish relative to the sum of its terms: a system with zero excitation and
 * damping is then free, in any form. The equilibrium solves the equations of the mean alone,
 * downhill from the start of the model; the small oscillations are the eigenvalues +-iw of the flow
 * on the constraints there, with their vectors. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "branch/curve.h"
#include "forced.h"
#include "motion/harmonic/balance.h"
#include "num/linear/dense.h"

/* relative to its terms: power of a conservative system, from cancellation at states of the size of
 * the model */
#define POWER_ZERO 1e-7
/* relative to its size: real part of an imaginary eigenvalue; that of a pair is rounding, of a
 * double one the root of it */
#define EIGENVALUE_IMAGINARY 1e-6
/* acceleration, in SI units times the mass, that a holding force is compared with where no force
 * acts */
#define GRAVITY_LEAST 1e-6
/* relative to the largest force: holding force of an ignorable coordinate that is rounding */
#define FORCE_ZERO 1e-9
/* relative to the widths: step downhill at which Newton's method takes over */
#define DOWNHILL_STEP_LEAST 1e-7
/* relative correction of the equilibrium: small motions about it are differences from it */
#define EQUILIBRIUM_CORRECTED 1e-12
/* relative to the widths: distance of the states at which the power is tested from the start */
#define STATE_DISTANCE 0.3
/* power relative to the least so far: a parameter that reduces it by less is no cause */
#define POWER_REDUCED 0.999
/* relative to the widths: longest step downhill, so that it does not leave the valley of the
 * start */
#define DOWNHILL_STEP_MAX 0.2

/* -------------------------------------------------------------------------------- conservative? */

/* numbers in [-1, 1], the same each time */
static double random_signed(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

/* the power relative to the sum of the sizes of its terms, the mean over some states; NaN: no state
 * has rates */
static zw_status find_power(zw_forced *f, const double *p, double *power, zw_error *err) {
    const zw_kernel *k = f->kernel;
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    int nx = k->nx, rows = k->nobs + 2;
    double *x = ZW_NEW(&f->arena, double, nx + 1), *rate = ZW_NEW(&f->arena, double, nx + 1),
           *dx = ZW_NEW(&f->arena, double, rows *nx + 1), *dt = ZW_NEW(&f->arena, double, rows + 1),
           *start = ZW_NEW(&f->arena, double, f->sys->nq + f->sys->nv + 1);
    zw_said *said = ZW_NEW(&f->arena, zw_said, f->sys->nq + f->sys->nv + 1);
    unsigned seed = 7;
    double total = 0;
    int counted = 0;
    *power = NAN;
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_start_said(f->sys, p, start, said, f->width, err));
    ZW_TRY(zw_flow_set_parameters(f->flow, p, err));
    for (int trial = 0; trial < 8; trial++) {
        double t = 3 * random_signed(&seed), sum = 0, size = 0;
        for (int i = 0; i < nx; i++) {
            int of = i < k->nq ? i : i - k->nq;
            double width = of < f->sys->nq ? f->width[of] : 1;
            x[i] = (i < k->nq ? start[i] : 0) + STATE_DISTANCE * width * random_signed(&seed);
        }
        if (zw_flow_project(f->flow, t, x, NULL, NULL) < 0 ||
            zw_flow_rates(f->flow, t, x, rate, NULL, NULL) < 0 ||
            zw_flow_observables_jacobian(f->flow, t, x, dx, NULL) < 0 ||
            zw_flow_observables_in_time(f->flow, t, x, dt, NULL) < 0)
            continue;
        for (int row = k->nobs; row < rows; row++) {
            sum += dt[row];
            size += fabs(dt[row]);
            for (int i = 0; i < nx; i++) {
                sum += dx[row * nx + i] * rate[i];
                size += fabs(dx[row * nx + i] * rate[i]);
            }
        }
        if (size > 0) {
            total += fabs(sum) / size;
            counted++;
        }
    }
    if (counted)
        *power = total / counted;
    zw_arena_release(&f->arena, mark);
    return ZW_OK;
}

/* The parameters that cause the power: setting one after another to zero, each time the one that
 * reduces it most; "" if this fails. */
static void name_causes(zw_forced *f, double power, char *out, size_t size) {
    double *p = ZW_NEW(&f->arena, double, f->sys->np + 1);
    size_t n = 0;
    out[0] = '\0';
    if (!p)
        return;
    memcpy(p, f->p, sizeof(double) * (size_t)f->sys->np);
    while (power > POWER_ZERO && n + 80 < size) {
        int best = -1;
        double least = power;
        for (int i = 0; i < f->sys->np; i++) {
            double value = p[i], remaining;
            p[i] = 0;
            if (value != 0 && find_power(f, p, &remaining, NULL) >= 0 &&
                remaining < POWER_REDUCED * least) {
                least = remaining;
                best = i;
            }
            p[i] = value;
        }
        if (best < 0) {
            out[0] = '\0';
            return;
        }
        p[best] = 0;
        power = least;
        n += (size_t)snprintf(out + n, size - n, "%s--set \"%.40s=0\"", n ? " " : "",
                              f->sys->param[best].name);
    }
}

static zw_status reject_power(zw_forced *f, zw_error *err) {
    double power;
    char causes[200];
    ZW_TRY(find_power(f, f->p, &power, err));
    if (power <= POWER_ZERO)
        return zw_flow_set_parameters(f->flow, f->p, err);
    if (isnan(power))
        return zw_fail(err, ZW_E_NUMERIC, "the rates at states about the start could not be found");
    name_causes(f, power, causes, sizeof causes);
    zw_fail(err, ZW_E_MODEL,
            "the energy changes on the way, by a power of %.1e of its parts: free motions of it "
            "are no families",
            power);
    zw_error_hint(err, "switch off excitation and damping%s%s", causes[0] ? ": " : "", causes);
    return ZW_E_MODEL;
}

/* ---------------------------------------------------------------------------------------- modes */

/* Is a force on an ignorable coordinate needed to hold it there? */
static bool is_held(zw_forced *f, const double *start, const double *force, int n) {
    const zw_kernel *k = f->kernel;
    double *x = ZW_NEW(&f->arena, double, k->nx + 1), largest = 0, held = 0;
    if (!x)
        return false;
    memcpy(x, start, sizeof(double) * (size_t)k->nq);
    zw_mats_parts m = zw_flow_matrices(f->flow, 0, x);
    for (int i = 0; i < k->nv; i++)
        largest = fmax(largest, fabs(m.h[i]) + GRAVITY_LEAST * m.M[i * k->nv + i]);
    for (int i = 0; i < n; i++)
        held = fmax(held, fabs(force[i]));
    return held > FORCE_ZERO * fmax(largest, held);
}

/* Moves x at rest downhill: steps along the accelerations, each of which reduces the energy, on the
 * constraints; so the result is where the start would come to rest with damping. work: 3 nx + nz +
 * nobs + 3 */
static void move_downhill(zw_forced *f, double *x, double *work) {
    const zw_kernel *k = f->kernel;
    double *rate = work, *acceleration = rate + k->nx, *y = acceleration + k->nx, *seen = y + k->nx;
    double part = DOWNHILL_STEP_MAX, energy, size;
    if (zw_flow_observables(f->flow, 0, x, seen, NULL) < 0)
        return;
    energy = seen[k->nobs] + seen[k->nobs + 1];
    for (int i = 0; i < 500 && part > DOWNHILL_STEP_LEAST; i++) {
        memcpy(y, x, sizeof(double) * (size_t)k->nx);
        if (zw_flow_rates(f->flow, 0, y, rate, NULL, NULL) < 0)
            return;
        memcpy(y + k->nq, rate + k->nq, sizeof(double) * (size_t)k->nv);
        if (zw_flow_rates(f->flow, 0, y, acceleration, NULL, NULL) < 0)
            return;
        size = 0;
        for (int q = 0; q < k->nq; q++)
            size = fmax(size, fabs(acceleration[q]) / fmax(f->width[q], ZW_TINY));
        if (!(size > 0))
            return;
        for (; part > DOWNHILL_STEP_LEAST; part *= 0.5) {
            memcpy(y, x, sizeof(double) * (size_t)k->nx);
            for (int q = 0; q < k->nq; q++)
                y[q] += part / size * acceleration[q];
            if (zw_flow_project(f->flow, 0, y, NULL, NULL) >= 0 &&
                zw_flow_observables(f->flow, 0, y, seen, NULL) >= 0 &&
                seen[k->nobs] + seen[k->nobs + 1] < energy)
                break;
        }
        if (part <= DOWNHILL_STEP_LEAST)
            return;
        energy = seen[k->nobs] + seen[k->nobs + 1];
        memcpy(x, y, sizeof(double) * (size_t)k->nx);
        part = fmin(1.5 * part, DOWNHILL_STEP_MAX);
    }
}

/* the start at rest, on the constraints, downhill from there, with its multipliers: without these
 * the equations are singular */
static void guess_rest(zw_forced *f, const double *start, double *rest) {
    const zw_kernel *k = f->kernel;
    double *x = ZW_NEW(&f->arena, double, k->nx + 1), *rate = ZW_NEW(&f->arena, double, k->nx + 1),
           *z = ZW_NEW(&f->arena, double, k->nz + 1),
           *work = ZW_NEW(&f->arena, double, 3 * k->nx + k->nz + k->nobs + 3);
    memcpy(rest, start, sizeof(double) * (size_t)k->nq);
    if (f->arena.failed)
        return;
    memcpy(x, start, sizeof(double) * (size_t)k->nq);
    if (zw_flow_project(f->flow, 0, x, NULL, NULL) < 0)
        return;
    move_downhill(f, x, work);
    if (zw_flow_rates(f->flow, 0, x, rate, z, NULL) < 0)
        return;
    memcpy(rest, x, sizeof(double) * (size_t)k->nq);
    for (int i = 0; i < k->nc; i++)
        rest[f->nfunction - k->nc + i] = z[k->nv + i];
}

/* solves the equations of the mean alone, from the start */
static zw_status find_rest(zw_forced *f, zw_error *err) {
    zw_harmonic_options o = zw_harmonic_options_default();
    zw_harmonic *mean_balance;
    const zw_system *s = f->sys;
    const int mean = 0;
    double *start = ZW_NEW(&f->arena, double, s->nq + s->nv + 1);
    zw_said *said = ZW_NEW(&f->arena, zw_said, s->nq + s->nv + 1);
    zw_error trouble = {0};
    o.nharmonic = 1;
    o.harmonic = &mean;
    o.scale = f->scale;
    o.free = true;
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_start_said(s, f->p, start, said, f->width, err));
    ZW_TRY(zw_harmonic_create(&mean_balance, f->lanes, f->p, &o, zw_forced_set, f, err));
    zw_cont_problem p = zw_harmonic_problem(mean_balance);
    f->family.rest = ZW_NEW(&f->arena, double, p.n + 1);
    zw_status status = ZW_E_MEMORY;
    if (f->family.rest) {
        guess_rest(f, start, f->family.rest);
        status =
            zw_cont_correct(&p, EQUILIBRIUM_CORRECTED, f->family.rest, 1, NULL, NULL, &trouble);
    }
    bool held = status >= 0 && is_held(f, start, f->family.rest + f->nfunction,
                                       zw_harmonic_unfoldings(mean_balance));
    zw_harmonic_destroy(mean_balance);
    if (status >= 0 && !held)
        return ZW_OK;
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    zw_fail(err, ZW_E_NUMERIC, "no equilibrium was found near the start of the model%s%.120s",
            trouble.text[0] ? ": " : "", trouble.text);
    zw_error_hint(err, "start it closer to one; zwang equilibria finds them");
    return ZW_E_NUMERIC;
}

/* stores an eigenvector as a motion of the state: its largest coordinate, in widths, is 1 at the
 * beginning */
static void store_mode(zw_forced *f, int number, double w, int nx, const double *re,
                       const double *im) {
    int nq = f->kernel->nq, largest = 0;
    double size = 0, *to_re = f->family.re + (size_t)(number * nx),
           *to_im = f->family.im + (size_t)(number * nx);
    for (int i = 0; i < nq; i++)
        if (hypot(re[i], im[i]) / f->width[i] > size) {
            size = hypot(re[i], im[i]) / f->width[i];
            largest = i;
        }
    double c = re[largest] / f->width[largest] / (size * size),
           s = -im[largest] / f->width[largest] / (size * size);
    for (int i = 0; i < nx; i++) {
        to_re[i] = re[i] * c - im[i] * s;
        to_im[i] = re[i] * s + im[i] * c;
    }
    f->family.frequency[number] = w;
}

static zw_status find_modes_at(zw_forced *f, const double *x, zw_error *err) {
    int nx = f->kernel->nx, n;
    zw_dense_eigen e;
    double *T = ZW_NEW(&f->arena, double, nx *nx + 1), *D = ZW_NEW(&f->arena, double, nx *nx + 1),
           *A = ZW_NEW(&f->arena, double, nx *nx + 1), *v = ZW_NEW(&f->arena, double, 2 * nx + 2);
    f->family.frequency = ZW_NEW(&f->arena, double, nx + 1);
    f->family.re = ZW_NEW(&f->arena, double, nx *nx + 1);
    f->family.im = ZW_NEW(&f->arena, double, nx *nx + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_flow_tangent(f->flow, 0, x, ZW_METRIC_PLAIN, &n, T, D, err));
    ZW_TRY(zw_flow_local_jacobian(f->flow, 0, x, n, D, A, err));
    if (!zw_dense_eigenvalues(&f->arena, n, A, &e))
        return zw_dense_failure(&f->arena, err);
    bool *taken = ZW_NEW(&f->arena, bool, n + 1);
    if (!taken)
        return zw_out_of_memory(err, NULL);
    for (;;) { /* the slowest first */
        int best = -1;
        for (int i = 0; i < n; i++)
            if (!taken[i] && e.im[i] > 0 && fabs(e.re[i]) <= EIGENVALUE_IMAGINARY * e.im[i] &&
                (best < 0 || e.im[i] < e.im[best]))
                best = i;
        if (best < 0)
            return ZW_OK;
        taken[best] = true;
        memset(v, 0, sizeof(double) * (size_t)(2 * nx));
        for (int i = 0; i < nx; i++)
            for (int j = 0; j < n; j++) {
                v[i] += T[i * n + j] * e.right_re[j * n + best];
                v[nx + i] += T[i * n + j] * e.right_im[j * n + best];
            }
        store_mode(f, f->family.nmode++, e.im[best], nx, v, v + nx);
    }
}

zw_status zw_forced_find_modes(zw_forced *f, zw_error *err) {
    int nx = f->kernel->nx;
    double *x = ZW_NEW(&f->arena, double, nx + 1),
           *seen = ZW_NEW(&f->arena, double, f->kernel->nobs + 3);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(reject_power(f, err));
    ZW_TRY(find_rest(f, err));
    memcpy(x, f->family.rest, sizeof(double) * (size_t)f->kernel->nq);
    ZW_TRY(zw_flow_observables(f->flow, 0, x, seen, err));
    f->family.energy = seen[f->kernel->nobs] + seen[f->kernel->nobs + 1];
    ZW_TRY(find_modes_at(f, x, err));
    f->family.top = f->top;
    f->family.done = ZW_NEW(&f->arena, bool, f->family.nmode + 1);
    if (!f->family.done)
        return zw_out_of_memory(err, NULL);
    if (f->family.nmode)
        return ZW_OK;
    zw_fail(err, ZW_E_MODEL, "about the equilibrium near the start nothing oscillates");
    zw_error_hint(err, "start it near an equilibrium that is stable; zwang equilibria finds them");
    return ZW_E_MODEL;
}
