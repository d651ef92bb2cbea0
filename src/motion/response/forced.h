/* SPDX-License-Identifier: MIT */
/* Private to the files of forced motions and of their minima of the Gaussian (../gauss_minima). */
#ifndef ZW_MOTION_RESPONSE_FORCED_H
#define ZW_MOTION_RESPONSE_FORCED_H

#include "base/arena.h"
#include "claims/structure/kept_quantities.h"
#include "motion/attitude_turn.h"
#include "motion/harmonic/balance.h"
#include "motion/segments/periodic.h"
#include "motion/singular_motions.h"
#include "zwang/forced.h"
#include "zwang/orbits.h"
#include "zwang/report.h"
#include "zwang/simulate.h"

typedef struct zw_forced_curve {
    int first, n;         /* its motions: first .. first + n - 1 */
    zw_cont_info info[2]; /* how both sides were followed */
    int march;            /* by integration: 1 up, -1 down; 0: by continuation */
    int from;             /* 1 + the motion at which it branches off another curve; 0: none */
    int mode;             /* free motions: the mode that it begins with */
    /* the resonant modes, and their combination; NULL: it begins with one mode */
    const char *resonance, *shape;
    bool imaged;     /* its mirror image branches off there, too, and was not followed */
    bool vertical;   /* the whole curve is at one value of the parameter */
    bool shrinks[2]; /* cycles: a side ends where they shrink to rest, */
    bool halves[2];  /* or at a period doubling of cycles of half the period, */
    double born[2];  /* at this value */
    int runaway;     /* free motions: harmonics that are too few where it ends; 0: it does not */
} zw_forced_curve;

/* A family of free motions: where it begins, and how far it is followed. */
typedef enum zw_forced_bound { ZW_FREE_FREQUENCY, ZW_FREE_ENERGY, ZW_FREE_MEASURE } zw_forced_bound;
typedef struct zw_forced_family {
    zw_parameter_range range; /* of the quantity that bounds the family */
    zw_forced_bound bound;
    /* ZW_FREE_MEASURE: the quantity, and the index of the member of zw_motion_measure */
    int quantity, measure;
    int nmode;
    double *frequency; /* nmode [rad/s], the slowest first */
    double *re, *im;   /* nmode x (nq + nv): small oscillations, largest entry 1 in widths */
    double *rest;      /* functions: the equilibrium */
    double energy;     /* at the equilibrium */
    double unit;       /* unit of frequencies in the arclength [rad/s] */
    bool inside;       /* the last point is in the range */
    int conserves; /* is the energy constant along the first motion? 1: yes, 0: unknown, -1: no */
    int outside;   /* points since the last one in the range */
    bool *done;    /* nmode: its families are known from those of a resonant mode */
    double ridge;  /* regularisation of the equations (zw_harmonic_ridge) */
    int top;       /* highest harmonic that families begin with */
    /* resonant modes with a continuum of combinations that begin families; NULL: none */
    const char *continuum;
} zw_forced_family;

enum {
    ZW_FORCED_LEVELS = 32,
    ZW_FORCED_MISSING = 96 /* lines that the finer equations have in addition to neighbours */
};

struct zw_forced {
    zw_arena arena;
    const zw_system *sys;        /* without attitudes that nothing depends on */
    const zw_system *full;       /* with them */
    zw_system without_attitudes; /* storage of sys, if full has such attitudes */
    int nattitude;               /* number of such attitudes */
    zw_attitude *attitude;
    int *sys_index;    /* nq of full: index of a coordinate in sys; -1: left out */
    zw_system on_leaf; /* sys restricted to the leaf of its start */
    zw_kept kept;
    const zw_reduction *reduction; /* the reduction that sys is the result of; NULL: none */
    int nhidden;                   /* conditions without a formula, as for zw_leaf_warning */
    zw_forced_options options;
    zw_parameter_range over;
    bool has_over;
    zw_equations eq;
    zw_forcing forcing;
    zw_tones tones; /* n > 1: frequencies without a common period */
    const char *tone_name[ZW_TONES_MAX];
    /* nvector x tones: combinations of these frequencies, in the order of the coefficients */
    int nvector, vector_capacity, *vector;
    int nlevel, level[ZW_FORCED_LEVELS]; /* number of combinations at each level */
    bool level_full;                     /* there are no further levels */
    double exact;                        /* error of the exponents of the next motions; 0: chosen */
    double *finer_change; /* nfiner: relative change of each harmonic by the finer equations */
    int nfiner;
    /* lines that the last motion lacks, by the equations in time, the largest first, and their
     * sizes relative to the motion; what such lines do not explain (forced_tones_residual.c) */
    int nmissing, missing[ZW_FORCED_MISSING][ZW_TONES_MAX];
    double missing_size[ZW_FORCED_MISSING], unseen;
    zw_equations torus_eq;   /* the equations with the phases as inputs, */
    zw_kernel *torus_kernel; /* their kernel of one lane, */
    zw_flow *torus_flow;     /* and flow, for any phases */
    bool cycles;             /* no excitation: the frequency is the last unknown of x */
    double cycle_w;          /* frequency of cycles before it is known [rad/s] */
    /* largest square of the motions of the curve; its last point, and the square, value and highest
     * harmonic there */
    double cycle_largest_square, *cycle_last_x;
    double cycle_last_square, cycle_last_value;
    int cycle_top;
    /* the excitation frequency is affine_base + affine_slope times the parameter; affine_size: its
     * value for the model [rad/s] */
    bool affine;
    double affine_base, affine_slope, affine_size;
    zw_kernel *lanes, *kernel; /* of 8 lanes, of one */
    zw_flow *flow;
    double *p;                    /* np: parameters of the model */
    double *now;                  /* np: at the last value */
    bool *given;                  /* np: those that were set, and the one of `over` */
    double *scale;                /* functions: sizes by which steps are measured */
    double *width;                /* nq: sizes of the model */
    double *winding;              /* nq: winding numbers per period; NULL: none */
    zw_harmonic *balance, *finer; /* finer: with twice the harmonics */
    zw_harmonic *with_even;       /* odd harmonics only: with even ones in addition; else NULL */
    zw_slow *slow;                /* slowly varying amplitudes of these harmonics; NULL: not used */
    double *slow_re, *slow_im;    /* slow_capacity: multipliers of the amplitudes */
    double *slow_error;
    int slow_capacity;
    int slow_conflicts; /* motions whose Floquet multipliers contradict the amplitudes, */
    double slow_conflict_from, slow_conflict_to; /* and their range */
    /* motions about whose stability folds and multipliers disagree (forced_stability_conflict.c);
     * the worst fold: distance of its multiplier from 1, its value, and the end of the conflict */
    int conflicts;
    double conflict_miss, conflict_from, conflict_to;
    int top;            /* highest harmonic of the balance */
    int highest_driven; /* highest harmonic of the excitation */
    bool kinks;         /* forces have kinks */
    /* curves that are followed by shooting (forced_kinks.c); NULL: not started, or harmonic
     * balance */
    zw_event_orbits *event_orbits;
    bool shoots;          /* curves are followed by shooting */
    bool needs_shooting;  /* kinks need more harmonics than harmonic balance should use */
    bool shooting_failed; /* shooting found nothing */
    int drift_coordinate; /* a coordinate that drifts in the run from the start; -1: none, */
    double drift;         /* and its change per period */
    int nfunction;        /* functions of the series: coordinates, velocities, multipliers */
    int nquantity;        /* coordinates and observables */
    zw_forced_motion *motion;
    int nmotion, motion_capacity;
    zw_forced_curve *curve;
    int ncurve, curve_capacity;
    /* nx_capacity each: the coefficients of the motion in question; working memory for other ones,
     * for those of the finer equations, and for residuals */
    double *x, *y, *finer_x, *b;
    int nx_capacity;
    zw_floquet last; /* multipliers of last_x at last_value, if last_known; last_failed: none */
    double *last_x, last_value;
    int last_n;
    bool last_known, last_failed;
    double worst_error;   /* largest error of all motions */
    double worst_unseen;  /* largest f->unseen of all motions */
    double worst_even;    /* largest change by even harmonics that were left out */
    bool needs_harmonics; /* the last motion needs more harmonics */
    zw_singular singular;
    int empty_values;   /* ends of the range at which no motion was found, */
    double empty_value; /* the last of them */
    bool stopped;
    zw_forced_family family;
    zw_parameter_range second; /* second parameter, of curves of special points */
    zw_forced_mark *special;   /* points of these curves */
    int nspecial, special_capacity;
    zw_forced_curve *special_curve; /* the curves */
    int nspecial_curve, special_curve_capacity;
    zw_forced **child; /* studies of twice the order, owned */
    int nchild, child_capacity;
    const struct zw_forced *parent; /* the study that owns this one; NULL: none */
    bool doubled;                   /* it is a child */
    /* ends the curve in question at its last motion; NULL: no such condition */
    bool (*ends_at_last)(zw_forced *f);
    const zw_forced_motion *mirror; /* possible mirror image of the next curve; NULL: none */
    bool image_found;               /* it is its image */
    int crossings;                  /* branch points that are not followed */
    int halves; /* special points with half frequencies that are not followed, */
    int hidden; /* and branch points that odd harmonics cannot show */
};

enum {
    ZW_FORCED_FREE_MULTIPLIERS = 1024, /* largest number of multipliers of free motions */
    ZW_FORCED_SHOOTING_HARMONICS = 31, /* harmonics reported for motions found by shooting */
    ZW_FORCED_PERIOD_POINTS = 128 /* least points of a period at which quantities are measured */
};

static inline bool zw_forced_has_tones(const zw_forced *f) {
    return f->tones.n > 1;
}
/* forced_start.c: integrates from the start of the model. */
zw_status zw_forced_run_start(zw_forced *f, double value, double until, double step, zw_sim **sim,
                              zw_error *err);
/* forced_tones.c: excitation frequencies without a common period. Finds them, and the equations
 * with their phases. */
zw_status zw_forced_tones_find(zw_forced *f, zw_error *err);
zw_status zw_forced_tones_reject(const zw_forced *f, const char *what, zw_error *err);
/* Number of combinations of a motion: the first of f->vector. */
int zw_forced_tones_count(const zw_forced *f, const zw_forced_motion *m);
/* Adds the combinations of the next level: the first ones if there are none yet, then those that
 * the last error estimate found missing. */
zw_status zw_forced_tones_grow(zw_forced *f, zw_error *err);
/* The combinations and their neighbours, as vectors (*n x phases) in the arena: those of the finer
 * equations; even: for odd ones the even neighbours. */
zw_status zw_forced_tones_with_neighbours(zw_forced *f, bool even, int **vector, int *n,
                                          zw_error *err);
/* Motions with half frequencies (options.halved): factor of W_j in units of the frequency of phase
 * j, 2 if multiples of W_j/2 count, else 1. Is a combination absent from motions without half
 * frequencies? */
int zw_forced_tones_scale(const zw_forced *f, int phase);
bool zw_forced_tones_is_half(const zw_forced *f, const int *k);
/* Adds the first n combinations of the study with whole frequencies. */
zw_status zw_forced_tones_seed(zw_forced *f, const zw_forced *parent, int n, zw_error *err);
/* The largest |k_1| + |k_2| + ... of the first n. */
int zw_forced_tones_length(const zw_forced *f, int n);
/* A first guess in f->x from a run of the start; ZW_RETRY: there is none. */
zw_status zw_forced_tones_guess(zw_forced *f, double value, zw_error *err);
/* forced_tones_measure.c: measures all quantities on the torus of f->x, after zw_harmonic_go_to;
 * tone: as in zw_forced_motion. */
zw_status zw_forced_tones_measure(zw_forced *f, zw_motion_measure *out, double *tone,
                                  zw_error *err);
/* forced_tones_residual.c: compares f->x with the equations in time: finds f->missing and
 * f->unseen. */
zw_status zw_forced_tones_residual(zw_forced *f, double value, zw_error *err);
/* forced_exponents.c: Lyapunov exponents of f->x at a value, stored in the motion; exact: their
 * error in units of the slowest frequency, 0: only their signs. */
zw_status zw_forced_tones_exponents(zw_forced *f, double value, double exact, zw_forced_motion *m,
                                    zw_error *err);
/* Do all exponents of a quasi-periodic motion differ from zero by more than their errors? False: at
 * least one does not, or there are none. */
bool zw_forced_exponents_decided(const zw_forced_motion *m);
/* Finds the special points of the last curve at which exponents cross zero and the equations of the
 * motion are not singular. */
zw_status zw_forced_exponents_locate(zw_forced *f, int curve, zw_error *err);
/* forced_tones_write.c: quasi-periodic motions in reports and warnings: their stability in words;
 * their frequencies, in the sentence of a motion; exponents and lines. */
void zw_forced_tones_stability(const zw_forced_motion *m, char *out, size_t size);
void zw_forced_tones_say(zw_report *out, const zw_forced *f, const zw_forced_motion *m);
void zw_forced_tones_report(zw_report *out, const zw_forced *f, const zw_forced_motion *m);
/* "halved": the frequencies of the combination whose half counts. */
void zw_forced_tones_report_half(zw_report *out, const zw_forced *f);
const char *zw_forced_tones_sentence(zw_bifurcation event);
void zw_forced_tones_warnings(const zw_forced *f, zw_warnings *out);
/* forced_reduced.c: one period of the full system; what its reduction has left out, and by how much
 * it drifts in the motions first .. first + n - 1 (items of an open list). */
zw_status zw_forced_reduced_run(zw_forced *f, const zw_forced_motion *m, int rows,
                                const zw_model_source *source, zw_table **out, zw_error *err);
void zw_forced_report_reduction(zw_report *out, const zw_forced *f);
void zw_forced_report_drifts(zw_report *out, const zw_forced *f, int first, int n);
zw_status zw_forced_drift_columns(const zw_forced *f, zw_table *t);
int zw_forced_fill_drifts(const zw_forced *f, const zw_forced_motion *m, double *row);
/* forced_cycle.c: prepares limit cycles. If a quantity is conserved, periodic motions form
 * families, which is an error. */
zw_status zw_forced_cycles_check(zw_forced *f, zw_error *err);
/* The orbit that the start leads to, as a guess in f->x; negative: there is none, and `trouble` has
 * the reason. */
zw_status zw_forced_cycles_guess(zw_forced *f, double value, zw_error *trouble);
/* An error for options that need an excitation, if there is none. */
zw_status zw_forced_reject_cycles(const zw_forced *f, const char *what, zw_error *err);
/* The frequency of a motion with the coefficients x; w: the frequency if there is an excitation. */
double zw_forced_frequency(const zw_forced *f, const double *x, double w);
/* forced_switch.c: does the curve of cycles end at its last motion, a period doubling of cycles of
 * half the period? */
bool zw_forced_cycles_halve(zw_forced *f);
/* Does the curve of cycles shrink to rest at this point, the next one after those before? *born:
 * the value where it does. */
bool zw_forced_cycles_shrink(zw_forced *f, const double *x, double value, double *born);
/* forced.c: parameters, frequency and its slope at a value; NaN: those of the model. */
zw_status zw_forced_set(void *user, double value, double *p, double *w, double *w_slope,
                        zw_error *err);
/* Replaces the equations by those up to a harmonic; f->x keeps its motion. */
zw_status zw_forced_set_harmonics(zw_forced *f, int top, zw_error *err);
/* forced_motion.c: appends f->x at a value to the motions, with all that is known of it. tangent
 * (of the curve there, coefficients and a; NULL: none): the estimate of the error is orthogonal to
 * it. */
zw_status zw_forced_add_motion(zw_forced *f, double value, bool with_error, const double *tangent,
                               zw_bifurcation event, int curve, zw_error *err);
/* Records the error of the last motion. */
void zw_forced_record_error(zw_forced *f, double error);
/* May the number of harmonics grow? */
bool zw_forced_may_grow(const zw_forced *f);
/* Name of a coordinate, velocity or multiplier, in the order of the functions of the series. */
const char *zw_forced_function_name(const zw_forced *f, int i);
/* Makes the finer equations for the motion f->x. */
zw_status zw_forced_make_finer(zw_forced *f, zw_error *err);
/* The estimate of the error of f->x. */
zw_status zw_forced_error(zw_forced *f, double value, const double *tangent, double *error,
                          zw_error *err);
/* The next number of harmonics, if these are too few. */
int zw_forced_more_harmonics(const zw_forced *f);
/* Adds harmonics until the estimate of the error is small, or the largest number is reached; f->x
 * solves the equations at the value. */
zw_status zw_forced_refine(zw_forced *f, double value, zw_error *err);
/* Multipliers of the motion x, valid up to the next call; NULL: they cannot be computed. */
zw_status zw_forced_multipliers(zw_forced *f, const double *x, double value, const zw_floquet **out,
                                zw_error *err);
/* forced_varying_amplitudes.c: exp(s P) of the amplitudes x instead of multipliers; and the Floquet
 * multipliers of a motion that is reported. */
zw_status zw_forced_slow_make(zw_forced *f, int nharmonic, const int *harmonic, int samples,
                              zw_error *err);
zw_status zw_forced_slow_multipliers(zw_forced *f, const double *x, double w, zw_floquet *out,
                                     zw_error *err);
zw_status zw_forced_slow_add(zw_forced *f, double value, zw_forced_motion *m, zw_error *err);
void zw_forced_slow_warnings(const zw_forced *f, zw_warnings *out);
/* forced_period_error.c: f->x, a free motion at the frequency w: the relative error of its period
 * due to that of its energy, where the energy hardly changes with the period; else 0. */
zw_status zw_forced_period_error(zw_forced *f, int curve, double w, double *error, zw_error *err);
/* Records that the last motion has at least this error. */
void zw_forced_record_period_error(zw_forced *f, double error);
/* forced_fold_rounding.c: removes folds of a complete curve at which the parameter changes only by
 * rounding. */
void zw_forced_remove_false_folds(zw_forced *f, int curve);
/* forced_stability_conflict.c: finds the motions of a complete curve about whose stability folds
 * and multipliers disagree. */
/* forced_warnings.c: number of inconsistencies of a curve: turns without a fold, multipliers that
 * cross the unit circle without a special point. */
int zw_forced_check(const zw_forced *f, int curve);
void zw_forced_find_conflicts(zw_forced *f, int curve);
void zw_forced_conflict_warning(const zw_forced *f, zw_warnings *out);
/* forced_motion.c: Floquet multipliers of f->x, also where amplitudes decide about stability. The
 * caller owns out. */
zw_status zw_forced_floquet(zw_forced *f, const double *x, double value, zw_floquet *out,
                            zw_error *err);
/* Loads a motion into f->x, with the harmonics that it needs. */
zw_status zw_forced_load_motion(zw_forced *f, const zw_forced_motion *m, zw_error *err);
/* Copies coefficients of functions from from_n per function to the number of the present
 * equations. */
void zw_forced_copy_coefficients(const zw_forced *f, int functions, int from_n, const double *from,
                                 double *to);
/* Measures all quantities of f->x at the frequency w. */
zw_status zw_forced_measure_all(zw_forced *f, double w, zw_motion_measure *out, zw_error *err);
/* forced_follow.c: follows one side of a curve, from f->x, or orthogonal to a direction
 * (coefficients, then a; NULL: that of a). */
zw_status zw_forced_follow_side(zw_forced *f, int curve, double value, int direction,
                                const double *toward, bool skip, zw_cont_info *info, zw_error *err);
/* forced_pick.c: appends the motion at a value between two others, without a curve. */
zw_status zw_forced_between(zw_forced *f, int before, int after, double value, int *number,
                            zw_error *err);
/* Sets the sizes by which steps are measured, to those of a motion. */
void zw_forced_scale_by(zw_forced *f, const zw_forced_motion *m);
zw_status zw_forced_new_curve(zw_forced *f, int *index, zw_error *err);
/* forced_shoot.c: appends a motion found by shooting; `as` has its value, frequency, event and
 * curve. */
zw_status zw_forced_add_shooting(zw_forced *f, const zw_shooting *s, const zw_forced_motion *as,
                                 zw_error *err);
/* An orbit of segments as a result of shooting; the orbit owns all pointers. */
zw_shooting zw_forced_orbit_shooting(const zw_segmented_motion *m);
/* Appends the motion near a state (nx) at a value, by shooting. */
zw_status zw_forced_shoot_near(zw_forced *f, double value, const double *x, int *number,
                               zw_error *err);
/* forced_kinks.c: can curves be followed by shooting? */
bool zw_forced_may_shoot(const zw_forced *f);
/* Harmonics reported for motions found by shooting: ZW_FORCED_SHOOTING_HARMONICS, or the option. */
int zw_forced_shooting_harmonics(const zw_forced *f);
/* Do kinks require shooting, if harmonic balance would need harmonics up to `top`, or fails on a
 * curve (trouble)? Sets f->needs_shooting. */
bool zw_forced_needs_shooting(zw_forced *f, int top, bool trouble);
/* Discards the results of harmonic balance: motions are found and followed by shooting from now
 * on. */
void zw_forced_kinks_begin(zw_forced *f);
zw_status zw_forced_kinks_find(zw_forced *f, double value, int *number, zw_error *err);
zw_status zw_forced_kinks_search(zw_forced *f, double value, int starts, int *found, zw_error *err);
zw_status zw_forced_kinks_follow(zw_forced *f, int number, zw_error *err);
zw_status zw_forced_kinks_switch(zw_forced *f, int most, zw_error *err);
zw_status zw_forced_kinks_special_curves(zw_forced *f, const char *second, zw_error *err);
/* Shooting found nothing: returns to harmonic balance. */
void zw_forced_kinks_give_up(zw_forced *f);
/* forced_switch.c: creates a study of twice the order, owned by this one. */
zw_status zw_forced_make_child(zw_forced *f, int harmonics, zw_forced **out, zw_error *err);
/* forced_free.c: reads the range of a family of free motions. */
zw_status zw_forced_read_range(zw_forced *f, zw_error *err);
/* Follows the family of f->x at the frequency w in the direction `toward`; shape and resonance:
 * NULL, or words for zw_forced_curve. ZW_E_NUMERIC: none of it is in the range. */
zw_status zw_forced_follow_family(zw_forced *f, int mode, double w, const double *toward,
                                  const char *shape, const char *resonance, zw_error *err);
/* forced_resonance.c: is there another mode of the same, twice or three times the frequency? */
bool zw_forced_is_resonant(const zw_forced *f, int mode);
/* Follows all families that begin with combinations of these modes, of a small size. */
zw_status zw_forced_backbones_resonant(zw_forced *f, int mode, double size, zw_error *err);
/* forced_modes.c: checks that the system is conservative; finds the equilibrium and the modes. */
zw_status zw_forced_find_modes(zw_forced *f, zw_error *err);
/* The quantity that bounds the family, at a motion. */
zw_status zw_forced_family_measure(zw_forced *f, const double *x, double w, double *value,
                                   zw_error *err);
/* Is a point in the range? on_bound: it is on a bound of the range. *last: the family is not
 * followed further. */
bool zw_forced_in_range(zw_forced *f, double value, bool on_bound, bool *last);
/* Moves f->x, near the frequency w, exactly onto a bound of the range; returns the frequency. */
double zw_forced_move_to_bound(zw_forced *f, double w, double bound);
zw_status zw_forced_energy(zw_forced *f, const double *x, double w, double *energy, zw_error *err);
/* The number of multipliers outside the unit circle without the two that are 1 in a family; left:
 * which ones count. */
int zw_forced_free_outside(const zw_floquet *m, bool *left);
bool zw_forced_is_special(const zw_forced_motion *m);
/* forced.c: an error for methods that do not support rotating angles, or events. */
zw_status zw_forced_reject_winding(const zw_forced *f, const char *method, zw_error *err);
zw_status zw_forced_reject_events(const zw_forced *f, const char *method, zw_error *err);
/* forced.c: the parameters of a run at a value, at most two; returns their number. */
int zw_forced_run_parameters(const zw_forced *f, double value, zw_sim_number out[2]);
double zw_forced_unit(const zw_forced *f);
/* All harmonics up to a multiple of the excitation frequency, or the odd ones, in an arena; NULL:
 * out of memory. */
int *zw_forced_list_harmonics(const zw_forced *f, zw_arena *arena, int top, bool odd, int *n);
/* Number of a known motion with the coefficients x at a value, or -1. */
int zw_forced_find_known(const zw_forced *f, double value, const double *x);
/* Is a motion of n coefficients per function the same as m, possibly shifted by periods of the
 * excitation? */
bool zw_forced_is_same(const zw_forced *f, const double *x, int n, const zw_forced_motion *m);
/* forced_mirror.c: the first motion whose mirror image this one is; -1: none. */
int zw_forced_image_of(const zw_forced *f, int number);

#endif
