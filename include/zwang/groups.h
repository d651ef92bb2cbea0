/* SPDX-License-Identifier: MIT */
/* Implemented in src/formulas/groups. */
/* Products without dimension, and the model in their terms (Buckingham 1914).
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
#ifndef ZWANG_GROUPS_H
#define ZWANG_GROUPS_H

#include "model.h"
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

/* Of the model of a source. The products live in a context of their own. Refused by name: a model
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

/* For people, and as JSON; strings of the products. NULL if out of memory. */
ZW_API const char *zw_products_text(zw_products *p);
ZW_API const char *zw_products_json(zw_products *p);

/* ------------------------------------------------------------------------------------------ */

/* Parameters for wanted values: expressions of parameters f_i (m of them) shall have the values
 * w_i, by varying n >= m parameters in ranges. Newton's method with damping (Levenberg, Marquardt)
 * from many starts, with exact derivatives; parameters at a bound that would leave it stay there.
 * Solutions that starts lead to are told once each. A search is no proof: what no start leads to is
 * not found. With n > m there is a family of n - m dimensions, of which one member is told, that
 * from the values of the model. */

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

/* Without wants: the values of `tell` alone. ZW_E_NUMERIC: no values in the ranges; the error tells
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
ZW_API const char *zw_inverse_design_text(zw_inverse_design *w);
ZW_API const char *zw_inverse_design_json(zw_inverse_design *w);

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

#ifdef __cplusplus
}
#endif
#endif
