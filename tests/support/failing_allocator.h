/* SPDX-License-Identifier: MIT */
/* An allocator that fails on its n-th request and counts what is not given back. Usage:
 *
 *   for (long n = 1;; n = failing_allocator_next(n)) {
 *       failing_allocator f = failing_allocator_make(n);
 *       zw_allocator alloc = failing_allocator_of(&f);
 *       ... do the work with alloc, clean up ...
 *       assert_int_equal(f.blocks, 0);
 *       assert_int_equal(f.bytes, 0);
 *       if (!f.failed) break;      // the work needs fewer than n requests: all, or enough of them, were tried
 *   }
 *
 * Work that needs thousands of requests is done thousands of times by this. Later requests are most
 * often made in the places of earlier ones: make test lets all of the first fail and fewer and
 * fewer of the others, make test-long every one. */
#ifndef ZW_TEST_FAILING_ALLOCATOR_H
#define ZW_TEST_FAILING_ALLOCATOR_H

#include <stdbool.h>
#include <stdlib.h>

#include "support/test.h"
#include "zwang/status.h"

typedef struct failing_allocator {
    long fail_at;       /* the request that fails, counted from 1; 0: none */
    long requests;      /* so far, frees not counted */
    long blocks, bytes; /* living */
    bool failed;
} failing_allocator;

static inline failing_allocator failing_allocator_make(long fail_at) {
    return (failing_allocator){.fail_at = fail_at};
}

static inline long failing_allocator_next(long n) {
    return n + 1 + (test_long() || n < 64 ? 0 : n / 16);
}

static inline void *failing_allocator_fn(void *ud, void *p, size_t old_size, size_t new_size) {
    failing_allocator *f = ud;
    if (new_size == 0) {
        if (p) {
            f->blocks--;
            f->bytes -= (long)old_size;
        }
        free(p);
        return NULL;
    }
    if (++f->requests == f->fail_at) {
        f->failed = true;
        return NULL;
    }
    void *q = realloc(p, new_size);
    if (!q)
        return NULL;
    if (p)
        f->bytes -= (long)old_size;
    else
        f->blocks++;
    f->bytes += (long)new_size;
    return q;
}

static inline zw_allocator failing_allocator_of(failing_allocator *f) {
    return (zw_allocator){failing_allocator_fn, f};
}

#endif
