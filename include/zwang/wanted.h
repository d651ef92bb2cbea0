/* SPDX-License-Identifier: MIT */
/* Implemented in src/formulas/groups. */
/* Parameters for wanted values: expressions of parameters f_i (m of them) shall have the values w_i, by varying n >= m parameters in
 * ranges. Newton's method with damping (Levenberg, Marquardt) from many starts, with exact derivatives; parameters at a bound that
 * would leave it stay there. Solutions that starts lead to are told once each. A search is no proof: what no start leads to is
 * not found. With n > m there is a family of n - m dimensions, of which one member is told, that from the values of the model. */
#ifndef ZWANG_WANTED_H
#define ZWANG_WANTED_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_wanted zw_wanted;

typedef struct zw_wanted_options {
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
} zw_wanted_options;
ZW_API void zw_wanted_options_init(zw_wanted_options *options, size_t size);
static inline zw_wanted_options zw_wanted_options_default(void) {
    zw_wanted_options o;
    zw_wanted_options_init(&o, sizeof o);
    return o;
}

enum { ZW_WANTED_MOST = 16 };
typedef struct zw_wanted_solution {
    double value[ZW_WANTED_MOST]; /* of the parameters that vary, SI */
    bool bound[ZW_WANTED_MOST];   /* at the end of its range */
    double residual;              /* largest |f - w| over the size of w */
    int starts;                   /* that led to it */
    bool singular; /* the equations depend on each other there: it may not stand alone */
} zw_wanted_solution;

/* Without wants: the values of `tell` alone. ZW_E_NUMERIC: no values in the ranges; the error tells the nearest. */
ZW_API zw_status zw_wanted_create(zw_wanted **out, const zw_model_source *source,
                                  const zw_wanted_options *options, zw_error *err);
ZW_API void zw_wanted_destroy(zw_wanted *w);
ZW_API int zw_wanted_count(const zw_wanted *w);
ZW_API const zw_wanted_solution *zw_wanted_at(const zw_wanted *w, int i);
/* The value of expression i of `tell` at a solution, or (-1) at the values of the model; SI. */
ZW_API double zw_wanted_told(const zw_wanted *w, int solution, int i);
/* The dimension of the family that a solution belongs to, n - m. */
ZW_API int zw_wanted_free(const zw_wanted *w);
ZW_API const char *zw_wanted_text(zw_wanted *w);
ZW_API const char *zw_wanted_json(zw_wanted *w);

#ifdef __cplusplus
}
#endif
#endif
