/* SPDX-License-Identifier: MIT */
/* What is said to happen over a parameter, against models of which it is known: closed forms of
 * marks, homoclinic values of the literature, how many motions are stable between. */
#include "zwang/diagram.h"

#include <math.h>
#include <stdio.h>

#include "support/failing_allocator.h"
#include "support/report.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static zw_context *ctx;
static zw_system *sys;
static zw_diagram *d;
static zw_error err;

static zw_status try_open(const char *text, const zw_diagram_options *options) {
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    zw_status status = text[0] == '/'
                           ? zw_model_read(&sys, ctx, text, NULL, &err)
                           : zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &err);
    return status < 0 ? status : zw_diagram_create(&d, sys, options, &err);
}

static void open_diagram(const char *text, const char *over) {
    zw_diagram_options o = zw_diagram_options_default();
    o.over = over;
    if (try_open(text, &o) < 0)
        fail_msg("%s: %s", over, err.text);
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
    fail_msg("nothing of kind %d happens", kind);
    return NULL;
}

static int count(zw_diagram_kind kind) {
    int n = 0;
    for (int i = 0; i < zw_diagram_events(d); i++)
        n += zw_diagram_event_at(d, i)->kind == kind;
    return n;
}

/* steady motions, stable ones, orbits, stable ones at a value */
static void expect(double value, int steady, int stable, int orbits, int stable_orbits) {
    for (int i = 0; i < zw_diagram_ranges(d); i++) {
        const zw_diagram_range *r = zw_diagram_range_at(d, i);
        if (value < r->from || value > r->to)
            continue;
        assert_int_equal(r->steady, steady);
        assert_int_equal(r->steady_stable, stable);
        assert_int_equal(r->orbits, orbits);
        assert_int_equal(r->orbits_stable, stable_orbits);
        return;
    }
    fail_msg("no range holds %g", value);
}

static void has(const zw_diagram_event *e, const char *words) {
    if (!strstr(e->text, words))
        fail_msg("'%s' does not say '%s'", e->text, words);
}

static void expect_end(int branch, int side, zw_diagram_end_kind kind, double value) {
    const zw_diagram_end *e = zw_diagram_end_at(d, branch, side);
    assert_non_null(e);
    assert_int_equal(e->kind, kind);
    assert_close(e->value, value, 1e-8);
}

/* pitchfork at 1, subcritical Hopf point at 470/19, homoclinic at 13.926557 (C. Sparrow, The Lorenz
 * Equations, 1982) */
static void test_diagram__lorenz(void **state) {
    (void)state;
    open_diagram(MODEL("lorenz"), "rho=0:30");
    assert_int_equal(zw_branches_count(zw_diagram_branches(d)), 2);
    assert_close(event(ZW_DIAGRAM_BRANCH, 0)->value, 1, 1e-8);
    has(event(ZW_DIAGRAM_BRANCH, 0), "pitchfork");
    has(event(ZW_DIAGRAM_BRANCH, 0), "supercritical");
    assert_int_equal(count(ZW_DIAGRAM_HOPF), 1); /* and its image */
    assert_int_equal(event(ZW_DIAGRAM_HOPF, 0)->images, 1);
    assert_close(event(ZW_DIAGRAM_HOPF, 0)->value, 470.0 / 19, 1e-8);
    has(event(ZW_DIAGRAM_HOPF, 0), "subcritical");
    assert_close(event(ZW_DIAGRAM_HOMOCLINIC, 0)->value, 13.926557, 1e-6);
    has(event(ZW_DIAGRAM_HOMOCLINIC, 0), "x = 0, y = 0, z = 0");
    expect_end(0, 0, ZW_DIAGRAM_END_HOPF, 470.0 / 19);
    expect_end(0, 1, ZW_DIAGRAM_END_HOMOCLINIC, event(ZW_DIAGRAM_HOMOCLINIC, 0)->value);
    expect(0.5, 1, 1, 0, 0);
    expect(5, 3, 2, 0, 0);
    expect(20, 3, 2, 2, 0); /* one about each of the two rolls */
    assert_int_equal(event(ZW_DIAGRAM_HOMOCLINIC, 0)->images, 1);
    expect(28, 3, 0, 0, 0);
    /* the table has the orbits about both rolls: x and y change their signs */
    zw_table *t;
    assert_int_equal(zw_diagram_table(d, NULL, &t, &err), ZW_OK);
    int curve = zw_table_find(t, "curve"), high = zw_table_find(t, "max(x)"),
        low = zw_table_find(t, "min(x)"), of_z = zw_table_find(t, "max(z)");
    long n = zw_table_rows(t), orbits = 0, images = 0;
    while (orbits < n && zw_table_at(t, orbits, curve) == 0)
        orbits++;
    while (images < n && zw_table_at(t, n - 1 - images, curve) == 3)
        images++;
    assert_true(orbits > 10);
    assert_int_equal(images, orbits);
    for (long i = 0; i < orbits; i++) {
        long k = n - images + i;
        assert_true(zw_table_at(t, k, 0) == zw_table_at(t, i, 0));
        assert_true(zw_table_at(t, k, high) == -zw_table_at(t, i, low));
        assert_true(zw_table_at(t, k, low) == -zw_table_at(t, i, high));
        assert_true(zw_table_at(t, k, of_z) == zw_table_at(t, i, of_z));
    }
    zw_table_destroy(t);
    close_all();
}

/* AUTO's demo ab at p2 = 18: where the large orbits end, as of test_connections__large_loops. At p2
 * = 19 they are not followed to their end, which is at 0.10217487467264 by the same computation;
 * nothing is said to happen where they come near a fold on their way. */
static void test_diagram__large_loops(void **state) {
    static const char text[] =
        "model ab\nunits none\nparam p1 = 0.05, p2 = %d, p3 = 3\n"
        "state u1, u2 : u1' = -u1 + p1*(1 - u1)*exp(u2), "
        "u2' = -u2 + p1*p2*(1 - u1)*exp(u2) - p3*u2\nstart u1 = 0.05, u2 = 0.2\n";
    char model[400];
    (void)state;
    snprintf(model, sizeof model, text, 18);
    open_diagram(model, "p1=0.02:0.3");
    const zw_diagram_event *end = event(ZW_DIAGRAM_HOMOCLINIC, 0);
    assert_close(end->value, 0.110113578162483165, 1e-12);
    assert_true(end->error < 1e-12 && end->error > 0);
    close_all();
    snprintf(model, sizeof model, text, 19);
    open_diagram(model, "p1=0.02:0.3");
    for (int i = 0; i < zw_diagram_events(d); i++) {
        const zw_diagram_event *e = zw_diagram_event_at(d, i);
        bool large = e->kind == ZW_DIAGRAM_HOMOCLINIC && e->value < 0.1025;
        assert_false(large && fabs(e->value - 0.102174874672641) > e->error);
        assert_null(strstr(e->text, "meet on them"));
    }
    close_all();
}

#define CYCLE                                                                                      \
    "model pump\nunits none\nparam c = 0.3\ncoord x\nkinetic x'^2/2\npotential x^2/2\n"            \
    "force (x) = (c - x^2)*x'\nstart x = 0.3\n"
#define REACTION                                                                                   \
    "model brusselator\nunits none\nparam A = 1, B = 1.5\n"                                        \
    "state x, y : x' = A - (B + 1)*x + x^2*y, y' = B*x - x^2*y\nstart x = 1, y = 1\n"
#define HOOP                                                                                       \
    "model hoop\nparam w = 2 [rad/s], R = 1 [m], m = 1 [kg]\ncoord phi [rad]\n"                    \
    "kinetic m*R^2*phi'^2/2 + m*R^2*w^2*sin(phi)^2/2\n"                                            \
    "potential -m*9.81[m/s^2]*R*cos(phi)\nforce (phi) = -0.3[N*m*s]*phi'\nstart phi = 0.1\n"

/* cycles grow out of a supercritical Hopf point: van der Pol's at c = 0, the Brusselator's at B = 1
 * + A^2 */
static void test_diagram__cycles_are_born(void **state) {
    (void)state;
    open_diagram(CYCLE, "c=-1:2");
    assert_close(event(ZW_DIAGRAM_HOPF, 0)->value, 0, 1e-8);
    has(event(ZW_DIAGRAM_HOPF, 0), "supercritical");
    expect(-0.5, 1, 1, 0, 0);
    expect(1, 1, 0, 1, 1);
    assert_int_equal(zw_diagram_events(d), 1);
    close_all();
    open_diagram(REACTION, "B=1:3");
    assert_close(event(ZW_DIAGRAM_HOPF, 0)->value, 2, 1e-8);
    has(event(ZW_DIAGRAM_HOPF, 0), "x = 1, y = 2");
    expect(1.5, 1, 1, 0, 0);
    expect(2.5, 1, 0, 1, 1);
    close_all();
}

/* a bead on a hoop: bottom, top, and beside from w^2 = g/R on */
static void test_diagram__hoop(void **state) {
    (void)state;
    open_diagram(HOOP, "w=1:6");
    assert_close(event(ZW_DIAGRAM_BRANCH, 0)->value, sqrt(9.81), 1e-8);
    has(event(ZW_DIAGRAM_BRANCH, 0), "supercritical");
    expect(2, 2, 1, 0, 0);
    expect(5, 4, 2, 0, 0);
    assert_int_equal(zw_diagram_events(d), 1);
    close_all();
}

/* stable cycles from the Hopf point at 30.9168 down to a connection of the saddles gamma = -90 and
 * 270 degrees near 30.121 */
static void test_diagram__tippedisk(void **state) {
    (void)state;
    open_diagram(MODEL("tippedisk_reduced"), "Omega=29.8:31.2");
    assert_close(event(ZW_DIAGRAM_HOPF, 0)->value, 30.9167616973, 1e-8);
    has(event(ZW_DIAGRAM_HOPF, 0), "supercritical");
    assert_close(event(ZW_DIAGRAM_HETEROCLINIC, 0)->value, 30.121, 5e-4);
    has(event(ZW_DIAGRAM_HETEROCLINIC, 0), "gamma = -1.5708 rad");
    /* two orbits with turning gamma are stable from their fold to the connection; Runge-Kutta in
     * steps of 0.5 ms at 30.1 rad/s settles on them, with a period of 0.9885 s */
    assert_close(event(ZW_DIAGRAM_ORBIT_FOLD, 0)->value, 30.082, 2e-4);
    expect(30, 4, 1, 0, 0);
    expect(30.1, 4, 1, 4, 2);
    expect(30.5, 4, 1, 3, 1);
    expect(31, 4, 2, 2, 0);
    /* next to the connection orbits miss their images by the error of their meshes: their symmetry
     * is not broken */
    zw_warnings *list = zw_warnings_create(NULL);
    zw_diagram_warnings(d, list);
    for (int i = 0; i < zw_warnings_count(list); i++)
        assert_null(strstr(zw_warnings_at(list, i)->text, "is broken or restored"));
    zw_warnings_destroy(list);
    close_all();
}

/* 25 equilibria at all integers between -2 and 2, for all p: 24 starts cannot find them, so more
 * are taken */
static void test_diagram__many_equilibria(void **state) {
    (void)state;
    const zw_equilibria_box box[] = {{"x", -2.5, 2.5}, {"y", -2.5, 2.5}};
    zw_diagram_options o = zw_diagram_options_default();
    o.over = "p=0:0.5";
    o.nbox = 2;
    o.box = box;
    o.orbits = 0;
    const char *text = "model m\nunits none\nparam p = 0.2\n"
                       "state x : x' = sin(pi*x) - p*sin(pi*y)\n"
                       "state y : y' = sin(pi*y) + p*sin(pi*x)\n";
    for (int adaptive = 0; adaptive < 2; adaptive++) {
        if (!adaptive)
            o.most = o.starts;
        else
            o.most = zw_diagram_options_default().most;
        if (try_open(text, &o) < 0)
            fail_msg("%s", err.text);
        int inside = 0;
        const zw_branches *b = zw_diagram_branches(d);
        for (int i = 0; i < zw_branches_points(b); i++) {
            const zw_branches_point *p = zw_branches_at(b, i);
            inside += p->value == 0.5 && fabs(p->x[0]) < 2.5 && fabs(p->x[1]) < 2.5;
        }
        if (adaptive)
            assert_int_equal(inside, 25);
        else
            assert_true(inside < 25);
        close_all();
    }
}

/* A sleigh that is driven turns nowhere: its straight motion is one, in whatever direction starts
 * find it. */
static void test_diagram__displaced_motions_are_one(void **state) {
    (void)state;
    open_diagram("model sleigh\nunits none\nparam mu = 0.5\ncoord x, y, th\nperiodic th\n"
                 "quasi u = x'*cos(th) + y'*sin(th), v = -x'*sin(th) + y'*cos(th), w = th'\n"
                 "frame S : rotate z th at (x, y, 0)\n"
                 "body sleigh : S, inertia(2, 0.5, 0.5, 0.5) at (0.3, 0, 0)\n"
                 "constraint blade : v = 0\nforce (u, w) = (-0.2*(u - 1), mu*w - w^3)\n"
                 "start u = 1, w = 0.1\n",
                 "mu=0.1:0.5");
    assert_int_equal(zw_branches_count(zw_diagram_branches(d)), 1);
    close_all();
}

/* The homoclinic orbit at 0.7429 leaves one large stable orbit, up to a fold near the begin of a
 * long range. The fold is that of the return map to x = 0, by Runge-Kutta in steps of 0.2 ms. */
static void test_diagram__window_at_the_end_of_a_range(void **state) {
    (void)state;
    open_diagram("model m\nunits none\nparam a = 0.7\nstate x : x' = y\n"
                 "state y : y' = x - x^3 - 0.6*y + a*y*x^2\nstart x = 0.5, y = 0\n",
                 "a=0:1.5");
    assert_close(event(ZW_DIAGRAM_ORBIT_FOLD, 0)->value, 0.7853838195, 1e-7);
    expect(0.76, 3, 0, 2, 1);
    expect(1, 3, 0, 0, 0);
    close_all();
}

/* periods double at 2.8324450 and 3.8373582: one orbit is stable up to the end of the cascade */
static void test_diagram__cascade(void **state) {
    (void)state;
    open_diagram(MODEL("roessler"), "c=2:4.1");
    assert_int_equal(count(ZW_DIAGRAM_ORBIT_FLIP), 2);
    assert_close(event(ZW_DIAGRAM_ORBIT_FLIP, 0)->value, 2.8324450, 1e-6);
    assert_close(event(ZW_DIAGRAM_ORBIT_FLIP, 1)->value, 3.8373582, 1e-6);
    expect_end(1, 0, ZW_DIAGRAM_END_DOUBLING, event(ZW_DIAGRAM_ORBIT_FLIP, 0)->value);
    expect_end(1, 1, ZW_DIAGRAM_END_RANGE, 4.1);
    assert_int_equal(zw_diagram_end_at(d, 2, 0)->other, 1);
    expect(2.5, 2, 0, 1, 1);
    expect(3.5, 2, 0, 2, 1);
    expect(4, 2, 0, 3, 1);
    close_all();
}

static void test_diagram__undamped(void **state) {
    (void)state;
    open_diagram(MODEL("double_pendulum"), "g=5:10");
    const zw_diagram_range *r = zw_diagram_range_at(d, 0);
    assert_int_equal(r->steady, 4);
    assert_int_equal(r->steady_stable, 0);
    assert_int_equal(r->steady_open, 1); /* the pendulum hangs: linear terms do not decide */
    zw_warnings *list = zw_warnings_create(NULL);
    zw_diagram_warnings(d, list);
    assert_int_equal(zw_warnings_count(list), 1);
    assert_non_null(strstr(zw_warnings_at(list, 0)->text, "undamped"));
    zw_warnings_destroy(list);
    close_all();
}

static void refuse(const char *text, const char *over, zw_status status, const char *says) {
    zw_diagram_options o = zw_diagram_options_default();
    o.over = over;
    assert_int_equal(try_open(text, &o), status);
    if (!strstr(err.text, says))
        fail_msg("'%s' does not say '%s'", err.text, says);
    close_all();
}

static void test_diagram__refusals(void **state) {
    (void)state;
    refuse(MODEL("duffing"), "Omega=1:2", ZW_E_MODEL, "time enters its equations");
    refuse(MODEL("rolling_disc"), "g=5:15", ZW_E_MODEL, "the steady motions form a family");
    refuse(MODEL("lorenz"), "rhoo=5:15", ZW_E_NAME, "rhoo");
    refuse("model n\nunits none\nparam a = 1\nstate x : x' = 1 + a^2 + x^2\n", "a=0:1",
           ZW_E_NUMERIC, "neither steady motions nor orbits");
}

/* as soon as it is asked: what there is stays */
static bool stop_late(void *user, double done) {
    (void)done;
    return ++*(int *)user > 300;
}

static void test_diagram__stops_with_what_there_is(void **state) {
    (void)state;
    zw_diagram_options o = zw_diagram_options_default();
    int asked = 0;
    o.over = "rho=0:30";
    o.stop = stop_late;
    o.stop_user = &asked;
    if (try_open(MODEL("lorenz"), &o) < 0)
        fail_msg("%s", err.text);
    assert_true(zw_diagram_stopped(d));
    assert_true(zw_branches_points(zw_diagram_branches(d)) > 10);
    zw_warnings *list = zw_warnings_create(NULL);
    zw_diagram_warnings(d, list);
    bool told = false;
    for (int i = 0; i < zw_warnings_count(list); i++)
        told |= strstr(zw_warnings_at(list, i)->text, "stopped") != NULL;
    assert_true(told);
    zw_warnings_destroy(list);
    close_all();
}

/* the table of a diagram is one of orbits: each of them is found again; steady motions follow, and
 * marks point at rows of their values */
static void test_diagram__table(void **state) {
    (void)state;
    zw_table *t;
    zw_orbits_file f;
    open_diagram(CYCLE, "c=-1:2");
    assert_int_equal(zw_diagram_table(d, NULL, &t, &err), ZW_OK);
    if (zw_orbits_file_read(&f, t, &err) < 0)
        fail_msg("%s", err.text);
    int rows = 0; /* that of the start is on a branch already, and no row of its own */
    for (int i = 0; i < zw_orbits_count(zw_diagram_orbits(d)); i++)
        rows += zw_orbits_at(zw_diagram_orbits(d), i)->curve >= 0;
    assert_int_equal(f.n, rows);
    assert_true(rows > 20);
    zw_orbits_file_clear(&f);
    const char *mark = zw_table_get_note(t, "mark 0");
    assert_non_null(mark);
    double value;
    long row;
    assert_int_equal(sscanf(mark, "hopf %lf #%ld", &value, &row), 2);
    assert_close(zw_table_at(t, row, 0), value, 1e-12);
    zw_table_destroy(t);
    close_all();
    open_diagram(MODEL("lorenz"), "rho=10:26");
    assert_int_equal(zw_diagram_table(d, NULL, &t, &err), ZW_OK);
    bool seen = false;
    for (int i = 0; i < 10 && !seen; i++) {
        char key[20];
        snprintf(key, sizeof key, "mark %d", i);
        mark = zw_table_get_note(t, key);
        if (!mark || sscanf(mark, "homoclinic %lf #%ld", &value, &row) != 2)
            continue;
        seen =
            true; /* that of the connection (test_connections.c); the row is that of the last orbit */
        assert_close(value, 13.9265574075, 1e-10);
        assert_close(zw_table_at(t, row, 0), value, 1e-8);
        assert_true(zw_table_at(t, row, zw_table_find(t, "period")) > 5);
    }
    assert_true(seen);
    zw_table_destroy(t);
    close_all();
}

static void test_diagram__survives_failing_memory(void **state) {
    (void)state;
    zw_diagram_options options = zw_diagram_options_default();
    options.over = "c=-0.2:0.2";
    options.starts = 2;
    options.orbits = 1;
    options.points_max = 12;
    for (long n = 1;; n += 1 + n / 4) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_context *c = zw_context_create(&alloc);
        zw_system *s;
        zw_diagram *own = NULL;
        zw_error trouble = {0};
        zw_table *t = NULL;
        zw_bytes text = {0};
        zw_report *report = NULL;
        bool ok = c && zw_model_parse(&s, c, CYCLE, strlen(CYCLE), "t", NULL, &trouble) >= 0 &&
                  zw_diagram_create(&own, s, &options, &trouble) >= 0 &&
                  zw_diagram_table(own, NULL, &t, &trouble) >= 0 &&
                  (report = zw_report_create(&alloc)) != NULL;
        if (ok) {
            zw_report_word(report, "model", s->name);
            zw_diagram_report(own, report);
            ok = zw_report_text(report, &text, &trouble) >= 0;
        }
        zw_report_destroy(report);
        zw_bytes_clear(&text);
        assert_true(ok || f.failed);
        zw_table_destroy(t);
        zw_diagram_destroy(own);
        if (c)
            zw_context_destroy(c);
        assert_int_equal(f.blocks, 0);
        if (!f.failed)
            break;
    }
}

/* x''' = -x''/2 - x' + p x (1 - x): at the bound p = 0 all x rest; s^3 + s^2/2 + s + p = 0 at x = 1
 * has roots +-i at p = 1/2 */
static void test_diagram__family_at_a_bound(void **state) {
    (void)state;
    static const char text[] =
        "model s\nunits none\nparam p = 0.3\nstate x, y, z : x' = y, y' = z, "
        "z' = -0.5*z - y + p*x*(1 - x)\nstart x = 0.01\n";
    zw_diagram_options o = zw_diagram_options_default();
    o.over = "p=0:1"; /* the mark is in the middle */
    o.orbits = 0;
    assert_int_equal(try_open(text, &o), ZW_OK);
    assert_int_equal(count(ZW_DIAGRAM_HOPF), 1);
    assert_close(event(ZW_DIAGRAM_HOPF, 0)->value, 0.5, 1e-9);
    close_all();
    open_diagram(text, "p=0:0.7");
    assert_int_equal(count(ZW_DIAGRAM_HOPF), 1);
    assert_close(event(ZW_DIAGRAM_HOPF, 0)->value, 0.5, 1e-9);
    expect(0.3, 2, 1, 0, 0);
    expect(0.6, 2, 0, 1, 1);
    close_all();
}

/* states much smaller than one: x = 0 and x^2 = e^2 p, and x^2 = e^2 (1 +- sqrt(1 + 4 p))/2 with
 * folds at p = -1/4 */
static void test_diagram__small_states(void **state) {
    (void)state;
    static const char *const start[] = {"start x = 0.005\n", "start x = 0\n"};
    for (int i = 0; i < 2; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "model small\nunits none\nparam p = 0.5\nstate x : x' = p*x - (x/0.01)^2*x\n%s",
                 start[i]);
        open_diagram(text, "p=-1:2");
        assert_int_equal(zw_branches_count(zw_diagram_branches(d)), 2);
        assert_close(event(ZW_DIAGRAM_BRANCH, 0)->value, 0, 1e-8);
        has(event(ZW_DIAGRAM_BRANCH, 0), "supercritical");
        expect(-0.5, 1, 1, 0, 0);
        expect(1, 3, 2, 0, 0);
        close_all();
        snprintf(text, sizeof text,
                 "model two\nunits none\nparam p = -0.1\n"
                 "state x : x' = p*x + (x/0.1)^2*x - (x/0.1)^4*x\n%s",
                 start[i]);
        open_diagram(text, "p=-1:2");
        assert_int_equal(count(ZW_DIAGRAM_FOLD), 2);
        assert_close(event(ZW_DIAGRAM_FOLD, 0)->value, -0.25, 1e-8);
        has(event(ZW_DIAGRAM_FOLD, 0), "gone for smaller p");
        has(event(ZW_DIAGRAM_BRANCH, 0), "subcritical");
        expect(-0.5, 1, 1, 0, 0);
        expect(-0.1, 5, 3, 0, 0);
        expect(1, 3, 2, 0, 0);
        close_all();
    }
}

/* FitzHugh and Nagumo's equations have one steady motion: canards end at no saddle */
static void test_diagram__canard_is_not_homoclinic(void **state) {
    (void)state;
    open_diagram("model fhn\nunits none\nparam I = 0.2, e = 0.01\n"
                 "state v, w : v' = v - v^3/3 - w + I, w' = e*(v + 0.7 - 0.8*w)\n"
                 "start v = -1.2, w = -0.6\n",
                 "I=0.2:0.4");
    assert_int_equal(count(ZW_DIAGRAM_HOMOCLINIC), 0);
    assert_int_equal(count(ZW_DIAGRAM_HETEROCLINIC), 0);
    char *text = text_of();
    assert_true(!count(ZW_DIAGRAM_ORBIT_END) ||
                strstr(text, "without branches that were not followed"));
    free(text);
    close_all();
}

/* x' = -p x: all x at p = 0; x = 1/p and x = -ln p end there */
static void test_diagram__lines_and_ends(void **state) {
    (void)state;
    open_diagram("model line\nunits none\nparam p = 1\nstate x : x' = -p*x\nstart x = 0.1\n",
                 "p=-1:2");
    assert_int_equal(zw_diagram_events(d), 1);
    assert_close(event(ZW_DIAGRAM_BRANCH, 0)->value, 0, 1e-8);
    has(event(ZW_DIAGRAM_BRANCH, 0), "line of steady motions");
    expect(-0.5, 1, 0, 0, 0);
    expect(1, 1, 1, 0, 0);
    close_all();
    open_diagram("model pole\nunits none\nparam p = 1\nstate x : x' = 1 - p*x\nstart x = 1\n",
                 "p=-1:2");
    assert_int_equal(count(ZW_DIAGRAM_STEADY_END), 2);
    assert_close(event(ZW_DIAGRAM_STEADY_END, 0)->value, 0, 1e-5);
    expect(-0.5, 1, 0, 0, 0);
    expect(1, 1, 1, 0, 0);
    close_all();
    open_diagram("model far\nunits none\nparam p = 0.5\nstate x : x' = exp(-x) - p\nstart x = 1\n",
                 "p=-1:2");
    assert_close(event(ZW_DIAGRAM_STEADY_END, 0)->value, 0, 1e-5);
    expect(-0.5, 0, 0, 0, 0);
    expect(1, 1, 1, 0, 0);
    close_all();
}

/* u = 1 and u = -1 share linear and cubic terms, not those of fifth order */
static void test_diagram__no_image(void **state) {
    (void)state;
    open_diagram("model twins\nunits none\nparam p = 0.1\nstate x, y, u : x' = y,\n"
                 "y' = -x + p*y - x^2*y + (1 + u)*5*x^4*y, u' = u - u^3\nstart x = 0.1, u = -0.9\n",
                 "p=-1:1");
    for (int i = 0; i < count(ZW_DIAGRAM_HOPF); i++)
        assert_int_equal(event(ZW_DIAGRAM_HOPF, i)->images, 0);
    assert_int_equal(count(ZW_DIAGRAM_HOPF), 3);
    close_all();
}

/* r' = r (p - r^2), phi' = 1 + x/5 and u' = u - u^3: a circle about each of u = -1, 0, 1, of which
 * u = 0 does not attract. If u changes its sign, that of u = 0 is its own image, those of u = 1 and
 * u = -1 are images of each other. Runs come to both of them. */
static void test_diagram__counts_images(void **state) {
    (void)state;
    open_diagram("model circles\nunits none\nparam p = 0.5\nlet s = x^2 + y^2, w = 1 + x/5\n"
                 "state x, y, u : x' = x*(p - s) - y*w, y' = y*(p - s) + x*w, u' = u - u^3\n"
                 "start x = 0.3, y = 0.1, u = 0.5\n",
                 "p=-1:1");
    expect(-0.5, 3, 2, 0, 0);
    expect(0.5, 3, 0, 3, 2);
    assert_int_equal(zw_orbits_branches(zw_diagram_orbits(d)), 2);
    close_all();
}

/* Chua's circuit with a cubic: a large stable orbit is born in a fold near the end of the range,
 * far from all that branches off; runs at the end find it. */
static void test_diagram__large_orbit_at_the_end(void **state) {
    static const zw_equilibria_box box[] = {{"x", -3, 3}, {"y", -3, 3}, {"z", -5, 5}};
    zw_diagram_options o = zw_diagram_options_default();
    (void)state;
    o.over = "p=6:8";
    o.box = box;
    o.nbox = 3;
    if (try_open("model circuit\nunits none\nparam p = 7\n"
                 "state x, y, z : x' = p*(y - x^3 + 0.207*x), y' = x - y + z, z' = -14.2865*y\n"
                 "start x = 0.3, y = 0.1, z = 0.1\n",
                 &o) < 0)
        fail_msg("%s", err.text);
    expect(7.2, 3, 0, 2, 2);
    expect(7.9, 3, 0, 4, 3); /* the outer one and its unstable partner */
    close_all();
}

/* A pendulum without `periodic`: its equilibria at -2 pi, 0 and 2 pi count as three, and so do the
 * cycles about them, of which the first and the last are images of each other */
static void test_diagram__images_by_turns(void **state) {
    static const zw_equilibria_box box[] = {{"x", -7, 7}, {"y", -2, 2}};
    zw_diagram_options o = zw_diagram_options_default();
    (void)state;
    o.over = "p=0.5:1.5";
    o.box = box;
    o.nbox = 2;
    if (try_open("model swing\nunits none\nparam p = 0.6\n"
                 "state x, y : x' = y, y' = -sin(x) + 0.3*y*(p - cos(x))\nstart x = 0.8, y = 0.2\n",
                 &o) < 0)
        fail_msg("%s", err.text);
    const zw_diagram_range *r = zw_diagram_range_at(d, 0);
    assert_close(r->to, 1, 1e-9);
    assert_int_equal(r->orbits, r->steady_stable); /* one about each */
    assert_int_equal(r->orbits_stable, 0);
    close_all();
}

/* a Hopf point from which no orbit is found, and no other orbit: the diagram has an empty branch of
 * orbits */
static void test_diagram__no_orbit_at_all(void **state) {
    static const zw_equilibria_box box[] = {{"x", -3, 3}, {"y", -3, 3}};
    zw_diagram_options o = zw_diagram_options_default();
    (void)state;
    o.over = "p=-1:1";
    o.box = box;
    o.nbox = 2;
    if (try_open("model waves\n"
                 "units none\n"
                 "param p = -0.26\n"
                 "state x, y :\n"
                 "    x' = sin(2.3248*y) - 0.2814*x + p,\n"
                 "    y' = -sin(2.5995*x) - -0.319*y - 0.053*x*y\n"
                 "start x = 0.3, y = 0.2\n",
                 &o) < 0)
        fail_msg("%s", err.text);
    assert_true(zw_diagram_ranges(d) > 0);
    close_all();
}

/* Near the origin the equations do not see a change of all signs, at y > 0.6 they do: the cycle is
 * the only one. */
static void test_diagram__no_image_beyond_a_kink(void **state) {
    (void)state;
    open_diagram("model kink\nunits none\nparam p = 0.5\nstate x, y :\n"
                 "x' = y + p*x - 1.6*(max(x - 0.9, 0) + min(x + 0.9, 0)),\n"
                 "y' = -x + 0.08*max(y - 0.6, 0)\nstart x = 0.4, y = 0.2\n",
                 "p=0.1:1.2");
    expect(0.6, 1, 0, 1, 1);
    close_all();
}

/* Chua's circuit with a cubic characteristic: two cycles that are images of each other double their
 * periods, each once, as a third one that is its own image comes from a fold with another */
static void test_diagram__images_that_double(void **state) {
    (void)state;
    open_diagram("model chua\nunits none\nparam p = 4.22\n"
                 "state x, y, z : x' = p*(y - x^3 + 0.1528*x), y' = x - y + z, z' = -12.9724*y\n"
                 "start x = 0.3, y = 0.1, z = 0.1\n",
                 "p=2:8");
    expect(6.5, 3, 0, 2, 2);
    expect(7.9, 3, 0, 6, 3);
    assert_int_equal(event(ZW_DIAGRAM_ORBIT_FLIP, 0)->images, 1);
    assert_int_equal(event(ZW_DIAGRAM_ORBIT_FOLD, 0)->images, 0);
    close_all();
}

/* x''' = -0.8219 x'' - x' + p x - x^3: from a start behind the first period doubling the doubled
 * orbits are found before the doubling is known, and are followed once */
static void test_diagram__doubled_orbits_once(void **state) {
    (void)state;
    open_diagram("model jerk\nunits none\nparam p = 0.681\n"
                 "state x, y, z : x' = y, y' = z, z' = -0.8219*z - y + p*x - x^3\n"
                 "start x = 0.2, y = 0.1, z = 0.1\n",
                 "p=0.2:0.73");
    assert_int_equal(zw_orbits_branches(zw_diagram_orbits(d)), 2);
    expect(0.5, 3, 0, 2, 2);
    expect(0.7, 3, 0, 4, 2);
    expect_end(1, 0, ZW_DIAGRAM_END_DOUBLING, event(ZW_DIAGRAM_ORBIT_FLIP, 0)->value);
    close_all();
}

/* At the origin two branches cross where 0.166 0.98 + 0.106 (0.27 + p) = 0, almost along each other
 * in the sizes of the state: neither is left for the other. Fold and equilibria by Newton's method
 * from a grid of starts. */
static void test_diagram__crosses_at_a_small_angle(void **state) {
    static const zw_equilibria_box box[] = {{"x", -4, 4}, {"y", -4, 4}};
    zw_diagram_options o = zw_diagram_options_default();
    zw_warnings *list = zw_warnings_create(NULL);
    (void)state;
    o.over = "p=-2:2";
    o.box = box;
    o.nbox = 2;
    if (try_open("model field\nunits none\nparam p = -0.52\nstate x, y : x' = -0.166*x - 0.106*y - "
                 "0.181*x^2 + "
                 "0.315*x*y - 0.482*y^2 - 0.55*x^3,\ny' = 0.27*x - 0.98*y - 0.396*x^2 - 0.33*x*y - "
                 "0.716*y^2 - 0.64*y^3 + p*x\nstart x = 0.5, y = 0.3\n",
                 &o) < 0)
        fail_msg("%s", err.text);
    assert_close(event(ZW_DIAGRAM_BRANCH, 0)->value, -0.27 - 0.166 * 0.98 / 0.106, 1e-9);
    expect(-1.9, 3, 2, 0, 0);
    expect(-1, 3, 2, 0, 0);
    zw_diagram_warnings(d, list);
    assert_int_equal(zw_warnings_count(list), 0);
    zw_warnings_destroy(list);
    close_all();
}

/* a range that begins at the pitchfork: what is beside it counts */
static void test_diagram__begins_at_a_mark(void **state) {
    (void)state;
    open_diagram("model fork\nunits none\nparam p = 1\nstate x : x' = p*x - x^3\nstart x = 1\n",
                 "p=0:2");
    assert_int_equal(count(ZW_DIAGRAM_UNLOCATED), 0);
    expect(0.01, 3, 2, 0, 0);
    expect(1, 3, 2, 0, 0);
    close_all();
}

/* r' = r (q + 2 r^2 - r^4), phi' = 1 + x/5: between the fold of cycles at q = -1 and the Hopf point
 * at q = 0 no special point leads to the stable cycle r^2 = 1 + sqrt(1 + q), and the start goes to
 * the origin: a run finds it. */
static void test_diagram__cycles_that_only_runs_find(void **state) {
    (void)state;
    open_diagram("model far\nunits none\nparam q = -0.5\nlet s = x^2 + y^2, w = 1 + x/5\n"
                 "state x, y : x' = x*(q + 2*s - s^2) - y*w, y' = y*(q + 2*s - s^2) + x*w\n"
                 "start x = 0.1\n",
                 "q=-0.9:-0.1");
    expect(-0.5, 1, 1, 1, 1);
    const zw_orbits *o = zw_diagram_orbits(d);
    for (int i = 0; i < zw_orbits_count(o); i++) {
        const zw_orbit_motion *m = zw_orbits_at(o, i);
        assert_close(m->measure[0].max, sqrt(1 + sqrt(1 + m->value)), 1e-5);
    }
    close_all();
}

/* The cycles of co (test_orbits_switch) up to their fold at 1.05361028, beyond the Hopf point at
 * 1.0515574 and the fold of equilibria at 1.0522003: a stable and an unstable one. */
static void test_diagram__folds_on_canards(void **state) {
    static const zw_equilibria_box box[] = {{"x", 0, 1}, {"y", 0, 1}, {"s", 0, 1}};
    zw_diagram_options o = zw_diagram_options_default();
    (void)state;
    o.over = "k2=0.5:1.2";
    o.box = box;
    o.nbox = 3;
    if (try_open("model co\nunits none\nparam k2 = 1.0409, K = 0.4, k1 = 2.5, km1 = 1, k3 = 10, "
                 "km2 = 0.1, k4 = 0.0675\nstate x : x' = 2*k1*z^2 - 2*km1*x^2 - k3*x*y\n"
                 "state y : y' = k2*z - km2*y - k3*x*y\nstate s : s' = k4*(z - K*s)\n"
                 "let z = 1 - x - y - s\nstart x = 0.0782, y = 0.2325, s = 0.4924\n",
                 &o) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(count(ZW_DIAGRAM_ORBIT_FOLD), 2);
    assert_close(event(ZW_DIAGRAM_ORBIT_FOLD, 0)->value, 1.039162965, 2e-9);
    assert_close(event(ZW_DIAGRAM_ORBIT_FOLD, 1)->value, 1.053610281, 2e-9);
    expect(1.053, 1, 1, 2, 1);
    expect(1.1, 1, 1, 0, 0);
    close_all();
}

/* A cycle that explodes at both ends of its range (x' is 50 times as fast as y'), and is one cycle
 * all the way from one Hopf point to the other: nowhere two, and its period has a bound. */
static void test_diagram__canards_at_both_ends(void **state) {
    (void)state;
    open_diagram("model relax\nunits none\nparam p = 0\n"
                 "state x : x' = 50*y + 49.024*x - 29.593*x^3 - 2.662*x^2\n"
                 "state y : y' = p - 0.91*x - 0.008*y + 0.135*x^2 - 0.05*y^3\n"
                 "start x = -0.98, y = -0.4\n",
                 "p=-1:1");
    assert_int_equal(count(ZW_DIAGRAM_HOPF), 2);
    assert_int_equal(count(ZW_DIAGRAM_ORBIT_END), 0);
    assert_int_equal(count(ZW_DIAGRAM_HOMOCLINIC), 0);
    expect(-0.9, 1, 1, 0, 0);
    expect(-0.7725, 1, 0, 1, 1);
    expect(0, 1, 0, 1, 1);
    expect(0.571, 1, 0, 1, 1);
    close_all();
}

/* Cycles that end on connections of two saddles, at x = -1 and 1. In the first model H = y^2/2 +
 * x^2/2 - x^4/4 is mu on the cycle, and 1/4 at the saddles. In the second one the value is where
 * power series at both saddles, continued to x = 0 with 30 digits, meet. */
static void test_diagram__ends_on_two_saddles(void **state) {
    (void)state;
    open_diagram("model m\nunits none\nparam mu = 0.1\n"
                 "state x, y : x' = y, y' = -x + x^3 + y*(mu - y^2/2 - x^2/2 + x^4/4)\n"
                 "start x = 0.1, y = 0\n",
                 "mu=-0.05:0.4");
    assert_int_equal(count(ZW_DIAGRAM_HETEROCLINIC), 1);
    assert_close(event(ZW_DIAGRAM_HETEROCLINIC, 0)->value, 0.25, 1e-11);
    close_all();
    open_diagram("model m\nunits none\nparam mu = 0.1, s = 1.5\n"
                 "state x, y : x' = y, y' = -x + x^3 + s*y*(mu - x^2)\n"
                 "start x = 0.1, y = 0\n",
                 "mu=-0.05:0.4");
    assert_int_equal(count(ZW_DIAGRAM_HETEROCLINIC), 1);
    assert_close(event(ZW_DIAGRAM_HETEROCLINIC, 0)->value, 0.20250088007007250, 1e-11);
    assert_true(event(ZW_DIAGRAM_HETEROCLINIC, 0)->error < 1e-10);
    close_all();
}

/* A pendulum under a torque turns on one orbit, from whichever phase of it a branch begins, and
 * backwards on one other where the torque is negative: the mirror image. By half the angle there
 * are two saddles on it, at half the torque. */
static void test_diagram__counts_a_turning_orbit_once(void **state) {
    (void)state;
    open_diagram(MODEL("pendulum_torque"), "tau=-0.3:1.2");
    assert_int_equal(count(ZW_DIAGRAM_HOMOCLINIC), 2);
    assert_int_equal(count(ZW_DIAGRAM_HETEROCLINIC), 0);
    double back = event(ZW_DIAGRAM_HOMOCLINIC, 0)->value,
           on = event(ZW_DIAGRAM_HOMOCLINIC, 1)->value;
    assert_close(on, 0.1270088598, 1e-9);
    assert_close(back, -on, 1e-11);
    expect(-0.2, 2, 1, 1, 1);
    expect(0, 2, 1, 0, 0);
    expect(0.5, 2, 1, 1, 1);
    expect(1.1, 0, 0, 1, 1);
    close_all();
    open_diagram("model m\nunits none\nparam a = 0.6, d = 0.1\n"
                 "state th, y : th' = y, y' = a - d*y - sin(2*th)/2\n"
                 "periodic th\nstart th = 0, y = 1.5\n",
                 "a=0.03:0.65");
    assert_int_equal(count(ZW_DIAGRAM_HETEROCLINIC), 1);
    assert_close(event(ZW_DIAGRAM_HETEROCLINIC, 0)->value, on / 2, 1e-11);
    expect(0.3, 4, 2, 1, 1);
    expect(0.6, 0, 0, 1, 1);
    close_all();
}

/* The third scenario of S. Sailer's chapter 6, printed in the head of the model: a fold at 0.93456
 * and a connection at 0.93465. Whole turns of both angles are one place. */
static void test_diagram__angles_without_units(void **state) {
    static const char *const set[] = {"zeta=1.5", "gamma=pi/2"};
    zw_model_options model = {.size = sizeof model, .nset = 2, .set = set};
    zw_diagram_options o = zw_diagram_options_default();
    (void)state;
    o.over = "w=0.9:1.1";
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    if (zw_model_read(&sys, ctx, MODEL("tippedisk_normalised"), &model, &err) < 0 ||
        zw_diagram_create(&d, sys, &o, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(count(ZW_DIAGRAM_ORBIT_FOLD), 1);
    assert_close(event(ZW_DIAGRAM_ORBIT_FOLD, 0)->value, 0.93456, 5e-6);
    assert_int_equal(count(ZW_DIAGRAM_HETEROCLINIC) + count(ZW_DIAGRAM_HOMOCLINIC), 1);
    assert_close(event(ZW_DIAGRAM_HETEROCLINIC, 0)->value, 0.93465, 5e-6);
    assert_int_equal(count(ZW_DIAGRAM_HOPF), 1);
    assert_close(event(ZW_DIAGRAM_HOPF, 0)->value, 1.05, 1e-9); /* 1 + kappa */
    expect(0.92, 4, 1, 0, 0); /* beta = +- pi/2, gamma = +- pi/2 */
    expect(1.0, 4, 1, 1, 1);
    close_all();
}

/* r' = r ((q^2 - 1)(4 - q^2) - r^2), phi' = 1 + x/5: one cycle from the Hopf point at -2 to that at
 * -1, and one from 1 to 2. */
#define BUBBLES                                                                                    \
    "model bubbles\nunits none\nparam q = 0\nlet s = x^2 + y^2, m = (q^2 - 1)*(4 - q^2)\n"         \
    "let w = 1 + x/5\nstate x, y : x' = x*(m - s) - y*w, y' = y*(m - s) + x*w\nstart x = 0.1\n"

static void test_diagram__births_and_deaths_are_pairs(void **state) {
    (void)state;
    open_diagram(BUBBLES, "q=-3:3");
    expect_end(0, 0, ZW_DIAGRAM_END_HOPF, -2);
    expect_end(0, 1, ZW_DIAGRAM_END_HOPF, -1);
    expect_end(1, 0, ZW_DIAGRAM_END_HOPF, 1);
    expect_end(1, 1, ZW_DIAGRAM_END_HOPF, 2);
    assert_null(zw_diagram_end_at(d, 2, 0));
    for (int i = 0; i < 4; i++)
        assert_false(event(ZW_DIAGRAM_HOPF, i)->open);
    close_all();
    open_diagram(BUBBLES, "q=-1.5:0");
    expect_end(0, 0, ZW_DIAGRAM_END_HOPF, -1);
    expect_end(0, 1, ZW_DIAGRAM_END_RANGE, -1.5);
    close_all();
    open_diagram(BUBBLES, "q=-1:0"); /* they leave the range at once */
    expect_end(0, 1, ZW_DIAGRAM_END_RANGE, -1);
    assert_int_equal(count(ZW_DIAGRAM_ORBIT_END), 0);
    expect(-0.5, 1, 1, 0, 0);
    close_all();
}

/* r' = r (q - r^2) as a stable cycle at u = 1 and an unstable one at u = -1, where u and v = 0 do
 * not move: each is counted once, although runs come to the first one again. */
static void test_diagram__coordinates_that_rest(void **state) {
    (void)state;
    open_diagram("model two\nunits none\nparam q = 0\nlet s = x^2 + y^2, w = 1 + x/5\n"
                 "state x, y : x' = x*(q - s) - y*w, y' = y*(q - s) + x*w\n"
                 "state u : u' = 1 - u^2\nstate v : v' = -v\nstart x = 0.1, u = 0.9\n",
                 "q=-1:1");
    assert_int_equal(count(ZW_DIAGRAM_HOPF), 2);
    for (int i = 0; i < 2; i++)
        assert_false(event(ZW_DIAGRAM_HOPF, i)->open);
    expect(-0.5, 2, 1, 0, 0);
    expect(0.5, 2, 0, 2, 1);
    close_all();
}

/* The Hopf points of the second cycle without it: their sentences and the ranges next to them say
 * that it is missing. */
static void test_diagram__points_without_branches(void **state) {
    zw_diagram_options o = zw_diagram_options_default();
    (void)state;
    o.over = "q=-3:3";
    o.orbits = 1;
    if (try_open(BUBBLES, &o) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < 4; i++) {
        const zw_diagram_event *e = event(ZW_DIAGRAM_HOPF, i);
        assert_int_equal(e->open, i > 1);
        assert_int_equal(strstr(e->text, "unresolved: no branch of orbits") != NULL, i > 1);
    }
    zw_warnings *list = zw_warnings_create(NULL);
    zw_diagram_warnings(d, list);
    bool named = false;
    for (int i = 0; i < zw_warnings_count(list); i++)
        named |= strstr(zw_warnings_at(list, i)->text, "2 special points do not have") != NULL;
    assert_true(named);
    zw_warnings_destroy(list);
    char *text = text_of();
    assert_non_null(strstr(
        text, "1 to 2: nothing stable was found; unstable: 1 steady motion (without branches"));
    free(text);
    close_all();
}

#define TEST(name) cmocka_unit_test(test_diagram__##name)

/* On a canard the parameter is the same to 13 digits along many orbits. The fold of FitzHugh and
 * Nagumo's nerve has a period of 68.5 +- 0.1 (orbits to 1e-9; to 1e-6, over other ranges, any
 * between 68.2 and 69.1 comes out): of the value all digits are known, of the period two or
 * three. */
static void test_diagram__digits_that_are_known(void **state) {
    (void)state;
    open_diagram("model f\nunits none\nparam I = 0.3\nstate v, w : v' = v - v^3/3 - w + I, w' = "
                 "0.08*(v + 0.7 - 0.8*w)\nstart v = -1, w = -0.5\n",
                 "I=0.3:0.4");
    const zw_diagram_event *fold = event(ZW_DIAGRAM_ORBIT_FOLD, 0);
    assert_non_null(fold);
    assert_close(fold->value, 0.3241785225, 1e-9);
    assert_true(fold->error < 1e-9);
    const char *period = strstr(fold->text, "period ");
    assert_non_null(period);
    assert_true(strspn(period + 7, "0123456789.") <= 4);
    assert_true(fabs(strtod(period + 7, NULL) - 68.5) < 1);
    close_all();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(digits_that_are_known),
        TEST(births_and_deaths_are_pairs),
        TEST(points_without_branches),
        TEST(coordinates_that_rest),
        TEST(small_states),
        TEST(canard_is_not_homoclinic),
        TEST(lines_and_ends),
        TEST(no_image),
        TEST(counts_images),
        TEST(large_orbit_at_the_end),
        TEST(images_by_turns),
        TEST(no_orbit_at_all),
        TEST(no_image_beyond_a_kink),
        TEST(images_that_double),
        TEST(doubled_orbits_once),
        TEST(crosses_at_a_small_angle),
        TEST(begins_at_a_mark),
        TEST(lorenz),
        TEST(large_loops),
        TEST(cycles_are_born),
        TEST(hoop),
        TEST(tippedisk),
        TEST(many_equilibria),
        TEST(displaced_motions_are_one),
        TEST(window_at_the_end_of_a_range),
        TEST(cascade),
        TEST(undamped),
        TEST(refusals),
        TEST(stops_with_what_there_is),
        TEST(table),
        TEST(survives_failing_memory),
        TEST(family_at_a_bound),
        TEST(cycles_that_only_runs_find),
        TEST(folds_on_canards),
        TEST(canards_at_both_ends),
        TEST(angles_without_units),
        TEST(ends_on_two_saddles),
        TEST(counts_a_turning_orbit_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
