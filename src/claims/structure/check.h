/* SPDX-License-Identifier: MIT */
/* What a model says: its unknowns, the kinds of its constraints, what follows from them, and its
 * completed start. check_study.c collects it, check_report.c describes it. */
#ifndef ZW_CLAIMS_STRUCTURE_CHECK_H
#define ZW_CLAIMS_STRUCTURE_CHECK_H

#include "zwang/claims.h"
#include "zwang/simulate.h"

typedef struct zw_check {
    const zw_system *sys;
    zw_classification is;
    zw_census census;
    double *p; /* np: values of the parameters */
    zw_completion start;
    zw_integrals leaf; /* of the start */
    int nvariant;
    const char *const *variant;
    zw_warnings *warnings; /* of the model */
} zw_check;

void zw_check_report(const zw_check *c, zw_report *out);

#endif
