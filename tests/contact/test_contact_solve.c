/* SPDX-License-Identifier: MIT */
/* Solvers of contact problems against a residual of their own (problem_file.h), answers of another solver, closed forms, and
 * what the laws promise: impulses in the cone, no penetration, dissipation. */
#include "base/random.h"
#include "contact/solver.h"
#include "failing_allocator.h"
#include "problem_file.h"
#include "test.h"

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

static void read_problem(problem_file *f, const char *name) {
    char path[400];
    snprintf(path, sizeof path, ZW_SOURCE_DIR "/tests/contact/problems/%s.txt", name);
    if (!problem_file_read(f, path))
        fail_msg("cannot read %s", path);
}

/* ------------------------------------------------------------------------------------------- problems */

static const char *const names[] = {"ball_leave",
                                    "ball_slide",
                                    "ball_smooth",
                                    "ball_stick",
                                    "box4_mu0",
                                    "box4_mu0.1",
                                    "box4_mu0.3",
                                    "box4_mu1",
                                    "box4_mu2",
                                    "box4_tip",
                                    "chain10",
                                    "chain100",
                                    "groove_mu0",
                                    "groove_mu0.2",
                                    "groove_mu0.5",
                                    "groove_mu1",
                                    "groove_mu2",
                                    "pile72",
                                    "pile8",
                                    "ratio_balls_1e4",
                                    "ratio_balls_1e6",
                                    "ratio_boxes_1e4",
                                    "ratio_boxes_1e6",
                                    "ratio_stack_1e4",
                                    "ratio_stack_1e6",
                                    "rod_mu1.2_approach",
                                    "rod_mu1.4_approach",
                                    "rod_mu1.4_reverse",
                                    "rod_mu2_approach",
                                    "rod_mu2_leaving",
                                    "rod_mu2_tangent",
                                    "table16",
                                    "table4",
                                    "table5",
                                    "table6",
                                    "table8",
                                    "tippedisk",
                                    "tower100",
                                    "tower12",
                                    "wall100",
                                    "chain1000",
                                    "wall968"};

static void test_contact_solve__problems(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        problem_file f;
        read_problem(&f, names[i]);
        double *r = calloc((size_t)f.problem.ncontact * 3, sizeof *r);
        assert_int_equal(zw_contact_solve(solver, &f.problem, NULL, r, &answer, &err), ZW_OK);
        double mine = problem_file_residual(&f, r);
        if (answer.verdict != ZW_CONTACT_CONVERGED || mine > 1.01e-9)
            fail_msg("%s: residual %g, told %g", names[i], mine, answer.residual);
        /* rounding times the ratio of masses, times the 20 bodies on top of each other */
        assert_close(mine, answer.residual, strstr(names[i], "1e6") ? 1e-9 : 1e-11);
        free(r);
        problem_file_clear(&f);
    }
}

/* where velocities are unique, they are those of another solver */
static void test_contact_solve__answers(void **state) {
    (void)state;
    static const char *const unique[] = {
        "ball_slide", "ball_stick", "rod_mu1.4_reverse", "groove_mu0.5", "groove_mu0.2",
        "chain10",    "pile8",      "tower12",           "tippedisk",    "box4_tip",
        "chain100",   "pile72",     "tower100"};
    for (size_t i = 0; i < sizeof unique / sizeof *unique; i++) {
        problem_file f;
        char path[400], line[400];
        read_problem(&f, unique[i]);
        int n = f.problem.ncontact, at = 0;
        double *r = calloc((size_t)n * 6, sizeof *r), *u = r + 3 * n, residual, size = 0, other[6];
        zw_contact_options o = zw_contact_options_default();
        o.tolerance = 1e-12;
        assert_int_equal(zw_contact_solve(solver, &f.problem, &o, r, &answer, &err), ZW_OK);
        assert_int_equal(zw_contact_residual(solver, &f.problem, r, u, &residual, &err), ZW_OK);
        for (int k = 0; k < 3 * n; k++)
            size += f.q[k] * f.q[k];
        snprintf(path, sizeof path, ZW_SOURCE_DIR "/tests/contact/problems/%s.answer.txt",
                 unique[i]);
        FILE *in = fopen(path, "r");
        assert_non_null(in);
        while (fgets(line, sizeof line, in))
            if (sscanf(line, "%lf%lf%lf%lf%lf%lf", other, other + 1, other + 2, other + 3,
                       other + 4, other + 5) == 6) {
                for (int k = 0; k < 3; k++)
                    assert_true(fabs(u[3 * at + k] - other[3 + k]) < 1e-7 * sqrt(size));
                at++;
            }
        fclose(in);
        assert_int_equal(at, n);
        free(r);
        problem_file_clear(&f);
    }
}

/* the classical iterations agree where they converge, and say so where they do not */
static void test_contact_solve__classical(void **state) {
    (void)state;
    static const char *const easy[] = {"ball_slide", "groove_mu0.5", "chain10", "pile8", "tower12"};
    for (size_t i = 0; i < sizeof easy / sizeof *easy; i++)
        for (int method = ZW_CONTACT_PROX; method <= ZW_CONTACT_GAUSS_SEIDEL; method++) {
            problem_file f;
            read_problem(&f, easy[i]);
            double *r = calloc((size_t)f.problem.ncontact * 3, sizeof *r);
            zw_contact_options o = zw_contact_options_default();
            o.method = method;
            assert_int_equal(zw_contact_solve(solver, &f.problem, &o, r, &answer, &err), ZW_OK);
            if (answer.verdict != ZW_CONTACT_CONVERGED)
                fail_msg("%s: %s ends at %g", easy[i], answer.found, answer.residual);
            assert_close(problem_file_residual(&f, r), answer.residual, 1e-13);
            free(r);
            problem_file_clear(&f);
        }
    problem_file f;
    read_problem(&f, "ratio_balls_1e6");
    double r[6] = {0};
    zw_contact_options o = zw_contact_options_default();
    o.method = ZW_CONTACT_GAUSS_SEIDEL;
    o.iterations_max = 1000;
    assert_int_equal(zw_contact_solve(solver, &f.problem, &o, r, &answer, &err), ZW_OK);
    assert_int_equal(answer.verdict, ZW_CONTACT_NOT_CONVERGED);
    assert_true(problem_file_residual(&f, r) > 1e-8);
    problem_file_clear(&f);
}

static void test_contact_solve__warm_starts_are_used(void **state) {
    (void)state;
    problem_file f;
    read_problem(&f, "tower12");
    double r[36];
    zw_contact_options o = zw_contact_options_default();
    assert_int_equal(zw_contact_solve(solver, &f.problem, &o, r, &answer, &err), ZW_OK);
    assert_true(answer.path > 0);
    for (int k = 0; k < f.problem.nentry; k++) /* a little faster down */
        f.q[3 * f.entry[k].contact] *= 1.001;
    o.warm = true;
    assert_int_equal(zw_contact_solve(solver, &f.problem, &o, r, &answer, &err), ZW_OK);
    assert_int_equal(answer.verdict, ZW_CONTACT_CONVERGED);
    assert_int_equal(answer.path, 0);
    assert_true(problem_file_residual(&f, r) < 1e-9);
    problem_file_clear(&f);
}

/* ------------------------------------------------------------------------------------------ other laws */

enum { MANY = 6, WIDE = 10 };

typedef struct random_problem {
    zw_contact_problem problem;
    zw_contact_law law[MANY];
    zw_contact_part part[3];
    zw_contact_entry entry[2 * MANY];
    double mass[3 * WIDE * WIDE], H[2 * MANY * ZW_CONTACT_ROWS_MAX * WIDE],
        q[MANY * ZW_CONTACT_ROWS_MAX];
} random_problem;

static zw_contact_law random_law(zw_random *random, int kind) {
    static const double pressures[] = {-1, 0, 0.5, 1};
    zw_contact_law law = {.nblock = 1};
    double mu = zw_random_real(random, 0.05, 1.2);
    law.block[0] = zw_friction_coulomb(mu);
    if (kind == 0) /* anisotropic */
        law.block[0].axis[1] = zw_random_real(random, 0.3, 1);
    else if (kind == 1) {
        law.block[0] = zw_friction_block(ZW_FRICTION_CONTENSOU, 3, mu);
        law.block[0].nu = pressures[zw_random_bits(random) % 4];
    } else if (kind == 2) { /* slip, pivoting, rolling */
        law.nblock = 3;
        law.block[1] = zw_friction_block(ZW_FRICTION_ELLIPSOID, 1, 0.3 * mu);
        law.block[2] = zw_friction_block(ZW_FRICTION_ELLIPSOID, 2, 0.1 * mu);
    } else if (kind == 3)
        law.block[0].smooth = exp(zw_random_real(random, -6, 0));
    else if (kind == 4) {
        law.block[0].kind = ZW_FRICTION_LINEAR;
        law.block[0].damping = zw_random_real(random, 0, 2);
    } else if (kind == 5) /* in the plane */
        law.block[0] = zw_friction_block(ZW_FRICTION_ELLIPSOID, 1, mu);
    else if (kind == 6)
        law.nblock = 0;
    return law;
}

/* parts of several sizes with full mass matrices; contacts of one or two of them, moved by more velocities than they have
 * rows, so that approaching contacts can be stopped */
static void make_random(random_problem *p, zw_random *random, int kind, int ncontact) {
    static const int size[3] = {6, 9, 4};
    memset(p, 0, sizeof *p);
    double *mass = p->mass, *H = p->H, *q = p->q;
    for (int i = 0; i < 3; i++) {
        int n = size[i];
        double A[WIDE * WIDE];
        for (int k = 0; k < n * n; k++)
            A[k] = zw_random_real(random, -1, 1);
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++) {
                mass[a * n + b] = a == b ? 0.3 : 0;
                for (int k = 0; k < n; k++)
                    mass[a * n + b] += A[a * n + k] * A[b * n + k];
            }
        p->part[i] = (zw_contact_part){.n = n, .mass = mass};
        mass += n * n;
    }
    int e = 0;
    for (int i = 0; i < ncontact; i++) {
        p->law[i] = random_law(random, kind < 7 ? kind : (int)(zw_random_bits(random) % 7));
        int m = zw_contact_law_rows(&p->law[i]), two = i % 2;
        for (int k = 0; k <= two; k++) {
            int part = (i + k) % 3;
            p->entry[e++] = (zw_contact_entry){.contact = i, .part = part, .H = H};
            for (int a = 0; a < m * size[part]; a++)
                *H++ = zw_random_real(random, -1, 1);
        }
        for (int a = 0; a < m; a++)
            *q++ = a ? zw_random_real(random, -1, 1) : zw_random_real(random, -1, 0.3);
    }
    p->problem = (zw_contact_problem){.ncontact = ncontact,
                                      .npart = 3,
                                      .nentry = e,
                                      .law = p->law,
                                      .part = p->part,
                                      .entry = p->entry,
                                      .q = p->q};
}

/* the law itself, contact by contact, with tolerances: not the projections by which it was solved */
static void expect_law(const random_problem *p, const double *r, const double *u) {
    double size = 1; /* of impulses: velocities are right to 1e-9 of those that come in */
    for (int i = 0; i < solver->nrow; i++)
        size = fmax(size, fabs(r[i]));
    for (int i = 0; i < p->problem.ncontact; i++) {
        const zw_contact_law *law = &p->law[i];
        assert_true(r[0] >= -1e-8 * size && u[0] >= -1e-8);
        assert_true(fabs(r[0] * u[0]) < 1e-8 * size);
        for (int b = 0, at = 1; b < law->nblock; at += law->block[b++].nrow) {
            const zw_friction *f = &law->block[b];
            double power = 0, slip = 0;
            for (int a = at; a < at + f->nrow; a++) {
                power += r[a] * u[a];
                slip += u[a] * u[a];
            }
            if (f->kind == ZW_FRICTION_LINEAR) {
                for (int a = at; a < at + f->nrow; a++)
                    assert_close(r[a], -f->damping * u[a], 1e-7);
                continue;
            }
            assert_true(zw_law_gauge_value(f, r + at) <= f->mu * r[0] + 1e-8 * size);
            zw_law_support s = {0};
            if (slip > 0)
                zw_law_support_at(f, u + at, &s);
            double part = f->smooth > 0 ? s.D / (s.D + f->smooth) : 1;
            assert_close(power, -f->mu * r[0] * s.D * part,
                         1e-7); /* it dissipates the most it can */
        }
        r += zw_contact_law_rows(law);
        u += zw_contact_law_rows(law);
    }
}

static void test_contact_solve__every_law(void **state) {
    (void)state;
    zw_random random = zw_random_stream(11, 0);
    int failed = 0, all = 0;
    for (int kind = 0; kind < 8; kind++)
        for (int trial = 0; trial < 60; trial++) {
            random_problem p;
            double r[MANY * ZW_CONTACT_ROWS_MAX], u[MANY * ZW_CONTACT_ROWS_MAX], residual;
            int ncontact = 1 + (int)(zw_random_bits(&random) % 3);
            make_random(&p, &random, kind, ncontact);
            assert_int_equal(zw_contact_solve(solver, &p.problem, NULL, r, &answer, &err), ZW_OK);
            assert_int_equal(zw_contact_residual(solver, &p.problem, r, u, &residual, &err), ZW_OK);
            assert_close(residual, answer.residual, 1e-14);
            all++;
            if (answer.verdict != ZW_CONTACT_CONVERGED)
                failed++;
            else
                expect_law(&p, r, u);
        }
    if (failed) /* random matrices may be jammed; none is told to be solved that is not */
        print_message("%d of %d not converged\n", failed, all);
    assert_true(failed <= all / 50);
}

/* exact answers for one contact are those of the path */
static void test_contact_solve__single_is_the_path(void **state) {
    (void)state;
    zw_random random = zw_random_stream(12, 0);
    int compared = 0;
    for (int trial = 0; trial < 300; trial++) {
        random_problem p;
        double r[ZW_CONTACT_ROWS_MAX], scaled[ZW_CONTACT_ROWS_MAX];
        make_random(&p, &random, trial % 3 == 0 ? 0 : trial % 3 == 1 ? 1 : 5, 1);
        p.q[0] = -fabs(p.q[0]);
        for (int k = 0; k < p.law[0].nblock; k++)
            p.law[0].block[k].mu *= 0.4; /* one answer */
        assert_int_equal(zw_contact_solve(solver, &p.problem, NULL, r, &answer, &err), ZW_OK);
        if (strcmp(answer.found, "exact") != 0)
            continue;
        assert_int_equal(zw_contact_begin(solver, &p.problem, &err), ZW_OK);
        assert_int_equal(zw_contact_matrix_order(solver, &err), ZW_OK);
        int steps = 0;
        if (zw_contact_path(solver, 10, 0, 1e-12, &steps) > 1e-6)
            continue;
        memcpy(solver->r, solver->best, sizeof *r * (size_t)solver->nrow);
        if (zw_contact_newton(solver, 1e-6, 1e-13, 30, 10, &steps) > 1e-11)
            continue;
        for (int k = 0; k < solver->nrow; k++) {
            scaled[k] = solver->best[k] * solver->root[0] * solver->size;
            assert_close(scaled[k], r[k], 1e-8);
        }
        compared++;
    }
    assert_true(compared > 200);
}

/* A ball of mass m and radius a, dropped spinning: the closed form of slipping and sticking. */
static void test_contact_solve__ball(void **state) {
    (void)state;
    const double mass[] = {2, 2, 2, 0.8 * 0.09 * 2, 0.8 * 0.09 * 2, 0.8 * 0.09 * 2};
    const double a = 0.3, H[18] = {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -a, 0, 0, 1, 0, a, 0, 0};
    const double q[3] = {-1.5, 0.6, -0.8};
    zw_contact_law law = {.nblock = 1, .block = {zw_friction_coulomb(0.1)}};
    zw_contact_part part = {.n = 6, .diagonal = true, .mass = mass};
    zw_contact_entry entry = {.contact = 0, .part = 0, .H = H};
    zw_contact_problem p = {1, 1, 1, &law, &part, &entry, q};
    double r[3], W_T = 1 / mass[0] + a * a / mass[3];
    assert_int_equal(zw_contact_solve(solver, &p, NULL, r, &answer, &err), ZW_OK);
    assert_close(r[0], 3, 1e-14); /* m 1.5 */
    assert_close(r[1], -0.1 * 3 * 0.6, 1e-14);
    assert_close(r[2], 0.1 * 3 * 0.8, 1e-14);
    law.block[0].mu = 2;
    assert_int_equal(zw_contact_solve(solver, &p, NULL, r, &answer, &err), ZW_OK);
    assert_close(r[1], -0.6 / W_T, 1e-14);
    assert_close(r[2], 0.8 / W_T, 1e-14);
}

/* ------------------------------------------------------------------------------------------- bad data */

static void expect_refused(zw_contact_problem *p, const char *words) {
    double r[3];
    err = (zw_error){0};
    assert_true(zw_contact_solve(solver, p, NULL, r, &answer, &err) < 0);
    if (!strstr(err.text, words))
        fail_msg("%s", err.text);
    assert_int_equal(answer.verdict, ZW_CONTACT_NOT_CONVERGED);
}

static void test_contact_solve__refuses(void **state) {
    (void)state;
    double mass[1] = {1}, H[3] = {1, 0, 0}, q[3] = {-1, 0, 0};
    zw_contact_law law = {.nblock = 1, .block = {zw_friction_coulomb(-0.1)}};
    zw_contact_part part = {.n = 1, .diagonal = true, .mass = mass};
    zw_contact_entry entry = {.contact = 0, .part = 0, .H = H};
    zw_contact_problem p = {1, 1, 1, &law, &part, &entry, q};
    expect_refused(&p, "mu");
    law.block[0].mu = 0.3;
    mass[0] = 0;
    expect_refused(&p, "mass");
    mass[0] = 1;
    q[1] = NAN;
    expect_refused(&p, "no number");
    q[1] = 0;
    H[0] = 0;
    expect_refused(&p, "nothing moves it");
    H[0] = 1;
    entry.part = 3;
    expect_refused(&p, "out of range");
    entry.part = 0;
    law.block[0].kind = ZW_FRICTION_CONTENSOU;
    expect_refused(&p, "Contensou");
}

/* no contacts, contacts at rest, and two that no impulse can stop */
static void test_contact_solve__edges(void **state) {
    (void)state;
    double mass[1] = {1}, H[2] = {1, -1}, q[2] = {0, 0}, r[2] = {7, 7};
    zw_contact_law law[2] = {{0}, {0}};
    zw_contact_part part = {.n = 1, .diagonal = true, .mass = mass};
    zw_contact_entry entry[2] = {{0, 0, H}, {1, 0, H + 1}};
    zw_contact_problem p = {2, 1, 2, law, &part, entry, q}, none = {0};
    assert_int_equal(zw_contact_solve(solver, &none, NULL, r, &answer, &err), ZW_OK);
    assert_int_equal(answer.verdict, ZW_CONTACT_CONVERGED);
    assert_int_equal(zw_contact_solve(solver, &p, NULL, r, &answer, &err), ZW_OK);
    assert_int_equal(answer.verdict, ZW_CONTACT_CONVERGED);
    assert_true(r[0] == 0 && r[1] == 0);
    q[0] = q[1] = -1;
    for (int method = ZW_CONTACT_AUTO; method <= ZW_CONTACT_GAUSS_SEIDEL; method++) {
        zw_contact_options o = zw_contact_options_default();
        o.method = method;
        o.iterations_max = 1000;
        assert_int_equal(zw_contact_solve(solver, &p, &o, r, &answer, &err), ZW_OK);
        assert_int_equal(answer.verdict, ZW_CONTACT_NOT_CONVERGED);
        assert_true(answer.residual > 0.1);
    }
}

static void test_contact_solve__survives_failing_memory(void **state) {
    (void)state;
    problem_file f;
    read_problem(&f, "tower12");
    for (long n = 1;; n++) {
        failing_allocator a = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&a);
        double r[36];
        zw_contact_solver *s = zw_contact_solver_create(&alloc);
        zw_status status =
            s ? zw_contact_solve(s, &f.problem, NULL, r, &answer, &err) : ZW_E_MEMORY;
        assert_true(a.failed ? status == ZW_E_MEMORY : status == ZW_OK);
        zw_contact_solver_destroy(s);
        assert_int_equal(a.blocks, 0);
        if (!a.failed)
            break;
    }
    problem_file_clear(&f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_contact_solve__##name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(problems),  TEST(answers),
        TEST(classical), TEST(warm_starts_are_used),
        TEST(every_law), TEST(single_is_the_path),
        TEST(ball),      TEST(refuses),
        TEST(edges),     TEST(survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
