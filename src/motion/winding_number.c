/* SPDX-License-Identifier: MIT */
#include "winding_number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"

enum { STATES = 3, TURNS_MAX = 1000000 };

/* Relative to the largest rate: round-off of rates with angles that are turned by 2 pi. A model
 * that does not repeat changes by its own size. */
#define RATE_ROUNDOFF 1e-9

/* x, u, v: nx, work */
static bool rates_repeat(zw_flow *flow, int i, double length, double *x, double *u, double *v) {
    int nx = zw_flow_kernel(flow)->nx;
    for (int s = 0; s < STATES; s++) {
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
    return true;
}

zw_status zw_winding_repeats(zw_flow *flow, int i, double length, bool *repeats, zw_error *err) {
    const zw_kernel *kernel = zw_flow_kernel(flow);
    zw_allocator alloc = kernel->alloc.fn ? kernel->alloc : zw_allocator_default();
    size_t nx = (size_t)kernel->nx, size = sizeof(double) * (3 * nx + 1);
    double *x = zw_allocate(&alloc, size);
    if (!x)
        return zw_out_of_memory(err, NULL);
    *repeats = rates_repeat(flow, i, length, x, x + nx, x + 2 * nx);
    zw_release(&alloc, x, size);
    return ZW_OK;
}

/* the length of the model with these parameters; 0: not positive */
static zw_status declared_length(const zw_system *sys, const double *p, int i, double *length,
                                 zw_error *err) {
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    size_t size = sizeof(zw_expr) * (size_t)(sys->np + 1);
    zw_expr *symbol = zw_allocate(&alloc, size);
    if (!symbol)
        return zw_out_of_memory(err, NULL);
    for (int k = 0; k < sys->np; k++)
        symbol[k] = sys->param[k].sym;
    double value = zw_eval(sys->ctx, sys->coord[i].period, sys->np, symbol, p);
    *length = value > 0 && isfinite(value) ? value : 0;
    zw_release(&alloc, symbol, size);
    return ZW_OK;
}

zw_status zw_winding_turn(const zw_system *sys, zw_flow *flow, const double *p, int i, int over,
                          double *turn, zw_error *err) {
    zw_expr length = sys->coord[i].period;
    bool repeats = false;
    *turn = 0;
    if (length && (over < 0 || !zw_depends(sys->ctx, length, sys->param[over].sym)))
        ZW_TRY(declared_length(sys, p, i, turn, err));
    if (*turn > 0)
        ZW_TRY(zw_winding_repeats(flow, i, *turn, &repeats, err));
    if (repeats)
        return ZW_OK;
    ZW_TRY(zw_winding_repeats(flow, i, 2 * M_PI, &repeats, err));
    *turn = repeats ? 2 * M_PI : 0;
    return ZW_OK;
}

zw_status zw_winding_read(const zw_system *sys, zw_flow *flow, const char *text, double *turns,
                          zw_error *err) {
    const char *s = text;
    while (*s) {
        char name[64];
        double whole;
        bool repeats;
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
        ZW_TRY(zw_winding_repeats(flow, i, 2 * M_PI, &repeats, err));
        if (!repeats) {
            zw_fail(err, ZW_E_OPTION,
                    "--winding %s: the equations do not repeat after a turn of it", name);
            zw_error_hint(err, "it must occur in sines and cosines alone, in radians");
            return ZW_E_OPTION;
        }
        s += used + (s[used] == ',');
    }
    return ZW_OK;
}
