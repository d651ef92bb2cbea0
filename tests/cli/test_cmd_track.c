/* SPDX-License-Identifier: MIT */
/* The command for tracking: synthetic data, report, JSON, a start, and errors by name. */
#include "support/command.h"

#define DISK MODEL("tippedisk") " "
#define TABLES                                                                                     \
    " --cameras " ZW_SOURCE_DIR "/models/data/cameras.csv --markers " ZW_SOURCE_DIR                \
    "/models/data/tippedisk_markers.csv "

static answer track(const char *arguments) {
    return *zwang_verb("track", arguments);
}

/* Poses go to standard output alone: the words about them then go to standard error. */
static void test_cmd_track__synthetic_data(void **state) {
    (void)state;
    answer a = track(DISK "--synthesise poses.csv --truth truth.csv" TABLES "--until 0.3");
    assert_int_equal(a.code, 0);
    assert_has(a.out, " poses seen, ");
    char poses[200], truth[1 << 16];
    read_file("poses.csv", poses, sizeof poses);
    assert_has(poses, "# poses of markers in the axes of the cameras; synthetic");
    read_file("truth.csv", truth, sizeof truth);
    assert_has(truth, "# delay c1: 0 s");
    a = track(DISK "--synthesise -" TABLES "--until 0.02");
    assert_int_equal(a.code, 0);
    assert_true(strncmp(a.out, "# poses of markers", 18) == 0);
    assert_null(strstr(a.out, "poses seen"));
    assert_has(a.err, "poses seen");
    a = track(DISK "--synthesise again.csv --json" TABLES "--until 0.3");
    assert_has(a.out, "\"synthetic_poses\": {");
    assert_has(a.out, "\"flipped\": 0");
}

static void test_cmd_track__reports_cameras_and_a_start(void **state) {
    (void)state;
    assert_int_equal(track(DISK "--synthesise poses.csv" TABLES "--until 0.3").code, 0);
    answer a = track(DISK "poses.csv --start-at 0.1 --samples samples.csv" TABLES);
    assert_int_equal(a.code, 0);
    assert_has(a.out, "cameras\n  c1 ");
    assert_has(a.out, "its clock is the reference");
    assert_has(a.out, "coordinates, ");
    assert_has(a.out, "start at t = 0.1 s, on the constraints of the model\n  start ");
    const char *settings = strstr(a.out, "\n  --set \"");
    assert_non_null(settings); /* the last line, for scripts */
    assert_int_equal(strchr(settings + 1, '\n')[1], '\0');
    char samples[1 << 16];
    read_file("samples.csv", samples, sizeof samples);
    assert_has(samples, "# kind: measured samples\n");
    assert_has(samples, "sd(beta)[rad]");
    a = track(DISK "poses.csv --start-at 0.1 --delays known --json" TABLES);
    assert_int_equal(a.code, 0);
    assert_has(a.out, "\"study\": \"track\"");
    assert_has(a.out, "\"standard_deviation\": ");
}

static void test_cmd_track__mistakes(void **state) {
    (void)state;
    write_file("cameras.csv", "camera,x[m],y[m],z[m],to_x[m],to_y[m],to_z[m]\nc1,1,0,1,0,0,0\n");
    write_file("data.csv", "t[s],beta[rad]\n0,1.5\n0.1,1.5\n");
    const struct {
        const char *arguments, *say;
    } bad[] = {
        {DISK, "there are no data"},
        {DISK "data.csv --truth t.csv", "--truth is the motion of --synthesise"},
        {DISK "data.csv --synthesise p.csv", "--synthesise makes data and reads none"},
        {DISK "--synthesise p.csv --start-at 1", "--synthesise makes data and reads none"},
        {DISK "--synthesise p.csv --cameras cameras.csv", "need a table of markers"},
        {DISK "data.csv --cameras cameras.csv --out cameras.csv", "is read by this command"},
        {DISK "data.csv --out ./data.csv", "is read by this command"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        answer a = track(bad[i].arguments);
        if (a.code != 1 || !strstr(a.err, bad[i].say))
            fail_msg("%s: code %d, no '%s' in: %s", bad[i].arguments, a.code, bad[i].say, a.err);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cmd_track__synthetic_data),
        cmocka_unit_test(test_cmd_track__reports_cameras_and_a_start),
        cmocka_unit_test(test_cmd_track__mistakes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
