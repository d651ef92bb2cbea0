/* SPDX-License-Identifier: MIT */
/* Models against what they mean: numbers of a system, expressions built by hand, closed forms. */
#include "base/text.h"
#include "support/failing_allocator.h"
#include "support/test.h"

#include <stdlib.h>
#include <unistd.h>

#include "zwang/model.h"

typedef struct loaded {
    zw_context *ctx;
    zw_system *s;
} loaded;

static loaded load_with(const char *text, const zw_model_options *options) {
    loaded m = {zw_context_create(NULL), NULL};
    zw_error err = {0};
    if (zw_model_parse(&m.s, m.ctx, text, strlen(text), "test.zw", options, &err) < 0) {
        char message[2048];
        zw_error_format(&err, message, sizeof message);
        zw_context_destroy(m.ctx);
        fail_msg("%s", message);
    }
    return m;
}

static loaded load(const char *text) {
    return load_with(text, NULL);
}

static void unload(loaded m) {
    zw_context_destroy(m.ctx);
}

static zw_expr expr(loaded m, const char *text) {
    zw_error err = {0};
    zw_expr e;
    if (zw_model_expression(&e, m.s, text, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    return e;
}

/* value of an expression at the parameters of the model and these values of further symbols */
static double value(loaded m, zw_expr e, int n, const char *const *names, const double *values) {
    zw_expr symbols[64];
    double v[64];
    assert_true(m.s->np + n <= 64);
    assert_int_equal(zw_system_param_values(m.s, v, NULL), ZW_OK);
    for (int i = 0; i < m.s->np; i++)
        symbols[i] = m.s->param[i].sym;
    for (int i = 0; i < n; i++) {
        symbols[m.s->np + i] = expr(m, names[i]);
        v[m.s->np + i] = values[i];
    }
    return zw_eval(m.ctx, e, m.s->np + n, symbols, v);
}

static double constant(loaded m, zw_expr e) {
    return value(m, e, 0, NULL, NULL);
}

static const zw_param *param(loaded m, const char *name) {
    for (int i = 0; i < m.s->np; i++)
        if (strcmp(m.s->param[i].name, name) == 0)
            return &m.s->param[i];
    fail_msg("no parameter %s", name);
    return NULL;
}

static void assert_same(loaded m, zw_expr got, const char *want) {
    zw_expr e = expr(m, want);
    if (zw_expand(m.ctx, got) != zw_expand(m.ctx, e)) {
        char *a = zw_print(m.ctx, got, ZW_TEXT), *b = zw_print(m.ctx, e, ZW_TEXT);
        print_error("got %s\nwant %s\n", a, b);
        zw_string_free(m.ctx, a);
        zw_string_free(m.ctx, b);
        fail();
    }
}

/* ---------------------------------------------------------------------------------- definitions */

static void test_model__parameters_in_any_order(void **state) {
    (void)state;
    loaded m =
        load("model p\nparam b = 2*a, a = 1.27 [cm], w = 45 [rpm], n = -3 [N*m]\nlet d = c/2\n"
             "let c = a + b\ncoord x [m]\nkinetic x'^2*1 [kg]\nobserve o = d\n");
    assert_int_equal(m.s->np, 4);
    assert_int_equal(param(m, "a")->value, zw_rational(m.ctx, 127, 10000));
    assert_string_equal(param(m, "a")->unit, "m");
    assert_string_equal(param(m, "w")->unit, "rad/s");
    assert_string_equal(param(m, "n")->unit, "N*m");
    assert_int_equal(param(m, "w")->value, zw_mul(m.ctx, zw_rational(m.ctx, 3, 2), ZW_PI));
    assert_close(constant(m, m.s->observable[0].value), 1.5 * 0.0127, 1e-15);
    assert_string_equal(m.s->observable[0].unit, "m");
    unload(m);
}

static void test_model__settings_from_outside(void **state) {
    (void)state;
    const char *text = "model p\nparam Omega = 45 [rpm], r = 1 [cm], k = 2*r, n = 3\ncoord x [m]\n"
                       "kinetic x'^2*1 [kg]\nstart x = 1 [m]\n";
    const char *const set[] = {"Omega=33.3rpm", "r = 2.54 [cm]", "n=2*3", "x=3cm", "x'=-1.5e1 m/s"};
    loaded m = load_with(text, &(zw_model_options){.nset = 5, .set = set});
    assert_int_equal(param(m, "Omega")->value, zw_mul(m.ctx, zw_rational(m.ctx, 111, 100), ZW_PI));
    assert_int_equal(param(m, "r")->value, zw_rational(m.ctx, 254, 10000));
    assert_close(constant(m, param(m, "k")->sym), 0.0508, 1e-15);
    assert_close(constant(m, param(m, "n")->sym), 6, 0);
    assert_int_equal(m.s->nstart, 2);
    assert_string_equal(m.s->start[0].text, "x");
    assert_close(constant(m, m.s->start[0].value), 0.03, 1e-16);
    assert_string_equal(m.s->start[1].text, "x'");
    assert_close(constant(m, m.s->start[1].value), -15, 0);
    unload(m);
}

static void test_model__given_work_of_constraints(void **state) {
    (void)state;
    const char *text =
        "model w\nunits none\ncoord x, y, th\nnonideal c.2 : work (x, th) = (2*x', "
        "lambda(c.1)*y),\n"
        "    work at P = -3*P'\nnonideal d : work on B = (0, 0, 5)\nparticle P : 1 at (x, y)\n"
        "frame F : rotate z th\nbody B : F, disk(1, 2)\nconstraint c : x = y, th' = 0\n"
        "constraint d off : x'' = 0\nvariant a\nremove c\nend\nvariant b\nremove nonideal\nend\n"
        "variant e\nnonideal d : work (y) = 7\nend\n";
    loaded m = load(text);
    assert_int_equal(m.s->nforce, 3);
    for (int i = 0; i < 3; i++)
        assert_string_equal(m.s->force[i].constraint, i < 2 ? "c.2" : "d");
    assert_same(m, m.s->force[0].Q[0], "2*x'");
    assert_int_equal(m.s->force[0].Q[2], zw_mul(m.ctx, expr(m, "y"), zw_system_lambda(m.s, "c.1")));
    assert_same(m, m.s->force[1].Q[1], "-3*y'");
    assert_same(m, m.s->force[2].Q[2], "5");
    unload(m);
    m = load_with(text, &(zw_model_options){.variant = "a"});
    assert_int_equal(m.s->nforce, 1);
    unload(m);
    m = load_with(text, &(zw_model_options){.variant = "b"});
    assert_int_equal(m.s->nforce, 0);
    unload(m);
    m = load_with(text, &(zw_model_options){.variant = "e"});
    assert_int_equal(m.s->nforce, 3);
    assert_same(m, m.s->force[2].Q[1], "7");
    unload(m);
}

static void test_model__variants_replace_add_and_remove(void **state) {
    (void)state;
    const char *text =
        "model v\nparam k = 1 [N/m]\nlet c = 2\ncoord x [m]\nkinetic x'^2*1 [kg]\n"
        "force f (x) = -k*x\nforce g (x) = 1 [N]\nconstraint h off : x = 0\nstart x = 1 [m]\n"
        "variant a\nparam k = 5 [N/m]\nremove g\nconstraint h : x' = 0\nlet e = c\nend\n"
        "variant b\nremove kinetic\nkinetic x'^2*3 [kg]\nparam c = 7\nend\n";
    zw_context *ctx = zw_context_create(NULL);
    const char *const *names;
    int n;
    assert_int_equal(zw_model_variants(ctx, text, strlen(text), "v.zw", &names, &n, NULL), ZW_OK);
    assert_int_equal(n, 2);
    assert_string_equal(names[0], "a");
    assert_string_equal(names[1], "b");
    zw_context_destroy(ctx);

    loaded m = load(text);
    assert_int_equal(m.s->nforce, 2);
    assert_false(m.s->constraint[0].on);
    assert_string_equal(m.s->variant, "");
    unload(m);
    m = load_with(text, &(zw_model_options){.variant = "a"});
    assert_string_equal(m.s->variant, "a");
    assert_int_equal(m.s->nforce, 1);
    assert_close(constant(m, param(m, "k")->sym), 5, 0);
    assert_true(m.s->constraint[0].on);
    assert_int_equal(m.s->constraint[0].level, ZW_VELOCITY);
    assert_int_equal(expr(m, "e"), ZW_TWO);
    unload(m);
    m = load_with(text, &(zw_model_options){.variant = "b"});
    assert_int_equal(m.s->np, 2);
    assert_same(m, m.s->kinetic, "3*x'^2");
    unload(m);
}

static void test_model__inputs_are_functions_of_time(void **state) {
    (void)state;
    loaded m = load(
        "model i\nparam w = 3 [rad/s]\ncoord x [m]\nkinetic x'^2*1 [kg]\n"
        "input p = harmonic(2 [N], w, 90 [deg])\ninput s = sweep(1 [N], 1 [1/s], 5 [1/s], 4 [s])\n"
        "input l = table (0, 0), (2 [s], 4 [mN]), (3 [s], 4 [mN])\n"
        "force (x) = p + s + l\n");
    const char *const t[] = {"t"};
    for (int i = 0; i < 19; i++) {
        const double at = -1 + 0.37 * i;
        assert_close(value(m, expr(m, "p"), 1, t, &at), 2 * cos(3 * at), 1e-14);
        double phase = at < 4 ? at + at * at / 2 : 12 + 5 * (at - 4);
        assert_close(value(m, expr(m, "s"), 1, t, &at), sin(phase), 1e-13);
        double table = at < 0 ? 0 : at < 2 ? 2e-3 * at : 4e-3;
        assert_close(value(m, expr(m, "l"), 1, t, &at), table, 1e-15);
    }
    unload(m);
}

static void test_model__tables_come_from_files(void **state) {
    (void)state;
    char folder[] = "/tmp/zwang-test-XXXXXX", path[64], table[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/m.zw", folder);
    snprintf(table, sizeof table, "%s/road.csv", folder);
    FILE *f = fopen(table, "w");
    assert_non_null(f);
    fputs("# a road\ntime, height\n0, 1\n500; 2\r\n1000\t4\n\n", f);
    fclose(f);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs("model r\ncoord x [m]\nkinetic x'^2*1 [kg]\ninput h = table \"road.csv\" [ms] [cm]\n"
          "observe o = h\n",
          f);
    fclose(f);
    zw_error err = {0};
    loaded m = {zw_context_create(NULL), NULL};
    assert_int_equal(zw_model_read(&m.s, m.ctx, path, NULL, &err), ZW_OK);
    const char *const t[] = {"t"};
    const double at = 0.75;
    assert_close(value(m, expr(m, "h"), 1, t, &at), 0.03, 1e-15);
    unload(m);
    remove(path);
    remove(table);
    rmdir(folder);
}

/* ------------------------------------------------------------------------------- frames, bodies */

static void test_model__solids_have_their_textbook_inertia(void **state) {
    (void)state;
    static const struct {
        const char *solid;
        double mass, Jx, Jy, Jz;
    } row[] = {
        /* m = 3, r = 0.5, l = 2 */
        {"sphere(m, r)", 3, 0.3, 0.3, 0.3},
        {"shell(m, r)", 3, 0.5, 0.5, 0.5},
        {"disk(m, r)", 3, 0.1875, 0.1875, 0.375},
        {"cylinder(m, r, l)", 3, 1.1875, 1.1875, 0.375},
        {"ring(m, r)", 3, 0.375, 0.375, 0.75},
        {"torus(m, l, r)", 3, 6.46875, 6.46875, 12.5625},
        {"torus(6 [kg/m^3], l, r)", 59.21762640653615, 127.68800693909357, 127.68800693909357,
         247.97381057737013},
        {"rod(m, l)", 3, 0, 1, 1},
        {"box(m, l, r, 1 [m])", 3, 0.3125, 1.25, 1.0625},
        {"mass(m)", 3, 0, 0, 0},
        {"inertia(m, 1 [kg*m^2], 2 [kg*m^2], 3 [kg*m^2])", 3, 1, 2, 3},
        {"sphere(6 [kg/m^3], r)", 3.14159265358979324, 0.314159265358979324, 0.314159265358979324,
         0.314159265358979324},
        {"rod(2 [kg/m], l)", 4, 0, 4.0 / 3, 4.0 / 3},
        {"disk(4 [kg/m^2], r)", 3.14159265358979324, 0.196349540849362, 0.196349540849362,
         0.392699081698724},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "model s\nparam m = 3 [kg], r = 0.5 [m], l = 2 [m]\nrotation B\ncoord x [m]\n"
                 "body b : B at (x, 0, 0), %s\n",
                 row[i].solid);
        loaded m = load(text);
        const zw_body *b = &m.s->body[0];
        assert_close(constant(m, b->mass), row[i].mass, 1e-14);
        assert_close(constant(m, b->J[0]), row[i].Jx, 1e-14);
        assert_close(constant(m, b->J[1]), row[i].Jy, 1e-14);
        assert_close(constant(m, b->J[2]), row[i].Jz, 1e-14);
        for (int k = 3; k < 6; k++)
            assert_int_equal(b->J[k], ZW_ZERO);
        unload(m);
    }
}

/* The disk with a hole of the tippedisk: centre of gravity and inertia by a sum over a grid. */
static void test_model__holes_are_subtracted(void **state) {
    (void)state;
    loaded m = load(
        "model d\nparam r = 45 [mm], a = 15 [mm], b = 20 [mm], h = 10 [mm], rho = 7700 [kg/m^3]\n"
        "rotation B\nbody disk : B, cylinder(rho, r, h) - cylinder(rho, a, h) at (-b, 0, 0)\n"
        "body same : B, cylinder(rho, r, h) + hole(cylinder(rho, a, h)) at (-b, 0, 0)\n");
    const zw_body *b = &m.s->body[0];
    double mass = 0, cx = 0, Jz = 0, Jx = 0, r = 0.045, a = 0.015, off = -0.02, h = 0.01;
    int n = 2000;
    double cell = 2 * r / n;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double x = -r + (i + 0.5) * cell, y = -r + (j + 0.5) * cell;
                if (x * x + y * y > r * r || (x - off) * (x - off) + y * y < a * a)
                    continue;
                double dm = 7700 * h * cell * cell;
                if (pass == 0) {
                    mass += dm;
                    cx += dm * x;
                } else {
                    Jz += dm * ((x - cx) * (x - cx) + y * y);
                    Jx += dm * (y * y + h * h / 12);
                }
            }
        if (pass == 0)
            cx /= mass;
    }
    double got = constant(m, b->mass);
    assert_true(fabs(got / mass - 1) < 1e-4);
    assert_true(fabs(constant(m, b->cog[0]) / cx - 1) < 1e-3);
    assert_true(fabs(constant(m, b->J[2]) / Jz - 1) < 1e-3);
    assert_true(fabs(constant(m, b->J[0]) / Jx - 1) < 1e-3);
    assert_int_equal(b->cog[1], ZW_ZERO);
    assert_int_equal(m.s->body[1].J[2], b->J[2]);
    unload(m);
}

/* Two point masses off the axes: the full inertia matrix, by hand. */
static void test_model__parallel_axes(void **state) {
    (void)state;
    loaded m = load("model d\nrotation B\nbody b : B, mass(1 [kg]) at (1 [m], 2 [m], 0) + mass(3 "
                    "[kg]) at (-1 [m], 0, 2 [m])\n");
    const zw_body *b = &m.s->body[0];
    /* c = (-0.5, 0.5, 1.5); e1 = (1.5, 1.5, -1.5), e2 = (-0.5, -0.5, 0.5) */
    static const double c[3] = {-0.5, 0.5, 1.5};
    static const double e[2][3] = {{1.5, 1.5, -1.5}, {-0.5, -0.5, 0.5}};
    static const double mass[2] = {1, 3};
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 3; i++)
        assert_close(constant(m, b->cog[i]), c[i], 1e-15);
    for (int k = 0; k < 6; k++) {
        double J = 0;
        for (int i = 0; i < 2; i++)
            J += mass[i] *
                 ((row[k] == column[k] ? e[i][0] * e[i][0] + e[i][1] * e[i][1] + e[i][2] * e[i][2]
                                       : 0) -
                  e[i][row[k]] * e[i][column[k]]);
        assert_close(constant(m, b->J[k]), J, 1e-14);
    }
    unload(m);
}

static void test_model__free_bodies_choose_their_components(void **state) {
    (void)state;
    loaded m =
        load("model f\nparam r = 1 [m]\ncoord x [m]\nbody ball : sphere(1 [kg], r) at (x, 0, r)\n"
             "body egg : inertia(1 [kg], 1 [kg*m^2], 1 [kg*m^2], 2 [kg*m^2]) at (0, x, 0)\n"
             "body odd : at (0, 0, x), sphere(1 [kg], r) at (r, 0, 0)\n");
    /* in space components ball.w is the velocities themselves */
    assert_int_equal(expr(m, "ball.w.x"), zw_symbol(m.ctx, "ball.wx"));
    assert_int_equal(expr(m, "ball.wz"), zw_symbol(m.ctx, "ball.wz"));
    assert_int_not_equal(expr(m, "egg.w.x"), zw_symbol(m.ctx, "egg.wx"));
    assert_int_not_equal(expr(m, "odd.w.x"), zw_symbol(m.ctx, "odd.wx"));
    assert_int_equal(m.s->nq, 1 + 12);
    assert_int_equal(m.s->nv, 1 + 9);
    assert_int_equal(expr(m, "ball.origin.x"), zw_symbol(m.ctx, "x"));
    unload(m);
}

/* w of a chain of rotations, against the derivative of the rotation matrix: A' = w x A. */
static void test_model__angular_velocity_is_that_of_the_axes(void **state) {
    (void)state;
    loaded m = load("model w\nparam W = 2 [rad/s]\nrotation E euler zxz (a, b, c)\nframe F : E "
                    "rotate (1, 2, -1) W*t\n"
                    "rotation Q\nparticle P : 1 [kg] at (1 [m], 0, 0)\nkinetic 1 [kg*m^2]*(a'^2 + "
                    "b'^2 + c'^2)\n");
    const char *const names[] = {"t",    "a",    "b",    "c",    "a'",   "b'",   "c'",
                                 "Q.p0", "Q.p1", "Q.p2", "Q.p3", "Q.wx", "Q.wy", "Q.wz"};
    const double at[] = {0.3, 0.7, -1.1, 2.0, 0.4, 1.3, -0.6, 0.5, 0.5, -0.5, 0.5, 1.2, -0.3, 0.8};
    static const char *const frames[] = {"E", "F", "Q"};
    for (int f = 0; f < 3; f++)
        for (int axis = 0; axis < 3; axis++)
            for (int i = 0; i < 3; i++) {
                char rate[64], turn[64];
                snprintf(rate, sizeof rate, "(%s.%c)'.%c", frames[f], 'x' + axis, 'x' + i);
                snprintf(turn, sizeof turn, "cross(%s.w, %s.%c).%c", frames[f], frames[f],
                         'x' + axis, 'x' + i);
                assert_close(value(m, expr(m, rate), 14, names, at),
                             value(m, expr(m, turn), 14, names, at), 1e-13);
            }
    unload(m);
}

static void test_model__points_and_material_points(void **state) {
    (void)state;
    loaded m = load(
        "model c\nparam r = 0.5 [m]\ncoord x, y [m], th [rad]\nframe B : rotate z th at (x, y, 0)\n"
        "body disk : B, disk(1 [kg], r)\npoint C : disk.origin - (0, r, 0)\n"
        "point M : disk.origin + disk(r, 0, 0)\nconstraint roll : disk.velocity(C).x = 0\n");
    /* the lowest point moves with the centre, the material under it does not */
    assert_same(m, expr(m, "C'.x"), "x'");
    assert_same(m, expr(m, "disk.velocity(C).x"), "x' + r*th'");
    assert_same(m, m.s->constraint[0].residual, "x' + r*th'");
    assert_string_equal(m.s->constraint[0].unit, "m/s");
    assert_same(m, expr(m, "M'.y"), "y' + r*cos(th)*th'");
    assert_same(m, expr(m, "disk.velocity(M).y"), "y' + r*cos(th)*th'");
    assert_same(m, expr(m, "disk.x.y"), "sin(th)");
    assert_same(m, expr(m, "dot(disk.w, disk.z)"), "th'");
    assert_same(m, expr(m, "disk.mass"), "1");
    unload(m);
}

/* -------------------------------------------------------------------------- forces, constraints */

static void test_model__springs_dampers_gravity(void **state) {
    (void)state;
    loaded m = load(
        "model s\nparam k = 3 [N/m], c = 2 [kg/s], l = 1 [m], g = 9.81 [m/s^2]\ncoord x, y [m]\n"
        "particle P : 2 [kg] at (x, y)\nspring a : k, (0, 0) to P, length l\nspring b : k, P to "
        "(l, 0)\n"
        "damper d : c, (0, 0) to P\ngravity 2*g along (3, 4, 0)\n");
    assert_same(m, m.s->potential,
                "k/2*(sqrt(x^2 + y^2) - l)^2 + k/2*((x - l)^2 + y^2) - 2*(6/5*g*x + 8/5*g*y)");
    assert_same(m, m.s->dissipation, "c/2*(x*x' + y*y')^2/(x^2 + y^2)");
    assert_same(m, m.s->gravity[0], "6/5*g");
    assert_same(m, m.s->gravity[1], "8/5*g");
    assert_int_equal(m.s->gravity[2], ZW_ZERO);
    unload(m);
}

static void test_model__forces_reach_the_coordinates(void **state) {
    (void)state;
    loaded m = load("model q\nparam l = 2 [m], nu = 3 [kg/s]\ncoord x, y [m], th [rad]\n"
                    "point A : (x + l*cos(th), y + l*sin(th), 0)\nparticle P : 1 [kg] at A\n"
                    "kinetic 1/2*1 [kg]*(x'^2 + y'^2) + 1 [kg*m^2]*th'^2\n"
                    "force F at A = (5 [N], 7 [N], 0)\nforce drag (x, th) = (-nu*x', 4 [N*m])\n");
    const zw_force *f = &m.s->force[0];
    assert_int_equal(m.s->nforce, 2);
    assert_same(m, f->Q[0], "5");
    assert_same(m, f->Q[1], "7");
    assert_same(m, f->Q[2], "l*(7*cos(th) - 5*sin(th))");
    assert_string_equal(m.s->force[1].name, "drag");
    assert_same(m, m.s->force[1].Q[0], "-nu*x'");
    assert_same(m, m.s->force[1].Q[1], "0");
    assert_same(m, m.s->force[1].Q[2], "4");
    unload(m);
}

static void test_model__constraints_are_switched_by_name(void **state) {
    (void)state;
    const char *text =
        "model c\ncoord x, y, z [m]\nparticle P : 1 [kg] at (x, y, z)\n"
        "constraint two off : x = y, x' = z'\nconstraint vec : (x, y) = (0, 1 [m])\n"
        "constraint acc : x''*2 = t*1 [m/s^3]\n"
        "force (x) = -0.3*lambda(two.1)\nobserve l = lambda(acc), n = lambda(two.2)\n";
    loaded m = load(text);
    static const char *const names[] = {"two.1", "two.2", "vec.1", "vec.2", "acc"};
    static const zw_level levels[] = {ZW_POSITION, ZW_VELOCITY, ZW_POSITION, ZW_POSITION,
                                      ZW_ACCELERATION};
    static const char *const units[] = {"m", "m/s", "m", "m", "m/s^2"};
    assert_int_equal(m.s->nconstraint, 5);
    for (int i = 0; i < 5; i++) {
        assert_string_equal(m.s->constraint[i].name, names[i]);
        assert_int_equal(m.s->constraint[i].level, levels[i]);
        assert_string_equal(m.s->constraint[i].unit, units[i]);
        assert_int_equal(m.s->constraint[i].on, i >= 2);
    }
    assert_string_equal(m.s->observable[0].unit, "N");
    assert_string_equal(m.s->observable[1].unit, "N");
    unload(m);
    static const char *const with[] = {"two"}, *const without[] = {"vec.2", "acc"};
    m = load_with(text,
                  &(zw_model_options){.nwith = 1, .with = with, .nwithout = 2, .without = without});
    static const bool on[] = {true, true, true, false, false};
    for (int i = 0; i < 5; i++)
        assert_int_equal(m.s->constraint[i].on, on[i]);
    unload(m);
}

static void test_model__quasi_velocities_replace_rates(void **state) {
    (void)state;
    loaded m = load(
        "model k\nparam m = 1 [kg], J = 2 [kg*m^2]\ncoord x, y [m], th [rad]\nlet speed2 = x'^2 + "
        "y'^2\n"
        "quasi u = cos(th)*x' + sin(th)*y' [m/s], v = -sin(th)*x' + cos(th)*y', w = th' [rad/s]\n"
        "kinetic 1/2*m*speed2 + 1/2*J*th'^2\nconstraint blade : v = 0\nforce (u, w) = (1 [N], 2 "
        "[N*m])\n"
        "start u = 1 [m/s]\n");
    assert_int_equal(m.s->nv, 3);
    assert_string_equal(m.s->velocity[0].name, "u");
    assert_string_equal(m.s->velocity[0].unit, "m/s");
    assert_string_equal(m.s->velocity[2].unit, "rad/s");
    const char *const names[] = {"th", "u", "v", "w"};
    const double at[] = {0.4, 1.5, -0.5, 2};
    assert_close(value(m, m.s->T, 4, names, at), 0.5 * (1.5 * 1.5 + 0.25) + 4, 1e-14);
    assert_close(value(m, expr(m, "x'"), 4, names, at), cos(0.4) * 1.5 + sin(0.4) * 0.5, 1e-14);
    assert_same(m, m.s->force[0].Q[0], "1");
    assert_same(m, m.s->force[0].Q[2], "2");
    unload(m);
}

static void test_model__observables_events_drawings(void **state) {
    (void)state;
    loaded m =
        load("model o\nparam r = 1 [m], idle = 3\ncoord x, y [m]\nparticle P : 1 [kg] at (x, "
             "y)\nperiodic x period 2*r\n"
             "observe v = norm(P') [km/h], where = (x, y)\nevent hit : x falling "
             "stop\nevent top : y' both\n"
             "body b : sphere(1 [kg], r) at (x, y)\ndraw b, P, line (0, 0) to P, box(r, r, "
             "2*r) on b at (0, 0, r)\n"
             "trace P\n");
    const char *const names[] = {"x'", "y'"};
    const double at[] = {3, 4};
    assert_string_equal(m.s->observable[0].unit, "km/h");
    assert_close(value(m, m.s->observable[0].value, 2, names, at), 18, 1e-14);
    assert_int_equal(m.s->nobservable, 3);
    assert_string_equal(m.s->observable[2].name, "where.y");
    assert_int_equal(m.s->event[0].direction, -1);
    assert_true(m.s->event[0].stop);
    assert_int_equal(m.s->event[1].direction, 0);
    assert_false(m.s->event[1].stop);
    assert_same(m, m.s->coord[0].period, "2*r");
    assert_int_equal(m.s->ndrawing, 5);
    assert_string_equal(m.s->drawing[0].shape, "sphere");
    assert_string_equal(m.s->drawing[2].shape, "line");
    assert_string_equal(m.s->drawing[4].shape, "trace");
    const char *const *notes;
    assert_int_equal(zw_model_unused(m.s, &notes), 2);
    assert_non_null(strstr(notes[0], "periodic"));
    assert_string_equal(notes[1], "the parameter 'idle' (line 2) is used nowhere");
    unload(m);
}

/* a word for a span is a name where no point follows it */
static void test_model__drawings(void **state) {
    (void)state;
    loaded m = load(
        "model d\nparam r = 1 [m]\ncoord x, y [m]\nparticle spring : 1 [kg] at (x, y)\n"
        "frame F : rotate z 0.1 at (x, 0, 0)\n"
        "draw spring, link spring to (0, 0) radius r/10 colour blue, arrow spring to 2*spring\n"
        "draw cone(r, 2*r) on F at (r, 0, 0) clear colour red, plane(r, r) at (0, 0)\n"
        "body b : F, cylinder(1 [kg], r, r) - cylinder(0.1 [kg], r/3, r) at (r/2, 0, 0)\n"
        "body c : F, mass(1 [kg])\n"
        "draw b color teal, c ; trace spring clear\n"
        "draw torus(r, r/5) on F, disk(r, r/5) at (0, 0)\n");
    static const struct {
        const char *shape, *name, *colour;
        bool clear, framed;
        int n;
    } want[] = {
        {"point", "spring", "", false, false, 0},
        {"link", "", "blue", false, false, 4},
        {"arrow", "", "", false, false, 3},
        {"cone", "F", "red", true, true, 2},
        {"plane", "", "", false, false, 2},
        {"cylinder", "b", "teal", false, true, 2},
        {"hole cylinder", "b", "teal", false, true, 2},
        {"axes", "c", "", false, true, 0},
        {"trace", "spring", "", true, false, 0},
        {"torus", "F", "", false, true, 2},
        {"disk", "", "", false, false, 2},
    };
    assert_int_equal(m.s->ndrawing, 11);
    for (int i = 0; i < 11; i++) {
        const zw_drawing *d = &m.s->drawing[i];
        assert_string_equal(d->shape, want[i].shape);
        assert_string_equal(d->name, want[i].name);
        assert_string_equal(d->colour, want[i].colour);
        assert_int_equal(d->clear, want[i].clear);
        assert_int_equal(d->frame >= 0, want[i].framed);
        assert_int_equal(d->n, want[i].n);
    }
    assert_same(m, m.s->drawing[1].numbers[3], "r/10");
    assert_same(m, m.s->drawing[2].numbers[1], "2*y");
    assert_same(m, m.s->drawing[6].at[0], "r/2");
    unload(m);
}

/* ----------------------------------------------------------------------------------- the models */

static const char *model_path(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/models/%s.zw", ZW_SOURCE_DIR, name);
    return path;
}

static loaded load_model(const char *name, const zw_model_options *options) {
    loaded m = {zw_context_create(NULL), NULL};
    zw_error err = {0};
    if (zw_model_read(&m.s, m.ctx, model_path(name), options, &err) < 0)
        fail_msg("%s:%d: %s", name, err.line, err.text);
    return m;
}

static void test_model__turntable_ball(void **state) {
    (void)state;
    loaded m = load_model("turntable_ball", NULL);
    assert_int_equal(m.s->nq, 6);
    assert_int_equal(m.s->nv, 5);
    assert_same(m, m.s->constraint[0].residual, "x' - r*ball.wy + Omega*y");
    assert_same(m, m.s->constraint[1].residual, "y' + r*ball.wx - Omega*x");
    assert_close(constant(m, expr(m, "m")), 66.926e-3, 1e-6);
    /* T = m/2 (x'^2 + y'^2) + I/2 |w|^2 */
    const char *const names[] = {"x'",      "y'",      "ball.wx", "ball.wy", "ball.wz",
                                 "ball.p0", "ball.p1", "ball.p2", "ball.p3"};
    const double at[] = {0.1, 0.2, 3, -4, 5, 0.5, 0.5, 0.5, 0.5};
    double mass = constant(m, expr(m, "m")), I = 0.4 * mass * 0.0127 * 0.0127;
    assert_close(value(m, m.s->T, 9, names, at) * 1e3, (mass / 2 * 0.05 + I / 2 * 50) * 1e3, 1e-12);
    unload(m);

    /* (3.6) as printed, at a random state, in cgs units */
    static const char *const set[] = {"nu=5g/s", "mu_rot=6 [g*cm^2/s]", "delta=0.005"};
    m = load_model("turntable_ball",
                   &(zw_model_options){.variant = "printed", .nset = 3, .set = set});
    assert_int_equal(m.s->nconstraint, 0);
    const char *const state_names[] = {"x", "y", "x'", "y'"};
    const double x = 7, y = -3, vx = 2, vy = 11, r = 2.54, W = 1.5 * acos(-1.0); /* cm, s */
    const double si[] = {x / 100, y / 100, vx / 100, vy / 100};
    double mg = 66.926, Ic = 0.4 * mg * r * r, ux = vx + W * y, uy = vy - W * x, u = hypot(ux, uy);
    double right_x = -(6 + 5 * r * r) * vx - Ic * W * vy - 6 * W * y + 0.005 * mg * 981 * ux / u;
    double right_y = -(6 + 5 * r * r) * vy + Ic * W * vx + 6 * W * x + 0.005 * mg * 981 * uy / u;
    double Qx = 0, Qy = 0;
    for (int i = 0; i < m.s->nforce; i++) {
        Qx += value(m, m.s->force[i].Q[0], 4, state_names, si);
        Qy += value(m, m.s->force[i].Q[1], 4, state_names, si);
    }
    double inertia = value(m, zw_diff(m.ctx, zw_diff(m.ctx, m.s->T, expr(m, "x'")), expr(m, "x'")),
                           4, state_names, si);
    assert_close(100 * Qx / inertia, right_x / (Ic + mg * r * r), 1e-4);
    assert_close(100 * Qy / inertia, right_y / (Ic + mg * r * r), 1e-4);
    unload(m);
}

/* (46): phi'' and zeta'' from T, V, R by hand against the printed equations */
static void test_model__absorber_planar(void **state) {
    (void)state;
    loaded m = load_model("absorber_planar", NULL);
    const char *const names[] = {"t", "u", "phi", "u'", "phi'", "u''", "phi''"};
    const double t = 0.7, phi = 0.4, zeta = 0.1, dphi = -0.8, dzeta = 0.3, ddzeta = 1.7,
                 ddphi = -2.2, q = 0.71;
    const double at[] = {t, zeta * q, phi, dzeta * q, dphi, ddzeta * q, ddphi};
    double residual[2], weight[2] = {10 * q, 2 * q * q / (5.0 / 7)};
    static const char *const coord[] = {"u", "phi"};
    for (int i = 0; i < 2; i++) {
        char rate[16];
        snprintf(rate, sizeof rate, "%s'", coord[i]);
        zw_expr qi = expr(m, coord[i]), vi = expr(m, rate);
        zw_expr momentum_rate = zw_system_dt(m.s, zw_diff(m.ctx, m.s->T, vi));
        residual[i] = value(m, momentum_rate, 7, names, at) -
                      value(m, zw_diff(m.ctx, m.s->T, qi), 7, names, at) +
                      value(m, zw_diff(m.ctx, m.s->potential, qi), 7, names, at) +
                      value(m, zw_diff(m.ctx, m.s->dissipation, vi), 7, names, at);
        for (int k = 0; k < m.s->nforce; k++)
            residual[i] -= value(m, m.s->force[k].Q[i], 7, names, at);
        residual[i] /= weight[i];
    }
    double mu = 0.2, kappa = 5.0 / 7;
    assert_close(residual[0],
                 mu * ddphi * cos(phi) - mu * dphi * dphi * sin(phi) + (1 + mu) * ddzeta +
                     0.2 * dzeta + 14 * zeta - 0.5 * sin(3 * t),
                 1e-13);
    assert_close(residual[1],
                 ddphi + kappa * 0.1 * dphi + kappa * 9.81 / q * sin(phi) +
                     kappa * ddzeta * cos(phi),
                 1e-13);
    unload(m);
}

/* The start of the cavity ball is the horizontal circle, and rolling has its true form. */
static void test_model__ball_in_cavity(void **state) {
    (void)state;
    loaded m = load_model("ball_in_cavity", NULL);
    assert_int_equal(m.s->nconstraint, 3);
    const char *const names[] = {"x", "y", "z", "x'", "y'", "z'", "ball.wx", "ball.wy", "ball.wz"};
    /* s along x: n = (1, 0, 0), so s' = r (0, -wz, wy) */
    const double at[] = {0.85, 0, 0, 0, -0.15 * 3, 0.15 * 2, 7, 2, 3};
    for (int i = 0; i < 3; i++)
        assert_close(value(m, m.s->constraint[i].residual, 9, names, at), 0, 1e-15);
    assert_close(constant(m, expr(m, "circle_rate")),
                 sqrt(5 * 9.81 / (7 * 0.85 * cos(40 * acos(-1.0) / 180))), 1e-14);
    unload(m);
}

/* A system that no text describes: its names serve expressions all the same. */
static void test_model__expressions_over_a_system_from_c(void **state) {
    (void)state;
    loaded m = {zw_context_create(NULL), NULL};
    const zw_place nowhere = {0};
    zw_expr k, x, y, u[2], origin[3] = {ZW_ZERO, ZW_ZERO, ZW_ZERO}, inertia[6] = {ZW_ZERO};
    int frame;
    assert_int_equal(zw_system_create(&m.s, m.ctx, "c", "", NULL), ZW_OK);
    assert_int_equal(zw_system_param(m.s, "k", "N/m", ZW_TWO, nowhere, &k, NULL), ZW_OK);
    assert_int_equal(zw_system_coord(m.s, "x", "m", nowhere, &x, NULL), ZW_OK);
    assert_int_equal(zw_system_coord(m.s, "y", "m", nowhere, &y, NULL), ZW_OK);
    zw_expr rx = zw_system_rate(m.s, x), ry = zw_system_rate(m.s, y);
    const zw_expr def[2] = {zw_add(m.ctx, rx, ry), zw_sub(m.ctx, rx, ry)};
    static const char *const names[2] = {"u", "v"}, *const units[2] = {"m/s", "m/s"};
    const zw_place places[2] = {{0}, {0}};
    assert_int_equal(zw_system_quasi(m.s, 2, names, units, def, places, u, NULL), ZW_OK);
    assert_int_equal(zw_system_frame_free(m.s, "B", origin, true, nowhere, &frame, NULL), ZW_OK);
    for (int i = 0; i < 6; i++)
        inertia[i] = i < 3 ? ZW_ONE : ZW_ZERO;
    assert_int_equal(zw_system_body(m.s, "ball", frame, k, origin, inertia, nowhere, NULL), ZW_OK);
    const zw_expr at[3] = {x, y, ZW_ZERO};
    assert_int_equal(zw_system_particle(m.s, "P", ZW_ONE, at, nowhere, NULL), ZW_OK);
    assert_int_equal(
        zw_system_constraint(m.s, "c.1", zw_sub(m.ctx, x, y), "m", true, nowhere, NULL), ZW_OK);
    assert_int_equal(zw_system_finish(m.s, NULL), ZW_OK);
    assert_int_equal(expr(m, "k*P.y"), zw_mul(m.ctx, k, y));
    assert_same(m, expr(m, "x'"), "(u + v)/2");
    assert_int_equal(expr(m, "u'"), zw_symbol(m.ctx, "u'"));
    assert_int_equal(expr(m, "B.w.z"), zw_symbol(m.ctx, "B.wz"));
    assert_int_equal(expr(m, "B.p2"), zw_symbol(m.ctx, "B.p2"));
    assert_int_equal(expr(m, "ball.mass"), k);
    assert_int_equal(expr(m, "lambda(c.1)"), zw_symbol(m.ctx, "lambda(c.1)"));
    zw_expr e;
    assert_true(zw_model_expression(&e, m.s, "q", NULL) < 0);
    unload(m);
}

/* -------------------------------------------------------------------------------- scarce memory */

typedef struct scarce {
    long left, live;
} scarce;

static void *scarce_memory(void *ud, void *ptr, size_t old_size, size_t new_size) {
    scarce *s = ud;
    if (new_size == 0) {
        s->live -= ptr != NULL;
        free(ptr);
        return NULL;
    }
    if (new_size > old_size || !ptr)
        if (s->left-- <= 0)
            return NULL;
    s->live += ptr == NULL;
    return realloc(ptr, new_size);
}

static void survives(const char *text, const zw_model_options *options) {
    bool done = false;
    int n = 0;
    for (; !done && n < 100000; n++) {
        scarce memory = {n, 0};
        zw_context *ctx = zw_context_create(&(zw_allocator){scarce_memory, &memory});
        if (ctx) {
            zw_error err = {0};
            zw_system *s;
            zw_status status = zw_model_parse(&s, ctx, text, strlen(text), "m.zw", options, &err);
            done = status == ZW_OK;
            if (!done && status != ZW_E_MEMORY)
                fail_msg("allocation %d failed, and the model says: %s", n, err.text);
            zw_context_destroy(ctx);
        }
        assert_int_equal(memory.live, 0);
    }
    assert_true(done);
    assert_true(n > 20);
}

/* a struct of another version: shorter, longer, longer with something unknown in it */
static void test_model__options_of_other_versions(void **state) {
    (void)state;
    static const char text[] =
        "model m\nunits none\nparam a = 1\ncoord x\nkinetic a*x'^2\nvariant b\nparam a = 2\nend\n";
    struct {
        zw_model_options known;
        double more;
    } newer = {.known = {.size = sizeof newer, .variant = "b"}};
    struct {
        size_t size;
        const char *variant;
    } older = {sizeof older, "b"};
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_error err = {0};
    const zw_model_options *old = (const zw_model_options *)(const void *)&older;
    assert_int_equal(zw_model_parse(&s, ctx, text, sizeof text - 1, "m.zw", old, &err), ZW_OK);
    assert_string_equal(s->variant, "b");
    assert_int_equal(zw_model_parse(&s, ctx, text, sizeof text - 1, "m.zw", &newer.known, &err),
                     ZW_OK);
    assert_string_equal(s->variant, "b");
    newer.more = 1;
    assert_int_equal(zw_model_parse(&s, ctx, text, sizeof text - 1, "m.zw", &newer.known, &err),
                     ZW_E_OPTION);
    assert_null(s);
    zw_context_destroy(ctx);
}

static void test_model__survives_any_failing_allocation(void **state) {
    (void)state;
    static const char text[] =
        "model m \"t\"\nparam r = 1 [cm], k = 3 [N/m]\nlet c = 2*r\ncoord x, y [m], th [rad]\n"
        "frame R : rotate z th\npoint A : R(r, 0, 0)\nbody b : sphere(1 [kg], r) at (x, y, r)\n"
        "spring s : k, A to b.origin, length c\nconstraint roll : x' - r*b.w.y = 0, y' = 0\n"
        "input p = table (0, 0), (1 [s], 1 [N])\nforce f (x) = p - 0.1*lambda(roll.1)\n"
        "kinetic 1 [kg*m^2]*th'^2\nobserve o = (x*th)'\nstart x = c\ndraw b ; trace A\n"
        "rotation E euler zxz (al, be, ga)\nbody d : E at (0, 0, x), disk(1 [kg], r)\n"
        "rolling edge : disk d radius r on plane\nrolling q off : sphere b radius r on plane\n"
        "observe low = edge.point\nindependent th'\nstart lambda(edge.2) = 0\n"
        "variant w\nparam r = 2 [cm]\nend\n";
    static const char *const set[] = {"k=4 N/m", "y=3cm"};
    const zw_model_options options = {.variant = "w", .nset = 2, .set = set};
    survives(text, &options);
    static const char states[] =
        "model m\nparam T = 1 [s]\ninput u = signal [N]\ncoord x, y [m]\n"
        "state f [N] : f' = (u - f)/T\nstate a, b [m] : a' = (x - a)/T, b' = a' - b/T\n"
        "quasi p = x' + a/b*y', q = y'\nparticle P : 1 [kg] at (x, y)\nforce (x) = f + u\n"
        "constraint c : q'' = 1 [m/s^3]\nstart q' = 1 [m/s^2], b = 1 [m]\n"
        "event e : f - 1 [N] rising, set f = 0, q' = 0\nobserve o = a''\n";
    static const char *const table[] = {"u=table (0, 1 [N]), (1 [s], 2 [N]) hold"};
    survives(states, &(zw_model_options){.nset = 1, .set = table});
    static const char contacts[] =
        "model m\nparam r = 1 [cm], mu = 0.3\ncoord x, y, z [m]\nrotation B\n"
        "body b : B at (x, y, z), inertia(1 [kg], 1 [kg*m^2], 1 [kg*m^2], 1 [kg*m^2])\n"
        "contact a : gap z, slip b.velocity(b.origin), spin b.w.z, at b.origin, law newton(0.5)\n"
        "contact c : disk b radius r on plane, stop, law coulomb(mu) + contour(mu)\n"
        "contact d off : disk b radius r on plane x, three points, law contensou(mu, r, ring, mu)\n"
        "contact e : ellipsoid b (r, r, 2*r) on plane (1, 0, 1) height r, law rolling(mu, r)\n"
        "contact f : sphere b radius r inside sphere centre (r, 0, 0) radius 2*r, law linear(1 "
        "[kg/s])\n"
        "contact g : point b.origin of b on surface z - x*y/r, bilateral\n"
        "observe o = gap(d.b) + norm(slip(c))*1 [s], h = lambda(c.2)\n"
        "variant w\ncontact c : law none\nend\n";
    static const char *const law[] = {"a=smooth(mu, 1 [m/s])", "e=bilateral"};
    survives(contacts,
             &(zw_model_options){
                 .size = sizeof(zw_model_options), .variant = "w", .nlaw = 2, .law = law});
}

/* a pair beside a vector of three lies in the plane z = 0, in sums, equations and starts */
static void test_model__plane_and_space(void **state) {
    (void)state;
    loaded m = load("model plane\nparam a = 2 [m]\ncoord x, y, z [m], p, q [rad]\n"
                    "frame A : rotate z p\nframe B : rotate z q\n"
                    "let v = (x, y) + (0, 0, z)\nlet w = (x, y, z) - (y, x)\n"
                    "particle P : 1 [kg] at (x, y, z)\n"
                    "point C : (0, 0) + A(a, 0, 0)\npoint D : (1 [m], 0) + B(a, 0, 0)\n"
                    "particle M : 1 [kg] at C\nparticle N : 1 [kg] at D\n"
                    "constraint loop : C = D\nconstraint here off : (x, y, z) = (a, a)\n"
                    "constraint two : (x, 0, z) = (y, 0, y), p = q\n"
                    "start C = (a, 0)\n");
    assert_true(expr(m, "v.z") == expr(m, "z") && expr(m, "v.x") == expr(m, "x"));
    assert_true(expr(m, "w.z") == expr(m, "z"));
    assert_int_equal(m.s->nconstraint, 2 + 3 + 3);
    static const char *const names[] = {"loop.1", "loop.2", "here.1", "here.2",
                                        "here.3", "two.1",  "two.3",  "two.4"};
    for (int i = 0; i < 8; i++)
        assert_string_equal(m.s->constraint[i].name, names[i]);
    assert_true(m.s->constraint[4].residual == expr(m, "z"));
    assert_int_equal(m.s->nstart, 2);
    unload(m);
}

static int resting_centres(const char *body) {
    char text[400];
    const char *const *note;
    int found = 0;
    snprintf(text, sizeof text,
             "model rod\nparam l = 1 [m], m = 1 [kg]\ncoord ph [rad], x [m]\nkinetic x'^2*m\n"
             "frame R : rotate z ph\nframe F : rotate z 0.3\n%s\n",
             body);
    loaded m = load(text);
    int n = zw_model_unused(m.s, &note);
    for (int i = 0; i < n; i++)
        found += strstr(note[i], "'B'") && strstr(note[i], "which is at rest");
    unload(m);
    return found;
}

/* `at` behind a frame is a place in space: said where a body turns about a centre that rests */
static void test_model__resting_centre_is_noted(void **state) {
    (void)state;
    assert_int_equal(resting_centres("body B : R at (l/2, 0, 0), rod(m, l)"), 1);
    assert_int_equal(resting_centres("body B : R, rod(m, l) at (l/2, 0, 0)"), 0);
    assert_int_equal(resting_centres("body B : R at (l, 0, 0), rod(m, l) at (l/2, 0, 0)"), 0);
    assert_int_equal(resting_centres("body B : R at (x, 0, 0), rod(m, l)"), 0);
    assert_int_equal(resting_centres("body B : R at (0, 0, 0), rod(m, l)"), 0);
    assert_int_equal(resting_centres("body B : F at (l, 0, 0), rod(m, l)"), 0);
}

/* the memory that a model with a sum of n terms holds */
static long bytes_of_sum(int n) {
    failing_allocator f = failing_allocator_make(0);
    zw_allocator alloc = failing_allocator_of(&f);
    zw_context *own = zw_context_create(&alloc);
    zw_system *sys;
    zw_error err = {0};
    zw_text text;
    zw_text_init(&text, NULL);
    zw_text_put(&text, "model sum\nunits none\ncoord x\nkinetic 1/2*x'^2\npotential x");
    for (int i = 2; i <= n; i++)
        zw_text_printf(&text, " %c sin(%d*x)", i % 2 ? '+' : '-', i);
    zw_text_put(&text, "\n");
    assert_int_equal(
        zw_model_parse(&sys, own, zw_text_get(&text), text.length, "sum.zw", NULL, &err), ZW_OK);
    zw_text_clear(&text);
    int count;
    zw_expr_args(own, sys->potential, &count);
    assert_int_equal(count, 2 * n + 1);
    long bytes = f.bytes;
    zw_context_destroy(own);
    assert_int_equal(f.bytes, 0);
    return bytes;
}

/* a long sum is one node: the sums on the way to it are not kept, which would take n^2 */
static void test_model__long_sums_are_linear(void **state) {
    (void)state;
    assert_true(bytes_of_sum(8000) < 5 * bytes_of_sum(2000));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model__plane_and_space),
        cmocka_unit_test(test_model__resting_centre_is_noted),
        cmocka_unit_test(test_model__parameters_in_any_order),
        cmocka_unit_test(test_model__settings_from_outside),
        cmocka_unit_test(test_model__variants_replace_add_and_remove),
        cmocka_unit_test(test_model__given_work_of_constraints),
        cmocka_unit_test(test_model__inputs_are_functions_of_time),
        cmocka_unit_test(test_model__tables_come_from_files),
        cmocka_unit_test(test_model__solids_have_their_textbook_inertia),
        cmocka_unit_test(test_model__holes_are_subtracted),
        cmocka_unit_test(test_model__parallel_axes),
        cmocka_unit_test(test_model__free_bodies_choose_their_components),
        cmocka_unit_test(test_model__angular_velocity_is_that_of_the_axes),
        cmocka_unit_test(test_model__points_and_material_points),
        cmocka_unit_test(test_model__springs_dampers_gravity),
        cmocka_unit_test(test_model__forces_reach_the_coordinates),
        cmocka_unit_test(test_model__constraints_are_switched_by_name),
        cmocka_unit_test(test_model__quasi_velocities_replace_rates),
        cmocka_unit_test(test_model__observables_events_drawings),
        cmocka_unit_test(test_model__drawings),
        cmocka_unit_test(test_model__turntable_ball),
        cmocka_unit_test(test_model__absorber_planar),
        cmocka_unit_test(test_model__ball_in_cavity),
        cmocka_unit_test(test_model__expressions_over_a_system_from_c),
        cmocka_unit_test(test_model__options_of_other_versions),
        cmocka_unit_test(test_model__survives_any_failing_allocation),
        cmocka_unit_test(test_model__long_sums_are_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
