/* SPDX-License-Identifier: MIT */
/* A part of the result of a survey, as CSV: the notes of all parts, then those of this one, with
 * space to be filled in at the end, the line of names, and rows.
 *
 *   # plan: 5f1d...                      identifies the plan
 *   # first: 100                         number of the first motion of this part
 *   # of: 1000                           motions of the plan
 *   # motions: 50                        in this part, from `first` on
 *   # rows: 50
 *   # failed: 0
 *   # stopped: 0
 *   # doubtful: 0
 *   # failure 1: 117 117 text            motion, point, reason; in chunks only
 *   # doubt: 118 118 text                the same of the first motion with a warning
 *   # checksum: 0123456789abcdef         of the whole file (src/out/files/table_checksum.h) */
#ifndef ZW_MANY_SWEEPS_CHUNK_FILE_H
#define ZW_MANY_SWEEPS_CHUNK_FILE_H

#include <stdio.h>

#include "out/files/file.h"
#include "out/files/table_checksum.h"
#include "zwang/survey.h"

typedef struct zw_survey_part {
    uint64_t first, of, motions, rows, failed, stopped, doubtful;
    int nfailure;
    zw_survey_failure failure[16];
    zw_survey_failure doubt; /* the first one, if there is one */
} zw_survey_part;

/* A part that is being written. */
typedef struct zw_survey_part_writer {
    zw_survey_part part;
    int columns;
    zw_table *table;  /* for formats that are written as a whole; NULL for CSV */
    const char *path; /* destination of the table */
    zw_out_file file;
    bool rescue;          /* if it cannot be written there, it continues in another folder */
    char where[PATH_MAX]; /* this other file; "" if not needed */
    zw_error fault;       /* reason for that */
    long safe;            /* bytes that are known to be written */
    long numbers;         /* position of its numbers; -1: they cannot be written there later, */
    FILE *waiting;        /* and the rows wait here */
    zw_out_checksum sum;
} zw_survey_part_writer;

/* head: columns and notes, which the writer copies. Writes fail late: call zw_survey_part_end. */
zw_status zw_survey_part_begin(zw_survey_part_writer *w, const char *path, const zw_table *head,
                               uint64_t first, uint64_t of, zw_error *err);
zw_status zw_survey_part_row(zw_survey_part_writer *w, const double *row, zw_error *err);
/* Are all rows written? Call it regularly, with the rows since the last call. If the disk is full,
 * the part moves to another place; if there is none, the writer gives up. */
zw_status zw_survey_part_check(zw_survey_part_writer *w, const double *rows, long n, zw_error *err);
/* Writes the counts of w->part. If the file was moved, the error names its place. */
zw_status zw_survey_part_end(zw_survey_part_writer *w, zw_error *err);
void zw_survey_part_abandon(zw_survey_part_writer *w);

/* A part that is being read: its numbers; its head without them and without the path of the model,
 * as text; and its rows. */
typedef struct zw_survey_part_reader {
    zw_survey_part part;
    const char *path;
    FILE *in;
    zw_text head;
    char *line;
    size_t capacity;
    zw_table *columns; /* empty, with names, units and notes */
    int ncolumn;
    uint64_t nrow; /* number of rows read */
    zw_out_checksum sum;
    bool summed; /* it has a checksum; false if written by an older version, or changed */
} zw_survey_part_reader;
zw_status zw_survey_part_open(zw_survey_part_reader *r, const char *path, zw_error *err);
void zw_survey_part_close(zw_survey_part_reader *r);
/* ZW_STOPPED: there are no more rows, and number of rows and checksum agree. */
zw_status zw_survey_part_next(zw_survey_part_reader *r, double *row, zw_error *err);

/* Adds the counts and failures of one part to those of another. */
void zw_survey_part_add(zw_survey_part *to, const zw_survey_part *from);
/* Is the whole file a part of that plan (columns, note `plan`), with these motions and a
 * checksum? */
zw_status zw_survey_part_verify(const char *path, const zw_table *plan, uint64_t first,
                                uint64_t motions, zw_survey_part *part, zw_error *err);
/* Joins the parts into one file; row and user as in zw_survey_files. plan: the columns and the note
 * `plan` that they must have; NULL: those of the first one. Warnings of the files are added to the
 * list, which may be NULL. */
zw_status zw_survey_part_join(int n, const char *const *path, const zw_table *plan, const char *out,
                              void (*row)(void *user, const double *row), void *user,
                              zw_survey_part *sum, zw_warnings *files, zw_error *err);

#endif
