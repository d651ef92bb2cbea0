/* SPDX-License-Identifier: MIT */
/* Statics with contact: are there forces r of closed contacts, and lambda of joints, that keep a
 * system at rest?
 *
 *     0 = h + Psi' lambda + H' r,  r_N >= 0,  r_F in s mu r_N C  (s = 1)  (1)
 *
 * A bilateral contact has |r_N| in place of r_N. The answer is a number, the margin by which all
 * inequalities can be satisfied at once,
 *
 *     spare = max over r of min over contacts of (r_N, mu r_N - gauge of r_F)  (2)
 *
 * in newtons, negative where it does not rest (where bodies jam, among forces up to ten times the
 * load, if these suffice), and the factor s*, the least s that leaves (1) a solution. */
#ifndef ZW_CONTACT_STATIC_SET_H
#define ZW_CONTACT_STATIC_SET_H

#include "base/arena.h"
#include "zwang/contact.h"

/* What yields: the friction of block 0, 1, ... of a contact, or */
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
    /* the rows and joints can balance the forces, if signs and sizes are not restricted */
    bool balanced;
    int unbalanced;  /* the velocity with the largest unbalanced force, where they cannot */
    int hyperstatic; /* dimension of the forces that (1) leaves open without its inequalities */
    double scale;    /* size of the forces */
    double spare;    /* (2), at most the scale; -infinite if not balanced */
    double doubt;    /* error bound of the spare */
    double factor;   /* s*, if asked for; infinite: no friction is enough */
} zw_rest_answer;

/* r (rows of all contacts) is that of the optimum of (2). yields (ncontact, may be NULL): what
 * limits the spare, or, if the factor is asked for, what yields at s*. Memory is taken from the
 * arena and released. ZW_E_OPTION: too many bilateral contacts. */
zw_status zw_rest_solve(const zw_rest_problem *problem, bool factor, zw_arena *arena, double *r,
                        int *yields, zw_rest_answer *out, zw_error *err);

#endif
