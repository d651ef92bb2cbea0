/* SPDX-License-Identifier: MIT */
/* The clocks of cameras, their noise, and impossible poses. Corrected times are t = stamp -
 * d(camera).
 *
 * After a first estimate from pairs (track_lags.c) all cameras are computed at once. Let s be
 * the spline of smooth.h through all quaternions (of one sign) and positions y_i at the times
 * stamp_i - d. With r_i = y_i - s(t_i), a change D of the delays and a change dc of the
 * coefficients give
 *
 *   r_i + s'(t_i) D(camera) - B_i dc,
 *
 * and with dc eliminated, K = N + lambda P, X_c = B'W s' of camera c,
 *
 *   (sum w s'^2 delta_cd - X_c' K^-1 X_d) D = -sum w s' r                                  (1)
 *
 * whose matrix is the inverse covariance of the delays. So they are known to a small fraction of a
 * frame. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "align.h"
#include "base/arena.h"
#include "num/linear/linalg.h"

#define SMALLEST_VARIANCE 1e-30 /* of values: data without noise */
#define SMALLEST_SD 1e-12       /* [s] of a delay: the round-off of times */
#define DELAYS_SETTLED 1e-3     /* change of delays in standard deviations: far below their error */
#define GAP_FRAMES 3.5          /* default gap in frames: three are missing */
#define DELAY_AT_LIMIT 0.97     /* of the largest delay: the search ended there */
#define MORE_NOISE 1.3          /* residuals over the given noise: a larger ratio gives a warning */
#define LESS_NOISE 0.7          /* and a smaller one */
#define DELAYS_MOVING 0.3       /* change of delays in standard deviations that gives a warning */

enum {
    ROUNDS = 16,    /* of delays and noise: a limit: a convergent iteration needs far fewer */
    SOFT_ROUNDS = 5 /* first rounds, in which large residuals only count less */
};

static void set_times(zw_aligner *a) {
    zw_tracking *t = a->t;
    for (long i = 0; i < t->nsight; i++) {
        zw_sight *s = &t->sight[i];
        s->t = s->stamp - t->eye[s->camera].known - a->delay[s->camera];
        if (!t->eye[s->camera].info.linked)
            s->fate = ZW_SIGHT_UNLINKED;
    }
}

/* ---------------------------------------------------------------------------------- delays, (1) */

static zw_status add_equations(zw_aligner *a, zw_bundle *b, int part, zw_error *err) {
    zw_smooth *s = &b->spline[part];
    zw_arena_mark mark = zw_arena_mark_now(&a->arena);
    double *X = ZW_NEW(&a->arena, double, (size_t)a->n *(size_t)s->n),
           *Y = ZW_NEW(&a->arena, double, s->n);
    if (a->arena.failed)
        return zw_out_of_memory(err, "tracking data");
    /* Of the four components of a quaternion only three have noise. */
    double scale =
        1 / fmax(part ? s->variance : s->variance * ZW_TURN / (ZW_TURN - 1), SMALLEST_VARIANCE);
    for (int m = 0; m < s->ncomp; m++) {
        memset(X, 0, sizeof(double) * (size_t)a->n * (size_t)s->n);
        for (long i = 0; i < b->n; i++) {
            int row = a->row[a->t->sight[b->index[i]].camera];
            double w = b->weight[part][i], value[ZW_TURN], rate[ZW_TURN];
            if (row < 0 || s->at[i] < 0 || w <= 0)
                continue;
            zw_smooth_at(s, b->t[i], 0, value, NULL);
            zw_smooth_at(s, b->t[i], 1, rate, NULL);
            a->S[row * a->n + row] += scale * w * rate[m] * rate[m];
            a->rhs[row] -= scale * w * rate[m] * (s->y[i * s->ncomp + m] - value[m]);
            for (int j = 0; j < ZW_SMOOTH_BAND; j++)
                X[(size_t)row * (size_t)s->n + (size_t)(s->at[i] + j)] +=
                    w * rate[m] * s->basis[i * ZW_SMOOTH_BAND + j];
        }
        for (int c = 0; c < a->n; c++) {
            memcpy(Y, X + (size_t)c * (size_t)s->n, sizeof(double) * (size_t)s->n);
            zw_smooth_solve(s, Y);
            for (int d = 0; d < a->n; d++)
                for (int j = 0; j < s->n; j++)
                    a->S[c * a->n + d] -= scale * X[(size_t)d * (size_t)s->n + (size_t)j] * Y[j];
        }
    }
    zw_arena_release(&a->arena, mark);
    return ZW_OK;
}

/* One step of (1); *change: the largest one in units of its standard deviation. */
static zw_status step_delays(zw_aligner *a, double *change, zw_error *err) {
    int n = a->n;
    *change = 0;
    if (n == 0)
        return ZW_OK;
    memset(a->S, 0, sizeof(double) * (size_t)(n * n));
    memset(a->rhs, 0, sizeof(double) * (size_t)n);
    for (int k = 0; k < a->nbundle; k++)
        for (int part = 0; part < 2 && a->bundle[k].spline[0].nsegment; part++)
            ZW_TRY(add_equations(a, &a->bundle[k], part, err));
    memset(a->cov, 0, sizeof(double) * (size_t)(n * n));
    for (int i = 0; i < n;
         i++) { /* a priori a delay is smaller than the largest one that is searched */
        a->S[i * n + i] += 1 / (a->t->options.delay_max * a->t->options.delay_max);
        a->cov[i * n + i] = 1;
    }
    if (!(zw_num_lu(n, a->S, a->pivot) > 0))
        return zw_fail(err, ZW_E_NUMERIC, "the delays of the cameras cannot be computed");
    zw_num_lu_solve(n, a->S, a->pivot, n, a->cov);
    zw_num_lu_solve(n, a->S, a->pivot, 1, a->rhs);
    for (int c = 0; c < a->t->neye; c++) {
        int k = a->row[c];
        if (k < 0)
            continue;
        double most = 2 * a->t->frame, sd = sqrt(fmax(a->cov[k * n + k], 0));
        double d = fmax(fmin(a->rhs[k], most), -most);
        a->delay[c] += d;
        a->t->eye[c].info.delay_sd = sd;
        *change = fmax(*change, fabs(d) / fmax(sd, SMALLEST_SD));
    }
    return ZW_OK;
}

static zw_status one_round(zw_aligner *a, int round, zw_seen *scratch, double *numbers,
                           double *change, zw_error *err) {
    bool soft = round < SOFT_ROUNDS;
    set_times(a);
    for (int k = 0; k < a->nbundle; k++) {
        zw_bundle *b = &a->bundle[k];
        ZW_TRY(zw_tracking_pause(a->t, err));
        zw_bundle_fill(a, b, scratch);
        if (round > 0) { /* of the previous fit; the order of the sights may have changed */
            for (long i = 0; i < b->n; i++)
                b->soft[i] = numbers[b->index[i]];
        }
        zw_bundle_weigh(a, b);
        ZW_TRY(zw_bundle_fit(a, b, round < 2 || round == SOFT_ROUNDS || round == SOFT_ROUNDS + 2,
                             err));
        zw_bundle_compare(b);
        zw_bundle_judge(a, b, soft);
        for (long i = 0; i < b->n; i++)
            numbers[b->index[i]] = b->soft[i];
    }
    double *spare = numbers + a->t->nsight;
    for (int c = 0; c < a->t->neye; c++)
        for (int part = 0; part < 2; part++)
            if (!a->stated[part] && !((part ? a->t->eye[c].sd_place : a->t->eye[c].sd_angle) > 0))
                zw_align_noise(a, c, part, soft, spare);
    return step_delays(a, change, err);
}

/* ------------------------------------------------------------------------------------ the whole */

static zw_status list_bodies(zw_aligner *a, zw_error *err) {
    zw_tracking *t = a->t;
    a->bundle = ZW_NEW(&a->arena, zw_bundle, t->ntag + 1);
    if (!a->bundle)
        return zw_out_of_memory(err, "tracking data");
    for (int i = 0; i < t->ntag; i++) {
        long n = 0;
        int k = 0;
        for (long j = 0; j < t->nsight; j++)
            n += t->sight[j].frame == t->tag[i].frame;
        while (k < a->nbundle && a->bundle[k].frame != t->tag[i].frame)
            k++;
        if (k < a->nbundle || n == 0)
            continue;
        zw_bundle *b = &a->bundle[a->nbundle++];
        *b = (zw_bundle){.frame = t->tag[i].frame};
        b->index = ZW_NEW(&a->arena, long, n);
        b->t = ZW_NEW(&a->arena, double, n);
        b->turn = ZW_NEW(&a->arena, double, ZW_TURN *n);
        b->place = ZW_NEW(&a->arena, double, ZW_PLACE *n);
        b->soft = ZW_NEW(&a->arena, double, n);
        for (int part = 0; part < 2; part++) {
            b->weight[part] = ZW_NEW(&a->arena, double, n);
            b->chi2[part] = ZW_NEW(&a->arena, double, n);
        }
    }
    return a->arena.failed ? zw_out_of_memory(err, "tracking data") : ZW_OK;
}

static zw_status choose_reference(zw_tracking *t, zw_error *err) {
    long most = -1;
    t->reference = -1;
    for (int c = 0; c < t->neye; c++) {
        if (t->options.reference && strcmp(t->eye[c].info.name, t->options.reference) == 0)
            t->reference = c;
        if (!t->options.reference && t->eye[c].info.samples > most) {
            t->reference = c;
            most = t->eye[c].info.samples;
        }
    }
    if (t->reference >= 0 && t->eye[t->reference].info.samples > 0)
        return ZW_OK;
    if (t->reference < 0)
        return zw_fail(err, ZW_E_NAME, "--reference %s: there is no such camera",
                       t->options.reference);
    return zw_fail(err, ZW_E_OPTION, "--reference %s: the camera saw nothing",
                   t->eye[t->reference].info.name);
}

static zw_status prepare_aligner(zw_aligner *a, zw_error *err) {
    zw_tracking *t = a->t;
    int n = t->neye;
    a->delay = ZW_NEW(&a->arena, double, n);
    a->row = ZW_NEW(&a->arena, int, n);
    a->pivot = ZW_NEW(&a->arena, int, n);
    a->S = ZW_NEW(&a->arena, double, n *n);
    a->cov = ZW_NEW(&a->arena, double, n *n);
    a->rhs = ZW_NEW(&a->arena, double, n);
    if (a->arena.failed)
        return zw_out_of_memory(err, "tracking data");
    a->stated[0] = t->options.sd_angle > 0;
    a->stated[1] = t->options.sd_place > 0;
    ZW_TRY(list_bodies(a, err));
    ZW_TRY(choose_reference(t, err));
    for (long i = 0; i < t->nsight; i++)
        t->sight[i].t = t->sight[i].stamp - t->eye[t->sight[i].camera].known;
    ZW_TRY(zw_align_estimate_noise(a, err));
    if (!(t->frame > 0))
        return zw_fail(err, ZW_E_NUMERIC, "no camera saw a body more than once");
    t->gap = t->options.gap > 0 ? t->options.gap : GAP_FRAMES * t->frame;
    bool find = t->options.delays == ZW_DELAYS_FIND && n > 1;
    for (int c = 0; c < n; c++)
        t->eye[c].info.linked = !find;
    if (find)
        ZW_TRY(zw_align_lags(a, err));
    for (int c = 0; c < n; c++)
        a->row[c] = find && c != t->reference && t->eye[c].info.linked && t->eye[c].info.samples > 0
                        ? a->n++
                        : -1;
    return ZW_OK;
}

static void warn_camera(zw_tracking *t, const char *camera, double value, const char *text,
                        const char *hint) {
    char key[96];
    snprintf(key, sizeof key, "camera %.60s %.20s", camera, text);
    zw_warning d = zw_warning_of(key, NAN, "camera %.60s: %s", camera, text);
    d.worst = value;
    zw_warning_hint(&d, "%s", hint);
    zw_warnings_add(t->doubts, &d);
}

static void summarise_fit(zw_aligner *a) {
    zw_tracking *t = a->t;
    for (long i = 0; i < t->nsight; i++) {
        zw_tracking_camera *c = &t->eye[t->sight[i].camera].info;
        c->used += t->sight[i].fate == ZW_SIGHT_USED;
        c->outliers += t->sight[i].fate == ZW_SIGHT_OUTLIER;
        t->outliers += t->sight[i].fate == ZW_SIGHT_OUTLIER;
        t->alone += t->sight[i].fate == ZW_SIGHT_ALONE;
    }
    for (int k = 0; k < 2; k++) {
        double rss = 0, n = 0;
        for (int m = 0; m < a->nbundle; m++)
            if (a->bundle[m].spline[0].nsegment) {
                const zw_smooth *s = &a->bundle[m].spline[k];
                rss += s->rss / (k ? ZW_PLACE : ZW_TURN - 1);
                n += (double)s->used - s->trace;
            }
        t->scale[k] = n > 0 ? sqrt(rss / n) : 1;
    }
    for (int c = 0; c < t->neye; c++) {
        zw_eye *eye = &t->eye[c];
        eye->info.delay = eye->known + a->delay[c];
        eye->info.sd_angle = eye->noise[0];
        eye->info.sd_place = eye->noise[1];
        if (eye->info.samples == 0)
            continue;
        if (!eye->info.linked)
            warn_camera(
                t, eye->info.name, NAN,
                "it saw nothing together with the others, so its delay is unknown; its "
                "poses are left out",
                "delays that are known otherwise: a column delay[s] in the table of cameras and "
                "--delays known");
        else if (eye->info.delay_sd > t->frame / 2)
            warn_camera(
                t, eye->info.name, eye->info.delay_sd,
                "its delay is uncertain by more than half a frame: the motion is too slow, or the "
                "cameras saw too little together",
                "for slow motions the delay matters little; --delays known takes that of "
                "the table");
        if (fabs(a->delay[c]) > DELAY_AT_LIMIT * t->options.delay_max)
            warn_camera(t, eye->info.name, a->delay[c],
                        "its delay is at the end of the range that was searched", "--delay-max");
        if (eye->info.outliers > eye->info.samples / 5)
            warn_camera(t, eye->info.name, (double)eye->info.outliers,
                        "more than a fifth of its poses do not agree with the others",
                        "its position in the table of cameras, or that of a marker, may be wrong");
    }
}

/* All cameras together have the mean of their delays; that of the reference is correct. */
static double clock_sd(const zw_aligner *a) {
    double all = 0, sum = 0;
    for (int c = 0; c < a->t->neye; c++)
        all += (double)a->t->eye[c].info.used;
    for (int c = 0; c < a->t->neye; c++)
        for (int d = 0; d < a->t->neye; d++)
            if (a->row[c] >= 0 && a->row[d] >= 0)
                sum += a->cov[a->row[c] * a->n + a->row[d]] * (double)a->t->eye[c].info.used / all *
                       (double)a->t->eye[d].info.used / all;
    return all > 0 ? sqrt(fmax(sum, 0)) : 0;
}

static void judge_noise(zw_tracking *t, const zw_aligner *a) {
    static const char *const name[2] = {"angles", "places"}, *const option[2] = {"--sd-angle",
                                                                                 "--sd-place"};
    for (int k = 0; k < 2; k++)
        if (a->stated[k] && (t->scale[k] > MORE_NOISE || t->scale[k] < LESS_NOISE)) {
            char key[40];
            snprintf(key, sizeof key, "noise of %s", name[k]);
            zw_warning d = zw_warning_of(key, NAN, "the %s scatter by %.2g times the stated value",
                                         name[k], t->scale[k]);
            zw_warning_hint(&d, "%s; without it the noise is estimated", option[k]);
            zw_warnings_add(t->doubts, &d);
        }
}

static zw_status align_cameras(zw_aligner *a, zw_error *err) {
    zw_tracking *t = a->t;
    double change = INFINITY;
    ZW_TRY(prepare_aligner(a, err));
    zw_seen *scratch = ZW_NEW(&a->arena, zw_seen, t->nsight + 1);
    double *numbers = ZW_NEW(&a->arena, double, 2 * t->nsight + 2);
    if (a->arena.failed)
        return zw_out_of_memory(err, "tracking data");
    for (int round = 0; round < ROUNDS && (round < SOFT_ROUNDS + 5 || change > DELAYS_SETTLED);
         round++)
        ZW_TRY(one_round(a, round, scratch, numbers, &change, err));
    if (a->n && change > DELAYS_MOVING) {
        zw_warning d = zw_warning_of(
            "delays", NAN, "the delays of the cameras had not settled after %d rounds", ROUNDS);
        zw_warnings_add(t->doubts, &d);
    }
    set_times(a);
    summarise_fit(a);
    t->clock_sd = clock_sd(a);
    judge_noise(t, a);
    return ZW_OK;
}

zw_status zw_tracking_align(zw_tracking *t, zw_error *err) {
    zw_aligner a = {.t = t};
    zw_arena_init(&a.arena, &t->arena.alloc);
    zw_status status = align_cameras(&a, err);
    for (int k = 0; k < a.nbundle; k++)
        if (a.bundle[k].fitted)
            for (int part = 0; part < 2; part++)
                zw_smooth_destroy(&a.bundle[k].spline[part]);
    zw_arena_clear(&a.arena);
    return status;
}
