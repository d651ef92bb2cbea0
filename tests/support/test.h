/* SPDX-License-Identifier: MIT */
/* What all tests share: cmocka with its includes, relative comparison, a reproducible random
 * source. */
#ifndef ZW_TEST_H
#define ZW_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* |a - b| <= tol * max(1, |a|, |b|), and both finite */
#define assert_close(a, b, tol) test_close_((a), (b), (tol), #a " ~ " #b, __FILE__, __LINE__)

/* not inlined: gcc 14.2 takes 0 <= 1e-8 for false where it knows the range of a sine in b */
__attribute__((noinline, unused)) static void
test_close_(double a, double b, double tol, const char *what, const char *file, int line) {
    double scale = fmax(1.0, fmax(fabs(a), fabs(b)));
    if (!(fabs(a - b) <= tol * scale)) {
        print_error("%s: %.17g against %.17g, difference %.3g, allowed %.3g\n", what, a, b,
                    fabs(a - b), tol * scale);
        _fail(file, line);
    }
}

/* make test-long: everything is asked that could be. make test takes a part where the same is asked
 * very often. */
static inline bool test_long(void) {
    const char *said = getenv("ZWANG_TEST_LONG");
    return said && *said;
}

/* Whether (what, by), a model and a principle say, is among the part: one of `share`, chosen by the
 * names (FNV-1a), so that it is the same on every machine and stays when others come. Each test has
 * its own salt and thereby its own part. */
static inline bool test_takes(int share, const char *salt, const char *what, const char *by) {
    const char *const names[] = {salt, what, by};
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; i < 3; i++)
        for (const char *c = names[i]; c[0]; c++)
            hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    return test_long() || (hash >> 32) % (uint64_t)share == 0;
}

/* splitmix64: the same sequence on every machine */
typedef struct test_random {
    uint64_t state;
} test_random;

static inline uint64_t test_random_bits(test_random *r) {
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline int test_random_int(test_random *r, int n) {
    return (int)(test_random_bits(r) % (uint64_t)n);
}

static inline double test_random_real(test_random *r, double low, double high) {
    return low + (high - low) * ((double)(test_random_bits(r) >> 11) * 0x1p-53);
}

#endif
