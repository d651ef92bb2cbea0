/* SPDX-License-Identifier: MIT */
/* The pose of a body by the model, and the coordinates that give a measured one.
 *
 * A frame of the system has axes A(t, q) and an origin o(t, q). Coordinates that neither of them
 * contains are not observable. The others solve, by least squares,
 *
 *   sum over poses  |log(A_m A')|^2/sd_angle^2 + |o_m - o|^2/sd_place^2
 *       +  sum over points |r_m - o - A a|^2/sd_place^2      (1)
 *
 * by the Gauss-Newton method: with A_,k A' = [w_k]x the derivative of a rotation is -w_k, to the
 * order that residuals of noise need. Quaternions have unit length in addition. The covariance
 * is the inverse of the normal matrix; if that is singular, or an angle has a standard deviation
 * of more than ZW_POSED_SD, the coordinates are reported as not determined (gimbal lock). */
#ifndef ZW_DATA_TRACKING_BODY_POSE_H
#define ZW_DATA_TRACKING_BODY_POSE_H

#include "base/arena.h"
#include "zwang/system.h"

/* [rad]; a normal distribution of this width still lies within half a turn */
#define ZW_POSED_SD 0.3

/* Frames of the model as functions of t and q, with their derivatives. */
typedef struct zw_posed zw_posed;

/* For nframe frames at parameter values p; in the arena. */
zw_status zw_posed_create(zw_posed **out, zw_arena *arena, const zw_system *sys, int nframe,
                          const int *frame, const double *p, zw_error *err);
void zw_posed_destroy(zw_posed *b); /* clears what is not in the arena; NULL: nothing */
/* The observable coordinates, by index in the system. */
int zw_posed_unknowns(const zw_posed *b, const int **unknown);
/* Is the pose the same when unknown k grows by 2 pi? */
bool zw_posed_is_angle(const zw_posed *b, int k);
/* Pose of frame k (of those given) at all coordinates q (nq). */
void zw_posed_at(zw_posed *b, double t, const double *q, int k, double A[9], double o[3]);

typedef struct zw_posed_target {
    int k;             /* index of the frame */
    bool point;        /* a position only */
    double A[9], r[3]; /* A: orientation; r: position of the origin, or of the point */
    double a[3];       /* the point on the body */
    double sd_angle, sd_place;
} zw_posed_target;

typedef enum zw_posed_answer {
    ZW_POSED_FOUND,
    ZW_POSED_SINGULAR, /* *which: an unknown that is not determined */
    ZW_POSED_NONE      /* no convergence */
} zw_posed_answer;
/* q (nq): start of the iteration, and the solution. cov (n x n of the unknowns); chi2: (1). Nothing
 * is allocated. */
zw_posed_answer zw_posed_solve(zw_posed *b, double t, int ntarget, const zw_posed_target *target,
                               double *q, double *cov, double *chi2, int *which);

#endif
