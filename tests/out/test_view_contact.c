/* SPDX-License-Identifier: MIT */
/* Contacts in scenes: forces and states at a time, the scale of arrows, signs on paper. */
#include "support/test.h"

#include <cairo.h>
#include <stdlib.h>

#include "out/scene/scene.h"
#include "out/scene/strobe.h"

#define STILL(x)                                                                                   \
    { -1, x }

enum { ROWS = 41, W = 640, H = 360 };

/* a box of 1 m on the ground that stands still, and contacts at places on its face y = -0.5 */
typedef struct scene {
    zw_view view;
    zw_view_item item[2];
    zw_view_contact contact[4];
    double time[ROWS];
    zw_table *motion; /* column 0 is the force, column 1 the state */
} scene;

typedef double (*law)(double t);

static void begin(scene *s, law force, law state) {
    *s = (scene){.motion = zw_table_create(NULL)};
    zw_table_column(s->motion, "0", "");
    zw_table_column(s->motion, "1", "");
    for (int i = 0; i < ROWS; i++) {
        s->time[i] = 0.05 * i;
        zw_table_row(s->motion, (double[]){force(s->time[i]), state(s->time[i])});
    }
    s->item[0] = (zw_view_item){.shape = "box",
                                .name = "",
                                .colour = "blue",
                                .at = {STILL(0), STILL(0), STILL(0.5)},
                                .turn = {STILL(1), STILL(0), STILL(0), STILL(0)},
                                .n = 3,
                                .number = {STILL(1), STILL(1), STILL(1)}};
    s->view = (zw_view){.n = 1,
                        .item = s->item,
                        .rows = ROWS,
                        .time = s->time,
                        .motion = s->motion,
                        .up = {0, 0, 1},
                        .metres = true,
                        .contact = s->contact};
}

static void add_contact(scene *s, double x, double z, double gap, bool mean) {
    s->contact[s->view.ncontact++] = (zw_view_contact){.name = "c",
                                                       .at = {STILL(x), STILL(-0.5), STILL(z)},
                                                       .force = {STILL(0), STILL(0), {0, 0}},
                                                       .impulse = {STILL(0), STILL(0), STILL(0)},
                                                       .gap = STILL(gap),
                                                       .state = {1, 0},
                                                       .has_force = true,
                                                       .mean = mean};
}

static void end(scene *s) {
    zw_table_destroy(s->motion);
}

static double ten(double t) {
    (void)t;
    return 10;
}
static double ramp(double t) {
    return 10 * t;
}
static double sticks(double t) {
    (void)t;
    return ZW_VIEW_STICKS;
}
static double slips(double t) {
    (void)t;
    return ZW_VIEW_SLIPS;
}
static double is_open(double t) {
    (void)t;
    return ZW_VIEW_OPEN;
}
/* a weight of 10 N and one row of an impact */
static double struck(double t) {
    return fabs(t - 1) < 0.01 ? 5000 : 10;
}
static double nothing(double t) {
    (void)t;
    return 0;
}
/* rows 7, 19 and 33 have an impact, all others are open and without force */
static double bounces(double t) {
    int row = (int)lround(t / 0.05);
    return row == 7 ? 300 : row == 19 ? 200 : row == 33 ? 100 : 0;
}

/* ------------------------------------------------------------------------------------ at a time */

static void test_touched__a_mean_stands_from_row_to_row(void **state) {
    (void)state;
    scene s;
    zw_touched c;
    begin(&s, ramp, sticks);
    add_contact(&s, 0, 0, 0, true);
    add_contact(&s, 0, 0, 0, false);
    /* 0.12 is in the row that ends at 0.15 */
    zw_scene_touched(&s.view, 0, 0, 0.12, &c);
    assert_close(c.force[2], 1.5, 1e-14);
    assert_int_equal(c.touch, ZW_VIEW_STICKS);
    zw_scene_touched(&s.view, 0, 0, s.time[3], &c);
    assert_close(c.force[2], 1.5, 1e-14);
    /* what is no mean has a value between */
    zw_scene_touched(&s.view, 1, 0, 0.12, &c);
    assert_close(c.force[2], 1.2, 1e-14);
    end(&s);
}

/* whatever the frames are, all of the impulse is in them: 600 N for 0.05 s */
static void test_touched__frames_keep_the_impulse(void **state) {
    (void)state;
    scene s;
    begin(&s, bounces, is_open);
    add_contact(&s, 0, 0, 1, true);
    static const double lengths[] = {0.05, 1 / 30.0, 0.25, 2, 0.0123};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        double impulse = 0, t = 0;
        int meanwhile = 0;
        while (t < 2) {
            double next = fmin(t + lengths[i], 2);
            zw_touched c;
            zw_scene_touched(&s.view, 0, next - t, next, &c);
            impulse += c.force[2] * (next - t);
            meanwhile += c.touch == ZW_VIEW_MEANWHILE;
            t = next;
        }
        assert_close(impulse, 30, 1e-11);
        assert_true(meanwhile >= 1);
    }
    end(&s);
}

/* impulses beside forces: 600 N*s of impacts in rows, at times that no frame has */
static void test_touched__frames_have_the_impulses_of_their_rows(void **state) {
    (void)state;
    scene s;
    zw_touched c;
    begin(&s, bounces, is_open);
    add_contact(&s, 0, 0, 1, true);
    s.contact[0].force[2] = (zw_view_value)STILL(0);
    s.contact[0].impulse[2] = (zw_view_value){0, 0};
    static const double lengths[] = {0.0333, 0.21, 2};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        double impulse = 0;
        for (double t = 0; t < 2; t += lengths[i]) {
            double next = fmin(t + lengths[i], 2);
            zw_scene_touched(&s.view, 0, next - t, next, &c);
            impulse += c.force[2] * (next - t);
        }
        assert_close(impulse, 600, 1e-10);
    }
    /* a still takes the time from row to row */
    zw_scene_touched(&s.view, 0, 0, s.time[19], &c);
    assert_close(c.force[2], 200 / 0.05, 1e-9);
    assert_int_equal(c.touch, ZW_VIEW_MEANWHILE);
    zw_view_stage stage;
    zw_view_measure(&s.view, &stage);
    assert_close(stage.most, 300 / 0.05, 1e-9);
    end(&s);
}

static void test_touched__what_is_not_finite_is_not_seen(void **state) {
    (void)state;
    scene s;
    zw_touched c;
    begin(&s, ten, sticks);
    add_contact(&s, NAN, 0, 0, true);
    add_contact(&s, 0, 0, 0, true);
    s.contact[1].state = (zw_view_value)STILL(9);
    for (int i = 0; i < 2; i++) {
        zw_scene_touched(&s.view, i, 0, 0.3, &c);
        assert_false(c.seen);
    }
    end(&s);
}

/* ------------------------------------------------------------------------------------ the scale */

/* lengths and forces of the key, as a reader takes them: "20 cm = 2.5 kN" */
static double newtons_per_metre(const char *key) {
    char length[16], force[16];
    double a, b, metres, newtons;
    assert_int_equal(sscanf(key, "%lf %15s = %lf %15s", &a, length, &b, force), 4);
    metres = strcmp(length, "cm") == 0 ? 0.01 : strcmp(length, "mm") == 0 ? 1e-3 : 1;
    newtons = strcmp(force, "kN") == 0   ? 1e3
              : strcmp(force, "mN") == 0 ? 1e-3
              : strcmp(force, "MN") == 0 ? 1e6
              : strcmp(force, "N") == 0  ? 1
                                         : 1e-6;
    return b * newtons / (a * metres);
}

static void test_scale__says_what_it_draws(void **state) {
    (void)state;
    static const double sizes[] = {3e-8, 0.004, 0.7, 9.81, 4444, 2e6};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        scene s;
        zw_view_stage stage;
        char key[100], cut[100];
        begin(&s, ramp, sticks);
        add_contact(&s, 0, 0, 0, true);
        for (int row = 0; row < ROWS; row++)
            zw_table_set(s.motion, row, 0, sizes[i] * (1 + 0.01 * row));
        zw_view_measure(&s.view, &stage);
        zw_view_force_key(&s.view, &stage, key, sizeof key);
        zw_view_force_cut(&s.view, &stage, cut, sizeof cut);
        assert_close(newtons_per_metre(key) * stage.per_newton, 1, 1e-6);
        assert_string_equal(cut, "");
        /* nothing is cut, and the longest is a good part of the scene */
        assert_close(stage.longest, 1.4 * sizes[i] * stage.per_newton, 1e-9 * stage.longest);
        assert_true(stage.longest > 0.15 * stage.scale && stage.longest < 0.35 * stage.scale);
        s.view.metres = false;
        zw_view_force_key(&s.view, &stage, key, sizeof key);
        assert_null(strchr(key, 'N'));
        end(&s);
    }
}

/* an impact of 500 weights leaves the weights their size */
static void test_scale__impacts_are_cut(void **state) {
    (void)state;
    scene s;
    zw_view_stage stage;
    zw_touched c;
    char cut[100];
    bool is_cut;
    double tip[3];
    begin(&s, struck, sticks);
    add_contact(&s, 0, 0, 0, true);
    zw_view_measure(&s.view, &stage);
    assert_close(stage.most, 5000, 0);
    assert_true(10 * stage.per_newton > 0.05 * stage.scale);
    zw_view_force_cut(&s.view, &stage, cut, sizeof cut);
    assert_string_equal(cut, "more than 30 N");
    zw_scene_touched(&s.view, 0, 0, 1, &c);
    assert_true(zw_scene_arrow(&stage, &c, tip, &is_cut));
    assert_true(is_cut);
    assert_close(tip[2] - c.at[2], stage.longest, 1e-12);
    zw_scene_touched(&s.view, 0, 0, 0.5, &c);
    assert_true(zw_scene_arrow(&stage, &c, tip, &is_cut));
    assert_false(is_cut);
    assert_close(tip[2] - c.at[2], 10 * stage.per_newton, 1e-12);
    end(&s);
}

static void test_scale__without_forces_there_is_none(void **state) {
    (void)state;
    scene s;
    zw_view_stage stage;
    char text[100] = "x";
    begin(&s, nothing, slips);
    add_contact(&s, 0, 0, 0, true);
    zw_view_measure(&s.view, &stage);
    assert_close(stage.per_newton, 0, 0);
    assert_int_equal(stage.touches, 1U << ZW_VIEW_SLIPS);
    zw_view_force_key(&s.view, &stage, text, sizeof text);
    assert_string_equal(text, "");
    end(&s);
    /* a force that is not known is none, whatever its column says */
    begin(&s, ten, sticks);
    add_contact(&s, 0, 0, 0, true);
    s.contact[0].has_force = false;
    zw_view_measure(&s.view, &stage);
    assert_close(stage.most, 0, 0);
    end(&s);
}

/* contacts change the box of the eye only: sizes, ground and direction are those of the things */
static void test_scale__things_keep_their_size(void **state) {
    (void)state;
    scene s;
    zw_view_stage with, without;
    begin(&s, ten, sticks);
    add_contact(&s, 0, 1, 0, true);
    zw_view_measure(&s.view, &with);
    s.view.ncontact = 0;
    zw_view_measure(&s.view, &without);
    assert_close(with.size, without.size, 0);
    assert_close(with.small, without.small, 0);
    assert_close(with.ground, without.ground, 0);
    assert_memory_equal(with.direction, without.direction, sizeof with.direction);
    assert_close(with.high[2], 1 + with.longest, 1e-12);
    assert_close(with.low[2], without.low[2], 0);
    end(&s);
}

/* ------------------------------------------------------------------------------------- on paper */

typedef struct paper {
    cairo_surface_t *surface;
    const unsigned *pixel;
    zw_camera camera;
    zw_view_stage stage;
} paper;

static zw_view_options from_the_front(void) {
    zw_view_options o = zw_view_options_default();
    o.width = W;
    o.height = H;
    o.bare = true;
    o.azimuth = -90;
    o.elevation = 0;
    return o;
}

static paper draw(const zw_view *view, double t, zw_view_options o) {
    paper p = {cairo_image_surface_create(CAIRO_FORMAT_RGB24, W, H), .pixel = NULL};
    const zw_view seen = zw_scene_seen(view, o.forces);
    zw_view_measure(&seen, &p.stage);
    zw_camera_set(&p.camera, &seen, &p.stage, &o, t);
    cairo_t *cr = cairo_create(p.surface);
    assert_true(zw_scene_draw(cr, &seen, &p.stage, &o, t));
    assert_int_equal(cairo_status(cr), CAIRO_STATUS_SUCCESS);
    cairo_destroy(cr);
    cairo_surface_flush(p.surface);
    p.pixel = (const unsigned *)(const void *)cairo_image_surface_get_data(p.surface);
    return p;
}

static unsigned pixel_at(const paper *p, const double x[3]) {
    double X[3], px, py;
    zw_camera_see(&p->camera, x, X);
    zw_camera_paper(&p->camera, X, &px, &py);
    return p->pixel[(int)py * (cairo_image_surface_get_stride(p->surface) / 4) + (int)px] &
           0xffffff;
}

static unsigned hex(const char *colour, bool dark) {
    zw_rgb c = zw_scene_colour(colour, dark);
    return (unsigned)lround(255 * c.r) << 16 | (unsigned)lround(255 * c.g) << 8 |
           (unsigned)lround(255 * c.b);
}

/* the arrow begins at the point, goes over the body and ends where the scale says */
static void test_sign__arrows_are_as_long_as_said(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        scene s;
        bool dark = k % 2, slipping = k >= 2;
        const char *colour = slipping ? "slip" : "stick";
        zw_view_options o = from_the_front();
        o.dark = dark;
        begin(&s, ten, slipping ? slips : sticks);
        add_contact(&s, 0.1, 0.3, 0, true);
        paper p = draw(&s.view, 1, o);
        double length = 10 * p.stage.per_newton, at[3] = {0.1, -0.5, 0.3};
        assert_true((pixel_at(&p, at) == hex(colour, dark)) == !slipping); /* a ring has a hole */
        at[2] = 0.3 + 0.5 * length;
        assert_int_equal(pixel_at(&p, at), hex(colour, dark));
        at[2] = 0.3 + 0.97 * length;
        assert_int_equal(pixel_at(&p, at), hex(colour, dark));
        at[2] = 0.3 + 1.12 * length;
        assert_int_not_equal(pixel_at(&p, at), hex(colour, dark));
        at[2] = 0.3 - 0.1 * length;
        assert_int_not_equal(pixel_at(&p, at), hex(colour, dark));
        cairo_surface_destroy(p.surface);
        end(&s);
    }
}

static long count(const paper *p, unsigned colour) {
    long n = 0;
    for (long i = 0; i < (long)W * H; i++)
        n += (p->pixel[i] & 0xffffff) == colour;
    return n;
}

static void test_sign__open_contacts_have_none(void **state) {
    (void)state;
    scene s;
    begin(&s, nothing, is_open);
    add_contact(&s, 0, 0.5, 0.5, true);
    paper far = draw(&s.view, 1, from_the_front());
    s.contact[0].gap = (zw_view_value)STILL(0.001);
    paper near = draw(&s.view, 1, from_the_front());
    s.view.ncontact = 0;
    paper bare = draw(&s.view, 1, from_the_front());
    size_t bytes = 4 * (size_t)W * H;
    assert_memory_equal(far.pixel, bare.pixel, bytes);
    assert_true(memcmp(near.pixel, bare.pixel, bytes) != 0);
    cairo_surface_destroy(far.surface);
    cairo_surface_destroy(near.surface);
    cairo_surface_destroy(bare.surface);
    end(&s);
}

static void test_sign__may_be_left_out(void **state) {
    (void)state;
    scene s;
    begin(&s, ten, slips);
    add_contact(&s, 0, 0.5, 0, true);
    zw_view_options o = from_the_front();
    paper with = draw(&s.view, 1, o);
    o.forces = false;
    paper without = draw(&s.view, 1, o);
    assert_true(count(&with, hex("slip", false)) > 50);
    assert_int_equal(count(&without, hex("slip", false)), 0);
    cairo_surface_destroy(with.surface);
    cairo_surface_destroy(without.surface);
    end(&s);
}

/* the legend tells what occurs, and nothing else */
static void test_legend__tells_what_occurs(void **state) {
    (void)state;
    scene s;
    begin(&s, nothing, slips);
    add_contact(&s, 0, 3, 0, true); /* no mark on the paper below */
    zw_view_options o = from_the_front();
    o.bare = false;
    o.line = 2; /* letters large enough for full colour in a ring */
    paper p = draw(&s.view, 1, o);
    long below = 0, other = 0;
    for (long i = (long)(0.9 * H) * W; i < (long)W * H; i++) {
        below += (p.pixel[i] & 0xffffff) == hex("slip", false);
        other += (p.pixel[i] & 0xffffff) == hex("stick", false);
    }
    assert_true(below > 3);
    assert_int_equal(other, 0);
    cairo_surface_destroy(p.surface);
    end(&s);
}

static bool has(const zw_bytes *b, const char *text) {
    return memmem(b->data, b->size, text, strlen(text)) != NULL;
}

static void test_still__vectors_have_the_colours(void **state) {
    (void)state;
    scene s;
    zw_bytes with, without;
    zw_view_options o = from_the_front();
    begin(&s, ten, sticks);
    add_contact(&s, 0, 0.5, 0, true);
    /* 00798c in percent, as Cairo writes it */
    assert_int_equal(zw_view_still_bytes(&s.view, 1, "svg", &with, &o, NULL), ZW_OK);
    o.forces = false;
    assert_int_equal(zw_view_still_bytes(&s.view, 1, "svg", &without, &o, NULL), ZW_OK);
    assert_true(has(&with, "rgb(0%,47.45098%,54.901961%)"));
    assert_false(has(&without, "rgb(0%,47.45098%,54.901961%)"));
    zw_bytes_clear(&with);
    zw_bytes_clear(&without);
    end(&s);
}

/* ----------------------------------------------------------------------------- several instants */

static void test_strobe__has_forces_and_a_legend(void **state) {
    (void)state;
    scene s;
    zw_bytes out;
    zw_strobe_report with, without;
    zw_strobe_options o = zw_strobe_options_default();
    begin(&s, ramp, sticks);
    s.item[0].at[0] = (zw_view_value){0, 0}; /* it goes along */
    add_contact(&s, 0, 0, 0, true);
    const double t[] = {0.5, 1, 2};
    for (int k = 0; k < 3; k++) {
        o.layout = (zw_strobe_layout[]){ZW_STROBE_OVERLAY, ZW_STROBE_ROW, ZW_STROBE_GRID}[k];
        o.forces = true;
        assert_int_equal(zw_strobe_bytes(&s.view, 3, t, "svg", &out, &o, &with, NULL), ZW_OK);
        assert_true(has(&out, "rgb(0%,47.45098%,54.901961%)"));
        assert_non_null(strstr(with.forces, " N"));
        zw_bytes_clear(&out);
        o.forces = false;
        assert_int_equal(zw_strobe_bytes(&s.view, 3, t, "svg", &out, &o, &without, NULL), ZW_OK);
        assert_false(has(&out, "rgb(0%,47.45098%,54.901961%)"));
        assert_string_equal(without.forces, "");
        zw_bytes_clear(&out);
    }
    end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_touched__a_mean_stands_from_row_to_row),
        cmocka_unit_test(test_touched__frames_keep_the_impulse),
        cmocka_unit_test(test_touched__frames_have_the_impulses_of_their_rows),
        cmocka_unit_test(test_touched__what_is_not_finite_is_not_seen),
        cmocka_unit_test(test_scale__says_what_it_draws),
        cmocka_unit_test(test_scale__impacts_are_cut),
        cmocka_unit_test(test_scale__without_forces_there_is_none),
        cmocka_unit_test(test_scale__things_keep_their_size),
        cmocka_unit_test(test_sign__arrows_are_as_long_as_said),
        cmocka_unit_test(test_sign__open_contacts_have_none),
        cmocka_unit_test(test_sign__may_be_left_out),
        cmocka_unit_test(test_legend__tells_what_occurs),
        cmocka_unit_test(test_still__vectors_have_the_colours),
        cmocka_unit_test(test_strobe__has_forces_and_a_legend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
