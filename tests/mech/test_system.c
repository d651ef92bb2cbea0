/* SPDX-License-Identifier: MIT */
/* The builder: kinematics, census, starts, and every allocation failing in turn. */
#include "support/equations_json.h"
#include "support/failing_allocator.h"
#include "support/mech.h"

static const zw_place here = {0};

/* a disc rolling on a line, with the redundant constraint that its centre keeps its height twice */
static zw_status build(zw_context *ctx, zw_system **out, zw_error *err) {
    zw_system *s;
    zw_expr m, r, x, y, phi, sym[2];
    zw_place places[2] = {{0}, {0}};
    ZW_TRY(zw_system_create(&s, ctx, "disc", "a rolling disc", err));
    ZW_TRY(zw_system_param(s, "m", "kg", zw_integer(ctx, 2), here, &m, err));
    ZW_TRY(zw_system_param(s, "r", "m", zw_div(ctx, m, zw_integer(ctx, 8)), here, &r, err));
    ZW_TRY(zw_system_coord(s, "x", "m", here, &x, err));
    ZW_TRY(zw_system_coord(s, "y", "m", here, &y, err));
    ZW_TRY(zw_system_coord(s, "phi", "rad", here, &phi, err));
    /* quasi-velocities u = x' + y', w = x' - y' */
    zw_expr xd = zw_system_rate(s, x), yd = zw_system_rate(s, y);
    zw_expr def[2] = {zw_add(ctx, xd, yd), zw_sub(ctx, xd, yd)};
    const char *names[] = {"u", "w"}, *units[] = {"m/s", "m/s"};
    ZW_TRY(zw_system_quasi(s, 2, names, units, def, places, sym, err));
    int frame;
    zw_expr axis[3] = {ZW_ZERO, ZW_ZERO, ZW_ONE}, centre[3] = {x, y, ZW_ZERO},
            zero[3] = {ZW_ZERO, ZW_ZERO, ZW_ZERO};
    ZW_TRY(zw_system_frame_rotated(s, "R", 0, axis, phi, here, &frame, err));
    ZW_TRY(zw_system_frame_moved(s, "B", frame, centre, here, &frame, err));
    zw_expr J = zw_mul(ctx, zw_mul(ctx, ZW_HALF, m), zw_pow(ctx, r, ZW_TWO));
    zw_expr inertia[6] = {J, J, J, ZW_ZERO, ZW_ZERO, ZW_ZERO};
    ZW_TRY(zw_system_body(s, "disc", frame, m, zero, inertia, here, err));
    xd = zw_system_rate(s, x);
    zw_expr roll = zw_add(ctx, xd, zw_mul(ctx, r, zw_system_rate(s, phi)));
    ZW_TRY(zw_system_constraint(s, "roll", roll, "m/s", true, here, err));
    ZW_TRY(zw_system_constraint(s, "height", zw_sub(ctx, y, r), "m", true, here, err));
    ZW_TRY(zw_system_constraint(s, "again", zw_mul(ctx, ZW_TWO, zw_sub(ctx, y, r)), "m", false,
                                here, err));
    ZW_TRY(zw_system_start(s, phi, zw_integer(ctx, 1), "phi", here, err));
    ZW_TRY(zw_system_start(s, xd, zw_integer(ctx, 3), "x'", here, err));
    ZW_TRY(zw_system_observe(s, "speed", "m/s", xd, here, err));
    ZW_TRY(zw_system_event(s, "zero", phi, -1, true, here, err));
    zw_drawing disk = {.shape = "disk", .frame = frame, .n = 1, .numbers = &r, .place = here};
    for (int i = 0; i < 3; i++)
        disk.at[i] = ZW_ZERO;
    ZW_TRY(zw_system_draw(s, &disk, err));
    ZW_TRY(zw_system_finish(s, err));
    *out = s;
    return ZW_OK;
}

static void test_system__kinematics_of_quasi_velocities(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s = NULL;
    zw_error err = {0};
    if (build(ctx, &s, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(s->nq, 3);
    assert_int_equal(s->nv, 3);
    assert_string_equal(s->velocity[0].name, "u");
    assert_string_equal(s->velocity[2].name, "phi'");
    /* x' = (u + w)/2, y' = (u - w)/2; constant coefficients, so Gamma = 0 */
    zw_expr u = s->velocity[0].sym, w = s->velocity[1].sym;
    assert_int_equal(s->coord[0].rate, zw_mul(ctx, ZW_HALF, zw_add(ctx, u, w)));
    assert_int_equal(s->coord[1].rate, zw_mul(ctx, ZW_HALF, zw_sub(ctx, u, w)));
    for (int i = 0; i < 9; i++)
        assert_int_equal(s->Gamma[i], ZW_ZERO);
    zw_context_destroy(ctx);
}

static void test_system__census_counts_and_finds_redundance(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s = NULL;
    zw_census c;
    zw_error err = {0};
    assert_int_equal(build(ctx, &s, &err), ZW_OK);
    assert_int_equal(zw_system_census(s, NULL, &c, &err), ZW_OK);
    assert_int_equal(c.active, 2);
    assert_int_equal(c.position, 1);
    assert_int_equal(c.affine, 1);
    assert_int_equal(c.rank, 2);
    assert_int_equal(c.freedom, 1);
    assert_int_equal(c.redundant, -1);
    const zw_active all = {.constraint = (bool[]){true, true, true}};
    assert_int_equal(s->nconstraint, 3);
    assert_int_equal(zw_system_census(s, &all, &c, &err), ZW_OK);
    assert_int_equal(c.active, 3);
    assert_int_equal(c.rank, 2);
    assert_int_equal(c.freedom, 1);
    assert_string_equal(s->constraint[c.redundant].name, "again");
    zw_context_destroy(ctx);
}

static void test_system__starts_and_parameters(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s = NULL;
    zw_error err = {0};
    zw_equations eq;
    double p[2], x[6];
    bool fixed[6];
    assert_int_equal(build(ctx, &s, &err), ZW_OK);
    assert_int_equal(zw_system_param_values(s, p, &err), ZW_OK);
    assert_close(p[1], 0.25, 0);
    assert_int_equal(zw_system_start_state(s, p, x, fixed, &err), ZW_OK);
    assert_close(x[2], 1, 0);
    assert_true(fixed[2]);
    assert_false(fixed[3]);
    /* x' is an expression of u and w: a row of the start */
    assert_int_equal(zw_derive(&eq, s, NULL, "lagrange", &err), ZW_OK);
    assert_int_equal(eq.nstart_vel, 1);
    assert_int_equal(eq.nstart_pos, 0);
    assert_int_equal(eq.start_Psi[0], ZW_HALF);
    assert_int_equal(eq.start_Psi[1], ZW_HALF);
    zw_context_destroy(ctx);
}

static void test_system__equations_in_print(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s = NULL;
    zw_error err = {0};
    zw_equations eq;
    assert_int_equal(build(ctx, &s, &err), ZW_OK);
    assert_int_equal(zw_derive(&eq, s, NULL, "lagrange", &err), ZW_OK);
    char *text = zw_equations_write(&eq, ZW_EQUATIONS_TEXT, ZW_SHORTENED);
    assert_non_null(strstr(text, "1/2*m*u' = "));
    assert_non_null(strstr(text, "x' = 1/2*u + 1/2*w"));
    assert_non_null(strstr(text, "[roll, velocity level]"));
    zw_string_free(ctx, text);
    text = zw_equations_write(&eq, ZW_EQUATIONS_LATEX, ZW_SHORTENED);
    assert_non_null(strstr(text, "\\begin{document}"));
    assert_non_null(strstr(text, "\\dot{u}"));
    assert_non_null(strstr(text, "\\lambda_{\\mathrm{roll}}"));
    zw_string_free(ctx, text);
    text = equations_json(&eq, NULL);
    assert_non_null(strstr(text, "\"multipliers\": [\"lambda(roll)\", \"lambda(height)\"]"));
    free(text);
    zw_context_destroy(ctx);
}

static void test_system__survives_failing_allocations(void **state) {
    (void)state;
    for (long n = 1;; n++) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_context *ctx = zw_context_create(&alloc);
        zw_error err = {0};
        zw_system *s = NULL;
        zw_equations eq;
        zw_census c;
        bool ok = ctx && build(ctx, &s, &err) >= 0 &&
                  zw_derive(&eq, s, NULL, "lagrange", &err) >= 0 &&
                  zw_system_census(s, NULL, &c, &err) >= 0;
        for (int format = ZW_EQUATIONS_TEXT; ok && format <= ZW_EQUATIONS_FRAGMENT; format++) {
            char *text = zw_equations_write(&eq, (zw_equation_format)format, ZW_TRIG_COMBINED);
            ok = text != NULL;
            zw_string_free(ctx, text);
        }
        if (ok) {
            char *text = equations_json(&eq, &alloc);
            ok = text != NULL;
            free(text);
        }
        assert_true(ok == !f.failed);
        if (ctx)
            zw_context_destroy(ctx);
        assert_int_equal(f.blocks, 0);
        if (!f.failed)
            break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_system__kinematics_of_quasi_velocities),
        cmocka_unit_test(test_system__census_counts_and_finds_redundance),
        cmocka_unit_test(test_system__starts_and_parameters),
        cmocka_unit_test(test_system__equations_in_print),
        cmocka_unit_test(test_system__survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
