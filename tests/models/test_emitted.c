/* SPDX-License-Identifier: MIT */
/* The C file of `derive --format c`, compiled alone, against the library: of every shipped model by several
 * principles, of a pendulum of twenty links, of constraints that depend on each other. Values of
 * parameters and starts are the library's; rates and accelerations agree at random states. */
#include "test.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "zwang/zwang.h"

typedef void values_function(double *p);
typedef void start_function(double t, const double *p, double *x);
typedef void prepare_function(const double *p, double *c);
typedef void rhs_function(double t, const double *x, const double *z, const double *u,
                          const double *c, double *out);

typedef struct emitted {
    void *library;
    char prefix[128];
    values_function *defaults, *follow; /* follow NULL: nothing to follow */
    start_function *start;
    prepare_function *prepare;
    rhs_function *rhs;
} emitted;

enum { SIZE = 4096, TRIALS = 5 };

static void write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void find(const emitted *e, const char *name, void *function_pointer) {
    char symbol[192];
    snprintf(symbol, sizeof symbol, "%s_%s", e->prefix, name);
    void *address = dlsym(e->library, symbol);
    memcpy(function_pointer, &address, sizeof address);
}

/* false: there is no compiler */
static bool compile(emitted *e, const char *text, const char *model) {
    char folder[] = "/tmp/zwang-emitted-XXXXXX", source[64], object[64], command[400];
    if (system("cc --version >/dev/null 2>&1") != 0)
        return false;
    assert_non_null(mkdtemp(folder));
    snprintf(source, sizeof source, "%s/kernel.c", folder);
    snprintf(object, sizeof object, "%s/kernel.so", folder);
    write_text(source, text);
    snprintf(
        command, sizeof command,
        "cc -std=c11 -O0 -ffp-contract=off -Wall -Wextra -pedantic -Werror -shared -fPIC -o %s "
        "%s -lm",
        object, source);
    if (system(command) != 0)
        fail_msg("%s: the file does not compile", model);
    snprintf(e->prefix, sizeof e->prefix, "zwang2_%s", model);
    e->library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(e->library);
    find(e, "defaults", &e->defaults);
    find(e, "follow", &e->follow);
    find(e, "start", &e->start);
    find(e, "prepare", &e->prepare);
    find(e, "rhs", &e->rhs);
    assert_true(e->defaults && e->start && e->prepare && e->rhs);
    remove(source);
    remove(object);
    rmdir(folder);
    return true;
}

static double largest(int n, const double *a) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i]));
    return most;
}

/* parameters and start are those of the library; they are left in p and x */
static void check_values(const emitted *e, const zw_equations *eq, double *p, double *x) {
    const zw_system *sys = eq->sys;
    static double given[SIZE], of_system[SIZE], want[SIZE];
    static bool fixed[SIZE];
    zw_error err = {0};
    assert_int_equal(zw_system_param_values(sys, given, &err), ZW_OK);
    e->defaults(p);
    assert_memory_equal(p, given, sizeof(double) * (size_t)sys->np);
    if (e->follow)
        e->follow(p);
    for (int i = 0; i < sys->np; i++)
        assert_true(fabs(p[i] - given[i]) <= 1e-14 * fabs(given[i]));
    assert_int_equal(zw_system_start_state(sys, given, of_system, fixed, &err), ZW_OK);
    if (zw_equations_state(eq, 0, given, of_system, want, &err) < 0)
        fail_msg("%s: %s", sys->name, err.text);
    e->start(0, p, x);
    for (int i = 0; i < eq->nq + eq->nv; i++)
        assert_true(fabs(x[i] - want[i]) <= 1e-12 * (1 + fabs(want[i])));
}

/* at states near the start; redundant constraints have many sets of multipliers, but one set of rates */
static int check_rates(const emitted *e, const zw_equations *eq, const double *p,
                       const double *start) {
    static double cache[1 << 16], x[SIZE], out[SIZE], rate[SIZE], z[SIZE], u[SIZE];
    int nx = eq->nq + eq->nv, agreed = 0;
    zw_kernel *kernel = NULL;
    zw_flow *flow = NULL;
    zw_error err = {0};
    test_random r = {5};
    if (zw_kernel_create(&kernel, eq, NULL, &err) < 0 || zw_flow_create(&flow, kernel, p, &err) < 0)
        fail_msg("%s: %s", eq->sys->name, err.text);
    e->prepare(p, cache);
    for (int trial = 0; trial < TRIALS; trial++) {
        for (int i = 0; i < nx; i++)
            x[i] = start[i] + test_random_real(&r, -0.3, 0.3) * (0.1 + fabs(start[i]));
        double t = test_random_real(&r, 0, 2);
        e->rhs(t, x, NULL, u, cache, out);
        if (zw_flow_rates(flow, t, x, rate, z, NULL) < 0) /* as the pivot must tell */
            assert_true(!(out[nx + eq->nc] > 1e-12) || !isfinite(largest(nx, out)));
        else {
            int n = eq->pseudo ? nx : nx + eq->nc;
            double most = 1 + fmax(largest(nx, rate), largest(eq->nv + eq->nc, z));
            for (int i = 0; i < n; i++) {
                double want = i < nx ? rate[i] : z[i - eq->nq];
                if (!(fabs(out[i] - want) <= 1e-9 * most))
                    fail_msg("%s by %s: output %d is %.15g, not %.15g", eq->sys->name,
                             eq->principle, i, out[i], want);
            }
            agreed++;
        }
    }
    zw_flow_destroy(flow);
    zw_kernel_destroy(kernel);
    return agreed;
}

/* the states at which both found rates; -1: the principle cannot take the model, -2: no compiler */
static int check_model(const zw_system *sys, const char *principle) {
    static double p[SIZE], x[SIZE];
    zw_equations eq;
    zw_error err = {0};
    emitted e;
    if (zw_derive(&eq, sys, NULL, principle, NULL) < 0)
        return -1;
    char *text = zw_emit_c(&eq, &err);
    if (!text)
        fail_msg("%s by %s: %s", sys->name, principle, err.text);
    if (eq.inequality && strstr(text, "No rhs")) {
        zw_string_free(sys->ctx, text);
        return -1;
    }
    bool compiled = compile(&e, text, sys->name);
    zw_string_free(sys->ctx, text);
    if (!compiled)
        return -2;
    check_values(&e, &eq, p, x);
    int agreed = check_rates(&e, &eq, p, x);
    assert_int_equal(dlclose(e.library), 0);
    return agreed;
}

static zw_system *parse(zw_context *ctx, const char *text) {
    zw_system *sys;
    zw_error err = {0};
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &err) < 0)
        fail_msg("%s", err.text);
    return sys;
}

/* a shipped model by one principle, or by all */
static int check_shipped(const char *name, const char *principle) {
    char path[512];
    zw_system *sys;
    zw_error err = {0};
    zw_context *ctx = zw_context_create(NULL);
    snprintf(path, sizeof path, ZW_SOURCE_DIR "/models/%s", name);
    if (zw_model_read(&sys, ctx, path, NULL, &err) < 0)
        fail_msg("%s: %s", name, err.text);
    int agreed = 0;
    for (const zw_principle *by = zw_principles(); by->name && agreed > -2; by++)
        if (!principle || strcmp(by->name, principle) == 0) {
            int more = check_model(sys, by->name);
            agreed = more == -2 ? -2 : agreed + (more > 0 ? more : 0);
        }
    zw_context_destroy(ctx);
    return agreed;
}

/* a singular mass matrix leaves nothing to compare: few models have one */
static void test_emitted__every_shipped_model(void **state) {
    (void)state;
    DIR *folder = opendir(ZW_SOURCE_DIR "/models");
    assert_non_null(folder);
    int models = 0, silent = 0;
    for (const struct dirent *d; (d = readdir(folder));) {
        if (!strstr(d->d_name, ".zw"))
            continue;
        int agreed = check_shipped(d->d_name, "lagrange");
        if (agreed == -2)
            break;
        models++;
        silent += agreed <= 0;
    }
    closedir(folder);
    if (models == 0)
        skip();
    assert_true(models > 20);
    assert_true(silent <= 1);
}

static void test_emitted__every_principle(void **state) {
    (void)state;
    static const char *const names[] = {"pendulum_cartesian.zw", "chaplygin_sleigh.zw",
                                        "double_pendulum.zw", "rolling_penny.zw"};
    for (int i = 0; i < 4; i++) {
        int agreed = check_shipped(names[i], NULL);
        if (agreed == -2)
            skip();
        assert_true(agreed >= 5 * TRIALS); /* five principles at least can take it */
    }
}

/* twenty links, nv = 20: rhs is no generated code */
static void test_emitted__pendulum_of_twenty_links(void **state) {
    (void)state;
    enum { LINKS = 20 };
    static char text[8192];
    size_t n = 0;
    n += (size_t)snprintf(text, sizeof text,
                          "model chain\nparam m = 1 [kg], total = 2 [m], l = total/%d\ncoord ",
                          LINKS);
    for (int i = 1; i <= LINKS; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%sa%d [rad]", i > 1 ? ", " : "", i);
    n += (size_t)snprintf(text + n, sizeof text - n, "\nlet X0 = 0*l\nlet Y0 = 0*l\n");
    for (int i = 1; i <= LINKS; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "let X%d = X%d + l*sin(a%d)\nlet Y%d = Y%d - l*cos(a%d)\n"
                              "particle P%d : m at (X%d, Y%d)\n",
                              i, i - 1, i, i, i - 1, i, i, i, i);
    snprintf(
        text + n, sizeof text - n,
        "gravity 9.81 [m/s^2] along -y\nstart a1 = 0.5*l/total, a7 = 1 [rad], a3' = 2 [rad/s]\n");
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys = parse(ctx, text);
    int agreed = check_model(sys, "lagrange");
    zw_context_destroy(ctx);
    if (agreed == -2)
        skip();
    assert_int_equal(agreed, TRIALS);
}

/* the second rod says what the first one says: one of the multipliers is 0, the accelerations are the same */
static void test_emitted__redundant_constraints(void **state) {
    (void)state;
    static const char text[] = "model twice\n"
                               "param m = 2 [kg], l = 1 [m]\n"
                               "coord x [m], y [m]\n"
                               "particle P : m at (x, y)\n"
                               "gravity 10 [m/s^2] along -y\n"
                               "constraint rod : x^2 + y^2 = l^2\n"
                               "constraint again : 3*x^2 + 3*y^2 = 3*l^2\n"
                               "start x = 0.6*l, x' = 0.1 [m/s]\n";
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys = parse(ctx, text);
    int agreed = check_model(sys, "gauss");
    zw_context_destroy(ctx);
    if (agreed == -2)
        skip();
    assert_int_equal(agreed, TRIALS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_emitted__every_shipped_model),
        cmocka_unit_test(test_emitted__every_principle),
        cmocka_unit_test(test_emitted__pendulum_of_twenty_links),
        cmocka_unit_test(test_emitted__redundant_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
