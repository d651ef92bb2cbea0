/* SPDX-License-Identifier: MIT */
/* The linear equations between samples and their linear quadratic regulator, by names: weights of
 * states and inputs, the report, and the matrices with their units.
 *
 * The Riccati equation is solved in the states eta, y = H eta, in which the mass matrix is the
 * identity: Q_eta = H' Q H, K = K_eta H^-1, P = H^-T P_eta H^-1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linear.h"
#include "linear/control/control.h"
#include "num/linear/dense.h"

struct zw_linear_control {
    double step; /* s; 0: continuous time */
    double *Ad, *Bd;
    bool regulated;
    double *q, *r; /* weights of states and inputs */
    double *K, *P; /* in the states y */
    zw_regulator regulator;
};

static zw_status begin_control(zw_linear_equations *l, zw_error *err) {
    for (int i = 0; i < l->nin; i++)
        if (l->inout.in_constraint[i])
            return zw_fail(err, ZW_E_MODEL,
                           "the input %s is in constraints, and B is valid for constant values of "
                           "it only: leave it out by --inputs",
                           l->in_name[i]);
    if (!l->control)
        l->control = ZW_NEW(&l->arena, zw_linear_control, 1);
    return zw_arena_status(&l->arena, err);
}

zw_status zw_linear_sample(zw_linear_equations *l, double step, zw_error *err) {
    int n = l->states.n, m = l->nin;
    ZW_TRY(begin_control(l, err));
    zw_linear_control *c = l->control;
    c->step = 0;
    c->Ad = ZW_NEW(&l->arena, double, n *n + 1);
    c->Bd = ZW_NEW(&l->arena, double, n *m + 1);
    ZW_TRY(zw_arena_status(&l->arena, err));
    ZW_TRY(zw_control_sample(&l->arena, n, m, l->states.A, l->inout.B, step, c->Ad, c->Bd, err));
    c->step = step;
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- weights */

static zw_status fail_weight(const char *what, const char *text, const char *why, zw_error *err) {
    zw_fail(err, ZW_E_OPTION, "the weight '%s' of the %s %s", text, what, why);
    zw_error_hint(err, "NAME=NUMBER,... in SI units, or one number for each in their order");
    return ZW_E_OPTION;
}

/* number of a name of this length; n: there is none */
static int find_name(int n, const char *const *name, const char *text, size_t length) {
    int i = 0;
    while (i < n && (strlen(name[i]) != length || strncmp(name[i], text, length) != 0))
        i++;
    return i;
}

/* "NAME=NUMBER", or "NUMBER" of number i */
static zw_status read_weight(const char *what, const char *text, int i, int n,
                             const char *const *name, double *weight, zw_error *err) {
    const char *equals = strrchr(text, '='), *number = equals ? equals + 1 : text;
    char *end;
    if (equals)
        i = find_name(n, name, text, (size_t)(equals - text));
    if (i >= n)
        return fail_weight(what, text, "is for none of them", err);
    weight[i] = strtod(number, &end);
    if (end == number || *end || !isfinite(weight[i]))
        return fail_weight(what, text, "is not a number", err);
    return weight[i] >= 0 ? ZW_OK : fail_weight(what, text, "is negative", err);
}

/* All by their names, or all in their order. */
static zw_status read_weights(const char *what, int count, const char *const *text, int n,
                              const char *const *name, double *weight, zw_error *err) {
    int named = 0;
    for (int i = 0; i < count; i++)
        named += strchr(text[i], '=') != NULL;
    for (int i = 0; i < count; i++)
        if (named && !strchr(text[i], '='))
            return fail_weight(what, text[i], "has no name, but others have", err);
    if (count > 0 && !named && count != n)
        return zw_fail(err, ZW_E_OPTION, "%d weights for the %d %s", count, n, what);
    for (int i = 0; i < count; i++)
        ZW_TRY(read_weight(what, text[i], i, n, name, weight, err));
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------- regulator */

/* out = X' diag(w) X (n x n) */
static void weigh_rows(int n, const double *X, const double *w, double *out) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += w[k] * (X[k * n + i] * X[k * n + j]);
            out[i * n + j] = out[j * n + i] = sum;
        }
}

static zw_status solve_regulator(zw_linear_equations *l, zw_arena *work, zw_error *err) {
    zw_linear_control *c = l->control;
    const zw_states *s = &l->states;
    int n = s->n, m = l->nin;
    double *A = ZW_NEW(work, double, n *n + 1), *AH = ZW_NEW(work, double, n *n + 1),
           *B = ZW_NEW(work, double, n *m + 1), *Q = ZW_NEW(work, double, n *n + 1),
           *R = ZW_NEW(work, double, m *m + 1), *half = ZW_NEW(work, double, n *n + 1);
    ZW_TRY(zw_arena_status(work, err));
    zw_dense_multiply(n, n, n, c->step > 0 ? c->Ad : s->A, s->H, AH);
    zw_dense_multiply(n, n, n, s->inverse, AH, A);
    zw_dense_multiply(n, n, m, s->inverse, c->step > 0 ? c->Bd : l->inout.B, B);
    weigh_rows(n, s->H, c->q, Q);
    for (int i = 0; i < m; i++)
        R[i * m + i] = c->r[i];
    const zw_regulator_problem problem = {.n = n,
                                          .m = m,
                                          .A = c->step > 0 ? A : s->A_eta,
                                          .B = B,
                                          .Q = Q,
                                          .R = R,
                                          .discrete = c->step > 0};
    ZW_TRY(zw_regulator_find(&c->regulator, &l->arena, &problem, err));
    zw_dense_multiply(m, n, n, c->regulator.K, s->inverse, c->K);
    zw_dense_multiply(n, n, n, c->regulator.P, s->inverse, half);
    zw_dense_multiply_transposed(n, n, n, s->inverse, half, c->P);
    return ZW_OK;
}

zw_status zw_linear_regulate(zw_linear_equations *l, int nq, const char *const *q, int nr,
                             const char *const *r, zw_error *err) {
    int n = l->states.n, m = l->nin;
    if (m == 0)
        return zw_fail(err, ZW_E_OPTION, "a regulator needs an input: give --inputs NAME,...");
    ZW_TRY(begin_control(l, err));
    zw_linear_control *c = l->control;
    c->regulated = false;
    c->q = ZW_NEW(&l->arena, double, n + 1);
    c->r = ZW_NEW(&l->arena, double, m + 1);
    c->K = ZW_NEW(&l->arena, double, m *n + 1);
    c->P = ZW_NEW(&l->arena, double, n *n + 1);
    ZW_TRY(zw_arena_status(&l->arena, err));
    for (int i = 0; i < m; i++)
        c->r[i] = 1;
    ZW_TRY(read_weights("states", nq, q, n, l->state_name, c->q, err));
    ZW_TRY(read_weights("inputs", nr, r, m, l->in_name, c->r, err));
    zw_arena work;
    zw_arena_init(&work, &l->arena.alloc);
    zw_status status = solve_regulator(l, &work, err);
    zw_arena_clear(&work);
    c->regulated = status >= 0;
    return status;
}

/* ------------------------------------------------------------------------------------- matrices */

int zw_linear_control_blocks(const zw_linear_equations *l, zw_linear_block *block) {
    const zw_linear_control *c = l->control;
    int count = 0, n = l->states.n;
    const zw_linear_block state = {.rows = n,
                                   .columns = n,
                                   .row = l->state_name,
                                   .row_unit = l->state_unit,
                                   .column = l->state_name,
                                   .column_unit = l->state_unit};
    zw_linear_block input = state, gain = state;
    input.columns = gain.rows = l->nin;
    input.column = gain.row = l->in_name;
    input.column_unit = gain.row_unit = l->in_unit;
    if (c && c->step > 0) {
        block[count] = state;
        block[count].value = c->Ad;
        block[count++].key = "A_d";
        block[count] = input;
        block[count].value = c->Bd;
        block[count].key = "B_d";
        count += l->nin > 0;
    }
    if (c && c->regulated) {
        block[count] = gain;
        block[count].value = c->K;
        block[count++].key = "K";
    }
    for (int i = 0; i < count; i++)
        block[i].symbol = block[i].key;
    return count;
}

/* ---------------------------------------------------------------------------------------- report */

static void report_weights(const char *key, const char *label, int n, const char *const *name,
                           const double *weight, zw_report *r) {
    zw_report_list(r, key);
    for (int i = 0; i < n; i++) {
        zw_report_open(r, NULL);
        zw_report_word(r, "name", name[i]);
        zw_report_number(r, "value", weight[i], NULL);
        zw_report_say(r, i ? ", " : label);
        zw_report_say(r, "{name} {value}");
        zw_report_close(r);
    }
    zw_report_close(r);
    zw_report_say(r, "\n");
}

/* A pole z of the sampled loop moves as exp(s t) with s = log(z)/step. */
static void report_pole(double step, double re, double im, zw_report *r) {
    bool sampled = step > 0;
    double size = hypot(re, im);
    zw_report_open(r, NULL);
    zw_report_mute(r, im < 0);
    zw_report_complex(r, "value", re, im, &(zw_shown){.unit = sampled ? "" : "1/s"});
    if (sampled)
        zw_linear_report_rates(log(size) / step, atan2(im, re) / step, r);
    else
        zw_linear_report_rates(re, im, r);
    zw_report_say(r, "    {value:~40}{half_life?  half-life {half_life}}{half_life!{frequency?  "
                     "{frequency}, damping {damping}}}\n");
    zw_report_mute(r, false);
    zw_report_close(r);
}

static void find_order(const zw_linear_equations *l, int *order, double *rate, double *turn) {
    const zw_linear_control *c = l->control;
    const zw_regulator *g = &c->regulator;
    for (int i = 0; i < l->states.n; i++) {
        double size = hypot(g->re[i], g->im[i]);
        rate[i] = c->step > 0 ? log(fmax(size, 1e-300)) : g->re[i];
        turn[i] = c->step > 0 ? atan2(g->im[i], g->re[i]) : g->im[i];
    }
    zw_dense_order(l->states.n, rate, turn, order);
}

static void report_poles(zw_linear_equations *l, zw_report *r) {
    int n = l->states.n, *order = ZW_NEW(&l->arena, int, n + 1);
    double *rate = ZW_NEW(&l->arena, double, n + 1), *turn = ZW_NEW(&l->arena, double, n + 1);
    const zw_regulator *g = &l->control->regulator;
    if (l->arena.failed)
        return;
    find_order(l, order, rate, turn);
    zw_report_say(r, "\n  poles of the closed loop\n");
    zw_report_list(r, "poles");
    for (int i = 0; i < n; i++)
        report_pole(l->control->step, g->re[order[i]], g->im[order[i]], r);
    zw_report_close(r);
    zw_report_number(r, "residual", g->residual, &(zw_shown){.digits = 2});
    zw_report_say(r, "    residual of the Riccati equation {residual}, relative to its terms\n");
}

static void report_regulator(zw_linear_equations *l, const zw_linear_block *gain, zw_report *r) {
    const zw_linear_control *c = l->control;
    zw_report_open(r, "regulator");
    zw_report_flag(r, "sampled", c->step > 0);
    zw_report_formula(r, "law", "u = -K y", "u = -K y");
    zw_report_say(r, "\n  regulator {law}: it minimises the {sampled?sum over all "
                     "samples}{sampled!integral} of y' Q y + u' R u\n");
    report_weights("state_weights", "  Q         ", l->states.n, l->state_name, c->q, r);
    report_weights("input_weights", "  R         ", l->nin, l->in_name, c->r, r);
    zw_linear_report_block(l, gain, r);
    zw_report_matrix(r, "cost", l->states.n, l->states.n, c->P, NULL);
    report_poles(l, r);
    zw_report_close(r);
}

void zw_linear_report_control(const zw_linear_equations *l, zw_report *r) {
    zw_linear_block block[ZW_LINEAR_CONTROL_BLOCKS];
    int n = zw_linear_control_blocks(l, block), i = 0;
    if (l->control && l->control->step > 0) {
        zw_report_open(r, "sampled");
        zw_report_number(r, "step", l->control->step, &(zw_shown){.unit = "s"});
        zw_report_say(r, "\n  sampled every {step}, inputs held in between: y(k+1) = A_d y(k) + "
                         "B_d u(k)\n");
        for (; i < n && block[i].key[1]; i++)
            zw_linear_report_block(l, &block[i], r);
        zw_report_close(r);
    }
    if (i < n) /* its arena grows */
        report_regulator((zw_linear_equations *)l, &block[i], r);
}
