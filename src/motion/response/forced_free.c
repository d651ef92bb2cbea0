/* SPDX-License-Identifier: MIT */
/* Families of free motions (A. M. Lyapunov): about an equilibrium of a conservative system, each
 * mode begins one with its small oscillation q_0 + d Re(u e^{iwt}), d small. The first motion is
 * found orthogonal to u, at the size d, the others by arclength, as far as the range of frequency,
 * energy, or of a measure of a quantity extends.
 *
 * Two multipliers of a motion in a family are 1, and are left out where stability is judged: a
 * motion is called stable if all others are on the unit circle, which is all that linear equations
 * can decide. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "branch/curve.h"
#include "forced.h"
#include "motion/harmonic/balance.h"
#include "motion/parameter_range.h"

/* relative to the largest size: first motion of a family; smaller ones are closer to the mode but
 * lose digits against the equilibrium */
#define FIRST_SIZE 1e-2
#define POINTS_OUTSIDE 200 /* largest number of points before the range is reached */
/* distance of multipliers on the unit circle; pairs that meet there split by the root of their
 * error, 1e-8 */
#define CIRCLE_DISTANCE 1e-4
/* relative correction of free motions: near the equilibrium they differ from rest by little */
#define FAMILY_CORRECTED 1e-12
/* relative to the frequency: step of the first secant onto a bound, far above FAMILY_CORRECTED */
#define SECANT_STEP 1e-5
/* relative to the frequency: farthest that a point is moved onto a bound; it was located there
 * before */
#define BOUND_NEAR 1e-4
/* relative to the bound: the motion is on it, to the digits that are printed */
#define BOUND_REACHED 1e-9
/* size at which the growth of the bounded quantity with the mode is measured: quadratic terms are
 * still small */
#define MODE_PROBE 1e-3
/* relative to MODE_PROBE: a smaller growth of the quantity is rounding */
#define GROWTH_LEAST 1e-6
#define EXTENT_LEAST 1e-12  /* relative to the widths: a smaller extent is none, and 1 is used */
#define SIZE_OF_RESTING 0.1 /* relative to the width: size of coordinates at rest in the mode */
/* relative to the frequency of the mode: unit of frequencies in the arclength; a step then changes
 * it by a few percent at most */
#define FREQUENCY_UNIT 0.2

static const char *const measure_names[] = {"mean", "rms", "max", "min", "first"};

/* ---------------------------------------------------------------------------------------- range */

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
    zw_parameter_range *range = &f->family.range;
    const char *unit = "";
    if (!f->options.over) {
        zw_fail(err, ZW_E_OPTION, "a family of free motions needs a range");
        zw_error_hint(err, "--over energy=0:10, --over frequency=1:3, or --over \"max(%s)=0:2\"",
                      f->sys->nq ? f->sys->coord[0].name : "x");
        return ZW_E_OPTION;
    }
    ZW_TRY(zw_parameter_range_name(range, f->options.over, err));
    if (strcmp(range->name, "frequency") == 0) {
        f->family.bound = ZW_FREE_FREQUENCY;
        unit = "rad/s";
    } else if (strcmp(range->name, "energy") == 0) {
        f->family.bound = ZW_FREE_ENERGY;
        unit = is_unitless(f->sys) ? "" : "J";
    } else if (find_measure(f, range->name, &unit)) {
        f->family.bound = ZW_FREE_MEASURE;
    } else {
        zw_fail(err, ZW_E_NAME, "--over %s: it does not parametrise the families of free motions",
                range->name);
        zw_error_hint(err, "frequency, energy, or what a coordinate or observable does: max(%s)",
                      f->sys->nq ? f->sys->coord[0].name : "x");
        return ZW_E_NAME;
    }
    if (is_unitless(f->sys))
        unit = "";
    ZW_TRY(zw_parameter_range_range(range, f->sys, f->options.over, unit, err));
    f->has_over = true;
    f->over = (zw_parameter_range){.parameter = -1, .factor = 1, .from = 0, .to = INFINITY};
    snprintf(f->over.name, sizeof f->over.name, "frequency");
    snprintf(f->over.unit, sizeof f->over.unit, "%s", is_unitless(f->sys) ? "" : "rad/s");
    return ZW_OK;
}

zw_status zw_forced_energy(zw_forced *f, const double *x, double w, double *energy, zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    double *state = ZW_NEW(&f->arena, double, f->kernel->nx + 1),
           *seen = ZW_NEW(&f->arena, double, f->kernel->nobs + 3);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    zw_harmonic_state(f->balance, x, w, 0, state, NULL);
    zw_status status = zw_flow_observables(f->flow, 0, state, seen, err);
    *energy = seen[f->kernel->nobs] + seen[f->kernel->nobs + 1] - f->family.energy;
    zw_arena_release(&f->arena, mark);
    return status;
}

zw_status zw_forced_family_measure(zw_forced *f, const double *x, double w, double *value,
                                   zw_error *err) {
    const zw_forced_family *y = &f->family;
    if (y->bound == ZW_FREE_FREQUENCY) {
        *value = w;
        return ZW_OK;
    }
    if (y->bound == ZW_FREE_ENERGY)
        return zw_forced_energy(f, x, w, value, err);
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    zw_motion_measure *all = ZW_NEW(&f->arena, zw_motion_measure, f->nquantity + 1);
    if (!all)
        return zw_out_of_memory(err, NULL);
    memcpy(f->x, x, sizeof(double) * (size_t)zw_harmonic_problem(f->balance).n);
    zw_status status = zw_forced_measure_all(f, w, all, err);
    const zw_motion_measure *m = &all[y->quantity];
    const double number[] = {m->mean, m->rms, m->max, m->min, m->first};
    *value = number[y->measure];
    zw_arena_release(&f->arena, mark);
    return status;
}

/* the bounded quantity of the motion near f->x at the frequency w; NaN: there is none */
static double bound_at(zw_forced *f, double w) {
    zw_cont_problem p = zw_harmonic_problem(f->balance);
    double value;
    if (zw_cont_correct(&p, FAMILY_CORRECTED, f->x, w, NULL, NULL, NULL) < 0)
        return NAN;
    memcpy(f->b, f->x, sizeof(double) * (size_t)p.n);
    return zw_forced_family_measure(f, f->b, w, &value, NULL) == ZW_OK ? value : (double)NAN;
}

/* The secant through a neighbouring frequency, twice; where the frequency has an extremum there is
 * no solution, and the motion remains as it is. */
double zw_forced_move_to_bound(zw_forced *f, double w, double bound) {
    int n = zw_harmonic_problem(f->balance).n;
    double best = f->family.bound == ZW_FREE_FREQUENCY ? bound : w,
           neighbour = w * (1 + SECANT_STEP);
    memcpy(f->finer_x, f->x, sizeof(double) * (size_t)n);
    double value = bound_at(f, best), other = NAN;
    for (int i = 0; i < 2 && f->family.bound != ZW_FREE_FREQUENCY && isfinite(value); i++) {
        other = bound_at(f, neighbour);
        double next = best + (bound - value) * (neighbour - best) / (other - value);
        if (!(fabs(next - w) <= BOUND_NEAR * w))
            break;
        neighbour = best;
        best = next;
        value = bound_at(f, best);
    }
    if (isfinite(value) && fabs(value - bound) <= BOUND_REACHED * fmax(fabs(bound), ZW_TINY))
        return best;
    memcpy(f->x, f->finer_x, sizeof(double) * (size_t)n);
    return w;
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
    *last = (was && !y->inside) || y->outside > POINTS_OUTSIDE;
    return y->inside;
}

int zw_forced_modes(const zw_forced *f) {
    return f->family.nmode;
}

double zw_forced_mode(const zw_forced *f, int mode) {
    assert(mode >= 0 && mode < zw_forced_modes(f));
    return f->family.frequency[mode];
}

/* ------------------------------------------------------------------------------------- families */

/* puts the small oscillation, d times the mode, into f->x, and its direction into toward; the
 * equations determine lambda */
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

/* how large the family becomes, in units of the mode, if its shape stayed that of the mode */
static zw_status find_extent(zw_forced *f, int mode, double *toward, double *extent,
                             zw_error *err) {
    const double probe = MODE_PROBE;
    double at_rest, at_probe, w = f->family.frequency[mode],
                              farthest = fmax(fabs(f->family.range.from), fabs(f->family.range.to));
    *extent = 1;
    if (f->family.bound == ZW_FREE_FREQUENCY)
        return ZW_OK;
    put_mode(f, mode, 0, toward);
    ZW_TRY(zw_forced_family_measure(f, f->x, w, &at_rest, err));
    put_mode(f, mode, probe, toward);
    ZW_TRY(zw_forced_family_measure(f, f->x, w, &at_probe, err));
    double grown = fabs(at_probe - at_rest);
    if (f->family.bound == ZW_FREE_ENERGY)
        *extent = grown > 0 ? probe * sqrt(farthest / grown) : 1;
    else
        *extent = grown > GROWTH_LEAST * probe ? probe * fabs(farthest - at_rest) / grown : 1;
    if (!(*extent > EXTENT_LEAST))
        *extent = 1;
    return ZW_OK;
}

/* sizes by which steps are measured: those of the mode at the far end, a part of them for
 * coordinates at rest */
static void set_scale(zw_forced *f, int mode, double extent) {
    int nx = f->kernel->nx, moving = f->nfunction - f->eq.nc, nq = f->kernel->nq;
    for (int i = 0; i < moving; i++) {
        double mode_size = hypot(f->family.re[mode * nx + i], f->family.im[mode * nx + i]),
               width = i < nq ? f->width[i] : f->family.frequency[mode];
        f->scale[i] = extent * fmax(mode_size, SIZE_OF_RESTING * width);
    }
    f->family.unit = FREQUENCY_UNIT * f->family.frequency[mode];
    zw_harmonic_scale(f->balance, f->scale, f->family.unit);
    zw_harmonic_scale(f->finer, f->scale, f->family.unit);
    if (f->with_even)
        zw_harmonic_scale(f->with_even, f->scale, f->family.unit);
}

zw_status zw_forced_follow_family(zw_forced *f, int mode, double w, const double *toward,
                                  const char *shape, const char *resonance, zw_error *err) {
    int index;
    zw_error trouble = {0};
    ZW_TRY(zw_forced_new_curve(f, &index, err));
    zw_forced_curve *c = &f->curve[index];
    c->mode = mode;
    c->shape = shape;
    c->resonance = resonance;
    c->info[0] = (zw_cont_info){.end = ZW_CONT_AT_BOUND};
    f->family.inside = false;
    f->family.conserves = 0;
    f->family.outside = 0;
    zw_status status =
        zw_forced_follow_side(f, index, w, 1, toward, false, &f->curve[index].info[1], &trouble);
    c = &f->curve[index];
    c->n = f->nmotion - c->first;
    if (c->n && c->info[1].end == ZW_CONT_ASKED && !f->stopped)
        c->info[1].end = ZW_CONT_AT_BOUND;
    zw_forced_remove_false_folds(f, index);
    bool empty = c->n == 0;
    if (empty)
        f->ncurve--;
    if (status < 0) {
        if (err && !err->status)
            *err = trouble;
        return status;
    }
    if (!empty || f->stopped)
        return ZW_OK;
    zw_fail(err, ZW_E_NUMERIC,
            "none of the motions of mode %d, whose frequency begins at %.6g rad/s, is in the range "
            "of %s",
            mode + 1, f->family.frequency[mode], f->family.range.name);
    return ZW_E_NUMERIC;
}

zw_status zw_forced_backbone(zw_forced *f, int mode, zw_error *err) {
    int all = zw_harmonic_problem(f->balance).n;
    double *toward = ZW_NEW(&f->arena, double, all + 2), extent;
    if (!toward)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_forced_reject_events(f, "the balance of harmonics", err));
    if (mode < 0 || mode >= f->family.nmode)
        return zw_fail(err, ZW_E_OPTION, "mode %d: there are %d, counted from 1", mode + 1,
                       f->family.nmode);
    if (f->family.done[mode])
        return ZW_OK;
    ZW_TRY(find_extent(f, mode, toward, &extent, err));
    set_scale(f, mode, extent);
    if (zw_forced_is_resonant(f, mode))
        return zw_forced_backbones_resonant(f, mode, FIRST_SIZE * extent, err);
    put_mode(f, mode, FIRST_SIZE * extent, toward);
    return zw_forced_follow_family(f, mode, f->family.frequency[mode], toward, NULL, NULL, err);
}

int zw_forced_free_outside(const zw_floquet *m, bool *left) {
    int trivial[2] = {-1, -1}, outside = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < m->n; i++)
            if (i != trivial[0] &&
                (trivial[k] < 0 ||
                 hypot(m->re[i] - 1, m->im[i]) < hypot(m->re[trivial[k]] - 1, m->im[trivial[k]])))
                trivial[k] = i;
    for (int i = 0; i < m->n; i++) {
        bool counts = i != trivial[0] && i != trivial[1];
        if (left)
            left[i] = counts;
        outside +=
            counts && hypot(m->re[i], m->im[i]) - 1 > fmax(CIRCLE_DISTANCE, 10 * m->error[i]);
    }
    return outside;
}
