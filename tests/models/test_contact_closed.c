/* SPDX-License-Identifier: MIT */
/* Models with contacts against closed forms: one or two contacts, known to the end. */
#include <float.h>

#include "support/contact_run.h"

static const double g = 9.81;

/* ---- bouncing ball ---- */

/* height above the floor of the ball that is dropped from h = 1 m */
static double bouncing(double e, double t) {
    double first = sqrt(2 / g), v = sqrt(2 * g), t0 = first;
    if (t < first)
        return 1 - g * t * t / 2;
    for (double speed = e * v; speed > 1e-9; speed *= e) {
        double flight = 2 * speed / g;
        if (t < t0 + flight)
            return speed * (t - t0) - g * (t - t0) * (t - t0) / 2;
        t0 += flight;
    }
    return 0;
}

static double bouncing_error(double h) {
    simulation s =
        contact_do(&(contact_run){.model = "zeno_ball", .until = 6, .step = h, .every = 0.01});
    const zw_table *rows = zw_sim_rows(s.sim);
    double worst = 0;
    for (long i = 0; i < zw_table_rows(rows); i++)
        worst = fmax(worst, fabs(at(rows, i, "gap(floor)") - bouncing(0.8, at(rows, i, "t"))));
    simulation_clear(&s);
    return worst;
}

/* the rule is of first order, impacts and Zeno's point included */
static void test_zeno__ball_converges_to_the_closed_form(void **state) {
    (void)state;
    enum { N = 6 };
    double h[N], error[N];
    for (int i = 0; i < N; i++) {
        h[i] = 2e-3 * pow(0.5, i);
        error[i] = bouncing_error(h[i]);
    }
    double order = order_of(N, h, error);
    if (!(order > 0.8 && order < 1.2))
        fail_msg("order %g, errors %g to %g", order, error[0], error[N - 1]);
    /* an impact comes up to a step late, and costs the way of both speeds */
    assert_true(error[N - 1] < 1.8 * sqrt(2 * g) * h[N - 1]);
}

/* the last bounce is over at t_1 (1 + e)/(1 - e), and then the floor carries the weight */
static void test_zeno__point(void **state) {
    (void)state;
    static const char *const e[] = {"e=0.5", "e=0.8", "e=0.9"};
    static const double value[] = {0.5, 0.8, 0.9};
    for (int i = 0; i < 3; i++) {
        double zeno = sqrt(2 / g) * (1 + value[i]) / (1 - value[i]);
        simulation s = contact_do(&(contact_run){
            .model = "zeno_ball", .set = {e[i]}, .until = 1.1 * zeno, .step = 1e-4, .every = 1e-4});
        const zw_table *rows = zw_sim_rows(s.sim);
        long last = zw_table_rows(rows) - 1;
        assert_close(at(rows, last, "lambda(floor)"), 0.2 * g, 1e-12);
        while (last > 0 && at(rows, last, "lambda(floor)") > 0)
            last--;
        assert_close(at(rows, last, "t"), zeno, 2e-3);
        simulation_clear(&s);
    }
}

/* Newton's law holds in every step that has an impulse, to round-off */
static void test_zeno__impact_law(void **state) {
    (void)state;
    simulation s =
        contact_do(&(contact_run){.model = "zeno_ball", .until = 4, .step = 1e-3, .every = 1e-3});
    const zw_table *rows = zw_sim_rows(s.sim);
    int impacts = 0;
    for (long i = 1; i < zw_table_rows(rows); i++) {
        double before = at(rows, i - 1, "z'"), after = at(rows, i, "z'");
        bool closed = at(rows, i, "lambda(floor)") > 0;
        assert_close(after, closed ? -0.8 * before : before - g * 1e-3, 1e-14);
        impacts += closed;
    }
    assert_true(impacts >= 15);
    simulation_clear(&s);
}

/* ---- oscillator with a wall ---- */

typedef struct oscillator {
    double m, k, c, F, Omega, d, e;
} oscillator;

/* the free motion that begins at (t0, x0, v0) */
static void oscillate(const oscillator *o, double t0, double x0, double v0, double t, double *x,
                      double *v) {
    double a = o->k - o->m * o->Omega * o->Omega, b = o->c * o->Omega, n = a * a + b * b;
    double A = o->F * a / n, B = o->F * b / n; /* A cos + B sin is the steady part */
    double delta = o->c / (2 * o->m), w = sqrt(o->k / o->m - delta * delta), s = t - t0;
    double W = o->Omega;
    double p = x0 - A * cos(W * t0) - B * sin(W * t0);
    double q = (v0 + A * W * sin(W * t0) - B * W * cos(W * t0) + delta * p) / w;
    double decay = exp(-delta * s), sine = sin(w * s), cosine = cos(w * s);
    *x = A * cos(W * t) + B * sin(W * t) + decay * (p * cosine + q * sine);
    *v = -A * W * sin(W * t) + B * W * cos(W * t) +
         decay * ((q * w - delta * p) * cosine - (p * w + delta * q) * sine);
}

/* first time after t0 where the free motion meets the wall, before the end */
static double meets(const oscillator *o, double t0, double x0, double v0, double end) {
    double x, v, step = 1e-3, a = t0 + 1e-9;
    for (double b = t0 + step; b < end + step; a = b, b += step) {
        oscillate(o, t0, x0, v0, b, &x, &v);
        if (x <= o->d)
            continue;
        for (int i = 0; i < 60; i++) {
            double mid = (a + b) / 2;
            oscillate(o, t0, x0, v0, mid, &x, &v);
            *(x > o->d ? &b : &a) = mid;
        }
        return a;
    }
    return end;
}

/* the motion from rest, from event to event; below 1e-6 m/s an impact is the last one */
static void oscillator_at(const oscillator *o, double end, double *x, double *v) {
    double t = 0;
    *x = *v = 0;
    while (t < end) {
        double hit = meets(o, t, *x, *v, end), x0 = *x, v0 = *v;
        oscillate(o, t, x0, v0, hit, x, v);
        t = hit;
        if (t >= end)
            return;
        *x = o->d;
        *v *= -o->e;
        if (fabs(*v) > 1e-6 || o->F * cos(o->Omega * t) <= o->k * o->d)
            continue;
        /* it rests at the wall until the force of the wall vanishes */
        *v = 0;
        double turn = acos(o->k * o->d / o->F) / o->Omega, period = 2 * acos(-1) / o->Omega;
        while (turn < t)
            turn += period;
        t = turn;
    }
    if (t > end)
        *x = o->d;
}

static void check_wall(const char *e, double value) {
    oscillator o = {1, 1, 0.1, 2, 0.2, 0, value};
    o.d = o.F / hypot(o.k - o.m * o.Omega * o.Omega, o.c * o.Omega) / 2;
    enum { N = 4 };
    double h[N], error[N];
    for (int i = 0; i < N; i++) {
        h[i] = 4e-3 * pow(0.5, i);
        simulation s = contact_do(&(contact_run){
            .model = "wall_oscillator", .set = {e}, .until = 70, .step = h[i], .every = 1.75});
        const zw_table *rows = zw_sim_rows(s.sim);
        error[i] = 0;
        for (long k = 0; k < zw_table_rows(rows); k++) {
            double x, v;
            oscillator_at(&o, at(rows, k, "t"), &x, &v);
            error[i] = fmax(error[i], fabs(at(rows, k, "x") - x));
        }
        simulation_clear(&s);
    }
    double order = order_of(N, h, error);
    if (!(order > 0.7 && order < 1.4 && error[N - 1] < 5e-3))
        fail_msg("%s: order %g, errors %g %g %g %g", e, order, error[0], error[1], error[2],
                 error[3]);
}

static void test_wall__oscillator_against_events(void **state) {
    (void)state;
    check_wall("e=0", 0);
    check_wall("e=0.6", 0.6);
}

/* pressed against the wall, its force is F cos(Omega t) - k d */
static void test_wall__force(void **state) {
    (void)state;
    simulation s = contact_do(
        &(contact_run){.model = "wall_oscillator", .until = 70, .step = 1e-3, .every = 1e-3});
    const zw_table *rows = zw_sim_rows(s.sim);
    double d = 2 / hypot(0.96, 0.02) / 2;
    long pressed = 0;
    for (long i = 2; i < zw_table_rows(rows); i++) {
        double force = at(rows, i, "lambda(wall)"), mid = at(rows, i, "t") - 0.5e-3;
        assert_true(force >= 0);
        if (force == 0 || at(rows, i - 1, "lambda(wall)") == 0 ||
            at(rows, i - 2, "lambda(wall)") == 0)
            continue;
        assert_close(force, 2 * cos(0.2 * mid) - d, 2e-3); /* k times the overlap of a step */
        pressed++;
    }
    assert_true(pressed > 5000);
    simulation_clear(&s);
}

/* ---- ball that slips and rolls ---- */

static void test_sliding__ball_rolls_at_last(void **state) {
    (void)state;
    const double v = 2, mu = 0.2, t = 2 * v / (7 * mu * g), h = 1e-3;
    simulation s = contact_do(
        &(contact_run){.model = "sliding_ball", .until = 1, .step = h, .every = h, .energy = true});
    const zw_table *rows = zw_sim_rows(s.sim);
    for (long i = 1; i < zw_table_rows(rows); i++) {
        double now = at(rows, i, "t");
        bool rolls = now > t + h;
        assert_close(at(rows, i, "x'"), rolls || now > t ? 5.0 / 7 * v : v - mu * g * now, 1e-12);
        assert_close(at(rows, i, "lambda(floor)"), 0.17 * g, 1e-12);
        assert_close(at(rows, i, "status(floor)"), rolls ? 1 : now > t ? 1 : 2, 0);
    }
    assert_close(at(rows, -1, "energy") - 0.17 * g * 0.0286, 5.0 / 7 * 0.17 * v * v / 2, 1e-13);
    assert_close(at(rows, -1, "work(floor.friction)"), -2.0 / 7 * 0.17 * v * v / 2, 1e-13);
    simulation_clear(&s);
}

/* where it begins to roll is known to first order in the step */
static void test_sliding__distance(void **state) {
    (void)state;
    enum { N = 4 };
    static const double h[N] = {8e-3, 4e-3, 2e-3, 1e-3};
    const double v = 2, mu = 0.2, t = 2 * v / (7 * mu * g);
    double want = 12 * v * v / (49 * mu * g) + 5.0 / 7 * v * (1 - t);
    for (int i = 0; i < N; i++)
        assert_close(
            contact_end(&(contact_run){.model = "sliding_ball", .until = 1, .step = h[i]}, "x"),
            want, 0.5 * mu * g * h[i] * h[i]);
}

/* A spin across its way bends its path into a parabola; momentum about the line of contact decides
 * what is left. */
static void test_sliding__masse(void **state) {
    (void)state;
    const double r = 0.0286, v = 2, wx = 150, wy = -60, mu = 0.2;
    simulation s = contact_do(&(contact_run){
        .model = "sliding_ball", .variant = "masse", .until = 2, .step = 1e-3, .every = 1e-3});
    const zw_table *rows = zw_sim_rows(s.sim);
    assert_close(at(rows, -1, "x'"), 5.0 / 7 * v + 2.0 / 7 * r * wy, 1e-12);
    assert_close(at(rows, -1, "y'"), -2.0 / 7 * r * wx, 1e-12);
    assert_close(at(rows, -1, "ball.wz"), 0, 1e-12); /* nothing resists pivoting */
    double slip_x = v - r * wy, slip_y = r * wx, slip = hypot(slip_x, slip_y);
    double end = 2 * slip / (7 * mu * g);
    for (long i = 1; i < zw_table_rows(rows); i++) {
        double t = at(rows, i, "t");
        if (t > end)
            break;
        assert_close(at(rows, i, "x"), v * t - mu * g * slip_x / slip * t * t / 2, 1e-12);
        assert_close(at(rows, i, "y"), -mu * g * slip_y / slip * t * t / 2, 1e-12);
    }
    simulation_clear(&s);
}

/* ---- block on an incline ---- */

static bool slides(const char *model, double slope) {
    char set[64];
    snprintf(set, sizeof set, "slope=%.17g", slope);
    simulation s =
        contact_do(&(contact_run){.model = model, .set = {set}, .until = 0.02, .step = 1e-3});
    const zw_table *rows = zw_sim_rows(s.sim);
    bool any = zw_table_find(rows, "slip(floor.1)") >= 0
                   ? fabs(at(rows, -1, "x'")) > DBL_EPSILON * g * 1e-3
                   : at(rows, -1, "status(toe)") > 1.5;
    simulation_clear(&s);
    return any;
}

/* the largest slope at which it stays, by bisection */
static double steepest(const char *model) {
    double low = 0.2, high = 0.4;
    for (int i = 0; i < 60; i++) {
        double mid = (low + high) / 2;
        if (mid == low || mid == high)
            break;
        *(slides(model, mid) ? &high : &low) = mid;
    }
    return low;
}

static void test_incline__sticks_to_the_last_digit(void **state) {
    (void)state;
    static const char point[] = "model point\nparam m = 1 [kg], g = 9.81 [m/s^2], mu = 0.3\n"
                                "param slope = 0.3 [rad]\ncoord x, y [m]\n"
                                "particle P : m at (x, y)\n"
                                "gravity g along (sin(slope), -cos(slope), 0)\n"
                                "contact floor : gap y, slip x', law coulomb(mu)\n";
    assert_close(steepest(point), atan(0.3), 4e-16);
    /* two feet whose forces are not determined: by iteration, and slip is what is above 1e-8 of a
     * step's speeds */
    assert_close(steepest("incline_block"), atan(0.3), 1e-9);
}

static void test_incline__block(void **state) {
    (void)state;
    simulation s = contact_do(&(contact_run){
        .model = "incline_block", .set = {"slope=16.69 [deg]"}, .until = 5, .step = 1e-3});
    const zw_table *rows = zw_sim_rows(s.sim);
    assert_true(fabs(at(rows, -1, "x")) < 1e-12);
    double load = at(rows, -1, "lambda(rear)") + at(rows, -1, "lambda(toe)");
    double drag = at(rows, -1, "lambda(rear.1)") + at(rows, -1, "lambda(toe.1)");
    double slope = 16.69 * acos(-1) / 180;
    assert_close(load, g * cos(slope), 1e-10);
    assert_close(drag, -g * sin(slope), 1e-10);
    simulation_clear(&s);
    slope = 20 * acos(-1) / 180;
    double a = g * (sin(slope) - 0.3 * cos(slope)); /* constant: the rule is exact */
    assert_close(
        contact_end(&(contact_run){.model = "incline_block", .until = 1, .step = 1e-3}, "x"), a / 2,
        1e-11);
}

/* ---- rocking block ---- */

typedef struct rocker {
    double alpha, p2; /* p2 = 3 g/(4 R) */
} rocker;

/* time from rest at th0 to th = 0, with th = th0 - w^2 by Simpson's rule */
static double quarter(const rocker *b, double th0) {
    enum { N = 2000 };
    double end = sqrt(th0), h = end / N, sum = 0;
    for (int i = 0; i <= N; i++) {
        double w = i * h, th = th0 - w * w;
        double speed2 = 2 * b->p2 * (cos(b->alpha - th0) - cos(b->alpha - th));
        double f = i ? 2 * w / sqrt(speed2) : 2 / sqrt(2 * b->p2 * sin(b->alpha - th0));
        sum += (i == 0 || i == N ? 1 : i % 2 ? 4 : 2) * f;
    }
    return sum * h / 3;
}

/* impacts at these times, after each the energy of rocking is a given part of what it was */
static void test_rocking__housner(void **state) {
    (void)state;
    rocker b = {atan2(0.1, 0.4), 3 * g / (4 * hypot(0.1, 0.4))};
    double ratio = 1 - 1.5 * sin(b.alpha) * sin(b.alpha), weight = 100 * g * hypot(0.1, 0.4);
    double energy = weight * (cos(b.alpha - 0.12) - cos(b.alpha)), th = 0.12, t = quarter(&b, th);
    simulation s = contact_do(
        &(contact_run){.model = "rocking_block", .until = 3, .step = 2e-5, .every = 2e-4});
    const zw_table *rows = zw_sim_rows(s.sim);
    assert_close(at(rows, 0, "E"), energy, 1e-11);
    for (int n = 0; n < 5; n++) {
        long i = 0;
        while (at(rows, i, "t") < t + 2e-3)
            i++;
        assert_close(at(rows, i, "E") / energy, ratio * ratio, 2e-3);
        assert_close(at(rows, i, "th"), 0, 2e-3); /* the moment of the impact */
        assert_true((at(rows, i - 20, "th") < 0) != (at(rows, i + 10, "th") < 0));
        energy *= ratio * ratio;
        th = b.alpha - acos(cos(b.alpha) + energy / weight);
        t += 2 * quarter(&b, th);
    }
    simulation_clear(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zeno__ball_converges_to_the_closed_form),
        cmocka_unit_test(test_zeno__point),
        cmocka_unit_test(test_zeno__impact_law),
        cmocka_unit_test(test_wall__oscillator_against_events),
        cmocka_unit_test(test_wall__force),
        cmocka_unit_test(test_sliding__ball_rolls_at_last),
        cmocka_unit_test(test_sliding__distance),
        cmocka_unit_test(test_sliding__masse),
        cmocka_unit_test(test_incline__sticks_to_the_last_digit),
        cmocka_unit_test(test_incline__block),
        cmocka_unit_test(test_rocking__housner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
