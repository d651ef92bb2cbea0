/* SPDX-License-Identifier: MIT */
/* What all benches share: a clock, the repetition of a measurement, and one form of output.
 *
 * A bench prints rows "bench,case,quantity,value,unit,target" on standard output; bench/run makes
 * the table from them and keeps the file. The target is empty, "<= x" or ">= x" in the row's
 * unit. */
#ifndef ZW_BENCH_H
#define ZW_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double bench_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct bench_times {
    double min, median; /* seconds */
    int n;
} bench_times;

static inline int bench_compare_(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Repeat work(data) until `seconds` have passed, at least 5 and at most 1000 times. */
static inline bench_times bench_repeat(void (*work)(void *), void *data, double seconds) {
    enum { LEAST = 5, MOST = 1000 };
    double taken[MOST], end = bench_now() + seconds;
    int n = 0;
    while (n < LEAST || (n < MOST && bench_now() < end)) {
        double begin = bench_now();
        work(data);
        taken[n++] = bench_now() - begin;
    }
    qsort(taken, (size_t)n, sizeof taken[0], bench_compare_);
    return (bench_times){taken[0], taken[n / 2], n};
}

static inline void bench_row(const char *bench, const char *what, const char *quantity,
                             double value, const char *unit, const char *target) {
    printf("%s,%s,%s,%.6g,%s,%s\n", bench, what, quantity, value, unit, target);
    fflush(stdout);
}

#endif
