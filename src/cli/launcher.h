/* SPDX-License-Identifier: MIT */
/* Is this process one of several that a launcher (mpirun, srun) has started? They need to know no
 * more of each other than that: the journal that they share does the rest. */
#ifndef ZW_CLI_LAUNCHER_H
#define ZW_CLI_LAUNCHER_H

typedef struct cli_launcher {
    int worker, workers; /* this one, of so many; 0 of 1 if it is alone */
    int threads;         /* that it should have: its share of the cores it may use */
    const char *by;      /* the variable that says so; NULL */
} cli_launcher;

cli_launcher cli_find_launcher(void);

#endif
