/* SPDX-License-Identifier: MIT */
/* The two classical iterations, for comparison and for what others do. Gauss and Seidel: contact after contact, each
 * solved exactly with the others at rest. Fixed point of projections (Moreau's prox): every contact by
 *
 *     r_N <- max(0, r_N - p u_N),    r_F <- nearest point of mu r_N C to r_F - p u_F,
 *
 * all from the velocities of the last iteration. Both may be slow or fail; the residual says so. */
#include <math.h>
#include <string.h>

#include "solver.h"

enum { LOOKS = 20 }; /* iterations between two looks at the residual */

/* W_ii of contact i, with what is not associated in its columns */
static void own_matrix(const zw_contact_solver *s, int i, double *W) {
    const zw_contact_problem *p = s->problem;
    int m = zw_contact_rows(s, i);
    const double *pull = s->pull + s->row[i];
    memset(W, 0, sizeof *W * (size_t)(m * m));
    for (int e = s->first[i]; e < s->first[i + 1]; e++) {
        int n = p->part[p->entry[e].part].n;
        const double *H = s->H + s->at[e];
        for (int a = 0; a < m; a++)
            for (int b = 0; b < m; b++)
                for (int k = 0; k < n; k++)
                    W[a * m + b] += H[a * n + k] * H[b * n + k] * pull[b];
    }
}

/* u of contact i from the velocities w of the parts */
static void own_velocity(const zw_contact_solver *s, int i, double *u) {
    const zw_contact_problem *p = s->problem;
    int m = zw_contact_rows(s, i);
    memcpy(u, s->q + s->row[i], sizeof *u * (size_t)m);
    for (int e = s->first[i]; e < s->first[i + 1]; e++) {
        int part = p->entry[e].part, n = p->part[part].n;
        const double *H = s->H + s->at[e], *w = s->w + s->col[part];
        for (int a = 0; a < m; a++)
            for (int k = 0; k < n; k++)
                u[a] += H[a * n + k] * w[k];
    }
}

static void push(zw_contact_solver *s, int i, const double *change) {
    const zw_contact_problem *p = s->problem;
    int m = zw_contact_rows(s, i);
    for (int e = s->first[i]; e < s->first[i + 1]; e++) {
        int part = p->entry[e].part, n = p->part[part].n;
        const double *H = s->H + s->at[e];
        double *w = s->w + s->col[part];
        for (int a = 0; a < m; a++)
            for (int k = 0; k < n; k++)
                w[k] += H[a * n + k] * s->pull[s->row[i] + a] * change[a];
    }
}

/* one projection of contact i with step `part`, for laws that have no exact answer of their own */
static void project_contact(const zw_contact_solver *s, int i, double part, const double *r,
                            const double *u, double *out) {
    const zw_contact_law *law = &s->problem->law[i];
    out[0] = fmax(0, r[0] - part * u[0]);
    for (int b = 0, at = 1; b < law->nblock; at += law->block[b++].nrow) {
        const zw_friction *f = &law->block[b];
        double x[ZW_LAW_MAX];
        for (int a = 0; a < f->nrow; a++)
            x[a] = r[at + a] - part * u[at + a];
        if (f->kind == ZW_FRICTION_LINEAR) {
            double damping = zw_contact_damping(s, i, f); /* r = -damping u, relaxed */
            for (int a = 0; a < f->nrow; a++)
                out[at + a] = x[a] * damping / (damping + part);
            continue;
        }
        zw_law_nearest(f, f->mu * out[0], x, out + at);
    }
}

typedef void (*iteration)(zw_contact_solver *s, double part);

static void sweep(zw_contact_solver *s, double part) {
    for (int i = 0; i < s->problem->ncontact; i++) {
        int m = zw_contact_rows(s, i);
        double W[ZW_CONTACT_ROWS_MAX * ZW_CONTACT_ROWS_MAX], u[ZW_CONTACT_ROWS_MAX],
            q[ZW_CONTACT_ROWS_MAX], next[ZW_CONTACT_ROWS_MAX], *r = s->r + s->row[i];
        own_matrix(s, i, W);
        own_velocity(s, i, u);
        for (int a = 0; a < m; a++) {
            q[a] = u[a];
            for (int b = 0; b < m; b++)
                q[a] -= W[a * m + b] * r[b];
        }
        if (!zw_contact_single(&s->problem->law[i], W, q, next))
            project_contact(s, i, part, r, u, next);
        for (int a = 0; a < m; a++) {
            double change = next[a] - r[a];
            r[a] = next[a];
            next[a] = change;
        }
        push(s, i, next);
    }
}

static void prox(zw_contact_solver *s, double part) {
    zw_contact_gather(s, s->r, s->w);
    zw_contact_spread(s, s->w, true, s->u);
    for (int i = 0; i < s->problem->ncontact; i++) {
        double next[ZW_CONTACT_ROWS_MAX], *r = s->r + s->row[i];
        project_contact(s, i, part, r, s->u + s->row[i], next);
        memcpy(r, next, sizeof *r * (size_t)zw_contact_rows(s, i));
    }
}

static double iterate(zw_contact_solver *s, const zw_contact_options *o, iteration one, double part,
                      long *iterations) {
    double best = HUGE_VAL;
    size_t bytes = sizeof *s->r * (size_t)s->nrow;
    zw_contact_gather(s, s->r, s->w);
    for (long k = 0;; k++) {
        if (k % LOOKS == 0 || k < LOOKS || k == o->iterations_max) {
            double residual = zw_contact_judge(s, s->r);
            if (residual < best) {
                best = residual;
                memcpy(s->best, s->r, bytes);
            }
            if (best <= o->tolerance || k >= o->iterations_max || !isfinite(residual))
                return best;
        }
        one(s, part);
        ++*iterations;
    }
}

double zw_contact_sweeps(zw_contact_solver *s, const zw_contact_options *o, long *iterations) {
    return iterate(s, o, sweep, 1. / 3, iterations);
}

/* The largest eigenvalue of W by the power method, from above as far as it is known after a few steps: the fixed point
 * needs a step below 2 over it. */
static double safe_step(zw_contact_solver *s) {
    double size = 1;
    for (int k = 0; k < s->nrow; k++)
        s->dr[k] = 1 + 0.3 * (k % 7);
    for (int step = 0; step < 30; step++) {
        double sum = 0;
        zw_contact_gather(s, s->dr, s->dw);
        zw_contact_spread(s, s->dw, false, s->dr);
        for (int k = 0; k < s->nrow; k++)
            sum += s->dr[k] * s->dr[k];
        size = sqrt(sum);
        for (int k = 0; k < s->nrow && size > 0; k++)
            s->dr[k] /= size;
    }
    return size > 0 ? 1 / size : 1;
}

double zw_contact_fixed_point(zw_contact_solver *s, const zw_contact_options *o, long *iterations) {
    double part = o->prox > 0 ? o->prox : safe_step(s);
    return iterate(s, o, prox, part, iterations);
}
