/* SPDX-License-Identifier: MIT */
/* The completion of starts: what nobody names stays unless it is forced; mechanisms are assembled;
 * the nearest of several solutions is taken and the others are told. */
#include "support/failing_allocator.h"
#include "support/simulation.h"

enum { MOST = 40 };

typedef struct completed {
    zw_context *ctx;
    zw_system *sys;
    zw_status status;
    zw_error err;
    double p[64], x[MOST];
    zw_completion done;
} completed;

/* every active constraint of position or velocity, and the rates of the former, hold at x */
static void assert_holds(const completed *c, double t) {
    const zw_system *s = c->sys;
    zw_expr sym[128];
    double value[128];
    int n = 0;
    for (int i = 0; i < s->np; i++, n++)
        sym[n] = s->param[i].sym, value[n] = c->p[i];
    for (int i = 0; i < s->nq + s->nv; i++, n++) {
        sym[n] = i < s->nq ? s->coord[i].sym : s->velocity[i - s->nq].sym;
        value[n] = c->x[i];
    }
    sym[n] = s->t, value[n++] = t;
    for (int i = 0; i < s->nconstraint; i++) {
        const zw_constraint *k = &s->constraint[i];
        if (!k->on || k->level == ZW_ACCELERATION)
            continue;
        assert_close(zw_eval(s->ctx, k->residual, n, sym, value), 0, 1e-12);
        if (k->level == ZW_POSITION)
            assert_close(zw_eval(s->ctx, zw_system_dt(s, k->residual), n, sym, value), 0, 1e-11);
    }
}

static completed complete_at(const char *text, double t) {
    completed c = {.ctx = zw_context_create(NULL)};
    c.status = zw_model_parse(&c.sys, c.ctx, text, strlen(text), "test.zw", NULL, &c.err);
    if (c.status < 0)
        fail_msg("%s", c.err.text);
    assert_true(c.sys->nq + c.sys->nv <= MOST && c.sys->np <= 64);
    c.status = zw_system_param_values(c.sys, c.p, &c.err);
    c.status = zw_system_complete(c.sys, NULL, t, c.p, c.x, &c.done, &c.err);
    if (c.status >= 0)
        assert_holds(&c, t);
    return c;
}

static completed complete(const char *text) {
    completed c = complete_at(text, 0);
    if (c.status < 0)
        fail_msg("%s", c.err.text);
    return c;
}

static void clear(completed *c) {
    zw_context_destroy(c->ctx);
}

static double start_of(const completed *c, const char *name) {
    const zw_system *s = c->sys;
    for (int i = 0; i < s->nq + s->nv; i++)
        if (strcmp(i < s->nq ? s->coord[i].name : s->velocity[i - s->nq].name, name) == 0)
            return c->x[i];
    fail_msg("no %s", name);
    return NAN;
}

/* does the completion list exactly these names, separated by blanks? */
static void assert_completed(const completed *c, const char *names) {
    char list[500] = "";
    for (int i = 0; i < c->done.n; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? " " : "", c->done.entry[i].name);
    }
    assert_string_equal(list, names);
}

/* ---- velocities ---- */

static void test_velocities__nobody_names_stay_zero(void **state) {
    (void)state;
    completed c = complete("model rotor\nparam m = 1 [kg], J = 1 [kg*m^2], Jr = 0.2 [kg*m^2]\n"
                           "coord ph [rad]\nrotation B\nbody main : B, inertia(m, J, J, 2*J)\n"
                           "frame R : B rotate z ph\nbody rotor : R, inertia(m, Jr, Jr, Jr)\n"
                           "start B.w = (0, 0, 1 [rad/s])\n");
    assert_true(start_of(&c, "ph'") == 0);
    assert_true(start_of(&c, "B.wz") == 1);
    assert_completed(&c, "B.wz");
    assert_int_equal(c.done.freedom_velocity, 0);
    clear(&c);
    c = complete(
        "model car\nparam m = 1000 [kg], J = 1500 [kg*m^2], l = 2.5 [m], Js = 10 [kg*m^2]\n"
        "coord x, y [m], th, de [rad]\n"
        "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*J*th'^2 + 1/2*Js*(th' + de')^2\n"
        "constraint rear : -sin(th)*x' + cos(th)*y' = 0\n"
        "constraint front : -sin(th + de)*x' + cos(th + de)*y' + l*cos(de)*th' = 0\n"
        "start x' = 5 [m/s], de = 0.3\n");
    assert_true(start_of(&c, "de'") == 0 && start_of(&c, "y'") == 0);
    assert_close(start_of(&c, "th'"), 2 * tan(0.3), 1e-15);
    assert_completed(&c, "th'");
    clear(&c);
}

/* a body in space components, its rotor about a tilted axis, an angular velocity that is a
 * combination */
static void test_velocities__a_vector_forces_its_components_only(void **state) {
    (void)state;
    completed c =
        complete("model euler\nparam J = 1 [kg*m^2]\ncoord ph [rad]\n"
                 "rotation E euler zxz (al, be, ga)\nbody main : E, inertia(1 [kg], J, J, 2*J)\n"
                 "frame R : E rotate (1, 0, 1) ph\nbody rotor : R, inertia(1 [kg], J, J, J/2)\n"
                 "start be = 0.7, al = 0.2, E.w = (0.3 [rad/s], -0.2 [rad/s], 1 [rad/s])\n");
    assert_true(start_of(&c, "ph'") == 0);
    double a = start_of(&c, "al'"), b = start_of(&c, "be'"), g = start_of(&c, "ga'");
    /* w = al' z + be' x' + ga' z'' with the axes of zxz */
    assert_close(b * cos(0.2) + g * sin(0.2) * sin(0.7), 0.3, 1e-14);
    assert_close(b * sin(0.2) - g * cos(0.2) * sin(0.7), -0.2, 1e-14);
    assert_close(a + g * cos(0.7), 1, 1e-14);
    clear(&c);
    /* where the angles are singular a combination is left: one of two, declared last */
    c = complete("model euler\nparam J = 1 [kg*m^2]\nrotation E euler zxz (al, be, ga)\n"
                 "body main : E, inertia(1 [kg], J, J, 2*J)\nkinetic 1/2*J*(al'^2 + ga'^2)\nstart "
                 "E.w = (0, 0, 1 [rad/s])\n");
    assert_true(start_of(&c, "al'") == 0 && start_of(&c, "be'") == 0);
    assert_close(start_of(&c, "ga'"), 1, 1e-15);
    assert_int_equal(c.done.freedom_velocity, 1);
    clear(&c);
}

static void test_velocities__as_few_as_possible(void **state) {
    (void)state;
    static const char head[] =
        "model few\nunits none\ncoord a, b, c, d, e\n"
        "kinetic 1/2*(a'^2 + b'^2 + c'^2 + d'^2 + e'^2) + 1/3*d'*(c' + e')\n";
    char text[800];
    /* a chain; a rest that already holds */
    snprintf(text, sizeof text, "%sconstraint r : a' = b', b' = 2*c', d' = e'\nstart a' = 4\n",
             head);
    completed c = complete(text);
    assert_completed(&c, "b' c'");
    assert_close(start_of(&c, "c'"), 2, 1e-15);
    assert_int_equal(c.done.freedom_velocity, 0);
    clear(&c);
    /* one change will do, two would too */
    snprintf(text, sizeof text, "%sconstraint r : a' + b' = 0, b' + c' = 1\n", head);
    c = complete(text);
    assert_completed(&c, "c'");
    assert_int_equal(c.done.freedom_velocity, 0); /* no other one would */
    clear(&c);
    /* the lightest of three, of which each one will do */
    snprintf(text, sizeof text, "%skinetic 5*(b'^2 + c'^2)\nconstraint r : a' + b' + c' = 1\n",
             head);
    c = complete(text);
    assert_completed(&c, "a'");
    clear(&c);
    /* the sum of two as an expression of the start; all equal: declared last */
    snprintf(text, sizeof text, "%sstart a' + b' = 3\n", head);
    c = complete(text);
    assert_completed(&c, "b'");
    clear(&c);
    /* the same constraint three times over */
    snprintf(text, sizeof text,
             "%sconstraint r : a' = b', 2*a' = 2*b', a' + c' = b' + c'\nstart b' = 4\n", head);
    c = complete(text);
    assert_completed(&c, "a'");
    clear(&c);
}

static void test_velocities__guesses_are_kept_before_others(void **state) {
    (void)state;
    completed c = complete("model wheel\nparam r = 0.5 [m]\ncoord x [m], th [rad]\n"
                           "kinetic 1/2*1 [kg]*x'^2 + 50 [kg*m^2]*th'^2\n"
                           "constraint roll : x' = r*th'\nguess x' = 3 [m/s]\n");
    assert_true(start_of(&c, "x'") == 3);
    assert_close(start_of(&c, "th'"), 6, 1e-15);
    assert_completed(&c, "th'");
    clear(&c);
    c = complete("model wheel\nparam r = 0.5 [m]\ncoord x [m], th [rad]\n"
                 "kinetic 1/2*1 [kg]*x'^2 + 50 [kg*m^2]*th'^2\n"
                 "constraint roll : x' = r*th'\nguess x' = 3 [m/s]\nstart th' = 0\n");
    assert_close(start_of(&c, "x'"), 0, 1e-15);
    assert_true(c.done.n == 1 && c.done.entry[0].guessed && c.done.entry[0].from == 3);
    clear(&c);
}

static void test_velocities__quasi_nonholonomic_and_states(void **state) {
    (void)state;
    completed c =
        complete("model skate\nparam m = 1 [kg], J = 0.1 [kg*m^2]\ncoord x, y [m], th [rad]\n"
                 "quasi u = cos(th)*x' + sin(th)*y' [m/s], v = -sin(th)*x' + cos(th)*y', w = th'\n"
                 "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*J*th'^2 + 0.1 [kg*m]*th'*x'\n"
                 "state f [N] : f' = -f/1 [s]\nforce (x) = f\nconstraint blade : v = 0\n"
                 "start th = 0.4, x' = 2 [m/s]\n");
    assert_close(start_of(&c, "u"), 2 / cos(0.4), 1e-15);
    assert_true(start_of(&c, "w") == 0 && start_of(&c, "v") == 0 && start_of(&c, "f") == 0);
    clear(&c);
    /* nonlinear in the velocities, without a gradient at rest */
    c = complete("model appell\nunits none\ncoord x, y, z\nkinetic 1/2*(x'^2 + y'^2 + z'^2)\n"
                 "constraint c : x'^2 + y'^2 = 4*z'^2\nstart x' = 1\n");
    assert_true(start_of(&c, "y'") == 0);
    assert_close(start_of(&c, "z'"), 0.5, 1e-14);
    assert_int_equal(c.done.nother, 1);
    assert_close(c.done.other[0], -0.5, 1e-14);
    clear(&c);
    /* only y' could change for a moment, but it cannot do it: z' must */
    c = complete("model appell\nunits none\ncoord x, z, y\nkinetic 1/2*(x'^2 + y'^2 + z'^2)\n"
                 "constraint c : x'^2 + y'^2 = 4*z'^2\nstart x' = 1\n");
    assert_close(4 * pow(start_of(&c, "z'"), 2), 1, 1e-13);
    assert_true(start_of(&c, "y'") == 0);
    clear(&c);
    /* norm has no derivative at rest */
    c = complete("model n\ncoord x, y, z [m]\nparticle P : 1 [kg] at (x, y, z)\n"
                 "start norm(P') = 3 [m/s], x' = 1 [m/s], y' = 2 [m/s]\n");
    assert_close(start_of(&c, "z'"), 2, 1e-13);
    clear(&c);
}

static void test_velocities__rheonomic_at_any_time(void **state) {
    (void)state;
    static const char text[] = "model rheo\nunits none\ncoord x, y, z\n"
                               "kinetic 1/2*(x'^2 + y'^2 + z'^2 + x'*z')\n"
                               "constraint drive : x = sin(t)\nconstraint link : y = x^2\n";
    completed c = complete_at(text, 2);
    assert_int_equal(c.status, ZW_OK);
    assert_close(start_of(&c, "x"), sin(2), 1e-15);
    assert_close(start_of(&c, "x'"), cos(2), 1e-15);
    assert_close(start_of(&c, "y'"), 2 * sin(2) * cos(2), 1e-15);
    assert_true(start_of(&c, "z'") == 0 && start_of(&c, "z") == 0);
    assert_int_equal(c.done.nother, 0);
    clear(&c);
}

/* x is a mass, y has none and follows from the balance of its forces: also that is completed */
static void test_velocities__without_inertia(void **state) {
    (void)state;
    completed c =
        complete("model m\nunits none\ncoord x, y, z\nkinetic 1/2*x'^2 + 1/2*z'^2 + z'*x'/9\n"
                 "potential 1/2*50*(x - y)^2\ndissipation 1/2*4*y'^2\n"
                 "start x = 1, y = 0.2\n");
    assert_close(start_of(&c, "y'"), 10, 1e-12);
    assert_true(start_of(&c, "x'") == 0 && start_of(&c, "z'") == 0);
    clear(&c);
}

/* ---- positions ---- */

#define BALL "model s\ncoord x, y, z [m]\nparticle P : 1 [kg] at (x, y, z)\n"

static void test_positions__without_a_gradient(void **state) {
    (void)state;
    completed c = complete(BALL "constraint s : x^2 + y^2 + z^2 = 4 [m^2]\n"
                                "start x = 1 [m], y = 1 [m]\n");
    assert_close(start_of(&c, "z"), sqrt(2), 1e-15); /* nothing pulls: the larger one */
    assert_completed(&c, "z");
    assert_true(c.done.nother == 1 && c.done.nkept == 1);
    assert_close(c.done.other[0], -sqrt(2), 1e-15);
    clear(&c);
    c = complete(BALL "gravity 9.81 [m/s^2] along -z\nconstraint s : x^2 + y^2 + z^2 = 4 [m^2]\n"
                      "start x = 1 [m], y = 1 [m]\n");
    assert_close(start_of(&c, "z"), -sqrt(2), 1e-15); /* it hangs */
    clear(&c);
    c = complete(BALL "gravity 9.81 [m/s^2] along -z\nconstraint s : x^2 + y^2 + z^2 = 4 [m^2]\n"
                      "start x = 1 [m], y = 1 [m]\nguess z = 1 [cm]\n");
    assert_close(start_of(&c, "z"), sqrt(2), 1e-15);
    clear(&c);
    /* a rod without a start */
    c = complete("model rod\nparam l = 0.5 [m]\ncoord x, y [m]\nparticle P : 1 [kg] at (x, y)\n"
                 "gravity 9.81 [m/s^2] along -y\nconstraint rod : x^2 + y^2 = l^2\n");
    assert_true(start_of(&c, "x") == 0);
    assert_close(start_of(&c, "y"), -0.5, 1e-15);
    assert_int_equal(c.done.freedom_position, 1);
    clear(&c);
    /* what is guessed stays, what is not said moves, though its gradient vanishes */
    c = complete("model rod\nparam l = 0.5 [m]\ncoord x, y [m]\nparticle P : 1 [kg] at (x, y)\n"
                 "constraint rod : x^2 + y^2 = l^2\nguess x = 0.3 [m]\n");
    assert_true(start_of(&c, "x") == 0.3);
    assert_close(fabs(start_of(&c, "y")), 0.4, 1e-14); /* Newton ends at the rounding of the row */
    clear(&c);
}

static void test_positions__that_hold_stay(void **state) {
    (void)state;
    completed c = complete(BALL "constraint s : x^2 + y^2 = 4 [m^2], z = 3 [m]\n"
                                "guess x = 2 [m]\nstart y' = 1 [m/s]\n");
    assert_true(start_of(&c, "x") == 2 && start_of(&c, "y") == 0 && start_of(&c, "x'") == 0);
    assert_completed(&c, "z");
    clear(&c);
    /* at a singular point: a four-bar stretched flat */
    c = complete("model flat\nunits none\ncoord a, b, c\nkinetic 1/2*(a'^2 + b'^2 + c'^2)\n"
                 "constraint x : cos(a) + 2*cos(b) - cos(c) = 2\n"
                 "constraint y : sin(a) + 2*sin(b) - sin(c) = 0\nstart a' = 1, b' = 0\n");
    assert_true(start_of(&c, "a") == 0 && start_of(&c, "b") == 0 && start_of(&c, "c") == 0);
    assert_close(start_of(&c, "c'"), 1, 1e-15);
    clear(&c);
}

#define FOURBAR                                                                                    \
    "model fourbar\nparam l1 = 0.2 [m], l2 = 0.5 [m], l3 = 0.4 [m], d = 0.6 [m]\n"                 \
    "coord a, b, c [rad]\nparticle P : 1 [kg] at (l1*cos(a), l1*sin(a))\n"                         \
    "particle Q : 1 [kg] at (d + l3*cos(c), l3*sin(c))\n"                                          \
    "constraint lx : l1*cos(a) + l2*cos(b) = d + l3*cos(c)\n"                                      \
    "constraint ly : l1*sin(a) + l2*sin(b) = l3*sin(c)\n"

/* the angle c of a four-bar with the crank at (x, y): two circles meet, side +1 or -1 */
static double rocker(double x, double y, double l2, double l3, double d, int side) {
    double distance = hypot(x - d, y), base = atan2(y, x - d);
    double cosine = (distance * distance + l3 * l3 - l2 * l2) / (2 * distance * l3);
    return base + side * acos(cosine);
}

static double wrapped(double angle) {
    return remainder(angle, 2 * 3.14159265358979323846);
}

static void test_mechanisms__planar_four_bar(void **state) {
    (void)state;
    const double x = 0.2 * cos(1), y = 0.2 * sin(1);
    double up = wrapped(rocker(x, y, 0.5, 0.4, 0.6, -1)),
           down = wrapped(rocker(x, y, 0.5, 0.4, 0.6, 1));
    completed c = complete(FOURBAR "start a = 1, a' = 2 [rad/s]\n");
    assert_close(start_of(&c, "c"), fabs(up) < fabs(down) ? up : down, 1e-14);
    assert_completed(&c, "b c b' c'");
    assert_int_equal(c.done.nother, 1);
    assert_close(c.done.other[1], fabs(up) < fabs(down) ? down : up, 1e-13);
    assert_true(isnan(c.done.other[2]));
    clear(&c);
    /* a guess of an angle, of several turns, of the place of the pin */
    c = complete(FOURBAR "start a = 1\nguess c = -120 [deg]\n");
    assert_close(start_of(&c, "c"), up < 0 ? up : down, 1e-14);
    clear(&c);
    c = complete(FOURBAR "start a = 1\nguess c = -840 [deg]\n");
    assert_close(start_of(&c, "c"), (up < 0 ? up : down) - 4 * 3.14159265358979323846, 1e-13);
    clear(&c);
    c = complete(FOURBAR "start a = 1\nguess (d + l3*cos(c), l3*sin(c)) = (0.5 [m], -0.4 [m])\n");
    assert_close(wrapped(start_of(&c, "c")), up < 0 ? up : down, 1e-14);
    clear(&c);
}

/* Random four-bars: they are completed if and only if two circles meet, angles are near, both are
 * found. */
static void test_mechanisms__random_four_bars(void **state) {
    (void)state;
    test_random random = {5};
    int possible = 0;
    for (int n = 0; n < 150; n++) {
        double l1 = test_random_real(&random, 0.1, 1), l2 = test_random_real(&random, 0.1, 1.5);
        double l3 = test_random_real(&random, 0.1, 1.5), d = test_random_real(&random, 0.1, 2);
        double a = test_random_real(&random, -3, 3), distance = hypot(l1 * cos(a) - d, l1 * sin(a));
        if (fabs(distance - l2 - l3) < 1e-3 || fabs(distance - fabs(l2 - l3)) < 1e-3)
            continue;
        char text[700];
        snprintf(text, sizeof text,
                 "model f\nparam l1 = %.17g [m], l2 = %.17g [m], l3 = %.17g [m], d = %.17g [m]\n"
                 "coord a, b, c [rad]\nkinetic 1/2*1 [kg*m^2]*(a'^2 + b'^2 + c'^2)\n"
                 "constraint lx : l1*cos(a) + l2*cos(b) = d + l3*cos(c)\n"
                 "constraint ly : l1*sin(a) + l2*sin(b) = l3*sin(c)\nstart a = %.17g\n",
                 l1, l2, l3, d, a);
        completed c = complete_at(text, 0);
        bool meets = distance < l2 + l3 && distance > fabs(l2 - l3);
        assert_int_equal(c.status, meets ? ZW_OK : ZW_E_START);
        possible += meets;
        if (meets) {
            assert_int_equal(c.done.nother, 1);
            assert_true(fabs(start_of(&c, "b")) <= 3.1416 && fabs(start_of(&c, "c")) <= 3.1416);
            double sum = pow(start_of(&c, "b"), 2) + pow(start_of(&c, "c"), 2);
            assert_true(sum <= pow(c.done.other[0], 2) + pow(c.done.other[1], 2) + 1e-9);
        }
        clear(&c);
    }
    assert_true(possible > 30);
}

#define RSSR                                                                                       \
    "param a = 0.2 [m], b = 0.8 [m], c = 0.5 [m], m = 1 [kg], J = 0.1 [kg*m^2]\n"                  \
    "point A : (a*cos(p1), a*sin(p1), 0)\npoint B : (0.7 [m], c*cos(p3), 0.3 [m] + c*sin(p3))\n"   \
    "particle P : m at A\nparticle Q : m at B\nstart p1 = 30 [deg], p1' = 1 [rad/s]\n"
#define RSSR_ANGLES                                                                                \
    "model rssr\ncoord p1, p2, p3, p4 [rad]\n" RSSR                                                \
    "point C : A + (b*cos(p2)*cos(p4), b*sin(p2)*cos(p4), b*sin(p4))\nparticle R : m at C\n"       \
    "constraint close : C = B\n"

static void test_mechanisms__spatial_four_bar(void **state) {
    (void)state;
    completed c = complete(RSSR_ANGLES), k;
    assert_int_equal(c.done.nother,
                     3); /* two assemblies, each with two pairs of angles of the coupler */
    double p3 = start_of(&c, "p3"), rate = start_of(&c, "p3'");
    clear(&c);
    /* |A - B|^2 = b^2 is an equation of p3 alone: A cos(p3) + B sin(p3) = C */
    double ax = 0.2 * cos(3.14159265358979323846 / 6), ay = 0.1;
    double A = -2 * 0.5 * ay, B = 2 * 0.5 * 0.3;
    double C = 0.64 - (ax - 0.7) * (ax - 0.7) - ay * ay - 0.09 - 0.25;
    double middle = atan2(B, A), half = acos(C / hypot(A, B));
    double first = wrapped(middle + half), second = wrapped(middle - half);
    assert_close(p3, fabs(first) < fabs(second) ? first : second, 1e-14);
    c = complete(RSSR_ANGLES "guess p3 = -150 [deg]\n");
    assert_close(start_of(&c, "p3"), fabs(first) < fabs(second) ? second : first, 1e-14);
    clear(&c);
    /* the coupler as a free body: it may spin about its own axis */
    k = complete("model rssr\ncoord p1, p3 [rad], x, y, z [m]\n" RSSR "rotation K\n"
                 "body coupler : K at (x, y, z), inertia(m, J, J, J)\n"
                 "constraint s1 : coupler.origin - K(b/2, 0, 0) = A\n"
                 "constraint s2 : coupler.origin + K(b/2, 0, 0) = B\nguess p3 = 10 [deg]\n");
    assert_close(start_of(&k, "p3"), p3, 1e-13);
    assert_close(start_of(&k, "p3'"), rate, 1e-13);
    assert_int_equal(k.done.freedom_position, 1);
    assert_int_equal(k.done.nother, 0); /* a family: not to be counted, but nearest: no spin */
    assert_close(start_of(&k, "K.p1"), 0, 1e-9);
    clear(&k);
}

static void test_mechanisms__slider_crank_and_parallelogram(void **state) {
    (void)state;
    static const char crank[] =
        "model crank\nparam r = 0.1 [m], l = 0.3 [m]\ncoord phi, psi [rad], s [m]\n"
        "particle P : 1 [kg] at (r*cos(phi), r*sin(phi))\nparticle S : 1 [kg] at (s, 0)\n"
        "constraint rod : r*cos(phi) + l*cos(psi) = s, r*sin(phi) = l*sin(psi)\n"
        "start phi = 0.8\n%s\n";
    char text[600];
    snprintf(text, sizeof text, crank, "");
    completed c = complete(text);
    double psi = asin(0.1 * sin(0.8) / 0.3);
    assert_close(start_of(&c, "psi"), psi, 1e-15);
    assert_close(start_of(&c, "s"), 0.1 * cos(0.8) + 0.3 * cos(psi), 1e-15);
    assert_int_equal(c.done.nother, 1);
    clear(&c);
    snprintf(text, sizeof text, crank, "guess s = -20 [cm]");
    c = complete(text);
    assert_close(start_of(&c, "s"), 0.1 * cos(0.8) - 0.3 * cos(psi), 1e-15);
    clear(&c);
    c = complete("model p\nparam l = 0.2 [m], d = 0.5 [m]\ncoord a, b, c [rad]\n"
                 "kinetic 1/2*1 [kg*m^2]*(a'^2 + b'^2 + c'^2)\n"
                 "constraint x : l*cos(a) + d*cos(b) = d + l*cos(c)\n"
                 "constraint y : l*sin(a) + d*sin(b) = l*sin(c)\nstart a = 1, a' = 2 [rad/s]\n");
    assert_close(start_of(&c, "b"), 0,
                 1e-15); /* b does not move: the parallelogram, not the other one */
    assert_close(start_of(&c, "c"), 1, 1e-15);
    assert_close(start_of(&c, "c'"), 2, 1e-14);
    assert_int_equal(c.done.nother, 1);
    clear(&c);
}

/* six legs of given lengths, a pose that they belong to among the solutions */
static void test_mechanisms__stewart_platform(void **state) {
    (void)state;
    static const double top[] = {0.2, 1.9, 2.3, 4.0, 4.4, 6.1},
                        base[] = {0.8, 1.3, 2.9, 3.4, 5.0, 5.5};
    const double turn = 0.3, at[] = {0.1, -0.05, 1.1};
    char text[3000] = "model stewart\nparam J = 1 [kg*m^2]\ncoord x, y, z [m]\nrotation B\n"
                      "body P : B at (x, y, z), inertia(10 [kg], J, J, 2*J)\n";
    for (int i = 0; i < 6; i++) {
        double dx = at[0] + 0.6 * cos(top[i] + turn) - cos(base[i]),
               dy = at[1] + 0.6 * sin(top[i] + turn) - sin(base[i]);
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used,
                 "let d%d = P.origin + B(%.17g [m], %.17g [m], 0) - (%.17g [m], %.17g [m], 0)\n"
                 "constraint leg%d : dot(d%d, d%d) = %.17g [m^2]\n",
                 i, 0.6 * cos(top[i]), 0.6 * sin(top[i]), cos(base[i]), sin(base[i]), i, i, i,
                 dx * dx + dy * dy + at[2] * at[2]);
    }
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "guess z = 1 [m]\nstart z' = 0\n");
    completed c = complete(text);
    assert_close(start_of(&c, "x"), at[0], 1e-12);
    assert_close(start_of(&c, "z"), at[2], 1e-12);
    assert_close(start_of(&c, "B.p3"), sin(turn / 2), 1e-12);
    assert_true(c.done.nother >= 1 && start_of(&c, "x'") == 0);
    clear(&c);
}

/* a loop of six hinges at right angles: six equations, five of them independent where they hold */
static void test_mechanisms__bricard_loop(void **state) {
    (void)state;
    char text[3000] = "model bricard\nparam l = 1 [m]\ncoord a1, a2, a3, a4, a5, a6 [rad]\n"
                      "frame F1 : rotate z a1\nframe G1 : F1 at F1(l, 0, 0) rotate x 90 [deg]\n";
    for (int i = 2; i <= 6; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used,
                 "frame F%d : G%d rotate z a%d\n"
                 "frame G%d : F%d at G%d.origin + F%d(l, 0, 0) rotate x %s90 [deg]\n",
                 i, i - 1, i, i, i, i - 1, i, i % 2 ? "" : "-");
    }
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used,
             "kinetic 1/2*1 [kg*m^2]*(a1'^2 + a2'^2 + a3'^2 + a4'^2 + a5'^2 + a6'^2)\n"
             "constraint loop : G6.origin = (0, 0, 0)\n"
             "constraint turn : dot(G6.x, (0, 1, 0)) = 0, dot(G6.x, (0, 0, 1)) = 0, "
             "dot(G6.y, (0, 0, 1)) = 0\nstart a1 = 80 [deg], a1' = 1 [rad/s]\n");
    completed c = complete(text);
    for (int i = 0; i < 6; i++)
        assert_true(fabs(c.x[i]) <= 3.1416);
    assert_close(start_of(&c, "a2"), start_of(&c, "a4"), 1e-9);
    assert_close(start_of(&c, "a4"), start_of(&c, "a6"), 1e-9);
    clear(&c);
}

/* ---- what cannot be ---- */

static void test_refused__with_names_place_and_advice(void **state) {
    (void)state;
    completed c = complete_at(FOURBAR "start a = 1, c = 3\n", 0);
    assert_int_equal(c.status, ZW_E_START);
    assert_text_has(c.err.text, "constraint l");
    assert_text_has(c.err.text, "nearest of");
    assert_text_has(c.err.text, "there b = ");
    assert_text_has(c.err.hint, "omit one of a, c");
    assert_text_has(c.err.hint, "guess");
    clear(&c);
    c = complete_at("model m\nunits none\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                    "constraint c : x' + y' = 1\nstart x' = 1, y' = 1\n",
                    0);
    assert_int_equal(c.status, ZW_E_START);
    assert_text_has(c.err.text, "velocity level");
    assert_text_has(c.err.text, "constraint c");
    clear(&c);
    c = complete_at("model m\ncoord x, y [m]\nparticle P : 1 [kg] at (x, y)\n"
                    "constraint c : x^2 + y^2 = -1 [m^2]\n",
                    0);
    assert_int_equal(c.status, ZW_E_START);
    assert_text_has(c.err.hint, "none of these variables is given");
    clear(&c);
    /* a start of an expression is named as it was written */
    c = complete_at("model m\ncoord x, y [m]\nparticle P : 1 [kg] at (x, y)\n"
                    "start x^2 + y^2 = 4 [m^2], x = 3 [m]\n",
                    0);
    assert_int_equal(c.status, ZW_E_START);
    assert_text_has(c.err.text, "start of x^2+y^2");
    clear(&c);
    /* a quaternion by the name of its rotation */
    c = complete_at("model m\nunits none\nrotation B\nbody b : B, inertia(1, 1, 1, 1)\n"
                    "start B.p0 = 0.5, B.p1 = 0.5\n",
                    0);
    assert_int_equal(c.status, ZW_E_START);
    assert_text_has(c.err.text, "B.p0 to B.p3");
    assert_text_has(c.err.text, "0.5 instead of 1");
    assert_int_equal(c.err.line, 5);
    clear(&c);
}

/* ---- what is doubtful ---- */

static void assert_doubt(const char *text, const char *part) {
    completed c = complete(text);
    zw_warning doubt;
    bool doubtful = zw_completion_warning(&c.done, &doubt);
    assert_int_equal(doubtful, part != NULL);
    if (part)
        assert_text_has(doubt.text, part);
    clear(&c);
    simulation s = simulation_make(0.001);
    simulation_create(&s, text);
    assert_done(&s);
    assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), part != NULL);
    simulation_clear(&s);
}

static void test_doubts__of_what_was_chosen_without_a_guess(void **state) {
    (void)state;
    static const char rod[] = "model r\nparam l = 0.5 [m]\ncoord x, y [m]\n"
                              "particle P : 1 [kg] at (x, y)\nconstraint rod : x^2 + y^2 = l^2\n";
    char text[400];
    assert_doubt(rod, "the start leaves 1 degree of freedom undetermined: y = 0.5 m was chosen");
    snprintf(text, sizeof text, "%sguess y = -1 [m]\n", rod);
    assert_doubt(text, NULL);
    /* the guess decides on z, and nothing says what the velocities are */
    assert_doubt("model w\nparam l0 = 1.5 [m], v = 0.2 [m/s]\ncoord x, z [m]\n"
                 "particle bob : 1 [kg] at (x, 0, z)\n"
                 "constraint rope : x^2 + z^2 = (l0 - v*t)^2\nstart x = 0.5 [m]\nguess z = -l0\n",
                 "the start leaves 1 degree of freedom undetermined: z' = 0.212132 m/s was chosen");
    assert_doubt(FOURBAR "start a = 1\n", "fits 2 solutions: the nearest, b = ");
    assert_doubt(FOURBAR "start a = 1\nguess c = 1\n", NULL);
    assert_doubt(FOURBAR "start a = 1\nguess b' = 1 [rad/s]\n", "fits 2 solutions");
    assert_doubt("model v\nunits none\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                 "constraint c : x' + y' = 1\n",
                 "y' = 1 1/s was chosen");
    assert_doubt("model v\nunits none\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                 "constraint c : x' + y' = 1\nstart x' = 3\n",
                 NULL);
}

/* ---- in simulations ---- */

static void test_simulation__tells_and_restarts_with_the_same_bits(void **state) {
    (void)state;
    simulation s = simulation_make(0.5), fresh = simulation_make(0.5);
    simulation_run(&s, FOURBAR "start a = 1, a' = 2 [rad/s]\nguess c = -120 [deg]\n");
    assert_done(&s);
    const zw_completion *done = zw_sim_completion(s.sim);
    assert_int_equal(done->n, 4);
    assert_string_equal(done->entry[0].name, "b");
    assert_string_equal(done->entry[3].unit, "rad/s");
    assert_true(done->entry[1].guessed && !done->entry[0].guessed);
    assert_true(at(zw_sim_rows(s.sim), 0, "c") == done->entry[1].value);
    /* another crank angle, and back */
    const zw_sim_number a = {.name = "a", .value = 1.3}, c = {.name = "c", .value = 1.9};
    const zw_sim_numbers other = {.nstart = 1, .start = &a};
    assert_int_equal(zw_sim_restart(s.sim, &other, &s.err), ZW_OK);
    assert_int_equal(zw_sim_run(s.sim, &s.err), ZW_OK);
    assert_true(at(zw_sim_rows(s.sim), 0, "a") == 1.3);
    assert_int_equal(zw_sim_restart(s.sim, NULL, &s.err), ZW_OK);
    assert_int_equal(zw_sim_run(s.sim, &s.err), ZW_OK);
    simulation_run(&fresh, FOURBAR "start a = 1, a' = 2 [rad/s]\nguess c = -120 [deg]\n");
    assert_done(&fresh);
    const zw_table *x = zw_sim_rows(s.sim), *y = zw_sim_rows(fresh.sim);
    assert_int_equal(zw_table_rows(x), zw_table_rows(y));
    for (long row = 0; row < zw_table_rows(x); row++)
        for (int i = 0; i < zw_table_columns(x); i++)
            assert_true(zw_table_at(x, row, i) == zw_table_at(y, row, i));
    /* what a number gives is no longer a guess */
    const zw_sim_numbers wrong = {.nstart = 1, .start = &c};
    assert_int_equal(zw_sim_restart(s.sim, &wrong, &s.err), ZW_E_START);
    simulation_clear(&s);
    simulation_clear(&fresh);
}

/* 300 coordinates in 150 pairs: each pair is a problem of its own; as one of 300 they would take a
 * minute */
static void test_completion__many_small_problems(void **state) {
    (void)state;
    enum { PAIRS = 150 };
    static char text[1 << 15];
    int n = snprintf(text, sizeof text, "model many\nunits none\n");
    for (int i = 0; i < PAIRS; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "coord x%d, y%d\nkinetic x%d'^2 + x%d'*y%d' + y%d'^2\n"
                      "constraint c%d : y%d = cos(x%d)\nstart x%d = %d/100, x%d' = 1\n",
                      i, i, i, i, i, i, i, i, i, i, i, i);
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    zw_completion done;
    zw_error err = {0};
    double x[4 * PAIRS];
    if (zw_model_parse(&sys, ctx, text, (size_t)n, "test.zw", NULL, &err) < 0 ||
        zw_system_complete(sys, NULL, 0, NULL, x, &done, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < PAIRS; i++) { /* x, y, one after the other, then their rates */
        assert_close(x[2 * i + 1], cos(i / 100.0), 1e-12);
        assert_close(x[2 * PAIRS + 2 * i + 1], -sin(i / 100.0), 1e-12);
    }
    zw_context_destroy(ctx);
}

static void test_completion__survives_lack_of_memory(void **state) {
    (void)state;
    static const char text[] =
        FOURBAR "start a = 1\nguess (l3*cos(c), l3*sin(c)) = (0.1 [m], 0.3 [m])\n";
    for (long n = 1;; n++) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_context *ctx = zw_context_create(&alloc);
        zw_system *sys = NULL;
        zw_completion done;
        zw_status status =
            ctx ? zw_model_parse(&sys, ctx, text, sizeof text - 1, "test.zw", NULL, NULL)
                : ZW_E_MEMORY;
        if (status >= 0)
            status = zw_system_complete(sys, NULL, 0, NULL, NULL, &done, NULL);
        zw_context_destroy(ctx);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
        assert_true(f.failed ? status < 0 : status == ZW_OK);
        if (!f.failed)
            break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_velocities__nobody_names_stay_zero),
        cmocka_unit_test(test_velocities__a_vector_forces_its_components_only),
        cmocka_unit_test(test_velocities__as_few_as_possible),
        cmocka_unit_test(test_velocities__guesses_are_kept_before_others),
        cmocka_unit_test(test_velocities__quasi_nonholonomic_and_states),
        cmocka_unit_test(test_velocities__rheonomic_at_any_time),
        cmocka_unit_test(test_velocities__without_inertia),
        cmocka_unit_test(test_positions__without_a_gradient),
        cmocka_unit_test(test_positions__that_hold_stay),
        cmocka_unit_test(test_mechanisms__planar_four_bar),
        cmocka_unit_test(test_mechanisms__random_four_bars),
        cmocka_unit_test(test_mechanisms__spatial_four_bar),
        cmocka_unit_test(test_mechanisms__slider_crank_and_parallelogram),
        cmocka_unit_test(test_mechanisms__stewart_platform),
        cmocka_unit_test(test_mechanisms__bricard_loop),
        cmocka_unit_test(test_refused__with_names_place_and_advice),
        cmocka_unit_test(test_doubts__of_what_was_chosen_without_a_guess),
        cmocka_unit_test(test_simulation__tells_and_restarts_with_the_same_bits),
        cmocka_unit_test(test_completion__many_small_problems),
        cmocka_unit_test(test_completion__survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
