/* SPDX-License-Identifier: MIT */
/* The velocity v_i of a symmetry X_i: F v_i = its part in the coordinates, F = dq'/dv, by least
 * squares; and the momentum J_i = v_i'M v that belongs to it (E. Noether), which is conserved if
 * forces have a potential and constraints are on positions. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "num/linear/dense.h"
#include "zwang/steady.h"

/* of the largest singular value: velocities that move no coordinate; above sqrt(eps), below true
 * kinematics */
#define RANK_OF_F 1e-6
/* of the symmetry: no velocities produce it; a tenth of RANK_OF_F, whose directions are left out */
#define VELOCITY_MISSED 1e-7

typedef struct velocity_solver {
    int nq, nv, nx, least;
    double *F, *sv, *V, *U; /* nq x nv and its decomposition */
} velocity_solver;

/* v (nv) for the part X (nq) of a symmetry; false if there is none. */
static bool solve_velocity(const velocity_solver *m, const double *X, double *v) {
    int nq = m->nq, nv = m->nv;
    double miss = 0, size = 0;
    memset(v, 0, sizeof(double) * (size_t)nv);
    for (int k = 0; k < m->least && m->sv[k] > RANK_OF_F * m->sv[0]; k++) {
        double part = 0;
        for (int i = 0; i < nq; i++)
            part += m->U[k * nq + i] * X[i];
        for (int j = 0; j < nv; j++)
            v[j] += m->V[k * nv + j] * part / m->sv[k];
    }
    for (int i = 0; i < nq; i++) {
        double sum = -X[i];
        for (int j = 0; j < nv; j++)
            sum += m->F[i * nv + j] * v[j];
        miss = fmax(miss, fabs(sum));
        size = fmax(size, fabs(X[i]));
    }
    return miss <= VELOCITY_MISSED * size;
}

static zw_status find_momenta(const zw_symmetries *s, zw_flow *flow, double t, const double *x,
                              double *velocity, double *momentum, bool *known, zw_arena *work,
                              zw_error *err) {
    const zw_kernel *k = zw_flow_kernel(flow);
    int nx = k->nx, nq = k->nq, nv = k->nv, least = nq < nv ? nq : nv;
    double *J = ZW_NEW(work, double, nx *nx + 1), *X = ZW_NEW(work, double, s->n *nx + 1),
           *v = ZW_NEW(work, double, nv + 1);
    velocity_solver m = {.nq = nq, .nv = nv, .nx = nx, .least = least};
    m.F = ZW_NEW(work, double, nq *nv + 1);
    m.sv = ZW_NEW(work, double, nv + 1);
    m.V = ZW_NEW(work, double, nv *nv + 1);
    m.U = ZW_NEW(work, double, least *nq + 1);
    if (work->failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_flow_jacobian(flow, t, x, J, NULL, err));
    ZW_TRY(zw_symmetries_at(s, flow, t, x, NULL, X, err));
    for (int i = 0; i < nq; i++)
        memcpy(m.F + (size_t)i * (size_t)nv, J + (size_t)i * (size_t)nx + nq,
               sizeof(double) * (size_t)nv);
    if (!zw_dense_svd(work, nq, nv, m.F, m.sv, m.V, m.U))
        return zw_dense_failure(work, err);
    const double *M = zw_flow_matrices(flow, t, x).M;
    for (int i = 0; i < s->n; i++) {
        double sum = 0;
        known[i] = solve_velocity(&m, X + (size_t)i * (size_t)nx, v);
        for (int a = 0; a < nv; a++)
            for (int b = 0; b < nv; b++)
                sum += v[a] * M[a * nv + b] * x[nq + b];
        if (momentum)
            momentum[i] = sum;
        if (velocity)
            memcpy(velocity + (size_t)i * (size_t)nv, v, sizeof(double) * (size_t)nv);
    }
    return ZW_OK;
}

zw_status zw_symmetries_momenta(const zw_symmetries *s, zw_flow *flow, double t, const double *x,
                                double *velocity, double *momentum, bool *known, zw_error *err) {
    zw_arena work;
    zw_arena_init(&work, &zw_flow_kernel(flow)->alloc);
    zw_status status = find_momenta(s, flow, t, x, velocity, momentum, known, &work, err);
    zw_arena_clear(&work);
    return status;
}
