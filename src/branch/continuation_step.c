/* SPDX-License-Identifier: MIT */
/* One step of continuation. From the point P_0 = (x_0, a_0) with tangent T_0, the step of length h
 * begins at the prediction
 *
 *     P_0 + h T_0 + h^2/2 (T_0 - T_-1)/h_-1,            T_-1, h_-1: tangent and step before,
 *
 * whose distance e to the solution is of third order in h: the next step is h (stray/e)^(1/3). With
 * more tangents the prediction is the integral of the polynomial through them (J. C. Adams), of
 * higher order. A step is rejected, and a shorter one taken, if Newton's method does not contract,
 * if the tangent turns by more than 30 degrees, or if the prediction was off by more than half the
 * step.
 *
 * The tangent comes from the last factors of Newton's method, whose matrix is that of an iterate
 * before the solution. That moves da/ds by about the correction times the change of the matrix,
 * which is large where solutions attract and repel strongly (canards): there da/ds is smaller than
 * its error, and its sign, by which folds are seen, would be wrong. So the matrix is factored again
 * at the solution where the slope of the chord differs from da/ds at its ends. */
#include <math.h>
#include <string.h>

#include "continuation.h"

enum {
    ORDER_STEPS = 6, /* steps after which a lower order is considered */
    /* iterations from a prediction; 3 or 4 are normal, so 8 say that the step is too long */
    NEWTON_MAX = 8
};
/* Slope of the chord against the mean of da/ds at its ends, relative: chosen by trial: separates
 * the curvature of a step from a tangent spoilt by old factors, which differs by up to 2. */
#define CHORD_SLOPE 0.1
/* error of the prediction, of the step: beyond, another curve may be met */
#define PREDICTION_OFF 0.5

/* Weights of the tangents in the integral from 0 to h of the polynomial through `order` of them. */
static void step_weights(const zw_cont_state *w, int order, double h, double *weight) {
    static const double point[3] = {0.112701665379258311, 0.5, 0.887298334620741689},
                        part[3] = {5. / 18, 8. / 18, 5. / 18}; /* exact up to degree 5 */
    double at[ZW_CONT_ORDER_MAX] = {0};
    for (int i = 1; i < order; i++)
        at[i] = at[i - 1] - w->past_step[i - 1];
    for (int i = 0; i < order; i++) {
        weight[i] = 0;
        for (int q = 0; q < 3; q++) {
            double value = part[q] * h;
            for (int k = 0; k < order; k++)
                value *= k == i ? 1 : (point[q] * h - at[k]) / (at[i] - at[k]);
            weight[i] += value;
        }
    }
}

static void predict_point(zw_cont_state *w, double h) {
    const zw_cont_place *from = &w->here;
    int n = w->p->n, few = w->npast > 0 ? 2 : 1,
        order = w->order <= w->npast + 1 ? w->order : w->npast + 1;
    double weight[ZW_CONT_ORDER_MAX];
    w->used = order > few ? order : few;
    step_weights(w, w->used, h, weight);
    for (int k = 0; k < n; k++)
        w->predicted[k] = from->x[k] + weight[0] * from->tangent[k];
    w->predicted[n] = from->a + weight[0] * from->tangent[n];
    int i = 1;
    for (; i + 1 < w->used; i += 2)
        for (int k = 0; k <= n; k++)
            w->predicted[k] += weight[i] * w->past[i - 1][k] + weight[i + 1] * w->past[i][k];
    for (int k = 0; k <= n && i < w->used; k++)
        w->predicted[k] += weight[i] * w->past[i - 1][k];
}

void zw_cont_choose_order(zw_cont_state *w, double h) {
    const zw_cont_problem *p = w->p;
    double few[ZW_CONT_ORDER_MAX] = {0}, weight[ZW_CONT_ORDER_MAX];
    if (w->used <= 2)
        w->order = w->o.order;
    if (w->used <= 2 || w->info->points % ORDER_STEPS != 0)
        return;
    step_weights(w, 2, h, few);
    step_weights(w, w->used, h, weight);
    for (int k = 0; k <= p->n; k++) {
        w->b[k] = (k < p->n ? w->next.x[k] : w->next.a) - w->predicted[k] -
                  (few[0] - weight[0]) * w->here.tangent[k];
        for (int i = 1; i < w->used; i++)
            w->b[k] -= (few[i] - weight[i]) * w->past[i - 1][k];
    }
    w->order = w->first < zw_cont_length(p, w->b) ? w->o.order : 2;
}

/* Difference of the slope of the chord to `out` and the mean of da/ds at its ends, relative. */
static double chord_difference(const zw_cont_state *w, double h, const zw_cont_place *out) {
    double before = w->here.tangent[w->p->n], after = out->tangent[w->p->n],
           chord = (out->a - w->here.a) / h, most = fmax(fabs(before), fabs(after));
    return most > 0 ? fabs(chord - 0.5 * (before + after)) / most : 0;
}

static void orient_tangent(const zw_cont_state *w, zw_cont_place *at) {
    const zw_cont_problem *p = w->p;
    if (zw_cont_inner(p, at->tangent, w->here.tangent) < 0)
        for (int k = 0; k <= p->n; k++)
            at->tangent[k] = -at->tangent[k];
}

/* Recompute the tangent at `out` from the matrix there if the one from old factors is not along the
 * chord. Where curves cross the matrix is singular, and the old tangent may be better. */
static zw_status improve_tangent(zw_cont_state *w, double h, zw_cont_place *out, zw_error *err) {
    double off = chord_difference(w, h, out), *old = w->on_bound.tangent;
    size_t size = sizeof(double) * (size_t)(w->p->n + 1);
    if (!(off > CHORD_SLOPE))
        return ZW_OK;
    memcpy(old, out->tangent, size);
    zw_status status = zw_cont_find_tangent(w, out, true, err);
    if (status < 0)
        return status;
    orient_tangent(w, out);
    if (status != ZW_OK || !(chord_difference(w, h, out) < off))
        memcpy(out->tangent, old, size);
    return ZW_OK;
}

zw_status zw_cont_step_to(zw_cont_state *w, double h, zw_cont_place *out, bool exactly,
                          zw_error *err) {
    const zw_cont_problem *p = w->p;
    predict_point(w, h);
    memcpy(out->x, w->predicted, sizeof(double) * (size_t)p->n);
    out->a = w->predicted[p->n];
    if (w->o.natural)
        zw_cont_set_fixed(w);
    else
        zw_cont_set_plane(w, w->here.tangent);
    zw_status status = zw_cont_newton(w, out, NEWTON_MAX, exactly, err);
    if (status != ZW_OK)
        return status;
    if ((status = zw_cont_find_tangent(w, out, exactly, err)) != ZW_OK)
        return status;
    orient_tangent(w, out);
    if (!exactly && !w->o.natural && (status = improve_tangent(w, h, out, err)) != ZW_OK)
        return status;
    bool turned = zw_cont_inner(p, out->tangent, w->here.tangent) < ZW_CONT_TURN;
    bool astray = w->first > PREDICTION_OFF * fabs(h);
    out->s = w->here.s + h;
    return turned || astray ? ZW_RETRY : ZW_OK;
}
