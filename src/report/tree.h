/* SPDX-License-Identifier: MIT */
/* The tree of a report. */
#ifndef ZW_REPORT_TREE_H
#define ZW_REPORT_TREE_H

#include "base/arena.h"
#include "base/text.h"
#include "zwang/report.h"

typedef enum zw_node_kind {
    ZW_NODE_OBJECT,
    ZW_NODE_LIST,
    ZW_NODE_NUMBER,
    ZW_NODE_COMPLEX,
    ZW_NODE_COUNT,
    ZW_NODE_FLAG,
    ZW_NODE_WORD,
    ZW_NODE_FORMULA,
    ZW_NODE_MATRIX, /* rows 0: a vector */
    ZW_NODE_WORDS,
    ZW_NODE_SENTENCE
} zw_node_kind;

typedef struct zw_node zw_node;
struct zw_node {
    zw_node_kind kind;
    const char *key; /* NULL: item of a list, sentence, root */
    zw_node *parent, *next, *first, *last;
    double value, imaginary;  /* NUMBER, COMPLEX */
    long count;               /* COUNT, FLAG */
    zw_shown shown;           /* of numbers; strings in the arena, no NULL */
    const char *word, *latex; /* WORD, FORMULA, SENTENCE; NULL: null */
    int rows, columns;
    bool complex;                 /* MATRIX: its rows are [re, im] */
    const zw_report_names *names; /* MATRIX; NULL: none */
    const double *v, *error;      /* error: of each entry; NULL: unknown */
    const char *const *words;
};

struct zw_report {
    zw_arena arena;
    zw_node root, *open;
    bool muted;
};

/* The value with this key of an object; NULL: none. length: of the key. */
const zw_node *zw_node_find(const zw_node *object, const char *key, size_t length);
/* Is it a value: neither a sentence nor a container? */
bool zw_node_is_number(const zw_node *node);
/* The text of a writer as bytes of the caller; ZW_E_MEMORY if the report or the text failed. */
zw_status zw_report_take(const zw_report *r, zw_text *text, zw_bytes *out, zw_error *err);

#endif
