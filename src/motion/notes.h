/* SPDX-License-Identifier: MIT */
/* The provenance notes of a result, the same as those of a run. */
#ifndef ZW_MOTION_NOTES_H
#define ZW_MOTION_NOTES_H

#include "zwang/equilibria.h"
#include "zwang/model.h"
#include "zwang/table.h"

/* Notes version, model, file, variant, settings, principle, parameters (p), active constraints
 * (active may be NULL) and the kind of the result. source may be NULL. */
zw_status zw_study_origin(zw_table *t, const zw_system *s, const char *principle, const double *p,
                          const zw_active *active, const zw_model_source *source, const char *kind);
/* The same for an equilibrium or relative equilibrium, with the quantities that are held. */
zw_status zw_study_notes(zw_table *t, const zw_equilibria *e, const zw_model_source *source,
                         const char *kind);
/* key: value with its unit and as many digits as it needs */
zw_status zw_study_note_value(zw_table *t, const char *key, double value, const char *unit);

#endif
