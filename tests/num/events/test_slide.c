/* SPDX-License-Identifier: MIT */
/* Motion on surfaces of discontinuity: the numbers that stand for signs there, against closed
 * forms. A cart of 2 kg with a block of 1 kg on it:
 *
 *     2 x'' = -s_1 - s_2/2 + 0.3,    y'' = s_1,    s_1 = sign(x' - y'), s_2 = sign(x') */
#include "num/events/slide.h"

#include "support/test.h"
#include "zwang/zwang.h"

static const char CART[] = "model cart\nunits none\ncoord x, y\nkinetic x'^2 + y'^2/2\n"
                           "force (x, y) = (-sign(x' - y') - sign(x')/2 + 0.3, sign(x' - y'))\n";
/* nothing that keeps x at zero depends on the sign of x at once */
static const char RELAY[] = "model relay\nunits none\ncoord x\nkinetic x'^2/2\n"
                            "force (x) = -sign(x)\n";

typedef struct opened {
    zw_context *ctx;
    zw_system *sys;
    zw_equations eq;
    zw_kernel *kernel;
    zw_flow *flow;
    double p[4];
} opened;

static opened open_model(const char *text) {
    opened o = {.ctx = zw_context_create(NULL)};
    zw_error err = {0};
    zw_kernel_options options = zw_kernel_options_default();
    options.modes = true;
    options.functions |= ZW_SET(SWITCHES) | ZW_SET(SWITCH_LIVE) | ZW_SET(SWITCH_RATE);
    if (zw_model_parse(&o.sys, o.ctx, text, strlen(text), "test", NULL, &err) < 0 ||
        zw_derive(&o.eq, o.sys, NULL, "lagrange", &err) < 0 ||
        zw_kernel_create(&o.kernel, &o.eq, &options, &err) < 0 ||
        zw_system_param_values(o.sys, o.p, &err) < 0 ||
        zw_flow_create(&o.flow, o.kernel, o.p, &err) < 0)
        fail_msg("%s", err.text);
    zw_num_modes_free(o.flow);
    o.flow->locked = true;
    return o;
}

static void close_model(opened *o) {
    zw_flow_destroy(o->flow);
    zw_kernel_destroy(o->kernel);
    zw_context_destroy(o->ctx);
}

/* the switch whose text is this, with this mode; sliding or not */
static int find(const opened *o, const char *text) {
    for (int i = 0; i < o->kernel->nswitch; i++)
        if (strcmp(o->kernel->switches[i].text, text) == 0)
            return i;
    fail_msg("no switch %s", text);
    return -1;
}

static double *mode_of(const opened *o, int i) {
    return &o->flow->mode[o->kernel->switches[i].mode];
}

static void slide(opened *o, int n, const int *which) {
    o->flow->nslide = n;
    o->flow->slide_known = false;
    for (int i = 0; i < n; i++)
        o->flow->slide[i] = which[i];
}

static void test_slide__one_and_two(void **state) {
    (void)state;
    opened o = open_model(CART);
    int block = find(&o, "sign(x' - y')"), cart = find(&o, "sign(x')");
    zw_error err = {0};
    double moving[] = {0, 0, 1, 1}, resting[] = {0, 0, 0, 0}, rate[2];
    /* the block sticks to the moving cart: (-s - 1/2 + 0.3)/2 = s */
    *mode_of(&o, block) = *mode_of(&o, cart) = 1;
    slide(&o, 1, &block);
    assert_int_equal(zw_num_slide_solve(o.flow, 0, moving, &err), ZW_OK);
    assert_close(*mode_of(&o, block), -0.2 / 3, 1e-14);
    assert_int_equal(zw_num_switch_rates(o.flow, 0, moving, rate, &err), ZW_OK);
    assert_close(rate[block], 0, 1e-14);
    assert_close(rate[cart], -0.2 / 3, 1e-14);
    /* both at rest: s_1 = 0, s_2 = 0.6, in either order */
    for (int k = 0; k < 2; k++) {
        slide(&o, 2, k ? (const int[]){cart, block} : (const int[]){block, cart});
        *mode_of(&o, block) = 1;
        *mode_of(&o, cart) = -1;
        assert_int_equal(zw_num_slide_solve(o.flow, 0, resting, &err), ZW_OK);
        assert_close(*mode_of(&o, block), 0, 1e-14);
        assert_close(*mode_of(&o, cart), 0.6, 1e-14);
    }
    close_model(&o);
}

/* rates ask for the numbers by themselves, at every point anew; so do their derivatives */
static void test_slide__follows_the_point(void **state) {
    (void)state;
    opened o = open_model("model hold\nunits none\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                          "force (x, y) = (-sign(x') + x, sign(x')*y)\n");
    int i = find(&o, "sign(x')");
    zw_error err = {0};
    *mode_of(&o, i) = 1;
    slide(&o, 1, &i);
    for (int k = -4; k <= 4; k++) {
        double at[] = {0.2 * k, 3, 0, 0}, rate[4], J[16];
        assert_int_equal(zw_flow_rates(o.flow, 0, at, rate, NULL, &err), ZW_OK);
        assert_close(rate[2], 0, 1e-14);
        assert_close(rate[3], 0.2 * k * 3, 1e-13);
        assert_close(*mode_of(&o, i), 0.2 * k, 1e-14);
        assert_int_equal(zw_num_slide_jacobian(o.flow, 0, at, J, 4, &err), ZW_OK);
        assert_close(J[0 * 4 + 3], 3, 1e-5);       /* dy''/dx, by columns */
        assert_close(J[1 * 4 + 3], 0.2 * k, 1e-5); /* dy''/dy */
        assert_close(J[0 * 4 + 2], 0, 1e-5);
    }
    close_model(&o);
}

static void test_slide__what_is_not_determined(void **state) {
    (void)state;
    opened o = open_model(RELAY);
    int i = find(&o, "sign(x)");
    zw_error err = {0};
    double at[] = {0, 0};
    *mode_of(&o, i) = 1;
    slide(&o, 1, &i);
    assert_int_equal(zw_num_slide_solve(o.flow, 0, at, &err), ZW_E_SINGULAR);
    assert_non_null(strstr(err.text, "sticks to the zero of sign(x)"));
    assert_non_null(strstr(err.hint, "smooth law"));
    err = (zw_error){0};
    assert_int_equal(zw_num_slide_check(o.flow, 0, at, &err), ZW_E_SINGULAR);
    slide(&o, 0, NULL);
    assert_int_equal(zw_num_slide_check(o.flow, 0, at, NULL), ZW_OK);
    close_model(&o);
}

/* a point beyond the end of a piece: all kinks free, and back; not while something slides */
static void test_slide__loosens_and_tightens(void **state) {
    (void)state;
    opened o = open_model(CART);
    int block = find(&o, "sign(x' - y')");
    *mode_of(&o, block) = -1;
    assert_true(zw_num_modes_loosen(o.flow));
    assert_true(*mode_of(&o, block) == ZW_MODE_FREE);
    zw_num_modes_tighten(o.flow);
    assert_true(*mode_of(&o, block) == -1);
    slide(&o, 1, &block);
    assert_false(zw_num_modes_loosen(o.flow));
    close_model(&o);
}

/* ---- runs by hand, which nobody leads to where rates switch ---- */

static const char *const methods[] = {"rk54", "rk87", "radau", "bdf", "adams", "ida", "erk"};
enum { METHODS = sizeof methods / sizeof *methods };

/* from x at t0 to t1; the state there */
static void advance_by(const char *text, const char *method, double t0, double t1, double *x) {
    opened o = open_model(text);
    zw_run *run;
    zw_error err = {0};
    zw_run_options options = zw_run_options_default();
    options.method = method;
    options.rtol = 1e-10;
    options.atol = 1e-12;
    zw_status status = zw_run_create(&run, o.kernel, o.p, &options, &err);
    if (status >= 0) {
        zw_run_on_want(run, zw_kernel_serve, o.kernel);
        status = zw_run_start(run, t0, x, &err);
    }
    while (status >= 0 && zw_run_time(run) != t1)
        status = zw_run_advance(run, t1, NULL, &err);
    if (status < 0)
        fail_msg("%s: %s", method, err.text);
    memcpy(x, zw_run_state(run), sizeof(double) * (size_t)o.kernel->nx);
    zw_run_destroy(run);
    close_model(&o);
}

/* x'' = sign(sin(pi t)), and a pulse of 1 N s within a thousandth of a second: x' = 0 + 1 at t =
 * 20 */
static void test_slide__times_of_switches(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        double x[] = {0, 0};
        advance_by("model square\nunits none\ncoord x\nkinetic x'^2/2\n"
                   "force (x) = sign(sin(pi*t)) + if(t > 7, if(t < 7.001, 1000, 0), 0)\n",
                   methods[k], 0, 20, x);
        assert_close(x[1], 1, 1e-7);
        assert_close(x[0], 10 + 13 - 0.0005, 1e-6);
    }
}

/* forth, and back to the start in time, over the kinks of a spring with two stiffnesses and of a
 * square wave */
static void test_slide__there_and_back(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        double x[] = {1, 0.3};
        const char *text = "model spring\nunits none\ncoord x\nkinetic x'^2/2\n"
                           "force (x) = -if(x > 0, x, 4*x) + sign(sin(2*t))/5 + abs(x - 0.2)/3\n";
        advance_by(text, methods[k], 0, 12, x);
        assert_true(fabs(x[0] - 1) + fabs(x[1] - 0.3) > 0.1);
        advance_by(text, methods[k], 12, 0, x);
        assert_close(x[0], 1, 2e-6);
        assert_close(x[1], 0.3, 2e-6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slide__one_and_two),
        cmocka_unit_test(test_slide__follows_the_point),
        cmocka_unit_test(test_slide__what_is_not_determined),
        cmocka_unit_test(test_slide__loosens_and_tightens),
        cmocka_unit_test(test_slide__times_of_switches),
        cmocka_unit_test(test_slide__there_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
