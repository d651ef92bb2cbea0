/* SPDX-License-Identifier: MIT */
/* The flow of models of every kind: derivatives against differences of lower ones, the tangent
 * space by its definition, local coordinates by their inverse, and closed forms where there are
 * some. */
#include <stdlib.h>

#include "support/text_model.h"

enum { MAX = TEXT_MODEL_MAX };
static const zw_functions EVERY = ((zw_functions)1 << ZW_FN_COUNT) - 1;

/* holonomic, rheonomic, nonholonomic affine; a parameter defined by others; an observable of
 * forces */
static const char bead[] =
    "model bead\nunits none\nparam w = 1.7, k = 3, s = k*w + sin(k), d = s/4\ncoord x, y, th\n"
    "kinetic 1/2*(2 + sin(w*t))*x'^2 + 1/2*y'^2*(1 + x^2) + 1/2*th'^2\n"
    "potential s*x*y*cos(w*t)\nforce (th) = -d*lambda(arm)*th'\n"
    "constraint arm : x^2 + y*th = 2 + 0.1*sin(w*t)*s/4\n"
    "constraint skew : x' + th*y'*cos(w*t) = 0.2*t*k\n"
    "observe pull = lambda(arm)*x + s*th''\nevent e : x + k*lambda(skew)\n"
    "start x = 1.1, y = 0.7, y' = -0.4\n";
/* a quaternion, a position constraint on it, friction by a multiplier's sign kept away from zero */
static const char top[] =
    "model top\nunits none\nparam m = 1.3, l = 0.4, g = 9.81, I = m*l^2/3, c = 0.2\n"
    "coord x, y, z\nbody b : at (x, y, z), inertia(m, I, 1.2*I, 0.7*I)\n"
    "gravity g along -z\npoint P : b.origin + b(0, 0, -l)\n"
    "constraint foot : P.x = 0, P.y = 0, P.z = 0\n"
    "force (x, y) = -c*(x', y')*(1 + x'^2)\n"
    "start b.wx = 0.3, b.wy = -0.5, b.wz = 4\n";
static const char disc[] =
    "model disc\nunits none\nparam m = 2, r = 0.3, A = m*r^2/4, C = 2*A, g = 9.81\n"
    "coord x, y, ps, th, ph\n"
    "kinetic 1/2*m*(x'^2 + y'^2 + (r*cos(th)*th')^2) + 1/2*A*(th'^2 + (ps'*sin(th))^2) +"
    " 1/2*C*(ph' + ps'*cos(th))^2\n"
    "potential m*g*r*sin(th)\n"
    "constraint rx : x' = r*(ph' + ps'*cos(th))*cos(ps) + r*cos(th)*th'*sin(ps)\n"
    "constraint ry : y' = r*(ph' + ps'*cos(th))*sin(ps) - r*cos(th)*th'*cos(ps)\n"
    "start th = 1.2, ps' = 1.5, ph' = -7, th' = 0.2, ps = 0.4\n";

/* states: in a rope's length, in a mass, with velocities in a rate; a state behind a signal */
static const char winch[] =
    "model winch\nunits none\nparam m = 1.2, k = 0.7\ncoord x, y\ninput u = signal\n"
    "state l : l' = v\nstate v : v' = u - k*v - 0.3*x*y\nstate mu : mu' = 0.2*sin(x)*y' - 0.1*mu\n"
    "particle P : m*(2 + mu^2) at (x, y)\ngravity 9.81 along -y\nforce (x) = u*y + mu\n"
    "constraint rope : x^2 + y^2 = (1 + l)^2\nobserve pull = lambda(rope)*u + mu\n"
    "start x = 0.6, y = -0.8, l = 0.1, v = 0.2, mu = 0.3, x' = 0.5\n";

typedef struct subject {
    text_model m;
    zw_flow *f;
    const zw_kernel *k;
    double t, x[MAX];
} subject;

static void open_subject(subject *s, const char *text) {
    zw_error err = {0};
    bool fixed[MAX];
    text_model_open(&s->m, text, "lagrange", 1e-9);
    s->k = s->m.kernel;
    s->t = 0.8;
    if (zw_kernel_require(s->m.kernel, EVERY & ~ZW_SET(POWER), &err) < 0 ||
        zw_flow_create(&s->f, s->k, s->m.p, &err) < 0 ||
        zw_system_start_state(s->m.sys, s->m.p, s->x, fixed, &err) < 0 ||
        zw_flow_project(s->f, s->t, s->x, NULL, &err) < 0)
        fail_msg("%s", err.text);
}

static void close_subject(subject *s) {
    zw_flow_destroy(s->f);
    zw_flow_renew(zw_run_flow(s->m.run), NULL);
    text_model_close(&s->m);
}

#define GOOD(call)                                                                                 \
    do {                                                                                           \
        zw_error good_ = {0}, *e = &good_;                                                         \
        if ((call) < 0)                                                                            \
            fail_msg("%s", good_.text);                                                            \
    } while (0)

typedef void (*vector_function)(subject *s, double t, const double *x, double *out);

/* (f(x + h d) - f(x - h d))/2h by Richardson's extrapolation of two widths */
static void difference(subject *s, vector_function f, int n, const double *d, double dt,
                       double *out) {
    double value[4][MAX * MAX], x[MAX];
    const double width[2] = {1e-3, 2e-3};
    assert_true(n <= MAX * MAX);
    for (int i = 0; i < 4; i++) {
        double h = (i % 2 ? -1 : 1) * width[i / 2];
        for (int j = 0; j < s->k->nx; j++)
            x[j] = s->x[j] + (d ? h * d[j] : 0);
        f(s, s->t + h * dt, x, value[i]);
    }
    for (int j = 0; j < n; j++) {
        double fine = (value[0][j] - value[1][j]) / (2 * width[0]),
               coarse = (value[2][j] - value[3][j]) / (2 * width[1]);
        out[j] = fine + (fine - coarse) / 3;
    }
}

static void rates_and_z(subject *s, double t, const double *x, double *out) {
    GOOD(zw_flow_rates(s->f, t, x, out, out + s->k->nx, e));
}

static void random_direction(test_random *r, int n, double *d) {
    for (int i = 0; i < n; i++)
        d[i] = test_random_real(r, -1, 1);
}

static void all_close(int n, const double *a, const double *b, double tol) {
    double size = 1;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(b[i]));
    for (int i = 0; i < n; i++)
        assert_close(a[i] / size, b[i] / size, tol);
}

static void times(int n, int m, const double *A, const double *x, double *out) {
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        for (int j = 0; j < m; j++)
            out[i] += A[i * m + j] * x[j];
    }
}

/* ---- derivatives ---- */

static void check_first(const char *text) {
    subject s;
    test_random r = {3};
    double J[MAX * MAX], Z[MAX * MAX], d[MAX], want[2 * MAX], got[2 * MAX], t[2 * MAX];
    open_subject(&s, text);
    int nx = s.k->nx, nz = s.k->nz;
    GOOD(zw_flow_jacobian(s.f, s.t, s.x, J, Z, e));
    for (int i = 0; i < 5; i++) {
        random_direction(&r, nx, d);
        difference(&s, rates_and_z, nx + nz, d, 0, want);
        times(nx, nx, J, d, got);
        times(nz, nx, Z, d, got + nx);
        all_close(nx + nz, got, want, 1e-9);
    }
    difference(&s, rates_and_z, nx + nz, NULL, 1, want);
    GOOD(zw_flow_in_time(s.f, s.t, s.x, t, t + nx, e));
    all_close(nx + nz, t, want, 1e-9);
    close_subject(&s);
}

static void test_flow__jacobians_in_state_and_time(void **state) {
    (void)state;
    check_first(bead);
    check_first(top);
    check_first(disc);
    check_first(winch);
}

/* with parameter j moved, and all that is defined by it */
static void move_parameter(subject *s, int j, double by) {
    bool given[MAX] = {false};
    double p[MAX];
    memcpy(p, s->m.p, sizeof p);
    p[j] += by;
    given[j] = true;
    for (int i = 0; i < s->k->np; i++)
        given[i] |= s->k->npar == s->k->np; /* all are chosen: each moves alone */
    GOOD(zw_system_param_follow(s->m.sys, given, p, e));
    GOOD(zw_flow_set_parameters(s->f, p, e));
}

static void in_one_parameter(subject *s, int j, int n, vector_function f, double *out) {
    double value[2][MAX * MAX];
    const double h = 1e-5;
    for (int side = 0; side < 2; side++) {
        move_parameter(s, j, side ? -h : h);
        f(s, s->t, s->x, value[side]);
    }
    move_parameter(s, j, 0);
    for (int i = 0; i < n; i++)
        out[i] = (value[0][i] - value[1][i]) / (2 * h);
}

static void observed(subject *s, double t, const double *x, double *out) {
    GOOD(zw_flow_observables(s->f, t, x, out, e));
    GOOD(zw_flow_events(s->f, t, x, out + s->k->nobs + 2, e));
}

static void levels(subject *s, double t, const double *x, double *out) {
    GOOD(zw_flow_constraints(s->f, t, x, out, NULL, e));
}

static void check_parameters(subject *s) {
    const zw_kernel *k = s->k;
    int nx = k->nx, nz = k->nz, npar = k->npar, ng = zw_flow_levels(s->f), no = k->nobs + 2;
    double J[MAX * MAX], dz[MAX * MAX], g[MAX * MAX], o[MAX * MAX], want[MAX * MAX];
    GOOD(zw_flow_in_parameters(s->f, s->t, s->x, J, dz, e));
    GOOD(zw_flow_constraints_in_parameters(s->f, s->t, s->x, g, e));
    GOOD(zw_flow_observables_in_parameters(s->f, s->t, s->x, o, e));
    GOOD(zw_flow_events_in_parameters(s->f, s->t, s->x, o + no * npar, e));
    for (int j = 0; j < npar; j++) {
        in_one_parameter(s, k->parameter[j], nx + nz, rates_and_z, want);
        for (int i = 0; i < nx + nz; i++)
            assert_close(i < nx ? J[i * npar + j] : dz[(i - nx) * npar + j], want[i], 1e-7);
        in_one_parameter(s, k->parameter[j], ng, levels, want);
        for (int i = 0; i < ng; i++)
            assert_close(g[i * npar + j], want[i], 1e-8);
        in_one_parameter(s, k->parameter[j], no + k->nevt, observed, want);
        for (int i = 0; i < no + k->nevt; i++)
            assert_close(o[i * npar + j], want[i], 1e-7);
    }
}

static void test_flow__jacobian_in_parameters(void **state) {
    (void)state;
    subject s;
    /* w and k, which are numbers: s and d follow them */
    open_subject(&s, bead);
    assert_int_equal(s.k->npar, 2);
    check_parameters(&s);
    close_subject(&s);
    /* these in another order, and all four, each of which then moves alone */
    zw_kernel_options options = zw_kernel_options_default();
    options.functions = EVERY & ~ZW_SET(POWER);
    for (options.nparameter = 2; options.nparameter <= 4; options.nparameter += 2) {
        open_subject(&s, bead);
        zw_flow_destroy(s.f);
        zw_kernel *chosen;
        options.parameter = (const int[]){1, 0, 3, 2};
        GOOD(zw_kernel_create(&chosen, &s.m.eq, &options, e));
        GOOD(zw_flow_create(&s.f, chosen, s.m.p, e));
        s.k = chosen;
        assert_int_equal(chosen->npar, options.nparameter);
        check_parameters(&s);
        close_subject(&s);
        zw_kernel_destroy(chosen);
    }
    options.nparameter = 2;
    options.parameter = (const int[]){0, 99};
    zw_error err = {0};
    open_subject(&s, bead);
    zw_kernel *none;
    assert_int_equal(zw_kernel_create(&none, &s.m.eq, &options, &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "no parameter 99"));
    close_subject(&s);
}

static double direction_u[MAX], direction_v[MAX];

static void jacobian_along_u(subject *s, double t, const double *x, double *out) {
    double J[MAX * MAX], G[MAX * MAX];
    GOOD(zw_flow_jacobian(s->f, t, x, J, NULL, e));
    times(s->k->nx, s->k->nx, J, direction_u, out);
    GOOD(zw_flow_constraints(s->f, t, x, NULL, G, e));
    times(zw_flow_levels(s->f), s->k->nx, G, direction_u, out + s->k->nx);
}

static void second_along_u_v(subject *s, double t, const double *x, double *out) {
    GOOD(zw_flow_second(s->f, t, x, direction_u, direction_v, out, out + s->k->nx, e));
}

static void check_higher(const char *text) {
    subject s;
    test_random r = {4};
    double got[2 * MAX], swapped[2 * MAX], want[2 * MAX], w[MAX];
    open_subject(&s, text);
    int nx = s.k->nx, n = nx + zw_flow_levels(s.f);
    for (int i = 0; i < 4; i++) {
        random_direction(&r, nx, direction_u);
        random_direction(&r, nx, direction_v);
        random_direction(&r, nx, w);
        second_along_u_v(&s, s.t, s.x, got);
        GOOD(zw_flow_second(s.f, s.t, s.x, direction_v, direction_u, swapped, swapped + nx, e));
        all_close(n, got, swapped, 1e-13);
        difference(&s, jacobian_along_u, n, direction_v, 0, want);
        all_close(n, got, want, 1e-8);
        GOOD(zw_flow_third(s.f, s.t, s.x, direction_u, direction_v, w, got, got + nx, e));
        GOOD(zw_flow_third(s.f, s.t, s.x, w, direction_u, direction_v, swapped, swapped + nx, e));
        all_close(n, got, swapped, 1e-12);
        difference(&s, second_along_u_v, n, w, 0, want);
        all_close(n, got, want, 1e-8);
    }
    close_subject(&s);
}

static void test_flow__second_and_third_derivatives(void **state) {
    (void)state;
    check_higher(bead);
    check_higher(top);
    check_higher(disc);
    check_higher(winch);
}

static void test_flow__what_is_observed(void **state) {
    (void)state;
    subject s;
    test_random r = {5};
    double o[MAX * MAX], d[MAX], got[MAX], want[MAX];
    open_subject(&s, bead);
    int nx = s.k->nx, n = s.k->nobs + 2 + s.k->nevt;
    assert_int_equal(n, 4);
    GOOD(zw_flow_observables_jacobian(s.f, s.t, s.x, o, e));
    GOOD(zw_flow_events_jacobian(s.f, s.t, s.x, o + (s.k->nobs + 2) * nx, e));
    for (int i = 0; i < 4; i++) {
        random_direction(&r, nx, d);
        times(n, nx, o, d, got);
        difference(&s, observed, n, d, 0, want);
        all_close(n, got, want, 1e-8);
    }
    close_subject(&s);
}

/* ---- the manifold ---- */

static void check_manifold(const char *text, int dimension) {
    subject s;
    test_random r = {6};
    double G[MAX * MAX], T[MAX * MAX], D[MAX * MAX], d[MAX], got[MAX], want[MAX], g_t[MAX];
    open_subject(&s, text);
    int nx = s.k->nx, ng = zw_flow_levels(s.f), n;
    GOOD(zw_flow_constraints(s.f, s.t, s.x, want, G, e));
    for (int i = 0; i < ng; i++)
        assert_close(want[i], 0, 1e-13);
    random_direction(&r, nx, d);
    times(ng, nx, G, d, got);
    difference(&s, levels, ng, d, 0, want);
    all_close(ng, got, want, 1e-9);
    GOOD(zw_flow_constraints_in_time(s.f, s.t, s.x, g_t, e));
    difference(&s, levels, ng, NULL, 1, want);
    all_close(ng, g_t, want, 1e-9);
    /* the rates stay on it: G f + g_t = 0 */
    double rate[2 * MAX];
    rates_and_z(&s, s.t, s.x, rate);
    times(ng, nx, G, rate, got);
    for (int i = 0; i < ng; i++)
        assert_close(got[i] + g_t[i], 0, 1e-11);
    for (zw_metric metric = ZW_METRIC_PLAIN; metric <= ZW_METRIC_MASS; metric++) {
        GOOD(zw_flow_tangent(s.f, s.t, s.x, metric, &n, T, D, e));
        assert_int_equal(n, dimension);
        for (int j = 0; j < n; j++) {
            double column[MAX];
            for (int i = 0; i < nx; i++)
                column[i] = T[i * n + j];
            times(ng, nx, G, column, got);
            for (int i = 0; i < ng; i++)
                assert_close(got[i], 0, 1e-12);
            times(n, nx, D, column, got);
            for (int i = 0; i < n; i++)
                assert_close(got[i], i == j, 1e-12);
        }
        /* D is T'A, so for the plain metric D = T' */
        for (int i = 0; metric == ZW_METRIC_PLAIN && i < nx; i++)
            for (int j = 0; j < n; j++)
                assert_close(D[j * nx + i], T[i * n + j], 1e-14);
    }
    /* a vector becomes tangent, and stays what it is then */
    random_direction(&r, nx, d);
    GOOD(zw_flow_project_tangent(s.f, s.t, s.x, d, e));
    times(ng, nx, G, d, got);
    for (int i = 0; i < ng; i++)
        assert_close(got[i], 0, 1e-12);
    memcpy(want, d, sizeof(double) * (size_t)nx);
    GOOD(zw_flow_project_tangent(s.f, s.t, s.x, d, e));
    all_close(nx, d, want, 1e-13);
    close_subject(&s);
}

static void test_flow__tangent_space(void **state) {
    (void)state;
    check_manifold(bead, 6 - 1 - 2);
    check_manifold(top, 7 + 6 - 1 - 3 - 3);
    check_manifold(disc, 10 - 2);
    check_manifold(winch, 7 - 2);
}

/* masses 3 and 1 on a line: the velocity part of the basis has T'M T = 1 */
static void test_flow__basis_of_the_masses(void **state) {
    (void)state;
    subject s;
    double T[16];
    int n;
    open_subject(&s, "model m\nunits none\ncoord x, y\nkinetic 3/2*x'^2 + 1/2*y'^2\n"
                     "constraint c : x' + y' = 0\nstart x = 1\n");
    GOOD(zw_flow_tangent(s.f, 0, s.x, ZW_METRIC_MASS, &n, T, NULL, e));
    assert_int_equal(n, 3);
    double velocity = 0, position = 0;
    for (int j = 0; j < n; j++) {
        assert_close(T[2 * n + j], -T[3 * n + j], 1e-15);
        velocity += 3 * T[2 * n + j] * T[2 * n + j] + T[3 * n + j] * T[3 * n + j];
        position += 3 * T[j] * T[j] + T[n + j] * T[n + j];
    }
    assert_close(velocity, 1, 1e-14); /* one direction of velocities, two of positions */
    assert_close(position, 2, 1e-14);
    close_subject(&s);
}

static void check_local(const char *text) {
    subject s;
    test_random r = {8};
    double T[MAX * MAX], D[MAX * MAX], A[MAX * MAX], y[MAX], back[MAX], x[MAX], g[MAX];
    int n;
    open_subject(&s, text);
    int nx = s.k->nx, ng = zw_flow_levels(s.f);
    GOOD(zw_flow_tangent(s.f, s.t, s.x, ZW_METRIC_MASS, &n, T, D, e));
    for (int trial = 0; trial < 5; trial++) {
        for (int i = 0; i < n; i++)
            y[i] = test_random_real(&r, -0.05, 0.05);
        GOOD(zw_flow_from_local(s.f, s.t, s.x, n, D, T, y, x, e));
        zw_flow_to_local(s.f, s.x, n, D, x, back);
        all_close(n, back, y, 1e-13);
        GOOD(zw_flow_constraints(s.f, s.t, x, g, NULL, e));
        for (int i = 0; i < ng; i++)
            assert_close(g[i], 0, 1e-12);
        /* the Jacobian of y' = D f(x(y)) there, by differences of exact states (order 4) */
        GOOD(zw_flow_local_jacobian(s.f, s.t, x, n, D, A, e));
        double size = 1;
        for (int i = 0; i < n * n; i++)
            size = fmax(size, fabs(A[i]));
        for (int j = 0; j < n; j++) {
            static const double step[] = {2e-4, -2e-4, 4e-4, -4e-4};
            double at[4][MAX], moved[MAX], rate[2 * MAX];
            for (int i = 0; i < 4; i++) {
                memcpy(back, y, sizeof back);
                back[j] += step[i];
                GOOD(zw_flow_from_local(s.f, s.t, s.x, n, D, T, back, moved, e));
                GOOD(zw_flow_rates(s.f, s.t, moved, rate, NULL, e));
                times(n, nx, D, rate, at[i]);
            }
            for (int i = 0; i < n; i++) {
                double want = (8 * (at[0][i] - at[1][i]) - (at[2][i] - at[3][i])) / 24e-4;
                assert_close(A[i * n + j] / size, want / size, 1e-8);
            }
        }
    }
    close_subject(&s);
}

static void test_flow__local_coordinates(void **state) {
    (void)state;
    check_local(bead);
    check_local(top);
    check_local(disc);
    check_local(winch);
}

/* a pendulum in Cartesian coordinates with its rod said twice, at rest: y'' = -g/l y exactly */
static void test_flow__linearised_pendulum(void **state) {
    (void)state;
    subject s;
    double T[16], D[16], A[16];
    int n;
    open_subject(&s, "model m\nunits none\nparam l = 2\ncoord x, y\n"
                     "kinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n"
                     "constraint rod : x^2 + y^2 = l^2\nconstraint again : 3*x^2 + 3*y^2 = 3*l^2\n"
                     "start x = 0, y = -2\n");
    zw_error err = {0};
    double J[16];
    assert_int_equal(zw_flow_jacobian(s.f, 0, s.x, J, NULL, &err), ZW_E_SINGULAR); /* by lagrange */
    close_subject(&s);
    text_model m;
    text_model_open(&m,
                    "model m\nunits none\nparam l = 2\ncoord x, y\n"
                    "kinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n"
                    "constraint rod : x^2 + y^2 = l^2\n"
                    "constraint again : 3*x^2 + 3*y^2 = 3*l^2\nstart x = 0, y = -2\n",
                    "gauss", 1e-9);
    const double x[] = {0, -2, 0, 0};
    zw_flow *f = zw_run_flow(m.run);
    GOOD(zw_flow_tangent(f, 0, x, ZW_METRIC_MASS, &n, T, D, e));
    assert_int_equal(n, 2);
    GOOD(zw_flow_local_jacobian(f, 0, x, n, D, A, e));
    assert_close(A[0] + A[3], 0, 1e-14);
    assert_close(A[0] * A[3] - A[1] * A[2], 9.81 / 2, 1e-14);
    text_model_close(&m);
}

/* ---- structure ---- */

static void test_flow__ignorable_coordinates(void **state) {
    (void)state;
    subject s;
    open_subject(&s, disc); /* the constraints hold ps and th */
    const bool expected[] = {true, true, false, false, true};
    for (int i = 0; i < 5; i++)
        assert_int_equal(s.k->ignorable[i], expected[i]);
    assert_true(s.k->autonomous);
    close_subject(&s);
    open_subject(&s, bead);
    for (int i = 0; i < s.k->nq; i++)
        assert_false(s.k->ignorable[i]);
    assert_false(s.k->autonomous);
    close_subject(&s);
    open_subject(&s, top);
    for (int i = 0; i < s.k->nq; i++)
        assert_int_equal(s.k->ignorable[i], false); /* the constraint holds all of them */
    close_subject(&s);
    /* quasi-velocities: b turns the rates of x and y, which nothing asks for; c is asked for */
    open_subject(&s, "model m\nunits none\ncoord x, y, b, c\n"
                     "quasi u = x'*cos(b) + y'*sin(b), w = -x'*sin(b) + y'*cos(b)\n"
                     "kinetic 1/2*u^2 + 1/2*w^2 + 1/2*b'^2 + 1/2*c'^2\npotential cos(c)\n");
    assert_true(s.k->ignorable[0] && s.k->ignorable[1]);
    assert_true(s.k->ignorable[2] && !s.k->ignorable[3]);
    assert_true(s.k->autonomous);
    close_subject(&s);
    /* a filter behind the motion, a pair that turns, an integral of it: a disturbance of the last
     * stays as it is */
    open_subject(&s, "model m\nunits none\ncoord x\nkinetic 1/2*x'^2\npotential 1/2*x^2\n"
                     "state a, b, c, d : a' = x - a, b' = c, c' = x - b, d' = a\n");
    for (int i = 0; i < 5; i++)
        assert_int_equal(s.k->ignorable[i], i == 4);
    close_subject(&s);
}

/* a disc that rolls straight on: the rates that are not of ignorable coordinates vanish, and
 * whatever the ignorable ones are, the others have the same */
static void test_flow__steady_motion_is_a_fixed_point(void **state) {
    (void)state;
    subject s;
    int entry[MAX];
    double rate[MAX], moved[MAX];
    open_subject(&s, disc);
    int n = zw_flow_essential(s.f, entry);
    assert_int_equal(n, s.k->nx - 3);
    rates_and_z(&s, s.t, s.x, rate);
    for (int i = 0; i < s.k->nq; i++)
        s.x[i] += s.k->ignorable[i] ? 3.7 + i : 0;
    rates_and_z(&s, s.t, s.x, moved);
    for (int i = 0; i < n; i++)
        assert_close(rate[entry[i]], moved[entry[i]], 1e-15);
    const double upright = acos(-1) / 2, r = 0.3, spin = 4; /* th is its tilt */
    const double straight[] = {5, 6, 0.3, upright, 7, r * spin * cos(0.3), r * spin * sin(0.3),
                               0, 0, spin};
    rates_and_z(&s, s.t, straight, rate);
    for (int i = 0; i < n; i++)
        assert_close(rate[entry[i]], 0, 1e-13);
    assert_close(hypot(rate[0], rate[1]), r * spin, 1e-14);
    close_subject(&s);
}

static void test_flow__missing_functions_are_named(void **state) {
    (void)state;
    text_model m;
    zw_error err = {0};
    double out[MAX * MAX] = {0}, x[MAX] = {0};
    text_model_open(&m, disc, "lagrange", 1e-8);
    zw_flow *f = zw_run_flow(m.run);
    assert_int_equal(zw_flow_second(f, 0, x, x, x, out, NULL, &err), ZW_E_MISSING);
    assert_non_null(strstr(err.text, "second"));
    err = (zw_error){0};
    assert_int_equal(zw_flow_in_parameters(f, 0, x, out, NULL, &err), ZW_E_MISSING);
    assert_non_null(strstr(err.text, "jac_p"));
    assert_non_null(strstr(err.hint, "zw_kernel_require"));
    /* built, told, there */
    assert_int_equal(zw_kernel_require(m.kernel, ZW_SET(JAC_P), NULL), ZW_OK);
    assert_int_equal(zw_flow_renew(f, NULL), ZW_OK);
    x[3] = 1.2;
    assert_int_equal(zw_flow_in_parameters(f, 0, x, out, NULL, NULL), ZW_OK);
    text_model_close(&m);
}

/* a kernel that grows keeps its values: the same rates before and after, native code too */
static void test_flow__kernel_that_grows(void **state) {
    (void)state;
    text_model m;
    double x[MAX], before[2 * MAX], after[2 * MAX];
    bool fixed[MAX];
    text_model_open(&m, bead, "lagrange", 1e-8);
    zw_flow *f = zw_run_flow(m.run);
    GOOD(zw_system_start_state(m.sys, m.p, x, fixed, e));
    GOOD(zw_flow_rates(f, 0, x, before, before + 6, e));
    zw_error err = {0};
    bool native = zw_kernel_compile(m.kernel, &err) == ZW_OK;
    int cache = m.kernel->ncache;
    GOOD(zw_kernel_require(m.kernel, EVERY, e));
    assert_true(m.kernel->ncache > cache);
    assert_int_equal(m.kernel->native, native);
    GOOD(zw_flow_renew(f, e));
    GOOD(zw_flow_rates(f, 0, x, after, after + 6, e));
    assert_memory_equal(before, after, sizeof(double) * (size_t)(6 + m.kernel->nz));
    text_model_close(&m);
}

/* ---- lanes ---- */

/* every function with 4 and 8 lanes, interpreted and native, against one lane */
static void check_lanes(const text_model *m, int lanes, zw_jit jit) {
    zw_kernel *one, *wide;
    zw_kernel_options options = zw_kernel_options_default();
    zw_error err = {0};
    options.functions = EVERY;
    options.jit = ZW_JIT_NEVER;
    GOOD(zw_kernel_create(&one, &m->eq, &options, e));
    options.lanes = lanes;
    options.jit = jit;
    zw_status status = zw_kernel_create(&wide, &m->eq, &options, &err);
    if (status == ZW_E_MISSING) {
        zw_kernel_destroy(one);
        return;
    }
    assert_int_equal(status, ZW_OK);
    test_random r = {11};
    int n = one->nx + one->nz;
    double *p = calloc((size_t)(one->np * lanes + 1), sizeof *p),
           *out = calloc((size_t)wide->nout + 1, sizeof *out),
           *want = calloc((size_t)one->nout + 1, sizeof *want),
           *cache = calloc((size_t)(wide->ncache * lanes + 1), sizeof *cache),
           *work = calloc((size_t)(wide->nwork + one->nwork + 1), sizeof *work);
    double t[8], x[8 * MAX], z[8 * MAX], u[8 * MAX], d[3][8 * 2 * MAX];
    for (int l = 0; l < lanes; l++)
        t[l] = test_random_real(&r, 0, 2);
    for (int i = 0; i < one->nx * lanes; i++)
        x[i] = test_random_real(&r, 0.5, 1.5);
    for (int i = 0; i < one->nz * lanes; i++)
        z[i] = test_random_real(&r, -1, 1);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < n * lanes; i++)
            d[k][i] = test_random_real(&r, -1, 1);
    for (int i = 0; i < one->nu * lanes; i++)
        u[i] = test_random_real(&r, -1, 1);
    for (int i = 0; i < one->np * lanes; i++)
        p[i] = m->p[i / lanes];
    for (int name = 0; name < ZW_FN_COUNT; name++) {
        if (!wide->fn[name].call)
            continue;
        const zw_args in = {
            .t = t, .x = x, .z = z, .u = u, .d1 = d[0], .d2 = d[1], .d3 = d[2], .c = cache};
        zw_prepare(wide, p, cache, work);
        zw_kernel_call(wide, (zw_function_name)name, &in, out, work);
        zw_prepare(one, m->p, cache, work);
        for (int l = 0; l < lanes; l++) {
            double xl[MAX], zl[MAX], ul[MAX], dl[3][2 * MAX], size_of = 1;
            for (int i = 0; i < one->nx; i++)
                xl[i] = x[i * lanes + l];
            for (int i = 0; i < one->nz; i++)
                zl[i] = z[i * lanes + l];
            for (int i = 0; i < one->nu; i++)
                ul[i] = u[i * lanes + l];
            for (int k = 0; k < 3; k++)
                for (int i = 0; i < n; i++)
                    dl[k][i] = d[k][i * lanes + l];
            const zw_args at = {.t = t + l,
                                .x = xl,
                                .z = zl,
                                .u = ul,
                                .d1 = dl[0],
                                .d2 = dl[1],
                                .d3 = dl[2],
                                .c = cache};
            zw_kernel_call(one, (zw_function_name)name, &at, want, work);
            for (int i = 0; i < one->fn[name].nout; i++)
                size_of = fmax(size_of, fabs(want[i]));
            for (int i = 0; i < one->fn[name].nout; i++)
                assert_close(out[i * lanes + l] / size_of, want[i] / size_of, 1e-12);
        }
    }
    free(cache), free(work), free(p), free(out), free(want);
    zw_kernel_destroy(one);
    zw_kernel_destroy(wide);
}

static void test_flow__all_functions_in_lanes(void **state) {
    (void)state;
    const char *const text[] = {bead, top, disc, winch};
    for (int i = 0; i < 4; i++) {
        text_model m;
        text_model_open(&m, text[i], "lagrange", 1e-8);
        for (int lanes = 4; lanes <= 8; lanes += 4) {
            check_lanes(&m, lanes, ZW_JIT_NEVER);
            check_lanes(&m, lanes, ZW_JIT_AT_ONCE);
        }
        text_model_close(&m);
    }
}

/* ---- the implicit system ---- */

static void test_flow__implicit_system(void **state) {
    (void)state;
    subject s;
    double Y[MAX], rate[MAX], R[MAX], up[MAX], down[MAX], J[MAX * MAX];
    const double c = 7, h = 1e-6;
    open_subject(&s, top);
    zw_error err = {0};
    int n = zw_flow_dae_size(s.f, &err);
    assert_int_equal(n, 13 + 3 + 3 + 1);
    GOOD(zw_flow_dae_start(s.f, s.t, s.x, Y, rate, e));
    GOOD(zw_flow_dae_residual(s.f, s.t, Y, rate, R, e));
    for (int i = 0; i < n; i++)
        assert_close(R[i], 0, 1e-12);
    GOOD(zw_flow_dae_jacobian(s.f, s.t, c, Y, rate, J, e));
    for (int j = 0; j < n; j++) {
        for (int side = 0; side < 2; side++) {
            double keep = Y[j], keep_rate = rate[j], by = side ? -h : h;
            Y[j] += by;
            rate[j] += c * by;
            GOOD(zw_flow_dae_residual(s.f, s.t, Y, rate, side ? down : up, e));
            Y[j] = keep;
            rate[j] = keep_rate;
        }
        for (int i = 0; i < n; i++)
            assert_close(J[i * n + j], (up[i] - down[i]) / (2 * h), 1e-7);
    }
    close_subject(&s);
}

/* ---- where it is not smooth ---- */

static void test_flow__switching_surfaces(void **state) {
    (void)state;
    static const char text[] =
        "model m\nunits none\nparam k = 2, gap = 0.5, m = sqrt(k)\ncoord x, y\n"
        "kinetic 1/2*m*x'^2 + 1/2*y'^2\n"
        "force (x) = -k*max(x - gap, 0) - sign(x')\nforce (y) = if(y < 1 and t > 2, -y, abs(y - "
        "3))\n"
        "observe far = min(x, y)\nstart x = 0.2, y = 0.4\n";
    text_model m;
    zw_smoothness *s;
    int n;
    text_model_open(&m, text, "lagrange", 1e-8);
    GOOD(zw_equations_smoothness(&m.eq, &s, &n, e));
    int rates = 0, observables = 0, jumps = 0;
    for (int i = 0; i < n; i++) {
        rates += (s[i].in & ZW_KINKS_AT_RATES) != 0;
        observables += s[i].in == ZW_KINKS_AT_OBSERVABLES;
        jumps += (s[i].in & ZW_KINKS_AT_RATES) && s[i].kink.smooth < 0;
    }
    assert_int_equal(rates, 5); /* max, sign, y < 1, 2 < t, abs; sqrt(k) does not move */
    assert_int_equal(jumps, 3);
    assert_int_equal(observables, 1);
    GOOD(zw_kernel_require(m.kernel, ZW_SET(SURFACE), e));
    assert_int_equal(m.kernel->nsurface, 5);
    double cache[64], work[256], out[8];
    const double t = 5, x[] = {0.7, 0.25, -3, 0}, zero[4] = {0};
    const zw_args in = {.t = &t, .x = x, .z = zero, .c = cache};
    assert_true(m.kernel->ncache <= 64 && m.kernel->nwork <= 256);
    zw_prepare(m.kernel, m.p, cache, work);
    zw_kernel_call(m.kernel, ZW_FN_SURFACE, &in, out, work);
    const double expected[] = {0.2, 3, 0.75, 3, 2.75}; /* up to their signs, in any order */
    for (int i = 0; i < 5; i++) {
        bool found = false;
        for (int j = 0; j < 5; j++)
            found |= fabs(fabs(out[j]) - expected[i]) < 1e-15;
        assert_true(found);
    }
    text_model_close(&m);
}

static void test_flow__knows_what_event_functions_hold(void **state) {
    (void)state;
    const char *text = "model m\nunits none\ncoord x, y\nparticle P : 2 at (x, y)\n"
                       "input F = signal\nforce (x) = F\n"
                       "constraint rod : x^2 + y^2 = 1\n"
                       "event side : x rising\nevent brake : x'' falling\n"
                       "event pull : lambda(rod) both\nevent push : F - t rising\nstart x = 1\n";
    const bool z[] = {false, true, true, false}, u[] = {false, false, false, true};
    text_model m;
    text_model_open(&m, text, "lagrange", 1e-8);
    assert_int_equal(m.kernel->nevt, 4);
    assert_false(m.kernel->evt_state_only);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(m.kernel->event_holds_z[i], z[i]);
        assert_int_equal(m.kernel->event_holds_u[i], u[i]);
    }
    text_model_close(&m);
}

/* ---- what goes wrong is told ---- */

static const char pendulum[] =
    "model pendulum\nunits none\nparam l = 1.3\ncoord x, y, s\nparticle P : 2 at (x, y)\n"
    "kinetic 1/2*s'^2\ngravity 9.81 along -y\ninput u = signal\nforce (x) = u\n"
    "constraint rod : x^2 + y^2 = l^2\nstart x = 0.5, x' = 0.4\n";

static void push(void *user, double t, double *u) {
    u[0] = *(const double *)user + t;
}

static void test_flow__inputs_go_back_to_constant_values(void **state) {
    (void)state;
    subject s;
    open_subject(&s, pendulum);
    const double constant = 3, other = 7, x[] = {0.5, -1.2, 0, 1.2, 0.5, 0};
    double want[MAX], got[MAX];
    zw_flow_set_inputs(s.f, &constant);
    rates_and_z(&s, 0, x, want);
    zw_flow_on_input(s.f, push, (void *)&other);
    rates_and_z(&s, 0, x, got);
    assert_true(fabs(got[3] - want[3]) > 0.1);
    zw_flow_on_input(s.f, NULL, NULL);
    rates_and_z(&s, 0, x, got);
    assert_memory_equal(got, want, sizeof(double) * (size_t)s.k->nx);
    close_subject(&s);
    open_subject(&s, disc); /* no inputs: nothing to point at */
    zw_flow_set_inputs(s.f, NULL);
    close_subject(&s);
}

/* a kernel that gets functions behind the back of a flow: those that it knows go on, others wait */
static void test_flow__is_told_of_functions(void **state) {
    (void)state;
    text_model m;
    text_model_open(&m, pendulum, "lagrange", 1e-9);
    zw_kernel_options options = zw_kernel_options_default();
    options.functions = ZW_SET(MATS) | ZW_SET(POS) | ZW_SET(VEL);
    zw_kernel *k;
    zw_flow *f;
    GOOD(zw_kernel_create(&k, &m.eq, &options, e));
    GOOD(zw_flow_create(&f, k, m.p, e));
    const double x[] = {0.5, -1.2, 0, 1.2, 0.5, 0};
    double before[6], after[6], J[36];
    GOOD(zw_flow_rates(f, 0, x, before, NULL, e));
    GOOD(zw_kernel_require(k, EVERY & ~ZW_SET(POWER), e));
    zw_error err = {0};
    assert_int_equal(zw_flow_jacobian(f, 0, x, J, NULL, &err), ZW_E_MISSING);
    assert_non_null(strstr(err.hint, "zw_flow_renew"));
    GOOD(zw_flow_set_parameters(f, m.p, e));
    GOOD(zw_flow_rates(f, 0, x, after, NULL, e));
    assert_memory_equal(before, after, sizeof before);
    GOOD(zw_flow_renew(f, e));
    GOOD(zw_flow_jacobian(f, 0, x, J, NULL, e));
    zw_flow_destroy(f);
    zw_kernel_destroy(k);
    text_model_close(&m);
}

/* the metric of a principle whose M is none is a function of its own */
static void test_flow__needs_the_metric(void **state) {
    (void)state;
    text_model m;
    text_model_open(&m, pendulum, "hamilton", 1e-9);
    zw_kernel_options options = zw_kernel_options_default();
    options.functions = ZW_SET(MATS) | ZW_SET(POS) | ZW_SET(VEL);
    zw_kernel *k;
    zw_flow *f;
    zw_error err = {0};
    GOOD(zw_kernel_create(&k, &m.eq, &options, e));
    assert_int_equal(zw_flow_create(&f, k, m.p, &err), ZW_E_MISSING);
    assert_non_null(strstr(err.text, "metric"));
    zw_kernel_destroy(k);
    text_model_close(&m);
}

/* a coordinate far away does not loosen the others */
static void test_flow__far_coordinates(void **state) {
    (void)state;
    subject s;
    open_subject(&s, pendulum);
    double x[] = {0.55, -1.2, 1e8, 0.1, 0.2, 0}, T[36], D[36], near[6], g[2];
    const double y[] = {0.1, 0.1, 0.1, 0.1};
    int n;
    GOOD(zw_flow_project(s.f, 0, x, NULL, e));
    GOOD(zw_flow_constraints(s.f, 0, x, g, NULL, e));
    assert_close(g[0], 0, 1e-12);
    GOOD(zw_flow_tangent(s.f, 0, x, ZW_METRIC_PLAIN, &n, T, D, e));
    GOOD(zw_flow_from_local(s.f, 0, x, n, D, T, y, near, e));
    GOOD(zw_flow_constraints(s.f, 0, near, g, NULL, e));
    assert_close(g[0], 0, 1e-12);
    assert_close(g[1], 0, 1e-12);
    close_subject(&s);
}

/* the same for a coordinate without inertia, which follows from x: y + exp(2 y) = x */
static void test_flow__far_coordinates_without_inertia(void **state) {
    (void)state;
    text_model m;
    text_model_open(&m,
                    "model m\nunits none\ncoord x, y, s\nkinetic 1/2*x'^2 + 1/2*s'^2\n"
                    "potential 1/2*(x - y)^2 + exp(2*y)/2\nstart x = 1\n",
                    "lagrange", 1e-9);
    const bool fixed[] = {true, false, true, true, false, true};
    double x[] = {1, 0.9, 1e10, 0.7, 0, 0.1}, rate[6];
    GOOD(zw_run_consistent(m.run, 0, x, fixed, NULL, e));
    double y = x[1], grown = exp(2 * y), slope = 0.7 / (1 + 2 * grown);
    assert_close(y + grown, 1, 1e-13);
    assert_close(x[4], slope, 1e-13);
    GOOD(zw_run_start(m.run, 0, x, e));
    GOOD(zw_flow_rates(zw_run_flow(m.run), 0, x, rate, NULL, e));
    assert_close(rate[4], (y - 1 - 4 * grown * slope * slope) / (1 + 2 * grown), 1e-9);
    text_model_close(&m);
}

/* where two branches cross there are more directions than either has */
static void test_flow__local_coordinates_of_a_crossing(void **state) {
    (void)state;
    text_model m;
    text_model_open(&m,
                    "model c\nunits none\ncoord x, y\nparticle P : 2 at (x, y)\n"
                    "constraint c : x*y = 0\nstart x = 0\n",
                    "gauss", 1e-9);
    zw_flow *f = zw_run_flow(m.run);
    const double origin[4] = {0}, both[] = {0.1, 0.1, 0, 0}, aside[] = {0.1, 0, 0, 0};
    double T[16], D[16], x[4], U[16], A[16], y[4];
    zw_error err = {0};
    int n;
    GOOD(zw_flow_tangent(f, 0, origin, ZW_METRIC_PLAIN, &n, T, D, e));
    assert_int_equal(n, 4);
    zw_flow_to_local(f, origin, n, D, both, y);
    assert_int_equal(zw_flow_from_local(f, 0, origin, n, D, T, y, x, &err), ZW_E_SINGULAR);
    zw_flow_to_local(f, origin, n, D, aside, y);
    GOOD(zw_flow_from_local(f, 0, origin, n, D, T, y, x, e)); /* on one of them */
    assert_int_equal(zw_flow_unfold(f, 0, x, n, D, U, &err), ZW_E_SINGULAR);
    assert_int_equal(zw_flow_local_jacobian(f, 0, x, n, D, A, &err), ZW_E_SINGULAR);
    text_model_close(&m);
}

static void test_flow__not_finite(void **state) {
    (void)state;
    subject s;
    zw_error err = {0};
    open_subject(&s, pendulum);
    double T[36], D[36], x[] = {NAN, -1.2, 0, 0, 0, 0}, u[6] = {1};
    int n;
    assert_int_equal(zw_flow_tangent(s.f, 0, x, ZW_METRIC_MASS, &n, T, D, &err), ZW_E_NONFINITE);
    assert_int_equal(zw_flow_project_tangent(s.f, 0, x, u, &err), ZW_E_NONFINITE);
    close_subject(&s);
    open_subject(&s, "model root\nunits none\ncoord x\nkinetic 1/2*x'^2\nforce (x) = -sqrt(x)\n"
                     "start x = 1\n");
    const double zero[] = {0, 1}, d[] = {1, 0};
    double J[4], B[2], rate[2];
    GOOD(zw_flow_rates(s.f, 0, zero, rate, NULL, e));
    err = (zw_error){0};
    assert_int_equal(zw_flow_jacobian(s.f, 0, zero, J, NULL, &err), ZW_E_NONFINITE);
    assert_non_null(strstr(err.text, "derivative"));
    assert_non_null(zw_flow_fault_state(s.f));
    assert_int_equal(zw_flow_second(s.f, 0, zero, d, d, B, NULL, &err), ZW_E_NONFINITE);
    close_subject(&s);
}

/* rows that depend on others must agree with them, also where only accelerations are concerned */
static void test_flow__contradicting_accelerations(void **state) {
    (void)state;
    text_model m;
    text_model_open(&m,
                    "model p\nunits none\ncoord x, y\nkinetic 1/2*x'^2 + 1/2*y'^2\n"
                    "constraint a : x'' + y = 1\nconstraint b : 3*x'' - y = 2\nstart x = 1\n",
                    "gauss", 1e-9);
    zw_flow *f = zw_run_flow(m.run);
    const double agree[] = {1, 0.25, 0, 0}, not_so[] = {1, 3, 0, 0};
    double rate[4];
    zw_error err = {0};
    GOOD(zw_flow_rates(f, 0, agree, rate, NULL, e));
    assert_close(rate[2], 0.75, 1e-14);
    assert_int_equal(zw_flow_rates(f, 0, not_so, rate, NULL, &err), ZW_E_SINGULAR);
    assert_non_null(strstr(err.text, "contradicts"));
    text_model_close(&m);
}

/* A four-bar linkage that lies flat: the velocities may be of two kinds of motion, or of none. What
 * rounding leaves of a redundant row at rest is no contradiction. */
static void check_flat(const char *by) {
    text_model m;
    text_model_open(&m,
                    "model bar\nunits none\ncoord a, b, c\nkinetic 1/2*(a'^2 + b'^2 + c'^2)\n"
                    "constraint px : cos(a) + cos(b) - cos(c) = 1\n"
                    "constraint py : sin(a) + sin(b) - sin(c) = 0\nstart a = 0.3\n",
                    by, 1e-9);
    zw_flow *f = zw_run_flow(m.run);
    const double rest[6] = {0}, both[] = {0, 0, 0, 1, 0, 1}, none[] = {0, 0, 0, 1, -1, 0};
    double rate[6];
    zw_error err = {0};
    GOOD(zw_flow_rates(f, 0, rest, rate, NULL, e));
    GOOD(zw_flow_rates(f, 0, both, rate, NULL, e));
    assert_int_equal(zw_flow_rates(f, 0, none, rate, NULL, &err), ZW_E_SINGULAR);
    assert_non_null(strstr(err.text, "contradicts"));
    text_model_close(&m);
    text_model_open(&m,
                    "model twice\nunits none\ncoord x, y\nkinetic 1/2*x'^2 + 1/2*y'^2\n"
                    "constraint a : x'' = 0.1*y'^2\nconstraint b : 3*x'' = 0.3*y'^2\n",
                    by, 1e-9);
    const double moving[] = {0, 0, 0, 1e-9};
    GOOD(zw_flow_rates(zw_run_flow(m.run), 0, moving, rate, NULL, e));
    text_model_close(&m);
}

static void test_flow__flat_linkage(void **state) {
    (void)state;
    check_flat("gauss");
    check_flat("gauss-min");
}

/* D = T'A with the masses, also where multipliers are among the velocities, which move no
 * coordinate */
static void test_flow__metric_of_masses_by_the_vakonomic_principle(void **state) {
    (void)state;
    text_model m;
    text_model_open(&m,
                    "model k\nunits none\ncoord x, y, th\n"
                    "kinetic 1/2*4*(x'^2 + y'^2) + 1/2*0.25*th'^2\n"
                    "constraint knife : x'*sin(th) = y'*cos(th)\nstart th = 0.3, x' = 1\n",
                    "vakonomic", 1e-9);
    zw_flow *f = zw_run_flow(m.run);
    const double mass[] = {4, 4, 0.25, 4, 4, 0.25},
                 x[] = {0.1, 0.2, 0.3, cos(0.3), sin(0.3), 0.5, 0};
    int n, nx = m.kernel->nx;
    double T[49], D[49];
    assert_int_equal(nx, 7);
    GOOD(zw_flow_tangent(f, 0, x, ZW_METRIC_MASS, &n, T, D, e));
    for (int j = 0; j < n; j++)
        for (int i = 0; i < 6; i++)
            assert_close(D[j * nx + i], mass[i] * T[i * n + j], 1e-12);
    text_model_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flow__knows_what_event_functions_hold),
        cmocka_unit_test(test_flow__jacobians_in_state_and_time),
        cmocka_unit_test(test_flow__jacobian_in_parameters),
        cmocka_unit_test(test_flow__second_and_third_derivatives),
        cmocka_unit_test(test_flow__what_is_observed),
        cmocka_unit_test(test_flow__tangent_space),
        cmocka_unit_test(test_flow__basis_of_the_masses),
        cmocka_unit_test(test_flow__local_coordinates),
        cmocka_unit_test(test_flow__linearised_pendulum),
        cmocka_unit_test(test_flow__ignorable_coordinates),
        cmocka_unit_test(test_flow__steady_motion_is_a_fixed_point),
        cmocka_unit_test(test_flow__missing_functions_are_named),
        cmocka_unit_test(test_flow__kernel_that_grows),
        cmocka_unit_test(test_flow__all_functions_in_lanes),
        cmocka_unit_test(test_flow__implicit_system),
        cmocka_unit_test(test_flow__switching_surfaces),
        cmocka_unit_test(test_flow__inputs_go_back_to_constant_values),
        cmocka_unit_test(test_flow__is_told_of_functions),
        cmocka_unit_test(test_flow__needs_the_metric),
        cmocka_unit_test(test_flow__far_coordinates),
        cmocka_unit_test(test_flow__far_coordinates_without_inertia),
        cmocka_unit_test(test_flow__local_coordinates_of_a_crossing),
        cmocka_unit_test(test_flow__not_finite),
        cmocka_unit_test(test_flow__contradicting_accelerations),
        cmocka_unit_test(test_flow__flat_linkage),
        cmocka_unit_test(test_flow__metric_of_masses_by_the_vakonomic_principle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
