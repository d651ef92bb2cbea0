/* SPDX-License-Identifier: MIT */
/* The state of a run with all that it remembers: its method's history, where events and switches
 * are, what was warned of. It is saved as the bytes of its memory (base/ledger.h), and after it was
 * restored the motion continues with the same bits. */
#ifndef ZW_NUM_RUN_STATE_H
#define ZW_NUM_RUN_STATE_H

#include "num/internal.h"

/* Does the method keep all in memory of the run? Those of SUNDIALS do not: they must be dropped
 * first, and the run then has to be started again. */
bool zw_num_can_save(const zw_run *run);
void zw_num_drop_method(zw_run *run);

zw_status zw_num_save(zw_run *run, zw_ledger_copy **out, zw_error *err);
/* Cannot fail. The copy remains valid. */
void zw_num_restore(zw_run *run, const zw_ledger_copy *copy);
void zw_num_forget_copy(zw_run *run, zw_ledger_copy *copy);

#endif
