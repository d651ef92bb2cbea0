/* SPDX-License-Identifier: MIT */
/* A contact on its way from the text to the system: first its gap and velocities, then its laws. */
#ifndef ZW_LANG_BUILD_CONTACT_H
#define ZW_LANG_BUILD_CONTACT_H

#include "lang/model.h"

enum { ZW_SLIPS_MAX = 2, ZW_CONTACTS_MAX = 8 };

/* A gap with the velocities that a law may resist. */
typedef struct zw_contact_kinematics {
    zw_contact contact; /* its blocks are those of the laws */
    int nslip, nroll, ncontour;
    zw_expr slip[ZW_SLIPS_MAX];
    zw_expr spin; /* ZW_NULL if there is none */
    zw_expr roll[ZW_SLIPS_MAX];
    bool roll_is_speed;            /* in m/s, not rad/s */
    zw_expr contour[ZW_SLIPS_MAX]; /* m/s: velocity of the point of contact over the body */
    zw_expr watch; /* positive where contact.valid is, or where the gap is open; ZW_NULL: always */
    bool aside;    /* one of three points, on which contour friction does not act */
    bool fixed;    /* a point of the body, which does not move over it */
} zw_contact_kinematics;

/* The allowed range of a number. */
typedef enum zw_number_range { ZW_NOT_NEGATIVE, ZW_POSITIVE, ZW_PART /* 0 to 1 */ } zw_number_range;
/* A scalar of this dimension whose value, if it does not move, is in the range. */
zw_status zw_contact_number(zw_model *m, const zw_syntax *node, const char *what, zw_dim dim,
                            zw_number_range range, zw_expr *out);
zw_status zw_contact_in_range(zw_model *m, const zw_syntax *node, const char *what,
                              zw_number_range range, zw_expr e);

/* build_contact_law.c: the blocks and the restitution of the laws in the statement. */
zw_status zw_contact_laws(zw_model *m, const zw_contact_text *spec,
                          zw_contact_kinematics *kinematics);
/* build_contact_geometry.c: the n contacts of a geometry, each with name, place and sides of the
 * first. */
zw_status zw_contact_geometry(zw_model *m, const zw_stmt *s, int *n,
                              zw_contact_kinematics *kinematics);
/* build_contact_check.c: rejects a velocity whose normal component is not the rate of the gap where
 * the gap is closed. */
zw_status zw_contact_check(zw_model *m, const zw_contact *c, const zw_expr velocity[3],
                           zw_place place);
/* Rejects a point of contact whose velocity differs from gap and slips in the normal and tangential
 * directions. */
zw_status zw_contact_check_place(zw_model *m, const zw_contact_kinematics *c, zw_place place);

#endif
