/* SPDX-License-Identifier: MIT */
/* What the studies of forced and of free motions share: options of harmonic balance, the studies for
 * the values of --for, one motion of a curve, and its period. */
#ifndef ZW_MOTION_RESPONSE_FORCED_STUDY_H
#define ZW_MOTION_RESPONSE_FORCED_STUDY_H

#include "zwang/forced.h"
#include "zwang/study.h"

/* Rows for fields of zw_forced_options: those used most, and rare ones. */
extern const zw_option zw_forced_balance_table[], zw_forced_balance_rare_table[];

typedef struct zw_forced_study {
    const zw_study_input *input;
    bool shoots;  /* set before the study is opened: motions are found by shooting */
    bool stopped; /* input->stop has ended the work */
    bool found;   /* there is something to report */
    zw_forced_values values;
    int n; /* studies, one for each value of --for */
    zw_forced *all[ZW_FORCED_VALUES];
    const char *pick;  /* text of --pick; NULL: not given */
    zw_forced *picked; /* the study with the motion of --pick, and its number; NULL: none */
    int picked_number;
    /* one period of a motion, integrated: the motion, its table (NULL: given away or not made), the
     * closure error relative to its size (NaN: not integrated) */
    const zw_forced *run_of;
    int run_number;
    zw_table *run;
    double run_end, gap; /* run_end [s] */
} zw_forced_study;

/* with: text of --for, NULL: none. */
zw_status zw_forced_study_open(zw_forced_study *s, const zw_study_input *input,
                               zw_forced_options options, const char *with, zw_error *err);
void zw_forced_study_close(zw_forced_study *s);
/* Asks whether to stop; for the options of what is called. */
bool zw_forced_study_stop(void *user, double done);
/* After the work: what coordinates that were left out do, the motion of --pick (NULL: none), and one
 * period of it if it goes to a file. ZW_STOPPED: the work was stopped. */
zw_status zw_forced_study_end(zw_forced_study *s, const char *pick, zw_error *err);
/* Integrates one period of a motion, to check it and for its table. */
zw_status zw_forced_study_run(zw_forced_study *s, zw_forced *f, int number, zw_error *err);
/* The table of that period. */
zw_status zw_forced_study_give_run(zw_forced_study *s, zw_forced *f, int number, zw_table **out,
                                   zw_error *err);
/* The table of the curves, or of the curves of special points if there are any. */
zw_status zw_forced_study_table(zw_forced_study *s, zw_table **out, zw_error *err);
/* The table of the motion of --pick. */
zw_status zw_forced_study_motion(zw_forced_study *s, zw_table **out, zw_error *err);
void zw_forced_study_report(const zw_forced_study *s, zw_report *out);
void zw_forced_study_warnings(const zw_forced_study *s, zw_warnings *out);
/* Did the work fail at motions that drift, so that the reduced model may have periodic ones? */
bool zw_forced_study_drifts(const zw_forced_study *s);

#endif
