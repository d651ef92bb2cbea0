/* SPDX-License-Identifier: MIT */
/* The model in the form that a study needs. A model is replaced by reading a text: its own one with
 * further settings, or the text of its reduced model or of its slow flow. The models before stay
 * until the end, for texts and formulas live in their contexts. */
#include "form.h"

#include <assert.h>
#include <string.h>

#include "base/option.h"

enum { CHECKED_STATES = 40, SETTINGS_MAX = 4 * ZW_OPTION_LIST_MAX };

void zw_forms_init(zw_forms *f, const zw_allocator *alloc) {
    *f = (zw_forms){0};
    zw_arena_init(&f->arena, alloc);
}

void zw_forms_clear(zw_forms *f) {
    zw_reduction_destroy(f->reduction);
    zw_manifold_destroy(f->manifold);
    while (f->n > 0)
        zw_context_destroy(f->model[--f->n]->ctx);
    zw_arena_clear(&f->arena);
}

/* Reads a text in place of the model of the input. */
static zw_status read_model(zw_forms *f, zw_study_input *input, const char *text, size_t length,
                            const zw_model_options *options, zw_error *err) {
    const char *file = input->source->file;
    assert(f->n < ZW_FORMS_MAX);
    zw_formed *m = ZW_NEW(&f->arena, zw_formed, 1);
    if (!m || !(m->ctx = zw_context_create(&f->arena.alloc)))
        return zw_out_of_memory(err, NULL);
    f->model[f->n++] = m;
    m->options = *options;
    m->source =
        (zw_model_source){.text = text, .length = length, .file = file, .options = &m->options};
    ZW_TRY(zw_model_parse(&m->system, m->ctx, text, length, file, options, err));
    input->system = m->system;
    input->source = &m->source;
    return ZW_OK;
}

/* A generated text, which has all settings in it. */
static zw_status read_generated(zw_forms *f, zw_study_input *input, const char *text,
                                zw_error *err) {
    zw_model_options names = {.size = sizeof names, .constants = f->constants, .bodies = f->bodies};
    return read_model(f, input, text, strlen(text), &names, err);
}

static zw_status need_text(const zw_study_input *input, zw_error *err) {
    return input->source
               ? ZW_OK
               : zw_fail(err, ZW_E_OPTION, "this study reads the model again and needs its text");
}

/* ------------------------------------------------------------------------------------- settings */

typedef struct settings {
    int n;
    const char *item[SETTINGS_MAX];
} settings;

static zw_status add_setting(settings *s, const char *text, zw_error *err) {
    if (s->n == SETTINGS_MAX)
        return zw_fail(err, ZW_E_OPTION, "more than %d settings of a start", SETTINGS_MAX);
    s->item[s->n++] = text;
    return ZW_OK;
}

/* The model of the input once more, with these settings after its own. */
static zw_status read_again(zw_forms *f, zw_study_input *input, const settings *more,
                            const zw_study_form *want, zw_error *err) {
    ZW_TRY(need_text(input, err));
    const zw_model_source *from = input->source;
    zw_model_options o = from->options ? *from->options : (zw_model_options){0};
    const char **set = ZW_NEW(&f->arena, const char *, o.nset + more->n + 1);
    if (!set)
        return zw_arena_status(&f->arena, err);
    for (int i = 0; i < o.nset; i++)
        set[i] = o.set[i];
    for (int i = 0; i < more->n; i++)
        set[o.nset + i] = more->item[i];
    o.size = sizeof o;
    o.nset += more->n;
    o.set = set;
    o.steady = want->at ? want->at : o.steady;
    o.constants |= want->constants;
    o.bodies |= want->bodies;
    return read_model(f, input, from->text, from->length, &o, err);
}

/* ------------------------------------------------------------------------------- steady motions */

/* true if the name before the equals sign is a coordinate or a velocity of the system */
static bool is_start(const zw_system *sys, const char *item) {
    size_t length = strcspn(item, "=");
    if (item[length] != '=')
        return false;
    while (length > 0 && item[length - 1] == ' ')
        length--;
    for (int i = 0; i < sys->nq + sys->nv; i++) {
        const char *name = i < sys->nq ? sys->coord[i].name : sys->velocity[i - sys->nq].name;
        if (strlen(name) == length && strncmp(name, item, length) == 0)
            return true;
    }
    return false;
}

static const char *entry_name(const zw_system *sys, zw_expr entry, const char **unit) {
    for (int i = 0; i < sys->nq; i++)
        if (sys->coord[i].sym == entry) {
            *unit = sys->coord[i].unit;
            return sys->coord[i].name;
        }
    for (int i = 0; i < sys->nv; i++)
        if (sys->velocity[i].sym == entry) {
            *unit = sys->velocity[i].unit;
            return sys->velocity[i].name;
        }
    return NULL;
}

static zw_status find_motion(const zw_system *sys, const char *name, const zw_motion **out,
                             zw_error *err) {
    enum { NAMES = 64 };
    const char *names[NAMES];
    int n = 0;
    for (; n < sys->nmotion && n < NAMES; n++) {
        names[n] = sys->motion[n].name;
        if (strcmp(names[n], name) == 0) {
            *out = &sys->motion[n];
            return ZW_OK;
        }
    }
    zw_fail(err, ZW_E_NAME, "the model states no steady motion '%s'", name);
    const char *near = zw_nearest(name, n, names);
    if (near)
        zw_error_hint(err, "did you mean %s?", near);
    else if (n)
        zw_error_hint(err, "the model has %s%s", names[0], n > 1 ? " and others" : "");
    return ZW_E_NAME;
}

/* "alpha'=40 [rad/s]" for each entry of the motion */
static zw_status add_motion(zw_forms *f, const zw_system *sys, const zw_study_form *want,
                            settings *out, zw_error *err) {
    const zw_motion *m;
    ZW_TRY(find_motion(sys, want->at ? "--at" : want->steady, &m, err));
    if (m->nfree) {
        zw_fail_at(err, ZW_E_MODEL, m->place, "the symbol %s of the motion has no value",
                   zw_expr_name(sys->ctx, m->free[0]));
        zw_error_hint(err, "formulas are valid for all values (--symbolic); for a number, give the "
                           "motion with --at");
        return ZW_E_MODEL;
    }
    double *p = ZW_NEW(&f->arena, double, sys->np + 1);
    zw_expr *symbol = ZW_NEW(&f->arena, zw_expr, sys->np + 1);
    ZW_TRY(zw_arena_status(&f->arena, err));
    ZW_TRY(zw_system_param_values(sys, p, err));
    for (int i = 0; i < sys->np; i++)
        symbol[i] = sys->param[i].sym;
    for (int k = 0; k < m->n; k++) {
        const char *unit = "", *name = entry_name(sys, m->what[k], &unit);
        double value = zw_eval(sys->ctx, m->value[k], sys->np, symbol, p);
        const char *text = unit[0] && !sys->no_units
                               ? zw_arena_printf(&f->arena, "%s=%.17g [%s]", name, value, unit)
                               : zw_arena_printf(&f->arena, "%s=%.17g", name, value);
        ZW_TRY(zw_arena_status(&f->arena, err));
        ZW_TRY(add_setting(out, text, err));
    }
    return ZW_OK;
}

/* A coordinate or velocity that is held also starts there. Only the model tells which these are, so
 * it has been read once without them. */
static zw_status add_starts(zw_forms *f, const zw_study_input *input, const zw_study_form *want,
                            settings *out, zw_error *err) {
    if ((want->at || want->steady) && !want->symbolic)
        ZW_TRY(add_motion(f, input->system, want, out, err));
    for (int i = 0; want->hold && i < want->hold->n; i++)
        if (is_start(input->system, want->hold->item[i]))
            ZW_TRY(add_setting(out, want->hold->item[i], err));
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------ reduction */

static bool is_constrained(const zw_system *s) {
    for (int i = 0; i < s->nconstraint; i++)
        if (s->constraint[i].on)
            return true;
    for (int i = 0; i < s->nframe; i++)
        if (s->frame[i].quaternion >= 0)
            return true;
    return false;
}

static zw_status reduce_checked(zw_reduction **out, const zw_system *sys, bool coordinates,
                                zw_error *err) {
    zw_reduce_options options = zw_reduce_options_default();
    double difference;
    options.coordinates = coordinates;
    return zw_reduce_checked(out, sys, &options, CHECKED_STATES, &difference, err);
}

/* the text of a reduced model in place of the model */
static zw_status read_reduced(zw_forms *f, zw_study_input *input, zw_error *err) {
    f->reduced = input->system;
    char *text = zw_reduction_model(f->reduction, input->source->file, err);
    return text ? read_generated(f, input, text, err) : err->status;
}

/* The reduced model of a model whose definitions have kept their names; ZW_RETRY: it stays. */
static zw_status reduce_always(zw_forms *f, zw_study_input *input, zw_study_reduction how,
                               zw_error *err) {
    const zw_study_form named = {.constants = true, .bodies = true};
    const settings none = {0};
    ZW_TRY(read_again(f, input, &none, &named, err));
    f->reduction_ctx = input->system->ctx;
    ZW_TRY(reduce_checked(&f->reduction, input->system, how == ZW_STUDY_COORDINATES, err));
    if (how == ZW_STUDY_LEFT_OUT && zw_reduction_get(f->reduction)->nleft == 0)
        return ZW_RETRY;
    return read_reduced(f, input, err);
}

static zw_status reduce_model(zw_forms *f, zw_study_input *input, zw_study_reduction how,
                              zw_error *err) {
    zw_error why = {0};
    if (!is_constrained(input->system))
        return ZW_OK;
    ZW_TRY(need_text(input, err));
    const zw_study_input before = *input;
    zw_status status = reduce_always(f, input, how, &why);
    if (status == ZW_OK)
        return ZW_OK;
    zw_reduction_destroy(f->reduction);
    f->reduction = NULL;
    *input = before;
    if (how == ZW_STUDY_LEFT_OUT && status != ZW_E_MEMORY)
        return ZW_OK; /* the full model may be sufficient */
    if (err)
        *err = why;
    return status;
}

zw_status zw_forms_reduce(zw_forms *f, zw_study_input *input,
                          bool (*suits)(void *options, const zw_reduction *r,
                                        const zw_system *full),
                          void *options, zw_error *err) {
    zw_error why = {0};
    const zw_study_input before = *input;
    zw_reduction *r = NULL;
    if (!input->source || f->reduction || (suits && !suits(options, NULL, input->system)))
        return ZW_RETRY;
    zw_status status = reduce_checked(&r, input->system, false, &why);
    if (status >= 0 && suits && !suits(options, r, input->system))
        status = ZW_RETRY;
    if (status == ZW_OK) {
        f->reduction = r;
        f->reduction_ctx = before.system->ctx;
        status = read_reduced(f, input, &why);
    }
    if (status == ZW_OK) {
        input->full = before.system;
        input->full_source = before.source;
        input->reduction = r;
        return ZW_OK;
    }
    zw_reduction_destroy(r);
    f->reduction = NULL;
    *input = before;
    return why.status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_RETRY;
}

/* -------------------------------------------------------------------------------- slow manifold */

static zw_status slow_model(zw_forms *f, zw_study_input *input, const zw_study_form *want,
                            zw_error *err) {
    zw_manifold_options options = zw_manifold_options_default();
    zw_error why = {0};
    ZW_TRY(need_text(input, err));
    options.small = want->small;
    options.nfast = want->fast->n;
    options.fast = want->fast->item;
    options.order = f->order = want->order;
    f->manifold_ctx = input->system->ctx;
    ZW_TRY(zw_manifold_create(&f->manifold, input->system, &options, err));
    char *text = zw_manifold_model(f->manifold, want->order, input->source->file, &why);
    if (text)
        return read_generated(f, input, text, err);
    if (err)
        *err = why;
    return why.status < 0 ? why.status : zw_out_of_memory(err, NULL);
}

zw_status zw_forms_apply(zw_forms *f, zw_study_input *input, const zw_study_form *want,
                         zw_error *err) {
    bool slow = want->fast && want->fast->n > 0;
    settings more = {0};
    zw_study_form first = *want;
    first.constants |= slow;
    first.bodies |= slow;
    f->constants = first.constants;
    f->bodies = first.bodies;
    for (int i = 0; i < want->nset; i++)
        ZW_TRY(add_setting(&more, want->set[i], err));
    if (more.n || first.constants || first.bodies || want->at)
        ZW_TRY(read_again(f, input, &more, &first, err));
    more.n = 0;
    ZW_TRY(add_starts(f, input, want, &more, err));
    if (more.n)
        ZW_TRY(read_again(f, input, &more, &first, err));
    if (want->reduction != ZW_STUDY_FULL)
        ZW_TRY(reduce_model(f, input, want->reduction, err));
    return slow ? slow_model(f, input, want, err) : ZW_OK;
}

/* --------------------------------------------------------------------------------------- report */

static void report_names(zw_forms *f, zw_report *out, const char *key, int n,
                         const char *(*name)(const void *list, int i), const void *list) {
    const char **names = ZW_NEW(&f->arena, const char *, n + 1);
    for (int i = 0; names && i < n; i++)
        names[i] = name(list, i);
    zw_report_words(out, key, names ? n : 0, names);
}

static const char *state_name(const void *list, int i) {
    return ((const zw_reduced_entry *)list)[i].name;
}

static const char *variable_name(const void *list, int i) {
    return ((const zw_manifold_entry *)list)[i].name;
}

/* the variables that the constraints determine */
static void report_given(zw_forms *f, const zw_reduced *z, zw_report *out) {
    const char **names = ZW_NEW(&f->arena, const char *, z->nreplaced + 1);
    for (int i = 0; names && i < z->nreplaced; i++)
        names[i] = zw_expr_name(f->reduced->ctx, z->symbol[i]);
    zw_report_words(out, "given_by_constraints", names ? z->nreplaced : 0, names);
}

static void report_reduced(zw_forms *f, const zw_reduced *z, zw_report *out) {
    zw_report_count(out, "dimension", z->n);
    report_names(f, out, "states", z->n, state_name, z->entry);
    report_names(f, out, "left_out", z->nleft, state_name, z->left);
    report_given(f, z, out);
    zw_report_say(out, "model reduced to {dimension|state|states}: {states}{left_out?; left out: "
                       "{left_out}}{given_by_constraints?; given by constraints: "
                       "{given_by_constraints}}\n");
}

static void report_slow(zw_forms *f, const zw_manifold_result *m, zw_report *out) {
    zw_report_word(out, "small", zw_expr_name(f->manifold_ctx, m->small));
    zw_report_count(out, "order", f->order);
    report_names(f, out, "slow", m->nx, variable_name, m->x);
    report_names(f, out, "fast", m->ny, variable_name, m->y);
    zw_report_say(out, "flow on the slow manifold up to {small}^{order}: {slow}; fast variables "
                       "left out: {fast}\n");
}

void zw_forms_report(zw_forms *f, zw_report *out) {
    if (!f->reduction && !f->manifold)
        return;
    zw_report_open(out, "form");
    if (f->reduction)
        report_reduced(f, zw_reduction_get(f->reduction), out);
    if (f->manifold)
        report_slow(f, zw_manifold_get(f->manifold), out);
    zw_report_close(out);
}
