/* SPDX-License-Identifier: MIT */
/* The homoclinic orbit at which a branch of orbits of unbounded period ends, from the last of them, by the boundary value problem of zwang/connection.h. */
#include <math.h>
#include <string.h>

#include "connections.h"
#include "diagram.h"

#define LEAP 0.01  /* of the range: further away than that it is another one */
#define KNOWN 1e-4 /* of the range: a value that is known worse is not found */

static zw_status set(void *user, const double value[2], double *p, zw_error *err) {
    zw_branches *b = user;
    zw_arena_mark mark = zw_arena_mark_now(&b->arena);
    zw_status status = zw_branches_go_to(b, value[0], err);
    zw_arena_release(&b->arena, mark);
    memcpy(p, zw_flow_parameters(b->e->flow), sizeof(double) * (size_t)b->sys->np);
    return status;
}

/* by motions that leave the saddle to a side, or come in there, in one direction of time */
static zw_status try_way(zw_diagram *d, int number, const double *saddle, const double *turn,
                         int way, double *value, double *error, bool *both, zw_error *err) {
    zw_branches *b = d->branches;
    zw_connection_options o = zw_connection_options_default();
    zw_connection *c = NULL;
    zw_connection_info info;
    double range = fabs(d->over.to - d->over.from), own = d->orbits->motion[number].value;
    double at[2] = {own, 0};
    o.turn = turn;
    o.unit[0] = 0.1 * range;
    o.way = way;
    zw_status status = zw_connection_create(&c, b->e->flow, &b->e->symmetries, b->e->scale, saddle,
                                            at, &o, set, b, err);
    *both = status >= 0 && zw_connection_has_both_ways(c);
    if (status >= 0)
        status = zw_connections_solve_from(c, d->orbits, number, at, &info, err);
    for (int side = 1; side >= -1 && status == ZW_E_NUMERIC; side -= 2) {
        zw_error again = {0};
        at[0] = own;
        zw_status shot = zw_connection_solve(c, at, side, &info, &again);
        status = shot == ZW_E_MEMORY ? shot : shot < 0 ? status : shot;
    }
    zw_connection_destroy(c);
    ZW_TRY(status);
    *error = zw_connections_error(at[0], &info);
    if (!(*error <= KNOWN * range) || !(fabs(at[0] - own) <= LEAP * range))
        return zw_fail(err, ZW_E_NUMERIC, "the connecting orbit is not that of these orbits");
    *value = at[0];
    return ZW_OK;
}

zw_status zw_diagram_connect(zw_diagram *d, int number, const double *saddle, double *value,
                             double *error, zw_error *err) {
    zw_error trouble = {0};
    zw_arena_mark mark = zw_arena_mark_now(&d->arena);
    double *turn = ZW_NEW(&d->arena, double, 2 * d->orbits->nx + 1);
    bool both = false;
    *error = INFINITY;
    if (!turn)
        return zw_diagram_no_memory(err);
    zw_connections_orbit_turn(d->orbits, number, turn + d->orbits->nx, turn);
    zw_status status = try_way(d, number, saddle, turn, 1, value, error, &both, &trouble);
    if (status < 0 && status != ZW_E_MEMORY && both)
        status = try_way(d, number, saddle, turn, -1, value, error, &both, &trouble);
    zw_arena_release(&d->arena, mark);
    if (status < 0)
        *error = INFINITY;
    return status == ZW_E_MEMORY ? zw_diagram_no_memory(err) : ZW_OK;
}
