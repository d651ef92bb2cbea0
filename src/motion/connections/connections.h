/* SPDX-License-Identifier: MIT */
/* Private to the files of connecting orbits; what they do, zwang/connections.h says. */
#ifndef ZW_MOTION_CONNECTIONS_CONNECTIONS_H
#define ZW_MOTION_CONNECTIONS_CONNECTIONS_H

#include "motion/diagram/diagram.h"
#include "motion/equilibria/equilibria.h"
#include "motion/segments/periodic.h"
#include "zwang/connections.h"

/* a curve through connection `of`: how it ended downwards and upwards */
typedef struct zw_connections_curve {
    int of, first, n;
    zw_cont_end end[2];
    char why[2][256];
    bool is_flat[2]; /* an eigenvalue of the saddle goes to zero */
} zw_connections_curve;

struct zw_connections {
    zw_arena arena;
    const zw_system *sys;
    zw_connections_options options;
    zw_equilibria_options motion;
    zw_parameter_range over[2];
    bool has_second;
    zw_equilibria *e;
    int way;                   /* of shooting where both are open, as of zw_connection_options */
    zw_connection *c, *mirror; /* mirror: turns the other way; NULL: without turns it is c */
    int nx;
    double *p;       /* np: of the model */
    bool *given;     /* np */
    double begin[2]; /* values at which the steady motion was found */
    double *turn, *other;
    bool has_turn, has_other;
    /* the scan: side 1 (0) and -1 (1) */
    double *at;            /* points */
    zw_splitting *scan[2]; /* points */
    bool *has_saddle;      /* points */
    char lost[256];        /* why there is none, at */
    double lost_at;        /* NaN: nowhere */
    int nfound, capacity;
    zw_connection_found *found;
    int jumps; /* changes of side that are no connections, the first one at */
    double jump_at, jump_nearest;
    int npoint, point_capacity;
    zw_connection_point *point;
    int ncurve, curve_capacity;
    zw_connections_curve *curve;
    bool stopped;
    zw_diagram *diagram; /* whose orbits of long period lead to connections; NULL: not asked for */
};

/* connections.c: the steady motions at a value, from where the model has them */
zw_status zw_connections_return(zw_connections *s, double value, zw_error *err);
/* follows the steady motions by small steps to another value; false: this fails */
zw_status zw_connections_walk(zw_connections *s, zw_connection *c, double to, bool *there,
                              zw_error *err);
/* A connection that was solved for, or bisected, with all that is known of it, appended to those
 * found. */
zw_status zw_connections_keep(zw_connections *s, zw_connection_found *f, zw_error *err);
/* By how much the value of a solution may be wrong; infinite: it is not known. */
double zw_connections_error(double value, const zw_connection_info *info);
/* connections_orbits.c: connections at which branches of periodic orbits end, of the range of the
 * first parameter */
zw_status zw_connections_from_orbits(zw_connections *s, zw_error *err);
/* the boundary value problem from orbit `number` of the diagram; *value: that of the connection */
zw_status zw_connections_solve_orbit(zw_connections *s, int number, double value[2],
                                     zw_connection_info *info, zw_error *err);
/* The same for any connection and orbit; value is about that of the orbit. */
zw_status zw_connections_solve_from(zw_connection *c, const zw_orbits *o, int number,
                                    double value[2], zw_connection_info *info, zw_error *err);
/* Whole turns (nx) that an orbit makes in a period; false: none. room: nx */
bool zw_connections_orbit_turn(const zw_orbits *o, int number, double *room, double *turn);
/* connections_ends.c: options `to` and `turn` */
zw_status zw_connections_read_ends(zw_connections *s, zw_error *err);

#endif
