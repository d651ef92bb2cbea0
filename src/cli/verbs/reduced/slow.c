/* SPDX-License-Identifier: MIT */
/* Slow and fast: the slow manifold of a model as formulas and numbers, and the flow on it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "cli/derive.h"
#include "cli/job.h"
#include "cli/picture.h"
#include "cli/progress.h"
#include "cli/reduced.h"
#include "slow.h"

#define AVERAGE_STEPS_MAX 1e5  /* limit of the rows of a table of averages */
#define AVERAGE_ERROR_MAX 1e-3 /* relative to the change: visible in three digits */
#define AT(field) offsetof(cli_options, field)

enum { FORMAT_TEXT, FORMAT_LATEX, FORMAT_JSON, RANGES_MAX = 16, CANARDS_MAX = 8 };

static const zw_option table[] = {
    {"eps", ZW_OPT_STRING, AT(slow.eps), 0, 0, 0, "", "NAME",
     "the small parameter, if not as the model says"},
    {"fast", ZW_OPT_LIST, AT(slow.fast), 0, 0, 0, "", "NAME",
     "what is fast, if not as the model says: a coordinate, a state, a velocity"},
    {"order", ZW_OPT_INT, AT(slow.order), 1, 0, ZW_MANIFOLD_ORDER_MOST, "", NULL,
     "of the expansion of the manifold"},
    {"propose", ZW_OPT_FLAG, AT(slow.propose), 0, 0, 0, "", NULL,
     "what could be fast, by the eigenvalues of the flow along a run (--until); so it is if "
     "nothing "
     "is said of it"},
    {"box", ZW_OPT_LIST, AT(slow.box), 0, 0, 0, "", "NAME=FROM:TO",
     "a range of each slow variable: where the manifold attracts, its folds (a range of what is "
     "fast "
     "says where)"},
    {"points", ZW_OPT_INT, AT(slow.points), 0, 0, 400, "", NULL,
     "of the box in each direction; 0: chosen"},
    {"measure", ZW_OPT_INT, AT(slow.levels), 0, 0, ZW_MANIFOLD_LEVELS_MOST, "", NULL,
     "error of each order over the box, against the manifold by collocation, at so many values "
     "eps, "
     "eps/2, ..."},
    {"time", ZW_OPT_DOUBLE, AT(slow.time), 0, 0, 1e9, "s", NULL,
     "with --measure: error of the reduced flow after this time, too, from the middle of the box; "
     "of "
     "--portrait"},
    {"portrait", ZW_OPT_INT, AT(slow.portrait), 0, 0, 60, "", NULL,
     "motions of the reduced flow from the middles of N x N cells of the box, over --time (two "
     "slow "
     "variables)"},
    {"canard", ZW_OPT_STRING, AT(slow.canard), 0, 0, 0, "", "NAME",
     "the value of this parameter at which the slow flow passes a fold, by orders of eps"},
    {"near", ZW_OPT_LIST, AT(slow.near), 0, 0, 0, "", "CONSTRAINTS",
     "constraints that are off and nearly hold, by forces of order 1/eps against their slips: the "
     "orders of the slips by numbers, names by commas; --until, --measure, --time, --out"},
    {"hold", ZW_OPT_STRING, AT(slow.hold), 0, 0, 0, "", "NAME=FORMULA",
     "a quantity that the slow flow conserves without eps (an observable, a formula, energy) as a "
     "parameter of this name, in the place of the slow variable --for"},
    {"for", ZW_OPT_STRING, AT(slow.instead), 0, 0, 0, "", "NAME",
     "with --hold: the slow variable that it replaces"},
    {"average", ZW_OPT_STRING, AT(slow.average), 0, 0, 0, "", "NAME,...",
     "mean drift of observables that stay without eps, over the periodic motions on their levels, "
     "up to eps t = --until; of "
     "the slow flow if something is fast"},
    {"advise", ZW_OPT_LIST, AT(slow.advise), 0, 0, 0, "", "CONSTRAINT",
     "what constraints would cost: added one by one, against a run (--until) without them"},
    {"compare", ZW_OPT_LIST, AT(slow.compare), 0, 0, 0, "", "NAME",
     "with --advise: what of the runs is compared (default: all coordinates)"},
    {"until", ZW_OPT_DOUBLE, AT(until), 0, 0, 1e12, "s", NULL,
     "a run from the start: its distance from the manifold, the rate of attraction"},
    {"step-out", ZW_OPT_DOUBLE, AT(step_out), 0, 0, 1e12, "s", NULL,
     "time between its rows; 0: a thousandth"},
    {"format", ZW_OPT_CHOICE, AT(format), FORMAT_TEXT, 0, 0, "", "text|latex|json",
     "how formulas are written; json: numbers, too"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "the same as --format json"},
    {"plot", ZW_OPT_LIST, AT(plot), 0, 0, 0, "", "y:x", "a panel of the picture, as of zwang plot"},
    {"picture", ZW_OPT_STRING, AT(picture), 0, 0, 0, "", "FILE",
     "a picture of the run, or of the manifold over the box: .svg, .pdf, .png, .tex"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE",
     ".zw: the flow on the manifold as a model; the rows of a run or of the manifold over the box: "
     ".csv, .json, .h5; otherwise the formulas"},
    {0},
};

/* the results, collected for JSON */
typedef struct found {
    zw_manifold_nature nature;
    zw_manifold_errors errors;
    zw_manifold_approach approach;
    zw_manifold_canard canard[CANARDS_MAX];
    zw_manifold_numbers numbers;
} found;

typedef struct job {
    found *found; /* NULL: text, printed at once */
    const cli_options *o;
    const cli_model *model;
    const char *path;
    zw_manifold *m;
    const zw_manifold_result *r;
    zw_manifold_range range[RANGES_MAX];
    zw_parameter_range read[RANGES_MAX];
    zw_manifold_box box;
} job;

static bool ends_with(const char *path, const char *ending) {
    size_t n = path ? strlen(path) : 0, k = strlen(ending);
    return n >= k && strcmp(path + n - k, ending) == 0;
}

static bool wants_json(const cli_options *o) {
    return o->json || o->format == FORMAT_JSON;
}

static bool wants_numbers(const cli_options *o) {
    return o->slow.box.n || o->until > 0 || o->slow.canard;
}

/* ------------------------------------------------------------------------------------- formulas */

static zw_status write_formulas(const job *j, const char *path, zw_error *err) {
    static const zw_manifold_format formats[] = {ZW_MANIFOLD_TEXT, ZW_MANIFOLD_LATEX,
                                                 ZW_MANIFOLD_JSON};
    char *text = zw_manifold_write(j->m, j->o->json ? ZW_MANIFOLD_JSON : formats[j->o->format]);
    zw_status status = cli_write_text(path, text, err);
    zw_string_free(j->model->ctx, text);
    return status;
}

static zw_status write_model(const job *j, zw_error *err) {
    char *text = zw_manifold_model(j->m, j->o->slow.order, j->path, err);
    if (!text)
        return err->status < 0 ? err->status : ZW_E_MEMORY;
    zw_status status = cli_write_text(j->o->out, text, err);
    zw_string_free(j->model->ctx, text);
    return status;
}

/* "E = total": name and formula */
static zw_status set_held_quantity(const job *j, zw_error *err) {
    const char *text = j->o->slow.hold, *equals = strchr(text, '=');
    char name[64];
    size_t n = equals ? (size_t)(equals - text) : 0;
    while (n > 0 && text[n - 1] == ' ')
        n--;
    if (n == 0 || n >= sizeof name || !equals[1 + strspn(equals + 1, " ")]) {
        zw_fail(err, ZW_E_OPTION, "--hold %.100s: what is held, and the name of the parameter",
                text);
        zw_error_hint(err, "--hold \"E = energy\" --for NAME");
        return ZW_E_OPTION;
    }
    snprintf(name, sizeof name, "%.*s", (int)n, text);
    ZW_TRY(zw_manifold_hold(j->m, name, equals + 1 + strspn(equals + 1, " "), j->o->slow.instead,
                            err));
    if (!zw_manifold_get_held(j->m)->proved) {
        zw_warning d =
            zw_warning_of("held", NAN,
                          "that what is held is conserved is seen at points only, it is not "
                          "proved");
        zw_warning_hint(&d, "another form of the formula of --hold");
        zw_warnings_add(j->model->warnings, &d);
        cli_report_warnings(j->o, j->model->warnings, false);
    }
    return ZW_OK;
}

/* -------------------------------------------------------------------------------------- numbers */

static void report_place(const job *j, const double *x, const double *y) {
    for (int i = 0; i < j->r->nx; i++)
        printf("%s%s = %.6g%s%s", i ? ", " : "", j->r->x[i].name, x[i],
               j->r->x[i].unit[0] ? " " : "", j->r->x[i].unit);
    for (int i = 0; y && i < j->r->ny; i++)
        printf(", %s = %.6g%s%s", j->r->y[i].name, y[i], j->r->y[i].unit[0] ? " " : "",
               j->r->y[i].unit);
}

static void report_fold(const job *j, const zw_manifold_fold *f) {
    printf("  fold at ");
    report_place(j, f->x, f->y);
    printf(f->canard ? ": a canard point, the slow flow may pass\n"
           : f->jump ? ": the slow flow comes to it and jumps\n"
                     : ": the slow flow leaves it\n");
}

/* branches may cross, or continue, along whole lines: the first place, and the number of places */
static void report_no_folds(const job *j, const zw_manifold_nature *n, bool crossing) {
    const zw_manifold_fold *first = NULL;
    int count = 0;
    for (int i = 0; i < n->nfold; i++)
        if (crossing ? n->fold[i].crossing : n->fold[i].flat) {
            first = first ? first : &n->fold[i];
            count++;
        }
    if (count == 0)
        return;
    printf("  no fold at ");
    report_place(j, first->x, first->y);
    if (count > 1)
        printf(" and at %d more places", count - 1);
    printf(crossing ? ": branches of the critical manifold cross there\n"
                    : ": dg/dy is zero without a fold, the branch goes on\n");
}

static void report_nature(const job *j, const zw_manifold_nature *n) {
    int there = n->npoint - n->missing;
    printf("critical manifold over the box, %d points: ", n->npoint);
    if (there == 0)
        printf("there is none on the branch near the start\n");
    else if (n->attracting == n->npoint && n->nfold > 0)
        printf("it attracts at all of them\n");
    else if (n->attracting == n->npoint)
        printf("normally hyperbolic, it attracts everywhere\n");
    else if (n->repelling == n->npoint)
        printf("normally hyperbolic, it repels everywhere\n");
    else if (n->saddle == n->npoint)
        printf("normally hyperbolic, it attracts in some directions and repels in others "
               "everywhere\n");
    else
        printf("it attracts at %d, repels at %d, both at %d, is missing at %d\n", n->attracting,
               n->repelling, n->saddle, n->missing);
    if (n->neutral)
        printf("  it is not normally hyperbolic at %d: an eigenvalue of dg/dy is on the imaginary "
               "axis\n",
               n->neutral);
    if (there) {
        printf("  rate %.6g 1/s where attraction is slowest, at ", n->weakest.rate);
        report_place(j, n->weakest.x, NULL);
        printf("\n  rate %.6g 1/s where it is fastest, at ", n->strongest.rate);
        report_place(j, n->strongest.x, NULL);
        printf("\n");
    }
    for (int i = 0; i < n->nfold; i++)
        if (!n->fold[i].crossing && !n->fold[i].flat)
            report_fold(j, &n->fold[i]);
    report_no_folds(j, n, true);
    report_no_folds(j, n, false);
    if (n->more)
        printf("  the search ended with %d of them: a smaller --box may have more\n", n->nfold);
}

/* Motions converge to the manifold and stay near it where the fast rates exceed the slow ones. Near
 * a fold that is never so: with folds, warn if it is not so at more than a quarter of the
 * points. */
static void warn_gap(const job *j, const zw_manifold_nature *n) {
    int there = n->npoint - n->missing;
    char text[300];
    if (n->mixed == 0 || (n->nfold > 0 && 4 * n->mixed <= there))
        return;
    snprintf(text, sizeof text,
             "what is fast is not much faster than the slow flow at %d of %d points: %.4g 1/s "
             "against %.4g "
             "1/s at %s = %.6g%s; %s = %.6g is not small, and the expansion, folds and jumps tell "
             "nothing "
             "about motions there",
             n->mixed, there, n->closest.rate, n->closest.rate / n->gap, j->r->x[0].name,
             n->closest.x[0], j->r->nx > 1 ? ", ..." : "", zw_expr_name(j->model->ctx, j->r->small),
             j->r->eps);
    zw_warning d = zw_warning_of("gap", NAN, "%s", text);
    zw_warning_hint(&d,
                    "a smaller value of it, by --set; --propose tells what is fast along a run");
    zw_warnings_add(j->model->warnings, &d);
    cli_report_warnings(j->o, j->model->warnings, false);
}

static void report_row(const char *what, int n, const double *value, const char *format) {
    printf("  %-24s", what);
    for (int k = 0; k < n; k++)
        if (isnan(value[k]))
            printf("%11s", "-");
        else
            printf(format, value[k]);
    printf("\n");
}

static void report_errors(const job *j, const zw_manifold_errors *e) {
    int n = j->r->norder + 1;
    char text[60];
    printf(
        "error of orders 0 to %d against the manifold by collocation, %d points; residual between "
        "them\n",
        n - 1, e->npoint);
    for (int l = 0; l < e->nlevel; l++) {
        snprintf(text, sizeof text, "%s = %.6g (%.1e)", zw_expr_name(j->model->ctx, j->r->small),
                 e->eps[l], e->residual[l]);
        report_row(text, n, e->manifold[l], "%11.2e");
    }
    report_row("power of it", n, e->slope, "%11.3f");
    if (!(j->o->slow.time > 0))
        return;
    printf("error of the slow variables of the reduced flow after %.6g s\n", j->o->slow.time);
    for (int l = 0; l < e->nlevel; l++) {
        snprintf(text, sizeof text, "%s = %.6g", zw_expr_name(j->model->ctx, j->r->small),
                 e->eps[l]);
        report_row(text, n, e->flow[l], "%11.2e");
    }
    report_row("power of it", n, e->flow_slope, "%11.3f");
}

static zw_status store_table(const job *j, zw_table *t, zw_error *err) {
    zw_status status = zw_warnings_note(j->model->warnings, t);
    if (status >= 0 && j->o->out && !ends_with(j->o->out, ".zw"))
        status = cli_write_table(t, j->o->out, err);
    if (status >= 0 && j->o->picture)
        status = cli_picture_result(j->o, t, err);
    zw_table_destroy(t);
    return status;
}

static zw_status draw_portrait(const job *j, zw_error *err) {
    zw_model_source source = cli_model_source(j->model, j->path);
    zw_table *t;
    ZW_TRY(zw_manifold_portrait(j->m, j->o->slow.order, &j->box, j->o->slow.portrait,
                                j->o->slow.time, &source, &t, err));
    if (!j->found)
        printf("%d motions of the reduced flow\n", j->o->slow.portrait * j->o->slow.portrait);
    return store_table(j, t, err);
}

/* the solution is not unique: x is where it changes most, or NULL, eps the value for which it was
 * computed */
static void warn_change(const job *j, double change, double eps, const double *x) {
    char how[80], where[300] = "";
    size_t n = 0;
    if (!(change > ZW_MANIFOLD_CHANGE))
        return;
    snprintf(how, sizeof how,
             isfinite(change) ? "changes by %.2g of its largest value" : "does not exist", change);
    for (int i = 0; x && isfinite(change) && i < j->r->nx && n < sizeof where; i++)
        n +=
            (size_t)snprintf(where + n, sizeof where - n, "%s%s = %.6g%s%s", n ? ", " : " at ",
                             j->r->x[i].name, x[i], j->r->x[i].unit[0] ? " " : "", j->r->x[i].unit);
    zw_warning d = zw_warning_of(
        "other solutions", NAN,
        "the manifold without expansion is not determined over the whole box: for %s = %.6g it %s "
        "with fewer points%s; where it is far from the orders of the expansion it is another "
        "solution",
        zw_expr_name(j->model->ctx, j->r->small), eps, how, where);
    zw_warning_hint(&d, "a smaller --box, or a smaller value of the small parameter");
    zw_warnings_add(j->model->warnings, &d);
    cli_report_warnings(j->o, j->model->warnings, false);
}

static zw_status study_box(const job *j, zw_error *err) {
    zw_manifold_nature nature;
    zw_manifold_errors errors;
    zw_table *t;
    ZW_TRY(zw_manifold_judge(j->m, &j->box, &nature, err));
    if (j->found) {
        j->found->nature = nature;
        j->found->numbers.nature = &j->found->nature;
    } else
        report_nature(j, &nature);
    warn_gap(j, &nature);
    bool rows = (j->o->out || j->o->picture) && !(j->o->until > 0) && !ends_with(j->o->out, ".zw");
    if (j->o->slow.portrait)
        return draw_portrait(j, err);
    if (!j->o->slow.levels && !rows)
        return ZW_OK;
    if (nature.attracting != nature.npoint && nature.repelling != nature.npoint &&
        nature.saddle != nature.npoint) {
        zw_fail(err, ZW_E_NUMERIC, "the manifold is not normally hyperbolic over the whole box");
        zw_error_hint(err,
                      "a --box on one side of the folds, on a branch that the start lies above");
        return ZW_E_NUMERIC;
    }
    if (j->o->slow.levels) {
        ZW_TRY(
            zw_manifold_measure(j->m, &j->box, j->o->slow.levels, j->o->slow.time, &errors, err));
        if (j->found) {
            j->found->errors = errors;
            j->found->numbers.errors = &j->found->errors;
            j->found->numbers.flow = j->o->slow.time > 0;
        } else
            report_errors(j, &errors);
        for (int l = 0; l < errors.nlevel; l++)
            warn_change(j, errors.change[l], errors.eps[l], NULL);
    }
    if (!rows)
        return ZW_OK;
    zw_model_source source = cli_model_source(j->model, j->path);
    zw_manifold_trust trust;
    ZW_TRY(zw_manifold_surface(j->m, &j->box, &source, &trust, &t, err));
    warn_change(j, trust.change, j->r->eps, trust.x);
    if (!trust.solved) {
        zw_warning d = zw_warning_of(
            "collocation", NAN,
            "the invariance equation has no solution over the box: only the orders of "
            "the expansion are in the table");
        zw_warning_hint(&d, "a smaller --box, or a smaller value of the small parameter");
        zw_warnings_add(j->model->warnings, &d);
        cli_report_warnings(j->o, j->model->warnings, false);
    }
    return store_table(j, t, err);
}

static zw_status study_run(const job *j, zw_error *err) {
    zw_model_source source = cli_model_source(j->model, j->path);
    zw_manifold_approach a;
    zw_table *t = NULL;
    ZW_TRY(zw_manifold_follow(j->m, j->o->slow.order, j->o->until, j->o->step_out, &source, &a, &t,
                              err));
    if (j->found) {
        j->found->approach = a;
        j->found->numbers.approach = &j->found->approach;
        return store_table(j, t, err);
    }
    printf("distance from the manifold up to %s^%d: %.6g at the start, %.6g at t = %.6g s\n",
           zw_expr_name(j->model->ctx, j->r->small), j->o->slow.order, a.start, a.end, j->o->until);
    if (isnan(a.rate))
        printf("  no rate of attraction: the distance does not fall far enough from this start\n");
    else
        printf("  it falls at the rate %.6g 1/s until t = %.3g s; by dg/dy: %.6g 1/s\n", a.rate,
               a.until, a.predicted);
    return store_table(j, t, err);
}

static zw_status report_canards(const job *j, zw_error *err) {
    zw_manifold_canard own[CANARDS_MAX], *c = j->found ? j->found->canard : own;
    const char *eps = zw_expr_name(j->model->ctx, j->r->small);
    int n;
    ZW_TRY(zw_manifold_find_canard(j->m, j->o->slow.canard, j->o->slow.order, &j->box, CANARDS_MAX,
                                   c, &n, err));
    if (j->found) {
        j->found->numbers.canard = c;
        j->found->numbers.ncanard = n;
        return ZW_OK;
    }
    for (int i = 0; i < n; i++) {
        double sum = 0;
        printf("canard at ");
        report_place(j, &c[i].x, &c[i].y);
        printf(": %s = ", c[i].parameter);
        for (int k = 0; k <= c[i].order; k++) {
            char *text = zw_print(j->model->ctx, c[i].value[k], ZW_TEXT);
            sum += pow(j->r->eps, k) * zw_expr_number(j->model->ctx, c[i].value[k]);
            if (k == 0)
                printf("%s", text ? text : "?");
            else
                printf(" + (%s)*%s^%d", text ? text : "?", eps, k);
            zw_string_free(j->model->ctx, text);
        }
        printf(" = %.10g at %s = %.6g\n", sum, eps, j->r->eps);
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- proposal */

static zw_status propose_splits(const cli_options *o, const cli_model *m, zw_error *err) {
    zw_split_proposal p;
    double until = o->until > 0 ? o->until : 10;
    ZW_TRY(zw_manifold_propose(m->sys, until, &p, err));
    if (wants_json(o)) {
        char *text = zw_split_write(m->sys, &p);
        zw_status status = cli_write_text(NULL, text, err);
        zw_string_free(m->ctx, text);
        return status;
    }
    if (!(p.gap > 1)) {
        printf("along a run of %.6g s, %d points: no split\n  no direction is faster than the "
               "others: their rates are similar, oscillate together or are zero\n",
               until, p.npoint);
        return ZW_OK;
    }
    printf("along a run of %.6g s, %d points: the split with the largest gap has %d fast "
           "direction%s\n",
           until, p.npoint, p.nfast, p.nfast == 1 ? "" : "s");
    printf("  gap %.4g: %.6g 1/s against %.6g 1/s at t = %.6g s; %s\n", p.gap, p.fast_rate,
           p.slow_rate, p.at,
           p.attracting ? "the fast directions attract" : "not all fast directions attract");
    for (int i = 0; i < p.nstate; i++)
        printf("  %-12s has %5.1f %% of them\n", p.name[i], 100 * p.share[i] / p.nfast);
    printf("  the fast rates go inversely with ");
    for (int i = 0; i < p.nsmall; i++)
        printf("%s%s", i ? ", " : "", p.small[i]);
    printf(p.nsmall ? "\n" : "no parameter: there is none that is small in this sense\n");
    printf(p.gap > 10  ? "  a good split: --eps NAME --fast NAME\n"
           : p.gap > 3 ? "  a fair split: errors of order 1/gap\n"
                       : "  no split: nothing is much faster than the rest\n");
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- advice */

static zw_status advise_constraints(const cli_options *o, const cli_model *m, const char *path,
                                    zw_error *err) {
    zw_model_source source = cli_model_source(m, path);
    zw_advice *a = zw_context_alloc(m->ctx, sizeof *a);
    if (!a)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_advise(m->ctx, &source, o->slow.advise.n, o->slow.advise.item, o->slow.compare.n,
                     o->slow.compare.item, o->until, a, err));
    printf(
        "constraints one by one, the cheapest first; largest difference over %.6g s, of the range "
        "without them\n",
        o->until);
    for (int s = 0; s < a->nstep; s++)
        for (int i = 0; i < a->ntrial[s]; i++) {
            const zw_advice_trial *t = &a->trial[s][i];
            printf("  %s%-14s ", i ? "     or " : "and ", o->slow.advise.item[t->constraint]);
            if (isinf(t->cost))
                printf("cannot be: %s\n", t->why);
            else
                printf("%8.4g %%  of %s at t = %.4g s, rms %.4g %%\n", 100 * t->cost, t->worst,
                       t->at, 100 * t->rms);
        }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- averages */

static zw_status split_average(const cli_model *m, const char *text, const char **name, int *n,
                               zw_error *err) {
    for (*n = 0; *text;) {
        text += strspn(text, " ,;");
        size_t length = strcspn(text, " ,;");
        char *own = length ? zw_context_alloc(m->ctx, length + 1) : NULL;
        if (length == 0)
            break;
        if (!own || *n == ZW_AVERAGE_MOST)
            return zw_fail(err, own ? ZW_E_OPTION : ZW_E_MEMORY,
                           own ? "--average: too many observables" : "out of memory");
        memcpy(own, text, length);
        own[length] = '\0';
        name[(*n)++] = own;
        text += length;
    }
    return ZW_OK;
}

/* for the model itself, or for the flow on its slow manifold */
static zw_status average_of(const cli_options *o, const cli_model *m, const zw_system *sys,
                            const char *small, const char *path, zw_error *err) {
    zw_average_options options = zw_average_options_default();
    zw_model_source source = cli_model_source(m, path);
    zw_average_info info;
    const char *name[ZW_AVERAGE_MOST];
    zw_table *t;
    options.small = small;
    options.name = name;
    options.until = o->until;
    options.stop = cli_watch;
    options.stop_user = (void *)o;
    if (o->step_out > 0)
        options.steps = (int)fmax(1, fmin(round(o->until / o->step_out), AVERAGE_STEPS_MAX));
    ZW_TRY(split_average(m, o->slow.average, name, &options.n, err));
    zw_status status = zw_average(sys, &options, &source, &t, &info, err);
    cli_end_progress();
    ZW_TRY(status);
    printf("mean drift over %s t from 0 to %.10g, periods %.6g to %.6g s\n", small, info.tau,
           info.period[0], info.period[1]);
    for (int j = 0; j < options.n; j++)
        printf("  %s from %.10g to %.10g\n", name[j], info.from[j], info.to[j]);
    if (info.ended)
        printf("  it ends there: %s\n", info.why);
    if (info.doubt[0]) {
        zw_warning d = zw_warning_of("average fixed", NAN, "%s", info.doubt);
        zw_warning_hint(
            &d, "name further observables that are conserved for %s = 0 (zwang check --set %s=0)",
            small, small);
        zw_warnings_add(m->warnings, &d);
        cli_report_warnings(o, m->warnings, false);
    }
    if (info.error > AVERAGE_ERROR_MAX) {
        zw_warning d = zw_warning_of(
            "average", NAN,
            "the steps of the drift are too long: its values are wrong by about %.1g of "
            "their change",
            info.error);
        zw_warning_hint(&d, "shorter ones by --step-out");
        zw_warnings_add(m->warnings, &d);
        cli_report_warnings(o, m->warnings, false);
    }
    return cli_picture_and_table(o, m->warnings, t, err);
}

static zw_status average_motion(const cli_options *o, const cli_model *m, const char *path,
                                zw_error *err) {
    zw_manifold_options options = zw_manifold_options_default();
    zw_manifold *slow;
    zw_system *sys;
    bool split = o->slow.fast.n || m->sys->slow_fast.small;
    if (!split && !o->slow.eps)
        return zw_fail(err, ZW_E_OPTION, "--average: which parameter is small? --eps NAME");
    if (!split)
        return average_of(o, m, m->sys, o->slow.eps, path, err);
    options.small = o->slow.eps;
    options.nfast = o->slow.fast.n;
    options.fast = o->slow.fast.item;
    options.order = 1;
    ZW_TRY(zw_manifold_create(&slow, m->sys, &options, err));
    const char *small = zw_expr_name(m->ctx, zw_manifold_get(slow)->small);
    char *text = zw_manifold_model(slow, 1, NULL, err);
    zw_status status =
        text ? zw_model_parse(&sys, m->ctx, text, strlen(text), "the slow flow", NULL, err)
             : err->status;
    if (status >= 0)
        status = average_of(o, m, sys, small, path, err);
    zw_string_free(m->ctx, text);
    zw_manifold_destroy(slow);
    return status;
}

/* ------------------------------------------------------------------------------------------
 * verb */

static zw_status read_box(job *j, zw_error *err) {
    if (j->o->slow.box.n > RANGES_MAX)
        return zw_fail(err, ZW_E_OPTION, "--box: at most %d ranges", (int)RANGES_MAX);
    for (int i = 0; i < j->o->slow.box.n; i++) {
        ZW_TRY(zw_parameter_range_read(&j->read[i], j->model->sys, j->o->slow.box.item[i], err));
        j->range[i] = (zw_manifold_range){j->read[i].name, j->read[i].from, j->read[i].to};
    }
    j->box = (zw_manifold_box){sizeof j->box, j->o->slow.box.n, j->range, j->o->slow.points};
    return ZW_OK;
}

static zw_status check_options(const cli_options *o, zw_error *err) {
    if (o->slow.near.n)
        return cli_slow_near_check(o, err);
    const char *alone = o->slow.levels     ? "measure"
                        : o->slow.portrait ? "portrait"
                        : o->slow.points   ? "points"
                                           : NULL;
    if (alone && !o->slow.box.n) {
        zw_fail(err, ZW_E_OPTION, "--%s is about a box", alone);
        zw_error_hint(err, "--box NAME=FROM:TO for each slow variable");
        return ZW_E_OPTION;
    }
    if (o->slow.canard && !o->slow.box.n) {
        zw_fail(err, ZW_E_OPTION, "--canard looks for folds in a box");
        zw_error_hint(err, "--box NAME=FROM:TO for the slow and the fast variable");
        return ZW_E_OPTION;
    }
    if (o->slow.advise.n && !(o->until > 0)) {
        zw_fail(err, ZW_E_OPTION, "--advise compares runs: how long?");
        zw_error_hint(err, "--until 1");
        return ZW_E_OPTION;
    }
    if (o->slow.average && !(o->until > 0)) {
        zw_fail(err, ZW_E_OPTION, "--average needs --until, the end of eps t");
        zw_error_hint(err, "--until 1 is of eps t here");
        return ZW_E_OPTION;
    }
    if (o->slow.compare.n && !o->slow.advise.n)
        return zw_fail(err, ZW_E_OPTION, "--compare is of --advise");
    if (o->slow.time > 0 && !o->slow.levels && !o->slow.portrait)
        return zw_fail(err, ZW_E_OPTION, "--time is of --measure and --portrait");
    if (o->slow.portrait && !(o->slow.time > 0)) {
        zw_fail(err, ZW_E_OPTION, "--portrait: how long are its motions?");
        zw_error_hint(err, "--time 1");
        return ZW_E_OPTION;
    }
    if (o->slow.instead && !o->slow.hold)
        return zw_fail(err, ZW_E_OPTION, "--for is of --hold");
    if (o->slow.hold && (wants_numbers(o) || o->slow.propose || o->slow.advise.n)) {
        zw_fail(err, ZW_E_OPTION,
                "--hold is about formulas and the model: without --box, --until, --canard, "
                "--propose, --advise");
        zw_error_hint(err, "--out reduced.zw, and what is asked of that model");
        return ZW_E_OPTION;
    }
    if (o->picture && !(o->until > 0) && !o->slow.box.n)
        return zw_fail(err, ZW_E_OPTION,
                       "--picture is of a run (--until) or of the manifold over a --box");
    if (o->format == FORMAT_LATEX && wants_numbers(o))
        return zw_fail(err, ZW_E_OPTION,
                       "--format latex is about formulas: without --box, --until, --canard");
    if (o->picture)
        ZW_TRY(zw_plot_check_path(o->picture, err));
    if (o->out && wants_numbers(o) && !ends_with(o->out, ".zw"))
        ZW_TRY(zw_table_can_write(o->out, err));
    return cli_guard_write(o, o->out, err);
}

/* Formulas and the reduced model exist wherever dg/dy is regular; motions converge to the manifold
 * only where it attracts. */
static zw_status warn_attraction(const job *j, zw_error *err) {
    zw_manifold_nature n;
    ZW_TRY(zw_manifold_judge_start(j->m, &n, err));
    warn_gap(j, &n);
    if (n.attracting || n.missing)
        return ZW_OK;
    zw_warning d = zw_warning_of(
        "attraction", NAN,
        n.neutral ? "at the start the manifold is not normally hyperbolic: an eigenvalue of dg/dy "
                    "is on the imaginary axis, motions do not come to it, and it need not exist"
        : n.repelling ? "at the start the manifold repels: motions leave it"
                      : "at the start the manifold repels in some directions: motions leave it");
    zw_warning_hint(&d, "--box NAME=FROM:TO tells where it attracts");
    zw_warnings_add(j->model->warnings, &d);
    cli_report_warnings(j->o, j->model->warnings, false);
    return ZW_OK;
}

static zw_status study_manifold(job *j, zw_error *err) {
    const cli_options *o = j->o;
    bool model = ends_with(o->out, ".zw");
    ZW_TRY(read_box(j, err));
    if (o->slow.hold)
        ZW_TRY(set_held_quantity(j, err));
    if (!o->slow.box.n)
        ZW_TRY(warn_attraction(j, err));
    if (model)
        ZW_TRY(write_model(j, err));
    if (!wants_numbers(o))
        return model && o->quiet ? ZW_OK : write_formulas(j, model ? NULL : o->out, err);
    if (o->slow.canard)
        ZW_TRY(report_canards(j, err));
    else if (o->slow.box.n)
        ZW_TRY(study_box(j, err));
    if (o->until > 0)
        ZW_TRY(study_run(j, err));
    if (!j->found)
        return ZW_OK;
    char *text = zw_manifold_write_numbers(j->m, &j->found->numbers);
    zw_status status = cli_write_text(NULL, text, err);
    zw_string_free(j->model->ctx, text);
    return status;
}

static zw_status run_study(const cli_options *o, cli_model *m, const char *path, zw_error *err) {
    zw_manifold_options options = zw_manifold_options_default();
    found kept = {0};
    job j = {.o = o, .model = m, .path = path, .found = wants_json(o) ? &kept : NULL};
    if (o->slow.near.n)
        return cli_slow_near(o, m, path, err);
    if (o->slow.advise.n)
        return advise_constraints(o, m, path, err);
    if (o->slow.average)
        return average_motion(o, m, path, err);
    if (o->slow.propose || (!o->slow.eps && !o->slow.fast.n && !m->sys->slow_fast.small))
        return propose_splits(o, m, err);
    ZW_TRY(cli_model_reduce(m, path, o, CLI_REDUCE_LEFT_OUT, err));
    options.small = o->slow.eps;
    options.nfast = o->slow.fast.n;
    options.fast = o->slow.fast.item;
    options.order = o->slow.order;
    ZW_TRY(zw_manifold_create(&j.m, m->sys, &options, err));
    j.r = zw_manifold_get(j.m);
    zw_status status = study_manifold(&j, err);
    zw_manifold_destroy(j.m);
    return status;
}

static int run_slow(const cli_options *o, const char *const *words, zw_error *err) {
    cli_model model = {0};
    cli_options reading = *o;
    reading.model.constants = reading.model.bodies = true;
    zw_status status = check_options(o, err);
    if (status >= 0)
        status = cli_model_open(&model, words[0], &reading, err);
    if (status >= 0) {
        cli_report_warnings(o, model.warnings, false);
        status = run_study(&reading, &model, words[0], err);
    }
    status = cli_judge(o, model.warnings, status, err);
    cli_model_close(&model);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"messages and limits", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {"picture", cli_draw_table, offsetof(cli_options, draw)},
    {0},
};

const cli_command cli_slow = {
    .name = "slow",
    .usage = "slow MODEL [--eps NAME] [--fast NAME] [--order K] [--box NAME=FROM:TO] [--until T] "
             "[--out FILE]",
    .about = "slow and fast: the slow manifold of a model, and the flow on it",
    .details = "A model x' = f(x, y), eps y' = g(x, y) with a small parameter eps has, where dg/dy "
               "has no\n"
               "eigenvalue on the imaginary axis, a manifold y = h_0(x) + eps h_1(x) + ... on "
               "which the motion\n"
               "is slow. Its parts as formulas, and the flow on it as a model that is read and "
               "analysed as any\n"
               "other. What is fast is said in the model, slow-fast eps : fast beta', or by --eps "
               "and --fast;\n"
               "if neither is said, a split is proposed from the eigenvalues along a run.\n"
               "With --box numbers: where the manifold attracts, its folds; with --measure what "
               "each order\n"
               "leaves out. With --until the distance of a run from it.\n"
               "With --near constraints of any model whose slips are fast: by numbers, along a "
               "run.",
    .examples =
        "  zwang slow models/tippedisk_reduced.zw --variant linear\n"
        "  zwang slow models/tippedisk_reduced.zw --variant linear --order 2 --out reduced.zw\n"
        "  zwang slow models/van_der_pol_lienard.zw --box y=-2:2 --box x=-3:3\n"
        "  zwang slow models/van_der_pol_lienard.zw --box y=-2:2 --canard a --order 3\n"
        "  zwang slow models/tippedisk_reduced.zw --variant linear --set \"beta'=2 [rad/s]\" "
        "--until 0.2\n"
        "  zwang slow models/tippedisk_spinning.zw --hold \"E = total\" --for spin --out held.zw\n"
        "  zwang slow models/tippedisk.zw --variant viscous --near roll,slide --set \"eps=1 "
        "[mm/s]\" --until 0.3 --order 3\n",
    .groups = groups,
    .arguments = 1,
    .run = run_slow,
};
