/* SPDX-License-Identifier: MIT */
/* The rows of the studies, by the folder that defines them. */
#ifndef ZW_STUDIES_REGISTRY_H
#define ZW_STUDIES_REGISTRY_H

#include "zwang/study.h"

extern const zw_study_kind zw_study_check;    /* src/claims/structure */
extern const zw_study_kind zw_study_compare;  /* src/claims/principles */
extern const zw_study_kind zw_study_derive;   /* src/formulas/equations */
extern const zw_study_kind zw_study_lyapunov; /* src/many/exponents */
extern const zw_study_kind zw_study_melnikov; /* src/melnikov */
extern const zw_study_kind zw_study_path;     /* src/motion/paths */
extern const zw_study_kind zw_study_noise;    /* src/many/noise */
extern const zw_study_kind zw_study_rest;     /* src/motion/equilibria */
extern const zw_study_kind zw_study_verify;   /* src/claims/verify */

#endif
