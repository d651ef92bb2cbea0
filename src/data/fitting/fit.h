/* SPDX-License-Identifier: MIT */
/* What the sources of identification share. Letters: E experiments, P free parameters, K nodes, n
 * tangent directions at a node. The unknowns are, in this order, for each experiment the directions
 * of its start and its own parameters, then the common parameters. */
#ifndef ZW_DATA_FITTING_FIT_H
#define ZW_DATA_FITTING_FIT_H

#include "base/arena.h"
#include "motion/segments/hybrid.h"
#include "sim/driven_sim.h"
#include "zwang/equations.h"
#include "zwang/fit.h"

/* A quantity that is measured. */
typedef struct zw_fit_quantity {
    const char *name, *unit; /* as in the data, as in the model */
    zw_along_kind kind;
    int index, column; /* column: of a row of the simulation */
    bool stated;       /* all its standard deviations are given */
    double sigma;      /* of values without a given one */
    bool at_least;     /* estimated; a lower bound */
    long count;
    double used_unknowns; /* unknowns that its values determine (fit_freedom.c), if f->is_shared */
} zw_fit_quantity;

/* A free parameter. */
typedef struct zw_fit_param {
    const char *name, *unit;
    int index; /* in the system */
    bool own, is_log, is_held;
    double low, high, prior, prior_sd; /* prior_sd INFINITY: none */
    double scale;                      /* of a change */
} zw_fit_param;

/* A set of active constraints, with its equations: events switch them. */
typedef struct zw_fit_stage {
    bool *on; /* nconstraint */
    zw_equations eq;
    zw_kernel *kernel;
    zw_run *run;
    zw_flow *second_flow;
    zw_rate_jump jump;
    zw_sim_singular singular; /* of the last motions with derivatives */
} zw_fit_stage;

/* Actions of events during a motion (fit_events.c). */
typedef struct zw_fit_events {
    bool any;        /* an event has actions */
    bool has_memory; /* an event sets parameters or switches constraints: a motion is one part */
    bool *acts;      /* nevent: at zeros of their functions */
    bool clocks;
    int nmemory, *memory; /* parameters that events set */
    double *m, *M;        /* nmemory, nmemory x (nx + P): their values, and derivatives of these */
    /* nconstraint, nx: constraints after an event, entries that it has set */
    bool *active_after, *fixed;
    double *x, *rate, *z;  /* nx, nx, nz */
    double *evt, *repeat;  /* nevent */
    int *way;              /* nevent */
    double *point, *slope; /* scratch of fit_events.c */
    zw_event_side *side;   /* nevent */
    double *seen;          /* nx: sizes */
    bool met;              /* an event has acted during the iteration */
} zw_fit_events;

/* An event that has acted. */
typedef struct zw_fit_event_record {
    int node, event;
    double t;
    double until; /* [s] since then infinitely many impacts are over; INFINITY: never */
} zw_fit_event_record;

/* Motions with contacts, by the simulation (fit_contacts.c). */
typedef struct zw_fit_contacts {
    bool used;
    char words[200]; /* a description of the scheme */
    zw_flow **flow;  /* of starts, with the contacts that are closed there; all are kept */
    int nflow, capacity;
    bool checks;              /* derivatives by two difference steps */
    double *change_with_step; /* nx + P: relative change of derivatives with the difference step */
    double lost_at;           /* [s]: time of a row without derivatives; NaN if there is none */
    int nlost;
} zw_fit_contacts;

/* A node and the motion to the next one. */
typedef struct zw_fit_node {
    double t;
    int row;         /* of the data: first one after the node */
    int n;           /* tangent directions */
    int first, n0;   /* unknowns: of the start that it follows from */
    double *x, *try; /* nx */
    double *T, *Q;   /* nx x n; nx x P: derivatives of the state with respect to parameters */
    double *Y, *end; /* nx x (n + P), nx: at the end of the motion */
    double *gap;     /* nx: end - x of the next node */
    double *W, *w;   /* n x size, n: directions as they follow from the unknowns, w + W z */
    double *step;    /* nx */
} zw_fit_node;

typedef struct zw_fit_experiment {
    const char *name;
    int nrow;
    double *t, *y, *sd; /* nrow; nrow x quantities, NaN if not measured */
    bool *set, *given;  /* np, nq + nv: given by its notes */
    double *p, *start;
    /* np: parameters of the run that made the data, by its notes; NaN if unknown, or free */
    double *run_parameters;
    double *value; /* P: its parameters, */
    double *tried; /* and those of a trial step */
    int K;
    zw_fit_node *node; /* K + 1: the last one is the end */
    struct {
        int K, row;
        double t;
    } parts;   /* while it is in one part: K, and the second node */
    double *h; /* nrow x quantities: the model */
    /* nrow x quantities x (nx + P): its derivatives with respect to directions and parameters */
    double *D;
    double cost, cost_tried;
    int first;                /* its first unknown */
    double *R;                /* (size + 1)^2: triangle of its rows, unknowns then the right side */
    double *start_error;      /* nx */
    zw_fit_event_record *act; /* of the last motion */
    int nact, act_capacity;
    bool is_placed;  /* its nodes are away from events */
    zw_flow *ground; /* with contacts: the constraints of its start */
} zw_fit_experiment;

typedef struct zw_fit_saved {
    double *x, *value;
} zw_fit_saved;

/* How steps are made. All false: as the head of fit_solve.c describes. */
typedef struct zw_fit_manner {
    bool follows_bends;        /* fit_bend.c */
    bool scales_anew;          /* D is that of the present point */
    bool unbounded_first_step; /* the first step has no bound */
    bool logs;                 /* of all parameters that are positive */
    bool continues;            /* from the end of the last try, otherwise from the given values */
} zw_fit_manner;

struct zw_fit {
    zw_arena arena;
    int tied; /* number of callers (zw_fit_tie_in_one) */
    /* memory that grows while the other arena is in use: event records, flows of starts */
    zw_arena lasting;
    const zw_system *sys;
    zw_fit_options options;
    const char *principle;
    zw_run_options run_options;
    zw_sim *sim; /* for starts */
    zw_fit_stage **stage;
    int nstage, stage_capacity, at; /* at: present stage of the motion */
    zw_kernel *kernel;              /* with its equations */
    zw_run *run;
    zw_flow *second_flow;
    zw_fit_events events;
    zw_fit_contacts contacts;
    int nx, P, E, nq; /* nq: quantities */
    int npar;         /* of the kernels: free parameters, then those that events set */
    int nz;           /* space for the rates of all stages */
    zw_fit_quantity *quantity;
    zw_fit_param *param;
    zw_fit_experiment *experiment;
    bool *state_free;                 /* nx: of the start */
    const char **state, **state_unit; /* nx: names of its entries */
    bool needs_obs, needs_z, all_free;
    bool *column_seen, *use_seen; /* of the options: the data have such a column */
    bool *set;                    /* np: scratch */
    /* The leg of a motion and its observers. */
    zw_segmented_leg leg;
    zw_trail trail;
    zw_gauss quadrature;
    double *x, *Y, *z, *obs, *obs_x, *obs_p, *z_x, *z_p, *p, *p_second, *G, *g_p, *side, *tau;
    int *order;
    double *scale_x; /* nx: sizes of entries */
    zw_fit_experiment *now;
    int now_node, cursor, last_row;
    bool derivatives, tangled;
    long steps;
    /* The condensed problem. */
    int N;         /* unknowns */
    double *R, *c; /* N x N, N */
    double rest;   /* part of the sum that no step changes */
    double *step, *norm;
    double lambda, sigma_gap;
    double left;   /* |R z| of the previous undamped step */
    double radius; /* of steps of parameters, |D z| */
    int nopen;     /* number of directions that are not determined */
    double *open;  /* nopen x N: no step goes along them */
    bool is_bend;  /* the right side of rows is their second derivative (fit_bend.c) */
    zw_fit_manner manner;
    double spread; /* phi of fit_judge.c */
    double cost;
    int iterations;
    bool is_loose; /* every node is a separate start */
    bool converged, stopped, is_run;
    double progress, share;
    int tries, tries_same;
    double *other; /* E x P; another minimum as good as the best; NULL if there is none */
    double gap;
    /* The result. */
    double *cov; /* N x N, of the unknowns */
    /* nq x N x N: contribution of each quantity to its inverse (fit_freedom.c) */
    double *information;
    bool is_shared; /* it is available */
    double freedom; /* of the noise, the least of all parameters */
    bool *loose;    /* N: not determined */
    int nvalue;
    /* P' x P': directions that the data do not determine, in scaled parameters */
    double *combination;
    int nloose, npar_total;
    zw_warnings *files; /* of the data files */
    zw_warnings *doubts;
    double chi2, minus2, p_value; /* chi2 with priors, minus2 of the data alone */
    int priors;                   /* that count as measurements */
    double effective;             /* effective number of unknowns that the data determine */
    bool noise_known;
    const char *distrust; /* why neither parameters nor errors can be trusted; NULL if they can */
    int rank;             /* unknowns that are determined */
    long measured, outliers;
    int nprofile;
    zw_fit_profile *profile;
};

/* fit_data.c: the content of the files, in the units of the model. */
zw_status zw_fit_read_data(zw_fit *f, int n, const zw_fit_data *data, zw_error *err);

/* fit_plant.c: equations, kernel, run; the start of the model with parameters of an experiment. */
zw_status zw_fit_open_plant(zw_fit *f, zw_error *err);
void zw_fit_close_plant(zw_fit *f);
zw_status zw_fit_model_start(zw_fit *f, zw_fit_experiment *e, const double *value, double *x,
                             zw_error *err);
/* Parameters (np) of an experiment with these values of the free ones, and of those that events
 * have set (NULL: none); dependent ones follow. */
zw_status zw_fit_parameters_at(zw_fit *f, const zw_fit_experiment *e, const double *value,
                               const double *memory, double *p, zw_error *err);
/* The equations of these constraints (nconstraint). */
zw_status zw_fit_stage_of(zw_fit *f, const bool *on, int *stage, zw_error *err);
void zw_fit_enter(zw_fit *f, int stage);
/* Sets the parameters of the run to those of an experiment, with these values of the free ones,
 * before any event. */
zw_status zw_fit_set_parameters(zw_fit *f, zw_fit_experiment *e, const double *value,
                                zw_error *err);

/* fit_motion.c: the motion of an experiment from its nodes (states, or those of a trial), h and
 * gaps; with derivatives D, T, Q, Y. */
zw_status zw_fit_motion(zw_fit *f, zw_fit_experiment *e, bool tried, bool derivatives,
                        zw_error *err);
/* T and Q of node k at the state x. */
zw_status zw_fit_directions(zw_fit *f, zw_fit_experiment *e, int k, const double *x, zw_error *err);
/* The quantities (nq) at t and the state f->x. */
zw_status zw_fit_values_at(zw_fit *f, double t, double *h, zw_error *err);
/* First states of all nodes: the model's start and the motion from it, measured entries from the
 * data. */
zw_status zw_fit_guess(zw_fit *f, zw_fit_experiment *e, bool from_data, zw_error *err);
/* A first estimate of the noise of a quantity; NaN: there are too few values. */
double zw_fit_roughness(const zw_fit *f, int q);
/* The standard deviation of a value. */
double zw_fit_sigma(const zw_fit *f, const zw_fit_experiment *e, int row, int q);

/* fit_events.c: finds the events with actions; rejects what is not supported. Before the stages are
 * made. */
zw_status zw_fit_events_find(zw_fit *f, zw_error *err);
zw_status zw_fit_events_open(zw_fit *f, zw_error *err); /* after the first one */
/* The motion from a node at t0 to t1, with the actions of events: as the leg says, with or without
 * variations. node: for the record of events. */
zw_status zw_fit_pass(zw_fit *f, int node, double t0, const double *x, double t1, double *end,
                      zw_error *err);
zw_status zw_fit_record_event(zw_fit *f, int node, int event, double t, zw_error *err);
/* Adds to Y (nx x n of the trail) the derivatives of the memory, nx x (n - nmemory): in place. */
void zw_fit_fold(const zw_fit *f, double *Y);
/* Distance of a state from the events, relative to `size` (nevent; NULL: absolute, into out). */
zw_status zw_fit_events_near(zw_fit *f, double t, const double *x, double *out, zw_error *err);

/* fit_contacts.c: the simulation computes the motions of models with contacts. Time steps are an
 * error. */
zw_status zw_fit_contacts_open(zw_fit *f, zw_error *err);
void zw_fit_contacts_close(zw_fit *f);
/* The constraints of the start of an experiment, where the simulation is. */
zw_status zw_fit_contacts_ground(zw_fit *f, zw_fit_experiment *e, zw_error *err);
/* zw_fit_pass and zw_fit_motion with derivatives, for these models. */
zw_status zw_fit_contacts_pass(zw_fit *f, int node, double t0, const double *x, double t1,
                               double *end, zw_error *err);
zw_status zw_fit_contacts_slopes(zw_fit *f, zw_fit_experiment *e, bool tried, zw_error *err);
/* Fourth-order derivatives at the minimum; adds warnings about them. */
zw_status zw_fit_contacts_check(zw_fit *f, zw_error *err);
void zw_fit_contacts_judge(zw_fit *f);
/* The name of an event of zw_fit_event_record. */
const char *zw_fit_event_name(const zw_fit *f, int event);

/* fit_rows.c: condenses the rows of all experiments into one triangle R and its right side c; steps
 * of nodes from those of the unknowns. plain: without the weights of a loss, the data by
 * 1/sqrt(f->spread). */
zw_status zw_fit_condense(zw_fit *f, bool plain, zw_error *err);
void zw_fit_spread(zw_fit *f, const double *step);
/* The derivatives of a number that is measured after a node, in standard deviations: n0 + P of
 * unknowns, then its residual. After zw_fit_condense. */
void zw_fit_row(const zw_fit *f, const zw_fit_experiment *e, const zw_fit_node *node, int k, int q,
                double *row);
/* 1/2 sum rho + priors, of the values (of a trial or not); a loss and its weight at r. */
double zw_fit_cost(const zw_fit *f, bool tried);
double zw_fit_rho(const zw_fit *f, double r);
double zw_fit_weight(const zw_fit *f, double r);
/* The unknown of parameter j of an experiment. */
int zw_fit_unknown(const zw_fit *f, const zw_fit_experiment *e, int j);
/* A parameter without effect has a column of round-off: if a change by its size, or of its
 * logarithm by one, changes all measured numbers by less than this, in standard deviations, it does
 * not move and is not determined. */
#define ZW_FIT_IDLE 1e-6

/* Adds m rows of n to the triangle R (n x n), whose last column is the right side; the rows are
 * overwritten. The same with rows lambda diag(d). */
void zw_fit_absorb(int n, double *R, int m, double *rows);
void zw_fit_damp(int n, double *R, double lambda, const double *d);

/* fit_solve.c: descends to the minimum from the present values, in at most `most` steps. */
zw_status zw_fit_minimise(zw_fit *f, int most, zw_error *err);
bool zw_fit_asked_to_stop(zw_fit *f, double done);
/* A damped step z (N) within the bounds, for the right side f->c; returns |R z|. scratch: 2 (N +
 * 1)^2. */
/* R with its columns scaled to length one (norms) as U s V': s and V (row by row) are in the arena;
 * open: directions that no data determine. */
zw_status zw_fit_decompose(zw_fit *f, double **s, double **V, double **norms, bool **open,
                           zw_error *err);
/* Does this direction (N, in columns of length one) consist of starts alone? */
bool zw_fit_is_of_starts(const zw_fit *f, const double *v);
double zw_fit_find_step(zw_fit *f, double lambda, double *z, double *scratch);
/* Directions y (n) of a node and changes dp (P) of parameters by the step z. */
void zw_fit_follow_step(const zw_fit *f, const zw_fit_experiment *e, const zw_fit_node *node,
                        const double *z, double *y, double *dp);
/* fit_bend.c: the step z with its second order. *good: the second order is small; otherwise z is
 * unchanged. */
zw_status zw_fit_bend(zw_fit *f, double *z, double *scratch, bool *good, zw_error *err);
/* States and parameters of a trial: a part of the step z of the unknowns away, those of nodes as
 * zw_fit_spread computes them. */
zw_status zw_fit_go(zw_fit *f, const double *z, double part, zw_error *err);
/* fit.c: every motion in one part, and back; it counts nested calls. */
void zw_fit_tie_in_one(zw_fit *f);
void zw_fit_untie(zw_fit *f);
bool zw_fit_is_in_one(const zw_fit *f);
/* fit_curvature.c: stores the fitted values at the rows in h, E arrays, while neighbouring motions
 * are tried. */
zw_status zw_fit_store_motions(zw_fit *f, double **h, zw_error *err);
void zw_fit_restore_motions(zw_fit *f, double *const *h);

/* fit_curvature.c: is the problem linear within its errors? Gives a warning if not. After the
 * covariance. */
zw_status zw_fit_curvature(zw_fit *f, zw_error *err);

/* fit_judge.c: covariance, what is not determined, tests of the residuals. */
zw_status zw_fit_judge(zw_fit *f, zw_error *err);
/* Half width in standard errors of an interval of probability 0.95, and the rise of -2 log
 * likelihood at its ends. */
double zw_fit_interval(const zw_fit *f);
double zw_fit_level(const zw_fit *f, int parameter);
/* R of zw_fit_condense(plain) into cov, loose, rank. */
zw_status zw_fit_find_covariance(zw_fit *f, zw_error *err);
/* fit_freedom.c: which quantities determine the unknowns, computed after the covariance; */
void zw_fit_share_unknowns(zw_fit *f);
/* the values of one that are left to estimate its noise; */
double zw_fit_left(const zw_fit *f, int q);
/* are all of them used up? */
bool zw_fit_is_used_up(const zw_fit *f, int q);
/* degrees of freedom: fewer count as none; they are a trace, known up to round-off */
#define ZW_FIT_FREE 0.5
/* The degrees of freedom of the noise that makes a value uncertain, by its derivatives with respect
 * to the unknowns (NULL: of all noise). INFINITY: the noise is known. *n: number of values it is
 * estimated from. */
double zw_fit_freedom(const zw_fit *f, const double *derivatives, double *n);
/* False if no degree of freedom is left to estimate the noise. */
bool zw_fit_has_errors(const zw_fit *f);
/* The probability of residuals as correlated as these, by Ljung and Box (NaN: they are too few),
 * and the correlation from one to the next. scratch: a double for each row. */
double zw_fit_correlation(const zw_fit *f, const zw_fit_experiment *e, int q, double *scratch,
                          double *first);
/* fit_trust.c: is the motion that of the data? Gives a warning if not. is_suspect: worth another
 * try. */
void zw_fit_trust(zw_fit *f, double *scratch);
bool zw_fit_is_suspect(const zw_fit *f, double *scratch);
/* There is no minimum, or one that cannot be trusted, or a parameter without effect there. */
bool zw_fit_is_lost(const zw_fit *f, double *scratch);
/* fit_copies.c: a warning about experiments that were made from others. */
void zw_fit_report_copies(zw_fit *f);
/* fit_alias.c: warnings about other parameters that explain the data equally well. record: a try
 * with this -2 log likelihood, compared with the best one so far. */
zw_status zw_fit_alias(zw_fit *f, zw_error *err);
void zw_fit_alias_record(zw_fit *f, double now, double least);
/* fit.c: the standard deviation of the measured values of a quantity about their mean. */
double zw_fit_scatter(const zw_fit *f, int q);
/* fit_suspect.c: warnings about the data and what was stated about them. */
void zw_fit_suspect(zw_fit *f);
/* For zw_fit_info: the likelihood, with the squares of priors. */
double zw_fit_minus_2_log_likelihood(const zw_fit *f);
/* The squares of priors. */
double zw_fit_prior_squares(const zw_fit *f, bool tried);

#endif
