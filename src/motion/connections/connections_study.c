/* SPDX-License-Identifier: MIT */
/* Homoclinic and heteroclinic orbits over a parameter as a study: the options, and what is done with
 * them. */
#include "connections.h"
#include "motion/equilibria/motion_options.h"
#include "zwang/study.h"

typedef struct connect_options {
    zw_connections_options own;
    zw_motion_options motion;
    int side, number;
    zw_equilibria_options saddle; /* made of motion */
} connect_options;

#define AT(field) offsetof(connect_options, field)

enum { BOTH, PLUS, MINUS };

static const zw_option common_table[] = {
    {"over", ZW_OPT_STRING, AT(own.over), 0, 0, 0, "", "NAME=FROM:TO",
     "parameter and its range: rho=13:15"},
    {"to", ZW_OPT_STRING, AT(own.to), 0, 0, 0, "", "NAME|VALUES",
     "saddle where the orbit ends: an equilibrium that the model states, or \"x=1, y=0\" near one "
     "(default: where it begins)"},
    {"turn", ZW_OPT_STRING, AT(own.turn), 0, 0, 0, "", "NAME=TURNS",
     "whole turns of angles from beginning to end: \"phi=1\", \"phi=-1, psi=2\""},
    {"side", ZW_OPT_CHOICE, AT(side), BOTH, 0, 0, "", "both|+|-",
     "side of the saddle on which the orbit leaves"},
    {"marks", ZW_OPT_STRING, AT(own.marks), 0, 0, 0, "", "NAME=FROM:TO",
     "second parameter and its range: curves of connecting orbits over both, in --out and "
     "--picture"},
    {"points", ZW_OPT_INT, AT(own.points), 41, 2, 1000000, "", NULL,
     "number of parameter values at which the side of passing is determined"},
    {"number", ZW_OPT_INT, AT(number), 0, 0, 1000, "", NULL,
     "number of the connecting orbit in --out and --picture, from 0"},
    {0},
};
static const zw_option rare_table[] = {
    {"curve-points", ZW_OPT_INT, AT(own.curve_points), 400, 1, 1000000, "", NULL,
     "maximum number of points of a curve in each direction"},
    {"time", ZW_OPT_DOUBLE, AT(own.time), 0, 0, 1e12, "s", NULL,
     "duration of the motions; 0: chosen from the eigenvalues of the saddle"},
    {"tolerance", ZW_OPT_DOUBLE, AT(own.tolerance), 1e-9, 1e-13, 0.01, "", NULL,
     "relative tolerance of the orbit between mesh points"},
    {"intervals-max", ZW_OPT_INT, AT(own.intervals_max), 600, 10, 100000, "", NULL,
     "maximum number of mesh intervals"},
    {0},
};

static const zw_option_group groups[] = {
    {"options", common_table, 0, false},
    {"more options", rare_table, 0, true},
    {"the saddle", zw_motion_option_table, AT(motion), true},
    {"the saddle in closed form", zw_motion_form_table, AT(motion), true},
    {NULL, NULL, 0, false},
};

static void begin_options(void *options) {
    ((connect_options *)options)->own = zw_connections_options_default();
}

static zw_status form_model(void *options, const zw_study_input *input, zw_study_form *out,
                            zw_error *err) {
    connect_options *o = options;
    (void)input;
    (void)err;
    out->hold = &o->motion.hold;
    out->steady = o->motion.steady;
    out->at = o->motion.at;
    if (!o->motion.hold.n && !o->motion.solve.n)
        out->reduction = ZW_STUDY_LEFT_OUT;
    return ZW_OK;
}

static zw_status create_study(void **out, const zw_study_input *input, void *given, zw_error *err) {
    static const int side[] = {[BOTH] = 0, [PLUS] = 1, [MINUS] = -1};
    connect_options *o = given;
    zw_connections *study = NULL;
    o->saddle = zw_motion_options_use(&o->motion);
    o->own.motion = &o->saddle;
    o->own.side = side[o->side];
    o->own.stop = input->stop;
    o->own.stop_user = input->user;
    zw_status status = zw_connections_create(&study, input->system, &o->own, err);
    *out = study;
    return status;
}

static void destroy_study(void *study) {
    zw_connections_destroy(study);
}

static zw_status run_study(void *study, const zw_study_input *input, zw_error *err) {
    zw_connections *s = study;
    (void)input;
    ZW_TRY(zw_connections_find(s, err));
    if (s->stopped && zw_connections_count(s) == 0)
        return zw_fail(err, ZW_E_NUMERIC, "stopped before a connecting orbit was found");
    if (s->has_second)
        ZW_TRY(zw_connections_follow(s, err));
    return s->stopped ? ZW_STOPPED : ZW_OK;
}

static bool has_results(const void *study, zw_status status) {
    (void)status;
    return zw_connections_count(study) > 0;
}

static void report_study(const void *study, zw_report *out) {
    zw_connections_report(study, out);
}

static void list_warnings(const void *study, zw_warnings *out) {
    zw_connections_warnings(study, out);
}

static zw_status make_table(void *study, const zw_study_input *input, const char *which,
                            zw_table **out, zw_error *err) {
    zw_connections *s = study;
    int number = ((const connect_options *)input->options)->number, n = zw_connections_count(s);
    (void)which;
    if (s->has_second)
        return zw_connections_curve_table(s, input->source, out, err);
    if (number >= n) {
        zw_fail(err, ZW_E_OPTION, "--number %d: there %s %d connecting orbit%s", number,
                n == 1 ? "is" : "are", n, n == 1 ? "" : "s");
        zw_error_hint(err, "connecting orbits are numbered from 0");
        return ZW_E_OPTION;
    }
    return zw_connections_motion_table(s, number, input->source, out, err);
}

static const zw_study_output outputs[] = {
    {.key = "out",
     .about = "orbit as a run result, for zwang plot and zwang view; with --marks the curves"},
    {.key = NULL},
};

const zw_study_kind zw_study_connect = {
    .name = "connect",
    .question = "Where does the behaviour change?",
    .about = "homoclinic and heteroclinic orbits over a parameter",
    .usage = "connect MODEL --over NAME=FROM:TO [--steady NAME] [--to NAME|VALUES]\n       [--turn "
             "NAME=TURNS] [--marks NAME=FROM:TO] [--out FILE]",
    .details = "Follows the motion that leaves a saddle along its unstable eigenvector. Where the "
               "side on which it passes the target saddle changes with the parameter, there is a "
               "connecting orbit: it is located by bisection, solved for as a boundary value "
               "problem, and followed over a second parameter (--marks).",
    .examples = "  zwang connect models/lorenz.zw --at \"x=0, y=0, z=0\" --over rho=10:20\n"
                "  zwang connect models/tippedisk_reduced.zw --steady plain_spin --turn gamma=1 "
                "--over Omega=29:31\n",
    .call = "connect lorenz --at \"x=0, y=0, z=0\" --over rho=10:20",
    .printed = "lorenz: 1 connecting orbit over rho\n"
               "  rho = 13.92655741: homoclinic, to side +1; known to 6.5e-12\n"
               "    from  x = 0, y = 0, z = 0; eigenvalues -18.1299, 7.12995, -2.66667\n"
               "    saddle quantity 4.4632808: one unstable cycle is born\n"
               "    the motion to the other side connects as well: on the other side of this ...\n"
               "    6.57787 from a distance of 9.1e-06 of its size to one of 1e-05; 199 ...\n"
               "...\n",
    .groups = groups,
    .size = sizeof(connect_options),
    .begin = begin_options,
    .form = form_model,
    .outputs = outputs,
    .create = create_study,
    .work = run_study,
    .has_results = has_results,
    .report = report_study,
    .warnings = list_warnings,
    .table = make_table,
    .destroy = destroy_study,
};
