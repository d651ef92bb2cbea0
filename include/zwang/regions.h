/* SPDX-License-Identifier: MIT */
/* Implemented in src/many/regions. */
/* The plane of two parameters, parted by what exists there: equilibria and cycles, how many, stable
 * or not.
 *
 * At each point of a grid the equilibria are found again from what a search at some of its points
 * has found. Cycles are counted where the state has two entries, by a return map: a line of starts
 * in the plane, the section x_i = c, from an equilibrium a outwards to b (another one, if there is
 * one). A motion that starts at the distance s from a comes back to the line at the distance R(s),
 * after one turn; or, where the point symmetry x -> M x of the motion is known, after half a turn,
 * with M applied to where it arrives. Cycles about a are the zeros of d(s) = R(s) - s, each of them
 * stable if d falls there:
 *
 *     sign of d near a    that of the real part of the eigenvalues of a:  R(s)/s -> exp(2 pi Re/|Im|), of half a turn pi
 *     samples             with two tolerances; the difference bounds the error, and a d below it
 *                         has no sign
 *     leaves              a motion that ends at a stop event of the model, that comes back beyond
 *                         b, or that has not come back
 *                         for ten turns and is then twice as far from a as b is, or that fails a
 *                         hundred times as far away, goes outwards
 *     zeros               between samples of different sign; where |d| is smallest between two of
 *                         one sign, more are taken,
 *                         and a point where this does not come to an end is undecided, as is one
 *                         where a sample has no sign
 *                         and its neighbours have the same
 *
 * Neighbours on the grid must agree. Without anything between them they have the same cycles. With
 * Hopf's bifurcation of a between them (its stability changes) one cycle more is on the side where
 * a is unstable, if cycles there are born stable (d/s falls with s), on the other side if not. With
 * a connection of b with itself between them (the sign of d at the far end changes) one more is on
 * the side where motions come back inside of it, if the saddle quantity of b (the trace of its
 * linear equations) is negative, on the other side if it is positive (Andronov, Leontovich). What
 * is left of the difference of the numbers is even, and each pair is a fold of cycles between the
 * two points, be it seen or not.
 *
 * Where regions are known in closed form they are conditions of parameters, "zeta < 1 and w > 1 +
 * kappa", and nothing is computed but these. */
#ifndef ZWANG_REGIONS_H
#define ZWANG_REGIONS_H

#include "doubt.h"
#include "model.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_regions zw_regions;

typedef struct zw_regions_options {
    size_t size;         /* of this struct, for the library */
    const char *over[2]; /* "zeta=0.8:1.6:80": a parameter, its range, how many values (41) */
    int nsearch;         /* where equilibria are looked for, "beta=0.5:2.6"; none: near the start */
    const char *const *search;
    int starts;          /* of the search at each of five points: 64 */
    const char *section; /* "beta = pi/2"; NULL: no cycles are counted */
    const char *scan;   /* "gamma=pi/2:3*pi/2:24": from a to b, and how many samples between (24) */
    const char *mirror; /* "beta = pi - beta, gamma = pi - gamma"; NULL: whole turns */
    double until;       /* s: a motion that has not come back by then has no sign; 0: 100 turns */
    double tolerance;   /* of motions, 1e-8; the second time a thirtieth of it */
    int threads;        /* 0: as many as there are cores */
    int nregion;        /* regions in closed form, instead of all the above */
    const char *const *region; /* "v2: zeta < 1"; "v1: elsewhere" */
    int ncurve;
    const char *const *curve; /* "w = 1 + kappa": curves in closed form, of parameters */
    int nwith;
    const zw_table *const *with; /* results with both parameters as columns, drawn over it */
    const char *const *with_name;
    int nmark;
    const char *const *mark; /* "v1=1.2,1.03": a point and its name, values of the two axes */
    const char *principle;   /* NULL: "lagrange" */
    /* Called now and then with the part that is done; true ends it: points that are done by then
     * are told, the others are undecided. May be NULL. */
    bool (*stop)(void *user, double done);
    void *stop_user;
    const zw_allocator *allocator; /* of all but the ensembles of motions; NULL: malloc */
} zw_regions_options;
ZW_API void zw_regions_options_init(zw_regions_options *options, size_t size);
static inline zw_regions_options zw_regions_options_default(void) {
    zw_regions_options o;
    zw_regions_options_init(&o, sizeof o);
    return o;
}

enum { ZW_REGION_RESTS = 8, ZW_REGION_CYCLES = 8 };
typedef struct zw_region_point {
    double at[2];                  /* SI */
    int region;                    /* 1, 2, ...; 0: undecided */
    int nrest;                     /* equilibria, */
    int grows[ZW_REGION_RESTS];    /* and how many disturbances grow at each; -1: not decided */
    int name[ZW_REGION_RESTS];     /* which `steady` of the model each is; -1: none */
    int ncycle;                    /* -1: not counted */
    bool stable[ZW_REGION_CYCLES]; /* from the inside outwards */
    double amplitude[ZW_REGION_CYCLES]; /* distance from a, as the last samples have it */
    int inner, outer;                   /* sign of d near a and at the far end; 0: not known */
    double quantity;                    /* trace at b; NaN if b is no saddle */
    double bend;                        /* of d/s near a; NaN if not known */
    const char *why;                    /* of what is undecided; NULL */
    int samples;                        /* of the return map */
} zw_region_point;

/* Pairs of neighbours. */
typedef struct zw_region_pairs {
    long all, decided;
    long hopf, connection; /* with these between them; if b is no saddle: a cycle passes b */
    long seen;             /* folds between points whose numbers of cycles show it */
    long hidden;           /* folds that the rule asks for and the numbers do not show */
    int folds_most;        /* along a line of the grid, where one parameter changes */
    long unknown; /* pairs with a change that no curve comes near, where curves are given */
    int hidden_at[2], unknown_at[2]; /* points of the first of them; -1 */
} zw_region_pairs;

ZW_API zw_status zw_regions_create(zw_regions **out, const zw_model_source *source,
                                   const zw_regions_options *options, zw_error *err);
ZW_API void zw_regions_destroy(zw_regions *r);
ZW_API int zw_regions_points(const zw_regions *r); /* the first parameter goes fastest */
ZW_API const zw_region_point *zw_regions_at(const zw_regions *r, int i);
ZW_API int zw_regions_count(const zw_regions *r);
/* The words for region 1, 2, ...: "1 stable equilibrium, 1 saddle, 2 cycles (unstable/stable)",
 * from the inside. */
ZW_API const char *zw_regions_words(const zw_regions *r, int region);
ZW_API zw_region_pairs zw_regions_pairs(const zw_regions *r);
ZW_API bool zw_regions_is_stopped(const zw_regions *r); /* by the user */
ZW_API long zw_regions_motions(const zw_regions *r);
/* Points of curve i (those of `curve`, then those of `with`): n pairs. */
ZW_API const double *zw_regions_curve(const zw_regions *r, int i, long *n);

ZW_API void zw_regions_warnings(const zw_regions *r, zw_warnings *doubts);
/* In words and as JSON: strings of the regions. NULL if out of memory. */
ZW_API const char *zw_regions_text(zw_regions *r);
ZW_API const char *zw_regions_json(zw_regions *r);
/* One row for each point; notes for zwang plot: map, the words of the regions, curves and marks
 * over it. */
ZW_API zw_status zw_regions_table(const zw_regions *r, zw_table **out, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
