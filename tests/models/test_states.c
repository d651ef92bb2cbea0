/* SPDX-License-Identifier: MIT */
/* First-order states beside mechanics, against closed forms and independent integrations. */
#include "support/failing_allocator.h"
#include "support/simulation.h"

/* ------------------------------------------------------------------------------ linear systems */

enum { MOST = 8 };

static void multiply(int n, const double *A, const double *B, double *out) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            out[i * n + j] = 0;
            for (int k = 0; k < n; k++)
                out[i * n + j] += A[i * n + k] * B[k * n + j];
        }
}

/* exp(A t) x for x' = A x, by Taylor's series of exp(A t/1024) squared ten times */
static void linear_flow(int n, const double *A, double t, double *x) {
    double E[MOST * MOST] = {0}, term[MOST * MOST] = {0}, next[MOST * MOST], out[MOST] = {0};
    for (int i = 0; i < n; i++)
        E[i * n + i] = term[i * n + i] = 1;
    for (int k = 1; k < 20; k++) {
        multiply(n, term, A, next);
        for (int i = 0; i < n * n; i++) {
            term[i] = next[i] * t / 1024 / k;
            E[i] += term[i];
        }
    }
    for (int k = 0; k < 10; k++) {
        multiply(n, E, E, next);
        memcpy(E, next, sizeof E);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[i] += E[i * n + j] * x[j];
    memcpy(x, out, (size_t)n * sizeof *x);
}

/* a wheel driven by a direct-current motor: J th'' = k i - d th', L i' = U - R i - k th' */
static void test_states__motor_and_wheel(void **state) {
    (void)state;
    const char text[] = "model wheel\n"
                        "param J = 0.01 [kg*m^2], d = 0.02 [N*m*s], k = 0.5 [V*s], R = 2 [Ohm]\n"
                        "param L = 0.3 [H], U = 12 [V]\n"
                        "coord th [rad]\n"
                        "state i [A] : i' = (U - R*i - k*th')/L\n"
                        "kinetic 1/2*J*th'^2\n"
                        "dissipation 1/2*d*th'^2\n"
                        "force motor (th) = k*i\n"
                        "start th' = 3 [rad/s], i = -1 [A]\n";
    const double J = 0.01, d = 0.02, k = 0.5, R = 2, L = 0.3, U = 12;
    const double A[9] = {-d / J, k / J, 0, -k / L, -R / L, U / L, 0, 0, 0};
    simulation s = simulation_make(0.7);
    s.options.step_out = 0.1;
    simulation_run(&s, text);
    assert_done(&s);
    const zw_table *rows = zw_sim_rows(s.sim);
    assert_string_equal(zw_table_unit(rows, zw_table_find(rows, "i")), "A");
    for (long r = 0; r < zw_table_rows(rows); r++) {
        double x[3] = {3, -1, 1};
        linear_flow(3, A, at(rows, r, "t"), x);
        assert_close(at(rows, r, "th'"), x[0], 1e-9);
        assert_close(at(rows, r, "i"), x[1], 1e-9);
    }
    simulation_clear(&s);
}

/* a cart held at a place by a PI controller with a velocity feedback:
 * m x'' = -kp (x - a) - kd x' - ki e + load, e' = x - a */
static void test_states__controller_takes_off_the_load(void **state) {
    (void)state;
    const char text[] = "model cart\n"
                        "param m = 2 [kg], kp = 30 [N/m], kd = 12 [N*s/m], ki = 25 [N/(m*s)]\n"
                        "param a = 0.4 [m], load = 7 [N]\n"
                        "coord x [m]\n"
                        "state e [m*s] : e' = x - a\n"
                        "particle cart : m at (x, 0)\n"
                        "force control (x) = -kp*(x - a) - kd*x' - ki*e\n"
                        "force load_1 (x) = load\n";
    const double m = 2, kp = 30, kd = 12, ki = 25, a = 0.4, load = 7;
    const double A[16] = {0, 1, 0, 0,  -kp / m, -kd / m, -ki / m, (kp * a + load) / m,
                          1, 0, 0, -a, 0,       0,       0,       0};
    simulation s = simulation_make(20);
    simulation_run(&s, text);
    assert_done(&s);
    const zw_table *rows = zw_sim_rows(s.sim);
    double x[4] = {0, 0, 0, 1};
    linear_flow(4, A, 1, x);
    assert_close(at(rows, 50, "t"), 1, 1e-12);
    assert_close(at(rows, 50, "x"), x[0], 1e-9);
    assert_close(at(rows, 50, "e"), x[2], 1e-9);
    /* in the end the integral alone carries the load */
    assert_close(at(rows, -1, "x"), a, 1e-6);
    assert_close(at(rows, -1, "e"), load / ki, 1e-6);
    simulation_clear(&s);
}

/* --------------------------------------------------------------------------------- states alone */

static void lorenz(const double *x, double *rate) {
    rate[0] = 10 * (x[1] - x[0]);
    rate[1] = x[0] * (28 - x[2]) - x[1];
    rate[2] = x[0] * x[1] - 8.0 / 3 * x[2];
}

static void runge_kutta(double *x, double h) {
    double k[4][3], y[3];
    for (int stage = 0; stage < 4; stage++) {
        double a = stage == 0 ? 0 : stage == 3 ? h : h / 2;
        for (int i = 0; i < 3; i++)
            y[i] = x[i] + (stage ? a * k[stage - 1][i] : 0);
        lorenz(y, k[stage]);
    }
    for (int i = 0; i < 3; i++)
        x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

static const char LORENZ[] =
    "model lorenz\nunits none\nparam sigma = 10, rho = 28, beta = 8/3\n"
    "state x, y, z : x' = sigma*(y - x), y' = x*(rho - z) - y, z' = x*y - beta*z\n"
    "start x = 1, y = 2, z = 3\n"
    "observe speed = sqrt(x'^2 + y'^2 + z'^2)\n";

static void test_states__lorenz(void **state) {
    (void)state;
    const char *methods[] = {"rk87", "rk54", "adams", "bdf", "radau", "ida"};
    double x[3] = {1, 2, 3}, rate[3];
    for (int i = 0; i < 20000; i++)
        runge_kutta(x, 1e-4);
    lorenz(x, rate);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        simulation s = simulation_make(2);
        s.options.run.method = methods[m];
        simulation_run(&s, LORENZ);
        assert_done(&s);
        const zw_table *rows = zw_sim_rows(s.sim);
        /* rounding and the errors of a step grow a thousandfold on the way */
        assert_close(at(rows, -1, "x"), x[0], 1e-6);
        assert_close(at(rows, -1, "y"), x[1], 1e-6);
        assert_close(at(rows, -1, "z"), x[2], 1e-6);
        assert_close(at(rows, -1, "speed"),
                     sqrt(rate[0] * rate[0] + rate[1] * rate[1] + rate[2] * rate[2]), 1e-5);
        simulation_clear(&s);
    }
}

static void test_states__nothing_to_compare_in_states_alone(void **state) {
    (void)state;
    zw_error err = {0};
    zw_comparison *c;
    zw_model_source source = {LORENZ, sizeof LORENZ - 1, "lorenz.zw", NULL};
    assert_int_equal(zw_compare(&c, &source, NULL, &err), ZW_E_MODEL);
    assert_null(c);
    assert_text_has(err.text, "states alone");
}

/* every principle carries states along: the same run by all of them */
static void test_states__alone_by_every_principle(void **state) {
    (void)state;
    double first = 0;
    for (const zw_principle *p = zw_principles(); p->name; p++) {
        simulation s = simulation_make(1);
        s.options.principle = p->name;
        simulation_run(&s, LORENZ);
        assert_done(&s);
        double x = at(zw_sim_rows(s.sim), -1, "x");
        if (p == zw_principles())
            first = x;
        assert_true(x == first);
        simulation_clear(&s);
    }
}

/* -------------------------------------------------------------------------- states in mechanics */

/* the two models differ in who says how long the rope is: a state or a formula */
#define WINCH                                                                                      \
    "param m = 2 [kg], v = 0.3 [m/s], w = 2 [rad/s], l0 = 1.5 [m]\n"                               \
    "coord x, y [m]\n"                                                                             \
    "particle bob : m at (x, y)\n"                                                                 \
    "gravity 9.81 [m/s^2] along -y\n"                                                              \
    "start x = 0.9 [m], x' = 0.5 [m/s]\n"
static const char BY_STATE[] = "model winch\n" WINCH "state l [m] : l' = -v*cos(w*t)\n"
                               "constraint rope : sqrt(x^2 + y^2) = l\n"
                               "start y = -1.2 [m], l = l0\n";
static const char BY_TIME[] = "model winch\n" WINCH "let l = l0 - v/w*sin(w*t)\n"
                              "constraint rope : sqrt(x^2 + y^2) = l\n"
                              "start y = -1.2 [m]\n";

static void same_motion(simulation *a, simulation *b, double tolerance) {
    const char *columns[] = {"x", "y", "x'", "y'", "lambda(rope)", "energy"};
    for (int i = 0; i < 6; i++)
        assert_close(at(zw_sim_rows(a->sim), -1, columns[i]),
                     at(zw_sim_rows(b->sim), -1, columns[i]), tolerance);
}

static void test_states__winch_as_prescribed(void **state) {
    (void)state;
    struct {
        const char *method;
        zw_keep constraints;
        double tolerance;
    } way[] = {{"rk87", ZW_KEEP_CHOSEN, 1e-8},  {"rk87", ZW_KEEP_PARTITION, 1e-8},
               {"radau", ZW_KEEP_CHOSEN, 1e-7}, {"radau", ZW_KEEP_PARTITION, 1e-6},
               {"ida", ZW_KEEP_CHOSEN, 1e-6},   {"bdf", ZW_KEEP_CHOSEN, 1e-6}};
    simulation reference = simulation_make(2);
    simulation_run(&reference, BY_TIME);
    assert_done(&reference);
    for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
        simulation s = simulation_make(2);
        s.options.run.method = way[i].method;
        s.options.run.constraints = way[i].constraints;
        simulation_run(&s, BY_STATE);
        assert_done(&s);
        same_motion(&s, &reference, way[i].tolerance);
        assert_close(at(zw_sim_rows(s.sim), -1, "l"), 1.5 - 0.15 * sin(4), 1e-8);
        simulation_clear(&s);
    }
    simulation_clear(&reference);
}

/* the start moves coordinates onto the constraint, never the state */
static void test_states__stay_at_the_start(void **state) {
    (void)state;
    simulation s = simulation_make(0.1);
    simulation_run(&s, "model m\ncoord x, y [m]\nparticle P : 1 [kg] at (x, y)\n"
                       "state l [m] : l' = 0\nconstraint rope : x^2 + y^2 = l^2\n"
                       "start x = 3 [m], l = 5 [m], y - l = -1.1 [m]\n");
    assert_int_equal(s.status, ZW_E_START); /* y = 4 by the rope, 3.9 by the start */
    simulation_clear(&s);
    s = simulation_make(0.1);
    simulation_run(&s, "model m\ncoord x, y [m]\nparticle P : 1 [kg] at (x, y)\n"
                       "state l [m] : l' = 0\nconstraint rope : x^2 + y^2 = l^2\n"
                       "start l = 5 [m], y - l = -1 [m], x = 3 [m]\n");
    assert_done(&s);
    assert_close(at(zw_sim_rows(s.sim), 0, "l"), 5, 0);
    assert_close(at(zw_sim_rows(s.sim), 0, "y"), 4, 1e-12);
    simulation_clear(&s);
}

/* mass that changes by a state: p = m x', p' = F, so x' = (p0 + F t)/m(t) with m = m0 exp(-c t) */
static void mass_by_state(const char *mass) {
    char text[400];
    snprintf(text, sizeof text,
             "model m\ncoord x [m]\nstate mu [kg] : mu' = -mu*0.5 [1/s]\n%s\n"
             "force F (x) = 3 [N]\nstart x' = 2 [m/s], mu = 4 [kg]\n",
             mass);
    const char *principle[] = {"lagrange", "gauss", "kane", "gibbs-appell", "hamilton"};
    for (int i = 0; i < 5; i++) {
        simulation s = simulation_make(1.5);
        s.options.principle = principle[i];
        s.options.energy = true;
        simulation_run(&s, text);
        assert_done(&s);
        const zw_table *rows = zw_sim_rows(s.sim);
        double m = 4 * exp(-0.75);
        assert_close(at(rows, -1, "mu"), m, 1e-9);
        assert_close(at(rows, -1, "x'"), (8 + 3 * 1.5) / m, 1e-9);
        /* the state takes part in the balance: it changes the energy at constant momentum */
        assert_true(fabs(at(rows, -1, "work(mu)")) > 0.1);
        assert_true(fabs(at(rows, -1, "drift")) < 1e-8);
        simulation_clear(&s);
    }
}

/* Meshchersky's equation: a rocket in free space, v = c ln(m_0/m) (Tsiolkovsky), by time and by a
 * state; a cart under rain of the velocity w, v = w (1 - m_0/m) */
static void test_states__exhaust_and_intake(void **state) {
    (void)state;
    static const char *const mass[] = {"particle P : 2 [kg] - 0.1 [kg/s]*t at (x, 0)",
                                       "state mu [kg] : mu' = -0.1 [kg/s]\n"
                                       "start mu = 2 [kg]\nparticle P : mu at (x, 0)"};
    for (int i = 0; i < 4; i++) {
        char text[300];
        snprintf(text, sizeof text, "model rocket\ncoord x [m]\n%s %s\n", mass[i % 2],
                 i < 2 ? "exhaust (-50 [m/s], 0, 0)" : "intake (3 [m/s], 0, 0)");
        simulation s = simulation_make(10);
        simulation_run(&s, text);
        assert_done(&s);
        const zw_table *t = zw_sim_rows(s.sim);
        assert_close(zw_table_at(t, zw_table_rows(t) - 1, zw_table_find(t, "x'")),
                     i < 2 ? 50 * log(2.0) : -3.0, 1e-9);
        simulation_clear(&s);
    }
}

static void test_states__in_the_mass(void **state) {
    (void)state;
    mass_by_state("particle P : mu at (x, 0)");
    mass_by_state("kinetic 1/2*mu*x'^2");
}

/* --------------------------------------------------------------------------- all the principles */

static const char SLEIGH[] = /* nonholonomic, a state in the inertia and in a force, rates with v */
    "model sleigh\nparam m = 1 [kg], a = 0.3 [m]\ncoord x, y [m], th [rad]\n"
    "state J [kg*m^2] : J' = -0.2 [1/s]*J\n"
    "state f [N] : f' = (2 [N] - f)/0.5 [s] - 0.3 [N/rad]*th'\n"
    "let cog = (x + a*cos(th), y + a*sin(th))\n"
    "kinetic 1/2*m*dot(cog', cog') + 1/2*J*th'^2\n"
    "force (x, y) = f*(cos(th), sin(th))\n"
    "constraint blade : cos(th)*y' = sin(th)*x'\nstart x' = 1 [m/s], th' = 0.5 [rad/s], J = 1 "
    "[kg*m^2]\n";
static const char
    QUASI[] = /* quasi-velocities that turn with a state, a constraint that holds one */
    "model quasi_1\nparam m = 2 [kg]\ncoord x, y, z [m]\n"
    "state al [rad] : al' = 0.4 [rad/s] + 0.1 [1/s]*sin(al) + 0.2 [rad/m^2*s]*x*y/1 [s^2]\n"
    "quasi u = cos(al)*x' + sin(al)*y', w = -sin(al)*x' + cos(al)*y', c = z' + 0.1*x'\n"
    "particle P : m at (x, y, z)\nspring sp : 3 [N/m], P to (0, 0, 0.2 [m])\n"
    "constraint drift : w = 0.1 [m/s]*al\n";
static const char TURNING[] = /* a quaternion, an inertia and a torque by states */
    "model turning\nrotation b\nstate h [kg*m^2/s] : h' = -0.5 [kg*m^2/s^2] + 0.1 "
    "[kg*m^2/s]*b.w.z\n"
    "state J [kg*m^2] : J' = 0.1 [kg*m^2/s]*sin(h/1 [kg*m^2/s])\n"
    "body top : b, inertia(2 [kg], 0.3 [kg*m^2], 0.4 [kg*m^2], J)\n"
    "torque T on top = h*cross((0, 0, 1 [1/s]), top.w*1 [s])\n"
    "start J = 0.5 [kg*m^2], b.wx = 1 [rad/s]\n";
static const char CRANE[] = /* a rope whose length is a state; the trolley has a motor */
    "model crane\nparam M = 3 [kg], m = 1 [kg]\ncoord x, y, s [m]\n"
    "state l [m] : l' = v\nstate v [m/s] : v' = -l*0.3 [1/s^2] + 0.2 [1/s]*s'\n"
    "state i [N] : i' = -i/0.1 [s] - 3 [N/m]*s'\n"
    "particle load : m at (x, y)\nparticle trolley : M at (s, 0)\n"
    "gravity 9.81 [m/s^2] along -y\nforce motor (s) = i\n"
    "constraint rope : (x - s)^2 + y^2 = (2 [m] + l)^2\nstart y = -2 [m], i = 1 [N]\n";

/* accelerations by the library's comparison; at least `least` principles apply */
static void all_agree(const char *text, int least) {
    zw_error err = {0};
    zw_comparison *c;
    zw_model_source source = {text, strlen(text), "model.zw", NULL};
    if (zw_compare(&c, &source, NULL, &err) < 0 || zw_comparison_judge(c, &err) < 0)
        fail_msg("%s", err.text);
    const zw_comparison_info *info = zw_comparison_summary(c);
    int applies = 0;
    for (int i = 0; i < info->nrow; i++)
        applies += zw_comparison_row(c, i)->applies && i != info->vakonomic.row &&
                   zw_comparison_row(c, i)->accel.value >= 0;
    assert_true(applies + 1 >= least); /* the reference has nothing to differ from */
    zw_comparison_destroy(c);
}

/* the rates of the states by every principle: those that the model says */
static void same_rates(const char *text) {
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_error err = {0};
    if (zw_model_parse(&s, ctx, text, strlen(text), "model.zw", NULL, &err) < 0)
        fail_msg("%s", err.text);
    double p[32], x[32], y[64];
    assert_int_equal(zw_system_param_values(s, p, NULL), ZW_OK);
    test_random random = {5};
    for (int i = 0; i < s->nq + s->nv; i++)
        x[i] = test_random_real(&random, 0.2, 1);
    for (const zw_principle *principle = zw_principles(); principle->name; principle++) {
        zw_equations eq;
        if (zw_derive(&eq, s, NULL, principle->name, NULL) < 0)
            continue;
        assert_int_equal(zw_equations_state(&eq, 0.3, p, x, y, &err), ZW_OK);
        zw_expr symbol[128];
        double value[128];
        int n = 0;
        for (int i = 0; i < s->np; i++, n++) {
            symbol[n] = s->param[i].sym;
            value[n] = p[i];
        }
        symbol[n] = s->t;
        value[n++] = 0.3;
        for (int i = 0; i < eq.nq + eq.nv; i++, n++) {
            symbol[n] = i < eq.nq ? eq.q[i] : eq.v[i - eq.nq];
            value[n] = y[i];
        }
        for (int i = 0; i < s->nv; i++, n++) {
            symbol[n] = s->velocity[i].sym;
            value[n] = x[s->nq + i];
        }
        for (int i = 0; i < s->nq; i++)
            if (s->coord[i].state) {
                assert_close(zw_eval(ctx, eq.qdot[i], n, symbol, value),
                             zw_eval(ctx, s->coord[i].rate, n, symbol, value), 1e-12);
                for (int k = 0; k < eq.nv; k++)
                    assert_int_equal(eq.F[i * eq.nv + k], ZW_ZERO);
            }
    }
    zw_context_destroy(ctx);
}

static void test_states__all_principles_agree(void **state) {
    (void)state;
    const char *text[] = {SLEIGH, QUASI, TURNING, CRANE};
    const int least[] = {9, 8, 8, 9};
    for (int i = 0; i < 4; i++) {
        all_agree(text[i], least[i]);
        same_rates(text[i]);
    }
}

static void test_states__refused_where_a_principle_does_not_apply(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_equations eq;
    zw_error err = {0};
    assert_int_equal(zw_model_parse(&s, ctx, CRANE, strlen(CRANE), "c", NULL, &err), ZW_OK);
    assert_int_equal(zw_derive(&eq, s, NULL, "vakonomic", &err), ZW_E_MODEL);
    assert_text_has(err.text, "rope contains the state l");
    err = (zw_error){0};
    assert_int_equal(zw_model_parse(&s, ctx, SLEIGH, strlen(SLEIGH), "s", NULL, &err), ZW_OK);
    assert_int_equal(zw_derive(&eq, s, NULL, "chaplygin", &err), ZW_E_MODEL);
    assert_text_has(err.text, "the kinetic energy contains the state J");
    zw_context_destroy(ctx);
}

/* Rattle rests on canonical equations and refuses states; the method that keeps energies takes
 * them, and keeps the energy of a pendulum beside which a state (that does nothing to it) runs
 * down. */
static void test_states__structure_methods(void **state) {
    (void)state;
    simulation s = simulation_make(1);
    s.options.run.method = "rattle";
    s.options.run.step = 0.01;
    s.options.principle = "hamilton";
    simulation_run(&s, BY_STATE);
    assert_int_equal(s.status, ZW_E_OPTION);
    assert_text_has(s.err.hint, "states");
    simulation_clear(&s);
    s = simulation_make(1);
    s.options.run.method = "energy";
    s.options.run.step = 1e-3;
    s.options.run.order = 4;
    simulation_run(&s, BY_STATE);
    assert_done(&s);
    simulation reference = simulation_make(1);
    simulation_run(&reference, BY_TIME);
    assert_done(&reference);
    same_motion(&s, &reference, 1e-8);
    simulation_clear(&reference);
    simulation_clear(&s);
    s = simulation_make(50);
    s.options.run.method = "energy";
    s.options.run.step = 0.02;
    simulation_run(&s, "model m\ncoord x, y [m]\nparticle P : 1 [kg] at (x, y)\n"
                       "gravity 9.81 [m/s^2] along -y\nconstraint rod : x^2 + y^2 = 1 [m^2]\n"
                       "state seen [m*s] : seen' = x - seen*0.1 [1/s]\n"
                       "start x = 0.6 [m], y = -0.8 [m]\n");
    assert_done(&s);
    assert_close(at(zw_sim_rows(s.sim), -1, "energy"), -0.8 * 9.81, 1e-11);
    simulation_clear(&s);
}

/* A massless joint y between a spring and a force by a state: y follows from x and s. Where the
 * rate of the state holds y' the two would have to be found together, which is refused. */
static void test_states__without_inertia(void **state) {
    (void)state;
    const char text[] = "model m\nunits none\ncoord x, y\nkinetic 1/2*x'^2\n"
                        "potential 1/2*(x - y)^2 + 1/2*y^2\nforce (y) = s\nstart x = 1\n%s\n";
    char whole[400];
    snprintf(whole, sizeof whole, text, "state s : s' = 0.5\n");
    simulation s = simulation_make(1);
    s.options.run.rtol = 1e-9;
    s.options.run.atol = 1e-11;
    simulation_run(&s, whole);
    assert_done(&s);
    /* y = (x + s)/2, x'' = y - x = (s - x)/2 with s = t/2 */
    double w = sqrt(0.5), x = 0.5 + cos(w) - 0.5 / w * sin(w);
    assert_close(at(zw_sim_rows(s.sim), -1, "x"), x, 1e-6);
    assert_close(at(zw_sim_rows(s.sim), -1, "y"), (x + 0.5) / 2, 1e-6);
    simulation_clear(&s);
    snprintf(whole, sizeof whole, text, "state s : s' = y' - s\n");
    s = simulation_make(1);
    simulation_run(&s, whole);
    assert_int_equal(s.status, ZW_E_SINGULAR);
    simulation_clear(&s);
}

/* --------------------------------------------------------------------- energy, events, restarts */

static void test_states__balance_of_energy(void **state) {
    (void)state;
    const char *text[] = {SLEIGH, QUASI, TURNING, CRANE, BY_STATE};
    for (int i = 0; i < 5; i++) {
        simulation s = simulation_make(2);
        s.options.energy = true;
        simulation_run(&s, text[i]);
        assert_done(&s);
        double change = at(zw_sim_rows(s.sim), -1, "energy") - at(zw_sim_rows(s.sim), 0, "energy");
        assert_true(fabs(change) > 1e-3);
        assert_true(fabs(at(zw_sim_rows(s.sim), -1, "drift")) < 1e-8);
        simulation_clear(&s);
    }
}

/* a spring whose rest length a state winds up: the state's work is the energy */
static void test_states__work_of_a_state(void **state) {
    (void)state;
    simulation s = simulation_make(1);
    s.options.energy = true;
    simulation_run(&s, "model m\ncoord x [m]\nparam k = 40 [N/m]\nparticle P : 1 [kg] at (x, 0)\n"
                       "state l [m] : l' = 0.5 [m/s]\npotential 1/2*k*(x - l)^2\n"
                       "constraint hold : x = 0\n");
    assert_done(&s);
    assert_close(at(zw_sim_rows(s.sim), -1, "work(l)"), 20 * 0.25, 1e-9);
    assert_close(at(zw_sim_rows(s.sim), -1, "lambda(hold)"), -40 * 0.5, 1e-9);
    simulation_clear(&s);
}

/* a bucket that leaks and is filled up again: q' = -c q, +1 every second */
static void test_states__set_by_events(void **state) {
    (void)state;
    simulation s = simulation_make(3.5);
    simulation_run(&s, "model m\nunits none\nstate q : q' = -q\nstart q = 1\n"
                       "event low : q - 0.5 falling, record\n"
                       "event fill : every 1 from 1, set q = q + 1\n");
    assert_done(&s);
    double q = 1;
    for (int i = 0; i < 3; i++)
        q = q * exp(-1) + 1;
    assert_close(at(zw_sim_rows(s.sim), -1, "q"), q * exp(-0.5), 1e-9);
    assert_close(at(zw_sim_events(s.sim), 0, "t"), log(2), 1e-9);
    simulation_clear(&s);
}

static void test_states__restart_gives_the_same_rows(void **state) {
    (void)state;
    const char *text[] = {CRANE, LORENZ};
    for (int m = 0; m < 2; m++) {
        simulation whole = simulation_make(1), half = simulation_make(0.5);
        whole.options.step_out = half.options.step_out = 0.05;
        simulation_run(&whole, text[m]);
        assert_done(&whole);
        simulation_run(&half, text[m]);
        assert_done(&half);
        simulation rest = {.ctx = zw_context_create(NULL)};
        const zw_table *kept = zw_sim_rows(half.sim);
        assert_int_equal(zw_sim_options_of(&rest.options, kept, NULL), ZW_OK);
        rest.options.until = 1;
        rest.status = zw_sim_resume(&rest.sim, rest.ctx, kept, NULL, &rest.options, &rest.err);
        if (rest.status >= 0)
            rest.status = zw_sim_run(rest.sim, &rest.err);
        assert_done(&rest);
        const zw_table *a = zw_sim_rows(whole.sim), *b = zw_sim_rows(rest.sim);
        assert_int_equal(zw_table_rows(a), zw_table_rows(b));
        for (long i = 0; i < zw_table_rows(a); i++)
            for (int k = 0; k < zw_table_columns(a); k++)
                assert_close(zw_table_at(a, i, k), zw_table_at(b, i, k), 1e-8);
        simulation_clear(&whole);
        simulation_clear(&half);
        simulation_clear(&rest);
    }
}

/* ----------------------------------------------------------------------------------- classifier */

static void test_states__classifier(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_classification is;
    zw_error err = {0};
    /* x' = s with s' = y is no condition on positions, though no first bracket leaves it */
    const char text[] = "model m\ncoord x, y [m]\nparticle P : 1 [kg] at (x, y)\n"
                        "state s [m/s] : s' = y*1 [1/s^2]\nconstraint c : x' = s\n";
    assert_int_equal(zw_model_parse(&s, ctx, text, strlen(text), "m", NULL, &err), ZW_OK);
    assert_int_equal(zw_classify(&is, s, NULL, &err), ZW_OK);
    assert_int_equal(is.set, ZW_UNDECIDED);
    assert_int_equal(is.constraint[0].alone, ZW_UNDECIDED);
    assert_true(is.constraint[0].rheonomic);
    assert_false(is.agree);
    /* the rope is holonomic by form and moves with the state; the motor beside it is no matter */
    assert_int_equal(zw_model_parse(&s, ctx, CRANE, strlen(CRANE), "c", NULL, &err), ZW_OK);
    assert_int_equal(zw_classify(&is, s, NULL, &err), ZW_OK);
    assert_int_equal(is.set, ZW_HOLONOMIC);
    assert_true(is.rheonomic);
    assert_false(is.agree);
    /* states outside of the constraints change nothing: the blade is nonholonomic by proof */
    assert_int_equal(zw_model_parse(&s, ctx, SLEIGH, strlen(SLEIGH), "s", NULL, &err), ZW_OK);
    assert_int_equal(zw_classify(&is, s, NULL, &err), ZW_OK);
    assert_int_equal(is.set, ZW_NONHOLONOMIC);
    assert_int_equal(is.set_by, ZW_PROVED);
    zw_context_destroy(ctx);
}

/* momentum is conserved with a force by a state inside, energy is not */
static void test_states__conserved(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_classification is;
    zw_error err = {0};
    const char text[] = "model m\ncoord x, y [m]\nparticle P : 1 [kg] at (x, 0)\n"
                        "particle Q : 2 [kg] at (y, 0)\nstate l [m] : l' = 0.1 [m/s]\n"
                        "quasi c = (x' + 2*y')/3, r = x' - y'\n"
                        "potential 3 [N/m]*(x - y - l)^2\n";
    assert_int_equal(zw_model_parse(&s, ctx, text, strlen(text), "m", NULL, &err), ZW_OK);
    assert_int_equal(zw_classify(&is, s, NULL, &err), ZW_OK);
    assert_int_equal(is.nconserved, 1);
    assert_text_has(is.conserved[0].name, "momentum");
    zw_context_destroy(ctx);
}

/* the builder from C: rates may be given in any order, and must be given */
static void test_states__from_c(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_error err = {0};
    zw_expr a, b, x;
    zw_place nowhere = {0};
    assert_int_equal(zw_system_create(&s, ctx, "m", "", &err), ZW_OK);
    assert_int_equal(zw_system_coord(s, "x", "m", nowhere, &x, &err), ZW_OK);
    assert_int_equal(zw_system_state(s, "a", "m", nowhere, &a, &err), ZW_OK);
    assert_int_equal(zw_system_state(s, "b", "m", nowhere, &b, &err), ZW_OK);
    zw_expr b_rate = zw_system_rate(s, b), v = zw_system_rate(s, x);
    assert_int_equal(zw_system_kinetic(s, zw_mul(ctx, ZW_HALF, zw_mul(ctx, v, v)), nowhere, &err),
                     ZW_OK);
    assert_int_equal(zw_system_state_rate(s, a, zw_add(ctx, b_rate, x), nowhere, &err), ZW_OK);
    assert_int_equal(zw_system_state_rate(s, a, x, nowhere, &err), ZW_E_NAME);
    err = (zw_error){0};
    assert_int_equal(zw_system_finish(s, &err), ZW_E_MODEL);
    assert_text_has(err.text, "the state b has no equation");
    zw_context_destroy(ctx);
}

/* ------------------------------------------------------------------------------------- memory */

static zw_status whole_life(const char *text, const zw_allocator *alloc, zw_error *err) {
    static const char *const set[] = {"u=table (0, 0.1), (0.03, 0.2), (0.06, 0.1)"};
    zw_context *ctx = zw_context_create(alloc);
    zw_system *s;
    zw_sim *sim = NULL;
    zw_model_options model = {.nset = strstr(text, "input") ? 1 : 0, .set = set};
    zw_sim_options options = zw_sim_options_default();
    options.until = 0.1;
    options.step_out = 0.05;
    options.jit = ZW_JIT_NEVER;
    options.energy = true;
    zw_status status =
        ctx ? zw_model_parse(&s, ctx, text, strlen(text), "m", &model, err) : ZW_E_MEMORY;
    if (status >= 0)
        status = zw_sim_create(&sim, s, NULL, &options, err);
    if (status >= 0)
        status = zw_sim_run(sim, err);
    zw_sim_destroy(sim);
    zw_context_destroy(ctx);
    return status;
}

static void test_states__survive_lack_of_memory(void **state) {
    (void)state;
    const char *text[] = {
        "model m\nunits none\ninput u = signal\ncoord x, y\nparticle P : 1 at (x, y)\n"
        "state l : l' = f\nstate f : f' = u - f\nconstraint rope : x^2 + y^2 = (1 + l)^2\n"
        "force (x) = u\nstart x = 1\nevent e : f - 0.01 rising, set f = 0\n",
        LORENZ};
    for (int i = 0; i < 2; i++)
        for (long n = 1;; n++) {
            failing_allocator f = failing_allocator_make(n);
            zw_allocator alloc = failing_allocator_of(&f);
            zw_error err = {0};
            zw_status status = whole_life(text[i], &alloc, &err);
            assert_int_equal(f.blocks, 0);
            assert_int_equal(f.bytes, 0);
            if (f.failed && status < 0)
                assert_int_equal(status, ZW_E_MEMORY);
            if (f.failed)
                continue;
            if (status < 0)
                fail_msg("%s", err.text);
            break;
        }
}

/* ------------------------------------------------------------------------------ shipped models */

static simulation run_model(const char *name, double until, const char *variant, const char *set) {
    simulation s = simulation_make(until);
    char path[300];
    snprintf(path, sizeof path, ZW_SOURCE_DIR "/models/%s.zw", name);
    s.ctx = zw_context_create(NULL);
    zw_model_options options = {.variant = variant, .set = &set, .nset = set ? 1 : 0};
    s.status = zw_model_read(&s.sys, s.ctx, path, &options, &s.err);
    if (s.status >= 0)
        s.status = zw_sim_create(&s.sim, s.sys, NULL, &s.options, &s.err);
    if (s.status >= 0)
        s.status = zw_sim_run(s.sim, &s.err);
    assert_done(&s);
    return s;
}

static void test_states__model_of_lorenz(void **state) {
    (void)state;
    double x[3] = {1, 1, 1};
    for (int i = 0; i < 15000; i++)
        runge_kutta(x, 1e-4);
    simulation s = run_model("lorenz", 1.5, NULL, NULL);
    for (int i = 0; i < 3; i++)
        assert_close(at(zw_sim_rows(s.sim), -1, (const char *[]){"x", "y", "z"}[i]), x[i], 1e-7);
    simulation_clear(&s);
    /* to a fixed point below the second bifurcation */
    s = run_model("lorenz", 60, "steady", NULL);
    assert_close(at(zw_sim_rows(s.sim), -1, "z"), 9, 1e-8);
    assert_close(fabs(at(zw_sim_rows(s.sim), -1, "x")), sqrt(8.0 / 3 * 9), 1e-8);
    simulation_clear(&s);
}

static void test_states__model_of_the_motor(void **state) {
    (void)state;
    const double goal = acos(-1) / 3, i = 0.5 * 9.81 * 0.3 * sin(goal) / 0.2;
    simulation s = run_model("motor_pendulum", 30, NULL, NULL);
    const zw_table *rows = zw_sim_rows(s.sim);
    assert_close(at(rows, -1, "th"), goal, 1e-6);
    assert_close(at(rows, -1, "i"), i, 1e-6);
    assert_close(at(rows, -1, "e"), 1.2 * i / 40, 1e-6);
    /* on the way the voltage was at its limit */
    double most = 0;
    for (long r = 0; r < zw_table_rows(rows); r++)
        most = fmax(most, at(rows, r, "voltage"));
    assert_true(most == 24);
    simulation_clear(&s);
    s = run_model("motor_pendulum", 30, "off", NULL); /* the motor brakes: th'' gets -k^2/R th' */
    assert_true(fabs(at(zw_sim_rows(s.sim), -1, "th")) < 1e-3);
    simulation_clear(&s);
}

static void test_states__model_of_the_crane(void **state) {
    (void)state;
    simulation s = run_model("crane_jerk", 5, NULL, "hoist=0.2m/s");
    const zw_table *rows = zw_sim_rows(s.sim);
    assert_close(at(rows, -1, "s"), 2 * 0.4, 1e-9);
    assert_close(at(rows, -1, "s'"), 0, 1e-9);
    assert_close(at(rows, -1, "l"), 6 - 0.2 * (5 - 0.3 * (1 - exp(-5 / 0.3))), 1e-9);
    assert_close(hypot(at(rows, -1, "x") - at(rows, -1, "s"), at(rows, -1, "y")), at(rows, -1, "l"),
                 1e-12);
    /* the drive moves trolley and load: its force is M s'' plus what the rope pulls */
    long r = 137;
    double pull = at(rows, r, "tension") * (at(rows, r, "x") - at(rows, r, "s")) / at(rows, r, "l");
    assert_close(at(rows, r, "drive"), 200 * at(rows, r, "accel(s)") - pull, 1e-8);
    simulation_clear(&s);
}

/* States with the names of rates: x'' = u' - w^2 x, u'' = -u', of which u is nothing in the model.
 * With u' = c exp(-t), x = A cos(w t) + B sin(w t) + c/(1 + w^2) exp(-t). */
static void test_states__named_by_rates(void **state) {
    (void)state;
    const char text[] = "model rates\nunits none\nparam w = 2\n"
                        "state x, x' : x'' = u' - w^2*x, x' = x'\n"
                        "state u' : u'' = -u'\n"
                        "start x = 1, x' = 0.5, u' = 0.3\n"
                        "observe a = x''\nobserve b = (x*u')'\n";
    const double w = 2, c = 0.3, p = c / (1 + w * w), A = 1 - p, B = (0.5 + p) / w;
    simulation s = simulation_make(1);
    s.options.step_out = 0.25;
    s.options.run.rtol = 1e-12;
    s.options.run.atol = 1e-14;
    simulation_run(&s, text);
    assert_done(&s);
    const zw_table *rows = zw_sim_rows(s.sim);
    for (long r = 0; r < zw_table_rows(rows); r++) {
        double t = at(rows, r, "t"), e = exp(-t), x = A * cos(w * t) + B * sin(w * t) + p * e,
               v = w * (B * cos(w * t) - A * sin(w * t)) - p * e;
        assert_close(at(rows, r, "x"), x, 1e-11);
        assert_close(at(rows, r, "x'"), v, 1e-11);
        assert_close(at(rows, r, "u'"), c * e, 1e-11);
        assert_close(at(rows, r, "a"), c * e - w * w * x, 1e-11);
        assert_close(at(rows, r, "b"), (v - x) * c * e, 1e-11);
    }
    simulation_clear(&s);
}

static void assert_not_a_model(const char *text, const char *why) {
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    zw_error err = {0};
    assert_true(zw_model_parse(&sys, ctx, text, strlen(text), "test.zw", NULL, &err) < 0);
    if (!strstr(err.text, why))
        fail_msg("%s", err.text);
    zw_context_destroy(ctx);
}

static void test_states__names_of_other_rates_are_refused(void **state) {
    (void)state;
#define HEAD "model rates\nunits none\n"
    assert_not_a_model(HEAD "state x, x' : x' = 2*x', x'' = -x\n", "the rate of x is the state x'");
    assert_not_a_model(HEAD "coord x\nkinetic x'^2\nstate x' : x'' = -x\n",
                       "x' is the rate of the coordinate x");
    assert_not_a_model(HEAD "param x = 1\nstate x' : x'' = -x\n",
                       "x' is the rate of the parameter x");
    assert_not_a_model(HEAD "state x' : x'' = -x\n", "no name 'x'");
    assert_not_a_model(HEAD "state x : x'' = -x\n", "'=' is expected");
#undef HEAD
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states__motor_and_wheel),
        cmocka_unit_test(test_states__controller_takes_off_the_load),
        cmocka_unit_test(test_states__lorenz),
        cmocka_unit_test(test_states__nothing_to_compare_in_states_alone),
        cmocka_unit_test(test_states__alone_by_every_principle),
        cmocka_unit_test(test_states__winch_as_prescribed),
        cmocka_unit_test(test_states__stay_at_the_start),
        cmocka_unit_test(test_states__in_the_mass),
        cmocka_unit_test(test_states__exhaust_and_intake),
        cmocka_unit_test(test_states__all_principles_agree),
        cmocka_unit_test(test_states__refused_where_a_principle_does_not_apply),
        cmocka_unit_test(test_states__structure_methods),
        cmocka_unit_test(test_states__without_inertia),
        cmocka_unit_test(test_states__balance_of_energy),
        cmocka_unit_test(test_states__work_of_a_state),
        cmocka_unit_test(test_states__set_by_events),
        cmocka_unit_test(test_states__restart_gives_the_same_rows),
        cmocka_unit_test(test_states__classifier),
        cmocka_unit_test(test_states__conserved),
        cmocka_unit_test(test_states__from_c),
        cmocka_unit_test(test_states__survive_lack_of_memory),
        cmocka_unit_test(test_states__named_by_rates),
        cmocka_unit_test(test_states__names_of_other_rates_are_refused),
        cmocka_unit_test(test_states__model_of_lorenz),
        cmocka_unit_test(test_states__model_of_the_motor),
        cmocka_unit_test(test_states__model_of_the_crane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
