/* SPDX-License-Identifier: MIT */
/* Implemented in src/lang. */
/* The model language: text to system. docs/language.md is its description. */
#ifndef ZWANG_MODEL_H
#define ZWANG_MODEL_H

#include "system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All zero is the model as its text says it. */
typedef struct zw_model_options {
    size_t size; /* sizeof(zw_model_options), or 0: no more than what there is in this version */
    const char *variant; /* NULL: none */
    int nset;
    const char *const *set; /* "Omega=33.3rpm", "r=2.54 [cm]": override parameters and starts */
    int nwith, nwithout;
    const char *const *with;    /* constraints to switch on */
    const char *const *without; /* constraints to switch off */
    /* Called for every fault of a text, in its order, when the reading is over (NULL: the first one
     * in err is enough). A mistake is reported once: what only follows from it is not. */
    void (*fault)(void *user, const zw_error *fault);
    void *fault_user;
    /* a further steady motion, as after the name in its statement: "beta = pi/2, alpha' = w";
     * NULL: none */
    const char *steady;
    /* definitions (let) that are made of parameters and numbers become parameters, too */
    bool constants;
    /* Mass, centre and moments of inertia of bodies, where they are sums, become parameters, too:
     * disk_m, disk_Jxx. */
    bool bodies;
    int nlaw;
    /* contacts otherwise than the text says: "floor=newton(e) + coulomb(mu)", "floor=bilateral" */
    const char *const *law;
} zw_model_options;

/* Where a system came from: enough to make it once more, in another context or at another time. */
typedef struct zw_model_source {
    const char *text; /* of the model; need not end with a zero */
    size_t length;
    const char *file;                /* its name in messages and notes */
    const zw_model_options *options; /* the system was made with; NULL: none */
} zw_model_source;

/* Read a model from text (file is its name in messages) or from a file. options may be NULL. The
 * system is finished. On failure *out is NULL and err holds the first fault of the text; the
 * reading goes on after it, up to a hundred faults, and options->fault hears of all. */
ZW_API zw_status zw_model_parse(zw_system **out, zw_context *ctx, const char *text, size_t length,
                                const char *file, const zw_model_options *options, zw_error *err);
ZW_API zw_status zw_model_read(zw_system **out, zw_context *ctx, const char *path,
                               const zw_model_options *options, zw_error *err);
/* The text of a model file, in memory of the context, as a source that can be read with these
 * options, more than once. */
ZW_API zw_status zw_model_load(zw_model_source *out, zw_context *ctx, const char *path,
                               const zw_model_options *options, zw_error *err);
/* The names of the variants a model text declares, interned in ctx; count in *n. */
ZW_API zw_status zw_model_variants(zw_context *ctx, const char *text, size_t length,
                                   const char *file, const char *const **names, int *n,
                                   zw_error *err);
/* Statements that were understood but that no stage of this version uses yet: one sentence each. */
ZW_API int zw_model_unused(const zw_system *s, const char *const **sentences);
/* The paths of the files that were read for the tables of a model, count in *n; NULL if there are
 * none. */
ZW_API const char *const *zw_model_tables(const zw_system *s, int *n);

/* An input given by a table. */
typedef struct zw_model_input {
    const char *name, *unit; /* SI unit of its values */
    int table;               /* of zw_spline_of; -1: it keeps each value until the next time */
    bool cubic;
    zw_expr value;       /* the input as a function of t */
    int n;               /* points: */
    const double *x, *y; /* n: times [s], values [SI] */
} zw_model_input;
/* Table inputs of a model, at most max of them; returns their number. */
ZW_API int zw_model_table_inputs(const zw_system *s, int max, zw_model_input *out);

/* A range of a number of the model in SI units: a parameter, or a coordinate, velocity or
 * observable that is held. zw_range_text makes of it what the options of all studies take as text,
 * without a loss in any bit. */
typedef struct zw_range {
    const char *name;
    double from, to; /* the same twice: this value alone, a setting or a start */
    int rows;        /* from the first to the last; 0: chosen by the study */
} zw_range;
/* "Omega=0.5:3:201 [rad/s]", for over, second, axis, start, fit, ... of the options. *out lives in
 * the context of the system. */
ZW_API zw_status zw_range_text(const char **out, const zw_system *sys, const zw_range *range,
                               zw_error *err);
/* "Omega=lin:0.5:3:201 [rad/s]", for the axes of a plan (survey.h). */
ZW_API zw_status zw_range_axis(const char **out, const zw_system *sys, const zw_range *range,
                               zw_error *err);

/* One expression of the language over the names of a system, for tests and the command line. */
ZW_API zw_status zw_model_expression(zw_expr *out, zw_system *s, const char *text, zw_error *err);
/* The same with its units checked; *unit is the SI unit that it has, "" if none. name stands for
 * the text in messages ("--hold"). */
ZW_API zw_status zw_model_quantity(zw_expr *out, const char **unit, const zw_system *s,
                                   const char *name, const char *text, zw_error *err);
/* The SI value of "33.3rpm", "-pi/2", "2*l" at parameter values p (np), which must be of this unit
 * ("" if of none). */
ZW_API zw_status zw_model_number(double *out, const zw_system *s, const double *p, const char *name,
                                 const char *text, const char *unit, zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* The text of a model in other units. Every number with a unit is divided by what the new units
 * make of its dimension,
 *
 *     a [m/s^2]   ->   a / (u_m u_s^-2),     u_i: the SI value of the new unit in place of base unit i,
 *
 * so that the text says the same about other numbers: the equations keep their form, whatever they
 * are made of. The chosen variant is part of the text then, the others are not, and comments are
 * left out, for they may speak of the old numbers. */

enum { ZW_BASE_UNITS = 7 }; /* kg, m, s, A, K, mol, cd, in this order */

typedef struct zw_rewriting {
    size_t size;                /* of this struct, for the library */
    double unit[ZW_BASE_UNITS]; /* 1 each */
    bool units; /* numbers keep a unit in brackets, the SI one, which now stands for the new one */
    int ndropped; /* parameters and definitions whose statements are left out, */
    const char *const *dropped;
    const char *head;    /* and what stands after the model line; NULL: nothing */
    const char *comment; /* before the model line; NULL: nothing */
    /* Called for every number with a dimension that is rewritten: its place, as it was, what it is
     * now. May be NULL. */
    void (*literal)(void *user, zw_place place, const char *number, const char *unit, double now);
    void *literal_user;
} zw_rewriting;
ZW_API void zw_rewriting_init(zw_rewriting *how, size_t size);
static inline zw_rewriting zw_rewriting_default(void) {
    zw_rewriting how;
    zw_rewriting_init(&how, sizeof how);
    return how;
}

/* The new text, a string of the context (zw_string_free). Rejected, with the place: tables in
 * files,
 * --law, --with, --without and settings that are no parameters, which are not in the text; a model
 * without units. */
ZW_API zw_status zw_model_rewrite(char **out, zw_context *ctx, const zw_model_source *source,
                                  const zw_rewriting *how, zw_error *err);
/* found[i]: does names[i] stand anywhere in the text (of the chosen variant) but in the statements
 * that define the dropped names or names[i] itself? */
ZW_API zw_status zw_model_mentions(zw_context *ctx, const zw_model_source *source, int ndropped,
                                   const char *const *dropped, int n, const char *const *names,
                                   bool *found, zw_error *err);
/* Does a body get its mass from solids, whose first number is a mass or a density by its unit? */
ZW_API zw_status zw_model_has_solids(zw_context *ctx, const zw_model_source *source, bool *has,
                                     zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
