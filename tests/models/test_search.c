/* SPDX-License-Identifier: MIT */
/* Every change of sign of an event function along the motion is found, whatever the method and
 * however long its steps: against zeros in closed form, forwards and backwards. */
#include <stdlib.h>

#include "support/ways.h"
#include "zwang/run.h"

enum { EVENTS_MAX = 16 };

/* the numbers of events on the way from t to `end`, and their times if wanted */
typedef struct found {
    int count[EVENTS_MAX];
    int n;
    struct {
        int event;
        double t;
    } at[2000];
    zw_run_info info;
} found;

static void follow(zw_run *run, double t, double end, const double *x, double *last, found *f) {
    zw_error err = {0};
    memset(f->count, 0, sizeof f->count);
    f->n = 0;
    if (zw_run_start(run, t, x, &err) < 0)
        fail_msg("%s", err.text);
    for (;;) {
        int event;
        zw_status status = zw_run_advance(run, end, &event, &err);
        if (status < 0)
            fail_msg("%s", err.text);
        if (status != ZW_EVENT)
            break;
        f->count[event]++;
        if (f->n < 2000) {
            f->at[f->n].event = event;
            f->at[f->n++].t = zw_run_time(run);
        }
    }
    f->info = zw_run_statistics(run);
    if (last)
        memcpy(last, zw_run_state(run), sizeof *last * TEXT_MODEL_MAX / 4);
}

/* ---- the recorded list ---- */

typedef struct problem {
    const char *name, *text;
    double until;
    int count[EVENTS_MAX];
} problem;

#define OSCILLATORS                                                                                \
    "model m\nunits none\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 1/2*(x^2 + y^2)\n"
#define CIRCLE OSCILLATORS "start x = 0.8, y = 0.6, x' = -0.6, y' = 0.8\n"
#define ROTOR "model m\nunits none\ncoord phi\nkinetic 1/2*phi'^2\nstart phi = 0.1, phi' = 10\n"
#define PROJECTILE                                                                                 \
    "model m\nunits none\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 10*y\n"                 \
    "start x' = 1, y' = 10\n"
#define KEPLER                                                                                     \
    "model m\nunits none\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential -1/sqrt(x^2 + y^2)\n"   \
    "start x = 0.5, y = 0, x' = 0, y' = sqrt(3)\n"

static const problem recorded[] = {
    {"rotor",
     ROTOR "event a : sin(phi) rising\nevent b : sin(phi) both\nevent c : cos(phi) - 0.99 both\n",
     100,
     {159, 318, 319}},
    {"disc", /* of radius 0.02 and 0.001 on the circle, a chord, a miss; ten turns */
     CIRCLE "event a : (x + 1)^2 + y^2 - 0.02^2 both\nevent b : (x + 1)^2 + y^2 - 0.001^2 both\n"
            "event c : x - 0.9999 both\nevent d : (x + 1.021)^2 + y^2 - 0.02^2 both\n",
     62.8,
     {20, 20, 20, 0}},
    {"pairs", /* of one throw: 1e-4 and 1e-6 below the top of 5, and above it */
     PROJECTILE "event a : y - 5 + 1e-4 both\nevent b : y - 5 + 1e-6 both\n"
                "event c : y - 5 - 1e-6 both\nevent d : (y - 4.9)*(y - 4.95) both\n",
     2,
     {2, 2, 0, 4}},
    {"fast", ROTOR "event a : sin(200*t) both\nevent b : sin(10*t^2/2) both\n", 20, {1273, 636}},
    {"pulses",
     CIRCLE "event a : exp(-((t - 31.4)/0.01)^2) - 0.5 both\n"
            "event b : exp(-1e6*(x - 0.3)^2) - 0.5 both\n",
     62.8,
     {2, 40}},
    {"kepler", KEPLER "event a : y both\nevent b : x*x' + y*y' both\n", 62.9, {20, 20}},
    {"energy", CIRCLE "event a : x'^2 + y'^2 + x^2 + y^2 - 2.001 both\n", 62.8, {0}},
    {"kinks",
     CIRCLE "event a : abs(x) - 0.5 both\nevent b : min(x, y) - 0.1 both\n"
            "event c : max(abs(x), abs(y)) - 0.75 both\n",
     62.8,
     {40, 20, 80}},
    {"pole", CIRCLE "event a : y/x both\n", 62.8, {20}},
    {"levels",
     CIRCLE "event a : x - 0.05 both\nevent b : x - 0.1 both\nevent c : x - 0.2 both\n"
            "event d : x - 0.3 both\nevent e : x - 0.4 both\nevent f : x - 0.5 both\n"
            "event g : x - 0.6 both\nevent h : x - 0.7 both\nevent i : y - 0.3 both\n"
            "event j : y - 0.4 both\nevent k : y - 0.5 both\nevent l : y - 0.9 both\n",
     62.8,
     {20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20}},
    {"close", CIRCLE "event a : x - 0.3 both\nevent b : x - 0.3 - 1e-9 both\n", 62.8, {20, 20}},
    {"thrown",
     "model m\nunits none\ncoord y\nkinetic 1/2*y'^2\npotential 9.81*y\nstart y = 0, y' = 15\n"
     "event a : y - 5 falling\n",
     3,
     {1}},
};

static void check_counts(const problem *p, const way *w, const found *f, const char *where) {
    for (int i = 0; i < EVENTS_MAX; i++)
        if (f->count[i] != p->count[i])
            fail_msg("%s by %s (order %d), %s: event %d happens %d times, not %d", p->name,
                     w->method, w->order, where, i + 1, f->count[i], p->count[i]);
}

static void test_search__recorded_list(void **state) {
    (void)state;
    found *f = malloc(sizeof *f);
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++) {
        const problem *p = &recorded[i];
        for (int j = 0; j < WAYS; j++) {
            motion m;
            open_motion(&m, p->text, is_canonical(&every_way[j]));
            zw_run *run = make_run(&m, &every_way[j], every_way[j].order == 3 ? 1e-8 : 1e-10,
                                   ZW_KEEP_CHOSEN); /* order 3 takes too many steps */
            double last[TEXT_MODEL_MAX];
            follow(run, 0, p->until, m.x, last, f);
            check_counts(p, &every_way[j], f, "forwards");
            follow(run, p->until, 0.003, last, NULL, f); /* some begin at a zero */
            check_counts(p, &every_way[j], f, "backwards");
            zw_run_destroy(run);
            close_motion(&m);
        }
    }
    free(f);
}

/* ---- random functions with zeros in closed form ---- */

enum { ZEROS_MAX = 1500 };

/* the zeros of a random function of c, which grows along the motion from `from` to `to` */
typedef struct random_function {
    char text[400];
    int n;
    double zero[ZEROS_MAX];
} random_function;

static void put_zero(random_function *f, double from, double to, double c) {
    if (c > from && c < to && f->n < ZEROS_MAX)
        f->zero[f->n++] = c;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* zeros of sin(k c + b) - level */
static void put_wave(random_function *f, double from, double to, double k, double b, double level) {
    const double pi = 3.14159265358979323846;
    double up = asin(level), down = pi - up;
    for (long n = (long)floor((k * from + b) / (2 * pi)) - 1; 2 * pi * (double)n < k * to + b + 7;
         n++) {
        put_zero(f, from, to, (2 * pi * (double)n + up - b) / k);
        put_zero(f, from, to, (2 * pi * (double)n + down - b) / k);
    }
}

/* A function of c, which is written as `name` in the model. */
static void make_function(random_function *f, test_random *r, const char *name, double from,
                          double to) {
    double length = to - from, c = test_random_real(r, from, to),
           w = length * pow(10, test_random_real(r, -5, -1)),
           k = pow(10, test_random_real(r, 0, 3)) / length, b = test_random_real(r, -3, 3),
           level = test_random_real(r, -0.999, 0.999);
    f->n = 0;
    switch (test_random_int(r, 7)) {
    case 0: /* a wave */
        snprintf(f->text, sizeof f->text, "sin(%.17g*%s + (%.17g)) - (%.17g)", k, name, b, level);
        put_wave(f, from, to, k, b, level);
        break;
    case 1: /* a pair, perhaps very close, and one more */
        snprintf(f->text, sizeof f->text, "(%s - (%.17g))*(%s - (%.17g))*(%s - (%.17g))", name, c,
                 name, c + w, name, c - 3 * w);
        put_zero(f, from, to, c);
        put_zero(f, from, to, c + w);
        put_zero(f, from, to, c - 3 * w);
        break;
    case 2: /* a pulse */
        snprintf(f->text, sizeof f->text, "exp(-((%s - (%.17g))/%.17g)^2) - 0.5", name, c, w);
        put_zero(f, from, to, c - w * sqrt(log(2)));
        put_zero(f, from, to, c + w * sqrt(log(2)));
        break;
    case 3: /* kinks */
        snprintf(f->text, sizeof f->text, "abs(abs(%s - (%.17g)) - %.17g) - %.17g", name, c, 3 * w,
                 w);
        for (int i = -4; i <= 4; i += 2)
            if (i != 0)
                put_zero(f, from, to, c + i * w);
        break;
    case 4: /* poles between zeros */
        snprintf(f->text, sizeof f->text, "tan(%.17g*%s + (%.17g))", k, name, b);
        put_wave(f, from, to, 2 * k, 2 * b, 0); /* of which every second one is a pole */
        qsort(f->zero, (size_t)f->n, sizeof *f->zero, ascending);
        {
            int n = 0;
            for (int i = 0; i < f->n; i++)
                if (fabs(sin(k * f->zero[i] + b)) < 0.5)
                    f->zero[n++] = f->zero[i];
            f->n = n;
        }
        break;
    case 5: /* a choice of two waves */
        snprintf(f->text, sizeof f->text,
                 "if(%s < %.17g, sin(%.17g*%s) + 0.5, 0.5 + cos(%.17g*(%s - (%.17g))))", name, c, k,
                 name, k, name, c);
        put_wave(f, from, c, k, 0, -0.5);
        put_wave(f, c, to, k, 1.5707963267948966 - k * c, -0.5);
        if (sin(k * c) + 0.5 < 0) /* it jumps to 1.5 */
            put_zero(f, from, to, c);
        break;
    default: /* a quotient, bounded away from zero below */
        snprintf(f->text, sizeof f->text, "max(%s - (%.17g), %.17g - %s)/(2 + cos(%s))", name,
                 c + w, c - w, name, name);
        put_zero(f, from, to, c - w);
        put_zero(f, from, to, c + w);
    }
    qsort(f->zero, (size_t)f->n, sizeof *f->zero, ascending);
}

/* Do the zeros lie so far apart, and from both ends, that the accuracy of the motion cannot confuse
 * them? */
static bool is_clear(const random_function *f, double from, double to, double known) {
    double last = from;
    for (int i = 0; i < f->n; i++) {
        if (f->zero[i] - last < known)
            return false;
        last = f->zero[i];
    }
    return to - last > known && f->n < ZEROS_MAX;
}

/* a motion c(t) that the methods follow, written as a model */
typedef struct path {
    const char *model, *name;
    double until, from, to; /* c at both ends */
    double known;           /* how well c follows, in tolerances */
} path;

static const path paths[] = {
    /* which every method has exactly: the longest steps */
    {"model m\nunits none\ncoord q\nkinetic 1/2*q'^2\nstart q = 0.5, q' = 2\n", "q", 30, 0.5, 60.5,
     1e2},
    {"model m\nunits none\ncoord q\nkinetic 1/2*q'^2\npotential -q\nstart q = 0, q' = 1\n", "q", 8,
     0, 40, 1e2},
    /* and ones they have not: an angle by two coordinates, a decay */
    {"model m\nunits none\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 1/2*(x^2 + y^2)\n"
     "start x = 1, y = -1, x' = 1, y' = 1\n",
     "atan2(y, x)", 2.2, -0.78539816339744831, 1.4146018366025517, 1e3},
    {"model m\nunits none\ncoord q, p\nkinetic 1/2*q'^2 + 1/2*p'^2\npotential 1/2*(q^2 + p^2)\n"
     "start q = 1, q' = 0, p = 0, p' = 1\n",
     "(-q)", 3, -1, 0.98999249660044542, 1e3},
};

static void check_zeros(const path *p, const random_function *f, const way *w, const found *found_,
                        bool backwards, double rtol) {
    if (found_->n != f->n)
        fail_msg("%s: by %s (order %d), rtol %.3g, %s: %d zeros instead of %d", f->text, w->method,
                 w->order, rtol, backwards ? "backwards" : "forwards", found_->n, f->n);
    for (int i = 1; i < f->n; i++)
        assert_true((found_->at[i].t - found_->at[i - 1].t) * (backwards ? -1 : 1) > 0);
    (void)p;
}

static void test_search__random_functions(void **state) {
    (void)state;
    enum { ROUNDS = 40 };
    static random_function f;
    found *got = malloc(sizeof *got);
    test_random r = {11};
    int compared = 0, zeros = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const path *p = &paths[round % 4];
        double rtol = pow(10, test_random_real(&r, -11, -5));
        char text[1000];
        do
            make_function(&f, &r, p->name, p->from, p->to);
        while (!is_clear(&f, p->from, p->to, 2 * p->known * (rtol + 1e-11) * (p->to - p->from)));
        snprintf(text, sizeof text, "%sevent a : %s both\n", p->model, f.text);
        for (int j = 0; j < WAYS; j++) {
            const way *w = &every_way[j];
            motion m;
            double last[TEXT_MODEL_MAX];
            if (w->step > 0 && round % 4 > 1 &&
                !is_clear(&f, p->from, p->to, 1e-6)) /* its own accuracy */
                continue;
            open_motion(&m, text, is_canonical(w));
            zw_run *run = make_run(&m, w, w->order == 3 ? fmax(rtol, 1e-8) : rtol, ZW_KEEP_CHOSEN);
            follow(run, 0, p->until, m.x, last, got);
            check_zeros(p, &f, w, got, false, rtol);
            if (got->info.undecided)
                fail_msg("%s: by %s (order %d), rtol %.3g: %ld cells are undecided", f.text,
                         w->method, w->order, rtol, got->info.undecided);
            follow(run, p->until, 0, last, NULL, got);
            check_zeros(p, &f, w, got, true, rtol);
            zeros += 2 * f.n;
            compared++;
            zw_run_destroy(run);
            close_motion(&m);
        }
    }
    assert_true(compared > 9 * ROUNDS);
    assert_true(zeros > 17000);
    free(got);
}

/* ---- constraints, functions of forces and accelerations, methods from elsewhere ---- */

/* a point that goes round a circle with speed 1, held by a rod: x = cos(t + 0.3), lambda constant;
 * ten turns */
static const problem on_a_rod = {
    "rod",
    "model m\nunits none\ncoord x, y\nparticle P : 1 at (x, y)\nconstraint rod : x^2 + y^2 = 1\n"
    "start x = cos(0.3), y = sin(0.3), x' = -sin(0.3), y' = cos(0.3)\n"
    "event a : (x + 1)^2 + y^2 - 0.02^2 both\nevent b : x - 0.3 both\nevent c : x'' both\n"
    "event d : lambda(rod)*y + 0.2*lambda(rod) both\nevent e : x'' - 0.9999 both\n"
    "event f : x^2 + y^2 - 1.1 both\nevent g : abs(x'') - 0.5 both\n",
    62.8,
    {20, 20, 20, 20, 20, 0, 40}};

static void test_search__constraints(void **state) {
    (void)state;
    static const struct {
        way w;
        zw_keep keep;
    } ways[] = {
        {{"rk54", 0, 0}, ZW_KEEP_PROJECTION},  {{"rk87", 0, 0}, ZW_KEEP_PROJECTION},
        {{"radau", 0, 0}, ZW_KEEP_PROJECTION}, {{"bdf", 0, 0}, ZW_KEEP_PROJECTION},
        {{"erk", 0, 0}, ZW_KEEP_PROJECTION},   {{"erk", 8, 0}, ZW_KEEP_PROJECTION},
        {{"ida", 0, 0}, ZW_KEEP_GGL},          {{"rattle", 6, 0.02}, ZW_KEEP_CHOSEN},
        {{"rk54", 0, 0}, ZW_KEEP_PARTITION},   {{"rk87", 0, 0}, ZW_KEEP_PARTITION},
        {{"radau", 0, 0}, ZW_KEEP_PARTITION},  {{"bdf", 0, 0}, ZW_KEEP_PARTITION},
        {{"adams", 0, 0}, ZW_KEEP_PARTITION},  {{"erk", 0, 0}, ZW_KEEP_PARTITION},
    };
    found *f = malloc(sizeof *f);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        motion m;
        double last[TEXT_MODEL_MAX];
        open_motion(&m, on_a_rod.text, is_canonical(&ways[i].w));
        zw_run *run = make_run(&m, &ways[i].w, 1e-9, ways[i].keep);
        follow(run, 0, on_a_rod.until, m.x, last, f);
        check_counts(&on_a_rod, &ways[i].w, f, "forwards");
        assert_int_equal(f->info.undecided, 0);
        assert_true(f->info.by_series > 0); /* that accelerations are resolved so is told */
        follow(run, on_a_rod.until, 0, last, NULL, f);
        check_counts(&on_a_rod, &ways[i].w, f, "backwards");
        zw_run_destroy(run);
        close_motion(&m);
    }
    free(f);
}

/* Lorenz's states, against signs along a motion by many short steps of the classical method */
static void lorenz(const double *x, double *rate) {
    rate[0] = 10 * (x[1] - x[0]);
    rate[1] = x[0] * (28 - x[2]) - x[1];
    rate[2] = x[0] * x[1] - 8.0 / 3 * x[2];
}

static void short_step(double *x, double h) {
    static const double c[4] = {0, 0.5, 0.5, 1}, b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double sum[3] = {0}, k[3] = {0}, y[3];
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < 3; i++)
            y[i] = x[i] + h * c[stage] * k[i];
        lorenz(y, k);
        for (int i = 0; i < 3; i++)
            sum[i] += b[stage] * k[i];
    }
    for (int i = 0; i < 3; i++)
        x[i] += h * sum[i];
}

static void count_lorenz(int count[4]) {
    double x[3] = {1, 1, 20}, before[4] = {0};
    for (int n = 0; n <= 120000; n++) {
        const double g[4] = {x[2] - 27, x[0] * x[1] - 8.0 / 3 * x[2], x[0], x[2] - 40};
        for (int i = 0; i < 4; i++) {
            count[i] += n > 0 && g[i] * before[i] < 0;
            before[i] = g[i];
        }
        short_step(x, 1e-4);
    }
}

static void test_search__lorenz(void **state) {
    (void)state;
    problem p = {"lorenz",
                 "model m\nunits none\nstate x : x' = 10*(y - x)\nstate y : y' = x*(28 - z) - y\n"
                 "state z : z' = x*y - 8/3*z\nstart x = 1, y = 1, z = 20\nevent a : z - 27 both\n"
                 "event b : x*y - 8/3*z both\nevent c : x both\nevent d : z - 40 both\n",
                 12,
                 {0}};
    motion m;
    found *f = malloc(sizeof *f);
    count_lorenz(p.count);
    assert_true(p.count[0] > 20 && p.count[3] > 5);
    open_motion(&m, p.text, false);
    for (int j = 0; j < WAYS; j++) {
        if (every_way[j].step > 0 ||
            every_way[j].order == 3) /* not for states, or not that accurate */
            continue;
        zw_run *run = make_run(&m, &every_way[j], 1e-11, ZW_KEEP_CHOSEN);
        follow(run, 0, p.until, m.x, NULL, f);
        check_counts(&p, &every_way[j], f, "forwards");
        zw_run_destroy(run);
    }
    close_motion(&m);
    free(f);
}

/* rk87 as somebody else might supply it: without a polynomial */
static void test_search__supplied_method(void **state) {
    (void)state;
    const problem p = {"supplied",
                       CIRCLE "event a : (x + 1)^2 + y^2 - 0.02^2 both\nevent b : x - 0.3 both\n"
                              "event c : sin(30*x) both\n",
                       62.8,
                       {20, 20, 380}};
    motion m;
    found *f = malloc(sizeof *f);
    open_motion(&m, p.text, false);
    const way own = {"rk87", 0, 0};
    zw_run *run = make_run(&m, &own, 1e-9, ZW_KEEP_CHOSEN);
    follow(run, 0, p.until, m.x, NULL, f);
    check_counts(&p, &own, f, "own");
    assert_int_equal(f->info.by_series, 0);
    zw_method without = *zw_method_of(run);
    without.name = "mine";
    without.polynomial = NULL;
    zw_run_options o = zw_run_options_default();
    zw_error err = {0};
    zw_run *supplied;
    o.supplied = &without;
    o.rtol = 1e-9;
    o.atol = 1e-11;
    if (zw_run_create(&supplied, m.kernel, m.p, &o, &err) < 0)
        fail_msg("%s", err.text);
    follow(supplied, 0, p.until, m.x, NULL, f);
    check_counts(&p, &own, f, "supplied");
    assert_int_equal(f->info.by_series, f->info.steps);
    zw_run_destroy(supplied);
    zw_run_destroy(run);
    close_motion(&m);
    free(f);
}

/* a function that no bounds and no points resolve: that is told */
static void test_search__undecided_is_told(void **state) {
    (void)state;
    motion m;
    found *f = malloc(sizeof *f);
    open_motion(&m, ROTOR "event a : sin(1e9*phi'') - 2 + sin(1e7*phi''+1e7*phi) both\n", false);
    const way w = {"rk87", 0, 0};
    zw_run *run = make_run(&m, &w, 1e-9, ZW_KEEP_CHOSEN);
    follow(run, 0, 10, m.x, NULL, f);
    assert_true(f->info.undecided > 0);
    assert_int_equal(f->n, 0);
    zw_run_destroy(run);
    close_motion(&m);
    free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search__recorded_list),
        cmocka_unit_test(test_search__random_functions),
        cmocka_unit_test(test_search__constraints),
        cmocka_unit_test(test_search__lorenz),
        cmocka_unit_test(test_search__supplied_method),
        cmocka_unit_test(test_search__undecided_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
