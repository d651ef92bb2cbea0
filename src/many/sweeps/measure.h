/* SPDX-License-Identifier: MIT */
/* The measures of a motion, read from words: the list of measures, and the quantities and events
 * that they need. */
#ifndef ZW_MANY_SWEEPS_MEASURE_H
#define ZW_MANY_SWEEPS_MEASURE_H

#include "zwang/system.h"
#include "zwang/table.h"

typedef enum zw_measure_kind {
    ZW_MEASURE_LAST,
    ZW_MEASURE_MEAN,
    ZW_MEASURE_RMS,
    ZW_MEASURE_MIN,
    ZW_MEASURE_MAX,
    ZW_MEASURE_AMPLITUDE,
    ZW_MEASURE_HARMONIC,
    ZW_MEASURE_PHASE,
    ZW_MEASURE_SHARE,
    ZW_MEASURE_TIME,
    ZW_MEASURE_AT,
    ZW_MEASURE_COUNT,
    ZW_MEASURE_PERIOD,
    ZW_MEASURE_ROW /* the quantity at rows */
} zw_measure_kind;

enum { ZW_MEASURES_MAX = 512, ZW_MEASURE_NAME = 120 };

typedef struct zw_measure {
    zw_measure_kind kind;
    char name[ZW_MEASURE_NAME]; /* of its column */
    char unit[40];
    int quantity; /* -1 if none */
    int event;    /* of the system; -1 if none */
    int harmonic;
    double low, high;
} zw_measure;

typedef struct zw_measures {
    int n, nquantity, nevent;
    zw_measure *item;      /* n */
    const char **quantity; /* nquantity: columns of a run */
    int *event;            /* nevent, of the system */
} zw_measures;

/* rows: an empty table with the columns of a run, for names and units. The quantities `more`
 * (nmore) are needed too. */
zw_status zw_measures_read(zw_measures *out, const zw_system *sys, const zw_table *rows,
                           const char *text, zw_error *err);
/* Adds a quantity or an event; returns its number, -1 if memory is short. */
int zw_measures_quantity(zw_measures *m, const char *name);
int zw_measures_event(zw_measures *m, int event);
void zw_measures_clear(zw_measures *m);
bool zw_measures_have(const zw_measures *m, zw_measure_kind kind);
/* An event of the system by its name, -1 if there is none. */
int zw_measure_find_event(const zw_system *sys, const char *name);

/* A time in seconds or in periods of the excitation. */
typedef struct zw_duration {
    double value; /* [s], or periods */
    bool periods;
} zw_duration;
/* Reads "200 periods", "50", "50s"; label: for messages. */
zw_status zw_duration_read(zw_duration *out, const char *label, const char *text, zw_error *err);

#endif
