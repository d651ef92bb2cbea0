/* SPDX-License-Identifier: MIT */
/* Branches of steady motions and curves of their marks by names: closed forms of mechanical and
 * other models, the same system in minimal and in redundant coordinates, what zwang/linear.h finds
 * in another way, refusals, tables. */
#include "zwang/equilibria.h"

#include <math.h>

#include "support/failing_allocator.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static zw_context *ctx;
static zw_system *sys;
static zw_branches *b;
static zw_error err;
static const char *set[8], *hold[8];
static int nset, nhold;
static const char *variant, *by;

/* text that begins with / is a path; --set, --hold and --variant come from above and are
 * forgotten */
static zw_status try_open(const char *text, const char *over, const char *second) {
    zw_model_options o = {.nset = nset, .set = set, .variant = variant};
    zw_branches_options options = zw_branches_options_default();
    zw_equilibria_options motion = zw_equilibria_options_default();
    motion.nhold = nhold;
    motion.hold = hold;
    options.over = over;
    options.second = second;
    options.motion = &motion;
    motion.by = by ? by : motion.by;
    nset = nhold = 0;
    variant = by = NULL;
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    zw_status status = text[0] == '/'
                           ? zw_model_read(&sys, ctx, text, &o, &err)
                           : zw_model_parse(&sys, ctx, text, strlen(text), "test", &o, &err);
    return status < 0 ? status : zw_branches_create(&b, sys, &options, &err);
}

static void follow(const char *text, const char *over, const char *second) {
    if (try_open(text, over, second) < 0 || zw_branches_follow(b, &err) < 0 ||
        zw_branches_switch(b, 8, &err) < 0 || (second && zw_branches_marks(b, &err) < 0))
        fail_msg("%s: %s", over, err.text);
}

static void close_all(void) {
    zw_branches_destroy(b);
    zw_context_destroy(ctx);
    b = NULL;
}

static const zw_branches_point *mark(zw_steady_kind kind, int number) {
    for (int i = 0; i < zw_branches_points(b); i++)
        if (zw_branches_at(b, i)->kind == kind && number-- == 0)
            return zw_branches_at(b, i);
    return NULL;
}

static const zw_branches_point *second_mark(zw_steady_kind kind, int number) {
    for (int i = 0; i < zw_branches_mark_points(b); i++)
        if (zw_branches_mark_at(b, i)->kind == kind && number-- == 0)
            return zw_branches_mark_at(b, i);
    return NULL;
}

static int doubts(void) {
    zw_warnings *list = zw_warnings_create(NULL);
    zw_branches_warnings(b, list);
    int n = zw_warnings_count(list);
    zw_warnings_destroy(list);
    return n;
}

#define HOOP                                                                                       \
    "model hoop\nunits none\nparam w = 0.8, g = 1\ncoord x, z\n"                                   \
    "kinetic (x'^2 + z'^2)/2 + w^2*x^2/2\npotential g*z\nforce (x, z) = (-0.3*x', -0.3*z')\n"      \
    "constraint hoop : x^2 + z^2 = 1\nguess z = -1\n"

/* a bead on a hoop that turns, in Cartesian coordinates: z = -1, and z = -g/w^2 from w^2 = g on */
static void test_branches__pitchfork_with_a_constraint(void **state) {
    (void)state;
    follow(HOOP, "w=0.5:3", NULL);
    assert_int_equal(zw_branches_count(b), 2);
    const zw_branches_point *p = mark(ZW_STEADY_BRANCH, 0);
    assert_non_null(p);
    assert_close(p->value, 1, 1e-8);
    assert_null(mark(ZW_STEADY_FOLD, 0));
    assert_null(mark(ZW_STEADY_HOPF, 0));
    for (int i = 0; i < zw_branches_points(b); i++) {
        p = zw_branches_at(b, i);
        double w2 = p->value * p->value;
        assert_close(p->x[0] * p->x[0] + p->x[1] * p->x[1], 1, 1e-10);
        assert_close(p->x[1], p->curve == 0 || w2 < 1 ? -1 : -1 / w2, 1e-8);
        if (p->growing >= 0 && fabs(p->value - 1) > 1e-3)
            assert_int_equal(p->growing, p->curve == 0 && p->value > 1);
    }
    assert_int_equal(doubts(), 0);
    close_all();
}

/* p = q + x^2 begins with a fold on the end of its range: of the folds p = q one half goes on, and
 * the other is out of the range */
static void test_branches__marks_from_the_end_of_a_range(void **state) {
    (void)state;
    static const char *const over[] = {"p=0:2", "p=2:0"};
    for (int i = 0; i < 2; i++) {
        follow(
            "model turn\nunits none\nparam p = 1, q = 0\nstate x : x' = p - q - x^2\nstart x = 1\n",
            over[i], "q=-1:1");
        assert_int_equal(zw_branches_mark_curves(b), 1);
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < zw_branches_mark_points(b); k++) {
            const zw_branches_point *p = zw_branches_mark_at(b, k);
            assert_close(p->value, p->second, 1e-8);
            low = fmin(low, p->value);
            high = fmax(high, p->value);
        }
        assert_true(low >= 0);
        assert_close(high, 1, 1e-8);
        close_all();
        follow("model turn\nunits none\nparam p = -1, q = 0\nstate x : x' = q - p - x^2\nstart x = "
               "1\n",
               "p=-2:0", "q=-1:1");
        assert_int_equal(zw_branches_mark_curves(b), 1);
        low = INFINITY, high = -INFINITY;
        for (int k = 0; k < zw_branches_mark_points(b); k++) {
            const zw_branches_point *p = zw_branches_mark_at(b, k);
            low = fmin(low, p->value);
            high = fmax(high, p->value);
        }
        assert_true(high <= 0);
        assert_close(low, -1, 1e-8);
        close_all();
    }
}

/* r' = p r + b r^3 - r^5 on an ellipse: at b = 0 there are neither quadratic nor cubic terms at
 * all, and the curve of Hopf points p = 0 has its generalised one there */
static void test_branches__cubic_terms_that_vanish(void **state) {
    (void)state;
    follow("model g\nunits none\nparam p = -0.1, b = -1\nlet r2 = x^2 + (1.1*y)^2\n"
           "state x, y : x' = p*x - y + b*r2*x - r2^2*x, y' = x + p*y + b*r2*y - r2^2*y\nstart x = "
           "0\n",
           "p=-1:1", "b=-2:2");
    const zw_branches_point *p = second_mark(ZW_STEADY_GENERALISED_HOPF, 0);
    assert_non_null(p);
    assert_close(p->second, 0, 1e-8);
    for (int i = 0; i < zw_branches_mark_points(b); i++)
        if (fabs(zw_branches_mark_at(b, i)->second) > 1e-6)
            assert_true(zw_branches_mark_at(b, i)->cubic_term * zw_branches_mark_at(b, i)->second >
                        0);
    close_all();
}

#define TRUSS                                                                                      \
    "model truss\nunits none\nparam F = 0, a = 2\ncoord x, z\nparticle P : 1 at (x, z)\n"          \
    "let l = sqrt(x^2 + z^2)\npotential 10*(l - sqrt(a^2 + 1))^2\n"                                \
    "force load (x, z) = (-x', -F - z')\nconstraint guide : x = a\nstart z = 1\nguess x = a\n"

/* von Mises' truss of two bars: F = -20 z (1 - sqrt(a^2 + 1)/l), largest where l^3 = a^2 sqrt(a^2 +
 * 1), l^2 = a^2 + z^2 */
static void test_branches__snap_through(void **state) {
    (void)state;
    follow(TRUSS, "F=-1:1", "a=1:3");
    assert_int_equal(zw_branches_count(b), 1);
    for (int k = 0; k < 2; k++) {
        const zw_branches_point *p = mark(ZW_STEADY_FOLD, k);
        assert_non_null(p);
        double l = cbrt(4 * sqrt(5)), z = sqrt(l * l - 4);
        assert_close(fabs(p->value), 20 * z * (sqrt(5) / l - 1), 1e-9);
    }
    for (int i = 0; i < zw_branches_mark_points(b); i++) {
        const zw_branches_point *p = zw_branches_mark_at(b, i);
        double a = p->second, l = cbrt(a * a * sqrt(a * a + 1)), z = sqrt(l * l - a * a);
        assert_close(fabs(p->value), 20 * z * (sqrt(a * a + 1) / l - 1), 1e-8);
        assert_close(fabs(p->x[1]), z, 1e-6);
    }
    assert_int_equal(zw_branches_mark_curves(b), 2);
    close_all();
}

#define ZIEGLER                                                                                    \
    "model ziegler\nunits none\nparam P = 0.5, p1 = 0.1, p2 = 0.1\ncoord p, q\n"                   \
    "kinetic 3/2*p'^2 + cos(p - q)*p'*q' + q'^2/2\npotential p^2/2 + (q - p)^2/2\n"                \
    "dissipation p1*p'^2/2 + p2*(q' - p')^2/2\nforce follow (p, q) = (P*sin(p - q), 0)\n"
#define ZIEGLER_CARTESIAN                                                                          \
    "model ziegler\nunits none\nparam P = 0.5, p1 = 0.1, p2 = 0.1\ncoord x1, y1, x2, y2\n"         \
    "particle A : 2 at (x1, y1)\nparticle B : 1 at (x2, y2)\n"                                     \
    "let p = atan2(y1, x1)\nlet q = atan2(y2 - y1, x2 - x1)\n"                                     \
    "let u = x1*y1' - y1*x1'\nlet v = (x2 - x1)*(y2' - y1') - (y2 - y1)*(x2' - x1')\n"             \
    "potential p^2/2 + (q - p)^2/2\ndissipation p1*u^2/2 + p2*(v - u)^2/2\n"                       \
    "force follow (x2, y2) = (-P*(x2 - x1), -P*(y2 - y1))\n"                                       \
    "constraint first : x1^2 + y1^2 = 1\nconstraint second : (x2 - x1)^2 + (y2 - y1)^2 = 1\n"      \
    "constraint twice : 2*x1^2 + 2*y1^2 = 2\nguess x1 = 1, x2 = 2\n"

/* P_c = (4 b1^2 + 33 b1 b2 + 4 b2^2)/(2 (b1^2 + 7 b1 b2 + 6 b2^2)) + b1 b2/2: H. Ziegler,
 * Ing.-Arch. 20 (1952); the limit of small damping is below 7/2 - sqrt(2) without it */
static double flutter(double b1, double b2) {
    return (4 * b1 * b1 + 33 * b1 * b2 + 4 * b2 * b2) /
               (2 * (b1 * b1 + 7 * b1 * b2 + 6 * b2 * b2)) +
           b1 * b2 / 2;
}

static void test_branches__flutter_in_two_sets_of_coordinates(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        by = k ? "gauss" : NULL; /* which can do with a constraint that is there twice */
        follow(k ? ZIEGLER_CARTESIAN : ZIEGLER, "P=0:4", "p1=0:0.8");
        const zw_branches_point *p = mark(ZW_STEADY_HOPF, 0);
        assert_non_null(p);
        assert_close(p->value, flutter(0.1, 0.1), 1e-9);
        assert_true(zw_branches_mark_points(b) > 20);
        for (int i = 0; i < zw_branches_mark_points(b); i++) {
            p = zw_branches_mark_at(b, i);
            assert_close(p->value, flutter(p->second, 0.1), 1e-8);
            assert_true(p->cubic_term < 0);
        }
        p = zw_branches_mark_at(b, 0);
        assert_close(p->second, 0, 1e-12);
        close_all();
    }
}

#define NERVE                                                                                      \
    "model nerve\nunits none\nparam I = 0, a = 0.7, b = 0.8, eps = 0.08\n"                         \
    "state v, w : v' = v - v^3/3 - w + I, w' = eps*(v + a - b*w)\nstart v = -1.2, w = -0.6\n"

/* FitzHugh and Nagumo: I = (v + a)/b - v + v^3/3 with Hopf points at 1 - v^2 = eps b, folds at 1 -
 * v^2 = 1/b, which meet at b = 1 in a cusp (v = 0) and touch Hopf points at b = 1/sqrt(eps) */
static void test_branches__nerve(void **state) {
    (void)state;
    const double a = 0.7, eps = 0.08;
    follow(NERVE, "I=-1:3", "b=0.2:5");
    for (int k = 0; k < 2; k++) {
        double v = (k ? 1 : -1) * sqrt(1 - eps * 0.8);
        assert_close(mark(ZW_STEADY_HOPF, k)->value, (v + a) / 0.8 - v + v * v * v / 3, 1e-9);
    }
    bool seen = false;
    for (int i = 0; i < zw_branches_mark_points(b); i++) {
        const zw_branches_point *p = zw_branches_mark_at(b, i);
        double v = p->x[0], s = p->second;
        assert_close(p->value, (v + a) / s - v + v * v * v / 3, 1e-8);
        assert_close(1 - v * v, eps * s, 1e-8);
        if (p->kind != ZW_STEADY_BOGDANOV_TAKENS)
            continue;
        assert_close(s, 1 / sqrt(eps), 1e-7);
        seen = true;
    }
    assert_true(seen);
    close_all();
    set[0] = "b=2";
    set[1] = "v=-1";
    set[2] = "w=-0.1";
    nset = 3;
    follow(NERVE, "I=-2:3", "b=0.5:5"); /* with folds, from the lower end */
    int cusps = 0, takens = 0, bautin = 0;
    for (int i = 0; i < zw_branches_mark_points(b); i++) {
        const zw_branches_point *p = zw_branches_mark_at(b, i);
        double v = p->x[0], s = p->second;
        bool fold = zw_branches_mark_curve(b, p->curve)->kind == ZW_STEADY_FOLD;
        assert_close(1 - v * v, fold ? 1 / s : eps * s, 1e-8);
        if (p->kind == ZW_STEADY_CUSP) {
            assert_close(s, 1, 1e-8);
            assert_close(p->value, a, 1e-8);
            cusps++;
        }
        if (p->kind ==
            ZW_STEADY_GENERALISED_HOPF) { /* eps b^2 - 2 b + 1 = 0, as an equation of Lienard */
            assert_close(s, (1 - sqrt(1 - eps)) / eps, 1e-8);
            bautin++;
        }
        takens += fold && p->kind == ZW_STEADY_BOGDANOV_TAKENS;
    }
    assert_int_equal(cusps, 1);
    assert_int_equal(takens, 2);
    assert_int_equal(bautin, 2);
    close_all();
}

#define CATALYST                                                                                   \
    "model catalyst\nunits none\n"                                                                 \
    "param q1 = 2.5, q2 = 0.8, q3 = 10, q4 = 0.0675, q5 = 1, q6 = 0.1, k = 0.4\n"                  \
    "let z = 1 - x - y - s\n"                                                                      \
    "state x, y, s : x' = 2*q1*z^2 - 2*q5*x^2 - q3*x*y, y' = q2*z - q6*y - q3*x*y,\n"              \
    "  s' = q4*z - k*q4*s\nstart x = 0.1, y = 0.15, s = 0.5\n"

/* x' where y and s are at rest, z = k s */
static double catalyst_rate(double x, double q2, double k) {
    double z = (1 - x) / (1 + 1 / k + q2 / (0.1 + 10 * x)), y = q2 * z / (0.1 + 10 * x);
    return 5 * z * z - 2 * x * x - 10 * x * y;
}

/* Oxidation of CO on platinum by Bykov, Yablonskii and Kim. Along q2 the places are those printed
 * in the manual of MatCont (A. Dhooge et al., test run of the catalytic oscillator), to their six
 * digits. In the plane of q2 and k: at a cusp the rate of x alone has a triple zero; at a
 * Bogdanov-Takens point the characteristic polynomial has the coefficients 0 and 0. */
static void test_branches__catalyst(void **state) {
    (void)state;
    static const double hopf[] = {1.040991, 1.051558}, fold[] = {1.052200, 1.042049};
    int cusps = 0, takens = 0;
    follow(CATALYST, "q2=0.5:2", "k=0.1:3");
    for (int i = 0; i < 2; i++) {
        assert_close(mark(ZW_STEADY_HOPF, i)->value, hopf[i], 1.5e-6);
        assert_close(mark(ZW_STEADY_FOLD, i)->value, fold[i], 1.5e-6);
        assert_true(mark(ZW_STEADY_HOPF, i)->cubic->hopf.a > 0); /* l1 = 4.33, 10.7 */
    }
    for (int i = 0; i < zw_branches_mark_points(b); i++) {
        const zw_branches_point *p = zw_branches_mark_at(b, i);
        double x = p->x[0], y = p->x[1], z = 1 - x - y - p->x[2], q2 = p->value, k = p->second;
        double A[3][3] = {{-10 * z - 4 * x - 10 * y, -10 * z - 10 * x, -10 * z},
                          {-q2 - 10 * y, -q2 - 0.1 - 10 * x, -q2},
                          {-0.0675, -0.0675, -0.0675 - 0.0675 * k}};
        double pairs = A[0][0] * A[1][1] - A[0][1] * A[1][0] + A[0][0] * A[2][2] -
                       A[0][2] * A[2][0] + A[1][1] * A[2][2] - A[1][2] * A[2][1],
               det = A[0][0] * (A[1][1] * A[2][2] - A[1][2] * A[2][1]) -
                     A[0][1] * (A[1][0] * A[2][2] - A[1][2] * A[2][0]) +
                     A[0][2] * (A[1][0] * A[2][1] - A[1][1] * A[2][0]);
        if (zw_branches_mark_curve(b, p->curve)->kind == ZW_STEADY_FOLD)
            assert_close(det, 0, 1e-9);
        if (p->kind == ZW_STEADY_BOGDANOV_TAKENS) {
            assert_close(det, 0, 1e-9);
            assert_close(pairs, 0, 1e-8);
            takens++;
        }
        if (p->kind == ZW_STEADY_CUSP) {
            double h = 1e-4, f[3];
            for (int j = 0; j < 3; j++)
                f[j] = catalyst_rate(x + (j - 1) * h, q2, k);
            assert_close(f[1], 0, 1e-10);
            assert_close((f[2] - f[0]) / (2 * h), 0, 2e-5); /* h^2 of the third derivative */
            assert_close((f[2] - 2 * f[1] + f[0]) / (h * h), 0, 1e-3);
            cusps++;
        }
    }
    assert_int_equal(cusps, 1);
    assert_int_equal(takens, 4); /* two, each on both curves */
    close_all();
}

/* Where a mass passes zero, rates have a pole and an eigenvalue passes infinity: nothing branches,
 * and that others grow beyond it is told. */
static void test_branches__a_pole_is_no_mark(void **state) {
    (void)state;
    follow("model pole\nunits none\nparam p = 0.52\ncoord x\nkinetic p*x'^2/2\n"
           "potential x^2/2\nforce (x) = -x'\n",
           "p=-1:1", NULL);
    for (int i = 0; i < zw_branches_points(b); i++)
        assert_true(zw_branches_at(b, i)->kind <= ZW_STEADY_END);
    assert_close(zw_branches_at(b, 0)->value, -1, 1e-12);
    assert_int_equal(zw_branches_at(b, 0)->growing, 1); /* -x'' + x' + x = 0 */
    assert_int_equal(doubts(), 1);
    close_all();
}

/* the tippedisk: the cycles at Omega_c change from sub- to supercritical at zeta = 65/63 for kappa
 * = 0.05 */
static void test_branches__generalised_hopf(void **state) {
    (void)state;
    variant = "chart";
    set[0] = "gamma=90deg";
    nset = 1;
    follow(MODEL("tippedisk_reduced"), "Omega=20:40", "zeta=1.01:1.2");
    assert_non_null(second_mark(ZW_STEADY_GENERALISED_HOPF, 0));
    assert_close(second_mark(ZW_STEADY_GENERALISED_HOPF, 0)->second, 65.0 / 63, 1e-8);
    assert_null(second_mark(ZW_STEADY_GENERALISED_HOPF, 1));
    close_all();
}

/* the whole tippedisk, 6 coordinates with symmetries and something held: two curves of Hopf points
 * cross, and both say where; those of one parameter are what zwang/linear.h finds */
static void test_branches__polynomial_marks(void **state) {
    (void)state;
    /* the cubic term is b/8 and vanishes with it; and the model's own value is that of the
     * zero-Hopf point */
    follow("model gh\nunits none\nparam a = 0.1, b = -1\n"
           "state x, y : x' = y, y' = -x + a*y + b*x^2*y - x^4*y\nstart x = 0\n",
           "a=-1:1", "b=-1:1");
    assert_non_null(second_mark(ZW_STEADY_GENERALISED_HOPF, 0));
    assert_close(second_mark(ZW_STEADY_GENERALISED_HOPF, 0)->second, 0, 1e-8);
    close_all();
    follow("model zh\nunits none\nparam a = 0.5, b = 0\nstate x, u, v : x' = a - x^2 - u^2,\n"
           "u' = v, v' = -u + (b + x)*v - u^2*v\nstart x = 0.7\n",
           "a=-1:1", "b=-1:1");
    assert_non_null(second_mark(ZW_STEADY_ZERO_HOPF, 1)); /* on both curves, once each */
    assert_null(second_mark(ZW_STEADY_ZERO_HOPF, 2));
    assert_null(second_mark(ZW_STEADY_BOGDANOV_TAKENS, 0));
    close_all();
}

static void test_branches__steady_motion_with_symmetries(void **state) {
    (void)state;
    const char *const gamma = "gamma=90deg";
    zw_locus_options options = zw_locus_options_default();
    zw_locus *l;
    set[0] = gamma;
    nset = 1;
    follow(MODEL("tippedisk"), "alpha'=25:35 [rad/s]", NULL);
    options.over = "alpha'=25:35 [rad/s]";
    options.cubic = false;
    if (zw_locus_create(&l, sys, &options, &err) < 0)
        fail_msg("%s", err.text);
    int n = 0;
    for (int i = 0; i < zw_locus_track(l)->nmark; i++)
        if (zw_locus_track(l)->mark[i].kind == ZW_TRACK_HOPF) {
            const zw_branches_point *p = mark(ZW_STEADY_HOPF, n++);
            assert_non_null(p);
            assert_close(p->value, zw_locus_track(l)->mark[i].value, 1e-8);
            assert_close(p->omega, zw_locus_track(l)->mark[i].im, 1e-7);
        }
    assert_int_equal(n, 2);
    zw_locus_destroy(l);
    close_all();
    set[0] = gamma;
    set[1] = "mu=0.19";
    nset = 2;
    follow(MODEL("tippedisk"), "alpha'=29:31 [rad/s]", "mu=0.18:0.2");
    const zw_branches_point *u = second_mark(ZW_STEADY_DOUBLE_HOPF, 0),
                            *v = second_mark(ZW_STEADY_DOUBLE_HOPF, 1);
    assert_non_null(u);
    assert_non_null(v);
    assert_close(u->value, v->value, 1e-8);
    assert_close(u->second, v->second, 1e-8);
    assert_true(fabs(u->omega - v->omega) > 1);
    close_all();
}

/* Watt's governor turns steadily; hunting begins where b w_0 (J + m (l ratio)^2 (1 + 3 cos^2
 * phi_0)) = 2 F m l^2, cos phi_0 = F/k, (ratio w_0)^2 = g/(l cos phi_0): the condition of Routh,
 * head of models/governor.zw */
static void test_branches__hunting_of_a_governor(void **state) {
    (void)state;
    const double m = 2, l = 0.3, g = 9.81, J = 2, ratio = 2, k = 20;
    follow(MODEL("governor"), "b=0.1:0.9 [N*m*s]", "F=4:16 [N*m]");
    assert_non_null(mark(ZW_STEADY_HOPF, 0));
    assert_close(mark(ZW_STEADY_HOPF, 0)->value, 0.27310, 5e-6);
    assert_true(zw_branches_mark_points(b) > 30);
    for (int i = 0; i < zw_branches_mark_points(b); i++) {
        const zw_branches_point *p = zw_branches_mark_at(b, i);
        double F = p->second, c = F / k, w = sqrt(g / (l * c)) / ratio;
        assert_close(p->value * w * (J + m * l * l * ratio * ratio * (1 + 3 * c * c)),
                     2 * F * m * l * l, 1e-8);
    }
    close_all();
}

static void refuse(const char *text, const char *over, const char *second, zw_status status,
                   const char *says) {
    zw_status got = try_open(text, over, second);
    if (got >= 0)
        got = zw_branches_follow(b, &err);
    assert_int_equal(got, status);
    if (!strstr(err.text, says) && !strstr(err.hint, says))
        fail_msg("'%s' (%s) does not say '%s'", err.text, err.hint, says);
    close_all();
}

static void test_branches__refusals(void **state) {
    (void)state;
    refuse(NERVE, "I=-1:3", "I=0:1", ZW_E_OPTION, "a second parameter");
    refuse(NERVE, "I=-1:3", "b=2:3", ZW_E_OPTION, "which is not in the range");
    refuse(NERVE, "J=-1:3", NULL, ZW_E_NAME, "J");
    refuse(MODEL("rolling_disc"), "g=5:15", NULL, ZW_E_MODEL, "--hold");
    refuse("model n\nunits none\nparam a = 1\nstate x : x' = 1 + a^2 + x^2\n", "a=0:1", NULL,
           ZW_E_NUMERIC, "no steady motion");
}

static void test_branches__tables(void **state) {
    (void)state;
    zw_table *t;
    follow(NERVE, "I=-1:3", "b=0.2:5");
    assert_int_equal(zw_branches_table(b, NULL, &t, &err), ZW_OK);
    assert_string_equal(zw_table_get_note(t, "kind"), "steady motions");
    assert_non_null(strstr(zw_table_get_note(t, "mark 0"), "hopf "));
    assert_null(zw_table_get_note(t, "param I"));
    zw_table_destroy(t);
    assert_int_equal(zw_branches_marks_table(b, NULL, &t, &err), ZW_OK);
    assert_string_equal(zw_table_get_note(t, "kind"), "marks");
    assert_string_equal(zw_table_name(t, 0), "I");
    assert_string_equal(zw_table_name(t, 1), "b");
    assert_true(zw_table_rows(t) >= zw_branches_mark_points(b));
    zw_table_destroy(t);
    close_all();
}

static void test_branches__survives_failing_memory(void **state) {
    (void)state;
    zw_branches_options options = zw_branches_options_default();
    const char text[] = "model c\nunits none\nparam a = 1, b = -0.4\n"
                        "state x : x' = b + a*x - x^3\nstart x = -1.3\n";
    options.over = "b=-0.4:0.4:9";
    options.second = "a=0.9:1.1";
    options.step_max = 0.2;
    long step = 1;
    for (long n = 1;; n += step) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_branches *own = NULL;
        zw_error trouble = {0};
        zw_system *s;
        zw_context *c = zw_context_create(&alloc);
        zw_status status =
            c ? zw_model_parse(&s, c, text, strlen(text), "test", NULL, &trouble) : ZW_E_MEMORY;
        if (status >= 0)
            status = zw_branches_create(&own, s, &options, &trouble);
        if (status >= 0)
            status = zw_branches_follow(own, &trouble);
        if (status >= 0)
            status = zw_branches_switch(own, 4, &trouble);
        if (status >= 0)
            status = zw_branches_marks(own, &trouble);
        zw_branches_destroy(own);
        if (c)
            zw_context_destroy(c);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
        if (!f.failed) {
            assert_int_equal(status, ZW_OK);
            break;
        }
        step = 1 + n / 40; /* every one at first, then some */
    }
}

/* The start of the model lies on a fold, a hysteresis point, a pitchfork or a crossing, or next to
 * it: x' = a - x^2, a - x^3, a x - x^3, a^2 - x^2, and the subcritical pitchfork, whose branches
 * turn at a = -1/4. All branches, and only these. */
static void test_branches__starts_on_special_points(void **state) {
    (void)state;
    static const struct {
        const char *rate;
        int branches, folds, crossings; /* a crossing is a point of both branches */
    } cases[] = {{"a - x^2", 1, 1, 0},
                 {"a - x^3", 1, 0, 0},
                 {"a*x - x^3", 2, 0, 2},
                 {"a^2 - x^2", 2, 0, 2},
                 {"a*x + x^3 - x^5", 2, 2, 2}};
    const char *starts[] = {"0", "0.01", "1"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
            char text[200];
            snprintf(text, sizeof text,
                     "model m\nunits none\nparam a = 0\nstate x, y : x' = %s, y' = x^2 - y\n"
                     "start x = %s\n",
                     cases[i].rate, starts[k]);
            follow(text, "a=-1:1", NULL);
            int found[2] = {0};
            for (int j = 0; j < zw_branches_points(b); j++) {
                const zw_branches_point *p = zw_branches_at(b, j);
                found[0] += p->kind == ZW_STEADY_FOLD;
                found[1] += p->kind == ZW_STEADY_BRANCH;
                if (p->kind == ZW_STEADY_FOLD)
                    assert_true(fabs(p->value + (cases[i].folds == 2 ? 0.25 : 0)) < 1e-9);
                if (p->kind == ZW_STEADY_BRANCH)
                    assert_true(fabs(p->value) < 1e-9);
            }
            assert_int_equal(zw_branches_count(b), cases[i].branches);
            assert_int_equal(found[0], cases[i].folds);
            assert_int_equal(found[1], cases[i].crossings);
            assert_int_equal(doubts(), 0);
            close_all();
        }
}

/* Two crossings at r = c -+ sqrt(e) on either side of the end of a step: each is located, and
 * neither is taken for the other. */
static void test_branches__two_near_marks_are_two(void **state) {
    (void)state;
    const double at[2] = {0.313 - sqrt(1e-5), 0.313 + sqrt(1e-5)};
    int found[2] = {0};
    follow(
        "model m\nunits none\nparam r = -1\nstate x, y : x' = ((r - 0.313)^2 - 1e-5)*x*(1 + r^2) "
        "- x^3, y' = r^3 + x^2 - y\nstart x = 0\n",
        "r=-1:1", NULL);
    for (int j = 0; j < zw_branches_points(b); j++)
        for (int k = 0; k < 2; k++)
            found[k] += zw_branches_at(b, j)->kind == ZW_STEADY_BRANCH &&
                        fabs(zw_branches_at(b, j)->value - at[k]) < 1e-8;
    assert_int_equal(zw_branches_count(b), 3);
    assert_int_equal(found[0], 2); /* a crossing is a point of both branches */
    assert_int_equal(found[1], 2);
    close_all();
}

/* Two marks within one step: the eigenvalue r^2 - e (or the real part e - r^2 of a pair) is zero at
 * r = +-sqrt(e), between long steps. For e < 0 it comes near zero without a mark. */
static void test_branches__two_marks_within_a_step(void **state) {
    (void)state;
    static const struct {
        const char *model, *e;
        zw_steady_kind kind;
        double at; /* sqrt(e); 0: no mark */
    } cases[] = {
        {"state x : x' = (r^2 - e)*x - x^3\n", "1e-4", ZW_STEADY_BRANCH, 1e-2},
        {"state x : x' = (r^2 - e)*x - x^3\n", "1e-6", ZW_STEADY_BRANCH, 1e-3},
        {"state x, y : x' = (e - r^2)*x - y - x*(x^2 + y^2), y' = x + (e - r^2)*y - "
         "y*(x^2 + y^2)\n",
         "1e-4", ZW_STEADY_HOPF, 1e-2},
        {"state x, y : x' = (e - r^2)*x - y - x*(x^2 + y^2), y' = x + (e - r^2)*y - "
         "y*(x^2 + y^2)\n",
         "-1e-4", ZW_STEADY_HOPF, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        snprintf(text, sizeof text, "model m\nunits none\nparam r = -1, e = %s\n%sstart x = 0\n",
                 cases[i].e, cases[i].model);
        follow(text, "r=-1:1", NULL);
        int found[2] = {0};
        for (int j = 0; j < zw_branches_points(b); j++) {
            const zw_branches_point *p = zw_branches_at(b, j);
            if (p->kind != cases[i].kind)
                continue;
            found[p->value > 0]++;
            assert_true(fabs(fabs(p->value) - cases[i].at) < 1e-9);
        }
        int each = cases[i].at == 0 ? 0 : cases[i].kind == ZW_STEADY_BRANCH ? 2 : 1;
        assert_int_equal(found[0], each); /* a crossing is a point of both branches */
        assert_int_equal(found[1], each);
        assert_int_equal(doubts(), 0);
        close_all();
    }
}

#define TEST(name) cmocka_unit_test(test_branches__##name)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(pitchfork_with_a_constraint),
        TEST(marks_from_the_end_of_a_range),
        TEST(cubic_terms_that_vanish),
        TEST(snap_through),
        TEST(flutter_in_two_sets_of_coordinates),
        TEST(nerve),
        TEST(catalyst),
        TEST(a_pole_is_no_mark),
        TEST(generalised_hopf),
        TEST(polynomial_marks),
        TEST(steady_motion_with_symmetries),
        TEST(hunting_of_a_governor),
        TEST(starts_on_special_points),
        TEST(two_marks_within_a_step),
        TEST(two_near_marks_are_two),
        TEST(refusals),
        TEST(tables),
        TEST(survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
