/* SPDX-License-Identifier: MIT */
/* What the text says of events against what the system then holds. */
#include "support/test.h"

#include "zwang/model.h"

typedef struct loaded {
    zw_context *ctx;
    zw_system *s;
} loaded;

static const char common[] =
    "model test\n"
    "param m = 1 [kg], r = 0.1 [m], J = m*r^2, e = 0.9, Omega = 2 [rad/s]\n"
    "coord x, y [m], th [rad]\n"
    "particle P : m at (x, y)\n"
    "kinetic 1/2*J*th'^2\n"
    "constraint floor : y = r\n"
    "constraint roll : x' = r*th'\n"
    "constraint pair off : x' = 0, y' = 0\n"
    "variant heavy\n"
    "    param m = 2 [kg]\n"
    "end\n";

static loaded load(const char *lines) {
    loaded m = {zw_context_create(NULL), NULL};
    char text[2048];
    zw_error err = {0};
    snprintf(text, sizeof text, "%s%s", common, lines);
    if (zw_model_parse(&m.s, m.ctx, text, strlen(text), "test.zw", NULL, &err) < 0)
        fail_msg("%s: %s", lines, err.text);
    return m;
}

static void assert_same(loaded m, zw_expr got, const char *want) {
    zw_expr e;
    assert_int_equal(zw_model_expression(&e, m.s, want, NULL), ZW_OK);
    assert_true(zw_expand(m.ctx, got) == zw_expand(m.ctx, e));
}

static void test_event__the_old_forms_mean_the_same(void **state) {
    (void)state;
    loaded m = load("event a : y\nevent b : y rising record\nevent c : y' falling stop\n"
                    "event d : y both, stop\n");
    static const int direction[] = {0, 1, -1, 0};
    static const bool stop[] = {false, false, true, true};
    assert_int_equal(m.s->nevent, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(m.s->event[i].direction, direction[i]);
        assert_int_equal(m.s->event[i].stop, stop[i]);
        assert_int_equal(m.s->event[i].naction, 0);
        assert_true(m.s->event[i].period == ZW_NULL);
    }
    zw_context_destroy(m.ctx);
}

static void test_event__set_takes_positions_velocities_and_parameters(void **state) {
    (void)state;
    loaded m = load("event hit : y - r falling, set y' = -e*y', x = x + r, (m, J) = (2*m, 0),\n"
                    "    stop\n");
    const zw_event *e = &m.s->event[0];
    assert_int_equal(e->naction, 4);
    assert_true(e->stop);
    static const char *const what[] = {"y'", "x", "m", "J"}, *const value[] = {"-e*y'", "x + r",
                                                                               "2*m", "0"};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(e->action[i].kind, ZW_ACTION_SET);
        assert_same(m, e->action[i].what, what[i]);
        assert_same(m, e->action[i].value, value[i]);
    }
    zw_context_destroy(m.ctx);
}

static void check_switch(loaded m, const zw_action *a, zw_action_kind kind, const char *name) {
    assert_int_equal(a->kind, kind);
    assert_string_equal(m.s->constraint[a->constraint].name, name);
}

/* also before the constraints are declared, and by parts */
static void test_event__switch_finds_constraints_and_their_parts(void **state) {
    (void)state;
    loaded m = load("event slip : y falling, switch off roll, late, on pair, variant heavy\n"
                    "event back : y rising switch on pair.2, set x = 0, switch off floor\n"
                    "constraint late : x'' = 0\n");
    const zw_action *a = m.s->event[0].action;
    assert_int_equal(m.s->event[0].naction, 5);
    check_switch(m, &a[0], ZW_ACTION_OFF, "roll");
    check_switch(m, &a[1], ZW_ACTION_OFF, "late");
    check_switch(m, &a[2], ZW_ACTION_ON, "pair.1");
    check_switch(m, &a[3], ZW_ACTION_ON, "pair.2");
    assert_int_equal(a[4].kind, ZW_ACTION_VARIANT);
    assert_string_equal(a[4].variant, "heavy");
    a = m.s->event[1].action;
    assert_int_equal(m.s->event[1].naction, 3);
    check_switch(m, &a[0], ZW_ACTION_ON, "pair.2");
    assert_int_equal(a[1].kind, ZW_ACTION_SET);
    check_switch(m, &a[2], ZW_ACTION_OFF, "floor");
    for (int i = 0; i < m.s->nconstraint; i++)
        assert_true(zw_system_is_switched(m.s, i));
    zw_context_destroy(m.ctx);
}

static void test_event__words_of_actions_are_no_reserved_names(void **state) {
    (void)state;
    loaded m = load("param stop = 1 [m], set = 2, every = 3 [m]\ncoord variant [m]\n"
                    "kinetic 1/2*m*variant'^2\n"
                    "event a : every - stop rising, set stop = 2*stop, set = 3, variant' = 0,\n"
                    "    variant = stop, stop\n"
                    "event b : x, variant none\n");
    const zw_event *e = &m.s->event[0];
    assert_true(e->stop);
    assert_true(e->period == ZW_NULL);
    assert_int_equal(e->naction, 4);
    static const char *const what[] = {"stop", "set", "variant'", "variant"};
    for (int i = 0; i < 4; i++)
        assert_same(m, e->action[i].what, what[i]);
    assert_int_equal(m.s->event[1].action[0].kind, ZW_ACTION_VARIANT);
    assert_string_equal(m.s->event[1].action[0].variant, "");
    zw_context_destroy(m.ctx);
}

static void test_event__a_clock_has_period_and_phase(void **state) {
    (void)state;
    loaded m = load("event strobe : every 2*pi/Omega\n"
                    "event late : every 0.5 [s] from 3 [s], set x' = 0, stop\n"
                    "event never : every (e - 0.9)*1 [s]\n");
    double p[8], period, phase;
    zw_error err = {0};
    assert_int_equal(zw_system_param_values(m.s, p, NULL), ZW_OK);
    assert_int_equal(zw_system_event_clock(m.s, 0, p, &period, &phase, NULL), ZW_OK);
    assert_close(period, acos(-1), 1e-15);
    assert_true(phase == 0);
    assert_int_equal(zw_system_event_clock(m.s, 1, p, &period, &phase, NULL), ZW_OK);
    assert_true(period == 0.5 && phase == 3);
    assert_true(m.s->event[1].stop);
    assert_int_equal(m.s->event[1].naction, 1);
    assert_int_equal(zw_system_event_clock(m.s, 2, p, &period, &phase, &err), ZW_E_DOMAIN);
    assert_non_null(strstr(err.text, "never"));
    zw_context_destroy(m.ctx);
}

static void test_event__parameters_made_of_a_set_one_follow(void **state) {
    (void)state;
    loaded m = load("param twice = 2*J\n");
    double p[8];
    bool given[8] = {true}; /* m */
    assert_int_equal(zw_system_param_values(m.s, p, NULL), ZW_OK);
    assert_close(p[2], 0.01, 1e-15);
    p[0] = 3;
    assert_int_equal(zw_system_param_follow(m.s, given, p, NULL), ZW_OK);
    assert_close(p[2], 0.03, 1e-15);
    assert_close(p[5], 0.06, 1e-15);
    given[2] = true; /* J was set itself: it stays, and what is made of it follows */
    p[2] = 5;
    p[0] = 7;
    assert_int_equal(zw_system_param_follow(m.s, given, p, NULL), ZW_OK);
    assert_true(p[0] == 7 && p[2] == 5 && p[5] == 10);
    zw_context_destroy(m.ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_event__the_old_forms_mean_the_same),
        cmocka_unit_test(test_event__set_takes_positions_velocities_and_parameters),
        cmocka_unit_test(test_event__switch_finds_constraints_and_their_parts),
        cmocka_unit_test(test_event__words_of_actions_are_no_reserved_names),
        cmocka_unit_test(test_event__a_clock_has_period_and_phase),
        cmocka_unit_test(test_event__parameters_made_of_a_set_one_follow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
