/* SPDX-License-Identifier: MIT */
/* Peers of contact_problems.c: the solvers of Siconos, where its library was found when this was
 * built. */
#ifndef ZW_BENCH_CONTACT_PEER_H
#define ZW_BENCH_CONTACT_PEER_H

#include "../tests/support/problem_file.h"

typedef struct peer_result {
    bool ended;     /* within the limit of time */
    bool converged; /* as it says */
    int iterations;
    double seconds; /* of the processor, least of the repeats */
    double residual;
} peer_result;

typedef struct peer_solver {
    const char *name;
    int id, iterations_max;
    bool blocks;  /* W in blocks of 3 x 3, else as triplets: what suits it better */
    int contacts; /* problems with more are not given to it */
} peer_solver;

/* ends with a name that is NULL; nothing else in it: there is no Siconos */
extern const peer_solver peer_solvers[];
/* W is made beforehand and not part of the time; at most so many seconds of a process of its own */
peer_result peer_solve(const peer_solver *solver, const problem_file *f, double limit);

#endif
