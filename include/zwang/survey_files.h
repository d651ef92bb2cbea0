/* SPDX-License-Identifier: MIT */
/* Implemented in src/many/sweeps. */
/* The files of a survey: one result, parts of it from many processes, and a journal that survives all of them.
 *
 * A result in CSV is written while it is computed and appears under its name when it is done: complete, or up to where
 * the user has stopped it, which its notes tell. What it holds is a function of the plan alone: a result that was joined from
 * parts has the same bytes.
 *
 * A journal is a folder that any number of processes share, on one machine or on many with a common file system. It has
 * the plan, and chunks of neighbouring motions, each a file that appears complete. A process claims a chunk by making
 * a file that only one can make (a hard link to a name), keeps its claim alive by touching it every few seconds, computes,
 * and puts the chunk there by another link, which fails if it is there already. A claim whose process is gone (same machine)
 * or that nobody has touched for the time of a lease (other machine) is taken over by the claim of the next generation, which
 * again only one can make. So a process may die at any moment: the others take over its chunk, and nothing that was done is
 * lost. When all chunks are there one process, claimed in the same way, reads all of them and joins them; those whose
 * checksums do not match are computed again first. */
#ifndef ZWANG_SURVEY_FILES_H
#define ZWANG_SURVEY_FILES_H

#include "survey.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_survey_files {
    size_t size;         /* of this struct, for the library */
    const char *out;     /* .csv, .json, .h5, "-"; with a journal NULL: it is not joined */
    const char *range;   /* "3/16": this part alone; NULL: all */
    const char *journal; /* folder; NULL: none */
    bool resume;         /* the journal may be there already */
    int worker,
        workers; /* number of this process and how many there are, if that is known: where it begins to look */
    uint64_t chunk; /* motions of a chunk; 0: chosen from a trial */
    double lease;   /* s; 0: 60 */
    const volatile sig_atomic_t *interrupt;
    /* done motions of all that there are, of the whole journal; from one thread */
    void (*progress)(void *user, uint64_t done, uint64_t all);
    /* all remaining chunks are claimed by others; called about every second with one of these claims and the waiting time [s] so far */
    void (*waiting)(void *user, const char *claim, double seconds);
    /* rows in the order of the result, from one thread; of a journal only to the process that joins it */
    void (*row)(void *user, const double *row);
    void *user;
} zw_survey_files;

typedef struct zw_survey_report {
    uint64_t motions; /* in the result, */
    uint64_t of;      /* of so many in the plan or its part */
    uint64_t here;    /* computed by this process */
    uint64_t rows, failed, stopped;
    int nfailure;
    zw_survey_failure failure[16];
    uint64_t doubtful;
    zw_survey_failure doubt; /* the first one */
    double seconds;
    bool joined;      /* this process has written the result */
    uint64_t damaged; /* number of damaged chunks, which were renamed and computed again */
    zw_error damage;  /* the damage of the first one */
} zw_survey_report;

ZW_API void zw_survey_files_init(zw_survey_files *files, size_t size);
static inline zw_survey_files zw_survey_files_default(void) {
    zw_survey_files f;
    zw_survey_files_init(&f, sizeof f);
    return f;
}

/* Compute and write. ZW_STOPPED: interrupted; what is done is there. Failed motions are counted in the report. */
ZW_API zw_status zw_survey_write(zw_survey *s, const zw_survey_files *files,
                                 zw_survey_report *report, zw_error *err);
/* One result from parts of one plan, in any order. Gaps, overlaps and parts of other plans are errors that name them; parts of
 * another version or without checksums add warnings to `files` (may be NULL). */
ZW_API zw_status zw_survey_join(int n, const char *const *path, const char *out,
                                void (*row)(void *user, const double *row), void *user,
                                zw_survey_report *report, zw_doubts *files, zw_error *err);

/* What so many motions will take, from a trial of some (half a second, or one motion up to three), made once. */
typedef struct zw_survey_estimate {
    uint64_t tried;
    double seconds; /* of one motion, with all threads; a lower bound if none was finished */
    bool at_least;
    double total; /* s, of all of them in this process */
    double bytes; /* of the result in CSV */
    double memory;
} zw_survey_estimate;
ZW_API zw_status zw_survey_try(zw_survey *s, uint64_t motions, zw_survey_estimate *out,
                               zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
