/* SPDX-License-Identifier: MIT */
/* Drawings along made-up results, against what the geometry says. */
#include "test.h"

#include <jansson.h>

#include "failing_allocator.h"
#include "zwang/model.h"
#include "zwang/result.h"
#include "zwang/scene.h"

typedef struct drawn {
    zw_context *ctx;
    zw_system *s;
    zw_scene *scene;
    zw_table *result;
    double p[8];
} drawn;

/* a result with columns t, names..., rows of f(t) */
static zw_table *made_up(const char *text, int n, const char *const *names, int rows,
                         void (*f)(double t, double *x)) {
    zw_table *t = zw_table_create(NULL);
    zw_table_note(t, "text", text);
    zw_table_column(t, "t", "s");
    for (int i = 0; i < n; i++)
        zw_table_column(t, names[i], "");
    for (int i = 0; i < rows; i++) {
        double row[16] = {0.05 * i};
        f(row[0], row + 1);
        zw_table_row(t, row);
    }
    return t;
}

static drawn draw(zw_table *result) {
    drawn d = {.ctx = zw_context_create(NULL), .result = result};
    zw_error err = {0};
    if (zw_result_system(&d.s, d.ctx, result, &err) < 0 ||
        zw_result_params(result, d.s, d.p, &err) < 0 ||
        zw_scene_create(&d.scene, d.s, d.p, result, &err) < 0)
        fail_msg("%s", err.text);
    if (zw_table_columns(d.scene->motion))
        assert_int_equal(zw_table_rows(d.scene->motion), zw_table_rows(result));
    return d;
}

static void put_away(drawn d) {
    zw_scene_destroy(d.scene);
    zw_context_destroy(d.ctx);
    zw_table_destroy(d.result);
}

static double at(drawn d, zw_scene_value v, long row) {
    return v.column < 0 ? v.value : zw_table_at(d.scene->motion, row, v.column);
}

/* ------------------------------------------------------------------------- positions and spans */

static const char pendulum[] =
    "model pendulum\nparam m = 1 [kg], l = 0.5 [m]\ncoord phi [rad]\n"
    "particle bob : m at (l*sin(phi), -l*cos(phi))\ngravity 9.81 [m/s^2] along -y\n"
    "draw bob colour red, spring (0, 0) to bob radius l/20, plane(l, 2*l) at (0, 0, l) clear\n"
    "draw arrow bob to bob + bob'*1 [s]\ntrace bob\n";

static void swing(double t, double *x) {
    x[0] = cos(3 * t);
    x[1] = -3 * sin(3 * t);
}

static void test_scene__places_follow_the_result(void **state) {
    (void)state;
    drawn d = draw(made_up(pendulum, 2, (const char *[]){"phi", "phi'"}, 41, swing));
    assert_int_equal(d.scene->nitem, 5);
    assert_int_equal(d.scene->nmissing, 0);
    assert_close(d.scene->up[1], 1, 1e-15);
    const zw_scene_item *bob = &d.scene->item[0], *spring = &d.scene->item[1],
                        *plane = &d.scene->item[2], *arrow = &d.scene->item[3];
    assert_string_equal(bob->drawing->name, "bob");
    assert_string_equal(bob->drawing->colour, "red");
    assert_true(plane->drawing->clear);
    assert_int_equal(plane->number[1].column, -1);
    assert_close(plane->number[1].value, 1, 1e-15);
    assert_close(plane->at[2].value, 0.5, 1e-15);
    assert_close(spring->number[3].value, 0.025, 1e-15);
    for (long row = 0; row <= 40; row++) {
        double t = 0.05 * (double)row, phi = cos(3 * t), rate = -3 * sin(3 * t);
        assert_close(at(d, bob->at[0], row), 0.5 * sin(phi), 1e-15);
        assert_close(at(d, bob->at[1], row), -0.5 * cos(phi), 1e-15);
        assert_close(at(d, spring->number[0], row), 0.5 * sin(phi), 1e-15);
        assert_close(at(d, arrow->number[0], row), 0.5 * sin(phi) + 0.5 * cos(phi) * rate, 1e-14);
    }
    put_away(d);
}

/* ---------------------------------------------------------------------------------------- turns */

static const char tumbling[] =
    "model top\nparam m = 1 [kg], r = 0.1 [m]\ncoord x [m], a, b, c [rad]\n"
    "rotation B euler zxz (a, b, c)\nbody top : B at (x, 0, r), disk(m, r)\n"
    "frame still : rotate x 90 [deg]\n"
    "draw top, box(r, r, r) on top at (r, 0, 0), axes_of\n"
    "frame axes_of : still at (0, 0, r)\n";

static void tumble(double t, double *x) {
    x[0] = t;
    x[1] = 7 * t;
    x[2] = 1 + t;
    x[3] = -11 * t;
}

/* the vector v turned by the quaternion e: v + 2 e0 (e x v) + 2 e x (e x v) */
static void turned(const double e[4], const double v[3], double out[3]) {
    double u[3], w[3];
    for (int i = 0; i < 3; i++)
        u[i] = e[1 + (i + 1) % 3] * v[(i + 2) % 3] - e[1 + (i + 2) % 3] * v[(i + 1) % 3];
    for (int i = 0; i < 3; i++)
        w[i] = e[1 + (i + 1) % 3] * u[(i + 2) % 3] - e[1 + (i + 2) % 3] * u[(i + 1) % 3];
    for (int i = 0; i < 3; i++)
        out[i] = v[i] + 2 * e[0] * u[i] + 2 * w[i];
}

/* Euler's turn by hand: v about z by c, about x by b, about z by a */
static void by_angles(double a, double b, double c, const double v[3], double out[3]) {
    double x = v[0] * cos(c) - v[1] * sin(c), y = v[0] * sin(c) + v[1] * cos(c), z = v[2];
    double y2 = y * cos(b) - z * sin(b), z2 = y * sin(b) + z * cos(b);
    out[0] = x * cos(a) - y2 * sin(a);
    out[1] = x * sin(a) + y2 * cos(a);
    out[2] = z2;
}

static void test_scene__turns_are_those_of_the_angles(void **state) {
    (void)state;
    const char *names[] = {"x", "a", "b", "c"};
    drawn d = draw(made_up(tumbling, 4, names, 201, tumble));
    const zw_scene_item *top = &d.scene->item[0], *box = &d.scene->item[1];
    double before[4] = {0};
    for (long row = 0; row <= 200; row++) {
        double t = 0.05 * (double)row, e[4], along = 0, size = 0, r = 0.1;
        for (int k = 0; k < 4; k++) {
            e[k] = at(d, top->turn[k], row);
            along += e[k] * before[k];
            size += e[k] * e[k];
            before[k] = e[k];
        }
        assert_close(size, 1, 1e-14);
        assert_true(row == 0 || along > 0);
        for (int axis = 0; axis < 3; axis++) {
            double v[3] = {axis == 0, axis == 1, axis == 2}, got[3], want[3];
            turned(e, v, got);
            by_angles(7 * t, 1 + t, -11 * t, v, want);
            for (int i = 0; i < 3; i++)
                assert_close(got[i], want[i], 1e-13);
        }
        double arm[3];
        by_angles(7 * t, 1 + t, -11 * t, (double[]){r, 0, 0}, arm);
        assert_close(at(d, box->at[0], row), t + arm[0], 1e-13);
        assert_close(at(d, box->at[2], row), r + arm[2], 1e-13);
    }
    /* the frame at rest: a quarter turn about x */
    const zw_scene_item *axes = &d.scene->item[2];
    for (int k = 0; k < 4; k++)
        assert_int_equal(axes->turn[k].column, -1);
    assert_close(axes->turn[0].value, sqrt(0.5), 1e-15);
    assert_close(axes->turn[1].value, sqrt(0.5), 1e-15);
    put_away(d);
}

/* half turns have no first component: every branch of the conversion */
static void test_scene__half_turns(void **state) {
    (void)state;
    const char *axis[] = {"x", "y", "z"};
    for (int k = 0; k < 3; k++) {
        char text[300];
        snprintf(text, sizeof text,
                 "model half\ncoord x [m]\nkinetic 1 [kg]*x'^2/2\nframe H : rotate %s 180 [deg]\n"
                 "draw H\n",
                 axis[k]);
        drawn d = draw(made_up(text, 1, (const char *[]){"x"}, 2, tumble));
        for (int i = 0; i < 4; i++)
            assert_close(fabs(d.scene->item[0].turn[i].value), i == k + 1, 1e-15);
        put_away(d);
    }
}

/* ----------------------------------------------------------------------------- what is not there */

static void test_scene__what_the_result_has_not_is_left_out(void **state) {
    (void)state;
    drawn d = draw(made_up(pendulum, 1, (const char *[]){"phi"}, 3, swing));
    assert_int_equal(d.scene->nitem, 4);
    assert_int_equal(d.scene->nmissing, 1);
    assert_string_equal(d.scene->missing[0],
                        "line 7: a drawing needs phi', which the result has not");
    put_away(d);
}

static void test_scene__force_of_a_constraint_that_is_off_is_zero(void **state) {
    (void)state;
    static const char text[] =
        "model held\nparam m = 1 [kg]\ncoord x, y [m]\nparticle P : m at (x, y)\n"
        "constraint hold off : y = 0\n"
        "draw arrow P to P + (0, lambda(hold)*1 [m/N], 0)\n";
    drawn d = draw(made_up(text, 2, (const char *[]){"x", "y"}, 3, swing));
    assert_int_equal(d.scene->nmissing, 0);
    assert_close(at(d, d.scene->item[0].number[1], 2), at(d, d.scene->item[0].at[1], 2), 0);
    put_away(d);
}

static void test_scene__noted_parameters_count(void **state) {
    (void)state;
    zw_table *t = made_up(pendulum, 2, (const char *[]){"phi", "phi'"}, 1, swing);
    zw_table_note(t, "set", "l=3 [m]\nm=2 [kg]");
    zw_table_note(t, "param m", "5 kg");
    drawn d = draw(t);
    assert_close(d.p[0], 5, 0);
    assert_close(at(d, d.scene->item[0].at[0], 0), 3 * sin(1), 1e-15);
    put_away(d);
    t = zw_table_create(NULL);
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    assert_int_equal(zw_result_system(&s, ctx, t, NULL), ZW_E_FILE);
    zw_context_destroy(ctx);
    zw_table_destroy(t);
}

static void test_scene__json_is_json(void **state) {
    (void)state;
    drawn d = draw(made_up(pendulum, 2, (const char *[]){"phi", "phi'"}, 5, swing));
    char *text = zw_scene_json(d.scene, d.s);
    json_t *j = json_loads(text, 0, NULL), *items = json_object_get(j, "items");
    assert_int_equal(json_array_size(items), 5);
    json_t *bob = json_array_get(items, 0), *place = json_object_get(bob, "at");
    assert_string_equal(json_string_value(json_object_get(bob, "shape")), "point");
    int column = (int)json_integer_value(json_array_get(json_array_get(place, 0), 0));
    assert_int_equal(column, d.scene->item[0].at[0].column);
    assert_true(json_number_value(json_array_get(place, 2)) == 0);
    json_decref(j);
    zw_string_free(d.ctx, text);
    put_away(d);
}

/* every request for memory fails once: no crash, nothing kept */
static void survive(zw_table *t) {
    for (long n = 1;; n++) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_context *ctx = zw_context_create(&alloc);
        zw_system *s = NULL;
        zw_scene *scene = NULL;
        double p[8];
        zw_status status = ctx ? zw_result_system(&s, ctx, t, NULL) : ZW_E_MEMORY;
        if (status >= 0)
            status = zw_result_params(t, s, p, NULL);
        if (status >= 0)
            status = zw_scene_create(&scene, s, p, t, NULL);
        char *json = status >= 0 ? zw_scene_json(scene, s) : NULL;
        if (!json)
            assert_true(f.failed);
        zw_string_free(ctx, json);
        zw_scene_destroy(scene);
        zw_context_destroy(ctx);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
        if (!f.failed)
            break;
    }
    zw_table_destroy(t);
}

static void test_scene__survives_failing_allocations(void **state) {
    (void)state;
    survive(made_up(tumbling, 4, (const char *[]){"x", "a", "b", "c"}, 3, tumble));
}

static void test_scene__sketch_survives_failing_allocations(void **state) {
    (void)state;
    static const char text[] =
        "model plain\nparam m = 1 [kg], l = 1 [m], J = 0.1 [kg*m^2]\ncoord x [m], a, b, c [rad]\n"
        "particle P : m at (x + l*sin(a), 0, -l*cos(a))\nframe B : rotate z b\n"
        "body T : B at (x, 0, 0), inertia(m, J, J, J, J/9, 0*J, 0*J)\n"
        "spring s : 1 [N/m], P to (l, 0, 0)\nkinetic J*c'^2\n"
        "constraint k : c = x*1 [rad]/l\n";
    survive(made_up(text, 4, (const char *[]){"x", "a", "b", "c"}, 3, tumble));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scene__places_follow_the_result),
        cmocka_unit_test(test_scene__turns_are_those_of_the_angles),
        cmocka_unit_test(test_scene__half_turns),
        cmocka_unit_test(test_scene__what_the_result_has_not_is_left_out),
        cmocka_unit_test(test_scene__force_of_a_constraint_that_is_off_is_zero),
        cmocka_unit_test(test_scene__noted_parameters_count),
        cmocka_unit_test(test_scene__json_is_json),
        cmocka_unit_test(test_scene__survives_failing_allocations),
        cmocka_unit_test(test_scene__sketch_survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
