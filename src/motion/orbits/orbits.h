/* SPDX-License-Identifier: MIT */
/* Private to the files of periodic orbits. */
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
    double hopf;           /* where it was born; NaN: elsewhere */
    bool shrinks[2];       /* it ends where the orbit is a point: a Hopf point */
    bool slows[2];         /* it ends where the period has no bound */
    int times;             /* orbits that close after so many rounds of the first ones */
    zw_bifurcation origin; /* where it leaves another one; ZW_BIFURCATION_POINT: nowhere */
    double origin_value;
    bool mirrored;     /* another one leaves there that is its image */
    int parent, meets; /* that one, and the one on which it ends; -1: none */
    zw_walk_open open; /* special points that were located roughly */
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
    int coordinate;       /* of an extreme value */
    int observable;       /* that stays in the place of the energy, counted from 1; 0: none */
    const zw_system *sys; /* with the damping as its last parameter */
    zw_expr damping, integral;
    zw_expr *slope, *symbol; /* nx; nsymbol: state and parameters */
    int nsymbol;
    double *number, *state; /* of the symbols; 2 nx */
    zw_cont_problem own;    /* of collocation */
    double *Fx, *row, row_a;
} zw_orbits_family;

/* Orbits that are their own image half a period later (symmetric_orbit.c): x is their first
 * half. */
typedef struct zw_orbits_half {
    bool on;
    double *S, *inverse, *s, *state; /* nx x nx, nx x nx, nx, nx */
} zw_orbits_half;

/* Symmetries but for which orbits close (orbits_group.c). */
typedef struct zw_orbits_group {
    int n, all, nfield;  /* that count; that there are, behind them; fields they are made of */
    double *L, *b;       /* all x nx x nx, all x nx */
    double *theta;       /* by how much an orbit comes back turned */
    double *rate, last;  /* of theta along a motion, and the time at which it was found */
    double *combination; /* all x nfield */
    double *size;        /* nx: of the state */
    bool *moved;         /* nx: by one of them */
    double *wraps;       /* nx: as of the equations alone */
    double *room;
    bool steady; /* the motion is one of them: any time is a period */
} zw_orbits_group;

/* What walks along branches could not resolve. */
typedef struct zw_orbits_open {
    int unresolved; /* places where the branch may turn or not: */
    double unresolved_value, unresolved_by, unresolved_period[2]; /* the first of them */
    /* steps between orbits that are their own images half a period later and others, without a
     * mark, */
    int broken;
    double broken_from, broken_to; /* the first of them */
    int unclear;                   /* turns that are no folds by their multipliers, and no ends, */
    double unclear_value;
    /* pieces of branches in which more multipliers cross the circle than special points were
     * located, */
    int unsplit;
    double unsplit_value, unsplit_by; /* the first of them, and between what */
    /* places where multipliers may pass -1 (near_flip), or the circle, twice in a step, */
    int near_marks;
    double near_value;
    bool near_flip; /* the first of them */
} zw_orbits_open;

struct zw_orbits {
    zw_arena arena;
    const zw_system *sys;
    zw_system on_leaf; /* sys on the leaf of its start */
    zw_kept kept;      /* of driven models */
    int nhidden;       /* conditions on positions of the velocity constraints without a formula */
    zw_orbits_options options;
    zw_parameter_range over; /* of a family: no parameter (-1) */
    zw_orbits_family family;
    zw_orbits_half half;
    zw_orbits_group group;
    bool conserves; /* energy stays on its motions */
    int free; /* dimensions of the family in which an orbit lies, where nothing goes along it */
    double leftover; /* by how much it does not close along its integrals, of its size */
    double *values;  /* nvalue, of options.values */
    int nvalue;
    int along;    /* the parameter of the kernel that changes */
    double value; /* at which an orbit is looked for */
    bool has_over, autonomous;
    zw_equations eq;
    zw_forcing forcing;
    zw_kernel *kernel, *lanes; /* lanes: NULL where collocation has no use for them */
    zw_flow *flow;
    zw_colloc *c;
    double *p, *now; /* np: of the model, at the last value */
    bool *given;     /* np */
    double *width;   /* nq */
    double *scale;   /* nx: of the orbit */
    /* nx: of steps along a branch, entries at rest are measured by a tenth of their value */
    double *step_scale;
    bool *essential; /* nx: it comes back */
    /* nx: but for whole turns of this length, of which the equations know nothing; 0: none */
    double *wraps;
    double *turn, *sign;  /* nx: how the orbit closes (motion/segments/periodic.h) */
    zw_expr *tied_symbol; /* parameters, t, inputs, q of position constraints, */
    double *tied_value;   /* and room for their values, and q once more */
    double *said_turns;   /* nq: by options.winding; NULL: turns are found */
    /* the size of the first orbit, of that of the model, if it is next to nothing; else 1 */
    double small;
    bool is_point;       /* the last one that was looked for is */
    int iterations;      /* of Newton's method for it */
    double *x, *tangent; /* room for the largest mesh: one entry more than the unknowns */
    int nx, nquantity;
    int times;                /* of the orbit in x, as in its branch */
    size_t room;              /* of x and tangent */
    bool (*ends)(void *user); /* does the branch end with its last orbit? NULL: no */
    void *ends_user;
    /* nevent: of events that end motions, on which side orbits of the branch are; 0: not known */
    signed char *stop_side;
    zw_bifurcation begins; /* the mark at which a branch is begun; ZW_BIFURCATION_POINT: none */
    zw_orbit_motion *motion;
    int nmotion, capacity;
    zw_orbits_branch *branch;
    int nbranch, branch_capacity;
    zw_floquet last; /* of last_x at last_value */
    double *last_x, last_value;
    bool last_known, last_failed, stopped;
    /* orbits one after the other of which finer meshes did not tell multipliers */
    int closer_failed;
    zw_bifurcation_curves marks; /* in two parameters */
    zw_orbits_open open;
    const double *begin; /* nx: where runs begin; NULL: at the start of the model */
    double *ended;       /* nx: where the last run ended that led to no orbit, */
    bool ended_at_rest;  /* and whether it does not move any more there, */
    bool ended_early;    /* or could not continue: it diverges, or reaches states without rates */
    zw_singular singular;
    int unleft;          /* marks from which the other branch was not found, */
    double unleft_value; /* the first of them */
    int passed_over;     /* Hopf points without a branch, */
    double passed_value;
    char passed_why[256]; /* the first of them */
};

/* orbits.c: parameters and period at a value */
zw_status zw_orbits_set(void *user, double value, double *p, double *period, double *slope,
                        zw_error *err);
/* Collocation in the sizes of a motion that is about known, and it in o->x, on a mesh of n
 * intervals (n + 1 places; n 0: one that is even). How it closes must be known. */
zw_status zw_orbits_begin(zw_orbits *o, const zw_orbit *about, int n, const double *mesh,
                          zw_error *err);
/* Another collocation of the same equations and sizes, closing likewise. */
zw_status zw_orbits_collocation(zw_orbits *o, int intervals, zw_colloc **out, zw_error *err);
/* A difference of entry i but for whole turns, and these. */
double zw_orbits_apart(const zw_orbits *o, int i, double difference);
double zw_orbits_whole(const zw_orbits *o, int i, double difference);
/* How a motion from state a to state b closes: whole turns of angles, signs of unit quaternions,
 * symmetries. */
void zw_orbits_close(zw_orbits *o, const double *a, const double *b);
/* Of whole turns (nx) from a state on those that position constraints know nothing of, together: of
 * wheels in mesh all or none. The others become zero. */
void zw_orbits_keep_tied(zw_orbits *o, const double *x, double *turn);
/* Signs (nx) with which unit quaternions of b are next to those of a; 1 of everything else. */
void zw_orbits_signs(const zw_orbits *o, const double *a, const double *b, double *sign);
/* orbits_file.c: the state of an orbit without equations, as zw_colloc_state */
void zw_orbits_state_of(const zw_orbit_motion *m, int nx, int stages, double tau, double *state);
/* The orbit in o->x with its mesh, its direction and how it closes, kept in the arena, and taken up
 * again. */
typedef struct zw_orbits_state_kept {
    int intervals, times;
    double period, value;
    double *mesh, *x, *tangent, *turn, *sign, *theta;
} zw_orbits_state_kept;
zw_status zw_orbits_keep_state(zw_orbits *o, double value, zw_orbits_state_kept *out,
                               zw_error *err);
zw_status zw_orbits_restore_state(zw_orbits *o, const zw_orbits_state_kept *k, zw_error *err);
/* The sizes of the orbit in o->x, by which steps and errors are measured. */
zw_status zw_orbits_rescale(zw_orbits *o, double period, zw_error *err);
/* An orbit that is known into o->x, on its mesh. */
zw_status zw_orbits_load(zw_orbits *o, const zw_orbit_motion *m, zw_error *err);
/* By which symmetries the orbit of the last residual closes, and how well in its family. */
void zw_orbits_note_closing(zw_orbits *o);
/* o->x solved at the value, with a mesh that is fine enough. */
zw_status zw_orbits_refine(zw_orbits *o, double value, zw_error *err);
/* orbits_free.c: of o->x, the equations that integrals of the motion fulfil anyhow are left out:
 * o->free of them */
zw_status zw_orbits_free_rows(zw_orbits *o, double value, zw_error *err);
/* As zw_orbits_refine from a guess, in a family if there is one. */
zw_status zw_orbits_refine_free(zw_orbits *o, double value, zw_error *err);
/* Of an orbit in a family the member through a state next to its beginning, as far as integrals
 * tell it; else it stays. */
zw_status zw_orbits_settle_free(zw_orbits *o, double value, const double *start, zw_error *err);
/* Branches go nowhere in a family that has more dimensions than what goes along it. */
zw_status zw_orbits_refuse_free(const zw_orbits *o, zw_error *err);
/* Room for orbits of so many intervals. */
zw_status zw_orbits_reserve(zw_orbits *o, int intervals, zw_error *err);
/* Multipliers that are 1 anyway, beside that of the phase: of symmetries and families. */
int zw_orbits_ones(const zw_orbits *o);
/* orbits_family.c: the equations of orbits, with what a family adds: its damping is one more entry
 * of x, behind those of zw_colloc_problem. */
zw_cont_problem zw_orbits_problem(zw_orbits *o);
/* What collocation itself calls a: the value, or the damping of a family. */
double zw_orbits_inner_value(const zw_orbits *o, const double *x, double value);
/* As zw_colloc_adapt, for vectors of these equations, the orbit first, then directions; at most
 * 4. */
zw_status zw_orbits_adapt(zw_orbits *o, int intervals, int n, double **x, zw_error *err);
/* How many intervals the tolerance asks for, from those there are and the error. */
int zw_orbits_wanted(const zw_orbits *o, double error);
/* orbits_measure.c: multipliers of x, valid up to the next call; NULL: they cannot be found */
zw_status zw_orbits_multipliers(zw_orbits *o, const double *x, double value, const zw_floquet **out,
                                zw_error *err);
/* what the quantities of o->x do in its period (nquantity), at the parameters of the flow */
zw_status zw_orbits_measure(zw_orbits *o, double period, zw_motion_measure *out,
                            const double **drift, zw_error *err);
/* o->x at a value with all that is known of it, appended to the orbits */
zw_status zw_orbits_add(zw_orbits *o, double value, zw_bifurcation event, int branch,
                        zw_error *err);
/* Multipliers of the orbits from `first` on that are known to less than three digits once more, on
 * finer meshes than those of the orbits: behind a walk along a branch, whose functions are to be
 * smooth. o->x is lost. */
zw_status zw_orbits_sharpen(zw_orbits *o, int first, zw_error *err);
/* orbits_start.c: as zw_orbits_find, of a run from the state x (nx) */
zw_status zw_orbits_find_at(zw_orbits *o, double value, const double *x, int *number,
                            zw_error *err);
/* orbits_follow.c: from o->x in the direction of o->tangent if `toward`, else to growing (1) or
 * falling (-1) values */
zw_status zw_orbits_go(zw_orbits *o, int branch, int side, double value, bool toward, int direction,
                       bool skip, zw_error *err);
/* The direction of a branch, as it is kept with a mark, into o->tangent: to growing (side 1) or
 * falling values; at a fold one of its two. */
void zw_orbits_set_direction(zw_orbits *o, const double *tangent, int side);
/* orbits_fold_rounding.c: of the orbits from `first` on, folds stay marks where the branch turns by
 * more than can be resolved */
void zw_orbits_settle_folds(zw_orbits *o, int first);
/* A branch against its own orbits (branch_check.h), those from `first` on: how many contradictions,
 * and the first of them. */
int zw_orbits_check(const zw_orbits *o, int first, int n, zw_contradiction *out);
/* Errors of the value and the period of a special point (special_error.h). */
void zw_orbits_known(const zw_orbits *o, int i, double *value, double *period);
/* orbits_normal.c: normal forms of the marks among the orbits from `first` on; o->x is lost */
zw_status zw_orbits_normal(zw_orbits *o, int first, zw_error *err);
/* orbits_normal.c: is everything smooth that the orbit in o->x passes, up to third derivatives?
 * Else *why says what is not. */
zw_status zw_orbits_find_kink(zw_orbits *o, double period, char *why, size_t size, zw_error *err);
/* Are they known well enough for their signs to mean something? */
#define ZW_ORBITS_UNTRUE 1e-3 /* of a multiplier */
bool zw_orbits_trusted(const zw_floquet *m);
/* orbits_switch.c: is the branch that leaves a special point known already: does it begin or end
 * there? */
bool zw_orbits_is_left(const zw_orbits *o, int at);
/* The period doubling of another branch at which a branch that was not switched to ends (side 1) or
 * begins (0); -1: none. */
int zw_orbits_doubling_at(const zw_orbits *o, int branch, int side);
/* a new branch; its number, or -1: out of memory */
int zw_orbits_new_branch(zw_orbits *o);

#endif
