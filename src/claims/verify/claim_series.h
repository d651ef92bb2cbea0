/* SPDX-License-Identifier: MIT */
/* Samples of a claim as series (src/expr/series/jet.h) along curves into the state of the claim:
 * what the files that make and use them share. */
#ifndef ZW_CLAIMS_VERIFY_CLAIM_SERIES_H
#define ZW_CLAIMS_VERIFY_CLAIM_SERIES_H

#include "expr/series/jet.h"
#include "mech/equations/sampler.h"
#include "mech/equations/subspace.h"
#include "zwang/claims.h"

/* Sample j of the trials is the coefficient of s^(low + j % width) along curve j / width. */
typedef struct zw_series {
    int terms, low,
        width; /* width = order - low + 1, and one more for a claim of exactly that order */
    int ncurve;
    zw_jet *jet;       /* ncurve x nsym of the trials */
    const char *kink;  /* the nonsmooth part there, and its statement; NULL: all is smooth */
    zw_expr has_value; /* the last query: an expression, a curve */
    int queried_curve;
    bool has_answer;
    zw_jet answer;
} zw_series;

/* claim_series.c. The series of e along the curve of this sample; false if it has none. */
bool zw_series_of(const zw_system *s, const zw_trials *ev, int sample, zw_expr e, zw_jet *out);

/* A curve x(s), s > 0, of admissible states, with parameters, accelerations and multipliers along
 * it. */
typedef struct zw_claim_curve {
    const zw_system *sys;
    const zw_claim *claim;
    zw_equations eq;     /* of the claim's principle */
    zw_sampler *sampler; /* the constraints, in the velocities of the system */
    int terms;
    bool impulses; /* multipliers are states, and have rates */
    int nsym;      /* as in the trials */
    const zw_expr *sym;
    /* positions in sym where these begin; distances are at its end */
    int t, q, v, a, lambda, rate, claimed;
    int nphi, npsi;
    zw_expr *phi, *phi_q, *psi, *psi_v; /* nphi, nphi x nq, npsi, npsi x nv */
    bool turning;                       /* reason why no state was found: see claim_curve.c */
    bool *held;                         /* nsmall: departs as given, the others follow */
    double *p;                          /* parameters of the set */
    zw_jet *x;                          /* nsym: the curve */
    int nvar, nz;                       /* symbols of the equations, unknowns of them */
    zw_expr *var;
    zw_jet *var_jet, *root, *z;
    zw_jet *right_terms; /* nz: terms of the right sides */
    double *bound;       /* nz x ZW_JET_MAX: sizes of the terms of each order of the unknowns */
    int *group;          /* nz: coupled unknowns, of which one may be round-off of another */
    int bound_low;       /* the order of bound[0] */
    zw_expr *roots;
    int nroot;
    double *work;
    zw_subspace span;
    bool *dropped; /* nc: rows that depend on the others */
    zw_expr *reaction;
    zw_jet_fault fault;
} zw_claim_curve;

/* How the small variables leave their values: by step[i] s^power[i] each, the others as they
 * must. */
typedef struct zw_departure {
    const double *step;
    const int *power;
    bool others_move; /* the other variables leave theirs too, by random first steps */
    uint64_t seed;
} zw_departure;

/* claim_curve.c */
zw_status zw_curve_init(zw_claim_curve *c, const zw_system *s, const zw_claim *claim,
                        const zw_active *active, const zw_trials *ev, uint64_t seed, int terms,
                        zw_error *err);
/* Parameters of a set, then state number k with them where the small variables have their
 * values. */
zw_status zw_curve_parameters(zw_claim_curve *c, const double *p, const zw_departure *d,
                              zw_error *err);
zw_status zw_curve_begin(zw_claim_curve *c, int k, zw_error *err);
/* From there along a departure: c->x up to the multipliers. */
zw_status zw_curve_follow(zw_claim_curve *c, const zw_departure *d, zw_error *err);
/* Do the constraints admit that departure, with the held variables? */
bool zw_curve_admits(zw_claim_curve *c, const zw_departure *d);
/* Rejects a part that has no series, with its statement. */
zw_status zw_curve_reject(const zw_claim_curve *c, const zw_jet_fault *fault, zw_error *err);
/* The statement that contains this part: "force friction (line 12)", "the equations of motion". */
void zw_curve_statement(const zw_claim_curve *c, zw_expr part, char *out, size_t size);
/* Is this small variable a parameter? */
bool zw_is_parameter(const zw_system *s, zw_expr sym);

/* claim_functionals.c: c->x from c->claimed on: means, determinants and eigenvalues along the curve
 * of a departure. */
zw_status zw_claimed_values(zw_claim_curve *c, const zw_departure *d, zw_error *err);
/* Number of terms that a curve needs for the quantities of the claim. */
int zw_claimed_terms(const zw_system *s, const zw_claim *claim);

#endif
