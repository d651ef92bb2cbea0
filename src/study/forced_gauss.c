/* SPDX-License-Identifier: MIT */
/* Steady motions as minima of the Gaussian over a period, and what of these is none: a minimum whose value stays above zero when harmonics are
 * added, without an orbit near it. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "forced.h"
#include "zwang/gauss_integral.h"

static void put_minimum(zw_text *out, const zw_forced *f, const zw_gauss_integral *g, int number,
                        const zw_gauss_minimum *m, const zw_gauss_judgement *j) {
    static const char *const verdict[] = {[ZW_GAUSS_MOTION] = "a motion",
                                          [ZW_GAUSS_NOT_CONVERGED] = "not decided",
                                          [ZW_GAUSS_GHOST] = "no motion"};
    zw_text_printf(out, "  %d: %s; G = %.6g from %d start%s\n", number, verdict[j->verdict],
                   m->result.value, m->starts, m->starts == 1 ? "" : "s");
    zw_text_put(out, "    ");
    for (int i = 0; i < f->sys->nq; i++) {
        double c, s;
        zw_gauss_integral_part(g, m->x, i, f->options.order, &c, &s);
        zw_text_printf(out, "%s%s: rms %.9g, first harmonic (%.6g, %.6g)", i ? "; " : "",
                       f->sys->coord[i].name, zw_gauss_integral_rms(g, m->x, i), c, s);
    }
    zw_text_printf(out, "\n    %s\n", j->text);
}

static zw_status list_minima(zw_forced *f, zw_gauss_integral *g, double value, int starts,
                             zw_text *out, int *motions, zw_error *err) {
    zw_gauss_starts from = zw_gauss_starts_default();
    const zw_gauss_minimum *list;
    double width = 0;
    int n;
    for (int i = 0; i < f->sys->nq; i++)
        width = fmax(width, f->width[i]);
    from.halton = starts;
    from.low = -2 * width;
    from.high = 2 * width;
    ZW_TRY(zw_gauss_integral_search(g, value, &from, &list, &n, err));
    zw_text_printf(out, "%s: %d minim%s of the Gaussian over a period\n", f->sys->name, n,
                   n == 1 ? "um" : "a");
    *motions = 0;
    for (int i = 0; i < n; i++) {
        zw_gauss_judgement j;
        ZW_TRY(zw_gauss_integral_judge(g, list[i].x, value, 0, &j, err));
        *motions += j.verdict == ZW_GAUSS_MOTION;
        put_minimum(out, f, g, i, &list[i], &j);
    }
    return ZW_OK;
}

zw_status zw_forced_gauss(zw_forced *f, double value, int harmonics, int starts, char **text,
                          int *motions, zw_error *err) {
    zw_gauss_integral_options o = zw_gauss_integral_options_default();
    zw_gauss_integral *g = NULL;
    zw_text out;
    *text = NULL;
    ZW_TRY(zw_forced_refuse_winding(f, "--gauss", err));
    o.harmonic = zw_forced_list(f, &f->arena, harmonics, f->options.odd, &o.nharmonic);
    if (!o.harmonic)
        return zw_forced_no_memory(err);
    ZW_TRY(zw_gauss_integral_create(&g, f->lanes, f->p, &o, zw_forced_set, f, err));
    zw_text_init(&out, &f->arena.alloc);
    zw_status status = list_minima(f, g, value, starts, &out, motions, err);
    zw_gauss_integral_destroy(g);
    if (status >= 0)
        *text = zw_text_take(&out);
    else
        zw_text_clear(&out);
    return status >= 0 && !*text ? zw_forced_no_memory(err) : status;
}
