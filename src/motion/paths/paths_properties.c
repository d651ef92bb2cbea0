/* SPDX-License-Identifier: MIT */
/* Properties of a path: action, energies and momenta at its ends, a run from the same start, and
 * whether the action has a minimum there.
 *
 * Between two neighbouring nodes the motion is the only one near it, and the actions S_j(q_j,
 * q_j+1) of these pieces make the action of broken motions a function of the places q_1 .. q_N-1 of
 * the nodes. Its second derivative at the motion has as many negative directions as the second
 * variation of the action (M. Morse). It is block-tridiagonal; elimination node by node leaves at
 * node j
 *
 *     E_j = W(t_j; t_0) - W(t_j; t_j+1),      dP = W(t; s) dq   for disturbances with dq(s) = 0,
 *
 * with the momenta P = dL/dv; the number of negative directions is that of negative eigenvalues of
 * all E_j. dq are displacements that constraints on positions admit, with a basis at each node, and
 * dP is paired with them. A rotation of that basis, or velocities that are not rates of
 * coordinates, add the same to both terms. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "motion/floquet/variation.h"
#include "num/linear/dense.h"
#include "num/linear/linalg.h"
#include "paths.h"

/* Relative to the sizes: smallest singular value of the displacement at an end that is conjugate to
 * the beginning; and relative to the largest, displacements that the constraints do not admit. */
#define CONJUGATE 1e-6
/* Relative to the largest: singular values that are round-off (450 eps), of disturbances whose
 * displacements vanish. */
#define SINGULAR_ROUNDOFF ZW_ROUNDOFF_VALUE
/* Relative to E: largest skew part that errors of the disturbances explain; else the test fails. */
#define SKEW_MAX 1e-3

zw_status zw_paths_energies(zw_paths *s, double t, const double *x, double *T, double *V,
                            zw_error *err) {
    ZW_TRY(zw_flow_observables(s->flow, t, x, s->observed, err));
    *T = s->observed[s->e->kernel->nobs];
    *V = s->observed[s->e->kernel->nobs + 1];
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- action */

/* the integral of T - V, or of 2 T, by Gauss points */
static zw_status find_action(zw_paths *s, const zw_path_motion *m, zw_path_found *f,
                             zw_error *err) {
    const double *mesh = zw_colloc_mesh(m->c);
    double *x = s->work, T, V;
    zw_gauss rule;
    zw_gauss_init(&rule, s->options.stages);
    f->action = 0;
    for (int j = 0; j < zw_colloc_intervals(m->c); j++)
        for (int i = 0; i < rule.m; i++) {
            double h = mesh[j + 1] - mesh[j], tau = mesh[j] + rule.c[i] * h;
            zw_colloc_state(m->c, m->x, tau, x, NULL);
            ZW_TRY(zw_paths_energies(s, s->options.start + f->time * tau, x, &T, &V, err));
            f->action += f->time * h * rule.b[i] * (s->is_free ? 2 * T : T - V);
        }
    return ZW_OK;
}

/* P (nv), and its derivative in x (nv x nx; may be NULL) */
static zw_status evaluate_momenta(zw_paths *s, double t, const double *x, double *P, double *by,
                                  zw_error *err) {
    int nx = s->nx, nv = s->nv, at = s->nobs;
    ZW_TRY(zw_flow_observables(s->flow, t, x, s->observed, err));
    if (by)
        ZW_TRY(zw_flow_observables_jacobian(s->flow, t, x, s->observed_by, err));
    for (int k = 0; k < nv; k++) {
        P[k] = s->observed[at + k];
        for (int i = 0; by && i < nx; i++)
            by[k * nx + i] = s->observed_by[(at + k) * nx + i];
        for (int c = 0; c < s->nmu; c++) {
            int entry = s->nq + nv + c, W = at + nv + c * nv + k;
            P[k] -= x[entry] * s->observed[W];
            for (int i = 0; by && i < nx; i++)
                by[k * nx + i] -= x[entry] * s->observed_by[W * nx + i];
            if (by)
                by[k * nx + entry] -= s->observed[W];
        }
    }
    return ZW_OK;
}

static zw_status find_ends(zw_paths *s, zw_path_found *f, zw_error *err) {
    for (int e = 0; e < 2; e++) {
        int row = e ? f->rows - 1 : 0;
        double T, V, *P = ZW_NEW(&s->arena, double, s->nv + 1);
        const double *x = f->x + (size_t)(row * s->nx);
        if (!P)
            return zw_out_of_memory(err, NULL);
        ZW_TRY(zw_paths_energies(s, f->t[row], x, &T, &V, err));
        ZW_TRY(evaluate_momenta(s, f->t[row], x, P, NULL, err));
        f->energy[e] = T + V;
        f->momentum[e] = P;
    }
    return ZW_OK;
}

/* the largest distance from the end of a run from the same start */
static double run_misses(zw_paths *s, const zw_path_motion *m, const zw_path_found *f) {
    double worst = 0, *start = s->work;
    const double *last = f->x + (size_t)((f->rows - 1) * s->nx);
    memcpy(start, f->x, sizeof(double) * (size_t)s->nx);
    zw_status status = zw_flow_project(s->flow, f->t[0], start, NULL, NULL);
    if (status >= 0)
        status = zw_run_start(s->run, f->t[0], start, NULL);
    if (status < 0)
        return NAN;
    do
        status = zw_run_advance(s->run, f->t[f->rows - 1], NULL, NULL);
    while (status == ZW_EVENT);
    if (status < 0)
        return NAN;
    for (int i = 0; i < s->nx; i++)
        worst = fmax(worst, fabs(zw_run_state(s->run)[i] - last[i]) / m->size[i]);
    return worst;
}

static zw_status find_residual(zw_paths *s, zw_path_motion *m, zw_path_found *f, zw_error *err) {
    zw_cont_problem p = zw_colloc_problem(m->c);
    zw_arena work;
    zw_arena_init(&work, &s->arena.alloc);
    double *r = ZW_NEW(&work, double, p.n + 1);
    zw_status status = r ? p.residual(p.self, m->x, 1, r, err) : zw_out_of_memory(err, NULL);
    f->residual = 0;
    for (int i = 0; i < p.n && status == ZW_OK; i++)
        f->residual = fmax(f->residual, fabs(r[i]));
    if (status != ZW_OK)
        f->residual = NAN;
    zw_arena_clear(&work);
    return status == ZW_E_MEMORY ? status : ZW_OK;
}

/* --------------------------------------------------------------------------------------- Jacobi */

typedef struct node {
    int f;        /* displacements that constraints on positions admit */
    double *T;    /* nx x d: basis of the tangent space */
    double *Q;    /* nq x f: a basis of them, scaled */
    double *pair; /* nv x f: the same as displacements of velocities */
    double *by;   /* nv x nx: dP/dx */
} node;

typedef struct jacobi {
    zw_paths *s;
    zw_arena *work;
    const double *size; /* nx */
    int d, f;
    node here, next;
    double *Y; /* nx x f: disturbances from the beginning, scaled and orthonormal */
    int count;
    double first;
} jacobi;

static bool make_node(jacobi *z, node *n) {
    const zw_paths *s = z->s;
    n->T = ZW_NEW(z->work, double, s->nx * s->nx + 1);
    n->Q = ZW_NEW(z->work, double, s->nq * s->nq + 1);
    n->pair = ZW_NEW(z->work, double, s->nv * s->nq + 1);
    n->by = ZW_NEW(z->work, double, s->nv * s->nx + 1);
    return !z->work->failed;
}

/* X (n x m, m <= n) with F X = Y (k x m) in the sense of least squares, F k x n */
static bool least_squares(zw_arena *work, int k, int n, int m, const double *F, const double *Y,
                          double *X) {
    double *s = ZW_NEW(work, double, n + 1), *V = ZW_NEW(work, double, n *n + 1),
           *U = ZW_NEW(work, double, k *n + 1);
    if (work->failed || !zw_dense_svd(work, k, n, F, s, V, U))
        return false;
    memset(X, 0, sizeof(double) * (size_t)(n * m));
    for (int l = 0; l < n && l < k && s[l] > SINGULAR_ROUNDOFF * s[0]; l++)
        for (int c = 0; c < m; c++) {
            double part = 0;
            for (int r = 0; r < k; r++)
                part += U[l * k + r] * Y[r * m + c];
            for (int r = 0; r < n; r++)
                X[r * m + c] += V[l * n + r] * part / s[l];
        }
    return true;
}

/* tangent space, displacements and derivatives of momenta at a state */
static zw_status set_node(jacobi *z, node *n, double t, const double *x, zw_error *err) {
    zw_paths *s = z->s;
    int nx = s->nx, nq = s->nq, nv = s->nv, d;
    zw_arena_mark mark = zw_arena_mark_now(z->work);
    double *J = ZW_NEW(z->work, double, nx *nx + 1), *B = ZW_NEW(z->work, double, nx *nx + 1),
           *size = ZW_NEW(z->work, double, nx + 1), *V = ZW_NEW(z->work, double, nx *nx + 1),
           *U = ZW_NEW(z->work, double, nx *nx + 1), *P = ZW_NEW(z->work, double, nv + 1);
    if (z->work->failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_flow_tangent(s->flow, t, x, ZW_METRIC_PLAIN, &d, n->T, NULL, err));
    if (d != z->d)
        return zw_fail(err, ZW_E_NUMERIC, "the constraints are singular on the way");
    for (int i = 0; i < nq; i++)
        for (int k = 0; k < d; k++)
            B[i * d + k] = n->T[i * d + k] / z->size[i];
    if (!zw_dense_svd(z->work, nq, d, B, size, V, U))
        return zw_dense_failure(z->work, err);
    for (n->f = 0; n->f < nq && n->f < d && size[n->f] > CONJUGATE * size[0];)
        n->f++;
    for (int i = 0; i < nq; i++)
        for (int k = 0; k < n->f; k++)
            n->Q[i * n->f + k] = U[k * nq + i];
    ZW_TRY(zw_flow_jacobian(s->flow, t, x, J, NULL, err));
    for (int i = 0; i < nq; i++) {
        for (int k = 0; k < nv; k++)
            B[i * nv + k] = J[i * nx + nq + k]; /* F = dq'/dv */
        for (int k = 0; k < n->f; k++)
            V[i * n->f + k] = n->Q[i * n->f + k] * z->size[i];
    }
    if (!least_squares(z->work, nq, nv, n->f, B, V, n->pair))
        return zw_dense_failure(z->work, err);
    ZW_TRY(evaluate_momenta(s, t, x, P, n->by, err));
    zw_arena_release(z->work, mark);
    return ZW_OK;
}

/* a (f x m): displacements, b (f x m): momenta of disturbances X (nx x m) at a node */
static void split_disturbances(const jacobi *z, const node *n, int m, const double *X, double *a,
                               double *b) {
    const zw_paths *s = z->s;
    for (int l = 0; l < n->f; l++)
        for (int c = 0; c < m; c++) {
            a[l * m + c] = b[l * m + c] = 0;
            for (int i = 0; i < s->nq; i++)
                a[l * m + c] += n->Q[i * n->f + l] * X[i * m + c] / z->size[i];
            for (int k = 0; b != a && k < s->nv; k++) {
                double dP = 0;
                for (int i = 0; i < s->nx; i++)
                    dP += n->by[k * s->nx + i] * X[i * m + c];
                b[l * m + c] += n->pair[k * n->f + l] * dP;
            }
        }
}

/* W (f x f) of disturbances X (nx x m), m >= f: b a^+; false: some displacements vanish */
static bool momentum_by_place(const jacobi *z, const node *n, int m, const double *X, double *W) {
    int f = n->f;
    zw_arena_mark mark = zw_arena_mark_now(z->work);
    double *a = ZW_NEW(z->work, double, f *m + 1), *b = ZW_NEW(z->work, double, f *m + 1),
           *size = ZW_NEW(z->work, double, m + 1), *V = ZW_NEW(z->work, double, m *m + 1),
           *U = ZW_NEW(z->work, double, f *m + 1);
    bool ok = !z->work->failed;
    if (ok)
        split_disturbances(z, n, m, X, a, b);
    ok = ok && zw_dense_svd(z->work, f, m, a, size, V, U) &&
         size[f - 1] > SINGULAR_ROUNDOFF * size[0];
    for (int r = 0; ok && r < f; r++)
        for (int c = 0; c < f; c++) {
            W[r * f + c] = 0;
            for (int l = 0; l < f; l++) {
                double part = 0;
                for (int k = 0; k < m; k++)
                    part += b[r * m + k] * V[l * m + k];
                W[r * f + c] += part / size[l] * U[l * f + c];
            }
        }
    zw_arena_release(z->work, mark);
    return ok;
}

/* disturbances X (nx x m) at `here`, in its tangent space, whose displacement at `next` vanishes;
 * returns m, 0 if it failed */
static int vanish_next(const jacobi *z, const double *A, double *X) {
    const zw_paths *s = z->s;
    int nx = s->nx, d = z->d, f = z->f;
    double *AT = ZW_NEW(z->work, double, nx *d + 1), *a = ZW_NEW(z->work, double, f *d + 1),
           *size = ZW_NEW(z->work, double, d + 1), *V = ZW_NEW(z->work, double, d *d + 1);
    if (z->work->failed)
        return 0;
    zw_dense_multiply(nx, nx, d, A, z->here.T, AT);
    split_disturbances(z, &z->next, d, AT, a, a);
    if (!zw_dense_svd(z->work, f, d, a, size, V, NULL) ||
        !(size[f - 1] > SINGULAR_ROUNDOFF * size[0]))
        return 0;
    for (int i = 0; i < nx; i++)
        for (int c = f; c < d; c++) {
            X[i * (d - f) + c - f] = 0;
            for (int k = 0; k < d; k++)
                X[i * (d - f) + c - f] += z->here.T[i * d + k] * V[c * d + k];
        }
    return d - f;
}

/* negative eigenvalues of E = L - R (f x f), scaled; -1 if it is not symmetric */
static int count_negative(const jacobi *z, const double *L, const double *R) {
    int f = z->f, n = 0;
    zw_dense_eigen e;
    double *E = ZW_NEW(z->work, double, f *f + 1), *by = ZW_NEW(z->work, double, f + 1), skew = 0,
           most = 0;
    if (z->work->failed)
        return -1;
    for (int r = 0; r < f; r++) {
        double sum = 0;
        for (int c = 0; c < f; c++)
            sum = fmax(sum, fabs(L[r * f + c] - R[r * f + c]));
        by[r] = sum > 0 ? 1 / sqrt(sum) : 1;
    }
    for (int r = 0; r < f; r++)
        for (int c = 0; c < f; c++) {
            double one = L[r * f + c] - R[r * f + c], two = L[c * f + r] - R[c * f + r];
            E[r * f + c] = 0.5 * (one + two) * by[r] * by[c];
            most = fmax(most, fabs(E[r * f + c]));
            skew = fmax(skew, fabs(one - two) * by[r] * by[c]);
        }
    if (!(skew <= SKEW_MAX * most) || !zw_dense_eigenvalues(z->work, f, E, &e))
        return -1;
    for (int i = 0; i < f; i++)
        n += e.re[i] < 0;
    return n;
}

/* replaces Y (nx x f) by a scaled orthonormal basis of its span */
static bool orthonormalise_solution(jacobi *z) {
    int nx = z->s->nx, f = z->f;
    for (int c = 0; c < f; c++)
        for (int pass = 0; pass < 3; pass++) {
            double norm = 0;
            for (int l = 0; l < c && pass < 2; l++) {
                double dot = 0;
                for (int i = 0; i < nx; i++)
                    dot += z->Y[i * f + c] * z->Y[i * f + l] / (z->size[i] * z->size[i]);
                for (int i = 0; i < nx; i++)
                    z->Y[i * f + c] -= dot * z->Y[i * f + l];
            }
            for (int i = 0; i < nx; i++)
                norm = hypot(norm, z->Y[i * f + c] / z->size[i]);
            if (!(norm > 0) || !isfinite(norm))
                return false;
            for (int i = 0; i < nx; i++)
                z->Y[i * f + c] /= norm;
        }
    return true;
}

/* Y at the beginning: the disturbances that the conditions there admit */
static bool begin_solution(jacobi *z) {
    const zw_paths *s = z->s;
    int nx = s->nx, d = z->d, n = s->first.n;
    double *B = ZW_NEW(z->work, double, n *d + 1), *size = ZW_NEW(z->work, double, d + 1),
           *V = ZW_NEW(z->work, double, d *d + 1);
    if (z->work->failed)
        return false;
    zw_dense_multiply(n, nx, d, s->first.row, z->here.T, B);
    if (!zw_dense_svd(z->work, n, d, B, size, V, NULL))
        return false;
    for (int i = 0; i < nx; i++)
        for (int c = 0; c < z->f; c++) {
            z->Y[i * z->f + c] = 0;
            for (int k = 0; k < d; k++)
                z->Y[i * z->f + c] += z->here.T[i * d + k] * V[(n + c) * d + k];
        }
    return orthonormalise_solution(z);
}

/* propagates Y from node to node; *applies is false if the test does not apply */
static zw_status propagate_solution(jacobi *z, const zw_path_motion *m, zw_path_found *f,
                                    bool *applies, zw_error *err) {
    zw_paths *s = z->s;
    int nx = s->nx, N = zw_colloc_intervals(m->c), stride = nx * (s->options.stages + 1);
    const double *mesh = zw_colloc_mesh(m->c), *A;
    double *L = ZW_NEW(z->work, double, s->nq * s->nq + 1),
           *R = ZW_NEW(z->work, double, s->nq * s->nq + 1),
           *X = ZW_NEW(z->work, double, nx *nx + 1), *to = ZW_NEW(z->work, double, nx *nx + 1);
    if (z->work->failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_colloc_transfer(m->c, m->x, 1, &A, err));
    ZW_TRY(set_node(z, &z->here, f->t[0], m->x, err));
    z->f = z->here.f;
    *applies = z->f == s->last.n && s->dimension == s->first.n + z->f && begin_solution(z);
    for (int j = 0; j < N && *applies; j++, A += nx * nx) {
        const double *next =
            j + 1 < N ? m->x + (size_t)((j + 1) * stride) : f->x + (size_t)((f->rows - 1) * nx);
        zw_arena_mark mark = zw_arena_mark_now(z->work);
        ZW_TRY(set_node(z, &z->next, f->t[0] + f->time * mesh[j + 1], next, err));
        *applies = z->next.f == z->f;
        if (*applies && j > 0) {
            int n = vanish_next(z, A, X), negative;
            *applies = n >= z->f && momentum_by_place(z, &z->here, z->f, z->Y, L) &&
                       momentum_by_place(z, &z->here, n, X, R) &&
                       (negative = count_negative(z, L, R)) >= 0;
            if (*applies && negative && !z->count)
                z->first = f->t[0] + f->time * mesh[j + 1];
            z->count += *applies ? negative : 0;
        }
        zw_dense_multiply(nx, nx, z->f, A, z->Y, to);
        memcpy(z->Y, to, sizeof(double) * (size_t)(nx * z->f));
        *applies = *applies && orthonormalise_solution(z);
        node swap = z->here;
        z->here = z->next;
        z->next = swap;
        zw_arena_release(z->work, mark);
    }
    return ZW_OK;
}

/* the smallest singular value of the displacement at the end */
static double smallest_singular(jacobi *z) {
    int f = z->f;
    double *a = ZW_NEW(z->work, double, f *f + 1), *size = ZW_NEW(z->work, double, f + 1),
           *V = ZW_NEW(z->work, double, f *f + 1);
    if (z->work->failed)
        return NAN;
    split_disturbances(z, &z->here, f, z->Y, a, a);
    return zw_dense_svd(z->work, f, f, a, size, V, NULL) ? size[f - 1] : (double)NAN;
}

/* are both ends given by coordinates only? */
static bool are_places(const zw_paths *s) {
    bool yes = !s->e->eq.system_v;
    for (int i = 0; i < s->last.ngiven; i++)
        yes &= s->last.entry[i] < s->nq;
    for (int i = 0; i < s->first.ngiven; i++)
        yes &= s->first.entry[i] < s->nq || s->first.entry[i] >= s->nq + s->nv;
    for (int i = 0; i < s->nq; i++)
        yes &= !s->first.free[i];
    return yes;
}

static zw_status judge_kind(zw_paths *s, const zw_path_motion *m, zw_path_found *f, zw_error *err) {
    zw_arena work;
    jacobi z = {.s = s, .work = &work, .size = m->size, .d = s->dimension, .first = NAN};
    bool applies = false;
    f->kind = s->has_action ? ZW_PATH_UNKNOWN : ZW_PATH_NO_ACTION;
    f->conjugate = f->margin = NAN;
    if (!s->has_action || s->is_free || !are_places(s))
        return ZW_OK;
    zw_arena_init(&work, &s->arena.alloc);
    z.Y = ZW_NEW(&work, double, s->nx * s->nx + 1);
    zw_error ignored = {0};
    zw_status status = z.Y && make_node(&z, &z.here) && make_node(&z, &z.next)
                           ? propagate_solution(&z, m, f, &applies, &ignored)
                           : ZW_E_MEMORY;
    if (status >= 0 && applies) {
        f->index = z.count;
        f->conjugate = z.first;
        f->margin = smallest_singular(&z);
        f->kind = f->margin < CONJUGATE ? ZW_PATH_DEGENERATE
                  : z.count             ? ZW_PATH_SADDLE
                                        : ZW_PATH_MINIMUM;
    }
    zw_arena_clear(&work);
    return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
}

zw_status zw_paths_judge(zw_paths *s, zw_path_motion *m, zw_path_found *f, zw_error *err) {
    ZW_TRY(find_residual(s, m, f, err));
    ZW_TRY(find_action(s, m, f, err));
    ZW_TRY(find_ends(s, f, err));
    f->missed = run_misses(s, m, f);
    return judge_kind(s, m, f, err);
}
