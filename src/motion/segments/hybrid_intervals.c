/* SPDX-License-Identifier: MIT */
/* An orbit in segments as collocation polynomials, for files and pictures: in an interval of length
 * h with the state u at its beginning and the rates k_l at the Gauss points c_l,
 *
 *     x(t_0 + s h) = u + h sum_l k_l int_0^s l_l,
 *
 * l_l the Lagrange polynomials of the points. The pieces of the run are halved until the
 * polynomials agree with the run between the points. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "hybrid.h"
#include "num/flow/flow.h"

enum { DEEPEST = 10, POINTS_MAX = 7 };

typedef struct interval_writer {
    zw_segmented *h;
    zw_gauss rule;
    double part[2][POINTS_MAX]; /* int_0^s l_l at the two places of comparison */
    double tolerance, cut, rough;
    int segment;
    double *x, *at, *rate; /* nx; nx; stages x nx */
    zw_segmented_interval take;
    void *user;
} interval_writer;

static const double compare_at[2] = {0.5, 0.78};

/* int_0^s l_l, by the rule itself on [0, s], which is exact for the degree of l_l */
static void find_parts(interval_writer *w) {
    for (int j = 0; j < 2; j++)
        for (int l = 0; l < w->rule.m; l++) {
            w->part[j][l] = 0;
            for (int i = 0; i < w->rule.m; i++)
                w->part[j][l] += compare_at[j] * w->rule.b[i] *
                                 zw_gauss_lagrange(&w->rule, l, compare_at[j] * w->rule.c[i]);
        }
}

static zw_status find_rates(interval_writer *w, zw_run *run, double t0, double t1, zw_error *err) {
    int nx = w->h->nx;
    for (int l = 0; l < w->rule.m; l++) {
        double t = t0 + w->rule.c[l] * (t1 - t0);
        ZW_TRY(zw_run_dense(run, t, w->at, err));
        ZW_TRY(zw_flow_rates(zw_run_flow(run), t, w->at, w->rate + (size_t)(l * nx), NULL, err));
    }
    return zw_run_dense(run, t0, w->x, err);
}

static zw_status find_misfit(interval_writer *w, zw_run *run, double t0, double t1, double *misfit,
                             zw_error *err) {
    int nx = w->h->nx;
    *misfit = 0;
    for (int j = 0; j < 2; j++) {
        ZW_TRY(zw_run_dense(run, t0 + compare_at[j] * (t1 - t0), w->at, err));
        for (int i = 0; i < nx; i++) {
            double x = w->x[i];
            for (int l = 0; l < w->rule.m; l++)
                x += (t1 - t0) * w->part[j][l] * w->rate[l * nx + i];
            *misfit = fmax(*misfit, fabs(x - w->at[i]) / w->h->scale[i]);
        }
    }
    return ZW_OK;
}

static zw_status report_interval(interval_writer *w, zw_run *run, double t0, double t1, int depth,
                                 zw_error *err) {
    double misfit;
    ZW_TRY(find_rates(w, run, t0, t1, err));
    ZW_TRY(find_misfit(w, run, t0, t1, &misfit, err));
    if (!(misfit <= w->tolerance) && depth < DEEPEST) {
        double middle = t0 + 0.5 * (t1 - t0);
        ZW_TRY(report_interval(w, run, t0, middle, depth + 1, err));
        return report_interval(w, run, middle, t1, depth + 1, err);
    }
    w->rough = fmax(w->rough, misfit);
    return w->take(w->user, w->segment, t0, t1, w->x, w->rate, err);
}

static zw_status on_part(void *self, zw_run *run, double t0, double t1, zw_error *err) {
    interval_writer *w = self;
    if (w->cut > t0 && w->cut < t1) {
        ZW_TRY(report_interval(w, run, t0, w->cut, 0, err));
        return report_interval(w, run, w->cut, t1, 0, err);
    }
    return report_interval(w, run, t0, t1, 0, err);
}

zw_status zw_segmented_intervals(zw_segmented *h, const double *unknown, double a, int stages,
                                 double tolerance, double cut, zw_segmented_interval take,
                                 void *user, double *rough, zw_error *err) {
    zw_arena work;
    zw_status status = zw_segmented_go_round(h, unknown, a, false, err);
    if (status == ZW_RETRY)
        return zw_fail(err, ZW_E_NUMERIC, "a segment of the orbit has no duration");
    ZW_TRY(status);
    if (stages < 2 || stages > POINTS_MAX)
        return zw_fail(err, ZW_E_OPTION, "%d points of Gauss: there are 2 to %d", stages,
                       POINTS_MAX);
    interval_writer w = {.h = h, .tolerance = tolerance, .cut = cut, .take = take, .user = user};
    zw_arena_init(&work, &h->arena.alloc);
    zw_gauss_init(&w.rule, stages);
    find_parts(&w);
    w.x = ZW_NEW(&work, double, h->nx + 1);
    w.at = ZW_NEW(&work, double, h->nx + 1);
    w.rate = ZW_NEW(&work, double, stages * h->nx + 1);
    status = zw_arena_status(&work, err);
    h->leg.part = on_part;
    h->leg.part_self = &w;
    for (w.segment = 0; w.segment < h->K && status >= 0; w.segment++)
        status = zw_segmented_run_again(h, unknown, a, w.segment, err);
    h->leg.part = NULL;
    zw_arena_clear(&work);
    if (rough)
        *rough = w.rough;
    return status;
}
