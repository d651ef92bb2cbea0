/* SPDX-License-Identifier: MIT */
/* Newton's method on the projections that say the law, r = projection of (r - u): semismooth, with a proximal term eps so that
 * redundant contacts need nothing special. With zeta = r - u of a contact:
 *
 *     open     zeta_N <= 0:                                    D = 0, c = -r
 *     closed   D_NN = 1/eps, c_N = -u_N/eps, and for each block
 *     stick    zeta_F in mu zeta_N C:                          D_FF = 1/eps, c_F = -u_F/eps
 *     slip     v = zeta_F - its projection, f = grad D(v), S = mu zeta_N Hess D(v), X = (1 + eps S)^-1:
 *              D_FF = X S,  D_FN = X mu f/eps,  c_F = X (-r_F + mu f (r_N + c_N) - S u_F)
 *     smooth   r_F = -mu r_N grad D_s(u_F), linearised.
 *
 * It converges fast from a good guess, and not from a bad one: the interior path or the impulses of the last step are
 * good ones. */
#include <math.h>
#include <string.h>

#include "solver.h"

typedef struct closed { /* a closed contact that is being linearised */
    const zw_contact_solver *s;
    int contact, m;
    const double *r, *u;
    double *D, *c;
    double zeta_N, eps;
} closed;

/* X = (1 + eps S)^-1 applied to the k columns of B (n x k) */
static void relax(int n, int k, double eps, const double *S, double *B) {
    double A[ZW_LAW_MAX * ZW_LAW_MAX];
    for (int i = 0; i < n * n; i++)
        A[i] = eps * S[i] + (i % (n + 1) == 0);
    for (int j = 0; j < n; j++)
        for (int i = j + 1; i < n; i++) {
            double f = A[i * n + j] / A[j * n + j];
            for (int l = j; l < n; l++)
                A[i * n + l] -= f * A[j * n + l];
            for (int l = 0; l < k; l++)
                B[i * k + l] -= f * B[j * k + l];
        }
    for (int i = n - 1; i >= 0; i--)
        for (int l = 0; l < k; l++) {
            for (int j = i + 1; j < n; j++)
                B[i * k + l] -= A[i * n + j] * B[j * k + l];
            B[i * k + l] /= A[i * n + i];
        }
}

static void stick(closed *k, int at, int n) {
    for (int a = at; a < at + n; a++) {
        k->D[a * k->m + a] = 1 / k->eps;
        k->c[a] = -k->u[a] / k->eps;
    }
}

static void slip(closed *k, const zw_friction *f, int at, const double *v) {
    int n = f->nrow;
    zw_law_support d;
    double S[ZW_LAW_MAX * ZW_LAW_MAX] = {0}, right[ZW_LAW_MAX * (ZW_LAW_MAX + 2)];
    zw_law_support_at(f, v, &d);
    for (int i = 0; i < n * n; i++)
        S[i] = f->mu * k->zeta_N * d.hessian[i];
    /* columns: S, mu f/eps, and what c is made of */
    for (int a = 0; a < n; a++) {
        double *row = right + a * (n + 2), along = 0;
        for (int b = 0; b < n; b++) {
            row[b] = S[a * n + b];
            along += S[a * n + b] * k->u[at + b];
        }
        row[n] = f->mu * d.gradient[a] / k->eps;
        row[n + 1] = -k->r[at + a] + f->mu * d.gradient[a] * (k->r[0] + k->c[0]) - along;
    }
    relax(n, n + 2, k->eps, S, right);
    for (int a = 0; a < n; a++) {
        const double *row = right + a * (n + 2);
        for (int b = 0; b < n; b++)
            k->D[(at + a) * k->m + at + b] = row[b];
        k->D[(at + a) * k->m] = row[n];
        k->c[at + a] = row[n + 1];
    }
}

/* D_s = D - eps log(1 + D/eps): its gradient is that of D times D/(D + eps) */
static void creep(closed *k, const zw_friction *f, int at, double smooth) {
    int n = f->nrow;
    const double *u = k->u + at;
    zw_law_support d = {0};
    zw_law_gauge rest;
    double zero[ZW_LAW_MAX] = {0};
    bool moves = false;
    for (int a = 0; a < n; a++)
        moves |= u[a] != 0;
    if (moves)
        zw_law_support_at(f, u, &d);
    else
        zw_law_gauge_at(f, zero, &rest);
    double part = d.D / (d.D + smooth), bend = smooth / ((d.D + smooth) * (d.D + smooth));
    for (int a = 0; a < n; a++) {
        double slope = f->mu * part * d.gradient[a];
        for (int b = 0; b < n; b++)
            k->D[(at + a) * k->m + at + b] =
                f->mu * fmax(k->r[0], 0) *
                (moves ? part * d.hessian[a * n + b] + bend * d.gradient[a] * d.gradient[b]
                       : rest.B[a * n + b] / smooth);
        k->D[(at + a) * k->m] = -slope * k->D[0];
        k->c[at + a] = -k->r[at + a] - slope * (k->r[0] + k->c[0]);
    }
}

static void linearise_block(closed *k, const zw_friction *f, int at) {
    double zeta[ZW_LAW_MAX], near[ZW_LAW_MAX], smooth = zw_contact_smoothing(k->s, k->contact, f);
    if (f->kind == ZW_FRICTION_LINEAR || !(f->mu > 0)) {
        double damping =
            f->kind == ZW_FRICTION_LINEAR ? zw_contact_damping(k->s, k->contact, f) : 0;
        for (int a = at; a < at + f->nrow; a++) {
            k->D[a * k->m + a] = damping;
            k->c[a] = -k->r[a] - damping * k->u[a];
        }
        return;
    }
    if (smooth > 0) {
        creep(k, f, at, smooth);
        return;
    }
    for (int a = 0; a < f->nrow; a++)
        zeta[a] = k->r[at + a] - k->u[at + a];
    if (!zw_law_nearest(f, f->mu * k->zeta_N, zeta, near)) {
        stick(k, at, f->nrow);
        return;
    }
    for (int a = 0; a < f->nrow; a++)
        zeta[a] -= near[a];
    slip(k, f, at, zeta);
}

static void linearise(zw_contact_solver *s, double eps) {
    memset(s->D, 0, sizeof *s->D * (size_t)s->square[s->problem->ncontact]);
    for (int i = 0; i < s->problem->ncontact; i++) {
        const zw_contact_law *law = &s->problem->law[i];
        closed k = {.s = s,
                    .contact = i,
                    .m = zw_contact_rows(s, i),
                    .r = s->r + s->row[i],
                    .u = s->u + s->row[i],
                    .D = s->D + s->square[i],
                    .c = s->c + s->row[i],
                    .eps = eps};
        k.zeta_N = k.r[0] - k.u[0];
        if (k.zeta_N <= 0) {
            for (int a = 0; a < k.m; a++)
                k.c[a] = -k.r[a];
            continue;
        }
        k.D[0] = 1 / eps;
        k.c[0] = -k.u[0] / eps;
        for (int b = 0, at = 1; b < law->nblock; at += law->block[b++].nrow)
            linearise_block(&k, &law->block[b], at);
    }
}

double zw_contact_newton(zw_contact_solver *s, double eps, double tolerance, int most, int patience,
                         int *steps) {
    double best = zw_contact_judge(s, s->r);
    size_t bytes = sizeof *s->r * (size_t)s->nrow;
    memcpy(s->best, s->r, bytes);
    memset(s->rd, 0, sizeof *s->rd * (size_t)s->ncol);
    memset(s->rp, 0, bytes);
    for (int step = 0, since = 0; step < most && since < patience && best > tolerance; step++) {
        linearise(s, eps);
        if (!zw_contact_matrix_factor(s))
            break;
        zw_contact_matrix_step(s);
        for (int k = 0; k < s->nrow; k++)
            s->r[k] += s->dr[k];
        double residual = zw_contact_judge(s, s->r);
        ++*steps;
        since = residual < 0.9 * best ? 0 : since + 1;
        if (!isfinite(residual))
            break;
        if (residual < best) {
            best = residual;
            memcpy(s->best, s->r, bytes);
        }
    }
    return best;
}
