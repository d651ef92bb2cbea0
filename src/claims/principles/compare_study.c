/* SPDX-License-Identifier: MIT */
/* The comparison of principles as a study: their equations at the same states, or the motions that
 * are nonholonomic and vakonomic. */
#include <math.h>

#include "base/arena.h"
#include "compare.h"
#include "num/options.h"
#include "zwang/study.h"

typedef struct compare_options {
    zw_compare_options own;
    zw_run_options run;
    bool multipliers;
} compare_options;

#define AT(field) offsetof(compare_options, field)

static const zw_option common_table[] = {
    {"states", ZW_OPT_INT, AT(own.states), 20, 1, 1e5, "", NULL, "number of random states"},
    {"until", ZW_OPT_DOUBLE, AT(own.until), 0, 0, 1e12, "s", NULL,
     "end of a run from the start along which the principles are compared as well; 0: no run; with "
     "--multipliers the duration of the compared motions, 0: 1 s"},
    {"tolerance", ZW_OPT_DOUBLE, AT(own.tolerance), 1e-11, 0, 1, "", NULL,
     "largest relative difference that counts as agreement"},
    {"multipliers", ZW_OPT_FLAG, AT(multipliers), 0, 0, 0, "", NULL,
     "starts and multipliers for which a nonholonomic motion is vakonomic, instead of the "
     "comparison"},
    {0},
};

static const zw_option_group groups[] = {
    {"options", common_table, 0, false},
    {"integration", zw_run_option_table, AT(run), true},
    {NULL, NULL, 0, false},
};

typedef struct compare_work {
    zw_allocator alloc;
    const compare_options *options;
    zw_comparison *comparison; /* one of the two, after the work */
    zw_agreement *agreement;
} compare_work;

static void begin_options(void *options) {
    compare_options *o = options;
    o->own = zw_compare_options_default();
    o->run = zw_run_options_default();
}

/* definitions keep their names in the formulas of multipliers */
static zw_status choose_form(void *options, const zw_study_input *input, zw_study_form *out,
                             zw_error *err) {
    const compare_options *o = options;
    (void)input, (void)err;
    out->constants = out->bodies = o->multipliers;
    return ZW_OK;
}

static zw_status create_study(void **out, const zw_study_input *input, void *given, zw_error *err) {
    compare_options *o = given;
    zw_allocator alloc = zw_context_allocator(input->system->ctx);
    if (!o->multipliers && !input->source)
        return zw_fail(err, ZW_E_OPTION,
                       "compare needs the text of the model, which every "
                       "principle reads anew");
    compare_work *w = zw_allocate(&alloc, sizeof *w);
    if (!w)
        return zw_out_of_memory(err, NULL);
    o->own.run = &o->run;
    o->own.stop = input->stop;
    o->own.stop_user = input->user;
    o->own.allocator = &w->alloc;
    *w = (compare_work){.alloc = alloc, .options = o};
    *out = w;
    return ZW_OK;
}

static void destroy_study(void *study) {
    compare_work *w = study;
    zw_allocator alloc = w->alloc;
    zw_comparison_destroy(w->comparison);
    zw_agreement_destroy(w->agreement);
    zw_release(&alloc, w, sizeof *w);
}

static zw_status run_study(void *study, const zw_study_input *input, zw_error *err) {
    compare_work *w = study;
    const zw_compare_options *o = &w->options->own;
    zw_agreement_options options = zw_agreement_options_default();
    if (!w->options->multipliers) {
        ZW_TRY(zw_compare(&w->comparison, input->source, o, err));
        return zw_comparison_judge(w->comparison, err);
    }
    options.states = o->states;
    options.stop = o->stop;
    options.stop_user = o->stop_user;
    if (o->until > 0)
        options.time = o->until;
    return zw_agreement_find(&w->agreement, input->system, &options, err);
}

/* principles that disagree are reported */
static bool has_results(const void *study, zw_status status) {
    const compare_work *w = study;
    (void)status;
    return w->comparison || w->agreement;
}

static void report_study(const void *study, zw_report *out) {
    const compare_work *w = study;
    if (w->agreement)
        zw_agreement_report(w->agreement, out);
    else
        zw_comparison_report(w->comparison, out);
}

static const zw_study_output outputs[] = {{0}};

const zw_study_kind zw_study_compare = {
    .name = "compare",
    .question = "What are the equations?",
    .about = "all principles at the same states: whether they agree, and what they cost",
    .usage = "compare MODEL [--states N] [--until T] [--multipliers]",
    .details = "Derives the equations by every principle, compiles them, and evaluates them at "
               "random admissible states (the same ones in every call) and, with --until, along a "
               "run. Lagrange's equations are the reference. If a constraint is nonholonomic, the "
               "vakonomic principle describes other motions; its difference is reported "
               "separately. The exit code is 2 if principles that must agree do not.",
    .examples = "  zwang compare models/turntable_ball.zw\n"
                "  zwang compare models/turntable_ball.zw --states 100 --until 10\n"
                "  zwang compare models/rolling_penny.zw --multipliers\n"
                "  zwang compare models/double_pendulum.zw --json\n",
    .call = "compare turntable_ball --states 20",
    .printed =
        "turntable_ball: 20 random admissible states\n"
        "equations: of motion + of constraints; unknowns: accelerations + multipliers;\n"
        "times in us, native code; differences relative to the largest magnitude at the state,\n"
        "both weighted with the masses\n"
        "\n"
        "principle        equations  unknowns    ops    derive   compile  evaluate ...\n"
        "lagrange              5+2       5+2      52 ...\n"
        "maggi                 3+2       5+0      59 ...\n"
        "...\n",
    .groups = groups,
    .size = sizeof(compare_options),
    .begin = begin_options,
    .form = choose_form,
    .random = true,
    .outputs = outputs,
    .create = create_study,
    .work = run_study,
    .has_results = has_results,
    .report = report_study,
    .destroy = destroy_study,
};
