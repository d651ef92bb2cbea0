/* SPDX-License-Identifier: MIT */
/* The object of zwang/connections.h and what its sources share. */
#ifndef ZW_MOTION_CONNECTIONS_CONNECTIONS_H
#define ZW_MOTION_CONNECTIONS_CONNECTIONS_H

#include "motion/diagram/diagram.h"
#include "motion/equilibria/equilibria.h"
#include "zwang/connections.h"

/* a curve through connection `of`, with its ends at decreasing and increasing values */
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
    int way; /* direction of shooting, as in zw_connection_options */
    /* mirror: turns in the opposite sense; NULL: without turns it is c */
    zw_connection *c, *mirror;
    int nx;
    double *p;       /* np: of the model */
    bool *given;     /* np */
    double begin[2]; /* values at which the equilibrium was found */
    double *turn, *other;
    bool has_turn, has_other;
    /* the scan: side 1 (0) and -1 (1) */
    double *at;            /* points */
    zw_splitting *scan[2]; /* points */
    bool *has_saddle;      /* points */
    char lost[256];        /* why the first point without a saddle has none */
    double lost_at;        /* the value there; NaN if all points have one */
    int nfound, capacity;
    zw_connection_found *found;
    int jumps;                    /* changes of side that are not connections */
    double jump_at, jump_nearest; /* the first of them */
    int npoint, point_capacity;
    zw_connection_point *point;
    int ncurve, curve_capacity;
    zw_connections_curve *curve;
    bool stopped;
    zw_diagram *diagram; /* whose orbits of long period lead to connections; NULL: not asked for */
};

/* connections.c: the equilibria at a value, found anew from the start of the model */
zw_status zw_connections_reset(zw_connections *s, double value, zw_error *err);
/* follows the equilibria by small steps to another value; *there is false if this fails */
zw_status zw_connections_walk(zw_connections *s, zw_connection *c, double to, bool *there,
                              zw_error *err);
/* Appends a connection that was solved for, or bisected, with its properties. */
zw_status zw_connections_add(zw_connections *s, zw_connection_found *f, zw_error *err);
/* The error of the value of a solution; infinite if unknown. */
double zw_connections_error(double value, const zw_connection_info *info);
/* connections_orbits.c: connections at which branches of periodic orbits end, of the range of the
 * first parameter */
zw_status zw_connections_from_orbits(zw_connections *s, zw_error *err);
/* the boundary value problem from orbit `number` of the diagram; *value: that of the connection */
zw_status zw_connections_solve_orbit(zw_connections *s, int number, double value[2],
                                     zw_connection_info *info, zw_error *err);
/* The same for any connection and orbit; value is approximately that of the orbit. */
zw_status zw_connections_solve_from(zw_connection *c, const zw_orbits *o, int number,
                                    double value[2], zw_connection_info *info, zw_error *err);
/* Whole turns (nx) of an orbit over a period; false if it has none. work: nx */
bool zw_connections_orbit_turn(const zw_orbits *o, int number, double *work, double *turn);
/* connections_ends.c: options `to` and `turn` */
zw_status zw_connections_read_ends(zw_connections *s, zw_error *err);

#endif
