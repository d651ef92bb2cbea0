/* SPDX-License-Identifier: MIT */
/* Contacts that events switch, laws of friction of several velocities, and corners that touch: by
 * both methods, against closed forms. */
#include <math.h>

#include "support/simulation.h"

static simulation by(zw_sim_scheme contacts, const char *text, double until) {
    simulation s = simulation_make(until);
    s.options.contacts = contacts;
    s.options.run.rtol = 1e-11;
    s.options.run.atol = 1e-14;
    s.options.energy = true;
    simulation_run(&s, text);
    return s;
}

static simulation done(zw_sim_scheme contacts, const char *text, double until) {
    simulation s = by(contacts, text, until);
    assert_done(&s);
    return s;
}

static const char *event_name(const simulation *s, long row) {
    char key[32];
    snprintf(key, sizeof key, "event %d", (int)at(zw_sim_events(s->sim), row, "event"));
    return note_of(zw_sim_events(s->sim), key);
}

static void assert_event(const simulation *s, long row, const char *name, double t, double within) {
    assert_string_equal(event_name(s, row), name);
    assert_close(at(zw_sim_events(s->sim), row, "t"), t, within);
}

static const zw_sim_scheme both[] = {ZW_SIM_CONTACTS_EVENTS, ZW_SIM_CONTACTS_MOREAU};

/* ---- switched by events ---- */

/* it sticks for a second, then there is no floor: x = F (t - 1)^2/(2 m), z = -g (t - 1)^2/2 */
static const char trapdoor[] = "model trapdoor\n"
                               "param m = 1 [kg], mu = 0.5, g = 9.81 [m/s^2], F = 3 [N]\n"
                               "coord x, z [m]\n"
                               "particle P : m at (x, 0, z)\n"
                               "gravity g along -z\n"
                               "force push (x) = F\n"
                               "contact floor : gap z, slip x', law newton(0.5) + coulomb(mu)\n"
                               "event hit : t - 1 [s] rising, switch off floor\n";

static void test_switch__off_lets_a_body_fall(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        simulation s = done(both[i], trapdoor, 2);
        const zw_table *rows = zw_sim_rows(s.sim);
        double within = i == 0 ? 1e-11 : 1e-9; /* the steps of free fall are exact */
        assert_close(at(rows, -1, "x"), 1.5, within);
        assert_close(at(rows, -1, "z"), -4.905, within);
        assert_close(at(rows, -1, "z'"), -9.81, within);
        assert_close(at(rows, -1, "lambda(floor)"), 0, 0);
        assert_int_equal((int)at(rows, -1, "status(floor)"), 0);
        assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 0);
        simulation_clear(&s);
    }
}

/* what is switched off stays off where a run goes on from its result */
static void test_switch__is_kept_by_a_restart(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        simulation first = done(both[i], trapdoor, 1.5);
        zw_context *ctx = zw_context_create(NULL);
        zw_sim_options options = first.options;
        zw_sim *more;
        zw_error err = {0};
        options.until = 2;
        assert_int_equal(zw_sim_resume(&more, ctx, zw_sim_rows(first.sim), NULL, &options, &err),
                         ZW_OK);
        assert_int_equal(zw_sim_run(more, &err), ZW_OK);
        assert_close(at(zw_sim_rows(more), -1, "z"), -4.905, 1e-9);
        zw_sim_destroy(more);
        zw_context_destroy(ctx);
        simulation_clear(&first);
    }
}

#define FLOOR_AT(T)                                                                                \
    "model put\n"                                                                                  \
    "param m = 1 [kg], e = 0.5, g = 9.81 [m/s^2], h = 1 [m], T = " T "\n"                          \
    "coord z [m]\n"                                                                                \
    "particle P : m at (0, 0, z)\n"                                                                \
    "gravity g along -z\n"                                                                         \
    "contact floor off : gap z, law newton(e)\n"                                                   \
    "event put : t - T rising, switch on floor\n"                                                  \
    "start z = h\n"

/* z = e v s - g s^2/2, s the time since the impact at sqrt(2 h/g): whether it is put there before,
 * or at that moment */
static void test_switch__on_is_a_floor_from_then_on(void **state) {
    (void)state;
    static const char *const text[] = {FLOOR_AT("0.1 [s]"), FLOOR_AT("sqrt(2*h/g)")};
    double hit = sqrt(2 / 9.81), s = 0.9 - hit, v = 0.5 * 9.81 * hit;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            simulation sim = done(both[i], text[k], 0.9);
            const zw_table *rows = zw_sim_rows(sim.sim);
            double within =
                i == 0 ? 1e-11 : 1e-3; /* a step of 1e-4 s times the change of the speed */
            assert_close(at(rows, -1, "z"), v * s - 9.81 * s * s / 2, within);
            assert_close(at(rows, -1, "z'"), v - 9.81 * s, within);
            assert_int_equal(zw_warnings_count(zw_sim_warnings(sim.sim)), 0);
            simulation_clear(&sim);
        }
}

static void test_switch__on_inside_the_floor_is_an_error(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        simulation s = by(both[i], FLOOR_AT("0.6 [s]"), 0.9);
        assert_int_equal(s.status, ZW_E_START);
        assert_string_equal(s.err.text, "the contact floor overlaps by 0.7658 m where it is "
                                        "switched on (at the event put, t = 0.6 s)");
        assert_string_equal(s.err.hint, "switch it on where its gap is 0 or more");
        assert_int_equal(s.err.line, 6);
        assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 0);
        simulation_clear(&s);
    }
}

#define WIRE(caught)                                                                               \
    "model wire\n"                                                                                 \
    "param m = 1 [kg], mu = 0.1, g = 9.81 [m/s^2]\n"                                               \
    "coord x, z [m]\n"                                                                             \
    "particle P : m at (x, 0, z)\n"                                                                \
    "gravity g along -z\n"                                                                         \
    "contact wire : gap z, slip x', law coulomb(mu), bilateral\n"                                  \
    "event cut : t - 0.5 [s] rising, switch off wire\n"                                            \
    "event caught : t - 1 [s] rising, switch on wire" caught "\n"                                  \
    "start x' = 2 [m/s]\n"

/* brakes for two halves of a second with mu g, and flies in between */
static void test_switch__of_a_bilateral_contact(void **state) {
    (void)state;
    double a = 0.981, v1 = 2 - a / 2, v2 = v1 - a / 2, x = (2 + v1) / 4 + v1 / 2 + (v1 + v2) / 4;
    for (int i = 0; i < 2; i++) {
        simulation s = done(both[i], WIRE(", set z = 0, set z' = 0"), 1.5);
        assert_close(at(zw_sim_rows(s.sim), -1, "x'"), v2, 1e-10);
        assert_close(at(zw_sim_rows(s.sim), -1, "x"), x, i == 0 ? 1e-11 : 1e-9);
        simulation_clear(&s);
        s = by(both[i], WIRE(""), 1.5);
        assert_int_equal(s.status, ZW_E_START);
        assert_string_equal(
            s.err.text, "constraint wire is violated where it is switched on: its residual is "
                        "-1.22625 m, and z would have to jump by 1.23 m (at the event caught, t = "
                        "1 s)");
        simulation_clear(&s);
    }
}

/* a disc may lie flat where its contact is switched off: its centre falls freely from the moment on
 * at which the door opens */
static void test_switch__off_has_no_limits(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        simulation s =
            done(both[i],
                 "model coin\n"
                 "param m = 0.1 [kg], r = 0.05 [m], mu = 0.3\n"
                 "coord x, y, z [m]\n"
                 "rotation B\n"
                 "body coin : B at (x, y, z), disk(m, r)\n"
                 "gravity 9.81 [m/s^2] along -z\n"
                 "contact rim : disk coin radius r on plane, law coulomb(mu)\n"
                 "event open : t - 0.05 [s] rising, switch off rim\n"
                 "observe up = B.z.z\n"
                 "start z = r*sin(70 [deg]), B.p0 = cos(35 [deg]), B.p1 = sin(35 [deg]), "
                 "B.wx = -4 [rad/s]\n",
                 0.5);
        const zw_table *events = zw_sim_events(s.sim), *rows = zw_sim_rows(s.sim);
        assert_string_equal(event_name(&s, -1), "open");
        assert_close(at(rows, -1, "z"),
                     at(events, -1, "z") + 0.45 * at(events, -1, "z'") - 9.81 * 0.45 * 0.45 / 2,
                     1e-9);
        double flattest = 0;
        for (long k = 0; k < zw_table_rows(rows); k++)
            flattest = fmax(flattest, at(rows, k, "up"));
        assert_true(flattest > 1 - 1e-5);
        simulation_clear(&s);
    }
}

/* ---- friction of slip and spin ---- */

/* m R^2/J = k, R = 1 m: v' = -mu g F(u), w' = -k mu g T(u), u = v/w */
static void puck_text(char *text, size_t size, const char *law, double k, double v, double w) {
    snprintf(text, size,
             "model puck\n"
             "param m = 0.2 [kg], R = 1 [m], mu = 0.3, mu_tau = 0.1, g = 9.81 [m/s^2], k = %.17g\n"
             "coord x, y, z [m], phi [rad]\n"
             "frame F : rotate z phi\n"
             "body puck : F at (x, y, z), inertia(m, m*R^2/k, m*R^2/k, m*R^2/k)\n"
             "gravity g along -z\n"
             "contact ice : gap z, slip (x', y'), spin phi', law contensou(mu, R, %s)\n"
             "start x' = 0.6*%.17g [m/s], y' = 0.8*%.17g [m/s], phi' = %.17g [rad/s]\n",
             k, law, v, v, w);
}

/* Both velocities vanish at once, and their ratio tends to the root of F = k u T (Farkas et al.
 * 2003: 0.653 for a uniform disc). Times and ways by quadrature over u with 25 digits
 * (hypergeometric functions of mpmath). */
static void test_disc__stops_sliding_and_spinning_at_once(void **state) {
    (void)state;
    static const struct {
        const char *law;
        double k, t, x, phi, ratio;
    } known[] = {
        {"uniform", 2, 0.34933511548852, 0.17160783256975, 0.045566603948357, 0.6530017892056},
        {"hertz", 2.5, 0.34769379474619, 0.17126383582188, 0.045508586048182, 0.5377791498567},
        {"parabolic", 3, 0.3465636908976, 0.17103475062604, 0.045471169868033, 0.4551892995891},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[700];
        puck_text(text, sizeof text, known[i].law, known[i].k, 1, 0.2);
        simulation s = done(ZW_SIM_CONTACTS_EVENTS, text, 0.5);
        const zw_table *rows = zw_sim_rows(s.sim), *events = zw_sim_events(s.sim);
        assert_int_equal(zw_table_rows(events), 1);
        assert_event(&s, 0, "ice.sticks", known[i].t, 1e-11); /* 10 digits are 3e-11 */
        assert_close(at(rows, -1, "x"), 0.6 * known[i].x, 2e-12);
        assert_close(at(rows, -1, "y"), 0.8 * known[i].x, 2e-12);
        assert_close(at(rows, -1, "phi"), known[i].phi, 2e-12);
        assert_close(at(rows, -1, "phi'"), 0, 1e-20); /* rounding of the impulse that stops it */
        assert_close(at(rows, -1, "drift"), 0, 1e-12);
        double slip = hypot(at(events, 0, "x'"), at(events, 0, "y'")), spin = at(events, 0, "phi'");
        assert_true(spin > 0 && spin < 1e-9);
        assert_close(slip / spin, known[i].ratio, 1e-4);
        assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 0);
        simulation_clear(&s);
    }
}

/* slide alone t = v/(mu g), spin alone t = w/(k tau mu g), with a coefficient of its own that of
 * the torque */
static void test_disc__that_slides_or_spins_alone(void **state) {
    (void)state;
    static const struct {
        const char *law;
        double tau, mu;
    } known[] = {{"ring", 1, 0.3},
                 {"uniform", 2. / 3, 0.3},
                 {"hertz", 3 * M_PI / 16, 0.3},
                 {"parabolic", 8. / 15, 0.3},
                 {"hertz, mu_tau", 3 * M_PI / 16, 0.1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[700];
        puck_text(text, sizeof text, known[i].law, 2, 1, 0);
        simulation s = done(ZW_SIM_CONTACTS_EVENTS, text, 0.5);
        assert_event(&s, 0, "ice.sticks", 1 / 2.943, 1e-11);
        simulation_clear(&s);
        puck_text(text, sizeof text, known[i].law, 2, 0, 1);
        s = done(ZW_SIM_CONTACTS_EVENTS, text, 1);
        assert_event(&s, 0, "ice.sticks", 1 / (2 * known[i].tau * known[i].mu * 9.81), 2e-11);
        simulation_clear(&s);
    }
}

/* It begins to slide where pull and torque, both growing with time, leave the set: X = 1 N/s t, Y =
 * 0.25 N/s t on its boundary at the point with F/T = X/Y (mpmath: t = 0.530832352454979). Which way
 * it goes then is that of time steps, as these get shorter. */
static void test_disc__leaves_its_place_by_pull_and_torque(void **state) {
    (void)state;
    static const char text[] =
        "model disc\n"
        "param m = 0.2 [kg], R = 0.04 [m], mu = 0.3, g = 9.81 [m/s^2]\n"
        "coord x, y, z [m], phi [rad]\n"
        "frame F : rotate z phi\n"
        "body puck : F at (x, y, z), inertia(m, m*R^2/2, m*R^2/2, m*R^2/2)\n"
        "gravity g along -z\n"
        "force pull (x) = 1 [N/s]*t\n"
        "force twist (phi) = 0.01 [N*m/s]*t\n"
        "contact ice : gap z, slip (x', y'), spin phi', law contensou(mu, R, uniform)\n";
    simulation s = done(ZW_SIM_CONTACTS_EVENTS, text, 1);
    double x = at(zw_sim_rows(s.sim), -1, "x"), phi = at(zw_sim_rows(s.sim), -1, "phi");
    assert_int_equal(zw_table_rows(zw_sim_events(s.sim)), 1);
    assert_event(&s, 0, "ice.slips", 0.530832352454979, 1e-11);
    simulation_clear(&s);
    double off[2];
    for (int i = 0; i < 2; i++) {
        s = simulation_make(1);
        s.options.contacts = ZW_SIM_CONTACTS_MOREAU;
        s.options.run.step = i == 0 ? 1e-3 : 1e-4;
        simulation_run(&s, text);
        assert_done(&s);
        off[i] = hypot(at(zw_sim_rows(s.sim), -1, "x") - x,
                       0.04 * (at(zw_sim_rows(s.sim), -1, "phi") - phi));
        simulation_clear(&s);
    }
    assert_true(off[1] < 1e-6 && off[1] < 0.15 * off[0]); /* of first order */
}

/* interpreted and native code give the same bits */
static void test_disc__by_native_code(void **state) {
    (void)state;
    char text[700];
    double x[2], phi[2];
    puck_text(text, sizeof text, "uniform", 2, 1, 0.2);
    for (int i = 0; i < 2; i++) {
        simulation s = simulation_make(0.5);
        s.options.contacts = ZW_SIM_CONTACTS_EVENTS;
        s.options.jit = i == 0 ? ZW_JIT_NEVER : ZW_JIT_AT_ONCE;
        simulation_run(&s, text);
        assert_done(&s);
        x[i] = at(zw_sim_rows(s.sim), -1, "x");
        phi[i] = at(zw_sim_rows(s.sim), -1, "phi");
        simulation_clear(&s);
    }
    assert_true(x[0] == x[1] && phi[0] == phi[1]);
}

static void test_printed__series_jump(void **state) {
    (void)state;
    char text[700];
    puck_text(text, sizeof text, "printed", 2, 1, 1);
    simulation s = by(ZW_SIM_CONTACTS_EVENTS, text, 1);
    assert_int_equal(s.status, ZW_E_OPTION);
    assert_string_equal(s.err.text,
                        "the contact ice has a Contensou law by the printed series, whose force "
                        "jumps where slip and spin are equal: it has no equations between events");
    simulation_clear(&s);
}

/* ---- rolling, and slips of two velocities ---- */

#define BALL(law, start)                                                                           \
    "model ball\n"                                                                                 \
    "param m = 1 [kg], r = 0.1 [m], mu = 0.2, mr = 0.01, g = 9.81 [m/s^2]\n"                       \
    "coord x, y, z [m]\n"                                                                          \
    "rotation B\n"                                                                                 \
    "body ball : B at (x, y, z), sphere(m, r)\n"                                                   \
    "gravity g along -z\n"                                                                         \
    "contact floor : sphere ball radius r on plane, law " law "\n"                                 \
    "start z = r, " start "\n"

/* v = 1 - 5/7 mr g t, with slip and spin held by either law */
static void test_ball__rolls_to_rest(void **state) {
    (void)state;
#define ROLLS "x' = 1 [m/s], B.wy = 10 [rad/s]"
    static const char *const text[] = {
        BALL("coulomb(mu) + rolling(mr, r)", ROLLS), BALL("coulomb(mu) + contour(mr)", ROLLS),
        BALL("contensou(mu, 5 [mm]) + rolling(mr, r)", ROLLS),
        BALL("coulomb(mu) + pivoting(mu, 5 [mm]) + rolling(mr, r)", ROLLS)};
    double brake = 5. / 7 * 0.01 * 9.81;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        simulation s = done(ZW_SIM_CONTACTS_EVENTS, text[i], 15);
        assert_int_equal(zw_table_rows(zw_sim_events(s.sim)), 1);
        assert_event(&s, 0, i == 1 ? "floor.contour1.sticks" : "floor.roll1.sticks", 1 / brake,
                     2e-9); /* 10 digits are 1.4e-9 */
        assert_close(at(zw_sim_rows(s.sim), -1, "x"), 1 / (2 * brake), 1e-9);
        assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 0);
        simulation_clear(&s);
    }
}

/* The slip keeps its direction and falls with 7/2 mu g; at a small absolute tolerance too, where
 * the gap has no speed of its own. */
static void test_ball__slides_until_it_rolls(void **state) {
    (void)state;
    static const char text[] =
        BALL("coulomb(mu)", "x' = 2 [m/s], y' = 0.5 [m/s], B.wx = 7 [rad/s], B.wy = -3 [rad/s], "
                            "B.wz = 5 [rad/s]");
    double u[2] = {2 + 0.1 * 3, 0.5 + 0.1 * 7}, t = 2 * hypot(u[0], u[1]) / (7 * 0.2 * 9.81);
    for (int i = 0; i < 2; i++) {
        double rtol = i == 0 ? 1e-5 : 1e-9;
        simulation s = simulation_make(1);
        s.options.contacts = ZW_SIM_CONTACTS_EVENTS;
        s.options.run.rtol = rtol;
        s.options.run.atol = 1e-14;
        simulation_run(&s, text);
        assert_done(&s);
        assert_event(&s, 0, "floor.sticks", t, 10 * rtol);
        assert_close(at(zw_sim_rows(s.sim), -1, "x'"), 2 - 2. / 7 * u[0], 30 * rtol);
        assert_close(at(zw_sim_rows(s.sim), -1, "y'"), 0.5 - 2. / 7 * u[1], 30 * rtol);
        simulation_clear(&s);
    }
}

/* steps of fixed length pass the end of a slip of two velocities: that is a warning */
static void test_ball__by_steps_of_fixed_length(void **state) {
    (void)state;
    simulation s = simulation_make(1);
    s.options.contacts = ZW_SIM_CONTACTS_EVENTS;
    s.options.run.method = "erk";
    s.options.run.order = 5;
    s.options.run.step = 1e-2;
    simulation_run(&s, BALL("coulomb(mu)", "x' = 2 [m/s], y' = 0.5 [m/s], B.wx = 7 [rad/s]"));
    assert_done(&s);
    assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 1);
    assert_text_has(
        zw_warnings_at(zw_sim_warnings(s.sim), 0)->text,
        "slips so slowly that a step of fixed length may step over the end of the slip");
    simulation_clear(&s);
}

/* ---- corners ---- */

/* A ladder without friction leaves the wall at two thirds of its height, with x' = l/2 sin(th)
 * |th'|, th'^2 = 3 g/l (sin a - sin th) there. */
static void test_rod__slides_down_a_wall(void **state) {
    (void)state;
    simulation s = done(ZW_SIM_CONTACTS_EVENTS,
                        "model ladder\n"
                        "param m = 1 [kg], l = 2 [m], g = 9.81 [m/s^2], a = 1.2 [rad]\n"
                        "coord x, y [m], th [rad]\n"
                        "frame F : rotate z -th\n"
                        "body ladder : F at (x, y), rod(m, l)\n"
                        "gravity g along -y\n"
                        "contact floor : rod ladder length l on plane y\n"
                        "contact wall : rod ladder length l on plane x\n"
                        "start x = l/2*cos(a), y = l/2*sin(a), th = a\n",
                        0.7);
    double low = 2. / 3 * sin(1.2), fast = sqrt(3 * 9.81 / 2 * (sin(1.2) - low));
    const zw_table *events = zw_sim_events(s.sim);
    assert_int_equal(zw_table_rows(events), 1);
    assert_string_equal(event_name(&s, 0), "wall.1.lifts");
    assert_close(at(events, 0, "y"), low, 1e-10);
    assert_close(at(events, 0, "th'"), -fast, 1e-10);
    assert_close(at(zw_sim_rows(s.sim), -1, "x'"), low * fast, 1e-10);
    assert_close(at(zw_sim_rows(s.sim), -1, "drift"), 0, 1e-10);
    simulation_clear(&s);
}

/* Housner: th'^2 = 2 p^2 (cos(a - th0) - cos(a)) where it comes down, p^2 = 3 g/(4 R), and 1 - 3/2
 * sin(a)^2 of it is left */
static void test_box__rocks_on_its_corners(void **state) {
    (void)state;
    static const char text[] =
        "model rock\n"
        "param m = 1 [kg], b = 0.2 [m], h = 0.6 [m], mu = 2, g = 9.81 [m/s^2], th0 = 0.1 [rad]\n"
        "coord x, z [m], th [rad]\n"
        "frame F : rotate y th\n"
        "body block : F at (x, 0, z), box(m, b, 0.3 [m], h)\n"
        "gravity g along -z\n"
        "contact feet : box block (b, 0.3 [m], h) on plane, law coulomb(mu)\n"
        "start th = th0, x = b/2*(cos(th0) - 1) + h/2*sin(th0), z = b/2*sin(th0) + h/2*cos(th0)\n";
    double a = atan2(0.2, 0.6), p2 = 3 * 9.81 / (4 * hypot(0.1, 0.3)),
           fast = sqrt(2 * p2 * (cos(a - 0.1) - cos(a))), left = 1 - 1.5 * sin(a) * sin(a);
    simulation s = done(ZW_SIM_CONTACTS_EVENTS, text, 0.6);
    const zw_table *events = zw_sim_events(s.sim);
    assert_int_equal(s.sys->ncontact, 4); /* across the plane of the motion corners are one */
    assert_string_equal(event_name(&s, 0), "feet.1.hit");
    assert_close(at(events, 0, "th'"), -fast, 1e-10);
    assert_string_equal(event_name(&s, 1), "feet.2.lifts");
    assert_string_equal(event_name(&s, 3), "feet.2.hit");
    assert_close(at(events, 3, "th'"), left * fast, 1e-10);
    double th = at(zw_sim_rows(s.sim), -1, "th");
    simulation_clear(&s);
    s = done(ZW_SIM_CONTACTS_MOREAU, text, 0.6);
    assert_close(at(zw_sim_rows(s.sim), -1, "th"), th, 1e-3);
    simulation_clear(&s);
}

/* A brick that falls flat bounces as a particle does; one that slides stops after v^2/(2 mu g). */
static void test_box__falls_and_slides_on_four_feet(void **state) {
    (void)state;
#define BRICK(law, start)                                                                          \
    "model brick\n"                                                                                \
    "param m = 1 [kg], a = 0.3 [m], b = 0.2 [m], c = 0.1 [m], e = 0.5, mu = 0.4\n"                 \
    "coord x, y, z [m]\n"                                                                          \
    "rotation B\n"                                                                                 \
    "body brick : B at (x, y, z), box(m, a, b, c)\n"                                               \
    "gravity 9.81 [m/s^2] along -z\n"                                                              \
    "contact feet : box brick (a, b, c) on plane, law " law "\n"                                   \
    "start z = c/2 + " start "\n"
    double hit = sqrt(1 / 9.81), s = 0.5 - hit, way = 1.25 / (2 * 0.4 * 9.81) / sqrt(1.25);
    for (int i = 0; i < 2; i++) {
        simulation sim = done(both[i], BRICK("newton(e)", "0.5 [m]"), 0.5);
        assert_int_equal(sim.sys->ncontact, 8);
        assert_close(at(zw_sim_rows(sim.sim), -1, "z"),
                     0.05 + 0.5 * 9.81 * hit * s - 9.81 * s * s / 2, i == 0 ? 1e-10 : 1e-3);
        simulation_clear(&sim);
        sim = done(both[i], BRICK("coulomb(mu)", "0, x' = 1 [m/s], y' = 0.5 [m/s]"), 0.5);
        assert_close(at(zw_sim_rows(sim.sim), -1, "x"), way, i == 0 ? 1e-10 : 1e-6);
        assert_close(at(zw_sim_rows(sim.sim), -1, "y"), way / 2, i == 0 ? 1e-10 : 1e-6);
        simulation_clear(&sim);
    }
}

/* a corner in a bowl without friction swings as a pendulum of the length of its radius: energy, and
 * the period by the complete elliptic integral */
static void test_point__slides_in_a_bowl(void **state) {
    (void)state;
    simulation s =
        done(ZW_SIM_CONTACTS_EVENTS,
             "model bowl\n"
             "param m = 1 [kg], R = 1 [m], g = 9.81 [m/s^2], a = 0.5 [rad]\n"
             "coord x, z [m]\n"
             "particle P : m at (x, 0, z)\n"
             "gravity g along -z\n"
             "contact bowl : point (x, 0, z) on sphere centre (0, 0, 0) radius R inside\n"
             "event side : x falling\n"
             "start x = R*sin(a), z = -R*cos(a)\n",
             2.2);
    double k = sin(0.25), g = 1, A = 1, B = sqrt(1 - k * k);
    for (int i = 0; i < 8; i++) { /* K = pi/(2 agm(1, k')) */
        g = sqrt(A * B);
        A = (A + B) / 2;
        B = g;
    }
    double quarter = M_PI / (2 * A) / sqrt(9.81);
    assert_event(&s, 0, "side", quarter, 1e-10);
    assert_close(at(zw_sim_events(s.sim), 0, "x'"), -sqrt(2 * 9.81 * (1 - cos(0.5))), 1e-10);
    assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 0);
    simulation_clear(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_switch__off_lets_a_body_fall),
        cmocka_unit_test(test_switch__is_kept_by_a_restart),
        cmocka_unit_test(test_switch__on_is_a_floor_from_then_on),
        cmocka_unit_test(test_switch__on_inside_the_floor_is_an_error),
        cmocka_unit_test(test_switch__of_a_bilateral_contact),
        cmocka_unit_test(test_switch__off_has_no_limits),
        cmocka_unit_test(test_disc__stops_sliding_and_spinning_at_once),
        cmocka_unit_test(test_disc__that_slides_or_spins_alone),
        cmocka_unit_test(test_disc__leaves_its_place_by_pull_and_torque),
        cmocka_unit_test(test_disc__by_native_code),
        cmocka_unit_test(test_printed__series_jump),
        cmocka_unit_test(test_ball__rolls_to_rest),
        cmocka_unit_test(test_ball__slides_until_it_rolls),
        cmocka_unit_test(test_ball__by_steps_of_fixed_length),
        cmocka_unit_test(test_rod__slides_down_a_wall),
        cmocka_unit_test(test_box__rocks_on_its_corners),
        cmocka_unit_test(test_box__falls_and_slides_on_four_feet),
        cmocka_unit_test(test_point__slides_in_a_bowl),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
