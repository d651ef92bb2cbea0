/* SPDX-License-Identifier: MIT */
/* What is likely meant otherwise is told; what is not, is not. */
#include <glob.h>

#include "support/test.h"
#include "zwang/zwang.h"

typedef struct judged {
    zw_context *ctx;
    zw_warnings *list;
} judged;

static judged judge(const char *text, const char *setting) {
    judged j = {zw_context_create(NULL), zw_warnings_create(NULL)};
    zw_model_options options = {.nset = setting ? 1 : 0, .set = &setting};
    zw_system *s = NULL;
    zw_error err = {0};
    double p[64];
    if (zw_model_parse(&s, j.ctx, text, strlen(text), "t.zw", &options, &err) < 0 ||
        zw_system_param_values(s, p, &err) < 0 || zw_system_warnings(s, p, j.list, &err) < 0)
        fail_msg("%s", err.text);
    return j;
}

static void clear(judged *j) {
    zw_warnings_destroy(j->list);
    zw_context_destroy(j->ctx);
}

/* exactly one warning, with this text, in this line (0: anywhere) */
static void assert_warned(const char *text, const char *part, int line) {
    judged j = judge(text, NULL);
    if (zw_warnings_count(j.list) != 1)
        fail_msg("%d warnings for: %s", zw_warnings_count(j.list), text);
    const zw_warning *d = zw_warnings_at(j.list, 0);
    if (!strstr(d->text, part))
        fail_msg("no '%s' in: %s", part, d->text);
    assert_true(isnan(d->first));
    if (line)
        assert_int_equal(d->line, line);
    clear(&j);
}

static void assert_silent(const char *text) {
    judged j = judge(text, NULL);
    if (zw_warnings_count(j.list))
        fail_msg("'%s' for: %s", zw_warnings_at(j.list, 0)->text, text);
    clear(&j);
}

#define HEAD "model a\nparam f = 50 [Hz], w = 50 [rad/s], a30 = 30\ncoord ph, th [rad], x [m]\n"
#define INERTIA "kinetic 1/2*1 [kg*m^2]*(ph'^2 + th'^2) + 1/2*1 [kg]*x'^2\n"
#define MODEL(line) HEAD INERTIA line "\n"

static void test_plausible__degrees(void **state) {
    (void)state;
    assert_warned(MODEL("start ph = 30"), "the angle ph starts at 30", 5);
    assert_warned(MODEL("start ph = -22.5"), "-22.5", 5);
    assert_warned(MODEL("event e : x both set ph = 30"), "the angle ph is set to 30", 5);
    assert_warned(MODEL("event e : x both set x = 30 [m], th = 45"), "the angle th is set to 45",
                  5);
    assert_warned(MODEL("event e : x both set ph' = f"), "made of Hz", 5);
    assert_silent(MODEL("event e : x both set ph = 30 [deg], x = 30 [m], th = 30 [rad]"));
    assert_warned(MODEL("start ph = a30"), "the angle ph starts at 30", 5);
    assert_warned(MODEL("start (ph, th) = (1, 90)"), "the angle th starts at 90", 5);
    assert_warned(MODEL("frame R : rotate z 45"), "turned by 45", 5);
    assert_warned(MODEL("force (x) = 1 [N]*sin(a30)"), "the sin of 30", 5);
    judged j = judge(MODEL("start ph = 0.5"), "ph=30");
    assert_int_equal(zw_warnings_count(j.list), 1);
    assert_string_equal(zw_warnings_at(j.list, 0)->file, "--set ph");
    clear(&j);
    assert_silent(MODEL("start ph = 30 [deg], th = 30 [rad]"));
    assert_silent(MODEL("start ph = 6, th = 7.853981633974483, ph' = 30 [rad/s], x = 30 [m]"));
    assert_silent(MODEL("force (x) = 1 [N]*sin(30*ph)*exp(30)"));
    assert_silent("model b\nunits none\ncoord x\nkinetic x'^2/2\nstart x = 30");
}

static void test_plausible__hertz(void **state) {
    (void)state;
    assert_warned(MODEL("input u = harmonic(1 [N], 50 [Hz])\nforce (x) = u"), "made of Hz", 5);
    assert_warned(MODEL("input u = harmonic(1 [N], f)\nforce (x) = u"), "made of Hz", 5);
    assert_warned(MODEL("input u = sweep(1 [N], w, 2 [kHz], 3 [s])\nforce (x) = u"), "made of Hz",
                  5);
    assert_warned(MODEL("force (x) = 1 [N]*cos(f*t)"), "made of Hz", 5);
    assert_warned(MODEL("frame R : rotate z f*t"), "made of Hz", 5);
    assert_warned(MODEL("start ph' = 2 [Hz]"), "made of Hz", 5);
    assert_silent(MODEL("input u = harmonic(1 [N], 2*pi*f)\nforce (x) = u"));
    assert_silent(MODEL("let o = 2*pi*f\ninput u = harmonic(1 [N], o)\nforce (x) = u"));
    assert_silent(MODEL("input u = harmonic(1 [N], 50 [rev/s])\nforce (x) = u"));
    assert_silent(MODEL("force (x) = 1 [N]*cos(6.2832*f*t) + 1 [N]*exp(-f*t)"));
    assert_silent(MODEL("event e : every 1/f\nstart ph' = 2 [1/s]"));
}

static void test_plausible__degrees_twice(void **state) {
    (void)state;
    assert_warned(MODEL("observe a = ph*180/pi [deg]"), "once more by its unit", 5);
    assert_silent(MODEL("observe a = ph [deg], b = ph*180/pi, c = ph - 180 [deg] [deg]"));
}

/* rounding of two equal moments is none below zero (a rod), and a mass that changes is said to */
static void test_plausible__rods_and_changing_masses(void **state) {
    (void)state;
    assert_silent("model rod\nparam L = 0.9 [m]\ncoord q [rad]\n"
                  "frame K : rotate y 0.3*q rotate z q\nbody b : K, rod(2 [kg], L) at (L/2, 0, 0)");
    assert_silent("model rod\nparam L = 0.7 [m]\nrotation B\nbody b : B, rod(3 [kg], L)");
    assert_warned("model rocket\ncoord x [m]\nparticle P : 3 [kg] - 1 [kg/s]*t at (x, 0)",
                  "the mass that joins or leaves is assumed to be at rest", 3);
    assert_warned("model tank\ncoord x [m]\nstate m [kg] : m' = -0.1 [kg/s]\nparticle P : m at (x, "
                  "0)\nstart m = 1 [kg]",
                  "the mass that joins or leaves is assumed to be at rest", 4);
    assert_silent("model rocket\ncoord x [m]\n"
                  "particle P : 3 [kg] - 1 [kg/s]*t at (x, 0) exhaust (-20 [m/s], 0)");
    assert_silent(
        "model cart\ncoord x [m]\nparticle P : 3 [kg] + 1 [kg/s]*t at (x, 0) intake (0, 0, 0)");
}

#define BODY(J) "model b\nparam m = 2 [kg]\nrotation B\nbody b : B, inertia(m, " J ")\n"

static void test_plausible__masses(void **state) {
    (void)state;
    assert_warned("model p\ncoord x [m]\nparticle P : -1 [kg] at (x, 0)", "mass of the particle P",
                  3);
    assert_warned("model p\ncoord x [m]\nkinetic -1/2*1 [kg]*x'^2", "kinetic energy of", 2);
    assert_warned("model p\nparam l = 1e300 [m]\ncoord ph [rad]\n"
                  "particle P : 1 [kg] at (l*sin(ph), -l*cos(ph))",
                  "the parameter l is 1e+300 m", 2);
    assert_warned("model p\ncoord x [m]\nparticle P : 1e300 [kg] at (x, 0)", "1e+300", 3);
    /* a hole, made of what is taken away */
    assert_silent("model p\ncoord x [m]\nparticle P : 3 [kg] at (x, 0)\nkinetic -1/2*1 [kg]*x'^2");
    assert_silent("model p\ncoord x [m]\nparticle P : 1e-31 [kg] at (x, 0)\nstart x = 1e26 [m]");
}

static void test_plausible__moments_of_inertia(void **state) {
    (void)state;
    assert_warned(BODY("1 [kg*m^2], 1 [kg*m^2], 3 [kg*m^2]"), "principal moments", 4);
    assert_warned(BODY("1 [kg*m^2], -1 [kg*m^2], 1 [kg*m^2]"), "is negative", 4);
    /* 1, 1, 1 with large products of inertia: principal moments -1, 2, 2 */
    assert_warned(BODY("1 [kg*m^2], 1 [kg*m^2], 1 [kg*m^2], -1 [kg*m^2], -1 [kg*m^2], -1 [kg*m^2]"),
                  "is negative: -1", 4);
    assert_silent(BODY("1 [kg*m^2], 1 [kg*m^2], 2 [kg*m^2]")); /* a thin disc */
    assert_silent(BODY("2 [kg*m^2], 2 [kg*m^2], 1 [kg*m^2], 0.5 [kg*m^2], 0, 0"));
    assert_silent("model b\nrotation B\n" /* a hole in a disc */
                  "body b : B, disk(3 [kg], 2 [m]) - disk(0.5 [kg], 0.5 [m]) at (1 [m], 0, 0)");
    /* about one axis only one moment counts */
    assert_silent("model b\ncoord ph [rad]\nframe R : rotate z ph\n"
                  "body b : R, inertia(1 [kg], 0, 0, 3 [kg*m^2])");
}

/* the models that ship are what their authors mean */
static void test_plausible__no_false_alarm(void **state) {
    (void)state;
    glob_t found;
    assert_int_equal(glob(ZW_SOURCE_DIR "/models/*.zw", 0, NULL, &found), 0);
    assert_int_equal(glob(ZW_SOURCE_DIR "/models/claims/*.zw", GLOB_APPEND, NULL, &found), 0);
    assert_true(found.gl_pathc > 20);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        zw_context *ctx = zw_context_create(NULL);
        zw_warnings *list = zw_warnings_create(NULL);
        zw_system *s = NULL;
        zw_error err = {0};
        double p[256];
        if (zw_model_read(&s, ctx, found.gl_pathv[i], NULL, &err) < 0 ||
            zw_system_param_values(s, p, &err) < 0 || zw_system_warnings(s, p, list, &err) < 0)
            fail_msg("%s: %s", found.gl_pathv[i], err.text);
        if (zw_warnings_count(list))
            fail_msg("%s: %s", found.gl_pathv[i], zw_warnings_at(list, 0)->text);
        zw_warnings_destroy(list);
        zw_context_destroy(ctx);
    }
    globfree(&found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plausible__degrees),
        cmocka_unit_test(test_plausible__hertz),
        cmocka_unit_test(test_plausible__degrees_twice),
        cmocka_unit_test(test_plausible__masses),
        cmocka_unit_test(test_plausible__rods_and_changing_masses),
        cmocka_unit_test(test_plausible__moments_of_inertia),
        cmocka_unit_test(test_plausible__no_false_alarm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
