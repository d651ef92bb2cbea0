/* SPDX-License-Identifier: MIT */
#include "launcher.h"

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* the variables of the launchers: rank, size, and number of processes on this machine */
static const struct {
    const char *rank, *size, *local;
} known[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"},
    {"PMIX_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS_PER_NODE"},
};

static int read_variable(const char *name, int otherwise) {
    const char *text = getenv(name);
    long n = text ? strtol(text, NULL, 10) : otherwise;
    return n >= 0 && n < 1 << 24 ? (int)n : otherwise;
}

static int core_count(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

cli_launcher cli_find_launcher(void) {
    cli_launcher l = {.workers = 1};
    for (size_t i = 0; i < sizeof known / sizeof *known && !l.by; i++) {
        int size = read_variable(known[i].size, 1);
        if (!getenv(known[i].rank) || size < 2)
            continue;
        l.by = known[i].rank;
        l.worker = read_variable(known[i].rank, 0);
        l.workers = size;
        int local = read_variable(known[i].local, size), mine = core_count();
        /* a process bound to its own cores uses all of them; otherwise all processes share the
         * cores */
        bool bound = mine < (int)sysconf(_SC_NPROCESSORS_ONLN);
        l.threads = bound || local < 1 ? mine : mine / local;
        l.threads = l.threads < 1 ? 1 : l.threads;
    }
    return l;
}
