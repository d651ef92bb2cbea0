/* SPDX-License-Identifier: MIT */
/* Checks the results derived from A, against numbers at every set of parameter values: the mass
 * matrix U'M U with the flow's own M and G; characteristic polynomials against determinants det(s -
 * A) at some s; the conditions against eigenvalues of A, where all parameters are positive; and
 * that a condition vanishes at its critical values. */
#include <math.h>
#include <string.h>

#include "num/linear/dense.h"
#include "symbolic.h"

/* of the sizes of the terms: round-off of long formulas; a wrong one is off by much more */
#define FORMULA_ERROR 1e-7
/* of the largest eigenvalue: a smaller real part decides nothing; double eigenvalues have the
 * square root of round-off */
#define NEUTRAL_EIGENVALUE 1e-6
#define CONDITION_AT_ZERO 1e-6 /* of the values on both sides of the critical one */

static zw_status report_difference(zw_error *err, const char *what) {
    return zw_fail(err, ZW_E_NUMERIC, "%s found by formulas differs from numbers; nothing is shown",
                   what);
}

/* ---------------------------------------------------------------------------------- mass matrix */

/* U (nv x ns): 1 in the rates of s, the dependent velocities from the constraints at fixed
 * positions. */
static bool find_velocities(zw_symbolic *s, const double *x, double *U) {
    const zw_symbolic_result *r = &s->result;
    int nq = s->eq.nq, nv = s->eq.nv, nx = s->nx, ns = r->ns, ng = zw_flow_levels(s->flow), d = 0;
    double *g = ZW_SYMBOLIC_NEW(s, double, ng), *G = ZW_SYMBOLIC_NEW(s, double, ng *nx),
           *A = ZW_SYMBOLIC_NEW(s, double, nv *nv), *b = ZW_SYMBOLIC_NEW(s, double, nv *ns);
    int *row = ZW_SYMBOLIC_NEW(s, int, nv), *column = ZW_SYMBOLIC_NEW(s, int, nv);
    if (s->arena.failed || zw_flow_constraints(s->flow, 0, x, g, G, NULL) < 0)
        return false;
    for (int i = 0; i < s->ndependent; i++)
        if (s->dependent[i] >= nq) {
            row[d] = s->row[i];
            column[d++] = s->dependent[i];
        }
    for (int i = 0; i < nv * ns; i++)
        U[i] = 0;
    for (int j = 0; j < ns; j++)
        for (int k = 0; k < nv; k++)
            if (s->sys->velocity[k].coord == r->shape[j])
                U[k * ns + j] = 1;
    for (int i = 0; i < d; i++) {
        for (int j = 0; j < d; j++)
            A[i * d + j] = G[row[i] * nx + column[j]];
        for (int j = 0; j < ns; j++) {
            b[i * ns + j] = 0;
            for (int k = 0; k < nv; k++)
                b[i * ns + j] -= G[row[i] * nx + nq + k] * U[k * ns + j];
        }
    }
    if (!zw_symbolic_solve_numbers(d, A, ns, b))
        return false;
    for (int i = 0; i < d; i++)
        for (int j = 0; j < ns; j++)
            U[(column[i] - nq) * ns + j] = b[i * ns + j];
    return true;
}

static zw_status confirm_mass(zw_symbolic *s, int probe, const double *x, zw_error *err) {
    const zw_symbolic_result *r = &s->result;
    int nv = s->eq.nv, ns = r->ns;
    double *U = ZW_SYMBOLIC_NEW(s, double, nv *ns);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    if (r->second != ZW_FORMULA_THERE || !find_velocities(s, x, U))
        return ZW_OK;
    const double *M = zw_flow_matrices(s->flow, 0, x).M;
    for (int i = 0; i < ns; i++)
        for (int j = 0; j < ns; j++) {
            double sum = 0, size = 0, on[2] = {0, 0};
            for (int k = 0; k < nv; k++)
                for (int l = 0; l < nv; l++) {
                    sum += U[k * ns + i] * M[k * nv + l] * U[l * ns + j];
                    size += fabs(U[k * ns + i] * M[k * nv + l] * U[l * ns + j]);
                    on[0] += U[k * ns + i] * M[k * nv + l] * U[l * ns + i];
                    on[1] += U[k * ns + j] * M[k * nv + l] * U[l * ns + j];
                }
            size +=
                sqrt(fabs(on[0] * on[1])); /* of the diagonal, if the entry is 0 up to round-off */
            if (!(fabs(sum - zw_symbolic_value(s, probe, r->M[i * ns + j])) <=
                  FORMULA_ERROR * size))
                return report_difference(err, "the mass matrix");
        }
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------- polynomial */

static void block_matrix(const zw_symbolic *s, int probe, const zw_symbolic_block *b, double *A) {
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < b->n; j++)
            A[i * b->n + j] =
                zw_symbolic_value(s, probe, s->result.A[b->member[i] * s->result.n + b->member[j]]);
}

static double eliminate_determinant(int n, double *A) {
    double product = 1;
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int i = c; i < n; i++)
            if (fabs(A[i * n + c]) > fabs(A[best * n + c]))
                best = i;
        if (A[best * n + c] == 0)
            return 0;
        for (int k = 0; k < n && best != c; k++) {
            double swap = A[c * n + k];
            A[c * n + k] = A[best * n + k];
            A[best * n + k] = swap;
        }
        product *= best == c ? A[c * n + c] : -A[c * n + c];
        for (int i = c + 1; i < n; i++) {
            double factor = A[i * n + c] / A[c * n + c];
            for (int k = c; k < n; k++)
                A[i * n + k] -= factor * A[c * n + k];
        }
    }
    return product;
}

static zw_status confirm_polynomial(zw_symbolic *s, int probe, const zw_symbolic_block *b,
                                    zw_error *err) {
    int n = b->n;
    double *A = ZW_SYMBOLIC_NEW(s, double, n *n), *B = ZW_SYMBOLIC_NEW(s, double, n *n), most = 0;
    static const double at[] = {0.7, -1.3, 2.1};
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    block_matrix(s, probe, b, A);
    for (int i = 0; i < n * n; i++)
        most = fmax(most, fabs(A[i]));
    double lead = zw_symbolic_value(s, probe, b->a[n]);
    for (int k = 0; k < 3; k++) {
        double variable = at[k] * (most > 0 ? sqrt(most) : 1), sum = 0, size = 0, power = 1;
        for (int i = 0; i <= n; i++, power *= variable) {
            double term = zw_symbolic_value(s, probe, b->a[i]) * power / lead;
            sum += term;
            size += fabs(term);
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                B[i * n + j] = (i == j ? variable : 0) - A[i * n + j];
        if (!(fabs(eliminate_determinant(n, B) - sum) <= FORMULA_ERROR * size))
            return report_difference(err, "the characteristic polynomial");
    }
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------- conditions */

/* Removes the eigenvalue that is nearest to i w from the others. */
static void drop_eigenvalue(zw_dense_eigen *e, int *n, double w) {
    int best = 0;
    for (int i = 1; i < *n; i++)
        if (hypot(e->re[i], e->im[i] - w) < hypot(e->re[best], e->im[best] - w))
            best = i;
    (*n)--;
    e->re[best] = e->re[*n];
    e->im[best] = e->im[*n];
}

static bool all_positive(const zw_symbolic *s, int probe) {
    for (int i = 0; i < s->sys->np; i++)
        if (!(s->probe[probe * s->nsymbol + i] > 0))
            return false;
    return true;
}

static zw_status confirm_conditions(zw_symbolic *s, int probe, const zw_symbolic_block *b,
                                    zw_error *err) {
    int n = b->n;
    double *A = ZW_SYMBOLIC_NEW(s, double, n *n), most = 0, growth = -INFINITY;
    zw_dense_eigen e;
    if (b->degree == 0 || b->conditions != ZW_FORMULA_THERE || !all_positive(s, probe))
        return ZW_OK;
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    block_matrix(s, probe, b, A);
    for (int i = 0; i < n * n; i++)
        if (!isfinite(A[i]))
            return report_difference(err, "the matrix A");
    if (!zw_dense_eigenvalues(&s->arena, n, A, &e))
        return ZW_OK;
    for (int i = 0; i < n; i++)
        most = fmax(most, hypot(e.re[i], e.im[i]));
    for (int k = 0; k < b->nzero; k++)
        drop_eigenvalue(&e, &n, 0);
    for (int k = 0; k < b->nfactor; k++) {
        double w = zw_symbolic_value(s, probe, b->factor[k]);
        drop_eigenvalue(&e, &n, w);
        drop_eigenvalue(&e, &n, -w);
    }
    for (int i = 0; i < n; i++)
        growth = fmax(growth, e.re[i]);
    bool said = true, open = false;
    for (int k = 0; k < b->ncondition; k++)
        said &= zw_symbolic_value(s, probe, b->condition[k].value) > 0;
    if (!b->even)
        open = fabs(growth) <= NEUTRAL_EIGENVALUE * most;
    bool found = b->even ? growth <= NEUTRAL_EIGENVALUE * most : growth < 0;
    return open || said == found ? ZW_OK : report_difference(err, "a condition of stability");
}

/* A condition with the chosen parameter at x times its critical value. */
static double condition_at(const zw_symbolic *s, int probe, const zw_condition *c, int parameter,
                           double value) {
    double *p = s->probe + (size_t)probe * (size_t)s->nsymbol, before = p[parameter];
    p[parameter] = value;
    double result = zw_symbolic_value(s, probe, c->value);
    p[parameter] = before;
    return result;
}

static zw_status confirm_roots(const zw_symbolic *s, int probe, const zw_symbolic_block *b,
                               zw_error *err) {
    int parameter = -1;
    for (int i = 0; s->options.parameter && i < s->nsymbol; i++)
        if (strcmp(zw_expr_name(s->ctx, s->symbol[i]), s->options.parameter) == 0)
            parameter = i;
    for (int k = 0; k < b->ncondition && parameter >= 0; k++)
        for (int i = 0; i < b->condition[k].nroot; i++) {
            const zw_condition *c = &b->condition[k];
            double root = zw_symbolic_value(s, probe, c->root[i]);
            if (!isfinite(root) || root == 0)
                continue;
            double at = condition_at(s, probe, c, parameter, root),
                   low = condition_at(s, probe, c, parameter, 0.9 * root),
                   high = condition_at(s, probe, c, parameter, 1.1 * root);
            if (!(fabs(at) <= CONDITION_AT_ZERO * fmax(fabs(low), fabs(high))))
                return report_difference(err, "a critical value");
        }
    return ZW_OK;
}

zw_status zw_symbolic_confirm(zw_symbolic *s, zw_error *err) {
    double *x = ZW_SYMBOLIC_NEW(s, double, s->nx), *scale = ZW_SYMBOLIC_NEW(s, double, s->nx);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    for (int probe = 0; probe < ZW_PROBES; probe++) {
        zw_error ignored = {0};
        zw_status status = zw_symbolic_flow_at(s, probe, x, scale, &ignored);
        if (status == ZW_E_MEMORY)
            return zw_symbolic_memory(err);
        if (status < 0)
            continue;
        ZW_TRY(confirm_mass(s, probe, x, err));
        for (int k = 0; k < s->result.nblock; k++) {
            const zw_symbolic_block *b = &s->result.block[k];
            if (b->polynomial != ZW_FORMULA_THERE)
                continue;
            ZW_TRY(confirm_polynomial(s, probe, b, err));
            ZW_TRY(confirm_conditions(s, probe, b, err));
            ZW_TRY(confirm_roots(s, probe, b, err));
        }
    }
    return ZW_OK;
}
