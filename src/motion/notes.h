/* SPDX-License-Identifier: MIT */
/* Where a result of a study came from: the notes that the result of a run has, too. */
#ifndef ZW_MOTION_NOTES_H
#define ZW_MOTION_NOTES_H

#include "zwang/equilibria.h"
#include "zwang/model.h"
#include "zwang/table.h"

/* Version, model, file, variant, what was set, principle, parameters (p), constraints that hold
 * (active may be NULL), and the kind of the result. source may be NULL. */
zw_status zw_study_origin(zw_table *t, const zw_system *s, const char *principle, const double *p,
                          const zw_active *active, const zw_model_source *source, const char *kind);
/* The same of a steady motion: version, model, file, variant, what was set, principle, parameters,
 * constraints that hold, what is held, and the kind of the result. source may be NULL. */
zw_status zw_study_notes(zw_table *t, const zw_equilibria *e, const zw_model_source *source,
                         const char *kind);
/* key: value with its unit, as many digits as it needs */
zw_status zw_study_note_value(zw_table *t, const char *key, double value, const char *unit);

#endif
