/* SPDX-License-Identifier: MIT */
/* First guesses of forced motions: the start of the model runs for some periods, and the last of
 * them is the guess; then rest; then starts of different sizes, first harmonics from a
 * low-discrepancy sequence (R. van der Corput, J. H. Halton), the same each time. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "branch/curve.h"
#include "forced.h"
#include "motion/harmonic/balance.h"

enum { POINTS = 64 }; /* points of a period of a run */
/* per turn: allowed growth of the residual by rounding of an angle reduced by 2 pi */
#define RESIDUAL_PER_TURN 1e-9
/* distance of the change of an angle from whole turns [rad]: the rotation is periodic */
#define TURN_SETTLED 0.1
#define ANGLE_LIMIT 1e6 /* change of an angle per period [rad] beyond which the run diverges */
/* relative to the period: difference of the times of rows, which are sums of steps */
#define TIME_SAME 1e-6
/* relative: drift per period against the width, and against the period before; a transient changes
 * more */
#define DRIFT_SAME 1e-3
#define RUN_RTOL 1e-6 /* relative tolerance of the run: a guess needs no more */
/* relative to the period: step of the differences that give velocities of a guess */
#define RATE_STEP 1e-4
/* growth of the residual that is rounding: an angle that the equations do not have in a periodic
 * form changes it by far more */
#define RESIDUAL_SAME 10

static double residual_of(zw_forced *f, double value) {
    zw_cont_problem p = zw_harmonic_problem(f->balance);
    double largest = 0;
    if (p.residual(p.self, f->x, value, f->b, NULL) != ZW_OK)
        return INFINITY;
    for (int i = 0; i < p.n; i++)
        largest = fmax(largest, fabs(f->b[i]));
    return largest;
}

/* Reduces the mean of an angle by whole turns, if the equations do not change. */
static void reduce_angles(zw_forced *f, double value) {
    int n = zw_harmonic_coefficients(f->balance);
    for (int i = 0; i < f->sys->nq && !f->options.odd; i++) {
        double mean = f->x[i * n], turns = round(mean / (2 * M_PI));
        if (turns == 0 || strcmp(f->sys->coord[i].unit, "rad") != 0)
            continue;
        double before = residual_of(f, value);
        f->x[i * n] = mean - 2 * M_PI * turns;
        if (!(residual_of(f, value) <= RESIDUAL_SAME * before + RESIDUAL_PER_TURN * fabs(turns)))
            f->x[i * n] = mean;
    }
}

static zw_status solve_from_guess(zw_forced *f, double value, zw_error *err) {
    zw_error trouble = {0};
    zw_status status = zw_forced_refine(f, value, &trouble);
    if (status >= 0) {
        reduce_angles(f, value);
        status =
            zw_forced_refine(f, value, &trouble); /* errors are relative to a smaller motion now */
    }
    if (status == ZW_E_MEMORY || status == ZW_E_MODEL || status == ZW_E_DOMAIN) {
        if (err && !err->status)
            *err = trouble;
        return status;
    }
    return status < 0 ? ZW_RETRY : ZW_OK;
}

static void clear_guess(zw_forced *f) {
    memset(f->x, 0, sizeof(double) * (size_t)zw_harmonic_problem(f->balance).n);
}

/* ------------------------------------------------------------------------------- from the start */

/* coefficients of one function from its values at the points of a period */
static void project_function(const zw_forced *f, const double *v, int stride, double *out) {
    int n = zw_harmonic_coefficients(f->balance), step = f->options.odd ? 2 : 1;
    for (int k = 0, h = f->options.odd ? 1 : 0; k < n; h += step) {
        double c = 0, s = 0;
        for (int i = 0; i < POINTS; i++) {
            double tau = 2 * M_PI * i / POINTS;
            c += v[i * stride] * cos(h * tau);
            s += v[i * stride] * sin(h * tau);
        }
        bool resolved = 2 * h < POINTS;
        out[k++] = resolved ? (h ? 2 : 1) * c / POINTS : 0;
        if (h)
            out[k++] = resolved ? 2 * s / POINTS : 0;
    }
}

/* the same from a column of the last period, without its mean rotation */
static void project_column(const zw_forced *f, const zw_table *rows, const long *row, int column,
                           double turns, double *out) {
    double v[POINTS];
    for (int i = 0; i < POINTS; i++)
        v[i] = zw_table_at(rows, row[i], column) - turns * 2 * M_PI * i / POINTS;
    project_function(f, v, 1, out);
}

const char *zw_forced_function_name(const zw_forced *f, int i) {
    const zw_system *s = f->sys;
    int moving = f->nfunction - f->eq.nc;
    if (i < s->nq)
        return s->coord[i].name;
    return i < moving ? s->velocity[i - s->nq].name
                      : zw_expr_name(s->ctx, f->eq.lambda[i - moving]);
}

/* an error if an angle rotates: it differs from a period before by whole turns */
static zw_status reject_rotation(const zw_forced *f, const zw_table *rows, const long *row,
                                 zw_error *err) {
    for (int i = 0; i < f->sys->nq; i++) {
        int column = zw_table_find(rows, f->sys->coord[i].name);
        if (column < 0)
            continue;
        double change = zw_table_at(rows, row[POINTS], column) - zw_table_at(rows, row[0], column),
               winding = f->winding ? f->winding[i] : 0, turns = round(change / (2 * M_PI));
        bool settled = strcmp(f->sys->coord[i].unit, "rad") == 0 &&
                       fabs(change - 2 * M_PI * turns) < TURN_SETTLED && fabs(change) < ANGLE_LIMIT;
        if (!settled || turns == winding) /* it rests, decays, or diverges */
            continue;
        if (turns == 0) /* it does not rotate here: no guess */
            return ZW_RETRY;
        zw_fail(
            err, ZW_E_MODEL,
            "%s rotates by %.4g rad per period%s, so it is not periodic and has no Fourier series",
            f->sys->coord[i].name, change, winding != 0 ? ", which differs from --winding" : "");
        zw_error_hint(err,
                      "give --winding \"%s=%.0f\" (turns per period); or use the angle relative to "
                      "a rotating frame as the coordinate",
                      f->sys->coord[i].name, turns);
        return ZW_E_MODEL;
    }
    return ZW_OK;
}

/* finds the rows of the last period, without the rows of events */
static bool find_rows(const zw_table *rows, double period, double until, long *row) {
    long i = zw_table_rows(rows) - 1;
    for (int k = POINTS; k >= 0; k--) {
        double t = until - period * (POINTS - k) / POINTS;
        while (i >= 0 && zw_table_at(rows, i, 0) > t + TIME_SAME * period)
            i--;
        if (i < 0 || fabs(zw_table_at(rows, i, 0) - t) > TIME_SAME * period)
            return false;
        row[k] = i;
    }
    return true;
}

/* Records a coordinate that changes by the same amount in each of the last two periods. */
static void record_drift(zw_forced *f, const zw_table *rows, const long *row, double period) {
    long before[POINTS + 1];
    f->drift_coordinate = -1;
    if (!find_rows(rows, period, zw_table_at(rows, row[0], 0), before))
        return;
    for (int i = 0; i < f->sys->nq; i++) {
        int c = zw_table_find(rows, f->sys->coord[i].name);
        double now = c < 0 ? 0 : zw_table_at(rows, row[POINTS], c) - zw_table_at(rows, row[0], c),
               last = c < 0 ? 0 : zw_table_at(rows, row[0], c) - zw_table_at(rows, before[0], c);
        if (fabs(now) > DRIFT_SAME * f->width[i] && fabs(now - last) <= DRIFT_SAME * fabs(now)) {
            f->drift_coordinate = i;
            f->drift = now;
            return;
        }
    }
}

zw_status zw_forced_run_start(zw_forced *f, double value, double until, double step, zw_sim **sim,
                              zw_error *err) {
    zw_sim_options o = zw_sim_options_default();
    zw_sim_number number[2];
    zw_sim_numbers numbers = {.nparam = zw_forced_run_parameters(f, value, number),
                              .param = number};
    o.numbers = &numbers;
    o.until = until;
    o.step_out = step;
    o.run.rtol = RUN_RTOL;
    zw_status status = zw_sim_create(sim, f->sys, NULL, &o, err);
    if (status >= 0)
        status = zw_sim_run(*sim, err);
    return status;
}

/* the guess from the last period of a run; ZW_RETRY: there is none */
static zw_status guess_by_run(zw_forced *f, double value, zw_error *err) {
    zw_sim *sim = NULL;
    zw_error trouble = {0};
    double w = 1, slope;
    long row[POINTS + 1];
    if (f->options.settle < 1)
        return ZW_RETRY;
    zw_status status = zw_forced_set(f, value, f->now, &w, &slope, &trouble);
    if (status >= 0)
        status = zw_forced_run_start(f, value, 2 * M_PI / w * f->options.settle,
                                     2 * M_PI / w / POINTS, &sim, &trouble);
    const zw_table *rows = sim ? zw_sim_rows(sim) : NULL;
    double period = 2 * M_PI / w;
    if (status < 0 || !find_rows(rows, period, period * f->options.settle, row)) {
        zw_sim_destroy(sim);
        return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_RETRY;
    }
    record_drift(f, rows, row, period);
    status = reject_rotation(f, rows, row, err);
    int n = zw_harmonic_coefficients(f->balance);
    for (int i = 0; status >= 0 && i < f->nfunction; i++) {
        int column = zw_table_find(rows, zw_forced_function_name(f, i));
        if (column >= 0)
            project_column(f, rows, row, column, i < f->sys->nq && f->winding ? f->winding[i] : 0,
                           f->x + (size_t)(i * n));
    }
    zw_sim_destroy(sim);
    return status;
}

static zw_status fail_without_motion(const zw_forced *f, zw_error *err) {
    if (f->drift_coordinate < 0) {
        zw_fail(err, ZW_E_NUMERIC,
                "no %s motion was found from the start of the model, nor from rest",
                zw_forced_has_tones(f) ? "quasi-periodic" : "periodic");
        zw_error_hint(err, zw_forced_has_tones(f)
                               ? "try more starts (--starts 50); the motion may have a further "
                                 "frequency or be chaotic"
                               : "try more starts (--starts 50) or twice the period (--order 2); "
                                 "the motion may be quasi-periodic or chaotic");
        return ZW_E_NUMERIC;
    }
    const zw_coord *c = &f->sys->coord[f->drift_coordinate];
    zw_fail(err, ZW_E_NUMERIC,
            "%s drifts by %.6g%s%s per period of the motion from the start of the model, so it has "
            "no Fourier series; no other periodic motion was found",
            c->name, f->drift, c->unit[0] ? " " : "", c->unit);
    zw_error_hint(err, "response --shooting and orbit support motions that drift");
    return ZW_E_NUMERIC;
}

zw_status zw_forced_find(zw_forced *f, double value, int *number, zw_error *err) {
    ZW_TRY(zw_forced_reject_events(f, "the balance of harmonics", err));
    if (f->shoots)
        return zw_forced_kinks_find(f, value, number, err);
    clear_guess(f);
    f->drift_coordinate = -1;
    zw_status status = f->cycles                ? zw_forced_cycles_guess(f, value, err)
                       : zw_forced_has_tones(f) ? zw_forced_tones_guess(f, value, err)
                                                : guess_by_run(f, value, err);
    ZW_TRY(status);
    if (status == ZW_OK)
        status = solve_from_guess(f, value, err);
    if (status == ZW_RETRY && !f->cycles) {
        clear_guess(f);
        status = solve_from_guess(f, value, err);
    }
    ZW_TRY(status);
    if (status == ZW_RETRY)
        return fail_without_motion(f, err);
    int known = zw_forced_find_known(f, value, f->x);
    if (known < 0) {
        ZW_TRY(zw_forced_add_motion(f, value, true, NULL, ZW_BIFURCATION_POINT, -1, err));
        known = f->nmotion - 1;
    }
    if (number)
        *number = known;
    return ZW_OK;
}

/* --------------------------------------------------------------------------------- other starts */

/* the fraction with the digits of i in reverse order */
static double radical_inverse(int base, int i) {
    double sum = 0, digit = 1;
    for (; i > 0; i /= base) {
        digit /= base;
        sum += digit * (i % base);
    }
    return sum;
}

/* A start with sizes from a hundredth to ten times those of the model and any phase. Three of seven
 * have a mean as well: starts that are symmetric lead to symmetric motions of any size. */
static void draw_start(zw_forced *f, int i) {
    static const int prime[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    int n = zw_harmonic_coefficients(f->balance), first = f->options.odd ? 0 : 1;
    first += f->options.odd ? 0 : 2 * (f->options.order - 1);
    clear_guess(f);
    for (int k = 0; k < f->sys->nq; k++) {
        double u = radical_inverse(prime[2 * k % 12], i + 1),
               v = radical_inverse(prime[(2 * k + 1) % 12], i + 1);
        double size = f->width[k] * pow(10, -2 + 3 * u);
        if (!f->options.odd && i % 7 > 3) /* a base that few of the others use */
            f->x[k * n] += 2 * size * (2 * radical_inverse(prime[(2 * k + 2) % 12], i + 1) - 1);
        f->x[k * n + first] = size * cos(2 * M_PI * v);
        f->x[k * n + first + 1] = size * sin(2 * M_PI * v);
        for (int j = 1; j < f->tones.n; j++) { /* the other excitations */
            double phase = 2 * M_PI * radical_inverse(prime[(2 * k + 2 * j) % 12], i + 1);
            f->x[k * n + first + 2 * j] = size * cos(phase);
            f->x[k * n + first + 2 * j + 1] = size * sin(phase);
        }
        if (f->options.order > 1) { /* a subharmonic, which the excitation alone does not have */
            f->x[k * n + 1] = 0.5 * size * cos(4 * M_PI * v);
            f->x[k * n + 2] = 0.5 * size * sin(4 * M_PI * v);
        }
    }
}

/* velocities that are time derivatives of coordinates, by differences: a guess */
static void guess_rates(zw_forced *f, double w, double t, double *x) {
    const zw_system *s = f->sys;
    double h = RATE_STEP * 2 * M_PI / w, *neighbour[] = {f->y, f->finer_x};
    for (int i = 0; i < 2; i++)
        zw_harmonic_state(f->balance, f->x, w, i ? t + h : t - h, neighbour[i], NULL);
    for (int k = 0; k < s->nv; k++) {
        int c = s->velocity[k].coord;
        if (c >= 0)
            x[s->nq + k] = (neighbour[1][c] - neighbour[0][c]) / (2 * h);
    }
}

/* Makes velocities that are functions of their own consistent with the coordinates, and both
 * with the constraints, at all points of the period: independent random series are far from any
 * motion. */
static zw_status put_on_constraints(zw_forced *f, double value, zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    int n = zw_harmonic_coefficients(f->balance), nx = f->kernel->nx;
    double w, slope, *x = ZW_NEW(&f->arena, double, POINTS *nx + 1);
    zw_status status = ZW_OK;
    if (!x)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_forced_set(f, value, f->now, &w, &slope, err));
    ZW_TRY(zw_flow_set_parameters(f->flow, f->now, err));
    for (int i = 0; i < POINTS && status >= 0; i++) {
        double *at = x + (size_t)(i * nx), t = 2 * M_PI / w * i / POINTS;
        zw_error ignored = {0};
        zw_harmonic_state(f->balance, f->x, w, t, at, NULL);
        guess_rates(f, w, t, at);
        status = zw_flow_project(f->flow, t, at, NULL, &ignored);
    }
    for (int k = 0; k < nx && status >= 0; k++)
        project_function(f, x + k, nx, f->x + (size_t)(k * n));
    zw_arena_release(&f->arena, mark);
    return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : status < 0 ? ZW_RETRY : ZW_OK;
}

zw_status zw_forced_search(zw_forced *f, double value, int starts, int *found, zw_error *err) {
    int new = 0;
    ZW_TRY(zw_forced_reject_events(f, "the balance of harmonics", err));
    if (f->cycles)
        return zw_fail(err, ZW_E_OPTION,
                       "--starts needs a driven model: the frequency of a limit cycle is not known "
                       "in advance");
    if (f->shoots)
        return zw_forced_kinks_search(f, value, starts, found, err);
    for (int i = 0; i < starts && !f->stopped && !f->needs_shooting; i++) {
        draw_start(f, i);
        zw_status status = ZW_OK;
        if (f->nfunction - f->eq.nc > f->sys->nq && f->eq.nc)
            status = put_on_constraints(f, value, err);
        if (status == ZW_OK)
            status = solve_from_guess(f, value, err);
        ZW_TRY(status);
        if (status == ZW_OK && zw_forced_find_known(f, value, f->x) < 0) {
            ZW_TRY(zw_forced_add_motion(f, value, true, NULL, ZW_BIFURCATION_POINT, -1, err));
            new ++;
        }
        f->stopped =
            f->options.stop && f->options.stop(f->options.stop_user, (double)(i + 1) / starts);
    }
    if (found)
        *found = new;
    return ZW_OK;
}
