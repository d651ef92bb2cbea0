/* SPDX-License-Identifier: MIT */
/* What is said of the outputs of kernel functions (zero, fixed), against their values at random
 * states. */
#include "support/test.h"
#include "zwang/zwang.h"

enum { ROOM = 4096, STATES = 6 };

static unsigned seed = 1;
static double draw(void) {
    seed = seed * 1103515245u + 12345u;
    return (double)(seed >> 8 & 0xffff) / 32768 - 1;
}

static int zeros, fixed, varying;

static void expect_kinds(const zw_kernel *k, zw_function_name name, const double *p) {
    static double cache[ROOM], work[ROOM * 4], x[64], z[64], u[16], first[ROOM], out[ROOM];
    int n = k->fn[name].nout;
    const unsigned char *kind = k->kind[name];
    if (!k->fn[name].call)
        return;
    assert_non_null(kind);
    assert_true(n <= ROOM && k->nwork <= ROOM * 4 && k->ncache <= ROOM);
    zw_prepare(k, p, cache, work);
    for (int s = 0; s < STATES; s++) {
        double t = draw();
        for (int i = 0; i < k->nx; i++)
            x[i] = draw();
        for (int i = 0; i < k->nz; i++)
            z[i] = draw();
        const zw_args in = {.t = &t, .x = x, .z = z, .u = u, .c = cache};
        zw_kernel_call(k, name, &in, out, work);
        for (int i = 0; i < n; i++) {
            if (s == 0)
                first[i] = out[i];
            if (kind[i] == ZW_OUTPUT_ZERO)
                assert_true(out[i] == 0);
            if (kind[i] == ZW_OUTPUT_FIXED)
                assert_true(out[i] == first[i]);
        }
    }
    for (int i = 0; i < n; i++) {
        zeros += kind[i] == ZW_OUTPUT_ZERO;
        fixed += kind[i] == ZW_OUTPUT_FIXED;
        varying += kind[i] == ZW_OUTPUT_VARIES;
    }
}

static void test_output_kinds__of_models(void **state) {
    (void)state;
    static const char *const models[] = {"duffing",          "absorber_planar",
                                         "double_pendulum",  "pendulum_cartesian",
                                         "piecewise_linear", "bicycle"};
    static const zw_function_name names[] = {ZW_FN_MATS, ZW_FN_JAC,  ZW_FN_POS,
                                             ZW_FN_VEL,  ZW_FN_GRAD, ZW_FN_TIME};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        char path[512];
        zw_error err = {0};
        zw_context *ctx = zw_context_create(NULL);
        zw_system *sys;
        zw_equations eq;
        zw_kernel *k;
        static double p[256];
        zw_kernel_options o = zw_kernel_options_default();
        o.jit = ZW_JIT_NEVER;
        o.functions = ZW_FUNCTIONS_ALL_METHODS;
        snprintf(path, sizeof path, "%s/models/%s.zw", ZW_SOURCE_DIR, models[m]);
        if (zw_model_read(&sys, ctx, path, NULL, &err) < 0 ||
            zw_system_param_values(sys, p, &err) < 0 ||
            zw_derive(&eq, sys, NULL, "lagrange", &err) < 0 ||
            zw_kernel_create(&k, &eq, &o, &err) < 0)
            fail_msg("%s: %s", models[m], err.text);
        zeros = fixed = varying = 0;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            expect_kinds(k, names[i], p);
        assert_true(varying > 0);
        if (m == 0) { /* M, k and c of the one oscillator are seen to be fixed */
            assert_int_equal(k->kind[ZW_FN_MATS][0], ZW_OUTPUT_FIXED);
            assert_true(fixed >= 2 && zeros >= 1);
        }
        zw_kernel_destroy(k);
        zw_context_destroy(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_output_kinds__of_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
