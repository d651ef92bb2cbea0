/* SPDX-License-Identifier: MIT */
/* The C file of a kernel, compiled and loaded, against the interpreter: the same bits. */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "jit/c_text.h"
#include "jit/interp.h"
#include "jit/program.h"
#include "support/hand_system.h"
#include "support/random_expr.h"

typedef void prepare_function(const double *p, double *c);
typedef void function(double t, const double *x, const double *z, const double *u, const double *c,
                      double *out);

static double cache[8192], work[8192];

/* Compiles the text as a shared object with every warning an error; NULL if there is no compiler.
 * */
static void *compile(const char *text) {
    char folder[] = "/tmp/zwang-emit-XXXXXX", source[64], object[64], command[400];
    if (system("cc --version > /dev/null 2>&1") != 0)
        return NULL;
    assert_non_null(mkdtemp(folder));
    snprintf(source, sizeof source, "%s/kernel.c", folder);
    snprintf(object, sizeof object, "%s/kernel.so", folder);
    FILE *f = fopen(source, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    snprintf(command, sizeof command,
             "cc -std=c11 -O2 -ffp-contract=off -Wall -Wextra -pedantic -Werror -shared -fPIC "
             "-o %s %s -lm",
             object, source);
    assert_int_equal(system(command), 0);
    void *library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    assert_int_equal(remove(source), 0);
    assert_int_equal(remove(object), 0);
    assert_int_equal(rmdir(folder), 0);
    return library;
}

static void find(void *library, const char *name, void *function_pointer) {
    void *address = dlsym(library, name);
    assert_non_null(address);
    memcpy(function_pointer, &address, sizeof address);
}

static void test_emit_c__has_the_bits_of_the_kernel(void **state) {
    (void)state;
    static const char *const name[7] = {"rhs", "mats", "jac", "pos", "vel", "obs", "evt"};
    static const double p[HAND_NP] = {1.3, 0.8, 9.81};
    zw_context *ctx = zw_context_create(NULL);
    hand_system s;
    zw_kernel *k;
    hand_make(&s, ctx, true);
    char *text = zw_emit_c(&s.eq, NULL);
    assert_non_null(text);
    assert_non_null(strstr(text, "by hand"));
    assert_non_null(strstr(text, "lambda(rod)"));
    assert_non_null(strstr(text, "x[4] = y' [m/s]"));
    void *library = compile(text);
    zw_string_free(ctx, text);
    if (!library) {
        zw_context_destroy(ctx);
        skip();
    }
    assert_int_equal(zw_kernel_create(&k, &s.eq, NULL, NULL), ZW_OK);
    zw_func f[7] = {k->fn[ZW_FN_RHS], k->fn[ZW_FN_MATS], k->fn[ZW_FN_JAC], k->fn[ZW_FN_POS],
                    k->fn[ZW_FN_VEL], k->fn[ZW_FN_OBS],  k->fn[ZW_FN_EVT]};
    prepare_function *prepare;
    find(library, "zwang2_bead_on_rod_prepare", &prepare);
    test_random r = {11};
    for (int i = 0; i < 7; i++) {
        char symbol[64];
        function *g;
        snprintf(symbol, sizeof symbol, "zwang2_bead_on_rod_%s", name[i]);
        find(library, symbol, &g);
        for (int trial = 0; trial < 50; trial++) {
            double t = test_random_real(&r, -1, 5), x[6], z[4], want[64], out[64], c[64];
            for (int j = 0; j < 6; j++)
                x[j] = test_random_real(&r, -1, 1);
            for (int j = 0; j < 4; j++)
                z[j] = test_random_real(&r, -1, 1);
            zw_prepare(k, p, cache, work);
            zw_call(&f[i], &(zw_args){.t = &t, .x = x, .z = z, .c = cache}, want, work);
            prepare(p, c);
            g(t, x, z, NULL, c, out);
            assert_memory_equal(want, out, sizeof(double) * (size_t)f[i].nout);
        }
    }
    assert_int_equal(dlclose(library), 0);
    zw_kernel_destroy(k);
    zw_context_destroy(ctx);
}

enum { OUTPUTS = 5, FUNCTIONS = 12, ROUNDS = 6 };

static void write_random_functions(zw_text *text, const zw_program *p, zw_arena *scratch) {
    const zw_code *code[FUNCTIONS + 1];
    for (int i = 0; i <= FUNCTIONS; i++)
        code[i] = i < FUNCTIONS ? &p->code[i] : &p->prepare;
    zw_text_put(text, "#include <math.h>\n");
    zw_c_helpers(text, FUNCTIONS + 1, code);
    for (int i = 0; i <= FUNCTIONS; i++) {
        bool prepare = i == FUNCTIONS;
        zw_c_names names = {.space = {[ZW_SPACE_OUT] = prepare ? "c" : "out",
                                      [ZW_SPACE_T] = "t",
                                      [ZW_SPACE_X] = "x",
                                      [ZW_SPACE_P] = "p",
                                      [ZW_SPACE_U] = "u",
                                      [ZW_SPACE_Z] = "z",
                                      [ZW_SPACE_CACHE] = "c"}};
        if (prepare)
            zw_text_put(text, "void prepare(const double *p, double *c) {\n(void)p, (void)c;\n");
        else
            zw_text_printf(text,
                           "void f%d(double t, const double *x, const double *z, const double "
                           "*u, const double *c, double *out) {\n"
                           "(void)t, (void)x, (void)z, (void)u, (void)c;\n",
                           i);
        assert_true(zw_c_body(text, code[i], &names, scratch));
        zw_text_put(text, "}\n");
    }
}

static void test_emit_c__random_expressions_have_the_bits(void **state) {
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        zw_context *ctx = zw_context_create(NULL);
        random_source r;
        zw_program p;
        zw_text text;
        zw_arena arena;
        zw_arena_init(&arena, NULL);
        zw_text_init(&text, NULL);
        random_init(&r, (uint64_t)(300 + round), ctx);
        assert_int_equal(zw_program_init(&p, ctx, NULL), ZW_OK);
        zw_program_input(&p, ZW_SPACE_T, 1, r.symbol, NULL);
        zw_program_input(&p, ZW_SPACE_X, 4, r.symbol + 1, NULL);
        zw_program_input(&p, ZW_SPACE_Z, 3, r.symbol + 5, NULL);
        zw_program_input(&p, ZW_SPACE_P, 4, r.symbol + 8, NULL);
        for (int i = 0; i < FUNCTIONS; i++) {
            zw_expr e[OUTPUTS];
            random_expressions(&r, OUTPUTS, e);
            assert_int_equal(zw_program_function(&p, "f", OUTPUTS, e, NULL), ZW_OK);
        }
        assert_int_equal(zw_program_finish(&p, NULL), ZW_OK);
        write_random_functions(&text, &p, &arena);
        void *library = compile(zw_text_get(&text));
        if (!library)
            skip();
        prepare_function *prepare;
        zw_func slow_prepare;
        find(library, "prepare", &prepare);
        assert_int_equal(zw_interp_func(&slow_prepare, &p.prepare, 1, NULL, &arena), ZW_OK);
        for (int i = 0; i < FUNCTIONS; i++) {
            char symbol[16];
            function *g;
            zw_func f;
            snprintf(symbol, sizeof symbol, "f%d", i);
            find(library, symbol, &g);
            assert_int_equal(zw_interp_func(&f, &p.code[i], 1, NULL, &arena), ZW_OK);
            assert_true(f.nwork <= 8192 && slow_prepare.nwork <= 8192);
            for (int trial = 0; trial < 20; trial++) {
                static double c[8192];
                double at[RANDOM_SYMBOLS], want[OUTPUTS], out[OUTPUTS];
                random_point(&r, at);
                zw_call(&slow_prepare, &(zw_args){.p = at + 8}, cache, work);
                zw_call(&f, &(zw_args){.t = at, .x = at + 1, .z = at + 5, .c = cache}, want, work);
                prepare(at + 8, c);
                g(at[0], at + 1, at + 5, NULL, c, out);
                for (int k = 0; k < OUTPUTS; k++)
                    if (!isnan(want[k]) || !isnan(out[k]))
                        assert_memory_equal(&want[k], &out[k], sizeof(double));
            }
        }
        assert_int_equal(dlclose(library), 0);
        zw_text_clear(&text);
        zw_arena_clear(&arena);
        zw_program_clear(&p);
        zw_context_destroy(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_emit_c__has_the_bits_of_the_kernel),
        cmocka_unit_test(test_emit_c__random_expressions_have_the_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
