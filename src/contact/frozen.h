/* SPDX-License-Identifier: MIT */
/* A mechanical system at one frozen position: the effect of impulses at its contacts on its
 * velocities, joints included.
 *
 *     M du = h dt + Psi' Lambda + H' r,      2 psi + Psi du = 0
 *
 * psi is the residual of the joints at this position, the middle of a step, for the velocity before
 * it: not zero where joints are curved, since that velocity is tangent to them at the beginning.
 * The velocity after the step has the opposite residual, being tangent at the end: so the mean of
 * both is tangent at the middle, and the forces of joints do no work. (With residual 0 after it
 * they would brake.)
 *
 * The parts of the velocities are treated separately: M = L L', w = L' u. J = Psi L^-T are the
 * joints in w; with a basis N of their complement (N J' = 0, N N' = 1) and x, the shortest solution
 * of J x = -2 psi,
 *
 *     dw = x + N' y,     y = N (L^-1 h dt + Z' r),     Z = H L^-T.
 *
 * So for the contacts it is a system of unit masses with the velocities y and the rows Z N', with
 * joints or without; joints may depend on each other. For a small system without joints the kernel
 * function ZW_FN_HIT gives all of this directly: a = M^-1 h, Ha, B = H M^-1 and W = H M^-1 H'. */
#ifndef ZW_CONTACT_FROZEN_H
#define ZW_CONTACT_FROZEN_H

#include "base/slice.h"
#include "num/flow/flow.h"
#include "zwang/contact.h"

typedef struct zw_frozen {
    const zw_kernel *k;
    /* from the kernel at (t, x): pointers into `out`, valid until the next evaluation of the
     * flow */
    zw_step_parts at;
    double *out;
    double *L;    /* nmass: factors of the masses */
    double *free; /* nv, part by part: L^-1 h */
    double *J;    /* nvel x nv: of part p rows joint[p] .. joint[p + 1], of n[p] each */
    double *Jfactor, *tau, *psi; /* J factorised by zw_num_rows_factor */
    int *order;
    int *joint, *joint_row; /* npart + 1, nvel: constraints of a part */
    int *start;             /* npart: where its N begins */
    double *N;              /* (free dimensions) x n of each part with joints */
    int *rank;              /* npart */
    int *y_start;           /* npart + 1: its velocities y */
    double *shift;          /* nv, part by part: x */
    double *y_free;         /* nv: N L^-1 h */
    double *Z;              /* ntouching: rows Z of the contacts */
    double *R;              /* ntouching: rows Z N' */
    double *row;            /* nv: scratch for a row */
    double *ones;           /* nv */
    int *mass_at;           /* npart: where its M begins */
    double *y;              /* nv: scratch for a change */
    /* ntouching, or rows x rows: rows or W of a contact problem with reversed normals */
    double *turned;
    zw_contact_part *part; /* npart */
    zw_contact_entry *entry;
    zw_hit_parts hit;         /* where k->hits: pointers into `out` */
    const double *gap, *rate; /* ncontact, ntouch, at the frozen position */
} zw_frozen;

void zw_frozen_slice(zw_frozen *f, const zw_kernel *k, zw_slicer *s);
/* Call once, after the slices have their memory. */
void zw_frozen_begin(zw_frozen *f);
/* Evaluate at (t, x) and factorise; ZW_E_SINGULAR with the fault of the flow where a mass is not
 * positive. */
zw_status zw_frozen_at(zw_frozen *f, zw_flow *flow, double t, const double *x, zw_error *err);
/* The velocities of all contacts (ntouch) after the forces have acted for a time h, with joints,
 * without impulses. */
void zw_frozen_free(const zw_frozen *f, double h, double *gamma);
/* The problem of n contacts (by their numbers) except its laws and q, which the caller sets; sign
 * -1 (by contact) reverses a normal; normal: without friction. Valid until the next call. */
void zw_frozen_problem(zw_frozen *f, int n, const int *contact, const int *sign, bool normal,
                       zw_contact_problem *problem);
/* Is there a velocity that opens or closes this contact? */
bool zw_frozen_moves(const zw_frozen *f, int contact);
/* The same with impulses P of all rows: gamma (ntouch, may be NULL) and the change of all
 * velocities du (nv), joints included; with joints false those of P alone, as displacements. */
void zw_frozen_change(zw_frozen *f, double h, bool joints, const double *P, double *gamma,
                      double *du);
/* Multipliers (nvel) of the joints for a change du by forces over h and impulses P. */
void zw_frozen_multipliers(zw_frozen *f, double h, const double *du, const double *P,
                           double *multiplier);

#endif
