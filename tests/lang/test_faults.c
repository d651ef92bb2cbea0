/* SPDX-License-Identifier: MIT */
/* All faults of a text: each is told once, in the order of the text, and nothing that only follows
 * from another one is told. */
#include "support/test.h"

#include <stdlib.h>

#include "support/failing_allocator.h"
#include "zwang/model.h"

#define HEAD                                                                                       \
    "model test\n"                                                                                 \
    "param r = 1 [cm], m = 2 [kg], k = 3 [N/m]\n"                                                  \
    "coord x, y [m], th [rad]\n"                                                                   \
    "particle P : m at (x, y)\n"                                                                   \
    "kinetic 1/2*m*r^2*th'^2\n" /* 5 lines */

typedef struct list {
    int n;
    char text[16384]; /* "line:column sentence\n" or "file: sentence\n" each */
} list;

static void add(void *user, const zw_error *e) {
    list *l = user;
    size_t used = strlen(l->text), room = sizeof l->text - used;
    l->n++;
    if (strcmp(e->file, "test.zw") == 0)
        snprintf(l->text + used, room, "%d:%d %s\n", e->line, e->column, e->text);
    else
        snprintf(l->text + used, room, "%s: %s\n", e->file[0] ? e->file : "no place", e->text);
}

static void expect_with(const char *text, zw_model_options options, const char *want) {
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_error err = {0};
    list all = {0}, first = {0};
    options.fault = add;
    options.fault_user = &all;
    zw_status status = zw_model_parse(&s, ctx, text, strlen(text), "test.zw", &options, &err);
    assert_string_equal(all.text, want);
    assert_true(status < 0 && err.status == status && s == NULL);
    add(&first, &err); /* the caller's error is the first of the list */
    assert_memory_equal(all.text, first.text, strlen(first.text));
    zw_context_destroy(ctx);
}

static void expect(const char *text, const char *want) {
    expect_with(text, (zw_model_options){0}, want);
}

static void test_faults__of_names_and_units(void **state) {
    (void)state;
    expect(HEAD "let a = Omega*r\n"
                "force (x) = 3 [kg]\n"
                "observe b = x + th\n"
                "start y = 2 [s]\n"
                "event e : x + k, stop\n"
                "draw line P to (1, 2)\n",
           "6:9 there is no name 'Omega'\n"
           "7:13 the force on 'x' is in kg and must be in N\n"
           "8:17 a sum needs equal units; its terms are in m and in rad\n"
           "9:11 'y' is in m, its start value is in s\n"
           "10:15 a sum needs equal units; its terms are in m and in N/m\n"
           "11:16 component 1 of the end of the line is a plain number and must be in m\n");
}

static void test_faults__of_syntax(void **state) {
    (void)state;
    expect(HEAD "let a = 3 4\n"
                "lett b = 3\n"
                "param c = 2cm\n"
                "observe d = \"text\n"
                "spring s : k, P\n"
                "let ok = a + b + c\n",
           "6:11 the end of the statement is expected here, not '4'\n"
           "7:1 there is no statement 'lett'\n"
           "8:11 '2cm' is neither a number nor a name\n"
           "9:13 the text in quotes is not closed\n"
           "10:16 'to' and the second point is expected here, not the end of the statement\n");
}

static void test_faults__of_syntax_hide_no_others(void **state) {
    (void)state;
    expect(HEAD "force (x) = 3 [kg]\n"
                "let a = (x +* y)\n"
                "start y = 2 [s]\n",
           "6:13 the force on 'x' is in kg and must be in N\n"
           "7:13 a number, a name or '(' is expected here, not '*'\n"
           "8:11 'y' is in m, its start value is in s\n");
}

static void test_faults__follow_from_no_other(void **state) {
    (void)state;
    /* a definition with a fault, used by everything, directly and through others */
    expect(HEAD "let a = x + k\n"
                "let b = 2*a\n"
                "force (x) = b\n"
                "constraint c : b = 0\n"
                "observe f = lambda(c)\n"
                "event e : x, switch off c\n"
                "start y = a\n",
           "6:13 a sum needs equal units; its terms are in m and in N/m\n");
    /* declarations that are lost: of every kind of name, in the middle of a list */
    expect("model test\n"
           "param m = 2 [kg], g = 9.81 [m/s^^2], l = 1 [m]\n"
           "coord x [m] y [m]\n"
           "rotation R euler zxz (psi, theta phi)\n"
           "body b : R at (x, y, l), sphere(m l)\n"
           "gravity g along -z\n"
           "rolling roll : sphere b radius l plane\n"
           "observe a = psi + theta, c = b.origin.x, d = lambda(roll.1), e = m*g*l\n"
           "start x = l, psi = 0, b.w = (0, 0, 0)\n"
           "event e2 : x - l, switch off roll.1\n",
           "2:33 an exponent must be a whole number, or a fraction in brackets\n"
           "3:13 the end of the statement is expected here, not 'y'\n"
           "4:34 ',' between the three angles is expected here, not 'phi'\n"
           "5:35 ')' is expected here, not 'l'\n"
           "7:34 'on' and what the body rolls on is expected here, not 'plane'\n");
    /* an unknown name is told where it stands first */
    expect(HEAD "force (x) = F\nforce (y) = F + F\nobserve F2 = 2*F\n",
           "6:13 there is no name 'F'\n");
    /* two names that are defined by each other are one circle */
    expect(HEAD "let a = b + x\nlet b = a\nobserve c = a, d = b\n",
           "6:5 the definition 'a' is defined by itself\n");
}

static void test_faults__of_declarations(void **state) {
    (void)state;
    expect(HEAD "let r = 3\n"
                "coord z, w\n"
                "coord u [cm]\n"
                "constraint c : x = 0 [m]\n"
                "constraint c : y = 0 [m]\n"
                "gravity 9.81 [m/s^2] along -y\n"
                "gravity 1 [m/s^2] along x\n"
                "start x = 0, y = 0, x = 1 [m]\n"
                "observe s = z + w + u\n",
           "6:5 'r' is declared twice\n"
           "7:7 the coordinate 'z' has no unit\n"
           "8:9 coordinates are measured in SI units, not in [cm]\n"
           "10:12 'c' is declared twice\n"
           "12:1 a second gravity\n"
           "13:21 'x' starts twice\n");
}

static void test_faults__of_quasi_velocities(void **state) {
    (void)state;
    expect(HEAD "quasi u = x' + th\n"
                "quasi v = y' + w0\n"
                "force (u) = 1 [N]\n"
                "observe a = u + v, b = k*x + m\n",
           "6:16 a sum needs equal units; its terms are in m/s and in rad\n"
           "7:16 there is no name 'w0'\n"
           "9:30 a sum needs equal units; its terms are in N and in kg\n");
}

/* a bracket or an operator at a line end keeps a statement open, but not over the next one */
static void test_faults__of_open_statements(void **state) {
    (void)state;
    expect(HEAD "let a = (x + r\n"
                "let b = x + k\n"
                "let c = (2*(x + y)\n"
                "coord z [m]\n"
                "force (x) = 2 *\n"
                "force (z) = 1 [m]\n"
                "let d = (z,\n"
                "         x +,\n"
                "         y)\n"
                "observe e = z + th\n",
           "7:1 ')' is expected here, not 'let'\n"
           "7:13 a sum needs equal units; its terms are in m and in N/m\n"
           "9:1 ')' is expected here, not 'coord'\n"
           "11:11 the end of the statement is expected here, not '='\n"
           "11:13 the force on 'z' is in m and must be in N\n"
           "13:13 a number, a name or '(' is expected here, not ','\n"
           "15:17 a sum needs equal units; its terms are in m and in rad\n");
    /* strange letters within and behind the bracket are told once each */
    expect(HEAD "let a = (x + r \xc3\xa4 \xc3\xb6\n"
                "let b = 3 \xc3\xa4\n"
                "let c = 3x\n",
           "6:16 a character (byte 195) that has no meaning here\n"
           "7:11 a character (byte 195) that has no meaning here\n"
           "8:9 '3x' is neither a number nor a name\n");
}

static void test_faults__of_variants(void **state) {
    (void)state;
    static const char text[] = HEAD "variant a\n"
                                    "  param r = 2 cm\n"
                                    "  remove q\n"
                                    "  force (x) = 3 [s]\n"
                                    "  let b = (1\n"
                                    "end\n"
                                    "variant a\n"
                                    "  param m = 3 [kg]\n"
                                    "end\n"
                                    "force (y) = 3 [s]\n";
    /* what is not chosen is read, not built */
    expect(text, "7:15 the end of the statement is expected here, not 'cm'\n"
                 "11:1 ')' is expected here, not 'end'\n"
                 "12:9 there are two variants 'a'\n"
                 "15:13 the force on 'y' is in s and must be in N\n");
    expect_with(text, (zw_model_options){.variant = "a"},
                "7:15 the end of the statement is expected here, not 'cm'\n"
                "8:10 there is no 'q' to remove\n"
                "9:15 the force on 'x' is in s and must be in N\n"
                "11:1 ')' is expected here, not 'end'\n"
                "12:9 there are two variants 'a'\n"
                "15:13 the force on 'y' is in s and must be in N\n");
    expect(HEAD "variant a\nparam r = 2 [cm]\n"
                "variant b\nparam r = 3 [cm]\nend\n"
                "let c = x + k\n",
           "8:1 a variant inside the variant 'a'\n"
           "11:13 a sum needs equal units; its terms are in m and in N/m\n");
    expect(HEAD "let c = 3 x\nvariant a\nlet d = 3\nobserve e = d\n",
           "6:11 the end of the statement is expected here, not 'x'\n"
           "7:1 the variant 'a' does not end\n");
}

static void test_faults__of_options(void **state) {
    (void)state;
    const char *set[] = {"r=2 [s]", "q=3", "k", "m=2)", "x=1 [m]"};
    const char *with[] = {"roll", "c"}, *without[] = {"slide", "c"};
    expect_with(
        HEAD "constraint c : x = 0 [m]\nforce (y) = 1 [s]\n",
        (zw_model_options){
            .nset = 5, .set = set, .nwith = 2, .with = with, .nwithout = 2, .without = without},
        "7:13 the force on 'y' is in s and must be in N\n"
        "--set m: the end of the setting is expected here, not ')'\n"
        "--set r: the parameter 'r' is in s here and must be in m\n"
        "--set q: there is no name 'q'\n"
        "no place: --set k: there is no '='\n"
        "no place: there is no constraint 'roll' to switch\n"
        "no place: 'c' is switched both on and off\n"
        "no place: there is no constraint 'slide' to switch\n");
}

static void test_faults__of_the_head(void **state) {
    (void)state;
    expect("param m = 1 [kg], k = 2 3\ncoord x [m]\nforce (x) = k*m\n",
           "1:1 the first statement must name the model\n"
           "1:25 the end of the statement is expected here, not '3'\n");
    expect("modell test\nlet a = 3 x\n",
           "1:1 the first statement must name the model\n"
           "2:11 the end of the statement is expected here, not 'x'\n");
    /* "units none" was meant: no fault of units is told beside it */
    expect("model test\nunit none\ncoord x\nparam k = 2\nkinetic x'^2/2\npotential k*x^2 + y\n",
           "2:1 there is no statement 'unit'\n"
           "6:19 there is no name 'y'\n");
}

/* a text of nothing but faults ends, and soon */
static void test_faults__are_not_endless(void **state) {
    (void)state;
    static const char line[] = "let a = (1 +\n";
    size_t n = 70000, length = n * (sizeof line - 1) + 8;
    char *text = calloc(1, length + 1);
    assert_non_null(text);
    memcpy(text, "model a\n", 8);
    for (size_t i = 0; i < n; i++)
        memcpy(text + 8 + i * (sizeof line - 1), line, sizeof line - 1);
    list all = {0};
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_model_options options = {.fault = add, .fault_user = &all};
    assert_true(zw_model_parse(&s, ctx, text, length, "test.zw", &options, NULL) < 0);
    assert_int_equal(all.n, 100);
    zw_context_destroy(ctx);
    free(text);
}

static bool read_failing(zw_context *ctx) {
    static const char text[] = HEAD "let a = (x + r\nlet b = x + k\nforce (x) = c\n";
    zw_system *s;
    zw_error err = {0};
    zw_status status = zw_model_parse(&s, ctx, text, sizeof text - 1, "test.zw", NULL, &err);
    assert_true(status < 0 && err.status == status && err.text[0]);
    return status != ZW_E_MEMORY;
}

static void test_faults__survive_any_failing_allocation(void **state) {
    (void)state;
    bool done = false;
    for (long n = 1; !done && n < 100000; n++) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_context *ctx = zw_context_create(&alloc);
        done = ctx && read_failing(ctx);
        zw_context_destroy(ctx);
        assert_int_equal(f.bytes, 0);
    }
    assert_true(done);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults__of_names_and_units),
        cmocka_unit_test(test_faults__of_syntax),
        cmocka_unit_test(test_faults__of_syntax_hide_no_others),
        cmocka_unit_test(test_faults__follow_from_no_other),
        cmocka_unit_test(test_faults__of_declarations),
        cmocka_unit_test(test_faults__of_quasi_velocities),
        cmocka_unit_test(test_faults__of_open_statements),
        cmocka_unit_test(test_faults__of_variants),
        cmocka_unit_test(test_faults__of_options),
        cmocka_unit_test(test_faults__of_the_head),
        cmocka_unit_test(test_faults__are_not_endless),
        cmocka_unit_test(test_faults__survive_any_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
