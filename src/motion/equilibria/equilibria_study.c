/* SPDX-License-Identifier: MIT */
/* Equilibria and relative equilibria as a study: one motion near the start, all that a search from
 * many starts finds, or branches over a parameter. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "branches.h"
#include "motion_options.h"
#include "zwang/study.h"

typedef struct equilibria_options {
    zw_motion_options motion;
    zw_option_list search;
    int starts;
    const char *over, *marks; /* ranges; marks: of a second parameter */
    bool branches;
} equilibria_options;

typedef struct equilibria_study {
    const equilibria_options *options;
    const zw_system *sys;
    zw_equilibria *e;      /* one motion, or a search; or */
    zw_branch *rows;       /* one branch; or */
    zw_branches *branches; /* all of them */
} equilibria_study;

#define AT(field) offsetof(equilibria_options, field)
enum { BRANCHES = 32 };

static const zw_option rare_table[] = {
    {"starts", ZW_OPT_INT, AT(starts), 64, 1, 1000000, "", NULL,
     "number of starts of --search; if not given, more while some motions are found from one start "
     "only"},
    {0},
};
static const zw_option common_table[] = {
    {"search", ZW_OPT_LIST, AT(search), 0, 0, 0, "", "NAME[=LOW:HIGH]",
     "range of starts of a coordinate or velocity; an angle alone: a full turn; may be repeated"},
    {"over", ZW_OPT_STRING, AT(over), 0, 0, 0, "", "NAME=FROM:TO[:ROWS]",
     "branch over a parameter or a held quantity: Omega=0:50rad/s"},
    {"branches", ZW_OPT_FLAG, AT(branches), 0, 0, 0, "", NULL,
     "with --over: all branches that cross the range, through folds, with Hopf and branch points"},
    {"marks", ZW_OPT_STRING, AT(marks), 0, 0, 0, "", "NAME=FROM:TO",
     "with --over: curves of folds and Hopf points over a second parameter, with cusps, "
     "Bogdanov-Takens points and other codimension-two points"},
    {0},
};

static const zw_option_group groups[] = {
    {"options", common_table, 0, false},
    {"the motion", zw_motion_option_table, AT(motion), false},
    {"the motion in closed form", zw_motion_form_table, AT(motion), true},
    {"more options", rare_table, 0, true},
    {NULL, NULL, 0, false},
};

static zw_status find_form(void *options, const zw_study_input *input, zw_study_form *out,
                           zw_error *err) {
    const equilibria_options *o = options;
    (void)input;
    (void)err;
    zw_motion_options_form(&o->motion, false, out);
    return ZW_OK;
}

/* -------------------------------------------------------------------------------------- options */

static zw_status refuse(zw_error *err, const char *text, const char *hint) {
    zw_fail(err, ZW_E_OPTION, "%s", text);
    zw_error_hint(err, "%s", hint);
    return ZW_E_OPTION;
}

static zw_status check_options(const equilibria_options *o, const zw_study_input *input,
                               zw_error *err) {
    if (zw_study_is_given(input, "starts") && o->search.n == 0)
        return refuse(err, "--starts is the number of starts of a search, and there is none",
                      "--search NAME=LOW:HIGH is the range of the starts");
    if (o->over && o->search.n)
        return refuse(err, "--over follows one motion, --search looks for all",
                      "search first, and begin --over at one of the results (--set)");
    if ((o->branches || o->marks) && !o->over)
        return refuse(err,
                      o->branches ? "--branches needs a parameter" : "--marks needs a parameter",
                      "--over NAME=FROM:TO is its range");
    return ZW_OK;
}

static zw_status create_study(void **out, const zw_study_input *input, void *given, zw_error *err) {
    equilibria_options *o = given;
    zw_allocator alloc = zw_context_allocator(input->system->ctx);
    ZW_TRY(check_options(o, input, err));
    equilibria_study *s = zw_allocate(&alloc, sizeof *s);
    if (!s)
        return zw_out_of_memory(err, NULL);
    *s = (equilibria_study){.options = o, .sys = input->system};
    *out = s;
    return ZW_OK;
}

static void destroy_study(void *study) {
    equilibria_study *s = study;
    zw_allocator alloc = zw_context_allocator(s->sys->ctx);
    zw_equilibria_destroy(s->e);
    zw_branch_destroy(s->rows);
    zw_branches_destroy(s->branches);
    zw_release(&alloc, s, sizeof *s);
}

/* ----------------------------------------------------------------------------------------- work */

static bool is_stopped(const zw_study_input *input) {
    return input->stop && input->stop(input->user, NAN);
}

static zw_status search_all(equilibria_study *s, const zw_study_input *input, zw_error *err) {
    const equilibria_options *o = s->options;
    zw_equilibria_box box[ZW_OPTION_LIST_MAX];
    zw_equilibria_search_options options = zw_equilibria_search_options_default();
    for (int i = 0; i < o->search.n; i++)
        ZW_TRY(zw_equilibria_read_box(s->e, o->search.item[i], &box[i], err));
    options.nbox = o->search.n;
    options.box = box;
    options.starts = o->starts;
    if (zw_study_is_given(input, "starts"))
        options.most = o->starts;
    options.stop = input->stop;
    options.stop_user = input->user;
    return zw_equilibria_search(s->e, &options, err);
}

/* contacts that are no constraints exert no force here */
static bool has_contacts(const zw_system *sys) {
    for (int i = 0; i < sys->ncontact; i++)
        if (!sys->contact[i].off && !sys->contact[i].bilateral)
            return true;
    return false;
}

static zw_status find_motions(equilibria_study *s, const zw_study_input *input, zw_error *err) {
    zw_equilibria_options how = zw_motion_options_use(&s->options->motion);
    ZW_TRY(zw_equilibria_create(&s->e, s->sys, &how, err));
    if (s->options->search.n)
        return search_all(s, input, err);
    zw_status status = zw_equilibria_find(s->e, err);
    if (status < 0 && status != ZW_E_MEMORY && has_contacts(s->sys))
        zw_error_hint(err, "contacts that may open or stick exert no force here: zwang rest finds "
                           "what they hold");
    return status;
}

/* A branch that ends within its range is a failure, which is reported after the results. */
static zw_status follow_rows(equilibria_study *s, const zw_study_input *input, zw_error *err) {
    zw_branch_options options = zw_branch_options_default();
    zw_equilibria_options how = zw_motion_options_use(&s->options->motion);
    options.over = s->options->over;
    options.motion = &how;
    options.stop = input->stop;
    options.stop_user = input->user;
    ZW_TRY(zw_branch_create(&s->rows, s->sys, &options, err));
    const zw_steady_way *path = zw_branch_way(s->rows);
    for (int k = 0; k < 2 && !zw_branch_stopped(s->rows); k++)
        if (path->stop[k].end != ZW_FOLLOW_GOES_ON)
            return zw_fail(err, ZW_E_NUMERIC, "%s", path->stop[k].why);
    return ZW_OK;
}

/* Curves of special points begin on crossing branches if the first branch has none. */
static zw_status follow_special(equilibria_study *s, zw_error *err) {
    if (!s->options->marks)
        return ZW_OK;
    ZW_TRY(zw_branches_marks(s->branches, err));
    if (s->options->branches || zw_branches_mark_curves(s->branches))
        return ZW_OK;
    ZW_TRY(zw_branches_switch(s->branches, BRANCHES, err));
    return zw_branches_marks(s->branches, err);
}

static zw_status follow_branches(equilibria_study *s, const zw_study_input *input, zw_error *err) {
    zw_branches_options options = zw_branches_options_default();
    zw_equilibria_options how = zw_motion_options_use(&s->options->motion);
    options.over = s->options->over;
    options.second = s->options->marks;
    options.motion = &how;
    options.stop = input->stop;
    options.stop_user = input->user;
    ZW_TRY(zw_branches_create(&s->branches, s->sys, &options, err));
    ZW_TRY(zw_branches_follow(s->branches, err));
    if (s->options->branches)
        ZW_TRY(zw_branches_switch(s->branches, BRANCHES, err));
    return follow_special(s, err);
}

static zw_status run_study(void *study, const zw_study_input *input, zw_error *err) {
    equilibria_study *s = study;
    const equilibria_options *o = s->options;
    zw_status status = o->branches || o->marks ? follow_branches(s, input, err)
                       : o->over               ? follow_rows(s, input, err)
                                               : find_motions(s, input, err);
    return status != ZW_E_MEMORY && is_stopped(input) ? ZW_STOPPED : status;
}

static bool has_results(const void *study, zw_status status) {
    const equilibria_study *s = study;
    (void)status;
    return s->rows || (s->branches && zw_branches_count(s->branches)) ||
           (s->e && zw_equilibria_found(s->e)->n);
}

/* -------------------------------------------------------------------------------------- results */

static void report_study(const void *study, zw_report *out) {
    const equilibria_study *s = study;
    if (s->branches)
        zw_branches_report(s->branches, out);
    else if (s->rows)
        zw_branch_report(s->rows, out);
    else if (s->options->search.n)
        zw_equilibria_found_report(s->e, out);
    else
        zw_equilibria_report(s->e, out);
}

static void list_warnings(const void *study, zw_warnings *out) {
    const equilibria_study *s = study;
    if (s->branches)
        zw_branches_warnings(s->branches, out);
    if (s->e && s->options->search.n == 0 && zw_equilibria_warning(s->e)) {
        zw_warning warning = zw_warning_of("the motion", NAN, "%s", zw_equilibria_warning(s->e));
        zw_warnings_add(out, &warning);
    }
}

static zw_status make_table(void *study, const zw_study_input *input, const char *which,
                            zw_table **out, zw_error *err) {
    equilibria_study *s = study;
    (void)which;
    if (s->branches && zw_branches_mark_points(s->branches) > 0)
        return zw_branches_marks_table(s->branches, input->source, out, err);
    if (s->branches)
        return zw_branches_table(s->branches, input->source, out, err);
    return s->rows ? zw_branch_table(s->rows, input->source, out, err)
                   : zw_equilibria_found_table(s->e, input->source, out, err);
}

static const zw_study_output outputs[] = {
    {.key = "out", .about = "one row for each motion; with --marks the curves of bifurcations"},
    {0},
};

const zw_study_kind zw_study_equilibria = {
    .name = "equilibria",
    .question = "Where does it rest, and is that stable?",
    .about = "equilibria and relative equilibria, and their stability",
    .usage = "equilibria MODEL [--hold NAME[=VALUE]] [--search NAME=LOW:HIGH]\n       [--over "
             "NAME=FROM:TO [--branches] [--marks NAME=FROM:TO]] [--out FILE]",
    .details = "Finds an equilibrium near the start, or all in a range (--search), and relative "
               "equilibria: motions that look the same at all times to an observer moving along a "
               "symmetry of the system, such as a disc rolling in a circle or a precessing top, in "
               "any coordinates. Reports the symmetries, the motion, its constraint forces, and "
               "the eigenvalues of small disturbances.",
    .examples =
        "  zwang equilibria models/double_pendulum.zw --set phi_1=0.1 --set phi_2=0\n"
        "  zwang equilibria models/rolling_disc.zw --hold \"alpha'=6 [rad/s]\" --hold beta=70deg\n"
        "  zwang equilibria models/double_pendulum.zw --search phi_1 --search phi_2\n"
        "  zwang equilibria models/rolling_disc.zw --over \"alpha'=2:12 [rad/s]\" --hold beta\n"
        "  zwang equilibria models/lorenz.zw --over rho=0:30 --branches\n"
        "  zwang equilibria models/lorenz.zw --over rho=0:30 --marks sigma=5:15\n"
        "  zwang equilibria models/tippedisk.zw --hold \"alpha'=40 [rad/s]\" --set gamma=90deg\n",
    .call = "equilibria double_pendulum",
    .printed = "double_pendulum: equilibrium, after 8 steps\n"
               "  state       phi_1 = 3.141592654 rad\n"
               "              phi_2 = 3.141592654 rad\n"
               "...\n"
               "  potential   a maximum of the potential, which falls in 2 directions\n"
               "  eigenvalues 4 dimensions - 0 of symmetries = 4\n"
               "    1                          5.787351298 1/s  doubles in 0.119769 s\n"
               "...\n",
    .groups = groups,
    .size = sizeof(equilibria_options),
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
