/* SPDX-License-Identifier: MIT */
/* What a reader must find in printed equations, principle by principle. */
#include "support/equations_json.h"
#include "support/test.h"
#include "zwang/zwang.h"

static const char skate[] =
    "model skate\nparam m = 1 [kg], J = 2 [kg*m^2]\ncoord x, y [m], th [rad]\n"
    "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*J*th'^2\n"
    "constraint edge : y'*cos(th) = x'*sin(th)\nconstraint park off : x = 0\n";

enum { JSON = -1 }; /* the report, not a format of zw_equations_write */

static char *written(const zw_equations *eq, int format) {
    return format == JSON ? equations_json(eq, NULL)
                          : zw_equations_write(eq, (zw_equation_format)format, ZW_SHORTENED);
}

static void assert_writes(const char *model, const char *principle, int format,
                          const char *const *wanted) {
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys = NULL;
    zw_equations eq;
    zw_error err = {0};
    if (zw_model_parse(&sys, ctx, model, strlen(model), "test", NULL, &err) < 0 ||
        zw_derive(&eq, sys, NULL, principle, &err) < 0)
        fail_msg("%s: %s", principle, err.text);
    char *text = written(&eq, format);
    char *again = written(&eq, format);
    assert_non_null(text);
    assert_string_equal(text, again);
    for (; *wanted; wanted++)
        if (!strstr(text, *wanted))
            fail_msg("by %s there is no '%s' in:\n%s", principle, *wanted, text);
    assert_null(strstr(text, "park"));
    if (format == JSON) {
        free(text);
        free(again);
    } else {
        zw_string_free(ctx, text);
        zw_string_free(ctx, again);
    }
    zw_context_destroy(ctx);
}

#define WANT(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_write__each_principle_has_its_blocks(void **state) {
    (void)state;
    assert_writes(skate, "lagrange", ZW_EQUATIONS_TEXT,
                  WANT("4 equations (3 of motion, 1 of constraints) for 3 accelerations and 1 "
                       "multiplier;",
                       "Equations of motion\n    m*x'' = -lambda(edge)*sin(th)\n",
                       "[edge, velocity level]"));
    assert_writes(skate, "kane", ZW_EQUATIONS_TEXT,
                  WANT("3 equations (2 of motion, 1 of constraints) for 3 accelerations;",
                       "Independent velocities: x', th'; dependent: y'\n",
                       "Constraints on acceleration level\n    y''*cos(th) - x''*sin(th) = "));
    assert_writes(skate, "gibbs-appell", ZW_EQUATIONS_TEXT,
                  WANT("The energy of acceleration\n    S = ", "1/2*J*th''^2"));
    assert_writes(skate, "gauss", ZW_EQUATIONS_TEXT,
                  WANT("The Zwang, least among the accelerations that the constraints allow\n"
                       "    Z = 1/2*m*x''^2 + 1/2*m*y''^2 + 1/2*J*th''^2\n"));
    assert_writes(skate, "hamilton", ZW_EQUATIONS_TEXT,
                  WANT("for 3 rates of momenta and 1 multiplier;", "Hamilton's function\n    H = ",
                       "    p(th') = J*th'\n", "    th' = p(th')/J\n",
                       "    p'(x') = -lambda(edge)*sin(th)\n", "Constraints on the level of p'"));
    assert_writes(skate, "vakonomic", ZW_EQUATIONS_TEXT,
                  WANT("for 3 accelerations and 1 rate of a multiplier;",
                       "The multipliers are states", "m*x'' + lambda'(edge)*sin(th) = "));
}

/* headings and lines as JSON: LaTeX in its strings, so backslashes are doubled */
static void test_write__page_has_the_lines_one_by_one(void **state) {
    (void)state;
    assert_writes(skate, "lagrange", ZW_EQUATIONS_PAGE,
                  WANT("{\"principle\":\"lagrange\",\"about\":",
                       "{\"heading\":\"Equations of motion\",\"lines\":[\n{\"left\":\"m \\\\, ",
                       "\\\\ddot{x}\",\"relation\":\"=\",\"right\":",
                       "{\"heading\":\"Constraints\",\"lines\":[\n",
                       "\"label\":\"edge, velocity level\"}\n]}"));
    assert_writes("model floor\nparam m = 1 [kg]\ncoord z [m]\nkinetic 1/2*m*z'^2\n"
                  "constraint contact : z'' >= 0\n",
                  "gauss-min", ZW_EQUATIONS_PAGE, WANT("\"relation\":\"\\\\geq\""));
}

/* for \input: the body of the document alone */
static void test_write__fragment(void **state) {
    (void)state;
    assert_writes(skate, "lagrange", ZW_EQUATIONS_FRAGMENT,
                  WANT("% needs \\usepackage{amsmath}\n\\section*{skate}\n", "\\begin{align*}\n",
                       "\\subsection*{Equations of motion}\n"));
}

static void test_write__chetaev_is_stated(void **state) {
    (void)state;
    static const char cone[] = "model cone\ncoord x, y, z [m]\nparticle P : 1 [kg] at (x, y, z)\n"
                               "constraint speed : x'^2 + y'^2 = z'^2\n";
    assert_writes(cone, "lagrange", ZW_EQUATIONS_TEXT,
                  WANT("by Chetaev's rule: virtual displacements",
                       "[speed, velocity level, nonlinear: Chetaev's rule]"));
    assert_writes(cone, "gauss", ZW_EQUATIONS_LATEX, WANT("by Chetaev's rule", "\\end{document}"));
}

static void test_write__inequalities(void **state) {
    (void)state;
    static const char floor[] = "model floor\ncoord x, y [m]\nparticle P : 1 [kg] at (x, y, 0)\n"
                                "gravity 9.81 [m/s^2] along -y\nconstraint contact : y'' >= 0\n"
                                "constraint slow : x'' <= 2 [m/s^2]\n";
    assert_writes(floor, "gauss-min", ZW_EQUATIONS_TEXT,
                  WANT("    y'' >= 0        [contact, acceleration level]",
                       "    x'' - 2 <= 0        [slow, acceleration level]", "    x'' <= 2\n",
                       "zero where the inequality is strict"));
    assert_writes(floor, "gauss-min", ZW_EQUATIONS_LATEX, WANT("&\\geq 0", "&\\leq 2"));
    assert_writes(floor, "gauss-min", JSON, WANT("\"inequalities\": [1, -1]"));
}

static void test_write__json_tells_the_rows_apart(void **state) {
    (void)state;
    assert_writes(skate, "maggi", JSON,
                  WANT("\"row_constraints\": [null, \"edge\", null]", "\"definitions\": []"));
}

/* nested powers of sums: a tree of 3^40 leaves that is a graph of 40 nodes */
static void test_write__huge_expressions_are_written_with_definitions(void **state) {
    (void)state;
    char model[4000];
    int used = snprintf(model, sizeof model, "model deep\ncoord x [rad]\nlet e_0 = exp(-x)\n");
    for (int i = 1; i <= 40; i++)
        used +=
            snprintf(model + used, sizeof model - (size_t)used,
                     "let e_%d = tanh(e_%d)*sin(e_%d) + exp(-e_%d^2)\n", i, i - 1, i - 1, i - 1);
    snprintf(model + used, sizeof model - (size_t)used,
             "kinetic 1/2*x'^2*1 [kg*m^2]\nforce (x) = e_40*1 [J]\n");
    assert_writes(model, "lagrange", ZW_EQUATIONS_TEXT, WANT("where\n    c1 = "));
    assert_writes(model, "lagrange", JSON,
                  WANT("\"definitions\": [\n    {\n      \"name\": \"c1\",\n      \"value\": \""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write__each_principle_has_its_blocks),
        cmocka_unit_test(test_write__page_has_the_lines_one_by_one),
        cmocka_unit_test(test_write__fragment),
        cmocka_unit_test(test_write__chetaev_is_stated),
        cmocka_unit_test(test_write__inequalities),
        cmocka_unit_test(test_write__json_tells_the_rows_apart),
        cmocka_unit_test(test_write__huge_expressions_are_written_with_definitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
