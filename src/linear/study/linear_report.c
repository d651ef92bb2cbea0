/* SPDX-License-Identifier: MIT */
/* Linear equations as a report: the motion, states, inputs and outputs, the matrices, eigenvalues
 * with participations, eigenvectors, the stationary distribution under noise. Sentences show pairs
 * of conjugate eigenvalues once. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tolerance.h"
#include "expr/core/name.h"
#include "linear.h"

enum { KEY = 40 };
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

static zw_arena *arena_of(const zw_linear_equations *l) {
    return (zw_arena *)&l->arena; /* of the caller's own object: it grows */
}

/* ----------------------------------------------------------------------------------------- head */

/* How the motion moves, and entries of its state that are not 0. */
static void report_motion(const zw_equilibria *e, zw_report *r) {
    int count = 0, n = e->eq.nq + e->eq.nv;
    char name[400], unit[ZW_DIM_TEXT];
    zw_report_list(r, "symmetries");
    for (int i = 0; i < e->symmetries.n; i++) {
        zw_equilibria_symmetry_name(e, i, name, sizeof name);
        zw_equilibria_rate_unit(e, i, unit, sizeof unit);
        zw_report_open(r, NULL);
        zw_report_word(r, "name", name);
        zw_report_number(r, "rate", e->motion.c[i], &(zw_shown){.unit = unit});
        if (fabs(e->motion.c[i]) > RATE_ZERO)
            zw_report_say(r, count++ ? "            {name} at {rate}\n"
                                     : "  moves by  {name} at {rate}\n");
        zw_report_close(r);
    }
    zw_report_close(r);
    count = 0;
    zw_report_list(r, "motion");
    for (int i = 0; i < n; i++) {
        const char *own, *entry = zw_equilibria_entry(e, i, &own);
        zw_report_open(r, NULL);
        zw_report_word(r, "name", entry);
        zw_report_number(r, "value", e->motion.x[i], &(zw_shown){.unit = own});
        zw_report_word(r, "unit", own);
        if (fabs(e->motion.x[i]) >= STATE_ZERO * e->scale[i])
            zw_report_say(r, count++ ? ", {name} = {value}" : "  at        {name} = {value}");
        zw_report_close(r);
    }
    zw_report_close(r);
    zw_report_say(r, count ? "; all else 0\n" : "  at        all coordinates and velocities 0\n");
}

/* {"name", "value"} items with a line for each */
static void report_item(zw_report *r, int i, const char *label, const char *name, double value,
                        const char *unit) {
    zw_report_open(r, NULL);
    zw_report_word(r, "name", name);
    zw_report_number(r, "value", value, &(zw_shown){.unit = unit});
    zw_report_say(r, i ? "            " : label);
    zw_report_say(r, "{name} = {value}\n");
    zw_report_close(r);
}

static void report_conditions(const zw_equilibria *e, zw_report *r) {
    zw_report_list(r, "signals");
    for (int i = 0; i < e->sys->nsignal; i++)
        report_item(r, i, "  signals   ", e->sys->signal[i].name,
                    zw_system_signal_at(e->sys, i, e->p, e->options.t, e->options.t),
                    e->sys->signal[i].unit);
    zw_report_close(r);
    zw_report_list(r, "solved_for");
    for (int i = 0; i < e->options.nsolve; i++) {
        const zw_param *p = &e->sys->param[e->solve[i]];
        report_item(r, i, "  solved    ", p->name, zw_flow_parameters(e->flow)[e->solve[i]],
                    p->unit);
    }
    zw_report_close(r);
    zw_report_word(r, "warning", e->warning[0] ? e->warning : NULL);
    zw_report_say(r, "{warning?  warning   {warning}\n}");
}

/* "\\varphi_1", in the arena; NULL: no memory, which the report learns from its own */
static const char *latex_of(const zw_linear_equations *l, const char *name, const char *unit) {
    zw_text text;
    zw_text_init(&text, &l->arena.alloc);
    zw_name_latex(&text, name);
    if (unit[0]) {
        zw_text_put(&text, "\\;[\\mathrm{");
        for (const char *s = unit; *s; s++) {
            size_t n = *s == '^' ? strspn(s + 1, "-0123456789") : 0;
            if (*s == '*')
                zw_text_put(&text, "\\,");
            else if (*s == '^')
                zw_text_printf(&text, "^{%.*s}", (int)n, s + 1);
            else
                zw_text_put_n(&text, s, 1);
            s += n;
        }
        zw_text_put(&text, "}]");
    }
    const char *copy = zw_arena_string(arena_of(l), zw_text_get(&text));
    zw_text_clear(&text);
    return copy;
}

/* {"name", "unit", "symbol"} for each; symbol: the name with its unit, as a formula */
static void report_names(const zw_linear_equations *l, const char *key, const char *label, int n,
                         const char *const *name, const char *const *unit, zw_report *r) {
    char text[400];
    zw_report_list(r, key);
    for (int i = 0; i < n; i++) {
        snprintf(text, sizeof text, "%s%s%s%s", name[i], unit[i][0] ? " [" : "", unit[i],
                 unit[i][0] ? "]" : "");
        zw_report_open(r, NULL);
        zw_report_word(r, "name", name[i]);
        zw_report_word(r, "unit", unit[i]);
        zw_report_formula(r, "symbol", text, latex_of(l, name[i], unit[i]));
        zw_report_say(r, i ? ", " : label);
        zw_report_say(r, "{symbol}");
        zw_report_close(r);
    }
    zw_report_close(r);
    zw_report_say(r, n ? "\n" : "");
}

/* d(x) in "= + 2 d(x) - 3 d(y)" */
static void report_combination(const zw_linear_equations *l, int i, zw_report *r) {
    const zw_states *s = &l->states;
    double most = 0;
    for (int k = 0; k < s->nx; k++)
        most = fmax(most, fabs(s->E[i * s->nx + k]) * l->e->scale[k]);
    zw_report_list(r, "terms");
    for (int k = 0; k < s->nx; k++) {
        const char *unit;
        double part = s->E[i * s->nx + k];
        if (!(fabs(part) * l->e->scale[k] > COMBINATION_ZERO * most))
            continue;
        zw_report_open(r, NULL);
        zw_report_word(r, "entry", zw_equilibria_entry(l->e, k, &unit));
        zw_report_number(r, "factor", part, &(zw_shown){.digits = 6});
        zw_report_say(r, " {factor:+} d({entry})");
        zw_report_close(r);
    }
    zw_report_close(r);
}

/* States that are no entries of the model. */
static void report_definitions(const zw_linear_equations *l, zw_report *r) {
    const zw_states *s = &l->states;
    const char **seen = ZW_NEW(arena_of(l), const char *, s->n + 1);
    int turning = 0, rates;
    if (!seen) {
        zw_report_fail(r);
        return;
    }
    for (int i = 0; i < s->n; i++)
        if (s->turning[i])
            seen[turning++] = l->state_name[i];
    zw_report_words(r, "comoving_states", turning, seen);
    zw_report_say(r,
                  "{comoving_states?            {comoving_states}: as a comoving observer sees them"
                  "\n}");
    rates = 0;
    for (int i = 0; i < s->n; i++)
        if (s->kind[i] == ZW_STATE_RATE)
            seen[rates++] = l->state_name[i];
    zw_report_words(r, "comoving_rates", rates, seen);
    zw_report_say(r, "{comoving_rates*            {.}: the rate that a comoving observer sees\n}");
    zw_report_list(r, "combinations");
    for (int i = 0; i < s->n; i++) {
        if (s->kind[i] != ZW_STATE_MIXED)
            continue;
        zw_report_open(r, NULL);
        zw_report_word(r, "name", l->state_name[i]);
        zw_report_say(r, "            {name} =");
        report_combination(l, i, r);
        zw_report_say(r, "\n");
        zw_report_close(r);
    }
    zw_report_close(r);
    zw_report_count(r, "symmetries_kept", s->nkept);
    zw_report_say(r, "{symmetries_kept?            {symmetries_kept|direction|directions} of "
                     "symmetries {symmetries_kept#stays|stay}: chosen states change along\n}");
    zw_report_number(r, "state_condition", s->condition, &(zw_shown){.digits = 2});
    if (s->condition > DEFECTIVE)
        zw_report_say(r, "            the states are nearly dependent: condition "
                         "{state_condition}\n");
}

static void report_head(const zw_linear_equations *l, zw_report *r) {
    zw_report_flag(r, "at_rest", zw_linear_at_rest(l));
    zw_report_say(r, "{model}: linear equations about {at_rest?an equilibrium}{at_rest!a relative "
                     "equilibrium}\n");
    report_motion(l->e, r);
    report_conditions(l->e, r);
    report_names(l, "states", "  states y  ", l->states.n, l->state_name, l->state_unit, r);
    report_definitions(l, r);
    report_names(l, "inputs", "  inputs u  ", l->nin, l->in_name, l->in_unit, r);
    zw_report_list(r, "inputs_in_constraints");
    for (int i = 0; i < l->nin; i++) {
        if (!l->inout.in_constraint[i])
            continue;
        zw_report_open(r, NULL);
        zw_report_word(r, "name", l->in_name[i]);
        zw_report_say(r, "            {name} is in constraints: B and D are valid for values that "
                         "are constant in time\n");
        zw_report_close(r);
    }
    zw_report_close(r);
    report_names(l, "outputs", "  outputs o ", l->nout, l->out_name, l->out_unit, r);
    zw_report_vector(r, "output_values", l->nout, l->inout.value, NULL, NULL);
    zw_report_words(r, "left_out", l->nleft, l->left_out);
    zw_report_say(r, "{left_out*  left out  {.}: it changes along the motion, or has no derivative "
                     "there\n}");
}

/* ------------------------------------------------------------------------------------- matrices */

/* "A" of "A", "M" of "second_order_M", as a key */
static const char *key_of(const zw_linear_block *b) {
    static const struct {
        const char *symbol, *key;
    } second[] = {{"M", "mass"},
                  {"D", "damping"},
                  {"G", "gyroscopic"},
                  {"K", "stiffness"},
                  {"N", "circulatory"}};
    static const char *const first[] = {"A", "a",          "B",   "b",   "C",   "c",   "D", "d",
                                        "P", "covariance", "A_d", "a_d", "B_d", "b_d", "K", "k"};
    for (size_t i = 0; b->key[1] && i < sizeof second / sizeof *second; i++)
        if (strcmp(b->symbol, second[i].symbol) == 0)
            return second[i].key;
    for (size_t i = 0; i < sizeof first / sizeof *first; i += 2)
        if (strcmp(b->key, first[i]) == 0)
            return first[i + 1];
    return "other";
}

/* names of the rows ("(x)'" of rates) or columns, typeset with units */
static const char *const *labels_of(const zw_linear_equations *l, int n, const char *const *name,
                                    const char *const *unit, bool rate, bool latex) {
    const char **out = ZW_NEW(arena_of(l), const char *, n + 1);
    char text[400];
    for (int i = 0; out && i < n; i++) {
        bool dot = rate && latex && !strchr(name[i], '(');
        snprintf(text, sizeof text, dot ? "%s'" : rate && !latex ? "(%s)'" : "%s", name[i]);
        out[i] = latex ? latex_of(l, text, unit[i]) : zw_arena_string(arena_of(l), text);
    }
    return out;
}

void zw_linear_report_block(const zw_linear_equations *l, const zw_linear_block *b, zw_report *r) {
    bool rate = strcmp(b->key, "A") == 0 || strcmp(b->key, "B") == 0;
    double *clean = ZW_NEW(arena_of(l), double, b->rows * b->columns + 1);
    const zw_report_names names = {
        .title = b->symbol,
        .row = labels_of(l, b->rows, b->row, b->row_unit, rate, false),
        .column = b->column,
        .row_latex = labels_of(l, b->rows, b->row, b->row_unit, rate, true),
        .column_latex = labels_of(l, b->columns, b->column, b->column_unit, false, true),
        .shown = clean};
    if (l->arena.failed) {
        zw_report_fail(r);
        return;
    }
    for (int i = 0; i < b->rows; i++)
        for (int j = 0; j < b->columns; j++)
            clean[i * b->columns + j] = zw_linear_clean(b, i, j);
    const char *key = key_of(b);
    char sentence[KEY + 20];
    zw_report_block(r, key, b->rows, b->columns, b->value, &names, &(zw_shown){.digits = 8});
    snprintf(sentence, sizeof sentence, "\n{%s:14}", key);
    zw_report_say(r, sentence);
}

static const char *missing_words(zw_second_reason kind) {
    switch (kind) {
    case ZW_SECOND_NO_COORDINATE:
        return "no coordinate among the states has its own rate among them";
    case ZW_SECOND_COUPLED:
        return "a state of first order acts on the coordinates";
    case ZW_SECOND_INERTIA:
        return "the masses that belong to the states are not determined";
    case ZW_SECOND_THERE:
        break;
    }
    return NULL;
}

static void report_chosen(const zw_linear_equations *l, const char *key, int n, const int *state,
                          zw_report *r) {
    const char **name = ZW_NEW(arena_of(l), const char *, n + 1);
    if (!name) {
        zw_report_fail(r);
        return;
    }
    for (int i = 0; i < n; i++)
        name[i] = l->state_name[state[i]];
    zw_report_words(r, key, n, name);
}

static void report_second_head(const zw_linear_equations *l, zw_report *r) {
    const zw_second_order *o = &l->second;
    bool there = o->reason == ZW_SECOND_THERE;
    zw_report_word(r, "missing", missing_words(o->reason));
    zw_report_word(r, "missing_state",
                   o->reason == ZW_SECOND_COUPLED ? l->state_name[o->culprit] : NULL);
    zw_report_say(r, "{missing?\n  no form of second order: {missing}{missing_state? "
                     "({missing_state})}\n}");
    if (!there)
        return;
    report_chosen(l, "coordinates", o->k, o->s, r);
    report_chosen(l, "omitted", o->nomitted, o->omitted, r);
    report_chosen(l, "integrals", o->nintegral, o->integral, r);
    zw_report_formula(r, "equation", "M s'' + (D + G) s' + (K + N) s = 0",
                      "M\\, \\ddot s + (D + G)\\, \\dot s + (K + N)\\, s = 0");
    zw_report_say(r, "\n  {equation},  s = ({coordinates})\n"
                     "{omitted*            {.} does not act back and is left out\n}"
                     "{integrals*            {.} follows from an integral (Routh)\n}");
}

static void report_matrices(const zw_linear_equations *l, zw_report *r) {
    zw_linear_block block[ZW_LINEAR_BLOCKS], control[ZW_LINEAR_CONTROL_BLOCKS];
    int n = zw_linear_blocks(l, block), i = 0;
    if (n < 0)
        zw_report_fail(r);
    else
        n -= zw_linear_control_blocks(l, control);
    for (; i < n && !block[i].key[1]; i++)
        zw_linear_report_block(l, &block[i], r);
    zw_report_open(r, "second_order");
    report_second_head(l, r);
    for (; i < n; i++)
        zw_linear_report_block(l, &block[i], r);
    zw_report_close(r);
}

/* ---------------------------------------------------------------------------------- eigenvalues */

/* Is state i of the linear equations part of the history of a delay? */
static bool is_past(const zw_linear_equations *l, int i) {
    return l->states.kind[i] == ZW_STATE_ENTRY && zw_system_is_past(l->e->sys, l->states.entry[i]);
}

/* Do the nodes of the delays resolve eigenvalue j? */
static bool is_resolved(const zw_linear_equations *l, int j) {
    return zw_equilibria_resolves(l->e, l->e->p, l->spectrum.re[j], l->spectrum.im[j]);
}

static void report_part(const char *name, double part, bool first, zw_report *r) {
    zw_report_open(r, NULL);
    zw_report_word(r, "state", name);
    zw_report_count(r, "percent", lround(100 * part));
    zw_report_say(r, first ? "in {state} {percent} %" : ", {state} {percent} %");
    zw_report_close(r);
}

/* Participations, the largest first; a defective eigenvalue has none. */
static void report_participation(const zw_linear_equations *l, int j, zw_report *r) {
    const zw_spectrum *s = &l->spectrum;
    double before = INFINITY, past = 0;
    int last = -1;
    for (int i = 0; i < s->n; i++)
        past += is_past(l, i) ? s->participation[i * s->n + j] : 0;
    zw_report_list(r, "takes_part");
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
        report_part(l->state_name[best], before, last < 0, r);
        last = best;
    }
    if (past >= PERCENT_SHOWN)
        report_part("the past of delays", past, last < 0, r);
    else if (last < 0)
        zw_report_say(r, "participation undefined");
    zw_report_close(r);
}

/* The eigenvector of the state, scaled to 1 at its leading entry. */
static void report_vector(const zw_linear_equations *l, int j, zw_report *r) {
    const zw_spectrum *s = &l->spectrum;
    int n = s->n, lead = zw_linear_leader(l, j), nx = l->e->kernel->nx;
    double re = s->mode_re[lead * n + j], im = s->mode_im[lead * n + j], size = re * re + im * im;
    double *x = ZW_NEW(arena_of(l), double, 2 * nx + 1);
    if (!x) {
        zw_report_fail(r);
        return;
    }
    for (int i = 0; i < nx; i++) {
        double a = s->mode_re[i * n + j], b = s->mode_im[i * n + j];
        x[i] = size > 0 ? (a * re + b * im) / size : 0;
        x[nx + i] = size > 0 ? (b * re - a * im) / size : 0;
    }
    zw_report_complexes(r, "vector", nx, x, x + nx, NULL);
    zw_report_flag(r, "moves_along_symmetries", s->open[j]);
}

/* frequency and damping of a pair, the half-life or doubling time of a real eigenvalue */
void zw_linear_report_rates(double re, double im, zw_report *r) {
    double size = hypot(re, im);
    bool pair = im != 0, rate = !pair && re != 0;
    zw_report_number(r, "frequency", fabs(im) / (2 * M_PI), &(zw_shown){.unit = "Hz", .digits = 6});
    zw_report_number(r, "damping", size > 0 ? clean_rounding(-re, im) / size : NAN,
                     &(zw_shown){.digits = 6});
    zw_report_number(r, "half_life", rate && re < 0 ? log(2) / -re : NAN,
                     &(zw_shown){.unit = "s", .digits = 6});
    zw_report_number(r, "doubling_time", rate && re > 0 ? log(2) / re : NAN,
                     &(zw_shown){.unit = "s", .digits = 6});
}

static void report_reach(const zw_spectrum *s, int j, zw_report *r) {
    if (s->controllable) {
        zw_report_flag(r, "controllable", s->is_controllable[j]);
        zw_report_number(r, "control", s->controllable[j], NULL);
        zw_report_say(r, s->is_controllable[j] ? "" : "; no input reaches it");
    }
    if (s->observable) {
        zw_report_flag(r, "observable", s->is_observable[j]);
        zw_report_number(r, "observation", s->observable[j], NULL);
        zw_report_say(r, s->is_observable[j] ? "" : "; no output sees it");
    }
}

static void report_eigenvalue(const zw_linear_equations *l, int j, zw_report *r) {
    const zw_spectrum *s = &l->spectrum;
    double *part = ZW_NEW(arena_of(l), double, s->n + 1), re = clean_rounding(s->re[j], s->im[j]);
    if (!part) {
        zw_report_fail(r);
        return;
    }
    for (int i = 0; i < s->n; i++)
        part[i] = s->participation[i * s->n + j];
    zw_report_mute(r, s->im[j] < 0 || !is_resolved(l, j));
    zw_report_count(r, "mode", zw_linear_mode(l, j));
    zw_report_complex(r, "value", re, s->im[j], &(zw_shown){.unit = "1/s"});
    zw_report_flag(r, "resolved", is_resolved(l, j));
    zw_linear_report_rates(re, s->im[j], r);
    zw_report_number(r, "condition", s->condition[j], &(zw_shown){.digits = 2});
    zw_report_vector(r, "participation", s->n, part, NULL, NULL);
    zw_report_say(r, "  {mode:3} {value:~40}");
    zw_report_say(r, s->im[j] != 0 ? "  {frequency}, damping {damping}"
                                   : "{half_life?  half-life {half_life}}{doubling_time?  doubles "
                                     "in {doubling_time}}");
    zw_report_say(r, "\n        ");
    report_participation(l, j, r);
    report_reach(s, j, r);
    if (s->condition[j] > DEFECTIVE)
        zw_report_say(r, "; defective to working accuracy: condition {condition}");
    else if (s->condition[j] > CONDITION_SHOWN)
        zw_report_say(r, "; condition {condition}");
    zw_report_say(r, "\n");
    report_vector(l, j, r);
    zw_report_mute(r, false);
}

static void report_zeros(const zw_linear_equations *l, zw_report *r) {
    const zw_spectrum *s = &l->spectrum;
    int family = l->e->linear.nfamily;
    zw_report_count(r, "zeros", s->nzero);
    zw_report_count(r, "families", family);
    if (s->nzero > family && !l->states.nkept)
        zw_report_say(r, "    {zeros|zero|zeros}: {families} of neighbouring motions, the others "
                         "grow as powers of time\n");
    else if (s->nzero && !l->states.nkept)
        zw_report_say(r, l->e->family
                             ? "    {zeros|zero|zeros}: neighbouring motions\n"
                             : "    {zeros|zero|zeros}: branches meet or bifurcate here\n");
}

static void report_eigenvalues(const zw_linear_equations *l, zw_report *r) {
    const zw_spectrum *s = &l->spectrum;
    int unresolved = 0;
    zw_report_say(r, "\n  eigenvalues\n");
    if (l->states.nkept)
        zw_report_say(r, "    with those along the symmetries, which zwang view --mode does not "
                         "count\n");
    zw_report_list(r, "eigenvalues");
    for (int j = 0; j < s->n; j++) {
        zw_report_open(r, NULL);
        report_eigenvalue(l, j, r);
        zw_report_close(r);
        unresolved += !is_resolved(l, j);
    }
    zw_report_close(r);
    zw_report_count(r, "unresolved_eigenvalues", unresolved);
    zw_report_say(r,
                  "{unresolved_eigenvalues?    {unresolved_eigenvalues} more are not resolved by "
                  "the nodes of the delays\n}");
    report_zeros(l, r);
    zw_report_count(r, "dimension", s->n);
    if (s->controllable)
        zw_report_count(r, "controllable_dimensions", s->ncontrollable);
    if (s->observable)
        zw_report_count(r, "observable_dimensions", s->nobservable);
    zw_report_say(r, s->controllable
                         ? "    controllable: {controllable_dimensions} of {dimension} dimensions\n"
                         : "");
    zw_report_say(r, s->observable
                         ? "    observable: {observable_dimensions} of {dimension} dimensions\n"
                         : "");
    zw_report_complexes(r, "eigenvalues_along_symmetries", l->e->linear.norbit,
                        l->e->linear.orbit_re, l->e->linear.orbit_im, NULL);
}

/* --------------------------------------------------------------------------------- eigenvectors */

/* Entry i of an eigenvector relative to its leading entry, of this size and phase [rad]. */
static void report_entry(const zw_linear_equations *l, int i, int j, double size, double turn,
                         bool first, zw_report *r) {
    const zw_spectrum *s = &l->spectrum;
    const char *unit, *name = zw_equilibria_entry(l->e, i, &unit);
    double re = s->mode_re[i * s->n + j], im = s->mode_im[i * s->n + j];
    double phase = remainder(atan2(im, re) - turn, 2 * M_PI) * 180 / M_PI;
    bool real = s->im[j] == 0;
    zw_report_open(r, NULL);
    zw_report_word(r, "name", name);
    zw_report_number(r, "size", hypot(re, im) / size * (real && fabs(phase) > 90 ? -1 : 1),
                     &(zw_shown){.unit = unit, .digits = 6});
    zw_report_number(r, "phase",
                     !real && fabs(phase) > PHASE_ZERO ? phase
                     : real                            ? NAN
                                                       : 0,
                     &(zw_shown){.unit = "deg", .digits = 5});
    zw_report_say(r, first ? "{name} {size}" : ", {name} {size}");
    zw_report_say(r, !real && fabs(phase) > PHASE_ZERO ? " at {phase}" : "");
    zw_report_close(r);
}

/* Eigenvector j: the coordinates that move, or velocities if the leading entry is one. */
static void report_mode(const zw_linear_equations *l, int j, zw_report *r) {
    const zw_spectrum *s = &l->spectrum;
    const zw_equilibria *e = l->e;
    int lead = zw_linear_leader(l, j), nx = e->kernel->nx, n = s->n, count = 0;
    double size = hypot(s->mode_re[lead * n + j], s->mode_im[lead * n + j]),
           turn = atan2(s->mode_im[lead * n + j], s->mode_re[lead * n + j]), most = 0;
    for (int i = 0; i < nx; i++)
        most = fmax(most, hypot(s->mode_re[i * n + j], s->mode_im[i * n + j]) / e->scale[i]);
    zw_report_say(r, "  {mode:3} ");
    zw_report_list(r, "entries");
    for (int i = 0; i < nx; i++) {
        double part = hypot(s->mode_re[i * n + j], s->mode_im[i * n + j]);
        bool coordinate = i < e->eq.nq || lead >= e->eq.nq;
        if (coordinate && !zw_system_is_past(e->sys, i) && part / e->scale[i] > MODE_SHOWN * most &&
            size != 0)
            report_entry(l, i, j, size, turn, count++ == 0, r);
    }
    zw_report_close(r);
    zw_report_say(r, s->open[j] ? "; and along the symmetries\n" : "\n");
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

static void report_modes(const zw_linear_equations *l, zw_report *r) {
    zw_report_say(r, "\n  eigenvectors, sizes and phases\n");
    zw_report_list(r, "modes");
    for (int j = 0; j < l->spectrum.n; j++) {
        int like = find_repeated(&l->spectrum, j);
        if (l->spectrum.im[j] < 0 || !is_resolved(l, j))
            continue;
        zw_report_open(r, NULL);
        zw_report_count(r, "mode", zw_linear_mode(l, j));
        zw_report_count(r, "same_as", like >= 0 ? zw_linear_mode(l, like) : 0);
        if (like >= 0)
            zw_report_say(r, "  {mode:3} same as mode {same_as}: the eigenvalue is defective\n");
        else
            report_mode(l, j, r);
        zw_report_close(r);
    }
    zw_report_close(r);
}

/* --------------------------------------------------------------------------- random excitations */

/* why there is no stationary distribution */
static const char *no_covariance(const zw_linear_equations *l) {
    switch (l->no_covariance) {
    case ZW_COVARIANCE_INPUTS:
        return "not all noises are inputs";
    case ZW_COVARIANCE_MULTIPLIED:
        return "a noise multiplies the state (zwang noise)";
    case ZW_COVARIANCE_DELAYED:
        return "white noise is delayed, and has no standard deviation";
    case ZW_COVARIANCE_LARGE:
        return l->e->sys->ndelay ? "there are {state_count} states, it is computed for 40 at most: "
                                   "take fewer nodes"
                                 : "there are {state_count} states, it is computed for 40 at most";
    case ZW_COVARIANCE_NO_STATES:
        return "there are no states";
    default:
        return "the equations are not stable";
    }
}

/* The stationary distribution of the states under noise. */
static void report_stationary(const zw_linear_equations *l, zw_report *r) {
    int n = l->states.n;
    if (!zw_system_is_random(l->e->sys))
        return;
    zw_report_count(r, "state_count", n);
    zw_report_flag(r, "covariance_known", l->covariance != NULL);
    zw_report_say(r, "{covariance_known?\n  standard deviations under the noise, of the linear "
                     "equations (P is the covariance)\n}{covariance_known!\n  no stationary "
                     "distribution under the noise is known: }");
    if (!l->covariance) {
        zw_report_say(r, no_covariance(l));
        zw_report_say(r, "\n");
    }
    zw_report_list(r, "standard_deviations");
    for (int i = 0; l->covariance && i < n; i++) {
        zw_report_open(r, NULL);
        zw_report_word(r, "name", l->state_name[i]);
        zw_report_number(r, "value", sqrt(fmax(l->covariance[i * n + i], 0)),
                         &(zw_shown){.unit = l->state_unit[i], .digits = 8});
        zw_report_say(r, "    {name:-20} {value}\n");
        zw_report_close(r);
    }
    zw_report_close(r);
}

void zw_linear_report(const zw_linear_equations *l, zw_report *out) {
    report_head(l, out);
    report_matrices(l, out);
    report_eigenvalues(l, out);
    report_modes(l, out);
    report_stationary(l, out);
    zw_linear_report_control(l, out);
    if (l->arena.failed)
        zw_report_fail(out);
}
