/* SPDX-License-Identifier: MIT */
/* Places that are located on curves of forced motions, against a method that shares nothing with
 * them but the equations: shooting at values around the place, and the zero of the polynomial
 * through what its multipliers say,
 *
 *     the product of all 1 - mu of the two motions that meet at a fold,     mu - 1 at a branch point,     mu + 1 where a period doubles,     |mu|^2 - 1 of a pair,
 *
 * each a smooth function of the parameter with a simple zero there. */
#include <math.h>

#include "support/orbit_model.h"

typedef struct located {
    const char *text, *variant, *set, *over, *parameter;
    double find; /* where the curve begins */
    int harmonics;
    zw_bifurcation event;
    int number;  /* among those */
    double step; /* between the values of shooting */
    double tolerance;
} located;

enum { NODES = 6 };

static orbit_model m;
static zw_forced *study;
static zw_system *sys;
static zw_context *ctx;

static void follow(const located *c) {
    zw_model_options model = {.size = sizeof model, .nset = c->set ? 1 : 0, .set = &c->set};
    zw_error err = {0};
    zw_forced_options o = zw_forced_options_default();
    int number;
    model.variant = c->variant;
    o.over = c->over;
    o.harmonics = c->harmonics;
    ctx = zw_context_create(NULL);
    zw_status status = c->text[0] == '/' ? zw_model_read(&sys, ctx, c->text, &model, &err)
                                         : zw_model_parse(&sys, ctx, c->text, strlen(c->text),
                                                          "test", &model, &err);
    if (status < 0 || zw_forced_create(&study, sys, &o, &err) < 0 ||
        zw_forced_find(study, c->find, &number, &err) < 0 ||
        zw_forced_follow(study, number, &err) < 0)
        fail_msg("%s", err.text);
}

static void leave(void) {
    zw_forced_destroy(study);
    zw_context_destroy(ctx);
}

static int find_event(const located *c) {
    int number = c->number;
    for (int i = 0; i < zw_forced_motions(study); i++)
        if (zw_forced_motion_at(study, i)->event == c->event && number-- == 0)
            return i;
    fail_msg("event %d does not come on the curve over %s", (int)c->event, c->over);
    return -1;
}

/* the state at t = 0 of a system with q' = v */
static void start_from(const zw_forced_motion *at) {
    int nq = sys->nq;
    for (int i = 0; i < nq; i++) {
        const double *x = at->x + (size_t)(i * at->ncoefficient);
        m.x[i] = x[0];
        m.x[nq + i] = 0;
        for (int h = 1; 2 * h < at->ncoefficient; h++) {
            m.x[i] += x[2 * h - 1];
            m.x[nq + i] += h * at->w * x[2 * h];
        }
    }
}

static void shoot(const located *c, double value, const zw_forced_motion *near) {
    orbit_set(&m, c->parameter, value);
    orbit_period(&m);
    start_from(near);
    orbit_shoot(&m);
}

/* of the multiplier that belongs to the event */
static double test_of(zw_bifurcation event) {
    const zw_floquet *f = &m.at.floquet;
    double best = INFINITY, value = NAN, re = 1, im = 0;
    for (int i = 0; i < f->n; i++) {
        double keep = re;
        re = re * (1 - f->re[i]) + im * f->im[i];
        im = im * (1 - f->re[i]) - keep * f->im[i];
    }
    if (event == ZW_BIFURCATION_FOLD)
        return re;
    for (int i = 0; i < f->n; i++) {
        double size = hypot(f->re[i], f->im[i]),
               off = event == ZW_BIFURCATION_TORUS  ? (f->im[i] > 0 ? size * size - 1 : INFINITY)
                     : event == ZW_BIFURCATION_FLIP ? f->re[i] + 1
                                                    : f->re[i] - 1;
        if (event != ZW_BIFURCATION_TORUS && f->im[i] != 0)
            off = INFINITY;
        if (fabs(off) < best) {
            best = fabs(off);
            value = off;
        }
    }
    return value;
}

/* at y of the polynomial through the points */
static double interpolate(const double *x, const double *value, double y) {
    double p[NODES];
    memcpy(p, value, sizeof p);
    for (int k = 1; k < NODES; k++)
        for (int i = 0; i + k < NODES; i++)
            p[i] = ((y - x[i + k]) * p[i] + (x[i] - y) * p[i + 1]) / (x[i] - x[i + k]);
    return p[0];
}

static void expect_place(const located *c) {
    double value[NODES], test[NODES];
    follow(c);
    orbit_open(&m, c->text, c->variant, "lagrange");
    if (c->set) {
        char name[32];
        double number;
        assert_int_equal(sscanf(c->set, "%31[^=]=%lf", name, &number), 2);
        orbit_set(&m, name, number);
    }
    int index = find_event(c);
    const zw_forced_motion *at = zw_forced_motion_at(study, index), *before = at - 1,
                           *after = at + 1;
    bool fold = c->event == ZW_BIFURCATION_FOLD;
    double back = before->value < at->value ? -1 : 1; /* where motions are, at a fold */
    for (int k = 0; k < NODES; k++) {
        double side = fold ? back * (k + 1) : k < NODES / 2 ? k - NODES / 2 : k - NODES / 2 + 1;
        value[k] = at->value + side * c->step;
        shoot(c, value[k], fold ? before : at);
        test[k] = test_of(c->event);
        if (fold) {
            shoot(c, value[k], after);
            test[k] *= test_of(c->event);
        }
    }
    double place = interpolate(test, value, 0);
    if (!(fabs(place - at->value) < c->tolerance))
        fail_msg("event %d over %s: located at %.12g, by shooting at %.12g", (int)c->event, c->over,
                 at->value, place);
    orbit_close(&m);
    leave();
}

static const char two_wells[] = "model m\nunits none\nparam F = 0.2\ncoord x\nkinetic 1/2*x'^2\n"
                                "potential -1/2*x^2 + 1/4*x^4\ndissipation 0.15*x'^2\n"
                                "force drive (x) = F*cos(1.2*t)\nstart x = 1\n";
static const char pendulum[] =
    "model m\nunits none\nparam F = 0.5\ncoord phi\nkinetic 1/2*phi'^2\n"
    "potential -cos(phi)\ndissipation 0.25*phi'^2\nforce drive (phi) = F*cos(2/3*t)\n";
/* the same with a constraint; the force is along the circle, and so is the friction */
static const char on_circle[] =
    "model m\nunits none\nparam F = 0.5\ncoord x, y\nparticle P : 1 at (x, y)\n"
    "constraint circle : x^2 + y^2 = 1\npotential y\ndissipation 0.25*(x'^2 + y'^2)\n"
    "force drive (x, y) = F*cos(2/3*t)*(-y, x)\nstart x = 0, y = -1\n";

static void test_located__folds(void **state) {
    (void)state;
    for (int number = 0; number < 2; number++)
        expect_place(&(located){.text = ORBIT_MODEL("duffing"),
                                .variant = "set_2",
                                .over = "Omega=3:4",
                                .parameter = "Omega",
                                .find = 3,
                                .harmonics = 11,
                                .event = ZW_BIFURCATION_FOLD,
                                .number = number,
                                .step = 2e-4,
                                .tolerance = 1e-8});
}

static void test_located__broken_symmetry(void **state) {
    (void)state;
    expect_place(&(located){.text = pendulum,
                            .over = "F=0.4:1.2",
                            .parameter = "F",
                            .find = 0.4,
                            .harmonics = 31,
                            .event = ZW_BIFURCATION_BRANCH,
                            .step = 1e-3,
                            .tolerance = 1e-8});
}

static void test_located__doubled_period(void **state) {
    (void)state;
    expect_place(&(located){.text = two_wells,
                            .over = "F=0.1:0.3",
                            .parameter = "F",
                            .find = 0.1,
                            .harmonics = 31,
                            .event = ZW_BIFURCATION_FLIP,
                            .step = 1e-3,
                            .tolerance = 1e-8});
}

static void test_located__torus(void **state) {
    (void)state;
    expect_place(&(located){.text = ORBIT_MODEL("absorber_planar"),
                            .set = "p_0=2.5 [1/s^2]",
                            .over = "omega=3.2:3.5",
                            .parameter = "omega",
                            .find = 3.35,
                            .harmonics = 41,
                            .event = ZW_BIFURCATION_TORUS,
                            .step = 1e-3,
                            .tolerance = 1e-8});
}

static const char chain[] =
    "model m\nunits none\nparam w = 1\ncoord x, y, z\nkinetic 1/2*x'^2 + 1/2*y'^2 + 1/2*z'^2\n"
    "potential 1/2*(x^2 + y^2 + z^2) + 1/40*(x^4 + y^4 + z^4) + 1/8*(x - y)^2 + 1/8*(y - z)^2\n"
    "dissipation 1/40*(x'^2 + y'^2 + z'^2)\nforce drive (x) = 0.18*cos(w*t)\n";

/* all multipliers of motions along a curve: mass matrices that are fixed and that vary */
static void test_located__multipliers_as_by_shooting(void **state) {
    (void)state;
    static const located known[] = {
        {.text = ORBIT_MODEL("duffing"),
         .variant = "set_2",
         .over = "Omega=3:4",
         .parameter = "Omega",
         .find = 3,
         .harmonics = 13},
        {.text = chain, .over = "w=1:1.2", .parameter = "w", .find = 1, .harmonics = 13},
        {.text = ORBIT_MODEL("absorber_planar"),
         .over = "omega=2:4",
         .parameter = "omega",
         .find = 4,
         .harmonics = 31}};
    for (size_t c = 0; c < sizeof known / sizeof *known; c++) {
        follow(&known[c]);
        orbit_open(&m, known[c].text, known[c].variant, "lagrange");
        for (int i = 0; i < zw_forced_motions(study); i += 13) {
            const zw_forced_motion *at = zw_forced_motion_at(study, i);
            shoot(&known[c], at->value, at);
            const zw_floquet *f = &m.at.floquet;
            assert_int_equal(f->n, at->nmultiplier);
            assert_true(at->accuracy <= 1e-8);
            for (int k = 0; k < f->n; k++) {
                double away = INFINITY;
                for (int j = 0; j < f->n; j++)
                    away = fmin(away, hypot(f->re[k] - at->re[j], f->im[k] - at->im[j]));
                /* two that are nearly one tell their errors' root */
                if (!(away <= fmax(1e-8, 1e-8 * hypot(f->re[k], f->im[k])) || away <= at->accuracy))
                    fail_msg("over %s at %.9g: %.12g %+.12g i is off by %.1e, told is %.1e",
                             known[c].over, at->value, f->re[k], f->im[k], away, at->accuracy);
            }
            assert_int_equal(at->outside, f->outside);
        }
        orbit_close(&m);
        leave();
    }
}

/* multipliers by the general way, on the manifold of a constraint: the same place */
static void test_located__with_a_constraint(void **state) {
    (void)state;
    double value[2];
    const char *text[] = {pendulum, on_circle};
    for (int i = 0; i < 2; i++) {
        const located c = {.text = text[i],
                           .over = "F=0.4:1.2",
                           .parameter = "F",
                           .find = 0.4,
                           .harmonics = i ? 51 : 31,
                           .event = ZW_BIFURCATION_BRANCH};
        follow(&c);
        value[i] = zw_forced_motion_at(study, find_event(&c))->value;
        leave();
    }
    assert_close(value[0], value[1], 1e-8);
}

/* A weakly damped chain, whose second resonance is 2e-3 wide: the first walk steps over one of its
 * folds, and the curve is walked again. The parameter turns at folds alone, and the number of
 * unstable multipliers changes at special points alone. */
static void test_located__a_fold_is_not_passed_over(void **state) {
    (void)state;
    const located c = {.text = "model r\nunits none\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                               "potential 1/2*x^2 + 5.6/4*x^4 - 0.7389/3*x^3 + 1/2*7.627*y^2 + "
                               "1.867/4*y^4 + 1/2*0.2518*(x - y)^2\n"
                               "dissipation 1/2*0.001244*(x'^2 + y'^2)\nparam W = 1, F = 0.01207\n"
                               "force d (x) = F*cos(W*t)\n",
                       .over = "W=0.3:6",
                       .find = 0.3};
    follow(&c);
    int turns = 0, folds = 0;
    for (int i = 1; i + 1 < zw_forced_motions(study); i++) {
        const zw_forced_motion *a = zw_forced_motion_at(study, i - 1),
                               *p = zw_forced_motion_at(study, i),
                               *b = zw_forced_motion_at(study, i + 1);
        if (a->curve < 0 || a->curve != b->curve)
            continue;
        bool turn = (p->value - a->value) * (b->value - p->value) < 0,
             near = a->event == ZW_BIFURCATION_FOLD || b->event == ZW_BIFURCATION_FOLD;
        turns += turn;
        folds += p->event == ZW_BIFURCATION_FOLD;
        assert_true(!turn || near || p->event == ZW_BIFURCATION_FOLD);
        if (p->event == ZW_BIFURCATION_POINT && b->event == ZW_BIFURCATION_POINT)
            assert_int_equal(p->outside, b->outside);
    }
    assert_true(turns >= 4 && folds % 2 == 0); /* it begins and ends on the lowest of its sheets */
    leave();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_located__a_fold_is_not_passed_over),
        cmocka_unit_test(test_located__folds),
        cmocka_unit_test(test_located__broken_symmetry),
        cmocka_unit_test(test_located__doubled_period),
        cmocka_unit_test(test_located__torus),
        cmocka_unit_test(test_located__with_a_constraint),
        cmocka_unit_test(test_located__multipliers_as_by_shooting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
