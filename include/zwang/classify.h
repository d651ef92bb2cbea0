/* SPDX-License-Identifier: MIT */
/* Implemented in src/claims/structure. */
/* The classifier: what kind of constraints a system has, and what follows from it.
 *
 * A constraint is holonomic if it is, alone or with the others, the derivative of conditions on
 * positions and time. Frobenius decides: the directions that the constraints allow on space and time
 * together form a distribution, and its closure under Lie brackets leaves as many independent
 * functions of (q, t) constant as there are holonomic constraints among them. The ranks of the
 * closure, step by step, are its growth.
 *
 * If all are holonomic, the nonholonomic motion (d'Alembert) and the vakonomic one (stationary action
 * on constrained paths) agree; otherwise they need not (Lewis and Murray 1995, Prop. 2.8). */
#ifndef ZWANG_CLASSIFY_H
#define ZWANG_CLASSIFY_H

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
    int ndepends;        /* -1: independent of those before it; else redundant, on so many */
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

/* Classify the constraints of a finished system that hold (active NULL: as the model says). Sets that cannot be met, more constraints
 * than velocities and motions without inertia are failures that name the statements. The arrays live
 * in the system's context. */
ZW_API zw_status zw_classify(zw_classification *out, const zw_system *s, const zw_active *active,
                             zw_error *err);

/* An observable that stays by the model, along a run: its largest change, as a part of the sizes of its terms at the start, and when. */
typedef struct zw_watched {
    const char *name;
    double drift, t;
} zw_watched;
/* At most so many of them, along the rows of the result of a run. None where events or contacts may change them, or where to find them would take long. */
ZW_API zw_status zw_conserved_watch(const zw_system *s, const zw_active *active,
                                    const zw_table *rows, int most, zw_watched *out, int *n,
                                    zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
