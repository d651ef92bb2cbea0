/* SPDX-License-Identifier: MIT */
/* Other parameters that explain the data equally well:
 *
 *   mirrored ones: a parameter with the opposite sign, alone or together with a coordinate of the
 *     start and its velocity; one motion each decides;
 *   those that another try of --multistart has found;
 *   other frequencies, if the fitted motion reverses between the samples: cos(w t) and
 *     cos((2 pi/d - w) t) agree at all multiples of d, and fewer than four samples per period
 *     cannot distinguish them.
 *
 * All are warnings. Parameters that differ by less than DIFFERENT standard errors are the same. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "fit.h"

/* of -2 log likelihood: a smaller difference has no statistical meaning */
#define SAME_LIKELIHOOD 0.1
/* standard errors: a mirrored value nearer than this is inside the interval */
#define DIFFERENT 5
#define REVERSALS 0.5 /* of each interval between samples: four samples per period */

/* -------------------------------------------------------------------------------------- mirrors */

/* The motion with the opposite sign of parameter j and of coordinate i (-1: none), in one part;
 * returns -2 log likelihood, INFINITY if it fails. */
static double mirrored_likelihood(zw_fit *f, int j, int i) {
    const zw_kernel *k = f->kernel;
    for (int n = 0; n < f->E; n++) {
        zw_fit_experiment *e = &f->experiment[n];
        double *x = e->node->try, there[f->nx + 1];
        memcpy(e->tried, e->value, sizeof(double) * (size_t)f->P);
        memcpy(x, e->node->x, sizeof(double) * (size_t)f->nx);
        if (j >= 0)
            e->tried[j] = -e->tried[j];
        if (!f->all_free && zw_fit_model_start(f, e, e->tried, there, NULL) < 0)
            return INFINITY;
        for (int r = 0; r < f->nx; r++) /* what is not free follows the parameters */
            x[r] = f->state_free[r] ? x[r] : there[r];
        if (i >= 0)
            x[i] = -x[i];
        if (i >= 0 && k->plain_rates && k->nq == k->nv)
            x[k->nq + i] = -x[k->nq + i];
        if (zw_fit_set_parameters(f, e, e->tried, NULL) < 0 ||
            zw_flow_project(f->second_flow, e->node->t, x, NULL, NULL) < 0 ||
            zw_fit_motion(f, e, true, false, NULL) < 0)
            return INFINITY;
    }
    return zw_fit_minus_2_log_likelihood(f);
}

/* May parameter j have the opposite sign, and does that differ significantly? */
static bool is_mirror(const zw_fit *f, int j) {
    const zw_fit_param *p = &f->param[j];
    double v = f->experiment->value[j], error = zw_fit_value_at(f, j).error;
    return !p->is_log && !p->own && !isfinite(p->prior_sd) && -v >= p->low && -v <= p->high &&
           fabs(2 * v) > DIFFERENT * error;
}

/* Is coordinate i of the start free and not measured itself? */
static bool is_hidden(const zw_fit *f, int i) {
    for (int q = 0; q < f->nq; q++)
        if (f->quantity[q].kind == ZW_ALONG_STATE && f->quantity[q].index == i)
            return false;
    return f->state_free[i] && f->experiment->node->x[i] != 0;
}

static void warn_mirror(zw_fit *f, int j, int i) {
    char key[200], start[120] = "";
    const zw_fit_param *p = &f->param[j];
    snprintf(key, sizeof key, "fit mirror %.100s", p->name);
    if (i >= 0)
        snprintf(start, sizeof start, ", with %.80s mirrored at the start,", f->state[i]);
    zw_warning d =
        zw_warning_of(key, NAN, "%s = %.6g %s%s explains the data as well as %.6g: two minima",
                      p->name, -f->experiment->value[j], p->unit, start, f->experiment->value[j]);
    zw_warning_hint(&d, "choose the sign with a bound: --fit \"%s=0:\"", p->name);
    zw_warnings_add(f->doubts, &d);
}

static void find_mirrors(zw_fit *f, double least) {
    for (int j = 0; j < f->P; j++)
        for (int i = -1; i < f->kernel->nq && is_mirror(f, j); i++)
            if ((i < 0 || is_hidden(f, i)) &&
                mirrored_likelihood(f, j, i) < least + SAME_LIKELIHOOD) {
                warn_mirror(f, j, i);
                break;
            }
}

/* ---- other starts ---- */

void zw_fit_alias_record(zw_fit *f, double now, double least) {
    size_t n = (size_t)f->E * (size_t)f->P;
    if (now < least - SAME_LIKELIHOOD && f->other) /* a better one */
        memset(f->other, 0xff, sizeof(double) * n);
    if (!(fabs(now - least) < SAME_LIKELIHOOD))
        return;
    if (!f->other && !(f->other = ZW_NEW(&f->lasting, double, n + 1)))
        return;
    for (int i = 0; i < f->E; i++)
        memcpy(f->other + i * f->P, f->experiment[i].value, sizeof(double) * (size_t)f->P);
}

static void warn_tries(zw_fit *f) {
    for (int j = 0; j < f->P && f->other; j++) {
        zw_fit_value v = zw_fit_value_at(f, j);
        double other = f->other[j];
        if (f->param[j].own || !(fabs(other - v.value) > DIFFERENT * v.error))
            continue;
        char key[160];
        snprintf(key, sizeof key, "fit alias %.100s", v.name);
        zw_warning d =
            zw_warning_of(key, NAN, "%s = %.6g %s explains the data as well as %.6g: two minima",
                          v.name, other, v.unit, v.value);
        zw_warning_hint(&d, "choose one with bounds: --fit \"%s=LOW:HIGH\"", v.name);
        zw_warnings_add(f->doubts, &d);
    }
}

/* ------------------------------------------------------------------------------------- sampling */

/* Counts the reversals of the quantities, sampled within the integration steps; reversals smaller
 * than the noise do not count. */
typedef struct reversals {
    zw_fit *f;
    double *h, *extreme, *way; /* nq each; way: up 1, down -1, unknown 0 */
    bool begun;
    int *count; /* nq */
} reversals;

static void add_reversals(reversals *r) {
    for (int q = 0; q < r->f->nq; q++) {
        double noise = zw_fit_sigma(r->f, r->f->experiment, 0, q),
               off = r->begun ? r->h[q] - r->extreme[q] : 0;
        bool back = r->way[q] * off < 0 || r->way[q] == 0;
        if (r->begun && back && !(fabs(off) > noise))
            continue;
        r->count[q] += r->way[q] * off < 0;
        r->way[q] = off > 0 ? 1 : off < 0 ? -1 : r->way[q];
        r->extreme[q] = r->h[q];
    }
    r->begun = true;
}

static zw_status on_piece(void *self, zw_run *run, double t0, double t1, zw_error *err) {
    enum { SAMPLES_PER_STEP = 4 }; /* samples in an integration step */
    reversals *r = self;
    for (int k = r->begun ? 1 : 0; k <= SAMPLES_PER_STEP; k++) {
        double t = k < SAMPLES_PER_STEP ? t0 + (t1 - t0) * k / SAMPLES_PER_STEP : t1;
        ZW_TRY(zw_run_dense(run, t, r->f->x, err));
        ZW_TRY(zw_fit_values_at(r->f, t, r->h, err));
        add_reversals(r);
    }
    return ZW_OK;
}

/* The quantity that reverses most often, of the first experiment, for each interval between its
 * samples. */
static zw_status count_reversals(zw_fit *f, double *most, int *quantity, zw_error *err) {
    zw_fit_experiment *e = f->experiment;
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    reversals r = {.f = f};
    r.h = ZW_NEW(&f->arena, double, 3 * f->nq + 1);
    r.count = ZW_NEW(&f->arena, int, f->nq + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    r.extreme = r.h + f->nq;
    r.way = r.extreme + f->nq;
    *most = 0;
    *quantity = 0;
    memcpy(e->tried, e->value, sizeof(double) * (size_t)f->P);
    f->now = e;
    e->nact = 0;
    f->derivatives = false;
    zw_status status = zw_fit_set_parameters(f, e, e->value, NULL);
    for (int k = 0; k < e->K && status >= 0; k++) {
        f->leg.trail = NULL;
        f->leg.part = on_piece;
        f->leg.part_self = &r;
        status =
            zw_fit_pass(f, k, e->node[k].t, e->node[k].x, e->node[k + 1].t, e->node[k].end, NULL);
    }
    for (int q = 0; q < f->nq && status >= 0; q++) {
        double each = (double)r.count[q] / (double)(e->nrow - 1);
        *quantity = each > *most ? q : *quantity;
        *most = fmax(*most, each);
    }
    zw_arena_release(&f->arena, mark);
    return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
}

static void warn_sampling(zw_fit *f, double each, int q) {
    zw_warning d = zw_warning_of(
        "fit sampling", NAN,
        "the fitted %s reverses %.2g times between two samples: with fewer than four samples per "
        "period its frequency has aliases, and other parameters may explain the data as well",
        f->quantity[q].name, each);
    zw_warning_hint(
        &d, "use bounds that leave one frequency, --multistart within them, or denser data");
    zw_warnings_add(f->doubts, &d);
}

zw_status zw_fit_alias(zw_fit *f, zw_error *err) {
    int q;
    double **h = ZW_NEW(&f->arena, double *, f->E + 1), each;
    double least = zw_fit_minus_2_log_likelihood(f);
    ZW_TRY(h ? zw_fit_store_motions(f, h, err) : zw_out_of_memory(err, NULL));
    warn_tries(f);
    ZW_TRY(count_reversals(f, &each, &q, err));
    if (each > REVERSALS)
        warn_sampling(f, each, q);
    zw_fit_tie_in_one(f);
    find_mirrors(f, least);
    zw_fit_untie(f);
    zw_fit_restore_motions(f, h);
    for (int i = 0; i < f->E; i++)
        memcpy(f->experiment[i].tried, f->experiment[i].value, sizeof(double) * (size_t)f->P);
    return ZW_OK;
}
