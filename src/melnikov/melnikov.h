/* SPDX-License-Identifier: MIT */
/* What the sources of Melnikov's method share; zwang/melnikov.h defines it.
 *
 *     melnikov.c           options, from a model to f0, f1 and C as expressions; the sequence of
 *                          the computation
 *     melnikov_conserved.c conserved quantities of f0
 *     melnikov_plane.c     f0, C and dC/dx . f1 at parameter values: values, zeros, eigenvalues,
 *                          series along motions
 *     melnikov_orbit.c     separatrices and closed level curves as functions of time
 *     melnikov_time.c      the integral over time
 *     melnikov_level.c     the integral over a coordinate of the level curve
 *     melnikov_over.c      zeros over a parameter, and curves of them over a second one
 *     melnikov_cycles.c    closed level curves
 *     melnikov_series.c    M as a series in a parameter, with rational coefficients
 *     melnikov_exact.c     M and these coefficients in exact numbers, if the integrals are
 *                          elementary
 *     melnikov_space.c     more than two states: rates, conserved quantities, equilibria
 *     melnikov_space_orbits.c    their motions from a saddle to an equilibrium, and the integrals
 *                                along them
 *     melnikov_write.c     the report, warnings
 *     melnikov_table.c     tables
 *     melnikov_study.c     the study of the command: options */
#ifndef ZW_MELNIKOV_MELNIKOV_H
#define ZW_MELNIKOV_MELNIKOV_H

#include "base/arena.h"
#include "expr/series/jet.h"
#include "zwang/equations.h"
#include "zwang/melnikov.h"

enum {
    ZW_PLANE_ORDER = 20,  /* of the series of motions and manifolds */
    ZW_PLANE_STEPS = 4000 /* along a motion, at most */
};

/* f0, C and g = dC/dx . f1 with numbers for the parameters, in states x/scale. */
typedef struct zw_plane {
    zw_context *ctx;
    zw_expr x[2], t;
    zw_expr f[2], J[4], C, slope[2], g; /* J, slope: derivatives with respect to x */
    zw_expr f1[2];
    double base; /* angular frequency of g in time [rad/s]; 0 if it does not depend on time */
} zw_plane;

/* A saddle with the series of one of its manifolds: x = at + sum_k a_k theta^k, theta' = lambda
 * theta. */
typedef struct zw_branch_series {
    double at[2], lambda;
    double a[2][ZW_PLANE_ORDER + 1];
    double reach; /* |theta| up to which the series is exact up to round-off */
} zw_branch_series;

/* A motion in steps, each with its power series. */
typedef struct zw_plane_step {
    double t, h;
    double c[2][ZW_PLANE_ORDER + 1];
} zw_plane_step;
typedef struct zw_plane_path {
    int n, capacity;
    zw_plane_step *step;
} zw_plane_path;

typedef struct zw_heteroclinic {
    zw_expr f[2], C; /* of its plane */
    zw_branch_series out, in;
    double theta[2]; /* signed: where the steps begin and end */
    double t[2];     /* times of these */
    double zero;     /* time of its middle */
    zw_plane_path path;
    double level, closing, drift;
    int side;
    bool there;
    double time_step; /* of the last integral over time */
} zw_heteroclinic;

typedef struct zw_closed {
    zw_expr f[2], C;
    double start[2], period, level, closing;
    zw_plane_path path;
    int u;       /* the angle, of a rotation */
    double turn; /* change of the angle over the period; 0 for curves around a centre */
} zw_closed;

/* More than two states: f0, f1 and conserved quantities with numbers for the parameters. */
typedef struct zw_melnikov_space {
    int n, nquantity;
    zw_expr x[ZW_MELNIKOV_STATES], f[ZW_MELNIKOV_STATES], f1[ZW_MELNIKOV_STATES];
    zw_expr J[ZW_MELNIKOV_STATES * ZW_MELNIKOV_STATES];
    zw_expr C[ZW_MELNIKOV_QUANTITIES], g[ZW_MELNIKOV_QUANTITIES];
    const char *name[ZW_MELNIKOV_STATES], *unit[ZW_MELNIKOV_STATES];
    const char *text[ZW_MELNIKOV_QUANTITIES], *text_unit[ZW_MELNIKOV_QUANTITIES];
} zw_melnikov_space;

enum { ZW_MELNIKOV_SIDES = 2, ZW_MELNIKOV_SMALL = 8 };

struct zw_melnikov {
    zw_arena arena;
    const zw_system *sys;
    zw_context *ctx;
    zw_melnikov_options options;
    zw_equations eq;
    zw_forcing forcing;
    double *p; /* np */
    bool *given;
    int nsmall, small[ZW_MELNIKOV_SMALL]; /* parameters */
    zw_expr x[2];                         /* symbols of the states */
    const char *name[2], *unit[2];
    /* Powers of 2: x is scale times the state in the plane, where motions have about the size 1. */
    double scale[2];
    double period[2];           /* of angles, in the plane; 0 if not periodic */
    zw_expr f0[2], f1[2], C;    /* of x, t, parameters */
    const char *conserved;      /* text of C */
    const char *conserved_unit; /* SI; NULL: unknown */
    bool proved;                /* dC/dx . f0 = 0 as expressions; otherwise only at many points */
    zw_expr g;                  /* dC/dx . f1 */
    int npart;                  /* g = sum factor_k part_k */
    zw_expr factor[ZW_MELNIKOV_PARTS], part[ZW_MELNIKOV_PARTS];
    zw_parameter_range over[2];
    bool has_over, has_marks;
    int master; /* -1: chosen by the motion */
    double amplitude[2];
    bool has_amplitude;
    zw_parameter_range expand;
    bool has_expand;
    zw_plane plane; /* at the present parameters */
    zw_heteroclinic orbit[ZW_MELNIKOV_SIDES];
    /* at other parameters: of the last call of zw_melnikov_along */
    zw_heteroclinic moving[ZW_MELNIKOV_SIDES];
    zw_closed closed; /* the last closed curve */
    int nseparatrix;
    zw_melnikov_separatrix separatrix[ZW_MELNIKOV_SIDES];
    double saddle[2];                 /* where both begin */
    char why[ZW_MELNIKOV_SIDES][200]; /* reason why a side has none */
    int nscan;
    double *scan_at, *scan_value; /* nscan, nscan x sides */
    int nroot, root_capacity;
    zw_melnikov_root *root;
    double centre[2]; /* of curves around the saddle where they begin */
    int ray;          /* the state along which amplitudes are measured */
    double reach;     /* amplitude of the separatrix; 0 if unknown */
    int ncycle, cycle_capacity;
    zw_melnikov_cycle *cycle; /* zeros, or the branch */
    int nresonance, resonance_capacity;
    zw_melnikov_resonance *resonance;
    int nfamily;
    double *family; /* nfamily x 4: amplitude, level, period, M */
    int nseries;
    zw_melnikov_series series[ZW_MELNIKOV_PARTS + 1];
    zw_melnikov_space space; /* n > 0: more than two states */
    int norbit;
    zw_melnikov_orbit found[ZW_MELNIKOV_SIDES];
    double eps; /* value of the small parameter; 1 if there are several */
    bool stopped;
    char lost[320]; /* where a curve of zeros ends, or M is round-off; "" if nowhere */
};

bool zw_melnikov_asked_to_stop(zw_melnikov *s, double done);

/* melnikov.c */
/* Parameters that depend on the small ones are replaced by their expressions; then the small ones
 * are set to 0. */
zw_expr zw_melnikov_unfold(const zw_melnikov *s, zw_expr e);
zw_expr zw_melnikov_without(const zw_melnikov *s, zw_expr e);

/* melnikov_conserved.c */
zw_status zw_melnikov_find_conserved(zw_melnikov *s, zw_error *err);

/* melnikov_plane.c */
/* A point of the plane as it is printed. */
void zw_melnikov_reported(const zw_melnikov *s, const double x[2], double out[2]);
/* The scales, from the start and the steady motions of the model. */
zw_status zw_melnikov_set_scale(zw_melnikov *s, zw_error *err);
/* The plane at parameter values p; g, f1 of the study or of one of its parts (-1: the whole). */
zw_status zw_plane_set(zw_melnikov *s, const double *p, int part, zw_plane *out, zw_error *err);
void zw_plane_rates(const zw_plane *m, const double x[2], double f[2]);
double zw_plane_level(const zw_plane *m, const double x[2]);
void zw_plane_slope(const zw_plane *m, const double x[2], double out[2]);
double zw_plane_g(const zw_plane *m, const double x[2], double t);
/* The sum of the absolute summands of g, a measure of its round-off. */
double zw_plane_g_size(const zw_plane *m, const double x[2], double t);
void zw_plane_jacobian(const zw_plane *m, const double x[2], double J[4]);
/* A zero of f0 from x on, which it replaces. False if Newton's method fails. */
bool zw_plane_newton(const zw_plane *m, double x[2]);
/* True for real eigenvalues of different sign, the negative one first; columns of vectors. */
bool zw_plane_saddle(const zw_plane *m, const double x[2], double lambda[2], double v[2][2]);
/* Reads --at "x=0, y=1 [m]" into x (n, SI); others keep their values. */
zw_status zw_melnikov_read_at(const zw_melnikov *s, int n, const char *const *name,
                              const char *const *unit, double *x, zw_error *err);
/* Zeros of f0 that are saddles (or centres), from a grid around the steady motions and the start of
 * the model, or `at` alone; nearest to the start first. At most `most`; returns their number. */
int zw_melnikov_zeros(zw_melnikov *s, bool centres, int most, double (*out)[2], zw_error *err);
/* The motion through c[.][0] as a power series in time. False if f0 has no series there. */
bool zw_plane_series(const zw_plane *m, zw_plane_step *step);
/* One manifold of a saddle, v its eigenvector. */
bool zw_plane_manifold(const zw_plane *m, const double at[2], double lambda, const double v[2],
                       zw_branch_series *out);
void zw_branch_point(const zw_branch_series *b, double theta, double x[2]);
void zw_step_point(const zw_plane_step *s, double t, double x[2]);

/* melnikov_orbit.c */
/* The separatrix from this saddle; `why` if there is none. */
zw_status zw_heteroclinic_find(zw_melnikov *s, const zw_plane *m, const double saddle[2], int side,
                               zw_heteroclinic *out, char why[200], zw_error *err);
void zw_heteroclinic_point(const zw_heteroclinic *o, double t, double x[2]);
/* Its master state, and the times at which the rate of that state vanishes (at most 8). */
int zw_heteroclinic_master(const zw_melnikov *s, const zw_plane *m, const zw_heteroclinic *o,
                           int wanted, int *nturn, double turn[8]);
zw_status zw_closed_find(zw_melnikov *s, const zw_plane *m, const double centre[2],
                         const double start[2], zw_closed *out, char why[200], zw_error *err);
/* A curve on which state u goes round once; `why` if it does not. */
zw_status zw_rotation_find(zw_melnikov *s, const zw_plane *m, int u, const double start[2],
                           zw_closed *out, char why[200], zw_error *err);
void zw_closed_point(const zw_closed *o, double t, double x[2]);
void zw_plane_path_clear(const zw_melnikov *s, zw_plane_path *path);

/* melnikov_time.c */
zw_status zw_melnikov_integrate(const zw_melnikov *s, const zw_plane *m, zw_heteroclinic *o,
                                zw_melnikov_value *out, zw_error *err);
/* Is `size`, the integral of |g| over a period, only round-off of the summands of g? Then the
 * integral is 0. */
bool zw_melnikov_is_rounding(const zw_plane *m, const zw_closed *o, double size);
zw_status zw_melnikov_integrate_closed(const zw_plane *m, const zw_closed *o, double *value,
                                       double *size, zw_error *err);
/* M(t0) over a closed curve whose period is a multiple of that of the excitation. */
zw_status zw_melnikov_integrate_resonance(const zw_plane *m, const zw_closed *o,
                                          zw_melnikov_value *out, zw_error *err);
/* low and high. */
void zw_melnikov_bounds(zw_melnikov_value *v);
/* Is M nonzero beyond its error? With an excitation: is it certain whether M(t0) has zeros? */
bool zw_melnikov_has_sign(const zw_melnikov_value *v);

/* melnikov_level.c */
zw_status zw_melnikov_by_level(const zw_melnikov *s, const zw_plane *m, const zw_heteroclinic *o,
                               int master, int harmonics, zw_melnikov_value *out, zw_error *err);
zw_status zw_melnikov_closed_by_level(const zw_melnikov *s, const zw_plane *m, const zw_closed *o,
                                      int master, double *value, double *period, zw_error *err);

/* The same for rotations of state u, which have no turning points. */
zw_status zw_melnikov_rotation_by_level(const zw_plane *m, const zw_closed *o, double *value,
                                        double *period, zw_error *err);

/* melnikov_over.c */
zw_status zw_melnikov_scan(zw_melnikov *s, zw_error *err);
zw_status zw_melnikov_follow(zw_melnikov *s, zw_error *err);
/* Parameters with one of them (and a second one) at other values. */
zw_status zw_melnikov_parameters(zw_melnikov *s, int first, double a, int second, double b,
                                 double *p, zw_error *err);
/* M and its data along separatrix `side` at these parameters; the saddle is continued from its last
 * position. */
zw_status zw_melnikov_along(zw_melnikov *s, const double *p, int side, int part,
                            zw_melnikov_value *out, zw_error *err);
/* A zero of f between a and b, where it has different signs; by Brent's method. */
typedef zw_status (*zw_melnikov_function)(void *user, double x, double *y, zw_error *err);
zw_status zw_melnikov_zero(zw_melnikov_function f, void *user, double a, double fa, double b,
                           double fb, double *x, zw_error *err);

/* melnikov_cycles.c, melnikov_series.c */
zw_status zw_melnikov_find_cycles(zw_melnikov *s, zw_error *err);
zw_status zw_melnikov_expand(zw_melnikov *s, zw_error *err);

/* melnikov_space.c */
zw_status zw_melnikov_make_space(zw_melnikov *s, zw_error *err);
/* An equilibrium from x on, by Newton's method with the least changes; false if it fails. */
bool zw_space_newton(zw_melnikov *s, double *x);
/* Starts for it, n each, from the options and the model; returns their number. */
int zw_space_guesses(zw_melnikov *s, int most, double (*out)[ZW_MELNIKOV_STATES], zw_error *err);
/* melnikov_space_orbits.c */
zw_status zw_melnikov_find_orbits(zw_melnikov *s, zw_error *err);

/* melnikov_write.c */
/* Has dM/dC a sign? */
bool zw_melnikov_is_reported(const zw_melnikov_cycle *c);

/* melnikov_exact.c */
enum { ZW_MELNIKOV_POWERS = 2 * ZW_MELNIKOV_TERMS + 8 };
typedef struct zw_melnikov_exact {
    int n, step; /* term[k] belongs to (p - p_0)^(k/step); n = 0: not recognised as elementary */
    zw_melnikov_number term[ZW_MELNIKOV_POWERS];
} zw_melnikov_exact;
/* M of separatrix 0 (or of one of its parts; -1: the whole), without excitation, as a series in a
 * parameter at its value `from` (parameter -1: the number at the values of the model). */
zw_status zw_melnikov_exactly(zw_melnikov *s, int part, int parameter, double from, int terms,
                              zw_melnikov_exact *out, zw_error *err);

#endif
