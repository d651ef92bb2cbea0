/* SPDX-License-Identifier: MIT */
/* Text files of measurements as a grid of cells with named columns, text and numbers, each with its
 * position in the file:
 *
 *   CSV   lines with # are remarks, or notes: "# key: value", "#| a further line of it"; a header
 *         "t[s],camera,x[mm]"; rows. A comma, a semicolon or a tab separates cells.
 *   TRC   positions of markers from motion capture: five lines of header, then frame, time and
 *         three numbers for each marker. Becomes the columns t, NAME.x, NAME.y, NAME.z with the
 *         unit of its header.
 *   MOT   motions (also .sto): lines up to "endheader", a line of names, rows separated by blanks
 *         or tabs. `degrees` is the value in its header.
 *
 * An empty cell is a value that was not measured. */
#ifndef ZW_DATA_CELLS_H
#define ZW_DATA_CELLS_H

#include "base/arena.h"
#include "base/text.h"

typedef enum zw_cells_kind { ZW_CELLS_CSV, ZW_CELLS_TRC, ZW_CELLS_MOT } zw_cells_kind;

typedef struct zw_cell {
    size_t at; /* in the text */
    int length;
} zw_cell;

typedef struct zw_cells {
    zw_arena arena;
    zw_text text;
    const char *path;
    zw_cells_kind kind;
    int ncolumn;
    long nrow;
    const char **name, **unit; /* unit: NULL if not given */
    size_t *header;            /* ncolumn: position of the name */
    double *factor;            /* ncolumn: to SI, by zw_cells_unit; 1 at first */
    zw_cell *cell;             /* nrow x ncolumn */
    bool degrees;              /* MOT: angles are in degrees */
    bool checked;              /* CSV: it has a checksum, which matches */
    int nnote, note_capacity;
    size_t value_length, value_capacity; /* of the last note */
    struct zw_cells_note {
        const char *key;
        char *value;
    } * note;
} zw_cells;

/* Reads a file, whose name must outlive it; alloc may be NULL. Clear it in any case. */
zw_status zw_cells_read(zw_cells *c, const char *path, const zw_allocator *alloc, zw_error *err);
/* The same in two steps: the bytes, then their meaning. */
zw_status zw_cells_load(zw_cells *c, const char *path, const zw_allocator *alloc, zw_error *err);
zw_status zw_cells_parse(zw_cells *c, zw_error *err);
void zw_cells_clear(zw_cells *c);

/* An error at a byte of the text, at a cell, at the name of a column. */
zw_status zw_cells_fail(const zw_cells *c, zw_status status, size_t at, zw_error *err,
                        const char *fmt, ...) ZW_PRINTF(5, 6);
size_t zw_cells_at(const zw_cells *c, long row, int column);
/* -1 if there is none. */
int zw_cells_find(const zw_cells *c, const char *name);
/* Converts the numbers to this SI unit ("" for plain numbers): the unit in the header must be
 * compatible, and must be given unless it is "" (bare: it may be missing, the numbers are SI
 * then). */
zw_status zw_cells_unit(zw_cells *c, int column, const char *si, bool bare, zw_error *err);
/* The SI value; NaN for an empty cell or "nan". Infinite numbers and text are errors. */
zw_status zw_cells_number(const zw_cells *c, long row, int column, double *out, zw_error *err);
/* NULL if there is none. */
const char *zw_cells_get_note(const zw_cells *c, const char *key);
/* All cells as numbers, in the units of their header, with the notes: a table that the caller
 * destroys. */
struct zw_table;
zw_status zw_cells_table(const zw_cells *c, struct zw_table **out, zw_error *err);
/* A copy without blanks and quotes around it, in the arena; NULL if memory is short. */
const char *zw_cells_word(zw_cells *c, long row, int column);

#endif
