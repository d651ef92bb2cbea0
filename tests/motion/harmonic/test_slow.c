/* SPDX-License-Identifier: MIT */
/* Slowly varying amplitudes against closed forms of a linear oscillator, differences, the balance
 * of harmonics, and other coordinates. */
#include <complex.h>

#include "branch/curve.h"
#include "motion/harmonic/balance.h"
#include "support/failing_allocator.h"
#include "support/periodic_model.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static const char linear[] =
    "model linear\n"
    "param m = 2 [kg], c = 0.3 [N*s/m], k = 5 [N/m], F = 1 [N], W = 1.4 [rad/s]\n"
    "coord x [m]\nparticle P : m at (x, 0)\npotential 1/2*k*x^2\ndissipation 1/2*c*x'^2\n"
    "force drive (x) = F*cos(W*t)\n";

static periodic_model m;
static zw_slow *slow;

static void open_slow(const char *text, const char *drive, int first, int step, int top, bool pol) {
    int list[32], n = 0;
    zw_slow_options o = zw_slow_options_default();
    periodic_open(&m, text, NULL, drive, drive);
    periodic_balance(&m, first, step, top, 64);
    for (int h = first; h <= top; h += step)
        list[n++] = h;
    o.nharmonic = n;
    o.harmonic = list;
    o.samples = 64;
    o.van_der_pol = pol;
    if (zw_slow_create(&slow, m.kernel, &o, &m.err) < 0)
        fail_msg("%s", m.err.text);
    zw_slow_set(slow, m.p, m.p[m.drive]);
    assert_int_equal(zw_slow_size(slow), zw_harmonic_problem(m.balance).n);
}

static void close_slow(void) {
    zw_slow_destroy(slow);
    periodic_close(&m);
}

static zw_slow_spectrum spectrum(const double *Z) {
    zw_slow_spectrum s;
    if (zw_slow_eigenvalues(slow, Z, &s, &m.err) < 0)
        fail_msg("%s", m.err.text);
    return s;
}

static bool has(const zw_slow_spectrum *s, double complex value) {
    for (int i = 0; i < s->n; i++)
        if (cabs(s->re[i] + I * s->im[i] - value) < 1e-11 * (1 + cabs(value)))
            return true;
    return false;
}

/* x = Re A exp(i h W t): (2 i h W m + c) A' + (k - h^2 W^2 m + i h W c) A = F; by van der Pol's
 * condition i h W m before A' */
static void test_slow__linear_oscillator_in_closed_form(void **state) {
    (void)state;
    const double mass = 2, c = 0.3, k = 5, W = 1.4;
    double Z[16] = {0};
    open_slow(linear, "W", 0, 1, 3, false);
    zw_slow_spectrum s = spectrum(Z);
    assert_int_equal(s.n, 7);
    assert_true(has(&s, -k / c));
    for (int h = 1; h <= 3; h++) {
        double w = h * W;
        double complex value = -(k - w * w * mass + I * w * c) / (2 * I * w * mass + c);
        assert_true(has(&s, value));
        assert_true(has(&s, conj(value)));
    }
    for (int i = 0; i + 1 < s.n; i++)
        assert_true(s.re[i] >= s.re[i + 1]);
    close_slow();

    open_slow(linear, "W", 1, 1, 1, true);
    s = spectrum(Z);
    assert_int_equal(s.n, 2);
    assert_true(has(&s, -(k - W * W * mass + I * W * c) / (I * W * mass)));
    close_slow();
}

/* in resonance the true rate is c/2m; amplitudes have it to the second order of damping, by van der
 * Pol's condition twice as much */
static void test_slow__van_der_pol_doubles_rates(void **state) {
    (void)state;
    double Z[16] = {0}, rate[2];
    for (int pol = 0; pol < 2; pol++) {
        open_slow(linear, "W", 1, 1, 1, pol);
        m.p[periodic_parameter(&m, "W")] = sqrt(5.0 / 2);
        zw_slow_set(slow, m.p, sqrt(5.0 / 2));
        rate[pol] = spectrum(Z).re[0];
        close_slow();
    }
    double true_rate = -0.3 / (2 * 2);
    assert_close(rate[0] / true_rate, 1, 0.3 * 0.3 / (2 * 2 * 5)); /* c^2/(2 k m) of it */
    assert_close(rate[1] / true_rate, 2, 1e-12);
}

/* F is the balance, F_Z its derivative */
static void test_slow__balance_and_differences(void **state) {
    (void)state;
    static double F[64], G[64], H[64], J[4096], M[4096];
    test_random r = {3};
    open_slow(MODEL("absorber_planar"), "omega", 0, 1, 3, false);
    zw_cont_problem p = zw_harmonic_problem(m.balance);
    double Z[64];
    for (int i = 0; i < p.n; i++)
        Z[i] = test_random_real(&r, -0.3, 0.3);
    zw_slow_at(slow, Z, F, M, J);
    assert_int_equal(p.residual(p.self, Z, m.p[m.drive], G, NULL), ZW_OK);
    for (int i = 0; i < p.n; i++)
        assert_close(F[i], G[i], 1e-12);
    for (int j = 0; j < p.n; j++) {
        double h = 1e-5, keep = Z[j];
        Z[j] = keep + h;
        zw_slow_at(slow, Z, G, NULL, NULL);
        Z[j] = keep - h;
        zw_slow_at(slow, Z, H, NULL, NULL);
        Z[j] = keep;
        for (int i = 0; i < p.n; i++)
            assert_close(J[i * p.n + j], (G[i] - H[i]) / (2 * h), 1e-6);
    }
    close_slow();
}

/* a constraint leaves as many rates as the coordinate that fulfils it, and the same where all is
 * small */
static void test_slow__constraints_have_no_rates(void **state) {
    (void)state;
    double re[2][8], im[2][8];
    int n[2];
    static const char *const texts[] = {
        "model a\nparam m = 1 [kg], l = 0.5 [m], g = 9.81 [m/s^2], c = 0.3 [N*s/m], F = 1e-5 [N], "
        "W = 4 "
        "[rad/s]\ncoord theta [rad]\nparticle P : m at (l*sin(theta), -l*cos(theta))\ngravity g "
        "along -y\n"
        "dissipation 1/2*c*l^2*theta'^2\nforce drive at P = (F*cos(W*t), 0, 0)\n",
        "model b\nparam m = 1 [kg], l = 0.5 [m], g = 9.81 [m/s^2], c = 0.3 [N*s/m], F = 1e-5 [N], "
        "W = 4 "
        "[rad/s]\ncoord x [m], y [m]\nparticle P : m at (x, y)\ngravity g along -y\n"
        "constraint rod : x^2 + y^2 = l^2\ndissipation 1/2*c*(x'^2 + y'^2)\n"
        "force drive at P = (F*cos(W*t), 0, 0)\nstart x = 0, y = -l\n"};
    for (int i = 0; i < 2; i++) {
        open_slow(texts[i], "W", 0, 1, 1, false);
        if (i) { /* y = -l, and the force in the rod */
            m.x[zw_slow_coefficients(slow)] = -0.5;
            m.x[2 * zw_slow_coefficients(slow)] = 9.81 / (2 * 0.5);
        }
        if (periodic_solve(&m, 4) < 0)
            fail_msg("%s", m.err.text);
        zw_slow_spectrum s = spectrum(m.x);
        n[i] = s.n;
        assert_int_equal(s.n, 3);
        memcpy(re[i], s.re, sizeof(double) * 3);
        memcpy(im[i], s.im, sizeof(double) * 3);
        if (i) {
            double rate[64];
            assert_int_equal(zw_slow_rates(slow, m.x, rate, &m.err), ZW_E_SINGULAR);
        }
        close_slow();
    }
    for (int i = 0; i < n[0]; i++) {
        assert_close(re[0][i], re[1][i], 1e-8);
        assert_close(im[0][i], im[1][i], 1e-8);
    }
}

/* Z goes exponentially to where it rests */
typedef struct watch {
    int rows;
    double t, worst;
    double complex start, end, s;
} watch;

static zw_status look(void *user, double t, const double *Z, zw_error *err) {
    (void)err;
    watch *w = user;
    double complex A = w->end + (w->start - w->end) * cexp(w->s * t), now = Z[0] - I * Z[1];
    w->worst = fmax(w->worst, cabs(A - now));
    w->t = t;
    w->rows++;
    return ZW_OK;
}

static void test_slow__runs_are_exponential(void **state) {
    (void)state;
    const double mass = 2, c = 0.3, k = 5, W = 1.4, scale[] = {1, 1};
    double complex stiff = k - W * W * mass + I * W * c, inert = 2 * I * W * mass + c;
    watch w = {.start = 0.4 - 0.9 * I, .end = 1 / stiff, .s = -stiff / inert};
    double Z[] = {0.4, 0.9};
    open_slow(linear, "W", 1, 1, 1, false);
    assert_int_equal(zw_slow_run(slow, Z, scale, 30, 0.7, 1e-10, look, &w, &m.err), ZW_OK);
    assert_int_equal(w.rows, 44); /* 0, 0.7 .. 29.4, 30 */
    assert_close(w.t, 30, 1e-14);
    assert_true(w.worst < 1e-8);
    assert_int_equal(zw_slow_run(slow, Z, scale, 0, 0.7, 1e-10, look, &w, &m.err), ZW_E_OPTION);
    close_slow();
}

static zw_status count_rows(void *user, double t, const double *Z, zw_error *err) {
    (void)t, (void)Z, (void)err;
    ++*(long *)user;
    return ZW_OK;
}

/* more than a million rows, and steps, are only long */
static void test_slow__long_run_is_not_fast(void **state) {
    (void)state;
    const double scale[] = {1, 1};
    double Z[] = {0.4, 0.9};
    const zw_slow_options few = {
        .size = sizeof few, .nharmonic = 1, .harmonic = (int[]){1}, .samples = 8};
    long rows = 0;
    open_slow(linear, "W", 1, 1, 1, false);
    zw_slow_destroy(slow);
    assert_int_equal(zw_slow_create(&slow, m.kernel, &few, &m.err), ZW_OK);
    zw_slow_set(slow, m.p, m.p[m.drive]);
    if (zw_slow_run(slow, Z, scale, 1.1, 1e-6, 1e-6, count_rows, &rows, &m.err) < 0)
        fail_msg("%s", m.err.text);
    assert_int_equal(rows, 1100001);
    close_slow();
}

/* the memory of a run comes from the allocator of the kernel, and goes back to it */
static void test_slow__run_survives_failing_memory(void **state) {
    (void)state;
    const double scale[] = {1, 1};
    const zw_slow_options o = {.size = sizeof o, .nharmonic = 1, .harmonic = (int[]){1}};
    open_slow(linear, "W", 1, 1, 1, false);
    zw_slow_destroy(slow);
    const zw_allocator usual = m.kernel->alloc;
    bool in_run = false;
    for (long n = 1;; n = failing_allocator_next(n)) {
        failing_allocator f = failing_allocator_make(n);
        watch w = {0};
        double Z[] = {0.4, 0.9};
        m.kernel->alloc = failing_allocator_of(&f);
        zw_status status = zw_slow_create(&slow, m.kernel, &o, NULL);
        if (status >= 0) {
            zw_slow_set(slow, m.p, m.p[m.drive]);
            status = zw_slow_run(slow, Z, scale, 1, 0.5, 1e-6, look, &w, NULL);
            in_run |= f.failed;
        }
        zw_slow_destroy(slow);
        assert_int_equal(status, f.failed ? ZW_E_MEMORY : ZW_OK);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
        if (!f.failed)
            break;
    }
    assert_true(in_run);
    m.kernel->alloc = usual;
    periodic_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow__linear_oscillator_in_closed_form),
        cmocka_unit_test(test_slow__van_der_pol_doubles_rates),
        cmocka_unit_test(test_slow__balance_and_differences),
        cmocka_unit_test(test_slow__constraints_have_no_rates),
        cmocka_unit_test(test_slow__runs_are_exponential),
        cmocka_unit_test(test_slow__long_run_is_not_fast),
        cmocka_unit_test(test_slow__run_survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
