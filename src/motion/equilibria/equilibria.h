/* SPDX-License-Identifier: MIT */
/* What the files of the study of steady motions share; what it is, zwang/equilibria.h says. */
#ifndef ZW_MOTION_EQUILIBRIA_EQUILIBRIA_H
#define ZW_MOTION_EQUILIBRIA_EQUILIBRIA_H

#include "base/arena.h"
#include "base/text.h"
#include "zwang/equilibria.h"
#include "zwang/simulate.h"

/* Something held: as it was said, its parts, its unit. */
typedef struct zw_held {
    const char *name, *value; /* before and behind the equals sign; value NULL: that of the start */
    const char *unit;
    zw_expr what;   /* as an expression of the system; 0 if it is none */
    zw_error fault; /* why it is none */
} zw_held;

/* What the zero eigenvalues are. */
typedef struct zw_zeros {
    int nentry, nmomentum, nboost;
    int *entry;    /* of the state: they tell the members of the family apart */
    int *momentum; /* of these symmetries: conserved, to first order not only along orbits */
    int *boost;    /* along these symmetries: Galilei's */
    bool energy;   /* as momentum */
} zw_zeros;

struct zw_equilibria {
    zw_arena arena;
    const zw_system *sys;
    zw_equilibria_options options;
    zw_equations eq;
    zw_kernel *kernel;
    zw_flow *flow;
    zw_displacement *displacement; /* the kernel's fields */
    zw_symmetries symmetries;
    zw_steady motion;
    zw_linearisation linear;
    double *p, *scale;
    double *start; /* nx: the state to begin with */
    zw_hold *hold;
    zw_held *held;     /* nhold: what they were said as */
    zw_system watched; /* the system, with observables for what is held */
    zw_steady_problem problem;
    int *solve;  /* nsolve: numbers of parameters */
    bool *given; /* np: parameters that do not follow from others: those solved for */
    zw_search search;
    int nbox;
    zw_search_box *box; /* of the last search */
    zw_curvature curvature;
    zw_zeros zeros;
    char doubt[400];   /* why the motion may not be one of the model; "": no objection */
    int nhidden;       /* conditions on positions of the velocity constraints without a formula */
    bool vary;         /* the symmetries depend on the parameters that are solved for */
    bool linear_known; /* the motion has linear equations */
    bool lost;         /* the zero is an eigenvalue that rounding beside the largest has taken */
    bool family;       /* the zero eigenvalues are neighbouring steady motions */
};

/* "alpha'", of the equations' state, and its unit ("" if it has none, or if it is not the
 * system's) */
const char *zw_equilibria_entry(const zw_equilibria *e, int i, const char **unit);

/* equilibria_hold.c: before the equations are derived, for e->watched; and at the start, for
 * e->hold and e->problem */
zw_status zw_equilibria_read_holds(zw_equilibria *e, zw_error *err);
zw_status zw_equilibria_place_holds(zw_equilibria *e, zw_error *err);
/* Which parameters are solved for: e->solve and e->given. */
zw_status zw_equilibria_read_solve(zw_equilibria *e, zw_error *err);
/* The state's entry of this name; -1 if there is none. */
int zw_equilibria_find_entry(const zw_equilibria *e, const char *name);
/* ZW_E_NAME: there is none, and which name is near */
zw_status zw_equilibria_no_entry(zw_equilibria *e, const char *option, const char *name,
                                 zw_error *err);
/* Do the symmetries change with the parameters that are solved for? e->vary. */
zw_status zw_equilibria_find_vary(zw_equilibria *e, zw_error *err);
/* Solve from e->motion.x, again where the symmetries change with the parameters that are solved
 * for. */
zw_status zw_equilibria_solve(zw_equilibria *e, zw_error *err);
/* What is unmet in a motion that failed, by its name, behind the text of err. */
void zw_equilibria_name_unmet(const zw_equilibria *e, const zw_steady *m, zw_error *err);
/* Linear equations, families and potential at e->motion. */
zw_status zw_equilibria_examine(zw_equilibria *e, zw_error *err);

/* What the eigenvalues say, if those that are zero are a family; growing (may be NULL): how many
 * grow. */
zw_stability zw_linearisation_judge(const zw_linearisation *a, bool family, int *growing);

/* Is this eigenvalue one of the nzero smallest? */
/* the eigenvalues by growth, zeros as such: the order of lists and of modes (zw_dense_order); NULL
 * if memory is short */
int *zw_equilibria_order(const zw_equilibria *e, zw_arena *arena);
bool zw_equilibria_is_zero(const zw_linearisation *a, int i);

/* equilibria_search.c: is this entry of the state an angle, by its unit or by `periodic`? */
bool zw_equilibria_is_angle(const zw_equilibria *e, int entry);
/* period (nx, all 0 before): by how much entries may grow without a change of the equations; 0: by
 * nothing. */
zw_status zw_equilibria_periods(zw_equilibria *e, double *period, zw_error *err);
/* Does the last of n states (n x nx) lead to a steady motion to which one of the others leads as
 * well, as zwang/steady.h counts them? period (nx): of the entries; parameters as they are. */
zw_status zw_equilibria_is_among(zw_equilibria *e, int n, const double *from, const double *period,
                                 bool *yes, zw_error *err);

/* equilibria_zeros.c: e->zeros */
zw_status zw_equilibria_name_zeros(zw_equilibria *e, zw_error *err);

/* equilibria_routh.c: how the potential bends at constant momenta where something moves; not known
 * where energy and momenta are not conserved */
zw_status zw_equilibria_amended(zw_equilibria *e, zw_curvature *out, zw_error *err);

/* equilibria_table.c: n states (t, x) as the result of a run of sys, the system of e but for its
 * observables, with these numbers (may be NULL); the flow has its parameters. method: what the note
 * says */
zw_status zw_equilibria_motion_table(zw_equilibria *e, const zw_system *sys,
                                     const zw_model_source *source, const zw_sim_numbers *numbers,
                                     const char *method, int n, const double *t, const double *x,
                                     zw_table **out, zw_error *err);

/* equilibria_write.c: parts of a text about the motion */

void zw_equilibria_put_symmetry_names(zw_text *out, const zw_equilibria *e);
void zw_equilibria_put_values(zw_text *out, const zw_equilibria *e);
void zw_equilibria_put_short(zw_text *out, const zw_equilibria *e);
void zw_equilibria_put_json(zw_text *out, const zw_equilibria *e);
/* Sets the doubt about the motion: equilibria_doubt.c. */
zw_status zw_equilibria_warning_motion(zw_equilibria *e, zw_error *err);
/* Do the nodes of the delays resolve motions as exp(z t), z = re + i im, at parameter values p? */
bool zw_equilibria_resolves(const zw_equilibria *e, const double *p, double re, double im);
/* Why linear equations do not tell stability: an eigenvalue that the nodes of a delay do not
 * resolve grows, or lies to the right of all that they do. */
void zw_equilibria_warning_delays(const zw_equilibria *e, const double *p,
                                  const zw_linearisation *a, char *text, size_t size);
/* What contacts make doubtful of any steady motion of these equations, at these parameters (np);
 * "": nothing. */
zw_status zw_equilibria_warning_contacts(const zw_equilibria *e, const double *p,
                                         const zw_steady *at, char *out, size_t size,
                                         zw_error *err);

/* "a potential well", "" if nothing is known of the potential */
void zw_equilibria_potential_words(const zw_equilibria *e, char *out, size_t size);
/* of the rate of symmetry i */
void zw_equilibria_rate_unit(const zw_equilibria *e, int i, char *out, size_t size);

#endif
