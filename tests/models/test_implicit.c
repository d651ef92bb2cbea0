/* SPDX-License-Identifier: MIT */
/* Whole models through IDA: velocities without inertia against closed forms, constraints by the
 * stabilised form against other methods, what is refused. */
#include "num/options.h"
#include "support/text_model.h"

enum { MAX = TEXT_MODEL_MAX };

static void open_by_method(text_model *m, const char *text, const char *by, double rtol,
                           const char *method) {
    zw_error err = {0};
    zw_run_options options = zw_run_options_default();
    options.rtol = rtol;
    options.atol = rtol * 1e-2;
    options.method = method;
    text_model_open(m, text, by, rtol);
    zw_run_destroy(m->run);
    if (zw_run_create(&m->run, m->kernel, m->p, &options, &err) < 0)
        fail_msg("%s", err.text);
}

static const double *go(text_model *m, double t) {
    zw_error err = {0};
    if (zw_run_advance(m->run, t, NULL, &err) != ZW_OK)
        fail_msg("%s", err.text);
    return zw_run_state(m->run);
}

/* ---- what the kernel knows of itself ---- */

static void call_all(const text_model *m, zw_function_name f, double t, const double *x,
                     const double *z, const double *c, double *out) {
    static double work[4096];
    assert_true(m->kernel->nwork <= 4096);
    const zw_args in = {.t = &t, .x = x, .z = z, .c = c};
    zw_kernel_call(m->kernel, f, &in, out, work);
}

/* r = (M v' - h - C lambda, W v' - b) */
static void residual(const text_model *m, double t, const double *x, const double *z,
                     const double *c, double *r) {
    const zw_kernel *k = m->kernel;
    int nv = k->nv, nc = k->nc;
    static double out[4096];
    call_all(m, ZW_FN_MATS, t, x, NULL, c, out);
    const double *h = out + nv * nv, *C = h + nv, *W = C + nv * nc, *b = W + nc * nv;
    for (int i = 0; i < nv + nc; i++) {
        r[i] = i < nv ? -h[i] : -b[i - nv];
        for (int j = 0; j < nv; j++)
            r[i] += (i < nv ? out[i * nv + j] : W[(i - nv) * nv + j]) * z[j];
        for (int j = 0; i < nv && j < nc; j++)
            r[i] -= C[i * nc + j] * z[nv + j];
    }
}

/* gradients of the constraints and time derivative of the residual, by central differences */
static void test_kernel__gradients_of_constraints_and_time(void **state) {
    (void)state;
    static const char text[] = "model m\nunits none\nparam w = 1.7, k = 3\ncoord x, y, th\n"
                               "kinetic 1/2*(2 + sin(w*t))*x'^2 + 1/2*y'^2*(1 + x^2) + 1/2*th'^2\n"
                               "potential k*x*y*cos(w*t)\nforce (th) = -0.3*lambda(arm)*th'\n"
                               "constraint arm : x^2 + y*th = 2 + 0.1*sin(w*t)\n"
                               "constraint skew : x' + th*y'*cos(w*t) = 0.2*t\n";
    text_model m;
    text_model_open(&m, text, "lagrange", 1e-8);
    const zw_kernel *k = m.kernel;
    static double c[64], work[4096], out[4096], ahead[4096], behind[4096];
    double x[MAX] = {1.1, 0.7, 0.9, 0.3, -0.4, 0.5}, z[MAX] = {0.2, -0.7, 0.4, 1.3, -0.6};
    const double t = 0.8, step = 1e-6;
    assert_int_equal(k->npos + k->nvel, 3);
    assert_int_equal(k->vel_row[0], k->nv + 0);
    assert_int_equal(k->vel_row[1], k->nv + 1);
    zw_prepare(k, m.p, c, work);
    call_all(&m, ZW_FN_GRAD, t, x, NULL, c, out);
    for (int j = 0; j < k->nq; j++)
        for (int level = 0; level < 2; level++) {
            zw_function_name f = level == 0 ? ZW_FN_POS : ZW_FN_VEL;
            double keep = x[j];
            x[j] = keep + step;
            call_all(&m, f, t, x, NULL, c, ahead);
            x[j] = keep - step;
            call_all(&m, f, t, x, NULL, c, behind);
            x[j] = keep;
            for (int i = 0; i < (level == 0 ? k->npos : k->nvel); i++)
                assert_close(out[(level * k->npos + i) * k->nq + j],
                             (ahead[i] - behind[i]) / (2 * step), 1e-8);
        }
    residual(&m, t + step, x, z, c, ahead);
    residual(&m, t - step, x, z, c, behind);
    call_all(&m, ZW_FN_TIME, t, x, z, c, out);
    for (int i = 0; i < k->nz; i++)
        assert_close(zw_time_of(k, out).dr_dt[i], (ahead[i] - behind[i]) / (2 * step), 1e-8);
    text_model_close(&m);
}

/* ---- velocities without inertia ---- */

/* m x'' = -k (x - y), d y' = k (x - y): the stretch s = x - y obeys s'' + k/d s' + k/m s = 0 */
static void test_massless__damper_behind_a_spring(void **state) {
    (void)state;
    static const char text[] = "model node\nunits none\nparam m = 2, k = 50, d = 3\ncoord x, y\n"
                               "kinetic 1/2*m*x'^2\npotential 1/2*k*(x - y)^2\n"
                               "dissipation 1/2*d*y'^2\nstart x = 1, y = 0.2\n";
    text_model m;
    text_model_open(&m, text, "lagrange", 1e-10);
    text_model_start(&m);
    zw_run_info info = zw_run_statistics(m.run);
    assert_string_equal(info.method, "BDF (IDA)");
    assert_non_null(strstr(info.why, "without inertia"));
    const double *x = zw_run_state(m.run), mass = 2, k = 50, d = 3;
    assert_close(x[3], k * 0.8 / d, 1e-13); /* y' is completed */
    /* two real roots a, b of p^2 + k/d p + k/m; s(0) = 0.8, s'(0) = -k/d 0.8 */
    double root = sqrt(k * k / (4 * d * d) - k / mass), a = -k / (2 * d) + root,
           b = -k / (2 * d) - root;
    double A = 0.8 * (-k / d - b) / (a - b), B = 0.8 - A;
    for (double t = 0.1; t < 2; t += 0.1) {
        x = go(&m, t);
        double s = A * exp(a * t) + B * exp(b * t), rate = A * a * exp(a * t) + B * b * exp(b * t);
        double y = 0.2 + k / d * (A / a * (exp(a * t) - 1) + B / b * (exp(b * t) - 1));
        assert_close(x[1], y, 1e-8);
        assert_close(x[0], y + s, 1e-8);
        assert_close(x[3], k / d * s, 1e-8);
        assert_close(d * x[3], k * (x[0] - x[1]), 1e-12); /* the balance, to rounding */
        const double *z = zw_run_accel(m.run);
        assert_close(z[0], -k / mass * s, 1e-7);
        assert_close(z[1], k / d * rate, 1e-7);
    }
    text_model_close(&m);
}

/* two springs in series and a given pull on their node: K y + k (y - x) = P sin(w t) determines the
 * position of the node, so its velocity is of index 2. x'' = -w0^2 x + f sin(w t) */
static void test_massless__node_of_two_springs(void **state) {
    (void)state;
    static const char text[] =
        "model node\nunits none\nparam m = 2, k = 50, K = 30, P = 7, w = 2\ncoord x, y\n"
        "kinetic 1/2*m*x'^2\npotential 1/2*k*(x - y)^2 + 1/2*K*y^2\nforce (y) = P*sin(w*t)\n"
        "start x = 1\n";
    text_model m;
    text_model_open(&m, text, "lagrange", 1e-10);
    text_model_start(&m);
    const double mass = 2, k = 50, K = 30, P = 7, w = 2;
    double w0 = sqrt(k * K / (k + K) / mass), f = k * P / (k + K) / mass, g = f / (w0 * w0 - w * w);
    const double *x = zw_run_state(m.run);
    assert_close(x[1], k / (k + K), 1e-13);
    assert_close(x[3], P * w / (k + K), 1e-13);
    for (double t = 0.1; t < 3; t += 0.1) {
        x = go(&m, t);
        double phase = w0 * t, drive = w * t;
        double exact = cos(phase) - g * w / w0 * sin(phase) + g * sin(drive);
        double rate = -w0 * sin(phase) - g * w * cos(phase) + g * w * cos(drive);
        assert_close(x[0], exact, 1e-7);
        assert_close(x[2], rate, 1e-7);
        assert_close(x[1], (k * x[0] + P * sin(drive)) / (k + K), 1e-12);
        assert_close(x[3], (k * x[2] + P * w * cos(drive)) / (k + K), 1e-12);
        /* by differences along the motion */
        const double *z = zw_run_accel(m.run);
        assert_close(z[1], (k * z[0] - P * w * w * sin(drive)) / (k + K), 1e-8);
    }
    text_model_close(&m);
}

/* a mass 4 t^2 that is zero at the start alone: (4 t^2 y')' + y' = -1 - 8 t has the motion y' =
 * -1 */
static void test_massless__inertia_that_comes_up(void **state) {
    (void)state;
    static const char text[] = "model grows\nunits none\ncoord x, y\n"
                               "kinetic 1/2*x'^2 + 2*t^2*y'^2\ndissipation 1/2*y'^2\n"
                               "force (y) = -1 - 8*t\nstart x = 0, x' = 1, y = 0\n";
    text_model m;
    text_model_open(&m, text, "lagrange", 1e-10);
    text_model_start(&m);
    const double *x = zw_run_state(m.run);
    assert_close(x[3], -1, 1e-13);
    x = go(&m, 2);
    assert_close(x[0], 2, 1e-9);
    assert_close(x[1], -2, 1e-8);
    assert_close(x[3], -1, 1e-8);
    text_model_close(&m);
}

/* no coordinate is without mass, but x - y is: u = x + y swings, w = x - y creeps;
 * the start has x' = y' = 0, of which only w' is changed */
static void test_massless__direction_across_coordinates(void **state) {
    (void)state;
    static const char text[] = "model across\nunits none\ncoord x, y\n"
                               "kinetic 1/2*3*(x' + y')^2\n"
                               "potential 1/2*12*(x + y)^2 + 1/2*5*(x - y)^2\n"
                               "dissipation 1/2*4*(x' - y')^2\nstart x = 1, y = 0.4\n";
    text_model m;
    text_model_open(&m, text, "lagrange", 1e-10);
    text_model_start(&m);
    for (double t = 0.25; t < 3; t += 0.25) {
        const double *x = go(&m, t);
        assert_close(x[0] + x[1], 1.4 * cos(2 * t), 1e-7);
        assert_close(x[0] - x[1], 0.6 * exp(-1.25 * t), 1e-8);
        assert_close(x[2] - x[3], -0.75 * exp(-1.25 * t), 1e-8);
    }
    text_model_close(&m);
}

/* a massless bar between spring and damper: its ends are held together by a constraint, whose force
 * is that of the spring; the motion is the one without the bar */
static void test_massless__with_a_constraint(void **state) {
    (void)state;
    static const char bar[] = "model bar\nunits none\ncoord x, y, z\nkinetic 1/2*2*x'^2\n"
                              "potential 1/2*50*(x - y)^2\ndissipation 1/2*3*z'^2\n"
                              "constraint bar : y - z = 0.7\nstart x = 1, y = 0.2\n";
    static const char node[] = "model node\nunits none\ncoord x, y\nkinetic 1/2*2*x'^2\n"
                               "potential 1/2*50*(x - y)^2\n"
                               "dissipation 1/2*3*y'^2\nstart x = 1, y = 0.2\n";
    text_model m, plain;
    text_model_open(&m, bar, "lagrange", 1e-10);
    text_model_start(&m);
    text_model_open(&plain, node, "lagrange", 1e-10);
    text_model_start(&plain);
    for (double t = 0.2; t < 2; t += 0.2) {
        const double *x = go(&m, t), *y = go(&plain, t);
        assert_close(x[0], y[0], 1e-8);
        assert_close(x[1], y[1], 1e-8);
        assert_close(x[1] - x[2], 0.7, 1e-14);
        /* forces on the upper end: spring + lambda = 0 */
        assert_close(zw_run_accel(m.run)[3], -50 * (x[0] - x[1]), 1e-10);
    }
    text_model_close(&m);
    text_model_close(&plain);
}

/* ---- what cannot be integrated ---- */

static void refused(const char *text, const char *method, zw_status expected, const char *words) {
    text_model m;
    zw_error err = {0};
    double x[MAX];
    bool fixed[MAX];
    open_by_method(&m, text, "lagrange", 1e-8, method);
    assert_int_equal(zw_system_start_state(m.sys, m.p, x, fixed, &err), ZW_OK);
    zw_status status = zw_run_consistent(m.run, 0, x, fixed, NULL, &err);
    if (status >= 0)
        status = zw_run_start(m.run, 0, x, &err);
    assert_int_equal(status, expected);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not say '%s'", err.text, words);
    text_model_close(&m);
}

static void test_massless__says_what_is_missing(void **state) {
    (void)state;
    refused("model loose\nunits none\nparam k = 0\ncoord x, y\nkinetic 1/2*x'^2\n"
            "potential 1/2*k*y^2\n",
            NULL, ZW_E_SINGULAR,
            "velocity 2 has no inertia, and neither its velocity nor its coordinate");
    refused("model magnet\nunits none\ncoord x, y\nkinetic 1/2*x'^2\n"
            "potential 1/2*x^2\nforce (x, y) = (-y', x' - 0*y')\nforce (y) = -y*x'\n",
            NULL, ZW_E_SINGULAR, "binds other velocities");
    refused("model node\nunits none\ncoord x, y\nkinetic 1/2*2*x'^2\n"
            "potential 1/2*50*(x - y)^2\ndissipation 1/2*3*y'^2\nstart x = 1, y' = 5\n",
            NULL, ZW_E_START, "state 4 starts at 5");
    refused("model node\nunits none\ncoord x, y\nkinetic 1/2*2*x'^2\n"
            "potential 1/2*50*(x - y)^2\ndissipation 1/2*3*y'^2\nstart x = 1\n",
            "bdf", ZW_E_SINGULAR, "no inertia");
}

static void test_massless__needs_a_force_at_least(void **state) {
    (void)state;
    static const char text[] = "model loose\nunits none\ncoord x, y\nkinetic 1/2*x'^2\n"
                               "potential y\n";
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    zw_equations eq;
    zw_error err = {0};
    assert_int_equal(zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &err), ZW_OK);
    assert_int_equal(zw_derive(&eq, sys, NULL, "lagrange", &err), ZW_E_SINGULAR);
    assert_non_null(strstr(err.text, "nothing has inertia along y'"));
    zw_context_destroy(ctx);
}

/* ---- constraints ---- */

/* the same model by IDA and by CVODE with projection */
static void compare(const char *text, const char *by, double until, double tolerance) {
    text_model ida, bdf;
    open_by_method(&ida, text, by, 1e-10, "ida");
    open_by_method(&bdf, text, by, 1e-11, "bdf");
    text_model_start(&ida);
    text_model_start(&bdf);
    for (int i = 1; i <= 8; i++) {
        const double *x = go(&ida, until * i / 8), *y = go(&bdf, until * i / 8);
        for (int j = 0; j < ida.kernel->nx; j++)
            assert_close(x[j], y[j], tolerance);
        const double *a = zw_run_accel(ida.run), *b = zw_run_accel(bdf.run);
        for (int j = 0; j < ida.kernel->nz; j++)
            assert_close(a[j], b[j], 100 * tolerance);
    }
    zw_run_info info = zw_run_statistics(ida.run);
    assert_true(info.position_residual <= 1e-12 && info.velocity_residual <= 1e-12);
    text_model_close(&ida);
    text_model_close(&bdf);
}

/* a crank of radius 1 and a rod of 1.02: near the upright crank the constraints are almost
 * dependent */
static void test_ggl__slider_crank_past_its_narrow_place(void **state) {
    (void)state;
    static const char text[] =
        "model crank\nunits none\nparam r = 1, l = 1.02\ncoord a, b, x\n"
        "kinetic 1/2*3*a'^2 + 1/2*0.3*b'^2 + 1/2*2*x'^2\npotential 4*sin(a)\n"
        "constraint level : r*cos(a) + l*cos(b) - x = 0\n"
        "constraint height : r*sin(a) - l*sin(b) = 0\n"
        "start a = 0.2, a' = 3\n";
    compare(text, "lagrange", 4, 1e-6);
}

/* friction by the force of the constraint: C is not W'. x'' = g sin - mu g cos, in closed form */
static void test_ggl__friction_of_a_bilateral_contact(void **state) {
    (void)state;
    static const char text[] = "model block\nunits none\nparam g = 9.81, a = 0.6, mu = 0.3\n"
                               "coord x, y\nkinetic 1/2*2*(x'^2 + y'^2)\n"
                               "potential 2*g*(y*cos(a) - x*sin(a))\nconstraint floor : y = 0\n"
                               "force (x) = -mu*lambda(floor)\nstart x = 0, x' = 1\n";
    text_model m;
    open_by_method(&m, text, "lagrange", 1e-10, "ida");
    text_model_start(&m);
    double a = 9.81 * (sin(0.6) - 0.3 * cos(0.6));
    const double *x = go(&m, 3);
    assert_close(x[0], 3 + a * 4.5, 1e-8);
    assert_close(x[2], 1 + a * 3, 1e-8);
    assert_close(zw_run_accel(m.run)[2], 2 * 9.81 * cos(0.6), 1e-12);
    text_model_close(&m);
    static const char bowl[] =
        "model bowl\nunits none\ncoord x, y, z\nkinetic 1/2*(x'^2 + y'^2 + z'^2)\n"
        "potential 9.81*z\nconstraint bowl : z - (x^2 + y^2)/2 = 0\n"
        "force (x, y, z) = -0.2*lambda(bowl)*(x', y', z')/sqrt(x'^2 + y'^2 + z'^2 + 0.01)\n"
        "start x = 1, y = 0, y' = 1.5\n";
    compare(bowl, "lagrange", 3, 1e-6);
}

/* a ball on a rotating table rolls on a circle at the rate 2 Omega/7; lambda = m v' */
static void test_ggl__ball_on_a_turntable(void **state) {
    (void)state;
    static const char text[] =
        "model turntable\nparam r = 0.0127 [m], m = 0.067 [kg], Omega = 4.7 [1/s]\n"
        "coord x, y [m]\nbody ball : sphere(m, r) at (x, y, r)\n"
        "constraint roll_x : x' - r*ball.w.y = -Omega*y\n"
        "constraint roll_y : y' + r*ball.w.x =  Omega*x\n"
        "start x = 0.1 [m], y = 0 [m], x' = 0 [m/s], y' = 0.05 [m/s]\n";
    text_model m;
    open_by_method(&m, text, "lagrange", 1e-10, "ida");
    text_model_start(&m);
    double rate = 2 * 4.7 / 7, radius = 0.05 / rate;
    for (double t = 0.9; t < 8; t += 0.9) {
        const double *x = go(&m, t), *z = zw_run_accel(m.run);
        assert_close(x[0], 0.1 - radius + radius * cos(rate * t), 1e-8);
        assert_close(x[1], radius * sin(rate * t), 1e-8);
        assert_close(z[m.kernel->nv], -0.067 * rate * x[7], 1e-10);
        assert_close(z[m.kernel->nv + 1], 0.067 * rate * x[6], 1e-10);
    }
    text_model_close(&m);
}

/* a constraint on acceleration level has no psi, one that holds time has a moving one */
static void test_ggl__servo_and_given_motion(void **state) {
    (void)state;
    static const char text[] =
        "model servo\nunits none\ncoord x, y, th\n"
        "kinetic 1/2*(x'^2 + y'^2) + 1/2*th'^2 + 0.2*x'*th'\npotential x*y + th^2\n"
        "constraint lead : x'' + 2*x' + 3*(x - sin(t)) = 0\n"
        "constraint arm : y + th^2 = cos(2*t)\nstart th = 0.5, th' = 0.2\n";
    compare(text, "lagrange", 3, 1e-6);
}

/* the multipliers are states of the vakonomic ball */
static void test_ggl__vakonomic_ball(void **state) {
    (void)state;
    static const char text[] =
        "model turntable\nparam r = 0.0127 [m], m = 0.067 [kg], Omega = 4.7 [1/s]\n"
        "coord x, y [m]\nbody ball : sphere(m, r) at (x, y, r)\n"
        "constraint roll_x : x' - r*ball.w.y = -Omega*y\n"
        "constraint roll_y : y' + r*ball.w.x =  Omega*x\n";
    text_model ida, bdf;
    double x[MAX] = {0.08, -0.03, 1, 0, 0, 0, 0.05, 0.11, 0, 0, 1.3, 0.004, -0.007};
    x[8] = (4.7 * x[0] - x[7]) / 0.0127;
    x[9] = (x[6] + 4.7 * x[1]) / 0.0127;
    zw_error err = {0};
    open_by_method(&ida, text, "vakonomic", 1e-9, "ida");
    open_by_method(&bdf, text, "vakonomic", 1e-10, "bdf");
    assert_int_equal(zw_run_start(ida.run, 0, x, &err), ZW_OK);
    assert_int_equal(zw_run_start(bdf.run, 0, x, &err), ZW_OK);
    const double *a = go(&ida, 1), *b = go(&bdf, 1);
    for (int j = 0; j < ida.kernel->nx; j++)
        assert_close(a[j], b[j], 1e-6);
    assert_true(zw_run_statistics(ida.run).velocity_residual <= 1e-12);
    text_model_close(&ida);
    text_model_close(&bdf);
}

/* Maggi's equations have no multipliers: the constraint is a row among the others; Gauss allows it
 * to be said twice */
static void test_ggl__other_principles(void **state) {
    (void)state;
    static const char skate[] = "model skate\nunits none\ncoord x, y, th\n"
                                "kinetic 1/2*2*(x'^2 + y'^2) + 1/2*0.3*th'^2\npotential -6*x\n"
                                "constraint blade : x'*sin(th) - y'*cos(th) = 0\n"
                                "start th = 0.4, th' = 1.5, x' = 0.5\n";
    static const char twice[] = "model rod\nunits none\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                                "potential 9.81*y\nconstraint rod : x^2 + y^2 = 1\n"
                                "constraint again : 2*x*x' + 2*y*y' = 0\nstart x = 1, y = 0\n";
    compare(skate, "maggi", 3, 1e-6);
    compare(skate, "gibbs-appell", 1.5, 1e-6); /* at th = pi, t = 1.83, its equations divide by 0 */
    compare(twice, "gauss", 2, 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernel__gradients_of_constraints_and_time),
        cmocka_unit_test(test_massless__damper_behind_a_spring),
        cmocka_unit_test(test_massless__node_of_two_springs),
        cmocka_unit_test(test_massless__inertia_that_comes_up),
        cmocka_unit_test(test_massless__direction_across_coordinates),
        cmocka_unit_test(test_massless__with_a_constraint),
        cmocka_unit_test(test_massless__says_what_is_missing),
        cmocka_unit_test(test_massless__needs_a_force_at_least),
        cmocka_unit_test(test_ggl__slider_crank_past_its_narrow_place),
        cmocka_unit_test(test_ggl__friction_of_a_bilateral_contact),
        cmocka_unit_test(test_ggl__ball_on_a_turntable),
        cmocka_unit_test(test_ggl__servo_and_given_motion),
        cmocka_unit_test(test_ggl__vakonomic_ball),
        cmocka_unit_test(test_ggl__other_principles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
