/* SPDX-License-Identifier: MIT */
/* Zwang: constrained mechanical systems, from text to motion. The umbrella header.
 *
 *   text --model--> zw_system --derive--> zw_equations --kernel--> zw_kernel --run--> zw_run
 *
 * and zw_sim takes a system through all of them and records what happens.
 * Each noun is made from the one before and is constant once made, but for the last. */
#ifndef ZWANG_ZWANG_H
#define ZWANG_ZWANG_H

#include "advice.h"
#include "agreement.h"
#include "amplitudes.h"
#include "average.h"
#include "basin.h"
#include "blame.h"
#include "branch.h"
#include "branches.h"
#include "classify.h"
#include "collocation.h"
#include "compare.h"
#include "completion.h"
#include "connection.h"
#include "connections.h"
#include "contact.h"
#include "continuation.h"
#include "criticality.h"
#include "cycle_normal.h"
#include "diagram.h"
#include "doubt.h"
#include "ensemble.h"
#include "equations.h"
#include "equilibria.h"
#include "expr.h"
#include "figure.h"
#include "fit.h"
#include "floquet.h"
#include "flow.h"
#include "follow.h"
#include "forced.h"
#include "forced_gauss.h"
#include "forcing.h"
#include "friction.h"
#include "gauss_integral.h"
#include "harmonic.h"
#include "hopf.h"
#include "hybrid.h"
#include "hybrid_orbits.h"
#include "integrals.h"
#include "kernel.h"
#include "limits.h"
#include "linear.h"
#include "linearise.h"
#include "locus.h"
#include "lyapunov.h"
#include "manifold.h"
#include "melnikov.h"
#include "method.h"
#include "mode.h"
#include "model.h"
#include "moreau.h"
#include "native.h"
#include "near.h"
#include "noise.h"
#include "orbits.h"
#include "over.h"
#include "page.h"
#include "paths.h"
#include "plan.h"
#include "plot.h"
#include "products.h"
#include "reduce.h"
#include "regions.h"
#include "result.h"
#include "rewrite.h"
#include "run.h"
#include "sampler.h"
#include "scene.h"
#include "search.h"
#include "shooting.h"
#include "simulate.h"
#include "slow.h"
#include "statespace.h"
#include "statics.h"
#include "statistics.h"
#include "status.h"
#include "steady.h"
#include "steady_curve.h"
#include "surfaces.h"
#include "survey.h"
#include "survey_files.h"
#include "switch.h"
#include "symbolic.h"
#include "system.h"
#include "table.h"
#include "taylor.h"
#include "track.h"
#include "tracking.h"
#include "trig_series.h"
#include "verify.h"
#include "view.h"
#include "wanted.h"

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
