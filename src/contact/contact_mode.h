/* SPDX-License-Identifier: MIT */
/* Contacts at an instant at which their modes (zw_contact_mode: open, sticking, sliding) change:
 * impacts, and the modes after them.
 *
 * The equations without contacts, M v' = h + C lambda, W v' = b, give the effect of forces r in the
 * rows gamma = H v + ... of the contacts: the accelerations change by B' r, the rows by A r,
 *
 *     (M -C; W 0) (B', .) = (H', 0),  A = H B',  gamma' = gamma'_free + A r.  (1)
 *
 * Impact. With gamma- before and gamma+ = gamma- + A P after it, xi = gamma+ + e gamma- and P obey
 * the laws of zwang/contact.h: Newton's law for all contacts that touch.
 *
 * Modes. Each contact that touches and does not separate can be open, or closed with every resting
 * block of friction sticking, sliding in one direction or the other, or resting without a force. If
 * the modes of all contacts are given, (1) is linear: gamma'_N = 0 where closed, gamma'_i = 0 where
 * stuck, r_i = a_i r_N + c_i where it slides. The modes are consistent if
 *
 *     r_N >= 0 (closed),  gamma'_N >= 0 (open),  friction in its cone (stuck),  slip along d.
 *
 * All combinations are tried, which shows whether one, several or none are consistent (Painleve's
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

/* Accuracy of a state: velocities are known to rtol reach + atol, the coordinates that they change
 * to rtol size + atol. */
typedef struct zw_contact_mode_accuracy {
    const double *reach, *size; /* nv */
    double rtol, atol;
} zw_contact_mode_accuracy;
/* At the state x = (q, v). */
zw_status zw_contact_modes_at(zw_contact_modes *s, zw_flow *flow, double t, const double *x,
                              const zw_contact_mode_accuracy *accuracy, zw_error *err);
/* At that state: gaps (ncontact) and their accuracy, rates (ntouch) and their accuracy, the rates
 * due to moving supports, the numbers of the laws. Owned by s. */
const double *zw_contact_modes_gap(const zw_contact_modes *s);
const double *zw_contact_modes_gap_known(const zw_contact_modes *s);
const double *zw_contact_modes_rate(const zw_contact_modes *s);
const double *zw_contact_modes_known(const zw_contact_modes *s);
const double *zw_contact_modes_support(const zw_contact_modes *s);
const double *zw_contact_modes_law(const zw_contact_modes *s);
/* weight: the normal force that would hold contact i alone. jams: can a normal force grow without
 * limit in these modes? */
double zw_contact_modes_weight(const zw_contact_modes *s, int contact);
bool zw_contact_modes_jams(zw_contact_modes *s, const zw_contact_mode *mode);
/* The largest acceleration that friction of several velocities can cause at such forces. */
double zw_contact_modes_brake(const zw_contact_modes *s);
/* The effect of the normal force of contact i on its gap, friction included, as a fraction of the
 * effect without friction: 0 or less in Painleve's paradoxes. */
double zw_contact_modes_push_back(zw_contact_modes *s, const zw_contact_mode *mode, int contact);
/* Does no velocity change its gap? */
bool zw_contact_modes_is_flat(const zw_contact_modes *s, int contact);
/* Does contact i separate so slowly that it closes again before its gap exceeds its accuracy, if
 * the others have these modes (ncontact)? */
bool zw_contact_modes_returns(zw_contact_modes *s, const zw_contact_mode *others, int contact);

/* The impact of the contacts that touch (ncontact): impulses P (ntouch); the rates are those after
 * it. Contacts with plastic[i] (may be NULL: none) have no restitution. zw_contact_modes_back
 * restores earlier rates (ntouch). */
zw_status zw_contact_modes_impact(zw_contact_modes *s, const bool *touching, const bool *plastic,
                                  double *P, zw_contact_answer *answer, zw_error *err);
void zw_contact_modes_back(zw_contact_modes *s, const double *rate);
/* Has the collision of contact i in an impact with impulses P been passed on to contact j, both
 * with restitution? */
bool zw_contact_modes_passes_on(const zw_contact_modes *s, int i, int j, const double *P);
/* The impulse P (ntouch) that stops contact i (its gap rate and all velocities with friction); true
 * if its laws allow this impulse. */
bool zw_contact_modes_stop(zw_contact_modes *s, const bool *touching, int contact, double *P);
/* Impulses P that give the velocities the values required by the modes, sliding friction included;
 * blocks that begin to slide (after zw_contact_modes_decide) get the velocities `slip` (ntouch). */
zw_status zw_contact_modes_settle(zw_contact_modes *s, const zw_contact_mode *mode,
                                  const double *slip, double *P, zw_error *err);
/* The fault of the law of a contact, given the numbers of all laws, and its value; NULL if none
 * (jump.c). */
const char *zw_contact_wrong_numbers(const zw_contact_form *f, const double *number, double *value);
/* Friction (nrow) of a block that slides with velocities u under the normal force N; `number` are
 * those of its law. */
void zw_contact_mode_friction(zw_friction_kind kind, int nrow, double nu, const double *number,
                              const zw_contact_mode *mode, int block, const double *u, double N,
                              double *out);
/* v (nv) += B' P */
void zw_contact_modes_push(const zw_contact_modes *s, const double *P, double *v);

typedef enum zw_contact_mode_answer {
    ZW_CONTACT_MODE_ONE,
    /* the modes before: contacts share their forces differently, and no mode has ended */
    ZW_CONTACT_MODE_GOES_ON,
    /* several with different accelerations; chosen: the mode before, else no force before sticking
     * before sliding */
    ZW_CONTACT_MODE_SEVERAL,
    /* one, but the motion depends on the distribution of forces that rigid bodies leave open */
    ZW_CONTACT_MODE_SHARES,
    ZW_CONTACT_MODE_NONE
} zw_contact_mode_answer;
/* mode (ncontact): in: before; out: after. Contacts with rests[i] are decided, the others are open.
 * over (ncontact x ZW_CONTACT_MODE_PARTS): the modes that have just ended of a contact (open,
 * closed) and of its blocks, sums of zw_contact_mode_bit; they are chosen again only if nothing
 * else is consistent, or, if they may continue, where contacts can share their forces differently.
 * direction (ntouch), out: the velocities, relative to the slowest, of blocks of several velocities
 * that begin to slide. */
enum { ZW_CONTACT_MODE_PARTS = 1 + ZW_FRICTION_BLOCKS_MAX };
unsigned char zw_contact_mode_bit(const zw_contact_mode *mode, int part);
zw_contact_mode_answer zw_contact_modes_decide(zw_contact_modes *s, const bool *rests,
                                               const unsigned char *over, bool may_go_on,
                                               zw_contact_mode *mode, double *direction);
/* After zw_contact_modes_decide: is the force of this row a share of the forces of rows on which it
 * depends (zw_share)? factor (ntouch): its share of each. */
bool zw_contact_modes_is_share(const zw_contact_modes *s, int row, const double **factor,
                               double *constant);
/* Does the motion in these modes, with the present slip directions, depend on how contacts share
 * their forces? */
bool zw_contact_modes_depend_on_shares(zw_contact_modes *s, const zw_contact_mode *mode);
/* After zw_contact_modes_settle: do sliding blocks still slide in the direction that was
 * decided? */
bool zw_contact_modes_agree(const zw_contact_modes *s, const zw_contact_mode *mode);

#endif
