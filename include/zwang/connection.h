/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/collocation. */
/* Connecting orbits: motions that leave one steady motion x_1 and end at another one, x_2, or at the same again (*homoclinic*), be it with angles some
 * turns further. They exist at single values of a parameter a alone if as many directions leave x_2 as leave x_1: then
 *
 *     x(t) in the unstable manifold of x_1 and in the stable one of x_2       is one condition on a.
 *
 * Where one direction leaves x_1, its unstable manifold is one motion to each side. Started close to x_1 along the eigenvector v it comes near x_2, or not, and leaves
 * it along the eigenvector there to one side or the other: the side, sign of l.(x - x_2) with the left eigenvector l, changes at the connection, and bisection
 * finds it (zw_connection_shoot). Where one direction leads into x_2, the same is done backwards in time.
 *
 * As a boundary value problem on [0, T] (zw_connection_solve, zw_connection_problem), with P_u(a) the projectors onto the unstable eigenspaces,
 *
 *     x' = f(x, a),    (1 - P_u1)(x(0) - x_1) = 0,   |x(0) - x_1| = d_1,    P_u2 (x(T) - x_2) = 0,   |x(T) - x_2| = d_2,
 *
 * for x, T and a, by collocation; x_1, x_2 and the projectors follow a. Its error falls faster than the squares of d_1 and d_2. With a second
 * parameter b it is a curve in the plane (a, b) for zw_continue.
 *
 * W.-J. Beyn, IMA J. Numer. Anal. 10 (1990) 379-405; A. R. Champneys, Yu. A. Kuznetsov, B. Sandstede, Int. J. Bifurcation Chaos 6 (1996)
 * 867-887. */
#ifndef ZWANG_CONNECTION_H
#define ZWANG_CONNECTION_H

#include "continuation.h"
#include "linearise.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_connection zw_connection;

/* The parameters p (np) at values (a, b). */
typedef zw_status (*zw_connection_set)(void *user, const double value[2], double *p, zw_error *err);

typedef struct zw_connection_options {
    size_t size;         /* of this struct, for the library */
    const double *turn;  /* nx: x_2 is x_1 moved by this; NULL: it is x_1 */
    const double *other; /* nx: x_2 is another steady motion near this one; NULL: it is not */
    double unit[2];      /* sizes of a and b: 1 */
    double launch;       /* distance from the steady motion in the sizes of the state: 1e-6 */
    double distance; /* d_1, and d_2 if the motion comes as near, of the size of the orbit: 1e-5 */
    double time;     /* s: how long a motion is followed; 0: as the eigenvalues say */
    double accuracy; /* of the steps in time: 1e-11 */
    int stages;      /* of collocation, 2 to 7: 4 */
    int intervals_max; /* 600 */
    double tolerance;  /* of the orbit between nodes, of its size: 1e-9 */
    int way; /* direction of shooting where both are possible: 1 forwards, -1 backwards in time; 0: to the end that is approached faster than left */
} zw_connection_options;
ZW_API void zw_connection_options_init(zw_connection_options *options, size_t size);
static inline zw_connection_options zw_connection_options_default(void) {
    zw_connection_options o;
    zw_connection_options_init(&o, sizeof o);
    return o;
}

/* A steady motion at an end. */
typedef struct zw_saddle {
    int n;                 /* dimensions of its linear equations */
    const double *x;       /* nx */
    const double *re, *im; /* n */
    int unstable, stable;  /* eigenvalues that grow and that decay: together n, or it is none */
    int slow_unstable,
        slow_stable; /* those nearest to the imaginary axis, of each kind; -1: none */
    double quantity; /* the sum of their real parts */
} zw_saddle;

/* About the steady motion near x (nx), at values (a, b). scale (nx): sizes of the state. Flow and symmetries must outlive it; the kernel needs
 * what zw_linearise needs. */
ZW_API zw_status zw_connection_create(zw_connection **out, zw_flow *flow, const zw_symmetries *s,
                                      const double *scale, const double *x, const double value[2],
                                      const zw_connection_options *options, zw_connection_set set,
                                      void *user, zw_error *err);
ZW_API void zw_connection_destroy(zw_connection *c);
ZW_API bool zw_connection_is_homoclinic(const zw_connection *c);

/* The steady motions at values near those asked for before; they stay the present ones. ZW_E_NUMERIC: there is none; ZW_E_DOMAIN: it is
 * not hyperbolic. */
ZW_API zw_status zw_connection_move(zw_connection *c, const double value[2], zw_error *err);
/* Where they are: (a, b). */
ZW_API const double *zw_connection_at(const zw_connection *c);
/* End 0 or 1. */
ZW_API zw_saddle zw_connection_saddle(const zw_connection *c, int end);
/* The way to shoot: 1 forwards, -1 backwards in time (where both are open the same for all values), 0: neither, since more than one direction leaves x_1 and leads into x_2. */
ZW_API int zw_connection_way(const zw_connection *c);

/* Are both directions of time possible? */
ZW_API bool zw_connection_has_both_ways(const zw_connection *c);
/* The state (nx) at a distance from end 0 along the eigenvector that leaves it, to side 1 or -1. false: more than one does. */
ZW_API bool zw_connection_leave(const zw_connection *c, int side, double distance, double *x);
/* The side, 1 or -1, on which the present solution leaves (way 1) or comes in (-1); 0: along several eigenvectors. */
ZW_API int zw_connection_side(const zw_connection *c);

typedef enum zw_connection_fate {
    ZW_CONNECTION_PASSES,  /* comes near the other end and goes on to a side */
    ZW_CONNECTION_LEAVES,  /* goes away without bound, or to where there are no rates */
    ZW_CONNECTION_RESTS,   /* comes to rest elsewhere */
    ZW_CONNECTION_WANDERS, /* is on its way still */
} zw_connection_fate;

typedef struct zw_splitting {
    zw_connection_fate fate;
    int side; /* of the other end that it passes, 1 or -1, also where it comes to rest close by, or stays there; of a homoclinic one 1 is the side from which it came. 0: it does not pass */
    int away; /* ZW_CONNECTION_LEAVES: the side to which it has gone, by the same eigenvector; else 0 */
    double nearest,
        farthest; /* distances from there: when it passes, and before; in the sizes of the state */
    double time;  /* from the start to the passage, s */
} zw_splitting;
/* From one end to side 1 or -1 of its eigenvector. ZW_E_DOMAIN where zw_connection_way is 0. */
ZW_API zw_status zw_connection_shoot(zw_connection *c, const double value[2], int side,
                                     zw_splitting *out, zw_error *err);

/* The boundary value problem from the shot to this side at about these values: *a becomes the value of the connection. info NULL: of a curve, which begins with ends as far away as
 * the shot comes near, and of which nothing is judged. */
typedef struct zw_connection_info {
    int intervals;
    double time;        /* T, s */
    double distance[2]; /* of the ends, of the size of the orbit */
    double mesh;        /* the error between nodes, of the size of the orbit */
    double by_ends;     /* change of a where both ends are twice as far away, */
    double by_mesh;     /* and on a mesh half as fine */
} zw_connection_info;
ZW_API zw_status zw_connection_solve(zw_connection *c, double value[2], int side,
                                     zw_connection_info *info, zw_error *err);

/* A periodic orbit: its states (nx) at parts of its period from 0 to 1, n + 1 places between which it is smooth. After a period it is further by the turn
 * of the options. */
typedef struct zw_connection_orbit {
    double period; /* s */
    int n;
    const double *tau;
    void (*at)(void *user, double tau, double *x);
    void *user;
} zw_connection_orbit;
/* The same from an orbit of long period at about these values, cut where it is nearest to the steady motion; of a homoclinic orbit. */
ZW_API zw_status zw_connection_solve_orbit(zw_connection *c, double value[2],
                                           const zw_connection_orbit *orbit,
                                           zw_connection_info *info, zw_error *err);

/* After zw_connection_solve: the equations for zw_continue, along b; x has n numbers (zw_connection_solution). The one test function is the
 * saddle quantity. */
ZW_API zw_cont_problem zw_connection_problem(zw_connection *c);
ZW_API const double *zw_connection_solution(const zw_connection *c);
/* a and T of x. */
ZW_API double zw_connection_value(const zw_connection *c, const double *x);
ZW_API double zw_connection_time(const zw_connection *c, const double *x);
/* x becomes the present solution, at b; the mesh follows it, and tangent (n + 1, may be NULL) with it: it has room for
 * zw_connection_room numbers. */
ZW_API zw_status zw_connection_renew(zw_connection *c, const double *x, double b, double *tangent,
                                     zw_error *err);
ZW_API int zw_connection_room(const zw_connection *c);
/* The state (nx) of the present solution at a part tau of T, 0 to 1. */
ZW_API void zw_connection_state(const zw_connection *c, double tau, double *state);
ZW_API int zw_connection_intervals(const zw_connection *c);
ZW_API const double *zw_connection_mesh(const zw_connection *c);

#ifdef __cplusplus
}
#endif
#endif
