/* SPDX-License-Identifier: MIT */
/* Reduced models: closed forms of a wheel and of a plate with drag, the tippedisk against equations
 * that were typed from the literature, all shipped models against their own rates, refusals, memory
 * that runs out. */
#include "expr/calculus/ratio.h"
#include "support/failing_allocator.h"
#include "support/test.h"
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

/* A disc that rolls on a plane (R. Cushman, J. Hermans, D. Kemppainen, 1996): place, heading and
 * roll angle are ignorable. */
static void rolling_disc__is_four_states(void **state) {
    (void)state;
    reduce(MODEL("rolling_disc"));
    assert_int_equal(r->n, 4);
    assert_int_equal(r->nleft, 4);
    assert_rate("alpha'", "2*beta'*gamma'/sin(beta)");
    assert_rate("beta'", "-4/5*g*cos(beta)/r - 6/5*alpha'*gamma'*sin(beta) - "
                         "alpha'^2*sin(beta)*cos(beta)");
    assert_true(difference(20) < 1e-13);
    char *text = zw_reduction_model(reduction, NULL, &err);
    assert_non_null(strstr(text, "event roll_ends : sin(beta) - 0.001 falling stop"));
    assert_non_null(strstr(text, "the force that presses roll")); /* is not part of it */
    zw_string_free(ctx, text);
}

/* Drag along and across the heading of a plate: Euler's equations in the plane, in axes that turn
 * with it. */
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

/* A blade whose constraint takes y' away: the velocity that is kept, x', is the speed in axes along
 * the heading, so that it begins with 1/cos(30 deg). With Chaplygin's equations the speed u and th'
 * obey u' = a th'^2, (J + m a^2) th'' = -m a u th'. */
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

/* A heading that only the value 0 of a parameter makes ignorable is kept, and a period is that of
 * the model. */
/* A wall at y = 3 is constant at the start but for less than rounding: no symmetry. That of a
 * friction of the velocity alone is none of y. */
static void symmetries__are_not_hidden_by_rounding(void **state) {
    (void)state;
    reduce("model wall\nunits none\ncoord x, y\nkinetic 1/2*x'^2 + 1/2*y'^2\n"
           "force (y) = -0.3*y' - tanh((y - 3)/0.05) - 1\nforce (x) = -tanh(x'/0.05)\n"
           "start x = 1, y = 0\n");
    assert_int_equal(r->nleft, 1);
    assert_string_equal(r->left[0].name, "x");
}

/* Drag along the heading of a plate, with a factor tanh(60 + s), saturated at the start. Of s = x'
 * the heading is no symmetry, of the velocity s = u along the heading it is; an observable
 * tanh(60 + y') changes with the heading. */
static void symmetries__that_turn_are_not_hidden(void **state) {
    (void)state;
    static const char *const inside[] = {"x'", "u"};
    for (int i = 0; i < 2; i++) {
        char model[600];
        snprintf(model, sizeof model,
                 "model plate\nunits none\ncoord x, y, al\n"
                 "kinetic x'^2 + y'^2 + 3/2*al'^2\nlet u = x'*cos(al) + y'*sin(al)\n"
                 "let w = y'*cos(al) - x'*sin(al)\nlet c = 0.4*(1 + tanh(60 + %s))\n"
                 "force (x, y) = -c*u*(cos(al), sin(al)) - 1.7*w*(-sin(al), cos(al))\n"
                 "start x' = 1, al' = 0.7\nobserve side = tanh(60 + y')\nobserve forward = u\n",
                 inside[i]);
        reduce(model);
        assert_int_equal(r->nleft, 2 + i);
        assert_int_equal(r->n, 4 - i);
        char *text = zw_reduction_model(reduction, NULL, &err);
        assert_non_null(text);
        assert_true((strstr(text, "# Not part of this model: side\n") != NULL) == i);
        zw_string_free(ctx, text);
        zw_reduction_destroy(reduction);
        reduction = NULL;
    }
}

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

/* The acceleration of beta by models/tippedisk_reduced.zw, (4.39) to (4.44) of S. Sailer's
 * thesis. */
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

/* A text or a file as a flow, in a context of its own. */
typedef struct other_model {
    zw_context *ctx;
    zw_system *sys;
    zw_kernel *kernel;
    zw_flow *flow;
    double p[60];
} other_model;

static other_model read_other(const char *text, const zw_model_options *read) {
    other_model m = {.ctx = zw_context_create(NULL)};
    zw_kernel_options o = zw_kernel_options_default();
    zw_equations eq;
    zw_status status =
        text[0] == '/' ? zw_model_read(&m.sys, m.ctx, text, read, &err)
                       : zw_model_parse(&m.sys, m.ctx, text, strlen(text), "other.zw", read, &err);
    o.jit = ZW_JIT_NEVER;
    if (status < 0 || zw_derive(&eq, m.sys, NULL, "lagrange", &err) < 0 ||
        zw_system_param_values(m.sys, m.p, &err) < 0 ||
        zw_kernel_create(&m.kernel, &eq, &o, &err) < 0 ||
        zw_flow_create(&m.flow, m.kernel, m.p, &err) < 0)
        fail_msg("%s", err.text);
    return m;
}

static void close_other(other_model *m) {
    zw_flow_destroy(m->flow);
    zw_kernel_destroy(m->kernel);
    zw_context_destroy(m->ctx);
}

static char *text_of_reduction(void) {
    char *text = zw_reduction_model(reduction, NULL, &err);
    if (!text)
        fail_msg("%s", err.text);
    return text;
}

static void read_tippedisk(void) {
    static const char *with[] = {"cog", "roll", "spin"};
    reading.variant = "viscous";
    reading.nwith = 3;
    reading.with = with;
}

/* From the body to its slow flow: (5.24) of S. Sailer's thesis as it was typed, h_c and h_1 of
 * (5.20) and (5.23). */
static void slow_flow_of_the_tippedisk__is_the_typed_model(void **state) {
    (void)state;
    const char *fast[] = {"beta'"}, *set[] = {"Omega=30.5 [rad/s]"};
    zw_context *c = zw_context_create(NULL);
    zw_system *s;
    zw_manifold *m;
    zw_manifold_options split = zw_manifold_options_default();
    zw_model_options named = {.size = sizeof named, .constants = true, .bodies = true};
    read_tippedisk();
    reading.nset = 1;
    reading.set = set;
    reduce(MODEL("tippedisk"));
    char *text = text_of_reduction();
    assert_non_null(strstr(text, "\nstate beta' [rad/s] : beta'' = "));
    split.small = "eps";
    split.nfast = 1;
    split.fast = fast;
    split.order = 1;
    if (zw_model_parse(&s, c, text, strlen(text), "reduced", &named, &err) < 0 ||
        zw_manifold_create(&m, s, &split, &err) < 0)
        fail_msg("%s", err.text);
    char *slow = zw_manifold_model(m, 1, NULL, &err);
    assert_non_null(slow);
    assert_non_null(strstr(slow, "\nperiodic beta\nperiodic gamma\n"));
    other_model a = read_other(slow, NULL), b = read_other(MODEL("tippedisk_slow"), NULL);
    for (int k = 0; k < 20; k++) {
        double x[2] = {0.4 + 0.11 * k, -2 + 0.37 * k}, rate[2][2];
        assert_true(zw_flow_rates(a.flow, 0, x, rate[0], NULL, &err) >= 0);
        assert_true(zw_flow_rates(b.flow, 0, x, rate[1], NULL, &err) >= 0);
        assert_close(rate[0][0], rate[1][0], 1e-12 * (1 + fabs(rate[1][0])));
        assert_close(rate[0][1], rate[1][1], 1e-12 * (1 + fabs(rate[1][1])));
    }
    close_other(&a);
    close_other(&b);
    zw_string_free(c, slow);
    zw_manifold_destroy(m);
    zw_context_destroy(c);
    zw_string_free(ctx, text);
}

/* values of formulas of t, the entries of the reduced state z and the parameters */
static double value_at(zw_expr e, double t, const double *z) {
    zw_expr symbol[80];
    double value[80];
    int n = 0;
    assert_true(sys->np + r->n + 1 < 80);
    for (; n < sys->np; n++)
        symbol[n] = sys->param[n].sym;
    assert_true(zw_system_param_values(sys, value, &err) >= 0);
    for (int i = 0; i < r->n; i++, n++) {
        symbol[n] = r->entry[i].sym;
        value[n] = z[i];
    }
    symbol[n] = sys->t;
    value[n++] = t;
    return zw_eval(ctx, e, n, symbol, value);
}

/* d/dt of a formula along the reduced equations */
static zw_expr along_the_motion(zw_expr e) {
    zw_expr sum = zw_diff(ctx, e, sys->t);
    for (int i = 0; i < r->n; i++)
        sum = zw_add(ctx, sum, zw_mul(ctx, zw_diff(ctx, e, r->entry[i].sym), r->entry[i].rate));
    return sum;
}

/* The ball absorber: the attitude is left out, the sphere of the centres gives z. Without spin it
 * is the spherical pendulum that was typed: s = (x - A, y, z), w = -n x s'/r, A = A_0 sin(omega
 * t). */
static void absorber_without_spin__is_the_typed_model(void **state) {
    (void)state;
    enum { X, Y, WX, WY, WZ, N };
    reading.variant = "zone";
    reduce(MODEL("absorber_spatial"));
    assert_int_equal(r->n, N);
    assert_true(difference(20) < 1e-13);
    other_model typed = read_other(MODEL("absorber_no_spin"), NULL);
    double radius = 0.18, q = 1 - radius, A_0 = 0.02, omega = 2.9;
    zw_expr acceleration[2] = {along_the_motion(entry("x")->rate),
                               along_the_motion(entry("y")->rate)};
    for (int k = 0; k < 20; k++) {
        double t = 0.13 * k, A = A_0 * sin(omega * t), u[3] = {0.3 * sin(k), 0.2 * cos(2.1 * k), 0};
        double s[3] = {0.4 * sin(1.3 * k), 0.35 * cos(0.7 * k), 0};
        s[2] = -sqrt(q * q - s[0] * s[0] - s[1] * s[1]);
        u[2] = -(s[0] * u[0] + s[1] * u[1]) / s[2];
        double z[N] = {s[0] + A, s[1], -(s[1] * u[2] - s[2] * u[1]) / (q * radius),
                       -(s[2] * u[0] - s[0] * u[2]) / (q * radius),
                       -(s[0] * u[1] - s[1] * u[0]) / (q * radius)};
        double x[4] = {s[0], s[1], u[0], u[1]}, rate[4];
        assert_true(zw_flow_rates(typed.flow, t, x, rate, NULL, &err) >= 0);
        assert_close(value_at(entry("x")->rate, t, z), u[0] + A_0 * omega * cos(omega * t), 1e-13);
        assert_close(value_at(acceleration[0], t, z), rate[2] - omega * omega * A, 1e-11);
        assert_close(value_at(acceleration[1], t, z), rate[3], 1e-11);
    }
    close_other(&typed);
}

/* The last row of a run, with its time: the values of these columns. */
static double run_to_the_end(const zw_system *s, double until, const char *a, double *x,
                             const char *b, double *y) {
    zw_sim *sim;
    zw_sim_options o = zw_sim_options_default();
    o.until = until;
    o.step_out = until / 4;
    o.run.rtol = 1e-12;
    o.run.atol = 1e-14;
    if (zw_sim_create(&sim, s, NULL, &o, &err) < 0 || zw_sim_run(sim, &err) < 0)
        fail_msg("%s", err.text);
    const zw_table *t = zw_sim_rows(sim);
    long last = zw_table_rows(t) - 1;
    double end = zw_table_at(t, last, zw_table_find(t, "t"));
    *x = zw_table_at(t, last, zw_table_find(t, a));
    *y = zw_table_at(t, last, zw_table_find(t, b));
    zw_sim_destroy(sim);
    return end;
}

/* A constraint that is quadratic in positions: the pendulum in the plane along a run, and where the
 * root ends the text has an event. */
static void circle__gives_a_coordinate_on_its_side(void **state) {
    (void)state;
    reduce(MODEL("pendulum_cartesian"));
    assert_int_equal(r->n, 2);
    entry("x");
    entry("x'");
    assert_true(difference(20) < 1e-13);
    char *text = text_of_reduction();
    assert_non_null(strstr(text, "\nevent y_turns : "));
    other_model m = read_other(text, NULL);
    double full[2], reduced[2];
    assert_close(run_to_the_end(sys, 1, "x", &full[0], "x'", &full[1]), 1, 1e-15);
    assert_close(run_to_the_end(m.sys, 1, "x", &reduced[0], "x'", &reduced[1]), 1, 1e-15);
    assert_close(reduced[0], full[0], 1e-11);
    assert_close(reduced[1], full[1], 1e-11);
    close_other(&m);
    zw_string_free(ctx, text);
}

/* Two masses on a rod, thrown: the rod turns evenly, with w = 2 rad/s, about a centre of mass with
 * constant vx. Without the coordinate X, x is measured from there and changes by x' - X'; the
 * velocity x' of the full model has another name. */
static void rod__has_velocities_beside_rates(void **state) {
    (void)state;
    reduce("model rod \"Two masses on a rod\"\n"
           "param m = 1 [kg], M = 2 [kg], l = 0.5 [m], g = 9.81 [m/s^2]\ncoord X, Y, x, y [m]\n"
           "kinetic M/2*(X'^2 + Y'^2) + m/2*(x'^2 + y'^2)\npotential m*g*y + M*g*Y\n"
           "constraint rod : (X - x)^2 + (Y - y)^2 = l^2\n"
           "start X = 0.1 [m], Y = 0 [m], x = 0.4 [m], y = -0.4 [m]\n"
           "start X' = 0.1 [m/s], Y' = 0 [m/s], x' = 0.9 [m/s], y' = 0.6 [m/s]\n");
    assert_true(difference(20) < 1e-11);
    assert_string_equal(entry("x'")->plain, "x_dot");
    char *text = text_of_reduction();
    assert_non_null(strstr(text, "# Velocities of the full model: x_dot = x'\n"));
    other_model m = read_other(text, NULL);
    double x, u, t = run_to_the_end(m.sys, 0.3, "x", &x, "x_dot", &u), a = 2 * t - atan2(4, 3);
    assert_close(t, 0.3, 1e-15);
    assert_close(x, 0.5 * cos(a), 1e-10);
    assert_close(u, (2 * 0.1 + 0.9) / 3 - 2.0 / 3 * 0.5 * 2 * sin(a), 1e-10);
    close_other(&m);
    zw_string_free(ctx, text);
}

/* The pendulum that goes over the top: the run ends where y would be on the other side. */
static void circle__ends_where_the_side_changes(void **state) {
    (void)state;
    reduce("model swing \"A fast pendulum\"\nunits none\nparam l = 1, g = 1\ncoord x, y\n"
           "kinetic 1/2*(x'^2 + y'^2)\npotential g*y\nconstraint rod : x^2 + y^2 = l^2\n"
           "start x = 0, y = -l, x' = 3\n");
    char *text = text_of_reduction();
    other_model m = read_other(text, NULL);
    double x, u, end = run_to_the_end(m.sys, 5, "x", &x, "x'", &u);
    assert_close(end, 0.546913, 1e-6); /* theta'^2 = 7 + 2 cos(theta) up to pi/2 - 0.001 */
    assert_close(x, 1, 1e-5);
    close_other(&m);
    zw_string_free(ctx, text);
}

static const zw_frame *frame_of(const zw_system *s, const char *name) {
    for (int i = 0; i < s->nframe; i++)
        if (strcmp(s->frame[i].name, name) == 0)
            return &s->frame[i];
    fail_msg("there is no frame %s", name);
    return NULL;
}

/* The rate of a place on a plane depends on the heading, which is kept with it. */
static void kept_places__need_the_heading(void **state) {
    (void)state;
    const char *keep[] = {"x"};
    options.nkeep = 1;
    options.keep = keep;
    reduce("model blade\nunits none\nparam a = 0.3\ncoord x, y, th\n"
           "particle P : 1 at (x, y)\nkinetic 1/2*th'^2 + a*th'*(y'*cos(th) - x'*sin(th))\n"
           "constraint blade : x'*sin(th) = y'*cos(th)\nstart x' = 1, th = 0.4, th' = 1\n");
    for (int i = 0; i < r->nleft; i++)
        assert_string_equal(r->left[i].name, "y");
    assert_int_equal(r->nleft, 1);
}

/* What is kept is there: the path of the contact, and the drawing where the body is. */
static void kept_coordinates__show_the_body(void **state) {
    (void)state;
    const char *keep[] = {"alpha"};
    read_tippedisk();
    options.nkeep = 1;
    options.keep = keep;
    reduce(MODEL("tippedisk"));
    assert_int_equal(r->n, 4);
    assert_int_equal(r->nleft, 0);
    assert_true(difference(20) < 1e-13);
    char *text = text_of_reduction();
    assert_non_null(strstr(text, "\nobserve foot_x = "));
    assert_non_null(strstr(text, "\ntrace ("));
    other_model m = read_other(text, NULL);
    const zw_frame *drawn = frame_of(m.sys, "drawn_1"), *body = frame_of(sys, "B");
    zw_expr symbol[64];
    double value[64];
    int np = m.sys->np;
    for (int i = 0; i < np; i++) {
        symbol[i] = m.sys->param[i].sym;
        value[i] = m.p[i];
    }
    for (int i = 0; i < 4; i++)
        symbol[np + i] = m.sys->coord[i].sym;
    for (int k = 0; k < 10; k++) {
        double z[4] = {0.3 * k, 0.3 + 0.23 * k, -1 + 0.5 * k, 0.2 * k};
        memcpy(value + np, z, sizeof z);
        for (int i = 0; i < 9; i++)
            assert_close(zw_eval(m.ctx, drawn->A[i], np + 4, symbol, value),
                         value_at(body->A[i], 0, z), 1e-13);
        zw_expr height = zw_subst(ctx, sys->coord[2].sym, r->nreplaced, r->symbol, r->value);
        assert_close(zw_eval(m.ctx, drawn->o[2], np + 4, symbol, value), value_at(height, 0, z),
                     1e-13);
    }
    close_other(&m);
    zw_string_free(ctx, text);
}

/* A quaternion that is kept: the heavy top, which has no reduced model otherwise. */
static void kept_rotations__have_their_quaternion(void **state) {
    (void)state;
    const char *keep[] = {"B"};
    options.nkeep = 1;
    options.keep = keep;
    reduce(MODEL("heavy_top"));
    assert_int_equal(r->n, 7);
    assert_true(difference(20) < 1e-13);
    zw_reduction_destroy(reduction);
    reduction = NULL;
    keep[0] = "C";
    assert_true(zw_reduce(&reduction, sys, &options, &err) < 0);
    assert_non_null(strstr(err.text, "no coordinate 'C' to keep"));
}

/* Coordinates of unit masses instead of states: the driven pendulum with its length as a
 * constraint. With sin(th) = th - th^3/6 the balance of one harmonic is (g/l - Omega^2) th_c - g/(8
 * l) th_c (th_c^2 + th_s^2) + c Omega/(m l^2) th_s = F/(m l^2). */
static void coordinates__have_amplitudes(void **state) {
    (void)state;
    options.coordinates = true;
    reduce(MODEL("pendulum_polar"));
    char *text = text_of_reduction();
    assert_non_null(strstr(text, "\ncoord theta\n"));
    zw_context *c = zw_context_create(NULL);
    zw_system *s;
    zw_amplitudes *a;
    if (zw_model_parse(&s, c, text, strlen(text), "reduced", NULL, &err) < 0 ||
        zw_amplitudes_create(&a, s, NULL, &err) < 0)
        fail_msg("%s", err.text);
    const zw_amplitudes_result *f = zw_amplitudes_get(a);
    assert_int_equal(f->n, 2);
    zw_expr symbol[20];
    double value[20], m = 0, l = 0, g = 0, F = 0, Omega = 0, damping = 0, u = 0.3, w = -0.2;
    assert_true(zw_system_param_values(s, value, &err) >= 0);
    for (int i = 0; i < s->np; i++) {
        symbol[i] = s->param[i].sym;
        *(strcmp(s->param[i].name, "m") == 0       ? &m
          : strcmp(s->param[i].name, "l") == 0     ? &l
          : strcmp(s->param[i].name, "g") == 0     ? &g
          : strcmp(s->param[i].name, "F") == 0     ? &F
          : strcmp(s->param[i].name, "Omega") == 0 ? &Omega
                                                   : &damping) = value[i];
    }
    symbol[s->np] = f->Z[0];
    symbol[s->np + 1] = f->Z[1];
    value[s->np] = u;
    value[s->np + 1] = w;
    assert_close(zw_eval(c, f->F[0], s->np + 2, symbol, value),
                 (g / l - Omega * Omega) * u - g / (8 * l) * u * (u * u + w * w) +
                     damping * Omega / (m * l * l) * w - F / (m * l * l),
                 1e-12);
    zw_amplitudes_destroy(a);
    zw_context_destroy(c);
    zw_string_free(ctx, text);
}

/* A disc whose steady motion has cos(beta) = 0: no formula divides by that. */
static void steady_motions__have_rates(void **state) {
    (void)state;
    reading.variant = "linear";
    reduce(MODEL("tippedisk_held"));
    assert_int_equal(r->n, 6);
    assert_true(difference(20) < 1e-12);
    double z[6] = {acos(-1) / 2, acos(-1) / 2, 0, 0, 0, 0};
    for (int i = 0; i < 6; i++) {
        zw_expr slope = zw_diff(ctx, r->entry[i].rate, entry("beta")->sym);
        assert_close(value_at(r->entry[i].rate, 0, z), 0, 1e-9);
        assert_true(isfinite(value_at(slope, 0, z)) && fabs(value_at(slope, 0, z)) < 1e6);
    }
}

/* A start by a number beside a drive: symmetries are found with other parameters, for which that
 * start is none. */
static void start__may_fit_these_parameters_only(void **state) {
    (void)state;
    reduce("model disc \"A driven disc\"\nunits none\nparam W = 2, J = 1\ncoord al, be\n"
           "kinetic 1/2*J*(al'^2 + be'^2)\nforce (be) = -be*al'\nconstraint spin : al' = W\n"
           "start al' = 2, be = 1\n");
    assert_int_equal(r->n, 2);
    assert_rate("be'", "-be*W/J");
}

/* The attitude of a ball that no force depends on: five states, and the text says what is
 * missing. */
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

/* A lens, an ellipsoid of revolution with a lump, spun on its edge: a contact with many roots
 * leaves the heading out all the same. */
static void lens__leaves_its_heading_out(void **state) {
    (void)state;
    reduce("model lens \"A lens with a lump\"\nunits none\n"
           "param r = 2, w = 0.6, m_s = 3, m_p = 0.2, g = 9.81, mu = 0.25, eps = 0.5, Omega = 32\n"
           "let m = m_s + m_p\ncoord x, y, z, alpha, beta, gamma\nframe R : rotate z alpha\n"
           "frame G : R rotate x beta\nframe B : G rotate z gamma\n"
           "body lens : B at (x, y, z), inertia(m_s, m_s*(r^2 + w^2)/5, m_s*(r^2 + w^2)/5, "
           "2/5*m_s*r^2) "
           "+ mass(m_p) at (r, 0, 0)\ngravity g along -z\n"
           "let h = sqrt(r^2*sin(beta)^2 + w^2*cos(beta)^2)\n"
           "point C : lens.origin + G(0, -r^2*sin(beta)/h, -w^2*cos(beta)/h)\n"
           "let slip = lens.velocity(C)\nconstraint contact : C.z = 0\n"
           "constraint cog : lens.cog.x = 0, lens.cog.y = 0\nconstraint roll : slip . R.x = 0\n"
           "constraint spin : alpha' = Omega\n"
           "force friction at C on lens = -mu*m*g*(slip.x, slip.y, 0)/eps\n"
           "start z = r, beta = pi/2, gamma = -pi/2 + 0.1\n");
    assert_int_equal(r->n, 3);
    assert_int_equal(r->nleft, 1);
    assert_true(difference(10) < 1e-11);
}

/* Tables of time, with their derivatives where a constraint follows one, keep their names, points
 * and units. */
static void tables__are_written(void **state) {
    (void)state;
    reduce(
        "model cart \"A cart on a moving stop\"\nparam m = 2 [kg], k = 8 [N/m], c = 0.5 [N*s/m]\n"
        "input f = table (0, 0), (1 [s], 2 [mN]), (2 [s], 0) linear\n"
        "input u = table (0, 0), (1 [s], 2 [cm]), (2 [s], 0), (3 [s], 1 [cm]) cubic\n"
        "input unused = table (0, 0), (1 [s], 1)\n"
        "coord x, y [m]\nkinetic m/2*(x'^2 + y'^2)\npotential k/2*x^2\nforce (x) = f\n"
        "force (y) = -c*y'\nconstraint a : y = x + u\nstart x = 1 [cm], x' = 0\nobserve pull = "
        "f\n");
    assert_true(difference(40) < 1e-12);
    char *text = zw_reduction_model(reduction, NULL, &err);
    assert_non_null(text);
    assert_non_null(
        strstr(text, "input f = table (0 [s], 0 [N]), (1 [s], 0.002 [N]), (2 [s], 0 [N]) linear"));
    assert_non_null(strstr(text, "input u = table (0 [s], 0 [m]), (1 [s], 0.02 [m])"));
    assert_non_null(strstr(text, "u''"));
    assert_non_null(strstr(text, "observe pull = f"));
    assert_null(strstr(text, "unused"));
    zw_string_free(ctx, text);
}

/* A table that holds its values is written as one, with its units. */
static void held_tables__are_written(void **state) {
    (void)state;
    reduce("model cart \"A cart pushed in steps\"\nparam m = 2 [kg], k = 8 [N/m]\n"
           "input f = table (0, 0), (1 [s], 2 [mN]), (2 [s], 2 [mN]), (3 [s], -1 [mN]) hold\n"
           "coord x, y [m]\nkinetic m/2*(x'^2 + y'^2)\npotential k/2*x^2\nforce (x) = f\n"
           "constraint a : y = 2*x\nstart x = 1 [cm], x' = 0\nobserve pull = f\n");
    assert_true(difference(40) < 1e-12);
    char *text = zw_reduction_model(reduction, NULL, &err);
    assert_non_null(text);
    assert_non_null(strstr(text, "input f = table (0 [s], 0 [N]), (1 [s], 0.002 [N]), "
                                 "(2 [s], 0.002 [N]), (3 [s], -0.001 [N]) hold\n"));
    assert_non_null(strstr(text, "observe pull = f"));
    assert_null(strstr(text, "units none"));
    zw_string_free(ctx, text);
}

/* Parameters that are made of others can be set in the reduced model as in the full one;
 * definitions stay definitions. */
static void dependent_parameters__stay_parameters(void **state) {
    (void)state;
    reduce("model arm \"An arm\"\nparam m = 2 [kg], L = 3 [m], a = 2*L, g = 9.81 [m/s^2]\nlet I = "
           "m*a^2/3\n"
           "coord h [m], phi [rad]\nkinetic 1/2*m*h'^2 + 1/2*I*phi'^2\npotential m*g*h\n"
           "constraint c : h = a*sin(phi)\nstart phi = 0.3\n");
    char *text = zw_reduction_model(reduction, NULL, &err);
    assert_non_null(text);
    assert_non_null(strstr(text, "\nparam a = 2*L\n"));
    assert_non_null(strstr(text, "\nlet I = "));
    zw_string_free(ctx, text);
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

/* ---------------------------------------------------------------------------- conserved momenta */

static void reduce_momenta(const char *text, int n, const char *const *names) {
    options.nmomenta = n;
    options.momenta = names;
    reduce(text);
}

static const char *const ALL[] = {"all"};

/* Two formulas are equal for all values of their symbols, one of the reduced model, one in its
 * language. */
static void assert_same(zw_system *s, zw_expr e, const char *formula) {
    zw_expr other;
    if (zw_model_expression(&other, s, formula, &err) < 0)
        fail_msg("%s: %s", formula, err.text);
    if (!zw_ratio_is_zero(s->ctx, zw_sub(s->ctx, e, other)))
        fail_msg("it is %s", zw_print(s->ctx, e, ZW_TEXT));
}

/* The text that is written as a model, in the same context. */
static zw_system *written(void) {
    zw_system *s;
    char *text = zw_reduction_model(reduction, NULL, &err);
    if (!text || zw_model_parse(&s, ctx, text, strlen(text), "reduced.zw", NULL, &err) < 0)
        fail_msg("%s: %s", err.text, text);
    return s;
}

static void assert_potential(zw_system *s, const char *kinetic, const char *potential) {
    assert_same(s, s->T, kinetic);
    assert_same(s, s->potential, potential);
}

static const zw_observable *observable(const zw_system *s, const char *name) {
    for (int i = 0; i < s->nobservable; i++)
        if (strcmp(s->observable[i].name, name) == 0)
            return &s->observable[i];
    fail_msg("%s is not observed", name);
    return NULL;
}

/* The radial equation of Kepler's problem: r moves in the potential p^2/(2 m r^2) - k/r. */
static void kepler__has_an_effective_potential(void **state) {
    (void)state;
    reduce_momenta(
        "model kepler \"Two bodies\"\nparam m = 2 [kg], k = 3 [N*m^2]\ncoord r [m], th [rad]\n"
        "kinetic m/2*(r'^2 + r^2*th'^2)\npotential -k/r\n"
        "start r = 1.5 [m], th' = 1.2 [rad/s], r' = 0.1 [m/s]\n",
        1, ALL);
    assert_int_equal(r->n, 2);
    assert_int_equal(r->nmomentum, 1);
    assert_string_equal(r->momentum[0].name, "p_th");
    assert_string_equal(r->momentum[0].unit, "J*s");
    assert_close(r->momentum[0].at, 2 * 1.5 * 1.5 * 1.2, 1e-14);
    assert_true(r->mechanical && difference(20) < 1e-13);
    zw_system *s = written();
    assert_potential(s, "m/2*r'^2", "p_th^2/(2*m*r^2) - k/r");
    assert_same(s, observable(s, "th_dot")->value, "p_th/(m*r^2)");
    assert_same(s, r->left[0].rate, "p_th/(m*r^2)");
}

static const char top[] =
    "model top \"A top\"\nparam m = 2 [kg], l = 0.5 [m], g = 9.81 [m/s^2]\n"
    "param A = 0.8 [kg*m^2], C = 0.3 [kg*m^2], c = 0.1 [N*m*s]\ncoord phi, th, psi [rad]\n"
    "kinetic 1/2*A*(th'^2 + phi'^2*sin(th)^2) + 1/2*C*(psi' + phi'*cos(th))^2\n"
    "potential m*g*l*cos(th)\ndissipation 1/2*c*th'^2\n"
    "start th = 0.7, phi' = 2 [rad/s], psi' = 30 [rad/s]\nsteady upright : th = 0, psi' = 30 "
    "[rad/s]\n"
    "steady same : th = 0.7, phi' = 2 [rad/s], psi' = 30 [rad/s]\n";

/* The effective potential of a heavy top (H. Goldstein, Classical Mechanics, section 5.7), and
 * friction that is kept. */
static void heavy_top__nutates_in_a_potential(void **state) {
    (void)state;
    double n = 30 + 2 * cos(0.7);
    reduce_momenta(top, 1, ALL);
    assert_int_equal(r->n, 2);
    assert_int_equal(r->nmomentum, 2);
    assert_close(r->momentum[0].at, 0.8 * 2 * sin(0.7) * sin(0.7) + 0.3 * n * cos(0.7), 1e-13);
    assert_close(r->momentum[1].at, 0.3 * n, 1e-13);
    assert_true(difference(20) < 1e-12);
    zw_system *s = written();
    assert_potential(s, "1/2*A*th'^2",
                     "m*g*l*cos(th) + (p_phi - p_psi*cos(th))^2/(2*A*sin(th)^2) + p_psi^2/(2*C)");
    assert_int_equal(s->nforce, 1);
    assert_same(s, s->force[0].values[0], "-c*th'");
    assert_int_equal(s->nmotion, 1); /* the other one has another momentum */
    assert_string_equal(s->motion[0].name, "same");
}

/* With the angle kept, it follows by a quadrature next to the mechanical model. */
static void momenta__leave_a_quadrature(void **state) {
    (void)state;
    static const char *const phi[] = {"phi"};
    options.nkeep = 1;
    options.keep = phi;
    reduce_momenta(
        "model pendulum \"A spherical pendulum\"\nunits none\nparam m = 2, l = 1.5, g = 9.81\n"
        "coord th, phi\npoint P : (l*sin(th)*cos(phi), l*sin(th)*sin(phi), -l*cos(th))\n"
        "particle bob : m at P\ngravity g along -z\n"
        "start th = 0.7, phi' = 2, th' = 0.3\nobserve east = P.x\n",
        1, phi);
    assert_true(r->mechanical && difference(20) < 1e-13);
    zw_system *s = written();
    assert_int_equal(s->nv, 1);
    assert_potential(s, "1/2*m*l^2*th'^2", "p_phi^2/(2*m*l^2*sin(th)^2) - m*g*l*cos(th)");
    assert_same(s, s->coord[1].rate, "p_phi/(m*l^2*sin(th)^2)");
    assert_same(s, observable(s, "east")->value, "l*sin(th)*cos(phi)");
}

static const char routh_sphere[] =
    "model ball \"A ball with its centre of mass off its centre\"\nunits none\n"
    "param m = 2, R = 0.5, a = 0.12, g = 9.81, A = 0.13, C = 0.19\ncoord x, y, al, be, ga\n"
    "frame F : rotate z al\nframe G : F rotate x be\nframe B : G rotate z ga\n"
    "body ball : B at (x, y, R), inertia(m, A, A, C) at (0, 0, -a)\ngravity g along -z\n"
    "point P : (x, y, 0)\nconstraint roll : ball.velocity(P).x = 0, ball.velocity(P).y = 0\n"
    "start be = 1.1, al' = 2, ga' = 5, be' = 0.3\n";

/* Jellett's integral L . (R e_z - a k), with the angular momentum about the centre of mass: no
 * single momentum is conserved. Routh's integral is linear in the velocities too, with a root (E.
 * J. Routh, Advanced Rigid Dynamics, section 243). */
static void rolling_ball__has_two_integrals(void **state) {
    (void)state;
    static const char *const both[] = {
        "all", "N = (ga' + al'*cos(be))*sqrt(A*C + m*A*R^2*sin(be)^2 + m*C*(R*cos(be) - a)^2)"};
    double spin = 5 + 2 * cos(1.1),
           vertical = 0.13 * 2 * sin(1.1) * sin(1.1) + 0.19 * spin * cos(1.1);
    reduce_momenta(routh_sphere, 2, both);
    assert_int_equal(r->nmomentum, 2);
    assert_int_equal(r->n, 2);
    assert_false(r->mechanical); /* the constraints have no integral */
    assert_close(r->momentum[0].at, vertical - 0.12 / 0.5 * 0.19 * spin, 1e-12);
    assert_true(difference(20) < 1e-10);
}

static void rolling_disc__has_no_such_integral(void **state) {
    (void)state;
    reduce_momenta(MODEL("rolling_disc"), 1, ALL);
    assert_int_equal(r->nmomentum, 0);
    assert_int_equal(r->n, 4);
}

/* A governor whose shaft turns freely, with friction of its arms and position constraints. */
static void governor__keeps_its_spin(void **state) {
    (void)state;
    reduce_momenta(
        "model governor \"A governor\"\nunits none\nparam m = 2, l = 0.3, g = 9.81, J = 2, b = "
        "0.6\n"
        "coord psi, phi, h\nkinetic 1/2*J*psi'^2 + m/2*l^2*(phi'^2 + sin(phi)^2*psi'^2)\n"
        "potential m*g*h\ndissipation 1/2*b*phi'^2\nconstraint arm : h = -l*cos(phi)\n"
        "start psi' = 8, phi = 0.8\n",
        1, ALL);
    assert_int_equal(r->n, 2);
    assert_true(r->mechanical && difference(20) < 1e-13);
    zw_system *s = written();
    assert_potential(s, "m/2*l^2*phi'^2", "p_psi^2/(2*(J + m*l^2*sin(phi)^2)) - m*g*l*cos(phi)");
    assert_same(s, s->force[0].values[0], "-b*phi'");
}

/* A flywheel on a hinge: Routh's function has the term p sin(th) phi', which is linear in the
 * velocities. It is written as the gyroscopic forces that belong to it, which do no work; the
 * energy that is left is that of the full model, mgl(1 - cos(0.2)) + C/2*3^2. */
static void flywheel__turns_without_work(void **state) {
    (void)state;
    static const char *const psi[] = {"psi"};
    reduce_momenta("model wheel \"A flywheel on two hinges\"\n"
                   "param mgl = 9.81 [J], A = 0.8 [kg*m^2], C = 0.3 [kg*m^2], k = 30 [N*m]\n"
                   "coord phi, th, psi [rad]\n"
                   "kinetic 1/2*A*(th'^2 + phi'^2) + 1/2*C*(psi' + phi'*sin(th))^2\n"
                   "potential mgl*(1 - cos(th)) + k/2*phi^2\nstart th = 0.2, psi' = 3 [rad/s]\n",
                   1, psi);
    assert_true(r->mechanical && difference(20) < 1e-13);
    zw_system *s = written();
    assert_potential(s, "1/2*A*(phi'^2 + th'^2)", "mgl*(1 - cos(th)) + k/2*phi^2 + p_psi^2/(2*C)");
    assert_same(s, s->force[0].values[0], "-p_psi*cos(th)*th'");
    assert_same(s, s->force[1].values[0], "p_psi*cos(th)*phi'");
    double kinetic, energy, full = 9.81 * (1 - cos(0.2)) + 0.15 * 9;
    run_to_the_end(s, 1, "kinetic", &kinetic, "energy", &energy);
    assert_close(energy, full, 1e-11);
    assert_true(kinetic > 1e-3);
}

/* A vertical penny: both momenta along its constraints are conserved, and all velocities follow. */
static void penny__moves_by_quadratures(void **state) {
    (void)state;
    static const char penny[] =
        "model penny \"A penny\"\nunits none\nparam m = 2, R = 0.5, J = 0.1, I = 0.2\ncoord x, y, "
        "ph, th\n"
        "kinetic m/2*(x'^2 + y'^2) + J/2*ph'^2 + I/2*th'^2\n"
        "constraint roll : x' = R*cos(ph)*th', y' = R*sin(ph)*th'\nstart ph' = 1, th' = 2\n";
    options.nkeep = 1;
    options.keep = ALL;
    reduce_momenta(penny, 1, ALL);
    assert_int_equal(r->n, 4);
    assert_true(difference(20) < 1e-13);
    zw_system *s = written();
    assert_same(s, s->coord[3].rate, "p_th/(m*R^2 + I)");
    assert_same(s, s->coord[0].rate, "R*cos(ph)*p_th/(m*R^2 + I)");
}

static void assert_no_momentum(const char *text, const char *name, const char *why) {
    options.nmomenta = 1;
    options.momenta = &name;
    assert_refused(text, why);
    err = (zw_error){0};
    zw_reduction_destroy(reduction);
    reduction = NULL;
}

/* Friction whose coefficient is 0 here may be set: its momentum is none of the model. */
static void momenta__that_are_none_are_refused(void **state) {
    (void)state;
    assert_no_momentum(top, "th", "the momentum of th is not conserved");
    assert_no_momentum(top, "q", "is the rate of q");
    assert_no_momentum(top, "E=A*th'^2", "not linear in the velocities");
    assert_no_momentum(top, "P=A*phi'", "does not simplify to zero");
    assert_no_momentum(top, "m=C*psi'", "already has the name");
    assert_no_momentum("model disc \"A disc\"\nunits none\nparam c = 0\ncoord al, be\n"
                       "kinetic 1/2*(al'^2 + be'^2)\npotential be^2/2\nforce (al) = -c*al'\n",
                       "al", "not conserved");
    assert_no_momentum(
        "model wall \"A disc next to a wall\"\nunits none\ncoord al, be\n"
        "kinetic 1/2*(al'^2 + be'^2)\npotential be^2/2\nforce (al) = exp(-100*(be - 9)^2)\n",
        "al", "not conserved"); /* its force is 0 in numbers near the start */
    assert_no_momentum("model free \"A disc\"\nunits none\ncoord al\nkinetic 1/2*al'^2\n", "al",
                       "no states are left");
}

static void assert_memory_may_run_out(const char *text, const zw_reduce_options *how) {
    for (long n = 1; n < 4000; n += n < 400 ? 7 : 101) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_context *c = zw_context_create(&alloc);
        zw_system *s = NULL;
        zw_reduction *one = NULL;
        zw_error why = {0};
        double d;
        if (c && zw_model_parse(&s, c, text, strlen(text), "test.zw", NULL, &why) >= 0 &&
            zw_reduce(&one, s, how, &why) >= 0 && zw_reduction_check(one, 2, &d, &why) >= 0)
            zw_string_free(c, zw_reduction_model(one, NULL, &why));
        zw_reduction_destroy(one);
        zw_context_destroy(c);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
        if (!f.failed)
            break;
    }
}

static void memory__may_run_out(void **state) {
    (void)state;
    assert_memory_may_run_out(plate, NULL);
    options.nmomenta = 1;
    options.momenta = ALL;
    assert_memory_may_run_out(top, &options);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(rolling_disc__is_four_states),
        TEST(symmetries__are_not_hidden_by_rounding),
        TEST(heading__turns_velocities_along),
        TEST(blade__keeps_its_speed),
        TEST(symmetries__that_turn_are_not_hidden),
        TEST(symmetries__hold_for_all_parameters),
        TEST(conditions__keep_what_they_need),
        TEST(tippedisk__is_the_typed_model),
        TEST(slow_flow_of_the_tippedisk__is_the_typed_model),
        TEST(absorber_without_spin__is_the_typed_model),
        TEST(circle__gives_a_coordinate_on_its_side),
        TEST(circle__ends_where_the_side_changes),
        TEST(rod__has_velocities_beside_rates),
        TEST(kept_places__need_the_heading),
        TEST(kept_coordinates__show_the_body),
        TEST(kept_rotations__have_their_quaternion),
        TEST(coordinates__have_amplitudes),
        TEST(start__may_fit_these_parameters_only),
        TEST(steady_motions__have_rates),
        TEST(turntable_ball__needs_no_attitude),
        TEST(angles__are_periodic),
        TEST(lens__leaves_its_heading_out),
        TEST(tables__are_written),
        TEST(held_tables__are_written),
        TEST(dependent_parameters__stay_parameters),
        TEST(contacts__are_refused),
        TEST(acting_events__are_refused),
        TEST(attitudes_that_matter__are_refused),
        TEST(kepler__has_an_effective_potential),
        TEST(heavy_top__nutates_in_a_potential),
        TEST(momenta__leave_a_quadrature),
        TEST(rolling_ball__has_two_integrals),
        TEST(rolling_disc__has_no_such_integral),
        TEST(governor__keeps_its_spin),
        TEST(flywheel__turns_without_work),
        TEST(penny__moves_by_quadratures),
        TEST(momenta__that_are_none_are_refused),
        TEST(memory__may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
