/* SPDX-License-Identifier: MIT */
/* Slowly varying amplitudes of a forced model: their equations as formulas, stationary ones and
 * their stability, curves of them, and runs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/derive.h"
#include "cli/forced.h"
#include "cli/job.h"
#include "cli/picture.h"
#include "cli/progress.h"
#include "cli/reduced.h"

#define FEW_HARMONICS_ERROR 1e-3 /* relative; a larger error by few harmonics is reported */
#define AT(field) offsetof(cli_options, field)

enum { FORMAT_TEXT, FORMAT_LATEX, FORMAT_JSON, NAME_MAX_LENGTH = 128 };

static const zw_option table[] = {
    {"symbolic", ZW_OPT_FLAG, AT(symbolic), 0, 0, 0, "", NULL,
     "the equations of the amplitudes of one harmonic as formulas, with --taylor terms (default "
     "2)"},
    {"taylor", ZW_OPT_INT, AT(forced.taylor), 0, 0, 8, "", NULL,
     "functions of the equations by so many terms of their series; 0: as they are"},
    {"van-der-pol", ZW_OPT_FLAG, AT(forced.van_der_pol), 0, 0, 0, "", NULL,
     "velocities as if amplitudes were constant, without means: rates are then twice too large"},
    {"over", ZW_OPT_STRING, AT(over), 0, 0, 0, "", "NAME=FROM:TO",
     "curves of stationary amplitudes over a parameter: Omega=0.1:5"},
    {"values", ZW_OPT_INT, AT(forced.values), 0, 0, 10000, "", NULL,
     "look for curves at so many values between the ends, too: isolas"},
    {"until", ZW_OPT_DOUBLE, AT(until), 0, 0, 1e12, "s", NULL,
     "run the amplitudes so long, from the start of the model"},
    {"step-out", ZW_OPT_DOUBLE, AT(step_out), 0, 0, 1e12, "s", NULL,
     "time between its rows; 0: a thousandth"},
    {"format", ZW_OPT_CHOICE, AT(format), FORMAT_TEXT, 0, 0, "", "text|latex|json",
     "how formulas are written"},
    {"plot", ZW_OPT_LIST, AT(plot), 0, 0, 0, "", "y:x",
     "a panel of the picture, as of zwang plot: first(x):Omega"},
    {"picture", ZW_OPT_STRING, AT(picture), 0, 0, 0, "", "FILE",
     "a picture of the curves or of the run: .svg, .pdf, .png, .tex"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "all numbers as JSON, with coefficients"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE",
     "the points of curves, or the rows of a run: .csv, .json, .h5; of formulas their text"},
    {0},
};

static const zw_option balance[] = {
    {"harmonics", ZW_OPT_INT, AT(forced.harmonics), 1, 1, 2000, "", NULL, "the highest harmonic"},
    {"odd", ZW_OPT_FLAG, AT(forced.odd), 0, 0, 0, "", NULL, "odd harmonics alone: no means either"},
    {"settle", ZW_OPT_INT, AT(forced.settle), 50, 0, 100000, "", NULL,
     "periods that the start of the model runs before its motion is the first guess; 0: rest is"},
    {"starts", ZW_OPT_INT, AT(forced.starts), 0, 0, 1000000, "", NULL,
     "further starts of different sizes: all stationary amplitudes that they lead to"},
    {0},
};

static const zw_option cycles[] = {
    {"steady", ZW_OPT_STRING, AT(steady), 0, 0, 0, "", "NAME",
     "the steady motion that cycles are about, where the model states several"},
    {"at", ZW_OPT_STRING, AT(motion), 0, 0, 0, "", "EQUATIONS",
     "such a motion, where the model states none: \"x = 0\""},
    {"for", ZW_OPT_STRING, AT(solve_for), 0, 0, 0, "", "NAME[,NAME]",
     "the Hopf point as a value of this parameter, its change of type as one of the second"},
    {"amplitude", ZW_OPT_STRING, AT(amplitude), 0, 0, 0, "", "NAME",
     "the coordinate or velocity whose amplitude C is"},
    {"numbers", ZW_OPT_LIST, AT(numbers), 0, 0, 0, "", "NAME,...",
     "parameters that stand with their values instead of their names"},
    {0},
};

/* ------------------------------------------------------------------------------------- formulas */

static zw_status write_json(const zw_symbolic *y, const cli_options *o, const cli_model *m,
                            zw_error *err) {
    zw_report *r = zw_report_create(NULL);
    zw_bytes bytes = {0};
    if (r) {
        zw_report_word(r, "model", m->sys->name);
        zw_symbolic_report(y, r);
    }
    zw_status status = r ? zw_report_json(r, &bytes, err) : zw_out_of_memory(err, NULL);
    if (status >= 0)
        status = cli_write_text(o->out, bytes.data, err);
    zw_bytes_clear(&bytes);
    zw_report_destroy(r);
    return status;
}

static zw_status report_cycles(const cli_options *o, const cli_model *m,
                               zw_symbolic_options *options, zw_error *err) {
    const char *numbers[CLI_SPLIT_MAX];
    zw_symbolic *y;
    options->steady = o->motion ? "--at" : o->steady;
    options->number = numbers;
    ZW_TRY(cli_split(m->ctx, &o->numbers, numbers, &options->nnumber, err));
    options->stop = cli_watch;
    options->stop_user = (void *)o;
    zw_status status = zw_symbolic_create(&y, m->sys, options, err);
    cli_end_progress();
    ZW_TRY(status);
    if (o->json || o->format == FORMAT_JSON) {
        status = write_json(y, o, m, err);
    } else {
        char *text = zw_symbolic_write(
            y, o->format == FORMAT_LATEX ? ZW_SYMBOLIC_LATEX : ZW_SYMBOLIC_TEXT);
        status = cli_write_text(o->out, text, err);
        zw_string_free(m->ctx, text);
    }
    zw_symbolic_destroy(y);
    return status;
}

/* cycles near a Hopf point of an unforced model */
static zw_status write_cycles(const cli_options *o, const cli_model *m, zw_error *err) {
    zw_symbolic_options options = zw_symbolic_options_default();
    char first[NAME_MAX_LENGTH];
    const char *driven = o->forced.taylor        ? "taylor"
                         : o->forced.van_der_pol ? "van-der-pol"
                         : o->forced.odd         ? "odd"
                                                 : NULL;
    if (driven)
        return zw_fail(err, ZW_E_OPTION,
                       "--%s is about driven models; cycles hold all terms up to order 3", driven);
    options.cycles = true;
    options.cycle_of = o->amplitude;
    if (o->solve_for) {
        size_t length = strcspn(o->solve_for, ",");
        snprintf(first, sizeof first, "%.*s", (int)length, o->solve_for);
        options.parameter = first;
        if (o->solve_for[length])
            options.cycle_type = o->solve_for + length + 1 + strspn(o->solve_for + length + 1, " ");
    }
    return report_cycles(o, m, &options, err);
}

static zw_status is_driven(const cli_model *m, bool *driven, zw_error *err) {
    zw_equations eq;
    zw_forcing forcing;
    ZW_TRY(zw_derive(&eq, m->sys, NULL, "lagrange", err));
    ZW_TRY(zw_forcing_find(&forcing, &eq, err));
    *driven = !forcing.autonomous;
    return ZW_OK;
}

static zw_status write_formulas(const cli_options *o, const cli_model *m, zw_error *err) {
    static const zw_amplitudes_format formats[] = {ZW_AMPLITUDES_TEXT, ZW_AMPLITUDES_LATEX,
                                                   ZW_AMPLITUDES_JSON};
    zw_amplitudes_options options = zw_amplitudes_options_default();
    zw_amplitudes *a;
    if (o->forced.taylor)
        options.terms = o->forced.taylor;
    options.odd = o->forced.odd;
    options.van_der_pol = o->forced.van_der_pol;
    ZW_TRY(zw_amplitudes_create(&a, m->sys, &options, err));
    if (zw_amplitudes_get(a)->forced_out) {
        zw_warning d = zw_warning_of("mean", NAN,
                                     "--odd leaves out means, although the amplitudes drive them");
        zw_warning_hint(&d, "go without it");
        zw_warnings_add(m->warnings, &d);
        cli_report_warnings(o, m->warnings, false);
    }
    char *text = zw_amplitudes_write(a, o->json ? ZW_AMPLITUDES_JSON : formats[o->format]);
    zw_status status = cli_write_text(o->out, text, err);
    zw_string_free(m->ctx, text);
    zw_amplitudes_destroy(a);
    return status;
}

static int run_symbolic(const cli_options *o, const char *path, zw_error *err) {
    cli_model model = {0};
    cli_options reading = *o;
    reading.model.constants = true;
    reading.model.steady = o->motion;
    zw_status status = cli_guard_write(o, o->out, err);
    if (status >= 0)
        status = cli_model_open(&model, path, &reading, err);
    if (status >= 0) {
        cli_report_warnings(o, model.warnings, false);
        bool driven = true;
        status = is_driven(&model, &driven, err);
        if (status >= 0)
            status = cli_model_reduce(&model, path, &reading,
                                      driven ? CLI_REDUCE_COORDINATES : CLI_REDUCE_LEFT_OUT, err);
        if (status >= 0)
            status = driven ? write_formulas(o, &model, err) : write_cycles(o, &model, err);
    }
    status = cli_judge(o, model.warnings, status, err);
    cli_model_close(&model);
    return cli_exit_code(status);
}

/* -------------------------------------------------------------------------------------- numbers */

static zw_status run_amplitudes(const cli_options *o, cli_forced *s, zw_error *err) {
    zw_model_source source = cli_model_source(&s->model, s->path);
    zw_table *t;
    double step = o->step_out > 0 ? o->step_out : o->until / 1000;
    zw_status status = zw_forced_slow_run(s->study, o->until, step, &source, &t, err);
    cli_end_progress();
    ZW_TRY(status);
    for (int i = 0; i < s->model.sys->nq; i++) {
        char name[160];
        snprintf(name, sizeof name, "first(%.120s)", s->model.sys->coord[i].name);
        printf("%s%s = %.9g %s%s", i ? ", " : "at the end ", name,
               zw_table_at(t, zw_table_rows(t) - 1, zw_table_find(t, name)),
               s->model.sys->coord[i].unit, i + 1 < s->model.sys->nq ? "" : "\n");
    }
    return cli_picture_and_table(o, s->model.warnings, t, err);
}

static zw_status find_amplitudes(const cli_options *o, cli_forced *s, zw_error *err) {
    zw_status status = zw_forced_find(s->study, NAN, NULL, err);
    if (status == ZW_E_NUMERIC && o->forced.starts > 0) {
        *err = (zw_error){0};
        status = ZW_OK;
    }
    if (status >= 0 && o->forced.starts > 0)
        status = zw_forced_search(s->study, NAN, o->forced.starts, NULL, err);
    cli_end_progress();
    ZW_TRY(status);
    if (zw_forced_motions(s->study) == 0)
        return zw_fail(err, ZW_E_NUMERIC, "no stationary amplitudes were found");
    return cli_forced_report(o, s, err);
}

static zw_status follow_curves(const cli_options *o, cli_forced *s, zw_error *err) {
    zw_model_source source = cli_model_source(&s->model, s->path);
    zw_table *t;
    zw_status status = zw_forced_curves(s->study, o->forced.values, o->forced.starts, err);
    cli_end_progress();
    ZW_TRY(status);
    ZW_TRY(cli_forced_report(o, s, err));
    if (o->out || o->picture) {
        ZW_TRY(zw_forced_table(s->study, &source, &t, err));
        ZW_TRY(cli_picture_and_table(o, s->model.warnings, t, err));
    }
    return cli_interrupted() ? ZW_STOPPED : ZW_OK;
}

static zw_status study_amplitudes(const cli_options *o, cli_forced *s, zw_error *err) {
    return o->until > 0 ? run_amplitudes(o, s, err)
           : o->over    ? follow_curves(o, s, err)
                        : find_amplitudes(o, s, err);
}

static zw_status check_options(const cli_options *o, cli_forced *s, zw_error *err) {
    (void)s;
    if (o->until > 0 && o->over)
        return zw_fail(err, ZW_E_OPTION, "--until is a run, --over are curves: one of them");
    if (!o->over && !(o->until > 0) && (o->out || o->picture)) {
        zw_fail(err, ZW_E_OPTION, "stationary amplitudes at one place are told, not drawn");
        zw_error_hint(err, "--over Omega=0.1:5 for curves, --until 100 for a run, --json for "
                           "numbers");
        return ZW_E_OPTION;
    }
    if (cli_is_given(o, "format"))
        return zw_fail(err, ZW_E_OPTION, "--format is about formulas: add --symbolic");
    if (o->picture)
        ZW_TRY(zw_plot_check_path(o->picture, err));
    if (o->out)
        ZW_TRY(zw_table_can_write(o->out, err));
    return cli_guard_write(o, o->out, err);
}

static int run_verb(const cli_options *o, const char *const *words, zw_error *err) {
    cli_options numbers = *o;
    if (o->symbolic) {
        const char *other = o->over                        ? "over"
                            : o->until > 0                 ? "until"
                            : o->picture                   ? "picture"
                            : cli_is_given(o, "harmonics") ? "harmonics"
                                                           : NULL;
        if (other) {
            zw_fail(err, ZW_E_OPTION, "--%s is about numbers, not about formulas", other);
            zw_error_hint(err, "formulas are those of one harmonic");
            return cli_exit_code(ZW_E_OPTION);
        }
        return run_symbolic(o, words[0], err);
    }
    numbers.forced.slow = true;
    numbers.forced.cycles = true;
    numbers.forced.odd |= o->forced.van_der_pol;
    numbers.forced.order = 1;
    numbers.forced.harmonics_max = o->forced.harmonics;
    numbers.forced.tolerance =
        FEW_HARMONICS_ERROR; /* an error by too few harmonics is reported if it is larger */
    return cli_forced_run(&numbers, words[0], o->over, check_options, study_amplitudes, err);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"the amplitudes", balance, 0},
    {"cycles as formulas", cycles, 0},
    {"messages and limits", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {"picture", cli_draw_table, offsetof(cli_options, draw)},
    {0},
};

const cli_command cli_amplitudes = {
    .name = "amplitudes",
    .usage = "amplitudes MODEL [--symbolic] [--taylor N] [--harmonics H] [--over NAME=FROM:TO] "
             "[--until T] [--out FILE] [--picture FILE]",
    .about = "slowly varying amplitudes, and cycles near Hopf points: formulas, curves, runs",
    .details =
        "The coordinates as harmonics of the drive whose amplitudes Z change slowly obey M(Z) Z' "
        "+ F(Z) = 0. With --symbolic\n"
        "these equations of one harmonic as formulas; otherwise stationary amplitudes, F = 0, and "
        "their stability by the\n"
        "eigenvalues of -M^-1 F_Z, with Floquet's multipliers beside them; with --over curves of "
        "them through their folds; with\n"
        "--until how amplitudes go on in time.\n"
        "Of models that nothing drives: limit cycles, with the frequency as an unknown; with "
        "--symbolic their amplitude and "
        "frequency near a Hopf point.",
    .examples =
        "  zwang amplitudes models/duffing.zw --symbolic\n"
        "  zwang amplitudes models/absorber_planar.zw --symbolic --taylor 2 --format latex "
        "--out amplitudes.tex\n"
        "  zwang amplitudes models/absorber_planar.zw --odd --taylor 2 --over omega=2:5 "
        "--picture curves.svg\n"
        "  zwang amplitudes models/duffing.zw --odd --until 60 --picture envelope.svg\n"
        "  zwang amplitudes models/tippedisk_normalised.zw --symbolic --steady inverted_spin --for "
        "w,zeta\n",
    .groups = groups,
    .arguments = 1,
    .run = run_verb,
};
