/* SPDX-License-Identifier: MIT */
/* Inverted pendulums with a motor: the linear equations at the upright position against those found
 * by hand, M s'' + D s' + K s = b u, from which A = [0 1; -M^-1 K -M^-1 D] and B = [0; M^-1 b]. */
#include "support/test.h"
#include "zwang/zwang.h"

/* of two coordinates; K has one entry, the second on its diagonal */
typedef struct hand {
    double M[4], D[4], K, b[2];
} hand;

typedef struct found {
    zw_context *ctx;
    zw_system *sys;
    zw_equilibria *e;
    zw_linear_equations *l;
} found;

static void must(zw_status status, const zw_error *err) {
    if (status < 0)
        fail_msg("%s", err->text);
}

static found linearise(const char *path, const char *set, const char *first) {
    found f = {.ctx = zw_context_create(NULL)};
    zw_error err = {0};
    const char *states[] = {first, "phi"};
    zw_model_options options = {.nset = 1, .set = &set};
    zw_equilibria_options how = zw_equilibria_options_default();
    zw_linear_options names = zw_linear_options_default();
    names.nstate = 2;
    names.state = states;
    must(zw_model_read(&f.sys, f.ctx, path, &options, &err), &err);
    must(zw_linear_prepare(f.sys, &names, &how, &err), &err);
    must(zw_equilibria_create(&f.e, f.sys, &how, &err), &err);
    must(zw_equilibria_find(f.e, &err), &err);
    must(zw_linear_create(&f.l, f.e, &names, &err), &err);
    return f;
}

static void forget(found *f) {
    zw_linear_destroy(f->l);
    zw_equilibria_destroy(f->e);
    zw_context_destroy(f->ctx);
}

/* M^-1 (x, y) */
static void solve(const double *M, double x, double y, double out[2]) {
    double det = M[0] * M[3] - M[1] * M[2];
    out[0] = (M[3] * x - M[1] * y) / det;
    out[1] = (M[0] * y - M[2] * x) / det;
}

static void assert_hand(const char *path, const char *set, const char *first, const hand *h) {
    found f = linearise(path, set, first);
    const double *A = zw_linear_states(f.l)->A, *B = zw_linear_inout(f.l)->B;
    double a[3][2], b[2];
    assert_int_equal(zw_linear_states(f.l)->n, 4);
    assert_int_equal(zw_linear_inout(f.l)->nin, 1);
    solve(h->M, 0, -h->K, a[0]);
    solve(h->M, -h->D[0], -h->D[2], a[1]);
    solve(h->M, -h->D[1], -h->D[3], a[2]);
    solve(h->M, h->b[0], h->b[1], b);
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 4; j++)
            assert_close(A[i * 4 + j], j == i + 2, 1e-14);
        assert_close(B[i], 0, 1e-14);
        assert_close(A[(i + 2) * 4], 0, 1e-12);
        for (int j = 0; j < 3; j++)
            assert_close(A[(i + 2) * 4 + j + 1], a[j][i], 1e-12 * (1 + fabs(a[j][i])));
        assert_close(B[i + 2], b[i], 1e-12 * (1 + fabs(b[i])));
    }
    const zw_second_order *o = zw_linear_second_order(f.l);
    assert_int_equal(o->reason, ZW_SECOND_THERE);
    for (int i = 0; i < 4; i++)
        assert_close(o->M[i], h->M[i], 1e-12 * h->M[0]);
    assert_close(o->K[3], h->K, 1e-12 * fabs(h->K));
    assert_int_equal(zw_linear_spectrum(f.l)->ncontrollable, 4);
    forget(&f);
}

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"
static const double g = 9.81;

static void test_balanced__cart_pole(void **state) {
    (void)state;
    const double M = 1, b = 0.1, m = 0.2, l = 0.3, J = 0.006, c = 1e-3;
    const hand up = {{M + m, m * l, m * l, J + m * l * l}, {b, 0, 0, c}, -m * g * l, {1, 0}};
    const hand down = {{M + m, -m * l, -m * l, J + m * l * l}, {b, 0, 0, c}, m * g * l, {1, 0}};
    assert_hand(MODEL("cart_pole"), "phi=0 [rad]", "x", &up);
    assert_hand(MODEL("cart_pole"), "phi=180 [deg]", "x", &down);
}

static void test_balanced__furuta(void **state) {
    (void)state;
    const double J_a = 2e-3, r = 0.2, b = 1e-3, m = 0.1, l = 0.15, J = 0.75e-3, c = 0.1e-3,
                 J_t = J + m * l * l;
    const hand up = {
        {J_a + m * r * r, -m * r * l, -m * r * l, J_t}, {b, 0, 0, c}, -m * g * l, {1, 0}};
    const hand down = {
        {J_a + m * r * r, m * r * l, m * r * l, J_t}, {b, 0, 0, c}, m * g * l, {1, 0}};
    assert_hand(MODEL("furuta"), "phi=0 [rad]", "th", &up);
    assert_hand(MODEL("furuta"), "phi=180 [deg]", "th", &down);
}

static void test_balanced__segway(void **state) {
    (void)state;
    const double m_w = 12, J_w = 0.3, r = 0.24, m = 90, l = 0.9, J = 12, c = 0.5;
    const hand up = {{m + m_w + J_w / (r * r), m * l, m * l, J + m * l * l},
                     {c / (r * r), -c / r, -c / r, c},
                     -m * g * l,
                     {1 / r, -1}};
    assert_hand(MODEL("segway"), "phi=0 [rad]", "x", &up);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balanced__cart_pole),
        cmocka_unit_test(test_balanced__furuta),
        cmocka_unit_test(test_balanced__segway),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
