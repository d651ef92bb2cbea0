/* SPDX-License-Identifier: MIT */
/* Connecting orbits from text to value: closed forms, other methods, numbers of the literature. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/failing_allocator.h"
#include "support/orbits.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static zw_context *ctx;
static zw_system *sys;
static zw_connections *study;
static zw_error err;

typedef struct wish {
    const char *variant, *set, *over, *marks, *to, *turn;
    int points;
    double tolerance; /* 0: as usual */
} wish;

/* the model, or its text, started where its motion `steady` is; NULL: at its start */
static zw_status open_study(const char *text, const char *steady, const wish *w) {
    char start[8][160];
    const char *set[9] = {w->set};
    zw_model_options model = {
        .size = sizeof model, .nset = w->set ? 1 : 0, .set = set, .variant = w->variant};
    zw_connections_options o = zw_connections_options_default();
    err = (zw_error){0};
    study = NULL;
    for (int pass = 0; pass < (steady ? 2 : 1); pass++) {
        ctx = zw_context_create(NULL);
        zw_status status =
            text[0] == '/' ? zw_model_read(&sys, ctx, text, &model, &err)
                           : zw_model_parse(&sys, ctx, text, strlen(text), "test", &model, &err);
        if (status < 0)
            fail_msg("%s", err.text);
        if (!steady || pass == 1)
            break;
        double p[64];
        zw_expr symbol[64];
        zw_system_param_values(sys, p, &err);
        for (int i = 0; i < sys->np; i++)
            symbol[i] = sys->param[i].sym;
        for (int m = 0; m < sys->nmotion; m++)
            for (int k = 0; k < sys->motion[m].n && strcmp(sys->motion[m].name, steady) == 0; k++)
                for (int i = 0; i < sys->nq; i++)
                    if (sys->coord[i].sym == sys->motion[m].what[k]) {
                        const char *unit = sys->coord[i].unit;
                        snprintf(start[model.nset], sizeof start[0],
                                 unit[0] ? "%s=%.17g [%s]" : "%s=%.17g", sys->coord[i].name,
                                 zw_eval(ctx, sys->motion[m].value[k], sys->np, symbol, p), unit);
                        set[model.nset] = start[model.nset];
                        model.nset++;
                    }
        zw_context_destroy(ctx);
    }
    o.over = w->over;
    o.marks = w->marks;
    o.to = w->to;
    o.turn = w->turn;
    if (w->points)
        o.points = w->points;
    if (w->tolerance > 0)
        o.tolerance = w->tolerance;
    return zw_connections_create(&study, sys, &o, &err);
}

static void close_study(void) {
    zw_connections_destroy(study);
    zw_context_destroy(ctx);
}

/* the one there is */
static const zw_connection_found *find(const char *text, const char *steady, const wish *w) {
    if (open_study(text, steady, w) < 0 || zw_connections_find(study, &err) < 0)
        fail_msg("%s (%s)", err.text, err.hint);
    assert_int_equal(zw_connections_count(study), 1);
    const zw_connection_found *f = zw_connections_at(study, 0);
    if (!f->solved)
        fail_msg("%s", f->why);
    return f;
}

/* --------------------------------------------------------------------------------- closed forms */

/* c = (1 - 2 a)/sqrt(2), on u' = -u (1 - u)/sqrt(2) */
static void test_connections__front_of_nagumo(void **state) {
    static const char *const set[] = {"a=0.2", "a=0.35"};
    static const double a[] = {0.2, 0.35};
    (void)state;
    for (int k = 0; k < 2; k++) {
        wish w = {.set = set[k], .over = "c=-1:1", .to = "ahead"};
        const zw_connection_found *f = find(MODEL("nagumo_front"), "behind", &w);
        assert_close(f->value, (1 - 2 * a[k]) / sqrt(2), 1e-11);
        assert_true(f->uncertain < 1e-11);
        assert_true(isnan(f->quantity)); /* heteroclinic */
        for (int i = 0; i < f->rows; i++) {
            double u = f->x[2 * i];
            assert_true(fabs(f->x[2 * i + 1] + u * (1 - u) / sqrt(2)) < 1e-9);
        }
        close_study();
    }
}

/* x'' = x - x^2 - d x': without damping the loop x'^2 = x^2 - 2/3 x^3, whose saddle is neutral */
static void test_connections__loop_without_damping(void **state) {
    static const char text[] = "model loop\nunits none\nparam d = 0.1\ncoord x\nkinetic x'^2/2\n"
                               "force (x) = x - x^2 - d*x'\nstart x = 0\n";
    wish w = {.over = "d=-0.3:0.37"};
    double most = 0;
    (void)state;
    const zw_connection_found *f = find(text, NULL, &w);
    assert_true(fabs(f->value) < 1e-12);
    assert_int_equal(f->birth, ZW_BIRTH_UNKNOWN);
    for (int i = 0; i < f->rows; i++) {
        double x = f->x[2 * i], v = f->x[2 * i + 1];
        assert_true(fabs(v * v - x * x + 2. / 3 * x * x * x) < 1e-9);
        most = fmax(most, x);
    }
    assert_close(most, 1.5, 1e-3);
    close_study();
}

#define REACTION                                                                                   \
    "model ab\nunits none\nparam p1 = %s, p2 = %s, p3 = 3\n"                                       \
    "state u1, u2 : u1' = -u1 + p1*(1 - u1)*exp(u2), "                                             \
    "u2' = -u2 + p1*p2*(1 - u1)*exp(u2) - p3*u2\nstart u1 = %s, u2 = %s\n"

/* AUTO's demo ab: large loops that run through a burst of 1e-3 of the time, about a saddle that
 * repels much more than it attracts. The values are those at which its manifolds meet on a section,
 * integrated by Taylor series of order 30 in numbers of 113 bits from 1e-15 next to the saddle. */
static void test_connections__large_loops(void **state) {
    static const struct {
        const char *p1, *p2, *u1, *u2, *over;
        double value;
    } at[] = {{"0.1194", "17", "0.5", "2.12", "p1=0.119:0.1198", 0.119454824036434882861},
              {"0.1101", "18", "0.402", "1.81", "p1=0.1095:0.1106", 0.110113578162483165386}};
    char text[400];
    (void)state;
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        snprintf(text, sizeof text, REACTION, at[k].p1, at[k].p2, at[k].u1, at[k].u2);
        const zw_connection_found *f = find(text, NULL, &(wish){.over = at[k].over, .points = 11});
        assert_close(f->value, at[k].value, 1e-13);
        assert_true(f->uncertain < 1e-13 && f->uncertain >= fabs(f->value - at[k].value));
        assert_true(fmax(f->info.distance[0], f->info.distance[1]) < 2e-5);
        close_study();
    }
}

/* AUTO's demo tor (Freire, Rodriguez-Luis, Gamero, Ponce): motions pass the saddle-focus at a tenth
 * of their size at best; the ends of the orbit come as near as they do elsewhere, and what is
 * reported is known. Bisection and boundary value problem agree. */
static void test_connections__ends_come_nearer(void **state) {
    static const char text[] =
        "model tor\nunits none\nparam nu = -0.8, be = 0.5, ga = -0.6, r = 0.6, a3 = 0.328578, "
        "b3 = 0.933578\nstate x : x' = (-(be + nu)*x + be*y - a3*x^3 + b3*(y - x)^3)/r\n"
        "state y : y' = be*x - (be + ga)*y - z - b3*(y - x)^3\nstate z : z' = y\n"
        "start x = 0.4855, y = 0, z = 0.3496\n";
    (void)state;
    if (open_study(text, NULL, &(wish){.over = "nu=-0.81:-0.78"}) < 0 ||
        zw_connections_find(study, &err) < 0)
        fail_msg("%s (%s)", err.text, err.hint);
    assert_int_equal(zw_connections_count(study), 2);
    for (int i = 0; i < 2; i++) {
        const zw_connection_found *f = zw_connections_at(study, i);
        assert_true(f->solved && f->uncertain < 1e-9);
        assert_true(fmax(f->info.distance[0], f->info.distance[1]) < 2e-5);
        assert_close(f->value, f->bisected[0], 1e-10);
    }
    close_study();
}

/* Where two points of the range show nothing to motions that leave the saddle, the orbits that are
 * born at a Hopf point lead to the connection; motions at more points, by another method, find the
 * same value. */
static void test_connections__from_orbits(void **state) {
    static const char text[] =
        "model loops\nunits none\nparam d = 0\nstate x, y : x' = y, y' = 1.382*x - d*y - x^2 + "
        "1.204*x*y - 1.408*y^2 - 1.424*x^3 + 0.124*x^2*y\nstart x = 0, y = 0\n";
    (void)state;
    const zw_connection_found *f = find(text, NULL, &(wish){.over = "d=0.2:0.95", .points = 2});
    double value = f->value;
    assert_true(f->orbit >= 0 && f->uncertain < 1e-11);
    assert_true(f->orbit_period > 50 && fabs(f->orbit_value - value) < 1e-6);
    close_study();
    f = find(text, NULL, &(wish){.over = "d=-0.5:1", .points = 6});
    assert_int_equal(f->orbit, -1);
    assert_close(value, f->value, 1e-11);
    assert_close(value, f->bisected[0], 1e-11);
    close_study();
}

/* y' = x - x^2 - d y + k x y: with time turned round (t, y, d, k) is (-t, -y, -d, -k). One of the
 * two saddles repels more than it attracts, and is met backwards in time; what is born turns round
 * with it. */
static void test_connections__time_turned_round(void **state) {
    static const char text[] = "model steep\nunits none\nparam d = 2, k = 1\nstate x, y : x' = y, "
                               "y' = x - x^2 - d*y + k*x*y\nstart x = 0\n";
    (void)state;
    const zw_connection_found *f =
        find(text, NULL, &(wish){.set = "d=2", .over = "k=1:4", .points = 13});
    double value = f->value;
    assert_int_equal(f->way, 1);
    assert_int_equal(f->birth, ZW_BIRTH_STABLE);
    assert_int_equal(f->born, -1);
    assert_close(f->quantity, -2, 1e-9);
    close_study();
    f = find(text, NULL, &(wish){.set = "d=-2", .over = "k=-4:-1", .points = 13});
    assert_close(f->value, -value, 1e-9);
    assert_int_equal(f->way, -1);
    assert_int_equal(f->birth, ZW_BIRTH_UNSTABLE);
    assert_int_equal(f->born, 1);
    close_study();
}

/* ------------------------------------------------------------------------- pendulum with torque */

/* p dp/dphi = tau - sin(phi) - zeta p from one saddle forwards and from the other one backwards,
 * both to phi = 0: what they miss each other by */
static double torque_gap(double zeta, double tau) {
    double at_zero[2];
    for (int side = 0; side < 2; side++) {
        double saddle = (side ? M_PI : -M_PI) - asin(tau), k = cos(asin(tau)),
               rate = side ? -zeta / 2 - sqrt(zeta * zeta / 4 + k)
                           : -zeta / 2 + sqrt(zeta * zeta / 4 + k),
               away = side ? -1e-4 : 1e-4, phi = saddle + away, p = rate * away;
        int n = 60000;
        double h = -phi / n;
        for (int i = 0; i < n; i++) { /* Runge and Kutta */
            double k1 = (tau - sin(phi)) / p - zeta,
                   k2 = (tau - sin(phi + h / 2)) / (p + h / 2 * k1) - zeta,
                   k3 = (tau - sin(phi + h / 2)) / (p + h / 2 * k2) - zeta,
                   k4 = (tau - sin(phi + h)) / (p + h * k3) - zeta;
            p += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
            phi += h;
        }
        at_zero[side] = p;
    }
    return at_zero[0] - at_zero[1];
}

static double torque_by_halves(double zeta) {
    double low = 0.5 * zeta, high = 2 * zeta;
    for (int i = 0; i < 45; i++) {
        double mid = 0.5 * (low + high);
        *(torque_gap(zeta, mid) < 0 ? &low : &high) = mid;
    }
    return 0.5 * (low + high);
}

/* on the cylinder, against the phase plane by another method, and Melnikov's 4 zeta/pi for small
 * zeta */
static void test_connections__pendulum_turns(void **state) {
    static const char *const set[] = {"zeta=0.1", "zeta=0.01"};
    static const double zeta[] = {0.1, 0.01};
    (void)state;
    for (int k = 0; k < 2; k++) {
        char over[64];
        snprintf(over, sizeof over, "tau=%g:%g", 0.6 * zeta[k], 2 * zeta[k]);
        wish w = {.set = set[k], .over = over, .turn = "phi=1"};
        const zw_connection_found *f = find(MODEL("pendulum_torque"), "up", &w);
        assert_close(f->value, torque_by_halves(zeta[k]), 1e-9);
        assert_true(fabs(f->value / (4 * zeta[k] / M_PI) - 1) < 0.4 * zeta[k] * zeta[k]);
        assert_close(f->quantity, -zeta[k], 1e-9); /* the trace */
        assert_int_equal(f->birth, ZW_BIRTH_STABLE);
        assert_int_equal(f->born, 1);
        assert_close(f->saddle[1][0] - f->saddle[0][0], 2 * M_PI, 1e-12);
        close_study();
    }
}

/* The same in Cartesian coordinates, where one turn further is the same place; and beside a
 * coordinate that only drifts. */
static void test_connections__constraint_and_drift(void **state) {
    static const char plane[] =
        "model plane\nunits none\nparam zeta = 0.1, tau = 0.1\ncoord x, y\n"
        "kinetic (x'^2 + y'^2)/2\npotential y\nconstraint rod : x^2 + y^2 = 1\n"
        "force (x) = -tau*y - zeta*x'\nforce (y) = tau*x - zeta*y'\n"
        "start x = tau, y = sqrt(1 - tau^2)\n",
                      drift[] = "model drift\nunits none\nparam zeta = 0.1, tau = 0.1\n"
                                "coord phi, z\nkinetic phi'^2/2 + z'^2/2\n"
                                "force (phi) = tau*z' - sin(phi) - zeta*phi'\nforce (z) = 1 - z'\n"
                                "start phi = -pi - asin(tau), z' = 1\n";
    (void)state;
    double value = torque_by_halves(0.1);
    wish w = {.over = "tau=0.08:0.3"};
    const zw_connection_found *f = find(plane, NULL, &w);
    assert_close(f->value, value, 1e-9);
    assert_int_equal(f->n, 2);
    for (int i = 0; i < f->rows;
         i++) { /* between nodes the constraint holds as far as the mesh is fine */
        const double *x = f->x + 4 * i;
        assert_true(fabs(x[0] * x[0] + x[1] * x[1] - 1) < 1e-7);
    }
    close_study();
    w.turn = "phi=1";
    f = find(drift, NULL, &w);
    assert_close(f->value, value, 1e-9);
    assert_int_equal(f->n, 3); /* z is ignorable: phi, phi', z' */
    assert_close(f->x[(size_t)(f->rows - 1) * 4 + 1] - f->x[1], f->info.time, 1e-6);
    close_study();
}

/* --------------------------------------------------------------------------------------- Lorenz */

/* rho = 13.926557407..., e.g. C. Sparrow, The Lorenz Equations (1982): 13.926; backwards in time
 * one direction leads in, two leave */
static void test_connections__lorenz(void **state) {
    static const char back[] =
        "model back\nunits none\nparam s = 10, rho = 12, b = 8/3\nstate x, y, z : "
        "x' = -s*(y - x), y' = y - x*(rho - z), z' = b*z - x*y\nstart x = 0\n";
    (void)state;
    const zw_connection_found *f =
        find(MODEL("lorenz"), NULL, &(wish){.set = "x=0", .over = "rho=10:20"});
    double value = f->value;
    assert_close(value, 13.9265574075, 1e-9);
    assert_true(f->both);
    assert_close(f->quantity, (sqrt(121 + 40 * (value - 1)) - 11) / 2 - 8. / 3, 1e-9);
    assert_int_equal(f->birth, ZW_BIRTH_UNSTABLE);
    assert_int_equal(f->unstable, 1);
    close_study();
    f = find(back, NULL, &(wish){.over = "rho=10:20"});
    assert_close(f->value, value, 1e-9);
    assert_int_equal(f->unstable, 2);
    close_study();
}

/* periods of cycles beside it: T = const - ln|mu - mu_h| / (the eigenvalue nearest to the imaginary
 * axis) */
static void period_law(const char *text, const char *start, const char *over, double value,
                       double rate, double *slope) {
    zw_context *own = zw_context_create(NULL);
    zw_system *s;
    zw_orbits *orbits;
    zw_orbits_options o = zw_orbits_options_default();
    const char *set[] = {start, "y=8", "z=23"};
    zw_model_options model = {
        .size = sizeof model, .nset = strstr(text, "lorenz") ? 3 : 1, .set = set};
    int born, n = 0;
    double x[400], y[400];
    o.over = over;
    o.stability = false;
    if ((text[0] == '/' ? zw_model_read(&s, own, text, &model, &err)
                        : zw_model_parse(&s, own, text, strlen(text), "test", &model, &err)) < 0 ||
        zw_orbits_create(&orbits, s, &o, &err) < 0 || zw_orbits_from_hopf(orbits, &born, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < zw_orbits_count(orbits) && n < 400; i++) {
        const zw_orbit_motion *m = zw_orbits_at(orbits, i);
        double mu = fabs(m->value - value) / fabs(value);
        if (mu < 4e-3 && mu > 1e-4) {
            x[n] = -log(mu) / rate;
            y[n++] = m->period;
        }
    }
    assert_true(n >= 2);
    double mx = 0, my = 0, xy = 0, xx = 0;
    for (int i = 0; i < n; i++) {
        mx += x[i] / n;
        my += y[i] / n;
    }
    for (int i = 0; i < n; i++) {
        xy += (x[i] - mx) * (y[i] - my);
        xx += (x[i] - mx) * (x[i] - mx);
    }
    *slope = xy / xx;
    zw_orbits_destroy(orbits);
    zw_context_destroy(own);
}

static void test_connections__law_of_periods(void **state) {
    double slope;
    (void)state;
    const zw_connection_found *f =
        find(MODEL("bogdanov_takens"), "saddle", &(wish){.over = "b_1=-0.004:-0.001"});
    double value = f->value, rate = f->quantity < 0 ? fmax(f->re[0], f->re[1]) : NAN;
    assert_int_equal(f->birth, ZW_BIRTH_STABLE);
    assert_int_equal(f->born, 1); /* towards the Hopf point at b_1 = 0 */
    close_study();
    period_law(MODEL("bogdanov_takens"), "x=0", "b_1=-0.002372:0.0002", value, rate, &slope);
    assert_close(slope, 1, 0.03);
    /* of Lorenz the one that decays is nearest, -8/3 */
    period_law(MODEL("lorenz"), "x=8", "rho=13.9268:25", 13.9265574075, 8. / 3, &slope);
    assert_close(slope, 1, 0.03);
}

/* ---------------------------------------------------------------------------------- saddle-foci */

/* a third-order equation, z' = -a z - y + x (1 - x), whose saddle-focus has a positive quantity:
 * infinitely many cycles (Yu. A. Kuznetsov, Elements of Applied Bifurcation Theory, section 6.3).
 * Bisection and the boundary value problem have it each on its own. */
static void test_connections__saddle_focus(void **state) {
    static const char text[] = "model lure\nunits none\nparam a = 0.7\nstate x, y, z : x' = y, "
                               "y' = z, z' = -a*z - y + x*(1 - x)\nstart x = 0\n";
    (void)state;
    const zw_connection_found *f = find(text, NULL, &(wish){.over = "a=0.2:1.5"});
    assert_close(f->value, f->bisected[0], 1e-9);
    assert_true(f->uncertain < 1e-9);
    assert_int_equal(f->birth, ZW_BIRTH_MANY);
    for (int i = 0; i < 3; i++) { /* l^3 + a l^2 + l - 1 = 0 */
        double complex l = f->re[i] + I * f->im[i];
        assert_true(cabs(l * l * l + f->value * l * l + l - 1) < 1e-12);
    }
    close_study();
}

/* The motion leaves to both sides of a range too narrow for the points of the scan, within which
 * the pulse is; over eps the curve goes through a fold, from the fast to the slow pulse, and the
 * fast one tends to the front of Nagumo. */
static void test_connections__pulse_of_a_nerve(void **state) {
    int folds = 0;
    double at[2] = {0}, slow = NAN;
    (void)state;
    if (open_study(MODEL("fitzhugh_nagumo_pulse"), NULL,
                   &(wish){.over = "c=0.2:0.7", .marks = "eps=0.0005:0.02", .points = 11}) < 0 ||
        zw_connections_find(study, &err) < 0 || zw_connections_follow(study, &err) < 0)
        fail_msg("%s (%s)", err.text, err.hint);
    const zw_connection_found *f = zw_connections_at(study, 0);
    assert_close(f->value, f->bisected[0], 1e-9);
    assert_int_equal(f->birth, ZW_BIRTH_MANY);
    for (int i = 0; i < zw_connections_points(study); i++) {
        const zw_connection_point *p = zw_connections_point(study, i);
        folds += p->fold;
        if (fabs(p->second - 0.0005) < 1e-12)
            *(p->value > 0.4 ? &at[0] : &slow) = p->value;
        if (p->value > 0.5 && p->second > at[1] && p->second < 0.0012)
            at[1] = p->second;
    }
    assert_int_equal(folds, 1);
    assert_true(slow < 0.2);
    assert_close(at[0], sqrt(2) * 0.4, 10 * 0.0005);
    assert_true(at[0] < sqrt(2) * 0.4);
    close_study();
}

/* The front of Nagumo over a = 0.2 + e, from e = 0 on, which is the value of the model: a range may
 * begin or end there. */
static void test_connections__range_that_begins_at_zero(void **state) {
    static const char text[] =
        "model front\nunits none\nparam c = 0.3, e = 0\nstate u, v : u' = v, "
        "v' = -c*v - u*(1 - u)*(u - 0.2 - e)\nsteady ahead : u = 0, v = 0\n"
        "steady behind : u = 1, v = 0\nstart u = 1, v = 0\n";
    static const char *const range[] = {"e=0:0.2", "e=-0.1:0", "e=0.2:0"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        if (open_study(text, NULL, &(wish){.over = "c=-1:1", .to = "ahead", .marks = range[k]}) <
                0 ||
            zw_connections_find(study, &err) < 0 || zw_connections_follow(study, &err) < 0)
            fail_msg("%s (%s)", err.text, err.hint);
        int n = zw_connections_points(study);
        double largest = 0;
        assert_true(n > 3);
        for (int i = 0; i < n; i++) {
            const zw_connection_point *p = zw_connections_point(study, i);
            assert_close(p->value, (1 - 2 * (0.2 + p->second)) / sqrt(2), 1e-6);
            largest = fmax(largest, fabs(p->second));
        }
        assert_close(largest, k == 1 ? 0.1 : 0.2, 1e-12);
        close_study();
    }
}

/* ------------------------------------------------------------------------------ Bogdanov-Takens */

/* b_1 = -6/25 b_2^2 + O(|b_2|^3), and the curve over b_2 where single values have it */
static void test_connections__bogdanov_takens_curve(void **state) {
    (void)state;
    if (open_study(MODEL("bogdanov_takens"), "saddle",
                   &(wish){.over = "b_1=-0.01:0.0005", .marks = "b_2=-0.3:-0.02"}) < 0 ||
        zw_connections_find(study, &err) < 0 || zw_connections_follow(study, &err) < 0)
        fail_msg("%s", err.text);
    int n = zw_connections_points(study);
    assert_true(n > 10);
    const zw_connection_point *first = zw_connections_point(study, 0),
                              *last = zw_connections_point(study, n - 1);
    assert_close(first->second, -0.3, 1e-12);
    assert_close(last->second, -0.02, 1e-12);
    double at_end = first->value;
    for (int i = 0; i < n; i++) {
        const zw_connection_point *p = zw_connections_point(study, i);
        assert_true(fabs(p->value / (p->second * p->second) + 6. / 25) < 0.031 * fabs(p->second));
        assert_false(p->neutral);
    }
    close_study();
    const zw_connection_found *f = find(MODEL("bogdanov_takens"), "saddle",
                                        &(wish){.set = "b_2=-0.3", .over = "b_1=-0.03:-0.01"});
    assert_close(at_end, f->value, 1e-9);
    close_study();
}

/* ------------------------------------------------------------------------------------ tippedisk */

/* the integrals (5.44) and (5.45), by the trapezoidal rule in s with gamma + pi/2 = 2 pi s:
 * periodic but for the root at the ends, which the substitution s = (1 - cos(pi w))/2 smooths */
static void melnikov(double kappa, double zeta, double *I1, double *I2) {
    int n = 4000;
    *I1 = *I2 = 0;
    for (int i = 1; i < n; i++) {
        double w = (double)i / n, gamma = -M_PI / 2 + M_PI * (1 - cos(M_PI * w)),
               weight = M_PI * M_PI * sin(M_PI * w) / n, s = sin(gamma), c = cos(gamma),
               cb = -sqrt(kappa) * sqrt(fmax(0, 2 * (s + 1) + kappa * (s * s - 1))) /
                    (1 + kappa * s);
        *I1 +=
            weight * cb / ((1 + kappa * s) * (1 + kappa * s)) *
            (zeta * c * c * (1 - kappa * s - 2 * kappa * kappa) + s * (s + kappa + kappa * c * c));
        *I2 += weight * cb * (1 + kappa * s) * (1 + kappa * s) / (1 - kappa);
    }
}

static double disc(const char *model, const char *variant, const char *over) {
    wish w = {.variant = variant, .over = over, .turn = "gamma=1", .points = 14, .tolerance = 1e-7};
    const zw_connection_found *f = find(model, "plain_spin", &w);
    double value = f->value;
    assert_true(f->both);
    assert_true(f->quantity < 0);
    assert_int_equal(f->birth, ZW_BIRTH_STABLE);
    assert_int_equal(f->born, -1); /* cycles that turn below, those that swing above */
    close_study();
    return value;
}

/* S. Sailer, thesis (2023), Table 5.1, recomputed independently with unrounded inertia: 30.121
 * (smooth friction), 30.085 (linear), 30.072 (rounded) */
static void test_connections__tippedisk(void **state) {
    (void)state;
    double smooth = disc(MODEL("tippedisk_reduced"), NULL, "Omega=29.5:30.8"),
           linear = disc(MODEL("tippedisk_reduced"), "linear", "Omega=29.5:30.8"),
           rounded = disc(MODEL("tippedisk_reduced"), "linear_rounded", "Omega=29.5:30.8"),
           slow = disc(MODEL("tippedisk_slow"), NULL, "Omega=29.5:30.8"), I1, I2;
    assert_close(smooth, 30.1210, 1e-4 / 30);
    assert_close(linear, 30.0851, 1e-4 / 30);
    assert_close(rounded, 30.0718, 1e-4 / 30);
    assert_close(slow, 30.130, 5e-4 / 30);
    double r = 0.045, a = 0.015, b = 0.02, h = 0.01, e = b * a * a / (r * r - a * a),
           m = 7700 * M_PI * (r * r - a * a) * h,
           A = 7700 * M_PI * h / 12 *
               (3 * pow(r, 4) + r * r * h * h - a * a * h * h - 3 * pow(a, 4)),
           B = A - 7700 * M_PI * h * a * a * b * b - m * e * e, k = e / r, z = A / B,
           critical = sqrt((r + e) * (r + e) * m * 9.81 / (r * B));
    melnikov(k, z, &I1, &I2);
    double M = critical * sqrt(I2 / ((1 + k) * (1 + k) * I1)),
           M1 = critical * sqrt((8 + 28 * k / 3) /
                                ((1 + k) * (1 + k) *
                                 (56. / 15 - 116 * k / 35 + (64. / 15 - 352 * k / 105) * z))),
           M2 = critical * sqrt(15 / (7 + 8 * z));
    assert_close(I2, -2.015075, 1e-6);
    assert_close(M, 30.126, 1e-3 / 30);
    assert_true(M2 < M1 && M1 <= linear && linear < M && M < slow && slow < critical);
}

/* The same in six coordinates with five constraints, of which alpha turns with the spin:
 * models/tippedisk_corotating.zw */
static void test_connections__tippedisk_constrained(void **state) {
    static const char *const with[] = {"cog", "roll", "spin"};
    zw_model_options model = {.size = sizeof model, .nwith = 3, .with = with, .variant = "weight"};
    const char *set[] = {"gamma=-90 [deg]", "Omega=30 [rad/s]"};
    zw_connections_options o = zw_connections_options_default();
    (void)state;
    model.nset = 2;
    model.set = set;
    err = (zw_error){0};
    ctx = zw_context_create(NULL);
    o.over = "Omega=30:30.3";
    o.turn = "gamma=1";
    o.points = 3;
    o.side = 1;
    o.tolerance = 1e-7;
    if (zw_model_read(&sys, ctx, MODEL("tippedisk_corotating"), &model, &err) < 0 ||
        zw_connections_create(&study, sys, &o, &err) < 0 || zw_connections_find(study, &err) < 0)
        fail_msg("%s (%s)", err.text, err.hint);
    const zw_connection_found *f = zw_connections_at(study, 0);
    assert_true(f->solved);
    assert_int_equal(f->n, 3);
    assert_close(f->value, 30.1209618, 1e-6 / 30);
    close_study();
}

/* Table 5.3: the filled disc; recomputed: 31.337 and 31.342 with three states, 31.358 with two */
static void test_connections__filled_disc(void **state) {
    (void)state;
    assert_close(disc(MODEL("tippedisk_reduced"), "filled", "Omega=31:32"), 31.337, 1e-3 / 31);
    assert_close(disc(MODEL("tippedisk_reduced"), "linear_filled", "Omega=31:32"), 31.342,
                 1e-3 / 31);
    assert_close(disc(MODEL("tippedisk_slow"), "filled", "Omega=31:32"), 31.358, 1e-3 / 31);
}

/* without dimensions: the saddle quantity in closed form (6.12), which is zero at omega = 1 -
 * kappa; where the curve passes that, what is born changes */
static void test_connections__neutral_saddle(void **state) {
    bool found = false;
    (void)state;
    if (open_study(MODEL("tippedisk_normalised"), "plain_spin",
                   &(wish){.set = "eps=0.0625",
                           .over = "w=0.9:1.15",
                           .marks = "zeta=0.9:1.6",
                           .turn = "gamma=1"}) < 0 ||
        zw_connections_find(study, &err) < 0 || zw_connections_follow(study, &err) < 0)
        fail_msg("%s", err.text);
    const zw_connection_found *f = zw_connections_at(study, 0);
    assert_close(f->value, 1.00016, 1e-5);
    assert_close(f->quantity, -0.0625 * (f->value * f->value - 0.95 * 0.95) / (0.3 * pow(0.95, 3)),
                 1e-9);
    double ends[2] = {0};
    for (int i = 0; i < zw_connections_points(study); i++) {
        const zw_connection_point *p = zw_connections_point(study, i);
        if (fabs(p->second - 0.9) < 1e-12)
            ends[0] = p->value;
        if (!p->neutral)
            continue;
        found = true;
        assert_close(p->value, 0.95, 1e-8);
        assert_close(p->second, 1.424, 2e-3); /* 1.4239 for eps -> 0 by quadrature */
    }
    assert_true(found);
    assert_close(ends[0], 1.0814, 2e-4); /* v2 */
    close_study();
    f = find(MODEL("tippedisk_normalised"), "plain_spin",
             &(wish){.set = "zeta=1.5", .over = "w=0.9:1.0", .turn = "gamma=1"});
    assert_close(f->value, 0.93465, 1e-5);
    assert_int_equal(f->birth, ZW_BIRTH_UNSTABLE);
    close_study();
}

/* ------------------------------------------------------------------------------------- refusals */

static void refused(const char *text, const char *steady, const wish *w, zw_status status,
                    const char *says) {
    zw_status got = open_study(text, steady, w);
    if (got >= 0)
        got = zw_connections_find(study, &err);
    assert_int_equal(got, status);
    if (!strstr(err.text, says))
        fail_msg("'%s' does not say '%s'", err.text, says);
    close_study();
}

static void test_connections__refuses(void **state) {
    static const char driven[] = "model driven\nunits none\nparam F = 1\ncoord x\nkinetic x'^2/2\n"
                                 "force (x) = x - x^3 + F*cos(t)\nstart x = 0\n",
                      focus[] =
                          "model focus\nunits none\nparam a = 1\nstate x, y, u, v : "
                          "x' = a*x - y, y' = x + a*y, u' = -u - v, v' = u - v\nstart x = 0\n";
    (void)state;
    refused(MODEL("pendulum_torque"), "down", &(wish){.over = "tau=0:0.3"}, ZW_E_DOMAIN,
            "not a saddle");
    refused(MODEL("pendulum_torque"), "up", &(wish){.over = "tau=0.05:0.1", .turn = "phi=1"},
            ZW_E_NUMERIC, "no connection over tau");
    refused(MODEL("pendulum_torque"), "up", &(wish){.over = "tau=0.05:0.1", .turn = "phi=0.5"},
            ZW_E_OPTION, "whole number of turns");
    refused(MODEL("pendulum_torque"), "up", &(wish){.over = "tau=0.05:0.1", .turn = "psi=1"},
            ZW_E_NAME, "no coordinate or velocity 'psi'");
    refused(MODEL("pendulum_torque"), "up", &(wish){.over = "phi=0:1"}, ZW_E_OPTION,
            "over a parameter");
    refused(MODEL("pendulum_torque"), "up",
            &(wish){.over = "tau=0.05:0.3", .marks = "tau=0:1", .turn = "phi=1"}, ZW_E_OPTION,
            "already");
    refused(MODEL("pendulum_torque"), "up", &(wish){.over = "tau=0.05:0.3", .to = "down"},
            ZW_E_DOMAIN, "at all parameter values, or at none");
    refused(MODEL("nagumo_front"), "behind", &(wish){.over = "c=0:1", .to = "nowhere"}, ZW_E_NAME,
            "no steady motion 'nowhere'");
    refused(MODEL("nagumo_front"), "behind", &(wish){.over = "c=0:1", .turn = "u=1"}, ZW_E_OPTION,
            "not the same after these turns");
    refused(MODEL("nagumo_front"), "behind", &(wish){0}, ZW_E_OPTION, "of which parameter");
    refused(driven, NULL, &(wish){.over = "F=0:1"}, ZW_E_OPTION, "function of time");
    refused(focus, NULL, &(wish){.over = "a=0.5:1"}, ZW_E_DOMAIN, "the unstable manifold has dimension 2");
    refused(
        "model h\nunits none\nparam p = 0.5\nstate x, y : x' = y, y' = p*x - x^3\nstart x = 0\n",
        NULL, &(wish){.over = "p=0.2:1", .points = 11}, ZW_E_DOMAIN, "at every value");
}

/* Lorenz' equations in units a thousand times smaller, from a start that says nothing of sizes: the
 * value is that of the usual ones (C. Sparrow, 1982, 13.926) */
static void test_connections__sizes_from_the_motion(void **state) {
    (void)state;
    find("model l\nunits none\nparam rho = 13\nstate x, y, z : x' = 10*(y - x),\n"
         " y' = x*(rho - z/1000) - y, z' = x*y/1000 - 8/3*z\nstart x = 0\n",
         NULL, &(wish){.over = "rho=13:15", .points = 5});
    assert_int_equal(zw_connections_count(study), 1);
    assert_close(zw_connections_at(study, 0)->value, 13.92655741, 1e-7);
    close_study();
}

/* without a saddle quantity nothing is said of cycles */
static void test_connections__no_birth_no_cycle(void **state) {
    (void)state;
    find("model d\nunits none\nparam mu = 0.1\nstate x, y : x' = y, y' = x - x^3 - mu*y\n"
         "start x = 0\n",
         NULL, &(wish){.over = "mu=-0.5:0.5", .points = 10});
    char *text = connections_text(study);
    assert_non_null(strstr(text, "it does not determine which cycles are born"));
    assert_non_null(strstr(text, "the motion to the other side connects as well"));
    assert_null(strstr(text, "a cycle runs"));
    free(text);
    close_study();
}

/* The table of a motion has the columns of a run. */
static void test_connections__writes(void **state) {
    zw_table *t;
    (void)state;
    find(MODEL("pendulum_torque"), "up", &(wish){.over = "tau=0.08:0.2", .turn = "phi=1"});
    assert_true(zw_connections_motion_table(study, 0, NULL, &t, &err) >= 0);
    assert_string_equal(zw_table_name(t, 0), "t");
    assert_true(zw_table_columns(t) >= 3);
    assert_int_equal(zw_table_rows(t), 401);
    zw_table_destroy(t);
    char *text = connections_text(study);
    assert_non_null(strstr(text, "one stable cycle is born, for tau >"));
    free(text);
    text = connections_json(study);
    assert_non_null(strstr(text, "\"birth\": \"stable\""));
    free(text);
    close_study();
}

/* --------------------------------------------------------------------------------------- memory */

static zw_status work(const zw_allocator *alloc) {
    static const char text[] = "model loop\nunits none\nparam d = 0.1\ncoord x\nkinetic x'^2/2\n"
                               "force (x) = x - x^2 - d*x'\nstart x = 0\n";
    zw_connections_options o = zw_connections_options_default();
    zw_connections *s = NULL;
    zw_system *y;
    zw_context *own = zw_context_create(alloc);
    if (!own)
        return ZW_E_MEMORY;
    o.over = "d=-0.05:0.06";
    o.points = 3;
    o.side = 1;
    o.tolerance = 1e-5;
    err = (zw_error){0};
    zw_status status = zw_model_parse(&y, own, text, strlen(text), "test", NULL, &err);
    if (status >= 0)
        status = zw_connections_create(&s, y, &o, &err);
    if (status >= 0)
        status = zw_connections_find(s, &err);
    zw_connections_destroy(s);
    zw_context_destroy(own);
    return status;
}

static void test_connections__memory_runs_out(void **state) {
    long all;
    (void)state;
    failing_allocator none = failing_allocator_make(0);
    zw_allocator a = failing_allocator_of(&none);
    assert_true(work(&a) >= 0);
    all = none.requests;
    /* all of them would take long: every one of the last part would be a whole computation */
    for (long n = 1; n <= all; n += 1 + n / 8) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_status status = work(&alloc);
        if (f.failed ? status != ZW_E_MEMORY : status < 0)
            fail_msg("request %ld of %ld: %d, %s", n, all, status, err.text);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_connections__front_of_nagumo),
        cmocka_unit_test(test_connections__loop_without_damping),
        cmocka_unit_test(test_connections__time_turned_round),
        cmocka_unit_test(test_connections__pendulum_turns),
        cmocka_unit_test(test_connections__constraint_and_drift),
        cmocka_unit_test(test_connections__lorenz),
        cmocka_unit_test(test_connections__law_of_periods),
        cmocka_unit_test(test_connections__range_that_begins_at_zero),
        cmocka_unit_test(test_connections__bogdanov_takens_curve),
        cmocka_unit_test(test_connections__tippedisk),
        cmocka_unit_test(test_connections__saddle_focus),
        cmocka_unit_test(test_connections__large_loops),
        cmocka_unit_test(test_connections__from_orbits),
        cmocka_unit_test(test_connections__ends_come_nearer),
        cmocka_unit_test(test_connections__pulse_of_a_nerve),
        cmocka_unit_test(test_connections__tippedisk_constrained),
        cmocka_unit_test(test_connections__filled_disc),
        cmocka_unit_test(test_connections__neutral_saddle),
        cmocka_unit_test(test_connections__refuses),
        cmocka_unit_test(test_connections__sizes_from_the_motion),
        cmocka_unit_test(test_connections__no_birth_no_cycle),
        cmocka_unit_test(test_connections__writes),
        cmocka_unit_test(test_connections__memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
