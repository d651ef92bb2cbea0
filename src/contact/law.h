/* SPDX-License-Identifier: MIT */
/* The convex sets of friction: see law.c. Vectors have the rows of the block. */
#ifndef ZW_CONTACT_LAW_H
#define ZW_CONTACT_LAW_H

#include <math.h>

#include "base/tolerance.h"
#include "zwang/contact.h"

enum { ZW_LAW_MAX = ZW_FRICTION_ROWS_MAX };

/* D, its gradient and its second derivatives (rows x rows) at a direction y, not 0. */
typedef struct zw_law_support {
    double D;
    double gradient[ZW_LAW_MAX];
    double hessian[ZW_LAW_MAX * ZW_LAW_MAX];
} zw_law_support;
void zw_law_support_at(const zw_friction *f, const double *y, zw_law_support *out);

/* The gauge j of C at b (b is on the boundary of j C), y = grad(j^2/2), and B = Hess(D^2/2) at y,
 * which is the inverse map. */
typedef struct zw_law_gauge {
    double j;
    double y[ZW_LAW_MAX];
    double B[ZW_LAW_MAX * ZW_LAW_MAX];
} zw_law_gauge;
void zw_law_gauge_at(const zw_friction *f, const double *b, zw_law_gauge *out);
double zw_law_gauge_value(const zw_friction *f, const double *b);

/* The point of size C nearest to x. true: x is not in it. */
bool zw_law_nearest(const zw_friction *f, double size, const double *x, double *out);
/* The same in the metric in which squares are divided by rho (rows; equal for both slips of
 * Contensou's law). */
bool zw_law_nearest_in(const zw_friction *f, double size, const double *rho, const double *x,
                       double *out);
/* The force r of the law, smoothed or not (whole = mu r_N), and its slip v with r - x = rho v. */
void zw_law_resolve(const zw_friction *f, double whole, double smooth, const double *rho,
                    const double *x, double *out);

/* Two contacts in an impact: the effects of unit normal impulses on their normal velocities, and
 * the impulses. */
typedef struct zw_contact_pair {
    double first, second, both; /* W_11, W_22, W_12 */
    double P, Q;
} zw_contact_pair;
/* Does the second contact have an impulse caused by the first? Impulses of forces in a step are
 * small compared with it: ZW_PASSED_ON of what the first one causes separates the two. */
#define ZW_PASSED_ON 0.01
static inline bool zw_contact_passes_on(const zw_contact_pair *p) {
    bool coupled = fabs(p->both) > ZW_ROUNDOFF_SOLVED * sqrt(p->first * p->second);
    return coupled && p->second * p->Q > ZW_PASSED_ON * fabs(p->both) * p->P;
}

#endif
