/* SPDX-License-Identifier: MIT */
#include "event_jump.h"
#include "base/arena.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Relative to the sizes: first step of differences of fourth order, which is divided by 8 until
 * derivatives with two steps agree to DERIVATIVES_AGREE, above their round-off eps/1e-4. */
#define DIFFERENCE_STEP 1e-4
#define DERIVATIVES_AGREE 1e-10
/* Relative to the rates: g is zero, above the errors of its derivatives. */
#define JUMP_ZERO 1e-8
/* Growth of a disturbance by dT, relative to the sizes: more is grazing, where it is infinite. With
 * errors of 1e-10 of the derivatives, a larger growth has no correct digits. */
#define GROWTH_MAX 1e8
/* Relative to a disturbance: dT of simultaneous functions that is the same. */
#define SAME_EVENT_TIME 1e-6
/* Relative to the size of a value (at least VALUE_MIN): a larger change depends on the state. */
#define VALUE_CHANGES 1e-7
#define VALUE_MIN 1e-12
/* Relative to unit disturbances: error of differences that should vanish, ten times
 * DERIVATIVES_AGREE. Shorter disturbances after the event are annihilated. */
#define DISTURBANCE_LOST 1e-9
/* Relative to a column: its round-off after orthogonalisation, 50 eps. */
#define COLUMN_ROUNDOFF 1e-14
enum { REFINED = 5 }; /* divisions of the step by 8 */

zw_status zw_event_jump_init(zw_event_jump *j, zw_arena *arena, int nx, int npar, int rows,
                             zw_error *err) {
    *j = (zw_event_jump){.nx = nx, .npar = npar, .most = rows};
    j->D = ZW_NEW(arena, double, rows *(1 + nx + npar) + 1);
    j->g = ZW_NEW(arena, double, nx + 1);
    j->rate = ZW_NEW(arena, double, rows + 1);
    j->column = ZW_NEW(arena, double, 2 * rows + 2);
    j->noise = ZW_NEW(arena, double, rows + 1);
    j->work = ZW_NEW(arena, double, 4 * rows + (nx + 4) * (nx + npar + 4));
    j->frame = ZW_NEW(arena, double, 5 * (nx + 1) * (nx + 1) + 1);
    return zw_arena_status(arena, err);
}

/* derivative at 0 of samples at -2h, -h, h, 2h */
static double difference_slope(const double *f, int stride, double h) {
    return (8 * (f[2 * stride] - f[stride]) - (f[3 * stride] - f[0])) / (12 * h);
}

/* a power of two near h: sums with it are exact */
static double power_of_two(double h) {
    int e;
    (void)frexp(h, &e);
    return ldexp(1, e - 1);
}

/* column c of D: derivatives in t, an entry of x or a parameter, by differences with step h */
static zw_status differ_by(zw_event_jump *j, int rows, zw_event_map map, void *self, double t,
                           const double *x, int c, double h, double *out, zw_error *err) {
    static const double at[4] = {-2, -1, 1, 2};
    int nx = j->nx, i = c - 1, parameter = i - nx;
    double *point = j->work, *sample = point + nx;
    for (int k = 0; k < 4; k++) {
        memcpy(point, x, sizeof(double) * (size_t)nx);
        if (i >= 0 && i < nx)
            point[i] += at[k] * h;
        ZW_TRY(map(self, c == 0 ? t + at[k] * h : t, point, parameter < 0 ? -1 : parameter,
                   parameter < 0 ? 0 : at[k] * h, sample + k * rows, err));
    }
    for (int r = 0; r < rows; r++) {
        out[r] = difference_slope(sample + r, rows, h);
        j->noise[r] = DBL_EPSILON * fabs(sample[r]) / h;
    }
    return ZW_OK;
}

/* the largest relative difference of two columns, without round-off */
static double column_difference(const zw_event_jump *j, int rows, const double *a,
                                const double *b) {
    double most = 0;
    for (int r = 0; r < rows; r++)
        if (fabs(a[r] - b[r]) > 4 * j->noise[r])
            most = fmax(most, fabs(a[r] - b[r]) / fmax(fabs(a[r]), fabs(b[r])));
    return most;
}

/* Derivatives of the map. The scale of the surfaces is unknown, so steps become shorter until two
 * of them agree or round-off dominates. */
static zw_status difference_jump(zw_event_jump *j, int rows, zw_event_map map, void *self, double t,
                                 const double *x, const double *size, zw_error *err) {
    int nx = j->nx, columns = 1 + nx + j->npar;
    double *now = j->column, *better = now + rows;
    for (int c = 0; c < columns; c++) {
        double h = power_of_two(DIFFERENCE_STEP * (c == 0    ? size[nx]
                                                   : c <= nx ? size[c - 1]
                                                             : size[c])),
               off = INFINITY;
        ZW_TRY(differ_by(j, rows, map, self, t, x, c, h, now, err));
        for (int k = 0; k < REFINED && (c == 0 || c > nx); k++) {
            h /= 8;
            ZW_TRY(differ_by(j, rows, map, self, t, x, c, h, better, err));
            double own = column_difference(j, rows, now, better);
            if (own > off)
                break;
            memcpy(now, better, sizeof(double) * (size_t)rows);
            off = own;
            if (off <= DERIVATIVES_AGREE)
                break;
        }
        for (int r = 0; r < rows; r++)
            j->D[r * columns + c] = now[r];
    }
    return ZW_OK;
}

static double scaled_norm(int n, const double *size, const double *v, int stride) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i * stride] / size[i] * (v[i * stride] / size[i]);
    return sqrt(sum);
}

/* row r of D times (1, v) or (0, v) */
static double multiply_row(const zw_event_jump *j, int r, double t, const double *v, int stride) {
    const double *row = j->D + (size_t)r * (size_t)(1 + j->nx + j->npar);
    double sum = t * row[0];
    for (int i = 0; i < j->nx; i++)
        sum += row[1 + i] * v[i * stride];
    return sum;
}

/* is the growth by dT, |g| |sigma_x|/rate relative to the sizes, too large? */
static bool is_grazing(const zw_event_jump *j, int s, const double *size) {
    const double *row = j->D + (size_t)s * (size_t)(1 + j->nx + j->npar);
    double steep = 0;
    for (int i = 0; i < j->nx; i++)
        steep += row[1 + i] * size[i] * (row[1 + i] * size[i]);
    return !(scaled_norm(j->nx, size, j->g, 1) * sqrt(steep) <= GROWTH_MAX * fabs(j->rate[s]));
}

/* does a value that must not depend on the state depend on it? */
static bool any_moves(const zw_event_jump *j, const double *size, const double *value) {
    for (int r = j->nsigma + j->nx; r < j->nsigma + j->nx + j->nfixed; r++) {
        const double *row = j->D + (size_t)r * (size_t)(1 + j->nx + j->npar);
        for (int c = 0; c <= j->nx; c++)
            if (fabs(row[c]) * size[c ? c - 1 : j->nx] >
                VALUE_CHANGES * fmax(fabs(value[r - j->nsigma - j->nx]), VALUE_MIN))
                return true;
    }
    return false;
}

zw_status zw_event_jump_find(zw_event_jump *j, int nsigma, int nfixed, zw_event_map map, void *self,
                             double t, const double *x, const double *before, const double *after,
                             const double *size, zw_event_jump_kind *kind, zw_error *err) {
    int rows = nsigma + j->nx + nfixed;
    j->nsigma = nsigma;
    j->nfixed = nfixed;
    *kind = ZW_EVENT_JUMP_REGULAR;
    if (rows > j->most)
        return zw_fail(err, ZW_E_OPTION,
                       "too many switching functions (%d) vanish at the same time, t = %.10g",
                       nsigma, t);
    ZW_TRY(difference_jump(j, rows, map, self, t, x, size, err));
    ZW_TRY(map(self, t, x, -1, 0, j->work, err));
    if (any_moves(j, size, j->work + nsigma + j->nx))
        *kind = ZW_EVENT_JUMP_MOVES;
    for (int i = 0; i < j->nx; i++)
        j->g[i] = multiply_row(j, nsigma + i, 1, before, 1) - after[i];
    double most = scaled_norm(j->nx, size, before, 1) + scaled_norm(j->nx, size, after, 1);
    j->smooth = scaled_norm(j->nx, size, j->g, 1) <= JUMP_ZERO * most;
    for (int s = 0; s < nsigma; s++) {
        j->rate[s] = multiply_row(j, s, 1, before, 1);
        if (!j->smooth && is_grazing(j, s, size))
            *kind = ZW_EVENT_JUMP_GRAZES;
    }
    return ZW_OK;
}

/* dT of a column; false if the functions have different ones */
static bool event_time_change(const zw_event_jump *j, const double *size, const double *y,
                              int stride, int parameter, double *dT) {
    int columns = 1 + j->nx + j->npar;
    double length = scaled_norm(j->nx, size, y, stride), weight = scaled_norm(j->nx, size, j->g, 1);
    *dT = 0;
    for (int s = 0; s < j->nsigma && !j->smooth; s++) {
        double moved = multiply_row(j, s, 0, y, stride);
        if (parameter >= 0)
            moved += j->D[s * columns + 1 + j->nx + parameter];
        double own = -moved / j->rate[s];
        if (s > 0 && !(weight * fabs(own - *dT) <= SAME_EVENT_TIME * (length + weight * fabs(*dT))))
            return false;
        if (s == 0)
            *dT = own;
    }
    return true;
}

void zw_event_jump_apply(const zw_event_jump *j, int n, const double *size, double *Y,
                         zw_event_jump_kind *kind) {
    int nx = j->nx, columns = 1 + nx + j->npar;
    double dT;
    for (int c = 0; c < n; c++)
        if (!event_time_change(j, size, Y + c, n, c - (n - j->npar), &dT))
            *kind = ZW_EVENT_JUMP_SEVERAL;
    for (int c = 0; c < n && *kind == ZW_EVENT_JUMP_REGULAR; c++) {
        int parameter = c - (n - j->npar);
        (void)event_time_change(j, size, Y + c, n, parameter, &dT);
        for (int i = 0; i < nx; i++) {
            int r = j->nsigma + i;
            j->work[i] = multiply_row(j, r, 0, Y + c, n) + j->g[i] * dT;
            if (parameter >= 0)
                j->work[i] += j->D[r * columns + 1 + nx + parameter];
        }
        for (int i = 0; i < nx; i++)
            Y[i * n + c] = j->work[i];
    }
}

/* ----------------------------------------------------------------------------------------- rank */

/* subtracts from row v its parts along k rows of Q, twice, and adds them to part (may be NULL);
 * returns the remaining length */
static double orthogonalise_row(int nx, int k, const double *Q, double *v, double *part) {
    for (int pass = 0; pass < 2; pass++)
        for (int r = 0; r < k; r++) {
            double dot = 0;
            for (int i = 0; i < nx; i++)
                dot += Q[r * nx + i] * v[i];
            for (int i = 0; i < nx; i++)
                v[i] -= dot * Q[r * nx + i];
            part[r] += dot;
        }
    double sum = 0;
    for (int i = 0; i < nx; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

/* Splits n columns V (nx x n), relative to the sizes, into R' Q: rows of Q (k x nx) are
 * orthonormal, R is k x n; rows shorter than `lost` are left out. Returns k. */
static int split_columns(int nx, int n, int most, const double *size, double lost, const double *V,
                         double *Q, double *R) {
    int k = 0;
    memset(R, 0, sizeof(double) * (size_t)(nx * n));
    for (int c = 0; c < n; c++) {
        double *v = Q + (size_t)k * (size_t)nx, *part = R + (size_t)c * (size_t)nx, length = 0;
        for (int i = 0; i < nx; i++) {
            v[i] = V[i * n + c] / size[i];
            length += v[i] * v[i];
        }
        double fresh = orthogonalise_row(nx, k, Q, v, part);
        if (k == most || !(fresh > (lost > 0 ? lost : COLUMN_ROUNDOFF * sqrt(length))))
            continue;
        for (int i = 0; i < nx; i++)
            v[i] /= fresh;
        part[k++] = fresh;
    }
    return k;
}

/* the columns Q' R without scaling: V (nx x n) from k rows of Q and the parts in the rows of R */
static void join_columns(int nx, int n, int k, const double *size, const double *Q, const double *R,
                         double *V) {
    for (int c = 0; c < n; c++)
        for (int i = 0; i < nx; i++) {
            double sum = 0;
            for (int r = 0; r < k; r++)
                sum += Q[r * nx + i] * R[c * nx + r];
            V[i * n + c] = sum * size[i];
        }
}

/* Y = Q' R before the event; the unit rows of Q are mapped through it, and their remaining lengths
 * give the rank. */
int zw_event_jump_pass(zw_event_jump *j, int n, int most, const double *size, double *Y,
                       zw_event_jump_kind *kind) {
    int nx = j->nx, square = (nx + 1) * (nx + 1);
    double *Q = j->frame, *R = Q + square, *Z = R + square, *own = Z + square, *part = own + square;
    int rank = split_columns(nx, n, nx, size, 0, Y, Q, R), left;
    double largest = 0;
    for (int c = 0; c < rank; c++)
        for (int i = 0; i < nx; i++)
            Z[i * rank + c] = Q[c * nx + i] * size[i];
    zw_event_jump_apply(j, rank, size, Z, kind);
    if (*kind != ZW_EVENT_JUMP_REGULAR)
        return rank;
    for (int c = 0; c < rank; c++)
        largest = fmax(largest, scaled_norm(nx, size, Z + c, rank));
    left = split_columns(nx, rank, most, size, DISTURBANCE_LOST * fmax(largest, 1), Z, own, part);
    join_columns(nx, rank, left, size, own, part, Z);
    for (int c = 0; c < n; c++)
        for (int i = 0; i < nx; i++) {
            double sum = 0;
            for (int r = 0; r < rank; r++)
                sum += Z[i * rank + r] * R[c * nx + r];
            Y[i * n + c] = sum;
        }
    return left;
}
