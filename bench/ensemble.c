/* SPDX-License-Identifier: MIT */
/* Many motions: trajectories per second and core by zw_ensemble, beside integrators written by hand
 * in C for each system (ensemble_by_hand.h, compiled with everything the compiler has), in the same
 * run and at the same tolerances. How far both are from a tight reference is told too: the
 * comparison means something where our error is not larger.
 *
 *     ensemble [SECONDS [NAME]]   per measurement, 1; only those whose names have this in them
 *     ensemble --cores [SECONDS] one thread against two alone: for a machine on which nothing else
 *     runs
 *
 * Times per core are those of the thread's processor time, in turns with the loop by hand. The best
 * of each counts; beside it stands the median of the ratios of the rounds, which does not depend on
 * lucky ones. */
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "zwang/zwang.h"

#define zw_rk_54 by_hand_54
#define zw_rk_87 by_hand_87
#include "../src/num/methods/rk_tableau.c"
#undef zw_rk_54
#undef zw_rk_87

/* -------------------------------------------------------------------------- the systems by hand */

/* the tippedisk in three states (models/tippedisk_reduced.zw): what depends on parameters alone is
 * computed before */
typedef struct disc {
    double r, e, m, J1, J2, mu, eps, v0, g;
} disc;
static disc the_disc;

static inline void disc_rates(double t, const double *y, double *f, const double *p) {
    (void)t;
    const disc *d = &the_disc;
    double w = p[0], sb = sin(y[0]), cb = cos(y[0]), sg = sin(y[1]), cg = cos(y[1]), v = y[2];
    double arm = d->r + d->e * sg, J = d->J1 * cg * cg + d->J2 * sg * sg;
    double M = J + d->m * arm * arm * cb * cb;
    double inertia = J * w * w * sb * cb - 2 * (d->J1 - d->J2) * w * v * cb * sg * cg +
                     d->m * arm * arm * v * v * sb * cb +
                     d->m * d->e * arm * w * w * sb * cb * cb * cb * sg -
                     d->m * d->e * arm * (3 * sb * sb - 2) * w * v * cb * cg;
    double weight = -d->m * d->g * arm * cb;
    double slip = arm * sb * v - d->e * w * sb * sb * cg;
    double friction = -d->mu * d->m * d->g * slip / (sqrt(slip * slip + d->v0 * d->v0) + d->eps);
    f[0] = v;
    f[1] = -w * cb;
    f[2] = (inertia + weight + arm * sb * friction) / M;
}
#define NAME disc
#define N 3
#define RATES disc_rates
#include "ensemble_by_hand.h"

static inline void duffing_rates(double t, const double *y, double *f, const double *p) {
    f[0] = y[1];
    f[1] = 2 * cos(p[0] * t) - 0.4 * y[1] - y[0] - y[0] * y[0] * y[0];
}
#define NAME duffing
#define N 2
#define RATES duffing_rates

/* two rods of length 1 with points of mass 1 at their ends */
static inline void pendulum_rates(double t, const double *y, double *f, const double *p) {
    (void)t;
    (void)p;
    double d = y[0] - y[1], s = sin(d), c = cos(d), g = 9.81, D = 1 + s * s;
    double a = -s * y[3] * y[3] - 2 * g * sin(y[0]), b = s * y[2] * y[2] - g * sin(y[1]);
    f[0] = y[2];
    f[1] = y[3];
    f[2] = (a - c * b) / D;
    f[3] = (2 * b - c * a) / D;
}
#define NAME pendulum
#define WITHOUT_DOPRI5
#define N 4
#define RATES pendulum_rates

/* --------------------------------------------------------------------------- the same as models */

static const char DISC[] =
    "model disc\n"
    "param r = 45 [mm], a = 15 [mm], b = 20 [mm], h = 10 [mm], rho = 7700 [kg/m^3], g = 9.81 "
    "[m/s^2]\n"
    "param mu = 0.3, eps = 0.1 [m/s], v_0 = 1 [nm/s], Omega = 40 [rad/s]\n"
    "let e = b*a^2/(r^2 - a^2)\n"
    "let m = rho*pi*(r^2 - a^2)*h\n"
    "let J_1 = rho*pi*h/12*(3*r^4 + r^2*h^2 - a^2*h^2 - 3*a^4)\n"
    "let J_2 = J_1 - rho*pi*h*a^2*b^2 - m*e^2\n"
    "let arm = r + e*sin(gamma)\n"
    "let M = J_1*cos(gamma)^2 + J_2*sin(gamma)^2 + m*arm^2*cos(beta)^2\n"
    "let inertia = (J_1*cos(gamma)^2 + J_2*sin(gamma)^2)*Omega^2*sin(beta)*cos(beta) -\n"
    "    2*(J_1 - J_2)*Omega*y*cos(beta)*sin(gamma)*cos(gamma) + m*arm^2*y^2*sin(beta)*cos(beta) "
    "+\n"
    "    m*e*arm*Omega^2*sin(beta)*cos(beta)^3*sin(gamma) -\n"
    "    m*e*arm*(3*sin(beta)^2 - 2)*Omega*y*cos(beta)*cos(gamma)\n"
    "let slip = arm*sin(beta)*y - e*Omega*sin(beta)^2*cos(gamma)\n"
    "let friction = -mu*m*g*slip/(sqrt(slip^2 + v_0^2) + eps)\n"
    "state beta, gamma [rad], y [rad/s] : beta' = y, gamma' = -Omega*cos(beta),\n"
    "    y' = (inertia - m*g*arm*cos(beta) + arm*sin(beta)*friction)/M\n"
    "start beta = pi/2, gamma = -pi/2, y = 0\n";
static const char DUFFING[] = "model duffing\nunits none\nparam Omega = 1.4\n"
                              "state x, v : x' = v, v' = 2*cos(Omega*t) - 0.4*v - x - x^3\n"
                              "start x = 0, v = 0\n";
static const char PENDULUM[] = "model pendulum\nparam g = 9.81 [m/s^2], m = 1 [kg], l = 1 [m]\n"
                               "coord a, b [rad]\n"
                               "particle A : m at (l*sin(a), -l*cos(a))\n"
                               "particle B : m at (l*sin(a) + l*sin(b), -l*cos(a) - l*cos(b))\n"
                               "gravity g along -y\nstart a = 0, b = 0, a' = 0, b' = 0\n";

/* --------------------------------------------------------------------------------- a comparison */

typedef struct contest {
    const char *name, *model;
    int n;
    double until, rtol, atol, parameter;
    long (*hand)(double t, double t1, double *y, const double *p, double rtol, double atol);
    long (*reference)(double t, double t1, double *y, const double *p, double rtol, double atol);
    const char *method, *aim;
    int count; /* motions of a measurement by hand */
} contest;

/* of one core: others may be at work on this machine */
static double clock_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static double cpu(void) {
    return clock_of(CLOCK_THREAD_CPUTIME_ID);
}
static double all_cpu(void) {
    return clock_of(CLOCK_PROCESS_CPUTIME_ID);
}

static double fraction(uint64_t k, double step) {
    double v = (double)k * step;
    return v - floor(v);
}

/* starts that fill a rectangle evenly */
static void start_of(const contest *c, uint64_t k, double *x) {
    double u = fraction(k + 1, 0.7548776662466927), v = fraction(k + 1, 0.5698402909980532);
    memset(x, 0, sizeof(double) * (size_t)c->n);
    if (c->n == 3) {
        x[0] = M_PI_2 + 0.1 * (u - 0.5);
        x[1] = -M_PI_2 + 0.1 + 0.2 * v;
    } else if (c->n == 2) {
        x[0] = 4 * u - 2;
        x[1] = 4 * v - 2;
    } else {
        x[0] = 0.5 + u;
        x[1] = 0.5 + v;
    }
}

enum { CHECKED = 64, ROUNDS_MOST = 1000 };
typedef struct seen {
    const contest *c;
    double last[CHECKED][4];
} seen;

static void begin(void *user, zw_ensemble_motion *m, bool *given) {
    const seen *s = user;
    start_of(s->c, m->number, m->x);
    for (int i = 0; i < s->c->n; i++)
        given[i] = true;
    m->next = s->c->until;
}

static zw_ensemble_reply visit(void *user, zw_ensemble_motion *m) {
    seen *s = user;
    if (m->number < CHECKED)
        memcpy(s->last[m->number], m->x, sizeof(double) * (size_t)s->c->n);
    return ZW_ENSEMBLE_DONE;
}

static zw_ensemble *create(const contest *c, int threads, int lanes) {
    zw_ensemble_options o = zw_ensemble_options_default();
    zw_ensemble *e;
    zw_error err = {0};
    const zw_model_source source = {c->model, strlen(c->model), "bench", NULL};
    o.engine = ZW_ENSEMBLE_LANES;
    o.threads = threads;
    o.lanes = lanes;
    o.run.rtol = c->rtol;
    o.run.atol = c->atol;
    o.run.method = c->method;
    if (zw_ensemble_create(&e, &source, &o, &err) < 0) {
        fprintf(stderr, "%s: %s\n", c->name, err.text);
        exit(1);
    }
    return e;
}

/* motions per second of one measurement, of one core's time */
static double rate(zw_ensemble *e, const contest *c, seen *s) {
    const zw_ensemble_client client = {.user = s, .begin = begin, .visit = visit};
    s->c = c;
    double t = cpu();
    zw_ensemble_run(e, &client, 0, (uint64_t)c->count, NULL);
    return c->count / (cpu() - t);
}

static double by_hand(const contest *c) {
    double x[4], sum = 0, t = cpu();
    for (int k = 0; k < c->count; k++) {
        start_of(c, (uint64_t)k, x);
        c->hand(0, c->until, x, &c->parameter, c->rtol, c->atol);
        sum += x[0];
    }
    t = cpu() - t;
    if (!isfinite(sum))
        fprintf(stderr, "%s: not finite\n", c->name);
    return c->count / t;
}

/* root mean square of the errors at the end; the median over motions, since some are sensitive */
static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
static void errors(const contest *c, const seen *s, double *ours, double *theirs) {
    double a[CHECKED], b[CHECKED];
    for (int k = 0; k < CHECKED; k++) {
        double exact[4], hand[4];
        start_of(c, (uint64_t)k, exact);
        start_of(c, (uint64_t)k, hand);
        c->reference(0, c->until, exact, &c->parameter, 1e-13, 1e-15);
        c->hand(0, c->until, hand, &c->parameter, c->rtol, c->atol);
        a[k] = b[k] = 0;
        for (int i = 0; i < c->n; i++) {
            a[k] += (s->last[k][i] - exact[i]) * (s->last[k][i] - exact[i]) / c->n;
            b[k] += (hand[i] - exact[i]) * (hand[i] - exact[i]) / c->n;
        }
    }
    qsort(a, CHECKED, sizeof *a, compare);
    qsort(b, CHECKED, sizeof *b, compare);
    *ours = sqrt(a[CHECKED / 2]);
    *theirs = sqrt(b[CHECKED / 2]);
}

/* one after the other, again and again, and the best of each: others may be at work on this
 * machine */
static void contend(const contest *c, double seconds) {
    seen s = {0};
    double four = 0, eight = 0, hand = 0, ours, theirs, begun = bench_now(), ratio[ROUNDS_MOST];
    zw_ensemble *e4 = create(c, 1, 4), *e8 = create(c, 1, 8);
    int rounds = 0;
    while (rounds < 3 || (rounds < ROUNDS_MOST && bench_now() - begun < 3 * seconds)) {
        four = fmax(four, rate(e4, c, &s));
        double by = by_hand(c), of = rate(e8, c, &s);
        ratio[rounds++] = of / by;
        hand = fmax(hand, by);
        eight = fmax(eight, of);
    }
    qsort(ratio, (size_t)rounds, sizeof *ratio, compare);
    zw_ensemble_info info;
    zw_ensemble_statistics(e8, &info, sizeof info);
    zw_ensemble_destroy(e4);
    zw_ensemble_destroy(e8);
    errors(c, &s, &ours, &theirs);
    bench_row("ensemble", c->name, "steps per motion", (double)info.steps / (double)info.motions,
              "1", "");
    bench_row("ensemble", c->name, "4 lanes", four, "1/s", "");
    bench_row("ensemble", c->name, "8 lanes", eight, "1/s", "");
    bench_row("ensemble", c->name, "by hand in C", hand, "1/s", "");
    bench_row("ensemble", c->name, "error", ours, "1", "");
    bench_row("ensemble", c->name, "error by hand", theirs, "1", "");
    bench_row("ensemble", c->name, "speed-up per core", fmax(four, eight) / hand, "1", c->aim);
    bench_row("ensemble", c->name, "median speed-up per core", ratio[rounds / 2], "1", "");
}

/* Two threads against one with a loop that shares nothing, not even memory: what the machine itself
 * gives at this moment. */
static void *spin(void *sum) {
    double x = 1;
    for (long i = 0; i < 100000000; i++)
        x = x * 0.999999 + 1e-9;
    *(double *)sum = x;
    return NULL;
}
static void scale_of_machine(void) {
    double best = 0, sum[2];
    for (int round = 0; round < 3; round++) {
        pthread_t other;
        double t = bench_now(), one, two;
        spin(&sum[0]);
        one = bench_now() - t;
        t = bench_now();
        if (pthread_create(&other, NULL, spin, &sum[1]) != 0)
            return;
        spin(&sum[0]);
        pthread_join(other, NULL);
        two = bench_now() - t;
        best = fmax(best, 2 * one / two);
    }
    bench_row("ensemble", "a loop that shares nothing", "2 threads against 1", best, "1", "");
}

/* the same motions by two threads: time of the clock, which needs two cores that nobody else uses,
 * and of both cores, which tells what they cost each other */
static void scale(const contest *c, double seconds) {
    const zw_ensemble_client client = {.user = &(seen){.c = c}, .begin = begin, .visit = visit};
    zw_ensemble *e[2] = {create(c, 1, 0), create(c, 2, 0)};
    double wall[2] = {INFINITY, INFINITY}, core[2] = {INFINITY, INFINITY}, begun = bench_now();
    uint64_t count = 4 * (uint64_t)c->count;
    double load = -1;
    getloadavg(&load, 1);
    bench_row("ensemble", c->name, "load of the machine before", load, "1", "");
    for (int round = 0; round < 3 || bench_now() - begun < 3 * seconds; round++)
        for (int i = 0; i < 2; i++) {
            zw_ensemble_info info;
            double t = all_cpu();
            zw_ensemble_run(e[i], &client, 0, count, NULL);
            t = all_cpu() - t;
            zw_ensemble_statistics(e[i], &info, sizeof info);
            core[i] = fmin(core[i], t);
            wall[i] = fmin(wall[i], info.seconds);
        }
    bench_row("ensemble", c->name, "2 threads against 1", wall[0] / wall[1], "1",
              sysconf(_SC_NPROCESSORS_ONLN) > 1 ? ">= 1.9" : "");
    bench_row("ensemble", c->name, "2 threads against 1 by cores' time", 2 * core[0] / core[1], "1",
              "");
    zw_ensemble_destroy(e[0]);
    zw_ensemble_destroy(e[1]);
}

int main(int argc, char **argv) {
    bool cores = argc > 1 && strcmp(argv[1], "--cores") == 0;
    argc -= cores;
    argv += cores;
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    double r = 0.045, a = 0.015, b = 0.02, h = 0.01, rho = 7700;
    disc *d = &the_disc;
    d->r = r;
    d->e = b * a * a / (r * r - a * a);
    d->m = rho * M_PI * (r * r - a * a) * h;
    d->J1 = rho * M_PI * h / 12 * (3 * pow(r, 4) + r * r * h * h - a * a * h * h - 3 * pow(a, 4));
    d->J2 = d->J1 - rho * M_PI * h * a * a * b * b - d->m * d->e * d->e;
    d->mu = 0.3;
    d->eps = 0.1;
    d->v0 = 1e-9;
    d->g = 9.81;
    double period = 2 * M_PI / 1.4;
    const contest contests[] = {
        {"tippedisk 5 s 1e-6", DISC, 3, 5, 1e-6, 1e-8, 40, disc_dopri5, disc_rk87, "rk54", ">= 5",
         4096},
        {"tippedisk 5 s 1e-9", DISC, 3, 5, 1e-9, 1e-11, 40, disc_rk87, disc_rk87, "rk87", "", 4096},
        {"Duffing 1000 periods 1e-6", DUFFING, 2, 1000 * period, 1e-6, 1e-8, 1.4, duffing_dopri5,
         duffing_rk87, "rk54", ">= 3.5", 64},
        {"Duffing 1000 periods 1e-9", DUFFING, 2, 1000 * period, 1e-9, 1e-11, 1.4, duffing_rk87,
         duffing_rk87, "rk87", "", 64},
        {"double pendulum 10 s 1e-9", PENDULUM, 4, 10, 1e-9, 1e-11, 0, pendulum_rk87, pendulum_rk87,
         "rk87", ">= 3", 1024},
    };
    /* enough motions that the last ones do not count: one thread may wait for the other as long as
     * one takes */
    const contest shared[] = {
        {.name = "tippedisk 5 s 1e-6",
         .model = DISC,
         .n = 3,
         .until = 5,
         .rtol = 1e-6,
         .atol = 1e-8,
         .method = "rk54",
         .count = 4096},
        {.name = "Duffing 100 periods 1e-9",
         .model = DUFFING,
         .n = 2,
         .until = 100 * period,
         .rtol = 1e-9,
         .atol = 1e-11,
         .method = "rk87",
         .count = 512},
        {.name = "double pendulum 10 s 1e-9",
         .model = PENDULUM,
         .n = 4,
         .until = 10,
         .rtol = 1e-9,
         .atol = 1e-11,
         .method = "rk87",
         .count = 2048},
    };
    for (size_t i = 0; !cores && i < sizeof contests / sizeof *contests; i++)
        if (argc < 3 || strstr(contests[i].name, argv[2]))
            contend(&contests[i], seconds);
    if (argc > 2)
        return 0;
    scale_of_machine();
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        scale(&shared[i], seconds);
    return 0;
}
