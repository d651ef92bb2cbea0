/* SPDX-License-Identifier: MIT */
/* Implemented in src/report. */
/* A report: what a study found, described once, and written as words, JSON, LaTeX or a table.
 *
 * It is a tree of objects and lists. A value has a key; how it is shown (unit, error, digits) is
 * given with it. Sentences are templates that name the keys of their object:
 *
 *     zw_report_open(r, "orbit");
 *     zw_report_number(r, "period", T, &(zw_shown){.unit = "s", .error = 1e-9});
 *     zw_report_count(r, "intervals", N);
 *     zw_report_say(r, "  period {period}, {intervals|interval|intervals}\n");
 *     zw_report_close(r);
 *
 * In words this is "  period 6.663286859 s, 53 intervals", in JSON {"orbit": {"period":
 * 6.663286859372768, "period_error": 1e-9, "intervals": 53}}. The text of a report is its sentences
 * in the order in which they were said; JSON has all values, whether a sentence shows them or not.
 *
 * Templates. A key is looked up in the object of the sentence, then in the objects around it; all
 * values count, also those that are added after the sentence.
 *     {key}              the value with its unit
 *     {key:12} {key:-12} the same at the right or left of 12 columns
 *     {key:+}            a number with its sign as an operator: "+ 3 m", "- 3 m"
 *     {key:~} {key:~20}  a complex number as a conjugate pair, "1 +- 2i"; real: as it is
 *     {key|one|many}     a count with its noun: "1 orbit", "3 orbits"; {key#one|many}: the noun alone
 *     {key?words}        words only if the value is there: true, not 0, finite, a word that is not
 *                        empty; {key!words}: only if it is not. The words are a template again
 *     {key*words}        words for each entry of a vector: {.} is the entry, {#} its number from 1
 *     {{ and }}          braces
 *
 * A failed allocation is sticky: the report is incomplete, and every writer returns ZW_E_MEMORY. */
#ifndef ZWANG_REPORT_H
#define ZWANG_REPORT_H

#include <stdbool.h>

#include "status.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_report zw_report;

/* How a number is shown. NULL in its place, or zeros: no unit, ten digits. */
typedef struct zw_shown {
    const char *unit; /* NULL and "": none */
    /* Words show value/scale (0: 1) in `unit`, for a unit that the user wrote ("rpm"); JSON has the
     * value in SI, and si_unit as its unit (NULL: `unit`). */
    double scale;
    const char *si_unit;
    double error; /* estimated absolute error; 0 and NaN: unknown. Words show the known digits */
    int digits;   /* most significant digits in words; 0: 10 */
    const char *none; /* what words show for NaN; NULL: "unknown" */
    bool with_error;  /* words show "value +- error", unless the error is below the last digit */
    int error_digits; /* of the error in words; 0: 1 */
} zw_shown;

/* An empty report; NULL if out of memory. alloc NULL: malloc. */
ZW_API zw_report *zw_report_create(const zw_allocator *alloc);
ZW_API void zw_report_destroy(zw_report *r); /* NULL: nothing to do */

/* An object or a list under this key, until zw_report_close. An item of a list has the key NULL. */
ZW_API void zw_report_open(zw_report *r, const char *key);
ZW_API void zw_report_list(zw_report *r, const char *key);
ZW_API void zw_report_close(zw_report *r);

/* Values of the open object (or, with the key NULL, of the open list). Strings are copied. A key is
 * in snake_case; names of a model are words ({"name": "B.wy", ...}), not keys. */
ZW_API void zw_report_number(zw_report *r, const char *key, double value, const zw_shown *how);
ZW_API void zw_report_complex(zw_report *r, const char *key, double re, double im,
                              const zw_shown *how); /* JSON: [re, im] */
ZW_API void zw_report_count(zw_report *r, const char *key, long value);
ZW_API void zw_report_flag(zw_report *r, const char *key, bool value);
ZW_API void zw_report_word(zw_report *r, const char *key, const char *word); /* NULL: null */
/* A formula in the notation of models and in LaTeX. */
ZW_API void zw_report_formula(zw_report *r, const char *key, const char *text, const char *latex);
/* n numbers, with the errors of each (NULL: unknown); rows x columns numbers, row after row (JSON: a
 * list of rows). */
ZW_API void zw_report_vector(zw_report *r, const char *key, int n, const double *v,
                             const double *error, const zw_shown *how);
ZW_API void zw_report_matrix(zw_report *r, const char *key, int rows, int columns, const double *v,
                             const zw_shown *how);
/* The same with a title and names of its rows and columns: a sentence shows it as lines of at least
 * `width` columns ({key:14}), which begin with two blanks. The strings are copied. */
typedef struct zw_report_names {
    const char *title;
    const char *const *row, *const *column;
    const char *const *row_latex, *const *column_latex; /* NULL: as `row`, `column` */
    const double *shown; /* what sentences show in place of v; NULL: v */
} zw_report_names;
ZW_API void zw_report_block(zw_report *r, const char *key, int rows, int columns, const double *v,
                            const zw_report_names *names, const zw_shown *how);
/* n complex numbers (JSON: a list of [re, im]). In words conjugate pairs are one entry, "1 +- 2i",
 * numbers with im < 0 are left out, and after eight numbers there are dots. */
ZW_API void zw_report_complexes(zw_report *r, const char *key, int n, const double *re,
                                const double *im, const zw_shown *how);
ZW_API void zw_report_words(zw_report *r, const char *key, int n, const char *const *words);

/* A sentence of the open object, by a template as above. */
ZW_API void zw_report_say(zw_report *r, const char *template_text);
/* From now on sentences are left out (or no longer): for items that only JSON and tables show. */
ZW_API bool zw_report_mute(zw_report *r, bool muted); /* returns how it was before */
/* What the report is about could not be computed for lack of memory: every writer fails. */
ZW_API void zw_report_fail(zw_report *r);

/* The sentences; the values; the sentences with their numbers and formulas typeset, as a fragment
 * for a LaTeX document. Whoever asks clears `out`. */
ZW_API zw_status zw_report_text(const zw_report *r, zw_bytes *out, zw_error *err);
ZW_API zw_status zw_report_json(const zw_report *r, zw_bytes *out, zw_error *err);
ZW_API zw_status zw_report_latex(const zw_report *r, zw_bytes *out, zw_error *err);
/* A list of objects as a table: a row for each, a column for each key that is a number, a count or a
 * flag in any of them (NaN where it is missing). list: keys joined by dots ("branches.points").
 * ZW_E_NAME: there is no such list. */
ZW_API zw_status zw_report_rows(const zw_report *r, const char *list, zw_table **out,
                                zw_error *err);

/* Values by their path, keys and item numbers joined by dots ("orbits.0.period"): for programs and
 * tests. NaN, NULL: there is none of that kind. */
ZW_API double zw_report_get_number(const zw_report *r, const char *path);
ZW_API const char *zw_report_get_word(const zw_report *r, const char *path);

#ifdef __cplusplus
}
#endif
#endif
