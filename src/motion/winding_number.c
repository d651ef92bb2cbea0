/* SPDX-License-Identifier: MIT */
#include "winding_number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STATES = 3, ENTRIES = 256, TURNS_MAX = 1000000 };

/* Relative to the largest rate: round-off of rates with angles that are turned by 2 pi. A model
 * that does not repeat changes by its own size. */
#define RATE_ROUNDOFF 1e-9

bool zw_winding_repeats(zw_flow *flow, int i, double length) {
    int nx = zw_flow_kernel(flow)->nx;
    double x[ENTRIES], u[ENTRIES], v[ENTRIES];
    for (int s = 0; s < STATES && nx <= ENTRIES; s++) {
        double size = 0, off = 0;
        for (int k = 0; k < nx; k++) /* any state without symmetry */
            x[k] = 0.3 + 0.1 * k + 0.37 * s * cos(2.0 * k);
        if (zw_flow_rates(flow, 0, x, u, NULL, NULL) < 0)
            continue;
        x[i] += length;
        if (zw_flow_rates(flow, 0, x, v, NULL, NULL) < 0)
            continue;
        for (int k = 0; k < nx; k++) {
            size = fmax(size, fabs(u[k]));
            off = fmax(off, fabs(u[k] - v[k]));
        }
        if (!(off <= RATE_ROUNDOFF * size))
            return false;
    }
    return nx <= ENTRIES;
}

double zw_winding_turn(const zw_system *sys, zw_flow *flow, const double *p, int i, int over) {
    zw_expr length = sys->coord[i].period, symbol[ENTRIES];
    if (length && sys->np <= ENTRIES &&
        (over < 0 || !zw_depends(sys->ctx, length, sys->param[over].sym))) {
        for (int k = 0; k < sys->np; k++)
            symbol[k] = sys->param[k].sym;
        double turn = zw_eval(sys->ctx, length, sys->np, symbol, p);
        if (turn > 0 && isfinite(turn) && zw_winding_repeats(flow, i, turn))
            return turn;
    }
    return zw_winding_repeats(flow, i, 2 * M_PI) ? 2 * M_PI : 0;
}

zw_status zw_winding_read(const zw_system *sys, zw_flow *flow, const char *text, double *turns,
                          zw_error *err) {
    const char *s = text;
    while (*s) {
        char name[64];
        double whole;
        int used = 0, i = 0;
        if (sscanf(s, " %63[^= ,] = %lf %n", name, &whole, &used) != 2 || whole != round(whole) ||
            !(fabs(whole) < TURNS_MAX) || (s[used] && s[used] != ',')) {
            zw_fail(err, ZW_E_OPTION, "--winding %.60s: whole turns of angles are expected", s);
            zw_error_hint(err, "--winding \"phi=1\", several with commas");
            return ZW_E_OPTION;
        }
        while (i < sys->nq && strcmp(sys->coord[i].name, name) != 0)
            i++;
        if (i == sys->nq)
            return zw_fail(err, ZW_E_NAME, "--winding: there is no coordinate %s", name);
        turns[i] = whole;
        if (!zw_winding_repeats(flow, i, 2 * M_PI)) {
            zw_fail(err, ZW_E_OPTION,
                    "--winding %s: the equations do not repeat after a turn of it", name);
            zw_error_hint(err, "it must occur in sines and cosines alone, in radians");
            return ZW_E_OPTION;
        }
        s += used + (s[used] == ',');
    }
    return ZW_OK;
}
