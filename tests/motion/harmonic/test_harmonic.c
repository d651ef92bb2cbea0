/* SPDX-License-Identifier: MIT */
/* Harmonic balance and continuation against shooting (numbers of other programs), closed forms,
 * differences, and other coordinates. */
#include "branch/curve.h"
#include "motion/harmonic/balance.h"
#include "support/periodic_model.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static periodic_model m;

/* rms of Duffing's oscillator by shooting, 1e-8; the branch from small frequencies on, and from
 * large ones */
static void test_harmonic__duffing_as_by_shooting(void **state) {
    (void)state;
    static const struct {
        const char *variant;
        double Omega, rms;
    } known[] = {{NULL, 0.5, .84714640},     {NULL, 0.8, .85680666},    {NULL, 1.1, .98758865},
                 {NULL, 1.4, 1.14180765},    {NULL, 1.8, 1.37583150},   {NULL, 2.5, .27004777},
                 {NULL, 3.0, .17581764},     {"set_2", 1.0, .15706076}, {"set_2", 2.5, .37420136},
                 {"set_2", 3.0, 1.14589115}, {"set_2", 3.6, .47979571}, {"set_2", 3.8, .31843940},
                 {"set_2", 4.5, .13787757}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        periodic_open(&m, MODEL("duffing"), known[i].variant, "Omega", "Omega");
        periodic_balance(&m, 0, 1, 31, 0);
        bool high = known[i].variant ? known[i].Omega > 3.55 : known[i].Omega > 2.4;
        double from = high ? 6 : 0.3, step = high ? -0.02 : 0.02;
        for (double w = from; high ? w > known[i].Omega : w < known[i].Omega; w += step)
            assert_int_equal(periodic_solve(&m, w), ZW_OK);
        assert_int_equal(periodic_solve(&m, known[i].Omega), ZW_OK);
        assert_close(periodic_rms(&m, 0), known[i].rms, 6e-9);
        periodic_close(&m);
    }
}

/* ---- curves ---- */

typedef struct curve {
    int n, nfold;
    double low, high; /* of a */
    double fold[16], fold_amplitude[16], correction;
} curve;

static zw_status take(void *user, const zw_cont_point *point, zw_error *err) {
    (void)err;
    curve *c = user;
    c->n++;
    c->low = fmin(c->low, point->a);
    c->high = fmax(c->high, point->a);
    c->correction = fmax(c->correction, point->correction);
    if (point->what == ZW_CONT_FOLD && c->nfold < 16) {
        c->fold[c->nfold] = point->a;
        c->fold_amplitude[c->nfold++] = periodic_amplitude(&m, point->x, 0, 1);
    }
    return ZW_OK;
}

static zw_cont_info follow(curve *c, double from, double low, double high, int direction) {
    zw_cont_problem problem = zw_harmonic_problem(m.balance);
    zw_cont_options o = zw_cont_options_default();
    zw_cont_info info;
    *c = (curve){.low = INFINITY, .high = -INFINITY};
    o.low = low;
    o.high = high;
    o.step_max = 0.1;
    if (zw_continue(&problem, &o, m.x, from, direction, take, c, &info, NULL, &m.err) < 0)
        fail_msg("%s", m.err.text);
    return info;
}

/* Single harmonic, amplitude and frequency of the folds: set 2, others of its numbers changed, and
 * set 1. Numbers of another program, which are also those of the condition of the quadratic for
 * Omega^2 below. */
static void test_harmonic__folds_of_duffing(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double value, A[2], Omega[2];
    } known[] = {{"F", 2, {2.444, 5.658}, {3.3459, 3.5252}},
                 {"k_nl", .2, {1.917, 5.297}, {3.3967, 3.7717}},
                 {"k_nl", .4, {1.511, 4.842}, {3.4587, 4.1287}},
                 {"k_nl", .7, {1.250, 4.435}, {3.5187, 4.5092}},
                 {"c", .05, {2.387, 9.688}, {3.3538, 4.1283}},
                 {"c", .15, {2.598, 3.870}, {3.3305, 3.3529}},
                 {"F", 1, {2.089, 2.946}, {3.2676, 3.2771}},
                 {"F", 3, {2.762, 7.838}, {3.4064, 3.8241}},
                 {"F", 5, {3.247, 11.297}, {3.5057, 4.4250}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        curve c;
        periodic_open(&m, MODEL("duffing"), "set_2", "Omega", "Omega");
        m.p[periodic_parameter(&m, known[i].name)] = known[i].value;
        m.keep = periodic_parameter(&m, known[i].name);
        periodic_balance(&m, 1, 1, 1, 0);
        zw_cont_info info = follow(&c, 0.5, 0.1, 6, 1);
        assert_int_equal(info.end, ZW_CONT_AT_BOUND);
        assert_int_equal(c.nfold, 2);
        for (int k = 0; k < 2; k++) {
            assert_close(c.fold[1 - k], known[i].Omega[k], 6e-5);
            assert_close(c.fold_amplitude[1 - k], known[i].A[k], 6e-4);
            /* ((k - m W + 3/4 k_nl A^2)^2 + c^2 W) A^2 = F^2 with W = Omega^2: dW/d(A^2) is
             * infinite at a fold */
            double W = c.fold[k] * c.fold[k], A2 = c.fold_amplitude[k] * c.fold_amplitude[k],
                   d = m.p[periodic_parameter(&m, "c")], n = m.p[periodic_parameter(&m, "k_nl")],
                   K = 10 - W + 0.75 * n * A2;
            assert_close(K * K + d * d * W + 1.5 * n * K * A2, 0, 1e-8 * (K * K + d * d * W));
        }
        assert_true(c.correction < 1e-5); /* its square is left */
        periodic_close(&m);
    }
}

/* all harmonics: the same folds whatever their number, steps of another length and the other
 * direction */
static void test_harmonic__folds_do_not_depend_on_steps(void **state) {
    (void)state;
    double first[2] = {0};
    for (int i = 0; i < 3; i++) {
        curve c;
        periodic_open(&m, MODEL("duffing"), NULL, "Omega", "Omega");
        periodic_balance(&m, i == 2 ? 1 : 0, i == 2 ? 2 : 1, 15 + 4 * i, 0);
        zw_cont_info info = follow(&c, i == 1 ? 0.3 : 4, 0.3, 4, i == 1 ? 1 : -1);
        assert_int_equal(info.end, ZW_CONT_AT_BOUND);
        double high = -INFINITY, low = INFINITY;
        for (int k = 0; k < c.nfold; k++)
            if (c.fold[k] > 1.5) {
                high = fmax(high, c.fold[k]);
                low = fmin(low, c.fold[k]);
            }
        if (i == 0) {
            first[0] = low;
            first[1] = high;
        }
        assert_close(low, first[0], 1e-8);
        assert_close(high, first[1], 1e-8);
        periodic_close(&m);
    }
}

/* the matrix and its border against differences of the residual: constraints, velocities of their
 * own, sparse blocks */
static void check_derivatives(double a) {
    enum { MANY = 400 };
    zw_cont_problem p = zw_harmonic_problem(m.balance);
    double row[MANY] = {0}, b[MANY], r[MANY], plus[MANY], minus[MANY], y[MANY];
    assert_true(p.n + 1 < MANY);
    for (int i = 0; i < p.n; i++)
        m.x[i] += 0.05 * sin(3.0 * i + 1);
    row[p.n] = 1;
    for (int trial = 0; trial < 5; trial++) {
        double d = 1e-5, da = trial ? 0 : 1;
        for (int i = 0; i <= p.n; i++)
            b[i] = i < p.n ? cos(2.0 * i + trial) : da;
        for (int side = 0; side < 2; side++) {
            double h = side ? -d : d;
            for (int i = 0; i < p.n; i++)
                y[i] = m.x[i] + h * b[i];
            assert_int_equal(p.residual(p.self, y, a + h * da, side ? minus : plus, &m.err), ZW_OK);
        }
        assert_int_equal(p.residual(p.self, m.x, a, r, &m.err), ZW_OK);
        assert_int_equal(p.factor(p.self, m.x, a, row, &m.err), ZW_OK);
        /* the matrix times b is the difference: solve for b */
        double size = 0;
        for (int i = 0; i < p.n; i++)
            size = fmax(size, fabs(plus[i] - minus[i]) / (2 * d));
        for (int i = 0; i < p.n; i++)
            y[i] = (plus[i] - minus[i]) / (2 * d);
        y[p.n] = da;
        p.solve(p.self, y);
        for (int i = 0; i <= p.n; i++)
            assert_close(y[i], b[i], 3e-6);
    }
}

static void test_harmonic__derivatives(void **state) {
    (void)state;
    periodic_open(&m, MODEL("absorber_planar"), NULL, "omega", "omega");
    periodic_balance(&m, 0, 1, 3, 0);
    check_derivatives(3.1);
    periodic_close(&m);
    periodic_open(&m, MODEL("absorber_planar"), NULL, "m", "omega");
    periodic_balance(&m, 1, 2, 5, 0);
    check_derivatives(2.2);
    periodic_close(&m);
    periodic_open(&m, MODEL("pendulum_cartesian"), NULL, "Omega", "Omega");
    periodic_balance(&m, 0, 1, 3, 0);
    m.x[0] = 0.1;
    check_derivatives(1.2);
    periodic_close(&m);
}

/* The planar absorber: first harmonics of phi and zeta by shooting */
static void test_harmonic__absorber_as_by_shooting(void **state) {
    (void)state;
    static const struct {
        double p_0, omega, R, S;
    } known[] = {{0.25, 2.0, .01379, .02834}, {0.25, 3.0, .17769, .02398},
                 {0.25, 4.0, .40921, .24191}, {0.5, 2.5, .12316, .10002},
                 {0.5, 3.5, .22055, .06297},  {0.5, 4.0, .62639, .42128},
                 {1.0, 3.0, .65752, .04951},  {1.0, 3.5, .45581, .14897},
                 {1.0, 4.0, .78978, .60740},  {1.0, 5.0, .11485, .09793}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        periodic_open(&m, MODEL("absorber_planar"), NULL, "p_0", "omega");
        m.p[m.drive] = known[i].omega;
        periodic_balance(&m, 0, 1, 21, 0);
        for (double p = 0.05; p < known[i].p_0 - 1e-9; p += 0.05)
            assert_int_equal(periodic_solve(&m, p), ZW_OK);
        assert_int_equal(periodic_solve(&m, known[i].p_0), ZW_OK);
        assert_close(periodic_amplitude(&m, m.x, 1, 1), known[i].R, 6e-6);
        assert_close(periodic_amplitude(&m, m.x, 0, 1) / 0.71, known[i].S, 6e-6);
        periodic_close(&m);
    }
}

/* One pendulum in an angle and in Cartesian coordinates with its constraint: rms of the angle, and
 * the same place */
static void test_harmonic__pendulum_in_two_coordinates(void **state) {
    (void)state;
    double q[4];
    periodic_open(&m, MODEL("pendulum_polar"), NULL, "Omega", "Omega");
    int angle = m.sys->nq - 1;
    periodic_balance(&m, 0, 1, 25, 0);
    if (m.sys->nq > 1)
        m.x[0] = 0.5;
    assert_int_equal(periodic_solve(&m, 1), ZW_OK);
    assert_close(periodic_rms(&m, angle), .48779523, 6e-9);
    zw_harmonic_state(m.balance, m.x, 1, 0, q, NULL);
    assert_close(q[angle], .71433266, 6e-9);
    periodic_close(&m);
    periodic_open(&m, MODEL("pendulum_cartesian"), NULL, "Omega", "Omega");
    periodic_balance(&m, 0, 1, 25, 0);
    int n = zw_harmonic_coefficients(m.balance);
    m.x[n] = -0.5;
    m.x[2 * n] = 10;
    double F = m.p[periodic_parameter(&m, "F")];
    for (double part = 0.02; part < 1; part += 0.02) {
        m.p[periodic_parameter(&m, "F")] = part * F;
        assert_int_equal(periodic_solve(&m, 1 + 1e-12 * part), ZW_OK);
    }
    m.p[periodic_parameter(&m, "F")] = F;
    assert_int_equal(periodic_solve(&m, 1), ZW_OK);
    zw_harmonic_state(m.balance, m.x, 1, 0, q, NULL);
    assert_close(hypot(q[0], q[1]), 0.5, 1e-9);
    assert_close(atan2(q[0], -q[1]), .71433266, 6e-9);
    periodic_close(&m);
}

/* mean, rms and extremes of series, against sums over many points: with several crests of nearly
 * one height, odd ones alone, nothing */
static void test_harmonic__measures(void **state) {
    (void)state;
    enum { POINTS = 20000 };
    unsigned seed = 1;
    periodic_open(&m, MODEL("duffing"), NULL, "Omega", "Omega");
    for (int round = 0; round < 40; round++) {
        periodic_balance(&m, round % 2, 1 + round % 2, 1 + round % 12, 0);
        int n = zw_harmonic_coefficients(m.balance);
        double mean, rms, max, min, sum = 0, square = 0, high = -INFINITY, low = INFINITY, q[2];
        for (int k = 0; k < n; k++) {
            seed = seed * 1103515245u + 12345u;
            m.x[k] = round == 7 ? 0 : (double)(seed >> 16 & 1023) / 512 - 1;
        }
        for (int i = 0; i < POINTS; i++) {
            zw_harmonic_state(m.balance, m.x, 1, 2 * M_PI * i / POINTS, q, NULL);
            sum += q[0];
            square += q[0] * q[0];
            high = fmax(high, q[0]);
            low = fmin(low, q[0]);
        }
        zw_harmonic_mean(m.balance, m.x, 0, &mean, &rms);
        zw_harmonic_extremes(m.balance, m.x, 0, &max, &min);
        assert_close(mean, sum / POINTS, 1e-12);
        assert_close(rms, sqrt(square / POINTS), 1e-12);
        /* y'' is 12^2 times their sum at most, and half a step away it is less by 2e-8 of that */
        assert_true(max >= high - 1e-9 && max <= high + 3e-5);
        assert_true(min <= low + 1e-9 && min >= low - 3e-5);
    }
    periodic_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_harmonic__duffing_as_by_shooting),
        cmocka_unit_test(test_harmonic__folds_of_duffing),
        cmocka_unit_test(test_harmonic__folds_do_not_depend_on_steps),
        cmocka_unit_test(test_harmonic__derivatives),
        cmocka_unit_test(test_harmonic__absorber_as_by_shooting),
        cmocka_unit_test(test_harmonic__pendulum_in_two_coordinates),
        cmocka_unit_test(test_harmonic__measures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
