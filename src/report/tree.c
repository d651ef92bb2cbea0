/* SPDX-License-Identifier: MIT */
/* Reports are built: nodes in an arena, in the order in which they are added. */
#include "tree.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

zw_report *zw_report_create(const zw_allocator *alloc) {
    zw_allocator own = alloc ? *alloc : zw_allocator_default();
    zw_report *r = zw_allocate(&own, sizeof *r);
    if (!r)
        return NULL;
    zw_arena_init(&r->arena, &own);
    r->root.kind = ZW_NODE_OBJECT;
    r->open = &r->root;
    return r;
}

void zw_report_destroy(zw_report *r) {
    if (!r)
        return;
    zw_allocator alloc = r->arena.alloc;
    zw_arena_clear(&r->arena);
    zw_release(&alloc, r, sizeof *r);
}

const zw_node *zw_node_find(const zw_node *object, const char *key, size_t length) {
    for (const zw_node *n = object->first; n; n = n->next)
        if (n->key && strncmp(n->key, key, length) == 0 && n->key[length] == '\0')
            return n;
    return NULL;
}

bool zw_node_is_number(const zw_node *node) {
    return node->kind == ZW_NODE_NUMBER || node->kind == ZW_NODE_COUNT ||
           node->kind == ZW_NODE_FLAG;
}

static const char *copy_string(zw_report *r, const char *s) {
    return s ? zw_arena_string(&r->arena, s) : "";
}

/* keys are snake_case, so that paths and programs can name them */
static inline bool is_key(const char *key) {
    return *key && key[strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

/* A new node of the open object or list; NULL if out of memory. */
static zw_node *add_node(zw_report *r, zw_node_kind kind, const char *key) {
    zw_node *open = r->open;
    if (r->arena.failed) /* an object that could not be opened may be missing */
        return NULL;
    assert((open->kind == ZW_NODE_LIST) == (key == NULL) || kind == ZW_NODE_SENTENCE);
    assert(!key || (is_key(key) && !zw_node_find(open, key, strlen(key))));
    zw_node *node = ZW_NEW(&r->arena, zw_node, 1);
    const char *name = key ? zw_arena_string(&r->arena, key) : NULL;
    if (r->arena.failed)
        return NULL;
    *node = (zw_node){.kind = kind, .key = name, .parent = open};
    if (open->last)
        open->last->next = node;
    else
        open->first = node;
    open->last = node;
    return node;
}

static void open_node(zw_report *r, zw_node_kind kind, const char *key) {
    zw_node *node = add_node(r, kind, key);
    if (node)
        r->open = node;
}

void zw_report_open(zw_report *r, const char *key) {
    open_node(r, ZW_NODE_OBJECT, key);
}

void zw_report_list(zw_report *r, const char *key) {
    open_node(r, ZW_NODE_LIST, key);
}

/* After a failed allocation the objects that are closed may not have been opened. */
void zw_report_close(zw_report *r) {
    assert(r->open->parent || r->arena.failed);
    if (r->open->parent)
        r->open = r->open->parent;
}

static void set_shown(zw_report *r, zw_node *node, const zw_shown *how) {
    if (how)
        node->shown = *how;
    node->shown.si_unit =
        copy_string(r, node->shown.si_unit ? node->shown.si_unit : node->shown.unit);
    node->shown.unit = copy_string(r, node->shown.unit);
    if (!(node->shown.scale > 0))
        node->shown.scale = 1;
    node->shown.none = copy_string(r, node->shown.none ? node->shown.none : "unknown");
    if (node->shown.digits <= 0)
        node->shown.digits = 10;
}

static zw_node *add_number(zw_report *r, zw_node_kind kind, const char *key, const zw_shown *how) {
    zw_node *node = add_node(r, kind, key);
    if (node)
        set_shown(r, node, how);
    return node;
}

void zw_report_number(zw_report *r, const char *key, double value, const zw_shown *how) {
    zw_node *node = add_number(r, ZW_NODE_NUMBER, key, how);
    if (node)
        node->value = value;
}

void zw_report_complex(zw_report *r, const char *key, double re, double im, const zw_shown *how) {
    zw_node *node = add_number(r, ZW_NODE_COMPLEX, key, how);
    if (!node)
        return;
    node->value = re;
    node->imaginary = im;
}

void zw_report_count(zw_report *r, const char *key, long value) {
    zw_node *node = add_node(r, ZW_NODE_COUNT, key);
    if (node)
        node->count = value;
}

void zw_report_flag(zw_report *r, const char *key, bool value) {
    zw_node *node = add_node(r, ZW_NODE_FLAG, key);
    if (node)
        node->count = value;
}

void zw_report_word(zw_report *r, const char *key, const char *word) {
    zw_node *node = add_node(r, ZW_NODE_WORD, key);
    if (node)
        node->word = word ? copy_string(r, word) : NULL;
}

void zw_report_formula(zw_report *r, const char *key, const char *text, const char *latex) {
    zw_node *node = add_node(r, ZW_NODE_FORMULA, key);
    if (!node)
        return;
    node->word = text ? copy_string(r, text) : NULL;
    node->latex = latex ? copy_string(r, latex) : NULL;
}

static const double *copy_numbers(zw_report *r, size_t n, const double *v) {
    double *copy = ZW_NEW(&r->arena, double, n + 1);
    if (copy && n > 0)
        memcpy(copy, v, sizeof(double) * n);
    return copy;
}

static void add_matrix(zw_report *r, const char *key, int rows, int columns, const double *v,
                       const double *error, const zw_shown *how) {
    size_t n = (size_t)(rows > 0 ? rows : 1) * (size_t)columns;
    assert(columns >= 0 && (v || n == 0));
    zw_node *node = add_number(r, ZW_NODE_MATRIX, key, how);
    const double *copy = copy_numbers(r, n, v), *errors = error ? copy_numbers(r, n, error) : NULL;
    if (!node || r->arena.failed)
        return;
    node->v = copy;
    node->error = errors;
    node->rows = rows;
    node->columns = columns;
}

void zw_report_vector(zw_report *r, const char *key, int n, const double *v, const double *error,
                      const zw_shown *how) {
    add_matrix(r, key, 0, n, v, error, how);
}

/* A matrix without rows is an empty list, like a vector without entries. */
void zw_report_matrix(zw_report *r, const char *key, int rows, int columns, const double *v,
                      const zw_shown *how) {
    assert(rows >= 0);
    add_matrix(r, key, rows, rows > 0 ? columns : 0, v, NULL, how);
}

static const char *const *copy_words(zw_report *r, int n, const char *const *words) {
    const char **copy = words ? ZW_NEW(&r->arena, const char *, n + 1) : NULL;
    for (int i = 0; copy && i < n; i++)
        copy[i] = copy_string(r, words[i]);
    return copy;
}

void zw_report_block(zw_report *r, const char *key, int rows, int columns, const double *v,
                     const zw_report_names *names, const zw_shown *how) {
    zw_report_matrix(r, key, rows, columns, v, how);
    zw_report_names *own = ZW_NEW(&r->arena, zw_report_names, 1);
    if (!own || r->arena.failed)
        return;
    *own = (zw_report_names){
        .title = copy_string(r, names->title),
        .row = copy_words(r, rows, names->row),
        .column = copy_words(r, columns, names->column),
        .row_latex = copy_words(r, rows, names->row_latex),
        .column_latex = copy_words(r, columns, names->column_latex),
        .shown = copy_numbers(r, (size_t)rows * (size_t)columns, names->shown ? names->shown : v)};
    r->open->last->names = own;
}

void zw_report_complexes(zw_report *r, const char *key, int n, const double *re, const double *im,
                         const zw_shown *how) {
    zw_node *node = add_number(r, ZW_NODE_MATRIX, key, how);
    double *parts = ZW_NEW(&r->arena, double, 2 * (size_t)n + 1);
    if (!node || !parts)
        return;
    for (int i = 0; i < n; i++) {
        parts[2 * i] = re[i];
        parts[2 * i + 1] = im[i];
    }
    node->v = parts;
    node->rows = n;
    node->columns = n > 0 ? 2 : 0;
    node->complex = true;
}

void zw_report_words(zw_report *r, const char *key, int n, const char *const *words) {
    zw_node *node = add_node(r, ZW_NODE_WORDS, key);
    const char *const *copy = copy_words(r, n, words);
    if (!node || (n > 0 && !copy))
        return;
    node->words = copy;
    node->columns = n;
}

void zw_report_say(zw_report *r, const char *template_text) {
    zw_node *node = r->muted ? NULL : add_node(r, ZW_NODE_SENTENCE, NULL);
    if (node)
        node->word = copy_string(r, template_text);
}

bool zw_report_mute(zw_report *r, bool muted) {
    bool before = r->muted;
    r->muted = muted;
    return before;
}

void zw_report_fail(zw_report *r) {
    r->arena.failed = true;
}

/* ----------------------------------------------------------------------------- values by path */

static const zw_node *item_of(const zw_node *list, long number) {
    for (const zw_node *n = list->first; n; n = n->next)
        if (n->kind != ZW_NODE_SENTENCE && number-- == 0)
            return n;
    return NULL;
}

static const zw_node *node_at(const zw_report *r, const char *path) {
    const zw_node *node = &r->root;
    while (node && *path) {
        size_t length = strcspn(path, ".");
        if (node->kind == ZW_NODE_LIST)
            node = item_of(node, strtol(path, NULL, 10));
        else
            node = zw_node_find(node, path, length);
        path += length + (path[length] == '.');
    }
    return node;
}

double zw_report_get_number(const zw_report *r, const char *path) {
    const zw_node *node = node_at(r, path);
    if (!node || !zw_node_is_number(node))
        return NAN;
    return node->kind == ZW_NODE_NUMBER ? node->value : (double)node->count;
}

const char *zw_report_get_word(const zw_report *r, const char *path) {
    const zw_node *node = node_at(r, path);
    return node && (node->kind == ZW_NODE_WORD || node->kind == ZW_NODE_FORMULA) ? node->word
                                                                                 : NULL;
}

zw_status zw_report_take(const zw_report *r, zw_text *text, zw_bytes *out, zw_error *err) {
    text->failed |= r->arena.failed;
    return zw_text_bytes(text, out, "a report", err);
}
