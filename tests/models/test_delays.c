/* SPDX-License-Identifier: MIT */
/* Delays against closed forms (method of steps, Lambert's W, stability boundaries) and an
 * independent integration. */
#include <complex.h>

#include "support/report.h"
#include "support/simulation.h"

#define HAYES "model hayes\nunits none\nparam a = 1, tau = 1\nstate x : x' = -a*y\nstart x = 1\n"

/* a model text with the delay "delay y = x by tau nodes N" behind it */
static const char *with_nodes(char *out, size_t size, const char *text, int nodes) {
    snprintf(out, size, "%sdelay y = x by tau nodes %d\n", text, nodes);
    return out;
}

/* ----------------------------------------------------------------------------------------- runs */

/* x' = -a x(t - tau), x = 1 for t <= 0: polynomials from delay to delay */
static double hayes(double a, double tau, double t) {
    double sum = 1, factor = 1;
    for (int k = 1; t - (k - 1) * tau > 0; k++) {
        factor *= -a / k;
        sum += factor * pow(t - (k - 1) * tau, k);
    }
    return sum;
}

/* the largest error of x from t = 0 to until; of y in *past */
static double error_of_run(int nodes, double until, double *past) {
    char text[400];
    simulation s = simulation_make(until);
    s.options.step_out = 0.05;
    simulation_run(&s, with_nodes(text, sizeof text, HAYES, nodes));
    assert_done(&s);
    const zw_table *rows = zw_sim_rows(s.sim);
    double worst = 0;
    *past = 0;
    for (long r = 0; r < zw_table_rows(rows); r++) {
        double t = at(rows, r, "t");
        worst = fmax(worst, fabs(at(rows, r, "x") - hayes(1, 1, t)));
        *past = fmax(*past, fabs(at(rows, r, "y") - hayes(1, 1, t - 1)));
    }
    simulation_clear(&s);
    return worst;
}

/* a constant past, whose slope jumps at the start: the error falls as a power of the nodes */
static void test_delays__solution_by_steps(void **state) {
    (void)state;
    double past8, past16, past32;
    double error8 = error_of_run(8, 10, &past8), error16 = error_of_run(16, 10, &past16),
           error32 = error_of_run(32, 10, &past32);
    assert_true(error16 < 2e-4 && error32 < 5e-5);
    assert_true(error8 > 4 * error16 && error16 > 4 * error32);
    assert_true(past16 < 0.02 && past8 > 1.8 * past16 && past16 > 1.8 * past32);
}

/* x = exp(z t) is a solution if z = -a exp(-z tau); with this past there is no jump */
static void test_delays__history_of_a_solution(void **state) {
    (void)state;
    /* a tau = 0.3: z tau = W(-0.3), by Newton's method */
    double z = -0.4;
    for (int i = 0; i < 50; i++)
        z -= (z + 0.3 * exp(-z)) / (1 - 0.3 * exp(-z));
    simulation s = simulation_make(6);
    char text[600];
    snprintf(text, sizeof text,
             "model h\nunits none\nparam a = 0.15, tau = 2\nstate x : x' = -a*y\nstart x = 1\n"
             "delay y = x by tau history exp(%.17g*t)\n",
             z / 2);
    s.options.step_out = 0.25;
    simulation_run(&s, text);
    assert_done(&s);
    assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 0);
    const zw_table *rows = zw_sim_rows(s.sim);
    for (long r = 0; r < zw_table_rows(rows); r++) {
        double t = at(rows, r, "t");
        assert_close(at(rows, r, "x"), exp(z / 2 * t), 1e-10);
        assert_close(at(rows, r, "y"), exp(z / 2 * (t - 2)), 1e-9);
    }
    simulation_clear(&s);
}

/* ------------------------------------------------------------------- an independent integration */

enum { RK_MOST = 4, RK_STEPS = 60001 };

/* y' = f(t, y, y(t - tau)) by the classical Runge-Kutta method in steps of tau/n, the past
 * constant before t = 0 and by cubic Hermite interpolation between steps */
typedef struct dde {
    int size, n, last;
    double tau;
    void (*f)(const double *y, const double *past, double *rate);
    double (*y)[RK_MOST], (*rate)[RK_MOST];
} dde;

static void dde_past(const dde *d, int step, bool half, double *past) {
    int i = step - d->n;
    double h = d->tau / d->n;
    for (int k = 0; k < d->size; k++) {
        double a = d->y[i < 0 ? 0 : i][k], b = d->y[i + 1 < 0 ? 0 : i + 1][k];
        bool before = i < 0;
        past[k] = !half    ? a
                  : before ? d->y[0][k]
                           : (a + b) / 2 + h / 8 * (d->rate[i][k] - d->rate[i + 1][k]);
    }
}

static void dde_run(dde *d, const double *start, double until) {
    double h = d->tau / d->n, past[3][RK_MOST], k[4][RK_MOST], at[RK_MOST];
    d->y = calloc(RK_STEPS, sizeof *d->y);
    d->rate = calloc(RK_STEPS, sizeof *d->rate);
    assert_true(d->y && d->rate && until / h + 2 < RK_STEPS);
    memcpy(d->y[0], start, (size_t)d->size * sizeof *start);
    d->last = (int)(until / h + 0.5);
    for (int i = 0; i <= d->last; i++) {
        dde_past(d, i, false, past[0]);
        d->f(d->y[i], past[0], d->rate[i]);
        dde_past(d, i, true, past[1]);
        dde_past(d, i + 1, false, past[2]);
        memcpy(k[0], d->rate[i], sizeof k[0]);
        for (int stage = 1; stage < 4; stage++) {
            for (int j = 0; j < d->size; j++)
                at[j] = d->y[i][j] + (stage < 3 ? h / 2 : h) * k[stage - 1][j];
            d->f(at, past[(stage + 1) / 2], k[stage]);
        }
        for (int j = 0; j < d->size; j++)
            d->y[i + 1][j] = d->y[i][j] + h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    }
}

static void dde_clear(dde *d) {
    free(d->y);
    free(d->rate);
}

#define SLEIGH                                                                                     \
    "model delayed_sleigh\n"                                                                       \
    "param m = 1 [kg], J = 0.1 [kg*m^2], a = 0.1 [m], kp = 1 [N*m], kd = 0.3 [N*m*s]\n"            \
    "param tau = 0.2 [s], F = 0.2 [N]\n"                                                           \
    "coord x, y [m], th [rad]\nframe R : rotate z th\n"                                            \
    "particle P : m at (x + a*cos(th), y + a*sin(th))\nkinetic 1/2*J*th'^2\n"                      \
    "constraint blade : -sin(th)*x' + cos(th)*y' = 0\n"                                            \
    "delay seen = th by tau nodes 24, rate = th' by tau nodes 24\n"                                \
    "force control (th) = -kp*seen - kd*rate\nforce push (x, y) = F*(cos(th), sin(th))\n"          \
    "start th = 0.5 [rad], x' = 0.3 [m/s]*cos(0.5)\n"

/* along the blade u, turning w: m (u' - a w^2) = F, (J + m a^2) w' + m a u w = torque; y = (u, w,
 * th) */
static void sleigh(const double *y, const double *past, double *rate) {
    const double m = 1, J = 0.1, a = 0.1, F = 0.2;
    rate[0] = a * y[1] * y[1] + F / m;
    rate[1] = (-past[2] - 0.3 * past[1] - m * a * y[0] * y[1]) / (J + m * a * a);
    rate[2] = y[1];
}

/* a velocity constraint without a potential, steered late by every principle */
static void test_delays__sleigh(void **state) {
    (void)state;
    static const char *const by[] = {"lagrange", "kane", "gibbs-appell"};
    const double start[] = {0.3, 0, 0.5};
    dde d = {.size = 3, .n = 400, .tau = 0.2, .f = sleigh};
    dde_run(&d, start, 4);
    for (int i = 0; i < 3; i++) {
        simulation s = simulation_make(4);
        s.options.step_out = 0.25;
        s.options.principle = by[i];
        simulation_run(&s, SLEIGH);
        assert_done(&s);
        const zw_table *rows = zw_sim_rows(s.sim);
        for (long r = 0; r < zw_table_rows(rows); r++) {
            const double *y = d.y[(int)(at(rows, r, "t") / d.tau * d.n + 0.5)];
            assert_close(at(rows, r, "th"), y[2], 1e-4);
            assert_close(at(rows, r, "th'"), y[1], 1e-3);
        }
        assert_close(at(rows, -1, "th"), d.y[d.last][2], 2e-6);
        simulation_clear(&s);
    }
    dde_clear(&d);
}

/* ---------------------------------------------------------------------------------- eigenvalues */

typedef struct steady {
    zw_context *ctx;
    zw_equilibria *e;
} steady;

static steady steady_at(const char *text, int nset, const char *const *set, const char *variant) {
    zw_error err = {0};
    zw_system *sys;
    steady s = {.ctx = zw_context_create(NULL)};
    zw_model_options o = {.size = sizeof o, .nset = nset, .set = set, .variant = variant};
    zw_status status = text[0] == '/'
                           ? zw_model_read(&sys, s.ctx, text, &o, &err)
                           : zw_model_parse(&sys, s.ctx, text, strlen(text), "test", &o, &err);
    if (status < 0 || zw_equilibria_create(&s.e, sys, NULL, &err) < 0 ||
        zw_equilibria_find(s.e, &err) < 0)
        fail_msg("%s", err.text);
    return s;
}

static void steady_clear(steady *s) {
    zw_equilibria_destroy(s->e);
    zw_context_destroy(s->ctx);
}

/* how far the nearest eigenvalue is from z */
static double distance(const steady *s, double complex z) {
    const zw_linearisation *a = zw_equilibria_linear(s->e);
    double least = INFINITY;
    for (int i = 0; i < a->n; i++)
        least = fmin(least, cabs(a->re[i] + a->im[i] * I - z));
    return least;
}

/* z tau = W_k(-a tau) by Newton's method */
static double complex lambert(double a, double tau, double complex z) {
    for (int i = 0; i < 60; i++) {
        double complex e = a * cexp(-z * tau);
        z -= (z + e) / (1 - tau * e);
    }
    return z;
}

/* the error falls faster than any power of the nodes */
static void test_delays__lambert(void **state) {
    (void)state;
    const double most[][2] = {{4, 1e-5}, {6, 1e-9}, {8, 1e-12}};
    char text[400];
    double complex first = lambert(1, 1, -0.3 + 1.3 * I), second = lambert(1, 1, -2 + 7.5 * I),
                   third = lambert(1, 1, -2.6 + 13.9 * I);
    for (int i = 0; i < 3; i++) {
        steady s = steady_at(with_nodes(text, sizeof text, HAYES, (int)most[i][0]), 0, NULL, NULL);
        assert_true(distance(&s, first) < most[i][1]);
        steady_clear(&s);
    }
    steady s = steady_at(with_nodes(text, sizeof text, HAYES, 16), 0, NULL, NULL);
    assert_true(distance(&s, first) < 1e-12);
    assert_true(distance(&s, second) < 1e-11);
    assert_true(distance(&s, third) < 1e-7);
    assert_null(zw_equilibria_warning(s.e));
    assert_int_equal(zw_equilibria_stability(s.e), ZW_STABLE);
    steady_clear(&s);
}

/* a tau = pi/2: the pair +- i pi/(2 tau), whatever tau is */
static void test_delays__limit_of_stability(void **state) {
    (void)state;
    const double tau[] = {0.01, 1, 300};
    for (int i = 0; i < 3; i++) {
        char text[400], given[2][60];
        const char *const set[] = {given[0], given[1]};
        snprintf(given[0], sizeof given[0], "a=%.17g", M_PI / 2 / tau[i]);
        snprintf(given[1], sizeof given[1], "tau=%.17g", tau[i]);
        steady s = steady_at(with_nodes(text, sizeof text, HAYES, 16), 2, set, NULL);
        assert_true(distance(&s, M_PI / 2 / tau[i] * I) < 1e-12 / tau[i]);
        steady_clear(&s);
    }
}

/* x'' + 2 zeta x' + x = g (x(t - tau) - x): with G = 1/(1 - w^2 + 2 i zeta w) the pair +- i w where
 * g = -1/(2 Re G), exp(-i w tau) = 1 + 1/(g G) */
static void test_delays__delayed_feedback(void **state) {
    (void)state;
    static const char text[] =
        "model osc\nunits none\nparam zeta = 0.02, g = 0.1, tau = 3\ncoord x\nkinetic x'^2/2\n"
        "potential x^2/2\nforce damping (x) = -2*zeta*x'\ndelay y = x by tau\n"
        "force feedback (x) = g*(y - x)\nstart x = 1\n";
    const double w[] = {1.03, 1.1, 1.3, 2};
    for (int i = 0; i < 4; i++) {
        double complex G = 1 / (1 - w[i] * w[i] + 2 * 0.02 * w[i] * I);
        double g = -1 / (2 * creal(G)), phase = carg(1 + 1 / (g * G));
        char given[2][60];
        const char *const set[] = {given[0], given[1]};
        snprintf(given[0], sizeof given[0], "g=%.17g", g);
        snprintf(given[1], sizeof given[1], "tau=%.17g",
                 (phase > 0 ? 2 * M_PI - phase : -phase) / w[i]);
        steady s = steady_at(text, 2, set, NULL);
        assert_true(distance(&s, w[i] * I) < 1e-11);
        steady_clear(&s);
    }
}

/* chatter, on the fourth lobe at 3000 rpm and on the one of two revolutions per wave; the ball
 * absorber with feedback */
static void test_delays__shipped_models(void **state) {
    (void)state;
    const double m = 10, k = 4e6, c = 2 * 0.02 * sqrt(4e7), w = 700;
    double complex G = 1 / (k - m * w * w + c * w * I);
    double Kw = -1 / (2 * creal(G)), phase = carg(1 + 1 / (Kw * G));
    for (int n = 1; n < 3; n++) {
        char given[2][60];
        const char *const set[] = {given[0], given[1]};
        snprintf(given[0], sizeof given[0], "w=%.17g [m]", Kw / 2e9);
        snprintf(given[1], sizeof given[1], "Omega=%.17g [rad/s]",
                 2 * M_PI * w / (2 * M_PI * n - phase));
        steady s = steady_at(ZW_SOURCE_DIR "/models/turning.zw", 2, set, NULL);
        assert_true(distance(&s, w * I) < 1e-6);
        steady_clear(&s);
    }
    /* 1 + gain s exp(-s tau) H = 0 at s = 4.2 i, H the receptance of the body with the ball at
     * rest */
    const char *const set[] = {"gain=4.288797349858984 [kg/s]", "tau=0.5238837284548518 [s]"};
    steady s = steady_at(ZW_SOURCE_DIR "/models/absorber_planar.zw", 2, set, "delayed");
    assert_true(distance(&s, 4.2 * I) < 1e-10);
    steady_clear(&s);
}

/* too few nodes for a fast oscillation in the delay: said, not passed over */
static void test_delays__not_resolved(void **state) {
    (void)state;
    static const char text[] =
        "model osc\nunits none\nparam tau = 30\ncoord x\nkinetic x'^2/2\npotential x^2/2\n"
        "delay y = x by tau\nforce (x) = 0.1*y\nstart x = 1\n";
    steady s = steady_at(text, 0, NULL, NULL);
    assert_non_null(zw_equilibria_warning(s.e));
    assert_non_null(strstr(zw_equilibria_warning(s.e), "16 nodes of y"));
    steady_clear(&s);
    simulation run = simulation_make(100);
    simulation_run(&run, text);
    assert_done(&run);
    assert_true(zw_warnings_count(zw_sim_warnings(run.sim)) > 0);
    simulation_clear(&run);
}

/* ----------------------------------------------------------------------------- linear equations */

typedef struct response {
    steady s;
    zw_linear_equations *l;
    zw_table *t;
    zw_warnings *doubts;
    char *text;
} response;

static response response_of(const char *text, const char *output, double from, double to) {
    const char *const input[] = {"u"}, *const outputs[] = {output};
    response r = {.s.ctx = zw_context_create(NULL)};
    zw_linear_options o = zw_linear_options_default();
    zw_equilibria_options motion = zw_equilibria_options_default();
    zw_system *sys;
    zw_error err = {0};
    o.ninput = o.noutput = 1;
    o.input = input;
    o.output = outputs;
    r.doubts = zw_warnings_create(NULL);
    if (zw_model_parse(&sys, r.s.ctx, text, strlen(text), "test", NULL, &err) < 0 ||
        zw_linear_prepare(sys, &o, &motion, &err) < 0 ||
        zw_equilibria_create(&r.s.e, sys, &motion, &err) < 0 ||
        zw_equilibria_find(r.s.e, &err) < 0 || zw_linear_create(&r.l, r.s.e, &o, &err) < 0 ||
        zw_linear_response(r.l, NULL, "u", output, from, to, 50, &r.t, &err) < 0)
        fail_msg("%s", err.text);
    assert_non_null(r.doubts);
    zw_linear_response_warnings(r.l, r.t, r.doubts);
    zw_report *report = report_begin("model");
    zw_linear_response_report(r.l, r.t, report);
    r.text = report_take_text(report);
    return r;
}

static void response_clear(response *r) {
    free(r->text);
    zw_table_destroy(r->t);
    zw_warnings_destroy(r->doubts);
    zw_linear_destroy(r->l);
    steady_clear(&r->s);
}

#define LATE                                                                                       \
    "model b\nunits none\nparam a = 0.5, tau = 1\ninput u = signal\n"                              \
    "state x : x' = -a*y + u - x\n"

static double complex late_exact(double w) {
    double complex factor = cexp(-I * w);
    return factor / (I * w + 1 + 0.5 * factor);
}

/* exp(-i w)/(i w + 1 + exp(-i w)/2), far beyond what 16 nodes resolve, and with its margins */
static void test_delays__frequency_response(void **state) {
    (void)state;
    response r = response_of(LATE "delay y = x by tau\nobserve late = y\n", "late", 0.1, 200);
    assert_int_equal(zw_warnings_count(r.doubts), 0);
    for (long i = 0; i < zw_table_rows(r.t); i++) {
        double complex exact = late_exact(zw_table_at(r.t, i, 0)),
                       found = zw_table_at(r.t, i, 3) + I * zw_table_at(r.t, i, 4);
        assert_true(cabs(found - exact) < 1e-11 * cabs(exact));
    }
    double w = 33.017; /* where the response is real */
    for (int i = 0; i < 50; i++) {
        double h = 1e-5, slope = cimag(late_exact(w + h) - late_exact(w - h)) / (2 * h);
        w -= cimag(late_exact(w)) / slope;
    }
    char margin[100];
    snprintf(margin, sizeof margin, "%.5g at %.6g rad/s, phase -180 deg\n", 1 / cabs(late_exact(w)),
             w);
    assert_text_has(r.text, margin);
    response_clear(&r);
}

/* two delays, one of the other, one of a sum with the input, in an oscillator with masses */
static void test_delays__frequency_response_of_two(void **state) {
    (void)state;
    response r = response_of("model two\nparam m = 3 [kg], c = 0.1 [N*s/m], k = 7 [N/m]\n"
                             "coord x [m]\nparticle P : m at (x, 0)\npotential 1/2*k*x^2\n"
                             "dissipation 1/2*c*x'^2\ninput u = signal [m]\n"
                             "delay y = x + 2*u by 0.7 [s]\ndelay z = y by 40 [ms] nodes 8\n"
                             "force (x) = 0.5 [N/m]*z\nobserve both = z + x\n",
                             "both", 0.1, 300);
    assert_int_equal(zw_warnings_count(r.doubts), 0);
    for (long i = 0; i < zw_table_rows(r.t); i++) {
        /* G x = z/2, z = f (x + 2) */
        double w = zw_table_at(r.t, i, 0);
        double complex G = 7 - 3 * w * w + 0.1 * I * w, f = cexp(-0.74 * I * w),
                       x = f / (G - f / 2), exact = f * (x + 2) + x,
                       found = zw_table_at(r.t, i, 3) + I * zw_table_at(r.t, i, 4);
        assert_true(cabs(found - exact) < 1e-10 * cabs(exact));
    }
    response_clear(&r);
}

/* a rate of a delayed quantity is that of the nodes: said from where on, and at each margin */
static void test_delays__frequency_response_of_nodes(void **state) {
    (void)state;
    static const char text[] = LATE "delay y = x by tau\nobserve rate = y'\n";
    response r = response_of(text, "rate", 0.1, 60);
    assert_int_equal(zw_warnings_count(r.doubts), 1);
    assert_text_has(zw_warnings_at(r.doubts, 0)->text, "16 nodes of y from 16.3629 rad/s on");
    assert_text_has(r.text, "not resolved by the nodes");
    for (long i = 0; i < zw_table_rows(r.t) && zw_table_at(r.t, i, 0) < 16; i++) {
        double complex exact = late_exact(zw_table_at(r.t, i, 0)) * I * zw_table_at(r.t, i, 0),
                       found = zw_table_at(r.t, i, 3) + I * zw_table_at(r.t, i, 4);
        assert_true(cabs(found - exact) < 1e-5 * cabs(exact));
    }
    response_clear(&r);
    r = response_of(text, "rate", 0, 0); /* the default range is resolved */
    assert_int_equal(zw_warnings_count(r.doubts), 0);
    assert_null(strstr(r.text, "not resolved"));
    response_clear(&r);
}

static zw_linear_equations *linear_of(const char *text, steady *s) {
    zw_linear_equations *l = NULL;
    zw_linear_options o = zw_linear_options_default();
    zw_equilibria_options motion = zw_equilibria_options_default();
    zw_system *sys;
    zw_error err = {0};
    *s = (steady){.ctx = zw_context_create(NULL)};
    if (zw_model_parse(&sys, s->ctx, text, strlen(text), "test", NULL, &err) < 0 ||
        zw_linear_prepare(sys, &o, &motion, &err) < 0 ||
        zw_equilibria_create(&s->e, sys, &motion, &err) < 0 || zw_equilibria_find(s->e, &err) < 0 ||
        zw_linear_create(&l, s->e, &o, &err) < 0)
        fail_msg("%s", err.text);
    return l;
}

#define NOISY                                                                                      \
    "model c\nunits none\nparam a = 1, s = 0.5\ninput w = noise(s)\nstate x : x' = -a*y + w\n"

/* A stationary process has the variance of its past: of x' = -a x(t - 1) + s w it is s^2 (1 + sin
 * a)/(2 a cos a) (Kuechler and Mensch 1992). What the nodes miss is told. */
static void test_delays__covariance(void **state) {
    (void)state;
    steady s;
    zw_warnings *doubts = zw_warnings_create(NULL);
    zw_linear_equations *l = linear_of(NOISY "delay y = x by 1\n", &s);
    const double *P = zw_linear_covariance(l);
    int n = zw_linear_states(l)->n;
    double variance = 0.25 * (1 + sin(1)) / (2 * cos(1));
    assert_true(P && n == 17);
    for (int i = 0; i < n; i++)
        assert_close(P[i * n + i], variance, 3e-6 * variance);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            assert_true(fabs(P[i * n + j]) < 1.00001 * variance &&
                        fabs(P[i * n + j] - P[j * n + i]) < 1e-12);
    zw_linear_warnings(l, doubts);
    assert_int_equal(zw_warnings_count(doubts), 1);
    assert_text_has(zw_warnings_at(doubts, 0)->text, "miss 0.0027 of its standard deviation");
    zw_warnings_destroy(doubts);
    zw_linear_destroy(l);
    steady_clear(&s);
}

/* each reason for no covariance on its own */
static void test_delays__no_covariance(void **state) {
    (void)state;
    static const char *const text[] = {NOISY "delay y = x by 1 nodes 60\n",
                                       NOISY "delay y = x by 2\n", NOISY "delay y = x + w by 1\n"},
                             *const reason[] = {"known: there are 61 states, it is computed for 40",
                                                "known: the equations are not stable\n",
                                                "known: white noise is delayed"};
    for (int i = 0; i < 3; i++) {
        steady s;
        zw_linear_equations *l = linear_of(text[i], &s);
        zw_report *r = report_begin("model");
        zw_linear_report(l, r);
        char *written = report_take_text(r);
        assert_null(zw_linear_covariance(l));
        assert_text_has(written, reason[i]);
        free(written);
        zw_linear_destroy(l);
        steady_clear(&s);
    }
}

static zw_locus *locus_over(const char *over, zw_context *ctx) {
    static const char text[] = HAYES "delay y = x by tau\n";
    zw_locus_options o = zw_locus_options_default();
    zw_system *sys;
    zw_locus *l;
    zw_error err = {0};
    o.over = over;
    o.cubic = false;
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &err) < 0 ||
        zw_locus_create(&l, sys, &o, &err) < 0)
        fail_msg("%s", err.text);
    return l;
}

/* the limits a = pi/2 + 2 pi k, whose frequencies 16 nodes resolve up to the third: the others are
 * marked, and no more digits are told than are known */
static void test_delays__crossings_with_their_digits(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    zw_locus *l = locus_over("a=0.5:30", ctx);
    const zw_track *t = zw_locus_track(l);
    assert_int_equal(t->nmark, 5);
    for (int k = 0; k < 5; k++)
        assert_true(zw_locus_resolved(l, k) == (k < 3));
    zw_report *r = report_begin("model");
    zw_locus_report(l, r);
    assert_text_has(zw_report_get_word(r, "special_points.3.event"), "not resolved");
    zw_bytes json;
    assert_int_equal(zw_report_json(r, &json, NULL), ZW_OK);
    char *text = report_take_text(r);
    assert_text_has(text, "a = 1.57079632679: +-1.570796327i");
    assert_text_has(text, "a = 14.13717: +-14.13717i");
    assert_text_has(text, "a = 28: +-27i");
    assert_text_has(text, "not resolved by the nodes of the delays (error 0.1)");
    assert_text_has(json.data, "\"resolved\": true");
    assert_text_has(json.data, "\"resolved\": false");
    free(text);
    zw_bytes_clear(&json);
    zw_locus_destroy(l);
    zw_context_destroy(ctx);
}

/* a lag from 1 us to 1000 s: stable up to pi/2, with no other crossings, and the cause is told */
static void test_delays__no_invented_crossings(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    zw_warnings *doubts = zw_warnings_create(NULL);
    zw_locus *l = locus_over("tau=1e-6:1000", ctx);
    const zw_track *t = zw_locus_track(l);
    assert_true(t->nmark > 2);
    assert_int_equal(t->mark[0].kind, ZW_TRACK_COALESCENCE);
    assert_close(t->mark[0].value, exp(-1), 1e-9);
    assert_int_equal(t->mark[1].kind, ZW_TRACK_HOPF);
    assert_close(t->mark[1].value, M_PI / 2, 1e-10);
    for (int k = 0; k < t->nrange; k++)
        assert_true((t->range[k].growing > 0) == (t->range[k].from > 1.5));
    zw_locus_warnings(l, doubts);
    assert_text_has(zw_warnings_at(doubts, 0)->text, "the states of a delay are too fast");
    zw_warnings_destroy(doubts);
    zw_locus_destroy(l);
    zw_context_destroy(ctx);
}

/* ---------------------------------------------------------------------- constant along a motion */

/* the lag is not changed on the way by a variant, whose text and place are told */
static void test_delays__no_variant_changes_a_lag(void **state) {
    (void)state;
    static const char text[] = HAYES "delay y = x by tau\nevent change : t - 3 rising, %s\n"
                                     "variant late\n    param tau = 2\nend\n"
                                     "variant other\n    param a = 2\nend\n";
    char other[500], late[500];
    snprintf(other, sizeof other, text, "variant other");
    snprintf(late, sizeof late, text, "variant late");
    simulation s = simulation_make(5);
    simulation_run(&s, other);
    assert_done(&s);
    simulation_clear(&s);
    s = simulation_make(5);
    simulation_run(&s, late);
    assert_int_equal(s.status, ZW_E_MODEL);
    assert_non_null(strstr(s.err.text, "changes the delay of y from 1 to 2 s"));
    assert_true(s.err.line == 7);
    simulation_clear(&s);
}

/* --------------------------------------------------------------------------------------- orbits */

/* Hutchinson's equation n' = r n (1 - n(t - 1)), r = 2: period and extremes by the integration
 * above in 800 steps per delay */
static void hutchinson(const double *y, const double *past, double *rate) {
    rate[0] = 2 * y[0] * (1 - past[0]);
}

static double period_of(const dde *d, int from, double level, double *most) {
    double h = d->tau / d->n, crossing[2] = {NAN, NAN};
    *most = 0;
    for (int i = from; i < d->last && isnan(crossing[1]); i++) {
        double a = d->y[i][0] - level, b = d->y[i + 1][0] - level, low = 0, high = 1;
        *most = fmax(*most, d->y[i][0]);
        if (!(a < 0 && b >= 0))
            continue;
        for (int k = 0; k < 60; k++) {
            double s = (low + high) / 2, at = (2 * s * s * s - 3 * s * s + 1) * a +
                                              (3 * s * s - 2 * s * s * s) * b +
                                              h * ((s * s * s - 2 * s * s + s) * d->rate[i][0] +
                                                   (s * s * s - s * s) * d->rate[i + 1][0]);
            *(at < 0 ? &low : &high) = s;
        }
        crossing[isnan(crossing[0]) ? 0 : 1] = (i + low) * h;
    }
    return crossing[1] - crossing[0];
}

static void test_delays__hutchinson(void **state) {
    (void)state;
    static const char text[] = "model h\nunits none\nparam r = 2, tau = 1\n"
                               "state n : n' = r*n*(1 - past)\ndelay past = n by tau nodes 24\n"
                               "start n = 0.5\n";
    const double start[] = {0.5};
    dde d = {.size = 1, .n = 800, .tau = 1, .f = hutchinson};
    double most, period;
    dde_run(&d, start, 60);
    period = period_of(&d, 40 * 800, 1, &most);
    zw_error err = {0};
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    zw_orbits *study = NULL;
    zw_orbits_options o = zw_orbits_options_default();
    int number;
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &err) < 0 ||
        zw_orbits_create(&study, sys, &o, &err) < 0 ||
        zw_orbits_find(study, NAN, &number, &err) < 0)
        fail_msg("%s", err.text);
    const zw_orbit_motion *m = zw_orbits_at(study, number);
    assert_close(m->period, period, 1e-7);
    assert_close(m->measure[0].max, most, 1e-6);
    assert_int_equal(m->verdict, ZW_FLOQUET_STABLE);
    zw_orbits_destroy(study);
    zw_context_destroy(ctx);
    dde_clear(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_delays__solution_by_steps),
        cmocka_unit_test(test_delays__history_of_a_solution),
        cmocka_unit_test(test_delays__sleigh),
        cmocka_unit_test(test_delays__lambert),
        cmocka_unit_test(test_delays__limit_of_stability),
        cmocka_unit_test(test_delays__delayed_feedback),
        cmocka_unit_test(test_delays__shipped_models),
        cmocka_unit_test(test_delays__not_resolved),
        cmocka_unit_test(test_delays__frequency_response),
        cmocka_unit_test(test_delays__frequency_response_of_two),
        cmocka_unit_test(test_delays__frequency_response_of_nodes),
        cmocka_unit_test(test_delays__covariance),
        cmocka_unit_test(test_delays__no_covariance),
        cmocka_unit_test(test_delays__crossings_with_their_digits),
        cmocka_unit_test(test_delays__no_invented_crossings),
        cmocka_unit_test(test_delays__no_variant_changes_a_lag),
        cmocka_unit_test(test_delays__hutchinson),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
