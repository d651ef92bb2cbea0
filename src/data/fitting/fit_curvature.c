/* SPDX-License-Identifier: MIT */
/* Are standard errors sufficient? They are those of the linear problem at the minimum. For each
 * parameter the step z that changes it by one standard error, all other unknowns following as they
 * do in its likelihood,
 *
 *   z = cov e_j / sqrt(cov_jj),     |J z| = 1,
 *
 * is taken in both directions, and the motion is computed again, in one part. The second order
 * of the residuals,
 *
 *   d = (r(z) + r(-z) - 2 r(0))/2,     k |d| compared with |J z|
 *
 * at the ends of an interval of probability 0.95, k = 1.96 standard errors or more, is the
 * curvature of the surface of solutions in this direction, both intrinsic and by its coordinates
 * (D. M. Bates, D. G. Watts, J. R. Statist. Soc. B 42, 1980, 1). If it is not small, the
 * interval is not symmetric, or has another width. If events act in another order at one of the
 * ends, derivatives are not valid beyond. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "fit.h"

/* of the linear change: more gives a warning, the interval is then wrong by about this part */
#define LARGE_CURVATURE 0.3
/* standard deviations: beyond, motions in one part and in several differ */
#define OTHER_MOTION 0.1

typedef struct trial {
    double *r;  /* residuals of all experiments */
    int *event; /* all that have acted, in sequence, -1 after each experiment */
    int nevent, capacity;
} trial;

static zw_status record_event(zw_fit *f, trial *t, int event, zw_error *err) {
    if (!zw_arena_grow(&f->arena, (void **)&t->event, t->nevent, &t->capacity, sizeof *t->event))
        return zw_out_of_memory(err, NULL);
    t->event[t->nevent++] = event;
    return ZW_OK;
}

/* Residuals a part of the step away; ZW_E_MEMORY, or another negative status: there is no
 * motion. */
static zw_status evaluate_trial(zw_fit *f, const double *z, double part, trial *t, zw_error *err) {
    long n = 0;
    t->nevent = 0;
    ZW_TRY(zw_fit_go(f, z, part, err));
    for (int i = 0; i < f->E; i++) {
        zw_fit_experiment *e = &f->experiment[i];
        ZW_TRY(zw_fit_motion(f, e, true, false, err));
        for (int k = 0; k < e->nrow; k++)
            for (int q = 0; q < f->nq; q++)
                if (!isnan(e->y[k * f->nq + q]))
                    t->r[n++] =
                        (e->h[k * f->nq + q] - e->y[k * f->nq + q]) / zw_fit_sigma(f, e, k, q);
        for (int k = 0; k < e->nact; k++)
            if (e->act[k].until == INFINITY)
                ZW_TRY(record_event(f, t, e->act[k].event, err));
        ZW_TRY(record_event(f, t, -1, err));
    }
    return ZW_OK;
}

static bool is_same_order(const trial *a, const trial *b) {
    return a->nevent == b->nevent &&
           (a->nevent == 0 || memcmp(a->event, b->event, sizeof(int) * (size_t)a->nevent) == 0);
}

/* The first event that only one of them has. */
static const char *other_event(const zw_fit *f, const trial *a, const trial *b) {
    int k = 0;
    while (k < a->nevent && k < b->nevent && a->event[k] == b->event[k])
        k++;
    int event = k < a->nevent && a->event[k] >= 0 ? a->event[k] : k < b->nevent ? b->event[k] : -1;
    return event >= 0 ? zw_fit_event_name(f, event) : "at the end";
}

static void warn_order(zw_fit *f, const zw_fit_param *p, int number, const char *event) {
    char key[160];
    snprintf(key, sizeof key, "fit order %.100s %d", p->name, number);
    zw_warning d =
        zw_warning_of(key, NAN,
                      "within the standard error of %s the motion meets other events (%s): "
                      "its error is that of one order of events alone",
                      p->name, event);
    zw_warning_hint(&d, "--profile %s follows the likelihood across", p->name);
    zw_warnings_add(f->doubts, &d);
}

static void warn_no_motion(zw_fit *f, const zw_fit_param *p, int number, const char *why) {
    char key[160];
    snprintf(key, sizeof key, "fit order %.100s %d", p->name, number);
    zw_warning d = zw_warning_of(
        key, NAN, "within the standard error of %s there is no motion: %.200s", p->name, why);
    zw_warnings_add(f->doubts, &d);
}

static void warn_curved(zw_fit *f, const zw_fit_param *p, int number, double part) {
    char key[160];
    snprintf(key, sizeof key, "fit curved %.100s %d", p->name, number);
    zw_warning d =
        zw_warning_of(key, NAN,
                      "the error of %s is that of a linear problem, and this one is curved: "
                      "at %.3g standard errors the second-order change is %.0f %% of the "
                      "first (Bates and Watts)",
                      p->name, zw_fit_interval(f), 100 * part);
    zw_warning_hint(&d, "--profile %s gives an interval that need not be symmetric", p->name);
    zw_warnings_add(f->doubts, &d);
}

/* One parameter, of one experiment or of all. */
static zw_status test_direction(zw_fit *f, const zw_fit_experiment *e, int j, const trial *here,
                                trial side[2], double *z, zw_error *err) {
    const zw_fit_param *p = &f->param[j];
    int u = zw_fit_unknown(f, e, j), N = f->N, number = (int)(e - f->experiment);
    double variance = f->cov[u * N + u], sum = 0;
    if (p->is_held || f->loose[u] || !(variance > 0))
        return ZW_OK;
    double slope = p->is_log ? e->value[j] : p->scale, error = slope * sqrt(variance);
    if (e->value[j] - error < p->low || e->value[j] + error > p->high)
        return ZW_OK; /* reported by zw_fit_judge */
    for (int i = 0; i < N; i++)
        z[i] = f->cov[i * N + u] / sqrt(variance);
    zw_fit_spread(f, z);
    for (int k = 0; k < 2; k++) {
        zw_error why = {0};
        zw_status status = evaluate_trial(f, z, k ? -1 : 1, &side[k], &why);
        if (status == ZW_E_MEMORY)
            return zw_out_of_memory(err, NULL);
        if (status < 0) {
            warn_no_motion(f, p, number, why.text);
            return ZW_OK;
        }
        if (!is_same_order(here, &side[k])) {
            warn_order(f, p, number, other_event(f, here, &side[k]));
            return ZW_OK;
        }
    }
    for (long i = 0; i < f->measured; i++) {
        double second = (side[0].r[i] + side[1].r[i] - 2 * here->r[i]) / 2;
        sum += second * second;
    }
    /* With a loss errors are larger than those of squares. */
    double part = zw_fit_interval(f) * sqrt(sum / f->spread);
    if (part > LARGE_CURVATURE)
        warn_curved(f, p, number, part);
    return ZW_OK;
}

static zw_status test_all_directions(zw_fit *f, zw_error *err) {
    trial here = {0}, side[2] = {{0}};
    double *z = ZW_NEW(&f->arena, double, f->N + 1);
    here.r = ZW_NEW(&f->arena, double, f->measured + 1);
    side[0].r = ZW_NEW(&f->arena, double, f->measured + 1);
    side[1].r = ZW_NEW(&f->arena, double, f->measured + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    long n = 0;
    double off = 0;
    for (int i = 0; i < f->E; i++) { /* restores the result */
        const zw_fit_experiment *e = &f->experiment[i];
        for (int k = 0; k < e->nrow * f->nq; k++)
            if (!isnan(e->y[k]))
                side[0].r[n++] = (e->h[k] - e->y[k]) / zw_fit_sigma(f, e, k / f->nq, k % f->nq);
    }
    memset(z, 0, sizeof *z * (size_t)f->N);
    zw_fit_spread(f, z);
    zw_status status = evaluate_trial(f, z, 0, &here, NULL);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    for (long i = 0; status >= 0 && i < n; i++)
        off += (here.r[i] - side[0].r[i]) * (here.r[i] - side[0].r[i]);
    if (status < 0 || !(off < OTHER_MOTION * OTHER_MOTION)) {
        zw_warning d =
            zw_warning_of("fit curved", NAN,
                          "the motion in one part is another one than in its nodes: errors "
                          "could not be checked beyond the linear problem");
        zw_warnings_add(f->doubts, &d);
        return ZW_OK;
    }
    for (int j = 0; j < f->P; j++)
        for (int i = 0; i < (f->param[j].own ? f->E : 1); i++)
            ZW_TRY(test_direction(f, &f->experiment[i], j, &here, side, z, err));
    return ZW_OK;
}

zw_status zw_fit_store_motions(zw_fit *f, double **h, zw_error *err) {
    for (int i = 0; i < f->E; i++) {
        const zw_fit_experiment *e = &f->experiment[i];
        size_t n = (size_t)e->nrow * (size_t)f->nq;
        h[i] = ZW_NEW(&f->arena, double, n + 1);
        if (!h[i])
            return zw_out_of_memory(err, NULL);
        memcpy(h[i], e->h, sizeof(double) * n);
    }
    return ZW_OK;
}

void zw_fit_restore_motions(zw_fit *f, double *const *h) {
    for (int i = 0; i < f->E; i++) {
        zw_fit_experiment *e = &f->experiment[i];
        memcpy(e->h, h[i], sizeof(double) * (size_t)e->nrow * (size_t)f->nq);
    }
}

zw_status zw_fit_curvature(zw_fit *f, zw_error *err) {
    double **h = ZW_NEW(&f->arena, double *, f->E + 1);
    ZW_TRY(h ? zw_fit_store_motions(f, h, err) : zw_out_of_memory(err, NULL));
    zw_fit_tie_in_one(f);
    zw_status status = test_all_directions(f, err);
    zw_fit_untie(f);
    zw_fit_restore_motions(f, h);
    return status;
}
