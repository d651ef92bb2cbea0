/* SPDX-License-Identifier: MIT */
/* Boxes that stand on the ground and on each other, four contacts each, so that most contacts are
 * redundant; random shapes, masses, velocities and laws. law_missed() judges forces by the
 * definition of the law, and knows nothing of solvers. */
#ifndef ZW_TEST_PILE_H
#define ZW_TEST_PILE_H

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "contact/solver.h"

enum { BOXES = 4, CONTACTS = 4 * BOXES, ROWS = 7, ENTRIES = 2 * CONTACTS };

typedef struct pile {
    zw_contact_problem problem;
    zw_contact_law law[CONTACTS];
    zw_contact_part part[BOXES];
    zw_contact_entry entry[ENTRIES];
    double mass[BOXES][6], H[ENTRIES][ROWS * 6], q[CONTACTS * ROWS];
} pile;

typedef struct kind { /* what a contact has */
    bool contensou, anisotropic, pivot, roll, smooth, linear, plain, planar;
} kind;

static inline zw_contact_law make_law(zw_random *random, kind k, double mu_max) {
    static const double pressures[] = {-1, 0, 0.5, 1};
    double mu = zw_random_real(random, 0.05, mu_max);
    zw_contact_law law = {.nblock = 1, .block = {zw_friction_coulomb(mu)}};
    zw_friction *f = law.block;
    if (k.plain)
        law.nblock = 0;
    if (k.planar)
        *f = zw_friction_block(ZW_FRICTION_ELLIPSOID, 1, mu);
    if (k.contensou) {
        *f = zw_friction_block(ZW_FRICTION_CONTENSOU, 3, mu);
        f->nu = pressures[zw_random_bits(random) % 4];
    }
    if (k.anisotropic)
        f->axis[1] = zw_random_real(random, 0.2, 1);
    if (k.smooth)
        f->smooth = exp(zw_random_real(random, log(1e-8), 0));
    if (k.linear) {
        f->kind = ZW_FRICTION_LINEAR;
        f->damping = exp(zw_random_real(random, -3, 3));
    }
    if (k.pivot)
        law.block[law.nblock++] = zw_friction_block(ZW_FRICTION_ELLIPSOID, 1, 0.3 * mu);
    if (k.roll)
        law.block[law.nblock++] = zw_friction_block(ZW_FRICTION_ELLIPSOID, 2, 0.1 * mu);
    return law;
}

static inline void cross(const double *a, const double *b, double *out) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* the rows of a contact at p from the centre of a body: slips along the frame, spin about the
 * normal and rolling about the tangents times a radius */
static inline void fill_rows(double *H, kind k, double sign, const double (*frame)[3],
                             const double *p) {
    const double radius = 0.02;
    int slips = k.plain ? 1 : k.planar ? 2 : 3, row = 0;
    for (int a = 0; a < slips; a++, row++) {
        double turn[3];
        cross(p, frame[a], turn);
        for (int i = 0; i < 3; i++) {
            H[6 * row + i] = sign * frame[a][i];
            H[6 * row + 3 + i] = sign * turn[i];
        }
    }
    for (int spin = 0; spin < (k.contensou || k.pivot) + 2 * k.roll; spin++, row++) {
        int axis = k.contensou || k.pivot ? spin : spin + 1;
        for (int i = 0; i < 3; i++)
            H[6 * row + 3 + i] = sign * radius * frame[axis][i];
    }
}

/* nearly upright, so that neighbours are not quite parallel */
static inline void make_frame(zw_random *random, double (*frame)[3]) {
    double x = zw_random_real(random, -0.02, 0.02), y = zw_random_real(random, -0.02, 0.02),
           size = sqrt(1 + x * x + y * y);
    const double n[3] = {x / size, y / size, 1 / size}, side = hypot(n[0], n[2]),
                 t[3] = {n[2] / side, 0, -n[0] / side};
    memcpy(frame[0], n, sizeof n);
    memcpy(frame[1], t, sizeof t);
    cross(n, t, frame[2]);
}

/* u = H v */
static inline void add_rates(const pile *p, const double (*v)[6], double *u) {
    for (int e = 0, row = 0, last = 0; e < p->problem.nentry; e++) {
        const zw_contact_entry *entry = &p->entry[e];
        row += entry->contact > last ? zw_contact_law_rows(&p->law[last]) : 0;
        last = entry->contact;
        for (int a = 0; a < zw_contact_law_rows(&p->law[last]); a++)
            for (int k = 0; k < 6; k++)
                u[row + a] += entry->H[6 * a + k] * v[entry->part][k];
    }
}

static inline void make_pile(pile *p, zw_random *random, int boxes, kind k, double mu_max,
                             double ratio, bool exact) {
    double half[BOXES][3], v[BOXES][6];
    int e = 0;
    memset(p, 0, sizeof *p);
    for (int b = 0; b < boxes; b++) {
        double m = pow(ratio, boxes > 1 ? (double)b / (boxes - 1) : 0); /* light under heavy */
        for (int a = 0; a < 3; a++) {
            half[b][a] = zw_random_real(random, 0.3, 0.6);
            p->mass[b][a] = m;
            v[b][a] = zw_random_real(random, -1, 1);
            v[b][3 + a] = zw_random_real(random, -1, 1);
        }
        v[b][2] -= 2;
        for (int a = 0; a < 3; a++)
            p->mass[b][3 + a] = m / 3 *
                                (half[b][(a + 1) % 3] * half[b][(a + 1) % 3] +
                                 half[b][(a + 2) % 3] * half[b][(a + 2) % 3]);
        p->part[b] = (zw_contact_part){.n = 6, .diagonal = true, .mass = p->mass[b]};
    }
    for (int i = 0; i < 4 * boxes; i++) {
        int b = i / 4;
        double frame[3][3], side[2] = {i & 1 ? 1 : -1, i & 2 ? 1 : -1}, low[3], high[3];
        p->law[i] = make_law(random, k, mu_max);
        if (k.smooth)
            p->law[i].block[0].smooth = p->law[0].block[0].smooth;
        make_frame(random, frame);
        if (exact) { /* a table: redundant in the strict sense */
            const double upright[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
            memcpy(frame, upright, sizeof frame);
        }
        for (int a = 0; a < 2; a++) {
            high[a] = side[a] * half[b][a];
            low[a] = high[a];
        }
        high[2] = -half[b][2];
        low[2] = b ? half[b - 1][2] : 0;
        if (b > 0) {
            p->entry[e] = (zw_contact_entry){.contact = i, .part = b - 1, .H = p->H[e]};
            fill_rows(p->H[e++], k, -1, (const double(*)[3])frame, low);
        }
        p->entry[e] = (zw_contact_entry){.contact = i, .part = b, .H = p->H[e]};
        fill_rows(p->H[e++], k, 1, (const double(*)[3])frame, high);
    }
    p->problem = (zw_contact_problem){.ncontact = 4 * boxes,
                                      .npart = boxes,
                                      .nentry = e,
                                      .law = p->law,
                                      .part = p->part,
                                      .entry = p->entry,
                                      .q = p->q};
    add_rates(p, (const double(*)[6])v, p->q);
}

static inline int count_rows(const pile *p) {
    int n = 0;
    for (int i = 0; i < p->problem.ncontact; i++)
        n += zw_contact_law_rows(&p->law[i]);
    return n;
}

/* u = W r, by the bodies */
static inline void push_bodies(const pile *p, const double *r, double *u) {
    double v[BOXES][6] = {{0}};
    for (int e = 0, row = 0, last = 0; e < p->problem.nentry; e++) {
        const zw_contact_entry *entry = &p->entry[e];
        row += entry->contact > last ? zw_contact_law_rows(&p->law[last]) : 0;
        last = entry->contact;
        for (int a = 0; a < zw_contact_law_rows(&p->law[last]); a++)
            for (int k = 0; k < 6; k++)
                v[entry->part][k] += entry->H[6 * a + k] * r[row + a] / p->mass[entry->part][k];
    }
    memset(u, 0, sizeof *u * (size_t)count_rows(p));
    add_rates(p, (const double(*)[6])v, u);
}

/* The law, from its definition: in the set, and dissipating the most. u: velocities; the largest
 * violation relative to their and the forces' sizes. */
static inline double law_missed(const pile *p, const double *r, const double *u) {
    double worst = 0, force = 1e-300, speed = 1e-300;
    for (int k = 0; k < count_rows(p); k++) {
        force = fmax(force, fabs(r[k]));
        speed = fmax(speed, fmax(fabs(u[k]), fabs(p->q[k])));
    }
    for (int i = 0; i < p->problem.ncontact; i++) {
        const zw_contact_law *law = &p->law[i];
        worst = fmax(worst, fmax(-r[0] / force, -u[0] / speed));
        worst = fmax(worst, fmin(r[0] / force, u[0] / speed));
        for (int b = 0, at = 1; b < law->nblock; at += law->block[b++].nrow) {
            const zw_friction *f = &law->block[b];
            double power = 0, slip = 0;
            zw_law_support s = {0};
            for (int a = at; a < at + f->nrow; a++) {
                power += r[a] * u[a];
                slip += u[a] * u[a];
                if (f->kind == ZW_FRICTION_LINEAR && r[0] / force > 1e-6)
                    worst = fmax(worst, fabs(r[a] + f->damping * u[a]) / force);
            }
            if (f->kind == ZW_FRICTION_LINEAR)
                continue;
            if (slip > 0)
                zw_law_support_at(f, u + at, &s);
            double part = f->smooth > 0 && s.D > 0 ? s.D / (s.D + f->smooth) : 1;
            worst = fmax(worst, (zw_law_gauge_value(f, r + at) - f->mu * r[0]) / force);
            worst = fmax(worst, fabs(power + f->mu * r[0] * s.D * part) / (force * speed));
        }
        r += zw_contact_law_rows(law);
        u += zw_contact_law_rows(law);
    }
    return worst;
}

#endif
