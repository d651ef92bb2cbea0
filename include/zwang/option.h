/* SPDX-License-Identifier: MIT */
/* Implemented in src/base. */
/* Options by data table: one row per option, next to the struct whose field it fills, gives its
 * default, its range check, the command line, the help, the keywords of other languages and the
 * documentation. */
#ifndef ZWANG_OPTION_H
#define ZWANG_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum zw_option_type {
    ZW_OPT_DOUBLE, /* double field; min..max */
    ZW_OPT_INT,    /* int field; min..max */
    ZW_OPT_LONG,   /* long field; min..max */
    ZW_OPT_CHOICE, /* int or enum field: the number of the chosen name */
    ZW_OPT_NAME,   /* const char * field: the chosen name itself; NULL: the first one */
    ZW_OPT_FLAG,   /* bool field; takes no value */
    ZW_OPT_STRING, /* const char * field; NULL: not given */
    ZW_OPT_LIST    /* zw_option_list field: may be given several times */
} zw_option_type;

enum { ZW_OPTION_LIST_MAX = 64 };
typedef struct zw_option_list {
    int n;
    const char *item[ZW_OPTION_LIST_MAX];
} zw_option_list;

/* One row. A table ends with a row whose key is NULL. */
typedef struct zw_option {
    const char *key;
    zw_option_type type;
    size_t offset;   /* of the field in the options struct */
    double fallback; /* default of numbers and CHOICE; NaN (DOUBLE): none, NaN if not given */
    double min, max;
    const char *unit;    /* "": none */
    const char *choices; /* CHOICE, NAME: names separated by '|' in the order of their numbers;
                            STRING, LIST: what the help calls the value */
    const char *help;    /* a noun phrase */
} zw_option;

/* A table with a title for the help, and where the struct that it fills lies in a larger one. A list
 * of groups ends with a group whose table is NULL. */
typedef struct zw_option_group {
    const char *title;
    const zw_option *table;
    size_t offset;
    bool rare; /* the help shows it on request only */
} zw_option_group;

/* All fields of a table to their defaults. */
ZW_API void zw_options_default(const zw_option *table, void *options);
/* Sets one option from text; value NULL: a flag. ZW_E_OPTION: unknown key (the hint names the
 * nearest one), not a number, out of range. Strings are not copied. */
ZW_API zw_status zw_options_set(const zw_option *table, void *options, const char *key,
                                const char *value, zw_error *err);
/* The row of a key of this length; NULL: none. */
ZW_API const zw_option *zw_options_find(const zw_option *table, const char *key, size_t length);
/* Are all numbers, CHOICE and NAME in their ranges? */
ZW_API zw_status zw_options_check(const zw_option *table, const void *options, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
