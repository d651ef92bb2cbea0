/* SPDX-License-Identifier: MIT */
/* Melnikov's method against closed forms (residues, sech), numbers of the literature, connecting
 * orbits and cycles that other methods find. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/failing_allocator.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"
#define EXACT 1e-12 /* of what is 1 or so: closed forms */
#define assert_near(a, b, tol) assert_close((a) - (b), 0, tol) /* absolute */
#define DISC "-(1 + kappa*sin(gamma))^2*sin(beta)^2/2"

static zw_context *ctx;
static zw_system *sys;
static zw_melnikov *study;
static zw_error err;

/* the model, or its text, with up to three settings */
static zw_status open_study(const char *text, const char *variant, const char *const *set, int nset,
                            const zw_melnikov_options *o) {
    zw_model_options model = {.size = sizeof model, .variant = variant, .nset = nset, .set = set};
    err = (zw_error){0};
    study = NULL;
    ctx = zw_context_create(NULL);
    zw_status status = text[0] == '/'
                           ? zw_model_read(&sys, ctx, text, &model, &err)
                           : zw_model_parse(&sys, ctx, text, strlen(text), "test", &model, &err);
    if (status < 0)
        fail_msg("%s", err.text);
    return zw_melnikov_create(&study, sys, o, &err);
}

static void close_study(void) {
    zw_melnikov_destroy(study);
    zw_context_destroy(ctx);
}

static void find(const char *text, const char *variant, const char *const *set, int nset,
                 const zw_melnikov_options *o) {
    if (open_study(text, variant, set, nset, o) < 0 || zw_melnikov_find(study, &err) < 0)
        fail_msg("%s (%s)", err.text, err.hint);
}

static zw_melnikov_options ask(const char *small) {
    zw_melnikov_options o = zw_melnikov_options_default();
    o.small = small;
    return o;
}

static void is_doubtless(void) {
    zw_warnings *doubts = zw_warnings_create(NULL);
    zw_melnikov_warnings(study, doubts);
    if (zw_warnings_count(doubts) > 0)
        fail_msg("%s", zw_warnings_at(doubts, 0)->text);
    zw_warnings_destroy(doubts);
}

/* both integrals are the same */
static void agree(const zw_melnikov_separatrix *q, double size) {
    assert_near(q->time.mean, q->coordinate.mean, EXACT * size);
    for (int k = 0; k < q->time.harmonics; k++) {
        assert_near(q->time.c[k], q->coordinate.c[k], EXACT * size);
        assert_near(q->time.s[k], q->coordinate.s[k], EXACT * size);
    }
    assert_true(q->closing < 1e-12);
    assert_true(q->drift < 1e-14);
}

/* x'' = x - x^3 + F cos(w t) - delta x': x0 = sqrt(2) sech t; M = -4 delta/3 + sqrt(2) pi w F
 * sech(pi w/2) sin(w t0) */
static void test_melnikov__duffing(void **state) {
    (void)state;
    static const char *const w[] = {"w=0.5", "w=1", "w=2"};
    static const double value[] = {0.5, 1, 2};
    for (int i = 0; i < 3; i++) {
        zw_melnikov_options o = ask("F, delta");
        o.over = "F=0:2";
        o.points = 6;
        find(MODEL("two_well"), NULL, &w[i], 1, &o);
        assert_int_equal(zw_melnikov_separatrices(study), 2);
        double drive = sqrt(2) * M_PI * value[i] / cosh(M_PI * value[i] / 2);
        for (int k = 0; k < 2; k++) {
            const zw_melnikov_separatrix *q = zw_melnikov_separatrix_at(study, k);
            assert_int_equal(q->npart, 2);
            assert_string_equal(q->factor[0], "delta");
            assert_near(q->integral[0].mean, -4.0 / 3, EXACT);
            assert_near(q->integral[1].mean, 0, EXACT);
            assert_near(q->integral[1].s[0], q->side * drive, EXACT);
            assert_near(q->integral[1].c[0], 0, EXACT);
            assert_near(q->time.mean, -0.25 * 4 / 3, EXACT);
            assert_near(q->time.high, -1.0 / 3 + 0.2 * drive, EXACT);
            agree(q, 1);
            double x[2];
            zw_melnikov_point(study, k, 0.7, x);
            assert_near(x[0], q->side * sqrt(2) / cosh(0.7), EXACT);
            zw_melnikov_point(study, k, -30, x); /* exact to rounding of itself */
            assert_near(x[0] * exp(30) / sqrt(8), q->side, EXACT);
        }
        assert_int_equal(zw_melnikov_roots(study), 2);
        for (int k = 0; k < 2; k++) {
            const zw_melnikov_root *r = zw_melnikov_root_at(study, k);
            double threshold =
                0.25 * 4 * cosh(M_PI * value[i] / 2) / (3 * sqrt(2) * M_PI * value[i]);
            assert_near(r->value, threshold, EXACT);
            assert_near(r->other, threshold, EXACT);
            assert_int_equal(r->rises, 1);
        }
        close_study();
    }
}

/* phi'' + sin(phi) = eps (gamma cos(w t) - delta phi'): phi' = 2 sech t; M = 2 pi gamma sech(pi
 * w/2) cos(w t0) - 8 delta */
static void test_melnikov__pendulum(void **state) {
    (void)state;
    zw_melnikov_options o = ask("eps");
    o.over = "gamma=0:20";
    o.marks = "w=0.4:2:5";
    o.points = 6;
    o.side = 1;
    find(MODEL("melnikov_pendulum"), NULL, NULL, 0, &o);
    const zw_melnikov_separatrix *q = zw_melnikov_separatrix_at(study, 0);
    assert_near(q->integral[0].mean, -8, EXACT);
    assert_near(q->integral[1].c[0], 2 * M_PI / cosh(M_PI / 2), EXACT);
    agree(q, 8);
    is_doubtless();
    int curve = 0;
    for (int i = 0; i < zw_melnikov_roots(study); i++) {
        const zw_melnikov_root *r = zw_melnikov_root_at(study, i);
        double w = isnan(r->second) ? 1 : r->second;
        assert_near(r->value / (0.5 * 4 / M_PI * cosh(M_PI * w / 2)), 1, EXACT);
        curve += !isnan(r->second);
    }
    assert_int_equal(curve, 5);
    close_study();
}

/* a drive with two harmonics: M(t0) is the sum of both */
static void test_melnikov__two_harmonics(void **state) {
    (void)state;
    static const char text[] = "model m \"m\"\nunits none\nparam eps = 0.01, a = 1, b = 0.5\nstate "
                               "x, y : x' = y, y' = x - x^3 + eps*(a*cos(t) + "
                               "b*cos(3*t + 1) - y)\nstart x = 0.1\n";
    zw_melnikov_options o = ask("eps");
    o.side = 1;
    find(text, NULL, NULL, 0, &o);
    const zw_melnikov_separatrix *q = zw_melnikov_separatrix_at(study, 0);
    double first = sqrt(2) * M_PI / cosh(M_PI / 2),
           third = 0.5 * sqrt(2) * 3 * M_PI / cosh(1.5 * M_PI);
    assert_int_equal(q->time.harmonics, 3);
    assert_near(q->time.mean, -4.0 / 3, EXACT);
    assert_near(q->time.s[0], first, EXACT);
    assert_near(q->time.s[2], third * cos(1), EXACT);
    assert_near(q->time.c[2], third * sin(1), EXACT);
    assert_near(zw_melnikov_at(&q->time, 0.3), -4.0 / 3 + first * sin(0.3) + third * sin(0.9 + 1),
                EXACT);
    double high = -INFINITY;
    for (int k = 0; k < 100000; k++)
        high = fmax(high, zw_melnikov_at(&q->time, 2 * M_PI * k / 100000));
    assert_near(q->time.high, high, 1e-8);
    agree(q, 1);
    close_study();
}

/* y' = -1 + x^2 + eps (nu y + x y), saddle x = 1, loop x = 1 - 3 sech^2(t/sqrt 2): homoclinic at nu
 * = 5/7, Hopf at nu = 1, and one cycle between (Guckenheimer and Holmes, section 7.3) */
static const char takens[] = "model m \"m\"\nunits none\nparam eps = 0.05, nu = 0.9\nstate x, y : "
                             "x' = y, y' = -1 + x^2 + eps*(nu*y + x*y)\nstart x "
                             "= -1.1\n";
static void test_melnikov__bogdanov_takens(void **state) {
    (void)state;
    zw_melnikov_options o = ask("eps");
    o.over = "nu=0:2";
    o.points = 5;
    find(takens, NULL, NULL, 0, &o);
    assert_int_equal(zw_melnikov_separatrices(study), 1); /* the other side goes to infinity */
    assert_int_equal(zw_melnikov_roots(study), 1);
    assert_near(zw_melnikov_root_at(study, 0)->value, 5.0 / 7, EXACT);
    assert_near(zw_melnikov_root_at(study, 0)->other, 5.0 / 7, EXACT);
    /* y = 3 sqrt(2) sech^2 tanh of t/sqrt(2): int y^2 dt = 18 sqrt(2) (2/3 - 2/5) */
    const zw_melnikov_separatrix *q = zw_melnikov_separatrix_at(study, 0);
    assert_int_equal(q->npart, 2);
    for (int k = 0; k < 2; k++)
        assert_near(q->integral[k].mean,
                    24 * sqrt(2) / 5 * (strcmp(q->factor[k], "nu") == 0 ? 1 : -5.0 / 7),
                    10 * EXACT);
    close_study();
    o = ask("eps");
    o.cycles = true;
    o.over = "nu=0.5:1.2";
    o.points = 15;
    find(takens, NULL, NULL, 0, &o);
    int n = zw_melnikov_cycles(study);
    assert_int_equal(n, 15);
    assert_near(zw_melnikov_cycle_at(study, 0)->value, 1, 1e-3);
    assert_near(zw_melnikov_cycle_at(study, n - 1)->value, 5.0 / 7, 2e-3);
    for (int i = 1; i < n; i++) {
        assert_true(zw_melnikov_cycle_at(study, i)->value <
                    zw_melnikov_cycle_at(study, i - 1)->value);
        assert_true(zw_melnikov_cycle_at(study, i)->multiplier > 1);
        assert_false(zw_melnikov_cycle_at(study, i)->fold);
    }
    close_study();
}

/* Sailer (2023), Tables 5.1 and 5.3: 30.11 and 31.36 by rounded inertia; unrounded 30.126, 31.356.
 * It does not depend on mu and eps. */
static void test_melnikov__tippedisk(void **state) {
    (void)state;
    static const char *const other[] = {"mu=0.1", "eps=0.03 [m/s]"};
    zw_melnikov_options o = ask("eps");
    o.over = "Omega=29:32";
    o.points = 4;
    double first = 0;
    for (int i = 0; i < 3; i++) {
        find(MODEL("tippedisk_slow"), i == 1 ? "filled" : NULL, other, i == 2 ? 2 : 0, &o);
        assert_int_equal(zw_melnikov_roots(study), 2);
        for (int k = 0; k < 2; k++) {
            const zw_melnikov_root *r = zw_melnikov_root_at(study, k);
            assert_near(r->value, i == 1 ? 31.356 : 30.126, 1e-3);
            assert_near(r->value, r->other, 30 * EXACT);
            agree(zw_melnikov_separatrix_at(study, k), 30);
        }
        const zw_melnikov_root *r = zw_melnikov_root_at(study, 0);
        if (i == 0)
            first = r->value;
        if (i == 2)
            assert_near(r->value, first, 30 * EXACT);
        if (i != 1) { /* (5.36) */
            const zw_melnikov_separatrix *q = zw_melnikov_separatrix_at(study, 0);
            assert_near(q->middle[0], M_PI - asin(42.5 / 47.5), EXACT);
        }
        is_doubtless();
        close_study();
    }
}

/* (5.44), (5.45) for kappa = 1/18, and the series (5.53), (5.55) with rational coefficients */
static void test_melnikov__integrals_of_the_disc(void **state) {
    (void)state;
    static const char *const set[] = {"kappa=1/18", "zeta=1.1093117408906883"};
    static const long expected[3][2][2] = {
        {{-56, 15}, {116, 35}}, {{-64, 15}, {352, 105}}, {{8, 1}, {28, 3}}};
    zw_melnikov_options o = ask("eps");
    o.conserved = DISC;
    o.side = 1;
    o.expand = "kappa=0:0.2";
    find(MODEL("tippedisk_normalised"), NULL, set, 2, &o);
    const zw_melnikov_separatrix *q = zw_melnikov_separatrix_at(study, 0);
    assert_int_equal(q->npart, 3);
    assert_string_equal(q->factor[0], "w^2/mu");
    assert_string_equal(q->factor[1], "zeta*w^2/mu");
    assert_string_equal(q->factor[2], "1/mu");
    assert_near(q->integral[2].mean, 2.015075, 1e-6);
    assert_near(q->integral[0].mean + 1.1093117408906883 * q->integral[1].mean, -1.904691, 1e-6);
    assert_int_equal(zw_melnikov_expansions(study), 3);
    for (int i = 0; i < 3; i++) {
        const zw_melnikov_series *e = zw_melnikov_series_at(study, i);
        assert_int_equal(e->power_num, 1);
        assert_int_equal(e->power_den, 2);
        for (int k = 0; k < 2; k++) {
            assert_true(e->term[k].recognised);
            assert_int_equal(e->term[k].num, expected[i][k][0]);
            assert_int_equal(e->term[k].den, expected[i][k][1]);
            assert_true(e->term[k].digits > (k ? 9 : 12));
        }
    }
    /* by hand: with x = sin(gamma/2 - pi/4), kappa^2 has 4 int (2 - 3 x^2 + 7/8 x^4) dx = 47/5 */
    const zw_melnikov_term *third = &zw_melnikov_series_at(study, 2)->term[2];
    assert_true(third->recognised);
    assert_int_equal(third->num, 47);
    assert_int_equal(third->den, 5);
    close_study();
}

/* Hamilton's variables: the momentum is arm^2 gamma', the integral the same */
static void test_melnikov__canonical(void **state) {
    (void)state;
    double M[2];
    for (int i = 0; i < 2; i++) {
        zw_melnikov_options o = ask("c");
        o.principle = i ? "hamilton" : NULL;
        o.side = 1;
        find(MODEL("tippedisk_rolling"), NULL, NULL, 0, &o);
        const zw_melnikov_separatrix *q = zw_melnikov_separatrix_at(study, 0);
        M[i] = q->time.mean;
        agree(q, 1);
        assert_near(q->middle[1], (i ? 0.0475 * 0.0475 : 1) * 30.5 * sqrt(1 - pow(42.5 / 47.5, 2)),
                    1e-12);
        close_study();
    }
    assert_near(M[0], M[1], 1e-13);
    /* time goes with 1/Omega, C with its square: M is proportional to it, from slow spins to fast
     * ones */
    static const char *const spin[] = {"Omega=0.01", "Omega=40", "Omega=1e4"};
    static const double value[] = {0.01, 40, 1e4};
    for (int i = 0; i < 3; i++) {
        zw_melnikov_options o = ask("c");
        find(MODEL("tippedisk_rolling"), NULL, &spin[i], 1, &o);
        for (int k = 0; k < 2; k++)
            assert_near(zw_melnikov_separatrix_at(study, k)->time.mean / (M[0] / 30.5 * value[i]),
                        1, EXACT);
        close_study();
    }
}

/* what is no fraction is not taken for one: sqrt(2) pi sech(pi/2), at another frequency of the
 * phase a number */
static void test_melnikov__recognises_no_fraction(void **state) {
    (void)state;
    static const char text[] = "model m \"m\"\nunits none\nparam eps = 0.01, a = 0\nstate x, y : "
                               "x' = y, y' = x - x^3 + eps*exp(a*x)*y*cos(x)\nstart x "
                               "= 0.1\n";
    zw_melnikov_options o = ask("eps");
    o.side = 1;
    o.expand = "a=0:0.5";
    find(text, NULL, NULL, 0, &o);
    const zw_melnikov_series *e = zw_melnikov_series_at(study, 0);
    assert_int_equal(e->power_num, 0);
    assert_false(e->term[0].recognised);
    assert_true(e->term[0].error < 1e-11);
    close_study();
}

/* Van der Pol: M = 2 pi C - pi C^2, C = a^2/2: a = 2, dM/dC = -2 pi */
static void test_melnikov__van_der_pol(void **state) {
    (void)state;
    static const char *const set[] = {"mu=0.1"};
    zw_melnikov_options o = ask("mu");
    o.cycles = true;
    o.amplitude = "0.5:4";
    find(MODEL("van_der_pol"), NULL, set, 1, &o);
    assert_int_equal(zw_melnikov_cycles(study), 1);
    const zw_melnikov_cycle *c = zw_melnikov_cycle_at(study, 0);
    assert_near(c->amplitude, 2, EXACT);
    assert_near(c->period, 2 * M_PI, EXACT);
    assert_near(c->slope, -2 * M_PI, 1e-6); /* by a difference */
    assert_near(c->multiplier, exp(-0.2 * M_PI), 1e-6);
    assert_true(c->error < EXACT);
    is_doubtless();
    close_study();
}

/* x'' + x + eps (mu - 5 x^2 + 2 x^4) x' = 0: M = -pi a^2 (mu - 5/4 a^2 + a^4/4), for mu = 1 cycles
 * at a = 1 (unstable) and a = 2 (stable); fold at mu = 25/16, a^2 = 5/2 */
static void test_melnikov__two_cycles_and_their_fold(void **state) {
    (void)state;
    static const char text[] = "model m \"m\"\nunits none\nparam eps = 0.01, mu = 1\nstate x, y : "
                               "x' = y, y' = -x - eps*(mu - 5*x^2 + 2*x^4)*y\nstart x = 0.1\n";
    zw_melnikov_options o = ask("eps");
    o.cycles = true;
    o.amplitude = "0.13:3";
    o.points = 12;
    find(text, NULL, NULL, 0, &o);
    assert_int_equal(zw_melnikov_cycles(study), 2);
    for (int i = 0; i < 2; i++) {
        const zw_melnikov_cycle *c = zw_melnikov_cycle_at(study, i);
        assert_near(c->amplitude, i + 1, EXACT);
        assert_int_equal(c->multiplier < 1, i == 1);
    }
    close_study();
    o.over = "mu=0:5";
    find(text, NULL, NULL, 0, &o);
    int folds = 0;
    for (int i = 0; i < zw_melnikov_cycles(study); i++) {
        const zw_melnikov_cycle *c = zw_melnikov_cycle_at(study, i);
        double A = c->amplitude * c->amplitude;
        assert_near(c->value, 1.25 * A - A * A / 4, EXACT); /* also at the fold */
        if (c->fold) {
            folds++;
            assert_near(c->value, 25.0 / 16, EXACT);
            assert_near(c->amplitude, sqrt(2.5),
                        1e-6); /* the place of an extremum: the root of rounding */
        }
    }
    assert_int_equal(folds, 1);
    close_study();
}

/* complete elliptic integrals of the modulus k, by the arithmetic-geometric mean; other^2 = 1 -
 * k^2 */
static void elliptic_of(double k, double other, double *K, double *E) {
    double a = 1, b = other, sum = k * k / 2, power = 0.5;
    while (fabs(a - b) > 1e-15 * a) {
        double c = (a - b) / 2, next = (a + b) / 2;
        b = sqrt(a * b);
        a = next;
        power *= 2;
        sum += power * c * c;
    }
    *K = M_PI / (2 * a);
    *E = *K * (1 - sum);
}

static void elliptic(double k, double *K, double *E) {
    elliptic_of(k, sqrt(1 - k * k), K, E);
}

/* Subharmonics of Duffing's oscillator within a well, x = sqrt(2/(2 - k^2)) dn: for the resonance 2
 * K sqrt(2 - k^2) = m T
 *   M = -delta J_1 + F J_2 sin(w t0), J_1 = 2/3 ((2 - k^2) 2 E - 4 k'^2 K)/(2 - k^2)^(3/2), J_2 =
 *   sqrt(2) pi w sech(pi m K(k')/K(k))
 * (B. D. Greenspan, P. J. Holmes, SIAM J. Math. Anal. 15 (1984) 69-97, in the notation of
 * Guckenheimer and Holmes, section 4.6) */
static void test_melnikov__subharmonics(void **state) {
    (void)state;
    static const char *const set[] = {"delta=1", "F=1", "w=1.2"};
    zw_melnikov_options o = ask("F, delta");
    o.cycles = true;
    o.at = "x=1, x'=0";
    o.orders = 3;
    find(MODEL("two_well"), NULL, set, 3, &o);
    double w = 1.2, T = 2 * M_PI / w, last = 0;
    assert_int_equal(zw_melnikov_resonances(study), 3);
    for (int i = 0; i < 3; i++) {
        const zw_melnikov_resonance *r = zw_melnikov_resonance_at(study, i);
        double K, E, other, none;
        assert_int_equal(r->order, i + 1);
        /* as exact as the amplitude, 1.7e-6 from the separatrix for i = 2, tells the period */
        assert_near(r->period / ((i + 1) * T), 1, 1e-11);
        assert_true(r->M.error < 1e-8);
        double k = sqrt(2 - 2 / ((1 + r->amplitude) * (1 + r->amplitude)));
        elliptic(k, &K, &E);
        elliptic(sqrt(1 - k * k), &other, &none);
        assert_near(2 * K * sqrt(2 - k * k) / r->period, 1,
                    1e-10); /* k from 1 - k^2, which is small */
        double J1 = 2.0 / 3 * ((2 - k * k) * 2 * E - 4 * (1 - k * k) * K) / pow(2 - k * k, 1.5);
        double J2 = sqrt(2) * M_PI * w / cosh(M_PI * (i + 1) * other / K);
        assert_near(r->M.mean, -J1, 1e-10);
        assert_near(fabs(r->M.s[0]), J2, 1e-10);
        assert_near(r->M.c[0], 0, fmax(1e-12, r->M.error)); /* what is told covers what is wrong */
        assert_near(r->M.high, J2 - J1, 1e-10);
        last = r->M.high;
    }
    assert_near(last, sqrt(2) * M_PI * w / cosh(M_PI * w / 2) - 4.0 / 3, 1e-3); /* the separatrix */
    close_study();
}

/* Branches of cycles of normalised discs: independent quadrature on the level curves z = c */
static void test_melnikov__branches_of_the_disc(void **state) {
    (void)state;
    static const char *const zeta[] = {"zeta=1.2", "zeta=0.9", "zeta=1.5"};
    static const double expected[3][2] = {
        {1.03326, 1.00007}, {1.06362, 1.08151}, {1.00536, 0.93463}};
    static const double fold[3][3] = {
        {NAN, NAN, NAN}, {2.3673, 1.086141, 43.450}, {2.9083, 0.934553, 63.184}};
    for (int i = 0; i < 3; i++) {
        zw_melnikov_options o = ask("eps");
        o.conserved = DISC;
        o.cycles = true;
        o.master = "gamma";
        o.amplitude = "1:3.1";
        o.over = "w=0.9:1.15";
        o.points = 15;
        find(MODEL("tippedisk_normalised"), NULL, &zeta[i], 1, &o);
        int n = zw_melnikov_cycles(study), folds = 0;
        const zw_melnikov_cycle *a = zw_melnikov_cycle_at(study, 0),
                                *b = zw_melnikov_cycle_at(study, n - 1);
        assert_near(a->value, expected[i][0], 1e-5);
        assert_near(b->value, expected[i][1], 1e-5);
        assert_near(a->period, 30.611, 1e-3);
        assert_near(b->period, 93.065, 1e-3);
        for (int k = 0; k < n; k++) {
            const zw_melnikov_cycle *c = zw_melnikov_cycle_at(study, k);
            assert_true(c->error < EXACT);
            if (!c->fold)
                continue;
            folds++;
            assert_near(c->amplitude, fold[i][0], 2e-4);
            assert_near(c->value, fold[i][1], 1e-6);
            assert_near(c->period, fold[i][2], 1e-2);
            assert_near(c->multiplier, 1, 1e-6);
        }
        assert_int_equal(folds, i > 0);
        /* the branch is stable from a Hopf point that is supercritical up to the fold: v1 is all
         * stable, v2 unstable first, v3 stable first */
        assert_int_equal(a->multiplier < 1, i != 1);
        assert_int_equal(b->multiplier < 1, i != 2);
        close_study();
    }
}

/* The connection that zwang connect finds differs from the zero of M by terms of second order in
 * eps. */
static double connection_at(const char *eps) {
    const char *set[] = {eps, "beta=90 [deg]", "gamma=-90 [deg]"};
    zw_model_options model = {.size = sizeof model, .nset = 3, .set = set};
    zw_connections_options o = zw_connections_options_default();
    zw_connections *c;
    err = (zw_error){0};
    ctx = zw_context_create(NULL);
    o.over = "Omega=29.9:30.4";
    o.turn = "gamma=1";
    o.points = 6;
    if (zw_model_read(&sys, ctx, MODEL("tippedisk_slow"), &model, &err) < 0 ||
        zw_connections_create(&c, sys, &o, &err) < 0 || zw_connections_find(c, &err) < 0)
        fail_msg("%s", err.text);
    double value = zw_connections_at(c, 0)->value;
    zw_connections_destroy(c);
    zw_context_destroy(ctx);
    return value;
}

static void test_melnikov__connections_of_second_order(void **state) {
    (void)state;
    zw_melnikov_options o = ask("eps");
    o.over = "Omega=29:32";
    o.points = 4;
    o.side = 1;
    find(MODEL("tippedisk_slow"), NULL, NULL, 0, &o);
    double M = zw_melnikov_root_at(study, 0)->value;
    close_study();
    double far = connection_at("eps=0.1 [m/s]") - M, near = connection_at("eps=0.05 [m/s]") - M;
    assert_true(far > 1e-3);
    assert_near(far / near, 4, 0.05);
}

/* what is made of the small parameter is small, too; a quantity that the model observes is tried */
static void test_melnikov__small_through_definitions(void **state) {
    (void)state;
    static const char text[] = "model m \"m\"\nunits none\nparam eps = 0.1, d = 2*eps, k = 1 + "
                               "d^2\nstate x, y : x' = y, y' = k*x - x^3 - d*y\nobserve "
                               "h = exp(y^2/2 - x^2/2 + x^4/4)\nstart x = 0.1\n";
    zw_melnikov_options o = ask("eps");
    o.side = 1;
    find(text, NULL, NULL, 0, &o);
    /* C = exp(H), which is 1 on the separatrix: the same as with H */
    assert_near(zw_melnikov_separatrix_at(study, 0)->time.mean, -8.0 / 3, EXACT);
    assert_near(zw_melnikov_separatrix_at(study, 0)->level, 1, EXACT);
    close_study();
}

/* Duffing's oscillator in micrometres and megahertz, in velocities and in momenta: the threshold in
 * units */
static void test_melnikov__small_sizes(void **state) {
    (void)state;
    static const char text[] =
        "model m \"m\"\nparam k = 1e3 [N/m], m = 1e-9 [kg], a = 1e-6 [m], c = 1e-6 [N*s/m], F = "
        "1e-4 "
        "[N], Omega = 2e6 [rad/s]\ncoord x [m]\nparticle p : m at (x, 0)\npotential -k*x^2/2 + "
        "k*x^4/(4*a^2)\nforce d (x) = -c*x'\nforce e (x) = F*cos(Omega*t)\nstart x = 0.5e-6 [m]\n";
    double rate = 1e6, w = 2, force = 1e3 * 1e-6;
    double threshold =
        4 * cosh(M_PI * w / 2) / (3 * sqrt(2) * M_PI * w) * 1e-6 / (1e-9 * rate) * force;
    for (int i = 0; i < 2; i++) {
        zw_melnikov_options o = ask("F, c");
        o.principle = i ? "hamilton" : NULL;
        o.over = "F=0:1e-4 [N]";
        o.points = 4;
        o.side = 1;
        find(text, NULL, NULL, 0, &o);
        const zw_melnikov_separatrix *q = zw_melnikov_separatrix_at(study, 0);
        assert_near(q->middle[0] / 1e-6, sqrt(2), EXACT);
        assert_near(q->rate[0] / rate, 1, EXACT);
        assert_near(zw_melnikov_root_at(study, 0)->value / threshold, 1, EXACT);
        assert_near(zw_melnikov_root_at(study, 0)->other / threshold, 1, EXACT);
        assert_true(q->part > 0.01 && q->part < 0.3);
        close_study();
    }
}

/* lengths and times far from 1 that only parameters tell, as states of first order: M = -4/3
 * L^2/T^2 */
static void test_melnikov__far_scales(void **state) {
    (void)state;
    static const double L[] = {1e-6, 1e-6, 1, 1e3, 1e-6, 1e6}, T[] = {1, 1e-6, 1e-6, 1, 1e3, 1e-3};
    for (int i = 0; i < 12; i++) {
        double l = L[i / 2], w = 1 / T[i / 2];
        char text[300];
        zw_melnikov_options o = ask("eps");
        o.side = 1;
        snprintf(
            text, sizeof text,
            "model m \"m\"\nunits none\nparam eps = 0.01, L = %.17g, w = %.17g\nstate x, y : x' "
            "= y, y' = w^2*(x - x^3/L^2) - eps*w*y\nstart x = %.17g\n",
            l, w, i % 2 ? 0.3 * l : 0);
        find(text, NULL, NULL, 0, &o);
        const zw_melnikov_separatrix *q = zw_melnikov_separatrix_at(study, 0);
        assert_near(q->time.mean / (-4.0 / 3 * l * l * w * w), 1, EXACT);
        assert_near(q->coordinate.mean / (-4.0 / 3 * l * l * w * w), 1, EXACT);
        is_doubtless();
        close_study();
    }
}

/* rates without divergence: Duffing's with y = x' - x^2; rates that separate: the disc, whose C is
 * a function of the height */
static void test_melnikov__finds_what_is_conserved(void **state) {
    (void)state;
    static const char sheared[] = "model m \"m\"\nunits none\nparam eps = 0.01\nstate x, y : x' = "
                                  "y + x^2, y' = x - x^3 - 2*x*(y + x^2) - eps*(y + "
                                  "x^2)\nstart x = 0.1\n";
    zw_melnikov_options o = ask("eps");
    o.side = 1;
    find(sheared, NULL, NULL, 0, &o);
    assert_near(zw_melnikov_separatrix_at(study, 0)->time.mean, -4.0 / 3, EXACT);
    agree(zw_melnikov_separatrix_at(study, 0), 1);
    close_study();
    double zero[2];
    for (int i = 0; i < 2; i++) {
        o = ask("eps");
        o.side = 1;
        o.conserved = i ? DISC : NULL;
        o.over = "w=0.9:1.1";
        o.points = 3;
        find(MODEL("tippedisk_normalised"), NULL, NULL, 0, &o);
        zero[i] = zw_melnikov_root_at(study, 0)->value;
        close_study();
    }
    assert_near(zero[0], zero[1], EXACT);
    assert_near(zero[0], 1.0000, 5e-5); /* Sailer (2023), Fig. 6.4, type v1, by (5.48) */
}

/* Tables 5.1 and 5.3: (5.56) and (5.57) with the fractions that are found */
static void test_melnikov__tables_of_the_thesis(void **state) {
    (void)state;
    static const double disc[2][4] = {
        /* kappa, zeta, and what is told of M1 and M2, with unrounded inertia */
        {1.0 / 18, 1.1093117408906883, 30.082, 30.053},
        {2.0 / 45, 2.58307 / 2.77901, 31.327, 31.305}};
    static const double spin[2] = {30.9168, 30.711}; /* Omega_c */
    zw_melnikov_options o = ask("eps");
    o.conserved = DISC;
    o.side = 1;
    o.expand = "kappa=0:0.2";
    o.terms = 2;
    find(MODEL("tippedisk_normalised"), NULL, NULL, 0, &o);
    double c[3][2];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            const zw_melnikov_term *t = &zw_melnikov_series_at(study, i)->term[k];
            c[i][k] = (double)t->num / (double)t->den;
        }
    close_study();
    for (int i = 0; i < 2; i++) {
        double kappa = disc[i][0], zeta = disc[i][1];
        double above = c[2][0] + c[2][1] * kappa,
               below = -(c[0][0] + c[0][1] * kappa) - zeta * (c[1][0] + c[1][1] * kappa);
        assert_near(spin[i] * sqrt(above / below) / (1 + kappa), disc[i][2], 2e-3);
        assert_near(spin[i] * sqrt(c[2][0] / -(c[0][0] + zeta * c[1][0])), disc[i][3], 2e-3);
    }
}

/* Cycles of the whole equations by shooting (Sailer 2023, Figs. 5.8 and 5.10, recomputed): at 30.5
 * rad/s amplitude 1.5333, multiplier 0.8457; the fold of the filled disc at 31.4770 rad/s, 2.327.
 * They differ by terms of second order in eps. */
static void test_melnikov__cycles_of_the_disc(void **state) {
    (void)state;
    zw_melnikov_options o = ask("eps");
    o.cycles = true;
    o.master = "gamma";
    o.amplitude = "1:2";
    o.points = 4;
    find(MODEL("tippedisk_slow"), NULL, NULL, 0, &o);
    assert_int_equal(zw_melnikov_cycles(study), 1);
    const zw_melnikov_cycle *c = zw_melnikov_cycle_at(study, 0);
    assert_near(c->amplitude, 1.5333, 1e-3);
    assert_near(c->period, 1.0438, 2e-3);
    assert_near(c->multiplier, 0.8457, 1e-3);
    close_study();
    o.over = "Omega=31:32";
    o.amplitude = "2.2:2.5";
    find(MODEL("tippedisk_slow"), "filled", NULL, 0, &o);
    int folds = 0;
    for (int i = 0; i < zw_melnikov_cycles(study); i++) {
        c = zw_melnikov_cycle_at(study, i);
        folds += c->fold;
        if (c->fold) {
            assert_near(c->value, 31.4770, 2e-3);
            assert_near(c->amplitude, 2.327, 2e-3);
            assert_near(c->period, 1.438, 2e-3);
        }
    }
    assert_int_equal(folds, 1);
    close_study();
}

/* ------------------------------------------------------------------------------------- refusals */

static void refuses(const char *text, const zw_melnikov_options *o, zw_status status,
                    const char *words) {
    zw_status got = open_study(text, NULL, NULL, 0, o);
    if (got >= 0)
        got = zw_melnikov_find(study, &err);
    assert_int_equal(got, status);
    if (!strstr(err.text, words))
        fail_msg("'%s' is not in '%s'", words, err.text);
    assert_true(err.hint[0] || status == ZW_E_OPTION);
    close_study();
}

#define HEAD "model m \"m\"\nunits none\nparam eps = 0.01, F = 1\n"
static void test_melnikov__refuses(void **state) {
    (void)state;
    zw_melnikov_options o = ask("eps");
    refuses(MODEL("lorenz"),
            &(zw_melnikov_options){.size = sizeof o, .small = "rho", .points = 41, .terms = 3},
            ZW_E_DOMAIN, "no conserved quantity of the unperturbed motion (rho = 0) was found");
    refuses(HEAD "state x, y : x' = y, y' = x - x^3 + eps*y\n"
                 "event kick : x - 0.7 rising, set y = 2*y\nstart x = 0.1\n",
            &o, ZW_E_OPTION, "the event kick acts on the motion");
    refuses(HEAD "coord x\nkinetic 1/2*x'^2\npotential -x^2/2 + x^4/4\nforce (x) = -eps*x'\n"
                 "contact wall : gap 0.8 - x, law newton(0.7)\nstart x = 0.1\n",
            &o, ZW_E_OPTION, "the contact wall may open, stick and slip");
    refuses(HEAD "state x, y : x' = y - x, y' = x - x^3 + eps*y\nstart x = 0.1\n", &o, ZW_E_DOMAIN,
            "no conserved quantity");
    refuses(HEAD "state x, y : x' = y, y' = -x + eps*y\nstart x = 0.1\n", &o, ZW_E_DOMAIN,
            "no saddle");
    refuses(HEAD "state x, y : x' = y, y' = x + eps*y\nstart x = 0.1\n", &o, ZW_E_DOMAIN,
            "comes to no saddle");
    refuses(HEAD "state x, y : x' = y, y' = x - x^3 + F*cos(t) + eps*y\nstart x = 0.1\n", &o,
            ZW_E_DOMAIN, "still depend on time");
    refuses(HEAD "state x, y : x' = y, y' = x - x^3 + y/eps\nstart x = 0.1\n", &o, ZW_E_DOMAIN,
            "have no value");
    refuses(HEAD "state x, y : x' = y, y' = x - x^3 + eps^2*y\nstart x = 0.1\n", &o, ZW_E_OPTION,
            "do not depend on it to first order");
    /* log(x) at the saddle x = y = 0 */
    refuses(HEAD "state x, y : x' = x*(1 - y), y' = y*(x - 1) + eps*y\nstart x = 0.1\n", &o,
            ZW_E_DOMAIN, "C has no finite value at the saddle");
    o.conserved = "y^2 - x^2";
    refuses(HEAD "state x, y : x' = y, y' = x - x^3 + eps*y\nstart x = 0.1\n", &o, ZW_E_DOMAIN,
            "its rate is -2*x^3*y");
    o.conserved = "(y^2/2 - x^2/2 + x^4/4)^2"; /* its gradient is 0 where it is */
    refuses(HEAD "state x, y : x' = y, y' = x - x^3 + eps*y\nstart x = 0.1\n", &o, ZW_E_DOMAIN,
            "vanishes along the separatrix");
    o.conserved = NULL;
    refuses(HEAD "state x, y : x' = y, y' = x - x^3 + eps*y/(1 - x)\nstart x = 0\n", &o,
            ZW_E_NUMERIC, "does not converge"); /* -1 < x < sqrt(2) on the way */
    o.over = "eps=0:1";
    refuses(HEAD "state x, y : x' = y, y' = x - x^3 + eps*y\nstart x = 0.1\n", &o, ZW_E_OPTION,
            "does not depend on what is small");
    o.over = "F=1:2";
    refuses(HEAD "state x, y : x' = y, y' = x - x^3 + eps*F*y\nstart x = 0.1\n", &o, ZW_E_NUMERIC,
            "M has no zero for F between 1 and 2: it is 1.33333 to 2.66667");
    o.over = NULL;
    o.at = "z=1";
    refuses(HEAD "state x, y : x' = y, y' = x - x^3 + eps*y\nstart x = 0.1\n", &o, ZW_E_NAME,
            "the states are x and y");
    o.at = NULL;
    o.cycles = true;
    refuses(HEAD "state x, y : x' = y, y' = -x + eps*(1 - x^2)*y\nstart x = 0.1\n", &o, ZW_E_OPTION,
            "no separatrix bounds");
    o.amplitude = "0.1:1";
    refuses(HEAD "state x, y : x' = y, y' = -x + eps*(1 - x^2)*y\nstart x = 0.1\n", &o,
            ZW_E_NUMERIC, "M has no zero over the closed curves");
    /* a soft spring: separatrix at 1; on the other side of a curve with the level of a saddle that
     * is elsewhere nothing changes */
    o.amplitude = "0.5:1.5";
    refuses(HEAD "state x, y : x' = y, y' = -x + x^3 + eps*y\nstart x = 0.1\n", &o, ZW_E_OPTION,
            "there is a separatrix at 1, and beyond");
    o.amplitude = "0.5:1";
    refuses(HEAD "state x, y : x' = y, y' = -x + x^3 + eps*y\nstart x = 0.1\n", &o, ZW_E_OPTION,
            "there is a separatrix at 1, and its motion comes to no end");
    o.rotating = 1;
    refuses(HEAD "state x, y : x' = y, y' = -x + x^3 + eps*y\nstart x = 0.1\n", &o, ZW_E_OPTION,
            "--rotating: y is no angle");
    o.rotating = 0;
    o.amplitude = "0.1:1";
    o.over = "F=0:1";
    refuses(HEAD "state x, y : x' = y, y' = -x + eps*F*cos(t)\nstart x = 0.1\n", &o, ZW_E_OPTION,
            "a driven model has resonances");
    o.over = NULL;
    refuses(HEAD "state x, y : x' = y, y' = -2*x + eps*cos(t)\nstart x = 0.1\n", &o, ZW_E_NUMERIC,
            "times the period 6.28319 s of the excitation");
    o = ask("eps, F, eps");
    refuses(HEAD "state x, y : x' = y, y' = x - x^3 + eps*y + F*x\nstart x = 0.1\n", &o,
            ZW_E_OPTION, "eps is named twice");
    o = ask("epss");
    refuses(HEAD "state x, y : x' = y, y' = x - x^3 + eps*y\nstart x = 0.1\n", &o, ZW_E_NAME,
            "no parameter of this name");
}

/* What rounding leaves of an M that vanishes identically has any sign: that is no zero, no cycle,
 * no fold, no threshold. x^2 and x have potentials. For a prey and its predator with u = log(x), w
 * = log(y) the mean of e^u - 1 over the inside of a level curve vanishes, as that of dC/du does, so
 * that M = (2 q - 1) times the area: q = 1/2 for all of them. With w = 40 the closed form of M is
 * 1e-26, and sets that are driven so fast cross at no F that could be told. */
static void test_melnikov__rounding_is_no_zero(void **state) {
    (void)state;
    static const char conservative[] =
        HEAD "state x, y : x' = y, y' = x - x^3 + eps*(F*x^2 + 3*x)\nstart x = 0\n";
    zw_melnikov_options o = ask("eps");
    o.over = "F=-7:11";
    refuses(conservative, &o, ZW_E_NUMERIC, "M is zero within its error at all values of F");
    o.over = NULL;
    o.cycles = true;
    refuses(conservative, &o, ZW_E_NUMERIC, "M is zero within its error over all closed curves");
    o.amplitude = "0.1:5";
    o.over = "q=-5:5";
    o.points = 9;
    find("model m \"m\"\nunits none\nparam eps = 0.05, q = 0.3\nstate x, y : x' = x*(2 - y) + "
         "eps*x*(1 - x), y' = y*(x - 1) + eps*q*y^2\nstart x = 1, y = 1\n",
         NULL, NULL, 0, &o);
    assert_int_equal(zw_melnikov_cycles(study), 9);
    for (int i = 0; i < 9; i++) {
        const zw_melnikov_cycle *c = zw_melnikov_cycle_at(study, i);
        assert_near(c->value, 0.5, 1e-11);
        assert_false(c->fold);
        assert_true(fabs(c->slope) < c->slope_error);
    }
    zw_warnings *doubts = zw_warnings_create(NULL);
    zw_melnikov_warnings(study, doubts);
    assert_non_null(strstr(zw_warnings_at(doubts, 0)->text, "the same for all amplitudes"));
    zw_warnings_destroy(doubts);
    close_study();
    static const char driven[] = "model m \"m\"\nunits none\nparam F = 0.1, d = 1e-16, w = "
                                 "40\nstate x, y : x' = y, y' = x - "
                                 "x^3 + F*cos(w*t) - d*y\nstart x = 0\n";
    o = ask("F, d");
    o.side = 1;
    find(driven, NULL, NULL, 0, &o);
    doubts = zw_warnings_create(NULL);
    zw_melnikov_warnings(study, doubts);
    assert_int_equal(zw_warnings_count(doubts), 1);
    assert_non_null(strstr(zw_warnings_at(doubts, 0)->text, "has zeros is undecided"));
    zw_warnings_destroy(doubts);
    close_study();
    o.over = "F=0:1";
    refuses(driven, &o, ZW_E_NUMERIC, "M is zero within its error for F from");
    o.over = "w=2:50";
    refuses(driven, &o, ZW_E_NUMERIC, "M is zero within its error for w from 24.8 to 50");
}

/* Odd motions about the centre of x'' + x + x^3 have odd harmonics alone: with 2 periods of the
 * drive M vanishes, with 3 of them it does not */
static void test_melnikov__even_resonances_are_not_told(void **state) {
    (void)state;
    zw_melnikov_options o = ask("F");
    o.cycles = true;
    o.amplitude = "0.1:3";
    o.orders = 3;
    find("model m \"m\"\nunits none\nparam F = 0.05\nstate x, y : x' = y, y' = -x - x^3 + "
         "F*sin(3.3*t + 0.4)\nstart x = 0.5\n",
         NULL, NULL, 0, &o);
    assert_int_equal(zw_melnikov_resonances(study), 2);
    assert_int_equal(zw_melnikov_resonance_at(study, 0)->order, 3);
    /* by a Runge-Kutta method over three periods */
    assert_near(zw_melnikov_resonance_at(study, 0)->amplitude, 0.53108741656, 1e-10);
    assert_near(zw_melnikov_resonance_at(study, 0)->M.c[0], -0.00167862556337 / 0.05, 1e-10);
    zw_warnings *doubts = zw_warnings_create(NULL);
    zw_melnikov_warnings(study, doubts);
    assert_int_equal(zw_warnings_count(doubts), 1);
    assert_non_null(strstr(zw_warnings_at(doubts, 0)->text, "over 2 periods"));
    zw_warnings_destroy(doubts);
    close_study();
}

/* x'' = -k x + x^2 + eps (x - F) x': the saddle is at x = k, and F = k/7 by scaling. From the
 * saddle of k = 1/2 Newton's method at k = 3/2 comes to x = 0, the centre. */
/* A force that vanishes, sin 2 phi - 2 sin phi cos phi, but not as a formula: its integral is 0,
 * alone and next to others. */
static void test_melnikov__a_part_that_is_rounding(void **state) {
    (void)state;
    static const char *const set[] = {"delta=0.5", "delta=0"};
    static const char pendulum[] =
        "model m \"m\"\nunits none\nparam eps = 0.1, delta = 0.5, q = 3\nstate x, y : "
        "x' = y, y' = -sin(x) - eps*delta*y + eps*q*(sin(2*x) - 2*sin(x)*cos(x))*y\n"
        "start x = 0.1\n";
    for (int i = 0; i < 2; i++) {
        zw_melnikov_options o = ask("eps");
        find(pendulum, NULL, &set[i], 1, &o);
        const zw_melnikov_separatrix *q = zw_melnikov_separatrix_at(study, 0);
        assert_near(q->time.mean, i ? 0 : -4, EXACT);
        assert_true(q->time.error < EXACT);
        for (int k = 0; k < q->npart; k++)
            assert_near(q->integral[k].mean, strcmp(q->factor[k], "q") == 0 ? 0 : -8, EXACT);
        close_study();
    }
}

static void test_melnikov__saddle_that_moves(void **state) {
    (void)state;
    zw_melnikov_options o = ask("eps");
    o.over = "F=-1:1";
    o.marks = "k=0.5:2:4";
    find("model m \"m\"\nunits none\nparam eps = 0.05, F = 0.3, k = 1\nstate x, y : x' = y, y' = "
         "-k*x + x^2 + eps*y*(x - F)\nstart x = 0.1\n",
         NULL, NULL, 0, &o);
    assert_int_equal(zw_melnikov_roots(study), 5);
    for (int i = 0; i < 4; i++) {
        const zw_melnikov_root *r = zw_melnikov_root_at(study, i + 1);
        assert_near(r->second, 0.5 * (i + 1), EXACT);
        assert_near(r->value, r->second / 7, EXACT);
    }
    close_study();
}

/* hills at x = 0 and 1, about as high, and a wall: for F > 0.02 the loop of the first one reaches
 * over the second one, and M changes from 1.02 to -0.13 */
static void test_melnikov__a_jump_is_no_zero(void **state) {
    (void)state;
    zw_melnikov_options o = ask("eps");
    o.side = 1;
    o.at = "x=0, y=0";
    o.over = "F=-0.02:0.06";
    o.points = 5;
    refuses("model m \"m\"\nunits none\nparam eps = 0.01, F = 0\nstate x, y : x' = y, y' = "
            "2*pi*sin(2*pi*x) + F - 0.12*x^5 + eps*y*(0.9 - x)\nstart "
            "x = 0\n",
            &o, ZW_E_NUMERIC, "M jumps through zero at F = 0.0201234");
}

/* a zero at the end of the range, where M is rounding: M = -4/3 F */
static void test_melnikov__zero_at_the_end(void **state) {
    (void)state;
    static const char *const range[] = {"F=0:1", "F=-1:0"};
    for (int k = 0; k < 2; k++) {
        zw_melnikov_options o = ask("eps");
        o.side = 1;
        o.over = range[k];
        find(HEAD "state x, y : x' = y, y' = x - x^3 + eps*(x^2 - F*y)\nstart x = 0\n", NULL, NULL,
             0, &o);
        assert_int_equal(zw_melnikov_roots(study), 1);
        assert_near(zw_melnikov_root_at(study, 0)->value, 0, 1e-14);
        assert_near(zw_melnikov_root_at(study, 0)->slope, -4.0 / 3, 1e-9);
        assert_true(zw_melnikov_root_at(study, 0)->error < 1e-14);
        close_study();
    }
}

/* A pendulum beyond its separatrix: phi' = 2/k dn(t/k), k^2 = 4/(a^2 + 4) with a at the top; over a
 * turn M = 2 pi tau - 8 c E/k, dM/dC = -c T with T = 2 k K, as -c is the divergence. The branch
 * ends at the separatrix, tau = 4 c/pi. */
#define ROTOR                                                                                      \
    "model m \"m\"\nunits none\nparam c = 0.1, tau = 0.3\ncoord phi\nperiodic phi\nparticle bob "  \
    ": 1 at "                                                                                      \
    "(sin(phi), 0, -cos(phi))\npotential -cos(phi)\nforce d (phi) = tau - c*phi'\nsteady up : "    \
    "phi "                                                                                         \
    "= pi\nstart phi = 0.1\n"
static void test_melnikov__rotations(void **state) {
    (void)state;
    for (int way = -1; way <= 1; way += 2) {
        zw_melnikov_options o = ask("c, tau");
        o.cycles = true;
        o.rotating = way;
        o.over = way > 0 ? "tau=0:1" : "tau=-1:0";
        o.points = 15;
        find(ROTOR, NULL, NULL, 0, &o);
        assert_int_equal(zw_melnikov_cycles(study), 15);
        for (int i = 0; i < 15; i++) {
            const zw_melnikov_cycle *c = zw_melnikov_cycle_at(study, i);
            double k = 2 / sqrt(c->amplitude * c->amplitude + 4), K, E;
            elliptic(k, &K, &E);
            assert_near(c->value / (way * 0.1 * 8 * E / (k * 2 * M_PI)), 1, EXACT);
            assert_near(c->error, 0, EXACT);
            if (c->amplitude < 0.01)
                continue; /* a long time beside the saddle */
            assert_near(c->period / (2 * k * K), 1, 1e-10);
            assert_near(c->slope / (-0.1 * c->period), 1, 1e-3);
            assert_false(c->fold);
        }
        assert_near(zw_melnikov_cycle_at(study, 0)->value, way * 0.4 / M_PI, 1e-7);
        is_doubtless();
        close_study();
    }
    zw_melnikov_options o = ask("c, tau");
    o.cycles = true;
    o.rotating = 1;
    find(ROTOR, NULL, NULL, 0, &o);
    assert_int_equal(zw_melnikov_cycles(study), 1);
    double k = 2 / hypot(zw_melnikov_cycle_at(study, 0)->amplitude, 2), K, E;
    elliptic(k, &K, &E);
    assert_near(0.3 * 2 * M_PI, 0.1 * 8 * E / k, EXACT);
    close_study();
}

/* With a drive: a turn takes m periods of it, and by the Fourier series of dn M = 2 pi gamma/cosh(m
 * pi K'/K) cos(w t0 + m pi) - 8 delta E/k */
static void test_melnikov__rotations_in_resonance(void **state) {
    (void)state;
    zw_melnikov_options o = ask("eps");
    o.cycles = true;
    o.rotating = 1;
    o.orders = 3;
    o.points = 15;
    find(MODEL("melnikov_pendulum"), NULL, NULL, 0, &o);
    assert_int_equal(zw_melnikov_resonances(study), 3);
    for (int i = 0; i < 3; i++) {
        const zw_melnikov_resonance *r = zw_melnikov_resonance_at(study, i);
        double k = 2 / hypot(r->amplitude, 2), other = r->amplitude / hypot(r->amplitude, 2), K, E,
               K1, E1;
        elliptic_of(k, other, &K, &E);
        elliptic_of(other, k, &K1, &E1);
        double known = r->M.error + 1e-13; /* M is known so well, and says so */
        assert_true(r->M.error < (r->order == 3 ? 2e-8 : 1e-10));
        assert_near(2 * k * K, 2 * M_PI * r->order, known);
        assert_near(r->M.mean, -0.5 * 8 * E / k, known);
        assert_near(r->M.c[0],
                    (r->order % 2 ? -1 : 1) * 2 * 2 * M_PI / cosh(r->order * M_PI * K1 / K), known);
        assert_near(r->M.s[0], 0, known);
    }
    close_study();
}

/* a hill that is not found lies beyond the range where saddles are looked for: at the amplitude
 * where the curves come to go over it, M jumps from + to -, and the branch of cycles has a
 * corner */
static void test_melnikov__jumps_over_amplitudes(void **state) {
    (void)state;
    static const char text[] =
        "model m \"m\"\nunits none\nparam eps = 0.01, q = -0.2\nstate x, y : x' = y, y' = -x + "
        "80*(x + 8)*exp(-4*(x + 8)^2) + eps*y*(x + q)\nobserve C = y^2/2 + x^2/2 + 10*exp(-4*(x + "
        "8)^2)\nstart x = 0.1\n";
    zw_melnikov_options o = ask("eps");
    o.cycles = true;
    o.amplitude = "9:11";
    refuses(text, &o, ZW_E_NUMERIC, "M jumps through zero at the amplitude 9.21022");
    o.amplitude = "6:11";
    o.over = "q=-1:1";
    o.points = 11;
    find(text, NULL, NULL, 0, &o);
    for (int i = 0; i < zw_melnikov_cycles(study); i++)
        assert_false(zw_melnikov_cycle_at(study, i)->fold);
    zw_warnings *doubts = zw_warnings_create(NULL);
    zw_melnikov_warnings(study, doubts);
    bool told = false;
    for (int i = 0; i < zw_warnings_count(doubts); i++)
        told |= strstr(zw_warnings_at(doubts, i)->text, "a corner at the amplitude 9.2") != NULL;
    assert_true(told);
    zw_warnings_destroy(doubts);
    close_study();
}

/* ------------------------------------------------------------------------- more than two states */

#define THREE(rates, observes, start)                                                              \
    "model m \"m\"\nunits none\nparam eps = 0.01, F = 1\nstate x, y, z : " rates "\n" observes     \
    "\nstart " start "\n"
#define ENERGY "observe H = y^2/2 - x^2/2 + x^4/4"

static void is_M(int quantity, const char *name, double plus, double minus, double tolerance) {
    assert_int_equal(zw_melnikov_orbits(study), 2);
    assert_string_equal(zw_melnikov_quantity(study, quantity), name);
    for (int k = 0; k < 2; k++) {
        const zw_melnikov_orbit *q = zw_melnikov_orbit_at(study, k);
        double expected = q->side > 0 ? plus : minus;
        assert_near(q->M[quantity], expected, tolerance);
        assert_true(fabs(q->M[quantity] - expected) <= 3 * q->error[quantity] + 1e-15);
        assert_true(q->drift[quantity] < 1e-14);
    }
}

/* x = sqrt(2) sech t with a third state: z is a parameter that drifts slowly, dH = -y^2 - x^4/2, dz
 * = x^2; it follows x^2 through z - x^2/2, which is conserved, too: a family of saddles; it is x^2
 * because it decays to it with the rate 3: two directions lead into the saddle */
static void test_melnikov__third_state(void **state) {
    (void)state;
    zw_melnikov_options o = ask("eps");
    find(MODEL("two_well_drift"), NULL, NULL, 0, &o);
    is_M(0, "H", -4.0 / 3 - 8.0 / 3, -4, EXACT);
    is_M(1, "stiffness", 4, 4, EXACT);
    assert_int_equal(zw_melnikov_orbit_at(study, 0)->neutral, 1);
    is_doubtless();
    close_study();
    find(THREE("x' = y, y' = x - x^3 - eps*y, z' = x*y + eps*x*y^2",
               ENERGY "\nobserve K = z - x^2/2", "x = 0, z = 0.3"),
         NULL, NULL, 0, &o);
    is_M(0, "H", -4.0 / 3, -4.0 / 3, EXACT);
    is_M(1, "K", sqrt(2) * M_PI / 4, -sqrt(2) * M_PI / 4, EXACT);
    assert_near(zw_melnikov_orbit_at(study, 0)->to[2], 0.3, EXACT);
    close_study();
    find(THREE("x' = y, y' = x - x^3 - eps*z*y, z' = -3*z + 3*x^2 + 2*x*y", ENERGY, "x = 0"), NULL,
         NULL, 0, &o);
    is_M(0, "H", -16.0 / 15, -16.0 / 15, 1e-11);
    assert_int_equal(zw_melnikov_orbit_at(study, 0)->stable, 2);
    is_doubtless();
    close_study();
    /* a pair of directions that leads in turning: z + i u follows x^2 + 2i x^2 ... with the rate -2
     * + 3i: M = - int x^2 y^2 - 2 int x^2 y^2 */
    find("model m \"m\"\nunits none\nparam eps = 0.01\nstate x, y, z, u : x' = y, y' = x - x^3 - "
         "eps*(z + u)*y, z' = -2*(z - x^2) - 3*(u - 2*x^2) + 2*x*y, u' = 3*(z - x^2) - 2*(u - "
         "2*x^2) "
         "+ 4*x*y\n" ENERGY "\nstart x = 0\n",
         NULL, NULL, 0, &o);
    is_M(0, "H", -16.0 / 5, -16.0 / 5, 1e-10);
    close_study();
}

/* the disc with its eccentricity as a third state that rests: the same M as in the plane; and
 * beside a state that decays, which M does not see: the linear rest of the way */
static void test_melnikov__plane_in_space(void **state) {
    (void)state;
    static const char head[] =
        "model m \"m\"\nunits none\nparam eps = 0.01, w = 1.03, mu = 0.3\nlet "
        "arm = 1 + kappa*sin(gamma)\nlet h_c = "
        "kappa*sin(beta)*cos(gamma)/arm\nlet h_1 = "
        "cos(beta)*(1 + 0.2*cos(gamma)^2 - arm^3/sin(beta))/(mu*arm^4)\n";
    static const char *const states[] = {
        "param kappa = 0.05\nstate beta, gamma : beta' = h_c + eps*h_1, gamma' = -cos(beta)\nstart "
        "beta = pi/2, gamma = -pi/2\n",
        "state beta, gamma, kappa : beta' = h_c + eps*h_1, gamma' = -cos(beta), kappa' = 0\nstart "
        "beta = pi/2, gamma = -pi/2, kappa = 0.05\n",
        "param kappa = 0.05\nstate beta, gamma, z : beta' = h_c + eps*h_1, gamma' = -cos(beta), z' "
        "= "
        "-0.7*z + cos(beta)\nstart beta = pi/2, gamma = -pi/2, z = 0\n"};
    double M[3];
    for (int k = 0; k < 3; k++) {
        char text[1200];
        zw_melnikov_options o = ask("eps");
        o.conserved = "-(1 + kappa*sin(gamma))^2*sin(beta)^2/2";
        o.at = "beta=pi/2, gamma=-pi/2";
        o.side = 1;
        /* lets come behind what they use */
        const char *declared = states[k];
        size_t first = (size_t)(strstr(head, "let arm") - head);
        const char *rates = strstr(declared, "state");
        snprintf(text, sizeof text, "%.*s%.*s%s%s", (int)first, head, (int)(rates - declared),
                 declared, head + first, rates);
        find(text, NULL, NULL, 0, &o);
        M[k] = k ? zw_melnikov_orbit_at(study, 0)->M[0]
                 : zw_melnikov_separatrix_at(study, 0)->time.mean;
        close_study();
    }
    assert_true(fabs(M[0]) > 0.01);
    assert_near(M[1], M[0], EXACT);
    assert_near(M[2], M[0], 1e-11);
}

/* x of the size 1e-12 beside a stiffness of 1: the errors that are told have to hold there, too.
 * With x = 1e-12 X it is M = -4/3 1e-24 of H and 4e-24 of the stiffness */
static void test_melnikov__small_states(void **state) {
    (void)state;
    zw_melnikov_options o = ask("eps");
    find(THREE("x' = y, y' = z*x - 1e24*x^3 - eps*y, z' = eps*x^2",
               "observe H = y^2/2 - z*x^2/2 + 1e24*x^4/4", "x = 0, z = 1"),
         NULL, NULL, 0, &o);
    const zw_melnikov_orbit *q = zw_melnikov_orbit_at(study, 0);
    static const double expected[] = {-4.0 / 3 * 1e-24, 4e-24};
    for (int k = 0; k < 2; k++) {
        assert_true(fabs(q->M[k] - expected[k]) <= 3 * q->error[k]);
        assert_true(q->error[k] < 1e-12 * fabs(expected[k]));
    }
    close_study();
}

/* in the plane a loop of the size 1 about x = 1e6, at the start of the model: M = -4/3 within what
 * is told */
static void test_melnikov__far_from_zero(void **state) {
    (void)state;
    zw_melnikov_options o = ask("eps");
    o.conserved = "y^2/2 - (x - 1e6)^2/2 + (x - 1e6)^4/4";
    find(HEAD "state x, y : x' = y, y' = (x - 1e6) - (x - 1e6)^3 - eps*y\nstart x = 1e6\n", NULL,
         NULL, 0, &o);
    const zw_melnikov_value *M = &zw_melnikov_separatrix_at(study, 0)->time;
    assert_near(M->mean, -4.0 / 3, 1e-8);
    assert_true(fabs(M->mean + 4.0 / 3) <= 3 * M->error);
    close_study();
}

/* M of the disc begins with sqrt(kappa): beside 0 no polynomial over the range has its values */
static void test_melnikov__series_doubts(void **state) {
    (void)state;
    zw_melnikov_options o = ask("eps");
    o.conserved = DISC;
    o.side = 1;
    o.expand = "kappa=1e-8:0.2";
    find(MODEL("tippedisk_normalised"), NULL, NULL, 0, &o);
    zw_warnings *doubts = zw_warnings_create(NULL);
    zw_melnikov_warnings(study, doubts);
    assert_true(zw_warnings_count(doubts) > 0);
    assert_non_null(strstr(zw_warnings_at(doubts, 0)->text, "does not converge over the range"));
    zw_warnings_destroy(doubts);
    close_study();
    o.expand = "kappa=0:0.2";
    find(MODEL("tippedisk_normalised"), NULL, NULL, 0, &o);
    is_doubtless();
    close_study();
}

/* x'' = a x - x^2 with x = 3/2 a sech(sqrt(a) t/2)^2: M of x*y is -36/35 a^(7/2); of x^3*y it is of
 * the power 11/2, which is none of those that are tried */
static void test_melnikov__series_powers(void **state) {
    (void)state;
    zw_melnikov_options o = ask("eps");
    o.expand = "a=0:0.5";
    find("model m \"m\"\nunits none\nparam eps = 0.01, a = 0.4\nstate x, y : x' = y, y' = a*x - "
         "x^2 - eps*x*y\nstart x = 0\n",
         NULL, NULL, 0, &o);
    const zw_melnikov_series *q = zw_melnikov_series_at(study, 0);
    assert_int_equal(q->power_num, 7);
    assert_int_equal(q->power_den, 2);
    assert_near(q->term[0].value, -36.0 / 35, EXACT);
    is_doubtless();
    close_study();
    find("model m \"m\"\nunits none\nparam eps = 0.01, a = 0.4\nstate x, y : x' = y, y' = a*x - "
         "x^2 - eps*x^3*y\nstart x = 0\n",
         NULL, NULL, 0, &o);
    zw_warnings *doubts = zw_warnings_create(NULL);
    zw_melnikov_warnings(study, doubts);
    assert_true(zw_warnings_count(doubts) > 0);
    zw_warnings_destroy(doubts);
    close_study();
}

static void test_melnikov__space_refuses(void **state) {
    (void)state;
    zw_melnikov_options o = ask("eps");
    refuses(THREE("x' = y, y' = x - x^3 - eps*y, z' = 1 + eps*x", ENERGY, "x = 0"), &o, ZW_E_DOMAIN,
            "there is no equilibrium");
    refuses(THREE("x' = y, y' = x - x^3 - eps*y*cos(t), z' = -z", ENERGY, "x = 0"), &o, ZW_E_DOMAIN,
            "the rate of y depends on time");
    refuses(THREE("x' = y, y' = x + x^3 - eps*y, z' = -z", "observe H = y^2/2 - x^2/2 - x^4/4",
                  "x = 0"),
            &o, ZW_E_DOMAIN, "what leaves the saddle comes to no equilibrium");
    refuses(THREE("x' = y, y' = x - x^3 - eps*y, z' = eps*(1 + x^2)", ENERGY, "x = 0"), &o,
            ZW_E_DOMAIN, "has no value: eps still changes it at an end");
    /* z decays half as fast as x: rounding takes x round once more before z is small */
    refuses(THREE("x' = y, y' = x - x^3 - eps*z*y, z' = -0.5*z + x^2", ENERGY, "x = 0"), &o,
            ZW_E_DOMAIN, "it goes away from an equilibrium that it has come near");
    /* 1e9 and a loop of the size 1: it went round five times, M was five times as large */
    refuses(THREE("x' = y, y' = z*(x - 1e9) - (x - 1e9)^3 - eps*y, z' = eps*(x - 1e9)^2",
                  "observe H = y^2/2 - z*(x - 1e9)^2/2 + (x - 1e9)^4/4", "x = 1e9, z = 1"),
            &o, ZW_E_DOMAIN, "what leaves the saddle comes to no equilibrium");
    o.conserved = "y^2/2 - x^2/2 + x^4/4; z*y";
    refuses(THREE("x' = y, y' = x - x^3 - eps*y, z' = eps*x^2", "", "x = 0"), &o, ZW_E_DOMAIN,
            "--conserved z*y: without eps its rate is");
    o = ask("eps");
    o.over = "F=0:1";
    refuses(THREE("x' = y, y' = x - x^3 - eps*F*y, z' = -z", ENERGY, "x = 0"), &o, ZW_E_OPTION,
            "the motion is not planar, it has 3 states");
}

static void test_melnikov__large_is_doubtful(void **state) {
    (void)state;
    static const char *const set[] = {"delta=3"};
    zw_melnikov_options o = ask("F, delta");
    find(MODEL("two_well"), NULL, set, 1, &o);
    zw_warnings *doubts = zw_warnings_create(NULL);
    zw_melnikov_warnings(study, doubts);
    assert_int_equal(zw_warnings_count(doubts), 1); /* of both separatrices */
    assert_non_null(strstr(zw_warnings_at(doubts, 0)->text, "second order"));
    zw_warnings_destroy(doubts);
    close_study();
    /* a pole just beyond the end x = sqrt(2) of the way: M = -5.0498137830 by an adaptive
     * quadrature over sqrt(sqrt(2) - x) */
    o = ask("eps");
    o.side = 1;
    find(HEAD "state x, y : x' = y, y' = x - x^3 - eps*y/(1.4142135624 - x)\nstart x = 0\n", NULL,
         NULL, 0, &o);
    assert_near(zw_melnikov_separatrix_at(study, 0)->coordinate.mean, -5.0498137830, 1e-9);
    doubts = zw_warnings_create(NULL);
    zw_melnikov_warnings(study, doubts);
    assert_int_equal(zw_warnings_count(doubts), 2);
    assert_non_null(strstr(zw_warnings_at(doubts, 1)->text, "has a relative error of"));
    zw_warnings_destroy(doubts);
    close_study();
}

/* tables: the separatrix of the pendulum is phi' = 2 cos((phi - 2 pi)/2), neighbours are on levels
 * of their own */
static void test_melnikov__tables(void **state) {
    (void)state;
    zw_melnikov_options o = ask("eps");
    zw_table *t;
    find(MODEL("melnikov_pendulum"), NULL, NULL, 0, &o);
    assert_int_equal(zw_melnikov_curves(study, NULL, &t, &err), ZW_OK);
    double level[16];
    bool known[16] = {false};
    int curves = 0;
    for (long i = 0; i < zw_table_rows(t); i++) {
        double phi = zw_table_at(t, i, 0), v = zw_table_at(t, i, 1), number = zw_table_at(t, i, 3);
        if (isnan(phi))
            continue;
        double C = v * v / 2 - cos(phi);
        int k = (int)number;
        if (!known[k]) {
            known[k] = true;
            level[k] = C;
            curves++;
        }
        assert_near(C, k < 2 ? 1 : level[k], 1e-9);
        assert_true(phi > M_PI - 1e-9 && phi < 3 * M_PI + 1e-9); /* both in one turn */
    }
    assert_int_equal(curves, 14);
    zw_table_destroy(t);
    assert_int_equal(zw_melnikov_table(study, NULL, &t, &err), ZW_OK); /* M over t0 */
    const zw_melnikov_value *v = &zw_melnikov_separatrix_at(study, 0)->time;
    assert_near(zw_table_at(t, 17, 1), zw_melnikov_at(v, zw_table_at(t, 17, 0)), 1e-14);
    zw_table_destroy(t);
    close_study();
    o.over = "gamma=0:10";
    o.points = 5;
    find(MODEL("melnikov_pendulum"), NULL, NULL, 0, &o);
    assert_int_equal(zw_melnikov_table(study, NULL, &t, &err), ZW_OK);
    assert_int_equal(zw_table_rows(t), 5);
    assert_string_equal(zw_table_name(t, 0), "gamma");
    assert_non_null(zw_table_get_note(t, "mark 0"));
    zw_table_destroy(t);
    close_study();
}

static zw_status work(const zw_allocator *alloc) {
    zw_melnikov_options o = ask("eps");
    zw_context *c = zw_context_create(alloc);
    zw_system *s;
    zw_melnikov *m = NULL;
    zw_status status = ZW_E_MEMORY;
    err = (zw_error){0};
    o.over = "gamma=0:10";
    o.points = 3;
    o.side = 1;
    if (!c)
        return status;
    status = zw_model_read(&s, c, MODEL("melnikov_pendulum"), NULL, &err);
    if (status >= 0)
        status = zw_melnikov_create(&m, s, &o, &err);
    if (status >= 0)
        status = zw_melnikov_find(m, &err);
    if (status >= 0) {
        zw_bytes text = {0};
        zw_report *r = zw_report_create(alloc);
        status = r ? ZW_OK : ZW_E_MEMORY;
        if (status >= 0) {
            zw_report_word(r, "model", s->name);
            zw_melnikov_report(m, r);
            status = zw_report_text(r, &text, NULL);
        }
        zw_bytes_clear(&text);
        zw_report_destroy(r);
    }
    zw_melnikov_destroy(m);
    zw_context_destroy(c);
    return status;
}

static void test_melnikov__memory_runs_out(void **state) {
    (void)state;
    failing_allocator none = failing_allocator_make(0);
    zw_allocator a = failing_allocator_of(&none);
    assert_true(work(&a) >= 0);
    for (long n = 1; n <= none.requests; n += 1 + n / 12) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_status status = work(&alloc);
        if (f.failed ? status != ZW_E_MEMORY : status < 0)
            fail_msg("request %ld of %ld: %d, %s", n, none.requests, status, err.text);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_melnikov__duffing),
        cmocka_unit_test(test_melnikov__pendulum),
        cmocka_unit_test(test_melnikov__two_harmonics),
        cmocka_unit_test(test_melnikov__bogdanov_takens),
        cmocka_unit_test(test_melnikov__tippedisk),
        cmocka_unit_test(test_melnikov__integrals_of_the_disc),
        cmocka_unit_test(test_melnikov__canonical),
        cmocka_unit_test(test_melnikov__recognises_no_fraction),
        cmocka_unit_test(test_melnikov__van_der_pol),
        cmocka_unit_test(test_melnikov__two_cycles_and_their_fold),
        cmocka_unit_test(test_melnikov__subharmonics),
        cmocka_unit_test(test_melnikov__branches_of_the_disc),
        cmocka_unit_test(test_melnikov__connections_of_second_order),
        cmocka_unit_test(test_melnikov__small_through_definitions),
        cmocka_unit_test(test_melnikov__small_sizes),
        cmocka_unit_test(test_melnikov__far_scales),
        cmocka_unit_test(test_melnikov__finds_what_is_conserved),
        cmocka_unit_test(test_melnikov__tables_of_the_thesis),
        cmocka_unit_test(test_melnikov__cycles_of_the_disc),
        cmocka_unit_test(test_melnikov__refuses),
        cmocka_unit_test(test_melnikov__rounding_is_no_zero),
        cmocka_unit_test(test_melnikov__even_resonances_are_not_told),
        cmocka_unit_test(test_melnikov__a_part_that_is_rounding),
        cmocka_unit_test(test_melnikov__saddle_that_moves),
        cmocka_unit_test(test_melnikov__a_jump_is_no_zero),
        cmocka_unit_test(test_melnikov__zero_at_the_end),
        cmocka_unit_test(test_melnikov__rotations),
        cmocka_unit_test(test_melnikov__rotations_in_resonance),
        cmocka_unit_test(test_melnikov__jumps_over_amplitudes),
        cmocka_unit_test(test_melnikov__third_state),
        cmocka_unit_test(test_melnikov__plane_in_space),
        cmocka_unit_test(test_melnikov__space_refuses),
        cmocka_unit_test(test_melnikov__small_states),
        cmocka_unit_test(test_melnikov__far_from_zero),
        cmocka_unit_test(test_melnikov__series_doubts),
        cmocka_unit_test(test_melnikov__series_powers),
        cmocka_unit_test(test_melnikov__large_is_doubtful),
        cmocka_unit_test(test_melnikov__tables),
        cmocka_unit_test(test_melnikov__memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
