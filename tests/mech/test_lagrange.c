/* SPDX-License-Identifier: MIT */
/* Lagrange's equations against closed forms: accelerations, multipliers and their sign. */
#include "support/mech.h"

static const zw_place here = {0};
static zw_context *ctx;
static zw_system *s;
static zw_error err;

static int setup(void **state) {
    (void)state;
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    return zw_system_create(&s, ctx, "test", "", &err) == ZW_OK ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    zw_context_destroy(ctx);
    return 0;
}

static zw_expr param(const char *name, double value) {
    zw_expr e = 0;
    assert_int_equal(zw_system_param(s, name, "", zw_real(ctx, value), here, &e, &err), ZW_OK);
    return e;
}

static zw_expr coord(const char *name) {
    zw_expr e = 0;
    assert_int_equal(zw_system_coord(s, name, "m", here, &e, &err), ZW_OK);
    return e;
}

static zw_expr sq(zw_expr e) {
    return zw_pow(ctx, e, ZW_TWO);
}

static void derive(zw_equations *eq) {
    if (zw_system_finish(s, &err) < 0 || zw_derive(eq, s, NULL, "lagrange", &err) < 0)
        fail_msg("%s", err.text);
}

/* pendulum on a string in the plane: the tension is m (l w^2 + g cos), along the string inwards.
 * With the residual x^2 + y^2 - l^2 the force is 2 lambda (x, y), so lambda = -tension / (2 l). */
static void test_lagrange__pendulum_tension(void **state) {
    (void)state;
    zw_expr m = param("m", 1.3), l = param("l", 0.7), g = param("g", 9.81);
    zw_expr x = coord("x"), y = coord("y"), at[3] = {x, y, ZW_ZERO};
    zw_expr down[3] = {ZW_ZERO, zw_neg(ctx, g), ZW_ZERO};
    assert_int_equal(zw_system_particle(s, "bob", m, at, here, &err), ZW_OK);
    assert_int_equal(zw_system_gravity(s, down, here, &err), ZW_OK);
    zw_expr string = zw_sub(ctx, zw_add(ctx, sq(x), sq(y)), sq(l));
    assert_int_equal(zw_system_constraint(s, "string", string, "m^2", true, here, &err), ZW_OK);
    zw_equations eq;
    derive(&eq);
    assert_int_equal(eq.npos, 1);
    assert_int_equal(eq.nvel, 1);
    double angle = 0.6, w = 1.9, z[3];
    mech_point p;
    mech_begin(&p, s);
    mech_set(&p, x, 0.7 * sin(angle));
    mech_set(&p, y, -0.7 * cos(angle));
    mech_set(&p, s->velocity[0].sym, 0.7 * w * cos(angle));
    mech_set(&p, s->velocity[1].sym, 0.7 * w * sin(angle));
    mech_solve(&eq, &p, z);
    double alpha = -9.81 / 0.7 * sin(angle), tension = 1.3 * (0.7 * w * w + 9.81 * cos(angle));
    assert_close(z[0], 0.7 * (alpha * cos(angle) - w * w * sin(angle)), 1e-13);
    assert_close(z[1], 0.7 * (alpha * sin(angle) + w * w * cos(angle)), 1e-13);
    assert_close(z[2], -tension / (2 * 0.7), 1e-13);
}

/* bead on a hoop turning about its vertical diameter at rate W: theta'' = (W^2 cos - g/R) sin,
 * rheonomic frame */
static void test_lagrange__bead_on_a_rotating_hoop(void **state) {
    (void)state;
    zw_expr m = param("m", 0.4), R = param("R", 0.9), g = param("g", 9.81), W = param("W", 3.7);
    zw_expr theta = coord("theta"), own[3], at[3];
    int hoop;
    zw_expr axis[3] = {ZW_ZERO, ZW_ZERO, ZW_ONE}, up[3] = {ZW_ZERO, ZW_ZERO, zw_neg(ctx, g)};
    assert_int_equal(
        zw_system_frame_rotated(s, "hoop", 0, axis, zw_mul(ctx, W, s->t), here, &hoop, &err),
        ZW_OK);
    own[0] = zw_mul(ctx, R, zw_sin(ctx, theta));
    own[1] = ZW_ZERO;
    own[2] = zw_neg(ctx, zw_mul(ctx, R, zw_cos(ctx, theta)));
    zw_frame_vector(s, hoop, own, at);
    assert_int_equal(zw_system_particle(s, "bead", m, at, here, &err), ZW_OK);
    assert_int_equal(zw_system_gravity(s, up, here, &err), ZW_OK);
    zw_equations eq;
    derive(&eq);
    /* the rotation drops out of the mass matrix: m R^2 */
    assert_int_equal(eq.M[0], zw_mul(ctx, m, sq(R)));
    mech_point p;
    mech_begin(&p, s);
    double z[1], angle = 1.1;
    mech_set(&p, theta, angle);
    mech_set(&p, s->t, 0.83);
    mech_set(&p, s->velocity[0].sym, -0.6);
    mech_solve(&eq, &p, z);
    assert_close(z[0], (3.7 * 3.7 * cos(angle) - 9.81 / 0.9) * sin(angle), 1e-12);
}

/* knife edge on an inclined plane: force-free sideways motion is forbidden by a multiplier
 * m th' (x' cos th + y' sin th) - F . n */
static void test_lagrange__knife_edge(void **state) {
    (void)state;
    zw_expr m = param("m", 2), J = param("J", 0.3), a = param("a", 1.7);
    zw_expr x = coord("x"), y = coord("y"), th = coord("th");
    zw_expr xd = zw_system_rate(s, x), yd = zw_system_rate(s, y), thd = zw_system_rate(s, th);
    zw_expr T =
        zw_mul(ctx, ZW_HALF,
               zw_add(ctx, zw_mul(ctx, m, zw_add(ctx, sq(xd), sq(yd))), zw_mul(ctx, J, sq(thd))));
    assert_int_equal(zw_system_kinetic(s, T, here, &err), ZW_OK);
    assert_int_equal(zw_system_potential(s, zw_mul(ctx, zw_mul(ctx, m, a), x), here, &err), ZW_OK);
    zw_expr edge = zw_sub(ctx, zw_mul(ctx, xd, zw_sin(ctx, th)), zw_mul(ctx, yd, zw_cos(ctx, th)));
    assert_int_equal(zw_system_constraint(s, "edge", edge, "m/s", true, here, &err), ZW_OK);
    zw_equations eq;
    derive(&eq);
    assert_int_equal(eq.npos, 0);
    assert_int_equal(eq.nvel, 1);
    mech_point p;
    mech_begin(&p, s);
    double angle = 0.4, speed = 1.3, turn = 2.1, z[4];
    mech_set(&p, th, angle);
    mech_set(&p, xd, speed * cos(angle));
    mech_set(&p, yd, speed * sin(angle));
    mech_set(&p, thd, turn);
    mech_solve(&eq, &p, z);
    double along = -1.7 * cos(angle); /* speed' */
    assert_close(z[0], along * cos(angle) - speed * turn * sin(angle), 1e-13);
    assert_close(z[1], along * sin(angle) + speed * turn * cos(angle), 1e-13);
    assert_close(z[2], 0, 1e-13);
    /* constraint force (sin, -cos) lambda = m (acceleration) - applied force */
    double lambda = 2 * (z[0] + 1.7) * sin(angle) - 2 * z[1] * cos(angle);
    assert_close(z[3], lambda, 1e-12);
}

/* the force-free rigid body with a quaternion: Euler's equations in body components; in space
 * components the angular momentum stays */
static void rigid_body(bool in_space, zw_equations *eq) {
    zw_expr J[6] = {param("A", 1.1), param("B", 2.3), param("C", 3.0), ZW_ZERO, ZW_ZERO, ZW_ZERO};
    zw_expr m = param("m", 0.7), zero[3] = {ZW_ZERO, ZW_ZERO, ZW_ZERO};
    int frame;
    assert_int_equal(zw_system_frame_free(s, "B", zero, in_space, here, &frame, &err), ZW_OK);
    assert_int_equal(zw_system_body(s, "body", frame, m, zero, J, here, &err), ZW_OK);
    derive(eq);
}

static void test_lagrange__free_rigid_body_in_body_components(void **state) {
    (void)state;
    zw_equations eq;
    rigid_body(false, &eq);
    mech_point p;
    mech_begin(&p, s);
    double w[3] = {0.9, -1.4, 0.5}, z[3];
    double quaternion[4] = {0.5, -0.5, 0.1, sqrt(1 - 0.25 - 0.25 - 0.01)};
    for (int i = 0; i < 4; i++)
        mech_set(&p, s->coord[i].sym, quaternion[i]);
    for (int i = 0; i < 3; i++)
        mech_set(&p, s->velocity[i].sym, w[i]);
    mech_solve(&eq, &p, z);
    assert_close(z[0], (2.3 - 3.0) * w[1] * w[2] / 1.1, 1e-13);
    assert_close(z[1], (3.0 - 1.1) * w[2] * w[0] / 2.3, 1e-13);
    assert_close(z[2], (1.1 - 2.3) * w[0] * w[1] / 3.0, 1e-13);
}

static void test_lagrange__free_rigid_body_in_space_components(void **state) {
    (void)state;
    zw_equations eq;
    rigid_body(true, &eq);
    mech_point p;
    mech_begin(&p, s);
    double w[3] = {0.9, -1.4, 0.5}, z[3];
    double quaternion[4] = {0.5, -0.5, 0.1, sqrt(1 - 0.25 - 0.25 - 0.01)};
    for (int i = 0; i < 4; i++)
        mech_set(&p, s->coord[i].sym, quaternion[i]);
    for (int i = 0; i < 3; i++)
        mech_set(&p, s->velocity[i].sym, w[i]);
    mech_solve(&eq, &p, z);
    /* angular momentum L = A J A' w: dL/dt = A J A' w' + w x L = 0 */
    double A[9], L[3] = {0}, dL[3] = {0}, J[3] = {1.1, 2.3, 3.0};
    for (int k = 0; k < 9; k++)
        A[k] = mech_value(s, &p, s->frame[1].A[k]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) {
                L[i] += A[3 * i + k] * J[k] * A[3 * j + k] * w[j];
                dL[i] += A[3 * i + k] * J[k] * A[3 * j + k] * z[j];
            }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        assert_close(dL[i] + w[j] * L[k] - w[k] * L[j], 0, 1e-12);
    }
    /* and the frame is orthonormal, its angular velocity that of its axes */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double dot = 0;
            for (int k = 0; k < 3; k++)
                dot += A[3 * i + k] * A[3 * j + k];
            assert_close(dot, i == j, 1e-12);
        }
}

/* a free rotation and a chain of Euler angles give the same angular acceleration */
static void test_lagrange__euler_angles_equal_quaternion(void **state) {
    (void)state;
    zw_expr J[6] = {param("A", 1.1), param("B", 2.3), param("C", 3.0), ZW_ZERO, ZW_ZERO, ZW_ZERO};
    zw_expr m = param("m", 0.7), zero[3] = {ZW_ZERO, ZW_ZERO, ZW_ZERO};
    zw_expr angle[3] = {coord("alpha"), coord("beta"), coord("gamma")};
    zw_expr z_axis[3] = {ZW_ZERO, ZW_ZERO, ZW_ONE}, x_axis[3] = {ZW_ONE, ZW_ZERO, ZW_ZERO};
    int f1, f2, f3;
    assert_int_equal(zw_system_frame_rotated(s, "R", 0, z_axis, angle[0], here, &f1, &err), ZW_OK);
    assert_int_equal(zw_system_frame_rotated(s, "G", f1, x_axis, angle[1], here, &f2, &err), ZW_OK);
    assert_int_equal(zw_system_frame_rotated(s, "B", f2, z_axis, angle[2], here, &f3, &err), ZW_OK);
    assert_int_equal(zw_system_body(s, "body", f3, m, zero, J, here, &err), ZW_OK);
    zw_equations eq;
    derive(&eq);
    mech_point p;
    mech_begin(&p, s);
    double at[3] = {0.3, 1.1, -0.7}, rate[3] = {0.8, -1.2, 0.5}, z[3], w[3];
    for (int i = 0; i < 3; i++) {
        mech_set(&p, angle[i], at[i]);
        mech_set(&p, s->velocity[i].sym, rate[i]);
    }
    mech_solve(&eq, &p, z);
    for (int i = 0; i < 3; i++)
        mech_set(&p, s->velocity[i].accel, z[i]);
    double moment[3] = {1.1, 2.3, 3.0}, dw[3];
    for (int i = 0; i < 3; i++) {
        w[i] = mech_value(s, &p, s->frame[f3].w[i]);
        dw[i] = mech_value(s, &p, zw_system_dt(s, s->frame[f3].w[i]));
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        assert_close(moment[i] * dw[i], (moment[j] - moment[k]) * w[j] * w[k], 1e-12);
    }
    /* own and inertial components are the same vector */
    zw_expr turned[3];
    zw_frame_vector(s, f3, s->frame[f3].w, turned);
    for (int i = 0; i < 3; i++)
        assert_close(mech_value(s, &p, turned[i]), mech_value(s, &p, s->frame[f3].omega[i]), 1e-13);
}

/* the Chaplygin sleigh in the quasi-velocities of the body: m u' = m a w^2, (J + m a^2) w' = -m a u
 * w. The same in plain rates with the same constraint gives the same motion. */
static void sleigh(bool quasi, zw_equations *eq, zw_expr *x, zw_expr *y, zw_expr *th) {
    zw_expr m = param("m", 1.9), J = param("J", 0.6), a = param("a", 0.8);
    *x = coord("x");
    *y = coord("y");
    *th = coord("th");
    zw_expr c = zw_cos(ctx, *th), sn = zw_sin(ctx, *th);
    zw_expr xd = zw_system_rate(s, *x), yd = zw_system_rate(s, *y), thd = zw_system_rate(s, *th);
    if (quasi) {
        const char *names[] = {"u", "v"}, *units[] = {"m/s", "m/s"};
        zw_expr def[2] = {zw_add(ctx, zw_mul(ctx, xd, c), zw_mul(ctx, yd, sn)),
                          zw_sub(ctx, zw_mul(ctx, yd, c), zw_mul(ctx, xd, sn))},
                syms[2];
        zw_place places[2] = {{0}, {0}};
        assert_int_equal(zw_system_quasi(s, 2, names, units, def, places, syms, &err), ZW_OK);
        xd = zw_system_rate(s, *x);
        yd = zw_system_rate(s, *y);
    }
    /* centre of mass a ahead of the edge at (x, y) */
    zw_expr vx = zw_sub(ctx, xd, zw_product(ctx, 3, (zw_expr[]){a, sn, thd}));
    zw_expr vy = zw_add(ctx, yd, zw_product(ctx, 3, (zw_expr[]){a, c, thd}));
    zw_expr T =
        zw_mul(ctx, ZW_HALF,
               zw_add(ctx, zw_mul(ctx, m, zw_add(ctx, sq(vx), sq(vy))), zw_mul(ctx, J, sq(thd))));
    assert_int_equal(zw_system_kinetic(s, T, here, &err), ZW_OK);
    zw_expr edge = zw_sub(ctx, zw_mul(ctx, yd, c), zw_mul(ctx, xd, sn));
    assert_int_equal(zw_system_constraint(s, "edge", edge, "m/s", true, here, &err), ZW_OK);
    derive(eq);
}

static void test_lagrange__quasi_velocities(void **state) {
    (void)state;
    zw_equations eq;
    zw_expr x, y, th;
    sleigh(true, &eq, &x, &y, &th);
    double u = 1.2, w = 0.7, angle = 0.9, z[4];
    mech_point p;
    mech_begin(&p, s);
    mech_set(&p, th, angle);
    mech_set(&p, s->velocity[0].sym, u);
    mech_set(&p, s->velocity[2].sym, w);
    mech_solve(&eq, &p, z);
    double m = 1.9, J = 0.6, a = 0.8, u1 = a * w * w, w1 = -m * a * u * w / (J + m * a * a);
    assert_close(z[0], u1, 1e-13);
    assert_close(z[1], 0, 1e-13);
    assert_close(z[2], w1, 1e-13);
    assert_close(z[3], m * (u * w + a * w1), 1e-13); /* side force on the edge */
    double multiplier = z[3];
    zw_context_destroy(ctx);
    assert_int_equal(setup(NULL), 0);
    sleigh(false, &eq, &x, &y, &th);
    mech_begin(&p, s);
    mech_set(&p, th, angle);
    mech_set(&p, s->velocity[0].sym, u * cos(angle));
    mech_set(&p, s->velocity[1].sym, u * sin(angle));
    mech_set(&p, s->velocity[2].sym, w);
    mech_solve(&eq, &p, z);
    assert_close(z[0], u1 * cos(angle) - u * w * sin(angle), 1e-13);
    assert_close(z[1], u1 * sin(angle) + u * w * cos(angle), 1e-13);
    assert_close(z[2], w1, 1e-13);
    assert_close(z[3], multiplier, 1e-13);
}

/* block on a plane by a bilateral contact with friction mu lambda: x'' = -mu g sign(x') */
static void test_lagrange__friction_by_a_multiplier(void **state) {
    (void)state;
    zw_expr m = param("m", 2.2), g = param("g", 9.81), mu = param("mu", 0.3);
    zw_expr x = coord("x"), y = coord("y"), at[3] = {x, y, ZW_ZERO};
    zw_expr down[3] = {ZW_ZERO, zw_neg(ctx, g), ZW_ZERO}, rate = zw_system_rate(s, x);
    assert_int_equal(zw_system_particle(s, "block", m, at, here, &err), ZW_OK);
    assert_int_equal(zw_system_gravity(s, down, here, &err), ZW_OK);
    assert_int_equal(zw_system_constraint(s, "floor", y, "m", true, here, &err), ZW_OK);
    zw_expr friction = zw_neg(ctx, zw_product(ctx, 3,
                                              (zw_expr[]){mu, zw_system_lambda(s, "floor"),
                                                          zw_apply(ctx, ZW_OP_SIGN, 1, &rate)}));
    assert_int_equal(zw_system_force(s, "friction", 1, &rate, &friction, here, &err), ZW_OK);
    zw_equations eq;
    derive(&eq);
    assert_false(eq.symmetric);
    mech_point p;
    mech_begin(&p, s);
    mech_set(&p, rate, 0.4);
    double z[3];
    mech_solve(&eq, &p, z);
    assert_close(z[0], -0.3 * 9.81, 1e-13);
    assert_close(z[1], 0, 1e-13);
    assert_close(z[2], 2.2 * 9.81, 1e-13); /* the floor pushes up: lambda > 0 towards growing y */
    /* switched off, the force has no multiplier to hold on to */
    const zw_active none = {.constraint = (bool[]){false}};
    assert_int_equal(zw_derive(&eq, s, &none, "lagrange", &err), ZW_E_MODEL);
    assert_non_null(strstr(err.text, "lambda(floor)"));
}

/* a constraint on accelerations and a nonlinear one on velocities (Chetaev): Appell-Hamel's speed
 * x'^2 + y'^2 = c^2 under gravity keeps the speed */
static void test_lagrange__nonlinear_and_acceleration_level(void **state) {
    (void)state;
    zw_expr m = param("m", 1), x = coord("x"), y = coord("y"), w = coord("w");
    zw_expr xd = zw_system_rate(s, x), yd = zw_system_rate(s, y), wd = zw_system_rate(s, w);
    zw_expr T =
        zw_mul(ctx, zw_mul(ctx, ZW_HALF, m), zw_sum(ctx, 3, (zw_expr[]){sq(xd), sq(yd), sq(wd)}));
    assert_int_equal(zw_system_kinetic(s, T, here, &err), ZW_OK);
    assert_int_equal(zw_system_potential(s, zw_mul(ctx, zw_integer(ctx, 10), y), here, &err),
                     ZW_OK);
    zw_expr speed = zw_sub(ctx, zw_add(ctx, sq(xd), sq(yd)), zw_integer(ctx, 25));
    assert_int_equal(zw_system_constraint(s, "speed", speed, "", true, here, &err), ZW_OK);
    zw_expr jerk = zw_sub(ctx, zw_system_accel(s, w), zw_sin(ctx, s->t));
    assert_int_equal(zw_system_constraint(s, "drive", jerk, "", true, here, &err), ZW_OK);
    zw_equations eq;
    derive(&eq);
    assert_int_equal(s->constraint[0].linear, false);
    assert_int_equal(s->constraint[1].level, ZW_ACCELERATION);
    assert_int_equal(eq.nvel, 1);
    mech_point p;
    mech_begin(&p, s);
    mech_set(&p, xd, 3);
    mech_set(&p, yd, 4);
    mech_set(&p, s->t, 0.5);
    double z[5];
    mech_solve(&eq, &p, z);
    /* gravity less its part along the velocity (3, 4)/5 */
    assert_close(z[0], 10 * 4.0 / 5 * 3 / 5, 1e-13);
    assert_close(z[1], -10 + 10 * 4.0 / 5 * 4 / 5, 1e-13);
    assert_close(z[2], sin(0.5), 1e-13);
}

static void test_lagrange__refuses_what_it_cannot_do(void **state) {
    (void)state;
    zw_expr x = coord("x"), y = coord("y"), rate = zw_system_rate(s, x);
    zw_equations eq;
    zw_error e = {0};
    assert_int_equal(zw_system_constraint(s, "c", zw_sub(ctx, x, x), "", true, here, &e),
                     ZW_E_MODEL);
    assert_non_null(strstr(e.text, "identically true"));
    e = (zw_error){0};
    assert_int_equal(zw_system_constraint(s, "c", ZW_ONE, "", true, here, &e), ZW_E_MODEL);
    assert_non_null(strstr(e.text, "can never be met"));
    e = (zw_error){0};
    assert_int_equal(zw_system_coord(s, "x", "", here, &x, &e), ZW_E_NAME);
    e = (zw_error){0};
    assert_int_equal(zw_system_potential(s, rate, here, &e), ZW_E_MODEL);
    e = (zw_error){0};
    zw_expr strange = zw_symbol(ctx, "strange");
    assert_int_equal(zw_system_kinetic(s, strange, here, &e), ZW_E_MODEL);
    assert_non_null(strstr(e.text, "strange"));
    /* no inertia along y */
    assert_int_equal(zw_system_kinetic(s, sq(rate), here, &err), ZW_OK);
    assert_int_equal(zw_system_finish(s, &err), ZW_OK);
    e = (zw_error){0};
    assert_int_equal(zw_derive(&eq, s, NULL, "lagrange", &e), ZW_E_SINGULAR);
    assert_non_null(strstr(e.text, "y'"));
    e = (zw_error){0};
    assert_int_equal(zw_derive(&eq, s, NULL, "astrology", &e), ZW_E_NAME);
    (void)y;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_lagrange__pendulum_tension),
        TEST(test_lagrange__bead_on_a_rotating_hoop),
        TEST(test_lagrange__knife_edge),
        TEST(test_lagrange__free_rigid_body_in_body_components),
        TEST(test_lagrange__free_rigid_body_in_space_components),
        TEST(test_lagrange__euler_angles_equal_quaternion),
        TEST(test_lagrange__quasi_velocities),
        TEST(test_lagrange__friction_by_a_multiplier),
        TEST(test_lagrange__nonlinear_and_acceleration_level),
        TEST(test_lagrange__refuses_what_it_cannot_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
