/* SPDX-License-Identifier: MIT */
/* Implemented in src/formulas/groups, regions in src/many/regions. */
/* Dimensionless groups, and the model in their terms (Buckingham 1914).
 *
 * The quantities q_1 .. q_n that a model is made of have dimensions, the columns of the matrix D (7
 * base units x n), whose entries are fractions. A product q^a = q_1^a_1 ... q_n^a_n has none if D a
 * = 0: n - rank D of them are independent. Scales say what takes the place of the base units, each
 * a product of quantities,
 *
 *     u_b = q^(s_b),     D s_b = (unit vector b),
 *
 * and every quantity becomes q_i / u^(D_i), which has no dimension. Of these, and of products that
 * the caller names, a basis of the null space of D is taken; all others are products of powers of
 * it. Everything is exact, in fractions.
 *
 * Quantities are the parameters that the model gives a number, and those definitions (let) that a
 * scale or a named product speaks of: these are taken as given then, and what only they are made of
 * plays no part. */
#ifndef ZWANG_CHART_H
#define ZWANG_CHART_H

#include "doubt.h"
#include "model.h"
#include "report.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_products zw_products;

typedef struct zw_fraction {
    int64_t num, den; /* den > 0, lowest terms */
} zw_fraction;

typedef struct zw_products_options {
    size_t size; /* of this struct, for the library */
    int nscale;
    const char *const *scale; /* "length=r", "time=sqrt(r/g)", "mass=m"; current, temperature,
                                  amount, light. What is missing is chosen. */
    int nname;
    const char *const *name;       /* "kappa = e/r": products that shall be in the basis */
    int states;                    /* of the test of the scaled model: 64 */
    const zw_allocator *allocator; /* of everything that is made; NULL: malloc */
} zw_products_options;
ZW_API void zw_products_options_init(zw_products_options *options, size_t size);
static inline zw_products_options zw_products_options_default(void) {
    zw_products_options o;
    zw_products_options_init(&o, sizeof o);
    return o;
}

typedef struct zw_magnitude {
    const char *name, *unit;
    double value; /* SI */
    zw_fraction dimension[ZW_BASE_UNITS];
    bool defined; /* the model makes it of others; here it is taken as given */
    const char
        *scaled; /* what it is in the new units, of the names of the products: "1/(psi*w^2)" */
    double now;  /* its value then */
} zw_magnitude;

typedef struct zw_pi_product {
    const char *name;
    const char *formula; /* of the quantities: "e/r" */
    double value;
    const zw_fraction *exponent; /* one for each quantity */
    double factor;               /* number before it, mostly 1 */
    bool named;                  /* by the caller */
    bool idle;                   /* no rate changes with it; known after zw_products_model */
} zw_pi_product;

typedef struct zw_base_scale {
    const char *what;    /* "length"; NULL: nothing has this dimension */
    const char *formula; /* "r" */
    double value;        /* SI */
    bool chosen;         /* not by the caller */
} zw_base_scale;

/* Of the model of a source. The products live in a context of their own. Rejected by name: a model
 * without units, a scale with another dimension than that of its word, scales that miss a
 * dimension, products that have a dimension or follow from each other. */
ZW_API zw_status zw_products_create(zw_products **out, const zw_model_source *source,
                                    const zw_products_options *options, zw_error *err);
ZW_API void zw_products_destroy(zw_products *p);

ZW_API int zw_products_magnitudes(const zw_products *p);
ZW_API const zw_magnitude *zw_products_magnitude(const zw_products *p, int i);
ZW_API int zw_products_rank(const zw_products *p); /* of D */
ZW_API int zw_products_count(const zw_products *p);
ZW_API const zw_pi_product *zw_products_at(const zw_products *p, int i);
ZW_API zw_base_scale zw_products_scale(const zw_products *p, int base);
/* Numbers with a dimension in the text, which have no name: they become numbers that are right for
 * these values of the scales only. Known after zw_products_model. */
ZW_API int zw_products_literals(const zw_products *p);

/* The scaled model as text (of the products). It has been read again, and its rates were compared
 * with those of the model at random states; *worst is the largest difference, relative to the size
 * of that rate. ZW_E_NUMERIC if that is more than 1e-9. */
ZW_API zw_status zw_products_model(zw_products *p, const char **text, double *worst, zw_error *err);
/* The value of one unit of a quantity of the model, in SI: times and coordinates are divided by
 * it. */
ZW_API zw_status zw_products_unit(const zw_products *p, const char *unit, double *value,
                                  zw_error *err);

ZW_API void zw_products_report(const zw_products *p, zw_report *out);

/* ------------------------------------------------------------------------------------------ */

/* Inverse design, parameters for required values: expressions of parameters f_i (m of them) shall have the values
 * w_i, by varying n >= m parameters in ranges. Newton's method with damping (Levenberg, Marquardt)
 * from many starts, with exact derivatives; parameters at a bound that would leave it stay there.
 * Solutions that starts lead to are reported once each. A search is no proof: what no start leads
 * to is not found. With n > m there is a family of n - m dimensions, of which one member is
 * reported, that from the values of the model. */

typedef struct zw_inverse_design zw_inverse_design;

typedef struct zw_inverse_design_options {
    size_t size; /* of this struct, for the library */
    int nwant;
    const char *const *want; /* "zeta = 1.5, kappa = 0.05" */
    int nvary;
    const char *const *vary; /* "a=5:20mm", or "a": from a tenth of its value to ten times it */
    int nname;
    const char *const *name; /* further definitions, "zeta = J_1/J_2" */
    int ntell;
    const char *const *tell;       /* further expressions whose values are told, "kappa, Omega_c" */
    int starts;                    /* 64 */
    const zw_allocator *allocator; /* of everything that is made; NULL: malloc */
} zw_inverse_design_options;
ZW_API void zw_inverse_design_options_init(zw_inverse_design_options *options, size_t size);
static inline zw_inverse_design_options zw_inverse_design_options_default(void) {
    zw_inverse_design_options o;
    zw_inverse_design_options_init(&o, sizeof o);
    return o;
}

enum { ZW_INVERSE_DESIGN_MOST = 16 };
typedef struct zw_inverse_design_solution {
    double value[ZW_INVERSE_DESIGN_MOST]; /* of the parameters that vary, SI */
    bool bound[ZW_INVERSE_DESIGN_MOST];   /* at the end of its range */
    double residual;                      /* largest |f - w| over the size of w */
    int starts;                           /* that led to it */
    bool singular; /* the equations depend on each other there: it may not stand alone */
} zw_inverse_design_solution;

/* Without `want`: the values of `tell` alone. ZW_E_NUMERIC: no values in the ranges; the error gives
 * the nearest. */
ZW_API zw_status zw_inverse_design_create(zw_inverse_design **out, const zw_model_source *source,
                                          const zw_inverse_design_options *options, zw_error *err);
ZW_API void zw_inverse_design_destroy(zw_inverse_design *w);
ZW_API int zw_inverse_design_count(const zw_inverse_design *w);
ZW_API const zw_inverse_design_solution *zw_inverse_design_at(const zw_inverse_design *w, int i);
/* The value of expression i of `tell` at a solution, or (-1) at the values of the model; SI. */
ZW_API double zw_inverse_design_told(const zw_inverse_design *w, int solution, int i);
/* The dimension of the family that a solution belongs to, n - m. */
ZW_API int zw_inverse_design_free(const zw_inverse_design *w);
ZW_API void zw_inverse_design_report(const zw_inverse_design *w, zw_report *out);

/* ------------------------------------------------------------------------------------------ */

/* Surfaces in the space of three parameters, from equations of parameters in closed form: nets of
 * lines for a picture in space. Of each equation, the axis is solved for along which it has the
 * most zeros on the grid of the two others. */

typedef struct zw_surfaces_options {
    size_t size;         /* of this struct, for the library */
    const char *over[3]; /* "kappa=0:0.1:11": a parameter, its range, how many lines (11) */
    int ncurve;
    const char *const *curve; /* "w = 1 + kappa" */
    int nmark;
    const char *const *mark;       /* "V1=0.0556,1.109,1.04": points by their names */
    const zw_allocator *allocator; /* of everything that is made; NULL: malloc */
} zw_surfaces_options;
ZW_API void zw_surfaces_options_init(zw_surfaces_options *options, size_t size);
static inline zw_surfaces_options zw_surfaces_options_default(void) {
    zw_surfaces_options o;
    zw_surfaces_options_init(&o, sizeof o);
    return o;
}

/* Columns: surface (1, 2, ...; each is a part of the table), and the three parameters; rows without
 * numbers part the lines. A surface that does not pass the box is an error that names it. */
ZW_API zw_status zw_surfaces_table(const zw_model_source *source,
                                   const zw_surfaces_options *options, zw_table **out,
                                   zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* The plane of two parameters, parted by what exists there: equilibria and cycles, how many, stable
 * or not.
 *
 * At each point of a grid the equilibria are found again from what a search at some of its points
 * has found. Cycles are counted where the state has two entries, by a return map: a line of starts
 * in the plane, the section x_i = c, from an equilibrium a outwards to b (another one, if there is
 * one). A motion that starts at the distance s from a returns to the line at the distance R(s),
 * after one turn; or, where the point symmetry x -> M x of the motion is known, after half a turn,
 * with M applied to where it arrives. Cycles about a are the zeros of d(s) = R(s) - s, each of them
 * stable if d falls there:
 *
 *     sign of d near a    that of the real part of the eigenvalues of a:  R(s)/s -> exp(2 pi Re/|Im|), of half a turn pi
 *     samples             with two tolerances; the difference bounds the error, and a d below it
 *                         has no sign
 *     leaves              a motion that ends at a stop event of the model, that returns beyond
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
    int threads;        /* 0: one per core */
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
     * are reported, the others are undecided. May be NULL. */
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
ZW_API int zw_regions_points(const zw_regions *r); /* the first parameter varies fastest */
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
ZW_API void zw_regions_report(const zw_regions *r, zw_report *out);
/* One row for each point; notes for zwang plot: map, the words of the regions, curves and marks
 * over it. */
ZW_API zw_status zw_regions_table(const zw_regions *r, zw_table **out, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
