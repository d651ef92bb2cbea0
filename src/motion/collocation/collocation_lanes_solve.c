/* SPDX-License-Identifier: MIT */
/* The linear equations of collocation in lanes (collocation_lanes.h), once the matrices of the
 * intervals are factored: the relations between nodes as products along the chunks,
 *
 *     u_s = F_s (b, P, a) + d_s,     b: the first node of the chunk,
 *     b_l+1 = F_K (b_l, P, a) + d_K = M_l+1 (u_0, P, a) + ...,
 *
 * which is as accurate as elimination by reflections while the products remain small: their error
 * is round-off times their size. If they grow, the transfer matrices are passed to the reflections
 * of collocation_solve.c. */
#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "base/vector_targets.h"
#include "collocation.h"
#include "collocation_lanes_factor.h"
#include "num/linear/linalg.h"

enum { L = ZW_LANES };
/* Largest scaled entry of products along the period: their round-off is then 1e3 eps, still below
 * ZW_ROUNDOFF_SUM. */
#define PRODUCT_MAX 1e3

/* --------------------------------------------------------------------------------------- chains */

/* next (n x all) = A (now, 1) */
ZW_KERNEL void follow(const int n, const int nb, const double *A, const double *now, double *next) {
    const int all = n + nb;
    for (int r = 0; r < n; r++)
        for (int c = 0; c < all; c++)
            for (int half = 0; half < L; half += ZW_FOUR) {
                zw_four sum = {0};
                for (int k = 0; k < n; k++)
                    sum += ZW_LOAD(A + (r * all + k) * L + half) *
                           ZW_LOAD(now + (k * all + c) * L + half);
                if (c >= n)
                    sum += ZW_LOAD(A + (r * all + c) * L + half);
                ZW_STORE(next + (r * all + c) * L + half, sum);
            }
}

/* the largest entry of the columns of nodes, scaled by the sizes of the state */
ZW_KERNEL double largest(const int n, const int nb, const double *F, const double *scale,
                         const double *inverse) {
    double most = 0;
    for (int r = 0; r < n; r++)
        for (int k = 0; k < n; k++) {
            double by = scale[k] * inverse[r];
            for (int e = 0; e < L; e++) {
                double size = fabs(F[(r * (n + nb) + k) * L + e]) * by;
                most = size <= most ? most : size;
            }
        }
    return most;
}

ZW_KERNEL double chain(const int n, const int nb, int K, const double *A, double *F,
                       const double *scale, const double *inverse) {
    const int block = n * (n + nb) * L;
    memcpy(F, A, sizeof(double) * (size_t)block);
    double most = largest(n, nb, F, scale, inverse);
    for (int s = 1; s < K; s++) {
        follow(n, nb, A + (size_t)(s * block), F + (size_t)((s - 1) * block),
               F + (size_t)(s * block));
        double size = largest(n, nb, F + (size_t)(s * block), scale, inverse);
        most = size <= most ? most : size;
    }
    return most;
}

ZW_CLONES static double chain_any(int n, int nb, int K, const double *A, double *F,
                                  const double *scale, const double *inverse) {
    return chain(n, nb, K, A, F, scale, inverse);
}
ZW_CLONES static double chain_3_2(int K, const double *A, double *F, const double *scale,
                                  const double *inverse) {
    return chain(3, 2, K, A, F, scale, inverse);
}

bool zw_colloc_lanes_chain(zw_colloc *c) {
    zw_colloc_lanes *v = &c->lanes;
    zw_colloc_factors *f = &c->factors;
    int n = c->nx, nb = c->nb, all = n + nb;
    double most = n == 3 && nb == 2 ? chain_3_2(v->K, v->A, v->F, c->scale, c->inverse)
                                    : chain_any(n, nb, v->K, v->A, v->F, c->scale, c->inverse);
    if (!(most < PRODUCT_MAX))
        return false;
    const double *end = v->F + (size_t)((v->K - 1) * n * all * L);
    memset(v->M, 0, sizeof(double) * (size_t)(n * all));
    for (int r = 0; r < n; r++)
        v->M[r * all + r] = 1;
    for (int e = 0; e < L; e++) {
        const double *now = v->M + (size_t)(e * n * all);
        double *next = v->M + (size_t)((e + 1) * n * all);
        for (int r = 0; r < n; r++) {
            for (int k = 0; k < all; k++)
                next[r * all + k] = k >= n ? end[(r * all + k) * L + e] : 0;
            for (int l = 0; l < n; l++) {
                double by = end[(r * all + l) * L + e];
                for (int k = 0; k < all; k++)
                    next[r * all + k] += by * now[l * all + k];
            }
            for (int k = 0; k < n; k++) {
                double size = fabs(next[r * all + k]) * c->scale[k] * c->inverse[r];
                most = size <= most ? most : size;
            }
        }
    }
    if (!(most < PRODUCT_MAX))
        return false;
    const double *M = v->M + (size_t)(L * n * all);
    for (int r = 0; r < n; r++) {
        for (int k = 0; k < n; k++) {
            f->G[r * n + k] = -M[r * all + k];
            f->H[r * n + k] = r == k;
        }
        for (int k = 0; k < nb; k++)
            f->C[r * nb + k] = -M[r * all + n + k];
    }
    return true;
}

/* A row over the nodes in lanes, as number `which`; its remainder for u_0, P, a in out. */
static void take_row(zw_colloc *c, int which, const double *row, const double *last, double *out) {
    zw_colloc_lanes *v = &c->lanes;
    int n = c->nx, nb = c->nb, all = n + nb, K = v->K;
    double *w = v->w + (size_t)(which * K * n * L), *rest = v->rest + (size_t)(which * L * n),
           at_last[L][2] = {{0}};
    for (int e = 0; e < L; e++)
        for (int s = 0; s < K; s++) {
            int j = e * K + s;
            for (int r = 0; r < n; r++)
                w[(s * n + r) * L + e] = j < c->N ? row[j * n + r] : 0;
        }
    for (int k = 0; k < all; k++) {
        double sum[L];
        for (int e = 0; e < L; e++)
            sum[e] = k < n ? w[k * L + e] : 0;
        for (int s = 1; s < K; s++)
            for (int r = 0; r < n; r++) {
                const double *F = v->F + (size_t)((((s - 1) * n + r) * all + k) * L),
                             *at = w + (size_t)((s * n + r) * L);
                for (int e = 0; e < L; e++)
                    sum[e] += at[e] * F[e];
            }
        for (int e = 0; e < L; e++)
            *(k < n ? &rest[e * n + k] : &at_last[e][k - n]) = sum[e];
    }
    for (int k = 0; k < all; k++)
        out[k] = k < n ? 0 : last[k - n];
    for (int e = 0; e < L; e++) {
        const double *M = v->M + (size_t)(e * n * all);
        for (int r = 0; r < n; r++)
            for (int k = 0; k < all; k++)
                out[k] += rest[e * n + r] * M[r * all + k];
        for (int k = 0; k < nb; k++)
            out[n + k] += at_last[e][k];
    }
}

bool zw_colloc_lanes_last(zw_colloc *c, const double *phase, const double *plane,
                          const double *plane_last) {
    zw_colloc_lanes *v = &c->lanes;
    int n = c->nx, nb = c->nb, all = n + nb;
    const double *M = v->M + (size_t)(L * n * all), none[2] = {0};
    for (int r = 0; r < n; r++) { /* u_0 - S u_N; ignorable coordinates: u_0 */
        double *row = v->small + (size_t)(r * all);
        for (int k = 0; k < all; k++)
            row[k] = r == k;
        for (int l = 0; l < n && !c->ignorable[r]; l++)
            for (int k = 0; k < all && c->map[r * n + l] != 0; k++)
                row[k] -= c->map[r * n + l] * M[l * all + k];
    }
    if (c->free_period)
        take_row(c, 0, phase, none, v->small + (size_t)(n * all));
    take_row(c, 1, plane, plane_last, v->small + (size_t)((all - 1) * all));
    return zw_num_lu(all, v->small, v->pivot) > 0;
}

/* ---------------------------------------------------------------------------------------- solve */

/* h sum a_li of the slopes from `first` on, of velocities or of coordinates, of a slot: out (m x
 * nv) */
static void integrate_points(const zw_colloc *c, int s, const double *e, int first, double *out) {
    const zw_colloc_lanes *v = &c->lanes;
    int n = c->nx, m = c->m, nv = v->kernel->nv;
    const double *h = v->h + (size_t)(s * L);
    for (int l = 0; l < m; l++)
        for (int r = 0; r < nv; r++)
            for (int half = 0; half < L; half += ZW_FOUR) {
                zw_four sum = {0};
                for (int i = 0; i < m; i++)
                    sum += c->rule.a[l][i] * ZW_LOAD(e + (i * n + first + r) * L + half);
                ZW_STORE(out + (l * nv + r) * L + half, ZW_LOAD(h + half) * sum);
            }
}

/* e <- B^-1 e if q' = v: of v' + P f_q (h sum a q'), then q' + P (h sum a v') */
static void solve_second(zw_colloc *c, int s, double *e) {
    zw_colloc_lanes *v = &c->lanes;
    int n = c->nx, m = c->m, nv = v->kernel->nv;
    /* memory of J, which is no longer needed */
    double *moved = v->J, *x = moved + (size_t)(m * nv * L);
    integrate_points(c, s, e, 0, moved);
    for (int i = 0; i < m; i++)
        for (int r = 0; r < nv; r++)
            for (int half = 0; half < L; half += ZW_FOUR) {
                const double *Jq = v->Jq + (size_t)(((s * m + i) * nv + r) * nv * L + half);
                zw_four sum = ZW_LOAD(e + (i * n + nv + r) * L + half);
                for (int k = 0; k < nv; k++)
                    sum += ZW_LOAD(Jq + k * L) * ZW_LOAD(moved + (i * nv + k) * L + half);
                ZW_STORE(x + (i * nv + r) * L + half, sum);
            }
    zw_lanes_solve(v->rows, v->width, v->B + (size_t)s * (size_t)(v->rows * v->width * L), x);
    for (int i = 0; i < m; i++)
        memcpy(e + (size_t)((i * n + nv) * L), x + (size_t)(i * nv * L),
               sizeof(double) * (size_t)(nv * L));
    integrate_points(c, s, e, nv, moved);
    for (int i = 0; i < m; i++)
        for (int r = 0; r < nv * L; r++)
            e[i * n * L + r] += v->period * moved[i * nv * L + r];
}

/* right sides of the slopes into e, then B^-1 e, and their integrals into end */
static void reduce_slopes(zw_colloc *c, const double *b) {
    zw_colloc_lanes *v = &c->lanes;
    int n = c->nx, m = c->m, size = m * n, stride = size + n;
    for (int e = 0; e < L; e++)
        for (int s = 0; s < v->K; s++) {
            int j = e * v->K + s;
            const double *from = b + (size_t)(j * stride + n);
            double *to = v->e + (size_t)(s * size * L + e);
            for (int i = 0; i < size && j >= c->N; i++)
                to[i * L] = 0;
            for (int i = 0; i < size && j < c->N; i += n)
                for (int r = 0; r < n; r++)
                    to[(i + r) * L] = from[i + r] * c->scale[r];
        }
    for (int s = 0; s < v->K; s++) {
        double *e = v->e + (size_t)(s * size * L), *end = v->end + (size_t)(s * n * L);
        const double *h = v->h + (size_t)(s * L);
        if (v->second)
            solve_second(c, s, e);
        else
            zw_lanes_solve(size, v->width, v->B + (size_t)s * (size_t)(size * v->width * L), e);
        for (int r = 0; r < n; r++)
            for (int l = 0; l < L; l++) {
                double sum = 0;
                for (int i = 0; i < m; i++)
                    sum += c->rule.b[i] * e[(i * n + r) * L + l];
                end[r * L + l] = h[l] * sum;
            }
    }
}

void zw_colloc_lanes_gather(zw_colloc *c, const double *b, double *end) {
    const zw_colloc_lanes *v = &c->lanes;
    int n = c->nx;
    reduce_slopes(c, b);
    for (int j = 0; j < c->N; j++)
        for (int r = 0; r < n; r++)
            end[j * n + r] = v->end[((j % v->K) * n + r) * L + j / v->K];
}

/* dk = e + D (u, P, a), in place of e; u are the nodes of a slot */
ZW_KERNEL void slopes(const int size, const int n, const int nb, const int width, const double *D,
                      const double *u, const double *last, double *e) {
    for (int i = 0; i < size; i++)
        for (int half = 0; half < L; half += ZW_FOUR) {
            const double *row = D + (size_t)(i * width * L + half);
            zw_four sum = ZW_LOAD(e + i * L + half);
            for (int k = 0; k < n; k++)
                sum += ZW_LOAD(row + k * L) * ZW_LOAD(u + k * L + half);
            for (int k = 0; k < nb; k++)
                sum += ZW_LOAD(row + (n + k) * L) * last[k];
            ZW_STORE(e + i * L + half, sum);
        }
}

ZW_CLONES static void slopes_any(int size, int n, int nb, int width, const double *D,
                                 const double *u, const double *last, double *e) {
    slopes(size, n, nb, width, D, u, last, e);
}
ZW_CLONES static void slopes_3_4_2(const double *D, const double *u, const double *last,
                                   double *e) {
    slopes(12, 3, 2, 17, D, u, last, e);
}

/* the same if q' = v: v' by D, q' = P (v + h sum a v') + its right sides */
static void slopes_second(zw_colloc *c, int s, const double *u, const double *last, double *e) {
    zw_colloc_lanes *v = &c->lanes;
    int n = c->nx, m = c->m, nv = v->kernel->nv, nb = c->nb;
    double *x = v->J, *moved = x + (size_t)(m * n * L); /* memory of J */
    memset(x, 0, sizeof(double) * (size_t)(m * n * L));
    for (int i = 0; i < m; i++)
        slopes_any(nv, n, nb, v->width,
                   zw_colloc_lanes_sides(v, s) + (size_t)(i * nv * v->width * L), u, last,
                   x + (size_t)((i * n + nv) * L));
    integrate_points(c, s, x, nv, moved);
    for (int i = 0; i < m; i++)
        for (int r = 0; r < nv; r++) {
            const double *side = v->side_q + (size_t)(((s * m + i) * nv + r) * nb * L);
            for (int l = 0; l < L; l++) {
                double sum = v->period * (u[(nv + r) * L + l] + moved[(i * nv + r) * L + l]);
                for (int k = 0; k < nb; k++)
                    sum += side[k * L + l] * last[k];
                e[(i * n + r) * L + l] += sum;
                e[(i * n + nv + r) * L + l] += x[(i * n + nv + r) * L + l];
            }
        }
}

/* nodes in v->u, and their slopes, into b */
static void expand_nodes(zw_colloc *c, const double *last, double *b) {
    zw_colloc_lanes *v = &c->lanes;
    int n = c->nx, nb = c->nb, size = c->m * n, stride = size + n;
    for (int s = 0; s < v->K; s++) {
        const double *D = zw_colloc_lanes_sides(v, s), *u = v->u + (size_t)(s * n * L);
        double *e = v->e + (size_t)(s * size * L);
        if (v->second)
            slopes_second(c, s, u, last, e);
        else if (n == 3 && size == 12 && nb == 2)
            slopes_3_4_2(D, u, last, e);
        else
            slopes_any(size, n, nb, v->width, D, u, last, e);
    }
    for (int j = 0; j < c->N; j++) {
        int e = j / v->K, s = j % v->K;
        double *to = b + (size_t)(j * stride);
        for (int r = 0; r < n; r++)
            to[r] = v->u[(s * n + r) * L + e];
        for (int i = 0; i < size; i++)
            to[n + i] = v->e[(s * size + i) * L + e];
    }
    for (int k = 0; k < nb; k++)
        b[c->N * stride + k] = last[k];
}

void zw_colloc_lanes_scatter(zw_colloc *c, const double *u, const double *last, double *b) {
    zw_colloc_lanes *v = &c->lanes;
    int n = c->nx;
    for (int j = 0; j < c->N; j++)
        for (int r = 0; r < n; r++)
            v->u[((j % v->K) * n + r) * L + j / v->K] = u[j * n + r];
    expand_nodes(c, last, b);
}

/* d of the chains, and the inhomogeneous parts of the first nodes of chunks */
static void eliminate_forward(zw_colloc *c, const double *b) {
    zw_colloc_lanes *v = &c->lanes;
    int n = c->nx, all = n + c->nb, stride = n * (c->m + 1), K = v->K;
    for (int s = 0; s < K; s++) {
        const double *A = v->A + (size_t)(s * n * all * L),
                     *before = s > 0 ? v->d + (size_t)((s - 1) * n * L) : NULL;
        double *d = v->d + (size_t)(s * n * L);
        for (int r = 0; r < n; r++) {
            for (int e = 0; e < L; e++) {
                int next = e * K + s + 1;
                d[r * L + e] = v->end[(s * n + r) * L + e] +
                               (next < c->N ? b[next * stride + r] * c->scale[r] : 0);
            }
            for (int k = 0; k < n && s > 0; k++)
                for (int e = 0; e < L; e++)
                    d[r * L + e] += A[(r * all + k) * L + e] * before[k * L + e];
        }
    }
    const double *end = v->F + (size_t)((K - 1) * n * all * L),
                 *d = v->d + (size_t)((K - 1) * n * L);
    memset(v->first, 0, sizeof(double) * (size_t)n);
    for (int e = 0; e < L; e++)
        for (int r = 0; r < n; r++) {
            double sum = d[r * L + e];
            for (int k = 0; k < n; k++)
                sum += end[(r * all + k) * L + e] * v->first[e * n + k];
            v->first[(e + 1) * n + r] = sum;
        }
}

/* a last row times the inhomogeneous parts of F and M */
static double multiply_last(const zw_colloc *c, int which) {
    const zw_colloc_lanes *v = &c->lanes;
    int n = c->nx, K = v->K;
    const double *w = v->w + (size_t)((which * K + 1) * n * L),
                 *rest = v->rest + (size_t)(which * L * n);
    double part[L] = {0}, sum = 0;
    for (int i = 0; i < (K - 1) * n; i++)
        for (int e = 0; e < L; e++)
            part[e] += w[i * L + e] * v->d[i * L + e];
    for (int e = 0; e < L; e++) {
        sum += part[e];
        for (int r = 0; r < n; r++)
            sum += rest[e * n + r] * v->first[e * n + r];
    }
    return sum;
}

static bool is_direction(int n, const double *b) {
    for (int i = 0; i < n; i++)
        if (b[i] != 0)
            return false;
    return true;
}

void zw_colloc_lanes_solve(zw_colloc *c, double *b) {
    zw_colloc_lanes *v = &c->lanes;
    int n = c->nx, nb = c->nb, all = n + nb, K = v->K, stride = n * (c->m + 1);
    double *z = v->small + (size_t)(all * all), *last = z + n;
    /* of the tangent: the right sides of intervals are zero */
    if (is_direction(c->N * stride, b)) {
        memset(v->e, 0, sizeof(double) * (size_t)(K * n * c->m * L));
        memset(v->d, 0, sizeof(double) * (size_t)(K * n * L));
        memset(v->first, 0, sizeof(double) * (size_t)((L + 1) * n));
    } else {
        reduce_slopes(c, b);
        eliminate_forward(c, b);
    }
    for (int r = 0; r < n; r++) {
        z[r] = b[r] * c->scale[r];
        for (int l = 0; l < n && !c->ignorable[r]; l++)
            z[r] += c->map[r * n + l] * v->first[L * n + l];
    }
    for (int k = 0; k < nb; k++)
        last[k] = b[c->N * stride + k] - multiply_last(c, c->free_period ? k : 1);
    zw_num_lu_solve(all, v->small, v->pivot, 1, z);
    for (int e = 0; e < L; e++) {
        const double *M = v->M + (size_t)(e * n * all);
        for (int r = 0; r < n; r++) {
            double sum = v->first[e * n + r];
            for (int k = 0; k < all; k++)
                sum += M[r * all + k] * z[k];
            v->u[r * L + e] = sum;
        }
    }
    for (int s = 1; s < K; s++)
        for (int r = 0; r < n; r++) {
            const double *F = v->F + (size_t)(((s - 1) * n + r) * all * L);
            double *to = v->u + (size_t)((s * n + r) * L);
            for (int e = 0; e < L; e++)
                to[e] = v->d[((s - 1) * n + r) * L + e];
            for (int k = 0; k < n; k++)
                for (int e = 0; e < L; e++)
                    to[e] += F[k * L + e] * v->u[k * L + e];
            for (int k = 0; k < nb; k++)
                for (int e = 0; e < L; e++)
                    to[e] += F[(n + k) * L + e] * last[k];
        }
    expand_nodes(c, last, b);
}
