/* SPDX-License-Identifier: MIT */
/* Lyapunov exponents as a study: the options, and what is done with them. */
#include <string.h>

#include "lyapunov.h"
#include "num/options.h"
#include "sim/options.h"
#include "zwang/study.h"

typedef struct lyapunov_options {
    zw_lyapunov_options own;
    zw_option_list over;
    zw_run_options run;
    zw_sim_options sim; /* of it only what zw_sim_contact_table has */
} lyapunov_options;

#define AT(field) offsetof(lyapunov_options, field)

static const zw_option common_table[] = {
    {"over", ZW_OPT_LIST, AT(over), 0, 0, 0, "", "NAME=FROM:TO[:POINTS]",
     "parameter, its range and number of values: rho=20:30:101; twice: a map"},
    {"exponents", ZW_OPT_INT, AT(own.exponents), 0, 0, 100000, "", NULL,
     "number of exponents, largest first; 0: all"},
    {"transient", ZW_OPT_DOUBLE, AT(own.transient), 0, 0, 1e12, "s", NULL,
     "initial time left out; 0: 100 time scales of the motion, longer while the exponents change"},
    {"time", ZW_OPT_DOUBLE, AT(own.time), 0, 0, 1e12, "s", NULL,
     "measuring time of each trajectory; 0: 1000 time scales, with --over 300"},
    {"motions", ZW_OPT_INT, AT(own.motions), 0, 0, 4096, "", NULL,
     "number of trajectories at each point; 0: 8, with --over 1"},
    {0},
};
static const zw_option rare_table[] = {
    {"carry", ZW_OPT_FLAG, AT(own.carry), 0, 0, 0, "", NULL,
     "along the first --over: start of each trajectory at the end of the previous one"},
    {"of", ZW_OPT_STRING, AT(own.of), 0, 0, 0, "", "NAME",
     "coordinate, state or velocity of the 0-1 test (default: chosen)"},
    {"engine", ZW_OPT_CHOICE, AT(own.engine), ZW_LYAPUNOV_CHOSEN, 0, 0, "",
     "auto|ensemble|frames|alone",
     "ensemble: many trajectories, each with its own steps; frames: with the same steps; alone: "
     "one "
     "after the other by an implicit method, for stiff models and as a check"},
    {"by", ZW_OPT_STRING, AT(own.principle), 0, 0, 0, "", "PRINCIPLE",
     "principle (default lagrange; gauss drops redundant constraints)"},
    {"threads", ZW_OPT_INT, AT(own.threads), 0, 0, 1024, "", NULL, "threads; 0: one per core"},
    {0},
};

static const zw_option_group groups[] = {
    {"options", common_table, 0, false},
    {"more options", rare_table, 0, true},
    {"integration", zw_run_option_table, AT(run), true},
    {"contacts", zw_sim_contact_table, AT(sim), true},
    {NULL, NULL, 0, false},
};

static void begin_options(void *options) {
    lyapunov_options *o = options;
    o->own = zw_lyapunov_options_default();
    o->run = zw_run_options_default();
}

static zw_status create_study(void **out, const zw_study_input *input, void *given, zw_error *err) {
    lyapunov_options *o = given;
    if (o->over.n > 2) {
        zw_fail(err, ZW_E_OPTION, "--over %s: at most two ranges can be given", o->over.item[2]);
        zw_error_hint(err, "one range gives a curve, two give a chart");
        return ZW_E_OPTION;
    }
    o->own.nover = o->over.n;
    memcpy(o->own.over, o->over.item, sizeof(char *) * (size_t)o->over.n);
    o->own.run = &o->run;
    o->own.contacts = &o->sim;
    o->own.stop = input->stop;
    o->own.stop_user = input->user;
    zw_lyapunov *study = NULL;
    zw_status status = zw_lyapunov_create(&study, input->system, input->source, &o->own, err);
    *out = study;
    return status;
}

static void destroy_study(void *study) {
    zw_lyapunov_destroy(study);
}

/* If no point has exponents, the reason of the first one is an error; otherwise each failed point has
 * its own. */
static zw_status run_study(void *study, const zw_study_input *input, zw_error *err) {
    (void)input;
    const zw_lyapunov_point *first = NULL;
    zw_status status = zw_lyapunov_run(study, err);
    ZW_TRY(status);
    for (int i = 0; i < zw_lyapunov_points(study); i++) {
        const zw_lyapunov_point *p = zw_lyapunov_at(study, i);
        if (p && p->status >= 0)
            return status;
        first = first ? first : p;
    }
    return first ? zw_fail(err, first->status, "%s", first->why) : status;
}

static void report_study(const void *study, zw_report *out) {
    zw_lyapunov_report(study, out);
}

static void list_warnings(const void *study, zw_warnings *out) {
    zw_lyapunov_warnings(study, out);
}

static zw_status make_table(void *study, const zw_study_input *input, const char *which,
                            zw_table **out, zw_error *err) {
    (void)which;
    return zw_lyapunov_table(study, input->source, out, err);
}

static const zw_study_output outputs[] = {
    {.key = "out",
     .about = "exponents over time, to show how they converge; with --over one row for each point"},
    {0},
};

const zw_study_kind zw_study_lyapunov = {
    .name = "lyapunov",
    .question = "Where do all starts go?",
    .about = "Lyapunov exponents, dimension, 0-1 test: regular or chaotic motion",
    .usage = "lyapunov MODEL [--over NAME=FROM:TO[:POINTS] [--over ...]] [--exponents K]\n"
             "           [--out FILE]",
    .details = "Computes the mean growth rates of small disturbances within the constraints, with "
               "standard errors, the quantities that follow from them, checks, and the kind of "
               "motion: steady, periodic, quasi-periodic or chaotic. One --over gives a curve, two "
               "give a map. Contacts are followed from event to event.",
    .examples = "  zwang lyapunov models/lorenz.zw\n"
                "  zwang lyapunov models/driven_pendulum.zw --over F=1:1.1:11 --out f.csv\n",
    .call = "lyapunov lorenz",
    .printed =
        "lorenz: Lyapunov exponents\n"
        "  8 trajectories of 721.378 after a transient of 72.1378, time scale 0.721378; ...\n"
        "  3 of 3 exponents:\n"
        "    lambda_1   0.906 +- 0.003\n"
        "    lambda_2   0 +- 0.001\n"
        "    lambda_3   -14.573 +- 0.002\n"
        "  In this time, less than 0.0083 cannot be distinguished from zero.\n"
        "  Zero in theory: along the motion.\n"
        "  Sum -13.66666667, mean divergence -13.66666667, difference 2.3e-10.\n"
        "...\n",
    .groups = groups,
    .size = sizeof(lyapunov_options),
    .begin = begin_options,
    .endless = true,
    .outputs = outputs,
    .create = create_study,
    .work = run_study,
    .report = report_study,
    .warnings = list_warnings,
    .table = make_table,
    .destroy = destroy_study,
};
