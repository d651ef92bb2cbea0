/* SPDX-License-Identifier: MIT */
/* Admissible states: they satisfy the constraints that hold, are the same for a seed and a number
 * whatever was asked before, and contradictions are told by name. */
#include "support/failing_allocator.h"
#include "support/test.h"
#include "zwang/equations.h"
#include "zwang/model.h"

/* a ball on a turning plate; a bead on a rod of 4 mm, which a clock may drive */
static const char BALL[] = "model ball\nparam m = 0.1 [kg], r = 20 [mm], w = 3 [rad/s]\n"
                           "coord x, y [m]\nrotation R space\n"
                           "body B : R at (x, y, r), sphere(m, r)\n"
                           "constraint roll_x : x' = r*R.wy - w*y\n"
                           "constraint roll_y : y' = -r*R.wx + w*x\n";
static const char BEAD[] =
    "model bead\nparam m = 1 [kg], l = 4 [mm], w = 2 [rad/s]\ncoord x, y [m]\n"
    "particle P : m at (x, y)\n"
    "constraint rod : x^2 + y^2 = l^2\nconstraint drive off : y = x*tan(w*t)\n"
    "start x = l, y' = 1 [m/s]\n";

typedef struct bench {
    zw_context *ctx;
    zw_system *s;
} bench;

static bench setup(const char *text, const zw_allocator *alloc) {
    bench b = {.ctx = zw_context_create(alloc)};
    zw_error err = {0};
    assert_non_null(b.ctx);
    if (zw_model_parse(&b.s, b.ctx, text, strlen(text), "test.zw", NULL, &err) < 0)
        fail_msg("%s", err.text);
    return b;
}

static zw_sampler *make(const bench *b, const zw_active *active,
                        const zw_sampler_options *options) {
    zw_error err = {0};
    zw_sampler *g;
    if (zw_sampler_create(&g, b->s, active, options, &err) < 0)
        fail_msg("%s", err.text);
    return g;
}

static double draw(zw_sampler *g, int k, double *x) {
    zw_error err = {0};
    double t = NAN;
    if (zw_sampler_state(g, k, &t, x, &err) < 0)
        fail_msg("%s", err.text);
    return t;
}

static void test_sampler__rolling_ball(void **state) {
    (void)state;
    bench b = setup(BALL, NULL);
    zw_sampler *g = make(&b, NULL, NULL);
    double mean = 0;
    for (int k = 0; k < 50; k++) {
        double x[11], length = 0, t = draw(g, k, x);
        const double *v = x + 6, *w = v + 2;
        for (int i = 2; i < 6; i++)
            length += x[i] * x[i];
        assert_true(fabs(length - 1) <= 1e-14);
        assert_true(fabs(v[0] - 0.02 * w[1] + 3 * x[1]) <= 1e-14);
        assert_true(fabs(v[1] + 0.02 * w[0] - 3 * x[0]) <= 1e-14);
        assert_true(t >= 0 && t < 1);
        /* the box is as wide as the largest length, the radius */
        assert_true(fabs(x[0]) <= 0.02 && fabs(x[1]) <= 0.02);
        mean += x[0] / 50;
    }
    assert_true(fabs(mean) < 0.008); /* 5 standard deviations of 50 numbers */
    zw_context_destroy(b.ctx);
}

/* any order, another sampler: state k of a seed is one state */
static void test_sampler__depends_on_seed_and_number(void **state) {
    (void)state;
    bench b = setup(BALL, NULL);
    zw_sampler_options options = zw_sampler_options_default();
    zw_sampler *g = make(&b, NULL, &options), *h = make(&b, NULL, &options);
    double x[11], y[11];
    for (int k = 0; k < 5; k++) {
        double t = draw(g, k, x);
        draw(h, 4 - k, y);
        assert_true(draw(h, k, y) == t);
        assert_memory_equal(x, y, sizeof x);
    }
    options.seed = 2;
    zw_sampler *other = make(&b, NULL, &options);
    draw(g, 0, x);
    draw(other, 0, y);
    assert_true(x[0] != y[0]);
    zw_context_destroy(b.ctx);
}

static void test_sampler__what_holds_is_an_argument(void **state) {
    (void)state;
    bench b = setup(BEAD, NULL);
    const bool both[] = {true, true}, none[] = {false, false};
    zw_sampler *as_said = make(&b, NULL, NULL),
               *driven = make(&b, &(zw_active){.constraint = both, .bare = true}, NULL),
               *loose = make(&b, &(zw_active){.constraint = none, .bare = true}, NULL);
    int away = 0;
    for (int k = 0; k < 10; k++) {
        double x[4], l = 4e-3, t;
        draw(as_said, k, x);
        assert_true(fabs(x[0] * x[0] + x[1] * x[1] - l * l) <= 1e-15 * l);
        assert_true(fabs(x[0] * x[2] + x[1] * x[3]) <= 1e-15 * l);
        t = draw(driven, k, x);
        assert_true(fabs(x[0] * x[0] + x[1] * x[1] - l * l) <= 1e-15 * l);
        assert_true(fabs(x[1] * cos(2 * t) - x[0] * sin(2 * t)) <= 1e-13 * l);
        assert_true(fabs(hypot(x[2], x[3]) - 2 * l) <= 1e-11 * l);
        draw(loose, k, x);
        away += fabs(x[0] * x[0] + x[1] * x[1] - l * l) > 0.01 * l * l;
    }
    assert_true(away > 5);
    zw_context_destroy(b.ctx);
}

/* other parameters; the box follows the length */
static void test_sampler__parameters(void **state) {
    (void)state;
    bench b = setup(BEAD, NULL);
    zw_sampler *g = make(&b, NULL, NULL);
    zw_error err = {0};
    double x[4], p[3] = {1, 7, 2};
    assert_int_equal(zw_sampler_set_parameters(g, p, &err), ZW_OK);
    for (int k = 0; k < 10; k++) {
        draw(g, k, x);
        assert_true(fabs(x[0] * x[0] + x[1] * x[1] - 49) <= 1e-12);
    }
    p[1] = NAN;
    assert_int_equal(zw_sampler_set_parameters(g, p, &err), ZW_E_NONFINITE);
    zw_context_destroy(b.ctx);
}

/* on the right side, and moved a little: the state that is given back is the changed one */
static bool is_right(void *user, double t, double *x) {
    ++*(int *)user;
    if (x[0] <= 0 || t > 0.5)
        return false;
    x[2] = 77;
    return true;
}

static bool never(void *user, double t, double *x) {
    (void)user, (void)t, (void)x;
    return false;
}

static void test_sampler__accept(void **state) {
    (void)state;
    bench b = setup(BEAD, NULL);
    int asked = 0;
    zw_sampler_options options = zw_sampler_options_default();
    options.accept = is_right;
    options.user = &asked;
    zw_sampler *g = make(&b, NULL, &options);
    for (int k = 0; k < 10; k++) {
        double x[4], t = draw(g, k, x);
        assert_true(x[0] > 0 && t <= 0.5);
        assert_true(x[2] == 77);
    }
    assert_true(asked > 20);
    options.accept = never;
    zw_error err = {0};
    double t, x[4];
    assert_int_equal(zw_sampler_state(make(&b, NULL, &options), 0, &t, x, &err), ZW_E_NUMERIC);
    assert_non_null(strstr(err.text, "accepted"));
    zw_context_destroy(b.ctx);
}

static void test_sampler__names_contradictions(void **state) {
    (void)state;
    bench b = setup("model never\nparam m = 1 [kg]\ncoord x, y [m]\nparticle P : m at (x, y)\n"
                    "constraint a : x = 0\nconstraint b : x = 1 [m]\nconstraint c : y = 0\n",
                    NULL);
    zw_error err = {0};
    double t, x[4];
    assert_int_equal(zw_sampler_state(make(&b, NULL, NULL), 0, &t, x, &err), ZW_E_MODEL);
    assert_non_null(strstr(err.text, "a (line 5), b (line 6)"));
    assert_null(strstr(err.text, "c (line 7)"));
    zw_context_destroy(b.ctx);
}

/* states cost no memory of the context; a request that fails is told */
static void test_sampler__memory(void **state) {
    (void)state;
    failing_allocator f = failing_allocator_make(0);
    zw_allocator alloc = failing_allocator_of(&f);
    bench b = setup(BALL, &alloc);
    zw_sampler *g = make(&b, NULL, NULL);
    double x[11], p[3] = {0.1, 0.02, 3};
    draw(g, 0, x);
    long before = f.bytes;
    for (int k = 0; k < 300; k++) {
        zw_error err = {0};
        assert_int_equal(zw_sampler_set_parameters(g, p, &err), ZW_OK);
        draw(g, k, x);
    }
    assert_int_equal(f.bytes, before);
    zw_context_destroy(b.ctx);
    assert_int_equal(f.bytes, 0);
}

static void test_sampler__survives_no_memory(void **state) {
    (void)state;
    for (long n = 0;; n++) {
        failing_allocator f = failing_allocator_make(0);
        zw_allocator alloc = failing_allocator_of(&f);
        bench b = setup(BEAD, &alloc);
        zw_error err = {0};
        zw_sampler *g;
        double t, x[4];
        f.fail_at = f.requests + 1 + n;
        zw_status status = zw_sampler_create(&g, b.s, NULL, NULL, &err);
        if (status >= 0)
            status = zw_sampler_state(g, 0, &t, x, &err);
        assert_int_equal(status, f.failed ? ZW_E_MEMORY : ZW_OK);
        zw_context_destroy(b.ctx);
        assert_int_equal(f.blocks, 0);
        if (!f.failed)
            break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sampler__rolling_ball),
        cmocka_unit_test(test_sampler__depends_on_seed_and_number),
        cmocka_unit_test(test_sampler__what_holds_is_an_argument),
        cmocka_unit_test(test_sampler__parameters),
        cmocka_unit_test(test_sampler__accept),
        cmocka_unit_test(test_sampler__names_contradictions),
        cmocka_unit_test(test_sampler__memory),
        cmocka_unit_test(test_sampler__survives_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
