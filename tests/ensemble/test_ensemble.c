/* SPDX-License-Identifier: MIT */
/* Many motions: each is the one that a simulation of its own makes, whoever computes it. */
#include <stdlib.h>

#include "support/many.h"

/* -------------------------------------------------------------------------- against simulations */

typedef struct case_of {
    const char *model, *set[3], *value;
    double until, step;
} case_of;

/* states with and without constraints, quaternions, drives, kinks, events that act, contacts both
 * ways */
static const case_of cases[] = {
    {"duffing", {"x", NULL}, "x'", 5, 0},
    {"double_pendulum", {NULL}, "energy", 2, 0},
    {"pendulum_cartesian", {NULL}, "tension", 2, 0},
    {"rolling_disc", {NULL}, "energy", 1, 0},
    {"turntable_ball", {NULL}, "energy", 1, 0},
    {"heavy_top", {NULL}, "energy", 1, 0},
    {"lorenz", {"x", NULL}, "z", 3, 0},
    {"bouncing_ball", {"y", NULL}, "y'", 2, 0},
    {"stick_slip", {NULL}, "energy", 2, 0},
    {"piecewise_linear", {NULL}, "energy", 5, 0},
    {"impact_oscillator", {NULL}, "energy", 5, 0},
    {"wall_oscillator", {"x", NULL}, "x'", 20, 0.01},
};
enum { NCASE = sizeof cases / sizeof *cases, POINTS = 5 };

typedef struct taker {
    const case_of *c;
    int x; /* its start is changed; -1: none is */
    double value[POINTS], last[POINTS];
    zw_status status[POINTS];
    char why[POINTS][256];
} taker;

static double start_of(uint64_t k) {
    return 0.3 + 0.11 * (double)k;
}

static void taker_begin(void *user, zw_ensemble_motion *m, bool *given) {
    const taker *t = user;
    m->next = t->c->until;
    if (t->x >= 0) {
        m->x[t->x] = start_of(m->number);
        given[t->x] = true;
    }
}

static void taker_end(void *user, zw_ensemble_motion *m) {
    taker *t = user;
    t->status[m->number] = m->status;
    t->value[m->number] = m->value[0];
    t->last[m->number] = m->t;
    snprintf(t->why[m->number], sizeof t->why[0], "%s", m->why ? m->why : "");
}

static double alone(const case_of *c, const char *text, uint64_t k) {
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_sim *sim;
    zw_error err = {0};
    zw_sim_options o = zw_sim_options_default();
    const zw_sim_number start = {.name = c->set[0], .value = start_of(k)};
    const zw_sim_numbers numbers = {.nstart = c->set[0] ? 1 : 0, .start = &start};
    const zw_model_source source = {text, strlen(text), "test.zw", NULL};
    o.until = o.step_out = c->until;
    o.run.step = c->step;
    o.numbers = &numbers;
    if (zw_model_parse(&s, ctx, text, strlen(text), "test.zw", NULL, &err) < 0 ||
        zw_sim_create(&sim, s, &source, &o, &err) < 0 || zw_sim_run(sim, &err) < 0)
        fail_msg("%s: %s", c->model, err.text);
    const zw_table *rows = zw_sim_rows(sim);
    double value = zw_table_at(rows, zw_table_rows(rows) - 1, zw_table_find(rows, c->value));
    zw_sim_destroy(sim);
    zw_context_destroy(ctx);
    return value;
}

static void test_single__is_what_simulations_do(void **state) {
    (void)state;
    for (int i = 0; i < NCASE; i++) {
        const case_of *c = &cases[i];
        char *text = many_text(c->model);
        zw_ensemble_options o = zw_ensemble_options_default();
        o.engine = ZW_ENSEMBLE_SINGLE;
        o.threads = 2;
        o.nvalue = 1;
        o.value = &c->value;
        o.run.step = c->step;
        zw_ensemble *e = many_create(text, &o);
        taker t = {.c = c, .x = c->set[0] ? many_state(e, c->set[0]) : -1};
        const zw_ensemble_client client = {.user = &t, .begin = taker_begin, .end = taker_end};
        many_run(e, &client, POINTS);
        for (uint64_t k = 0; k < POINTS; k++) {
            if (t.status[k] != ZW_OK)
                fail_msg("%s: %s", c->model, t.why[k]);
            double expected = alone(c, text, k);
            if (memcmp(&t.value[k], &expected, sizeof expected) != 0)
                fail_msg("%s, motion %d: %.17g against %.17g", c->model, (int)k, t.value[k],
                         expected);
            assert_true(t.last[k] == c->until);
        }
        zw_ensemble_info info;
        zw_ensemble_statistics(e, &info, sizeof info);
        assert_int_equal(info.motions, POINTS);
        assert_int_equal(info.failed, 0);
        assert_true(info.steps > 0);
        zw_ensemble_destroy(e);
        free(text);
    }
}

/* ------------------------------------------------------------------------ whoever computes them */

enum { MANY = 60 };
typedef struct hashed {
    uint64_t motion[MANY];
    int length;
} hashed;

static void hashed_begin(void *user, zw_ensemble_motion *m, bool *given) {
    (void)user;
    m->x[0] = 0.02 * (double)m->number;
    given[0] = true;
    m->p[0] *= 1 + 0.01 * (double)(m->number % 7);
    m->next = 0.3;
}

static zw_ensemble_reply hashed_visit(void *user, zw_ensemble_motion *m) {
    hashed *h = user;
    uint64_t *sum = &h->motion[m->number];
    *sum = many_hash(*sum, m->value, sizeof(double) * (size_t)h->length);
    *sum = many_hash(*sum, m->span, sizeof *m->span * (size_t)h->length);
    m->next = m->t + 0.3;
    return m->t > 2 + 0.05 * (double)(m->number % 11) ? ZW_ENSEMBLE_DONE : ZW_ENSEMBLE_ON;
}

static void hash_all(const char *model, int threads, hashed *h) {
    static const char *const names[] = {"energy", "t"};
    char *text = many_text(model);
    zw_ensemble_options o = zw_ensemble_options_default();
    o.threads = threads;
    o.engine = ZW_ENSEMBLE_SINGLE;
    o.nvalue = 2;
    o.value = names;
    o.spans = true;
    zw_ensemble *e = many_create(text, &o);
    *h = (hashed){.length = 2};
    const zw_ensemble_client client = {.user = h, .begin = hashed_begin, .visit = hashed_visit};
    many_run(e, &client, MANY);
    zw_ensemble_destroy(e);
    free(text);
}

static void test_single__does_not_depend_on_threads(void **state) {
    (void)state;
    static const char *const models[] = {"duffing", "double_pendulum", "bouncing_ball"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        hashed one, two, seven;
        hash_all(models[i], 1, &one);
        hash_all(models[i], 2, &two);
        hash_all(models[i], 7, &seven);
        for (int k = 0; k < MANY; k++)
            if (one.motion[k] == 0 || one.motion[k] == one.motion[(k + 1) % MANY])
                fail_msg("%s, motion %d: %016llx", models[i], k, (unsigned long long)one.motion[k]);
        assert_memory_equal(one.motion, two.motion, sizeof one.motion);
        assert_memory_equal(one.motion, seven.motion, sizeof one.motion);
    }
}

/* ------------------------------------------------------------------------------ closed forms */

static const char OSCILLATOR[] = "model oscillator\nunits none\n"
                                 "param a = 1, w = 2*a, c = 0\n"
                                 "state x, v : x' = v, v' = -w^2*x - c*v\n"
                                 "observe both = x + v\n"
                                 "event zero : x falling\n"
                                 "start x = 1, v = 0\n";

typedef struct look {
    int visits, events;
    double worst, sections[16];
    int x, v;
} look;

static void worse(look *l, double a, double b) {
    l->worst = fmax(l->worst, fabs(a - b));
}

static void look_begin(void *user, zw_ensemble_motion *m, bool *given) {
    (void)user;
    (void)given;
    m->next = 0.7;
    if (m->variation) {
        m->variation[0] = 1;
        m->variation[3] = 1;
    }
}

/* x = cos 2t, v = -2 sin 2t since the visit before, 0.7 s ago */
static zw_ensemble_reply look_visit(void *user, zw_ensemble_motion *m) {
    look *l = user;
    double t = m->t, s = t - 0.7;
    worse(l, m->x[0], cos(2 * t));
    worse(l, m->value[0], cos(2 * t));
    worse(l, m->span[0].mean, (sin(2 * t) - sin(2 * s)) / 2 / 0.7);
    worse(l, m->span[0].square, 0.5 + (sin(4 * t) - sin(4 * s)) / 8 / 0.7);
    double least = fmin(cos(2 * t), cos(2 * s)), largest = fmax(cos(2 * t), cos(2 * s));
    for (int k = 0; k < 20; k++) /* extrema at multiples of pi/2 */
        if (k * M_PI_2 > s && k * M_PI_2 < t) {
            least = k % 2 ? -1 : least;
            largest = k % 2 ? largest : 1;
        }
    worse(l, m->span[0].least, least);
    worse(l, m->span[0].largest, largest);
    if (m->variation) {
        worse(l, m->variation[0], cos(2 * t));
        worse(l, m->variation[1], -2 * sin(2 * t));
        worse(l, m->variation[2], sin(2 * t) / 2);
        worse(l, m->variation[3], cos(2 * t));
    }
    l->visits++;
    m->next = t + 0.7;
    return t > 10 ? ZW_ENSEMBLE_DONE : ZW_ENSEMBLE_ON;
}

static zw_ensemble_reply look_event(void *user, zw_ensemble_motion *m, int event) {
    look *l = user;
    assert_int_equal(event, 0);
    worse(l, m->value[0], 0);
    worse(l, m->value[1], -2);
    if (l->events < 16)
        l->sections[l->events] = m->t;
    l->events++;
    return ZW_ENSEMBLE_ON;
}

static void closed_forms(int lanes, const char *method, int variations) {
    static const char *const names[] = {"x", "both"};
    static const int event[] = {0};
    zw_ensemble_options o = many_engine(lanes);
    o.run.method = method;
    o.nvalue = 2;
    o.value = names;
    o.spans = true;
    o.variations = variations;
    o.nevent = 1;
    o.event = event;
    o.run.rtol = 1e-11;
    o.run.atol = 1e-12;
    zw_ensemble *e = many_create(OSCILLATOR, &o);
    look l = {0};
    const zw_ensemble_client client = {
        .user = &l, .begin = look_begin, .visit = look_visit, .event = look_event};
    many_run(e, &client, 1);
    assert_int_equal(l.visits, 15);
    assert_int_equal(l.events, 4); /* pi/4 + k pi below 10.5 */
    for (int k = 0; k < 4; k++)
        assert_close(l.sections[k], M_PI / 4 + k * M_PI, 1e-9);
    assert_close(l.worst, 0, 2e-8);
    zw_ensemble_destroy(e);
}

static void test_closed_forms__of_an_oscillator(void **state) {
    (void)state;
    closed_forms(1, NULL, 2);
    closed_forms(4, "rk54", 0);
    closed_forms(8, "rk54", 0);
    closed_forms(4, "rk87", 0);
    closed_forms(8, "rk87", 0);
    closed_forms(4, "rk54", 2);
    closed_forms(8, "rk87", 2);
}

/* x = 20 cos t, an angle: x - 1 has zeros at 1 + 2 pi k, k = -3 .. 3, each passed downwards and,
 * later, upwards. */
static const char TURNS[] = "model turns\nunits none\n"
                            "state x, v : x' = v, v' = -x\nperiodic x\n"
                            "event both_ways : x - 1 both\nevent down : x - 1 falling\n"
                            "start x = 20, v = 0\n";

typedef struct turns {
    int n[2];
    double at[2][16];
} turns;

static void turns_begin(void *user, zw_ensemble_motion *m, bool *given) {
    (void)user;
    (void)given;
    m->next = 6;
}

static zw_ensemble_reply turns_event(void *user, zw_ensemble_motion *m, int event) {
    turns *seen = user;
    assert_in_range(event, 0, 1);
    assert_true(seen->n[event] < 16);
    seen->at[event][seen->n[event]++] = m->t;
    return ZW_ENSEMBLE_ON;
}

static void come_at_each_turn(int lanes, const char *method) {
    static const int event[] = {0, 1};
    zw_ensemble_options o = many_engine(lanes);
    o.run.method = method;
    o.run.rtol = 1e-11;
    o.run.atol = 1e-12;
    o.nevent = 2;
    o.event = event;
    zw_ensemble *e = many_create(TURNS, &o);
    turns seen = {0};
    const zw_ensemble_client client = {.user = &seen, .begin = turns_begin, .event = turns_event};
    many_run(e, &client, 1);
    assert_int_equal(seen.n[0], 13); /* the last one is behind 6 */
    assert_int_equal(seen.n[1], 7);
    for (int k = 0; k < 7; k++) {
        double t = acos((1 + 2 * M_PI * (3 - k)) / 20);
        assert_close(seen.at[0][k], t, 1e-8);
        assert_close(seen.at[1][k], t, 1e-8);
        if (k > 0)
            assert_close(seen.at[0][13 - k], 2 * M_PI - t, 1e-8);
    }
    zw_ensemble_destroy(e);
}

static zw_ensemble_reply count_event(void *user, zw_ensemble_motion *m, int event) {
    (void)event;
    int *n = user;
    assert_close(m->t, (1 + 2 * M_PI * *n) / 1000, 1e-9); /* in their order */
    ++*n;
    return ZW_ENSEMBLE_ON;
}

/* x = 1000 t, in steps as long as one likes: many events in each of them */
static void many_in_a_step(int lanes) {
    static const int event = 0;
    zw_ensemble_options o = many_engine(lanes);
    o.nevent = 1;
    o.event = &event;
    zw_ensemble *e = many_create("model fast\nunits none\nstate x : x' = 1000\nperiodic x\n"
                                 "event turn : x - 1 both\nstart x = 0\n",
                                 &o);
    int n = 0;
    const zw_ensemble_client client = {.user = &n, .begin = turns_begin, .event = count_event};
    many_run(e, &client, 1);
    assert_int_equal(n, 955); /* 1 + 2 pi k below 6000 */
    zw_ensemble_destroy(e);
}

static void test_events__come_at_each_turn(void **state) {
    (void)state;
    many_in_a_step(1);
    many_in_a_step(4);
    come_at_each_turn(1, NULL);
    come_at_each_turn(4, "rk54");
    come_at_each_turn(8, "rk87");
}

/* -------------------------------------------------------------------------- what clients change */

static void change_begin(void *user, zw_ensemble_motion *m, bool *given) {
    (void)user;
    (void)given;
    m->p[0] = m->number == 0 ? 1 : 2; /* a: w = 2 a follows */
    if (m->number == 2)
        m->p[1] = 3; /* unless it is set */
    m->next = 1;
}

static zw_ensemble_reply change_visit(void *user, zw_ensemble_motion *m) {
    double(*seen)[4] = user;
    if (m->t == 1) {
        seen[m->number][0] = m->x[0];
        m->p[0] = 0.5;
        m->x[0] = 1;
        m->x[1] = 0;
        m->next = 2;
        return ZW_ENSEMBLE_CHANGED;
    }
    seen[m->number][1] = m->x[0];
    seen[m->number][2] = m->p[1];
    return ZW_ENSEMBLE_DONE;
}

static void changes(int lanes) {
    zw_ensemble_options o = many_engine(lanes);
    zw_ensemble *e = many_create(OSCILLATOR, &o);
    double seen[3][4];
    const zw_ensemble_client client = {.user = seen, .begin = change_begin, .visit = change_visit};
    many_run(e, &client, 3);
    const double before[] = {2, 4, 3}, after[] = {1, 1, 3};
    for (int k = 0; k < 3; k++) {
        assert_close(seen[k][0], cos(before[k]), 1e-6);
        assert_close(seen[k][1], cos(after[k]), 1e-6);
        assert_close(seen[k][2], after[k], 1e-15);
    }
    zw_ensemble_destroy(e);
}

static void test_changes__parameters_follow(void **state) {
    (void)state;
    changes(1);
    changes(4);
    changes(8);
}

/* ------------------------------------------------------------------------ failures, stops, ends */

static const char FALLING[] = "model falling\nunits none\n"
                              "state x : x' = -1/(2*sqrt(x))\n" /* x^(3/2) = 1 - 3 t/4: it ends */
                              "start x = 1\n"
                              "event half : x - 0.5 falling stop\n";

static void falling_begin(void *user, zw_ensemble_motion *m, bool *given) {
    (void)user;
    m->x[0] = m->number % 3 == 0 ? -1 : m->number % 3 == 1 ? 0.4 : 1;
    given[0] = true;
    m->next = m->number % 3 == 1 ? 0.01 : 5;
}

typedef struct ended {
    zw_status status[9];
    int event[9];
    bool told[9];
    double t[9];
} ended;

static void falling_end(void *user, zw_ensemble_motion *m) {
    ended *d = user;
    d->status[m->number] = m->status;
    d->event[m->number] = m->event;
    d->told[m->number] = m->why && strlen(m->why) > 5;
    d->t[m->number] = m->t;
}

static void failures(int lanes) {
    zw_ensemble_options o = many_engine(lanes);
    o.threads = 2;
    zw_ensemble *e = many_create(FALLING, &o);
    ended d;
    const zw_ensemble_client client = {.user = &d, .begin = falling_begin, .end = falling_end};
    many_run(e, &client, 9);
    for (int k = 0; k < 9; k++) {
        assert_true(k % 3 == 0 ? d.status[k] < 0 : d.status[k] == (k % 3 == 1 ? ZW_OK : ZW_EVENT));
        assert_int_equal(d.told[k], k % 3 == 0);
        assert_int_equal(d.event[k], k % 3 == 2 ? 0 : -1);
        if (k % 3 == 2) /* x^(3/2) = 1 - 3 t/4 */
            assert_close(d.t[k], (1 - pow(0.5, 1.5)) * 4 / 3, 1e-6);
    }
    zw_ensemble_info info;
    zw_ensemble_statistics(e, &info, sizeof info);
    assert_int_equal(info.motions, 9);
    assert_int_equal(info.failed, 3);
    assert_int_equal(info.lanes, lanes);
    zw_ensemble_destroy(e);
}

static void test_failures__are_counted_and_others_go_on(void **state) {
    (void)state;
    failures(1);
    failures(4);
    failures(8);
}

static bool stop_now;

static bool asked_to_stop(void *user, double done) {
    (void)user;
    assert_true(done >= 0 && done <= 1);
    return stop_now;
}

static zw_ensemble_reply stopping_visit(void *user, zw_ensemble_motion *m) {
    int *visits = user;
    if (++*visits == 5)
        stop_now = 1;
    m->next = m->t + 1;
    return ZW_ENSEMBLE_ON;
}

static void stopping_end(void *user, zw_ensemble_motion *m) {
    (void)user;
    assert_int_equal(m->status, ZW_STOPPED);
}

static void interrupt(int lanes) {
    zw_ensemble_options o = many_engine(lanes);
    o.stop = asked_to_stop;
    stop_now = 0;
    zw_ensemble *e = many_create(OSCILLATOR, &o);
    int visits = 0;
    zw_error err = {0};
    const zw_ensemble_client client = {
        .user = &visits, .begin = look_begin, .visit = stopping_visit, .end = stopping_end};
    assert_int_equal(zw_ensemble_run(e, &client, 0, 100, &err), ZW_STOPPED);
    assert_in_range(visits, 5, 5 + lanes); /* those of neighbours in the same step */
    zw_ensemble_info info;
    zw_ensemble_statistics(e, &info, sizeof info);
    assert_int_equal(info.motions, lanes);
    zw_ensemble_destroy(e);
}

static void test_interrupt__ends_motions_that_are_under_way(void **state) {
    (void)state;
    interrupt(1);
    interrupt(4);
    interrupt(8);
}

static zw_ensemble_reply far_visit(void *user, zw_ensemble_motion *m) {
    (void)user;
    m->next = m->t + 1;
    return m->t > 1e6 ? ZW_ENSEMBLE_DONE : ZW_ENSEMBLE_ON;
}

static bool stop_when_asked_again(void *user, double done) {
    int *asked = user;
    (void)done;
    return ++*asked > 100;
}

/* Who is asked by progress whether to go on is asked while the first motions are under way, not
 * only when they have ended. */
static void ask_on_the_way(int lanes) {
    zw_ensemble_options o = many_engine(lanes);
    int asked = 0;
    o.stop = stop_when_asked_again;
    o.stop_user = &asked;
    zw_ensemble *e = many_create(OSCILLATOR, &o);
    zw_error err = {0};
    const zw_ensemble_client client = {
        .begin = look_begin, .visit = far_visit, .end = stopping_end};
    assert_int_equal(zw_ensemble_run(e, &client, 0, (uint64_t)lanes, &err), ZW_STOPPED);
    zw_ensemble_destroy(e);
}

static void test_progress__is_told_on_the_way(void **state) {
    (void)state;
    ask_on_the_way(1);
    ask_on_the_way(8);
}

/* ---------------------------------------------------------------------- disturbances at impacts */

typedef struct dropper {
    int height;
    double until, found[2]; /* of height and its rate */
    zw_status status;
} dropper;

static void drop_begin(void *user, zw_ensemble_motion *m, bool *given) {
    const dropper *d = user;
    (void)given;
    m->next = d->until;
    m->variation[d->height] = 1;
}

static zw_ensemble_reply drop_visit(void *user, zw_ensemble_motion *m) {
    dropper *d = user;
    d->found[0] = m->variation[d->height];
    d->found[1] = m->variation[d->height + 2];
    return ZW_ENSEMBLE_DONE;
}

static void drop_end(void *user, zw_ensemble_motion *m) {
    ((dropper *)user)->status = m->status;
}

/* Dropped from the height h = 1 m, e = 0.8, a ball is at e g t1 s - g s^2/2, s = t - t1, after its
 * first impact at t1 = sqrt(2 h/g): an event that acts, and a contact. */
static void test_disturbances__pass_impacts(void **state) {
    (void)state;
    static const char *const models[] = {"bouncing_ball", "zeno_ball"};
    double g = 9.81, t1 = sqrt(2 / g), s = 0.7 - t1, dt1 = 1 / (g * t1);
    for (int i = 0; i < 2; i++) {
        char *text = many_text(models[i]);
        zw_ensemble_options o = many_options();
        o.variations = 1;
        zw_ensemble *e = many_create(text, &o);
        dropper d = {.height = 1, .until = 0.7};
        const zw_ensemble_client client = {
            .user = &d, .begin = drop_begin, .visit = drop_visit, .end = drop_end};
        zw_error err = {0};
        assert_true(zw_ensemble_run(e, &client, 0, 1, &err) >= 0);
        assert_int_equal(d.status, ZW_OK);
        assert_close(d.found[0], dt1 * (0.8 * g * (s - t1) + g * s), 1e-9);
        assert_close(d.found[1], dt1 * 1.8 * g, 1e-9);
        zw_ensemble_destroy(e);
        free(text);
    }
}

/* ------------------------------------------------------------------------------ refusals */

static void refused(const char *text, const zw_ensemble_options *o, const char *word) {
    zw_ensemble *e = NULL;
    zw_error err = {0};
    const zw_model_source source = {text, strlen(text), "test.zw", NULL};
    assert_true(zw_ensemble_create(&e, &source, o, &err) < 0);
    assert_null(e);
    if (!strstr(err.text, word))
        fail_msg("'%s' lacks '%s'", err.text, word);
}

static void test_refusals(void **state) {
    (void)state;
    const char *name = "xx";
    const int event = 3, first = 0;
    zw_ensemble_options o = many_options();
    o.nvalue = 1;
    o.value = &name;
    refused(OSCILLATOR, &o, "xx");
    o = many_options();
    o.nevent = 1;
    o.event = &event;
    refused(OSCILLATOR, &o, "event number 3");
    o = many_options();
    o.threads = -1;
    refused(OSCILLATOR, &o, "threads");
    o = many_options();
    o.lanes = 5;
    refused(OSCILLATOR, &o, "lanes");
    o = many_options();
    o.variations = 3;
    refused(OSCILLATOR, &o, "3 disturbances");
    o = many_engine(4); /* a turn that is n long, and n may differ from lane to lane */
    o.nevent = 1;
    o.event = &first;
    refused("model x\nunits none\nparam n = 2\nstate x : x' = 1\nperiodic x\nevent e : n*x - 1 "
            "both\n",
            &o, "at each period");
    refused("model x\nnonsense\n", NULL, "nonsense");
    char *text = many_text("zeno_ball");
    zw_sim_options steps = zw_sim_options_default();
    steps.contacts = ZW_SIM_CONTACTS_MOREAU;
    o = many_options();
    o.variations = 1;
    o.contacts = &steps;
    refused(text, &o, "time steps, which have no derivatives");
    free(text);
    zw_ensemble *e = many_create(OSCILLATOR, NULL);
    zw_error err = {0};
    assert_true(zw_ensemble_run(e, &(zw_ensemble_client){0}, 0, 1, &err) < 0);
    assert_non_null(strstr(err.text, "begin"));
    zw_ensemble_destroy(e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single__is_what_simulations_do),
        cmocka_unit_test(test_single__does_not_depend_on_threads),
        cmocka_unit_test(test_closed_forms__of_an_oscillator),
        cmocka_unit_test(test_events__come_at_each_turn),
        cmocka_unit_test(test_changes__parameters_follow),
        cmocka_unit_test(test_failures__are_counted_and_others_go_on),
        cmocka_unit_test(test_interrupt__ends_motions_that_are_under_way),
        cmocka_unit_test(test_progress__is_told_on_the_way),
        cmocka_unit_test(test_disturbances__pass_impacts),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
