/* SPDX-License-Identifier: MIT */
/* What the sources of the study of branches share; zwang/equilibria.h states what it does. */
#ifndef ZW_MOTION_EQUILIBRIA_BRANCHES_H
#define ZW_MOTION_EQUILIBRIA_BRANCHES_H

#include "base/arena.h"
#include "equilibria.h"
#include "motion/parameter_range.h"
#include "zwang/equilibria.h"

/* Imperfection of a branch point, of the rates: rounding, 45 eps. */
#define ZW_BRANCHES_ROUNDING 1e-14

/* Points and curves: curve k has n points from `first` on. */
typedef struct zw_branches_list {
    int n, capacity, ncurve, curve_capacity;
    zw_branches_point *point;
    zw_branches_curve *curve;
} zw_branches_list;

struct zw_branches {
    zw_arena arena;
    const zw_system *sys;
    zw_branches_options options;
    zw_equilibria_options motion;
    zw_parameter_range over, second;
    bool has_second, has_start;
    zw_equilibria *e;
    zw_steady_way path; /* the steady motion as a function of the value */
    zw_steady_curve *curve;
    double *width;                /* nq: sizes of the coordinates by their units */
    double *found;                /* nq: the largest of the motions that were found */
    double *period;               /* nx: full turns of entries of the state; 0: none */
    int ns;                       /* symmetries */
    double at_second, own_second; /* value of the flow, and of the model */
    zw_branches_list branch;      /* branches of steady motions */
    zw_branches_list mark;        /* curves of folds and Hopf points */
    zw_branches_list *target;     /* the list to which points are added */
    int kept;                     /* not used */
    bool skip;                    /* the first point is known from the other side */
    bool test_new;                /* whether the curve is new is to be decided */
    int new_from; /* by a point a little further on, all from this one; -1: by the first point */
    bool known;   /* the curve is not new */
    bool stopped;
    int lost_starts;  /* motions of a search whose curve could not be followed */
    double closeness; /* factor on the distance of what counts as the same branch, 1 or less */
    int unswitched;   /* branch points at which no other branch was found */
    double unswitched_at;
    char unswitched_why[200];
    int overlaps; /* ends of branches on others */
    double overlaps_at;
    int too_many; /* branch points that were left out */
    /* pairs of eigenvalues that are opposite at all points: no Hopf points of these */
    int neutral;
};

/* Does a curve turn without a fold, or change its number of growing eigenvalues without a special
 * point? Then one was missed. */
bool zw_branches_contradicts(const zw_branches *s, const zw_branches_curve *c);
void zw_branches_reverse(zw_branches_list *l, int first);
/* Add a point of zw_steady_curve to the list; user: a zw_branches. */
zw_status zw_branches_take(void *user, const zw_steady_point *p, zw_error *err);
/* The point in the form of zw_steady_curve; `motion` is filled. */
zw_steady_point zw_branches_point_of(const zw_branches *b, const zw_branches_point *p,
                                     zw_steady *motion);

/* The linear equations (zw_linearisation_clear) at the motion near x (nx) at a value; x becomes the
 * motion. */
zw_status zw_branches_linearise(zw_branches *s, double value, double *x, zw_linearisation *out,
                                zw_error *err);
/* The number of growing eigenvalues at x (nx), on a branch on which `zeros` eigenvalues are always
 * zero; -1 if undecided. stable: all others decay. */
void zw_branches_judge(zw_branches *s, const zw_linearisation *a, const double *x, int zeros,
                       int *growing, bool *stable);
/* Set parameters and held values to a value. */
zw_status zw_branches_set_value(zw_branches *s, double value, zw_error *err);

/* branches_known.c: does a known branch pass the motion x (nx) at a value, or one of its images
 * under symmetries? */
bool zw_branches_is_known(zw_branches *s, const double *x, double value);
/* The same for a motion displaced by several symmetries at once: rotated and translated, for
 * instance. The parameters have the value. */
zw_status zw_branches_is_displaced(zw_branches *s, const double *x, double value, bool *yes,
                                   zw_error *err);
/* d, a difference of entry j of two states, modulo full turns. */
double zw_branches_wrap(const zw_branches *s, int j, double d);
/* branches_sizes.c: sizes of the state, given n further motions x (n x nx). */
void zw_branches_size_states(zw_branches *s, int n, const double *x);
/* branches_write.c: does point i coincide with a special point next to it, so that its eigenvalues
 * mean nothing? */
bool zw_branches_is_at_special(const zw_branches *s, int i);

#endif
