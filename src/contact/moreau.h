/* SPDX-License-Identifier: MIT */
/* What the time stepping of moreau.c knows, for it and for the steps of one contact alone
 * (one_contact_step.c). */
#ifndef ZW_CONTACT_MOREAU_H
#define ZW_CONTACT_MOREAU_H

#include <float.h>
#include <math.h>

#include "frozen.h"
#include "zwang/contact.h"

enum {
    ZW_MOREAU_TWICE = 2,   /* ratio of the fixed steps of the twin to those of the run */
    ZW_MOREAU_SAMPLE = 64, /* steps of a fixed length that one looked at stands for, at most */
    ZW_MOREAU_RECENT = 32 /* steps within which a contact that opens counts as one that slides on */
};

typedef struct zw_moreau {
    size_t bytes;
    zw_frozen frozen;
    const zw_moreau_options *options;
    zw_contact_options plain, thorough; /* of the solver: thorough examines its answers */
    zw_contact_solver *solver;
    double origin; /* times of steps are origin + count h, without rounding that adds up */
    long count;
    double h;            /* of the next step, where steps are controlled */
    double from_t, to_t; /* the last step */
    double *from, *to;   /* nx: its ends */
    double *middle;      /* nx */
    double *rate;        /* nq */
    double *du, *z;      /* nv; nz, or nq if that is more */
    double *law;         /* nlaw, where it is constant */
    double *P;           /* ntouch: impulses of the last step */
    double *old;         /* ntouch: where the solver begins */
    double *gamma,
        *free;     /* ntouch: velocities at the end of the last step, with and without impulses */
    double *slid;  /* ntouch: velocities after the last step that counts */
    double *q, *r; /* ntouch: of the closed contacts */
    int *closed, nclosed; /* ncontact: their numbers */
    bool *was_closed;     /* ncontact: in the step before */
    double *end_gap,
        *new_gap; /* ncontact: at the end of the last controlled step; of the one that is tried */
    double *gap, *gap_rate; /* ncontact: at the middle of the step before, or at the start */
    double looked;          /* s, when that was */
    bool *plastic;          /* ncontact: bilateral, and its support has jumped */
    double *last,
        *change;    /* ncontact: rate of the gap at the end of the last step of the motion; what it
                                   changed by between steps, the most so far */
    double *edge;   /* 2 ncontact: gaps and their rates at an end of a step */
    double largest; /* J: work of impulses in a step, the largest so far */
    double size;    /* largest coordinate in size */
    int *turned;    /* ncontact: 1, or -1 where the normal is turned round */
    int bilateral;  /* how many of them */
    bool lone;      /* one contact: push_lone */
    bool swift;     /* and nothing beside it: one_contact_step.c */
    zw_contact_law *laws, *all; /* ncontact: of the closed ones; of all, made for steps of length */
    double law_h;
    double scale; /* largest q of the step */
    /* since the last report */
    double *sum;  /* ntouch */
    double *work; /* 2 ncontact */
    double
        *rest; /* ntouch + 2 ncontact: impulses and works of the last step that are still to come */
    double *deepest; /* ncontact */
    zw_contact_state *state;
    double since, residual, hardest;
    int iterations;
    long steps;
    long calls; /* since the start */
    /* how good it is: of a step in halves, and of all so far */
    double *halves;         /* nx */
    double *twofold;        /* ntouch + 2 ncontact: impulses and works of both halves, twice */
    double *support;        /* ntouch: velocities of the supports */
    double *old_before;     /* ntouch */
    int *turned_before;     /* ncontact */
    bool alike;             /* contacts do the same in both halves, */
    unsigned pattern;       /* which is this */
    bool odd;               /* an answer of the tried step has more to tell */
    double atol, rtol;      /* of controlled steps; 0 */
    double loose;           /* 1; of the twin, by how much its steps or tolerances are larger */
    struct zw_moreau *twin; /* NULL: it is the twin */
    double *own;            /* nx: state of the twin */
    double *low, *high;     /* nq: reach of the coordinates */
    double *apart;          /* nq: most that the twin has been apart since the start */
    /* nx: how far the twin is from the motion, between a stop and the next start; then its start */
    double *beside;
    double *jolt;                  /* nq: sum of squares of what impacts add */
    double *bend;                  /* nq: of the last step, where steps are controlled */
    long followed;                 /* steps when the twin was there last */
    bool blind;                    /* the twin has failed */
    int *since_closed;             /* ncontact: steps since it was closed, up to a few */
    double *pushed;                /* ncontact: normal force in the last step that had one */
    double *look, *seen, *du_seen; /* ntouch, ntouch, nv: of moreau_paradox.c */
    bool told;                     /* the present step is one of the motion */
    bool anew;                     /* another motion begins */
    /* time from which the motion will continue, with `beside` and the errors so far; NaN */
    double carried;
    long sampled; /* steps at the last sample */
} zw_moreau;

/* a, or the size of b if that is larger: what fmax does, without a call */
static inline double zw_size_larger(double a, double b) {
    double size = fabs(b);
    return size > a ? size : a;
}

/* Is the answer of this step examined? The first steps are more often: short runs have few. `calls`
 * of them have been made. */
static inline bool zw_moreau_is_due(const zw_moreau *m, long calls) {
    long spacing = 1 + calls / 16;
    return calls >= m->sampled + (spacing < ZW_MOREAU_SAMPLE ? spacing : ZW_MOREAU_SAMPLE);
}

/* the end of the next step: not beyond a time where something changes, from which on they are
 * counted anew */
static inline double zw_moreau_end(zw_moreau *m, double h, double stop) {
    double end = m->origin + (double)(m->count + 1) * h;
    m->count++;
    if (!(stop > m->to_t && stop < end + 1e-9 * h))
        return end;
    m->origin = stop;
    m->count = 0;
    return stop;
}

/* a gap that is closed: up to so much of the largest coordinate, or of the way that speeds make in
 * a step */
#define ZW_MOREAU_ROUNDING (16 * DBL_EPSILON)
#define ZW_MOREAU_CLOSE 1e-3
#define ZW_MOREAU_KNOWN 10 /* times the tolerances */

/* Open, approaching and through before it was looked at again, without an impulse that would have
 * turned it round? */
static inline bool zw_moreau_has_passed(const zw_moreau *m, int c, int row, double time) {
    double speed = -m->gap_rate[c], way = speed * time, rate = m->frozen.rate[row];
    return m->gap[c] > 0 && !m->was_closed[c] && m->P[row] == 0 && way > 1e-10 * m->size &&
           m->gap[c] < 0.9 * way && rate > 0.1 * speed;
}

/* The impulses of the problem of the closed contacts, in m->r, and what the answer tells. */
zw_status zw_moreau_impulses(zw_run *run, zw_moreau *m, const zw_contact_problem *problem, double t,
                             zw_contact_answer *answer, zw_error *err);
zw_status zw_moreau_judge(zw_run *run, zw_moreau *m, const zw_contact_answer *a, double t,
                          zw_error *err);

/* The time stepping of a run; NULL: it has none. */
zw_moreau *zw_moreau_of(zw_run *run);
/* Positions of x moved by h with the velocities of x. */
void zw_moreau_positions(zw_run *run, zw_moreau *m, double t, const double *restrict x, double h,
                         double *restrict to);
/* A step of the twin w, up to this time at most. */
zw_status zw_moreau_move_twin(zw_run *run, zw_moreau *w, double until, zw_error *err);

/* moreau_twin.c: how far the twin is from the motion that stops at t, kept until the next start;
 * start the error estimate of a new motion at x, or of this one (goes_on) after an event, and set
 * where the twin starts; update it after a step to x, with an impact or without. */
void zw_moreau_keep_difference(zw_run *run, zw_moreau *m, double t);
void zw_moreau_begin_errors(zw_moreau *m, const zw_kernel *k, const double *x, bool goes_on);
void zw_moreau_watch_errors(zw_run *run, zw_moreau *m, const double *x, bool impact);

/* moreau_paradox.c: after the impulses of a step of the motion. */
void zw_moreau_look_for_paradox(zw_run *run, zw_moreau *m, double t, double h);

/* jump.c: errors where the gap of a contact that touches jumps in the step from (t, m->from) to
 * (end, x), and where the numbers of the law of contact c mean nothing. */
zw_status zw_moreau_check_gaps(zw_run *run, zw_moreau *m, double t, double end, const double *x,
                               zw_error *err);
zw_status zw_moreau_check_law(zw_run *run, int c, const double *number, double t, zw_error *err);

/* Do impulses add energy, by more than rounding of their work and of the largest work of a step so
 * far? */
static inline bool zw_moreau_gains(zw_moreau *m, double gain, double impact, double size) {
    m->largest = zw_size_larger(m->largest, size);
    return gain > 0.01 * size && impact > 0.01 * size && gain > 1e-9 * m->largest;
}

/* one_contact_step.c: a whole step of x where m->swift, up to `stop` at most; has the contact
 * closed in it? */
zw_status zw_moreau_lone_step(zw_run *run, zw_moreau *m, double *x, double stop, bool *hit,
                              zw_error *err);

#endif
