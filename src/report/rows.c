/* SPDX-License-Identifier: MIT */
/* A list of objects as a table. */
#include <math.h>
#include <string.h>

#include "tree.h"

static const zw_node *find_list(const zw_report *r, const char *path) {
    const zw_node *node = &r->root;
    while (node && *path) {
        size_t length = strcspn(path, ".");
        node = node->kind == ZW_NODE_OBJECT ? zw_node_find(node, path, length) : NULL;
        path += length + (path[length] == '.');
    }
    return node && node->kind == ZW_NODE_LIST ? node : NULL;
}

/* a column for each key of a number, in the order of their first occurrence */
static zw_status make_columns(zw_table *t, const zw_node *list) {
    for (const zw_node *item = list->first; item; item = item->next)
        for (const zw_node *n = item->first; n; n = n->next)
            if (n->key && zw_node_is_number(n) && zw_table_find(t, n->key) < 0)
                ZW_TRY(zw_table_column(t, n->key, n->shown.si_unit ? n->shown.si_unit : ""));
    return ZW_OK;
}

static zw_status fill_rows(zw_table *t, const zw_node *list, zw_arena *arena) {
    int columns = zw_table_columns(t);
    double *row = ZW_NEW(arena, double, columns + 1);
    if (!row)
        return ZW_E_MEMORY;
    for (const zw_node *item = list->first; item; item = item->next) {
        if (item->kind != ZW_NODE_OBJECT)
            continue;
        for (int j = 0; j < columns; j++) {
            const char *key = zw_table_name(t, j);
            const zw_node *n = zw_node_find(item, key, strlen(key));
            row[j] = !n || !zw_node_is_number(n) ? NAN
                     : n->kind == ZW_NODE_NUMBER ? n->value
                                                 : (double)n->count;
        }
        ZW_TRY(zw_table_row(t, row));
    }
    return ZW_OK;
}

zw_status zw_report_rows(const zw_report *r, const char *list, zw_table **out, zw_error *err) {
    const zw_node *node = find_list(r, list);
    zw_arena scratch;
    *out = NULL;
    if (!node)
        return zw_fail(err, ZW_E_NAME, "the report has no list '%s'", list);
    zw_table *t = zw_table_create(&r->arena.alloc);
    zw_arena_init(&scratch, &r->arena.alloc);
    zw_status status = t ? make_columns(t, node) : ZW_E_MEMORY;
    if (status >= 0)
        status = fill_rows(t, node, &scratch);
    if (status < 0 || r->arena.failed) {
        zw_table_destroy(t);
        t = NULL;
        status = zw_out_of_memory(err, "a table of a report");
    }
    zw_arena_clear(&scratch);
    *out = t;
    return status;
}
