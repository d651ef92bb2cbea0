/* SPDX-License-Identifier: MIT */
/* Statics with contact: are there forces r of closed contacts, and lambda of joints, that keep a
 * system at rest?
 *
 *     0 = h + Psi' lambda + H' r,      r_N >= 0,      r_F in s mu r_N C      (s = 1)                       (1)
 *
 * A bilateral contact has |r_N| in place of r_N. The answer is a number, how much all inequalities
 * can be fulfilled at once,
 *
 *     spare = max over r of min over contacts of (r_N, mu r_N - gauge of r_F)                              (2)
 *
 * in newtons, negative where it does not rest (where bodies jam, among forces up to ten times the
 * load, if these suffice), and the factor s*, the least s that leaves (1) a solution. */
#ifndef ZW_CONTACT_STATIC_SET_H
#define ZW_CONTACT_STATIC_SET_H

#include "base/arena.h"
#include "zwang/contact.h"

/* What gives way: the friction of block 0, 1, ... of a contact, or */
enum { ZW_REST_HOLDS = -2, ZW_REST_LIFTS = -1 };

typedef struct zw_rest_problem {
    int nv, nvel, ncontact; /* velocities, joints, closed contacts */
    const double *h;        /* nv: forces */
    const double *Psi;      /* nvel x nv */
    const double *H;        /* rows of all contacts x nv */
    const zw_contact_law *law;
    const bool *bilateral;
} zw_rest_problem;

typedef struct zw_rest_answer {
    /* the rows and joints can balance the forces at all, whatever their sign and size */
    bool balanced;
    int unbalanced;  /* the velocity at which most is missing, where they cannot */
    int hyperstatic; /* dimension of the forces that (1) leaves open without its inequalities */
    double scale;    /* size of the forces */
    double spare;    /* (2), at most the scale; -infinite if not balanced */
    double doubt;    /* how wrong the spare may be */
    double factor;   /* s*, if asked for; infinite: no friction is enough */
} zw_rest_answer;

/* r (rows of all contacts) is that of the optimum of (2). gives (ncontact, may be NULL): what
 * limits the spare, or, if the factor is asked for, what gives way at s*. Memory is taken from the
 * arena and given back. ZW_E_OPTION: too many bilateral contacts. */
zw_status zw_rest_solve(const zw_rest_problem *problem, bool factor, zw_arena *arena, double *r,
                        int *gives, zw_rest_answer *out, zw_error *err);

#endif
