/* SPDX-License-Identifier: MIT */
/* The inside of a run, shared by the files of this folder. All arrays are slices of one block that
 * zw_run_create allocates; stepping allocates nothing. */
#ifndef ZW_NUM_INTERNAL_H
#define ZW_NUM_INTERNAL_H

#include "zwang/run.h"

typedef struct zw_num_cvode zw_num_cvode;

struct zw_run {
    zw_kernel *k;
    zw_allocator alloc;
    size_t bytes; /* of the block */
    zw_run_options options;

    /* what left the run last */
    double t;
    double *x;   /* nx */
    double *z;   /* nz */
    double *obs; /* nobs + 2 */
    bool started;
    zw_run_info info;
    zw_run_fault fault;
    zw_error trouble; /* the text of the fault met inside a step */

    /* kernel calls */
    double *cache; /* ncache */
    double *out;   /* k->nout */
    double *work;  /* k->nwork */

    /* accel.c: the scaled matrix K and what solves with it */
    double *K;     /* nz x nz */
    double *scale; /* nz: of the columns of K */
    double *row;   /* nz: of its rows */
    double *qdot;  /* nq */
    double *sides; /* nx right sides of nz for the Jacobian; scratch of the diagnosis */
    double *spare; /* nz */
    int *pivot;    /* nz */
    int *left_out; /* nc: 1 for a constraint row that depends on the others, or for an inequality
                      that holds strictly (pseudo kernels) */
    double *gauss; /* work of the minimisation (kernels with inequalities) */
    int *gauss_places; /* its ints */

    /* project.c */
    double *L;        /* nv x nv: factor of the metric */
    double *rows;     /* (max(nq, nv) + max(npos, nvel)) x nv: fixed entries, then constraints */
    double *residual; /* as many */
    double *tau;      /* nv */
    double *step;     /* nv: correction of the velocities or of the quasi-coordinates */
    double *trial;    /* nx */
    double *point;    /* nx */
    int *order;       /* as many as rows */

    /* run.c */
    double *candidate; /* nx: a state on its way into or out of the run */

    /* stepper_cvode.c */
    zw_num_cvode *cvode;
    double *y;      /* nx: the state CVODE hands out */
    double *step_z; /* nz at the states CVODE asks for */
    int *fired;     /* nevt: events of the last root, not yet told */
    int *resting;   /* nevt: sign of an event function at rest at zero */
    double *reach;  /* nevt: largest value of each event function so far */
    double *eigen_re, *eigen_im, *eigen_work; /* nx, nx, work of the eigenvalues */
    double *jacobian;                         /* nx x nx */
};

/* accel.c. v' and lambda (z, nz) and q' at (t, x). ZW_E_SINGULAR, ZW_E_NONFINITE: run->fault says
 * which row. */
zw_status zw_num_accel(zw_run *run, double t, const double *x, double *qdot, double *z,
                       zw_error *err);
/* J(i, j) = d x'_i / d x_j into J[i + j ld] (by columns). */
zw_status zw_num_jacobian(zw_run *run, double t, const double *x, double *J, int ld, zw_error *err);

/* project.c. Move x onto phi = 0, unit quaternions and psi = 0. fixed may be NULL. */
zw_status zw_num_project(zw_run *run, double t, double *x, const bool *fixed, zw_error *err);
/* The same with the rows of the start beside the constraints: for the first state of a run. */
zw_status zw_num_project_start(zw_run *run, double t, double *x, const bool *fixed, zw_error *err);
/* Largest |phi| and |psi| at (t, x). */
void zw_num_residuals(zw_run *run, double t, const double *x, double *position, double *velocity);

/* stepper_cvode.c. State of the integrator behind a run; start may allocate (SUNDIALS' memory). */
zw_status zw_num_cvode_create(zw_run *run, zw_error *err);
void zw_num_cvode_destroy(zw_run *run);
zw_status zw_num_cvode_start(zw_run *run, zw_error *err);
/* Integrate to t_out or to an event; the time and the state (not yet projected) are in *t, run->y. */
zw_status zw_num_cvode_advance(zw_run *run, double t_out, double *t, zw_error *err);
void zw_num_cvode_statistics(const zw_run *run, zw_run_info *info);

/* Record a fault, replacing an earlier one. */
void zw_num_fault(zw_run *run, zw_fault_kind kind, int index, double t, double value);
/* Tell the caller of a step what happened inside it; returns the status to return. */
zw_status zw_num_pass_on(const zw_error *trouble, zw_error *err);

#endif
