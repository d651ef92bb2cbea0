/* SPDX-License-Identifier: MIT */
/* Constraints that are not ideal (Udwadia and Kalaba): closed forms, the same motion and the same
 * multipliers by every principle, nothing of it where the constraint is off, its power under its
 * name, redundant constraints, refusals. */
#include <stdlib.h>

#include "mech/equations/variants.h"
#include "support/failing_allocator.h"
#include "support/test.h"
#include "zwang/zwang.h"

enum { MAX = 12 };

/* a model text by a principle, ready to be asked */
typedef struct machine {
    zw_context *ctx;
    zw_system *sys;
    zw_equations eq;
    zw_kernel *kernel;
    zw_flow *flow;
    double p[16];
} machine;

static zw_status try_machine(machine *m, const char *text, const zw_model_options *options,
                             const char *principle, zw_error *err) {
    memset(m, 0, sizeof *m);
    m->ctx = zw_context_create(NULL);
    zw_status status = zw_model_parse(&m->sys, m->ctx, text, strlen(text), "test.zw", options, err);
    if (status >= 0)
        status = zw_derive(&m->eq, m->sys, NULL, principle, err);
    if (status >= 0)
        status = zw_system_param_values(m->sys, m->p, err);
    if (status >= 0)
        status = zw_kernel_create(&m->kernel, &m->eq, NULL, err);
    return status >= 0 ? zw_flow_create(&m->flow, m->kernel, m->p, err) : status;
}

static void open_machine(machine *m, const char *text, const zw_model_options *options,
                         const char *principle) {
    zw_error err = {0};
    if (try_machine(m, text, options, principle, &err) < 0)
        fail_msg("%s: %s", principle, err.text);
}

static void close_machine(machine *m) {
    zw_flow_destroy(m->flow);
    zw_kernel_destroy(m->kernel);
    zw_context_destroy(m->ctx);
}

/* the accelerations of the system at a state of the system; lambda as the principle's own unknown
 * or reaction */
static void accelerate(machine *m, double t, const double *x, double *a, double *lambda) {
    const zw_system *s = m->sys;
    double own[2 * MAX], rate[2 * MAX], z[2 * MAX], value[MAX];
    zw_expr e[MAX];
    zw_error err = {0};
    int n = 0;
    assert_int_equal(zw_equations_state(&m->eq, t, m->p, x, own, &err), ZW_OK);
    if (zw_flow_rates(m->flow, t, own, rate, z, &err) < 0)
        fail_msg("%s: %s", m->eq.principle, err.text);
    for (int i = 0; i < s->nv; i++)
        e[n++] = s->velocity[i].accel;
    for (int i = 0; i < s->nconstraint; i++)
        e[n++] = s->constraint[i].lambda;
    assert_int_equal(zw_equations_translate(&m->eq, n, e, &err), ZW_OK);
    zw_expr symbol[128];
    double at[128];
    int k = 0;
    for (int i = 0; i < s->np; i++, k++) {
        symbol[k] = s->param[i].sym;
        at[k] = m->p[i];
    }
    for (int i = 0; i < m->eq.nq + m->eq.nv; i++, k++) {
        symbol[k] = i < m->eq.nq ? m->eq.q[i] : m->eq.v[i - m->eq.nq];
        at[k] = own[i];
    }
    for (int i = 0; i < m->eq.nv + m->eq.nc; i++, k++) {
        symbol[k] = i < m->eq.nv ? m->eq.a[i] : m->eq.lambda[i - m->eq.nv];
        at[k] = z[i];
    }
    symbol[k] = s->t;
    at[k++] = t;
    zw_eval_all(m->ctx, n, e, k, symbol, at, value);
    for (int i = 0; i < n; i++)
        (i < s->nv ? a : lambda - s->nv)[i] = value[i];
}

static bool is_vakonomic(const zw_principle *p) {
    return strcmp(p->name, "vakonomic") == 0;
}

/* ------------------------------------------------------------------------------ closed forms */

/* Udwadia and Kalaba's bead: y' = z^2 x', the wire resists with a |u|^2 against the velocity u. As
 * u is a displacement that the constraint allows, all of it counts: q'' = f + A'(b - A f)/(1 + z^4)
 * - a |u| u, A = (-z^2, 1, 0), b = 2 z z' x' */
#define BEAD                                                                                       \
    "model bead\nunits none\nparam a = 0.3, f = 0.7\ncoord x, y, z\nparticle P : 1 at (x, y, z)\n" \
    "force pull (x, y, z) = (f*t, -2*x, z')\nconstraint wire : y' = z^2*x'\n"

static void test_nonideal__bead_of_udwadia_and_kalaba(void **state) {
    (void)state;
    int taken = 0;
    for (const zw_principle *by = zw_principles(); by->name; by++) {
        test_random r = {11};
        machine m;
        zw_error err = {0};
        if (try_machine(&m, BEAD "nonideal wire : work at P = -a*norm(P')*P'\n", NULL, by->name,
                        &err) < 0) {
            assert_true(is_vakonomic(by));
            close_machine(&m);
            continue;
        }
        taken++;
        for (int trial = 0; trial < 50; trial++) {
            double x[6], t = test_random_real(&r, 0, 3), accel[3], lambda[1];
            for (int i = 0; i < 6; i++)
                x[i] = test_random_real(&r, -1.5, 1.5);
            double z = x[2];
            x[4] = z * z * x[3];
            double f[3] = {0.7 * t, -2 * x[0], x[5]}, A[3] = {-z * z, 1, 0};
            double speed = sqrt(x[3] * x[3] + x[4] * x[4] + x[5] * x[5]);
            double want = (2 * z * x[5] * x[3] - A[0] * f[0] - f[1]) / (1 + z * z * z * z);
            accelerate(&m, t, x, accel, lambda);
            assert_close(lambda[0], want, 1e-12);
            for (int i = 0; i < 3; i++)
                assert_close(accel[i], f[i] + A[i] * want - 0.3 * speed * x[3 + i], 1e-12);
        }
        close_machine(&m);
    }
    assert_int_equal(taken, 10);
}

#define BLOCK                                                                                      \
    "model block\nparam m = 3 [kg], mu = 0.2, al = 30 [deg], g = 9.81 [m/s^2]\ncoord x, y [m]\n"   \
    "particle P : m at (x, y)\ngravity g along (sin(al), -cos(al), 0)\nconstraint plane : y = 0\n"
#define SLIDING BLOCK "nonideal plane : work (x) = -mu*lambda(plane)\n"

/* a block slides down: x'' = g (sin al - mu cos al), pressed with m g cos al */
static void test_nonideal__block_slides_by_every_principle(void **state) {
    (void)state;
    const double g = 9.81, s = sin(M_PI / 6), c = cos(M_PI / 6), x[4] = {0.3, 0, 1.2, 0};
    int taken = 0;
    for (const zw_principle *by = zw_principles(); by->name; by++) {
        machine m;
        zw_error err = {0};
        double a[2], lambda[1];
        if (try_machine(&m, SLIDING, NULL, by->name, &err) >= 0) {
            accelerate(&m, 0, x, a, lambda);
            assert_close(a[0], g * (s - 0.2 * c), 1e-13);
            assert_close(a[1], 0, 1e-13);
            assert_close(lambda[0], 3 * g * c, 1e-13);
            taken++;
        } else {
            /* the potential holds y, which the plane makes dependent; whole paths have no virtual
             * work */
            assert_true(is_vakonomic(by) || strcmp(by->name, "chaplygin") == 0);
        }
        close_machine(&m);
    }
    assert_int_equal(taken, 9);
}

/* where Chaplygin's equations apply they agree too: a sledge with friction by the force across its
 * blade */
static void test_nonideal__chaplygins_system(void **state) {
    (void)state;
    static const char text[] =
        "model sledge\nunits none\nparam m = 2, J = 0.4, a = 0.3, mu = 0.1\ncoord x, y, th\n"
        "let cog = (x + a*cos(th), y + a*sin(th))\nindependent x', th'\n"
        "kinetic 1/2*m*dot(cog', cog') + 1/2*J*th'^2\nconstraint blade : y' = tan(th)*x'\n"
        "nonideal blade : work (x, y) = -mu*lambda(blade)*(x', y'), work (th) = -0.2*th'\n";
    machine one, other;
    test_random r = {3};
    open_machine(&one, text, NULL, "lagrange");
    open_machine(&other, text, NULL, "chaplygin");
    for (int trial = 0; trial < 50; trial++) {
        double x[6], a[2][3], lambda[2][1];
        for (int i = 0; i < 6; i++)
            x[i] = test_random_real(&r, -1, 1);
        x[4] = tan(x[2]) * x[3];
        accelerate(&one, 0, x, a[0], lambda[0]);
        accelerate(&other, 0, x, a[1], lambda[1]);
        for (int i = 0; i < 3; i++)
            assert_close(a[1][i], a[0][i], 1e-12);
        assert_close(lambda[1][0], lambda[0][0], 1e-12);
    }
    close_machine(&one);
    close_machine(&other);
}

/* one run to its event, with the balance of energy; the value of a column at its end */
static double run_to(const char *text, const char *principle, double until, int n,
                     const char *const *column, double *out) {
    zw_sim_options options = zw_sim_options_default();
    zw_error err = {0};
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    zw_sim *sim;
    options.until = until;
    options.energy = true;
    options.principle = principle;
    options.run.rtol = 1e-11;
    options.run.atol = 1e-13;
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test.zw", NULL, &err) < 0 ||
        zw_sim_create(&sim, sys, NULL, &options, &err) < 0 || zw_sim_run(sim, &err) < 0)
        fail_msg("%s: %s", principle, err.text);
    const zw_table *rows = zw_sim_rows(sim);
    for (int i = 0; i < n; i++) {
        int at = zw_table_find(rows, column[i]);
        if (at < 0)
            fail_msg("%s: there is no column %s", principle, column[i]);
        out[i] = zw_table_at(rows, zw_table_rows(rows) - 1, at);
    }
    double drift = zw_table_at(rows, zw_table_rows(rows) - 1, zw_table_find(rows, "drift"));
    zw_sim_destroy(sim);
    zw_context_destroy(ctx);
    return drift;
}

/* A bead slides down in a circular wire from its side, friction mu N: with the angle phi
 *     d(v^2)/dphi + 2 mu v^2 = 2 g R (cos phi - mu sin phi),
 *     v^2 = v0^2 e + A sin phi + B (cos phi - e),  e = exp(-2 mu phi),
 *     A = 2 g R (1 - 2 mu^2)/(1 + 4 mu^2),  B = 6 mu g R/(1 + 4 mu^2). */
static void test_nonideal__bead_in_a_hoop(void **state) {
    (void)state;
    static const char text[] =
        "model hoop\nparam m = 0.4 [kg], mu = 0.25, R = 1.5 [m], g = 9.81 [m/s^2], v0 = 1 [m/s]\n"
        "coord x, y [m]\nparticle P : m at (x, y)\ngravity g along -y\n"
        "constraint hoop : x^2 + y^2 = R^2\nlet N = -2*R*lambda(hoop)\n"
        "nonideal hoop : work at P = -mu*N*P'/norm(P')\nstart x = R, y = 0, y' = -v0\n"
        "event there : y + R*sin(1) falling stop\nobserve push = N\n";
    static const char *const column[] = {"x'", "y'", "push", "work(hoop)"};
    static const char *const principles[] = {"lagrange", "gauss",           "maggi", "kane",
                                             "hamilton", "boltzmann-hamel", NULL};
    const double g = 9.81, R = 1.5, mu = 0.25, phi = 1, e = exp(-2 * mu * phi), q = 1 + 4 * mu * mu;
    double A = 2 * g * R * (1 - 2 * mu * mu) / q, B = 6 * mu * g * R / q;
    double square = e + A * sin(phi) + B * (cos(phi) - e), N = 0.4 * (square / R + g * sin(phi));
    for (int i = 0; principles[i]; i++) {
        double v[4], drift = run_to(text, principles[i], 5, 4, column, v);
        assert_close(v[0] * v[0] + v[1] * v[1], square, 1e-8);
        assert_close(v[2], N, 1e-8);
        /* T + V against what friction takes */
        assert_close(v[3], 0.4 * (square / 2 - 0.5 - g * R * sin(phi)), 1e-8);
        assert_close(drift, 0, 1e-8);
    }
}

/* ---------------------------------------------------------------------- switches, rows, powers */

static void test_nonideal__goes_with_its_constraint(void **state) {
    (void)state;
    static const char *const off[] = {"plane"};
    zw_model_options options = {.nwithout = 1, .without = off};
    machine m;
    double x[4] = {0, 0, 1, 0}, a[2], lambda[1];
    for (const zw_principle *by = zw_principles(); by->name; by++) {
        open_machine(&m, SLIDING, &options, by->name);
        accelerate(&m, 0, x, a, lambda);
        assert_close(a[0], 9.81 * sin(M_PI / 6), 1e-13);
        assert_close(a[1], -9.81 * cos(M_PI / 6), 1e-13);
        zw_power *power;
        int n;
        assert_int_equal(zw_equations_powers(&m.eq, &power, &n, NULL), ZW_OK);
        assert_int_equal(n, 0);
        close_machine(&m);
    }
    /* an event switches both off: from then on free fall */
    static const char *const column[] = {"x'", "y'"};
    double v[2], drift;
    drift = run_to(SLIDING "start x' = 2 [m/s]\nevent edge : t - 1 [s] rising, switch off plane\n",
                   "gauss", 2, 2, column, v);
    assert_close(v[0], 2 + 9.81 * (2 * sin(M_PI / 6) - 0.2 * cos(M_PI / 6)), 1e-9);
    assert_close(v[1], -9.81 * cos(M_PI / 6), 1e-9);
    assert_close(drift, 0, 1e-8);
}

/* Two rows under one name: friction by the force across, on which the other force acts. Powers: one
 * under the name. */
#define RAIL                                                                                       \
    "model rail\nunits none\nparam m = 2, g = 9.81, mu = 0.3, w = 0.4\ncoord x, y, z\n"            \
    "particle P : m at (x, y, z)\ngravity g along -z\nconstraint rail : (y, z) = (0, w*t)\n"       \
    "nonideal rail : work (x) = -mu*lambda(rail.2), work (x) = -0.1*x'\nstart x' = 3, z' = w\n"

static void test_nonideal__of_several_rows(void **state) {
    (void)state;
    machine m;
    double x[6] = {0, 0, 0, 3, 0, 0.4}, a[3], lambda[2];
    zw_power *power;
    int n;
    open_machine(&m, RAIL, NULL, "lagrange");
    accelerate(&m, 0, x, a, lambda);
    assert_close(lambda[1], 2 * 9.81, 1e-14);
    assert_close(a[0], -0.3 * 9.81 - 0.1 * 3 / 2, 1e-14);
    assert_int_equal(zw_equations_powers(&m.eq, &power, &n, NULL), ZW_OK);
    assert_int_equal(n, 2);
    assert_string_equal(power[0].name, "rail.2"); /* it is lifted */
    assert_string_equal(power[1].name, "rail");
    assert_int_equal(power[1].kind, ZW_POWER_CONSTRAINT);
    close_machine(&m);
    /* as soon as one of its rows is off */
    static const char *const off[] = {"rail.1"};
    open_machine(&m, RAIL, &(zw_model_options){.nwithout = 1, .without = off}, "lagrange");
    accelerate(&m, 0, x, a, lambda);
    assert_close(a[0], 0, 1e-15);
    close_machine(&m);
    static const char *const column[] = {"work(rail)", "work(rail.2)", "x"};
    double v[3], drift = run_to(RAIL, "maggi", 1, 3, column, v);
    assert_close(v[1], 2 * 9.81 * 0.4, 1e-9);
    /* x'' = -k (x' + u): x = (3 + u)(1 - e)/k - u t */
    double k = 0.05, u = 0.3 * 9.81 / k, e = exp(-k), end = (3 + u) * e - u;
    assert_close(v[2], (3 + u) * (1 - e) / k - u, 1e-9);
    assert_close(v[0], end * end - 9, 1e-8);
    assert_close(drift, 0, 1e-8);
}

/* the power of a rheonomic constraint and that of its given work are one */
static void test_nonideal__power_is_that_of_the_constraint(void **state) {
    (void)state;
    static const char text[] =
        "model lift\nunits none\nparam m = 2, g = 9.81\ncoord x, y\nparticle P : m at (x, y)\n"
        "gravity g along -y\nconstraint lift : y = t\n"
        "nonideal lift : work at P = -0.5*P'\nstart x' = 3, y' = 1\n";
    static const char *const column[] = {"work(lift)", "lambda(lift)"};
    double v[2], drift = run_to(text, "lagrange", 1, 2, column, v), end = 3 * exp(-0.25);
    /* what the lift is pushed with includes its own resistance: lambda - 0.5 y' = m g */
    assert_close(v[1], 2 * 9.81 + 0.5, 1e-9);
    assert_close(v[0], 2 * 9.81 + end * end - 9, 1e-8);
    assert_close(drift, 0, 1e-8);
}

/* ------------------------------------------------------------------------------- redundancy */

#define LEGS                                                                                       \
    "model legs\nunits none\nparam m = 2, g = 9.81, mu = 0.3\ncoord x, y\nparticle P : m at (x, "  \
    "y)\n"                                                                                         \
    "gravity g along -y\nconstraint left : y = 0\nconstraint right : 2*y = 0\n"

static void test_nonideal__redundant_constraints_may_share_as_they_like(void **state) {
    (void)state;
    static const char *const good[] = {
        LEGS "nonideal left : work (x) = -mu*(lambda(left) + 2*lambda(right))\n",
        LEGS "nonideal left : work (x) = -mu*lambda(left)\n"
             "nonideal right : work (x) = -mu*2*lambda(right)\n",
        LEGS "force rub (x) = -mu*(lambda(left) + 2*lambda(right))\n",
    };
    double x[4] = {0, 0, 1, 0}, a[2], lambda[2];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        for (int k = 0; k < 2; k++) {
            machine m;
            open_machine(&m, good[i], NULL, k ? "gauss" : "gauss-min");
            accelerate(&m, 0, x, a, lambda);
            assert_close(a[0], -0.3 * 9.81, 1e-13);
            assert_close(a[1], 0, 1e-13);
            assert_close(lambda[0] + 2 * lambda[1], 2 * 9.81, 1e-13);
            close_machine(&m);
        }
}

static void test_nonideal__redundant_constraints_that_leave_the_motion_open_are_told(void **state) {
    (void)state;
    static const char *const open[] = {
        LEGS "nonideal left : work (x) = -mu*lambda(left)\n",
        LEGS "nonideal left : work (x) = -mu*lambda(left)\n"
             "nonideal right : work (x) = mu*2*lambda(right)\n",
        LEGS "force rub (x) = -mu*lambda(right)\n",
    };
    double x[4] = {0, 0, 1, 0}, rate[4], z[4];
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        machine m;
        zw_error err = {0};
        open_machine(&m, open[i], NULL, "gauss");
        assert_int_equal(zw_flow_rates(m.flow, 0, x, rate, z, &err), ZW_E_SINGULAR);
        assert_non_null(strstr(err.text, "the motion is not determined"));
        close_machine(&m);
    }
}

/* Painleve: with mu = 1/tan of its angle the rod's contact has no force that is determined */
static void test_nonideal__singular_friction_is_told_by_gauss(void **state) {
    (void)state;
    static const char text[] =
        "model singular\nunits none\nparam m = 2, g = 9.81\ncoord x, y\nparticle P : m at (x, y)\n"
        "gravity g along -y\nconstraint plane : y = x\n"
        "nonideal plane : work (x) = 2*lambda(plane)\n";
    double x[4] = {0, 0, 1, 1}, rate[4], z[3];
    static const char *const by[] = {"lagrange", "gauss"};
    for (int i = 0; i < 2; i++) {
        machine m;
        zw_error err = {0};
        open_machine(&m, text, NULL, by[i]);
        assert_int_equal(zw_flow_rates(m.flow, 0, x, rate, z, &err), ZW_E_SINGULAR);
        assert_non_null(strstr(err.text, "leave the multiplier of row 1 undetermined"));
        close_machine(&m);
    }
}

/* -------------------------------------------------------------------------------- agreement */

/* all that can be said in one model: points, bodies, coordinates; friction by own and by other
 * multipliers */
#define ROLLER                                                                                     \
    "model roller\nparam m = 1.3 [kg], r = 0.2 [m], mu = 0.15, c = 0.05 [N*m*s], s = 0.2 [m/s]\n"  \
    "coord x, y, z [m], ph, th [rad]\n"                                                            \
    "frame H : rotate z ph\nframe W : H rotate y th at (x, y, z)\n"                                \
    "body wheel : W, cylinder(m, r, r/2)\ngravity 9.81 [m/s^2] along -z\n"                         \
    "constraint floor : z = r + 0.1*x\nconstraint blade : -sin(ph)*x' + cos(ph)*y' = 0\n"          \
    "constraint roll : cos(ph)*x' + sin(ph)*y' = r*th'\n"                                          \
    "nonideal floor : work on wheel = -c*wheel.w,\n"                                               \
    "    work at (x, y, 0) on W = -mu*lambda(floor)*(x', y')/sqrt(x'^2 + y'^2 + s^2)\n"            \
    "nonideal blade : work (ph) = -0.02*lambda(blade)*r*ph'*1 [s] - 0.3*lambda(roll)*r\n"

static void test_nonideal__all_principles_agree_at_random_states(void **state) {
    (void)state;
    static const char *const texts[] = {ROLLER, SLIDING,
                                        BEAD "nonideal wire : work (x) = lambda(wire)\n"};
    static const int want[] = {9, 9, 10};
    for (int i = 0; i < 3; i++) {
        zw_model_source source = {
            .text = texts[i], .length = strlen(texts[i]), .file = "test.zw", .options = NULL};
        zw_comparison *c;
        zw_error err = {0};
        if (zw_compare(&c, &source, NULL, &err) < 0)
            fail_msg("%s", err.text);
        assert_true(zw_comparison_summary(c)->tolerance <= 1e-11);
        if (zw_comparison_judge(c, &err) < 0)
            fail_msg("%s", err.text);
        int applies = 0;
        for (int k = 0; k < zw_comparison_summary(c)->nrow; k++)
            applies += zw_comparison_row(c, k)->applies;
        assert_int_equal(applies, want[i]);
        zw_comparison_destroy(c);
    }
}

/* reactions of principles without multipliers are Lagrange's multipliers */
static void test_nonideal__multipliers_are_the_same_by_every_principle(void **state) {
    (void)state;
    machine one, other;
    test_random r = {21};
    double x[10], a[5], b[5], lambda[3], mu[3];
    open_machine(&one, ROLLER, NULL, "lagrange");
    for (const zw_principle *by = zw_principles(); by->name; by++) {
        zw_error err = {0};
        if (try_machine(&other, ROLLER, NULL, by->name, &err) < 0) {
            close_machine(&other);
            continue;
        }
        for (int trial = 0; trial < 10; trial++) {
            for (int i = 0; i < 10; i++)
                x[i] = test_random_real(&r, -0.8, 0.8);
            double speed = 0.2 * x[9];
            x[2] = 0.2 + 0.1 * x[0];
            x[5] = cos(x[3]) * speed;
            x[6] = sin(x[3]) * speed;
            x[7] = 0.1 * x[5];
            accelerate(&one, 0, x, a, lambda);
            accelerate(&other, 0, x, b, mu);
            for (int i = 0; i < 3; i++)
                assert_close(mu[i], lambda[i], 1e-11);
        }
        close_machine(&other);
    }
    close_machine(&one);
}

/* ------------------------------------------------------------------------- built in C, refusals */

static void test_nonideal__is_built_in_c(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_expr x, y, rate;
    zw_place here = {.file = "c", .line = 7, .column = 1};
    zw_error err = {0};
    assert_int_equal(zw_system_create(&s, ctx, "c", "", NULL), ZW_OK);
    assert_int_equal(zw_system_coord(s, "x", "m", here, &x, NULL), ZW_OK);
    assert_int_equal(zw_system_coord(s, "y", "m", here, &y, NULL), ZW_OK);
    rate = zw_system_rate(s, x);
    zw_expr T = zw_mul(ctx, rate, rate);
    T = zw_add(ctx, T, zw_mul(ctx, zw_system_rate(s, y), zw_system_rate(s, y)));
    assert_int_equal(zw_system_kinetic(s, T, here, NULL), ZW_OK);
    /* before the constraint is there */
    zw_expr work = zw_system_lambda(s, "wall");
    assert_int_equal(zw_system_nonideal(s, "wall", 1, &rate, &work, here, NULL), ZW_OK);
    assert_int_equal(zw_system_finish(s, &err), ZW_E_NAME);
    assert_string_equal(err.text, "there is no constraint wall whose work is given");
    assert_int_equal(err.line, 7);
    assert_int_equal(zw_system_constraint(s, "wall", y, "m", true, here, NULL), ZW_OK);
    assert_int_equal(zw_system_finish(s, NULL), ZW_OK);
    assert_int_equal(zw_system_nonideal(s, "wall", 1, &rate, &work, here, NULL), ZW_E_MODEL);
    zw_equations eq;
    assert_int_equal(zw_derive(&eq, s, NULL, "lagrange", NULL), ZW_OK);
    assert_false(eq.symmetric);
    assert_true(eq.C[0] == ZW_ONE);
    zw_context_destroy(ctx);
}

static void assert_refused(const char *text, const char *principle, const char *message) {
    machine m;
    zw_error err = {0};
    assert_true(try_machine(&m, text, NULL, principle, &err) < 0);
    if (!strstr(err.text, message))
        fail_msg("%s: '%s' lacks '%s'", principle, err.text, message);
    assert_true(err.line > 0);
    close_machine(&m);
}

static void test_nonideal__refusals(void **state) {
    (void)state;
    assert_refused(SLIDING, "vakonomic", "the work of plane on virtual displacements is given");
    assert_refused(BLOCK "nonideal plane : work (x) = -mu*abs(lambda(plane))\n", "lagrange",
                   "the given work of a constraint is not linear in the multipliers it uses");
    assert_refused(BLOCK "constraint bound : x'' >= 0\nforce f (x) = -mu*lambda(plane)\n",
                   "gauss-min", "the motion with the bound bound is no minimum");
    assert_refused(BLOCK "constraint bound : x'' >= 0\nnonideal bound : work (x) = 1 [N]\n",
                   "gauss-min", "it is an inequality");
    assert_refused(BLOCK
                   "constraint wall off : x = 0\nnonideal plane : work (x) = -mu*lambda(wall)\n",
                   "gauss", "uses lambda(wall), but that constraint is off");
    assert_refused(BLOCK "nonideal plane : work (x) = m*x''\n", "lagrange",
                   "the given work cannot depend on");
}

/* ------------------------------------------------------------------------------------- written */

static void test_nonideal__is_written(void **state) {
    (void)state;
    machine m;
    open_machine(&m, SLIDING, NULL, "kane");
    char *text = zw_equations_write(&m.eq, ZW_EQUATIONS_TEXT, ZW_SHORTENED);
    assert_non_null(
        strstr(text, "Work of constraint forces on virtual displacements that is given"));
    assert_non_null(strstr(text, "C(plane,x) = -mu*lambda(plane)"));
    zw_string_free(m.ctx, text);
    text = zw_equations_write(&m.eq, ZW_EQUATIONS_LATEX, ZW_SHORTENED);
    assert_non_null(strstr(text, "C_{\\mathrm{plane},x} &= -\\mu \\, \\lambda_{\\mathrm{plane}}"));
    zw_string_free(m.ctx, text);
    close_machine(&m);
}

static void test_nonideal__survives_failing_memory(void **state) {
    (void)state;
    for (const zw_principle *by = zw_principles(); by->name; by++)
        for (long n = 1;; n++) {
            failing_allocator memory = failing_allocator_make(n);
            zw_allocator alloc = failing_allocator_of(&memory);
            zw_context *ctx = zw_context_create(&alloc);
            zw_system *sys;
            zw_equations eq;
            zw_power *power;
            int count;
            zw_status status =
                ctx ? zw_model_parse(&sys, ctx, SLIDING, strlen(SLIDING), "test.zw", NULL, NULL)
                    : ZW_E_MEMORY;
            if (status >= 0)
                status = zw_derive_steps(&eq, sys, NULL, by->name, NULL);
            if (status >= 0)
                status = zw_equations_powers(&eq, &power, &count, NULL);
            if (memory.failed)
                assert_int_equal(status, ZW_E_MEMORY);
            if (ctx)
                zw_context_destroy(ctx);
            assert_int_equal(memory.blocks, 0);
            if (!memory.failed)
                break;
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nonideal__bead_of_udwadia_and_kalaba),
        cmocka_unit_test(test_nonideal__block_slides_by_every_principle),
        cmocka_unit_test(test_nonideal__chaplygins_system),
        cmocka_unit_test(test_nonideal__bead_in_a_hoop),
        cmocka_unit_test(test_nonideal__goes_with_its_constraint),
        cmocka_unit_test(test_nonideal__of_several_rows),
        cmocka_unit_test(test_nonideal__power_is_that_of_the_constraint),
        cmocka_unit_test(test_nonideal__redundant_constraints_may_share_as_they_like),
        cmocka_unit_test(test_nonideal__redundant_constraints_that_leave_the_motion_open_are_told),
        cmocka_unit_test(test_nonideal__singular_friction_is_told_by_gauss),
        cmocka_unit_test(test_nonideal__all_principles_agree_at_random_states),
        cmocka_unit_test(test_nonideal__multipliers_are_the_same_by_every_principle),
        cmocka_unit_test(test_nonideal__is_built_in_c),
        cmocka_unit_test(test_nonideal__refusals),
        cmocka_unit_test(test_nonideal__is_written),
        cmocka_unit_test(test_nonideal__survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
