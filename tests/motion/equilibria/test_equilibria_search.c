/* SPDX-License-Identifier: MIT */
/* Searches, holds and parameters by names: what is told, what is refused. */
#include "support/failing_allocator.h"
#include "support/report.h"
#include "support/test.h"
#include "zwang/zwang.h"

static zw_context *ctx;
static zw_system *sys;
static zw_equilibria *e;
static zw_error err;

static int setup(void **state) {
    (void)state;
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    e = NULL;
    return 0;
}

static int teardown(void **state) {
    (void)state;
    zw_equilibria_destroy(e);
    zw_context_destroy(ctx);
    return 0;
}

static zw_status open_model(const char *text, int nhold, const char *const *hold, int nsolve,
                            const char *const *solve) {
    zw_equilibria_options options = zw_equilibria_options_default();
    zw_equilibria_destroy(e);
    e = NULL;
    err = (zw_error){0};
    options.nhold = nhold;
    options.hold = hold;
    options.nsolve = nsolve;
    options.solve = solve;
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test.zw", NULL, &err) < 0)
        fail_msg("%s", err.text);
    return zw_equilibria_create(&e, sys, &options, &err);
}

static zw_status find(const char *text, int nhold, const char *const *hold, int nsolve,
                      const char *const *solve) {
    zw_status status = open_model(text, nhold, hold, nsolve, solve);
    return status < 0 ? status : zw_equilibria_find(e, &err);
}

static zw_status search_in(int n, const char *const *text, int starts) {
    zw_equilibria_search_options o = zw_equilibria_search_options_default();
    zw_equilibria_box box[8];
    err = (zw_error){0};
    for (int i = 0; i < n; i++) {
        zw_status status = zw_equilibria_read_box(e, text[i], &box[i], &err);
        if (status < 0)
            return status;
    }
    o.nbox = n;
    o.box = box;
    o.starts = starts;
    return zw_equilibria_search(e, &o, &err);
}

static void expect_in(const char *text, const char *part) {
    assert_non_null(text);
    if (!strstr(text, part))
        fail_msg("not in the text: %s\n%s", part, text);
}

static char *text_of(void) {
    zw_report *r = report_begin("model");
    zw_equilibria_report(e, r);
    return report_take_text(r);
}

static void expect_text(const char *part) {
    char *text = text_of();
    expect_in(text, part);
    free(text);
}

static zw_report *report_found(void) {
    zw_report *r = report_begin("model");
    zw_report_flag(r, "stopped", zw_equilibria_found(e)->stopped);
    zw_equilibria_found_report(e, r);
    return r;
}

static void expect_found(const char *part) {
    char *text = report_take_text(report_found());
    expect_in(text, part);
    free(text);
}

#define PENDULUM                                                                                   \
    "model pendulum\nparam l = 1 [m], m = 2 [kg], g = 9.81 [m/s^2]\ncoord phi [rad]\n"             \
    "particle P : m at (l*sin(phi), -l*cos(phi))\ngravity g along -y\n"
#define CONICAL                                                                                    \
    "model conical\nparam g = 9.81 [m/s^2]\ncoord x, y, z [m]\nparticle P : 1 [kg] at (x, y, z)\n" \
    "gravity g along -z\nconstraint l : x^2 + y^2 + z^2 = 1 [m^2]\n"                               \
    "guess x = 0.9 [m], z = -0.4 [m], y' = 4.5 [m/s]\n"                                            \
    "observe E = 0.5 [kg]*(x'^2 + y'^2 + z'^2) + 1 [kg]*g*z\nobserve pull = -2*lambda(l)*1 [m]\n"

/* ---- search ---- */

static void test_equilibria_search__wells_and_tops(void **state) {
    (void)state;
    const char *angle[] = {"phi"};
    zw_table *t = NULL;
    assert_int_equal(open_model(PENDULUM, 0, NULL, 0, NULL), ZW_OK);
    assert_int_equal(search_in(1, angle, 16), ZW_OK);
    assert_int_equal(zw_equilibria_found(e)->n, 2);
    expect_found("2 equilibria, relative equilibria or families of them found");
    expect_found(" equilibrium, a potential well");
    expect_found(" equilibrium, a maximum of the potential, which falls in 1 direction");
    expect_found("16 of 16 starts led to these");
    expect_found("A search is no proof");
    zw_report *r = report_found();
    int well_at = zw_report_get_number(r, "solutions.0.potential.down") == 0 ? 0 : 1;
    const char *const up[] = {"solutions.0.potential.up", "solutions.1.potential.up"};
    const char *const lower[] = {"solutions.0.potential.down", "solutions.1.potential.down"};
    assert_close(zw_report_get_number(r, up[well_at]), 1, 0);
    assert_close(zw_report_get_number(r, lower[1 - well_at]), 1, 0);
    assert_close(zw_report_get_number(r, "solutions.0.potential.flat"), 0, 0);
    assert_close(zw_report_get_number(r, "solutions.0.potential.symmetries"), 0, 0);
    assert_close(zw_report_get_number(r, "starts"), 16, 0);
    zw_report_destroy(r);
    assert_int_equal(zw_equilibria_found_table(e, NULL, &t, &err), ZW_OK);
    assert_int_equal(zw_table_rows(t), 2);
    int down = zw_table_find(t, "down");
    assert_close(zw_table_at(t, 0, down) + zw_table_at(t, 1, down), 1, 0);
    assert_true(zw_table_find(t, "phi") > 0 && zw_table_find(t, "stable") > 0);
    zw_table_destroy(t);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(zw_equilibria_select(e, i, &err), ZW_OK);
        bool well = zw_equilibria_curvature(e).down == 0;
        assert_close(cos(zw_equilibria_motion(e)->x[0]), well ? 1 : -1, 1e-12);
        assert_int_equal(zw_equilibria_stability(e), well ? ZW_CENTRE : ZW_UNSTABLE);
    }
}

static void test_equilibria_search__ranges_have_units(void **state) {
    (void)state;
    zw_equilibria_box b;
    assert_int_equal(open_model(CONICAL, 0, NULL, 0, NULL), ZW_OK);
    static const char *const same[] = {"x=-0.5:1.5 [m]", "x = -50cm:150cm", "x=-0.5:1.5m",
                                       "x = -0.5 : 1.5 m"};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(zw_equilibria_read_box(e, same[i], &b, &err), ZW_OK);
        assert_close(b.low, -0.5, 1e-15);
        assert_close(b.high, 1.5, 1e-15);
    }
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"x=-1:1", "must be in m"},     {"x", "from where to where"},
        {"x=1 [m]", "is no range"},     {"xx=1:2", "there is no coordinate or velocity 'xx'"},
        {"x=0:1 [kg]", "must be in m"}, {"x=0:y", "has no value"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        err = (zw_error){0};
        assert_true(zw_equilibria_read_box(e, wrong[i].text, &b, &err) < 0);
        expect_in(err.text, wrong[i].says);
    }
    const char *backwards[] = {"x=1:0 [m]"}, *twice[] = {"x=0:1 [m]", "x=0:1 [m]"};
    assert_true(search_in(1, backwards, 4) < 0);
    expect_in(err.text, "is no range");
    assert_true(search_in(2, twice, 4) < 0);
    expect_in(err.text, "given twice");
}

static void test_equilibria_search__nothing_found_is_told(void **state) {
    (void)state;
    const char *range[] = {"x=-1:1"};
    assert_int_equal(open_model("model falls\nunits none\ncoord x\nparticle P : 1 at (x, 0)\n"
                                "potential exp(-x) - 3*x\n",
                                0, NULL, 0, NULL),
                     ZW_OK);
    assert_int_equal(search_in(1, range, 5), ZW_E_NUMERIC);
    expect_in(err.text, "none of 5 starts led to a steady motion");
    expect_in(err.text, "the rate of x'");
}

/* members of a family are one entry, and tell their range */
static void test_equilibria_search__families(void **state) {
    (void)state;
    const char *range[] = {"x=-1:1 [m]", "z=-1:0 [m]", "y'=0:4 [m/s]"};
    assert_int_equal(open_model(CONICAL, 0, NULL, 0, NULL), ZW_OK);
    assert_int_equal(search_in(3, range, 40), ZW_OK);
    expect_found("one of a family with 1 parameter");
    expect_found("z from -");
}

/* a motion whose contact has no meaning is there for the equations only */
static void test_equilibria_search__contacts_are_doubted(void **state) {
    (void)state;
    const char *range[] = {"beta=-170deg:-100deg", "alpha'=5:15 [rad/s]"};
    const char *hold[] = {"alpha'=10 [rad/s]"};
    err = (zw_error){0};
    zw_equilibria_options options = zw_equilibria_options_default();
    assert_true(zw_model_read(&sys, ctx, ZW_SOURCE_DIR "/models/rolling_disc.zw", NULL, &err) >= 0);
    (void)hold;
    assert_int_equal(zw_equilibria_create(&e, sys, &options, &err), ZW_OK);
    assert_int_equal(search_in(2, range, 6), ZW_OK);
    expect_found("warning     contact roll has no meaning there");
}

/* ---- holds ---- */

static void test_equilibria_search__holds_observables_and_expressions(void **state) {
    (void)state;
    /* at cos(a) = u the pull is g/u, the energy g(1 - u^2)/(2u) - g u */
    double u = 0.6, g = 9.81;
    char energy[60], pull[60], expression[80];
    snprintf(energy, sizeof energy, "E = %.15g [J]", g * (1 - u * u) / (2 * u) - g * u);
    snprintf(pull, sizeof pull, "pull=%.15g N", g / u);
    snprintf(expression, sizeof expression, "x^2 + y^2 = %.15g [m^2]", 1 - u * u);
    const char *hold[] = {energy, pull, expression};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(find(CONICAL, 1, &hold[i], 0, NULL), ZW_OK);
        assert_close(zw_equilibria_motion(e)->x[2], -u, 1e-10);
    }
    expect_text("held        x^2 + y^2 = 0.64 m^2");
    snprintf(pull, sizeof pull, "lambda(l) = %.15g [N/m]", -g / u / 2);
    assert_int_equal(find(CONICAL, 1, &hold[1], 0, NULL), ZW_OK);
    assert_close(zw_equilibria_motion(e)->x[2], -u, 1e-10);
    const char *kept[] = {"E"};
    assert_int_equal(find(CONICAL, 1, kept, 0, NULL), ZW_OK);
}

static void test_equilibria_search__refuses_bad_holds(void **state) {
    (void)state;
    static const struct {
        const char *hold, *says;
    } wrong[] = {{"E=3 [N]", "must be in J"},
                 {"E=3", "must be in J"},
                 {"x + E", "needs equal units"},
                 {"pul=3 [N]", "'pul' that could be held"},
                 {"g=3 [m/s^2]", "does not change with the motion"},
                 {"=3", "there is no name"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_true(find(CONICAL, 1, &wrong[i].hold, 0, NULL) < 0);
        expect_in(err.text, wrong[i].says);
    }
    const char *far[] = {"E = -20 [J]"}; /* below the lowest */
    assert_int_equal(find(CONICAL, 1, far, 0, NULL), ZW_E_NUMERIC);
    expect_in(err.text, "E misses what it is held at");
}

/* ---- parameters ---- */

/* which weight, which length make the pendulum go round at 5 rad/s and 0.6 below: g = 25*0.6 */
static void test_equilibria_search__solves_for_parameters(void **state) {
    (void)state;
    const char *hold[] = {"z = -0.6 [m]", "y' = 4 [m/s]", "y = 0 [m]"}, *solve[] = {"g"};
    assert_int_equal(find(CONICAL, 3, hold, 1, solve), ZW_OK);
    assert_close(zw_equilibria_parameter(e, 0), 15, 1e-9);
    expect_text("solved for  g = 15 m/s^2");
    /* a length moves the manifold of the constraint: at 3 rad/s, l = g/(9 u) with u = 0.8 */
    const char *text =
        "model conical\nparam l = 1 [m], twice = 2*l, g = 9.81 [m/s^2]\ncoord x, y, z [m]\n"
        "particle P : 1 [kg] at (x, y, z)\ngravity g along -z\n"
        "constraint rope : 4*(x^2 + y^2 + z^2) = twice^2\n"
        "guess x = 0.6 [m], z = -0.8 [m], y' = 1.8 [m/s]\n";
    const char *rate[] = {"(x*y' - y*x')/(x^2 + y^2) = 3 [rad/s]", "z/l = -0.8"}, *length[] = {"l"};
    assert_int_equal(find(text, 2, rate, 1, length), ZW_OK);
    assert_close(zw_equilibria_parameter(e, 0), 9.81 / (9 * 0.8), 1e-9);
    assert_close(zw_equilibria_parameter(e, 1), 2 * 9.81 / (9 * 0.8), 1e-9);
}

/* a drive whose rate is solved for: its symmetry changes with it */
static void test_equilibria_search__symmetries_follow_parameters(void **state) {
    (void)state;
    const char *text =
        "model trap\nunits none\nparam Om = 1\ncoord x, y\nparticle P : 1 at (x, y)\n"
        "let u = x*cos(Om*t) + y*sin(Om*t), v = y*cos(Om*t) - x*sin(Om*t)\n"
        "potential 5*(u - 1)^2 + 4*v^2\nstart x = 1, y' = 1\n";
    const char *hold[] = {"x = 1.25"}, *solve[] = {"Om"};
    /* Om^2 u = 10 (u - 1), v = 0 */
    assert_int_equal(find(text, 1, hold, 1, solve), ZW_OK);
    assert_close(fabs(zw_equilibria_parameter(e, 0)), sqrt(2), 1e-8);
}

static void test_equilibria_search__refuses_bad_parameters(void **state) {
    (void)state;
    const char *hold[] = {"z"}, *solve[] = {"h"}, *both[] = {"g", "g"};
    assert_int_equal(find(CONICAL, 1, hold, 1, solve), ZW_E_NAME);
    expect_in(err.text, "no parameter");
    assert_int_equal(find(CONICAL, 1, hold, 2, both), ZW_E_OPTION);
    expect_in(err.text, "2 parameters are to be solved for, and 1 quantity is held");
}

/* ---- zeros ---- */

static void test_equilibria_search__zeros_have_names(void **state) {
    (void)state;
    assert_int_equal(find(CONICAL, 0, NULL, 0, NULL), ZW_OK);
    expect_text("a family of neighbouring motions with 1 parameter (z)");
    expect_text("conserved as well: energy, momentum of turn(x, y)");
    assert_int_equal(
        find("model free\nunits none\ncoord x\nparticle P : 1 at (x, 0)\nstart x' = 1\n", 0, NULL,
             0, NULL),
        ZW_OK);
    expect_text("a family of neighbouring motions with 1 parameter (x')");
    expect_text("a boost along x is a symmetry too (Galilei)");
    /* in a magnetic field there are no boosts */
    assert_int_equal(find("model charge\nunits none\ncoord x, y\nparticle P : 1 at (x, y)\n"
                          "force (x, y) = (2*y', -2*x')\nstart x = 0.5, y' = -1\n",
                          0, NULL, 0, NULL),
                     ZW_OK);
    char *text = text_of();
    assert_null(strstr(text, "boost"));
    free(text);
    /* two zeros in a chain: a neutral equilibrium without a neighbour to go to */
    assert_int_equal(find("model quartic\nunits none\ncoord x\nparticle P : 1 at (x, 0)\n"
                          "potential x^4\nstart x = 0\n",
                          0, NULL, 0, NULL),
                     ZW_OK);
    expect_text("degenerate: disturbances that grow as powers of time");
}

/* forces that follow the motion have no potential: spectrum only */
static void test_equilibria_search__no_potential_is_told_where_there_is_none(void **state) {
    (void)state;
    assert_int_equal(find("model circulatory\nunits none\ncoord x, y\nparticle P : 1 at (x, y)\n"
                          "force (x, y) = (-2*x + y, -3*y - x)\nstart x = 0.1\n",
                          0, NULL, 0, NULL),
                     ZW_OK);
    assert_false(zw_equilibria_curvature(e).known);
    assert_int_equal(find("model sleigh\nunits none\ncoord x, y, th\n"
                          "kinetic (x'^2 + y'^2 + th'^2)/2\npotential x^2 + th^2\n"
                          "constraint edge : y'*cos(th) = x'*sin(th)\nstart x = 0.1\n",
                          0, NULL, 0, NULL),
                     ZW_OK);
    assert_false(zw_equilibria_curvature(e).known);
}

/* every solution has its own value of the parameter: l = g/(w^2 u), u the cosine of what is held */
static void test_equilibria_search__parameters_of_every_solution(void **state) {
    (void)state;
    const char *text = "model hoop\nunits none\nparam w = 4\ncoord th\nkinetic th'^2/2\n"
                       "potential -9.81*cos(th) - w^2*sin(th)^2/2\nstart th = 1\n";
    const char *hold[] = {"cos(th) = 0.5"}, *solve[] = {"w"}, *range[] = {"th=-3:3"};
    assert_int_equal(open_model(text, 1, hold, 1, solve), ZW_OK);
    assert_int_equal(search_in(1, range, 20), ZW_OK);
    assert_int_equal(zw_equilibria_found(e)->n, 2); /* to the left and to the right */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(zw_equilibria_select(e, i, &err), ZW_OK);
        assert_close(fabs(zw_equilibria_parameter(e, 0)), sqrt(9.81 / 0.5), 1e-9);
        assert_close(fabs(zw_equilibria_motion(e)->x[0]), M_PI / 3, 1e-9);
        assert_int_equal(zw_equilibria_curvature(e).down, 0);
    }
}

static bool stop_at_half(void *user, double done) {
    int *calls = user;
    ++*calls;
    return done >= 0.5;
}

static void test_equilibria_search__can_be_interrupted(void **state) {
    (void)state;
    int calls = 0;
    zw_equilibria_search_options o = zw_equilibria_search_options_default();
    const zw_equilibria_box box[] = {{"phi", -3, 3}};
    assert_int_equal(open_model(PENDULUM, 0, NULL, 0, NULL), ZW_OK);
    o.nbox = 1;
    o.box = box;
    o.starts = 20;
    o.stop = stop_at_half;
    o.stop_user = &calls;
    assert_int_equal(zw_equilibria_search(e, &o, &err), ZW_OK);
    assert_true(zw_equilibria_found(e)->stopped);
    assert_int_equal(zw_equilibria_found(e)->starts, 10);
    assert_int_equal(calls, 11);
    expect_found("  stopped\n");
}

/* a bead on a hoop that turns freely: at the bottom there is a well below sqrt(g/l), a saddle
 * above, beside it a well */
static void test_equilibria_search__potential_at_constant_momenta(void **state) {
    (void)state;
    static const struct {
        const char *start;
        int down;
    } row[] = {{"th = 0, psi' = 3", 0}, {"th = 0, psi' = 3.3", 1}, {"th = 1, psi' = 4", 0}};
    for (int i = 0; i < 3; i++) {
        char text[300];
        snprintf(
            text, sizeof text,
            "model hoop\nunits none\ncoord th, psi\n"
            "kinetic th'^2/2 + (0.3 + sin(th)^2)*psi'^2/2\npotential -9.81*cos(th)\nstart %s\n",
            row[i].start);
        assert_int_equal(find(text, 0, NULL, 0, NULL), ZW_OK);
        assert_true(zw_equilibria_curvature(e).known);
        assert_int_equal(zw_equilibria_curvature(e).down, row[i].down);
        assert_false(zw_equilibria_is_minimum(e)); /* that is said of rest only */
    }
    /* the same in space, constrained: a conical pendulum; and with drag it is no potential */
    assert_int_equal(find(CONICAL, 0, NULL, 0, NULL), ZW_OK);
    assert_true(zw_equilibria_curvature(e).known);
    assert_int_equal(zw_equilibria_curvature(e).down, 0);
    assert_int_equal(find("model drag\nunits none\ncoord x, y\nparticle P : 1 at (x, y)\n"
                          "force (x, y) = (1 - x', -y')\nstart x' = 0.8\n",
                          0, NULL, 0, NULL),
                     ZW_OK);
    assert_false(zw_equilibria_curvature(e).known);
    assert_int_equal(find(PENDULUM, 0, NULL, 0, NULL), ZW_OK);
    assert_true(zw_equilibria_is_minimum(e));
    expect_text("Dirichlet");
}

static void test_equilibria_search__survives_failing_memory(void **state) {
    (void)state;
    const char *text = "model m\nunits none\nparam k = 2\ncoord x, y\nparticle P : 1 at (x, y)\n"
                       "potential (x^2 + y^2 - k)^2\nstart x = 0.7, y' = 0.1\n";
    const char *hold[] = {"x^2 + y^2 = 2"};
    for (long n = 1;; n += 1 + n / 25) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_context *own = zw_context_create(&alloc);
        zw_system *s = NULL;
        zw_equilibria *q = NULL;
        zw_error fault = {0};
        zw_equilibria_options options = zw_equilibria_options_default();
        zw_equilibria_search_options o = zw_equilibria_search_options_default();
        const zw_equilibria_box box[] = {{"x", -1, 1}, {"y'", -1, 1}};
        zw_bytes told = {0};
        zw_report *r = NULL;
        o.nbox = 2;
        o.box = box;
        o.starts = 4;
        options.nhold = 1;
        options.hold = hold;
        bool ok = own && zw_model_parse(&s, own, text, strlen(text), "t", NULL, &fault) >= 0 &&
                  zw_equilibria_create(&q, s, &options, &fault) >= 0 &&
                  zw_equilibria_search(q, &o, &fault) >= 0 &&
                  (r = zw_report_create(&alloc)) != NULL;
        if (ok) {
            zw_report_word(r, "model", s->name);
            zw_report_flag(r, "stopped", false);
            zw_equilibria_found_report(q, r);
            ok = zw_report_text(r, &told, &fault) >= 0;
        }
        zw_report_destroy(r);
        if (!ok && !f.failed)
            fail_msg("%s", fault.text);
        zw_bytes_clear(&told);
        zw_equilibria_destroy(q);
        if (own)
            zw_context_destroy(own);
        assert_int_equal(f.blocks, 0);
        if (!f.failed)
            break;
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_equilibria_search__##name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(wells_and_tops),
        TEST(ranges_have_units),
        TEST(nothing_found_is_told),
        TEST(families),
        TEST(contacts_are_doubted),
        TEST(holds_observables_and_expressions),
        TEST(refuses_bad_holds),
        TEST(solves_for_parameters),
        TEST(symmetries_follow_parameters),
        TEST(refuses_bad_parameters),
        TEST(zeros_have_names),
        TEST(no_potential_is_told_where_there_is_none),
        TEST(parameters_of_every_solution),
        TEST(can_be_interrupted),
        TEST(potential_at_constant_momenta),
        TEST(survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
