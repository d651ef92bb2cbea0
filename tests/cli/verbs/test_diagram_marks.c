/* SPDX-License-Identifier: MIT */
/* Marks that lie together, on ends of ranges, where models start, and marks that are none: models
 * in closed form on which a diagram must say neither too much nor too little. */
#include <math.h>
#include <stdio.h>

#include "support/report.h"
#include "support/test.h"
#include "zwang/diagram.h"
#include "zwang/zwang.h"

static zw_context *ctx;
static zw_system *sys;
static zw_diagram *d;
static zw_error err;

static void open_with(const char *text, const char *over, int orbits) {
    zw_diagram_options o = zw_diagram_options_default();
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    o.over = over;
    o.orbits = orbits;
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &err) < 0 ||
        zw_diagram_create(&d, sys, &o, &err) < 0)
        fail_msg("%s: %s", over, err.text);
}

static void open_diagram(const char *text, const char *over) {
    open_with(text, over, 0);
}

static void close_all(void) {
    zw_diagram_destroy(d);
    zw_context_destroy(ctx);
    d = NULL;
}

static char *text_of(void) {
    zw_report *r = report_begin(sys->name);
    zw_diagram_report(d, r);
    return report_take_text(r);
}

static const zw_diagram_event *event(zw_diagram_kind kind, int number) {
    for (int i = 0; i < zw_diagram_events(d); i++)
        if (zw_diagram_event_at(d, i)->kind == kind && number-- == 0)
            return zw_diagram_event_at(d, i);
    fail_msg("nothing of kind %d happens:\n%s", kind, text_of());
    return NULL;
}

static int count(zw_diagram_kind kind) {
    int n = 0;
    for (int i = 0; i < zw_diagram_events(d); i++)
        n += zw_diagram_event_at(d, i)->kind == kind;
    return n;
}

static void has(const zw_diagram_event *e, const char *words) {
    if (!strstr(e->text, words))
        fail_msg("'%s' does not say '%s'", e->text, words);
}

static int doubts(void) {
    zw_warnings *list = zw_warnings_create(NULL);
    zw_diagram_warnings(d, list);
    int n = zw_warnings_count(list);
    zw_warnings_destroy(list);
    return n;
}

/* nothing else than so many folds, branch points, Hopf points, ends of motions along a symmetry */
static void only(int folds, int branches, int hopf, int shrinks) {
    if (count(ZW_DIAGRAM_FOLD) != folds || count(ZW_DIAGRAM_BRANCH) != branches ||
        count(ZW_DIAGRAM_HOPF) != hopf || count(ZW_DIAGRAM_SHRINKS) != shrinks ||
        count(ZW_DIAGRAM_UNLOCATED) != 0 || count(ZW_DIAGRAM_STEADY_END) != 0)
        fail_msg("%s", text_of());
}

/* steady motions at a value, and how many of them are stable */
static void expect(double value, int steady, int stable) {
    for (int i = 0; i < zw_diagram_ranges(d); i++) {
        const zw_diagram_range *r = zw_diagram_range_at(d, i);
        if (value < r->from || value > r->to)
            continue;
        if (r->steady != steady || r->steady_stable != stable)
            fail_msg("at %g:\n%s", value, text_of());
        return;
    }
    fail_msg("no range holds %g", value);
}

/* x = 0 loses its stability twice, at 0 and at c: on the way both lie in one step */
static void test_diagram_marks__two_pitchforks(void **state) {
    (void)state;
    static const double apart[] = {1e-2, 1e-3, 1e-5};
    for (int i = 0; i < 3; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "model two\nunits none\nparam p = 1, c = %g\n"
                 "state x, y : x' = p*x - x^3, y' = (p - c)*y - y^3\nstart x = 0, y = 0\n",
                 apart[i]);
        open_diagram(text, "p=-1:2");
        only(0, 4, 0, 0); /* of x = 0, and of x^2 = p twice */
        assert_close(event(ZW_DIAGRAM_BRANCH, 0)->value, 0, 1e-8);
        for (int k = 1; k < 4; k++)
            assert_close(event(ZW_DIAGRAM_BRANCH, k)->value, apart[i], 1e-8);
        assert_int_equal(doubts(), 0);
        expect(1, 9, 4);
        close_all();
    }
}

/* two Hopf points of different frequencies, and a pitchfork with one of them */
static void test_diagram_marks__two_hopf_points(void **state) {
    (void)state;
    open_diagram(
        "model two\nunits none\nparam p = 1\nstate x, y, u, v : x' = p*x - y - x^3,\n"
        "y' = x + p*y - y^3, u' = (p - 0.002)*u - 3*v - u^3, v' = 3*u + (p - 0.002)*v - v^3\n"
        "start x = 0\n",
        "p=-1:2");
    only(0, 0, 2, 0);
    assert_close(event(ZW_DIAGRAM_HOPF, 0)->value, 0, 1e-8);
    assert_close(event(ZW_DIAGRAM_HOPF, 1)->value, 0.002, 1e-8);
    assert_int_equal(doubts(), 0);
    close_all();
    open_diagram("model two\nunits none\nparam p = 1\nstate x, y, u : x' = p*x - y - x^3,\n"
                 "y' = x + p*y - y^3, u' = (p - 0.002)*u - u^3\nstart x = 0\n",
                 "p=-1:2");
    assert_close(event(ZW_DIAGRAM_HOPF, 0)->value, 0, 1e-8);
    assert_close(event(ZW_DIAGRAM_BRANCH, 0)->value, 0.002, 1e-8);
    assert_int_equal(count(ZW_DIAGRAM_UNLOCATED) + count(ZW_DIAGRAM_FOLD), 0);
    close_all();
}

/* p x - x^3 + e: the branches pass each other, and one of them turns at p = 3 (e/2)^(2/3) */
static void test_diagram_marks__imperfections(void **state) {
    (void)state;
    static const double e[] = {1e-2, 1e-4, 1e-6, 1e-9, -1e-9, 1e-10};
    for (int i = 0; i < 6; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "model imperfect\nunits none\nparam p = 1\nstate x : x' = p*x - x^3 + %.17g\n"
                 "start x = 1\n",
                 e[i]);
        open_diagram(text, "p=-1:2");
        only(1, 0, 0, 0);
        double fold = 3 * pow(fabs(e[i]) / 2, 2. / 3);
        assert_close(event(ZW_DIAGRAM_FOLD, 0)->value, fold, 1e-4 * fold);
        has(event(ZW_DIAGRAM_FOLD, 0), "gone for smaller p");
        assert_int_equal(doubts(), 0);
        expect(-0.5, 1, 1);
        expect(1, 3, 2);
        close_all();
    }
    open_diagram("model nearly\nunits none\nparam p = 1\nstate x : x' = p*x - x^3 + 1e-12\n"
                 "start x = 1\n",
                 "p=-1:2"); /* beyond what can be told apart: said with the number */
    has(event(ZW_DIAGRAM_BRANCH, 0), "imperfection of 5e-13");
    close_all();
    open_diagram("model perfect\nunits none\nparam p = 1\nstate x : x' = p*x - x^3\nstart x = 1\n",
                 "p=-1:2");
    assert_null(strstr(event(ZW_DIAGRAM_BRANCH, 0)->text, "imperfection"));
    close_all();
}

/* x = 0, x^2 = p, y^2 = p (or 2 p) and both together meet at p = 0 */
static void test_diagram_marks__several_at_once(void **state) {
    (void)state;
    static const char *const text[] = {
        "model several\nunits none\nparam p = 1\nstate x, y : x' = p*x - x^3, y' = p*y - y^3\n"
        "start x = 0.5, y = 0.3\n",
        "model several\nunits none\nparam p = 1\nstate x, y : x' = p*x - x^3, y' = 2*p*y - y^3\n"
        "start x = 0, y = 0\n"};
    for (int i = 0; i < 2; i++) {
        open_diagram(text[i], "p=-1:2");
        only(0, 1, 0, 0);
        assert_close(event(ZW_DIAGRAM_BRANCH, 0)->value, 0, 1e-8);
        has(event(ZW_DIAGRAM_BRANCH, 0), "2 eigenvalues vanish at once");
        expect(-0.5, 1, 1);
        expect(1, 9, 4);
        close_all();
    }
}

/* x y z + ... with the symmetry of a tetrahedron: x = y = z = t with p + 2 t - t^2 = 0 and its four
 * images, and x^2 = p on each axis, meet at p = 0, three eigenvalues at once; x^2 - y^2, -2 x y
 * with that of a triangle, r^2 - r = p */
static void test_diagram_marks__symmetric_crossings(void **state) {
    (void)state;
    open_diagram(
        "model tetrahedron\nunits none\nparam p = 0.1\nstate x, y, z : x' = p*x + 2*y*z - x^3,\n"
        "y' = p*y + 2*x*z - y^3, z' = p*z + 2*x*y - z^3\nstart x = 0\n",
        "p=-0.9:1");
    only(0, 1, 0, 0);
    has(event(ZW_DIAGRAM_BRANCH, 0), "3 eigenvalues vanish at once");
    expect(-0.5, 9, 5);
    expect(0.5, 15, 4);
    close_all();
    open_diagram("model triangle\nunits none\nparam p = 0.1\nlet r2 = x^2 + y^2\n"
                 "state x, y : x' = p*x + x^2 - y^2 - x*r2, y' = p*y - 2*x*y - y*r2\nstart x = 0\n",
                 "p=-1:1");
    only(3, 1, 0, 0);
    for (int i = 0; i < 3; i++)
        assert_close(event(ZW_DIAGRAM_FOLD, i)->value, -0.25, 1e-8);
    has(event(ZW_DIAGRAM_BRANCH, 0), "2 eigenvalues vanish at once");
    expect(-0.5, 1, 1);
    expect(-0.1, 7, 4);
    expect(0.5, 7, 3);
    close_all();
}

/* three pendulums in a row on springs, pulled: a closed branch leaves a symmetric one at F = 2.03
 * and comes back to it, a pitchfork at each place */
static void test_diagram_marks__closed_branches(void **state) {
    (void)state;
    open_diagram("model chain\nunits none\nparam F = 0.2\n"
                 "state u, v, w : u' = v - 2*u - 3*sin(u) + F, v' = u + w - 2*v - 3*sin(v) + F,\n"
                 "w' = v - 2*w - 3*sin(w) + F\nstart u = 0\n",
                 "F=0:4");
    assert_int_equal(count(ZW_DIAGRAM_BRANCH), 2);
    has(event(ZW_DIAGRAM_BRANCH, 0), "pitchfork");
    has(event(ZW_DIAGRAM_BRANCH, 0), "towards larger F");
    has(event(ZW_DIAGRAM_BRANCH, 1), "pitchfork");
    has(event(ZW_DIAGRAM_BRANCH, 1), "towards smaller F");
    close_all();
}

/* a model that starts where branches cross, within the range and at its end; a range that ends
 * there */
static void test_diagram_marks__starts_and_ends_on_crossings(void **state) {
    (void)state;
    static const char cross[] =
        "model t\nunits none\nparam p = %s\nstate x : x' = p*x - x^2\nstart x = %s\n";
    static const char *const at[][2] = {{"0", "0"}, {"0", "1"}, {"1", "1"}, {"1", "0"}};
    static const char *const over[] = {"p=-1:2", "p=0:2", "p=2:0", "p=-2:0"};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            char text[200];
            if (k == 3 && i > 1) /* starts out of the range */
                continue;
            snprintf(text, sizeof text, cross, at[i][0], at[i][1]);
            open_diagram(text, over[k]);
            only(0, 1, 0, 0);
            assert_close(event(ZW_DIAGRAM_BRANCH, 0)->value, 0, 1e-8);
            assert_int_equal(zw_branches_count(zw_diagram_branches(d)), 2);
            assert_int_equal(doubts(), 0);
            expect(k == 3 ? -1 : 1, 2, 1);
            close_all();
        }
    static const char duffing[] = "model d\nunits none\nparam k = 0\ncoord x\nkinetic x'^2/2\n"
                                  "potential k*x^2/2 + x^4/4\nforce (x) = -0.1*x'\nstart x = 1\n";
    static const char *const stiffness[] = {"k=-1:1", "k=1:0", "k=0:-1", "k=1:-1"};
    for (int i = 0; i < 4; i++) { /* a cubic spring alone at k = 0 */
        open_diagram(duffing, stiffness[i]);
        only(0, 1, 0, 0);
        assert_close(event(ZW_DIAGRAM_BRANCH, 0)->value, 0, 1e-8);
        assert_int_equal(doubts(), 0);
        if (i != 2)
            expect(0.5, 1, 1);
        if (i != 1)
            expect(-0.5, 3, 2);
        close_all();
    }
    open_diagram("model epidemic\nunits none\nparam R = 2\nstate s, i : s' = 0.1*(1 - s) - R*s*i,\n"
                 "i' = R*s*i - i\nstart s = 0.5, i = 0.05\n",
                 "R=1:3");
    only(0, 1, 0, 0);
    assert_close(event(ZW_DIAGRAM_BRANCH, 0)->value, 1, 1e-9);
    assert_int_equal(doubts(), 0);
    expect(2, 2, 1);
    close_all();
    open_diagram("model fork\nunits none\nparam p = 0\nstate x : x' = p*x - x^3\nstart x = 0\n",
                 "p=-1:1");
    only(0, 1, 0, 0);
    has(event(ZW_DIAGRAM_BRANCH, 0), "supercritical");
    expect(0.5, 3, 2);
    close_all();
}

#define NORMAL_FORM                                                                                \
    "model normal\nunits none\nparam p = 0.1, b = %g\nlet r2 = x^2 + y^2\n"                        \
    "state x, y : x' = p*x - y + b*r2*x - r2^2*x, y' = x + p*y + b*r2*y - r2^2*y\n"                \
    "start x = 0.5, y = 0\n"

/* r' = p r + b r^3 - r^5: circles r^4 = p of a degenerate Hopf point (b = 0), and with b = 1 those
 * that turn at p = -1/4. As motions along the turn they end where they shrink to a point */
static void test_diagram_marks__normal_forms_of_hopf_points(void **state) {
    (void)state;
    char text[300];
    snprintf(text, sizeof text, NORMAL_FORM, 0.0);
    open_with(text, "p=-1:1", 8);
    only(0, 0, 1, 1);
    has(event(ZW_DIAGRAM_HOPF, 0), "degenerate");
    assert_close(event(ZW_DIAGRAM_HOPF, 0)->value, 0, 1e-8);
    assert_close(event(ZW_DIAGRAM_SHRINKS, 0)->value, 0, 1e-8);
    expect(-0.5, 1, 1);
    expect(0.5, 2, 1);
    close_all();
    snprintf(text, sizeof text, NORMAL_FORM, 1.0);
    open_with(text, "p=-1:1", 8);
    only(1, 0, 1, 1);
    assert_close(event(ZW_DIAGRAM_FOLD, 0)->value, -0.25, 1e-9);
    assert_close(event(ZW_DIAGRAM_ORBIT_FOLD, 0)->value, -0.25, 1e-6);
    has(event(ZW_DIAGRAM_HOPF, 0), "subcritical");
    expect(-0.1, 3, 2);
    expect(0.5, 2, 1);
    close_all();
}

/* W. F. Langford's equations (in the form of B. D. Hassard, N. D. Kazarinoff, Y.-H. Wan, 1981):
 * circles r^2 = (1 - l)(2 l - 1), z = 1 - l from l = 1/2 to 1, which turn unstable at l = 2/3, and
 * z = 0, z = l; the model starts at the Hopf point */
static void test_diagram_marks__langford(void **state) {
    (void)state;
    open_diagram(
        "model langford\nunits none\nparam l = 0.5\nstate x, y, z : x' = (l - 1)*x - y + x*z,\n"
        "y' = x + (l - 1)*y + y*z, z' = l*z - (x^2 + y^2 + z^2)\nstart x = 0.3, y = 0, z = 0.5\n",
        "l=0.1:1.9");
    only(0, 0, 3, 2);
    assert_close(event(ZW_DIAGRAM_SHRINKS, 0)->value, 0.5, 1e-7);
    assert_close(event(ZW_DIAGRAM_SHRINKS, 1)->value, 1, 1e-7);
    assert_close(event(ZW_DIAGRAM_HOPF, 0)->value, 0.5, 1e-8);
    has(event(ZW_DIAGRAM_HOPF, 0), "z = 0.5");
    assert_close(event(ZW_DIAGRAM_HOPF, 1)->value, 2. / 3, 1e-8);
    has(event(ZW_DIAGRAM_HOPF, 1), "degenerate"); /* there is a first integral at this value */
    assert_close(event(ZW_DIAGRAM_HOPF, 2)->value, 1, 1e-8);
    expect(0.3, 2, 1);
    expect(0.6, 3, 1);
    expect(0.9, 3, 0);
    close_all();
}

/* what is 1e13 times as fast changes nothing */
static void test_diagram_marks__far_apart(void **state) {
    (void)state;
    static const char *const fast[] = {"1e9", "1e12", "1e13", "1e14"};
    for (int i = 0; i < 4; i++) {
        char text[300];
        snprintf(
            text, sizeof text,
            "model stiff\nunits none\nparam p = 0.5\nstate x, y : x' = p*x - x^3, y' = -%s*y + x\n"
            "start x = 0.5\n",
            fast[i]);
        open_diagram(text, "p=-1:2");
        only(0, 1, 0, 0);
        assert_close(event(ZW_DIAGRAM_BRANCH, 0)->value, 0, 1e-8);
        has(event(ZW_DIAGRAM_BRANCH, 0), "supercritical");
        expect(-0.5, 1, 1);
        expect(1, 3, 2);
        close_all();
        snprintf(text, sizeof text,
                 "model stiff\nunits none\nparam p = 0.5\nstate x, y, z : x' = p*x - y - x^3,\n"
                 "y' = x + p*y, z' = -%s*z\nstart x = 0.1\n",
                 fast[i]);
        open_diagram(text, "p=-1:0.5");
        assert_close(event(ZW_DIAGRAM_HOPF, 0)->value, 0, 1e-8);
        has(event(ZW_DIAGRAM_HOPF, 0), "supercritical");
        expect(-0.5, 1, 1);
        close_all();
    }
}

/* A circle r = 1 with two bands that turn over once on the way: multipliers -exp(2 pi p) and -exp(2
 * pi (p - c)) both pass -1 within a step */
static void test_diagram_marks__two_period_doublings(void **state) {
    (void)state;
    open_with("model bands\nunits none\nparam p = -0.2, c = 0.004\nlet g = 1 - x^2 - y^2\n"
              "state x, y, a, b, u, v : x' = g*x - y, y' = x + g*y,\n"
              "a' = (p - 1)/2*a + (p + 1)/2*(x*a + y*b) - b/2 - a^3,\n"
              "b' = (p - 1)/2*b + (p + 1)/2*(y*a - x*b) + a/2 - b^3,\n"
              "u' = (p - c - 1)/2*u + (p - c + 1)/2*(x*u + y*v) - v/2 - u^3,\n"
              "v' = (p - c - 1)/2*v + (p - c + 1)/2*(y*u - x*v) + u/2 - v^3\nstart x = 1\n",
              "p=-0.3:0.3", 1);
    if (count(ZW_DIAGRAM_ORBIT_FLIP) != 2)
        fail_msg("%s", text_of());
    assert_close(event(ZW_DIAGRAM_ORBIT_FLIP, 0)->value, 0, 1e-6);
    assert_close(event(ZW_DIAGRAM_ORBIT_FLIP, 1)->value, 0.004, 1e-6);
    close_all();
}

/* A start on a Hopf point, and ranges that begin or end there: the Brusselator at B = 1 + A^2 */
static void test_diagram_marks__starts_and_ends_on_hopf_points(void **state) {
    (void)state;
    static const char text[] =
        "model reaction\nunits none\nparam A = 1, B = 2\n"
        "state x, y : x' = A - (B + 1)*x + x^2*y, y' = B*x - x^2*y\nstart x = 1, y = 2\n";
    static const char *const over[] = {"B=1:3", "B=3:1", "B=2:3", "B=2:1", "B=1:2"};
    for (int i = 0; i < 5; i++) {
        open_diagram(text, over[i]);
        only(0, 0, 1, 0);
        assert_close(event(ZW_DIAGRAM_HOPF, 0)->value, 2, 1e-8);
        has(event(ZW_DIAGRAM_HOPF, 0), "supercritical");
        assert_int_equal(doubts(), 0);
        if (i != 2)
            expect(1.5, 1, 1);
        if (i < 3)
            expect(2.5, 1, 0);
        close_all();
    }
}

/* Lorenz's equations from the pitchfork on, downwards, with a start that is zero: sizes are those
 * of all motions found, not of the small ones beside it */
static void test_diagram_marks__sizes(void **state) {
    (void)state;
    open_diagram("model lorenz\nunits none\nparam r = 1\nstate x, y, z : x' = 10*(y - x),\n"
                 "y' = x*(r - z) - y, z' = x*y - 8/3*z\nstart x = 0, y = 0, z = 0\n",
                 "r=30:1");
    only(0, 1, 1, 0);
    assert_close(event(ZW_DIAGRAM_BRANCH, 0)->value, 1, 1e-8);
    assert_close(event(ZW_DIAGRAM_HOPF, 0)->value, 470.0 / 19, 1e-8);
    has(event(ZW_DIAGRAM_HOPF, 0), "subcritical");
    close_all();
}

/* r' = r (1 - r^2), phi' = w - cos(phi): at w = 1 two steady motions meet on the circle, and beyond
 * it is an orbit of the period 2 pi/sqrt(w^2 - 1) */
static void test_diagram_marks__fold_on_an_orbit(void **state) {
    (void)state;
    open_with("model circle\nunits none\nparam w = 1.5\nlet g = 1 - x^2 - y^2\n"
              "state x, y : x' = g*x - y*(w - x), y' = g*y + x*(w - x)\nstart x = 1\n",
              "w=0.5:2", 2);
    only(1, 0, 0, 0);
    assert_close(event(ZW_DIAGRAM_FOLD, 0)->value, 1, 1e-8);
    assert_close(event(ZW_DIAGRAM_HOMOCLINIC, 0)->value, 1, 1e-8);
    has(event(ZW_DIAGRAM_HOMOCLINIC, 0), "two steady motions meet on them");
    assert_int_equal(count(ZW_DIAGRAM_ORBIT_END), 0);
    close_all();
}

/* a rod on a spring in redundant coordinates, whose angle jumps by atan2: no orbits, but what rests
 * is told. It buckles at P = k/L */
static void test_diagram_marks__without_orbits(void **state) {
    (void)state;
    open_with("model rod\nparam P = 1 [N], k = 2 [N*m], L = 1 [m], m = 1 [kg]\ncoord x, y [m]\n"
              "particle tip : m at (x, y)\nlet al = atan2(x, y)\npotential k*al^2/2 + P*y\n"
              "force (x, y) = (-0.1[N*s/m]*x', -0.1[N*s/m]*y')\n"
              "constraint rod : x^2 + y^2 = L^2\nstart x = 0\nguess y = 1 [m]\n",
              "P=0.5:3", 8);
    only(0, 1, 0, 0);
    assert_close(event(ZW_DIAGRAM_BRANCH, 0)->value, 2, 1e-8);
    has(event(ZW_DIAGRAM_BRANCH, 0), "supercritical");
    assert_int_equal(doubts(), 1);
    expect(1, 1, 1);
    expect(2.5, 3, 2);
    close_all();
}

#define TEST(name) cmocka_unit_test(test_diagram_marks__##name)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(two_pitchforks),
        TEST(two_hopf_points),
        TEST(imperfections),
        TEST(several_at_once),
        TEST(symmetric_crossings),
        TEST(closed_branches),
        TEST(starts_and_ends_on_crossings),
        TEST(normal_forms_of_hopf_points),
        TEST(langford),
        TEST(far_apart),
        TEST(two_period_doublings),
        TEST(starts_and_ends_on_hopf_points),
        TEST(sizes),
        TEST(fold_on_an_orbit),
        TEST(without_orbits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
