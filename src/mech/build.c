/* SPDX-License-Identifier: MIT */
/* Small algebra and bookkeeping used by the builder and the principles. */
#include "build.h"

#include <string.h>

bool zw_mech_grow(zw_context *ctx, void **array, int n, int *capacity, size_t element) {
    if (n < *capacity)
        return true;
    int wider = *capacity ? 2 * *capacity : 8;
    void *copy = zw_context_alloc(ctx, (size_t)wider * element);
    if (!copy)
        return false;
    if (n)
        memcpy(copy, *array, (size_t)n * element);
    *array = copy;
    *capacity = wider;
    return true;
}

zw_status zw_mech_status(const zw_system *s, zw_place place, zw_error *err) {
    zw_error inner = {0};
    zw_status status = zw_context_status(s->ctx, &inner);
    return status < 0 ? zw_fail_at(err, status, place, "%s", inner.text) : ZW_OK;
}

void zw_cross(zw_context *ctx, const zw_expr a[3], const zw_expr b[3], zw_expr out[3]) {
    zw_expr r[3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        r[i] = zw_sub(ctx, zw_mul(ctx, a[j], b[k]), zw_mul(ctx, a[k], b[j]));
    }
    memcpy(out, r, sizeof r);
}

void zw_rotate(zw_context *ctx, const zw_expr A[9], const zw_expr v[3], zw_expr out[3]) {
    zw_expr r[3];
    for (int i = 0; i < 3; i++)
        r[i] = zw_dot(ctx, 3, A + 3 * (size_t)i, v);
    memcpy(out, r, sizeof r);
}

void zw_rotate_back(zw_context *ctx, const zw_expr A[9], const zw_expr v[3], zw_expr out[3]) {
    zw_expr r[3];
    for (int i = 0; i < 3; i++)
        r[i] = zw_dot(ctx, 3, (zw_expr[]){A[i], A[i + 3], A[i + 6]}, v);
    memcpy(out, r, sizeof r);
}

void zw_mech_symbols(const zw_system *s, zw_expr *q, zw_expr *v, zw_expr *a) {
    for (int i = 0; q && i < s->nq; i++)
        q[i] = s->coord[i].sym;
    for (int i = 0; i < s->nv; i++) {
        if (v)
            v[i] = s->velocity[i].sym;
        if (a)
            a[i] = s->velocity[i].accel;
    }
}

zw_status zw_mech_check_symbols(const zw_system *s, zw_expr e, unsigned what, const char *role,
                                zw_place place, zw_error *err) {
    int n = 0, max = s->np + s->nq + 2 * s->nv + s->nconstraint + 1;
    zw_expr *known = ZW_CONTEXT_NEW(s->ctx, zw_expr, max);
    if (!known)
        return zw_mech_status(s, place, err);
    for (int i = 0; i < s->np; i++)
        known[n++] = s->param[i].sym;
    if (what & WITH_TIME)
        known[n++] = s->t;
    for (int i = 0; (what & WITH_Q) && i < s->nq; i++)
        known[n++] = s->coord[i].sym;
    for (int i = 0; i < s->nv; i++) {
        if (what & WITH_V)
            known[n++] = s->velocity[i].sym;
        if (what & WITH_A)
            known[n++] = s->velocity[i].accel;
    }
    for (int i = 0; (what & WITH_LAMBDA) && i < s->nconstraint; i++)
        known[n++] = s->constraint[i].lambda;
    zw_expr foreign = zw_foreign_symbol(s->ctx, e, n, known);
    if (!foreign)
        return zw_mech_status(s, place, err);
    zw_fail_at(err, ZW_E_MODEL, place, "%s cannot depend on %s", role,
               zw_expr_name(s->ctx, foreign));
    return ZW_E_MODEL;
}

/* ------------------------------------------------------------------------------------- inverse */

/* determinant of the m x m matrix of the given rows and columns of A, n wide */
static zw_expr minor_of(zw_context *ctx, int n, const zw_expr *A, int m, const int *rows,
                        const int *columns) {
    if (m == 0)
        return ZW_ONE;
    zw_expr sum = ZW_ZERO;
    int rest[6];
    for (int k = 0; k < m; k++) {
        zw_expr entry = A[rows[0] * n + columns[k]];
        if (entry == ZW_ZERO)
            continue;
        for (int i = 0, j = 0; i < m; i++)
            if (i != k)
                rest[j++] = columns[i];
        zw_expr term = zw_mul(ctx, entry, minor_of(ctx, n, A, m - 1, rows + 1, rest));
        sum = k % 2 ? zw_sub(ctx, sum, term) : zw_add(ctx, sum, term);
    }
    return zw_expand(ctx, sum);
}

bool zw_mech_inverse(zw_context *ctx, int n, const zw_expr *A, zw_expr *out) {
    int all[6] = {0, 1, 2, 3, 4, 5}, rows[6], columns[6];
    if (n > 6)
        return false;
    zw_expr determinant = minor_of(ctx, n, A, n, all, all);
    if (determinant == ZW_ZERO || determinant == ZW_NULL)
        return false;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            for (int k = 0, r = 0; k < n; k++)
                if (k != j)
                    rows[r++] = k;
            for (int k = 0, c = 0; k < n; k++)
                if (k != i)
                    columns[c++] = k;
            zw_expr cofactor = minor_of(ctx, n, A, n - 1, rows, columns);
            if ((i + j) % 2)
                cofactor = zw_neg(ctx, cofactor);
            out[i * n + j] = zw_div(ctx, cofactor, determinant);
        }
    return true;
}
