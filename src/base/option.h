/* SPDX-License-Identifier: MIT */
/* Options by data table. One row per option gives its default, its range check, --key=value on the
 * command line, the help text and the page in docs/.
 *
 * Public structs of options grow at their end. They begin with their size as the program knew it
 * when it was compiled. Fields after that size get their defaults (an older program); fields of a
 * newer program that are unknown here must be zero, which stands for "as before". */
#ifndef ZW_BASE_OPTION_H
#define ZW_BASE_OPTION_H

#include <stddef.h>

#include "text.h"

typedef enum zw_option_type {
    ZW_OPT_DOUBLE, /* double field; min..max */
    ZW_OPT_INT,    /* int field; min..max */
    ZW_OPT_LONG,   /* long field; min..max */
    ZW_OPT_CHOICE, /* int or enum field holding the number of the chosen name */
    ZW_OPT_NAME,   /* const char * field: the chosen name itself; NULL: the first one */
    ZW_OPT_FLAG,   /* bool field; takes no value */
    ZW_OPT_STRING, /* const char * field */
    ZW_OPT_LIST    /* zw_option_list field: may be given several times */
} zw_option_type;

enum { ZW_OPTION_LIST_MAX = 64 };
typedef struct zw_option_list {
    int n;
    const char *item[ZW_OPTION_LIST_MAX];
} zw_option_list;

typedef struct zw_option {
    const char *key;
    zw_option_type type;
    size_t offset;   /* of the field in the options struct */
    double fallback; /* default of numbers and CHOICE */
    double min, max;
    const char *unit; /* for the help, "" if none */
    /* CHOICE, NAME: names separated by '|' in the order of their numbers; STRING, LIST: the name of
     * the value in the help */
    const char *choices;
    const char *help;
} zw_option;

/* A table ends with a row whose key is NULL. */
void zw_options_default(const zw_option *table, void *options);
/* Sets one option from text; value is NULL for flags. Rejects unknown keys (with the nearest known
 * one), bad numbers and values out of range. */
zw_status zw_options_set(const zw_option *table, void *options, const char *key, const char *value,
                         zw_error *err);
const zw_option *zw_options_find(const zw_option *table, const char *key, size_t length);
/* Checks that every number, CHOICE and NAME is in range. The functions of the library call this. */
zw_status zw_options_check(const zw_option *table, const void *options, zw_error *err);
/* The value of a number, CHOICE or NAME as zw_options_set reads it. */
void zw_options_print(const zw_option *row, const void *options, zw_text *out);
/* The value of a row in another struct of the same kind. */
void zw_options_copy(const zw_option *row, void *to, const void *from);
/* The placeholder for the value of an option in the help, NULL for a flag; its default and range in
 * brackets. */
const char *zw_options_label(const zw_option *row);
void zw_options_note(const zw_option *row, zw_text *out);
/* Aligned "  --key=VALUE   help (default, range)" lines. */
void zw_options_help(const zw_option *table, zw_text *out);

/* Fills a struct that has `size` bytes for the caller from the defaults of this version. */
void zw_options_begin(void *options, size_t size, const void *defaults, size_t known);
/* Copies the fields of the caller's struct into `own`, which holds the defaults; `what` names it in
 * messages. */
zw_status zw_options_adopt(void *own, size_t known, const void *given, const char *what,
                           zw_error *err);

/* The candidate closest to name by edit distance, or NULL if none is close: "did you mean". */
const char *zw_nearest(const char *name, int n, const char *const *candidates);

#endif
