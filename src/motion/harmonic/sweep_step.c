/* SPDX-License-Identifier: MIT */
/* Steps of a sweep (sweep.c has the mathematics). The blocks of eight steps are stored in lanes and
 * factored as
 *
 *     A_kk^-1,     A_kk^-1 A_kj  (j > k),     A_ij - A_ik A_kk^-1 A_kj  (i, j > k),
 *
 * then the columns pass through one step after another, four of them in parallel. With few columns
 * it is the other way round: the images of unit coordinates and velocities in a step are computed
 * for eight steps in parallel, and these small matrices are multiplied. */
#include <math.h>
#include <string.h>

#include "base/vector_targets.h"
#include "sweep_private.h"

/* smallest pivot relative to its entry of the diagonal: blocks are inverted without pivoting, and a
 * smaller one loses seven digits */
#define PIVOT_LEAST 1e-7

/* ----------------------------------------------------------------------- factors of eight steps */

/* B <- B^-1 (in lanes) by elimination; returns the smallest ratio of a pivot to its diagonal
 * entry */
ZW_CLONES static double invert_block(double *restrict B) {
    double least = INFINITY, diagonal[STAGES][LANES];
    for (int i = 0; i < STAGES; i++)
        memcpy(diagonal[i], B + (size_t)((i * STAGES + i) * LANES), sizeof diagonal[i]);
    for (int k = 0; k < STAGES; k++) {
        double inverse[LANES], *pivot = B + (size_t)((k * STAGES + k) * LANES);
        for (int e = 0; e < LANES; e++) {
            double ratio = fabs(pivot[e]) / fabs(diagonal[k][e]);
            least = ratio < least ? ratio : least;
            inverse[e] = 1 / pivot[e];
            pivot[e] = 1;
        }
        for (int j = 0; j < STAGES; j++)
            for (int e = 0; e < LANES; e++)
                B[(k * STAGES + j) * LANES + e] *= inverse[e];
        for (int i = 0; i < STAGES; i++) {
            double f[LANES], *row = B + (size_t)(i * STAGES * LANES);
            if (i == k)
                continue;
            for (int e = 0; e < LANES; e++) {
                f[e] = row[k * LANES + e];
                row[k * LANES + e] = 0;
            }
            for (int j = 0; j < STAGES; j++)
                for (int e = 0; e < LANES; e++)
                    row[j * LANES + e] -= f[e] * B[(k * STAGES + j) * LANES + e];
        }
    }
    return least;
}

/* C = A B, or C -= A B */
ZW_CLONES static void multiply_blocks(const double *restrict A, const double *restrict B,
                                      double *restrict C, bool subtract) {
    for (int i = 0; i < STAGES; i++)
        for (int half = 0; half < LANES; half += ZW_FOUR) {
            zw_four a[STAGES];
            for (int k = 0; k < STAGES; k++)
                a[k] = ZW_LOAD(A + (i * STAGES + k) * LANES + half);
            for (int j = 0; j < STAGES; j++) {
                const double *b = B + j * LANES + half;
                double *c = C + (i * STAGES + j) * LANES + half;
                zw_four sum = a[0] * ZW_LOAD(b), other = a[1] * ZW_LOAD(b + STAGES * LANES);
                for (int k = 2; k < STAGES; k += 2) {
                    sum += a[k] * ZW_LOAD(b + k * STAGES * LANES);
                    other += a[k + 1] * ZW_LOAD(b + (k + 1) * STAGES * LANES);
                }
                sum += other;
                if (subtract)
                    sum = ZW_LOAD(c) - sum;
                ZW_STORE(c, sum);
            }
        }
}

/* A_kk^-1 in place of A_kk, A_kk^-1 A_kj to the right of it, A_ik below */
bool zw_sweep_factor(zw_sweep *s) {
    double copy[BLOCK];
    for (int k = 0; k < s->n; k++) {
        double *pivot = block_at(s, k, k);
        if (!(invert_block(pivot) > PIVOT_LEAST))
            return false;
        for (int j = s->first[k]; j < s->first[k + 1]; j++) {
            double *right = block_at(s, k, s->list[j]);
            memcpy(copy, right, sizeof copy);
            multiply_blocks(pivot, copy, right, false);
        }
        for (int i = s->first[k]; i < s->first[k + 1]; i++)
            for (int j = s->first[k]; j < s->first[k + 1]; j++)
                multiply_blocks(block_at(s, s->list[i], k), block_at(s, k, s->list[j]),
                                block_at(s, s->list[i], s->list[j]), true);
    }
    return true;
}

/* ------------------------------------------------------------------------------------- one step */

/* the right side of a coordinate: R_i = -sum K_i (Q + c_i H V) + C_i V */
ZW_KERNEL void put_right_side(const zw_sweep *s, int row, int lane, double H) {
    int width = s->width;
    double *R = s->R + (size_t)s->position[row] * STAGES * (size_t)width;
    for (int w = 0; w < STAGES * width; w += ZW_FOUR)
        ZW_STORE(R + w, ((zw_four){0}));
    for (int at = s->link_first[row]; at < s->link_first[row + 1]; at++) {
        const zw_sweep_link *k = &s->link[at];
        double K[STAGES], C[STAGES];
        const double *Q = s->Q + (size_t)(k->column * width),
                     *V = s->V + (size_t)(k->column * width);
        for (int i = 0; i < STAGES; i++) {
            K[i] = k->k < 0 ? 0 : jac_at(s, k->k, i)[lane];
            C[i] = s->c[i] * H * K[i] + (k->c < 0 ? 0 : jac_at(s, k->c, i)[lane]);
        }
        for (int w = 0; w < width; w += ZW_FOUR) {
            zw_four q = ZW_LOAD(Q + w), v = ZW_LOAD(V + w);
            for (int i = 0; i < STAGES; i++) {
                double *to = R + i * width + w;
                ZW_STORE(to, ZW_LOAD(to) - (K[i] * q + C[i] * v));
            }
        }
    }
}

/* y (rows of all stages) = B x, or y -= B x; B is one lane of a block, y may be x */
ZW_KERNEL void apply_block(const double *B, int width, const double *x, double *y, bool subtract) {
    double f[STAGES * STAGES];
    for (int i = 0; i < STAGES * STAGES; i++)
        f[i] = B[i * LANES];
    for (int w = 0; w < width; w += ZW_FOUR) {
        zw_four v[STAGES];
        for (int k = 0; k < STAGES; k++)
            v[k] = ZW_LOAD(x + k * width + w);
        for (int i = 0; i < STAGES; i++) {
            const double *g = f + i * STAGES;
            double *to = y + i * width + w;
            zw_four sum = g[0] * v[0], other = g[1] * v[1];
            for (int k = 2; k < STAGES; k += 2) {
                sum += g[k] * v[k];
                other += g[k + 1] * v[k + 1];
            }
            sum += other;
            if (subtract)
                sum = ZW_LOAD(to) - sum;
            ZW_STORE(to, sum);
        }
    }
}

ZW_CLONES static void move_columns(const zw_sweep *s, int lane, double H) {
    int n = s->n, width = s->width;
    size_t part = (size_t)(STAGES * width);
    for (int i = 0; i < n; i++)
        put_right_side(s, i, lane, H);
    for (int k = 0; k < n; k++) {
        double *own = s->R + (size_t)k * part;
        apply_block(block_at(s, k, k) + lane, width, own, own, false);
        for (int at = s->first[k]; at < s->first[k + 1]; at++)
            apply_block(block_at(s, s->list[at], k) + lane, width, own,
                        s->R + (size_t)s->list[at] * part, true);
    }
    for (int k = n - 1; k >= 0; k--)
        for (int at = s->first[k]; at < s->first[k + 1]; at++)
            apply_block(block_at(s, k, s->list[at]) + lane, width,
                        s->R + (size_t)s->list[at] * part, s->R + (size_t)k * part, true);
    for (int i = 0; i < n; i++) {
        const double *A = s->R + (size_t)s->position[i] * part;
        double *Q = s->Q + (size_t)(i * width), *V = s->V + (size_t)(i * width);
        for (int w = 0; w < width; w += ZW_FOUR) {
            zw_four q = {0}, v = {0}, velocity_before = ZW_LOAD(V + w);
            for (int l = 0; l < STAGES; l++) {
                zw_four a = ZW_LOAD(A + l * width + w);
                q += s->bbar[l] * a;
                v += s->b[l] * a;
            }
            ZW_STORE(Q + w, ZW_LOAD(Q + w) + (H * velocity_before + H * H * q));
            ZW_STORE(V + w, velocity_before + H * v);
        }
    }
}

void zw_sweep_step(const zw_sweep *s, int lane, double H) {
    move_columns(s, lane, H);
}

/* --------------------------------------------------------------- few columns: all steps at once */

/* y (stages, in lanes) = B x, or y -= B x */
ZW_KERNEL void apply_lanes(const double *B, const double *x, double *y, bool subtract) {
    for (int half = 0; half < LANES; half += ZW_FOUR) {
        zw_four v[STAGES];
        for (int k = 0; k < STAGES; k++)
            v[k] = ZW_LOAD(x + k * LANES + half);
        for (int i = 0; i < STAGES; i++) {
            const double *b = B + i * STAGES * LANES + half;
            zw_four sum = ZW_LOAD(b) * v[0], other = ZW_LOAD(b + LANES) * v[1];
            for (int k = 2; k < STAGES; k += 2) {
                sum += ZW_LOAD(b + k * LANES) * v[k];
                other += ZW_LOAD(b + (k + 1) * LANES) * v[k + 1];
            }
            sum += other;
            if (subtract)
                sum = ZW_LOAD(y + i * LANES + half) - sum;
            ZW_STORE(y + i * LANES + half, sum);
        }
    }
}

/* the accelerations (positions x stages, in lanes) for a unit of coordinate or velocity number
 * `column` */
ZW_CLONES static void find_accelerations(const zw_sweep *s, int column, double H,
                                         double *restrict R) {
    int n = s->n, part = STAGES * LANES;
    bool velocity = column >= n;
    memset(R, 0, sizeof(double) * (size_t)(n * part));
    for (int at = 0; at < s->nlink; at++) {
        const zw_sweep_link *k = &s->link[at];
        double *to = R + s->position[k->row] * part;
        for (int i = 0; k->column == column % n && i < STAGES; i++) {
            const double *K = k->k < 0 ? NULL : jac_at(s, k->k, i),
                         *C = k->c < 0 || !velocity ? NULL : jac_at(s, k->c, i);
            double factor = velocity ? s->c[i] * H : 1;
            for (int e = 0; e < LANES; e++)
                to[i * LANES + e] -= (K ? factor * K[e] : 0) + (C ? C[e] : 0);
        }
    }
    for (int k = 0; k < n; k++) {
        apply_lanes(block_at(s, k, k), R + k * part, R + k * part, false);
        for (int at = s->first[k]; at < s->first[k + 1]; at++)
            apply_lanes(block_at(s, s->list[at], k), R + k * part, R + s->list[at] * part, true);
    }
    for (int k = n - 1; k >= 0; k--)
        for (int at = s->first[k]; at < s->first[k + 1]; at++)
            apply_lanes(block_at(s, k, s->list[at]), R + s->list[at] * part, R + k * part, true);
}

/* the image of that unit in a step, in lanes: entry (i, column) of n coordinates and n
 * velocities */
ZW_CLONES static void put_transfer(const zw_sweep *s, int column, double H,
                                   const double *restrict R, double *restrict T) {
    int n = s->n;
    for (int i = 0; i < n; i++) {
        const double *A = R + s->position[i] * STAGES * LANES;
        double *q = T + (i * 2 * n + column) * LANES, *v = T + ((n + i) * 2 * n + column) * LANES;
        for (int e = 0; e < LANES; e++) {
            double sum = 0, rate = 0;
            for (int l = 0; l < STAGES; l++) {
                sum += s->bbar[l] * A[l * LANES + e];
                rate += s->b[l] * A[l * LANES + e];
            }
            q[e] = (column == i) + (column == n + i ? H : 0) + H * H * sum;
            v[e] = (column == n + i) + H * rate;
        }
    }
}

/* applies the eight steps of a group one after another: (Q, V) <- T (Q, V) */
ZW_KERNEL void multiply_steps(const zw_sweep *s, const int n, const double *T) {
    double state[2 * FEW][2 * FEW], next[2 * FEW][2 * FEW];
    int width = s->width;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 2 * n; j++) {
            state[i][j] = s->Q[i * width + j];
            state[n + i][j] = s->V[i * width + j];
        }
    for (int lane = 0; lane < LANES; lane++) {
        for (int i = 0; i < 2 * n; i++)
            for (int j = 0; j < 2 * n; j++) {
                double sum = 0;
                for (int k = 0; k < 2 * n; k++)
                    sum += T[(i * 2 * n + k) * LANES + lane] * state[k][j];
                next[i][j] = sum;
            }
        memcpy(state, next, sizeof state);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 2 * n; j++) {
            s->Q[i * width + j] = state[i][j];
            s->V[i * width + j] = state[n + i][j];
        }
}

enum { WIDE = STAGES + 2 }; /* a block with two right sides */

/* eliminates column p of the block, in four lanes; NaN counts as the smallest pivot */
ZW_KERNEL void eliminate(zw_four B[STAGES][WIDE], const int p, zw_four *least,
                         const zw_four *diagonal) {
    zw_four inverse = 1 / B[p][p], ratio = B[p][p] * diagonal[p];
    for (int e = 0; e < ZW_FOUR; e++)
        (*least)[e] = fabs(ratio[e]) >= (*least)[e] ? (*least)[e] : fabs(ratio[e]);
    for (int j = p + 1; j < WIDE; j++)
        B[p][j] *= inverse;
    for (int i = p + 1; i < STAGES; i++)
        for (int j = p + 1; j < WIDE; j++)
            B[i][j] -= B[i][p] * B[p][j];
}

/* One coordinate: elimination of its block with the two right sides. Returns the smallest ratio of
 * a pivot to its diagonal entry. */
ZW_CLONES static double eliminate_one(const zw_sweep *s, double H, double *restrict T) {
    static const double none[LANES] = {0};
    const zw_sweep_link *k = &s->link[0];
    double R[2][STAGES * LANES], smallest = INFINITY;
    for (int half = 0; half < LANES; half += ZW_FOUR) {
        zw_four B[STAGES][WIDE], diagonal[STAGES], least = {INFINITY, INFINITY, INFINITY, INFINITY};
        for (int i = 0; i < STAGES; i++) {
            const double *K = k->k < 0 ? none : jac_at(s, k->k, i),
                         *C = k->c < 0 ? none : jac_at(s, k->c, i);
            zw_four stiff = ZW_LOAD(K + half);
            for (int j = 0; j < STAGES; j++)
                B[i][j] = ZW_LOAD(s->block + (i * STAGES + j) * LANES + half);
            B[i][STAGES] = -stiff;
            B[i][STAGES + 1] = -(s->c[i] * H * stiff + ZW_LOAD(C + half));
            diagonal[i] = 1 / B[i][i];
        }
        eliminate(B, 0, &least, diagonal);
        eliminate(B, 1, &least, diagonal);
        eliminate(B, 2, &least, diagonal);
        eliminate(B, 3, &least, diagonal);
        eliminate(B, 4, &least, diagonal);
        eliminate(B, 5, &least, diagonal);
        for (int column = 0; column < 2; column++)
            for (int i = STAGES - 1; i >= 0; i--) {
                zw_four sum = B[i][STAGES + column];
                for (int l = i + 1; l < STAGES; l++)
                    sum -= B[i][l] * B[l][STAGES + column];
                B[i][STAGES + column] = sum;
                ZW_STORE(R[column] + i * LANES + half, sum);
            }
        for (int e = 0; e < ZW_FOUR; e++)
            smallest = least[e] >= smallest ? smallest : least[e];
    }
    put_transfer(s, 0, H, R[0], T);
    put_transfer(s, 1, H, R[1], T);
    return smallest;
}

bool zw_sweep_step_one(const zw_sweep *s, double H) {
    double T[4 * LANES];
    if (!(eliminate_one(s, H, T) > PIVOT_LEAST))
        return false;
    multiply_steps(s, 1, T);
    return true;
}

void zw_sweep_step_two(const zw_sweep *s, double H) {
    double R[FEW * STAGES * LANES], T[4 * FEW * FEW * LANES];
    for (int column = 0; column < 2 * FEW; column++) {
        find_accelerations(s, column, H, R);
        put_transfer(s, column, H, R, T);
    }
    multiply_steps(s, FEW, T);
}
