/* SPDX-License-Identifier: MIT */
/* Private to the files of forced motions. */
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
#include "zwang/simulate.h"

typedef struct zw_forced_curve {
    int first, n;         /* its motions */
    zw_cont_info info[2]; /* to both sides */
    int march;            /* by integration: 1 up, -1 down */
    int from;             /* 1 + the motion at which it leaves another one; 0: none */
    int mode;             /* of a family of free motions: where it begins */
    /* with which modes, and with which combination of them; NULL: with this mode alone */
    const char *resonance, *shape;
    bool imaged;     /* its mirror image leaves there, too, and was not followed */
    bool vertical;   /* all of it is at one value of the parameter */
    bool shrinks[2]; /* cycles: it ends where they shrink to rest, */
    bool halves[2];  /* or at a period doubling of cycles of half the period, */
    double born[2];  /* at this value */
    int runaway; /* of free motions: it ends where so many harmonics are too few; 0: it does not */
} zw_forced_curve;

/* A family of free motions: where it begins, and how far it goes. */
typedef enum zw_forced_bound { ZW_FREE_FREQUENCY, ZW_FREE_ENERGY, ZW_FREE_MEASURE } zw_forced_bound;
typedef struct zw_forced_family {
    zw_parameter_range range;
    zw_forced_bound bound;
    int quantity,
        measure; /* of ZW_FREE_MEASURE: which, and the place of the number in zw_motion_measure */
    int nmode;
    double *frequency; /* nmode */
    double *re, *im;   /* nmode x (nq + nv): small oscillations, largest part 1 in widths */
    double *rest;      /* functions: the equilibrium */
    double energy;     /* there */
    double unit;       /* of frequencies, in the arclength */
    bool inside;       /* the last point is in the range */
    /* is the energy the same all along its first motion? 1: yes, 0: not asked yet, -1: no */
    int conserves;
    int outside;  /* points since it was not */
    bool *done;   /* nmode: its families are known, by those of a resonant one */
    double ridge; /* of the balance (zw_harmonic_ridge) */
    int top;      /* the highest harmonic that families begin with */
    /* resonant modes of which a continuum of combinations begins families; NULL: there are none */
    const char *continuum;
} zw_forced_family;

enum { ZW_FORCED_LEVELS = 32 };

struct zw_forced {
    zw_arena arena;
    const zw_system *sys; /* without attitudes on which nothing depends */
    const zw_system *full;
    zw_system without; /* sys, if full has such attitudes */
    int nattitude;     /* such attitudes */
    zw_attitude *attitude;
    int *of;           /* nq of full: index of its coordinates in sys, -1: left out */
    zw_system on_leaf; /* sys on the leaf of its start */
    zw_kept kept;
    const zw_reduction *reduction; /* whose model sys is; NULL: none */
    int nhidden;                   /* conditions without a formula, as zw_leaf_warning takes them */
    zw_forced_options options;
    zw_parameter_range over;
    bool has_over;
    zw_equations eq;
    zw_forcing forcing;
    zw_tones tones; /* n > 1: frequencies without a common period */
    const char *tone_name[ZW_TONES_MAX];
    int nvector, vector_capacity, *vector; /* nvector x tones: the combinations of their frequencies
                                              in their order; */
    int nlevel, level[ZW_FORCED_LEVELS];   /* numbers of them in the balances of each level */
    bool level_full;                       /* there are no more levels */
    double exact; /* error of the exponents of the next motions, 0: chosen */
    double
        *wanted; /* of the finer balance, harmonic by harmonic: what it changes there, relative */
    int nwanted;
    zw_equations torus_eq;   /* the equations with their phases as inputs, */
    zw_kernel *torus_kernel; /* of one lane, */
    zw_flow *torus_flow;     /* at any phases */
    bool cycles;             /* nothing drives it: the frequency is the last unknown of x */
    double cycle_w;          /* where it is not known yet */
    double cycle_most,
        *cycle_before; /* of the curve: the largest square of its motion, and its last point, */
    double cycle_last, cycle_value; /* the square there, and the parameter */
    int cycle_top;                  /* and its harmonics */
    /* the frequency of the drive is straight_base + straight_slope times the number */
    bool straight;
    double straight_base, straight_slope, straight_size;
    zw_kernel *lanes, *kernel; /* of 8 lanes, of one */
    zw_flow *flow;
    double *p;                    /* np, of the model */
    double *now;                  /* np, at the last value that was asked for */
    bool *given;                  /* np: those that were set, and the one that is gone along */
    double *scale;                /* functions */
    double *width;                /* nq */
    double *winding;              /* nq: turns in a period; NULL: none */
    zw_harmonic *balance, *finer; /* finer: twice the harmonics */
    zw_harmonic *whole;           /* of odd ones: with the even ones between them; else NULL */
    zw_slow *slow;                /* of the same harmonics, where that is asked for; else NULL */
    double *slow_re, *slow_im;    /* room for its multipliers */
    double *slow_error;
    int slow_room;
    int denied; /* motions of whose stability Floquet's multipliers say otherwise, */
    double denied_from, denied_to; /* and where */
    /* motions of whose stability folds and multipliers say different things; of the worst of
     * these */
    int contrary;
    double contrary_miss, contrary_from,
        contrary_to; /* folds: how far from 1, where, and up to where */
    int top;         /* the highest harmonic of the balance */
    int reach;       /* the highest harmonic that is driven */
    bool kinks;      /* of forces, in what moves */
    /* curves that are followed by shooting (forced_kinks.c); NULL: not started, or harmonic
     * balance */
    zw_event_orbits *through;
    bool shoots;   /* curves are followed by shooting */
    bool harsh;    /* kinks need more harmonics than harmonic balance should use */
    bool balanced; /* nothing was found by shooting */
    int drifts;    /* a coordinate of the run from the start that drifts, -1: none, */
    double drift;  /* and its change per period */
    int nfunction;
    int nquantity;
    zw_forced_motion *motion;
    int nmotion, motion_capacity;
    zw_forced_curve *curve;
    int ncurve, curve_capacity;
    double *x, *y, *finer_x,
        *b;          /* coefficients: of the balance, of another one, of the finer one */
    int nx_room;     /* coefficients that they have room for */
    zw_floquet last; /* of last_x at last_value, if last_known; last_failed: there are none */
    double *last_x, last_value;
    int last_n;
    bool last_known, last_failed;
    double worst_error; /* of all motions */
    double worst_value;
    double worst_even; /* what even harmonics would change, where they were not asked for */
    bool poor;         /* the last motion needs more harmonics */
    zw_singular singular;
    int nowhere;          /* ends of the range at which no motion was found, */
    double nowhere_value; /* the last of them */
    bool stopped;
    zw_forced_family family;
    zw_parameter_range second; /* of curves of marks */
    zw_forced_mark *mark;
    int nmark, mark_capacity;
    zw_forced_curve *locus; /* curves of them */
    int nlocus, locus_capacity;
    zw_forced **child; /* studies of twice the order */
    int nchild, child_capacity;
    const struct zw_forced *parent; /* of it; NULL: none */
    bool doubled;                   /* it is one */
    bool (*ends)(
        zw_forced *f); /* a curve ends at the last motion for whoever follows it; NULL: none does */
    const zw_forced_motion *mirror; /* that the next curve may be the image of; NULL: none */
    bool image_met;                 /* and is */
    int crossings;                  /* branch points that are not followed */
    int halves; /* special points of motions with half frequencies, which are not followed, */
    int hidden; /* and branch points of which odd harmonics do not know */
};

enum { ZW_FORCED_LEFT = 1024 };  /* multipliers of free motions, at most */
enum { ZW_FORCED_SHOT = 31 };    /* harmonics that are reported for motions found by shooting, */
enum { ZW_FORCED_POINTS = 128 }; /* of a period, at which quantities are measured, at least */

static inline bool zw_forced_has_tones(const zw_forced *f) {
    return f->tones.n > 1;
}
/* forced_start.c: the start of the model, integrated. */
zw_status zw_forced_run_start(zw_forced *f, double value, double until, double step, zw_sim **sim,
                              zw_error *err);
/* forced_tones.c: excitation frequencies without a common period. Finds them, and the equations
 * with their phases. */
zw_status zw_forced_tones_find(zw_forced *f, zw_error *err);
zw_status zw_forced_tones_refuse(const zw_forced *f, const char *what, zw_error *err);
/* The combinations that a motion has: the first *n of f->vector. */
int zw_forced_tones_count(const zw_forced *f, const zw_forced_motion *m);
/* Those of the next level: the first ones if there is none yet, then those that the last error
 * estimate found missing. */
zw_status zw_forced_tones_grow(zw_forced *f, zw_error *err);
/* The same and their neighbours, as vectors (*n x phases) of the arena: those of a finer balance;
 * even: of odd ones the even neighbours instead. */
zw_status zw_forced_tones_around(zw_forced *f, bool even, int **vector, int *n, zw_error *err);
/* Of motions with half frequencies (options.halved): multiples of phase j are of W_j/2 or W_j (2
 * or 1); is a combination none of the motions without these? */
int zw_forced_tones_scale(const zw_forced *f, int phase);
bool zw_forced_tones_is_half(const zw_forced *f, const int *k);
/* The first n combinations of the study with whole frequencies are combinations as well. */
zw_status zw_forced_tones_seed(zw_forced *f, const zw_forced *parent, int n, zw_error *err);
/* The largest sum of multiples of the first n. */
int zw_forced_tones_length(const zw_forced *f, int n);
/* A first guess into f->x from a run of the start; ZW_RETRY: there is none. */
zw_status zw_forced_tones_guess(zw_forced *f, double value, zw_error *err);
/* forced_tones_measure.c: what all quantities do on the torus of f->x, which is at the place of
 * the balance; tone: as in zw_forced_motion. */
zw_status zw_forced_tones_measure(zw_forced *f, zw_motion_measure *out, double *tone,
                                  zw_error *err);
/* forced_exponents.c: Lyapunov exponents of f->x at a value, into the motion; exact: the error
 * in units of the slowest frequency, 0: their signs alone. */
zw_status zw_forced_tones_exponents(zw_forced *f, double value, double exact, zw_forced_motion *m,
                                    zw_error *err);
/* Do all exponents of a quasi-periodic motion differ from zero by more than their errors? False:
 * one does not, or there are none. */
bool zw_forced_exponents_decided(const zw_forced_motion *m);
/* Special points of the last curve at which exponents pass zero and the equations of the motion
 * are not singular. */
zw_status zw_forced_exponents_locate(zw_forced *f, int curve, zw_error *err);
/* forced_tones_write.c */
void zw_forced_tones_put(zw_text *out, const zw_forced *f, const zw_forced_motion *m);
void zw_forced_tones_put_lines(zw_text *out, const zw_forced *f, const zw_forced_motion *m);
void zw_forced_tones_put_stability(zw_text *out, const zw_forced_motion *m);
/* "  with half of the frequency W_1 + W_2" */
void zw_forced_tones_put_half(zw_text *out, const zw_forced *f);
const char *zw_forced_tones_sentence(zw_bifurcation event);
void zw_forced_tones_json(zw_text *out, const zw_forced *f, const zw_forced_motion *m);
void zw_forced_tones_warnings(const zw_forced *f, zw_warnings *out);
/* forced_reduced.c: one period of the full system; what its reduction has left out, in words of
 * motions first .. first + n - 1, as JSON and in tables */
zw_status zw_forced_reduced_run(zw_forced *f, const zw_forced_motion *m, int rows,
                                const zw_model_source *source, zw_table **out, zw_error *err);
const char *zw_forced_name(const zw_forced *f);
void zw_forced_put_reduction(zw_text *out, const zw_forced *f);
void zw_forced_put_left(zw_text *out, const zw_forced *f, int first, int n);
void zw_forced_json_left(zw_text *out, const zw_forced *f, const zw_forced_motion *m);
zw_status zw_forced_left_columns(const zw_forced *f, zw_table *t);
int zw_forced_fill_left(const zw_forced *f, const zw_forced_motion *m, double *row);
/* forced_cycle.c: is the energy constant? Then cycles are families, and refused. */
zw_status zw_forced_cycles_check(zw_forced *f, zw_error *err);
/* The orbit to which the start leads as a guess in f->x; ZW_RETRY: there is none, trouble says
 * why. */
zw_status zw_forced_cycles_guess(zw_forced *f, double value, zw_error *trouble);
/* --march and the like are about drives. */
zw_status zw_forced_refuse_cycles(const zw_forced *f, const char *what, zw_error *err);
/* The frequency of the coefficients x, w of what is driven. */
double zw_forced_frequency(const zw_forced *f, const double *x, double w);
/* forced_switch.c: does the curve of cycles, of which the last motion is known, end at a period
 * doubling of cycles of half the period? The last motion is then the one there. */
bool zw_forced_cycles_halve(zw_forced *f);
/* Does the curve shrink to rest at this point, the next one after those before? *born: the value
 * where it does. */
bool zw_forced_cycles_shrink(zw_forced *f, const double *x, double value, double *born);
/* forced.c: parameters, w and its slope at a value; NaN: those of the model */
zw_status zw_forced_set(void *user, double value, double *p, double *w, double *w_slope,
                        zw_error *err);
/* A balance up to a harmonic in the place of the present one; f->x keeps its motion. */
zw_status zw_forced_harmonics(zw_forced *f, int top, zw_error *err);
/* forced_motion.c: all that is known of f->x at a value, appended to the motions. tangent (of the
 * curve there, coefficients and a; NULL: none) is what the estimate of the error is measured
 * across. */
zw_status zw_forced_add(zw_forced *f, double value, bool with_error, const double *tangent,
                        zw_bifurcation event, int curve, zw_error *err);
/* The last motion has this error. */
void zw_forced_report_error(zw_forced *f, double error);
/* May there be more harmonics? */
bool zw_forced_may_grow(const zw_forced *f);
/* a coordinate, velocity or multiplier, as the functions of the balance are numbered */
const char *zw_forced_function_name(const zw_forced *f, int i);
/* The finer balance anew, for the motion f->x. */
zw_status zw_forced_make_finer(zw_forced *f, zw_error *err);
/* The estimate of the error of f->x. */
zw_status zw_forced_error(zw_forced *f, double value, const double *tangent, double *error,
                          zw_error *err);
/* The next number of harmonics, if these are too few. */
int zw_forced_more_harmonics(const zw_forced *f);
/* More harmonics until the estimate is small, or there are no more; f->x solves the balance at the
 * value. */
zw_status zw_forced_refine(zw_forced *f, double value, zw_error *err);
/* Multipliers of the motion x, valid up to the next call; NULL: they cannot be found. */
zw_status zw_forced_multipliers(zw_forced *f, const double *x, double value, const zw_floquet **out,
                                zw_error *err);
/* forced_varying_amplitudes.c: exp(s P) of the amplitudes x in the place of multipliers; and what
 * Floquet's say, for a motion that is told. */
zw_status zw_forced_slow_make(zw_forced *f, int nharmonic, const int *harmonic, int samples,
                              zw_error *err);
zw_status zw_forced_slow_multipliers(zw_forced *f, const double *x, double w, zw_floquet *out,
                                     zw_error *err);
zw_status zw_forced_slow_add(zw_forced *f, double value, zw_forced_motion *m, zw_error *err);
void zw_forced_slow_warnings(const zw_forced *f, zw_warnings *out);
/* forced_pair.c: f->x, a free motion at the frequency w: the relative error of its period as the
 * one of its energy, where the one says little of the other; else 0. */
zw_status zw_forced_pair_error(zw_forced *f, int curve, double w, double *error, zw_error *err);
/* The last motion has this error at least. */
void zw_forced_report_pair(zw_forced *f, double error);
/* forced_fold_rounding.c: folds of a complete curve at which the parameter turns by nothing but
 * rounding are none. */
void zw_forced_settle_folds(zw_forced *f, int curve);
/* forced_stability_conflict.c: of a curve that is complete. */
/* Number of inconsistencies of a curve: turns without a fold, multipliers that cross without a
 * special point. */
int zw_forced_check(const zw_forced *f, int curve);
void zw_forced_contrary(zw_forced *f, int curve);
void zw_forced_contrary_warning(const zw_forced *f, zw_warnings *out);
/* forced_motion.c: Floquet's multipliers of f->x, whatever decides about stability. Of the
 * caller's. */
zw_status zw_forced_floquet(zw_forced *f, const double *x, double value, zw_floquet *out,
                            zw_error *err);
/* A motion that is known into f->x, with the harmonics that it needs. */
zw_status zw_forced_load(zw_forced *f, const zw_forced_motion *m, zw_error *err);
/* Coefficients of so many functions from another number of them to that of the present balance. */
void zw_forced_copy(const zw_forced *f, int functions, int from_n, const double *from, double *to);
/* Of f->x at the frequency w, all quantities. */
zw_status zw_motion_measure_all(zw_forced *f, double w, zw_motion_measure *out, zw_error *err);
/* forced_follow.c: one side of a curve, from f->x, or across a direction (coefficients, then a;
 * NULL: that of a). */
zw_status zw_forced_go(zw_forced *f, int curve, double value, int direction, const double *toward,
                       bool skip, zw_cont_info *info, zw_error *err);
/* forced_pick.c: the motion at a value between two others, appended with no curve. */
zw_status zw_forced_between(zw_forced *f, int before, int after, double value, int *number,
                            zw_error *err);
/* Sizes by which steps are measured: those of a motion. */
void zw_forced_scale_by(zw_forced *f, const zw_forced_motion *m);
zw_status zw_forced_new_curve(zw_forced *f, int *index, zw_error *err);
/* forced_shoot.c: a motion by shooting, appended; `as` has its value, frequency, event and
 * curve. */
zw_status zw_forced_add_shot(zw_forced *f, const zw_shooting *s, const zw_forced_motion *as,
                             zw_error *err);
/* An orbit of segments as a result of shooting; all pointers belong to the orbit. */
zw_shooting zw_forced_shot_of(const zw_segmented_motion *m);
/* The motion near a state (nx) at a value. */
zw_status zw_forced_shoot_near(zw_forced *f, double value, const double *x, int *number,
                               zw_error *err);
/* forced_kinks.c: can curves be followed by shooting? */
bool zw_forced_may_shoot(const zw_forced *f);
/* or those that were given. */
int zw_forced_shot_harmonics(const zw_forced *f);
/* Do kinks require shooting, if harmonic balance would need harmonics up to `top`, or fails on a
 * curve (trouble)? Sets f->harsh. */
bool zw_forced_is_harsh(zw_forced *f, int top, bool trouble);
/* Discard the results of harmonic balance: motions are found and followed by shooting from now
 * on. */
void zw_forced_kinks_begin(zw_forced *f);
zw_status zw_forced_kinks_find(zw_forced *f, double value, int *number, zw_error *err);
zw_status zw_forced_kinks_search(zw_forced *f, double value, int starts, int *found, zw_error *err);
zw_status zw_forced_kinks_follow(zw_forced *f, int number, zw_error *err);
zw_status zw_forced_kinks_switch(zw_forced *f, int most, zw_error *err);
zw_status zw_forced_kinks_marks(zw_forced *f, const char *second, zw_error *err);
/* Shooting found nothing: try harmonic balance. */
void zw_forced_kinks_give_up(zw_forced *f);
/* forced_switch.c: a study of twice the order that belongs to this one. */
zw_status zw_forced_make_child(zw_forced *f, int harmonics, zw_forced **out, zw_error *err);
/* forced_free.c: the range is read, the system conservative, the small oscillations known. */
zw_status zw_forced_read_range(zw_forced *f, zw_error *err);
/* The family of f->x at the frequency w, whose direction is toward; NULL or words for
 * zw_forced_curve. ZW_E_NUMERIC: none of it is in the range. */
zw_status zw_forced_go_family(zw_forced *f, int mode, double w, const double *toward,
                              const char *shape, const char *resonance, zw_error *err);
/* forced_resonance.c: is there another mode of the same, twice or three times the frequency? */
bool zw_forced_is_resonant(const zw_forced *f, int mode);
/* All families that begin with combinations of these modes, of a small size. */
zw_status zw_forced_backbones_resonant(zw_forced *f, int mode, double size, zw_error *err);
/* forced_rest.c */
zw_status zw_forced_find_modes(zw_forced *f, zw_error *err);
/* What bounds the family, at a motion. */
zw_status zw_forced_bound_of(zw_forced *f, const double *x, double w, double *value, zw_error *err);
/* Is a point to be told? *last: nothing behind it is. outward: it is on a bound of the range. */
bool zw_forced_in_range(zw_forced *f, double value, bool on_bound, bool *last);
/* f->x at about the frequency w exactly onto a bound of the range; the frequency. */
double zw_forced_polish(zw_forced *f, double w, double bound);
zw_status zw_forced_energy(zw_forced *f, const double *x, double w, double *energy, zw_error *err);
/* The multipliers but for the two that are 1 since there is a family: how many are outside. */
int zw_forced_free_outside(const zw_floquet *m, bool *left);
bool zw_forced_is_mark(const zw_forced_motion *m);
/* forced.c: for methods that know of no angles that turn. */
zw_status zw_forced_refuse_winding(const zw_forced *f, const char *who, zw_error *err);
zw_status zw_forced_refuse_events(const zw_forced *f, const char *who, zw_error *err);
/* forced.c: parameters of a run at a value, at most two. */
int zw_forced_numbers(const zw_forced *f, double value, zw_sim_number out[2]);
double zw_forced_unit(const zw_forced *f);
/* All harmonics up to a multiple of the drive, or the odd ones, in an arena; NULL: out of
 * memory. */
int *zw_forced_list(const zw_forced *f, zw_arena *arena, int top, bool odd, int *n);
/* Is it one of those that are known there? Its number, or -1. */
int zw_forced_known(const zw_forced *f, double value, const double *x);
/* Is a motion of n coefficients the same as m, whatever period of the drive it begins with? */
bool zw_forced_is_same(const zw_forced *f, const double *x, int n, const zw_forced_motion *m);
/* forced_mirror.c: the first motion there whose mirror image this one is; -1: none. */
int zw_forced_image_of(const zw_forced *f, int number);

#endif
