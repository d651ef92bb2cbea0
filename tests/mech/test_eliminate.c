/* SPDX-License-Identifier: MIT */
/* Equations with the constraints put in, of every shipped model by every principle, against the
 * accelerations and multipliers that the numerics find at random states; closed forms; what cannot
 * be solved is said. */
#include "support/test.h"

#include <dirent.h>

#include "support/equations_json.h"
#include "support/failing_allocator.h"
#include "zwang/zwang.h"

enum { SYMBOLS = 600, STATES = 4 };

typedef struct point {
    int n;
    zw_expr symbol[SYMBOLS];
    double value[SYMBOLS];
} point;

typedef struct tally {
    int models, explicit_models; /* equations that were compared; those of which all is a formula */
    int solved, implicit, multipliers;
} tally;

static double *slot(point *p, zw_expr symbol) {
    for (int i = 0; i < p->n; i++)
        if (p->symbol[i] == symbol)
            return &p->value[i];
    assert_true(p->n < SYMBOLS);
    p->symbol[p->n] = symbol;
    return &p->value[p->n++];
}

static double at(const zw_equations *eq, const point *p, zw_expr e) {
    return zw_eval(eq->sys->ctx, e, p->n, p->symbol, p->value);
}

/* a state near the start, with the dependent velocities as the elimination has them */
static void choose(const zw_equations *eq, point *p, const double *param, double t, double *x,
                   const double *start, test_random *r) {
    const zw_system *sys = eq->sys;
    const zw_elimination *o = eq->elimination;
    p->n = 0;
    *slot(p, sys->t) = t;
    for (int i = 0; i < sys->np; i++)
        *slot(p, sys->param[i].sym) = param[i];
    for (int i = 0; i < eq->nu; i++)
        *slot(p, eq->u[i]) = 0;
    for (int i = 0; i < eq->nq + eq->nv; i++) {
        x[i] = start[i] + test_random_real(r, -0.3, 0.3) * (0.5 + fabs(start[i]));
        *slot(p, i < eq->nq ? eq->q[i] : eq->v[i - eq->nq]) = x[i];
    }
    for (int k = 0; o->velocity && k < o->ndependent; k++) {
        double v = at(eq, p, o->velocity[k]);
        x[eq->nq + o->dependent[k]] = *slot(p, eq->v[o->dependent[k]]) = v;
    }
}

static void agree(const zw_equations *eq, const char *name, double is, double want, double most) {
    if (!(fabs(is - want) <= 1e-8 * (1 + most)))
        fail_msg("%s by %s: %s is %.12g, not %.12g", eq->sys->name, eq->principle, name, is, want);
}

/* z: v' and lambda that the numerics have found */
static void compare(const zw_equations *eq, point *p, const double *z, tally *count) {
    const zw_elimination *o = eq->elimination;
    zw_context *ctx = eq->sys->ctx;
    double most = 0;
    for (int i = 0; i < eq->nv + eq->nc; i++) {
        *slot(p, i < eq->nv ? eq->a[i] : eq->lambda[i - eq->nv]) = z[i];
        most = fmax(most, fabs(z[i]));
    }
    for (int i = 0; i < o->nunknown; i++) {
        const char *name = zw_expr_name(ctx, o->unknown[i]);
        if (o->reason[i] == ZW_EXPLICIT) {
            agree(eq, name, at(eq, p, o->numerator[i]) / at(eq, p, o->denominator[i]),
                  *slot(p, o->unknown[i]), most);
            count->solved++;
        } else {
            count->implicit++;
        }
        double left = 0, size = 0;
        for (int j = 0; j < o->nunknown; j++) {
            double term = at(eq, p, o->A[i * o->nunknown + j]) * *slot(p, o->unknown[j]);
            left += term;
            size = fmax(size, fabs(term));
        }
        agree(eq, "a row", left, at(eq, p, o->r[i]), size);
    }
    for (int k = 0; k < o->ndependent; k++)
        agree(eq, zw_expr_name(ctx, eq->a[o->dependent[k]]), at(eq, p, o->acceleration[k]),
              *slot(p, eq->a[o->dependent[k]]), most);
    for (int c = 0; c < o->nmultiplier; c++, count->multipliers++)
        agree(eq, zw_expr_name(ctx, o->lambda[c]), at(eq, p, o->multiplier[c]),
              *slot(p, o->lambda[c]), most);
}

static bool is_explicit(const zw_elimination *o) {
    for (int i = 0; i < o->nunknown; i++)
        if (o->reason[i] != ZW_EXPLICIT)
            return false;
    return true;
}

/* false: the principle or the elimination refuses */
static bool check(const zw_system *sys, const char *principle, tally *count) {
    static double param[SYMBOLS], of_system[SYMBOLS], start[SYMBOLS], x[SYMBOLS], rate[SYMBOLS],
        z[SYMBOLS];
    static bool fixed[SYMBOLS];
    static point p;
    zw_equations eq;
    zw_kernel *kernel;
    zw_flow *flow;
    zw_error err = {0};
    if (zw_derive(&eq, sys, NULL, principle, &err) < 0 ||
        zw_equations_eliminate(&eq, &eq, &err) < 0) {
        assert_true(err.text[0]);
        zw_context_reset_status(sys->ctx);
        return false;
    }
    zw_kernel_options options = zw_kernel_options_default();
    options.functions = ZW_FUNCTIONS_RUN;
    assert_int_equal(zw_system_param_values(sys, param, &err), ZW_OK);
    assert_int_equal(zw_system_start_state(sys, param, of_system, fixed, &err), ZW_OK);
    assert_int_equal(zw_equations_state(&eq, 0, param, of_system, start, &err), ZW_OK);
    assert_int_equal(zw_kernel_create(&kernel, &eq, &options, &err), ZW_OK);
    assert_int_equal(zw_flow_create(&flow, kernel, param, &err), ZW_OK);
    test_random r = {23};
    int compared = 0;
    for (int trial = 0; trial < STATES; trial++) {
        double t = test_random_real(&r, 0, 2);
        choose(&eq, &p, param, t, x, start, &r);
        if (zw_flow_rates(flow, t, x, rate, z, NULL) < 0)
            continue;
        compare(&eq, &p, z, count);
        compared++;
    }
    zw_flow_destroy(flow);
    zw_kernel_destroy(kernel);
    count->models += compared > 0;
    count->explicit_models += compared > 0 && is_explicit(eq.elimination);
    return true;
}

static void test_eliminate__agrees_with_the_numerics(void **state) {
    (void)state;
    DIR *folder = opendir(ZW_SOURCE_DIR "/models");
    tally count = {0};
    assert_non_null(folder);
    for (const struct dirent *d; (d = readdir(folder));) {
        char path[512];
        zw_system *sys;
        zw_error err = {0};
        if (!strstr(d->d_name, ".zw"))
            continue;
        zw_context *ctx = zw_context_create(NULL);
        snprintf(path, sizeof path, ZW_SOURCE_DIR "/models/%s", d->d_name);
        if (zw_model_read(&sys, ctx, path, NULL, &err) < 0)
            fail_msg("%s", err.text);
        for (const zw_principle *by = zw_principles(); sys->nv && by->name; by++)
            if (test_takes(3, "eliminate", d->d_name, by->name))
                check(sys, by->name, &count);
        zw_context_destroy(ctx);
    }
    closedir(folder);
    print_message("%d equations, %d of them solved; %d values, %d implicit, %d multipliers\n",
                  count.models, count.explicit_models, count.solved, count.implicit,
                  count.multipliers);
    assert_true(count.models > 100 && count.explicit_models > 80);
    assert_true(count.multipliers > 50);
}

static zw_equations eliminated(zw_context *ctx, const char *text, const char *principle) {
    zw_system *sys;
    zw_equations eq;
    zw_error err = {0};
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test.zw", NULL, &err) < 0 ||
        zw_derive(&eq, sys, NULL, principle, &err) < 0 ||
        zw_equations_eliminate(&eq, &eq, &err) < 0)
        fail_msg("%s", err.text);
    return eq;
}

static void assert_text(const zw_equations *eq, const char *part) {
    char *text = zw_equations_write(eq, ZW_EQUATIONS_TEXT, ZW_SHORTENED);
    assert_non_null(text);
    if (!strstr(text, part))
        fail_msg("no '%s' in: %s", part, text);
    zw_string_free(eq->sys->ctx, text);
}

#define CHAIN                                                                                      \
    "model chain\nparam m = 1 [kg], k = 2 [N/m]\ncoord a [m], b [m], c [m], d [m]\n"               \
    "kinetic m*(a'^2 + b'^2 + c'^2 + d'^2)/2 + m*(a'*b' + b'*c' + c'*d')/4\npotential k*a^2/2\n"

static void test_eliminate__what_stays_implicit_is_said(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    zw_equations eq = eliminated(ctx, CHAIN, "lagrange");
    assert_int_equal(eq.elimination->reason[0], ZW_IMPLICIT_COUPLED);
    assert_text(&eq, "More than three unknowns are coupled");
    eq = eliminated(ctx, CHAIN "constraint tie : a = b\n", "lagrange");
    assert_int_equal(eq.elimination->reason[0], ZW_EXPLICIT);
    assert_text(&eq, "Equations of motion, solved");
    zw_context_destroy(ctx);
}

/* Chaplygin's sleigh: u' = a w^2, w' = -m a u w/(m a^2 + J) */
static void test_eliminate__closed_form(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    zw_equations eq;
    assert_int_equal(
        zw_model_read(&sys, ctx, ZW_SOURCE_DIR "/models/chaplygin_sleigh.zw", NULL, NULL), ZW_OK);
    for (const zw_principle *by = zw_principles(); by->name; by++) {
        if (zw_derive(&eq, sys, NULL, by->name, NULL) < 0 || eq.system_v || eq.nv > sys->nv) {
            zw_context_reset_status(ctx);
            continue;
        }
        assert_int_equal(zw_equations_eliminate(&eq, &eq, NULL), ZW_OK);
        assert_text(&eq, "    u' = a*w^2\n");
        assert_text(&eq, "    w' = -m*a*u*w/(m*a^2 + J)\n");
    }
    zw_context_destroy(ctx);
}

/* the double pendulum: what is common in rows and columns has been taken out, as in textbooks */
static void test_eliminate__common_factors_cancel(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    zw_equations eq;
    assert_int_equal(
        zw_model_read(&sys, ctx, ZW_SOURCE_DIR "/models/double_pendulum.zw", NULL, NULL), ZW_OK);
    assert_int_equal(zw_derive(&eq, sys, NULL, "lagrange", NULL), ZW_OK);
    assert_int_equal(zw_equations_eliminate(&eq, &eq, NULL), ZW_OK);
    char *text = zw_equations_write(&eq, ZW_EQUATIONS_TEXT, ZW_TRIG_COMBINED);
    assert_non_null(text);
    if (!strstr(text, "/(l_1*(m_1 + m_2*sin(phi_1 - phi_2)^2))\n") ||
        !strstr(text, "/(l_2*(m_1 + m_2*sin(phi_1 - phi_2)^2))\n"))
        fail_msg("%s", text);
    zw_string_free(ctx, text);
    zw_context_destroy(ctx);
}

/* friction of a contact: the multiplier is an unknown beside the acceleration */
static void test_eliminate__forces_that_depend_on_multipliers(void **state) {
    (void)state;
    tally count = {0};
    zw_context *ctx = zw_context_create(NULL);
    static const char text[] = "model block\nparam m = 2 [kg], mu = 0.3, g = 10 [m/s^2]\n"
                               "coord x [m], y [m]\nparticle P : m at (x, y)\ngravity g along -y\n"
                               "constraint floor : y = 0\nforce (x) = -mu*lambda(floor)\n";
    zw_equations eq = eliminated(ctx, text, "lagrange");
    assert_int_equal(eq.elimination->nunknown, 2);
    assert_int_equal(eq.elimination->nmultiplier, 0);
    assert_text(&eq, "    x'' = -mu*g\n");
    assert_text(&eq, "    lambda(floor) = m*g\n");
    assert_true(check(eq.sys, "lagrange", &count));
    assert_int_equal(count.solved, 2 * STATES);
    zw_context_destroy(ctx);
}

static void test_eliminate__refuses(void **state) {
    (void)state;
    static const char twice[] = "model twice\ncoord x [m], y [m]\nparticle P : 1 [kg] at (x, y)\n"
                                "constraint rod : x^2 + y^2 = 1 [m^2]\n"
                                "constraint again : 2*x^2 + 2*y^2 = 2 [m^2]\n";
    static const char bounded[] = "model bounded\ncoord y [m]\nparticle P : 1 [kg] at (0, y)\n"
                                  "constraint floor : y'' >= 0\n";
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    zw_equations eq;
    zw_error err = {0};
    assert_int_equal(zw_model_parse(&sys, ctx, twice, strlen(twice), "t", NULL, &err), ZW_OK);
    assert_int_equal(zw_derive(&eq, sys, NULL, "gauss", &err), ZW_OK);
    assert_int_equal(zw_equations_eliminate(&eq, &eq, &err), ZW_E_SINGULAR);
    assert_non_null(strstr(err.text, "depends on the others"));
    err = (zw_error){0};
    assert_int_equal(zw_model_parse(&sys, ctx, bounded, strlen(bounded), "t", NULL, &err), ZW_OK);
    assert_int_equal(zw_derive(&eq, sys, NULL, "gauss-min", &err), ZW_OK);
    assert_int_equal(zw_equations_eliminate(&eq, &eq, &err), ZW_E_MODEL);
    assert_non_null(strstr(err.text, "floor is an inequality"));
    zw_context_destroy(ctx);
}

/* written out, the steps of the bicycle would be exponentially long: what recurs is defined
 * apart */
static void test_eliminate__huge_steps_are_written_with_definitions(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    zw_equations eq;
    assert_int_equal(zw_model_read(&sys, ctx, ZW_SOURCE_DIR "/models/bicycle.zw", NULL, NULL),
                     ZW_OK);
    assert_int_equal(zw_derive_steps(&eq, sys, NULL, "lagrange", NULL), ZW_OK);
    assert_int_equal(zw_equations_eliminate(&eq, &eq, NULL), ZW_OK);
    char *text = equations_json(&eq, NULL);
    assert_non_null(text);
    assert_true(strlen(text) < 1000000);
    assert_non_null(strstr(text, "\"definitions\": [\n    {\n      \"name\": \""));
    free(text);
    zw_context_destroy(ctx);
}

static void test_eliminate__survives_failing_memory(void **state) {
    (void)state;
    static const char *const principles[] = {"lagrange", "maggi", "hamilton", "vakonomic"};
    for (int i = 0; i < 4; i++)
        for (long n = 1;; n = failing_allocator_next(n)) {
            failing_allocator memory = failing_allocator_make(0);
            zw_allocator alloc = failing_allocator_of(&memory);
            zw_context *ctx = zw_context_create(&alloc);
            zw_system *sys;
            zw_equations eq;
            assert_int_equal(
                zw_model_read(&sys, ctx, ZW_SOURCE_DIR "/models/rolling_penny.zw", NULL, NULL),
                ZW_OK);
            assert_int_equal(zw_derive(&eq, sys, NULL, principles[i], NULL), ZW_OK);
            memory.fail_at = memory.requests + n;
            zw_status status = zw_equations_eliminate(&eq, &eq, NULL);
            char *text = status < 0 ? NULL : equations_json(&eq, &alloc);
            assert_true(memory.failed ? !text : text != NULL);
            free(text);
            zw_context_destroy(ctx);
            assert_int_equal(memory.blocks, 0);
            if (!memory.failed)
                break;
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eliminate__agrees_with_the_numerics),
        cmocka_unit_test(test_eliminate__what_stays_implicit_is_said),
        cmocka_unit_test(test_eliminate__closed_form),
        cmocka_unit_test(test_eliminate__common_factors_cancel),
        cmocka_unit_test(test_eliminate__forces_that_depend_on_multipliers),
        cmocka_unit_test(test_eliminate__refuses),
        cmocka_unit_test(test_eliminate__huge_steps_are_written_with_definitions),
        cmocka_unit_test(test_eliminate__survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
