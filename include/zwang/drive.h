/* SPDX-License-Identifier: MIT */
/* Implemented in src/sim. */
/* A simulation that a program drives step by step: control loops, co-simulation, games.
 *
 *   zw_drive *plant;
 *   status = zw_drive_create(&plant, system, NULL, NULL, &err);
 *   for (int k = 0; status >= 0 && k < n; k++) {
 *       zw_drive_state(plant, x, &err);
 *       u[0] = controller(x);
 *       status = zw_drive_change(plant, zw_drive_time(plant), NULL, u, &err);
 *       if (status >= 0)
 *           status = zw_drive_to(plant, (k + 1) * h, &err);
 *   }
 *   zw_drive_destroy(plant);
 *
 * It does all that a zw_sim does (events and what they change, contacts by time steps and from
 * event to event, switched constraints, clocks, tables, noise) but records nothing: the program
 * asks for the state or a row where it wants one. With the same options, and rows at the same
 * times, these are the rows of zw_sim_run to the last bit.
 *
 * The complete state can be saved and restored, to look ahead or to repeat a step: after it was
 * restored the motion continues with the same bits.
 *
 * One thread at a time; several drives need systems in contexts of their own. */
#ifndef ZWANG_DRIVE_H
#define ZWANG_DRIVE_H

#include "simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_drive zw_drive;

/* A drive at the start of a finished system, as zw_sim_create and zw_drive_start make it. source
 * and options may be NULL. Of the options, `until` is the time up to which the motion is known to
 * be wanted: steps before it may end beyond the time that was asked for, and a motion may go on
 * after it. step_out and memory_max have no meaning. The system, its context and options.user must
 * outlive the drive. */
ZW_API zw_status zw_drive_create(zw_drive **out, const zw_system *sys,
                                 const zw_model_source *source, const zw_sim_options *options,
                                 zw_error *err);
/* Destroys it with all that was saved of it; may be NULL. */
ZW_API void zw_drive_destroy(zw_drive *drive);

/* Back to the start of the model, at time t [s], with these numbers in place of what it says (NULL:
 * none; those of before are forgotten) and without inputs held by zw_drive_change. Events that are
 * due at the start happen. */
ZW_API zw_status zw_drive_start(zw_drive *drive, double t, const zw_sim_numbers *numbers,
                                zw_error *err);
/* On to time t [s]. ZW_OK: it is there. ZW_EVENT: an event with `stop` has ended the motion before.
 * ZW_STOPPED: options.stop asked for it; another call goes on. Negative: failed, err names the
 * constraint or event of the model; only zw_drive_start and zw_drive_restore are possible then. */
ZW_API zw_status zw_drive_to(zw_drive *drive, double t, zw_error *err);
/* As zw_drive_to, but ends with ZW_EVENT at the first event, after what it changes: zw_drive_event
 * tells which. Another call goes on from there. */
ZW_API zw_status zw_drive_to_event(zw_drive *drive, double t, zw_error *err);
/* Continues at time t [s] (as a rule zw_drive_time) with other numbers. numbers (may be NULL):
 * parameters keep their new values; entries of the state jump to theirs, the others follow onto the
 * constraints by the least amount. input (may be NULL: as before): values of the signals of the
 * model, in their order, SI, held until the next change; NaN: what the model says. The integration
 * begins anew, so that inputs may jump. After a failure only zw_drive_start and zw_drive_restore
 * are possible, but numbers that do not exist or are not finite change nothing. */
ZW_API zw_status zw_drive_change(zw_drive *drive, double t, const zw_sim_numbers *numbers,
                                 const double *input, zw_error *err);

/* Time [s]. */
ZW_API double zw_drive_time(const zw_drive *drive);
/* Has an event ended the motion? */
ZW_API bool zw_drive_has_ended(const zw_drive *drive);
/* The state x = (q, v) of the system (nq + nv, SI). */
ZW_API zw_status zw_drive_state(const zw_drive *drive, double *x, zw_error *err);
/* Values of the parameters (np, SI), owned by the drive, valid until it moves. */
ZW_API const double *zw_drive_parameters(const zw_drive *drive);
/* All columns that zw_sim_rows has (observables, multipliers, energies, ...), owned by the drive,
 * valid until the next call. Mean forces and impulses of contacts are those since the row that was
 * asked for before. NULL after a failure. */
ZW_API const double *zw_drive_row(zw_drive *drive);
/* An empty table with these columns, owned by the drive: their names and units. */
ZW_API const zw_table *zw_drive_columns(const zw_drive *drive);
/* The events met by the last call of start, to, to_event or change: how many; the name of one,
 * owned by the drive, and its time [s] (t may be NULL). */
ZW_API int zw_drive_events(const zw_drive *drive);
ZW_API const char *zw_drive_event(const zw_drive *drive, int number, double *t);
/* The simulation below: what holds, statistics, warnings, the completed start. */
ZW_API const zw_sim *zw_drive_sim(const zw_drive *drive);

/* A state of a drive with all that the integration remembers. */
typedef struct zw_drive_saved zw_drive_saved;
/* Saves the state; *out belongs to the drive and remains valid until it is forgotten. Methods of
 * SUNDIALS (adams, bdf, ida, erk) are started again at this point, with and without a later
 * restore; with the others the motion does not change. */
ZW_API zw_status zw_drive_save(zw_drive *drive, zw_drive_saved **out, zw_error *err);
/* Back to a saved state, as often as wanted. Warnings are not taken back. */
ZW_API zw_status zw_drive_restore(zw_drive *drive, const zw_drive_saved *saved, zw_error *err);
/* Frees a saved state; may be NULL. */
ZW_API void zw_drive_forget(zw_drive *drive, zw_drive_saved *saved);

#ifdef __cplusplus
}
#endif
#endif
