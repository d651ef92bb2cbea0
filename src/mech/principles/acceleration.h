/* SPDX-License-Identifier: MIT */
/* Accelerations of the masses, from which Gibbs-Appell, Kane and Gauss start instead of T.
 *
 * A mass or inertia that depends on time or on a state loses or gains matter at rest: the force
 * that moves it is the rate of its momentum, m a + m' v and J alpha + J' w + w x J w, and S gets
 * the terms m' v.a and alpha.J' w. (Matter that leaves with another velocity exerts a thrust, which
 * is a force of the model.) A particle has a = d2r/dt2; a body has the acceleration a of its centre
 * of gravity and the angular acceleration alpha = dw/dt (own components, where w x w drops out). A
 * kinetic energy given as an expression, T = v'Mv/2 + a.v + T0, is that of a point on a Riemannian
 * manifold: its covariant acceleration is M v' + c with Christoffel symbols of the first kind,
 *     c_k = sum_ij (M_ki,j + M_kj,i - M_ij,k)/2 v_i v_j + (a_k,i - a_i,k) v_i + M_ki,t v_i + a_k,t
 *     - T0,k,
 * where ,t includes the rates of the states. */
#ifndef ZW_MECH_ACCELERATION_H
#define ZW_MECH_ACCELERATION_H

#include "principles.h"

/* A mass and its motion: inertial components for a, those of the body (or inertial) for alpha. */
typedef struct zw_mass_point {
    zw_expr mass;
    zw_expr v[3], a[3];
    bool turns;
    zw_expr J[6];           /* matrix entries xx yy zz xy xz yz; zero if it does not rotate */
    zw_expr w[3], alpha[3]; /* in the components of J */
    zw_expr gyro[3];        /* w x J w + J' w: the moment without angular acceleration */
    zw_expr drift[3];       /* m' v: the force without acceleration */
} zw_mass_point;

typedef struct zw_masses {
    int n;
    zw_mass_point *point;
    zw_expr *metric; /* nv x nv of the kinetic energy expression, NULL if there is none */
    zw_expr *bias;   /* c, nv */
} zw_masses;

zw_status zw_masses_of(zw_masses *out, const zw_equations *eq, const zw_system *s, zw_error *err);
/* Records the step with their velocities and accelerations. */
void zw_masses_report(const zw_masses *m, const zw_equations *eq);
/* The symbol of a component: kind(P.x). */
zw_expr zw_mass_component(const zw_equations *eq, const char *kind, int mass, int k);
/* J alpha */
void zw_mass_moment(zw_context *ctx, const zw_mass_point *m, const zw_expr alpha[3],
                    zw_expr out[3]);
/* The energy of acceleration S(v') with the accelerations `from` replaced by `to` (n of them). */
zw_expr zw_masses_energy(zw_context *ctx, const zw_masses *m, const zw_equations *eq, int n,
                         const zw_expr *from, const zw_expr *to);
/* d2S/dv'2, nv x nv: the mass matrix, for projections; NULL if out of memory. */
zw_expr *zw_masses_metric(zw_context *ctx, const zw_masses *m, const zw_equations *eq);

#endif
