/* SPDX-License-Identifier: MIT */
/* What simulations need of time stepping beyond the public face. */
#ifndef ZW_CONTACT_MOREAU_LINKS_H
#define ZW_CONTACT_MOREAU_LINKS_H

#include "zwang/contact.h"

/* Tell, and begin to count anew. At a time within a step its impulses and works are counted up to
 * there. The run must have this method. */
zw_status zw_moreau_tell(zw_run *run, zw_moreau_report *out, zw_error *err);
zw_moreau_accuracy zw_moreau_estimate(zw_run *run);
/* The motion of `from` continues in `run`, which has a new state and has made no steps from it: the
 * estimated errors and ranges are carried over. Does nothing if the methods or the coordinates of
 * the two differ. */
void zw_moreau_carry(zw_run *run, zw_run *from);

#endif
