/* SPDX-License-Identifier: MIT */
/* Implemented in src/sim. */
/* A scene: the drawings of a system along a result, ready for a viewer. What stands still is a
 * number; what moves is a column of the table `motion`, one row for each row of the result (none if
 * nothing moves).
 *
 * A drawing has its place r in inertial components, the turn of its axes as a unit quaternion
 * (e0, e1, e2, e3), which changes its sign from no row to the next, and its lengths.
 *
 * A contact has its point and the force N n + T1 t1 + T2 t2 that acts there along the gap and its slips. */
#ifndef ZWANG_SCENE_H
#define ZWANG_SCENE_H

#include "system.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_scene_value {
    int column;   /* of `motion`; -1: it stands still */
    double value; /* then */
} zw_scene_value;

typedef struct zw_scene_item {
    const zw_drawing *drawing;
    zw_scene_value at[3], turn[4];
    zw_scene_value *number; /* drawing->n */
} zw_scene_item;

typedef enum zw_scene_touch {
    ZW_TOUCH_OPEN,
    ZW_TOUCH_STICKS,
    ZW_TOUCH_SLIPS,
    ZW_TOUCH_CLOSED
} zw_scene_touch;

typedef struct zw_scene_contact {
    const zw_contact *contact;
    zw_scene_value at[3], force[3]; /* force: N */
    zw_scene_value impulse[3];      /* N*s, of impacts since the row before that are not in it */
    zw_scene_value gap;             /* m */
    zw_scene_value state; /* a zw_scene_touch; CLOSED: nothing resists its slip, or it has none */
    bool has_force;       /* the result knows it; else it is 0 */
    bool mean; /* of the time since the row before; else force and state are the row's own */
} zw_scene_contact;

typedef struct zw_scene {
    int nitem, ncontact, nmissing;
    zw_scene_item *item;
    zw_scene_contact *contact; /* those that the model says the place of */
    const char **missing; /* sentences: drawings and contacts that the result does not determine */
    double up[3];         /* against gravity at the start; z if there is none */
    zw_table *motion;
    bool
        sketched; /* the system draws nothing but traces: this is what its statements show by themselves */
    bool metres; /* lengths have this unit; else the model has no units */
} zw_scene;

/* The scene of a result: its columns are known by the names of coordinates, velocities and
 * multipliers, and t. p are the values of the parameters. Lives in the context of the system but for
 * the table: destroy it before the context. */
ZW_API zw_status zw_scene_create(zw_scene **out, const zw_system *s, const double *p,
                                 const zw_table *result, zw_error *err);
ZW_API void zw_scene_destroy(zw_scene *scene);

/* The scene but for its motion as JSON: {"up": [...], "length": "m" or "", "items": [...], "contacts": [...],
 * "missing": [...]}, where a value is a number or [column]. A new string from the context's allocator (zw_string_free), NULL if out of memory. */
ZW_API char *zw_scene_json(const zw_scene *scene, const zw_system *s);

#ifdef __cplusplus
}
#endif
#endif
