/* SPDX-License-Identifier: MIT */
/* Boxes that stand on the ground and on each other, four contacts each, so that most contacts are redundant; random shapes,
 * masses, velocities and laws. What is called solved is; nearly everything is; no impact with one restitution makes energy. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "contact/solver.h"
#include "test.h"

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

static zw_contact_solver *solver;
static zw_error err;
static zw_contact_answer answer;

static int setup(void **state) {
    (void)state;
    solver = zw_contact_solver_create(NULL);
    return solver ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    zw_contact_solver_destroy(solver);
    return 0;
}

static zw_contact_law make_law(zw_random *random, kind k, double mu_max) {
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

static void cross(const double *a, const double *b, double *out) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* the rows of a contact at p from the centre of a body: slips along the frame, spin about the normal and rolling about the
 * tangents times a radius */
static void fill_rows(double *H, kind k, double sign, const double (*frame)[3], const double *p) {
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
static void make_frame(zw_random *random, double (*frame)[3]) {
    double x = zw_random_real(random, -0.02, 0.02), y = zw_random_real(random, -0.02, 0.02),
           size = sqrt(1 + x * x + y * y);
    const double n[3] = {x / size, y / size, 1 / size}, side = hypot(n[0], n[2]),
                 t[3] = {n[2] / side, 0, -n[0] / side};
    memcpy(frame[0], n, sizeof n);
    memcpy(frame[1], t, sizeof t);
    cross(n, t, frame[2]);
}

/* u = H v */
static void add_rates(const pile *p, const double (*v)[6], double *u) {
    for (int e = 0, row = 0, last = 0; e < p->problem.nentry; e++) {
        const zw_contact_entry *entry = &p->entry[e];
        row += entry->contact > last ? zw_contact_law_rows(&p->law[last]) : 0;
        last = entry->contact;
        for (int a = 0; a < zw_contact_law_rows(&p->law[last]); a++)
            for (int k = 0; k < 6; k++)
                u[row + a] += entry->H[6 * a + k] * v[entry->part][k];
    }
}

static void make_pile(pile *p, zw_random *random, int boxes, kind k, double mu_max, double ratio,
                      bool exact) {
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

static int count_rows(const pile *p) {
    int n = 0;
    for (int i = 0; i < p->problem.ncontact; i++)
        n += zw_contact_law_rows(&p->law[i]);
    return n;
}

/* u = W r, by the bodies */
static void push_bodies(const pile *p, const double *r, double *u) {
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

/* The law, from its definition: in the set, and dissipating the most. u: velocities; what is wrong at most, beside their and
 * the forces' sizes. */
static double law_missed(const pile *p, const double *r, const double *u) {
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

/* how many of so many piles are not solved to the tolerance */
static int count_unsolved(unsigned seed, int trials, kind k, double mu_max, double ratio,
                          double tolerance, double slack) {
    zw_random random = zw_random_stream(seed, 31);
    int unsolved = 0;
    for (int trial = 0; trial < trials; trial++) {
        pile p;
        double r[CONTACTS * ROWS], u[CONTACTS * ROWS];
        make_pile(&p, &random, 1 + trial % BOXES, k, mu_max, ratio, trial % 2);
        zw_contact_options o = zw_contact_options_default();
        o.tolerance = tolerance;
        assert_int_equal(zw_contact_solve(solver, &p.problem, &o, r, &answer, &err), ZW_OK);
        unsolved += answer.verdict != ZW_CONTACT_CONVERGED;
        if (answer.verdict != ZW_CONTACT_CONVERGED)
            continue;
        assert_true(answer.residual <= tolerance);
        push_bodies(&p, r, u);
        for (int row = 0; row < count_rows(&p); row++)
            u[row] += p.q[row];
        double missed = law_missed(&p, r, u);
        if (missed > slack)
            fail_msg("seed %u, trial %d: called solved, but the law is missed by %g", seed, trial,
                     missed);
    }
    return unsolved;
}

/* 1 to 16 contacts, mu to 1.2, as in the measurements that the method was chosen by */
static void test_contact_fuzz__path_and_newton(void **state) {
    (void)state;
    assert_int_equal(count_unsolved(1, 540, (kind){.contensou = true}, 1.2, 1, 1e-12, 1e-9), 0);
    assert_int_equal(count_unsolved(2, 270, (kind){.pivot = true}, 1.2, 1, 1e-12, 1e-9), 0);
    assert_int_equal(
        count_unsolved(3, 270, (kind){.pivot = true, .roll = true}, 1.2, 1, 1e-12, 1e-9), 0);
    assert_int_equal(
        count_unsolved(4, 270, (kind){.contensou = true, .roll = true}, 1.2, 1, 1e-12, 1e-9), 0);
    assert_true(count_unsolved(5, 300, (kind){.smooth = true, .pivot = true}, 1.2, 1, 1e-9, 1e-6) <=
                4);
    assert_int_equal(count_unsolved(6, 270, (kind){.anisotropic = true}, 1.2, 1, 1e-12, 1e-9), 0);
    assert_int_equal(count_unsolved(7, 270, (kind){.linear = true}, 1.2, 1, 1e-12, 1e-9), 0);
    assert_int_equal(count_unsolved(8, 100, (kind){.plain = true}, 1.2, 1, 1e-12, 1e-9), 0);
    assert_int_equal(count_unsolved(9, 270, (kind){.planar = true}, 1.2, 1, 1e-12, 1e-9), 0);
    assert_int_equal(count_unsolved(10, 540, (kind){0}, 1.2, 1, 1e-12, 1e-9), 0);
}

/* mu to 2, masses to 1e6: solved, or told */
static void test_contact_fuzz__hard(void **state) {
    (void)state;
    static const double ratio[] = {1, 1e2, 1e4, 1e6};
    int unsolved = 0, all = 0;
    for (int i = 0; i < 4; i++)
        for (unsigned which = 0; which < 6; which++) {
            kind k = {.contensou = which == 1 || which == 4,
                      .anisotropic = which == 2,
                      .pivot = which == 3,
                      .roll = which == 4,
                      .smooth = which == 5};
            int trials = k.contensou ? 20 : 60;
            unsolved +=
                count_unsolved(100 + 10 * (unsigned)i + which, trials, k, 2, ratio[i], 1e-9, 1e-5);
            all += trials;
        }
    print_message("%d of %d not solved, and told\n", unsolved, all);
    assert_true(unsolved <= all / 20);
}

/* Restitution: the law holds for xi = u+ + e u-; the energy changes by r.(u+ + u-)/2. */
static int count_growing(unsigned seed, int trials, kind k, double e_N, double e_T) {
    zw_random random = zw_random_stream(seed, 37);
    int growing = 0;
    for (int trial = 0; trial < trials; trial++) {
        pile p;
        double before[CONTACTS * ROWS], r[CONTACTS * ROWS], u[CONTACTS * ROWS], change = 0,
                                                                                size = 0;
        make_pile(&p, &random, 1 + trial % BOXES, k, 1.2, 1, trial % 2);
        memcpy(before, p.q, sizeof before);
        for (int i = 0, row = 0; i < p.problem.ncontact; i++)
            for (int a = 0; a < zw_contact_law_rows(&p.law[i]); a++, row++)
                p.q[row] += (a ? e_T : e_N) * before[row];
        assert_int_equal(zw_contact_solve(solver, &p.problem, NULL, r, &answer, &err), ZW_OK);
        if (answer.verdict != ZW_CONTACT_CONVERGED)
            continue;
        push_bodies(&p, r, u);
        for (int row = 0; row < count_rows(&p); row++) {
            change += r[row] * (before[row] + u[row] / 2);
            size += fabs(r[row] * before[row]);
        }
        growing += change > 1e-8 * size;
    }
    return growing;
}

/* one contact of a body of any kind: W = A A' + a little */
static int count_growing_single(unsigned seed, int trials, double e_N, double e_T) {
    zw_random random = zw_random_stream(seed, 41);
    int growing = 0;
    for (int trial = 0; trial < trials; trial++) {
        double A[9], W[9], before[3], q[3], r[3], change = 0, size = 0;
        for (int k = 0; k < 9; k++)
            A[k] = zw_random_real(&random, -1, 1);
        for (int i = 0; i < 9; i++) {
            W[i] = i % 4 ? 0 : 0.05;
            for (int k = 0; k < 3; k++)
                W[i] += A[i / 3 * 3 + k] * A[i % 3 * 3 + k];
        }
        for (int a = 0; a < 3; a++) {
            before[a] = a ? zw_random_real(&random, -1, 1) : zw_random_real(&random, -1, 0);
            q[a] = (1 + (a ? e_T : e_N)) * before[a];
        }
        zw_contact_law law = {.nblock = 1,
                              .block = {zw_friction_coulomb(zw_random_real(&random, 0.05, 1.2))}};
        zw_contact_problem p = {.ncontact = 1, .law = &law, .q = q, .W = W};
        assert_int_equal(zw_contact_solve(solver, &p, NULL, r, &answer, &err), ZW_OK);
        assert_int_equal(answer.verdict, ZW_CONTACT_CONVERGED);
        for (int a = 0; a < 3; a++) {
            change += r[a] * before[a];
            size += fabs(r[a] * before[a]);
            for (int b = 0; b < 3; b++)
                change += 0.5 * r[a] * W[3 * a + b] * r[b];
        }
        growing += change > 1e-12 * size;
    }
    return growing;
}

static void test_contact_fuzz__energy(void **state) {
    (void)state;
    int growing = 0;
    for (unsigned i = 0; i < 6; i++) {
        double e = i % 3 * 0.5;
        growing += count_growing(i, 500, (kind){0}, e, e);
        growing += count_growing(10 + i, 60, (kind){.contensou = true}, e, e);
        growing += count_growing(20 + i, 300, (kind){.pivot = true, .roll = true}, e, e);
        growing += count_growing_single(i, 2000, e, e);
    }
    assert_int_equal(growing, 0);
    growing = count_growing_single(30, 6000, 0.8, 0); /* Kane's paradox is real, and rare */
    assert_in_range(growing, 1, 300);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_contact_fuzz__##name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(path_and_newton), TEST(hard), TEST(energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
