/* SPDX-License-Identifier: MIT */
/* Contacts of the language against what they mean. */
#include "support/equations_json.h"
#include "support/test.h"

#include "zwang/equations.h"
#include "zwang/model.h"

typedef struct loaded {
    zw_context *ctx;
    zw_system *s;
} loaded;

static loaded load_with(const char *text, const zw_model_options *options) {
    loaded m = {zw_context_create(NULL), NULL};
    zw_error err = {0};
    if (zw_model_parse(&m.s, m.ctx, text, strlen(text), "test.zw", options, &err) < 0) {
        char message[2048];
        zw_error_format(&err, message, sizeof message);
        zw_context_destroy(m.ctx);
        fail_msg("%s", message);
    }
    return m;
}

static loaded load(const char *text) {
    return load_with(text, NULL);
}

static void unload(loaded m) {
    zw_context_destroy(m.ctx);
}

static zw_expr expr(loaded m, const char *text) {
    zw_error err = {0};
    zw_expr e;
    if (zw_model_expression(&e, m.s, text, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    return e;
}

static void is(loaded m, zw_expr e, const char *text) {
    zw_expr difference = zw_expand(m.ctx, zw_sub(m.ctx, e, expr(m, text)));
    if (difference != ZW_ZERO)
        fail_msg("this is not %s", text);
}

static void test_contact__has_gap_slips_and_constraints_that_are_off(void **state) {
    (void)state;
    loaded m = load("model ball\n"
                    "param m = 2 [kg], mu = 0.3, e = 0.5\n"
                    "coord x, y, z [m]\n"
                    "particle P : m at (x, y, z)\n"
                    "contact floor : gap z, slip (x', y'), law newton(e) + coulomb(mu)\n"
                    "contact lid : gap 1 [m] - z\n"
                    "observe N = lambda(floor), F = lambda(floor.2)\n");
    assert_int_equal(m.s->ncontact, 2);
    const zw_contact *c = &m.s->contact[0];
    is(m, c->gap, "z");
    is(m, c->rate, "z'");
    is(m, c->restitution, "e");
    assert_int_equal(c->nblock, 1);
    is(m, c->block[0].rate[1], "y'");
    is(m, c->block[0].mu, "mu");
    assert_false(c->bilateral || c->off || m.s->constraint[c->closed].on);
    assert_string_equal(m.s->constraint[c->stuck[0] + 1].name, "floor.2");
    assert_int_equal(m.s->contact[1].nblock, 0);
    unload(m);
}

static void test_contact__takes_a_slip_in_space_across_its_normal(void **state) {
    (void)state;
    loaded m =
        load("model ball\n"
             "param m = 2 [kg], mu = 0.3\n"
             "coord x, y, z [m]\n"
             "particle P : m at (x, y, z)\n"
             "contact wall : gap x, slip (x', y', z'), normal x, law coulomb(mu, 2*mu)\n"
             "contact tilted : gap (y - z)/sqrt(2), slip (x', y', z'), normal (0, 1, -1), at P,\n"
             "    law linear(3 [kg/s]), bilateral\n");
    const zw_contact *c = m.s->contact;
    is(m, c[0].block[0].rate[0], "y'");
    is(m, c[0].block[0].rate[1], "z'");
    is(m, c[0].block[0].axis[1], "2*mu");
    is(m, c[1].block[0].rate[0], "x'");
    is(m, c[1].block[0].rate[1], "-(y' + z')/sqrt(2)");
    assert_true(c[1].placed && c[1].bilateral && m.s->constraint[c[1].closed].on);
    is(m, c[1].tangent[1][2], "-1/sqrt(2)");
    assert_int_equal(c[1].stuck[0], -1);
    unload(m);
}

/* directions of slips that are numbers: those of the normal, z unless it is said, if the point
 * moves along them */
static void test_contact__places_have_directions(void **state) {
    (void)state;
    loaded m = load("model ball\n"
                    "param m = 2 [kg], mu = 0.3, a = 1 [cm], w = 3 [rad/s]\n"
                    "coord x, y, z [m]\n"
                    "particle P : m at (x, y, z)\n"
                    "contact floor : gap z - a*sin(w*t), slip (x', y' - a*w*cos(w*t)), at P,\n"
                    "    law coulomb(mu)\n"
                    "contact lid : gap 1 [m] - z, normal -z, at P\n"
                    "contact wall : gap x, slip P', normal x, at P, law coulomb(mu)\n");
    for (int i = 0; i < 3; i++)
        assert_true(m.s->contact[i].placed);
    is(m, m.s->contact[1].normal[2], "-1");
    is(m, m.s->contact[0].tangent[1][1], "1");
    unload(m);
    /* it would point the wrong way */
    static const char *const wrong[] = {"contact c : gap x, at P",
                                        "contact c : gap z, normal -z, at P",
                                        "contact c : gap z, slip (y', x'), at P, law coulomb(mu)",
                                        "contact c : gap z, slip -x', at P, law coulomb(mu)"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[300];
        zw_context *ctx = zw_context_create(NULL);
        zw_system *s;
        zw_error err = {0};
        snprintf(text, sizeof text,
                 "model ball\nparam m = 2 [kg], mu = 0.3\ncoord x, y, z [m]\n"
                 "particle P : m at (x, y, z)\n%s\n",
                 wrong[i]);
        assert_true(zw_model_parse(&s, ctx, text, strlen(text), "test.zw", NULL, &err) < 0);
        assert_non_null(strstr(err.text, "the directions of the contact 'c' are not known"));
        zw_context_destroy(ctx);
    }
}

static const char sliding[] = "model sliding\n"
                              "param m = 2 [kg], mu = 0.3, e = 0.5, v0 = 1 [mm/s]\n"
                              "coord x, y, z [m]\n"
                              "particle P : m at (x, y, z)\n"
                              "contact floor : gap z, slip (x', y'), law newton(e) + coulomb(mu)\n"
                              "variant soft\n"
                              "contact floor : law smooth(mu, v0), bilateral\n"
                              "end\n"
                              "variant lower\n"
                              "contact floor : gap z + 1 [m], slip (x', y')\n"
                              "end\n";

static void test_law__is_restated_by_a_variant(void **state) {
    (void)state;
    loaded m = load_with(sliding, &(zw_model_options){.variant = "soft"});
    const zw_contact *c = m.s->contact;
    is(m, c->gap, "z");
    is(m, c->restitution, "0");
    is(m, c->block[0].smooth, "v0");
    assert_true(c->bilateral && m.s->constraint[c->closed].on);
    unload(m);
    m = load_with(sliding, &(zw_model_options){.variant = "lower"});
    is(m, m.s->contact->gap, "z + 1");
    assert_int_equal(m.s->contact->nblock, 0);
    unload(m);
}

static void test_law__is_restated_from_outside(void **state) {
    (void)state;
    const char *const law[] = {"floor=unilateral", "floor = linear(4 [kg/s])",
                               "floor=coulomb(mu, 2*mu)"};
    zw_model_options options = {.size = sizeof options, .variant = "soft", .law = law};
    options.nlaw = 2;
    loaded m = load_with(sliding, &options);
    is(m, m.s->contact->block[0].damping, "4");
    assert_false(m.s->contact->bilateral);
    unload(m);
    options.nlaw = 3; /* the last one counts */
    m = load_with(sliding, &options);
    is(m, m.s->contact->block[0].axis[1], "2*mu");
    unload(m);
}

static void test_contact__has_functions(void **state) {
    (void)state;
    loaded m = load("model ball\n"
                    "param r = 0.1 [m], mu = 0.3, k = 2 [1/s]\n"
                    "coord x, y, z [m]\n"
                    "state f [m] : f' = -k*f\n"
                    "rotation turn\n"
                    "body b : turn at (x, y, z), sphere(2 [kg], r)\n"
                    "contact floor : sphere b radius r on plane height f, law coulomb(mu)\n"
                    "contact rim : disk b radius r on plane, three points, law coulomb(mu)\n"
                    "contact edge : gap x - r, slip y', law none\n"
                    "observe g = gap(floor), v = norm(slip(floor)), w = spin(floor)\n"
                    "observe N = lambda(rim.b), F = lambda(rim.c.2), s = slip(edge)\n"
                    "event closed : gap(rim.a) falling\n");
    is(m, expr(m, "gap(floor)"), "z - r - f");
    is(m, expr(m, "gap(floor)'"), "z' + k*f");
    is(m, expr(m, "spin(floor)"), "b.w.z");
    is(m, expr(m, "dot(slip(floor), (1, 0))"), "x' - r*b.w.y");
    is(m, expr(m, "slip(floor.2)"), "y' + r*b.w.x");
    is(m, expr(m, "slip(edge)"), "y'");
    is(m, expr(m, "slip(edge.1)"), "y'");
    is(m, expr(m, "slip(rim.a.2) - slip(rim.a.2)"), "0");
    assert_int_equal(m.s->ncontact, 5);
    assert_string_equal(m.s->contact[2].name, "rim.b");
    unload(m);
}

/* rows across the plane of a plane motion are left out */
static void test_contact__of_a_plane_motion_has_one_slip(void **state) {
    (void)state;
    loaded m = load("model hoop\n"
                    "param r = 0.1 [m], mu = 0.3\n"
                    "coord x, z [m], th [rad]\n"
                    "frame F : rotate x -90 [deg] rotate z th\n"
                    "body hoop : F at (x, 0, z), ring(2 [kg], r)\n"
                    "body ball : F at (x, 0, z + 4*r), sphere(2 [kg], r)\n"
                    "contact floor : disk hoop radius r on plane, law coulomb(mu) + contour(mu)\n"
                    "contact lid : sphere ball radius r on plane -z height -1 [m], "
                    "law coulomb(mu) + rolling(mu, r)\n");
    const zw_contact *c = m.s->contact;
    assert_int_equal(c[0].block[0].nrow, 1);
    assert_int_equal(c[1].block[0].nrow, 1);
    assert_int_equal(c[1].block[1].nrow, 1);
    is(m, c[0].gap, "z - r");
    is(m, zw_mul(m.ctx, c[0].block[0].rate[0], c[0].block[0].rate[0]), "(x' - r*th')^2");
    is(m, zw_mul(m.ctx, c[1].block[0].rate[0], c[1].block[0].rate[0]), "(x' + r*th')^2");
    is(m, zw_mul(m.ctx, c[0].block[1].rate[0], c[0].block[1].rate[0]), "r^2*th'^2");
    unload(m);
}

static void has(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("'%s' is not in\n%s", part, text);
}

static char *derived(loaded m, zw_equation_format format) {
    zw_equations eq;
    zw_error err = {0};
    if (zw_derive(&eq, m.s, NULL, "lagrange", &err) < 0)
        fail_msg("%s", err.text);
    char *text = zw_equations_write(&eq, format, ZW_SHORTENED);
    assert_non_null(text);
    return text;
}

static char *derived_json(loaded m) {
    zw_equations eq;
    zw_error err = {0};
    if (zw_derive(&eq, m.s, NULL, "lagrange", &err) < 0)
        fail_msg("%s", err.text);
    char *text = equations_json(&eq, NULL);
    assert_non_null(text);
    return text;
}

static void test_law__is_told_as_an_inclusion(void **state) {
    (void)state;
    loaded m =
        load("model ball\n"
             "param m = 2 [kg], mu = 0.3, e = 0.5, R = 2 [mm], mu_tau = 0.01, v0 = 1 [mm/s]\n"
             "coord x, y, z [m]\n"
             "rotation turn\n"
             "body b : turn at (x, y, z), sphere(m, 0.1 [m])\n"
             "contact floor : sphere b radius 0.1 [m] on plane,\n"
             "    law newton(e, 1 - e) + contensou(mu, R, ring, mu_tau) + rolling(mu, R)\n"
             "contact wall : gap x, slip (y', z'), law coulomb(mu, 2*mu)\n"
             "contact side : gap y, slip (x', z'), law smooth(mu, v0), bilateral\n"
             "contact back : gap 2 [m] - x\n");
    char *text = derived(m, ZW_EQUATIONS_TEXT), *tex = derived(m, ZW_EQUATIONS_LATEX),
         *json = derived_json(m);
    has(text, "g(floor) = z - 0.1        [unilateral]\n");
    has(text, "floor, Signorini: 0 <= g(floor) perp lambda(floor) >= 0.\n");
    has(text, "Impacts of floor, Newton: 0 <= g'+ + e g'- perp impulse >= 0.\n");
    has(text, "with gamma+ + (-e + 1) gamma- in the place");
    has(text, "(gamma(wall.1), gamma(wall.2)) in N_C(-lambda(wall.1), -lambda(wall.2)), C:");
    has(text, "F(side.2) = -mu*gamma(side.2)*abs(lambda(side))/");
    has(text, "side is bilateral: g(side) = 0.\n");
    has(tex, "\\gamma_{\\mathrm{wall},1}");
    has(tex, "$\\in$ $\\mathcal{N}_C$(");
    has(json, "\"law\": \"newton(e, -e + 1) + contensou(mu, R, ring, mu_tau) + rolling(mu, R)\"");
    has(json, "\"law\": \"signorini\"");
    zw_string_free(m.ctx, text);
    zw_string_free(m.ctx, tex);
    free(json);
    unload(m);
}

/* an observable holds whatever the law is */
static void test_lambda__is_a_force_where_friction_is_smooth(void **state) {
    (void)state;
    char text[2000];
    static const char *const laws[] = {"coulomb(mu)", "smooth(mu, v0)", "linear(2 [kg/s])", "none"};
    static const char *const force[] = {
        "lambda(floor.2)", "-mu*lambda(floor)*y'/(sqrt(x'^2 + y'^2) + v0)", "-2*y'", "0"};
    for (int k = 0; k < 4; k++) {
        snprintf(text, sizeof text,
                 "model ball\nparam m = 2 [kg], mu = 0.3, v0 = 1 [mm/s]\ncoord x, y, z [m]\n"
                 "particle P : m at (x, y, z)\n"
                 "contact floor : gap z, slip (x', y'), law %s\n"
                 "observe F = lambda(floor.2)\n",
                 laws[k]);
        loaded m = load(text);
        is(m, m.s->observable[0].value, force[k]);
        unload(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contact__has_gap_slips_and_constraints_that_are_off),
        cmocka_unit_test(test_contact__takes_a_slip_in_space_across_its_normal),
        cmocka_unit_test(test_contact__has_functions),
        cmocka_unit_test(test_contact__of_a_plane_motion_has_one_slip),
        cmocka_unit_test(test_law__is_told_as_an_inclusion),
        cmocka_unit_test(test_lambda__is_a_force_where_friction_is_smooth),
        cmocka_unit_test(test_contact__places_have_directions),
        cmocka_unit_test(test_law__is_restated_by_a_variant),
        cmocka_unit_test(test_law__is_restated_from_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
