/* SPDX-License-Identifier: MIT */
/* Projection onto the constraints. On position level Newton's method for phi(t, q) = 0 with the
 * step that is shortest in the metric of the mass matrix:
 *
 *     dq = F w,   w = M^-1 Phi' (Phi M^-1 Phi')^-1 (-phi),      Phi = dphi'/dv;
 *
 * on velocity level the same with dv = w, Psi, psi. With M = L L' the step is w = L'^-1 y, y the
 * shortest solution of (Phi L'^-1) y = -phi, found by a rank-revealing factorisation of the rows:
 * redundant rows are left out, and if they contradict the others their residual remains and is
 * reported.
 *
 * An entry that must not move is a row (F w)_i = 0 (or w_i = 0) taken before all constraints, like
 * an infinite mass. Directions without mass get the identity as metric. Any metric gives a point of
 * the constraints, so one mass matrix serves all iterations of both levels.
 *
 * Unit quaternions are scaled back to length one; F w is tangent to the sphere, so this is of
 * second order in the step. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "num/linear/linalg.h"
#include "project.h"
#include "workspace.h"

enum { ITERATIONS = 50, HALVINGS = 12 };
/* Sine of the angle between a row and those before it, below which it is dependent: round-off
 * leaves 1e-13, and larger angles of constraints are part of the model. */
#define DEPENDENT_ROW 1e-10
#define RESIDUAL_ROUNDOFF (4 * DBL_EPSILON) /* in units of the row */
/* Newton step of an entry of size 1 whose square, the next error, is below eps */
#define LAST_STEP 1e-9
/* Largest relative residual of a row that is left out near a singular position: it moves freely for
 * a short time only and drifts no farther. */
#define OMITTED_RESIDUAL 1e-7
#define QUATERNION_ROUNDOFF ZW_ROUNDOFF_SUM /* of the squared length of given entries */

static zw_num_level position_level(const zw_kernel *k, zw_function_name function, int m,
                                   zw_pos_parts a) {
    return (zw_num_level){.function = function,
                          .m = m,
                          .value = a.phi,
                          .rows = a.Phi,
                          .n = k->nq,
                          .F = a.F,
                          .kind = ZW_FAULT_POSITION,
                          .what = "position",
                          .reach = -1,
                          .dependent = DEPENDENT_ROW};
}

static zw_num_level velocity_level(const zw_kernel *k, zw_function_name function, int m,
                                   zw_vel_parts a) {
    return (zw_num_level){.function = function,
                          .m = m,
                          .value = a.psi,
                          .rows = a.Psi,
                          .n = k->nv,
                          .offset = k->nq,
                          .kind = ZW_FAULT_VELOCITY,
                          .what = "velocity",
                          .reach = -1,
                          .dependent = DEPENDENT_ROW};
}

/* sets the sizes that decide the rank along the motion, if rows may depend on each other */
static zw_num_level along_motion(const zw_kernel *k, zw_num_level v, int reach) {
    if (k->pseudo) {
        v.reach = reach;
        v.dependent = ZW_NUM_DEPENDENT_ROW;
    }
    return v;
}

zw_num_level zw_num_level_of(const zw_flow *flow, zw_num_level_name name) {
    const zw_kernel *k = flow->k;
    switch (name) {
    case ZW_NUM_POSITION:
        return along_motion(k,
                            position_level(k, ZW_FN_POS, k->npos - (flow->on_leaf ? 0 : k->nleaf),
                                           zw_pos_of(k, flow->out)),
                            0);
    case ZW_NUM_VELOCITY:
        return along_motion(k, velocity_level(k, ZW_FN_VEL, k->nvel, zw_vel_of(k, flow->out)),
                            k->npos);
    case ZW_NUM_START_POSITION: {
        zw_start_pos_parts a = zw_start_pos_of(k, flow->out);
        return position_level(k, ZW_FN_START_POS, k->npos - k->nleaf + k->nstart_pos,
                              (zw_pos_parts){a.phi, a.Phi, a.F});
    }
    case ZW_NUM_START_VELOCITY:
    default: {
        zw_start_vel_parts a = zw_start_vel_of(k, flow->out);
        return velocity_level(k, ZW_FN_START_VEL, k->nvel + k->nstart_vel,
                              (zw_vel_parts){a.psi, a.Psi});
    }
    }
}

bool zw_num_has_constraints(const zw_kernel *k) {
    return k->npos + k->nvel + k->nunit > 0;
}

const double *zw_num_mass(zw_flow *flow, double t, const double *x) {
    return flow->k->own_metric ? zw_at_metric(flow, t, x, NULL).M : zw_at_mats(flow, t, x, NULL).M;
}

void zw_num_set_metric(zw_flow *flow, double t, const double *x) {
    int nv = flow->k->nv;
    memcpy(flow->L, zw_num_mass(flow, t, x), sizeof(double) * (size_t)(nv * nv));
    zw_num_metric(nv, flow->L);
}

static double largest_entry(int n, const double *x) {
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

/* does a displacement of the row move entry i of this level? */
bool zw_num_level_involves(const zw_num_level *v, int nv, const double *row, int i) {
    if (!v->F)
        return row[i] != 0;
    for (int j = 0; j < nv; j++)
        if (row[j] != 0 && v->F[i * nv + j] != 0)
            return true;
    return false;
}

/* The round-off of row k, in eps: its gradient times the size of its entries, entry by entry. (A
 * large angle must not weaken the test of a length.) */
double zw_num_level_unit(const zw_flow *flow, const zw_num_level *v, int k, const double *x) {
    int nv = flow->k->nv;
    const double *row = v->rows + k * nv;
    double sum = 0, size = 0;
    for (int j = 0; j < nv; j++)
        sum += fabs(row[j]);
    for (int i = 0; i < v->n; i++)
        if (fabs(x[v->offset + i]) > size && zw_num_level_involves(v, nv, row, i))
            size = fabs(x[v->offset + i]);
    if (v->reach >= 0)
        sum = fmax(sum, flow->reach_sum[v->reach + k]);
    return fmax(sum, DBL_MIN) * (1 + size);
}

/* updates the sizes of the rows along the motion */
static void update_row_sizes(zw_flow *flow, zw_num_level_name name, double t, const double *x) {
    const zw_num_level v = zw_num_level_of(flow, name);
    int nv = flow->k->nv;
    if (v.m == 0)
        return;
    zw_num_call(flow, v.function, t, x, NULL);
    for (int k = 0; k < v.m; k++) {
        double sum = 0, square = 0, *row = flow->rows;
        memcpy(row, v.rows + k * nv, sizeof(double) * (size_t)nv);
        for (int j = 0; j < nv; j++)
            sum += fabs(row[j]);
        zw_num_lower_solve(nv, flow->L, row);
        for (int j = 0; j < nv; j++)
            square += row[j] * row[j];
        flow->reach[v.reach + k] = fmax(flow->reach[v.reach + k], sqrt(square));
        flow->reach_sum[v.reach + k] = fmax(flow->reach_sum[v.reach + k], sum);
    }
}

/* Newton's method squares the step of an entry; is that below its round-off? (A large coordinate
 * must not weaken the test of the others.) */
static bool is_small(int n, const double *step, const double *x) {
    for (int i = 0; i < n; i++)
        if (!(step[i] * step[i] <= LAST_STEP * LAST_STEP * (1 + fabs(x[i]))))
            return false;
    return true;
}

/* evaluates the level; the largest residual in units of its row, and that row */
double zw_num_level_evaluate(zw_flow *flow, const zw_num_level *v, double t, const double *x,
                             int *worst) {
    zw_num_call(flow, v->function, t, x, NULL);
    double largest = 0;
    *worst = -1;
    for (int k = 0; k < v->m; k++) {
        double relative = fabs(v->value[k]) / zw_num_level_unit(flow, v, k, x);
        if (v->omitted && v->omitted[k] && relative <= OMITTED_RESIDUAL)
            continue;
        if (v->value[k] != 0 && !(relative <= largest)) {
            largest = isnan(relative) ? INFINITY : relative;
            *worst = k;
        }
    }
    return largest;
}

/* The rows of this level in the metric: fixed entries first, then constraints. Returns their
 * number. */
static int collect_rows(zw_flow *flow, const zw_num_level *v, const bool *fixed, int *nfirst) {
    int nv = flow->k->nv, m = 0;
    for (int i = 0; fixed && i < v->n; i++) {
        if (!fixed[v->offset + i])
            continue;
        double *row = flow->rows + m * nv;
        for (int j = 0; j < nv; j++)
            row[j] = v->F ? v->F[i * nv + j] : i == j;
        flow->size[m] = 0;
        flow->residual[m++] = 0;
    }
    *nfirst = m;
    for (int k = 0; k < v->m; k++) {
        memcpy(flow->rows + m * nv, v->rows + k * nv, sizeof(double) * (size_t)nv);
        flow->size[m] = v->reach >= 0 ? flow->reach[v->reach + k] : 0;
        flow->residual[m++] = -v->value[k];
    }
    for (int k = 0; k < m; k++)
        zw_num_lower_solve(nv, flow->L, flow->rows + k * nv);
    return m;
}

/* Was the row at this place of the order left out, although it does not depend on the others at all
 * states? */
static bool is_omitted(const zw_flow *flow, const zw_num_level *v, int place, int rank) {
    int nv = flow->k->nv, row = flow->order[place];
    double sum = 0;
    for (int i = rank; v->reach >= 0 && place >= rank && i < nv; i++)
        sum += flow->rows[row * nv + i] * flow->rows[row * nv + i];
    return sqrt(sum) > ZW_NUM_ALWAYS_DEPENDENT * flow->size[row];
}

/* The step of the entries that move, in flow->trial; true if no row had to be left out. */
static bool newton_step(zw_flow *flow, const zw_num_level *v, const bool *fixed) {
    int nv = flow->k->nv, nfirst;
    int m = collect_rows(flow, v, fixed, &nfirst);
    int rank = zw_num_rows_factor_sized(m, nv, flow->rows, nfirst, v->dependent, flow->size,
                                        flow->tau, flow->order);
    zw_num_rows_solve(nv, flow->rows, rank, flow->tau, flow->order, flow->residual, flow->step);
    zw_num_lower_solve_transposed(nv, flow->L, flow->step);
    for (int k = 0; k < m; k++)
        if (flow->order[k] >= nfirst)
            flow->omitted[flow->order[k] - nfirst] = is_omitted(flow, v, k, rank);
    for (int i = 0; i < v->n; i++) {
        double d = v->F ? 0 : flow->step[i];
        for (int j = 0; v->F && j < nv; j++)
            d += v->F[i * nv + j] * flow->step[j];
        flow->trial[i] = fixed && fixed[v->offset + i] ? 0 : d;
    }
    return rank == m;
}

/* Scales the free entries of each unit quaternion to length one. */
zw_status zw_num_normalise(zw_flow *flow, double t, double *x, const bool *fixed, zw_error *err) {
    for (int u = 0; u < flow->k->nunit; u++) {
        int first = flow->k->unit[u];
        double kept = 0, moving = 0;
        for (int i = first; i < first + 4; i++)
            *(fixed && fixed[i] ? &kept : &moving) += x[i] * x[i];
        double left = 1 - kept;
        if (fabs(left - moving) <= 2 * DBL_EPSILON)
            continue;
        /* round-off of the kept entries is no contradiction */
        bool all_kept = moving == 0 && fabs(left) <= QUATERNION_ROUNDOFF;
        if (all_kept)
            continue;
        if (!(moving > 0) || !(left >= 0) || !isfinite(moving)) {
            zw_num_fault(flow, ZW_FAULT_UNIT, first, t, kept + moving);
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

static zw_status report_unsatisfied(zw_flow *flow, const zw_num_level *v, double t, const double *x,
                                    int worst, zw_error *err) {
    int row;
    zw_num_level_evaluate(flow, v, t, x, &row);
    if (row < 0)
        row = worst;
    double residual = v->value[row];
    zw_num_fault(flow, v->kind, row, t, residual);
    zw_fail(err, ZW_E_START,
            "the constraints on %s level cannot be satisfied at t = %.10g: row %d keeps the "
            "residual %.6g",
            v->what, t, row + 1, residual);
    zw_error_hint(err,
                  "leave a start value free that contradicts the constraints; where a constraint "
                  "has no gradient, give a start value nearer to the desired position");
    return ZW_E_START;
}

/* x moved by a fraction of the step in flow->trial, in flow->point */
static zw_status move_state(zw_flow *flow, const zw_num_level *v, double t, const double *x,
                            double fraction, const bool *fixed, zw_error *err) {
    memcpy(flow->point, x, sizeof(double) * (size_t)flow->k->nx);
    for (int i = 0; i < v->n; i++)
        flow->point[v->offset + i] += fraction * flow->trial[i];
    return v->offset == 0 ? zw_num_normalise(flow, t, flow->point, fixed, err) : ZW_OK;
}

/* Near a singular position the distance from the branch of the motion is the residual divided by
 * the clearance, and the error of its direction the residual divided by its square: residuals must
 * be as small as possible. */
static bool is_near_singular(const zw_flow *flow, const zw_num_level *v) {
    return v->reach >= 0 && flow->clearance < ZW_NUM_NEAR_SINGULAR;
}

/* Newton's method on one level with step halving. */
zw_status zw_num_level_satisfy(zw_flow *flow, zw_num_level_name name, double t, double *x,
                               const bool *fixed, zw_error *err) {
    zw_num_level v = zw_num_level_of(flow, name);
    const size_t size = sizeof(double) * (size_t)flow->k->nx;
    if (v.m == 0)
        return ZW_OK;
    int worst;
    memset(flow->omitted, 0, sizeof(bool) * (size_t)v.m);
    v.omitted = flow->omitted;
    double now = zw_num_level_evaluate(flow, &v, t, x, &worst);
    const double enough = is_near_singular(flow, &v) ? 0 : RESIDUAL_ROUNDOFF;
    for (int iteration = 0; iteration < ITERATIONS && now > enough; iteration++) {
        bool independent = newton_step(flow, &v, fixed);
        if (!independent)
            now = zw_num_level_evaluate(flow, &v, t, x, &worst);
        if (!isfinite(largest_entry(v.n, flow->trial)))
            return report_unsatisfied(flow, &v, t, x, worst, err);
        double before = now, fraction = 1;
        ZW_TRY(move_state(flow, &v, t, x, fraction, fixed, err));
        if (independent && is_small(v.n, flow->trial, x + v.offset)) {
            memcpy(x, flow->point, size);
            return ZW_OK;
        }
        now = zw_num_level_evaluate(flow, &v, t, flow->point, &worst);
        for (int h = 0; h < HALVINGS && !(now < before) && before > RESIDUAL_ROUNDOFF; h++) {
            fraction /= 2;
            ZW_TRY(move_state(flow, &v, t, x, fraction, fixed, err));
            now = zw_num_level_evaluate(flow, &v, t, flow->point, &worst);
        }
        if (!(now < before)) { /* no further decrease: round-off or a contradiction */
            now = zw_num_level_evaluate(flow, &v, t, x, &worst);
            break;
        }
        memcpy(x, flow->point, size);
        if (before <= RESIDUAL_ROUNDOFF && now > before / 2)
            break;
    }
    return now <= ZW_NUM_SATISFIED ? ZW_OK : report_unsatisfied(flow, &v, t, x, worst, err);
}

/* Positions, with the integrals of the start. If these cannot be satisfied (a leaf ends at a
 * singularity of its formula), only velocities are constrained, as without a formula. */
static zw_status satisfy_positions(zw_flow *flow, double t, double *x, const bool *fixed,
                                   zw_error *err) {
    const zw_kernel *k = flow->k;
    if (k->nleaf == 0 || !flow->on_leaf)
        return zw_num_level_satisfy(flow, ZW_NUM_POSITION, t, x, fixed, err);
    zw_error ignored = {0};
    const zw_fault before = flow->fault;
    double *kept = flow->kept;
    memcpy(kept, x, sizeof(double) * (size_t)k->nq);
    if (zw_num_level_satisfy(flow, ZW_NUM_POSITION, t, x, fixed, &ignored) >= 0)
        return ZW_OK;
    flow->fault = before;
    flow->on_leaf = false;
    zw_num_warning(flow, ZW_WARNING_LEAF, -1, t, NAN);
    memcpy(x, kept, sizeof(double) * (size_t)k->nq);
    return zw_num_level_satisfy(flow, ZW_NUM_POSITION, t, x, fixed, err);
}

static zw_status project_state(zw_flow *flow, double t, double *x, const bool *fixed,
                               zw_error *err) {
    flow->projections++;
    ZW_TRY(zw_num_normalise(flow, t, x, fixed, err));
    if (flow->k->npos + flow->k->nvel == 0)
        return ZW_OK;
    if (flow->k->nv == 0)
        return zw_num_project_states(flow, t, x, fixed, err);
    zw_num_set_metric(flow, t, x);
    ZW_TRY(satisfy_positions(flow, t, x, fixed, err));
    return zw_num_level_satisfy(flow, ZW_NUM_VELOCITY, t, x, fixed, err);
}

zw_status zw_num_project(zw_flow *flow, double t, double *x, const bool *fixed, zw_error *err) {
    ZW_TRY(project_state(flow, t, x, fixed, err));
    if (fixed || !flow->k->pseudo)
        return ZW_OK;
    update_row_sizes(flow, ZW_NUM_POSITION, t, x);
    update_row_sizes(flow, ZW_NUM_VELOCITY, t, x);
    return ZW_OK;
}

zw_status zw_num_project_trial(zw_flow *flow, double t, double *x, zw_error *err) {
    return project_state(flow, t, x, NULL, err);
}

void zw_num_project_forget(zw_flow *flow) {
    size_t size = sizeof(double) * (size_t)(flow->k->npos + flow->k->nvel);
    memset(flow->reach, 0, size);
    memset(flow->reach_sum, 0, size);
    flow->on_leaf = false;
}

void zw_num_keep_leaf(zw_flow *flow, double t, const double *x) {
    const zw_kernel *k = flow->k;
    if (k->nleaf == 0)
        return;
    memset(flow->leaf, 0, sizeof(double) * (size_t)k->nleaf);
    flow->on_leaf = true;
    memcpy(flow->leaf, zw_at_pos(flow, t, x, NULL).phi + k->npos - k->nleaf,
           sizeof(double) * (size_t)k->nleaf);
    const double *Phi = zw_pos_of(k, flow->out).Phi + (k->npos - k->nleaf) * k->nv;
    flow->on_leaf =
        zw_num_all_finite(k->nleaf, flow->leaf) && zw_num_all_finite(k->nleaf * k->nv, Phi);
}

zw_status zw_num_project_start(zw_flow *flow, double t, double *x, const bool *fixed,
                               zw_error *err) {
    if (flow->k->nstart_pos + flow->k->nstart_vel == 0)
        return zw_num_project(flow, t, x, fixed, err);
    ZW_TRY(zw_num_normalise(flow, t, x, fixed, err));
    zw_num_set_metric(flow, t, x);
    ZW_TRY(zw_num_level_satisfy(flow, ZW_NUM_START_POSITION, t, x, fixed, err));
    return zw_num_level_satisfy(flow, ZW_NUM_START_VELOCITY, t, x, fixed, err);
}

void zw_num_residuals(zw_flow *flow, double t, const double *x, double *position,
                      double *velocity) {
    *position = *velocity = 0;
    if (flow->k->npos > 0) {
        *position = largest_entry(flow->k->npos, zw_at_pos(flow, t, x, NULL).phi);
    }
    if (flow->k->nvel > 0) {
        *velocity = largest_entry(flow->k->nvel, zw_at_vel(flow, t, x, NULL).psi);
    }
}
