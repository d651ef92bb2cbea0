/* SPDX-License-Identifier: MIT */
/* What the sources of the study of Lyapunov exponents share. */
#ifndef ZW_MANY_EXPONENTS_LYAPUNOV_H
#define ZW_MANY_EXPONENTS_LYAPUNOV_H

#include "base/arena.h"
#include "sim/driven_sim.h"
#include "zwang/equations.h"
#include "zwang/lyapunov.h"
#include "zwang/simulate.h"

enum { ZW_LYAPUNOV_BLOCKS = 64, ZW_LYAPUNOV_PERIODS = 64 };
/* tolerances, in a time scale: error that motions in step may have */
#define ZW_LYAPUNOV_ALLOWED 2.

/* Data of a thread. */
typedef struct zw_lyapunov_thread {
    zw_flow *flow;
    int point;                                 /* whose parameters the flow has; -1 if none */
    double *J, *basis, *grown, *row, *scratch; /* nx x nx twice, nx, nx, for series */
    double t, until;     /* [s]: time that its motion has reached, and its end */
    _Atomic double part; /* the same as a fraction */
} zw_lyapunov_thread;

/* The end of a motion (lyapunov_ends.c). */
typedef enum zw_lyapunov_ending {
    ZW_LYAPUNOV_END_UNKNOWN,
    ZW_LYAPUNOV_END_STEADY,
    ZW_LYAPUNOV_END_PERIODIC,
    ZW_LYAPUNOV_END_SETTLING, /* its returns converge */
    ZW_LYAPUNOV_END_OTHER
} zw_lyapunov_ending;

typedef struct zw_lyapunov_motion {
    bool begun, measured, end_known;
    zw_status status;
    char why[200];
    zw_lyapunov_ending ending;
    int times;     /* returns, or periods of the excitation, after which it repeats */
    double period; /* [s] */
    double K, sampled;
    int samples;
    /* distance from repeating, relative to its size, for the best number of returns */
    double miss;
    bool came;        /* its first returns differ from the later ones */
    bool nearly_lost; /* the frame has nearly lost a row between two samples */
    int left;         /* disturbances that events have not annihilated */
    char doubt[400];  /* its warning; "" if none */
} zw_lyapunov_motion;

/* The ensemble of a stage, which is used again. */
typedef struct zw_lyapunov_stage_ensemble {
    zw_ensemble *e;
    int variations;
    size_t memory;
} zw_lyapunov_stage_ensemble;

/* Progress of a stage, and whether to stop. */
typedef struct zw_lyapunov_progress {
    zw_lyapunov *s;
    int count;
    /* completed fraction of all motions, including those under way; it never decreases */
    double done;
    volatile sig_atomic_t stop;
} zw_lyapunov_progress;

/* Warnings of a point. */
enum {
    ZW_WARNINGS_HALVES = 1,     /* the exponents of the two halves of the time differ */
    ZW_WARNINGS_GAP = 2,        /* their sum is not the mean divergence */
    ZW_WARNINGS_PAIRS = 4,      /* they do not come in pairs */
    ZW_WARNINGS_ZEROS = 8,      /* none is zero along the motion */
    ZW_WARNINGS_STRAINED = 16,  /* disturbances were nearly lost */
    ZW_WARNINGS_SETTLING = 32,  /* the motion has not settled yet */
    ZW_WARNINGS_FAILED = 64,    /* motions failed */
    ZW_WARNINGS_MIXED = 128,    /* motions have different ends */
    ZW_WARNINGS_PERIOD = 256,   /* it must have a period, and none was found */
    ZW_WARNINGS_UNSTABLE = 512, /* it rests or repeats, and disturbances grow */
    ZW_WARNINGS_TEST = 1024,    /* exponents and 0-1 test contradict each other */
    ZW_WARNINGS_UNDECIDED = 2048,
    ZW_WARNINGS_LOST = 4096,    /* disturbances are annihilated in some motions, not in others */
    ZW_WARNINGS_MOTIONS = 8192, /* motions have warnings */
    ZW_WARNINGS_SLOWING = 16384 /* the motion slows down as a power of time */
};

struct zw_lyapunov {
    const zw_system *sys;
    const zw_model_source *source;
    zw_arena arena;
    zw_lyapunov_options options;
    zw_run_options run;
    zw_system on_leaf; /* sys with the integrals of velocity constraints */
    int nhidden;       /* number of integrals without a formula, as zw_leaf_warning takes it */
    zw_equations eq;
    zw_forcing forcing;
    zw_kernel *kernel;
    zw_parameter_range over[2];
    int nover, rows[2], npoint, motions, nx, n, k;
    bool autonomous; /* the equations do not depend on time */
    /* they depend on time with several frequencies, or not periodically: there is no period */
    bool has_no_period;
    bool nonharmonic_time; /* they depend on time otherwise than by sin and cos */
    bool jumps;            /* the rates are discontinuous */
    bool pairs;            /* exponents come in pairs */
    bool single;           /* motions are computed by runs, one after the other */
    bool contacts;         /* the model has contacts */
    bool hybrid;           /* contacts, or events with actions: motions jump */
    bool in_step;          /* all were measured by lyapunov_frames.c */
    /* Number of exponents that vanish: conserved quantities and symmetries, without that along the
     * motion. */
    int zeros;
    char zero_names[300];
    int nthread;
    zw_lyapunov_thread *thread;
    bool *essential, *wraps, *given; /* nx, nx, np */
    double *scale, *width;           /* nx, nq */
    double *p, *point_p;             /* np, npoint x np */
    double *inputs;                  /* nu, at p */
    /* npoint: fastest time scale, or period of the excitation [s] */
    double *tau;
    double slow;         /* slowest time scale of the pilot motion [s] */
    double largest_rate; /* rate of its fastest disturbances [1/s] */
    bool slows_down;     /* as a power of time: it has no time scale */
    int of;              /* entry of the state; -1: chosen */
    /* npoint x motions x (1 + nx): time and state after the transient; after the measured time. */
    double *begin, *end;
    /* npoint x motions x BLOCKS x (k + 2): exponents, divergence, error of its quadrature. */
    double *block;
    zw_lyapunov_motion *motion; /* npoint x motions */
    zw_lyapunov_point *point;   /* npoint */
    bool *done;                 /* npoint */
    int *doubt;                 /* npoint: ZW_WARNINGS_... */
    int *list;                  /* motions of the present stage */
    int round;                  /* how often points were measured before (lyapunov_repeat.c) */
    bool *again;                /* npoint: measured in this round, if it is not the first */
    double *more;               /* npoint: [s] by which the transient was extended */
    zw_lyapunov_motion *previous_motion; /* of the previous round: of a part, */
    double *previous_block;              /* and its blocks */
    bool stopped;
    int from, to; /* points that are measured together, */
    int part;     /* and the length of such a part */
    zw_lyapunov_stage_ensemble kept[3];
    zw_lyapunov_progress watch;
    zw_kernel *lanes;        /* of lyapunov_frames.c; NULL until needed */
    double progress, share;  /* progress; fraction of the present stage */
    char engine[200];        /* a description */
    const char *stage;       /* name of the present stage */
    char stopped_stage[200]; /* the stage in which it was stopped */
};

bool zw_lyapunov_asked_to_stop(zw_lyapunov *s, double done);
const char *zw_lyapunov_principle(const zw_lyapunov *s);
/* Times of a point [s]. */
double zw_lyapunov_transient(const zw_lyapunov *s, int point);
double zw_lyapunov_time(const zw_lyapunov *s, int point);
/* The flow of a thread with the parameters of a point. */
zw_status zw_lyapunov_flow(zw_lyapunov *s, int thread, int point, zw_flow **out, zw_error *err);
/* Sets the parameters p, with the constant inputs, of a flow. */
zw_status zw_lyapunov_set(const zw_lyapunov *s, zw_flow *flow, const double *p, zw_error *err);

/* A motion by a run, one at a time (lyapunov_single.c). */
typedef struct zw_lyapunov_single_run {
    zw_kernel *kernel; /* with modes: rates may jump */
    zw_run *run;
    zw_sim *sim;       /* replaces both: through contacts and events with actions */
    double *x;         /* nx */
    bool *set, *given; /* np: all true; nx: all false */
    zw_sim_singular singular;
} zw_lyapunov_single_run;
zw_status zw_lyapunov_single_run_init(zw_lyapunov_single_run *w, zw_lyapunov *s,
                                      const zw_run_options *run, zw_error *err);
void zw_lyapunov_single_run_clear(zw_lyapunov_single_run *w);
/* The start of the model at parameters p; entries of x that are `given` (NULL: none) stay. */
zw_status zw_lyapunov_single_run_start(zw_lyapunov_single_run *w, zw_lyapunov *s, const double *p,
                                       double t, const bool *given, double *x, zw_error *err);
/* Starts there; continues to t, through contacts and events. The state is in w->x. */
zw_status zw_lyapunov_single_run_from(zw_lyapunov_single_run *w, double t, const double *x,
                                      zw_error *err);
zw_status zw_lyapunov_single_run_to(zw_lyapunov_single_run *w, zw_lyapunov *s, double t,
                                    zw_error *err);
double zw_lyapunov_single_run_time(const zw_lyapunov_single_run *w);
/* The flow of the active equations; `plain` unless there are others. */
zw_flow *zw_lyapunov_single_run_flow(const zw_lyapunov_single_run *w, zw_flow *plain);

/* Is it a failure of a single motion, which the study reports and survives? */
bool zw_lyapunov_is_failure(zw_status status);

/* lyapunov_pilot.c: time scales, sizes, dimension. */
zw_status zw_lyapunov_pilot(zw_lyapunov *s, zw_error *err);
/* A basis V of the tangent space, n rows of nx, without entries that do not count. T: scratch of nx
 * x nx. */
zw_status zw_lyapunov_tangent(const zw_lyapunov *s, zw_flow *flow, double t, const double *x,
                              double *T, double *V, int *n, zw_error *err);

/* lyapunov_measure.c: the transient, and the exponents. */
zw_status zw_lyapunov_pass_transients(zw_lyapunov *s, zw_error *err);
zw_status zw_lyapunov_measure(zw_lyapunov *s, zw_error *err);
/* Lists the motions that have begun, or those that were measured: s->list. */
zw_status zw_lyapunov_list(zw_lyapunov *s, bool measured, int *n, zw_error *err);
/* A motion of a point begins at a stored time and state. False if the model writes the start by
 * expressions, which would be added: then call again at once, with given = NULL. */
bool zw_lyapunov_begin_at(zw_lyapunov *s, zw_ensemble_motion *m, const double *kept, int point,
                          bool *given);
/* Rows that are random in the tangent space at (t, x), orthonormal. */
zw_status zw_lyapunov_first_frame(zw_lyapunov *s, zw_flow *flow, zw_lyapunov_thread *own, double t,
                                  const double *x, uint64_t number, double *V, zw_error *err);
/* lyapunov_frames.c: the exponents of `count` motions of s->list, in step; motions that cannot be
 * computed so stay unmeasured. */
bool zw_lyapunov_uses_frames(const zw_lyapunov *s);
zw_status zw_lyapunov_frames(zw_lyapunov *s, int count, zw_error *err);
/* lyapunov_ends.c: the ends of the motions. */
zw_status zw_lyapunov_find_ends(zw_lyapunov *s, zw_error *err);
/* lyapunov_repeat.c: points that have not settled are measured again, from the states that their
 * motions have reached; once() is a round. */
zw_status zw_lyapunov_repeat_unsettled(zw_lyapunov *s,
                                       zw_status (*once)(zw_lyapunov *s, zw_error *err),
                                       zw_error *err);
/* lyapunov_judge.c: from blocks to a point. */
zw_status zw_lyapunov_judge(zw_lyapunov *s, int point, zw_error *err);

/* How far a motion of a thread has come that began at `from`. */
void zw_lyapunov_report_part(zw_lyapunov *s, const zw_ensemble_motion *m, double from,
                             double until);

/* The options of runs with variations, and without. */
zw_run_options zw_lyapunov_steps(const zw_lyapunov *s, bool disturbed);
/* lyapunov_motions.c: motions 0 .. count - 1 of a client, by the ensemble or one by one; variations
 * 0: without. */
zw_status zw_lyapunov_motions(zw_lyapunov *s, const zw_ensemble_client *client, int variations,
                              size_t memory, int count, zw_error *err);
zw_status zw_lyapunov_alone(zw_lyapunov *s, const zw_ensemble_client *client, int variations,
                            size_t memory, int count, zw_error *err);

static inline bool zw_lyapunov_is_in_round(const zw_lyapunov *s, int point) {
    return s->round == 0 || s->again[point];
}

/* Index of motion i of a point. */
static inline size_t zw_lyapunov_index(const zw_lyapunov *s, int point, int motion) {
    return (size_t)point * (size_t)s->motions + (size_t)motion;
}

#endif
