/* SPDX-License-Identifier: MIT */
/* What the sources of the study of steady motions share; zwang/equilibria.h states what it does. */
#ifndef ZW_MOTION_EQUILIBRIA_EQUILIBRIA_H
#define ZW_MOTION_EQUILIBRIA_EQUILIBRIA_H

#include "base/arena.h"
#include "base/text.h"
#include "zwang/equilibria.h"
#include "zwang/simulate.h"

/* A held value: the text of the option, its parts, its unit. */
typedef struct zw_held {
    const char *name, *value; /* of "name = value"; value NULL: that of the start */
    const char *unit;
    zw_expr what;   /* as an expression of the system; 0 if it is none */
    zw_error fault; /* why it is none */
} zw_held;

/* The meaning of the zero eigenvalues. */
typedef struct zw_zeros {
    int nentry, nmomentum, nboost;
    int *entry;    /* nentry: entries of the state that distinguish the members of the family */
    int *momentum; /* nmomentum: symmetries whose momenta are conserved */
    int *boost;    /* nboost: symmetries with Galilean boosts */
    bool energy;   /* the energy is conserved */
} zw_zeros;

struct zw_equilibria {
    zw_arena arena;
    const zw_system *sys;
    zw_equilibria_options options;
    zw_equations eq;
    zw_kernel *kernel;
    zw_flow *flow;
    zw_displacement *displacement; /* nfield: the kernel's fields */
    zw_symmetries symmetries;
    zw_steady motion;
    zw_linearisation linear;
    double *p, *scale; /* np, nx */
    double *start;     /* nx: the state to start from */
    zw_hold *hold;     /* nhold */
    zw_held *held;     /* nhold: the options */
    zw_system watched; /* the system, with observables for held values */
    zw_steady_problem problem;
    int *solve;  /* nsolve: numbers of parameters */
    bool *given; /* np: parameters that do not follow from others: those solved for */
    zw_search search;
    int nbox;
    zw_search_box *box; /* nbox: of the last search */
    zw_curvature curvature;
    zw_zeros zeros;
    char warning[400]; /* why the motion may not be one of the model; "" if none */
    int nhidden;       /* position constraints of velocity constraints that have no formula */
    bool vary;         /* the symmetries depend on the parameters that are solved for */
    bool linear_known; /* the motion has linear equations */
    bool lost;         /* the zero is an eigenvalue lost in the rounding of the largest one */
    bool family;       /* the zero eigenvalues are neighbouring steady motions */
};

/* "alpha'", an entry of the equations' state, and its unit ("" if it has none, or if it is not the
 * system's). */
const char *zw_equilibria_entry(const zw_equilibria *e, int i, const char **unit);

/* equilibria_hold.c: read_holds before the equations are derived, for e->watched; place_holds at
 * the start, for e->hold and e->problem. */
zw_status zw_equilibria_read_holds(zw_equilibria *e, zw_error *err);
zw_status zw_equilibria_place_holds(zw_equilibria *e, zw_error *err);
/* Which parameters are solved for? e->solve and e->given. */
zw_status zw_equilibria_read_solve(zw_equilibria *e, zw_error *err);
/* The entry of the state with this name; -1 if there is none. */
int zw_equilibria_find_entry(const zw_equilibria *e, const char *name);
/* ZW_E_NAME: there is no such entry; the hint has a similar name. */
zw_status zw_equilibria_no_entry(zw_equilibria *e, const char *option, const char *name,
                                 zw_error *err);
/* Do the symmetries change with the parameters that are solved for? e->vary. */
zw_status zw_equilibria_find_vary(zw_equilibria *e, zw_error *err);
/* Solve from e->motion.x, repeatedly if the symmetries change with the parameters that are solved
 * for. */
zw_status zw_equilibria_solve(zw_equilibria *e, zw_error *err);
/* Append to the text of err what a failed motion does not satisfy. */
void zw_equilibria_name_unmet(const zw_equilibria *e, const zw_steady *m, zw_error *err);
/* Linear equations, families and potential at e->motion. */
zw_status zw_equilibria_examine(zw_equilibria *e, zw_error *err);

/* The stability by the eigenvalues, if those that are zero are a family; growing (may be NULL): the
 * number of growing ones. */
zw_stability zw_linearisation_judge(const zw_linearisation *a, bool family, int *growing);

/* The eigenvalues by growth, those that are zero as zeros: the order of lists and of modes
 * (zw_dense_order); NULL if out of memory. */
int *zw_equilibria_order(const zw_equilibria *e, zw_arena *arena);
/* Is this eigenvalue one of the nzero smallest? */
bool zw_equilibria_is_zero(const zw_linearisation *a, int i);

/* equilibria_search.c: is this entry of the state an angle, by its unit or by `periodic`? */
bool zw_equilibria_is_angle(const zw_equilibria *e, int entry);
/* period (nx, initially 0): shifts of entries that leave the equations unchanged; 0: none. */
zw_status zw_equilibria_periods(zw_equilibria *e, double *period, zw_error *err);
/* Does the last of n states (n x nx) lead to a steady motion to which one of the others leads as
 * well, as counted by zwang/steady.h? period (nx): of the entries; parameters as they are. */
zw_status zw_equilibria_is_among(zw_equilibria *e, int n, const double *from, const double *period,
                                 bool *yes, zw_error *err);

/* equilibria_zeros.c: e->zeros */
zw_status zw_equilibria_name_zeros(zw_equilibria *e, zw_error *err);

/* equilibria_routh.c: the curvature of the potential at constant momenta of a motion that is not at
 * rest; unknown where energy and momenta are not conserved. */
zw_status zw_equilibria_amended(zw_equilibria *e, zw_curvature *out, zw_error *err);

/* equilibria_table.c: n states (t, x) as the result of a run of sys, the system of e except for its
 * observables, with these numbers (may be NULL); the flow has its parameters. method: text of the
 * note. */
zw_status zw_equilibria_motion_table(zw_equilibria *e, const zw_system *sys,
                                     const zw_model_source *source, const zw_sim_numbers *numbers,
                                     const char *method, int n, const double *t, const double *x,
                                     zw_table **out, zw_error *err);

/* equilibria_found.c: columns of a table: entries of the state but the one with the name `skip`
 * (NULL: all), the first nrate rates of symmetries, multipliers. */
zw_status zw_equilibria_columns(const zw_equilibria *e, zw_table *t, int nrate, const char *skip);

/* equilibria_write.c: the motion into the open object; listed: in a list of motions, in fewer lines.
 * "equilibrium", "relative equilibrium". */
void zw_equilibria_report_motion(const zw_equilibria *e, bool listed, zw_report *r);
void zw_equilibria_report_inputs(const zw_equilibria *e, zw_report *r);
const char *zw_equilibria_kind(const zw_equilibria *e);
/* criticality_write.c: "cubic", one line after the template `lead`, and "hopf", which has no
 * sentences. */
void zw_criticality_report_line(const zw_criticality *c, const char *lead, zw_report *out);
/* equilibria_warnings.c: set the warning about the motion. */
zw_status zw_equilibria_warning_motion(zw_equilibria *e, zw_error *err);
/* Do the nodes of the delays resolve motions as exp(z t), z = re + i im, at parameter values p? */
bool zw_equilibria_resolves(const zw_equilibria *e, const double *p, double re, double im);
/* Warn that linear equations do not decide stability: an eigenvalue that the nodes of a delay do
 * not resolve grows, or lies to the right of all that they do. */
void zw_equilibria_warning_delays(const zw_equilibria *e, const double *p,
                                  const zw_linearisation *a, char *text, size_t size);
/* Warning about contacts for any steady motion of these equations, at these parameters (np); "" if
 * there is none. */
zw_status zw_equilibria_warning_contacts(const zw_equilibria *e, const double *p,
                                         const zw_steady *at, char *out, size_t size,
                                         zw_error *err);

/* "a potential well", "" if nothing is known of the potential */
void zw_equilibria_potential_words(const zw_equilibria *e, char *out, size_t size);
/* The unit of the rate of symmetry i. */
void zw_equilibria_rate_unit(const zw_equilibria *e, int i, char *out, size_t size);

#endif
