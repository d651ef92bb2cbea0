/* SPDX-License-Identifier: MIT */
/* Rolling against closed forms: disc, ball on slopes, turntables and spheres, wheeled vehicles. */
#include "support/motion.h"

static const double g = 9.81;

/* the multiplier of a constraint by name, at the state of the run */
static double multiplier(const motion *m, const char *name) {
    for (int k = 0; k < m->eq.nc; k++)
        if (strcmp(m->sys->constraint[m->eq.constraint[k]].name, name) == 0)
            return zw_run_accel(m->run)[m->eq.nv + k];
    fail_msg("no multiplier of %s", name);
    return 0;
}

/* --------------------------------------------------------------------------------------- disc */

/* steady circular rolling: m = 0.1, r = 0.05, A = m r^2/4, C = m r^2/2 */
static void test_rolling__steady_disc(void **state) {
    (void)state;
    const double m = 0.1, r = 0.05, A = m * r * r / 4, C = m * r * r / 2;
    static const double inclination[3] = {40, 70, 110}, rates[3] = {20, 6, 9};
    for (int k = 0; k < 3; k++) {
        motion d;
        char set[96];
        double be = inclination[k] * M_PI / 180, W = rates[k];
        snprintf(set, sizeof set, "beta_0=%g [deg];Omega=%g [rad/s]", inclination[k], W);
        motion_open(&d, "rolling_disc", NULL, set, 1e-11);
        double w3 = (A * W * W * sin(be) - m * g * r) * cos(be) / ((C + m * r * r) * W * sin(be));
        /* the centre moves at -r w3 along (cos alpha, sin alpha) */
        double speed = -r * w3, energy = motion_energy(&d);
        for (double t = 0.1; t < 2; t += 0.19) {
            motion_to(&d, t);
            assert_close(motion_state(&d, "beta"), be, 1e-7);
            assert_close(motion_state(&d, "alpha"), W * t, 1e-7);
            assert_close(motion_state(&d, "x"), speed / W * sin(W * t), 1e-8);
            assert_close(motion_state(&d, "y"), speed / W * (1 - cos(W * t)), 1e-8);
            assert_close(motion_observable(&d, "pressing"), m * g, 1e-7);
            /* the horizontal force turns the centre: m v W, inwards */
            assert_close(multiplier(&d, "roll.2"), m * speed * W, 1e-7);
            assert_close(multiplier(&d, "roll.1"), 0, 1e-7);
            assert_close(motion_energy(&d) / energy, 1, 1e-9);
        }
        motion_close(&d);
    }
}

/* disturbed: (A + m r^2) beta'' as in the head of the model, and energy stays */
static void test_rolling__disturbed_disc(void **state) {
    (void)state;
    const double m = 0.1, r = 0.05, A = m * r * r / 4, C = m * r * r / 2;
    motion d;
    motion_open(&d, "rolling_disc", NULL, "beta'=3 [rad/s];gamma'=-14 [rad/s]", 1e-11);
    double energy = motion_energy(&d);
    for (double t = 0; t < 0.5; t += 0.05) {
        if (t > 0)
            motion_to(&d, t);
        double be = motion_state(&d, "beta"), al = motion_state(&d, "alpha'");
        double w3 = motion_state(&d, "gamma'") + al * cos(be);
        double expected = (A * al * al * sin(be) * cos(be) - (C + m * r * r) * w3 * al * sin(be) -
                           m * g * r * cos(be)) /
                          (A + m * r * r);
        assert_close(zw_run_accel(d.run)[4], expected, 1e-10);
        assert_close(motion_energy(&d) / energy, 1, 1e-9);
    }
    motion_close(&d);
}

/* a driven wheel rolls up a slope: (m + I/r^2) s'' = m g sin - torque/r */
static void test_rolling__driven_wheel_on_a_slope(void **state) {
    (void)state;
    const double m = 2, r = 0.3, torque = 5, slope = 0.4, I = m * r * r / 2;
    motion w;
    motion_open_text(&w,
                     "model wheel\n"
                     "param m = 2 [kg], r = 0.3 [m], torque = 5 [N*m]\n"
                     "coord s, u [m], ph [rad]\n"
                     "frame hill : rotate y 0.4\n"
                     "frame wheel : hill rotate x 90 [deg] rotate z ph at hill(s, u, r)\n"
                     "body disc : wheel, disk(m, r)\n"
                     "gravity 9.81 [m/s^2] along -z\n"
                     "force (ph) = torque\n"
                     "rolling roll : disk disc radius r on plane of hill\n",
                     1e-10);
    assert_int_equal(w.eq.nc, 2); /* the height of the centre is not free: no contact */
    double accel = (m * g * sin(slope) - torque / r) / (m + I / (r * r));
    assert_close(zw_run_accel(w.run)[0], accel, 1e-12);
    assert_close(multiplier(&w, "roll.1"), m * accel - m * g * sin(slope), 1e-12);
    assert_close(multiplier(&w, "roll.2"), 0, 1e-12);
    motion_close(&w);
}

/* ------------------------------------------------------------------------------------- spheres */

/* down a slope with 5/7 g sin, friction 2/7 m g sin, pressing m g cos */
static void test_rolling__ball_on_a_slope(void **state) {
    (void)state;
    const double m = 3, slope = 0.3;
    static const char *const planes[2] = {
        "frame hill : rotate y 0.3\nrolling roll : sphere ball radius r on plane of hill\n",
        "rolling roll : sphere ball radius r on plane (sin(0.3), 0, cos(0.3))\n"};
    for (int k = 0; k < 2; k++) {
        motion b;
        char text[600];
        snprintf(text, sizeof text,
                 "model ball\nparam m = 3 [kg], r = 0.2 [m]\ncoord x, y, z [m]\n"
                 "body ball : sphere(m, r) at (x, y, z)\ngravity 9.81 [m/s^2] along -z\n%s"
                 "start x = 0, y = 0\n",
                 planes[k]);
        motion_open_text(&b, text, 1e-10);
        const double *a = zw_run_accel(b.run);
        double down = a[0] * cos(slope) - a[2] * sin(slope);
        assert_int_equal(b.eq.nc, 3);
        assert_close(down, 5 * g * sin(slope) / 7, 1e-12);
        assert_close(a[0] * sin(slope) + a[2] * cos(slope), 0, 1e-12);
        assert_close(hypot(multiplier(&b, "roll.1"), multiplier(&b, "roll.2")),
                     2 * m * g * sin(slope) / 7, 1e-12);
        assert_close(multiplier(&b, "roll.contact"), m * g * cos(slope), 1e-12);
        motion_close(&b);
    }
}

/* the turntable in one statement: the shipped model writes the two equations */
static void test_rolling__turntable_in_one_statement(void **state) {
    (void)state;
    motion a, b;
    motion_open_text(&a,
                     "model ball\nparam r = 1.27 [cm], m = 66.926 [g], Omega = 45 [rpm]\n"
                     "coord x, y [m]\nbody ball : sphere(m, r) at (x, y, r)\n"
                     "frame table : rotate z Omega*t\n"
                     "rolling roll : sphere ball radius r on plane of table\n"
                     "start x = 10 [cm], y = 0, x' = 0, y' = 5 [cm/s], ball.w.z = 0\n",
                     1e-11);
    motion_open(&b, "turntable_ball", NULL, NULL, 1e-11);
    for (double t = 0.5; t < 6; t += 0.5) {
        motion_to(&a, t);
        motion_to(&b, t);
        assert_close(motion_state(&a, "x"), motion_state(&b, "x"), 1e-8);
        assert_close(motion_state(&a, "y"), motion_state(&b, "y"), 1e-8);
    }
    motion_close(&a);
    motion_close(&b);
}

/* from near the top of a fixed sphere, D = R + r: v^2 = 10/7 g D (cos start - cos theta), the
 * pressing force is m g (17 cos theta - 10 cos start)/7 and vanishes at cos theta = 10/17 cos
 * start */
static void test_rolling__ball_off_a_sphere(void **state) {
    (void)state;
    const double m = 0.5, D = 1.2, start = 0.1;
    motion b;
    motion_open_text(
        &b,
        "model ball\nparam m = 0.5 [kg], r = 0.2 [m], R = 1 [m]\ncoord x, y, z [m]\n"
        "body ball : sphere(m, r) at (x, y, z)\ngravity 9.81 [m/s^2] along -z\n"
        "rolling roll : sphere ball radius r on sphere centre (0, 0, 0) radius R outside\n"
        "start x = (R + r)*sin(0.1), y = 0, x' = 0, y' = 0, z = (R + r)*cos(0.1), ball.w.z = 0\n",
        1e-11);
    double last = 1;
    for (double t = 0.05; t < 2 && last > 0; t += 0.05) {
        motion_to(&b, t);
        double x = motion_state(&b, "x"), z = motion_state(&b, "z"), c = z / D;
        double v2 = pow(motion_state(&b, "x'"), 2) + pow(motion_state(&b, "z'"), 2);
        assert_close(hypot(x, z), D, 1e-9);
        assert_close(v2, 10 * g * D * (cos(start) - c) / 7, 1e-8);
        last = multiplier(&b, "roll.1") * x / D + multiplier(&b, "roll.3") * z / D;
        assert_close(last, m * g * (17 * c - 10 * cos(start)) / 7, 1e-7);
    }
    assert_true(last < 0); /* a real ball has left */
    motion_close(&b);
}

/* what a statement makes: names, switches, independent velocities */
static void test_rolling__parts_by_name(void **state) {
    (void)state;
    static const char text[] =
        "model parts\nparam m = 1 [kg], r = 0.1 [m], R = 1 [m]\ncoord x, y, z, u, v, w [m]\n"
        "rotation B euler zxz (al, be, ga)\nbody d : B at (x, y, z), disk(m, r)\n"
        "body b : sphere(m, r) at (u, v, w)\n"
        "rolling a : disk d radius r on plane\n"
        "rolling c : disk d radius r on plane, slipping sideways\n"
        "rolling e off : disk d radius r on plane, slipping\n"
        "rolling f : sphere b radius r on plane y height 2*r\n"
        "rolling h : sphere b radius r on sphere centre (0, 0, 0) radius R inside, slipping\n"
        "independent al', v'\n";
    static const char *const names[] = {"a.contact", "a.1",       "a.2", "c.contact", "c.1",
                                        "e.contact", "f.contact", "f.1", "f.2",       "h.contact"};
    static const bool on[] = {true, true, false, true, true, false, true, true, true, true};
    const char *without[] = {"a.2"};
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_error err = {0};
    zw_model_options options = {.nwithout = 1, .without = without};
    if (zw_model_parse(&s, ctx, text, strlen(text), "text", &options, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(s->nconstraint, 10);
    for (int i = 0; i < 10; i++) {
        assert_string_equal(s->constraint[i].name, names[i]);
        assert_int_equal(s->constraint[i].on, on[i]);
        assert_string_equal(s->constraint[i].lambda_unit, "N");
        assert_int_equal(s->constraint[i].level,
                         strstr(names[i], "contact") ? ZW_POSITION : ZW_VELOCITY);
    }
    for (int i = 0; i < s->nv; i++)
        assert_int_equal(s->velocity[i].independent, strcmp(s->velocity[i].name, "al'") == 0 ||
                                                         strcmp(s->velocity[i].name, "v'") == 0);
    /* the gap of f is y - 3 r */
    zw_expr gap;
    assert_int_equal(zw_model_expression(&gap, s, "v - 3*r", &err), ZW_OK);
    assert_int_equal(zw_expand(ctx, zw_sub(ctx, s->constraint[6].residual, gap)), ZW_ZERO);
    zw_context_destroy(ctx);
}

/* a start off the sphere is refused */
static void test_rolling__start_off_the_sphere(void **state) {
    (void)state;
    static const char text[] =
        "model ball\nparam m = 0.5 [kg], r = 0.2 [m], R = 1 [m]\ncoord x, y, z [m]\n"
        "body ball : sphere(m, r) at (x, y, z)\n"
        "rolling roll : sphere ball radius r on sphere centre (0, 0, 0) radius R inside\n"
        "start x = 0.5 [m], y = 0, z = 0\n";
    motion m = {.ctx = zw_context_create(NULL)};
    zw_error err = {0};
    zw_run_options run = zw_run_options_default();
    assert_int_equal(zw_model_parse(&m.sys, m.ctx, text, strlen(text), "text", NULL, &err), ZW_OK);
    assert_false(motion_start(&m, &run, &err));
    assert_int_equal(err.status, ZW_E_START);
    zw_context_destroy(m.ctx);
}

/* the cavity: s from its centre, q = 0.85; small oscillations, and the spin about the normal */
static void test_rolling__absorber(void **state) {
    (void)state;
    const double q = 0.85, r = 0.15, small = 0.001;
    static const char still[] = "A_0=0 [m];x_0=0.001 [m]";
    for (int printed = 0; printed < 2; printed++) {
        motion m;
        double rate = printed ? sqrt(g / q / (1 + 0.4 * r * r / (q * q))) : sqrt(5 * g / (7 * q));
        motion_open(&m, "absorber_spatial", printed ? "constraint57" : NULL, still, 1e-12);
        for (double t = 0.3; t < 6; t += 0.7) {
            motion_to(&m, t);
            assert_true(fabs(motion_state(&m, "x") - small * cos(rate * t)) < 5e-6 * small);
        }
        motion_close(&m);
        motion_open(&m, "absorber_spatial", printed ? "constraint57" : NULL,
                    "A_0=0.05 [m];x_0=0.2 [m];y'=0.3 [m/s];spin_0=7 [rad/s]", 1e-11);
        for (double t = 0.5; t < 15; t += 0.5) {
            motion_to(&m, t);
            double A = 0.05 * sin(2.9 * t), x = motion_state(&m, "x") - A;
            double y = motion_state(&m, "y"), z = motion_state(&m, "z");
            assert_close(motion_observable(&m, "spin"), 7, 1e-7);
            assert_close(sqrt(x * x + y * y + z * z), q, 1e-8);
        }
        motion_close(&m);
    }
}

/* ------------------------------------------------------------------------------------ vehicles */

static void test_rolling__sleigh(void **state) {
    (void)state;
    const double m = 2, J = 0.1, a = 0.2, I = J + m * a * a, u0 = -0.5, w0 = 3;
    double c = sqrt(u0 * u0 + I / m * w0 * w0), k = m * a * c / I, t0 = -atanh(u0 / c) / k;
    motion s;
    motion_open(&s, "chaplygin_sleigh", NULL, NULL, 1e-11);
    double energy = motion_energy(&s);
    for (double t = 0.1; t < 4; t += 0.3) {
        motion_to(&s, t);
        assert_close(motion_state(&s, "u"), c * tanh(k * (t - t0)), 1e-8);
        assert_close(motion_state(&s, "w"), c * sqrt(m / I) / cosh(k * (t - t0)), 1e-8);
        assert_close(motion_energy(&s) / energy, 1, 1e-9);
    }
    motion_close(&s);
}

static void test_rolling__unicycle(void **state) {
    (void)state;
    const double r = 0.3, mass = 60 + 4, Jw = 4 * r * r, turning = 2 + Jw / 2;
    const double accel = 6 / r / (mass + Jw / (r * r)), turn = 0.5 / turning;
    motion u;
    motion_open(&u, "unicycle", NULL, NULL, 1e-11);
    for (double t = 0.5; t < 5; t += 0.5) {
        motion_to(&u, t);
        assert_close(motion_state(&u, "u"), 2 + accel * t, 1e-9);
        assert_close(motion_state(&u, "th"), turn * t * t / 2, 1e-9);
    }
    motion_close(&u);
}

/* energy and the momenta of rotor and wheels without torques; forward in the drive gait */
static void test_rolling__snakeboard(void **state) {
    (void)state;
    motion s;
    motion_open(&s, "snakeboard", NULL,
                "th=0.3 [rad];phi=0.4 [rad];psi'=2 [rad/s];phi'=0.5 [rad/s];x'=1 [m/s]", 1e-12);
    double energy = motion_energy(&s);
    double rotor = motion_state(&s, "th'") + motion_state(&s, "psi'");
    double turned = motion_state(&s, "th");
    for (double t = 0.2; t < 2; t += 0.2) {
        motion_to(&s, t);
        assert_close(motion_energy(&s) / energy, 1, 1e-9);
        assert_close(motion_state(&s, "th'") + motion_state(&s, "psi'"), rotor, 1e-8);
        assert_close(motion_state(&s, "phi'"), 0.5, 1e-8);
    }
    assert_true(fabs(motion_state(&s, "th") - turned) > 0.1);
    motion_close(&s);
    motion_begin(&s, &(motion_plan){"snakeboard", NULL, "phi'=1.5 [rad/s];psi'=3.5 [rad/s]", "gait",
                                    NULL, 1e-9});
    double period = 2 * M_PI / 5;
    motion_to(&s, 4 * period);
    double first = motion_state(&s, "x");
    motion_to(&s, 8 * period);
    assert_true(first > 0.05 || first < -0.05);
    assert_true((motion_state(&s, "x") - first) / first > 1); /* it speeds up on its way */
    motion_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rolling__steady_disc),
        cmocka_unit_test(test_rolling__disturbed_disc),
        cmocka_unit_test(test_rolling__driven_wheel_on_a_slope),
        cmocka_unit_test(test_rolling__ball_on_a_slope),
        cmocka_unit_test(test_rolling__turntable_in_one_statement),
        cmocka_unit_test(test_rolling__ball_off_a_sphere),
        cmocka_unit_test(test_rolling__parts_by_name),
        cmocka_unit_test(test_rolling__start_off_the_sphere),
        cmocka_unit_test(test_rolling__absorber),
        cmocka_unit_test(test_rolling__sleigh),
        cmocka_unit_test(test_rolling__unicycle),
        cmocka_unit_test(test_rolling__snakeboard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
