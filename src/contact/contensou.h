/* SPDX-License-Identifier: MIT */
/* The set of Coulomb and Contensou: see contensou.c. */
#ifndef ZW_CONTACT_CONTENSOU_H
#define ZW_CONTACT_CONTENSOU_H

/* The point of the boundary with normal (v, w), v and w >= 0 and not both 0. */
typedef struct zw_contensou {
    double F, T;  /* force and torque, as parts of mu N and mu N R */
    double chord; /* F/v, also for v = 0 */
    double bend;  /* F' v-w-symmetric: Hess D = chord (I - dd') + bend a a', */
    double a[2];  /* a = (a0 d, a1 sgn w) */
} zw_contensou;

zw_contensou zw_contensou_at(double nu, double v, double w);
/* the largest torque */
double zw_contensou_tip(double nu);

#endif
