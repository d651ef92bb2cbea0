/* SPDX-License-Identifier: MIT */
/* The results of a study of noise as a report, and its warnings. */
#include <math.h>

#include "noise.h"
#include "zwang/doubt.h"

/* ------------------------------------------------------------------------------------- report */

static const char *time_unit(const zw_noise *n) {
    return n->sys->no_units ? "" : "s";
}

static void report_estimate(zw_report *out, const char *key, zw_noise_estimate e,
                            const char *unit) {
    zw_report_number(out, key, e.value,
                     &(zw_shown){.unit = unit, .error = e.error, .with_error = true});
}

static void report_quantity(const zw_noise *n, int i, zw_report *out) {
    zw_noise_moments m = zw_noise_moments_of(n, i);
    zw_report_open(out, NULL);
    zw_report_word(out, "name", m.name);
    zw_report_word(out, "unit", m.unit);
    report_estimate(out, "mean", m.mean, m.unit);
    report_estimate(out, "standard_deviation", m.sd, m.unit);
    report_estimate(out, "skewness", m.skewness, "");
    report_estimate(out, "excess_kurtosis", m.excess, "");
    report_estimate(out, "mean_change", m.drift, m.unit);
    zw_report_number(out, "variance_change", m.change.value, &(zw_shown){.error = m.change.error});
    zw_report_say(out, "  {name:-16} {mean:24} {standard_deviation:24} {skewness:16} "
                       "{excess_kurtosis:16}\n");
    zw_report_close(out);
}

/* how many paths the events with `stop` have ended */
static void report_events(const zw_noise *n, zw_report *out) {
    const zw_shown fraction = {.digits = 4};
    uint64_t paths = zw_noise_paths(n);
    zw_report_list(out, "events");
    for (int i = 0; i < n->sys->nevent; i++) {
        double low, high;
        uint64_t ended = zw_noise_ended(n, i);
        if (!n->sys->event[i].stop)
            continue;
        zw_noise_interval(ended, paths, &low, &high);
        zw_report_open(out, NULL);
        zw_report_word(out, "name", n->sys->event[i].name);
        zw_report_count(out, "paths_ended", (long)ended);
        zw_report_number(out, "fraction", (double)ended / (double)paths, &fraction);
        zw_report_number(out, "fraction_low", low, &fraction);
        zw_report_number(out, "fraction_high", high, &fraction);
        zw_report_say(out, "  {name} ended {paths_ended} of {paths|path|paths}: {fraction} "
                           "({fraction_low} to {fraction_high} at 95 %)\n");
        zw_report_close(out);
    }
    zw_report_close(out);
}

static void report_rate(const zw_noise *n, zw_report *out) {
    double ended = (double)zw_noise_ended(n, -1), time = zw_noise_time(n);
    zw_shown rate = {.unit = n->sys->no_units ? "" : "1/s",
                     .error = sqrt(ended) / time,
                     .digits = 5,
                     .with_error = true};
    zw_report_number(out, "total_time", time, &(zw_shown){.unit = time_unit(n)});
    zw_report_number(out, "end_rate", ended > 0 ? ended / time : NAN, &rate);
    zw_report_number(out, "mean_time_to_end", ended > 0 ? time / ended : NAN,
                     &(zw_shown){.unit = time_unit(n), .digits = 5});
    zw_report_say(out, "{end_rate?  Rate of all ends: {end_rate}, if it is constant in time; one "
                       "in {mean_time_to_end}.\n}");
}

static void report_effort(const zw_noise *n, zw_report *out) {
    zw_shown time = {.unit = time_unit(n), .digits = 6};
    const char *why;
    zw_report_count(out, "paths", (long)zw_noise_paths(n));
    zw_report_count(out, "paths_measured", (long)n->measured);
    zw_report_count(out, "paths_ended", (long)zw_noise_ended(n, -1));
    zw_report_count(out, "paths_failed", (long)zw_noise_failed(n, &why));
    zw_report_word(out, "first_failure", why[0] ? why : NULL);
    zw_report_count(out, "seed", n->o.seed);
    zw_report_number(out, "time", n->o.time, &time);
    zw_report_number(out, "transient", n->o.transient, &time);
    zw_report_number(out, "noise_step", n->step, &(zw_shown){.unit = time_unit(n)});
    zw_report_number(out, "noise_step_effect", n->error, &(zw_shown){.digits = 2});
    zw_report_flag(out, "noises_commute", n->commute);
    zw_report_say(out, "{model}: {paths|path|paths} of seed {seed}, {time} after {transient}, "
                       "noise step {noise_step}\n"
                       "{noise_step_effect?  Twice the noise step changes path 0 by "
                       "{noise_step_effect} of its rms.\n}");
}

void zw_noise_report(const zw_noise *n, zw_report *out) {
    bool enough = zw_noise_paths(n) >= ZW_NOISE_PATHS_MIN;
    zw_report_count(out, "paths_needed", ZW_NOISE_PATHS_MIN);
    report_effort(n, out);
    if (!enough) {
        zw_report_say(out, "  No moments: these need {paths_needed} paths.\n");
        return;
    }
    zw_report_flag(out, "stationary", zw_noise_is_settled(n));
    zw_report_list(out, "quantities");
    if (n->measured > 1)
        zw_report_say(out, "                                       mean       standard deviation"
                           "         skewness  excess kurtosis\n");
    for (int i = 0; i < n->nof && n->measured > 1; i++)
        report_quantity(n, i, out);
    zw_report_close(out);
    if (n->measured > 1)
        zw_report_say(out, "{paths_ended?  Moments are those of the {paths_measured|path|paths} "
                           "that no event has ended.\n}");
    report_events(n, out);
    report_rate(n, out);
}

/* ----------------------------------------------------------------------------------- warnings */

void zw_noise_warnings(const zw_noise *n, zw_warnings *out) {
    if (zw_noise_paths(n) < ZW_NOISE_PATHS_MIN)
        return;
    if (n->error > ZW_SIM_NOISE_TOLERANCE) {
        zw_warning w =
            zw_warning_of("noise step", NAN,
                          "twice the noise step changes the motion on path 0 by %.2g of its "
                          "rms",
                          n->error);
        zw_warning_hint(&w, "if neighbouring motions part, moments can still be right: compare "
                            "with half of the step, --noise-step");
        zw_warnings_add(out, &w);
    }
    if (!n->commute)
        zw_sim_noise_order_warning(out);
    if (zw_noise_paths(n) > zw_noise_ended(n, -1) + 3 && !zw_noise_is_settled(n)) {
        zw_warning w = zw_warning_of(
            "stationary", NAN,
            "the moments of the first and the second half of the time differ by more than "
            "four standard errors: the distribution is not stationary");
        zw_warning_hint(&w, "a longer --transient");
        zw_warnings_add(out, &w);
    }
}
