/* SPDX-License-Identifier: MIT */
/* Models that draw nothing: what is shown of them, against what their statements say. */
#include "support/test.h"

#include "zwang/model.h"
#include "zwang/simulate.h"

typedef struct drawn {
    zw_context *ctx;
    zw_system *s;
    zw_scene *scene;
    zw_table *result;
    double p[16];
    char words[1000]; /* shapes with names: "point:bob link trace:bob" */
} drawn;

enum { COLUMNS_MAX = 15, ROWS = 21 };

static drawn draw(const char *text, int n, const char *const *names,
                  void (*f)(double t, double *x)) {
    drawn d = {.ctx = zw_context_create(NULL), .result = zw_table_create(NULL)};
    zw_error err = {0};
    zw_table_note(d.result, "text", text);
    zw_table_column(d.result, "t", "s");
    for (int i = 0; i < n; i++)
        zw_table_column(d.result, names[i], "");
    for (int i = 0; i < ROWS; i++) {
        double row[COLUMNS_MAX + 1] = {0.05 * i};
        f(row[0], row + 1);
        zw_table_row(d.result, row);
    }
    if (zw_result_system(&d.s, d.ctx, d.result, &err) < 0 ||
        zw_result_params(d.result, d.s, d.p, &err) < 0 ||
        zw_scene_create(&d.scene, d.s, d.p, d.result, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(d.scene->nmissing, 0);
    for (int i = 0; i < d.scene->nitem; i++) {
        const zw_drawing *item = d.scene->item[i].drawing;
        size_t used = strlen(d.words);
        snprintf(d.words + used, sizeof d.words - used, "%s%s%s%s", i ? " " : "", item->shape,
                 item->name[0] ? ":" : "", item->name);
    }
    return d;
}

static void put_away(drawn d) {
    zw_scene_destroy(d.scene);
    zw_context_destroy(d.ctx);
    zw_table_destroy(d.result);
}

static double at(const drawn *d, zw_scene_value v, long row) {
    return v.column < 0 ? v.value : zw_table_at(d->scene->motion, row, v.column);
}

static const zw_scene_item *find(const drawn *d, const char *shape, int k) {
    for (int i = 0; i < d->scene->nitem; i++)
        if (strcmp(d->scene->item[i].drawing->shape, shape) == 0 && k-- == 0)
            return &d->scene->item[i];
    fail_msg("no %s in %s", shape, d->words);
    return NULL;
}

/* both ends of a link at a row, whichever is called first */
static void assert_link(const drawn *d, int k, long row, const double a[3], const double b[3]) {
    const zw_scene_item *link = find(d, "link", k);
    double straight = 0, crossed = 0;
    for (int i = 0; i < 3; i++) {
        double from = at(d, link->at[i], row), to = at(d, link->number[i], row);
        straight = fmax(straight, fmax(fabs(from - a[i]), fabs(to - b[i])));
        crossed = fmax(crossed, fmax(fabs(from - b[i]), fabs(to - a[i])));
    }
    assert_true(fmin(straight, crossed) < 1e-6);
}

#define DRAW(text, f, ...)                                                                         \
    draw(text, (int)(sizeof(const char *[]){__VA_ARGS__} / sizeof(char *)),                        \
         (const char *[]){__VA_ARGS__}, f)

static const double origin[3] = {0, 0, 0};

/* ----------------------------------------------------------------------------------- pendulums */

static void two_angles(double t, double *x) {
    x[0] = 1 + t;
    x[1] = 0.3 - 2 * t * t;
}

static void test_sketch__pendulum_has_a_rod_and_a_bob(void **state) {
    (void)state;
    drawn d = DRAW("model pendulum\nparam m = 1 [kg], l = 0.5 [m]\ncoord phi [rad]\n"
                   "particle bob : m at (l*sin(phi), -l*cos(phi))\n",
                   two_angles, "phi");
    assert_string_equal(d.words, "point:bob link trace:bob");
    assert_true(d.scene->sketched);
    assert_link(&d, 0, 7, origin, (double[]){0.5 * sin(1.35), -0.5 * cos(1.35), 0});
    put_away(d);
}

static void circle(double t, double *x) {
    x[0] = 0.5 * sin(1 + t);
    x[1] = -0.5 * cos(1 + t);
}

static void test_sketch__a_constraint_is_a_rod_too(void **state) {
    (void)state;
    drawn d = DRAW("model pendulum\nparam m = 1 [kg], l = 0.5 [m]\ncoord x, y [m]\n"
                   "particle bob : m at (x, y)\nconstraint rod : x^2 + y^2 = l^2\n",
                   circle, "x", "y");
    assert_string_equal(d.words, "point:bob link trace:bob");
    put_away(d);
}

static void test_sketch__a_circular_orbit_is_no_rod(void **state) {
    (void)state;
    drawn d = DRAW("model planet\nparam m = 1 [kg]\ncoord x, y [m]\nparticle earth : m at (x, y)\n",
                   circle, "x", "y");
    assert_string_equal(d.words, "point:earth trace:earth");
    put_away(d);
}

static void test_sketch__double_pendulum_has_two(void **state) {
    (void)state;
    drawn d = DRAW("model double\nparam m = 1 [kg], l = 1 [m]\ncoord a, b [rad]\n"
                   "particle P : 8*m at (l*sin(a), -l*cos(a))\n"
                   "particle Q : m at (l*sin(a) + l*sin(b), -l*cos(a) - l*cos(b))\n",
                   two_angles, "a", "b");
    assert_string_equal(d.words, "point:P point:Q link link trace:Q");
    double P[3] = {sin(1.5), -cos(1.5), 0}, Q[3] = {sin(1.5) + sin(-0.2), -cos(1.5) - cos(-0.2), 0};
    assert_link(&d, 0, 10, origin, P);
    assert_link(&d, 1, 10, P, Q);
    /* volumes as masses */
    assert_close(find(&d, "point", 0)->number[0].value, 2 * find(&d, "point", 1)->number[0].value,
                 1e-12);
    put_away(d);
}

/* hung where no statement says it: the path alone has the pivot */
static void test_sketch__pivots_are_found(void **state) {
    (void)state;
    drawn d = DRAW("model hung\nparam m = 1 [kg], l = 0.5 [m], h = 3 [m]\ncoord phi [rad]\n"
                   "particle bob : m at (l*sin(phi) - h, 0.2 [m], h - l*cos(phi))\n",
                   two_angles, "phi");
    assert_string_equal(d.words, "point:bob link trace:bob");
    assert_link(&d, 0, 0, (double[]){-3, 0.2, 3},
                (double[]){0.5 * sin(1) - 3, 0.2, 3 - 0.5 * cos(1)});
    put_away(d);
}

/* ---------------------------------------------------------------------------------- mechanisms */

/* a parallelogram: crank and rocker of length 1, coupler of length 2 */
static void turn_cranks(double t, double *x) {
    x[0] = cos(1 + t);
    x[1] = sin(1 + t);
    x[2] = 2 + x[0];
    x[3] = x[1];
}

static void test_sketch__a_four_bar_chain_has_its_bars(void **state) {
    (void)state;
    drawn d = DRAW("model chain\nparam m = 1 [kg], l = 1 [m]\ncoord x, y, u, v [m]\n"
                   "particle P : m at (x, y)\nparticle Q : m at (u, v)\npoint D : (2*l, 0)\n"
                   "constraint crank : x^2 + y^2 = l^2\n"
                   "constraint coupler : (u - x)^2 + (v - y)^2 = 4*l^2\n"
                   "constraint rocker : (u - 2*l)^2 + v^2 = l^2\n",
                   turn_cranks, "x", "y", "u", "v");
    assert_string_equal(d.words, "point:P point:Q link link link trace:Q");
    put_away(d);
}

/* a rod is drawn as what it is and needs no link; a disc at the end of an arm needs its arm */
static void test_sketch__links_are_not_drawn_through_solids(void **state) {
    (void)state;
    drawn d = DRAW("model solids\nparam m = 1 [kg], l = 1 [m]\ncoord a, b [rad]\n"
                   "frame A : rotate z a\nbody arm : A, rod(m, l) at (l/2, 0, 0)\n"
                   "frame B : rotate z b\n"
                   "body hand : B at (l*cos(a), l*sin(a), 0), disk(m, l/9) at (l/2, 0, 0)\n",
                   two_angles, "a", "b");
    assert_string_equal(d.words, "rod:arm disk:hand link trace:hand");
    assert_link(&d, 0, 0, (double[]){cos(1), sin(1), 0},
                (double[]){cos(1) + 0.5 * cos(0.3), sin(1) + 0.5 * sin(0.3), 0});
    put_away(d);
}

static void slide(double t, double *x) {
    x[0] = 0.5 + 0.1 * sin(5 * t);
    x[1] = 0.8 + 0.1 * sin(7 * t);
}

static void test_sketch__springs_and_dampers(void **state) {
    (void)state;
    drawn d = DRAW("model springs\nparam m = 1 [kg], k = 1 [N/m], l = 0.1 [m]\ncoord x, y [m]\n"
                   "particle P : m at (x, 0)\nparticle Q : m at (y, 0)\n"
                   "spring s : k, (0, 0, l) to P, length l\ndamper c : 1 [kg/s], P to Q\ntrace P\n",
                   slide, "x", "y");
    assert_string_equal(d.words, "point:P point:Q spring:s damper:c trace:P");
    assert_close(at(&d, find(&d, "spring", 0)->at[2], 0), 0.1, 1e-15);
    assert_close(at(&d, find(&d, "damper", 0)->number[0], 3), 0.8 + 0.1 * sin(7 * 0.15), 1e-15);
    put_away(d);
}

/* --------------------------------------------------------------------------------------- bodies */

/* the moments of an ellipsoid of half axes 3, 2, 1 about its axes, turned by 45 degrees about z */
static void test_sketch__inertia_becomes_its_ellipsoid(void **state) {
    (void)state;
    drawn d = DRAW("model stone\nparam m = 5 [kg], J = 1 [kg*m^2]\ncoord x, y [m]\n"
                   "frame still : rotate z 0 [rad] at (x, y, 0)\n"
                   "body stone : still, inertia(m, 7.5*J, 7.5*J, 13*J, -2.5*J, 0*J, 0*J)\n",
                   slide, "x", "y");
    assert_string_equal(d.words, "ellipsoid:stone trace:stone");
    const zw_scene_item *stone = find(&d, "ellipsoid", 0);
    double a[3], most = 0, least = INFINITY;
    for (int i = 0; i < 3; i++) {
        a[i] = stone->number[i].value;
        most = fmax(most, a[i]);
        least = fmin(least, a[i]);
    }
    assert_close(most, 3, 1e-9);
    assert_close(least, 1, 1e-9);
    assert_close(a[0] + a[1] + a[2], 6, 1e-9);
    /* the long axis lies along (1, 1, 0): the inertia is least about it */
    double e[4], along = 0;
    for (int i = 0; i < 4; i++)
        e[i] = stone->turn[i].value;
    int k = a[0] > 2.5 ? 0 : a[1] > 2.5 ? 1 : 2, i = (k + 1) % 3, j = (k + 2) % 3;
    double axis[3];
    axis[k] = 1 - 2 * (e[1 + i] * e[1 + i] + e[1 + j] * e[1 + j]);
    axis[i] = 2 * (e[1 + k] * e[1 + i] + e[0] * e[1 + j]);
    axis[j] = 2 * (e[1 + k] * e[1 + j] - e[0] * e[1 + i]);
    along = fabs(axis[0] + axis[1]) / sqrt(2);
    assert_close(along, 1, 1e-9);
    put_away(d);
}

static void roll(double t, double *x) {
    x[0] = 0.2 + t;
    x[1] = 0.3;
    x[2] = 0.1;
    x[3] = 2 * t;
    x[4] = 1;
    x[5] = x[6] = x[7] = 0;
}

#define BALL "x", "y", "z", "a", "ball.p0", "ball.p1", "ball.p2", "ball.p3"

/* level ground is there anyway; a slope is a plane, a turntable a disc as large as the motion on
 * it */
static void test_sketch__what_things_roll_on(void **state) {
    (void)state;
    static const char text[] = "model roll\nparam m = 1 [kg], r = 0.1 [m], J = 1 [kg*m^2]\n"
                               "coord x, y, z [m], a [rad]\nbody ball : sphere(m, r) at (x, y, z)\n"
                               "gravity 9.81 [m/s^2] along -z\nkinetic J*a'^2\n%s";
    char whole[600];
    snprintf(whole, sizeof whole, text, "rolling k : sphere ball radius r on plane\n");
    drawn level = DRAW(whole, roll, BALL);
    assert_string_equal(level.words, "sphere:ball trace:ball");
    put_away(level);
    snprintf(whole, sizeof whole, text,
             "frame S : rotate y 0.4 [rad]\nrolling k : sphere ball radius r on plane of S\n");
    drawn slope = DRAW(whole, roll, BALL);
    assert_string_equal(slope.words, "sphere:ball plane trace:ball");
    assert_close(fabs(find(&slope, "plane", 0)->turn[2].value), sin(0.2), 1e-9);
    put_away(slope);
    snprintf(whole, sizeof whole, text,
             "frame T : rotate z a\nrolling k : sphere ball radius r on plane of T\n");
    drawn table = DRAW(whole, roll, BALL);
    assert_string_equal(table.words, "sphere:ball disk trace:ball");
    double R = find(&table, "disk", 0)->number[0].value;
    assert_true(R > 1.25 && R < 2);
    put_away(table);
}

static void swing_in_bowl(double t, double *x) {
    roll(t, x);
    x[0] = 0.9 * sin(1 - t);
    x[1] = 0;
    x[2] = 1 - 0.9 * cos(1 - t);
}

/* the middle of a cavity is the pivot of a ball in it, and no rod leads there */
static void test_sketch__a_ball_in_a_cavity_has_no_rod(void **state) {
    (void)state;
    static const char text[] =
        "model bowl\nparam m = 1 [kg], r = 0.1 [m], R = 1 [m]\ncoord x, y, z [m], a [rad]\n"
        "body ball : sphere(m, r) at (x, y, z)\nkinetic 1 [kg*m^2]*a'^2\npoint C : (0, 0, R)\n%s";
    char whole[600];
    snprintf(whole, sizeof whole, text,
             "rolling k : sphere ball radius r on sphere centre C radius R inside, slipping\n");
    drawn bowl = DRAW(whole, swing_in_bowl, BALL);
    assert_string_equal(bowl.words, "sphere:ball shell:k trace:ball");
    put_away(bowl);
    snprintf(whole, sizeof whole, text, "constraint k : x^2 + y^2 + (z - R)^2 = (R - r)^2\n");
    drawn rod = DRAW(whole, swing_in_bowl, BALL);
    assert_string_equal(rod.words, "sphere:ball link trace:ball");
    put_away(rod);
}

static void test_sketch__what_has_no_place_is_not_shown(void **state) {
    (void)state;
    drawn d = DRAW("model bare\nparam m = 1 [kg]\ncoord x, y [m]\nkinetic m*(x'^2 + y'^2)\n", slide,
                   "x", "y");
    assert_string_equal(d.words, "");
    assert_false(d.scene->sketched);
    put_away(d);
}

/* a result by Hamilton's equations has no velocities: links need none */
static void test_sketch__positions_are_enough(void **state) {
    (void)state;
    drawn d = DRAW("model p\nparam m = 1 [kg], l = 1 [m]\ncoord a, x [m]\n"
                   "particle C : m at (x, 0)\nparticle P : m at (x + l*sin(a/l), -l*cos(a/l))\n",
                   two_angles, "a", "x");
    assert_string_equal(d.words, "point:C point:P link trace:P");
    put_away(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sketch__pendulum_has_a_rod_and_a_bob),
        cmocka_unit_test(test_sketch__a_constraint_is_a_rod_too),
        cmocka_unit_test(test_sketch__a_circular_orbit_is_no_rod),
        cmocka_unit_test(test_sketch__double_pendulum_has_two),
        cmocka_unit_test(test_sketch__pivots_are_found),
        cmocka_unit_test(test_sketch__a_four_bar_chain_has_its_bars),
        cmocka_unit_test(test_sketch__links_are_not_drawn_through_solids),
        cmocka_unit_test(test_sketch__springs_and_dampers),
        cmocka_unit_test(test_sketch__inertia_becomes_its_ellipsoid),
        cmocka_unit_test(test_sketch__what_things_roll_on),
        cmocka_unit_test(test_sketch__a_ball_in_a_cavity_has_no_rod),
        cmocka_unit_test(test_sketch__what_has_no_place_is_not_shown),
        cmocka_unit_test(test_sketch__positions_are_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
