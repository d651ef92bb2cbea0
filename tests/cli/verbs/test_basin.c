/* SPDX-License-Identifier: MIT */
/* Basins against closed forms, invariant manifolds and maps by hand. */
#include "many/basins/basin.h"
#include "support/basins.h"

/* ------------------------------------------------------------------------------ closings */

static bool arrives(double (*d)(long n), long n, long *when, double *rest) {
    zw_basin_closing c;
    zw_basin_closing_begin(&c, 1);
    for (*when = 1; *when <= n; ++*when)
        if (zw_basin_closing_add(&c, d(*when), 1e-6, rest) == BASIN_ARRIVED)
            return true;
    return false;
}

static double slow(long n) { /* of r^n, r = 0.999 */
    return 0.001 * pow(0.999, (double)n);
}
static double algebraic(long n) { /* of n^-1/2, which never comes near */
    return 1 / sqrt((double)n) - 1 / sqrt((double)n + 1);
}
static double turning(long n) { /* a slow focus, of which one entry is seen */
    return fabs(0.002 * pow(0.998, (double)n) * cos(0.7 * (double)n));
}

static void test_closing__knows_what_is_left(void **state) {
    (void)state;
    long when;
    double rest;
    assert_true(arrives(slow, 100000, &when, &rest));
    double left =
        pow(0.999, (double)when); /* differences are 1e-6 after 7000 already, when 1e-3 is left */
    assert_true(left <= 1e-6);
    assert_true(left > 1e-9); /* and not much later than needed */
    assert_false(arrives(algebraic, 1000000, &when, &rest));
    assert_true(arrives(turning, 100000, &when, &rest));
    assert_true(pow(0.998, (double)when) <= 2e-6);
}

/* ------------------------------------------------------------------------------ rests */

/* the stable set of the saddle at 0 backwards in time, by hand: x'' = x - x^3 - c x' */
static void slope(const double *y, double *f) {
    f[0] = y[1];
    f[1] = y[0] - pow(y[0], 3) - 0.25 * y[1];
}
static void step_back(double *y, double h) {
    double k[4][2], z[2];
    for (int s = 0; s < 4; s++) {
        double a = s == 0 ? 0 : s == 3 ? h : h / 2;
        for (int i = 0; i < 2; i++)
            z[i] = y[i] - (s ? a * k[s - 1][i] : 0);
        slope(z, k[s]);
    }
    for (int i = 0; i < 2; i++)
        y[i] -= h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

static void test_basin__double_well(void **state) {
    (void)state;
    enum { N = 120 };
    const char *axis[] = {"x=-2:2:120", "x'=-2:2:120"};
    zw_basin *b = study(DOUBLE_WELL, 2, axis);
    assert_sure(b);
    assert_int_equal(zw_basin_attractors(b), 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(at(b, i)->kind, ZW_BASIN_REST);
        assert_int_equal(at(b, i)->trial, ZW_BASIN_STABLE);
        assert_close(at(b, i)->point[0], i ? 1 : -1, 1e-5);
        assert_close(at(b, i)->point[1], 0, 1e-5);
        assert_int_equal(at(b, i)->starts, N * N / 2); /* by symmetry, exactly */
        assert_true(at(b, i)->error > 0 && at(b, i)->error < 0.01);
    }
    for (uint64_t k = 0; k < N * N; k++) /* x -> -x */
        assert_int_equal(zw_basin_label(b, k) + zw_basin_label(b, N * N - 1 - k), 3);
    static bool edge[N][N];
    double lambda = (-0.25 - sqrt(0.0625 + 4)) / 2, y[2] = {1e-6, 1e-6 * lambda};
    for (int n = 0; n < 200000 && fabs(y[0]) < 20; n++) {
        step_back(y, 0.0005);
        double u = (y[0] + 2) / 4 * (N - 1), v = (y[1] + 2) / 4 * (N - 1);
        int i = (int)floor(u), j = (int)floor(v);
        if (i < 0 || j < 0 || i >= N - 1 || j >= N - 1)
            continue;
        edge[i][j] = edge[N - 2 - i][N - 2 - j] = true;
    }
    int found = 0;
    for (int i = 1; i < N - 2; i++)
        for (int j = 1; j < N - 2; j++) {
            bool near = false, differs = false;
            for (int p = -1; p <= 1; p++)
                for (int q = -1; q <= 1; q++)
                    near = near || edge[i + p][j + q];
            int first = zw_basin_label(b, (uint64_t)(j * N + i));
            for (int q = 0; q < 4; q++)
                differs =
                    differs || zw_basin_label(b, (uint64_t)((j + q / 2) * N + i + q % 2)) != first;
            /* the corners of a pixel differ only where the manifold passes it or a neighbour */
            if (differs)
                assert_true(near);
            found += differs;
            if (edge[i][j]) { /* and where it passes, both are found within a pixel */
                int seen = 0;
                for (int p = -1; p <= 2; p++)
                    for (int q = -1; q <= 2; q++)
                        seen |= zw_basin_label(b, (uint64_t)((j + q) * N + i + p));
                assert_int_equal(seen, 3);
            }
        }
    assert_true(found > N);
    zw_basin_destroy(b);
}

static void test_basin__start_on_the_saddle(void **state) {
    (void)state;
    const char *axis[] = {"x=-1:1:3", "x'=-1:1:3"};
    zw_basin *b = study(DOUBLE_WELL, 2, axis);
    assert_sure(b);
    assert_int_equal(zw_basin_attractors(b), 3);
    assert_int_equal(at(b, 1)->trial, ZW_BASIN_UNSTABLE);
    assert_close(at(b, 1)->point[0], 0, 1e-9);
    assert_int_equal(at(b, 1)->starts, 1);
    assert_int_equal(zw_basin_label(b, 4), 2);
    zw_basin_destroy(b);
}

/* s' = s^2 - s comes to 0 from below 1, and from above 1 goes to infinity in a finite time: what
 * ends there has not come back, and is not within reach of 0. */
static void test_basin__poles(void **state) {
    (void)state;
    const char *axis[] = {"s=-2.9:3:60"};
    for (int k = 0; k < 2; k++) {
        zw_basin_options o = zw_basin_options_default();
        o.naxis = 1;
        o.axis = axis;
        o.engine = k ? ZW_ENSEMBLE_SINGLE : ZW_ENSEMBLE_LANES;
        zw_basin *b = study_with(HEAD "state s : s' = s^2 - s\nstart s = -1\n", o);
        const zw_basin_attractor *zero = at(b, 0);
        assert_close(zero->point[0], 0, 1e-5);
        assert_int_equal(zero->trial, ZW_BASIN_STABLE);
        assert_true(zero->reach * 5.9 < 1);
        for (uint64_t i = 0; i < 60; i++)
            if (i != 39) /* the rest at 1 */
                assert_int_equal(zw_basin_label(b, i) == 1, i < 39);
        zw_basin_destroy(b);
    }
}

/* s' = s - s^3 - a: the unstable rest parts the line */
static void test_basin__one_axis(void **state) {
    (void)state;
    const char *axis[] = {"s=-2:2:401"};
    zw_basin *b = study(HEAD "param a = 0.2\nstate s : s' = s - s^3 - a\nstart s = 0\n", 1, axis);
    assert_sure(b);
    double root = 0.2; /* s - s^3 = 0.2, by iteration */
    for (int i = 0; i < 200; i++)
        root = 0.2 + root * root * root;
    assert_int_equal(zw_basin_attractors(b), 2);
    for (uint64_t k = 0; k <= 400; k++)
        assert_int_equal(zw_basin_label(b, k), -2 + 0.01 * (double)k < root ? 1 : 2);
    /* the time to come within reach: t = integral ds/(s - s^3 - a), which falls with the distance
     * from the root */
    uint64_t first = (uint64_t)ceil((root + 2) / 0.01);
    assert_true(zw_basin_time(b, first) > zw_basin_time(b, first + 5));
    zw_basin_destroy(b);
}

static void test_basin__slow_focus(void **state) {
    (void)state;
    const char *axis[] = {"x=-1:1:3", "x'=1:2:2"};
    zw_basin *b = study(POINT "potential x^2/2\ndissipation 0.004*x'^2/2\n", 2, axis);
    assert_sure(b); /* exp(-0.002 t): 1e-6 after 6900 s, 1100 turns */
    assert_int_equal(zw_basin_attractors(b), 1);
    assert_int_equal(at(b, 0)->kind, ZW_BASIN_REST);
    assert_close(at(b, 0)->point[0], 0, 1e-5);
    assert_int_equal(at(b, 0)->starts, 6);
    zw_basin_destroy(b);
}

/* x' = -x^3: n^-1/2 comes near nothing within the time; that is told, and no rest is invented on
 * the way */
static void test_basin__algebraic_decay(void **state) {
    (void)state;
    const char *axis[] = {"s=1:2:4"};
    zw_basin_options o = zw_basin_options_default();
    o.naxis = 1;
    o.axis = axis;
    o.looks = 4000;
    zw_basin *b = study_with(HEAD "state s : s' = -s^3\nstart s = 0\n", o);
    assert_int_equal(info_of(b).unresolved, 4);
    assert_int_equal(zw_basin_attractors(b), 0);
    zw_warnings *doubts = zw_warnings_create(NULL);
    zw_basin_warnings(b, doubts);
    assert_int_equal(zw_warnings_count(doubts), 1);
    zw_warnings_destroy(doubts);
    zw_basin_destroy(b);
}

/* rests 2e-3 of the range apart, ten times nearer than a cell */
static void test_basin__attractors_in_one_cell(void **state) {
    (void)state;
    const char *axis[] = {"s=-1:1:40"};
    zw_basin *b =
        study(HEAD "state s : s' = s*(0.001^2 - s^2)/(0.001^2 + s^2)\nstart s = 0\n", 1, axis);
    assert_sure(b);
    assert_int_equal(zw_basin_attractors(b), 2);
    assert_close(at(b, 0)->point[0], -0.001, 1e-5);
    assert_close(at(b, 1)->point[0], 0.001, 1e-5);
    for (uint64_t k = 0; k < 40; k++)
        assert_int_equal(zw_basin_label(b, k), k < 20 ? 1 : 2);
    zw_basin_destroy(b);
}

/* an angle that winds: one rest, whatever the number of turns; without the word `periodic` many,
 * and those that turn too far */
static void test_basin__periodic_coordinate(void **state) {
    (void)state;
    const char *text = HEAD "coord a\n%sparticle p : 1 at (sin(a), 0, -cos(a))\npotential 1 - "
                            "cos(a)\nforce (a) = -a'/5\nstart a = 0, a' = 0\n";
    const char *axis[] = {"a=-3:3:8", "a'=-6:6:8"};
    char own[400];
    snprintf(own, sizeof own, text, "periodic a\n");
    zw_basin *b = study(own, 2, axis);
    assert_sure(b);
    assert_int_equal(zw_basin_attractors(b), 1);
    assert_int_equal(at(b, 0)->starts, 64);
    zw_basin_destroy(b);
    snprintf(own, sizeof own, text, "");
    b = study(own, 2, axis);
    assert_sure(b);
    assert_true(zw_basin_attractors(b) > 4);
    for (int i = 0; i < zw_basin_attractors(b); i++)
        assert_close(remainder(at(b, i)->point[0], 2 * M_PI), 0, 1e-4);
    zw_basin_destroy(b);
}

/* ------------------------------------------------------------------------------ leaving */

static void test_basin__leaving(void **state) {
    (void)state;
    const char *axis[] = {"x=-0.5:1.5:21", "x'=-1:1:3"}, *box[] = {"x=-5:5"};
    zw_basin_options o = zw_basin_options_default();
    o.naxis = 2;
    o.axis = axis;
    o.nbox = 1;
    o.box = box;
    /* over the top at x = 1 it falls for ever */
    zw_basin *b = study_with(POINT "potential x^2/2 - x^3/3\nforce (x) = -x'/2\n", o);
    assert_sure(b);
    assert_int_equal(zw_basin_attractors(b), 3);
    assert_int_equal(at(b, 0)->kind, ZW_BASIN_REST);
    assert_int_equal(at(b, 2)->kind, ZW_BASIN_LEAVES);
    assert_int_equal(at(b, 2)->side, 1);
    assert_string_equal(at(b, 2)->name, "x");
    assert_int_equal(at(b, 1)->trial, ZW_BASIN_UNSTABLE); /* the start at rest on the top */
    for (uint64_t k = 0; k < 21;
         k++) /* from rest at x > -1/2, less energy than at the top: x > 1 leaves */
        assert_int_equal(zw_basin_label(b, 21 + k), k < 15 ? 1 : k == 15 ? 2 : 3);
    zw_basin_destroy(b);
    b = study(POINT "potential x^2/2 - x^3/3\nforce (x) = -x'/2\nevent gone : x - 3 rising stop\n",
              2, axis);
    assert_sure(b);
    assert_int_equal(at(b, 2)->kind, ZW_BASIN_STOPS);
    assert_string_equal(at(b, 2)->name, "gone");
    zw_basin_destroy(b);
}

/* ------------------------------------------------------------------------------ cycles */

static void test_basin__rings(void **state) {
    (void)state;
    const char *axis[] = {"x=-3:3:60", "y=-3:3:60"};
    zw_basin *b = study(RINGS, 2, axis);
    assert_sure(b);
    assert_int_equal(zw_basin_attractors(b), 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(at(b, i)->kind, ZW_BASIN_CYCLE);
        assert_int_equal(at(b, i)->trial, ZW_BASIN_STABLE);
        assert_close(at(b, i)->time, 2 * M_PI, 1e-6);
    }
    int inner = hypot(at(b, 0)->point[0], at(b, 0)->point[1]) < 2 ? 0 : 1;
    for (int k = 0; k < at(b, inner)->npoint; k++)
        assert_close(hypot(at(b, inner)->point[2 * k], at(b, inner)->point[2 * k + 1]), 1, 1e-5);
    assert_close(hypot(at(b, 1 - inner)->point[0], at(b, 1 - inner)->point[1]), 3, 1e-5);
    assert_true(fabs(at(b, inner)->share - M_PI * 4 / 36) < 4 * at(b, inner)->error + 0.02);
    for (int k = 0; k < 3600; k++) {
        int row = k / 60;
        double r = hypot(-3 + 6 * (k % 60) / 59.0, -3 + 6 * row / 59.0);
        assert_int_equal(zw_basin_label(b, (uint64_t)k), r < 2 ? inner + 1 : 2 - inner);
    }
    zw_basin_destroy(b);
}

/* ---- periodic answers, by a strobe map and Newton's method by hand ---- */

typedef struct duffing {
    double c, k_nl, F, w;
} duffing;

static void duffing_map(const duffing *d, double *y) {
    enum { STEPS = 400 };
    double h = 2 * M_PI / d->w / STEPS, t = 0;
    for (int n = 0; n < STEPS; n++, t = n * h) {
        double k[4][2], z[2];
        for (int s = 0; s < 4; s++) {
            double a = s == 0 ? 0 : s == 3 ? h : h / 2;
            for (int i = 0; i < 2; i++)
                z[i] = y[i] + (s ? a * k[s - 1][i] : 0);
            k[s][0] = z[1];
            k[s][1] = d->F * cos(d->w * (t + a)) - d->c * z[1] - z[0] - d->k_nl * pow(z[0], 3);
        }
        for (int i = 0; i < 2; i++)
            y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

/* a fixed point from y; false: none. *stable by trace and determinant */
static bool fixed_point(const duffing *d, double *y, bool *stable) {
    for (int n = 0; n < 30; n++) {
        double f[2] = {y[0], y[1]}, J[2][2], e = 1e-6;
        duffing_map(d, f);
        for (int i = 0; i < 2; i++) {
            double p[2] = {y[0] + (i == 0) * e, y[1] + (i == 1) * e},
                   m[2] = {y[0] - (i == 0) * e, y[1] - (i == 1) * e};
            duffing_map(d, p);
            duffing_map(d, m);
            J[0][i] = (p[0] - m[0]) / (2 * e);
            J[1][i] = (p[1] - m[1]) / (2 * e);
        }
        double r[2] = {f[0] - y[0], f[1] - y[1]}, a = J[0][0] - 1, b = J[0][1], c = J[1][0],
               q = J[1][1] - 1, det = a * q - b * c;
        double trace = J[0][0] + J[1][1], area = J[0][0] * J[1][1] - J[0][1] * J[1][0];
        *stable = area < 1 && fabs(trace) < 1 + area;
        y[0] -= (q * r[0] - b * r[1]) / det;
        y[1] -= (a * r[1] - c * r[0]) / det;
        if (fabs(y[0]) > 10 || fabs(y[1]) > 10)
            return false;
        if (hypot(r[0], r[1]) < 1e-11)
            return true;
    }
    return false;
}

static void test_basin__coexisting_answers(void **state) {
    (void)state;
    const duffing d = {0.1, 1, 0.5, 1.6};
    double known[8][2];
    int n = 0;
    for (int k = 0; k < 49; k++) {
        int row = k / 7;
        double y[2] = {-3 + k % 7, -3 + row};
        bool stable, fresh = true;
        if (!fixed_point(&d, y, &stable) || !stable)
            continue;
        for (int i = 0; i < n; i++)
            fresh = fresh && hypot(y[0] - known[i][0], y[1] - known[i][1]) > 1e-6;
        if (fresh) {
            known[n][0] = y[0];
            known[n++][1] = y[1];
        }
    }
    assert_int_equal(n, 2); /* resonant and not */
    const char *axis[] = {"x=-3:3:40", "x'=-3:3:40"};
    zw_basin *b = study(DUFFING, 2, axis);
    assert_sure(b);
    assert_int_equal(zw_basin_attractors(b), n);
    for (int i = 0; i < n; i++) {
        double best = 1;
        assert_int_equal(at(b, i)->period, 1);
        assert_int_equal(at(b, i)->trial, ZW_BASIN_STABLE);
        for (int k = 0; k < n; k++)
            best = fmin(best,
                        hypot(at(b, i)->point[0] - known[k][0], at(b, i)->point[1] - known[k][1]));
        assert_true(best < 2e-5);
    }
    for (int k = 0; k < 1600; k += 37) { /* starts by hand, 300 periods */
        int row = k / 40;
        double y[2] = {-3 + 6 * (k % 40) / 39.0, -3 + 6 * row / 39.0};
        for (int i = 0; i < 150; i++)
            duffing_map(&d, y);
        const zw_basin_attractor *a = at(b, zw_basin_label(b, (uint64_t)k) - 1);
        assert_true(hypot(y[0] - a->point[0], y[1] - a->point[1]) < 1e-2);
    }
    zw_basin_destroy(b);
}

/* s' = e + s^2: for e > 0 a motion creeps past 0 for 3000 s and leaves; for e < 0 it rests at
 * -sqrt(-e) */
static void test_basin__ghost(void **state) {
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        zw_basin_options o = zw_basin_options_default();
        char text[200];
        snprintf(text, sizeof text,
                 HEAD "param e = %d/1000000\nstate s : s' = e + s^2\nstart s = 0\n", sign);
        o.naxis = 1;
        o.axis = (const char *const[]){"s=-2:-0.5:3"};
        o.nbox = 1;
        o.box = (const char *const[]){"s=-3:3"};
        zw_basin *b = study_with(text, o);
        assert_sure(b);
        assert_int_equal(zw_basin_attractors(b), 1);
        assert_int_equal(at(b, 0)->kind, sign > 0 ? ZW_BASIN_LEAVES : ZW_BASIN_REST);
        if (sign < 0)
            assert_close(at(b, 0)->point[0], -1e-3, 1e-5);
        zw_basin_destroy(b);
    }
}

/* Lorenz's equations at rho = 160: one cycle, symmetric, of 1.1529 s (zwang orbit finds it by
 * collocation); caught several turns at once it is still the same */
static void test_basin__lorenz_cycle(void **state) {
    (void)state;
    const char *text = HEAD "state x : x' = 10*(y - x)\nstate y : y' = x*(160 - z) - y\nstate z : "
                            "z' = x*y - 8/3*z\nstart z = 100\n";
    const char *axis[] = {"x=-10:10:4", "y=-10:10:4"};
    zw_basin *b = study(text, 2, axis);
    assert_sure(b);
    assert_int_equal(zw_basin_attractors(b), 1);
    assert_int_equal(at(b, 0)->kind, ZW_BASIN_CYCLE);
    assert_close(at(b, 0)->time, 1.152949, 2e-6);
    zw_basin_destroy(b);
}

/* the driven pendulum after its period has doubled, as a symmetric pair */
static void test_basin__doubled_pair(void **state) {
    (void)state;
    const char *text =
        HEAD "coord phi\nperiodic phi\nparticle p : 1 at (sin(phi), 0, -cos(phi))\npotential 1 - "
             "cos(phi)\n"
             "force (phi) = F*cos(2/3*t) - phi'/2\nparam F = 1.07\nstart phi = 0, phi' = 0\n";
    const char *axis[] = {"phi=-3:3:16", "phi'=-2:2:16"};
    zw_basin *b = study(text, 2, axis);
    assert_sure_but_for_single_labels(b);
    int doubled = 0;
    for (int i = 0; i < zw_basin_attractors(b); i++)
        doubled += at(b, i)->kind == ZW_BASIN_CYCLE && at(b, i)->period == 2;
    assert_int_equal(doubled, 2);
    zw_basin_destroy(b);
}

/* x - int exp(-y^2) dy is constant, and has no formula: attractors may be on several leaves. x - y
 * has one, and the starts differ in it. */
static void test_basin__warns_of_hidden_leaves(void **state) {
    (void)state;
    for (int known = 0; known < 2; known++) {
        char text[400];
        const char *axis[] = {"y=-1:1:4"};
        zw_basin_options o = zw_basin_options_default();
        o.naxis = 1;
        o.axis = axis;
        snprintf(text, sizeof text,
                 HEAD "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential x^2 + y^2\n"
                      "constraint c : x' = %sy'\ndissipation y'^2\nstart x = 0.3, y = 0.2\n",
                 known ? "" : "exp(-y^2)*");
        zw_basin *b = study_with(text, o);
        zw_warnings *doubts = zw_warnings_create(NULL);
        bool hidden = false, several = false;
        zw_basin_warnings(b, doubts);
        for (int i = 0; i < zw_warnings_count(doubts); i++) {
            hidden |= strcmp(zw_warnings_at(doubts, i)->key, "leaf") == 0;
            several |= strcmp(zw_warnings_at(doubts, i)->key, "leaves") == 0;
        }
        assert_int_equal(hidden, !known);
        assert_int_equal(several, known);
        zw_warnings_destroy(doubts);
        zw_basin_destroy(b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closing__knows_what_is_left),
        cmocka_unit_test(test_basin__double_well),
        cmocka_unit_test(test_basin__start_on_the_saddle),
        cmocka_unit_test(test_basin__poles),
        cmocka_unit_test(test_basin__one_axis),
        cmocka_unit_test(test_basin__slow_focus),
        cmocka_unit_test(test_basin__algebraic_decay),
        cmocka_unit_test(test_basin__attractors_in_one_cell),
        cmocka_unit_test(test_basin__periodic_coordinate),
        cmocka_unit_test(test_basin__leaving),
        cmocka_unit_test(test_basin__rings),
        cmocka_unit_test(test_basin__coexisting_answers),
        cmocka_unit_test(test_basin__ghost),
        cmocka_unit_test(test_basin__warns_of_hidden_leaves),
        cmocka_unit_test(test_basin__lorenz_cycle),
        cmocka_unit_test(test_basin__doubled_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
