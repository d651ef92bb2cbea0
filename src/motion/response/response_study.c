/* SPDX-License-Identifier: MIT */
/* Forced periodic motions as a study: at the values of the model, over a parameter, by shooting, and
 * as minima of the Gaussian over a period. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "forced_study.h"
#include "motion/gauss_minima/gauss_study.h"
#include "zwang/orbits.h"
#include "zwang/system.h"

typedef struct response_options {
    zw_forced_options own;
    zw_gauss_study_options minima;
    const char *with, *marks, *pick;
    int values, starts, march, leave, nodes, number;
    bool gauss, shooting;
} response_options;

/* what is done, as bits for the table of options below */
typedef enum response_task {
    FIND = 1,
    SHOOT = 2,
    FOLLOW = 4,
    MINIMISE = 8,
    MINIMISE_ALONG = 16
} response_task;

typedef struct response_study {
    zw_forced_study forced;
    zw_gauss_study minima;
    zw_allocator alloc;
    response_options *options;
    response_task task;
} response_study;

/* ------------------------------------------------------------------------------------- options */

#define AT(field) offsetof(response_options, field)

static const zw_option common_table[] = {
    {"over", ZW_OPT_STRING, AT(own.over), 0, 0, 0, "", "NAME=FROM:TO",
     "parameter and its range: Omega=0.1:5; with --gauss NAME=FROM:TO:N"},
    {"starts", ZW_OPT_INT, AT(starts), 0, 0, 1000000, "", NULL,
     "number of additional starts of different sizes, to find coexisting motions"},
    {"switch", ZW_OPT_INT, AT(leave), 0, 0, 1000, "", NULL,
     "maximum number of curves followed from branch points and period doublings"},
    {"marks", ZW_OPT_STRING, AT(marks), 0, 0, 0, "", "NAME=FROM:TO",
     "second parameter and its range: curves of folds, period doublings, ... over both, with "
     "cusps, in --out and --picture"},
    {0},
};
static const zw_option rare_table[] = {
    {"number", ZW_OPT_INT, AT(number), 0, 0, 1000000, "", NULL,
     "number of the motion, or minimum, in --out and --picture"},
    {"values", ZW_OPT_INT, AT(values), 0, 0, 10000, "", NULL,
     "number of values inside the range at which curves are searched as well (isolas)"},
    {"for", ZW_OPT_STRING, AT(with), 0, 0, 0, "", "NAME=A,B,C",
     "values of a second parameter: curves for each, in one table and picture"},
    {"pick", ZW_OPT_STRING, AT(pick), 0, 0, 0, "", "WHICH",
     "motion of the curves for --motion: fold, fold 2, branch, period-doubling, neimark-sacker, or "
     "a value"},
    {"order", ZW_OPT_INT, AT(own.order), 1, 1, 64, "", NULL,
     "periods of the excitation in one period of the motion (subharmonics)"},
    {"settle", ZW_OPT_INT, AT(own.settle), 50, 0, 100000, "", NULL,
     "periods run from the start of the model to the first guess; 0: rest as first guess"},
    {"winding", ZW_OPT_STRING, AT(own.winding), 0, 0, 0, "", "PHI=TURNS",
     "whole turns of an angle in one period: phi=1; its values are reported without them"},
    {"march", ZW_OPT_INT, AT(march), 0, 0, 1000000, "", NULL,
     "number of values at which the motion is integrated, up the range and down again, --settle "
     "periods at each, with the state carried over; 0: none"},
    {"shooting", ZW_OPT_FLAG, AT(shooting), 0, 0, 0, "", NULL,
     "motions by shooting: forces may have kinks and jumps"},
    {"nodes", ZW_OPT_INT, AT(nodes), 1, 1, 1000, "", NULL,
     "with --shooting: number of segments of the period; more for strongly unstable motions"},
    {0},
};
static const zw_option gauss_table[] = {
    {"gauss", ZW_OPT_FLAG, AT(gauss), 0, 0, 0, "", NULL,
     "minima of Gauss's constraint over a period, with --harmonics (default 1), and whether each "
     "is a motion"},
    {0},
};

static const zw_option_group groups[] = {
    {"options", common_table, 0, false},
    {"harmonic balance", zw_forced_balance_table, AT(own), false},
    {"more options of harmonic balance", zw_forced_balance_rare_table, AT(own), true},
    {"more options", rare_table, 0, true},
    {"Gauss's principle", gauss_table, 0, true},
    {"with --gauss", zw_gauss_study_table, AT(minima), true},
    {NULL, NULL, 0, false},
};

static void begin_options(void *options) {
    response_options *o = options;
    o->own = zw_forced_options_default();
    o->minima.own = zw_forced_gauss_options_default();
}

/* ------------------------------------------------------- options that do not belong to the task */

typedef struct option_use {
    const char *key;
    int tasks; /* in which it means something */
} option_use;

static const option_use uses[] = {
    {"number", FIND | SHOOT | MINIMISE},
    {"spectrum", FIND | SHOOT},
    {"nodes", SHOOT},
    {"values", FOLLOW},
    {"switch", FOLLOW},
    {"march", FOLLOW},
    {"marks", FOLLOW},
    {"pick", FOLLOW},
    {"motion", FOLLOW},
    {"coefficients", FOLLOW},
    {"for", FOLLOW | MINIMISE_ALONG},
    {"forces", MINIMISE | MINIMISE_ALONG},
};

static response_task task_of(const response_options *o) {
    return o->gauss ? o->own.over ? MINIMISE_ALONG : MINIMISE
                    : (o->own.over   ? FOLLOW
                       : o->shooting ? SHOOT
                                     : FIND);
}

static bool is_asked(const zw_study_input *input, const char *key) {
    return zw_study_is_given(input, key) || zw_study_wants(input, key);
}

static zw_status reject_use(const option_use *use, response_task task, zw_error *err) {
    const int over = FOLLOW | MINIMISE_ALONG;
    if (!(use->tasks & ~(MINIMISE | MINIMISE_ALONG)))
        zw_fail(err, ZW_E_OPTION, "--%s belongs to --gauss", use->key);
    else if (task & (MINIMISE | MINIMISE_ALONG) && !(use->tasks & (MINIMISE | MINIMISE_ALONG)))
        zw_fail(err, ZW_E_OPTION, "--%s does not go with --gauss", use->key);
    else if (use->tasks == SHOOT)
        zw_fail(err, ZW_E_OPTION, "--%s belongs to --shooting", use->key);
    else if (!(task & over)) {
        zw_fail(err, ZW_E_OPTION, "--%s needs --over", use->key);
        zw_error_hint(err, "use --set to change a parameter to one other value");
    } else {
        zw_fail(err, ZW_E_OPTION, "--%s is of motions at one value: without --over", use->key);
        zw_error_hint(err, "--pick chooses a motion of a curve");
    }
    return ZW_E_OPTION;
}

static zw_status check_uses(const zw_study_input *input, response_task task, zw_error *err) {
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (!(uses[i].tasks & task) && is_asked(input, uses[i].key))
            return reject_use(&uses[i], task, err);
    for (const zw_option *row = zw_gauss_study_table; row->key; row++)
        if (!(task & (MINIMISE | MINIMISE_ALONG)) && is_asked(input, row->key))
            return zw_fail(err, ZW_E_OPTION, "--%s belongs to --gauss", row->key);
    return ZW_OK;
}

static zw_status check_options(const response_options *o, const zw_study_input *input,
                               response_task task, zw_error *err) {
    if (o->gauss && o->shooting)
        return zw_fail(err, ZW_E_OPTION, "--gauss and --shooting are two methods: choose one");
    if (o->shooting && o->own.over) {
        zw_fail(err, ZW_E_OPTION, "--shooting is of motions at one value: without --over");
        zw_error_hint(err, "curves of models with kinks are followed by shooting automatically");
        return ZW_E_OPTION;
    }
    if (o->shooting && (o->own.harmonics || o->own.odd))
        return zw_fail(err, ZW_E_OPTION,
                       "--shooting has no harmonics to choose: --harmonics and --odd belong to "
                       "harmonic balance and to --gauss");
    ZW_TRY(check_uses(input, task, err));
    if (o->marks && o->with)
        return zw_fail(err, ZW_E_OPTION,
                       "--marks and --for are two ways to a second parameter: choose one");
    if (zw_study_wants(input, "motion") && !o->pick)
        return zw_fail(err, ZW_E_OPTION, "--motion FILE needs --pick, which says which motion");
    return o->gauss ? zw_gauss_study_check(&o->minima, input, task == MINIMISE_ALONG, err) : ZW_OK;
}

/* ------------------------------------------------------------------------------------- lifetime */

static zw_status open_minima(response_study *s, const zw_study_input *input, zw_error *err) {
    response_options *o = s->options;
    o->minima.own.harmonics = o->own.harmonics ? o->own.harmonics : 1;
    o->minima.own.starts = o->starts;
    o->minima.number = o->number;
    return zw_gauss_study_open(&s->minima, &o->minima, input, s->forced.n, s->forced.all, err);
}

static zw_status create_study(void **out, const zw_study_input *input, void *given, zw_error *err) {
    response_options *o = given;
    zw_allocator alloc = zw_context_allocator(input->system->ctx);
    ZW_TRY(check_options(o, input, task_of(o), err));
    response_study *s = zw_allocate(&alloc, sizeof *s);
    if (!s)
        return zw_out_of_memory(err, NULL);
    *s = (response_study){.alloc = alloc, .options = o, .task = task_of(o)};
    *out = s;
    s->forced.shoots = o->shooting;
    o->own.cycles = s->task == FOLLOW;
    ZW_TRY(zw_forced_study_open(&s->forced, input, o->own, o->with, err));
    return o->gauss ? open_minima(s, input, err) : ZW_OK;
}

static void destroy_study(void *study) {
    response_study *s = study;
    zw_allocator alloc = s->alloc;
    zw_gauss_study_close(&s->minima);
    zw_forced_study_close(&s->forced);
    zw_release(&alloc, s, sizeof *s);
}

/* ---------------------------------------------------------------------------------------- work */

static zw_status check_number(const response_study *s, zw_error *err) {
    int number = s->options->number, n = zw_forced_motions(s->forced.all[0]);
    if (number < n)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "--number %d: there %s %d motion%s", number, n == 1 ? "is" : "are", n,
            n == 1 ? "" : "s");
    zw_error_hint(err, "motions are numbered from 0");
    return ZW_E_OPTION;
}

/* If a motion goes to a file or a picture, one period of it is integrated before the report. */
static zw_status run_chosen(response_study *s, zw_error *err) {
    const zw_study_input *input = s->forced.input;
    bool run = zw_study_wants(input, "out") != NULL;
    if (!run && !zw_study_wants(input, "spectrum"))
        return ZW_OK;
    ZW_TRY(check_number(s, err));
    return run ? zw_forced_study_run(&s->forced, s->forced.all[0], s->options->number, err) : ZW_OK;
}

static zw_status end_motions(response_study *s, zw_error *err) {
    ZW_TRY(zw_forced_study_end(&s->forced, NULL, err));
    ZW_TRY(run_chosen(s, err));
    return s->forced.stopped ? ZW_STOPPED : ZW_OK;
}

static zw_status find_motions(response_study *s, zw_error *err) {
    zw_forced *f = s->forced.all[0];
    int starts = s->options->starts;
    zw_status status = zw_forced_find(f, NAN, NULL, err);
    if (status == ZW_E_NUMERIC && starts > 0) {
        *err = (zw_error){0};
        status = ZW_OK;
    }
    ZW_TRY(status);
    if (starts > 0)
        ZW_TRY(zw_forced_search(f, NAN, starts, NULL, err));
    if (!zw_forced_motions(f))
        return zw_fail(err, ZW_E_NUMERIC, "no periodic motion was found from %d starts",
                       starts + 1);
    return end_motions(s, err);
}

static zw_status shoot_motions(response_study *s, zw_error *err) {
    const response_options *o = s->options;
    ZW_TRY(zw_forced_shoot(s->forced.all[0], NAN, o->nodes, o->starts, NULL, err));
    return end_motions(s, err);
}

static zw_status follow_curves(const response_options *o, zw_forced *f, zw_error *err) {
    ZW_TRY(zw_forced_curves(f, o->values, o->starts, err));
    if (o->leave)
        ZW_TRY(zw_forced_switch(f, o->leave, err));
    if (o->march)
        ZW_TRY(zw_forced_march(f, o->march, err));
    return o->marks ? zw_forced_marks(f, o->marks, err) : ZW_OK;
}

static zw_status follow_all(response_study *s, zw_error *err) {
    for (int i = 0; i < s->forced.n && !s->forced.stopped; i++)
        ZW_TRY(follow_curves(s->options, s->forced.all[i], err));
    return zw_forced_study_end(&s->forced, s->options->pick, err);
}

static zw_status work_study(void *study, const zw_study_input *input, zw_error *err) {
    response_study *s = study;
    (void)input;
    switch (s->task) {
    case FIND:
        return find_motions(s, err);
    case SHOOT:
        return shoot_motions(s, err);
    case FOLLOW:
        return follow_all(s, err);
    case MINIMISE:
    case MINIMISE_ALONG:
        ZW_TRY(zw_gauss_study_work(&s->minima, &s->forced.found, err));
        break;
    }
    return s->forced.stopped ? ZW_STOPPED : ZW_OK;
}

static bool has_results(const void *study, zw_status status) {
    (void)status;
    return ((const response_study *)study)->forced.found;
}

/* Shooting finds motions up to a drift; in the reduced model they are periodic. */
static bool reduce_after(const void *study, zw_status status) {
    const response_study *s = study;
    if (!zw_forced_study_drifts(&s->forced) || s->options->gauss)
        return false;
    return status == ZW_E_NUMERIC ||
           (status >= 0 && s->task == SHOOT && !zw_event_orbits_suit(s->forced.input->system));
}

/* -------------------------------------------------------------------------------------- results */

static void report_study(const void *study, zw_report *out) {
    const response_study *s = study;
    if (s->options->gauss)
        zw_gauss_study_report(&s->minima, out);
    else
        zw_forced_study_report(&s->forced, out);
}

static void list_warnings(const void *study, zw_warnings *out) {
    const response_study *s = study;
    if (s->options->gauss)
        zw_gauss_study_warnings(&s->minima, out);
    else
        zw_forced_study_warnings(&s->forced, out);
}

static zw_status make_table(void *study, const zw_study_input *input, const char *which,
                            zw_table **out, zw_error *err) {
    response_study *s = study;
    zw_forced *f = s->forced.all[0];
    *out = NULL;
    if (s->options->gauss)
        return zw_gauss_study_make(&s->minima, which, out, err);
    if (strcmp(which, "motion") == 0)
        return zw_forced_study_motion(&s->forced, out, err);
    if (s->task == FOLLOW)
        return zw_forced_study_table(&s->forced, out, err);
    ZW_TRY(check_number(s, err));
    if (strcmp(which, "spectrum") == 0)
        return zw_forced_spectrum(f, s->options->number, input->source, out, err);
    return zw_forced_study_give_run(&s->forced, f, s->options->number, out, err);
}

/* the trial motion of a minimum is drawn where its forces are wanted, and no surface */
static zw_status choose_drawn(const void *options, const zw_study_input *input, const char **key,
                              zw_error *err) {
    const response_options *o = options;
    *key = "out";
    if (!o->gauss || o->own.over || o->minima.surface)
        return ZW_OK;
    *key = "forces";
    return zw_study_wants(input, "forces")
               ? ZW_OK
               : zw_fail(err, ZW_E_OPTION,
                         "--gauss lists minima: --picture is of --surface, --over or --forces");
}

static const zw_study_output outputs[] = {
    {.key = "out",
     .about = "curves: .csv, .json, .h5; without --over one period of motion --number as a run "
              "result; with --gauss the minima, or their --surface"},
    {.key = "motion", .about = "one period of the motion of --pick as a run result"},
    {.key = "spectrum", .about = "amplitudes and phases of the harmonics of motion --number"},
    {.key = "forces",
     .about = "with --gauss: one period of minimum --number, with the forces that it would need in "
              "addition, and those of bounds"},
    {0},
};

const zw_study_kind zw_study_response = {
    .name = "response",
    .question = "What repeats itself?",
    .about = "forced periodic motions and their stability; curves over a parameter",
    .usage = "response MODEL [--over NAME=FROM:TO] [--starts N] [--harmonics H]\n"
             "           [--out FILE] [--picture FILE]",
    .details = "Without --over, finds the periodic motions at the model's parameter values by "
               "harmonic balance: rms, mean, extreme values, first harmonic and phase of every "
               "coordinate and observable, Floquet multipliers, and an estimate of the truncation "
               "error. With --over, follows all curves through the motions at both ends of the "
               "range by arclength continuation, with stability, folds, period doublings, "
               "Neimark-Sacker points and branch points. Models with kinks in their forces that "
               "need many harmonics are followed by shooting. Without excitation it finds limit "
               "cycles, with unknown frequency, down to their Hopf points; with two or three "
               "incommensurate frequencies it finds quasi-periodic motions.",
    .examples = "  zwang response models/duffing.zw --starts 30\n"
                "  zwang response models/duffing.zw --variant set_2 --over Omega=0.1:5 --picture "
                "duffing.svg\n"
                "  zwang response models/van_der_pol.zw --over mu=0.1:2 --picture cycles.svg\n"
                "  zwang response models/duffing.zw --gauss --odd --starts 30\n",
    .call = "response duffing --over Omega=0.5:3",
    .printed =
        "duffing: forced motions over Omega\n"
        "  curve 0: 113 points from 0.5 rad/s to 3 rad/s, 17 of them unstable, harmonics ...\n"
        "    2.218204136 rad/s  a fold: the curve turns back; rms(x) = 1.56697 m\n"
        "    1.889032773 rad/s  a fold: the curve turns back; rms(x) = 0.799011 m\n",
    .groups = groups,
    .size = sizeof(response_options),
    .begin = begin_options,
    .outputs = outputs,
    .choose_drawn = choose_drawn,
    .create = create_study,
    .work = work_study,
    .has_results = has_results,
    .reduce_after = reduce_after,
    .report = report_study,
    .warnings = list_warnings,
    .table = make_table,
    .destroy = destroy_study,
};
