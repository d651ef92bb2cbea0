/* SPDX-License-Identifier: MIT */
/* Solvers of contact problems against a residual of their own (problem_file.h), answers of another
 * solver, closed forms, and what the laws promise: impulses in the cone, no penetration,
 * dissipation. */
#include "base/random.h"
#include "contact/solver.h"
#include "support/failing_allocator.h"
#include "support/problem_file.h"
#include "support/test.h"

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

/* ------------------------------------------------------------------------------------- problems */

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

/* How many iterations the fixed point needs until the impulses change by no more than 1e-8 of their
 * size: by itself, one after the other. */
static int count_prox(const zw_contact_problem *p, const zw_contact_options *options, double *r) {
    zw_contact_options o = *options;
    int rows = zw_contact_law_rows(p->law), n = 0;
    o.method = ZW_CONTACT_PROX;
    o.warm = true;
    o.tolerance = 1e-300;
    o.iterations_max = 1;
    for (double change = 1, size = 0; change > 1e-8 * size && n < 1000; n++) {
        double old[ZW_CONTACT_ROWS_MAX];
        memcpy(old, r, sizeof *r * (size_t)rows);
        assert_int_equal(zw_contact_solve(solver, p, &o, r, &answer, &err), ZW_OK);
        change = size = 0;
        for (int k = 0; k < rows; k++) {
            change += fabs(r[k] - old[k]);
            size += fabs(r[k]);
        }
    }
    return n;
}

/* The disc of the thesis, upright and spinning, a step of 1e-5 s, Contensou's law: 66 iterations
 * with r = 0.1 for all rows, a few with those of the rows. N, slip along the disc, slip across,
 * spin times a radius of 3.5 mm. */
static void test_contact_solve__prox_of_the_disc(void **state) {
    (void)state;
    const double m = 0.435424741787501, A = 2.485549567704e-4, B = 2.240623150448e-4,
                 C = 4.653601927854e-4, arm = 0.0425, radius = 3.5e-3, step = 1e-5;
    const double mass[6] = {m, m, m, A, B, C}, H[24] = {1, 0, 0, 0, 0,   0, 0, 1, 0, 0,      0, arm,
                                                        0, 0, 1, 0, arm, 0, 0, 0, 0, radius, 0, 0},
                 q[4] = {-9.81 * step, 0, 0, 40 * radius};
    zw_contact_law law = {.nblock = 1, .block = {zw_friction_block(ZW_FRICTION_CONTENSOU, 3, 0.3)}};
    zw_contact_part part = {.n = 6, .diagonal = true, .mass = mass};
    zw_contact_entry entry = {.H = H};
    zw_contact_problem p = {.ncontact = 1,
                            .npart = 1,
                            .nentry = 1,
                            .law = &law,
                            .part = &part,
                            .entry = &entry,
                            .q = q};
    zw_contact_options o = zw_contact_options_default();
    double r[4] = {0}, s[4] = {0}, each[4] = {0.1, 0.1, 0.1, 0.1}, exact[4];
    o.prox = 0.1;
    assert_int_equal(count_prox(&p, &o, r), 66);
    memset(r, 0, sizeof r);
    o.prox = 0;
    o.prox_rows = each;
    assert_int_equal(count_prox(&p, &o, r), 66);
    o.prox_rows = NULL;
    assert_in_range(count_prox(&p, &o, s), 2, 5);
    assert_int_equal(zw_contact_solve(solver, &p, NULL, exact, &answer, &err), ZW_OK);
    assert_close(exact[0], m * 9.81 * step, 1e-18);
    assert_close(exact[3], -0.3 * 3 * M_PI / 16 * exact[0], 1e-15);
    for (int k = 0; k < 4; k++) {
        assert_close(s[k], exact[k], 1e-14);
        assert_close(r[k], exact[k], 1e-11);
    }
}

/* nobody has solved it: it is told how far it is */
static void test_contact_solve__the_open_one(void **state) {
    (void)state;
    problem_file f;
    read_problem(&f, "pile897");
    double *r = calloc((size_t)f.problem.ncontact * 3, sizeof *r);
    assert_int_equal(zw_contact_solve(solver, &f.problem, NULL, r, &answer, &err), ZW_OK);
    double residual = problem_file_residual(&f, r);
    assert_close(residual, answer.residual, 1e-13);
    assert_int_equal(answer.verdict,
                     residual < 1e-9 ? ZW_CONTACT_CONVERGED : ZW_CONTACT_NOT_CONVERGED);
    assert_true(residual < 1e-3);
    assert_false(answer.impossible);
    free(r);
    problem_file_clear(&f);
}

/* W = H M^-1 H' of a problem, column by column; the caller frees it */
static double *make_W(const problem_file *f) {
    int n = 3 * f->problem.ncontact;
    double *W = calloc((size_t)(n * n), sizeof *W), *e = calloc((size_t)(3 * n), sizeof *e),
           *u = e + n, *trace = u + n;
    for (int j = 0; j < n; j++) {
        memset(e, 0, sizeof *e * (size_t)n);
        e[j] = 1;
        problem_file_velocities(f, e, u, trace);
        for (int i = 0; i < n; i++)
            W[i * n + j] = u[i] - f->q[i];
    }
    free(e);
    return W;
}

/* the residual by W, which bodies with a mass ratio of 1e6 make to 1e-10 only */
static double residual_by_W(const problem_file *f, const double *W, const double *r) {
    int n = 3 * f->problem.ncontact;
    double u[3 * 20], trace[20] = {0};
    for (int i = 0; i < n; i++) {
        u[i] = f->q[i];
        trace[i / 3] += W[i * n + i];
        for (int j = 0; j < n; j++)
            u[i] += W[i * n + j] * r[j];
    }
    return problem_file_judge(f, r, u, trace);
}

/* W given instead of bodies, singular in most problems: solved all the same, by every method that
 * solves it by parts */
static void test_contact_solve__W_itself(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        problem_file f;
        read_problem(&f, names[i]);
        int n = 3 * f.problem.ncontact;
        double r[3 * 20], *W = f.problem.ncontact <= 20 ? make_W(&f) : NULL;
        zw_contact_problem p = {.ncontact = f.problem.ncontact, .law = f.law, .q = f.q, .W = W};
        if (W) {
            assert_int_equal(zw_contact_solve(solver, &p, NULL, r, &answer, &err), ZW_OK);
            if (answer.verdict != ZW_CONTACT_CONVERGED || !(residual_by_W(&f, W, r) < 1e-9))
                fail_msg("%s of %d rows: %g", names[i], n, residual_by_W(&f, W, r));
        }
        free(W);
        problem_file_clear(&f);
    }
    static const char *const easy[] = {"ball_slide", "groove_mu0.5", "table4", "pile8"};
    for (size_t i = 0; i < sizeof easy / sizeof *easy; i++)
        for (int method = ZW_CONTACT_PROX; method <= ZW_CONTACT_GAUSS_SEIDEL; method++) {
            problem_file f;
            read_problem(&f, easy[i]);
            double r[3 * 8], *W = make_W(&f);
            zw_contact_problem p = {.ncontact = f.problem.ncontact, .law = f.law, .q = f.q, .W = W};
            zw_contact_options o = zw_contact_options_default();
            o.method = method;
            assert_int_equal(zw_contact_solve(solver, &p, &o, r, &answer, &err), ZW_OK);
            assert_int_equal(answer.verdict, ZW_CONTACT_CONVERGED);
            assert_true(residual_by_W(&f, W, r) < 1e-9);
            free(W);
            problem_file_clear(&f);
        }
}

/* q moved by the velocities of bodies that have a part of its size */
static void move_bodies(problem_file *f, zw_random *random, double part, const double *q) {
    int n = 3 * f->problem.ncontact;
    double *v = calloc((size_t)f->problem.npart * 6, sizeof *v), moved = 0, size = 0;
    for (int i = 0; i < 6 * f->problem.npart; i++)
        v[i] = zw_random_real(random, -1, 1);
    memset(f->q, 0, sizeof *q * (size_t)n);
    for (int e = 0; e < f->problem.nentry; e++)
        for (int k = 0; k < 18; k++)
            f->q[3 * f->entry[e].contact + k / 6] +=
                f->entry[e].H[k] * v[6 * f->entry[e].part + k % 6];
    for (int i = 0; i < n; i++) {
        moved += f->q[i] * f->q[i];
        size += q[i] * q[i];
    }
    for (int i = 0; i < n; i++)
        f->q[i] = q[i] + part * sqrt(size / moved) * f->q[i];
    free(v);
}

/* how many of TRIES moved problems are solved by Newton's method from the old impulses, and how
 * many not at all */
enum { TRIES = 10 };
static int count_warm(const char *name, double part, zw_random *random, int *unsolved) {
    problem_file f;
    read_problem(&f, name);
    int n = 3 * f.problem.ncontact, warm = 0;
    double *old = calloc((size_t)n * 3, sizeof *old), *r = old + n, *q = r + n;
    zw_contact_options o = zw_contact_options_default();
    assert_int_equal(zw_contact_solve(solver, &f.problem, &o, old, &answer, &err), ZW_OK);
    memcpy(q, f.q, sizeof *q * (size_t)n);
    o.warm = true;
    for (int trial = 0; trial < TRIES; trial++) {
        move_bodies(&f, random, part, q);
        memcpy(r, old, sizeof *r * (size_t)n);
        assert_int_equal(zw_contact_solve(solver, &f.problem, &o, r, &answer, &err), ZW_OK);
        bool heavy = strstr(name, "1e6"); /* rounding alone makes 1e-9 */
        double residual = problem_file_residual(&f, r);
        if (answer.verdict == ZW_CONTACT_CONVERGED && !(residual < (heavy ? 2e-9 : 1e-9)))
            fail_msg("%s moved by %g is called solved: %g", name, part, residual);
        *unsolved += answer.verdict != ZW_CONTACT_CONVERGED && !(heavy && residual < 2e-9);
        warm += strcmp(answer.found, "Newton from the old impulses") == 0;
    }
    free(old);
    problem_file_clear(&f);
    return warm;
}

/* with several contacts: nine of ten after small changes, eight of ten after large ones */
static void test_contact_solve__warm_starts_are_used(void **state) {
    (void)state;
    static const double part[] = {1e-3, 1e-2, 1e-1}, least[] = {0.9, 0.86, 0.79};
    zw_random random = zw_random_stream(13, 0);
    for (int k = 0; k < 3; k++) {
        int warm = 0, all = 0, unsolved = 0;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strncmp(names[i], "ball_", 5) != 0 && strncmp(names[i], "rod_", 4) != 0 &&
                strcmp(names[i], "tippedisk") != 0) {
                warm += count_warm(names[i], part[k], &random, &unsolved);
                all += TRIES;
            }
        if (warm < least[k] * all)
            fail_msg("moved by %g: %d of %d", part[k], warm, all);
        assert_true(unsolved <= all / 100); /* large walls have folds of the path */
    }
}

/* ----------------------------------------------------------------------------------- other laws */

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

/* parts of several sizes with full mass matrices; contacts of one or two of them, moved by more
 * velocities than they have rows, so that approaching contacts can be stopped */
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

/* the law itself, contact by contact, with tolerances: not the projections by which it was
 * solved */
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
                         1e-8 * size); /* it dissipates the most it can */
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
        if (zw_contact_path(solver, 10, 0, 1e-12, &steps, &steps) > 1e-6)
            continue;
        memcpy(solver->r, solver->best, sizeof *r * (size_t)solver->nrow);
        if (zw_contact_newton(solver, 1e-8, 1e-15, 30, 10, &steps) > 1e-11)
            continue;
        for (int k = 0; k < solver->nrow; k++) {
            scaled[k] = solver->best[k] * solver->root[0] * solver->size;
            assert_close(scaled[k], r[k], 1e-9);
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
    zw_contact_problem p = {.ncontact = 1,
                            .npart = 1,
                            .nentry = 1,
                            .law = &law,
                            .part = &part,
                            .entry = &entry,
                            .q = q};
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

/* -------------------------------------------------------------------------------- other answers */

static bool is_one_of(const char *name, const char *const *list) {
    for (; *list; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

/* Redundant contacts that slide: another solver finds other motions in these eleven, and the same
 * ones elsewhere. */
static void test_contact_solve__other_answers(void **state) {
    (void)state;
    static const char *const moving[] = {
        "box4_mu0.1", "box4_mu0.3", "box4_mu1", "box4_mu2", "table4",          "table5", "table6",
        "table8",     "table16",    "wall100",  "wall968",  "rod_mu2_leaving", NULL};
    static const char *const loaded[] = {"box4_mu0", "tower12", "tower100",
                                         NULL}; /* forces alone */
    static const char *const determined[] = {"ball_slide", "box4_tip", "chain100",
                                             "pile72",     "pile8",    NULL};
    static const char *const blocked[] = {"rod_mu1.4_approach", "rod_mu2_approach",
                                          "rod_mu2_tangent", NULL};
    zw_contact_options o = zw_contact_options_default();
    o.examine = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        problem_file f;
        read_problem(&f, names[i]);
        double *r = calloc((size_t)f.problem.ncontact * 3, sizeof *r);
        assert_int_equal(zw_contact_solve(solver, &f.problem, &o, r, &answer, &err), ZW_OK);
        bool moves = is_one_of(names[i], moving);
        if (answer.motion != (moves ? ZW_CONTACT_NOT_UNIQUE : ZW_CONTACT_UNIQUE) ||
            (moves && answer.forces != ZW_CONTACT_NOT_UNIQUE))
            fail_msg("%s: motion %d, forces %d", names[i], answer.motion, answer.forces);
        if (is_one_of(names[i], loaded))
            assert_int_equal(answer.forces, ZW_CONTACT_NOT_UNIQUE);
        if (is_one_of(names[i], determined))
            assert_int_equal(answer.forces, ZW_CONTACT_UNIQUE);
        assert_int_equal(answer.paradox, is_one_of(names[i], blocked) ? ZW_CONTACT_NO_SLIP
                                         : strcmp(names[i], "rod_mu2_leaving")
                                             ? ZW_CONTACT_NO_PARADOX
                                             : ZW_CONTACT_SEVERAL);
        assert_false(answer.impossible);
        free(r);
        problem_file_clear(&f);
    }
}

/* W = A A' + a little, 3 x 3 */
static void random_W(zw_random *random, double *W) {
    double A[9];
    for (int k = 0; k < 9; k++)
        A[k] = zw_random_real(random, -1, 1);
    for (int i = 0; i < 9; i++) {
        W[i] = i % 4 == 0 ? 0.02 : 0;
        for (int k = 0; k < 3; k++)
            W[i] += A[i / 3 * 3 + k] * A[i % 3 * 3 + k];
    }
}

/* answers that slip, counted by changes of sign over many directions; nothing and sticking by their
 * definitions */
static int count_answers(const double *W, const double *q, double mu) {
    enum { DIRECTIONS = 20000 };
    int n = q[0] >= 0;
    double last = 0, LU[9], stuck[3] = {-q[0], -q[1], -q[2]};
    for (int k = 0; k <= DIRECTIONS; k++) {
        double angle = 2 * M_PI * k / DIRECTIONS, c = cos(angle), s = sin(angle),
               along = W[0] - mu * (W[1] * c + W[2] * s), N = -q[0] / along,
               x = q[1] + N * (W[3] - mu * (W[4] * c + W[5] * s)),
               y = q[2] + N * (W[6] - mu * (W[7] * c + W[8] * s)), across = c * y - s * x;
        bool slips = N > 0 && c * x + s * y > 0;
        if (k > 0 && slips && last != 0 && (across > 0) != (last > 0))
            n++;
        last = slips ? across : 0;
    }
    memcpy(LU, W, sizeof LU);
    for (int j = 0; j < 3; j++) /* W is positive definite: no rows need to be exchanged */
        for (int i = j + 1; i < 3; i++) {
            double f = LU[3 * i + j] / LU[3 * j + j];
            for (int k = j; k < 3; k++)
                LU[3 * i + k] -= f * LU[3 * j + k];
            stuck[i] -= f * stuck[j];
        }
    for (int i = 2; i >= 0; i--) {
        for (int k = i + 1; k < 3; k++)
            stuck[i] -= LU[3 * i + k] * stuck[k];
        stuck[i] /= LU[4 * i];
    }
    return n + (stuck[0] > 0 && hypot(stuck[1], stuck[2]) <= mu * stuck[0]);
}

static void test_contact_solve__all_answers_of_one_contact(void **state) {
    (void)state;
    zw_random random = zw_random_stream(21, 0);
    int several = 0, alone = 0;
    for (int trial = 0; trial < 1500; trial++) {
        double W[9], q[3], r[ZW_COULOMB_ANSWERS][3], mu = zw_random_real(&random, 0.05, 2.5);
        random_W(&random, W);
        for (int k = 0; k < 3; k++)
            q[k] = zw_random_real(&random, -1, k ? 1 : 0.5);
        zw_contact_coulomb one;
        zw_contact_coulomb_prepare(&one, W, mu);
        int n = zw_contact_coulomb_all(&one, q, r), all = count_answers(W, q, mu);
        if (n != all &&
            !(n == 2 && all > 2)) /* nothing and sticking: the others are not looked for */
            fail_msg("trial %d: %d of %d answers", trial, n, all);
        for (int k = 0; k < n; k++) { /* each is one */
            double u[3];
            for (int a = 0; a < 3; a++)
                u[a] = q[a] + W[3 * a] * r[k][0] + W[3 * a + 1] * r[k][1] + W[3 * a + 2] * r[k][2];
            double size = 1 + fabs(r[k][0]);
            assert_true(sqrt(zw_contact_disc_residual(mu, r[k], u)) < 1e-12 * size * size);
        }
        assert_true(n >= 1 || q[0] < 0);
        several += n > 1;
        alone += one.alone;
        if (one.alone)
            assert_int_equal(n, 1);
    }
    assert_true(several > 30 && alone > 300);
}

/* Two contacts that face each other, and come closer with the ground: nothing helps, and it is
 * proved; the ground being still, there are many answers. */
static void test_contact_solve__impossible(void **state) {
    (void)state;
    double mass[3] = {1, 1, 0.5}, H[2][9] = {{0, 1, 0.2, 1, 0, -0.3, 0, 0, 1}, {0}}, q[6] = {0};
    zw_contact_law law[2] = {{.nblock = 1, .block = {zw_friction_coulomb(0.7)}},
                             {.nblock = 1, .block = {zw_friction_coulomb(0.7)}}};
    for (int k = 0; k < 9; k++)
        H[1][k] = -H[0][k];
    zw_contact_part part = {.n = 3, .diagonal = true, .mass = mass};
    zw_contact_entry entry[2] = {{0, 0, H[0]}, {1, 0, H[1]}};
    zw_contact_problem p = {
        .ncontact = 2, .npart = 1, .nentry = 2, .law = law, .part = &part, .entry = entry, .q = q};
    double r[6];
    q[0] = -1;
    q[3] = 0.9;
    assert_int_equal(zw_contact_solve(solver, &p, NULL, r, &answer, &err), ZW_OK);
    assert_int_equal(answer.verdict, ZW_CONTACT_NOT_CONVERGED);
    assert_true(answer.impossible);
    q[3] = 1.1; /* a little room */
    assert_int_equal(zw_contact_solve(solver, &p, NULL, r, &answer, &err), ZW_OK);
    assert_int_equal(answer.verdict, ZW_CONTACT_CONVERGED);
    assert_false(answer.impossible);
    q[3] = 1; /* none: any pair of equal forces on top */
    zw_contact_options o = zw_contact_options_default();
    o.examine = true;
    assert_int_equal(zw_contact_solve(solver, &p, &o, r, &answer, &err), ZW_OK);
    assert_int_equal(answer.verdict, ZW_CONTACT_CONVERGED);
    assert_int_equal(answer.forces, ZW_CONTACT_NOT_UNIQUE);
    assert_int_equal(answer.motion, ZW_CONTACT_UNIQUE);
}

/* ------------------------------------------------------------------------------------- bad data */

static void expect_refused(zw_contact_problem *p, const char *words) {
    double r[6];
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
    zw_contact_problem p = {.ncontact = 1,
                            .npart = 1,
                            .nentry = 1,
                            .law = &law,
                            .part = &part,
                            .entry = &entry,
                            .q = q};
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

static void test_contact_solve__refuses_W(void **state) {
    (void)state;
    double W[36] = {0}, q[6] = {-1, 0, 0, -1, 0, 0};
    const zw_contact_law coulomb = {.nblock = 1, .block = {zw_friction_coulomb(0.3)}},
                         law[2] = {coulomb, coulomb};
    for (int n = 1; n <= 2; n++) {
        zw_contact_problem p = {.ncontact = n, .law = law, .q = q, .W = W};
        int rows = 3 * n;
        memset(W, 0, sizeof W);
        expect_refused(&p, "nothing moves it");
        for (int i = 0; i < rows; i++)
            W[i * rows + i] = 1;
        W[1] = 0.5;
        expect_refused(&p, "not symmetric");
        W[1] = W[rows] = NAN;
        expect_refused(&p, "no numbers");
        W[1] = W[rows] = 2;
        expect_refused(&p, "semidefinite");
        W[1] = W[rows] = 0;
        p.npart = 1;
        p.nentry = 1;
        expect_refused(&p, "both");
    }
}

/* no contacts, contacts at rest, and two that no impulse can stop */
static void test_contact_solve__edges(void **state) {
    (void)state;
    double mass[1] = {1}, H[2] = {1, -1}, q[2] = {0, 0}, r[2] = {7, 7};
    zw_contact_law law[2] = {{0}, {0}};
    zw_contact_part part = {.n = 1, .diagonal = true, .mass = mass};
    zw_contact_entry entry[2] = {{0, 0, H}, {1, 0, H + 1}};
    zw_contact_problem none = {0}, p = {.ncontact = 2,
                                        .npart = 1,
                                        .nentry = 2,
                                        .law = law,
                                        .part = &part,
                                        .entry = entry,
                                        .q = q};
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
        assert_true(answer.impossible);
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
        TEST(problems),
        TEST(answers),
        TEST(other_answers),
        TEST(all_answers_of_one_contact),
        TEST(impossible),
        TEST(classical),
        TEST(the_open_one),
        TEST(prox_of_the_disc),
        TEST(warm_starts_are_used),
        TEST(every_law),
        TEST(single_is_the_path),
        TEST(ball),
        TEST(refuses),
        TEST(refuses_W),
        TEST(W_itself),
        TEST(edges),
        TEST(survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
