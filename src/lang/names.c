/* SPDX-License-Identifier: MIT */
/* The table of names of a model, and the building of a name on its first use. */
#include <stdio.h>
#include <string.h>

#include "base/option.h"
#include "model.h"
#include "parameters.h"

static const char *const words[ZW_ST_COUNT] = {
    [ZW_ST_PARAM] = "parameter",     [ZW_ST_LET] = "definition",
    [ZW_ST_INPUT] = "input",         [ZW_ST_COORD] = "coordinate",
    [ZW_ST_PERIODIC] = "periodic",   [ZW_ST_QUASI] = "quasi-velocity",
    [ZW_ST_ROTATION] = "rotation",   [ZW_ST_FRAME] = "frame",
    [ZW_ST_POINT] = "point",         [ZW_ST_PARTICLE] = "particle",
    [ZW_ST_BODY] = "body",           [ZW_ST_KINETIC] = "kinetic energy",
    [ZW_ST_POTENTIAL] = "potential", [ZW_ST_DISSIPATION] = "dissipation",
    [ZW_ST_GRAVITY] = "gravity",     [ZW_ST_FORCE] = "force",
    [ZW_ST_TORQUE] = "torque",       [ZW_ST_SPRING] = "spring",
    [ZW_ST_DAMPER] = "damper",       [ZW_ST_CONSTRAINT] = "constraint",
    [ZW_ST_ROLLING] = "rolling",     [ZW_ST_INDEPENDENT] = "independent",
    [ZW_ST_CONTACT] = "contact",     [ZW_ST_NONIDEAL] = "nonideal",
    [ZW_ST_START] = "start",         [ZW_ST_OBSERVE] = "observable",
    [ZW_ST_EVENT] = "event",         [ZW_ST_DRAW] = "drawing",
    [ZW_ST_TRACE] = "trace",         [ZW_ST_REMOVE] = "remove",
    [ZW_ST_CLAIM] = "claim",         [ZW_ST_STATE] = "state",
    [ZW_ST_GUESS] = "guess",         [ZW_ST_STEADY] = "steady motion",
    [ZW_ST_SPACE] = "place",         [ZW_ST_SLOW_FAST] = "slow-fast",
    [ZW_ST_DELAY] = "delay",
};

bool zw_stmt_constrains(zw_stmt_kind kind) {
    return kind == ZW_ST_CONSTRAINT || kind == ZW_ST_ROLLING || kind == ZW_ST_CONTACT;
}

const char *zw_stmt_word(zw_stmt_kind kind) {
    return words[kind];
}

zw_status zw_model_check_expressions(zw_model *m, zw_place place) {
    zw_error why = {0};
    zw_status status = zw_context_status(m->ctx, &why);
    if (status < 0) {
        zw_fail_at(m->err, status, place, "%s", why.text[0] ? why.text : zw_status_text(status));
        zw_context_reset_status(m->ctx);
    }
    return status;
}

const char *zw_model_unit(zw_model *m, const zw_dim *d) {
    char text[ZW_DIM_TEXT];
    zw_dim_text(d, text);
    return zw_context_intern(m->ctx, text);
}

bool zw_model_declares(const zw_system *s, const char *parameter) {
    const zw_model *m = s->model;
    for (int i = 0; m && i < m->nentry; i++)
        if (m->entry[i].kind == ZW_ST_PARAM && strcmp(m->entry[i].name, parameter) == 0)
            return true;
    return !m;
}

zw_entry *zw_model_find(const zw_model *m, const char *name) {
    for (int i = 0; i < m->nentry; i++)
        if (m->entry[i].name == name)
            return &m->entry[i];
    return NULL;
}

zw_status zw_model_declare(zw_model *m, zw_stmt_kind kind, const char *name, zw_place place,
                           zw_stmt *stmt, zw_entry **out) {
    const zw_entry *old = zw_model_find(m, name);
    if (old) {
        zw_fail_at(m->err, ZW_E_NAME, place, "'%s' is declared twice", name);
        zw_error_hint(m->err, "the first one is the %s in line %d; choose another name",
                      zw_stmt_word(old->kind), old->place.line);
        return ZW_E_NAME;
    }
    if (m->nentry == ZW_NAMES_MAX)
        return zw_fail_at(m->err, ZW_E_MODEL, place, "the model has more than %d names",
                          ZW_NAMES_MAX);
    void *array = m->entry;
    if (!zw_arena_grow(m->arena, &array, m->nentry, &m->entry_capacity, sizeof *m->entry))
        return zw_model_memory(m);
    m->entry = array;
    zw_entry *e = &m->entry[m->nentry++];
    *e = (zw_entry){
        .name = name, .place = place, .kind = kind, .stmt = stmt, .frame = -1, .body = -1};
    if (out)
        *out = e;
    return ZW_OK;
}

const char *zw_stmt_article(zw_stmt_kind kind) {
    return strchr("aeiou", zw_stmt_word(kind)[0]) ? "an" : "a";
}

zw_status zw_model_handle(zw_model *m, zw_stmt *s, zw_status status) {
    if (status >= 0)
        return ZW_OK;
    if (status != ZW_E_MEMORY)
        zw_context_reset_status(m->ctx);
    zw_entry *e = s ? zw_model_find(m, s->name) : NULL;
    if (e && e->stmt == s)
        e->progress = ZW_FAILED;
    if (s)
        s->broken = true;
    for (int i = 0; s && s->kind == ZW_ST_ROTATION && i < s->n; i++)
        zw_faults_suspect(&m->faults, s->list[i]->name); /* perhaps not declared yet */
    return zw_faults_take(&m->faults, status);
}

/* other spellings of x' and x'': xdot, x_dot, xddot, dx; the intended name and its primes */
static const zw_entry *meant_rate(const zw_model *m, const char *name, int *primes) {
    static const struct {
        const char *ending;
        int primes;
    } habit[] = {{"_ddot", 2}, {"ddot", 2}, {"_dot", 1}, {"dot", 1}, {"_dd", 2}, {"_d", 1}};
    size_t n = strlen(name);
    for (int i = 0; i < m->nentry; i++) {
        const zw_entry *e = &m->entry[i];
        size_t length = strlen(e->name);
        if (e->kind != ZW_ST_COORD && e->kind != ZW_ST_STATE && e->kind != ZW_ST_POINT)
            continue;
        *primes = 1;
        if (n == length + 1 && name[0] == 'd' && strcmp(name + 1, e->name) == 0)
            return e;
        for (size_t k = 0; k < sizeof habit / sizeof *habit; k++) {
            *primes = habit[k].primes;
            if (strncmp(name, e->name, length) == 0 && strcmp(name + length, habit[k].ending) == 0)
                return e;
        }
    }
    return NULL;
}

/* The candidates of "did you mean" are every name and every function. A name is reported as unknown
 * once, and never if a statement with a fault may have declared it. */
zw_status zw_model_unknown(zw_model *m, const char *what, const char *name, zw_place place) {
    if (zw_faults_is_suspect(&m->faults, name))
        return ZW_E_NAME;
    zw_fail_at(m->err, ZW_E_NAME, place, "there is no %s '%s'", what, name);
    int capacity = m->nentry + 40, n = 0;
    const char **names = ZW_NEW(m->arena, const char *, capacity);
    if (!names)
        return ZW_E_NAME;
    for (int i = 0; i < m->nentry; i++)
        names[n++] = m->entry[i].name;
    n += zw_function_names(names + n);
    int primes = 0;
    const zw_entry *rate = meant_rate(m, name, &primes);
    const char *near = zw_nearest(name, n, names);
    const char *here = strncmp(what, "function", 8) == 0 ? zw_function_elsewhere(name) : NULL;
    if (here)
        zw_error_hint(m->err, "write %s", here);
    else if (rate)
        zw_error_hint(m->err, "did you mean %s%s? %s", rate->name, primes > 1 ? "''" : "'",
                      primes > 1 ? "two primes are an acceleration" : "a prime is a rate");
    else if (near)
        zw_error_hint(m->err, "did you mean %s?", near);
    else if (strncmp(place.file, "--set", 5) == 0)
        zw_error_hint(m->err, "set a parameter, a coordinate or a velocity of the model");
    else
        zw_error_hint(m->err, "declare it with param, let, coord, ...");
    if (m->source.faults)
        zw_faults_suspect(&m->faults, name);
    return ZW_E_NAME;
}

static zw_status build_entry(zw_model *m, zw_entry *e) {
    switch (e->kind) {
    case ZW_ST_PARAM:
        return zw_build_param(m, e);
    case ZW_ST_LET:
    case ZW_ST_OBSERVE:
        return zw_build_let(m, e);
    case ZW_ST_INPUT:
        return zw_build_input(m, e);
    case ZW_ST_SPACE:
        return zw_build_space(m, e);
    case ZW_ST_DELAY:
        return zw_build_delay(m, e);
    case ZW_ST_ROTATION:
        return zw_build_rotation(m, e);
    case ZW_ST_FRAME:
        return zw_build_frame(m, e);
    case ZW_ST_POINT:
        return zw_build_point(m, e);
    case ZW_ST_PARTICLE:
        return zw_build_particle(m, e);
    case ZW_ST_BODY:
        return zw_build_body(m, e);
    case ZW_ST_CONSTRAINT:
        return zw_build_constraint_value(m, e);
    case ZW_ST_ROLLING:
        return zw_build_rolling_value(m, e);
    case ZW_ST_CONTACT:
        return zw_build_contact_value(m, e);
    default: /* forces and the like have no value; coordinates are built before all others */
        return ZW_OK;
    }
}

static bool is_mechanical(zw_stmt_kind kind) {
    return kind == ZW_ST_ROTATION || kind == ZW_ST_FRAME || kind == ZW_ST_PARTICLE ||
           kind == ZW_ST_BODY || kind == ZW_ST_DELAY || zw_stmt_constrains(kind);
}

zw_status zw_model_build_entry(zw_model *m, zw_entry *e) {
    if (e->progress == ZW_BUILT)
        return ZW_OK;
    if (e->progress == ZW_FAILED)
        return ZW_E_NAME;
    if (e->progress == ZW_BUILDING) {
        zw_fail_at(m->err, ZW_E_MODEL, e->place, "the %s '%s' is defined by itself",
                   zw_stmt_word(e->kind), e->name);
        zw_error_hint(m->err, "follow the names in its definition: one of them leads back to '%s'",
                      e->name);
        return ZW_E_MODEL;
    }
    if (m->rates_only && is_mechanical(e->kind)) {
        zw_fail_at(m->err, ZW_E_MODEL, e->place, "a quasi-velocity is defined with the %s '%s'",
                   zw_stmt_word(e->kind), e->name);
        zw_error_hint(m->err,
                      "quasi-velocities are made of coordinates, their rates and parameters");
        return ZW_E_MODEL;
    }
    bool higher = m->higher;
    /* names must not depend on the claim that uses them */
    struct zw_claiming *claiming = m->claiming;
    const zw_expr *space = m->space;
    m->claiming = NULL;
    m->space = NULL;
    m->higher = e->kind == ZW_ST_CONSTRAINT; /* not in names that a constraint uses */
    e->progress = ZW_BUILDING;
    zw_status status = build_entry(m, e);
    e->progress = status < 0 ? ZW_FAILED : ZW_BUILT;
    m->higher = higher;
    m->claiming = claiming;
    m->space = space;
    return status;
}

zw_status zw_model_resolve(zw_model *m, const char *name, zw_place place, zw_entry **out) {
    zw_entry *e = zw_model_find(m, name);
    if (!e)
        return zw_model_unknown(m, "name", name, place);
    *out = e;
    return zw_model_build_entry(m, e);
}
