/* SPDX-License-Identifier: MIT */
/* Sobol indices and Morris effects (include/zwang/survey.h has the formulas). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/philox.h"
#include "zwang/survey.h"

enum {
    BOOTSTRAP = 200, /* resamples for the errors of indices */
    FEWEST = 8,      /* complete samples */
    USE_BOOTSTRAP = 4
};

/* Lists the samples with complete values. */
static uint64_t list_complete(uint64_t n, uint64_t width, const double *y, uint64_t *list) {
    uint64_t used = 0;
    for (uint64_t j = 0; j < n; j++) {
        bool good = true;
        for (uint64_t m = 0; m < width; m++)
            good = good && isfinite(y[j * width + m]);
        if (good)
            list[used++] = j;
    }
    return used;
}

/* S_i and T_i of the samples in the list. */
static bool evaluate_indices(uint64_t n, const uint64_t *list, int d, const double *y,
                             double *first, double *total) {
    uint64_t width = (uint64_t)d + 2;
    double mean = 0, V = 0;
    for (uint64_t k = 0; k < n; k++)
        mean += (y[list[k] * width] + y[list[k] * width + 1]) / (2 * (double)n);
    for (uint64_t k = 0; k < n; k++)
        for (int m = 0; m < 2; m++) {
            double v = y[list[k] * width + (uint64_t)m] - mean;
            V += v * v / (2 * (double)n);
        }
    for (int i = 0; i < d; i++) {
        double a = 0, b = 0;
        for (uint64_t k = 0; k < n; k++) {
            const double *f = y + list[k] * width;
            a += (f[0] - f[2 + i]) * (f[0] - f[2 + i]) / (double)n;
            b += (f[1] - f[2 + i]) * (f[1] - f[2 + i]) / (double)n;
        }
        first[i] = 1 - b / (2 * V);
        total[i] = a / (2 * V);
    }
    return V > 0;
}

static zw_status sobol_indices(uint64_t n, const uint64_t *list, int d, const double *y,
                               zw_sensitivity *out, zw_error *err) {
    double *work = calloc(6 * (size_t)d, sizeof *work);
    uint64_t *drawn = malloc(sizeof *drawn * n);
    zw_status status = work && drawn ? ZW_OK : zw_out_of_memory(err, NULL);
    double *first = work, *total = work + d, *sum = work + 2 * d; /* sum: 4 d */
    if (status >= 0 && !evaluate_indices(n, list, d, y, first, total))
        status = zw_fail(err, ZW_E_OPTION, "sensitivity: the measure does not vary");
    for (int i = 0; i < d && status >= 0; i++)
        out[i] = (zw_sensitivity){.first = first[i], .total = total[i]};
    for (int b = 0; b < BOOTSTRAP && status >= 0; b++) {
        for (uint64_t k = 0; k < n; k++)
            drawn[k] = list[zw_philox_bits(1, k, (uint32_t)b, USE_BOOTSTRAP) % n];
        evaluate_indices(n, drawn, d, y, first, total);
        for (int i = 0; i < d; i++) {
            sum[4 * i] += first[i] / BOOTSTRAP;
            sum[4 * i + 1] += first[i] * first[i] / BOOTSTRAP;
            sum[4 * i + 2] += total[i] / BOOTSTRAP;
            sum[4 * i + 3] += total[i] * total[i] / BOOTSTRAP;
        }
    }
    for (int i = 0; i < d && status >= 0; i++) {
        out[i].first_error = sqrt(fmax(sum[4 * i + 1] - sum[4 * i] * sum[4 * i], 0));
        out[i].total_error = sqrt(fmax(sum[4 * i + 3] - sum[4 * i + 2] * sum[4 * i + 2], 0));
    }
    free(work);
    free(drawn);
    return status;
}

/* The change per unit of the distribution; the axis is the one in which two points differ. */
static zw_status morris_effects(const zw_plan *plan, uint64_t n, const uint64_t *list, int d,
                                const double *y, zw_sensitivity *out, zw_error *err) {
    double *at = malloc(sizeof *at * 2 * (size_t)d), *sum = calloc(3 * (size_t)d, sizeof *sum);
    const double step = 0.5;
    uint64_t width = (uint64_t)d + 1;
    if (!at || !sum) {
        free(at);
        free(sum);
        return zw_out_of_memory(err, NULL);
    }
    for (uint64_t k = 0; k < n; k++)
        for (uint64_t m = 0; m + 1 < width; m++) {
            uint64_t point = list[k] * width + m;
            zw_plan_point(plan, point, at);
            zw_plan_point(plan, point + 1, at + d);
            for (int i = 0; i < d; i++)
                if (at[i] != at[d + i]) {
                    double effect = (y[point + 1] - y[point]) / (at[d + i] > at[i] ? step : -step);
                    sum[3 * i] += effect / (double)n;
                    sum[3 * i + 1] += fabs(effect) / (double)n;
                    sum[3 * i + 2] += effect * effect / (double)n;
                }
        }
    for (int i = 0; i < d; i++) {
        double mu = sum[3 * i], star = sum[3 * i + 1], square = sum[3 * i + 2];
        double more = (double)n / (double)(n - 1);
        out[i] = (zw_sensitivity){.mean = mu,
                                  .absolute = star,
                                  .absolute_error =
                                      sqrt(fmax(square - star * star, 0) * more / (double)n),
                                  .sd = sqrt(fmax(square - mu * mu, 0) * more)};
    }
    free(at);
    free(sum);
    return ZW_OK;
}

zw_status zw_sensitivity_of(const zw_plan *plan, const double *y, zw_sensitivity *out,
                            uint64_t *used, zw_error *err) {
    zw_plan_design design = zw_plan_design_of(plan);
    int d = zw_plan_drawn(plan);
    uint64_t width = (uint64_t)d + (design == ZW_PLAN_SALTELLI ? 2 : 1);
    uint64_t n = zw_plan_points(plan) / width;
    *used = 0;
    if (design == ZW_PLAN_SAMPLES || d == 0)
        return zw_fail(err, ZW_E_OPTION, "the plan is not one of a design for sensitivities");
    uint64_t *list = malloc(sizeof *list * (n + 1));
    if (!list)
        return zw_out_of_memory(err, NULL);
    *used = list_complete(n, width, y, list);
    zw_status status;
    if (*used < FEWEST)
        status = zw_fail(err, ZW_E_OPTION,
                         "sensitivity: %llu samples without gaps are too few, %d are needed",
                         (unsigned long long)*used, FEWEST);
    else if (design == ZW_PLAN_SALTELLI)
        status = sobol_indices(*used, list, d, y, out, err);
    else
        status = morris_effects(plan, *used, list, d, y, out, err);
    free(list);
    return status;
}
