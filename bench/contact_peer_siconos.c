/* SPDX-License-Identifier: MIT */
/* Siconos' solvers for contact with friction, by its own drivers and with their own defaults but
 * for the tolerance (1e-10 in its own measure) and the most iterations. Some never end, one or the
 * other ends the process: each runs in a child. */
#include "contact_peer.h"

#include <math.h>
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/SparseBlockMatrix.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REPEATS = 30 };
#define TOLERANCE 1e-10
#define ENOUGH 0.1 /* s of repeats */

const peer_solver peer_solvers[] = {
    {"NSGS", SICONOS_FRICTION_3D_NSGS, 100000, true, 200},
    {"NSN_AC", SICONOS_FRICTION_3D_NSN_AC, 2000, false, 200},
    {"PROX", SICONOS_FRICTION_3D_PROX, 1000, true, 2000},
    {"ADMM", SICONOS_FRICTION_3D_ADMM, 3000, false, 200},
    {"VI_EG", SICONOS_FRICTION_3D_VI_EG, 50000, true, 200},
    {0},
};

/* -------------------------------------------------------------------------------------------- W */

typedef struct blocks { /* of W that are not zero, 3 x 3, by columns as Siconos has them */
    unsigned n, *row, *column;
    double *value;
} blocks;

/* W_ij of contacts i, j: the sum over the bodies that both move */
static bool add_block(const problem_file *f, const int *first, int i, int j, double *W) {
    const zw_contact_entry *entry = f->problem.entry;
    bool any = false;
    memset(W, 0, 9 * sizeof *W);
    for (int a = first[i]; a < first[i + 1]; a++)
        for (int b = first[j]; b < first[j + 1]; b++) {
            const double *m = f->mass + 6 * entry[a].part;
            if (entry[a].part != entry[b].part)
                continue;
            any = true;
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    for (int k = 0; k < 6; k++)
                        W[3 * c + r] += entry[a].H[6 * r + k] * entry[b].H[6 * c + k] / m[k];
        }
    return any;
}

static blocks make_blocks(const problem_file *f) {
    int n = f->problem.ncontact, e = 0;
    size_t room = 0;
    blocks w = {0};
    int *first = calloc((size_t)n + 1, sizeof *first);
    for (int i = 0; i <= n; i++) {
        first[i] = e;
        while (e < f->problem.nentry && f->problem.entry[e].contact == i)
            e++;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (w.n == room) {
                room = 2 * room + 64;
                w.row = realloc(w.row, room * sizeof *w.row);
                w.column = realloc(w.column, room * sizeof *w.column);
                w.value = realloc(w.value, room * 9 * sizeof *w.value);
            }
            w.row[w.n] = (unsigned)i;
            w.column[w.n] = (unsigned)j;
            w.n += add_block(f, first, i, j, w.value + 9 * w.n);
        }
    free(first);
    return w;
}

/* the blocks of w, which are sorted by rows, stay where they are */
static SparseBlockStructuredMatrix *in_blocks(const blocks *w, int n) {
    SparseBlockStructuredMatrix *M = SBM_new();
    M->nbblocks = w->n;
    M->blocknumber0 = M->blocknumber1 = (unsigned)n;
    M->filled1 = (size_t)n + 1;
    M->filled2 = w->n;
    M->block = calloc(w->n, sizeof *M->block);
    M->blocksize0 = calloc((size_t)n, sizeof *M->blocksize0);
    M->blocksize1 = calloc((size_t)n, sizeof *M->blocksize1);
    M->index1_data = calloc((size_t)n + 1, sizeof *M->index1_data);
    M->index2_data = calloc(w->n, sizeof *M->index2_data);
    for (int i = 0; i < n; i++)
        M->blocksize0[i] = M->blocksize1[i] = 3 * (unsigned)(i + 1);
    for (unsigned k = 0; k < w->n; k++) {
        M->block[k] = w->value + 9 * k;
        M->index1_data[w->row[k] + 1] = k + 1;
        M->index2_data[k] = w->column[k];
    }
    return M;
}

static NumericsMatrix *make_matrix(const problem_file *f, bool as_blocks) {
    blocks w = make_blocks(f);
    int n = f->problem.ncontact;
    if (as_blocks)
        return NM_new_SBM(3 * n, 3 * n, in_blocks(&w, n));
    NumericsMatrix *M = NM_create(NM_SPARSE, 3 * n, 3 * n);
    NM_triplet_alloc(M, 9 * w.n);
    M->matrix2->origin = NSM_TRIPLET;
    for (unsigned k = 0; k < w.n; k++)
        for (int c = 0; c < 3; c++)
            for (int r = 0; r < 3; r++)
                NM_entry(M, (int)(3 * w.row[k]) + r, (int)(3 * w.column[k]) + c,
                         w.value[9 * k + 3 * (unsigned)c + (unsigned)r]);
    return M;
}

/* -------------------------------------------------------------------------------------- solving */

static double processor_time(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void solve_once(const peer_solver *solver, const problem_file *f, NumericsMatrix *M,
                       peer_result *result) {
    int n = f->problem.ncontact;
    double *r = calloc((size_t)n * 7, sizeof *r), *u = r + 3 * n, *mu = u + 3 * n;
    for (int i = 0; i < n; i++)
        mu[i] = f->law[i].block[0].mu;
    FrictionContactProblem *p = frictionContactProblem_new_with_data(3, n, M, f->q, mu);
    SolverOptions *options = solver_options_create(solver->id);
    options->iparam[SICONOS_IPARAM_MAX_ITER] = solver->iterations_max;
    options->dparam[SICONOS_DPARAM_TOL] = TOLERANCE;
    double begin = processor_time();
    int status = fc3d_driver(p, r, u, options);
    double seconds = processor_time() - begin;
    if (result->seconds == 0 || seconds < result->seconds)
        result->seconds = seconds;
    result->ended = true;
    result->converged = status == 0;
    result->iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
    result->residual = problem_file_residual(f, r);
    solver_options_delete(options);
    free(r); /* the problem itself would take W with it */
}

static void solve_in_child(const peer_solver *solver, const problem_file *f, double limit, int to) {
    peer_result result = {0};
    NumericsMatrix *M = make_matrix(f, solver->blocks);
    double begin = processor_time();
    rlim_t most = (rlim_t)ceil(begin + limit);
    setrlimit(RLIMIT_CPU, &(struct rlimit){most, most + 1});
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        _exit(1);
    for (int i = 0; i < REPEATS && (i == 0 || processor_time() - begin < ENOUGH); i++)
        solve_once(solver, f, M, &result);
    if (write(to, &result, sizeof result) != (ssize_t)sizeof result)
        _exit(1);
    _exit(0);
}

peer_result peer_solve(const peer_solver *solver, const problem_file *f, double limit) {
    peer_result result = {0};
    int ends[2], status;
    fflush(NULL);
    if (pipe(ends))
        return result;
    pid_t child = fork();
    if (child == 0)
        solve_in_child(solver, f, limit, ends[1]);
    close(ends[1]);
    if (child < 0 || read(ends[0], &result, sizeof result) != (ssize_t)sizeof result)
        result = (peer_result){0};
    close(ends[0]);
    if (child > 0)
        waitpid(child, &status, 0);
    return result;
}
