/* SPDX-License-Identifier: MIT */
/* Motions side by side: they are those of single runs within the tolerances, and have the same bits
 * whatever the number of lanes and threads and whoever their neighbours are. */
#include <malloc.h>
#include <stdlib.h>

#include "base/processor.h"
#include "support/many.h"

typedef struct case_of {
    const char *model, *method;
    double until;
    int nset, set[2]; /* entries of the start that differ from motion to motion */
    double
        tolerance; /* of the end, where rtol is 1e-9: how much the motion itself magnifies errors */
} case_of;

static const case_of cases[] = {
    {"duffing", "rk54", 10, 2, {0, 1}, 1e-6},
    {"duffing", "rk87", 10, 2, {0, 1}, 1e-6},
    {"lorenz", "rk87", 2, 2, {0, 1}, 1e-5},
    {"roessler", "rk54", 5, 2, {0, 1}, 1e-6},
    {"double_pendulum", "rk87", 2, 2, {0, 1}, 1e-6},
    {"double_pendulum", "rk54", 2, 2, {0, 1}, 1e-6},
    {"van_der_pol", "rk87", 5, 1, {0}, 1e-6},
    {"driven_pendulum", "rk87", 5, 1, {0}, 1e-6},
    {"spring_pendulum", "rk87", 3, 0, {0}, 1e-6},
    /* stiff */
    {"van_der_pol", "radau", 5, 1, {0}, 1e-5},
    {"duffing", "radau", 10, 2, {0, 1}, 1e-5},
    {"double_pendulum", "bdf", 2, 2, {0, 1}, 1e-5},
    {"lorenz", "radau", 1, 2, {0, 1}, 1e-5},
    /* constraints on positions and velocities, quaternions */
    {"pendulum_cartesian", "rk87", 3, 0, {0}, 1e-6},
    {"pendulum_cartesian", "rk54", 3, 0, {0}, 1e-6},
    {"rolling_disc", "rk87", 2, 0, {0}, 1e-6},
    {"turntable_ball", "rk87", 2, 0, {0}, 1e-6},
    {"heavy_top", "rk87", 2, 0, {0}, 1e-6},
    {"tippedisk_reduced", "rk54", 1, 0, {0}, 1e-6},
    {"tippedisk_quaternion", "rk87", 0.3, 0, {0}, 1e-6},
    {"chaplygin_sleigh", "rk87", 2, 0, {0}, 1e-6},
    {"snakeboard", "rk87", 2, 0, {0}, 1e-6},
};
enum { NCASE = sizeof cases / sizeof *cases, POINTS = 21, STATES = 32 };

typedef struct taker {
    const case_of *c;
    int n;
    double last[POINTS][STATES];
    zw_status status[POINTS];
    char why[256];
} taker;

static void begin(void *user, zw_ensemble_motion *m, bool *given) {
    const taker *t = user;
    for (int i = 0; i < t->c->nset; i++) {
        int at = t->c->set[i];
        m->x[at] += 0.05 * sin(1.0 + (double)m->number + i);
        given[at] = true;
    }
    if (t->c->nset == 0)
        m->p[0] *= 1 + 0.01 * sin(1.0 + (double)m->number);
    m->next = t->c->until * (1 + 0.02 * (double)(m->number % 5)) / 4;
}

/* four visits, some of them near each other */
static zw_ensemble_reply visit(void *user, zw_ensemble_motion *m) {
    taker *t = user;
    int *visits = m->memory;
    memcpy(t->last[m->number], m->x, sizeof(double) * (size_t)t->n);
    m->next = ++*visits == 2 ? m->t + 1e-4 : m->t + t->c->until / 3;
    return *visits == 4 ? ZW_ENSEMBLE_DONE : ZW_ENSEMBLE_ON;
}

static void end(void *user, zw_ensemble_motion *m) {
    taker *t = user;
    t->status[m->number] = m->status;
    if (m->why)
        snprintf(t->why, sizeof t->why, "%s", m->why);
}

static void take(const case_of *c, int lanes, int threads, taker *t) {
    char *text = many_text(c->model);
    zw_ensemble_options o = many_engine(lanes);
    o.threads = threads;
    o.run.method = c->method;
    o.run.rtol = 1e-9;
    o.run.atol = 1e-11;
    o.memory = sizeof(int);
    zw_ensemble *e = many_create(text, &o);
    *t = (taker){.c = c, .n = zw_ensemble_states(e)};
    assert_true(t->n <= STATES);
    const zw_ensemble_client client = {.user = t, .begin = begin, .visit = visit, .end = end};
    many_run(e, &client, POINTS);
    zw_ensemble_info info;
    zw_ensemble_statistics(e, &info, sizeof info);
    assert_int_equal(info.lanes, lanes);
    assert_int_equal(info.handed_over, 0);
    assert_int_equal(info.doubtful, 0);
    for (int k = 0; k < POINTS; k++)
        if (t->status[k] != ZW_OK)
            fail_msg("%s: %s", c->model, t->why);
    zw_ensemble_destroy(e);
    free(text);
}

static void test_side__are_the_motions_of_single_runs(void **state) {
    (void)state;
    for (int i = 0; i < NCASE; i++) {
        taker single, four;
        take(&cases[i], 1, 1, &single);
        take(&cases[i], 4, 1, &four);
        for (int k = 0; k < POINTS; k++)
            for (int j = 0; j < single.n; j++)
                if (!(fabs(four.last[k][j] - single.last[k][j]) <=
                      cases[i].tolerance * fmax(1, fabs(single.last[k][j]))))
                    fail_msg("%s, motion %d, entry %d: %.15g against %.15g", cases[i].model, k, j,
                             four.last[k][j], single.last[k][j]);
    }
}

static void test_side__have_the_same_bits_in_all_lanes_and_threads(void **state) {
    (void)state;
    static const int lanes[] = {8, 4, 4, 8, 8}, threads[] = {1, 2, 7, 2, 7};
    for (int i = 0; i < NCASE; i++) {
        taker first, other;
        take(&cases[i], 4, 1, &first);
        for (int k = 0; k < 5; k++) {
            take(&cases[i], lanes[k], threads[k], &other);
            assert_memory_equal(other.last, first.last, sizeof first.last);
        }
    }
}

/* Without fused operations, as on a processor that has none: the same bits in all lanes and
 * threads, other ones than with them where there are any, and the same motions. */
static void test_side__go_without_fused_operations(void **state) {
    (void)state;
    static const int chosen[] = {0, 4, 15, 17}; /* both pairs, constraints */
    int differ = 0;
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++) {
        const case_of *c = &cases[chosen[i]];
        taker here, plain, other;
        take(c, 8, 1, &here);
        setenv("ZWANG_FMA", "off", 1);
        take(c, 4, 1, &plain);
        take(c, 8, 2, &other);
        unsetenv("ZWANG_FMA");
        assert_memory_equal(other.last, plain.last, sizeof plain.last);
        differ += memcmp(here.last, plain.last, sizeof plain.last) != 0;
        for (int k = 0; k < POINTS; k++)
            for (int j = 0; j < here.n; j++)
                if (!(fabs(here.last[k][j] - plain.last[k][j]) <=
                      c->tolerance * fmax(1, fabs(plain.last[k][j]))))
                    fail_msg("%s, motion %d, entry %d", c->model, k, j);
    }
    assert_true(differ == (zw_processor_fuses() ? 4 : 0));
}

/* ------------------------------------------------------------------------------ stiff motions */

/* x = cos t, whatever K is (Prothero and Robinson); y decays at the rate 1e3 */
static const char STIFF[] = "model stiff\nunits none\nparam K = 1e5\n"
                            "state x, y : x' = -K*(x - cos(t)) - sin(t), y' = -1e3*y*(1 + x^2)/2\n"
                            "start x = 1, y = 1\n";

static void stiff_begin(void *user, zw_ensemble_motion *m, bool *given) {
    (void)user;
    m->p[0] = pow(10, 2 + (double)m->number);
    m->x[0] = 1;
    given[0] = true;
    m->next = 1.5;
}

static zw_ensemble_reply stiff_visit(void *user, zw_ensemble_motion *m) {
    double *worst = user;
    *worst = fmax(*worst, fabs(m->x[0] - cos(m->t)));
    *worst = fmax(*worst, fabs(m->x[1]));
    m->next = m->t + 1;
    return m->t > 10 ? ZW_ENSEMBLE_DONE : ZW_ENSEMBLE_ON;
}

static double stiff_error(double rtol, double *steps) {
    zw_ensemble_options o = many_engine(4);
    o.run.method = "radau";
    o.run.rtol = rtol;
    o.run.atol = 1e-2 * rtol;
    zw_ensemble *e = many_create(STIFF, &o);
    double worst = 0;
    const zw_ensemble_client client = {.user = &worst, .begin = stiff_begin, .visit = stiff_visit};
    many_run(e, &client, 6);
    zw_ensemble_info info;
    zw_ensemble_statistics(e, &info, sizeof info);
    assert_int_equal(info.failed, 0);
    assert_int_equal(info.handed_over, 0);
    *steps = (double)info.steps / 6;
    zw_ensemble_destroy(e);
    return worst;
}

static void test_stiff__steps_are_those_of_accuracy(void **state) {
    (void)state;
    double few, many;
    assert_close(stiff_error(1e-4, &few), 0, 1e-3);
    assert_close(stiff_error(1e-8, &many), 0, 1e-7);
    assert_in_range((int)many, 1, 3000); /* an explicit one needs 11 * 1e7 / 3.3 at K = 1e7 */
    assert_true(few < many);
}

/* ------------------------------------------------------------------------------ neighbours */

typedef struct lonely {
    double last[POINTS];
} lonely;

static void lonely_begin(void *user, zw_ensemble_motion *m, bool *given) {
    (void)user;
    m->x[0] = 0.1 * (double)(m->number % POINTS);
    m->p[0] *= 1 + 0.1 * (double)(m->number % 3);
    given[0] = true;
    m->next = 3 + (double)(m->number % 4);
}

static zw_ensemble_reply lonely_visit(void *user, zw_ensemble_motion *m) {
    lonely *l = user;
    l->last[m->number % POINTS] = m->x[0];
    return ZW_ENSEMBLE_DONE;
}

static void test_side__do_not_depend_on_neighbours(void **state) {
    (void)state;
    char *text = many_text("duffing");
    zw_ensemble_options o = many_engine(8);
    zw_ensemble *e = many_create(text, &o);
    lonely together, alone;
    zw_ensemble_client client = {.user = &together, .begin = lonely_begin, .visit = lonely_visit};
    many_run(e, &client, POINTS);
    client.user = &alone;
    for (uint64_t k = POINTS; k > 0; k--) {
        zw_error err = {0};
        assert_int_equal(zw_ensemble_run(e, &client, k - 1, 1, &err), ZW_OK);
    }
    assert_memory_equal(&together, &alone, sizeof alone);
    zw_ensemble_destroy(e);
    free(text);
}

/* ------------------------------------------------------------------------------ disturbances */

enum { GROWTHS = 4 };
typedef struct grown {
    int nx;
    double sum[GROWTHS], last[GROWTHS][2 * STATES];
} grown;

static void grown_begin(void *user, zw_ensemble_motion *m, bool *given) {
    const grown *g = user;
    (void)given;
    m->p[0] *= 1 + 0.01 * (double)m->number;
    for (int i = 0; i < 2 * g->nx; i++)
        m->variation[i] = cos(1.0 + i + (double)m->number);
    m->next = 0.21;
}

/* the first one is made as long as 1 again and again, and the logarithms are added */
static zw_ensemble_reply grown_visit(void *user, zw_ensemble_motion *m) {
    grown *g = user;
    double sum = 0;
    for (int i = 0; i < g->nx; i++)
        sum += m->variation[i] * m->variation[i];
    g->sum[m->number] += log(sum) / 2;
    memcpy(g->last[m->number], m->variation, sizeof(double) * 2 * (size_t)g->nx);
    for (int i = 0; i < g->nx; i++)
        m->variation[i] /= sqrt(sum);
    m->next = m->t + 0.21;
    return m->t > 2 ? ZW_ENSEMBLE_DONE : ZW_ENSEMBLE_CHANGED;
}

static void grow(const char *model, int lanes, grown *g) {
    char *text = many_text(model);
    zw_ensemble_options o = many_engine(lanes);
    o.variations = 2;
    o.run.rtol = 1e-10;
    o.run.atol = 1e-12;
    zw_ensemble *e = many_create(text, &o);
    *g = (grown){.nx = zw_ensemble_states(e)};
    const zw_ensemble_client client = {.user = g, .begin = grown_begin, .visit = grown_visit};
    many_run(e, &client, GROWTHS);
    zw_ensemble_destroy(e);
    free(text);
}

static void test_disturbances__grow_as_in_single_runs(void **state) {
    (void)state;
    static const char *const models[] = {
        "lorenz", "double_pendulum", "duffing", "pendulum_cartesian", "rolling_disc", "heavy_top"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        grown single, four, eight;
        grow(models[i], 1, &single);
        grow(models[i], 4, &four);
        grow(models[i], 8, &eight);
        assert_memory_equal(&four, &eight, sizeof four);
        for (int k = 0; k < GROWTHS; k++) {
            assert_close(four.sum[k], single.sum[k], 1e-6);
            for (int j = 0; j < 2 * single.nx; j++)
                if (!(fabs(four.last[k][j] - single.last[k][j]) <=
                      1e-5 * fmax(1, fabs(single.last[k][j]))))
                    fail_msg("%s, motion %d, entry %d: %.15g against %.15g", models[i], k, j,
                             four.last[k][j], single.last[k][j]);
        }
    }
}

/* ------------------------------------------------------------------------------ which engine */

static void engine_of(const char *model, int lanes, const char *word) {
    char *text = many_text(model);
    zw_ensemble_options o = zw_ensemble_options_default();
    o.threads = 1;
    zw_ensemble *e = many_create(text, &o);
    zw_ensemble_info info;
    zw_ensemble_statistics(e, &info, sizeof info);
    assert_int_equal(info.lanes, lanes);
    if (!strstr(info.why, word))
        fail_msg("%s: '%s' lacks '%s'", model, info.why, word);
    zw_ensemble_destroy(e);
    if (lanes == 1) {
        zw_error err = {0};
        const zw_model_source source = {text, strlen(text), "test.zw", NULL};
        o.engine = ZW_ENSEMBLE_LANES;
        assert_int_equal(zw_ensemble_create(&e, &source, &o, &err), ZW_E_OPTION);
        assert_non_null(strstr(err.text, word));
    }
    free(text);
}

static void test_engine__is_chosen_and_told(void **state) {
    (void)state;
    engine_of("duffing", 8, "side by side");
    engine_of("bouncing_ball", 1, "events that act");
    engine_of("piecewise_linear", 1, "kinks");
    engine_of("box_stack", 1, "contacts");
}

/* ------------------------------------------------------------------------------ memory */

static void short_begin(void *user, zw_ensemble_motion *m, bool *given) {
    (void)user;
    m->x[0] = 1e-6 * (double)m->number;
    given[0] = true;
    m->next = 0.01;
}

static zw_ensemble_reply short_visit(void *user, zw_ensemble_motion *m) {
    (void)user;
    (void)m;
    return ZW_ENSEMBLE_DONE;
}

static void flat(int lanes, uint64_t count) {
    char *text = many_text("duffing");
    zw_ensemble_options o = many_engine(lanes);
    zw_ensemble *e = many_create(text, &o);
    const zw_ensemble_client client = {.begin = short_begin, .visit = short_visit};
    many_run(e, &client, 100);
    size_t before = mallinfo2().uordblks;
    many_run(e, &client, count);
    size_t after = mallinfo2().uordblks;
    assert_in_range(after, 0, before + 4096);
    zw_ensemble_destroy(e);
    free(text);
}

static void test_memory__is_flat(void **state) {
    (void)state;
    flat(8, 1000000);
    flat(1, 5000);
}

/* ---- singular coordinates ---- */

typedef struct near_pole {
    int rate; /* entry of the state: ph' */
    bool doubtful[16];
} near_pole;

static void begin_near(void *user, zw_ensemble_motion *m, bool *given) {
    const near_pole *n = user;
    m->x[n->rate] = m->number % 2 ? 1 : 1e-9; /* rad/s */
    given[n->rate] = true;
    m->next = 3;
}

static void end_near(void *user, zw_ensemble_motion *m) {
    near_pole *n = user;
    n->doubtful[m->number] = m->doubt != NULL;
    if (m->doubt && (!strstr(m->doubt, "the coordinates are nearly singular at ") ||
                     !strstr(m->doubt, ": ph' has ")))
        fail_msg("%s", m->doubt);
}

/* A pendulum in spherical angles goes through th = 0, where ph has no inertia, and a free particle
 * passes the origin of polar coordinates at 1e-9 m, if ph' is 1e-9 rad/s; with 1 rad/s they stay
 * away from there (test_doubt_of_motion.c). Each motion has its own warning, in lanes and one by
 * one. */
static void test_side__tell_singular_coordinates(void **state) {
    (void)state;
    static const char *const texts[] = {
        "model sph\ncoord th, ph [rad]\n"
        "particle P : 1 [kg] at (sin(th)*cos(ph)*1 [m], sin(th)*sin(ph)*1 [m], -cos(th)*1 [m])\n"
        "gravity 9.81 [m/s^2] along -z\nstart th = 1 [rad]\n",
        "model pol\ncoord r [m], ph [rad]\nparticle P : 1 [kg] at (r*cos(ph), r*sin(ph))\n"
        "start r = 1 [m], r' = -1 [m/s]\n"};
    static const int lanes[] = {1, 4, 8};
    for (int k = 0; k < 6; k++) {
        zw_ensemble_options o = many_engine(lanes[k % 3]);
        zw_ensemble *e = many_create(texts[k / 3], &o);
        near_pole n = {.rate = many_state(e, "ph'")};
        many_run(e, &(zw_ensemble_client){.user = &n, .begin = begin_near, .end = end_near}, 16);
        for (int i = 0; i < 16; i++)
            assert_true(n.doubtful[i] == (i % 2 == 0));
        zw_ensemble_info info;
        zw_ensemble_statistics(e, &info, sizeof info);
        assert_int_equal(info.handed_over, 0);
        assert_int_equal(info.doubtful, 8);
        assert_non_null(strstr(info.doubt, "nearly singular"));
        zw_ensemble_destroy(e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_side__are_the_motions_of_single_runs),
        cmocka_unit_test(test_side__tell_singular_coordinates),
        cmocka_unit_test(test_side__have_the_same_bits_in_all_lanes_and_threads),
        cmocka_unit_test(test_side__go_without_fused_operations),
        cmocka_unit_test(test_stiff__steps_are_those_of_accuracy),
        cmocka_unit_test(test_side__do_not_depend_on_neighbours),
        cmocka_unit_test(test_disturbances__grow_as_in_single_runs),
        cmocka_unit_test(test_engine__is_chosen_and_told),
        cmocka_unit_test(test_memory__is_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
