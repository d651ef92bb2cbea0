/* SPDX-License-Identifier: MIT */
/* All solutions over one parameter as a study: the options, and what is done with them. */
#include <math.h>
#include <time.h>

#include "diagram.h"
#include "motion/equilibria/motion_options.h"
#include "zwang/study.h"

typedef struct diagram_options {
    zw_diagram_options own;
    zw_motion_options motion;
    zw_option_list search;
    double time;
} diagram_options;

typedef struct diagram_study {
    zw_diagram_options options;
    zw_equilibria_options motion;
    const diagram_options *given;
    const zw_study_input *input;
    const zw_system *sys;
    zw_diagram *d;
    time_t begin;
} diagram_study;

#define AT(field) offsetof(diagram_options, field)

static const zw_option common_table[] = {
    {"over", ZW_OPT_STRING, AT(own.over), 0, 0, 0, "", "NAME=FROM:TO",
     "parameter and its range: Omega=25:35"},
    {"search", ZW_OPT_LIST, AT(search), 0, 0, 0, "", "NAME[=LOW:HIGH]",
     "range of starts for equilibria (default: all angles, and 3, 30 and 300 times the scale of "
     "other coordinates); may be repeated"},
    {"starts", ZW_OPT_INT, AT(own.starts), 24, 0, 100000, "", NULL,
     "number of starts at each of three values; if not given, more while some equilibria are found "
     "from one start only; 0: that of the model only"},
    {0},
};
static const zw_option rare_table[] = {
    {"time", ZW_OPT_DOUBLE, AT(time), 0, 0, 1e9, "s", NULL,
     "time limit, after which the results so far are reported; 0: none"},
    {"branches-max", ZW_OPT_INT, AT(own.branches), 16, 1, 1000, "", NULL,
     "maximum number of branches of equilibria"},
    {"orbits-max", ZW_OPT_INT, AT(own.orbits), 8, 0, 1000, "", NULL,
     "maximum number of branches of orbits"},
    {"points-max", ZW_OPT_INT, AT(own.points_max), 1000, 10, 1000000, "", NULL,
     "maximum number of points of a branch"},
    {"tolerance", ZW_OPT_DOUBLE, AT(own.tolerance), 1e-6, 1e-13, 1e-2, "", NULL,
     "relative tolerance of orbits between mesh points"},
    {0},
};

static const zw_option_group groups[] = {
    {"options", common_table, 0, false},
    {"the equilibrium", zw_motion_option_table, AT(motion), true},
    {"the equilibrium in closed form", zw_motion_form_table, AT(motion), true},
    {"more options", rare_table, 0, true},
    {NULL, NULL, 0, false},
};

static void begin_options(void *options) {
    diagram_options *o = options;
    o->own = zw_diagram_options_default();
}

static zw_status find_form(void *options, const zw_study_input *input, zw_study_form *out,
                           zw_error *err) {
    const diagram_options *o = options;
    (void)input;
    (void)err;
    zw_motion_options_form(&o->motion, false, out);
    return ZW_OK;
}

static zw_status create_study(void **out, const zw_study_input *input, void *given, zw_error *err) {
    const diagram_options *o = given;
    zw_allocator alloc = zw_context_allocator(input->system->ctx);
    if (!o->own.over) {
        zw_fail(err, ZW_E_OPTION, "a diagram needs a parameter: --over is missing");
        zw_error_hint(err, "--over mu=0.1:5");
        return ZW_E_OPTION;
    }
    diagram_study *s = zw_allocate(&alloc, sizeof *s);
    if (!s)
        return zw_out_of_memory(err, NULL);
    *s = (diagram_study){.given = o,
                         .options = o->own,
                         .motion = zw_motion_options_use(&o->motion),
                         .sys = input->system};
    *out = s;
    return ZW_OK;
}

static void destroy_study(void *study) {
    diagram_study *s = study;
    zw_allocator alloc = zw_context_allocator(s->sys->ctx);
    zw_diagram_destroy(s->d);
    zw_release(&alloc, s, sizeof *s);
}

/* ----------------------------------------------------------------------------------------- work */

static bool is_over(void *user, double done) {
    const diagram_study *s = user;
    bool late = s->given->time > 0 && difftime(time(NULL), s->begin) >= s->given->time;
    return (s->input->stop && s->input->stop(s->input->user, done)) || late;
}

static zw_status read_boxes(const diagram_study *s, zw_equilibria_box *box, zw_error *err) {
    const zw_option_list *search = &s->given->search;
    zw_equilibria *e;
    if (search->n == 0)
        return ZW_OK;
    ZW_TRY(zw_equilibria_create(&e, s->sys, &s->motion, err));
    zw_status status = ZW_OK;
    for (int i = 0; i < search->n && status >= 0; i++)
        status = zw_equilibria_read_box(e, search->item[i], &box[i], err);
    zw_equilibria_destroy(e);
    return status;
}

static zw_status run_study(void *study, const zw_study_input *input, zw_error *err) {
    diagram_study *s = study;
    zw_equilibria_box box[ZW_OPTION_LIST_MAX];
    s->input = input;
    s->begin = time(NULL);
    ZW_TRY(read_boxes(s, box, err));
    s->options.motion = &s->motion;
    s->options.nbox = s->given->search.n;
    s->options.box = box;
    if (zw_study_is_given(input, "starts"))
        s->options.most = s->options.starts;
    s->options.stop = is_over;
    s->options.stop_user = s;
    zw_status status = zw_diagram_create(&s->d, s->sys, &s->options, err);
    bool stopped = input->stop && input->stop(input->user, NAN);
    return status != ZW_E_MEMORY && stopped ? ZW_STOPPED : status;
}

static bool has_results(const void *study, zw_status status) {
    const diagram_study *s = study;
    (void)status;
    return s->d != NULL;
}

/* -------------------------------------------------------------------------------------- results */

static void report_study(const void *study, zw_report *out) {
    const diagram_study *s = study;
    zw_diagram_report(s->d, out);
}

static void list_warnings(const void *study, zw_warnings *out) {
    const diagram_study *s = study;
    if (s->d)
        zw_diagram_warnings(s->d, out);
}

static zw_status make_table(void *study, const zw_study_input *input, const char *which,
                            zw_table **out, zw_error *err) {
    const diagram_study *s = study;
    (void)which;
    return zw_diagram_table(s->d, input->source, out, err);
}

static const zw_study_output outputs[] = {
    {.key = "out", .about = "all points and orbits: .csv, .json, .h5"},
    {0},
};

const zw_study_kind zw_study_diagram = {
    .name = "diagram",
    .question = "Where does the behaviour change?",
    .about = "all solutions over a parameter: equilibria, orbits, bifurcations",
    .usage = "diagram MODEL --over NAME=FROM:TO [--search NAME=LOW:HIGH] [--out FILE]",
    .details = "Finds equilibria from many starts and follows their branches through folds and "
               "branch points. Follows the orbits born at Hopf points and the branches that leave "
               "them, and reports where orbits end.",
    .examples = "  zwang diagram models/lorenz.zw --over rho=0:30\n"
                "  zwang diagram models/van_der_pol.zw --over mu=-1:2 --picture cycles.svg\n",
    .call = "diagram lorenz --over rho=0:30",
    .printed =
        "lorenz over rho from 0 to 30: 2 branches of steady motions, 1 of orbits\n"
        "  events\n"
        "    rho = 1: branch point (pitchfork): two stable steady motions leave that at x ...\n"
        "    rho = 13.92655741: homoclinic: the orbits end, their period grows without ...\n"
        "    rho = 24.73684211: subcritical Hopf point of the steady motion at x = ...\n"
        "  branches of orbits, over rho\n"
        "    0: from the Hopf point at 24.73684211 to the homoclinic orbit at 13.92655741 ...\n"
        "  solutions between them\n"
        "...\n",
    .groups = groups,
    .size = sizeof(diagram_options),
    .begin = begin_options,
    .form = find_form,
    .outputs = outputs,
    .create = create_study,
    .work = run_study,
    .has_results = has_results,
    .report = report_study,
    .warnings = list_warnings,
    .table = make_table,
    .destroy = destroy_study,
};
