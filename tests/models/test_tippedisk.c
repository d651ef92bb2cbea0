/* SPDX-License-Identifier: MIT */
/* The tippedisk against the formulas and numbers of S. Sailer's thesis: mass matrix and bias in
 * Euler angles (3.76)-(3.78) and in co-rotating coordinates (4.5)-(4.6), the three-state equation
 * (4.40)-(4.44), and runs of the models 1.1 to 1.4. The formulas are typed here by hand. */
#include "support/motion.h"

enum { X, Y, Z, AL, BE, GA, N };

static const double r = 0.045, a = 0.015, b = 0.02, thick = 0.01, rho = 7700, g = 9.81;
static const double mu = 0.3, eps = 0.1, Omega = 40;

typedef struct disk {
    double m, e, A, B, C, Bs; /* Bs: about the centre of gravity */
} disk;

/* Table 2.1 */
static disk steel(void) {
    double k = rho * M_PI * thick, t2 = thick * thick;
    disk d = {.m = k * (r * r - a * a), .e = b * a * a / (r * r - a * a)};
    double common = 3 * pow(r, 4) + r * r * t2 - a * a * t2 - 3 * pow(a, 4);
    d.A = k / 12 * common;
    d.B = k / 12 * (common - 12 * a * a * b * b);
    d.C = k / 12 * (6 * pow(r, 4) - 6 * pow(a, 4) - 12 * a * a * b * b);
    d.Bs = d.B - d.m * d.e * d.e;
    return d;
}

typedef struct trig {
    double sa, ca, sb, cb, sg, cg;
} trig;

static trig angles(const double *q) {
    return (trig){sin(q[AL]), cos(q[AL]), sin(q[BE]), cos(q[BE]), sin(q[GA]), cos(q[GA])};
}

/* the lower left of M from its upper right */
static void mirror(double M[N][N]) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++)
            M[i][j] = M[j][i];
}

/* (3.76), (3.77) */
static void euler_mass(const double *q, double M[N][N]) {
    disk d = steel();
    trig t = angles(q);
    double me = d.m * d.e;
    memset(M, 0, sizeof(double[N][N]));
    M[X][X] = M[Y][Y] = M[Z][Z] = d.m;
    M[X][AL] = me * (-t.ca * t.cb * t.sg - t.sa * t.cg);
    M[X][BE] = me * t.sa * t.sb * t.sg;
    M[X][GA] = me * (-t.ca * t.sg - t.sa * t.cb * t.cg);
    M[Y][AL] = me * (-t.sa * t.cb * t.sg + t.ca * t.cg);
    M[Y][BE] = -me * t.ca * t.sb * t.sg;
    M[Y][GA] = me * (-t.sa * t.sg + t.ca * t.cb * t.cg);
    M[Z][BE] = me * t.cb * t.sg;
    M[Z][GA] = me * t.sb * t.cg;
    M[AL][AL] = (d.A * t.sg * t.sg + d.B * t.cg * t.cg) * t.sb * t.sb + d.C * t.cb * t.cb;
    M[AL][BE] = (d.A - d.B) * t.sb * t.sg * t.cg;
    M[AL][GA] = d.C * t.cb;
    M[BE][BE] = d.A * t.cg * t.cg + d.B * t.sg * t.sg;
    M[GA][GA] = d.C;
    mirror(M);
}

/* (3.78), with the weight */
static void euler_bias(const double *q, const double *v, double h[N]) {
    disk d = steel();
    trig t = angles(q);
    double me = d.m * d.e, AB = d.A - d.B, al = v[AL], be = v[BE], ga = v[GA];
    double square = al * al + ga * ga, twist = t.cg * t.cg - t.sg * t.sg;
    double D = d.A * t.sg * t.sg + d.B * t.cg * t.cg - d.C;
    h[X] =
        me * (square * (t.ca * t.cg - t.sa * t.cb * t.sg) - be * be * t.sa * t.cb * t.sg -
              2 * al * be * t.ca * t.sb * t.sg - 2 * al * ga * (t.sa * t.sg - t.ca * t.cb * t.cg) -
              2 * be * ga * t.sa * t.sb * t.cg);
    h[Y] =
        me * (square * (t.sa * t.cg + t.ca * t.cb * t.sg) + be * be * t.ca * t.cb * t.sg -
              2 * al * be * t.sa * t.sb * t.sg + 2 * al * ga * (t.ca * t.sg + t.sa * t.cb * t.cg) +
              2 * be * ga * t.ca * t.sb * t.cg);
    h[Z] = me * ((be * be + ga * ga) * t.sb * t.sg - 2 * be * ga * t.cb * t.cg);
    h[AL] = -be * be * AB * t.cb * t.sg * t.cg - 2 * al * be * D * t.sb * t.cb -
            2 * al * ga * AB * t.sb * t.sb * t.sg * t.cg - be * ga * t.sb * (AB * twist - d.C);
    h[BE] = al * al * t.sb * t.cb * D - al * ga * t.sb * (AB * twist + d.C) +
            2 * be * ga * AB * t.sg * t.cg;
    h[GA] = al * al * AB * t.sb * t.sb * t.sg * t.cg - be * be * t.sg * t.cg * AB +
            al * be * t.sb * (AB * twist + d.C);
    h[Z] -= d.m * g;
    h[BE] -= me * g * t.cb * t.sg;
    h[GA] -= me * g * t.sb * t.cg;
}

/* (4.5) */
static void corotating_mass(const double *q, double M[N][N]) {
    disk d = steel();
    trig t = angles(q);
    double me = d.m * d.e, x = q[X], y = q[Y];
    memset(M, 0, sizeof(double[N][N]));
    M[X][X] = M[Y][Y] = M[Z][Z] = d.m;
    M[X][AL] = -d.m * y - me * t.cb * t.sg;
    M[X][GA] = -me * t.sg;
    M[Y][AL] = d.m * x + me * t.cg;
    M[Y][BE] = -me * t.sb * t.sg;
    M[Y][GA] = me * t.cb * t.cg;
    M[Z][BE] = me * t.cb * t.sg;
    M[Z][GA] = me * t.sb * t.cg;
    M[AL][AL] = d.m * (x * x + y * y) + 2 * me * (x * t.cg + y * t.cb * t.sg) +
                (d.A * t.sg * t.sg + d.B * t.cg * t.cg) * t.sb * t.sb + d.C * t.cb * t.cb;
    M[AL][BE] = (d.A - d.B) * t.sb * t.sg * t.cg - me * x * t.sb * t.sg;
    M[AL][GA] = me * x * t.cb * t.cg + me * y * t.sg + d.C * t.cb;
    M[BE][BE] = d.A * t.cg * t.cg + d.B * t.sg * t.sg;
    M[GA][GA] = d.C;
    mirror(M);
}

/* (4.6), with the weight */
static void corotating_bias(const double *q, const double *v, double h[N]) {
    disk d = steel();
    trig t = angles(q);
    double m = d.m, me = d.m * d.e, AB = d.A - d.B, x = q[X], y = q[Y];
    double xd = v[X], yd = v[Y], al = v[AL], be = v[BE], ga = v[GA];
    double twist = t.cg * t.cg - t.sg * t.sg, E = d.A * t.sg * t.sg + d.B * t.cg * t.cg;
    h[X] =
        m * (x * al * al + 2 * yd * al) +
        me * ((al * al + ga * ga) * t.cg - 2 * al * be * t.sb * t.sg + 2 * al * ga * t.cb * t.cg);
    h[Y] = m * (y * al * al - 2 * xd * al) + me * ((al * al + be * be + ga * ga) * t.cb * t.sg +
                                                   2 * al * ga * t.sg + 2 * be * ga * t.sb * t.cg);
    h[Z] = me * ((be * be + ga * ga) * t.sb * t.sg - 2 * be * ga * t.cb * t.cg);
    h[AL] = -2 * m * (x * xd + y * yd) * al -
            me * (2 * xd * al * t.cg + (2 * yd * al - x * be * be - x * ga * ga) * t.cb * t.sg -
                  2 * x * al * ga * t.sg - 2 * x * be * ga * t.sb * t.cg + y * ga * ga * t.cg -
                  2 * y * al * be * t.sb * t.sg + 2 * y * al * ga * t.cb * t.cg) -
            AB * (be * be * t.cb * t.sg * t.cg + 2 * al * ga * t.sb * t.sb * t.sg * t.cg +
                  be * ga * t.sb * twist) -
            2 * (E - d.C) * al * be * t.sb * t.cb + d.C * be * ga * t.sb;
    h[BE] = me * (2 * xd * al - y * al * al) * t.sb * t.sg +
            AB * (2 * be * ga * t.sg * t.cg - al * ga * t.sb * twist) + E * al * al * t.sb * t.cb -
            d.C * (al * al * t.sb * t.cb + al * ga * t.sb);
    h[GA] = -me * (2 * yd * al + x * al * al) * t.sg -
            me * (2 * xd * al - y * al * al) * t.cb * t.cg +
            AB * ((al * al * t.sb * t.sb - be * be) * t.sg * t.cg + al * be * twist * t.sb) +
            d.C * al * be * t.sb;
    h[Z] -= m * g;
    h[BE] -= me * g * t.cb * t.sg;
    h[GA] -= me * g * t.sb * t.cg;
}

/* every entry of M and h at random points, relative to the largest one of its kind */
static void compare_matrices(const char *model, void (*mass)(const double *, double M[N][N]),
                             void (*bias)(const double *, const double *, double *)) {
    motion m;
    test_random random = {7};
    motion_open(&m, model, NULL, NULL, 1e-8);
    zw_expr sym[MOTION_MAX];
    double value[MOTION_MAX];
    int n = m.sys->np;
    for (int i = 0; i < n; i++) {
        sym[i] = m.sys->param[i].sym;
        value[i] = m.p[i];
    }
    for (int i = 0; i < N; i++) {
        sym[n + i] = m.eq.q[i];
        sym[n + N + i] = m.eq.v[i];
    }
    for (int k = 0; k < 50; k++) {
        double *q = value + n, *v = value + n + N, M[N][N], h[N], largest = 0;
        for (int i = 0; i < N; i++) {
            q[i] = test_random_real(&random, -3, 3);
            v[i] = test_random_real(&random, -30, 30);
        }
        mass(q, M);
        bias(q, v, h);
        for (int i = 0; i < N; i++)
            largest = fmax(largest, fabs(h[i]));
        for (int i = 0; i < N; i++) {
            double hi = zw_eval(m.ctx, m.eq.h[i], n + 2 * N, sym, value);
            assert_true(fabs(hi - h[i]) <= 1e-12 * largest);
            for (int j = 0; j < N; j++) {
                double Mij = zw_eval(m.ctx, m.eq.M[i * N + j], n + 2 * N, sym, value);
                assert_true(fabs(Mij - M[i][j]) <= 1e-12 * sqrt(M[i][i] * M[j][j]));
            }
        }
    }
    motion_close(&m);
}

static void test_tippedisk__euler_mass_and_bias(void **state) {
    (void)state;
    compare_matrices("tippedisk", euler_mass, euler_bias);
}

static void test_tippedisk__corotating_mass_and_bias(void **state) {
    (void)state;
    compare_matrices("tippedisk_corotating", corotating_mass, corotating_bias);
}

/* (4.39) with (4.40)-(4.44): beta'' */
static double reduced_acceleration(double beta, double gamma, double y) {
    disk d = steel();
    double sb = sin(beta), cb = cos(beta), sg = sin(gamma), cg = cos(gamma), O = Omega;
    double arm = r + d.e * sg, J = d.A * cg * cg + d.Bs * sg * sg;
    double M = J + d.m * arm * arm * cb * cb;
    double h = J * O * O * sb * cb - 2 * (d.A - d.Bs) * O * y * cb * sg * cg +
               d.m * arm * arm * y * y * sb * cb +
               d.m * d.e * arm * O * O * sb * cb * cb * cb * sg -
               d.m * d.e * arm * (3 * sb * sb - 2) * O * y * cb * cg;
    double slip = arm * sb * y - d.e * O * sb * sb * cg;
    double lambda = -mu * d.m * g * slip / (fabs(slip) + eps);
    return (h - d.m * g * arm * cb + arm * sb * lambda) / M;
}

/* accelerations of model 1.4 at the admissible state that (t, alpha, beta, gamma, beta')
 * determine */
static void test_tippedisk__chain_ends_in_three_states(void **state) {
    (void)state;
    static const char *const models[] = {"tippedisk", "tippedisk_corotating"};
    for (int k = 0; k < 2; k++) {
        motion m;
        bool inertial = k == 0;
        test_random random = {3};
        motion_begin(&m, &(motion_plan){models[k], "weight", NULL, "cog,roll,spin", NULL, 1e-8});
        assert_int_equal(m.eq.nc, 5);
        for (int i = 0; i < 50; i++) {
            disk d = steel();
            zw_error err = {0};
            double x[2 * N], rate[2 * N], z[N + 5];
            double al = test_random_real(&random, -3, 3), be = test_random_real(&random, 0.4, 2.7);
            double ga = test_random_real(&random, -3, 3), y = test_random_real(&random, -8, 8);
            double gd = -Omega * cos(be);
            /* the centre in the frame R, its rate there: (4.36) */
            double p = -d.e * cos(ga), s = -d.e * cos(be) * sin(ga);
            double pd = d.e * sin(ga) * gd,
                   sd = d.e * (sin(be) * sin(ga) * y - cos(be) * cos(ga) * gd);
            double q[N] = {p, s, r * sin(be), al, be, ga},
                   v[N] = {pd, sd, r * cos(be) * y, Omega, y, gd};
            if (inertial) {
                q[X] = cos(al) * p - sin(al) * s;
                q[Y] = sin(al) * p + cos(al) * s;
                v[X] = cos(al) * (pd - Omega * s) - sin(al) * (sd + Omega * p);
                v[Y] = sin(al) * (pd - Omega * s) + cos(al) * (sd + Omega * p);
            }
            memcpy(x, q, sizeof q);
            memcpy(x + N, v, sizeof v);
            assert_int_equal(zw_flow_rates(zw_run_flow(m.run), 0, x, rate, z, &err), ZW_OK);
            double expected = reduced_acceleration(be, ga, y);
            assert_true(fabs(z[BE] - expected) <= 1e-11 * fmax(100, fabs(expected)));
            assert_true(fabs(z[GA] - Omega * sin(be) * y) <= 1e-11 * 1000);
            assert_true(fabs(z[AL]) <= 1e-10);
        }
        motion_close(&m);
    }
}

/* ------------------------------------------------------------------------------------- runs */

static const char *const chain[4] = {NULL, "cog", "cog,roll", "cog,roll,spin"}; /* models 1.1-1.4 */

static void open_model(motion *m, int k) {
    motion_begin(m, &(motion_plan){"tippedisk", k ? "weight" : NULL, NULL, chain[k], NULL, 1e-9});
}

/* model 1.1: energies and the angle gamma of the inversion */
static void test_tippedisk__inversion(void **state) {
    (void)state;
    motion m;
    open_model(&m, 0);
    assert_close(motion_energy(&m), 0.38026, 5e-6);
    assert_close(motion_observable(&m, "height"), 42.5 + 2.5 * (1 - cos(0.1)), 1e-9);
    motion_to(&m, 0.25);
    assert_close(motion_state(&m, "gamma"), -1.0393, 5e-5);
    motion_to(&m, 0.5);
    assert_close(motion_energy(&m), 0.36183, 5e-6);
    assert_close(motion_state(&m, "gamma"), 1.2887, 5e-5);
    motion_to(&m, 0.75);
    assert_close(motion_state(&m, "gamma"), 2.2340, 5e-5);
    motion_to(&m, 1);
    assert_close(motion_energy(&m), 0.35846, 5e-6);
    assert_close(motion_state(&m, "gamma"), 1.8079, 5e-5);
    assert_true(fabs(motion_state(&m, "alpha'") - 35.6) < 0.05);
    motion_to(&m, 5);
    assert_close(motion_energy(&m), 0.35007, 1e-5);
    assert_true(fabs(motion_observable(&m, "height") - 47.5) < 0.1);
    assert_true(zw_run_statistics(m.run).position_residual < 1e-12);
    motion_close(&m);
}

/* the same motion from a quaternion and from co-rotating coordinates */
static void test_tippedisk__parametrisations_agree(void **state) {
    (void)state;
    motion euler, quaternion, rotating;
    open_model(&euler, 0);
    motion_open(&quaternion, "tippedisk_quaternion", NULL, NULL, 1e-9);
    motion_open(&rotating, "tippedisk_corotating", NULL, NULL, 1e-9);
    for (double t = 0.1; t < 1.05; t += 0.1) {
        motion_to(&euler, t);
        motion_to(&quaternion, t);
        motion_to(&rotating, t);
        double al = motion_state(&euler, "alpha"), x = motion_state(&rotating, "x"),
               y = motion_state(&rotating, "y");
        assert_close(motion_observable(&quaternion, "beta"), motion_state(&euler, "beta"), 2e-6);
        assert_close(motion_observable(&quaternion, "gamma"), motion_state(&euler, "gamma"), 2e-6);
        assert_close(motion_state(&quaternion, "x"), motion_state(&euler, "x"), 1e-7);
        assert_close(motion_state(&rotating, "beta"), motion_state(&euler, "beta"), 2e-6);
        assert_close(motion_state(&rotating, "gamma"), motion_state(&euler, "gamma"), 2e-6);
        assert_close(cos(al) * x - sin(al) * y, motion_state(&euler, "x"), 1e-7);
    }
    motion_close(&euler);
    motion_close(&quaternion);
    motion_close(&rotating);
}

/* first passage of gamma through 90 deg, and how far it swings beyond */
static void passage(motion *m, double *first, double *beyond) {
    double before = motion_state(m, "gamma"), step = 1e-3;
    *first = *beyond = 0;
    for (double t = step; t < 2; t += step) {
        motion_to(m, t);
        double gamma = motion_state(m, "gamma");
        if (*first == 0 && gamma >= M_PI / 2)
            *first = t - step * (gamma - M_PI / 2) / (gamma - before);
        before = gamma;
        *beyond = fmax(*beyond, gamma - M_PI / 2);
    }
}

static void test_tippedisk__chain_of_models(void **state) {
    (void)state;
    static const double firsts[4] = {0.550, 0.684, 0.839, 0.854};
    static const double overshoots[4] = {0.663, 0.289, 0.480, 0.259};
    for (int k = 0; k < 4; k++) {
        motion m;
        double first, beyond;
        open_model(&m, k);
        passage(&m, &first, &beyond);
        assert_true(fabs(first - firsts[k]) < 6e-4);
        assert_true(fabs(beyond - overshoots[k]) < 6e-4);
        motion_close(&m);
    }
}

/* the spin during inversion drops by about a tenth, unless it is prescribed */
static void test_tippedisk__spin_drops(void **state) {
    (void)state;
    static const double after_1[4] = {35.6, 35.25, 36.24, 40}, after_5[4] = {0, 35.11, 35.72, 40};
    double widest[4] = {0}; /* inclination from the upright, late */
    for (int k = 0; k < 4; k++) {
        motion m;
        open_model(&m, k);
        motion_to(&m, 1);
        assert_true(fabs(motion_state(&m, "alpha'") - after_1[k]) < 0.01);
        for (double t = 4; t < 5.005; t += 0.01) {
            motion_to(&m, t);
            widest[k] = fmax(widest[k], fabs(motion_state(&m, "beta") - M_PI / 2));
        }
        if (k > 0)
            assert_true(fabs(motion_state(&m, "alpha'") - after_5[k]) < 0.006);
        /* the oscillation stays in model 1.1 and dies out in the others */
        if (k > 0)
            assert_true(widest[k] < widest[0] / 10);
        motion_close(&m);
    }
}

/* model 1.4 and the equation in three states are the same motion */
static void test_tippedisk__three_states_run(void **state) {
    (void)state;
    motion full, reduced;
    open_model(&full, 3);
    motion_open(&reduced, "tippedisk_reduced", NULL, NULL, 1e-9);
    for (int k = 1; k <= 10; k++) {
        motion_to(&full, 0.1 * k);
        motion_to(&reduced, 0.1 * k);
        assert_close(motion_state(&full, "beta"), motion_state(&reduced, "beta"), 1e-6);
        assert_close(motion_state(&full, "gamma"), motion_state(&reduced, "gamma"), 1e-6);
        if (k == 5) {
            assert_close(motion_state(&full, "beta"), 1.70176, 5e-6);
            assert_close(motion_state(&full, "gamma"), -0.33434, 6e-6);
        }
    }
    assert_close(motion_state(&full, "beta"), 1.56813, 5e-6);
    assert_close(motion_state(&full, "gamma"), 1.82945, 5e-6);
    motion_close(&full);
    motion_close(&reduced);
}

/* Harmonic balance in closed form (figure 4.6). The speeds of the table are known to 1e-4 rad/s,
 * and near the Hopf point the amplitude has the slope C/(2 (Omega_c - Omega)) over them. */
static void test_tippedisk__limit_cycles_by_balance(void **state) {
    (void)state;
    static const double rows[][3] = {
        {30.8948, 0.06865, 0.89096}, {30.7856, 0.16756, 0.91741}, {30.5168, 0.29250, 0.99218}};
    const disk d = steel();
    const double critical = sqrt(pow(r + d.e, 2) * d.m * g / (r * d.Bs));
    motion m;
    char set[40];
    assert_close(critical, 30.91676, 2e-7);
    for (int i = 0; i < 3; i++) {
        double C = rows[i][1], slope = C / (2 * (critical - rows[i][0]));
        snprintf(set, sizeof set, "Omega_0=%.4f [rad/s]", rows[i][0]);
        motion_open(&m, "tippedisk_balance", NULL, set, 1e-9);
        assert_close(motion_observable(&m, "C"), C, 1e-4 * slope + 5e-6);
        assert_close(motion_observable(&m, "T"), rows[i][2], 0.25 * 1e-4 + 5e-6);
        motion_close(&m);
    }
    /* (4.72) against the same with the cubic term of (4.59), and (4.73) with the inertia of Table
     * 2.1 */
    motion_open(&m, "tippedisk_balance", NULL, "Omega_0=30.9 [rad/s]", 1e-9);
    assert_close(motion_observable(&m, "C"), 0.05993, 6e-6);
    assert_close(motion_observable(&m, "C_1"), 0.05926, 6e-6);
    assert_true(fabs(motion_observable(&m, "chi") - 1.100e-7) < 5e-11);
    motion_close(&m);
    /* the cycle ends in the Hopf point, with the period of the critical eigenvalues */
    snprintf(set, sizeof set, "Omega_0=%.12f [rad/s]", critical - 1e-10);
    motion_open(&m, "tippedisk_balance", NULL, set, 1e-9);
    assert_true(motion_observable(&m, "C") < 1e-5);
    assert_close(motion_observable(&m, "T"), 2 * M_PI / (critical * sqrt(d.e / (r + d.e))), 1e-9);
    assert_close(motion_observable(&m, "T"), 0.88586, 6e-6);
    motion_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tippedisk__euler_mass_and_bias),
        cmocka_unit_test(test_tippedisk__corotating_mass_and_bias),
        cmocka_unit_test(test_tippedisk__chain_ends_in_three_states),
        cmocka_unit_test(test_tippedisk__inversion),
        cmocka_unit_test(test_tippedisk__parametrisations_agree),
        cmocka_unit_test(test_tippedisk__chain_of_models),
        cmocka_unit_test(test_tippedisk__spin_drops),
        cmocka_unit_test(test_tippedisk__three_states_run),
        cmocka_unit_test(test_tippedisk__limit_cycles_by_balance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
