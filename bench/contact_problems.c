/* SPDX-License-Identifier: MIT */
/* The 43 contact problems of tests/contact/problems, each by Zwang and by the solvers of Siconos
 * (contact_peer.h), in one run:
 *
 *     contact_problems FOLDER [NAME...]        only problems whose names begin with one of NAME
 *
 * Times are those of the processor, least of many repeats, and contain all that a solver does with
 * a problem: checks, scaling, and for Siconos neither the making of W nor that of its options.
 * Zwang's solver is kept from repeat to repeat, as in a run, and starts from nothing; `new solver`
 * makes one each time, and orders the parts anew; `old impulses` starts from the answer for
 * velocities that differ by a hundredth. The residual is that of problem_file.h for all. "right":
 * it says that it has converged, and the residual is below 1e-8. The times of the prototype, to a
 * residual of 1e-11, are those of another processor (Zen 4 with AVX-512). */
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "contact_peer.h"

#define RIGHT 1e-8
#define SOLVED 1e-9
#define LIMIT 5          /* s for a solver of Siconos, */
#define LIMIT_LARGE 60   /* and for hundreds of contacts */
#define SAMPLE 1e-3      /* s: what is timed at once is repeated to last so long */
#define LONG 0.1         /* s: measured once */
#define SAMPLES_FOR 0.03 /* s in each of so many rounds */

enum { ROUNDS = 7, AGAIN = 2 };

typedef struct reference {
    const char *name;
    double prototype; /* us, to a residual of 1e-11 */
} reference;

static const reference references[] = {
    {"ball_leave", 0.059},
    {"ball_slide", 0.31},
    {"ball_smooth", 0.19},
    {"ball_stick", 0.15},
    {"rod_mu1.2_approach", 0.15},
    {"rod_mu1.4_approach", 0.15},
    {"rod_mu1.4_reverse", 1.8},
    {"rod_mu2_approach", 0.15},
    {"rod_mu2_leaving", 0.046},
    {"rod_mu2_tangent", 0.15},
    {"tippedisk", 0.18},
    {"groove_mu0", 8},
    {"groove_mu0.2", 14},
    {"groove_mu0.5", 8.9},
    {"groove_mu1", 8.1},
    {"groove_mu2", 7.9},
    {"ratio_balls_1e4", 15},
    {"ratio_balls_1e6", 19},
    {"box4_mu0", 13},
    {"box4_mu0.1", 15},
    {"box4_mu0.3", 15},
    {"box4_mu1", 19},
    {"box4_mu2", 18},
    {"box4_tip", 14},
    {"table4", 19},
    {"table5", 23},
    {"table6", 26},
    {"table8", 42},
    {"pile8", 113},
    {"ratio_boxes_1e4", 53},
    {"ratio_boxes_1e6", 88},
    {"chain10", 58},
    {"tower12", 46},
    {"table16", 60},
    {"ratio_stack_1e4", 171},
    {"ratio_stack_1e6", 279},
    {"pile72", 1700},
    {"chain100", 817},
    {"tower100", 486},
    {"wall100", 1600},
    {"pile897", 1.6e6},
    {"wall968", 19600},
    {"chain1000", 12400},
};

/* ---------------------------------------------------------------------------------------- Zwang */

typedef struct job {
    problem_file file, moved; /* moved: velocities that differ by a hundredth, in the range of H */
    zw_contact_options options;
    zw_contact_solver *solver; /* NULL: a new one each time */
    zw_contact_answer answer;
    double *r, *old; /* old: where a warm start begins */
} job;

static double processor_time(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void solve(job *j, const problem_file *f) {
    zw_error err = {0};
    zw_contact_solver *s = j->solver ? j->solver : zw_contact_solver_create(NULL);
    if (j->options.warm)
        memcpy(j->r, j->old, sizeof *j->r * (size_t)f->problem.ncontact * 3);
    if (zw_contact_solve(s, &f->problem, &j->options, j->r, &j->answer, &err) < 0) {
        fprintf(stderr, "contact_problems: %s\n", err.text);
        exit(1);
    }
    if (!j->solver)
        zw_contact_solver_destroy(s);
}

/* the least time of one solve so far, s */
static void measure(job *j, const problem_file *f, double *least) {
    double begin = processor_time(), once;
    solve(j, f);
    once = processor_time() - begin;
    *least = *least > 0 ? fmin(*least, once) : once;
    long batch = lround(fmax(1, SAMPLE / fmax(*least, 1e-8)));
    while (once < SAMPLES_FOR && processor_time() - begin < SAMPLES_FOR) {
        double from = processor_time();
        for (long i = 0; i < batch; i++)
            solve(j, f);
        *least = fmin(*least, (processor_time() - from) / (double)batch);
    }
}

/* a velocity of every body, the same in every run: q + H v of the size of a hundredth of q */
static void move(problem_file *f) {
    const zw_contact_problem *p = &f->problem;
    double *change = calloc((size_t)p->ncontact * 3, sizeof *change), size = 0, all = 0;
    for (int e = 0; e < p->nentry; e++)
        for (int a = 0; a < 3; a++)
            for (int k = 0; k < 6; k++) {
                uint32_t x = (uint32_t)(6 * p->entry[e].part + k + 1) * 2654435761u;
                double root = sqrt(f->mass[6 * p->entry[e].part + k]);
                change[3 * p->entry[e].contact + a] +=
                    p->entry[e].H[6 * a + k] * ((x >> 8) / (double)(1 << 23) - 1) / root;
            }
    for (int k = 0; k < 3 * p->ncontact; k++) {
        size += change[k] * change[k];
        all += f->q[k] * f->q[k];
    }
    for (int k = 0; k < 3 * p->ncontact; k++)
        f->q[k] += 0.01 * sqrt(all / size) * change[k];
    free(change);
}

/* ----------------------------------------------------------------------------------------- rows */

static void row(const char *name, const char *quantity, double value, const char *unit,
                const char *target) {
    bench_row("contact_problems", name, quantity, value, unit, target);
}

typedef struct totals {
    int solved, false_claims;
} totals;

/* the fastest of the right answers, 0: none */
static double measure_peers(const char *name, const problem_file *f) {
    double best = 0;
    for (const peer_solver *s = peer_solvers; s->name; s++) {
        char quantity[64];
        if (f->problem.ncontact > s->contacts)
            continue;
        double limit = f->problem.ncontact > 200 ? LIMIT_LARGE : LIMIT;
        peer_result r = peer_solve(s, f, limit);
        for (int again = 0; again < AGAIN && r.ended && r.seconds < LONG; again++)
            r.seconds = fmin(r.seconds, peer_solve(s, f, limit).seconds);
        bool right = r.ended && r.converged && r.residual <= RIGHT;
        if (right) {
            snprintf(quantity, sizeof quantity, "Siconos %s", s->name);
            row(name, quantity, r.seconds * 1e6, "us", "");
        }
        snprintf(quantity, sizeof quantity, "Siconos %s residual%s", s->name,
                 !r.ended ? " (did not end)"
                 : right  ? ""
                          : (r.converged ? " (says converged)" : " (gave up)"));
        row(name, quantity, r.ended ? r.residual : HUGE_VAL, "1", "");
        if (right && (best == 0 || r.seconds < best))
            best = r.seconds;
    }
    return best;
}

/* what is asked for at 2 to 20, at 100 and at 1000 contacts */
static const char *peer_target(int contacts) {
    return contacts == 1 ? "" : contacts < 90 ? ">= 2" : contacts < 900 ? ">= 30" : ">= 100";
}

typedef struct times {
    double cold, exact, anew, warm; /* s */
} times;

/* in turns, since a processor is not always as fast */
static void measure_round(job *j, times *t) {
    zw_contact_solver *kept = j->solver;
    j->options.tolerance = 1e-11;
    measure(j, &j->file, &t->exact);
    j->options.warm = true;
    j->options.tolerance = SOLVED;
    measure(j, &j->moved, &t->warm);
    j->options.warm = false;
    j->solver = NULL;
    measure(j, &j->file, &t->anew);
    j->solver = kept;
    measure(j, &j->file, &t->cold);
}

static void measure_rounds(job *j, times *t) {
    for (int round = 0; round < ROUNDS && t->cold < LONG; round++)
        measure_round(j, t);
}

static void tell_ours(const job *j, const char *name, double prototype, const times *took,
                      totals *t) {
    double residual = problem_file_residual(&j->file, j->r);
    bool claims = j->answer.verdict == ZW_CONTACT_CONVERGED;
    t->solved += residual <= SOLVED;
    t->false_claims += claims && residual > SOLVED;
    row(name, claims ? "residual" : "residual (not called converged)", residual, "1",
        strcmp(name, "pile897") ? "<= 1e-9" : "");
    row(name, "time", took->cold * 1e6, "us", "");
    row(name, "time with a new solver", took->anew * 1e6, "us", "");
    row(name, "time with old impulses", took->warm * 1e6, "us", "");
    row(name, "time to 1e-11", took->exact * 1e6, "us", "");
    row(name, "time to 1e-11 over prototype", took->exact * 1e6 / prototype, "1", "<= 2");
}

static void read_job(job *j, const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.txt", folder, name);
    if (!problem_file_read(&j->file, path) || !problem_file_read(&j->moved, path)) {
        fprintf(stderr, "contact_problems: cannot read %s\n", path);
        exit(1);
    }
    move(&j->moved);
    j->options = zw_contact_options_default();
    j->solver = zw_contact_solver_create(NULL);
    j->r = calloc((size_t)j->file.problem.ncontact * 6, sizeof *j->r);
    j->old = j->r + 3 * j->file.problem.ncontact;
}

/* Zwang before and after its peers, since other work on the machine comes and goes */
static void measure_problem(const char *folder, const reference *of, totals *t) {
    job j = {0};
    times took = {0};
    read_job(&j, folder, of->name);
    solve(&j, &j.file);
    memcpy(j.old, j.r, sizeof *j.r * (size_t)j.file.problem.ncontact * 3);
    measure_rounds(&j, &took);
    double peer = measure_peers(of->name, &j.file);
    measure_rounds(&j, &took);
    tell_ours(&j, of->name, of->prototype, &took, t);
    if (peer > 0)
        row(of->name, "best of Siconos over Zwang", peer / took.cold, "1",
            peer_target(j.file.problem.ncontact));
    zw_contact_solver_destroy(j.solver);
    free(j.r);
    problem_file_clear(&j.file);
    problem_file_clear(&j.moved);
}

static bool is_wanted(const char *name, int n, char **begins) {
    for (int i = 0; i < n; i++)
        if (strncmp(name, begins[i], strlen(begins[i])) == 0)
            return true;
    return n == 0;
}

int main(int argc, char **argv) {
    totals t = {0};
    if (argc < 2) {
        fprintf(stderr, "usage: contact_problems FOLDER [NAME...]\n");
        return 1;
    }
    if (!getenv(
            "OPENBLAS_NUM_THREADS")) { /* Siconos on one processor too: it is asked when loaded */
        setenv("OPENBLAS_NUM_THREADS", "1", 1);
        setenv("OMP_NUM_THREADS", "1", 1);
        execv("/proc/self/exe", argv);
    }
    for (size_t i = 0; i < sizeof references / sizeof *references; i++)
        if (is_wanted(references[i].name, argc - 2, argv + 2))
            measure_problem(argv[1], &references[i], &t);
    if (argc > 2)
        return 0;
    row("all", "solved to 1e-9", t.solved, "1", ">= 42");
    row("all", "called converged and not so", t.false_claims, "1", "<= 0");
    return 0;
}
