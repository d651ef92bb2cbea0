/* SPDX-License-Identifier: MIT */
/* zwang verify as a user meets it, and the printed equations of models/claims: what holds holds,
 * what is wrong is found, and the repair is the one that a derivation gives. */
#include <jansson.h>

#include "support/command.h"

static const answer *verify(const char *arguments) {
    return zwang_verb("verify", arguments);
}

static json_t *find_claim(json_t *root, const char *name) {
    json_t *claims = json_object_get(root, "claims");
    for (size_t i = 0; i < json_array_size(claims); i++) {
        json_t *c = json_array_get(claims, i);
        if (strcmp(json_string_value(json_object_get(c, "name")), name) == 0)
            return c;
    }
    fail_msg("no claim %s", name);
    return NULL;
}

/* a claim that fails, and a word of its first repair ("" where there is none) */
typedef struct slip {
    const char *claim, *repair;
} slip;

/* all claims of a model hold but the given ones, which have these repairs */
static void check_model(const char *arguments, int count, int nslip, const slip *slips) {
    char words[512];
    snprintf(words, sizeof words, "%s --json", arguments);
    const answer *a = verify(words);
    json_t *root = json_loads(a->out, 0, NULL);
    if (!root)
        fail_msg("%s: %s", arguments, a->err);
    json_t *claims = json_object_get(root, "claims");
    assert_int_equal(json_array_size(claims), count);
    assert_int_equal(json_integer_value(json_object_get(root, "failed")), nslip);
    assert_int_equal(a->code, nslip > 0);
    for (int i = 0; i < nslip && slips[i].claim; i++) {
        json_t *c = find_claim(root, slips[i].claim), *repairs = json_object_get(c, "corrections");
        assert_true(json_is_false(json_object_get(c, "holds")));
        assert_true(json_number_value(json_object_get(c, "residual")) > 1e-3);
        assert_int_equal(json_array_size(repairs) > 0, slips[i].repair[0] != '\0');
        if (slips[i].repair[0])
            assert_has(json_string_value(json_object_get(json_array_get(repairs, 0), "words")),
                       slips[i].repair);
    }
    for (size_t i = 0; i < json_array_size(claims); i++) {
        json_t *c = json_array_get(claims, i);
        if (json_is_true(json_object_get(c, "holds")))
            assert_true(json_number_value(json_object_get(c, "residual")) < 1e-11);
    }
    json_decref(root);
}

static void test_verify__printed_equations(void **state) {
    (void)state;
    check_model(MODEL("absorber_planar"), 2, 0, NULL);
    check_model(MODEL("claims/tippedisk_euler_printed"), 23, 2,
                (slip[]){{"eq3_62", "sign: alpha' should be -alpha'"},
                         {"eq4_11", "sign: beta'^2*sin(beta) should be -beta'^2*sin(beta)"}});
    check_model(MODEL("claims/tippedisk_normalised_printed"), 9, 0, NULL);
    check_model(MODEL("claims/tippedisk_normalised_printed") " --variant critical", 2, 0, NULL);
    check_model(MODEL("claims/tippedisk_slow_printed"), 10, 0, NULL);
    check_model(MODEL("claims/tippedisk_corotating_printed"), 8, 0, NULL);
    check_model(MODEL("claims/turntable_ball_printed"), 4, 0, NULL);
    check_model(MODEL("claims/turntable_ball_printed") " --variant friction", 4, 2,
                (slip[]){{"eq3_6a", "must be multiplied by -r^2"},
                         {"eq3_6b", "must be multiplied by -r^2"}});
    check_model(MODEL("claims/turntable_ball_printed") " --variant viscous", 7, 3,
                (slip[]){{"decay", "must be multiplied by 5/7/(r^2*m)"},
                         {"limit.1", "missing term: -5/2*nu*y'/(m*Omega)"},
                         {"limit.2", "missing term: 5/2*nu*x'/(m*Omega)"}});
    check_model(MODEL("claims/tippedisk_reduced_printed"), 7, 1,
                (slip[]){{"eq4_36.2", "function: sin(gamma) should be cos(gamma)"}});
    check_model(MODEL("claims/tippedisk_linear_printed"), 6, 4,
                (slip[]){{"eq4_17x", "sign"},
                         {"eq4_17y", "sign: Omega*d*x + d*(r*be' + y') should be -Omega*d*x"},
                         {"eq4_17b", "sign"},
                         {"eq4_17g", "sign"}});
    check_model(MODEL("claims/tippedisk_inertia_printed"), 3, 1,
                (slip[]){{"theta_a", "name: m_r should be m_a, in the term b^2*m_r"}});
    check_model(MODEL("claims/drive_printed"), 6, 1,
                (slip[]){{"eq4_348b", "sign: -k3 should be k3"}});
    check_model(MODEL("claims/hydropulsator_printed"), 7, 1, (slip[]){{"eq4_368", "sign"}});
    check_model(MODEL("claims/pendulum_printed"), 12, 6,
                (slip[]){{"eq1_24", "wrong number: "},
                         {"eq2_22x", "derivative: x'' should be x"},
                         {"eq2_22y", "derivative: y'' should be y"},
                         {"eq2_23y_printed", "name: y should be x, in the term g*y^2"},
                         {"eq2_30", "missing term: F*cos(t*Omega) on the right side"},
                         {"eq2_33x", "exponent: m should be 1/m"}});
    check_model(MODEL("claims/pendulum_polar_printed"), 3, 1,
                (slip[]){{"eq2_39", "missing term: -m*l*theta'^2"}});
    check_model(MODEL("claims/pendulum_polar_printed") " --variant driven", 4, 2,
                (slip[]){{"eq2_45", "derivative: theta should be theta'"}, {"eq2_48", ""}});
    check_model(MODEL("claims/rigid_body_printed"), 9, 4,
                (slip[]){{"eq1_34.1", "missing term: r*phi'^2 on the left side"},
                         {"eq1_37.1", "missing term: -D*w_2*w_3"},
                         {"eq1_37.2", "missing term: w_1*w_3*(A - C) on the left side"},
                         {"eq1_37.3", "missing term: -w_1*w_2*(A - B) on the left side"}});
    check_model(MODEL("claims/wall_printed"), 2, 1,
                (slip[]){{"eq5_4", "-lambda(wall) must be multiplied by 1/m"}});
    check_model(MODEL("claims/absorber_planar_printed"), 6, 3,
                (slip[]){{"eq40", "must be multiplied by 1/q"},
                         {"eq42_first", "phi' should be psi', in the term 1/5*m*r^2*phi'^2"},
                         {"eq25", "sign: M*b_u*u' should be -M*b_u*u'"}});
    check_model(MODEL("claims/ball_in_cavity_printed"), 12, 6,
                (slip[]){{"eq55_second.1", "exponent: r^2 should be r"},
                         {"eq55_second.2", "exponent: r^2 should be r"},
                         {"eq55_second.3", "exponent: r^2 should be r"},
                         {"eq57.1", "must be multiplied by -r/q"},
                         {"eq57.2", "must be multiplied by -r/q"},
                         {"eq57.3", "must be multiplied by -r/q"}});
    check_model(MODEL("claims/ball_in_cavity_printed") " --variant as_printed", 10, 5,
                (slip[]){{"eq58y", "components of another row: "},
                         {"eq65x", "exponent: 1/rho^2 should be 1/rho"},
                         {"eq65y", "two slips"},
                         {"eq65y_bracket", "exponent: 1/rho^2 should be 1/rho"},
                         {"eq65z", "exponent: 1/rho^2 should be 1/rho"}});
    check_model(
        MODEL("claims/ball_in_cavity_printed") " --variant eq75", 7, 4,
        (slip[]){{"eq75x", ""}, {"eq75y", ""}, {"eq75z", ""}, {"eq67", "factor too many: 1/rho"}});
    check_model(MODEL("claims/ball_in_cavity_printed") " --variant circle", 2, 1,
                (slip[]){{"eq76", ""}});
}

/* general formulas, put down for the smallest systems, and identities of rotations */
static void test_verify__printed_general_forms(void **state) {
    (void)state;
    check_model(MODEL("claims/general_forms_printed"), 11, 6,
                (slip[]){{"eq3.1", "missing term: -lambda(along_x)"},
                         {"eq3.2", "missing term: lambda(along_y)"},
                         {"eq19", "must be multiplied by 1/2*m*th'"},
                         {"eq28.1", "missing term: -y'*th'"},
                         {"eq28.2", "missing term: x'*th'"},
                         {"eq34", "l should be 1/l"}});
    check_model(MODEL("claims/gauss_general_printed"), 3, 1, (slip[]){{"eq1_30", "term too many"}});
    check_model(MODEL("claims/leaf_vakonomic_printed"), 6, 2,
                (slip[]){{"eq2_7", "missing term: "}, {"eq2_9", "missing term: "}});
    check_model(MODEL("claims/bar_printed"), 3, 2,
                (slip[]){{"eq2_50", "wrong sign: "}, {"eq2_53", ""}});
    check_model(MODEL("claims/bar_printed") " --variant undamped", 1, 0, NULL);
    check_model(MODEL("claims/tippedisk_tensors_printed") " --states 20", 45, 12,
                (slip[]){{"eq3_14.1", "wrong sign: "},
                         {"eq3_22_2.1", ""},
                         {"eq3_22_3.1", ""},
                         {"eq3_24.2", ""},
                         {0}});
    const answer *a = verify(MODEL("claims/steps_printed"));
    assert_int_equal(a->code, 1);
    assert_has(a->out, "eq2_7_first FAILS of order 1 (line 16): both sides agree up to order 2\n");
    assert_has(a->out, "eq2_7 holds of order 2 (");
    assert_has(a->out, "units       the left side is in m, the right side is in m/s\n");
    assert_has(a->out, "5 of 7 claims hold\n");
}

/* series, other principles, means and eigenvalues: sections 4.3 and 4.4 of the tippedisk, the
 * vakonomic ball */
static void test_verify__printed_series(void **state) {
    (void)state;
    const bool all = test_long(); /* series take seconds at a hundred states */
    /* at few states another term of this order, -1/6*gamma'*(beta - 1/2*pi)^2, is as good: gamma' =
     * Omega*(beta - 1/2*pi) + ... */
    const char *cubic = all ? "missing term: -1/6*Omega*(beta - 1/2*pi)^3" : "missing term: -1/6*";
    check_model(
        all ? MODEL("claims/tippedisk_small_printed") " --states 100"
            : MODEL("claims/tippedisk_small_printed") " --states 20",
        16, 4,
        (slip[]){{"eq4_59_cubic", cubic},
                 {"eq4_60", ""},
                 {"eq4_60_h", "number: e*m*(r + e) should be 1/2*e*m*(r + e), in the term "
                              "-2*Omega*beta'*(beta - 1/2*pi)*(gamma - 1/2*pi)"},
                 {"eq4_60_f", "exponent: (gamma - 1/2*pi)^3 should be (gamma - 1/2*pi)^2"}});
    check_model(all ? MODEL("claims/tippedisk_small_printed") " --variant critical --states 40"
                    : MODEL("claims/tippedisk_small_printed") " --variant critical --states 15",
                14, 0, NULL);
    check_model(all ? MODEL("claims/tippedisk_small_printed") " --variant kink --states 100"
                    : MODEL("claims/tippedisk_small_printed") " --variant kink --states 20",
                9, 2, (slip[]){{"eq4_59_cubic", cubic}, {"eq4_60", ""}});
    check_model(MODEL("claims/tippedisk_balance_printed"), 12, 2,
                (slip[]){{"eq4_65", "sign: 2*e*m*(r + e) should be -2*e*m*(r + e)"},
                         {"amplitude_5_3", "must be multiplied by Omega^2"}});
    check_model(MODEL("claims/tippedisk_balance_printed") " --variant consistent", 6, 0, NULL);
    check_model(MODEL("claims/absorber_planar_balance_printed"), 9, 3,
                (slip[]){{"eq49", "sign"}, {"eq48.1", ""}, {"eq48.2", ""}});
    check_model(
        MODEL("claims/turntable_ball_vakonomic_printed"), 20, 4,
        (slip[]){{"same", "missing term: 5/7*ball.wz*lambda(roll_y) - 5/7*Omega*lambda(roll_y)"},
                 {"eq3_9d.1", ""},
                 {"eq3_9d.2", ""},
                 {"eq3_9d.3", ""}});
    check_model(MODEL("claims/skate_vakonomic_printed"), 6, 3,
                (slip[]){{"eq2_2x", "missing term: th'*lambda(edge)*cos(th) on the left side"},
                         {"eq2_2y", "missing term: th'*lambda(edge)*sin(th) on the left side"},
                         {"eq2_2th", "missing term: -x'*lambda(edge)*cos(th) - "
                                     "y'*lambda(edge)*sin(th) on the left side"}});
    check_model(MODEL("claims/skate_vakonomic_printed") " --variant at_rest", 3, 3,
                (slip[]){{"remark.1", "missing term: -th'*lambda(edge)*cos(th)"},
                         {"remark.2", "missing term: -th'*lambda(edge)*sin(th)"},
                         {"remark.3", "missing term: -x'*lambda(edge)*cos(th) - "}});
}

static const char pendulum[] = "model p\nparam m = 1 [kg], l = 0.5 [m], g = 9.8 [m/s^2]\n"
                               "coord th [rad]\nparticle bob : m at (l*sin(th), -l*cos(th))\n"
                               "gravity g along -y\n";

/* what a constraint holds has no rate: a claim that says so has no other term to be measured by */
static void test_verify__nothing_moves(void **state) {
    (void)state;
    write_file("held.zw", "model held\nparam m = 1 [kg], g = 9.8 [m/s^2], l = 0.5 [m]\n"
                          "coord r [m], th [rad]\n"
                          "particle bob : m at (r*sin(th), -r*cos(th))\ngravity g along -y\n"
                          "constraint arm : r = l\n"
                          "claim rate : r' = 0\nclaim acceleration : r'' = 0\n"
                          "claim wrong : th'' = 0\n");
    const slip wrong[] = {{"wrong", "missing term: g*sin(th)/l on the left side"}};
    check_model("held.zw", 3, 1, wrong);
    check_model("held.zw --states 1000", 3, 1, wrong);
}

static void write_pendulum(const char *name, const char *claims) {
    char text[1024];
    snprintf(text, sizeof text, "%s%s", pendulum, claims);
    write_file(name, text);
}

static void test_verify__text(void **state) {
    (void)state;
    write_pendulum("p.zw", "claim good : l*th'' + g*sin(th) = 0\nclaim bad : l*th'' = g*sin(th)\n");
    const answer *a = verify("p.zw --states 40");
    assert_int_equal(a->code, 1);
    assert_has(a->out, "good holds (40 states, largest residual ");
    assert_has(a->out, "bad FAILS (line 7)");
    assert_has(a->out, "worst at    t = ");
    assert_has(a->out, "wrong sign: ");
    assert_has(a->out, "1 of 2 claims hold\n");
}

static void test_verify__text_of_series(void **state) {
    (void)state;
    write_pendulum("s.zw", "claim two up to order 2 about (th = 0, th' = 0) : l*th'' + g*th = 0\n"
                           "claim three up to order 3 about (th = 0, th' = 0) : l*th'' + g*th = 0\n"
                           "claim up about (th = pi, th' = 0) : th'' = 0\n"
                           "claim h by hamilton : l*th'' + g*sin(th) = 0\n");
    const answer *a = verify("s.zw --states 40");
    assert_int_equal(a->code, 1);
    assert_has(a->out, "two holds up to order 2 (40 directions, largest residual ");
    assert_has(a->out, "three FAILS up to order 3 (line 7): terms of order 3 disagree, ");
    assert_has(a->out, "towards     t = ");
    assert_has(a->out, "missing term: -1/6*g*th^3 on the left side");
    assert_has(a->out, "up holds there (40 states, largest residual ");
    assert_has(a->out, "h holds by hamilton (40 states, largest residual ");
    a = verify("s.zw --states 40 --json");
    json_t *root = json_loads(a->out, 0, NULL), *c = find_claim(root, "three");
    assert_int_equal(json_integer_value(json_object_get(c, "order")), 3);
    assert_int_equal(json_integer_value(json_object_get(c, "disagrees")), 3);
    assert_int_equal(json_integer_value(json_object_get(c, "states")), 40);
    assert_string_equal(json_string_value(json_object_get(find_claim(root, "h"), "principle")),
                        "hamilton");
    json_decref(root);
}

/* a claim of a variant replaces that of the model; remove takes one away */
static void test_verify__variants(void **state) {
    (void)state;
    write_pendulum("v.zw", "claim c : l*th'' + g*sin(th) = 0\n"
                           "variant slip\n    claim c : l*th'' + g*cos(th) = 0\nend\n"
                           "variant none\n    remove c\nend\n");
    assert_int_equal(verify("v.zw")->code, 0);
    const answer *a = verify("v.zw --variant slip");
    assert_int_equal(a->code, 1);
    assert_has(a->out, "cos(th) should be sin(th)");
    a = verify("v.zw --variant none");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "has no claims");
}

static void test_verify__refuses(void **state) {
    (void)state;
    write_pendulum("u.zw", "claim c : l*th'' = g\nclaim d : l*th'' = m*g\n");
    const answer *a = verify("u.zw");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "u.zw:7:");
    assert_has(a->err, "the left side is");
    write_pendulum("n.zw", "claim c : th'' = th^1 [1/s^2], (l, l) = (l, l, l)\n");
    assert_int_equal(verify("n.zw")->code, 1);
    write_pendulum("m.zw", "claim m : th'' = 0\n");
    a = verify("m.zw");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "'m' is declared twice");
    write_pendulum("e.zw", "claim c : th'' 0\n");
    assert_has(verify("e.zw")->err, "between the two sides of the equation");
    write_pendulum("r.zw", "claim c : sqrt(th)*l*th'' = -sqrt(th)*g*sin(th)\n");
    a = verify("r.zw");
    assert_int_equal(a->code, 2);
    assert_has(a->err, "no finite value");
    assert_int_equal(verify("r.zw --states 2")->code, 1);
    assert_int_equal(verify("nowhere.zw")->code, 1);
}

/* units that do not fit are a fault of the model, unless the equation is claimed as printed */
static void test_verify__as_printed(void **state) {
    (void)state;
    write_pendulum("w.zw", "claim a as printed : l*th'' + m*g*sin(th) = 0\n"
                           "claim b as printed : l*th'' + g*sin(th) = 0\n"
                           "claim c as printed : th = th*1 [m]\n"
                           "claim d as printed : l*th'' + g*sin(th') = 0\n"
                           "claim e as printed about (th = 0, th' = 0) : th'' = sin(l)*th\n");
    const answer *a = verify("w.zw --states 40");
    assert_int_equal(a->code, 1);
    assert_has(a->out, "a FAILS (line 6): ");
    assert_has(a->out, "  units       a sum needs equal units; its terms are in m/s^2 and in N\n");
    assert_has(a->out, "factor too many: m");
    assert_has(a->out, "b holds (");
    assert_has(a->out, "c FAILS (line 8): the numbers agree in SI units, but the units do not\n");
    assert_has(a->out, "d FAILS");
    assert_has(a->out, "wrong derivative: th' should be th");
    assert_has(a->out,
               "e FAILS there (line 10): the numbers agree in SI units, but the units do not\n");
    assert_has(a->out, "1 of 5 claims hold\n");
    a = verify("w.zw --states 40 --json");
    json_t *root = json_loads(a->out, 0, NULL);
    assert_non_null(root);
    assert_has(json_string_value(json_object_get(find_claim(root, "c"), "units")),
               "the left side is in rad, the right side is in m");
    assert_null(json_object_get(find_claim(root, "b"), "units"));
    assert_int_equal(json_integer_value(json_object_get(root, "failed")), 4);
    json_decref(root);
    /* shapes and names are no findings */
    write_pendulum("x.zw", "claim f as printed : (l, l) = th\n");
    assert_has(verify("x.zw")->err, "components");
    write_pendulum("x.zw", "claim f as printed : l*q = th\n");
    assert_has(verify("x.zw")->err, "there is no name 'q'");
}

/* "of order N" is equality up to that order and no further: x' = k x by Euler's, Heun's and
 * Simpson's rules */
static void test_verify__of_order(void **state) {
    (void)state;
    write_pendulum("o.zw", "param k = 3 [1/s], h = 0.1 [s]\nlet z = k*h\n"
                           "claim euler of order 1 about (h = 0) : exp(z) = 1 + z\n"
                           "claim heun  of order 2 about (h = 0) : exp(z) = 1 + z/2*(1 + 1 + z)\n"
                           "claim low   of order 1 about (h = 0) : exp(z) = 1 + z/2*(1 + 1 + z)\n"
                           "claim high  of order 3 about (h = 0) : exp(z) = 1 + z/2*(1 + 1 + z)\n"
                           "claim exact of order 4 about (h = 0) : exp(z)^2 = exp(2*z)\n"
                           "claim last  of order 12 about (h = 0) : 1/(1 - z^13) = 1\n");
    const answer *a = verify("o.zw --states 20");
    assert_int_equal(a->code, 1);
    assert_has(a->out, "euler holds of order 1 (20 directions, ");
    assert_has(a->out, "heun holds of order 2 (");
    assert_has(a->out, "low FAILS of order 1 (line 10): both sides agree up to order 2\n");
    assert_has(a->out, "high FAILS of order 3 (line 11): terms of order 3 disagree, ");
    assert_has(a->out, "exact FAILS of order 4 (line 12): both sides agree up to order 5\n");
    assert_has(a->out, "last holds of order 12 (");
    a = verify("o.zw --states 20 --json");
    json_t *root = json_loads(a->out, 0, NULL);
    assert_true(json_is_true(json_object_get(find_claim(root, "low"), "further")));
    assert_true(json_is_false(json_object_get(find_claim(root, "high"), "further")));
    json_decref(root);
}

/* what a constraint makes 1 is no part of a factor: -2, and not -2*z/(r*sin(b)) */
static void test_verify__numbers_modulo_constraints(void **state) {
    (void)state;
    write_file("tied.zw",
               "model tied\nparam m = 1 [kg], r = 0.5 [m], g = 9.8 [m/s^2], J = 0.1 [kg*m^2]\n"
               "coord z, x [m], b [rad]\nparticle bob : m at (x, 0, z)\n"
               "kinetic 1/2*J*b'^2\ngravity g along -z\n"
               "constraint tie : z = r*sin(b)\nlet u = x''*cos(b) + b''*r\n"
               "claim half : -1/2*u = u\n"
               "claim slow : z' = 3*r*b'*cos(b)\n");
    check_model("tied.zw", 2, 2,
                (slip[]){{"half", "wrong number: "}, {"slow", "should be r*b'*cos(b)"}});
}

/* what stands before the colon, at its place; code 2 where the model is sound and has no value
 * there */
static void test_verify__refuses_series(void **state) {
    (void)state;
    static const struct {
        const char *claim, *place, *words;
        int code;
    } rows[] = {
        {"up to order 3 : th'' = 0", ":6:21:", "up to order 3 in what?", 1},
        {"up to order -1 about (th = 0) : th'' = 0", ":6:21:", "from 0 to 12", 1},
        {"up to order 2.5 about (th = 0) : th'' = 0", ":6:21:", "a whole number", 1},
        {"up to order 13 about (th = 0) : th'' = 0", ":6:21:", "from 0 to 12", 1},
        {"up to order 2 about (q = 0) : th'' = 0", ":6:30:", "there is no name 'q'", 1},
        {"up to order 2 about (th'' = 0) : th'' = 0", ":6:30:", "no variable of the motion", 1},
        {"up to order 2 about (th = th') : th'' = 0", ":6:35:", "the right side is", 1},
        {"up to order 2 about (th = sin(th)) : th'' = 0", ":6:35:", "depends on th", 1},
        {"up to order 2 about (th = 0, th = 0) : th'' = 0", ":6:38:", "th is given twice", 1},
        {"about (th = 0) about (th' = 0) : th'' = 0", ":6:24:", "'about' is given twice", 1},
        {"about th = 0 : th'' = 0", ":6:15:", "is expected here, not 'th'", 1},
        {"of order 3 : th'' = 0", ":6:18:", "of order 3 in what?", 1},
        {"of 3 about (th = 0) : th'' = 0", ":6:12:", "'order' and a number (of order 2)", 1},
        {"of order 1 up to order 2 about (th = 0) : th'' = 0", ":6:20:", "is given twice", 1},
        {"as claimed : th'' = 0", ":6:12:", "'printed' (as printed)", 1},
        {"as printed as printed : th'' = 0", ":6:20:", "'as' is given twice", 1},
        {"up 3 : th'' = 0", ":6:12:", "'to order' and a number", 1},
        {"nearly : th'' = 0", ":6:9:", "by PRINCIPLE, up to order NUMBER", 1},
        {"by vakonom : th'' = 0", ":6:12:", "did you mean vakonomic?", 1},
        {"along (th' = 1 [rad/s]) : th = 0", ":6:16:", "a motion is given by coordinates", 1},
        {": mean(th, t) = 0", ":6:20:", "the period of a mean changes with t", 1},
        {": mean(th) = 0", ":6:11:", "mean with 1 arguments", 1},
        {": mean(t, 1 [s]) = 0", ":6:11:", "the mean does not settle", 2},
        {": eigenvalue(0 [1/s]) = 0", ":6:11:", "of which linear equations?", 1},
        {"about (th = 0, th' = 0) : eigenvalue(5) = 0", ":6:46:", "must be in 1/s", 1},
        {"about (th = 1, th' = 0) : eigenvalue(0 [1/s]) = 0", ":6:35:", "is not an equilibrium", 1},
        {"up to order 1 about (th = 0) : log(th) = 0", ":6:40:", "log(th) in the claim c", 2},
        {"by vakonomic : lambda(rod)' = 0", ":6:31:", "there is no constraint 'rod'", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        snprintf(text, sizeof text, "claim c %s\n", rows[i].claim);
        write_pendulum("x.zw", text);
        const answer *a = verify("x.zw --states 20");
        if (a->code != rows[i].code || !strstr(a->err, rows[i].place) ||
            !strstr(a->err, rows[i].words))
            fail_msg("%s: code %d, %s", rows[i].claim, a->code, a->err);
    }
    write_pendulum("l.zw", "let f = mean(th, 1 [s])\nclaim c : f = 0\n");
    assert_has(verify("l.zw")->err, "mean(...) is known in claims only");
}

/* one that cannot be judged does not hide what the others are */
static void test_verify__goes_on_after_a_refusal(void **state) {
    (void)state;
    write_pendulum("g.zw", "claim a up to order 1 about (th = 0) : log(th) = 0\n"
                           "claim b : th = th\nclaim c : th = 2*th\n");
    const answer *a = verify("g.zw --states 20");
    assert_int_equal(a->code, 2);
    assert_has(a->out, "a NOT TESTED (line 6): ");
    assert_has(a->out, "b holds");
    assert_has(a->out, "c FAILS");
    assert_has(a->out, "1 of 3 claims hold, 1 could not be tested\n");
    a = verify("g.zw --states 20 --json");
    assert_has(a->out, "\"not_tested\": 1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verify__printed_equations),
        cmocka_unit_test(test_verify__printed_general_forms),
        cmocka_unit_test(test_verify__printed_series),
        cmocka_unit_test(test_verify__as_printed),
        cmocka_unit_test(test_verify__of_order),
        cmocka_unit_test(test_verify__numbers_modulo_constraints),
        cmocka_unit_test(test_verify__text_of_series),
        cmocka_unit_test(test_verify__refuses_series),
        cmocka_unit_test(test_verify__goes_on_after_a_refusal),
        cmocka_unit_test(test_verify__nothing_moves),
        cmocka_unit_test(test_verify__text),
        cmocka_unit_test(test_verify__variants),
        cmocka_unit_test(test_verify__refuses),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
