/* SPDX-License-Identifier: MIT */
/* A contact on its way from the text to the system: what it moves by, then the laws on it. */
#ifndef ZW_LANG_BUILD_CONTACT_H
#define ZW_LANG_BUILD_CONTACT_H

#include "model.h"

enum { ZW_SLIPS_MAX = 2, ZW_MEETINGS_MAX = 8 };

/* A gap with the velocities that a law may resist. */
typedef struct zw_branch_points {
    zw_contact contact; /* its blocks are those of the laws */
    int nslip, nroll, ncontour;
    zw_expr slip[ZW_SLIPS_MAX];
    zw_expr spin; /* ZW_NULL: there is none */
    zw_expr roll[ZW_SLIPS_MAX];
    bool roll_is_speed;            /* m/s, not rad/s */
    zw_expr contour[ZW_SLIPS_MAX]; /* m/s: how the point of contact moves over the body */
    zw_expr watch; /* positive where contact.valid is, or the gap is open; ZW_NULL: always */
    bool aside;    /* one of three points, for which contour friction is silent */
    bool fixed;    /* a point of the body, which does not move over it */
} zw_branch_points;

/* What may be asked of a number. */
typedef enum zw_number_range { ZW_NOT_NEGATIVE, ZW_POSITIVE, ZW_PART /* 0 to 1 */ } zw_number_range;
/* A scalar of this dimension whose value, where it does not move, lies in the range now. */
zw_status zw_contact_number(zw_model *m, const zw_syntax *node, const char *what, zw_dim dim,
                            zw_number_range range, zw_expr *out);
zw_status zw_contact_in_range(zw_model *m, const zw_syntax *node, const char *what,
                              zw_number_range range, zw_expr e);

/* build_contact_law.c: the blocks and the restitution of the laws that the statement says. */
zw_status zw_contact_laws(zw_model *m, const zw_contact_text *say, zw_branch_points *meeting);
/* build_contact_geometry.c: n meetings of a geometry, each with name, place and sides of the
 * first. */
zw_status zw_contact_geometry(zw_model *m, const zw_stmt *s, int *n, zw_branch_points *meeting);
/* build_contact_check.c: refuse a velocity whose part along the normal is not the rate of the gap
 * where that is closed. */
zw_status zw_contact_check(zw_model *m, const zw_contact *c, const zw_expr velocity[3],
                           zw_place place);
/* Refuse a point of contact that does not move as gap and slips say along the normal and across
 * it. */
zw_status zw_contact_check_place(zw_model *m, const zw_branch_points *c, zw_place place);

#endif
