/* SPDX-License-Identifier: MIT */
/* Contact problems in text files, tests/contact/problems: one step of a time-stepping scheme each,
 * with bodies (mass and principal moments), contacts (mu and the free velocity) and the rows of the
 * contacts over the six velocities of the bodies; and the residual by which their answers are
 * judged, written down here once more, from the impulses alone. */
#ifndef TESTS_PROBLEM_FILE_H
#define TESTS_PROBLEM_FILE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "zwang/contact.h"

typedef struct problem_file {
    zw_contact_problem problem;
    double *mass, *q, *H;
    zw_contact_law *law;
    zw_contact_part *part;
    zw_contact_entry *entry;
} problem_file;

static inline void problem_file_clear(problem_file *f) {
    free(f->mass);
    free(f->q);
    free(f->H);
    free(f->law);
    free(f->part);
    free(f->entry);
    memset(f, 0, sizeof *f);
}

static inline bool read_bodies(problem_file *f, FILE *in, int n) {
    f->problem.npart = n;
    free(f->mass);
    free(f->part);
    f->mass = calloc((size_t)n * 6, sizeof *f->mass);
    f->part = calloc((size_t)n, sizeof *f->part);
    for (int i = 0; i < n; i++) {
        double *m = f->mass + 6 * i;
        if (fscanf(in, "%lf%lf%lf%lf", m, m + 3, m + 4, m + 5) != 4)
            return false;
        m[1] = m[2] = m[0];
        f->part[i] = (zw_contact_part){.n = 6, .diagonal = true, .mass = m};
    }
    return true;
}

static inline bool read_contacts(problem_file *f, FILE *in, int n) {
    f->problem.ncontact = n;
    free(f->q);
    free(f->law);
    f->q = calloc((size_t)n * 3, sizeof *f->q);
    f->law = calloc((size_t)n, sizeof *f->law);
    for (int i = 0; i < n; i++) {
        double mu, *q = f->q + 3 * i;
        if (fscanf(in, "%lf%lf%lf%lf", &mu, q, q + 1, q + 2) != 4)
            return false;
        f->law[i].nblock = 1;
        f->law[i].block[0] = zw_friction_coulomb(mu);
    }
    return true;
}

static inline bool read_rows(problem_file *f, FILE *in, int n) {
    f->problem.nentry = n;
    free(f->H);
    free(f->entry);
    f->H = calloc((size_t)n * 18, sizeof *f->H);
    f->entry = calloc((size_t)n, sizeof *f->entry);
    for (int i = 0; i < n; i++) {
        f->entry[i].H = f->H + 18 * i;
        if (fscanf(in, "%d%d", &f->entry[i].contact, &f->entry[i].part) != 2)
            return false;
        for (int k = 0; k < 18; k++)
            if (fscanf(in, "%lf", f->H + 18 * i + k) != 1)
                return false;
    }
    return true;
}

static inline bool problem_file_read(problem_file *f, const char *path) {
    char line[4096];
    int n;
    bool ok = true;
    memset(f, 0, sizeof *f);
    FILE *in = fopen(path, "r");
    while (in && ok && fgets(line, sizeof line, in))
        if (sscanf(line, "bodies %d", &n) == 1)
            ok = read_bodies(f, in, n);
        else if (sscanf(line, "contacts %d", &n) == 1)
            ok = read_contacts(f, in, n);
        else if (sscanf(line, "jacobian %d", &n) == 1)
            ok = read_rows(f, in, n);
    if (in)
        fclose(in);
    f->problem.law = f->law;
    f->problem.part = f->part;
    f->problem.entry = f->entry;
    f->problem.q = f->q;
    return in && ok && f->problem.nentry > 0;
}

/* u = H M^-1 H' r + q */
static inline void problem_file_velocities(const problem_file *f, const double *r, double *u,
                                           double *trace) {
    const zw_contact_problem *p = &f->problem;
    double *v = calloc((size_t)p->npart * 6, sizeof *v);
    memset(trace, 0, sizeof *trace * (size_t)p->ncontact);
    for (int e = 0; e < p->nentry; e++)
        for (int a = 0; a < 3; a++)
            for (int k = 0; k < 6; k++) {
                const double *m = f->mass + 6 * p->entry[e].part;
                double h = p->entry[e].H[a * 6 + k];
                v[6 * p->entry[e].part + k] += h * r[3 * p->entry[e].contact + a] / m[k];
                trace[p->entry[e].contact] += h * h / m[k];
            }
    memcpy(u, p->q, sizeof *u * (size_t)p->ncontact * 3);
    for (int e = 0; e < p->nentry; e++)
        for (int a = 0; a < 3; a++)
            for (int k = 0; k < 6; k++)
                u[3 * p->entry[e].contact + a] +=
                    p->entry[e].H[a * 6 + k] * v[6 * p->entry[e].part + k];
    free(v);
}

/* |(r - P(r - rho (u + mu |u_T| e_N)))/rho| / |q|, P onto Coulomb's cone, rho = 3/trace W_ii */
static inline double problem_file_judge(const problem_file *f, const double *r, const double *u,
                                        const double *trace) {
    const zw_contact_problem *p = &f->problem;
    double sum = 0, size = 0;
    for (int i = 0; i < p->ncontact; i++) {
        double mu = f->law[i].block[0].mu, rho = 3 / trace[i];
        const double *ri = r + 3 * i, *ui = u + 3 * i;
        double z[3] = {ri[0] - rho * (ui[0] + mu * hypot(ui[1], ui[2])), ri[1] - rho * ui[1],
                       ri[2] - rho * ui[2]},
               t = hypot(z[1], z[2]), near[3] = {z[0], z[1], z[2]};
        if (t > mu * z[0]) {
            double N = mu * t <= -z[0] ? 0 : (z[0] + mu * t) / (1 + mu * mu);
            near[0] = N;
            near[1] = t > 0 ? mu * N * z[1] / t : 0;
            near[2] = t > 0 ? mu * N * z[2] / t : 0;
        }
        for (int a = 0; a < 3; a++) {
            sum += (ri[a] - near[a]) * (ri[a] - near[a]) / (rho * rho);
            size += p->q[3 * i + a] * p->q[3 * i + a];
        }
    }
    return sqrt(sum / size);
}

static inline double problem_file_residual(const problem_file *f, const double *r) {
    int n = f->problem.ncontact;
    double *u = calloc((size_t)n * 4, sizeof *u), *trace = u + 3 * n;
    problem_file_velocities(f, r, u, trace);
    double residual = problem_file_judge(f, r, u, trace);
    free(u);
    return residual;
}

#endif
