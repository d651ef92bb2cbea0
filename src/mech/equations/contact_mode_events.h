/* SPDX-License-Identifier: MIT */
/* Event functions of contact modes. */
#ifndef ZW_MECH_EQUATIONS_CONTACT_MODE_EVENTS_H
#define ZW_MECH_EQUATIONS_CONTACT_MODE_EVENTS_H

#include "mech/principles/principles.h"

/* Copies active->stance and the event functions at which these modes end into the equations. */
zw_status zw_contact_mode_events(zw_equations *out, const zw_system *s, const zw_active *active,
                                 zw_error *err);

#endif
