/* SPDX-License-Identifier: MIT */
/* Reduced models: closed forms of a wheel and of a plate with drag, the tippedisk against equations that were typed from the
 * literature, all shipped models against their own rates, refusals, memory that runs out. */
#include "expr/ratio.h"
#include "failing_allocator.h"
#include "test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static zw_context *ctx;
static zw_system *sys;
static zw_reduction *reduction;
static const zw_reduced *r;
static zw_error err;
static zw_model_options reading;
static zw_reduce_options options;

static int setup(void **state) {
    (void)state;
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    reduction = NULL;
    options = zw_reduce_options_default();
    reading = (zw_model_options){.size = sizeof reading, .constants = true, .bodies = true};
    return 0;
}

static int teardown(void **state) {
    (void)state;
    zw_reduction_destroy(reduction);
    zw_context_destroy(ctx);
    return 0;
}

static zw_status open_model(const char *text) {
    zw_status status =
        text[0] == '/' ? zw_model_read(&sys, ctx, text, &reading, &err)
                       : zw_model_parse(&sys, ctx, text, strlen(text), "test.zw", &reading, &err);
    if (status < 0)
        fail_msg("%s", err.text);
    return zw_reduce(&reduction, sys, &options, &err);
}

static void reduce(const char *text) {
    if (open_model(text) < 0)
        fail_msg("%s", err.text);
    r = zw_reduction_get(reduction);
}

static double difference(int states) {
    double d = NAN;
    if (zw_reduction_check(reduction, states, &d, &err) < 0)
        fail_msg("%s", err.text);
    return d;
}

static const zw_reduced_entry *entry(const char *name) {
    for (int i = 0; i < r->n; i++)
        if (strcmp(r->entry[i].name, name) == 0)
            return &r->entry[i];
    fail_msg("%s was left out", name);
    return NULL;
}

static void assert_rate(const char *name, const char *formula) {
    zw_expr e;
    if (zw_model_expression(&e, sys, formula, &err) < 0)
        fail_msg("%s: %s", formula, err.text);
    if (!zw_ratio_is_zero(ctx, zw_sub(ctx, entry(name)->rate, e)))
        fail_msg("%s' is %s", name, zw_print(ctx, entry(name)->rate, ZW_TEXT));
}

/* A disc that rolls on a plane (R. Cushman, J. Hermans, D. Kemppainen, 1996): place, heading and roll angle are ignorable. */
static void rolling_disc__is_four_states(void **state) {
    (void)state;
    reduce(MODEL("rolling_disc"));
    assert_int_equal(r->n, 4);
    assert_int_equal(r->nleft, 4);
    assert_rate("alpha'", "2*beta'*gamma'/sin(beta)");
    assert_rate("beta'", "-4/5*g*cos(beta)/r - 6/5*alpha'*gamma'*sin(beta) - "
                         "alpha'^2*sin(beta)*cos(beta)");
    assert_true(difference(20) < 1e-13);
}

/* Drag along and across the heading of a plate: Euler's equations in the plane, in axes that turn with it. */
static const char plate[] = "model plate \"A plate with drag\"\n"
                            "units none\n"
                            "param m = 2, J = 3, c_1 = 0.4, c_2 = 1.7\n"
                            "coord x, y, al\n"
                            "frame B : rotate z al\n"
                            "kinetic m/2*(x'^2 + y'^2) + J/2*al'^2\n"
                            "let u = x'*cos(al) + y'*sin(al)\n"
                            "let w = y'*cos(al) - x'*sin(al)\n"
                            "force (x, y) = -c_1*u*(cos(al), sin(al)) - c_2*w*(-sin(al), cos(al))\n"
                            "start al = 1, x' = 1, y' = 0.5, al' = 0.7\n"
                            "observe forward = u\n"
                            "observe east = x'\n";
static void heading__turns_velocities_along(void **state) {
    (void)state;
    reduce(plate);
    assert_int_equal(r->n, 3);
    assert_true(entry("x'")->turned && entry("y'")->turned && !entry("al'")->turned);
    assert_rate("x'", "al'*y' - c_1/m*x'");
    assert_rate("y'", "-al'*x' - c_2/m*y'");
    assert_close(entry("x'")->at, cos(1) + 0.5 * sin(1), 1e-11);
    assert_close(entry("y'")->at, 0.5 * cos(1) - sin(1), 1e-11);
    assert_true(difference(20) < 1e-11);
    char *text = zw_reduction_model(reduction, NULL, &err);
    assert_non_null(text);
    assert_non_null(strstr(text, "observe forward = x_dot"));
    assert_null(strstr(text, "observe east")); /* the heading is needed for it */
    zw_string_free(ctx, text);
}

/* A blade whose constraint takes y' away: the velocity that is kept, x', is the speed in axes along the heading, so that it begins
 * with 1/cos(30 deg). With Chaplygin's equations the speed u and th' obey u' = a th'^2, (J + m a^2) th'' = -m a u th'. */
static void blade__keeps_its_speed(void **state) {
    (void)state;
    reduce("model blade \"A blade\"\nunits none\nparam m = 2, J = 0.5, a = 0.2\ncoord x, y, th\n"
           "kinetic m/2*(x'^2 + y'^2) + J/2*th'^2 + m*a*th'*(-x'*sin(th) + y'*cos(th)) + "
           "m*a^2/2*th'^2\n"
           "constraint blade : -sin(th)*x' + cos(th)*y' = 0\n"
           "start th = pi/6, x' = 1, th' = 0.5\n"
           "observe east = x'\nobserve speed = x'*cos(th) + y'*sin(th)\n");
    assert_int_equal(r->n, 2);
    assert_true(entry("x'")->turned);
    assert_close(entry("x'")->at, 2 / sqrt(3), 1e-11);
    assert_rate("x'", "a*th'^2");
    assert_rate("th'", "-m*a*x'*th'/(J + m*a^2)");
    char *text = zw_reduction_model(reduction, NULL, &err);
    assert_non_null(text);
    assert_non_null(strstr(text, "# Not part of this model: east\n"));
    assert_non_null(strstr(text, "observe speed = x_dot\n"));
    zw_string_free(ctx, text);
}

/* A heading that only the value 0 of a parameter makes ignorable is kept, and a period is that of the model. */
static void symmetries__hold_for_all_parameters(void **state) {
    (void)state;
    reduce("model sled \"A sled in wind\"\nunits none\nparam m = 1, w = 0, L = 3\ncoord x, th, s\n"
           "kinetic m/2*x'^2 + th'^2/2 + s'^2/2\npotential cos(2*pi*s/L)\nperiodic s period L\n"
           "force (x) = w*cos(th) - x'\n");
    assert_int_equal(r->nleft, 1); /* x */
    entry("th");
    char *text = zw_reduction_model(reduction, NULL, &err);
    assert_non_null(text);
    assert_non_null(strstr(text, "periodic s period L\n"));
    zw_string_free(ctx, text);
}

/* Far from the start y matters: it is kept, and so is what an observable needs of it. */
static void conditions__keep_what_they_need(void **state) {
    (void)state;
    reduce("model step \"A spring beyond x = 3\"\nunits none\ncoord x, y\n"
           "kinetic (x'^2 + y'^2)/2\npotential if(x > 3, y^2, 0) + x^2\nstart x = 0.1\n");
    assert_int_equal(r->nleft, 0);
    entry("y");
    zw_reduction_destroy(reduction);
    reduce("model free \"A free coordinate\"\nunits none\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
           "potential x^2\nstart x = 0.1\nobserve far = if(x > 3, y, 0)\n");
    assert_int_equal(r->nleft, 1);
    char *text = zw_reduction_model(reduction, NULL, &err);
    assert_non_null(text);
    assert_non_null(strstr(text, "# Not part of this model: far\n"));
    zw_string_free(ctx, text);
}

/* The acceleration of beta by models/tippedisk_reduced.zw, (4.39) to (4.44) of S. Sailer's thesis. */
static double typed_acceleration(zw_flow *flow, const zw_system *typed, double beta, double gamma,
                                 double rate) {
    double x[4] = {beta, gamma, rate, 0}, out[4], Omega = 40;
    assert_string_equal(typed->coord[0].name, "beta");
    x[3] = -Omega * cos(beta);
    if (zw_flow_rates(flow, 0, x, out, NULL, &err) < 0)
        fail_msg("%s", err.text);
    return out[2];
}

static double reduced_acceleration(double beta, double gamma, double rate) {
    zw_expr symbol[40];
    double value[40];
    int n = sys->np;
    assert_true(n < 37);
    if (zw_system_param_values(sys, value, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < n; i++)
        symbol[i] = sys->param[i].sym;
    symbol[n] = entry("beta")->sym;
    symbol[n + 1] = entry("gamma")->sym;
    symbol[n + 2] = entry("beta'")->sym;
    value[n] = beta;
    value[n + 1] = gamma;
    value[n + 2] = rate;
    return zw_eval(ctx, entry("beta'")->rate, n + 3, symbol, value);
}

static void tippedisk__is_the_typed_model(void **state) {
    (void)state;
    zw_context *other = zw_context_create(NULL);
    zw_system *typed;
    zw_equations eq;
    zw_kernel *kernel;
    zw_flow *flow;
    double p[40];
    const char *with[] = {"cog", "roll", "spin"};
    zw_model_options linear = {.size = sizeof linear, .variant = "linear"};
    reading.variant = "viscous";
    reading.nwith = 3;
    reading.with = with;
    reduce(MODEL("tippedisk"));
    assert_int_equal(r->n, 3);
    assert_true(difference(20) < 1e-13);
    zw_kernel_options kernel_options = zw_kernel_options_default();
    if (zw_model_read(&typed, other, MODEL("tippedisk_reduced"), &linear, &err) < 0 ||
        zw_derive(&eq, typed, NULL, "lagrange", &err) < 0 ||
        zw_system_param_values(typed, p, &err) < 0 ||
        zw_kernel_create(&kernel, &eq, &kernel_options, &err) < 0 ||
        zw_flow_create(&flow, kernel, p, &err) < 0)
        fail_msg("%s", err.text);
    for (int k = 0; k < 20; k++) {
        double beta = 0.4 + 0.11 * k, gamma = -2 + 0.37 * k, rate = 3 * sin(1.7 * k);
        double a = typed_acceleration(flow, typed, beta, gamma, rate),
               b = reduced_acceleration(beta, gamma, rate);
        assert_close(b, a, 1e-11 * (1 + fabs(a)));
    }
    zw_flow_destroy(flow);
    zw_kernel_destroy(kernel);
    zw_context_destroy(other);
}

/* The attitude of a ball that no force depends on: five states, and the text says what is missing. */
static void turntable_ball__needs_no_attitude(void **state) {
    (void)state;
    reduce(MODEL("turntable_ball"));
    assert_int_equal(r->n, 5);
    assert_int_equal(r->nleft, 4);
    assert_true(difference(20) < 1e-13);
    char *text = zw_reduction_model(reduction, "turntable_ball.zw", &err);
    assert_non_null(text);
    assert_non_null(strstr(text, "ball_wz' = 0\n"));
    assert_non_null(strstr(text, "# Left out, because no rate depends on them: ball.p"));
    zw_string_free(ctx, text);
}

/* Angles are periodic where a full turn changes nothing. */
static void angles__are_periodic(void **state) {
    (void)state;
    reduce("model two \"A pendulum on a torsion spring\"\nunits none\ncoord th, ps [rad]\n"
           "kinetic 1/2*(th'^2 + ps'^2)\npotential 1 - cos(th) + ps^2/2 + cos(th)*ps\n");
    char *text = zw_reduction_model(reduction, NULL, &err);
    assert_non_null(text);
    assert_non_null(strstr(text, "\nperiodic th\n"));
    zw_string_free(ctx, text);
}

static void assert_refused(const char *text, const char *why) {
    assert_true(open_model(text) < 0);
    if (!strstr(err.text, why))
        fail_msg("%s", err.text);
}

static void contacts__are_refused(void **state) {
    (void)state;
    assert_refused(MODEL("zeno_ball"), "may open, stick and slip");
}

static void acting_events__are_refused(void **state) {
    (void)state;
    assert_refused(MODEL("bouncing_ball"), "acts on the motion");
}

static void attitudes_that_matter__are_refused(void **state) {
    (void)state;
    assert_refused(MODEL("heavy_top"), "depends on the attitude");
}

static void memory__may_run_out(void **state) {
    (void)state;
    for (long n = 1; n < 4000; n += n < 400 ? 7 : 101) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_context *c = zw_context_create(&alloc);
        zw_system *s = NULL;
        zw_reduction *one = NULL;
        zw_error why = {0};
        double d;
        if (c && zw_model_parse(&s, c, plate, strlen(plate), "test.zw", NULL, &why) >= 0 &&
            zw_reduce(&one, s, NULL, &why) >= 0 && zw_reduction_check(one, 2, &d, &why) >= 0)
            zw_string_free(c, zw_reduction_model(one, NULL, &why));
        zw_reduction_destroy(one);
        zw_context_destroy(c);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
        if (!f.failed)
            break;
    }
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(rolling_disc__is_four_states),
        TEST(heading__turns_velocities_along),
        TEST(blade__keeps_its_speed),
        TEST(symmetries__hold_for_all_parameters),
        TEST(conditions__keep_what_they_need),
        TEST(tippedisk__is_the_typed_model),
        TEST(turntable_ball__needs_no_attitude),
        TEST(angles__are_periodic),
        TEST(contacts__are_refused),
        TEST(acting_events__are_refused),
        TEST(attitudes_that_matter__are_refused),
        TEST(memory__may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
