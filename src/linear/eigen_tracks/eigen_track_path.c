/* SPDX-License-Identifier: MIT */
/* Linear equations along a path of steady motions, in coordinates that depend smoothly on the
 * value. zw_linearise gives y' = A y with dx = T y modulo orbits, in whatever basis T its
 * decompositions choose. Let o entries of the state measure the displacement along the orbits: Pi =
 * 1 - X'(E_o X')^-1 E_o moves a change of the state back until these entries are zero. n further
 * entries are coordinates of the rest, z = E_q Pi dx, and with S = E_q Pi T
 *
 *     S A S^-1
 *
 * is the same for every basis T. Entries are chosen by pivots at a fixed value, positions before
 * velocities: z then mostly depends on speeds and parameters by polynomials of low degree. A
 * projection along the orbits in the metric of the masses does not have this property. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "num/linear/dense.h"
#include "zwang/statespace.h"

/* The unit of A, relative to the largest entry of the equations of the whole state: entries of A
 * may well be a thousand times smaller than that, with the rounding of the larger ones. */
#define REDUCED_ENTRY 1e-3
/* A position is taken as a coordinate if its entry is above this part of the largest one of
 * velocities; chosen by trial: separates positions that a mode moves from rounding. */
#define POSITION_PIVOT 1e-3

struct zw_track_motion {
    zw_arena arena;
    zw_follow *follow;
    zw_flow *flow;
    int n, nx, norbit;
    double middle;       /* value at which the entries were chosen; NaN at first */
    double unit;         /* see zw_track_motion_unit */
    int *orbit_symmetry; /* norbit: symmetries */
    /* norbit: entries of the state that measure the displacement along these */
    int *orbit_entry;
    int *entry;    /* n: coordinates */
    double *X;     /* symmetries x nx */
    double *P, *M; /* nx x norbit, norbit x norbit: X' and E_o X' */
    double *W, *S; /* nx x n, n x n: Pi T, S */
    bool *used;
};

/* The linear equations at a value; an error if their dimension differs from elsewhere. */
static zw_status linearise_at(zw_track_motion *m, double value, zw_linearisation *a,
                              zw_error *err) {
    ZW_TRY(zw_follow_to(m->follow, value, err));
    ZW_TRY(zw_linearise(a, m->flow, zw_follow_symmetries(m->follow), zw_follow_motion(m->follow),
                        err));
    if (m->n < 0 || (a->n == m->n && a->norbit == m->norbit))
        return ZW_OK;
    int n = a->n;
    zw_linearisation_clear(a);
    zw_fail(err, ZW_E_NUMERIC, "at %.10g the linear equations have %d dimensions, elsewhere %d",
            value, n, m->n);
    zw_error_hint(err, "the constraints or the symmetries are singular there; leave it out of the "
                       "range");
    return ZW_E_NUMERIC;
}

/* The largest entry in the remaining ones of the rows (nx each), in the sizes of the state; among
 * positions if these are not negligible. */
static void find_pivot(const zw_track_motion *m, const double *X, int rows, const bool *done,
                       int *row, int *column) {
    const double *scale = zw_follow_scale(m->follow);
    int nq = zw_flow_kernel(m->flow)->nq;
    double most[2] = {0, 0};
    int best[2][2] = {{0, 0}, {0, 0}};
    for (int i = 0; i < rows; i++)
        for (int l = 0; !done[i] && l < m->nx; l++) {
            double size = fabs(X[i * m->nx + l]) / scale[l];
            int kind = l >= nq;
            if (size > most[kind]) {
                most[kind] = size;
                best[kind][0] = i;
                best[kind][1] = l;
            }
        }
    int kind = most[0] < POSITION_PIVOT * most[1];
    *row = best[kind][0];
    *column = best[kind][1];
}

/* Subtract multiples of a row from the others so that its column becomes zero in them. */
static void eliminate_column(int nx, double *X, int rows, int row, int column) {
    for (int i = 0; i < rows; i++) {
        double part = X[i * nx + column] / X[row * nx + column];
        for (int l = 0; i != row && l < nx; l++)
            X[i * nx + l] -= part * X[row * nx + l];
    }
}

/* W = Pi T at the current state: displacements along the orbits are removed. */
static zw_status remove_orbits(zw_track_motion *m, const zw_linearisation *a, zw_error *err) {
    const zw_steady *at = zw_follow_motion(m->follow);
    int o = m->norbit, n = m->n, nx = m->nx;
    ZW_TRY(
        zw_symmetries_at(zw_follow_symmetries(m->follow), m->flow, at->t, at->x, NULL, m->X, err));
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < o; j++)
            m->P[i * o + j] = m->X[m->orbit_symmetry[j] * nx + i];
    for (int i = 0; i < o; i++)
        for (int j = 0; j < o; j++)
            m->M[i * o + j] = m->P[m->orbit_entry[i] * o + j];
    zw_dense_divide(nx, o, m->M, m->P); /* X'(E_o X')^-1 */
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < n; j++) {
            double sum = a->T[i * n + j];
            for (int l = 0; l < o; l++)
                sum -= m->P[i * o + l] * a->T[m->orbit_entry[l] * n + j];
            m->W[i * n + j] = sum;
        }
    return ZW_OK;
}

/* Choose the entries at a value. */
static zw_status choose_entries(zw_track_motion *m, const zw_linearisation *a, zw_error *err) {
    const zw_steady *at = zw_follow_motion(m->follow);
    const zw_symmetries *s = zw_follow_symmetries(m->follow);
    double *rows = m->S; /* n x nx or symmetries x nx: memory for both */
    ZW_TRY(zw_symmetries_at(s, m->flow, at->t, at->x, NULL, m->X, err));
    memcpy(rows, m->X, sizeof(double) * (size_t)(s->n * m->nx));
    memset(m->used, 0, sizeof(bool) * (size_t)(s->n + m->n + 1));
    for (int k = 0; k < m->norbit; k++) {
        find_pivot(m, rows, s->n, m->used, &m->orbit_symmetry[k], &m->orbit_entry[k]);
        m->used[m->orbit_symmetry[k]] = true;
        eliminate_column(m->nx, rows, s->n, m->orbit_symmetry[k], m->orbit_entry[k]);
    }
    ZW_TRY(remove_orbits(m, a, err));
    for (int i = 0; i < m->nx; i++)
        for (int j = 0; j < m->n; j++)
            rows[j * m->nx + i] = m->W[i * m->n + j];
    memset(m->used, 0, sizeof(bool) * (size_t)(s->n + m->n + 1));
    for (int k = 0, row; k < m->n; k++) {
        find_pivot(m, rows, m->n, m->used, &row, &m->entry[k]);
        m->used[row] = true;
        eliminate_column(m->nx, rows, m->n, row, m->entry[k]);
    }
    return ZW_OK;
}

static zw_status evaluate_reference(zw_track_motion *m, double middle, zw_error *err) {
    zw_linearisation a;
    if (m->middle == middle)
        return ZW_OK;
    ZW_TRY(linearise_at(m, middle, &a, err));
    zw_status status = choose_entries(m, &a, err);
    zw_linearisation_clear(&a);
    m->middle = middle;
    return status;
}

zw_status zw_track_motion_matrix(void *user, double value, double middle, double *A,
                                 zw_error *err) {
    zw_track_motion *m = user;
    zw_linearisation a;
    int n = m->n;
    ZW_TRY(evaluate_reference(m, middle, err));
    ZW_TRY(linearise_at(m, value, &a, err));
    zw_status status = remove_orbits(m, &a, err);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            m->S[i * n + j] = m->W[m->entry[i] * n + j];
    zw_dense_multiply(n, n, n, m->S, a.A, A);
    zw_dense_divide(n, n, m->S, A);
    zw_linearisation_clear(&a);
    return status;
}

/* The largest entry of the linear equations of the state, before constraints and symmetries reduce
 * them. */
static zw_status find_unit(zw_track_motion *m, zw_error *err) {
    const double *scale = zw_follow_scale(m->follow);
    const zw_steady *at = zw_follow_motion(m->follow);
    double *J = ZW_NEW(&m->arena, double, m->nx * m->nx + 1);
    if (!J)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_symmetries_operator(zw_follow_symmetries(m->follow), m->flow, at->t, at->x, at->c, J,
                                  err));
    for (int i = 0; i < m->nx; i++)
        for (int l = 0; l < m->nx; l++)
            m->unit = fmax(m->unit, REDUCED_ENTRY * fabs(J[i * m->nx + l]) * scale[l] / scale[i]);
    return ZW_OK;
}

static zw_status allocate_work(zw_track_motion *m, zw_error *err) {
    int ns = zw_follow_symmetries(m->follow)->n, most = ns > m->n ? ns : m->n;
    m->orbit_symmetry = ZW_NEW(&m->arena, int, m->norbit + 1);
    m->orbit_entry = ZW_NEW(&m->arena, int, m->norbit + 1);
    m->entry = ZW_NEW(&m->arena, int, m->n + 1);
    m->X = ZW_NEW(&m->arena, double, ns * m->nx + 1);
    m->P = ZW_NEW(&m->arena, double, m->nx * m->norbit + 1);
    m->M = ZW_NEW(&m->arena, double, m->norbit * m->norbit + 1);
    m->W = ZW_NEW(&m->arena, double, m->nx * m->n + 1);
    m->S = ZW_NEW(&m->arena, double, most * m->nx + 1);
    m->used = ZW_NEW(&m->arena, bool, ns + m->n + 1);
    return zw_arena_status(&m->arena, err);
}

zw_status zw_track_motion_create(zw_track_motion **out, zw_follow *follow, double value,
                                 zw_error *err) {
    zw_flow *flow = zw_follow_flow(follow);
    const zw_kernel *k = zw_flow_kernel(flow);
    zw_allocator alloc = k->alloc;
    zw_linearisation a;
    *out = NULL;
    zw_track_motion *m = zw_allocate(&alloc, sizeof *m);
    if (!m)
        return zw_out_of_memory(err, NULL);
    *m = (zw_track_motion){.follow = follow, .flow = flow, .n = -1, .nx = k->nx, .middle = NAN};
    zw_arena_init(&m->arena, &alloc);
    zw_status status = linearise_at(m, value, &a, err);
    if (status >= 0) {
        m->n = a.n;
        m->norbit = a.norbit;
        zw_linearisation_clear(&a);
        status = allocate_work(m, err);
        if (status >= 0)
            status = find_unit(m, err);
    }
    if (status < 0)
        zw_track_motion_destroy(m);
    else
        *out = m;
    return status;
}

void zw_track_motion_destroy(zw_track_motion *m) {
    if (!m)
        return;
    zw_allocator alloc = m->arena.alloc;
    zw_arena_clear(&m->arena);
    zw_release(&alloc, m, sizeof *m);
}

int zw_track_motion_size(const zw_track_motion *m) {
    return m->n;
}

double zw_track_motion_unit(const zw_track_motion *m) {
    return m->unit;
}
