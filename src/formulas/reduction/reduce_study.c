/* SPDX-License-Identifier: MIT */
/* The reduced model as a study: its text, and what was left out. */
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/text.h"
#include "zwang/model.h"
#include "zwang/study.h"
#include "zwang/symbolic.h"

enum { STATES = 40 }; /* random states at which it is compared with the model */

typedef struct reduce_options {
    zw_option_list keep, momenta;
} reduce_options;

#define AT(field) offsetof(reduce_options, field)

static const zw_option common_table[] = {
    {"keep", ZW_OPT_LIST, AT(keep), 0, 0, 0, "", "NAMES|all",
     "coordinates to keep, with the observables and drawings that need them"},
    {"momenta", ZW_OPT_LIST, AT(momenta), 0, 0, 0, "", "NAMES|all|P=FORMULA",
     "conserved momenta that become parameters in place of velocities: names of coordinates, all, "
     "or a named conserved quantity"},
    {0},
};

static const zw_option_group groups[] = {
    {"options", common_table, 0, false},
    {NULL, NULL, 0, false},
};

typedef struct reduce_study {
    zw_arena arena;
    zw_context *ctx;
    zw_reduction *r;
    char *text; /* of the reduced model, in the context */
    double difference;
    bool momenta; /* were asked for */
} reduce_study;

/* formulas have the names of constants */
static zw_status choose_form(void *options, const zw_study_input *input, zw_study_form *out,
                             zw_error *err) {
    (void)options, (void)input, (void)err;
    *out = (zw_study_form){.constants = true, .bodies = true};
    return ZW_OK;
}

static zw_status create_study(void **out, const zw_study_input *input, void *given, zw_error *err) {
    zw_allocator alloc = zw_context_allocator(input->system->ctx);
    (void)given;
    reduce_study *s = zw_allocate(&alloc, sizeof *s);
    if (!s)
        return zw_out_of_memory(err, NULL);
    *s = (reduce_study){.ctx = input->system->ctx};
    zw_arena_init(&s->arena, &alloc);
    *out = s;
    return ZW_OK;
}

static void destroy_study(void *study) {
    reduce_study *s = study;
    zw_allocator alloc = s->arena.alloc;
    zw_string_free(s->ctx, s->text);
    zw_reduction_destroy(s->r);
    zw_arena_clear(&s->arena);
    zw_release(&alloc, s, sizeof *s);
}

static zw_status run_study(void *study, const zw_study_input *input, zw_error *err) {
    reduce_study *s = study;
    const reduce_options *o = input->options;
    zw_reduce_options options = zw_reduce_options_default();
    ZW_TRY(zw_option_list_split(&o->keep, &s->arena, &options.keep, &options.nkeep, err));
    ZW_TRY(zw_option_list_split(&o->momenta, &s->arena, &options.momenta, &options.nmomenta, err));
    s->momenta = options.nmomenta > 0;
    ZW_TRY(zw_reduce_checked(&s->r, input->system, &options, STATES, &s->difference, err));
    zw_error why = {0};
    s->text = zw_reduction_model(s->r, input->source ? input->source->file : NULL, &why);
    if (!s->text && err)
        *err = why;
    return s->text ? ZW_OK : why.status;
}

/* -------------------------------------------------------------------------------------- results */

static void report_states(zw_report *out, const char *key, int n, const zw_reduced_entry *e) {
    zw_report_list(out, key);
    for (int i = 0; i < n; i++) {
        zw_report_open(out, NULL);
        zw_report_word(out, "name", e[i].name);
        zw_report_word(out, "unit", e[i].unit);
        zw_report_word(out, "name_in_text", e[i].plain);
        zw_report_close(out);
    }
    zw_report_close(out);
}

static void report_momenta(zw_report *out, const zw_reduced *z) {
    zw_report_list(out, "momenta");
    for (int i = 0; i < z->nmomentum; i++) {
        const zw_reduced_momentum *p = &z->momentum[i];
        zw_report_open(out, NULL);
        zw_report_word(out, "name", p->name);
        zw_report_number(out, "value", p->at, &(zw_shown){.unit = p->unit, .digits = 12});
        zw_report_word(out, "unit", p->unit);
        zw_report_word(out, "about", p->about);
        zw_report_say(out, "{name} = {value}: {about}\n");
        zw_report_close(out);
    }
    zw_report_close(out);
}

static void report_study(const void *study, zw_report *out) {
    const reduce_study *s = study;
    const zw_reduced *z = zw_reduction_get(s->r);
    zw_report_count(out, "dimension", z->n);
    zw_report_number(out, "difference", s->difference, &(zw_shown){.digits = 2});
    zw_report_count(out, "random_states", STATES);
    zw_report_flag(out, "mechanical", z->mechanical);
    zw_report_say(out, "{model}: {dimension|state|states}, equal to the full model within "
                       "{difference} at {random_states} random states\n");
    report_states(out, "states", z->n, z->entry);
    report_states(out, "left_out", z->nleft, z->left);
    report_momenta(out, z);
    zw_report_word(out, "model_text", s->text);
    if (s->momenta && z->nmomentum == 0)
        zw_report_say(out, "No momentum is conserved, so none is replaced by a parameter.\n");
    else if (s->momenta && !z->mechanical)
        zw_report_say(out,
                      "The result is written with states: Routh's function needs a holonomic "
                      "system whose velocities are rates of remaining coordinates (--keep).\n");
}

static zw_status write_text(void *study, const zw_study_input *input, const char *which,
                            zw_bytes *out, zw_error *err) {
    const reduce_study *s = study;
    zw_text text;
    (void)input, (void)which;
    zw_text_init(&text, NULL);
    zw_text_put(&text, s->text);
    return zw_text_bytes(&text, out, NULL, err);
}

static const zw_study_output outputs[] = {
    {.key = "out",
     .about = "file of the reduced model, .zw (default standard output)",
     .is_text = true,
     .shown = true,
     .noted = true},
    {.key = NULL},
};

const zw_study_kind zw_study_reduce = {
    .name = "reduce",
    .question = "What matters, what can be left out?",
    .about = "explicit first-order equations of a constrained system, as a model",
    .usage = "reduce MODEL [--keep NAMES] [--momenta NAMES] [--out FILE.zw]",
    .details = "Eliminates dependent velocities, and coordinates by the position constraints. "
               "Omits coordinates along which the equations are symmetric: ignorable angles, the "
               "position on a homogeneous plane, the attitude of a ball that no force depends on. "
               "The result is a model with states, parameters, start, steady motions, observables "
               "and events; the comment at its top lists what was omitted. Before it is written, "
               "its rates are compared with those of the full model at random states.",
    .examples = "  zwang reduce models/tippedisk.zw --variant viscous --with cog,roll,spin\n"
                "  zwang reduce models/turntable_ball.zw --out ball.zw\n",
    .call = "reduce rolling_disc",
    .printed =
        "# The reduced equations of rolling_disc. Written by zwang reduce from rolling_disc.zw.\n"
        "# Given by the constraints: z, x', y', z'\n"
        "# Left out, because no rate depends on them: x, y, alpha, gamma\n"
        "# Not part of this model: pressing, straight, the force that presses roll\n"
        "model rolling_disc_reduced \"Reduced equations of rolling_disc\"\n"
        "\n"
        "param m = 0.1 [kg]\n"
        "param r = 0.05 [m]\n"
        "...\n",
    .groups = groups,
    .size = sizeof(reduce_options),
    .form = choose_form,
    .outputs = outputs,
    .create = create_study,
    .work = run_study,
    .report = report_study,
    .text = write_text,
    .destroy = destroy_study,
};
