/* SPDX-License-Identifier: MIT */
/* Limit cycles by harmonic balance: their frequency is not given, so it is one more unknown, after
 * the coefficients, and their phase is free. The first guess is the orbit that the start of the
 * model leads to (zwang/orbits.h). A curve of cycles ends where they shrink to rest: there the
 * parameter is an even function of the amplitude, so that the squares of the last two motions give
 * the value by extrapolation. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "forced.h"
#include "motion/harmonic/balance.h"
#include "zwang/claims.h"
#include "zwang/orbits.h"

enum { PERIOD_POINTS = 256 }; /* points of a period */
/* relative to the largest square of the curve: that of a motion next to rest; with smaller ones
 * rounding would hide the amplitude, with larger ones the extrapolation is less exact */
#define SQUARE_AT_REST 1e-3

zw_status zw_forced_cycles_check(zw_forced *f, zw_error *err) {
    zw_classification classification;
    zw_error trouble = {0};
    if (!f->options.cycles)
        return ZW_OK;
    const char *driven = f->options.with        ? "values of a second parameter"
                         : f->options.order > 1 ? "--order above 1"
                         : f->options.winding   ? "--winding"
                                                : NULL;
    if (driven) {
        zw_fail(err, ZW_E_OPTION,
                "the model has no periodic excitation, and limit cycles do not support %s", driven);
        zw_error_hint(err, "zwang orbit --over follows cycles by collocation");
        return ZW_E_OPTION;
    }
    zw_status status = zw_classify(&classification, f->sys, f->options.active, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; status >= 0 && i < classification.nconserved; i++)
        if (!classification.conserved[i].observed &&
            strncmp(classification.conserved[i].name, "momentum", 8) != 0) {
            zw_fail(err, ZW_E_MODEL,
                    "the model has no periodic excitation, and the %s is conserved: its periodic "
                    "motions form families, not limit cycles",
                    classification.conserved[i].name);
            zw_error_hint(err, "zwang backbone follows them by harmonics, zwang orbit --over "
                               "energy=A:B by collocation");
            return ZW_E_MODEL;
        }
    f->cycles = true;
    f->cycle_w = 1;
    return ZW_OK;
}

zw_status zw_forced_reject_cycles(const zw_forced *f, const char *what, zw_error *err) {
    if (!f->cycles)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "the model has no periodic excitation, and %s needs one", what);
    zw_error_hint(err,
                  "zwang orbit follows cycles by collocation; --values goes from value to value");
    return ZW_E_OPTION;
}

double zw_forced_frequency(const zw_forced *f, const double *x, double w) {
    return f->cycles ? x[f->nfunction * zw_harmonic_coefficients(f->balance)] : w;
}

/* ------------------------------------------------------------------------------------ the guess */

/* the coefficients of every function of the state from points of a period */
static void project_states(const zw_forced *f, const double *state, int nx, double *out) {
    int n = zw_harmonic_coefficients(f->balance), moving = f->nfunction - f->eq.nc;
    for (int i = 0; i < moving; i++)
        for (int k = 0; k < n; k++) {
            int h = f->options.odd ? 2 * (k / 2) + 1 : (k + 1) / 2;
            bool sine = f->options.odd ? k % 2 == 1 : k > 0 && k % 2 == 0;
            double sum = 0;
            for (int p = 0; p < PERIOD_POINTS && 2 * h < PERIOD_POINTS; p++) {
                double tau = 2 * M_PI * h * p / PERIOD_POINTS;
                sum += state[p * nx + i] * (sine ? sin(tau) : cos(tau));
            }
            out[i * n + k] = (h ? 2 : 1) * sum / PERIOD_POINTS;
        }
}

static zw_status take_orbit(zw_forced *f, const zw_orbits *o, int number, zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    int nx = f->kernel->nx;
    double *state = ZW_NEW(&f->arena, double, PERIOD_POINTS *nx + 1);
    if (!state)
        return zw_out_of_memory(err, NULL);
    for (int p = 0; p < PERIOD_POINTS; p++)
        zw_orbits_state(o, number, (double)p / PERIOD_POINTS, state + (size_t)(p * nx));
    project_states(f, state, nx, f->x);
    zw_arena_release(&f->arena, mark);
    f->cycle_w = 2 * M_PI / zw_orbits_at(o, number)->period;
    f->x[f->nfunction * zw_harmonic_coefficients(f->balance)] = f->cycle_w;
    return ZW_OK;
}

zw_status zw_forced_cycles_guess(zw_forced *f, double value, zw_error *err) {
    zw_orbits_options options = zw_orbits_options_default();
    zw_orbits *o = NULL;
    zw_error trouble = {0};
    int number;
    options.over = f->options.over;
    options.active = f->options.active;
    zw_status status = zw_orbits_create(&o, f->sys, &options, &trouble);
    if (status >= 0)
        status = zw_orbits_find(o, value, &number, &trouble);
    if (status >= 0)
        status = take_orbit(f, o, number, &trouble);
    zw_orbits_destroy(o);
    if (status < 0 && err)
        *err = trouble;
    return status;
}

/* -------------------------------------------------------------------------------------- the end */

/* the inner product of two motions without their means, in units of their sizes */
static double moving_product(const zw_forced *f, const double *x, const double *y) {
    int n = zw_harmonic_coefficients(f->balance);
    double sum = 0;
    for (int i = 0; i < f->sys->nq; i++)
        for (int k = f->options.odd ? 0 : 1; k < n; k++)
            sum += x[i * n + k] * y[i * n + k] / (f->scale[i] * f->scale[i]);
    return sum;
}

bool zw_forced_cycles_shrink(zw_forced *f, const double *x, double value, double *born) {
    int n = zw_harmonic_coefficients(f->balance), all = f->nfunction * n;
    double square = moving_product(f, x, x);
    bool has_last = f->cycle_last_x && f->cycle_top == f->top,
         passed_rest = has_last && moving_product(f, x, f->cycle_last_x) < 0,
         is_small = square < SQUARE_AT_REST * f->cycle_largest_square;
    if (has_last && (passed_rest || is_small) && f->cycle_last_square != square) {
        double slope = (value - f->cycle_last_value) / (square - f->cycle_last_square);
        *born = value - slope * square;
        return true;
    }
    if (!has_last)
        f->cycle_last_x = ZW_NEW(&f->arena, double, all + 1);
    if (f->cycle_last_x)
        memcpy(f->cycle_last_x, x, sizeof(double) * (size_t)all);
    f->cycle_top = f->top;
    f->cycle_largest_square = fmax(f->cycle_largest_square, square);
    f->cycle_last_square = square;
    f->cycle_last_value = value;
    return false;
}
