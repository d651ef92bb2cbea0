/* SPDX-License-Identifier: MIT */
/* Which combinations X = a_0 d/dt + sum_j a_j X_j of given fields commute with the motion and stay
 * within the constraints?
 *
 *     a_0 f_t + sum_j a_j (Df X_j - DX_j f - X_j,t) = 0,     a_0 g_t + sum_j a_j Dg X_j = 0
 *
 * is linear in a. At some random states of the manifold all these rows together have a null space,
 * the symmetries: an equation that holds by chance would have to hold at all of them. Every entry
 * comes with the sum of the sizes of its terms, from which rows and columns get their scales, so
 * that the singular values that are zero have the size of rounding and the others that of 1. Fields
 * that depend on those before them are left out first.
 *
 * A value that is zero there is zero compared with the largest terms of the model. It may still be
 * the only term of an equation, or the remainder of large terms that cancel: x' = 1e-12 (1 - x). So
 * the remainder of each row is computed again at states and parameters that differ by some units of
 * the last digit. Rounding errors then change completely, but a real remainder of any size does
 * not; combinations with a real remainder are not symmetries. If the remainder is less than 1e-11
 * of the terms of its row, it is too small to compute with: the combination stays and is marked as
 * lost.
 *
 * Echelon form then gives the combinations simple names: x, y, alpha + turn(x, y). If d/dt is in
 * one of them, its part without time is X_0. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "num/linear/dense.h"
#include "zwang/steady.h"

enum {
    STATES = 8,       /* random states that determine the null space */
    FRESH_STATES = 2, /* further ones that confirm it */
    ATTEMPTS = 60,    /* to find a state, in ever smaller boxes */
    COPIES = 4        /* of a state with changed last digits */
};
#define BOX_SHRINK 0.85      /* from attempt to attempt: 0.85^60 = 6e-5 */
#define FIELD_DEPENDENT 1e-8 /* part of a field outside those before it: sqrt(eps) */
/* Singular values that are zero: rounding is 1e-13, and a spring 1e9 times weaker than another is
 * still detected. */
#define SINGULAR_ZERO 1e-11
/* part of a combination, in the sizes of the fields, in echelon form; a smaller pivot would cost
 * seven digits */
#define PIVOT_MIN 1e-7
/* remainder at fresh states, of its terms: zero; rounding divided by the smallest pivots, while
 * chance agreement leaves remainders of order 1 */
#define REMAINDER_CONFIRMED 1e-6
/* A row relative to the largest: smaller ones are not scaled up further, so that their rounding
 * stays below SINGULAR_ZERO. */
#define ROW_NEGLIGIBLE 1e-4
#define FACTOR_ROUNDOFF 1e-9 /* of the largest factor of a combination, and of whole numbers */
/* Times the effect of changed last digits: larger values are not rounding. The changes are random,
 * 30 is far outside their distribution. */
#define REAL_REMAINDER 30

struct zw_symmetries_memory {
    zw_arena arena;
    double *field;     /* nfield x nx: at the last state */
    double *direction; /* nx */
    bool *own, *lost;  /* nfield + 1 */
};

/* The search for symmetries. */
typedef struct search {
    zw_flow *flow;
    const zw_kernel *k;
    int nx, ng, n; /* n = nfield + 1: d/dt is the last */
    double t;      /* of the states: near the given one */
    const double *about, *scale;
    double *x, *f, *f_t, *J, *G, *g_t, *X, *X_t, *along; /* at a state */
    double *row, *size; /* (nx + ng) x n: the rows of a state and the sizes of their terms */
    zw_arena *arena;
    zw_error *err;
} search;

static zw_status allocate_search(search *s, zw_arena *arena, zw_flow *flow, zw_error *err) {
    const zw_kernel *k = zw_flow_kernel(flow);
    int nx = k->nx, ng = zw_flow_levels(flow), nf = k->nfield;
    *s =
        (search){.flow = flow, .k = k, .nx = nx, .ng = ng, .n = nf + 1, .arena = arena, .err = err};
    s->x = ZW_NEW(arena, double, nx + 1);
    s->f = ZW_NEW(arena, double, nx + 1);
    s->f_t = ZW_NEW(arena, double, nx + 1);
    s->J = ZW_NEW(arena, double, nx *nx + 1);
    s->G = ZW_NEW(arena, double, ng *nx + 1);
    s->g_t = ZW_NEW(arena, double, ng + 1);
    s->X = ZW_NEW(arena, double, nf *nx + 1);
    s->X_t = ZW_NEW(arena, double, nf *nx + 1);
    s->along = ZW_NEW(arena, double, nf *nx + 1);
    s->row = ZW_NEW(arena, double, (nx + ng) * s->n + 1);
    s->size = ZW_NEW(arena, double, (nx + ng) * s->n + 1);
    return zw_arena_status(arena, err);
}

/* -------------------------------------------------------------------------------- random states */

/* Evaluate everything at the state. */
static zw_status evaluate_state(search *s, zw_error *err) {
    const double *d[] = {s->f};
    double t = s->t;
    ZW_TRY(zw_flow_rates(s->flow, t, s->x, s->f, NULL, err));
    ZW_TRY(zw_flow_jacobian(s->flow, t, s->x, s->J, NULL, err));
    ZW_TRY(zw_flow_in_time(s->flow, t, s->x, s->f_t, NULL, err));
    ZW_TRY(zw_flow_constraints(s->flow, t, s->x, NULL, s->G, err));
    ZW_TRY(zw_flow_constraints_in_time(s->flow, t, s->x, s->g_t, err));
    ZW_TRY(zw_flow_fields(s->flow, t, s->x, s->X, s->X_t, err));
    return zw_flow_fields_along(s->flow, t, s->x, 1, d, s->along, err);
}

/* A state on the manifold at which everything has a value. */
static zw_status draw_state(search *s, double t, int number) {
    zw_random random = zw_random_stream(1, (uint64_t)number);
    zw_error trouble = {0};
    double size = 1;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++, size *= BOX_SHRINK) {
        s->t = t + (s->k->autonomous ? 0 : size * zw_random_unit(&random));
        for (int i = 0; i < s->nx; i++)
            s->x[i] = s->about[i] + size * s->scale[i] * zw_random_real(&random, -1, 1);
        trouble = (zw_error){0};
        zw_status status = zw_flow_project(s->flow, s->t, s->x, NULL, &trouble);
        if (status >= 0)
            status = evaluate_state(s, &trouble);
        if (status >= 0)
            return ZW_OK;
        if (status == ZW_E_MEMORY)
            break;
    }
    if (s->err)
        *s->err = trouble;
    return trouble.status;
}

/* ----------------------------------------------------------------------------------- their rows */

/* The entries of field j in the rows at the state. */
static void fill_field(search *s, int j) {
    int nx = s->nx, n = s->n;
    const double *X = s->X + (size_t)j * (size_t)nx, *X_t = s->X_t + (size_t)j * (size_t)nx,
                 *along = s->along + (size_t)j * (size_t)nx;
    for (int i = 0; i < nx + s->ng; i++) {
        const double *A =
            i < nx ? s->J + (size_t)i * (size_t)nx : s->G + (size_t)(i - nx) * (size_t)nx;
        double sum = i < nx ? -along[i] - X_t[i] : 0,
               size = i < nx ? fabs(along[i]) + fabs(X_t[i]) : 0;
        for (int l = 0; l < nx; l++) {
            sum += A[l] * X[l];
            size += fabs(A[l] * X[l]);
        }
        s->row[i * n + j] = sum;
        s->size[i * n + j] = size;
    }
}

/* The unit of row i: the size of the entry of x, or the effect of a change by the sizes on g. */
static double unit_of_row(const search *s, int i) {
    if (i < s->nx)
        return s->scale[i];
    double sum = 0;
    for (int l = 0; l < s->nx; l++)
        sum += fabs(s->G[(i - s->nx) * s->nx + l]) * s->scale[l];
    return sum > 0 ? sum : 1;
}

static void fill_rows(search *s) {
    int nx = s->nx, n = s->n;
    for (int j = 0; j < s->k->nfield; j++)
        fill_field(s, j);
    for (int i = 0; i < nx + s->ng; i++) {
        double in_time = i < nx ? s->f_t[i] : s->g_t[i - nx];
        s->row[i * n + n - 1] = in_time;
        s->size[i * n + n - 1] = fabs(in_time);
        double unit = unit_of_row(s, i);
        for (int j = 0; j < n; j++) {
            s->row[i * n + j] /= unit;
            s->size[i * n + j] /= unit;
        }
    }
}

/* The largest entry of a row. */
static double largest_entry(int n, const double *row) {
    double most = 0;
    for (int j = 0; j < n; j++)
        most = fmax(most, row[j]);
    return most;
}

/* Divide rows and columns by the sizes of their terms; column (n) records the divisors. A row that
 * is negligible relative to the others is rounding: it stays small. */
static void balance_matrix(int m, int n, double *A, double *size, double *column) {
    double all = largest_entry(m * n, size);
    for (int i = 0; i < m; i++) {
        double most = fmax(largest_entry(n, size + (size_t)i * (size_t)n), ROW_NEGLIGIBLE * all);
        for (int j = 0; most > 0 && j < n; j++) {
            A[i * n + j] /= most;
            size[i * n + j] /= most;
        }
    }
    for (int j = 0; j < n; j++) {
        column[j] = 0;
        for (int i = 0; i < m; i++)
            column[j] = fmax(column[j], size[i * n + j]);
        if (column[j] == 0)
            column[j] = 1;
        for (int i = 0; i < m; i++)
            A[i * n + j] /= column[j];
    }
}

/* ----------------------------------------------------------------------------- dependent fields */

/* Gram-Schmidt in the order of the fields, twice, so that the first of dependent ones stay; norm:
 * the norms before it. */
static void find_independent(int n, int length, double *vector, bool *independent, double *norm) {
    for (int j = 0; j < n; j++) {
        double *v = vector + (size_t)j * (size_t)length, before = zw_dense_norm(length, v);
        norm[j] = before;
        for (int pass = 0; pass < 2; pass++)
            for (int i = 0; i < j; i++) {
                const double *e = vector + (size_t)i * (size_t)length;
                double dot = 0;
                for (int l = 0; independent[i] && l < length; l++)
                    dot += e[l] * v[l];
                for (int l = 0; independent[i] && l < length; l++)
                    v[l] -= dot * e[l];
            }
        double after = zw_dense_norm(length, v);
        independent[j] = after > FIELD_DEPENDENT * before;
        for (int l = 0; independent[j] && l < length; l++)
            v[l] /= after;
    }
}

/* ----------------------------------------------------------------------------------- null space */

/* The largest part of a combination, in the sizes of the fields. */
static double most_part(int n, const double *row, const double *size) {
    double most = 0;
    for (int j = 0; j < n; j++)
        most = fmax(most, fabs(row[j]) * size[j]);
    return most;
}

/* Reduce m rows of n to echelon form, with pivots as far left as possible, but d/dt (the last
 * column) before all others. Rounding is judged in the sizes of the fields: a factor of 1e-8 next
 * to 1 may be real where lengths are those of molecules. */
static void reduce_rows(int m, int n, double *A, const double *size) {
    int row = 0;
    for (int c = -1; c < n - 1 && row < m; c++) {
        int column = c < 0 ? n - 1 : c, pivot = row;
        for (int i = row + 1; i < m; i++)
            if (fabs(A[i * n + column]) > fabs(A[pivot * n + column]))
                pivot = i;
        if (fabs(A[pivot * n + column]) * size[column] <
            PIVOT_MIN * most_part(n, A + (size_t)pivot * (size_t)n, size))
            continue;
        for (int j = 0; j < n; j++) {
            double swap = A[pivot * n + j];
            A[pivot * n + j] = A[row * n + j];
            A[row * n + j] = swap;
        }
        double by = A[row * n + column];
        for (int j = 0; j < n; j++)
            A[row * n + j] /= by;
        for (int i = 0; i < m; i++) {
            double part = A[i * n + column];
            for (int j = 0; i != row && part != 0 && j < n; j++)
                A[i * n + j] -= part * A[row * n + j];
        }
        row++;
    }
}

/* Remove rounding from zeros and from whole numbers. */
static void clean_rows(int m, int n, double *A, const double *size) {
    for (int i = 0; i < m; i++) {
        double most = most_part(n, A + (size_t)i * (size_t)n, size);
        for (int j = 0; j < n; j++) {
            double *a = &A[i * n + j], whole = round(*a);
            if (fabs(*a) * size[j] < FACTOR_ROUNDOFF * most)
                *a = 0;
            else if (fabs(*a - whole) < FACTOR_ROUNDOFF)
                *a = whole;
        }
    }
}

/* The rows of all states together, and the fields one after the other. */
static zw_status collect_rows(search *s, double t, double *A, double *size, double *vector) {
    int m = s->nx + s->ng, n = s->n, length = STATES * s->nx;
    for (int k = 0; k < STATES; k++) {
        ZW_TRY(draw_state(s, t, k));
        fill_rows(s);
        memcpy(A + (size_t)k * (size_t)m * (size_t)n, s->row, sizeof(double) * (size_t)(m * n));
        memcpy(size + (size_t)k * (size_t)m * (size_t)n, s->size, sizeof(double) * (size_t)(m * n));
        for (int j = 0; j < n - 1; j++)
            for (int i = 0; i < s->nx; i++)
                vector[(size_t)j * (size_t)length + (size_t)(k * s->nx + i)] =
                    s->X[j * s->nx + i] / s->scale[i];
    }
    return ZW_OK;
}

/* Set columns of fields that are left out to zero. */
static void clear_columns(int m, int n, double *A, double *size, const bool *independent) {
    for (int j = 0; j < n - 1; j++)
        for (int i = 0; !independent[j] && i < m; i++)
            A[i * n + j] = size[i * n + j] = 0;
}

static void put_combinations(zw_symmetries *out, const search *s, int found, const double *basis) {
    int n = s->n, first = 0;
    memset(out->driven, 0, sizeof(double) * (size_t)(n - 1));
    if (found > 0 && basis[n - 1] != 0) { /* d/dt + X_0, in the first row */
        memcpy(out->driven, basis, sizeof(double) * (size_t)(n - 1));
        out->still = true;
        first = 1;
    }
    out->n = found - first;
    for (int i = 0; i < out->n; i++) {
        double *to = out->combination + (size_t)i * (size_t)(n - 1);
        memcpy(to, basis + (size_t)(i + first) * (size_t)n, sizeof(double) * (size_t)(n - 1));
        out->memory->lost[i] = out->memory->lost[i + first];
        out->memory->own[i] = true;
        for (int j = 0; j < n - 1; j++)
            out->memory->own[i] &= to[j] == 0 || s->k->field_own[j];
    }
}

/* Null vectors of A from V, whose columns were divided by `column`; those of fields that are left
 * out do not count. */
static int read_null_space(const search *s, const double *sv, const double *V, const double *column,
                           const bool *independent, double *basis, zw_symmetries *out) {
    int n = s->n, found = 0;
    out->zero = 0;
    out->other = INFINITY;
    for (int i = 0; i < n; i++) {
        const double *v = V + (size_t)i * (size_t)n;
        double on = 0;
        for (int j = 0; j < n; j++)
            on = fmax(on, j == n - 1 || independent[j] ? fabs(v[j]) : 0);
        if (on < 0.5 / sqrt(n)) /* the unit vector of a field that is left out */
            continue;
        if (sv[i] > SINGULAR_ZERO) {
            out->other = fmin(out->other, sv[i]);
            continue;
        }
        out->zero = fmax(out->zero, sv[i]);
        for (int j = 0; j < n; j++)
            basis[found * n + j] = j == n - 1 || independent[j] ? v[j] / column[j] : 0;
        found++;
    }
    return found;
}

/* ------------------------------------------------------------------------ remainders of small
 * rows */

/* The remainder of row i for a combination at the state, and the sizes of its terms. */
static double remainder_of(const search *s, const double *combination, int i, double *size) {
    double sum = 0;
    *size = 0;
    for (int j = 0; j < s->n; j++) {
        sum += combination[j] * s->row[i * s->n + j];
        *size += fabs(combination[j]) * s->size[i * s->n + j];
    }
    return sum;
}

/* Remainders of the rows at new states, each FRESH_STATES x rows x n. */
typedef struct remainders {
    int n, rows;
    double *left, *rounding, *size; /* remainder, its rounding error, the sizes of its terms */
} remainders;

/* Measure at a drawn state and at copies of it; `at` is the index of its first number. */
static zw_status measure_state(search *s, const double *basis, remainders *r, size_t at,
                               zw_random *random, const double *x, const double *p,
                               double *shaken) {
    double size;
    for (int copy = 0; copy <= COPIES; copy++) {
        if (copy > 0) {
            zw_random_shake(random, s->nx, x, s->x);
            zw_random_shake(random, s->k->np, p, shaken);
            ZW_TRY(zw_flow_set_parameters(s->flow, shaken, s->err));
            ZW_TRY(evaluate_state(s, s->err));
        }
        fill_rows(s);
        for (int i = 0; i < r->rows; i++)
            for (int c = 0; c < r->n; c++) {
                size_t k = at + (size_t)(i * r->n + c);
                double value = remainder_of(s, basis + (size_t)c * (size_t)s->n, i, &size);
                if (copy == 0) {
                    r->left[k] = value;
                    r->size[k] = size;
                    r->rounding[k] = ZW_SHAKE * size;
                }
                r->rounding[k] = fmax(r->rounding[k], REAL_REMAINDER * fabs(value - r->left[k]));
            }
    }
    return ZW_OK;
}

static zw_status measure_remainders(search *s, double t, int n, const double *basis,
                                    remainders *r) {
    int rows = s->nx + s->ng, np = s->k->np;
    size_t cells = (size_t)(FRESH_STATES * rows * n) + 1;
    *r = (remainders){n, rows, ZW_NEW(s->arena, double, cells), ZW_NEW(s->arena, double, cells),
                      ZW_NEW(s->arena, double, cells)};
    double *x = ZW_NEW(s->arena, double, s->nx + 1), *p = ZW_NEW(s->arena, double, np + 1),
           *shaken = ZW_NEW(s->arena, double, np + 1);
    if (s->arena->failed)
        return zw_out_of_memory(s->err, NULL);
    memcpy(p, zw_flow_parameters(s->flow), sizeof(double) * (size_t)np);
    zw_status status = ZW_OK;
    for (int k = 0; k < FRESH_STATES && status >= 0; k++) {
        zw_random random = zw_random_stream(2, (uint64_t)k);
        ZW_TRY(draw_state(s, t, STATES + k));
        memcpy(x, s->x, sizeof(double) * (size_t)s->nx);
        status = measure_state(s, basis, r, (size_t)(k * rows * n), &random, x, p, shaken);
        zw_status restored = zw_flow_set_parameters(s->flow, p, s->err);
        status = status < 0 ? status : restored;
    }
    return status;
}

/* Does combination c have a real remainder in row i, at all states? *enough: is it also large
 * enough, relative to the terms of the row, to compute with? */
static bool has_remainder(const remainders *r, int i, int c, bool *enough) {
    bool real = true;
    *enough = true;
    for (int k = 0; k < FRESH_STATES; k++) {
        int at = (k * r->rows + i) * r->n + c;
        real &= fabs(r->left[at]) > r->rounding[at];
        *enough &= fabs(r->left[at]) > SINGULAR_ZERO * r->size[at];
    }
    *enough &= real;
    return real;
}

/* Replace the rows of basis by their combinations V (n of `found`). */
static void combine_basis(const search *s, int found, int n, const double *V, double *basis,
                          double *work) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < s->n; j++) {
            work[i * s->n + j] = 0;
            for (int c = 0; c < found; c++)
                work[i * s->n + j] += V[i * found + c] * basis[c * s->n + j];
        }
    memcpy(basis, work, sizeof(double) * (size_t)(n * s->n));
}

/* The rows with sufficient remainders, one for each state, in B (m x n), scaled to 1; noise is the
 * largest share of rounding. */
static int collect_remainders(const remainders *r, double *B, double *noise) {
    int m = 0, n = r->n;
    *noise = 0;
    for (int i = 0; i < r->rows; i++) {
        bool any = false, enough;
        for (int c = 0; c < n && !any; c++) {
            has_remainder(r, i, c, &enough);
            any = enough;
        }
        for (int k = 0; any && k < FRESH_STATES; k++, m++) {
            const double *left = r->left + (size_t)((k * r->rows + i) * n),
                         *rounding = r->rounding + (size_t)((k * r->rows + i) * n);
            double most = 0;
            for (int c = 0; c < n; c++)
                most = fmax(most, fabs(left[c]));
            for (int c = 0; c < n; c++) {
                B[m * n + c] = left[c] / most;
                *noise = fmax(*noise, rounding[c] / most);
            }
        }
    }
    return m;
}

/* Replace basis by the combinations whose remainders vanish in all rows that can be computed
 * with. */
static zw_status remove_false(search *s, double t, int *found, double *basis) {
    int n = *found;
    remainders r;
    double noise;
    ZW_TRY(measure_remainders(s, t, n, basis, &r));
    size_t cells = (size_t)((FRESH_STATES * r.rows + n) * n) + 1;
    double *B = ZW_NEW(s->arena, double, cells), *sv = ZW_NEW(s->arena, double, n + 1),
           *V = ZW_NEW(s->arena, double, n *n + 1), *work = ZW_NEW(s->arena, double, n * s->n + 1);
    if (s->arena->failed)
        return zw_out_of_memory(s->err, NULL);
    memset(B, 0, sizeof(double) * cells);
    int m = collect_remainders(&r, B, &noise);
    if (m == 0)
        return ZW_OK;
    if (!zw_dense_svd(s->arena, m < n ? n : m, n, B, sv, V, NULL))
        return zw_dense_failure(s->arena, s->err);
    *found = 0;
    for (int i = 0; i < n; i++)
        if (sv[i] <= sqrt(m) * noise)
            memmove(V + (size_t)(n * (*found)++), V + (size_t)(n * i), sizeof(double) * (size_t)n);
    combine_basis(s, n, *found, V, basis, work);
    return ZW_OK;
}

/* Combinations along which a row changes by too little to compute with. */
static zw_status find_lost(search *s, double t, int found, const double *basis, bool *lost) {
    remainders r;
    ZW_TRY(measure_remainders(s, t, found, basis, &r));
    for (int c = 0; c < found; c++) {
        bool enough;
        lost[c] = false;
        for (int i = 0; i < r.rows && !lost[c]; i++)
            lost[c] = has_remainder(&r, i, c, &enough);
    }
    return ZW_OK;
}

/* Confirm the basis at states that were not used to find it. */
static zw_status confirm_basis(search *s, double t, int found, const double *basis) {
    for (int k = 0; k < FRESH_STATES; k++) {
        ZW_TRY(draw_state(s, t, STATES + k));
        fill_rows(s);
        double all = largest_entry((s->nx + s->ng) * s->n, s->size), size;
        for (int c = 0; c < found; c++)
            for (int i = 0; i < s->nx + s->ng; i++)
                if (fabs(remainder_of(s, basis + (size_t)c * (size_t)s->n, i, &size)) >
                    REMAINDER_CONFIRMED * fmax(size, ROW_NEGLIGIBLE * all))
                    return zw_fail(s->err, ZW_E_NUMERIC,
                                   "a combination of displacements commutes with the motion at "
                                   "some random states and not at others");
    }
    return ZW_OK;
}

static zw_status find_symmetries(zw_symmetries *out, search *s, double t) {
    int n = s->n, m = STATES * (s->nx + s->ng), length = STATES * s->nx;
    size_t cells = (size_t)m * (size_t)n;
    double *A = ZW_NEW(s->arena, double, cells + 1), *size = ZW_NEW(s->arena, double, cells + 1),
           *vector = ZW_NEW(s->arena, double, (size_t)n *(size_t)length + 1),
           *column = ZW_NEW(s->arena, double, n), *sv = ZW_NEW(s->arena, double, n),
           *V = ZW_NEW(s->arena, double, n *n), *basis = ZW_NEW(s->arena, double, n *n),
           *norm = ZW_NEW(s->arena, double, n);
    bool *independent = ZW_NEW(s->arena, bool, n);
    if (s->arena->failed)
        return zw_out_of_memory(s->err, NULL);
    ZW_TRY(collect_rows(s, t, A, size, vector));
    find_independent(n - 1, length, vector, independent, norm);
    norm[n - 1] = largest_entry(n - 1, norm); /* d/dt */
    clear_columns(m, n, A, size, independent);
    balance_matrix(m, n, A, size, column);
    if (!zw_dense_svd(s->arena, m, n, A, sv, V, NULL))
        return zw_dense_failure(s->arena, s->err);
    int found = read_null_space(s, sv, V, column, independent, basis, out);
    reduce_rows(found, n, basis, norm);
    clean_rows(found, n, basis, norm);
    if (found > 0)
        ZW_TRY(remove_false(s, t, &found, basis));
    reduce_rows(found, n, basis, norm);
    clean_rows(found, n, basis, norm);
    ZW_TRY(confirm_basis(s, t, found, basis));
    if (found > 0)
        ZW_TRY(find_lost(s, t, found, basis, out->memory->lost));
    put_combinations(out, s, found, basis);
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- create */

static zw_status allocate_symmetries(zw_symmetries *out, zw_flow *flow, zw_error *err) {
    const zw_kernel *k = zw_flow_kernel(flow);
    out->memory = zw_allocate(&k->alloc, sizeof *out->memory);
    if (!out->memory)
        return zw_out_of_memory(err, NULL);
    zw_arena *arena = &out->memory->arena;
    zw_arena_init(arena, &k->alloc);
    out->nfield = k->nfield;
    out->autonomous = k->autonomous;
    out->combination = ZW_NEW(arena, double, (k->nfield + 1) * (k->nfield + 1));
    out->driven = ZW_NEW(arena, double, k->nfield + 1);
    out->memory->field = ZW_NEW(arena, double, k->nfield * k->nx + 1);
    out->memory->direction = ZW_NEW(arena, double, k->nx + 1);
    out->own = out->memory->own = ZW_NEW(arena, bool, k->nfield + 1);
    out->lost = out->memory->lost = ZW_NEW(arena, bool, k->nfield + 1);
    return zw_arena_status(arena, err);
}

zw_status zw_symmetries_find(zw_symmetries *out, zw_flow *flow, double t, const double *x,
                             const double *scale, zw_error *err) {
    search s;
    zw_arena work;
    *out = (zw_symmetries){0};
    zw_arena_init(&work, &zw_flow_kernel(flow)->alloc);
    zw_status status = allocate_symmetries(out, flow, err);
    if (status >= 0)
        status = allocate_search(&s, &work, flow, err);
    if (status >= 0) {
        s.about = x;
        s.scale = scale;
        status = find_symmetries(out, &s, t);
    }
    zw_arena_clear(&work);
    if (status < 0)
        zw_symmetries_clear(out);
    return status;
}

void zw_symmetries_clear(zw_symmetries *s) {
    if (s->memory) {
        zw_allocator alloc = s->memory->arena.alloc;
        zw_arena_clear(&s->memory->arena);
        zw_release(&alloc, s->memory, sizeof *s->memory);
    }
    *s = (zw_symmetries){0};
}

static void combine_fields(const zw_symmetries *s, int nx, const double *field, double *X_0,
                           double *X) {
    for (int i = -1; i < s->n; i++) {
        const double *factor = i < 0 ? s->driven : s->combination + (size_t)i * (size_t)s->nfield;
        double *to = i < 0 ? X_0 : X ? X + (size_t)i * (size_t)nx : NULL;
        for (int l = 0; to && l < nx; l++) {
            to[l] = 0;
            for (int j = 0; j < s->nfield; j++)
                if (factor[j] != 0)
                    to[l] += factor[j] * field[j * nx + l];
        }
    }
}

zw_status zw_symmetries_at(const zw_symmetries *s, zw_flow *flow, double t, const double *x,
                           double *X_0, double *X, zw_error *err) {
    double *field = s->memory->field;
    ZW_TRY(zw_flow_fields(flow, t, x, field, NULL, err));
    combine_fields(s, zw_flow_kernel(flow)->nx, field, X_0, X);
    return ZW_OK;
}

/* One direction at a time: fields are many and mostly constant, so their whole Jacobians are not
 * built. */
static zw_status subtract_along(const zw_symmetries *s, zw_flow *flow, double t, const double *x,
                                const double *c, const double *d, int l, double *J, zw_error *err) {
    int nx = zw_flow_kernel(flow)->nx;
    const double *field = s->memory->field;
    ZW_TRY(zw_flow_fields_along(flow, t, x, 1, &d, s->memory->field, err));
    for (int j = 0; j < s->nfield; j++) {
        double factor = s->driven[j];
        for (int i = 0; i < s->n; i++)
            factor += c[i] * s->combination[i * s->nfield + j];
        for (int i = 0; factor != 0 && i < nx; i++)
            J[i * nx + l] -= factor * field[j * nx + i];
    }
    return ZW_OK;
}

zw_status zw_symmetries_operator(const zw_symmetries *s, zw_flow *flow, double t, const double *x,
                                 const double *c, double *J, zw_error *err) {
    int nx = zw_flow_kernel(flow)->nx;
    double *d = s->memory->direction;
    ZW_TRY(zw_flow_jacobian(flow, t, x, J, NULL, err));
    for (int l = 0; l < nx; l++) {
        memset(d, 0, sizeof(double) * (size_t)nx);
        d[l] = 1;
        ZW_TRY(subtract_along(s, flow, t, x, c, d, l, J, err));
    }
    return ZW_OK;
}
