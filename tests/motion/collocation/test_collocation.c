/* SPDX-License-Identifier: MIT */
/* Orbits by collocation: closed forms, numbers of other programs, shooting, one motion in two sets
 * of coordinates, measured orders. */
#include <math.h>
#include <stdlib.h>

#include "branch/curve.h"
#include "motion/segments/periodic.h"
#include "support/failing_allocator.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"
enum { MANY = 64 };

typedef struct fixture {
    zw_context *ctx;
    zw_system *sys;
    zw_equations eq;
    zw_kernel *kernel, *lanes;
    zw_flow *flow;
    zw_colloc *c;
    int parameter;
    /* drive: the number that is gone along is its frequency, or it is fixed: drive > 0 */
    double p[MANY], start[MANY], drive;
    bool given[MANY];
    double *x, *tangent;
    zw_error err;
} fixture;

static fixture f;
static bool in_lanes;              /* all tests are done twice */
static const zw_allocator *memory; /* NULL: malloc */

static zw_status set(void *user, double a, double *p, double *period, double *slope,
                     zw_error *err) {
    fixture *g = user;
    memcpy(p, g->p, sizeof(double) * (size_t)g->sys->np);
    p[g->parameter] = a;
    if (g->drive > 0)
        *period = 2 * M_PI / g->drive;
    else if (g->drive < 0) { /* a is the frequency */
        *period = 2 * M_PI / a;
        *slope = -2 * M_PI / (a * a);
    }
    return zw_system_param_follow(g->sys, g->given, p, err);
}

static bool make_lanes(zw_kernel_options o) {
    o.lanes = 8;
    return !in_lanes || zw_kernel_create(&f.lanes, &f.eq, &o, &f.err) >= 0;
}

static void open_model(const char *text, const char *parameter) {
    zw_kernel_options o = zw_kernel_options_default();
    double start[MANY];
    bool fixed[MANY];
    f = (fixture){.ctx = zw_context_create(memory)};
    zw_status status =
        text[0] == '/' ? zw_model_read(&f.sys, f.ctx, text, NULL, &f.err)
                       : zw_model_parse(&f.sys, f.ctx, text, strlen(text), "test", NULL, &f.err);
    for (int i = 0; status >= 0 && i < f.sys->np; i++)
        if (strcmp(f.sys->param[i].name, parameter) == 0)
            f.parameter = i;
    f.given[f.parameter] = true;
    o.jit = ZW_JIT_NEVER;
    o.functions = ZW_FUNCTIONS_ALL_METHODS | ZW_SET(JAC_P);
    o.nparameter = 1;
    o.parameter = &f.parameter;
    if (status < 0 || zw_derive(&f.eq, f.sys, NULL, "lagrange", &f.err) < 0 ||
        zw_kernel_create(&f.kernel, &f.eq, &o, &f.err) < 0 || !make_lanes(o) ||
        zw_system_param_values(f.sys, f.p, &f.err) < 0 ||
        zw_flow_create(&f.flow, f.kernel, f.p, &f.err) < 0 ||
        zw_system_start_state(f.sys, f.p, start, fixed, &f.err) < 0 ||
        zw_equations_state(&f.eq, 0, f.p, start, f.start, &f.err) < 0)
        fail_msg("%s", f.err.text);
}

static void make(zw_colloc_options o) {
    o.lanes = f.lanes;
    assert_true(zw_colloc_create(&f.c, f.flow, &o, set, &f, &f.err) >= 0);
    f.x = calloc(200000, sizeof *f.x);
    f.tangent = calloc(200000, sizeof *f.tangent);
}

static void close_model(void) {
    free(f.x);
    free(f.tangent);
    zw_colloc_destroy(f.c);
    zw_flow_destroy(f.flow);
    zw_kernel_destroy(f.kernel);
    zw_kernel_destroy(f.lanes);
    zw_context_destroy(f.ctx);
}

/* a motion that a function of tau tells */
typedef void (*shape)(double tau, double *x);
static zw_status shape_at(void *user, double t, double *x, zw_error *err) {
    (void)err;
    (*(shape *)user)(t, x);
    return ZW_OK;
}

static void begin(shape of, double period, double a) {
    zw_orbit orbit = {.start = 0, .period = 1, .at = shape_at, .user = &of};
    if (zw_colloc_take(f.c, &orbit, f.x, &f.err) < 0)
        fail_msg("%s", f.err.text);
    zw_cont_problem p = zw_colloc_problem(f.c);
    if (period > 0)
        f.x[p.n - 1] = period;
    if (zw_colloc_refer(f.c, f.x, a, &f.err) < 0)
        fail_msg("%s", f.err.text);
}

static void correct(double a) {
    zw_cont_problem p = zw_colloc_problem(f.c);
    if (zw_cont_correct(&p, 1e-12, f.x, a, NULL, NULL, &f.err) < 0 ||
        zw_colloc_refer(f.c, f.x, a, &f.err) < 0)
        fail_msg("%s", f.err.text);
}

/* the present orbit on a better mesh of so many intervals */
static void refine(int intervals, double a) {
    double *list[] = {f.x};
    if (zw_colloc_adapt(f.c, intervals, 1, list, &f.err) < 0 ||
        zw_colloc_refer(f.c, f.x, a, &f.err) < 0)
        fail_msg("%s", f.err.text);
    correct(a);
}

/* --------------------------------------------------------------------------------------- forced */

static void rest(double tau, double *x) {
    (void)tau;
    memset(x, 0, sizeof(double) * 2);
}

/* x'' + 0.3 x' + 2 x = cos(W t): exact but for the order of the method, 2m at the nodes */
static void test_colloc__linear_and_its_order(void **state) {
    (void)state;
    const double W = 0.9, a = 2 - W * W, b = 0.3 * W, size = a * a + b * b;
    for (int m = 2; m <= 5; m++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            zw_colloc_options o = zw_colloc_options_default();
            open_model("model any\nunits none\nparam W = 0.9\ncoord x\nkinetic x'^2/2\n"
                       "potential x^2\nforce (x) = cos(W*t) - 0.3*x'\n",
                       "W");
            f.drive = -1;
            o.stages = m;
            o.intervals = (m < 5 ? 8 : 6) << k;
            make(o);
            begin(rest, 0, W);
            correct(W);
            error[k] = hypot(f.x[0] - a / size, f.x[1] - W * b / size);
            close_model();
        }
        double order = log2(error[0] / error[1]);
        if (!(fabs(order - 2 * m) < 0.25))
            fail_msg("m = %d: errors %.3g, %.3g, order %.3f", m, error[0], error[1], order);
    }
}

static zw_status along(void *user, double t, double *x, zw_error *err) {
    const double *period = user;
    (void)err;
    zw_colloc_state(f.c, f.x, t / *period, x, NULL);
    return ZW_OK;
}

/* as the integration of the linear equations along the orbit has them, within the errors that both
 * tell and `least` */
static void expect_as_integrated(double a, const double *sign, double least) {
    zw_floquet q = {0}, other = {0};
    double period = zw_colloc_period(f.c, f.x);
    zw_orbit orbit = {.period = period, .at = along, .user = &period, .sign = sign};
    zw_floquet_options o = zw_floquet_options_default();
    o.tolerance = 1e-11;
    if (zw_colloc_multipliers(f.c, f.x, a, NULL, &q, &f.err) < 0 ||
        zw_floquet_find(&other, f.flow, &orbit, &o, &f.err) < 0)
        fail_msg("%s", f.err.text);
    assert_int_equal(q.n, other.n);
    for (int i = 0; i < q.n; i++) {
        double away = INFINITY, size = hypot(q.re[i], q.im[i]);
        for (int j = 0; j < q.n; j++)
            away = fmin(away, hypot(q.re[i] - other.re[j], q.im[i] - other.im[j]));
        if (!(away <= q.error[i] + least * fmax(1, size)))
            fail_msg("multiplier %.12g%+.12gi with error %.3g: %.3g away", q.re[i], q.im[i],
                     q.error[i], away);
        for (int part = 0; part < 2; part++) /* M y = mu y in the basis */
            for (int r = 0; r < q.n; r++) {
                double left = 0, re = 0, im = 0;
                for (int l = 0; l < q.nx; l++) {
                    re += q.T[l * q.n + r] * q.vector_re[l * q.n + i];
                    im += q.T[l * q.n + r] * q.vector_im[l * q.n + i];
                    for (int k = 0; k < q.n; k++)
                        left += q.M[r * q.n + k] * q.T[l * q.n + k] *
                                (part ? q.vector_im : q.vector_re)[l * q.n + i];
                }
                assert_close(left, part ? q.re[i] * im + q.im[i] * re : q.re[i] * re - q.im[i] * im,
                             1e-9 * fmax(1, size) + 10 * q.error[i]); /* mu is known so well */
            }
    }
    zw_floquet_clear(&q);
    zw_floquet_clear(&other);
}

/* ----------------------------------------------------------------------------------- autonomous */

static void circle(double tau, double *x) {
    x[0] = 2 * cos(2 * M_PI * tau);
    x[1] = -2 * sin(2 * M_PI * tau);
}

/* x'' + mu (x^2 - 1) x' + x = 0: periods from series of high order and other programs (mu = 1:
 * 6.6632868593, 10: 19.0783695668) */
static void test_colloc__van_der_pol(void **state) {
    (void)state;
    zw_colloc_options o = zw_colloc_options_default();
    o.is_period_free = true;
    o.intervals = 30;
    open_model("model vdp\nunits none\nparam mu = 1\ncoord x\nkinetic x'^2/2\npotential x^2/2\n"
               "force (x) = mu*(1 - x^2)*x'\n",
               "mu");
    make(o);
    begin(circle, 2 * M_PI, 0.1);
    for (double mu = 0.1; mu < 1.01; mu += 0.1)
        correct(mu);
    correct(1);
    refine(60, 1);
    assert_close(zw_colloc_period(f.c, f.x), 6.66328685932313, 1e-10);
    zw_floquet q = {0};
    assert_true(zw_colloc_multipliers(f.c, f.x, 1, NULL, &q, &f.err) >= 0);
    assert_int_equal(q.n, 2);
    assert_int_equal(q.verdict, ZW_FLOQUET_STABLE);
    assert_close(q.re[q.trivial], 1, 1e-10);
    assert_true(q.liouville < 1e-8);
    zw_floquet_clear(&q);
    expect_as_integrated(1, NULL, 1e-10);
    for (double mu = 1.5; mu < 10.1; mu += 0.5) {
        correct(mu);
        refine(mu < 4 ? 60 : 120, mu);
    }
    refine(200, 10);
    assert_close(zw_colloc_period(f.c, f.x), 19.0783695668, 1e-8);
    assert_true(zw_colloc_error(f.c, f.x) < 1e-5);
    close_model();
}

/* Van der Pol's cycle goes from x to -x in half a period: the half closes by -1, and the
 * multipliers of the whole are squares of its own. A singular map is refused. */
static void half_circle(double tau, double *x) {
    circle(tau / 2, x);
}

static void test_colloc__half_an_orbit(void **state) {
    (void)state;
    const double map[4] = {-1, 0, 0, -1};
    zw_colloc_options o = zw_colloc_options_default();
    double period[2], mu[2];
    for (int half = 0; half < 2; half++) {
        zw_floquet q = {0};
        o.is_period_free = true;
        o.intervals = half ? 20 : 40;
        o.map = half ? map : NULL;
        open_model("model vdp\nunits none\nparam mu = 1\ncoord x\nkinetic x'^2/2\npotential "
                   "x^2/2\nforce (x) = mu*(1 - x^2)*x'\n",
                   "mu");
        make(o);
        begin(half ? half_circle : circle, half ? M_PI : 2 * M_PI, 0.1);
        for (int k = 1; k <= 10; k++)
            correct(0.1 * k);
        refine(half ? 30 : 60, 1);
        period[half] = zw_colloc_period(f.c, f.x);
        assert_true(zw_colloc_multipliers(f.c, f.x, 1, NULL, &q, &f.err) >= 0);
        assert_int_equal(q.n, 2);
        mu[half] = q.re[!q.trivial];
        assert_close(q.re[q.trivial], 1, 1e-10);
        zw_floquet_clear(&q);
        close_model();
    }
    assert_close(2 * period[1], 6.66328685932313, 1e-10);
    assert_close(2 * period[1], period[0], 1e-10);
    assert_close(mu[1] * mu[1], mu[0], 1e-9);
    open_model("model vdp\nunits none\nparam mu = 1\ncoord x\nkinetic x'^2/2\npotential x^2/2\n",
               "mu");
    const double singular[4] = {1, 1, 1, 1};
    o.map = singular;
    assert_int_equal(zw_colloc_create(&f.c, f.flow, &o, set, &f, &f.err), ZW_E_OPTION);
    close_model();
}

/* --------------------------------------------------------------------------------------- Lorenz */

static double hopf_vector[2][3], hopf_point[3];
static void small_cycle(double tau, double *x) {
    for (int i = 0; i < 3; i++)
        x[i] = hopf_point[i] + 0.05 * (hopf_vector[0][i] * cos(2 * M_PI * tau) -
                                       hopf_vector[1][i] * sin(2 * M_PI * tau));
}

static zw_status stop_at(void *user, const zw_cont_point *point, zw_error *err) {
    double *last = user;
    (void)err;
    last[0] = point->a;
    last[1]++;
    return ZW_OK;
}

/* Hopf's point of Lorenz and about the cycle next to it, of so many intervals; f.tangent leads away
 * from the equilibrium. Returns r. */
static double start_lorenz(int intervals) {
    const double r0 = 470. / 19, b = 8. / 3, s = 10, w = sqrt(2 * s * (s + 1) * b / (s - b - 1));
    zw_colloc_options o = zw_colloc_options_default();
    o.is_period_free = true;
    o.intervals = intervals;
    open_model("model lorenz\nunits none\nparam r = 24.7\n"
               "state x, y, z : x' = 10*(y - x), y' = r*x - y - x*z, z' = x*y - 8/3*z\n",
               "r");
    make(o);
    hopf_point[0] = hopf_point[1] = sqrt(b * (r0 - 1));
    hopf_point[2] = r0 - 1;
    /* (J - i w) v = 0 with v_x = 1: v_y = 1 + i w/s from the first row, v_z from the second, where
     * r - z = 1 */
    double c = hopf_point[0];
    hopf_vector[0][0] = 1;
    hopf_vector[1][0] = 0;
    hopf_vector[0][1] = 1;
    hopf_vector[1][1] = w / s;
    hopf_vector[0][2] = w * w / s / c;
    hopf_vector[1][2] = -(w + w / s) / c;
    begin(small_cycle, 2 * M_PI / w, r0);
    for (int j = 0; j < intervals; j++) /* away from the equilibrium, at fixed size */
        for (int i = 0; i < 3; i++)
            f.tangent[j * 15 + i] = f.x[j * 15 + i] - hopf_point[i];
    return r0;
}

/* points up to a period */
static double lorenz_bound;
static zw_status lorenz_take(void *user, const zw_cont_point *point, zw_error *err) {
    int n = zw_colloc_problem(f.c).n;
    (void)err;
    *(double *)user = point->a;
    memcpy(f.x, point->x, sizeof(double) * (size_t)n);
    memcpy(f.tangent, point->tangent, sizeof(double) * (size_t)(n + 1));
    return zw_colloc_period(f.c, point->x) > lorenz_bound ? ZW_STOPPED : ZW_OK;
}

/* The unstable cycle from Hopf's point 24.7368421 of Lorenz down to r = 19.38860560, where another
 * program has the period 0.91876845 */
static void test_colloc__lorenz(void **state) {
    (void)state;
    double last[2] = {0}, r0 = start_lorenz(50);
    zw_cont_problem p = zw_colloc_problem(f.c);
    zw_cont_options co = zw_cont_options_default();
    co.toward = f.tangent;
    co.points_max = 1000;
    last[0] = r0;
    for (double to = 24; to > 18; to -= 1) {
        zw_cont_info info;
        co.low = fmax(to, 19.38860560);
        co.high = r0 + 0.01;
        if (zw_continue(&p, &co, f.x, last[0], -1, stop_at, last, &info, NULL, &f.err) < 0)
            fail_msg("%s", f.err.text);
        assert_int_equal(info.end, ZW_CONT_AT_BOUND);
        co.toward = NULL;
        refine(50, last[0]);
        p = zw_colloc_problem(f.c);
        if (co.low > to)
            break;
    }
    refine(120, last[0]);
    assert_close(last[0], 19.38860560, 1e-12);
    assert_close(zw_colloc_period(f.c, f.x), 0.91876845, 2e-8);
    zw_floquet q = {0};
    assert_true(zw_colloc_multipliers(f.c, f.x, last[0], NULL, &q, &f.err) >= 0);
    assert_int_equal(q.verdict, ZW_FLOQUET_UNSTABLE);
    assert_close(q.re[q.trivial], 1, 1e-10);
    assert_true(q.accuracy < 1e-10);
    zw_floquet_clear(&q);
    expect_as_integrated(last[0], NULL, 1e-10);
    close_model();
}

static int moves; /* of the mesh */
static zw_status move_mesh(void *self, double a, int n, double **vector, bool *moved,
                           zw_error *err) {
    (void)self;
    if (++moves % 20 != 0)
        return ZW_OK;
    *moved = true;
    ZW_TRY(zw_colloc_adapt(f.c, zw_colloc_intervals(f.c), n, vector, err));
    return zw_colloc_refer(f.c, vector[0], a, err);
}

/* The same branch in steps of one length with predictions of second and of fifth order and one
 * correction where it is enough, on a mesh that moves on the way: the same orbit at the end, with
 * less work; its multipliers alone as they are with all that is told of them */
static void test_colloc__predictions_of_higher_order(void **state) {
    (void)state;
    double period[2];
    long factored[2];
    for (int k = 0; k < 2; k++) {
        double last[2] = {0}, r0 = start_lorenz(60);
        zw_cont_info info;
        zw_cont_problem p = zw_colloc_problem(f.c);
        zw_cont_options co = zw_cont_options_default();
        p.adapt = move_mesh;
        co.toward = f.tangent;
        co.step = co.step_max = 0.05;
        co.stray = 1;
        co.low = 19.38860560;
        co.high = r0 + 0.01;
        co.order = k ? 5 : 2;
        co.quick = k;
        if (zw_continue(&p, &co, f.x, r0, -1, stop_at, last, &info, NULL, &f.err) < 0)
            fail_msg("%s", f.err.text);
        assert_int_equal(info.end, ZW_CONT_AT_BOUND);
        assert_true(info.points > 280 && info.points < 320);
        period[k] = zw_colloc_period(f.c, f.x);
        factored[k] = info.factored;
        zw_floquet q = {0};
        int n;
        double re[3], im[3];
        if (zw_colloc_multipliers(f.c, f.x, last[0], NULL, &q, &f.err) < 0 ||
            zw_colloc_spectrum(f.c, f.x, last[0], true, &n, re, im, &f.err) < 0)
            fail_msg("%s", f.err.text);
        assert_int_equal(n, 3);
        for (int i = 0; i < 3; i++) {
            assert_close(re[i], q.re[i], 1e-10);
            assert_close(im[i], q.im[i], 1e-10);
        }
        zw_floquet_clear(&q);
        co.order = 6;
        assert_int_equal(zw_continue(&p, &co, f.x, r0, -1, stop_at, last, &info, NULL, &f.err),
                         ZW_E_OPTION);
        close_model();
    }
    assert_close(period[0], 0.91876845, 2e-8);
    assert_close(period[1], period[0], 1e-8);
    assert_true((double)factored[1] < 1.1 * 300 && factored[1] <= factored[0]);
}

/* -------------------------------------------------------------------------------- on a manifold */

static void swinging(double tau, double *x) {
    double angle = 0.7 * cos(2 * M_PI * tau), rate = -0.7 * sin(2 * M_PI * tau);
    x[0] = 0.5 * sin(angle);
    x[1] = -0.5 * cos(angle);
    x[2] = 0.5 * cos(angle) * rate;
    x[3] = 0.5 * sin(angle) * rate;
}

/* a driven pendulum with a string of given length: as shooting has it, two multipliers, nodes on
 * the circle */
static void test_colloc__pendulum_on_a_string(void **state) {
    (void)state;
    zw_forcing forcing;
    double base;
    zw_colloc_options o = zw_colloc_options_default();
    zw_shooting_options so = zw_shooting_options_default();
    zw_shooting shot = {0};
    o.intervals = 40;
    open_model(MODEL("pendulum_cartesian"), "Omega");
    assert_true(zw_forcing_find(&forcing, &f.eq, &f.err) >= 0);
    assert_true(zw_forcing_base(&forcing, f.p, &base, NULL, &f.err) >= 0);
    f.drive = -1;
    make(o);
    begin(swinging, 0, base);
    correct(base);
    refine(60, base);
    so.period = 2 * M_PI / base;
    so.settle = 30;
    if (zw_shooting_find(&shot, f.kernel, f.p, f.start, &so, &f.err) < 0)
        fail_msg("%s", f.err.text);
    for (int i = 0; i < 4; i++)
        assert_close(f.x[i], shot.x[i], 1e-9);
    int stride = 4 * 5;
    for (int j = 0; j < zw_colloc_intervals(f.c); j++)
        assert_close(hypot(f.x[j * stride], f.x[j * stride + 1]), 0.5, 1e-12);
    zw_floquet q = {0};
    assert_true(zw_colloc_multipliers(f.c, f.x, base, NULL, &q, &f.err) >= 0);
    assert_int_equal(q.n, 2);
    assert_close(q.re[0], shot.floquet.re[0], 1e-9);
    assert_close(fabs(q.im[0]), fabs(shot.floquet.im[0]), 1e-9);
    assert_true(q.liouville < 1e-8);
    zw_floquet_clear(&q);
    expect_as_integrated(base, NULL, 1e-10);
    zw_shooting_clear(&shot);
    close_model();
}

/* ---------------------------------------------------------------------------------- multipliers */

static void rest_of_two(double tau, double *x) {
    (void)tau;
    memset(x, 0, sizeof(double) * 4);
}

/* x'' + 11 x' + 10 x = 0, y'' - 4 y = 0 over P = 6: exp(12), exp(-6), exp(-12), exp(-60), to about
 * as many digits each */
static void test_colloc__multipliers_of_all_sizes(void **state) {
    (void)state;
    const double lambda[] = {2, -1, -2, -10};
    zw_colloc_options o = zw_colloc_options_default();
    zw_floquet q = {0};
    o.intervals = 120;
    open_model("model any\nunits none\nparam W = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
               "potential (10*x^2 - 4*y^2)/2\nforce damping (x) = -11*x'\n",
               "W");
    f.drive = 2 * M_PI / 6;
    make(o);
    begin(rest_of_two, 0, 1);
    correct(1);
    assert_true(zw_colloc_multipliers(f.c, f.x, 1, NULL, &q, &f.err) >= 0);
    assert_int_equal(q.n, 4);
    assert_int_equal(q.outside, 1);
    for (int i = 0; i < 4; i++) {
        double mu = exp(6 * lambda[i]);
        assert_close(q.exponent[i], lambda[i], 1e-9);
        assert_true(fabs(q.re[i] - mu) <= q.error[i]);
        assert_true(q.error[i] < 1e-6 * mu);
        assert_close(q.im[i], 0, 1e-30);
    }
    assert_true(q.liouville < 1e-8);
    zw_floquet_clear(&q);
    close_model();
}

static void drifting(double tau, double *x) {
    circle(tau, x);
    x[3] = x[1];
    x[1] = x[2] = 0;
}

/* Van der Pol's oscillator moves a cart with drag, x'' = y - x': its place matters to nothing and
 * has no multiplier, its velocity has exp(-P) */
static void test_colloc__ignorable_coordinates(void **state) {
    (void)state;
    zw_colloc_options o = zw_colloc_options_default();
    zw_floquet q = {0};
    o.is_period_free = true;
    o.intervals = 60;
    open_model("model cart\nunits none\nparam mu = 1\ncoord y, x\nkinetic (y'^2 + x'^2)/2\n"
               "potential y^2/2\nforce (y) = mu*(1 - y^2)*y'\nforce (x) = y - x'\n",
               "mu");
    assert_true(f.kernel->ignorable && f.kernel->ignorable[1]);
    make(o);
    begin(drifting, 2 * M_PI, 0.1);
    for (int k = 1; k <= 10; k++)
        correct(0.1 * k);
    refine(80, 1);
    assert_true(zw_colloc_multipliers(f.c, f.x, 1, NULL, &q, &f.err) >= 0);
    assert_int_equal(q.n, 3);
    double P = zw_colloc_period(f.c, f.x), least = INFINITY;
    for (int i = 0; i < 3; i++)
        least = fmin(least, fabs(q.re[i] - exp(-P)));
    assert_true(least < 1e-10);
    assert_close(q.re[q.trivial], 1, 1e-10);
    assert_true(q.liouville < 1e-8);
    zw_floquet_clear(&q);
    expect_as_integrated(1, NULL, 1e-9);
    close_model();
}

static void spinning(double tau, double *x) {
    memset(x, 0, sizeof(double) * (size_t)f.kernel->nx);
    x[0] = cos(M_PI * tau);
    x[3] = sin(M_PI * tau);
    x[6] = 2;
}

/* A ball that a drag keeps spinning: its quaternion comes back with the other sign, disturbances of
 * its spin die out, those of its attitude stay: 1, and not -1 */
static void test_colloc__quaternions(void **state) {
    (void)state;
    const double sign[7] = {-1, -1, -1, -1, 1, 1, 1};
    zw_colloc_options o = zw_colloc_options_default();
    zw_floquet q = {0};
    o.sign = sign;
    o.intervals = 40;
    open_model("model any\nunits none\nparam W = 2\nrotation B\n"
               "body K : B at (0, 0, 0), inertia(1, 2, 2, 2)\n"
               "torque drag on K = -0.5*(K.w - (0, 0, W))\n",
               "W");
    f.drive = 2;
    make(o);
    begin(spinning, 0, 2);
    assert_true(zw_colloc_multipliers(f.c, f.x, 2, NULL, &q, &f.err) >= 0);
    assert_int_equal(q.n, 6);
    for (int i = 0; i < 6; i++) {
        assert_close(q.re[i], i < 3 ? 1 : exp(-0.25 * M_PI), 1e-7);
        assert_close(q.im[i], 0, 1e-7);
    }
    zw_floquet_clear(&q);
    expect_as_integrated(2, sign, 1e-7);
    close_model();
}

/* Lorenz on the way to the homoclinic orbit at r = 13.926: where T = 3.9 another program, with 1e-7
 * for its corrections, has -5.6e3 for 1.63e5 */
static void test_colloc__long_periods(void **state) {
    (void)state;
    const double wanted[] = {1.5, 3.9, 5.7};
    double a = start_lorenz(60), before = 0;
    zw_cont_options co = zw_cont_options_default();
    co.toward = f.tangent;
    co.high = a + 0.01;
    co.low = 13;
    for (int i = 0; i < 3; i++) {
        lorenz_bound = wanted[i];
        while (zw_colloc_period(f.c, f.x) < wanted[i]) {
            zw_cont_info info;
            zw_cont_problem p = zw_colloc_problem(f.c);
            co.points_max = 12;
            if (zw_continue(&p, &co, f.x, a, -1, lorenz_take, &a, &info, NULL, &f.err) < 0)
                fail_msg("%s", f.err.text);
            assert_true(info.end == ZW_CONT_POINTS || info.end == ZW_CONT_ASKED);
            co.step = info.step;
            double *list[] = {f.x, f.tangent};
            if (zw_colloc_adapt(f.c, i ? 200 : 60, 2, list, &f.err) < 0 ||
                zw_colloc_refer(f.c, f.x, a, &f.err) < 0)
                fail_msg("%s", f.err.text);
        }
        zw_cont_info info;
        zw_cont_problem p = zw_colloc_problem(f.c);
        co.points_max = 1; /* at fixed r the period would be nearly undetermined */
        if (zw_continue(&p, &co, f.x, a, -1, lorenz_take, &a, &info, NULL, &f.err) < 0)
            fail_msg("%s", f.err.text);
        zw_floquet q = {0};
        assert_true(zw_colloc_multipliers(f.c, f.x, a, NULL, &q, &f.err) >= 0);
        double T = zw_colloc_period(f.c, f.x), lead = log(q.re[0]);
        assert_int_equal(q.trivial, 1);
        assert_close(q.re[1], 1, i < 2 ? 1e-10 : 1e-8);
        assert_true(q.re[0] > 1 && q.im[0] == 0);
        double unknown = 1e-9; /* of the sum of logarithms: what the errors tell */
        for (int k = 0; k < 3; k++)
            unknown += q.error[k] / q.re[k];
        assert_true(fabs(T * (q.exponent[0] + q.exponent[1] + q.exponent[2] + 41. / 3)) < unknown);
        assert_true(unknown < 0.02);
        assert_true(lead > before);
        before = lead;
        zw_floquet_clear(&q);
    }
    close_model();
}

/* ---------------------------------------------------------------------------------------- lanes */

/* some motion: no orbit, the equations are as good there */
static void wave(double tau, double *x) {
    for (int i = 0; i < f.kernel->nx; i++)
        x[i] = 0.3 * sin(2 * M_PI * tau + i) + 0.1 * cos(4 * M_PI * tau - 2 * i) + 0.05 * i;
}

/* residual, and the solution of the linear equations with a plane, with and without lanes, of m
 * points on N intervals of several lengths */
static void expect_same(const char *text, const char *parameter, double drive, double a, int m,
                        int N) {
    double *r[2] = {NULL}, *d[2] = {NULL}, *row = NULL, mesh[MANY];
    int n = 0;
    for (int j = 0; j <= N; j++)
        mesh[j] = (j + 0.3 * sin(2 * M_PI * j / N)) / N;
    mesh[0] = 0;
    mesh[N] = 1;
    for (int k = 0; k < 2; k++) {
        zw_colloc_options o = zw_colloc_options_default();
        bool before = in_lanes;
        in_lanes = k;
        open_model(text, parameter);
        in_lanes = before;
        f.drive = drive;
        o.stages = m;
        o.intervals = N;
        o.is_period_free = drive == 0;
        make(o);
        assert_true(zw_colloc_set_mesh(f.c, mesh, &f.err) >= 0);
        begin(wave, drive == 0 ? 0.9 : 0, a);
        zw_cont_problem p = zw_colloc_problem(f.c);
        n = p.n;
        r[k] = calloc((size_t)n + 1, sizeof **r);
        d[k] = calloc((size_t)n + 1, sizeof **d);
        row = row ? row : calloc((size_t)n + 1, sizeof *row);
        for (int i = 0; i < n; i++) { /* away from the reference, so that the phase is not zero */
            f.x[i] *= 1 + 0.01 * sin(i);
            f.tangent[i] = cos(i);
        }
        p.dual(p.self, f.tangent, row);
        row[n] = 0.7;
        if (p.residual(p.self, f.x, a, r[k], &f.err) != ZW_OK ||
            p.factor(p.self, f.x, a, row, &f.err) != ZW_OK)
            fail_msg("%s, m = %d, N = %d, k = %d: %s", text, m, N, k, f.err.text);
        memcpy(d[k], r[k], sizeof(double) * (size_t)n);
        d[k][n] = 1;
        p.solve(p.self, d[k]);
        close_model();
    }
    double most = 0, size = 0;
    for (int i = 0; i <= n; i++) {
        assert_close(r[1][i], r[0][i], 1e-12);
        most = fmax(most, fabs(d[1][i] - d[0][i]));
        size = fmax(size, fabs(d[0][i]));
    }
    if (!(most <= 1e-9 * size))
        fail_msg("%.40s, m = %d, N = %d: %.3g of %.3g", text, m, N, most, size);
    for (int k = 0; k < 2; k++) {
        free(r[k]);
        free(d[k]);
    }
    free(row);
}

/* states alone, a mass matrix that varies, drives whose frequency is gone along; numbers of
 * intervals that do not fill the lanes */
static void test_colloc__lanes_are_the_same(void **state) {
    (void)state;
    static const char lorenz[] =
        "model lorenz\nunits none\nparam r = 14\n"
        "state x, y, z : x' = 10*(y - x), y' = r*x - y - x*z, z' = x*y - 8/3*z\n";
    static const char duffing[] = "model any\nunits none\nparam W = 0.9\ncoord x\nkinetic x'^2/2\n"
                                  "potential x^2/2 + x^4/4\nforce (x) = cos(W*t) - 0.3*x'\n";
    static const char pendulums[] =
        "model two\nunits none\nparam g = 2\ncoord a, b\n"
        "kinetic a'^2 + b'^2/2 + a'*b'*cos(a - b)\npotential -2*g*cos(a) - g*cos(b)\n"
        "force (a) = -0.1*a'\n";
    for (int m = 2; m <= 7; m++) {
        expect_same(lorenz, "r", 0, 14, m, 19);
        expect_same(duffing, "W", -1, 0.9, m, 16);
        expect_same(pendulums, "g", 0, 2, m, m == 4 ? 5 : 23);
    }
    expect_same(pendulums, "g", 1.3, 2, 4, 33);
    expect_same(lorenz, "r", 0, 14, 4, 1);
}

static zw_status use_all(zw_colloc **c, double *x) {
    zw_colloc_options o = zw_colloc_options_default();
    zw_orbit orbit = {.start = 0, .period = 1, .at = shape_at, .user = &(shape){circle}};
    zw_floquet q = {0};
    double *list[] = {x};
    o.is_period_free = true;
    o.intervals = 10;
    o.lanes = f.lanes;
    ZW_TRY(zw_colloc_create(c, f.flow, &o, set, &f, &f.err));
    ZW_TRY(zw_colloc_take(*c, &orbit, x, &f.err));
    x[zw_colloc_problem(*c).n - 1] = 2 * M_PI;
    ZW_TRY(zw_colloc_refer(*c, x, 0.1, &f.err));
    zw_cont_problem p = zw_colloc_problem(*c);
    ZW_TRY(zw_cont_correct(&p, 1e-10, x, 0.1, NULL, memory, &f.err));
    ZW_TRY(zw_colloc_adapt(*c, 12, 1, list, &f.err));
    ZW_TRY(zw_colloc_refer(*c, x, 0.1, &f.err));
    p = zw_colloc_problem(*c);
    ZW_TRY(zw_cont_correct(&p, 1e-10, x, 0.1, NULL, memory, &f.err));
    zw_status status = zw_colloc_multipliers(*c, x, 0.1, NULL, &q, &f.err);
    zw_floquet_clear(&q);
    return status;
}

/* memory that runs out at any of the requests: told, and nothing is lost */
static void test_colloc__out_of_memory(void **state) {
    (void)state;
    failing_allocator fail = failing_allocator_make(0);
    zw_allocator alloc = failing_allocator_of(&fail);
    double *x = calloc(1000, sizeof *x);
    memory = &alloc;
    open_model("model vdp\nunits none\nparam mu = 1\ncoord x\nkinetic x'^2/2\npotential x^2/2\n"
               "force (x) = mu*(1 - x^2)*x'\n",
               "mu");
    zw_colloc *c;
    assert_true(use_all(&c, x) >= 0); /* what the flow makes for itself is there from now on */
    zw_colloc_destroy(c);
    long blocks = fail.blocks, n = 1;
    for (;; n++) {
        fail.fail_at = fail.requests + n;
        fail.failed = false;
        zw_status status = use_all(&c, x);
        zw_colloc_destroy(c);
        assert_int_equal(fail.blocks, blocks);
        if (!fail.failed)
            break;
        assert_int_equal(status, ZW_E_MEMORY);
    }
    assert_true(n > 10);
    fail.fail_at = 0;
    close_model();
    memory = NULL;
    free(x);
}

static void test_colloc__refuses(void **state) {
    (void)state;
    zw_colloc *c;
    zw_colloc_options o = zw_colloc_options_default();
    open_model("model any\nunits none\nparam k = 1\ncoord x\nkinetic x'^2/2\npotential k*x^2/2\n",
               "k");
    o.stages = 1;
    assert_int_equal(zw_colloc_create(&c, f.flow, &o, set, &f, &f.err), ZW_E_OPTION);
    o.stages = 4;
    o.intervals = 0;
    assert_int_equal(zw_colloc_create(&c, f.flow, &o, set, &f, &f.err), ZW_E_OPTION);
    o.intervals = 10;
    o.is_period_free = true;
    make(o);
    f.x[zw_colloc_problem(f.c).n - 1] = 1;
    assert_int_equal(zw_colloc_refer(f.c, f.x, 1, &f.err), ZW_E_NUMERIC); /* a point has no phase */
    close_model();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_colloc__linear_and_its_order),
        cmocka_unit_test(test_colloc__van_der_pol),
        cmocka_unit_test(test_colloc__half_an_orbit),
        cmocka_unit_test(test_colloc__lorenz),
        cmocka_unit_test(test_colloc__predictions_of_higher_order),
        cmocka_unit_test(test_colloc__pendulum_on_a_string),
        cmocka_unit_test(test_colloc__multipliers_of_all_sizes),
        cmocka_unit_test(test_colloc__ignorable_coordinates),
        cmocka_unit_test(test_colloc__quaternions),
        cmocka_unit_test(test_colloc__long_periods),
        cmocka_unit_test(test_colloc__lanes_are_the_same),
        cmocka_unit_test(test_colloc__out_of_memory),
        cmocka_unit_test(test_colloc__refuses),
    };
    int failed = cmocka_run_group_tests_name("one by one", tests, NULL, NULL);
    in_lanes = true;
    return failed + cmocka_run_group_tests_name("in lanes", tests, NULL, NULL);
}
