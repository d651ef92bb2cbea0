/* SPDX-License-Identifier: MIT */
/* The fixed point of projections: its factor in kg, as it is written for impulses, and smoothed
 * friction by it. */
#include "support/test.h"
#include "zwang/contact.h"

static zw_contact_answer solve(const zw_contact_problem *problem, const zw_contact_options *o,
                               double *r) {
    zw_contact_solver *s = zw_contact_solver_create(NULL);
    zw_contact_answer answer;
    zw_error err = {0};
    if (zw_contact_solve(s, problem, o, r, &answer, &err) < 0)
        fail_msg("%s", err.text);
    zw_contact_solver_destroy(s);
    return answer;
}

/* a particle of 2 kg that meets a floor */
static zw_contact_answer meet(double factor, double tolerance, long most, double *r) {
    static const double W[] = {0.5}, q[] = {-3};
    const zw_contact_law none = {0};
    zw_contact_problem problem = {.ncontact = 1, .law = &none, .q = q, .W = W};
    zw_contact_options o = zw_contact_options_default();
    o.method = ZW_CONTACT_PROX;
    o.prox = factor;
    o.tolerance = tolerance;
    o.iterations_max = most;
    return solve(&problem, &o, r);
}

/* r <- r - p (r/2 - 3): the error of the start, 6 N s, shrinks by 1 - p/2 */
static void test_prox__has_a_factor_in_kilograms(void **state) {
    (void)state;
    double r = 0;
    assert_int_equal(meet(2, 1e-14, 100, &r).iterations, 1);
    assert_close(r, 6, 1e-14);
    assert_int_equal(meet(1, 0.9 * ldexp(1, -10), 100, &r).iterations, 11);
    assert_close(r, 6 - 6 * ldexp(1, -11), 1e-14);
    zw_contact_answer grows = meet(4.1, 1e-9, 100, &r);
    assert_int_equal(grows.verdict, ZW_CONTACT_NOT_CONVERGED);
}

/* A ball of 1 kg with rows of slip that turn it: smooth friction, by projections and by the
 * interior path. The closed form is r_F = -mu r_N u/(|u| + eps) with u = q_F + w r_F, a quadratic
 * for |u|. */
static void check_smooth(double mu, double eps, double slip) {
    const double w = 3.5, W[] = {1, 0, 0, 0, w, 0, 0, 0, w}, q[] = {-0.2, 0.6 * slip, -0.8 * slip};
    zw_contact_law law = {.nblock = 1, .block = {zw_friction_coulomb(mu)}};
    law.block[0].smooth = eps;
    zw_contact_problem problem = {.ncontact = 1, .law = &law, .q = q, .W = W};
    zw_contact_options o = zw_contact_options_default();
    double r[3] = {0}, again[3] = {0};
    o.tolerance = 1e-13;
    solve(&problem, &o, again);
    o.method = ZW_CONTACT_PROX;
    o.prox = 0.25;
    zw_contact_answer answer = solve(&problem, &o, r);
    assert_int_equal(answer.verdict, ZW_CONTACT_CONVERGED);
    double n = 0.2 * mu, p = slip - eps - w * n, u = p / 2 + sqrt(p * p / 4 + eps * slip);
    double F = n * u / (u + eps);
    assert_close(r[0], 0.2, 1e-12);
    assert_close(r[1], -0.6 * F, 1e-12);
    assert_close(r[2], 0.8 * F, 1e-12);
    for (int i = 0; i < 3; i++)
        assert_close(r[i], again[i], 1e-12);
}

static void test_prox__finds_smooth_friction(void **state) {
    (void)state;
    check_smooth(0.3, 0.1, 2);
    check_smooth(0.3, 0.1, 0.05);
    check_smooth(0.3, 1e-3, 0.3);
    check_smooth(1.1, 1e-5, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prox__has_a_factor_in_kilograms),
        cmocka_unit_test(test_prox__finds_smooth_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
