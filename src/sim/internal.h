/* SPDX-License-Identifier: MIT */
/* The inside of a simulation, shared by the files of this folder.
 *
 * A world is a system with the values of its parameters. A stage is what can be integrated: the
 * equations, the kernel and the run of a world with certain constraints switched on. */
#ifndef ZW_SIM_INTERNAL_H
#define ZW_SIM_INTERNAL_H

#include "base/arena.h"
#include "zwang/simulate.h"

typedef struct zw_sim_world {
    zw_system *sys;
    double *p; /* np */
} zw_sim_world;

typedef struct zw_sim_stage {
    const zw_sim_world *world;
    zw_equations eq;
    zw_kernel *kernel;
    zw_run *run;
    double *x; /* nx of the equations: a state on its way in */
    /* where the columns of a row come from, filled by record.c; -1: nowhere */
    int *velocity, *lambda, *observable;
} zw_sim_stage;

/* The columns of the tables in their order. Names, since variants have symbols of their own. */
typedef struct zw_sim_columns {
    int nq, nvelocity, nlambda, nobservable;
    const char **velocity, **lambda, **observable;
} zw_sim_columns;

struct zw_sim {
    zw_arena arena; /* the simulation itself lives in it, with all that has its lifetime */
    zw_sim_options options;
    zw_sim_source source;
    zw_model_options model; /* what source.options points to */
    zw_sim_world world;
    zw_sim_stage *stage; /* the one that runs */
    zw_sim_columns columns;
    zw_table *rows, *events;
    double *row; /* one row: the event's number and the columns of rows */
    zw_sim_ending ending;
    long nevent;
};

/* stage.c. The equations of a world as it is switched now, with kernel and run. */
zw_status zw_sim_stage_create(zw_sim *sim, zw_sim_stage **out, const zw_sim_world *world,
                              zw_error *err);
void zw_sim_stage_destroy(zw_sim_stage *stage);
/* The start of the model, completed, at time t. */
zw_status zw_sim_stage_start(zw_sim *sim, zw_sim_stage *stage, double t, zw_error *err);

/* record.c. Tables with their columns; the present state as a row. */
zw_status zw_sim_record_create(zw_sim *sim, zw_error *err);
void zw_sim_record_destroy(zw_sim *sim);
zw_status zw_sim_record_row(zw_sim *sim, zw_error *err);
zw_status zw_sim_record_event(zw_sim *sim, int event, zw_error *err);

/* notes.c. What is known at the start, and what is known at the end. */
zw_status zw_sim_notes_begin(zw_sim *sim, zw_table *table);
zw_status zw_sim_notes_end(zw_sim *sim, zw_table *table);

/* fault.c. The numbers of a failed run turned into names and places of the model. */
void zw_sim_explain(const zw_equations *eq, const zw_run *run, zw_error *err);

#endif
