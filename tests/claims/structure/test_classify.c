/* SPDX-License-Identifier: MIT */
/* The classifier against systems whose kind is known, and against what it predicts: vakonomic and
 * nonholonomic accelerations agree where it says so and differ where it finds the set not
 * integrable; what it calls conserved is conserved along runs. */
#include "support/failing_allocator.h"
#include "support/mech.h"
#include "zwang/zwang.h"

static zw_context *ctx;
static zw_system *s;
static zw_classification is;
static zw_error err;

static int setup(void **state) {
    (void)state;
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    return ctx ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    zw_context_destroy(ctx);
    return 0;
}

static void read_text(const char *text) {
    if (zw_model_parse(&s, ctx, text, strlen(text), "test.zw", NULL, &err) < 0)
        fail_msg("line %d: %s", err.line, err.text);
}

static void classify(const char *text) {
    read_text(text);
    if (zw_classify(&is, s, NULL, &err) < 0)
        fail_msg("%s", err.text);
}

static const zw_constraint_class *class_of(const char *name) {
    for (int i = 0; i < is.n; i++)
        if (strcmp(s->constraint[is.constraint[i].constraint].name, name) == 0)
            return &is.constraint[i];
    fail_msg("no constraint %s", name);
    return NULL;
}

static const zw_conserved *conserved(const char *name) {
    for (int i = 0; i < is.nconserved; i++)
        if (strcmp(is.conserved[i].name, name) == 0)
            return &is.conserved[i];
    return NULL;
}

static void assert_growth(int n, const int *ranks) {
    assert_int_equal(is.ngrowth, n);
    for (int i = 0; i < n; i++)
        assert_int_equal(is.growth[i], ranks[i]);
}
#define ASSERT_GROWTH(...)                                                                         \
    assert_growth((int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)), (int[]){__VA_ARGS__})

/* ----------------------------------------------------------------------- runs and accelerations */

typedef struct motion {
    zw_kernel *kernel;
    zw_run *run;
    zw_equations eq;
    double p[MECH_MAX];
} motion;

static void motion_open(motion *m, const zw_active *active) {
    zw_run_options options = zw_run_options_default();
    options.rtol = 1e-11;
    options.atol = 1e-13;
    bool ok = zw_derive(&m->eq, s, active, "lagrange", &err) >= 0 &&
              zw_kernel_create(&m->kernel, &m->eq, NULL, &err) >= 0 &&
              zw_system_param_values(s, m->p, &err) >= 0 &&
              zw_run_create(&m->run, m->kernel, m->p, &options, &err) >= 0;
    if (!ok)
        fail_msg("%s", err.text);
}

static void motion_close(motion *m) {
    zw_run_destroy(m->run);
    zw_kernel_destroy(m->kernel);
}

static double along(const motion *m, zw_expr e) {
    mech_point p;
    mech_begin(&p, s);
    mech_set(&p, s->t, zw_run_time(m->run));
    for (int i = 0; i < s->nq; i++)
        mech_set(&p, s->coord[i].sym, zw_run_state(m->run)[i]);
    for (int i = 0; i < s->nv; i++)
        mech_set(&p, s->velocity[i].sym, zw_run_state(m->run)[s->nq + i]);
    return mech_value(s, &p, e);
}

/* every quantity called conserved keeps its value for two seconds from the start of the model,
 * while something else, witness, changes */
static void assert_conserved_in_motion(zw_expr witness) {
    motion m;
    double x[MECH_MAX], first[MECH_MAX];
    bool fixed[MECH_MAX];
    int event;
    motion_open(&m, NULL);
    assert_int_equal(zw_system_start_state(s, m.p, x, fixed, &err), ZW_OK);
    if (zw_run_consistent(m.run, 0, x, fixed, NULL, &err) < 0 ||
        zw_run_start(m.run, 0, x, &err) < 0)
        fail_msg("%s", err.text);
    double before = along(&m, witness), size = 0;
    for (int i = 0; i < is.nconserved; i++) {
        first[i] = along(&m, is.conserved[i].value);
        size = fmax(size, fabs(first[i]));
    }
    for (int k = 1; k <= 8; k++) {
        while (zw_run_advance(m.run, 0.25 * k, &event, &err) == ZW_EVENT)
            ;
        if (err.status < 0)
            fail_msg("%s", err.text);
        for (int i = 0; i < is.nconserved; i++)
            if (!(fabs(along(&m, is.conserved[i].value) - first[i]) <= 1e-8 * size))
                fail_msg("%s goes from %.12g to %.12g", is.conserved[i].name, first[i],
                         along(&m, is.conserved[i].value));
    }
    assert_true(fabs(along(&m, witness) - before) > 1e-3 * (fabs(before) + size));
    motion_close(&m);
}

/* the largest difference of vakonomic and Lagrange's accelerations at random admissible states with
 * random vakonomic multipliers */
static double vakonomic_difference(void) {
    motion m;
    zw_equations vakonomic;
    test_random r = {29};
    double worst = 0;
    const zw_active bare = {.bare = true};
    motion_open(&m, &bare);
    assert_int_equal(zw_derive(&vakonomic, s, &bare, "vakonomic", &err), ZW_OK);
    for (int k = 0, found = 0; k < 60 && found < 4; k++) {
        double x[MECH_MAX], a[MECH_MAX], b[MECH_MAX];
        zw_error ignored = {0};
        mech_point p;
        for (int i = 0; i < s->nq + s->nv; i++)
            x[i] = test_random_real(&r, 0.2, 1);
        if (zw_run_consistent(m.run, 0.3, x, NULL, NULL, &ignored) < 0)
            continue;
        found++;
        mech_begin(&p, s);
        mech_set(&p, s->t, 0.3);
        for (int i = 0; i < s->nq; i++)
            mech_set(&p, s->coord[i].sym, x[i]);
        for (int i = 0; i < s->nv; i++)
            mech_set(&p, s->velocity[i].sym, x[s->nq + i]);
        for (int i = s->nv; i < vakonomic.nv; i++)
            mech_set(&p, vakonomic.v[i], test_random_real(&r, 0.5, 1.5));
        mech_solve(&m.eq, &p, a);
        mech_solve(&vakonomic, &p, b);
        for (int i = 0; i < s->nv; i++)
            worst = fmax(worst, fabs(a[i] - b[i]) / (1 + fabs(a[i])));
    }
    motion_close(&m);
    return worst;
}

static void assert_prediction(void) {
    double difference = vakonomic_difference();
    if (is.agree)
        assert_true(difference < 1e-9);
    else
        assert_true(difference > 1e-3);
}

/* ------------------------------------------------------------------------ not integrable at all */

#define SKATE "model skate\nunits none\ncoord x, y, th\nkinetic 1/2*(x'^2 + y'^2) + 1/3*th'^2\n"

static void test_classify__knife_edge(void **state) {
    (void)state;
    classify(SKATE "constraint blade : x'*sin(th) = y'*cos(th)\nstart x' = 1, y' = 0, th' = 2\n");
    assert_int_equal(class_of("blade")->alone, ZW_NONHOLONOMIC);
    assert_int_equal(class_of("blade")->alone_by, ZW_PROVED);
    assert_int_equal(is.set, ZW_NONHOLONOMIC);
    assert_int_equal(is.set_by, ZW_PROVED);
    assert_int_equal(is.freedom, 2);
    assert_int_equal(is.holonomic, 0);
    ASSERT_GROWTH(3, 4);
    assert_int_equal(is.dimension, 4);
    assert_false(is.rheonomic);
    assert_true(is.homogeneous && is.ideal);
    assert_int_equal(conserved("energy")->by, ZW_PROVED);
    assert_int_equal(conserved("momentum of th")->by, ZW_PROVED);
    assert_int_equal(is.nconserved, 2);
    assert_conserved_in_motion(s->velocity[1].sym);
    assert_prediction();
}

/* the same blade in quasi-velocities along and across it */
static void test_classify__knife_edge_in_quasi_velocities(void **state) {
    (void)state;
    classify("model skate\nunits none\ncoord x, y, th\n"
             "quasi u = cos(th)*x' + sin(th)*y', v = -sin(th)*x' + cos(th)*y', w = th'\n"
             "kinetic 1/2*(u^2 + v^2) + 1/3*w^2\nconstraint blade : v = 0\nstart u = 1, w = 2\n");
    assert_int_equal(is.set, ZW_NONHOLONOMIC);
    assert_int_equal(is.set_by, ZW_PROVED);
    ASSERT_GROWTH(3, 4);
    assert_non_null(conserved("energy"));
    assert_conserved_in_motion(s->coord[0].sym);
    assert_prediction();
}

/* upright rolling disc: the flag grows by one direction at a time, 2 3 4 in space */
static void test_classify__rolling_disc(void **state) {
    (void)state;
    classify("model penny\nunits none\ncoord x, y, th, phi\n"
             "kinetic 1/2*(x'^2 + y'^2) + 1/4*th'^2 + 1/3*phi'^2\n"
             "constraint roll_x : x' = phi'*cos(th)\nconstraint roll_y : y' = phi'*sin(th)\n"
             "start phi' = 1, th' = 2\n");
    assert_int_equal(is.set, ZW_NONHOLONOMIC);
    assert_int_equal(is.set_by, ZW_PROVED);
    assert_int_equal(is.holonomic, 0);
    assert_int_equal(is.hidden, 0);
    ASSERT_GROWTH(3, 4, 5);
    assert_int_equal(conserved("momentum along phi")->by, ZW_PROVED);
    assert_int_equal(conserved("momentum of th")->by, ZW_PROVED);
    assert_int_equal(conserved("energy")->by, ZW_PROVED);
    assert_conserved_in_motion(s->velocity[0].sym);
    assert_prediction();
}

/* Chaplygin's sleigh: only the energy is left */
static void test_classify__chaplygin_sleigh(void **state) {
    (void)state;
    classify(SKATE "param a = 0.3\nconstraint blade : y'*cos(th) - x'*sin(th) = a*th'\n"
                   "start x' = 1, th' = 2\n");
    assert_int_equal(is.set, ZW_NONHOLONOMIC);
    assert_int_equal(is.nconserved, 1);
    assert_int_equal(conserved("energy")->by, ZW_PROVED);
    assert_conserved_in_motion(s->velocity[2].sym);
    assert_prediction();
}

/* a ball on a plane: five velocities, two constraints, all reachable after one bracket; the angular
 * velocity in space or in body components */
static void test_classify__ball_on_a_plane(void **state) {
    (void)state;
    classify("model ball\nparam r = 0.2 [m], m = 1 [kg]\ncoord x, y [m]\n"
             "body ball : sphere(m, r) at (x, y, r)\n"
             "constraint roll_x : x' = r*ball.w.y\nconstraint roll_y : y' = -r*ball.w.x\n"
             "start x' = 1 [m/s]\n");
    assert_int_equal(s->nv, 5);
    assert_int_equal(is.rank, 2);
    assert_int_equal(is.set, ZW_NONHOLONOMIC);
    assert_int_equal(is.set_by, ZW_PROVED);
    ASSERT_GROWTH(4, 6);
    assert_int_equal(is.dimension, 6);
    assert_true(is.homogeneous);
    assert_non_null(conserved("energy"));
    assert_conserved_in_motion(s->coord[0].sym);
    assert_prediction();
    classify("model ball\nparam r = 0.2 [m], m = 1 [kg]\ncoord x, y [m]\nrotation B\n"
             "body ball : B at (x, y, r), inertia(m, m*r^2/3, m*r^2/3, m*r^2/2)\n"
             "constraint roll_x : x' = r*B.w.y\nconstraint roll_y : y' = -r*B.w.x\n"
             "start x' = 1 [m/s], B.wx = 1 [rad/s], B.wz = 2 [rad/s]\n");
    assert_int_equal(is.set, ZW_NONHOLONOMIC);
    ASSERT_GROWTH(4, 6);
    assert_non_null(conserved("energy"));
    assert_conserved_in_motion(s->velocity[0].sym);
}

/* x'' = -9000 exp(9000 x): a force that overflows at the states tried proves no momentum */
static void test_classify__overflow_is_not_conserved(void **state) {
    (void)state;
    classify("model steep\nunits none\ncoord x\nkinetic x'^2/2\npotential exp(9000*x)\n");
    assert_null(conserved("momentum of x"));
    assert_int_equal(conserved("energy")->by, ZW_PROVED);
}

/* the table turns: an affine part that no motion at rest satisfies */
static void test_classify__turntable(void **state) {
    (void)state;
    if (zw_model_read(&s, ctx, ZW_SOURCE_DIR "/models/turntable_ball.zw", NULL, &err) < 0 ||
        zw_classify(&is, s, NULL, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(is.set, ZW_NONHOLONOMIC);
    ASSERT_GROWTH(4, 6);
    assert_false(is.homogeneous);
    assert_false(is.rheonomic);
    assert_false(class_of("roll_x")->homogeneous);
    assert_null(conserved("energy"));
    /* friction that is switched off by a parameter is not forgotten */
    assert_true(conserved("moving energy")->given_zeros);
    assert_false(conserved("momentum of ball.wz")->given_zeros);
    assert_conserved_in_motion(s->velocity[0].sym);
    assert_prediction();
}

/* ------------------------------------------------------------------------------ integrable ones */

static void test_classify__alone_integrable(void **state) {
    (void)state;
    static const char *const rows[] = {
        "x' = x^2 + 1",                             /* a drift: x = tan(t + c) */
        "x' = sin(t)*x + exp(-x)*0",                /* rheonomic, linear */
        "x'*y = y'*x",                              /* y/x */
        "y*z*x' + x*z*y' + x*y*z' = 0",             /* x y z */
        "y*z*x' + 2*x*z*y' + 3*x*y*z' = 0",         /* x y^2 z^3 with its factor */
        "(x^2 + y^2 + 1)*z' = 2*z*(x*x' + y*y')",   /* z/(x^2 + y^2 + 1) */
        "cos(x)*sin(y)*x' + sin(x)*cos(y)*y' = z'", /* sin(x) sin(y) - z */
        "x' + y' = 2*t",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "model m\nunits none\ncoord x, y, z\nkinetic x'^2/2 + y'^2/2 + (1 + x^2)*z'^2/2\n"
                 "constraint c : %s\n",
                 rows[i]);
        classify(text);
        if (is.set != ZW_HOLONOMIC || is.set_by != ZW_PROVED ||
            class_of("c")->alone != ZW_HOLONOMIC || is.ngrowth != 1)
            fail_msg("%s: set %d by %d, rank grows %d times", rows[i], (int)is.set, (int)is.set_by,
                     is.ngrowth);
        assert_int_equal(is.hidden, 1);
        assert_int_equal(is.growth[0], 3);
        assert_true(is.agree);
        assert_int_equal(class_of("c")->homogeneous, i > 1 && i < 7);
        assert_int_equal(is.rheonomic, i == 1 || i == 7);
        assert_prediction();
    }
}

/* contact forms with a drift in time are not integrable */
static void test_classify__rheonomic_and_not_integrable(void **state) {
    (void)state;
    classify(
        "model m\nunits none\ncoord x, y\nkinetic x'^2/2 + y'^2/2\nconstraint c : x' = t*y'\n");
    assert_int_equal(is.set, ZW_NONHOLONOMIC);
    assert_int_equal(is.set_by, ZW_PROVED);
    assert_true(is.rheonomic && is.homogeneous);
    ASSERT_GROWTH(2, 3);
    assert_prediction();
    classify("model m\nunits none\ncoord x, y\nkinetic x'^2/2 + y'^2/2\nconstraint c : x' = y\n");
    assert_int_equal(is.set, ZW_NONHOLONOMIC);
    ASSERT_GROWTH(2, 3);
    assert_prediction();
}

static void test_classify__derivatives_of_positions(void **state) {
    (void)state;
    classify("model m\nunits none\ncoord x, y, z, w\n"
             "kinetic x'^2/2 + y'^2/2 + z'^2/2 + (2 + cos(x))*w'^2/2\npotential x + w^2\n"
             "constraint a : (x^2 + y^2 + z^2)' = 0\nconstraint b : (x*y + sin(z) - w)' = 0\n"
             "start x = 1, y = 0.3, z = 0.2, x' = 0.5, y' = 1\n");
    assert_int_equal(is.set, ZW_HOLONOMIC);
    assert_int_equal(is.set_by, ZW_PROVED);
    assert_int_equal(is.holonomic, 2);
    assert_int_equal(is.hidden, 2);
    ASSERT_GROWTH(3);
    assert_true(is.agree);
    assert_non_null(conserved("energy"));
    assert_conserved_in_motion(s->coord[0].sym);
    assert_prediction();
}

/* x' + z y' is a contact form, but with y' = 0 it is x' */
static void test_classify__integrable_only_together(void **state) {
    (void)state;
    classify("model m\nunits none\ncoord x, y, z\nkinetic x'^2/2 + y'^2/2 + z'^2/2\n"
             "constraint a : x' + z*y' = 0\nconstraint b : y' = 0\n");
    assert_int_equal(class_of("a")->alone, ZW_NONHOLONOMIC);
    assert_true(class_of("a")->holonomic_here);
    assert_int_equal(is.set, ZW_HOLONOMIC);
    assert_int_equal(is.hidden, 2);
    assert_prediction();
}

/* a contact form and the derivative of w - x y */
static void test_classify__one_hidden(void **state) {
    (void)state;
    classify("model m\nunits none\ncoord x, y, z, w\nkinetic x'^2/2 + y'^2/2 + z'^2/2 + w'^2/2\n"
             "constraint a : x' = z*y'\nconstraint b : w' = x'*y + x*y'\n");
    assert_int_equal(is.set, ZW_NONHOLONOMIC);
    assert_int_equal(is.holonomic, 1);
    assert_int_equal(is.hidden, 1);
    ASSERT_GROWTH(3, 4);
    assert_false(class_of("a")->holonomic_here);
    assert_true(class_of("b")->holonomic_here);
    assert_int_equal(class_of("b")->alone, ZW_HOLONOMIC);
    assert_prediction();
    /* said as a position it is not hidden */
    classify("model m\nunits none\ncoord x, y, z, w\nkinetic x'^2/2 + y'^2/2 + z'^2/2 + w'^2/2\n"
             "constraint a : x' = z*y'\nconstraint b : w = x*y\n");
    assert_int_equal(is.holonomic, 1);
    assert_int_equal(is.hidden, 0);
}

/* a constraint that is integrable on the positions of another one only: on x^2 + y^2 = 1 the form
 * -y dx + x dy + (x^2 + y^2 - 1) x dz is that of an angle */
static void test_classify__integrable_on_positions(void **state) {
    (void)state;
    classify("model m\nunits none\ncoord x, y, z\nkinetic x'^2/2 + y'^2/2 + z'^2/2\n"
             "constraint a : x^2 + y^2 = 1\n"
             "constraint b : x*y' - y*x' + (x^2 + y^2 - 1)*x*z' = z'*0 + 0\n"
             "start x = 1\n");
    assert_int_equal(class_of("b")->alone, ZW_NONHOLONOMIC);
    assert_int_equal(is.set, ZW_HOLONOMIC);
    assert_true(class_of("b")->holonomic_here);
    assert_int_equal(is.hidden, 1);
}

/* --------------------------------------------------------------------- random mixtures of forms */

/* m forms d phi_i(q, t) mixed by a random regular matrix, and r random forms: m are holonomic */
static void test_classify__random_mixtures(void **state) {
    (void)state;
    test_random r = {4711};
    static const char *const name[] = {"a", "b", "c", "d", "e"};
    const zw_place here = {0};
    enum { N = 5 };
    for (int k = 0; k < 40; k++) {
        zw_context *own = zw_context_create(NULL);
        zw_expr q[N], v[N], T = ZW_ZERO, form[4];
        int m = test_random_int(&r, 3), extra = test_random_int(&r, 2), n = m + extra;
        zw_system *sys;
        zw_classification c;
        err = (zw_error){0};
        assert_int_equal(zw_system_create(&sys, own, "mixture", "", &err), ZW_OK);
        for (int i = 0; i < N; i++) {
            assert_int_equal(zw_system_coord(sys, name[i], "", here, &q[i], &err), ZW_OK);
            v[i] = zw_system_rate(sys, q[i]);
            T = zw_add(own, T, zw_mul(own, ZW_HALF, zw_mul(own, v[i], v[i])));
        }
        assert_int_equal(zw_system_kinetic(sys, T, here, &err), ZW_OK);
        for (int i = 0; i < n; i++) {
            form[i] = ZW_ZERO;
            for (int j = 0; j < N; j++) {
                zw_expr a = q[test_random_int(&r, N)], b = q[test_random_int(&r, N)];
                zw_expr f = zw_mul(own, a, zw_sin(own, zw_add(own, b, q[j])));
                f = zw_mul(own, zw_integer(own, 1 + test_random_int(&r, 3)), f);
                if (i < m) /* d/dt of the function, plus something linear to keep it regular */
                    form[i] = zw_add(
                        own, form[i],
                        zw_system_dt(sys, zw_add(own, f, zw_mul(own, sys->t, q[(i + j) % N]))));
                else
                    form[i] = zw_add(own, form[i], zw_mul(own, f, v[j]));
            }
        }
        for (int i = 0; i < n; i++) {
            zw_expr mixed = zw_mul(own, zw_add(own, ZW_TWO, zw_sin(own, q[i])), form[i]);
            for (int j = 0; j < i; j++)
                mixed = zw_add(own, mixed, zw_mul(own, q[(i + j) % N], form[j]));
            assert_int_equal(zw_system_constraint(sys, name[i], mixed, "", true, here, &err),
                             ZW_OK);
        }
        if (zw_system_finish(sys, &err) < 0 || zw_classify(&c, sys, NULL, &err) < 0)
            fail_msg("mixture %d: %s", k, err.text);
        if (c.rank != n || c.holonomic != m || c.agree != (extra == 0))
            fail_msg("mixture %d of %d derivatives and %d forms: rank %d, holonomic %d", k, m,
                     extra, c.rank, c.holonomic);
        zw_context_destroy(own);
    }
}

/* ----------------------------------------------------------------------------- rotating systems */

#define HOOP                                                                                       \
    "model hoop\nunits none\nparam Omega = 3, g = 9.81\ncoord phi, th\n"                           \
    "particle P : 2 at (sin(th)*cos(phi), sin(th)*sin(phi), -cos(th))\ngravity g along -z\n"

static void test_classify__rotating_hoop(void **state) {
    (void)state;
    static const char *const drive[] = {"phi = Omega*t", "phi' = Omega"};
    for (int i = 0; i < 2; i++) {
        char text[512];
        snprintf(text, sizeof text, HOOP "constraint drive : %s\nstart th = 0.7\n", drive[i]);
        classify(text);
        assert_int_equal(is.set, ZW_HOLONOMIC);
        assert_int_equal(is.set_by, i ? ZW_PROVED : ZW_BY_FORM);
        assert_int_equal(is.hidden, i);
        assert_int_equal(is.rheonomic, i == 0);
        assert_false(is.homogeneous);
        assert_true(is.agree);
        assert_null(conserved("energy"));
        assert_non_null(conserved("Jacobi integral"));
        /* T2 - T0 + V, on the constraint */
        mech_point p;
        mech_begin(&p, s);
        mech_set(&p, s->coord[1].sym, 0.8);
        mech_set(&p, s->velocity[0].sym, 3);
        mech_set(&p, s->velocity[1].sym, 0.6);
        assert_close(mech_value(s, &p, conserved("Jacobi integral")->value),
                     0.36 - 9 * sin(0.8) * sin(0.8) - 2 * 9.81 * cos(0.8), 1e-13);
        assert_conserved_in_motion(zw_add(ctx, s->T, s->potential));
        assert_prediction();
    }
    /* free to turn: energy and the cyclic momentum */
    classify(HOOP "start th = 0.7, phi' = 3\n");
    assert_int_equal(is.n, 0);
    assert_int_equal(is.freedom, 2);
    assert_true(is.agree);
    assert_int_equal(is.nconserved, 2);
    assert_int_equal(conserved("energy")->by, ZW_PROVED);
    assert_int_equal(conserved("momentum of phi")->by, ZW_PROVED);
    assert_conserved_in_motion(s->velocity[0].sym);
    /* the drive in the kinematics: no constraint, time drops out of T */
    classify("model hoop\nunits none\nparam Omega = 3\ncoord th\n"
             "particle P : 2 at (sin(th)*cos(Omega*t), sin(th)*sin(Omega*t), -cos(th))\n"
             "gravity 9.81 along -z\nstart th = 0.7\n");
    assert_int_equal(is.nconserved, 1);
    assert_int_equal(conserved("Jacobi integral")->by, ZW_PROVED);
    assert_conserved_in_motion(zw_add(ctx, s->T, s->potential));
}

/* a damper that is weak beside a spring, by ten powers of ten */
static void test_classify__weak_damping_beside_a_stiff_spring(void **state) {
    (void)state;
    classify(
        "model d\nparam m = 1 [kg], k = 1e11 [N/m], c = 1 [kg/s], s = 1 [N/m]\ncoord x, y [m]\n"
        "particle P : m at (x, y)\npotential 1/2*k*x^2 + 1/2*s*y^2\n"
        "force damper (x) = -c*x'\nstart x = 1 [m], y' = 0.1 [m/s]\n");
    assert_int_equal(is.nconserved, 0);
}

/* rates against a turning table as quasi-velocities: rest in space is not zero velocity */
static void test_classify__quasi_velocities_with_a_drift(void **state) {
    (void)state;
    classify("model m\nunits none\nparam W = 0.7\ncoord x, y\nquasi u = x' - W*y, v = y' + W*x\n"
             "kinetic u^2/2 + v^2/2\npotential (x^2 + y^2)^2/4\nconstraint c : u = 0\n"
             "start x = 1, v = 1\n");
    assert_false(is.homogeneous);
    assert_int_equal(is.set, ZW_NONHOLONOMIC);
    assert_prediction();
    classify("model m\nunits none\nparam W = 0.7\ncoord x, y\nquasi u = x' - W*y, v = y' + W*x\n"
             "kinetic u^2/2 + v^2/2\npotential (x^2 + y^2)^2/4\nconstraint c : u + W*y = 0\n"
             "start x = 1, v = 1\n");
    assert_true(is.homogeneous);
    assert_int_equal(is.set, ZW_HOLONOMIC);
    assert_non_null(conserved("Jacobi integral"));
    assert_conserved_in_motion(s->coord[1].sym);
}

/* forces and dissipation end conservation; gyroscopic ones do not */
static void test_classify__forces_and_energy(void **state) {
    (void)state;
#define PLANE                                                                                      \
    "model m\nunits none\nparam c = 0.1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential x^2\n"     \
    "start x = 1, y' = 1\n"
    classify(PLANE "force (x, y) = (y', -x')\n");
    assert_int_equal(is.nconserved, 1);
    assert_non_null(conserved("energy"));
    assert_conserved_in_motion(s->coord[0].sym);
    classify(PLANE "force (y) = -c*y'\n");
    assert_int_equal(is.nconserved, 0);
    classify(PLANE "dissipation c*x'^2/2\n");
    assert_null(conserved("energy"));
    assert_non_null(conserved("momentum of y"));
    assert_conserved_in_motion(s->coord[0].sym);
    classify(PLANE "potential x*cos(t)\n");
    assert_null(conserved("energy"));
    assert_non_null(conserved("momentum of y"));
}

/* ------------------------------------------------------------------ redundant and contradictory */

#define POINT "model m\nunits none\ncoord x, y, z\nkinetic x'^2/2 + y'^2/2 + z'^2/2\n"

static void test_classify__redundant(void **state) {
    (void)state;
    classify(
        "model m\nunits none\ncoord x, y, z, w\nkinetic x'^2 + y'^2 + z'^2 + w'^2\n"
        "constraint a : x' = y*z'\nconstraint b : y' = z\nconstraint c : x' + y' = z + y*z'\n");
    const zw_constraint_class *c = class_of("c");
    assert_int_equal(is.rank, 2);
    assert_int_equal(is.freedom, 2);
    assert_int_equal(class_of("a")->ndepends, -1);
    assert_int_equal(c->ndepends, 2);
    assert_string_equal(s->constraint[c->depends[0]].name, "a");
    assert_string_equal(s->constraint[c->depends[1]].name, "b");
    assert_non_null(c->factor);
    assert_close(c->factor[0], 1, 1e-9);
    assert_close(c->factor[1], 1, 1e-9);
    /* with a factor that varies, and on one of two */
    classify(POINT "constraint a : x' = 0\nconstraint b : y' = 0\nconstraint c : z*x' = 0\n");
    c = class_of("c");
    assert_int_equal(c->ndepends, 1);
    assert_int_equal(c->depends[0], 0);
    assert_null(c->factor);
    /* a position and its derivative */
    classify(POINT "constraint a : x^2 + y^2 = 1\nconstraint b : -4*x*x' = 4*y*y'\n");
    c = class_of("b");
    assert_int_equal(c->ndepends, 1);
    assert_close(fabs(c->factor[0]), 2, 1e-9);
    assert_int_equal(is.hidden, 0);
    assert_true(c->holonomic_here);
}

/* three cranks on one coupler: dependent only where the constraints are met, and all without slope
 * in line */
static void test_classify__redundant_where_met(void **state) {
    (void)state;
    classify("model m\nunits none\ncoord p, q, r\nkinetic p'^2 + q'^2 + r'^2\n"
             "let A = (cos(p), sin(p)), B = (2 + cos(q), sin(q)), C = (4 + cos(r), sin(r))\n"
             "constraint a : norm(B - A) = 2\nconstraint b : norm(C - B) = 2\n"
             "constraint c : norm(C - A) = 4\nstart p = 1\n");
    const zw_constraint_class *c = class_of("c");
    assert_int_equal(is.rank, 2);
    assert_int_equal(is.freedom, 1);
    assert_int_equal(c->ndepends, 2);
    assert_close(c->factor[0], 1, 1e-6);
    assert_close(c->factor[1], 1, 1e-6);
}

static void test_classify__contradictory(void **state) {
    (void)state;
    static const struct {
        const char *text, *names;
        int line;
    } wrong[] = {
        {"constraint a : x = 0\nconstraint n : z = 0\nconstraint b : 2*x = 1\n",
         "a (line 5), b (line 7)", 7},
        {"constraint ring : x^2 + y^2 = 1\nconstraint far : x = 3\n", "ring (line 5), far (line 6)",
         6},
        {"constraint never : x^2 + y^2 = -1\n", "never (line 5)", 5},
        {"constraint a : x' = 1\nconstraint b : x' = 2\n", "a (line 5), b (line 6)", 6},
        {"constraint a : x' + y' = 1\nconstraint b : y' + z' = 0\nconstraint c : x' = z'\n",
         "a (line 5), b (line 6), c (line 7)", 7},
        {"constraint a : x = 0\nconstraint b : x' = 1\n", "a (line 5), b (line 6)", 6},
        {"constraint a : x'^2 + y'^2 = -1\n", "a (line 5)", 5},
        {"constraint a : x'' = 1\nconstraint b : x'' + y = y + 2\n", "a (line 5), b (line 6)", 6},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, POINT "%s", wrong[i].text);
        err = (zw_error){0};
        read_text(text);
        assert_int_equal(zw_classify(&is, s, NULL, &err), ZW_E_MODEL);
        if (!strstr(err.text, wrong[i].names) || err.line != wrong[i].line)
            fail_msg("%s: line %d: %s", wrong[i].names, err.line, err.text);
        assert_true(err.hint[0]);
    }
    err = (zw_error){0};
    read_text(POINT "constraint a : x = 0\nconstraint b : y = 0\nconstraint c : z = 0\n"
                    "constraint d : x' = 0\n");
    assert_int_equal(zw_classify(&is, s, NULL, &err), ZW_E_MODEL);
    assert_non_null(strstr(err.text, "4 constraints are more than the 3 velocities"));
    assert_int_equal(err.line, 8);
}

static void test_classify__no_slope(void **state) {
    (void)state;
    read_text(POINT "constraint a : y = 0\nconstraint b : x^2 = 0\n");
    assert_int_equal(zw_classify(&is, s, NULL, &err), ZW_E_SINGULAR);
    assert_non_null(strstr(err.text, "constraint b has no slope"));
    assert_int_equal(err.line, 6);
}

static void test_classify__singular_mass_matrix(void **state) {
    (void)state;
    read_text("model m\nunits none\ncoord a, x, y\nkinetic a'^2 + (x' + y')^2/2\n");
    assert_int_equal(zw_classify(&is, s, NULL, &err), ZW_E_SINGULAR);
    assert_non_null(strstr(err.text, "mass matrix is singular: x'"));
    err = (zw_error){0};
    classify("model m\nunits none\ncoord a, x, y\nkinetic a'^2 + (x' + y')^2/2\n"
             "constraint c : x' = 2*y'\n");
    assert_int_equal(is.mass_rank, 2);
    assert_int_equal(is.freedom, 2);
}

/* ---------------------------------------------------------- nonlinear, accelerations, not ideal */

/* Appell and Hamel: the cone x'^2 + y'^2 = z'^2 spans all directions; Chetaev's force does no
 * work */
static void test_classify__nonlinear(void **state) {
    (void)state;
    classify(POINT "potential 2*z\nconstraint cone : x'^2 + y'^2 = z'^2\n"
                   "start x' = 3, y' = 4, z' = -5\n");
    assert_int_equal(class_of("cone")->alone, ZW_NONHOLONOMIC);
    assert_int_equal(class_of("cone")->alone_by, ZW_AT_POINTS);
    assert_int_equal(is.set, ZW_NONHOLONOMIC);
    assert_int_equal(is.holonomic, 0);
    assert_int_equal(is.freedom, 2);
    assert_false(is.agree);
    assert_non_null(conserved("energy"));
    assert_conserved_in_motion(s->velocity[2].sym);
    /* constant speed: the force works, the energy is not kept */
    classify(POINT "potential 2*z\nconstraint speed : x'^2 + y'^2 + z'^2 = 1\n");
    assert_int_equal(is.set, ZW_NONHOLONOMIC);
    assert_null(conserved("energy"));
    /* (x' - 1)^3 = 0 and the like may hide an affine one: left open */
    classify(POINT "constraint open : exp(x') = 2\n");
    assert_int_equal(class_of("open")->alone, ZW_UNDECIDED);
    assert_int_equal(is.set, ZW_UNDECIDED);
    assert_false(is.agree);
}

static void test_classify__accelerations_are_left_open(void **state) {
    (void)state;
    classify(POINT "constraint a : x'' = y'\nconstraint b : z = 1\n");
    assert_int_equal(class_of("a")->alone, ZW_UNDECIDED);
    assert_int_equal(is.set, ZW_UNDECIDED);
    assert_int_equal(is.holonomic, 1);
    assert_false(is.agree);
}

/* an inequality on accelerations is listed and left out of ranks */
static void test_classify__inequality(void **state) {
    (void)state;
    classify(POINT "constraint stop : y'' >= 0\nconstraint drive : x' = 1\n");
    assert_int_equal(is.n, 2);
    assert_int_equal(is.rank, 1);
    assert_int_equal(class_of("stop")->alone, ZW_UNDECIDED);
    assert_int_equal(is.set, ZW_UNDECIDED);
    assert_int_equal(is.nconserved, 0);
}

static void test_classify__not_ideal(void **state) {
    (void)state;
    classify(POINT "constraint floor : z = 0\nforce (x, y) = -0.3*lambda(floor)*(x', y')\n"
                   "constraint wall : y = 0\n");
    assert_false(class_of("floor")->ideal);
    assert_true(class_of("wall")->ideal);
    assert_false(is.ideal);
    assert_false(is.agree);
    assert_int_equal(is.nconserved, 0);
}

/* friction in the plane; a work along the normal, and one on a velocity that is none; one of a
 * constraint that is off */
static void test_classify__given_work(void **state) {
    (void)state;
    classify(POINT
             "constraint floor : z = x\nnonideal floor : work (x, y) = (-2*x', lambda(floor))\n"
             "constraint wall : y' = 0\nnonideal wall : work (y) = 3*x, work (x, z) = y'*(1, 2)\n"
             "constraint rope off : z' = 0\nnonideal rope : work (x) = 1\n");
    assert_true(class_of("floor")->given && !class_of("floor")->idle && !class_of("floor")->ideal);
    assert_true(class_of("wall")->given && class_of("wall")->idle && !class_of("wall")->ideal);
    assert_int_equal(is.n, 2);
    classify(POINT "constraint rope off : z' = 0\nnonideal rope : work (x) = 1\n"
                   "constraint floor : z = x\n");
    assert_true(class_of("floor")->ideal && !class_of("floor")->given);
    assert_true(conserved("energy") != NULL);
}

static void test_classify__survives_failing_memory(void **state) {
    (void)state;
    const char *text = SKATE "constraint blade : x'*sin(th) = y'*cos(th)\n"
                             "constraint cone : x'^2 + y'^2 = th'^2\n";
    for (long n = 1;; n++) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_context *own = zw_context_create(&alloc);
        zw_system *sys = NULL;
        zw_error fault = {0};
        zw_classification c;
        bool ok = own &&
                  zw_model_parse(&sys, own, text, strlen(text), "test.zw", NULL, &fault) >= 0 &&
                  zw_classify(&c, sys, NULL, &fault) >= 0;
        assert_true(ok == !f.failed);
        if (own)
            zw_context_destroy(own);
        assert_int_equal(f.blocks, 0);
        if (!f.failed)
            break;
    }
}

/* ------------------------------------------------------------------------ observables that stay */

#define TOP                                                                                        \
    "model top\nparam m = 6 [g], I_1 = 8e-7 [kg*m^2], I_3 = 7e-7 [kg*m^2], g = 9.81 [m/s^2]\n"     \
    "param R = 15 [mm], a = 3 [mm], c = 0.01 [N*s/m]\n"                                            \
    "coord x, y, z [m]\nrotation K\nbody top : K at (x, y, z), inertia(m, I_1, I_1, I_3)\n"        \
    "gravity g along -z\nconstraint touch : z = R - a*K.z.z\n"                                     \
    "let P = top.origin + a*K.z - (0, 0, R)\nlet u = top.velocity(P)\n"                            \
    "force friction at P on top = -c*(u.x, u.y, 0)\n"                                              \
    "start z = R - a*cos(0.4), K.p0 = cos(0.2), K.p1 = sin(0.2), K.wz = 90 [rad/s]\n"

/* J. H. Jellett (1872): whatever the friction at the point of contact; not what is next to it */
static void test_classify__observables_jellett(void **state) {
    (void)state;
    classify(TOP "observe jellett = R*(I_1*(K.wx*K.x.z + K.wy*K.y.z) + I_3*K.wz*K.z.z) - "
                 "a*I_3*K.wz\n"
                 "observe other = R*(I_1*(K.wx*K.x.z + K.wy*K.y.z) + I_3*K.wz*K.z.z) - "
                 "1.000001*a*I_3*K.wz\n"
                 "observe spin = I_3*K.wz\nobserve gap = z - R + a*K.z.z\n");
    assert_int_equal(is.nconserved, 1);
    assert_non_null(conserved("jellett"));
    assert_true(conserved("jellett")->observed);
    assert_null(conserved("jellett")->while_open);
    assert_conserved_in_motion(s->velocity[3].sym);
}

/* the same with contacts: what touches elsewhere changes it */
static void test_classify__observables_of_a_contact(void **state) {
    (void)state;
    char path[500];
    snprintf(path, sizeof path, "%s/models/tippe_top.zw", ZW_SOURCE_DIR);
    if (zw_model_read(&s, ctx, path, NULL, &err) < 0 || zw_classify(&is, s, NULL, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(is.nconserved, 1);
    assert_int_equal(conserved("jellett")->by, ZW_AT_POINTS);
    assert_string_equal(conserved("jellett")->while_open, "stem");
}

/* of states of first order, as an expression; what is a known quantity in other words is not told
 * again */
static void test_classify__observables_of_states(void **state) {
    (void)state;
    classify("model prey\nunits none\nparam a = 1.5\n"
             "state x, y : x' = x*(1 - y), y' = a*y*(x - 1)\n"
             "start x = 2, y = 1\nobserve h = a*(x - log(x)) + y - log(y)\nobserve s = x + y\n");
    assert_int_equal(is.nconserved, 1);
    assert_int_equal(conserved("h")->by, ZW_PROVED);
    classify("model swing\nparam m = 2 [kg], k = 3 [N/m]\ncoord x, y [m]\n"
             "kinetic 1/2*m*(x'^2 + y'^2)\npotential 1/2*k*(x^2 + y^2)\n"
             "observe L = m*(x*y' - y*x')\nobserve E = m*(x'^2 + y'^2) + k*(x^2 + y^2) - 7 [J]\n"
             "observe E_x = 1/2*m*x'^2 + 1/2*k*x^2\nstart x = 1 [m], y' = 0.3 [m/s]\n");
    assert_non_null(conserved("energy"));
    assert_int_equal(conserved("L")->by, ZW_PROVED);
    assert_int_equal(conserved("E_x")->by, ZW_PROVED);
    assert_null(conserved("E"));
    assert_int_equal(is.nconserved, 3);
    assert_conserved_in_motion(s->velocity[0].sym);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_classify__##name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(knife_edge),
        TEST(knife_edge_in_quasi_velocities),
        TEST(rolling_disc),
        TEST(chaplygin_sleigh),
        TEST(overflow_is_not_conserved),
        TEST(ball_on_a_plane),
        TEST(turntable),
        TEST(alone_integrable),
        TEST(rheonomic_and_not_integrable),
        TEST(derivatives_of_positions),
        TEST(integrable_only_together),
        TEST(one_hidden),
        TEST(integrable_on_positions),
        TEST(random_mixtures),
        TEST(rotating_hoop),
        TEST(weak_damping_beside_a_stiff_spring),
        TEST(quasi_velocities_with_a_drift),
        TEST(forces_and_energy),
        TEST(redundant),
        TEST(redundant_where_met),
        TEST(contradictory),
        TEST(no_slope),
        TEST(singular_mass_matrix),
        TEST(nonlinear),
        TEST(accelerations_are_left_open),
        TEST(inequality),
        TEST(not_ideal),
        TEST(given_work),
        TEST(observables_jellett),
        TEST(observables_of_a_contact),
        TEST(observables_of_states),
        TEST(survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
