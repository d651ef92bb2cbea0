/* SPDX-License-Identifier: MIT */
/* The loops of frames.c over eight lanes. This file is compiled twice: with fused operations
 * (frames_fused.c) and without (frames_plain.c); FUSE(a, b, c) is a b + c. The processor determines
 * which one is used. */
#include "frames.h"
#include "lanes/vector.h"

enum { L = ZW_FRAMES_LANES, ORDER = ZW_FRAMES_ORDER, FEW = 4, BATCH = 6 };

/* weights of f_n, f_(n-1), ... and of f(yp), f_n, ...: integrals of Lagrange polynomials over a
 * step */
static const double predictor[ORDER] = {434241. / 120960,   -1152169. / 120960, 2183877. / 120960,
                                        -2664477. / 120960, 2102243. / 120960,  -1041723. / 120960,
                                        295767. / 120960,   -36799. / 120960};
static const double corrector[ORDER] = {36799. / 120960,  139849. / 120960, -121797. / 120960,
                                        123133. / 120960, -88547. / 120960, 41499. / 120960,
                                        -11351. / 120960, 1375. / 120960};

/* m vectors of yp, and of y_(n+1) without the term of f(yp), in one loop over the past */
ZW_KERNEL void predict_few(int m, int at, const double *const *from, const double *y,
                           const double *h, double *restrict yp, double *restrict part) {
    zw_four p[BATCH], c[BATCH];
    for (int i = 0; i < m; i++) {
        zw_four rate = ZW_LOAD(from[0] + at + i * ZW_FOUR);
        p[i] = ZW_ALL(predictor[0]) * rate;
        c[i] = ZW_ALL(corrector[1]) * rate;
    }
    for (int j = 1; j < ORDER - 1; j++) {
        const zw_four wp = ZW_ALL(predictor[j]), wc = ZW_ALL(corrector[j + 1]);
        for (int i = 0; i < m; i++) {
            zw_four rate = ZW_LOAD(from[j] + at + i * ZW_FOUR);
            p[i] = FUSE(wp, rate, p[i]);
            c[i] = FUSE(wc, rate, c[i]);
        }
    }
    for (int i = 0; i < m; i++) {
        zw_four rate = ZW_LOAD(from[ORDER - 1] + at + i * ZW_FOUR),
                step = ZW_LOAD(h + (i % 2) * ZW_FOUR), here = ZW_LOAD(y + at + i * ZW_FOUR);
        p[i] = FUSE(ZW_ALL(predictor[ORDER - 1]), rate, p[i]);
        ZW_STORE(yp + at + i * ZW_FOUR, FUSE(step, p[i], here));
        ZW_STORE(part + at + i * ZW_FOUR, FUSE(step, c[i], here));
    }
}

static void predict(int n, const double *const *from, const double *y, const double *h,
                    double *restrict yp, double *restrict part) {
    int at = 0, size = n * L;
    for (; at + BATCH * ZW_FOUR <= size; at += BATCH * ZW_FOUR)
        predict_few(BATCH, at, from, y, h, yp, part);
    for (; at < size; at += 2 * ZW_FOUR)
        predict_few(2, at, from, y, h, yp, part);
}

/* y_(n+1), and its squared distance from yp: `columns` of nx entries */
static void correct(int columns, int nx, const double *weight, const double *rate, const double *h,
                    const double *yp, const double *part, double *restrict y,
                    double *restrict missed, double *restrict length) {
    const zw_four even = ZW_ALL(corrector[0]) * ZW_LOAD(h),
                  odd = ZW_ALL(corrector[0]) * ZW_LOAD(h + ZW_FOUR);
    for (int v = 0, at = 0; v < columns; v++) {
        double *off = missed + v * L, *size = length + v * L;
        zw_four off0 = ZW_LOAD(off), off1 = ZW_LOAD(off + ZW_FOUR), size0 = ZW_LOAD(size),
                size1 = ZW_LOAD(size + ZW_FOUR);
        for (int i = 0; i < nx; i++, at += L) {
            const zw_four w = ZW_ALL(weight[i]);
            zw_four next0 = FUSE(even, ZW_LOAD(rate + at), ZW_LOAD(part + at)),
                    next1 = FUSE(odd, ZW_LOAD(rate + at + ZW_FOUR), ZW_LOAD(part + at + ZW_FOUR));
            zw_four d0 = w * (next0 - ZW_LOAD(yp + at)), u0 = w * next0,
                    d1 = w * (next1 - ZW_LOAD(yp + at + ZW_FOUR)), u1 = w * next1;
            off0 = FUSE(d0, d0, off0);
            off1 = FUSE(d1, d1, off1);
            size0 = FUSE(u0, u0, size0);
            size1 = FUSE(u1, u1, size1);
            ZW_STORE(y + at, next0);
            ZW_STORE(y + at + ZW_FOUR, next1);
        }
        ZW_STORE(off, off0);
        ZW_STORE(off + ZW_FOUR, off1);
        ZW_STORE(size, size0);
        ZW_STORE(size + ZW_FOUR, size1);
    }
}

/* m rows of the frame, rate = J V over the nonzero entries of J, which are sorted by rows */
ZW_KERNEL void multiply_some(int m, int nx, int n, const zw_lanes_entry *e, const double *J,
                             const double *V, double *restrict rate) {
    for (int k = 0; k < n;) {
        const int row = e[k].row;
        zw_four sum[2 * FEW];
        for (int i = 0; i < 2 * m; i++)
            sum[i] = ZW_ALL(0.0);
        for (; k < n && e[k].row == row; k++)
            for (int b = 0; b < 2; b++) {
                const zw_four a = ZW_LOAD(J + e[k].at + b * ZW_FOUR);
                for (int i = 0; i < m; i++)
                    sum[2 * i + b] = FUSE(a, ZW_LOAD(V + e[k].column + i * nx * L + b * ZW_FOUR),
                                          sum[2 * i + b]);
            }
        for (int i = 0; i < 2 * m; i++)
            ZW_STORE(rate + row + (i / 2) * nx * L + (i % 2) * ZW_FOUR, sum[i]);
    }
}

static void multiply(int m, int nx, int n, const zw_lanes_entry *e, const double *J,
                     const double *V, double *restrict rate) {
    for (; m >= 4; m -= 4, V += 4 * nx * L, rate += 4 * nx * L)
        multiply_some(4, nx, n, e, J, V, rate);
    if (m == 3)
        multiply_some(3, nx, n, e, J, V, rate);
    else if (m == 2)
        multiply_some(2, nx, n, e, J, V, rate);
    else if (m == 1)
        multiply_some(1, nx, n, e, J, V, rate);
}

/* sum_j w_j from_j of ORDER rows */
static void join(int size, const double *const *from, const double *w, double *restrict out) {
    for (int at = 0; at < size; at += ZW_FOUR) {
        zw_four sum = ZW_ALL(w[0]) * ZW_LOAD(from[0] + at);
        for (int j = 1; j < ORDER; j++)
            sum = FUSE(ZW_ALL(w[j]), ZW_LOAD(from[j] + at), sum);
        ZW_STORE(out + at, sum);
    }
}

/* subtracts d times another row from a row of nx entries (lane by lane), or multiplies it by d
 * (other: NULL) */
static void turn(int nx, const double *d, double *restrict row, const double *other) {
    const zw_four even = ZW_LOAD(d), odd = ZW_LOAD(d + ZW_FOUR);
    for (int at = 0; at < nx * L && other; at += L) {
        ZW_STORE(row + at, FUSE(-even, ZW_LOAD(other + at), ZW_LOAD(row + at)));
        ZW_STORE(row + at + ZW_FOUR,
                 FUSE(-odd, ZW_LOAD(other + at + ZW_FOUR), ZW_LOAD(row + at + ZW_FOUR)));
    }
    for (int at = 0; at < nx * L && !other; at += L) {
        ZW_STORE(row + at, even * ZW_LOAD(row + at));
        ZW_STORE(row + at + ZW_FOUR, odd * ZW_LOAD(row + at + ZW_FOUR));
    }
}

/* sum_i w_i^2 a_i c_i */
static void product(int nx, const double *weight, const double *a, const double *c,
                    double *restrict out) {
    zw_four even = ZW_ALL(0.0), odd = ZW_ALL(0.0);
    for (int i = 0; i < nx; i++) {
        const zw_four w = ZW_ALL(weight[i] * weight[i]);
        even = FUSE(w * ZW_LOAD(a + i * L), ZW_LOAD(c + i * L), even);
        odd = FUSE(w * ZW_LOAD(a + i * L + ZW_FOUR), ZW_LOAD(c + i * L + ZW_FOUR), odd);
    }
    ZW_STORE(out, even);
    ZW_STORE(out + ZW_FOUR, odd);
}

const zw_frames_code CODE = {predict, correct, multiply, join, turn, product};
