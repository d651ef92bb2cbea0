/* SPDX-License-Identifier: MIT */
/* Slowly varying amplitudes as a study: their equations as formulas, limit cycles near Hopf points
 * as formulas, stationary amplitudes, curves of them, and their motion in time. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/text.h"
#include "motion/response/forced_study.h"
#include "zwang/symbolic.h"
#include "zwang/system.h"

#define FEW_HARMONICS_ERROR 1e-3 /* relative; a larger error by few harmonics is a warning */

enum { FORMAT_TEXT, FORMAT_LATEX, FORMAT_JSON, ROWS = 1000 };

typedef struct amplitudes_options {
    zw_forced_options own;
    int values, starts, format;
    double until, step_out;
    bool symbolic;
    const char *steady, *at, *solve_for, *amplitude;
    zw_option_list numbers;
} amplitudes_options;

#define AT(field) offsetof(amplitudes_options, field)

static const zw_option common_table[] = {
    {"symbolic", ZW_OPT_FLAG, AT(symbolic), 0, 0, 0, "", NULL,
     "amplitude equations of one harmonic as formulas, with --taylor terms (default 2)"},
    {"over", ZW_OPT_STRING, AT(own.over), 0, 0, 0, "", "NAME=FROM:TO",
     "parameter and its range: curves of stationary amplitudes, Omega=0.1:5"},
    {"until", ZW_OPT_DOUBLE, AT(until), 0, 0, 1e12, "s", NULL,
     "end time of a run of the amplitudes from the start of the model; 0: stationary amplitudes"},
    {"harmonics", ZW_OPT_INT, AT(own.harmonics), 1, 1, 2000, "", NULL, "highest harmonic"},
    {"taylor", ZW_OPT_INT, AT(own.taylor), 0, 0, 8, "", NULL,
     "number of series terms that replace the functions in the equations; 0: the functions "
     "themselves"},
    {"format", ZW_OPT_CHOICE, AT(format), FORMAT_TEXT, 0, 0, "", "text|latex|json",
     "format of the formulas; json: all results, as --json"},
    {0},
};
static const zw_option cycle_table[] = {
    {"steady", ZW_OPT_STRING, AT(steady), 0, 0, 0, "", "NAME",
     "equilibrium surrounded by the cycles, if the model states several"},
    {"at", ZW_OPT_STRING, AT(at), 0, 0, 0, "", "EQUATIONS",
     "equilibrium surrounded by the cycles, if the model states none: \"x = 0\""},
    {"for", ZW_OPT_STRING, AT(solve_for), 0, 0, 0, "", "NAME[,NAME]",
     "parameter solved for at the Hopf point; a second one for the boundary between supercritical "
     "and subcritical"},
    {"amplitude", ZW_OPT_STRING, AT(amplitude), 0, 0, 0, "", "NAME",
     "coordinate or velocity with amplitude C"},
    {"numbers", ZW_OPT_LIST, AT(numbers), 0, 0, 0, "", "NAME,...",
     "parameters that appear as numbers"},
    {0},
};
static const zw_option rare_table[] = {
    {"odd", ZW_OPT_FLAG, AT(own.odd), 0, 0, 0, "", NULL, "odd harmonics only, without means"},
    {"van-der-pol", ZW_OPT_FLAG, AT(own.van_der_pol), 0, 0, 0, "", NULL,
     "Van der Pol's method: velocities as for constant amplitudes, no means; the rates are then "
     "twice too large"},
    {"starts", ZW_OPT_INT, AT(starts), 0, 0, 1000000, "", NULL,
     "number of additional starts of different sizes, to find all stationary amplitudes"},
    {"values", ZW_OPT_INT, AT(values), 0, 0, 10000, "", NULL,
     "number of values inside the range at which curves are searched as well (isolas)"},
    {"settle", ZW_OPT_INT, AT(own.settle), 50, 0, 100000, "", NULL,
     "periods run from the start of the model to the first guess; 0: rest as first guess"},
    {"step-out", ZW_OPT_DOUBLE, AT(step_out), 0, 0, 1e12, "s", NULL,
     "time between the rows of a run; 0: a thousandth of it"},
    {0},
};

static const zw_option_group groups[] = {
    {"options", common_table, 0, false},
    {"limit cycles as formulas", cycle_table, 0, true},
    {"more options", rare_table, 0, true},
    {NULL, NULL, 0, false},
};

typedef struct amplitudes_study {
    zw_arena arena;
    const amplitudes_options *o;
    const zw_study_input *input;
    zw_amplitudes *formulas;
    zw_symbolic *cycles;
    zw_forced_study forced;
    zw_table *run;
    double *end; /* nq: first harmonics at the end of the run */
} amplitudes_study;

static void begin_options(void *options) {
    ((amplitudes_options *)options)->own = zw_forced_options_default();
}

/* ------------------------------------------------------------------------------------- options */

static zw_status check_formulas(const amplitudes_options *o, const zw_study_input *input,
                                zw_error *err) {
    const char *path = zw_study_wants(input, "out");
    const char *other = o->own.over                             ? "over"
                        : o->until > 0                          ? "until"
                        : path && !path[0]                      ? "picture"
                        : zw_study_is_given(input, "harmonics") ? "harmonics"
                                                                : NULL;
    if (other) {
        zw_fail(err, ZW_E_OPTION, "--%s is for numbers: it does not go with --symbolic", other);
        zw_error_hint(err, "formulas are those of one harmonic");
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

static zw_status check_numbers(const amplitudes_options *o, const zw_study_input *input,
                               zw_error *err) {
    if (o->until > 0 && o->own.over)
        return zw_fail(err, ZW_E_OPTION,
                       "--until gives a run and --over curves: choose one of them");
    if (!o->own.over && !(o->until > 0) && zw_study_wants(input, "out")) {
        zw_fail(err, ZW_E_OPTION,
                "--out and --picture need curves or a run: stationary amplitudes at one value are "
                "printed only");
        zw_error_hint(err, "use --over Omega=0.1:5 for curves, --until 100 for a run, --json for "
                           "numbers");
        return ZW_E_OPTION;
    }
    const char *path = zw_study_wants(input, "out"), *end = path ? strrchr(path, '.') : NULL;
    if (end && (strcmp(end, ".tex") == 0 || strcmp(end, ".txt") == 0))
        return zw_fail(err, ZW_E_OPTION, "--out %s is for formulas: add --symbolic", path);
    if (zw_study_is_given(input, "format") && o->format != FORMAT_JSON)
        return zw_fail(err, ZW_E_OPTION, "--format is for formulas: add --symbolic");
    return ZW_OK;
}

static zw_status is_driven(const zw_system *sys, bool *driven, zw_error *err) {
    zw_equations eq;
    zw_forcing forcing;
    ZW_TRY(zw_derive(&eq, sys, NULL, "lagrange", err));
    ZW_TRY(zw_forcing_find(&forcing, &eq, err));
    *driven = !forcing.autonomous;
    return ZW_OK;
}

/* Formulas of a driven model need equations of second order; those of cycles, and numbers, a model
 * without ignorable coordinates. */
static zw_status choose_form(void *options, const zw_study_input *input, zw_study_form *out,
                             zw_error *err) {
    const amplitudes_options *o = options;
    bool driven = false;
    ZW_TRY(o->symbolic ? check_formulas(o, input, err) : check_numbers(o, input, err));
    *out = (zw_study_form){.reduction = ZW_STUDY_LEFT_OUT};
    if (!o->symbolic)
        return ZW_OK;
    ZW_TRY(is_driven(input->system, &driven, err));
    *out = (zw_study_form){.constants = true,
                           .at = o->at,
                           .symbolic = true,
                           .reduction = driven ? ZW_STUDY_COORDINATES : ZW_STUDY_LEFT_OUT};
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- work */

static zw_status open_numbers(amplitudes_study *s, zw_error *err) {
    zw_forced_options own = s->o->own;
    own.slow = own.cycles = true;
    own.odd |= own.van_der_pol;
    own.order = 1;
    own.harmonics_max = own.harmonics;
    own.tolerance = FEW_HARMONICS_ERROR;
    return zw_forced_study_open(&s->forced, s->input, own, NULL, err);
}

static zw_status create_study(void **out, const zw_study_input *input, void *given, zw_error *err) {
    zw_allocator alloc = zw_context_allocator(input->system->ctx);
    amplitudes_study *s = zw_allocate(&alloc, sizeof *s);
    if (!s)
        return zw_out_of_memory(err, NULL);
    *s = (amplitudes_study){.o = given, .input = input};
    zw_arena_init(&s->arena, &alloc);
    *out = s;
    return s->o->symbolic ? ZW_OK : open_numbers(s, err);
}

static void destroy_study(void *study) {
    amplitudes_study *s = study;
    zw_allocator alloc = s->arena.alloc;
    zw_amplitudes_destroy(s->formulas);
    zw_symbolic_destroy(s->cycles);
    zw_forced_study_close(&s->forced);
    zw_table_destroy(s->run);
    zw_arena_clear(&s->arena);
    zw_release(&alloc, s, sizeof *s);
}

static zw_status derive_amplitudes(amplitudes_study *s, zw_error *err) {
    zw_amplitudes_options options = zw_amplitudes_options_default();
    if (s->o->own.taylor)
        options.terms = s->o->own.taylor;
    options.odd = s->o->own.odd;
    options.van_der_pol = s->o->own.van_der_pol;
    return zw_amplitudes_create(&s->formulas, s->input->system, &options, err);
}

/* "Omega,zeta": the parameters of the Hopf point and of the change of its type */
static zw_status split_parameters(amplitudes_study *s, zw_symbolic_options *options,
                                  zw_error *err) {
    const char *text = s->o->solve_for;
    if (!text)
        return ZW_OK;
    size_t length = strcspn(text, ",");
    options->parameter = zw_arena_copy(&s->arena, text, length);
    if (text[length])
        options->cycle_type = text + length + 1 + strspn(text + length + 1, " ");
    return zw_arena_status(&s->arena, err);
}

/* cycles near a Hopf point of a model without excitation */
static zw_status derive_cycles(amplitudes_study *s, zw_error *err) {
    zw_symbolic_options options = zw_symbolic_options_default();
    const amplitudes_options *o = s->o;
    const char *driven = o->own.taylor        ? "taylor"
                         : o->own.van_der_pol ? "van-der-pol"
                         : o->own.odd         ? "odd"
                                              : NULL;
    if (driven)
        return zw_fail(err, ZW_E_OPTION,
                       "--%s is for models with an excitation; cycles have all terms up to order 3",
                       driven);
    options.steady = o->at ? "--at" : o->steady;
    options.cycles = true;
    options.cycle_of = o->amplitude;
    options.stop = s->input->stop;
    options.stop_user = s->input->user;
    ZW_TRY(split_parameters(s, &options, err));
    ZW_TRY(zw_option_list_split(&o->numbers, &s->arena, &options.number, &options.nnumber, err));
    return zw_symbolic_create(&s->cycles, s->input->system, &options, err);
}

static zw_status derive_formulas(amplitudes_study *s, zw_error *err) {
    bool driven = true;
    ZW_TRY(is_driven(s->input->system, &driven, err));
    return driven ? derive_amplitudes(s, err) : derive_cycles(s, err);
}

static void name_column(const zw_system *sys, int i, char *name, size_t size) {
    snprintf(name, size, "first(%.120s)", sys->coord[i].name);
}

static zw_status run_amplitudes(amplitudes_study *s, zw_error *err) {
    const zw_system *sys = s->input->system;
    double step = s->o->step_out > 0 ? s->o->step_out : s->o->until / ROWS;
    char name[160];
    ZW_TRY(zw_forced_slow_run(s->forced.all[0], s->o->until, step, s->input->source, &s->run, err));
    s->end = ZW_NEW(&s->arena, double, sys->nq + 1);
    ZW_TRY(zw_arena_status(&s->arena, err));
    for (int i = 0; i < sys->nq; i++) {
        name_column(sys, i, name, sizeof name);
        s->end[i] = zw_table_at(s->run, zw_table_rows(s->run) - 1, zw_table_find(s->run, name));
    }
    return s->forced.stopped ? ZW_STOPPED : ZW_OK;
}

static zw_status find_amplitudes(amplitudes_study *s, zw_error *err) {
    zw_forced *f = s->forced.all[0];
    zw_error why = {0};
    zw_status status = zw_forced_find(f, NAN, NULL, &why);
    if (status == ZW_E_NUMERIC && s->o->starts > 0)
        status = ZW_OK;
    if (status < 0 && err)
        *err = why;
    ZW_TRY(status);
    if (s->o->starts > 0)
        ZW_TRY(zw_forced_search(f, NAN, s->o->starts, NULL, err));
    if (zw_forced_motions(f) == 0)
        return zw_fail(err, ZW_E_NUMERIC, "no stationary amplitudes were found from %d starts",
                       s->o->starts + 1);
    return zw_forced_study_end(&s->forced, NULL, err);
}

static zw_status run_study(void *study, const zw_study_input *input, zw_error *err) {
    amplitudes_study *s = study;
    (void)input;
    if (s->o->symbolic)
        return derive_formulas(s, err);
    if (s->o->until > 0)
        return run_amplitudes(s, err);
    if (!s->o->own.over)
        return find_amplitudes(s, err);
    ZW_TRY(zw_forced_curves(s->forced.all[0], s->o->values, s->o->starts, err));
    return zw_forced_study_end(&s->forced, NULL, err);
}

static bool has_results(const void *study, zw_status status) {
    (void)status;
    return ((const amplitudes_study *)study)->forced.found;
}

static bool reduce_after(const void *study, zw_status status) {
    const amplitudes_study *s = study;
    return status == ZW_E_NUMERIC && !s->o->symbolic && zw_forced_study_drifts(&s->forced);
}

/* -------------------------------------------------------------------------------------- results */

static void report_end(const amplitudes_study *s, zw_report *out) {
    const zw_system *sys = s->input->system;
    char name[160];
    zw_report_number(out, "until", s->o->until, &(zw_shown){.unit = "s"});
    zw_report_list(out, "amplitudes_at_end");
    for (int i = 0; i < sys->nq; i++) {
        name_column(sys, i, name, sizeof name);
        zw_report_open(out, NULL);
        zw_report_word(out, "name", name);
        zw_report_word(out, "unit", sys->coord[i].unit);
        zw_report_number(out, "value", s->end[i],
                         &(zw_shown){.unit = sys->coord[i].unit, .digits = 9});
        zw_report_say(out, i ? ", {name} = {value}" : "at the end {name} = {value}");
        zw_report_close(out);
    }
    zw_report_close(out);
    zw_report_say(out, "\n");
}

static void report_study(const void *study, zw_report *out) {
    const amplitudes_study *s = study;
    if (s->formulas)
        zw_amplitudes_report(s->formulas, out);
    else if (s->cycles)
        zw_symbolic_report(s->cycles, out);
    else if (s->end)
        report_end(s, out);
    else
        zw_forced_study_report(&s->forced, out);
}

static void list_warnings(const void *study, zw_warnings *out) {
    const amplitudes_study *s = study;
    if (!s->o->symbolic && !s->end)
        zw_forced_study_warnings(&s->forced, out);
    if (!s->formulas || !zw_amplitudes_get(s->formulas)->forced_out)
        return;
    zw_warning d = zw_warning_of("mean", NAN,
                                 "--odd leaves out the means, although the amplitudes excite them");
    zw_warning_hint(&d, "leave out --odd");
    zw_warnings_add(out, &d);
}

static zw_status make_table(void *study, const zw_study_input *input, const char *which,
                            zw_table **out, zw_error *err) {
    amplitudes_study *s = study;
    (void)which;
    *out = s->run; /* given away */
    s->run = NULL;
    if (*out)
        return ZW_OK;
    if (s->o->symbolic || s->end)
        return zw_fail(err, ZW_E_OPTION, "these results have no table");
    return zw_forced_table(s->forced.all[0], input->source, out, err);
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

/* Formulas that go to a file are not shown, too. */
static zw_status write_text(void *study, const zw_study_input *input, const char *which,
                            zw_bytes *out, zw_error *err) {
    amplitudes_study *s = study;
    zw_context *ctx = input->system->ctx;
    bool latex = s->o->format == FORMAT_LATEX;
    if (!s->o->symbolic || (strcmp(which, "formulas") == 0 && zw_study_wants(input, "out")))
        return ZW_OK;
    if (s->cycles)
        return take_text(ctx,
                         zw_symbolic_write(s->cycles, latex ? ZW_SYMBOLIC_LATEX : ZW_SYMBOLIC_TEXT),
                         out, err);
    return take_text(
        ctx, zw_amplitudes_write(s->formulas, latex ? ZW_AMPLITUDES_LATEX : ZW_AMPLITUDES_TEXT),
        out, err);
}

static const zw_study_output outputs[] = {
    {.key = "out",
     .about = "points of the curves, or rows of the run: .csv, .json, .h5; .tex, .txt: formulas",
     .texts = ".tex .txt"},
    {.key = "formulas",
     .about = "file of the formulas (default standard output)",
     .is_text = true,
     .shown = true},
    {.key = NULL},
};

const zw_study_kind zw_study_amplitudes = {
    .name = "amplitudes",
    .question = "What repeats itself?",
    .about = "slowly varying amplitudes and limit cycles: formulas, curves, runs",
    .usage = "amplitudes MODEL [--symbolic] [--taylor N] [--harmonics H]\n       [--over "
             "NAME=FROM:TO] [--until T] [--out FILE] [--picture FILE]",
    .details = "Writes the coordinates as harmonics of the excitation with slowly varying "
               "amplitudes Z, which obey M(Z) Z' + F(Z) = 0. --symbolic gives these equations for "
               "one harmonic as formulas. Otherwise it finds stationary amplitudes, F = 0, and "
               "their stability from the eigenvalues of -M^-1 F_Z, next to the Floquet "
               "multipliers; --over follows them through folds, --until integrates the amplitudes "
               "in time. Without excitation it finds limit cycles, with the frequency as an "
               "unknown, and with --symbolic their amplitude and frequency near a Hopf point.",
    .examples =
        "  zwang amplitudes models/duffing.zw --symbolic\n"
        "  zwang amplitudes models/absorber_planar.zw --symbolic --taylor 2 --format latex "
        "--out amplitudes.tex\n"
        "  zwang amplitudes models/absorber_planar.zw --odd --taylor 2 --over omega=2:5 "
        "--picture curves.svg\n"
        "  zwang amplitudes models/duffing.zw --odd --until 60 --picture envelope.svg\n"
        "  zwang amplitudes models/tippedisk_normalised.zw --symbolic --steady inverted_spin --for "
        "w,zeta\n",
    .call = "amplitudes duffing --symbolic",
    .printed = "duffing: slowly varying amplitudes\n"
               "\n"
               "The motion\n"
               "    x = x_s*sin(t*Omega) + x_c*cos(t*Omega)\n"
               "\n"
               "The amplitudes vary slowly: second derivatives and squares of first ones are ...\n"
               "Means stay zero for any amplitudes.\n"
               "\n"
               "Equations, M(Z) Z' + f(Z) = 0\n"
               "...\n",
    .groups = groups,
    .size = sizeof(amplitudes_options),
    .begin = begin_options,
    .form = choose_form,
    .outputs = outputs,
    .create = create_study,
    .work = run_study,
    .has_results = has_results,
    .reduce_after = reduce_after,
    .report = report_study,
    .warnings = list_warnings,
    .table = make_table,
    .text = write_text,
    .destroy = destroy_study,
};
