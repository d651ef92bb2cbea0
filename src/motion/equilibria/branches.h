/* SPDX-License-Identifier: MIT */
/* What the files of the study of branches share; what it is, zwang/equilibria.h says. */
#ifndef ZW_MOTION_EQUILIBRIA_BRANCHES_H
#define ZW_MOTION_EQUILIBRIA_BRANCHES_H

#include "base/arena.h"
#include "equilibria.h"
#include "motion/parameter_range.h"
#include "zwang/equilibria.h"

#define ZW_BRANCHES_ROUNDING 1e-14 /* of the rates: an imperfection that is none */

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
    zw_steady_way way;
    zw_steady_curve *curve;
    /* nq: sizes of the state as they are by their units; the largest of motions that were found */
    double *width, *found;
    double *period;               /* nx: whole turns of entries of the state; 0: none */
    int ns;                       /* symmetries */
    double at_second, own_second; /* value of the flow, and of the model */
    zw_branches_list branch, mark;
    zw_branches_list *into; /* where points go */
    int kept;               /* points of the curve that is followed */
    bool skip;              /* the first point is known from the other side */
    bool beside;            /* the first point decides whether the curve is new, */
    int side;   /* or one a little further, behind the points from this one on; -1: none */
    bool known; /* it is not */
    bool stopped;
    int lost_starts; /* motions of a search that have no curve */
    double nearness; /* of what counts as the same branch: 1, less for a second look */
    int unswitched;  /* branch points at which no other branch was found, */
    double unswitched_at;
    char unswitched_why[200];
    int overlaps; /* ends of branches on others, */
    double overlaps_at;
    int too_many; /* branch points that were left out */
    int neutral;  /* pairs of eigenvalues that are always opposite: no Hopf points of these */
};

/* Does a curve turn without a fold, or change its number of unstable eigenvalues without a special
 * point? Then one was missed. */
bool zw_branches_contradicts(const zw_branches *s, const zw_branches_curve *c);
void zw_branches_reverse(zw_branches_list *l, int first);
/* Takes points of zw_steady_curve; user: the study. */
zw_status zw_branches_take(void *user, const zw_steady_point *p, zw_error *err);
/* The point as zw_steady_curve takes it; motion has room. */
zw_steady_point zw_branches_point_of(const zw_branches *b, const zw_branches_point *p,
                                     zw_steady *motion);

/* At a value, from about x (nx), which becomes the motion there: its linear equations
 * (zw_linearisation_clear). */
zw_status zw_branches_linearise(zw_branches *s, double value, double *x, zw_linearisation *out,
                                zw_error *err);
/* How many eigenvalues grow at x (nx), on a branch of which so many are zero all along; -1: some
 * may or may not. Does all else die out? */
void zw_branches_judge(zw_branches *s, const zw_linearisation *a, const double *x, int zeros,
                       int *growing, bool *stable);
/* The flow and what is held at a value. */
zw_status zw_branches_go_to(zw_branches *s, double value, zw_error *err);

/* branches_known.c: does a known branch pass the motion x (nx) at a value, or what symmetries make
 * of it? */
bool zw_branches_is_known(zw_branches *s, const double *x, double value);
/* The same of a motion that symmetries displace, together: turned and shifted. The parameters have
 * the value. */
zw_status zw_branches_is_displaced(zw_branches *s, const double *x, double value, bool *yes,
                                   zw_error *err);
/* d, a difference of entry j of two states, without whole turns. */
double zw_branches_wrap(const zw_branches *s, int j, double d);
/* branches_sizes.c: sizes of the state, where n further motions x (n x nx) were found. */
void zw_branches_size_states(zw_branches *s, int n, const double *x);
/* branches_write.c: is point i as good as at a mark beside it, where its eigenvalues say
 * nothing? */
bool zw_branches_at_mark(const zw_branches *s, int i);

#endif
