/* SPDX-License-Identifier: MIT */
/* Places, and what is integrated, differentiated and evaluated over them: closed forms, units,
 * mistakes. */
#include <math.h>

#include "support/failing_allocator.h"
#include "support/test.h"
#include "zwang/zwang.h"

typedef struct text_model {
    zw_context *ctx;
    zw_system *sys;
    zw_error err;
} text_model;

static zw_status read_text(text_model *m, const char *text) {
    *m = (text_model){.ctx = zw_context_create(NULL)};
    return zw_model_parse(&m->sys, m->ctx, text, strlen(text), "test", NULL, &m->err);
}

/* observable `name` with coordinates q and velocities v at 1.3, 2.3, ... and 0.7, 1.7, ... */
static double observe(const text_model *m, const char *name) {
    enum { MOST = 40 };
    const zw_system *s = m->sys;
    zw_expr sym[MOST];
    double value[MOST], p[MOST];
    zw_error err = {0};
    int n = 0;
    assert_int_equal(zw_system_param_values(s, p, &err), ZW_OK);
    for (int i = 0; i < s->np; i++, n++) {
        sym[n] = s->param[i].sym;
        value[n] = p[i];
    }
    for (int i = 0; i < s->nq; i++, n++) {
        sym[n] = s->coord[i].sym;
        value[n] = 1.3 + i;
    }
    for (int i = 0; i < s->nv; i++, n++) {
        sym[n] = s->velocity[i].sym;
        value[n] = 0.7 + i;
    }
    for (int i = 0; i < s->nobservable; i++)
        if (strcmp(s->observable[i].name, name) == 0)
            return zw_eval(m->ctx, s->observable[i].value, n, sym, value);
    fail_msg("there is no observable %s", name);
    return NAN;
}

static const char *unit_of(const text_model *m, const char *name) {
    for (int i = 0; i < m->sys->nobservable; i++)
        if (strcmp(m->sys->observable[i].name, name) == 0)
            return m->sys->observable[i].unit;
    return "?";
}

#define HEAD                                                                                       \
    "model field\nparam l = 2 [m], mu = 3 [kg/m], T = 5 [N]\nspace s [m]\ncoord q, r [m]\n"        \
    "let u = q*sin(pi*s/l) + r*sin(2*pi*s/l)\nkinetic integral(1/2*mu*u'^2, s, 0, l)\n"

static void test_field__closed_forms(void **state) {
    (void)state;
    text_model m;
    if (read_text(&m, HEAD "potential integral(1/2*T*partial(u, s)^2, s, 0, l)\n"
                           "observe top = integral((s/l)^39, s, 0, l)\n"
                           "observe few = integral((s/l)^5, s, 0, l, 3)\n"
                           "observe above = integral((s/l)^6, s, 0, l, 3)\n"
                           "observe part = integral(s^2, s, l/2, l)\n"
                           "observe two = integral((1, s/l), s, 0, l)\n"
                           "observe rise = value(partial(u, s), s, 0)\n"
                           "observe middle = value(u', s, l/2)\n"
                           "observe square = integral(u^2, s, 0, l)\n"
                           "observe mass = integral(u'^2, s, 0, l)\n") < 0)
        fail_msg("%s", m.err.text);
    assert_close(observe(&m, "top"), 2.0 / 40, 1e-14);
    assert_close(observe(&m, "few"), 2.0 / 6, 1e-14); /* three points: to the fifth power */
    assert_true(fabs(observe(&m, "above") - 2.0 / 7) > 1e-4);
    assert_close(observe(&m, "part"), 7.0 / 3, 1e-14);
    assert_close(observe(&m, "two.x"), 2, 1e-14);
    assert_close(observe(&m, "two.y"), 1, 1e-14);
    assert_close(observe(&m, "rise"), M_PI / 2 * (1.3 + 2 * 2.3), 1e-14);
    assert_close(observe(&m, "middle"), 0.7, 1e-14);
    assert_close(observe(&m, "square"), 1.3 * 1.3 + 2.3 * 2.3, 1e-13); /* l/2 each */
    assert_close(observe(&m, "mass"), 0.7 * 0.7 + 1.7 * 1.7, 1e-13);
    assert_string_equal(unit_of(&m, "part"), "m^3");
    assert_string_equal(unit_of(&m, "middle"), "m/s");
    assert_string_equal(unit_of(&m, "rise"), "");
    zw_context_destroy(m.ctx);
}

/* the energies of the string are those of two oscillators: mu l/2 and T (n pi)^2/(2 l) */
static void test_field__string_is_its_modes(void **state) {
    (void)state;
    text_model m;
    zw_equations eq;
    zw_kernel *kernel;
    zw_flow *flow;
    double p[8], x[4] = {0.3, -0.2, 0, 0}, rate[4];
    if (read_text(&m, HEAD "potential integral(1/2*T*partial(u, s)^2, s, 0, l)\n") < 0 ||
        zw_derive(&eq, m.sys, NULL, "lagrange", &m.err) < 0 ||
        zw_kernel_create(&kernel, &eq, NULL, &m.err) < 0 ||
        zw_system_param_values(m.sys, p, &m.err) < 0 ||
        zw_flow_create(&flow, kernel, p, &m.err) < 0 ||
        zw_flow_rates(flow, 0, x, rate, NULL, &m.err) < 0)
        fail_msg("%s", m.err.text);
    double w = M_PI / 2 * sqrt(5.0 / 3);
    assert_close(rate[2], -w * w * 0.3, 1e-12);
    assert_close(rate[3], 4 * w * w * 0.2, 1e-12);
    zw_flow_destroy(flow);
    zw_kernel_destroy(kernel);
    zw_context_destroy(m.ctx);
}

static void refused(const char *text, const char *says) {
    text_model m;
    assert_true(read_text(&m, text) < 0);
    if (!strstr(m.err.text, says))
        fail_msg("says: %s", m.err.text);
    zw_context_destroy(m.ctx);
}

static void test_field__mistakes(void **state) {
    (void)state;
    refused(HEAD "potential T*u\n", "cannot depend on s");
    refused(HEAD "observe o = u\n", "depends on the place s");
    refused(HEAD "particle P : 1 [kg] at (u, 0)\n", "depends on the place s");
    refused(HEAD "particle P : mu*s at (q, 0)\n", "depends on the place s");
    refused(HEAD "force (q) = T*s/l\n", "cannot depend on s");
    refused(HEAD "observe o = integral(u, q, 0, l)\n", "the name of a place");
    refused(HEAD "observe o = integral(u, s, 0)\n", "takes 4 arguments, not 3");
    refused(HEAD "observe o = integral(u, s, 0, 1 [s])\n", "the upper end is in s");
    refused(HEAD "observe o = integral(u, s, 0, l, 2.5)\n", "a whole number from 1 to 200");
    refused(HEAD "observe o = integral(u, s, 0, l, 0)\n", "a whole number from 1 to 200");
    refused(HEAD "observe o = partial(u, l)\n", "the name of a place");
    refused(HEAD "observe o = value(u, s, q/l)\n", "the place is");
    refused(HEAD "observe o = integral(1/(s - s), s, 0, l)\n", "");
    refused(HEAD "coord s [m]\n", "declared twice");
}

static void test_field__memory_may_run_out(void **state) {
    (void)state;
    static const char text[] = HEAD "potential integral(1/2*T*partial(u, s)^2, s, 0, l)\n"
                                    "observe middle = value(u', s, l/2)\n";
    for (long n = 1;; n += n < 50 ? 1 : 7) {
        failing_allocator fa = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&fa);
        zw_context *ctx = zw_context_create(&alloc);
        zw_system *sys;
        zw_status status = ZW_E_MEMORY;
        if (ctx)
            status = zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, NULL);
        assert_true(status == ZW_OK || (status == ZW_E_MEMORY && fa.failed));
        zw_context_destroy(ctx);
        assert_int_equal(fa.blocks, 0);
        if (!fa.failed)
            break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_field__closed_forms),
        cmocka_unit_test(test_field__string_is_its_modes),
        cmocka_unit_test(test_field__mistakes),
        cmocka_unit_test(test_field__memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
