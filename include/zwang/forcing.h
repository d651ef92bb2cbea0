/* SPDX-License-Identifier: MIT */
/* Implemented in src/mech/equations. */
/* How time enters the equations. Where t occurs in sin, cos and tan only, in arguments
 *
 *     w t + (what is free of t, or depends on it in the same way),     w of parameters alone,
 *
 * the equations are periodic in time if all these w are integer multiples of one angular frequency w_0; then they have
 * the period 2 pi/w_0. Any other occurrence of t, and an external input given by a table, makes them aperiodic as far as
 * can be told from their form. */
#ifndef ZWANG_FORCING_H
#define ZWANG_FORCING_H

#include "equations.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lives in the context of the equations. */
typedef struct zw_forcing {
    const zw_equations *eq;
    int n;
    const zw_expr
        *frequency; /* n: angular frequencies w of parameters, rad/s, each once up to its sign */
    const zw_expr *drive; /* n: a part of the equations that has it, cos(Omega*t) */
    int nother;
    const char *const *other; /* nother: parts in which t occurs otherwise, as text */
    bool autonomous;          /* there is neither */
    int npart;
    const zw_expr *part; /* npart: all sines, cosines and tangents of time, inner ones first */
    const zw_expr *rate; /* npart: the factor of t in their arguments */
    const int *of;       /* npart: index of this frequency, up to its sign */
} zw_forcing;

/* All of qdot, M, h, C, W, b, phi, psi, and where stances of contacts end. */
ZW_API zw_status zw_forcing_find(zw_forcing *out, const zw_equations *eq, zw_error *err);
/* And n further expressions of them, as those of events. */
ZW_API zw_status zw_forcing_find_with(zw_forcing *out, const zw_equations *eq, int n,
                                      const zw_expr *e, zw_error *err);
/* Those of a contact: its gap, slips and law, from surfaces that move to laws that change with time. Their number; e has room for
 * ZW_FORCING_OF_CONTACT. */
enum { ZW_FORCING_OF_CONTACT = 2 + ZW_FRICTION_BLOCKS_MAX * (4 + 3 * ZW_FRICTION_ROWS_MAX) };
ZW_API int zw_forcing_of_contact(const zw_contact *c, zw_expr *e);

/* The base w_0 > 0 (rad/s) for parameter values p (np), and how many times it every frequency is (n, 0 for one that
 * vanishes at p; may be NULL). ZW_E_MODEL: nothing is driven, time occurs otherwise, or there is no common period
 * (ratios up to 24:24, to 1e-9); err names what. */
ZW_API zw_status zw_forcing_base(const zw_forcing *f, const double *p, double *base, int *multiple,
                                 zw_error *err);
/* d w_0/d p_i for parameter number i, through all parameters that are defined by it. ZW_E_MODEL where the parameter moves
 * the frequencies out of their ratios. */
ZW_API zw_status zw_forcing_slope(const zw_forcing *f, const double *p, int parameter,
                                  double *slope, zw_error *err);

/* Frequencies without a common period: every w_i is a sum of integer multiples of two or three base frequencies W_j, the
 * tones. A parameter may change one of them while the others are constant. The motion is then a function of two or three
 * phases, which grow by W_j per second (rad/s). */
enum { ZW_TONES_MAX = 3 };
typedef struct zw_tones {
    int n;                               /* 1: there is a common period */
    int drive[ZW_TONES_MAX];             /* W_j is the frequency with this index in zw_forcing, */
    int sign[ZW_TONES_MAX];              /* times 1 or -1, */
    int divisor[ZW_TONES_MAX];           /* divided by this */
    const int (*multiple)[ZW_TONES_MAX]; /* forcing.n: w_i by the tones */
} zw_tones;
/* At the values p. parameter: index of one that will change, so that frequency ratios which depend on it do not count as common
 * periods; -1: none. Lives in the context of the equations. ZW_E_MODEL: time occurs in another way, the model is autonomous,
 * or there are more than ZW_TONES_MAX tones. */
ZW_API zw_status zw_forcing_tones(const zw_forcing *f, const double *p, int parameter,
                                  zw_tones *out, zw_error *err);
/* Half of the tones whose bits are set in `phases`, for motions with these frequencies. */
ZW_API zw_status zw_forcing_tones_halve(const zw_forcing *f, zw_tones *tones, int phases,
                                        zw_error *err);
/* W_j and its derivative with respect to a parameter (-1, or slope NULL: none) at other values. ZW_E_MODEL: one is not positive there. */
ZW_API zw_status zw_forcing_tone_values(const zw_forcing *f, const zw_tones *tones, const double *p,
                                        int parameter, double *W, double *slope, zw_error *err);
/* "Omega", "2/3*Omega": the tone as text, a string of the context. */
ZW_API const char *zw_forcing_tone_name(const zw_forcing *f, const zw_tones *tones, int tone);
/* The equations and observables with the phases as additional last inputs. Time no longer occurs in them. */
ZW_API zw_status zw_forcing_phases(const zw_forcing *f, const zw_tones *tones, zw_equations *out,
                                   zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
