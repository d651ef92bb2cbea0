/* SPDX-License-Identifier: MIT */
/* The entry points of the language: text to system, in the order given in model.h. */
#include "model.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "mech/system/build.h"
#include "zwang/expr.h"

/* ----------------------------------------------------------------------------------- building */

static bool is_declaring(zw_stmt_kind kind) {
    return kind != ZW_ST_START && kind != ZW_ST_GUESS && kind != ZW_ST_PERIODIC &&
           kind != ZW_ST_NONIDEAL;
}

static zw_status declare_angles(zw_model *m, const zw_stmt *s) {
    for (int i = 0; i < s->n; i++) {
        const zw_syntax *angle = s->list[i];
        const zw_entry *e = zw_model_find(m, angle->name);
        if (e && (e->kind == ZW_ST_COORD || e->kind == ZW_ST_STATE))
            continue;
        if (zw_is_reserved(angle->name))
            return zw_fail_at(m->err, ZW_E_NAME, angle->place, "'%s' is a word of the language",
                              angle->name);
        ZW_TRY(zw_model_declare(m, ZW_ST_COORD, angle->name, angle->place, NULL, NULL));
    }
    return ZW_OK;
}

static zw_status declare_all(zw_model *m) {
    for (zw_stmt *s = m->tree.first; s; s = s->next)
        if (s->name[0] && is_declaring(s->kind))
            ZW_TRY(zw_model_handle(m, s,
                                   zw_model_declare(m, s->kind, s->name, s->name_place, s, NULL)));
    for (zw_stmt *s = m->tree.first; s; s = s->next)
        if (s->kind == ZW_ST_ROTATION && !s->broken)
            ZW_TRY(zw_model_handle(m, s, declare_angles(m, s)));
    return ZW_OK;
}

/* statements that may occur only once */
static zw_status check_repeat(zw_model *m, const zw_stmt *s) {
    if (s->kind != ZW_ST_GRAVITY && s->kind != ZW_ST_START && s->kind != ZW_ST_GUESS &&
        s->kind != ZW_ST_NONIDEAL)
        return ZW_OK;
    const zw_stmt *first = m->tree.first;
    while (first != s && (first->kind != s->kind || first->name != s->name))
        first = first->next;
    if (first == s)
        return ZW_OK;
    if (s->kind == ZW_ST_GRAVITY) {
        zw_fail_at(m->err, ZW_E_MODEL, s->place, "a second gravity");
        zw_error_hint(m->err, "the first is in line %d", first->place.line);
        return ZW_E_MODEL;
    }
    if (s->kind == ZW_ST_NONIDEAL) {
        zw_fail_at(m->err, ZW_E_NAME, s->name_place, "the work of '%s' is given twice", s->name);
        zw_error_hint(m->err,
                      "the first nonideal is in line %d; one statement may give several "
                      "works, with commas",
                      first->place.line);
        return ZW_E_NAME;
    }
    zw_fail_at(m->err, ZW_E_NAME, s->name_place, "'%s' %s twice", s->name,
               s->kind == ZW_ST_GUESS ? "is guessed" : "starts");
    zw_error_hint(m->err, "the first %s is in line %d", zw_stmt_word(s->kind), first->place.line);
    return ZW_E_NAME;
}

static zw_status check_repeats(zw_model *m) {
    for (zw_stmt *s = m->tree.first; s; s = s->next)
        ZW_TRY(zw_model_handle(m, s, check_repeat(m, s)));
    return ZW_OK;
}

static zw_status build_statement(zw_model *m, zw_stmt *s) {
    switch (s->kind) {
    case ZW_ST_PERIODIC:
        return zw_build_periodic(m, s);
    case ZW_ST_KINETIC:
    case ZW_ST_POTENTIAL:
    case ZW_ST_DISSIPATION:
        return zw_build_energy(m, s);
    case ZW_ST_GRAVITY:
        return zw_build_gravity(m, s);
    case ZW_ST_FORCE:
        return zw_build_force(m, s);
    case ZW_ST_TORQUE:
        return zw_build_torque(m, s);
    case ZW_ST_SPRING:
        return zw_build_spring(m, s);
    case ZW_ST_DAMPER:
        return zw_build_damper(m, s);
    case ZW_ST_CONSTRAINT:
        return zw_build_constraint(m, s);
    case ZW_ST_CLAIM:
        return zw_build_claim(m, s);
    case ZW_ST_STEADY:
        return zw_build_steady(m, s);
    case ZW_ST_SLOW_FAST:
        return zw_build_slow_fast(m, s);
    case ZW_ST_ROLLING:
        return zw_build_rolling(m, s);
    case ZW_ST_CONTACT:
        return zw_build_contact(m, s);
    case ZW_ST_INDEPENDENT:
        return zw_build_independent(m, s);
    case ZW_ST_START:
    case ZW_ST_GUESS:
        return zw_build_start(m, s);
    case ZW_ST_OBSERVE:
        return zw_build_observe(m, s);
    case ZW_ST_EVENT:
        return zw_build_event(m, s);
    case ZW_ST_NONIDEAL:
        return zw_build_nonideal(m, s);
    case ZW_ST_DRAW:
        return zw_build_draw(m, s);
    case ZW_ST_TRACE:
        return zw_build_trace(m, s);
    default: /* statements with a name and a value or a frame */
        return s->name[0] ? zw_model_build_entry(m, zw_model_find(m, s->name)) : ZW_OK;
    }
}

/* A parameter that nothing depends on may be a mistake, and setting it would have no effect. */
static zw_status note_idle_parameters(zw_model *m) {
    for (int i = 0; i < m->nentry; i++) {
        const zw_entry *e = &m->entry[i];
        char sentence[200];
        if (e->kind != ZW_ST_PARAM || e->used)
            continue;
        snprintf(sentence, sizeof sentence, "the parameter '%.100s' (line %d) is used nowhere",
                 e->name, e->place.line);
        ZW_TRY(zw_model_note(m, sentence));
    }
    return ZW_OK;
}

/* unless its fault has been reported */
static zw_status build_one(zw_model *m, zw_stmt *s) {
    if (s->broken)
        return ZW_OK;
    zw_status status = build_statement(m, s);
    return zw_model_handle(m, s, status < 0 ? status : zw_model_check_expressions(m, s->place));
}

/* Starts of accelerations refer to states that constraints create, and the actions of events and
 * nonideal works refer to constraints: these are built last. */
static int building_round(const zw_model *m, const zw_stmt *s) {
    if (s->kind == ZW_ST_EVENT || s->kind == ZW_ST_NONIDEAL)
        return 2;
    bool start = s->kind == ZW_ST_START || s->kind == ZW_ST_GUESS;
    if (!start || s->what->kind != ZW_ND_PRIME)
        return 0;
    const zw_syntax *of = s->what->arg[0];
    const zw_entry *e = of->kind == ZW_ND_NAME ? zw_model_find(m, of->name) : NULL;
    return s->what->count > 1 || (e && e->kind == ZW_ST_QUASI);
}

static zw_status build_all(zw_model *m) {
    for (zw_stmt *s = m->tree.first; s; s = s->next)
        if (s->kind == ZW_ST_PARAM)
            ZW_TRY(build_one(m, s));
    ZW_TRY(zw_build_coords(m));
    m->moving = true;
    ZW_TRY(zw_build_quasi(m));
    ZW_TRY(zw_build_delays(m));
    ZW_TRY(zw_build_state_rates(m));
    for (int turn = 0; turn < 3; turn++)
        for (zw_stmt *s = m->tree.first; s; s = s->next)
            if (building_round(m, s) == turn)
                ZW_TRY(build_one(m, s));
    ZW_TRY(zw_note_lowered(m));
    return note_idle_parameters(m);
}

/* faults of the whole model have no place of their own: use that of the model line */
static void place_fault(const zw_model *m) {
    zw_error *err = m->err;
    if (!err || err->file[0])
        return;
    snprintf(err->file, sizeof err->file, "%s", m->source.file);
    err->line = m->tree.place.line;
    err->column = m->tree.place.column;
}

/* expressions over the finished system use the names of the text, without symbols for open rates */
static void resolve_values(zw_model *m) {
    for (int i = 0; i < m->nentry; i++)
        for (int k = 0; k < m->entry[i].value.n; k++)
            m->entry[i].value.e[k] = zw_mech_resolved(m->sys, m->entry[i].value.e[k]);
    for (int i = 0; i < m->nentry; i++)
        zw_contact_resolve(m, &m->entry[i], zw_mech_resolved);
}

static zw_status read_and_build(zw_model *m) {
    ZW_TRY(zw_lex(&m->source));
    ZW_TRY(zw_parse_model(&m->source, &m->tree));
    if (m->tree.partial)
        return ZW_E_SYNTAX;
    ZW_TRY(zw_apply_variant(m));
    ZW_TRY(zw_apply_settings(m));
    ZW_TRY(zw_apply_laws(m));
    ZW_TRY(zw_apply_steady(m));
    m->check = !m->tree.no_units;
    ZW_TRY(zw_system_create(&m->sys, m->ctx, m->tree.name, m->tree.title, m->err));
    m->sys->no_units = m->tree.no_units;
    if (m->options && m->options->variant) {
        m->sys->variant = zw_context_intern(m->ctx, m->options->variant);
        if (!m->sys->variant)
            return zw_model_memory(m);
    }
    ZW_TRY(declare_all(m));
    ZW_TRY(check_repeats(m));
    ZW_TRY(build_all(m));
    ZW_TRY(zw_check_switches(m));
    if (m->faults.n) /* the whole is judged only if it is complete */
        return m->faults.first->error.status;
    ZW_TRY(zw_model_plausible(m));
    zw_status status = zw_system_finish(m->sys, m->err);
    if (status < 0)
        place_fault(m);
    else
        resolve_values(m);
    return status;
}

/* ---------------------------------------------------------------------------- public functions */

/* Memory of a model is memory of its context: chunks come from it and are freed with it. */
static void *context_memory(void *ctx, void *old, size_t old_size, size_t size) {
    (void)old, (void)old_size;
    return size ? zw_context_alloc(ctx, size) : NULL;
}

static zw_model *new_model(zw_context *ctx, const char *file, const char *text, size_t length,
                           const zw_model_options *options, zw_error *err) {
    zw_model *m = zw_context_alloc(ctx, sizeof *m);
    zw_arena *arena = zw_context_alloc(ctx, sizeof *arena);
    if (!m || !arena)
        return NULL;
    zw_arena_init(arena, &(zw_allocator){context_memory, ctx});
    *m = (zw_model){.ctx = ctx, .arena = arena};
    m->options = options;
    m->err = err;
    zw_intern_init(&m->names, arena);
    m->source = (zw_reader){.arena = arena, .names = &m->names, .err = err, .length = length};
    m->source.file = zw_context_intern(ctx, file);
    /* the text is kept for later messages */
    m->source.text = length <= ZW_TEXT_MAX ? zw_arena_copy(arena, text, length) : text;
    return m->source.file && m->source.text ? m : NULL;
}

static void add_excerpts(const zw_model *m, zw_error *err) {
    zw_lang_excerpt(&m->source, err);
    for (int i = 0; i < m->nsetting; i++)
        if (m->setting[i].file && m->setting[i].text)
            zw_lang_excerpt(&m->setting[i], err);
}

/* A model that collects its faults. */
static zw_model *new_text(zw_context *ctx, const char *file, const char *text, size_t length,
                          const zw_model_options *options) {
    zw_model *m = new_model(ctx, file, text, length, options, NULL);
    if (!m)
        return NULL;
    zw_faults_init(&m->faults, m->arena, m->source.file);
    m->err = m->source.err = &m->faults.now;
    m->source.faults = &m->faults;
    return m;
}

/* Reports the result of reading: the first fault in err, all of them to the caller's function. */
static zw_status report_faults(zw_model *m, zw_status status, zw_error *err) {
    zw_faults *f = &m->faults;
    status = zw_faults_take(f, status) == ZW_E_MEMORY ? ZW_E_MEMORY : status;
    m->source.faults = NULL;
    if (status == ZW_E_MEMORY)
        return zw_fail(err, status, "%s", f->now.text[0] ? f->now.text : zw_status_text(status));
    for (zw_text_fault *k = f->first; k; k = k->next) {
        add_excerpts(m, &k->error);
        if (m->options && m->options->fault)
            m->options->fault(m->options->fault_user, &k->error);
    }
    if (!f->first)
        return status < 0 ? zw_fail(err, status, "%s", zw_status_text(status)) : ZW_OK;
    if (err && err->status >= 0)
        *err = f->first->error;
    return f->first->error.status;
}

/* the options of a caller, who may have another version of the struct */
static zw_status adopt_options(zw_model_options *own, const zw_model_options *given,
                               zw_error *err) {
    *own = (zw_model_options){0};
    if (given && given->size)
        return zw_options_adopt(own, sizeof *own, given, "zw_model_options", err);
    if (given) /* fields that are added later are not copied here */
        memcpy(own, given, offsetof(zw_model_options, fault_user) + sizeof given->fault_user);
    return ZW_OK;
}

zw_status zw_model_parse(zw_system **out, zw_context *ctx, const char *text, size_t length,
                         const char *file, const zw_model_options *options, zw_error *err) {
    assert(out);
    *out = NULL;
    zw_model_options own;
    ZW_TRY(adopt_options(&own, options, err));
    zw_model *m = new_text(ctx, file, text, length, &own);
    if (!m)
        return zw_fail(err, ZW_E_MEMORY, "out of memory while reading %s", file);
    zw_context_set_place(ctx, (zw_place){file ? zw_context_intern(ctx, file) : NULL, 1, 1});
    zw_status status = report_faults(m, read_and_build(m), err);
    m->options = NULL; /* the caller's, invalid after this call */
    if (status < 0) {
        zw_context_reset_status(ctx);
        return status;
    }
    m->err = NULL;
    m->sys->model = m;
    *out = m->sys;
    return ZW_OK;
}

/* the whole file in a block of the context's allocator, *size bytes */
static zw_status read_file(const zw_allocator *alloc, const char *path, char **text, size_t *size,
                           size_t *length, zw_error *err) {
    FILE *f = fopen(path, "rb");
    if (!f) {
        zw_fail(err, ZW_E_FILE, "%s cannot be read: %s", path, strerror(errno));
        zw_error_hint(err, "is the name right? models end in .zw");
        return ZW_E_FILE;
    }
    *size = ZW_TEXT_MAX + 1;
    *text = zw_allocate(alloc, *size);
    if (!*text) {
        fclose(f);
        return zw_fail(err, ZW_E_MEMORY, "out of memory while reading %s", path);
    }
    *length = fread(*text, 1, *size, f);
    bool bad = ferror(f);
    int why = errno;
    fclose(f);
    if (!bad)
        return ZW_OK;
    zw_release(alloc, *text, *size);
    return zw_fail(err, ZW_E_FILE, "%s cannot be read: %s", path, strerror(why));
}

zw_status zw_model_read(zw_system **out, zw_context *ctx, const char *path,
                        const zw_model_options *options, zw_error *err) {
    assert(out);
    *out = NULL;
    zw_allocator alloc = zw_context_allocator(ctx);
    char *text;
    size_t size, length;
    ZW_TRY(read_file(&alloc, path, &text, &size, &length, err));
    zw_status status = zw_model_parse(out, ctx, text, length, path, options, err);
    zw_release(&alloc, text, size);
    return status;
}

zw_status zw_model_load(zw_model_source *out, zw_context *ctx, const char *path,
                        const zw_model_options *options, zw_error *err) {
    zw_allocator alloc = zw_context_allocator(ctx);
    char *text;
    size_t size, length;
    *out = (zw_model_source){.file = path, .options = options};
    ZW_TRY(read_file(&alloc, path, &text, &size, &length, err));
    char *copy = zw_context_alloc(ctx, length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
        out->text = copy;
        out->length = length;
    }
    zw_release(&alloc, text, size);
    return zw_context_status(ctx, err);
}

zw_status zw_model_variants(zw_context *ctx, const char *text, size_t length, const char *file,
                            const char *const **names, int *n, zw_error *err) {
    *names = NULL;
    *n = 0;
    zw_model *m = new_text(ctx, file, text, length, NULL);
    if (!m)
        return zw_fail(err, ZW_E_MEMORY, "out of memory while reading %s", file);
    zw_status status = zw_lex(&m->source);
    if (status >= 0)
        status = zw_parse_model(&m->source, &m->tree);
    ZW_TRY(report_faults(m, status, err));
    int count = 0;
    for (const zw_variant *v = m->tree.variants; v; v = v->next)
        count++;
    const char **list = ZW_NEW(m->arena, const char *, count ? count : 1);
    if (!list)
        return zw_fail(err, ZW_E_MEMORY, "out of memory while reading %s", file);
    for (const zw_variant *v = m->tree.variants; v; v = v->next) {
        list[*n] = zw_context_intern(ctx, v->name);
        if (!list[(*n)++])
            return zw_fail(err, ZW_E_MEMORY, "out of memory while reading %s", file);
    }
    *names = list;
    return ZW_OK;
}

zw_status zw_model_outline(zw_model **out, zw_context *ctx, const zw_model_source *source,
                           void (*parsed)(void *user, const zw_model *m), void *user,
                           zw_error *err) {
    zw_model *m = new_text(ctx, source->file, source->text, source->length, source->options);
    *out = m;
    if (!m)
        return zw_fail(err, ZW_E_MEMORY, "out of memory while reading %s", source->file);
    zw_status status = zw_lex(&m->source);
    if (status >= 0)
        status = zw_parse_model(&m->source, &m->tree);
    if (status >= 0 && parsed)
        parsed(user, m);
    if (status >= 0)
        status = zw_apply_variant(m);
    status = report_faults(m, status, err);
    m->options = NULL;
    m->err = m->source.err = NULL;
    return status;
}

int zw_model_unused(const zw_system *s, const char *const **sentences) {
    *sentences = s->model ? s->model->note : NULL;
    return s->model ? s->model->nnote : 0;
}

/* -------------------------------------------------------------------------------- expressions */

/* the names of a system that was not read from text */
static zw_status import_one(zw_model *m, zw_stmt_kind kind, const char *name, zw_place place,
                            zw_entry **out) {
    const char *kept = zw_intern_n(&m->names, name, strlen(name));
    if (!kept)
        return zw_model_memory(m);
    *out = zw_model_find(m, kept);
    if (!*out)
        ZW_TRY(zw_model_declare(m, kind, kept, place, NULL, out));
    (*out)->progress = ZW_BUILT;
    return ZW_OK;
}

static zw_status import_system(zw_model *m) {
    const zw_system *s = m->sys;
    zw_entry *e;
    for (int i = 0; i < s->np; i++) {
        ZW_TRY(import_one(m, ZW_ST_PARAM, s->param[i].name, s->param[i].place, &e));
        e->value = zw_quantity_scalar(s->param[i].sym, zw_dim_none());
    }
    for (int i = 0; i < s->nq; i++) {
        ZW_TRY(import_one(m, ZW_ST_COORD, s->coord[i].name, s->coord[i].place, &e));
        e->value = zw_quantity_scalar(s->coord[i].sym, zw_dim_none());
    }
    for (int i = 0; i < s->nv; i++) {
        if (s->velocity[i].coord >= 0)
            continue;
        ZW_TRY(import_one(m, ZW_ST_QUASI, s->velocity[i].name, s->velocity[i].place, &e));
        e->value = zw_quantity_scalar(s->velocity[i].sym, zw_dim_none());
    }
    for (int i = 0; i < s->nsignal; i++) {
        ZW_TRY(import_one(m, ZW_ST_INPUT, s->signal[i].name, s->signal[i].place, &e));
        e->value = zw_quantity_scalar(s->signal[i].sym, zw_dim_none());
    }
    for (int i = 1; i < s->nframe; i++) {
        ZW_TRY(import_one(m, ZW_ST_FRAME, s->frame[i].name, s->frame[i].place, &e));
        e->frame = i;
    }
    for (int i = 0; i < s->nbody; i++) {
        ZW_TRY(import_one(m, ZW_ST_BODY, s->body[i].name, s->body[i].place, &e));
        e->kind = ZW_ST_BODY;
        e->frame = s->body[i].frame;
        e->body = i;
        e->mass = s->body[i].mass;
    }
    for (int i = 0; i < s->nparticle; i++) {
        ZW_TRY(import_one(m, ZW_ST_PARTICLE, s->particle[i].name, s->particle[i].place, &e));
        e->value = zw_vector_value(s->particle[i].r, zw_dim_none());
    }
    return ZW_OK;
}

/* a reader of text over the names of a system, including its lets and points; NULL if out of
 * memory */
static zw_model *open_outside(const zw_system *s, const char *name, const char *text,
                              zw_error *err) {
    zw_model *m = new_model(s->ctx, name, text, strlen(text), NULL, err);
    if (!m) {
        zw_fail(err, ZW_E_MEMORY, "out of memory while reading an expression");
        return NULL;
    }
    m->sys = (zw_system *)s; /* nothing is built into it */
    if (s->model) {
        m->names = s->model->names;
        m->entry = s->model->entry;
        m->nentry = s->model->nentry;
        m->tree.no_units = s->model->tree.no_units;
        return m;
    }
    m->tree.no_units = true;
    return import_system(m) < 0 ? NULL : m;
}

static zw_status close_outside(const zw_system *s, zw_model *m, zw_status status, zw_error *err) {
    if (status < 0) {
        add_excerpts(m, err);
        zw_context_reset_status(s->ctx);
    }
    if (s->model)
        s->model->names = m->names;
    return status;
}

zw_status zw_model_expression(zw_expr *out, zw_system *s, const char *text, zw_error *err) {
    zw_syntax *node;
    *out = ZW_NULL;
    zw_model *m = open_outside(s, "expression", text, err);
    if (!m)
        return ZW_E_MEMORY;
    zw_status status = zw_lex(&m->source);
    if (status >= 0)
        status = zw_parse_expression(&m->source, &node);
    if (status >= 0) /* unchecked: numbers without a unit are SI */
        status = zw_model_scalar(m, node, "the expression", NULL, out);
    return close_outside(s, m, status, err);
}

/* a scalar with checked units, and its dimension */
static zw_status read_quantity(zw_model *m, const char *what, const zw_dim *wanted, zw_expr *out,
                               zw_dim *dim) {
    zw_syntax *node;
    zw_quantity v;
    m->check = !m->tree.no_units;
    ZW_TRY(zw_lex(&m->source));
    ZW_TRY(zw_parse_expression(&m->source, &node));
    ZW_TRY(zw_model_scalar(m, node, what, wanted, out));
    ZW_TRY(zw_model_eval(m, node, &v));
    *dim = v.d[0];
    return ZW_OK;
}

zw_status zw_model_quantity(zw_expr *out, const char **unit, const zw_system *s, const char *name,
                            const char *text, zw_error *err) {
    char words[ZW_DIM_TEXT];
    zw_dim dim;
    *out = ZW_NULL;
    *unit = "";
    zw_model *m = open_outside(s, name, text, err);
    if (!m)
        return ZW_E_MEMORY;
    zw_status status = read_quantity(m, "the expression", NULL, out, &dim);
    if (status >= 0 && !m->tree.no_units) {
        zw_dim_text(&dim, words);
        *unit = zw_arena_string(m->arena, words);
        status = *unit ? ZW_OK : zw_model_memory(m);
    }
    return close_outside(s, m, status, err);
}

zw_status zw_model_number(double *out, const zw_system *s, const double *p, const char *name,
                          const char *text, const char *unit, zw_error *err) {
    zw_unit wanted = {.dim = zw_dim_none()};
    zw_expr e = ZW_NULL, *symbol = zw_context_alloc(s->ctx, sizeof(zw_expr) * (size_t)(s->np + 1));
    zw_dim dim;
    const char *bracketed = zw_add_brackets(s->ctx, text);
    zw_model *m = bracketed && symbol ? open_outside(s, name, bracketed, err) : NULL;
    if (!m)
        return zw_out_of_memory(err, NULL);
    zw_status status = ZW_OK;
    if (unit[0] && !m->tree.no_units)
        status = zw_unit_parse(&wanted, unit, strlen(unit), (zw_place){0}, err);
    if (status >= 0)
        status = read_quantity(m, "the value", &wanted.dim, &e, &dim);
    for (int i = 0; i < s->np; i++)
        symbol[i] = s->param[i].sym;
    *out = status >= 0 ? zw_eval(s->ctx, e, s->np, symbol, p) : NAN;
    if (status >= 0)
        status = zw_context_status(s->ctx, err); /* without memory there is no value either */
    if (status >= 0 && !isfinite(*out)) {
        status = zw_fail(err, ZW_E_DOMAIN, "%s: %s has no value", name, text);
        zw_error_hint(err, "numbers and parameters are known here, not coordinates");
    }
    return close_outside(s, m, status, err);
}
