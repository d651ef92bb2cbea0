/* SPDX-License-Identifier: MIT */
/* Stability by slowly varying amplitudes (motion/harmonic/balance.h): disturbances grow as exp(s t), in a
 * period P by exp(s P), which replaces the Floquet multipliers. The multipliers of the motion
 * itself are computed as well: where they disagree, amplitudes are not slow, or a motion of few
 * harmonics is no motion. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "forced.h"
#include "motion/harmonic/balance.h"
#include "motion/segments/periodic.h"

/* s P on the imaginary axis: rounding of the eigenvalues beyond their estimated error */
#define GROWTH_ZERO 1e-9
#define GROWTH_MAX 600 /* s P at which exp is cut: a little more overflows */

zw_status zw_forced_slow_make(zw_forced *f, int nharmonic, const int *harmonic, int samples,
                              zw_error *err) {
    zw_slow_options o = zw_slow_options_default();
    zw_slow *slow;
    o.nharmonic = nharmonic;
    o.harmonic = harmonic;
    o.samples = samples;
    o.van_der_pol = f->options.van_der_pol;
    ZW_TRY(zw_slow_create(&slow, f->lanes, &o, err));
    zw_slow_destroy(f->slow);
    f->slow = slow;
    return ZW_OK;
}

static zw_status reserve_spectrum(zw_forced *f, zw_error *err) {
    int n = zw_slow_size(f->slow);
    if (n <= f->slow_capacity)
        return ZW_OK;
    f->slow_capacity = n;
    f->slow_re = ZW_NEW(&f->arena, double, n + 1);
    f->slow_im = ZW_NEW(&f->arena, double, n + 1);
    f->slow_error = ZW_NEW(&f->arena, double, n + 1);
    return zw_arena_status(&f->arena, err);
}

zw_status zw_forced_slow_multipliers(zw_forced *f, const double *x, double w, zw_floquet *out,
                                     zw_error *err) {
    zw_slow_spectrum s;
    double period = 2 * M_PI / w;
    ZW_TRY(reserve_spectrum(f, err));
    zw_slow_set(f->slow, f->now, w);
    ZW_TRY(zw_slow_eigenvalues(f->slow, x, &s, err));
    *out = (zw_floquet){.n = s.n,
                        .period = period,
                        .re = f->slow_re,
                        .im = f->slow_im,
                        .error = f->slow_error,
                        .trivial = -1,
                        .liouville = NAN};
    bool close = false;
    for (int i = 0; f->cycles && i < s.n; i++) /* the phase of a cycle is free: one is zero */
        if (out->trivial < 0 ||
            hypot(s.re[i], s.im[i]) < hypot(s.re[out->trivial], s.im[out->trivial]))
            out->trivial = i;
    for (int i = 0; i < s.n; i++) {
        double growth = exp(fmin(s.re[i] * period, GROWTH_MAX)), angle = s.im[i] * period,
               margin = GROWTH_ZERO + s.error[i] * period;
        out->re[i] = growth * cos(angle);
        out->im[i] = s.im[i] == 0 ? 0 : growth * sin(angle);
        out->error[i] = growth * s.error[i] * period;
        out->accuracy = fmax(out->accuracy, out->error[i] / fmax(1, growth));
        out->outside += i != out->trivial && s.re[i] * period > margin;
        close |= i != out->trivial && fabs(s.re[i] * period) <= margin;
    }
    out->verdict = out->outside ? ZW_FLOQUET_UNSTABLE
                   : close      ? ZW_FLOQUET_UNDECIDED
                                : ZW_FLOQUET_STABLE;
    return ZW_OK;
}

static void record_conflict(zw_forced *f, double value) {
    if (f->slow_conflicts++ == 0)
        f->slow_conflict_from = f->slow_conflict_to = value;
    f->slow_conflict_from = fmin(f->slow_conflict_from, value);
    f->slow_conflict_to = fmax(f->slow_conflict_to, value);
}

zw_status zw_forced_slow_add(zw_forced *f, double value, zw_forced_motion *m, zw_error *err) {
    zw_slow_spectrum s;
    zw_floquet own = {0};
    zw_error trouble = {0};
    zw_slow_set(f->slow, f->now, m->w);
    ZW_TRY(zw_slow_eigenvalues(f->slow, f->x, &s, err));
    double *re = ZW_NEW(&f->arena, double, s.n + 1), *im = ZW_NEW(&f->arena, double, s.n + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    memcpy(re, s.re, sizeof(double) * (size_t)s.n);
    memcpy(im, s.im, sizeof(double) * (size_t)s.n);
    m->nslow = s.n;
    m->slow_re = re;
    m->slow_im = im;
    zw_status status = zw_forced_floquet(f, f->x, value, &own, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (status >= 0 && own.n) {
        m->floquet = hypot(own.re[0], own.im[0]);
        bool settled = own.verdict != ZW_FLOQUET_UNDECIDED && m->verdict != ZW_FLOQUET_UNDECIDED;
        if (settled && own.verdict != m->verdict && m->event == ZW_BIFURCATION_POINT)
            record_conflict(f, value);
    }
    zw_floquet_clear(&own);
    return ZW_OK;
}

void zw_forced_slow_warnings(const zw_forced *f, zw_warnings *out) {
    if (!f->slow_conflicts)
        return;
    zw_warning d;
    if (f->has_over && !isnan(f->slow_conflict_from))
        d = zw_warning_of("amplitudes", NAN,
                          "for %d of %d motions, at %s = %.6g to %.6g, the Floquet multipliers and "
                          "the slowly varying amplitudes disagree about stability",
                          f->slow_conflicts, f->nmotion, f->over.name,
                          f->slow_conflict_from / f->over.factor,
                          f->slow_conflict_to / f->over.factor);
    else
        d = zw_warning_of(
            "amplitudes", NAN,
            "the Floquet multipliers and the slowly varying amplitudes disagree about stability");
    zw_warning_hint(&d, "more harmonics; zwang response follows the motion itself");
    zw_warnings_add(out, &d);
}
