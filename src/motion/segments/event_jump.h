/* SPDX-License-Identifier: MIT */
/* Disturbances through an event (saltation). At an event sigma(t, x, p) = 0 the state jumps, x+ =
 * R(t, x-, p), and the rates change from f- to f+. A neighbouring motion reaches the event earlier
 * or later, by
 *
 *     dT = -(sigma_x y + sigma_p)/(sigma_t + sigma_x f-),
 *
 * so its disturbance y (of a parameter: with the derivatives with respect to it) becomes
 *
 *     y+ = R_x y + R_p + g dT,     g = R_x f- + R_t - f+
 *
 * (M. di Bernardo et al., Piecewise-smooth Dynamical Systems, 2008, 2.5; R. I. Leine, H. Nijmeijer
 * (2004), chapter 7). Derivatives are central differences of fourth order. If g = 0, for instance
 * when a contact opens or begins to slip, nothing depends on dT. Otherwise the matrix does not
 * exist if sigma is touched without being crossed (grazing), or if several functions vanish at the
 * same time and a neighbouring motion reaches their zeros at different times.
 *
 * An event without sigma occurs at a given time: dT = 0.
 *
 * Events may annihilate disturbances: contacts that close without restitution, slips that end. This
 * module finds the number of independent ones that are left, and makes them span exactly that many
 * directions. */
#ifndef ZW_MOTION_SEGMENTS_EVENT_JUMP_H
#define ZW_MOTION_SEGMENTS_EVENT_JUMP_H

#include "base/arena.h"
#include "zwang/status.h"

/* The event as a function: sigma (nsigma), x+ (nx), and nfixed further values on which the motion
 * depends and that must not depend on the state, at time t and state x. Parameter number
 * `parameter` of the derivatives (-1: none) is moved by `by`. */
typedef zw_status (*zw_event_map)(void *self, double t, const double *x, int parameter, double by,
                                  double *out, zw_error *err);

typedef enum zw_event_jump_kind {
    ZW_EVENT_JUMP_REGULAR,
    ZW_EVENT_JUMP_GRAZES,
    /* several functions vanish that neighbouring motions reach at different times */
    ZW_EVENT_JUMP_SEVERAL,
    ZW_EVENT_JUMP_MOVES /* a fixed value depends on the state */
} zw_event_jump_kind;

typedef struct zw_event_jump {
    int nx, npar, nsigma, nfixed;
    double *D;    /* (nsigma + nx + nfixed) x (1 + nx + npar): derivatives of the map in t, x, p */
    double *g;    /* nx */
    double *rate; /* nsigma: sigma_t + sigma_x f- */
    bool smooth;  /* g = 0 */
    double *work, *column, *noise, *frame;
    int most; /* rows of D that memory was allocated for */
} zw_event_jump;

/* Allocates memory for maps of at most `rows` values. */
zw_status zw_event_jump_init(zw_event_jump *j, zw_arena *arena, int nx, int npar, int rows,
                             zw_error *err);
/* The derivatives at (t, x), with the rates before and after the event (nx). size: of the entries
 * of x (nx), of time, of parameters (npar), over which the map is smooth. */
zw_status zw_event_jump_find(zw_event_jump *j, int nsigma, int nfixed, zw_event_map map, void *self,
                             double t, const double *x, const double *before, const double *after,
                             const double *size, zw_event_jump_kind *kind, zw_error *err);
/* Y (nx x n, the last npar columns are those of parameters) after the event; unchanged if kind is
 * not regular. */
void zw_event_jump_apply(const zw_event_jump *j, int n, const double *size, double *Y,
                         zw_event_jump_kind *kind);
/* The same for n <= nx disturbances of the state alone (npar = 0), some of which may vanish:
 * returns the number of independent ones that remain, at most `most`. Y then has exactly this rank,
 * up to round-off. */
int zw_event_jump_pass(zw_event_jump *j, int n, int most, const double *size, double *Y,
                       zw_event_jump_kind *kind);

#endif
