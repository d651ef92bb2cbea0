/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/floquet. */
/* What the numerics of curves and of periodic motions say in the results of studies. The solvers
 * themselves are private: src/branch/curve.h, src/motion/segments/periodic.h,
 * src/motion/harmonic/balance.h. */
#ifndef ZWANG_MOTION_H
#define ZWANG_MOTION_H

#include <stdbool.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- where a curve of solutions ended ---- */

typedef enum zw_cont_end {
    ZW_CONT_GOES_ON,
    ZW_CONT_AT_BOUND, /* a has left its range: the last point is on its bound */
    ZW_CONT_CLOSED,   /* the curve came back to its start */
    ZW_CONT_POINTS,   /* as many points as were asked for */
    ZW_CONT_ASKED,    /* whoever takes the points wanted no more */
    ZW_CONT_STUCK     /* no step, however short, finds a next point */
} zw_cont_end;

typedef struct zw_cont_info {
    zw_cont_end end;
    int points, located, rejected;
    int lost;      /* changes of sign of test functions that are no zeros, or were not found */
    long factored; /* matrices */
    double step;   /* the last one */
    char why[256]; /* ZW_CONT_STUCK: what the last attempt said; else empty */
    int rough;     /* zeros of test functions near which no points were found: located roughly, */
    double rough_at, rough_by; /* the first of them at this a, to about so much of it */
    /* steps that were rejected and taken at last, since shorter ones were rejected as well, */
    int unsplit;
    double unsplit_at, unsplit_by; /* the first of them about this a, so long */
} zw_cont_info;

/* ---- multipliers of a periodic motion ---- */

typedef enum zw_floquet_verdict {
    ZW_FLOQUET_UNDECIDED, /* some |mu| is 1 within margin and error, none is beyond */
    ZW_FLOQUET_STABLE,
    ZW_FLOQUET_UNSTABLE
} zw_floquet_verdict;

typedef struct zw_floquet {
    int nx, n;                /* entries of the state, multipliers */
    double period;            /* s */
    double *re, *im;          /* n multipliers, the largest |mu| first, pairs together */
    double *error;            /* n: by which they may be wrong */
    double *exponent, *angle; /* n: log |mu| / period (1/s), arg mu / period (rad/s) */
    /* nx x n: eigenvectors at the start as disturbances of the state, in columns of length 1 */
    double *vector_re, *vector_im;
    double *T;       /* nx x n: the basis at the start */
    double *M;       /* n x n: the product as it is; small multipliers may be lost in it */
    double accuracy; /* the largest error/max(1, |mu|) */
    double
        liouville; /* |sum log |mu| - integral of tr df/dx|, 0 but for errors; NaN where the motion
                         sticks on its way, so that a mu is 0, or derivatives are differences */
    int trivial;   /* of an autonomous system: which one is 1; else -1 */
    int outside;   /* how many are beyond 1, margin and error */
    zw_floquet_verdict verdict;
    int intervals, chunks;            /* steps over the period, factors that M was kept in */
    struct zw_floquet_memory *memory; /* private */
} zw_floquet;

/* ---- a periodic motion found by shooting ---- */

/* Where the derivatives of phi came from. */
typedef enum zw_shooting_derivative {
    ZW_SHOOTING_EXACT,     /* linear equations; the rates are continuous along the motion */
    ZW_SHOOTING_SALTATION, /* linear equations, and saltation matrices where the rates jump */
    /* central differences of runs: asked for, or rates jump in several ways at once */
    ZW_SHOOTING_DIFFERENCES
} zw_shooting_derivative;

typedef struct zw_shooting {
    int nx, nodes;
    double start, period; /* s */
    double *x;            /* nx: the state at the start */
    double *node;         /* nodes x nx */
    double residual;      /* the largest |phi_k - x_k+1| left, in units of scale */
    int iterations;
    zw_shooting_derivative derivative;
    int jumps;          /* of the rates over the period */
    zw_floquet floquet; /* multipliers of the motion */
    /* nquantity: change over the period of ignorable coordinates and of observables of them; 0 for
     * others. Means, extremes and harmonics are without it */
    double *drift;
    /* the motion over one period, for the entries of x, then what is reported, T and V: nquantity =
     * nx + nobs + 2 */
    int nquantity, harmonics;
    double *mean, *rms, *max, *min; /* nquantity */
    /* nquantity x (harmonics + 1): sum_k cosine_k cos(k w t) + sine_k sin(k w t), w = 2 pi/P */
    double *cosine, *sine;
    int nsample;
    double *sample;                    /* nsample x nx, at start + i P/nsample */
    long steps;                        /* of the run over the last period */
    struct zw_shooting_memory *memory; /* private */
} zw_shooting;

/* ---- bifurcations of periodic orbits ---- */

typedef enum zw_cycle_kind { ZW_CYCLE_FOLD, ZW_CYCLE_FLIP, ZW_CYCLE_TORUS } zw_cycle_kind;

typedef struct zw_cycle_normal {
    zw_cycle_kind kind;
    double re, im;      /* mu */
    double coefficient; /* b, c or Re d */
    double imaginary;   /* Im d; 0 of others */
    /* NaN: not asked for; of the coefficient: what a mesh of half as many intervals changes */
    double error;
    double size;   /* of the terms that it is a sum of: below 1e-6 of it, it counts as zero */
    int resonance; /* of a Neimark-Sacker point: 1 to 4 if mu^k is nearly 1, else 0 */
} zw_cycle_normal;

/* ---- orbits through events ---- */

/* How far an orbit is from none: all positive, or it is no motion of the system. */
typedef struct zw_segmented_margins {
    /* the least of the slopes with which events are met, of the largest slope on the way there: 0
     * where the motion touches the surface, */
    double crossing;
    int crossing_segment;
    /* the least distance from a surface of an event that is not met, of the largest: 0 where the
     * motion touches it; NaN: there is none */
    double clearance;
    int clearance_segment, clearance_event; /* number among those of `watch` */
    /* the least duration, of the period: 0 where two events meet; NaN of one segment */
    double shortest;
    int shortest_segment;
    double slack; /* the least of `slack` of the owner; NaN: there is none */
    int slack_segment;
    double misfit; /* how well event functions were followed between samples, of their size */
} zw_segmented_margins;

/* ---- connecting orbits ---- */

typedef enum zw_connection_fate {
    ZW_CONNECTION_PASSES,  /* comes near the other end and goes on to a side */
    ZW_CONNECTION_LEAVES,  /* goes away without bound, or to where there are no rates */
    ZW_CONNECTION_RESTS,   /* comes to rest elsewhere */
    ZW_CONNECTION_WANDERS, /* is on its way still */
} zw_connection_fate;

typedef struct zw_splitting {
    zw_connection_fate fate;
    /* of the other end that it passes, 1 or -1, also where it comes to rest close by, or stays
     * there; of a homoclinic one 1 is the side from which it came. 0: it does not pass */
    int side;
    /* ZW_CONNECTION_LEAVES: the side to which it has gone, by the same eigenvector; else 0 */
    int away;
    double nearest,
        farthest; /* distances from there: when it passes, and before; in the sizes of the state */
    double time;  /* from the start to the passage, s */
} zw_splitting;

/* The boundary value problem from the shot to this side at about these values: *a becomes the value
 * of the connection. info NULL: of a curve, which begins with ends as far away as the shot comes
 * near, and of which nothing is judged. */
typedef struct zw_connection_info {
    int intervals;
    double time;        /* T, s */
    double distance[2]; /* of the ends, of the size of the orbit */
    double mesh;        /* the error between nodes, of the size of the orbit */
    double by_ends;     /* change of a where both ends are twice as far away, */
    double by_mesh;     /* and on a mesh half as fine */
} zw_connection_info;

/* ---- periodic motions that minimise Gauss's integral ---- */

typedef enum zw_gauss_weight {
    ZW_GAUSS_MASS,         /* (q'' - a)' M (q'' - a) */
    ZW_GAUSS_ACCELERATION, /* |q'' - a|^2: of one mass, the same divided by it */
    ZW_GAUSS_FORCE         /* |M q'' - h|^2: the residual of the equations */
} zw_gauss_weight;

typedef enum zw_gauss_method {
    /* with damping (Levenberg, Marquardt); exact second derivatives, if the kernel has them, where
     * it takes too many steps */
    ZW_GAUSS_GAUSS_NEWTON,
    ZW_GAUSS_NEWTON,     /* the same with exact second derivatives; needs ZW_FN_SECOND */
    ZW_GAUSS_BFGS,       /* of NLopt */
    ZW_GAUSS_NELDER_MEAD /* of NLopt */
} zw_gauss_method;

typedef struct zw_gauss_result {
    double value;    /* G_int */
    double defect;   /* what the violated constraints add to what is minimised */
    double gradient; /* length of the gradient */
    double error;    /* of G_int with the defect, from the sum over twice as many points */
    int iterations, evaluations;
    bool converged;
} zw_gauss_result;

typedef enum zw_gauss_verdict {
    ZW_GAUSS_MOTION,        /* G_int falls to zero, and an orbit is near */
    ZW_GAUSS_NOT_CONVERGED, /* neither is certain with this many harmonics */
    ZW_GAUSS_GHOST          /* G_int stays, and no orbit is near */
} zw_gauss_verdict;

enum { ZW_GAUSS_LEVELS = 8 };
typedef struct zw_gauss_judgement {
    zw_gauss_verdict verdict;
    int levels; /* the minimum, then with harmonics to 2 h + 1 instead of h, and so on */
    int top[ZW_GAUSS_LEVELS];      /* highest harmonic */
    double value[ZW_GAUSS_LEVELS]; /* G_int, with what violated constraints add */
    double rms[ZW_GAUSS_LEVELS];   /* of the functions together */
    double moved;                  /* rms distance from the minimum to that of the last level */
    /* rms length of two steps of Newton's method for the balance of harmonics of the last level,
     * from there */
    double step[2];
    bool orbit;      /* did they go on to an orbit? */
    double distance; /* rms distance from the last level to it; infinite: there is none */
    double orbit_rms;
    char text[320];
} zw_gauss_judgement;

typedef enum zw_gauss_solver { ZW_GAUSS_BARRIER, ZW_GAUSS_IPOPT } zw_gauss_solver;

/* What a unilateral constraint would demand besides value <= limit: a force lambda >= 0 that is
 * zero off the limit. The minimisation knows neither. */
typedef struct zw_gauss_bounded {
    zw_gauss_result result;
    int n;               /* bounds x points; the arrays belong to g, until the next minimisation */
    const double *tau;   /* n: phases, 0 .. 2 pi */
    const double *slack; /* n: sign*(limit - value) */
    const double *multiplier; /* n: of the minimisation, >= 0 */
    /* n: lambda, the force against the bound that the trial motion needs: -e along the bound's
     * gradient */
    const double *force;
    double violation; /* the largest one at all times */
    double force_low, force_high;
    double complementarity; /* largest |lambda slack| */
    bool touches;           /* a bound is met, up to 1e-5 of its size */
    bool broken; /* lambda < 0 somewhere, or lambda slack is not small: no motion along a wall */
    /* equidistant phases 2 pi i/nall, at which slack and force of bound b are entry i nbound + b
     * of */
    int nall;
    const double *all_slack, *all_force;
    char text[320];
} zw_gauss_bounded;

#ifdef __cplusplus
}
#endif
#endif
