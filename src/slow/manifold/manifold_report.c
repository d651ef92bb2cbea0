/* SPDX-License-Identifier: MIT */
/* A slow manifold as a report, and its warnings. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "manifold.h"
#include "slow/order_errors.h"

/* ------------------------------------------------------------------------------------ formulas */

static void report_formula(zw_report *out, const char *key, const zw_manifold *m, zw_expr e) {
    char *text = zw_print(m->ctx, e, ZW_TEXT);
    if (!text)
        zw_report_fail(out);
    zw_report_word(out, key, text);
    zw_string_free(m->ctx, text);
}

static void report_formulas_of(zw_report *out, const char *key, const zw_manifold *m, int n,
                               const zw_expr *e) {
    char *text[ZW_MANIFOLD_FAST_MOST] = {0};
    const char *word[ZW_MANIFOLD_FAST_MOST];
    for (int i = 0; i < n; i++) {
        text[i] = zw_print(m->ctx, e[i], ZW_TEXT);
        word[i] = text[i] ? text[i] : "";
        if (!text[i])
            zw_report_fail(out);
    }
    zw_report_words(out, key, n, word);
    for (int i = 0; i < n; i++)
        zw_string_free(m->ctx, text[i]);
}

static const char *small_unit(const zw_manifold *m) {
    const char *name = zw_expr_name(m->ctx, m->result.small);
    for (int i = 0; i < m->sys->np; i++)
        if (strcmp(m->sys->param[i].name, name) == 0)
            return m->sys->param[i].unit;
    return "";
}

static void report_problem(zw_report *out, const zw_manifold *m) {
    const zw_manifold_result *r = &m->result;
    zw_report_word(out, "small_parameter", zw_expr_name(m->ctx, r->small));
    zw_report_number(out, "small_value", r->eps, &(zw_shown){.unit = small_unit(m), .digits = 6});
    zw_report_count(out, "order", r->norder);
    zw_report_flag(out, "closed_form", r->closed);
}

static void report_slow(zw_report *out, const zw_manifold *m) {
    const zw_manifold_result *r = &m->result;
    zw_report_list(out, "slow");
    for (int i = 0; i < r->nx; i++) {
        zw_report_open(out, NULL);
        zw_report_word(out, "name", r->x[i].name);
        zw_report_word(out, "unit", r->x[i].unit);
        report_formula(out, "rate", m, m->f[i]);
        zw_report_close(out);
    }
    zw_report_close(out);
}

/* a fast variable: its rate times the small parameter, and the orders of the manifold */
static void report_fast(zw_report *out, const zw_manifold *m) {
    const zw_manifold_result *r = &m->result;
    zw_expr order[ZW_MANIFOLD_ORDER_MOST + 1];
    zw_report_list(out, "fast");
    for (int j = 0; j < r->ny; j++) {
        for (int k = 0; k <= r->norder; k++)
            order[k] = r->h[k * r->ny + j];
        zw_report_open(out, NULL);
        zw_report_word(out, "name", r->y[j].name);
        zw_report_word(out, "unit", r->y[j].unit);
        report_formula(out, "rate_times_small", m, r->g[j]);
        report_formulas_of(out, "orders", m, r->norder + 1, order);
        report_formulas_of(out, "derivatives", m, r->ny, r->g_y + (size_t)(j * r->ny));
        zw_report_close(out);
    }
    zw_report_close(out);
}

static void report_held(zw_report *out, const zw_manifold *m) {
    const zw_manifold_held *e = m->held;
    if (!e)
        return;
    zw_report_open(out, "held");
    zw_report_word(out, "name", e->name);
    zw_report_word(out, "formula", e->formula);
    zw_report_word(out, "in_place_of", m->result.x[e->instead].name);
    zw_report_number(out, "value", e->start, &(zw_shown){.unit = e->unit});
    zw_report_flag(out, "proved", e->proved);
    report_formula(out, "quantity", m, e->quantity);
    report_formula(out, "variable", m, e->value);
    report_formulas_of(out, "rates", m, m->result.norder + 1, e->rate);
    zw_report_close(out);
}

static void report_formulas(zw_report *out, const zw_manifold *m) {
    const zw_manifold_result *r = &m->result;
    report_slow(out, m);
    report_fast(out, m);
    report_held(out, m);
    zw_report_count(out, "slow_count", r->nx);
    zw_report_count(out, "fast_count", r->ny);
    zw_report_say(out, "Slow manifold of {fast_count|fast variable|fast variables} over "
                       "{slow_count|slow variable|slow variables}, up to "
                       "{small_parameter}^{order}; {small_parameter} = {small_value}\n");
}

/* ----------------------------------------------------------------------------------- the manifold */

static void report_value(zw_report *out, const zw_manifold_entry *e, double value, bool first,
                         const char *before) {
    char text[120];
    zw_report_open(out, NULL);
    zw_report_word(out, "name", e->name);
    zw_report_number(out, "value", value, &(zw_shown){.unit = e->unit, .digits = 6});
    if (before) {
        snprintf(text, sizeof text, "%s{name} = {value}", first ? before : ", ");
        zw_report_say(out, text);
    }
    zw_report_close(out);
}

/* A state: slow, then fast variables. The sentence begins with `before` (NULL: there is none); of a
 * point that `slow_only` describes it has the slow variables. */
static void report_state(zw_report *out, const zw_manifold *m, const double *x, const double *y,
                         const char *before, bool slow_only) {
    const zw_manifold_result *r = &m->result;
    zw_report_list(out, "at");
    for (int i = 0; i < r->nx; i++)
        report_value(out, &r->x[i], x[i], i == 0, before);
    for (int i = 0; i < r->ny; i++)
        report_value(out, &r->y[i], y[i], false, slow_only ? NULL : before);
    zw_report_close(out);
}

static void report_place(zw_report *out, const zw_manifold *m, const char *key,
                         const zw_manifold_place *p, const char *before) {
    if (!p->x)
        return;
    zw_report_open(out, key);
    zw_report_number(out, "rate", p->rate, &(zw_shown){.unit = "1/s", .digits = 6});
    zw_report_say(out, before ? before : "");
    report_state(out, m, p->x, p->y, before ? "" : NULL, true);
    zw_report_say(out, before ? "\n" : "");
    zw_report_close(out);
}

static const char *fold_word(const zw_manifold_fold *f) {
    return f->crossing ? "crossing"
           : f->flat   ? "flat"
           : f->canard ? "canard"
           : f->jump   ? "jump"
                       : "leaves";
}

static void report_fold(zw_report *out, const zw_manifold *m, const zw_manifold_fold *f) {
    zw_report_open(out, NULL);
    report_state(out, m, f->x, f->y, "  fold at ", false);
    zw_report_word(out, "kind", fold_word(f));
    zw_report_say(out, f->canard ? ": a canard point, which the slow flow may pass\n"
                       : f->jump ? ": the slow flow arrives there and jumps\n"
                                 : ": the slow flow leaves it\n");
    zw_report_close(out);
}

/* Branches may cross, or continue, along whole lines: sentences have the first point and their
 * number. */
static void report_no_folds(zw_report *out, const zw_manifold *m, const zw_manifold_nature *n,
                            bool crossing) {
    int count = 0;
    char text[120];
    for (int i = 0; i < n->nfold; i++) {
        const zw_manifold_fold *f = &n->fold[i];
        if (crossing ? !f->crossing : !f->flat || f->crossing)
            continue;
        zw_report_open(out, NULL);
        report_state(out, m, f->x, f->y, count == 0 ? "  no fold at " : NULL, false);
        zw_report_word(out, "kind", fold_word(f));
        zw_report_close(out);
        count++;
    }
    if (count > 1) {
        snprintf(text, sizeof text, " and at %d more points", count - 1);
        zw_report_say(out, text);
    }
    if (count > 0)
        zw_report_say(out, crossing ? ": branches of the critical manifold cross there\n"
                                    : ": dg/dy is zero, but the branch continues\n");
}

static const char *nature_sentence(const zw_manifold_nature *n) {
    if (n->npoint == n->missing)
        return "there is none on the branch near the start\n";
    if (n->attracting == n->npoint)
        return n->nfold > 0 ? "it attracts at all of them\n"
                            : "normally hyperbolic, it attracts everywhere\n";
    if (n->repelling == n->npoint)
        return "normally hyperbolic, it repels everywhere\n";
    if (n->saddle == n->npoint)
        return "normally hyperbolic, everywhere it attracts in some directions and repels in "
               "others\n";
    return "it attracts at {attracting}, repels at {repelling}, does both at {saddle}, is missing "
           "at {missing}\n";
}

static void report_nature(zw_report *out, const zw_manifold *m, const zw_manifold_nature *n) {
    zw_report_open(out, "manifold");
    zw_report_count(out, "points", n->npoint);
    zw_report_count(out, "missing", n->missing);
    zw_report_count(out, "attracting", n->attracting);
    zw_report_count(out, "repelling", n->repelling);
    zw_report_count(out, "saddle", n->saddle);
    zw_report_count(out, "neutral", n->neutral);
    zw_report_count(out, "not_much_faster", n->mixed);
    zw_report_number(out, "rate_ratio_least", n->closest.x ? n->gap : NAN,
                     &(zw_shown){.digits = 4});
    zw_report_say(out, "Critical manifold over the box, {points|point|points}: ");
    zw_report_say(out, nature_sentence(n));
    zw_report_say(out, "{neutral?  It is not normally hyperbolic at {neutral}: an eigenvalue of "
                       "dg/dy is on the imaginary axis.\n}");
    if (n->npoint > n->missing) {
        report_place(out, m, "slowest", &n->weakest, "  attraction is slowest, {rate}, at ");
        report_place(out, m, "fastest", &n->strongest, "  and fastest, {rate}, at ");
    }
    report_place(out, m, "closest", &n->closest, NULL);
    zw_report_list(out, "folds");
    for (int i = 0; i < n->nfold; i++)
        if (!n->fold[i].crossing && !n->fold[i].flat)
            report_fold(out, m, &n->fold[i]);
    report_no_folds(out, m, n, true);
    report_no_folds(out, m, n, false);
    zw_report_close(out);
    zw_report_count(out, "fold_count", n->nfold);
    zw_report_flag(out, "more_folds", n->more);
    zw_report_say(out, "{more_folds?  The search ended with {fold_count} of them; a smaller --box "
                       "may have more.\n}");
    zw_report_close(out);
}

static void report_errors(zw_report *out, const zw_manifold *m, const zw_manifold_summary *s) {
    const zw_manifold_errors *e = &s->errors;
    char title[160];
    zw_order_errors shown = {.key = "errors",
                             .title = title,
                             .small = zw_expr_name(m->ctx, m->result.small),
                             .unit = small_unit(m),
                             .norder = m->result.norder + 1,
                             .nlevel = e->nlevel,
                             .eps = e->eps,
                             .npoint = e->npoint,
                             .error = e->manifold,
                             .power = e->slope,
                             .further = {{"residual", "residual", e->residual, false},
                                         {"change", "change", e->change, true}}};
    snprintf(title, sizeof title,
             "Errors of orders 0 to %d compared with the manifold by collocation at %d points, and "
             "its residual between them",
             m->result.norder, e->npoint);
    zw_order_errors_report(out, &shown);
    if (!s->has_flow)
        return;
    shown.key = "flow_errors";
    shown.error = e->flow;
    shown.power = e->flow_slope;
    memset(shown.further, 0, sizeof shown.further);
    snprintf(title, sizeof title, "Errors of the slow variables of the reduced flow after %.6g s",
             s->time);
    zw_order_errors_report(out, &shown);
}

static void report_run(zw_report *out, const zw_manifold_summary *s) {
    const zw_manifold_approach *a = &s->approach;
    zw_shown six = {.digits = 6}, rate = {.unit = "1/s", .digits = 6};
    zw_report_open(out, "run");
    zw_report_number(out, "until", s->until, &(zw_shown){.unit = "s", .digits = 6});
    zw_report_number(out, "distance_start", a->start, &six);
    zw_report_number(out, "distance_end", a->end, &six);
    zw_report_number(out, "decay_rate", a->rate, &rate);
    zw_report_number(out, "decay_rate_predicted", a->predicted, &rate);
    zw_report_number(out, "decay_until", a->until, &(zw_shown){.unit = "s", .digits = 3});
    zw_report_say(out, "Distance from the manifold up to {small_parameter}^{order}: "
                       "{distance_start} at the start, {distance_end} at t = {until}\n"
                       "{decay_rate?  It decreases at the rate {decay_rate} until t = "
                       "{decay_until}; by dg/dy: {decay_rate_predicted}\n}"
                       "{decay_rate!  No rate: from this start the distance does not decrease far "
                       "enough.\n}");
    zw_report_close(out);
}

/* "1 + (-1/8)*eps^1" */
static void put_expansion(zw_text *t, const zw_manifold *m, const zw_manifold_canard *c) {
    for (int k = 0; k <= c->order; k++) {
        char *text = zw_print(m->ctx, c->value[k], ZW_TEXT);
        zw_text_printf(t, k ? " + (%s)" : "%s", text ? text : "?");
        if (k)
            zw_text_printf(t, "*%s^%d", zw_expr_name(m->ctx, m->result.small), k);
        zw_string_free(m->ctx, text);
    }
}

static void report_canard(zw_report *out, const zw_manifold *m, const zw_manifold_canard *c) {
    zw_allocator alloc = zw_context_allocator(m->ctx);
    double coefficient[ZW_MANIFOLD_ORDER_MOST + 1], sum = 0;
    zw_text expansion;
    for (int k = 0; k <= c->order; k++) {
        coefficient[k] = zw_expr_number(m->ctx, c->value[k]);
        sum += pow(m->result.eps, k) * coefficient[k];
    }
    zw_text_init(&expansion, &alloc);
    put_expansion(&expansion, m, c);
    zw_report_open(out, NULL);
    report_state(out, m, &c->x, &c->y, "Canard at ", false);
    zw_report_word(out, "parameter", c->parameter);
    zw_report_word(out, "expansion", zw_text_get(&expansion));
    zw_report_vector(out, "coefficients", c->order + 1, coefficient, NULL, NULL);
    zw_report_number(out, "value", sum, NULL);
    zw_report_say(out, ": {parameter} = {expansion} = {value} at {small_parameter} = "
                       "{small_value}\n");
    zw_report_close(out);
    zw_text_clear(&expansion);
}

static void report_canards(zw_report *out, const zw_manifold *m, const zw_manifold_summary *s) {
    zw_report_list(out, "canards");
    for (int i = 0; i < s->ncanard; i++)
        report_canard(out, m, &s->canard[i]);
    zw_report_close(out);
}

void zw_manifold_report(const zw_manifold *m, const zw_manifold_summary *s, zw_report *out) {
    bool numbers = s && (s->has_nature || s->has_run || s->ncanard);
    report_problem(out, m);
    if (!numbers) {
        report_formulas(out, m);
        return;
    }
    if (s->ncanard)
        report_canards(out, m, s);
    if (s->has_nature)
        report_nature(out, m, &s->nature);
    if (s->has_errors)
        report_errors(out, m, s);
    if (s->nmotion) {
        zw_report_count(out, "motions", s->nmotion);
        zw_report_say(out, "{motions|trajectory|trajectories} of the reduced flow\n");
    }
    if (s->has_run)
        report_run(out, s);
}

/* ------------------------------------------------------------------------------------- warnings */

/* Motions converge to the manifold and stay near it where the fast rates exceed the slow ones. Near
 * a fold that is never so: with folds, warn if it is not so at more than a quarter of the
 * points. */
static void warn_gap(const zw_manifold *m, const zw_manifold_nature *n, zw_warnings *out) {
    const zw_manifold_result *r = &m->result;
    int there = n->npoint - n->missing;
    if (n->mixed == 0 || (n->nfold > 0 && 4 * n->mixed <= there))
        return;
    zw_warning d = zw_warning_of(
        "gap", NAN,
        "the fast variables are not much faster than the slow flow at %d of %d points: %.4g 1/s "
        "compared with %.4g 1/s at %s = %.6g%s; %s = %.6g is not small, and the expansion, folds "
        "and jumps do not describe the motions there",
        n->mixed, there, n->closest.rate, n->closest.rate / n->gap, r->x[0].name, n->closest.x[0],
        r->nx > 1 ? ", ..." : "", zw_expr_name(m->ctx, r->small), r->eps);
    zw_warning_hint(&d, "use a smaller value of it, by --set; --propose shows what is fast along a "
                        "run");
    zw_warnings_add(out, &d);
}

/* Formulas and the reduced model exist wherever dg/dy is regular; motions converge to the manifold
 * only where it attracts. */
static void warn_attraction(const zw_manifold_nature *n, zw_warnings *out) {
    if (n->attracting || n->missing)
        return;
    zw_warning d = zw_warning_of(
        "attraction", NAN,
        n->neutral ? "at the start the manifold is not normally hyperbolic: an eigenvalue of dg/dy "
                     "is on the imaginary axis; motions do not approach it, and it need not exist"
        : n->repelling ? "at the start the manifold repels: motions leave it"
                       : "at the start the manifold repels in some directions: motions leave it");
    zw_warning_hint(&d, "--box NAME=FROM:TO shows where it attracts");
    zw_warnings_add(out, &d);
}

/* the solution is not unique: x is where it changes most, or NULL; eps: for which it was computed */
static void warn_change(const zw_manifold *m, double change, double eps, const double *x,
                        zw_warnings *out) {
    const zw_manifold_result *r = &m->result;
    char how[80], where[300] = "";
    size_t n = 0;
    if (!(change > ZW_MANIFOLD_CHANGE))
        return;
    snprintf(how, sizeof how,
             isfinite(change) ? "changes by %.2g of its largest value" : "does not exist", change);
    for (int i = 0; x && isfinite(change) && i < r->nx && n < sizeof where; i++)
        n += (size_t)snprintf(where + n, sizeof where - n, "%s%s = %.6g%s%s", n ? ", " : " at ",
                              r->x[i].name, x[i], r->x[i].unit[0] ? " " : "", r->x[i].unit);
    zw_warning d = zw_warning_of("other solutions", NAN,
                                 "the manifold without expansion is not determined over the whole "
                                 "box: for %s = %.6g it %s with fewer points%s; where it is far "
                                 "from the orders of the expansion it is another solution",
                                 zw_expr_name(m->ctx, r->small), eps, how, where);
    zw_warning_hint(&d, "use a smaller --box, or a smaller value of the small parameter");
    zw_warnings_add(out, &d);
}

static void warn_surface(const zw_manifold *m, const zw_manifold_trust *trust, zw_warnings *out) {
    warn_change(m, trust->change, m->result.eps, trust->x, out);
    if (trust->solved)
        return;
    zw_warning d =
        zw_warning_of("collocation", NAN,
                      "the invariance equation has no solution over the box: the table has only "
                      "the orders of the expansion");
    zw_warning_hint(&d, "use a smaller --box, or a smaller value of the small parameter");
    zw_warnings_add(out, &d);
}

void zw_manifold_warnings(const zw_manifold *m, const zw_manifold_summary *s, zw_warnings *out) {
    if (m->held && !m->held->proved) {
        zw_warning d = zw_warning_of("held", NAN,
                                     "the conservation of the quantity of --hold was checked at "
                                     "points, it is not proved");
        zw_warning_hint(&d, "write the formula of --hold in another form");
        zw_warnings_add(out, &d);
    }
    if (s->has_start) {
        warn_gap(m, &s->start, out);
        warn_attraction(&s->start, out);
    }
    if (s->has_nature)
        warn_gap(m, &s->nature, out);
    for (int l = 0; s->has_errors && l < s->errors.nlevel; l++)
        warn_change(m, s->errors.change[l], s->errors.eps[l], NULL, out);
    if (s->has_surface)
        warn_surface(m, &s->trust, out);
}

/* ------------------------------------------------------------------------------------- proposal */

static void report_shares(zw_report *out, const zw_split_proposal *p, bool said) {
    zw_report_list(out, "shares");
    for (int i = 0; i < p->nstate; i++) {
        double share = p->nfast ? p->share[i] / p->nfast : 0;
        zw_report_open(out, NULL);
        zw_report_word(out, "name", p->name[i]);
        zw_report_number(out, "share", share, NULL);
        zw_report_number(out, "percent", 100 * share, &(zw_shown){.unit = "%", .digits = 3});
        if (said)
            zw_report_say(out, "  {name:-12} has {percent:7} of them\n");
        zw_report_close(out);
    }
    zw_report_close(out);
}

void zw_split_report(const zw_split_proposal *p, double until, zw_report *out) {
    zw_shown rate = {.unit = "1/s", .digits = 6}, time = {.unit = "s", .digits = 6};
    bool split = p->gap > 1;
    zw_report_number(out, "until", until, &time);
    zw_report_count(out, "points", p->npoint);
    zw_report_count(out, "fast_directions", p->nfast);
    zw_report_number(out, "gap", p->gap, &(zw_shown){.digits = 4});
    zw_report_number(out, "fast_rate", p->fast_rate, &rate);
    zw_report_number(out, "slow_rate", p->slow_rate, &rate);
    zw_report_number(out, "gap_time", p->at, &time);
    zw_report_flag(out, "attracting", p->attracting);
    zw_report_say(out, split ? "Along a run of {until}, {points|point|points}: the split with the "
                               "largest gap has {fast_directions|fast direction|fast directions}\n"
                               "  gap {gap}: {fast_rate} compared with {slow_rate} at t = "
                               "{gap_time}; {attracting?all fast directions attract}"
                               "{attracting!not all fast directions attract}\n"
                             : "Along a run of {until}, {points|point|points}: no split\n"
                               "  no direction is faster than the others: their rates are similar, "
                               "zero, or those of one oscillation\n");
    report_shares(out, p, split);
    zw_report_words(out, "small", p->nsmall, p->small);
    if (!split)
        return;
    zw_report_say(out, "{small?  The fast rates are inversely proportional to {small}.\n}"
                       "{small!  The fast rates are inversely proportional to no parameter.\n}");
    zw_report_say(out, p->gap > 10 ? "  This is a good split: --eps NAME --fast NAME\n"
                       : p->gap > 3
                           ? "  This is a fair split: errors are of order 1/gap.\n"
                           : "  This is no split: nothing is much faster than the rest.\n");
}
