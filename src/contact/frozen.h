/* SPDX-License-Identifier: MIT */
/* A mechanical system at one frozen position: what impulses at its contacts do to its velocities,
 * joints included.
 *
 *     M du = h dt + Psi' Lambda + H' r,      2 psi + Psi du = 0
 *
 * psi is what joints say of the velocity before at this position, the middle of a step: not zero
 * where they are curved, since it is tangent to them at the beginning. The velocity after has the
 * opposite, being tangent at the end: so the mean of both is tangent at the middle, and the forces
 * of joints do no work. (With psi = 0 after it they would brake.)
 *
 * Parts of the velocities are treated one by one: M = L L', w = L' u. J = Psi L^-T are the joints
 * in w; with a basis N of their complement (N J' = 0, N N' = 1) and x, the shortest solution of J x
 * = -2 psi,
 *
 *     dw = x + N' y,     y = N (L^-1 h dt + Z' r),     Z = H L^-T.
 *
 * So the contacts see a system of unit masses with the velocities y and the rows Z N', joints or
 * not; joints that depend on each other cost nothing. A small system without joints has the same in
 * code of its own (ZW_FN_HIT), which is then all that is needed: a = M^-1 h, Ha, B = H M^-1 and W =
 * H M^-1 H'. */
#ifndef ZW_CONTACT_FROZEN_H
#define ZW_CONTACT_FROZEN_H

#include "base/slice.h"
#include "num/flow/flow.h"
#include "zwang/contact.h"

typedef struct zw_frozen {
    const zw_kernel *k;
    /* from the kernel at (t, x): pointers into `out`, valid as long as the flow is not asked for
     * something else */
    zw_step_parts at;
    double *out;
    double *L;    /* nmass: factors of the masses */
    double *free; /* nv, part by part: L^-1 h */
    double *J;    /* nvel x nv: of part p rows joint[p] .. joint[p + 1], of n[p] each */
    double *Jfactor, *tau, *psi; /* the same factorised, by zw_num_rows_factor */
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
    double *row;            /* nv: a row on its way */
    double *ones;           /* nv */
    int *mass_at;           /* npart: where its M begins */
    double *y;              /* nv: a change on its way */
    /* ntouching, or rows x rows: what contact problems are made of, their normals turned */
    double *turned;
    zw_contact_part *part; /* npart */
    zw_contact_entry *entry;
    zw_hit_parts hit;         /* where k->hits: pointers into `out` */
    const double *gap, *rate; /* ncontact, ntouch, at the frozen position */
} zw_frozen;

void zw_frozen_slice(zw_frozen *f, const zw_kernel *k, zw_slicer *s);
/* Once, after the slices have their memory. */
void zw_frozen_begin(zw_frozen *f);
/* Evaluate at (t, x) and factorise; ZW_E_SINGULAR with the fault of the flow where a mass is not
 * positive. */
zw_status zw_frozen_at(zw_frozen *f, zw_flow *flow, double t, const double *x, zw_error *err);
/* The velocities of all contacts (ntouch) after the forces have acted for a time h and joints have
 * held: no impulses. */
void zw_frozen_free(const zw_frozen *f, double h, double *gamma);
/* The problem of n contacts (by their numbers) but for its laws and q, which are the caller's; sign
 * -1 (by contact) turns a normal round. With `normal` alone, without friction. Valid until the next
 * one. */
void zw_frozen_problem(zw_frozen *f, int n, const int *contact, const int *sign, bool normal,
                       zw_contact_problem *problem);
/* Is there a velocity that opens or closes this contact? */
bool zw_frozen_moves(const zw_frozen *f, int contact);
/* Impulses P of all rows on top: gamma (ntouch, may be NULL) and the change of all velocities du
 * (nv), joints included; with joints false those of P alone, as displacements. */
void zw_frozen_change(zw_frozen *f, double h, bool joints, const double *P, double *gamma,
                      double *du);
/* Multipliers (nvel) of the joints that belong to a change du by forces over h and impulses P. */
void zw_frozen_multipliers(zw_frozen *f, double h, const double *du, const double *P,
                           double *multiplier);

#endif
