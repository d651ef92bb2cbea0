/* SPDX-License-Identifier: MIT */
/* Derivatives of minima with respect to parameters: those of `over` and `with`, and those that the
 * options name. A parameter is displaced together with all parameters defined by it and with the
 * excitation frequency. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/units.h"
#include "forced_gauss.h"

/* relative to the size of a parameter: step of differences of fourth order, truncation 1e-16,
 * round-off eps/step = 2e-12; near the best step eps^(1/5) = 7e-4 */
#define SENSITIVITY_STEP 1e-4

zw_status zw_forced_gauss_set(void *user, double value, double *p, double *w, double *w_slope,
                              zw_error *err) {
    zw_forced_gauss *g = user;
    zw_forced *f = g->f;
    double base;
    ZW_TRY(zw_forced_set(f, value, p, w, w_slope, err));
    if (g->displaced < 0)
        return ZW_OK;
    bool given = f->given[g->displaced];
    p[g->displaced] += g->displacement;
    f->given[g->displaced] = true;
    zw_status status = zw_system_param_follow(f->sys, f->given, p, err);
    f->given[g->displaced] = given;
    ZW_TRY(status);
    ZW_TRY(zw_forcing_base(&f->forcing, p, &base, NULL, err));
    *w = base / f->options.order;
    return ZW_OK;
}

static void set_displacement(void *user, double s) {
    ((zw_forced_gauss *)user)->displacement = s;
}

/* ----------------------------------------------------------------------------------- which ones */

static void add_slope(zw_forced_gauss *g, int parameter, const char *unit, double factor) {
    for (int i = 0; i < g->nslope; i++)
        if (g->slope[i].parameter == parameter)
            return;
    g->slope[g->nslope++] = (zw_forced_slope){
        .parameter = parameter,
        .name = g->f->sys->param[parameter].name,
        .unit = unit,
        .factor = factor,
    };
}

static zw_status add_named(zw_forced_gauss *g, const char *name, int length, zw_error *err) {
    const zw_system *s = g->f->sys;
    for (int i = 0; i < s->np; i++)
        if (strncmp(s->param[i].name, name, (size_t)length) == 0 && !s->param[i].name[length]) {
            const char *unit = s->param[i].unit;
            zw_unit u;
            bool known = zw_unit_parse(&u, unit, strlen(unit), (zw_place){0}, NULL) >= 0;
            add_slope(g, i, unit, known ? u.factor : 1);
            return ZW_OK;
        }
    zw_fail(err, ZW_E_NAME, "--sensitivity: the model has no parameter %.*s", length, name);
    zw_error_hint(err, s->np ? "such as %s" : "it has none at all", s->np ? s->param[0].name : "");
    return ZW_E_NAME;
}

/* "k, c": names separated by commas */
static zw_status add_list(zw_forced_gauss *g, const char *text, zw_error *err) {
    while (*text) {
        text += strspn(text, " \t,");
        int length = (int)strcspn(text, " \t,");
        if (length > 0)
            ZW_TRY(add_named(g, text, length, err));
        text += length;
    }
    return ZW_OK;
}

zw_status zw_forced_gauss_read_slopes(zw_forced_gauss *g, zw_error *err) {
    const zw_forced *f = g->f;
    int functions = g->n / g->per_function, slopes_max = f->sys->np + 1;
    g->slope = ZW_NEW(&g->arena, zw_forced_slope, slopes_max);
    g->slopes = ZW_NEW(&g->arena, double, slopes_max *(functions + 1));
    g->dx = ZW_NEW(&g->arena, double, g->n + 1);
    if (g->arena.failed)
        return zw_out_of_memory(err, NULL);
    if (f->has_over)
        add_slope(g, f->over.parameter, f->over.unit, f->over.factor);
    if (f->options.with)
        add_slope(g, f->options.with->of.parameter, f->options.with->of.unit,
                  f->options.with->of.factor);
    for (int i = 0; i < g->options.nsensitivity; i++)
        ZW_TRY(add_list(g, g->options.sensitivity[i], err));
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- values */

int zw_forced_gauss_sensitivities(const zw_forced_gauss *g) {
    return g->nslope;
}

zw_status zw_forced_gauss_sensitivity(zw_forced_gauss *g, const zw_forced_minimum *m, int i,
                                      const char **name, const char **unit, double *G, double *rms,
                                      zw_error *err) {
    const zw_forced_slope *s = &g->slope[i];
    zw_gauss_sensitivity found = {.x = g->dx};
    zw_error failure = {0};
    int functions = g->n / g->per_function;
    double w, slope;
    *name = s->name;
    *unit = s->unit;
    *G = NAN;
    for (int k = 0; k < functions; k++)
        rms[k] = NAN;
    if (m->bounded || !m->result.converged)
        return ZW_OK;
    ZW_TRY(zw_forced_set(g->f, g->value, g->f->now, &w, &slope, err));
    double size = fabs(g->f->now[s->parameter]);
    g->displaced = s->parameter;
    zw_status status = zw_gauss_integral_sensitivity(
        g->integral, m->x, g->value, set_displacement, g,
        SENSITIVITY_STEP * (size > 0 ? size : s->factor), &found, &failure);
    g->displaced = -1;
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (status < 0)
        return ZW_OK;
    *G = found.G * s->factor;
    for (int k = 0; k < functions; k++)
        rms[k] = zw_gauss_integral_rms_slope(g->integral, m->x, g->dx, k) * s->factor;
    return ZW_OK;
}

zw_status zw_forced_gauss_derive(zw_forced_gauss *g, const zw_forced_minimum *m, zw_error *err) {
    int per_slope = 1 + g->n / g->per_function;
    const char *name, *unit;
    for (int i = 0; i < g->nslope; i++)
        ZW_TRY(zw_forced_gauss_sensitivity(g, m, i, &name, &unit, &g->slopes[i * per_slope],
                                           &g->slopes[i * per_slope + 1], err));
    return ZW_OK;
}
