/* SPDX-License-Identifier: MIT */
/* Contacts at a moment at which they change how they stand (zw_contact_mode): impacts, and what
 * follows them.
 *
 * The equations without contacts, M v' = h + C lambda, W v' = b, tell what forces r in the rows
 * gamma = H v + ... of the contacts do: the velocities change by B' r, the rows by A r,
 *
 *     (M -C; W 0) (B', .) = (H', 0),     A = H B',     gamma' = gamma'_free + A r.                          (1)
 *
 * Impact. With gamma- before and gamma+ = gamma- + A P after it, xi = gamma+ + e gamma- and P obey
 * the laws of zwang/contact.h: Newton's law with as many contacts as touch.
 *
 * Stances. Of the contacts that touch and do not part, each can be open, and closed with every
 * block of friction that rests sticking, sliding one way or the other, or resting without a force.
 * A stance of all of them makes (1) linear: gamma'_N = 0 where closed, gamma'_i = 0 where stuck,
 * r_i = a_i r_N + c_i where it slides. It holds if
 *
 *     r_N >= 0 (closed),   gamma'_N >= 0 (open),   friction in its cone (stuck),   and a slip begins the way it is said to.
 *
 * All combinations are tried: so it is known whether there is one, several, or none (Painleve's
 * paradoxes). A block of several velocities that begins to slide has a direction d with gamma'_F =
 * |gamma'_F| d, found by iteration. */
#ifndef ZW_CONTACT_CONTACT_MODE_H
#define ZW_CONTACT_CONTACT_MODE_H

#include "num/flow/flow.h"
#include "zwang/contact.h"

typedef struct zw_contact_modes zw_contact_modes;

/* k: the kernel of the equations without contacts, with MATS, TOUCH, TOUCH_RATE, LAW. */
zw_status zw_contact_modes_create(zw_contact_modes **out, const zw_kernel *k, zw_error *err);
void zw_contact_modes_destroy(zw_contact_modes *s);

/* How well a state is known: velocities to rtol reach + atol, the coordinates that they move to
 * rtol size + atol. */
typedef struct zw_contact_mode_accuracy {
    const double *reach, *size; /* nv */
    double rtol, atol;
} zw_contact_mode_accuracy;
/* At the state x = (q, v). */
zw_status zw_contact_modes_at(zw_contact_modes *s, zw_flow *flow, double t, const double *x,
                              const zw_contact_mode_accuracy *accuracy, zw_error *err);
/* There: gaps (ncontact) and how well they are known, rates (ntouch) and how well these are known,
 * the part of them that supports bring along, numbers of the laws. */
const double *zw_contact_modes_gap(const zw_contact_modes *s);
const double *zw_contact_modes_gap_known(const zw_contact_modes *s);
const double *zw_contact_modes_rate(const zw_contact_modes *s);
const double *zw_contact_modes_known(const zw_contact_modes *s);
const double *zw_contact_modes_support(const zw_contact_modes *s);
const double *zw_contact_modes_law(const zw_contact_modes *s);
/* The force that would hold contact i up alone. Do these stances let a normal force grow without
 * limit? */
double zw_contact_modes_weight(const zw_contact_modes *s, int contact);
bool zw_contact_modes_jams(zw_contact_modes *s, const zw_contact_mode *stance);
/* How fast friction of several velocities can change them at such forces, the largest of all. */
double zw_contact_modes_brake(const zw_contact_modes *s);
/* What the normal force of contact i does to its gap with the friction that it brings about,
 * against what it does without: 0 or less in Painleve's paradoxes. */
double zw_contact_modes_push_back(zw_contact_modes *s, const zw_contact_mode *stance, int contact);
/* Does no velocity change its gap? */
bool zw_contact_modes_is_flat(const zw_contact_modes *s, int contact);
/* Contact i parts so slowly that it would be back before its gap is known not to be 0, the others
 * standing so (ncontact). */
bool zw_contact_modes_returns(zw_contact_modes *s, const zw_contact_mode *others, int contact);

/* The impact of the contacts that touch (ncontact): impulses P (ntouch); the rates are those after
 * it. Contacts with plastic[i] (may be NULL: none) have no restitution. Back to rates (ntouch) as
 * they were. */
zw_status zw_contact_modes_impact(zw_contact_modes *s, const bool *touching, const bool *plastic,
                                  double *P, zw_contact_answer *answer, zw_error *err);
void zw_contact_modes_back(zw_contact_modes *s, const double *rate);
/* Has the collision of contact i in an impact with impulses P been passed on to contact j, both
 * with restitution? */
bool zw_contact_modes_passes_on(const zw_contact_modes *s, int i, int j, const double *P);
/* The impulse that stops contact i (its gap and all that has friction), whatever it takes: true if
 * its laws allow that. */
bool zw_contact_modes_stop(zw_contact_modes *s, const bool *touching, int contact, double *P);
/* Impulses P that put the velocities on what the stances say, friction of sliding included; blocks
 * that begin to slide (after zw_contact_modes_decide) get the velocities `slip` (ntouch). */
zw_status zw_contact_modes_settle(zw_contact_modes *s, const zw_contact_mode *stance,
                                  const double *slip, double *P, zw_error *err);
/* What is wrong with the law of a contact, by the numbers of all laws, and the value that is; NULL:
 * nothing (jump.c). */
const char *zw_contact_wrong_numbers(const zw_contact_form *f, const double *number, double *value);
/* Friction of a block that slides (nrow): of normal force N at velocities u, by the numbers of its
 * law. */
void zw_contact_mode_friction(zw_friction_kind kind, int nrow, double nu, const double *number,
                              const zw_contact_mode *stance, int block, const double *u, double N,
                              double *out);
/* v (nv) += B' P */
void zw_contact_modes_push(const zw_contact_modes *s, const double *P, double *v);

typedef enum zw_contact_mode_answer {
    ZW_CONTACT_MODE_ONE,
    /* as it was: contacts share their forces in another way, and nothing has ended */
    ZW_CONTACT_MODE_GOES_ON,
    /* that differ in their accelerations: what was before, nothing before sticking before
     * sliding */
    ZW_CONTACT_MODE_SEVERAL,
    /* one, but the motion depends on how contacts share forces that rigid bodies leave open */
    ZW_CONTACT_MODE_SHARES,
    ZW_CONTACT_MODE_NONE
} zw_contact_mode_answer;
/* stance (ncontact): before; those with rests[i] are decided, the others are open. over (ncontact x
 * ZW_CONTACT_MODE_PARTS): what has just ended of a contact (open, closed) and of its blocks, sums
 * of zw_contact_mode_bit; it comes back only if nothing else holds, or, if it may go on, where
 * contacts can share their forces in another way. On the way back direction (ntouch) has the
 * velocities, in parts of the slowest, of blocks of several velocities that begin to slide. */
enum { ZW_CONTACT_MODE_PARTS = 1 + ZW_FRICTION_BLOCKS_MAX };
unsigned char zw_contact_mode_bit(const zw_contact_mode *stance, int part);
zw_contact_mode_answer zw_contact_modes_decide(zw_contact_modes *s, const bool *rests,
                                               const unsigned char *over, bool may_go_on,
                                               zw_contact_mode *stance, double *direction);
/* After that: is the force of this row a share of others on which it depends (zw_share), and which:
 * factors (ntouch). */
bool zw_contact_modes_is_share(const zw_contact_modes *s, int row, const double **factor,
                               double *constant);
/* Does the motion of these stances, as their blocks slide now, depend on how contacts share their
 * forces? */
bool zw_contact_modes_depend_on_shares(zw_contact_modes *s, const zw_contact_mode *stance);
/* After zw_contact_modes_settle: do blocks that slide still do so, the way that was decided? */
bool zw_contact_modes_agree(const zw_contact_modes *s, const zw_contact_mode *stance);

#endif
