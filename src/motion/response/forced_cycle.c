/* SPDX-License-Identifier: MIT */
/* Limit cycles by the balance of harmonics: nothing says their frequency, so it is one more
 * unknown, behind the coefficients, and their phase is free. The first one is a guess from the
 * orbit to which the start of the model leads (zwang/orbits.h). A curve of them ends where they
 * shrink to rest: the parameter is even in the amplitude there, so that the squares of two of the
 * last motions tell the value. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "forced.h"
#include "motion/harmonic/balance.h"
#include "zwang/claims.h"
#include "zwang/orbits.h"

enum { POINTS = 256 }; /* of a period */
#define SHRUNK 1e-3    /* of the largest square of a motion: that of one next to rest */

zw_status zw_forced_cycles_check(zw_forced *f, zw_error *err) {
    zw_classification is;
    zw_error trouble = {0};
    if (!f->options.cycles)
        return ZW_OK;
    const char *driven = f->options.with        ? "values of a second parameter"
                         : f->options.order > 1 ? "several periods of a drive"
                         : f->options.winding   ? "turns in a period of the drive"
                                                : NULL;
    if (driven) {
        zw_fail(err, ZW_E_OPTION, "nothing is driven periodically, and %s are not for cycles",
                driven);
        zw_error_hint(err, "zwang continue follows cycles by collocation");
        return ZW_E_OPTION;
    }
    zw_status status = zw_classify(&is, f->sys, f->options.active, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; status >= 0 && i < is.nconserved; i++)
        if (!is.conserved[i].observed && strncmp(is.conserved[i].name, "momentum", 8) != 0) {
            zw_fail(err, ZW_E_MODEL,
                    "nothing is driven periodically, and the %s stays: periodic motions are no "
                    "cycles, but form families",
                    is.conserved[i].name);
            zw_error_hint(err, "zwang backbone follows them by harmonics, zwang continue --over "
                               "energy=A:B by collocation");
            return ZW_E_MODEL;
        }
    f->cycles = true;
    f->cycle_w = 1;
    return ZW_OK;
}

zw_status zw_forced_refuse_cycles(const zw_forced *f, const char *what, zw_error *err) {
    if (!f->cycles)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "nothing is driven periodically: %s is about driven motions", what);
    zw_error_hint(
        err, "zwang continue follows cycles by collocation; --values goes from value to value");
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
            for (int p = 0; p < POINTS && 2 * h < POINTS; p++) {
                double tau = 2 * M_PI * h * p / POINTS;
                sum += state[p * nx + i] * (sine ? sin(tau) : cos(tau));
            }
            out[i * n + k] = (h ? 2 : 1) * sum / POINTS;
        }
}

static zw_status take_orbit(zw_forced *f, const zw_orbits *o, int number, zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    int nx = f->kernel->nx;
    double *state = ZW_NEW(&f->arena, double, POINTS *nx + 1);
    if (!state)
        return zw_out_of_memory(err, NULL);
    for (int p = 0; p < POINTS; p++)
        zw_orbits_state(o, number, (double)p / POINTS, state + (size_t)(p * nx));
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

/* the product of what two motions do beside their means, in their sizes */
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
    bool known = f->cycle_before && f->cycle_top == f->top,
         through = known && moving_product(f, x, f->cycle_before) < 0,
         small = square < SHRUNK * f->cycle_most;
    if (known && (through || small) && f->cycle_last != square) {
        double slope = (value - f->cycle_value) / (square - f->cycle_last);
        *born = value - slope * square;
        return true;
    }
    if (!known)
        f->cycle_before = ZW_NEW(&f->arena, double, all + 1);
    if (f->cycle_before)
        memcpy(f->cycle_before, x, sizeof(double) * (size_t)all);
    f->cycle_top = f->top;
    f->cycle_most = fmax(f->cycle_most, square);
    f->cycle_last = square;
    f->cycle_value = value;
    return false;
}
