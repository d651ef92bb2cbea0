/* SPDX-License-Identifier: MIT */
/* Slowly varying amplitudes as a study: their equations as formulas, limit cycles near a Hopf point
 * as formulas, stationary amplitudes, curves of them, and runs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/text.h"
#include "motion/response/forced_study.h"
#include "zwang/symbolic.h"
#include "zwang/system.h"

/* relative; a larger error by few harmonics is reported */
#define FEW_HARMONICS_ERROR 1e-3

enum { FORMAT_TEXT, FORMAT_LATEX, FORMAT_JSON };

typedef struct amplitudes_options {
    zw_forced_options own;
    zw_option_list numbers;
    const char *steady, *at, *parameters, *amplitude;
    int values, starts, format;
    bool symbolic;
    double until, step_out;
} amplitudes_options;

typedef struct amplitudes_study {
    amplitudes_options *options;
    const zw_system *sys;
    zw_arena arena;
    zw_forced_study forced;
    zw_table *rows; /* of a run */
    zw_amplitudes *formulas;
    zw_symbolic *cycles;
} amplitudes_study;

/* ------------------------------------------------------------------------------------- options */

#define AT(field) offsetof(amplitudes_options, field)

static const zw_option common_table[] = {
    {"symbolic", ZW_OPT_FLAG, AT(symbolic), 0, 0, 0, "", NULL,
     "the equations of the amplitudes of one harmonic as formulas, with --taylor terms (default "
     "2)"},
    {"over", ZW_OPT_STRING, AT(own.over), 0, 0, 0, "", "NAME=FROM:TO",
     "curves of stationary amplitudes over a parameter: Omega=0.1:5"},
    {"until", ZW_OPT_DOUBLE, AT(until), 0, 0, 1e12, "s", NULL,
     "end of a run of the amplitudes from the start of the model; 0: no run"},
    {"harmonics", ZW_OPT_INT, AT(own.harmonics), 1, 1, 2000, "", NULL, "the highest harmonic"},
    {"odd", ZW_OPT_FLAG, AT(own.odd), 0, 0, 0, "", NULL, "odd harmonics only, without means"},
    {"starts", ZW_OPT_INT, AT(starts), 0, 0, 1000000, "", NULL,
     "number of further starts of different sizes, for all stationary amplitudes that they lead "
     "to"},
    {"values", ZW_OPT_INT, AT(values), 0, 0, 10000, "", NULL,
     "number of values between the ends of the range at which curves are searched, too: isolas"},
    {"taylor", ZW_OPT_INT, AT(own.taylor), 0, 0, 8, "", NULL,
     "number of terms of the series of functions in the equations; 0: the functions themselves"},
    {"format", ZW_OPT_CHOICE, AT(format), FORMAT_TEXT, 0, 0, "", "text|latex|json",
     "notation of formulas"},
    {0},
};
static const zw_option rare_table[] = {
    {"van-der-pol", ZW_OPT_FLAG, AT(own.van_der_pol), 0, 0, 0, "", NULL,
     "velocities as if amplitudes were constant, without means: rates are then twice too large"},
    {"settle", ZW_OPT_INT, AT(own.settle), 50, 0, 100000, "", NULL,
     "periods that the start of the model runs before its motion is the first guess; 0: the guess "
     "is rest"},
    {"step-out", ZW_OPT_DOUBLE, AT(step_out), 0, 0, 1e12, "s", NULL,
     "time between rows of a run; 0: a thousandth of it"},
    {0},
};
static const zw_option cycle_table[] = {
    {"steady", ZW_OPT_STRING, AT(steady), 0, 0, 0, "", "NAME",
     "the steady motion of the model that cycles are about, if it states several"},
    {"at", ZW_OPT_STRING, AT(at), 0, 0, 0, "", "EQUATIONS",
     "this motion, if the model states none: \"x = 0\""},
    {"for", ZW_OPT_STRING, AT(parameters), 0, 0, 0, "", "NAME[,NAME]",
     "the parameter whose value at the Hopf point is computed, and the one whose value at the "
     "change of type is"},
    {"amplitude", ZW_OPT_STRING, AT(amplitude), 0, 0, 0, "", "NAME",
     "the coordinate or velocity whose amplitude C is"},
    {"numbers", ZW_OPT_LIST, AT(numbers), 0, 0, 0, "", "NAME,...",
     "parameters with their values instead of their names"},
    {0},
};

static const zw_option_group groups[] = {
    {"options", common_table, 0, false},
    {"more options", rare_table, 0, true},
    {"cycles as formulas", cycle_table, 0, true},
    {NULL, NULL, 0, false},
};

static void begin_options(void *options) {
    ((amplitudes_options *)options)->own = zw_forced_options_default();
}

static zw_status reject_option(zw_error *err, const char *key, const char *text, const char *hint) {
    zw_fail(err, ZW_E_OPTION, "--%s %s", key, text);
    if (hint)
        zw_error_hint(err, "%s", hint);
    return ZW_E_OPTION;
}

static zw_status check_formulas(const amplitudes_options *o, const zw_study_input *input,
                                zw_error *err) {
    const char *out = zw_study_wants(input, "out");
    const char *other = o->own.over                             ? "over"
                        : o->until > 0                          ? "until"
                        : out && !out[0]                        ? "picture"
                        : zw_study_is_given(input, "harmonics") ? "harmonics"
                                                                : NULL;
    return other ? reject_option(err, other, "is about numbers, not about formulas",
                                 "formulas are those of one harmonic")
                 : ZW_OK;
}

static zw_status check_numbers(const amplitudes_options *o, const zw_study_input *input,
                               zw_error *err) {
    static const char *const keys[] = {"format", "steady", "at", "for", "amplitude", "numbers"};
    if (o->until > 0 && o->own.over)
        return zw_fail(err, ZW_E_OPTION, "--until is a run, --over are curves: choose one");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (zw_study_is_given(input, keys[i]))
            return zw_fail(err, ZW_E_OPTION, "--%s is about formulas: add --symbolic", keys[i]);
    if (o->own.over || o->until > 0 || !zw_study_wants(input, "out"))
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION,
            "stationary amplitudes at the values of the model are reported; they have no table");
    zw_error_hint(err, "--over Omega=0.1:5 for curves, --until 100 for a run, --json for numbers");
    return ZW_E_OPTION;
}

/* ----------------------------------------------------------------------------------- the model */

static zw_status is_driven(const zw_system *sys, bool *driven, zw_error *err) {
    zw_equations eq;
    zw_forcing forcing;
    ZW_TRY(zw_derive(&eq, sys, NULL, "lagrange", err));
    ZW_TRY(zw_forcing_find(&forcing, &eq, err));
    *driven = !forcing.autonomous;
    return ZW_OK;
}

/* formulas need the names of constants; those of a driven model its explicit equations */
static zw_status find_form(void *options, const zw_study_input *input, zw_study_form *out,
                           zw_error *err) {
    const amplitudes_options *o = options;
    bool driven = false;
    *out = (zw_study_form){.reduction = ZW_STUDY_LEFT_OUT};
    if (!o->symbolic)
        return ZW_OK;
    ZW_TRY(is_driven(input->system, &driven, err));
    out->constants = out->symbolic = true;
    out->at = o->at;
    if (driven)
        out->reduction = ZW_STUDY_COORDINATES;
    return ZW_OK;
}

static zw_status open_numbers(amplitudes_study *s, const zw_study_input *input, zw_error *err) {
    zw_forced_options own = s->options->own;
    own.slow = own.cycles = true;
    own.odd |= own.van_der_pol;
    own.harmonics_max = own.harmonics;
    own.tolerance = FEW_HARMONICS_ERROR;
    return zw_forced_study_open(&s->forced, input, own, NULL, err);
}

static zw_status create_study(void **out, const zw_study_input *input, void *given, zw_error *err) {
    amplitudes_options *o = given;
    zw_allocator alloc = zw_context_allocator(input->system->ctx);
    ZW_TRY(o->symbolic ? check_formulas(o, input, err) : check_numbers(o, input, err));
    amplitudes_study *s = zw_allocate(&alloc, sizeof *s);
    if (!s)
        return zw_out_of_memory(err, NULL);
    *s = (amplitudes_study){.options = o, .sys = input->system, .forced.gap = NAN};
    zw_arena_init(&s->arena, &alloc);
    *out = s;
    return o->symbolic ? ZW_OK : open_numbers(s, input, err);
}

static void destroy_study(void *study) {
    amplitudes_study *s = study;
    zw_allocator alloc = s->arena.alloc;
    zw_amplitudes_destroy(s->formulas);
    zw_symbolic_destroy(s->cycles);
    zw_table_destroy(s->rows);
    zw_forced_study_close(&s->forced);
    zw_arena_clear(&s->arena);
    zw_release(&alloc, s, sizeof *s);
}

/* -------------------------------------------------------------------------------------- formulas */

/* cycles near a Hopf point of a model without excitation */
static zw_status find_cycles(amplitudes_study *s, const zw_study_input *input, zw_error *err) {
    const amplitudes_options *o = s->options;
    zw_symbolic_options options = zw_symbolic_options_default();
    const char *driven = o->own.taylor        ? "taylor"
                         : o->own.van_der_pol ? "van-der-pol"
                         : o->own.odd         ? "odd"
                                              : NULL;
    if (driven)
        return reject_option(err, driven,
                             "is about driven models; cycles have all terms up to order 3", NULL);
    options.cycles = true;
    options.cycle_of = o->amplitude;
    options.steady = o->at ? "--at" : o->steady;
    options.stop = input->stop;
    options.stop_user = input->user;
    if (o->parameters) {
        size_t length = strcspn(o->parameters, ",");
        const char *rest = o->parameters + length;
        options.parameter = zw_arena_printf(&s->arena, "%.*s", (int)length, o->parameters);
        if (*rest)
            options.cycle_type = rest + 1 + strspn(rest + 1, " ");
    }
    ZW_TRY(zw_option_list_split(&o->numbers, &s->arena, &options.number, &options.nnumber, err));
    return zw_symbolic_create(&s->cycles, s->sys, &options, err);
}

static zw_status find_formulas(amplitudes_study *s, const zw_study_input *input, zw_error *err) {
    const amplitudes_options *o = s->options;
    zw_amplitudes_options options = zw_amplitudes_options_default();
    bool driven;
    ZW_TRY(is_driven(s->sys, &driven, err));
    if (!driven)
        return find_cycles(s, input, err);
    if (o->own.taylor)
        options.terms = o->own.taylor;
    options.odd = o->own.odd;
    options.van_der_pol = o->own.van_der_pol;
    return zw_amplitudes_create(&s->formulas, s->sys, &options, err);
}

/* --------------------------------------------------------------------------------------- numbers */

static zw_status find_stationary(amplitudes_study *s, zw_error *err) {
    zw_forced *f = s->forced.all[0];
    int starts = s->options->starts;
    zw_error trouble = {0};
    zw_status status = zw_forced_find(f, NAN, NULL, &trouble);
    if (status < 0 && !(status == ZW_E_NUMERIC && starts > 0)) {
        if (err)
            *err = trouble;
        return status;
    }
    if (starts > 0)
        ZW_TRY(zw_forced_search(f, NAN, starts, NULL, err));
    if (zw_forced_motions(f) == 0)
        return zw_fail(err, ZW_E_NUMERIC, "no stationary amplitudes were found");
    return zw_forced_study_end(&s->forced, NULL, err);
}

static zw_status run_amplitudes(amplitudes_study *s, const zw_study_input *input, zw_error *err) {
    const amplitudes_options *o = s->options;
    double step = o->step_out > 0 ? o->step_out : o->until / 1000;
    ZW_TRY(zw_forced_slow_run(s->forced.all[0], o->until, step, input->source, &s->rows, err));
    s->forced.found = true;
    return s->forced.stopped ? ZW_STOPPED : ZW_OK;
}

static zw_status work_study(void *study, const zw_study_input *input, zw_error *err) {
    amplitudes_study *s = study;
    const amplitudes_options *o = s->options;
    if (o->symbolic)
        return find_formulas(s, input, err);
    if (o->until > 0)
        return run_amplitudes(s, input, err);
    if (!o->own.over)
        return find_stationary(s, err);
    ZW_TRY(zw_forced_curves(s->forced.all[0], o->values, o->starts, err));
    return zw_forced_study_end(&s->forced, NULL, err);
}

static bool has_results(const void *study, zw_status status) {
    (void)status;
    return ((const amplitudes_study *)study)->forced.found;
}

static bool reduce_after(const void *study, zw_status status) {
    const amplitudes_study *s = study;
    return status == ZW_E_NUMERIC && zw_forced_study_drifts(&s->forced);
}

/* --------------------------------------------------------------------------------------- results */

/* the amplitudes at the end of a run */
static void report_run(const amplitudes_study *s, zw_report *out) {
    long last = zw_table_rows(s->rows) - 1;
    zw_report_say(out, "at the end ");
    zw_report_list(out, "end");
    for (int i = 0; i < s->sys->nq; i++) {
        char name[160];
        snprintf(name, sizeof name, "first(%.120s)", s->sys->coord[i].name);
        zw_report_open(out, NULL);
        zw_report_word(out, "name", name);
        zw_report_number(out, "value", zw_table_at(s->rows, last, zw_table_find(s->rows, name)),
                         &(zw_shown){.unit = s->sys->coord[i].unit, .digits = 9});
        zw_report_say(out, i ? ", {name} = {value}" : "{name} = {value}");
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
    else if (s->rows)
        report_run(s, out);
    else
        zw_forced_study_report(&s->forced, out);
}

static void list_warnings(const void *study, zw_warnings *out) {
    const amplitudes_study *s = study;
    if (s->formulas && zw_amplitudes_get(s->formulas)->forced_out) {
        zw_warning d = zw_warning_of("mean", NAN,
                                     "--odd leaves out means, although the amplitudes drive them");
        zw_warning_hint(&d, "leave out --odd");
        zw_warnings_add(out, &d);
    }
    if (!s->options->symbolic && !s->rows)
        zw_forced_study_warnings(&s->forced, out);
}

static zw_status make_table(void *study, const zw_study_input *input, const char *which,
                            zw_table **out, zw_error *err) {
    amplitudes_study *s = study;
    (void)which;
    if (s->rows)
        return zw_table_thin(out, s->rows, zw_table_rows(s->rows), err);
    if (s->options->own.over)
        return zw_forced_table(s->forced.all[0], input->source, out, err);
    return reject_option(err, "out", "writes formulas as text: --out FILE.tex or FILE.txt", NULL);
}

static zw_status write_formulas(const amplitudes_study *s, bool latex, zw_bytes *out,
                                zw_error *err) {
    zw_allocator alloc = s->arena.alloc;
    zw_text copy;
    char *text =
        s->formulas
            ? zw_amplitudes_write(s->formulas, latex ? ZW_AMPLITUDES_LATEX : ZW_AMPLITUDES_TEXT)
            : zw_symbolic_write(s->cycles, latex ? ZW_SYMBOLIC_LATEX : ZW_SYMBOLIC_TEXT);
    if (!text)
        return zw_out_of_memory(err, NULL);
    zw_text_init(&copy, &alloc);
    zw_text_put(&copy, text);
    zw_string_free(s->sys->ctx, text);
    return zw_text_bytes(&copy, out, NULL, err);
}

/* Formulas in a file by its ending, or in the notation of --format where no file has them; "": the
 * words of the report. */
static zw_status give_text(void *study, const zw_study_input *input, const char *which,
                           zw_bytes *out, zw_error *err) {
    const amplitudes_study *s = study;
    bool latex = s->options->format == FORMAT_LATEX;
    const char *path = zw_study_wants(input, "out"), *ending = path ? strrchr(path, '.') : NULL;
    *out = (zw_bytes){0};
    if (strcmp(which, "formulas") == 0)
        return s->options->symbolic && !path ? write_formulas(s, latex, out, err) : ZW_OK;
    return s->options->symbolic
               ? write_formulas(s, latex || (ending && strcmp(ending, ".tex") == 0), out, err)
               : reject_option(err, "out", "with this ending is for formulas", "add --symbolic");
}

static const zw_study_output outputs[] = {
    {.key = "out",
     .about = "the points of curves, or the rows of a run: .csv, .json, .h5; formulas: .tex, .txt",
     .texts = ".tex .txt"},
    {.key = "formulas",
     .about = "the formulas in the notation of --format",
     .is_text = true,
     .shown = true,
     .noted = true},
    {0},
};

const zw_study_kind zw_study_amplitudes = {
    .name = "amplitudes",
    .question = "What repeats itself?",
    .about = "slowly varying amplitudes, and cycles near Hopf points: formulas, curves, runs",
    .usage = "amplitudes MODEL [--symbolic] [--taylor N] [--harmonics H] [--over NAME=FROM:TO] "
             "[--until T] [--out FILE] [--picture FILE]",
    .details =
        "The coordinates as harmonics of the excitation whose amplitudes Z change slowly satisfy "
        "M(Z) Z' + F(Z) = 0.\n"
        "With --symbolic these equations of one harmonic as formulas; otherwise stationary "
        "amplitudes, F = 0, and their\n"
        "stability by the eigenvalues of -M^-1 F_Z, with Floquet multipliers as a check; with "
        "--over curves of them through\n"
        "their folds; with --until a run of the amplitudes. Without excitation: limit cycles, with "
        "the frequency as an\n"
        "unknown; with --symbolic their amplitude and frequency near a Hopf point.",
    .examples =
        "  zwang amplitudes models/duffing.zw --symbolic\n"
        "  zwang amplitudes models/absorber_planar.zw --symbolic --taylor 2 --out amplitudes.tex\n"
        "  zwang amplitudes models/absorber_planar.zw --odd --taylor 2 --over omega=2:5 "
        "--picture curves.svg\n"
        "  zwang amplitudes models/duffing.zw --odd --until 60 --picture envelope.svg\n"
        "  zwang amplitudes models/tippedisk_normalised.zw --symbolic --steady inverted_spin --for "
        "w,zeta\n",
    .groups = groups,
    .size = sizeof(amplitudes_options),
    .begin = begin_options,
    .form = find_form,
    .reduce_after = reduce_after,
    .outputs = outputs,
    .create = create_study,
    .work = work_study,
    .has_results = has_results,
    .report = report_study,
    .warnings = list_warnings,
    .table = make_table,
    .text = give_text,
    .destroy = destroy_study,
};
