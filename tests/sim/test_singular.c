/* SPDX-License-Identifier: MIT */
/* Motions through positions in which the constraints depend on each other. The benchmark: a row of
 * N parallelograms of rods (N + 1 that turn about the ground, N that couple them), in which all
 * branches cross whenever the rods lie flat; the motion on its own branch has one coordinate, and a
 * closed equation. */
#include <stdarg.h>
#include <stdio.h>

#include "support/simulation.h"

enum { TEXT = 8000 };

static ZW_PRINTF(2, 3) void add(char *text, const char *fmt, ...) {
    size_t used = strlen(text);
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text + used, TEXT - used, fmt, args);
    va_end(args);
    assert_in_range(n, 0, TEXT - used - 1);
}

static void list(char *text, int first, int n, const char *fmt) {
    for (int i = first; i <= n; i++) {
        if (i > first)
            add(text, ", ");
        char item[80];
        for (size_t c = 0, k = 0; c <= strlen(fmt); c++) { /* # is the number */
            if (fmt[c] == '#')
                k += (size_t)snprintf(item + k, sizeof item - k, "%d", i);
            else
                item[k++] = fmt[c];
        }
        add(text, "%s", item);
    }
}

static const char head[] = "model chain\nparam m = 1 [kg], l = 1 [m], g = 9.81 [m/s^2]\ncoord ";

/* angles a_i of the turning rods and b_i of the couplers */
static void chain_in_angles(char *text, int n) {
    strcpy(text, head);
    list(text, 0, n, "a#");
    add(text, ", ");
    list(text, 1, n, "b#");
    add(text, " [rad]\n");
    for (int i = 0; i <= n; i++)
        add(text, "kinetic 1/6*m*l^2*a%d'^2\npotential m*g*l/2*sin(a%d)\n", i, i);
    for (int i = 1; i <= n; i++) {
        int j = i - 1;
        add(text,
            "kinetic 1/2*m*((l*cos(a%d) + l/2*cos(b%d))'^2 + (l*sin(a%d) + l/2*sin(b%d))'^2)\n"
            "kinetic 1/24*m*l^2*b%d'^2\npotential m*g*(l*sin(a%d) + l/2*sin(b%d))\n",
            j, i, j, i, i, j, i);
        add(text, "constraint x%d : l*cos(a%d) + l*cos(b%d) = l + l*cos(a%d)\n", i, j, i, i);
        add(text, "constraint y%d : l*sin(a%d) + l*sin(b%d) = l*sin(a%d)\n", i, j, i, i);
    }
    add(text, "start ");
    list(text, 0, n, "a# = pi/2");
    add(text, ", ");
    list(text, 1, n, "b# = 0");
    add(text, ", a0' = -1 [rad/s]\nobserve s = sin(a0)\n");
}

/* the upper ends x_i, y_i of the turning rods; one more rod, if asked for, that the others make
 * redundant */
static void chain_in_points(char *text, int n, bool redundant) {
    strcpy(text, head);
    list(text, 0, n, "x#, y#");
    add(text, " [m]\n");
    for (int i = 0; i <= n; i++)
        add(text,
            "kinetic 1/6*m*(x%d'^2 + y%d'^2)\npotential m*g/2*y%d\n"
            "constraint r%d : (x%d - %d*l)^2 + y%d^2 = l^2\n",
            i, i, i, i, i, i, i);
    for (int i = 1; i <= n; i++) {
        int j = i - 1;
        add(text, "kinetic 1/6*m*(x%d'^2 + x%d'*x%d' + x%d'^2 + y%d'^2 + y%d'*y%d' + y%d'^2)\n", j,
            j, i, i, j, j, i, i);
        add(text,
            "potential m*g/2*(y%d + y%d)\nconstraint c%d : (x%d - x%d)^2 + (y%d - y%d)^2 = l^2\n",
            j, i, i, i, j, i, j);
    }
    if (redundant)
        add(text, "constraint more : 2*(x1 - x0)^2 + 2*(y1 - y0)^2 = 2*l^2\n");
    add(text, "start ");
    list(text, 0, n, "x# = #*l, y# = l");
    add(text, ", x0' = 1 [m/s]\nobserve s = y0/l\n");
}

/* height of the rods' ends at the end of the run, by the equation of one coordinate */
static double height_of_one(int n, double until) {
    char text[TEXT] = "";
    add(text,
        "model one\nparam N = %d, m = 1 [kg], l = 1 [m], g = 9.81 [m/s^2]\ncoord a [rad]\n"
        "kinetic ((N + 1)/6 + N/2)*m*l^2*a'^2\npotential ((N + 1)/2 + N)*m*g*l*sin(a)\n"
        "start a = pi/2, a' = -1 [rad/s]\n",
        n);
    simulation s = simulation_make(until);
    s.options.run.rtol = 1e-13;
    s.options.run.atol = 1e-15;
    simulation_run(&s, text);
    assert_done(&s);
    double height = sin(at(zw_sim_rows(s.sim), -1, "a"));
    simulation_clear(&s);
    return height;
}

/* the chain stays on its branch and keeps its energy as well as the tolerance says */
static void check_chain(const char *text, int n, const char *method, double rtol, double step_max,
                        double error) {
    const double until = 6;
    simulation s = simulation_make(until);
    s.options.principle = "gauss";
    s.options.run.method = method;
    s.options.run.rtol = rtol;
    s.options.run.atol = rtol * 1e-2;
    s.options.run.step_max = step_max;
    simulation_run(&s, text);
    assert_done(&s);
    zw_sim_info info = zw_sim_statistics(s.sim);
    assert_close(info.run.energy_end, info.run.energy_start, error);
    assert_true(info.run.steps < 20000);
    if (n > 0)
        assert_close(at(zw_sim_rows(s.sim), -1, "s"), height_of_one(n, until), error);
    simulation_clear(&s);
}

/* the sharpest tolerance takes most of the time */
static double least_rtol(void) {
    return test_long() ? 5e-13 : 5e-11;
}

static void test_singular__chain_passes_at_all_tolerances(void **state) {
    (void)state;
    char text[TEXT];
    static const int sizes[] = {1, 2, 5};
    for (int i = 0; i < 3; i++)
        for (double rtol = 1e-6; rtol > least_rtol(); rtol /= 100) {
            double error = 1e3 * rtol + 1e-9;
            chain_in_angles(text, sizes[i]);
            check_chain(text, sizes[i], NULL, rtol, 0, error);
            chain_in_points(text, sizes[i], false);
            check_chain(text, sizes[i], NULL, rtol, 0, error);
        }
}

static void test_singular__chain_passes_by_all_methods(void **state) {
    (void)state;
    char text[TEXT];
    static const char *const methods[] = {"rk54", "rk87", "radau", "erk", "bdf"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (double rtol = 1e-6; rtol > 5e-11; rtol /= 100) {
            double error = (m == 4 ? 2e4 : 1e3) * rtol + 1e-9; /* errors of bdf add up */
            chain_in_angles(text, 2);
            check_chain(text, 2, methods[m], rtol, 0, error);
            chain_in_points(text, 2, false);
            check_chain(text, 2, methods[m], rtol, 0, error);
        }
}

/* short steps end close to the singular positions, at last within what is left out of them */
static void test_singular__chain_passes_with_short_steps(void **state) {
    (void)state;
    char text[TEXT];
    static const double most[] = {1e-2, 3e-3, 1e-3};
    for (int i = 0; i < 3; i++) {
        chain_in_angles(text, 2);
        check_chain(text, 2, NULL, 1e-10, most[i], 1e-8);
        chain_in_points(text, 2, false);
        check_chain(text, 2, NULL, 1e-10, most[i], 1e-8);
    }
}

static void test_singular__redundant_rows_do_no_harm_there(void **state) {
    (void)state;
    char text[TEXT];
    for (double rtol = 1e-6; rtol > least_rtol(); rtol /= 100) {
        chain_in_points(text, 2, true);
        check_chain(text, 2, NULL, rtol, 0, 1e3 * rtol + 1e-9);
    }
}

/* a linkage in three angles that lies flat at t = 1 and goes on as the parallelogram that it was */
static void test_singular__partition_stays_on_its_branch(void **state) {
    (void)state;
    static const char text[] =
        "model bars\nunits none\ncoord a, b, c\nkinetic 1/2*(a'^2 + b'^2 + c'^2)\n"
        "constraint px : cos(a) + 2*cos(b) - cos(c) = 2\n"
        "constraint py : sin(a) + 2*sin(b) - sin(c) = 0\n"
        "start a = 1, b = 0, c = 1, a' = -1\n";
    static const char *const methods[] = {"rk54", "rk87", "radau", "erk", "bdf", "adams"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (double rtol = 1e-5; rtol > 5e-12; rtol /= 100) {
            simulation s = simulation_make(3);
            s.options.run.method = methods[m];
            s.options.run.rtol = rtol;
            s.options.run.constraints = ZW_KEEP_PARTITION;
            simulation_run(&s, text);
            assert_done(&s);
            assert_close(at(zw_sim_rows(s.sim), -1, "a"), -2, 1e-8);
            assert_close(at(zw_sim_rows(s.sim), -1, "b"), 0, 1e-12);
            simulation_clear(&s);
        }
}

static bool has_doubt(const simulation *s, const char *key) {
    const zw_warnings *d = zw_sim_warnings(s->sim);
    for (int i = 0; i < zw_warnings_count(d); i++)
        if (strcmp(zw_warnings_at(d, i)->key, key) == 0)
            return true;
    return false;
}

static bool has_energy_doubt(const simulation *s) {
    return has_doubt(s, "energy");
}

/* What cannot pass a singular position stops there, or the energy that it lost is told. */
static void test_singular__no_energy_is_lost_in_silence(void **state) {
    (void)state;
    char text[TEXT];
    int told = 0;
    for (int in_points = 0; in_points < 2; in_points++)
        for (int by_gauss = 0; by_gauss < 2; by_gauss++)
            for (double rtol = 1e-6; rtol > 5e-12; rtol /= 10) {
                simulation s = simulation_make(6);
                s.options.principle = by_gauss ? "gauss" : "lagrange";
                s.options.run.rtol = rtol;
                s.options.run.atol = 1e-10;
                s.options.run.constraints = by_gauss ? ZW_KEEP_PARTITION : ZW_KEEP_PROJECTION;
                if (in_points)
                    chain_in_points(text, 2, false);
                else
                    chain_in_angles(text, 2);
                simulation_run(&s, text);
                zw_sim_info info = zw_sim_statistics(s.sim);
                double loss = fabs(info.run.energy_end - info.run.energy_start);
                bool said = s.status < 0 || has_energy_doubt(&s);
                assert_true(said || loss < 1e5 * rtol);
                told += said;
                simulation_clear(&s);
            }
    assert_true(told > 0);
}

/* and nothing is said of motions that are right, also where tolerances are loose and energies
 * large */
static void test_singular__nothing_is_told_of_smooth_motion(void **state) {
    (void)state;
    static const char *const texts[] = {
        "model pendulum\nparam m = 2 [kg], l = 0.7 [m], g = 9.81 [m/s^2]\ncoord x, y [m]\n"
        "kinetic 1/2*m*(x'^2 + y'^2)\npotential m*g*y\nconstraint rod : x^2 + y^2 = l^2\n"
        "start x = 0.69 [m]\n",
        "model far\nparam m = 1 [kg], g = 9.81 [m/s^2], k = 1e5 [N/m]\ncoord x, y [m]\n"
        "kinetic 1/2*m*(x'^2 + y'^2)\npotential m*g*y + 1/2*k*(x - 1e4 [m])^2\n"
        "start x = 1e4 [m] + 1 [mm], y = 1e6 [m], y' = 30 [m/s]\n",
        "model skate\nparam m = 1 [kg], J = 0.2 [kg*m^2], g = 1 [m/s^2]\ncoord x, y [m]\ncoord th "
        "[rad]\n"
        "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*J*th'^2\npotential -m*g*x\n"
        "constraint blade : x'*sin(th) = y'*cos(th)\nstart th' = 2 [rad/s], x' = 1 [m/s]\n",
        "model two\nunits none\ncoord a, b\nkinetic a'^2 + 1/2*b'^2 + a'*b'*cos(a - b)\n"
        "potential -20*cos(a) - 10*cos(b)\nstart a = 2, b = 3\n"};
    static const char *const methods[] = {"rk54", "rk87", "radau", "erk", "bdf", "ida"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
            for (double rtol = 1e-2; rtol > 1e-11; rtol /= 1000) {
                simulation s = simulation_make(test_long() ? 20 : 4);
                s.options.run.method = methods[m];
                s.options.run.rtol = rtol;
                s.options.run.atol = rtol * 1e-2;
                simulation_run(&s, texts[i]);
                assert_done(&s);
                assert_false(has_energy_doubt(&s));
                simulation_clear(&s);
            }
}

/* steps that are each within a loose tolerance add up: an oscillator of 2 J ends with 120 J */
static void test_singular__drift_of_energy_is_told(void **state) {
    (void)state;
    static const char *const methods[] = {"bdf", "adams", "ida", "rk54", "rk87", "radau", "erk"};
    int told = 0;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (int tight = 0; tight < 2; tight++) {
            simulation s = simulation_make(500);
            s.options.run.method = methods[m];
            s.options.run.rtol = s.options.run.atol = tight ? 1e-6 : 1e-3;
            simulation_run(&s, "model oscillator\ncoord x [m]\nparticle P : 1 [kg] at (x, 0)\n"
                               "potential 1/2*4 [N/m]*x^2\nstart x = 1 [m]\n");
            assert_done(&s);
            double drift = fabs(zw_sim_statistics(s.sim).run.energy_end - 2);
            bool said = has_doubt(&s, "drift of energy");
            assert_false(tight && said);
            assert_true(said || drift < 0.2);
            told += said;
            simulation_clear(&s);
        }
    assert_true(told > 2);
}

#define COIN                                                                                       \
    "model coin\nparam r = 0.1 [m], g = 9.81 [m/s^2]\ncoord x, y, z [m]\nrotation B\n"             \
    "body coin : B at (x, y, z), cylinder(7700 [kg/m^3], r, 5 [mm])\ngravity g along -z\n"         \
    "rolling roll : disk coin radius r on plane\nstart z = r*sin(1.2)\n"                           \
    "start B.p0 = cos(0.6), B.p1 = sin(0.6), B.wz = 20 [rad/s]\n"

static void end_of_coin(const char *text, const char *by, double end[2]) {
    simulation s = simulation_make(2);
    s.options.principle = by;
    simulation_run(&s, text);
    assert_done(&s);
    end[0] = at(zw_sim_rows(s.sim), -1, "x");
    end[1] = at(zw_sim_rows(s.sim), -1, "B.p2");
    simulation_clear(&s);
}

/* its rows have values for unit quaternions only, at which the choice of velocities has to look */
static void test_singular__coin_by_principles_that_choose_velocities(void **state) {
    (void)state;
    static const char *const principles[] = {"maggi", "kane", "gibbs-appell", "boltzmann-hamel"};
    double reference[2], end[2];
    end_of_coin(COIN, "lagrange", reference);
    for (int i = 0; i < 4; i++) {
        end_of_coin(COIN, principles[i], end);
        assert_close(end[0], reference[0], 1e-8);
        assert_close(end[1], reference[1], 1e-8);
        end_of_coin(COIN "independent B.wx, B.wy, B.wz\n", principles[i], end);
        assert_close(end[0], reference[0], 1e-8);
    }
}

/* x' is kept, and y' = x' tan(th) passes th = pi/2 at t = 2.24 s */
static void test_singular__elimination_is_watched(void **state) {
    (void)state;
    static const char skate[] =
        "model skate\nparam m = 1 [kg], J = 0.1 [kg*m^2]\ncoord x, y [m], th [rad]\n"
        "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*J*th'^2\nforce (x) = 0.3 [N]\nindependent th', x'\n"
        "constraint blade : -sin(th)*x' + cos(th)*y' = 0\nstart x' = 1 [m/s], th' = 0.7 [rad/s]\n";
    static const char *const principles[] = {"boltzmann-hamel", "voronets", "lagrange",
                                             "maggi",           "kane",     "gibbs-appell"};
    for (int i = 0; i < 6; i++)
        for (int passes = 0; passes < 2; passes++) {
            simulation s = simulation_make(passes ? 6 : 2);
            s.options.principle = principles[i];
            s.options.run.method = "erk";
            s.options.run.step = 0.1;
            simulation_run(&s, skate);
            assert_int_equal(has_doubt(&s, "elimination"), passes && i < 2);
            if (i >= 2 || !passes)
                assert_done(&s);
            if (i >= 2 && passes)
                assert_close(at(zw_sim_rows(s.sim), -1, "x"), -1.0125640649, 1e-8);
            simulation_clear(&s);
        }
}

/* constraints that depend on each other only where they hold: no velocity lacks inertia */
static void test_singular__elimination_that_fails_is_told_as_such(void **state) {
    (void)state;
    simulation s = simulation_make(1);
    s.options.principle = "maggi";
    simulation_run(&s, "model cranks\ncoord a, b, c [rad], x, y [m], th [rad]\n"
                       "frame R : rotate z th at (x, y, 0)\nbody B : R, rod(1 [kg], 2 [m])\n"
                       "kinetic 1/2*0.1 [kg*m^2]*(a'^2 + b'^2 + c'^2)\n"
                       "param L = 1 [m]\ngravity 9.81 [m/s^2] along -y\n"
                       "constraint A : L*(cos(a), sin(a)) = (x, y) - L*(cos(th), sin(th))\n"
                       "constraint M : L*(1 + cos(b), sin(b)) = (x, y)\n"
                       "constraint C : L*(2 + cos(c), sin(c)) = (x, y) + L*(cos(th), sin(th))\n"
                       "start a = 1, b = 1, c = 1, x = L*(1 + cos(1)), y = L*sin(1)\n");
    assert_int_equal(s.status, ZW_E_SINGULAR);
    assert_text_has(s.err.text, "by maggi are singular at t = 0 s");
    assert_text_has(s.err.hint, "--by gauss");
    simulation_clear(&s);
}

/* steps that go over a place in which a quasi-velocity is singular */
static void test_singular__quasi_velocities_are_watched(void **state) {
    (void)state;
    static const char *const methods[] = {"rk54", "rk87", "radau", "erk", "bdf", "ida"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (double rtol = 1e-4; rtol > 5e-12; rtol /= 100) {
            simulation s = simulation_make(3);
            s.options.run.method = methods[m];
            s.options.run.rtol = rtol;
            simulation_run(&s,
                           "model q\nunits none\ncoord x, y\nquasi u = tanh(x)*x', w = y' + x'\n"
                           "kinetic 1/2*x'^2 + 1/2*y'^2\nstart x = -1, x' = 1\n");
            assert_int_equal(s.status, ZW_E_SINGULAR);
            assert_text_has(s.err.text, "velocity u");
            assert_close(zw_sim_statistics(s.sim).t, 1, 0.2);
            simulation_clear(&s);
        }
}

/* a run that would need far more steps than are allowed says so before they are used up, and why */
static void test_singular__steps_that_lead_nowhere(void **state) {
    (void)state;
    simulation s = simulation_make(1);
    s.options.run.method = "rk54";
    s.options.run.rtol = 1e-6;
    simulation_run(&s, "model stiff\nunits none\ncoord x\nkinetic 1/2*x'^2\n"
                       "force (x) = -1e15*(x' - cos(t))\nstart x = 0, x' = 0\n");
    assert_int_equal(s.status, ZW_E_NUMERIC);
    assert_text_has(s.err.hint, "stiff");
    assert_true(zw_sim_statistics(s.sim).run.steps < 100000);
    simulation_clear(&s);
}

/* constraints that agree at the start only, by all methods: the run ends at once and says which */
static void test_singular__contradictions_end_early(void **state) {
    (void)state;
    static const char *const methods[] = {"rk54", "rk87", "radau", "erk", "bdf"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        simulation s = simulation_make(1);
        s.options.principle = "gauss";
        s.options.run.method = methods[m];
        simulation_run(&s,
                       "model k\nunits none\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                       "constraint a : x = t\nconstraint b : x = sin(t)\nstart x = 0, x' = 1\n");
        assert_true(s.status < 0);
        assert_text_has(s.err.text, "constraint b");
        assert_text_has(s.err.hint, "contradict");
        assert_true(zw_sim_statistics(s.sim).run.steps < 1000);
        simulation_clear(&s);
    }
}

/* The velocity that is eliminated at the start, or on the way, has nothing in the constraint: a rod
 * that turns over, a blade that turns round. Others are eliminated from there on. */
static void test_singular__choice_of_velocities_is_renewed(void **state) {
    (void)state;
    static const char *const principles[] = {"maggi", "kane", "gibbs-appell", "boltzmann-hamel",
                                             "voronets"};
    static const char *const text[] = {
        "model rod\nunits none\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
        "constraint rod : x^2 + y^2 = 1\nstart y = -1, x' = 7\nobserve force = lambda(rod)\n"
        "event top : x falling\n",
        "model blade\nunits none\ncoord x, y, f\n"
        "kinetic ((x' - f'*sin(f)/5)^2 + (y' + f'*cos(f)/5)^2)/2 + f'^2/6\n"
        "constraint blade : -x'*sin(f) + y'*cos(f) = 0\nstart x' = 1, f' = 2\n"
        "observe force = lambda(blade)\nevent top : cos(f) falling\n"};
    for (int k = 0; k < 2; k++) {
        simulation reference = simulation_make(5);
        simulation_run(&reference, text[k]);
        assert_done(&reference);
        const zw_table *right = zw_sim_rows(reference.sim);
        for (size_t i = 0; i < sizeof principles / sizeof *principles; i++) {
            simulation s = simulation_make(5);
            s.options.principle = principles[i];
            simulation_run(&s, text[k]);
            assert_done(&s);
            const zw_table *rows = zw_sim_rows(s.sim);
            assert_int_equal(zw_table_rows(rows), zw_table_rows(right));
            assert_int_equal(zw_table_rows(zw_sim_events(s.sim)),
                             zw_table_rows(zw_sim_events(reference.sim)));
            for (long r = 0; r < zw_table_rows(rows); r++) {
                assert_close(at(rows, r, "t"), at(right, r, "t"), 0);
                assert_close(at(rows, r, "x"), at(right, r, "x"), 1e-8);
                assert_close(at(rows, r, "y"), at(right, r, "y"), 1e-8);
                assert_close(at(rows, r, "force"), at(right, r, "force"), 1e-6);
            }
            assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 0);
            simulation_clear(&s);
        }
        simulation_clear(&reference);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_singular__chain_passes_at_all_tolerances),
        cmocka_unit_test(test_singular__chain_passes_by_all_methods),
        cmocka_unit_test(test_singular__chain_passes_with_short_steps),
        cmocka_unit_test(test_singular__redundant_rows_do_no_harm_there),
        cmocka_unit_test(test_singular__partition_stays_on_its_branch),
        cmocka_unit_test(test_singular__no_energy_is_lost_in_silence),
        cmocka_unit_test(test_singular__drift_of_energy_is_told),
        cmocka_unit_test(test_singular__nothing_is_told_of_smooth_motion),
        cmocka_unit_test(test_singular__coin_by_principles_that_choose_velocities),
        cmocka_unit_test(test_singular__choice_of_velocities_is_renewed),
        cmocka_unit_test(test_singular__elimination_is_watched),
        cmocka_unit_test(test_singular__elimination_that_fails_is_told_as_such),
        cmocka_unit_test(test_singular__quasi_velocities_are_watched),
        cmocka_unit_test(test_singular__steps_that_lead_nowhere),
        cmocka_unit_test(test_singular__contradictions_end_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
