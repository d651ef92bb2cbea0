/* SPDX-License-Identifier: MIT */
/* A part of the result of a survey, as CSV: the notes of all parts, then those of this one, with
 * room to be set when it is done, the line of names and rows.
 *
 *   # plan: 5f1d...                      what identifies the plan
 *   # first: 100                         number of the first motion of this part
 *   # of: 1000                           motions of the plan
 *   # motions: 50                        in this part, from `first` on
 *   # rows: 50
 *   # failed: 0
 *   # stopped: 0
 *   # doubtful: 0
 *   # failure 1: 117 117 text            motion, point, why; of chunks only
 *   # doubt: 118 118 text                the same of the first doubtful motion
 *   # checksum: 0123456789abcdef         of all of it (src/out/files/table_checksum.h) */
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
    zw_survey_failure doubt; /* the first one, if there are some */
} zw_survey_part;

/* One that is being written. */
typedef struct zw_survey_part_writer {
    zw_survey_part part;
    int columns;
    zw_table *table;  /* of formats that are written as a whole; NULL: it is CSV */
    const char *path; /* where it goes then */
    zw_out_file file;
    bool rescue;          /* if it cannot be written there, it continues in another folder */
    char where[PATH_MAX]; /* in this file, "" if not, */
    zw_error fault;       /* reason for that */
    long safe;            /* bytes that are known to be written */
    long numbers;         /* where its numbers stand; -1: it cannot go back there, */
    FILE *waiting;        /* and rows wait here */
    zw_out_checksum sum;
} zw_survey_part_writer;

/* head: columns and notes, of which the writer keeps a copy. Writes fail late: ask
 * zw_survey_part_end. */
zw_status zw_survey_part_begin(zw_survey_part_writer *w, const char *path, const zw_table *head,
                               uint64_t first, uint64_t of, zw_error *err);
zw_status zw_survey_part_row(zw_survey_part_writer *w, const double *row, zw_error *err);
/* Are all rows written? Call it now and then, with the rows since the last call. If the disk is
 * full, the part moves to another place; if there is none, the writer gives up. */
zw_status zw_survey_part_check(zw_survey_part_writer *w, const double *rows, long n, zw_error *err);
/* Writes the counts of w->part. If the file was moved, the error says where it is. */
zw_status zw_survey_part_end(zw_survey_part_writer *w, zw_error *err);
void zw_survey_part_abandon(zw_survey_part_writer *w);

/* One that is there: its numbers; its head without them and without the path of the model, as text;
 * and its rows. */
typedef struct zw_survey_part_reader {
    zw_survey_part part;
    const char *path;
    FILE *in;
    zw_text head;
    char *line;
    size_t capacity;
    zw_table *columns; /* empty, with names, units and notes */
    int ncolumn;
    uint64_t nrow; /* read so far */
    zw_out_checksum sum;
    bool summed; /* it has a checksum; false: written by an older Zwang, or changed */
} zw_survey_part_reader;
zw_status zw_survey_part_open(zw_survey_part_reader *r, const char *path, zw_error *err);
void zw_survey_part_close(zw_survey_part_reader *r);
/* ZW_STOPPED: there is no more, and the file is what was written, by its number of rows and its
 * checksum. */
zw_status zw_survey_part_next(zw_survey_part_reader *r, double *row, zw_error *err);

/* Counts and failures of one added to those of another. */
void zw_survey_part_add(zw_survey_part *to, const zw_survey_part *from);
/* Is the whole file a part of that plan (columns, note `plan`), with these motions and a
 * checksum? */
zw_status zw_survey_part_verify(const char *path, const zw_table *plan, uint64_t first,
                                uint64_t motions, zw_survey_part *part, zw_error *err);
/* The parts into one file; row and user as in zw_survey_files. plan: the columns and the note
 * `plan` that they must have; NULL: those of the first one. doubts of the files go into the list,
 * which may be NULL. */
zw_status zw_survey_part_join(int n, const char *const *path, const zw_table *plan, const char *out,
                              void (*row)(void *user, const double *row), void *user,
                              zw_survey_part *sum, zw_warnings *files, zw_error *err);

#endif
