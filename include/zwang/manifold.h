/* SPDX-License-Identifier: MIT */
/* Implemented in src/slow. */
/* Slow and fast: systems in which some entries y of the state are fast, and the manifold on which
 * the slow motion takes place.
 *
 *     x' = f(x, y, eps),    eps y' = g(x, y, eps),    eps small, f and g regular at eps = 0.
 *
 * On the critical manifold g(x, y, 0) = 0, y = h_0(x). Where the eigenvalues of dg/dy there are off
 * the imaginary axis (normal hyperbolicity, Fenichel) a manifold y = h(x, eps) near it is
 * invariant; it attracts where they are all on the left of it. Invariance means
 *
 *     eps Dh f(x, h, eps) = g(x, h, eps),    h = h_0 + eps h_1 + eps^2 h_2 + ...,
 *     h_k = (dg/dy)^-1 ( [Dh f]_(k-1) - [g(x, h_0 + ... + eps^(k-1) h_(k-1), eps)]_k ),
 *
 * [.]_k being what stands before eps^k. Where g is linear in y, h_0 and with it all h_k are
 * formulas of x. Otherwise y_0 = h_0(x) stands as a symbol, Dh_0 = -(dg/dy)^-1 dg/dx, and the h_k
 * are formulas of x and y_0: the recursion is the same, with the total derivative. On the manifold
 *
 *     x' = f(x, h_0 + ... + eps^k h_k, eps),
 *
 * which zw_manifold_model writes as a model. (S. Sailer, thesis, Stuttgart 2023, section 5.1; N.
 * Fenichel, J. Differ. Equations 31 (1979) 53-98.) */
#ifndef ZWANG_MANIFOLD_H
#define ZWANG_MANIFOLD_H

#include "doubt.h"
#include "equations.h"
#include "model.h"
#include "report.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_manifold zw_manifold;

enum { ZW_MANIFOLD_ORDER_MOST = 8 };

typedef struct zw_manifold_options {
    size_t size;       /* of this struct, for the library */
    const char *small; /* the name of the parameter; NULL: as the model says */
    int nfast;         /* names of the fast variables; 0: those of the model */
    const char *const *fast;
    int order; /* of the expansion, 1 */
} zw_manifold_options;
ZW_API void zw_manifold_options_init(zw_manifold_options *options, size_t size);
static inline zw_manifold_options zw_manifold_options_default(void) {
    zw_manifold_options o;
    zw_manifold_options_init(&o, sizeof o);
    return o;
}

/* An entry of the state: a coordinate, a state or an independent velocity. */
typedef struct zw_manifold_entry {
    const char *name, *unit;
    zw_expr sym;
    zw_expr rate; /* of slow ones f, of fast ones g / eps */
} zw_manifold_entry;

typedef struct zw_manifold_result {
    zw_expr small;
    double eps; /* its value */
    int nx, ny;
    const zw_manifold_entry *x, *y; /* nx slow ones, ny fast ones */
    int norder;
    bool closed;        /* h_0 is a formula of x */
    const zw_expr *y_0; /* ny: where it is not, the symbols that stand for it */
    const zw_expr *g;   /* ny: g(x, y, eps) */
    const zw_expr *h;   /* (norder + 1) x ny: h_k of y_j is h[k ny + j]; h_0 is y_0 if not closed */
    const zw_expr *g_y; /* ny x ny: dg/dy on the critical manifold */
    bool linear;        /* f and g are linear in x and y: h_k are, too */
} zw_manifold_result;

/* Bring the equations to the form above, and expand. ZW_E_MODEL: they have no such form, or nothing
 * is said of what is fast; ZW_E_DOMAIN: g or f is not regular at eps = 0. The message says what to
 * do. The system and its context must outlive it; it is read best with
 * zw_model_options.constants. */
ZW_API zw_status zw_manifold_create(zw_manifold **out, const zw_system *sys,
                                    const zw_manifold_options *options, zw_error *err);
ZW_API void zw_manifold_destroy(zw_manifold *m);
ZW_API const zw_manifold_result *zw_manifold_get(const zw_manifold *m);

typedef enum zw_manifold_format { ZW_MANIFOLD_TEXT, ZW_MANIFOLD_LATEX } zw_manifold_format;
/* The form, the manifold and the reduced flow in a new string of the context (zw_string_free); NULL
 * if out of memory. */
ZW_API char *zw_manifold_write(const zw_manifold *m, zw_manifold_format format);

/* The flow on the manifold, up to eps^order, as the text of a model with the parameters, the start,
 * the steady motions, the observables and the events of the first one. What was fast is observed.
 * Where h_0 is no formula, y_0 are states, with g = 0 kept. source tells the file in its head;
 * NULL: none. A new string of the context (zw_string_free); NULL: err says why. */
ZW_API char *zw_manifold_model(const zw_manifold *m, int order, const char *source, zw_error *err);

/* ---- a conserved quantity in the place of a slow variable ---- */

/* E = Q(x, h_0(x), 0), conserved by the slow flow without eps, as a parameter instead of a slow
 * variable. */
typedef struct zw_manifold_held {
    const char *name, *unit; /* of the parameter E; unit "": none */
    const char *formula;     /* of Q, as it was given */
    zw_expr symbol;          /* E */
    zw_expr quantity;        /* of the slow variables */
    int instead;             /* which slow variable */
    zw_expr value;           /* of it, by the others and E */
    zw_expr half; /* of two values, half of what this one is beyond the other; 0: there is one */
    double half_start;   /* at the start, SI */
    double start;        /* E at the start, SI */
    const zw_expr *rate; /* norder + 1: E' = sum eps^k rate[k] along the slow flow, rate[0] is 0 */
    bool proved;         /* rate[0] is 0 as an expression; else at points only */
} zw_manifold_held;
/* From now on texts and the model have E as a parameter. formula is an expression of the language,
 * or "energy"; instead the name of a slow variable that it is linear or quadratic in: of two values
 * that of the start. ZW_E_DOMAIN: it is not conserved, its rate is reported. */
ZW_API zw_status zw_manifold_hold(zw_manifold *m, const char *name, const char *formula,
                                  const char *instead, zw_error *err);
/* NULL: nothing is held. */
ZW_API const zw_manifold_held *zw_manifold_get_held(const zw_manifold *m);

/* ---- numbers, over a box of the slow variables ---- */

/* Ranges by names. A slow variable that nothing depends on needs none; a fast one may have one, in
 * which folds are looked for. */
typedef struct zw_manifold_range {
    const char *name;
    double low, high; /* SI */
} zw_manifold_range;

typedef struct zw_manifold_box {
    size_t size; /* of this struct, for the library */
    int n;
    const zw_manifold_range *range;
    int points; /* in each direction; 0: chosen */
} zw_manifold_box;

/* A point of the critical manifold with the eigenvalue of dg/dy / eps there that is nearest to the
 * imaginary axis, or farthest to the right. */
typedef struct zw_manifold_place {
    const double *x, *y; /* nx, ny */
    double rate;         /* its real part, 1/s */
} zw_manifold_place;

typedef struct zw_manifold_fold {
    const double *x, *y; /* nx, ny: dg/dy is singular there */
    double curvature;    /* of g along the kernel, projected to it; 0: it is no plain fold */
    double drift;        /* how the slow flow goes through it, sum of dg/dx f, projected likewise */
    bool canard;         /* drift is 0: the slow flow may pass */
    /* dg/dx is 0: branches cross there, it is not a fold; curvature and drift have no meaning */
    bool crossing;
    bool flat; /* curvature is 0: the branch continues, it is not a fold */
    bool jump; /* the slow flow arrives there, and the motion leaves the manifold */
} zw_manifold_fold;

/* Is the manifold normally hyperbolic over a box, does it attract? */
typedef struct zw_manifold_nature {
    int npoint;  /* points of the grid */
    int missing; /* of them, without a point of the critical manifold on this branch */
    int attracting, repelling, saddle; /* what the others are */
    int neutral; /* or not hyperbolic: an eigenvalue is on the imaginary axis, within rounding */
    zw_manifold_place weakest;   /* where attraction is slowest: its largest real part */
    zw_manifold_place strongest; /* where it is fastest: of the largest real parts the smallest */
    /* where what is fast is not three times as fast as the slow flow: |Re| of an eigenvalue of
     * dg/dy / eps compared with all |eigenvalues| of the reduced flow. The expansion is inaccurate there */
    int mixed;
    double gap; /* the least ratio of the two; infinite where the slow flow has no rates */
    zw_manifold_place closest; /* there, with that |Re| */
    int nfold;
    const zw_manifold_fold *fold;
    bool more; /* there may be more folds: the search ended with this many */
} zw_manifold_nature;
/* The same at the start of the model alone: one point, no folds. */
ZW_API zw_status zw_manifold_judge_start(zw_manifold *m, zw_manifold_nature *out, zw_error *err);
ZW_API zw_status zw_manifold_judge(zw_manifold *m, const zw_manifold_box *box,
                                   zw_manifold_nature *out, zw_error *err);

/* The manifold without expansion: a polynomial that fulfils the invariance equation at the points
 * of Chebyshev and Lobatto of the box, by Newton's method from the critical manifold; and what the
 * orders of the expansion leave out, for eps, eps/2, eps/4, ... */
enum { ZW_MANIFOLD_LEVELS_MOST = 8 };
typedef struct zw_manifold_errors {
    int npoint; /* of the grid */
    int nlevel; /* values of eps */
    double eps[ZW_MANIFOLD_LEVELS_MOST];
    /* distance that is left between the points, by the residual there */
    double residual[ZW_MANIFOLD_LEVELS_MOST];
    double
        change[ZW_MANIFOLD_LEVELS_MOST]; /* with two points less in each direction, of the largest
                                               |h|; INFINITY: no solution */
    double manifold[ZW_MANIFOLD_LEVELS_MOST]
                   [ZW_MANIFOLD_ORDER_MOST + 1]; /* largest distance, of the largest |h| */
    double flow[ZW_MANIFOLD_LEVELS_MOST]
               [ZW_MANIFOLD_ORDER_MOST +
                1]; /* slow variables after the time, of their change; NaN: not asked */
    /* of the logarithms, by the last two values that are above rounding and residual; NaN: there
     * are none */
    double slope[ZW_MANIFOLD_ORDER_MOST + 1];
    double flow_slope[ZW_MANIFOLD_ORDER_MOST + 1];
} zw_manifold_errors;
/* time > 0: of the motion from the middle of the box, too. */
ZW_API zw_status zw_manifold_measure(zw_manifold *m, const zw_manifold_box *box, int nlevel,
                                     double time, zw_manifold_errors *out, zw_error *err);
/* May the manifold without expansion be trusted? Where the slow motion is about as fast as the
 * attraction the equation has many solutions: they change with the points. */
#define ZW_MANIFOLD_CHANGE 1e-2 /* more than this is a warning */
typedef struct zw_manifold_trust {
    bool solved;
    double change;   /* as in zw_manifold_errors; NaN if not solved */
    const double *x; /* nx: where it is largest */
} zw_manifold_trust;
/* The manifold on a grid as a table: slow variables, what is fast by collocation (y) and by the
 * orders of the expansion (order0(y), ...). Where the invariance equation has no solution over the
 * box, y is no number. source may be NULL. */
ZW_API zw_status zw_manifold_surface(zw_manifold *m, const zw_manifold_box *box,
                                     const zw_model_source *source, zw_manifold_trust *trust,
                                     zw_table **out, zw_error *err);

/* A portrait of the reduced flow, up to eps^order, of two slow variables: motions from the middles
 * of n x n cells of the box, over the time and as long as they stay in it, with rows of no numbers
 * between them. Columns: the two, t, the others, what is fast. */
ZW_API zw_status zw_manifold_portrait(zw_manifold *m, int order, const zw_manifold_box *box, int n,
                                      double time, const zw_model_source *source, zw_table **out,
                                      zw_error *err);

/* ---- a run near the manifold ---- */

typedef struct zw_manifold_approach {
    double start, end; /* distance from the manifold at the start and at the end */
    /* 1/s, at which the distance falls, by least squares; NaN: it does not fall far enough */
    double rate;
    double predicted; /* by the eigenvalue of dg/dy / eps, mean over the same time */
    double until;     /* s: the end of that time */
} zw_manifold_approach;
/* The motion of the model from its start, with its distance from the manifold up to eps^order: the
 * table has t, the state, distance(y) of what is fast and the rate of attraction. table may be
 * NULL, so may source. */
ZW_API zw_status zw_manifold_follow(zw_manifold *m, int order, double until, double step,
                                    const zw_model_source *source, zw_manifold_approach *out,
                                    zw_table **table, zw_error *err);

/* ---- canards ---- */

/* The value of a parameter at which the slow flow passes through a fold along the manifold, p = p_0
 * + eps p_1 + ...: of a plane system (one slow, one fast). Numbers are exact where the fold is at a
 * rational place. */
typedef struct zw_manifold_canard {
    const char *parameter;
    double x, y;                               /* the place, slow and fast */
    zw_expr value[ZW_MANIFOLD_ORDER_MOST + 1]; /* p_k: numbers */
    int order;
} zw_manifold_canard;
ZW_API zw_status zw_manifold_find_canard(zw_manifold *m, const char *parameter, int order,
                                         const zw_manifold_box *box, int most,
                                         zw_manifold_canard *out, int *n, zw_error *err);

/* ---- which of the state could be fast ---- */

typedef struct zw_split_proposal {
    int nstate;
    const char *const *name; /* nstate: entries of the state */
    const double *share;     /* nstate: of the fast directions, 0 to 1 */
    int nfast;               /* directions that are fast */
    /* rate of the slowest fast direction over that of the fastest slow one; the least along the
     * run */
    double gap;
    double fast_rate, slow_rate; /* 1/s, where that is so */
    double at;                   /* s */
    bool attracting;             /* all fast directions decay, all along the run */
    int nsmall;
    const char *const *small; /* parameters to which the fast rates are inversely proportional */
    int npoint;
} zw_split_proposal;
/* From the eigenvalues of the flow along a run from the start. The arrays live in the context. */
ZW_API zw_status zw_manifold_propose(const zw_system *sys, double until, zw_split_proposal *out,
                                     zw_error *err);
ZW_API void zw_split_report(const zw_split_proposal *p, double until, zw_report *out);

/* ---- everything at once ---- */

/* What is found besides the formulas. */
typedef struct zw_manifold_task {
    int order;                     /* of the flow, for runs and portraits */
    const zw_manifold_box *box;    /* NULL, or without ranges: at the start only */
    const char *canard;            /* a parameter: its values at canards in the box; NULL: none */
    int nlevel;                    /* values of eps at which errors are measured; 0: they are not */
    double time;                   /* [s] of portraits and of errors of the flow; 0: none */
    int portrait;                  /* N of N x N cells; 0: no portrait */
    double until;                  /* [s] of a run; 0: none */
    double step;                   /* [s] between the rows of its table; 0: a thousandth */
    const zw_model_source *source; /* NULL: unknown */
} zw_manifold_task;

enum { ZW_MANIFOLD_CANARDS_MOST = 8 };
typedef struct zw_manifold_summary {
    bool has_start, has_nature, has_errors, has_flow, has_surface, has_run;
    zw_manifold_nature start; /* at the start of the model, without a box */
    zw_manifold_nature nature;
    zw_manifold_errors errors;
    zw_manifold_trust trust; /* of the surface */
    zw_manifold_approach approach;
    double time, until; /* [s] as requested */
    int nmotion;        /* of the portrait */
    int ncanard;
    zw_manifold_canard canard[ZW_MANIFOLD_CANARDS_MOST];
} zw_manifold_summary;

/* After a failure *out holds what was found before it. rows (may be NULL): the table of the run, or
 * else of the portrait or the manifold over the box. */
ZW_API zw_status zw_manifold_summarise(zw_manifold *m, const zw_manifold_task *task,
                                       zw_manifold_summary *out, zw_table **rows, zw_error *err);
/* Without numbers the report has the formulas. */
ZW_API void zw_manifold_report(const zw_manifold *m, const zw_manifold_summary *s, zw_report *out);
ZW_API void zw_manifold_warnings(const zw_manifold *m, const zw_manifold_summary *s,
                                 zw_warnings *out);

/* ------------------------------------------------------------------------------------------ */

/* Slip manifolds: models in which forces of order 1/eps drive the slips of named constraints to
 * zero, by numbers at points of any model.
 *
 *     M(q) v' = h(t, q, v, eps) + C lambda,   W v' = b,       gamma = A(t, q) v + w(t, q),
 *
 * with nf rows gamma, constraints of the model that are off: the wheel slips, and its friction -c
 * gamma/eps, across A', makes the slip decay at once. Forces along A' do not change the momenta
 * of the velocities that keep gamma, so they are slow. On a fibre, the states with one q and one
 * such momentum,
 *
 *     v = u + N gamma,    A u + w = 0,    N = M^ A' G^-1,    G = A M^ A',    M^ the inverse of M where the held constraints hold,
 *
 * u being the point of the fibre that fulfils the constraints: the slow point (q, u). No
 * coordinates for it are needed. With gamma = eps s the rates of q, u are of order 1 and eps s' = K
 * s + ... with K = eps A dv'/dv N at eps = 0. Where all eigenvalues of K are on the left of the
 * imaginary axis there is a manifold that attracts,
 *
 *     gamma = eps g_1(q, u) + eps^2 g_2(q, u) + ...,
 *
 * and order 0, gamma = 0, is the model with these constraints; g_1 is its forces lambda over the
 * friction's coefficient. The g_k at a point follow from the motion on the manifold as a series in
 * time and eps, v(t, eps), which has to fulfil the equations term by term while (q, u) is the given
 * point at t = 0 for all eps (the outer expansion). Without expansion, at one value of eps, the
 * manifold is where the derivative of gamma in time of a high order m vanishes, with an error of
 * order eps^(m+1) (C. W. Gear, T. J. Kaper, I. G. Kevrekidis, A. Zagaris, SIAM J. Appl. Dyn. Syst.
 * 4 (2005) 711-732); and where a run of the whole model is after its first moments. (N. Fenichel,
 * J. Differ. Equations 31 (1979) 53-98; M. Wechselberger, Geometric Singular Perturbation Theory
 * Beyond the Standard Form, 2020.) */

typedef struct zw_slip_manifold zw_slip_manifold;

enum { ZW_SLIP_MANIFOLD_FAST_MOST = 12 }; /* rows of the constraints */

typedef struct zw_slip_manifold_options {
    size_t size; /* of this struct, for the library */
    /* the name of the parameter; NULL: as the model says, or the only one that can be it */
    const char *small;
    int nnear; /* names of constraints that are off */
    const char *const *near;
    int order; /* of the expansion, 1 */
} zw_slip_manifold_options;
ZW_API void zw_slip_manifold_options_init(zw_slip_manifold_options *options, size_t size);
static inline zw_slip_manifold_options zw_slip_manifold_options_default(void) {
    zw_slip_manifold_options o;
    zw_slip_manifold_options_init(&o, sizeof o);
    return o;
}

typedef struct zw_slip_manifold_result {
    const char *small;
    const char *small_unit;
    double eps;  /* its value */
    bool chosen; /* it was found, not named */
    int order;
    int nx, nf;              /* of the state x = (q, v), of the slips */
    const char *const *name; /* nf: of the constraints, "roll", of several rows "roll.1" */
    const char *const *unit; /* nf: of gamma */
    int nforce;
    const char *const *force; /* nforce: forces that contain eps */
    const double *start;      /* nx: the start of the model, completed */
} zw_slip_manifold_result;

/* The constraints `near` must be off, of velocities and linear in them. ZW_E_MODEL, ZW_E_DOMAIN:
 * the model has no such form at its start; the message says what to do. The system and its context
 * must outlive it; it is read best with zw_model_options.constants. */
ZW_API zw_status zw_slip_manifold_create(zw_slip_manifold **out, const zw_system *sys,
                                         const zw_slip_manifold_options *options, zw_error *err);
ZW_API void zw_slip_manifold_destroy(zw_slip_manifold *n);
ZW_API const zw_slip_manifold_result *zw_slip_manifold_get(const zw_slip_manifold *n);

/* ---- at a point: a state x (nx) at which the constraints of the model hold stands for the slow
 * point of its fibre ---- */

/* gamma (nf) of x, and x moved along its fibre: to this gamma (NULL: to 0, the slow point). */
ZW_API zw_status zw_slip_manifold_slips(zw_slip_manifold *n, double t, const double *x,
                                        double *gamma, zw_error *err);
ZW_API zw_status zw_slip_manifold_move(zw_slip_manifold *n, double t, double *x,
                                       const double *gamma, zw_error *err);
/* The root of gamma' G^-1 gamma: of twice the kinetic energy of N gamma, in which slips are
 * measured. speed (may be NULL): the same of v. */
ZW_API zw_status zw_slip_manifold_size(zw_slip_manifold *n, double t, const double *x,
                                       const double *gamma, double *size, double *speed,
                                       zw_error *err);
/* g (order + 1) x nf: g_k of row i is g[k nf + i], g_0 = 0. rate_re, rate_im (nf, may be NULL): the
 * eigenvalues of K / eps, 1/s, the least fast first. force (nf, may be NULL): the multipliers of
 * the model with the constraints. */
ZW_API zw_status zw_slip_manifold_expand(zw_slip_manifold *n, double t, const double *x, double *g,
                                         double *rate_re, double *rate_im, double *force,
                                         zw_error *err);
/* gamma (nf) at this eps without expansion, and how far two orders m of the derivative that
 * vanishes agree, in the measure of zw_slip_manifold_size. */
ZW_API zw_status zw_slip_manifold_exact(zw_slip_manifold *n, double eps, double t, const double *x,
                                        double *gamma, double *uncertain, zw_error *err);
/* The reduced flow of this order and eps from (t, x) to `until`: x is the slow point, at both ends.
 * By extrapolation of the midpoint rule, to about 1e-11. */
ZW_API zw_status zw_slip_manifold_flow(zw_slip_manifold *n, int order, double eps, double t,
                                       double until, double *x, zw_error *err);

/* How many times as fast as all other motion the slips decay, by the eigenvalues of the whole
 * model on the manifold at x; INFINITY: nothing else moves. */
ZW_API zw_status zw_slip_manifold_gap(zw_slip_manifold *n, double t, const double *x, double *gap,
                                      zw_error *err);

/* ---- along a run ---- */

typedef struct zw_slip_manifold_errors {
    int npoint; /* along the motion of the model with the constraints, from the start to `until` */
    int nlevel; /* values of eps */
    double eps[ZW_MANIFOLD_LEVELS_MOST];
    /* of the manifold without expansion; all are relative to the largest speed */
    double uncertain[ZW_MANIFOLD_LEVELS_MOST];
    /* how far a run of the whole model is from it, after its first moments; NaN: not yet */
    double run[ZW_MANIFOLD_LEVELS_MOST];
    double manifold[ZW_MANIFOLD_LEVELS_MOST]
                   [ZW_MANIFOLD_ORDER_MOST + 1]; /* what the orders leave out, the largest */
    double flow[ZW_MANIFOLD_LEVELS_MOST]
               [ZW_MANIFOLD_ORDER_MOST + 1];  /* slow velocities after the time; NaN: not asked */
    double slope[ZW_MANIFOLD_ORDER_MOST + 1]; /* powers of eps, as of zw_manifold_errors */
    double flow_slope[ZW_MANIFOLD_ORDER_MOST + 1];
} zw_slip_manifold_errors;
/* time > 0: of the reduced flows, too. */
ZW_API zw_status zw_slip_manifold_measure(zw_slip_manifold *n, double until, int nlevel,
                                          double time, zw_slip_manifold_errors *out, zw_error *err);

typedef struct zw_slip_manifold_along {
    zw_manifold_approach approach; /* distances in the measure of zw_slip_manifold_size */
    double fastest;                /* 1/s: as approach.predicted, of the slip that decays fastest */
    double least,
        most;   /* 1/s: of the least fast attraction along the run, the smallest and the largest, */
    double at;  /* s: where it is smallest */
    double gap; /* the least ratio of that to the fastest other eigenvalue of the whole model, */
    double gap_at;
    double slip; /* the largest size of the slips on the manifold, of the largest of v */
    /* the largest distance after the first moments, of the largest of v, too; NaN: the run is too
     * short */
    double apart;
    /* of a term eps^k g_k to the one before, by the largest along the run, k up to the order + 2,
     * the mean from the first on; the largest of k. NaN: there are no slips */
    double ratio;
} zw_slip_manifold_along;
/* A run of the whole model from its start, events only passed: the table has t, the state, the
 * slips, slow(slip) on the manifold up to the order, distance(slip), the rate of attraction. table
 * may be NULL, so may source; step 0: a two hundredth. */
ZW_API zw_status zw_slip_manifold_follow(zw_slip_manifold *n, double until, double step,
                                         const zw_model_source *source, zw_slip_manifold_along *out,
                                         zw_table **table, zw_error *err);

/* ---- everything at once ---- */

/* What is found besides the expansion at the start. */
typedef struct zw_slip_manifold_task {
    double until; /* [s] of a run; 0: none */
    double step;  /* [s] between the rows of its table; 0: a two hundredth */
    int nlevel;   /* values of eps at which errors are measured; 0: they are not */
    double time;  /* [s] after which errors of the reduced flows are measured; 0: they are not */
    const zw_model_source *source; /* NULL: unknown */
} zw_slip_manifold_task;

/* Where the slow point is at a time of the motion of order 0; see zw_slip_manifold_expand. */
typedef struct zw_slip_manifold_place {
    double t; /* [s] */
    double g[(ZW_MANIFOLD_ORDER_MOST + 1) * ZW_SLIP_MANIFOLD_FAST_MOST];
    double rate_re[ZW_SLIP_MANIFOLD_FAST_MOST], rate_im[ZW_SLIP_MANIFOLD_FAST_MOST];
    double force[ZW_SLIP_MANIFOLD_FAST_MOST];
} zw_slip_manifold_place;

typedef struct zw_slip_manifold_summary {
    double until, time; /* as requested */
    const double *slow; /* nx: slow point of the start; NULL: the start has no slip velocities */
    int nplace;
    zw_slip_manifold_place place[2]; /* at the start, and at the end of the run */
    double gap, gap_at; /* as in zw_slip_manifold_along, without a run at the start; NaN: unknown */
    bool has_run, has_errors;
    zw_slip_manifold_along along;
    zw_slip_manifold_errors errors;
} zw_slip_manifold_summary;

/* After a failure *out holds what was found before it. rows (may be NULL): the table of the run. */
ZW_API zw_status zw_slip_manifold_summarise(zw_slip_manifold *n, const zw_slip_manifold_task *task,
                                            zw_slip_manifold_summary *out, zw_table **rows,
                                            zw_error *err);
ZW_API void zw_slip_manifold_report(const zw_slip_manifold *n, const zw_slip_manifold_task *task,
                                    const zw_slip_manifold_summary *s, zw_report *out);
ZW_API void zw_slip_manifold_warnings(const zw_slip_manifold *n, const zw_slip_manifold_summary *s,
                                      zw_warnings *out);

/* ------------------------------------------------------------------------------------------ */

/* Mean drift of what is conserved but for a small parameter. Let x' = f_0(x) + eps f_1(x) + ...,
 * and let observables I_1 .. I_m stay for eps = 0, where the motion on their levels is periodic, of
 * the period T(I). With tau = eps t, to first order,
 *
 *     dI_j/dtau = 1/T  integral over a period of  dI_j/dx . f_1,
 *
 * the average over the motion without eps (N. M. Krylov, N. N. Bogoliubov). It holds over times of
 * 1/eps, with errors of order eps, as long as no separatrix is crossed. */

enum { ZW_AVERAGE_MOST = 4 };

typedef struct zw_average_options {
    size_t size;       /* of this struct, for the library */
    const char *small; /* the parameter eps */
    int n;             /* observables that stay without it, at most ZW_AVERAGE_MOST */
    const char *const *name;
    double until; /* of tau */
    int steps;    /* of tau: 200 */
    const zw_active *active;
    bool (*stop)(void *user, double done); /* asked on the way; true ends it. May be NULL */
    void *stop_user;
} zw_average_options;
ZW_API void zw_average_options_init(zw_average_options *options, size_t size);
static inline zw_average_options zw_average_options_default(void) {
    zw_average_options o;
    zw_average_options_init(&o, sizeof o);
    return o;
}

typedef struct zw_average_info {
    double tau; /* slow time reached */
    /* the motion on the levels is no longer periodic there, has shrunk to rest, or crosses a
     * separatrix */
    bool ended;
    char why[200]; /* then: what happened */
    double from[ZW_AVERAGE_MOST], to[ZW_AVERAGE_MOST];
    double period[2]; /* at both ends */
    /* why the observables do not determine the orbit, so that the means hold for the motion from
     * the start only; "": no sign of that in states near the start */
    char doubt[240];
    /* of the last values, relative to what they have changed by: from half as many steps; NaN: not
     * known, where it ended */
    double error;
} zw_average_info;

/* From the start of the model: columns tau, the observables, their mean rates rate(NAME), the
 * period and the state on the level at which the average begins. ZW_E_DOMAIN: an observable does
 * not stay without eps; ZW_E_NUMERIC: the motion from the start does not come back. source may be
 * NULL. */
ZW_API zw_status zw_average(const zw_system *sys, const zw_average_options *options,
                            const zw_model_source *source, zw_table **out, zw_average_info *info,
                            zw_error *err);
ZW_API void zw_average_report(const zw_system *sys, const zw_average_options *options,
                              const zw_average_info *info, zw_report *out);
ZW_API void zw_average_warnings(const zw_average_options *options, const zw_average_info *info,
                                zw_warnings *out);

#ifdef __cplusplus
}
#endif
#endif
