/* SPDX-License-Identifier: MIT */
/* Connecting orbits as a boundary value problem. As for periodic orbits (motion/segments/periodic.h) there
 * are nodes u_0 .. u_N on a mesh of [0, 1] and slopes k_ji = dx/dtau at Gauss points; the ends are
 * open, and have nx + 2 conditions for nx of u_0, T and a:
 *
 *     C (u_0 - M(u_0)) = 0                   nx - d    on the manifold of the constraints, with
 *                                                      ignorable coordinates fixed
 *     U_1 (1 - P_u1(a)) (u_0 - x_1(a)) = 0   d - k     in the unstable space of x_1, of dimension k
 *     e_1.(u_0 - x_1(a)) = d_1               1
 *     U_2 P_u2(a) (u_N - x_2(a)) = 0         k         in the stable space of x_2
 *     e_2.(u_N - x_2(a)) = d_2               1
 *
 * U_1 and U_2 are the left singular vectors of the projectors when the problem was set up, e_1 and
 * e_2 the directions of u_0 - x_1 and u_N - x_2 then, all constant: the rows are smooth functions
 * of a, and linear in u, so that steps along b may be long compared with d_1 and d_2. Lengths are
 * relative to the sizes of the orbit.
 *
 * A guess is solved for with other conditions in place of the two lengths, T = T_g and sum over the
 * nodes of w_j u_g'.(u - u_g) = 0: the ends may slide, and fast parts of the orbit keep their place
 * on the mesh, in which a small change of the time at an end would move the whole orbit. The second
 * condition takes the row of continuation, whose b is fixed. Derivatives in u and T are exact;
 * those in a and b are central differences of the whole residual, since the ends and their
 * eigenspaces depend on them. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "branch/curve.h"
#include "connection.h"
#include "motion/segments/periodic.h"
#include "num/linear/dense.h"

enum { INTERVALS_FIRST = 60, INTERVALS_LEAST = 20, REFINEMENTS = 8 };
/* Relative to the units of a and b: step of central differences, near eps^(1/3). */
#define DIFFERENCE_STEP 1e-5
/* Relative to the size of the orbit: d_1 or d_2 beyond which an eigenspace does not describe the
 * motion. */
#define DISTANCE_MAX 0.3
/* Times the distance of the options: ends that are farther are moved nearer. */
#define DISTANCE_FAR 3.0
/* Relative corrections at which Newton's method ends, tried in this order: with eigenvalues of very
 * different sizes errors at the ends are amplified along the orbit. */
#define NEWTON_SECOND (1e2 * ZW_NEWTON)
#define NEWTON_LAST (1e4 * ZW_NEWTON)

double zw_connection_time(const zw_connection *c, const double *x) {
    return x[zw_connection_size(c) - 2];
}

double zw_connection_value(const zw_connection *c, const double *x) {
    return x[zw_connection_size(c) - 1];
}

/* ------------------------------------------------------------------------------------- residual */

static zw_status slopes_residual(zw_connection *c, const double *x, int j, double T, double *out,
                                 zw_error *err) {
    int nx = c->nx;
    double *U = c->state, h = zw_connection_width(c, j);
    for (int i = 0; i < c->m; i++) {
        double *f = c->f + (size_t)(j * c->m + i) * (size_t)nx;
        const double *k = zw_connection_slope(c, x, j, i);
        memcpy(U, zw_connection_node(c, x, j), sizeof(double) * (size_t)nx);
        for (int l = 0; l < c->m; l++)
            for (int r = 0; r < nx; r++)
                U[r] += h * c->rule.a[i][l] * zw_connection_slope(c, x, j, l)[r];
        zw_status status = zw_flow_rates(c->flow, 0, U, f, NULL, err);
        if (status < 0)
            return status == ZW_E_MEMORY ? status : ZW_RETRY;
        for (int r = 0; r < nx; r++)
            out[i * nx + r] = (k[r] - T * f[r]) / c->size[r];
    }
    return ZW_OK;
}

/* u_j - Q_j (u_j-1 + h sum b k) - (1 - Q_j) M(u_j) */
static zw_status node_residual(zw_connection *c, const double *x, int j, double *out,
                               zw_error *err) {
    int nx = c->nx;
    double *end = c->state, *near = end + nx, h = zw_connection_width(c, j - 1);
    const double *u = zw_connection_node(c, x, j);
    memcpy(end, zw_connection_node(c, x, j - 1), sizeof(double) * (size_t)nx);
    for (int i = 0; i < c->m; i++)
        for (int r = 0; r < nx; r++)
            end[r] += h * c->rule.b[i] * zw_connection_slope(c, x, j - 1, i)[r];
    if (!c->has_manifold) {
        for (int r = 0; r < nx; r++)
            out[r] = (u[r] - end[r]) / c->size[r];
        return ZW_OK;
    }
    const double *Q = c->projector + (size_t)j * (size_t)(nx * nx);
    memcpy(near, u, sizeof(double) * (size_t)nx);
    zw_status status = zw_flow_project(c->flow, 0, near, NULL, err);
    if (status < 0)
        return status == ZW_E_MEMORY ? status : ZW_RETRY;
    for (int r = 0; r < nx; r++) {
        double value = u[r] - near[r];
        for (int s = 0; s < nx; s++)
            value -= Q[r * nx + s] * (end[s] - near[s]);
        out[r] = value / c->size[r];
    }
    return ZW_OK;
}

/* row.P dx/size, with the projector of an end: onto the unstable space, or the complement */
static double boundary_condition(const zw_connection *c, const double *row,
                                 const zw_connection_end *e, bool grows, const double *dx) {
    int nx = c->nx;
    double sum = 0;
    for (int i = 0; i < nx; i++)
        for (int k = 0; k < nx && row[i] != 0; k++)
            sum += row[i] / c->size[i] *
                   (grows ? e->grows[i * nx + k] : e->all[i * nx + k] - e->grows[i * nx + k]) *
                   dx[k];
    return sum;
}

static double length_condition(const zw_connection *c, int end, const double *dx) {
    double sum = 0;
    for (int i = 0; i < c->nx; i++)
        sum += c->aim[end * c->nx + i] * dx[i] / c->size[i];
    return sum / c->far[end] - 1;
}

/* the nx + 2 conditions at the ends */
static zw_status ends_residual(zw_connection *c, const double *x, const zw_connection_end *end,
                               double *out, zw_error *err) {
    int nx = c->nx, k = end[0].unstable, row = 0;
    const double *first = zw_connection_node(c, x, 0), *last = zw_connection_node(c, x, c->N);
    double *near = c->state, *dx = c->state + nx;
    memcpy(near, first, sizeof(double) * (size_t)nx);
    if (c->has_manifold) {
        zw_status status = zw_flow_project(c->flow, 0, near, NULL, err);
        if (status < 0)
            return status == ZW_E_MEMORY ? status : ZW_RETRY;
    }
    for (int i = 0; i < nx; i++)
        if (!c->essential[i])
            near[i] = c->first[i];
    for (int i = 0; i < nx - c->d; i++, row++) {
        out[row] = 0;
        for (int r = 0; r < nx; r++)
            out[row] += c->across[i * nx + r] * (first[r] - near[r]) / c->size[r];
    }
    for (int i = 0; i < nx; i++)
        dx[i] = first[i] - end[0].motion.x[i];
    for (int i = 0; i < c->d - k; i++)
        out[row++] = boundary_condition(c, c->row_stable + (size_t)(i * nx), &end[0], false, dx);
    out[row++] = c->slides ? 0 : length_condition(c, 0, dx);
    for (int i = 0; i < nx; i++)
        dx[i] = last[i] - end[1].motion.x[i];
    for (int i = 0; i < k; i++)
        out[row++] = boundary_condition(c, c->row_grows + (size_t)(i * nx), &end[1], true, dx);
    out[row] = c->slides ? zw_connection_time(c, x) / c->span - 1 : length_condition(c, 1, dx);
    return ZW_OK;
}

void zw_connection_end_rows(zw_connection *c, double *rows, int width) {
    int nx = c->nx, k = c->end[0].unstable, row = 0;
    const zw_connection_end *e = c->end;
    for (int i = 0; i < nx - c->d; i++, row++)
        for (int r = 0; r < nx; r++)
            rows[row * width + r] = c->across[i * nx + r] / c->size[r];
    for (int i = 0; i < c->d - k; i++, row++)
        for (int r = 0; r < nx; r++)
            for (int s = 0; s < nx; s++)
                rows[row * width + s] += c->row_stable[i * nx + r] / c->size[r] *
                                         (e[0].all[r * nx + s] - e[0].grows[r * nx + s]);
    for (int r = 0; r < nx && !c->slides; r++)
        rows[row * width + r] = c->aim[r] / (c->size[r] * c->far[0]);
    row++;
    for (int i = 0; i < k; i++, row++)
        for (int r = 0; r < nx; r++)
            for (int s = 0; s < nx; s++)
                rows[row * width + nx + s] +=
                    c->row_grows[i * nx + r] / c->size[r] * e[1].grows[r * nx + s];
    for (int r = 0; r < nx && !c->slides; r++)
        rows[row * width + nx + r] = c->aim[nx + r] / (c->size[r] * c->far[1]);
}

/* the whole residual, with given ends, and the parameters of the flow set */
static zw_status residual_with(zw_connection *c, const double *x, const zw_connection_end *end,
                               double *out, zw_error *err) {
    int nx = c->nx, stride = nx * (c->m + 1), n = zw_connection_size(c);
    double T = zw_connection_time(c, x), *at_ends = c->state + 3 * nx;
    if (!(T > 0))
        return ZW_RETRY;
    for (int j = 0; j < c->N; j++) {
        zw_status status = slopes_residual(c, x, j, T, out + j * stride + nx, err);
        if (status == ZW_OK)
            status = node_residual(c, x, j + 1, out + (j + 1) * stride, err);
        if (status != ZW_OK)
            return status;
    }
    zw_status status = ends_residual(c, x, end, at_ends, err);
    if (status != ZW_OK)
        return status;
    memcpy(out, at_ends, sizeof(double) * (size_t)nx);
    memcpy(out + n - 2, at_ends + nx, sizeof(double) * 2);
    return ZW_OK;
}

/* Newton's method takes any failure of the residual for a place without values: memory is checked
 * afterwards */
static zw_status ran_out(zw_connection *c, zw_error *err) {
    c->has_run_out = true;
    return zw_out_of_memory(err, NULL);
}

static zw_status retry_status(zw_status status) {
    return status < 0 && status != ZW_E_MEMORY ? ZW_RETRY : status;
}

zw_status zw_connection_residual(void *self, const double *x, double b, double *r, zw_error *err) {
    zw_connection *c = self;
    const double value[2] = {zw_connection_value(c, x), b};
    int unstable = c->end[0].unstable;
    zw_error trouble = {0};
    if (!isfinite(value[0]))
        return ZW_RETRY;
    zw_status status = zw_connection_ends(c, value, c->end, c->aside, &trouble);
    if (status < 0 || c->aside[0].unstable != unstable || c->aside[1].unstable != unstable)
        return status == ZW_E_MEMORY ? ran_out(c, err) : ZW_RETRY;
    zw_connection_swap(c, value);
    return retry_status(residual_with(c, x, c->end, r, &trouble));
}

/* the column of a (0) or b (1), at the arguments of the last residual */
static zw_status difference_column(zw_connection *c, const double *x, int which, zw_error *err) {
    int n = zw_connection_size(c);
    double h = DIFFERENCE_STEP * c->options.unit[which], *plus = c->by[which], *minus = c->twin;
    if (c->slides && which == 1) {
        memset(plus, 0, sizeof(double) * (size_t)n);
        return ZW_OK;
    }
    for (int side = -1; side <= 1; side += 2) {
        double value[2] = {c->value[0], c->value[1]};
        value[which] += side * h;
        ZW_TRY(zw_connection_ends(c, value, c->end, c->aside, err));
        zw_status status = residual_with(c, x, c->aside, side > 0 ? plus : minus, err);
        if (status != ZW_OK)
            return status;
    }
    for (int i = 0; i < n; i++)
        plus[i] = (plus[i] - minus[i]) / (2 * h);
    return ZW_OK;
}

static zw_status factor_jacobian(void *self, const double *x, double b, const double *row,
                                 zw_error *err) {
    zw_connection *c = self;
    zw_error trouble = {0};
    for (int which = 0; which < 2; which++) {
        zw_status status = difference_column(c, x, which, &trouble);
        if (status == ZW_E_MEMORY)
            return ran_out(c, err);
        if (status != ZW_OK)
            return retry_status(status);
    }
    ZW_TRY(c->set(c->user, c->value, c->p, err));
    ZW_TRY(zw_flow_set_parameters(c->flow, c->p, err));
    return zw_connection_factor(c, x, b, c->slides ? c->phase : row, err);
}

/* -------------------------------------------------------------------------------------- problem */

static double node_weight(const zw_connection *c, int j) {
    return 0.5 * ((j < c->N ? zw_connection_width(c, j) : 0) +
                  (j > 0 ? zw_connection_width(c, j - 1) : 0));
}

/* over the nodes: a and T follow from them, and have other sizes */
static double inner_product(void *self, const double *u, const double *v) {
    const zw_connection *c = self;
    double sum = 0;
    for (int j = 0; j <= c->N; j++) {
        const double *a = zw_connection_node(c, u, j), *b = zw_connection_node(c, v, j);
        for (int r = 0; r < c->nx; r++)
            if (c->essential[r])
                sum += node_weight(c, j) * a[r] * b[r] / (c->size[r] * c->size[r]);
    }
    return sum;
}

static void dual_vector(void *self, const double *u, double *row) {
    const zw_connection *c = self;
    int n = zw_connection_size(c);
    memset(row, 0, sizeof(double) * (size_t)n);
    for (int j = 0; j <= c->N; j++) {
        const double *a = zw_connection_node(c, u, j);
        double *to = row + (a - u);
        for (int r = 0; r < c->nx; r++)
            if (c->essential[r])
                to[r] = node_weight(c, j) * a[r] / (c->size[r] * c->size[r]);
    }
}

static zw_status evaluate_tests(void *self, const double *x, double b, double slope, double *value,
                                zw_error *err) {
    zw_connection *c = self;
    const double at[2] = {zw_connection_value(c, x), b};
    (void)slope;
    if (at[0] != c->value[0] || at[1] != c->value[1])
        ZW_TRY(zw_connection_move(c, at, err));
    value[0] = zw_connection_saddle(c, 0).quantity;
    return ZW_OK;
}

zw_cont_problem zw_connection_problem(zw_connection *c) {
    return (zw_cont_problem){.self = c,
                             .n = zw_connection_size(c),
                             .unit = c->options.unit[1],
                             .residual = zw_connection_residual,
                             .factor = factor_jacobian,
                             .solve = zw_connection_eliminate,
                             .inner = inner_product,
                             .dual = dual_vector,
                             .ntest = c->has_other ? 0 : 1,
                             .tests = evaluate_tests};
}

/* ------------------------------------------------------------------------------------ reference */

/* the left singular vectors (count x nx) of the scaled rows of P (nx x nx) */
static zw_status take_rows(zw_connection *c, zw_arena *work, double *P, int count, double *rows,
                           zw_error *err) {
    int nx = c->nx;
    double *s = ZW_NEW(work, double, nx + 1), *V = ZW_NEW(work, double, nx *nx + 1),
           *U = ZW_NEW(work, double, nx *nx + 1);
    if (work->failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < nx; i++)
        for (int k = 0; k < nx; k++)
            P[i * nx + k] *= c->essential[i] ? c->size[k] / c->size[i] : 0;
    if (!zw_dense_svd(work, nx, nx, P, s, V, U))
        return zw_dense_failure(work, err);
    memcpy(rows, U, sizeof(double) * (size_t)(count * nx));
    return ZW_OK;
}

static zw_status refer_ends(zw_connection *c, zw_arena *work, zw_error *err) {
    int nx = c->nx, k = c->end[0].unstable;
    double *P = ZW_NEW(work, double, nx *nx + 1);
    if (!P)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < nx * nx; i++)
        P[i] = c->end[0].all[i] - c->end[0].grows[i];
    ZW_TRY(take_rows(c, work, P, c->d - k, c->row_stable, err));
    memcpy(P, c->end[1].grows, sizeof(double) * (size_t)(nx * nx));
    return take_rows(c, work, P, k, c->row_grows, err);
}

/* rows across the manifold at the first node, and the ignorable entries */
static zw_status refer_first(zw_connection *c, zw_arena *work, const double *x, zw_error *err) {
    int nx = c->nx, n;
    double *V = ZW_NEW(work, double, nx *nx + 1);
    if (!V)
        return zw_out_of_memory(err, NULL);
    memcpy(c->first, x, sizeof(double) * (size_t)nx);
    ZW_TRY(zw_connection_directions(c, work, x, c->size, &n, V, err));
    if (n != c->d)
        return zw_fail(err, ZW_E_NUMERIC,
                       "the constraints leave %d directions at one place and %d at another", c->d,
                       n);
    memcpy(c->across, V + (size_t)(n * nx), sizeof(double) * (size_t)((nx - n) * nx));
    return ZW_OK;
}

/* e_1 and e_2, and the present d_1, d_2, of the parts that the conditions leave free: the other
 * parts must not move the orbit along itself */
static zw_status refer_lengths(zw_connection *c, const double *x, zw_error *err) {
    for (int end = 0; end < 2; end++) {
        const double *node = zw_connection_node(c, x, end ? c->N : 0);
        double *u = c->state, *aim = c->aim + (size_t)(end * c->nx);
        zw_connection_project(c, end, node, u);
        double far = zw_connection_distance(c, c->size, u, c->end[end].motion.x);
        if (!(far > 0) || !(far < DISTANCE_MAX))
            return zw_fail(
                err, ZW_E_NUMERIC,
                "the ends are %.2g of the size of the orbit away from the steady motions", far);
        for (int i = 0; i < c->nx; i++)
            aim[i] = c->essential[i] ? (u[i] - c->end[end].motion.x[i]) / (c->size[i] * far) : 0;
        c->far[end] = far;
    }
    return ZW_OK;
}

/* the row of the phase: by node */
static void refer_phase(zw_connection *c) {
    double most = 0;
    memset(c->phase, 0, sizeof(double) * (size_t)(zw_connection_size(c) + 1));
    for (int j = 0; j < c->N; j++) {
        const double *k = zw_connection_slope(c, c->x, j, 0);
        double *to = c->phase + (zw_connection_node(c, c->x, j) - c->x);
        for (int r = 0; r < c->nx; r++) {
            to[r] = c->essential[r] ? node_weight(c, j) * k[r] / (c->size[r] * c->size[r]) : 0;
            most = fmax(most, fabs(to[r]));
        }
    }
    for (int i = 0; i <= zw_connection_size(c) && most > 0; i++)
        c->phase[i] /= most;
    c->span = zw_connection_time(c, c->x);
}

/* makes c->x at b the reference of all conditions */
static zw_status set_reference(zw_connection *c, double b, zw_error *err) {
    int nx = c->nx;
    zw_arena work;
    const double value[2] = {zw_connection_value(c, c->x), b};
    ZW_TRY(zw_connection_move(c, value, err));
    for (int j = 0; c->has_manifold && j <= c->N; j++) {
        int n;
        double *T = c->work, *D = T + (size_t)(nx * nx),
               *Q = c->projector + (size_t)j * (size_t)(nx * nx);
        ZW_TRY(zw_flow_tangent(c->flow, 0, zw_connection_node(c, c->x, j), ZW_METRIC_PLAIN, &n, T,
                               D, err));
        zw_dense_multiply(nx, n, nx, T, D, Q);
    }
    ZW_TRY(refer_lengths(c, c->x, err));
    refer_phase(c);
    zw_arena_init(&work, &c->arena.alloc);
    zw_status status = refer_ends(c, &work, err);
    if (status >= 0)
        status = refer_first(c, &work, zw_connection_node(c, c->x, 0), err);
    zw_arena_clear(&work);
    return status;
}

/* ---------------------------------------------------------------------------------------- solve */

/* Newton's method. With eigenvalues of very different sizes the ends are known to fewer digits, and
 * their errors move the orbit along itself by many times as much: then it ends at larger
 * corrections. */
static zw_status correct_connection(zw_connection *c, double b, double *x, zw_error *err) {
    static const double tolerance[] = {ZW_NEWTON, NEWTON_SECOND, NEWTON_LAST};
    enum { TRIALS = sizeof tolerance / sizeof *tolerance };
    zw_cont_problem p = zw_connection_problem(c);
    zw_arena work;
    zw_arena_init(&work, &c->arena.alloc);
    double *start = ZW_NEW(&work, double, p.n + 1);
    zw_status status = start ? ZW_E_NUMERIC : ZW_E_MEMORY;
    zw_error trouble = {0};
    if (start)
        memcpy(start, x, sizeof(double) * (size_t)p.n);
    for (int k = 0; k < TRIALS && status == ZW_E_NUMERIC; k++) {
        trouble = (zw_error){0};
        memcpy(x, start, sizeof(double) * (size_t)p.n);
        c->slides = true;
        status = zw_cont_correct(&p, tolerance[k], x, b, NULL, &c->arena.alloc, &trouble);
        c->slides = false;
        if (c->has_run_out)
            status = ZW_E_MEMORY;
    }
    zw_arena_clear(&work);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    return status < 0 ? zw_fail(err, status, "%s", trouble.text) : status;
}

static int wanted_intervals(const zw_connection *c, double error) {
    double ratio = pow(2 * error / c->options.tolerance, 1. / (c->m + 1));
    int next = (int)ceil(c->N * fmin(fmax(ratio, 0.5), 2));
    next = next < INTERVALS_LEAST ? INTERVALS_LEAST : next;
    return next < c->options.intervals_max ? next : c->options.intervals_max;
}

static zw_status refine_mesh(zw_connection *c, double b, zw_error *err) {
    for (int i = 0; i < REFINEMENTS; i++) {
        double *list[] = {c->x};
        ZW_TRY(set_reference(c, b, err));
        ZW_TRY(correct_connection(c, b, c->x, err));
        double error = zw_connection_error(c, c->x);
        int next = wanted_intervals(c, error);
        if (i > 1 && (error <= c->options.tolerance || next <= c->N))
            break;
        if (next < c->N)
            next = c->N < c->options.intervals_max ? c->N : c->options.intervals_max;
        ZW_TRY(zw_connection_adapt(c, next, 1, list, err));
        c->x = list[0];
    }
    return set_reference(c, b, err);
}

/* Saves a solution, to return to it. */
typedef struct saved_solution {
    zw_arena arena;
    int N;
    double *mesh, *x;
} saved_solution;

static zw_status save_state(const zw_connection *c, saved_solution *k, zw_error *err) {
    int n = zw_connection_size(c);
    zw_arena_init(&k->arena, &c->arena.alloc);
    k->N = c->N;
    k->mesh = ZW_NEW(&k->arena, double, c->N + 1);
    k->x = ZW_NEW(&k->arena, double, n + 1);
    if (k->arena.failed)
        return zw_out_of_memory(err, NULL);
    memcpy(k->mesh, c->mesh, sizeof(double) * (size_t)(c->N + 1));
    memcpy(k->x, c->x, sizeof(double) * (size_t)n);
    return ZW_OK;
}

static zw_status restore_state(zw_connection *c, const saved_solution *k, double b, zw_error *err) {
    ZW_TRY(zw_connection_allocate(c, k->N, err));
    memcpy(c->mesh, k->mesh, sizeof(double) * (size_t)(k->N + 1));
    memcpy(c->x, k->x, sizeof(double) * (size_t)zw_connection_size(c));
    return set_reference(c, b, err);
}

/* the intervals from j to k of a saved solution, as the whole mesh */
static zw_status take_part(zw_connection *c, const saved_solution *from, int j, int k,
                           zw_error *err) {
    int stride = c->nx * (c->m + 1), n = from->N * stride + c->nx;
    double low = from->mesh[j], part = from->mesh[k] - low, T = from->x[n], a = from->x[n + 1];
    ZW_TRY(zw_connection_allocate(c, k - j, err));
    memcpy(c->x, from->x + (size_t)(j * stride),
           sizeof(double) * (size_t)((k - j) * stride + c->nx));
    for (int i = 0; i <= k - j; i++) {
        c->mesh[i] = i < k - j ? (from->mesh[j + i] - low) / part : 1;
        double *slope = c->x + (size_t)(i * stride + c->nx);
        for (int r = 0; r < c->nx * c->m && i < k - j; r++)
            slope[r] *= part;
    }
    c->x[zw_connection_size(c) - 2] = T * part;
    c->x[zw_connection_size(c) - 1] = a;
    return ZW_OK;
}

/* the first node from j on, in steps of `by`, at least twice as far from an end as the
 * orbit begins */
static int twice_as_far(const zw_connection *c, int end, int j, int by) {
    while (j + by > 0 && j + by < c->N &&
           zw_connection_distance(c, c->size, zw_connection_node(c, c->x, j),
                                  c->end[end].motion.x) < 2 * c->far[end])
        j += by;
    return j;
}

/* the change of the value if both ends are twice as far away */
static zw_status judge_ends(zw_connection *c, double b, zw_connection_info *info, zw_error *err) {
    saved_solution own;
    zw_error trouble = {0};
    double value = zw_connection_value(c, c->x);
    int first = twice_as_far(c, 0, 0, 1), last = twice_as_far(c, 1, c->N, -1);
    if (last - first < INTERVALS_LEAST / 2)
        return ZW_OK;
    zw_status status = save_state(c, &own, err);
    if (status >= 0)
        status = take_part(c, &own, first, last, err);
    if (status >= 0) {
        zw_status found = set_reference(c, b, &trouble);
        if (found >= 0)
            found = correct_connection(c, b, c->x, &trouble);
        info->by_ends = found >= 0 ? fabs(zw_connection_value(c, c->x) - value) : NAN;
        status =
            found == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : restore_state(c, &own, b, err);
    }
    zw_arena_clear(&own.arena);
    return status;
}

/* the change of the value on a mesh with half as many intervals; then restores the mesh */
static zw_status judge_mesh(zw_connection *c, double b, zw_connection_info *info, zw_error *err) {
    saved_solution own;
    zw_error trouble = {0};
    double value = zw_connection_value(c, c->x), *list[] = {c->x};
    zw_status status = save_state(c, &own, err);
    if (status >= 0)
        status = zw_connection_adapt(c, (c->N + 1) / 2, 1, list, err);
    if (status >= 0) {
        c->x = list[0];
        zw_status found = set_reference(c, b, &trouble);
        if (found >= 0)
            found = correct_connection(c, b, c->x, &trouble);
        info->by_mesh = found >= 0 ? fabs(zw_connection_value(c, c->x) - value) : NAN;
        status =
            found == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : restore_state(c, &own, b, err);
    }
    zw_arena_clear(&own.arena);
    return status;
}

/* Moves ends that are far from the equilibria nearer, if there is an orbit there; else it stays. */
static zw_status move_nearer(zw_connection *c, double b, zw_error *err) {
    saved_solution own;
    zw_error trouble = {0};
    if (!(fmax(c->far[0], c->far[1]) > DISTANCE_FAR * c->options.distance))
        return ZW_OK;
    zw_status status = save_state(c, &own, err);
    if (status >= 0) {
        zw_status found = zw_connection_extend(c, &trouble);
        if (found >= 0)
            found = refine_mesh(c, b, &trouble);
        status = found == ZW_E_MEMORY ? zw_out_of_memory(err, NULL)
                 : found < 0          ? restore_state(c, &own, b, err)
                                      : ZW_OK;
    }
    zw_arena_clear(&own.arena);
    return status;
}

/* solves for the guess between c->cut on finer and finer meshes */
static zw_status solve_guess(zw_connection *c, const double value[2], zw_error *err) {
    int most = c->options.intervals_max;
    for (int n = INTERVALS_FIRST < most ? INTERVALS_FIRST : most;;
         n = 2 * n < most ? 2 * n : most) {
        zw_error trouble = {0};
        ZW_TRY(zw_connection_interpolate(c, value[0], n, err));
        zw_status status = refine_mesh(c, value[1], &trouble);
        if (status >= 0 || status == ZW_E_MEMORY || n == most)
            return status < 0 ? zw_fail(err, status, "%s", trouble.text) : status;
        ZW_TRY(zw_connection_move(c, value, err));
    }
}

static zw_status solve_connection(zw_connection *c, double value[2], bool nearer,
                                  zw_connection_info *info, zw_error *err) {
    ZW_TRY(solve_guess(c, value, err));
    if (nearer)
        ZW_TRY(move_nearer(c, value[1], err));
    value[0] = zw_connection_value(c, c->x);
    if (!info)
        return ZW_OK;
    info->intervals = c->N;
    info->time = zw_connection_time(c, c->x);
    memcpy(info->distance, c->far, sizeof c->far);
    info->mesh = zw_connection_error(c, c->x);
    ZW_TRY(judge_ends(c, value[1], info, err));
    return judge_mesh(c, value[1], info, err);
}

static zw_status reject_ends(const zw_connection *c, zw_error *err) {
    if (c->end[0].unstable == c->end[1].unstable)
        return ZW_OK;
    return zw_fail(err, ZW_E_DOMAIN, "one end has %d unstable directions and the other has %d",
                   c->end[0].unstable, c->end[1].unstable);
}

zw_status zw_connection_solve(zw_connection *c, double value[2], int side, zw_connection_info *info,
                              zw_error *err) {
    zw_splitting shot;
    if (info)
        *info = (zw_connection_info){.by_ends = NAN, .by_mesh = NAN};
    ZW_TRY(reject_ends(c, err));
    ZW_TRY(zw_connection_record(c, value, side, &shot, err));
    if (shot.side == 0)
        return zw_fail(err, ZW_E_NUMERIC, "the motion does not pass the other end at this value");
    ZW_TRY(zw_connection_cut(c, shot.time, err));
    return solve_connection(c, value, info != NULL, info, err);
}

zw_status zw_connection_solve_orbit(zw_connection *c, double value[2],
                                    const zw_connection_orbit *orbit, zw_connection_info *info,
                                    zw_error *err) {
    if (info)
        *info = (zw_connection_info){.by_ends = NAN, .by_mesh = NAN};
    ZW_TRY(zw_connection_move(c, value, err));
    ZW_TRY(reject_ends(c, err));
    ZW_TRY(zw_connection_record_orbit(c, orbit, err));
    ZW_TRY(zw_connection_cut_orbit(c, err));
    return solve_connection(c, value, true, info, err);
}

/* ---------------------------------------------------------------------------- continuation in b */

zw_status zw_connection_renew(zw_connection *c, const double *x, double b, double *tangent,
                              zw_error *err) {
    double *list[] = {c->x, tangent};
    if (x != c->x)
        memcpy(c->x, x, sizeof(double) * (size_t)zw_connection_size(c));
    int next = wanted_intervals(c, zw_connection_error(c, c->x));
    ZW_TRY(zw_connection_adapt(c, next, tangent ? 2 : 1, list, err));
    c->x = list[0];
    return set_reference(c, b, err);
}

int zw_connection_room(const zw_connection *c) {
    return c->options.intervals_max * c->nx * (c->m + 1) + c->nx + 3;
}

const double *zw_connection_solution(const zw_connection *c) {
    return c->x;
}

void zw_connection_state(const zw_connection *c, double tau, double *state) {
    zw_connection_state_of(c, c->x, tau, state, NULL);
}
