/* SPDX-License-Identifier: MIT */
/* Basins as a study: the options, and the reduced model where directions do not matter. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basin.h"
#include "num/options.h"
#include "sim/options.h"
#include "zwang/study.h"
#include "zwang/symbolic.h"

typedef struct basin_options {
    zw_basin_options own;
    zw_option_list start, box;
    bool uncertainty;
    int pairs, distances;
    double largest, smallest;
    zw_sim_options sim; /* of it only what zw_sim_contact_table has */
} basin_options;

#define AT(field) offsetof(basin_options, field)

static const zw_option common_table[] = {
    {"start", ZW_OPT_LIST, AT(start), 0, 0, 0, "", "NAME=FROM:TO:N",
     "N values of a coordinate, velocity or parameter; may be repeated, the first varies fastest"},
    {"samples", ZW_OPT_LONG, AT(own.samples), 0, 0, 200000000, "", NULL,
     "number of random starts in the ranges; 0: those of the grid"},
    {"seed", ZW_OPT_LONG, AT(own.seed), 1, 0, 2147483647, "", NULL, "seed of all random numbers"},
    {"over", ZW_OPT_STRING, AT(own.over), 0, 0, 0, "", "NAME=FROM:TO:N",
     "N values of a parameter at which the study is repeated: fractions and circles"},
    {"section", ZW_OPT_STRING, AT(own.section), 0, 0, 0, "", "EVENT",
     "event of the model at which motions are sampled"},
    {"box", ZW_OPT_LIST, AT(box), 0, 0, 0, "", "NAME=LOW:HIGH",
     "bounds beyond which a motion escapes (default 1000 times its scale)"},
    {"refine", ZW_OPT_FLAG, AT(own.refine), 0, 0, 0, "", NULL,
     "computation only of those starts of a grid of two axes whose neighbours differ"},
    {"uncertainty", ZW_OPT_FLAG, AT(uncertainty), 0, 0, 0, "", NULL,
     "dimension of the boundary, from how often pairs of starts end differently over their "
     "distance"},
    {0},
};
static const zw_option rare_table[] = {
    {"compare", ZW_OPT_STRING, AT(own.compare), 0, 0, 0, "", "NAMES",
     "quantities that distinguish attractors, separated by commas (default: all that the equations "
     "depend on)"},
    {"every", ZW_OPT_DOUBLE, AT(own.step), 0, 0, 1e12, "s", NULL,
     "time between samples; 0: the period of the excitation, or chosen"},
    {"pairs", ZW_OPT_INT, AT(pairs), 2000, 10, 100000000, "", NULL,
     "number of pairs of starts at each distance"},
    {"distances", ZW_OPT_INT, AT(distances), 9, 3, 32, "", NULL,
     "number of distances of --uncertainty"},
    {"largest", ZW_OPT_DOUBLE, AT(largest), 0.01, 1e-12, 0.5, "", NULL,
     "largest distance of --uncertainty, relative to the ranges of the axes"},
    {"smallest", ZW_OPT_DOUBLE, AT(smallest), 1e-5, 1e-13, 0.5, "", NULL,
     "smallest distance of --uncertainty, relative to the ranges of the axes"},
    {"close", ZW_OPT_DOUBLE, AT(own.close), 1e-6, 1e-10, 1e-3, "", NULL,
     "distance at which a motion has reached an attractor, in scales"},
    {"cell", ZW_OPT_DOUBLE, AT(own.cell), 0.01, 1e-6, 0.25, "", NULL,
     "size of the cells of state space, in scales"},
    {"period-max", ZW_OPT_INT, AT(own.period_max), 64, 1, 4096, "", NULL,
     "longest period of a cycle, in samples"},
    {"looks", ZW_OPT_LONG, AT(own.looks), 0, 0, 100000000, "", NULL,
     "samples after which a motion is unresolved; 0: 20000, or 200000 without excitation"},
    {"longer", ZW_OPT_DOUBLE, AT(own.longer), 10, 1, 1e6, "", NULL,
     "factor that extends the time for motions that return without a period"},
    {"check", ZW_OPT_LONG, AT(own.check), 100, 0, 1000000, "", NULL,
     "number of starts followed once more until they arrive, and again with tighter tolerances"},
    {"threads", ZW_OPT_INT, AT(own.threads), 0, 0, 4096, "", NULL, "threads; 0: one per core"},
    {"engine", ZW_OPT_CHOICE, AT(own.engine), 0, 0, 0, "", "auto|lanes|single",
     "several trajectories at a time in SIMD lanes, or one by one"},
    {0},
};

static const zw_option_group groups[] = {
    {"options", common_table, 0, false},
    {"more options", rare_table, 0, true},
    {"integration", zw_run_option_table, AT(own.run), true},
    {"contacts", zw_sim_contact_table, AT(sim), true},
    {NULL, NULL, 0, false},
};

typedef struct basin_study {
    const basin_options *o;
    zw_basin *basin;
    zw_basin_uncertainty uncertainty;
    bool has_uncertainty;
} basin_study;

static void begin_options(void *options) {
    ((basin_options *)options)->own = zw_basin_options_default();
}

/* ---------------------------------------------------------------- starts in reduced coordinates */

enum { NAME = 200 };

static bool is_turned(const zw_reduced *z) {
    for (int i = 0; i < z->n; i++)
        if (z->entry[i].turned)
            return true;
    return false;
}

/* In rotating axes, velocities are those of the model if the omitted coordinates have their values
 * in the formulas. */
static bool begins_there(const zw_reduced *z, const zw_system *s) {
    zw_error ignored = {0};
    double *x = zw_context_alloc(s->ctx, sizeof *x * (size_t)(s->nq + s->nv + 1));
    if (!x || zw_system_complete(s, NULL, 0, NULL, x, NULL, &ignored) < 0)
        return false;
    for (int i = 0; i < z->nleft; i++)
        if (x[z->left[i].index] != z->left[i].at)
            return false;
    return true;
}

static bool is_parameter(const zw_system *s, const char *name, size_t n) {
    for (int i = 0; i < s->np; i++)
        if (strlen(s->param[i].name) == n && strncmp(s->param[i].name, name, n) == 0)
            return true;
    return false;
}

/* "x'=0:1" as "x_dot=0:1", in the context; NULL if it is not a remaining state */
static const char *rename_one(const zw_reduced *z, const zw_system *s, const char *text) {
    size_t n = strcspn(text, "=");
    char out[NAME];
    while (n > 0 && text[n - 1] == ' ')
        n--;
    if (is_parameter(s, text, n))
        return text;
    for (int i = 0; i < z->n; i++)
        if (strlen(z->entry[i].name) == n && strncmp(z->entry[i].name, text, n) == 0) {
            int length = snprintf(out, sizeof out, "%s%s", z->entry[i].plain, text + n);
            return length < NAME ? zw_context_intern(s->ctx, out) : NULL;
        }
    return NULL;
}

static bool rename_all(const zw_reduced *z, const zw_system *s, zw_option_list *list) {
    for (int i = 0; i < list->n; i++)
        if (!(list->item[i] = rename_one(z, s, list->item[i])))
            return false;
    return true;
}

/* Driven motions that differ only in their direction are one: in the reduced model they are equal.
 * It is used if it omits a symmetry that rotates velocities, and if starts and box can be written in
 * its coordinates. */
static bool is_driven(const zw_system *s) {
    zw_equations eq;
    zw_forcing forcing;
    zw_error ignored = {0};
    return s->nv > 0 && zw_derive(&eq, s, NULL, "lagrange", &ignored) >= 0 &&
           zw_forcing_find(&forcing, &eq, &ignored) >= 0 && !forcing.autonomous;
}

static bool reduce_before(void *options, const zw_reduction *r, const zw_system *full) {
    basin_options *o = options;
    zw_option_list start = o->start, box = o->box;
    if (!r)
        return !o->own.compare && !o->own.section && is_driven(full);
    const zw_reduced *z = zw_reduction_get(r);
    if (!is_turned(z) || !begins_there(z, full) || !rename_all(z, full, &start) ||
        !rename_all(z, full, &box))
        return false;
    o->start = start;
    o->box = box;
    return true;
}

/* ----------------------------------------------------------------------------------- the study */

static zw_status check_options(const basin_options *o, const zw_study_input *input, zw_error *err) {
    static const char *const of_pairs[] = {"pairs", "distances", "largest", "smallest"};
    for (int i = 0; i < 4; i++)
        if (zw_study_is_given(input, of_pairs[i]) && !o->uncertainty)
            return zw_fail(err, ZW_E_OPTION, "--%s needs --uncertainty", of_pairs[i]);
    if (o->uncertainty && o->own.over)
        return zw_fail(err, ZW_E_OPTION, "--uncertainty cannot be combined with --over");
    if (o->own.refine && o->own.samples)
        return zw_fail(err, ZW_E_OPTION, "--refine needs a grid, without --samples");
    if (o->own.refine && o->start.n != 2)
        return zw_fail(err, ZW_E_OPTION, "--refine needs a grid of two axes");
    return ZW_OK;
}

static void destroy_study(void *study) {
    basin_study *s = study;
    if (s)
        zw_basin_destroy(s->basin);
    free(s);
}

static zw_status create_study(void **out, const zw_study_input *input, void *given, zw_error *err) {
    basin_options *o = given;
    ZW_TRY(check_options(o, input, err));
    basin_study *s = calloc(1, sizeof *s);
    if (!s)
        return zw_out_of_memory(err, NULL);
    s->o = o;
    o->own.naxis = o->start.n;
    o->own.axis = o->start.item;
    o->own.nbox = o->box.n;
    o->own.box = o->box.item;
    o->own.contacts = &o->sim;
    o->own.stop = input->stop;
    o->own.stop_user = input->user;
    zw_status status = zw_basin_create(&s->basin, input->source, &o->own, err);
    if (status < 0)
        destroy_study(s);
    *out = status < 0 ? NULL : s;
    return status;
}

static zw_status run_study(void *study, const zw_study_input *input, zw_error *err) {
    basin_study *s = study;
    const basin_options *o = s->o;
    (void)input;
    zw_status status = zw_basin_run(s->basin, err);
    if (status != ZW_OK || !o->uncertainty)
        return status;
    status = zw_basin_find_uncertainty(s->basin, (uint64_t)o->pairs, o->largest, o->smallest,
                                       o->distances, &s->uncertainty, err);
    s->has_uncertainty = status == ZW_OK;
    return status;
}

static void report_study(const void *study, zw_report *out) {
    const basin_study *s = study;
    zw_basin_report(s->basin, out);
    if (s->has_uncertainty)
        zw_basin_report_uncertainty(&s->uncertainty, out);
}

static void list_warnings(const void *study, zw_warnings *out) {
    zw_basin_warnings(((const basin_study *)study)->basin, out);
}

static zw_status make_table(void *study, const zw_study_input *input, const char *which,
                            zw_table **out, zw_error *err) {
    (void)which;
    return zw_basin_table(((basin_study *)study)->basin, input->source, out, err);
}

static const zw_study_output outputs[] = {
    {.key = "out", .about = "every start with its attractor and the time: .csv, .json, .h5"},
    {.key = NULL},
};

const zw_study_kind zw_study_basin = {
    .name = "basin",
    .question = "Where do all starts go?",
    .about = "attractors and their basins: fractions of starts, boundaries",
    .usage = "basin MODEL --start NAME=FROM:TO:N [--start ...] [--out FILE]\n"
             "           [--picture FILE]",
    .details = "Follows every start of a grid, or random starts, until its attractor is known (an "
               "equilibrium, a cycle, a torus or chaos), or until it leaves a box or stops at an "
               "event. Attractors are found automatically, tested with starts all around them, and "
               "numbered by their properties. Unresolved starts are counted.",
    .examples =
        "  zwang basin models/duffing.zw --set \"Omega=2.2 rad/s\" --start x=-4:4:40 --start "
        "\"x'=-6:6:40\"\n"
        "  zwang basin models/driven_pendulum.zw --start phi=-3:3:50 --start \"phi'=-2:2:50\" "
        "--out basin.csv\n"
        "  zwang basin models/duffing.zw --start x=-3:3:60 --start \"x'=-3:3:60\" --over \"F=1:3:5 "
        "N\"\n",
    .call = "basin duffing --set \"Omega=2.2 rad/s\" --start x=-4:4:20 --start \"x'=-6:6:20\"",
    .printed = "duffing: 400 starts, x = -4 to 4 m (20), x' = -6 to 6 m/s (20)\n"
               "sampled every 2.85599 s, a period of the excitation; compared quantities with ...\n"
               "   1  cycle of 1 period, 2.855993 s: 0.7225 +- 0.0097 of the starts (289)\n"
               "      passes x = -0.521808 m, x' = 0.28267 m/s\n"
               "      stable: all starts around it, up to 0.16 of the scales away, return\n"
               "      largest circle around it 0.3069, anywhere in the basin 0.3684 of the ranges\n"
               "   2  cycle of 1 period, 2.855993 s: 0.2775 +- 0.0097 of the starts (111)\n"
               "...\n",
    .groups = groups,
    .size = sizeof(basin_options),
    .begin = begin_options,
    .reduce_before = reduce_before,
    .endless = true,
    .outputs = outputs,
    .create = create_study,
    .work = run_study,
    .report = report_study,
    .warnings = list_warnings,
    .table = make_table,
    .destroy = destroy_study,
};
