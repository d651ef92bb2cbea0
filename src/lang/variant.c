/* SPDX-License-Identifier: MIT */
/* Changes of a model from outside: the chosen variant, --set, --law, --with and --without. All but
 * the switches work on the tree, before anything is built. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/option.h"
#include "mech/system/build.h"
#include "model.h"

/* ---------------------------------------------------------------------------------- variants */

/* Statements replace each other by name within a class. 0: such a statement only adds. */
static int class_of(const zw_stmt *s) {
    switch (s->kind) {
    case ZW_ST_PARAM:
    case ZW_ST_LET:
    case ZW_ST_INPUT:
    case ZW_ST_DELAY:
        return 1; /* a parameter may become a definition */
    case ZW_ST_GRAVITY:
        return 2; /* there is only one */
    case ZW_ST_SLOW_FAST:
        return 3 + (int)s->kind; /* only one, too */
    default:
        return s->name[0] ? 3 + (int)s->kind : 0;
    }
}

static void unlink_statement(zw_tree *tree, zw_stmt **link) {
    zw_stmt *s = *link;
    *link = s->next;
    if (tree->end == &s->next)
        tree->end = link;
}

static void append_statement(zw_tree *tree, zw_stmt *s) {
    s->next = NULL;
    *tree->end = s;
    tree->end = &s->next;
}

/* A contact that gives only its law or its sides changes the old one. */
static bool update_contact(zw_stmt *old, const zw_stmt *s) {
    if (s->kind != ZW_ST_CONTACT)
        return false;
    const zw_contact_text *new = s->touching;
    if (new->geometry || new->gap || new->slip || new->normal || new->spin || new->roll || new->at)
        return false;
    if (new->nlaw) {
        memcpy(old->touching->law, new->law, sizeof new->law);
        old->touching->nlaw = new->nlaw;
    }
    if (new->sides)
        old->touching->sides = new->sides;
    return true;
}

/* replaces the old statement, so that the order of the unknowns stays; else appends */
static void replace_statement(zw_tree *tree, zw_stmt *s) {
    int class = class_of(s);
    for (zw_stmt **link = &tree->first; class && *link; link = &(*link)->next) {
        zw_stmt *old = *link;
        if (class_of(old) != class || old->name != s->name)
            continue;
        if (update_contact(old, s))
            return;
        s->next = old->next;
        *link = s;
        if (tree->end == &old->next)
            tree->end = &s->next;
        return;
    }
    append_statement(tree, s);
}

typedef struct removable {
    const char *word;
    zw_stmt_kind kind;
} removable;

/* statements without a name are removed by their keyword */
static const removable keywords[] = {
    {"kinetic", ZW_ST_KINETIC},
    {"potential", ZW_ST_POTENTIAL},
    {"dissipation", ZW_ST_DISSIPATION},
    {"gravity", ZW_ST_GRAVITY},
    {"force", ZW_ST_FORCE},
    {"torque", ZW_ST_TORQUE},
    {"start", ZW_ST_START},
    {"guess", ZW_ST_GUESS},
    {"draw", ZW_ST_DRAW},
    {"trace", ZW_ST_TRACE},
    {"periodic", ZW_ST_PERIODIC},
    {"independent", ZW_ST_INDEPENDENT},
    {"nonideal", ZW_ST_NONIDEAL},
};

/* its name is that of another thing */
static bool is_about(const zw_stmt *s) {
    return s->kind == ZW_ST_START || s->kind == ZW_ST_GUESS || s->kind == ZW_ST_PERIODIC ||
           s->kind == ZW_ST_NONIDEAL;
}

static bool is_meant(const zw_stmt *s, const char *name) {
    if (s->name == name && !is_about(s))
        return true;
    if (s->kind == ZW_ST_NONIDEAL && zw_mech_is_part(s->name, name))
        return true; /* it is removed with its constraint */
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strcmp(keywords[i].word, name) == 0 && keywords[i].kind == s->kind)
            return !s->name[0] || is_about(s);
    return false;
}

static zw_status remove_statements(zw_model *m, const zw_stmt *order) {
    bool found = false;
    for (zw_stmt **link = &m->tree.first; *link;) {
        if (is_meant(*link, order->name)) {
            found = true;
            unlink_statement(&m->tree, link);
        } else {
            link = &(*link)->next;
        }
    }
    if (found)
        return ZW_OK;
    if (zw_faults_is_suspect(&m->faults, order->name))
        return ZW_E_NAME;
    zw_fail_at(m->err, ZW_E_NAME, order->name_place, "there is no '%s' to remove", order->name);
    zw_error_hint(m->err, "remove a name of the model, or all statements of a kind without names: "
                          "kinetic, force, start, draw, ...");
    return ZW_E_NAME;
}

static const zw_variant *find_variant(const zw_model *m, const char *name) {
    const zw_variant *v = m->tree.variants;
    while (v && strcmp(v->name, name) != 0)
        v = v->next;
    return v;
}

bool zw_has_variant(const zw_model *m, const char *name) {
    return find_variant(m, name) != NULL;
}

zw_status zw_check_variant(zw_model *m, const char *name, zw_place place) {
    const char *names[64];
    int n = 0;
    if (find_variant(m, name))
        return ZW_OK;
    if (zw_faults_is_suspect(&m->faults, name))
        return ZW_E_NAME;
    for (const zw_variant *v = m->tree.variants; v && n < 64; v = v->next)
        names[n++] = v->name;
    zw_fail_at(m->err, ZW_E_NAME, place, "the model '%s' has no variant '%s'", m->tree.name, name);
    const char *near = zw_nearest(name, n, names);
    if (near)
        zw_error_hint(m->err, "did you mean %s?", near);
    else if (n)
        zw_error_hint(m->err, "it has %s%s", names[0], n > 1 ? " and others" : "");
    else
        zw_error_hint(m->err, "it declares no variants");
    return ZW_E_NAME;
}

zw_status zw_apply_variant(zw_model *m) {
    const char *name = m->options ? m->options->variant : NULL;
    if (!name || !name[0])
        return ZW_OK;
    ZW_TRY(zw_check_variant(m, name, (zw_place){0}));
    const zw_variant *v = find_variant(m, name);
    for (zw_stmt *s = v->first, *next; s; s = next) {
        next = s->next;
        if (s->kind == ZW_ST_REMOVE)
            ZW_TRY(zw_model_handle(m, NULL, remove_statements(m, s)));
        else
            replace_statement(&m->tree, s);
    }
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------- settings */

const char *zw_add_brackets(zw_context *ctx, const char *text) {
    const char *equals = strchr(text, '='), *number = equals ? equals + 1 : text, *p;
    number += strspn(number, " \t");
    p = number + (*number == '-');
    p += strspn(p, "0123456789.");
    if ((*p == 'e' || *p == 'E') && (isdigit((unsigned char)p[1]) || p[1] == '-' || p[1] == '+'))
        p += 1 + strspn(p + 1, "+-0123456789");
    const char *unit = p + strspn(p, " \t");
    bool plain =
        p > number + (*number == '-') && isalpha((unsigned char)*unit) &&
        strspn(unit, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789*/^() -") ==
            strlen(unit);
    if (!plain)
        return text;
    size_t size = strlen(text) + 4;
    char *out = zw_context_alloc(ctx, size);
    if (out)
        snprintf(out, size, "%.*s [%s]", (int)(p - text), text, unit);
    return out;
}

static zw_stmt *find_definition(zw_tree *tree, const char *name) {
    for (zw_stmt *s = tree->first; s; s = s->next)
        if (s->name == name &&
            (s->kind == ZW_ST_PARAM || s->kind == ZW_ST_LET || s->kind == ZW_ST_INPUT))
            return s;
    return NULL;
}

static zw_status apply_setting(zw_model *m, zw_stmt *s) {
    zw_stmt *definition =
        s->what->kind == ZW_ND_NAME ? find_definition(&m->tree, s->what->name) : NULL;
    if (definition && definition->signal) {
        definition->outside = s;
        return ZW_OK;
    }
    if (s->table) {
        zw_fail_at(m->err, ZW_E_NAME, s->name_place, "'%s' is no signal, it takes no table",
                   s->name);
        zw_error_hint(m->err, "a signal is declared by: input %s = signal [unit]", s->name);
        return ZW_E_NAME;
    }
    if (!definition) {
        replace_statement(&m->tree, s);
        return ZW_OK;
    }
    if (definition->kind != ZW_ST_PARAM) {
        zw_fail_at(m->err, ZW_E_NAME, s->name_place, "'%s' is no parameter but %s %s", s->name,
                   zw_stmt_article(definition->kind), zw_stmt_word(definition->kind));
        zw_error_hint(m->err, "set the parameters that it is made of");
        return ZW_E_NAME;
    }
    if (!definition->given)
        definition->given = definition->value;
    definition->value = s->value;
    return ZW_OK;
}

/* "m=1,2kg": a list of values, which only pictures accept, or a decimal comma */
static zw_status reject_list(zw_model *m, const char *text) {
    const char *value = strchr(text, '=') + 1, *comma = strchr(value, ',');
    if (!comma || comma == value || strpbrk(value, "=(") || !isdigit((unsigned char)comma[-1]) ||
        !(isdigit((unsigned char)comma[1]) || comma[1] == '-'))
        return ZW_OK;
    zw_fail(m->err, ZW_E_OPTION, "--set %s: several values for one run", text);
    if (!strchr(comma + 1, ',') && isdigit((unsigned char)comma[1]) &&
        !memchr(value, '.', (size_t)(comma - value)))
        zw_error_hint(m->err,
                      "%.*s.%s if a decimal point is meant; zwang plot makes a run for each "
                      "value of a list",
                      (int)(comma - value), value, comma + 1);
    else
        zw_error_hint(m->err, "zwang plot makes a run for each value of a list");
    return ZW_E_OPTION;
}

static zw_status read_setting(zw_model *m, zw_reader *r, const char *text) {
    *r = (zw_reader){.arena = m->arena, .names = &m->names, .err = m->err};
    r->text = strchr(text, '=') ? zw_add_brackets(m->ctx, text) : text;
    r->file = zw_arena_printf(m->arena, "--set %.*s", (int)strcspn(text, "="), text);
    if (!r->text || !r->file)
        return zw_model_memory(m);
    r->length = strlen(r->text);
    if (!strchr(text, '=')) {
        zw_fail(m->err, ZW_E_OPTION, "--set %s: there is no '='", text);
        zw_error_hint(m->err, "--set NAME=VALUE, for example --set r=2.5cm");
        return ZW_E_OPTION;
    }
    ZW_TRY(reject_list(m, text));
    zw_stmt *s, *next;
    ZW_TRY(zw_lex(r));
    ZW_TRY(zw_parse_setting(r, &s));
    for (; s; s = next) {
        next = s->next;
        ZW_TRY(apply_setting(m, s));
    }
    return ZW_OK;
}

zw_status zw_apply_settings(zw_model *m) {
    int n = m->options ? m->options->nset : 0;
    int nlaw = m->options ? m->options->nlaw : 0;
    m->setting = ZW_NEW(m->arena, zw_reader, n + nlaw + 1); /* one for zw_apply_steady */
    if (!m->setting)
        return zw_model_memory(m);
    for (int i = 0; i < n; i++) {
        m->nsetting = i + 1;
        ZW_TRY(zw_model_handle(m, NULL, read_setting(m, &m->setting[i], m->options->set[i])));
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- laws */

static zw_status restate_contact(zw_model *m, const zw_stmt *s) {
    const char *names[256];
    int n = 0;
    for (zw_stmt *old = m->tree.first; old; old = old->next) {
        if (old->kind != ZW_ST_CONTACT)
            continue;
        if (old->name == s->name) {
            update_contact(old, s);
            return ZW_OK;
        }
        if (n < 256)
            names[n++] = old->name;
    }
    if (zw_faults_is_suspect(&m->faults, s->name))
        return ZW_E_NAME;
    zw_fail_at(m->err, ZW_E_NAME, s->name_place, "there is no contact '%s'", s->name);
    const char *near = zw_nearest(s->name, n, names);
    if (near)
        zw_error_hint(m->err, "did you mean %s?", near);
    else if (n)
        zw_error_hint(m->err, "the model has %s%s", names[0], n > 1 ? " and others" : "");
    else
        zw_error_hint(m->err, "the model has no contacts");
    return ZW_E_NAME;
}

static zw_status read_law(zw_model *m, zw_reader *r, const char *text) {
    zw_stmt *s;
    *r = (zw_reader){.arena = m->arena, .names = &m->names, .err = m->err};
    r->text = zw_arena_string(m->arena, text);
    r->file = zw_arena_printf(m->arena, "--law %.*s", (int)strcspn(text, "= "), text);
    if (!r->text || !r->file)
        return zw_model_memory(m);
    r->length = strlen(r->text);
    if (!strchr(text, '=')) {
        zw_fail(m->err, ZW_E_OPTION, "--law %s: there is no '='", text);
        zw_error_hint(m->err, "--law NAME=LAW, for example --law \"floor=coulomb(mu)\"");
        return ZW_E_OPTION;
    }
    ZW_TRY(zw_lex(r));
    ZW_TRY(zw_parse_law(r, &s));
    return restate_contact(m, s);
}

zw_status zw_apply_laws(zw_model *m) {
    for (int i = 0; m->options && i < m->options->nlaw; i++) {
        zw_reader *r = &m->setting[m->nsetting++];
        ZW_TRY(zw_model_handle(m, NULL, read_law(m, r, m->options->law[i])));
    }
    return ZW_OK;
}

static zw_status read_steady(zw_model *m, zw_reader *r, const char *text) {
    zw_stmt *s;
    *r = (zw_reader){.arena = m->arena, .names = &m->names, .err = m->err, .file = "--at"};
    r->text = zw_arena_string(m->arena, text);
    if (!r->text)
        return zw_model_memory(m);
    r->length = strlen(r->text);
    ZW_TRY(zw_lex(r));
    ZW_TRY(zw_parse_motion(r, &s));
    append_statement(&m->tree, s);
    return ZW_OK;
}

zw_status zw_apply_steady(zw_model *m) {
    const char *text = m->options ? m->options->steady : NULL;
    if (!text)
        return ZW_OK;
    return zw_model_handle(m, NULL, read_steady(m, &m->setting[m->nsetting++], text));
}

/* ---------------------------------------------------------------------------------- switches */

/* true if `wanted` names this constraint: its statement (all equations), or one equation */
static bool names_constraint(const char *wanted, const char *statement, const char *full) {
    return strcmp(wanted, statement) == 0 || strcmp(wanted, full) == 0;
}

static bool is_listed(int n, const char *const *list, const zw_stmt *s, const char *full) {
    for (int i = 0; i < n; i++)
        if (names_constraint(list[i], s->name, full))
            return true;
    return false;
}

bool zw_constraint_on(const zw_model *m, const zw_stmt *s, const char *full) {
    const zw_model_options *o = m->options;
    if (o && is_listed(o->nwithout, o->without, s, full))
        return false;
    return (o && is_listed(o->nwith, o->with, s, full)) || !s->off;
}

/* true if this, or the constraint it is a part of, is in a statement with a fault */
static bool is_broken(const zw_model *m, const char *constraint) {
    for (const zw_stmt *s = m->tree.first; s; s = s->next)
        if (s->broken && s->name[0] && zw_mech_is_part(constraint, s->name))
            return true;
    for (int i = 0; i < m->faults.nsuspect; i++)
        if (zw_mech_is_part(constraint, m->faults.suspect[i]))
            return true;
    return false;
}

zw_status zw_unknown_constraint(zw_model *m, const char *name, const char *use, zw_place place) {
    const char *names[256];
    int n = 0;
    if (is_broken(m, name))
        return ZW_E_NAME;
    for (const zw_stmt *s = m->tree.first; s && n < 256; s = s->next)
        if (zw_stmt_constrains(s->kind))
            names[n++] = s->name;
    zw_fail_at(m->err, ZW_E_NAME, place, "there is no constraint '%s' %s", name, use);
    const char *near = zw_nearest(name, n, names);
    if (near)
        zw_error_hint(m->err, "did you mean %s?", near);
    else if (n)
        zw_error_hint(m->err, "the model has %s%s", names[0], n > 1 ? " and others" : "");
    else
        zw_error_hint(m->err, "the model has no constraints");
    return ZW_E_NAME;
}

static zw_status check_switch(zw_model *m, const char *wanted) {
    for (const zw_stmt *s = m->tree.first; s; s = s->next)
        if (zw_stmt_constrains(s->kind) && strcmp(s->name, wanted) == 0)
            return ZW_OK;
    for (int i = 0; i < m->sys->nconstraint; i++)
        if (strcmp(m->sys->constraint[i].name, wanted) == 0)
            return ZW_OK;
    return zw_unknown_constraint(m, wanted, "to switch", (zw_place){0});
}

static zw_status check_with(zw_model *m, const char *name) {
    const zw_model_options *o = m->options;
    ZW_TRY(check_switch(m, name));
    for (int j = 0; j < o->nwithout; j++)
        if (strcmp(name, o->without[j]) == 0)
            return zw_fail(m->err, ZW_E_OPTION, "'%s' is switched both on and off", name);
    return ZW_OK;
}

zw_status zw_check_switches(zw_model *m) {
    const zw_model_options *o = m->options;
    for (int i = 0; o && i < o->nwith; i++)
        ZW_TRY(zw_model_handle(m, NULL, check_with(m, o->with[i])));
    for (int i = 0; o && i < o->nwithout; i++)
        ZW_TRY(zw_model_handle(m, NULL, check_switch(m, o->without[i])));
    return ZW_OK;
}
