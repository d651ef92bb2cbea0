/* SPDX-License-Identifier: MIT */
/* Scenes on paper: where the eye stands, how large things are, what hides what; stills and
 * films. */
#include "support/test.h"

#include <cairo.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "out/scene/scene.h"

#define STILL(x)                                                                                   \
    { -1, x }
#define TURN                                                                                       \
    { STILL(1), STILL(0), STILL(0), STILL(0) }

typedef struct scene {
    zw_view view;
    zw_view_item item[8];
    double time[11];
    zw_table *motion;
} scene;

/* eleven rows, t = 0 to 1; column 0 of the motion is x = way t, column 1 is 1 - t */
static void begin(scene *s, double way) {
    *s = (scene){.motion = zw_table_create(NULL)};
    zw_table_column(s->motion, "0", "");
    zw_table_column(s->motion, "1", "");
    for (int i = 0; i < 11; i++) {
        s->time[i] = 0.1 * i;
        zw_table_row(s->motion, (double[]){way * s->time[i], 1 - s->time[i]});
    }
    s->view = (zw_view){.item = s->item,
                        .rows = 11,
                        .time = s->time,
                        .motion = s->motion,
                        .up = {0, 0, 1},
                        .metres = true};
}

static void add(scene *s, zw_view_item item) {
    item.name = item.name ? item.name : "";
    item.colour = item.colour ? item.colour : "";
    s->item[s->view.n++] = item;
}

static void end(scene *s) {
    zw_table_destroy(s->motion);
}

/* --------------------------------------------------------------------------------------- sizes */

/* a vehicle, 1 m long, with a link on it: its thickness is the same whether it goes 3 m or 300 m */
static void test_view__links_are_as_thick_as_bodies_want_them(void **state) {
    (void)state;
    double small[2];
    for (int k = 0; k < 2; k++) {
        scene s;
        zw_view_stage stage;
        begin(&s, k ? 300 : 3);
        add(&s, (zw_view_item){.shape = "box",
                               .at = {{0, 0}, STILL(0), STILL(0.5)},
                               .turn = TURN,
                               .n = 3,
                               .number = {STILL(1), STILL(0.4), STILL(0.4)}});
        add(&s, (zw_view_item){.shape = "link",
                               .at = {{0, 0}, STILL(0), STILL(0.5)},
                               .turn = TURN,
                               .n = 3,
                               .number = {{0, 0}, STILL(0), STILL(1.3)}});
        add(&s,
            (zw_view_item){.shape = "trace", .at = {{0, 0}, STILL(0), STILL(0.5)}, .turn = TURN});
        zw_view_measure(&s.view, &stage);
        small[k] = stage.small;
        assert_true(stage.follows == (k == 1));
        end(&s);
    }
    assert_close(small[0], small[1], 1e-12);
    assert_true(small[0] > 0.005 && small[0] < 0.05);
}

/* a lone particle has no size but that of its way */
static void test_view__a_lone_dot_is_seen(void **state) {
    (void)state;
    scene s;
    zw_view_stage stage;
    begin(&s, 40);
    add(&s, (zw_view_item){.shape = "point", .at = {{0, 0}, STILL(0), STILL(0)}, .turn = TURN});
    zw_view_measure(&s.view, &stage);
    assert_close(stage.small, 0.016 * 40, 1e-9);
    end(&s);
}

/* between rows: straight, and turns the shortest way */
static void test_view__places_between_rows(void **state) {
    (void)state;
    scene s;
    zw_placed p;
    begin(&s, 3);
    add(&s, (zw_view_item){.shape = "box",
                           .at = {{0, 0}, STILL(2), STILL(3)},
                           .turn = {{1, 0}, STILL(0), STILL(0), {0, 0}},
                           .n = 1,
                           .number = {STILL(7)}});
    zw_scene_place(&s.view, 0, 0.25, &p);
    assert_close(p.at[0], 0.75, 1e-15);
    assert_close(p.at[1], 2, 0);
    assert_close(p.number[0], 7, 0);
    /* e = (0.75, 0, 0, 0.75): a right angle about z */
    static const double want[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    for (int i = 0; i < 9; i++)
        assert_close(p.turn[i], want[i], 1e-15);
    zw_scene_place(&s.view, 0, 99, &p);
    assert_close(p.at[0], 3, 1e-15);
    end(&s);
}

/* ---------------------------------------------------------------------------------------- paper */

enum { W = 320, H = 200 };

typedef struct paper {
    cairo_surface_t *surface;
    const unsigned *pixel;
} paper;

static zw_view_options look_from(double azimuth, double elevation) {
    zw_view_options o = zw_view_options_default();
    o.width = W;
    o.height = H;
    o.bare = true;
    o.azimuth = azimuth;
    o.elevation = elevation;
    return o;
}

static paper draw_as(scene *s, double t, zw_view_options o) {
    zw_view_stage stage;
    zw_view_measure(&s->view, &stage);
    stage.follows = false;
    paper p = {cairo_image_surface_create(CAIRO_FORMAT_RGB24, W, H), NULL};
    cairo_t *cr = cairo_create(p.surface);
    assert_true(zw_scene_draw(cr, &s->view, &stage, &o, t));
    assert_int_equal(cairo_status(cr), CAIRO_STATUS_SUCCESS);
    cairo_destroy(cr);
    cairo_surface_flush(p.surface);
    p.pixel = (const unsigned *)(const void *)cairo_image_surface_get_data(p.surface);
    return p;
}

static paper draw(scene *s, double t, double azimuth, double elevation) {
    return draw_as(s, t, look_from(azimuth, elevation));
}

/* the colour of the paper where a point of the scene is */
static unsigned colour_of(const paper *p, const zw_camera *c, const double x[3]) {
    double X[3], px, py;
    zw_camera_see(c, x, X);
    zw_camera_paper(c, X, &px, &py);
    return p->pixel[(int)py * (cairo_image_surface_get_stride(p->surface) / 4) + (int)px] &
           0xffffff;
}

/* the same colour but for the rounding of what is soft at its edges */
static bool is_alike(unsigned a, unsigned b) {
    for (int shift = 0; shift <= 16; shift += 8)
        if (abs((int)(a >> shift & 255) - (int)(b >> shift & 255)) > 2)
            return false;
    return true;
}

/* which of red, green and blue is strongest at a place in parts of the sheet; ' ' on paper */
static char seen(const paper *p, double x, double y) {
    unsigned c =
        p->pixel[(int)(y * H) * (cairo_image_surface_get_stride(p->surface) / 4) + (int)(x * W)];
    int r = c >> 16 & 255, g = c >> 8 & 255, b = c & 255;
    if (r == 255 && g == 255 && b == 255)
        return ' ';
    return r > g && r > b ? 'r' : g > b ? 'g' : 'b';
}

/* two balls on the x axis: the one that is nearer is seen */
static void test_view__the_nearer_ball_hides_the_other(void **state) {
    (void)state;
    scene s;
    begin(&s, 0);
    add(&s, (zw_view_item){.shape = "point",
                           .colour = "red",
                           .at = {STILL(-1), STILL(0), STILL(0)},
                           .turn = TURN,
                           .n = 1,
                           .number = {STILL(3)}});
    add(&s, (zw_view_item){.shape = "point",
                           .colour = "blue",
                           .at = {STILL(1), STILL(0), STILL(0)},
                           .turn = TURN,
                           .n = 1,
                           .number = {STILL(3)}});
    paper from_x = draw(&s, 0, 0, 0), from_behind = draw(&s, 0, 180, 0);
    assert_int_equal(seen(&from_x, 0.5, 0.5), 'b');
    assert_int_equal(seen(&from_behind, 0.5, 0.5), 'r');
    assert_int_equal(seen(&from_x, 0.02, 0.5), ' ');
    cairo_surface_destroy(from_x.surface);
    cairo_surface_destroy(from_behind.surface);
    end(&s);
}

/* a bar through a plane: its one half is hidden, seen from either side; middles alone would not
 * tell */
static void test_view__large_faces_part_what_they_cut(void **state) {
    (void)state;
    scene s;
    begin(&s, 0);
    add(&s, (zw_view_item){.shape = "plane",
                           .colour = "green",
                           .at = {STILL(0), STILL(0), STILL(0)},
                           .turn = TURN,
                           .n = 2,
                           .number = {STILL(4), STILL(4)}});
    add(&s, (zw_view_item){.shape = "line",
                           .colour = "red",
                           .at = {STILL(-1), STILL(0), STILL(-1)},
                           .turn = TURN,
                           .n = 4,
                           .number = {STILL(1), STILL(0), STILL(1), STILL(0.2)}});
    paper above = draw(&s, 0, -90, 80), below = draw(&s, 0, -90, -80);
    assert_int_equal(seen(&above, 0.60, 0.48), 'r'); /* the half with z > 0 */
    assert_int_equal(seen(&above, 0.40, 0.52), 'g');
    assert_int_equal(seen(&below, 0.40, 0.52), 'r');
    assert_int_equal(seen(&below, 0.60, 0.48), 'g');
    cairo_surface_destroy(above.surface);
    cairo_surface_destroy(below.surface);
    end(&s);
}

/* through the hole of a disc the ball behind it is seen; beside the hole the disc is */
static void test_view__holes_are_holes(void **state) {
    (void)state;
    scene s;
    begin(&s, 0);
    add(&s, (zw_view_item){.shape = "cylinder",
                           .colour = "green",
                           .at = {STILL(0), STILL(0), STILL(0)},
                           .turn = TURN,
                           .n = 2,
                           .number = {STILL(1), STILL(0.1)}});
    add(&s, (zw_view_item){.shape = "hole cylinder",
                           .at = {STILL(0.5), STILL(0), STILL(0)},
                           .turn = TURN,
                           .n = 2,
                           .number = {STILL(0.3), STILL(0.1)}});
    paper p = draw(&s, 0, -90, 90);
    assert_int_equal(seen(&p, 0.5, 0.5), 'g');
    double right =
        0.5 + 0.5 * 0.43 * H / W; /* half the radius; the disc fills 0.86 of the height */
    assert_int_equal(seen(&p, right, 0.5), ' ');
    assert_int_equal(seen(&p, 1 - right, 0.5), 'g');
    cairo_surface_destroy(p.surface);
    end(&s);
}

/* a thick disc with a hole, seen at a flat angle: its plane hides what of the hole's wall is behind
 * it, and is of one colour */
static void test_view__walls_of_holes_are_inside(void **state) {
    (void)state;
    scene s;
    zw_view_stage stage;
    zw_camera camera;
    zw_view_options o = look_from(-90, 15);
    begin(&s, 0);
    add(&s, (zw_view_item){.shape = "cylinder",
                           .colour = "green",
                           .at = {STILL(0), STILL(0), STILL(0)},
                           .turn = TURN,
                           .n = 2,
                           .number = {STILL(1), STILL(0.5)}});
    add(&s, (zw_view_item){.shape = "hole cylinder",
                           .at = {STILL(0), STILL(-0.5), STILL(0)},
                           .turn = TURN,
                           .n = 2,
                           .number = {STILL(0.3), STILL(0.5)}});
    zw_view_measure(&s.view, &stage);
    zw_camera_set(&camera, &s.view, &stage, &o, 0);
    paper p = draw_as(&s, 0, o);
    unsigned plane = colour_of(&p, &camera, (double[]){0.3, 0.3, 0.25});
    assert_true(is_alike(colour_of(&p, &camera, (double[]){0, -0.9, 0.25}), plane));
    assert_false(is_alike(colour_of(&p, &camera, (double[]){0, -0.2, 0.2}), plane)); /* a wall */
    for (int k = 0; k < 360; k += 7) { /* around the hole; the edges are soft */
        double a = k * 3.14159265358979323846 / 180;
        const double x[3] = {0.38 * cos(a), -0.5 + 0.4 * sin(a), 0.25};
        assert_true(is_alike(colour_of(&p, &camera, x), plane));
    }
    cairo_surface_destroy(p.surface);
    end(&s);
}

/* the shadow of a box is that of all its sides, also of those that cannot be seen */
static void test_view__shadows_are_whole(void **state) {
    (void)state;
    scene s;
    zw_view_stage stage;
    zw_camera camera;
    zw_view_options o = look_from(-60, 35);
    o.bare = false;
    begin(&s, 0);
    add(&s, (zw_view_item){.shape = "box",
                           .at = {STILL(0), STILL(0), STILL(2)},
                           .turn = TURN,
                           .n = 3,
                           .number = {STILL(1), STILL(1), STILL(1)}});
    add(&s, (zw_view_item){.shape = "box",
                           .at = {STILL(0), STILL(0), STILL(-0.005)},
                           .turn = TURN,
                           .n = 3,
                           .number = {STILL(0.01), STILL(0.01), STILL(0.01)}});
    zw_view_measure(&s.view, &stage);
    zw_camera_set(&camera, &s.view, &stage, &o, 0);
    paper p = draw_as(&s, 0, o);
    for (int k = 0; k < 125; k++) { /* points all over the box */
        int layer = k / 25;
        double x[3] = {0.24 * (k % 5 - 2), 0.24 * (k / 5 % 5 - 2), 2 + 0.24 * (layer - 2.0)};
        double way = (x[2] - stage.ground) / camera.sun[2];
        for (int i = 0; i < 3; i++)
            x[i] -= way * camera.sun[i];
        unsigned c = colour_of(&p, &camera, x);
        assert_true((c >> 16) < 240 && (c >> 8 & 255) < 240 && (c & 255) < 240);
    }
    cairo_surface_destroy(p.surface);
    end(&s);
}

/* the outline of a ball is where the ways from the eye touch it */
static void test_view__outlines_are_tangents(void **state) {
    (void)state;
    zw_prim ball = {.kind = ZW_PRIM_BALL, .middle = {1, 2, 3}};
    static const double half[3] = {3, 2, 1};
    for (int i = 0; i < 3; i++)
        ball.M[4 * i] = half[i];
    double eye[3] = {9, -7, 8}, edge[12][3];
    zw_scene_outline(&ball, eye, 12, edge);
    for (int k = 0; k < 12; k++) {
        double on = 0, along = 0;
        for (int i = 0; i < 3; i++) {
            double d = edge[k][i] - ball.middle[i];
            on += d * d / (half[i] * half[i]);
            along += d / (half[i] * half[i]) * (eye[i] - edge[k][i]); /* normal . way */
        }
        assert_close(on, 1, 1e-12);
        assert_close(along, 0, 1e-12);
    }
}

static void test_view__hulls(void **state) {
    (void)state;
    double p[7][2] = {{0, 0}, {1, 1}, {0.5, 0.2}, {1, 0}, {0, 1}, {0.5, 0}, {0.3, 0.9}}, area = 0;
    int n = zw_scene_hull(7, p);
    assert_int_equal(n, 4);
    for (int i = 0; i < n; i++)
        area += (p[i][0] * p[(i + 1) % n][1] - p[i][1] * p[(i + 1) % n][0]) / 2;
    assert_close(area, 1, 1e-15); /* and counterclockwise */
}

/* --------------------------------------------------------------------------------------- stills */

/* one of every shape */
static void one_of_each(scene *s, int first) {
    static const char *const shapes[] = {"sphere",    "shell",  "bowl",  "disk",  "ring",
                                         "cylinder",  "cone",   "rod",   "box",   "plane",
                                         "ellipsoid", "point",  "axes",  "line",  "link",
                                         "spring",    "damper", "arrow", "trace", "torus"};
    begin(s, 2);
    for (int k = 0; k < 8 && first + k < (int)(sizeof shapes / sizeof *shapes); k++)
        add(s, (zw_view_item){.shape = shapes[first + k],
                              .clear = k == 5,
                              .at = {{0, 0}, STILL(k), STILL(0.5)},
                              .turn = {{1, 0}, {0, 0}, STILL(0.2), STILL(0)},
                              .n = 3,
                              .number = {STILL(0.3), {1, 0}, STILL(0.5)}});
}

static void test_view__every_shape_in_every_kind_of_picture(void **state) {
    (void)state;
    static const struct {
        const char *ending, *begins;
    } kinds[] = {{"svg", "<?xml"}, {"pdf", "%PDF"}, {"png", "\x89PNG"}};
    for (int first = 0; first < 20; first += 8)
        for (int k = 0; k < 3; k++) {
            scene s;
            zw_bytes a, b;
            one_of_each(&s, first);
            assert_int_equal(zw_view_still_bytes(&s.view, 0.33, kinds[k].ending, &a, NULL, NULL),
                             0);
            assert_int_equal(zw_view_still_bytes(&s.view, 0.33, kinds[k].ending, &b, NULL, NULL),
                             0);
            assert_true(a.size > 1000 && memcmp(a.data, kinds[k].begins, 4) == 0);
            if (k ==
                2) { /* cairo numbers what is in an SVG, and a PDF has the time when it was made */
                assert_int_equal(a.size, b.size);
                assert_memory_equal(a.data, b.data, a.size);
            }
            zw_bytes_clear(&a);
            zw_bytes_clear(&b);
            end(&s);
        }
}

static void test_view__mistakes_are_told(void **state) {
    (void)state;
    scene s;
    zw_error err = {0};
    zw_view_options o = zw_view_options_default();
    zw_film_options f = zw_film_options_default();
    begin(&s, 1);
    assert_int_equal(zw_view_still(&s.view, 0, "still.jpg", NULL, &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "SVG, PDF or PNG"));
    o.width = 0;
    assert_int_equal(zw_view_still(&s.view, 0, "still.png", &o, NULL), ZW_E_OPTION);
    f.view.width = 321;
    assert_int_equal(zw_film_write(&s.view, "film.mp4", &f, NULL), ZW_E_OPTION);
    f.view.width = 320;
    f.speed = 0;
    assert_int_equal(zw_film_write(&s.view, "film.mp4", &f, NULL), ZW_E_OPTION);
    f.speed = 1e-9;
    assert_int_equal(zw_film_write(&s.view, "film.mp4", &f, NULL), ZW_E_OPTION);
    assert_int_equal(zw_film_available("film.avi", NULL, NULL), ZW_E_OPTION);
    assert_int_equal(zw_film_available("/dev/stdout.gif/x.gif", NULL, NULL) < 0, 1);
    err = (zw_error){0};
    f = zw_film_options_default();
    f.program = "no-such-program-for-films";
    assert_int_equal(zw_film_available("film.mp4", &f, &err), ZW_E_MISSING);
    assert_non_null(strstr(err.text, "no-such-program-for-films"));
    assert_non_null(strstr(err.hint, "tools/setup video"));
    assert_int_equal(access("film.mp4", F_OK), -1);
    end(&s);
}

/* ---------------------------------------------------------------------------------------- films */

static void test_view__frames_are_counted_to_the_end(void **state) {
    (void)state;
    scene s;
    zw_film_options f = zw_film_options_default();
    begin(&s, 1);
    assert_int_equal(zw_film_frames(&s.view, &f), 31); /* t = 1 is one of them */
    f.speed = 0.1;
    assert_int_equal(zw_film_frames(&s.view, &f), 301);
    f.from = 0.25;
    f.until = 0.5;
    assert_int_equal(zw_film_frames(&s.view, &f), 76);
    f.speed = 1000;
    assert_int_equal(zw_film_frames(&s.view, &f), 1);
    end(&s);
}

static bool stop_at_half(void *user, double fraction) {
    int *calls = user;
    ++*calls;
    return fraction < 0.5;
}

/* a child that takes frames and does nothing: what is between us and ffmpeg */
static void make_program(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    chmod(path, 0755);
}

static void test_view__a_film_that_fails_leaves_nothing(void **state) {
    (void)state;
    char folder[] = "/tmp/zwang-film-XXXXXX", program[64], path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(program, sizeof program, "%s/fake", folder);
    snprintf(path, sizeof path, "%s/film.mp4", folder);
    scene s;
    int calls = 0;
    zw_error err = {0};
    zw_film_options f = zw_film_options_default();
    begin(&s, 1);
    add(&s, (zw_view_item){.shape = "point", .at = {{0, 0}, STILL(0), STILL(0)}, .turn = TURN});
    f.view.width = f.view.height = 64;
    f.program = program;
    static const char head[] =
        "#!/bin/sh\n[ \"$2\" = -encoders ] && echo ' V libx264 x' && exit 0\n";
    char text[400];
    /* it ends early, with a word */
    snprintf(text, sizeof text, "%shead -c 99 >/dev/null\necho 'no room here' >&2\nexit 1\n", head);
    make_program(program, text);
    FILE *old = fopen(path, "w");
    fputs("old", old);
    fclose(old);
    assert_int_equal(zw_film_write(&s.view, path, &f, &err), ZW_E_FILE);
    assert_non_null(strstr(err.text, "no room here"));
    /* somebody wants no more */
    snprintf(text, sizeof text, "%scat >/dev/null\n", head);
    make_program(program, text);
    f.go_on = stop_at_half;
    f.user = &calls;
    assert_int_equal(zw_film_write(&s.view, path, &f, NULL), ZW_STOPPED);
    assert_int_equal(calls, 17); /* frame 16 of 31 is past the half */
    char kept[8] = "";
    old = fopen(path, "r");
    assert_int_equal(fread(kept, 1, 7, old), 3);
    fclose(old);
    assert_string_equal(kept, "old");
    unlink(path);
    unlink(program);
    assert_int_equal(rmdir(folder), 0); /* nothing else is there */
    end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_view__links_are_as_thick_as_bodies_want_them),
        cmocka_unit_test(test_view__a_lone_dot_is_seen),
        cmocka_unit_test(test_view__places_between_rows),
        cmocka_unit_test(test_view__the_nearer_ball_hides_the_other),
        cmocka_unit_test(test_view__large_faces_part_what_they_cut),
        cmocka_unit_test(test_view__holes_are_holes),
        cmocka_unit_test(test_view__walls_of_holes_are_inside),
        cmocka_unit_test(test_view__shadows_are_whole),
        cmocka_unit_test(test_view__outlines_are_tangents),
        cmocka_unit_test(test_view__hulls),
        cmocka_unit_test(test_view__every_shape_in_every_kind_of_picture),
        cmocka_unit_test(test_view__mistakes_are_told),
        cmocka_unit_test(test_view__frames_are_counted_to_the_end),
        cmocka_unit_test(test_view__a_film_that_fails_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
