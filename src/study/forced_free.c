/* SPDX-License-Identifier: MIT */
/* Families of free motions (A. M. Lyapunov): about an equilibrium of a conservative system, the small oscillation q_0 + d Re(u e^{iwt}) of each mode, d
 * small, is where one begins. Its first motion is looked for across u, at the size d, and the rest by arclength. The equilibrium is the balance of
 * the mean alone, downhill from the start of the model; the modes are the eigenvalues +-iw of the flow on the constraints there.
 *
 * Is the system conservative? With E = T + V the power dE/dx f(t, x) + dE/dt at states about the start, by exact derivatives, must vanish beside the
 * sum of its parts. What is left over when drives and dampings are set to zero is then free, whatever form it has.
 *
 * Two multipliers of a motion in a family are 1, and are left out where stability is judged: a motion is called stable if all
 * others are on the unit circle, which is all that linear equations can tell. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/dense.h"
#include "forced.h"
#include "over.h"

#define POWER 1e-7  /* of its parts: the power of a conservative system */
#define REAL 1e-6   /* of an eigenvalue: it is imaginary */
#define SMALL 1e-2  /* of the largest size: where a family begins */
#define OUTSIDE 200 /* points before the range is reached, at most */
#define CIRCLE 1e-4 /* multipliers beside the circle; pairs on it are sensitive where they meet */

static const char *const measure_names[] = {"mean", "rms", "max", "min", "first"};

/* ---------------------------------------------------------------------------------------------------- range */

/* "max(x)" */
static bool find_measure(zw_forced *f, const char *name, const char **unit) {
    for (int k = 0; k < 5; k++) {
        size_t n = strlen(measure_names[k]), all = strlen(name);
        if (strncmp(name, measure_names[k], n) != 0 || name[n] != '(' || name[all - 1] != ')')
            continue;
        for (int i = 0; i < f->sys->nq + f->sys->nobservable; i++) {
            const char *of = zw_forced_quantity(f, i, unit);
            if (strlen(of) == all - n - 2 && strncmp(of, name + n + 1, all - n - 2) == 0) {
                f->family.quantity = i;
                f->family.measure = k;
                return true;
            }
        }
    }
    return false;
}

static bool is_unitless(const zw_system *s) {
    for (int i = 0; i < s->nq + s->np; i++)
        if ((i < s->nq ? s->coord[i].unit : s->param[i - s->nq].unit)[0])
            return false;
    return true;
}

zw_status zw_forced_read_range(zw_forced *f, zw_error *err) {
    zw_over *range = &f->family.range;
    const char *unit = "";
    if (!f->options.over) {
        zw_fail(err, ZW_E_OPTION, "a family of free motions needs a range");
        zw_error_hint(err, "--over energy=0:10, --over frequency=1:3, or --over \"max(%s)=0:2\"",
                      f->sys->nq ? f->sys->coord[0].name : "x");
        return ZW_E_OPTION;
    }
    ZW_TRY(zw_over_name(range, f->options.over, err));
    if (strcmp(range->name, "frequency") == 0) {
        f->family.bound = ZW_FREE_FREQUENCY;
        unit = "rad/s";
    } else if (strcmp(range->name, "energy") == 0) {
        f->family.bound = ZW_FREE_ENERGY;
        unit = is_unitless(f->sys) ? "" : "J";
    } else if (find_measure(f, range->name, &unit)) {
        f->family.bound = ZW_FREE_MEASURE;
    } else {
        zw_fail(err, ZW_E_NAME, "--over %s: families of free motions do not go along it",
                range->name);
        zw_error_hint(err, "frequency, energy, or what a coordinate or observable does: max(%s)",
                      f->sys->nq ? f->sys->coord[0].name : "x");
        return ZW_E_NAME;
    }
    if (is_unitless(f->sys))
        unit = "";
    ZW_TRY(zw_over_range(range, f->sys, f->options.over, unit, err));
    f->has_over = true;
    f->over = (zw_over){.parameter = -1, .factor = 1, .from = 0, .to = INFINITY};
    snprintf(f->over.name, sizeof f->over.name, "frequency");
    snprintf(f->over.unit, sizeof f->over.unit, "%s", is_unitless(f->sys) ? "" : "rad/s");
    return ZW_OK;
}

zw_status zw_forced_energy(zw_forced *f, const double *x, double w, double *energy, zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    double *state = ZW_NEW(&f->arena, double, f->kernel->nx + 1),
           *seen = ZW_NEW(&f->arena, double, f->kernel->nobs + 3);
    if (f->arena.failed)
        return zw_forced_no_memory(err);
    zw_harmonic_state(f->balance, x, w, 0, state, NULL);
    zw_status status = zw_flow_observables(f->flow, 0, state, seen, err);
    *energy = seen[f->kernel->nobs] + seen[f->kernel->nobs + 1] - f->family.energy;
    zw_arena_release(&f->arena, mark);
    return status;
}

zw_status zw_forced_bound_of(zw_forced *f, const double *x, double w, double *value,
                             zw_error *err) {
    const zw_forced_family *y = &f->family;
    if (y->bound == ZW_FREE_FREQUENCY) {
        *value = w;
        return ZW_OK;
    }
    if (y->bound == ZW_FREE_ENERGY)
        return zw_forced_energy(f, x, w, value, err);
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    zw_forced_measure *all = ZW_NEW(&f->arena, zw_forced_measure, f->nquantity + 1);
    if (!all)
        return zw_forced_no_memory(err);
    memcpy(f->x, x, sizeof(double) * (size_t)zw_harmonic_problem(f->balance).n);
    zw_status status = zw_forced_measure_all(f, w, all, err);
    const zw_forced_measure *m = &all[y->quantity];
    const double number[] = {m->mean, m->rms, m->max, m->min, m->first};
    *value = number[y->measure];
    zw_arena_release(&f->arena, mark);
    return status;
}

bool zw_forced_in_range(zw_forced *f, double value, bool on_bound, bool *last) {
    zw_forced_family *y = &f->family;
    double low = fmin(y->range.from, y->range.to), high = fmax(y->range.from, y->range.to);
    bool was = y->inside;
    if (on_bound) {
        *last = was;
        y->inside = true;
        return true;
    }
    y->inside = value >= low && value <= high;
    y->outside = y->inside ? 0 : y->outside + 1;
    *last = (was && !y->inside) || y->outside > OUTSIDE;
    return y->inside;
}

/* ----------------------------------------------------------------------------------------------- conservative? */

/* numbers of [-1, 1], the same each time */
static double draw(unsigned *seed) {
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
        return zw_forced_no_memory(err);
    ZW_TRY(zw_system_start_said(f->sys, p, start, said, f->width, err));
    ZW_TRY(zw_flow_set_parameters(f->flow, p, err));
    for (int trial = 0; trial < 8; trial++) {
        double t = 3 * draw(&seed), sum = 0, size = 0;
        for (int i = 0; i < nx; i++) {
            int of = i < k->nq ? i : i - k->nq;
            double width = of < f->sys->nq ? f->width[of] : 1;
            x[i] = (i < k->nq ? start[i] : 0) + 0.3 * width * draw(&seed);
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

/* parameters without which there would be none of it, one after the other the one that takes most of it away; none: "" */
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

/* --------------------------------------------------------------------------------------------------- modes */

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

/* Downhill from x at rest: steps along the accelerations, each by which the energy becomes less, on the constraints; so that what is found is where the
 * start would come to rest if it were damped. work: 3 nx + nz + nobs + 3 */
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

/* the start at rest, on the constraints, downhill from there, and the multipliers that it has: without these their balance is singular */
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
        return zw_forced_no_memory(err);
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
        return zw_forced_no_memory(err);
    zw_fail(err, ZW_E_NUMERIC, "no equilibrium was found near the start of the model%s%.120s",
            trouble.text[0] ? ": " : "", trouble.text);
    zw_error_hint(err, "start it closer to one; zwang equilibria finds them");
    return ZW_E_NUMERIC;
}

/* one eigenvector as a motion of the state: its largest coordinate, in widths, is 1 at the beginning */
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
        return zw_forced_no_memory(err);
    ZW_TRY(zw_flow_tangent(f->flow, 0, x, ZW_METRIC_PLAIN, &n, T, D, err));
    ZW_TRY(zw_flow_local_jacobian(f->flow, 0, x, n, D, A, err));
    if (!zw_dense_eigenvalues(&f->arena, n, A, &e))
        return zw_dense_failure(&f->arena, err);
    bool *taken = ZW_NEW(&f->arena, bool, n + 1);
    if (!taken)
        return zw_forced_no_memory(err);
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
        return zw_forced_no_memory(err);
    ZW_TRY(refuse_power(f, err));
    ZW_TRY(find_rest(f, err));
    memcpy(x, f->family.rest, sizeof(double) * (size_t)f->kernel->nq);
    ZW_TRY(zw_flow_observables(f->flow, 0, x, seen, err));
    f->family.energy = seen[f->kernel->nobs] + seen[f->kernel->nobs + 1];
    ZW_TRY(find_modes_at(f, x, err));
    if (f->family.nmode)
        return ZW_OK;
    zw_fail(err, ZW_E_MODEL, "about the equilibrium near the start nothing oscillates");
    zw_error_hint(err, "start it near an equilibrium that is stable; zwang equilibria finds them");
    return ZW_E_MODEL;
}

int zw_forced_modes(const zw_forced *f) {
    return f->family.nmode;
}

double zw_forced_mode(const zw_forced *f, int mode) {
    return f->family.frequency[mode];
}

/* --------------------------------------------------------------------------------------------------- families */

/* the small oscillation, d times the mode, into f->x, and its direction; lambda is left to the balance */
static void put_mode(zw_forced *f, int mode, double d, double *toward) {
    const zw_kernel *k = f->kernel;
    int nx = k->nx, n = zw_harmonic_coefficients(f->balance), first = f->options.odd ? 0 : 1,
        all = zw_harmonic_problem(f->balance).n, moving = f->nfunction - f->eq.nc;
    const double *re = f->family.re + (size_t)(mode * nx), *im = f->family.im + (size_t)(mode * nx);
    memset(f->x, 0, sizeof(double) * (size_t)all);
    memset(toward, 0, sizeof(double) * (size_t)(all + 1));
    for (int i = 0; i < f->nfunction; i++) {
        if (!f->options.odd)
            f->x[i * n] = f->family.rest[i];
        if (i >= moving)
            continue;
        toward[i * n + first] = re[i];
        toward[i * n + first + 1] = -im[i];
        f->x[i * n + first] = d * re[i];
        f->x[i * n + first + 1] = -d * im[i];
    }
}

/* how large the family becomes, in modes, if it stays about as it begins */
static zw_status find_extent(zw_forced *f, int mode, double *toward, double *extent,
                             zw_error *err) {
    const double probe = 1e-3;
    double none, some, w = f->family.frequency[mode],
                       far = fmax(fabs(f->family.range.from), fabs(f->family.range.to));
    *extent = 1;
    if (f->family.bound == ZW_FREE_FREQUENCY)
        return ZW_OK;
    put_mode(f, mode, 0, toward);
    ZW_TRY(zw_forced_bound_of(f, f->x, w, &none, err));
    put_mode(f, mode, probe, toward);
    ZW_TRY(zw_forced_bound_of(f, f->x, w, &some, err));
    double grown = fabs(some - none);
    if (f->family.bound == ZW_FREE_ENERGY)
        *extent = grown > 0 ? probe * sqrt(far / grown) : 1;
    else
        *extent = grown > 1e-6 * probe ? probe * fabs(far - none) / grown : 1;
    if (!(*extent > 1e-12))
        *extent = 1;
    return ZW_OK;
}

/* sizes by which steps are measured: those of the mode at the far end, of what rests a part of them */
static void set_scale(zw_forced *f, int mode, double extent) {
    int nx = f->kernel->nx, moving = f->nfunction - f->eq.nc, nq = f->kernel->nq;
    for (int i = 0; i < moving; i++) {
        double own = hypot(f->family.re[mode * nx + i], f->family.im[mode * nx + i]),
               width = i < nq ? f->width[i] : f->family.frequency[mode];
        f->scale[i] = extent * fmax(own, 0.1 * width);
    }
    f->family.unit = 0.2 * f->family.frequency[mode];
    zw_harmonic_scale(f->balance, f->scale, f->family.unit);
    zw_harmonic_scale(f->finer, f->scale, f->family.unit);
    if (f->whole)
        zw_harmonic_scale(f->whole, f->scale, f->family.unit);
}

zw_status zw_forced_backbone(zw_forced *f, int mode, zw_error *err) {
    int index, all = zw_harmonic_problem(f->balance).n;
    double *toward = ZW_NEW(&f->arena, double, all + 2), extent;
    zw_error trouble = {0};
    if (!toward)
        return zw_forced_no_memory(err);
    if (mode < 0 || mode >= f->family.nmode)
        return zw_fail(err, ZW_E_OPTION, "mode %d: there are %d, counted from 1", mode + 1,
                       f->family.nmode);
    ZW_TRY(find_extent(f, mode, toward, &extent, err));
    set_scale(f, mode, extent);
    put_mode(f, mode, SMALL * extent, toward);
    ZW_TRY(zw_forced_new_curve(f, &index, err));
    zw_forced_curve *c = &f->curve[index];
    c->mode = mode;
    c->info[0] = (zw_cont_info){.end = ZW_CONT_AT_BOUND};
    f->family.inside = false;
    f->family.outside = 0;
    zw_status status = zw_forced_go(f, index, f->family.frequency[mode], 1, toward, false,
                                    &f->curve[index].info[1], &trouble);
    c = &f->curve[index];
    c->n = f->nmotion - c->first;
    if (c->n && c->info[1].end == ZW_CONT_ASKED && !f->stopped)
        c->info[1].end = ZW_CONT_AT_BOUND;
    if (status < 0) {
        if (err && !err->status)
            *err = trouble;
        return status;
    }
    if (c->n || f->stopped)
        return ZW_OK;
    f->ncurve--;
    zw_fail(err, ZW_E_NUMERIC,
            "none of the motions of mode %d, whose frequency begins at %.6g rad/s, is in the range "
            "of %s",
            mode + 1, f->family.frequency[mode], f->family.range.name);
    return ZW_E_NUMERIC;
}

int zw_forced_free_outside(const zw_floquet *m, bool *left) {
    int one[2] = {-1, -1}, outside = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < m->n; i++)
            if (i != one[0] && (one[k] < 0 || hypot(m->re[i] - 1, m->im[i]) <
                                                  hypot(m->re[one[k]] - 1, m->im[one[k]])))
                one[k] = i;
    for (int i = 0; i < m->n; i++) {
        bool counts = i != one[0] && i != one[1];
        if (left)
            left[i] = counts;
        outside += counts && hypot(m->re[i], m->im[i]) - 1 > fmax(CIRCLE, 10 * m->error[i]);
    }
    return outside;
}
