/* SPDX-License-Identifier: MIT */
/* Implemented in src/claims. */
/* The classifier: what kind of constraints a system has, and what follows from it.
 *
 * A constraint is holonomic if it is, alone or with the others, the derivative of conditions on
 * positions and time. Frobenius decides: the directions that the constraints allow on space and
 * time together form a distribution, and its closure under Lie brackets leaves as many independent
 * functions of (q, t) constant as there are holonomic constraints among them. The ranks of the
 * closure, step by step, are its growth.
 *
 * If all are holonomic, the nonholonomic motion (d'Alembert) and the vakonomic one (stationary
 * action on constrained paths) agree; otherwise they need not (Lewis and Murray 1995, Prop.
 * 2.8). */
#ifndef ZWANG_CLAIMS_H
#define ZWANG_CLAIMS_H

#include <stdint.h>

#include "equations.h"
#include "model.h"
#include "report.h"
#include "run.h"
#include "system.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum zw_integrability {
    ZW_HOLONOMIC,
    ZW_NONHOLONOMIC,
    ZW_UNDECIDED /* accelerations, states in velocity constraints, or nonlinear in a way that leaves
                    it open */
} zw_integrability;

typedef enum zw_evidence {
    ZW_BY_FORM,  /* nothing to decide: written in positions, or nothing there at all */
    ZW_PROVED,   /* by expressions: every bracket or rate is zero, or one bracket cannot be */
    ZW_AT_POINTS /* values at random admissible states, at the values of the parameters */
} zw_evidence;

/* One active constraint. */
typedef struct zw_constraint_class {
    int constraint;         /* index in the system */
    zw_integrability alone; /* as if it were the only one */
    zw_evidence alone_by;
    bool holonomic_here; /* together with the others of the set */
    bool rheonomic;      /* contains time or a state */
    bool homogeneous;    /* rest is allowed; false: it has an affine part, a drift */
    bool ideal;          /* no force depends on its multiplier, and it has no given work */
    bool given;          /* its work is given (zw_system_nonideal), */
    bool idle;           /* and is none on displacements that the constraints allow */
    int ndepends;        /* -1: independent of those before it; else redundant, on this many */
    const int *depends;  /* indices in the system */
    const double
        *factor; /* row = sum factor_i row(depends_i); NULL if they vary from point to point */
} zw_constraint_class;

typedef struct zw_conserved {
    const char *name; /* "energy", "Jacobi integral", "momentum of phi", ... */
    zw_expr value;
    zw_evidence by;
    bool given_zeros;       /* only while the parameters that are zero stay so */
    bool observed;          /* it is the observable of this name */
    const char *while_open; /* only while these contacts are open; NULL: whatever they do */
} zw_conserved;

typedef struct zw_classification {
    int n; /* active constraints */
    zw_constraint_class *constraint;
    int rank, freedom; /* of their rows; velocities - rank */
    zw_integrability set;
    zw_evidence set_by;
    int holonomic;     /* independent holonomic constraints in the set, -1 if undecided */
    int hidden;        /* of them, those that no position constraint says */
    int ngrowth;       /* 0 if brackets were not needed */
    const int *growth; /* ranks on (q, t): the distribution with its drift, its brackets, ... */
    int dimension;     /* of (q, t): the most a rank can be */
    bool rheonomic, homogeneous, ideal;
    bool agree;    /* nonholonomic and vakonomic motion must agree; false where a constraint holds a
                      state, which the vakonomic principle cannot vary */
    int mass_rank; /* of the mass matrix; smaller than nv if constraints hold what has no inertia */
    int nconserved;
    zw_conserved *conserved;
    int points; /* random states that were looked at */
} zw_classification;

/* Classify the constraints of a finished system that hold (active NULL: as the model says). Sets
 * that cannot be met, more constraints than velocities and motions without inertia are failures
 * that name the statements. The arrays live in the system's context. */
ZW_API zw_status zw_classify(zw_classification *out, const zw_system *s, const zw_active *active,
                             zw_error *err);

/* An observable that stays by the model, along a run: its largest change, as a part of the sizes of
 * its terms at the start, and when. */
typedef struct zw_watched {
    const char *name;
    double drift, t;
} zw_watched;
/* At most this many of them, along the rows of the result of a run. None where events or contacts
 * may change them, or where to find them would take long. */
ZW_API zw_status zw_conserved_watch(const zw_system *s, const zw_active *active,
                                    const zw_table *rows, int most, zw_watched *out, int *n,
                                    zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* All principles at the same states. Each is derived in a context of its own, so that none finds
 * the expressions of another ready made, and evaluated by its own kernel; what is compared are
 * numbers:
 *
 *     m_i |v'_i - v'_i(reference)| / A,    w_k |lambda_k - lambda_k(reference)| / L
 *
 * with the weights m_i^2 = M_ii and w_k^2 = sum_i W_ki^2/M_ii, so that metres and radians can be
 * compared, and A and L the largest weighed magnitudes at the state, but not less than a hundredth
 * of what single terms of the equations give, for these may cancel. States where the equations of a
 * principle are nearly singular (its independent velocities do not determine the others) are left
 * out and counted. The reference is Lagrange's, or Gauss's if constraints depend on each other.
 * Their multipliers are not unique then, and the generalised forces (C lambda)_i/m_i, which are,
 * take their place.
 *
 *   zw_comparison *c;
 *   status = zw_compare(&c, &source, NULL, &err);
 *   if (status >= 0)
 *       status = zw_comparison_judge(c, &err);   ... ZW_E_NUMERIC names the worst place ...
 *   zw_comparison_destroy(c); */

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
    /* Asked at least every tenth of a second once all principles are derived (done: NaN); true ends
     * the work with ZW_E_NUMERIC. NULL: nobody asks. */
    bool (*stop)(void *user, double done);
    void *stop_user;
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
    /* difference at the random states with the multipliers of the start; -1: none */
    double with_start;
    double on_run; /* along its own run from the start to `end`; -1: there is none */
    double end;    /* s */
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

/* Read, derive and evaluate everything. A refusal of a principle is no failure, nor is a
 * difference: zw_comparison_judge tells. The source is needed during the call only; options may be
 * NULL. *out is NULL after a failure. */
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

/* Do the principles that must agree do so, and is the curvature least where Hertz's principle
 * applies? ZW_E_NUMERIC if not, with the principle, the entry and the state. */
ZW_API zw_status zw_comparison_judge(const zw_comparison *c, zw_error *err);
/* Into the open object of a report. */
ZW_API void zw_comparison_report(const zw_comparison *c, zw_report *out);

/* ------------------------------------------------------------------------------------------ */

/* Claims put to the test. A claim lhs = rhs (zw_system_claim) is an equation that somebody printed
 * about a system. It is evaluated at admissible states of the derived system and holds if
 *
 *   |lhs - rhs| <= ZW_CLAIM_TOLERANCE * (sum of the absolute values of its terms)
 *
 * at all of them, the sum being no less than a tenth of its mean. Where it fails, a small repair is
 * looked for: a sign, a number, a function or a name exchanged, an exponent, a factor, a term too
 * many or a missing one. A repair counts only if the repaired equation holds at all states.
 *
 * A claim with inconsistent units (zw_claim.units) fails for any numbers; these are tested in SI
 * all the same. A claim of an exact order (zw_claim.exact) also fails if its sides agree beyond
 * that order.
 *
 * A claim about a state with small variables (zw_claim.small) is one about series: state,
 * accelerations and multipliers are expanded along random curves of admissible states into that
 * state,
 *
 *   x(s) = x_0 + x_1 s + x_2 s^2 + ...,   the small variables being d_i s, s > 0,
 *
 * exactly, up to rounding, and the claim holds if the coefficients of both sides agree up to the
 * order of the claim. Its samples are these coefficients, and are made for it alone
 * (zw_trials_for), as are those of claims by another principle and of claims that speak of means
 * and eigenvalues.
 *
 * States come in sets, each with its own values of the parameters, because a factor 0.5 at one set
 * of values may be 1/2 or m/M: what it is shows when the parameters change. zw_trials_collect makes
 * them; a caller who knows the motion from elsewhere fills his own.
 *
 *   zw_trials trials;
 *   status = zw_trials_collect(&trials, system, NULL, NULL, &err);
 *   for (int i = 0; i < system->nclaim && status >= 0; i++)
 *       status = zw_verify(&verdict, system, &system->claim[i], &trials, &err); */

#define ZW_CLAIM_TOLERANCE 1e-9
enum { ZW_REPAIRS_MAX = 3 };

/* Admissible states: the values of parameters, t, q, v, v' and multipliers, in this order; then, in
 * those of one claim, of rates of multipliers and of the quantities it speaks of. */
typedef struct zw_trials {
    int nsym, nsample, nset;
    zw_expr *sym;  /* nsym */
    double *value; /* nsample x nsym */
    int *set;      /* nsample: 0 .. nset-1, ascending; in set 0 the parameters are the model's */
    const zw_claim *claim;    /* of which claim they are; NULL: of all that are plain */
    struct zw_series *series; /* private: the samples are coefficients of series; NULL: states */
    struct zw_trials_watch *watch; /* private: who may stop the work; NULL: nobody */
} zw_trials;

typedef struct zw_repair {
    const char *words; /* what to change */
    zw_expr lhs, rhs;  /* the repaired equation */
} zw_repair;

typedef struct zw_verdict {
    const zw_claim *claim;
    bool holds;
    double residual; /* largest |lhs - rhs| / sum of |terms| */
    int worst;       /* the sample where it is */
    double share;    /* there: |lhs - rhs| / largest |term| */
    int nrepair;     /* the smallest ones first, at most ZW_REPAIRS_MAX */
    zw_repair repair[ZW_REPAIRS_MAX];
    int states;   /* number of states tested, or of curves */
    int order;    /* of a claim about series that fails: the first power that disagrees */
    bool further; /* a claim of an exact order fails because the sides agree beyond that order */
    const char *kink; /* of a claim about series: what is not smooth at its state, and in which
                         statement; NULL: all is, as far as was needed */
} zw_verdict;

/* Begin with zw_verify_options_default(). */
typedef struct zw_verify_options {
    size_t size;   /* of this struct, for the library */
    int states;    /* random states, 200; every second one with other values of the parameters */
    uint64_t seed; /* of states and parameters: the same seed, the same ones; 1 */
    /* Asked at least every tenth of a second of work (done: NaN); true ends it: zw_trials_collect,
     * zw_trials_for and zw_verify then fail. NULL: nobody asks. */
    bool (*stop)(void *user, double done);
    void *stop_user;
} zw_verify_options;

ZW_API void zw_verify_options_init(zw_verify_options *options, size_t size);
static inline zw_verify_options zw_verify_options_default(void) {
    zw_verify_options o;
    zw_verify_options_init(&o, sizeof o);
    return o;
}
/* Samples of a finished system where these constraints hold (active NULL: as the model says):
 * random admissible states (zwang/equations.h), half of them with the parameters of the model, with
 * the accelerations and multipliers of Lagrange's equations. They live in the system's context;
 * options may be NULL. */
ZW_API zw_status zw_trials_collect(zw_trials *out, const zw_system *s, const zw_active *active,
                                   const zw_verify_options *options, zw_error *err);

/* Does a claim speak of the motion by Lagrange's equations at any state, by formulas alone? */
ZW_API bool zw_claim_is_plain(const zw_claim *claim);
/* The samples of this claim of the system; those of zw_trials_collect if it is plain. A claim that
 * cannot be expanded about its state, or whose state the constraints do not admit, is rejected at
 * its place. */
ZW_API zw_status zw_trials_for(zw_trials *out, const zw_system *s, const zw_claim *claim,
                               const zw_active *active, const zw_verify_options *options,
                               zw_error *err);

/* Parameter sets that are enough to tell a factor made of parameters: one more than there are
 * parameters with a value of their own, and three to check it. */
ZW_API int zw_trials_sets(const zw_system *s);
/* Room for the samples, in the system's context; sym is filled. */
ZW_API zw_status zw_trials_init(zw_trials *out, const zw_system *s, int nsample, int nset,
                                zw_error *err);
/* Parameters of a set (np doubles): 0 the values of the model; else each value that is a number
 * changed at random by less than a factor 2 (0 becomes a number near 1), the others following. */
ZW_API zw_status zw_trials_params(const zw_system *s, uint64_t seed, int set, double *p,
                                  zw_error *err);
/* Fill a sample. lambda: one multiplier for each of the system's constraints, 0 if switched off. */
ZW_API void zw_trials_put(zw_trials *ev, const zw_system *s, int sample, int set, const double *p,
                          double t, const double *q, const double *v, const double *a,
                          const double *lambda);

/* Test a claim of the system and look for repairs if it fails. The texts live in the context. */
ZW_API zw_status zw_verify(zw_verdict *out, const zw_system *s, const zw_claim *claim,
                           const zw_trials *ev, zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* Which nonholonomic motions are vakonomic ones too, and with which multipliers?
 *
 * With the bracket R of src/mech/principles/vakonomic.c the two principles say
 *
 *     M v' = h + W' lambda,      M v' = h + W' mu' + R(q, v) mu,      W v' = b,
 *
 * and have the same accelerations where R mu is a combination of the rows of W. So a nonholonomic
 * motion x(t) is vakonomic if and only if along it
 *
 *     Z' R(x) mu = 0   with  W Z = 0,           mu' = lambda(x) + N(x) mu,
 *
 * which is linear in mu: mu(t) = Phi(t) mu_0 + phi(t), and all times together are linear equations
 * for mu_0. They have no solution, one, or a whole space of them. That is decided by numbers for
 * single motions, that of the model's start and those from random states; the equations Z' R mu =
 * 0, which mu must obey at every state of the motion, are reported as formulas. */

typedef struct zw_agreement zw_agreement;

typedef struct zw_agreement_options {
    size_t size;             /* of this struct, for the library */
    const zw_active *active; /* which constraints hold; NULL: as the model says */
    double time;             /* s, how long motions are followed: 1 */
    int states;              /* random starts: 20 */
    bool (*stop)(void *user, double done); /* as in zw_compare_options, between two motions */
    void *stop_user;
} zw_agreement_options;
ZW_API void zw_agreement_options_init(zw_agreement_options *options, size_t size);
static inline zw_agreement_options zw_agreement_options_default(void) {
    zw_agreement_options o;
    zw_agreement_options_init(&o, sizeof o);
    return o;
}

typedef enum zw_agreement_verdict {
    ZW_AGREES,    /* with these multipliers, and all others along `direction` */
    ZW_DISAGREES, /* with none */
    ZW_AGREES_UNDECIDED,
    ZW_AGREES_FAILED /* the motion could not be followed */
} zw_agreement_verdict;

/* A nonholonomic motion. */
typedef struct zw_agreement_motion {
    zw_agreement_verdict verdict;
    const double *x;         /* nq + nv: its start */
    const double *mu;        /* n: multipliers at the start, the least of those that fit best */
    int nfree;               /* dimension of the space of multipliers that do as well */
    const double *direction; /* nfree x n */
    double mismatch;         /* of the accelerations: what the best multipliers leave */
    /* by so much of its size the vakonomic run with these multipliers goes apart from it; NaN:
     * there is none */
    double apart;
} zw_agreement_motion;

/* Follows all motions. ZW_E_MODEL: the vakonomic principle has no equations here, or there are no
 * constraints. The system and its context must outlive it. */
ZW_API zw_status zw_agreement_find(zw_agreement **out, const zw_system *sys,
                                   const zw_agreement_options *options, zw_error *err);
ZW_API void zw_agreement_destroy(zw_agreement *a);
/* Multipliers, and the name of one. */
ZW_API int zw_agreement_multipliers(const zw_agreement *a);
ZW_API const char *zw_agreement_name(const zw_agreement *a, int i);
/* The motion of the model's start (0), and of random starts (1 to states). */
ZW_API int zw_agreement_count(const zw_agreement *a);
ZW_API const zw_agreement_motion *zw_agreement_at(const zw_agreement *a, int i);
/* The equations for mu, of t, q, independent velocities and the symbols of the multipliers: which
 * must vanish. NULL: the constraints have no formulas for dependent velocities. */
ZW_API const zw_expr *zw_agreement_equations(const zw_agreement *a, int *n);
/* What follows from them in general, where no coefficient by which was divided vanishes: the
 * multiplier as a formula of t, q, independent velocities and of multipliers that stay free
 * (ZW_NULL: it is free, or nothing is known), and conditions on the start, which must vanish. */
ZW_API zw_expr zw_agreement_formula(const zw_agreement *a, int i);
ZW_API const zw_expr *zw_agreement_conditions(const zw_agreement *a, int *n);
/* Into the open object of a report. */
ZW_API void zw_agreement_report(const zw_agreement *a, zw_report *out);

/* ------------------------------------------------------------------------------------------ */

/* What do constraints cost that a model could have? Beginning with the whole model, in which none
 * of them holds, the one is added that changes a run least, then the next. The cost of a set of
 * constraints is
 *
 *     max over the quantities and over time of |q(t) - q_whole(t)| / (max q_whole - min q_whole),
 *
 * from the same start, as far as the constraints allow it. */

enum { ZW_ADVICE_MOST = 12 }; /* constraints */

typedef struct zw_advice_trial {
    int constraint;    /* that is added, of those asked about */
    double cost;       /* infinite: it cannot be run, */
    char why[200];     /* because of this */
    const char *worst; /* the quantity with the largest difference, */
    double at;         /* and when, s */
    double rms;        /* the root of the mean square of its differences, of its range */
} zw_advice_trial;

typedef struct zw_advice {
    int nstep; /* constraints that were added; the others cannot be */
    int ntrial[ZW_ADVICE_MOST];
    zw_advice_trial trial[ZW_ADVICE_MOST]
                         [ZW_ADVICE_MOST]; /* of each step, the cheapest first: it was taken */
} zw_advice;

/* constraints: names of the model (n of them). quantities: columns of a run, coordinates,
 * velocities, observables; ncompare 0: all coordinates. Names of quantities in the result are those
 * of the caller, or live in ctx. */
ZW_API zw_status zw_advise(zw_context *ctx, const zw_model_source *source, int n,
                           const char *const *constraint, int ncompare, const char *const *compare,
                           double until, zw_advice *out, zw_error *err);
ZW_API void zw_advice_report(const zw_advice *a, const char *const *constraint, double until,
                             zw_report *out);

#ifdef __cplusplus
}
#endif
#endif
