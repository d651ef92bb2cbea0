/* SPDX-License-Identifier: MIT */
/* Implemented in src/formulas/groups. */
/* Surfaces in the space of three parameters, from equations of parameters in closed form: nets of lines for a picture in
 * space. Of each equation, the axis is solved for along which it has the most zeros on the grid of the two others. */
#ifndef ZWANG_SURFACES_H
#define ZWANG_SURFACES_H

#include "model.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* Columns: surface (1, 2, ...; each is a part of the table), and the three parameters; rows without numbers part the lines. A surface that does not
 * pass the box is an error that names it. */
ZW_API zw_status zw_surfaces_table(const zw_model_source *source,
                                   const zw_surfaces_options *options, zw_table **out,
                                   zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
