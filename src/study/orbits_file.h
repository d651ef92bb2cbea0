/* SPDX-License-Identifier: MIT */
/* Orbits in the notes of a table; private to the files of periodic orbits. */
#ifndef ZW_STUDY_ORBITS_FILE_H
#define ZW_STUDY_ORBITS_FILE_H

#include "orbits.h"

/* The notes of all orbits, and that of one, which is this row. */
zw_status zw_orbits_note_head(const zw_orbits *o, zw_table *t);
zw_status zw_orbits_note(const zw_orbits *o, int number, const char *label, long row, zw_table *t);

#endif
