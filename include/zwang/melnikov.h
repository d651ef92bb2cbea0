/* SPDX-License-Identifier: MIT */
/* Implemented in src/melnikov. */
/* Separatrices and cycles of planar systems that are nearly conservative, to first order in what is
 * small:
 *
 *     x' = f0(x) + eps f1(x, t) + O(eps^2),    x in the plane, dC/dx . f0 = 0 identically.
 *
 * Along a motion x0(t) of f0 from a saddle to a saddle, which is a level curve of C, the quantity C
 * changes by eps M, with Melnikov's integral
 *
 *     M(t0) = integral of (dC/dx . f1)(x0(t), t + t0) dt          from -infinity to infinity.
 *
 * If f1 does not depend on time, M is a number, and the perturbed saddles are connected where it
 * vanishes (to first order, simple zeros); if f1 is periodic, stable and unstable sets cross where
 * M(t0) has simple zeros, and keep apart where it has none. Over closed level curves the same
 * integral over a period tells which of them become cycles: simple zeros, of M as a function of C;
 * stable if eps dM/dC < 0 (V. K. Melnikov, Trans. Moscow Math. Soc. 12 (1963) 1-57; J.
 * Guckenheimer, P. Holmes, Nonlinear Oscillations, Dynamical Systems, and Bifurcations of Vector
 * Fields (1983), sections 4.5 and 4.6).
 *
 * Every integral is computed twice: in time, by the trapezoidal rule on the whole line, with power
 * series of the manifolds of the saddles where the motion is near them; and over a coordinate of
 * the level curve, which is solved for the other one, with a double-exponential substitution at the
 * ends, where the integrand or its derivatives are singular. */
#ifndef ZWANG_MELNIKOV_H
#define ZWANG_MELNIKOV_H

#include "doubt.h"
#include "equilibria.h"
#include "model.h"
#include "report.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_melnikov zw_melnikov;

typedef struct zw_melnikov_options {
    size_t size; /* of this struct, for the library */
    /* what is small: a parameter; or several, "F, c", each with its value: f1 is then the sum of
     * p_i df/dp_i and eps is 1 */
    const char *small;
    /* C, an expression; NULL: energy or an observable, whichever is conserved. Of more than two
     * states several with ';' between them */
    const char *conserved;
    const char *
        at; /* "x=0, y=0": the saddle (of cycles the centre) near there; NULL: all are looked for */
    /* of the eigenvector along which the separatrix leaves its saddle: 1 or -1; 0: both */
    int side;
    const char *master; /* the state over which the second integral goes; NULL: chosen */
    const char *over;   /* as in zwang/equilibria.h, a parameter: zeros of M over it; NULL: none */
    const char *marks;  /* a second one: curves of these zeros over it; NULL: none */
    bool cycles;        /* closed level curves, instead of separatrices */
    /* "0.1:3": of cycles, from the centre along the master coordinate, SI; NULL: up to the
     * separatrix */
    const char *amplitude;
    const char
        *expand; /* "kappa=0:0.2": M as a series in this parameter at the first value; NULL: none */
    int terms;   /* of that series: 3 */
    int points;  /* of the range, or of amplitudes: 41 */
    const char *principle;                 /* NULL: Lagrange's */
    bool (*stop)(void *user, double done); /* asked on the way; true ends it. May be NULL */
    void *stop_user;
    int orders; /* of cycles with a drive: resonances up to this multiple of its period: 8 */
    /* of cycles: 1, -1: curves on which an angle goes round, above or below the saddle (by the
     * other state); amplitudes are distances of that one from the saddle. 0: about a centre */
    int rotating;
} zw_melnikov_options;
ZW_API void zw_melnikov_options_init(zw_melnikov_options *options, size_t size);
static inline zw_melnikov_options zw_melnikov_options_default(void) {
    zw_melnikov_options o;
    zw_melnikov_options_init(&o, sizeof o);
    return o;
}

enum { ZW_MELNIKOV_HARMONICS = 32, ZW_MELNIKOV_PARTS = 8 };

/* M(t0) = mean + sum_k c_k cos(k w t0) + s_k sin(k w t0). Without a drive the mean alone. */
typedef struct zw_melnikov_value {
    double mean, error; /* error: of M, estimated */
    double base;        /* w, rad/s; 0: nothing drives */
    int harmonics;
    double c[ZW_MELNIKOV_HARMONICS], s[ZW_MELNIKOV_HARMONICS]; /* k = 1, 2, ... at 0, 1, ... */
    double low, high;                                          /* of M over t0 */
    /* of the integral over time: the same of |g|, against which the error is large or small; 0: not
     * known */
    double size;
} zw_melnikov_value;

/* A number that was derived, not computed: (r_0 + r_1 sqrt(root)) + pi (r_2 + r_3 sqrt(root)), r_k
 * = num[k]/den[k]. */
typedef struct zw_melnikov_number {
    bool known;
    int64_t num[4], den[4], root;
    double value;
} zw_melnikov_number;

/* A separatrix of f0 and the integral along it. */
typedef struct zw_melnikov_separatrix {
    double saddle[2][2]; /* where it begins and ends */
    double rate[2];   /* eigenvalues: the one that it leaves by, the one that it arrives by, 1/s */
    int side;         /* of the eigenvector */
    double level;     /* of C */
    double closing;   /* so far the motion misses the stable manifold of its end, of its size */
    double drift;     /* most that C differs from its level, of its values on the way */
    double middle[2]; /* the point of t = 0: halfway, or farthest */
    double slope;     /* |dC/dx| there: the distance of the sets is eps M/slope */
    int master;       /* the state of the second integral */
    double part;      /* largest |eps f1| over largest |f0| on the way: how small the small is */
    zw_melnikov_value time, coordinate; /* M by both ways */
    double step;                        /* of the trapezoidal rule, s */
    int npart; /* M = sum of factor_k part_k, factors of parameters that neither f0 nor C has */
    char factor[ZW_MELNIKOV_PARTS][64];
    double factor_value[ZW_MELNIKOV_PARTS];
    zw_melnikov_value integral[ZW_MELNIKOV_PARTS];
    zw_melnikov_number exact
        [ZW_MELNIKOV_PARTS]; /* the same where the integral is elementary; without parts M at 0 */
} zw_melnikov_separatrix;

/* A zero of M over the parameter; of a driven one, where M(t0) begins to have zeros. */
typedef struct zw_melnikov_root {
    double value, error; /* SI */
    double slope;        /* of M, or of what M(t0) is beyond zero, over the parameter */
    int separatrix;      /* 0, 1 */
    double second;       /* of the second parameter */
    int rises;           /* driven: 1: zeros for larger values, -1: for smaller ones */
    double other;        /* the same by the other integral; NaN: not computed */
} zw_melnikov_root;

/* A closed level curve that becomes a cycle. */
typedef struct zw_melnikov_cycle {
    double amplitude; /* from the centre along the master coordinate, or across from the saddle */
    double level, period;
    double value;       /* of the parameter, where it does; NaN without one */
    double multiplier;  /* exp(eps dM/dC), to first order */
    double slope;       /* dM/dC */
    bool fold;          /* the parameter turns back here */
    double error;       /* |M| by the other integral over the sum of absolute values */
    double slope_error; /* of dM/dC; where it is as large as that, the stability is undecided */
} zw_melnikov_cycle;

/* A closed level curve whose period is a multiple of that of the drive, and M(t0) over it: with
 * simple zeros a subharmonic motion is left of it. */
typedef struct zw_melnikov_resonance {
    int order; /* how many periods of the drive */
    double amplitude, level, period;
    zw_melnikov_value M;
} zw_melnikov_resonance;

/* A coefficient of the series of M (or of one of its parts) in a parameter. */
typedef struct zw_melnikov_term {
    double value, error;
    bool recognised; /* num/den, to this many digits beyond what chance gives */
    long num, den;
    double digits;            /* agreement: -log10 of the relative difference */
    zw_melnikov_number exact; /* derived, where the integrals are elementary; then it is no guess */
} zw_melnikov_term;
enum { ZW_MELNIKOV_TERMS = 6 };
typedef struct zw_melnikov_series {
    char factor[64];          /* of the parameters, "" if M is one whole */
    int power_num, power_den; /* M = p^(num/den) (c_0 + c_1 p + ...) */
    int n;
    zw_melnikov_term term[ZW_MELNIKOV_TERMS];
    /* last coefficients of the polynomial beside the first ones: large if it does not converge over
     * the range */
    double tail;
} zw_melnikov_series;

/* Of a model with more than two states: a motion of f0 from a saddle, which one direction leaves,
 * to an equilibrium, and what each conserved quantity changes by along it. Nothing drives it. */
enum { ZW_MELNIKOV_STATES = 8, ZW_MELNIKOV_QUANTITIES = 4 };
typedef struct zw_melnikov_orbit {
    int n, side;
    double from[ZW_MELNIKOV_STATES], to[ZW_MELNIKOV_STATES];
    double rate;         /* it leaves with, 1/s */
    int stable, neutral; /* directions of its end */
    double time;         /* s, between the ends of the series */
    double closing;      /* as of a separatrix */
    int nquantity;
    double M[ZW_MELNIKOV_QUANTITIES], error[ZW_MELNIKOV_QUANTITIES];
    double level[ZW_MELNIKOV_QUANTITIES], drift[ZW_MELNIKOV_QUANTITIES];
    double part; /* as of a separatrix */
} zw_melnikov_orbit;

/* Reads, derives and checks: ZW_E_OPTION, ZW_E_NAME: the options; ZW_E_DOMAIN: the unperturbed
 * motion has no such conserved quantity (the residual is reported), it is not planar, or the rates
 * have no value without what is small. The system and its context must outlive it. */
ZW_API zw_status zw_melnikov_create(zw_melnikov **out, const zw_system *sys,
                                    const zw_melnikov_options *options, zw_error *err);
ZW_API void zw_melnikov_destroy(zw_melnikov *s);
/* All that the options ask for. ZW_E_DOMAIN: no saddle, no centre, a separatrix that does not
 * arrive; ZW_E_NUMERIC: M has no zero in the range. */
ZW_API zw_status zw_melnikov_find(zw_melnikov *s, zw_error *err);

ZW_API int zw_melnikov_separatrices(const zw_melnikov *s);
ZW_API const zw_melnikov_separatrix *zw_melnikov_separatrix_at(const zw_melnikov *s, int i);
ZW_API int zw_melnikov_orbits(const zw_melnikov *s); /* of more than two states */
ZW_API const zw_melnikov_orbit *zw_melnikov_orbit_at(const zw_melnikov *s, int i);
ZW_API const char *zw_melnikov_quantity(const zw_melnikov *s, int i); /* C_i as text */
ZW_API int zw_melnikov_roots(const zw_melnikov *s);
ZW_API const zw_melnikov_root *zw_melnikov_root_at(const zw_melnikov *s, int i);
ZW_API int
zw_melnikov_cycles(const zw_melnikov *s); /* zeros, or with a range those of the branch */
ZW_API const zw_melnikov_cycle *zw_melnikov_cycle_at(const zw_melnikov *s, int i);
ZW_API int zw_melnikov_resonances(const zw_melnikov *s);
ZW_API const zw_melnikov_resonance *zw_melnikov_resonance_at(const zw_melnikov *s, int i);
ZW_API int zw_melnikov_expansions(const zw_melnikov *s);
ZW_API const zw_melnikov_series *zw_melnikov_series_at(const zw_melnikov *s, int i);
/* A point of separatrix i at time t, from its middle. */
ZW_API void zw_melnikov_point(const zw_melnikov *s, int i, double t, double x[2]);
/* As text, "4/3*sqrt(2) - 1/2*pi"; returns out. */
ZW_API const char *zw_melnikov_number_text(const zw_melnikov_number *n, size_t size, char *out);
/* M at t0. */
ZW_API double zw_melnikov_at(const zw_melnikov_value *m, double t0);

ZW_API void zw_melnikov_warnings(const zw_melnikov *s, zw_warnings *out);
/* What was found, into the open object of a report. */
ZW_API void zw_melnikov_report(const zw_melnikov *s, zw_report *out);
/* The main table: M over the parameter, the curve of its zeros, the cycles, M
 * over t0, or the separatrices. source may be NULL. */
ZW_API zw_status zw_melnikov_table(const zw_melnikov *s, const zw_model_source *source,
                                   zw_table **out, zw_error *err);
/* The separatrices as curves, with level curves on both sides. */
ZW_API zw_status zw_melnikov_curves(const zw_melnikov *s, const zw_model_source *source,
                                    zw_table **out, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
