/* SPDX-License-Identifier: MIT */
/* Drawings along made-up results, against what the geometry says. */
#include "support/test.h"

#include <jansson.h>

#include "support/failing_allocator.h"
#include "zwang/model.h"
#include "zwang/simulate.h"

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

/* A run whose events set parameters: the length l at 1 s and 1.5 s, and with it b = l/4. Of the two
 * rows of a moment the first is before it. A run that continues it knows what was set before. */
static void test_scene__parameters_that_events_set(void **state) {
    (void)state;
    static const char text[] =
        "model setp\nunits none\nparam l = 1, b = l/4\ncoord th\n"
        "particle P : 1 at (l*sin(th), -l*cos(th), 0)\ngravity 9.81 along -y\n"
        "event first : every 100 from 1, set l = 2\nevent second : every 100 from 1.5, set l = 3\n"
        "draw sphere(b) at P, sphere(0.1) at (0, 0, 0)\nstart th = 0.5\n";
    zw_model_source source = {.text = text, .length = strlen(text), .file = "m.zw"};
    zw_context *ctx = zw_context_create(NULL);
    zw_error err = {0};
    zw_system *s;
    zw_sim *sim;
    zw_table *part, *whole;
    zw_sim_options o = zw_sim_options_default();
    o.until = 1.25;
    o.step_out = 0.25;
    if (zw_model_parse(&s, ctx, text, strlen(text), "m.zw", NULL, &err) < 0 ||
        zw_sim_create(&sim, s, &source, &o, &err) < 0 || zw_sim_run(sim, &err) < 0 ||
        zw_table_thin(&part, zw_sim_rows(sim), 1000, &err) < 0)
        fail_msg("%s", err.text);
    zw_sim_destroy(sim);
    o.until = 2;
    if (zw_sim_resume(&sim, ctx, part, NULL, &o, &err) < 0 || zw_sim_run(sim, &err) < 0 ||
        zw_table_thin(&whole, zw_sim_rows(sim), 1000, &err) < 0)
        fail_msg("%s", err.text);
    zw_sim_destroy(sim);
    zw_table_destroy(part);
    zw_context_destroy(ctx);
    drawn d = draw(whole);
    int seen[4] = {0};
    for (long row = 0; row < zw_table_rows(whole); row++) {
        double t = zw_table_at(whole, row, 0), before = row ? zw_table_at(whole, row - 1, 0) : -1;
        int l = t < 1 || (t == 1 && before < 1) ? 1 : t < 1.5 || (t == 1.5 && before < t) ? 2 : 3;
        const zw_scene_item *ball = &d.scene->item[0];
        seen[l]++;
        assert_close(hypot(at(d, ball->at[0], row), at(d, ball->at[1], row)), l, 1e-12);
        assert_close(at(d, ball->number[0], row), l / 4., 1e-15);
        assert_close(at(d, d.scene->item[1].number[0], row), 0.1, 1e-15);
    }
    assert_true(seen[1] >= 5 && seen[2] >= 3 && seen[3] >= 3);
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

/* ---------------------------------------------------------------------------- what is not there */

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

/* ------------------------------------------------------------------------------------- contacts */

/* a plane that leans by b about y: n = (sin b, 0, cos b), t1 and t2 across it */
static const char leaning[] =
    "model block\nparam m = 1 [kg], mu = 0.5, b = 0.3 [rad]\nlet n = (sin(b), 0, cos(b))\n"
    "coord s, w, h [m]\npoint P : s*(cos(b), 0, -sin(b)) + w*(0, 1, 0) + h*n\n"
    "particle block : m at P\n"
    "contact floor : gap h, slip block', normal n, at P, law coulomb(mu)\n"
    "contact side : gap 2 [m] - w, law signorini\n"
    "contact lid : gap 1 [m] - h, normal (-sin(b), 0, -cos(b)), at P\n"
    "contact gone off : gap 2 [m] - s, normal (-cos(b), 0, sin(b)), at P\n";

static const char *const leaning_columns[] = {"s",
                                              "w",
                                              "h",
                                              "lambda(floor)",
                                              "lambda(floor.1)",
                                              "lambda(floor.2)",
                                              "status(floor)",
                                              "lambda(lid)",
                                              "status(lid)"};

static void lean(double t, double *x) {
    x[0] = t;
    x[1] = t * t;
    x[2] = 0;
    x[3] = 9 + t;
    x[4] = 2 * sin(t);
    x[5] = -3 * cos(t);
    x[6] = t > 0.3 ? 2 : 1;
    x[7] = t > 0.5 ? 7 : 0;
    x[8] = t > 0.5 ? 1 : 0;
}

static void test_contact__force_is_made_of_its_columns(void **state) {
    (void)state;
    drawn d = draw(made_up(leaning, 9, leaning_columns, 21, lean));
    assert_int_equal(d.scene->ncontact, 2);
    const zw_scene_contact *floor = &d.scene->contact[0], *lid = &d.scene->contact[1];
    assert_string_equal(floor->contact->name, "floor");
    assert_true(floor->has_force && floor->mean);
    for (long row = 0; row <= 20; row++) {
        double t = 0.05 * (double)row, n[3] = {sin(0.3), 0, cos(0.3)}, F[3], square = 0, N = 0;
        for (int i = 0; i < 3; i++) {
            F[i] = at(d, floor->force[i], row);
            square += F[i] * F[i];
            N += F[i] * n[i];
            assert_close(at(d, lid->force[i], row), t > 0.5 ? -7 * n[i] : 0, 1e-14);
        }
        /* whatever the tangents are, they lie across the normal */
        assert_close(N, 9 + t, 1e-13);
        assert_close(square - N * N, 4 * sin(t) * sin(t) + 9 * cos(t) * cos(t), 1e-12);
        assert_close(at(d, floor->at[0], row), t * cos(0.3), 1e-15);
        assert_close(at(d, floor->at[1], row), t * t, 1e-15);
        assert_close(at(d, floor->gap, row), 0, 0);
        assert_close(at(d, lid->gap, row), 1, 0);
        assert_close(at(d, floor->state, row), t > 0.3 ? ZW_TOUCH_SLIPS : ZW_TOUCH_STICKS, 0);
        /* what has no friction neither sticks nor slips */
        assert_close(at(d, lid->state, row), t > 0.5 ? ZW_TOUCH_CLOSED : ZW_TOUCH_OPEN, 0);
    }
    assert_int_equal(d.scene->nmissing, 1);
    assert_string_equal(d.scene->missing[0],
                        "the model does not say where the contact side is: at POINT");
    put_away(d);
}

/* runs from event to event have impulses beside their forces */
static void test_contact__impulses_stand_beside_forces(void **state) {
    (void)state;
    const char *names[] = {"s",
                           "w",
                           "h",
                           "lambda(floor)",
                           "lambda(floor.1)",
                           "lambda(floor.2)",
                           "status(floor)",
                           "impulse(floor)",
                           "impulse(floor.1)"};
    drawn d = draw(made_up(leaning, 9, names, 21, lean));
    const zw_scene_contact *floor = &d.scene->contact[0];
    for (long row = 0; row <= 20; row++) {
        double n[3] = {sin(0.3), 0, cos(0.3)}, P[3], N = 0, square = 0, F = 0;
        double t = 0.05 * (double)row, struck = t > 0.5 ? 7 : 0, pushed = t > 0.5 ? 1 : 0;
        for (int i = 0; i < 3; i++) {
            P[i] = at(d, floor->impulse[i], row);
            N += P[i] * n[i];
            F += at(d, floor->force[i], row) * n[i];
            square += P[i] * P[i];
        }
        assert_close(N, struck, 1e-14);
        assert_close(square, struck * struck + pushed * pushed, 1e-13);
        assert_close(F, 9 + t, 1e-13);
    }
    put_away(d);
}

/* the work of the drawn force is that of its columns: T_i slip_i */
static void test_contact__force_has_the_power_of_its_slips(void **state) {
    (void)state;
    drawn d = draw(made_up(leaning, 9, leaning_columns, 21, lean));
    const zw_scene_contact *floor = &d.scene->contact[0];
    const zw_rubbing *b = &floor->contact->block[0];
    const double s1 = 0.7, w1 = -0.4;
    zw_expr symbols[8] = {0};
    double values[8] = {d.p[0], d.p[1], d.p[2], s1, w1, 0}, slip[2];
    for (int i = 0; i < 3; i++) {
        symbols[i] = d.s->param[i].sym;
        symbols[3 + i] = d.s->velocity[i].sym;
    }
    for (int i = 0; i < 2; i++)
        slip[i] = zw_eval(d.ctx, b->rate[i], 6, symbols, values);
    for (long row = 0; row <= 20; row += 5) {
        double t = 0.05 * (double)row, v[3] = {s1 * cos(0.3), w1, -s1 * sin(0.3)}, power = 0;
        for (int i = 0; i < 3; i++)
            power += at(d, floor->force[i], row) * v[i];
        assert_close(power, 2 * sin(t) * slip[0] - 3 * cos(t) * slip[1], 1e-13);
    }
    put_away(d);
}

static const char smooth[] =
    "model puck\nparam m = 1 [kg], mu = 0.4, eps = 0.1 [m/s], d = 3 [kg/s]\ncoord x, y, z [m]\n"
    "particle puck : m at (x, y, z)\n"
    "contact floor : gap z, slip puck', at puck, law smooth(mu, eps), bilateral\n"
    "contact oil : gap z, slip puck', at puck, law linear(d), bilateral\n";

static void slide(double t, double *x) {
    const double values[] = {t, 0, 0, cos(t), sin(3 * t), 0, 10 + t, 20};
    memcpy(x, values, sizeof values);
}

static void test_contact__smooth_friction_follows_from_the_law(void **state) {
    (void)state;
    const char *names[] = {"x", "y", "z", "x'", "y'", "z'", "lambda(floor)", "lambda(oil)"};
    drawn d = draw(made_up(smooth, 8, names, 9, slide));
    assert_int_equal(d.scene->ncontact, 2);
    assert_int_equal(d.scene->nmissing, 0);
    const zw_scene_contact *floor = &d.scene->contact[0], *oil = &d.scene->contact[1];
    assert_true(floor->has_force && !floor->mean);
    assert_close(floor->state.value, ZW_TOUCH_SLIPS, 0);
    for (long row = 0; row < 9; row++) {
        double t = 0.05 * (double)row, u[2] = {cos(t), sin(3 * t)}, size = hypot(u[0], u[1]) + 0.1;
        for (int i = 0; i < 2; i++) {
            assert_close(at(d, floor->force[i], row), -0.4 * (10 + t) * u[i] / size, 1e-14);
            assert_close(at(d, oil->force[i], row), -3 * u[i], 1e-14);
        }
        assert_close(at(d, floor->force[2], row), 10 + t, 1e-14);
    }
    put_away(d);
    /* without velocities nobody knows the friction: rather no force than half of it */
    const char *few[] = {"x", "y", "z", "lambda(floor)", "lambda(oil)"};
    d = draw(made_up(smooth, 5, few, 3, slide));
    assert_false(d.scene->contact[0].has_force);
    assert_close(d.scene->contact[0].force[2].value, 0, 0);
    assert_int_equal(d.scene->contact[0].force[2].column, -1);
    assert_string_equal(d.scene->missing[0],
                        "the result does not have all of the force of the contacts floor, oil");
    put_away(d);
}

static void test_contact__without_its_state_is_not_shown(void **state) {
    (void)state;
    drawn d = draw(made_up(leaning, 4, leaning_columns, 3, lean));
    assert_int_equal(d.scene->ncontact, 0);
    assert_int_equal(d.scene->nmissing, 2);
    assert_string_equal(d.scene->missing[1],
                        "the result does not contain the state of the contacts floor, lid");
    put_away(d);
    /* a column of the force is missing: the contact is there, its force is not */
    const char *some[] = {
        "s", "w", "h", "lambda(floor)", "lambda(floor.1)", "nothing", "status(floor)"};
    d = draw(made_up(leaning, 7, some, 3, lean));
    assert_int_equal(d.scene->ncontact, 1);
    assert_false(d.scene->contact[0].has_force);
    put_away(d);
}

static void test_contact__impulses_are_no_forces(void **state) {
    (void)state;
    zw_table *t = zw_table_create(NULL);
    const char *names[] = {"x", "y", "z", "x'", "y'", "z'", "lambda(floor)", "lambda(oil)"};
    zw_table_note(t, "text", smooth);
    zw_table_column(t, "t", "s");
    for (int i = 0; i < 8; i++)
        zw_table_column(t, names[i], i == 6 ? "N*s" : i == 7 ? "N" : "");
    double row[9] = {0, 0, 0, 0, 1, 0, 0, 5, 6};
    zw_table_row(t, row);
    drawn d = draw(t);
    assert_false(d.scene->contact[0].has_force);
    assert_true(d.scene->contact[1].has_force);
    put_away(d);
}

static void test_contact__many_names_make_one_sentence(void **state) {
    (void)state;
    char text[2000] = "model wall\ncoord x [m]\nparticle P : 1 [kg] at (x, 0, 0)\n";
    for (int i = 0; i < 9; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "contact c%d : gap %d [m] - x\n",
                 i, i + 1);
    drawn d = draw(made_up(text, 1, (const char *[]){"x"}, 2, lean));
    assert_int_equal(d.scene->nmissing, 1);
    assert_string_equal(d.scene->missing[0], "the model does not say where the contacts c0, c1, "
                                             "c2, c3, c4, c5 and 3 more are: at POINT");
    put_away(d);
}

static void test_contact__json_has_it(void **state) {
    (void)state;
    drawn d = draw(made_up(leaning, 9, leaning_columns, 5, lean));
    char *text = zw_scene_json(d.scene, d.s);
    json_t *j = json_loads(text, 0, NULL), *all = json_object_get(j, "contacts");
    assert_int_equal(json_array_size(all), 2);
    json_t *floor = json_array_get(all, 0), *force = json_object_get(floor, "force");
    assert_string_equal(json_string_value(json_object_get(floor, "name")), "floor");
    assert_int_equal(json_integer_value(json_array_get(json_array_get(force, 2), 0)),
                     d.scene->contact[0].force[2].column);
    assert_true(json_is_true(json_object_get(floor, "mean")));
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

static void test_contact__survives_failing_allocations(void **state) {
    (void)state;
    survive(made_up(leaning, 9, leaning_columns, 3, lean));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scene__places_follow_the_result),
        cmocka_unit_test(test_scene__parameters_that_events_set),
        cmocka_unit_test(test_scene__turns_are_those_of_the_angles),
        cmocka_unit_test(test_scene__half_turns),
        cmocka_unit_test(test_scene__what_the_result_has_not_is_left_out),
        cmocka_unit_test(test_scene__force_of_a_constraint_that_is_off_is_zero),
        cmocka_unit_test(test_scene__noted_parameters_count),
        cmocka_unit_test(test_scene__json_is_json),
        cmocka_unit_test(test_contact__force_is_made_of_its_columns),
        cmocka_unit_test(test_contact__impulses_stand_beside_forces),
        cmocka_unit_test(test_contact__force_has_the_power_of_its_slips),
        cmocka_unit_test(test_contact__smooth_friction_follows_from_the_law),
        cmocka_unit_test(test_contact__without_its_state_is_not_shown),
        cmocka_unit_test(test_contact__impulses_are_no_forces),
        cmocka_unit_test(test_contact__many_names_make_one_sentence),
        cmocka_unit_test(test_contact__json_has_it),
        cmocka_unit_test(test_contact__survives_failing_allocations),
        cmocka_unit_test(test_scene__survives_failing_allocations),
        cmocka_unit_test(test_scene__sketch_survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
