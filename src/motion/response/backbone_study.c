/* SPDX-License-Identifier: MIT */
/* Families of free motions of a conservative system as a study. */
#include "base/arena.h"
#include "forced_study.h"
#include "zwang/system.h"

typedef struct backbone_options {
    zw_forced_options own;
    int mode; /* from 1; 0: all */
    const char *pick;
} backbone_options;

typedef struct backbone_study {
    zw_forced_study forced;
    zw_allocator alloc;
    const backbone_options *options;
} backbone_study;

#define AT(field) offsetof(backbone_options, field)

static const zw_option common_table[] = {
    {"over", ZW_OPT_STRING, AT(own.over), 0, 0, 0, "", "NAME=FROM:TO",
     "range of the families: energy=0:10, frequency=1:3, max(x)=0:2"},
    {"mode", ZW_OPT_INT, AT(mode), 0, 0, 10000, "", NULL,
     "number of the linear mode where the family begins, 1 for the slowest; 0: all"},
    {"pick", ZW_OPT_STRING, AT(pick), 0, 0, 0, "", "WHICH",
     "motion of the curves for --motion: fold, fold 2, branch, period-doubling, neimark-sacker, or "
     "a value"},
    {0},
};

static const zw_option_group groups[] = {
    {"options", common_table, 0, false},
    {"harmonic balance", zw_forced_balance_table, AT(own), false},
    {"more options", zw_forced_balance_rare_table, AT(own), true},
    {NULL, NULL, 0, false},
};

static void begin_options(void *options) {
    ((backbone_options *)options)->own = zw_forced_options_default();
}

static zw_status create_study(void **out, const zw_study_input *input, void *given, zw_error *err) {
    backbone_options *o = given;
    zw_allocator alloc = zw_context_allocator(input->system->ctx);
    backbone_study *s = zw_allocate(&alloc, sizeof *s);
    if (!s)
        return zw_out_of_memory(err, NULL);
    *s = (backbone_study){.alloc = alloc, .options = o};
    *out = s;
    if (zw_study_wants(input, "motion") && !o->pick)
        return zw_fail(err, ZW_E_OPTION, "--motion FILE needs --pick, which says which motion");
    o->own.free = true;
    return zw_forced_study_open(&s->forced, input, o->own, NULL, err);
}

static void destroy_study(void *study) {
    backbone_study *s = study;
    zw_allocator alloc = s->alloc;
    zw_forced_study_close(&s->forced);
    zw_release(&alloc, s, sizeof *s);
}

/* Of several modes some may have no motion in the range. */
static zw_status follow_modes(backbone_study *s, zw_error *err) {
    zw_forced *f = s->forced.all[0];
    int mode = s->options->mode, first = mode ? mode - 1 : 0,
        end = mode ? mode : zw_forced_modes(f), found = 0;
    zw_status status = ZW_OK;
    for (int i = first; i < end && status >= 0 && !(found && s->forced.stopped); i++) {
        zw_error trouble = {0};
        status = zw_forced_backbone(f, i, &trouble);
        found += status >= 0;
        if (status == ZW_E_NUMERIC && end - first > 1 && (i + 1 < end || found))
            status = ZW_OK;
        else if (status < 0 && err)
            *err = trouble;
    }
    return status;
}

static zw_status work_study(void *study, const zw_study_input *input, zw_error *err) {
    backbone_study *s = study;
    (void)input;
    ZW_TRY(follow_modes(s, err));
    return zw_forced_study_end(&s->forced, s->options->pick, err);
}

static bool has_results(const void *study, zw_status status) {
    (void)status;
    return ((const backbone_study *)study)->forced.found;
}

static bool reduce_after(const void *study, zw_status status) {
    return status == ZW_E_NUMERIC &&
           zw_forced_study_drifts(&((const backbone_study *)study)->forced);
}

static void report_study(const void *study, zw_report *out) {
    zw_forced_study_report(&((const backbone_study *)study)->forced, out);
}

static void list_warnings(const void *study, zw_warnings *out) {
    zw_forced_study_warnings(&((const backbone_study *)study)->forced, out);
}

static zw_status make_table(void *study, const zw_study_input *input, const char *which,
                            zw_table **out, zw_error *err) {
    backbone_study *s = study;
    (void)input;
    return which[0] == 'm' ? zw_forced_study_motion(&s->forced, out, err)
                           : zw_forced_study_table(&s->forced, out, err);
}

static const zw_study_output outputs[] = {
    {.key = "out", .about = "all points of the curves: .csv, .json, .h5"},
    {.key = "motion", .about = "one period of the motion of --pick as a run result"},
    {0},
};

const zw_study_kind zw_study_backbone = {
    .name = "backbone",
    .question = "What repeats itself?",
    .about = "free periodic motions of a conservative model: nonlinear normal modes",
    .usage = "backbone MODEL --over energy=FROM:TO [--mode K] [--out FILE]\n"
             "           [--picture FILE]",
    .details =
        "Follows the families of periodic motions that begin as small oscillations about the "
        "equilibrium near the start, by harmonic balance: frequency, energy, amplitudes and "
        "multipliers. The model must have neither excitation nor damping: --set \"F=0\".",
    .examples = "  zwang backbone models/double_pendulum.zw --over energy=0:5\n"
                "  zwang backbone models/duffing.zw --set \"F=0 [N]\" --set \"c=0 [N*s/m]\" --over "
                "\"max(x)=0:3\"\n",
    .call = "backbone double_pendulum --over energy=0:1",
    .printed = "double_pendulum: families of free motions\n"
               "  curve 0: 13 points from energy 9.99999369e-05, frequency 2.397198361 rad/s, ...\n"
               "    mode 1, 2.397199398 rad/s when small; frequencies 2.386862177 rad/s to ...\n"
               "  curve 1: 17 points from energy 9.99994864e-05, frequency 5.787296652 rad/s, ...\n"
               "    mode 2, 5.787351298 rad/s when small; frequencies 5.31628001 rad/s to ...\n",
    .groups = groups,
    .size = sizeof(backbone_options),
    .begin = begin_options,
    .outputs = outputs,
    .create = create_study,
    .work = work_study,
    .has_results = has_results,
    .reduce_after = reduce_after,
    .report = report_study,
    .warnings = list_warnings,
    .table = make_table,
    .destroy = destroy_study,
};
