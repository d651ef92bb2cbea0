/* SPDX-License-Identifier: MIT */
/* The C file of `derive --format c`, compiled alone, against the library: of every shipped model by
 * several principles, of a pendulum of twenty links, of constraints that depend on each other. It
 * is C99 and C++17 without a warning (a C++ compiler is slow: make test-long asks it about every
 * file, make test about some). Values of parameters, starts and inputs are the library's; rates and
 * accelerations agree at random states, and what lies at the places that the header names is what
 * the expressions of the equations are. */
#include "support/test.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "mech/equations/variants.h"
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
    rhs_function *rhs, *mats, *pos, *vel, *obs, *evt;
    values_function *completed; /* NULL: there is none */
    start_function *inputs;     /* NULL: there are none */
    char *header;
} emitted;

enum { SIZE = 4096, TRIALS = 5 };

static const char C_FLAGS[] = "-std=c99 -O0 -ffp-contract=off -Wall -Wextra -pedantic -Werror "
                              "-Wmissing-prototypes -Wstrict-prototypes";
static const char CXX_FLAGS[] = "-x c++ -std=c++17 -Wall -Wextra -pedantic -Werror -fsyntax-only";

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

static void run_compiler(const char *model, const char *compiler, const char *flags,
                         const char *object, const char *source) {
    char command[512];
    snprintf(command, sizeof command, "%s %s%s%s %s%s", compiler, flags,
             object ? " -shared -fPIC -o " : "", object ? object : "", source,
             object ? " -lm" : "");
    if (system(command) != 0)
        fail_msg("%s: %s does not compile the file", model, compiler);
}

/* false: there is no compiler. The header is kept. */
static bool compile(emitted *e, const char *text, char *header, const char *model, bool cxx) {
    char folder[] = "/tmp/zwang-emitted-XXXXXX", source[64], object[64], beside[64];
    if (system("cc --version >/dev/null 2>&1") != 0)
        return false;
    cxx = cxx && system("c++ --version >/dev/null 2>&1") == 0;
    *e = (emitted){.header = header};
    assert_non_null(mkdtemp(folder));
    snprintf(source, sizeof source, "%s/kernel.c", folder);
    snprintf(beside, sizeof beside, "%s/kernel.h", folder);
    snprintf(object, sizeof object, "%s/kernel.so", folder);
    write_text(source, text);
    write_text(beside, header);
    run_compiler(model, "cc", C_FLAGS, object, source);
    if (cxx)
        run_compiler(model, "c++", CXX_FLAGS, NULL, source);
    snprintf(e->prefix, sizeof e->prefix, "zwang2_%s", model);
    e->library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(e->library);
    find(e, "defaults", &e->defaults);
    find(e, "follow", &e->follow);
    find(e, "start", &e->start);
    find(e, "start_completed", &e->completed);
    find(e, "inputs", &e->inputs);
    find(e, "prepare", &e->prepare);
    find(e, "rhs", &e->rhs);
    find(e, "mats", &e->mats);
    find(e, "pos", &e->pos);
    find(e, "vel", &e->vel);
    find(e, "obs", &e->obs);
    find(e, "evt", &e->evt);
    assert_true(e->defaults && e->start && e->prepare && e->rhs && e->mats);
    remove(source);
    remove(beside);
    remove(object);
    rmdir(folder);
    return true;
}

/* what the header says about "_NAME = "; -1: it has no such name */
static int number(const emitted *e, const char *name) {
    char line[512];
    snprintf(line, sizeof line, "    %s_%s = ", e->prefix, name);
    const char *found = strstr(e->header, line);
    return found ? atoi(found + strlen(line)) : -1;
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

/* the symbols of the equations and their values at one point */
typedef struct point {
    int n;
    zw_expr symbol[SIZE];
    double value[SIZE];
} point;

static void at(point *at, int n, const zw_expr *symbol, const double *value) {
    for (int i = 0; i < n; i++) {
        at->symbol[at->n] = symbol[i];
        at->value[at->n++] = value[i];
    }
}

static void check_part(const emitted *e, const zw_equations *eq, const point *here,
                       const char *name, int n, const zw_expr *want, const double *out) {
    int place = number(e, name);
    if (n == 0)
        return;
    if (place < 0)
        fail_msg("%s: the header has no %s", eq->sys->name, name);
    for (int i = 0; i < n; i++) {
        double is = out[place + i];
        double x = zw_eval(eq->sys->ctx, want[i], here->n, here->symbol, here->value);
        if ((isfinite(x) || isfinite(is)) && !(fabs(is - x) <= 1e-11 * (1 + fabs(x))))
            fail_msg("%s by %s: %s[%d] is %.17g, not %.17g", eq->sys->name, eq->principle, name, i,
                     is, x);
    }
}

/* an identifier as the head of src/jit/emit_header.c says, for names that have no others like
 * them */
static void check_named(const emitted *e, const zw_equations *eq, const char *group, int n,
                        const zw_expr *symbol) {
    for (int i = 0; i < n; i++) {
        const char *name = zw_expr_name(eq->sys->ctx, symbol[i]);
        char want[160];
        size_t k = (size_t)snprintf(want, sizeof want, "%s_", group), length = strlen(name);
        size_t primes = length - strcspn(name, "'");
        if (strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_'") !=
            length)
            continue; /* indices and dots: seen in the header of other names */
        snprintf(want + k, sizeof want - k, "%.*s%s", (int)(length - primes), name,
                 primes == 2   ? "_ddot"
                 : primes == 1 ? "_dot"
                               : "");
        assert_true(primes <= 2);
        if (number(e, want) != i)
            fail_msg("%s: %s is %d, not %d", eq->sys->name, want, number(e, want), i);
    }
}

static void check_sizes(const emitted *e, const zw_equations *eq) {
    const zw_system *sys = eq->sys;
    assert_int_equal(number(e, "NP"), sys->np);
    assert_int_equal(number(e, "NX"), eq->nq + eq->nv);
    assert_int_equal(number(e, "NZ"), eq->nv + eq->nc);
    assert_int_equal(number(e, "NU"), eq->nu);
    assert_int_equal(number(e, "RHS_SIZE"), eq->nq + eq->nv + eq->nc + 1);
    for (int i = 0; i < sys->np; i++) {
        char name[160];
        snprintf(name, sizeof name, "P_%s", sys->param[i].name);
        assert_int_equal(number(e, name), i);
    }
    check_named(e, eq, "X", eq->nq, eq->q);
    assert_int_equal(number(e, "NQ"), eq->nq);
    check_named(e, eq, "Z", eq->nv, eq->a);
    check_named(e, eq, "U", eq->nu, eq->u);
}

/* every part of mats, pos, vel, obs and evt against the expressions of the equations */
static void check_places(const emitted *e, const zw_equations *eq, double t, const double *p,
                         const double *c, const double *x, const double *z, const double *u) {
    const zw_system *sys = eq->sys;
    static double out[1 << 16];
    static zw_expr want[SIZE];
    static point here;
    here.n = 0;
    at(&here, 1, &sys->t, &t);
    for (int i = 0; i < sys->np; i++)
        at(&here, 1, &sys->param[i].sym, &p[i]);
    at(&here, eq->nq, eq->q, x);
    at(&here, eq->nv, eq->v, x + eq->nq);
    at(&here, eq->nv, eq->a, z);
    at(&here, eq->nc, eq->lambda, z + eq->nv);
    at(&here, eq->nu, eq->u, u);
    assert_true(number(e, "MATS_SIZE") < 1 << 16 && number(e, "NCACHE") < 1 << 16);
    e->mats(t, x, NULL, u, c, out);
    check_part(e, eq, &here, "MATS_M", eq->nv * eq->nv, eq->M, out);
    check_part(e, eq, &here, "MATS_h", eq->nv, eq->h, out);
    check_part(e, eq, &here, "MATS_C", eq->nv * eq->nc, eq->C, out);
    check_part(e, eq, &here, "MATS_W", eq->nc * eq->nv, eq->W, out);
    check_part(e, eq, &here, "MATS_b", eq->nc, eq->b, out);
    check_part(e, eq, &here, "MATS_qdot", eq->nq, eq->qdot, out);
    e->pos(t, x, NULL, u, c, out);
    check_part(e, eq, &here, "POS_phi", eq->npos, eq->phi, out);
    check_part(e, eq, &here, "POS_Phi", eq->npos * eq->nv, eq->Phi, out);
    check_part(e, eq, &here, "POS_F", eq->nq * eq->nv, eq->F, out);
    e->vel(t, x, NULL, u, c, out);
    check_part(e, eq, &here, "VEL_psi", eq->nvel, eq->psi, out);
    check_part(e, eq, &here, "VEL_Psi", eq->nvel * eq->nv, eq->Psi, out);
    e->obs(t, x, z, u, c, out);
    check_part(e, eq, &here, "OBS_kinetic_energy", 1, &eq->T, out);
    check_part(e, eq, &here, "OBS_potential_energy", 1, &eq->V, out);
    for (int i = 0; i < eq->nobservable; i++) {
        char name[160]; /* SIZE is the size: an observable of that name is the second one */
        snprintf(name, sizeof name, "OBS_%s", sys->observable[i].name);
        for (char *dot = name; (dot = strchr(dot, '.'));)
            *dot = '_';
        if (strcmp(name, "OBS_SIZE") == 0)
            strcat(name, "_2");
        want[i] = sys->observable[i].value;
        assert_int_equal(zw_equations_translate(eq, 1, &want[i], NULL), ZW_OK);
        check_part(e, eq, &here, name, 1, &want[i], out);
    }
}

typedef struct inputs_of {
    const zw_system *sys;
    const double *p;
} inputs_of;

static void model_inputs(void *user, double t, double *u) {
    const inputs_of *of = user;
    for (int i = 0; i < of->sys->nsignal; i++)
        u[i] = zw_system_signal_at(of->sys, i, of->p, t, t);
}

/* at states near the start; redundant constraints have many sets of multipliers, but one set of
 * rates */
static int check_rates(const emitted *e, const zw_equations *eq, const double *p,
                       const double *start) {
    static double cache[1 << 16], x[SIZE], out[SIZE], rate[SIZE], z[SIZE], u[SIZE];
    int nx = eq->nq + eq->nv, agreed = 0;
    zw_kernel *kernel = NULL;
    zw_flow *flow = NULL;
    zw_error err = {0};
    test_random r = {5};
    assert_int_equal(e->inputs != NULL, eq->nu > 0);
    check_sizes(e, eq);
    if (zw_kernel_create(&kernel, eq, NULL, &err) < 0 || zw_flow_create(&flow, kernel, p, &err) < 0)
        fail_msg("%s: %s", eq->sys->name, err.text);
    inputs_of inputs = {eq->sys, p};
    zw_flow_on_input(flow, model_inputs, &inputs);
    e->prepare(p, cache);
    for (int trial = 0; trial < TRIALS; trial++) {
        for (int i = 0; i < nx; i++)
            x[i] = start[i] + test_random_real(&r, -0.3, 0.3) * (0.1 + fabs(start[i]));
        double t = test_random_real(&r, 0, 2);
        if (e->inputs)
            e->inputs(t, p, u);
        for (int i = 0; i < eq->nu; i++)
            assert_true(fabs(u[i] - zw_system_signal_at(eq->sys, i, p, t, t)) <=
                        1e-14 * fabs(u[i]));
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
            if (agreed++ == 0)
                check_places(e, eq, t, p, cache, x, z, u);
        }
    }
    zw_flow_destroy(flow);
    zw_kernel_destroy(kernel);
    return agreed;
}

/* the states at which both found rates; -1: the principle cannot take the model, -2: no compiler */
static int check_model(const zw_system *sys, const char *principle, bool cxx) {
    static double p[SIZE], x[SIZE];
    zw_equations eq;
    zw_error err = {0};
    emitted e;
    if (zw_derive(&eq, sys, NULL, principle, NULL) < 0)
        return -1;
    char *text, *header;
    zw_emit_options options = zw_emit_options_default();
    options.header = "kernel.h";
    if (zw_emit_files(&eq, &options, &text, &header, &err) < 0)
        fail_msg("%s by %s: %s", sys->name, principle, err.text);
    if (eq.inequality && strstr(text, "No rhs")) {
        zw_string_free(sys->ctx, text);
        zw_string_free(sys->ctx, header);
        return -1;
    }
    bool compiled = compile(&e, text, header, sys->name, cxx);
    zw_string_free(sys->ctx, text);
    if (!compiled) {
        zw_string_free(sys->ctx, header);
        return -2;
    }
    check_values(&e, &eq, p, x);
    int agreed = check_rates(&e, &eq, p, x);
    zw_string_free(sys->ctx, header);
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
            int more = check_model(sys, by->name, test_takes(4, "c++", sys->name, by->name));
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
        if (!strstr(d->d_name, ".zw") || !test_takes(3, "emitted", d->d_name, ""))
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
    static const char *const names[] = {"pendulum_cartesian.zw", "rolling_penny.zw",
                                        "chaplygin_sleigh.zw", "double_pendulum.zw"};
    for (int i = 0; i < (test_long() ? 4 : 2); i++) {
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
    int agreed = check_model(sys, "lagrange", true);
    zw_context_destroy(ctx);
    if (agreed == -2)
        skip();
    assert_int_equal(agreed, TRIALS);
}

/* the second rod says what the first one says: one of the multipliers is 0, the accelerations are
 * the same */
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
    int agreed = check_model(sys, "gauss", true);
    zw_context_destroy(ctx);
    if (agreed == -2)
        skip();
    assert_int_equal(agreed, TRIALS);
}

/* values that keep, that go linearly, that are made of parameters; a title and names that C would
 * read as something else; names that become one identifier */
static void test_emitted__inputs_and_awkward_names(void **state) {
    (void)state;
    static const char text[] = "model awkward \"ends */ begins /* here\"\n"
                               "param m = 2 [kg], T = 3 [N], half = 4 [N], two = 2*half\n"
                               "coord x [m], x_dot [m], V [m]\n"
                               "particle P : m at (x, x_dot, V)\n"
                               "input u = signal [N]\ninput w = signal [N]\ninput s = signal [N]\n"
                               "force (x) = u + T\n"
                               "force (x_dot) = w\n"
                               "force (V) = s\n"
                               "observe SIZE = u\nobserve energy = x\n"
                               "start x = 1 [m]\n";
    const char *const set[] = {"u=two/3", "w=table (0, 1 [N]), (1 [s], 3 [N]), (1.5 [s], 0)",
                               "s=table (0.2 [s], 1 [N]), (1 [s], 3 [N]), (1.5 [s], 7 [N]) hold"};
    zw_model_options options = {.nset = 3, .set = set};
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    zw_error err = {0};
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test", &options, &err) < 0)
        fail_msg("%s", err.text);
    int agreed = check_model(sys, "lagrange", true);
    zw_equations eq;
    char *c, *header;
    assert_int_equal(zw_derive(&eq, sys, NULL, "lagrange", NULL), ZW_OK);
    assert_int_equal(zw_emit_files(&eq, NULL, &c, &header, NULL), ZW_OK);
    assert_non_null(strstr(header, "awkward_X_x_dot = 1, /* x_dot [m] */"));
    assert_non_null(strstr(header, "awkward_X_x_dot_2 = 3, /* x' [m/s] */"));
    zw_string_free(ctx, c);
    zw_string_free(ctx, header);
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
        cmocka_unit_test(test_emitted__inputs_and_awkward_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
