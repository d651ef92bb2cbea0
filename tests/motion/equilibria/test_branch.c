/* SPDX-License-Identifier: MIT */
/* Steady motions over a number against closed forms; where they end; what is refused. */
#include <math.h>
#include <stdio.h>

#include "support/failing_allocator.h"
#include "support/report.h"
#include "support/test.h"
#include "zwang/zwang.h"

static zw_context *ctx;
static zw_system *sys;
static zw_branch *b;
static zw_error err;

static int setup(void **state) {
    (void)state;
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    b = NULL;
    return 0;
}

static int teardown(void **state) {
    (void)state;
    zw_branch_destroy(b);
    zw_context_destroy(ctx);
    return 0;
}

static zw_status go(const char *text, const char *over, int nhold, const char *const *hold) {
    zw_branch_options options = zw_branch_options_default();
    zw_equilibria_options motion = zw_equilibria_options_default();
    motion.nhold = nhold;
    motion.hold = hold;
    options.over = over;
    options.motion = &motion;
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test.zw", NULL, &err) < 0)
        fail_msg("%s", err.text);
    return zw_branch_create(&b, sys, &options, &err);
}

/* a bead on a hoop that is turned at the rate w: cos(th) = g/w^2, stable with drag */
#define HOOP                                                                                       \
    "model hoop\nparam w = 6 [rad/s], g = 9.81 [m/s^2]\ncoord th [rad]\n"                          \
    "kinetic 0.5 [kg*m^2]*th'^2\npotential -1 [kg*m]*g*cos(th) - 0.5 [kg*m^2]*w^2*sin(th)^2\n"     \
    "force (th) = -0.1 [N*m*s]*th'\nstart th = 1\n"

static char *text_of(void) {
    zw_report *r = report_begin("hoop");
    zw_branch_report(b, r);
    return report_take_text(r);
}

static void test_branch__closed_form(void **state) {
    (void)state;
    assert_int_equal(go(HOOP, "w=4:10:13 [rad/s]", 0, NULL), ZW_OK);
    assert_int_equal(zw_branch_rows(b), 13);
    for (int i = 0; i < 13; i++) {
        double w = zw_branch_value(b, i);
        assert_close(w, 4 + 0.5 * i, 1e-14);
        assert_close(cos(zw_branch_state(b, i)[0]), 9.81 / (w * w), 1e-12);
        assert_int_equal(zw_branch_growing(b, i), 0);
    }
    zw_table *t = NULL;
    assert_int_equal(zw_branch_table(b, NULL, &t, &err), ZW_OK);
    assert_string_equal(zw_table_get_note(t, "kind"), "steady motions");
    assert_int_equal(zw_table_rows(t), 13);
    assert_string_equal(zw_table_name(t, 0), "w");
    assert_close(zw_table_at(t, 12, zw_table_find(t, "stable")), 1, 0);
    assert_null(zw_table_get_note(t, "param w"));
    zw_table_destroy(t);
    char *text = text_of();
    assert_non_null(strstr(text, "hoop: a branch of equilibria or relative equilibria over w"));
    assert_non_null(strstr(text, "stable"));
    free(text);
}

/* at the bottom: something grows above sqrt(g) */
static void test_branch__stability_changes(void **state) {
    (void)state;
    assert_int_equal(go("model hoop\nunits none\nparam w = 1, g = 9.81\ncoord th\n"
                        "kinetic th'^2/2\npotential -g*cos(th) - w^2*sin(th)^2/2\n"
                        "force (th) = -0.1*th'\nstart th = 0\n",
                        "w=1:5:9", 0, NULL),
                     ZW_OK);
    for (int i = 0; i < 9; i++)
        assert_int_equal(zw_branch_growing(b, i), zw_branch_value(b, i) > sqrt(9.81));
    char *text = text_of();
    assert_non_null(
        strstr(text, "between 3 and 3.5 the number of growing eigenvalues changes from 0 to 1\n"));
    assert_non_null(strstr(text, "zwang linearise --over w=..."));
    free(text);
}

/* beside the bottom there is none below sqrt(g): the way ends there, and says where */
static void test_branch__ends_where_it_ends(void **state) {
    (void)state;
    assert_int_equal(go(HOOP, "w=10:1 [rad/s]", 0, NULL), ZW_OK);
    const zw_steady_way *way = zw_branch_way(b);
    assert_true(way->stop[1].end != ZW_FOLLOW_GOES_ON);
    assert_close(way->stop[1].value, sqrt(9.81), 1e-3);
    assert_true(zw_branch_value(b, 0) > zw_branch_value(b, zw_branch_rows(b) - 1));
}

/* p x - x^3 + e from x > 0 bends beside p = 0, where it nearly meets others, and goes on: it never
 * turns back */
static void test_branch__bends_without_turning(void **state) {
    (void)state;
    static const double e[] = {1e-4, 1e-6, 1e-8, 1e-9, 1e-10, 1e-11};
    for (int i = 0; i < 6; i++) {
        char text[200];
        snprintf(
            text, sizeof text,
            "model bend\nunits none\nparam p = 1\nstate x : x' = p*x - x^3 + %g\nstart x = 1\n",
            e[i]);
        assert_int_equal(go(text, "p=2:-1", 0, NULL), ZW_OK);
        assert_true(zw_branch_way(b)->stop[1].end != ZW_FOLLOW_FOLD);
        if (e[i] >= 1e-8) {
            assert_int_equal(zw_branch_way(b)->stop[1].end, ZW_FOLLOW_GOES_ON);
            assert_close(zw_branch_state(b, zw_branch_rows(b) - 1)[0], e[i], 1e-3 * e[i]);
        }
        zw_branch_destroy(b);
        b = NULL;
    }
}

/* x' = p x - x^2 at p = 0: an eigenvalue is zero, and nothing is said to be stable */
static void test_branch__mark_at_a_row(void **state) {
    (void)state;
    assert_int_equal(go("model t\nunits none\nparam p = 1\nstate x : x' = p*x - x^2\nstart x = 1\n",
                        "p=0:2:3", 0, NULL),
                     ZW_OK);
    zw_table *t = NULL;
    assert_int_equal(zw_branch_table(b, NULL, &t, &err), ZW_OK);
    assert_true(zw_table_at(t, 0, zw_table_find(t, "stable")) != 1);
    assert_true(zw_table_at(t, 1, zw_table_find(t, "stable")) == 1);
    zw_table_destroy(t);
}

/* over something that is held, an observable too */
static void test_branch__over_what_is_held(void **state) {
    (void)state;
    const char *conical = "model conical\nunits none\nparam g = 9.81\ncoord x, y, z\n"
                          "particle P : 1 at (x, y, z)\ngravity g along -z\n"
                          "constraint l : x^2 + y^2 + z^2 = 1\nguess x = 0.8, z = -0.6, y' = 3\n";
    assert_int_equal(go(conical, "z=-0.9:-0.4:6", 0, NULL), ZW_OK);
    for (int i = 0; i < 6; i++) {
        const double *x = zw_branch_state(b, i);
        assert_close(hypot(x[3], x[4]) * hypot(x[3], x[4]) * -zw_branch_value(b, i),
                     9.81 * (1 - pow(zw_branch_value(b, i), 2)), 1e-10);
    }
}

static void test_branch__refusals(void **state) {
    (void)state;
    assert_int_equal(go("model conical\nunits none\nparam g = 9.81\ncoord x, y, z\n"
                        "particle P : 1 at (x, y, z)\ngravity g along -z\n"
                        "constraint l : x^2 + y^2 + z^2 = 1\nguess x = 0.8, z = -0.6, y' = 3\n",
                        "g=5:10", 0, NULL),
                     ZW_E_MODEL); /* which of the family? */
    assert_non_null(strstr(err.text, "the steady motions form a family with 1 parameter"));
    err = (zw_error){0};
    assert_int_equal(go(HOOP, "ww=1:2", 0, NULL), ZW_E_NAME);
    err = (zw_error){0};
    assert_true(go(HOOP, "w=1:2 [kg]", 0, NULL) < 0);
}

static void test_branch__survives_failing_memory(void **state) {
    (void)state;
    for (long n = 1;; n += 1 + n / 25) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_context *own = zw_context_create(&alloc);
        zw_system *s = NULL;
        zw_branch *q = NULL;
        zw_branch_options options = zw_branch_options_default();
        zw_error fault = {0};
        zw_bytes text = {0};
        zw_report *r = NULL;
        options.over = "w=5:6:3 [rad/s]";
        bool ok = own && zw_model_parse(&s, own, HOOP, strlen(HOOP), "t", NULL, &fault) >= 0 &&
                  zw_branch_create(&q, s, &options, &fault) >= 0 &&
                  (r = zw_report_create(&alloc)) != NULL;
        if (ok) {
            zw_report_word(r, "model", s->name);
            zw_branch_report(q, r);
            ok = zw_report_text(r, &text, &fault) >= 0;
        }
        zw_report_destroy(r);
        assert_true(ok || f.failed);
        zw_bytes_clear(&text);
        zw_branch_destroy(q);
        if (own)
            zw_context_destroy(own);
        assert_int_equal(f.blocks, 0);
        if (!f.failed)
            break;
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_branch__##name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(closed_form),        TEST(stability_changes),
        TEST(ends_where_it_ends), TEST(bends_without_turning),
        TEST(mark_at_a_row),      TEST(over_what_is_held),
        TEST(refusals),           TEST(survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
