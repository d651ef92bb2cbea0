/* SPDX-License-Identifier: MIT */
/* A folder that many processes share: chunks of work, each done once (include/zwang/survey.h
 * describes it).
 *
 *   plan               identity of the plan and the size of a chunk; made by the first process
 *   chunk-00000012.csv a finished part; chunk-00000012.csv.damaged: one that differed from what was
 *                      written, set aside
 *   claim-12.0         a process computes chunk 12; claim-12.1: the next one, because that one was
 *                      lost, ...
 *   claim-END.0        a process joins the chunks
 *   joined             this is done
 *
 * A claim contains its owner: machine (boot id and space of process numbers), process, its
 * start. The age of a claim is measured by the clock of the file system, relative to a file that
 * is touched for this, and from the time when this process saw it first: a claim with a wrong
 * date is lost too, if it is not touched for the time of a lease. */
#ifndef ZW_MANY_SWEEPS_JOURNAL_H
#define ZW_MANY_SWEEPS_JOURNAL_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "zwang/status.h"

/* The claim on a chunk when it was seen last. */
typedef struct zw_journal_sight {
    double since; /* [s], local clock: when it was first seen in this state; 0: not seen */
    int generation;
    struct timespec touched;
} zw_journal_sight;

typedef struct zw_journal {
    char folder[PATH_MAX - 80];
    char self[256];      /* this process: the content of its claims */
    char mine[PATH_MAX]; /* a file with it, to which claims are links */
    uint64_t motions, chunk, chunks;
    double lease;  /* [s] */
    uint8_t *done; /* chunks */
    uint64_t ndone;
    uint64_t next;           /* first chunk that may be free */
    bool was_joined;         /* when it was opened */
    zw_journal_sight *sight; /* chunks, then that of the end */
    char blocker[PATH_MAX];  /* the last claim that blocked this process */
    /* The present claim, touched by a separate thread. */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool beating, stop;
    char claim[PATH_MAX]; /* "" if none */
} zw_journal;

typedef enum zw_journal_answer {
    ZW_JOURNAL_CLAIMED,
    ZW_JOURNAL_BUSY, /* all remaining chunks are claimed by others */
    ZW_JOURNAL_DONE
} zw_journal_answer;

/* An existing journal must have the same identity; its chunk size is used. chunk 0: the journal
 * must exist, *out is its chunk size, ZW_E_MISSING if it does not. */
zw_status zw_journal_open(zw_journal *j, const char *folder, const char *identity, uint64_t motions,
                          uint64_t chunk, double lease, zw_error *err);
void zw_journal_close(zw_journal *j);
void zw_journal_part(const zw_journal *j, uint64_t i, uint64_t *first, uint64_t *count);
/* The name of the file of chunk i. */
void zw_journal_path(const zw_journal *j, uint64_t i, char out[PATH_MAX]);
/* Claims a chunk that is not done. One at a time. */
zw_status zw_journal_claim(zw_journal *j, uint64_t *i, zw_journal_answer *answer, zw_error *err);
/* A name in the folder for the future chunk i, to be written; then it is moved to its place. *first
 * is false if the chunk existed already. */
void zw_journal_draft(const zw_journal *j, uint64_t i, char out[PATH_MAX]);
zw_status zw_journal_put(zw_journal *j, uint64_t i, bool *first, zw_error *err);
/* Releases the claim, done or not. */
void zw_journal_release(zw_journal *j, uint64_t i);
/* The same for the joining at the end. */
zw_status zw_journal_claim_end(zw_journal *j, zw_journal_answer *answer, zw_error *err);
zw_status zw_journal_end(zw_journal *j, zw_error *err);
/* Releases the claim on it; the chunk is not done. */
void zw_journal_release_end(zw_journal *j);
/* Chunk i is damaged and must be computed again. The file is renamed. */
zw_status zw_journal_set_aside(zw_journal *j, uint64_t i, zw_error *err);

#endif
