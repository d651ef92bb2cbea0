/* SPDX-License-Identifier: MIT */
/* What families of free motions begin with. Is the system conservative? With E = T + V the power
 * dE/dx f(t, x) + dE/dt at states about the start, by exact derivatives, must vanish beside the sum
 * of its parts: what is left over when drives and dampings are set to zero is then free, whatever
 * form it has. The equilibrium is the balance of the mean alone, downhill from the start of the
 * model; the small oscillations are the eigenvalues +-iw of the flow on the constraints there, with
 * their vectors. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "branch/curve.h"
#include "forced.h"
#include "motion/harmonic/balance.h"
#include "num/linear/dense.h"

#define POWER 1e-7 /* of its parts: the power of a conservative system */
#define REAL 1e-6  /* of an eigenvalue: it is imaginary */

/* -------------------------------------------------------------------------------- conservative? */

/* numbers of [-1, 1], the same each time */
static double random_signed(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

/* the power beside the sum of its parts, the mean over some states; NaN: nowhere are there rates */
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
            x[i] = (i < k->nq ? start[i] : 0) + 0.3 * width * random_signed(&seed);
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

/* parameters without which there would be none of it, one after the other the one that takes most
 * of it away; none: "" */
static void name_causes(zw_forced *f, double power, char *out, size_t size) {
    double *p = ZW_NEW(&f->arena, double, f->sys->np + 1);
    size_t n = 0;
    out[0] = '\0';
    if (!p)
        return;
    memcpy(p, f->p, sizeof(double) * (size_t)f->sys->np);
    while (power > POWER && n + 80 < size) {
        int best = -1;
        double least = power;
        for (int i = 0; i < f->sys->np; i++) {
            double keep = p[i], less;
            p[i] = 0;
            if (keep != 0 && find_power(f, p, &less, NULL) >= 0 && less < 0.999 * least) {
                least = less;
                best = i;
            }
            p[i] = keep;
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

static zw_status refuse_power(zw_forced *f, zw_error *err) {
    double power;
    char causes[200];
    ZW_TRY(find_power(f, f->p, &power, err));
    if (power <= POWER)
        return zw_flow_set_parameters(f->flow, f->p, err);
    if (isnan(power))
        return zw_fail(err, ZW_E_NUMERIC, "the rates at states about the start could not be found");
    name_causes(f, power, causes, sizeof causes);
    zw_fail(err, ZW_E_MODEL,
            "the energy changes on the way, by a power of %.1e of its parts: free motions of it "
            "are no families",
            power);
    zw_error_hint(err, "drive and damping must be off%s%s", causes[0] ? ": " : "", causes);
    return ZW_E_MODEL;
}

/* ---------------------------------------------------------------------------------------- modes */

/* does it take a force on a coordinate that does not matter to keep it there? */
static bool is_held(zw_forced *f, const double *start, const double *force, int n) {
    const zw_kernel *k = f->kernel;
    double *x = ZW_NEW(&f->arena, double, k->nx + 1), most = 0, held = 0;
    if (!x)
        return false;
    memcpy(x, start, sizeof(double) * (size_t)k->nq);
    zw_mats_parts m = zw_flow_matrices(f->flow, 0, x);
    for (int i = 0; i < k->nv; i++)
        most = fmax(most, fabs(m.h[i]) + 1e-6 * m.M[i * k->nv + i]);
    for (int i = 0; i < n; i++)
        held = fmax(held, fabs(force[i]));
    return held > 1e-9 * fmax(most, held);
}

/* Downhill from x at rest: steps along the accelerations, each by which the energy becomes less, on
 * the constraints; so that what is found is where the start would come to rest if it were damped.
 * work: 3 nx + nz + nobs + 3 */
static void go_downhill(zw_forced *f, double *x, double *work) {
    const zw_kernel *k = f->kernel;
    double *rate = work, *way = rate + k->nx, *y = way + k->nx, *seen = y + k->nx;
    double part = 0.2, energy, size;
    if (zw_flow_observables(f->flow, 0, x, seen, NULL) < 0)
        return;
    energy = seen[k->nobs] + seen[k->nobs + 1];
    for (int i = 0; i < 500 && part > 1e-7; i++) {
        memcpy(y, x, sizeof(double) * (size_t)k->nx);
        if (zw_flow_rates(f->flow, 0, y, rate, NULL, NULL) < 0)
            return;
        memcpy(y + k->nq, rate + k->nq, sizeof(double) * (size_t)k->nv);
        if (zw_flow_rates(f->flow, 0, y, way, NULL, NULL) < 0)
            return;
        size = 0;
        for (int q = 0; q < k->nq; q++)
            size = fmax(size, fabs(way[q]) / fmax(f->width[q], 1e-300));
        if (!(size > 0))
            return;
        for (; part > 1e-7; part *= 0.5) {
            memcpy(y, x, sizeof(double) * (size_t)k->nx);
            for (int q = 0; q < k->nq; q++)
                y[q] += part / size * way[q];
            if (zw_flow_project(f->flow, 0, y, NULL, NULL) >= 0 &&
                zw_flow_observables(f->flow, 0, y, seen, NULL) >= 0 &&
                seen[k->nobs] + seen[k->nobs + 1] < energy)
                break;
        }
        if (part <= 1e-7)
            return;
        energy = seen[k->nobs] + seen[k->nobs + 1];
        memcpy(x, y, sizeof(double) * (size_t)k->nx);
        part = fmin(1.5 * part, 0.2);
    }
}

/* the start at rest, on the constraints, downhill from there, and the multipliers that it has:
 * without these their balance is singular */
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
    go_downhill(f, x, work);
    if (zw_flow_rates(f->flow, 0, x, rate, z, NULL) < 0)
        return;
    memcpy(rest, x, sizeof(double) * (size_t)k->nq);
    for (int i = 0; i < k->nc; i++)
        rest[f->nfunction - k->nc + i] = z[k->nv + i];
}

/* the balance of the mean alone, from the start */
static zw_status find_rest(zw_forced *f, zw_error *err) {
    zw_harmonic_options o = zw_harmonic_options_default();
    zw_harmonic *still;
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
    ZW_TRY(zw_harmonic_create(&still, f->lanes, f->p, &o, zw_forced_set, f, err));
    zw_cont_problem p = zw_harmonic_problem(still);
    f->family.rest = ZW_NEW(&f->arena, double, p.n + 1);
    zw_status status = ZW_E_MEMORY;
    if (f->family.rest) {
        guess_rest(f, start, f->family.rest);
        status = zw_cont_correct(&p, 1e-12, f->family.rest, 1, NULL, NULL, &trouble);
    }
    bool held = status >= 0 &&
                is_held(f, start, f->family.rest + f->nfunction, zw_harmonic_unfoldings(still));
    zw_harmonic_destroy(still);
    if (status >= 0 && !held)
        return ZW_OK;
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    zw_fail(err, ZW_E_NUMERIC, "no equilibrium was found near the start of the model%s%.120s",
            trouble.text[0] ? ": " : "", trouble.text);
    zw_error_hint(err, "start it closer to one; zwang equilibria finds them");
    return ZW_E_NUMERIC;
}

/* one eigenvector as a motion of the state: its largest coordinate, in widths, is 1 at the
 * beginning */
static void keep_mode(zw_forced *f, int number, double w, int nx, const double *re,
                      const double *im) {
    int nq = f->kernel->nq, most = 0;
    double size = 0, *to_re = f->family.re + (size_t)(number * nx),
           *to_im = f->family.im + (size_t)(number * nx);
    for (int i = 0; i < nq; i++)
        if (hypot(re[i], im[i]) / f->width[i] > size) {
            size = hypot(re[i], im[i]) / f->width[i];
            most = i;
        }
    double c = re[most] / f->width[most] / (size * size),
           s = -im[most] / f->width[most] / (size * size);
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
            if (!taken[i] && e.im[i] > 0 && fabs(e.re[i]) <= REAL * e.im[i] &&
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
        keep_mode(f, f->family.nmode++, e.im[best], nx, v, v + nx);
    }
}

zw_status zw_forced_find_modes(zw_forced *f, zw_error *err) {
    int nx = f->kernel->nx;
    double *x = ZW_NEW(&f->arena, double, nx + 1),
           *seen = ZW_NEW(&f->arena, double, f->kernel->nobs + 3);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(refuse_power(f, err));
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
