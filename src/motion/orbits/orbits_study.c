/* SPDX-License-Identifier: MIT */
/* Periodic orbits as two studies: `orbit` finds one orbit of a model, or with --over the branch
 * through it; `continue` goes on from an orbit of a file that one of them has written. Models whose
 * events change the motion have orbits through events (event_orbits.h), all others orbits by
 * collocation (orbits.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "motion/equilibria/motion_options.h"
#include "motion/event_orbits/event_orbits.h"
#include "motion/motion_report.h"
#include "orbits.h"
#include "zwang/study.h"

enum { ROWS = 400, BEYOND = 6 }; /* rows of a period; branches that go on after grazing */
#define METHODS_DIFFER 1e-5      /* relative: ten times the default tolerance of collocation */
/* Closure error relative to the size of the motion: a thousand times the default tolerance, and
 * visible in a picture. */
#define CLOSURE_ERROR_MAX 1e-3

typedef struct orbit_options {
    zw_orbits_options own;
    zw_motion_options motion;
    const char *from, *section, *point, *marks, *method;
    int returns, mode, leave, nodes;
    bool natural, shooting;
    bool continues;               /* the study is `continue` */
    zw_equilibria_options steady; /* made of motion */
    char set[200];                /* the parameter of the orbit in the file */
    const char *settings[1];
} orbit_options;

typedef struct orbit_study {
    const zw_study_input *input;
    orbit_options *o;
    const zw_system *sys;
    zw_orbits *smooth; /* one of the two; the other is NULL */
    zw_event_orbits *through_events;
    zw_orbits_file file; /* of input->result: */
    int point;
    double value;  /* at which it is wanted; NaN: at its own */
    zw_table *run; /* of --from FILE */
    bool stopped;
    char symmetry[400]; /* of one orbit, "": it has none */
    bool is_shot;       /* the same orbit was found by shooting */
    zw_orbits_shot shot;
    zw_shooting alone; /* by shooting only, where collocation finds no orbit */
    const char *alone_method;
    char collocation[240]; /* why it finds none; "": it does */
    zw_table *motion;      /* one period; NULL: not made */
    double gap;            /* its closure error; NaN: not known */
    zw_warnings *files;    /* about files that were read */
} orbit_study;

/* ------------------------------------------------------------------------------------- options */

#define AT(field) offsetof(orbit_options, field)

static const zw_option common_table[] = {
    {"over", ZW_OPT_STRING, AT(own.over), 0, 0, 0, "", "NAME=FROM:TO",
     "parameter and its range: a branch of orbits; of a conservative model a property of the "
     "family: energy=0.1:2, period=6:8, max(x)=0:1"},
    {"point", ZW_OPT_STRING, AT(point), 0, 0, 0, "", "WHICH",
     "orbit of a branch file: LP1, \"fold 2\", EP1, or a value"},
    {"switch", ZW_OPT_INT, AT(leave), 0, 0, 1000, "", NULL,
     "maximum number of further branches, from branch points and period doublings"},
    {"marks", ZW_OPT_STRING, AT(marks), 0, 0, 0, "", "NAME=FROM:TO",
     "second parameter and its range: curves of folds, period doublings, Neimark-Sacker points and "
     "grazing over both, in --out and --picture"},
    {"tolerance", ZW_OPT_DOUBLE, AT(own.tolerance), 1e-6, 1e-13, 0.5, "", NULL,
     "relative tolerance of the orbit between mesh points"},
    {0},
};
static const zw_option orbit_table[] = {
    {"from", ZW_OPT_STRING, AT(from), 0, 0, 0, "", "run|start|section|mode|hopf|FILE",
     "first guess: run: last period of a run (default); start: the motion from the start over "
     "--period; section: from one crossing of --section to the next; mode: a small oscillation "
     "(--mode); hopf: Hopf points of an equilibrium (with --over); FILE: last period of a run in a "
     "file"},
    {"period", ZW_OPT_DOUBLE, AT(own.period), 0, 0, 1e12, "s", NULL,
     "approximate period; 0: found from the run"},
    {0},
};
static const zw_option solution_table[] = {
    {"order", ZW_OPT_INT, AT(own.order), 1, 1, 64, "", NULL,
     "periods of the excitation in one period of the orbit"},
    {"shooting", ZW_OPT_FLAG, AT(shooting), 0, 0, 0, "", NULL,
     "shooting in addition, with the difference; shooting alone where collocation fails"},
    {0},
};
static const zw_option guess_table[] = {
    {"section", ZW_OPT_STRING, AT(section), 0, 0, 0, "", "EXPRESSION",
     "section of --from section: an event of the model, or an expression that is zero there: \"z - "
     "27\""},
    {"returns", ZW_OPT_INT, AT(returns), 1, 1, 64, "", NULL,
     "returns to the section in one period"},
    {"mode", ZW_OPT_INT, AT(mode), 1, 1, 1000000, "", NULL,
     "mode of --from mode, by its number in zwang equilibria"},
    {"steps", ZW_OPT_INT, AT(own.steps), 6000, 10, 10000000, "", NULL,
     "steps of the run whose last period is the first guess"},
    {"nodes", ZW_OPT_INT, AT(nodes), 1, 1, 1000, "", NULL,
     "nodes of --shooting; more for strongly unstable orbits"},
    {"method", ZW_OPT_STRING, AT(method), 0, 0, 0, "", "METHOD",
     "integration method of --shooting, as for zwang run (default rk87, or radau for stiff "
     "motion)"},
    {0},
};
static const zw_option closing_table[] = {
    {"winding", ZW_OPT_STRING, AT(own.winding), 0, 0, 0, "", "NAME=TURNS",
     "whole turns of angles in a period: \"phi=1, psi=-2\" (default: found)"},
    {"symmetry", ZW_OPT_STRING, AT(own.symmetry), 0, 0, 0, "", "NAME=IMAGE",
     "symmetric orbits, mapped onto themselves after half a period by \"x=-x, gamma=pi-gamma\"; "
     "only half of each is solved for"},
    {0},
};
static const zw_option branch_table[] = {
    {"values", ZW_OPT_STRING, AT(own.values), 0, 0, 0, "", "NAME=A,B,C",
     "orbits at these values instead of --over, each continued from the one before"},
    {"natural", ZW_OPT_FLAG, AT(natural), 0, 0, 0, "", NULL,
     "orbits at the N values of --over NAME=FROM:TO:N, each continued from the one before, up to a "
     "fold"},
    {"period-max", ZW_OPT_DOUBLE, AT(own.period_max), 0, 0, 1e12, "s", NULL,
     "largest period of a branch that approaches a connecting orbit; 0: the branch ends where "
     "unbounded growth is detected"},
    {"points-max", ZW_OPT_INT, AT(own.points_max), 2000, 1, 1000000, "", NULL,
     "maximum number of orbits of a branch"},
    {0},
};
static const zw_option mesh_table[] = {
    {"stages", ZW_OPT_INT, AT(own.stages), 4, 2, 7, "", NULL, "Gauss points per mesh interval"},
    {"intervals", ZW_OPT_INT, AT(own.intervals), 0, 0, 100000, "", NULL,
     "mesh intervals; 0: chosen from --tolerance"},
    {"intervals-max", ZW_OPT_INT, AT(own.intervals_max), 400, 1, 100000, "", NULL,
     "maximum number of mesh intervals"},
    {0},
};

static const zw_option_group orbit_groups[] = {
    {"options", common_table, 0, false},
    {"the orbit", orbit_table, 0, false},
    {"branches", branch_table, 0, true},
    {"the solution", solution_table, 0, true},
    {"first guess", guess_table, 0, true},
    {"closure of the orbit", closing_table, 0, true},
    {"mesh", mesh_table, 0, true},
    {"equilibrium of --from hopf and --from mode", zw_motion_option_table, AT(motion), true},
    {"equilibrium in closed form", zw_motion_form_table, AT(motion), true},
    {NULL, NULL, 0, false},
};
static const zw_option_group continue_groups[] = {
    {"options", common_table, 0, false},
    {"branches", branch_table, 0, true},
    {"closure of the orbit", closing_table, 0, true},
    {"mesh", mesh_table, 0, true},
    {NULL, NULL, 0, false},
};

static void begin_orbit(void *options) {
    orbit_options *o = options;
    o->own = zw_orbits_options_default();
    o->returns = o->mode = o->nodes = 1;
}

static void begin_continue(void *options) {
    begin_orbit(options);
    ((orbit_options *)options)->continues = true;
}

/* -------------------------------------------------------------------------------------- checks */

static bool is_from(const orbit_options *o, const char *word) {
    return o->from && strcmp(o->from, word) == 0;
}

static bool is_branch(const orbit_options *o) {
    return o->own.over || o->own.values;
}

/* the first of these options that was given; NULL: none */
static const char *first_given(const zw_study_input *input, const char *const *keys) {
    for (; *keys; keys++)
        if (zw_study_is_given(input, *keys))
            return *keys;
    return NULL;
}

static bool is_file(const char *path) {
    static const char *const ending[] = {".csv", ".json", ".h5", ".hdf5"};
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        size_t length = strlen(ending[i]);
        if (n > length && strcmp(path + n - length, ending[i]) == 0)
            return true;
    }
    return false;
}

static zw_status check_from(const orbit_options *o, const zw_study_input *input, zw_error *err) {
    static const char *const places[] = {"run", "start", "section", "mode", "hopf", NULL};
    bool known = !o->from || is_file(o->from);
    for (int i = 0; places[i] && !known; i++)
        known = is_from(o, places[i]);
    if ((o->section || zw_study_is_given(input, "returns")) && !is_from(o, "section"))
        return zw_fail(err, ZW_E_OPTION, "--section and --returns belong to --from section");
    if (!known) {
        zw_fail(err, ZW_E_OPTION, "--from %.60s: there is no such first guess", o->from);
        zw_error_hint(err,
                      "run, start, section, mode, hopf, or the file of a run; a branch file is "
                      "given in place of the model, with --point");
        return ZW_E_OPTION;
    }
    if (is_from(o, "hopf") && !is_branch(o)) {
        zw_fail(err, ZW_E_OPTION, "--from hopf: branches begin there, over a parameter");
        zw_error_hint(err, "--over mu=0.1:5");
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

/* options of one orbit, or of branches, that have no effect on the other */
static zw_status check_branch(const orbit_options *o, const zw_study_input *input, zw_error *err) {
    static const char *const of_branches[] = {"switch",     "marks",      "natural",
                                              "period-max", "points-max", NULL},
                             *const of_one[] = {"shooting", "nodes", "method", NULL};
    const char *key = first_given(input, is_branch(o) ? of_one : of_branches);
    if (key && is_branch(o))
        return zw_fail(err, ZW_E_OPTION, "--%s is for one orbit, without --over", key);
    if (key) {
        zw_fail(err, ZW_E_OPTION, "--%s is for branches", key);
        zw_error_hint(err, "--over NAME=FROM:TO");
        return ZW_E_OPTION;
    }
    if (zw_study_is_given(input, "nodes") && !o->shooting)
        return zw_fail(err, ZW_E_OPTION, "--nodes are those of --shooting");
    if (o->method && !o->shooting)
        return zw_fail(err, ZW_E_OPTION, "--method is that of --shooting");
    return ZW_OK;
}

/* a model for `orbit`; a branch file for `continue`, or for one orbit of it */
static zw_status check_subject(const orbit_options *o, const zw_study_input *input, zw_error *err) {
    static const char *const of_models[] = {"period", "steps",   "order",   "stages",
                                            "from",   "section", "returns", NULL};
    const char *fixed = input->result ? first_given(input, of_models) : NULL;
    if (o->continues && !input->result) {
        zw_fail(err, ZW_E_OPTION, "continue goes on from a branch file, and this is a model");
        zw_error_hint(err, "zwang orbit MODEL --over NAME=FROM:TO follows a branch of its orbits");
        return ZW_E_OPTION;
    }
    if (!o->continues && input->result && is_branch(o)) {
        zw_fail(err, ZW_E_OPTION, "%s is a branch: zwang continue goes on from it",
                input->result_path);
        zw_error_hint(err, "zwang continue FILE --point WHICH --over NAME=FROM:TO");
        return ZW_E_OPTION;
    }
    if (o->continues && !is_branch(o)) {
        zw_fail(err, ZW_E_OPTION, "a branch needs a parameter to follow");
        zw_error_hint(err, "--over mu=0.1:5");
        return ZW_E_OPTION;
    }
    if (o->point && !input->result) {
        zw_fail(err, ZW_E_OPTION, "--point is for branch files, and this is a model");
        zw_error_hint(err, "zwang orbit MODEL --over NAME=FROM:TO --out branch.csv makes one");
        return ZW_E_OPTION;
    }
    if (fixed)
        return zw_fail(err, ZW_E_OPTION, "--%s: %s holds its model and its orbits", fixed,
                       input->result_path);
    return ZW_OK;
}

/* options of collocation have no effect on orbits through events */
static zw_status check_events(const orbit_options *o, const zw_study_input *input, zw_error *err) {
    static const char *const of_others[] = {
        "stages", "intervals", "intervals-max", "tolerance", "period",   "mode",   "natural",
        "nodes",  "returns",   "section",       "shooting",  "symmetry", "values", "winding",
        "hold",   "solve",     "steady",        "at",        "by",       NULL};
    const char *key = first_given(input, of_others);
    if (key)
        return zw_fail(err, ZW_E_OPTION,
                       "--%s is for smooth motions: events of the model change this one, whose "
                       "orbits are found from event to event",
                       key);
    if (o->from && !is_from(o, "run"))
        return zw_fail(err, ZW_E_OPTION,
                       "--from %.40s: orbits through events begin at the run of the model",
                       o->from);
    return ZW_OK;
}

/* --------------------------------------------------------------------------------- branch file */

/* the orbit of the file that is meant */
static zw_status pick_point(const orbit_options *o, const zw_study_input *input,
                            const zw_orbits_file *f, int *point, double *value, zw_error *err) {
    if (o->point)
        return zw_orbits_file_pick(f, o->point, point, value, err);
    zw_error listed = {0};
    zw_orbits_file_pick(f, "?", point, value, &listed); /* its hint lists the orbits */
    zw_fail(err, ZW_E_OPTION, "%s is a branch: --point selects one of its orbits",
            input->result_path);
    zw_error_hint(err, "%s", listed.hint);
    return ZW_E_OPTION;
}

/* The model has the value of the branch parameter at the orbit of the file. */
static zw_status set_parameter(orbit_options *o, const zw_study_input *input, zw_study_form *out,
                               zw_error *err) {
    zw_orbits_file f = {0};
    int point = 0;
    double value = NAN;
    zw_status status = zw_orbits_file_read(&f, input->result, err);
    if (status >= 0)
        status = pick_point(o, input, &f, &point, &value, err);
    if (status >= 0 && !f.family) {
        value = isnan(value) ? f.orbit[point].motion.value : value;
        snprintf(o->set, sizeof o->set, f.unit[0] ? "%.60s=%.17g [%.60s]" : "%.60s=%.17g%s",
                 f.parameter, value / f.factor, f.unit);
        o->settings[0] = o->set;
        out->nset = 1;
        out->set = o->settings;
    }
    zw_orbits_file_clear(&f);
    return status;
}

static zw_status form_model(void *options, const zw_study_input *input, zw_study_form *out,
                            zw_error *err) {
    orbit_options *o = options;
    ZW_TRY(check_subject(o, input, err));
    ZW_TRY(check_from(o, input, err));
    ZW_TRY(check_branch(o, input, err));
    if (input->result)
        return set_parameter(o, input, out, err);
    out->hold = &o->motion.hold;
    out->steady = o->motion.steady;
    out->at = o->motion.at;
    if (is_from(o, "hopf") && !o->motion.hold.n && !o->motion.solve.n)
        out->reduction = ZW_STUDY_LEFT_OUT;
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------- the object */

static bool ask_stop(void *user, double done) {
    orbit_study *s = user;
    s->stopped |= s->input->stop && s->input->stop(s->input->user, done);
    return s->stopped;
}

static void destroy_study(void *study) {
    orbit_study *s = study;
    zw_allocator alloc = zw_context_allocator(s->sys->ctx);
    zw_shooting_clear(&s->alone);
    zw_orbits_destroy(s->smooth);
    zw_event_orbits_destroy(s->through_events);
    zw_orbits_file_clear(&s->file);
    zw_table_destroy(s->run);
    zw_table_destroy(s->motion);
    zw_warnings_destroy(s->files);
    zw_release(&alloc, s, sizeof *s);
}

/* base periods after which the orbit of the file closes */
static int order_of(const orbit_study *s) {
    return s->input->result ? s->file.order * s->file.orbit[s->point].times : s->o->own.order;
}

static zw_status create_smooth(orbit_study *s, zw_error *err) {
    orbit_options *o = s->o;
    o->steady = zw_motion_options_use(&o->motion);
    o->own.motion = &o->steady;
    o->own.order = order_of(s);
    if (s->input->result)
        o->own.stages = s->file.stages;
    o->own.stop = ask_stop;
    o->own.stop_user = s;
    return zw_orbits_create(&s->smooth, s->sys, &o->own, err);
}

static zw_status create_through_events(orbit_study *s, zw_error *err) {
    zw_event_orbits_options options = zw_event_orbits_options_default();
    ZW_TRY(check_events(s->o, s->input, err));
    options.over = s->o->own.over;
    options.order = order_of(s);
    if (zw_study_is_given(s->input, "steps"))
        options.steps = s->o->own.steps;
    options.points_max = s->o->own.points_max;
    options.stop = ask_stop;
    options.stop_user = s;
    return zw_event_orbits_create(&s->through_events, s->sys, &options, err);
}

static zw_status open_file(orbit_study *s, bool events, zw_error *err) {
    if (!s->input->result)
        return ZW_OK;
    ZW_TRY(zw_orbits_file_read(&s->file, s->input->result, err));
    ZW_TRY(pick_point(s->o, s->input, &s->file, &s->point, &s->value, err));
    if (events != s->file.events)
        return zw_fail(err, ZW_E_FILE, "%s: its orbits go through %s, those of its model do not",
                       s->input->result_path, events ? "no events" : "events");
    return ZW_OK;
}

static zw_status create_study(void **out, const zw_study_input *input, void *options,
                              zw_error *err) {
    zw_allocator alloc = zw_context_allocator(input->system->ctx);
    bool events = zw_event_orbits_suit(input->system);
    orbit_study *s = zw_allocate(&alloc, sizeof *s);
    if (!s)
        return zw_out_of_memory(err, NULL);
    *s =
        (orbit_study){.input = input, .o = options, .sys = input->system, .value = NAN, .gap = NAN};
    *out = s;
    if (!(s->files = zw_warnings_create(&alloc)))
        return zw_out_of_memory(err, NULL);
    ZW_TRY(open_file(s, events, err));
    return events ? create_through_events(s, err) : create_smooth(s, err);
}

/* --------------------------------------------------------------------------------------- work */

/* the model's value if it is in the range, else the nearer end */
static double first_value(const orbit_study *s, const zw_parameter_range *over) {
    double *p = zw_context_alloc(s->sys->ctx, (size_t)(s->sys->np + 1) * sizeof *p);
    if (!p || zw_system_param_values(s->sys, p, NULL) < 0)
        return over->from;
    return fmin(fmax(p[over->parameter], fmin(over->from, over->to)), fmax(over->from, over->to));
}

/* the same for orbits by collocation; NaN: at the value of the model, or of the first orbit of a
 * family */
static double smooth_value(const orbit_study *s) {
    const zw_parameter_range *over = zw_orbits_over(s->smooth);
    int n;
    const double *given = zw_orbits_given(s->smooth, &n);
    if (given)
        return given[0];
    return over && over->parameter >= 0 ? first_value(s, over) : (double)NAN;
}

static zw_status read_run(orbit_study *s, zw_error *err) {
    ZW_TRY(zw_table_read(&s->run, s->o->from, err));
    zw_warnings_of_file(s->files, s->run, s->o->from);
    return ZW_OK;
}

static zw_status begin_smooth(orbit_study *s, int *number, zw_error *err) {
    const orbit_options *o = s->o;
    zw_orbits_start start = {.section = o->section, .returns = o->returns, .mode = o->mode};
    double value = smooth_value(s);
    if (s->input->result)
        return zw_orbits_adopt(s->smooth, &s->file, s->point, s->value, number, err);
    start.from = is_from(o, "start")     ? ZW_ORBITS_FROM_START
                 : is_from(o, "section") ? ZW_ORBITS_FROM_SECTION
                 : is_from(o, "mode")    ? ZW_ORBITS_FROM_MODE
                                         : ZW_ORBITS_FROM_RUN;
    if (o->from && is_file(o->from)) {
        ZW_TRY(read_run(s, err));
        start.from = ZW_ORBITS_FROM_RESULT;
        start.result = s->run;
    }
    return zw_orbits_find_from(s->smooth, &start, value, number, err);
}

/* orbits at the values of --over FROM:TO:N, each from the one before */
static zw_status follow_natural(orbit_study *s, int number, zw_error *err) {
    const zw_parameter_range *over = zw_orbits_over(s->smooth);
    if (over->rows < 2) {
        zw_fail(err, ZW_E_OPTION, "--natural needs the number of values from FROM to TO");
        zw_error_hint(err, "--over Omega=30.9:30.1:81");
        return ZW_E_OPTION;
    }
    double *value = zw_context_alloc(s->sys->ctx, (size_t)over->rows * sizeof *value);
    if (!value)
        return zw_context_status(s->sys->ctx, err);
    for (int i = 0; i < over->rows; i++)
        value[i] = over->from + (over->to - over->from) * i / (over->rows - 1);
    return zw_orbits_sequence(s->smooth, number, over->rows, value, err);
}

static zw_status follow_values(orbit_study *s, int number, zw_error *err) {
    int n;
    const double *given = zw_orbits_given(s->smooth, &n);
    if (given)
        return zw_orbits_sequence(s->smooth, number, n, given, err);
    return s->o->natural ? follow_natural(s, number, err)
                         : zw_orbits_follow(s->smooth, number, err);
}

static zw_status judge_hopf(const orbit_study *s, zw_error *err) {
    const zw_orbits *o = s->smooth;
    if (o->hopf_skipped)
        zw_fail(err, ZW_E_NUMERIC,
                "no branch of orbits begins at a Hopf point within the range; at %d of them none "
                "was begun, the first at %s = %.9g: %.200s",
                o->hopf_skipped, o->over.name, o->hopf_skipped_value / o->over.factor,
                o->hopf_skipped_why);
    else
        zw_fail(err, ZW_E_NUMERIC, "no branch of orbits begins at a Hopf point within the range");
    zw_error_hint(err, "zwang linearise --over reports where pairs of eigenvalues cross");
    return ZW_E_NUMERIC;
}

static zw_status follow_smooth(orbit_study *s, zw_error *err) {
    int number, born = 0;
    zw_status status;
    if (is_from(s->o, "hopf")) {
        status = zw_orbits_from_hopf(s->smooth, &born, err);
    } else {
        status = begin_smooth(s, &number, err);
        if (status >= 0)
            status = follow_values(s, number, err);
    }
    if (status >= 0 && s->o->leave)
        status = zw_orbits_switch(s->smooth, s->o->leave, NULL, err);
    if (status >= 0 && s->o->marks)
        status = zw_orbits_marks(s->smooth, s->o->marks, err);
    return status >= 0 && !s->stopped && zw_orbits_count(s->smooth) == 0 ? judge_hopf(s, err)
                                                                         : status;
}

static zw_status work_through_events(orbit_study *s, zw_error *err) {
    zw_event_orbits *e = s->through_events;
    const zw_parameter_range *over = zw_event_orbits_over(e);
    int number;
    ZW_TRY(s->input->result
               ? zw_event_orbits_adopt(e, &s->file, s->point, s->value, &number, err)
               : zw_event_orbits_find(e, over ? first_value(s, over) : NAN, &number, err));
    if (!over)
        return ZW_OK;
    ZW_TRY(zw_event_orbits_follow(e, number, err));
    ZW_TRY(zw_event_orbits_beyond(e, BEYOND, err));
    if (s->o->leave) {
        ZW_TRY(zw_event_orbits_switch(e, s->o->leave, NULL, err));
        ZW_TRY(zw_event_orbits_beyond(e, 0, err)); /* the motions after their ends are reported */
    }
    return s->o->marks ? zw_event_orbits_marks(e, s->o->marks, err) : ZW_OK;
}

/* Where collocation finds no orbit: by shooting, from the run. A file of it cannot be made. */
static zw_status shoot_alone(orbit_study *s, zw_error *err) {
    const orbit_options *o = s->o;
    bool elsewhere = s->input->result || (o->from && !is_from(o, "run"));
    if (!o->shooting || elsewhere || zw_study_wants(s->input, "out"))
        return ZW_E_NUMERIC;
    snprintf(s->collocation, sizeof s->collocation, "%.200s", err ? err->text : "no orbit");
    if (err)
        *err = (zw_error){0};
    return zw_orbits_shoot_run(s->smooth, o->nodes, o->method, &s->alone, &s->alone_method, err);
}

static zw_status make_motion(orbit_study *s, zw_error *err) {
    if (s->motion)
        return ZW_OK;
    if (s->through_events)
        return zw_event_orbits_motion_table(s->through_events, 0, ROWS, s->input->source,
                                            &s->motion, &s->gap, err);
    return zw_orbits_motion_table(s->smooth, 0, ROWS, s->input->source, &s->motion, &s->gap, err);
}

static zw_status find_smooth(orbit_study *s, zw_error *err) {
    int number;
    zw_error why = {0};
    zw_status status = begin_smooth(s, &number, &why);
    if (err)
        *err = why;
    if (status == ZW_E_NUMERIC)
        return shoot_alone(s, err);
    ZW_TRY(status);
    if (!s->o->own.symmetry)
        ZW_TRY(zw_orbits_report_symmetry(s->smooth, number, s->symmetry, sizeof s->symmetry, err));
    if (!s->o->shooting)
        return ZW_OK;
    ZW_TRY(zw_orbits_shoot(s->smooth, number, s->o->nodes, s->o->method, &s->shot, err));
    s->is_shot = true;
    return ZW_OK;
}

static int count_orbits(const orbit_study *s) {
    return s->smooth ? zw_orbits_count(s->smooth) : zw_event_orbits_count(s->through_events);
}

/* a branch that cannot go on is kept, but is a failure */
static zw_status judge_ends(const orbit_study *s, zw_error *err) {
    int n = s->smooth ? zw_orbits_branches(s->smooth) : zw_event_orbits_branches(s->through_events);
    for (int i = 0; i < n; i++)
        for (int side = 0; side < 2; side++) {
            zw_cont_end end = s->smooth
                                  ? zw_orbits_branch_end(s->smooth, i, side)
                                  : zw_event_orbits_branch_end(s->through_events, i, side, NULL);
            if (end != ZW_CONT_STUCK)
                continue;
            zw_fail(err, ZW_E_NUMERIC, "branch %d ends where no next orbit is found", i);
            zw_error_hint(err, "write it with --out; zwang continue FILE --point EP1 goes on from "
                               "its end");
            return ZW_E_NUMERIC;
        }
    return ZW_OK;
}

static zw_status run_study(void *study, const zw_study_input *input, zw_error *err) {
    orbit_study *s = study;
    zw_status status = s->through_events ? work_through_events(s, err)
                       : is_branch(s->o) ? follow_smooth(s, err)
                                         : find_smooth(s, err);
    if (s->stopped && (status >= 0 || status == ZW_STOPPED))
        return ZW_STOPPED;
    ZW_TRY(status);
    if (count_orbits(s) > 0 && !is_branch(s->o) && zw_study_wants(input, "out"))
        ZW_TRY(make_motion(s, err));
    return judge_ends(s, err);
}

static bool has_results(const void *study, zw_status status) {
    (void)status;
    const orbit_study *s = study;
    return (s->smooth || s->through_events) && count_orbits(s) > 0;
}

/* ------------------------------------------------------------------------------------- report */

static const char *time_unit(const orbit_study *s) {
    return s->sys->no_units ? "" : "s";
}

static void report_shot(const orbit_study *s, zw_report *out) {
    const zw_orbits_shot *shot = &s->shot;
    const zw_shown rough = {.digits = 2};
    zw_report_open(out, "shooting");
    zw_report_word(out, "method", shot->method);
    zw_report_number(out, "period", shot->period, &(zw_shown){.unit = time_unit(s), .digits = 12});
    zw_report_count(out, "newton_steps", shot->iterations);
    zw_report_number(out, "closure_error", shot->residual, &rough);
    zw_report_number(out, "period_difference", shot->period_off, &rough);
    zw_report_number(out, "multiplier_difference", shot->multipliers_off, &rough);
    zw_report_number(out, "state_difference", shot->state_off, &rough);
    zw_report_say(out, "    by shooting: period {period} ({method}), {newton_steps|step|steps} of "
                       "Newton's method, closure error {closure_error}; periods differ by "
                       "{period_difference}, multipliers by {multiplier_difference}, first nodes "
                       "by {state_difference} of the size\n");
    zw_report_close(out);
}

static void report_alone(const orbit_study *s, zw_report *out) {
    const zw_shooting *shot = &s->alone;
    const zw_floquet *f = &shot->floquet;
    int one = f->trivial;
    double off = one >= 0 ? hypot(f->re[one] - 1, f->im[one]) : 0;
    const zw_motion_view view = {.sys = s->sys,
                                 .outside = f->outside,
                                 .verdict = f->verdict,
                                 .nmultiplier = f->n,
                                 .re = f->re,
                                 .im = f->im,
                                 .accuracy = fmax(f->accuracy, off)};
    zw_report_open(out, "shooting");
    zw_report_word(out, "method", s->alone_method);
    zw_motion_report_stability(out, &view, NULL);
    zw_report_number(out, "period", shot->period, &(zw_shown){.unit = time_unit(s), .digits = 12});
    zw_report_count(out, "newton_steps", shot->iterations);
    zw_report_number(out, "closure_error", shot->residual, &(zw_shown){.digits = 2});
    zw_report_say(
        out,
        "{model}: 1 orbit, by shooting alone ({method})\n"
        "  {stability}; period {period}, {newton_steps|step|steps} of Newton's method, closure "
        "error {closure_error}\n");
    zw_motion_report_multipliers(out, &view);
    zw_report_vector(out, "start", shot->nx, shot->x, NULL, NULL);
    zw_report_close(out);
}

static void report_study(const void *study, zw_report *out) {
    const orbit_study *s = study;
    if (s->collocation[0]) {
        report_alone(s, out);
        return;
    }
    if (s->through_events)
        zw_event_orbits_report(s->through_events, out);
    else
        zw_orbits_report(s->smooth, out);
    zw_report_word(out, "symmetry", s->symmetry[0] ? s->symmetry : NULL);
    zw_report_say(
        out,
        "{symmetry?    symmetric under a shift by half a period: --symmetry \"{symmetry}\"\n}");
    if (s->is_shot)
        report_shot(s, out);
    if (isnan(s->gap))
        return;
    zw_report_number(out, "closure_error", s->gap, &(zw_shown){.digits = 2});
    zw_report_say(
        out,
        "    integrated over its period, it has a closure error of {closure_error} of its size\n");
}

static void warn_shooting(const orbit_study *s, zw_warnings *out) {
    const zw_orbits_shot *shot = &s->shot;
    if (s->collocation[0]) {
        zw_warning d =
            zw_warning_of("collocation", NAN, "collocation finds no orbit: %.200s", s->collocation);
        zw_warnings_add(out, &d);
    }
    if (!s->is_shot ||
        (shot->period_off < METHODS_DIFFER && !(shot->multipliers_off > METHODS_DIFFER)))
        return;
    zw_warning d =
        zw_warning_of("shooting", NAN,
                      "shooting finds another orbit: periods differ by %.1e, multipliers by %.1e",
                      shot->period_off, shot->multipliers_off);
    zw_warnings_add(out, &d);
}

static void list_warnings(const void *study, zw_warnings *out) {
    const orbit_study *s = study;
    zw_warnings_add_all(out, s->files);
    if (s->through_events)
        zw_event_orbits_warnings(s->through_events, out);
    else if (s->smooth)
        zw_orbits_warnings(s->smooth, out);
    warn_shooting(s, out);
    if (isnan(s->gap) || s->gap < CLOSURE_ERROR_MAX)
        return;
    zw_warning d = zw_warning_of("period", NAN,
                                 "the orbit does not close when it is integrated over its period: "
                                 "its closure error is %.1e of its size",
                                 s->gap);
    zw_warnings_add(out, &d);
}

/* ------------------------------------------------------------------------------------- tables */

static zw_status branch_or_curves(orbit_study *s, zw_table **out, zw_error *err) {
    const zw_model_source *source = s->input->source;
    if (s->through_events)
        return s->o->marks && zw_event_orbits_mark_count(s->through_events)
                   ? zw_event_orbits_marks_table(s->through_events, source, out, err)
                   : zw_event_orbits_table(s->through_events, source, out, err);
    return s->o->marks && zw_orbits_mark_count(s->smooth)
               ? zw_orbits_marks_table(s->smooth, source, out, err)
               : zw_orbits_table(s->smooth, source, out, err);
}

static zw_status make_table(void *study, const zw_study_input *input, const char *which,
                            zw_table **out, zw_error *err) {
    orbit_study *s = study;
    (void)input;
    (void)which;
    if (is_branch(s->o))
        return branch_or_curves(s, out, err);
    if (count_orbits(s) == 0)
        return zw_fail(err, ZW_E_NUMERIC, "an orbit by shooting alone has no table");
    ZW_TRY(make_motion(s, err));
    *out = s->motion;
    s->motion = NULL; /* it belongs to the caller; another one would be made again */
    return ZW_OK;
}

static const zw_study_output orbit_outputs[] = {
    {.key = "out",
     .about =
         "one period as a run result; of a branch all points, with every orbit: .csv, .json, .h5"},
    {.key = NULL},
};
static const zw_study_output continue_outputs[] = {
    {.key = "out", .about = "all points, with every orbit: .csv, .json, .h5"},
    {.key = NULL},
};

const zw_study_kind zw_study_orbit = {
    .name = "orbit",
    .question = "How does it move?",
    .about = "periodic orbits, forced or not, with stability; branches over a parameter",
    .usage = "orbit MODEL|BRANCH [--over NAME=FROM:TO] [--from WHERE] [--point WHICH]\n       "
             "[--out FILE] [--picture FILE]",
    .details = "Runs the model from its start until the motion repeats, then solves for the "
               "periodic orbit by collocation: period, Floquet multipliers, and the values of "
               "every coordinate and observable. --over follows the branch of orbits by arclength "
               "continuation and locates folds, period doublings, Neimark-Sacker points and branch "
               "points, with their normal forms; --switch follows the branches that leave there, "
               "--marks follows these points over a second parameter. An orbit with events or "
               "contacts consists of segments between events; its branch ends at grazing. BRANCH "
               "is a file of a branch; --point selects the orbit that is shown.",
    .examples = "  zwang orbit models/van_der_pol.zw --out cycle.csv\n"
                "  zwang orbit models/lorenz.zw --set rho=160 --json\n"
                "  zwang orbit models/lorenz.zw --set x=8 --set y=8 --set z=23 --over rho=14:25 "
                "--from hopf\n"
                "  zwang orbit models/tippedisk_reduced.zw --steady inverted_spin --over "
                "Omega=30.13:31 --from hopf\n"
                "  zwang orbit models/roessler.zw --over c=2:5 --switch 3 --picture cascade.svg\n"
                "  zwang orbit models/roessler.zw --over c=2:5 --marks a=0.15:0.25 --picture "
                "doublings.svg\n"
                "  zwang orbit branch.csv --point PD1 --out cycle.csv\n",
    .call = "orbit van_der_pol",
    .printed = "van_der_pol: 1 orbit\n"
               "  0: stable; period 6.663286859 s, 53 intervals, error about 1.4e-07\n"
               "    begins at x = 0.794078677, x' = 2.67710277; 2 steps of Newton's method\n"
               "    multipliers 1, 0.00085969506, to 1e-09\n"
               "...\n",
    .groups = orbit_groups,
    .size = sizeof(orbit_options),
    .begin = begin_orbit,
    .form = form_model,
    .results = true,
    .outputs = orbit_outputs,
    .create = create_study,
    .work = run_study,
    .has_results = has_results,
    .report = report_study,
    .warnings = list_warnings,
    .table = make_table,
    .destroy = destroy_study,
};

const zw_study_kind zw_study_continue = {
    .name = "continue",
    .question = "Where does the behaviour change?",
    .about = "a branch continued from one of the solutions in its file",
    .usage = "continue BRANCH --point WHICH --over NAME=FROM:TO [--switch N]\n"
             "           [--marks NAME=FROM:TO] [--out FILE] [--picture FILE]",
    .details = "BRANCH is a file written with --out by zwang orbit --over or zwang continue; it "
               "contains the model and every orbit. --point selects the orbit from which a branch "
               "is followed, over the same parameter or another one.",
    .examples = "  zwang orbit models/roessler.zw --over c=2:5 --out branch.csv && zwang continue "
                "branch.csv --point PD1 --over a=0.1:0.3\n",
    .groups = continue_groups,
    .size = sizeof(orbit_options),
    .begin = begin_continue,
    .form = form_model,
    .results = true,
    .outputs = continue_outputs,
    .create = create_study,
    .work = run_study,
    .has_results = has_results,
    .report = report_study,
    .warnings = list_warnings,
    .table = make_table,
    .destroy = destroy_study,
};
