/* SPDX-License-Identifier: MIT */
/* Orbits that close up to symmetries, and orbits in families.
 *
 * Where x -> exp(theta A) x, A_g x = L_g x + b_g, g = 1 .. G, maps motions to motions, an orbit may
 * come back transformed by it,
 *
 *     u_0 = y(theta),      y(theta) = exp(-sum theta_g A_g) S (u_N - w),
 *
 * and then all its images are orbits. With D^-1 the sizes of the state, let W be an orthonormal
 * basis of D A_g v_0 at the reference v. Then theta is determined by the condition that the closing
 * residual r = D (u_0 - y(theta)) has no part in W, and in place of that part the beginning is
 * fixed,
 *
 *     (1 - W W') r + W W' D (u_0 - v_0) = 0.
 *
 * A change of u_N changes theta, so that with X_g = D A_g y the matrix of r is (1 - X (W'X)^-1 W')
 * D (du_0 - S_theta du_N), exact where the A_g commute, and at the solution in any case.
 *
 * If there are k further integrals I of motion, r has no part along their gradients to first order,
 * for any u_0, and the orbits form a family of k dimensions: the complete matrix has left null
 * vectors, whose closing parts are w_l, and right ones, whose parts of u_0 are p_l. The first are
 * left out of the equations, and the second determine the member of the family:
 *
 *     r - sum_l w_l (w_l.r) + sum_l w_l p_l.D (u_0 - v_0) = 0.
 *
 * The w_l are the gradients of the integrals: with them in place of the p_l, the member is the one
 * whose integrals have the values at v_0. The part that was left out, w_l.r, must be zero at the
 * solution: then the orbit closes, and the family is one. Neither changes the unknowns.
 *
 * F. J. Munoz-Almaraz, E. Freire, J. Galan, E. Doedel, A. Vanderbauwhede, Physica D 181 (2003)
 * 1-38; C. Wulff, A. Schebesch, J. Nonlinear Sci. 18 (2008) 343-390. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "collocation.h"
#include "num/linear/dense.h"
#include "num/linear/linalg.h"

enum { TURNS = 40, TERMS = 14 };

/* Relative to the sizes: parts of r in W at which the iteration for theta ends, 45 eps. If it
 * cannot reach that, it ends when parts below THETA_NEWTON no longer decrease. */
#define THETA_CONVERGED 1e-14
#define THETA_NEWTON ZW_NEWTON
/* Ratio of pivots of w_l.p_m: below, the integrals do not determine the member of the family. */
#define INTEGRALS_PIVOT 1e-6
/* Relative to the size of the orbit: a shorter vector has no direction, but round-off. */
#define DIRECTION_MIN ZW_ROUNDOFF_SOLVED
/* Norm up to which TERMS terms of the exponential series are exact: 0.25^15/15! is below eps. */
#define TAYLOR_NORM 0.25

/* ------------------------------------------------------------------------------------ the group */

void zw_affine_exp(int n, int ngroup, const double *L, const double *b, const double *theta,
                   double by, double *E, double *work) {
    int m = n + 1;
    double *A = work, *power = A + (size_t)(m * m), *next = power + (size_t)(m * m), norm = 0;
    memset(A, 0, sizeof(double) * (size_t)(m * m));
    for (int g = 0; g < ngroup; g++)
        for (int r = 0; r < n; r++) {
            for (int k = 0; k < n; k++)
                A[r * m + k] += by * theta[g] * L[(g * n + r) * n + k];
            A[r * m + n] += by * theta[g] * b[g * n + r];
        }
    for (int r = 0; r < n; r++) { /* norm of the linear part alone: shifts are nilpotent */
        double sum = 0;
        for (int k = 0; k < n; k++)
            sum += fabs(A[r * m + k]);
        norm = fmax(norm, sum);
    }
    int squares = 0;
    while (norm > TAYLOR_NORM && squares < 60) {
        norm *= 0.5;
        squares++;
    }
    for (int i = 0; i < m * m; i++) {
        A[i] = ldexp(A[i], -squares);
        E[i] = power[i] = i % (m + 1) == 0;
    }
    for (int t = 1; t <= TERMS; t++) {
        zw_dense_multiply(m, m, m, power, A, next);
        for (int i = 0; i < m * m; i++) {
            power[i] = next[i] / t;
            E[i] += power[i];
        }
    }
    for (int s = 0; s < squares; s++) {
        zw_dense_multiply(m, m, m, E, E, next);
        memcpy(E, next, sizeof(double) * (size_t)(m * m));
    }
}

/* y = E x, affine */
static void apply_affine(int n, const double *E, const double *x, double *y) {
    for (int r = 0; r < n; r++) {
        y[r] = E[r * (n + 1) + n];
        for (int k = 0; k < n; k++)
            y[r] += E[r * (n + 1) + k] * x[k];
    }
}

/* A_g y */
static void evaluate_field(const zw_colloc *c, int g, const double *y, double *out) {
    int n = c->nx;
    const zw_colloc_modulo *o = &c->modulo;
    for (int r = 0; r < n; r++) {
        out[r] = o->b[g * n + r];
        for (int k = 0; k < n; k++)
            out[r] += o->L[(g * n + r) * n + k] * y[k];
    }
}

/* S and w with theta */
static void set_map(zw_colloc *c) {
    int n = c->nx, m = n + 1;
    zw_colloc_modulo *o = &c->modulo;
    double *back = o->E + (size_t)(m * m), *out = o->work;
    for (int r = 0; r < n; r++) /* E_L S */
        for (int k = 0; k < n; k++) {
            double sum = 0;
            for (int l = 0; l < n; l++)
                sum += o->E[r * m + l] * o->map[l * n + k];
            c->map[r * n + k] = sum;
        }
    /* E_L (S (u - w)) + E_b = E_L S (u - w - S^-1 s), where exp(theta A) 0 = -s */
    zw_affine_exp(n, o->ngroup, o->L, o->b, o->theta, 1, back, out);
    for (int r = 0; r < n; r++)
        out[r] = -back[r * m + n];
    double *S = out + n;
    int *pivot = o->pivot;
    memcpy(S, o->map, sizeof(double) * (size_t)(n * n));
    zw_num_lu(n, S, pivot);
    zw_num_lu_solve(n, S, pivot, 1, out);
    for (int r = 0; r < n; r++)
        c->turn[r] = o->turn[r] - out[r];
}

static void set_theta(zw_colloc *c) {
    zw_colloc_modulo *o = &c->modulo;
    zw_affine_exp(c->nx, o->ngroup, o->L, o->b, o->theta, -1, o->E, o->work);
}

/* the entries that the symmetries move; none if they move all, which then have equal weights */
static void note_moved(zw_colloc *c) {
    zw_colloc_modulo *o = &c->modulo;
    int n = c->nx, others = 0;
    for (int r = 0; r < n; r++) {
        o->moved[r] = false;
        for (int g = 0; g < o->ngroup; g++) {
            o->moved[r] |= o->b[g * n + r] != 0;
            for (int k = 0; k < n; k++)
                o->moved[r] |= o->L[(g * n + r) * n + k] != 0;
        }
        others += !o->moved[r] && !c->ignorable[r];
    }
    for (int r = 0; r < n && others == 0; r++)
        o->moved[r] = false;
}

zw_status zw_colloc_modulo_make(zw_colloc *c, const zw_colloc_options *options, zw_error *err) {
    int n = c->nx, G = options->generators, m = n + 1;
    zw_colloc_modulo *o = &c->modulo;
    zw_arena *a = &c->arena;
    o->ngroup = G;
    o->L = ZW_NEW(a, double, G *n *n + 1);
    o->b = ZW_NEW(a, double, G *n + 1);
    o->theta = ZW_NEW(a, double, G + 1);
    o->moved = ZW_NEW(a, bool, n + 1);
    o->map = ZW_NEW(a, double, n *n + 1);
    o->turn = ZW_NEW(a, double, n + 1);
    o->W = ZW_NEW(a, double, G *n + 1);
    o->X = ZW_NEW(a, double, G *n + 1);
    o->E = ZW_NEW(a, double, 2 * m * m + 1);
    o->work = ZW_NEW(a, double, 3 * m * m + 4 * m + G * (G + 1) + 1);
    o->pivot = ZW_NEW(a, int, n + G + 1);
    o->drop = ZW_NEW(a, double, n *n + 1);
    o->pin = ZW_NEW(a, double, n *n + 1);
    o->leftover = ZW_NEW(a, double, n + 1);
    o->last = ZW_NEW(a, double, (2 * n + c->nb) * (2 * n + c->nb) + 1);
    if (a->failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < n * n; i++)
        o->map[i] = c->map[i];
    for (int i = 0; i < n; i++)
        o->turn[i] = c->turn[i];
    for (int g = 0; g < G; g++) /* ignorable coordinates need not come back */
        for (int r = 0; r < n; r++) {
            bool counts = !c->ignorable[r];
            o->b[g * n + r] = counts ? options->generator_shift[g * n + r] : 0;
            for (int k = 0; k < n; k++)
                o->L[(g * n + r) * n + k] =
                    counts && !c->ignorable[k] ? options->generator_matrix[(g * n + r) * n + k] : 0;
        }
    note_moved(c);
    for (int g = 0; g < G && options->theta; g++)
        o->theta[g] = options->theta[g];
    if (G) {
        set_theta(c);
        set_map(c);
    }
    return ZW_OK;
}

/* orthonormalises rows; false if one depends on those before it */
static bool orthonormalise_rows(int m, int n, double *rows) {
    for (int i = 0; i < m; i++) {
        double *v = rows + (size_t)(i * n), before = zw_dense_norm(n, v);
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < i; k++) {
                const double *u = rows + (size_t)(k * n);
                double dot = 0;
                for (int r = 0; r < n; r++)
                    dot += u[r] * v[r];
                for (int r = 0; r < n; r++)
                    v[r] -= dot * u[r];
            }
        double size = zw_dense_norm(n, v);
        if (!(size > DIRECTION_MIN * before) || !(size > DIRECTION_MIN))
            return false;
        for (int r = 0; r < n; r++)
            v[r] /= size;
    }
    return true;
}

zw_status zw_colloc_modulo_refer(zw_colloc *c, zw_error *err) {
    zw_colloc_modulo *o = &c->modulo;
    for (int g = 0; g < o->ngroup; g++) {
        double *w = o->W + (size_t)(g * c->nx);
        evaluate_field(c, g, c->v, w);
        for (int r = 0; r < c->nx; r++)
            w[r] *= c->inverse[r];
    }
    return orthonormalise_rows(o->ngroup, c->nx, o->W)
               ? ZW_OK
               : zw_fail(err, ZW_E_NUMERIC,
                         "a symmetry does not move the orbit where it begins: it cannot close "
                         "but for it");
}

/* X_g of y */
static void find_fields(zw_colloc *c, const double *y) {
    int n = c->nx;
    zw_colloc_modulo *o = &c->modulo;
    double *work = o->work;
    for (int g = 0; g < o->ngroup; g++) {
        double *X = o->X + (size_t)(g * n);
        evaluate_field(c, g, y, work);
        for (int r = 0; r < n; r++) {
            X[r] = c->has_manifold ? 0 : work[r];
            for (int k = 0; c->has_manifold && k < n; k++)
                X[r] += c->projector[r * n + k] * work[k];
            X[r] *= c->inverse[r];
        }
    }
}

/* b (G x columns) <- (W'X)^-1 b; false if singular */
static bool solve_small(zw_colloc *c, int columns, double *b) {
    int n = c->nx, G = c->modulo.ngroup;
    zw_colloc_modulo *o = &c->modulo;
    double *A = o->work;
    for (int i = 0; i < G; i++)
        for (int g = 0; g < G; g++) {
            A[i * G + g] = 0;
            for (int r = 0; r < n; r++)
                A[i * G + g] += o->W[i * n + r] * o->X[g * n + r];
        }
    if (!(zw_num_lu(G, A, o->pivot) > zw_num_pivot_floor(G)))
        return false;
    zw_num_lu_solve(G, A, o->pivot, columns, b);
    return true;
}

void zw_colloc_modulo_end(zw_colloc *c, const double *u_N, double *base, double *y) {
    int n = c->nx;
    zw_colloc_modulo *o = &c->modulo;
    for (int r = 0; r < n; r++) {
        base[r] = 0;
        for (int k = 0; k < n; k++)
            base[r] += o->map[r * n + k] * (u_N[k] - o->turn[k]);
    }
    apply_affine(n, o->E, base, y);
}

zw_status zw_colloc_modulo_find_theta(zw_colloc *c, const double *base, double *y, double *e) {
    int n = c->nx, G = c->modulo.ngroup;
    zw_colloc_modulo *o = &c->modulo;
    double *part = o->work + 3 * (n + 1) * (n + 1), *moved = part + G, least = INFINITY;
    for (int i = 0; i < TURNS; i++) {
        double worst = 0;
        for (int g = 0; g < G; g++) {
            part[g] = 0;
            for (int r = 0; r < n; r++)
                part[g] -= o->W[g * n + r] * e[r] * c->inverse[r];
            worst = fmax(worst, fabs(part[g]));
        }
        find_fields(c, y);
        if (worst <= THETA_CONVERGED || (i > 3 && worst >= least && worst < THETA_NEWTON)) {
            set_map(c);
            return ZW_OK;
        }
        least = fmin(least, worst);
        if (!solve_small(c, 1, part))
            return ZW_RETRY;
        for (int g = 0; g < G; g++)
            o->theta[g] += part[g];
        set_theta(c);
        memcpy(moved, y, sizeof(double) * (size_t)n);
        apply_affine(n, o->E, base, y);
        for (int r = 0; r < n; r++) /* of u_0 - Q y - (1 - Q) M(u_0) */
            moved[r] -= y[r];
        for (int r = 0; r < n; r++) {
            double sum = c->has_manifold ? 0 : moved[r];
            for (int k = 0; c->has_manifold && k < n; k++)
                sum += c->projector[r * n + k] * moved[k];
            e[r] += sum;
            if (!isfinite(e[r]))
                return ZW_RETRY;
        }
    }
    return ZW_RETRY;
}

/* -------------------------------------------------------------------------- residual and matrix */

void zw_colloc_modulo_residual(zw_colloc *c, const double *u, double *r) {
    int n = c->nx;
    zw_colloc_modulo *o = &c->modulo;
    for (int g = 0; g < o->ngroup; g++) {
        const double *w = o->W + (size_t)(g * n);
        double part = 0;
        for (int k = 0; k < n; k++)
            part += w[k] * (c->inverse[k] * (u[k] - c->v[k]) - r[k]);
        for (int k = 0; k < n; k++)
            r[k] += part * w[k];
    }
    for (int l = 0; l < o->nfree; l++) {
        const double *w = o->drop + (size_t)(l * n), *p = o->pin + (size_t)(l * n);
        double gone = 0, held = 0;
        for (int k = 0; k < n; k++) {
            gone += w[k] * r[k];
            held += p[k] * c->inverse[k] * (u[k] - c->v[k]);
        }
        o->leftover[l] = gone;
        for (int k = 0; k < n; k++)
            r[k] += (held - gone) * w[k];
    }
}

/* rows of M (n x width) in u_0, u_N, P, a: M += D^-1 w (f - w'D M), where f (n) is a row in the
 * scaled u_0 */
static void replace_rows(const zw_colloc *c, const double *take, const double *w, const double *f,
                         double *M, int width) {
    int n = c->nx;
    for (int k = 0; k < width; k++) {
        double sum = k < n ? f[k] * c->inverse[k] : 0;
        for (int r = 0; r < n; r++)
            sum -= take[r] * c->inverse[r] * M[r * width + k];
        for (int r = 0; r < n; r++)
            M[r * width + k] += c->scale[r] * w[r] * sum;
    }
}

bool zw_colloc_modulo_rows(zw_colloc *c, double *M, int width) {
    int n = c->nx, G = c->modulo.ngroup;
    zw_colloc_modulo *o = &c->modulo;
    double *part = o->work + 3 * (n + 1) * (n + 1);
    for (int k = 0; G && k < width; k++) { /* 1 - X (W'X)^-1 W' */
        for (int g = 0; g < G; g++) {
            part[g] = 0;
            for (int r = 0; r < n; r++)
                part[g] += o->W[g * n + r] * c->inverse[r] * M[r * width + k];
        }
        if (!solve_small(c, 1, part))
            return false;
        for (int g = 0; g < G; g++)
            for (int r = 0; r < n; r++)
                M[r * width + k] -= c->scale[r] * o->X[g * n + r] * part[g];
    }
    for (int g = 0; g < G; g++) /* W'D M is zero by now */
        replace_rows(c, o->W + (size_t)(g * n), o->W + (size_t)(g * n), o->W + (size_t)(g * n), M,
                     width);
    for (int l = 0; l < o->nfree; l++)
        replace_rows(c, o->drop + (size_t)(l * n), o->drop + (size_t)(l * n),
                     o->pin + (size_t)(l * n), M, width);
    return true;
}

/* ------------------------------------------------------------------------------------- families */

/* scales the last matrix by the sizes of the state, and its other rows and columns to
 * unit length */
static void balance_matrix(zw_colloc *c, double *M) {
    int n = c->nx, width = 2 * n + c->nb;
    for (int r = 0; r < width; r++)
        for (int k = 0; k < 2 * n; k++)
            M[r * width + k] *= c->scale[k % n] * (r >= n && r < 2 * n ? c->inverse[r - n] : 1);
    for (int r = n; r < 2 * n; r++)
        for (int k = 2 * n; k < width; k++)
            M[r * width + k] *= c->inverse[r - n];
    for (int r = 0; r < width; r++) {
        double size = r >= n && r < 2 * n ? 0 : zw_dense_norm(width, M + (size_t)(r * width));
        for (int k = 0; k < width && size > 0; k++)
            M[r * width + k] /= size;
    }
    for (int k = 2 * n; k < width; k++) {
        double sum = 0;
        for (int r = 0; r < width; r++)
            sum += M[r * width + k] * M[r * width + k];
        for (int r = 0; r < width && sum > 0; r++)
            M[r * width + k] /= sqrt(sum);
    }
}

void zw_colloc_keep_last(zw_colloc *c, bool keep) {
    c->modulo.keep = keep;
    if (keep)
        c->modulo.nfree = 0;
}

zw_status zw_colloc_find_family(zw_colloc *c, int k, double *singular, zw_error *err) {
    int n = c->nx, width = 2 * n + c->nb;
    zw_colloc_modulo *o = &c->modulo;
    zw_arena work;
    zw_arena_init(&work, &c->arena.alloc);
    double *M = ZW_NEW(&work, double, width *width + 1), *s = ZW_NEW(&work, double, width + 1),
           *V = ZW_NEW(&work, double, width *width + 1),
           *U = ZW_NEW(&work, double, width *width + 1);
    zw_status status = zw_arena_status(&work, err);
    if (status >= 0) {
        memcpy(M, o->last, sizeof(double) * (size_t)(width * width));
        balance_matrix(c, M);
        if (!zw_dense_svd(&work, width, width, M, s, V, U))
            status = zw_dense_failure(&work, err);
    }
    for (int i = 0; i < n && status >= 0; i++)
        singular[i] = s[width - 1 - i] / s[0];
    for (int l = 0; l < k && status >= 0; l++) {
        const double *u = U + (size_t)(width - 1 - l) * (size_t)width,
                     *v = V + (size_t)(width - 1 - l) * (size_t)width;
        memcpy(o->drop + (size_t)(l * n), u + n, sizeof(double) * (size_t)n);
        memcpy(o->pin + (size_t)(l * n), v, sizeof(double) * (size_t)n);
    }
    if (status >= 0 && !(orthonormalise_rows(k, n, o->drop) && orthonormalise_rows(k, n, o->pin)))
        status = zw_fail(err, ZW_E_NUMERIC,
                         "what an orbit of a family leaves open is not seen at "
                         "its beginning");
    if (status >= 0)
        o->nfree = k;
    zw_arena_clear(&work);
    return status;
}

zw_status zw_colloc_hold(zw_colloc *c, const double *state, zw_error *err) {
    int n = c->nx, k = c->modulo.nfree;
    zw_colloc_modulo *o = &c->modulo;
    double *pair = o->last,
           sum = 0; /* w_l.p_m: derivatives of the integrals along the free directions */
    for (int l = 0; l < k; l++)
        for (int m = 0; m < k; m++) {
            pair[l * k + m] = 0;
            for (int r = 0; r < n; r++)
                pair[l * k + m] += o->drop[l * n + r] * o->pin[m * n + r];
        }
    if (k > 0 && !(zw_num_lu(k, pair, o->pivot) > INTEGRALS_PIVOT))
        return ZW_RETRY;
    memcpy(o->pin, o->drop, sizeof(double) * (size_t)(k * n));
    memcpy(c->v, state, sizeof(double) * (size_t)n);
    for (int r = 0; r < n; r++)
        sum += c->v_rate[r] * c->v_rate[r] * c->scale[r] * c->scale[r];
    for (int i = 0; i < c->N * n; i++) /* the phase at the first node alone */
        c->phase_row[i] = i < n && sum > 0 ? c->v_rate[i] / sqrt(sum) : 0;
    return zw_colloc_modulo_refer(c, err);
}

double zw_colloc_leftover(const zw_colloc *c) {
    double worst = 0;
    for (int l = 0; l < c->modulo.nfree; l++)
        worst = fmax(worst, fabs(c->modulo.leftover[l]));
    return worst;
}

const double *zw_colloc_theta(const zw_colloc *c) {
    return c->modulo.theta;
}
