/* SPDX-License-Identifier: MIT */
/* Newton's method on the projections that express the law, r = projection of (r - u): semismooth,
 * with a proximal term eps so that redundant contacts need no special treatment. With zeta = r - u
 * of a contact:
 *
 *     open     zeta_N <= 0:                                    D = 0, c = -r
 *     closed   D_NN = 1/eps, c_N = -u_N/eps, and for each block
 *     stick    zeta_F in mu zeta_N C:                          D_FF = 1/eps, c_F = -u_F/eps
 *     slip     v = zeta_F - its projection, f = grad D(v), S = mu zeta_N Hess D(v), X = (1 + eps
 *              S)^-1:
 *              D_FF = X S,  D_FN = X mu f/eps,  c_F = X (-r_F + mu f (r_N + c_N) - S u_F)
 *     smooth   r_F = -mu r_N grad D_s(u_F), linearised at v with -mu zeta_N grad D_s(v) = zeta_F +
 *              v
 *
 * It converges fast from a good guess and fails from a bad one; the interior path and the impulses
 * of the last step give good ones. */
#include <math.h>
#include <string.h>

#include "kernels.h"
#include "solver.h"

enum { REFINEMENTS = 1 };

typedef struct closed { /* a closed contact that is being linearised */
    const zw_contact_solver *s;
    int contact, m;
    const double *r, *u;
    double *D, *c;
    double zeta_N, eps;
} closed;

/* X = (1 + eps S)^-1 applied to the k columns of B (n x k) */
static void apply_resolvent(int n, int k, double eps, const double *S, double *B) {
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

static void linearise_stick(closed *k, int at, int n) {
    for (int a = at; a < at + n; a++) {
        k->D[a * k->m + a] = 1 / k->eps;
        k->c[a] = -k->u[a] / k->eps;
    }
}

static void linearise_slip(closed *k, const zw_friction *f, int at, const double *v) {
    int n = f->nrow;
    zw_law_support d;
    double S[ZW_LAW_MAX * ZW_LAW_MAX] = {0}, right[ZW_LAW_MAX * (ZW_LAW_MAX + 2)];
    zw_law_support_at(f, v, &d);
    for (int i = 0; i < n * n; i++)
        S[i] = f->mu * k->zeta_N * d.hessian[i];
    /* columns: S, mu f/eps, and the terms of c */
    for (int a = 0; a < n; a++) {
        double *row = right + a * (n + 2), along = 0;
        for (int b = 0; b < n; b++) {
            row[b] = S[a * n + b];
            along += S[a * n + b] * k->u[at + b];
        }
        row[n] = f->mu * d.gradient[a] / k->eps;
        row[n + 1] = -k->r[at + a] + f->mu * d.gradient[a] * (k->r[0] + k->c[0]) - along;
    }
    apply_resolvent(n, n + 2, k->eps, S, right);
    for (int a = 0; a < n; a++) {
        const double *row = right + a * (n + 2);
        for (int b = 0; b < n; b++)
            k->D[(at + a) * k->m + at + b] = row[b];
        k->D[(at + a) * k->m] = row[n];
        k->c[at + a] = row[n + 1];
    }
}

/* D_s = D - smooth log(1 + D/smooth): its gradient is that of D times D/(D + smooth). Linearised
 * where the law meets r - u = zeta, at the slip v = r' - zeta of its force r', not at u: where the
 * force may be quite different. */
static void linearise_creep(closed *k, const zw_friction *f, int at, double smooth) {
    static const double one[ZW_LAW_MAX] = {1, 1, 1}, zero[ZW_LAW_MAX] = {0};
    int n = f->nrow;
    zw_law_support d = {0};
    zw_law_gauge rest;
    double zeta[ZW_LAW_MAX], v[ZW_LAW_MAX];
    bool moves = false;
    for (int a = 0; a < n; a++)
        zeta[a] = k->r[at + a] - k->u[at + a];
    zw_law_resolve(f, f->mu * k->zeta_N, smooth, one, zeta, v);
    for (int a = 0; a < n; a++) {
        v[a] -= zeta[a];
        moves |= v[a] != 0;
    }
    if (moves)
        zw_law_support_at(f, v, &d);
    else
        zw_law_gauge_at(f, zero, &rest);
    double part = d.D / (d.D + smooth), bend = smooth / ((d.D + smooth) * (d.D + smooth));
    for (int a = 0; a < n; a++) {
        double slope = f->mu * part * d.gradient[a], *D = k->D + (at + a) * k->m,
               *c = k->c + at + a;
        *c = -k->r[at + a] - slope * (k->r[0] + k->c[0]);
        D[0] = -slope * k->D[0];
        for (int b = 0; b < n; b++) {
            D[at + b] = f->mu * k->zeta_N *
                        (moves ? part * d.hessian[a * n + b] + bend * d.gradient[a] * d.gradient[b]
                               : rest.B[a * n + b] / smooth);
            *c -= D[at + b] * (k->u[at + b] - v[b]);
        }
    }
}

/* friction that does not depend on r_N */
static void linearise_damping(closed *k, const zw_friction *f, int at) {
    double damping = f->kind == ZW_FRICTION_LINEAR ? zw_contact_damping(k->s, k->contact, f) : 0;
    for (int a = at; a < at + f->nrow; a++) {
        k->D[a * k->m + a] = damping;
        k->c[a] = -k->r[a] - damping * k->u[a];
    }
}

static void linearise_block(closed *k, const zw_friction *f, int at) {
    double zeta[ZW_LAW_MAX], near[ZW_LAW_MAX], smooth = zw_contact_smoothing(k->s, k->contact, f);
    if (f->kind == ZW_FRICTION_LINEAR || !(f->mu > 0)) {
        linearise_damping(k, f, at);
        return;
    }
    if (smooth > 0) {
        linearise_creep(k, f, at, smooth);
        return;
    }
    for (int a = 0; a < f->nrow; a++)
        zeta[a] = k->r[at + a] - k->u[at + a];
    if (!zw_law_nearest(f, f->mu * k->zeta_N, zeta, near)) {
        linearise_stick(k, at, f->nrow);
        return;
    }
    for (int a = 0; a < f->nrow; a++)
        zeta[a] -= near[a];
    linearise_slip(k, f, at, zeta);
}

static void linearise_open(int m, const double *r, double *D, double *c) {
    memset(D, 0, sizeof *D * (size_t)(m * m));
    for (int a = 0; a < m; a++)
        c[a] = -r[a];
}

/* Coulomb in the plane, written out: with d = zeta_T/|zeta_T|, lam = |v|/(mu zeta_N) and Q = 1 - d
 * d', D_TN = mu d/eps, D_TT = Q/(lam + eps), c_T = mu d c_N + d (mu r_N - d.r_T) - Q (u_T + lam
 * r_T)/(lam + eps) */
static void linearise_disc(double mu, double over, const double *r, const double *u, double *D,
                           double *c) {
    double N = r[0] - u[0], x = r[1] - u[1], y = r[2] - u[2], t = sqrt(x * x + y * y);
    if (N <= 0) {
        linearise_open(3, r, D, c);
        return;
    }
    D[0] = over;
    D[1] = D[2] = 0;
    c[0] = -u[0] * over;
    if (t <= mu * N) {
        D[4] = D[8] = over;
        D[3] = D[5] = D[6] = D[7] = 0;
        c[1] = -u[1] * over;
        c[2] = -u[2] * over;
        return;
    }
    double lam = (t - mu * N) / (mu * N), soft = 1 / (lam + 1 / over);
    x /= t;
    y /= t;
    double a = u[1] + lam * r[1], b = u[2] + lam * r[2], along = x * a + y * b,
           rest = mu * (r[0] + c[0]) - (x * r[1] + y * r[2]);
    D[3] = mu * x * over;
    D[6] = mu * y * over;
    D[4] = y * y * soft;
    D[5] = D[7] = -x * y * soft;
    D[8] = x * x * soft;
    c[1] = x * rest - (a - along * x) * soft;
    c[2] = y * rest - (b - along * y) * soft;
}

static void linearise_any(const zw_contact_solver *s, int i, double eps) {
    const zw_contact_law *law = &s->problem->law[i];
    closed k = {.s = s,
                .contact = i,
                .m = zw_contact_rows(s, i),
                .r = s->r + s->row[i],
                .u = s->made + s->row[i],
                .D = s->D + s->square[i],
                .c = s->c + s->row[i],
                .eps = eps};
    k.zeta_N = k.r[0] - k.u[0];
    linearise_open(k.m, k.r, k.D, k.c);
    bool open = k.zeta_N <= 0;
    if (!open) {
        k.D[0] = 1 / eps;
        k.c[0] = -k.u[0] / eps;
    }
    for (int b = 0, at = 1; b < law->nblock; at += law->block[b++].nrow)
        if (!open)
            linearise_block(&k, &law->block[b], at);
        else if (law->block[b].kind == ZW_FRICTION_LINEAR)
            linearise_damping(&k, &law->block[b], at);
}

void zw_contact_linearise(zw_contact_solver *s, double eps) {
    for (int i = 0; i < s->ncontact; i++) {
        int row = s->row[i];
        if (s->disc[i])
            linearise_disc(s->problem->law[i].block[0].mu, 1 / eps, s->r + row, s->made + row,
                           s->D + s->square[i], s->c + row);
        else
            linearise_any(s, i, eps);
    }
}

double zw_contact_newton(zw_contact_solver *s, double eps, double tolerance, int most, int patience,
                         int *steps) {
    double best = zw_contact_scaled_residual(s, s->r);
    size_t bytes = sizeof *s->r * (size_t)s->nrow;
    memcpy(s->best, s->r, bytes);
    memset(s->rd, 0, sizeof *s->rd * (size_t)s->ncol);
    memset(s->rp, 0, bytes);
    for (int step = 0, since = 0; step < most && since < patience && best > tolerance; step++) {
        zw_contact_linearise(s, eps);
        if (!zw_contact_matrix_factor(s))
            break;
        zw_contact_matrix_step(s, REFINEMENTS);
        for (int k = 0; k < s->nrow; k++)
            s->r[k] += s->dr[k];
        double residual = zw_contact_scaled_residual(s, s->r);
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
