/* SPDX-License-Identifier: MIT */
/* Linear equations as a study: all matrices at one motion, the frequency response from an input to
 * an output, eigenvalues over a parameter, or formulas. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/option.h"
#include "base/text.h"
#include "base/units.h"
#include "linear.h"
#include "motion/equilibria/motion_options.h"
#include "zwang/study.h"
#include "zwang/symbolic.h"

enum { FORMAT_TEXT, FORMAT_LATEX, FORMAT_JSON, FORMAT_CSV };
enum { ROWS = 400, ROWS_MAX = 1000000 }; /* of a frequency response */

typedef struct linearise_options {
    zw_motion_options motion;
    zw_option_list states, inputs, outputs, small, numbers;
    const char *bode, *frequencies, *over, *amplitude, *parameter;
    int format, taylor;
    bool symbolic;
    double step; /* s; 0: not sampled */
    zw_option_list state_weights, input_weights;
} linearise_options;

typedef struct linearise_study {
    const linearise_options *options;
    const zw_system *sys;
    zw_arena arena;
    zw_equilibria *e;
    zw_linear_equations *l;
    zw_criticality cubic; /* of a pair on the imaginary axis */
    bool has_cubic;
    zw_table *response;
    zw_locus *locus;
    zw_symbolic *formulas;
} linearise_study;

#define AT(field) offsetof(linearise_options, field)

static const zw_option common_table[] = {
    {"symbolic", ZW_OPT_FLAG, AT(symbolic), 0, 0, 0, "", NULL,
     "matrices, characteristic polynomial and stability conditions as formulas"},
    {"states", ZW_OPT_LIST, AT(states), 0, 0, 0, "", "NAME,...",
     "coordinates and velocities as states; others that are needed are added"},
    {"inputs", ZW_OPT_LIST, AT(inputs), 0, 0, 0, "", "NAME,...",
     "signals and parameters as inputs (default: all signals)"},
    {"outputs", ZW_OPT_LIST, AT(outputs), 0, 0, 0, "", "NAME,...",
     "observables, coordinates, velocities, accelerations (x''), multipliers (lambda(rod)), "
     "kinetic, potential, energy (default: all observables)"},
    {"bode", ZW_OPT_STRING, AT(bode), 0, 0, 0, "", "INPUT:OUTPUT",
     "frequency response, as a table in --out FILE.csv"},
    {"over", ZW_OPT_STRING, AT(over), 0, 0, 0, "", "NAME=FROM:TO[:ROWS]",
     "eigenvalues over a parameter or a held quantity: Omega=0:50rad/s; all rows in --out "
     "FILE.csv"},
    {"format", ZW_OPT_CHOICE, AT(format), FORMAT_TEXT, 0, 0, "", "text|latex|json|csv",
     "format of the matrices"},
    {0},
};
static const zw_option formula_table[] = {
    {"frequencies", ZW_OPT_STRING, AT(frequencies), 0, 0, 0, "", "FROM:TO[:ROWS]",
     "range of --bode in rad/s or with a unit: 0.1:100Hz (default: around the eigenvalues)"},
    {"amplitude", ZW_OPT_STRING, AT(amplitude), 0, 0, 0, "", "NAME",
     "coordinate, velocity or observable whose amplitude is r in the normal form of a Hopf point"},
    {"small", ZW_OPT_LIST, AT(small), 0, 0, 0, "", "NAME,...",
     "states, as for --states; with --taylor only these and their time derivatives are disturbed"},
    {"numbers", ZW_OPT_LIST, AT(numbers), 0, 0, 0, "", "NAME,...",
     "parameters that appear as numbers instead of names"},
    {"for", ZW_OPT_STRING, AT(parameter), 0, 0, 0, "", "NAME",
     "parameter for which the conditions are solved where possible"},
    {"taylor", ZW_OPT_INT, AT(taylor), 0, 0, 5, "", NULL,
     "order of the expansion of the equations about the motion; 0: none"},
    {0},
};
static const zw_option control_table[] = {
    {"c2d", ZW_OPT_DOUBLE, AT(step), 0, 0, 1e9, "s", NULL,
     "sampling time: A_d and B_d for inputs held between samples; 0: none"},
    {"lqr", ZW_OPT_LIST, AT(state_weights), 0, 0, 0, "", "NAME=NUMBER,...",
     "weights of the squared states for the linear quadratic regulator u = -K y, in SI units "
     "(default 0 for each); with --c2d that of the sampled equations"},
    {"lqr-r", ZW_OPT_LIST, AT(input_weights), 0, 0, 0, "", "NAME=NUMBER,...",
     "weights of the squared inputs (default 1 for each)"},
    {0},
};

static const zw_option_group groups[] = {
    {"options", common_table, 0, false},
    {"control", control_table, 0, true},
    {"the motion", zw_motion_option_table, AT(motion), false},
    {"the motion in closed form", zw_motion_form_table, AT(motion), true},
    {"formulas and more", formula_table, 0, true},
    {NULL, NULL, 0, false},
};

static bool has_formulas(const linearise_options *o) {
    return o->symbolic || o->taylor > 0;
}

static zw_status find_form(void *options, const zw_study_input *input, zw_study_form *out,
                           zw_error *err) {
    const linearise_options *o = options;
    (void)input;
    (void)err;
    zw_motion_options_form(&o->motion, has_formulas(o), out);
    return ZW_OK;
}

/* -------------------------------------------------------------------------------------- options */

static zw_status refuse(zw_error *err, const char *option, const char *text, const char *hint) {
    zw_fail(err, ZW_E_OPTION, "--%s %s", option, text);
    if (hint)
        zw_error_hint(err, "%s", hint);
    return ZW_E_OPTION;
}

/* the first option of control that is given; NULL: none */
static const char *control_option(const linearise_options *o) {
    return o->step > 0 ? "c2d" : o->state_weights.n ? "lqr" : o->input_weights.n ? "lqr-r" : NULL;
}

/* options of numbers with formulas, and the reverse */
static zw_status check_formulas(const linearise_options *o, zw_error *err) {
    const char *formulas = o->small.n     ? "small"
                           : o->numbers.n ? "numbers"
                           : o->parameter ? "for"
                                          : NULL;
    const char *numbers = o->motion.hold.n    ? "hold"
                          : o->motion.solve.n ? "solve"
                          : o->inputs.n       ? "inputs"
                          : o->outputs.n      ? "outputs"
                          : o->over           ? "over"
                          : o->bode           ? "bode"
                          : o->amplitude      ? "amplitude"
                                              : control_option(o);
    if (!has_formulas(o))
        return formulas ? refuse(err, formulas, "is for formulas", "add --symbolic") : ZW_OK;
    if (numbers)
        return refuse(err, numbers, "is for numbers, not for formulas", NULL);
    return o->format == FORMAT_CSV
               ? refuse(err, "format csv", "is for numbers", "formulas are text, latex or json")
               : ZW_OK;
}

/* files that these results do not have */
static zw_status check_outputs(const linearise_options *o, const zw_study_input *input,
                               zw_error *err) {
    const char *out = zw_study_wants(input, "out"), *end = out ? strrchr(out, '.') : NULL;
    bool table = out && !(end && strcmp(end, ".tex") == 0), rows = o->over || o->bode;
    if (has_formulas(o) && zw_study_wants(input, "matrices"))
        return refuse(err, "matrices", "is for numbers, not for formulas", NULL);
    if (table && !out[0] && !rows)
        return refuse(err, "picture", "draws what --over or --bode gives", NULL);
    if (table && !rows)
        return refuse(err, "out", "with a table is for --over and --bode",
                      has_formulas(o)
                          ? "--out FILE.tex has the formulas as LaTeX, --equations FILE as text"
                          : "--matrices FILE.csv or --matrices FOLDER/ has the matrices; "
                            "--json prints all results, --out FILE.tex writes them as LaTeX");
    if (out && !table && rows)
        return refuse(err, "out", "as LaTeX is for matrices and formulas, not for --over or --bode",
                      "use .csv, .json or .h5");
    return ZW_OK;
}

static zw_status check_options(const linearise_options *o, const zw_study_input *input,
                               zw_error *err) {
    const char *matrices =
        o->states.n    ? "states"
        : o->inputs.n  ? "inputs"
        : o->outputs.n ? "outputs"
        : zw_study_wants(input, "matrices") || o->format == FORMAT_CSV || o->format == FORMAT_LATEX
            ? "matrices"
            : NULL;
    ZW_TRY(check_formulas(o, err));
    ZW_TRY(check_outputs(o, input, err));
    if (control_option(o) && (o->over || o->bode))
        return refuse(err, control_option(o),
                      "is for the matrices at one motion, not for --over or --bode", NULL);
    if (o->input_weights.n && !o->state_weights.n)
        return refuse(err, "lqr-r", "is for a regulator", "add the weights of states, --lqr");
    if (o->over && o->bode)
        return refuse(err, "over", "and --bode are two results: ask for one of them", NULL);
    if (o->frequencies && !o->bode)
        return refuse(err, "frequencies", "is the range of --bode INPUT:OUTPUT", NULL);
    if (matrices && o->over)
        return refuse(err, matrices, "is for the matrices at one motion, not for --over", NULL);
    if (o->bode && (o->format == FORMAT_CSV || o->format == FORMAT_LATEX))
        return refuse(err, "format", "is for matrices: a frequency response is a table",
                      "--out response.csv, .json or .h5");
    return ZW_OK;
}

static zw_status create_study(void **out, const zw_study_input *input, void *given, zw_error *err) {
    zw_allocator alloc = zw_context_allocator(input->system->ctx);
    ZW_TRY(check_options(given, input, err));
    linearise_study *s = zw_allocate(&alloc, sizeof *s);
    if (!s)
        return zw_out_of_memory(err, NULL);
    *s = (linearise_study){.options = given, .sys = input->system};
    zw_arena_init(&s->arena, &alloc);
    *out = s;
    return ZW_OK;
}

static void destroy_study(void *study) {
    linearise_study *s = study;
    zw_allocator alloc = s->arena.alloc;
    if (s->has_cubic)
        zw_criticality_clear(&s->cubic);
    zw_table_destroy(s->response);
    zw_linear_destroy(s->l);
    zw_equilibria_destroy(s->e);
    zw_locus_destroy(s->locus);
    zw_symbolic_destroy(s->formulas);
    zw_arena_clear(&s->arena);
    zw_release(&alloc, s, sizeof *s);
}

/* ------------------------------------------------------------------------------------- matrices */

/* The names of an option and one more (NULL: none) unless it is among them; *n is unchanged if there
 * are none. */
static zw_status take_names(linearise_study *s, const zw_option_list *list, const char *also,
                            const char *const **out, int *n, zw_error *err) {
    int count = 0;
    ZW_TRY(zw_option_list_split(list, &s->arena, out, &count, err));
    for (int i = 0; also && i < count; i++)
        if (strcmp((*out)[i], also) == 0)
            also = NULL;
    if (also) {
        const char **more = ZW_NEW(&s->arena, const char *, count + 1);
        ZW_TRY(zw_arena_status(&s->arena, err));
        if (count > 0)
            memcpy(more, *out, sizeof *more * (size_t)count);
        more[count++] = also;
        *out = more;
    }
    if (count > 0)
        *n = count;
    return ZW_OK;
}

/* The equations at the motion, with an input and an output that are needed (NULL: none). */
static zw_status find_equations(linearise_study *s, const char *input, const char *output,
                                zw_error *err) {
    const linearise_options *o = s->options;
    zw_equilibria_options how = zw_motion_options_use(&o->motion);
    zw_linear_options names = zw_linear_options_default();
    ZW_TRY(take_names(s, &o->states, NULL, &names.state, &names.nstate, err));
    ZW_TRY(take_names(s, &o->inputs, input, &names.input, &names.ninput, err));
    ZW_TRY(take_names(s, &o->outputs, output, &names.output, &names.noutput, err));
    ZW_TRY(zw_linear_prepare(s->sys, &names, &how, err));
    ZW_TRY(zw_equilibria_create(&s->e, s->sys, &how, err));
    ZW_TRY(zw_equilibria_find(s->e, err));
    return zw_linear_create(&s->l, s->e, &names, err);
}

/* The sampled equations and the regulator, as far as they are wanted. */
static zw_status find_control(linearise_study *s, zw_error *err) {
    const linearise_options *o = s->options;
    const char *const *q, *const *r;
    int nq = 0, nr = 0;
    if (o->step > 0)
        ZW_TRY(zw_linear_sample(s->l, o->step, err));
    ZW_TRY(take_names(s, &o->state_weights, NULL, &q, &nq, err));
    ZW_TRY(take_names(s, &o->input_weights, NULL, &r, &nr, err));
    return nq > 0 ? zw_linear_regulate(s->l, nq, q, nr, r, err) : ZW_OK;
}

/* With one pair on the imaginary axis linear terms do not decide, cubic ones may. */
static zw_status find_matrices(linearise_study *s, zw_error *err) {
    const linearise_options *o = s->options;
    zw_criticality_options options = zw_criticality_options_default();
    ZW_TRY(find_equations(s, NULL, NULL, err));
    zw_status status = find_control(s, err);
    if (status < 0) { /* a part of the answer is no answer */
        zw_linear_destroy(s->l);
        s->l = NULL;
        return status;
    }
    if (!o->amplitude && zw_criticality_pairs(s->e) != 1)
        return ZW_OK;
    options.amplitude = o->amplitude;
    ZW_TRY(zw_criticality_find(&s->cubic, s->e, NULL, NULL, &options, err));
    s->has_cubic = true;
    return ZW_OK;
}

/* ---------------------------------------------------------------------------- frequency response */

typedef struct frequency_range {
    double from, to;
    int rows;
} frequency_range;

/* a number that ends at a colon or at the end */
static bool read_number(const char **text, double *out) {
    char *end;
    *out = strtod(*text, &end);
    bool fine = end != *text && isfinite(*out);
    *text = end;
    return fine;
}

/* the factor of a unit of frequencies in rad/s: rad/s, Hz, 1/min */
static zw_status read_unit(const char *s, double *factor, bool *fine, zw_error *err) {
    const zw_dim per_second = zw_dim_mechanical(0, 0, -1);
    zw_unit unit;
    s += strspn(s, " ");
    size_t length = strlen(s);
    if (length > 1 && s[0] == '[' && s[length - 1] == ']') {
        s++;
        length -= 2;
    }
    *factor = 1;
    if (length == 0)
        return ZW_OK;
    ZW_TRY(zw_unit_parse(&unit, s, length, (zw_place){0}, err));
    *fine = zw_dim_fits(&unit.dim, &per_second);
    *factor = unit.factor * (unit.dim.angle == 0 ? 2 * M_PI : 1); /* Hz, 1/min: revolutions */
    return ZW_OK;
}

/* a:b, a:b:n, with a unit after it */
static zw_status read_range(const char *text, frequency_range *out, zw_error *err) {
    const char *s = text;
    double rows = ROWS, factor = 1;
    bool fine = read_number(&s, &out->from) && *s++ == ':' && read_number(&s, &out->to);
    if (fine && *s == ':') {
        s++;
        fine = read_number(&s, &rows);
    }
    if (fine)
        ZW_TRY(read_unit(s, &factor, &fine, err));
    out->from *= factor;
    out->to *= factor;
    out->rows = rows >= 2 && rows <= ROWS_MAX ? (int)rows : 0;
    if (fine && out->from > 0 && out->to > out->from && out->rows > 0 && out->rows == rows)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "--frequencies: '%s' is no range of frequencies", text);
    zw_error_hint(err, "FROM:TO or FROM:TO:ROWS, in rad/s or with a unit: 0.1:100Hz");
    return ZW_E_OPTION;
}

static zw_status find_response(linearise_study *s, const zw_study_input *in, zw_error *err) {
    const linearise_options *o = s->options;
    const char *colon = strchr(o->bode, ':');
    frequency_range range = {.rows = ROWS};
    if (!colon || colon == o->bode || !colon[1] || strchr(colon + 1, ':')) {
        zw_fail(err, ZW_E_OPTION, "--bode: '%s' is not INPUT:OUTPUT", o->bode);
        zw_error_hint(err, "--bode force:x is the response of x to force");
        return ZW_E_OPTION;
    }
    const char *input = zw_arena_printf(&s->arena, "%.*s", (int)(colon - o->bode), o->bode);
    ZW_TRY(zw_arena_status(&s->arena, err));
    if (o->frequencies)
        ZW_TRY(read_range(o->frequencies, &range, err));
    ZW_TRY(find_equations(s, input, colon + 1, err));
    return zw_linear_response(s->l, in->source, input, colon + 1, range.from, range.to, range.rows,
                              &s->response, err);
}

/* ---------------------------------------------------------------------- over a parameter, formulas */

/* A branch that ends within its range is a failure, which is reported after the results. */
static zw_status find_locus(linearise_study *s, const zw_study_input *input, zw_error *err) {
    const linearise_options *o = s->options;
    zw_locus_options options = zw_locus_options_default();
    zw_equilibria_options how = zw_motion_options_use(&o->motion);
    options.over = o->over;
    options.motion = &how;
    options.amplitude = o->amplitude;
    options.stop = input->stop;
    options.stop_user = input->user;
    ZW_TRY(zw_locus_create(&s->locus, s->sys, &options, err));
    const zw_steady_way *path = zw_locus_way(s->locus);
    for (int k = 0; k < 2; k++)
        if (path->stop[k].end != ZW_FOLLOW_GOES_ON)
            return zw_fail(err, ZW_E_NUMERIC, "%s", path->stop[k].why);
    return ZW_OK;
}

static zw_status find_formulas(linearise_study *s, const zw_study_input *input, zw_error *err) {
    const linearise_options *o = s->options;
    zw_symbolic_options options = zw_symbolic_options_default();
    zw_option_list kept = o->states;
    for (int i = 0; i < o->small.n && kept.n < ZW_OPTION_LIST_MAX; i++)
        kept.item[kept.n++] = o->small.item[i];
    ZW_TRY(zw_option_list_split(&kept, &s->arena, &options.keep, &options.nkeep, err));
    ZW_TRY(zw_option_list_split(&o->numbers, &s->arena, &options.number, &options.nnumber, err));
    options.steady = o->motion.at ? "--at" : o->motion.steady;
    options.by = o->motion.by ? o->motion.by : "lagrange";
    options.order = o->taylor;
    options.parameter = o->parameter;
    options.stop = input->stop;
    options.stop_user = input->user;
    return zw_symbolic_create(&s->formulas, s->sys, &options, err);
}

static zw_status run_study(void *study, const zw_study_input *input, zw_error *err) {
    linearise_study *s = study;
    const linearise_options *o = s->options;
    zw_status status = has_formulas(o) ? find_formulas(s, input, err)
                       : o->over       ? find_locus(s, input, err)
                       : o->bode       ? find_response(s, input, err)
                                       : find_matrices(s, err);
    bool stopped = input->stop && input->stop(input->user, NAN);
    return status != ZW_E_MEMORY && stopped ? ZW_STOPPED : status;
}

static bool has_results(const void *study, zw_status status) {
    const linearise_study *s = study;
    (void)status;
    return s->locus || (s->l && (s->response || !s->options->bode)) || s->formulas;
}

/* -------------------------------------------------------------------------------------- results */

static void report_study(const void *study, zw_report *out) {
    const linearise_study *s = study;
    if (s->formulas)
        zw_symbolic_report(s->formulas, out);
    else if (s->locus)
        zw_locus_report(s->locus, out);
    else if (s->response)
        zw_linear_response_report(s->l, s->response, out);
    else
        zw_linear_report(s->l, out);
    if (!s->has_cubic)
        return;
    zw_report_open(out, "hopf");
    zw_criticality_report(&s->cubic, out);
    zw_report_close(out);
}

static void list_warnings(const void *study, zw_warnings *out) {
    const linearise_study *s = study;
    if (s->locus)
        zw_locus_warnings(s->locus, out);
    else if (s->response)
        zw_linear_response_warnings(s->l, s->response, out);
    else if (s->l)
        zw_linear_warnings(s->l, out);
}

static zw_status make_table(void *study, const zw_study_input *input, const char *which,
                            zw_table **out, zw_error *err) {
    linearise_study *s = study;
    (void)which;
    if (s->locus)
        return zw_locus_table(s->locus, input->source, out, err);
    if (!s->response)
        return zw_fail(err, ZW_E_OPTION, "matrices at one motion have no table");
    *out = zw_table_create_like(s->response);
    return *out ? zw_table_append(*out, s->response, err) : zw_out_of_memory(err, NULL);
}

/* a string of the context as bytes; NULL: no memory */
static zw_status take_string(const linearise_study *s, char *text, zw_bytes *out, zw_error *err) {
    zw_allocator alloc = s->arena.alloc;
    zw_text copy;
    if (!text)
        return zw_out_of_memory(err, NULL);
    zw_text_init(&copy, &alloc);
    zw_text_put(&copy, text);
    zw_string_free(s->sys->ctx, text);
    return zw_text_bytes(&copy, out, NULL, err);
}

/* Formulas, which have no sentences, and matrices as LaTeX or CSV; "": the words of the report. */
static zw_status write_text(const linearise_study *s, int format, zw_bytes *out, zw_error *err) {
    if (s->formulas)
        return take_string(s,
                           zw_symbolic_write(s->formulas, format == FORMAT_LATEX
                                                              ? ZW_SYMBOLIC_LATEX
                                                              : ZW_SYMBOLIC_TEXT),
                           out, err);
    if (s->l && !s->response && format == FORMAT_LATEX)
        return zw_linear_latex(s->l, out, err);
    if (s->l && !s->response && format == FORMAT_CSV)
        return take_string(s, zw_linear_csv(s->l), out, err);
    return ZW_OK;
}

/* "A.csv", one of the matrices */
static const char *name_part(const void *study, const char *which, int i) {
    const linearise_study *s = study;
    (void)which;
    if (!s->l || i >= zw_linear_matrices(s->l))
        return NULL;
    const char *name;
    zw_string_free(s->sys->ctx, zw_linear_matrix(s->l, i, &name));
    return zw_arena_printf((zw_arena *)&s->arena, "%s.csv", name);
}

static zw_status give_text(void *study, const zw_study_input *input, const char *which,
                           zw_bytes *out, zw_error *err) {
    linearise_study *s = study;
    *out = (zw_bytes){0};
    const char *path = zw_study_wants(input, "out"), *end = path ? strrchr(path, '.') : NULL;
    bool document = end && strcmp(end, ".tex") == 0;
    if (strcmp(which, "out") == 0)
        return write_text(s, FORMAT_LATEX, out, err);
    if (strcmp(which, "equations") == 0) /* a document in a file is not shown, too */
        return document ? ZW_OK : write_text(s, s->options->format, out, err);
    if (!s->l)
        return refuse(err, "matrices", "is for numbers, not for formulas or --over", NULL);
    for (int i = 0; i < zw_linear_matrices(s->l); i++) {
        const char *name;
        char *text = zw_linear_matrix(s->l, i, &name);
        size_t length = strlen(name);
        if (strncmp(which, name, length) == 0 && strcmp(which + length, ".csv") == 0)
            return take_string(s, text, out, err);
        zw_string_free(s->sys->ctx, text);
    }
    return take_string(s, zw_linear_csv(s->l), out, err);
}

static const zw_study_output outputs[] = {
    {.key = "out",
     .about = "table of --over or --bode; .tex: matrices or formulas as LaTeX",
     .texts = ".tex"},
    {.key = "equations",
     .about = "matrices or formulas in the form of --format",
     .is_text = true,
     .shown = true},
    {.key = "matrices", .about = "matrices as CSV; FOLDER/: one file for each", .is_text = true},
    {0},
};

const zw_study_kind zw_study_linearise = {
    .name = "linearise",
    .question = "Where does it rest, and is that stable?",
    .about = "linear equations about an equilibrium or relative equilibrium",
    .usage = "linearise MODEL [--hold NAME[=VALUE]] [--states NAME,...]\n"
             "           [--inputs NAME,...] [--outputs NAME,...] [--bode INPUT:OUTPUT]\n"
             "           [--over NAME=FROM:TO] [--symbolic] [--format FORMAT] [--equations FILE]\n"
             "           [--matrices FOLDER/] [--out FILE]",
    .details = "Linearises about the motion that zwang equilibria finds, within the constraints: "
               "y' = A y + B u, o = C y + D u in quantities of the model and, where it exists, the "
               "second-order form with mass, damping, gyroscopic, stiffness and circulatory "
               "matrices. Reports eigenvalues, the states that take part in each, controllability, "
               "observability, eigenvectors and frequency responses. If one pair of eigenvalues is "
               "imaginary, cubic terms decide which cycles branch off. --over locates where "
               "eigenvalues cross the imaginary axis, vanish or coalesce. --c2d samples the "
               "equations, --lqr designs a regulator.",
    .examples =
        "  zwang linearise models/double_pendulum.zw --set phi_1=0 --set phi_2=0\n"
        "  zwang linearise models/bicycle.zw --set \"speed=5 [m/s]\" --hold \"rear'\" --hold yaw\n"
        "  zwang linearise models/double_pendulum.zw --set phi_1=0 --set phi_2=0 --matrices m/\n"
        "  zwang linearise models/bicycle.zw --over \"x'=0:10 [m/s]\" --hold yaw --out weave.csv\n"
        "  zwang linearise models/tippedisk_reduced.zw --symbolic --steady inverted_spin --for "
        "Omega\n",
    .call = "linearise double_pendulum --set phi_1=0 --set phi_2=0",
    .printed = "double_pendulum: linear equations about an equilibrium\n"
               "...\n"
               "  A                       phi_1          phi_2         phi_1'         phi_2'\n"
               "  (phi_1)'                    0              0              1              0\n"
               "  (phi_2)'                    0              0              0              1\n"
               "  (phi_1')'              -19.62           9.81              0              0\n"
               "...\n",
    .groups = groups,
    .size = sizeof(linearise_options),
    .form = find_form,
    .random = true,
    .outputs = outputs,
    .create = create_study,
    .work = run_study,
    .has_results = has_results,
    .report = report_study,
    .warnings = list_warnings,
    .table = make_table,
    .part = name_part,
    .text = give_text,
    .destroy = destroy_study,
};
