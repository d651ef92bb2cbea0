/* SPDX-License-Identifier: MIT */
/* The clocks of cameras, their noise, and poses that cannot be. Corrected times are t = stamp - d(camera).
 *
 * First the lag of every pair of cameras is looked for on a grid of half frames: poses of the one against those of the other between
 * its frames, compared by sum of log(1 + chi^2), which many wrong poses cannot spoil. Delays are the least squares of all lags; a
 * camera that saw nothing together with the others, by any chain, has none.
 *
 * Then all cameras are taken at once. Let s be the spline of smooth.h through all quaternions (of one sign) and places y_i at the
 * times stamp_i - d. With r_i = y_i - s(t_i), a change D of the delays and one of the coefficients make
 *
 *     r_i + s'(t_i) D(camera) - B_i dc,
 *
 * and with dc eliminated, K = N + lambda P, X_c = B'W s' of camera c,
 *
 *     (sum w s'^2 delta_cd - X_c' K^-1 X_d) D = -sum w s' r                                           (1)
 *
 * whose matrix is the inverse covariance of the delays. So they come out to a small part of a frame.
 *
 * Noise: of each camera by what its poses differ from the spline, with their leverage; chi^2 of angles (4 components, 3 free) and of
 * places (3) beyond outlier^2 are left out, after some rounds in which large ones only count less (Huber). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rotation.h"
#include "num/linalg.h"
#include "smooth.h"
#include "tracking.h"

enum { ROUNDS = 16, SOFT = 5, VOTES = 7, TURN = 4, PLACE = 3 };
#define MEDIAN_CHI2 2.366 /* of three degrees of freedom */

typedef struct bundle { /* the sights of one body, in the order of time */
    int frame;
    long n;
    long *index;
    double *t, *turn, *place, *weight[2], *soft, *chi2[2];
    zw_smooth spline[2];
    double lambda[2], step[2];
    bool fitted;
} bundle;

typedef struct aligner {
    zw_tracking *t;
    zw_arena arena;
    int nbundle;
    bundle *bundle;
    double *delay; /* neye */
    double *S, *rhs, *cov;
    int *row, *pivot; /* row: of a camera in (1), -1 */
    int n;
    bool stated[2];
} aligner;

static int by_number(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *v, long n) {
    if (n == 0)
        return NAN;
    qsort(v, (size_t)n, sizeof *v, by_number);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* ------------------------------------------------------------------------------------ frames and noise */

typedef struct seen {
    double t;
    long index;
} seen;

static int by_time(const void *a, const void *b) {
    const seen *x = a, *y = b;
    return x->t < y->t ? -1 : x->t > y->t ? 1 : x->index < y->index ? -1 : 1;
}

/* the sights of a camera (-1: of all) and a body in the order of corrected time; how many */
static long list_sights(const zw_tracking *t, int camera, int frame, seen *out) {
    long n = 0;
    for (long i = 0; i < t->nsight; i++)
        if ((camera < 0 || t->sight[i].camera == camera) && t->sight[i].frame == frame &&
            t->sight[i].fate != ZW_SIGHT_UNLINKED)
            out[n++] = (seen){t->sight[i].t, i};
    qsort(out, (size_t)n, sizeof *out, by_time);
    return n;
}

/* Fourth differences of five frames in a row: their signal is small, their noise sqrt(70) times that of a sample. */
static double difference(const zw_tracking *t, const seen *s, int part, int component) {
    static const double binomial[5] = {1, -4, 6, -4, 1};
    double sum = 0;
    for (int k = 0; k < 5; k++) {
        const zw_sight *v = &t->sight[s[k].index], *first = &t->sight[s[0].index];
        double dot = 0;
        for (int i = 0; i < TURN; i++)
            dot += v->e[i] * first->e[i];
        sum += binomial[k] * (part ? v->r[component] : (dot < 0 ? -2 : 2) * v->e[component]);
    }
    return sum / sqrt(70);
}

static void guess_noise(zw_tracking *t, zw_eye *eye, const seen *s, long n, double *room) {
    for (int part = 0; part < 2; part++) {
        long m = 0;
        for (long i = 0; i + 5 <= n; i++) {
            if (s[i + 4].t - s[i].t > 4.5 * eye->frame || s[i + 1].t == s[i].t)
                continue;
            for (int k = 0; k < (part ? PLACE : TURN); k++)
                room[m++] = fabs(difference(t, s + i, part, k));
        }
        double found = median(room, m) / 0.6745;
        if (isfinite(found) && found > 0 && !(eye->noise[part] > 0))
            eye->noise[part] = found;
    }
}

static zw_status look_at_cameras(aligner *a, zw_error *err) {
    zw_tracking *t = a->t;
    seen *s = ZW_NEW(&a->arena, seen, t->nsight + 1);
    double *room = ZW_NEW(&a->arena, double, 4 * t->nsight + 4);
    if (a->arena.failed)
        return zw_tracking_no_memory(err);
    for (int c = 0; c < t->neye; c++) {
        zw_eye *eye = &t->eye[c];
        eye->noise[0] = eye->sd_angle > 0 ? eye->sd_angle : t->options.sd_angle;
        eye->noise[1] = eye->sd_place > 0 ? eye->sd_place : t->options.sd_place;
        for (int b = 0; b < a->nbundle; b++) {
            long n = list_sights(t, c, a->bundle[b].frame, s), m = 0;
            for (long i = 0; i + 1 < n; i++)
                if (s[i + 1].t > s[i].t)
                    room[m++] = s[i + 1].t - s[i].t;
            if (m && !(eye->frame > 0))
                eye->frame = median(room, m);
            guess_noise(t, eye, s, n, room);
        }
        eye->told.fps = eye->frame > 0 ? 1 / eye->frame : 0;
    }
    /* what could not be told is like the others */
    double known[2] = {0, 0}, frame = INFINITY;
    for (int c = 0; c < t->neye; c++) {
        for (int k = 0; k < 2; k++)
            known[k] = fmax(known[k], t->eye[c].noise[k]);
        if (t->eye[c].frame > 0)
            frame = fmin(frame, t->eye[c].frame);
    }
    for (int c = 0; c < t->neye; c++)
        for (int k = 0; k < 2; k++)
            if (!(t->eye[c].noise[k] > 0))
                t->eye[c].noise[k] = known[k] > 0 ? known[k] : k ? 1e-6 : 1e-5;
    t->frame = isfinite(frame) ? frame : 0;
    return ZW_OK;
}

/* -------------------------------------------------------------------------------------- pairs of cameras */

/* log(1 + chi^2/3) of two poses; quaternions may have either sign */
static double disagreement(const double *e, const double *r, const zw_sight *v,
                           const double sd[2]) {
    double dot = 0, size = 0, far = 0;
    for (int i = 0; i < TURN; i++)
        dot += e[i] * v->e[i], size += e[i] * e[i];
    for (int i = 0; i < PLACE; i++)
        far += (r[i] - v->r[i]) * (r[i] - v->r[i]);
    double angle = 2 * acos(fmin(fabs(dot) / sqrt(size), 1));
    return log1p((angle * angle / (sd[0] * sd[0]) + far / (sd[1] * sd[1])) / 3);
}

/* the pose between two frames; false if they are too far apart */
static bool between(const zw_tracking *t, const seen *s, long n, long *at, double time, double most,
                    double e[4], double r[3]) {
    while (*at > 0 && s[*at].t > time)
        --*at;
    while (*at + 1 < n && s[*at + 1].t <= time)
        ++*at;
    if (*at + 1 >= n || s[*at].t > time || s[*at + 1].t - s[*at].t > most)
        return false;
    const zw_sight *a = &t->sight[s[*at].index], *b = &t->sight[s[*at + 1].index];
    double u = (time - s[*at].t) / (s[*at + 1].t - s[*at].t), dot = 0;
    for (int i = 0; i < TURN; i++)
        dot += a->e[i] * b->e[i];
    for (int i = 0; i < TURN; i++)
        e[i] = (1 - u) * a->e[i] + (dot < 0 ? -u : u) * b->e[i];
    for (int i = 0; i < PLACE; i++)
        r[i] = (1 - u) * a->r[i] + u * b->r[i];
    return true;
}

typedef struct lag {
    double value, weight; /* d_b - d_a; 0: nothing seen together */
} lag;

/* The sums of one body at all lags; rooms of 2 most + 1. */
static void compare_at_lags(const zw_tracking *t, const seen *sa, long na, const seen *sb, long nb,
                            const double sd[2], double step, double apart, int most, double *sum,
                            double *count) {
    double e[4], r[3];
    for (int k = -most; k <= most; k++) {
        long at = 0;
        for (long i = 0; i < na; i++)
            if (between(t, sb, nb, &at, sa[i].t + k * step, apart, e, r)) {
                sum[most + k] += disagreement(e, r, &t->sight[sa[i].index], sd);
                count[most + k]++;
            }
    }
}

/* where the mean over all common times is least; flat: the motion does not tell */
static zw_status find_lag(aligner *al, int ca, int cb, seen *sa, seen *sb, lag *out,
                          zw_error *err) {
    const zw_tracking *t = al->t;
    const zw_eye *a = &t->eye[ca], *b = &t->eye[cb];
    double sd[2], step = fmin(a->frame, b->frame) / 2;
    *out = (lag){0};
    if (!(step > 0))
        return ZW_OK;
    int most = (int)fmin(ceil(t->options.delay_max / step), 4000);
    zw_arena_mark mark = zw_arena_mark_now(&al->arena);
    double *sum = ZW_NEW(&al->arena, double, 2 * most + 1),
           *count = ZW_NEW(&al->arena, double, 2 * most + 1);
    if (al->arena.failed)
        return zw_tracking_no_memory(err);
    for (int k = 0; k < 2; k++)
        sd[k] = hypot(a->noise[k], b->noise[k]);
    for (int m = 0; m < al->nbundle; m++) {
        long na = list_sights(t, ca, al->bundle[m].frame, sa),
             nb = list_sights(t, cb, al->bundle[m].frame, sb);
        compare_at_lags(t, sa, na, sb, nb, sd, step, 2.5 * b->frame, most, sum, count);
    }
    double best = INFINITY, worst = 0, common = 0;
    for (int k = 0; k <= 2 * most; k++)
        common = fmax(common, count[k]);
    for (int k = 0; k <= 2 * most; k++) {
        double mean = sum[k] / count[k];
        if (count[k] < 10 || count[k] < common / 2)
            continue;
        worst = fmax(worst, mean);
        if (mean < best)
            best = mean, out->value = (k - most) * step;
    }
    if (isfinite(best)) {
        bool flat = (worst - best) * common < 15;
        *out = (lag){flat ? 0 : out->value, flat ? 1e-6 * common : common};
    }
    zw_arena_release(&al->arena, mark);
    return ZW_OK;
}

/* delays from lags: a net of cameras, with the reference at 0 */
static zw_status solve_net(aligner *a, const lag *pair, zw_error *err) {
    int n = a->t->neye;
    bool grown = true;
    double *M = ZW_NEW(&a->arena, double, n *n), *b = ZW_NEW(&a->arena, double, n);
    int *pivot = ZW_NEW(&a->arena, int, n);
    if (a->arena.failed)
        return zw_tracking_no_memory(err);
    a->t->eye[a->t->reference].told.linked = true;
    while (grown) {
        grown = false;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++)
                if (pair[i * n + k].weight > 0 && a->t->eye[i].told.linked &&
                    !a->t->eye[k].told.linked)
                    grown = a->t->eye[k].told.linked = true;
    }
    for (int i = 0; i < n; i++) {
        bool free = a->t->eye[i].told.linked && i != a->t->reference;
        M[i * n + i] = free ? 0 : 1;
        for (int k = 0; free && k < n; k++) {
            const lag *l = &pair[i * n + k];
            M[i * n + i] += l->weight;
            if (k != a->t->reference)
                M[i * n + k] -= l->weight;
            b[i] -= l->weight * l->value; /* d_k - d_i = value */
        }
    }
    zw_num_lu(n, M, pivot);
    zw_num_lu_solve(n, M, pivot, 1, b);
    for (int i = 0; i < n; i++)
        a->delay[i] = a->t->eye[i].told.linked && isfinite(b[i]) ? b[i] : 0;
    return ZW_OK;
}

static zw_status find_lags(aligner *a, zw_error *err) {
    zw_tracking *t = a->t;
    int n = t->neye;
    lag *pair = ZW_NEW(&a->arena, lag, n * n);
    seen *sa = ZW_NEW(&a->arena, seen, t->nsight + 1), *sb = ZW_NEW(&a->arena, seen, t->nsight + 1);
    if (a->arena.failed)
        return zw_tracking_no_memory(err);
    for (int i = 0; i < n; i++)
        for (int k = i + 1; k < n; k++) {
            if (t->eye[i].told.samples == 0 || t->eye[k].told.samples == 0)
                continue;
            lag l;
            ZW_TRY(find_lag(a, i, k, sa, sb, &l, err));
            pair[i * n + k] = l;
            pair[k * n + i] = (lag){-l.value, l.weight};
        }
    return solve_net(a, pair, err);
}

static void set_times(aligner *a) {
    zw_tracking *t = a->t;
    for (long i = 0; i < t->nsight; i++) {
        zw_sight *s = &t->sight[i];
        s->t = s->stamp - t->eye[s->camera].known - a->delay[s->camera];
        if (!t->eye[s->camera].told.linked)
            s->fate = ZW_SIGHT_UNLINKED;
    }
}

/* ----------------------------------------------------------------------------------------------- bundles */

/* of the two quaternions the one that most of those before agree with: a single wrong pose cannot turn the others */
static void choose_signs(bundle *b) {
    for (long i = 1; i < b->n; i++) {
        double vote = 0, *e = b->turn + TURN * i;
        for (long k = i - 1; k >= 0 && k >= i - VOTES; k--) {
            double dot = 0;
            for (int m = 0; m < TURN; m++)
                dot += e[m] * b->turn[TURN * k + m];
            vote += dot * fabs(dot) * (double)(VOTES + 1 - (i - k));
        }
        for (int m = 0; vote < 0 && m < TURN; m++)
            e[m] = -e[m];
    }
}

static void weigh(aligner *a, bundle *b) {
    for (long i = 0; i < b->n; i++) {
        const zw_sight *s = &a->t->sight[b->index[i]];
        const double *sd = a->t->eye[s->camera].noise;
        double place = sd[1] * sd[1] + s->arm * s->arm * sd[0] * sd[0] * 2 / 3;
        double factor = s->fate == ZW_SIGHT_USED ? s->quality * b->soft[i] : 0;
        b->weight[0][i] = factor * 4 / (sd[0] * sd[0]);
        b->weight[1][i] = factor / place;
    }
}

static void fill_bundle(aligner *a, bundle *b, seen *room) {
    long n = list_sights(a->t, -1, b->frame, room);
    for (long i = 0; i < n; i++) {
        const zw_sight *s = &a->t->sight[room[i].index];
        b->index[i] = room[i].index;
        b->t[i] = s->t;
        memcpy(b->turn + TURN * i, s->e, sizeof s->e);
        memcpy(b->place + PLACE * i, s->r, sizeof s->r);
        b->soft[i] = 1;
    }
    b->n = n;
    choose_signs(b);
}

static zw_status fit_bundle(aligner *a, bundle *b, bool choose, zw_error *err) {
    double gap = a->t->gap;
    if (b->fitted)
        for (int k = 0; k < 2; k++)
            zw_smooth_destroy(&b->spline[k]);
    b->fitted = true;
    b->spline[1] = (zw_smooth){0};
    for (int k = 0; k < 2; k++) {
        if (choose)
            b->step[k] = a->t->frame;
        ZW_TRY(zw_smooth_create(&b->spline[k], b->n, k ? PLACE : TURN, b->t, k ? b->place : b->turn,
                                b->weight[k], b->step[k], gap, err));
    }
    if (b->spline[0].nsegment == 0)
        return ZW_OK;
    for (int k = 0; k < 2; k++) {
        b->spline[k].lambda = b->lambda[k];
        ZW_TRY(zw_smooth_fit(&b->spline[k], choose ? ZW_SMOOTH_ESTIMATE : ZW_SMOOTH_KEEP, err));
        b->lambda[k] = b->spline[k].lambda;
        b->step[k] = b->spline[k].step;
    }
    return ZW_OK;
}

/* chi^2 of each pose, of angles and places, as if it had not taken part; those of no segment: NaN */
static void compare_poses(bundle *b) {
    for (int k = 0; k < 2; k++) {
        zw_smooth *s = &b->spline[k];
        for (long i = 0; i < b->n; i++) {
            double value[TURN], sum = 0;
            b->chi2[k][i] = NAN;
            if (s->at[i] < 0 || !zw_smooth_at(s, b->t[i], 0, value, NULL))
                continue;
            for (int m = 0; m < s->ncomp; m++)
                sum += (s->y[i * s->ncomp + m] - value[m]) * (s->y[i * s->ncomp + m] - value[m]);
            double rest = 1 - zw_smooth_leverage(s, i);
            b->chi2[k][i] = sum / fmax(rest, 0.02);
        }
    }
}

/* chi^2 in units of the noise of its camera */
static double chi2_of(const aligner *a, const bundle *b, int part, long i) {
    const zw_sight *s = &a->t->sight[b->index[i]];
    const double *sd = a->t->eye[s->camera].noise;
    double variance =
        part ? sd[1] * sd[1] + s->arm * s->arm * sd[0] * sd[0] * 2 / 3 : sd[0] * sd[0] / 4;
    return b->chi2[part][i] * s->quality / variance;
}

/* The noise of a camera: by the median at first, by the mean without outliers later. */
static void renew_noise(aligner *a, int camera, int part, bool robust, double *room) {
    long m = 0;
    double sum = 0;
    for (int k = 0; k < a->nbundle; k++) {
        const bundle *b = &a->bundle[k];
        for (long i = 0; i < b->n; i++) {
            const zw_sight *s = &a->t->sight[b->index[i]];
            double chi2 = chi2_of(a, b, part, i);
            if (s->camera != camera || isnan(chi2) || s->fate != ZW_SIGHT_USED)
                continue;
            room[m++] = chi2;
            sum += chi2 / 3;
        }
    }
    if (m < 20)
        return;
    double factor = robust ? median(room, m) / MEDIAN_CHI2 : sum / (double)m;
    double next = a->t->eye[camera].noise[part] * sqrt(factor);
    if (isfinite(next))
        a->t->eye[camera].noise[part] = fmax(next, 1e-10);
}

static void judge_poses(aligner *a, bundle *b, bool soft) {
    double limit = a->t->options.outlier * a->t->options.outlier;
    for (long i = 0; i < b->n; i++) {
        zw_sight *s = &a->t->sight[b->index[i]];
        double chi2 = fmax(chi2_of(a, b, 0, i), chi2_of(a, b, 1, i));
        b->soft[i] = 1;
        if (isnan(b->chi2[0][i]))
            s->fate = ZW_SIGHT_ALONE;
        else
            s->fate = limit > 0 && chi2 > limit && !soft ? ZW_SIGHT_OUTLIER : ZW_SIGHT_USED;
        if (soft)
            b->soft[i] = chi2 > 9 ? 3 / sqrt(chi2) * (chi2 > 100 ? 0.1 : 1) : 1;
    }
}

/* ------------------------------------------------------------------------------------------- delays, (1) */

static zw_status add_equations(aligner *a, bundle *b, int part, zw_error *err) {
    zw_smooth *s = &b->spline[part];
    zw_arena_mark mark = zw_arena_mark_now(&a->arena);
    double *X = ZW_NEW(&a->arena, double, (size_t)a->n *(size_t)s->n),
           *Y = ZW_NEW(&a->arena, double, s->n);
    if (a->arena.failed)
        return zw_tracking_no_memory(err);
    /* of the four components of a quaternion only three have noise */
    double scale = 1 / fmax(part ? s->variance : s->variance * TURN / (TURN - 1), 1e-30);
    for (int m = 0; m < s->ncomp; m++) {
        memset(X, 0, sizeof(double) * (size_t)a->n * (size_t)s->n);
        for (long i = 0; i < b->n; i++) {
            int row = a->row[a->t->sight[b->index[i]].camera];
            double w = b->weight[part][i], value[TURN], rate[TURN];
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

/* one step of (1); *change: the largest one in units of its standard deviation */
static zw_status step_delays(aligner *a, double *change, zw_error *err) {
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
         i++) { /* beforehand a delay is known to be below the largest one that is looked for */
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
        a->t->eye[c].told.delay_sd = sd;
        *change = fmax(*change, fabs(d) / fmax(sd, 1e-12));
    }
    return ZW_OK;
}

static zw_status one_round(aligner *a, int round, seen *room, double *numbers, double *change,
                           zw_error *err) {
    bool soft = round < SOFT;
    set_times(a);
    for (int k = 0; k < a->nbundle; k++) {
        bundle *b = &a->bundle[k];
        fill_bundle(a, b, room);
        if (round > 0) { /* of the fit before; the order of the sights may be another one now */
            for (long i = 0; i < b->n; i++)
                b->soft[i] = numbers[b->index[i]];
        }
        weigh(a, b);
        ZW_TRY(fit_bundle(a, b, round < 2 || round == SOFT || round == SOFT + 2, err));
        compare_poses(b);
        judge_poses(a, b, soft);
        for (long i = 0; i < b->n; i++)
            numbers[b->index[i]] = b->soft[i];
    }
    double *spare = numbers + a->t->nsight;
    for (int c = 0; c < a->t->neye; c++)
        for (int part = 0; part < 2; part++)
            if (!a->stated[part] && !((part ? a->t->eye[c].sd_place : a->t->eye[c].sd_angle) > 0))
                renew_noise(a, c, part, soft, spare);
    return step_delays(a, change, err);
}

/* ------------------------------------------------------------------------------------------------ the whole */

static zw_status list_bodies(aligner *a, zw_error *err) {
    zw_tracking *t = a->t;
    a->bundle = ZW_NEW(&a->arena, bundle, t->ntag + 1);
    if (!a->bundle)
        return zw_tracking_no_memory(err);
    for (int i = 0; i < t->ntag; i++) {
        long n = 0;
        int k = 0;
        for (long j = 0; j < t->nsight; j++)
            n += t->sight[j].frame == t->tag[i].frame;
        while (k < a->nbundle && a->bundle[k].frame != t->tag[i].frame)
            k++;
        if (k < a->nbundle || n == 0)
            continue;
        bundle *b = &a->bundle[a->nbundle++];
        *b = (bundle){.frame = t->tag[i].frame};
        b->index = ZW_NEW(&a->arena, long, n);
        b->t = ZW_NEW(&a->arena, double, n);
        b->turn = ZW_NEW(&a->arena, double, TURN *n);
        b->place = ZW_NEW(&a->arena, double, PLACE *n);
        b->soft = ZW_NEW(&a->arena, double, n);
        for (int part = 0; part < 2; part++) {
            b->weight[part] = ZW_NEW(&a->arena, double, n);
            b->chi2[part] = ZW_NEW(&a->arena, double, n);
        }
    }
    return a->arena.failed ? zw_tracking_no_memory(err) : ZW_OK;
}

static zw_status choose_reference(zw_tracking *t, zw_error *err) {
    long most = -1;
    t->reference = -1;
    for (int c = 0; c < t->neye; c++) {
        if (t->options.reference && strcmp(t->eye[c].told.name, t->options.reference) == 0)
            t->reference = c;
        if (!t->options.reference && t->eye[c].told.samples > most) {
            t->reference = c;
            most = t->eye[c].told.samples;
        }
    }
    if (t->reference >= 0 && t->eye[t->reference].told.samples > 0)
        return ZW_OK;
    if (t->reference < 0)
        return zw_fail(err, ZW_E_NAME, "--reference %s: there is no such camera",
                       t->options.reference);
    return zw_fail(err, ZW_E_OPTION, "--reference %s: the camera saw nothing",
                   t->eye[t->reference].told.name);
}

static zw_status prepare(aligner *a, zw_error *err) {
    zw_tracking *t = a->t;
    int n = t->neye;
    a->delay = ZW_NEW(&a->arena, double, n);
    a->row = ZW_NEW(&a->arena, int, n);
    a->pivot = ZW_NEW(&a->arena, int, n);
    a->S = ZW_NEW(&a->arena, double, n *n);
    a->cov = ZW_NEW(&a->arena, double, n *n);
    a->rhs = ZW_NEW(&a->arena, double, n);
    if (a->arena.failed)
        return zw_tracking_no_memory(err);
    a->stated[0] = t->options.sd_angle > 0;
    a->stated[1] = t->options.sd_place > 0;
    ZW_TRY(list_bodies(a, err));
    ZW_TRY(choose_reference(t, err));
    for (long i = 0; i < t->nsight; i++)
        t->sight[i].t = t->sight[i].stamp - t->eye[t->sight[i].camera].known;
    ZW_TRY(look_at_cameras(a, err));
    if (!(t->frame > 0))
        return zw_fail(err, ZW_E_NUMERIC, "no camera saw a body more than once");
    t->gap = t->options.gap > 0 ? t->options.gap : 3.5 * t->frame;
    bool find = t->options.delays == ZW_DELAYS_FIND && n > 1;
    for (int c = 0; c < n; c++)
        t->eye[c].told.linked = !find;
    if (find)
        ZW_TRY(find_lags(a, err));
    for (int c = 0; c < n; c++)
        a->row[c] = find && c != t->reference && t->eye[c].told.linked && t->eye[c].told.samples > 0
                        ? a->n++
                        : -1;
    return ZW_OK;
}

static void tell(zw_tracking *t, const char *camera, double value, const char *text,
                 const char *hint) {
    char key[96];
    snprintf(key, sizeof key, "camera %.60s %.20s", camera, text);
    zw_doubt d = zw_doubt_of(key, NAN, "camera %.60s: %s", camera, text);
    d.worst = value;
    zw_doubt_hint(&d, "%s", hint);
    zw_doubts_add(t->doubts, &d);
}

static void conclude(aligner *a) {
    zw_tracking *t = a->t;
    for (long i = 0; i < t->nsight; i++) {
        zw_tracking_camera *c = &t->eye[t->sight[i].camera].told;
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
                rss += s->rss / (k ? PLACE : TURN - 1);
                n += (double)s->used - s->trace;
            }
        t->scale[k] = n > 0 ? sqrt(rss / n) : 1;
    }
    for (int c = 0; c < t->neye; c++) {
        zw_eye *eye = &t->eye[c];
        eye->told.delay = eye->known + a->delay[c];
        eye->told.sd_angle = eye->noise[0];
        eye->told.sd_place = eye->noise[1];
        if (eye->told.samples == 0)
            continue;
        if (!eye->told.linked)
            tell(t, eye->told.name, NAN,
                 "it saw nothing together with the others, so that its delay is not known; its "
                 "poses are left out",
                 "delays that are known otherwise: a column delay[s] in the table of cameras and "
                 "--delays known");
        else if (eye->told.delay_sd > t->frame / 2)
            tell(t, eye->told.name, eye->told.delay_sd,
                 "its delay is uncertain by more than half a frame: the motion is too slow, or too "
                 "little was seen together, to tell it",
                 "where the motion is slow the delay matters little; --delays known takes that of "
                 "the table");
        if (fabs(a->delay[c]) > 0.97 * t->options.delay_max)
            tell(t, eye->told.name, a->delay[c], "its delay is at the end of what was looked at",
                 "--delay-max");
        if (eye->told.outliers > eye->told.samples / 5)
            tell(t, eye->told.name, (double)eye->told.outliers,
                 "more than a fifth of its poses do not agree with the others",
                 "its place in the table of cameras, or that of a marker, may be wrong");
    }
}

static void judge_noise(zw_tracking *t, const aligner *a) {
    static const char *const name[2] = {"angles", "places"}, *const option[2] = {"--sd-angle",
                                                                                 "--sd-place"};
    for (int k = 0; k < 2; k++)
        if (a->stated[k] && (t->scale[k] > 1.3 || t->scale[k] < 0.7)) {
            char key[40];
            snprintf(key, sizeof key, "noise of %s", name[k]);
            zw_doubt d = zw_doubt_of(key, NAN, "the %s scatter by %.2g times what was stated",
                                     name[k], t->scale[k]);
            zw_doubt_hint(&d, "%s; without it the noise is estimated", option[k]);
            zw_doubts_add(t->doubts, &d);
        }
}

static zw_status work(aligner *a, zw_error *err) {
    zw_tracking *t = a->t;
    double change = INFINITY;
    ZW_TRY(prepare(a, err));
    seen *room = ZW_NEW(&a->arena, seen, t->nsight + 1);
    double *numbers = ZW_NEW(&a->arena, double, 2 * t->nsight + 2);
    if (a->arena.failed)
        return zw_tracking_no_memory(err);
    for (int round = 0; round < ROUNDS && (round < SOFT + 5 || change > 1e-3); round++)
        ZW_TRY(one_round(a, round, room, numbers, &change, err));
    if (a->n && change > 0.3) {
        zw_doubt d = zw_doubt_of(
            "delays", NAN, "the delays of the cameras had not settled after %d rounds", ROUNDS);
        zw_doubts_add(t->doubts, &d);
    }
    set_times(a);
    conclude(a);
    judge_noise(t, a);
    return ZW_OK;
}

zw_status zw_tracking_align(zw_tracking *t, zw_error *err) {
    aligner a = {.t = t};
    zw_arena_init(&a.arena, NULL);
    zw_status status = work(&a, err);
    for (int k = 0; k < a.nbundle; k++)
        if (a.bundle[k].fitted)
            for (int part = 0; part < 2; part++)
                zw_smooth_destroy(&a.bundle[k].spline[part]);
    zw_arena_clear(&a.arena);
    return status;
}
