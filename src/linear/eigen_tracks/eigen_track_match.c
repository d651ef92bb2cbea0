/* SPDX-License-Identifier: MIT */
/* Eigenvalues at one value, and their assignment to those at another. With p*A = lambda p*, A q =
 * lambda q,
 *
 *     lambda' = p*A'q / p*q
 *
 * predicts from both sides. The assignment with the least sum of |prediction - lambda|/size + 0.1
 * (1 - |q*q_b|^2) is certain if every prediction misses by less than a quarter of the distance to
 * the nearest other eigenvalue, forwards and backwards. Eigenvalues closer to each other than
 * SAME_CLUSTER count as one, since they cannot be distinguished. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "eigen_track.h"
#include "num/linear/lapack.h"

/* Condition 1/|p*q| above which slopes are not used. It grows as the inverse root of the distance
 * from a coalescence, so that this is 1e-8 from one, where lambda' has a pole and predicts
 * nothing. */
#define CONDITION_MAX 1e4
/* Relative to the largest eigenvalue: closer ones count as one. Thirty times the rounding of a
 * double one, the root of ZW_ROUNDOFF_VALUE; a larger value would confuse tracks that only pass
 * each other. */
#define SAME_CLUSTER 1e-5
/* of the distance to the nearest other eigenvalue: half is ambiguous */
#define PREDICTION_MISS 0.25
/* The size of the eigenvalues is at least this part of the largest of the range: where all are
 * small, rounding is still relative to the matrix. Chosen by trial: separates slow modes from
 * rounding. */
#define SIZE_MIN 1e-3
#define ANGLE_WEIGHT 0.1 /* of eigenvectors: they decide only where predictions do not */
/* A real part that may be zero, times the condition of the eigenvalue: */
/* of its modulus: lightly damped modes count as damped above this, a hundred ZW_ROUNDOFF_SUM */
#define NEUTRAL_OWN 1e-10
#define NEUTRAL_SIZE 3e-14 /* of the largest modulus: 135 eps, the error of LAPACK's eigenvalues */

zw_status zw_eigen_state_init(zw_eigen_state *s, zw_arena *arena, int m, zw_error *err) {
    s->re = ZW_NEW(arena, double, m + 1);
    s->im = ZW_NEW(arena, double, m + 1);
    s->slope_re = ZW_NEW(arena, double, m + 1);
    s->slope_im = ZW_NEW(arena, double, m + 1);
    s->condition = ZW_NEW(arena, double, m + 1);
    s->vector_re = ZW_NEW(arena, double, m *m + 1);
    s->vector_im = ZW_NEW(arena, double, m *m + 1);
    return zw_arena_status(arena, err);
}

double zw_eigen_state_neutral(const zw_eigen_state *s, int j) {
    double own = hypot(s->re[j], s->im[j]);
    return (NEUTRAL_OWN * own + NEUTRAL_SIZE * s->size) * fmax(1, s->condition[j]);
}

/* ---------------------------------------------------------------------------------- eigenvalues */

/* Vector j in LAPACK's real form: first + sign i second. */
static void locate_vector(const zw_eigen_tracker *w, const zw_eigen_state *s, const double *packed,
                          int j, const double **first, const double **second, double *sign) {
    bool back = s->im[j] < 0;
    *first = packed + (size_t)(back ? j - 1 : j) * (size_t)w->m;
    *second = s->im[j] == 0 ? NULL : *first + w->m;
    *sign = back ? -1 : 1;
}

/* lambda' and the condition of eigenvalue j, from A' and both vectors. */
static void find_slope(zw_eigen_tracker *w, zw_eigen_state *s, int j) {
    int m = w->m;
    const double *a, *b, *c, *d;
    double sign, pq_re = 0, pq_im = 0, re = 0, im = 0;
    locate_vector(w, s, w->left, j, &c, &d, &sign);
    locate_vector(w, s, w->right, j, &a, &b, &sign);
    for (int i = 0; i < m; i++) {
        s->vector_re[j * m + i] = a[i];
        s->vector_im[j * m + i] = b ? sign * b[i] : 0;
    }
    const double *q_re = s->vector_re + (size_t)j * (size_t)m,
                 *q_im = s->vector_im + (size_t)j * (size_t)m;
    for (int i = 0; i < m; i++) {
        double x = 0, y = 0, p_re = c[i], p_im = d ? sign * d[i] : 0;
        for (int l = 0; l < m; l++) {
            x += w->slope[i * m + l] * q_re[l];
            y += w->slope[i * m + l] * q_im[l];
        }
        re += p_re * x + p_im * y; /* conj(p) (x + i y) */
        im += p_re * y - p_im * x;
        pq_re += p_re * q_re[i] + p_im * q_im[i];
        pq_im += p_re * q_im[i] - p_im * q_re[i];
    }
    double square = pq_re * pq_re + pq_im * pq_im;
    s->condition[j] = square > 0 ? 1 / sqrt(square) : INFINITY;
    bool usable = s->condition[j] <= CONDITION_MAX;
    s->slope_re[j] = usable ? (re * pq_re + im * pq_im) / square : 0;
    s->slope_im[j] = usable ? (im * pq_re - re * pq_im) / square : 0;
}

zw_status zw_eigen_state_compute(zw_eigen_tracker *w, zw_eigen_state *s, int piece, double value,
                                 bool whole) {
    const zw_lapack *lapack = zw_num_lapack_for(w->m);
    int m = w->m, low, high, info = 0;
    double norm;
    const char *jobs = whole ? "V" : "N";
    s->value = value;
    s->piece = piece;
    s->size = SIZE_MIN * w->size;
    w->out->solved++;
    if (m == 0)
        return ZW_OK;
    zw_matrix_interpolant_at(&w->interpolant, piece, value, w->A, whole ? w->slope : NULL);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < i; j++) { /* LAPACK reads by columns */
            double swap = w->A[i * m + j];
            w->A[i * m + j] = w->A[j * m + i];
            w->A[j * m + i] = swap;
        }
    lapack->dgeevx("B", jobs, jobs, "N", &m, w->A, &m, s->re, s->im, w->left, &m, w->right, &m,
                   &low, &high, w->buffer, &norm, s->condition, s->slope_re, w->work, &w->nwork,
                   w->iwork, &info, 1, 1, 1, 1);
    if (info != 0)
        return zw_fail(w->err, ZW_E_NUMERIC, "the eigenvalues at %.10g were not found", value);
    for (int j = 0; j < m; j++)
        s->size = fmax(s->size, hypot(s->re[j], s->im[j]));
    w->size = fmax(w->size, s->size);
    for (int j = 0; whole && j < m; j++)
        find_slope(w, s, j);
    return ZW_OK;
}

void zw_eigen_state_reorder(zw_eigen_tracker *w, zw_eigen_state *s, const int *order) {
    int m = w->m;
    double *const rows[] = {s->re, s->im, s->slope_re, s->slope_im, s->condition};
    for (int k = 0; k < 5; k++) {
        memcpy(w->buffer, rows[k], sizeof(double) * (size_t)m);
        for (int j = 0; j < m; j++)
            rows[k][j] = w->buffer[order[j]];
    }
    double *const vectors[] = {s->vector_re, s->vector_im};
    for (int k = 0; k < 2; k++) {
        memcpy(w->buffer, vectors[k], sizeof(double) * (size_t)(m * m));
        for (int j = 0; j < m; j++)
            memcpy(vectors[k] + (size_t)j * (size_t)m, w->buffer + (size_t)order[j] * (size_t)m,
                   sizeof(double) * (size_t)m);
    }
}

/* ----------------------------------------------------------------------------------- assignment */

/* The distance of eigenvalue k of b from the prediction of j of a. */
static double prediction_error(const zw_eigen_state *a, int j, const zw_eigen_state *b, int k) {
    double h = b->value - a->value;
    return hypot(a->re[j] + h * a->slope_re[j] - b->re[k],
                 a->im[j] + h * a->slope_im[j] - b->im[k]);
}

/* 1 - |q_a* q_b|^2 */
static double vector_angle(const zw_eigen_tracker *w, const zw_eigen_state *a, int j,
                           const zw_eigen_state *b, int k) {
    const double *x = a->vector_re + (size_t)j * (size_t)w->m,
                 *y = a->vector_im + (size_t)j * (size_t)w->m,
                 *u = b->vector_re + (size_t)k * (size_t)w->m,
                 *v = b->vector_im + (size_t)k * (size_t)w->m;
    double re = 0, im = 0;
    for (int i = 0; i < w->m; i++) {
        re += x[i] * u[i] + y[i] * v[i];
        im += x[i] * v[i] - y[i] * u[i];
    }
    return fmax(0, 1 - re * re - im * im);
}

static double eigenvalue_distance(const zw_eigen_state *s, int j, int k) {
    return hypot(s->re[j] - s->re[k], s->im[j] - s->im[k]);
}

/* The distance to the nearest eigenvalue outside the cluster. */
static double nearest_distance(const zw_eigen_tracker *w, const zw_eigen_state *s, int j,
                               double cluster) {
    double least = INFINITY;
    for (int k = 0; k < w->m; k++)
        if (k != j && eigenvalue_distance(s, j, k) > cluster)
            least = fmin(least, eigenvalue_distance(s, j, k));
    return least;
}

static bool is_order_sure(const zw_eigen_tracker *w, const zw_eigen_state *a,
                          const zw_eigen_state *b) {
    double cluster = SAME_CLUSTER * fmax(a->size, b->size),
           rounding = ZW_ROUNDOFF_SUM * fmax(a->size, b->size);
    for (int j = 0; j < w->m; j++) {
        int k = w->order[j];
        double buffer = PREDICTION_MISS * fmin(nearest_distance(w, a, j, cluster),
                                               nearest_distance(w, b, k, cluster));
        if (prediction_error(a, j, b, k) > buffer + rounding ||
            prediction_error(b, k, a, j) > buffer + rounding)
            return false;
    }
    return true;
}

/* The nearest eigenvalue to each prediction; false if two predictions share one. */
static bool take_nearest(zw_eigen_tracker *w, const zw_eigen_state *a, const zw_eigen_state *b) {
    memset(w->used, 0, sizeof(bool) * (size_t)(w->m + 1));
    for (int j = 0; j < w->m; j++) {
        int best = 0;
        for (int k = 1; k < w->m; k++)
            if (prediction_error(a, j, b, k) < prediction_error(a, j, b, best))
                best = k;
        if (w->used[best])
            return false;
        w->used[best] = true;
        w->order[j] = best;
    }
    return true;
}

/* The assignment of least total cost, row by row along shortest augmenting paths (H. W. Kuhn, 1955;
 * J. Munkres, 1957). */
static void assign_tracks(zw_eigen_tracker *w) {
    int m = w->m;
    memset(w->row_potential, 0, sizeof(double) * (size_t)(m + 1));
    memset(w->column_potential, 0, sizeof(double) * (size_t)(m + 1));
    memset(w->matched, 0, sizeof(int) * (size_t)(m + 1)); /* rows and columns are numbered from 1 */
    for (int i = 1; i <= m; i++) {
        int column = 0;
        w->matched[0] = i;
        for (int j = 0; j <= m; j++) {
            w->least[j] = DBL_MAX;
            w->used[j] = false;
        }
        do {
            int row = w->matched[column], next = 0;
            double delta = DBL_MAX;
            w->used[column] = true;
            for (int j = 1; j <= m; j++) {
                if (w->used[j])
                    continue;
                double reduced =
                    w->cost[(row - 1) * m + j - 1] - w->row_potential[row] - w->column_potential[j];
                if (reduced < w->least[j]) {
                    w->least[j] = reduced;
                    w->previous[j] = column;
                }
                if (w->least[j] < delta) {
                    delta = w->least[j];
                    next = j;
                }
            }
            for (int j = 0; j <= m; j++) {
                if (w->used[j]) {
                    w->row_potential[w->matched[j]] += delta;
                    w->column_potential[j] -= delta;
                } else {
                    w->least[j] -= delta;
                }
            }
            column = next;
        } while (w->matched[column] != 0);
        while (column != 0) {
            w->matched[column] = w->matched[w->previous[column]];
            column = w->previous[column];
        }
    }
    for (int j = 1; j <= m; j++)
        w->order[w->matched[j] - 1] = j - 1;
}

bool zw_eigen_state_match(zw_eigen_tracker *w, const zw_eigen_state *a, const zw_eigen_state *b) {
    double size = fmax(fmax(a->size, b->size), DBL_MIN);
    if (take_nearest(w, a, b) && is_order_sure(w, a, b))
        return true;
    for (int j = 0; j < w->m; j++)
        for (int k = 0; k < w->m; k++)
            w->cost[j * w->m + k] =
                prediction_error(a, j, b, k) / size +
                (a->piece == b->piece ? ANGLE_WEIGHT * vector_angle(w, a, j, b, k) : 0);
    assign_tracks(w);
    return is_order_sure(w, a, b);
}
