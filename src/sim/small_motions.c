/* SPDX-License-Identifier: MIT */
/* Motions that are small compared with the tolerances. A method keeps the error of a step within
 * rtol |x| + atol for each entry x of the state, which does not control an entry that never moves
 * by more than a few times that. An oscillator of a nanometre, with atol = 1e-10 m for all
 * coordinates, is integrated in steps that do not resolve it.
 *
 * A coordinate and its velocity are resolved if one of them is: the steps that one needs suffice
 * for the other. So, at the end of a run, over the rows,
 *
 *     max x - min x < ATOL_UNITS atol + RTOL_UNITS rtol max |x|  and  max |v| < ATOL_UNITS atol
 *
 * causes a warning, unless the coordinate moves by less than AT_REST of its tolerance, which is
 * round-off. A state of first order has no velocity and is judged alone. ATOL_UNITS: a motion of
 * that many absolute errors is known to five digits; RTOL_UNITS: to two digits, since the error is
 * relative to the largest value, which may be far from 0. */
#include <math.h>
#include <stdio.h>

#include "internal.h"

static const double ATOL_UNITS = 1e5, RTOL_UNITS = 100, AT_REST = 0.1;

typedef struct range {
    double moves; /* largest minus smallest value */
    double size;  /* largest magnitude */
} range;

static range range_of(const zw_sim *sim, int column) {
    double low = INFINITY, high = -INFINITY;
    for (long row = 0; row < zw_table_rows(sim->rows); row++) {
        double value = zw_table_at(sim->rows, row, column);
        low = fmin(low, value);
        high = fmax(high, value);
    }
    return (range){high - low, fmax(fabs(low), fabs(high))};
}

static double range_accuracy(const zw_sim *sim, range r) {
    return sim->options.run.rtol * r.size + sim->options.run.atol;
}

static bool is_small(const zw_sim *sim, range r) {
    const zw_run_options *o = &sim->options.run;
    return r.moves < ATOL_UNITS * o->atol + RTOL_UNITS * o->rtol * r.size &&
           r.moves > AT_REST * range_accuracy(sim, r);
}

static bool is_slow(const zw_sim *sim, int column) {
    return range_of(sim, column).size < ATOL_UNITS * sim->options.run.atol;
}

static void warn_small(const zw_sim *sim, const zw_coord *c, int column, range r) {
    char key[96];
    snprintf(key, sizeof key, "size of %.80s", c->name);
    zw_warning d =
        zw_warning_of(key, NAN,
                      "%s moves by only %.2g %s, which is small compared with its accuracy: the "
                      "tolerances allow an error of %.2g in every step",
                      c->name, r.moves, zw_table_unit(sim->rows, column), range_accuracy(sim, r));
    double wanted = pow(10, floor(log10(r.moves)) - 9);
    zw_warning_place(&d, c->place);
    if (sim->options.run.atol > wanted && range_accuracy(sim, r) < 2 * sim->options.run.atol)
        zw_warning_hint(&d, "use a smaller absolute tolerance: --atol %.0e", wanted);
    else
        zw_warning_hint(&d, "smaller tolerances, --rtol and --atol, or the distance from where it "
                            "rests as the coordinate");
    zw_warnings_add(sim->doubts, &d);
}

void zw_sim_warning_small(const zw_sim *sim) {
    const zw_system *s = zw_sim_now(sim)->sys;
    if (sim->options.run.step > 0 || zw_table_rows(sim->rows) < 2)
        return;
    for (int i = 0; i < s->nq; i++) {
        const zw_coord *c = &s->coord[i];
        char rate[160];
        snprintf(rate, sizeof rate, "%.150s'", c->name);
        int column = zw_table_find(sim->rows, c->name), velocity = zw_table_find(sim->rows, rate);
        if (column < 0 || (velocity < 0 && !c->state) || zw_system_delay_of(s, i))
            continue;
        range x = range_of(sim, column);
        if (is_small(sim, x) && (c->state || is_slow(sim, velocity)))
            warn_small(sim, c, column, x);
    }
}
