/* SPDX-License-Identifier: MIT */
/* What the files of a study of basins share; what is done is told in zwang/basin.h.
 *
 *   basin_setup.c     from words to numbers: axes, quantities, scales, time between looks
 *   basin_closing.c   do the looks of a motion close, and how far is it still from its end?
 *   basin_cycle.c     the period of a motion without drive, and whether it closes with it
 *   basin_cells.c     sets of cells
 *   basin_track.c     one motion followed: the client of the ensemble
 *   basin_known.c     what has been found: is a look near one, is a fate one of them?
 *   basin_continuum.c rests that are not isolated
 *   basin_learn.c     something new is found: gone on, tried all around, its exponent
 *   basin.c           all starts, in chunks; refinement; checks
 *   basin_measure.c   shares, circles, uncertainty
 *   basin_write.c     words, JSON, tables */
#ifndef ZW_MANY_BASINS_BASIN_H
#define ZW_MANY_BASINS_BASIN_H

#include <signal.h>

#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "zwang/basin.h"
#include "zwang/equations.h"
#include "zwang/equilibria.h"
#include "zwang/kernel.h"

enum {
    BASIN_SETS = 64,   /* parameters that events set, at most */
    BASIN_BLOCKS = 48, /* of maxima of a closing */
    BASIN_OWN = 4096,  /* cells that a motion remembers */
    BASIN_CURVE = 960, /* points of a cycle without drive */
    BASIN_BLOCK = 24,  /* of them together */
    BASIN_MOST = 64    /* attractors */
};

/* ---- quantities ---- */

/* One that is compared. */
typedef struct basin_look {
    const char *name, *unit;
    int state;        /* of x; -1: it is none */
    double period;    /* of a periodic coordinate; 0 */
    double scale;     /* 1 until it is known */
    double low, high; /* of the box; infinite: none */
    bool boxed;       /* by the user */
} basin_look;

typedef struct basin_axis {
    zw_parameter_range range;
    int state, parameter; /* one of them is -1 */
    int n;
} basin_axis;

/* from the nearer end, so that what is symmetric is so in every bit */
static inline double basin_axis_value(const basin_axis *a, double u) {
    double length = a->range.to - a->range.from;
    return u <= 0.5 ? a->range.from + length * u : a->range.to - length * (1 - u);
}

/* ---- closing ---- */

/* The differences of a sequence that may converge, as maxima of blocks whose length grows. */
typedef struct basin_closing {
    int p;       /* period that is tried; 0: none */
    long count;  /* differences so far */
    long length; /* of a block */
    long inside; /* the last one */
    int n;       /* blocks that are full */
    double open; /* the largest of the block that is not */
    double block[BASIN_BLOCKS];
    long anchor; /* look at which it seemed to rest; 0: none */
} basin_closing;

typedef enum basin_closeness {
    BASIN_OPEN,    /* not yet, or not known */
    BASIN_STUCK,   /* differences do not fall, and are not small */
    BASIN_RESTING, /* they do not fall, but are as small as roundings */
    BASIN_ARRIVED  /* less than `close` is left */
} basin_closeness;

void basin_closing_begin(basin_closing *c, int p);
/* One more difference d; told at the ends of blocks. *rest: what is left of the way (BASIN_OPEN:
 * unknown). */
basin_closeness basin_closing_add(basin_closing *c, double d, double close, double *rest);
double basin_closing_size(const basin_closing *c); /* the largest difference of the last third */

/* ---- cells ---- */

typedef struct basin_cells {
    uint64_t *slot; /* 0: empty */
    size_t nslot;   /* a power of two */
    size_t n;
    double size; /* of a cell, in scales */
} basin_cells;

uint64_t basin_cell(const basin_look *look, int ny, double size, const double *y,
                    const int *offset);
bool basin_cells_insert(uint64_t *slot, size_t nslot, size_t *n,
                        uint64_t key); /* false: was there */
bool basin_cells_has(const uint64_t *slot, size_t nslot, uint64_t key);
/* y or a cell next to it is in the set */
bool basin_cells_near(const basin_cells *c, const basin_look *look, int ny, const double *y);

/* ---- what a motion came to ---- */

typedef enum basin_end {
    BASIN_NOT_ENDED,
    BASIN_KNOWN,      /* within reach of `label` */
    BASIN_CLOSED,     /* p looks */
    BASIN_CYCLES,     /* time tau, without drive */
    BASIN_RECURRENT,  /* cells of its own again and again */
    BASIN_LOST,       /* none of it, and too many looks */
    BASIN_BEYOND,     /* quantity `which`, `side` */
    BASIN_STOPPED_BY, /* event `which` */
    BASIN_FAILED,
    BASIN_INTERRUPTED,
    BASIN_REACHED /* of a trial: the target */
} basin_end;

typedef struct basin_fate {
    basin_end end;
    int label; /* known attractor; -1 */
    int p, which, side;
    long looks;
    double tau;
    double u[ZW_BASIN_AXES]; /* where it began: its parameters, */
    double step;             /* and the time between its looks */
    double t, time;          /* now, and when it came within reach, since its beginning */
    double *x;               /* nx, now */
    double *tail;            /* period_max x ny: the last looks, oldest first */
    int ntail;
    bool began; /* of one that failed: not at its start, but on the way */
    char why[120];
} basin_fate;

/* ---- what was found ---- */

typedef struct basin_found {
    zw_basin_attractor is;
    double *point; /* npoint x ny */
    double *x;     /* npoint x nx */
    double t;      /* of the first point */
    double blur;  /* it closes to so many times `close`: 1, or more by roundings that it enlarges */
    double sag;   /* of the curve between points, in scales */
    double block; /* of a curve: how far from its first point a block reaches */
    basin_cells cells; /* of torus and chaos */
    int event;
    bool closed;
    double *member; /* nmember x (ny + nx): rests of a continuum, looks and states */
    int nmember;
    int closes_after; /* looks of such a rest: 0, 1 */
    double *range;    /* 2 x ny: low, high */
} basin_found;

/* ---- the study ---- */

struct zw_basin {
    zw_arena arena;
    zw_basin_options options;
    zw_context *ctx;
    zw_system *sys;    /* of its own, for names, units, drives */
    zw_system on_leaf; /* sys with the integrals of velocity constraints, */
    int nhidden;       /* and conditions without a formula, as zw_leaf_warning takes them */
    zw_equations eq;
    zw_kernel *kernel;
    zw_forcing forcing;
    zw_ensemble *e;       /* with the quantities */
    zw_ensemble *tangent; /* the same with a disturbance; NULL: not yet */
    zw_ensemble *fine;    /* with finer tolerances; NULL: not yet */
    zw_ensemble *trial;   /* contacts from event to event alone; NULL: not yet, or as e */
    bool no_tangent;
    zw_model_source source;
    int naxis, ny, np;
    /* coordinates and velocities; in a state they are followed by the parameters that events set */
    int nstate, nx;
    int *set; /* nx - nstate: these parameters */
    basin_axis axis[ZW_BASIN_AXES];
    basin_look look[ZW_BASIN_LOOKS];
    const char *names[ZW_BASIN_LOOKS];
    int section;        /* event; -1 */
    bool driven, locks; /* looks by the drive; cycles have a period of their own */
    bool varies;        /* parameters are among the axes */
    bool conserves;     /* motions keep their energy */
    bool finer;         /* tolerances are smaller than was asked for */
    bool classes;       /* one of these, and kinds are told, not single attractors */
    bool tries;         /* neighbours of a state can be started from, */
    bool tries_some;    /* or some of them */
    double step;
    bool *ignored;           /* nq of the system: nothing depends on it */
    bool clocked;            /* clocks act */
    double shift;            /* of looks behind the beginning of a period */
    zw_parameter_range over; /* rows 0: none */
    double value;            /* of it; NaN */
    bool *given;             /* np: parameters that the study sets */
    double *p;               /* np: all */
    int nfound;
    basin_found found[BASIN_MOST];
    bool crowded; /* more than that */
    long patience;
    uint64_t n; /* starts */
    int *label; /* n */
    double *time;
    bool *computed; /* n; NULL: all */
    int *fill;      /* n: on the way of a refinement */
    bool has_run;
    long chunk;          /* starts that are followed at once, at most */
    basin_fate *fate[2]; /* chunk: of all, and of those that are followed again */
    double *u, *again;   /* chunk x naxis: starts, 0 to 1 */
    double *steps;       /* chunk: time between looks, where parameters are among the axes */
    uint64_t conflicts;  /* motions for which reach and arrival disagreed */
    zw_basin_info info;
    char failure[120];
    zw_warnings *doubts;
    double begun, work; /* progress: share that is done, and share of the present job */
    uint64_t job_size;
    volatile sig_atomic_t halt;
    zw_table *rows;                                                   /* of `over`: */
    int tracks, nbefore, track[BASIN_MOST], before_track[BASIN_MOST]; /* numbers along it */
    basin_found before[BASIN_MOST];                                   /* at the value before */
    uint64_t slow; /* unresolved that were still on their way, and */
    uint64_t wild; /* those that came back again and again */
};

static inline double basin_apart(const basin_look *look, double a, double b) {
    double d = a - b;
    if (look->period > 0)
        d = remainder(d, look->period);
    return d / look->scale;
}

static inline double basin_distance(const zw_basin *b, const double *y, const double *z) {
    double worst = 0;
    for (int i = 0; i < b->ny; i++) {
        double d = fabs(basin_apart(&b->look[i], y[i], z[i]));
        worst = d > worst ? d : worst;
    }
    return worst;
}

/* ---- one motion on its cycle ---- */

typedef struct basin_lock {
    int phase;     /* 0: looks, 1: at its place, 2: a little later */
    double strict; /* how near a return must be, in steps */
    long ref_look; /* of ref */
    long sleep;    /* no cycle is looked for before this look */
    double ref_step;
    bool far;
    double d[2]; /* distances from ref at the two looks before, squared */
    double tau, h, begin;
    long round;
    basin_closing closing;
    double worst[2]; /* largest differences of this and the last 32 rounds */
} basin_lock;

typedef struct basin_track {
    long n;
    long since;          /* looks up to this one do not belong to the sequence */
    long ticks;          /* of the clock beside a section */
    long leave;          /* until then it may leave something unstable again; 0 */
    double begin, first; /* times: of the start, of the first look within reach */
    double origin;       /* one step before the first look */
    int near_of, near;   /* attractor, looks within its reach */
    long own_back;       /* looks in cells of its own, one after the other */
    size_t nown;
    basin_closing closing;
    basin_closing rest; /* at the ticks */
    basin_lock lock;
} basin_track;

/* After the track, in the memory of a motion: */
typedef struct basin_room {
    double *ring;          /* nring x ny */
    double *anchor;        /* ny */
    double *ref;           /* ny */
    double *place, *speed; /* ny: of the lock */
    uint64_t *own;
    int nring;
} basin_room;

/* What is followed. */
typedef struct basin_job {
    zw_basin *b;
    long n;
    basin_fate *fate;
    const double *u;     /* n x naxis: starts of the study; NULL: */
    const double *x;     /* n x nx: states, at t */
    const double *at;    /* naxis: of these the parameters; NULL: those of the study */
    const double *steps; /* n; NULL: that of the study */
    bool match;          /* what is known ends a motion */
    long least;          /* looks before it may end as closed */
    long patience, most;
    const basin_found *target; /* of a trial, and */
    double target_size;        /* how near is there */
    double *record;            /* every look is kept: most x ny, and */
    double *record_x;          /* most x nx; NULL: not */
    double step;               /* another one; 0 */
    double plain_step;         /* that of the looks, where `step` is that of a curve; 0 */
    bool fine;                 /* with finer tolerances */
    bool trial;                /* starts may be inadmissible (basin_trial_ensemble) */
    bool tangent;              /* with a disturbance: */
    double growth[32];         /* sums of logarithms of its growth, in parts of the time */
    double size;               /* the logarithm of its size at the look before */
} basin_job;

size_t basin_memory(const zw_basin *b);
basin_room basin_room_of(const zw_basin *b, void *memory);
zw_status basin_follow(basin_job *job, zw_error *err);

/* one look of a motion whose cycle is looked for or kept (basin_cycle.c); true: it cycles,
 * lock.tau */
bool basin_lock_look(const zw_basin *b, basin_track *t, basin_room *r, const double *y);
bool basin_lock_visit(const zw_basin *b, basin_track *t, basin_room *r, double now, const double *y,
                      double *next);

/* how far y is from it, in scales: from its points, or from the curve through them */
double basin_found_distance(const zw_basin *b, const basin_found *a, const double *y);
/* Do the parameters set by events (nx - nstate) have the same values as at one of its states? */
bool basin_found_has_set(const zw_basin *b, const basin_found *a, const double *set);
bool basin_found_within(const zw_basin *b, const basin_found *a, const double *y, double r);
/* the attractor that a fate tells of, -1: none that is known */
int basin_known(const zw_basin *b, const basin_fate *f);
/* something that is not known: label of it now; -1: nothing that lasts */
zw_status basin_learn(zw_basin *b, const basin_fate *f, int *label, zw_error *err);

/* Rests that are not isolated. Is a one of these? Sets a->is.continuum, its dimension. */
zw_status basin_continuum_try(zw_basin *b, basin_found *a, const basin_fate *now, zw_error *err);
bool basin_continuum_has(const zw_basin *b, const basin_found *a, const basin_fate *f);
/* the continuum to which a chain of rests leads; -1: none */
zw_status basin_continuum_join(zw_basin *b, const basin_fate *f, int *label, zw_error *err);
/* the range of each continuum */
zw_status basin_continuum_measure(zw_basin *b, zw_error *err);

/* storage for the fates of n motions, in the arena; NULL: out of memory */
basin_fate *basin_fates(zw_basin *b, int n);

zw_status basin_setup(zw_basin *b, zw_error *err);
zw_status basin_scales(zw_basin *b, zw_error *err);
zw_status basin_base(zw_basin *b, double value, zw_error *err); /* of `over`; NaN: none */
/* the period of the drive at a start u; NULL: at the values of the model and `over` */
zw_status basin_period(zw_basin *b, const double *u, double *period, zw_error *err);
zw_status basin_ensemble(zw_basin *b, int variations, zw_ensemble **out, zw_error *err);
/* b->fine with these; false: there are none that are finer, or they have no ensemble (then err
 * tells why). */
bool basin_finer(const zw_basin *b, zw_run_options *run);
zw_status basin_fine_ensemble(zw_basin *b, zw_error *err);
bool basin_trial_ensemble(zw_basin *b); /* false: trials are not possible */
void basin_unit_start(const zw_basin *b, uint64_t k, double *u);
/* Labels of n starts u (n <= chunk): which of what is found, BASIN_NOWHERE or BASIN_NO_MOTION; time
 * may be NULL. */
/* BASIN_UNSET is what is left of a study that was stopped: starts that were not followed. */
enum { BASIN_NOWHERE = -1, BASIN_NO_MOTION = -2, BASIN_UNSET = -3 };
zw_status basin_decide(zw_basin *b, long n, const double *u, int *label, double *time,
                       zw_error *err);
zw_status basin_refine(zw_basin *b, zw_error *err);
void basin_shares(zw_basin *b);
zw_status basin_add_rows(zw_basin *b, zw_error *err); /* of a value of `over` */
void basin_sort(zw_basin *b);
void basin_forget(zw_basin *b);
bool basin_stopped(const zw_basin *b);

/* names for what it is: "rest", "cycle of 3 periods" */
void basin_words(const zw_basin *b, const zw_basin_attractor *a, char *out, size_t size);

#endif
