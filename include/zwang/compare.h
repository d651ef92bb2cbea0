/* SPDX-License-Identifier: MIT */
/* Implemented in src/claims/principles. */
/* All principles at the same states. Each is derived in a context of its own, so that none finds the
 * expressions of another ready made, and evaluated by its own kernel; what is compared are numbers:
 *
 *     m_i |v'_i - v'_i(reference)| / A,    w_k |lambda_k - lambda_k(reference)| / L
 *
 * with the weights m_i^2 = M_ii and w_k^2 = sum_i W_ki^2/M_ii, so that metres and radians can be compared,
 * and A and L the largest weighed magnitudes at the state, but not less than a hundredth of what single
 * terms of the equations give, for these may cancel. States where the equations of a principle are nearly
 * singular (its independent velocities do not determine the others) are left out and counted.
 * The reference is Lagrange's, or Gauss's if constraints depend on each other. Their multipliers are not unique then, and the
 * generalised forces (C lambda)_i/m_i, which are, take their place.
 *
 *   zw_comparison *c;
 *   status = zw_compare(&c, &source, NULL, &err);
 *   if (status >= 0)
 *       status = zw_comparison_judge(c, &err);   ... ZW_E_NUMERIC names the worst place ...
 *   zw_comparison_destroy(c);
 */
#ifndef ZWANG_COMPARE_H
#define ZWANG_COMPARE_H

#include <stdint.h>

#include "equations.h"
#include "model.h"
#include "run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_comparison zw_comparison;

/* Begin with zw_compare_options_default(). */
typedef struct zw_compare_options {
    size_t size;                   /* of this struct, for the library */
    int states;                    /* number of random admissible states, 20 */
    uint64_t seed;                 /* of these states: the same seed, the same states; 1 */
    double until;                  /* s; also along a run from the start to this time; 0: no run */
    double tolerance;              /* largest relative difference that counts as agreement, 1e-11 */
    const zw_run_options *run;     /* method and tolerances of the run; NULL: their defaults */
    const zw_allocator *allocator; /* of everything that is made; NULL: malloc */
} zw_compare_options;

/* A largest difference, and at which state and entry it was seen. */
typedef struct zw_difference {
    double value;      /* relative; -1: nothing was compared */
    int state;         /* see zw_comparison_state */
    int index;         /* of the velocity, or of the multiplier of the reference */
    const char *entry; /* "x''", "lambda(rod)" or "the constraint force of x'" */
} zw_difference;

/* What became of one principle. */
typedef struct zw_compared {
    const zw_principle *principle;
    bool applies;                   /* it has equations here */
    zw_error refusal;               /* why not, or of the first state it failed at */
    int dynamic, constraints;       /* equations */
    int accelerations, multipliers; /* unknowns */
    long operations;                /* for one evaluation of M, h, C, W, b */
    double derive, lower, compile;  /* s */
    double evaluate; /* s for one evaluation of the accelerations; -1: not measured */
    int failed;      /* number of states it failed at */
    int singular;    /* number of states left out */
    zw_difference accel, lambda;
} zw_compared;

/* The vakonomic principle, which is another one where a constraint is not holonomic. */
typedef struct zw_compared_vakonomic {
    int row;        /* of the comparison */
    bool holonomic; /* all active constraints are on position level: it must agree */
    double
        with_start; /* difference at the random states with the multipliers of the start; -1: none */
    double on_run;  /* along its own run from the start to `end`; -1: there is none */
    double end;     /* s */
} zw_compared_vakonomic;

/* Hertz's least curvature at the random states, see src/claims/principles/compare_hertz.c. */
typedef struct zw_compared_hertz {
    bool applies, holds;
    int states;
    double slope;     /* largest relative first variation of the curvature */
    char reason[200]; /* why it does not apply */
} zw_compared_hertz;

typedef struct zw_comparison_info {
    const zw_system *sys;
    const bool *holds; /* nconstraint: the constraints that hold */
    int nrow;          /* principles */
    int reference;     /* row of the one the others are compared with */
    int nrandom, nrun; /* states: random ones, then those of the run */
    double end;        /* of the run, s */
    double tolerance;  /* of the options */
    bool native;       /* evaluated by native code */
    zw_compared_vakonomic vakonomic;
    zw_compared_hertz hertz;
} zw_comparison_info;

ZW_API void zw_compare_options_init(zw_compare_options *options, size_t size);
static inline zw_compare_options zw_compare_options_default(void) {
    zw_compare_options o;
    zw_compare_options_init(&o, sizeof o);
    return o;
}

/* Read, derive and evaluate everything. A refusal of a principle is no failure, nor is a difference:
 * zw_comparison_judge tells. The source is needed during the call only; options may be NULL. *out is
 * NULL after a failure. */
ZW_API zw_status zw_compare(zw_comparison **out, const zw_model_source *source,
                            const zw_compare_options *options, zw_error *err);
/* The same for a system that a C program builds: `make` is called several times and makes the same
 * finished system in each context it is given. */
typedef zw_status (*zw_system_maker)(void *user, zw_context *ctx, zw_system **out, zw_error *err);
ZW_API zw_status zw_compare_made(zw_comparison **out, zw_system_maker make, void *user,
                                 const zw_compare_options *options, zw_error *err);
ZW_API void zw_comparison_destroy(zw_comparison *c);

/* The results, owned by the comparison. */
ZW_API const zw_comparison_info *zw_comparison_summary(const zw_comparison *c);
ZW_API const zw_compared *zw_comparison_row(const zw_comparison *c, int row);
/* The row with the worst difference of those that must agree, and whether it is one of multipliers;
 * NULL if nothing could be compared. */
ZW_API const zw_compared *zw_comparison_worst(const zw_comparison *c, bool *of_lambda);
/* State k, the random ones first: x = (q, v) of the system; its time in *t. */
ZW_API const double *zw_comparison_state(const zw_comparison *c, int k, double *t);
/* "random state 7 (t = 0.31 s)" or "t = 2 s of the run", in the caller's buffer. */
ZW_API void zw_comparison_name_state(const zw_comparison *c, int k, char *out, size_t size);

/* Do the principles that must agree do so, and is the curvature least where Hertz's principle applies?
 * ZW_E_NUMERIC if not, with the principle, the entry and the state. */
ZW_API zw_status zw_comparison_judge(const zw_comparison *c, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
