/* SPDX-License-Identifier: MIT */
/* What the files of the study of linear equations share; what it is, zwang/linear.h says. */
#ifndef ZW_LINEAR_STUDY_LINEAR_H
#define ZW_LINEAR_STUDY_LINEAR_H

#include "base/arena.h"
#include "base/text.h"
#include "base/units.h"
#include "motion/equilibria/equilibria.h"
#include "zwang/linear.h"

struct zw_linear_equations {
    zw_arena arena;
    const zw_equilibria *e;
    bool *first_order; /* nq */
    int nin, nout, nleft;
    zw_measured *in, *out;
    const char **in_name, **in_unit, **out_name, **out_unit, **state_name, **state_unit;
    const char **left; /* nleft */
    zw_states states;
    zw_inout inout;
    zw_second_order second;
    zw_spectrum spectrum;
    double *covariance; /* states x states, under the noise of the model; NULL: there is none */
};

/* A matrix with what its rows and columns are. The unit of an entry is that of its row over that of
 * its column. */
typedef struct zw_linear_block {
    const char *key;    /* "A", "second_order_M" */
    const char *symbol; /* "A", "M" */
    const char *about;
    int rows, columns;
    const double *value;
    const char *const *row, *const *row_unit, *const *column, *const *column_unit;
    const double *row_size, *column_size; /* typical ones; NULL: not known */
} zw_linear_block;
enum { ZW_LINEAR_BLOCKS = 10 };
/* Those that are there, in the arena; returned is their number, -1 if out of memory. */
int zw_linear_blocks(const zw_linear_equations *l, zw_linear_block block[ZW_LINEAR_BLOCKS]);

/* An entry for people: 0 where it is rounding beside the others, in typical sizes of its row and
 * column. */
double zw_linear_clean(const zw_linear_block *b, int i, int j);

/* The unit of one thing over another: "kg*m^2", "mm/rad"; "" if it has none. */
void zw_linear_quotient(const char *above, const char *below, char out[ZW_DIM_TEXT]);
/* Does nothing move? (Inputs that are held count as if they could.) */
bool zw_linear_at_rest(const zw_linear_equations *l);
/* Has the model any units? Without them, nothing gets any. */
bool zw_linear_has_units(const zw_linear_equations *l);

/* Entry i of the state with the largest part in eigenvalue j, in typical sizes, coordinates before
 * velocities: where its eigenvector has the value 1. */
int zw_linear_leader(const zw_linear_equations *l, int j);
/* the number of the mode that eigenvalue j belongs to: a pair is one */
int zw_linear_mode(const zw_linear_equations *l, int j);

void zw_linear_put_text(zw_text *out, const zw_linear_equations *l);
void zw_linear_put_latex(zw_text *out, const zw_linear_equations *l);
void zw_linear_put_json(zw_text *out, const zw_linear_equations *l);
void zw_linear_put_csv(zw_text *out, const zw_linear_equations *l);

#endif
