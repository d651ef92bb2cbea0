/* SPDX-License-Identifier: MIT */
/* Closed level curves around a centre. They are a family, numbered by the amplitude a: the curve
 * through the point at the distance a from the centre along the master coordinate. Over one of them
 * C changes by eps M(a). A simple zero of M becomes a cycle; a disturbance of C grows by 1 + eps
 * dM/dC from one turn to the next, so that its multiplier is exp(eps dM/dC).
 *
 * Curves on which an angle u goes round (rotations) are a family beyond the separatrix: the curve
 * through the point at the angle of the saddle, at the distance a from it along the other state.
 * They close after one period of the angle, and the rest is the same.
 *
 * Over a parameter p, M(a, p) = 0 is solved for p at every a: that passes folds, where p(a)
 * has an extremum, without further methods, and gives the whole branch from the centre to the
 * separatrix.
 *
 * The sum of terms of the size of g has an M that is round-off if parts cancel: if a perturbation
 * is conservative itself M vanishes over all curves, and the computed numbers have any sign. Signs,
 * slopes and folds count only if they exceed that. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "base/tolerance.h"
#include "melnikov.h"

enum {
    STARTS = 9, /* points at which an angle is tested */
    GOLDEN = 40 /* golden sections: to the last digits */
};
#define SMALLEST_AMPLITUDE 0.02 /* of the amplitude of the separatrix */
/* of the amplitude of the separatrix: beyond, the period is dominated by the saddle */
#define LARGEST_AMPLITUDE 0.999
/* -ln of the distance to the separatrix, relative to its amplitude, up to which resonances are
 * searched: exp(-22) = 3e-10, where C is still resolved. */
#define LOG_NEAREST 22.0
/* of the bracket of a fold: distance of the points at which it is tested for a corner */
#define CORNER_DISTANCE 1e-3
/* Of the change of the parameter over the bracket: near a smooth fold, the change at
 * CORNER_DISTANCE is its square; at a corner it is CORNER_DISTANCE itself. Between the two. */
#define CORNER_CHANGE 1e-4
/* of the period at a distance of 1e-9 from a separatrix, relative to that at a hundredth */
#define PERIOD_GROWTH 1.2
#define SLOPE_STEP 1e-4 /* of the amplitude, for slopes: error 1e-8 by the second order */
/* of the neighbouring values: the rest of M at a change of sign that is a zero is round-off, at a
 * jump it is of their order */
#define JUMP_RATIO 1e-6
/* of the largest distance on the separatrix: where rotations begin, */
#define NEAREST_ROTATION 1e-4
/* or, with an excitation, resonances: nearer, C is round-off when they return to the saddle, */
#define NEAREST_RESONANCE 1e-5
#define LARGEST_ROTATION 3.0 /* and where they end */
#define START_OFFSET 1e-9    /* of the range: the start, moved off the level itself */
/* of an amplitude: where the ray touches a level at a saddle, a crossing is found only up to the
 * square root of round-off */
#define TOUCHING 1e-6
#define NEAR_SEPARATRIX 1e-9      /* of the amplitude: a distance at which the period has grown */
#define AWAY_FROM_SEPARATRIX 1e-2 /* of the amplitude: a distance at which it has not */
/* of the amplitude: an extremum is located up to the square root of round-off */
#define FOLD_LOCATED 1e-7

typedef struct family {
    zw_melnikov *s;
    int u;         /* the master, or the angle that goes round */
    int ray;       /* the state along which amplitudes are measured */
    int direction; /* direction along it: 1 or -1 */
    double a;      /* requested amplitude */
    double *p;
    zw_plane plane;
    double centre[2];
    double M, size; /* M of the last call */
    double blur;    /* uncertainty of the parameter that parameter_of found */
} family;

/* The error of M of the last call. */
static double error_of(const family *w) {
    return (ZW_ROUNDOFF_SUM + w->s->closed.closing) * w->size;
}

/* The curve of this amplitude at the parameters of the plane, and M over it. */
static zw_status over_curve(family *w, double a, bool integrate, zw_error *err) {
    zw_melnikov *s = w->s;
    zw_closed *o = &s->closed;
    char why[200];
    double start[2] = {w->centre[0], w->centre[1]};
    start[w->ray] += w->direction * a / s->scale[w->ray];
    if (!(o->period > 0) || o->f[0] != w->plane.f[0] || o->f[1] != w->plane.f[1] ||
        o->C != w->plane.C || o->start[0] != start[0] || o->start[1] != start[1]) {
        ZW_TRY(s->options.rotating ? zw_rotation_find(s, &w->plane, w->u, start, o, why, err)
                                   : zw_closed_find(s, &w->plane, w->centre, start, o, why, err));
        if (why[0])
            return zw_fail(err, ZW_E_NUMERIC, "the level curve of the amplitude %.9g: %s", a, why);
    }
    return integrate ? zw_melnikov_integrate_closed(&w->plane, o, &w->M, &w->size, err) : ZW_OK;
}

static zw_status at_parameter(family *w, double value, zw_error *err) {
    zw_melnikov *s = w->s;
    ZW_TRY(zw_melnikov_parameters(s, s->has_over ? s->over[0].parameter : -1, value, -1, 0, w->p,
                                  err));
    ZW_TRY(zw_plane_set(s, w->p, -1, &w->plane, err));
    memcpy(w->centre, s->centre, sizeof w->centre);
    return zw_plane_newton(&w->plane, w->centre)
               ? ZW_OK
               : zw_fail(err, ZW_E_NUMERIC, "the %s is lost",
                         s->options.rotating ? "saddle" : "centre");
}

/* M as a function of the parameter at w->a. */
static zw_status of_parameter(void *user, double value, double *y, zw_error *err) {
    family *w = user;
    ZW_TRY(at_parameter(w, value, err));
    ZW_TRY(over_curve(w, w->a, true, err));
    *y = w->M;
    return ZW_OK;
}

static zw_status of_amplitude(void *user, double a, double *y, zw_error *err) {
    family *w = user;
    ZW_TRY(over_curve(w, a, true, err));
    *y = w->M;
    return ZW_OK;
}

/* dM/dC by a difference over the amplitude, and the other data of a cycle; the curve is then that
 * of amplitude a. */
static zw_status describe_cycle(family *w, double a, double value, zw_melnikov_cycle *out,
                                zw_error *err) {
    zw_melnikov *s = w->s;
    double step = SLOPE_STEP * a, high, low, M, period, gradient[2];
    zw_error trouble = {0};
    ZW_TRY(of_amplitude(w, a + step, &high, err));
    ZW_TRY(of_amplitude(w, a - step, &low, err));
    ZW_TRY(over_curve(w, a, true, err));
    zw_plane_slope(&w->plane, s->closed.start, gradient);
    double apart = 2 * step * w->direction * gradient[w->ray] / s->scale[w->ray],
           slope = (high - low) / apart;
    *out = (zw_melnikov_cycle){.amplitude = a,
                               .level = s->closed.level,
                               .period = s->closed.period,
                               .value = value,
                               .slope = slope,
                               .slope_error = 2 * error_of(w) / fabs(apart),
                               .multiplier = exp(s->eps * slope),
                               .error = NAN};
    zw_status status =
        s->options.rotating
            ? zw_melnikov_rotation_by_level(&w->plane, &s->closed, &M, &period, &trouble)
            : zw_melnikov_closed_by_level(s, &w->plane, &s->closed, w->u, &M, &period, &trouble);
    if (status >= 0)
        out->error = fabs(M - w->M) / w->size;
    else if (trouble.status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    return ZW_OK;
}

static zw_status add_cycle(zw_melnikov *s, const zw_melnikov_cycle *c, zw_error *err) {
    if (!zw_arena_grow(&s->arena, (void **)&s->cycle, s->ncycle, &s->cycle_capacity,
                       sizeof *s->cycle))
        return zw_out_of_memory(err, NULL);
    s->cycle[s->ncycle++] = *c;
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------ the range */

/* C minus a level on the ray, at an amplitude of the plane. */
static double level_difference(const family *w, double level, double a) {
    double x[2] = {w->centre[0], w->centre[1]};
    x[w->u] += a;
    return zw_plane_level(&w->plane, x) - level;
}

/* The first amplitude between two at which the ray meets this level; INFINITY if none. */
static double first_crossing(const family *w, double level, double from, double to) {
    enum { LOOKS = 400, HALVINGS = 80 };
    double a = from, start = level_difference(w, level, from + START_OFFSET * (to - from));
    for (int i = 1; i <= LOOKS; i++) {
        double b = from + (to - from) * i / LOOKS;
        if (level_difference(w, level, b) * start > 0) {
            a = b;
            continue;
        }
        for (int j = 0; j < HALVINGS; j++) {
            double half = (a + b) / 2;
            *(level_difference(w, level, half) * start > 0 ? &a : &b) = half;
        }
        return b;
    }
    return INFINITY;
}

/* The first amplitude between two at which the ray meets the level of a saddle, or a saddle itself,
 * which touches its level without crossing it; INFINITY if none. to = 0: as far as the saddles. */
static double first_separatrix(zw_melnikov *s, const family *w, double from, double to) {
    double saddle[16][2], best = INFINITY, on = INFINITY, whole = s->period[w->u];
    const char *at = s->options.at;
    s->options.at = NULL; /* it is the position of the centre */
    int n = zw_melnikov_zeros(s, false, 16, saddle, NULL);
    s->options.at = at;
    for (int k = 0; k < n; k++) {
        double along = saddle[k][w->u] - w->centre[w->u],
               across = saddle[k][1 - w->u] - w->centre[1 - w->u],
               far = to > 0 ? to : 2 * hypot(along, across) + 1;
        best = fmin(best, first_crossing(w, zw_plane_level(&w->plane, saddle[k]), from, far));
        if (whole > 0)
            along -= whole * floor(along / whole);
        if (fabs(across) < ZW_SAME_VALUE * (1 + fabs(along)) && along > from &&
            along <= far * (1 + ZW_SAME_VALUE))
            on = fmin(on, along);
    }
    return best < (1 - TOUCHING) * on
               ? best
               : on; /* round-off decides where a level that is touched is crossed */
}

/* Is it one? The period grows without bound near it; levels of saddles elsewhere have no effect. */
static bool is_separatrix(zw_melnikov *s, const family *w, double a) {
    double period[2];
    char why[200];
    for (int k = 0; k < 2; k++) {
        double start[2] = {w->centre[0], w->centre[1]};
        start[w->u] += a * (1 - (k ? NEAR_SEPARATRIX : AWAY_FROM_SEPARATRIX));
        zw_closed o = {0};
        bool fine = zw_closed_find(s, &w->plane, w->centre, start, &o, why, NULL) >= 0 && !why[0];
        period[k] = fine ? o.period : INFINITY;
        zw_plane_path_clear(s, &o.path);
    }
    return !(period[1] < PERIOD_GROWTH * period[0]);
}

static zw_status find_range(zw_melnikov *s, family *w, zw_error *err) {
    double scale = s->scale[w->u], reach = first_separatrix(s, w, 0, 0);
    s->reach = isfinite(reach) ? reach * scale : 0;
    if (!s->has_amplitude && s->reach > 0) {
        s->amplitude[0] = SMALLEST_AMPLITUDE * s->reach;
        s->amplitude[1] = LARGEST_AMPLITUDE * s->reach;
        return ZW_OK;
    }
    if (!s->has_amplitude) {
        zw_fail(err, ZW_E_OPTION,
                "no separatrix bounds the closed curves about %s = %.6g, %s = %.6g", s->name[0],
                s->scale[0] * s->centre[0], s->name[1], s->scale[1] * s->centre[1]);
        zw_error_hint(err, "--amplitude FROM:TO, of %s from there", s->name[w->u]);
        return ZW_E_OPTION;
    }
    reach = first_separatrix(s, w, s->amplitude[0] / scale, s->amplitude[1] / scale);
    if (isfinite(reach) && is_separatrix(s, w, reach)) {
        bool last = reach * scale >= (1 - TOUCHING) * s->amplitude[1];
        zw_fail(err, ZW_E_OPTION, "--amplitude %s: there is a separatrix at %.9g, and %s",
                s->options.amplitude, reach * scale,
                last ? "its motion comes to no end" : "beyond it are other curves");
        zw_error_hint(err, "%s: --amplitude %.6g:%.6g",
                      last ? "end before it" : "ask for both sides of it for themselves",
                      s->amplitude[0], LARGEST_AMPLITUDE * reach * scale);
        return ZW_E_OPTION;
    }
    return zw_context_status(s->ctx, err);
}

/* The largest distance from the saddle along the ray on a separatrix that leaves it to this side; 0
 * if none is found. */
static zw_status size_of_rotations(zw_melnikov *s, const family *w, double *size, zw_error *err) {
    *size = 0;
    for (int side = 1; side >= -1 && *size == 0; side -= 2) {
        char why[200];
        zw_heteroclinic *o = &s->orbit[0];
        ZW_TRY(zw_heteroclinic_find(s, &w->plane, w->centre, side, o, why, err));
        for (int k = 0; k < o->path.n && o->there; k++)
            *size = fmax(*size, w->direction * (o->path.step[k].c[w->ray][0] - w->centre[w->ray]));
    }
    *size *= s->scale[w->ray];
    return ZW_OK;
}

/* Does the curve at the beginning of the range go round? */
static zw_status goes_round(zw_melnikov *s, family *w, double *size, bool *fine, char why[200],
                            zw_error *err) {
    ZW_TRY(size_of_rotations(s, w, size, err));
    double a = s->has_amplitude ? s->amplitude[0] : NEAREST_ROTATION * *size,
           start[2] = {w->centre[0], w->centre[1]};
    snprintf(why, 200, "no separatrix leaves it to this side");
    *fine = false;
    if (!(a > 0))
        return ZW_OK;
    start[w->ray] += w->direction * a / s->scale[w->ray];
    ZW_TRY(zw_rotation_find(s, &w->plane, w->u, start, &s->closed, why, err));
    *fine = !why[0];
    return ZW_OK;
}

/* Is everything the same after a whole turn of state u, at points near the start? */
static bool is_angle(const zw_melnikov *s, int u) {
    enum { LOOKS = 40 };
    zw_random random = {7};
    const zw_plane *m = &s->plane;
    const zw_expr all[4] = {m->f[0], m->f[1], m->C, m->g}, symbol[3] = {m->x[0], m->x[1], m->t};
    if (!zw_depends(m->ctx, m->C, m->x[u]))
        return false;
    for (int k = 0; k < LOOKS; k++) {
        double x[3], a[4], b[4];
        for (int i = 0; i < 3; i++)
            x[i] = zw_random_real(&random, -3, 3);
        zw_eval_all(m->ctx, 4, all, 3, symbol, x, a);
        x[u] += 2 * M_PI / s->scale[u];
        zw_eval_all(m->ctx, 4, all, 3, symbol, x, b);
        for (int i = 0; i < 4; i++)
            if (!(fabs(a[i] - b[i]) <= ZW_ROUNDOFF_SUM * (1 + fabs(a[i]))))
                return false;
    }
    return true;
}

static zw_status find_angle(zw_melnikov *s, family *w, zw_error *err) {
    for (int i = 0; i < 2; i++)
        if (s->period[i] == 0 && is_angle(s, i))
            s->period[i] = 2 * M_PI / s->scale[i];
    w->u = s->master >= 0 ? s->master : s->period[0] > 0 ? 0 : 1;
    w->ray = 1 - w->u;
    w->direction = s->options.rotating;
    if (s->period[w->u] > 0)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "--rotating: %s is no angle", s->name[w->u]);
    zw_error_hint(err, "'periodic %s' in the model says that a state is one; --master chooses it",
                  s->name[w->u]);
    return ZW_E_OPTION;
}

/* The saddle above (or below) the rotations, the first one with a curve that goes round, and the
 * range of their amplitudes. */
static zw_status find_rotations(zw_melnikov *s, family *w, zw_error *err) {
    double saddle[16][2], size = 0;
    char why[200] = "";
    bool fine = false;
    ZW_TRY(find_angle(s, w, err));
    s->ray = w->ray;
    int n = zw_melnikov_zeros(s, false, 16, saddle, err);
    if (n < 0)
        return err ? err->status : ZW_E_OPTION;
    for (int k = 0; k < n && !fine; k++) {
        memcpy(s->centre, saddle[k], sizeof s->centre);
        ZW_TRY(at_parameter(w, s->has_over ? s->p[s->over[0].parameter] : NAN, err));
        ZW_TRY(goes_round(s, w, &size, &fine, why, err));
    }
    if (!fine) {
        zw_fail(err, ZW_E_DOMAIN, "--rotating: %s%s",
                n ? "no level curve near a saddle encircles the angle's range: "
                  : "there is no saddle",
                why);
        zw_error_hint(err,
                      "--at says where the saddle is, --amplitude FROM:TO how far %s is from it",
                      s->name[w->ray]);
        return ZW_E_DOMAIN;
    }
    if (!s->has_amplitude) {
        s->amplitude[0] = (s->plane.base > 0 ? NEAREST_RESONANCE : NEAREST_ROTATION) * size;
        s->amplitude[1] = LARGEST_ROTATION * size;
    }
    return ZW_OK;
}

/* Point i of n, denser towards the separatrix. */
static double amplitude_of(const zw_melnikov *s, int i, int n) {
    double part = (double)i / (n - 1);
    if (s->options.rotating)
        return s->amplitude[0] * pow(s->amplitude[1] / s->amplitude[0], part);
    if (!s->has_amplitude)
        part = sin(part * M_PI / 2);
    return s->amplitude[0] + (s->amplitude[1] - s->amplitude[0]) * part;
}

/* --------------------------------------------------------------------------- zeros and branches */

/* A change of sign of M that is no zero: the curve becomes another one. */
static bool is_jump(const family *w, double fa, double fb) {
    return fabs(w->M) > JUMP_RATIO * (fabs(fa) + fabs(fb)) && fabs(w->M) > error_of(w);
}

/* A change of sign between two amplitudes. */
static zw_status add_zero(zw_melnikov *s, family *w, double a, double Ma, double b, double Mb,
                          zw_error *err) {
    zw_melnikov_cycle c;
    double zero;
    ZW_TRY(zw_melnikov_zero(of_amplitude, w, a, Ma, b, Mb, &zero, err));
    ZW_TRY(over_curve(w, zero, true, err));
    if (is_jump(w, Ma, Mb)) {
        snprintf(s->lost, sizeof s->lost,
                 "M jumps through zero at the amplitude %.9g, where there is a separatrix and the "
                 "curves become others: that is no cycle",
                 zero);
        return ZW_OK;
    }
    ZW_TRY(describe_cycle(w, zero, NAN, &c, err));
    return add_cycle(s, &c, err);
}

static zw_status report_vanishing(const zw_melnikov *s, zw_error *err) {
    zw_fail(err, ZW_E_NUMERIC,
            "M is zero within its error over all closed curves with amplitudes from %.6g to %.6g: "
            "to first order all of them stay closed, and which become cycles is undecided",
            s->amplitude[0], s->amplitude[1]);
    zw_error_hint(err, "is what is small conservative itself?");
    return ZW_E_NUMERIC;
}

static zw_status find_zeros(zw_melnikov *s, family *w, int n, zw_error *err) {
    int known = -1; /* the last amplitude where M has a sign */
    s->family = ZW_NEW(&s->arena, double, n * 4);
    if (!s->family)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(at_parameter(w, NAN, err));
    for (int i = 0; i < n; i++) {
        double a = amplitude_of(s, i, n), M;
        if (zw_melnikov_asked_to_stop(s, (double)i / n))
            return ZW_OK;
        ZW_TRY(of_amplitude(w, a, &M, err));
        double *row = s->family + 4 * s->nfamily++, *last = s->family + 4 * known;
        row[0] = a;
        row[1] = s->closed.level;
        row[2] = s->closed.period;
        row[3] = M;
        if (!(fabs(M) > error_of(w))) {
            if (i - known > 1 && i > 0)
                snprintf(s->lost, sizeof s->lost,
                         "M is zero within its error over the curves of amplitudes %.6g to %.6g: "
                         "which cycles are there is undecided",
                         s->family[4 * (known + 1)], a);
            continue;
        }
        if (known >= 0 && last[3] * M < 0)
            ZW_TRY(add_zero(s, w, last[0], last[3], a, M, err));
        known = i;
    }
    return known < 0 ? report_vanishing(s, err) : ZW_OK;
}

static zw_status solve_parameter(family *w, double a, double fa, double b, double fb, double *value,
                                 zw_error *err) {
    ZW_TRY(zw_melnikov_zero(of_parameter, w, a, fa, b, fb, value, err));
    ZW_TRY(of_parameter(w, *value, &w->M, err));
    if (is_jump(w, fa, fb)) {
        const zw_parameter_range *o = &w->s->over[0];
        snprintf(w->s->lost, sizeof w->s->lost,
                 "at the amplitude %.9g M jumps through zero at %s = %.9g, where a separatrix "
                 "passes: that is no cycle",
                 w->a, o->name, *value / o->factor);
        *value = NAN;
        return ZW_OK;
    }
    w->blur = 2 * error_of(w) * fabs((b - a) / (fb - fa));
    return ZW_OK;
}

/* The value of the parameter that makes a cycle of amplitude a; searched near the last one, then in
 * the whole range. NaN if none. */
static zw_status parameter_of(family *w, double a, double about, double *value, zw_error *err) {
    const zw_parameter_range *o = &w->s->over[0];
    double low = fmin(o->from, o->to), high = fmax(o->from, o->to), fa, fb,
           wide = (high - low) / 400;
    w->a = a;
    *value = NAN;
    for (int k = 0; k < 6 && !isnan(about); k++, wide *= 3) {
        double from = fmax(low, about - wide), to = fmin(high, about + wide);
        ZW_TRY(of_parameter(w, from, &fa, err));
        ZW_TRY(of_parameter(w, to, &fb, err));
        if (fa * fb <= 0)
            return solve_parameter(w, from, fa, to, fb, value, err);
    }
    for (int k = 0; k < STARTS; k++) {
        double to = low + (high - low) * k / (STARTS - 1);
        ZW_TRY(of_parameter(w, to, &fb, err));
        if (k > 0 && fa * fb <= 0)
            return solve_parameter(w, low + (high - low) * (k - 1) / (STARTS - 1), fa, to, fb,
                                   value, err);
        fa = fb;
    }
    return ZW_OK;
}

/* The extremum of p(a) between three amplitudes, by golden sections. */
static zw_status find_fold(family *w, double a, double b, double about, double sign, double *at,
                           double *value, zw_error *err) {
    const double gold = 0.6180339887498949;
    double x = b - gold * (b - a), y = a + gold * (b - a), fx, fy;
    ZW_TRY(parameter_of(w, x, about, &fx, err));
    ZW_TRY(parameter_of(w, y, about, &fy, err));
    for (int k = 0; k < GOLDEN && b - a > FOLD_LOCATED * b; k++) {
        bool left = sign * fx > sign * fy;
        *(left ? &b : &a) = left ? y : x;
        if (left) {
            y = x;
            fy = fx;
            x = b - gold * (b - a);
            ZW_TRY(parameter_of(w, x, about, &fx, err));
        } else {
            x = y;
            fx = fy;
            y = a + gold * (b - a);
            ZW_TRY(parameter_of(w, y, about, &fy, err));
        }
    }
    *at = (a + b) / 2;
    return parameter_of(w, *at, about, value, err);
}

static zw_status add_cycle_at(zw_melnikov *s, family *w, double a, double value, bool fold,
                              zw_error *err) {
    zw_melnikov_cycle c;
    ZW_TRY(at_parameter(w, value, err));
    ZW_TRY(describe_cycle(w, a, value, &c, err));
    c.fold = fold;
    return add_cycle(s, &c, err);
}

/* Inserts a fold among the others by its amplitude. */
static zw_status add_fold(zw_melnikov *s, family *w, double a, double value, zw_error *err) {
    ZW_TRY(add_cycle_at(s, w, a, value, true, err));
    for (int i = s->ncycle - 1; i > 0 && s->cycle[i - 1].amplitude > a; i--) {
        zw_melnikov_cycle c = s->cycle[i];
        s->cycle[i] = s->cycle[i - 1];
        s->cycle[i - 1] = c;
    }
    return ZW_OK;
}

/* Where the branch meets a separatrix it has a corner, or jumps: an extremum that is no fold. Near
 * a fold it is flat. */
static zw_status is_corner(family *w, const double a[3], const double p[3], double at, double there,
                           bool *corner, zw_error *err) {
    zw_melnikov *s = w->s;
    double all = fmax(fabs(p[0] - there), fabs(p[2] - there)),
           step = CORNER_DISTANCE * (a[2] - a[0]);
    *corner = isnan(there);
    for (int side = -1; side <= 1 && !*corner; side += 2) {
        double value;
        ZW_TRY(parameter_of(w, at + side * step, there, &value, err));
        *corner = !(fabs(value - there) < CORNER_CHANGE * all + w->blur);
    }
    if (*corner)
        snprintf(s->lost, sizeof s->lost,
                 "the branch has a corner at the amplitude %.6g, where there is a separatrix and "
                 "the curves become others: that is no fold",
                 at);
    return ZW_OK;
}

/* a, p: the last three points of the branch whose parameters differ by more than their errors. */
static zw_status find_branch(zw_melnikov *s, family *w, int n, zw_error *err) {
    double a[3] = {NAN, NAN, NAN}, p[3] = {NAN, NAN, NAN}, about = NAN, spread = 0;
    for (int i = 0; i < n; i++) {
        double now = amplitude_of(s, i, n), value, before = about;
        if (zw_melnikov_asked_to_stop(s, (double)i / n))
            return ZW_OK;
        ZW_TRY(parameter_of(w, now, about, &value, err));
        about = value;
        if (isnan(value) || isnan(before) || fabs(value - p[2]) > w->blur) {
            a[0] = a[1], a[1] = a[2], a[2] = now;
            p[0] = p[1], p[1] = p[2], p[2] = value;
            spread += !isnan(value) && !isnan(before);
            /* a fold between them, inserted at its position */
            if ((p[1] - p[0]) * (p[2] - p[1]) < 0) {
                double at, there;
                bool corner;
                ZW_TRY(find_fold(w, a[0], a[2], p[1], p[1] > p[0] ? 1 : -1, &at, &there, err));
                ZW_TRY(is_corner(w, a, p, at, there, &corner, err));
                if (!corner)
                    ZW_TRY(add_fold(s, w, at, there, err));
            }
        }
        if (!isnan(value))
            ZW_TRY(add_cycle_at(s, w, now, value, false, err));
    }
    if (s->ncycle > 1 && spread == 0)
        snprintf(s->lost, sizeof s->lost,
                 "%s is the same for all amplitudes within its error: there M vanishes over all "
                 "curves, and which of them become cycles is undecided to first order",
                 s->over[0].name);
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------- resonances */

/* The period of the curve of amplitude a, minus the required one. */
typedef struct tuning {
    family *w;
    double wanted;
} tuning;

static zw_status period_beyond(void *user, double a, double *y, zw_error *err) {
    tuning *q = user;
    ZW_TRY(over_curve(q->w, a, false, err));
    *y = q->w->s->closed.period - q->wanted;
    return ZW_OK;
}

static zw_status add_resonance(zw_melnikov *s, family *w, int m, double a, zw_error *err) {
    zw_melnikov_resonance r = {.order = m, .amplitude = a};
    ZW_TRY(over_curve(w, a, false, err));
    r.level = s->closed.level;
    r.period = s->closed.period;
    ZW_TRY(zw_melnikov_integrate_resonance(&w->plane, &s->closed, &r.M, err));
    /* Near the separatrix the motion, not the sum, is inexact: its closure error, and the phase of
     * the excitation. */
    double wrong = fmax(fabs(r.period * s->plane.base - 2 * M_PI * m), s->closed.closing);
    r.M.error += wrong * fmax(fabs(r.M.low), fabs(r.M.high));
    if (!zw_arena_grow(&s->arena, (void **)&s->resonance, s->nresonance, &s->resonance_capacity,
                       sizeof *s->resonance))
        return zw_out_of_memory(err, NULL);
    s->resonance[s->nresonance++] = r;
    return ZW_OK;
}

static double amplitude_towards(const zw_melnikov *s, int i, int n) {
    if (s->has_amplitude || s->options.rotating)
        return amplitude_of(s, i, n);
    /* periods are then equidistant */
    return -expm1(-(SMALLEST_AMPLITUDE + LOG_NEAREST * i / (n - 1))) * s->reach;
}

/* An excitation with period T selects the curves whose period is a multiple m T of it: over one of
 * them M depends on the phase of the excitation, and a simple zero is a subharmonic motion of this
 * order. As m grows they approach the separatrix. */
static zw_status find_resonances(zw_melnikov *s, family *w, int n, zw_error *err) {
    double T = 2 * M_PI / s->plane.base, last = 0, last_a = 0;
    for (int i = 0; i < n; i++) {
        double a = amplitude_towards(s, i, n);
        if (zw_melnikov_asked_to_stop(s, (double)i / n))
            return ZW_OK;
        ZW_TRY(over_curve(w, a, false, err));
        double period = s->closed.period;
        for (int m = 1; i > 0 && m <= s->options.orders; m++) {
            tuning q = {w, m * T};
            double at;
            if ((last - m * T) * (period - m * T) > 0)
                continue;
            ZW_TRY(zw_melnikov_zero(period_beyond, &q, last_a, last - m * T, a, period - m * T, &at,
                                    err));
            ZW_TRY(add_resonance(s, w, m, at, err));
        }
        last = period;
        last_a = a;
    }
    if (s->nresonance > 0)
        return ZW_OK;
    zw_fail(err, ZW_E_NUMERIC,
            "no closed curve with amplitudes from %.6g to %.6g has 1 to %d times the period %.6g s "
            "of the excitation",
            s->amplitude[0], s->amplitude[1], s->options.orders, T);
    zw_error_hint(err, "more --orders, or another --amplitude");
    return ZW_E_NUMERIC;
}

/* The centre, and the range of amplitudes. */
static zw_status find_about_centre(zw_melnikov *s, family *w, zw_error *err) {
    double centre[16][2];
    w->u = w->ray = s->ray = s->master >= 0 ? s->master : 0;
    w->direction = 1;
    int n = zw_melnikov_zeros(s, true, 16, centre, err);
    if (n < 0)
        return err ? err->status : ZW_E_OPTION;
    if (n == 0) {
        zw_fail(err, ZW_E_DOMAIN, "without %s there is no centre%s", s->options.small,
                s->options.at ? " where --at leads"
                              : " near the equilibria and the start of the model");
        zw_error_hint(err, "--at \"%s=..., %s=...\" says where one is", s->name[0], s->name[1]);
        return ZW_E_DOMAIN;
    }
    memcpy(s->centre, centre[0], sizeof s->centre);
    ZW_TRY(at_parameter(w, s->has_over ? s->p[s->over[0].parameter] : NAN, err));
    return find_range(s, w, err);
}

zw_status zw_melnikov_find_cycles(zw_melnikov *s, zw_error *err) {
    family w = {.s = s};
    if (s->plane.base > 0 && s->has_over) {
        zw_fail(err, ZW_E_OPTION,
                "--cycles --over: a driven model has resonances, but no branch of limit cycles");
        zw_error_hint(
            err,
            "without --over: the resonances; without --cycles: thresholds at the separatrices");
        return ZW_E_OPTION;
    }
    w.p = ZW_NEW(&s->arena, double, s->sys->np + 1);
    if (!w.p)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(s->options.rotating ? find_rotations(s, &w, err) : find_about_centre(s, &w, err));
    if (s->plane.base > 0) {
        ZW_TRY(find_resonances(s, &w, s->options.points, err));
        return s->stopped ? ZW_STOPPED : ZW_OK;
    }
    ZW_TRY(s->has_over ? find_branch(s, &w, s->options.points, err)
                       : find_zeros(s, &w, s->options.points, err));
    if (s->ncycle > 0 || s->stopped)
        return s->stopped ? ZW_STOPPED : ZW_OK;
    if (s->lost[0]) {
        zw_fail(err, ZW_E_NUMERIC, "no cycle was found: %s", s->lost);
        zw_error_hint(err, "ask for both sides of it for themselves: --amplitude FROM:TO");
        return ZW_E_NUMERIC;
    }
    zw_fail(err, ZW_E_NUMERIC,
            "M has no zero over the closed curves with amplitudes from %.6g to %.6g%s%s",
            s->amplitude[0], s->amplitude[1], s->has_over ? " for any value of " : "",
            s->has_over ? s->over[0].name : "");
    zw_error_hint(err,
                  s->has_over ? "another range of --over, or of --amplitude"
                              : "M is %.6g to %.6g there; --over NAME=FROM:TO looks for the "
                                "parameter that makes it vanish",
                  s->nfamily ? s->family[3] : NAN,
                  s->nfamily ? s->family[4 * s->nfamily - 1] : NAN);
    return ZW_E_NUMERIC;
}
