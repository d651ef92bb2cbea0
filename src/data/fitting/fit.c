/* SPDX-License-Identifier: MIT */
/* The sequence of the computation: options by name, the model, the data, nodes; then the
 * minimum, with the noise estimated where it is unknown, from the model's parameters and from
 * random ones. */
#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/random.h"
#include "fit.h"

/* last step in standard errors: three digits of the errors are not changed by it */
#define DEFAULT_TOLERANCE 1e-3
#define CONSTANT_DATA 1e-14 /* of the largest value: a smaller spread is round-off of the mean */
/* of runs: derivatives of residuals need more digits than the residuals */
#define DEFAULT_RTOL 1e-8
#define DEFAULT_ATOL 1e-10 /* likewise, in SI units */
/* of the scale of a parameter: least size where its value is about zero */
#define SIZE_AT_ZERO 1e-3
/* standard deviation of normal noise over the median of its absolute value */
#define SD_PER_MEDIAN 1.4826
#define GUESSED_ERROR 0.3 /* of a value: first step of a profile if the error is unknown */
/* times the half width of the interval: range of a profile, so that both ends are crossed */
#define PROFILE_WIDTH 1.6

enum {
    NAME_LONGEST = 128, /* characters of a name in an option */
    PASSES = 25,        /* of estimates of the noise */
    STEPS_FACTOR = 4,   /* steps of all passes, in those of the first one */
    WIDE_PASSES = 8,    /* reductions of the scale of a loss */
    LOOSE_PASSES = 4,   /* of estimates of the noise with loose nodes */
    CROSSINGS = 6,      /* fits for one end of a profile */
    LOOSE_STEPS = 20,   /* of the iteration with loose nodes: it only has to come near */
    NODES_MOST = 10,    /* chosen number of nodes */
    ROWS_PER_NODE = 10  /* rows that determine the state of a node */
};
#define NOISE_FIRST 0.05 /* of the spread of a quantity: first estimate of its noise */
#define NOISE_MOST 0.3   /* the same, at most: a model that leaves more explains little */
/* of the spread: smaller noise is not resolved by the tolerances of the integration */
#define NOISE_LEAST 1e-6
/* relative: the standard deviation has converged; its own error is at least 1/sqrt(2 n), larger up
 * to n = 20000 */
#define NOISE_CHANGE 0.005
/* of the noise: larger residuals belong to another minimum. Chosen by trial. */
#define WIDE_RESIDUALS 1.5
/* standard errors: accurate enough as long as nodes are loose */
#define LOOSE_TOLERANCE 0.3
#define CROSSING_ERROR 1e-4 /* of the root of a rise: accuracy of the end of an interval */
/* standard errors, or of -2 log likelihood: a smaller difference is the same minimum */
#define SAME_MINIMUM 0.1

void zw_fit_options_init(zw_fit_options *options, size_t size) {
    const zw_fit_options all = {.size = size,
                                .start = NAN,
                                .loss_scale = 1.345,
                                .iterations = 60,
                                .tolerance = DEFAULT_TOLERANCE,
                                .seed = 1};
    zw_options_begin(options, size, &all, sizeof all);
}

/* ----------------------------------------------------------------------------------- parameters */

static zw_status find_parameter(const zw_system *s, const char *option, const char *name,
                                int *index, zw_error *err) {
    const char *names[256];
    int n = 0;
    for (*index = 0; *index < s->np; ++*index) {
        if (strcmp(s->param[*index].name, name) == 0)
            return ZW_OK;
        if (n < 256)
            names[n++] = s->param[*index].name;
    }
    const char *near = zw_nearest(name, n, names);
    zw_fail(err, ZW_E_NAME, "--%s: the model has no parameter '%s'", option, name);
    if (near)
        zw_error_hint(err, "did you mean %s?", near);
    return ZW_E_NAME;
}

/* Splits NAME from "NAME=REST"; the rest is NULL if there is none. */
static zw_status split_option(const char *option, const char *text, char name[NAME_LONGEST],
                              const char **rest, zw_error *err) {
    size_t n = strcspn(text, "="), m = n;
    while (m > 0 && isspace((unsigned char)text[m - 1]))
        m--;
    if (m == 0 || m >= NAME_LONGEST)
        return zw_fail(err, ZW_E_OPTION, "--%s %.100s: the name is missing", option, text);
    memcpy(name, text, m);
    name[m] = '\0';
    *rest = text[n] ? text + n + 1 : NULL;
    return ZW_OK;
}

/* Reads a part of a text with the unit in brackets after the whole text. */
static zw_status read_number(const zw_fit *f, const char *option, const char *part, size_t length,
                             const char *whole, const char *unit, double *out, zw_error *err) {
    char text[300], label[160];
    const char *bracket = strchr(whole, '[');
    snprintf(label, sizeof label, "--%s", option);
    snprintf(text, sizeof text, "%.*s%s%.100s", (int)length, part, bracket ? " " : "",
             bracket ? bracket : "");
    return zw_model_number(out, f->sys, f->p, label, text, unit, err);
}

/* "=LOW:HIGH [UNIT]". */
static zw_status read_bounds(zw_fit *f, zw_fit_param *p, const char *rest, zw_error *err) {
    size_t end = strcspn(rest, "["), colon = strcspn(rest, ":");
    if (colon >= end) {
        zw_fail(err, ZW_E_OPTION, "--fit %s=%.80s: bounds are LOW:HIGH", p->name, rest);
        zw_error_hint(err,
                      "--fit \"%s=0.1:10\" with a unit in brackets after it; --set gives the "
                      "initial value",
                      p->name);
        return ZW_E_OPTION;
    }
    bool low = strspn(rest, " \t") < colon;
    bool high = colon + 1 + strspn(rest + colon + 1, " \t") < end;
    if (low)
        ZW_TRY(read_number(f, "fit", rest, colon, rest, p->unit, &p->low, err));
    if (high)
        ZW_TRY(
            read_number(f, "fit", rest + colon + 1, end - colon - 1, rest, p->unit, &p->high, err));
    if (!(p->low < p->high))
        return zw_fail(err, ZW_E_OPTION, "--fit %s: the lower bound must be below the upper one",
                       p->name);
    p->is_log = p->low > 0;
    return ZW_OK;
}

static zw_fit_param *find_free(const zw_fit *f, const char *name) {
    for (int j = 0; j < f->P; j++)
        if (strcmp(f->param[j].name, name) == 0)
            return &f->param[j];
    return NULL;
}

static zw_status read_fit(zw_fit *f, zw_error *err) {
    char name[NAME_LONGEST];
    const char *rest;
    f->param = ZW_NEW(&f->arena, zw_fit_param, f->options.nfit + 1);
    if (!f->param)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < f->options.nfit; i++) {
        zw_fit_param *p = &f->param[f->P];
        ZW_TRY(split_option("fit", f->options.fit[i], name, &rest, err));
        ZW_TRY(find_parameter(f->sys, "fit", name, &p->index, err));
        if (find_free(f, name))
            return zw_fail(err, ZW_E_OPTION, "--fit: %s is given twice", name);
        p->name = f->sys->param[p->index].name;
        p->unit = f->sys->param[p->index].unit;
        p->low = -INFINITY;
        p->high = p->prior_sd = INFINITY;
        if (rest)
            ZW_TRY(read_bounds(f, p, rest, err));
        f->P++;
    }
    return ZW_OK;
}

/* "NAME=VALUE+-SD [UNIT]". */
static zw_status read_priors(zw_fit *f, zw_error *err) {
    char name[NAME_LONGEST];
    const char *rest;
    for (int i = 0; i < f->options.nprior; i++) {
        ZW_TRY(split_option("prior", f->options.prior[i], name, &rest, err));
        zw_fit_param *p = find_free(f, name);
        const char *sign = rest ? strstr(rest, "+-") : NULL;
        if (!p)
            return zw_fail(err, ZW_E_OPTION,
                           "--prior %s: it is not among the free parameters (--fit)", name);
        if (isfinite(p->prior_sd))
            return zw_fail(err, ZW_E_OPTION, "--prior: %s is given twice", name);
        if (!sign) {
            zw_fail(err, ZW_E_OPTION, "--prior %.100s: there is no standard deviation",
                    f->options.prior[i]);
            zw_error_hint(err, "--prior \"%s=0.3+-0.05\", with a unit in brackets after it", name);
            return ZW_E_OPTION;
        }
        size_t end = strcspn(sign, "[");
        ZW_TRY(read_number(f, "prior", rest, (size_t)(sign - rest), rest, p->unit, &p->prior, err));
        ZW_TRY(read_number(f, "prior", sign + 2, end - 2, rest, p->unit, &p->prior_sd, err));
        if (!(p->prior_sd > 0))
            return zw_fail(err, ZW_E_OPTION, "--prior %s: the standard deviation must be positive",
                           name);
    }
    return ZW_OK;
}

static zw_status read_flags(zw_fit *f, zw_error *err) {
    for (int i = 0; i < f->options.nown; i++) {
        zw_fit_param *p = find_free(f, f->options.own[i]);
        if (!p)
            return zw_fail(err, ZW_E_OPTION,
                           "--own %s: it is not among the free parameters (--fit)",
                           f->options.own[i]);
        p->own = true;
    }
    for (int i = 0; i < f->options.nlog; i++) {
        zw_fit_param *p = find_free(f, f->options.logs[i]);
        if (!p)
            return zw_fail(err, ZW_E_OPTION,
                           "--positive %s: it is not among the free parameters (--fit)",
                           f->options.logs[i]);
        p->is_log = true;
    }
    for (int j = 0; j < f->P; j++) {
        zw_fit_param *p = &f->param[j];
        double v = f->p[p->index];
        if (p->is_log && !(v > 0) && !(p->low > 0))
            return zw_fail(err, ZW_E_OPTION, "%s is to be positive, but starts at %.6g", p->name,
                           v);
        double width = p->high - p->low;
        p->scale = v != 0                              ? fabs(v)
                   : isfinite(p->prior_sd)             ? p->prior_sd
                   : isfinite(width)                   ? width
                   : isfinite(p->high) && p->high != 0 ? fabs(p->high)
                                                       : 1;
    }
    return ZW_OK;
}

/* ---- free parameters ---- */

static zw_status read_start(zw_fit *f, zw_error *err) {
    const char *text = f->options.start_free;
    f->state_free = ZW_NEW(&f->arena, bool, f->nx + 1);
    if (!f->state_free)
        return zw_out_of_memory(err, NULL);
    f->all_free = !text || strcmp(text, "all") == 0;
    for (int i = 0; i < f->nx; i++)
        f->state_free[i] = f->all_free;
    if (f->all_free || strcmp(text, "none") == 0)
        return ZW_OK;
    while (*text) {
        char name[NAME_LONGEST];
        size_t n = strcspn(text, ",");
        const char *from = text + strspn(text, " ");
        size_t length = n - (size_t)(from - text);
        while (length > 0 && from[length - 1] == ' ')
            length--;
        if (length >= sizeof name)
            return zw_fail(err, ZW_E_OPTION, "--start-free %.60s: not a name", from);
        memcpy(name, from, length);
        name[length] = '\0';
        int i = 0;
        while (i < f->nx && strcmp(f->state[i], name) != 0)
            i++;
        if (i == f->nx) {
            const char *near = zw_nearest(name, f->nx, f->state);
            zw_fail(err, ZW_E_NAME, "--start-free: the state has no entry '%s'", name);
            zw_error_hint(err,
                          near ? "did you mean %s?"
                               : "all, none, or names of coordinates and velocities%s",
                          near ? near : "");
            return ZW_E_NAME;
        }
        f->state_free[i] = true;
        text += n + (text[n] == ',');
    }
    return ZW_OK;
}

/* Standard deviations from --noise, or a first estimate. */
static zw_status read_noise(zw_fit *f, zw_error *err) {
    char name[NAME_LONGEST];
    const char *rest;
    for (int i = 0; i < f->options.nnoise; i++) {
        int q = 0;
        ZW_TRY(split_option("noise", f->options.noise[i], name, &rest, err));
        while (q < f->nq && strcmp(f->quantity[q].name, name) != 0)
            q++;
        if (q == f->nq)
            return zw_fail(err, ZW_E_NAME, "--noise: the data have no column '%s'", name);
        if (!rest)
            return zw_fail(err, ZW_E_OPTION, "--noise %s: there is no standard deviation", name);
        if (f->quantity[q].stated)
            return zw_fail(err, ZW_E_OPTION, "--noise: %s is given twice", name);
        ZW_TRY(zw_model_number(&f->quantity[q].sigma, f->sys, f->p, "--noise", rest,
                               f->quantity[q].unit, err));
        if (!(f->quantity[q].sigma > 0))
            return zw_fail(err, ZW_E_OPTION, "--noise %s: a standard deviation must be positive",
                           name);
        f->quantity[q].stated = true;
    }
    return ZW_OK;
}

/* Spread of the values of a quantity about their mean. */
double zw_fit_scatter(const zw_fit *f, int q) {
    double mean = 0, variance = 0, size = 0;
    long n = 0;
    for (int i = 0; i < f->E; i++)
        for (int k = 0; k < f->experiment[i].nrow; k++) {
            double y = f->experiment[i].y[k * f->nq + q];
            if (isnan(y))
                continue;
            double off =
                y - mean; /* B. P. Welford 1962: no squares of large values are subtracted */
            mean += off / (double)++n;
            variance += off * (y - mean);
            size = fmax(size, fabs(y));
        }
    variance /= n ? (double)n : 1;
    return sqrt(variance) > CONSTANT_DATA * size ? sqrt(variance) : size > 0 ? size : 1;
}

/* Every value has a standard deviation, its own or that of its quantity. */
static zw_status first_noise(zw_fit *f, zw_error *err) {
    for (int q = 0; q < f->nq; q++) {
        zw_fit_quantity *u = &f->quantity[q];
        long own = 0;
        for (int i = 0; i < f->E; i++)
            for (int k = 0; k < f->experiment[i].nrow; k++) {
                size_t at = (size_t)(k * f->nq + q);
                if (isnan(f->experiment[i].y[at]))
                    continue;
                u->count++;
                own += !isnan(f->experiment[i].sd[at]);
            }
        if (own > 0 && own < u->count && !u->stated) {
            zw_fail(err, ZW_E_OPTION,
                    "some values of %s have a standard deviation and some have none", u->name);
            zw_error_hint(err, "--noise \"%s=...\" gives it to the others", u->name);
            return ZW_E_OPTION;
        }
        if (u->stated && own == u->count && own > 0) {
            zw_fail(err, ZW_E_OPTION,
                    "--noise %s: all its values have their own standard deviations, sd(%s)",
                    u->name, u->name);
            zw_error_hint(err, "--column \"sd(%s)=\" leaves these out", u->name);
            return ZW_E_OPTION;
        }
        u->stated = u->stated || own > 0;
        if (!u->stated) {
            double spread = zw_fit_scatter(f, q), change_with_step = zw_fit_roughness(f, q);
            u->sigma = isnan(change_with_step) ? NOISE_FIRST * spread
                                               : fmin(change_with_step, NOISE_MOST * spread);
            u->sigma = fmax(u->sigma, NOISE_LEAST * spread);
        }
        f->needs_z |= u->kind == ZW_DRIVE_RATE;
        f->needs_obs |= u->kind == ZW_DRIVE_OBSERVABLE || u->kind == ZW_DRIVE_ENERGY;
        f->measured += u->count;
    }
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- nodes */

static bool is_led(const zw_fit *f) {
    for (int q = 0; q < f->nq; q++)
        if (f->quantity[q].kind == ZW_DRIVE_STATE)
            return true;
    return false;
}

static zw_status make_nodes(zw_fit *f, zw_fit_experiment *e, zw_error *err) {
    zw_arena *m = &f->arena;
    int nx = f->nx, P = f->P, K = f->options.nodes;
    double t0 = isnan(f->options.start) ? e->t[0] : f->options.start;
    if (t0 > e->t[0])
        return zw_fail(err, ZW_E_OPTION,
                       "%s: the first time is %.10g s, before the start at %.10g s", e->name,
                       e->t[0], t0);
    bool has_memory = f->events.has_memory || f->contacts.used;
    if (K > 1 && has_memory) {
        zw_fail(err, ZW_E_OPTION, "--nodes %d: %s, and the effect of that is not known at nodes", K,
                f->contacts.used ? "contacts close, stick and open"
                                 : "events set parameters or switch constraints");
        zw_error_hint(err, "use --nodes 1");
        return ZW_E_OPTION;
    }
    if (K == 0)
        K = is_led(f) && !has_memory ? 1 + e->nrow / ROWS_PER_NODE : 1;
    if (K > NODES_MOST && f->options.nodes == 0)
        K = NODES_MOST;
    if (K > e->nrow - 1)
        K = e->nrow - 1;
    if (K < 1) /* data have at least two rows */
        K = 1;
    e->K = K;
    e->node = ZW_NEW(m, zw_fit_node, K + 1);
    e->value = ZW_NEW(m, double, P + 1);
    e->tried = ZW_NEW(m, double, P + 1);
    e->h = ZW_NEW(m, double, e->nrow * f->nq + 1);
    e->D = ZW_NEW(m, double, (size_t)e->nrow *(size_t)(f->nq * (nx + P)) + 1);
    e->R = ZW_NEW(m, double, (nx + P + 1) * (nx + P + 1));
    e->start_error = ZW_NEW(m, double, nx + 1);
    if (m->failed)
        return zw_out_of_memory(err, NULL);
    for (int k = 0; k <= K; k++) {
        zw_fit_node *node = &e->node[k];
        node->row = (int)((long)k * (e->nrow - (k == K)) / K);
        node->t = k == 0 ? t0 : e->t[node->row];
        node->x = ZW_NEW(m, double, nx + 1);
        node->try = ZW_NEW(m, double, nx + 1);
        node->T = ZW_NEW(m, double, nx *nx + 1);
        node->Q = ZW_NEW(m, double, nx *P + 1);
        node->Y = ZW_NEW(m, double, nx *(nx + P) + 1);
        node->end = ZW_NEW(m, double, nx + 1);
        node->gap = ZW_NEW(m, double, nx + 1);
        node->W = ZW_NEW(m, double, nx *(nx + P) + 1);
        node->w = ZW_NEW(m, double, nx + 1);
        node->step = ZW_NEW(m, double, nx + 1);
    }
    for (int j = 0; j < P; j++) {
        const zw_fit_param *p = &f->param[j];
        double v = e->p[p->index];
        if (!(v >= p->low && v <= p->high)) /* outside: from within the bounds */
            v = p->is_log ? sqrt(p->low * p->high) : (p->low + p->high) / 2;
        if (!isfinite(v))
            v = isfinite(p->low) ? p->low + p->scale : p->high - p->scale;
        e->value[j] = v;
    }
    return zw_arena_status(m, err);
}

/* ----------------------------------------------------------------- columns that are expressions */

static bool is_name(const zw_system *s, const char *text) {
    for (int i = 0; i < s->nq; i++)
        if (strcmp(s->coord[i].name, text) == 0)
            return true;
    for (int i = 0; i < s->nv; i++)
        if (strcmp(s->velocity[i].name, text) == 0)
            return true;
    for (int i = 0; i < s->nobservable; i++)
        if (strcmp(s->observable[i].name, text) == 0)
            return true;
    for (int i = 0; i < s->nconstraint; i++) {
        char name[NAME_LONGEST + 16];
        snprintf(name, sizeof name, "lambda(%.*s)", NAME_LONGEST, s->constraint[i].name);
        if (strcmp(name, text) == 0)
            return true;
    }
    return strcmp(text, "kinetic") == 0 || strcmp(text, "potential") == 0 ||
           strcmp(text, "energy") == 0;
}

/* An expression becomes an observable of the model: its text is read once more, with a line for
 * each of them appended. */
static zw_status observe_columns(zw_fit *f, const zw_model_source *source, zw_error *err) {
    zw_text text;
    int n = 0;
    const char **column = ZW_NEW(&f->arena, const char *, f->options.ncolumn + 1);
    zw_system *sys = NULL;
    zw_status status = column ? ZW_OK : zw_out_of_memory(err, NULL);
    zw_text_init(&text, &f->arena.alloc);
    for (int i = 0; i < f->options.ncolumn && status >= 0; i++) {
        const char *option = f->options.column[i], *sign = strchr(option, '=');
        column[i] = option;
        if (!sign || sign == option)
            status = zw_fail(err, ZW_E_OPTION, "--column %.100s: expected NAME=EXPRESSION", option);
        else if (sign[1] && !is_name(f->sys, sign + 1)) {
            zw_text_printf(&text, "\nobserve fit_column_%d = %s", ++n, sign + 1);
            column[i] =
                zw_arena_printf(&f->arena, "%.*s=fit_column_%d", (int)(sign - option), option, n);
        }
    }
    if (status >= 0 && n > 0 && (!source || !source->text))
        status = zw_fail(err, ZW_E_OPTION, "--column: an expression needs the text of the model");
    if (status >= 0 && n > 0) {
        zw_text whole;
        zw_text_init(&whole, &f->arena.alloc);
        zw_text_put_n(&whole, source->text, source->length);
        zw_text_put(&whole, zw_text_get(&text));
        zw_text_put(&whole, "\n");
        status = text.failed || whole.failed || f->arena.failed
                     ? zw_out_of_memory(err, NULL)
                     : zw_model_parse(&sys, f->sys->ctx, zw_text_get(&whole), whole.length,
                                      source->file ? source->file : "model", source->options, err);
        zw_text_clear(&whole);
        if (status >= 0)
            f->sys = sys;
    }
    f->options.column = column;
    zw_text_clear(&text);
    return status;
}

/* ------------------------------------------------------------------------------------ lifecycle */

static zw_status check_options(const zw_fit_options *o, int ndata, zw_error *err) {
    if (ndata < 1)
        return zw_fail(err, ZW_E_OPTION, "a fit needs data");
    if (!(o->loss_scale > 0) || !(o->tolerance > 0) || o->iterations < 1 || o->nodes < 0 ||
        o->multistart < 0)
        return zw_fail(err, ZW_E_OPTION, "scale, tolerance and steps of a fit must be positive");
    return ZW_OK;
}

static zw_status fill_fit(zw_fit *f, const zw_model_source *source, int ndata,
                          const zw_fit_data *data, zw_error *err) {
    int N = 0;
    ZW_TRY(observe_columns(f, source, err));
    f->p = ZW_NEW(&f->arena, double, f->sys->np + 1);
    if (!f->p)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_param_values(f->sys, f->p, err));
    ZW_TRY(read_fit(f, err));
    ZW_TRY(read_priors(f, err));
    ZW_TRY(read_flags(f, err));
    ZW_TRY(zw_fit_open_plant(f, err));
    ZW_TRY(read_start(f, err));
    ZW_TRY(zw_fit_read_data(f, ndata, data, err));
    ZW_TRY(read_noise(f, err));
    ZW_TRY(first_noise(f, err));
    if (f->P == 0 && !f->all_free) {
        bool any = false;
        for (int i = 0; i < f->nx; i++)
            any |= f->state_free[i];
        if (!any)
            return zw_fail(
                err, ZW_E_OPTION,
                "nothing is free: --fit names parameters, --start-free entries of the start");
    }
    for (int i = 0; i < f->E; i++) {
        ZW_TRY(make_nodes(f, &f->experiment[i], err));
        N += f->experiment[i].K * f->nx + f->P;
    }
    f->R = ZW_NEW(&f->arena, double, (size_t)N *(size_t)N + 1);
    f->cov = ZW_NEW(&f->arena, double, (size_t)N *(size_t)N + 1);
    size_t joined = (size_t)f->E * (size_t)(f->nx + f->P), wide = f->nq > 1 ? joined * joined : 0;
    f->information = ZW_NEW(&f->arena, double, (size_t)f->nq *wide + 1);
    f->c = ZW_NEW(&f->arena, double, N + 1);
    f->step = ZW_NEW(&f->arena, double, N + 1);
    f->norm = ZW_NEW(&f->arena, double, N + 1);
    f->loose = ZW_NEW(&f->arena, bool, N + 1);
    return zw_arena_status(&f->arena, err);
}

zw_status zw_fit_create(zw_fit **out, const zw_system *sys, const zw_model_source *source,
                        int ndata, const zw_fit_data *data, const zw_fit_options *options,
                        zw_error *err) {
    assert(out && sys);
    zw_fit_options o = zw_fit_options_default();
    *out = NULL;
    if (options)
        ZW_TRY(zw_options_adopt(&o, sizeof o, options, "zw_fit_options", err));
    ZW_TRY(check_options(&o, ndata, err));
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_fit *f = zw_allocate(&alloc, sizeof *f);
    if (!f)
        return zw_out_of_memory(err, NULL);
    zw_arena_init(&f->arena, &alloc);
    zw_arena_init(&f->lasting, &alloc);
    f->files = zw_warnings_create(&alloc);
    f->doubts = zw_warnings_create(&alloc);
    f->sys = sys;
    f->options = o;
    f->principle = o.principle ? o.principle : "lagrange";
    f->run_options = zw_run_options_default();
    if (o.run) {
        f->run_options = *o.run;
    } else {
        f->run_options.rtol = DEFAULT_RTOL;
        f->run_options.atol = DEFAULT_ATOL;
    }
    zw_status status =
        f->files && f->doubts ? fill_fit(f, source, ndata, data, err) : zw_out_of_memory(err, NULL);
    if (status < 0) {
        zw_fit_destroy(f);
        return status;
    }
    *out = f;
    return ZW_OK;
}

void zw_fit_destroy(zw_fit *f) {
    if (!f)
        return;
    zw_fit_close_plant(f);
    zw_warnings_destroy(f->files);
    zw_warnings_destroy(f->doubts);
    zw_allocator alloc = f->arena.alloc;
    zw_arena_clear(&f->lasting);
    zw_arena_clear(&f->arena);
    zw_release(&alloc, f, sizeof *f);
}

/* ---------------------------------------------------------------------------------------- noise */

static int compare_values(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The standard deviation of a quantity from its residuals: by squares, with the number of unknowns
 * subtracted from that of values; with a loss by the median, which outliers do not move. Sets
 * *change to the largest relative change. */
static zw_status estimate_noise(zw_fit *f, double *change, zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    double *scratch = ZW_NEW(&f->arena, double, f->measured + 1);
    if (!scratch)
        return zw_out_of_memory(err, NULL);
    *change = 0;
    for (int q = 0; q < f->nq; q++) {
        zw_fit_quantity *u = &f->quantity[q];
        size_t n = 0;
        double sum = 0;
        if (u->stated || u->count == 0)
            continue;
        for (int i = 0; i < f->E; i++)
            for (int k = 0; k < f->experiment[i].nrow; k++) {
                const zw_fit_experiment *e = &f->experiment[i];
                double r = e->h[k * f->nq + q] - e->y[k * f->nq + q];
                if (isnan(r))
                    continue;
                scratch[n++] = fabs(r);
                sum += r * r;
            }
        double sigma = sqrt(sum / zw_fit_left(f, q));
        if (f->options.loss != ZW_FIT_SQUARES) {
            qsort(scratch, n, sizeof *scratch, compare_values);
            sigma = SD_PER_MEDIAN * scratch[n / 2];
        }
        double least = NOISE_LEAST * zw_fit_scatter(f, q);
        u->at_least = sigma < least;
        sigma = fmax(sigma, least);
        *change = fmax(*change, fabs(log(sigma / u->sigma)));
        u->sigma = sigma;
    }
    zw_arena_release(&f->arena, mark);
    return ZW_OK;
}

/* With several quantities: which of them determine the unknowns, if all of them have unknown
 * noise. */
static zw_status share_unknowns(zw_fit *f, zw_error *err) {
    bool held = f->is_loose || f->nq < 2 || f->options.loss != ZW_FIT_SQUARES;
    for (int j = 0; j < f->P; j++)
        held |= f->param[j].is_held;
    if (held)
        return ZW_OK;
    f->spread = 1;
    ZW_TRY(zw_fit_condense(f, true, err));
    ZW_TRY(zw_fit_find_covariance(f, err));
    zw_fit_share_unknowns(f);
    return ZW_OK;
}

/* Finds the minimum and its noise; `most`: steps of the first pass, all passes have STEPS_FACTOR
 * times as many. */
static zw_status find_minimum(zw_fit *f, int passes, int most, zw_error *err) {
    double change = 0;
    int last = f->iterations + STEPS_FACTOR * most;
    for (int pass = 0; pass < passes && f->iterations < last; pass++) {
        zw_status status = zw_fit_minimise(f, most, err);
        if (status != ZW_OK)
            return status;
        ZW_TRY(share_unknowns(f, err));
        ZW_TRY(estimate_noise(f, &change, err));
        if (change < NOISE_CHANGE)
            break;
    }
    return ZW_OK;
}

static void set_held(zw_fit *f, bool held) {
    for (int j = 0; j < f->P; j++)
        f->param[j].is_held = held;
}

static void save_or_restore(const zw_fit *f, const zw_fit_saved *s, bool back) {
    size_t at = 0;
    for (int i = 0; i < f->E; i++) {
        zw_fit_experiment *e = &f->experiment[i];
        double *v = s->value + i * (f->P + 1);
        memcpy(back ? e->value : v, back ? v : e->value, sizeof(double) * (size_t)f->P);
        for (int k = 0; k < e->K; k++, at += (size_t)f->nx)
            memcpy(back ? e->node[k].x : s->x + at, back ? s->x + at : e->node[k].x,
                   sizeof(double) * (size_t)f->nx);
    }
    for (int q = 0; q < f->nq; q++) {
        double *sigma = s->value + f->E * (f->P + 1) + q;
        *(back ? &f->quantity[q].sigma : sigma) = back ? *sigma : f->quantity[q].sigma;
    }
}

static zw_status saved_init(zw_fit *f, zw_fit_saved *s, zw_error *err) {
    size_t n = 0;
    for (int i = 0; i < f->E; i++)
        n += (size_t)(f->experiment[i].K * f->nx);
    s->x = ZW_NEW(&f->arena, double, n + 1);
    s->value = ZW_NEW(&f->arena, double, f->E *(f->P + 1) + f->nq + 1);
    return zw_arena_status(&f->arena, err);
}

/* Puts the nodes on the motion that begins at the first one. */
static zw_status close_gaps(zw_fit *f, zw_error *err) {
    for (int i = 0; i < f->E; i++) {
        zw_fit_experiment *e = &f->experiment[i];
        int K = e->K;
        zw_status status = ZW_OK;
        for (int k = 1; k < K && status >= 0; k++) {
            e->K = k; /* later ones may be no states of the model any more */
            status = zw_fit_motion(f, e, false, false, err);
            memcpy(e->node[k].x, e->node[k - 1].end, sizeof(double) * (size_t)f->nx);
        }
        e->K = K;
        ZW_TRY(status);
    }
    return ZW_OK;
}

bool zw_fit_is_in_one(const zw_fit *f) {
    for (int i = 0; i < f->E; i++)
        if (f->experiment[i].K != 1)
            return false;
    return true;
}

void zw_fit_tie_in_one(zw_fit *f) {
    for (int i = 0; i < f->E && !f->tied; i++) {
        zw_fit_experiment *e = &f->experiment[i];
        e->parts.K = e->K;
        e->parts.t = e->node[1].t;
        e->parts.row = e->node[1].row;
        e->node[1].t = e->node[e->K].t;
        e->node[1].row = e->node[e->K].row;
        e->K = 1;
    }
    f->tied++;
}

void zw_fit_untie(zw_fit *f) {
    f->tied--;
    for (int i = 0; i < f->E && !f->tied; i++) {
        zw_fit_experiment *e = &f->experiment[i];
        e->K = e->parts.K;
        e->node[1].t = e->parts.t;
        e->node[1].row = e->parts.row;
    }
}

/* Descends to the minimum with the motion of each experiment in one part. */
static zw_status descend_in_one(zw_fit *f, zw_error *err) {
    zw_fit_tie_in_one(f);
    zw_status status = find_minimum(f, PASSES, f->options.iterations, err);
    zw_fit_untie(f);
    return status;
}

/* Accepts what was found in one part if it is a minimum and a lower one, in parts as well;
 * otherwise restores everything. */
static zw_status accept_or_restore(zw_fit *f, zw_status status, double least,
                                   const zw_fit_saved *before, bool converged, zw_error *err) {
    bool good = status == ZW_OK && f->converged && zw_fit_minus_2_log_likelihood(f) <= least;
    if (good)
        status = close_gaps(f, NULL);
    if (good && status == ZW_OK)
        status = find_minimum(f, PASSES, f->options.iterations, NULL);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (good && status == ZW_OK && f->converged && zw_fit_minus_2_log_likelihood(f) <= least)
        return ZW_OK;
    save_or_restore(f, before, true);
    f->converged = converged;
    for (int i = 0; i < f->E; i++)
        ZW_TRY(zw_fit_motion(f, &f->experiment[i], false, true, err));
    return f->stopped ? ZW_STOPPED : ZW_OK;
}

/* Near a narrow valley tied parts may progress slowly: gaps hold them back, and the steps are used
 * up. By then they are near enough for one part, which has no gaps. Its result is accepted if it is
 * a minimum and a lower one. */
static zw_status finish_descent(zw_fit *f, zw_error *err) {
    zw_fit_saved before;
    ZW_TRY(find_minimum(f, PASSES, f->options.iterations, err));
    if (f->converged || f->stopped || zw_fit_is_in_one(f))
        return ZW_OK;
    double least = zw_fit_minus_2_log_likelihood(f);
    ZW_TRY(saved_init(f, &before, err));
    save_or_restore(f, &before, false);
    zw_status status = descend_in_one(f, NULL);
    return accept_or_restore(f, status, least, &before, false, err);
}

/* First every part of a motion separately: its states with fixed parameters, then both, which leads
 * near the data from far away. */
static zw_status approach_loose(zw_fit *f, zw_error *err) {
    double tolerance = f->options.tolerance;
    f->is_loose = true;
    f->options.tolerance = fmax(tolerance, LOOSE_TOLERANCE);
    set_held(f, true);
    zw_status status = zw_fit_minimise(f, LOOSE_STEPS, err);
    set_held(f, false);
    if (status == ZW_OK)
        status = find_minimum(f, LOOSE_PASSES, LOOSE_STEPS, err);
    f->is_loose = false;
    f->options.tolerance = tolerance;
    return status;
}

/* The median of |r|, in standard deviations of normal noise. */
static zw_status typical_residual(zw_fit *f, double *out, zw_error *err) {
    long n = 0;
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    double *scratch = ZW_NEW(&f->arena, double, f->measured + 1);
    if (!scratch)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < f->E; i++) {
        const zw_fit_experiment *e = &f->experiment[i];
        for (int k = 0; k < e->nrow * f->nq; k++)
            if (!isnan(e->y[k]))
                scratch[n++] = fabs(e->h[k] - e->y[k]) / zw_fit_sigma(f, e, k / f->nq, k % f->nq);
    }
    qsort(scratch, (size_t)n, sizeof *scratch, compare_values);
    *out = SD_PER_MEDIAN * scratch[n / 2];
    zw_arena_release(&f->arena, mark);
    return ZW_OK;
}

/* Far from the minimum all residuals exceed the scale of a loss, which is then |r|: steps are slow
 * and there are many minima. So the scale starts at the size of the residuals, and decreases with
 * them. */
static zw_status approach_wide(zw_fit *f, zw_error *err) {
    double scale = f->options.loss_scale, typical, before = INFINITY;
    zw_status status = ZW_OK;
    for (int i = 0; i < f->E; i++)
        ZW_TRY(zw_fit_motion(f, &f->experiment[i], false, false, err));
    for (int k = 0; k < WIDE_PASSES && status == ZW_OK; k++) {
        ZW_TRY(typical_residual(f, &typical, err));
        if (!(typical > WIDE_RESIDUALS) || !(typical < before / WIDE_RESIDUALS))
            break;
        before = typical;
        f->options.loss_scale = scale * typical;
        status = zw_fit_minimise(f, f->options.iterations, err);
        f->options.loss_scale = scale;
    }
    return status;
}

/* Then all parts tied. As long as events of the motion lie on the wrong side of samples, these have
 * large residuals that no small step can reduce: their weight is reduced in the meantime. */
static zw_status approach_minimum(zw_fit *f, zw_error *err) {
    zw_fit_loss loss = f->options.loss;
    int parts = 0;
    zw_status status = ZW_OK;
    for (int i = 0; i < f->E; i++)
        parts += f->experiment[i].K;
    if ((f->events.any || f->contacts.used) && loss == ZW_FIT_SQUARES)
        f->options.loss = ZW_FIT_HUBER;
    if (parts > f->E)
        status = approach_loose(f, err);
    if (status == ZW_OK && loss != ZW_FIT_SQUARES)
        status = approach_wide(f, err);
    if (status == ZW_OK && f->options.loss != loss)
        status = find_minimum(f, LOOSE_PASSES, LOOSE_STEPS, err);
    f->options.loss = loss;
    return status == ZW_OK ? finish_descent(f, err) : status;
}

/* ---------------------------------------------------------------------------------- many starts */

/* The cost of a start with guessed values; infinite if it has no motion. */
static zw_status try_guess(zw_fit *f, bool from_data, double *cost, zw_error *err) {
    zw_error trouble = {0};
    zw_status status = ZW_OK;
    for (int i = 0; i < f->E && status >= 0; i++)
        status = zw_fit_guess(f, &f->experiment[i], from_data, &trouble);
    for (int i = 0; i < f->E && status >= 0; i++)
        status = zw_fit_motion(f, &f->experiment[i], false, false, &trouble);
    *cost = status < 0 ? INFINITY : zw_fit_cost(f, false);
    return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
}

/* Data lead the nodes of a motion. In one part the only node is the start, where rows far apart
 * determine velocities poorly: the model's own start may be better. */
static zw_status guess_nodes(zw_fit *f, zw_error *err) {
    double data, model;
    bool one = zw_fit_is_in_one(f);
    if (one) {
        ZW_TRY(try_guess(f, true, &data, err));
        ZW_TRY(try_guess(f, false, &model, err));
    }
    for (int i = 0; i < f->E; i++)
        ZW_TRY(zw_fit_guess(f, &f->experiment[i], !one || !(model < data), err));
    return ZW_OK;
}

/* The start of a motion that is led by the data may be bad; that of the model comes second. */
static zw_status attempt_fit(zw_fit *f, zw_error *err) {
    zw_error first = {0};
    zw_status status = guess_nodes(f, &first);
    if (status >= 0)
        status = approach_minimum(f, &first);
    if (status >= 0 || status == ZW_E_MEMORY) {
        if (status < 0 && err)
            *err = first;
        return status;
    }
    for (int i = 0; i < f->E && status != ZW_E_MEMORY; i++) {
        status = zw_fit_guess(f, &f->experiment[i], false, &first);
        if (status < 0)
            break;
    }
    if (status >= 0)
        status = find_minimum(f, PASSES, f->options.iterations, &first);
    if (status < 0 && err && err->status >= 0)
        *err = first;
    return status;
}

/* Stores the given values; allocates the results, and one double for each row of the longest
 * experiment. */
static zw_status begin_tries(zw_fit *f, zw_fit_saved *given, zw_fit_saved *found, double **scratch,
                             zw_error *err) {
    int longest = 0;
    ZW_TRY(saved_init(f, given, err));
    ZW_TRY(saved_init(f, found, err));
    for (int i = 0; i < f->E; i++)
        longest = f->experiment[i].nrow > longest ? f->experiment[i].nrow : longest;
    *scratch = ZW_NEW(&f->arena, double, longest + 1);
    if (!*scratch)
        return zw_out_of_memory(err, NULL);
    save_or_restore(f, given, false);
    return ZW_OK;
}

/* Parts that are led by the data may be led astray where these determine the state poorly, as near
 * events. If the residuals contradict the result, or there is no minimum, the given values are
 * tried with every motion in one part. */
static zw_status attempt_tied(zw_fit *f, zw_error *err) {
    zw_fit_saved given, found;
    double *scratch;
    bool one = zw_fit_is_in_one(f);
    ZW_TRY(begin_tries(f, &given, &found, &scratch, err));
    zw_status status = attempt_fit(f, err);
    if (status != ZW_OK || f->stopped || one || !zw_fit_is_suspect(f, scratch))
        return status;
    double least = zw_fit_minus_2_log_likelihood(f);
    bool converged = f->converged;
    save_or_restore(f, &found, false);
    save_or_restore(f, &given, true);
    zw_fit_tie_in_one(f);
    status = guess_nodes(f, NULL);
    if (status >= 0)
        status = approach_minimum(f, NULL);
    zw_fit_untie(f);
    return accept_or_restore(f, status, least, &found, converged, err);
}

static void log_positive(zw_fit *f, bool *was, bool logs) {
    for (int j = 0; j < f->P; j++) {
        bool positive = true;
        was[j] = f->param[j].is_log;
        for (int i = 0; i < f->E; i++)
            positive &= f->experiment[i].value[j] > 0;
        f->param[j].is_log |= logs && positive;
    }
}

/* Another path to the minimum, every motion in one part. Its result is accepted if it is a minimum
 * and a lower one. */
static zw_status attempt_in_manner(zw_fit *f, zw_fit_manner manner, const zw_fit_saved *given,
                                   const zw_fit_saved *found, zw_error *err) {
    bool was[f->P + 1], converged = f->converged;
    double least = zw_fit_minus_2_log_likelihood(f);
    save_or_restore(f, found, false);
    if (!manner.continues)
        save_or_restore(f, given, true);
    log_positive(f, was, manner.logs);
    zw_fit_tie_in_one(f);
    f->manner = manner;
    zw_status status = manner.continues ? ZW_OK : guess_nodes(f, NULL);
    if (status >= 0)
        status = find_minimum(f, PASSES, f->options.iterations, NULL);
    if (status == ZW_OK && !f->converged && !manner.follows_bends) { /* a valley */
        f->manner.follows_bends = true;
        status = find_minimum(f, PASSES, f->options.iterations, NULL);
    }
    f->manner = (zw_fit_manner){0};
    zw_fit_untie(f);
    for (int j = 0; j < f->P; j++)
        f->param[j].is_log = was[j];
    return accept_or_restore(f, status, least, found, converged, err);
}

/* From a distant start the iteration may end where the parameters have no effect, or progress
 * slowly along a narrow curved valley: other scalings and longer or curved steps are tried in
 * turn. */
static zw_status attempt_all_manners(zw_fit *f, zw_error *err) {
    static const zw_fit_manner manners[] = {{.continues = true, .follows_bends = true},
                                            {.follows_bends = true, .scales_anew = true},
                                            {.logs = true},
                                            {.logs = true, .unbounded_first_step = true}};
    zw_fit_saved given, found;
    double *scratch;
    ZW_TRY(begin_tries(f, &given, &found, &scratch, err));
    zw_status status = attempt_tied(f, err);
    for (size_t k = 0; k < sizeof manners / sizeof *manners; k++) {
        if (status != ZW_OK || f->stopped || !zw_fit_is_lost(f, scratch))
            break;
        if (!manners[k].continues || !f->converged)
            status = attempt_in_manner(f, manners[k], &given, &found, err);
    }
    return status;
}

static void draw_parameters(zw_fit *f, zw_random *r) {
    for (int j = 0; j < f->P; j++) {
        const zw_fit_param *p = &f->param[j];
        double s = zw_random_unit(r);
        double v = p->is_log ? exp(log(p->low) + s * log(p->high / p->low))
                             : p->low + s * (p->high - p->low);
        for (int i = 0; i < f->E; i++)
            f->experiment[i].value[j] = v;
    }
}

static zw_status search_starts(zw_fit *f, zw_error *err) {
    zw_fit_saved best;
    zw_random r = {f->options.seed};
    double sigma[f->nq + 1];
    for (int j = 0; j < f->P; j++)
        if (!(f->param[j].high - f->param[j].low < INFINITY))
            return zw_fail(err, ZW_E_OPTION,
                           "--multistart: %s has no bounds to draw from (--fit \"%s=LOW:HIGH\")",
                           f->param[j].name, f->param[j].name);
    ZW_TRY(saved_init(f, &best, err));
    for (int q = 0; q < f->nq; q++)
        sigma[q] = f->quantity[q].sigma;
    double least = INFINITY;
    bool converged = false;
    zw_error first = {0};
    f->share = 1. / (f->options.multistart + 1);
    for (int k = 0; k <= f->options.multistart && !f->stopped; k++) {
        f->progress = k * f->share;
        if (k > 0)
            draw_parameters(f, &r);
        for (int q = 0; q < f->nq; q++)
            f->quantity[q].sigma = sigma[q];
        zw_status status = attempt_all_manners(f, &first);
        if (status == ZW_E_MEMORY)
            return zw_out_of_memory(err, NULL);
        f->tries++;
        if (status < 0)
            continue;
        double now = zw_fit_minus_2_log_likelihood(f);
        zw_fit_alias_record(f, now, least);
        f->tries_same =
            now < least - SAME_MINIMUM ? 1 : f->tries_same + (now < least + SAME_MINIMUM);
        if (now < least) {
            least = now;
            converged = f->converged;
            save_or_restore(f, &best, false);
        }
    }
    if (!(least < INFINITY)) {
        if (err)
            *err = first;
        return ZW_E_NUMERIC;
    }
    save_or_restore(f, &best, true);
    for (int i = 0; i < f->E; i++)
        ZW_TRY(zw_fit_motion(f, &f->experiment[i], false, true, err));
    f->converged = converged;
    return f->stopped ? ZW_STOPPED : ZW_OK;
}

zw_status zw_fit_run(zw_fit *f, zw_error *err) {
    f->share = 1;
    zw_status status =
        f->options.multistart > 0 ? search_starts(f, err) : attempt_all_manners(f, err);
    if (status < 0)
        return status;
    if (!(zw_fit_minus_2_log_likelihood(f) < INFINITY)) {
        zw_fail(err, ZW_E_NONFINITE, "the residuals are so large that their squares overflow");
        zw_error_hint(err, "look at the largest values of the data, and at their units");
        return ZW_E_NONFINITE;
    }
    f->is_run = true;
    ZW_TRY(zw_fit_contacts_check(f, err));
    ZW_TRY(zw_fit_judge(f, err));
    if (status == ZW_OK && f->converged && !f->distrust)
        ZW_TRY(zw_fit_alias(f, err));
    return status;
}

/* ------------------------------------------------------------------------------------- profiles */

static zw_status profile_at(zw_fit *f, zw_fit_param *p, int j, double value, double *minus2,
                            zw_error *err) {
    for (int i = 0; i < f->E; i++)
        f->experiment[i].value[j] = value;
    p->is_held = true;
    zw_status status = find_minimum(f, PASSES, f->options.iterations, err);
    p->is_held = false;
    /* Without a minimum the rise is too large, and the interval would be too narrow. */
    *minus2 = status < 0 || !f->converged ? NAN : zw_fit_minus_2_log_likelihood(f);
    return status == ZW_E_MEMORY || status == ZW_STOPPED ? status : ZW_OK;
}

/* Where the rise passes the level of probability 0.95: between two values of a profile, roots of
 * rises are nearly straight; fits there refine it. NaN: it is not crossed. */
static zw_status find_crossing(zw_fit *f, zw_fit_param *p, const zw_fit_profile *here, int step,
                               const zw_fit_saved *inside, double least, double *end,
                               zw_error *err) {
    int j = (int)(p - f->param);
    const double most = zw_fit_level(f, j), level = sqrt(most);
    int k = here->n / 2, last = step < 0 ? 0 : here->n - 1;
    *end = NAN;
    while (k != last && !(here->rise[k] <= most && here->rise[k + step] > most))
        k += step;
    if (k == last)
        return ZW_OK;
    double x[2] = {here->value[k], here->value[k + step]},
           y[2] = {sqrt(fmax(here->rise[k], 0)), sqrt(here->rise[k + step])};
    for (int i = 0; i < CROSSINGS; i++) {
        double minus2, off;
        *end = x[0] + (level - y[0]) / (y[1] - y[0]) * (x[1] - x[0]);
        save_or_restore(f, inside, true);
        ZW_TRY(profile_at(f, p, j, *end, &minus2, err));
        off = sqrt(fmax(minus2 - least, 0));
        /* Outside both it is another minimum, which gives no information. */
        if (isnan(minus2) || !(off > y[0] && off < y[1]) || fabs(off - level) < CROSSING_ERROR)
            break;
        x[off > level] = *end;
        y[off > level] = off;
    }
    return ZW_OK;
}

/* A profile below the minimum has left it: there is a lower one. */
static void warn_lower(zw_fit *f, const zw_fit_profile *p) {
    int lowest = p->n / 2;
    for (int k = 0; k < p->n; k++)
        if (p->rise[k] < p->rise[lowest])
            lowest = k;
    if (!(p->rise[lowest] < -SAME_MINIMUM))
        return;
    zw_warning d =
        zw_warning_of("fit lower", NAN,
                      "at %s = %.6g there is a better fit, -2 log L is less by %.3g: what was "
                      "found is not the lowest minimum, and the interval is not one",
                      p->name, p->value[lowest], -p->rise[lowest]);
    zw_warning_hint(&d, "start there (--set), or use --multistart with bounds");
    zw_warnings_add(f->doubts, &d);
}

zw_status zw_fit_profile_find(zw_fit *f, const char *name, int n, const zw_fit_profile **out,
                              zw_error *err) {
    assert(out);
    zw_fit_param *p = find_free(f, name);
    zw_fit_saved best, inside; /* the last one of a side whose rise is below the level */
    *out = NULL;
    if (!f->is_run || !p)
        return zw_fail(err, ZW_E_OPTION,
                       "--profile %s: it is not among the free parameters (--fit)", name);
    if (!zw_fit_has_errors(f))
        return zw_fail(err, ZW_E_OPTION,
                       "--profile %s: no degree of freedom is left to estimate the noise, so there "
                       "is no interval; give the noise with --noise",
                       name);
    if (p->own && f->E > 1)
        return zw_fail(err, ZW_E_OPTION, "--profile %s: every experiment has its own value", name);
    if (n < 5)
        n = 5;
    n |= 1;
    int j = (int)(p - f->param), middle = n / 2, u = zw_fit_unknown(f, f->experiment, j);
    double at = f->experiment->value[j], slope = p->is_log ? at : p->scale,
           error = f->loose[u] ? NAN : slope * sqrt(f->cov[u * f->N + u]);
    if (!isfinite(error) || !(error > 0))
        error = GUESSED_ERROR * fmax(fabs(at), SIZE_AT_ZERO * p->scale);
    zw_fit_profile *list = ZW_NEW(&f->arena, zw_fit_profile, f->nprofile + 1), *here = NULL;
    if (!list)
        return zw_out_of_memory(err, NULL);
    if (f->nprofile)
        memcpy(list, f->profile, sizeof *list * (size_t)f->nprofile);
    f->profile = list;
    here = &list[f->nprofile];
    *here = (zw_fit_profile){.name = p->name, .unit = p->unit, .n = n};
    here->value = ZW_NEW(&f->arena, double, n);
    here->rise = ZW_NEW(&f->arena, double, n);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(saved_init(f, &best, err));
    ZW_TRY(saved_init(f, &inside, err));
    save_or_restore(f, &best, false);
    bool converged = f->converged;
    int iterations = f->iterations;
    double least = zw_fit_minus_2_log_likelihood(f);
    zw_status status = ZW_OK;
    here->value[middle] = at;
    for (int side = -1; side <= 1 && status == ZW_OK; side += 2) {
        bool within = true;
        save_or_restore(f, &best, true);
        save_or_restore(f, &inside, false);
        for (int k = 1; k <= middle && status == ZW_OK; k++) {
            double s = PROFILE_WIDTH * zw_fit_interval(f) * k / middle * side,
                   *rise = &here->rise[middle + side * k],
                   v = p->is_log ? at * exp(s * error / at) : at + s * error;
            v = fmin(fmax(v, p->low), p->high);
            here->value[middle + side * k] = v;
            status = profile_at(f, p, j, v, rise, err);
            *rise -= least;
            within &= *rise <= zw_fit_level(f, j);
            if (within)
                save_or_restore(f, &inside, false);
        }
        if (status == ZW_OK)
            status = find_crossing(f, p, here, side, &inside, least,
                                   side < 0 ? &here->low : &here->high, err);
    }
    save_or_restore(f, &best, true);
    f->converged = converged;
    f->iterations = iterations;
    for (int i = 0; i < f->E; i++)
        ZW_TRY(zw_fit_motion(f, &f->experiment[i], false, true, err));
    if (status != ZW_OK) /* half a profile does not determine its ends */
        return status;
    warn_lower(f, here);
    f->nprofile++;
    *out = here;
    return status;
}
