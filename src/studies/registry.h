/* SPDX-License-Identifier: MIT */
/* The rows of the studies, by the folder that defines them. */
#ifndef ZW_STUDIES_REGISTRY_H
#define ZW_STUDIES_REGISTRY_H

#include "zwang/study.h"

extern const zw_study_kind zw_study_check;      /* src/claims/structure */
extern const zw_study_kind zw_study_compare;    /* src/claims/principles */
extern const zw_study_kind zw_study_derive;     /* src/formulas/equations */
extern const zw_study_kind zw_study_verify;     /* src/claims/verify */
extern const zw_study_kind zw_study_connect;    /* src/motion/connections */
extern const zw_study_kind zw_study_continue;   /* src/motion/orbits */
extern const zw_study_kind zw_study_orbit;      /* src/motion/orbits */
extern const zw_study_kind zw_study_lyapunov;   /* src/many/exponents */
extern const zw_study_kind zw_study_melnikov;   /* src/melnikov */
extern const zw_study_kind zw_study_path;       /* src/motion/paths */
extern const zw_study_kind zw_study_noise;      /* src/many/noise */
extern const zw_study_kind zw_study_sweep;      /* src/many/sweeps */
extern const zw_study_kind zw_study_basin;      /* src/many/basins */
extern const zw_study_kind zw_study_fit;        /* src/data/fitting */
extern const zw_study_kind zw_study_track;      /* src/data/tracking */
extern const zw_study_kind zw_study_rest;       /* src/motion/equilibria */
extern const zw_study_kind zw_study_response;   /* src/motion/response */
extern const zw_study_kind zw_study_backbone;   /* src/motion/response */
extern const zw_study_kind zw_study_reduce;     /* src/formulas/reduction */
extern const zw_study_kind zw_study_slow;       /* src/slow */
extern const zw_study_kind zw_study_chart;      /* src/many/regions */
extern const zw_study_kind zw_study_equilibria; /* src/motion/equilibria */
extern const zw_study_kind zw_study_linearise;  /* src/linear/study */
extern const zw_study_kind zw_study_amplitudes; /* src/formulas/amplitudes */
extern const zw_study_kind zw_study_run;        /* src/runs */
extern const zw_study_kind zw_study_diagram;    /* src/motion/diagram */

#endif
