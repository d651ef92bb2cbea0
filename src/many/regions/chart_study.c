/* SPDX-License-Identifier: MIT */
/* Charts as a study: dimensionless groups of a model and its scaled text, parameters for required
 * values, the plane of two parameters divided into regions, surfaces over three. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "zwang/chart.h"
#include "zwang/study.h"

enum { AXES_MAX = 3, ORDER_MAX = 8 /* of slow flows */ };

typedef struct chart_options {
    zw_regions_options own;
    zw_option_list over, search, region, curve, with, mark; /* of regions */
    zw_option_list scale, name;                             /* of groups */
    zw_option_list want, vary, tell;                        /* of inverse design */
    zw_option_list fast;
    const char *small;
    int order;
} chart_options;

#define AT(field) offsetof(chart_options, field)

static const zw_option common_table[] = {
    {"over", ZW_OPT_LIST, AT(over), 0, 0, 0, "", "NAME=FROM:TO[:POINTS]",
     "parameter, its range and number of values (41); twice: the plane of both; three times: "
     "surfaces of --curve, as nets of N lines (11)"},
    {0},
};
static const zw_option cycle_table[] = {
    {"section", ZW_OPT_STRING, AT(own.section), 0, 0, 0, "", "NAME=VALUE",
     "line in the phase plane to which motions return, to count cycles: \"beta = pi/2\"; for "
     "two-dimensional states"},
    {"scan", ZW_OPT_STRING, AT(own.scan), 0, 0, 0, "", "NAME=FROM:TO[:SAMPLES]",
     "starts on that line, from the equilibrium inside the cycles outwards: \"gamma=pi/2:3*pi/2\" "
     "(24 samples)"},
    {"search", ZW_OPT_LIST, AT(search), 0, 0, 0, "", "NAME[=LOW:HIGH]",
     "range in which equilibria are searched (default: near the start); may be repeated"},
    {0},
};
static const zw_option curve_table[] = {
    {"curve", ZW_OPT_LIST, AT(curve), 0, 0, 0, "", "EQUATION",
     "curve given by an equation, with an optional name: \"w = 1 + kappa\", \"Hopf: w = 1 + "
     "kappa\"; \"... for zeta = 0.5, 1\": one curve for each value; over three parameters a "
     "surface, \"... and EQUATION\": the intersection of two; may be repeated"},
    {"region", ZW_OPT_LIST, AT(region), 0, 0, 0, "", "NAME: CONDITION",
     "named region, given by a condition: \"v2: zeta < 1\", \"v1: elsewhere\"; nothing is searched "
     "then; may be repeated"},
    {"mark", ZW_OPT_LIST, AT(mark), 0, 0, 0, "", "NAME=VALUE,VALUE",
     "named point of the plane: v1=1.2,1.03; may be repeated"},
    {"beside", ZW_OPT_LIST, AT(with), 0, 0, 0, "", "RESULT",
     "curves from results over both parameters, written by zwang orbit --marks or zwang connect; "
     "may be repeated"},
    {0},
};
static const zw_option group_table[] = {
    {"scale", ZW_OPT_LIST, AT(scale), 0, 0, 0, "", "WORD=PRODUCT",
     "product of parameters used as a unit: length=r, time=sqrt(r/g), mass=m (default: chosen "
     "parameters); may be repeated"},
    {"name", ZW_OPT_LIST, AT(name), 0, 0, 0, "", "NAME=PRODUCT",
     "dimensionless group used as a parameter: \"kappa = e/r\"; may be repeated"},
    {0},
};
static const zw_option design_table[] = {
    {"want", ZW_OPT_LIST, AT(want), 0, 0, 0, "", "EXPRESSION=VALUE,...",
     "required values of expressions in the parameters: \"zeta = 1.09, kappa = 0.05\""},
    {"vary", ZW_OPT_LIST, AT(vary), 0, 0, 0, "", "NAME[=FROM:TO]",
     "parameter that may change, and its range (default: from a tenth to ten times its value); may "
     "be repeated"},
    {"tell", ZW_OPT_LIST, AT(tell), 0, 0, 0, "", "EXPRESSION,...",
     "expressions whose values are reported, with --want at each solution"},
    {0},
};
static const zw_option rare_table[] = {
    {"starts", ZW_OPT_INT, AT(own.starts), 64, 1, 100000, "", NULL,
     "number of starts of the search, at each of five points of the grid, or for --want"},
    {"mirror", ZW_OPT_STRING, AT(own.mirror), 0, 0, 0, "", "NAME=IMAGE,...",
     "point symmetry of the motion, which is tested; half turns are then enough: \"beta = pi - "
     "beta, gamma = pi - gamma\""},
    {"until", ZW_OPT_DOUBLE, AT(own.until), 0, 0, 1e12, "s", NULL,
     "longest time until a motion returns; otherwise its point is undecided; 0: 100 turns"},
    {"tolerance", ZW_OPT_DOUBLE, AT(own.tolerance), 1e-8, 1e-12, 1e-3, "", NULL,
     "integration tolerance; each motion is repeated with a thirtieth of it, which bounds the "
     "error"},
    {"fast", ZW_OPT_LIST, AT(fast), 0, 0, 0, "", "NAME",
     "fast variables for small --eps: the chart is that of the flow on the slow manifold"},
    {"eps", ZW_OPT_STRING, AT(small), 0, 0, 0, "", "NAME",
     "with --fast: small parameter (default: that of the model)"},
    {"order", ZW_OPT_INT, AT(order), 1, 0, ORDER_MAX, "", NULL,
     "with --fast: order of the slow manifold in eps"},
    {"by", ZW_OPT_STRING, AT(own.principle), 0, 0, 0, "", "PRINCIPLE",
     "principle for the equations of motion (default lagrange)"},
    {"threads", ZW_OPT_INT, AT(own.threads), 0, 0, 1024, "", NULL, "threads; 0: one per core"},
    {0},
};

static const zw_option_group groups[] = {
    {"regions of two parameters", common_table, 0, false},
    {"dimensionless groups", group_table, 0, false},
    {"inverse design", design_table, 0, false},
    {"equilibria and cycles of the plane", cycle_table, 0, true},
    {"curves and regions in closed form", curve_table, 0, true},
    {"more options", rare_table, 0, true},
    {NULL, NULL, 0, false},
};

typedef struct chart_study {
    zw_allocator alloc;
    const chart_options *o;
    const zw_study_input *input;
    zw_products *groups;
    const char *scaled; /* text of the scaled model; NULL: it was not asked for */
    zw_inverse_design *design;
    zw_regions *regions;
    zw_table *with[ZW_OPTION_LIST_MAX], *surfaces;
    zw_warnings *files; /* about the results in `with` */
} chart_study;

static void begin_options(void *options) {
    ((chart_options *)options)->own = zw_regions_options_default();
}

/* ------------------------------------------------------------------------------------- options */

static zw_status fail_with_hint(zw_error *err, const char *text, const char *hint) {
    zw_fail(err, ZW_E_OPTION, "%s", text);
    zw_error_hint(err, "%s", hint);
    return ZW_E_OPTION;
}

/* options of one question are errors in another */
static const char *option_of_groups(const chart_options *o, const zw_study_input *input) {
    return o->scale.n                        ? "scale"
           : o->name.n                       ? "name"
           : zw_study_wants(input, "nondim") ? "nondim"
                                             : NULL;
}

static const char *option_of_regions(const chart_options *o, const zw_study_input *input) {
    const char *path = zw_study_wants(input, "out");
    return o->own.section  ? "section"
           : o->fast.n     ? "fast"
           : o->own.scan   ? "scan"
           : o->own.mirror ? "mirror"
           : o->region.n   ? "region"
           : o->curve.n    ? "curve"
           : o->with.n     ? "beside"
           : o->mark.n     ? "mark"
           : o->search.n   ? "search"
           : !path         ? NULL
           : path[0]       ? "out"
                           : "picture";
}

/* three parameters: surfaces in closed form */
static zw_status check_surfaces(const chart_options *o, const zw_study_input *input,
                                zw_error *err) {
    if (o->over.n > AXES_MAX)
        return zw_fail(err, ZW_E_OPTION, "--over %s: two parameters give regions, three surfaces",
                       o->over.item[AXES_MAX]);
    if (o->over.n == AXES_MAX && (!o->curve.n || o->own.section || o->region.n || o->with.n ||
                                  !zw_study_wants(input, "out")))
        return fail_with_hint(err,
                              "--over: three parameters give surfaces, from --curve EQUATION "
                              "into --out or --picture, and nothing else",
                              "regions need two parameters");
    return ZW_OK;
}

static zw_status check_options(const chart_options *o, const zw_study_input *input, zw_error *err) {
    const char *of_groups = option_of_groups(o, input), *of_regions = option_of_regions(o, input);
    if (o->vary.n && !o->want.n)
        return fail_with_hint(err, "--vary belongs to --want", "add --want \"EXPRESSION = VALUE\"");
    if ((o->want.n || o->tell.n) && (o->over.n || o->scale.n || zw_study_wants(input, "nondim"))) {
        zw_fail(err, ZW_E_OPTION, "--%s does not go with --over, --scale, --nondim",
                o->want.n ? "want" : "tell");
        zw_error_hint(err, "take the answer to another command with --set NAME=VALUE");
        return ZW_E_OPTION;
    }
    if (o->over.n && of_groups) {
        zw_fail(err, ZW_E_OPTION, "--%s is about dimensionless groups, --over about regions",
                of_groups);
        zw_error_hint(err, "write the scaled model with --nondim FILE, and chart that");
        return ZW_E_OPTION;
    }
    if (!o->over.n && of_regions) {
        zw_fail(err, ZW_E_OPTION, "--%s needs the parameters of the chart", of_regions);
        zw_error_hint(err, "add --over NAME=FROM:TO, twice");
        return ZW_E_OPTION;
    }
    return check_surfaces(o, input, err);
}

/* cycles are counted in a plane: constraints and fast variables are eliminated for that */
static zw_status choose_form(void *options, const zw_study_input *input, zw_study_form *out,
                             zw_error *err) {
    const chart_options *o = options;
    ZW_TRY(check_options(o, input, err));
    *out = (zw_study_form){.fast = &o->fast, .small = o->small, .order = o->order};
    if (o->over.n == 2 && (o->fast.n || o->own.section))
        out->reduction = ZW_STUDY_STATES;
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- work */

static zw_status create_study(void **out, const zw_study_input *input, void *given, zw_error *err) {
    zw_allocator alloc = zw_context_allocator(input->system->ctx);
    chart_study *s = zw_allocate(&alloc, sizeof *s);
    if (!s)
        return zw_out_of_memory(err, NULL);
    *s = (chart_study){.alloc = alloc, .o = given, .input = input};
    s->files = zw_warnings_create(&alloc);
    *out = s;
    return s->files ? ZW_OK : zw_out_of_memory(err, NULL);
}

static void destroy_study(void *study) {
    chart_study *s = study;
    zw_allocator alloc = s->alloc;
    zw_products_destroy(s->groups);
    zw_inverse_design_destroy(s->design);
    zw_regions_destroy(s->regions);
    zw_table_destroy(s->surfaces);
    for (int i = 0; i < ZW_OPTION_LIST_MAX; i++)
        zw_table_destroy(s->with[i]);
    zw_warnings_destroy(s->files);
    zw_release(&alloc, s, sizeof *s);
}

static zw_status find_groups(chart_study *s, zw_error *err) {
    zw_products_options options = zw_products_options_default();
    double difference;
    options.nscale = s->o->scale.n;
    options.scale = s->o->scale.item;
    options.nname = s->o->name.n;
    options.name = s->o->name.item;
    ZW_TRY(zw_products_create(&s->groups, s->input->source, &options, err));
    return zw_study_wants(s->input, "nondim")
               ? zw_products_model(s->groups, &s->scaled, &difference, err)
               : ZW_OK;
}

static zw_status find_design(chart_study *s, zw_error *err) {
    zw_inverse_design_options options = zw_inverse_design_options_default();
    const chart_options *o = s->o;
    options.nwant = o->want.n;
    options.want = o->want.item;
    options.nvary = o->vary.n;
    options.vary = o->vary.item;
    options.nname = o->name.n;
    options.name = o->name.item;
    options.ntell = o->tell.n;
    options.tell = o->tell.item;
    options.starts = o->own.starts;
    return zw_inverse_design_create(&s->design, s->input->source, &options, err);
}

static zw_status find_surfaces(chart_study *s, zw_error *err) {
    zw_surfaces_options options = zw_surfaces_options_default();
    const chart_options *o = s->o;
    for (int i = 0; i < AXES_MAX; i++)
        options.over[i] = o->over.item[i];
    options.ncurve = o->curve.n;
    options.curve = o->curve.item;
    options.nmark = o->mark.n;
    options.mark = o->mark.item;
    return zw_surfaces_table(s->input->source, &options, &s->surfaces, err);
}

static zw_status find_regions(chart_study *s, zw_error *err) {
    const chart_options *o = s->o;
    zw_regions_options options = o->own;
    for (int i = 0; i < o->with.n; i++) {
        ZW_TRY(zw_table_read(&s->with[i], o->with.item[i], err));
        zw_warnings_of_file(s->files, s->with[i], o->with.item[i]);
    }
    for (int i = 0; i < o->over.n; i++)
        options.over[i] = o->over.item[i];
    options.nsearch = o->search.n;
    options.search = o->search.item;
    options.nregion = o->region.n;
    options.region = o->region.item;
    options.ncurve = o->curve.n;
    options.curve = o->curve.item;
    options.nwith = o->with.n;
    options.with = (const zw_table *const *)s->with;
    options.with_name = o->with.item;
    options.nmark = o->mark.n;
    options.mark = o->mark.item;
    options.stop = s->input->stop;
    options.stop_user = s->input->user;
    if (options.stop) /* from now on an interrupt leaves results */
        options.stop(options.stop_user, 0);
    ZW_TRY(zw_regions_create(&s->regions, s->input->source, &options, err));
    return zw_regions_is_stopped(s->regions) ? ZW_STOPPED : ZW_OK;
}

static zw_status run_study(void *study, const zw_study_input *input, zw_error *err) {
    chart_study *s = study;
    (void)input;
    return s->o->want.n || s->o->tell.n ? find_design(s, err)
           : s->o->over.n == AXES_MAX   ? find_surfaces(s, err)
           : s->o->over.n               ? find_regions(s, err)
                                        : find_groups(s, err);
}

/* -------------------------------------------------------------------------------------- results */

static void report_study(const void *study, zw_report *out) {
    const chart_study *s = study;
    if (s->groups)
        zw_products_report(s->groups, out);
    if (s->design)
        zw_inverse_design_report(s->design, out);
    if (s->regions)
        zw_regions_report(s->regions, out);
    if (s->surfaces) {
        zw_report_count(out, "surfaces", s->o->curve.n);
        zw_report_count(out, "rows", zw_table_rows(s->surfaces));
    }
}

static void list_warnings(const void *study, zw_warnings *out) {
    const chart_study *s = study;
    zw_warnings_add_all(out, s->files);
    if (s->regions)
        zw_regions_warnings(s->regions, out);
}

/* surfaces are given away */
static zw_status make_table(void *study, const zw_study_input *input, const char *which,
                            zw_table **out, zw_error *err) {
    chart_study *s = study;
    (void)input, (void)which;
    if (s->regions)
        return zw_regions_table(s->regions, out, err);
    *out = s->surfaces;
    s->surfaces = NULL;
    return *out ? ZW_OK : zw_fail(err, ZW_E_OPTION, "these results have no table");
}

static zw_status write_text(void *study, const zw_study_input *input, const char *which,
                            zw_bytes *out, zw_error *err) {
    const chart_study *s = study;
    zw_text text;
    (void)input, (void)which;
    if (!s->scaled)
        return ZW_OK;
    zw_text_init(&text, NULL);
    zw_text_put(&text, s->scaled);
    return zw_text_bytes(&text, out, NULL, err);
}

static const zw_study_output outputs[] = {
    {.key = "out", .about = "one row for each point of the plane, or the surfaces"},
    {.key = "nondim",
     .about = "scaled model, .zw; -: standard output",
     .is_text = true,
     .noted = true},
    {.key = NULL},
};

const zw_study_kind zw_study_chart = {
    .name = "chart",
    .question = "Where does the behaviour change?",
    .about = "dimensionless groups, scaled model, inverse design, parameter regions",
    .usage = "chart MODEL [--scale WORD=PRODUCT] [--name NAME=PRODUCT] [--nondim FILE]\n       "
             "zwang chart MODEL --want EXPRESSION=VALUE --vary NAME=FROM:TO [--tell EXPRESSION]\n  "
             "     zwang chart MODEL --over NAME=FROM:TO[:POINTS] --over ...\n                   "
             "[--section NAME=VALUE --scan NAME=FROM:TO]",
    .details = "Forms the dimensionless groups of the parameters and the model in terms of them, "
               "as text. With --want, finds parameters for which expressions have required values. "
               "With two --over, divides the plane of two parameters into regions by the "
               "equilibria and cycles that exist there.",
    .examples =
        "  zwang chart models/heavy_top.zw\n"
        "  zwang chart models/tippedisk_slow.zw --scale length=r --scale \"time=1/Omega\" "
        "--name \"kappa = e/r\" --name \"zeta = J_1/J_2\" --nondim scaled.zw\n"
        "  zwang chart models/tippedisk_drawn.zw --want \"zeta = 1.09, kappa = 0.05\" "
        "--vary a=5:20mm --vary b=10:30mm --tell Omega_c\n"
        "  zwang chart models/tippedisk_normalised.zw --over zeta=0.8:1.6:9 --over w=0.9:1.12:10 "
        "--section \"beta = pi/2\" --scan \"gamma=pi/2:3*pi/2\" --curve \"w = 1 + kappa\" "
        "--picture chart.png\n",
    .call = "chart heavy_top",
    .printed = "6 quantities, 3 independent dimensions, 3 dimensionless groups\n"
               "...\n"
               "Dimensionless groups\n"
               "  J            = J/(m*l^2)                    = 0.3125\n"
               "  C            = C/(m*l^2)                    = 0.25\n"
               "  n            = l^(1/2)*n/g^(1/2)            = 9.5782629\n"
               "...\n",
    .groups = groups,
    .size = sizeof(chart_options),
    .begin = begin_options,
    .form = choose_form,
    .endless = true,
    .outputs = outputs,
    .create = create_study,
    .work = run_study,
    .report = report_study,
    .warnings = list_warnings,
    .table = make_table,
    .text = write_text,
    .destroy = destroy_study,
};
