/* SPDX-License-Identifier: MIT */
/* The linear equations of contact modes: gamma_N = 0 where a contact is closed, gamma_i = 0 where a
 * block sticks, r_i = a_i r_N + c_i where it slides. For accelerations they give the forces of the
 * modes, for velocities the impulses after which the velocities satisfy the modes. */
#include <string.h>

#include "mode_solver.h"
#include "num/linear/linalg.h"

/* Acceleration of a dependent row, relative to its largest term, that is 0: rows with a squared
 * sine below DEPENDENT_ROW 1e-10 (mode_share.c) differ by 1e-5 at most, those of real models by
 * round-off. */
#define INCONSISTENT_ROW 1e-6
/* Effect of a normal force on its gap, friction included, relative to that without friction: below,
 * the force is more than a thousand times the load, and the body jams. */
#define PUSH_BACK_JAMMED 1e-3
/* Least quotient of pivots of the equations, scaled to diagonal entries of 1: DEPENDENT_ROW has
 * removed smaller ones, friction may make an equation singular. */
#define PIVOT_REGULAR 1e-11

double zw_contact_mode_support(const zw_friction *law, const double *u) {
    zw_law_support s;
    for (int i = 0; i < law->nrow; i++)
        if (u[i] != 0) {
            zw_law_support_at(law, u, &s);
            return s.D;
        }
    return 0;
}

double zw_contact_mode_force(const zw_friction *law, const double *r) {
    double b[ZW_FRICTION_ROWS_MAX];
    for (int i = 0; i < law->nrow; i++)
        b[i] = r[i] / law->pull[i];
    return zw_law_gauge_value(law, b);
}

/* friction of several velocities, or smooth: -pull mu N grad D, 0 at u = 0 */
static void along_gradient(const zw_friction *law, const double *u, double N, double *out) {
    double D = zw_contact_mode_support(law, u);
    zw_law_support s = {0};
    if (D > 0)
        zw_law_support_at(law, u, &s);
    for (int i = 0; i < law->nrow; i++)
        out[i] = D > 0 ? -N * law->pull[i] * law->mu * s.gradient[i] * (D / (D + law->smooth)) : 0;
}

void zw_contact_mode_friction(zw_friction_kind kind, int nrow, double nu, const double *n,
                              const zw_contact_mode *mode, int block, const double *u, double N,
                              double *out) {
    const zw_friction law = zw_contact_mode_law(kind, nrow, nu, n);
    int slide = mode->slide[block];
    if (kind != ZW_FRICTION_LINEAR && slide != ZW_CARRIED && !(nrow == 1 && n[4] == 0)) {
        along_gradient(&law, u, mode->press * N, out);
        return;
    }
    for (int i = 0; i < nrow; i++)
        out[i] = kind == ZW_FRICTION_LINEAR ? -n[5] * u[i]
                 : slide == ZW_CARRIED      ? 0
                                            : -mode->press * slide * n[6] * n[0] * n[1] * N;
}

/* r_i = a_i r_N + c_i of a sliding block, at its velocities u or, if it begins to slide, along the
 * direction d */
static void friction_row(zw_contact_modes *s, const zw_contact_form *f, int block, int first,
                         const zw_contact_mode *mode, bool begins) {
    const double *n = zw_contact_mode_numbers(s, f, block), *u = s->rate + first;
    int nrow = f->block_rows[block];
    bool linear = f->kind[block] == ZW_FRICTION_LINEAR;
    if (begins && nrow > 1)
        u = s->direction + first;
    zw_contact_mode_friction(f->kind[block], nrow, f->nu[block], n, mode, block, u, 1,
                             linear ? s->c + first : s->a + first);
}

int zw_contact_modes_unknowns(zw_contact_modes *s, const zw_contact_mode *mode,
                              const bool *resting) {
    const zw_kernel *k = s->k;
    int m = 0;
    for (int i = 0; i < k->ntouch; i++)
        s->a[i] = s->c[i] = 0;
    for (int c = 0; c < k->ncontact; c++) {
        const zw_contact_form *f = &k->contact[c];
        int row = f->row + 1;
        if (!mode[c].closed)
            continue;
        s->row[m++] = f->row;
        for (int b = 0; b < f->nblock; row += f->block_rows[b], b++) {
            bool sticks = mode[c].slide[b] == ZW_STICKS &&
                          zw_contact_mode_is_set_valued(f, zw_contact_mode_numbers(s, f, b), b);
            for (int i = 0; sticks && i < f->block_rows[b]; i++)
                s->row[m++] = row + i;
            if (!sticks)
                friction_row(s, f, b, row, &mode[c],
                             resting && resting[c * ZW_CONTACT_MODE_PARTS + 1 + b]);
        }
    }
    return m;
}

static const zw_contact_form *form_of_row(const zw_kernel *k, int row) {
    int c = 0;
    while (c + 1 < k->ncontact && k->contact[c + 1].row <= row)
        c++;
    return &k->contact[c];
}

/* Adds the friction of the sliding blocks that a normal force causes. */
static void add_sliding(const zw_contact_modes *s, int row, double force, double *r) {
    const zw_contact_form *f = form_of_row(s->k, row);
    for (int l = f->row + 1; row == f->row && l < f->row + f->nrow; l++)
        r[l] += s->a[l] * force;
}

/* Forces of all rows as linear functions of the k unknowns that are kept, column by column in
 * s->P. */
static void spread_forces(zw_contact_modes *s, int m, int k) {
    int n = s->k->ntouch;
    memset(s->P, 0, sizeof(double) * (size_t)(n * k));
    for (int j = 0; j < k; j++) {
        double *column = s->P + j * n;
        column[s->row[j]] = 1;
        add_sliding(s, s->row[j], 1, column);
        for (int d = k; d < m; d++) {
            double share = s->share[s->row[d] * n + s->row[j]];
            column[s->row[d]] += share;
            add_sliding(s, s->row[d], share, column);
        }
    }
}

/* are the rows that are shares of others 0 too? */
static bool is_consistent(const zw_contact_modes *s, int m, int k) {
    int n = s->k->ntouch;
    for (int d = k; d < m; d++) {
        int row = s->row[d];
        double size = s->parts[row];
        for (int j = 0; j < n; j++)
            size = fmax(size, fabs(s->A[row * n + j] * s->r[j]));
        if (!(fabs(s->out[row]) <= INCONSISTENT_ROW * size))
            return false;
    }
    return true;
}

/* the scale of unknown i: rows may differ by many orders of magnitude, as for a nearly flat disc
 * that rolls on its rim */
static double scale_of(const zw_contact_modes *s, int i) {
    return 1 / sqrt(s->A[s->row[i] * s->k->ntouch + s->row[i]]);
}

bool zw_contact_modes_solve(zw_contact_modes *s, int m, const double *free, bool constants) {
    int n = s->k->ntouch, k = s->redundant ? zw_contact_modes_share(s, m) : m;
    spread_forces(s, m, k);
    memset(s->given, 0, sizeof *s->given * (size_t)n);
    for (int d = k; d < m; d++)
        s->given[s->row[d]] = true;
    for (int j = 0; j < n; j++)
        s->r[j] = constants ? s->c[j] : 0;
    for (int d = k; constants && d < m; d++) {
        s->r[s->row[d]] += s->offset[s->row[d]];
        add_sliding(s, s->row[d], s->offset[s->row[d]], s->r);
    }
    for (int i = 0; i < k; i++) {
        const double *A = s->A + s->row[i] * n;
        s->z[i] = -scale_of(s, i) * (free[s->row[i]] + zw_contact_mode_dot(n, A, s->r));
        for (int j = 0; j < k; j++)
            s->S[i * k + j] =
                scale_of(s, i) * scale_of(s, j) * zw_contact_mode_dot(n, A, s->P + j * n);
    }
    if (k > 0 && !(zw_num_lu(k, s->S, s->pivot) > PIVOT_REGULAR))
        return false;
    if (k > 0)
        zw_num_lu_solve(k, s->S, s->pivot, 1, s->z);
    for (int j = 0; j < k; j++)
        for (int i = 0; i < n; i++)
            s->r[i] += s->P[j * n + i] * scale_of(s, j) * s->z[j];
    for (int i = 0; i < n; i++)
        s->out[i] = free[i] + zw_contact_mode_dot(n, s->A + i * n, s->r);
    return !constants || is_consistent(s, m, k);
}

/* blocks that begin to slide are treated as sticking, with a prescribed velocity */
static void hold_beginnings(zw_contact_modes *s, const zw_contact_mode *mode) {
    const zw_kernel *k = s->k;
    memcpy(s->trial, mode, sizeof *mode * (size_t)k->ncontact);
    for (int c = 0; c < k->ncontact; c++)
        for (int b = 0; b < k->contact[c].nblock; b++)
            if (s->resting[c * ZW_CONTACT_MODE_PARTS + 1 + b] && mode[c].slide[b] != ZW_CARRIED)
                s->trial[c].slide[b] = ZW_STICKS;
}

zw_status zw_contact_modes_settle(zw_contact_modes *s, const zw_contact_mode *mode,
                                  const double *slip, double *P, zw_error *err) {
    int n = s->k->ntouch;
    hold_beginnings(s, mode);
    int m = zw_contact_modes_unknowns(s, s->trial, NULL);
    for (int i = 0; i < n; i++)
        s->q[i] = s->rate[i] - slip[i];
    if (!zw_contact_modes_solve(s, m, s->q, false))
        return zw_fail(err, ZW_E_SINGULAR, "the contacts that close depend on each other");
    for (int i = 0; i < n; i++)
        s->rate[i] = s->out[i] + slip[i];
    memcpy(P, s->r, sizeof(double) * (size_t)n);
    return ZW_OK;
}

/* effect of a normal force on its own row with the friction that it causes, relative to the effect
 * without */
double zw_contact_modes_push_back(zw_contact_modes *s, const zw_contact_mode *mode, int contact) {
    const zw_contact_form *f = &s->k->contact[contact];
    const double *A = s->A + f->row * s->k->ntouch;
    double sum = A[f->row];
    zw_contact_modes_unknowns(s, mode, NULL);
    for (int i = f->row + 1; i < f->row + f->nrow; i++)
        sum += A[i] * s->a[i];
    return mode[contact].closed ? sum / A[f->row] : 1;
}

bool zw_contact_modes_jams(zw_contact_modes *s, const zw_contact_mode *mode) {
    for (int c = 0; c < s->k->ncontact; c++)
        if (zw_contact_modes_push_back(s, mode, c) <= PUSH_BACK_JAMMED)
            return true;
    return false;
}
