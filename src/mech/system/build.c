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

zw_status zw_mech_open(const zw_system *s, zw_place place, zw_error *err) {
    if (s->finished)
        return zw_fail_at(err, ZW_E_MODEL, place, "the system is finished: nothing can be added");
    return zw_mech_status(s, place, err);
}

bool zw_mech_is_part(const char *constraint, const char *name) {
    size_t n = strlen(name);
    return strncmp(constraint, name, n) == 0 && (constraint[n] == '\0' || constraint[n] == '.');
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
    int n = 0, max = s->np + 3 * s->nq + 2 * s->nv + s->nconstraint + s->nsignal + 1;
    zw_arena_mark mark = zw_scratch_mark(s->ctx);
    zw_expr *known = ZW_SCRATCH_NEW(s->ctx, zw_expr, max);
    if (!known)
        return zw_mech_status(s, place, err);
    for (int i = 0; i < s->np; i++)
        known[n++] = s->param[i].sym;
    if (what & WITH_TIME)
        known[n++] = s->t;
    for (int i = 0; i < s->nq; i++)
        if ((what & WITH_Q) || ((what & WITH_STATE) && s->coord[i].state))
            known[n++] = s->coord[i].sym;
    for (int i = 0; !s->finished && i < s->store->nstate; i++) {
        if (what & WITH_V)
            known[n++] = s->store->state[i].rate_symbol;
        if (what & WITH_A)
            known[n++] = s->store->state[i].accel_symbol;
    }
    for (int i = 0; i < s->nv; i++) {
        if (what & WITH_V)
            known[n++] = s->velocity[i].sym;
        if (what & WITH_A)
            known[n++] = s->velocity[i].accel;
    }
    for (int i = 0; (what & WITH_SIGNAL) && i < s->nsignal; i++)
        known[n++] = s->signal[i].sym;
    for (int i = 0; (what & WITH_LAMBDA) && i < s->nconstraint; i++)
        known[n++] = s->constraint[i].lambda;
    zw_expr foreign = zw_foreign_symbol(s->ctx, e, n, known);
    zw_scratch_release(s->ctx, mark);
    if (!foreign)
        return zw_mech_status(s, place, err);
    for (int i = 0; i < s->nsignal; i++)
        if (foreign == s->signal[i].sym || foreign == s->signal[i].rate)
            return zw_mech_reject_signal(role, &s->signal[i], place, err);
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
    /* expanded if that is short: cos^2 + sin^2 must be recognised */
    zw_shorten(ctx, 1, &sum);
    return sum;
}

/* the inverse of one block of at most 6 rows, n wide in A and out */
static bool block_inverse(zw_context *ctx, int n, const zw_expr *A, int m, const int *rows_of,
                          const int *columns_of, zw_expr *out) {
    int rows[6], columns[6];
    zw_expr determinant = minor_of(ctx, n, A, m, rows_of, columns_of);
    if (determinant == ZW_ZERO || determinant == ZW_NULL)
        return false;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            for (int k = 0, r = 0; k < m; k++)
                if (k != j)
                    rows[r++] = rows_of[k];
            for (int k = 0, c = 0; k < m; k++)
                if (k != i)
                    columns[c++] = columns_of[k];
            zw_expr cofactor = minor_of(ctx, n, A, m - 1, rows, columns);
            if ((i + j) % 2)
                cofactor = zw_neg(ctx, cofactor);
            out[columns_of[i] * n + rows_of[j]] = zw_div(ctx, cofactor, determinant);
        }
    return true;
}

/* gives rows and columns that are coupled by a nonzero entry the same label */
static void label_blocks(int n, const zw_expr *A, int *row_label, int *column_label) {
    for (int i = 0; i < n; i++) {
        row_label[i] = i;
        column_label[i] = n + i;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                if (A[i * n + j] == ZW_ZERO || row_label[i] == column_label[j])
                    continue;
                int low = row_label[i] < column_label[j] ? row_label[i] : column_label[j];
                row_label[i] = column_label[j] = low;
                changed = true;
            }
    }
}

static bool invert_matrix(zw_context *ctx, int n, const zw_expr *A, zw_expr *out) {
    int *row_label = ZW_SCRATCH_NEW(ctx, int, n), *column_label = ZW_SCRATCH_NEW(ctx, int, n);
    if (!row_label || !column_label)
        return false;
    for (int i = 0; i < n * n; i++)
        out[i] = ZW_ZERO;
    label_blocks(n, A, row_label, column_label);
    for (int label = 0; label < n; label++) {
        int rows[6], columns[6], nr = 0, nc = 0;
        for (int i = 0; i < n; i++) {
            if (row_label[i] == label && nr++ < 6)
                rows[nr - 1] = i;
            if (column_label[i] == label && nc++ < 6)
                columns[nc - 1] = i;
        }
        if (nr == 0 && nc == 0)
            continue;
        if (nr != nc || nr > 6 || !block_inverse(ctx, n, A, nr, rows, columns, out))
            return false;
    }
    return true;
}

bool zw_mech_inverse(zw_context *ctx, int n, const zw_expr *A, zw_expr *out) {
    zw_arena_mark mark = zw_scratch_mark(ctx);
    bool found = invert_matrix(ctx, n, A, out);
    zw_scratch_release(ctx, mark);
    return found;
}

zw_expr zw_mech_named(zw_context *ctx, const char *kind, const char *name) {
    size_t n = strlen(kind), m = strlen(name);
    zw_arena_mark mark = zw_scratch_mark(ctx);
    char *full = zw_scratch_alloc(ctx, n + m + 3);
    if (!full)
        return ZW_NULL;
    memcpy(full, kind, n);
    full[n] = '(';
    memcpy(full + n + 1, name, m);
    full[n + m + 1] = ')';
    zw_expr symbol = zw_symbol(ctx, full);
    zw_scratch_release(ctx, mark);
    return symbol;
}

bool zw_mech_is_multiplier(const zw_context *ctx, zw_expr e) {
    const char *name = zw_expr_name(ctx, e);
    return name && strncmp(name, "lambda(", 7) == 0;
}
