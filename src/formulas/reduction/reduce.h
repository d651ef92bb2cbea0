/* SPDX-License-Identifier: MIT */
/* What the sources of the reduction share; see zwang/symbolic.h. */
#ifndef ZW_FORMULAS_REDUCTION_REDUCE_H
#define ZW_FORMULAS_REDUCTION_REDUCE_H

#include "explicit.h"
#include "zwang/symbolic.h"

struct zw_reduction {
    zw_arena arena;
    const zw_system *sys;
    zw_context *ctx;
    zw_reduce_options options;
    double *p;         /* np: values of the parameters */
    bool *kept;        /* nq: coordinates that are not left out */
    zw_explicit rates; /* where the coordinates left out have their values */
    zw_explicit all;   /* without these values: what the constraints determine at any state */
    int nheld;         /* conserved momenta that are parameters (reduce_momenta.c) */
    zw_reduced_momentum *held;
    const struct zw_reduced_routh *routh; /* NULL: the reduced system is not mechanical */
    zw_reduced result;
    /* ZW_REDUCE_SAMPLES rows: time, then an admissible state (q, v) of the full model. */
    double *sample;
};

enum { ZW_REDUCE_SAMPLES = 8 };

/* Routh's function, kinetic - potential, and forces that are not in it. */
typedef struct zw_reduced_routh {
    int n;
    int *coordinate; /* n: their indices in q */
    zw_expr kinetic, potential;
    zw_expr *force; /* n: 0 if there is none */
} zw_reduced_routh;

/* reduce_momenta.c: conserved momenta replace velocities, as the options require. start: on the
 * slice. */
zw_status zw_reduce_momenta(zw_reduction *r, const double *start, zw_error *err);
bool zw_reduce_is_held(const zw_reduction *r, int index);
/* A formula of the entries without the velocities that momenta replace. */
zw_expr zw_reduce_put_momenta(const zw_reduction *r, zw_expr e);
/* A formula of the model in terms of the entries, where the coordinates left out have their
 * values. */
zw_expr zw_reduce_on_slice(const zw_reduction *r, zw_expr e);

/* Is a formula of t and (q, v) zero at all samples, compared with a corresponding size? */
bool zw_reduce_is_zero(zw_reduction *r, zw_expr e, zw_expr size);

/* reduce_draw.c: the values that a drawing needs, as formulas of the full model, and their number;
 * and as statements, from these formulas in terms of the reduced one. number: of the drawing. */
enum { ZW_REDUCE_DRAWN = 15 };
struct zw_state_text;
int zw_reduce_drawing(const zw_system *s, const zw_drawing *d, zw_expr out[ZW_REDUCE_DRAWN]);
/* Replaces the axes in these formulas by angles; returns the new number of formulas. */
int zw_reduce_drawing_turns(zw_context *ctx, const zw_drawing *d, int n, zw_expr *e);
void zw_reduce_put_drawing(struct zw_state_text *t, const zw_drawing *d, int number, int n,
                           const zw_expr *e);

#define ZW_REDUCE_NEW(r, type, n) ZW_NEW(&(r)->arena, type, (n) > 0 ? (n) : 1)

zw_status zw_reduce_memory(zw_error *err);

#endif
