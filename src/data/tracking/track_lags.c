/* SPDX-License-Identifier: MIT */
/* Lags between pairs of cameras, on a grid of half frames: poses of one against those of the other
 * between its frames, by the sum of log(1 + chi^2/3), which many wrong poses cannot spoil. Delays
 * are the least squares of all lags; a camera that has seen nothing together with the others, by
 * any chain, has none. */
#include <math.h>

#include "align.h"
#include "base/arena.h"
#include "num/linear/linalg.h"

/* relative weight of a lag that the motion does not determine: it only connects cameras without
 * another lag */
#define FLAT_WEIGHT 1e-6
#define INTERPOLATED_FRAMES 2.5 /* frames between which poses are interpolated */

/* log(1 + chi^2/3) of two poses; quaternions may have either sign. */
static double pose_disagreement(const double *e, const double *r, const zw_sight *v,
                                const double sd[2]) {
    double dot = 0, size = 0, far = 0;
    for (int i = 0; i < ZW_TURN; i++)
        dot += e[i] * v->e[i], size += e[i] * e[i];
    for (int i = 0; i < ZW_PLACE; i++)
        far += (r[i] - v->r[i]) * (r[i] - v->r[i]);
    double angle = 2 * acos(fmin(fabs(dot) / sqrt(size), 1));
    return log1p((angle * angle / (sd[0] * sd[0]) + far / (sd[1] * sd[1])) / 3);
}

/* The pose between two frames; false if they are too far apart. */
static bool interpolate_pose(const zw_tracking *t, const zw_seen *s, long n, long *at, double time,
                             double most, double e[4], double r[3]) {
    while (*at > 0 && s[*at].t > time)
        --*at;
    while (*at + 1 < n && s[*at + 1].t <= time)
        ++*at;
    if (*at + 1 >= n || s[*at].t > time || s[*at + 1].t - s[*at].t > most)
        return false;
    const zw_sight *a = &t->sight[s[*at].index], *b = &t->sight[s[*at + 1].index];
    double u = (time - s[*at].t) / (s[*at + 1].t - s[*at].t), dot = 0;
    for (int i = 0; i < ZW_TURN; i++)
        dot += a->e[i] * b->e[i];
    for (int i = 0; i < ZW_TURN; i++)
        e[i] = (1 - u) * a->e[i] + (dot < 0 ? -u : u) * b->e[i];
    for (int i = 0; i < ZW_PLACE; i++)
        r[i] = (1 - u) * a->r[i] + u * b->r[i];
    return true;
}

typedef struct lag {
    double value, weight; /* d_b - d_a; weight 0: nothing seen together */
} lag;

/* The sums of one body at all lags; arrays of 2 most + 1. */
static zw_status compare_at_lags(const zw_tracking *t, const zw_seen *sa, long na,
                                 const zw_seen *sb, long nb, const double sd[2], double step,
                                 double apart, int most, double *sum, double *count,
                                 zw_error *err) {
    double e[4], r[3];
    for (int k = -most; k <= most; k++) {
        long at = 0;
        ZW_TRY(zw_tracking_pause(t, err));
        for (long i = 0; i < na; i++)
            if (interpolate_pose(t, sb, nb, &at, sa[i].t + k * step, apart, e, r)) {
                sum[most + k] += pose_disagreement(e, r, &t->sight[sa[i].index], sd);
                count[most + k]++;
            }
    }
    return ZW_OK;
}

/* The lag with the least mean over all common times; flat: the motion does not determine it. */
static zw_status find_lag(zw_aligner *al, int ca, int cb, zw_seen *sa, zw_seen *sb, lag *out,
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
        return zw_out_of_memory(err, "tracking data");
    for (int k = 0; k < 2; k++)
        sd[k] = hypot(a->noise[k], b->noise[k]);
    for (int m = 0; m < al->nbundle; m++) {
        long na = zw_sights_list(t, ca, al->bundle[m].frame, false, sa),
             nb = zw_sights_list(t, cb, al->bundle[m].frame, false, sb);
        ZW_TRY(compare_at_lags(t, sa, na, sb, nb, sd, step, INTERPOLATED_FRAMES * b->frame, most,
                               sum, count, err));
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
        *out = (lag){flat ? 0 : out->value, flat ? FLAT_WEIGHT * common : common};
    }
    zw_arena_release(&al->arena, mark);
    return ZW_OK;
}

/* Delays from lags: a network of cameras, with the reference at 0. */
static zw_status solve_net(zw_aligner *a, const lag *pair, zw_error *err) {
    int n = a->t->neye;
    bool grown = true;
    double *M = ZW_NEW(&a->arena, double, n *n), *b = ZW_NEW(&a->arena, double, n);
    int *pivot = ZW_NEW(&a->arena, int, n);
    if (a->arena.failed)
        return zw_out_of_memory(err, "tracking data");
    a->t->eye[a->t->reference].info.linked = true;
    while (grown) {
        grown = false;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++)
                if (pair[i * n + k].weight > 0 && a->t->eye[i].info.linked &&
                    !a->t->eye[k].info.linked)
                    grown = a->t->eye[k].info.linked = true;
    }
    for (int i = 0; i < n; i++) {
        bool free = a->t->eye[i].info.linked && i != a->t->reference;
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
        a->delay[i] = a->t->eye[i].info.linked && isfinite(b[i]) ? b[i] : 0;
    return ZW_OK;
}

zw_status zw_align_lags(zw_aligner *a, zw_error *err) {
    zw_tracking *t = a->t;
    int n = t->neye;
    lag *pair = ZW_NEW(&a->arena, lag, n * n);
    zw_seen *sa = ZW_NEW(&a->arena, zw_seen, t->nsight + 1),
            *sb = ZW_NEW(&a->arena, zw_seen, t->nsight + 1);
    if (a->arena.failed)
        return zw_out_of_memory(err, "tracking data");
    for (int i = 0; i < n; i++)
        for (int k = i + 1; k < n; k++) {
            if (t->eye[i].info.samples == 0 || t->eye[k].info.samples == 0)
                continue;
            lag l;
            ZW_TRY(find_lag(a, i, k, sa, sb, &l, err));
            pair[i * n + k] = l;
            pair[k * n + i] = (lag){-l.value, l.weight};
        }
    return solve_net(a, pair, err);
}
