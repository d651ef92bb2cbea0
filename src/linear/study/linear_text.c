/* SPDX-License-Identifier: MIT */
/* Linear equations as text: the motion, the matrices with names of rows and columns, eigenvalues
 * with participations, eigenvectors. Pairs of conjugate eigenvalues are printed once. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tolerance.h"
#include "linear.h"

enum { WIDTH = 14, LABEL = 14 };
#define DEFECTIVE 1e6       /* condition of an eigenvalue: half of the digits are lost */
#define CONDITION_SHOWN 1e3 /* condition of an eigenvalue worth a word: three digits are lost */
/* of the scale of an entry: printed as zero, a tenth of what %.10g shows */
#define STATE_ZERO 1e-10
#define PERCENT_SHOWN 0.005 /* participation that is not printed: below 1 % after rounding */
/* Part of an eigenvector relative to the largest that is not printed: below what %.6g would show
 * next to 1. */
#define MODE_SHOWN (1e-3 * PERCENT_SHOWN)
#define RATE_ZERO 1e-9 /* rate along a symmetry in its unit: not moving, as in linear_names.c */
#define COMBINATION_ZERO ZW_ROUNDOFF_SOLVED /* coefficient of a combination, of the largest */
#define PHASE_ZERO 1e-9                     /* deg: in phase, by rounding of the eigenvector */
/* 1 - cosine of the angle between eigenvectors of a defective eigenvalue: equal. Its eigenvectors
 * differ by sqrt(eps) times the chain, the cosine by less. */
#define VECTORS_PARALLEL 1e-6

/* A real or imaginary part; 0 if it is rounding relative to the other. */
static double clean_rounding(double part, double other) {
    return fabs(part) < ZW_ROUNDOFF_SUM * fabs(other) ? 0 : part;
}

/* ----------------------------------------------------------------------------------------- head */

static void put_motion(zw_text *out, const zw_linear_equations *l) {
    const zw_equilibria *e = l->e;
    int n = e->eq.nq + e->eq.nv, count = 0;
    char name[400];
    for (int i = 0; i < e->symmetries.n; i++)
        if (fabs(e->motion.c[i]) > RATE_ZERO) {
            zw_equilibria_symmetry_name(e, i, name, sizeof name);
            char unit[ZW_DIM_TEXT];
            zw_equilibria_rate_unit(e, i, unit, sizeof unit);
            zw_text_printf(out, "  %-10s%s at %.10g %s\n", count++ ? "" : "moves by", name,
                           e->motion.c[i], unit);
        }
    count = 0;
    for (int i = 0; i < n; i++) {
        const char *unit, *entry = zw_equilibria_entry(e, i, &unit);
        if (fabs(e->motion.x[i]) >= STATE_ZERO * e->scale[i])
            zw_text_printf(out, "%s%s = %.10g%s%s", count++ ? ", " : "  at        ", entry,
                           e->motion.x[i], unit[0] ? " " : "", unit);
    }
    zw_text_put(out, count ? "; all else 0\n" : "  at        all coordinates and velocities 0\n");
    for (int i = 0; i < e->sys->nsignal; i++)
        zw_text_printf(out, "  %-10s%s = %.10g%s%s\n", i ? "" : "signals", e->sys->signal[i].name,
                       zw_system_signal_at(e->sys, i, e->p, e->options.t, e->options.t),
                       e->sys->signal[i].unit[0] ? " " : "", e->sys->signal[i].unit);
    for (int i = 0; i < e->options.nsolve; i++) {
        const zw_param *p = &e->sys->param[e->solve[i]];
        zw_text_printf(out, "  %-10s%s = %.10g%s%s\n", i ? "" : "solved", p->name,
                       zw_flow_parameters(e->flow)[e->solve[i]], p->unit[0] ? " " : "", p->unit);
    }
    if (e->warning[0])
        zw_text_printf(out, "  %-10s%s\n", "doubtful", e->warning);
}

static void put_names(zw_text *out, const char *label, int n, const char *const *name,
                      const char *const *unit) {
    if (!n)
        return;
    zw_text_printf(out, "  %-10s", label);
    for (int i = 0; i < n; i++)
        zw_text_printf(out, "%s%s%s%s%s", i ? ", " : "", name[i], unit[i][0] ? " [" : "", unit[i],
                       unit[i][0] ? "]" : "");
    zw_text_put(out, "\n");
}

/* States that are no entries of the model. */
static void put_definitions(zw_text *out, const zw_linear_equations *l) {
    const zw_states *s = &l->states;
    int turning = 0;
    for (int i = 0; i < s->n; i++)
        if (s->turning[i])
            zw_text_printf(out, "%s%s", turning++ ? ", " : "            ", l->state_name[i]);
    zw_text_put(out, turning ? ": as an observer sees it who moves along\n" : "");
    for (int i = 0; i < s->n; i++) {
        if (s->kind[i] == ZW_STATE_RATE)
            zw_text_printf(out, "            %s: the rate that an observer sees who moves along\n",
                           l->state_name[i]);
        if (s->kind[i] != ZW_STATE_MIXED)
            continue;
        double most = 0;
        for (int k = 0; k < s->nx; k++)
            most = fmax(most, fabs(s->E[i * s->nx + k]) * l->e->scale[k]);
        zw_text_printf(out, "            %s =", l->state_name[i]);
        for (int k = 0; k < s->nx; k++) {
            const char *unit;
            double part = s->E[i * s->nx + k];
            if (fabs(part) * l->e->scale[k] > COMBINATION_ZERO * most)
                zw_text_printf(out, " %s %.6g d(%s)", part < 0 ? "-" : "+", fabs(part),
                               zw_equilibria_entry(l->e, k, &unit));
        }
        zw_text_put(out, "\n");
    }
    if (s->nkept)
        zw_text_printf(
            out, "            %d direction%s of symmetries stay%s: chosen states change along\n",
            s->nkept, s->nkept > 1 ? "s" : "", s->nkept > 1 ? "" : "s");
    if (s->condition > DEFECTIVE)
        zw_text_printf(out, "            the states are nearly dependent: condition %.1e\n",
                       s->condition);
}

static void put_head(zw_text *out, const zw_linear_equations *l) {
    zw_text_printf(out, "%s: linear equations about %s\n", l->e->sys->name,
                   zw_linear_at_rest(l) ? "an equilibrium" : "a steady motion");
    put_motion(out, l);
    put_names(out, "states y", l->states.n, l->state_name, l->state_unit);
    put_definitions(out, l);
    put_names(out, "inputs u", l->nin, l->in_name, l->in_unit);
    for (int i = 0; i < l->nin; i++)
        if (l->inout.in_constraint[i])
            zw_text_printf(out,
                           "            %s is in constraints: B and D hold for values that are "
                           "constant in time\n",
                           l->in_name[i]);
    put_names(out, "outputs o", l->nout, l->out_name, l->out_unit);
    for (int i = 0; i < l->nleft; i++)
        zw_text_printf(out, "  %-10s%s: it changes along the motion, or has no derivative there\n",
                       i ? "" : "left out", l->left_out[i]);
}

/* ------------------------------------------------------------------------------------- matrices */

static int longest_name(int n, const char *const *name, int least) {
    for (int i = 0; i < n; i++)
        least = (int)strlen(name[i]) > least ? (int)strlen(name[i]) : least;
    return least;
}

static void put_matrix(zw_text *out, const zw_linear_block *b) {
    bool rate = strcmp(b->key, "A") == 0 || strcmp(b->key, "B") == 0;
    int label = longest_name(b->rows, b->row, LABEL - 3) + 3;
    zw_text_printf(out, "\n  %-*s", label, b->symbol);
    for (int j = 0; j < b->columns; j++)
        zw_text_printf(out, " %*s", longest_name(1, b->column + j, WIDTH), b->column[j]);
    zw_text_put(out, "\n");
    for (int i = 0; i < b->rows; i++) {
        char name[400];
        snprintf(name, sizeof name, rate ? "(%s)'" : "%s", b->row[i]);
        zw_text_printf(out, "  %-*s", label, name);
        for (int j = 0; j < b->columns; j++)
            zw_text_printf(out, " %*.8g", longest_name(1, b->column + j, WIDTH),
                           zw_linear_clean(b, i, j));
        zw_text_put(out, "\n");
    }
}

static void put_second_head(zw_text *out, const zw_linear_equations *l) {
    const zw_second_order *o = &l->second;
    if (o->reason == ZW_SECOND_THERE) {
        zw_text_put(out, "\n  M s'' + (D + G) s' + (K + N) s = 0,  s = (");
        for (int i = 0; i < o->k; i++)
            zw_text_printf(out, "%s%s", i ? ", " : "", l->state_name[o->s[i]]);
        zw_text_put(out, ")\n");
        for (int i = 0; i < o->nomitted; i++)
            zw_text_printf(out, "            %s does not act back and is left out\n",
                           l->state_name[o->omitted[i]]);
        for (int i = 0; i < o->nintegral; i++)
            zw_text_printf(out, "            %s follows from an integral (Routh)\n",
                           l->state_name[o->integral[i]]);
        return;
    }
    zw_text_put(out, "\n  no form of second order: ");
    if (o->reason == ZW_SECOND_NO_COORDINATE)
        zw_text_put(out, "no coordinate among the states has a rate of its own\n");
    else if (o->reason == ZW_SECOND_COUPLED)
        zw_text_printf(out,
                       "%s drives the coordinates and has an equation of first order of its own\n",
                       l->state_name[o->culprit]);
    else
        zw_text_put(out, "the masses that belong to the states are not determined\n");
}

static void put_matrices(zw_text *out, const zw_linear_equations *l) {
    zw_linear_block block[ZW_LINEAR_BLOCKS];
    int n = zw_linear_blocks(l, block);
    bool second = false;
    out->failed |= n < 0;
    for (int i = 0; i < n; i++) {
        if (block[i].key[1] && !second)
            put_second_head(out, l);
        second |= block[i].key[1] != '\0';
        put_matrix(out, &block[i]);
    }
    if (!second)
        put_second_head(out, l);
}

/* ---------------------------------------------------------------------------------- eigenvalues */

static void put_value(zw_text *out, double re, double im) {
    double size = hypot(re, im);
    if (im == 0)
        zw_text_printf(out, "%17.10g                      ", re);
    else
        zw_text_printf(out, "%17.10g +- %16.10gi ", clean_rounding(re, im), im);
    if (im != 0)
        zw_text_printf(out, " %10.6g Hz, damping %9.6f", im / (2 * M_PI),
                       clean_rounding(-re, im) / size);
    else if (re != 0)
        zw_text_printf(out, " %s in %.6g s", re > 0 ? "doubles" : "halves", log(2) / fabs(re));
}

/* Is state i of the linear equations part of the history of a delay? */
static bool is_past(const zw_linear_equations *l, int i) {
    return l->states.kind[i] == ZW_STATE_ENTRY && zw_system_is_past(l->e->sys, l->states.entry[i]);
}

/* Do the nodes of the delays resolve eigenvalue j? */
static bool is_resolved(const zw_linear_equations *l, int j) {
    return zw_equilibria_resolves(l->e, l->e->p, l->spectrum.re[j], l->spectrum.im[j]);
}

/* Participations in percent, the largest first; a defective eigenvalue has none. */
static void put_participation(zw_text *out, const zw_linear_equations *l, int j) {
    const zw_spectrum *s = &l->spectrum;
    double before = INFINITY, past = 0;
    int last = -1;
    for (int i = 0; i < s->n; i++)
        past += is_past(l, i) ? s->participation[i * s->n + j] : 0;
    for (int shown = 0; shown < s->n; shown++) {
        int best = -1;
        for (int i = 0; i < s->n; i++) {
            double p = s->participation[i * s->n + j];
            bool later = p < before || (p == before && i > last);
            if (p >= PERCENT_SHOWN && later && !is_past(l, i) &&
                (best < 0 || p > s->participation[best * s->n + j]))
                best = i;
        }
        if (best < 0)
            break;
        before = s->participation[best * s->n + j];
        last = best;
        zw_text_printf(out, "%s%s %.0f %%", shown ? ", " : "in ", l->state_name[best],
                       100 * before);
    }
    if (past >= PERCENT_SHOWN)
        zw_text_printf(out, "%sthe past of delays %.0f %%", last < 0 ? "in " : ", ", 100 * past);
    else if (last < 0)
        zw_text_put(out, "participation undefined");
}

static void put_eigenvalues(zw_text *out, const zw_linear_equations *l) {
    const zw_spectrum *s = &l->spectrum;
    zw_text_put(out, "\n  eigenvalues\n");
    if (l->states.nkept)
        zw_text_put(
            out, "    with those along the symmetries, which zwang view --mode does not count\n");
    int beyond = 0;
    for (int j = 0; j < s->n; j++) {
        beyond += !is_resolved(l, j);
        if (s->im[j] < 0 || !is_resolved(l, j))
            continue;
        zw_text_printf(out, "  %3d ", zw_linear_mode(l, j));
        put_value(out, s->re[j], s->im[j]);
        zw_text_put(out, "\n        ");
        put_participation(out, l, j);
        if (s->controllable && !s->is_controllable[j])
            zw_text_put(out, "; no input reaches it");
        if (s->observable && !s->is_observable[j])
            zw_text_put(out, "; no output sees it");
        if (s->condition[j] > DEFECTIVE)
            zw_text_printf(out, "; defective to working accuracy: condition %.1e", s->condition[j]);
        else if (s->condition[j] > CONDITION_SHOWN)
            zw_text_printf(out, "; condition %.1e", s->condition[j]);
        zw_text_put(out, "\n");
    }
    if (beyond)
        zw_text_printf(out, "    %d more are beyond what the nodes of the delays resolve\n",
                       beyond);
    if (s->nzero > l->e->linear.nfamily && !l->states.nkept)
        zw_text_printf(
            out,
            "    %d zero%s: %d neighbouring steady motions, the others grow as powers of time\n",
            s->nzero, s->nzero > 1 ? "s" : "", l->e->linear.nfamily);
    else if (s->nzero && !l->states.nkept)
        zw_text_printf(out, "    %d zero%s: %s\n", s->nzero, s->nzero > 1 ? "s" : "",
                       l->e->family ? "neighbouring steady motions"
                                    : "solutions meet or branch here");
    if (s->controllable)
        zw_text_printf(out, "    controllable: %d of %d dimensions\n", s->ncontrollable, s->n);
    if (s->observable)
        zw_text_printf(out, "    observable: %d of %d dimensions\n", s->nobservable, s->n);
}

/* --------------------------------------------------------------------------------- eigenvectors */

/* Eigenvector j: the coordinates that move, or velocities if the leading entry is one. */
static void put_mode(zw_text *out, const zw_linear_equations *l, int j) {
    const zw_spectrum *s = &l->spectrum;
    const zw_equilibria *e = l->e;
    int lead = zw_linear_leader(l, j), nx = e->kernel->nx, n = s->n;
    double size = hypot(s->mode_re[lead * n + j], s->mode_im[lead * n + j]),
           turn = atan2(s->mode_im[lead * n + j], s->mode_re[lead * n + j]), most = 0;
    for (int i = 0; i < nx; i++)
        most = fmax(most, hypot(s->mode_re[i * n + j], s->mode_im[i * n + j]) / e->scale[i]);
    zw_text_printf(out, "  %3d ", zw_linear_mode(l, j));
    for (int i = 0, count = 0; i < nx; i++) {
        const char *unit, *name = zw_equilibria_entry(e, i, &unit);
        double re = s->mode_re[i * n + j], im = s->mode_im[i * n + j], part = hypot(re, im);
        bool coordinate = i < e->eq.nq || lead >= e->eq.nq;
        if (!coordinate || zw_system_is_past(e->sys, i) ||
            !(part / e->scale[i] > MODE_SHOWN * most) || size == 0)
            continue;
        double phase = remainder(atan2(im, re) - turn, 2 * M_PI) * 180 / M_PI;
        zw_text_printf(out, "%s%s %.6g%s%s", count ? ", " : "", name,
                       part / size * (s->im[j] == 0 && fabs(phase) > 90 ? -1 : 1),
                       unit[0] ? " " : "", unit);
        if (s->im[j] != 0 && fabs(phase) > PHASE_ZERO)
            zw_text_printf(out, " at %.5g deg", phase);
        count++;
    }
    zw_text_put(out, s->open[j] ? "; and along the symmetries\n" : "\n");
}

/* An earlier eigenvalue with the same eigenvector as the defective eigenvalue j, or -1. */
static int find_repeated(const zw_spectrum *s, int j) {
    for (int k = 0; k < j && s->condition[j] > DEFECTIVE; k++) {
        double dot_re = 0, dot_im = 0, jj = 0, kk = 0;
        for (int i = 0; i < s->n; i++) {
            double a = s->right_re[i * s->n + j], b = s->right_im[i * s->n + j],
                   c = s->right_re[i * s->n + k], d = s->right_im[i * s->n + k];
            dot_re += a * c + b * d;
            dot_im += a * d - b * c;
            jj += a * a + b * b;
            kk += c * c + d * d;
        }
        if (hypot(dot_re, dot_im) > (1 - VECTORS_PARALLEL) * sqrt(jj * kk))
            return k;
    }
    return -1;
}

static void put_modes(zw_text *out, const zw_linear_equations *l) {
    zw_text_put(out, "\n  eigenvectors, sizes and phases\n");
    for (int j = 0; j < l->spectrum.n; j++) {
        int like = find_repeated(&l->spectrum, j);
        if (l->spectrum.im[j] < 0 || !is_resolved(l, j))
            continue;
        if (like >= 0)
            zw_text_printf(out, "  %3d same as mode %d: the eigenvalue is defective\n",
                           zw_linear_mode(l, j), zw_linear_mode(l, like));
        else
            put_mode(out, l, j);
    }
}

/* The reason why there is no stationary distribution. */
static void put_no_covariance(zw_text *out, const zw_linear_equations *l) {
    zw_text_put(out, "\n  no stationary distribution under the noise is known: ");
    switch (l->no_covariance) {
    case ZW_COVARIANCE_INPUTS:
        zw_text_put(out, "not all noises are inputs\n");
        break;
    case ZW_COVARIANCE_MULTIPLIED:
        zw_text_put(out, "a noise multiplies the state (zwang noise)\n");
        break;
    case ZW_COVARIANCE_DELAYED:
        zw_text_put(out, "white noise is delayed, and has no standard deviation\n");
        break;
    case ZW_COVARIANCE_LARGE:
        zw_text_printf(out, "there are %d states, it is computed for 40 at most%s\n", l->states.n,
                       l->e->sys->ndelay ? ": take fewer nodes" : "");
        break;
    case ZW_COVARIANCE_NO_STATES:
        zw_text_put(out, "there are no states\n");
        break;
    default:
        zw_text_put(out, "the equations are not stable\n");
    }
}

/* The stationary distribution of the states under noise. */
static void put_stationary(zw_text *out, const zw_linear_equations *l) {
    int n = l->states.n;
    if (!zw_system_is_random(l->e->sys))
        return;
    if (!l->covariance) {
        put_no_covariance(out, l);
        return;
    }
    zw_text_put(
        out,
        "\n  standard deviations under the noise, of the linear equations (P is the covariance)\n");
    for (int i = 0; i < n; i++)
        zw_text_printf(out, "    %-20s %.8g%s%s\n", l->state_name[i],
                       sqrt(fmax(l->covariance[i * n + i], 0)), l->state_unit[i][0] ? " " : "",
                       l->state_unit[i]);
}

void zw_linear_put_text(zw_text *out, const zw_linear_equations *l) {
    put_head(out, l);
    put_matrices(out, l);
    put_eigenvalues(out, l);
    put_modes(out, l);
    put_stationary(out, l);
}
