/* SPDX-License-Identifier: MIT */
/* What the sources that verify claims share. */
#ifndef ZW_CLAIMS_VERIFY_REPAIR_H
#define ZW_CLAIMS_VERIFY_REPAIR_H

#include "base/text.h"
#include "mech/system/build.h"
#include "zwang/claims.h"

/* claim_samples.c: who may stop the work, from the options (nobody: the watch stays NULL); has he? */
typedef struct zw_trials_watch {
    bool (*stop)(void *user, double done);
    void *user;
    unsigned calls;
    bool stopped;
} zw_trials_watch;
zw_status zw_trials_watch_begin(zw_trials *out, const zw_system *s, const zw_verify_options *o,
                                zw_error *err);
/* Asks once in a thousand calls, for values of samples. */
bool zw_trials_stopped(const zw_trials *ev);
/* Asks in every call, for work that takes longer; the same as a status. */
bool zw_trials_ask(const zw_trials *ev);
zw_status zw_trials_check(const zw_trials *ev, zw_error *err);

/* verify.c: the value of e at a sample; NaN after a stop. */
double zw_sample_of(const zw_system *s, const zw_trials *ev, int sample, zw_expr e);
/* The same; of a series the coefficient of its first power, so that the value of a product is the
 * product. */
double zw_sample_leading(const zw_system *s, const zw_trials *ev, int sample, zw_expr e);
/* scale[j] = the sum of the absolute values of the terms of both sides, multiplied out, at sample
 * j. Where all terms nearly vanish, only round-off of the state is left of them: the scale is never
 * less than a tenth of its mean over the samples with the same parameters. */
void zw_claim_scales(const zw_system *s, const zw_trials *ev, zw_expr lhs, zw_expr rhs,
                     double *scale);

/* repair.c: finds corrections of a claim that fails, out->repair. */
zw_status zw_repair_search(zw_verdict *out, const zw_system *s, const zw_trials *ev, zw_error *err);

/* formula_search.c: a formula for numbers. */
enum { ZW_ATOMS_MAX = 20 };
typedef struct zw_formula_search {
    const zw_system *sys;
    const zw_trials *ev;
    int natom;
    zw_expr atom[ZW_ATOMS_MAX]; /* functions of the state that a formula may contain */
    double *atom_value;         /* natom x nsample */
    int nparam;                 /* parameters with a value of their own */
    int *param;                 /* their indices */
    double *matrix, *constant;  /* scratch: (nparam+1) x (nparam+2), nset */
    double *quotient;           /* scratch: nsample */
} zw_formula_search;

zw_status zw_formula_init(zw_formula_search *f, const zw_system *s, const zw_trials *ev,
                          zw_error *err);
/* Adds e to the atoms of formulas, if there is space. */
void zw_formula_atom(zw_formula_search *f, zw_expr e);
/* The values of the atoms, once all of them are added. */
zw_status zw_formula_ready(zw_formula_search *f, zw_error *err);

/* One expression that has these values at all samples with known[j], 0 if there is none. It is
 * number:  a rational number (or one times pi or 1/pi)
 * param:   a number times powers of parameters
 * factor:  the same times powers of one or two atoms; without ratios, times products of one or two
 * term:    the same times a product of one to four atoms */
zw_expr zw_formula_number(const zw_formula_search *f, const double *value, const bool *known);
zw_expr zw_formula_param(const zw_formula_search *f, const double *value, const bool *known);
zw_expr zw_formula_factor(const zw_formula_search *f, const double *value, const bool *known,
                          bool ratios);
/* sum: a sum of two parameters of equal unit, each with a number. */
zw_expr zw_formula_sum(const zw_formula_search *f, const double *value, const bool *known);
zw_expr zw_formula_term(const zw_formula_search *f, const double *value, const bool *known);

/* The kinds of slips in a place of an equation, the likely ones first. */
typedef enum zw_slip {
    ZW_SLIP_SIGN,
    ZW_SLIP_EXCHANGE,  /* of functions, or of variables of the motion */
    ZW_SLIP_RATE,      /* x, x', x'' for one another */
    ZW_SLIP_INDICES,   /* components x, y, z permuted: those of another row */
    ZW_SLIP_PARAMETER, /* one parameter for another */
    ZW_SLIP_EXPONENT,
    ZW_SLIP_NUMBER,
    ZW_SLIP_PARAM_FACTOR,
    ZW_SLIP_STATE_FACTOR,
    ZW_SLIP_TERM,
    ZW_SLIP_STATE_RATIO, /* a factor with functions of the state in the denominator */
    ZW_SLIP_COUNT
} zw_slip;

/* The search in progress. */
typedef struct zw_repair_search_state {
    const zw_system *sys;
    zw_context *ctx;
    const zw_trials *ev;
    const zw_claim *claim;
    zw_verdict *out;
    zw_formula_search formula;
    zw_slip slip;
    bool moves, dynamic;             /* does the claim contain variables; v' or multipliers? */
    bool on_right;                   /* which side is being changed */
    double *residual, *scale, *need; /* nsample: of the claim; factors an addend needs */
    double *trial, *trial_scale;     /* nsample: residual and scale of a candidate */
    bool *known;                     /* nsample */
    long budget;                     /* of trials */
} zw_repair_search_state;

/* An impossible expression (0, after a division by zero) is no failure of the search. */
bool zw_search_is_sound(const zw_repair_search_state *s, zw_expr e);
/* Is the equation satisfied at all samples, and not trivial? With `identity` it may be true for any
 * motion. */
bool zw_search_holds(zw_repair_search_state *s, zw_expr lhs, zw_expr rhs, bool identity);
/* "wrong sign", ... for a factor that an addend needs. */
const char *zw_search_factor_kind(const zw_repair_search_state *s, zw_expr c);
/* "KIND: BEFORE should be AFTER" or "KIND: BEFORE must be multiplied by FACTOR"; what becomes 0 or
 * 1 is only named. factor may be 0. */
void zw_search_put_change(zw_text *words, const zw_repair_search_state *s, const char *kind,
                          zw_expr before, zw_expr after, zw_expr factor);
void zw_search_add(zw_repair_search_state *s, zw_expr lhs, zw_expr rhs, zw_text *words);

/* Adds `term` to the side that is not zero, if the equation is then satisfied. */
void zw_search_propose_term(zw_repair_search_state *s, zw_expr term);

/* repair_terms.c: two missing terms, or one whose coefficient is a sum of parameters. */
void zw_search_missing_terms(zw_repair_search_state *s);

/* repair_pairs.c. */
void zw_search_two_slips(zw_repair_search_state *s);

#endif
