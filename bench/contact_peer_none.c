/* SPDX-License-Identifier: MIT */
#include "contact_peer.h"

const peer_solver peer_solvers[] = {{0}};

peer_result peer_solve(const peer_solver *solver, const problem_file *f, double limit) {
    (void)solver, (void)f, (void)limit;
    return (peer_result){0};
}
