/* SPDX-License-Identifier: MIT */
/* Linear equations in closed form against formulas from elsewhere: two expressions are the same if
 * their difference is 0 in lowest terms. What is refused. */
#include "expr/calculus/ratio.h"
#include "support/failing_allocator.h"
#include "support/report.h"
#include "support/test.h"
#include "zwang/zwang.h"

static zw_context *ctx;
static zw_system *sys;
static zw_symbolic *s;
static const zw_symbolic_result *r;
static zw_error err;
static zw_symbolic_options options;
static zw_model_options reading;

static int setup(void **state) {
    (void)state;
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    s = NULL;
    options = zw_symbolic_options_default();
    reading = (zw_model_options){.size = sizeof reading, .constants = true};
    return 0;
}

static int teardown(void **state) {
    (void)state;
    zw_symbolic_destroy(s);
    zw_context_destroy(ctx);
    return 0;
}

static zw_status make(const char *text) {
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test.zw", &reading, &err) < 0)
        fail_msg("%s", err.text);
    zw_status status = zw_symbolic_create(&s, sys, &options, &err);
    r = status < 0 ? NULL : zw_symbolic_get(s);
    return status;
}

static void make_model(const char *name, const char *motion) {
    char path[500];
    snprintf(path, sizeof path, "%s/models/%s.zw", ZW_SOURCE_DIR, name);
    reading.steady = motion;
    options.steady = motion ? "--at" : NULL;
    if (zw_model_read(&sys, ctx, path, &reading, &err) < 0 ||
        zw_symbolic_create(&s, sys, &options, &err) < 0)
        fail_msg("%s", err.text);
    r = zw_symbolic_get(s);
}

/* the disturbances d(x) are symbols like parameters */
static zw_expr expected(const char *text) {
    zw_expr e;
    if (zw_model_expression(&e, sys, text, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    return e;
}

static void assert_same_(zw_expr got, const char *text, int line) {
    if (zw_ratio_is_zero(ctx, zw_sub(ctx, got, expected(text))))
        return;
    char *shown = zw_print(ctx, got, ZW_TEXT);
    print_error("line %d: %s is not %s\n", line, shown, text);
    zw_string_free(ctx, shown);
    fail();
}
#define assert_same(got, text) assert_same_((got), (text), __LINE__)

/* n x n entries, row by row */
static void assert_matrix_(int n, const zw_expr *got, const char *const *text, int line) {
    for (int i = 0; i < n * n; i++)
        assert_same_(got[i], text[i], line);
}
#define assert_matrix(n, got, ...)                                                                 \
    assert_matrix_((n), (got), (const char *const[]){__VA_ARGS__}, __LINE__)

static void expect_entries(int n, const char *const *names) {
    assert_int_equal(r->n, n);
    for (int i = 0; i < n; i++)
        assert_string_equal(zw_symbolic_entry(s, r->kept[i]), names[i]);
}

static void expect_text(const char *part) {
    char *text = zw_symbolic_write(s, ZW_SYMBOLIC_TEXT);
    assert_non_null(text);
    if (!strstr(text, part))
        fail_msg("not in the text: %s\n%s", part, text);
    zw_string_free(ctx, text);
}

#define PENDULUM                                                                                   \
    "model pendulum\nparam m = 2 [kg], l = 0.5 [m], g = 9.81 [m/s^2], c = 0.1 [N*m*s]\n"           \
    "coord phi [rad]\nparticle P : m at (l*sin(phi), -l*cos(phi))\ngravity g along -y\n"

/* --------------------------------------------------------------------------------- closed forms */

static void test_symbolic__pendulum(void **state) {
    (void)state;
    assert_int_equal(make(PENDULUM "force (phi) = -c*phi'\nsteady down : phi = 0\n"), ZW_OK);
    assert_matrix(2, r->A, "0", "1", "-g/l", "-c/(m*l^2)");
    assert_int_equal(r->second, ZW_FORMULA_THERE);
    assert_same(r->M[0], "m*l^2");
    assert_same(r->D[0], "c");
    assert_same(r->K[0], "m*g*l");
    assert_same(r->determinant, "g/l");
    assert_true(r->proved && r->nchecked >= 4 && r->error < 1e-9);
    assert_int_equal(r->block[0].ncondition, 0); /* stable for all positive parameters */
    expect_text("For positive parameters the motion is asymptotically stable.");
}

static void test_symbolic__standing_pendulum(void **state) {
    (void)state;
    assert_int_equal(make(PENDULUM "steady up : phi = pi\n"), ZW_OK);
    assert_matrix(2, r->A, "0", "1", "g/l", "0");
    assert_int_equal(r->block[0].condition[0].value, ZW_MINUS_ONE);
    expect_text("the condition is not met");
}

/* by its distance: the same pendulum, with the force of the string */
static void test_symbolic__pendulum_in_a_plane(void **state) {
    (void)state;
    const char *keep[] = {"x"};
    options.keep = keep;
    options.nkeep = 1;
    assert_int_equal(
        make("model p\nparam m = 2 [kg], l = 0.5 [m], g = 9.81 [m/s^2]\ncoord x, y [m]\n"
             "particle P : m at (x, y)\ngravity g along -y\n"
             "constraint rod : x^2 + y^2 = l^2\nsteady down : x = 0, y = -l\n"),
        ZW_OK);
    expect_entries(2, (const char *[]){"x", "x'"});
    assert_matrix(2, r->A, "0", "1", "-g/l", "0");
    assert_same(r->lambda[0], "-m*g/(2*l)");
    assert_same(r->M[0], "m");
}

static void test_symbolic__double_pendulum(void **state) {
    (void)state;
    make_model("double_pendulum", "phi_1 = 0, phi_2 = 0");
    assert_matrix(2, r->M, "(m_1 + m_2)*l_1^2", "m_2*l_1*l_2", "m_2*l_1*l_2", "m_2*l_2^2");
    assert_matrix(2, r->K, "(m_1 + m_2)*g*l_1", "0", "0", "m_2*g*l_2");
    const zw_symbolic_block *b = &r->block[0];
    assert_int_equal(b->n, 4);
    assert_true(b->even);
    assert_same(zw_div(ctx, b->a[2], b->a[4]), "(m_1 + m_2)*g*(l_1 + l_2)/(m_1*l_1*l_2)");
    assert_same(zw_div(ctx, b->a[0], b->a[4]), "(m_1 + m_2)*g^2/(m_1*l_1*l_2)");
}

/* Velocity constraints that are integrable: x = c + r th alone moves, with the mass 1 + 1/r^2,
 * damping 1/r^2 and stiffness k1 + k2/r^2. A ball in a cylinder, its slip written by hand, swings
 * with 7/5 of its mass. */
static void test_symbolic__on_the_leaf_of_the_motion(void **state) {
    (void)state;
    assert_int_equal(make("model gear\nunits none\nparam r = 0.5, k1 = 2, k2 = 3, a = 1\n"
                          "coord x, th\nkinetic (x'^2 + th'^2)/2\n"
                          "potential k1*(x - a)^2/2 + k2*th^2/2\nconstraint gear : x' = r*th'\n"
                          "dissipation 0.5*th'^2\n"
                          "steady rest : x = k1*a*r^2/(k1*r^2 + k2), th = k1*a*r/(k1*r^2 + k2)\n"),
                     ZW_OK);
    assert_matrix(2, r->A, "0", "1", "-(r^2*k1 + k2)/(r^2 + 1)", "-1/(r^2 + 1)");
    zw_symbolic_destroy(s);
    s = NULL;
    assert_int_equal(
        make("model cyl\nparam m = 1 [kg], r = 0.1 [m], L = 0.8 [m], g = 9.81 [m/s^2]\n"
             "coord x, y, z [m]\nbody ball : sphere(m, r) at (x, y, z)\ngravity g along -z\n"
             "let n = (x, 0, z)/L\nconstraint roll : (x', y', z') = r*cross(n, ball.w)\n"
             "start x = 0, y = 0, z = -L\nsteady rest : x = 0, y = 0, z = -L\n"),
        ZW_OK);
    assert_int_equal(r->n, 4);
    assert_same(r->A[4], "-5/7*g/L");
}

static void test_symbolic__sleigh(void **state) {
    (void)state;
    make_model("chaplygin_sleigh", "with c [m/s] : u = c");
    expect_entries(2, (const char *[]){"u", "w"});
    zw_expr c = zw_symbol(ctx, "c");
    assert_int_equal(r->A[0], ZW_ZERO);
    assert_same(zw_div(ctx, r->A[3], c), "-m*a/(J + m*a^2)");
    assert_int_equal(r->second, ZW_FORMULA_NO_FORM);
}

/* v_c = sqrt(g r/3) = r times the rate */
static void test_symbolic__disc_straight_on(void **state) {
    (void)state;
    options.parameter = "w";
    make_model("rolling_disc", "with w [rad/s] : beta = pi/2, gamma' = w");
    expect_entries(4, (const char *[]){"beta", "alpha'", "beta'", "gamma'"});
    assert_same(r->lambda[0], "m*g");
    const zw_condition *c = &r->block[0].condition[0];
    assert_int_equal(c->nroot, 1);
    assert_same(zw_pow(ctx, c->root[0], ZW_TWO), "g/(3*r)");
}

/* steady motion in a circle: omega^2 = 56.33461201528 at 70 deg, 6 rad/s; w_3 is made of
 * parameters */
static void test_symbolic__disc_on_a_circle(void **state) {
    (void)state;
    make_model("rolling_disc", "beta = beta_0, alpha' = Omega, gamma' = w_3 - Omega*cos(beta_0)");
    assert_true(r->defined && r->proved);
    const zw_symbolic_block *b = &r->block[0];
    assert_int_equal(b->nzero, 2);
    double p[16];
    zw_expr symbols[16];
    assert_int_equal(zw_system_param_values(sys, p, &err), ZW_OK);
    for (int i = 0; i < sys->np; i++)
        symbols[i] = sys->param[i].sym;
    zw_expr square = zw_div(ctx, b->a[2], b->a[4]);
    assert_close(zw_eval(ctx, square, sys->np, symbols, p), 56.33461201528, 1e-12);
    assert_same(zw_mul(ctx, r->lambda[2], expected("6*sin(beta_0)")),
                "(4*g - r*Omega^2*sin(beta_0))*m*cos(beta_0)");
}

/* n_c = 2 sqrt(A m g l)/C, two velocities at one place: the spin of the body's own axis */
static void test_symbolic__sleeping_top(void **state) {
    (void)state;
    options.parameter = "n";
    make_model("heavy_top", "B.wz = n");
    const zw_symbolic_block *b = &r->block[0];
    assert_true(b->even);
    const zw_condition *c = &b->condition[b->ncondition - 1];
    assert_string_equal(c->name, "discriminant");
    assert_int_equal(c->nroot, 1);
    assert_same(zw_pow(ctx, c->root[0], ZW_TWO), "4*(J + m*l^2)*m*g*l/C^2");
}

/* Vyshnegradsky: b w_0 (J + m (l ratio)^2 (1 + 3 cos(phi_0)^2)) = 2 F m l^2 */
static void test_symbolic__governor(void **state) {
    (void)state;
    options.parameter = "b";
    make_model("governor", "phi = phi_0, psi' = w_0");
    assert_true(r->proved && r->defined);
    const zw_symbolic_block *b = &r->block[0];
    const zw_condition *c = &b->condition[b->ncondition - 1];
    assert_string_equal(c->name, "H_2");
    assert_int_equal(c->nroot, 1);
    assert_same(c->root[0],
                "2*F*m*l^2/(sqrt(g*k/(l*F))/ratio*(J + m*(l*ratio)^2*(1 + 3*(F/k)^2)))");
}

/* Lewis and Murray: the border is mu m = nu I */
static void test_symbolic__ball_on_a_turntable(void **state) {
    (void)state;
    options.parameter = "mu_rot";
    const char *numbers[] = {"delta"};
    options.number = numbers;
    options.nnumber = 1;
    make_model("turntable_ball", "x = 0, y = 0");
    expect_entries(5, (const char *[]){"x", "y", "x'", "y'", "ball.wz"});
    assert_int_equal(r->nblock, 2);
    const zw_symbolic_block *b = &r->block[0];
    assert_int_equal(b->ncondition, 1);
    assert_int_equal(b->condition[0].nroot, 1);
    assert_same(b->condition[0].root[0], "2/5*nu*r^2");
    assert_matrix(2, r->M, "7/5*m", "0", "0", "7/5*m");
    assert_matrix(2, r->G, "0", "2/5*m*Omega", "-2/5*m*Omega", "0");
    assert_matrix(2, r->D, "nu + mu_rot/r^2", "0", "0", "nu + mu_rot/r^2");
    assert_matrix(2, r->N, "0", "mu_rot*Omega/r^2", "-mu_rot*Omega/r^2", "0");
}

/* states alone; Lorenz (1963): rho = sigma (sigma + beta + 3)/(sigma - beta - 1) */
static void test_symbolic__lorenz(void **state) {
    (void)state;
    options.parameter = "rho";
    make_model("lorenz", "x = sqrt(beta*(rho - 1)), y = sqrt(beta*(rho - 1)), z = rho - 1");
    assert_true(r->proved);
    const zw_symbolic_block *b = &r->block[0];
    const zw_condition *c = &b->condition[b->ncondition - 1];
    assert_string_equal(c->name, "H_2");
    assert_int_equal(c->nroot, 1);
    assert_same(c->root[0], "sigma*(sigma + beta + 3)/(sigma - beta - 1)");
    assert_same(r->determinant, "-2*sigma*beta*(rho - 1)");
}

/* ------------------------------------------------------------------- the tippedisk, Sailer 2023 */

#define TIPPEDISK                                                                                  \
    "model tip\n"                                                                                  \
    "param m = 0.435 [kg], r = 45 [mm], e = 2.5 [mm], A = 2.485e-4 [kg*m^2]\n"                     \
    "param B = 2.2678e-4 [kg*m^2], C = 4.68e-4 [kg*m^2], g = 9.81 [m/s^2]\n"                       \
    "param mu = 0.3, eps = 0.1 [m/s], Omega = 40 [rad/s]\n"                                        \
    "coord x, y, z [m], alpha, beta, gamma [rad]\n"                                                \
    "frame R : rotate z alpha\nframe G : R rotate x beta\nframe K : G rotate z gamma\n"            \
    "body disk : K at R(x, y, z), inertia(m, A, B - m*e^2, C - m*e^2) at (e, 0, 0)\n"              \
    "gravity g along -z\npoint P : disk.origin + G(0, -r, 0)\nlet slip = disk.velocity(P)\n"       \
    "constraint contact : P.z = 0\n"                                                               \
    "constraint cog off : (disk.cog . R.x, disk.cog . R.y) = (0, 0)\n"                             \
    "constraint roll off : slip . R.x = 0\nconstraint spin off : alpha' = Omega\n"                 \
    "force friction at P on disk = -mu*m*g*(slip.x, slip.y, 0)/eps\n"                              \
    "let d = mu*m*g/eps\n"                                                                         \
    "steady inverted : beta = pi/2, gamma = pi/2, alpha' = Omega\n"

/* (4.17), with the signs of friction that follow; the frame that turns has the pair +-i Omega */
static void test_symbolic__tippedisk_matrices(void **state) {
    (void)state;
    assert_int_equal(make(TIPPEDISK), ZW_OK);
    assert_int_equal(r->n, 9);
    assert_int_equal(r->ns, 4);
    assert_matrix(4, r->M, "m", "0", "0", "-m*e", "0", "m", "-m*e", "0", "0", "-m*e", "B", "0",
                  "-m*e", "0", "0", "C");
    assert_matrix(4, r->G, "0", "-2*m*Omega", "2*m*e*Omega", "0", "2*m*Omega", "0", "0",
                  "-2*m*e*Omega", "-2*m*e*Omega", "0", "0", "-(A - B - C)*Omega", "0",
                  "2*m*e*Omega", "(A - B - C)*Omega", "0");
    static const char *const D = "mu*m*g/eps";
    assert_matrix(4, r->D, D, "0", "0", "mu*m*g/eps*r", "0", D, "mu*m*g/eps*r", "0", "0",
                  "mu*m*g/eps*r", "mu*m*g/eps*r^2", "0", "mu*m*g/eps*r", "0", "0",
                  "mu*m*g/eps*r^2");
    /* K_h + K_f + B_C, whose symmetric and skew halves are K and N */
    static const char *const stiffness[] = {"-m*Omega^2",
                                            "-mu*m*g/eps*Omega",
                                            "-mu*m*g/eps*Omega*r",
                                            "m*e*Omega^2",
                                            "mu*m*g/eps*Omega",
                                            "-m*Omega^2",
                                            "m*e*Omega^2",
                                            "0",
                                            "mu*m*g/eps*Omega*r",
                                            "m*e*Omega^2",
                                            "(A - C)*Omega^2 - m*g*(e + r)",
                                            "0",
                                            "m*e*Omega^2",
                                            "-mu*m*g/eps*Omega*r",
                                            "-mu*m*g/eps*Omega*r^2",
                                            "(A - B)*Omega^2 - m*g*e"};
    for (int i = 0; i < 16; i++)
        assert_same(zw_add(ctx, r->K[i], r->N[i]), stiffness[i]);
    const zw_symbolic_block *b = &r->block[0];
    assert_int_equal(b->n, 8);
    assert_int_equal(b->nfactor, 1);
    assert_same(b->factor[0], "Omega");
    assert_int_equal(b->degree, 6);
}

/* (4.47), (4.48), (4.55): Omega_c does not depend on mu and eps */
static void test_symbolic__tippedisk_three_states(void **state) {
    (void)state;
    const char *with[] = {"cog", "roll", "spin"};
    reading.with = with;
    reading.nwith = 3;
    options.parameter = "Omega";
    assert_int_equal(make(TIPPEDISK), ZW_OK);
    expect_entries(3, (const char *[]){"beta", "gamma", "beta'"});
    assert_matrix(3, r->A, "0", "0", "1", "Omega", "0", "0", "m*g*(r + e)/(B - m*e^2) - Omega^2",
                  "-mu*m*g/(eps*(B - m*e^2))*e*(r + e)*Omega",
                  "-mu*m*g/(eps*(B - m*e^2))*(r + e)^2");
    const zw_symbolic_block *b = &r->block[0];
    const zw_condition *hurwitz = &b->condition[b->ncondition - 1];
    assert_string_equal(hurwitz->name, "H_2");
    assert_int_equal(hurwitz->nroot, 1);
    assert_same(zw_pow(ctx, hurwitz->root[0], ZW_TWO), "(r + e)^2*m*g/(r*(B - m*e^2))");
    expect_text("There is no such form: gamma has an equation of first order.");
}

/* ------------------------------------------------------------------------------------ expansion */

static zw_expr series_of(const char *name) {
    for (int i = 0; i < r->nseries; i++)
        if (strcmp(zw_expr_name(ctx, r->series_left[i]), name) == 0)
            return r->series_right[i];
    return ZW_NULL;
}

/* what stands before a product of powers of the small quantities */
static zw_expr factor_of(const char *name, const int *powers) {
    return zw_taylor_coefficient(ctx, series_of(name), r->nsmall, r->small, powers);
}

static void test_taylor__pendulum(void **state) {
    (void)state;
    options.order = 5;
    assert_int_equal(make(PENDULUM "steady down : phi = 0\n"), ZW_OK);
    assert_int_equal(r->nsmall, 2);
    assert_same(factor_of("phi''", (int[]){1, 0}), "-g/l");
    assert_same(factor_of("phi''", (int[]){3, 0}), "g/(6*l)");
    assert_same(factor_of("phi''", (int[]){5, 0}), "-g/(120*l)");
    assert_int_equal(factor_of("phi''", (int[]){2, 0}), ZW_ZERO);
    expect_text("phi'' = 1/6*g*d(phi)^3/l - 1/120*g*d(phi)^5/l - g*d(phi)/l");
}

/* in x and y the string's curvature counts: x'' = -x (g/l) (1 - x^2/(2 l^2) ...) - x x'^2/l^2 +
 * ... */
static void test_taylor__follows_the_constraints(void **state) {
    (void)state;
    const char *keep[] = {"x"};
    options.keep = keep;
    options.nkeep = 1;
    options.order = 3;
    assert_int_equal(
        make("model p\nparam m = 2 [kg], l = 0.5 [m], g = 9.81 [m/s^2]\ncoord x, y [m]\n"
             "particle P : m at (x, y)\ngravity g along -y\n"
             "constraint rod : x^2 + y^2 = l^2\nsteady down : x = 0, y = -l\n"),
        ZW_OK);
    /* theta = asin(x/l): x'' = -(g/l) x cos(theta)... - x theta'^2, theta' = x'/(l cos(theta)) */
    assert_same(factor_of("x''", (int[]){1, 0}), "-g/l");
    assert_same(factor_of("x''", (int[]){3, 0}), "g/(2*l^3)");
    assert_same(factor_of("x''", (int[]){1, 2}), "-1/l^2");
    assert_same(factor_of("M_11", (int[]){2, 0}), "m/l^2");
}

/* (4.59)-(4.64): with the terms that the printed ones lack (E10, E11, E22); order beta, gamma,
 * beta' */
static void test_taylor__tippedisk(void **state) {
    (void)state;
    const char *with[] = {"cog", "roll", "spin"};
    reading.with = with;
    reading.nwith = 3;
    options.order = 3;
    assert_int_equal(make(TIPPEDISK), ZW_OK);
    assert_same(factor_of("gamma'", (int[]){1, 0, 0}), "Omega");
    assert_same(factor_of("gamma'", (int[]){3, 0, 0}), "-Omega/6");
    assert_same(factor_of("M_11", (int[]){0, 0, 0}), "B - m*e^2");
    assert_same(factor_of("M_11", (int[]){0, 2, 0}), "A - B + m*e^2");
    assert_same(factor_of("M_11", (int[]){2, 0, 0}), "m*(r + e)^2");
    assert_same(factor_of("h_1", (int[]){1, 0, 0}), "-(B - m*e^2)*Omega^2 + m*g*(r + e)");
    assert_same(factor_of("h_1", (int[]){1, 2, 0}), "(B - m*e^2 - A)*Omega^2 - m*g*e/2");
    assert_same(factor_of("h_1", (int[]){3, 0, 0}),
                "(2/3*(B - m*e^2) - m*e*(r + e))*Omega^2 - m*g*(r + e)/6");
    assert_same(factor_of("h_1", (int[]){1, 1, 1}), "-(2*(A - B + m*e^2) + m*e*(r + e))*Omega");
    assert_same(factor_of("h_1", (int[]){1, 0, 2}), "-m*(r + e)^2");
    assert_same(factor_of("h_1", (int[]){0, 3, 0}), "mu*m*g/eps*Omega*e*(4*e + r)/6");
    assert_same(factor_of("h_1", (int[]){0, 0, 1}), "-mu*m*g/eps*(r + e)^2");
    assert_same(factor_of("h_1", (int[]){2, 1, 0}), "mu*m*g/eps*3/2*Omega*e*(r + e)");
    assert_same(factor_of("h_1", (int[]){0, 2, 1}), "mu*m*g/eps*e*(r + e)");
}

/* ------------------------------------------------------------------------------------- refusals */

static void refused(zw_status status, const char *text, const char *part) {
    err = (zw_error){0};
    assert_int_equal(make(text), status);
    if (!strstr(err.text, part))
        fail_msg("not in the message: %s\n%s", part, err.text);
    assert_null(s);
}

static void test_symbolic__refuses_by_name(void **state) {
    (void)state;
    refused(ZW_E_MODEL, PENDULUM "steady side : phi = pi/2\n",
            "side is not an equilibrium: there the rate of phi' is -g/l");
    assert_int_equal(err.line, 6);
    refused(ZW_E_NAME, PENDULUM, "has no steady statement");
    refused(ZW_E_NAME, PENDULUM "steady a : phi = 0\nsteady b : phi = pi\n",
            "has 2 steady motions");
    options.steady = "dwn";
    refused(ZW_E_NAME, PENDULUM "steady down : phi = 0\n", "there is no steady motion 'dwn'");
    assert_non_null(strstr(err.hint, "did you mean down?"));
    options.steady = NULL;
    options.by = "hamilton";
    refused(ZW_E_MODEL, PENDULUM "steady down : phi = 0\n", "other unknowns");
    options.by = "lagrange";
    options.parameter = "gg";
    refused(ZW_E_NAME, PENDULUM "steady down : phi = 0\n", "no parameter 'gg'");
    options.parameter = NULL;
    options.nnumber = 1;
    options.number = (const char *[]){"ll"};
    refused(ZW_E_NAME, PENDULUM "steady down : phi = 0\n", "no parameter 'll'");
}

static void test_symbolic__refuses_what_does_not_fit(void **state) {
    (void)state;
    refused(ZW_E_MODEL,
            "model p\nparam m = 1 [kg], l = 1 [m]\ncoord x, y [m]\nparticle P : m at (x, y)\n"
            "constraint rod : x^2 + y^2 = l^2\nsteady there : x = 2*l, y = 0\n",
            "violates the constraint rod: it would need 0 = 3*l^2");
    refused(ZW_E_MODEL,
            "model p\nparam m = 1 [kg], k = 2 [N/m], g = 9 [m/s^2]\ncoord x [m]\n"
            "particle P : m at (x, 0)\npotential 1/2*k*x^2 - m*g*x\nsteady e : x = 4.5 [m]\n",
            "/m (0 at the values of the model), not 0");
    refused(ZW_E_MODEL, PENDULUM "force (phi) = 1 [N*m]*sin(2 [1/s]*t)\nsteady down : phi = 0\n",
            "time enters its equations");
    refused(ZW_E_DOMAIN, PENDULUM "force (phi) = -1 [N*m]*abs(phi)\nsteady down : phi = 0\n",
            "abs(phi) has no Taylor series there: it switches");
    refused(ZW_E_SINGULAR,
            "model p\ncoord x, y [m]\nkinetic 1 [kg]*x'^2\npotential 1 [N/m]*(x^2 + y^2)\n"
            "steady rest : x = 0\n",
            "do not determine y''");
    options.nkeep = 1;
    options.keep = (const char *[]){"y"};
    refused(ZW_E_MODEL,
            "model p\nparam m = 1 [kg], l = 1 [m], g = 10 [m/s^2]\ncoord x, y [m]\n"
            "particle P : m at (x, y)\ngravity g along -y\n"
            "constraint rod : x^2 + y^2 = l^2\nsteady down : x = 0, y = -l\n",
            "y cannot be one of the small quantities");
}

/* a chain of ten springs has too long a polynomial: it is said, and the rest is there */
static void test_symbolic__says_what_is_too_long(void **state) {
    (void)state;
    char text[4000], part[300];
    snprintf(text, sizeof text, "model chain\nparam k_0 = 1 [N/m]\n");
    for (int i = 1; i <= 7; i++) {
        snprintf(part, sizeof part,
                 "param m_%d = 1 [kg], k_%d = 1 [N/m], c_%d = 1 [kg/s]\ncoord x_%d [m]\n"
                 "kinetic 1/2*m_%d*x_%d'^2\npotential 1/2*k_%d*(x_%d%s%.0d)^2\n"
                 "dissipation 1/2*c_%d*x_%d'^2\n",
                 i, i, i, i, i, i, i, i, i > 1 ? " - x_" : "", i > 1 ? i - 1 : 0, i, i);
        strncat(text, part, sizeof text - strlen(text) - 1);
    }
    strncat(text, "steady rest : x_1 = 0\n", sizeof text - strlen(text) - 1);
    assert_int_equal(make(text), ZW_OK);
    assert_int_equal(r->n, 14);
    assert_int_equal(r->block[0].polynomial, ZW_FORMULA_LONG);
    expect_text("would be too long to be read");
    assert_same(r->K[0], "k_1 + k_2");
}

/* one oscillator drives another one: their parts are stable, the whole is not where they are
 * equal */
static void test_symbolic__resonance_of_parts(void **state) {
    static const char *const stiffness[] = {"k", "k_2"};
    for (int other = 0; other < 2; other++) {
        char text[400];
        snprintf(text, sizeof text,
                 "model driven\nparam m = 1 [kg], k = 4 [N/m], k_2 = 3 [N/m], a = 0.3 [N/m]\n"
                 "coord x, y [m]\nparticle P : m at (x, y)\nforce f (x, y) = (-k*x, a*x - %s*y)\n"
                 "steady rest : x = 0, y = 0\n",
                 stiffness[other]);
        if (other) {
            teardown(state);
            setup(state);
        }
        assert_true(make(text) >= 0);
        assert_int_equal(r->nblock, 2);
        assert_int_equal(r->block[0].resonance, ZW_RESONANCE_NONE);
        assert_int_equal(r->block[1].resonance, other ? ZW_RESONANCE_SPECIAL : ZW_RESONANCE_ALWAYS);
        expect_text(other ? "where the two have an eigenvalue in common"
                          : "However, it is excited by another block that has an eigenvalue in "
                            "common with it");
    }
}

/* conditions of positive parameters say nothing of a spring that pushes away */
static void test_symbolic__parameters_that_are_not_positive(void **state) {
    (void)state;
    assert_true(make("model pushed\nparam m = 1 [kg], k = -4 [N/m], c = 2 [kg/s]\ncoord x [m]\n"
                     "particle P : m at (x, 0)\nforce f (x) = -k*x - c*x'\n"
                     "steady rest : x = 0\n") >= 0);
    expect_text("k is not positive in this model (-4)");
}

/* what is solved for is hidden in other parameters, too */
static void test_symbolic__solves_for_all_of_a_parameter(void **state) {
    (void)state;
    options.parameter = "m";
    assert_true(
        make("model made\nparam m = 1 [kg], l = 2 [m], J = m*l^2, k = 4 [N*m], w = 3 [rad/s]\n"
             "param a = 1 [N*m/kg]\ncoord x [rad]\nkinetic 1/2*J*x'^2\n"
             "potential 1/2*(k + a*m)*x^2 - 1/2*J*w^2*x^2\nsteady rest : x = 0\n") >= 0);
    assert_int_equal(r->block[0].condition[0].nroot, 1);
    assert_same(r->block[0].condition[0].root[0], "k/(l^2*w^2 - a)");
    expect_text("Parameters defined by m are replaced");
}

/* p and M_11 are parameters, so that what is new has other names */
static void test_symbolic__names_of_the_model(void **state) {
    (void)state;
    options.order = 1;
    assert_true(make("model names\nparam p = 1 [kg], M_11 = 4 [N/m], A = 2 [kg/s]\ncoord x [m]\n"
                     "particle P : p at (x, 0)\nforce f (x) = -M_11*x - A*x'\n"
                     "steady rest : x = 0\n") >= 0);
    expect_text("P = p*s^2 + A*s + M_11");
    expect_text("M_1_1 = p\n");
    expect_text("The model uses A as a name, too.");
}

static void test_symbolic__writes_all_formats(void **state) {
    (void)state;
    options.order = 3;
    options.parameter = "g";
    assert_int_equal(make(PENDULUM "force (phi) = -c*phi'\nsteady down : phi = 0\n"), ZW_OK);
    zw_report *report = report_begin("model");
    zw_symbolic_report(s, report);
    char *json = report_take_json(report), *tex = zw_symbolic_write(s, ZW_SYMBOLIC_LATEX);
    assert_non_null(strstr(json, "[\"-g/l\", \"-c/(m*l^2)\"]"));
    assert_non_null(strstr(json, "\"expansion\": [\n"));
    assert_non_null(strstr(tex, "\\begin{array}"));
    assert_non_null(strstr(tex, "\\tilde{\\phi}"));
    assert_non_null(strstr(tex, "\\dot{\\tilde{\\phi}}"));
    assert_non_null(strstr(tex, "\\end{document}"));
    free(json);
    zw_string_free(ctx, tex);
}

static void test_symbolic__survives_failing_memory(void **state) {
    (void)state;
    const char *text = "model p\nunits none\nparam l = 1\ncoord x, y\nparticle P : 1 at (x, y)\n"
                       "gravity 10 along -y\nconstraint rod : x^2 + y^2 = l^2\n"
                       "steady down with w : x = 0, y = -l\n";
    for (long n = 1;; n += 1 + n / 25) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_context *own = zw_context_create(&alloc);
        zw_system *q = NULL;
        zw_symbolic *y = NULL;
        zw_error fault = {0};
        zw_symbolic_options o = zw_symbolic_options_default();
        o.order = 2;
        bool ok = own && zw_model_parse(&q, own, text, strlen(text), "t", NULL, &fault) >= 0 &&
                  zw_symbolic_create(&y, q, &o, &fault) >= 0;
        char *out = ok ? zw_symbolic_write(y, ZW_SYMBOLIC_TEXT) : NULL;
        assert_true((ok && out) || f.failed);
        if (out)
            zw_string_free(own, out);
        zw_symbolic_destroy(y);
        if (own)
            zw_context_destroy(own);
        assert_int_equal(f.blocks, 0);
        if (!f.failed)
            break;
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(symbolic__pendulum),
        TEST(symbolic__standing_pendulum),
        TEST(symbolic__pendulum_in_a_plane),
        TEST(symbolic__double_pendulum),
        TEST(symbolic__sleigh),
        TEST(symbolic__on_the_leaf_of_the_motion),
        TEST(symbolic__disc_straight_on),
        TEST(symbolic__disc_on_a_circle),
        TEST(symbolic__sleeping_top),
        TEST(symbolic__governor),
        TEST(symbolic__ball_on_a_turntable),
        TEST(symbolic__lorenz),
        TEST(symbolic__tippedisk_matrices),
        TEST(symbolic__tippedisk_three_states),
        TEST(taylor__pendulum),
        TEST(taylor__follows_the_constraints),
        TEST(taylor__tippedisk),
        TEST(symbolic__refuses_by_name),
        TEST(symbolic__refuses_what_does_not_fit),
        TEST(symbolic__says_what_is_too_long),
        TEST(symbolic__resonance_of_parts),
        TEST(symbolic__parameters_that_are_not_positive),
        TEST(symbolic__names_of_the_model),
        TEST(symbolic__solves_for_all_of_a_parameter),
        TEST(symbolic__writes_all_formats),
        TEST(symbolic__survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
