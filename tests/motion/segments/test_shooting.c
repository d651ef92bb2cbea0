/* SPDX-License-Identifier: MIT */
/* Shooting against numbers from elsewhere (integrations to steady state, in the sources that the
 * models name), closed forms of linear systems, and itself: other coordinates, more nodes,
 * differences of runs. */
#include "motion/segments/periodic.h"
#include "support/failing_allocator.h"
#include "support/orbit_model.h"

static orbit_model m;

/* ------------------------------------------------------------------------------ known responses */

typedef struct response {
    double Omega, rms, mean, max, min;
} response;

/* from the present state after some periods, so that neighbours lead to each other; mean NAN: rms
 * alone is known */
static void expect_responses(int n, const response *r, double tolerance) {
    for (int i = 0; i < n; i++) {
        orbit_set(&m, "Omega", r[i].Omega);
        orbit_period(&m);
        m.options.settle = 60;
        orbit_shoot(&m);
        assert_close(m.at.rms[0], r[i].rms, tolerance);
        if (!isnan(r[i].mean)) {
            assert_close(m.at.mean[0], r[i].mean, tolerance);
            assert_close(m.at.max[0], r[i].max, 1e-5);
            assert_close(m.at.min[0], r[i].min, 1e-5);
        }
        assert_int_equal(m.at.floquet.verdict, ZW_FLOQUET_STABLE);
        assert_true(m.at.floquet.liouville < 1e-9);
        assert_int_equal(m.at.derivative, ZW_SHOOTING_EXACT);
    }
}

static void test_duffing(void **state) {
    (void)state;
    const response r[] = {{0.5, .84714640, NAN, 0, 0},  {0.8, .85680666, NAN, 0, 0},
                          {1.1, .98758865, NAN, 0, 0},  {1.4, 1.14180765, NAN, 0, 0},
                          {1.8, 1.37583150, NAN, 0, 0}, {2.5, .27004777, NAN, 0, 0},
                          {3.0, .17581764, NAN, 0, 0}};
    orbit_open(&m, ORBIT_MODEL("duffing"), NULL, "lagrange");
    expect_responses(7, r, 1e-8);
    /* the product of both multipliers is exp(-c T/m), the divergence being constant */
    const zw_floquet *f = &m.at.floquet;
    assert_close(f->re[0] * f->re[0] + f->im[0] * f->im[0], exp(-0.4 * m.at.period), 1e-12);
    orbit_close(&m);
}

static void test_duffing_2(void **state) {
    (void)state;
    const response r[] = {{1.0, .15706076, NAN, 0, 0},  {2.5, .37420136, NAN, 0, 0},
                          {3.0, 1.14589115, NAN, 0, 0}, {3.6, .47979571, NAN, 0, 0},
                          {3.8, .31843940, NAN, 0, 0},  {4.5, .13787757, NAN, 0, 0}};
    orbit_open(&m, ORBIT_MODEL("duffing"), "set_2", "lagrange");
    expect_responses(6, r, 1e-8);
    orbit_close(&m);
}

/* the force has a kink, but is continuous: steps end there, and there is nothing to saltate */
static void test_piecewise_linear(void **state) {
    (void)state;
    const response r[] = {{0.3, 1.216671, -.371934, 1.10845, -2.66696},
                          {0.7, 1.46967, -.746048, 2.17355, -2.47939},
                          {1.0, 2.066812, -1.049068, 2.15081, -3.07467},
                          {1.6, 1.750396, -.794426, 1.57009, -2.89867},
                          {2.0, .512311, -.079215, .65050, -.78819}};
    orbit_open(&m, ORBIT_MODEL("piecewise_linear"), NULL, "lagrange");
    expect_responses(5, r, 1e-6);
    orbit_close(&m);
}

static void test_absorber(void **state) {
    (void)state;
    const double r[][4] = {{0.5, 2, .02758, .05669},
                           {0.5, 3, .35000, .04275},
                           {0.5, 4, .62639, .42128},
                           {1, 3, .65752, .04951},
                           {1, 4, .78978, .60740}};
    orbit_open(&m, ORBIT_MODEL("absorber_planar"), NULL, "lagrange");
    for (int i = 0; i < 5; i++) {
        memset(m.x, 0, sizeof m.x);
        orbit_set(&m, "p_0", r[i][0]);
        orbit_set(&m, "omega", r[i][1]);
        orbit_period(&m);
        m.options.settle = 60;
        orbit_shoot(&m);
        assert_close(orbit_amplitude(&m, 1, 1), r[i][2], 6e-6); /* phi, */
        assert_close(orbit_amplitude(&m, 4, 1), r[i][3], 6e-6); /* zeta behind u, phi, u', phi' */
    }
    orbit_close(&m);
}

/* ----------------------------------------------------------------------------- one motion twice */

static void test_pendulum__in_two_sets_of_coordinates(void **state) {
    (void)state;
    double re[2], im[2];
    for (int cartesian = 0; cartesian < 2; cartesian++) {
        orbit_open(&m,
                   cartesian ? ORBIT_MODEL("pendulum_cartesian") : ORBIT_MODEL("pendulum_polar"),
                   NULL, "lagrange");
        orbit_period(&m);
        orbit_shoot(&m);
        int theta = cartesian ? 4 : 1;
        assert_close(m.at.rms[theta], .48779523, 1e-8);
        assert_close(m.at.max[theta], .71504742, 1e-8);
        if (!cartesian) {
            assert_close(m.at.x[1], .71433266, 1e-8);
            assert_close(m.at.x[3], .03499168, 1e-8);
        }
        assert_int_equal(m.at.floquet.n, 2); /* the string has none of its own */
        re[cartesian] = m.at.floquet.re[0];
        im[cartesian] = fabs(m.at.floquet.im[0]);
        orbit_close(&m);
    }
    assert_close(re[0], re[1], 1e-10);
    assert_close(im[0], im[1], 1e-10);
}

static void expect_same_multipliers(const zw_floquet *a, const zw_floquet *b, double tolerance) {
    assert_int_equal(a->n, b->n);
    for (int i = 0; i < a->n; i++) {
        double least = INFINITY;
        for (int j = 0; j < b->n; j++)
            least = fmin(least, hypot(a->re[i] - b->re[j], a->im[i] - b->im[j]));
        assert_true(least <= tolerance * fmax(1, hypot(a->re[i], a->im[i])));
    }
}

/* the present motion again with more nodes, and by differences of runs */
static void expect_same_otherwise(double by_nodes, double by_differences) {
    zw_shooting first = m.at;
    for (int way = 0; way < 2; way++) {
        m.at = (zw_shooting){0};
        m.options.settle = 0;
        m.options.nodes = way ? 1 : 5;
        m.options.differences = way;
        orbit_shoot(&m);
        for (int i = 0; i < m.at.nx; i++)
            assert_close(m.at.x[i], first.x[i], 1e-9);
        assert_int_equal(m.at.derivative == ZW_SHOOTING_DIFFERENCES, way);
        expect_same_multipliers(&first.floquet, &m.at.floquet, way ? by_differences : by_nodes);
        zw_shooting_clear(&m.at);
    }
    m.at = first;
    m.options.nodes = 1;
    m.options.differences = false;
}

static void test_nodes_and_differences(void **state) {
    (void)state;
    orbit_open(&m, ORBIT_MODEL("duffing"), NULL, "lagrange");
    orbit_period(&m);
    m.options.settle = 30;
    orbit_shoot(&m);
    expect_same_otherwise(1e-9, 1e-6);
    orbit_close(&m);
    orbit_open(&m, ORBIT_MODEL("pendulum_cartesian"), NULL, "lagrange");
    orbit_period(&m);
    orbit_shoot(&m);
    expect_same_otherwise(1e-9, 1e-6);
    orbit_close(&m);
}

/* --------------------------------------------------------------------------------- closed forms */

/* x'' + c x' + k x = cos(Omega t) */
static void test_linear(void **state) {
    (void)state;
    double c = 0.3, k = 2, Omega = 0.9, T = 2 * M_PI / Omega;
    orbit_open(&m,
               "model any \"Any\"\nunits none\nparam Omega = 0.9\ncoord x\nkinetic x'^2/2\n"
               "potential 2*x^2/2\nforce drive (x) = cos(Omega*t) - 0.3*x'\n",
               NULL, "lagrange");
    orbit_period(&m);
    orbit_shoot(&m);
    double a = (k - Omega * Omega), b = c * Omega, size = a * a + b * b;
    assert_close(m.at.x[0], a / size, 1e-11);
    assert_close(m.at.x[1], Omega * b / size, 1e-11);
    assert_close(m.at.cosine[1], a / size, 1e-11);
    assert_close(m.at.sine[1], b / size, 1e-11);
    assert_close(m.at.max[0], 1 / sqrt(size), 1e-10);
    const zw_floquet *f = &m.at.floquet;
    double w = sqrt(k - c * c / 4);
    assert_close(f->re[0], exp(-c * T / 2) * cos(w * T), 1e-11);
    assert_close(fabs(f->im[0]), exp(-c * T / 2) * fabs(sin(w * T)), 1e-11);
    assert_close(f->exponent[0], -c / 2, 1e-11);
    orbit_close(&m);
}

/* x'' = 9 x + cos t: multipliers exp(+-6 pi), of which the small one would be lost in the product.
 * The start is far from the periodic motion: a linear problem needs one step. */
static void test_linear__unstable(void **state) {
    (void)state;
    orbit_open(&m,
               "model any \"Any\"\nunits none\nparam Omega = 1\ncoord x\nkinetic x'^2/2\n"
               "potential -9*x^2/2\nforce drive (x) = cos(Omega*t)\nstart x = 0.3\n",
               NULL, "lagrange");
    orbit_period(&m);
    m.options.nodes = 8;
    m.options.tolerance = 1e-10;
    orbit_shoot(&m);
    const zw_floquet *f = &m.at.floquet;
    assert_close(m.at.x[0], -0.1, 1e-11);
    assert_close(f->re[0] * exp(-6 * M_PI), 1, 1e-9);
    assert_close(f->re[1] * exp(6 * M_PI), 1, 1e-6);
    assert_int_equal(f->outside, 1);
    assert_int_equal(f->verdict, ZW_FLOQUET_UNSTABLE);
    assert_true(f->liouville < 1e-6);
    orbit_close(&m);
}

/* Van der Pol's cycle: its period is known to many digits, one multiplier is 1 */
static void test_autonomous(void **state) {
    (void)state;
    orbit_open(&m,
               "model any \"Any\"\nunits none\ncoord x\nkinetic x'^2/2\npotential x^2/2\n"
               "force pump (x) = (1 - x^2)*x'\nstart x = 2\n",
               NULL, "lagrange");
    m.options.period = 6.5;
    m.options.is_period_free = true;
    for (int nodes = 1; nodes <= 4; nodes += 3) {
        m.options.nodes = nodes;
        orbit_shoot(&m);
        const zw_floquet *f = &m.at.floquet;
        assert_close(m.at.period, 6.66328685932313, 1e-10);
        assert_true(f->trivial >= 0);
        assert_close(f->re[f->trivial], 1, 1e-9);
        assert_int_equal(f->verdict, ZW_FLOQUET_STABLE);
        assert_true(f->liouville < 1e-8);
    }
    orbit_close(&m);
}

/* ---------------------------------------------------------------------------------------- jumps */

/* dry friction, with a drive so strong that the mass never sticks: two jumps of the rates in each
 * period */
static void test_saltation(void **state) {
    (void)state;
    orbit_open(
        &m,
        "model any \"Any\"\nunits none\nparam Omega = 0.7\ncoord x\nkinetic x'^2/2\n"
        "potential x^2/2 + x^4/8\nforce drive (x) = 2*cos(Omega*t) - 0.2*x' - 0.3*sign(x')\n",
        NULL, "lagrange");
    orbit_period(&m);
    m.options.settle = 20;
    orbit_shoot(&m);
    assert_int_equal(m.at.derivative, ZW_SHOOTING_SALTATION);
    assert_int_equal(m.at.jumps % 2, 0);
    assert_true(m.at.jumps >= 2);
    assert_true(m.at.floquet.liouville < 1e-8);
    expect_same_otherwise(1e-8, 1e-5);
    orbit_close(&m);
}

/* the same without damping and driven slowly: it sticks twice in each period, and forgets one
 * direction */
static void test_sticking(void **state) {
    (void)state;
    orbit_open(&m,
               "model any \"Any\"\nunits none\nparam Omega = 0.4\ncoord x\nkinetic x'^2/2\n"
               "potential x^2/2\nforce drive (x) = 2*cos(Omega*t) - 0.9*sign(x')\n",
               NULL, "lagrange");
    orbit_period(&m);
    m.options.settle = 5;
    orbit_shoot(&m);
    assert_int_equal(m.at.derivative, ZW_SHOOTING_SALTATION);
    assert_close(hypot(m.at.floquet.re[1], m.at.floquet.im[1]), 0, 1e-14);
    assert_true(isnan(m.at.floquet.liouville));
    expect_same_otherwise(1e-8, 1e-6);
    orbit_close(&m);
}

/* a mass on a belt, with friction that gets less with speed: a cycle of sticking and slipping.
 * Sticking forgets all but where it is on the cycle: the trivial multiplier is the only one that is
 * not 0. */
static void test_belt(void **state) {
    (void)state;
    double period = 0;
    for (int way = 0; way < 2; way++) {
        orbit_open(&m,
                   "model any \"Any\"\nunits none\ncoord x\nkinetic x'^2/2\npotential x^2/2\n"
                   "force rub (x) = -sign(x' - 0.5)/(1 + abs(x' - 0.5))\nstart x = 1, x' = 0.3\n",
                   NULL, "lagrange");
        m.options.period = 7;
        m.options.is_period_free = true;
        m.options.settle = 5;
        m.options.differences = way;
        orbit_shoot(&m);
        const zw_floquet *f = &m.at.floquet;
        assert_close(f->re[f->trivial], 1, way ? 1e-6 : 1e-9);
        assert_close(f->re[!f->trivial], 0, way ? 1e-6 : 1e-12);
        assert_int_equal(f->verdict, ZW_FLOQUET_STABLE);
        if (way)
            assert_close(m.at.period, period, 1e-9);
        period = m.at.period;
        orbit_close(&m);
    }
}

/* a square wave: the rates jump in time alone, and nothing is saltated */
static void test_square_wave(void **state) {
    (void)state;
    orbit_open(&m,
               "model any \"Any\"\nunits none\nparam Omega = 0.9\ncoord x\nkinetic x'^2/2\n"
               "potential x^2/2 + x^4/4\nforce drive (x) = sign(sin(Omega*t)) - 0.2*x'\n",
               NULL, "lagrange");
    orbit_period(&m);
    m.options.settle = 30;
    orbit_shoot(&m);
    assert_true(m.at.floquet.liouville < 1e-9);
    expect_same_otherwise(1e-8, 1e-6);
    orbit_close(&m);
}

/* --------------------------------------------------------- nonholonomic, ignorable, quaternions */

/* a sleigh whose blade is turned to and fro: it drifts, and where it is matters to nothing */
static void test_sleigh(void **state) {
    (void)state;
    orbit_open(&m,
               "model any \"Any\"\nunits none\nparam Omega = 1.3\ncoord x, y, a\n"
               "kinetic (x'^2 + y'^2)/2 + a'^2/2 + 0.4*a'*(y'*cos(a) - x'*sin(a))\n"
               "potential 1.5*(a - 0.3)^2/2\ndissipation 0.4*(x'^2 + y'^2)/2 + 0.3*a'^2/2\n"
               "constraint blade : y'*cos(a) - x'*sin(a) = 0\n"
               "force drive (a) = cos(Omega*t)\n",
               NULL, "lagrange");
    orbit_period(&m);
    m.options.settle = 20;
    orbit_shoot(&m);
    assert_int_equal(m.at.floquet.n, 3); /* 6, without the blade, x and y */
    assert_int_equal(m.at.floquet.verdict, ZW_FLOQUET_STABLE);
    assert_true(hypot(m.at.drift[0], m.at.drift[1]) > 1e-3);
    assert_true(m.at.floquet.liouville < 1e-9);
    expect_same_otherwise(1e-8, 1e-5);
    orbit_close(&m);
}

/* a body on springs that is shaken, turned by a unit quaternion: no multiplier comes from its
 * length */
static void test_quaternion(void **state) {
    (void)state;
    orbit_open(&m,
               "model any \"Any\"\nunits none\nparam Omega = 1.1\ncoord x, y, z\n"
               "rotation B\nbody K : B at (x, y, z), inertia(1, 1, 1.5, 2)\n"
               "point P : K.origin + K(1, 0.2, 0)\npoint Q : K.origin + K(-0.3, 1, 0.4)\n"
               "let u = P - (1.2, 0.2, 0), v = Q - (-0.3, 1.1, 0.4)\n"
               "potential 3*dot(u, u)/2 + 2*dot(v, v)/2 + (x^2 + y^2 + z^2)\n"
               "torque brake on K = -0.5*K.w\nforce drag at P on K = -0.4*K.velocity(P)\n"
               "force shake at Q on K = (0, 0.2*cos(Omega*t), 0.3*sin(Omega*t))\n",
               NULL, "lagrange");
    orbit_period(&m);
    m.options.settle = 15;
    orbit_shoot(&m);
    assert_int_equal(m.at.floquet.n, 12);
    assert_int_equal(m.at.floquet.verdict, ZW_FLOQUET_STABLE);
    assert_true(m.at.floquet.liouville < 1e-8);
    expect_same_otherwise(1e-8, 1e-5);
    orbit_close(&m);
}

/* a rotor that is carried along by a field that turns: one turn more after every period */
static void test_turns(void **state) {
    (void)state;
    double turn[] = {2 * M_PI, 0};
    orbit_open(&m,
               "model any \"Any\"\nunits none\nparam Omega = 1.2\ncoord a\nkinetic a'^2/2\n"
               "potential -0.2*cos(a)\nforce field (a) = 0.8*sin(Omega*t - a) - 0.3*a'\n"
               "start a' = 1.2\n",
               NULL, "lagrange");
    orbit_period(&m);
    m.options.turn = turn;
    m.options.settle = 20;
    orbit_shoot(&m);
    assert_close(m.at.mean[1], 1.2, 1e-9);
    const zw_floquet *f = &m.at.floquet;
    assert_close(f->re[0] * f->re[1] - f->im[0] * f->im[1], exp(-0.3 * m.at.period), 1e-10);
    expect_same_otherwise(1e-8, 1e-5);
    orbit_close(&m);
}

/* ------------------------------------------------------------------------------------- refusals */

static void test_refusals(void **state) {
    (void)state;
    orbit_open(&m, ORBIT_MODEL("duffing"), NULL, "lagrange");
    m.options.period = -1;
    assert_int_equal(zw_shooting_find(&m.at, m.kernel, m.p, m.x, &m.options, &m.err), ZW_E_OPTION);
    assert_null(m.at.memory);
    orbit_period(&m);
    m.options.iterations = 0;
    m.err = (zw_error){0};
    assert_int_equal(zw_shooting_find(&m.at, m.kernel, m.p, m.x, &m.options, &m.err), ZW_E_NUMERIC);
    orbit_close(&m);
    /* x'' + x = cos(2 t): every motion comes back after 2 pi */
    orbit_open(&m,
               "model any \"Any\"\nunits none\ncoord x\nkinetic x'^2/2\npotential x^2/2\n"
               "force drive (x) = cos(2*t)\nstart x = 1\n",
               NULL, "lagrange");
    m.options.period = 2 * M_PI;
    orbit_shoot(&m);
    assert_int_equal(m.at.floquet.verdict, ZW_FLOQUET_UNDECIDED);
    orbit_close(&m);
    /* x'' + x = cos(t): none does */
    orbit_open(&m,
               "model any \"Any\"\nunits none\ncoord x\nkinetic x'^2/2\npotential x^2/2\n"
               "force drive (x) = cos(t)\n",
               NULL, "lagrange");
    m.options.period = 2 * M_PI;
    assert_int_equal(zw_shooting_find(&m.at, m.kernel, m.p, m.x, &m.options, &m.err),
                     ZW_E_SINGULAR);
    orbit_close(&m);
}

/* memory that runs out at the n-th request is told, and nothing leaks; in the end it suffices */
static void test_memory(void **state) {
    (void)state;
    orbit_open(&m, ORBIT_MODEL("pendulum_cartesian"), NULL, "lagrange");
    orbit_period(&m);
    m.options.nodes = 2;
    for (long n = 1;; n++) {
        failing_allocator memory = failing_allocator_make(n);
        zw_kernel kernel = *m.kernel;
        kernel.alloc = failing_allocator_of(&memory);
        m.err = (zw_error){0};
        zw_status status = zw_shooting_find(&m.at, &kernel, m.p, m.x, &m.options, &m.err);
        assert_int_equal(status, memory.failed ? ZW_E_MEMORY : ZW_OK);
        zw_shooting_clear(&m.at);
        assert_int_equal(memory.blocks, 0);
        if (!memory.failed)
            break;
    }
    orbit_close(&m);
}

static void test_check_period(void **state) {
    (void)state;
    double mismatch;
    orbit_open(&m, ORBIT_MODEL("duffing"), NULL, "lagrange");
    orbit_period(&m);
    assert_int_equal(
        zw_shooting_check_period(m.flow, m.options.period, m.x, NULL, &mismatch, &m.err), ZW_OK);
    assert_true(mismatch < 1e-13);
    assert_int_equal(
        zw_shooting_check_period(m.flow, 0.9 * m.options.period, m.x, NULL, &mismatch, &m.err),
        ZW_OK);
    assert_true(mismatch > 1e-2);
    orbit_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_duffing),
        cmocka_unit_test(test_duffing_2),
        cmocka_unit_test(test_piecewise_linear),
        cmocka_unit_test(test_absorber),
        cmocka_unit_test(test_pendulum__in_two_sets_of_coordinates),
        cmocka_unit_test(test_nodes_and_differences),
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_linear__unstable),
        cmocka_unit_test(test_autonomous),
        cmocka_unit_test(test_saltation),
        cmocka_unit_test(test_sticking),
        cmocka_unit_test(test_belt),
        cmocka_unit_test(test_square_wave),
        cmocka_unit_test(test_sleigh),
        cmocka_unit_test(test_quaternion),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_check_period),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
