/* SPDX-License-Identifier: MIT */
/* Finds out whether this process is one of several that a launcher (mpirun, srun) has started. They
 * need no other information about each other: they share a journal. */
#ifndef ZW_CLI_LAUNCHER_H
#define ZW_CLI_LAUNCHER_H

typedef struct cli_launcher {
    int worker, workers; /* index of this one, and number of them; 0 of 1 if it is alone */
    int threads;         /* number that it should use: its share of the available cores */
    const char *by;      /* the variable with this information; NULL */
} cli_launcher;

cli_launcher cli_find_launcher(void);

#endif
