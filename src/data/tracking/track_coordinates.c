/* SPDX-License-Identifier: MIT */
/* From poses to coordinates, one after the other in the order of time. The iteration begins at the
 * extrapolation of the last ones by a straight line, so that angles continue without jumps; over a
 * gap in which an angle makes more than half a turn the number of turns is a guess, with a warning.
 * The first one begins at the start of the model, or, if that does not lead to the pose, at random
 * angles; of several solutions (Euler angles have two) the one nearest to the start is used. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/philox.h"
#include "base/rotation.h"
#include "tracking.h"

enum {
    HISTORY = 12, /* previous times that are extrapolated */
    TRIES = 48    /* random starts of the first pose */
};
/* chi^2 for each target: beyond, the model does not reach the pose; noise has 6 with a spread of
 * 3.5 */
#define REACHED_CHI2 60.0
/* [m]: markers on skin move by some millimetres; it only weights until the residuals are known */
#define ASSUMED_SD 5e-3

typedef struct path_solver {
    zw_tracking *t;
    zw_posed *body;
    int n; /* number of unknowns */
    const int *unknown;
    double *start, *q, *best, *guess, *cov; /* nq, ..., n x n */
    double *past, when[HISTORY], *rate;     /* HISTORY x n; n */
    int known;                              /* number of past ones */
    long solved;
} path_solver;

static zw_status path_solver_create(path_solver *w, zw_tracking *t, int nframe, const int *frame,
                                    zw_error *err) {
    *w = (path_solver){.t = t};
    int nq = t->sys->nq;
    zw_status status = zw_posed_create(&w->body, &t->arena, t->sys, nframe, frame, t->p, err);
    t->body[t->nbody++] = w->body; /* destroyed with the tracking */
    ZW_TRY(status);
    w->n = zw_posed_unknowns(w->body, &w->unknown);
    w->start = ZW_NEW(&t->arena, double, nq + t->sys->nv + 1);
    w->q = ZW_NEW(&t->arena, double, nq + 1);
    w->best = ZW_NEW(&t->arena, double, nq + 1);
    w->guess = ZW_NEW(&t->arena, double, nq + 1);
    w->cov = ZW_NEW(&t->arena, double, w->n * w->n);
    w->past = ZW_NEW(&t->arena, double, HISTORY * w->n);
    w->rate = ZW_NEW(&t->arena, double, w->n);
    bool *fixed = ZW_NEW(&t->arena, bool, nq + t->sys->nv + 1);
    if (t->arena.failed)
        return zw_out_of_memory(err, "tracking data");
    ZW_TRY(zw_system_start_state(t->sys, t->p, w->start, fixed, err));
    memcpy(w->q, w->start, (size_t)nq * sizeof *w->q);
    return ZW_OK;
}

/* The slope of each unknown over the past, by least squares. */
static void find_rates(path_solver *w) {
    double mean = 0, square = 0;
    memset(w->rate, 0, (size_t)w->n * sizeof *w->rate);
    for (int i = 0; i < w->known; i++)
        mean += w->when[i] / w->known;
    for (int i = 0; i < w->known; i++)
        square += (w->when[i] - mean) * (w->when[i] - mean);
    if (w->known < 4 || !(square > 0))
        return;
    for (int k = 0; k < w->n; k++)
        for (int i = 0; i < w->known; i++)
            w->rate[k] += (w->when[i] - mean) * w->past[i * w->n + k] / square;
}

static void append_history(path_solver *w, double t) {
    if (w->known == HISTORY) {
        memmove(w->past, w->past + w->n, sizeof(double) * (size_t)((HISTORY - 1) * w->n));
        memmove(w->when, w->when + 1, sizeof(double) * (HISTORY - 1));
        w->known--;
    }
    w->when[w->known] = t;
    for (int k = 0; k < w->n; k++)
        w->past[w->known * w->n + k] = w->q[w->unknown[k]];
    w->known++;
}

static double angle_distance(const path_solver *w, const double *q) {
    double sum = 0;
    for (int k = 0; k < w->n; k++) {
        double d = q[w->unknown[k]] - w->start[w->unknown[k]];
        if (zw_posed_is_angle(w->body, k))
            d = remainder(d, 2 * M_PI);
        sum += d * d;
    }
    return sum;
}

/* The best of many starts with random angles; its angles nearest to those of the start. */
static zw_posed_answer search_pose(path_solver *w, double t, int n, const zw_posed_target *target,
                                   double *chi2, int *which) {
    double least = INFINITY, near = INFINITY;
    zw_posed_answer best = ZW_POSED_NONE;
    for (int i = 0; i < TRIES; i++) {
        double found;
        int about;
        memcpy(w->guess, w->start, (size_t)w->t->sys->nq * sizeof *w->guess);
        for (int k = 0; i > 0 && k < w->n; k++)
            if (zw_posed_is_angle(w->body, k))
                w->guess[w->unknown[k]] +=
                    M_PI * (2 * zw_philox_unit(1, (uint64_t)i, (uint32_t)k) - 1);
        zw_posed_answer answer =
            zw_posed_solve(w->body, t, n, target, w->guess, w->cov, &found, &about);
        bool better =
            found < least - 10 || (found < least + 10 && angle_distance(w, w->guess) < near);
        if (answer == ZW_POSED_NONE || !better)
            continue;
        best = answer, least = fmin(least, found), near = angle_distance(w, w->guess),
        *which = about;
        memcpy(w->best, w->guess, (size_t)w->t->sys->nq * sizeof *w->best);
    }
    if (best == ZW_POSED_NONE)
        return best;
    for (int k = 0; k < w->n; k++)
        if (zw_posed_is_angle(w->body, k)) {
            int i = w->unknown[k];
            w->best[i] -= 2 * M_PI * round((w->best[i] - w->start[i]) / (2 * M_PI));
        }
    memcpy(w->q, w->best, (size_t)w->t->sys->nq * sizeof *w->q);
    return zw_posed_solve(w->body, t, n, target, w->q, w->cov, chi2, which);
}

/* Over a gap: is the number of turns still certain? */
static void judge_turns(path_solver *w, double t) {
    double last = w->when[w->known - 1], gap = t - last;
    for (int k = 0; gap > w->t->gap && k < w->n; k++) {
        if (!zw_posed_is_angle(w->body, k) || fabs(w->rate[k]) * gap < M_PI)
            continue;
        const char *name = w->t->sys->coord[w->unknown[k]].name;
        char key[96];
        snprintf(key, sizeof key, "turns of %.60s", name);
        zw_warning d =
            zw_warning_of(key, last,
                          "%s turns by about %.2g rad while nothing is seen for %.3g s: its "
                          "number of turns after it is a guess",
                          name, w->rate[k] * gap, gap);
        zw_warnings_add(w->t->doubts, &d);
    }
}

/* The coordinates of one time, near the extrapolation. */
static zw_posed_answer predict_and_fit(path_solver *w, double t, int n,
                                       const zw_posed_target *target, double *chi2, int *which) {
    if (w->known == 0)
        return search_pose(w, t, n, target, chi2, which);
    find_rates(w);
    judge_turns(w, t);
    for (int k = 0; k < w->n; k++)
        w->guess[w->unknown[k]] = w->q[w->unknown[k]] =
            w->past[(w->known - 1) * w->n + k] + w->rate[k] * (t - w->when[w->known - 1]);
    zw_posed_answer answer = zw_posed_solve(w->body, t, n, target, w->q, w->cov, chi2, which);
    if (answer != ZW_POSED_SINGULAR && (answer == ZW_POSED_NONE || *chi2 > REACHED_CHI2 * n)) {
        for (int k = 0; k < w->n; k++)
            w->start[w->unknown[k]] =
                w->past[(w->known - 1) * w->n + k] + w->rate[k] * (t - w->when[w->known - 1]);
        answer = search_pose(w, t, n, target, chi2, which);
        for (int k = 0; k < w->n; k++)
            w->guess[w->unknown[k]] = w->start[w->unknown[k]];
    }
    for (int k = 0; answer == ZW_POSED_FOUND && k < w->n; k++)
        if (zw_posed_is_angle(w->body, k)) {
            int i = w->unknown[k];
            w->q[i] -= 2 * M_PI * round((w->q[i] - w->guess[i]) / (2 * M_PI));
        }
    return answer;
}

static void warn_singular(path_solver *w, double t, int which) {
    const char *name = w->t->sys->coord[w->unknown[which]].name;
    char key[96];
    snprintf(key, sizeof key, "singular %.60s", name);
    w->t->singular++;
    if (zw_warnings_again(w->t->doubts, key, t, NAN))
        return;
    zw_warning d = zw_warning_of(
        key, t, "what was seen does not determine %s: poses are left out there", name);
    zw_warning_hint(&d,
                    "angles are singular in some orientations (gimbal lock); a model with other "
                    "coordinates or a free rotation has none");
    zw_warnings_add(w->t->doubts, &d);
}

static void warn_lost(path_solver *w, double t, double chi2) {
    w->t->lost++;
    if (zw_warnings_again(w->t->doubts, "lost", t, sqrt(chi2)))
        return;
    zw_warning d =
        zw_warning_of("lost", t,
                      "no coordinates of the model give what was seen: left out (distance "
                      "in standard deviations)");
    d.worst = sqrt(chi2);
    zw_warning_hint(&d, "is the table of markers right, is z up, are the parameters those of the "
                        "experiment?");
    zw_warnings_add(w->t->doubts, &d);
}

/* One time: coordinates, and a sample of each. */
static zw_status fit_frame(path_solver *w, double t, int n, const zw_posed_target *target,
                           zw_sight_status *fate, double *chi2, zw_error *err) {
    int which = 0;
    ZW_TRY(zw_tracking_pause(w->t, err));
    zw_posed_answer answer = predict_and_fit(w, t, n, target, chi2, &which);
    *fate = ZW_SIGHT_USED;
    if (answer == ZW_POSED_SINGULAR) {
        warn_singular(w, t, which);
        *fate = ZW_SIGHT_SINGULAR;
        return ZW_OK;
    }
    if (answer == ZW_POSED_NONE || !(*chi2 < REACHED_CHI2 * n)) {
        warn_lost(w, t, *chi2);
        *fate = ZW_SIGHT_LOST;
        return ZW_OK;
    }
    append_history(w, t);
    w->solved++;
    for (int k = 0; k < w->n; k++)
        ZW_TRY(zw_tracking_add_sample(
            w->t, w->unknown[k],
            (zw_tracking_sample){t, w->q[w->unknown[k]], sqrt(fmax(w->cov[k * w->n + k], 0))},
            err));
    return ZW_OK;
}

static zw_status check_solved(const path_solver *w, int frame, zw_error *err) {
    if (w->solved > 0)
        return ZW_OK;
    zw_fail(err, ZW_E_NUMERIC,
            "no coordinates of the model give any of the poses of %s that were seen",
            w->t->sys->frame[frame].name);
    zw_error_hint(err, "is the table of markers right, is z up, are the poses in the axes of the "
                       "world or of the cameras (--cameras)?");
    return ZW_E_NUMERIC;
}

/* ---------------------------------------------------------------------------------------- poses */

static zw_status solve_body(zw_tracking *t, int frame, zw_seen *list, zw_error *err) {
    path_solver w;
    long n = zw_sights_list(t, -1, frame, true, list);
    if (n == 0)
        return ZW_OK;
    ZW_TRY(path_solver_create(&w, t, 1, &frame, err));
    for (long i = 0; i < n; i++) {
        zw_sight *s = &t->sight[list[i].index];
        const double *sd = t->eye[s->camera].noise;
        zw_posed_target target = {.sd_angle = sd[0] / sqrt(s->quality)};
        double chi2;
        target.sd_place =
            sqrt((sd[1] * sd[1] + s->arm * s->arm * sd[0] * sd[0] * 2 / 3) / s->quality);
        zw_rotation_matrix(s->e, target.A);
        memcpy(target.r, s->r, sizeof s->r);
        ZW_TRY(fit_frame(&w, s->t, 1, &target, &s->fate, &chi2, err));
    }
    return check_solved(&w, frame, err);
}

/* ---- positions ---- */

static int spots_by_time(const void *a, const void *b) {
    const zw_tracking_spot *x = a, *y = b;
    return x->t < y->t ? -1 : x->t > y->t ? 1 : x->tag - y->tag;
}

/* Markers of one time together. Their noise, if not given, is that of their residuals, if they are
 * more than the unknowns. */
static zw_status solve_spots(zw_tracking *t, zw_error *err) {
    path_solver w;
    int *frame = ZW_NEW(&t->arena, int, t->ntag + 1), nframe = 0;
    int *place = ZW_NEW(&t->arena, int, t->ntag + 1);
    zw_posed_target *target = ZW_NEW(&t->arena, zw_posed_target, t->ntag + 1);
    if (t->arena.failed)
        return zw_out_of_memory(err, "tracking data");
    for (int i = 0; i < t->ntag; i++) {
        int k = 0;
        while (k < nframe && frame[k] != t->tag[i].frame)
            k++;
        frame[k] = t->tag[i].frame;
        nframe = k == nframe ? nframe + 1 : nframe;
        place[i] = k;
    }
    ZW_TRY(path_solver_create(&w, t, nframe, frame, err));
    qsort(t->spot, (size_t)t->nspot, sizeof *t->spot, spots_by_time);
    bool stated = t->options.sd_place > 0;
    double sd = stated ? t->options.sd_place : ASSUMED_SD, rest = 0, freedom = 0;
    for (long i = 0, next; i < t->nspot; i = next) {
        int n = 0;
        double chi2 = 0;
        zw_sight_status fate;
        for (next = i; next < t->nspot && t->spot[next].t == t->spot[i].t; next++) {
            const zw_tracking_spot *s = &t->spot[next];
            target[n] =
                (zw_posed_target){.k = place[s->tag], .point = true, .sd_place = sd, .sd_angle = 1};
            memcpy(target[n].r, s->r, sizeof s->r);
            memcpy(target[n].a, t->tag[s->tag].r, sizeof s->r);
            n++;
        }
        ZW_TRY(fit_frame(&w, t->spot[i].t, n, target, &fate, &chi2, err));
        if (fate == ZW_SIGHT_USED && 3 * n > w.n)
            rest += chi2, freedom += 3 * n - w.n;
    }
    ZW_TRY(check_solved(&w, frame[0], err));
    double factor = stated ? 1 : freedom > 20 ? sqrt(rest / freedom) : 0;
    for (int k = 0; k < w.n; k++)
        for (long i = 0; i < t->series[w.unknown[k]].n; i++)
            t->series[w.unknown[k]].sample[i].sd *= factor;
    return ZW_OK;
}

zw_status zw_tracking_solve(zw_tracking *t, zw_error *err) {
    zw_seen *list = ZW_NEW(&t->arena, zw_seen, t->nsight + 1);
    bool *done = ZW_NEW(&t->arena, bool, t->sys->nframe + 1);
    t->body = ZW_NEW(&t->arena, zw_posed *, t->sys->nframe + 2);
    if (t->arena.failed)
        return zw_out_of_memory(err, "tracking data");
    if (t->nspot)
        ZW_TRY(solve_spots(t, err));
    for (int i = 0; i < t->ntag; i++) {
        int frame = t->tag[i].frame;
        if (!done[frame])
            ZW_TRY(solve_body(t, frame, list, err));
        done[frame] = true;
    }
    return ZW_OK;
}
