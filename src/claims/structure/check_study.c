/* SPDX-License-Identifier: MIT */
/* What a model says, as a study. */
#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/tolerance.h"
#include "check.h"
#include "zwang/study.h"

typedef struct check_options {
    bool none; /* it has no options of its own */
} check_options;

static const zw_option_group groups[] = {{NULL, NULL, 0, false}};

static zw_status create_study(void **out, const zw_study_input *input, void *given, zw_error *err) {
    zw_context *ctx = input->system->ctx;
    zw_allocator alloc = zw_context_allocator(ctx);
    zw_check *c = zw_context_alloc(ctx, sizeof *c);
    (void)given;
    if (!c)
        return zw_context_status(ctx, err);
    *c = (zw_check){.sys = input->system};
    if (!(c->warnings = zw_warnings_create(&alloc)))
        return zw_out_of_memory(err, NULL);
    *out = c;
    return ZW_OK;
}

/* all else lives in the context of the system */
static void destroy_study(void *study) {
    zw_check *c = study;
    zw_warnings_destroy(c->warnings);
}

/* "b = 2*a - c", or "b depends on a, c" if the factors vary */
static void put_dependence(zw_text *out, const zw_system *s, const zw_constraint_class *k) {
    zw_text_printf(out, "%s %s ", s->constraint[k->constraint].name,
                   k->factor ? "=" : "depends on");
    for (int i = 0; i < k->ndepends; i++) {
        double factor = k->factor ? fabs(k->factor[i]) : 1;
        if (!k->factor)
            zw_text_put(out, i ? ", " : "");
        else if (k->factor[i] < 0)
            zw_text_put(out, i ? " - " : "-");
        else
            zw_text_put(out, i ? " + " : "");
        if (fabs(factor - 1) > ZW_ROUNDOFF_SOLVED)
            zw_text_printf(out, "%.6g*", factor);
        zw_text_put(out, s->constraint[k->depends[i]].name);
    }
}

static void warn_dependence(const zw_system *s, const zw_constraint_class *k, zw_warnings *out) {
    const zw_constraint *c = &s->constraint[k->constraint];
    char key[96];
    zw_text how;
    zw_text_init(&how, NULL);
    if (k->ndepends > 0) {
        zw_text_put(&how, " (");
        put_dependence(&how, s, k);
        zw_text_put(&how, ")");
    }
    snprintf(key, sizeof key, "dependence of %.60s", c->name);
    zw_warning w = zw_warning_of(key, NAN,
                                 "the constraint %s depends on those before it%s: Lagrange's "
                                 "multipliers are not unique",
                                 c->name, zw_text_get(&how));
    zw_warning_place(&w, c->place);
    zw_warning_hint(&w, "switch one of them off or use --by gauss");
    zw_warnings_add(out, &w);
    zw_text_clear(&how);
}

/* A start that contradicts the constraints is an error, and so is a model beyond the limits; other
 * errors at the start are left to runs. */
static zw_status complete_start(zw_check *c, zw_error *err) {
    const zw_system *s = c->sys;
    double *x = zw_context_alloc(s->ctx, (size_t)(s->nq + s->nv + 1) * sizeof *x);
    zw_error why = {0};
    zw_warning warning;
    if (!x)
        return zw_context_status(s->ctx, err);
    zw_status status = zw_system_complete(s, NULL, 0, c->p, x, &c->start, &why);
    if (status >= 0 && zw_completion_warning(&c->start, &warning))
        zw_warnings_add(c->warnings, &warning);
    if (status >= 0)
        return zw_integrals_find(&c->leaf, s, NULL, 0, c->p, x, 0, NULL, err);
    c->start = (zw_completion){0};
    if (status != ZW_E_START && status != ZW_E_MEMORY)
        return zw_context_status(s->ctx, err);
    if (err)
        *err = why;
    return status;
}

static zw_status run_study(void *study, const zw_study_input *input, zw_error *err) {
    zw_check *c = study;
    const zw_system *s = c->sys;
    const zw_model_source *from = input->source;
    c->p = zw_context_alloc(s->ctx, (size_t)(s->np + 1) * sizeof *c->p);
    if (!c->p)
        return zw_context_status(s->ctx, err);
    ZW_TRY(zw_system_param_values(s, c->p, err));
    zw_system_warnings(s, c->p, c->warnings, NULL); /* what cannot be judged is no warning */
    ZW_TRY(zw_classify(&c->is, s, NULL, err));
    for (int i = 0; i < c->is.n; i++)
        if (c->is.constraint[i].ndepends >= 0)
            warn_dependence(s, &c->is.constraint[i], c->warnings);
    ZW_TRY(zw_system_census(s, NULL, &c->census, err));
    ZW_TRY(complete_start(c, err));
    if (!from)
        return ZW_OK;
    return zw_model_variants(s->ctx, from->text, from->length, from->file, &c->variant,
                             &c->nvariant, err);
}

static void report_study(const void *study, zw_report *out) {
    zw_check_report(study, out);
}

static void list_warnings(const void *study, zw_warnings *out) {
    const zw_check *c = study;
    zw_warnings_add_all(out, c->warnings);
}

static const zw_study_output outputs[] = {{0}};

const zw_study_kind zw_study_check = {
    .name = "check",
    .question = "What are the equations?",
    .about = "unknowns, constraints, degrees of freedom, conserved quantities of a model",
    .usage = "check MODEL",
    .details =
        "Reads the model and checks its units and names. Classifies the active constraints, each "
        "alone and all together: holonomic or not (Frobenius' theorem, by Lie brackets; proved "
        "with expressions where possible, otherwise tested at random states), redundant, "
        "rheonomic, ideal, and whether nonholonomic and vakonomic motion agree. Prints the "
        "conserved energies and momenta. Contradictory constraints are errors, and so are motions "
        "that neither inertia nor a force determines. The start is completed as in a run: values "
        "changed by the constraints are listed, with other solutions; a start that contradicts "
        "them is an error. Statements of the model that no verb uses yet are listed.",
    .examples = "  zwang check models/turntable_ball.zw\n"
                "  zwang check models/turntable_ball.zw --variant printed --json\n",
    .call = "check turntable_ball",
    .printed =
        "turntable_ball: Ball rolling on a turntable (Lewis & Murray 1995)\n"
        "coordinates  x [m], y [m], ball.p0, ball.p1, ball.p2, ball.p3\n"
        "velocities   x' [m/s], y' [m/s], ball.wx [rad/s], ball.wy [rad/s], ball.wz [rad/s]\n"
        "parameters   r = 0.0127 m, rho = 7800 kg/m^3, Omega = 4.71239 rad/s, g = 9.81 ...\n"
        "constraints  2 active: 2 affine in the velocities\n"
        "  roll_x     Omega*y - r*ball.wy + x' = 0\n"
        "             velocity level, affine in the velocities; not integrable (proved); ...\n"
        "  roll_y     r*ball.wx - Omega*x + y' = 0\n"
        "             velocity level, affine in the velocities; not integrable (proved); ...\n"
        "together     nonholonomic (proved); ranks of the closure under Lie brackets: 4 6 ...\n"
        "...\n",
    .groups = groups,
    .size = sizeof(check_options),
    .random = true,
    .outputs = outputs,
    .create = create_study,
    .work = run_study,
    .report = report_study,
    .warnings = list_warnings,
    .destroy = destroy_study,
};
