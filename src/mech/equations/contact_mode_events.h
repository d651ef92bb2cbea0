/* SPDX-License-Identifier: MIT */
/* Event functions of contacts. */
#ifndef ZW_MECH_EQUATIONS_CONTACT_MODE_EVENTS_H
#define ZW_MECH_EQUATIONS_CONTACT_MODE_EVENTS_H

#include "mech/principles/principles.h"

/* active->stance copied, and the functions that tell where it ends, into the equations. */
zw_status zw_watch_contacts(zw_equations *out, const zw_system *s, const zw_active *active,
                            zw_error *err);

#endif
