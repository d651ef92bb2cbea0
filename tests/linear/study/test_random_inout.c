/* SPDX-License-Identifier: MIT */
/* Inputs and outputs of the linear equations of random constrained systems
 * (analysis/linear_model.h): responses do not depend on coordinates, principles and redundant
 * constraints, and what constant inputs do is what steady motions beside do. */
#include <stdlib.h>

#include "support/linear_model.h"
#include "support/test.h"
#include "zwang/zwang.h"

enum { INPUTS = 4, OUTPUTS = RANDOM_MODEL_COORDS + 1 };
#define SAME 1e-8

typedef struct linear {
    zw_context *ctx;
    zw_system *sys;
    zw_equilibria *e;
    zw_linear_equations *l;
    zw_error err;
} linear;

static const char *const input[INPUTS] = {"drive", "m", "l", "t1"};
static const char *const told[OUTPUTS] = {"o0", "o1", "o2", "o3", "o4", "lambda(h0)"};
static int seeds = 40; /* more by the first argument */
static linear_model text;
static linear a, b;
static int nout;
static const char *output[OUTPUTS];

static void make(int seed, bool changed, bool redundant) {
    linear_model_make(&text, seed, changed, redundant);
    random_model_put(&text.m, "input drive = signal\n"
                              "force kick at P = (drive/3, drive, -drive/2)\n");
    nout = 0;
    for (int i = 0; i < text.m.nq; i++)
        output[nout++] = told[i];
}

static void destroy(linear *x) {
    zw_linear_destroy(x->l);
    zw_equilibria_destroy(x->e);
    zw_context_destroy(x->ctx);
}

/* false where the principle does not apply; what is set may be NULL */
static bool open_linear(linear *x, const char *by, const char *set) {
    zw_equilibria_options how = zw_equilibria_options_default();
    zw_linear_options what = zw_linear_options_default();
    zw_model_options read = {.size = sizeof read, .nset = set != NULL, .set = &set};
    zw_equations eq;
    *x = (linear){.ctx = zw_context_create(NULL)};
    if (zw_model_parse(&x->sys, x->ctx, text.m.text, text.m.n, "random", &read, &x->err) < 0)
        fail_msg("%s\n%s", x->err.text, text.m.text);
    if (zw_derive(&eq, x->sys, NULL, by, &x->err) < 0)
        return false;
    how.by = by;
    what.ninput = INPUTS;
    what.input = input;
    what.noutput = nout;
    what.output = output;
    if (zw_linear_prepare(x->sys, &what, &how, &x->err) < 0 ||
        zw_equilibria_create(&x->e, x->sys, &how, &x->err) < 0 ||
        zw_equilibria_find(x->e, &x->err) < 0 || zw_linear_create(&x->l, x->e, &what, &x->err) < 0)
        fail_msg("by %s: %s\n%s", by, x->err.text, text.m.text);
    return true;
}

/* the response; false where a constant input has none, along a family */
static bool response(const linear *x, int in, int out, double omega, double g[2]) {
    zw_error err = {0};
    return zw_response_at(zw_linear_states(x->l), zw_linear_inout(x->l), in, out, omega, g, &err) >=
           0;
}

static void expect_same(const char *how) {
    static const double omega[] = {0, 0.7, 2.3};
    for (int in = 0; in < INPUTS; in++)
        for (int k = 0; k < 3; k++)
            for (int out = 0; out < nout; out++) {
                double g[2], f[2];
                /* of what constraints hold only constant values have a meaning, and not along a
                 * family, where every set of states has its own notion of staying */
                if (zw_linear_inout(a.l)->in_constraint[in] &&
                    (omega[k] > 0 || zw_equilibria_linear(a.e)->nzero > 0))
                    continue;
                bool one = response(&a, in, out, omega[k], g),
                     two = response(&b, in, out, omega[k], f);
                if (one != two)
                    fail_msg("%s, %s to %s at %g: only one of them has a response\n%s", how,
                             input[in], output[out], omega[k], text.m.text);
                double size = fmax(1, hypot(g[0], g[1]));
                if (one && !(hypot(g[0] - f[0], g[1] - f[1]) <= SAME * size))
                    fail_msg("%s, %s to %s at %g: %.12g%+.12gi against %.12g%+.12gi\n%s", how,
                             input[in], output[out], omega[k], f[0], f[1], g[0], g[1], text.m.text);
            }
}

/* the reference in x, of systems at rest, which start at the motion that is meant */
static bool open_reference(int seed) {
    make(seed, false, false);
    if (text.cyclic)
        return false;
    if (text.m.nconstraint)
        output[nout++] = told[OUTPUTS - 1];
    assert_true(open_linear(&a, "lagrange", NULL));
    return true;
}

static void test_random_inout__other_words(void **state) {
    (void)state;
    int coordinates = 0, principles = 0, redundant = 0;
    for (int k = 0; k <= seeds; k++) {
        int seed = k < seeds ? k : 182; /* whose zero eigenvalue is a rather large rounding */
        if (!open_reference(seed))
            continue;
        for (const zw_principle *p = zw_principles(); p->name; p++)
            if (strcmp(p->name, "vakonomic") != 0 && strcmp(p->name, "gauss-min") != 0) {
                int all = nout;
                nout = text.m.nq; /* not every principle has multipliers */
                if (open_linear(&b, p->name, NULL)) {
                    expect_same(p->name);
                    principles++;
                }
                nout = all;
                destroy(&b);
            }
        int all = nout;
        make(seed, true, false);
        nout = all;
        if (text.m.nconstraint)
            output[nout - 1] = told[OUTPUTS - 1];
        if (open_linear(&b, "lagrange", NULL)) {
            expect_same("in y");
            coordinates++;
        }
        destroy(&b);
        if (text.m.nconstraint && !text.friction) {
            make(seed, true, true); /* multipliers of redundant constraints are not unique */
            if (open_linear(&b, "gauss", NULL)) {
                expect_same("in y, redundant");
                redundant++;
            }
            destroy(&b);
        }
        destroy(&a);
    }
    assert_true(coordinates >= seeds / 4 && redundant >= seeds / 10 && principles >= seeds);
}

/* steady values of the outputs with an input at x */
static void beside(const char *name, double x, double *value) {
    char set[64];
    snprintf(set, sizeof set, "%s=%.17g", name, x);
    assert_true(open_linear(&b, "lagrange", set));
    memcpy(value, zw_linear_inout(b.l)->value, sizeof(double) * (size_t)nout);
    destroy(&b);
}

/* largest error of static gains against central differences of steps h */
static double error_of_gains(int in, double x, double h) {
    double plus[OUTPUTS], minus[OUTPUTS], worst = 0;
    beside(input[in], x + h, plus);
    beside(input[in], x - h, minus);
    for (int out = 0; out < nout; out++) {
        double g[2];
        assert_true(response(&a, in, out, 0, g));
        worst = fmax(worst, fabs(g[0] - (plus[out] - minus[out]) / (2 * h)) / fmax(1, fabs(g[0])));
    }
    return worst;
}

/* a step by which an input moves the outputs a little */
static double step_of(int in) {
    double most = 1;
    for (int out = 0; out < nout; out++) {
        double g[2];
        assert_true(response(&a, in, out, 0, g));
        most = fmax(most, fabs(g[0]));
    }
    return 1e-2 / most;
}

static double parameter(const char *name) {
    double p[64];
    zw_error err = {0};
    if (zw_system_param_values(a.sys, p, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < a.sys->np; i++)
        if (strcmp(a.sys->param[i].name, name) == 0)
            return p[i];
    return 0; /* a signal */
}

static void test_random_inout__static_gains(void **state) {
    (void)state;
    int checked = 0;
    for (int seed = 0; seed < seeds; seed++) {
        if (!open_reference(seed))
            continue;
        if (zw_equilibria_linear(a.e)->nzero == 0) { /* no family, on which neighbours are many */
            for (int in = 0; in < INPUTS; in++) {
                double x = parameter(input[in]), h = step_of(in), e1 = error_of_gains(in, x, h),
                       e2 = error_of_gains(in, x, h / 10);
                if (!(e2 <= e1 / 30 + 1e-8))
                    fail_msg(
                        "%s: static gains are off by %.3g, %.3g for %.3g and a tenth of it\n%s",
                        input[in], e1, e2, h, text.m.text);
            }
            checked++;
        }
        destroy(&a);
    }
    assert_true(checked >= seeds / 8);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_inout__other_words),
        cmocka_unit_test(test_random_inout__static_gains),
    };
    if (argc > 1)
        seeds = atoi(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
