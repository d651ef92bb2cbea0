/* SPDX-License-Identifier: MIT */
/* Slow and fast as a study: the slow manifold of a model as formulas and numbers, the flow on it,
 * slip manifolds, mean drifts, proposals of what is fast, the cost of constraints. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/text.h"
#include "zwang/claims.h"
#include "zwang/equilibria.h"
#include "zwang/manifold.h"
#include "zwang/study.h"

#define AVERAGE_STEPS_MAX 1e5 /* rows of a table of averages */
#define PROPOSAL_TIME 10.     /* [s] of the run without --until */

enum { RANGES_MAX = 16 };

typedef struct slow_options {
    const char *eps, *canard, *hold, *instead, *average;
    zw_option_list fast, box, advise, compare, near;
    int order, points, levels, portrait, format;
    double time, until, step_out;
    bool propose;
} slow_options;

#define AT(field) offsetof(slow_options, field)

static const zw_option common_table[] = {
    {"eps", ZW_OPT_STRING, AT(eps), 0, 0, 0, "", "NAME",
     "small parameter (default: that of the model)"},
    {"fast", ZW_OPT_LIST, AT(fast), 0, 0, 0, "", "NAME",
     "fast coordinate, state or velocity (default: those of the model)"},
    {"order", ZW_OPT_INT, AT(order), 1, 0, ZW_MANIFOLD_ORDER_MOST, "", NULL,
     "order of the expansion of the manifold"},
    {"box", ZW_OPT_LIST, AT(box), 0, 0, 0, "", "NAME=FROM:TO",
     "range of each slow variable: where the manifold attracts, and its folds; a range of a fast "
     "variable limits the search for folds"},
    {"until", ZW_OPT_DOUBLE, AT(until), 0, 0, 1e12, "s", NULL,
     "end time of a run from the start: its distance from the manifold, and the rate of "
     "attraction"},
    {"format", ZW_OPT_CHOICE, AT(format), 0, 0, 0, "", "text|latex|json",
     "format of the formulas; json: all results, as --json"},
    {0},
};
static const zw_option box_table[] = {
    {"points", ZW_OPT_INT, AT(points), 0, 0, 400, "", NULL,
     "points of the box in each direction; 0: chosen"},
    {"measure", ZW_OPT_INT, AT(levels), 0, 0, ZW_MANIFOLD_LEVELS_MOST, "", NULL,
     "number of values eps, eps/2, ... at which the error of each order is measured against the "
     "manifold by collocation"},
    {"time", ZW_OPT_DOUBLE, AT(time), 0, 0, 1e9, "s", NULL,
     "with --measure: time after which the error of the reduced flow is measured as well, from the "
     "middle of the box; with --portrait: duration of the trajectories"},
    {"portrait", ZW_OPT_INT, AT(portrait), 0, 0, 60, "", NULL,
     "N: trajectories of the reduced flow from the centres of N x N cells of the box (two slow "
     "variables)"},
    {"canard", ZW_OPT_STRING, AT(canard), 0, 0, 0, "", "NAME",
     "parameter whose value at which the slow flow passes a fold is computed, by orders of eps"},
    {0},
};
static const zw_option rare_table[] = {
    {"near", ZW_OPT_LIST, AT(near), 0, 0, 0, "", "CONSTRAINTS",
     "constraints, switched off but nearly satisfied, because forces on their slip velocities are "
     "of order 1/eps: the slip manifold by numbers"},
    {"propose", ZW_OPT_FLAG, AT(propose), 0, 0, 0, "", NULL,
     "proposal of fast variables, from the eigenvalues along a run (--until); the default if "
     "neither the model nor an option names them"},
    {"average", ZW_OPT_STRING, AT(average), 0, 0, 0, "", "NAME,...",
     "mean drift of observables conserved for eps = 0, over the periodic motions at constant "
     "values of them, up to eps t = --until"},
    {"hold", ZW_OPT_STRING, AT(hold), 0, 0, 0, "", "NAME=FORMULA",
     "quantity that the slow flow conserves for eps = 0 (an observable, a formula, energy), as a "
     "parameter of this name in place of the slow variable --for"},
    {"for", ZW_OPT_STRING, AT(instead), 0, 0, 0, "", "NAME",
     "with --hold: slow variable that is replaced"},
    {"advise", ZW_OPT_LIST, AT(advise), 0, 0, 0, "", "CONSTRAINT",
     "constraints whose effect on a run (--until) is computed, added one by one"},
    {"compare", ZW_OPT_LIST, AT(compare), 0, 0, 0, "", "NAME",
     "with --advise: quantities that are compared (default: all coordinates)"},
    {"step-out", ZW_OPT_DOUBLE, AT(step_out), 0, 0, 1e12, "s", NULL,
     "time between the rows of a run; 0: chosen"},
    {0},
};

static const zw_option_group groups[] = {
    {"options", common_table, 0, false},
    {"the manifold over a box", box_table, 0, true},
    {"more options", rare_table, 0, true},
    {NULL, NULL, 0, false},
};

typedef enum slow_question {
    MANIFOLD,
    SLIPS,
    DRIFT,
    COST,
    PROPOSAL,
} slow_question;

typedef struct slow_study {
    zw_arena arena;
    const slow_options *o;
    const zw_study_input *input;
    slow_question question;
    zw_status status; /* of the work */
    zw_table *rows;
    zw_manifold *manifold;
    zw_manifold_summary *found;
    zw_slip_manifold *slip;
    zw_slip_manifold_task slip_task;
    zw_slip_manifold_summary *slips;
    zw_average_options average;
    zw_average_info *drift;
    zw_split_proposal split;
    zw_advice *cost;
} slow_study;

/* ------------------------------------------------------------------------------------- options */

static bool ends_with(const char *path, const char *ending) {
    size_t n = path ? strlen(path) : 0, k = strlen(ending);
    return n >= k && strcmp(path + n - k, ending) == 0;
}

/* of --out: a file of rows, or only a picture of them */
static bool wants_rows(const zw_study_input *input) {
    const char *path = zw_study_wants(input, "out");
    return path && !ends_with(path, ".zw") && !ends_with(path, ".tex") && !ends_with(path, ".txt");
}

static bool wants_numbers(const slow_options *o) {
    return o->box.n || o->until > 0 || o->canard;
}

static slow_question question_of(const slow_options *o, const zw_system *sys) {
    return o->near.n                                                        ? SLIPS
           : o->advise.n                                                    ? COST
           : o->average                                                     ? DRIFT
           : o->propose || (!o->eps && !o->fast.n && !sys->slow_fast.small) ? PROPOSAL
                                                                            : MANIFOLD;
}

static zw_status fail_with_hint(zw_error *err, const char *text, const char *hint) {
    zw_fail(err, ZW_E_OPTION, "%s", text);
    zw_error_hint(err, "%s", hint);
    return ZW_E_OPTION;
}

static zw_status check_slips(const slow_options *o, const zw_study_input *input, zw_error *err) {
    const char *other = o->fast.n      ? "fast"
                        : o->box.n     ? "box"
                        : o->canard    ? "canard"
                        : o->portrait  ? "portrait"
                        : o->propose   ? "propose"
                        : o->advise.n  ? "advise"
                        : o->compare.n ? "compare"
                        : o->points    ? "points"
                        : o->hold      ? "hold"
                                       : NULL;
    const char *path = zw_study_wants(input, "out");
    if (other)
        return zw_fail(err, ZW_E_OPTION, "--near and --%s are two different questions", other);
    if (o->format == 1)
        return zw_fail(err, ZW_E_OPTION, "--near computes numbers: use --format text or json");
    if (ends_with(path, ".zw"))
        return fail_with_hint(err, "--near has no formulas that could be a model",
                              "order 0 is the model --with the constraints");
    if (!(o->until > 0) && (o->levels || path)) {
        zw_fail(err, ZW_E_OPTION, "--%s needs a run", o->levels ? "measure" : "out");
        zw_error_hint(err, "add --until 1");
        return ZW_E_OPTION;
    }
    if (o->time > 0 && !o->levels)
        return zw_fail(err, ZW_E_OPTION, "--time belongs to --measure");
    return ZW_OK;
}

static zw_status check_box(const slow_options *o, zw_error *err) {
    const char *alone = o->levels     ? "measure"
                        : o->portrait ? "portrait"
                        : o->points   ? "points"
                        : o->canard   ? "canard"
                                      : NULL;
    if (alone && !o->box.n) {
        zw_fail(err, ZW_E_OPTION, "--%s needs a box", alone);
        zw_error_hint(err, o->canard ? "--box NAME=FROM:TO for the slow and the fast variable"
                                     : "--box NAME=FROM:TO for each slow variable");
        return ZW_E_OPTION;
    }
    if (o->time > 0 && !o->levels && !o->portrait)
        return zw_fail(err, ZW_E_OPTION, "--time belongs to --measure and --portrait");
    if (o->portrait && !(o->time > 0))
        return fail_with_hint(err, "--portrait needs the duration of its trajectories",
                              "add --time 1");
    return ZW_OK;
}

static zw_status check_questions(const slow_options *o, zw_error *err) {
    if (o->advise.n && !(o->until > 0))
        return fail_with_hint(err, "--advise compares runs and needs their duration",
                              "add --until 1");
    if (o->average && !(o->until > 0))
        return fail_with_hint(err, "--average needs --until, the end of eps t", "add --until 1");
    if (o->compare.n && !o->advise.n)
        return zw_fail(err, ZW_E_OPTION, "--compare belongs to --advise");
    if (o->instead && !o->hold)
        return zw_fail(err, ZW_E_OPTION, "--for belongs to --hold");
    if (o->hold && (wants_numbers(o) || o->propose || o->advise.n))
        return fail_with_hint(err,
                              "--hold gives formulas and a model: without --box, --until, "
                              "--canard, --propose, --advise",
                              "write the model with --out reduced.zw, and study that");
    if (o->format == 1 && wants_numbers(o))
        return zw_fail(err, ZW_E_OPTION,
                       "--format latex is for formulas: without --box, --until, --canard");
    return ZW_OK;
}

static const char *option_of(const char *path) {
    return path[0] ? "out" : "picture";
}

/* Rows exist of a run and of the manifold over a box. */
static zw_status check_rows(const slow_options *o, const zw_study_input *input, const char *path,
                            zw_error *err) {
    if (!wants_rows(input) || o->until > 0 || (o->box.n && !o->canard))
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "--%s needs a run (--until) or the manifold over a --box",
            option_of(path));
    zw_error_hint(err, "formulas are written to standard output or to a file that ends in .txt or "
                       ".tex, a model to one that ends in .zw");
    return ZW_E_OPTION;
}

static zw_status check_outputs(const slow_options *o, const zw_study_input *input, zw_error *err) {
    const char *path = zw_study_wants(input, "out");
    if (!path)
        return ZW_OK;
    switch (question_of(o, input->system)) {
    case MANIFOLD:
        return check_rows(o, input, path, err);
    case SLIPS:
    case DRIFT:
        return wants_rows(input) ? ZW_OK
                                 : zw_fail(err, ZW_E_OPTION,
                                           "--out %s: these results are rows, for a file that ends "
                                           "in .csv, .json or .h5",
                                           path);
    case COST:
    case PROPOSAL:
        break;
    }
    return zw_fail(err, ZW_E_OPTION, "--%s: these results have no table and no picture",
                   option_of(path));
}

static zw_status check_options(const slow_options *o, const zw_study_input *input, zw_error *err) {
    if (o->near.n)
        return check_slips(o, input, err);
    ZW_TRY(check_box(o, err));
    return check_questions(o, err);
}

/* formulas need the names of constants, and the manifold a model without ignorable coordinates */
static zw_status choose_form(void *options, const zw_study_input *input, zw_study_form *out,
                             zw_error *err) {
    ZW_TRY(check_options(options, input, err));
    ZW_TRY(check_outputs(options, input, err));
    *out = (zw_study_form){.constants = true, .bodies = true};
    if (question_of(options, input->system) == MANIFOLD)
        out->reduction = ZW_STUDY_LEFT_OUT;
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- work */

static zw_status create_study(void **out, const zw_study_input *input, void *given, zw_error *err) {
    zw_allocator alloc = zw_context_allocator(input->system->ctx);
    slow_study *s = zw_allocate(&alloc, sizeof *s);
    if (!s)
        return zw_out_of_memory(err, NULL);
    *s = (slow_study){.o = given, .input = input};
    s->question = question_of(s->o, input->system);
    zw_arena_init(&s->arena, &alloc);
    *out = s;
    return ZW_OK;
}

static void destroy_study(void *study) {
    slow_study *s = study;
    zw_allocator alloc = s->arena.alloc;
    zw_table_destroy(s->rows);
    zw_manifold_destroy(s->manifold);
    zw_slip_manifold_destroy(s->slip);
    zw_arena_clear(&s->arena);
    zw_release(&alloc, s, sizeof *s);
}

static zw_status create_manifold(slow_study *s, int order, zw_error *err) {
    zw_manifold_options options = zw_manifold_options_default();
    options.small = s->o->eps;
    options.nfast = s->o->fast.n;
    options.fast = s->o->fast.item;
    options.order = order;
    return zw_manifold_create(&s->manifold, s->input->system, &options, err);
}

/* "E = total": name and formula */
static zw_status hold_quantity(slow_study *s, zw_error *err) {
    const char *text = s->o->hold, *equals = strchr(text, '=');
    size_t n = equals ? (size_t)(equals - text) : 0;
    while (n > 0 && text[n - 1] == ' ')
        n--;
    const char *formula = equals ? equals + 1 + strspn(equals + 1, " ") : "";
    if (n == 0 || !formula[0]) {
        zw_fail(err, ZW_E_OPTION, "--hold %.100s: NAME=FORMULA is expected", text);
        zw_error_hint(err, "--hold \"E = energy\" --for NAME");
        return ZW_E_OPTION;
    }
    const char *name = zw_arena_copy(&s->arena, text, n);
    ZW_TRY(zw_arena_status(&s->arena, err));
    return zw_manifold_hold(s->manifold, name, formula, s->o->instead, err);
}

static zw_status read_box(slow_study *s, zw_manifold_box *box, zw_error *err) {
    const zw_option_list *list = &s->o->box;
    zw_manifold_range *range = ZW_NEW(&s->arena, zw_manifold_range, RANGES_MAX);
    zw_parameter_range *read = ZW_NEW(&s->arena, zw_parameter_range, RANGES_MAX);
    ZW_TRY(zw_arena_status(&s->arena, err));
    if (list->n > RANGES_MAX)
        return zw_fail(err, ZW_E_OPTION, "--box: at most %d ranges", (int)RANGES_MAX);
    for (int i = 0; i < list->n; i++) {
        ZW_TRY(zw_parameter_range_read(&read[i], s->input->system, list->item[i], err));
        range[i] = (zw_manifold_range){read[i].name, read[i].from, read[i].to};
    }
    *box = (zw_manifold_box){sizeof *box, list->n, range, s->o->points};
    return ZW_OK;
}

static zw_status work_manifold(slow_study *s, zw_error *err) {
    const slow_options *o = s->o;
    zw_manifold_box box;
    ZW_TRY(create_manifold(s, o->order, err));
    ZW_TRY(read_box(s, &box, err));
    if (o->hold)
        ZW_TRY(hold_quantity(s, err));
    zw_manifold_task task = {.order = o->order,
                             .box = &box,
                             .canard = o->canard,
                             .nlevel = o->levels,
                             .time = o->time,
                             .portrait = o->portrait,
                             .until = o->until,
                             .step = o->step_out,
                             .source = s->input->source};
    s->found = ZW_NEW(&s->arena, zw_manifold_summary, 1);
    ZW_TRY(zw_arena_status(&s->arena, err));
    return zw_manifold_summarise(s->manifold, &task, s->found,
                                 wants_rows(s->input) ? &s->rows : NULL, err);
}

static zw_status work_slips(slow_study *s, zw_error *err) {
    zw_slip_manifold_options options = zw_slip_manifold_options_default();
    const slow_options *o = s->o;
    options.small = o->eps;
    options.order = o->order;
    ZW_TRY(zw_option_list_split(&o->near, &s->arena, &options.near, &options.nnear, err));
    ZW_TRY(zw_slip_manifold_create(&s->slip, s->input->system, &options, err));
    s->slip_task = (zw_slip_manifold_task){.until = o->until,
                                           .step = o->step_out,
                                           .nlevel = o->levels,
                                           .time = o->time,
                                           .source = s->input->source};
    s->slips = ZW_NEW(&s->arena, zw_slip_manifold_summary, 1);
    ZW_TRY(zw_arena_status(&s->arena, err));
    return zw_slip_manifold_summarise(s->slip, &s->slip_task, s->slips,
                                      wants_rows(s->input) ? &s->rows : NULL, err);
}

/* the observables of "height, total" */
static zw_status split_average(slow_study *s, zw_error *err) {
    const char **name = ZW_NEW(&s->arena, const char *, ZW_AVERAGE_MOST);
    ZW_TRY(zw_arena_status(&s->arena, err));
    for (const char *text = s->o->average; *(text += strspn(text, " ,;"));) {
        size_t length = strcspn(text, " ,;");
        if (s->average.n == ZW_AVERAGE_MOST)
            return zw_fail(err, ZW_E_OPTION, "--average: at most %d observables", ZW_AVERAGE_MOST);
        name[s->average.n++] = zw_arena_copy(&s->arena, text, length);
        text += length;
    }
    s->average.name = name;
    return zw_arena_status(&s->arena, err);
}

/* of this system: the model, or the flow on its slow manifold */
static zw_status average_of(slow_study *s, const zw_system *sys, const char *small, zw_error *err) {
    const slow_options *o = s->o;
    s->average = zw_average_options_default();
    s->average.small = small;
    s->average.until = o->until;
    s->average.stop = s->input->stop;
    s->average.stop_user = s->input->user;
    if (o->step_out > 0)
        s->average.steps = (int)fmax(1, fmin(round(o->until / o->step_out), AVERAGE_STEPS_MAX));
    ZW_TRY(split_average(s, err));
    s->drift = ZW_NEW(&s->arena, zw_average_info, 1);
    ZW_TRY(zw_arena_status(&s->arena, err));
    return zw_average(sys, &s->average, s->input->source, &s->rows, s->drift, err);
}

static zw_status work_drift(slow_study *s, zw_error *err) {
    const zw_system *sys = s->input->system;
    zw_system *flow;
    if (!s->o->fast.n && !sys->slow_fast.small) {
        if (!s->o->eps)
            return zw_fail(err, ZW_E_OPTION, "--average needs the small parameter, --eps NAME");
        return average_of(s, sys, s->o->eps, err);
    }
    ZW_TRY(create_manifold(s, 1, err));
    char *text = zw_manifold_model(s->manifold, 1, NULL, err);
    if (!text)
        return err && err->status < 0 ? err->status : zw_out_of_memory(err, NULL);
    zw_status status =
        zw_model_parse(&flow, sys->ctx, text, strlen(text), "the slow flow", NULL, err);
    if (status >= 0)
        status =
            average_of(s, flow, zw_expr_name(sys->ctx, zw_manifold_get(s->manifold)->small), err);
    zw_string_free(sys->ctx, text);
    return status;
}

static zw_status work_cost(slow_study *s, zw_error *err) {
    const slow_options *o = s->o;
    s->cost = ZW_NEW(&s->arena, zw_advice, 1);
    ZW_TRY(zw_arena_status(&s->arena, err));
    return zw_advise(s->input->system->ctx, s->input->source, o->advise.n, o->advise.item,
                     o->compare.n, o->compare.item, o->until, s->cost, err);
}

static zw_status work_proposal(slow_study *s, zw_error *err) {
    double until = s->o->until > 0 ? s->o->until : PROPOSAL_TIME;
    return zw_manifold_propose(s->input->system, until, &s->split, err);
}

static zw_status run_study(void *study, const zw_study_input *input, zw_error *err) {
    slow_study *s = study;
    (void)input;
    switch (s->question) {
    case MANIFOLD:
        return s->status = work_manifold(s, err);
    case SLIPS:
        return s->status = work_slips(s, err);
    case DRIFT:
        return s->status = work_drift(s, err);
    case COST:
        return s->status = work_cost(s, err);
    case PROPOSAL:
        break;
    }
    return s->status = work_proposal(s, err);
}

/* what was found before a failure */
static bool has_results(const void *study, zw_status status) {
    const slow_study *s = study;
    if (status == ZW_E_MEMORY)
        return false;
    return (s->found && s->found->has_nature) || (s->slips && s->slips->nplace > 0);
}

/* -------------------------------------------------------------------------------------- results */

static void report_study(const void *study, zw_report *out) {
    const slow_study *s = study;
    switch (s->question) {
    case MANIFOLD:
        zw_manifold_report(s->manifold, s->found, out);
        break;
    case SLIPS:
        zw_slip_manifold_report(s->slip, &s->slip_task, s->slips, out);
        break;
    case DRIFT:
        zw_average_report(s->input->system, &s->average, s->drift, out);
        break;
    case COST:
        zw_advice_report(s->cost, s->o->advise.item, s->o->until, out);
        break;
    case PROPOSAL:
        zw_split_report(&s->split, s->o->until > 0 ? s->o->until : PROPOSAL_TIME, out);
        break;
    }
}

static void list_warnings(const void *study, zw_warnings *out) {
    const slow_study *s = study;
    if (s->found)
        zw_manifold_warnings(s->manifold, s->found, out);
    if (s->slips)
        zw_slip_manifold_warnings(s->slip, s->slips, out);
    if (s->drift && s->status >= 0)
        zw_average_warnings(&s->average, s->drift, out);
}

/* the rows are given away */
static zw_status make_table(void *study, const zw_study_input *input, const char *which,
                            zw_table **out, zw_error *err) {
    slow_study *s = study;
    (void)input, (void)which;
    *out = s->rows;
    s->rows = NULL;
    return *out ? ZW_OK : zw_fail(err, ZW_E_OPTION, "these results have no table");
}

static zw_status take_text(zw_context *ctx, char *text, zw_bytes *out, zw_error *err) {
    zw_text copy;
    if (!text)
        return err && err->status < 0 ? err->status : zw_out_of_memory(err, NULL);
    zw_text_init(&copy, NULL);
    zw_text_put(&copy, text);
    zw_string_free(ctx, text);
    return zw_text_bytes(&copy, out, NULL, err);
}

/* The model, or the formulas. Formulas that go to a file are not shown, too. */
static zw_status write_text(void *study, const zw_study_input *input, const char *which,
                            zw_bytes *out, zw_error *err) {
    slow_study *s = study;
    const char *path = zw_study_wants(input, "out");
    bool model = ends_with(path, ".zw"), shown = strcmp(which, "formulas") == 0;
    zw_context *ctx = input->system->ctx;
    if (s->question != MANIFOLD || (shown && (wants_numbers(s->o) || (path && !model))))
        return ZW_OK;
    if (model && !shown)
        return take_text(ctx, zw_manifold_model(s->manifold, s->o->order, input->source->file, err),
                         out, err);
    return take_text(
        ctx,
        zw_manifold_write(s->manifold, s->o->format == 1 ? ZW_MANIFOLD_LATEX : ZW_MANIFOLD_TEXT),
        out, err);
}

static const zw_study_output outputs[] = {
    {.key = "out",
     .about = ".zw: flow on the manifold as a model; .tex, .txt: formulas; .csv, .json, .h5: rows "
              "of a run, of the portrait or of the manifold over the box",
     .texts = ".zw .tex .txt"},
    {.key = "formulas",
     .about = "file of the formulas (default standard output)",
     .is_text = true,
     .shown = true,
     .noted = true},
    {.key = NULL},
};

const zw_study_kind zw_study_slow = {
    .name = "slow",
    .question = "What matters, what can be left out?",
    .about = "slow manifold of a model with two time scales, and the flow on it",
    .usage = "slow MODEL [--eps NAME] [--fast NAME] [--order K] [--box NAME=FROM:TO]\n"
             "           [--until T] [--out FILE]",
    .details = "A model x' = f(x, y), eps y' = g(x, y) with a small parameter eps has a slow "
               "manifold y = h_0(x) + eps h_1(x) + ... where no eigenvalue of dg/dy is on the "
               "imaginary axis. The command gives its orders as formulas, and the flow on it as a "
               "model. The fast variables are named by the model (slow-fast eps : fast beta') or "
               "by --eps and --fast; otherwise a split is proposed from the eigenvalues along a "
               "run. --box computes where the manifold attracts and its folds, with --measure also "
               "the errors of the orders; --until computes the distance of a run from it. --near "
               "treats constraints with fast slip velocities, numerically along a run.",
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
    .call = "slow van_der_pol_lienard --box y=-2:2",
    .printed =
        "Critical manifold over the box, 24 points: it attracts at 20, repels at 0, does ...\n"
        "  attraction is slowest, -10.355 1/s, at y = -0.608696\n"
        "  and fastest, -90.9489 1/s, at y = 2\n"
        "  fold at y = 0.666667, x = -1: the slow flow arrives there and jumps\n"
        "  fold at y = -0.666667, x = 1: the slow flow arrives there and jumps\n",
    .groups = groups,
    .size = sizeof(slow_options),
    .form = choose_form,
    .outputs = outputs,
    .create = create_study,
    .work = run_study,
    .has_results = has_results,
    .report = report_study,
    .warnings = list_warnings,
    .table = make_table,
    .text = write_text,
    .destroy = destroy_study,
};
