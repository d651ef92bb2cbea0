/* SPDX-License-Identifier: MIT */
/* What the sources of linear equations in closed form share; zwang/symbolic.h defines them. */
#ifndef ZW_FORMULAS_SYMBOLIC_SYMBOLIC_H
#define ZW_FORMULAS_SYMBOLIC_SYMBOLIC_H

#include "base/arena.h"
#include "zwang/flow.h"
#include "zwang/symbolic.h"

enum {
    ZW_PROBES =
        5, /* sets of parameter values: that of the model, random ones near it, plain numbers */
    ZW_PROBE_PLAIN = 4,
    ZW_STATES_MOST = 60,   /* coordinates and velocities */
    ZW_LENGTH_MOST = 20000 /* characters of a formula */
};

struct zw_symbolic {
    zw_arena arena;
    const zw_system *sys;
    zw_context *ctx;
    zw_symbolic_options options;
    const zw_motion *motion;
    zw_equations eq;
    zw_equations given; /* as derived: for the kernel */
    zw_system on_leaf;  /* sys on the leaf of the motion, */
    bool leaf_taken;    /* if it was requested */
    zw_displacement *field;
    int nfield;
    zw_kernel *kernel;
    zw_flow *flow;
    int nx, nz, ng;
    int nsymbol;
    zw_expr *symbol; /* parameters, free symbols, time */
    bool *fixed;     /* np: parameters that are replaced by their values */
    double *probe;   /* ZW_PROBES x nsymbol */
    zw_expr *entry;  /* nx: the symbols of the state */
    zw_expr *small;  /* nx: of its disturbance */
    zw_expr *x, *z;  /* nx, nz: the motion, its accelerations and multipliers */
    int nsymmetry;
    double *combination;              /* nsymmetry x nfield */
    bool *own;                        /* nsymmetry */
    zw_expr *X, *DX;                  /* nsymmetry x nx at the motion; nx x nx: sum_i c_i DX_i */
    zw_expr *c;                       /* nsymmetry */
    zw_expr *K;                       /* nz x nz: of the accelerations and multipliers */
    zw_expr *G;                       /* ng x nx */
    int ndependent, *dependent, *row; /* dependent entries, and the rows of g that determine them */
    int *kept, *pinned;               /* n, norbit */
    /* Number of characters brought to lowest terms, squared for long ones: a measure of the
     * time. */
    double spent;
    bool too_long; /* a formula was left unsimplified */
    bool unfolded; /* parameters that depend on the unknowns are replaced */
    zw_symbolic_result result;
};

#define ZW_SYMBOLIC_NEW(s, type, n) ZW_NEW(&(s)->arena, type, (n) > 0 ? (n) : 1)

/* symbolic_algebra.c */
zw_expr zw_symbolic_tidy(zw_symbolic *s, zw_expr e);
double zw_symbolic_value(const zw_symbolic *s, int probe, zw_expr e);
/* A x = b, n x n and n x m, in lowest terms; *singular: a column without a pivot, otherwise -1. */
zw_status zw_symbolic_solve(zw_symbolic *s, int n, int m, const zw_expr *A, const zw_expr *b,
                            zw_expr *x, int *singular, zw_error *err);
/* The values (may be NULL) and first derivatives with respect to the state (m x nx) of m
 * expressions at the motion. */
zw_status zw_symbolic_linear(zw_symbolic *s, int m, const zw_expr *e, zw_expr *value,
                             zw_expr *slope, zw_error *err);
void zw_symbolic_multiply(zw_symbolic *s, int m, int k, int n, const zw_expr *A, const zw_expr *B,
                          zw_expr *out);
void zw_symbolic_progress(const zw_symbolic *s, const char *what, double part);
zw_status zw_symbolic_memory(zw_error *err);
/* Is it a name of the model: of a parameter, a symbol of the motion, an entry of the state? */
bool zw_symbolic_taken(const zw_symbolic *s, const char *name);
/* Entry i, j of a matrix, "M_12", with an underscore between the numbers if that is ambiguous, or a
 * name of the model. */
zw_expr zw_symbolic_entry_name(const zw_symbolic *s, const char *letter, int size, int i, int j);
/* The first of three names that the model does not use. */
zw_expr zw_symbolic_free_name(const zw_symbolic *s, const char *first, const char *second,
                              const char *third);

/* symbolic_motion.c */
zw_status zw_symbolic_find_motion(zw_symbolic *s, zw_error *err);
/* f = sum c X, or the equation that is violated. */
zw_status zw_symbolic_check_steady(zw_symbolic *s, zw_error *err);

/* symbolic_numbers.c */
zw_status zw_symbolic_begin_numbers(zw_symbolic *s, zw_error *err);
zw_status zw_symbolic_symmetries(zw_symbolic *s, zw_error *err);
zw_status zw_symbolic_compare(zw_symbolic *s, zw_error *err);
/* The state at a probe. */
void zw_symbolic_state(const zw_symbolic *s, int probe, double *x);
/* Its flow with the parameters of a probe, the state and the sizes of its entries there. */
zw_status zw_symbolic_flow_at(zw_symbolic *s, int probe, double *x, double *scale, zw_error *err);

/* A x = b (n x n, n x m) in numbers, by elimination; x replaces b, A is overwritten. False:
 * singular. */
bool zw_symbolic_solve_numbers(int n, double *A, int m, double *b);

/* symbolic_confirm.c: checks the results derived from A against numbers. */
zw_status zw_symbolic_confirm(zw_symbolic *s, zw_error *err);

/* symbolic_choice.c */
zw_status zw_symbolic_pin(zw_symbolic *s, zw_error *err);
zw_status zw_symbolic_choose(zw_symbolic *s, zw_error *err);

/* symbolic_matrices.c */
zw_status zw_symbolic_linearise(zw_symbolic *s, zw_error *err);
zw_status zw_symbolic_second(zw_symbolic *s, zw_error *err);

/* symbolic_stability.c */
zw_status zw_symbolic_stability(zw_symbolic *s, zw_error *err);
/* The symbol of a parameter or of a free symbol of the motion; ZW_NULL: there is none of this name,
 * or no name. */
zw_expr zw_symbolic_parameter(const zw_symbolic *s, const char *name);
/* value > 0 as a product of factors that may be negative, and where it vanishes (parameter ZW_NULL:
 * not requested). False: too long. */
bool zw_symbolic_condition(zw_symbolic *s, zw_condition *c, zw_expr value, zw_expr parameter);

/* symbolic_taylor.c */
zw_status zw_symbolic_expand(zw_symbolic *s, zw_error *err);

/* symbolic_cycle.c: for n equations row = 0 in y, y' (x, 2 n) up to order 3. */
zw_status zw_symbolic_cycles(zw_symbolic *s, int n, const zw_expr *x, const zw_expr *row,
                             zw_error *err);

#endif
