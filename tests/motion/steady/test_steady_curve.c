/* SPDX-License-Identifier: MIT */
/* Curves of steady motions through folds and branch points, and curves of folds and Hopf points,
 * against normal forms and models in closed form. */
#include "zwang/steady.h"

#include "support/steady_model.h"

enum { POINTS = 4000 };
typedef struct seen {
    zw_steady_kind kind;
    double a, b, omega, cubic;
    double x[8], c[8], z[8], tangent[20];
    int curve;
} seen;

static steady_model m;
static zw_steady_curve *curve;
static int first, second; /* parameters */
static seen list[POINTS];
static int n, ncurve;

static zw_status set(void *user, double a, double b, double *p, double *held, zw_error *err) {
    (void)user;
    (void)err;
    (void)held;
    p[first] = a;
    if (second >= 0)
        p[second] = b;
    return ZW_OK;
}

static zw_status take(void *user, const zw_steady_point *p, zw_error *err) {
    (void)user;
    (void)err;
    assert_true(n < POINTS);
    seen *s = &list[n++];
    *s = (seen){.kind = p->kind, .a = p->a, .b = p->b, .omega = p->omega, .cubic = p->cubic};
    memcpy(s->x, p->motion->x, sizeof(double) * (size_t)m.kernel->nx);
    memcpy(s->c, p->motion->c, sizeof(double) * (size_t)p->symmetries->n);
    memcpy(s->tangent, p->tangent, sizeof(double) * (size_t)(m.kernel->nx + p->symmetries->n + 1));
    s->curve = ncurve;
    return ZW_OK;
}

static int find_parameter(const char *name) {
    for (int i = 0; i < m.sys->np; i++)
        if (strcmp(m.sys->param[i].name, name) == 0)
            return i;
    return -1;
}

static void begin(const char *text, const char *a, double low, double high, const char *b,
                  double b_low, double b_high) {
    zw_steady_curve_options o = zw_steady_curve_options_default();
    steady_open(&m, text, "lagrange");
    first = find_parameter(a);
    second = b ? find_parameter(b) : -1;
    o.scale = m.scale;
    o.set = set;
    o.low = low;
    o.high = high;
    o.b_low = b_low;
    o.b_high = b_high;
    n = ncurve = 0;
    if (zw_steady_curve_create(&curve, m.flow, m.x, m.p[first], b ? m.p[second] : 0, &o, &m.err) <
        0)
        fail_msg("%s", m.err.text);
}

static void end(void) {
    zw_steady_curve_destroy(curve);
    steady_close(&m);
}

static void follow(int direction, zw_cont_end how) {
    zw_cont_info info;
    if (zw_steady_curve_follow(curve, m.x, m.p[first], second >= 0 ? m.p[second] : 0, direction,
                               take, NULL, &info, &m.err) < 0)
        fail_msg("%s", m.err.text);
    assert_int_equal(info.end, how);
    ncurve++;
}

static zw_steady_point point_of(const seen *s, zw_steady *motion) {
    *motion = (zw_steady){.x = (double *)s->x, .c = (double *)s->c, .z = (double *)s->z};
    return (zw_steady_point){.kind = s->kind,
                             .a = s->a,
                             .b = s->b,
                             .motion = motion,
                             .tangent = s->tangent,
                             .omega = s->omega,
                             .cubic = s->cubic};
}

static void follow_marks(const seen *from, int direction) {
    seen at = *from;
    zw_steady motion;
    zw_steady_point p = point_of(&at, &motion);
    zw_cont_info info;
    if (zw_steady_curve_marks(curve, &p, direction, take, NULL, &info, &m.err) < 0)
        fail_msg("%s", m.err.text);
    ncurve++;
}

static const seen *mark(zw_steady_kind kind, int number) {
    for (int i = 0; i < n; i++)
        if (list[i].kind == kind && number-- == 0)
            return &list[i];
    fail_msg("there is no mark of kind %d", kind);
    return NULL;
}

static int count(zw_steady_kind kind) {
    int found = 0;
    for (int i = 0; i < n; i++)
        found += list[i].kind == kind;
    return found;
}

#define CUSP                                                                                       \
    "model c\nunits none\nparam a = 1, b = -1\nstate x : x' = b + a*x - x^3\nstart x = -1.3\n"

/* x' = b + a x - x^3: folds at 27 b^2 = 4 a^3, which meet at 0 */
static void test_steady_curve__cusp(void **unused) {
    (void)unused;
    begin(CUSP, "b", -1, 1, "a", -1, 2);
    follow(1, ZW_CONT_AT_BOUND);
    assert_int_equal(count(ZW_STEADY_FOLD), 2);
    for (int k = 0; k < 2; k++) {
        const seen *s = mark(ZW_STEADY_FOLD, k);
        assert_close(s->a, (k ? -1 : 1) * 2 / sqrt(27), 1e-10);
        assert_close(s->x[0], (k ? 1 : -1) / sqrt(3), 1e-6);
    }
    assert_int_equal(count(ZW_STEADY_HOPF) + count(ZW_STEADY_BRANCH), 0);
    int before = n;
    follow_marks(mark(ZW_STEADY_FOLD, 0), -1);
    assert_true(n > before + 20);
    for (int i = before; i < n; i++)
        assert_close(27 * list[i].a * list[i].a, 4 * pow(list[i].b, 3), 1e-9);
    assert_int_equal(count(ZW_STEADY_CUSP), 1);
    assert_close(mark(ZW_STEADY_CUSP, 0)->a, 0, 1e-8);
    assert_close(mark(ZW_STEADY_CUSP, 0)->b, 0, 1e-8);
    assert_close(list[n - 1].a, -1, 1e-9); /* over the cusp and out on the other side */
    end();
}

/* Lorenz: x = y = sqrt(beta (rho - 1)) from the pitchfork at 1; Hopf at sigma (sigma + beta +
 * 3)/(sigma - beta - 1) */
static void test_steady_curve__lorenz(void **unused) {
    (void)unused;
    const double s = 10, b = 8.0 / 3, hopf = s * (s + b + 3) / (s - b - 1);
    begin(ZW_SOURCE_DIR "/models/lorenz.zw", "rho", 0, 30, NULL, 0, 0);
    m.x[0] = m.x[1] = sqrt(b * 27);
    m.x[2] = 27;
    follow(-1, ZW_CONT_AT_BOUND); /* down to 1 and up again with the other sign */
    assert_int_equal(count(ZW_STEADY_HOPF), 2);
    for (int k = 0; k < 2; k++) {
        const seen *h = mark(ZW_STEADY_HOPF, k);
        assert_close(h->a, hopf, 1e-8);
        assert_close(h->omega, sqrt(b * (s + hopf)), 1e-8);
    }
    assert_int_equal(count(ZW_STEADY_FOLD), 0);
    assert_int_equal(count(ZW_STEADY_BRANCH), 1);
    const seen branch = *mark(ZW_STEADY_BRANCH, 0);
    assert_close(branch.a, 1, 1e-8);
    assert_close(branch.x[0], 0, 1e-6);
    for (int direction = -1; direction <= 1; direction += 2) {
        zw_steady motion;
        zw_steady_point p = point_of(&branch, &motion);
        zw_cont_info info;
        int before = n;
        if (zw_steady_curve_switch(curve, &p, direction, take, NULL, &info, &m.err) < 0)
            fail_msg("%s", m.err.text);
        assert_int_equal(info.end, ZW_CONT_AT_BOUND);
        for (int i = before; i < n; i++) /* rest */
            assert_close(fabs(list[i].x[0]) + fabs(list[i].x[1]) + fabs(list[i].x[2]), 0, 1e-10);
    }
    end();
}

#define TAKENS                                                                                     \
    "model t\nunits none\nparam p = -0.3, q = -1\n"                                                \
    "state x, y : x' = y, y' = p + q*x + x^2 - x*y\nstart x = 1.2\n"

/* the normal form of Bogdanov and Takens: folds at 4 p = q^2, Hopf points at p = 0, q < 0 with
 * omega^2 = -q */
static void test_steady_curve__bogdanov_takens(void **unused) {
    (void)unused;
    begin(TAKENS, "p", -1, 1, "q", -2, 0.5);
    follow(1, ZW_CONT_AT_BOUND);
    assert_int_equal(count(ZW_STEADY_FOLD), 1);
    assert_int_equal(count(ZW_STEADY_HOPF), 1);
    assert_close(mark(ZW_STEADY_FOLD, 0)->a, 0.25, 1e-10);
    assert_close(mark(ZW_STEADY_HOPF, 0)->a, 0, 1e-9);
    assert_close(mark(ZW_STEADY_HOPF, 0)->omega, 1, 1e-9);
    int before = n;
    follow_marks(mark(ZW_STEADY_FOLD, 0), 1);
    for (int i = before; i < n; i++)
        assert_close(4 * list[i].a, list[i].b * list[i].b, 1e-9);
    before = n;
    follow_marks(mark(ZW_STEADY_HOPF, 0), 1);
    for (int i = before; i < n; i++) {
        assert_close(list[i].a, 0, 1e-8);
        assert_close(list[i].omega * list[i].omega, -list[i].b, 1e-7);
    }
    assert_close(list[n - 1].b, 0, 1e-8);
    assert_int_equal(count(ZW_STEADY_BOGDANOV_TAKENS), 2); /* on both curves */
    for (int k = 0; k < 2; k++) {
        assert_close(mark(ZW_STEADY_BOGDANOV_TAKENS, k)->a, 0, 1e-8);
        assert_close(mark(ZW_STEADY_BOGDANOV_TAKENS, k)->b, 0, 1e-8);
    }
    end();
}

#define ZERO_HOPF                                                                                  \
    "model z\nunits none\nparam p = -1, q = 0.5\n"                                                 \
    "state x, y, z : x' = (q + z)*x - 2*y, y' = (q + z)*y + 2*x, z' = p + z^2 + x^2 + y^2\n"       \
    "start z = -1\n"

/* z = +-sqrt(-p): folds at p = 0, Hopf points at p = -q^2; both at once at 0 */
static void test_steady_curve__zero_hopf(void **unused) {
    (void)unused;
    begin(ZERO_HOPF, "p", -1.2, 1, "q", -1, 1);
    follow(1, ZW_CONT_AT_BOUND);
    assert_int_equal(count(ZW_STEADY_FOLD), 1);
    assert_int_equal(count(ZW_STEADY_HOPF), 1);
    assert_close(mark(ZW_STEADY_HOPF, 0)->a, -0.25, 1e-9);
    follow_marks(mark(ZW_STEADY_FOLD, 0), -1);
    int before = n;
    follow_marks(mark(ZW_STEADY_HOPF, 0), -1);
    for (int i = before; i < n; i++)
        assert_close(list[i].a, -list[i].b * list[i].b, 1e-9);
    assert_int_equal(count(ZW_STEADY_ZERO_HOPF), 2);
    for (int k = 0; k < 2; k++) {
        assert_close(mark(ZW_STEADY_ZERO_HOPF, k)->a, 0, 1e-8);
        assert_close(mark(ZW_STEADY_ZERO_HOPF, k)->b, 0, 1e-8);
        assert_close(mark(ZW_STEADY_ZERO_HOPF, k)->omega, 2, 1e-8);
    }
    assert_int_equal(count(ZW_STEADY_CUSP) + count(ZW_STEADY_BOGDANOV_TAKENS), 0);
    end();
}

#define DOUBLE_HOPF                                                                                \
    "model d\nunits none\nparam p = -1, q = -0.7\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"           \
    "potential x^2/2 + y^2 + x*y/10\n"                                                             \
    "force (x, y) = ((p - x^2)*x', (q - y^2 - x^2)*y')\n"

/* Two oscillators that act on each other. l^4 - (p + q) l^3 + (3 + p q) l^2 - (2 p + q) l + 1.99 =
 * 0 has the roots +-i w with w^2 = (2 p + q)/(p + q) on its curve of Hopf points, and two pairs at
 * p = q = 0 */
static void test_steady_curve__double_hopf(void **unused) {
    (void)unused;
    begin(DOUBLE_HOPF, "p", -2, 2, "q", -1, 1);
    follow(1, ZW_CONT_AT_BOUND);
    assert_int_equal(count(ZW_STEADY_HOPF), 1);
    follow_marks(mark(ZW_STEADY_HOPF, 0), 1);
    assert_true(n > 60);
    for (int i = 0; i < n; i++) {
        double p = list[i].a, q = list[i].b, w2 = list[i].omega * list[i].omega;
        if (list[i].omega > 0) {
            assert_close(w2 * w2 - (3 + p * q) * w2 + 1.99, 0, 1e-8);
            assert_close((p + q) * w2 - (2 * p + q), 0, 1e-8);
        }
    }
    assert_int_equal(count(ZW_STEADY_DOUBLE_HOPF), 1);
    assert_close(mark(ZW_STEADY_DOUBLE_HOPF, 0)->a, 0, 1e-8);
    assert_close(mark(ZW_STEADY_DOUBLE_HOPF, 0)->b, 0, 1e-8);
    end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steady_curve__cusp),
        cmocka_unit_test(test_steady_curve__lorenz),
        cmocka_unit_test(test_steady_curve__bogdanov_takens),
        cmocka_unit_test(test_steady_curve__zero_hopf),
        cmocka_unit_test(test_steady_curve__double_hopf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
