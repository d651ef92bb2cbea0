/* SPDX-License-Identifier: MIT */
/* Melnikov's method as a study: the options, and what is done with them. */
#include <string.h>

#include "base/arena.h"
#include "zwang/melnikov.h"
#include "zwang/study.h"

typedef struct melnikov_options {
    zw_melnikov_options own;
    zw_option_list fast;
    int side, rotating; /* numbers of the choices */
} melnikov_options;

#define AT(field) offsetof(melnikov_options, field)

static const zw_option common_table[] = {
    {"eps", ZW_OPT_STRING, AT(own.small), 0, 0, 0, "", "NAMES",
     "small parameter; several that are small together: \"F, c\""},
    {"conserved", ZW_OPT_STRING, AT(own.conserved), 0, 0, 0, "", "EXPR",
     "conserved quantity for eps = 0 (default: the energy, an observable, or a simple "
     "Hamiltonian); for more than two states several: \"A; B\""},
    {"over", ZW_OPT_STRING, AT(own.over), 0, 0, 0, "", "NAME=FROM:TO",
     "parameter and its range: zeros of M; with excitation the thresholds beyond which M(t0) has "
     "zeros"},
    {"marks", ZW_OPT_STRING, AT(own.marks), 0, 0, 0, "", "NAME=FROM:TO",
     "second parameter and its range: curves of these zeros"},
    {"cycles", ZW_OPT_FLAG, AT(own.cycles), 0, 0, 0, "", NULL,
     "closed level curves about a centre and their limit cycles, instead of separatrices; with "
     "--over the branch of cycles"},
    {"at", ZW_OPT_STRING, AT(own.at), 0, 0, 0, "", "VALUES",
     "approximate position of the saddle, or with --cycles of the centre: \"x=0, y=0\" (default: "
     "searched)"},
    {0},
};
static const zw_option rare_table[] = {
    {"fast", ZW_OPT_LIST, AT(fast), 0, 0, 0, "", "NAME",
     "fast variables for small --eps: the method is applied to the flow on the slow manifold, up "
     "to eps^1"},
    {"amplitude", ZW_OPT_STRING, AT(own.amplitude), 0, 0, 0, "", "FROM:TO",
     "amplitudes of the closed curves, along the coordinate from the centre (default: up to the "
     "separatrix)"},
    {"expand", ZW_OPT_STRING, AT(own.expand), 0, 0, 0, "", "NAME=FROM:TO",
     "parameter of a series of M at FROM, from values up to TO; exact coefficients if the "
     "integrals are elementary"},
    {"side", ZW_OPT_CHOICE, AT(side), 0, 0, 0, "", "both|+|-",
     "side of the saddle on which the separatrix leaves"},
    {"rotating", ZW_OPT_CHOICE, AT(rotating), 0, 0, 0, "", "no|+|-",
     "with --cycles: curves of rotation beyond the separatrix, on this side; their amplitude is "
     "the distance of the other state from the saddle at its angle"},
    {"terms", ZW_OPT_INT, AT(own.terms), 3, 1, ZW_MELNIKOV_TERMS, "", NULL,
     "number of terms of --expand"},
    {"master", ZW_OPT_STRING, AT(own.master), 0, 0, 0, "", "NAME",
     "state over which the second integral is taken (default: chosen)"},
    {"points", ZW_OPT_INT, AT(own.points), 41, 3, 100000, "", NULL,
     "number of values in the range, or of amplitudes"},
    {"orders", ZW_OPT_INT, AT(own.orders), 8, 1, 1000, "", NULL,
     "with --cycles and excitation: highest order of resonance, in its periods"},
    {"by", ZW_OPT_STRING, AT(own.principle), 0, 0, 0, "", "PRINCIPLE",
     "principle for the equations of motion (default lagrange)"},
    {0},
};

static const zw_option_group groups[] = {
    {"options", common_table, 0, false},
    {"more options", rare_table, 0, true},
    {NULL, NULL, 0, false},
};

static void begin_options(void *options) {
    ((melnikov_options *)options)->own = zw_melnikov_options_default();
}

/* explicit equations, without fast variables */
static zw_status choose_form(void *options, const zw_study_input *input, zw_study_form *out,
                             zw_error *err) {
    const melnikov_options *o = options;
    (void)input, (void)err;
    *out = (zw_study_form){
        .reduction = ZW_STUDY_STATES, .fast = &o->fast, .small = o->own.small, .order = 1};
    return ZW_OK;
}

static zw_status create_study(void **out, const zw_study_input *input, void *given, zw_error *err) {
    static const int side[] = {0, 1, -1}; /* for the three choices */
    melnikov_options *o = given;
    o->own.side = side[o->side];
    o->own.rotating = side[o->rotating];
    o->own.stop = input->stop;
    o->own.stop_user = input->user;
    zw_melnikov *study = NULL;
    zw_status status = zw_melnikov_create(&study, input->system, &o->own, err);
    *out = study;
    return status;
}

static void destroy_study(void *study) {
    zw_melnikov_destroy(study);
}

static zw_status run_study(void *study, const zw_study_input *input, zw_error *err) {
    (void)input;
    return zw_melnikov_find(study, err);
}

/* no zero in the range: the values of M are reported */
static bool has_results(const void *study, zw_status status) {
    return status == ZW_E_NUMERIC && zw_melnikov_separatrices(study) > 0;
}

static void report_study(const void *study, zw_report *out) {
    zw_melnikov_report(study, out);
}

static void list_warnings(const void *study, zw_warnings *out) {
    zw_melnikov_warnings(study, out);
}

static zw_status make_table(void *study, const zw_study_input *input, const char *which,
                            zw_table **out, zw_error *err) {
    bool curves = strcmp(which, "curves") == 0;
    return curves ? zw_melnikov_curves(study, input->source, out, err)
                  : zw_melnikov_table(study, input->source, out, err);
}

static const zw_study_output outputs[] = {
    {.key = "out",
     .about =
         "M over the parameter, curves of its zeros, cycles, M over the phase, or separatrices"},
    {.key = "curves", .about = "separatrices with level curves near them"},
    {0},
};

const zw_study_kind zw_study_melnikov = {
    .name = "melnikov",
    .question = "Where does the behaviour change?",
    .about = "separatrices and cycles of nearly conservative systems (Melnikov)",
    .usage = "melnikov MODEL --eps NAMES [--conserved EXPR] [--over NAME=FROM:TO]\n       [--marks "
             "NAME=FROM:TO] [--cycles] [--expand NAME=FROM:TO] [--out FILE]",
    .details = "Melnikov's method for planar systems x' = f0(x) + eps*f1(x, t), where f0 conserves "
               "a quantity C. The integral of the rate of C along a separatrix of f0 gives the "
               "parameters at which saddles are connected, or at which stable and unstable "
               "manifolds intersect (a threshold for chaos). Over closed level curves it gives the "
               "limit cycles. A model with constraints is reduced first.",
    .examples =
        "  zwang melnikov models/tippedisk_slow.zw --eps eps --over Omega=29:32\n"
        "  zwang melnikov models/two_well.zw --eps \"F, delta\" --over F=0:1 --marks "
        "w=0.5:1.5:5\n"
        "  zwang melnikov models/van_der_pol.zw --eps mu --cycles --amplitude 0.5:4\n"
        "  zwang melnikov models/pendulum_torque.zw --eps \"zeta, tau\" --cycles --rotating "
        "+ --over tau=0:0.5\n",
    .call = "melnikov two_well --eps \"F, delta\" --over F=0:1",
    .printed =
        "two_well: Melnikov's method, small: F, delta\n"
        "conserved for F, delta = 0: C = the energy; its rate vanishes identically\n"
        "\n"
        "Separatrix 0, on side + of the eigenvector: from x = 0, x' = 0\n"
        "  to x = 0, x' = 0, through x = 1.41421356, x' = 8.32667268e-17 at t = 0\n"
        "  leaves with 1, arrives with -1; C = 0\n"
        "  relative closure error 1.8e-15, relative change of C 1.1e-16\n"
        "  M = -0.333333333333334 +- 3e-15 + 0.35413048341898 sin(1 t0)   (over time, step ...\n"
        "...\n",
    .groups = groups,
    .size = sizeof(melnikov_options),
    .begin = begin_options,
    .form = choose_form,
    .outputs = outputs,
    .create = create_study,
    .work = run_study,
    .has_results = has_results,
    .report = report_study,
    .warnings = list_warnings,
    .table = make_table,
    .destroy = destroy_study,
};
