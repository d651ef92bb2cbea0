/* SPDX-License-Identifier: MIT */
/* The object of periodic orbits (zwang/orbits.h) and what its sources share. */
#ifndef ZW_MOTION_ORBITS_ORBITS_H
#define ZW_MOTION_ORBITS_ORBITS_H

#include "base/arena.h"
#include "base/text.h"
#include "bifurcation_curves.h"
#include "branch/curve.h"
#include "claims/structure/kept_quantities.h"
#include "motion/attitude_turn.h"
#include "motion/branch_check.h"
#include "motion/segments/periodic.h"
#include "motion/singular_motions.h"
#include "orbit_normal.h"
#include "zwang/orbits.h"

typedef struct zw_orbits_branch {
    int first, n; /* its orbits */
    zw_cont_end end[2];
    char why[2][256];
    double hopf;           /* the Hopf point where it is born; NaN if elsewhere */
    bool shrinks[2];       /* it ends where the orbit shrinks to a point: a Hopf point */
    bool slows[2];         /* it ends where the period grows without bound */
    int times;             /* its orbits close after this number of base periods */
    zw_bifurcation origin; /* where it leaves another branch; ZW_BIFURCATION_POINT if nowhere */
    double origin_value;   /* value of the parameter there */
    bool mirrored;         /* its mirror image leaves there, too */
    int parent, meets;     /* the branch that it leaves, and the one on which it ends; -1 if none */
    zw_unresolved open;    /* special points that were located only roughly */
} zw_orbits_branch;

/* Families of orbits without a parameter (orbits_family.c). */
typedef enum zw_family_kind {
    ZW_FAMILY_NONE,
    ZW_FAMILY_ENERGY,
    ZW_FAMILY_PERIOD,
    ZW_FAMILY_MAX,
    ZW_FAMILY_MIN
} zw_family_kind;

typedef struct zw_orbits_family {
    zw_family_kind kind;
    int coordinate;       /* whose extreme value is the parameter */
    int observable;       /* conserved in place of the energy, counted from 1; 0 if none */
    const zw_system *sys; /* with the damping as its last parameter */
    zw_expr damping, integral;
    zw_expr *slope;  /* nx: derivatives of the integral */
    zw_expr *symbol; /* nsymbol: state and parameters */
    int nsymbol;
    double *number, *state; /* nsymbol: values of the symbols; 2 nx */
    zw_cont_problem own;    /* of collocation */
    double *Fx, *row, row_a;
} zw_orbits_family;

/* Orbits that are their own image half a period later (symmetric_orbit.c): x is their first
 * half. */
typedef struct zw_orbits_half {
    bool on;
    double *S, *inverse, *s, *state; /* nx x nx, nx x nx, nx, nx */
} zw_orbits_half;

/* Continuous symmetries up to which orbits close (orbits_group.c). */
typedef struct zw_orbits_group {
    int n;               /* symmetries in use */
    int all;             /* symmetries in the arrays, those in use first */
    int nfield;          /* vector fields that they are combinations of */
    double *L, *b;       /* all x nx x nx, all x nx */
    double *theta;       /* n: by which an orbit comes back transformed */
    double *rate, last;  /* of theta along a motion, and the time at which it was found */
    double *combination; /* all x nfield */
    double *size;        /* nx: of the state */
    bool *moved;         /* nx: entries that one of the symmetries moves */
    double *wraps;       /* nx: as zw_orbits.wraps, of the equations alone */
    double *work;
    bool steady; /* the motion moves along a symmetry: every time is a period */
} zw_orbits_group;

/* What the continuation of branches could not resolve. */
typedef struct zw_orbits_open {
    int unresolved; /* places where a turn of the branch is within round-off */
    double unresolved_value, unresolved_by, unresolved_period[2]; /* the first of them */
    /* steps without a special point between orbits that are their own images half a period later
     * and orbits that are not */
    int broken;
    double broken_from, broken_to; /* the first of them */
    int unclear;                   /* turns that are neither folds by their multipliers nor ends */
    double unclear_value;          /* the first of them */
    /* pieces of branches in which more multipliers cross the unit circle than special points were
     * located */
    int unsplit;
    double unsplit_value, unsplit_by; /* the first of them, and its width */
    /* places where multipliers may cross -1 or the unit circle twice in a step */
    int near_passages;
    double near_value; /* the first of them */
    bool near_flip;    /* the first of them is at -1 */
} zw_orbits_open;

struct zw_orbits {
    zw_arena arena; /* what is found: as long as the study */
    zw_arena work;  /* what following a branch needs: released when it ends */
    const zw_system *sys;
    zw_system on_leaf; /* sys on the leaf of its start */
    zw_kept kept;      /* conserved quantities of driven models */
    int nhidden;       /* integrable velocity constraints without a formula for their positions */
    zw_orbits_options options;
    zw_parameter_range over; /* of a family: no parameter (-1) */
    zw_orbits_family family;
    zw_orbits_half half;
    zw_orbits_group group;
    bool conserves; /* energy is conserved on its motions */
    /* dimensions of the family of an orbit where the parameter does not follow it */
    int free;
    double leftover; /* closure error in the directions of its integrals, relative to its size */
    double *values;  /* nvalue: of options.values */
    int nvalue;
    int along;    /* the parameter of the kernel that changes */
    double value; /* of the parameter at which an orbit is sought */
    bool has_over, autonomous;
    zw_equations eq;
    zw_forcing forcing;
    zw_kernel *kernel, *lanes; /* lanes: NULL if collocation cannot use them */
    zw_flow *flow;
    zw_colloc *c;
    double *p, *now;     /* np: of the model, at the last value */
    bool *given;         /* np */
    double *width;       /* nq */
    double *scale;       /* nx: of the orbit */
    double *step_scale;  /* nx: of steps along a branch; a tenth of the value for entries at rest */
    bool *essential;     /* nx: must come back */
    double *wraps;       /* nx: length of a turn after which the equations repeat; 0 if none */
    double *turn, *sign; /* nx: how the orbit closes (motion/segments/periodic.h) */
    zw_expr *tied_symbol; /* parameters, t, inputs, q: the symbols of position constraints */
    double *tied_value;   /* their values, and q once more */
    double *given_turns;  /* nq: of options.winding; NULL if turns are to be found */
    double small;         /* size of the first orbit relative to the model, if tiny; else 1 */
    bool is_point;        /* the last orbit that was sought is an equilibrium */
    int iterations;       /* of Newton's method for it */
    double *x, *tangent;  /* x_capacity: the largest mesh, and one more than the unknowns */
    int nx, nquantity;
    int times;                /* of the orbit in x, as in its branch */
    size_t x_capacity;        /* of x, tangent and last_x */
    bool (*ends)(void *user); /* whether the branch ends with its last orbit; NULL: never */
    void *ends_user;
    signed char *stop_side; /* nevent: side of events that end motions; 0 if unknown */
    zw_bifurcation begins;  /* special point where a branch begins; ZW_BIFURCATION_POINT if none */
    zw_orbit_motion *motion;
    int nmotion, capacity;
    zw_orbits_branch *branch;
    int nbranch, branch_capacity;
    zw_floquet last; /* multipliers of last_x at last_value */
    double *last_x, last_value;
    bool last_known, last_failed, stopped;
    int finer_failed; /* consecutive orbits whose multipliers finer meshes did not improve */
    zw_bifurcation_curves marks; /* in two parameters */
    zw_orbits_open open;
    const double *begin; /* nx: start of runs; NULL: the start of the model */
    double *ended;       /* nx: where the last run ended that found no orbit */
    bool ended_at_rest;  /* it is at rest there */
    /* it could not continue: it diverges or reaches states without rates */
    bool ended_early;
    zw_singular singular;
    int unswitched;            /* special points from which the other branch was not found */
    double unswitched_value;   /* the first of them */
    int hopf_skipped;          /* Hopf points without a branch */
    double hopf_skipped_value; /* the first of them */
    char hopf_skipped_why[256];
};

/* orbits.c: parameters and period at a value */
zw_status zw_orbits_set(void *user, double value, double *p, double *period, double *slope,
                        zw_error *err);
/* Collocation scaled by a motion that is approximately known, which is put into o->x, on a mesh of
 * n intervals (mesh: n + 1; n = 0: uniform). How it closes must be known. */
zw_status zw_orbits_begin(zw_orbits *o, const zw_orbit *about, int n, const double *mesh,
                          zw_error *err);
/* A second collocation of the same equations, with the same scales and closing conditions. */
zw_status zw_orbits_collocation(zw_orbits *o, int intervals, zw_colloc **out, zw_error *err);
/* A difference of entry i without whole turns, and its whole turns. */
double zw_orbits_reduce_turns(const zw_orbits *o, int i, double difference);
double zw_orbits_whole(const zw_orbits *o, int i, double difference);
/* Sets how a motion from state a to state b closes: whole turns of angles, signs of unit
 * quaternions, symmetries. */
void zw_orbits_close(zw_orbits *o, const double *a, const double *b);
/* Sets to zero those turns (nx) from a state x that change a position constraint, unless all turns
 * in that constraint together leave it unchanged (meshing gears). */
void zw_orbits_limit_turns(zw_orbits *o, const double *x, double *turn);
/* Signs (nx) with which the unit quaternions of b are next to those of a; 1 for other entries. */
void zw_orbits_signs(const zw_orbits *o, const double *a, const double *b, double *sign);
/* orbits_file.c: the state of an orbit without equations, as zw_colloc_state */
void zw_orbits_state_of(const zw_orbit_motion *m, int nx, int stages, double tau, double *state);
/* A copy, in o->work, of the orbit in o->x with its mesh, its direction and how it closes; and
 * its restoration. */
typedef struct zw_orbits_saved_state {
    int intervals, times;
    double period, value;
    double *mesh, *x, *tangent, *turn, *sign, *theta;
} zw_orbits_saved_state;
zw_status zw_orbits_save_state(zw_orbits *o, double value, zw_orbits_saved_state *out,
                               zw_error *err);
zw_status zw_orbits_restore_state(zw_orbits *o, const zw_orbits_saved_state *k, zw_error *err);
/* Sets the scales of steps and errors from the orbit in o->x. */
zw_status zw_orbits_rescale(zw_orbits *o, double period, zw_error *err);
/* Loads an orbit into o->x, on its own mesh. */
zw_status zw_orbits_load(zw_orbits *o, const zw_orbit_motion *m, zw_error *err);
/* Stores by which symmetries the orbit of the last residual closes, and its closure error in its
 * family. */
void zw_orbits_store_closing(zw_orbits *o);
/* Solves for o->x at the value, and refines the mesh until the error is below the tolerance. */
zw_status zw_orbits_refine(zw_orbits *o, double value, zw_error *err);
/* orbits_free.c: leaves out the equations at o->x that integrals of the motion make redundant;
 * their number is o->free */
zw_status zw_orbits_free_rows(zw_orbits *o, double value, zw_error *err);
/* As zw_orbits_refine from a guess; if orbits form a family, the result is a member of it. */
zw_status zw_orbits_refine_free(zw_orbits *o, double value, zw_error *err);
/* For an orbit of a family: moves to the member through a state near its beginning, as far as
 * integrals determine it; else the orbit stays. */
zw_status zw_orbits_select_member(zw_orbits *o, double value, const double *start, zw_error *err);
/* Fails if orbits form a family of more dimensions than the parameter follows. */
zw_status zw_orbits_reject_free(const zw_orbits *o, zw_error *err);
/* Reserves memory for orbits of this number of intervals. */
zw_status zw_orbits_reserve(zw_orbits *o, int intervals, zw_error *err);
/* The number of multipliers that are always 1 besides that of the phase: of symmetries and
 * families. */
int zw_orbits_unit_multipliers(const zw_orbits *o);
/* orbits_family.c: the equations of orbits, and of a family: its damping is one more entry of x,
 * after those of zw_colloc_problem */
zw_cont_problem zw_orbits_problem(zw_orbits *o);
/* The parameter of the collocation: the value, or the damping of a family. */
double zw_orbits_inner_value(const zw_orbits *o, const double *x, double value);
/* As zw_colloc_adapt, for vectors of these equations: the orbit first, then directions; at most
 * 4. */
zw_status zw_orbits_adapt(zw_orbits *o, int intervals, int n, double **x, zw_error *err);
/* The number of intervals that the tolerance needs, from the present number and the error. */
int zw_orbits_needed_intervals(const zw_orbits *o, double error);
/* orbits_measure.c: multipliers of x, valid up to the next call; NULL if they cannot be found */
zw_status zw_orbits_multipliers(zw_orbits *o, const double *x, double value, const zw_floquet **out,
                                zw_error *err);
/* measures of the quantities of o->x over its period (nquantity), at the parameters of the flow */
zw_status zw_orbits_measure(zw_orbits *o, double period, zw_motion_measure *out,
                            const double **drift, zw_error *err);
/* appends o->x at a value, with its measures and multipliers, to the orbits */
zw_status zw_orbits_add(zw_orbits *o, double value, zw_bifurcation event, int branch,
                        zw_error *err);
/* Computes multipliers of the orbits from `first` on again on finer meshes if they have fewer than
 * three accurate digits. Called after a branch was followed, because its test functions must stay
 * smooth. Overwrites o->x. */
zw_status zw_orbits_refine_multipliers(zw_orbits *o, int first, zw_error *err);
/* orbits_start.c: as zw_orbits_find, from a run that begins at the state x (nx) */
zw_status zw_orbits_find_at(zw_orbits *o, double value, const double *x, int *number,
                            zw_error *err);
/* orbits_follow.c: follows a branch from o->x, in the direction of o->tangent if `toward`, else to
 * increasing (1) or decreasing (-1) values */
zw_status zw_orbits_follow_side(zw_orbits *o, int branch, int side, double value, bool toward,
                                int direction, bool skip, zw_error *err);
/* Puts the direction of a branch, as stored with a special point, into o->tangent: to increasing
 * (side 1) or decreasing values; at a fold one of its two directions. */
void zw_orbits_set_direction(zw_orbits *o, const double *tangent, int side);
/* orbits_fold_rounding.c: of the orbits from `first` on, only those folds remain special points at
 * which the branch turns by more than can be resolved */
void zw_orbits_select_folds(zw_orbits *o, int first);
/* Checks a branch against its own orbits from `first` on (branch_check.h): returns the number of
 * contradictions, and the first one. */
int zw_orbits_check(const zw_orbits *o, int first, int n, zw_contradiction *out);
/* Errors of the value and the period of a special point (special_error.h). */
void zw_orbits_known(const zw_orbits *o, int i, double *value, double *period);
/* orbits_normal.c: normal forms of the special points among the orbits from `first` on; overwrites
 * o->x */
zw_status zw_orbits_normal(zw_orbits *o, int first, zw_error *err);
/* orbits_normal.c: are the rates smooth up to third derivatives along the orbit in o->x? Else *why
 * names what is not. */
zw_status zw_orbits_find_kink(zw_orbits *o, double period, char *why, size_t size, zw_error *err);
/* Are multipliers accurate enough for the signs of their test functions? */
bool zw_orbits_multipliers_usable(const zw_floquet *m);
/* orbits_switch.c: is the branch that leaves a special point known already, that is, does one begin
 * or end there? */
bool zw_orbits_is_left(const zw_orbits *o, int at);
/* The period doubling of another branch at which a branch without a parent ends (side 1) or begins
 * (0); -1 if none. */
int zw_orbits_doubling_at(const zw_orbits *o, int branch, int side);
/* appends a branch and returns its number; -1: out of memory */
int zw_orbits_new_branch(zw_orbits *o);

#endif
