/* SPDX-License-Identifier: MIT */
/* Linear equations by names: against matrices in closed form, printed benchmarks, other coordinates
 * of the same system, neighbouring steady motions and simulated ones. */
#include "support/failing_allocator.h"
#include "support/report.h"
#include "support/test.h"
#include "zwang/zwang.h"

enum { NAMES = 12 };

static zw_context *ctx;
static zw_system *sys;
static zw_equilibria *e;
static zw_linear_equations *l;
static zw_error err;

static int setup(void **state) {
    (void)state;
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    e = NULL;
    l = NULL;
    return 0;
}

static void forget(void) {
    zw_linear_destroy(l);
    zw_equilibria_destroy(e);
    l = NULL;
    e = NULL;
    err = (zw_error){0};
}

static int teardown(void **state) {
    (void)state;
    forget();
    zw_context_destroy(ctx);
    return 0;
}

/* "a, b" into names; their number, -1 of NULL */
static int split(const char *list, const char **name, char *room) {
    int n = 0;
    if (!list)
        return -1;
    strcpy(room, list);
    for (char *s = strtok(room, ";"); s; s = strtok(NULL, ";"))
        name[n++] = s;
    return n;
}

static const char *principle = "lagrange";

/* lists are separated by semicolons */
static zw_status linearise(const char *hold, const char *states, const char *in, const char *put) {
    const char *h[NAMES], *s[NAMES], *i[NAMES], *o[NAMES];
    char room[4][300];
    zw_equilibria_options how = zw_equilibria_options_default();
    zw_linear_options what = zw_linear_options_default();
    forget();
    how.nhold = hold ? split(hold, h, room[0]) : 0;
    how.hold = h;
    how.by = principle;
    what.nstate = states ? split(states, s, room[1]) : 0;
    what.state = s;
    what.ninput = split(in, i, room[2]);
    what.input = i;
    what.noutput = split(put, o, room[3]);
    what.output = o;
    ZW_TRY(zw_linear_prepare(sys, &what, &how, &err));
    ZW_TRY(zw_equilibria_create(&e, sys, &how, &err));
    ZW_TRY(zw_equilibria_find(e, &err));
    return zw_linear_create(&l, e, &what, &err);
}

static void read_text(const char *text) {
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test.zw", NULL, &err) < 0)
        fail_msg("%s", err.text);
}

static void open_model(const char *path, int nset, const char *const *set) {
    zw_model_options options = {.nset = nset, .set = set};
    if (zw_model_read(&sys, ctx, path, &options, &err) < 0)
        fail_msg("%s", err.text);
}

static void must(zw_status status) {
    if (status < 0)
        fail_msg("%s", err.text);
}

static void expect_states(const char *const *name) {
    for (int i = 0; i < zw_linear_states(l)->n; i++)
        assert_string_equal(zw_linear_state(l, i, NULL), name[i]);
}

static void expect_matrix(int n, const double *a, const double *b, double tol) {
    for (int i = 0; i < n; i++)
        assert_close(a[i], b[i], tol);
}

static void expect_text(const char *part) {
    zw_report *r = report_begin("model");
    zw_linear_report(l, r);
    char *text = report_take_text(r);
    if (!strstr(text, part))
        fail_msg("not in the text: %s\n%s", part, text);
    free(text);
}

static void expect_csv(const char *part) {
    char *text = zw_linear_csv(l);
    assert_non_null(text);
    if (!strstr(text, part))
        fail_msg("not in the table: %s\n%s", part, text);
    zw_string_free(ctx, text);
}

static char *response_text(const zw_table *t) {
    zw_report *r = report_begin("model");
    zw_linear_response_report(l, t, r);
    return report_take_text(r);
}

static double *response(int in, int put, double omega) {
    static double g[2];
    must(zw_response_at(zw_linear_states(l), zw_linear_inout(l), in, put, omega, g, &err));
    return g;
}

/* --------------------------------------------------------------------------------- closed forms */

#define CART                                                                                       \
    "model cart\nparam m = 0.3 [kg], M_c = 1.2 [kg], l = 0.7 [m], g = 9.81 [m/s^2]\n"              \
    "param d = 0.4 [N*s/m], k = 5 [N/m]\ncoord x [m], phi [rad]\n"                                 \
    "particle cart : M_c at (x, 0)\nparticle bob : m at (x + l*sin(phi), -l*cos(phi))\n"           \
    "gravity g along -y\ndissipation 1/2*d*x'^2\npotential 1/2*k*x^2\n"                            \
    "force (x) = u\nobserve tip = x + l*sin(phi)\nstart phi = 0\n"

static void test_linear__cart_with_pendulum(void **state) {
    (void)state;
    const double m = 0.3, M = 1.2, r = 0.7, g = 9.81, d = 0.4, k = 5;
    const double A[] = {
        0,           0,      1,         0,      0, 0,           0,
        1,           -k / M, m * g / M, -d / M, 0, k / (M * r), -(M + m) * g / (M * r),
        d / (M * r), 0};
    const double B[] = {0, 0, 1 / M, -1 / (M * r)}, C[] = {1, r, 0, 0};
    const double masses[] = {M + m, m * r, m * r, m * r * r}, K[] = {k, 0, 0, m * g * r},
                 D[] = {d, 0, 0, 0}, none[] = {0, 0, 0, 0};
    const char *const names[] = {"x", "phi", "x'", "phi'"};
    const char *unit;
    read_text(CART "input u = signal [N]\n");
    must(linearise(NULL, NULL, NULL, NULL));
    expect_states(names);
    expect_matrix(16, zw_linear_states(l)->A, A, 1e-13);
    expect_matrix(4, zw_linear_inout(l)->B, B, 1e-13);
    expect_matrix(4, zw_linear_inout(l)->C, C, 1e-13);
    assert_close(zw_linear_inout(l)->D[0], 0, 0);
    const zw_second_order *o = zw_linear_second_order(l);
    assert_int_equal(o->reason, ZW_SECOND_THERE);
    expect_matrix(4, o->M, masses, 1e-13);
    expect_matrix(4, o->D, D, 1e-13);
    expect_matrix(4, o->G, none, 0);
    expect_matrix(4, o->K, K, 1e-13);
    expect_matrix(4, o->N, none, 0);
    assert_string_equal(zw_linear_input(l, 0, &unit), "u");
    assert_string_equal(unit, "N");
    assert_close(response(0, 0, 0)[0], 1 / k, 1e-13);
    const zw_spectrum *s = zw_linear_spectrum(l);
    assert_int_equal(s->ncontrollable, 4);
    assert_int_equal(s->nobservable, 4);
    for (int j = 0; j < 4; j++) {
        double sum = 0;
        for (int i = 0; i < 4; i++)
            sum += s->participation[i * 4 + j];
        assert_close(sum, 1, 1e-13);
        assert_true(s->is_controllable[j] && s->is_observable[j]);
    }
    expect_text("linear equations about an equilibrium");
    expect_text("controllable: 4 of 4");
    expect_csv("second_order_M,x,phi'',kg*m,");
}

/* with forces that depend on acceleration terms: u acts on x'' at once, so the force in a rod has
 * D */
static void test_linear__outputs_with_accelerations(void **state) {
    (void)state;
    const double m = 0.3, M = 1.2, r = 0.7, g = 9.81;
    read_text(CART "input u = signal [N]\n");
    must(linearise(NULL, NULL, "u", "x'';phi;energy;kinetic"));
    const zw_inout *io = zw_linear_inout(l);
    const double row[] = {-5 / M, m * g / M, -0.4 / M, 0};
    expect_matrix(4, io->C, row, 1e-13);
    assert_close(io->D[0], 1 / M, 1e-13);
    assert_close(io->C[4 + 1], 1, 0);
    for (int j = 0; j < 4; j++) /* a minimum of the potential */
        assert_close(io->C[2 * 4 + j], 0, 1e-13);
    assert_close(io->value[2], -m * g * r, 1e-12);
}

static void test_linear__motor_has_a_state_of_first_order(void **state) {
    (void)state;
    const double J = 0.01, d = 0.002, k = 0.5, R = 2, L = 0.03;
    read_text(
        "model motor\nparam J = 0.01 [kg*m^2], d = 0.002 [N*m*s], k = 0.5 [V*s], R = 2 [Ohm]\n"
        "param L = 30 [mH]\ninput U = signal [V]\ncoord th [rad]\nkinetic 1/2*J*th'^2\n"
        "dissipation 1/2*d*th'^2\nstate i [A] : i' = (U - R*i - k*th')/L\nforce (th) = k*i\n");
    must(linearise(NULL, NULL, NULL, "th';i"));
    const char *const names[] = {"i", "th'"};
    const double A[] = {-R / L, -k / L, k / J, -d / J}, B[] = {1 / L, 0};
    assert_int_equal(zw_linear_states(l)->n, 2); /* th is divided out */
    expect_states(names);
    expect_matrix(4, zw_linear_states(l)->A, A, 1e-12);
    expect_matrix(2, zw_linear_inout(l)->B, B, 1e-12);
    assert_close(response(0, 0, 0)[0], k / (k * k + R * d), 1e-12);
    assert_int_equal(zw_linear_second_order(l)->reason, ZW_SECOND_NO_COORDINATE);
    forget();
    read_text("model servo\nparam J = 0.01 [kg*m^2], c = 2 [N*m], k = 0.5 [V*s], R = 2 [Ohm]\n"
              "param L = 30 [mH]\ninput U = signal [V]\ncoord th [rad]\nkinetic 1/2*J*th'^2\n"
              "potential 1/2*c*th^2\nstate i [A] : i' = (U - R*i - k*th')/L\nforce (th) = k*i\n");
    must(linearise(NULL, NULL, NULL, "th"));
    const zw_second_order *o = zw_linear_second_order(l);
    assert_int_equal(o->reason, ZW_SECOND_COUPLED);
    assert_string_equal(zw_linear_state(l, o->culprit, NULL), "i");
    expect_text("a state of first order drives the coordinates (i)");
}

/* ----------------------------------------------------------------------------------- benchmarks */

/* Meijaard et al. (2007), with the steer angle the other way round */
static void test_linear__benchmark_bicycle(void **state) {
    (void)state;
    const double M[] = {80.81722, -2.31941332208709, -2.31941332208709, 0.29784188199686};
    const double C1[] = {0, -33.86641391492494, 0.85035641456978, 1.68540397397560};
    const double K0[] = {-80.95, 2.59951685249872, 2.59951685249872, -0.80329488458618};
    const double K2[] = {0, -76.59734589573222, 0, 2.65431523794604};
    const char *set[] = {"speed=3 [m/s]"};
    const char *const names[] = {"lean", "steer", "lean'", "steer'", "x'"};
    open_model(ZW_SOURCE_DIR "/models/bicycle.zw", 1, set);
    must(linearise("rear';yaw", NULL, NULL, NULL));
    expect_states(names);
    const zw_second_order *o = zw_linear_second_order(l);
    assert_int_equal(o->reason, ZW_SECOND_THERE);
    assert_int_equal(o->k, 2);
    assert_int_equal(o->nomitted, 1);
    for (int i = 0; i < 4; i++) {
        assert_close(o->M[i], M[i], 1e-12);
        assert_close(o->D[i] + o->G[i], 3 * C1[i], 1e-11);
        assert_close(o->K[i] + o->N[i], 9.81 * K0[i] + 9 * K2[i], 1e-11);
        assert_close(o->G[i], -o->G[i % 2 * 2 + i / 2], 0);
        assert_close(o->N[i], -o->N[i % 2 * 2 + i / 2], 0);
    }
}

/* (4.17) of the notes on the tippedisk: the slip of the inverted disk is a disturbance too, so x
 * and y stay states although shifts are symmetries */
static void test_linear__tippedisk_with_slip(void **state) {
    (void)state;
    const char *set[] = {"gamma=90 [deg]", "alpha'=40 [rad/s]"};
    open_model(ZW_SOURCE_DIR "/models/tippedisk.zw", 2, set);
    must(linearise("alpha'", "x;y;beta;gamma", NULL, ""));
    const zw_second_order *o = zw_linear_second_order(l);
    assert_int_equal(zw_linear_states(l)->nkept, 2);
    assert_int_equal(o->reason, ZW_SECOND_THERE);
    const double r = 0.045, a = 0.015, b = 0.02, h = 0.01, g = 9.81, W = 40;
    const double m1 = 7700 * M_PI * r * r * h, m2 = 7700 * M_PI * a * a * h, m = m1 - m2;
    const double ecc = m2 * b / m, me = m * ecc; /* a disc with a hole; moments about its middle */
    const double A = m1 * (3 * r * r + h * h) / 12 - m2 * (3 * a * a + h * h) / 12;
    const double B = A - m2 * b * b, C = m1 * r * r / 2 - m2 * a * a / 2 - m2 * b * b;
    const double d = 0.3 * m * g / (0.1 + 1e-9), E = A - B - C;
    const double M4[] = {m, 0, 0, -me, 0, m, -me, 0, 0, -me, B, 0, -me, 0, 0, C};
    const double G[] = {0, -2 * m * W,  2 * me * W,  0, 2 * m * W, 0,
                        0, -2 * me * W, -2 * me * W, 0, 0,         -E * W,
                        0, 2 * me * W,  E * W,       0};
    const double Dc[] = {1, 0, 0, r, 0, 1, r, 0, 0, r, r * r, 0, r, 0, 0, r * r};
    const double Kh[] = {-m, 0, 0, me, 0, -m, me, 0, 0, me, A - C, 0, me, 0, 0, A - B};
    const double Kf[] = {0, 0, m * g * (ecc + r), m * g * ecc};
    const double Bc[] = {0, -1, -r, 0, 1, 0, 0, 0, r, 0, 0, 0, 0, -r, -r * r, 0};
    for (int i = 0; i < 16; i++) {
        assert_close(o->M[i], M4[i], 1e-12);
        assert_close(o->G[i], G[i], 1e-11);
        assert_close(o->D[i], d * Dc[i], 1e-11);
        double K = W * W * Kh[i] - (i % 5 == 0 ? Kf[i / 5] : 0) + d * W * Bc[i];
        assert_close(o->K[i] + o->N[i], K, 1e-10);
    }
    const zw_spectrum *s = zw_linear_spectrum(l);
    bool turning = false; /* the translation as seen by who turns along */
    for (int j = 0; j < s->n; j++)
        turning |= fabs(s->re[j]) < 1e-8 && fabs(s->im[j] - 40) < 1e-8;
    assert_true(turning);
}

/* Routh: the disc that rolls in a circle, omega^2 in closed form from other tests:
 * 56.33461201528 */
static void test_linear__integrals_are_put_in(void **state) {
    (void)state;
    const char *set[] = {"alpha'=6 [rad/s]", "beta=70 [deg]"};
    open_model(ZW_SOURCE_DIR "/models/rolling_disc.zw", 2, set);
    must(linearise("alpha';beta", "beta", NULL, ""));
    const zw_second_order *o = zw_linear_second_order(l);
    assert_int_equal(o->reason, ZW_SECOND_THERE);
    assert_int_equal(o->k, 1);
    assert_int_equal(o->nintegral, 2);
    assert_close(o->K[0] / o->M[0], 56.33461201528, 1e-12);
    assert_close(o->D[0], 0, 0);
}

/* a cyclic coordinate that is coupled by masses: the effective mass is what is left of it */
static void test_linear__cyclic_coordinate(void **state) {
    (void)state;
    read_text(
        "model free\nparam m = 0.3 [kg], M_c = 1.2 [kg], l = 0.7 [m]\ncoord x [m], phi [rad]\n"
        "particle cart : M_c at (x, 0)\nparticle bob : m at (x + l*sin(phi), -l*cos(phi))\n"
        "gravity 9.81 [m/s^2] along -y\nstart phi = 0.01\n");
    must(linearise(NULL, NULL, NULL, NULL));
    const zw_second_order *o = zw_linear_second_order(l);
    assert_int_equal(o->reason, ZW_SECOND_THERE);
    assert_int_equal(o->k, 1);
    assert_close(o->K[0] / o->M[0], 9.81 * 1.5 / (1.2 * 0.7), 1e-12);
}

/* a joint without mass between springs moves along, and has none */
static void test_linear__no_mass_is_invented(void **state) {
    (void)state;
    read_text("model joint\ncoord x, y [m]\nparticle P : 2 [kg] at (x, 0)\n"
              "potential 1/2*30 [N/m]*(x - y)^2 + 1/2*5 [N/m]*x^2 + 1/2*7 [N/m]*y^2\n"
              "dissipation 1/2*0.4 [N*s/m]*x'^2\n");
    must(linearise(NULL, NULL, NULL, "x;y"));
    const zw_second_order *o = zw_linear_second_order(l);
    assert_int_equal(o->reason, ZW_SECOND_THERE);
    assert_close(o->M[0], 2, 1e-12);
    assert_close(o->D[0], 0.4, 1e-12);
    assert_close(o->K[0], 5 + 30.0 * 7 / 37, 1e-12);
    assert_close(zw_linear_inout(l)->C[2], 30.0 / 37, 1e-12);
}

/* momenta in place of velocities: the same matrices */
static void test_linear__principles_agree(void **state) {
    (void)state;
    double M[4], K[4], D[4], g[2];
    const char *const by[] = {"lagrange", "hamilton", "gauss", "kane", "maggi", "gibbs-appell"};
    for (int i = 0; i < 6; i++) {
        read_text(CART "input u = signal [N]\n");
        principle = by[i];
        zw_status status = linearise(NULL, NULL, NULL, NULL);
        principle = "lagrange";
        must(status);
        const zw_second_order *o = zw_linear_second_order(l);
        assert_int_equal(o->reason, ZW_SECOND_THERE);
        if (i == 0) {
            memcpy(M, o->M, sizeof M);
            memcpy(K, o->K, sizeof K);
            memcpy(D, o->D, sizeof D);
            memcpy(g, response(0, 0, 2), sizeof g);
        }
        expect_matrix(4, o->M, M, 1e-12);
        expect_matrix(4, o->K, K, 1e-12);
        expect_matrix(4, o->D, D, 1e-12);
        assert_close(response(0, 0, 2)[0], g[0], 1e-12);
        assert_close(response(0, 0, 2)[1], g[1], 1e-12);
    }
}

/* -------------------------------------------------------------------- coordinates do not matter */

static void test_linear__transfer_functions_do_not_depend_on_coordinates(void **state) {
    (void)state;
    const char *const text[] = {
        "model a\nparam l = 0.8 [m]\ncoord phi [rad]\npoint Q : (l*sin(phi), -l*cos(phi))\n"
        "particle P : 2 [kg] at Q\ngravity 9.81 [m/s^2] along -y\ninput u = signal [N]\n"
        "force at Q = (4 [N] + u, 0)\nforce at Q = -0.3 [N*s/m]*(l*cos(phi)*phi', "
        "l*sin(phi)*phi')\n"
        "observe px = l*sin(phi), py = -l*cos(phi)\nstart phi = 0.2\n",
        "model b\nparam l = 0.8 [m]\ncoord x, y [m]\nparticle P : 2 [kg] at (x, y)\n"
        "gravity 9.81 [m/s^2] along -y\ninput u = signal [N]\nforce (x, y) = (4 [N] + u, 0)\n"
        "force (x, y) = -0.3 [N*s/m]*(x', y')\nconstraint rod : x^2 + y^2 = l^2\n"
        "observe px = x, py = y\nstart x = 0.1 [m]\nguess y = -0.79 [m]\n",
        "model c\nparam l = 0.8 [m]\ncoord x, y [m]\nparticle P : 2 [kg] at (x, y)\n"
        "gravity 9.81 [m/s^2] along -y\ninput u = signal [N]\nforce (x, y) = (4 [N] + u, 0)\n"
        "force (x, y) = -0.3 [N*s/m]*(x', y')\nconstraint rod : x^2 + y^2 = l^2\n"
        "constraint again : 2*sqrt(x^2 + y^2) = 2*l\n"
        "observe px = x, py = y\nstart x = 0.1 [m]\nguess y = -0.79 [m]\n"};
    double g[3][2][3][2], gain[3][2];
    for (int i = 0; i < 3; i++) {
        read_text(text[i]);
        principle = i == 2 ? "gauss" : "lagrange"; /* which takes redundant constraints */
        zw_status status = linearise(NULL, NULL, "u;l", "px;py");
        principle = "lagrange";
        must(status);
        assert_int_equal(zw_linear_states(l)->n, 2);
        for (int put = 0; put < 2; put++) {
            for (int w = 0; w < 3; w++)
                memcpy(g[i][put][w], response(0, put, 1.5 * w), sizeof g[i][put][w]);
            gain[i][put] = response(1, put, 0)[0]; /* of the length */
        }
    }
    for (int i = 1; i < 3; i++)
        for (int put = 0; put < 2; put++) {
            for (int w = 0; w < 3; w++) {
                assert_close(g[i][put][w][0], g[0][put][w][0], 1e-10);
                assert_close(g[i][put][w][1], g[0][put][w][1], 1e-10);
            }
            assert_close(gain[i][put], gain[0][put], 1e-10);
        }
    double tan = 4 / (2 * 9.81); /* the direction of the force: x = l sin, y = -l cos */
    assert_close(gain[0][0], tan / sqrt(1 + tan * tan), 1e-12);
    assert_close(gain[0][1], -1 / sqrt(1 + tan * tan), 1e-12);
}

/* a body on a joint that spins about its axis, which a force moves: quaternion and angles */
static void test_linear__quaternion_and_angles(void **state) {
    (void)state;
    const char *const text[] = {
        "model a\nrotation B\nbody top : B, inertia(0.5 [kg], 0.01 [kg*m^2], 0.01 [kg*m^2], "
        "0.004 [kg*m^2]) at (0, 0, -0.2 [m])\ngravity 9.81 [m/s^2] along -z\n"
        "input u = signal [N]\npoint tip : B(0, 0, -0.3 [m])\nforce at tip = (u, 0, 0)\n"
        "observe tx = dot(tip, (1, 0, 0)), ty = dot(tip, (0, 1, 0))\nstart B.wz = 30 [rad/s]\n",
        "model b\ncoord a, b, c [rad]\nframe B : rotate x a rotate y b rotate z c\n"
        "body top : B, inertia(0.5 [kg], 0.01 [kg*m^2], 0.01 [kg*m^2], 0.004 [kg*m^2]) "
        "at (0, 0, -0.2 [m])\ngravity 9.81 [m/s^2] along -z\ninput u = signal [N]\n"
        "point tip : B(0, 0, -0.3 [m])\nforce at tip = (u, 0, 0)\n"
        "observe tx = dot(tip, (1, 0, 0)), ty = dot(tip, (0, 1, 0))\nstart c' = 30 [rad/s]\n"};
    double g[2][2][3][2];
    for (int i = 0; i < 2; i++) {
        read_text(text[i]);
        must(linearise(i ? "c'" : "B.wz", NULL, NULL, NULL));
        assert_int_equal(zw_linear_inout(l)->nout, 2);
        for (int put = 0; put < 2; put++)
            for (int w = 0; w < 3; w++)
                memcpy(g[i][put][w], response(0, put, 1 + 3.7 * w), sizeof g[i][put][w]);
    }
    for (int put = 0; put < 2; put++)
        for (int w = 0; w < 3; w++)
            for (int part = 0; part < 2; part++)
                assert_close(g[0][put][w][part], g[1][put][w][part], 1e-11);
    assert_true(fabs(g[0][1][1][1]) > 1e-4); /* the spin turns the answer to the side */
}

/* ------------------------------------------------------------------------- neighbouring motions */

/* D - C A^-1 B of a parameter in forces, masses and constraints against motions that are found
 * anew */
static void test_linear__static_gains_are_those_of_neighbours(void **state) {
    (void)state;
    const char *form =
        "model hung\nparam l = %.17g [m], F = %.17g [N], m = %.17g [kg]\ncoord x, y, z [m]\n"
        "particle P : m at (x, y, z)\ngravity 9.81 [m/s^2] along -y\nforce (x) = F\n"
        "potential 1/2*30 [N/m]*z^2 + 7 [N/m^2]*x*z^2\n"
        "constraint rod : x^2 + y^2 + z^2 = l^2\nconstraint side : z = 0.1 [m]*F/(4 [N])\n"
        "start x = 0.1 [m]\nguess y = -0.79 [m]\n";
    const double at[] = {0.8, 4, 2};
    const char *outputs = "x;y;z;lambda(rod);lambda(side);potential";
    double there[2][6], gain[3][6];
    char text[1000];
    snprintf(text, sizeof text, form, at[0], at[1], at[2]);
    read_text(text);
    must(linearise(NULL, NULL, "l;F;m", outputs));
    assert_true(zw_linear_inout(l)->in_constraint[0] && zw_linear_inout(l)->in_constraint[1] &&
                !zw_linear_inout(l)->in_constraint[2]);
    for (int i = 0; i < 3; i++)
        for (int put = 0; put < 6; put++)
            gain[i][put] = response(i, put, 0)[0];
    for (int i = 0; i < 3; i++) {
        double h = 1e-4 * at[i];
        for (int side = 0; side < 2; side++) {
            double p[3];
            memcpy(p, at, sizeof p);
            p[i] += side ? -h : h;
            snprintf(text, sizeof text, form, p[0], p[1], p[2]);
            read_text(text);
            must(linearise(NULL, NULL, "", outputs));
            memcpy(there[side], zw_linear_inout(l)->value, sizeof there[side]);
        }
        for (int put = 0; put < 6; put++)
            assert_close(gain[i][put], (there[0][put] - there[1][put]) / (2 * h), 1e-6);
    }
}

/* B against differences of the rates */
static void test_linear__inputs_against_differences(void **state) {
    (void)state;
    read_text(CART "input u = signal [N]\n");
    must(linearise(NULL, NULL, NULL, ""));
    zw_flow *flow = zw_equilibria_flow(e);
    const zw_steady *at = zw_equilibria_motion(e);
    double up[4], down[4], u = 1e-3;
    zw_flow_set_inputs(flow, &u);
    must(zw_flow_rates(flow, at->t, at->x, up, NULL, &err));
    u = -u;
    zw_flow_set_inputs(flow, &u);
    must(zw_flow_rates(flow, at->t, at->x, down, NULL, &err));
    for (int i = 0; i < 4; i++)
        assert_close(zw_linear_inout(l)->B[i], (up[i] - down[i]) / 2e-3, 1e-11);
}

/* the response against what a run with a harmonic input does after the transients */
static void test_linear__response_is_that_of_a_run(void **state) {
    (void)state;
    read_text(CART "input u = signal [N]\ndissipation 1/2*0.2 [N*m*s]*phi'^2\n");
    must(linearise(NULL, NULL, NULL, NULL));
    const double frequency[] = {1, 2.5, 6};
    double want[3][2];
    for (int w = 0; w < 3; w++)
        memcpy(want[w], response(0, 0, frequency[w]), sizeof want[w]);
    for (int w = 0; w < 3; w++) {
        char text[1200];
        double omega = frequency[w], period = 2 * M_PI / omega, c = 0, s = 0;
        int turns = (int)ceil(150 / period), rows = 64;
        snprintf(
            text, sizeof text,
            CART
            "dissipation 1/2*0.2 [N*m*s]*phi'^2\ninput u = harmonic(1e-4 [N], %.17g [rad/s])\n",
            omega);
        read_text(text);
        zw_sim_options options = zw_sim_options_default();
        options.until = (turns + 1) * period;
        options.step_out = period / rows;
        options.run.rtol = 1e-10;
        options.run.atol = 1e-13;
        zw_sim *sim;
        must(zw_sim_create(&sim, sys, NULL, &options, &err));
        must(zw_sim_run(sim, &err));
        const zw_table *t = zw_sim_rows(sim);
        int column = zw_table_find(t, "tip");
        for (int i = 0; i < rows; i++) {
            long row = (long)turns * rows + i;
            double phase = omega * zw_table_at(t, row, 0), y = zw_table_at(t, row, column);
            s += 2 * y * sin(phase) / rows / 1e-4;
            c += 2 * y * cos(phase) / rows / 1e-4;
        }
        assert_close(s, want[w][0], 1e-6); /* y = Im(G e^(i omega t)) */
        assert_close(c, want[w][1], 1e-6);
        zw_sim_destroy(sim);
    }
}

static void test_linear__response_as_a_table(void **state) {
    (void)state;
    zw_table *t;
    read_text(CART "input u = signal [N]\n");
    must(linearise(NULL, NULL, NULL, NULL));
    const zw_model_source source = {.text = "model, and more", .length = 5, .file = "cart.zw"};
    must(zw_linear_response(l, &source, "u", "tip", 0.1, 100, 50, &t, &err));
    assert_string_equal(zw_table_get_note(t, "text"), "model"); /* it need not end with a zero */
    assert_string_equal(zw_table_get_note(t, "file"), "cart.zw");
    assert_string_equal(zw_table_get_note(t, "kind"), "frequency response");
    assert_string_equal(zw_table_unit(t, 1), "m/N");
    assert_true(zw_table_rows(t) >
                52); /* and the two frequencies of the eigenvalues, and about them */
    double most = 0;
    for (long i = 0; i < zw_table_rows(t); i++)
        most = fmax(most, zw_table_at(t, i, 1));
    for (long i = 0; i < zw_table_rows(t); i++) {
        assert_close(hypot(zw_table_at(t, i, 3), zw_table_at(t, i, 4)), zw_table_at(t, i, 1),
                     1e-14);
        assert_true(i == 0 || zw_table_at(t, i, 0) > zw_table_at(t, i - 1, 0));
        assert_true(i == 0 || fabs(zw_table_at(t, i, 2) - zw_table_at(t, i - 1, 2)) <= 180);
        /* round the circles of the resonances in small steps */
        assert_true(i == 0 || zw_table_at(t, i, 1) < 0.2 * most ||
                    fabs(zw_table_at(t, i, 2) - zw_table_at(t, i - 1, 2)) < 12);
    }
    char *text = response_text(t);
    assert_non_null(strstr(text, "static gain    0.2 m/N"));
    assert_non_null(strstr(text, "resonance      1.77168"));
    assert_non_null(strstr(text, "phase -264 deg")); /* as the table has it, not 96 */
    free(text);
    zw_table_destroy(t);
    assert_int_equal(zw_linear_response(l, NULL, "u", "tap", 0.1, 100, 50, &t, &err), ZW_E_NAME);
    assert_non_null(strstr(err.text, "'tap' is no output of these equations"));
}

/* --------------------------------------------------------------------- controllable, observable */

static void test_linear__modes_that_are_not_reached_have_names(void **state) {
    (void)state;
    read_text(
        "model two\ncoord x, y [m]\nparticle P : 1 [kg] at (x, 0)\nparticle Q : 1 [kg] at (y, 0)\n"
        "potential 1/2*3 [N/m]*(x^2 + y^2) + 1/2*2 [N/m]*(x - y)^2\ninput u = signal [N]\n"
        "force (x, y) = (u, u)\nobserve apart = x - y\n");
    must(linearise(NULL, NULL, NULL, NULL));
    const zw_spectrum *s = zw_linear_spectrum(l);
    assert_int_equal(s->ncontrollable, 2);
    assert_int_equal(s->nobservable, 2);
    for (int j = 0; j < 4; j++) {
        bool together = fabs(fabs(s->im[j]) - sqrt(3)) < 1e-9;
        assert_true(s->is_controllable[j] == together);
        assert_true(s->is_observable[j] == !together);
        assert_true(s->controllable[j] < 1e-12 || s->controllable[j] > 0.1);
    }
    expect_text("no input reaches it");
    expect_text("no output sees it");
    assert_close(response(0, 0, sqrt(3))[0], 0, 1e-12); /* no path: no pole either */
}

static void test_linear__defective_eigenvalues_are_told(void **state) {
    (void)state;
    read_text("model critical\nparam k = 4 [N/m], d = 4 [N*s/m]\ncoord x [m]\n"
              "particle P : 1 [kg] at (x, 0)\npotential 1/2*k*x^2\ndissipation 1/2*d*x'^2\n");
    must(linearise(NULL, NULL, NULL, NULL));
    assert_true(zw_linear_spectrum(l)->condition[0] > 1e6);
    expect_text("defective to working accuracy");
}

/* numbers over eight decades are balanced; nothing is called ill-conditioned for its units */
static void test_linear__units_do_not_matter(void **state) {
    (void)state;
    read_text("model circuit\nunits none\ninput u = signal\nstate q : q' = 2e-4*w + 1e-5*u\n"
              "state w : w' = -5e4*q - 0.2*w\nobserve o = 1e3*q\n");
    must(linearise(NULL, NULL, NULL, NULL));
    const zw_spectrum *s = zw_linear_spectrum(l);
    assert_close(s->re[0], -0.1, 1e-13);
    assert_close(s->im[0], sqrt(9.99), 1e-13);
    assert_true(s->condition[0] < 10);
    assert_int_equal(s->ncontrollable, 2);
    assert_int_equal(s->nobservable, 2);
    assert_true(s->controllable[0] > 0.01 && s->observable[0] > 0.01);
    assert_close(response(0, 0, 0)[0], 1e3 * 1e-5 * 0.2 / 10, 1e-15);
}

/* what goes along with a mode: the yaw and the path of a weaving bicycle fulfil the whole linear
 * equations */
static void test_linear__modes_are_motions_of_the_whole_system(void **state) {
    (void)state;
    open_model(ZW_SOURCE_DIR "/models/bicycle.zw", 0, NULL);
    must(linearise("rear';yaw", NULL, NULL, ""));
    const zw_spectrum *s = zw_linear_spectrum(l);
    const double *J = zw_equilibria_linear(e)->J;
    int nx = zw_linear_states(l)->nx, n = s->n, seen = 0;
    for (int j = 0; j < n; j++) {
        if (s->open[j])
            continue;
        seen++;
        for (int i = 0; i < nx; i++) {
            double re = 0, im = 0;
            for (int k = 0; k < nx; k++) {
                re += J[i * nx + k] * s->mode_re[k * n + j];
                im += J[i * nx + k] * s->mode_im[k * n + j];
            }
            assert_close(re, s->re[j] * s->mode_re[i * n + j] - s->im[j] * s->mode_im[i * n + j],
                         1e-9);
            assert_close(im, s->re[j] * s->mode_im[i * n + j] + s->im[j] * s->mode_re[i * n + j],
                         1e-9);
        }
    }
    assert_int_equal(seen, 4);
}

/* ------------------------------------------------------------------------------------- refusals */

static void refused(zw_status status, zw_status wanted, const char *part) {
    assert_int_equal(status, wanted);
    if (!strstr(err.text, part))
        fail_msg("not in the message: %s\n%s", part, err.text);
}

static void test_linear__refuses_by_name(void **state) {
    (void)state;
    const char *set[] = {"alpha'=6 [rad/s]", "beta=70 [deg]"};
    open_model(ZW_SOURCE_DIR "/models/rolling_disc.zw", 2, set);
    refused(linearise("alpha';beta", NULL, NULL, "x"), ZW_E_DOMAIN, "x changes along the motion");
    refused(linearise("alpha';beta", NULL, NULL, "betta"), ZW_E_NAME, "'betta'");
    refused(linearise("alpha';beta", NULL, "gg", NULL), ZW_E_NAME, "'gg'");
    refused(linearise("alpha';beta", "beta;z", NULL, NULL), ZW_E_SINGULAR, "z is no state");
    refused(linearise("alpha';beta", "bet", NULL, NULL), ZW_E_NAME, "'bet'");
    read_text(CART
              "input u = signal [N]\nobserve size = abs(phi), far = abs(phi - 1), flat = phi^2\n");
    refused(linearise(NULL, NULL, NULL, "size"), ZW_E_DOMAIN, "size has no derivative");
    must(linearise(NULL, NULL, NULL, "far;flat"));
    assert_close(zw_linear_inout(l)->C[1], -1, 1e-12);
    must(linearise(NULL, NULL, NULL, NULL)); /* what nobody has asked for is left out and told */
    assert_int_equal(zw_linear_left_out(l), 1);
    assert_string_equal(zw_linear_left_out_name(l, 0), "size");
}

/* a force in a direction of space on what turns */
static void test_linear__refuses_inputs_that_turn(void **state) {
    (void)state;
    const char *form =
        "model orbit\nparam e = 0\ncoord x, y [m]\nparticle P : 1 [kg] at (x, y)\n"
        "potential 1/2*4 [N/m]*((1 + e)*x^2 + y^2) + 1 [N/m^3]*(x^2 + y^2)^2/4\n"
        "input u = signal [N]\nforce (x, y) = %s\nstart x = 1 [m], y = 0, x' = 0, y' = 2.2 [m/s]\n";
    char text[600];
    snprintf(text, sizeof text, form, "(u, 0)");
    read_text(text);
    refused(linearise("x", NULL, NULL, ""), ZW_E_DOMAIN, "a symmetry that u breaks");
    snprintf(text, sizeof text, form, "u*(-y, x)/sqrt(x^2 + y^2)");
    read_text(text);
    must(linearise("x", NULL, NULL, ""));
    refused(linearise("x", NULL, "e", ""), ZW_E_DOMAIN, "a symmetry that e breaks");
}

/* a trap that turns with time: what is told must turn along, also where the motion does not show
 * it */
static void test_linear__outputs_turn_along_with_time(void **state) {
    (void)state;
    read_text("model trap\nparam W = 2 [rad/s], F = 1 [N]\ncoord x, y [m]\ninput u = signal [N]\n"
              "let a = x*cos(W*t) + y*sin(W*t)\nlet b = -x*sin(W*t) + y*cos(W*t)\n"
              "particle P : 1 [kg] at (x, y)\n"
              "potential 1/2*9 [N/m]*a^2 + 1/2*16 [N/m]*b^2 - F*a\n"
              "force (x, y) = u*(cos(W*t), sin(W*t))\nobserve pa = a, pb = b\n"
              "start x = 0.2 [m], y = 0, x' = 0, y' = 0.4 [m/s]\n");
    must(linearise(NULL, NULL, "u;F", "pa;pb"));
    const double K[] = {9 - 4, 0, 0, 16 - 4}, G[] = {0, -4, 4, 0};
    const zw_second_order *o = zw_linear_second_order(l);
    expect_matrix(4, o->K, K, 1e-12);
    expect_matrix(4, o->G, G, 1e-12);
    assert_close(response(0, 0, 0)[0], 1.0 / 5, 1e-12);
    assert_close(response(1, 0, 0)[0], 1.0 / 5, 1e-12);
    assert_true(zw_linear_states(l)->turning[0] && zw_linear_states(l)->turning[1]);
    expect_text("x, y: as a comoving observer sees them");
    refused(linearise(NULL, NULL, "", "x"), ZW_E_DOMAIN, "x changes along the motion");
    refused(linearise(NULL, NULL, "W", ""), ZW_E_DOMAIN, "a symmetry that W breaks or changes");
}

/* A cart at rest: its place is an output, though nothing depends on it. x/u = 1/(-w^2 (M + m + m l
 * w^2/(g - l w^2))). */
static void test_linear__place_of_a_cart(void **state) {
    (void)state;
    static const char *const outputs[] = {"x", "x;phi", "p"}, *const states[] = {NULL, "x;phi",
                                                                                 NULL};
    read_text("model cart\nparam M = 2 [kg], m = 0.5 [kg], l = 0.6 [m], g = 9.81 [m/s^2]\n"
              "coord x [m], phi [rad]\ninput u = signal [N]\nparticle C : M at (x, 0)\n"
              "particle P : m at (x + l*sin(phi), -l*cos(phi))\ngravity g along -y\n"
              "force (x) = u\nobserve p = x + l*sin(phi)\n");
    for (int k = 0; k < 3; k++) {
        must(linearise(NULL, states[k], "u", outputs[k]));
        assert_int_equal(zw_linear_states(l)->n, 4);
        for (double w = 0.5; w < 20; w *= 1.7) {
            double phi = w * w / (9.81 - 0.6 * w * w), x = -1 / (w * w * (2.5 + 0.3 * phi));
            const double *g = response(0, 0, w);
            assert_close(g[0], k == 2 ? x * (1 + 0.6 * phi) : x, 1e-12);
            assert_close(g[1], 0, 1e-12);
        }
        /* place and velocity are a chain of zeros: all is reached and seen, whatever the condition
         * of the zeros */
        const zw_spectrum *s = zw_linear_spectrum(l);
        assert_int_equal(s->ncontrollable, 4);
        assert_int_equal(s->nobservable, 4);
        for (int j = 0; j < 4; j++) {
            assert_true(s->is_controllable[j] && s->is_observable[j]);
            assert_true(hypot(s->re[j], s->im[j]) > 1 || isnan(s->participation[j]));
        }
    }
    must(linearise(NULL, "x;phi", "u", "x"));
    for (int i = 0; i < 4; i++) /* C = (1, 0, 0, 0) */
        assert_true(zw_linear_inout(l)->C[i] == (i == 0));
}

/* A free dumbbell at rest: outputs that change along its symmetries are states, though a constraint
 * joins them to others. The mass matrix is 1, so A and B follow from the projection on the rod:
 * with n along it, (x, y, a, b)'' = f - c n n.f, n = (d, -d)/sqrt(2). */
static void test_linear__places_of_a_dumbbell(void **state) {
    (void)state;
    read_text("model dumbbell\nunits none\ncoord x, y, a, b\n"
              "kinetic (x'^2 + y'^2 + a'^2 + b'^2)/2\nconstraint rod : (x - a)^2 + (y - b)^2 = 4\n"
              "input u = signal\nforce (x, b) = (u, 2*u)\n"
              "start x = 0.6, y = 0.8, a = -0.6, b = -0.8\n");
    must(linearise(NULL, NULL, "u", "b;x"));
    /* n = (0.6, 0.8, -0.6, -0.8)/sqrt(2), f = (1, 0, 0, 2): n.f n = -0.5 (0.6, 0.8, -0.6, -0.8);
     * b'' = 2 - 0.4, x'' = 1 + 0.3 */
    const double *g = response(0, 0, 2);
    assert_close(g[0], -1.6 / 4, 1e-12);
    g = response(0, 1, 2);
    assert_close(g[0], -1.3 / 4, 1e-12);
}

/* A gyrostat about its own axis: spin and rotor speed may be anything, so A has zero rows and
 * columns for both, without remainders of the search; and a chain of zeros is defective, which is
 * said instead of three equal vectors. */
static void test_linear__zeros_are_zeros(void **state) {
    (void)state;
    read_text("model gyrostat\ncoord ps [rad]\nrotation B\n"
              "body hull : B at (0, 0, 0), inertia(1 [kg], 2 [kg*m^2], 3 [kg*m^2], 5 [kg*m^2])\n"
              "kinetic 1/2*0.1 [kg*m^2]*ps'^2 + 0.1 [kg*m^2]*ps'*B.wy\n"
              "start B.wy = 2 [rad/s], ps' = -30 [rad/s]\n");
    must(linearise("B.wy;ps'", NULL, NULL, NULL));
    static const char *const name[] = {"ps'", "B.wx", "B.wy", "B.wz"};
    expect_states(name);
    const double *A = zw_linear_states(l)->A;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            if (i % 2 == 0 || j % 2 == 0)
                assert_true(A[4 * i + j] == 0);
    /* Euler's equations with H = (2 wx, 3 wy + ps'/10, 5 wz): 2 wx' = -(2 wy - ps'/10) wz, 5 wz' =
     * -(wy + ps'/10) wx */
    assert_close(A[4 * 1 + 3], -(2 * 2.0 + 3) / 2, 1e-14);
    assert_close(A[4 * 3 + 1], -(2.0 - 3) / 5, 1e-14);
    for (int i = 0; i < 4; i++)
        assert_true(zw_linear_spectrum(l)->condition[i] < 1.1);
    read_text("model chain\nunits none\nstate a : a' = b - a^3/1000\nstate b : b' = c + a*b\n"
              "state c : c' = -a*c\nstart a = 0\n");
    must(linearise(NULL, NULL, NULL, NULL));
    expect_text("participation undefined; defective");
    expect_text("2 same as mode 1: the eigenvalue is defective");
}

static void test_linear__refuses_responses_to_what_moves_constraints(void **state) {
    (void)state;
    zw_table *t = NULL;
    read_text("model a\nparam l = 0.8 [m]\ncoord x, y [m]\nparticle P : 2 [kg] at (x, y)\n"
              "gravity 9.81 [m/s^2] along -y\nconstraint rod : x^2 + y^2 = l^2\n"
              "start x = 0.1 [m]\nguess y = -0.79 [m]\n");
    must(linearise(NULL, NULL, "l", "y"));
    assert_close(response(0, 0, 0)[0], -1, 1e-12);
    refused(zw_linear_response(l, NULL, "l", "y", 1, 10, 5, &t, &err), ZW_E_OPTION,
            "the constraints hold l");
    assert_null(t);
}

static void test_linear__survives_failing_memory(void **state) {
    (void)state;
    const char *text = CART "input u = signal [N]\n";
    for (long n = 1;; n += 1 + n / 30) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_context *own = zw_context_create(&alloc);
        zw_system *s = NULL;
        zw_equilibria *q = NULL;
        zw_linear_equations *k = NULL;
        zw_table *t = NULL;
        zw_error fault = {0};
        zw_equilibria_options how = zw_equilibria_options_default();
        zw_linear_options what = zw_linear_options_default();
        bool ok = own && zw_model_parse(&s, own, text, strlen(text), "t", NULL, &fault) >= 0 &&
                  zw_linear_prepare(s, &what, &how, &fault) >= 0 &&
                  zw_equilibria_create(&q, s, &how, &fault) >= 0 &&
                  zw_equilibria_find(q, &fault) >= 0 && zw_linear_create(&k, q, &what, &fault) >= 0;
        ok = ok && zw_linear_sample(k, 0.01, &fault) >= 0 &&
             zw_linear_regulate(k, 1, (const char *[]){"x=1"}, 0, NULL, &fault) >= 0;
        if (ok) {
            char *csv = zw_linear_csv(k);
            zw_bytes latex = {0};
            ok = csv && zw_linear_latex(k, &latex, &fault) >= 0;
            zw_string_free(own, csv);
            zw_bytes_clear(&latex);
        }
        ok = ok && zw_linear_response(k, NULL, "u", "tip", 0, 0, 20, &t, &fault) >= 0;
        assert_true(ok || f.failed);
        zw_table_destroy(t);
        zw_linear_destroy(k);
        zw_equilibria_destroy(q);
        if (own)
            zw_context_destroy(own);
        assert_int_equal(f.blocks, 0);
        if (!f.failed)
            break;
    }
}

/* Every single request between a found equilibrium and its linear equations fails once. The two
 * models have the form of second order, and many states. */
static void test_linear__survives_each_failing_request(void **state) {
    (void)state;
    static const char *const text[] = {
        CART "input u = signal [N]\n",
        "model chain\nparam k = 1 [N/m]\ncoord a, b, c, d [m]\nparticle A : 1 [kg] at (a, 0)\n"
        "particle B : 1 [kg] at (b, 0)\nparticle C : 2 [kg] at (c, 0)\n"
        "particle D : 2 [kg] at (d, 0)\n"
        "potential 1/2*k*(a^2 + (b - a)^2 + (c - b)^2 + (d - c)^2)\n"};
    for (int i = 0; i < 2; i++)
        for (long n = 1;; n++) {
            failing_allocator f = failing_allocator_make(0);
            zw_allocator alloc = failing_allocator_of(&f);
            zw_context *own = zw_context_create(&alloc);
            zw_system *s = NULL;
            zw_equilibria *q = NULL;
            zw_linear_equations *k = NULL;
            zw_equilibria_options how = zw_equilibria_options_default();
            zw_linear_options what = zw_linear_options_default();
            if (zw_model_parse(&s, own, text[i], strlen(text[i]), "t", NULL, &err) < 0 ||
                zw_linear_prepare(s, &what, &how, &err) < 0 ||
                zw_equilibria_create(&q, s, &how, &err) < 0 || zw_equilibria_find(q, &err) < 0)
                fail_msg("%s", err.text);
            f.fail_at = f.requests + n;
            zw_status status = zw_linear_create(&k, q, &what, NULL);
            assert_int_equal(status, f.failed ? ZW_E_MEMORY : ZW_OK);
            zw_linear_destroy(k);
            zw_equilibria_destroy(q);
            zw_context_destroy(own);
            assert_int_equal(f.blocks, 0);
            if (!f.failed)
                break;
        }
}

/* no phase is told where there is none, and a row on the resonance itself is left out */
static void test_linear__response_without_damping(void **state) {
    (void)state;
    zw_table *t = NULL;
    read_text("model free\nunits none\ncoord x\nkinetic x'^2/2\npotential 50*x^2\n"
              "input u = signal\nforce (x) = u\n");
    must(linearise(NULL, NULL, "u", "x"));
    must(zw_linear_response(l, NULL, "u", "x", 1, 100, 3, &t, &err));
    assert_int_equal(zw_table_rows(t), 2);
    zw_table_destroy(t);
    must(zw_linear_response(l, NULL, "u", "x", 1, 100, 400, &t, &err));
    char *text = response_text(t);
    assert_non_null(strstr(text, "10 rad/s (1.59155 Hz): undamped, the response grows without"));
    assert_null(strstr(text, "phase"));
    free(text);
    zw_table_destroy(t);
}

/* small numbers of slow motions are not taken for rounding where matrices are printed */
static void test_linear__slow_motions_are_printed(void **state) {
    (void)state;
    read_text("model slow\ncoord x [m]\nparticle P : 1 [kg] at (x, 0)\npotential 1/2*1e-14 "
              "[N/m]*x^2\n");
    must(linearise(NULL, NULL, NULL, NULL));
    expect_text("(x')'                  -1e-14");
}

/* 2/(1 + s)^3 is -1/4 at sqrt(3) rad/s, and its gain is 1 where |1 + i omega|^3 = 2 */
static void test_linear__margins_do_not_depend_on_rows(void **state) {
    (void)state;
    const int rows[] = {7, 400};
    double omega = sqrt(pow(2, 2.0 / 3) - 1), margin = 180 - 3 * atan(omega) * 180 / M_PI;
    char expected[2][100];
    read_text("model lag\nunits none\ninput u = signal\n"
              "state a, b, c : a' = 2*u - a, b' = a - b, c' = b - c\n");
    must(linearise(NULL, NULL, "u", "c"));
    snprintf(expected[0], sizeof expected[0], "%.5g deg at %.6g rad/s", margin, omega);
    snprintf(expected[1], sizeof expected[1], "gain margin    4 at %.6g rad/s", sqrt(3));
    for (int i = 0; i < 2; i++) {
        zw_table *t = NULL;
        must(zw_linear_response(l, NULL, "u", "c", 0.01, 100, rows[i], &t, &err));
        char *text = response_text(t);
        for (int k = 0; k < 2; k++)
            if (!strstr(text, expected[k]))
                fail_msg("not in the text: %s\n%s", expected[k], text);
        free(text);
        zw_table_destroy(t);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_linear__##name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(cart_with_pendulum),
        TEST(outputs_with_accelerations),
        TEST(motor_has_a_state_of_first_order),
        TEST(benchmark_bicycle),
        TEST(tippedisk_with_slip),
        TEST(integrals_are_put_in),
        TEST(cyclic_coordinate),
        TEST(no_mass_is_invented),
        TEST(principles_agree),
        TEST(transfer_functions_do_not_depend_on_coordinates),
        TEST(quaternion_and_angles),
        TEST(static_gains_are_those_of_neighbours),
        TEST(inputs_against_differences),
        TEST(response_is_that_of_a_run),
        TEST(response_as_a_table),
        TEST(response_without_damping),
        TEST(margins_do_not_depend_on_rows),
        TEST(slow_motions_are_printed),
        TEST(modes_that_are_not_reached_have_names),
        TEST(defective_eigenvalues_are_told),
        TEST(units_do_not_matter),
        TEST(modes_are_motions_of_the_whole_system),
        TEST(refuses_by_name),
        TEST(refuses_inputs_that_turn),
        TEST(zeros_are_zeros),
        TEST(place_of_a_cart),
        TEST(places_of_a_dumbbell),
        TEST(outputs_turn_along_with_time),
        TEST(refuses_responses_to_what_moves_constraints),
        TEST(survives_failing_memory),
        TEST(survives_each_failing_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
