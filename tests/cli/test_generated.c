/* SPDX-License-Identifier: MIT */
/* Generated C as a user has it: the file and the header of `derive --format c`, a program that
 * knows no more than the names of the header, compiled as C99 and as C++17 in a folder of its own.
 * Its classical Runge-Kutta integration ends where `zwang run` does. */
#include <stdbool.h>

#include "support/command.h"

/* Prints a coordinate at t = 2 s, after 20000 steps; u is given by the caller. */
static const char PROGRAM[] =
    "#include <stdio.h>\n"
    "#include \"model.h\"\n"
    "#define N(name) zwang2_"
    "%s"
    "_##name\n"
    "#define CALL(name) zwang2_"
    "%s"
    "_##name\n"
    "static double p[N(NP)], c[N(NCACHE) + 1], u[N(NU) + 1], out[N(RHS_SIZE)];\n"
    "static void rates(double t, const double x[]) {\n"
    "    %s\n"
    "    CALL(rhs)(t, x, 0, u, c, out);\n"
    "}\n"
    "int main(void) {\n"
    "    enum { NX = N(NX), STEPS = 20000 };\n"
    "    const double h = 2.0 / STEPS, weight[4] = {1, 2, 2, 1}, reach[4] = {0, 0.5, 0.5, 1};\n"
    "    double x[NX], y[NX], sum[NX];\n"
    "    CALL(defaults)(p);\n"
    "    %s\n"
    "    CALL(prepare)(p, c);\n"
    "    CALL(start_completed)(x);\n"
    "    for (int step = 0; step < STEPS; step++) {\n"
    "        for (int i = 0; i < NX; i++)\n"
    "            out[i] = sum[i] = 0;\n"
    "        for (int k = 0; k < 4; k++) {\n"
    "            for (int i = 0; i < NX; i++)\n"
    "                y[i] = x[i] + h * reach[k] * out[i];\n"
    "            rates(h * (step + reach[k]), y);\n"
    "            for (int i = 0; i < NX; i++)\n"
    "                sum[i] += weight[k] * out[i];\n"
    "        }\n"
    "        for (int i = 0; i < NX; i++)\n"
    "            x[i] += h / 6 * sum[i];\n"
    "    }\n"
    "    printf(\"%%.12g\\n\", x[N(X_%s)]);\n"
    "    return 0;\n"
    "}\n";

static const char WARNINGS[] = "-Wall -Wextra -pedantic -Werror";

static bool has(const char *compiler) {
    char command[64];
    snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", compiler);
    return system(command) == 0;
}

/* what the program prints */
static double compiled(const char *compiler, const char *standard) {
    char command[512], text[64];
    snprintf(command, sizeof command,
             "cd %s && %s -O1 -std=%s %s -Wno-deprecated -o program program.c model.c -lm && "
             "./program >printed",
             folder, compiler, standard, WARNINGS);
    if (system(command) != 0)
        fail_msg("%s", command);
    read_file("printed", text, sizeof text);
    return atof(text);
}

/* the start of cell n of a line; NULL: it has not so many */
static const char *cell(const char *line, int n) {
    for (; line && n > 0; n--) {
        line = strchr(line, ',');
        line = line ? line + 1 : NULL;
    }
    return line;
}

/* the last row of a run, in the column of this name and unit */
static double last_of(const char *table, const char *column) {
    static char text[1 << 16];
    const char *names = NULL, *last = NULL, *found = NULL;
    read_file(table, text, sizeof text);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (line[0] != '#' && !names)
            names = line;
        last = line;
    }
    for (int n = 0; (found = cell(names, n)); n++)
        if (strncmp(found, column, strlen(column)) == 0)
            return atof(cell(last, n));
    return NAN;
}

typedef struct example {
    const char *path, *name, *column, *identifier;
    const char *set;    /* option of the command */
    const char *change; /* the same in C */
    const char *inputs; /* what is done for u in C */
} example;

static void check_example(const example *x) {
    char text[4096], command[512];
    snprintf(command, sizeof command, "%s --format c --out model.c --header model.h", x->path);
    assert_int_equal(zwang_verb("derive", command)->code, 0);
    snprintf(text, sizeof text, PROGRAM, x->name, x->name, x->inputs, x->change, x->identifier);
    write_file("program.c", text);
    snprintf(command, sizeof command,
             "%s %s --until 2 --rtol 1e-12 --atol 1e-13 --step-out 1 --out run.csv", x->path,
             x->set);
    assert_int_equal(zwang_verb("run", command)->code, 0);
    double want = last_of("run.csv", x->column), is = compiled("cc", "c99");
    assert_true(isfinite(want) && fabs(want) > 1e-3);
    if (!(fabs(is - want) <= 1e-8 * (1 + fabs(want))))
        fail_msg("%s: %s is %.12g, not %.12g", x->name, x->column, is, want);
    if (has("c++")) {
        double again = compiled("c++ -x c++", "c++17");
        assert_true(fabs(again - is) <= 1e-10);
    }
}

static void test_generated__rk4_ends_where_the_run_does(void **state) {
    (void)state;
    static const example examples[] = {
        /* a start that is completed, rolling constraints */
        {MODEL("rolling_penny"), "rolling_penny", "x[m]", "x", "", "", ""},
        /* a parameter that others are made of */
        {MODEL("double_pendulum"), "double_pendulum", "phi_1[rad]", "phi_1", "", "", ""},
        /* an input of the caller's */
        {"push.zw", "push", "x[m]", "x", "--set u=3N --set m=1kg",
         "p[N(P_m)] = 1; CALL(follow)(p);", "(void)t; u[N(U_u)] = 3;"},
    };
    if (!has("cc"))
        skip();
    write_file("push.zw", "model push\n"
                          "param m = 2 [kg], k = 25 [ms/kg], T = k*m\n"
                          "coord x [m]\n"
                          "particle P : m at (x, 0)\n"
                          "input u = signal [N]\n"
                          "state f [N] : f' = (u - f)/T\n"
                          "force (x) = f\n");
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        check_example(&examples[i]);
}

static void test_generated__header_belongs_to_c(void **state) {
    (void)state;
    const answer *a = zwang_verb("derive", MODEL("duffing") " --header d.h");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "--format c");
    a = zwang_verb("derive", MODEL("duffing") " --format c --out d.c --header ./d.c");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "same file");
    a = zwang_verb("derive", MODEL("duffing") " --format c --out d.c --header d.h");
    assert_int_equal(a->code, 0);
    char text[1 << 14];
    read_file("d.c", text, sizeof text);
    assert_has(text, "#include \"d.h\"");
    assert_has(text, " * out: M [0..0] 1 x 1, h [1..1], qdot [2..2]\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generated__rk4_ends_where_the_run_does),
        cmocka_unit_test(test_generated__header_belongs_to_c),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
