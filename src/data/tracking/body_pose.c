/* SPDX-License-Identifier: MIT */
/* Least squares of poses, (1) of the header, with the damping of Levenberg and Marquardt if a step
 * does not reduce the sum. */
#include "body_pose.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/rotation.h"
#include "base/tolerance.h"
#include "expression_values.h"
#include "num/linear/linalg.h"

/* standard deviation of |e| = 1 of quaternions, at most: a hundredth of that of angles, so that it
 * does not enter the result */
#define UNIT_SD 1e-3
/* ratio of the pivots of the normal matrix: correlations of unknowns above 1 - 1e-10 leave no
 * digits of their covariance */
#define PIVOT_DETERMINED 1e-10
/* in standard deviations of an unknown: further steps are below every use of the result */
#define STEP_CONVERGED 1e-9
#define PIVOT_SOLVABLE 1e-14 /* ratio of the pivots: below, the step is round-off */
#define FIRST_DAMPING 1e-6   /* of a singular matrix: just enough to make it regular */
/* in standard deviations: the change of the sum by so small a step is round-off, so that it may
 * increase */
#define STEP_ROUNDOFF 1e-6
#define SMALLEST_DAMPING 1e-7      /* less damping has no effect on a regular matrix */
#define DAMPING_AFTER_FAILURE 1e-3 /* of a regular matrix: a step that is not shorter fails again */
#define LARGEST_DAMPING 1e8        /* steps shorter by this are none: no descent is possible */
/* in standard deviations: the solution is found although the iteration has not converged */
#define STEP_ACCEPTED 1e-3
#define UNIT_PART 0.01 /* of the standard deviation of angles: that of |e| = 1 */

enum {
    POSE = 12,      /* numbers of a pose: axes and position */
    ROWS = 6,       /* residuals of a pose: angles and position */
    ITERATIONS = 60 /* of least squares: a limit: a convergent iteration needs far fewer */
};

struct zw_posed {
    zw_arena *arena;
    const zw_system *sys;
    int nframe, n; /* n: unknowns */
    int *frame, *unknown;
    bool *angle;
    int nunit, *unit; /* first coordinates of quaternions among the unknowns */
    const double *p;
    zw_values *values;
    /* for each frame the pose, then its derivative with respect to each unknown */
    const double *out;
    double *J, *N, *g, *step, *trial, *scaled; /* of a solution */
    int *pivot;
};

/* ------------------------------------------------------------------------------------ the model */

static zw_status find_unknowns(zw_posed *b, const zw_expr *pose, zw_error *err) {
    const zw_system *s = b->sys;
    zw_expr *symbol = ZW_NEW(b->arena, zw_expr, s->nq + 1);
    bool *found = ZW_NEW(b->arena, bool, s->nq + 1);
    b->unknown = ZW_NEW(b->arena, int, s->nq + 1);
    b->unit = ZW_NEW(b->arena, int, s->nframe + 1);
    if (b->arena->failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < s->nq; i++)
        symbol[i] = s->coord[i].sym;
    if (!zw_occurring(s->ctx, POSE * b->nframe, pose, s->nq, symbol, found))
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < s->nq; i++)
        if (found[i])
            b->unknown[b->n++] = i;
    for (int k = 0; k < s->nframe; k++)
        if (s->frame[k].quaternion >= 0 && found[s->frame[k].quaternion])
            b->unit[b->nunit++] = s->frame[k].quaternion;
    if (b->n > 0)
        return ZW_OK;
    return zw_fail(err, ZW_E_MODEL, "the frame %s depends on no coordinate: nothing is seen there",
                   s->frame[b->frame[0]].name);
}

static zw_status compile_poses(zw_posed *b, zw_error *err) {
    const zw_system *s = b->sys;
    zw_expr *pose = ZW_NEW(b->arena, zw_expr, POSE * b->nframe);
    if (!pose)
        return zw_out_of_memory(err, NULL);
    for (int k = 0; k < b->nframe; k++) {
        memcpy(pose + POSE * k, s->frame[b->frame[k]].A, 9 * sizeof *pose);
        memcpy(pose + POSE * k + 9, s->frame[b->frame[k]].o, 3 * sizeof *pose);
    }
    ZW_TRY(find_unknowns(b, pose, err));
    int block = POSE * (1 + b->n);
    zw_expr *all = ZW_NEW(b->arena, zw_expr, block * b->nframe);
    if (!all)
        return zw_out_of_memory(err, NULL);
    for (int k = 0; k < b->nframe; k++) {
        memcpy(all + block * k, pose + POSE * k, POSE * sizeof *pose);
        for (int i = 0; i < b->n; i++)
            for (int j = 0; j < POSE; j++)
                all[block * k + POSE * (1 + i) + j] =
                    zw_diff(s->ctx, pose[POSE * k + j], s->coord[b->unknown[i]].sym);
    }
    ZW_TRY(zw_context_status(s->ctx, err));
    return zw_values_create(&b->values, b->arena, s, block * b->nframe, all, b->p,
                            "the place of a body", err);
}

static void evaluate_poses(zw_posed *b, double t, const double *q) {
    b->out = zw_values_at(b->values, t, q);
}

static const double *pose_of(const zw_posed *b, int k) {
    return b->out + k * POSE * (1 + b->n);
}

/* Is an unknown an angle? The poses at some state, and after it has grown by 2 pi. */
static zw_status find_angles(zw_posed *b, zw_error *err) {
    int nout = b->nframe * POSE * (1 + b->n);
    double *q = ZW_NEW(b->arena, double, b->sys->nq + 1),
           *before = ZW_NEW(b->arena, double, nout + 1);
    b->angle = ZW_NEW(b->arena, bool, b->n);
    if (b->arena->failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < b->sys->nq; i++)
        q[i] = 0.3 + 0.1 * i;
    evaluate_poses(b, 0, q);
    memcpy(before, b->out, (size_t)nout * sizeof *before);
    for (int i = 0; i < b->n; i++) {
        double kept = q[b->unknown[i]];
        q[b->unknown[i]] = kept + 2 * M_PI;
        evaluate_poses(b, 0, q);
        b->angle[i] = true;
        for (int j = 0; j < nout; j++)
            if (!(fabs(b->out[j] - before[j]) <= ZW_SAME_VALUE * (1 + fabs(before[j]))))
                b->angle[i] = false;
        q[b->unknown[i]] = kept;
    }
    return ZW_OK;
}

zw_status zw_posed_create(zw_posed **out, zw_arena *arena, const zw_system *sys, int nframe,
                          const int *frame, const double *p, zw_error *err) {
    zw_posed *b = ZW_NEW(arena, zw_posed, 1);
    *out = b;
    if (!b)
        return zw_out_of_memory(err, NULL);
    *b = (zw_posed){.arena = arena, .sys = sys, .nframe = nframe, .p = p};
    b->frame = ZW_NEW(arena, int, nframe);
    if (!b->frame)
        return zw_out_of_memory(err, NULL);
    memcpy(b->frame, frame, (size_t)nframe * sizeof *frame);
    ZW_TRY(compile_poses(b, err));
    int n = b->n;
    b->J = ZW_NEW(arena, double, ROWS *n);
    b->N = ZW_NEW(arena, double, n *n);
    b->scaled = ZW_NEW(arena, double, n *n);
    b->g = ZW_NEW(arena, double, n);
    b->step = ZW_NEW(arena, double, n *n);
    b->trial = ZW_NEW(arena, double, sys->nq + 1);
    b->pivot = ZW_NEW(arena, int, n);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    return find_angles(b, err);
}

void zw_posed_destroy(zw_posed *b) {
    if (b)
        zw_values_destroy(b->values);
}

int zw_posed_unknowns(const zw_posed *b, const int **unknown) {
    *unknown = b->unknown;
    return b->n;
}

bool zw_posed_is_angle(const zw_posed *b, int k) {
    return b->angle[k];
}

void zw_posed_at(zw_posed *b, double t, const double *q, int k, double A[9], double o[3]) {
    evaluate_poses(b, t, q);
    memcpy(A, pose_of(b, k), 9 * sizeof *A);
    memcpy(o, pose_of(b, k) + 9, 3 * sizeof *o);
}

/* -------------------------------------------------------------------------------- least squares */

/* w of [w]x = D A', D a derivative of A. */
static void axis_of(const double D[9], const double A[9], double w[3]) {
    double S[9];
    zw_rotation_product_right(D, A, S);
    w[0] = (S[7] - S[5]) / 2, w[1] = (S[2] - S[6]) / 2, w[2] = (S[3] - S[1]) / 2;
}

/* Residuals of a target over their sd, and with `jacobian` the derivatives of the predicted values;
 * returns their number. */
static int rows_of(zw_posed *b, const zw_posed_target *g, double r[ROWS], bool jacobian) {
    const double *A = pose_of(b, g->k), *o = A + 9;
    double turn[9], place[3] = {0};
    int rows = 0;
    if (!g->point) {
        zw_rotation_product_right(g->A, A, turn);
        zw_rotation_vector(turn, r);
        for (int i = 0; i < 3; i++)
            r[i] /= g->sd_angle;
        for (int k = 0; jacobian && k < b->n; k++) {
            double w[3];
            axis_of(A + POSE * (1 + k), A, w);
            for (int i = 0; i < 3; i++)
                b->J[i * b->n + k] = w[i] / g->sd_angle;
        }
        rows = 3;
    } else {
        zw_rotation_turn(A, g->a, place);
    }
    for (int i = 0; i < 3; i++)
        r[rows + i] = (g->r[i] - o[i] - place[i]) / g->sd_place;
    for (int k = 0; jacobian && k < b->n; k++) {
        const double *D = A + POSE * (1 + k);
        double moved[3] = {0};
        if (g->point)
            zw_rotation_turn(D, g->a, moved);
        for (int i = 0; i < 3; i++)
            b->J[(rows + i) * b->n + k] = (D[9 + i] + moved[i]) / g->sd_place;
    }
    return rows + 3;
}

static int place_of(const zw_posed *b, int coordinate) {
    for (int k = 0; k < b->n; k++)
        if (b->unknown[k] == coordinate)
            return k;
    return -1;
}

/* The sum (1) at q; with N = J'J and g = J'r. */
static double sum_residuals(zw_posed *b, double t, int n, const zw_posed_target *target,
                            const double *q, bool jacobian) {
    double r[ROWS], sum = 0, unit = UNIT_SD;
    evaluate_poses(b, t, q);
    if (jacobian) {
        memset(b->N, 0, (size_t)(b->n * b->n) * sizeof *b->N);
        memset(b->g, 0, (size_t)b->n * sizeof *b->g);
    }
    for (int m = 0; m < n; m++) {
        int rows = rows_of(b, &target[m], r, jacobian);
        unit = fmin(unit, UNIT_PART * target[m].sd_angle);
        for (int i = 0; i < rows; i++) {
            sum += r[i] * r[i];
            for (int k = 0; jacobian && k < b->n; k++) {
                b->g[k] += b->J[i * b->n + k] * r[i];
                for (int l = 0; l < b->n; l++)
                    b->N[k * b->n + l] += b->J[i * b->n + k] * b->J[i * b->n + l];
            }
        }
    }
    for (int m = 0; m < b->nunit; m++) { /* |e| = 1 */
        const double *e = q + b->unit[m];
        int at = place_of(b, b->unit[m]);
        double rest = (1 - e[0] * e[0] - e[1] * e[1] - e[2] * e[2] - e[3] * e[3]) / 2 / unit;
        sum += rest * rest;
        for (int k = 0; jacobian && k < 4; k++) {
            b->g[at + k] += e[k] / unit * rest;
            for (int l = 0; l < 4; l++)
                b->N[(at + k) * b->n + at + l] += e[k] * e[l] / (unit * unit);
        }
    }
    return sum;
}

/* The normal matrix with unit diagonal: its pivot ratio, and its factors in b->scaled. A column of
 * zeros: returns 0, *which is its number. */
static double factor_scaled(zw_posed *b, double damping, int *which) {
    int n = b->n;
    for (int k = 0; k < n; k++)
        if (!(b->N[k * n + k] > 0)) {
            *which = k;
            return 0;
        }
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
            b->scaled[k * n + l] =
                b->N[k * n + l] / sqrt(b->N[k * n + k] * b->N[l * n + l]) + (k == l ? damping : 0);
    return zw_num_lu(n, b->scaled, b->pivot);
}

static double try_step(zw_posed *b, double t, int n, const zw_posed_target *target, const double *q,
                       double *change) {
    *change = 0;
    for (int k = 0; k < b->n; k++)
        b->step[k] = b->g[k] / sqrt(b->N[k * b->n + k]);
    zw_num_lu_solve(b->n, b->scaled, b->pivot, 1, b->step);
    memcpy(b->trial, q, (size_t)b->sys->nq * sizeof *q);
    for (int k = 0; k < b->n; k++) {
        double d = b->step[k] / sqrt(b->N[k * b->n + k]);
        b->trial[b->unknown[k]] += d;
        *change = fmax(*change, fabs(b->step[k])); /* in standard deviations of the unknown alone */
    }
    return sum_residuals(b, t, n, target, b->trial, false);
}

/* Cholesky factors of the matrix with unit diagonal: the first unknown that depends on those before
 * it, or the last. */
static int find_dependent(zw_posed *b) {
    int n = b->n;
    double *L = b->step;
    for (int i = 0; i < n; i++) {
        if (!(b->N[i * n + i] > 0))
            return i;
        for (int j = 0; j <= i; j++) {
            double sum = b->N[i * n + j] / sqrt(b->N[i * n + i] * b->N[j * n + j]);
            for (int k = 0; k < j; k++)
                sum -= L[i * n + k] * L[j * n + k];
            if (i == j && sum < ZW_ROUNDOFF_SOLVED)
                return i;
            L[i * n + j] = i == j ? sqrt(sum) : sum / L[j * n + j];
        }
    }
    return n - 1;
}

/* The covariance, or the unknown that is not determined. */
static zw_posed_answer find_covariance(zw_posed *b, double *cov, int *which) {
    int n = b->n;
    double ratio = factor_scaled(b, 0, which);
    if (!(ratio > PIVOT_DETERMINED)) {
        *which = find_dependent(b);
        return ZW_POSED_SINGULAR;
    }
    memset(b->step, 0, (size_t)(n * n) * sizeof *cov);
    for (int k = 0; k < n; k++)
        b->step[k * n + k] = 1;
    zw_num_lu_solve(n, b->scaled, b->pivot, n, b->step);
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
            cov[k * n + l] = b->step[k * n + l] / sqrt(b->N[k * n + k] * b->N[l * n + l]);
    for (int k = 0; k < n; k++)
        if (b->angle[k] && !(cov[k * n + k] < ZW_POSED_SD * ZW_POSED_SD)) {
            *which = k;
            return ZW_POSED_SINGULAR;
        }
    return ZW_POSED_FOUND;
}

zw_posed_answer zw_posed_solve(zw_posed *b, double t, int ntarget, const zw_posed_target *target,
                               double *q, double *cov, double *chi2, int *which) {
    double damping = 0, change = INFINITY;
    double sum = sum_residuals(b, t, ntarget, target, q, true);
    *which = 0;
    for (int i = 0; i < ITERATIONS && change > STEP_CONVERGED; i++) {
        if (!(factor_scaled(b, damping, which) > PIVOT_SOLVABLE)) {
            if (damping > 0 || !(factor_scaled(b, damping = FIRST_DAMPING, which) > 0))
                break;
        }
        double next = try_step(b, t, ntarget, target, q, &change);
        if (next <= sum || change < STEP_ROUNDOFF) {
            memcpy(q, b->trial, (size_t)b->sys->nq * sizeof *q);
            damping = damping < SMALLEST_DAMPING ? 0 : damping / 10;
            sum = sum_residuals(b, t, ntarget, target, q, true);
        } else {
            damping = damping > 0 ? damping * 10 : DAMPING_AFTER_FAILURE;
            if (damping > LARGEST_DAMPING)
                break;
        }
    }
    *chi2 = sum;
    if (!isfinite(sum))
        return ZW_POSED_NONE;
    sum_residuals(b, t, ntarget, target, q, true);
    zw_posed_answer answer = find_covariance(b, cov, which);
    return answer == ZW_POSED_FOUND && change > STEP_ACCEPTED ? ZW_POSED_NONE : answer;
}
