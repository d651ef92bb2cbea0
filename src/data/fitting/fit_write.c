/* SPDX-License-Identifier: MIT */
/* The result, as text, JSON and tables; and several fits of the same data compared. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "fit.h"
#include "motion/notes.h"
#include "zwang/expr.h"

#define WHOLE_STEPS 1e-6        /* of a step: an interval of whole steps gets no additional row */
#define IMPROBABLE 1e-3         /* probability of chi^2 that gives a warning, as in fit_judge.c */
#define PRINTED_CORRELATION 0.3 /* smaller correlations are not printed */
#define SAME_INTERVAL 0.99      /* ratio of intervals that are printed as one number */

enum { ROWS_LEAST = 400 }; /* rows of a table of the motion, for a smooth curve */

/* ----------------------------------------------------------------------------------------- text */

/* As many digits as the error permits. */
static void put_value(zw_text *out, double value, double error) {
    if (isnan(error)) {
        zw_text_printf(out, "%.8g", value);
    } else if (isinf(error)) {
        zw_text_printf(out, "%.6g, not determined", value);
    } else {
        int whole =
            error > 0 ? (int)floor(log10(fmax(fabs(value), error)) - floor(log10(error))) + 2 : 10;
        zw_text_printf(out, "%.*g +- %.2g", whole > 12 ? 12 : whole, value, error);
    }
}

static void put_line(zw_text *out, const zw_fit *f, int i, int width) {
    zw_fit_value v = zw_fit_value_at(f, i);
    zw_text_printf(out, "    %-*s ", width, v.name);
    put_value(out, v.value, v.error);
    if (v.unit[0])
        zw_text_printf(out, " %s", v.unit);
    if (v.at_bound)
        zw_text_put(out, ", at its bound");
    zw_text_put(out, "\n");
}

static int widest_name(const zw_fit *f) {
    size_t most = 0;
    for (int i = 0; i < zw_fit_values(f); i++) {
        size_t n = strlen(zw_fit_value_at(f, i).name);
        most = n > most ? n : most;
    }
    return (int)most;
}

static void put_parameters(zw_text *out, const zw_fit *f) {
    int n = zw_fit_parameters(f), width = widest_name(f);
    if (n && f->distrust)
        zw_text_printf(out, "  Parameters and standard errors, NOT to be trusted (%s):\n",
                       f->distrust);
    else if (n && !zw_fit_has_errors(f))
        zw_text_put(out, "  Parameters; no degree of freedom is left, so there are no errors:\n");
    else if (n)
        zw_text_put(out, "  Parameters, with their standard errors:\n");
    for (int i = 0; i < n; i++) {
        zw_fit_value v = zw_fit_value_at(f, i);
        if (v.experiment >= 0)
            zw_text_printf(out, "    %s:", f->experiment[v.experiment].name);
        put_line(out, f, i, width);
    }
    bool any = false;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double c = zw_fit_covariance(f, i, j) /
                       sqrt(zw_fit_covariance(f, i, i) * zw_fit_covariance(f, j, j));
            if (!(fabs(c) >= PRINTED_CORRELATION))
                continue;
            zw_text_printf(out, "%s%s, %s: %.3f",
                           any ? "; " : "  Correlations: ", zw_fit_value_at(f, j).name,
                           zw_fit_value_at(f, i).name, c);
            any = true;
        }
    if (any)
        zw_text_put(out, ".\n");
}

static void put_starts(zw_text *out, const zw_fit *f) {
    int n = zw_fit_parameters(f), width = widest_name(f), before = -1;
    for (int i = n; i < zw_fit_values(f); i++) {
        zw_fit_value v = zw_fit_value_at(f, i);
        if (v.experiment != before)
            zw_text_printf(out, "  Start of %s, at t = %.8g:\n", f->experiment[v.experiment].name,
                           f->experiment[v.experiment].node[0].t);
        before = v.experiment;
        put_line(out, f, i, width);
    }
}

static void put_noise(zw_text *out, const zw_fit *f) {
    zw_text_put(out, "  Residuals:\n");
    for (int q = 0; q < f->nq; q++) {
        const zw_fit_quantity *u = &f->quantity[q];
        double sum = 0, most = 0;
        for (int i = 0; i < f->E; i++)
            for (int k = 0; k < f->experiment[i].nrow; k++) {
                const zw_fit_experiment *e = &f->experiment[i];
                double r = e->h[k * f->nq + q] - e->y[k * f->nq + q];
                if (isnan(r))
                    continue;
                sum += r * r;
                most = fmax(most, fabs(r) / zw_fit_sigma(f, e, k, q));
            }
        zw_text_printf(out, "    %s: %ld values, rms %.3g%s%s", u->name, u->count,
                       sqrt(sum / (double)(u->count ? u->count : 1)), u->unit[0] ? " " : "",
                       u->unit);
        if (zw_fit_has_errors(f))
            zw_text_printf(out, ", at most %.1f standard deviations", most);
        if (!u->stated && zw_fit_has_errors(f))
            zw_text_printf(out, " of %.4g, estimated", u->sigma);
        zw_text_put(out, "\n");
    }
}

/* One number for all parameters, or a line of those with their own. */
static void put_intervals(zw_text *out, const zw_fit *f, const zw_fit_info *s) {
    bool same = true;
    zw_text_put(out,
                "  The noise is estimated from the residuals, so chi^2 does not test the model.\n");
    if (isnan(s->interval))
        return;
    for (int i = 0; i < zw_fit_parameters(f); i++)
        same &= !(zw_fit_value_at(f, i).interval < SAME_INTERVAL * s->interval);
    zw_text_printf(out,
                   "  95 %% confidence intervals are %s+- %.3g standard errors (Student's t with "
                   "%.0f degrees of freedom%s",
                   same ? "" : "up to ", s->interval, s->noise_freedom,
                   same ? ").\n" : " or more):");
    for (int i = 0; i < zw_fit_parameters(f) && !same; i++) {
        zw_fit_value v = zw_fit_value_at(f, i);
        if (!isnan(v.interval))
            zw_text_printf(out, "%s %s %.3g", i ? "," : "", v.name, v.interval);
    }
    zw_text_put(out, same ? "" : ".\n");
}

static void put_verdict(zw_text *out, const zw_fit *f) {
    zw_fit_info s = zw_fit_statistics(f);
    double left = (double)(s.measured + s.priors - f->rank);
    if (s.noise_known && !isnan(s.p_value))
        zw_text_printf(
            out,
            "  chi^2 = %.5g for %.0f degrees of freedom (probability of a larger one %.2g)%s.\n",
            s.chi2, left, s.p_value, s.priors ? ", with priors as measurements" : "");
    else if (!zw_fit_has_errors(f))
        zw_text_put(out, "  The noise cannot be estimated, and models cannot be compared.\n");
    else if (!s.noise_known)
        put_intervals(out, f, &s);
    if (f->options.loss != ZW_FIT_SQUARES)
        zw_text_printf(out, "  Loss %s beyond %.4g standard deviations; %ld values are beyond 4.\n",
                       f->options.loss == ZW_FIT_HUBER ? "of Huber" : "soft L1",
                       f->options.loss_scale, s.outliers);
    else if (s.outliers)
        zw_text_printf(out, "  %ld values are beyond 4 standard deviations.\n", s.outliers);
    if (!zw_fit_has_errors(f))
        return;
    zw_text_printf(out, "  -2 log L = %.6g, AIC %.6g, AICc %.6g, BIC %.6g, for %.4g unknowns%s.\n",
                   s.minus_2_log_likelihood, s.aic, s.aicc, s.bic, s.effective,
                   s.priors ? " (those that the data determine, in parts)" : "");
    if (f->tries > 1)
        zw_text_printf(out, "  %d tries, %d of them came to this minimum.\n", f->tries,
                       f->tries_same);
}

/* One end of a profile. If a fit failed before it, the end is unknown. */
static void put_end(zw_text *out, const zw_fit_profile *p, double end, int side) {
    int last = side < 0 ? 0 : p->n - 1;
    for (int k = p->n / 2; isnan(end) && k >= 0 && k < p->n; k += side)
        if (isnan(p->rise[k])) {
            zw_text_printf(out, "%s end not known, there is no fit at %.5g",
                           side < 0 ? "lower" : ", upper", p->value[k]);
            return;
        }
    if (isnan(end))
        zw_text_printf(out, side < 0 ? "no lower end above %.5g" : ", no upper end below %.5g",
                       p->value[last]);
    else
        zw_text_printf(out, side < 0 ? "from %.6g" : " to %.6g", end);
}

static void put_profiles(zw_text *out, const zw_fit *f) {
    for (int i = 0; i < f->nprofile; i++) {
        const zw_fit_profile *p = &f->profile[i];
        zw_text_printf(out, "  %s by the ratio of likelihoods, with probability 0.95: ", p->name);
        put_end(out, p, p->low, -1);
        put_end(out, p, p->high, 1);
        zw_text_printf(out, "%s%s\n", p->unit[0] ? " " : "", p->unit);
    }
}

char *zw_fit_text(const zw_fit *f) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(f->sys->ctx);
    zw_fit_info s = zw_fit_statistics(f);
    zw_text_init(&out, &alloc);
    zw_text_printf(&out, "%s: %d parameter%s from %ld numbers of %d experiment%s, %s\n",
                   f->sys->name, f->P, f->P == 1 ? "" : "s", s.measured, f->E, f->E == 1 ? "" : "s",
                   f->principle);
    zw_text_printf(&out, "  %s in %d steps; %d part%s of the motion%s.\n",
                   s.converged ? "Minimum reached" : "No minimum reached", s.iterations, s.nodes,
                   s.nodes == 1 ? "" : "s", f->E > 1 ? " of the first experiment" : "");
    if (f->contacts.used)
        zw_text_printf(&out, "  Contacts %s.\n", f->contacts.words);
    put_parameters(&out, f);
    put_starts(&out, f);
    put_noise(&out, f);
    put_verdict(&out, f);
    put_profiles(&out, f);
    return zw_text_take(&out);
}

/* ----------------------------------------------------------------------------------------- JSON */

static void json_values(zw_text *out, const zw_fit *f) {
    for (int i = 0; i < zw_fit_values(f); i++) {
        zw_fit_value v = zw_fit_value_at(f, i);
        zw_text_put(out, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
        zw_text_json(out, v.name);
        zw_text_put(out, ", \"unit\": ");
        zw_text_json(out, v.unit);
        zw_text_printf(out, ", \"is_start\": %s, \"experiment\": ", v.is_start ? "true" : "false");
        if (v.experiment < 0)
            zw_text_put(out, "null");
        else
            zw_text_json(out, f->experiment[v.experiment].name);
        zw_text_put(out, ", \"value\": ");
        zw_text_json_number(out, v.value);
        zw_text_put(out, ", \"error\": ");
        zw_text_json_number(out, v.error);
        zw_text_printf(out, ", \"determined\": %s, \"at_bound\": %s, \"interval_0.95\": ",
                       isinf(v.error) ? "false" : "true", v.at_bound ? "true" : "false");
        zw_text_json_number(out, v.interval);
        zw_text_put(out, "}");
    }
}

static void json_number(zw_text *out, const char *key, double value) {
    zw_text_printf(out, ",\n  \"%s\": ", key);
    zw_text_json_number(out, value);
}

static void json_covariance(zw_text *out, const zw_fit *f) {
    int n = zw_fit_parameters(f);
    zw_text_put(out, ",\n  \"covariance\": [");
    for (int i = 0; i < n; i++) {
        zw_text_put(out, i ? ",\n    [" : "\n    [");
        for (int j = 0; j < n; j++) {
            zw_text_put(out, j ? ", " : "");
            zw_text_json_number(out, zw_fit_covariance(f, i, j));
        }
        zw_text_put(out, "]");
    }
    zw_text_put(out, "]");
}

static void json_profiles(zw_text *out, const zw_fit *f) {
    zw_text_put(out, ",\n  \"profiles\": [");
    for (int i = 0; i < f->nprofile; i++) {
        const zw_fit_profile *p = &f->profile[i];
        zw_text_put(out, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
        zw_text_json(out, p->name);
        zw_text_put(out, ", \"low\": ");
        zw_text_json_number(out, p->low);
        zw_text_put(out, ", \"high\": ");
        zw_text_json_number(out, p->high);
        for (int what = 0; what < 2; what++) {
            zw_text_printf(out, ", \"%s\": [", what ? "rise" : "value");
            for (int k = 0; k < p->n; k++) {
                zw_text_put(out, k ? ", " : "");
                zw_text_json_number(out, what ? p->rise[k] : p->value[k]);
            }
            zw_text_put(out, "]");
        }
        zw_text_put(out, "}");
    }
    zw_text_put(out, "]");
}

char *zw_fit_json(const zw_fit *f) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(f->sys->ctx);
    zw_fit_info s = zw_fit_statistics(f);
    zw_text_init(&out, &alloc);
    zw_text_put(&out, "{\n  \"model\": ");
    zw_text_json(&out, f->sys->name);
    zw_text_put(&out, ",\n  \"principle\": ");
    zw_text_json(&out, f->principle);
    zw_text_printf(&out, ",\n  \"converged\": %s,\n  \"trusted\": %s,\n  \"values\": [",
                   s.converged ? "true" : "false", s.trusted ? "true" : "false");
    json_values(&out, f);
    zw_text_put(&out, "]");
    json_covariance(&out, f);
    json_number(&out, "measured", (double)s.measured);
    json_number(&out, "unknowns", s.unknowns);
    json_number(&out, "priors", s.priors);
    json_number(&out, "effective_unknowns", s.effective);
    json_number(&out, "undetermined", s.undetermined);
    json_number(&out, "chi2", s.noise_known ? s.chi2 : NAN);
    json_number(&out, "p_value", s.p_value);
    json_number(&out, "minus_2_log_likelihood", s.minus_2_log_likelihood);
    json_number(&out, "aic", s.aic);
    json_number(&out, "aicc", s.aicc);
    json_number(&out, "bic", s.bic);
    json_number(&out, "noise_freedom", s.noise_freedom);
    json_number(&out, "interval_0.95", s.interval);
    json_number(&out, "joint_0.95", s.joint);
    json_number(&out, "outliers", (double)s.outliers);
    json_number(&out, "iterations", s.iterations);
    for (int q = 0; q < f->nq; q++) {
        zw_text_put(&out, q ? ", {\"name\": " : ",\n  \"noise\": [{\"name\": ");
        zw_text_json(&out, f->quantity[q].name);
        zw_text_put(&out, ", \"sigma\": ");
        zw_text_json_number(&out, f->quantity[q].sigma);
        zw_text_printf(&out, ", \"estimated\": %s}%s", f->quantity[q].stated ? "false" : "true",
                       q + 1 < f->nq ? "" : "]");
    }
    json_profiles(&out, f);
    zw_text_put(&out, "\n}\n");
    return zw_text_take(&out);
}

/* --------------------------------------------------------------------------------------- tables */

typedef struct motion_writer {
    zw_fit *f;
    zw_fit_experiment *e;
    zw_table *t;
    double *row, *time; /* times of an experiment, including those of the data */
    int *data;          /* row of the data, -1: between them */
    int n, next;
    double *h; /* quantities */
} motion_writer;

/* A row at t, with the state in f->x. */
static zw_status write_row(motion_writer *w, double t, zw_error *err) {
    zw_fit *f = w->f;
    int c = 0, k = w->data[w->next++];
    double *row = w->row;
    ZW_TRY(zw_fit_values_at(f, t, w->h, err));
    if (f->E > 1)
        row[c++] = (double)(w->e - f->experiment) + 1;
    row[c++] = t;
    for (int i = 0; i < f->nx; i++)
        row[c++] = f->x[i];
    for (int q = 0; q < f->nq; q++)
        if (f->quantity[q].kind != ZW_DRIVE_STATE)
            row[c++] = w->h[q];
    for (int q = 0; q < f->nq; q++) {
        double y = k < 0 ? NAN : w->e->y[k * f->nq + q],
               s = k < 0 ? NAN : zw_fit_sigma(f, w->e, k, q);
        row[c++] = y;
        row[c++] = isnan(y) ? NAN : s;
        row[c++] = y - s;
        row[c++] = y + s;
        row[c++] = (y - w->h[q]) / s;
    }
    return zw_table_row(w->t, row) < 0 ? zw_table_out_of_memory(w->t, err) : ZW_OK;
}

static zw_status on_piece(void *self, zw_run *run, double t0, double t1, zw_error *err) {
    motion_writer *w = self;
    (void)t0;
    while (w->next < w->n && w->time[w->next] <= t1) {
        double t = w->time[w->next];
        ZW_TRY(zw_run_dense(run, t, w->f->x, err));
        ZW_TRY(write_row(w, t, err));
    }
    return ZW_OK;
}

static zw_status add_columns(motion_writer *w) {
    static const char *const kind[] = {"data", "sd", "low", "high", "residual"};
    const zw_fit *f = w->f;
    char name[300];
    if (f->E > 1)
        ZW_TRY(zw_table_column(w->t, "experiment", ""));
    ZW_TRY(zw_table_column(w->t, "t", f->sys->no_units ? "" : "s"));
    for (int i = 0; i < f->nx; i++)
        ZW_TRY(zw_table_column(w->t, f->state[i], f->state_unit[i]));
    for (int q = 0; q < f->nq; q++)
        if (f->quantity[q].kind != ZW_DRIVE_STATE)
            ZW_TRY(zw_table_column(w->t, f->quantity[q].name, f->quantity[q].unit));
    for (int q = 0; q < f->nq; q++)
        for (int k = 0; k < 5; k++) {
            snprintf(name, sizeof name, "%s(%.200s)", kind[k], f->quantity[q].name);
            ZW_TRY(zw_table_column(w->t, name, k < 4 ? f->quantity[q].unit : ""));
        }
    return ZW_OK;
}

/* Rows of the motion between two times of the data: no two rows are farther apart than a part of
 * the whole. */
static int rows_between(const zw_fit_experiment *e, int k) {
    double step = (e->t[e->nrow - 1] - e->t[0]) / ROWS_LEAST;
    return k + 1 < e->nrow ? (int)ceil((e->t[k + 1] - e->t[k]) / step - WHOLE_STEPS) - 1 : 0;
}

/* Times of the data, and some between them. */
static zw_status list_times(motion_writer *w, zw_error *err) {
    const zw_fit_experiment *e = w->e;
    size_t scratch = (size_t)e->nrow + ROWS_LEAST + 1;
    w->time = ZW_NEW(&w->f->arena, double, scratch);
    w->data = ZW_NEW(&w->f->arena, int, scratch);
    if (w->f->arena.failed)
        return zw_out_of_memory(err, NULL);
    w->n = w->next = 0;
    for (int k = 0; k < e->nrow; k++) {
        w->time[w->n] = e->t[k];
        w->data[w->n++] = k;
        int between = rows_between(e, k);
        for (int i = 1; i <= between; i++) {
            w->time[w->n] = e->t[k] + (e->t[k + 1] - e->t[k]) * i / (between + 1);
            w->data[w->n++] = -1;
        }
    }
    return ZW_OK;
}

static zw_status write_experiment(motion_writer *w, zw_error *err) {
    zw_fit *f = w->f;
    zw_fit_experiment *e = w->e;
    ZW_TRY(list_times(w, err));
    memcpy(e->tried, e->value, sizeof(double) * (size_t)f->P);
    f->now = e;
    ZW_TRY(zw_fit_set_parameters(f, e, e->value, err));
    e->nact = 0;
    int all = w->n;
    for (int k = 0; k < e->K; k++) {
        double last = k + 1 < e->K ? e->node[k + 1].t : INFINITY;
        for (w->n = w->next; w->n < all && w->time[w->n] < last;)
            w->n++;
        f->leg.trail = NULL;
        f->leg.part = on_piece;
        f->leg.part_self = w;
        ZW_TRY(
            zw_fit_pass(f, k, e->node[k].t, e->node[k].x, e->node[k + 1].t, e->node[k].end, err));
        memcpy(f->x, e->node[k].end, sizeof(double) * (size_t)f->nx);
        while (w->next < w->n)
            ZW_TRY(write_row(w, w->time[w->next], err));
    }
    return ZW_OK;
}

static zw_status add_notes(motion_writer *w, const zw_model_source *source, zw_error *err) {
    zw_fit *f = w->f;
    zw_text names;
    zw_text_init(&names, &f->arena.alloc);
    zw_status status = zw_study_origin(w->t, f->sys, f->principle, f->p, NULL, source, "fit");
    for (int q = 0; q < f->nq; q++)
        zw_text_printf(&names, "%s%s", q ? "," : "", f->quantity[q].name);
    if (status >= 0)
        status = names.failed ? ZW_E_MEMORY : zw_table_note(w->t, "measured", zw_text_get(&names));
    for (int i = 0; i < zw_fit_values(f) && status >= 0; i++) {
        zw_fit_value v = zw_fit_value_at(f, i);
        zw_text_clear(&names);
        zw_text_init(&names, &f->arena.alloc);
        put_value(&names, v.value, v.error);
        zw_text_printf(&names, "%s%s", v.unit[0] ? " " : "", v.unit);
        char key[200];
        if (v.experiment >= 0)
            snprintf(key, sizeof key, "%s %.100s of experiment %d", v.is_start ? "start" : "fitted",
                     v.name, v.experiment + 1);
        else
            snprintf(key, sizeof key, "fitted %.100s", v.name);
        status = names.failed ? ZW_E_MEMORY : zw_table_note(w->t, key, zw_text_get(&names));
    }
    for (int i = 0; i < f->E && status >= 0; i++) {
        char key[40];
        snprintf(key, sizeof key, "experiment %d", i + 1);
        status = zw_table_note(w->t, key, f->experiment[i].name);
    }
    if (status >= 0)
        status = zw_warnings_note(f->doubts, w->t);
    zw_text_clear(&names);
    return status < 0 ? zw_fail(err, status, "out of memory") : ZW_OK;
}

zw_status zw_fit_table(zw_fit *f, const zw_model_source *source, zw_table **out, zw_error *err) {
    assert(out);
    motion_writer w = {.f = f};
    *out = NULL;
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    w.t = zw_table_create(&f->arena.alloc);
    w.h = ZW_NEW(&f->arena, double, f->nq + 1);
    w.row = ZW_NEW(&f->arena, double, 2 + f->nx + 6 * f->nq + 1);
    zw_status status =
        w.t && w.h && w.row && add_columns(&w) >= 0 ? ZW_OK : zw_out_of_memory(err, NULL);
    for (int i = 0; i < f->E && status >= 0; i++) {
        w.e = &f->experiment[i];
        for (int c = 0; c < zw_table_columns(w.t); c++) /* a gap in lines */
            w.row[c] = c == 0 ? (double)i : (double)NAN;
        if (i > 0 && zw_table_row(w.t, w.row) < 0)
            status = zw_table_out_of_memory(w.t, err);
        if (status >= 0)
            status = write_experiment(&w, err);
    }
    if (status >= 0)
        status = add_notes(&w, source, err);
    zw_arena_release(&f->arena, mark);
    if (status < 0)
        zw_table_destroy(w.t);
    else
        *out = w.t;
    return status;
}

/* --------------------------------------------------------------------------------------- choice */

static zw_status check_same(int n, const zw_fit *const *fit, zw_error *err) {
    for (int i = 0; i < n; i++) {
        if (fit[i]->measured != fit[0]->measured)
            return zw_fail(err, ZW_E_OPTION,
                           "models can be compared on the same data alone: one has %ld numbers, "
                           "another one %ld",
                           fit[0]->measured, fit[i]->measured);
        if (fit[i]->options.loss != ZW_FIT_SQUARES)
            return zw_fail(err, ZW_E_OPTION,
                           "information criteria are those of a likelihood: --loss squares");
    }
    return ZW_OK;
}

/* In words, by the differences of K. P. Burnham and D. R. Anderson (2002), 2.6. */
static const char *support_words(double delta) {
    return delta <= 2    ? "as good as the best"
           : delta <= 7  ? "less good"
           : delta <= 14 ? "hardly supported by these data"
                         : "not supported by these data";
}

zw_status zw_fit_choice(int n, const zw_fit *const *fit, const char *const *label, bool json,
                        char **text, zw_error *err) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(fit[0]->sys->ctx);
    double best = INFINITY, best_bic = INFINITY, sum = 0;
    *text = NULL;
    ZW_TRY(check_same(n, fit, err));
    bool small = false;
    for (int i = 0; i < n; i++) {
        zw_fit_info s = zw_fit_statistics(fit[i]);
        small |= s.measured < 40L * s.unknowns;
    }
    for (int i = 0; i < n; i++) {
        zw_fit_info s = zw_fit_statistics(fit[i]);
        best = fmin(best, small ? s.aicc : s.aic);
        best_bic = fmin(best_bic, s.bic);
    }
    for (int i = 0; i < n; i++) {
        zw_fit_info s = zw_fit_statistics(fit[i]);
        sum += exp((best - (small ? s.aicc : s.aic)) / 2);
    }
    zw_text_init(&out, &alloc);
    if (!json)
        zw_text_printf(
            &out, "Which model? Differences to the best one, by %s and BIC (smaller is better):\n",
            small ? "AICc (few data)" : "AIC");
    for (int i = 0; i < n; i++) {
        zw_fit_info s = zw_fit_statistics(fit[i]);
        double a = (small ? s.aicc : s.aic) - best, b = s.bic - best_bic;
        if (json) {
            zw_text_put(&out, i ? ",\n  {\"model\": " : "[\n  {\"model\": ");
            zw_text_json(&out, label[i]);
            json_number(&out, "unknowns", s.unknowns);
            json_number(&out, "delta_aic", a);
            json_number(&out, "delta_bic", b);
            json_number(&out, "weight", exp(-a / 2) / sum);
            zw_text_put(&out, i + 1 < n ? "}" : "}\n]\n");
            continue;
        }
        zw_text_printf(&out, "  %-30s %3d unknowns  %s %.4g  BIC %.4g  weight %.3g: %s\n", label[i],
                       s.unknowns, small ? "AICc" : "AIC", a, b, exp(-a / 2) / sum,
                       isfinite(a) ? support_words(a) : "too many unknowns for these data");
        if (!s.converged)
            zw_text_put(&out, "    its minimum was not reached: it may be better than this\n");
        if (s.noise_known && s.p_value < IMPROBABLE)
            zw_text_printf(
                &out,
                "    it does not describe the data all the same: chi^2 has the probability %.1g\n",
                s.p_value);
    }
    if (!json)
        zw_text_put(&out, "  Criteria rank these models; that the best one is true they do not "
                          "say. They count on independent noise.\n");
    *text = zw_text_take(&out);
    return *text ? ZW_OK : zw_out_of_memory(err, NULL);
}
