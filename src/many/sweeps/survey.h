/* SPDX-License-Identifier: MIT */
/* What the sources of a sweep share. */
#ifndef ZW_MANY_SWEEPS_SURVEY_H
#define ZW_MANY_SWEEPS_SURVEY_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/text.h"
#include "measure.h"
#include "plan.h"
#include "zwang/equations.h"
#include "zwang/simulate.h"
#include "zwang/survey.h"

enum { ZW_SURVEY_STROBES = 96 }; /* the last samples, from which the period is found: up to 32 */

typedef enum zw_survey_row_kind {
    ZW_SURVEY_NO_ROWS,
    ZW_SURVEY_STROBE,
    ZW_SURVEY_EVENT_ROWS,
    ZW_SURVEY_TIME_ROWS
} zw_survey_row_kind;

/* The rows of one motion while a block is computed. */
typedef struct zw_survey_slot {
    double *row;
    long n, capacity;
    bool own;  /* it owns its memory, not a part of the slab */
    bool done; /* finished, successfully or not */
    int end;   /* as the column `end` */
    uint64_t point;
    char *why, *doubt;
} zw_survey_slot;

struct zw_survey {
    zw_context *ctx;
    zw_system *sys;
    zw_plan *plan;
    zw_ensemble *e;
    zw_measures measures;
    zw_survey_options options;
    zw_sim_options shared; /* contacts and noise of the motions */
    double noise_error;    /* as in zw_sim_info */
    bool noises_commute;
    zw_duration transient, duration;
    zw_survey_row_kind rows;
    int row_event;
    double row_step; /* [s] */
    zw_text identity;
    zw_table *table; /* its columns and notes, without rows */

    /* The excitation (survey_drive.c). */
    zw_equations eq;
    zw_forcing forcing;
    bool driven;         /* its period is needed */
    bool carries_phase;  /* if it has a period, the phase continues when the period changes */
    double period;       /* [s]; 0 if it depends on the point */
    double first_period; /* at the first point [s] */
    int frequency;       /* axis that is the angular frequency itself; -1 if none */
    pthread_mutex_t lock;
    double *p;   /* np, under the lock */
    bool *given; /* np */

    /* Layout. */
    int naxis, ncolumn, nx;
    int column_sweep, column_jump, column_t, column_measure, column_point, column_end;
    /* Samples in a period of the excitation, of the first clock, or in all if there is none; 0 if
     * none. */
    int samples;
    bool kinks;       /* harmonics are measured, of quantities that may have kinks or jumps */
    int period_first; /* of the quantities: the state, if its period is measured; -1 */
    bool strobes;     /* states are stored for the period */
    double *turn;     /* nx: periods of periodic coordinates */
    size_t memory;    /* bytes of a motion */
    int ndisturb;
    zw_axis *disturb;

    /* The present block. */
    uint64_t first;
    zw_survey_slot *slot;
    _Atomic bool no_memory;

    volatile sig_atomic_t stop;                /* ends the motions under way */
    void (*report)(void *user, uint64_t done); /* of the present block; may be NULL */
    void *report_user;

    uint64_t tried, tried_rows; /* motions and rows of a trial, */
    double tried_bytes;         /* their size in CSV, */
    double trial_seconds;       /* and their time [s]; 0 if there was no trial */
};

/* survey_drive.c: the period at the values of a point; NaN with the reason. */
zw_status zw_survey_find_drive(zw_survey *s, const char *principle, zw_error *err);
double zw_survey_period(zw_survey *s, const double *axis, zw_error *err);
/* survey_motion.c: bytes that a motion needs; the functions for the ensemble. */
size_t zw_survey_motion_memory(const zw_survey *s);
extern const zw_ensemble_client zw_survey_client;
/* disturb.c: adds to the state of a chain after `passed` values. */
zw_status zw_survey_read_disturbances(zw_survey *s, zw_error *err);
void zw_survey_clear_disturbances(zw_survey *s);
void zw_survey_disturb(const zw_survey *s, uint64_t motion, uint32_t passed, double *x);
/* survey_head.c: columns, notes, identity. */
void zw_survey_lay_out(zw_survey *s);
zw_status zw_survey_fill_table(const zw_survey *s, const zw_model_source *source, zw_table **out,
                               zw_error *err);
zw_status zw_survey_identify(zw_survey *s, const zw_model_source *source,
                             const zw_plan_options *plan, const zw_ensemble_options *ensemble,
                             zw_error *err);

#endif
