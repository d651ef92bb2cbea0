/* SPDX-License-Identifier: MIT */
/* The state of the time stepping of moreau.c, shared with the steps of a single contact
 * (one_contact_step.c). */
#ifndef ZW_CONTACT_MOREAU_H
#define ZW_CONTACT_MOREAU_H

#include <float.h>
#include <math.h>

#include "base/tolerance.h"
#include "frozen.h"
#include "zwang/contact.h"

enum {
    ZW_MOREAU_TWICE = 2,   /* ratio of the fixed steps of the twin to those of the run */
    ZW_MOREAU_SAMPLE = 64, /* at most one step of fixed length in this many is examined */
    ZW_MOREAU_RECENT = 32  /* steps after which an open contact no longer counts as sliding */
};

typedef struct zw_moreau {
    size_t bytes;
    zw_frozen frozen;
    const zw_moreau_options *options;
    /* options of the solver; thorough: examines its solutions */
    zw_contact_options plain, thorough;
    zw_contact_solver *solver;
    /* [s]; times of steps are origin + count h, so that round-off does not accumulate */
    double origin;
    long count;
    double h;            /* [s]; length of the next step, where steps are controlled */
    double from_t, to_t; /* the last step */
    double *from, *to;   /* nx: its ends */
    double *middle;      /* nx */
    double *rate;        /* nq */
    double *du, *z;      /* nv; max(nz, nq) */
    double *law;         /* nlaw, where it is constant */
    double *P;           /* ntouch: impulses of the last step */
    double *old;         /* ntouch: first guess for the solver */
    /* ntouch: velocities at the end of the last step, with and without impulses */
    double *gamma, *free;
    double *slid;         /* ntouch: velocities after the last accepted step */
    double *q, *r;        /* ntouch: of the closed contacts */
    int *closed, nclosed; /* ncontact: their numbers */
    bool *was_closed;     /* ncontact: in the step before */
    /* ncontact: gaps at the end of the last controlled step, and of the trial step */
    double *end_gap, *new_gap;
    double *gap, *gap_rate; /* ncontact: at the middle of the last step, or at the start */
    double gap_time;        /* [s]; time of gap and gap_rate */
    bool *plastic;          /* ncontact: bilateral, and the velocity of its support has jumped */
    /* ncontact: rate of the gap at the end of the last step of the motion; largest change of it
     * between steps so far */
    double *last, *change;
    double *edge;          /* 2 ncontact: gaps and their rates at one end of a step */
    double largest;        /* [J]; largest work of impulses in a step so far */
    double size;           /* [m]; largest absolute value of a coordinate */
    int *turned;           /* ncontact: 1, or -1 where the normal is reversed */
    int bilateral;         /* number of bilateral contacts */
    bool single_contact;   /* has_single_contact: push_single makes its steps */
    bool one_contact_only; /* is_one_contact_only: one_contact_step.c makes its steps */
    /* ncontact: laws of the closed contacts; of all, for steps of length law_h */
    zw_contact_law *laws, *all;
    double law_h;
    double scale; /* largest |q| of the step */
    /* since the last report */
    double *sum;  /* ntouch */
    double *work; /* 2 ncontact */
    /* ntouch + 2 ncontact: impulses and works of the last step after the time of the report */
    double *rest;
    double *deepest; /* ncontact */
    zw_contact_state *state;
    double since, residual, hardest;
    int iterations;
    long steps;
    long calls; /* since the start */
    /* error estimates: of a step in halves, and of the motion so far */
    double *halves;     /* nx */
    double *twofold;    /* ntouch + 2 ncontact: impulses and works of both halves, twice */
    double *support;    /* ntouch: velocities of the supports */
    double *old_before; /* ntouch */
    int *turned_before; /* ncontact */
    bool alike;         /* contacts have the same states in both halves: */
    unsigned pattern;   /* their hash */
    bool has_warnings;  /* a solution of the trial step has warnings */
    double atol, rtol;  /* tolerances of controlled steps, else 0 */
    /* ratio of steps or tolerances to those of the run: 1, larger for the twin */
    double loose;
    struct zw_moreau *twin; /* NULL in the twin itself */
    double *own;            /* nx: state of the twin */
    double *low, *high;     /* nq: least and largest values of the coordinates */
    double *apart;          /* nq: largest difference from the twin since the start */
    /* nx: difference of the twin from the motion, between a stop and the next start; then its
     * start */
    double *start_difference;
    double *impact_error; /* nq: sum of squares of the errors of impacts */
    double *bend;         /* nq: curvature of the last step, where steps are controlled */
    long followed;        /* number of steps at the last comparison with the twin */
    bool twin_failed;     /* the twin has failed */
    /* ncontact: steps since it was closed, at most ZW_MOREAU_RECENT */
    int *since_closed;
    double *pushed; /* ncontact: normal force [N] in the last step with one */
    /* ntouch, ntouch, nv: a unit impulse, its effect on rows and on velocities */
    double *probe, *response, *du_response;
    /* the present step is one of the motion, so that warnings are reported */
    bool is_reported;
    bool starts_new_motion; /* another motion begins */
    /* [s]; time from which the motion will continue, with start_difference and the errors so far;
     * NaN if it will not */
    double carried;
    long sampled; /* number of steps at the last examined one */
} zw_moreau;

/* a, or the size of b if that is larger: what fmax does, without a call */
static inline double zw_size_larger(double a, double b) {
    double size = fabs(b);
    return size > a ? size : a;
}

/* Is the solution of this step examined? Of the first steps more are, since short runs have few.
 * calls: steps made so far. */
static inline bool zw_moreau_is_due(const zw_moreau *m, long calls) {
    long spacing = 1 + calls / 16;
    return calls >= m->sampled + (spacing < ZW_MOREAU_SAMPLE ? spacing : ZW_MOREAU_SAMPLE);
}

/* the end of the next step: not beyond `stop`, from which steps are counted again */
#define ZW_MOREAU_SAME_END 1e-9
static inline double zw_moreau_end(zw_moreau *m, double h, double stop) {
    double end = m->origin + (double)(m->count + 1) * h;
    m->count++;
    if (!(stop > m->to_t && stop < end + ZW_MOREAU_SAME_END * h))
        return end;
    m->origin = stop;
    m->count = 0;
    return stop;
}

/* A gap counts as closed up to ROUNDING of the largest coordinate (16 eps: a sum of a few
 * products), up to CLOSE of the displacement in a step (see find_closed), with step control up to
 * KNOWN times the tolerances. A contact slips from SLIPS of the velocities: ten times the tolerance
 * of the solver. A contact has passed through if it moved more than DISTANCE of the largest
 * coordinate: less is an error of the gap. */
#define ZW_MOREAU_ROUNDING (16 * DBL_EPSILON)
#define ZW_MOREAU_CLOSE 1e-3
#define ZW_MOREAU_KNOWN 10
#define ZW_MOREAU_SLIPS 1e-8
#define ZW_MOREAU_DISTANCE 1e-10

/* Has contact c been open and approaching in the last step, and is it separating on the other side
 * now, without an impulse that has reversed it? */
static inline bool zw_moreau_has_passed(const zw_moreau *m, int c, int row, double time) {
    double speed = -m->gap_rate[c], distance = speed * time, rate = m->frozen.rate[row];
    return m->gap[c] > 0 && !m->was_closed[c] && m->P[row] == 0 &&
           distance > ZW_MOREAU_DISTANCE * m->size && m->gap[c] < 0.9 * distance &&
           rate > 0.1 * speed;
}

/* The impulses of the problem of the closed contacts, in m->r; warnings and errors by the
 * answer. */
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

/* moreau_twin.c: stores the difference of the twin from the motion that stops at t until the next
 * start; starts the error estimate of a new motion at x, or of this one (goes_on) after an event,
 * and sets the start of the twin; updates the estimate after a step to x, with an impact or
 * without. */
void zw_moreau_keep_difference(zw_run *run, zw_moreau *m, double t);
void zw_moreau_begin_errors(zw_moreau *m, const zw_kernel *k, const double *x, bool goes_on);
void zw_moreau_watch_errors(zw_run *run, zw_moreau *m, const double *x, bool impact);

/* moreau_paradox.c: after the impulses of a step of the motion. */
void zw_moreau_check_paradox(zw_run *run, zw_moreau *m, double t, double h);

/* jump.c: errors where the gap of a contact that touches jumps in the step from (t, m->from) to
 * (end, x), and where the numbers of the law of contact c are invalid. */
zw_status zw_moreau_check_gaps(zw_run *run, zw_moreau *m, double t, double end, const double *x,
                               zw_error *err);
zw_status zw_moreau_check_law(zw_run *run, int c, const double *number, double t, zw_error *err);

/* Do impulses add energy: more than a hundredth of their terms, and more than the error of the
 * largest work of a step so far (the solver's tolerance 1e-9)? */
static inline bool zw_moreau_gains(zw_moreau *m, double gain, double impact, double size) {
    m->largest = zw_size_larger(m->largest, size);
    return gain > 0.01 * size && impact > 0.01 * size && gain > ZW_ROUNDOFF_SOLVED * m->largest;
}

/* one_contact_step.c: a whole step of x where m->one_contact_only, up to `stop` at most; has the
 * contact closed in it? */
zw_status zw_moreau_single_step(zw_run *run, zw_moreau *m, double *x, double stop, bool *hit,
                                zw_error *err);

#endif
