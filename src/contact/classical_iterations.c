/* SPDX-License-Identifier: MIT */
/* The two classical iterations, for comparison and because other programs use them. Gauss-Seidel:
 * contact after contact, each solved exactly while the others are fixed. Fixed point of projections
 * (Moreau's prox): every contact by
 *
 *     r_N <- max(0, r_N - p_N u_N),
 *     r_F <- nearest point of mu r_N C to r_F - p_F u_F, in the metric 1/p_F,
 *
 * all from the velocities of the previous iteration. The factors p are given, or follow from the
 * contact alone,
 *
 *     p_N = 1/W_NN,  p_F = rows/trace W_FF of each block (one for slip, one for spin of Contensou),
 *
 * all divided by the largest eigenvalue of p W where that is too large for the iteration to
 * converge. Smoothed laws replace the projection of x = r_F - p_F u_F by r_F = x + p_F v with the
 * slip v that the law gives for r_F. Both iterations may be slow or fail; the residual shows
 * it. */
#include <math.h>
#include <string.h>

#include "kernels.h"
#include "solver.h"

#define THIRD (1. / 3)

/* Least diagonal entry or block trace of a contact's own matrix, whose trace is scaled to its
 * number of rows: less is round-off of the scaling, and the factor 1/W would be meaningless. */
#define DIAGONAL_MIN 1e-12
/* Largest eigenvalue of p W that is left as it is: at 2 the iteration diverges, and the power
 * method finds a lower bound. */
#define EIGENVALUE_MAX 1.5

enum {
    SMALL = 8,
    CHECK_INTERVAL = 20,
    POWER_STEPS = 30
}; /* with many contacts the residual is computed once per CHECK_INTERVAL iterations */

/* u of contact i from the velocities w of the parts */
static void own_velocity(const zw_contact_solver *s, int i, double *u) {
    int m = zw_contact_rows(s, i);
    memcpy(u, s->q + s->row[i], sizeof *u * (size_t)m);
    for (int e = s->first[i]; e < s->first[i + 1]; e++)
        zw_six_rows(m, 1, s->H + s->at[e], s->w + ZW_SIX * s->touch[e], u);
}

static void push_velocities(zw_contact_solver *s, int i, const double *change) {
    int m = zw_contact_rows(s, i);
    double force[ZW_CONTACT_ROWS_MAX];
    for (int a = 0; a < m; a++)
        force[a] = s->pull[s->row[i] + a] * change[a];
    for (int e = s->first[i]; e < s->first[i + 1]; e++)
        zw_six_columns(m, 1, s->H + s->at[e], force, s->w + ZW_SIX * s->touch[e]);
}

/* one projection of contact i with the factors p of its rows */
static void project_contact(const zw_contact_solver *s, int i, const double *p, const double *r,
                            const double *u, double *out) {
    const zw_contact_law *law = &s->problem->law[i];
    out[0] = zw_larger(r[0] - p[0] * u[0], 0);
    for (int b = 0, at = 1; b < law->nblock; at += law->block[b++].nrow) {
        const zw_friction *f = &law->block[b];
        double x[ZW_LAW_MAX], damping = zw_contact_damping(s, i, f);
        for (int a = 0; a < f->nrow; a++) {
            x[a] = r[at + a] - p[at + a] * u[at + a];
            out[at + a] = x[a] * damping / (damping + p[at + a]); /* r = -damping u */
        }
        if (f->kind != ZW_FRICTION_LINEAR)
            zw_law_resolve(f, f->mu * out[0], zw_contact_smoothing(s, i, f), p + at, x, out + at);
    }
}

/* ---------------------------------------------------------------------------------- the factors */

/* the factors of contact i from its own matrix: one for the normal, one for each block, two for the
 * slips and the spin of Contensou's law */
static void own_factors(const zw_contact_solver *s, int i, double *p) {
    const zw_contact_law *law = &s->problem->law[i];
    int m = zw_contact_rows(s, i);
    double W[ZW_CONTACT_ROWS_MAX * ZW_CONTACT_ROWS_MAX];
    zw_contact_own(s, i, W);
    p[0] = 1 / zw_larger(W[0], DIAGONAL_MIN);
    for (int b = 0, at = 1; b < law->nblock; b++)
        for (int end = at + law->block[b].nrow; at < end;) {
            int rows = end - at == 3 && law->block[b].kind == ZW_FRICTION_CONTENSOU ? 2 : end - at;
            double trace = 0;
            for (int a = at; a < at + rows; a++)
                trace += W[a * m + a];
            for (int k = 0; k < rows; k++)
                p[at++] = rows / zw_larger(trace, DIAGONAL_MIN);
        }
}

/* estimate of the largest eigenvalue of p W by a few steps of the power method */
static double largest_eigenvalue(zw_contact_solver *s) {
    double size = 1;
    for (int k = 0; k < s->nrow; k++)
        s->dr[k] = 1 + 0.3 * (k % 7);
    for (int step = 0; step < POWER_STEPS; step++) {
        double sum = 0;
        zw_contact_gather(s, s->dr, s->dw);
        zw_contact_spread(s, s->dw, false, s->dr);
        for (int k = 0; k < s->nrow; k++) {
            s->dr[k] *= s->rp[k];
            sum += s->dr[k] * s->dr[k];
        }
        size = sqrt(sum);
        for (int k = 0; k < s->nrow && size > 0; k++)
            s->dr[k] /= size;
    }
    return size;
}

/* s->rp, scaled */
static void set_factors(zw_contact_solver *s, const zw_contact_options *o) {
    for (int i = 0; i < s->ncontact; i++) {
        double *p = s->rp + s->row[i], scale = s->root[i] * s->root[i];
        own_factors(s, i, p);
        for (int a = 0; a < zw_contact_rows(s, i); a++) {
            double given = o->prox_rows ? o->prox_rows[s->row[i] + a] : o->prox;
            p[a] = given > 0 ? given / scale : p[a];
        }
    }
    double size = o->prox > 0 || o->prox_rows ? 0 : largest_eigenvalue(s);
    for (int k = 0; k < s->nrow && size > EIGENVALUE_MAX; k++)
        s->rp[k] /= size;
}

/* ------------------------------------------------------------------------------- the iterations */

typedef void (*iteration)(zw_contact_solver *s);

/* the contacts' own matrices, prepared for their exact solutions; factors for laws without one */
static void prepare_contacts(zw_contact_solver *s) {
    for (int i = 0; i < s->ncontact; i++) {
        double W[9];
        if (!s->disc[i]) {
            own_factors(s, i, s->rp + s->row[i]);
            continue;
        }
        zw_contact_own(s, i, W);
        zw_contact_coulomb_prepare(&s->one[i], W, s->problem->law[i].block[0].mu);
        for (int a = s->row[i]; a < s->row[i + 1]; a++)
            s->rp[a] = THIRD;
    }
}

/* q = u - W r of one contact */
static void free_velocity(int m, const double *W, const double *u, const double *r, double *q) {
    for (int a = 0; a < m; a++) {
        q[a] = u[a];
        for (int b = 0; b < m; b++)
            q[a] -= W[a * m + b] * r[b];
    }
}

/* the impulse of contact i while the others are fixed */
static void solve_own(zw_contact_solver *s, int i, const double *r, double *next) {
    double u[ZW_CONTACT_ROWS_MAX], q[ZW_CONTACT_ROWS_MAX],
        W[ZW_CONTACT_ROWS_MAX * ZW_CONTACT_ROWS_MAX];
    int m = zw_contact_rows(s, i);
    own_velocity(s, i, u);
    if (s->disc[i]) {
        free_velocity(3, s->one[i].W, u, r, q);
        if (zw_contact_coulomb_solve(&s->one[i], q, next))
            return;
    } else {
        zw_contact_own(s, i, W);
        free_velocity(m, W, u, r, q);
        if (zw_contact_single(&s->problem->law[i], W, q, next))
            return;
    }
    project_contact(s, i, s->rp + s->row[i], r, u, next);
}

static void sweep_contacts(zw_contact_solver *s) {
    for (int i = 0; i < s->ncontact; i++) {
        double next[ZW_CONTACT_ROWS_MAX], *r = s->r + s->row[i];
        solve_own(s, i, r, next);
        for (int a = 0; a < zw_contact_rows(s, i); a++) {
            double change = next[a] - r[a];
            r[a] = next[a];
            next[a] = change;
        }
        push_velocities(s, i, next);
    }
}

void zw_contact_first_sweeps(zw_contact_solver *s, int n) {
    prepare_contacts(s);
    memset(s->r, 0, sizeof *s->r * (size_t)s->nrow);
    memset(s->w, 0, sizeof *s->w * (size_t)s->ncol);
    for (int k = 0; k < n; k++)
        sweep_contacts(s);
}

static void apply_prox(zw_contact_solver *s) {
    zw_contact_gather(s, s->r, s->w);
    zw_contact_spread(s, s->w, true, s->u);
    for (int i = 0; i < s->ncontact; i++) {
        double next[ZW_CONTACT_ROWS_MAX], *r = s->r + s->row[i];
        project_contact(s, i, s->rp + s->row[i], r, s->u + s->row[i], next);
        memcpy(r, next, sizeof *r * (size_t)zw_contact_rows(s, i));
    }
}

static double run_iterations(zw_contact_solver *s, const zw_contact_options *o, iteration one,
                             long *iterations) {
    double best = HUGE_VAL;
    size_t bytes = sizeof *s->r * (size_t)s->nrow;
    bool small = s->ncontact <= SMALL;
    zw_contact_gather(s, s->r, s->w);
    for (long k = 0;; k++) {
        if (small || k % CHECK_INTERVAL == 0 || k < CHECK_INTERVAL || k == o->iterations_max) {
            double residual = zw_contact_scaled_residual(s, s->r);
            if (residual < best) {
                best = residual;
                memcpy(s->best, s->r, bytes);
            }
            if (best <= o->tolerance || k >= o->iterations_max || !isfinite(residual))
                return best;
        }
        one(s);
        ++*iterations;
    }
}

double zw_contact_sweeps(zw_contact_solver *s, const zw_contact_options *o, long *iterations) {
    prepare_contacts(s);
    return run_iterations(s, o, sweep_contacts, iterations);
}

double zw_contact_fixed_point(zw_contact_solver *s, const zw_contact_options *o, long *iterations) {
    set_factors(s, o);
    return run_iterations(s, o, apply_prox, iterations);
}
