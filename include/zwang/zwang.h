/* SPDX-License-Identifier: MIT */
/* Zwang: constrained mechanical systems, from text to motion. The umbrella header.
 *
 *   text --model--> zw_system --derive--> zw_equations --kernel--> zw_kernel --run--> zw_run
 *
 * and zw_sim takes a system through all of them and records what happens.
 * Each noun is made from the one before and is constant once made, but for the last. */
#ifndef ZWANG_ZWANG_H
#define ZWANG_ZWANG_H

#include "basin.h"
#include "chart.h"
#include "claims.h"
#include "connections.h"
#include "contact.h"
#include "diagram.h"
#include "doubt.h"
#include "drive.h"
#include "ensemble.h"
#include "equations.h"
#include "equilibria.h"
#include "expr.h"
#include "figure.h"
#include "fit.h"
#include "flow.h"
#include "forced.h"
#include "kernel.h"
#include "linear.h"
#include "lyapunov.h"
#include "manifold.h"
#include "melnikov.h"
#include "model.h"
#include "motion.h"
#include "nonsmooth.h"
#include "option.h"
#include "orbits.h"
#include "plot.h"
#include "report.h"
#include "run.h"
#include "simulate.h"
#include "statespace.h"
#include "status.h"
#include "steady.h"
#include "study.h"
#include "survey.h"
#include "symbolic.h"
#include "system.h"
#include "table.h"
#include "tracking.h"
#include "view.h"

#define ZW_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that is running; compare with ZW_VERSION. */
ZW_API const char *zw_version(void);

#ifdef __cplusplus
}
#endif
#endif
