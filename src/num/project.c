/* SPDX-License-Identifier: MIT */
/* Projection onto the constraints. On position level Newton's method for phi(t, q) = 0 with the step
 * that is shortest in the metric of the mass matrix:
 *
 *     dq = F w,   w = M^-1 Phi' (Phi M^-1 Phi')^-1 (-phi),      Phi = dphi'/dv;
 *
 * on velocity level the same with dv = w, Psi, psi. With M = L L' the step is w = L'^-1 y, y the
 * shortest solution of (Phi L'^-1) y = -phi, found by a rank-revealing factorisation of the rows:
 * redundant rows are left out, and if they contradict the others their residual stays and is told.
 *
 * An entry that must not move is a row (F w)_i = 0 (or w_i = 0) taken before all constraints, which
 * is what an infinite mass would do. Directions without mass get the identity as metric. Any metric
 * gives a point of the constraints, so one mass matrix serves all iterations of both levels.
 *
 * Unit quaternions are scaled back to length one; F w is tangent to the sphere, so this is of
 * second order in the step. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "internal.h"
#include "linalg.h"

enum { ITERATIONS = 50, HALVINGS = 12 };
#define DEPENDENT_ROW 1e-10 /* sine of the angle between a row and the ones taken before */
#define ROUND_OFF (4 * DBL_EPSILON)
#define SMALL_STEP 1e-9 /* Newton squares it: the next step would be below round-off */
#define SATISFIED 1e-10 /* relative residual of a row that counts as satisfied */

typedef struct level {
    const zw_func *f;
    int m;           /* constraint rows */
    int n, offset;   /* entries of x that move: x[offset .. offset + n) */
    const double *F; /* n x nv in the function's out, NULL for the identity */
    zw_fault_kind kind;
    const char *what;
} level;

/* which level, and whether the rows of the start belong to it */
typedef enum level_name { POSITION, VELOCITY, START_POSITION, START_VELOCITY } level_name;

static level level_of(const zw_run *run, level_name name) {
    const zw_kernel *k = run->k;
    int m = k->npos + k->nstart_pos;
    if (name == START_POSITION)
        return (level){&k->start_pos,     m,         k->nq, 0, run->out + m + m * k->nv,
                       ZW_FAULT_POSITION, "position"};
    if (name == START_VELOCITY)
        return (level){&k->start_vel, k->nvel + k->nstart_vel, k->nv,     k->nq,
                       NULL,          ZW_FAULT_VELOCITY,       "velocity"};
    if (name == POSITION)
        return (level){&k->pos,           k->npos,   k->nq, 0, run->out + k->npos + k->npos * k->nv,
                       ZW_FAULT_POSITION, "position"};
    return (level){&k->vel, k->nvel, k->nv, k->nq, NULL, ZW_FAULT_VELOCITY, "velocity"};
}

void zw_num_set_metric(zw_run *run, double t, const double *x) {
    int nv = run->k->nv;
    const zw_func *f = run->k->metric.nout > 0 ? &run->k->metric : &run->k->mats;
    zw_call(f, &t, x, NULL, run->cache, run->out, run->work);
    memcpy(run->L, run->out, sizeof(double) * (size_t)(nv * nv));
    zw_num_metric(nv, run->L);
}

static double largest_entry(int n, const double *x) {
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

/* does entry i of this level move when the row does? */
static bool is_involved(const level *v, int nv, const double *row, int i) {
    if (!v->F)
        return row[i] != 0;
    for (int j = 0; j < nv; j++)
        if (row[j] != 0 && v->F[i * nv + j] != 0)
            return true;
    return false;
}

/* What rounding leaves of row k: its gradient times the size of the entries it is made of. (An angle
 * that has turned a thousand times is no excuse for a length.) */
static double row_unit(const zw_run *run, const level *v, int k, const double *x) {
    int nv = run->k->nv;
    const double *row = run->out + v->m + k * nv;
    double sum = 0, size = 0;
    for (int j = 0; j < nv; j++)
        sum += fabs(row[j]);
    for (int i = 0; i < v->n; i++)
        if (fabs(x[v->offset + i]) > size && is_involved(v, nv, row, i))
            size = fabs(x[v->offset + i]);
    return fmax(sum, DBL_MIN) * (1 + size);
}

/* evaluate the level; the largest residual in units of its row, and that row */
static double evaluate(zw_run *run, const level *v, double t, const double *x, int *worst) {
    zw_call(v->f, &t, x, NULL, run->cache, run->out, run->work);
    double largest = 0;
    *worst = -1;
    for (int k = 0; k < v->m; k++) {
        double relative = fabs(run->out[k]) / row_unit(run, v, k, x);
        if (run->out[k] != 0 && !(relative <= largest)) {
            largest = isnan(relative) ? INFINITY : relative;
            *worst = k;
        }
    }
    return largest;
}

/* The rows of this level in the metric: fixed entries first, then constraints. Returns their number. */
static int collect_rows(zw_run *run, const level *v, const bool *fixed, int *nfirst) {
    int nv = run->k->nv, m = 0;
    for (int i = 0; fixed && i < v->n; i++) {
        if (!fixed[v->offset + i])
            continue;
        double *row = run->rows + m * nv;
        for (int j = 0; j < nv; j++)
            row[j] = v->F ? v->F[i * nv + j] : i == j;
        run->residual[m++] = 0;
    }
    *nfirst = m;
    for (int k = 0; k < v->m; k++) {
        memcpy(run->rows + m * nv, run->out + v->m + k * nv, sizeof(double) * (size_t)nv);
        run->residual[m++] = -run->out[k];
    }
    for (int k = 0; k < m; k++)
        zw_num_lower_solve(nv, run->L, run->rows + k * nv);
    return m;
}

/* The step of the entries that move, in run->trial; true if no row had to be left out. */
static bool newton_step(zw_run *run, const level *v, const bool *fixed) {
    int nv = run->k->nv, nfirst;
    int m = collect_rows(run, v, fixed, &nfirst);
    int rank = zw_num_rows_factor(m, nv, run->rows, nfirst, DEPENDENT_ROW, run->tau, run->order);
    zw_num_rows_solve(nv, run->rows, rank, run->tau, run->order, run->residual, run->step);
    zw_num_lower_solve_transposed(nv, run->L, run->step);
    for (int i = 0; i < v->n; i++) {
        double d = v->F ? 0 : run->step[i];
        for (int j = 0; v->F && j < nv; j++)
            d += v->F[i * nv + j] * run->step[j];
        run->trial[i] = fixed && fixed[v->offset + i] ? 0 : d;
    }
    return rank == m;
}

/* Scale the free entries of each unit quaternion to length one. */
static zw_status normalise(zw_run *run, double t, double *x, const bool *fixed, zw_error *err) {
    for (int u = 0; u < run->k->nunit; u++) {
        int first = run->k->unit[u];
        double kept = 0, moving = 0;
        for (int i = first; i < first + 4; i++)
            *(fixed && fixed[i] ? &kept : &moving) += x[i] * x[i];
        double left = 1 - kept;
        if (fabs(left - moving) <= 2 * DBL_EPSILON)
            continue;
        /* what rounding of the kept entries leaves is no contradiction */
        bool all_kept = moving == 0 && fabs(left) <= 1e-12;
        if (all_kept)
            continue;
        if (!(moving > 0) || !(left >= 0) || !isfinite(moving)) {
            zw_num_fault(run, ZW_FAULT_UNIT, first, t, kept + moving);
            return zw_fail(err, ZW_E_START,
                           "the quaternion of coordinates %d to %d cannot be given length one "
                           "(the square of its length is %.10g)",
                           first + 1, first + 4, kept + moving);
        }
        double factor = sqrt(left / moving);
        for (int i = first; i < first + 4; i++)
            if (!fixed || !fixed[i])
                x[i] *= factor;
    }
    return ZW_OK;
}

static zw_status refuse(zw_run *run, const level *v, double t, const double *x, int worst,
                        zw_error *err) {
    int row;
    evaluate(run, v, t, x, &row);
    if (row < 0)
        row = worst;
    double residual = run->out[row];
    zw_num_fault(run, v->kind, row, t, residual);
    zw_fail(err, ZW_E_START,
            "the constraints on %s level cannot be satisfied at t = %.10g: row %d keeps the "
            "residual %.6g",
            v->what, t, row + 1, residual);
    zw_error_hint(err,
                  "leave a start value free that contradicts the constraints; where a constraint "
                  "has no gradient, give a start value nearer to the wanted position");
    return ZW_E_START;
}

/* x moved by a fraction of the step in run->trial, in run->point */
static zw_status move(zw_run *run, const level *v, double t, const double *x, double fraction,
                      const bool *fixed, zw_error *err) {
    memcpy(run->point, x, sizeof(double) * (size_t)run->k->nx);
    for (int i = 0; i < v->n; i++)
        run->point[v->offset + i] += fraction * run->trial[i];
    return v->offset == 0 ? normalise(run, t, run->point, fixed, err) : ZW_OK;
}

/* Newton's method on one level with step halving. */
static zw_status satisfy(zw_run *run, level_name name, double t, double *x, const bool *fixed,
                         zw_error *err) {
    const level v = level_of(run, name);
    const size_t size = sizeof(double) * (size_t)run->k->nx;
    if (v.m == 0)
        return ZW_OK;
    int worst;
    double now = evaluate(run, &v, t, x, &worst);
    for (int iteration = 0; iteration < ITERATIONS && now > ROUND_OFF; iteration++) {
        bool independent = newton_step(run, &v, fixed);
        double moved = largest_entry(v.n, run->trial);
        if (!isfinite(moved))
            return refuse(run, &v, t, x, worst, err);
        double before = now, fraction = 1;
        ZW_TRY(move(run, &v, t, x, fraction, fixed, err));
        if (independent && moved <= SMALL_STEP * (1 + largest_entry(v.n, x + v.offset))) {
            memcpy(x, run->point, size);
            return ZW_OK;
        }
        now = evaluate(run, &v, t, run->point, &worst);
        for (int h = 0; h < HALVINGS && !(now < before); h++) {
            fraction /= 2;
            ZW_TRY(move(run, &v, t, x, fraction, fixed, err));
            now = evaluate(run, &v, t, run->point, &worst);
        }
        if (!(now < before)) { /* nothing left to gain: either round-off or a contradiction */
            now = evaluate(run, &v, t, x, &worst);
            break;
        }
        memcpy(x, run->point, size);
    }
    return now <= SATISFIED ? ZW_OK : refuse(run, &v, t, x, worst, err);
}

zw_status zw_num_project(zw_run *run, double t, double *x, const bool *fixed, zw_error *err) {
    run->info.projections++;
    ZW_TRY(normalise(run, t, x, fixed, err));
    if (run->k->npos + run->k->nvel == 0)
        return ZW_OK;
    zw_num_set_metric(run, t, x);
    ZW_TRY(satisfy(run, POSITION, t, x, fixed, err));
    return satisfy(run, VELOCITY, t, x, fixed, err);
}

zw_status zw_num_project_start(zw_run *run, double t, double *x, const bool *fixed, zw_error *err) {
    if (run->k->nstart_pos + run->k->nstart_vel == 0)
        return zw_num_project(run, t, x, fixed, err);
    ZW_TRY(normalise(run, t, x, fixed, err));
    zw_num_set_metric(run, t, x);
    ZW_TRY(satisfy(run, START_POSITION, t, x, fixed, err));
    return satisfy(run, START_VELOCITY, t, x, fixed, err);
}

void zw_num_residuals(zw_run *run, double t, const double *x, double *position, double *velocity) {
    *position = *velocity = 0;
    if (run->k->npos > 0) {
        zw_call(&run->k->pos, &t, x, NULL, run->cache, run->out, run->work);
        *position = largest_entry(run->k->npos, run->out);
    }
    if (run->k->nvel > 0) {
        zw_call(&run->k->vel, &t, x, NULL, run->cache, run->out, run->work);
        *velocity = largest_entry(run->k->nvel, run->out);
    }
}
