/* SPDX-License-Identifier: MIT */
/* Reports as JSON: every value under its key; numbers that are not finite are null; an error that
 * is known stands next to its number ("period_error"), complex numbers are [re, im], matrices lists
 * of rows. The last entry, "units", gives the unit of every path of keys ("orbits.period") that has
 * one and the same unit wherever it occurs. */
#include <math.h>
#include <string.h>

#include "tree.h"

static void put_indent(zw_text *out, int depth) {
    zw_text_printf(out, "\n%*s", 2 * depth, "");
}

static void put_row(zw_text *out, int n, const double *v) {
    zw_text_put(out, "[");
    for (int i = 0; i < n; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json_number(out, v[i]);
    }
    zw_text_put(out, "]");
}

static void put_matrix(zw_text *out, const zw_node *node) {
    if (node->rows == 0) {
        put_row(out, node->columns, node->v);
        return;
    }
    zw_text_put(out, "[");
    for (int i = 0; i < node->rows; i++) {
        zw_text_put(out, i ? ", " : "");
        put_row(out, node->columns, node->v + (size_t)i * (size_t)node->columns);
    }
    zw_text_put(out, "]");
}

static void put_word(zw_text *out, const char *word) {
    if (word)
        zw_text_json(out, word);
    else
        zw_text_put(out, "null");
}

static void put_key(zw_text *out, const char *key, const char *ending) {
    zw_text_printf(out, "\"%s%s\": ", key, ending);
}

static void put_members(zw_text *out, const zw_node *node, int depth);

static void put_node(zw_text *out, const zw_node *node, int depth) {
    switch (node->kind) {
    case ZW_NODE_OBJECT:
    case ZW_NODE_LIST:
        zw_text_put(out, node->kind == ZW_NODE_LIST ? "[" : "{");
        put_members(out, node, depth);
        zw_text_put(out, node->kind == ZW_NODE_LIST ? "]" : "}");
        break;
    case ZW_NODE_NUMBER:
        zw_text_json_number(out, node->value);
        break;
    case ZW_NODE_COMPLEX: {
        double parts[2] = {node->value, node->imaginary};
        put_row(out, 2, parts);
        break;
    }
    case ZW_NODE_COUNT:
        zw_text_printf(out, "%ld", node->count);
        break;
    case ZW_NODE_FLAG:
        zw_text_put(out, node->count ? "true" : "false");
        break;
    case ZW_NODE_WORD:
        put_word(out, node->word);
        break;
    case ZW_NODE_FORMULA:
        zw_text_put(out, "{\"text\": ");
        put_word(out, node->word);
        zw_text_put(out, ", \"latex\": ");
        put_word(out, node->latex);
        zw_text_put(out, "}");
        break;
    case ZW_NODE_MATRIX:
        put_matrix(out, node);
        break;
    case ZW_NODE_WORDS:
        zw_text_put(out, "[");
        for (int i = 0; i < node->columns; i++) {
            zw_text_put(out, i ? ", " : "");
            zw_text_json(out, node->words[i]);
        }
        zw_text_put(out, "]");
        break;
    case ZW_NODE_SENTENCE:
        break;
    }
}

/* numbers of a list stand in one line, everything else in a line of its own */
static void put_members(zw_text *out, const zw_node *node, int depth) {
    bool first = true, inner = false;
    for (const zw_node *n = node->first; n; n = n->next) {
        if (n->kind == ZW_NODE_SENTENCE)
            continue;
        bool line = n->key || n->kind == ZW_NODE_OBJECT || n->kind == ZW_NODE_LIST;
        zw_text_put(out, first ? "" : line ? "," : ", ");
        if (line)
            put_indent(out, depth + 1);
        if (n->key)
            put_key(out, n->key, "");
        put_node(out, n, depth + 1);
        if (n->kind == ZW_NODE_NUMBER && n->key && n->shown.error > 0 && isfinite(n->shown.error)) {
            zw_text_put(out, ", ");
            put_key(out, n->key, "_error");
            zw_text_json_number(out, n->shown.error);
        }
        if (n->kind == ZW_NODE_MATRIX && n->error) {
            zw_text_put(out, ", ");
            put_key(out, n->key, "_error");
            put_row(out, n->columns, n->error);
        }
        first = false;
        inner |= line;
    }
    if (inner)
        put_indent(out, depth);
}

/* ------------------------------------------------------------------------------------- units */

typedef struct unit_row {
    const char *path, *unit;
    bool differs;
} unit_row;

typedef struct units {
    zw_arena *arena;
    unit_row *row;
    int n, capacity;
} units;

static void add_unit(units *u, const char *path, const char *unit) {
    for (int i = 0; i < u->n; i++)
        if (strcmp(u->row[i].path, path) == 0) {
            u->row[i].differs |= strcmp(u->row[i].unit, unit) != 0;
            return;
        }
    if (zw_arena_grow(u->arena, (void **)&u->row, u->n, &u->capacity, sizeof *u->row))
        u->row[u->n++] = (unit_row){zw_arena_string(u->arena, path), unit, false};
}

static void collect_units(units *u, const zw_node *node, const char *path) {
    for (const zw_node *n = node->first; n; n = n->next) {
        const char *below =
            n->key ? zw_arena_printf(u->arena, "%s%s%s", path, *path ? "." : "", n->key) : path;
        if (!below)
            return;
        if (n->kind == ZW_NODE_OBJECT || n->kind == ZW_NODE_LIST)
            collect_units(u, n, below);
        else if (n->shown.si_unit)
            add_unit(u, below, n->shown.si_unit);
    }
}

static bool put_units(zw_text *out, const zw_report *r) {
    zw_arena arena;
    units u = {.arena = &arena};
    bool any = false;
    zw_arena_init(&arena, &r->arena.alloc);
    collect_units(&u, &r->root, "");
    for (int i = 0; i < u.n && !arena.failed; i++) {
        if (u.row[i].differs || !u.row[i].unit[0])
            continue;
        zw_text_put(out, any ? ", " : ",\n  \"units\": {");
        any = true;
        put_key(out, u.row[i].path, "");
        zw_text_json(out, u.row[i].unit);
    }
    zw_text_put(out, any ? "}" : "");
    bool failed = arena.failed;
    zw_arena_clear(&arena);
    return !failed;
}

zw_status zw_report_json(const zw_report *r, zw_bytes *out, zw_error *err) {
    zw_text text;
    zw_text_init(&text, &r->arena.alloc);
    zw_text_put(&text, "{");
    put_members(&text, &r->root, 0);
    if (text.length > 1)
        text.length--; /* the line end before the brace */
    if (!put_units(&text, r))
        text.failed = true;
    zw_text_put(&text, "\n}\n");
    return zw_report_take(r, &text, out, err);
}
