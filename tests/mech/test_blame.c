/* SPDX-License-Identifier: MIT */
/* Models that lose their values at a state, and the statement that is named for it. */
#include "support/test.h"

#include "support/failing_allocator.h"
#include "zwang/equations.h"
#include "zwang/model.h"

static const char head[] = "model test\nunits none\ncoord x, y\nparticle P : 1 at (x, y)\n";

/* state (x, y, x', y'), z all 1 */
static void check(const char *lines, const char *by, double x, double y, double u, double v,
                  const char *where, int line, const char *text) {
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_equations eq;
    zw_blame blame;
    zw_error err = {0};
    char model[600];
    double z[8] = {1, 1, 1, 1, 1, 1, 1, 1}, p[4];
    snprintf(model, sizeof model, "%s%s", head, lines);
    if (zw_model_parse(&s, ctx, model, strlen(model), "test.zw", NULL, &err) < 0 ||
        zw_derive(&eq, s, NULL, by, &err) < 0 || zw_system_param_values(s, p, &err) < 0 ||
        zw_equations_blame(&eq, 0, p, (double[]){x, y, u, v}, z, &blame, &err) < 0)
        fail_msg("%s: %s", lines, err.text);
    if (!where) {
        assert_false(blame.found);
    } else {
        assert_true(blame.found);
        assert_string_equal(blame.where, where);
        assert_string_equal(blame.culprit.text, text);
        assert_int_equal(blame.place.line, line);
    }
    zw_context_destroy(ctx);
}

static void test_blame__names_the_statement(void **state) {
    (void)state;
    static const char *const by[] = {"lagrange", "hamilton", "maggi"};
    for (int i = 0; i < 3; i++) {
        const char *b = by[i];
        check("force f (x) = -x'\n", b, 1, 1, 1, 1, NULL, 0, NULL);
        check("force f (x) = -x'\n", b, 1, NAN, 1, 1, "the state", 0, "y = nan");
        check("param a = 2\nforce (x) = 1\nforce drag (y) = -y/sqrt(a - x^2)\n", b, 2, 1, 1, 1,
              "force drag", 7, "1/sqrt(a - x^2): sqrt(-2)");
        check("force (x, y) = (y, log(x))\n", b, -1, 1, 1, 1, "force(x,y)", 5, "log(x): log(-1)");
        check("potential 1/x\n", b, 0, 1, 1, 1, "the potential", 0, "1/x: division by 0");
        check("potential sqrt(x)\n", b, 0, 1, 1, 1, "the gradient of the potential", 0,
              "1/sqrt(x): division by 0");
        check("dissipation exp(x)*y'^2\n", b, 800, 1, 1, 1, "the dissipation", 0,
              "exp(x): exp(800) overflows");
        check("constraint rod : y*y = log(x)\n", b, -2, 1, 1, 1, "constraint rod", 5,
              "log(x): log(-2)");
        check("observe E = x*y\nobserve angle = acos(x)\n", b, 2, 1, 1, 1, "observable angle", 6,
              "acos(x): acos(2)");
        check("event hit : x, set y' = y'/x\n", b, 0, 1, 1, 1, "event hit", 5,
              "1/x: division by 0");
        check("force f (x) = sqrt(y)\n", b, 1, 0, 1, 1, "the derivative of force f by y", 5,
              "1/sqrt(y): division by 0");
    }
    check("event hit : x, set y' = y'/x\n", "lagrange", 0, 1, 1, 0, "event hit", 5, "y'/x: 0/0");
    check("particle Q : 1 at (log(x), 0)\n", "lagrange", -1, 1, 1, 1, "particle Q", 5,
          "log(x): log(-1)");
}

/* what is not known cannot be to blame: here lambda, whose equations may be singular */
static void test_blame__passes_over_what_is_unknown(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_equations eq;
    zw_blame blame;
    char model[600];
    double p[1], z[3] = {1, 1, NAN}, x[4] = {1, 0, 1, 1};
    snprintf(model, sizeof model, "%s%s", head,
             "constraint rod : x = y^2\nobserve push = lambda(rod)/y\n");
    assert_int_equal(zw_model_parse(&s, ctx, model, strlen(model), "t", NULL, NULL), ZW_OK);
    assert_int_equal(zw_derive(&eq, s, NULL, "lagrange", NULL), ZW_OK);
    assert_int_equal(zw_equations_blame(&eq, 0, p, x, z, &blame, NULL), ZW_OK);
    assert_false(blame.found);
    assert_int_equal(zw_equations_blame(&eq, 0, p, x, NULL, &blame, NULL), ZW_OK);
    assert_false(blame.found);
    z[2] = 2;
    assert_int_equal(zw_equations_blame(&eq, 0, p, x, z, &blame, NULL), ZW_OK);
    assert_true(blame.found);
    assert_string_equal(blame.where, "observable push");
    zw_context_destroy(ctx);
}

static void test_blame__survives_failing_memory(void **state) {
    (void)state;
    bool finished = false;
    for (long n = 1; !finished; n++) {
        failing_allocator memory = failing_allocator_make(0);
        zw_allocator alloc = failing_allocator_of(&memory);
        zw_context *ctx = zw_context_create(&alloc);
        zw_system *s;
        zw_equations eq;
        zw_blame blame;
        zw_error err = {0};
        char model[600];
        double p[1], z[3] = {1, 1, 1}, x[4] = {1, 0, 1, 1};
        snprintf(model, sizeof model, "%s%s", head, "constraint rod : x = y^2\nforce (x) = 1/x\n");
        assert_int_equal(zw_model_parse(&s, ctx, model, strlen(model), "t", NULL, NULL), ZW_OK);
        assert_int_equal(zw_derive(&eq, s, NULL, "hamilton", NULL), ZW_OK);
        memory.fail_at = memory.requests + n;
        zw_status status = zw_equations_blame(&eq, 0, p, x, z, &blame, &err);
        assert_int_equal(status, memory.failed ? ZW_E_MEMORY : ZW_OK);
        finished = !memory.failed;
        zw_context_destroy(ctx);
        assert_int_equal(memory.blocks, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blame__names_the_statement),
        cmocka_unit_test(test_blame__passes_over_what_is_unknown),
        cmocka_unit_test(test_blame__survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
