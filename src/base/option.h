/* SPDX-License-Identifier: MIT */
/* Options by data table. One row per option gives its default, its range check, --key=value on the
 * command line, the help text and the page in docs/.
 *
 * Public structs of options grow at their end. They begin with their size as the program knew it
 * when it was compiled. Fields after that size get their defaults (an older program); fields of a
 * newer program that are unknown here must be zero, which stands for "as before". */
#ifndef ZW_BASE_OPTION_H
#define ZW_BASE_OPTION_H

#include "arena.h"
#include "text.h"
#include "zwang/option.h"

/* The value of a number, CHOICE or NAME as zw_options_set reads it. */
void zw_options_print(const zw_option *row, const void *options, zw_text *out);
/* The value of a row in another struct of the same kind. */
void zw_options_copy(const zw_option *row, void *to, const void *from);
/* The next entry of a list whose items are "a, f(b, c)", separated by commas outside of parentheses
 * and brackets: its text, without blanks around it. *place: zeros at first. false: no more. */
typedef struct zw_list_place {
    int item;
    size_t at;
} zw_list_place;
bool zw_option_list_next(const zw_option_list *list, zw_list_place *place, const char **text,
                         size_t *length);
/* All these entries, copied into the arena. */
zw_status zw_option_list_split(const zw_option_list *list, zw_arena *arena,
                               const char *const **entries, int *n, zw_error *err);
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
