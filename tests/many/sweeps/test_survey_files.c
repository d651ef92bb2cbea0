/* SPDX-License-Identifier: MIT */
/* Files of a sweep: other files are left alone, damaged chunks are computed again, and an interrupt
 * ends the sweep soon. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

#include "base/processor.h"
#include "many/sweeps/chunk_file.h"
#include "support/files.h"
#include "support/test.h"

#include "zwang/survey.h"

static const char swing[] = "model swing \"of a mass\"\n"
                            "param m = 1 [kg], k = 4 [N/m]\n"
                            "coord x [m]\n"
                            "particle mass : m at (x, 0)\n"
                            "potential 1/2*k*x^2\n"
                            "start x = 1 [m], x' = 0\n";

static zw_survey *open_sweep(const char *over, const zw_survey_options *o,
                             zw_ensemble_engine engine) {
    zw_model_source source = {.text = swing, .length = strlen(swing), .file = "test"};
    zw_plan_options plan = zw_plan_options_default();
    zw_ensemble_options ensemble = zw_ensemble_options_default();
    zw_survey *s;
    zw_error err = {0};
    plan.nover = 1, plan.over = &over;
    ensemble.threads = 1;
    ensemble.engine = engine;
    if (zw_survey_create(&s, &source, &plan, &ensemble, o, &err) < 0)
        fail_msg("%s (%s)", err.text, err.hint);
    return s;
}

static zw_survey_report report; /* of the last sweep */

/* k = 1, 2, 3, 4 in chunks of two */
static zw_status sweep_into(const char *journal, const char *out, bool resume, zw_error *err) {
    zw_survey_options o = zw_survey_options_default();
    zw_survey_files f = zw_survey_files_default();
    o.measure = "max(x)", o.duration = "2";
    zw_survey *s = open_sweep("k=1,2,3,4", &o, ZW_ENSEMBLE_CHOSEN);
    f.journal = journal, f.out = out, f.resume = resume, f.chunk = 2, f.lease = 0.5;
    zw_status status = zw_survey_write(s, &f, &report, err);
    zw_survey_destroy(s);
    return status;
}

static void put(const char *folder, const char *name, const char *text, bool old) {
    char path[PATH_MAX + 256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    write_file(path, text, strlen(text));
    struct timespec long_ago[2] = {{1000000, 0}, {1000000, 0}};
    if (old)
        assert_int_equal(utimensat(AT_FDCWD, path, long_ago, 0), 0);
}

static bool is_there(const char *folder, const char *name) {
    char path[PATH_MAX + 256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    struct stat st;
    return lstat(path, &st) == 0;
}

static void get(const char *path, char *out, size_t size) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    out[fread(out, 1, size - 1, f)] = '\0';
    fclose(f);
}

/* one word in a file, everywhere it stands, into another of the same length */
static void change(const char *folder, const char *name, const char *from, const char *to) {
    char path[PATH_MAX + 256], text[1 << 14];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    get(path, text, sizeof text);
    char *at = strstr(text, from);
    assert_non_null(at);
    assert_int_equal(strlen(from), strlen(to));
    for (; at; at = strstr(at + 1, from))
        memcpy(at, to, strlen(to));
    write_file(path, text, strlen(text));
}

static void remove_all(const char *folder) {
    char path[PATH_MAX + 512];
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && unlink(path) != 0)
            rmdir(path);
    }
    closedir(d);
    rmdir(folder);
}

/* ---- journals ---- */

static void test_journal__leaves_alone_what_is_not_its_own(void **state) {
    (void)state;
    zw_error err = {0};
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", in_folder("journal"));
    mkdir(folder, 0777);
    put(folder, "draft-thesis.csv", "a,b\n1,2\n", true);
    assert_int_equal(sweep_into(folder, NULL, false, &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "not a journal"));
    assert_non_null(strstr(err.text, "draft-thesis.csv"));
    assert_false(is_there(folder, "plan"));
    remove_all(folder);

    /* in a journal that is one: only what lost processes have left goes */
    err = (zw_error){0};
    assert_int_equal(sweep_into(folder, NULL, false, &err), ZW_OK);
    static const char *const own[] = {"draft-thesis.csv", "draft-1-of-3.csv", "draft-",
                                      "worker-",          "worker-list.txt",  "worker-12-monkeys",
                                      "draft-7-worker-3"};
    static const char *const left[] = {"draft-1-worker-999-abCD12.csv", "worker-999-abCD12"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        put(folder, own[i], "mine\n", true);
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        put(folder, left[i], "lost\n", true);
    assert_int_equal(sweep_into(folder, in_folder("all.csv"), true, &err), ZW_OK);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!is_there(folder, own[i]))
            fail_msg("'%s' was removed", own[i]);
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (is_there(folder, left[i]))
            fail_msg("'%s' was left", left[i]);
    remove_all(folder);
}

/* A chunk that is not what was written is set aside and computed again: the result is that of an
 * undamaged journal. */
static void check_recovery(const char *folder, const char *good, const char *say) {
    zw_error err = {0};
    char text[1 << 14];
    char all[PATH_MAX];
    snprintf(all, sizeof all, "%s", in_folder("all.csv"));
    zw_status status = sweep_into(folder, all, true, &err);
    if (status != ZW_OK)
        fail_msg("%s: %s", say, err.text);
    if (report.damaged < 1 || !strstr(report.damage.text, "chunk-0000000"))
        fail_msg("%s: %d chunks damaged, '%s'", say, (int)report.damaged, report.damage.text);
    if (!strstr(report.damage.text, say))
        fail_msg("'%s' does not say '%s'", report.damage.text, say);
    get(all, text, sizeof text);
    assert_string_equal(text, good);
    assert_true(is_there(folder, "chunk-00000000.csv.damaged") ||
                is_there(folder, "chunk-00000001.csv.damaged"));
    remove_all(folder);
}

static void make_journal(char folder[PATH_MAX], char good[1 << 14]) {
    zw_error err = {0};
    snprintf(folder, PATH_MAX, "%s", in_folder("changed"));
    if (sweep_into(folder, in_folder("good.csv"), false, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(report.damaged, 0);
    get(in_folder("good.csv"), good, 1 << 14);
}

static void test_journal__recovers_chunks_that_were_changed(void **state) {
    (void)state;
    const struct {
        const char *from, *to, *say;
    } bad[] = {
        {"max(x)", "min(x)", "another plan"},
        {"# motions: 2", "# motions: 9", "motions of another part"},
        {"# first: ", "# First: ", "the notes of one are missing"},
        {"# rows: 2", "# rows: 1", "rows do not match"},
        {",0\n", ",z\n", "was changed"},
        {"# checksum", "# Checksum", "no checksum"},
        {"# model: swing", "# model: swung", "checksum"},
        {"# doubtful: 0", "# doubtful: 1", "checksum"},
    };
    char folder[PATH_MAX], good[1 << 14];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        make_journal(folder, good);
        for (int k = 0; k < 2; k++) { /* both in the same way: among each other they agree */
            char name[40];
            snprintf(name, sizeof name, "chunk-%08d.csv", k);
            change(folder, name, bad[i].from, bad[i].to);
        }
        check_recovery(folder, good, bad[i].say);
    }
}

/* Every bit of every byte of the notes, of the numbers: none of them is joined. */
static void test_journal__notices_every_bit(void **state) {
    (void)state;
    zw_error err = {0};
    char folder[PATH_MAX], good[1 << 14], path[PATH_MAX + 64], text[1 << 14];
    make_journal(folder, good);
    snprintf(path, sizeof path, "%s/chunk-00000001.csv", folder);
    get(path, text, sizeof text);
    size_t n = strlen(text), names = (size_t)(strstr(text, "\nk[N/m]") - text);
    zw_survey_options o = zw_survey_options_default();
    o.measure = "max(x)", o.duration = "2";
    zw_survey *s = open_sweep("k=1,2,3,4", &o, ZW_ENSEMBLE_CHOSEN);
    zw_table *plan;
    zw_survey_part part;
    assert_int_equal(zw_survey_table(s, &plan, &err), ZW_OK);
    assert_int_equal(zw_survey_part_verify(path, plan, 2, 2, &part, &err), ZW_OK);
    for (size_t i = 0; i < n; i = i < names ? i + 7 : i + 1)
        for (int bit = 0; bit < 8; bit++) {
            if (i >= names && (text[i] ^ 1 << bit) == ' ')
                continue;
            err = (zw_error){0};
            text[i] = (char)(text[i] ^ 1 << bit);
            write_file(path, text, n);
            if (zw_survey_part_verify(path, plan, 2, 2, &part, &err) >= 0)
                fail_msg("bit %d of byte %zu, now '%c', is not noticed", bit, i, text[i]);
            text[i] = (char)(text[i] ^ 1 << bit);
        }
    zw_table_destroy(plan);
    zw_survey_destroy(s);
    remove_all(folder);
}

static void swap_rows(const char *folder) {
    char path[PATH_MAX + 64], text[1 << 14], row[2][200];
    snprintf(path, sizeof path, "%s/chunk-00000001.csv", folder);
    get(path, text, sizeof text);
    char *at = strchr(strstr(text, "\nk[N/m]") + 1, '\n') + 1;
    snprintf(row[0], sizeof row[0], "%.*s", (int)strcspn(at, "\n"), at);
    snprintf(row[1], sizeof row[1], "%s", at + strlen(row[0]) + 1);
    row[1][strcspn(row[1], "\n")] = '\0';
    sprintf(at, "%s\n%s\n", row[1], row[0]);
    write_file(path, text, strlen(text));
}

static void test_journal__recovers_what_is_no_chunk(void **state) {
    (void)state;
    char folder[PATH_MAX], good[1 << 14], path[PATH_MAX + 64];
    make_journal(folder, good);
    swap_rows(folder);
    check_recovery(folder, good, "checksum");

    make_journal(folder, good); /* cut at the end of a line, and in the middle of one */
    snprintf(path, sizeof path, "%s/chunk-00000001.csv", folder);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(truncate(path, st.st_size / 2), 0);
    check_recovery(folder, good, "notes of one are missing");
    make_journal(folder, good);
    assert_int_equal(truncate(path, st.st_size - 3), 0);
    check_recovery(folder, good, "truncated");
    make_journal(folder, good);
    assert_int_equal(truncate(path, 0), 0);
    check_recovery(folder, good, "notes of one are missing");

    make_journal(folder,
                 good); /* a link that leads nowhere, a pipe that nobody writes into, a folder */
    unlink(path);
    assert_int_equal(symlink("nowhere", path), 0);
    check_recovery(folder, good, "cannot read");
    make_journal(folder, good);
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    check_recovery(folder, good, "not a regular file");
    make_journal(folder, good);
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    check_recovery(folder, good, "not a regular file");
}

/* A claim of another machine whose clock is a year ahead, one that is a link to nowhere: both end
 * with their lease. */
static void test_journal__takes_over_claims_of_any_date(void **state) {
    (void)state;
    zw_error err = {0};
    char folder[PATH_MAX], good[1 << 14], text[1 << 14], path[PATH_MAX + 64];
    make_journal(folder, good);
    static const char *const gone[] = {"chunk-00000000.csv", "chunk-00000001.csv", "joined"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, gone[i]);
        assert_int_equal(unlink(path), 0);
    }
    put(folder, "claim-0.0", "elsewhere/pid:[1] 1 1\n", false);
    snprintf(path, sizeof path, "%s/claim-0.0", folder);
    struct timespec ahead[2] = {{time(NULL) + 365 * 86400, 0}, {time(NULL) + 365 * 86400, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path, ahead, 0), 0);
    snprintf(path, sizeof path, "%s/claim-END.0", folder);
    assert_int_equal(symlink("nowhere", path), 0);
    alarm(60); /* it was waited for without an end */
    if (sweep_into(folder, in_folder("all.csv"), true, &err) != ZW_OK)
        fail_msg("%s", err.text);
    alarm(0);
    get(in_folder("all.csv"), text, sizeof text);
    assert_string_equal(text, good);
    remove_all(folder);
}

static void test_journal__without_checksums_is_said_to_be_older(void **state) {
    (void)state;
    zw_error err = {0};
    char folder[PATH_MAX], good[1 << 14];
    make_journal(folder, good);
    change(folder, "plan", "zwang journal 2", "zwang journal 1");
    assert_int_equal(sweep_into(folder, in_folder("all.csv"), true, &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "no checksums"));
    remove_all(folder);
}

/* what is at the place of a result that was joined before is not taken for it */
static void test_journal__is_joined_again_where_another_file_is(void **state) {
    (void)state;
    zw_error err = {0};
    char folder[PATH_MAX], all[PATH_MAX], good[1 << 14], text[1 << 14];
    snprintf(folder, sizeof folder, "%s", in_folder("again"));
    snprintf(all, sizeof all, "%s", in_folder("again.csv"));
    assert_int_equal(sweep_into(folder, all, false, &err), ZW_OK);
    get(all, good, sizeof good);
    const char *there[] = {"k[N/m],max(x)[m]\n1,2\n", ""};
    for (int i = 0; i < 2; i++) {
        put(test_folder, "again.csv", there[i], false);
        assert_int_equal(sweep_into(folder, all, true, &err), ZW_OK);
        get(all, text, sizeof text);
        assert_string_equal(text, good);
    }
    change(test_folder, "again.csv", "# motions: 4", "# motions: 3"); /* stopped on its way */
    assert_int_equal(sweep_into(folder, all, true, &err), ZW_OK);
    get(all, text, sizeof text);
    assert_string_equal(text, good);
    remove_all(folder);
}

/* machines with and without fused operations do not mix their bits in one result */
static void test_journal__is_of_one_arithmetic(void **state) {
    (void)state;
    zw_error err = {0};
    char folder[PATH_MAX], all[PATH_MAX];
    if (!zw_processor_fuses())
        skip();
    snprintf(folder, sizeof folder, "%s", in_folder("arithmetic"));
    snprintf(all, sizeof all, "%s", in_folder("arithmetic.csv"));
    setenv("ZWANG_FMA", "off", 1);
    assert_int_equal(sweep_into(folder, all, false, &err), ZW_OK);
    assert_int_equal(sweep_into(folder, all, true, &err), ZW_OK);
    unsetenv("ZWANG_FMA");
    assert_int_equal(sweep_into(folder, all, true, &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "belongs to another plan"));
    assert_non_null(strstr(err.hint, "ZWANG_FMA=off"));
    remove_all(folder);
}

/* ---- a stop ---- */

static volatile sig_atomic_t flag;
static bool is_rung(void *user, double done) {
    (void)user;
    assert_true(done >= 0 && done <= 1);
    return flag;
}
static void ring(int number) {
    (void)number;
    flag = 1;
}

static double seconds(void) {
    struct timeval t;
    gettimeofday(&t, NULL);
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

/* a billion rows of one motion: within each step there are very many */
static void test_stop__comes_within_a_step_and_replaces_nothing(void **state) {
    (void)state;
    const zw_ensemble_engine engine[] = {ZW_ENSEMBLE_LANES, ZW_ENSEMBLE_SINGLE};
    char text[40];
    for (int i = 0; i < 2; i++) {
        zw_survey_options o = zw_survey_options_default();
        zw_survey_files f = zw_survey_files_default();
        zw_error err = {0};
        o.measure = "x", o.duration = "0.1", o.rows = "1e-10s";
        zw_survey *s = open_sweep("k=1e-6,2e-6", &o, engine[i]);
        put(test_folder, "old.csv", "a\n1\n", false);
        f.out = in_folder("old.csv");
        f.stop = is_rung;
        flag = 0;
        struct itimerval soon = {.it_value = {0, 300000}};
        signal(SIGALRM, ring);
        setitimer(ITIMER_REAL, &soon, NULL);
        double begin = seconds();
        assert_int_equal(zw_survey_write(s, &f, &report, &err), ZW_STOPPED);
        assert_true(seconds() - begin <
                    30); /* to the end it would be hours, to that of a step minutes */
        assert_int_equal(report.motions, 0);
        get(in_folder("old.csv"), text, sizeof text);
        assert_string_equal(text, "a\n1\n");
        zw_survey_destroy(s);
    }
}

/* the disk is full, or as here the file too large: this is told while work is left, and the old
 * file stays */
static void test_stop__when_nothing_can_be_written(void **state) {
    (void)state;
    zw_survey_options o = zw_survey_options_default();
    zw_survey_files f = zw_survey_files_default();
    zw_error err = {0};
    char text[40];
    o.measure = "max(x)", o.duration = "2";
    zw_survey *s = open_sweep("k=lin:1:2:1e9", &o, ZW_ENSEMBLE_CHOSEN);
    put(test_folder, "full.csv", "a\n1\n", false);
    f.out = in_folder("full.csv");
    f.stop = is_rung;
    flag = 0;
    struct rlimit before, small;
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 4096;
    struct itimerval late = {.it_value = {100, 0}}, never = {0};
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGALRM, ring);
    setitimer(ITIMER_REAL, &late, NULL);
    setrlimit(RLIMIT_FSIZE, &small);
    zw_status status = zw_survey_write(s, &f, &report, &err);
    setrlimit(RLIMIT_FSIZE, &before);
    setitimer(ITIMER_REAL, &never, NULL);
    assert_int_equal(status, ZW_E_FILE);
    assert_non_null(strstr(err.text, "cannot write"));
    get(in_folder("full.csv"), text, sizeof text);
    assert_string_equal(text, "a\n1\n");
    zw_survey_destroy(s);
}

/* the folder of the result goes away while it is computed: it is rescued, with the bytes that it
 * would have had */
static void lose_folder(void *user, const double *row) {
    (void)row;
    char away[PATH_MAX + 8];
    snprintf(away, sizeof away, "%s.away", (const char *)user);
    rename(user, away);
}

static void test_result__is_rescued(void **state) {
    (void)state;
    zw_survey_options o = zw_survey_options_default();
    zw_survey_files f = zw_survey_files_default();
    zw_error err = {0};
    char folder[PATH_MAX], out[PATH_MAX + 16], good[1 << 14], text[1 << 14];
    o.measure = "max(x)", o.duration = "2";
    snprintf(folder, sizeof folder, "%s", in_folder("gone"));
    snprintf(out, sizeof out, "%s/all.csv", folder);
    assert_int_equal(mkdir(folder, 0777), 0);
    setenv("TMPDIR", test_folder, 1);
    zw_survey *s = open_sweep("k=lin:1:2:20", &o, ZW_ENSEMBLE_CHOSEN);
    f.out = in_folder("whole.csv");
    assert_int_equal(zw_survey_write(s, &f, &report, &err), ZW_OK);
    get(f.out, good, sizeof good);
    f.out = out, f.row = lose_folder, f.user = folder;
    assert_int_equal(zw_survey_write(s, &f, &report, &err), ZW_E_FILE);
    assert_non_null(strstr(err.text, "cannot write"));
    assert_non_null(strstr(err.text, "saved in"));
    assert_non_null(strstr(err.text, "all-rescued.csv"));
    get(in_folder("all-rescued.csv"), text, sizeof text);
    assert_string_equal(text, good);
    zw_survey_destroy(s);
    strcat(folder, ".away");
    remove_all(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_journal__leaves_alone_what_is_not_its_own),
        cmocka_unit_test(test_journal__recovers_chunks_that_were_changed),
        cmocka_unit_test(test_journal__notices_every_bit),
        cmocka_unit_test(test_journal__recovers_what_is_no_chunk),
        cmocka_unit_test(test_journal__takes_over_claims_of_any_date),
        cmocka_unit_test(test_journal__without_checksums_is_said_to_be_older),
        cmocka_unit_test(test_journal__is_joined_again_where_another_file_is),
        cmocka_unit_test(test_journal__is_of_one_arithmetic),
        cmocka_unit_test(test_stop__comes_within_a_step_and_replaces_nothing),
        cmocka_unit_test(test_stop__when_nothing_can_be_written),
        cmocka_unit_test(test_result__is_rescued),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
