/* SPDX-License-Identifier: MIT */
/* What the sources of a study of basins share; zwang/basin.h defines the study. A motion is sampled
 * ("looks" in the options): once in a period, at a section, or every `step`.
 *
 *   basin_setup.c     reads the options: axes, quantities, scales, time between samples
 *   basin_closing.c   does a sequence of samples converge, and how far is it from its limit?
 *   basin_cycle.c     finds the period of a motion without excitation
 *   basin_cells.c     sets of cells of state space
 *   basin_track.c     follows one motion: the client of the ensemble
 *   basin_known.c     known attractors: is a sample near one, is an outcome one of them?
 *   basin_continuum.c rest states that are not isolated
 *   basin_learn.c     a new attractor: is it stable, how far does it reach, its exponent
 *   basin.c           all starts, in chunks; refinement; checks
 *   basin_measure.c   shares, circles, uncertainty
 *   basin_report.c    the report, warnings
 *   basin_write.c     tables
 *   basin_study.c     the options, the reduced model */
#ifndef ZW_MANY_BASINS_BASIN_H
#define ZW_MANY_BASINS_BASIN_H

#include <signal.h>

#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/text.h"
#include "zwang/basin.h"
#include "zwang/equations.h"
#include "zwang/equilibria.h"
#include "zwang/kernel.h"

enum {
    ZW_BASIN_SETS = 64,          /* largest number of parameters that events set */
    ZW_BASIN_BLOCKS = 48,        /* maxima of blocks that a convergence test stores */
    ZW_BASIN_OWN_CELLS = 4096,   /* cells that a motion remembers */
    ZW_BASIN_CURVE_POINTS = 960, /* points of a cycle without excitation */
    ZW_BASIN_CURVE_BLOCK = 24,   /* points in a block of such a cycle */
    ZW_BASIN_ATTRACTORS = 64     /* attractors, at most */
};

/* ---- quantities ---- */

/* A quantity that is compared. */
typedef struct zw_basin_quantity {
    const char *name, *unit;
    int state;        /* index in x; -1 if it is not a state */
    double period;    /* of a periodic coordinate; 0 if not periodic */
    double scale;     /* 1 until it is known */
    double low, high; /* of the box; infinite if there is none */
    bool boxed;       /* the user gave the box */
} zw_basin_quantity;

typedef struct zw_basin_axis {
    zw_parameter_range range;
    int state, parameter; /* one of them is -1 */
    int n;
} zw_basin_axis;

/* Counted from the nearer end, so that symmetric axes give values symmetric in every bit. */
static inline double zw_basin_axis_value(const zw_basin_axis *a, double u) {
    double length = a->range.to - a->range.from;
    return u <= 0.5 ? a->range.from + length * u : a->range.to - length * (1 - u);
}

/* ---- closing ---- */

/* Convergence test of a sequence: maxima of its differences over blocks of growing length. */
typedef struct zw_basin_closing {
    int p;       /* period that is tested; 0 if none */
    long count;  /* number of differences so far */
    long length; /* of a block */
    long inside; /* differences in the block that is being filled */
    int n;       /* number of full blocks */
    double open; /* largest difference of the block that is being filled */
    double block[ZW_BASIN_BLOCKS];
    long anchor; /* sample at which it seemed to rest; 0 if none */
} zw_basin_closing;

typedef enum zw_basin_closeness {
    BASIN_OPEN,    /* not decided yet */
    BASIN_STUCK,   /* the differences do not fall, and are not small */
    BASIN_RESTING, /* the differences do not fall, but are as small as round-off */
    BASIN_ARRIVED  /* the distance to the limit is less than `close` */
} zw_basin_closeness;

void zw_basin_closing_begin(zw_basin_closing *c, int p);
/* Adds the difference d. The verdict comes at the ends of blocks, otherwise BASIN_OPEN. *rest:
 * estimated distance to the limit, INFINITY if unknown. */
zw_basin_closeness zw_basin_closing_add(zw_basin_closing *c, double d, double close, double *rest);
/* the largest difference of the last third */
double zw_basin_closing_size(const zw_basin_closing *c);

/* ---- cells ---- */

typedef struct zw_basin_cells {
    uint64_t *slot; /* keys; 0 if empty */
    size_t nslot;   /* a power of two */
    size_t n;
    double size; /* of a cell, in scales */
} zw_basin_cells;

uint64_t zw_basin_cell(const zw_basin_quantity *quantity, int ny, double size, const double *y,
                       const int *offset);
bool zw_basin_cells_insert(uint64_t *slot, size_t nslot, size_t *n,
                           uint64_t key); /* false if it is already in the set */
bool zw_basin_cells_has(const uint64_t *slot, size_t nslot, uint64_t key);
/* Is y in a cell of the set, or in a cell next to one? */
bool zw_basin_cells_near(const zw_basin_cells *c, const zw_basin_quantity *quantity, int ny,
                         const double *y);

/* ---- the outcome of a motion ---- */

typedef enum zw_basin_ending {
    BASIN_NOT_ENDED,
    BASIN_KNOWN,      /* within the reach of attractor `label` */
    BASIN_CLOSED,     /* the samples close with period p */
    BASIN_CYCLES,     /* a cycle of period tau, without excitation */
    BASIN_RECURRENT,  /* returns to its own cells again and again */
    BASIN_LOST,       /* none of these within the largest number of samples */
    BASIN_BEYOND,     /* quantity `which` left the box at `side` */
    BASIN_STOPPED_BY, /* event `which` */
    BASIN_FAILED,
    BASIN_INTERRUPTED,
    BASIN_REACHED /* of a trial: it reached the target */
} zw_basin_ending;

typedef struct zw_basin_outcome {
    zw_basin_ending end;
    int label; /* known attractor; -1 if none */
    int p, which, side;
    long looks;
    double tau;
    double u[ZW_BASIN_AXES]; /* start: position on the axes, 0 to 1 */
    double step;             /* time between samples [s] */
    double t, time;          /* [s] since the start: now; when it came within reach */
    double *x;               /* state now, nx */
    double *tail;            /* period_max x ny: the last samples, oldest first */
    int ntail;
    bool failed_later; /* if it failed: after the start, not at it */
    char why[120];
} zw_basin_outcome;

/* ---- limit sets ---- */

typedef struct zw_basin_limit_set {
    zw_basin_attractor is;
    double *point;  /* npoint x ny */
    double *x;      /* npoint x nx */
    double t;       /* of the first point [s] */
    double closure; /* closure in units of `close`: 1, or more if the motion amplifies round-off */
    double sagitta; /* of the curve between its points, in scales */
    double block;   /* largest distance of a point from the first point of its block, in scales */
    zw_basin_cells cells; /* of a torus or of chaos */
    int event;
    bool closed;
    double *member; /* nmember x (ny + nx): rests of a continuum, samples and states */
    int nmember;
    int closes_after; /* samples after which such a rest closes: 0 or 1; -1 if unknown */
    double *range;    /* 2 x ny: low, high */
} zw_basin_limit_set;

/* ---- the study ---- */

struct zw_basin {
    zw_arena arena;
    zw_basin_options options;
    zw_context *ctx;
    zw_system *sys;    /* own copy, for names, units, excitation */
    zw_system on_leaf; /* sys with the integrals of velocity constraints */
    int nhidden;       /* number of integrals without a formula, as zw_leaf_warning takes it */
    zw_equations eq;
    zw_kernel *kernel;
    zw_forcing forcing;
    zw_ensemble *e;       /* with the quantities as outputs */
    zw_ensemble *tangent; /* the same with one variation; NULL until needed */
    zw_ensemble *fine;    /* with finer tolerances; NULL until needed */
    /* contacts only from event to event; NULL until needed, or if `e` does that already */
    zw_ensemble *trial;
    bool no_tangent;
    zw_model_source source;
    int naxis, ny, np;
    /* nstate: coordinates and velocities. In a state they are followed by the parameters that
     * events set, nx in all. */
    int nstate, nx;
    int *set; /* nx - nstate: these parameters */
    zw_basin_axis axis[ZW_BASIN_AXES];
    zw_basin_quantity quantity[ZW_BASIN_LOOKS];
    const char *names[ZW_BASIN_LOOKS];
    int section; /* event; -1 if none */
    /* driven: samples by the excitation; autonomous: neither excitation nor section */
    bool driven, autonomous;
    bool varies;           /* parameters are among the axes */
    bool conserves;        /* energy is constant along motions */
    bool finer;            /* tolerances are smaller than requested */
    bool by_kind;          /* motions are labelled by kind, not by attractor */
    bool can_perturb;      /* all neighbours of a state are possible starts */
    bool can_perturb_some; /* some neighbours are possible starts */
    double step;
    bool *ignored;           /* nq of the system: nothing depends on this coordinate */
    bool clocked;            /* events at given times act on the model */
    double shift;            /* time from the beginning of a period to the sample [s] */
    zw_parameter_range over; /* rows is 0 if it is not given */
    double value;            /* value of the parameter `over`; NaN if none */
    bool *given;             /* np: parameters that the study sets */
    double *p;               /* np: values of all parameters */
    int nfound;
    zw_basin_limit_set found[ZW_BASIN_ATTRACTORS];
    bool too_many; /* more than ZW_BASIN_ATTRACTORS were found */
    long patience;
    uint64_t n; /* number of starts */
    int *label; /* n */
    double *time;
    bool *computed; /* n; NULL if all are computed */
    int *fill;      /* n: work space of a refinement */
    bool has_run;
    long chunk;                   /* largest number of starts that are followed together */
    zw_basin_outcome *outcome[2]; /* chunk: of all starts, and of those that are followed again */
    double *u, *again;            /* chunk x naxis: starts, 0 to 1 */
    double *steps;      /* chunk: time between samples, if parameters are among the axes */
    uint64_t conflicts; /* motions for which reach and arrival disagreed */
    zw_basin_info info;
    char failure[120];
    zw_warnings *doubts;
    double begun, work; /* progress: fraction that is done, and fraction of the present job */
    uint64_t job_size;
    volatile sig_atomic_t halt;
    zw_table *rows; /* of `over`: */
    /* numbers of the attractors along `over` */
    int tracks, nbefore, track[ZW_BASIN_ATTRACTORS], before_track[ZW_BASIN_ATTRACTORS];
    /* attractors at the previous value */
    zw_basin_limit_set before[ZW_BASIN_ATTRACTORS];
    uint64_t unresolved_slow;      /* unresolved motions that were still approaching something */
    uint64_t unresolved_recurrent; /* unresolved motions that kept returning to their own cells */
};

static inline double zw_basin_difference(const zw_basin_quantity *quantity, double a, double b) {
    double d = a - b;
    if (quantity->period > 0)
        d = remainder(d, quantity->period);
    return d / quantity->scale;
}

static inline double zw_basin_distance(const zw_basin *b, const double *y, const double *z) {
    double worst = 0;
    for (int i = 0; i < b->ny; i++) {
        double d = fabs(zw_basin_difference(&b->quantity[i], y[i], z[i]));
        worst = d > worst ? d : worst;
    }
    return worst;
}

/* ---- one motion on its cycle ---- */

typedef struct zw_basin_period_search {
    int phase;        /* 0: samples, 1: at the reference point, 2: shortly after it */
    double strict;    /* how close a return must be, in distances between samples */
    long ref_sample;  /* sample at which the reference was stored */
    long search_from; /* no cycle is searched before this sample */
    double ref_step;
    bool far;
    double d[2]; /* squared distances from the reference at the last two samples */
    double tau, h, begin;
    long round;
    zw_basin_closing closing;
    double worst[2]; /* largest differences of the present and of the previous 32 turns */
} zw_basin_period_search;

typedef struct zw_basin_track {
    long n;
    long since;           /* samples up to this one do not belong to the sequence */
    long ticks;           /* of the clock that runs next to a section */
    long leave;           /* sample until which it may leave an unstable limit set; 0 if none */
    double begin, first;  /* times [s]: of the start, of the first sample within reach */
    double origin;        /* one step before the first sample [s] */
    int reach_of, within; /* attractor (-1 if none), number of samples within its reach */
    long revisits;        /* consecutive samples in its own cells */
    size_t ncell;
    zw_basin_closing closing;
    zw_basin_closing rest; /* at the ticks */
    zw_basin_period_search search;
} zw_basin_track;

/* Arrays after the track, in the memory of a motion. */
typedef struct zw_basin_storage {
    double *ring;          /* nring x ny: the last samples */
    double *anchor;        /* ny: sample at which it seemed to rest */
    double *ref;           /* ny: reference for returns */
    double *place, *speed; /* ny: reference point and velocity of the period search */
    uint64_t *own;
    int nring;
} zw_basin_storage;

/* Motions that are followed together. */
typedef struct zw_basin_job {
    zw_basin *b;
    long n;
    zw_basin_outcome *outcome;
    const double *u;     /* n x naxis: starts of the study; NULL: see x */
    const double *x;     /* n x nx: states, at t */
    const double *at;    /* naxis: parameters for these states; NULL: those of the study */
    const double *steps; /* n; NULL: the step of the study */
    bool match;          /* a motion ends when it is within reach of a known attractor */
    long least;          /* samples before it may end as closed */
    long patience, most;
    const zw_basin_limit_set *target; /* of a trial; NULL if it is none */
    double target_size;               /* distance that counts as reached, in scales */
    double *record;                   /* most x ny: every sample; NULL if not needed */
    double *record_x;                 /* most x nx: every state; NULL if not needed */
    double step;                      /* replaces the step of the study; 0 if not */
    double plain_step; /* step of the samples, if `step` is that of a curve; 0 if not */
    bool fine;         /* with finer tolerances */
    bool trial;        /* starts may be inadmissible (zw_basin_trial_ensemble) */
    bool tangent;      /* with one variation: */
    /* sums of the logarithms of its growth, one for each 1/32 of the time */
    double growth[32];
    double size; /* logarithm of its size at the previous sample */
} zw_basin_job;

size_t zw_basin_memory(const zw_basin *b);
zw_basin_storage zw_basin_storage_of(const zw_basin *b, void *memory);
zw_status zw_basin_follow(zw_basin_job *job, zw_error *err);

/* Adds a sample to the search for the period of a motion without excitation (basin_cycle.c). True:
 * it is on a cycle of period search.tau. */
bool zw_basin_period_search_sample(const zw_basin *b, zw_basin_track *t, zw_basin_storage *r,
                                   const double *y);
bool zw_basin_period_search_visit(const zw_basin *b, zw_basin_track *t, zw_basin_storage *r,
                                  double now, const double *y, double *next);

/* Distance of y from the limit set, in scales: from its points, or from the curve through them. */
double zw_basin_limit_set_distance(const zw_basin *b, const zw_basin_limit_set *a, const double *y);
/* Do the parameters set by events (nx - nstate) have the same values as at one of its states? */
bool zw_basin_limit_set_agrees(const zw_basin *b, const zw_basin_limit_set *a, const double *set);
bool zw_basin_limit_set_within(const zw_basin *b, const zw_basin_limit_set *a, const double *y,
                               double r);
/* The known attractor that an outcome belongs to, -1 if none. */
int zw_basin_match(const zw_basin *b, const zw_basin_outcome *f);
/* Examines an outcome that is not known. *label: its label from now on, -1 if it is a transient. */
zw_status zw_basin_learn(zw_basin *b, const zw_basin_outcome *f, int *label, zw_error *err);

/* Rest states that are not isolated. Is `a` one of these? Sets a->is.continuum, its dimension. */
zw_status zw_basin_continuum_test(zw_basin *b, zw_basin_limit_set *a, const zw_basin_outcome *now,
                                  zw_error *err);
bool zw_basin_continuum_has(const zw_basin *b, const zw_basin_limit_set *a,
                            const zw_basin_outcome *f);
/* The continuum that a chain of rests connects to the outcome, -1 if none. */
zw_status zw_basin_continuum_join(zw_basin *b, const zw_basin_outcome *f, int *label,
                                  zw_error *err);
/* Finds the range of each continuum. */
zw_status zw_basin_continuum_measure(zw_basin *b, zw_error *err);

/* Storage for the outcomes of n motions, in the arena; NULL if memory is short. */
zw_basin_outcome *zw_basin_outcomes(zw_basin *b, int n);

zw_status zw_basin_setup(zw_basin *b, zw_error *err);
zw_status zw_basin_choose_scales(zw_basin *b, zw_error *err);
/* value of `over`; NaN if none */
zw_status zw_basin_set_base(zw_basin *b, double value, zw_error *err);
/* Period of the excitation [s] at a start u. NULL: at the values of the model and of `over`. */
zw_status zw_basin_period(zw_basin *b, const double *u, double *period, zw_error *err);
zw_status zw_basin_ensemble(zw_basin *b, int variations, zw_ensemble **out, zw_error *err);
/* Options with finer tolerances. False if there are none that are finer. */
bool zw_basin_finer_options(const zw_basin *b, zw_run_options *run);
zw_status zw_basin_fine_ensemble(zw_basin *b, zw_error *err);
bool zw_basin_trial_ensemble(zw_basin *b); /* false if trials are not possible */
void zw_basin_unit_start(const zw_basin *b, uint64_t k, double *u);
/* Labels n starts u (n <= chunk): number of the attractor, BASIN_NOWHERE or BASIN_NO_MOTION. `time`
 * may be NULL. */
/* BASIN_UNSET is left if a study was stopped: these starts were not followed. */
enum { BASIN_NOWHERE = -1, BASIN_NO_MOTION = -2, BASIN_UNSET = -3 };
zw_status zw_basin_classify(zw_basin *b, long n, const double *u, int *label, double *time,
                            zw_error *err);
zw_status zw_basin_refine(zw_basin *b, zw_error *err);
void zw_basin_count_shares(zw_basin *b);
zw_status zw_basin_add_rows(zw_basin *b, zw_error *err); /* for one value of `over` */
void zw_basin_sort(zw_basin *b);
void zw_basin_reset(zw_basin *b);
bool zw_basin_is_stopped(const zw_basin *b);

/* basin_report.c: a description: "rest", "cycle of 3 periods"; how motions are sampled, in a line or
 * two; a quantity within its period. */
void zw_basin_describe(const zw_basin *b, const zw_basin_attractor *a, char *out, size_t size);
void zw_basin_put_sampling(zw_text *t, const zw_basin *b);
double zw_basin_shown_value(const zw_basin *b, int i, double y);

#endif
