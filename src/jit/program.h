/* SPDX-License-Identifier: MIT */
/* A program: several functions lowered together from expressions.
 *
 * Inputs are t, x, z and parameters p. Values that depend on parameters only are computed by the
 * extra function `prepare` (p given as x, out is the cache c) and read from the cache by all
 * others.
 *
 *     zw_program_init -> zw_program_input for every symbol -> zw_program_function for every
 * function
 *     -> zw_program_finish -> code[i], prepare                     (zw_program_clear in any
 * case) */
#ifndef ZW_JIT_PROGRAM_H
#define ZW_JIT_PROGRAM_H

#include "lower.h"

/* One function while the program is built. */
typedef struct zw_program_entry {
    const char *name;
    int nout;
    zw_value *out;
} zw_program_entry;

typedef struct zw_program {
    const zw_context *ctx;
    zw_arena arena; /* graph, outputs as values */
    zw_arena code_arena;
    zw_arena scratch; /* empty between calls */
    zw_graph graph;
    zw_lowering lowering[ZW_STYLES];
    int first_cached; /* entry of the cache that is the first of this program; 0 unless set */
    bool fuses; /* a b + c is one operation, rounded once, except in `prepare`; false unless set */
    int nfunction, capacity;
    zw_program_entry *entry;
    /* after finish */
    zw_code *code;   /* nfunction */
    zw_code prepare; /* nout is the size of its part of the cache */
} zw_program;

/* The context must outlive the program; its allocator is used. */
zw_status zw_program_init(zw_program *p, const zw_context *ctx, zw_error *err);
void zw_program_clear(zw_program *p);
zw_status zw_program_input(zw_program *p, zw_space space, int n, const zw_expr *symbols,
                           zw_error *err);
/* Values for building functions by hand. */
zw_status zw_program_lower(zw_program *p, zw_style style, int n, const zw_expr *e, zw_value *out,
                           zw_error *err);
/* A function with these outputs, in the cheaper style; its number is the count of functions before
 * it. The name must outlive the program. */
zw_status zw_program_function(zw_program *p, const char *name, int n, const zw_expr *e,
                              zw_error *err);
/* The same by hand: the values of a function in one style, in the memory of the program; each is
 * considered when it is created (which changes its values), and the cheapest becomes the
 * function. */
typedef struct zw_candidate {
    zw_value *v;
    long before, after; /* operations before and after sharing; a large one is not shared yet */
    bool shared;
} zw_candidate;
zw_status zw_program_consider(zw_program *p, int n, zw_candidate *c, zw_error *err);
zw_status zw_program_choose(zw_program *p, const char *name, int n, int ncandidate,
                            const zw_candidate *candidate, zw_error *err);
zw_status zw_program_finish(zw_program *p, zw_error *err);
/* After finish: gives back everything but the code. */
void zw_program_trim(zw_program *p);

#endif
