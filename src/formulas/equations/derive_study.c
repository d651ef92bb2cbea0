/* SPDX-License-Identifier: MIT */
/* Equations of motion as a study: in print, as values, and as a C file with its header. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "zwang/equations.h"
#include "zwang/kernel.h"
#include "zwang/simulate.h"
#include "zwang/study.h"
#include "zwang/zwang.h"

typedef enum derive_format { FORMAT_TEXT, FORMAT_LATEX, FORMAT_C, FORMAT_JSON } derive_format;

typedef struct derive_options {
    const char *by;
    int format, simplify;
    bool steps, eliminate, fragment;
} derive_options;

#define AT(field) offsetof(derive_options, field)

static const zw_option common_table[] = {
    {"by", ZW_OPT_STRING, AT(by), 0, 0, 0, "", "PRINCIPLE",
     "principle for the equations of motion (default lagrange)"},
    {"format", ZW_OPT_CHOICE, AT(format), FORMAT_TEXT, 0, 0, "", "text|latex|c|json",
     "output format"},
    {"simplify", ZW_OPT_CHOICE, AT(simplify), ZW_SHORTENED, 0, 0, "", "0|1|2",
     "text, latex: 0 as derived; 1 collected and factored, with named coefficients; 2 also with "
     "sines and cosines combined and constraints substituted"},
    {"steps", ZW_OPT_FLAG, AT(steps), 0, 0, 0, "", NULL,
     "text, latex, json: step-by-step derivation before the equations"},
    {"eliminate", ZW_OPT_FLAG, AT(eliminate), 0, 0, 0, "", NULL,
     "text, latex, json: dependent velocities substituted, and explicit accelerations where these "
     "are short"},
    {"fragment", ZW_OPT_FLAG, AT(fragment), 0, 0, 0, "", NULL,
     "latex: no preamble, for \\input into a document with amsmath"},
    {0},
};

static const zw_option_group groups[] = {
    {"options", common_table, 0, false},
    {NULL, NULL, 0, false},
};

typedef struct derivation {
    const derive_options *options;
    zw_equations eq;
    const double *start; /* nq + nv of the equations; NULL: none satisfies the constraints, */
    zw_error why;        /* because of this */
} derivation;

/* ---------------------------------------------------------------------------------------- work */

static zw_status check_options(const derive_options *o, const zw_study_input *input,
                               zw_error *err) {
    bool latex = o->format == FORMAT_LATEX;
    if (o->format != FORMAT_C && zw_study_wants(input, "header")) {
        zw_fail(err, ZW_E_OPTION, "--header is the header of a C file");
        zw_error_hint(err, "add --format c");
        return ZW_E_OPTION;
    }
    if (o->fragment && !latex) {
        zw_fail(err, ZW_E_OPTION, "--fragment is a part of a LaTeX document");
        zw_error_hint(err, "add --format latex");
        return ZW_E_OPTION;
    }
    if (o->format == FORMAT_C && (o->steps || o->eliminate))
        return zw_fail(err, ZW_E_OPTION, "--%s: a C file has its own form of the equations",
                       o->steps ? "steps" : "eliminate");
    return ZW_OK;
}

static zw_status create_study(void **out, const zw_study_input *input, void *given, zw_error *err) {
    derivation *d = zw_context_alloc(input->system->ctx, sizeof *d);
    if (!d)
        return zw_context_status(input->system->ctx, err);
    ZW_TRY(check_options(given, input, err));
    *d = (derivation){.options = given};
    *out = d;
    return ZW_OK;
}

/* it lives in the context of the system */
static void destroy_study(void *study) {
    (void)study;
}

/* a C file solves linear equations */
static zw_status reject_inequality(const zw_equations *eq, zw_error *err) {
    for (int c = 0; eq->inequality && c < eq->nc; c++)
        if (eq->inequality[c]) {
            const zw_constraint *k = &eq->sys->constraint[eq->constraint[c]];
            return zw_fail_at(err, ZW_E_MODEL, k->place,
                              "the inequality %s cannot be written as C: that has no minimisation",
                              k->name);
        }
    return ZW_OK;
}

/* the start of the C file, as a run completes it */
static zw_status complete_start(derivation *d, zw_error *err) {
    const zw_equations *eq = &d->eq;
    const zw_system *sys = eq->sys;
    size_t np = (size_t)sys->np + 1, of_system = (size_t)(sys->nq + sys->nv) + 1;
    double *p = zw_context_alloc(sys->ctx, np * sizeof *p);
    double *x = zw_context_alloc(sys->ctx, of_system * sizeof *x);
    double *own = zw_context_alloc(sys->ctx, (size_t)(eq->nq + eq->nv + 1) * sizeof *own);
    if (!p || !x || !own)
        return zw_context_status(sys->ctx, err);
    if (zw_system_param_values(sys, p, &d->why) >= 0 &&
        zw_system_complete(sys, NULL, 0, p, x, NULL, &d->why) >= 0 &&
        zw_equations_state(eq, 0, p, x, own, &d->why) >= 0)
        d->start = own;
    return zw_context_status(sys->ctx, err);
}

static zw_status run_study(void *study, const zw_study_input *input, zw_error *err) {
    derivation *d = study;
    const derive_options *o = d->options;
    const char *by = o->by ? o->by : "lagrange";
    ZW_TRY(o->steps ? zw_derive_steps(&d->eq, input->system, NULL, by, err)
                    : zw_derive(&d->eq, input->system, NULL, by, err));
    if (o->eliminate)
        ZW_TRY(zw_equations_eliminate(&d->eq, &d->eq, err));
    if (o->format != FORMAT_C)
        return ZW_OK;
    ZW_TRY(reject_inequality(&d->eq, err));
    return complete_start(d, err);
}

/* ------------------------------------------------------------------------------------- results */

static void report_study(const void *study, zw_report *out) {
    const derivation *d = study;
    zw_equations_report(&d->eq, out);
}

static void list_warnings(const void *study, zw_warnings *out) {
    const derivation *d = study;
    if (d->options->format != FORMAT_C || d->start)
        return;
    zw_warning w = zw_warning_of("start of the C file", NAN,
                                 "the C file has no start that satisfies the constraints: %.300s",
                                 d->why.text);
    zw_warnings_add(out, &w);
}

/* a string of the context; it is released */
static zw_status give_string(zw_context *ctx, char *text, zw_bytes *out, zw_error *err) {
    size_t n = strlen(text);
    char *copy = malloc(n + 1); /* bytes are released with free() */
    if (copy) {
        memcpy(copy, text, n + 1);
        *out = (zw_bytes){.data = copy, .size = n};
    }
    zw_string_free(ctx, text);
    return copy ? ZW_OK : zw_out_of_memory(err, NULL);
}

static zw_status write_paper(const derivation *d, zw_bytes *out, zw_error *err) {
    const derive_options *o = d->options;
    zw_equation_format format = o->format != FORMAT_LATEX ? ZW_EQUATIONS_TEXT
                                : o->fragment             ? ZW_EQUATIONS_FRAGMENT
                                                          : ZW_EQUATIONS_LATEX;
    char *text = zw_equations_write(&d->eq, format, (zw_simplification)o->simplify);
    if (text)
        return give_string(d->eq.sys->ctx, text, out, err);
    ZW_TRY(zw_context_status(d->eq.sys->ctx, err));
    zw_fail(err, ZW_E_MODEL, "the equations are too large to print");
    zw_error_hint(err, "write them as code with --format=c");
    return ZW_E_MODEL;
}

static zw_status write_json(const derivation *d, zw_bytes *out, zw_error *err) {
    zw_allocator alloc = zw_context_allocator(d->eq.sys->ctx);
    zw_report *r = zw_report_create(&alloc);
    if (!r)
        return zw_out_of_memory(err, "a report");
    zw_report_word(r, "model", d->eq.sys->name);
    zw_report_word(r, "study", "derive");
    zw_report_word(r, "version", zw_version());
    zw_report_flag(r, "stopped", false);
    zw_equations_report(&d->eq, r);
    zw_report_list(r, "warnings");
    zw_report_close(r);
    zw_status status = zw_report_json(r, out, err);
    zw_report_destroy(r);
    return status;
}

/* the name of a file without its folders */
static const char *base_name(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

/* the C file, or its header */
static zw_status write_c(const derivation *d, const zw_study_input *input, bool wants_header,
                         zw_bytes *out, zw_error *err) {
    zw_emit_options options = zw_emit_options_default();
    zw_context *ctx = d->eq.sys->ctx;
    char *c, *header;
    options.header = base_name(zw_study_wants(input, "header"));
    options.start = d->start;
    ZW_TRY(zw_emit_files(&d->eq, &options, &c, &header, err));
    zw_string_free(ctx, wants_header ? c : header);
    return give_string(ctx, wants_header ? header : c, out, err);
}

static zw_status write_text(void *study, const zw_study_input *input, const char *which,
                            zw_bytes *out, zw_error *err) {
    const derivation *d = study;
    bool header = strcmp(which, "header") == 0;
    if (d->options->format == FORMAT_C)
        return write_c(d, input, header, out, err);
    return d->options->format == FORMAT_JSON ? write_json(d, out, err) : write_paper(d, out, err);
}

static const zw_study_output outputs[] = {
    {.key = "out",
     .about = "file of the equations (default standard output)",
     .is_text = true,
     .shown = true},
    {.key = "header",
     .about = "c: header file with the sizes and the index of every quantity by name, included by "
              "the C file",
     .is_text = true},
    {0},
};

const zw_study_kind zw_study_derive = {
    .name = "derive",
    .question = "What are the equations?",
    .about = "equations of motion as text, LaTeX, C or JSON",
    .usage = "derive MODEL [--by PRINCIPLE] [--format text|latex|c|json]\n"
             "           [--simplify 0|1|2] [--steps] [--eliminate] [--fragment] [--out FILE]\n"
             "           [--header FILE]",
    .details =
        "Prints energies, kinematics, constraints and the equations of motion, with the "
        "multipliers on the right-hand side, by lagrange, maggi, boltzmann-hamel, gibbs-appell, "
        "kane, gauss, gauss-min, voronets, chaplygin, hamilton, vakonomic. In long equations, "
        "recurring parts get names. --steps adds the derivation as written by hand: energies, "
        "partial derivatives, constraints, elimination, the principle. --eliminate substitutes the "
        "dependent velocities and solves for the accelerations where few of them are coupled; the "
        "others are listed as implicit. LaTeX output is a complete document with formulas broken "
        "to the page width. C output is one file that needs only libm, with the parameter values "
        "and a start that satisfies the constraints.",
    .examples = "  zwang derive models/pendulum_cartesian.zw\n"
                "  zwang derive models/double_pendulum.zw --simplify 2\n"
                "  zwang derive models/rolling_penny.zw --by boltzmann-hamel --steps\n"
                "  zwang derive models/unicycle.zw --eliminate\n"
                "  zwang derive models/turntable_ball.zw --by maggi --format latex --out ball.tex\n"
                "  zwang derive models/duffing.zw --format latex --fragment --out duffing.tex\n"
                "  zwang derive models/duffing.zw --format c --out duffing.c --header duffing.h\n",
    .call = "derive duffing",
    .printed = "duffing: equations by lagrange\n"
               "Lagrange's equations with multipliers\n"
               "1 coordinate, 1 velocity; 1 equation for 1 acceleration; 11 operations\n"
               "\n"
               "Kinetic and potential energy\n"
               "    T = 1/2*m*x'^2\n"
               "    V = 1/2*k*x^2 + 1/4*k_nl*x^4\n"
               "    L = T - V\n"
               "\n"
               "Equations of motion\n"
               "...\n",
    .groups = groups,
    .size = sizeof(derive_options),
    .random = true,
    .outputs = outputs,
    .create = create_study,
    .work = run_study,
    .report = report_study,
    .warnings = list_warnings,
    .text = write_text,
    .destroy = destroy_study,
};
