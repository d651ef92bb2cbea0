/* SPDX-License-Identifier: MIT */
/* What the sources of zwang/chart.h share. */
#ifndef ZW_FORMULAS_GROUPS_PRODUCTS_H
#define ZW_FORMULAS_GROUPS_PRODUCTS_H

#include "base/text.h"
#include "base/units.h"
#include "fractions.h"
#include "zwang/chart.h"

/* A number times powers of the magnitudes: factor * q^exponent. */
typedef struct zw_monomial {
    double factor;
    zw_fraction *exponent; /* one for each magnitude; while reading, one for each parameter */
} zw_monomial;

struct zw_products {
    zw_context *ctx;
    zw_system *sys; /* with definitions as parameters */
    zw_model_source source;
    zw_model_options model; /* its options, with definitions as parameters */
    zw_products_options options;
    double *p;               /* values of all parameters */
    zw_monomial *said;       /* of the scales, then of the names, in all parameters */
    const char **label;      /* nname */
    int base[ZW_BASE_UNITS]; /* of each given scale: its base unit, or -1 */
    int n;                   /* number of magnitudes */
    zw_magnitude *q;
    int *which;   /* n: their parameters */
    int ndropped; /* definitions that are no longer used, including those of the magnitudes */
    const char **dropped;
    int rank;
    bool needed[ZW_BASE_UNITS];
    zw_monomial unit[ZW_BASE_UNITS]; /* replacements of the base units */
    bool chosen[ZW_BASE_UNITS];
    zw_monomial *scaled; /* n: q_i over its unit */
    int nproduct;
    zw_pi_product *product;
    int nliteral;
    bool plain; /* no numbers before groups and scales */
    zw_base_scale scale[ZW_BASE_UNITS];
    char *text, *head; /* of the scaled model */
    double difference; /* of its rates from those of the model */
};

extern const char *const zw_base_words[ZW_BASE_UNITS];

/* Writes factor times a product of powers, in the language: "e/r", "1/(psi*w^2)", "1". */
void zw_monomial_put(zw_text *t, double factor, int n, const zw_fraction *exponent,
                     const char *const *name);
/* The dimension of a unit of the system, "" for plain numbers. */
zw_status zw_products_dimension(const char *unit, zw_dim *out, zw_error *err);
/* products_report.c: the scales by their formulas. */
zw_status zw_products_name_scales(zw_products *p, zw_error *err);
double zw_monomial_value(const zw_products *p, const zw_monomial *m);

#endif
