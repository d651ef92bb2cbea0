/* SPDX-License-Identifier: MIT */
#include "subspace.h"

#include <math.h>
#include <string.h>

bool zw_subspace_init(zw_subspace *out, zw_context *ctx, int n) {
    *out = (zw_subspace){.n = n};
    out->basis = ZW_CONTEXT_NEW(ctx, double, n *n);
    out->rest = ZW_CONTEXT_NEW(ctx, double, n);
    return out->basis && out->rest;
}

double zw_length(int n, const double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

double zw_subspace_outside(zw_subspace *s, const double *x) {
    memcpy(s->rest, x, (size_t)s->n * sizeof *x);
    /* twice: the second pass removes the round-off of the first */
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < s->rank; k++) {
            const double *e = s->basis + (size_t)k * (size_t)s->n;
            double part = 0;
            for (int i = 0; i < s->n; i++)
                part += e[i] * s->rest[i];
            for (int i = 0; i < s->n; i++)
                s->rest[i] -= part * e[i];
        }
    return zw_length(s->n, s->rest);
}

void zw_subspace_take(zw_subspace *s) {
    double length = zw_length(s->n, s->rest);
    if (s->rank == s->n || !(length > 0))
        return;
    for (int i = 0; i < s->n; i++)
        s->basis[s->rank * s->n + i] = s->rest[i] / length;
    s->rank++;
}

bool zw_subspace_add(zw_subspace *s, const double *x, double tolerance) {
    double length = zw_length(s->n, x);
    if (s->rank == s->n || !(zw_subspace_outside(s, x) > tolerance * length))
        return false;
    zw_subspace_take(s);
    return true;
}

bool zw_eliminate(int n, double least, double *A, double *b) {
    for (int i = 0; i < n; i++) {
        int best = i;
        for (int r = i + 1; r < n; r++)
            if (fabs(A[r * n + i]) > fabs(A[best * n + i]))
                best = r;
        if (!(fabs(A[best * n + i]) > least))
            return false;
        for (int k = 0; k < n; k++) {
            double swap = A[i * n + k];
            A[i * n + k] = A[best * n + k];
            A[best * n + k] = swap;
        }
        double swap = b[i];
        b[i] = b[best];
        b[best] = swap;
        for (int r = i + 1; r < n; r++) {
            double factor = A[r * n + i] / A[i * n + i];
            for (int k = i; k < n; k++)
                A[r * n + k] -= factor * A[i * n + k];
            b[r] -= factor * b[i];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            b[i] -= A[i * n + k] * b[k];
        b[i] /= A[i * n + i];
    }
    return true;
}
