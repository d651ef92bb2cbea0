/* SPDX-License-Identifier: MIT */
/* How the errors of the orders of an expansion are reported: a line for each value of the small
 * parameter, and the powers with which they decrease. */
#ifndef ZW_SLOW_ORDER_ERRORS_H
#define ZW_SLOW_ORDER_ERRORS_H

#include "zwang/manifold.h"
#include "zwang/report.h"

typedef struct zw_order_errors {
    const char *key, *title;  /* of the object; the sentence before the lines */
    const char *small, *unit; /* of the parameter */
    int norder, nlevel;       /* orders 0 to norder - 1, values of the parameter */
    const double *eps;        /* nlevel */
    int npoint;
    const double (*error)[ZW_MANIFOLD_ORDER_MOST + 1]; /* nlevel rows */
    const double *power;                               /* norder */
    struct {
        const char *key, *title;
        const double *value; /* nlevel */
        bool hidden;         /* not in words */
    } further[2];            /* further columns; NULL: no more */
} zw_order_errors;

void zw_order_errors_report(zw_report *out, const zw_order_errors *e);

#endif
