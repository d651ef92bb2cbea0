/* SPDX-License-Identifier: MIT */
/* The comparison from C: from a text and from a builder, its states by seed, its judgement, faults
 * of memory, and the check of least curvature, which must notice accelerations that are not the
 * true ones. */
#include "claims/principles/compare.h"

#include "support/failing_allocator.h"
#include "support/test.h"
#include "zwang/zwang.h"

static const char SLEIGH[] =
    "model sleigh\nparam m = 1 [kg], J = 0.1 [kg*m^2], a = 0.3 [m]\ncoord x, y [m], th [rad]\n"
    "let cog = (x + a*cos(th), y + a*sin(th))\n"
    "kinetic 1/2*m*dot(cog', cog') + 1/2*J*th'^2\n"
    "constraint blade : cos(th)*y' = sin(th)*x'\nstart x' = 1 [m/s], th' = 0.5 [rad/s]\n";

static const zw_model_source sleigh = {SLEIGH, sizeof SLEIGH - 1, "sleigh.zw", NULL};

static zw_comparison *compare(const zw_compare_options *options) {
    zw_error err = {0};
    zw_comparison *c;
    if (zw_compare(&c, &sleigh, options, &err) < 0)
        fail_msg("%s", err.text);
    return c;
}

static void test_compare__from_a_text(void **state) {
    (void)state;
    zw_error err = {0};
    zw_comparison *c = compare(NULL);
    const zw_comparison_info *info = zw_comparison_summary(c);
    bool of_lambda;
    int applies = 0;
    assert_int_equal(zw_comparison_judge(c, &err), ZW_OK);
    assert_int_equal(info->nrandom, 20);
    assert_int_equal(info->nrun, 0);
    assert_string_equal(info->sys->name, "sleigh");
    for (int i = 0; i < info->nrow; i++) {
        const zw_compared *row = zw_comparison_row(c, i);
        assert_ptr_equal(row->principle, &zw_principles()[i]);
        applies += row->applies;
        if (!row->applies)
            assert_true(strlen(row->refusal.text) > 10);
        else if (i != info->vakonomic.row)
            assert_true(row->accel.value >= 0 && row->accel.value <= 1e-11);
    }
    assert_null(zw_principles()[info->nrow].name);
    assert_true(applies > 5);
    /* the blade is not holonomic: there the vakonomic motion is another one */
    assert_false(info->vakonomic.holonomic);
    assert_true(zw_comparison_row(c, info->vakonomic.row)->accel.value > 0.1);
    const zw_compared *worst = zw_comparison_worst(c, &of_lambda);
    assert_non_null(worst);
    assert_non_null((of_lambda ? worst->lambda : worst->accel).entry);
    zw_comparison_destroy(c);
}

/* the blade cos(th) y' - sin(th) x' at the states that are compared */
static void test_compare__states_by_seed(void **state) {
    (void)state;
    zw_compare_options options = zw_compare_options_default();
    options.states = 5;
    zw_comparison *a = compare(&options), *b = compare(&options);
    options.seed = 8;
    zw_comparison *other = compare(&options);
    for (int k = 0; k < 5; k++) {
        double t, s, u;
        const double *x = zw_comparison_state(a, k, &t), *y = zw_comparison_state(b, k, &s);
        assert_true(fabs(cos(x[2]) * x[4] - sin(x[2]) * x[3]) <= 1e-12);
        assert_true(t == s);
        assert_memory_equal(x, y, 6 * sizeof *x);
        assert_true(zw_comparison_state(other, k, &u)[0] != x[0]);
    }
    zw_comparison_destroy(a);
    zw_comparison_destroy(b);
    zw_comparison_destroy(other);
}

/* no two roundings are the same: without any tolerance they disagree, and it is said where */
static void test_compare__judges(void **state) {
    (void)state;
    zw_compare_options options = zw_compare_options_default();
    zw_error err = {0};
    options.tolerance = 0;
    options.until = 1;
    zw_comparison *c = compare(&options);
    assert_int_equal(zw_comparison_summary(c)->nrun, 51);
    assert_float_equal(zw_comparison_summary(c)->end, 1, 0);
    assert_int_equal(zw_comparison_judge(c, &err), ZW_E_NUMERIC);
    assert_non_null(strstr(err.text, "differs from lagrange by"));
    zw_comparison_destroy(c);
    options.states = 0;
    err = (zw_error){0};
    assert_int_equal(zw_compare(&c, &sleigh, &options, &err), ZW_E_OPTION);
    assert_null(c);
    assert_int_equal(zw_compare(&c, &sleigh, &options, NULL), ZW_E_OPTION);
}

/* a bead on a parabola, built without a text; `user` counts how often */
static zw_status make_bead(void *user, zw_context *ctx, zw_system **out, zw_error *err) {
    const zw_place here = {0};
    zw_expr x, y, m, r[3] = {ZW_ZERO, ZW_ZERO, ZW_ZERO};
    ++*(int *)user;
    ZW_TRY(zw_system_create(out, ctx, "bead", "", err));
    ZW_TRY(zw_system_param(*out, "m", "kg", ZW_TWO, here, &m, err));
    ZW_TRY(zw_system_coord(*out, "x", "m", here, &x, err));
    ZW_TRY(zw_system_coord(*out, "y", "m", here, &y, err));
    r[0] = x;
    r[1] = y;
    ZW_TRY(zw_system_particle(*out, "P", m, r, here, err));
    ZW_TRY(zw_system_potential(*out, zw_mul(ctx, m, y), here, err));
    ZW_TRY(zw_system_constraint(*out, "wire", zw_sub(ctx, y, zw_mul(ctx, x, x)), "m", true, here,
                                err));
    return zw_system_finish(*out, err);
}

static void test_compare__from_a_builder(void **state) {
    (void)state;
    zw_error err = {0};
    zw_comparison *c;
    int made = 0;
    if (zw_compare_made(&c, make_bead, &made, NULL, &err) < 0)
        fail_msg("%s", err.text);
    const zw_comparison_info *info = zw_comparison_summary(c);
    assert_true(made > info->nrow); /* each principle has its own */
    assert_true(info->vakonomic.holonomic);
    assert_int_equal(zw_comparison_judge(c, &err), ZW_OK);
    assert_false(info->hertz.applies);
    assert_string_equal(info->hertz.reason, "forces act");
    assert_true(zw_comparison_row(c, info->vakonomic.row)->accel.value <= 1e-11);
    zw_comparison_destroy(c);
}

/* a request for memory fails, one of every STRIDE in its turn: it is said, and nothing is lost */
/* two bodies in space on parallel hinges: one equation repeats the others, but only where all
 * hold */
static const char HINGES[] =
    "model hinges\nparam m = 1 [kg], l = 1 [m]\ncoord x1, y1, z1, x2, y2, z2 [m]\n"
    "body A : inertia(m, 0.1 [kg*m^2], 0.2 [kg*m^2], 0.3 [kg*m^2]) at (x1, y1, z1)\n"
    "body B : inertia(m, 0.1 [kg*m^2], 0.2 [kg*m^2], 0.3 [kg*m^2]) at (x2, y2, z2)\n"
    "gravity 9.81 [m/s^2] along -y\n"
    "constraint hingeA : A.origin - l/2*A.x = (0, 0, 0)\n"
    "constraint axisA : A.z.x = 0, A.z.y = 0\n"
    "constraint hingeB : B.origin - l/2*B.x - (A.origin + l/2*A.x) = (0, 0, 0)\n"
    "constraint axisB : B.z.x = 0, B.z.y = 0\n"
    "constraint slider : (B.origin + l/2*B.x).y = 0, (B.origin + l/2*B.x).z = 0\n"
    "start A.p0 = cos(0.3), A.p3 = sin(0.3), B.p0 = cos(0.3), B.p3 = -sin(0.3)\n";

static void test_compare__redundant_where_they_hold(void **state) {
    (void)state;
    const zw_model_source source = {HINGES, sizeof HINGES - 1, "hinges.zw", NULL};
    zw_compare_options options = zw_compare_options_default();
    zw_comparison *c;
    zw_error err = {0};
    options.states = 4;
    options.until = 0.3;
    if (zw_compare(&c, &source, &options, &err) < 0)
        fail_msg("%s", err.text);
    const zw_comparison_info *info = zw_comparison_summary(c);
    assert_string_equal(zw_comparison_row(c, info->reference)->principle->name, "gauss");
    assert_int_equal(info->nrandom, 4);
    for (int i = 0; i < info->nrow; i++)
        if (strcmp(zw_comparison_row(c, i)->principle->name, "gauss-min") == 0)
            assert_true(zw_comparison_row(c, i)->accel.value < 1e-11);
    assert_int_equal(zw_comparison_judge(c, &err), ZW_OK);
    zw_comparison_destroy(c);
}

/* Three parallel cranks: the third is redundant where all hold, and in line with the bar the
 * linkage has one more freedom. Multipliers are not unique; the forces of the constraints are. */
static void test_compare__redundant_crank(void **state) {
    (void)state;
    static const char text[] =
        "model cranks\nparam l = 0.4 [m], d = 0.5 [m], mb = 2 [kg], mc = 0.3 [kg]\n"
        "coord a, b, c, q [rad], x, y [m]\nframe A : rotate z a\n"
        "frame B : rotate z b at (d, 0, 0)\nframe C : rotate z c at (2*d, 0, 0)\n"
        "frame Q : rotate z q at (x, y, 0)\nbody c1 : A, rod(mc, l) at (l/2, 0, 0)\n"
        "body c2 : B, rod(mc, l) at (l/2, 0, 0)\nbody c3 : C, rod(mc, l) at (l/2, 0, 0)\n"
        "body bar : Q, rod(mb, 2*d) at (d, 0, 0)\n"
        "constraint p1 : (A(l, 0, 0)).x = x, (A(l, 0, 0)).y = y\n"
        "constraint p2 : (B.origin + B(l, 0, 0)).x = (Q.origin + Q(d, 0, 0)).x, "
        "(B.origin + B(l, 0, 0)).y = (Q.origin + Q(d, 0, 0)).y\n"
        "constraint p3 : (C.origin + C(l, 0, 0)).x = (Q.origin + Q(2*d, 0, 0)).x, "
        "(C.origin + C(l, 0, 0)).y = (Q.origin + Q(2*d, 0, 0)).y\n"
        "gravity 9.81 [m/s^2] along -y\n"
        "start a = -20 [deg], b = -20 [deg], c = -20 [deg], q = 0, a' = 1 [rad/s]\n";
    const zw_model_source source = {text, sizeof text - 1, "cranks.zw", NULL};
    zw_compare_options options = zw_compare_options_default();
    zw_comparison *c;
    zw_error err = {0};
    options.until = 0.3;
    if (zw_compare(&c, &source, &options, &err) < 0)
        fail_msg("%s", err.text);
    const zw_comparison_info *info = zw_comparison_summary(c);
    for (int k = 0; k < info->nrandom; k++) { /* away from the singular position */
        double t;
        assert_true(fabs(sin(zw_comparison_state(c, k, &t)[0])) > 1e-3);
    }
    for (int i = 0; i < info->nrow; i++)
        if (strcmp(zw_comparison_row(c, i)->principle->name, "gauss-min") == 0) {
            assert_true(zw_comparison_row(c, i)->accel.value < 1e-12);
            assert_in_range((int)(1e12 * zw_comparison_row(c, i)->lambda.value), 0, 1);
        }
    if (zw_comparison_judge(c, &err) < 0)
        fail_msg("%s", err.text);
    zw_comparison_destroy(c);
}

/* the constraint that a run names is the one that is called redundant, and the advice is the
 * same */
static void test_compare__lost_rank_names_the_redundant_one(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    zw_sim *sim;
    zw_error err = {0};
    zw_classification is;
    zw_sim_options options = zw_sim_options_default();
    options.until = 0.1;
    if (zw_model_parse(&sys, ctx, HINGES, sizeof HINGES - 1, "hinges.zw", NULL, &err) < 0 ||
        zw_classify(&is, sys, NULL, &err) < 0)
        fail_msg("%s", err.text);
    const char *redundant = NULL;
    for (int i = 0; i < is.n; i++)
        if (is.constraint[i].ndepends >= 0)
            redundant = sys->constraint[is.constraint[i].constraint].name;
    assert_non_null(redundant);
    assert_true(zw_sim_create(&sim, sys, NULL, &options, &err) < 0);
    assert_non_null(strstr(err.text, "lost rank"));
    assert_non_null(strstr(err.text, redundant));
    assert_non_null(strstr(err.hint, "--by gauss"));
    zw_context_destroy(ctx);
}

/* a light body is no reason to call equations singular */
static void test_compare__light_ball(void **state) {
    (void)state;
    static const char text[] =
        "model cylinder\nparam m = 1e-3 [kg], r = 0.02 [m], R = 0.2 [m]\ncoord phi [rad], z [m]\n"
        "frame E : rotate z phi\nbody ball : sphere(m, r) at (R - r)*E.x + (0, 0, z)\n"
        "gravity 9.81 [m/s^2] along -z\npoint C : ball.origin + r*E.x\n"
        "constraint roll : ball.velocity(C) . E.y = 0, ball.velocity(C) . E.z = 0\n"
        "start phi' = 5 [rad/s]\n";
    const zw_model_source source = {text, sizeof text - 1, "cylinder.zw", NULL};
    zw_comparison *c;
    zw_error err = {0};
    if (zw_compare(&c, &source, NULL, &err) < 0)
        fail_msg("%s", err.text);
    const zw_comparison_info *info = zw_comparison_summary(c);
    for (int i = 0; i < info->nrow; i++) {
        assert_int_equal(zw_comparison_row(c, i)->singular, 0);
        assert_int_equal(zw_comparison_row(c, i)->failed, 0);
    }
    assert_true(info->vakonomic.with_start >= 0 && info->vakonomic.with_start < 1e-11);
    zw_comparison_destroy(c);
}

static void test_compare__survives_no_memory(void **state) {
    (void)state;
    enum { STRIDE = 31 };
    zw_compare_options options = zw_compare_options_default();
    int made = 0;
    options.states = 2;
    for (long n = 1;; n += STRIDE) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_error err = {0};
        zw_comparison *c;
        options.allocator = &alloc;
        zw_status status = zw_compare_made(&c, make_bead, &made, &options, &err);
        assert_int_equal(status, f.failed ? ZW_E_MEMORY : ZW_OK);
        zw_comparison_destroy(c);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
        if (!f.failed)
            break;
    }
}

/* accelerations that are a little wrong in an allowed direction bend the path */
static void test_compare__hertz_notices_wrong_accelerations(void **state) {
    (void)state;
    zw_error err = {0};
    zw_compare_options options = zw_compare_options_default();
    options.states = 4;
    zw_comparison *c = compare(&options);
    const zw_compared_hertz *hertz = &zw_comparison_summary(c)->hertz;
    assert_true(hertz->applies && hertz->holds);
    assert_int_equal(hertz->states, 4);
    assert_true(hertz->slope <= 1e-11);
    /* the blade leaves turning free: W d = 0 for d = (0, 0, 1) */
    c->states.a[2] *= 1 + 1e-7;
    assert_int_equal(zw_compare_least_curvature(c, &err), ZW_OK);
    assert_false(hertz->holds);
    assert_true(hertz->slope > 1e-9);
    assert_int_equal(zw_comparison_judge(c, &err), ZW_E_NUMERIC);
    zw_comparison_destroy(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compare__from_a_text),
        cmocka_unit_test(test_compare__states_by_seed),
        cmocka_unit_test(test_compare__judges),
        cmocka_unit_test(test_compare__from_a_builder),
        cmocka_unit_test(test_compare__redundant_where_they_hold),
        cmocka_unit_test(test_compare__redundant_crank),
        cmocka_unit_test(test_compare__lost_rank_names_the_redundant_one),
        cmocka_unit_test(test_compare__light_ball),
        cmocka_unit_test(test_compare__survives_no_memory),
        cmocka_unit_test(test_compare__hertz_notices_wrong_accelerations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
