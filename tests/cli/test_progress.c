/* SPDX-License-Identifier: MIT */
/* Progress without a terminal, as in a log: a line after 20 s, and after twice as long each time,
 * by a clock that the test sets. */
#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/test.h"

static _Atomic double test_time = 1000; /* [s] */

static int set_clock(clockid_t which, struct timespec *t) {
    if (which != CLOCK_MONOTONIC) /* the thread wakes by this one */
        return clock_gettime(which, t);
    double at = atomic_load(&test_time);
    *t = (struct timespec){.tv_sec = (time_t)at, .tv_nsec = (long)(1e9 * (at - floor(at)))};
    return 0;
}

#define clock_gettime set_clock
#include "cli/progress.c"
#undef clock_gettime

enum { PATIENCE_OF_TEST = 6000 };
static char path[] = "/tmp/zwang-progress-XXXXXX";
static char text[4096];
static _Atomic int limits;

static void limit_reached(void) {
    atomic_fetch_add(&limits, 1);
}

static int lines(void) {
    int n = 0, fd = open(path, O_RDONLY);
    ssize_t got = read(fd, text, sizeof text - 1);
    close(fd);
    text[got > 0 ? got : 0] = '\0';
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        n++;
    return n;
}

static void wait_for_lines(int n) {
    for (int k = 0; k < PATIENCE_OF_TEST && lines() < n; k++)
        usleep(10 * 1000);
}

static void test_progress__lines_in_a_log(void **state) {
    (void)state;
    int file = mkstemp(path), before = dup(2);
    assert_true(file >= 0 && before >= 0 && dup2(file, 2) >= 0);
    cli_progress_begin(false, 100, limit_reached);
    cli_show_progress(NULL, 0);
    atomic_store(&test_time, 1010);
    cli_show_progress(NULL, 0.25); /* no bar is drawn into a file */
    atomic_store(&test_time, 1020);
    wait_for_lines(1);
    atomic_store(&test_time, 1039); /* not yet */
    cli_show_progress(NULL, 0.5);
    usleep(600 * 1000); /* more than two wakings of the thread */
    atomic_store(&test_time, 1040);
    wait_for_lines(2);
    atomic_store(&test_time, 1101);
    wait_for_lines(3);
    for (int k = 0; k < PATIENCE_OF_TEST && !atomic_load(&limits); k++)
        usleep(10 * 1000);
    cli_progress_end();
    int n = lines();
    dup2(before, 2);
    close(file);
    close(before);
    unlink(path);
    assert_int_equal(n, 3);
    assert_string_equal(
        text, "  20 s so far, 25 % of this part, about 1 min 0 s left, time limit 1 min 40 s\n"
              "  40 s so far, 50 % of this part, about 40 s left, time limit 1 min 40 s\n"
              "  1 min 41 s so far, 50 % of this part, about 1 min 41 s left, time limit "
              "1 min 40 s\n");
    assert_int_equal(atomic_load(&limits), 1);
}

/* on a terminal, where a fraction of nothing says nothing about the time left */
static void test_progress__bar_begins_with_the_work(void **state) {
    (void)state;
    pace p = {.before = 2};
    now_at.how = BAR;
    assert_false(is_due(&p, 0, 1));
    assert_false(is_due(&p, 0, 10));
    assert_true(is_due(&p, 0.5, 11));
    assert_false(is_due(&p, 1, 12));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_progress__lines_in_a_log),
        cmocka_unit_test(test_progress__bar_begins_with_the_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
