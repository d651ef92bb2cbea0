/* SPDX-License-Identifier: MIT */
/* What the files of the study of Lyapunov exponents share. */
#ifndef ZW_MANY_EXPONENTS_LYAPUNOV_H
#define ZW_MANY_EXPONENTS_LYAPUNOV_H

#include <signal.h>

#include "base/arena.h"
#include "sim/driven_sim.h"
#include "zwang/equations.h"
#include "zwang/lyapunov.h"
#include "zwang/simulate.h"

enum { ZW_LYAPUNOV_BLOCKS = 64, ZW_LYAPUNOV_PERIODS = 64 };
#define ZW_LYAPUNOV_ALLOWED 2. /* tolerances, in a time scale: errors of motions in step */

/* What a thread has of its own. */
typedef struct zw_lyapunov_thread {
    zw_flow *flow;
    int point;                              /* whose parameters the flow has; -1: none */
    double *J, *basis, *grown, *row, *room; /* nx x nx twice, nx, nx, for series */
    double t, until;                        /* s: how far its motion has come, and has to go */
    _Atomic double part;                    /* likewise, as a fraction */
} zw_lyapunov_thread;

/* What becomes of a motion at its end (lyapunov_look.c). */
typedef enum zw_lyapunov_fate {
    ZW_FATE_UNKNOWN,
    ZW_FATE_STEADY,
    ZW_FATE_PERIODIC,
    ZW_FATE_SETTLING, /* comes back nearer and nearer */
    ZW_FATE_OTHER
} zw_lyapunov_fate;

typedef struct zw_lyapunov_motion {
    bool begun, measured, looked;
    zw_status status;
    char why[200];
    zw_lyapunov_fate fate;
    int times;     /* returns or periods of the drive after which it comes back */
    double period; /* s */
    double K, sampled;
    int samples;
    double miss;     /* how far it misses, of its size, after the best number of returns */
    bool came;       /* its first returns differ from the later ones */
    bool strained;   /* the frame has nearly lost a row between two looks */
    int left;        /* disturbances that events have not annihilated */
    char doubt[400]; /* its warning; "": none */
} zw_lyapunov_motion;

/* An ensemble that is used again: of one stage. */
typedef struct zw_lyapunov_kept {
    zw_ensemble *e;
    int variations;
    size_t memory;
} zw_lyapunov_kept;

/* Who asks whether to stop. */
typedef struct zw_lyapunov_watch {
    zw_lyapunov *s;
    int count;
    double done; /* completed fraction of all motions, with those under way; it never decreases */
    volatile sig_atomic_t stop;
} zw_lyapunov_watch;

/* What is doubtful at a point. */
enum {
    ZW_WARNINGS_HALVES =
        1, /* the exponents of the first half of the time are others than those of the second */
    ZW_WARNINGS_GAP = 2,        /* their sum is not the mean divergence */
    ZW_WARNINGS_PAIRS = 4,      /* they are no pairs */
    ZW_WARNINGS_ZEROS = 8,      /* none is zero along the motion */
    ZW_WARNINGS_STRAINED = 16,  /* disturbances were nearly lost */
    ZW_WARNINGS_SETTLING = 32,  /* the motion has not come to its end yet */
    ZW_WARNINGS_FAILED = 64,    /* motions failed */
    ZW_WARNINGS_MIXED = 128,    /* motions come to different ends */
    ZW_WARNINGS_PERIOD = 256,   /* it must have a period, and none was found */
    ZW_WARNINGS_UNSTABLE = 512, /* it rests or comes back, and disturbances grow */
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
    zw_system on_leaf; /* sys with the integrals of velocity constraints, */
    int nhidden;       /* and conditions without a formula, as zw_leaf_warning takes them */
    zw_equations eq;
    zw_forcing forcing;
    zw_kernel *kernel;
    zw_parameter_range over[2];
    int nover, rows[2], npoint, motions, nx, n, k;
    bool autonomous; /* time does not enter */
    bool beats;      /* it enters with several frequencies, or otherwise: there is no period */
    bool odd_time;   /* it enters otherwise than by sin and cos */
    bool jumps;      /* rates do */
    bool pairs;      /* exponents do come in pairs */
    bool single;     /* by runs, one after the other */
    bool contacts;   /* there are some */
    bool hybrid;     /* contacts, or events that act: motions jump */
    bool in_step;    /* all were measured by lyapunov_frames.c */
    /* exponents that vanish: conserved quantities and symmetries, without the motion's own */
    int zeros;
    char zero_names[300];
    int nthread;
    zw_lyapunov_thread *thread;
    bool *essential, *wraps, *given; /* nx, nx, np */
    double *scale, *width;           /* nx, nq */
    double *p, *point_p;             /* np, npoint x np */
    double *inputs;                  /* nu, at p */
    double *tau;                     /* npoint: fastest time scale, or period of the drive, s */
    double slow;                     /* s: slowest time scale of the pilot motion */
    double rate_most;                /* 1/s: of its fastest disturbances */
    bool slows_down;                 /* as a power of time: it has no time scale */
    int of;                          /* entry of the state; -1: chosen */
    /* npoint x motions x (1 + nx): time and state behind the transient; behind the measured time */
    double *begin, *end;
    /* npoint x motions x BLOCKS x (k + 2): exponents, divergence, what its quadrature may be off
     * by */
    double *block;
    zw_lyapunov_motion *motion;      /* npoint x motions */
    zw_lyapunov_point *point;        /* npoint */
    bool *done;                      /* npoint */
    int *doubt;                      /* npoint: ZW_WARNINGS_... */
    int *list;                       /* motions of the present stage */
    int round;                       /* how often points were measured before (lyapunov_again.c) */
    bool *again;                     /* npoint: measured in this round, if it is not the first */
    double *more;                    /* npoint: s by which the transient was longer in the end */
    zw_lyapunov_motion *kept_motion; /* of the round before: of a part, */
    double *kept_block;              /* and its blocks */
    bool stopped;
    int from, to; /* points that are measured now: all of them come in parts, */
    int part;     /* of this length */
    zw_lyapunov_kept kept[3];
    zw_lyapunov_watch watch;
    zw_kernel *lanes;       /* of lyapunov_frames.c; NULL: not yet */
    double progress, share; /* so much is done, and so much the present stage is */
    char engine[200];       /* which one, in words */
    const char *stage;      /* name of the present stage */
    char waited[200];       /* the stage in which it was stopped */
};

bool zw_lyapunov_asked_to_stop(zw_lyapunov *s, double done);
const char *zw_lyapunov_principle(const zw_lyapunov *s);
/* Times of a point. */
double zw_lyapunov_transient(const zw_lyapunov *s, int point);
double zw_lyapunov_time(const zw_lyapunov *s, int point);
/* The flow of a thread with the parameters of a point. */
zw_status zw_lyapunov_flow(zw_lyapunov *s, int thread, int point, zw_flow **out, zw_error *err);
/* Parameters p, the constant inputs among them, of a flow. */
zw_status zw_lyapunov_set(const zw_lyapunov *s, zw_flow *flow, const double *p, zw_error *err);

/* A motion by a run, one at a time (lyapunov_alone.c). */
typedef struct zw_lyapunov_walker {
    zw_kernel *kernel; /* with modes: rates may jump */
    zw_run *run;
    zw_sim *sim;       /* in the place of both: through contacts and events that act */
    double *x;         /* nx */
    bool *set, *given; /* np: all of them; nx: none */
    zw_sim_singular singular;
} zw_lyapunov_walker;
zw_status zw_lyapunov_walker_init(zw_lyapunov_walker *w, zw_lyapunov *s, const zw_run_options *run,
                                  zw_error *err);
void zw_lyapunov_walker_clear(zw_lyapunov_walker *w);
/* The start of the model at parameters p; fixed entries of x (given, may be NULL: none) stay. */
zw_status zw_lyapunov_walker_start(zw_lyapunov_walker *w, zw_lyapunov *s, const double *p, double t,
                                   const bool *given, double *x, zw_error *err);
/* From there; on to t, through contacts and events. The state is in w->x. */
zw_status zw_lyapunov_walk_from(zw_lyapunov_walker *w, double t, const double *x, zw_error *err);
zw_status zw_lyapunov_walk(zw_lyapunov_walker *w, zw_lyapunov *s, double t, zw_error *err);
double zw_lyapunov_walker_time(const zw_lyapunov_walker *w);
/* The flow of the equations that hold there; `plain` unless there are others. */
zw_flow *zw_lyapunov_walker_flow(const zw_lyapunov_walker *w, zw_flow *plain);

/* What went wrong, as a failed motion tells it. */
bool zw_lyapunov_is_trouble(zw_status status);

/* lyapunov_pilot.c: time scales, sizes, dimension */
zw_status zw_lyapunov_pilot(zw_lyapunov *s, zw_error *err);
/* A basis V of the tangent space, n rows of nx, without entries that do not count. T: room of nx x
 * nx. */
zw_status zw_lyapunov_tangent(const zw_lyapunov *s, zw_flow *flow, double t, const double *x,
                              double *T, double *V, int *n, zw_error *err);

/* lyapunov_measure.c: the transient, and the exponents */
zw_status zw_lyapunov_pass(zw_lyapunov *s, zw_error *err);
zw_status zw_lyapunov_measure(zw_lyapunov *s, zw_error *err);
/* The motions that have begun, or those that were measured: s->list. */
zw_status zw_lyapunov_list(zw_lyapunov *s, bool measured, int *n, zw_error *err);
/* A motion of a point begins at a kept time and state. A start that the model writes by expressions
 * would be added to them: false: come again at once, with given = NULL. */
bool zw_lyapunov_place(zw_lyapunov *s, zw_ensemble_motion *m, const double *kept, int point,
                       bool *given);
/* Rows that are random in the tangent space at (t, x), orthonormal. */
zw_status zw_lyapunov_first_frame(zw_lyapunov *s, zw_flow *flow, zw_lyapunov_thread *own, double t,
                                  const double *x, uint64_t number, double *V, zw_error *err);
/* lyapunov_frames.c: the exponents of `count` motions of s->list, in step; those that could not go
 * so stay unmeasured. */
bool zw_lyapunov_goes_in_frames(const zw_lyapunov *s);
zw_status zw_lyapunov_frames(zw_lyapunov *s, int count, zw_error *err);
/* lyapunov_look.c: what the motions come to */
zw_status zw_lyapunov_look(zw_lyapunov *s, zw_error *err);
/* lyapunov_again.c: points that are not settled are measured again, from where their motions have
 * come to; once() is a round */
zw_status zw_lyapunov_settle(zw_lyapunov *s, zw_status (*once)(zw_lyapunov *s, zw_error *err),
                             zw_error *err);
/* lyapunov_judge.c: from blocks to a point */
zw_status zw_lyapunov_judge(zw_lyapunov *s, int point, zw_error *err);

/* How far a motion of a thread has come that began at `from`. */
void zw_lyapunov_report_part(zw_lyapunov *s, const zw_ensemble_motion *m, double from,
                             double until);

/* The options of runs with disturbances, and without. */
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

/* The j-th of what belongs to motion i of a point. */
static inline size_t zw_lyapunov_index(const zw_lyapunov *s, int point, int motion) {
    return (size_t)point * (size_t)s->motions + (size_t)motion;
}

#endif
