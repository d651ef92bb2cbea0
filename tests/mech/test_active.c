/* SPDX-License-Identifier: MIT */
/* What holds is a value: two derivations of one system, with the rod and without it, are kept side
 * by side and asked alternately. A mass m hangs at a rod of which the end moves down with the speed
 * c:
 *     with it     y'' = 0,  lambda = m g,  power of the rod -m g c
 *     without it  y'' = -g, lambda = 0 */
#include <math.h>
#include <string.h>

#include "support/test.h"
#include "zwang/zwang.h"

static const char hanging[] =
    "model hanging\nparam m = 2 [kg], c = 0.5 [m/s]\ncoord x, y [m]\nparticle P : m at (x, y)\n"
    "gravity 9.81 [m/s^2] along -y\nconstraint rod : y = -1 [m] - c*t\n"
    "constraint wall off : x = 0\nstart x + y = -1 [m]\n"
    "observe pull = lambda(rod), push = lambda(wall)\n"
    "event low : y + 5 [m] , set y' = 0, stop\n";

static const bool with_rod[] = {true, false}, with_nothing[] = {false, false},
                  with_both[] = {true, true};

static zw_system *open_model(zw_context *ctx) {
    zw_system *s;
    zw_error err = {0};
    if (zw_model_parse(&s, ctx, hanging, sizeof hanging - 1, "hanging", NULL, &err) < 0)
        fail_msg("%s", err.text);
    return s;
}

/* y'' and the observables pull and push where the mass moves down with the rod */
static void ask(const zw_equations *eq, double out[3]) {
    const double x[] = {0, -1, 0, -0.5};
    double p[2], state[8];
    zw_kernel *kernel = NULL;
    zw_run *run = NULL;
    zw_error err = {0};
    if (zw_system_param_values(eq->sys, p, &err) < 0 ||
        zw_kernel_create(&kernel, eq, NULL, &err) < 0 ||
        zw_run_create(&run, kernel, p, NULL, &err) < 0 ||
        zw_equations_state(eq, 0, p, x, state, &err) < 0 || zw_run_start(run, 0, state, &err) < 0)
        fail_msg("%s: %s", eq->principle, err.text);
    out[0] = zw_run_accel(run)[1];
    out[1] = zw_run_observables(run)[0];
    out[2] = zw_run_observables(run)[1];
    zw_run_destroy(run);
    zw_kernel_destroy(kernel);
}

static bool text_has(const zw_equations *eq, const char *word) {
    char *text = zw_equations_write(eq, ZW_EQUATIONS_TEXT, ZW_AS_DERIVED);
    assert_non_null(text);
    bool has = strstr(text, word) != NULL;
    zw_string_free(eq->sys->ctx, text);
    return has;
}

static const zw_power *rod_power(const zw_equations *eq) {
    zw_power *power;
    int n;
    zw_error err = {0};
    assert_int_equal(zw_equations_powers(eq, &power, &n, &err), ZW_OK);
    for (int i = 0; i < n; i++)
        if (strcmp(power[i].name, "rod") == 0)
            return &power[i];
    return NULL;
}

static void check_with(const zw_equations *eq) {
    double have[3];
    ask(eq, have);
    if (strcmp(eq->principle, "hamilton") != 0) /* there it is p'' = 0 */
        assert_close(have[0], 0, 1e-12);
    assert_close(have[1], 2 * 9.81, 1e-12);
    assert_close(have[2], 0, 1e-300);
    assert_true(text_has(eq, "rod, position level"));
    assert_non_null(rod_power(eq));
}

static void check_without(const zw_equations *eq) {
    double have[3];
    ask(eq, have);
    assert_close(have[0], strcmp(eq->principle, "hamilton") == 0 ? -2 * 9.81 : -9.81, 1e-12);
    assert_close(have[1], 0, 1e-300);
    assert_false(text_has(eq, "rod"));
    assert_null(rod_power(eq));
}

static void test_active__equations_keep_what_they_were_derived_with(void **state) {
    (void)state;
    int count = 0;
    for (const zw_principle *by = zw_principles(); by->name; by++) {
        zw_context *ctx = zw_context_create(NULL);
        const zw_system *s = open_model(ctx);
        bool on[2];
        const zw_active active = {.constraint = on};
        zw_equations with, without, model;
        zw_error err = {0};
        memcpy(on, with_rod, sizeof on);
        if (zw_derive(&with, s, &active, by->name, &err) < 0) { /* the drive is not for chaplygin */
            assert_string_equal(by->name, "chaplygin");
            zw_context_destroy(ctx);
            continue;
        }
        memcpy(on, with_nothing, sizeof on); /* the equations have a copy */
        if (zw_derive(&without, s, &active, by->name, &err) < 0)
            fail_msg("%s: %s", by->name, err.text);
        assert_int_equal(zw_derive(&model, s, NULL, by->name, &err), ZW_OK);
        for (int turn = 0; turn < 2; turn++) {
            check_with(&with);
            check_without(&without);
            check_with(&model);
        }
        count++;
        zw_context_destroy(ctx);
    }
    assert_true(count >= 10);
}

static void test_active__bare_equations_carry_nothing_but_the_motion(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    const zw_system *s = open_model(ctx);
    const zw_active bare = {.constraint = with_both, .bare = true};
    zw_equations eq, all;
    zw_kernel *kernel;
    zw_error err = {0};
    assert_int_equal(zw_derive(&eq, s, &bare, "lagrange", &err), ZW_OK);
    assert_int_equal(eq.nc, 2);
    assert_int_equal(eq.nstart + eq.nobservable + eq.nevent + eq.nstart_pos + eq.nstart_vel, 0);
    assert_int_equal(zw_kernel_create(&kernel, &eq, NULL, &err), ZW_OK);
    assert_int_equal(kernel->nobs + kernel->nevt + kernel->nact, 0);
    zw_kernel_destroy(kernel);
    char *code = zw_emit_c(&eq, &err);
    assert_non_null(code);
    assert_null(strstr(code, "pull"));
    zw_string_free(ctx, code);
    assert_int_equal(zw_derive(&all, s, NULL, "lagrange", &err), ZW_OK);
    assert_int_equal(all.nstart, 1);
    assert_int_equal(all.nobservable, 2);
    assert_int_equal(all.nevent, 1);
    assert_int_equal(all.nstart_pos, 1);
    zw_context_destroy(ctx);
}

static void test_active__studies_take_it_too(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    const zw_system *s = open_model(ctx);
    const zw_active both = {.constraint = with_both}, none = {.constraint = with_nothing};
    zw_census census;
    zw_classification is;
    zw_error err = {0};
    assert_int_equal(zw_system_census(s, &both, &census, &err), ZW_OK);
    assert_int_equal(census.active, 2);
    assert_int_equal(census.freedom, 0);
    assert_int_equal(zw_system_census(s, &none, &census, &err), ZW_OK);
    assert_int_equal(census.active, 0);
    assert_int_equal(zw_system_census(s, NULL, &census, &err), ZW_OK);
    assert_int_equal(census.active, 1);
    assert_int_equal(zw_classify(&is, s, &both, &err), ZW_OK);
    assert_int_equal(is.n, 2);
    assert_int_equal(zw_classify(&is, s, NULL, &err), ZW_OK);
    assert_int_equal(is.n, 1);
    assert_int_equal(is.constraint[0].constraint, 0);
    zw_context_destroy(ctx);
}

static void test_active__a_finished_system_cannot_be_switched(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s = open_model(ctx);
    zw_error err = {0};
    assert_int_equal(zw_system_switch(s, "rod", false, &err), ZW_E_MODEL);
    assert_non_null(strstr(err.text, "rod"));
    assert_non_null(strstr(err.hint, "derivation"));
    assert_true(s->constraint[0].on);
    zw_context_destroy(ctx);
}

static void test_active__before_finish_it_is_what_the_model_says(void **state) {
    (void)state;
    const zw_place here = {0};
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_expr x;
    zw_equations eq;
    zw_error err = {0};
    assert_int_equal(zw_system_create(&s, ctx, "point", "", &err), ZW_OK);
    assert_int_equal(zw_system_coord(s, "x", "m", here, &x, &err), ZW_OK);
    assert_int_equal(
        zw_system_particle(s, "P", ZW_ONE, (zw_expr[]){x, ZW_ZERO, ZW_ZERO}, here, &err), ZW_OK);
    assert_int_equal(zw_system_constraint(s, "stop", x, "m", true, here, &err), ZW_OK);
    assert_int_equal(zw_system_switch(s, "stop", false, &err), ZW_OK);
    assert_int_equal(zw_system_switch(s, "nothing", true, &err), ZW_E_NAME);
    err = (zw_error){0};
    assert_int_equal(zw_system_finish(s, &err), ZW_OK);
    assert_int_equal(zw_derive(&eq, s, NULL, "lagrange", &err), ZW_OK);
    assert_int_equal(eq.nc, 0);
    zw_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_active__equations_keep_what_they_were_derived_with),
        cmocka_unit_test(test_active__bare_equations_carry_nothing_but_the_motion),
        cmocka_unit_test(test_active__studies_take_it_too),
        cmocka_unit_test(test_active__a_finished_system_cannot_be_switched),
        cmocka_unit_test(test_active__before_finish_it_is_what_the_model_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
