/* SPDX-License-Identifier: MIT */
/* The stationary covariance of x'' + c x' + k x = s w with white noise w: s^2/(2 c k) of x, s^2/(2
 * c) of x', and its memory. */
#include "base/result_arena.h"
#include "support/failing_allocator.h"
#include "support/test.h"
#include "zwang/statespace.h"

enum { N = 2 };
#define DAMPING 0.3
#define STIFFNESS 5.0
#define NOISE 0.7

static zw_status find_covariance(const zw_allocator *alloc, double *P) {
    double A[N * N] = {0, 1, -STIFFNESS, -DAMPING}, one[N * N] = {1, 0, 0, 1}, B[N] = {0, 1},
                 intensity[] = {NOISE};
    zw_states s = {.n = N, .A_eta = A, .H = one, .inverse = one};
    s.memory = zw_result_arena_create(alloc);
    zw_status status = s.memory ? zw_covariance(&s, 1, B, intensity, P, NULL) : ZW_E_MEMORY;
    zw_result_arena_destroy(s.memory);
    return status;
}

static void test_covariance__of_an_oscillator(void **state) {
    (void)state;
    zw_allocator alloc = zw_allocator_default();
    double P[N * N];
    assert_int_equal(find_covariance(&alloc, P), ZW_OK);
    assert_close(P[0], NOISE * NOISE / (2 * DAMPING * STIFFNESS), 1e-14);
    assert_close(P[1], 0, 1e-14);
    assert_close(P[2], 0, 1e-14);
    assert_close(P[3], NOISE * NOISE / (2 * DAMPING), 1e-14);
}

/* all memory comes from the allocator of the states */
static void test_covariance__survives_failing_memory(void **state) {
    (void)state;
    for (long n = 1;; n = failing_allocator_next(n)) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        double P[N * N];
        zw_status status = find_covariance(&alloc, P);
        assert_int_equal(status, f.failed ? ZW_E_MEMORY : ZW_OK);
        assert_int_equal(f.blocks, 0);
        if (!f.failed) {
            assert_true(n == 4); /* the arena, the matrices, the pivots */
            break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_covariance__of_an_oscillator),
        cmocka_unit_test(test_covariance__survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
