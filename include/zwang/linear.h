/* SPDX-License-Identifier: MIT */
/* Implemented in src/linear/study. */
/* The linear equations about a steady motion of a model, by names: what zwang/statespace.h finds by
 * numbers.
 *
 *   zw_equilibria_options how = zw_equilibria_options_default();
 *   zw_linear_options what = zw_linear_options_default();
 *   zw_linear_prepare(sys, &what, &how, err);           the derivatives that inputs and outputs
 *                                                       need
 *   zw_equilibria_create(&e, sys, &how, err);
 *   zw_equilibria_find(e, err);
 *   zw_linear_create(&l, e, &what, err);
 *   zw_linear_states(l)->A, zw_linear_inout(l)->B, ...; zw_linear_report(l, report) */
#ifndef ZWANG_LINEAR_H
#define ZWANG_LINEAR_H

#include "doubt.h"
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
    /* observables, coordinates, velocities, accelerations (x''), multipliers (lambda(rod)),
     * kinetic, potential, energy; -1: all observables that do not change along the motion */
    int noutput;
    const char *const *output;
} zw_linear_options;
ZW_API void zw_linear_options_init(zw_linear_options *options, size_t size);
static inline zw_linear_options zw_linear_options_default(void) {
    zw_linear_options o;
    zw_linear_options_init(&o, sizeof o);
    return o;
}

/* What zw_equilibria_create must know: which derivatives, and in which parameters. ZW_E_NAME:
 * there is no such input. The array is one of the context. */
ZW_API zw_status zw_linear_prepare(const zw_system *sys, const zw_linear_options *options,
                                   zw_equilibria_options *to, zw_error *err);
/* At the motion that zw_equilibria_find has found, which must stay there and outlive it. What
 * cannot be a state, an input or an output is rejected by its name, with the reason. options may be
 * NULL. */
ZW_API zw_status zw_linear_create(zw_linear_equations **out, const zw_equilibria *e,
                                  const zw_linear_options *options, zw_error *err);
ZW_API void zw_linear_destroy(zw_linear_equations *l);

ZW_API const zw_states *zw_linear_states(const zw_linear_equations *l);
ZW_API const zw_inout *zw_linear_inout(const zw_linear_equations *l);
ZW_API const zw_second_order *zw_linear_second_order(const zw_linear_equations *l);
ZW_API const zw_spectrum *zw_linear_spectrum(const zw_linear_equations *l);
/* The stationary covariance of the states under the noise of the model (n x n); NULL: it has none,
 * all of it is not among the inputs, the equations are not stable, or they are too many. */
ZW_API const double *zw_linear_covariance(const zw_linear_equations *l);

/* The equations between samples, y(k+1) = A_d y(k) + B_d u(k), for inputs that are held in between
 * (zero-order hold); step in s, above 0. They become matrices "A_d" and "B_d" of the equations, and
 * "sampled" in the report. ZW_E_MODEL: an input is in constraints. */
ZW_API zw_status zw_linear_sample(zw_linear_equations *l, double step, zw_error *err);
/* The linear quadratic regulator u = -K y, which minimises the integral of y' Q y + u' R u, or after
 * zw_linear_sample the sum over all samples: matrix "K", and "regulator" in the report. Weights are
 * "NAME=NUMBER" in SI units, others 0 for states and 1 for inputs; or numbers alone, one for each in
 * their order. ZW_E_MODEL: no input reaches a mode that is not stable, or a mode on the border of
 * stability has no weight. */
ZW_API zw_status zw_linear_regulate(zw_linear_equations *l, int nq, const char *const *q, int nr,
                                    const char *const *r, zw_error *err);

/* What is not certain in it, into a list: what the nodes of delays miss. (Pasts of delays have the
 * standard deviations of what they delay.) */
ZW_API void zw_linear_warnings(const zw_linear_equations *l, zw_warnings *out);
/* Names and units of states, inputs, outputs; *unit "" if there is none; unit may be NULL. */
ZW_API const char *zw_linear_state(const zw_linear_equations *l, int i, const char **unit);
ZW_API const char *zw_linear_input(const zw_linear_equations *l, int i, const char **unit);
ZW_API const char *zw_linear_output(const zw_linear_equations *l, int i, const char **unit);
/* Observables of the model that are no outputs since they change along the motion or have no
 * derivative there. */
ZW_API int zw_linear_left_out(const zw_linear_equations *l);
ZW_API const char *zw_linear_left_out_name(const zw_linear_equations *l, int i);

/* All of it into the open object of the report: the motion, states, inputs, outputs, matrices ("a",
 * "b", "c", "d", "covariance", "second_order"), eigenvalues and eigenvectors. */
ZW_API void zw_linear_report(const zw_linear_equations *l, zw_report *out);
/* The report as a LaTeX document. Whoever asks clears `out`. */
ZW_API zw_status zw_linear_latex(const zw_linear_equations *l, zw_bytes *out, zw_error *err);
/* One table in CSV (matrix, row, column, unit, value): a new string of the context
 * (zw_string_free), NULL if out of memory. */
ZW_API char *zw_linear_csv(const zw_linear_equations *l);
/* The matrices one by one: their number, and matrix i as CSV with two lines before the numbers, the
 * names of rows and those of columns; *name receives "A", "B", ... */
ZW_API int zw_linear_matrices(const zw_linear_equations *l);
ZW_API char *zw_linear_matrix(const zw_linear_equations *l, int i, const char **name);

/* The response of an output to a harmonic input, as a table of the kind "frequency response" with
 * the columns omega, gain, phase, re, im: `rows` frequencies from..to (rad/s) evenly in their
 * logarithms, with the frequencies of the eigenvalues between them; from 0: chosen from the
 * eigenvalues, as far as the nodes of delays resolve them. source (may be NULL), where the system
 * came from, is copied into the notes.
 * ZW_E_NAME: there is no such input or output. ZW_E_OPTION: a parameter that the constraints
 * hold. */
ZW_API zw_status zw_linear_response(const zw_linear_equations *l, const zw_model_source *source,
                                    const char *input, const char *output, double from, double to,
                                    int rows, zw_table **out, zw_error *err);
/* Static gain, resonances and margins of a response of these equations, into the open object of the
 * report. */
ZW_API void zw_linear_response_report(const zw_linear_equations *l, const zw_table *response,
                                      zw_report *out);
/* What is not certain in it, into a list: a range that the nodes of delays do not resolve. (Delays
 * whose nodes are states of their own have their exact factors exp(-i omega tau).) */
ZW_API void zw_linear_response_warnings(const zw_linear_equations *l, const zw_table *response,
                                        zw_warnings *out);

/* ------------------------------------------------------------------------------------------ */

/* The eigenvalues of a steady motion over a number of its model, by names: what zwang/steady.h and
 * zwang/statespace.h find by numbers, with the cubic terms where a pair crosses the imaginary
 * axis. */

typedef struct zw_locus zw_locus;

typedef struct zw_locus_options {
    size_t size;                         /* of this struct, for the library */
    const char *over;                    /* as in zwang/equilibria.h: "Omega=0:50rad/s" */
    const zw_equilibria_options *motion; /* NULL: the defaults */
    int rows;                            /* if `over` does not say, 401 */
    bool cubic;            /* whether crossings of pairs are sub- or supercritical; true */
    const char *amplitude; /* as of zw_criticality_options */
    /* Called now and then with the part that is done; true ends it with what is there. May be
     * NULL. */
    bool (*stop)(void *user, double done);
    void *stop_user;
} zw_locus_options;
ZW_API void zw_locus_options_init(zw_locus_options *options, size_t size);
static inline zw_locus_options zw_locus_options_default(void) {
    zw_locus_options o;
    zw_locus_options_init(&o, sizeof o);
    return o;
}

/* Follow and track. ZW_E_MODEL: neighbouring steady motions are left open that something must hold,
 * or nothing depends on the number. The system and its context must outlive it. */
ZW_API zw_status zw_locus_create(zw_locus **out, const zw_system *sys,
                                 const zw_locus_options *options, zw_error *err);
ZW_API void zw_locus_destroy(zw_locus *l);

/* The way of the motion: where it begins and ends, and why. */
ZW_API const zw_steady_way *zw_locus_way(const zw_locus *l);
ZW_API const zw_track *zw_locus_track(const zw_locus *l);
/* Of a mark that is a crossing of a pair; NULL if it is none, or if it was not asked for. */
ZW_API const zw_criticality *zw_locus_criticality(const zw_locus *l, int mark);
/* Do the nodes of the delays resolve a mark to 1e-6? True without delays. */
ZW_API bool zw_locus_resolved(const zw_locus *l, int mark);
/* What linear terms say between two marks. */
ZW_API zw_stability zw_locus_stability(const zw_locus *l, int range);
/* What is not certain, into a list. */
ZW_API void zw_locus_warnings(const zw_locus *l, zw_warnings *out);

/* "special_points" and "ranges" into the open object of the report. */
ZW_API void zw_locus_report(const zw_locus *l, zw_report *out);
/* All rows, as a table of the kind "eigenvalues" with its marks; source may be NULL. */
ZW_API zw_status zw_locus_table(const zw_locus *l, const zw_model_source *source, zw_table **out,
                                zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* Modes of a steady motion as motions, to be looked at. With xi = X_0 + sum_i c_i X_i the field
 * along which the steady motion x_0 moves (zwang/steady.h) and its flow Phi,
 *
 *     x(t) = Phi_t( x_0 + Re(v e^(lambda t)) ):
 *
 * an eigenvector v of the linear equations, grown or decayed up to t, and then moved along with the
 * symmetry, which is exact: a wheel rolls where it would roll. The difference to the true motion
 * from the same start is of second order in the amplitude. */

typedef struct zw_mode_options {
    size_t size; /* of this struct, for the library */
    int number;  /* from 1, the least stable first, a complex pair once; 1 */
    /* the largest value of its leading entry, in the unit of that; 0: one that can be seen */
    double amplitude;
    double duration; /* s; 0: a few periods or time constants */
    long rows;       /* 0: as many as smooth pictures need */
    bool comoving;   /* seen by who moves along with the steady motion: without Phi */
} zw_mode_options;
ZW_API void zw_mode_options_init(zw_mode_options *options, size_t size);
static inline zw_mode_options zw_mode_options_default(void) {
    zw_mode_options o;
    zw_mode_options_init(&o, sizeof o);
    return o;
}

typedef struct zw_mode_info {
    double re, im;     /* 1/s, rad/s, im >= 0 */
    bool zero;         /* a neighbouring steady motion, */
    bool chain;        /* or one that leaves this one as a power of time */
    const char *entry; /* of the state, which the amplitude is that of */
    const char *unit;  /* of it */
    double amplitude;  /* its largest value over the time */
    double duration;   /* s */
    double mismatch;   /* what the vectors miss the linear equations by, relative */
    char caption[400]; /* eigenvalue, frequency, damping, entries, amplitude, in words */
} zw_mode_info;

/* How many there are. */
ZW_API int zw_mode_count(const zw_equilibria *e);
/* The motion after zw_equilibria_find, with the columns and notes of a run of the model (source:
 * where it came from) and the notes mode, eigenvalue, caption; to be destroyed. info may be NULL.
 * ZW_E_OPTION: there is no such mode. */
ZW_API zw_status zw_mode_motion(zw_table **out, const zw_equilibria *e,
                                const zw_model_source *source, const zw_mode_options *options,
                                zw_mode_info *info, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
