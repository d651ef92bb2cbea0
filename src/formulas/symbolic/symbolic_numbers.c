/* SPDX-License-Identifier: MIT */
/* Numerical checks of the formulas: which symmetries there are (found numerically,
 * zwang/steady.h; their factors are small fractions), and whether the matrix A is right. With T
 * the tangent vectors of zw_linearise and A_n its matrix, a disturbance T u has the entries
 *
 *   y = P T u,    P T = T_kept - X_kept X_pinned^-1 T_pinned,    so that    A P T = P T A_n
 *
 * must be satisfied at every set of parameter values, entry by entry. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "symbolic.h"
#include "zwang/kernel.h"
#include "zwang/steady.h"

/* of the sizes of the terms: round-off of long formulas; a wrong one is off by much more */
#define FORMULA_ERROR 1e-7
/* distance of a factor of a symmetry from a small fraction: factors come from linear equations with
 * round-off */
#define SAME_FRACTION 1e-7
#define SMALL_ROW 1e-3 /* of the largest row: least size of a row, which may be zero */

/* --------------------------------------------------------------------------------------- probes */

static double random_near(double value, zw_random *random) {
    if (value == 0)
        return zw_random_real(random, 0.3, 1);
    return value * zw_random_real(random, 0.7, 1.4);
}

static zw_status set_probes(zw_symbolic *s, zw_error *err) {
    const zw_system *sys = s->sys;
    int nfree = s->motion->nfree, n = sys->np + nfree + 1;
    s->nsymbol = n;
    s->symbol = ZW_SYMBOLIC_NEW(s, zw_expr, n);
    s->probe = ZW_SYMBOLIC_NEW(s, double, ZW_PROBES *n);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    for (int i = 0; i < sys->np; i++)
        s->symbol[i] = sys->param[i].sym;
    for (int i = 0; i < nfree; i++)
        s->symbol[sys->np + i] = s->motion->free[i];
    s->symbol[n - 1] = sys->t;
    ZW_TRY(zw_system_param_values(sys, s->probe, err));
    for (int k = 0; k < ZW_PROBES; k++) {
        zw_random random = zw_random_stream(s->options.seed, (uint64_t)k);
        double *value = s->probe + (size_t)k * (size_t)n;
        for (int i = 0; i < sys->np; i++)
            value[i] = s->fixed[i]           ? s->probe[i]
                       : k == ZW_PROBE_PLAIN ? zw_random_real(&random, 0.5, 2)
                       : k                   ? random_near(s->probe[i], &random)
                                             : s->probe[i];
        if ((s->result.defined || s->unfolded) && k) { /* dependent parameters follow */
            bool *given = ZW_SYMBOLIC_NEW(s, bool, sys->np);
            for (int i = 0; given && i < sys->np; i++)
                given[i] = zw_foreign_symbol(s->ctx, sys->param[i].value, 0, NULL) == ZW_NULL;
            if (!given)
                return zw_symbolic_memory(err);
            ZW_TRY(zw_system_param_follow(sys, given, value, err));
        }
        for (int i = 0; i < nfree; i++)
            value[sys->np + i] = zw_random_real(&random, 0.5, 2);
        value[n - 1] = 0;
    }
    return ZW_OK;
}

zw_status zw_symbolic_begin_numbers(zw_symbolic *s, zw_error *err) {
    zw_kernel_options options = zw_kernel_options_default();
    ZW_TRY(set_probes(s, err));
    if (s->kernel)
        return ZW_OK;
    options.jit = ZW_JIT_NEVER;
    options.functions = ZW_FUNCTIONS_ALL_METHODS | ZW_SET(FIELD) | ZW_SET(FIELD_FIRST);
    s->given = s->eq;
    ZW_TRY(zw_equations_displacements(&s->given, &s->field, &s->nfield, err));
    ZW_TRY(zw_kernel_create(&s->kernel, &s->given, &options, err));
    return zw_flow_create(&s->flow, s->kernel, s->probe, err);
}

void zw_symbolic_state(const zw_symbolic *s, int probe, double *x) {
    for (int i = 0; i < s->nx; i++)
        x[i] = zw_symbolic_value(s, probe, s->x[i]);
}

zw_status zw_symbolic_flow_at(zw_symbolic *s, int probe, double *x, double *scale, zw_error *err) {
    const zw_system *sys = s->sys;
    const double *p = s->probe + (size_t)probe * (size_t)s->nsymbol;
    double *width = ZW_SYMBOLIC_NEW(s, double, sys->nq + sys->nv),
           *start = ZW_SYMBOLIC_NEW(s, double, sys->nq + sys->nv),
           *u = ZW_SYMBOLIC_NEW(s, double, sys->nsignal);
    zw_said *said = ZW_SYMBOLIC_NEW(s, zw_said, sys->nq + sys->nv);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    ZW_TRY(zw_flow_set_parameters(s->flow, p, err));
    for (int i = 0; i < sys->nsignal; i++)
        u[i] = zw_system_signal_at(sys, i, p, 0, 0);
    zw_flow_set_inputs(s->flow, u);
    ZW_TRY(zw_system_start_said(sys, p, start, said, width, err));
    zw_symbolic_state(s, probe, x);
    for (int i = 0; i < s->nx; i++)
        if (!isfinite(x[i])) {
            zw_fail_at(err, ZW_E_DOMAIN, s->motion->place, "%s of %s has no finite value",
                       zw_symbolic_entry(s, i), s->motion->name);
            return ZW_E_DOMAIN;
        }
    return zw_steady_scale(s->flow, 0, x, width, scale, err);
}

/* ----------------------------------------------------------------------------------- symmetries */

static bool round_to_fraction(double *x) {
    for (int q = 1; q <= 12; q++) {
        double p = round(*x * q);
        if (fabs(*x * q - p) <= SAME_FRACTION * q) {
            *x = p / q;
            return true;
        }
    }
    return false;
}

static zw_expr exact_number(const zw_symbolic *s, double x) {
    for (int q = 1; q <= 12; q++)
        if (round(x * q) == x * q)
            return zw_rational(s->ctx, (int64_t)(x * q), q);
    return zw_real(s->ctx, x);
}

static zw_status no_fraction(const zw_symbolic *s, const zw_symmetries *y, int i, zw_error *err) {
    char name[160] = "";
    for (int j = 0; j < s->nfield; j++)
        if (y->combination[i * s->nfield + j] != 0)
            zw_displacement_name(s->sys, &s->field[j], name, sizeof name);
    return zw_fail(err, ZW_E_MODEL,
                   "a symmetry holds %s with a factor that is no simple fraction, for which there "
                   "is no formula here",
                   name);
}

/* The fields of the symmetries as expressions. */
static zw_status write_fields(zw_symbolic *s, const zw_symmetries *y, zw_error *err) {
    int nx = s->nx;
    s->nsymmetry = y->n;
    s->combination = ZW_SYMBOLIC_NEW(s, double, y->n * s->nfield);
    s->own = ZW_SYMBOLIC_NEW(s, bool, y->n);
    s->X = ZW_SYMBOLIC_NEW(s, zw_expr, y->n * nx);
    s->c = ZW_SYMBOLIC_NEW(s, zw_expr, y->n);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    for (int i = 0; i < y->n; i++) {
        s->own[i] = y->own[i];
        for (int k = 0; k < nx; k++)
            s->X[i * nx + k] = ZW_ZERO;
        for (int j = 0; j < s->nfield; j++) {
            double factor = y->combination[i * s->nfield + j];
            if (!round_to_fraction(&factor))
                return no_fraction(s, y, i, err);
            s->combination[i * s->nfield + j] = factor;
            for (int k = 0; k < nx && factor != 0; k++)
                s->X[i * nx + k] =
                    zw_add(s->ctx, s->X[i * nx + k],
                           zw_mul(s->ctx, exact_number(s, factor), s->field[j].x[k]));
        }
    }
    return zw_context_status(s->ctx, err);
}

zw_status zw_symbolic_symmetries(zw_symbolic *s, zw_error *err) {
    zw_symmetries y = {0};
    double *x = ZW_SYMBOLIC_NEW(s, double, s->nx), *scale = ZW_SYMBOLIC_NEW(s, double, s->nx);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    ZW_TRY(zw_symbolic_flow_at(s, 1, x, scale, err));
    zw_status status = zw_symmetries_find(&y, s->flow, 0, x, scale, err);
    if (status >= 0 && !y.still) {
        zw_fail(err, ZW_E_MODEL,
                "the model is driven (time enters its equations), so it has no equilibria");
        zw_error_hint(err, "use zwang orbit or zwang response for periodic motions; with a "
                           "rotating excitation, co-rotating coordinates remove the time");
        status = ZW_E_MODEL;
    }
    if (status >= 0)
        status = write_fields(s, &y, err);
    zw_symmetries_clear(&y);
    return status;
}

/* ----------------------------------------------------------------------------------- comparison */

static void swap_rows(double *A, int width, int i, int j) {
    for (int k = 0; k < width && i != j; k++) {
        double swap = A[i * width + k];
        A[i * width + k] = A[j * width + k];
        A[j * width + k] = swap;
    }
}

bool zw_symbolic_solve_numbers(int n, double *A, int m, double *b) {
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int i = c; i < n; i++)
            if (fabs(A[i * n + c]) > fabs(A[best * n + c]))
                best = i;
        if (!(fabs(A[best * n + c]) > 0))
            return false;
        swap_rows(A, n, c, best);
        swap_rows(b, m, c, best);
        for (int i = 0; i < n; i++) {
            double factor = i == c ? 0 : A[i * n + c] / A[c * n + c];
            for (int k = c; k < n; k++)
                A[i * n + k] -= factor * A[c * n + k];
            for (int k = 0; k < m; k++)
                b[i * m + k] -= factor * b[c * m + k];
        }
    }
    for (int c = 0; c < n; c++)
        for (int k = 0; k < m; k++)
            b[c * m + k] /= A[c * n + c];
    return true;
}

/* P T (n x n). */
static bool project_matrix(zw_symbolic *s, int probe, const zw_linearisation *a, double *out) {
    int n = a->n, m = s->result.norbit, nx = s->nx;
    double *XK = ZW_SYMBOLIC_NEW(s, double, m *m), *inverse = ZW_SYMBOLIC_NEW(s, double, m *m),
           *d = ZW_SYMBOLIC_NEW(s, double, m);
    if (s->arena.failed)
        return false;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            XK[i * m + j] = zw_symbolic_value(s, probe, s->X[j * nx + s->pinned[i]]);
    for (int i = 0; i < m * m; i++)
        inverse[i] = i / m == i % m;
    if (!zw_symbolic_solve_numbers(m, XK, m, inverse))
        return false;
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < m; k++) {
            d[k] = 0;
            for (int l = 0; l < m; l++)
                d[k] += inverse[k * m + l] * a->T[s->pinned[l] * n + j];
        }
        for (int i = 0; i < n; i++) {
            out[i * n + j] = a->T[s->kept[i] * n + j];
            for (int k = 0; k < m; k++)
                out[i * n + j] -= zw_symbolic_value(s, probe, s->X[k * nx + s->kept[i]]) * d[k];
        }
    }
    return true;
}

/* The largest relative difference of A P T and P T A_n: rows in units of their entries (scale),
 * columns by their lengths, relative to the sizes of the entries in the row of A, plus a small part
 * of the largest row for rows that are 0. */
static double matrix_difference(zw_symbolic *s, int probe, const zw_linearisation *a,
                                const double *scale) {
    int n = a->n;
    double *P = ZW_SYMBOLIC_NEW(s, double, n *n), *A = ZW_SYMBOLIC_NEW(s, double, n *n),
           *row = ZW_SYMBOLIC_NEW(s, double, n), most = 0, worst = 0;
    if (s->arena.failed || !project_matrix(s, probe, a, P))
        return NAN;
    for (int i = 0; i < n * n; i++) {
        double unit = scale[s->kept[i % n]] / scale[s->kept[i / n]];
        A[i] = zw_symbolic_value(s, probe, s->result.A[i]);
        row[i / n] += fabs(A[i]) * unit;
        most = fmax(most, row[i / n]);
    }
    for (int j = 0; j < n; j++) {
        double length = 0;
        for (int i = 0; i < n; i++)
            length = fmax(length, fabs(P[i * n + j]) / scale[s->kept[i]]);
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += A[i * n + k] * P[k * n + j] - P[i * n + k] * a->A[k * n + j];
            double part = fabs(sum) / (scale[s->kept[i]] * length * (row[i] + SMALL_ROW * most));
            worst = fmax(worst, sum == 0 ? 0 : isfinite(part) ? part : 1);
        }
    }
    return worst;
}

static zw_status compare_at(zw_symbolic *s, int probe, zw_error *err) {
    int nx = s->nx;
    double *x = ZW_SYMBOLIC_NEW(s, double, nx), *scale = ZW_SYMBOLIC_NEW(s, double, nx);
    zw_symmetries y = {0};
    zw_linearisation a = {0};
    zw_steady at = {.x = ZW_SYMBOLIC_NEW(s, double, nx),
                    .c = ZW_SYMBOLIC_NEW(s, double, s->nfield),
                    .z = ZW_SYMBOLIC_NEW(s, double, s->nz)};
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    ZW_TRY(zw_symbolic_flow_at(s, probe, x, scale, err));
    memcpy(at.x, x, (size_t)nx * sizeof *x);
    zw_status status = zw_symmetries_find(&y, s->flow, 0, x, scale, err);
    if (status >= 0)
        status = zw_steady_find(&at, s->flow, &y, scale, 0, NULL, err);
    if (status >= 0)
        status = zw_linearise(&a, s->flow, &y, &at, err);
    /* Special values may have additional symmetries: there the matrices describe other
     * disturbances. */
    if (status >= 0 && a.n == s->result.n) {
        double differs = matrix_difference(s, probe, &a, scale);
        s->result.error = fmax(s->result.error, differs);
        s->result.nchecked++;
        if (!(differs <= FORMULA_ERROR))
            status = zw_fail(err, ZW_E_NUMERIC,
                             "the formulas differ from the numbers by %.3g of their size; they are "
                             "not shown",
                             differs);
    }
    zw_linearisation_clear(&a);
    zw_symmetries_clear(&y);
    return status;
}

zw_status zw_symbolic_compare(zw_symbolic *s, zw_error *err) {
    for (int k = 0; k < ZW_PROBES; k++) {
        zw_error own = {0};
        zw_status status = compare_at(s, k, &own);
        bool differs = status == ZW_E_NUMERIC && strstr(own.text, "differ");
        if (status == ZW_E_MEMORY || differs) {
            if (err)
                *err = own;
            return status;
        }
    }
    if (s->result.nchecked >= 2)
        return ZW_OK;
    return zw_fail(
        err, ZW_E_NUMERIC,
        "the formulas could be compared with numbers at %d of %d sets of parameter values "
        "only; they are not shown",
        s->result.nchecked, ZW_PROBES);
}
