/* SPDX-License-Identifier: MIT */
/* Implemented in src/linear/study. */
/* The linear equations about a steady motion of a model, by names: what zwang/statespace.h finds by numbers.
 *
 *   zw_equilibria_options how = zw_equilibria_options_default();
 *   zw_linear_options what = zw_linear_options_default();
 *   zw_linear_prepare(sys, &what, &how, err);           the derivatives that inputs and outputs need
 *   zw_equilibria_create(&e, sys, &how, err);
 *   zw_equilibria_find(e, err);
 *   zw_linear_create(&l, e, &what, err);
 *   zw_linear_states(l)->A, zw_linear_inout(l)->B, ...; zw_linear_write(l, ZW_LINEAR_TEXT) */
#ifndef ZWANG_LINEAR_H
#define ZWANG_LINEAR_H

#include "equilibria.h"
#include "model.h"
#include "statespace.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_linear_equations zw_linear_equations;

typedef struct zw_linear_options {
    size_t size; /* of this struct, for the library */
    int nstate;  /* coordinates and velocities that shall be states, the first ones; 0: as fits */
    const char *const *state;
    int ninput; /* signals and parameters; -1: all signals */
    const char *const *input;
    int noutput; /* observables, coordinates, velocities, accelerations (x''), multipliers (lambda(rod)), kinetic, potential,
                    energy; -1: all observables that do not change along the motion */
    const char *const *output;
} zw_linear_options;
ZW_API void zw_linear_options_init(zw_linear_options *options, size_t size);
static inline zw_linear_options zw_linear_options_default(void) {
    zw_linear_options o;
    zw_linear_options_init(&o, sizeof o);
    return o;
}

/* What zw_equilibria_create must be told: which derivatives, and in which parameters. ZW_E_NAME: there is no such input. The
 * array is one of the context. */
ZW_API zw_status zw_linear_prepare(const zw_system *sys, const zw_linear_options *options,
                                   zw_equilibria_options *to, zw_error *err);
/* At the motion that zw_equilibria_find has found, which must stay there and outlive it. What cannot be a state, an input
 * or an output is refused by its name, with the reason. options may be NULL. */
ZW_API zw_status zw_linear_create(zw_linear_equations **out, const zw_equilibria *e,
                                  const zw_linear_options *options, zw_error *err);
ZW_API void zw_linear_destroy(zw_linear_equations *l);

ZW_API const zw_states *zw_linear_states(const zw_linear_equations *l);
ZW_API const zw_inout *zw_linear_inout(const zw_linear_equations *l);
ZW_API const zw_second_order *zw_linear_second_order(const zw_linear_equations *l);
ZW_API const zw_spectrum *zw_linear_spectrum(const zw_linear_equations *l);
/* The stationary covariance of the states under the noise of the model (n x n); NULL: it has none, all of it is not among the inputs,
 * the equations are not stable, or they are too many. */
ZW_API const double *zw_linear_covariance(const zw_linear_equations *l);
/* Names and units of states, inputs, outputs; *unit "" if there is none; unit may be NULL. */
ZW_API const char *zw_linear_state(const zw_linear_equations *l, int i, const char **unit);
ZW_API const char *zw_linear_input(const zw_linear_equations *l, int i, const char **unit);
ZW_API const char *zw_linear_output(const zw_linear_equations *l, int i, const char **unit);
/* Observables of the model that are no outputs since they change along the motion or have no derivative there. */
ZW_API int zw_linear_left_out(const zw_linear_equations *l);
ZW_API const char *zw_linear_left_out_name(const zw_linear_equations *l, int i);

/* All of it as text for people, as a LaTeX document, as JSON, or as one table in CSV (matrix, row, column, unit, value). A
 * new string of the context (zw_string_free), NULL if out of memory. */
typedef enum zw_linear_format {
    ZW_LINEAR_TEXT,
    ZW_LINEAR_LATEX,
    ZW_LINEAR_JSON,
    ZW_LINEAR_CSV
} zw_linear_format;
ZW_API char *zw_linear_write(const zw_linear_equations *l, zw_linear_format format);
/* The matrices one by one: their number, and matrix i as CSV with two lines before the numbers, the names of rows and those
 * of columns; *name receives "A", "B", ... */
ZW_API int zw_linear_matrices(const zw_linear_equations *l);
ZW_API char *zw_linear_matrix(const zw_linear_equations *l, int i, const char **name);

/* The response of an output to a harmonic input, as a table of the kind "frequency response" with the columns omega, gain,
 * phase, re, im: `rows` frequencies from..to (rad/s) evenly in their logarithms, with the frequencies of the eigenvalues
 * between them; from 0: chosen from the eigenvalues. source (may be NULL), where the system came from, is copied into the
 * notes. ZW_E_NAME: there is no such input or output. ZW_E_OPTION: a parameter that the constraints hold. */
ZW_API zw_status zw_linear_response(const zw_linear_equations *l, const zw_model_source *source,
                                    const char *input, const char *output, double from, double to,
                                    int rows, zw_table **out, zw_error *err);
/* What is to be seen in it, for people: static gain, resonances, crossings; a new string as above. */
ZW_API char *zw_linear_response_text(const zw_linear_equations *l, const char *input,
                                     const char *output, const zw_table *response);

#ifdef __cplusplus
}
#endif
#endif
