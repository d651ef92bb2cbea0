/* SPDX-License-Identifier: MIT */
/* The inside of a drive. */
#ifndef ZW_SIM_DRIVE_H
#define ZW_SIM_DRIVE_H

#include "driven_sim.h"
#include "zwang/drive.h"

typedef struct zw_drive_met {
    char name[200];
    double t; /* [s] */
} zw_drive_met;

struct zw_drive {
    zw_allocator alloc;
    zw_sim *sim;
    zw_sim_options user; /* its callbacks, which the drive wraps */
    bool ended;          /* by an event with `stop` */
    bool failed;         /* the motion cannot continue */
    bool lost;           /* memory was short for an event's name */
    int nmet, room;
    zw_drive_met *met; /* nmet: of the last call */
    bool *set, *fixed; /* np of the largest world; nq + nv: scratch of a change */
    bool *own;         /* np: parameters that do not follow others, scratch */
    double *p, *x;
    int np, nx; /* their lengths */
    zw_drive_saved *saved;
};

/* drive_state.c. All that was saved is freed. */
void zw_drive_forget_all(zw_drive *drive);

#endif
