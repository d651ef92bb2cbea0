/* SPDX-License-Identifier: MIT */
/* Implemented in src/contact. */
/* Moreau's midpoint rule: time stepping for systems with contacts, by impulses over whole steps.
 *
 *     q_M = q_A + h/2 F(q_A) u_A                                        M, forces, rows H and gaps at q_M
 *     M (u_E - u_A) = h f + Psi' Lambda + H' P,    psi_E = 0            joints
 *     (xi, P) obey the laws,  xi = gamma_E + e gamma_A                  contacts with gap(q_M) <= 0, and bilateral ones
 *     q_E = q_M + h/2 F(q_M) u_E                                        then back onto the joints
 *
 * An impact, a sticking contact and one that slides are one and the same step: nothing is searched for, and the error is
 * of first order. (J. J. Moreau 1988, M. Jean 1999.) A bilateral contact takes friction of |N|: it is solved as one
 * that may open, with its normal turned round where it would.
 *
 * A method for zw_run_options.supplied, of kernels with contacts, whose constraints in the sense of system.h are off. */
#ifndef ZWANG_MOREAU_H
#define ZWANG_MOREAU_H

#include "contact.h"
#include "method.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_moreau_options {
    size_t size;               /* of this struct, for the library */
    zw_contact_options solver; /* of every step */
    bool correct;              /* after a step, positions that overlap are moved apart */
    bool control; /* steps as long as rtol and atol of the run allow, at most its step */
    double worst; /* a residual of a step above this ends the run, 1e-6 */
} zw_moreau_options;
ZW_API void zw_moreau_options_init(zw_moreau_options *options, size_t size);
static inline zw_moreau_options zw_moreau_options_default(void) {
    zw_moreau_options o;
    zw_moreau_options_init(&o, sizeof o);
    return o;
}
/* The method with these options, which must outlive its runs. */
ZW_API zw_method zw_moreau_method(const zw_moreau_options *options);

typedef enum zw_contact_state {
    ZW_CONTACT_OPEN,
    ZW_CONTACT_STICKS, /* closed, and all its friction holds, or it has none */
    ZW_CONTACT_SLIPS
} zw_contact_state;
/* What has happened at a contact since the last call. */
typedef struct zw_contact_report {
    zw_contact_state state;              /* in the last step */
    double gap;                          /* m, at the present state */
    double rate[ZW_CONTACT_ROWS_MAX];    /* m/s, there: normal, then friction */
    double impulse[ZW_CONTACT_ROWS_MAX]; /* N s, sum over the steps */
    double work[2];                      /* J, of the normal impulses and of friction */
    double deepest; /* m, the most negative gap at the middle of a step; 0: none was */
} zw_contact_report;
typedef struct zw_moreau_report {
    double since, until; /* s */
    long steps;
    int iterations;             /* most that a step has taken */
    double residual;            /* worst of a step */
    double hardest;             /* s, when that was */
    zw_contact_report *contact; /* the caller's, ncontact of the kernel */
} zw_moreau_report;
/* Tell, and begin to count anew. At a time within a step its impulses and works are counted up to there. The run must have this
 * method. */
ZW_API zw_status zw_moreau_tell(zw_run *run, zw_moreau_report *out, zw_error *err);

/* The estimated error since the start of the coordinate with the largest error relative to its range: the distance from a second
 * motion, in steps of twice the length or with ten times the tolerances, and the errors added by impacts. */
typedef struct zw_moreau_accuracy {
    int coordinate; /* -1: there is none, or nothing is known */
    double error;   /* its unit; NaN: unknown */
    double part;    /* of its range; NaN: unknown */
} zw_moreau_accuracy;
ZW_API zw_moreau_accuracy zw_moreau_estimate(zw_run *run);
/* The motion of `from` continues in `run`, which has a new state and has made no steps from it: the estimated errors and
 * ranges are carried over. Does nothing if the methods or the coordinates of the two differ. */
ZW_API void zw_moreau_carry(zw_run *run, zw_run *from);

#ifdef __cplusplus
}
#endif
#endif
