/* SPDX-License-Identifier: MIT */
/* One attempt of all lanes. Sums over stages, the norm of the error and the step control are those
 * of num/methods/onestep.h, lane by lane in vectors:
 *
 *     error^2 = 1/n sum (e_i / (atol + rtol max(|y0_i|, |y1_i|)))^2,     accepted: error <= 1
 *     h <- h clamp(0.9 error^-a before^b, 1/5, 6),   b = 1/(5 order), a = 1/order - 3/4 b,
 *
 * with at most 1 after a rejection; rejected: h <- h clamp(0.9 error^(-1/order), 1/5, 0.9).
 * Everything is computed for every lane and selected by masks; no branch depends on a lane.
 *
 * A step that would go beyond the next output time ends there, if most of the step is left: that is
 * more accurate than the dense output, and cheaper where that needs further rates.
 *
 * The loops are compiled for small numbers of entries one by one, so that the compiler unrolls
 * them; and the whole file twice, by attempt_plain.c and attempt_fused.c: ZW_FMA(a, b, c) is a b +
 * c with two roundings or with one. Nothing else is fused (-ffp-contract=off), so that the bits do
 * not depend on the compiler. CODE is the name of the table that the file defines. */
#include <float.h>
#include <math.h>

#include "lanes.h"
#include "num/linear/linalg.h"
#include "vector.h"

/* Of the next step, as in src/num/methods/onestep.c. */
#define SAFETY 0.9
#define SHRINK 0.2
#define GROW 6.0
/* Range of squared errors in the control. The least is that of src/num/methods/onestep.c, squared.
 * The largest stands for infinite ones, and is far from overflow. */
#define ERROR_SQUARED_MIN 1e-8
#define ERROR_SQUARED_MAX 1e30

#define SAME_END 1e-9   /* of a step: it ends at the next output time, as in zw_num_onestep_end */
#define STEP_MIN 1e-290 /* [s]; shorter ones are nearly denormal, and t = 0 sets no other limit */

enum { BATCH = 8 };

/* sum_j w_j k_j for n entries of four lanes; each weight is loaded once for all entries, whose sums
 * stay in registers */
ZW_KERNEL void weigh_terms(int terms, int n, int L, const zw_lanes_terms *w, const double *rate,
                           zw_four *sum) {
    const double *k = rate + w->offset[0];
    for (int i = 0; i < n; i++)
        sum[i] = w->weight[0] * ZW_LOAD(k + i * L);
    for (int j = 1; j < terms; j++) {
        const double weight = w->weight[j];
        k = rate + w->offset[j];
        for (int i = 0; i < n; i++)
            sum[i] = ZW_FMA(ZW_ALL(weight), ZW_LOAD(k + i * L), sum[i]);
    }
}

/* the numbers of terms that the pair of order 5 has, unrolled */
ZW_KERNEL void weigh(int n, int L, const zw_lanes_terms *w, const double *rate, zw_four *sum) {
    switch (w->n) {
    case 1:
        weigh_terms(1, n, L, w, rate, sum);
        break;
    case 2:
        weigh_terms(2, n, L, w, rate, sum);
        break;
    case 3:
        weigh_terms(3, n, L, w, rate, sum);
        break;
    case 4:
        weigh_terms(4, n, L, w, rate, sum);
        break;
    case 5:
        weigh_terms(5, n, L, w, rate, sum);
        break;
    case 6:
        weigh_terms(6, n, L, w, rate, sum);
        break;
    default:
        weigh_terms(w->n, n, L, w, rate, sum);
    }
}

/* out = y + h sum_j w_j k_j for m vectors at the distance `apart`; with eight lanes, odd vectors
 * have the steps of lanes 4 to 7 */
ZW_KERNEL void combine_few(int m, int apart, const double *y, zw_four even, zw_four odd,
                           const zw_lanes_terms *w, const double *rate, double *restrict out) {
    zw_four sum[BATCH];
    weigh(m, apart, w, rate, sum);
    for (int i = 0; i < m; i++)
        ZW_STORE(out + i * apart, ZW_FMA(i % 2 ? odd : even, sum[i], ZW_LOAD(y + i * apart)));
}

/* The same for n entries of all lanes; if n is not a constant, as one row of vectors, eight at a
 * time. */
ZW_KERNEL void combine(int n, int L, const double *y, const double *h, const zw_lanes_terms *w,
                       const double *rate, double *restrict out) {
    if (__builtin_constant_p(n) && n <= BATCH) {
        for (int b = 0; b < L; b += ZW_FOUR) {
            const zw_four step = ZW_LOAD(h + b);
            combine_few(n, L, y + b, step, step, w, rate + b, out + b);
        }
        return;
    }
    const zw_four even = ZW_LOAD(h), odd = ZW_LOAD(h + L - ZW_FOUR);
    int at = 0, size = n * L;
    for (; at + 8 * ZW_FOUR <= size; at += 8 * ZW_FOUR)
        combine_few(8, ZW_FOUR, y + at, even, odd, w, rate + at, out + at);
    for (; at + 2 * ZW_FOUR <= size; at += 2 * ZW_FOUR)
        combine_few(2, ZW_FOUR, y + at, even, odd, w, rate + at, out + at);
    if (at < size)
        combine_few(1, ZW_FOUR, y + at, even, odd, w, rate + at, out + at);
}

/* adds squared errors of m entries of four lanes to *total */
ZW_KERNEL void judge_few(const zw_lanes *l, int m, int L, int at, const double *h, zw_four *total) {
    const double rtol = l->options.rtol, atol = l->options.atol;
    const zw_four step = ZW_LOAD(h);
    zw_four sum[BATCH];
    weigh(m, L, &l->e, l->rate + at, sum);
    for (int i = 0; i < m; i++) {
        zw_four y0 = ZW_ABS(ZW_LOAD(l->y0 + at + i * L)), y1 = ZW_ABS(ZW_LOAD(l->y1 + at + i * L)),
                larger = ZW_LARGER(y0, y1);
        zw_four e = step * sum[i] / ZW_FMA(larger, ZW_ALL(rtol), ZW_ALL(atol));
        *total = ZW_FMA(e, e, *total);
    }
}

/* squared error of each lane */
ZW_KERNEL void judge(const zw_lanes *l, int n, int L, double *restrict error) {
    for (int b = 0; b < L; b += ZW_FOUR) {
        zw_four total = ZW_ALL(0.0);
        if (__builtin_constant_p(n) && n <= BATCH) {
            judge_few(l, n, L, b, l->h + b, &total);
        } else {
            int i = 0;
            for (; i + 4 <= n; i += 4)
                judge_few(l, 4, L, (l->at + i) * L + b, l->h + b, &total);
            for (; i < n; i++)
                judge_few(l, 1, L, (l->at + i) * L + b, l->h + b, &total);
        }
        ZW_STORE(error + b, total * (1.0 / n));
    }
}

/* sum_j w_j k_j for m adjacent vectors */
ZW_KERNEL void weigh_few(int m, const zw_lanes_terms *w, const double *rate, double *restrict out) {
    zw_four sum[BATCH];
    weigh(m, ZW_FOUR, w, rate, sum);
    for (int i = 0; i < m; i++)
        ZW_STORE(out + i * ZW_FOUR, sum[i]);
}

/* The same for disturbances, relative to the largest entry of each, since they grow and decay. The
 * result is the larger one of these errors and that of x. */
ZW_KERNEL void judge_linear(const zw_lanes *l, int L, double *restrict error) {
    const int nx = l->k->nx, size_all = l->at * L;
    int from = 0;
    for (; from + 8 * ZW_FOUR <= size_all; from += 8 * ZW_FOUR)
        weigh_few(8, &l->e, l->rate + from, l->stage + from);
    for (; from < size_all; from += ZW_FOUR)
        weigh_few(1, &l->e, l->rate + from, l->stage + from);
    const double scale = 1 / (nx * l->options.rtol * l->options.rtol);
    for (int b = 0; b < L; b += ZW_FOUR) {
        zw_four worst = ZW_LOAD(error + b), step = ZW_LOAD(l->h + b);
        for (int v = 0; v < l->nvariation; v++) {
            zw_four largest = ZW_ALL(DBL_MIN), total = ZW_ALL(0.0);
            for (int i = v * nx; i < (v + 1) * nx; i++) {
                zw_four sum = ZW_LOAD(l->stage + i * L + b),
                        size = ZW_ABS(ZW_LOAD(l->y1 + i * L + b));
                largest = ZW_LARGER(largest, size);
                total = ZW_FMA(sum, sum, total);
            }
            total = total * (step * step * scale) / (largest * largest);
            worst = ZW_CHOOSE(worst >= total, worst, total); /* NaN stays */
        }
        ZW_STORE(error + b, worst);
    }
}

/* masks and the next steps from the squared errors; lanes that need attention */
ZW_KERNEL void control(zw_lanes *l, int L, const double *error) {
    const int order = l->table->embedded + 1;
    const double least = l->k->nz > 0 ? zw_num_pivot_floor(l->k->nz) : 0;
    const double b = 0.2 / order, a = 1.0 / order - 0.75 * b,
                 longest = l->options.step_max > 0 ? l->options.step_max : INFINITY;
    const zw_four most = ZW_ALL((double)l->options.steps_max);
    for (int i = 0; i < L; i += ZW_FOUR) {
        zw_four e = ZW_LOAD(error + i), h = ZW_LOAD(l->h + i), now, factor;
        zw_mask finite = e < ZW_ALL((double)INFINITY);
        if (l->k->nz > 0 || l->u)
            finite &= ZW_LOAD(l->quality + i) >= ZW_ALL(least);
        zw_mask active = ZW_LOAD_MASK(l->active + i), again = ZW_LOAD_MASK(l->again + i);
        zw_mask good = (e <= ZW_ALL(1.0)) & finite & active;
        zw_four known = ZW_CHOOSE(finite, e, ZW_ALL(ERROR_SQUARED_MAX));
        known = ZW_SMALLER(ZW_LARGER(known, ZW_ALL(ERROR_SQUARED_MIN)), ZW_ALL(ERROR_SQUARED_MAX));
        ZW_LOG2(known, now);
        zw_four before = ZW_LOAD(l->before + i),
                power = ZW_CHOOSE(good, 0.5 * (b * before - a * now), (-0.5 / order) * now);
        ZW_EXP2(power, factor);
        zw_four limit = ZW_CHOOSE(good, ZW_CHOOSE(again, ZW_ALL(1.0), ZW_ALL(GROW)),
                                  ZW_ALL(SAFETY)); /* SHRINK: no value */
        limit = ZW_CHOOSE(finite, limit, ZW_ALL(SHRINK));
        factor = ZW_SMALLER(ZW_LARGER(SAFETY * factor, ZW_ALL(SHRINK)), limit);
        zw_four next = h * factor, wanted = ZW_LOAD(l->wanted + i), t = ZW_LOAD(l->t + i);
        next = ZW_CHOOSE(good & (wanted > next), wanted, next);
        next = ZW_SMALLER(next, ZW_ALL(longest));
        zw_four one = ZW_CHOOSE(good, ZW_ALL(1.0), ZW_ALL(0.0)),
                steps = ZW_LOAD(l->steps + i) + one,
                none = ZW_CHOOSE(~good & active, ZW_ALL(1.0), ZW_ALL(0.0));
        zw_mask reached = good & (ZW_LOAD(l->t1 + i) >= ZW_LOAD(l->next + i));
        zw_mask vanishes =
            ~good & active & ~((next > ZW_ABS(t) * (4 * DBL_EPSILON)) & (next > ZW_ALL(STEP_MIN)));
        ZW_STORE(l->h + i, ZW_CHOOSE(active, next, h));
        ZW_STORE(l->before + i, ZW_CHOOSE(good, now, before));
        ZW_STORE(l->steps + i, steps);
        ZW_STORE(l->rejected + i, ZW_LOAD(l->rejected + i) + none);
        ZW_STORE_MASK(l->accepted + i, good);
        ZW_STORE_MASK(l->again + i, ~good);
        ZW_STORE_MASK(l->look + i, reached | vanishes | (active & (steps >= most)));
    }
}

/* the rates of a stage at the times t; updates the least pivot */
ZW_KERNEL void rates(zw_lanes *l, int L, const double *t, const double *y, double *rate) {
    const zw_args in = {.t = t, .x = y + l->at * L, .c = l->cache};
    zw_kernel_call(l->k, ZW_FN_RHS, &in, rate + l->at * L, l->work);
    if (l->at > 0)
        zw_lanes_linear(l, t, y, rate);
    if (l->k->nz == 0)
        return;
    const double *quality = rate + l->row - L;
    for (int b = 0; b < L; b += ZW_FOUR) {
        zw_four q = ZW_LOAD(quality + b), so_far = ZW_LOAD(l->quality + b);
        ZW_STORE(l->quality + b, ZW_CHOOSE(q > so_far, so_far, q)); /* NaN stays */
    }
}

/* the end of the step: t + h, or the next output time */
ZW_KERNEL void aim(zw_lanes *l, int L) {
    for (int b = 0; b < L; b += ZW_FOUR) {
        zw_four t = ZW_LOAD(l->t + b), h = ZW_LOAD(l->h + b), next = ZW_LOAD(l->next + b),
                t1 = t + h, left = next - t;
        zw_mask ends = (left <= h * (1 + SAME_END)) & (left >= h * l->enough);
        t1 = ZW_CHOOSE(ends, next, t1);
        ZW_STORE(l->quality + b, ZW_ALL(1.0));
        ZW_STORE(l->t1 + b, t1);
        ZW_STORE(l->wanted + b, ZW_CHOOSE(ends, h, ZW_ALL(0.0)));
        ZW_STORE(l->h + b, t1 - t);
    }
}

/* Code that does not depend on the number of entries is compiled once, not for each number:
 * compiling takes a minute less. */
ZW_CLONES static void judge_linear_alone(const zw_lanes *l, double *error) {
    judge_linear(l, l->L, error);
}

ZW_CLONES static void control_alone(zw_lanes *l, const double *error) {
    control(l, l->L, error);
}

ZW_KERNEL void attempt(zw_lanes *l, int n, int L) {
    const zw_rk_tableau *table = l->table;
    double error[8];
    aim(l, L);
    for (int i = 1; i <= table->stages; i++) { /* the last stage is at the end of the step */
        const bool last = i == table->stages;
        const double c = last ? 1 : table->c[i];
        double *y = last ? l->y1 : l->stage, *t = last ? l->t1 : l->stage_t;
        combine(n, L, l->y0, l->h, &l->a[i], l->rate, y);
        for (int b = 0; b < L && !last; b += ZW_FOUR)
            ZW_STORE(t + b, ZW_FMA(ZW_ALL(c), ZW_LOAD(l->h + b), ZW_LOAD(l->t + b)));
        rates(l, L, t, y, l->rate + i * l->row);
    }
    judge(l, __builtin_constant_p(n) ? n : l->k->nx, L, error);
    if (l->at > 0)
        judge_linear_alone(l, error); /* the last stage is no longer needed */
    control_alone(l, error);
}

ZW_CLONES static void aim_alone(zw_lanes *l) {
    aim(l, l->L);
}

ZW_CLONES static void judge_alone(zw_lanes *l, const double *e) {
    int L = l->L;
    double error[8];
    for (int b = 0; b < L; b += ZW_FOUR) {
        zw_four total = ZW_ALL(0.0);
        for (int i = 0; i < l->n; i++) {
            int at = i * L + b;
            zw_four y0 = ZW_ABS(ZW_LOAD(l->y0 + at)), y1 = ZW_ABS(ZW_LOAD(l->y1 + at));
            zw_four r = ZW_LOAD(e + at) / (ZW_LARGER(y0, y1) * l->options.rtol + l->options.atol);
            total = ZW_FMA(r, r, total);
        }
        ZW_STORE(error + b, total * (1.0 / l->n));
    }
    control_alone(l, error);
}

/* where the step was accepted, y0, t and the first rate become those of its end */
ZW_KERNEL void take_over(zw_lanes *l, int L) {
    const double *end = l->rate + l->table->stages * l->row;
    for (int b = 0; b < L; b += ZW_FOUR) {
        const zw_mask good = ZW_LOAD_MASK(l->accepted + b);
        ZW_STORE(l->t + b, ZW_CHOOSE(good, ZW_LOAD(l->t1 + b), ZW_LOAD(l->t + b)));
        for (int i = 0; i < l->n; i++) {
            int at = i * L + b;
            ZW_STORE(l->y0 + at, ZW_CHOOSE(good, ZW_LOAD(l->y1 + at), ZW_LOAD(l->y0 + at)));
            ZW_STORE(l->rate + at, ZW_CHOOSE(good, ZW_LOAD(end + at), ZW_LOAD(l->rate + at)));
        }
    }
}

ZW_CLONES static void take_over_alone(zw_lanes *l) {
    if (l->L == 4)
        take_over(l, 4);
    else
        take_over(l, 8);
    l->moved = false;
}

ZW_CLONES static void combine_alone(const zw_lanes *l, const double *y, const zw_lanes_terms *w,
                                    double *out) {
    combine(l->n, l->L, y, l->h, w, l->rate, out);
}

/* ---------------------------------------------------------------------------- one for each size */

#define ATTEMPT(N, LANES)                                                                          \
    ZW_CLONES static void attempt_##N##_##LANES(zw_lanes *l) {                                     \
        attempt(l, N, LANES);                                                                      \
    }
#define SIZES(LANES)                                                                               \
    ATTEMPT(1, LANES)                                                                              \
    ATTEMPT(2, LANES)                                                                              \
    ATTEMPT(3, LANES)                                                                              \
    ATTEMPT(4, LANES)                                                                              \
    ATTEMPT(5, LANES)                                                                              \
    ATTEMPT(6, LANES)                                                                              \
    ATTEMPT(7, LANES)                                                                              \
    ATTEMPT(8, LANES)
SIZES(4)
SIZES(8)
ZW_CLONES static void attempt_any_4(zw_lanes *l) {
    attempt(l, l->n, 4);
}
ZW_CLONES static void attempt_any_8(zw_lanes *l) {
    attempt(l, l->n, 8);
}

const zw_lanes_code CODE = {
    .four = {attempt_any_4, attempt_1_4, attempt_2_4, attempt_3_4, attempt_4_4, attempt_5_4,
             attempt_6_4, attempt_7_4, attempt_8_4},
    .eight = {attempt_any_8, attempt_1_8, attempt_2_8, attempt_3_8, attempt_4_8, attempt_5_8,
              attempt_6_8, attempt_7_8, attempt_8_8},
    .aim = aim_alone,
    .judge = judge_alone,
    .take_over = take_over_alone,
    .combine = combine_alone};
