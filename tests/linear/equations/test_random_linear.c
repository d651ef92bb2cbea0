/* SPDX-License-Identifier: MIT */
/* Linear equations of random constrained systems (linear_model.h) against what knows nothing of how
 * they are made: complex steps through the equations of motion (complex_step.h), differences of the
 * rates at several steps, differences of motions; and against themselves in other coordinates, by
 * other principles, with redundant constraints.
 *
 * Spectra are compared by their characteristic polynomials at points of the complex plane, which
 * are well conditioned where eigenvalues meet and single ones are not. */
#include "support/complex_step.h"
#include "support/linear_model.h"
#include "support/steady_model.h"

static int seeds = 60; /* more by the first argument */
#define SAME 1e-9

static steady_model m, other;
static linear_model text;
static char reference[RANDOM_MODEL_TEXT];

/* as steady_open and steady_solve, but false where no steady motion is found or the principle does
 * not apply */
static bool open_model(steady_model *to, const char *model, const char *by) {
    zw_kernel_options options = zw_kernel_options_default();
    double width[STEADY_MAX], x[STEADY_MAX];
    zw_said said[STEADY_MAX];
    *to = (steady_model){.ctx = zw_context_create(NULL)};
    options.jit = ZW_JIT_NEVER;
    options.functions =
        ZW_FUNCTIONS_ALL_METHODS | ZW_SET(FIELD) | ZW_SET(FIELD_FIRST) | ZW_SET(OBS_JAC);
    if (zw_model_parse(&to->sys, to->ctx, model, strlen(model), "random", NULL, &to->err) < 0)
        fail_msg("%s\n%s", to->err.text, model);
    if (zw_derive(&to->eq, to->sys, NULL, by, &to->err) < 0)
        return false;
    if (zw_kernel_create(&to->kernel, &to->eq, &options, &to->err) < 0 ||
        zw_system_param_values(to->sys, to->p, &to->err) < 0 ||
        zw_flow_create(&to->flow, to->kernel, to->p, &to->err) < 0 ||
        zw_system_start_said(to->sys, to->p, x, said, width, &to->err) < 0 ||
        zw_equations_state(&to->eq, 0, to->p, x, to->x, &to->err) < 0 ||
        zw_flow_project(to->flow, 0, to->x, NULL, &to->err) < 0 ||
        zw_steady_scale(to->flow, 0, to->x, width, to->scale, &to->err) < 0)
        fail_msg("by %s: %s\n%s", by, to->err.text, model);
    to->at = (zw_steady){.x = to->x, .c = to->c, .z = to->z};
    if (zw_symmetries_find(&to->symmetries, to->flow, 0, to->x, to->scale, &to->err) < 0)
        fail_msg("by %s: %s\n%s", by, to->err.text, model);
    return true;
}

static bool solve_model(steady_model *to) {
    return zw_steady_find(&to->at, to->flow, &to->symmetries, to->scale, to->nhold, to->hold,
                          &to->err) >= 0;
}

static void hold_observable(steady_model *to, int i, double value) {
    to->hold[to->nhold++] = (zw_hold){.observable = true, .index = i, .value = value};
}

/* ---- spectra ---- */

static double largest(const steady_model *a) {
    double most = 1e-3;
    for (int i = 0; i < a->linear.n; i++)
        most = fmax(most, hypot(a->linear.re[i], a->linear.im[i]));
    for (int i = 0; i < a->linear.norbit; i++)
        most = fmax(most, hypot(a->linear.orbit_re[i], a->linear.orbit_im[i]));
    return most;
}

/* prod (s - eigenvalue)/(|s| + size), of the orbits too if wanted */
static number polynomial(const steady_model *a, number s, double size, bool orbits) {
    number product = 1;
    for (int i = 0; i < a->linear.n; i++)
        product *= (s - a->linear.re[i] - I * a->linear.im[i]) / (cabs(s) + size);
    for (int i = 0; orbits && i < a->linear.norbit; i++)
        product *= (s - a->linear.orbit_re[i] - I * a->linear.orbit_im[i]) / (cabs(s) + size);
    return product;
}

static number point(int k, double size) {
    return size * (k < 4 ? 1.3 : 0.2) * cexp(I * (0.3 + 1.7 * k));
}

static void expect_spectrum(const steady_model *a, int n, const double *A, const char *model) {
    double size = largest(a);
    for (int k = 0; k < 8; k++) {
        number s = point(k, size), p = polynomial(a, s, size, true),
               q = complex_determinant(n, A, s, size);
        if (!(cabs(p - q) <= SAME * cabs(p)))
            fail_msg("the characteristic polynomial is %.3g off at %g%+gi\n%s",
                     cabs(p - q) / cabs(p), creal(s), cimag(s), model);
    }
}

static void expect_same(const steady_model *a, const steady_model *b, const char *how,
                        const char *model) {
    double size = largest(a);
    if (a->linear.n != b->linear.n || a->linear.nfamily != b->linear.nfamily ||
        a->linear.nzero != b->linear.nzero || a->symmetries.n != b->symmetries.n)
        fail_msg("%s: %d values, %d zero, families of %d, %d symmetries against %d, %d, %d, %d\n%s",
                 how, b->linear.n, b->linear.nzero, b->linear.nfamily, b->symmetries.n, a->linear.n,
                 a->linear.nzero, a->linear.nfamily, a->symmetries.n, model);
    for (int k = 0; k < 8; k++) {
        number s = point(k, size), p = polynomial(a, s, size, false),
               q = polynomial(b, s, size, false);
        if (!(cabs(p - q) <= SAME * cabs(p)))
            fail_msg("%s: the characteristic polynomial is %.3g off\n%s", how,
                     cabs(p - q) / cabs(p), model);
    }
}

/* ---- differences ---- */

/* f - X_0 - sum c X at x */
static void seen(steady_model *a, const double *x, double *out) {
    double X_0[STEADY_MAX], X[STEADY_MAX * STEADY_MAX];
    int nx = a->kernel->nx;
    if (zw_flow_rates(a->flow, 0, x, out, NULL, &a->err) < 0 ||
        zw_symmetries_at(&a->symmetries, a->flow, 0, x, X_0, X, &a->err) < 0)
        fail_msg("%s", a->err.text);
    for (int i = 0; i < nx; i++) {
        out[i] -= X_0[i];
        for (int k = 0; k < a->symmetries.n; k++)
            out[i] -= a->c[k] * X[k * nx + i];
    }
}

/* the state beside the motion, h along disturbance j, on the constraints */
static void beside(steady_model *a, int j, double h, double *x) {
    for (int i = 0; i < a->kernel->nx; i++)
        x[i] = a->x[i] + h * a->linear.T[i * a->linear.n + j];
    if (zw_flow_project(a->flow, 0, x, NULL, &a->err) < 0)
        fail_msg("%s", a->err.text);
}

/* the largest error of D (F(+h) - F(-h))/2h against A */
static double error_of_differences(steady_model *a, double h) {
    int nx = a->kernel->nx, n = a->linear.n;
    double worst = 0, plus[STEADY_MAX], minus[STEADY_MAX], x[STEADY_MAX];
    for (int j = 0; j < n; j++) {
        beside(a, j, h, x);
        seen(a, x, plus);
        beside(a, j, -h, x);
        seen(a, x, minus);
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int l = 0; l < nx; l++)
                sum += a->linear.D[i * nx + l] * (plus[l] - minus[l]) / (2 * h);
            worst = fmax(worst, fabs(sum - a->linear.A[i * n + j]));
        }
    }
    return worst;
}

static void expect_differences(steady_model *a, const char *model) {
    double size = largest(a), e1 = error_of_differences(a, 1e-2),
           e2 = error_of_differences(a, 1e-3), e3 = error_of_differences(a, 1e-4);
    /* falls with h^2 until rounding, which is of the order 1e-16/h, is reached */
    double rounding = 1e-10 * fmax(1, size * size);
    if (!(e2 <= e1 / 50 + rounding && e3 <= e2 / 50 + rounding))
        fail_msg("differences of the rates at 1e-2, 1e-3, 1e-4 are off by %.3g, %.3g, %.3g\n%s", e1,
                 e2, e3, model);
}

/* x moves by the field that an observer along the symmetries sees, by Runge and Kutta's classical
 * method */
static void move(steady_model *a, double time, int steps, double *x) {
    int nx = a->kernel->nx;
    double h = time / steps, k[4][STEADY_MAX], y[STEADY_MAX];
    for (int step = 0; step < steps; step++) {
        for (int stage = 0; stage < 4; stage++) {
            for (int i = 0; i < nx; i++)
                y[i] = x[i] + (stage ? (stage < 3 ? h / 2 : h) * k[stage - 1][i] : 0);
            seen(a, y, k[stage]);
        }
        for (int i = 0; i < nx; i++)
            x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

/* column j of exp(A time), by its series */
static void exponential(const steady_model *a, double time, int j, double *y) {
    int n = a->linear.n;
    double term[STEADY_MAX] = {0}, next[STEADY_MAX];
    memset(y, 0, sizeof(double) * (size_t)n);
    term[j] = 1;
    for (int order = 1; order < 60; order++) {
        for (int i = 0; i < n; i++) {
            y[i] += term[i];
            next[i] = 0;
            for (int l = 0; l < n; l++)
                next[i] += a->linear.A[i * n + l] * term[l] * time / order;
        }
        memcpy(term, next, sizeof term);
    }
}

/* motions that start beside the steady one, differences of their ends: error h^2 */
static double error_of_motions(steady_model *a, double h) {
    int nx = a->kernel->nx, n = a->linear.n;
    double time = 1 / largest(a), worst = 0, plus[STEADY_MAX], minus[STEADY_MAX], y[STEADY_MAX];
    for (int j = 0; j < n; j++) {
        beside(a, j, h, plus);
        beside(a, j, -h, minus);
        move(a, time, 40, plus);
        move(a, time, 40, minus);
        exponential(a, time, j, y);
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int l = 0; l < nx; l++)
                sum += a->linear.D[i * nx + l] * (plus[l] - minus[l]) / (2 * h);
            worst = fmax(worst, fabs(sum - y[i]));
        }
    }
    return worst;
}

static void expect_motions(steady_model *a, const char *model) {
    double e1 = error_of_motions(a, 1e-2), e2 = error_of_motions(a, 1e-3);
    if (!(e2 <= e1 / 50 + 1e-7 * fmax(1, largest(a))))
        fail_msg("differences of motions at 1e-2, 1e-3 are off by %.3g, %.3g\n%s", e1, e2, model);
}

/* ---- the test ---- */

static void keep_reference(void) {
    memcpy(reference, text.m.text, sizeof reference);
}

/* the reference: x0' of a cyclic coordinate is held at what it starts with, unless a constraint
 * says what it is */
static bool open_reference(int seed) {
    linear_model_make(&text, seed, false, false);
    keep_reference();
    assert_true(open_model(&m, reference, "lagrange"));
    if (text.cyclic && !text.runs)
        hold_observable(&m, 0, 0.7);
    return solve_model(&m);
}

/* go there: x of the reference, its state, and x0' */
static void go_to(steady_model *to, const double *value) {
    double x[STEADY_MAX] = {0}, y[STEADY_MAX] = {0};
    int n = text.m.nq;
    for (int i = 0; i < n; i++)
        y[i] = m.x[i];
    if (text.changed)
        linear_map_inverse(&text, m.x, y);
    for (int i = 0; i < to->sys->nq; i++)
        x[i] = i < n ? y[i] : m.x[i];
    if (text.cyclic)
        x[to->sys->nq] = value[0];
    if (zw_equations_state(&to->eq, 0, to->p, x, to->x, &to->err) < 0)
        fail_msg("%s", to->err.text);
}

/* the same motion in other words: all that is told is held at the values of the reference, also
 * what constraints say already */
static void expect_same_motion(const char *model, const char *by, const char *how, int *applied) {
    double value[STEADY_MAX];
    if (zw_flow_observables(m.flow, 0, m.x, value, &m.err) < 0)
        fail_msg("%s", m.err.text);
    if (open_model(&other, model, by)) {
        for (int i = 0; i < text.m.nq; i++)
            hold_observable(&other, i, value[i]);
        go_to(&other, value);
        if (!solve_model(&other) ||
            zw_linearise(&other.linear, other.flow, &other.symmetries, &other.at, &other.err) < 0)
            fail_msg("%s: %s\n%s", how, other.err.text, model);
        expect_same(&m, &other, how, model);
        ++*applied;
    }
    steady_close(&other);
}

static void expect_complex(const steady_model *a, const char *model) {
    complex_linear c;
    complex_linearise(&c, &a->eq, a->p, &a->symmetries, &a->at);
    assert_int_equal(c.d, a->linear.dimension);
    if (!(c.residual <= 1e-8 && c.leak <= 1e-8 * fmax(1, c.all)))
        fail_msg("not steady: %.3g, leaves the constraints: %.3g of %.3g\n%s", c.residual, c.leak,
                 c.all, model);
    expect_spectrum(a, c.d, c.A, model);
    free(c.A);
}

static void test_random_linear__derivatives(void **state) {
    (void)state;
    int found = 0, cyclic = 0, nonholonomic = 0, holonomic = 0, nonlinear = 0, friction = 0,
        states = 0;
    for (int seed = 0; seed < seeds; seed++) {
        if (open_reference(seed)) {
            if (zw_linearise(&m.linear, m.flow, &m.symmetries, &m.at, &m.err) < 0)
                fail_msg("%s\n%s", m.err.text, reference);
            expect_complex(&m, reference);
            expect_differences(&m, reference);
            if (seed % 4 == 0)
                expect_motions(&m, reference);
            found++;
            cyclic += text.cyclic;
            holonomic += text.nholonomic > 0;
            nonholonomic += text.nnonholonomic > 0;
            nonlinear += text.nonlinear;
            friction += text.friction;
            states += text.state;
        }
        steady_close(&m);
    }
    /* some have none near their start: what the rate of x0 does to the others may be more than
     * their springs hold */
    assert_true(found >= seeds * 9 / 10);
    assert_true(cyclic >= seeds / 4 && holonomic >= seeds / 8);
    assert_true(nonholonomic >= seeds / 4 && nonlinear >= seeds / 12);
    assert_true(friction >= seeds / 12 && states >= seeds / 4);
}

static void test_random_linear__other_words(void **state) {
    (void)state;
    int coordinates = 0, redundant = 0, principles = 0;
    for (int seed = 0; seed < seeds; seed++) {
        if (open_reference(seed)) {
            if (zw_linearise(&m.linear, m.flow, &m.symmetries, &m.at, &m.err) < 0)
                fail_msg("%s\n%s", m.err.text, reference);
            for (const zw_principle *p = zw_principles(); p->name; p++)
                if (strcmp(p->name, "vakonomic") != 0 && strcmp(p->name, "gauss-min") != 0)
                    expect_same_motion(reference, p->name, p->name, &principles);
            linear_model_make(&text, seed, true, false);
            expect_same_motion(text.m.text, "lagrange", "in y", &coordinates);
            linear_model_make(&text, seed, true, true);
            if (text.m.nconstraint && !text.friction)
                expect_same_motion(text.m.text, "gauss", "in y, redundant", &redundant);
        }
        steady_close(&m);
    }
    assert_true(coordinates >= seeds * 9 / 10 && redundant >= seeds / 4);
    assert_true(principles >= seeds * 5);
}

/* Coordinates that are millions in a model without units: the same eigenvalues. */
static void test_random_linear__large_numbers(void **state) {
    (void)state;
    static const char format[] =
        "model bead\nunits none\nparam S = %s\ncoord X, Y\nlet x = X/S, y = Y/S\n"
        "particle P : 2 at (x, y, x*y/3)\npotential (x - 1)^2 + 2*(y - x^2/2)^2 + x*y/5\n"
        "dissipation 0.1*(x' + y')^2\nconstraint wire : y + sin(x)/3 = 0.8\n"
        "start X = 0.9*S\nguess Y = 0.6*S\n";
    char model[400];
    snprintf(model, sizeof model, format, "1");
    steady_open(&m, model, "lagrange");
    steady_solve(&m);
    snprintf(model, sizeof model, format, "1e6");
    steady_open(&other, model, "lagrange");
    steady_solve(&other);
    expect_same(&m, &other, "in millions", model);
    steady_close(&m);
    steady_close(&other);
}

/* ---- bodies ---- */

static const char *const rotations[] = {"rotation B", "rotation B space",
                                        "rotation B euler xyz (al, be, ga)"};

/* at rest, or turning about z at 2 rad/s: the last velocity in all three ways */
static void open_body(steady_model *to, const linear_body *body, const char *by) {
    assert_true(open_model(to, body->m.text, by));
    if (body->spins) {
        to->x[to->kernel->nx - 1] = 2;
        hold_observable(to, 0, 2);
    }
    if (!solve_model(to) ||
        zw_linearise(&to->linear, to->flow, &to->symmetries, &to->at, &to->err) < 0)
        fail_msg("%s\n%s", to->err.text, body->m.text);
}

static void test_random_linear__bodies(void **state) {
    (void)state;
    linear_body body;
    int spins = 0, joints = 0;
    for (int seed = 0; seed < seeds / 5; seed++) {
        linear_body_make(&body, seed, rotations[0], false);
        open_body(&m, &body, "lagrange");
        expect_complex(&m, body.m.text);
        expect_differences(&m, body.m.text);
        for (int i = 1; i < 6; i++) {
            linear_body_make(&body, seed, rotations[i % 3], i >= 3);
            open_body(&other, &body, i < 3 ? "lagrange" : "gauss");
            expect_same(&m, &other, rotations[i % 3], body.m.text);
            steady_close(&other);
        }
        spins += body.spins;
        joints += body.joint > 0;
        steady_close(&m);
    }
    assert_true(spins > 0 && joints > 0 && spins < seeds / 5);
}

/* the shift of a body's last angle is a turn about its own axis, in any set of angles */
static void test_random_linear__own_axes(void **state) {
    (void)state;
    static const char *const sets[] = {"zxz", "zyz", "xyz", "yxz"};
    char model[400];
    for (int i = 0; i < 4; i++) {
        snprintf(model, sizeof model,
                 "model top\nunits none\nrotation B euler %s (a, b, c)\n"
                 "body K : B, inertia(1, 2, 2, 1) at (0, 0, 1)\ngravity 9.81 along -z\n"
                 "start a = 0.1, b = 0.7, c = 0.3\nguess a' = 0.5, c' = 20\n",
                 sets[i]);
        assert_true(open_model(&m, model, "lagrange"));
        int own = 0;
        for (int k = 0; k < m.symmetries.n; k++)
            own += m.symmetries.own[k];
        assert_int_equal(m.symmetries.n, 2); /* about the vertical, and about its own axis */
        assert_int_equal(own, 1);
        steady_close(&m);
    }
}

/* ---- what turns as a function of time ---- */

static void test_random_linear__turning(void **state) {
    (void)state;
    random_model turns, rests;
    for (int seed = 0; seed < seeds / 3; seed++) {
        linear_turning_make(&turns, seed, false);
        linear_turning_make(&rests, seed, true);
        assert_true(open_model(&m, turns.text, "lagrange"));
        assert_true(open_model(&other, rests.text, seed % 2 ? "gauss" : "lagrange"));
        assert_true(m.symmetries.autonomous && !other.symmetries.autonomous);
        if (!solve_model(&m) || zw_linearise(&m.linear, m.flow, &m.symmetries, &m.at, &m.err) < 0)
            fail_msg("%s\n%s", m.err.text, turns.text);
        /* the same motion where there is a family of them: at t = 0 the axes are the same */
        for (int i = 0; i < m.sys->nq; i++)
            other.x[i] = m.x[i];
        for (int i = 0; i < m.sys->nq; i += 2) {
            other.x[m.sys->nq + i] = -m.p[0] * m.x[i + 1];
            other.x[m.sys->nq + i + 1] = m.p[0] * m.x[i];
        }
        if (!solve_model(&other) ||
            zw_linearise(&other.linear, other.flow, &other.symmetries, &other.at, &other.err) < 0)
            fail_msg("%s\n%s", other.err.text, rests.text);
        assert_true(other.at.iterations <= 2);
        expect_complex(&other, rests.text);
        expect_differences(&other, rests.text);
        expect_same(&m, &other, "seen at rest", rests.text);
        steady_close(&m);
        steady_close(&other);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_linear__derivatives),
        cmocka_unit_test(test_random_linear__other_words),
        cmocka_unit_test(test_random_linear__large_numbers),
        cmocka_unit_test(test_random_linear__bodies),
        cmocka_unit_test(test_random_linear__own_axes),
        cmocka_unit_test(test_random_linear__turning),
    };
    if (argc > 1)
        seeds = atoi(argv[1]);
    else if (!test_long())
        seeds /= 2;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
