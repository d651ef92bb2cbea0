/* SPDX-License-Identifier: MIT */
/* Implemented in src/data/fitting. */
/* Identification of parameters from measured motions. Measured are quantities h_i(t, x, p) of the
 * model (columns of a run: coordinates, velocities, multipliers, observables, energies) at times
 * t_j, of one or several experiments, with normal errors of standard deviation sigma_ij:
 *
 *     minimise   sum rho((y_ij - h_i(t_j, x(t_j), p)) / sigma_ij) + sum ((p_k - P_k)/S_k)^2     over parameters p and starts x_0,
 *
 * rho(r) = r^2, or a loss that grows more slowly where outliers are expected; P_k +- S_k what is
 * known of parameters before.
 *
 * Multiple shooting (H. G. Bock 1987): every experiment is cut at nodes, whose states are unknown
 * too, tied by the condition that the motion is continuous. So the measured states lead the motion
 * from the beginning, and parameters far away do not let it run away. Derivatives of the motion in
 * its start and in parameters are those of the linear equations along it
 * (motion/segments/periodic.h), exact, through kinks of the rates and through events that act as
 * well; states are unknown within the constraints, which move with the parameters. The states of
 * all nodes but the first are eliminated
 * (condensed); what remains is a small problem of least squares, which steps of Levenberg and
 * Marquardt solve.
 *
 * Where no standard deviations are given they are estimated, one for each quantity, by maximum
 * likelihood. The covariance is the inverse of Fisher's information at the minimum; what the data
 * do not determine is reported by name, and whether the residuals look like the noise that was
 * assumed. */
#ifndef ZWANG_FIT_H
#define ZWANG_FIT_H

#include "doubt.h"
#include "model.h"
#include "report.h"
#include "run.h"
#include "simulate.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_fit zw_fit;

typedef enum zw_fit_loss {
    ZW_FIT_SQUARES, /* r^2 */
    ZW_FIT_HUBER,   /* r^2 up to |r| = k, linear beyond: 2 k |r| - k^2 */
    ZW_FIT_SOFT_L1  /* 2 k^2 (sqrt(1 + (r/k)^2) - 1) */
} zw_fit_loss;

/* An experiment: a table, or the file to read it from. Column t and columns named as quantities of
 * the model, with units; sd(NAME): standard deviations; NaN and empty fields: not measured. Its
 * note "set" (NAME=VALUE; ...) gives parameters and starts of this experiment alone. */
typedef struct zw_fit_data {
    const char *name;      /* in messages; the path, if table is NULL */
    const zw_table *table; /* must live until zw_fit_create is over */
} zw_fit_data;

typedef struct zw_fit_options {
    size_t size; /* of this struct, for the library */
    int nfit, nown, nprior, ncolumn, nnoise, nlog, nuse;
    const char *const
        *fit; /* "mu", "mu=0.05:1", "k=1:100 [N/m]": free parameters, with bounds if wanted */
    const char *const *own;   /* names of those that every experiment has for itself */
    const char *const *prior; /* "mu=0.3+-0.05" */
    /* "FILE_NAME=EXPRESSION", "FILE_NAME=" (left out): what columns of the data are in the model */
    const char *const *column;
    const char *const *noise; /* "beta=0.5 [deg]": standard deviations of all values of a column */
    /* positive parameters, whose logarithms are the unknowns; so are those of parameters with
     * positive bounds */
    const char *const *logs;
    const char *const *use; /* columns of the data that count; none: all */
    /* "all" (NULL), "none", or names of entries of the start that are unknown, with commas; the
     * others are as the model says */
    const char *start_free;
    double start; /* time of the start, s; NaN: the first time of each experiment */
    zw_fit_loss loss;
    double loss_scale;         /* k, in standard deviations: 1.345 */
    int nodes;                 /* of each experiment; 0: chosen */
    int iterations;            /* most: 60 */
    double tolerance;          /* of the last step, in standard errors: 1e-3 */
    int multistart;            /* further tries from parameters drawn within their bounds: 0 */
    unsigned long seed;        /* of these: 1 */
    const char *principle;     /* NULL: "lagrange" */
    const zw_run_options *run; /* NULL: tolerances 1e-8 and 1e-10, the method chosen */
    bool (*stop)(void *user, double done); /* asked on the way; true: the best so far is kept */
    void *stop_user;
    zw_sim_scheme contacts; /* events, or chosen; time steps are rejected */
} zw_fit_options;
ZW_API void zw_fit_options_init(zw_fit_options *options, size_t size);
static inline zw_fit_options zw_fit_options_default(void) {
    zw_fit_options o;
    zw_fit_options_init(&o, sizeof o);
    return o;
}

/* A finished system and what was measured of it. source is needed where options->column has
 * expressions; system and context must outlive the fit. Errors with the place in the data: names
 * and units that do not fit, times that do not increase. Errors with the place in the model:
 * contacts that cannot be followed from event to event, events that switch to another variant,
 * signals. */
ZW_API zw_status zw_fit_create(zw_fit **out, const zw_system *sys, const zw_model_source *source,
                               int ndata, const zw_fit_data *data, const zw_fit_options *options,
                               zw_error *err);
ZW_API void zw_fit_destroy(zw_fit *fit);
/* ZW_STOPPED: ended on the way, the best so far is kept. ZW_E_NUMERIC: there is no motion near the
 * data to begin with, or no minimum was reached. */
ZW_API zw_status zw_fit_run(zw_fit *fit, zw_error *err);

/* An unknown that was found. */
typedef struct zw_fit_value {
    const char *name, *unit; /* SI unit */
    int experiment;          /* it belongs to; -1: to all */
    bool is_start;           /* an entry of the start, else a parameter */
    /* SI; standard error, INFINITY: the data do not determine it; NaN: it is fixed, or no degree of
     * freedom is left */
    double value, error;
    double low, high; /* bounds; -INFINITY, INFINITY: none */
    bool at_bound;
    double interval; /* half width of its 95 % interval, in standard errors; NaN: it has no error */
} zw_fit_value;
ZW_API int zw_fit_values(const zw_fit *fit); /* parameters first */
ZW_API int zw_fit_parameters(const zw_fit *fit);
ZW_API zw_fit_value zw_fit_value_at(const zw_fit *fit, int i);
ZW_API double zw_fit_covariance(const zw_fit *fit, int i,
                                int j); /* of values; NaN where one is not determined */

typedef struct zw_fit_info {
    bool converged;
    int iterations, nodes; /* nodes: of the first experiment */
    long measured;         /* numbers that count */
    int unknowns;          /* that the data determine, noise included */
    bool noise_known;      /* all standard deviations were given */
    /* of the residuals, in standard deviations, priors among them; NaN: noise was estimated */
    double chi2, p_value;
    double minus_2_log_likelihood, aic, aicc, bic; /* of the data alone */
    double gap; /* the largest jump left between nodes, in standard errors of what is measured */
    int undetermined; /* combinations of parameters that the data do not determine */
    long outliers;    /* numbers beyond 4 standard deviations */
    long steps;       /* of integration, over all */
    int priors;       /* that count as measurements */
    /* unknowns as far as the data determine them, noise included: those of the criteria */
    double effective;
    /* false: the residuals say that this is not the motion of the data, or no minimum was
     * reached */
    bool trusted;
    /* degrees of freedom of the estimated noise, the smallest over all parameters; INFINITY: the
     * noise was given */
    double noise_freedom;
    /* half width of the 95 % interval in standard errors, the largest over all parameters; joint:
     * for all parameters together, sqrt((p - P)' cov^-1 (p - P)) */
    double interval, joint;
} zw_fit_info;
ZW_API zw_fit_info zw_fit_statistics(const zw_fit *fit);

/* Where the fit stands, over one parameter: it is held at n values, all else is found again. value,
 * chi2: n, of -2 log likelihood beyond the minimum. low, high: the interval of probability 0.95 by
 * the ratio of likelihoods, NaN where it lies beyond what was looked at. */
typedef struct zw_fit_profile {
    const char *name, *unit;
    int n;
    double *value, *rise;
    double low, high;
} zw_fit_profile;
ZW_API zw_status zw_fit_profile_find(zw_fit *fit, const char *name, int n,
                                     const zw_fit_profile **out, zw_error *err);

/* Adds the warnings to a list. */
ZW_API void zw_fit_warnings(const zw_fit *fit, zw_warnings *list);
/* The result, into the open object. */
ZW_API void zw_fit_report(const zw_fit *fit, zw_report *out);
/* The fitted motions, between and at the times of the data, and for each measured quantity q:
 * data(q), sd(q), low(q), high(q) (the data and one standard deviation about them) and residual(q)
 * in standard deviations. To be destroyed. */
ZW_API zw_status zw_fit_table(zw_fit *fit, const zw_model_source *source, zw_table **out,
                              zw_error *err);

/* Which of several models of the same data? Information criteria and differences to the best, into
 * the open object; each with its label and its warnings (NULL: none). The fits must have passed
 * zw_fit_check_same_data: the same data, least squares. */
ZW_API zw_status zw_fit_check_same_data(int n, const zw_fit *const *fit, zw_error *err);
ZW_API void zw_fit_report_comparison(int n, const zw_fit *const *fit, const char *const *label,
                                     const zw_warnings *const *warnings, zw_report *out);

#ifdef __cplusplus
}
#endif
#endif
