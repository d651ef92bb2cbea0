/* SPDX-License-Identifier: MIT */
/* Periodic motions through a singularity of their coordinates: a driven particle that moves along
 * the x axis passes the origin, where the angle of polar coordinates has no inertia. In Cartesian
 * coordinates it is the same motion, x'' + c x' + x = F cos(w t), of the amplitude F/sqrt((1 -
 * w^2)^2 + c^2 w^2), without a warning. */
#include <math.h>

#include "support/test.h"
#include "zwang/zwang.h"

#define HEAD "model pole\nunits none\nparam w = 0.7\n"

static const char polar[] = HEAD "coord r, ph\nparticle P : 1 at (r*cos(ph), r*sin(ph))\n"
                                 "potential 1/2*(r*cos(ph))^2 + (r*sin(ph))^2\n"
                                 "force at P = (cos(w*t), 0)\nforce (r) = -0.4*r'\n"
                                 "force (ph) = -0.4*r^2*ph'\nstart r = 1\n";
static const char cartesian[] = HEAD "coord r, y\nparticle P : 1 at (r, y)\n"
                                     "potential 1/2*r^2 + y^2\nforce at P = (cos(w*t), 0)\n"
                                     "force (r, y) = -0.4*(r', y')\nstart r = 1\n";
#define WALL "event wall : r + 1.2 falling, set r' = -0.8*r'\n"

static zw_context *ctx;
static zw_system *sys;
static zw_error err;

static void read_model(const char *text, const char *more) {
    char all[800];
    snprintf(all, sizeof all, "%s%s", text, more);
    err = (zw_error){0};
    ctx = zw_context_create(NULL);
    if (zw_model_parse(&sys, ctx, all, strlen(all), "test", NULL, &err) < 0)
        fail_msg("%s", err.text);
}

/* how many of the warnings speak of coordinates, with the place r = 0; `begins`: the text before
 * it */
static int count_singular(const zw_warnings *doubts, const char *begins) {
    int n = 0;
    for (int i = 0; i < zw_warnings_count(doubts); i++) {
        const char *text = zw_warnings_at(doubts, i)->text,
                   *at = strstr(text, "the coordinates are nearly singular at r = ");
        if (!at)
            continue;
        assert_true(fabs(strtod(strstr(at, "= ") + 2, NULL)) < 1e-4);
        assert_int_equal(strncmp(text, begins, strlen(begins)), 0);
        n++;
    }
    return n;
}

typedef enum way { BALANCE, SHOOTING, CURVE } way;

static int forced_warnings(const char *text, const char *more, way how, double *most) {
    zw_forced_options o = zw_forced_options_default();
    zw_warnings *doubts = zw_warnings_create(NULL);
    zw_forced *study;
    int number;
    read_model(text, more);
    o.over = how == CURVE ? "w=0.65:0.75" : NULL;
    zw_status status = zw_forced_create(&study, sys, &o, &err);
    if (status >= 0)
        status = how == SHOOTING ? zw_forced_shoot(study, NAN, 1, 0, &number, &err)
                                 : zw_forced_find(study, how == CURVE ? 0.7 : NAN, &number, &err);
    if (status >= 0 && how == CURVE)
        status = zw_forced_follow(study, number, &err);
    if (status < 0)
        fail_msg("%s", err.text);
    *most = zw_forced_motion_at(study, 0)->measure[0].max;
    zw_forced_warnings(study, doubts);
    int n = count_singular(doubts, how == CURVE ? "at " : "the ");
    zw_warnings_destroy(doubts);
    zw_forced_destroy(study);
    zw_context_destroy(ctx);
    return n;
}

static void test_singular__forced_motions(void **state) {
    (void)state;
    double most, amplitude = 1 / hypot(1 - 0.7 * 0.7, 0.4 * 0.7);
    for (way how = BALANCE; how <= CURVE; how++) {
        assert_int_equal(forced_warnings(polar, "", how, &most), 1);
        assert_close(most, amplitude, 1e-6);
        assert_int_equal(forced_warnings(cartesian, "", how, &most), 0);
        assert_close(most, amplitude, 1e-6);
    }
}

static int hybrid_warnings(const char *text, const char *over, double *period) {
    zw_event_orbits_options o = zw_event_orbits_options_default();
    zw_warnings *doubts = zw_warnings_create(NULL);
    zw_event_orbits *study;
    int number;
    read_model(text, WALL);
    o.over = over;
    if (zw_event_orbits_create(&study, sys, &o, &err) < 0 ||
        zw_event_orbits_find(study, over ? 0.7 : NAN, &number, &err) < 0 ||
        (over && zw_event_orbits_follow(study, number, &err) < 0))
        fail_msg("%s", err.text);
    *period = zw_event_orbits_at(study, number)->period;
    zw_event_orbits_warnings(study, doubts);
    int n = count_singular(doubts, over ? "at " : "the ");
    zw_warnings_destroy(doubts);
    zw_event_orbits_destroy(study);
    zw_context_destroy(ctx);
    return n;
}

/* with a wall at r = -1.2, which the amplitude 1.72 reaches: one impact in a period of the drive */
static void test_singular__orbits_through_events(void **state) {
    (void)state;
    double period, most;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(hybrid_warnings(polar, k ? "w=0.68:0.72" : NULL, &period), 1);
        assert_close(period, 2 * M_PI / 0.7, 1e-9);
        assert_int_equal(hybrid_warnings(cartesian, k ? "w=0.68:0.72" : NULL, &period), 0);
    }
    assert_int_equal(forced_warnings(polar, WALL, SHOOTING, &most), 1);
    assert_int_equal(forced_warnings(cartesian, WALL, SHOOTING, &most), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_singular__forced_motions),
        cmocka_unit_test(test_singular__orbits_through_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
