/* SPDX-License-Identifier: MIT */
/* A survey computed block by block into a file, or chunk by chunk into a journal. The result
 * depends neither on the size of a block nor on who computes it. */
#include "zwang/survey.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/decimal.h"
#include "base/flag.h"
#include "base/option.h"
#include "chunk_file.h"
#include "journal.h"
#include "survey.h"

/* duration of a block: interruptions and progress are handled between blocks, */
#define BLOCK_SECONDS 1.
#define BLOCK_BYTES 64e6 /* and its largest size in memory */
/* the same of a chunk: small against the loss of one, large against the cost of a claim */
#define CHUNK_SECONDS 2.
/* motions of a trial run for this time, enough to estimate the rest to some percent, */
#define TRIAL_SECONDS 0.4
#define TRIAL_LIMIT 3. /* and the first one not longer than this */
/* [s] between checks of an interruption, below what a user notices */
#define POLL_SECONDS 0.02
#define SECONDS_PER_NS 1e-9 /* unit */
#define NS_PER_SECOND 1e9   /* unit */
#define FIRST_WAIT 0.01     /* [s]: first wait for chunks of other processes */
#define CLAIM_WAIT 0.05     /* [s] between checks of the joining by another process */
enum {
    BLOCK_MOST = 1 << 20,   /* motions of a block */
    CHUNKS_MOST = 20000,    /* files of a journal */
    CHUNKS_PER_WORKER = 16, /* so that all processes end at about the same time */
    NUMBER_BYTES = 19,      /* of a number in CSV */
    /* damaged chunks that are computed again; more: the disk is unreliable */
    DAMAGED_MOST = 10
};

void zw_survey_files_init(zw_survey_files *files, size_t size) {
    const zw_survey_files fallback = {.size = sizeof fallback, .workers = 1};
    zw_options_begin(files, size, &fallback, sizeof fallback);
}

static double monotonic_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + SECONDS_PER_NS * (double)t.tv_nsec;
}

static void pause_for(double s) {
    struct timespec t = {(time_t)s, (long)(NS_PER_SECOND * (s - floor(s)))};
    nanosleep(&t, NULL);
}

/* ---- interruption ---- */

/* Ends a trial that takes too long. */
typedef struct interruption_watch {
    zw_survey *s;
    double until;
    _Atomic bool end;
    pthread_t thread;
    bool runs;
} interruption_watch;

static void *watch_time(void *data) {
    interruption_watch *g = data;
    while (!atomic_load(&g->end)) {
        if (monotonic_seconds() > g->until)
            zw_flag_raise(&g->s->stop);
        pause_for(POLL_SECONDS);
    }
    return NULL;
}

static void begin_watch(interruption_watch *g, zw_survey *s, double until) {
    *g = (interruption_watch){.s = s, .until = until};
    s->stop = 0;
    g->runs = pthread_create(&g->thread, NULL, watch_time, g) == 0;
}

static void end_watch(interruption_watch *g) {
    atomic_store(&g->end, true);
    if (g->runs)
        pthread_join(g->thread, NULL);
    g->s->stop = 0;
}

/* -------------------------------------------------------------------------------------- a trial */

/* Size of the rows of a block in CSV. */
static double bytes_of(const zw_survey *s, const zw_survey_block *b) {
    char text[ZW_DECIMAL_MAX];
    double bytes = 0;
    for (long i = 0; i < b->nrow * zw_survey_columns(s); i++)
        bytes += zw_decimal(text, b->row[i]) + 1;
    return bytes;
}

/* More and more motions from the middle of the plan, after the first one, which may wait for
 * compilers. */
static zw_status try_some(zw_survey *s, zw_error *err) {
    double begin = monotonic_seconds();
    interruption_watch g;
    zw_status status = ZW_OK;
    uint64_t all = zw_survey_motions(s), step = 1;
    begin_watch(&g, s, begin + TRIAL_LIMIT);
    while (status == ZW_OK && s->trial_seconds < TRIAL_SECONDS && s->tried < all) {
        zw_survey_block b;
        uint64_t n = step < all ? step : all;
        status = zw_survey_run(s, s->tried ? (all - n) / 2 : 0, n, &b, err);
        s->tried += b.motions;
        s->tried_rows += (uint64_t)b.nrow;
        s->tried_bytes += bytes_of(s, &b);
        s->trial_seconds = monotonic_seconds() - begin;
        zw_survey_block_clear(&b);
        step *= 2;
    }
    end_watch(&g);
    return status < 0 ? status : ZW_OK;
}

zw_status zw_survey_try(zw_survey *s, uint64_t motions, zw_survey_estimate *out, zw_error *err) {
    *out = (zw_survey_estimate){0};
    if (s->trial_seconds <= 0)
        ZW_TRY(try_some(s, err));
    double n = (double)motions, tried = s->tried ? (double)s->tried : 1;
    double rows = s->tried ? (double)s->tried_rows / tried : (double)zw_survey_rows(s);
    double numbers = rows * n * zw_survey_columns(s);
    out->tried = s->tried;
    out->at_least = s->tried == 0;
    out->seconds = s->trial_seconds / tried;
    out->total = out->seconds * n;
    out->bytes = s->tried ? s->tried_bytes / tried * n : numbers * NUMBER_BYTES;
    out->memory = numbers * (double)sizeof(double);
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------- one process */

typedef struct work {
    zw_survey *s;
    const zw_survey_files *f;
    zw_survey_report *report;
    uint64_t base;   /* done by all before the present chunk of a journal, */
    uint64_t before; /* and before the present block */
    uint64_t block;  /* motions of that */
    uint64_t all;
} work;

/* done: of the present block */
static bool ask_stop(void *user, double done) {
    const work *w = user;
    double all = (double)w->before + done * (double)w->block;
    return w->f->stop && w->f->stop(w->f->user, w->all > 0 ? fmin(1, all / (double)w->all) : 1);
}

/* between two blocks */
static bool is_stopped(work *w) {
    w->block = 0;
    if (ask_stop(w, 0))
        zw_flag_raise(&w->s->stop);
    return zw_flag_is_up(&w->s->stop);
}

static void count_block(zw_survey_part *p, const zw_survey_block *b) {
    zw_survey_part one = {.motions = b->motions, .failed = b->failed, .stopped = b->stopped};
    one.nfailure = b->nfailure;
    memcpy(one.failure, b->failure, sizeof one.failure);
    one.doubtful = b->doubtful;
    one.doubt = b->doubt;
    zw_survey_part_add(p, &one);
}

static zw_status put_rows(work *w, zw_survey_part_writer *out, const zw_survey_block *b,
                          bool reported, zw_error *err) {
    int n = zw_survey_columns(w->s);
    for (long i = 0; i < b->nrow; i++) {
        ZW_TRY(zw_survey_part_row(out, b->row + i * n, err));
        if (reported && w->f->row)
            w->f->row(w->f->user, b->row + i * n);
    }
    count_block(&out->part, b);
    return ZW_OK;
}

/* The next block takes about BLOCK_SECONDS if the last one took `seconds`. */
static uint64_t next_block(const work *w, uint64_t last, double seconds) {
    double rows = fmax((double)zw_survey_rows(w->s), 1);
    double most = fmin(BLOCK_BYTES / (rows * 8 * zw_survey_columns(w->s)), BLOCK_MOST);
    zw_ensemble_info info;
    zw_survey_statistics(w->s, &info, sizeof info);
    double least = 8. * info.threads * (info.lanes > 1 ? info.lanes : 1);
    double n = seconds > 0 ? (double)last * fmin(BLOCK_SECONDS / seconds, 8) : least;
    return (uint64_t)fmax(fmin(fmax(n, least), most), 1);
}

static zw_status run_blocks(work *w, zw_survey_part_writer *out, uint64_t first, uint64_t count,
                            zw_error *err) {
    uint64_t done = 0, n = next_block(w, 0, 0);
    zw_status status = ZW_OK;
    while (done < count && status == ZW_OK) {
        zw_survey_block b;
        n = n < count - done ? n : count - done;
        w->before = w->base + done;
        w->block = n;
        double start = monotonic_seconds();
        status = zw_survey_run(w->s, first + done, n, &b, err);
        zw_status put = status >= 0 ? put_rows(w, out, &b, true, err) : status;
        if (put >= 0)
            put = zw_survey_part_check(out, b.row, b.nrow, err);
        done += b.motions;
        zw_survey_block_clear(&b);
        ZW_TRY(put);
        n = next_block(w, n, monotonic_seconds() - start);
    }
    return status;
}

static void report_part(zw_survey_report *r, const zw_survey_part *p) {
    r->motions = p->motions;
    r->rows = p->rows;
    r->failed = p->failed;
    r->doubtful = p->doubtful;
    r->doubt = p->doubt;
    r->stopped = p->stopped;
    r->nfailure = p->nfailure;
    memcpy(r->failure, p->failure, sizeof r->failure);
}

/* Finished rows are written, stopped or not. */
static zw_status write_plain(work *w, const zw_plan_part *range, const zw_table *head,
                             zw_error *err) {
    zw_survey_part_writer *out = calloc(1, sizeof *out);
    if (!out)
        return zw_out_of_memory(err, NULL);
    out->rescue = true;
    zw_status status =
        zw_survey_part_begin(out, w->f->out, head, range->first, zw_survey_motions(w->s), err);
    bool begun = status >= 0;
    if (begun)
        status = run_blocks(w, out, range->first, range->count, err);
    w->report->here = out->part.motions;
    report_part(w->report, &out->part);
    if (begun && status < 0)
        zw_survey_part_abandon(out);
    else if (begun && status == ZW_STOPPED && (w->f->range || out->part.rows == 0)) {
        zw_survey_part_abandon(
            out); /* a part is complete or absent; nothing replaces no old result */
    } else if (begun) {
        zw_status end = zw_survey_part_end(out, err);
        w->report->joined = end >= 0;
        status = end < 0 ? end : status;
    }
    free(out);
    return status;
}

/* ------------------------------------------------------------------------------------- journals */

static zw_status do_chunk(work *w, zw_journal *j, uint64_t i, const zw_table *head, zw_error *err) {
    char draft[PATH_MAX];
    uint64_t first, count;
    zw_survey_block b;
    bool mine;
    zw_journal_part(j, i, &first, &count);
    zw_journal_draft(j, i, draft);
    zw_status status = zw_survey_run(w->s, first, count, &b, err);
    if (status == ZW_OK) {
        zw_survey_part_writer *out = calloc(1, sizeof *out);
        status = out ? ZW_OK : zw_out_of_memory(err, NULL);
        if (out) { /* its numbers are known in advance: the head contains them and the failures */
            out->part.nfailure = b.nfailure;
            memcpy(out->part.failure, b.failure, sizeof b.failure);
            out->part.doubtful = b.doubtful;
            out->part.doubt = b.doubt;
            status = zw_survey_part_begin(out, draft, head, first, zw_survey_motions(w->s), err);
            out->part.nfailure = 0;
            out->part.doubtful = 0;
        }
        bool begun = status >= 0;
        if (begun)
            status = put_rows(w, out, &b, false, err);
        if (begun && status < 0)
            zw_survey_part_abandon(out);
        if (status >= 0)
            status = zw_survey_part_end(out, err);
        free(out);
        if (status >= 0)
            status = zw_journal_put(j, i, &mine, err);
        w->report->here += status >= 0 ? count : 0;
    }
    if (status != ZW_OK) /* another process may do it */
        zw_journal_release(j, i);
    zw_survey_block_clear(&b);
    return status;
}

static void report_waiting(work *w, const zw_journal *j, double since) {
    if (w->f->waiting && monotonic_seconds() - since >= 1)
        w->f->waiting(w->f->user, j->blocker, monotonic_seconds() - since);
}

static zw_status work_off(work *w, zw_journal *j, const zw_table *head, zw_error *err) {
    zw_journal_answer answer = ZW_JOURNAL_BUSY;
    double wait = FIRST_WAIT, since = monotonic_seconds();
    while (answer != ZW_JOURNAL_DONE) {
        uint64_t i;
        if (is_stopped(w))
            return ZW_STOPPED;
        ZW_TRY(zw_journal_claim(j, &i, &answer, err));
        w->base = w->before = j->ndone * j->chunk < w->all ? j->ndone * j->chunk : w->all;
        if (answer == ZW_JOURNAL_CLAIMED) {
            zw_status status = do_chunk(w, j, i, head, err);
            if (status != ZW_OK)
                return status;
            wait = FIRST_WAIT;
            since = monotonic_seconds();
            /* the other processes may be lost: check again and again */
        } else if (answer == ZW_JOURNAL_BUSY) {
            report_waiting(w, j, since);
            pause_for(wait);
            wait = fmin(2 * wait, 1);
        }
    }
    return ZW_OK;
}

static zw_status join_chunks(work *w, zw_journal *j, zw_error *err) {
    char **path = calloc(j->chunks, sizeof *path);
    zw_survey_part sum;
    zw_status status = path ? ZW_OK : zw_out_of_memory(err, NULL);
    for (uint64_t i = 0; i < j->chunks && status >= 0; i++) {
        char name[PATH_MAX];
        zw_journal_path(j, i, name);
        path[i] = strdup(name);
        if (!path[i])
            status = zw_out_of_memory(err, NULL);
    }
    if (status >= 0)
        status = zw_survey_part_join((int)j->chunks, (const char *const *)path, w->s->table,
                                     w->f->out, w->f->row, w->f->user, &sum, NULL, err);
    if (status >= 0) {
        report_part(w->report, &sum);
        w->report->joined = true;
    }
    for (uint64_t i = 0; path && i < j->chunks; i++)
        free(path[i]);
    free(path);
    return status;
}

/* Verifies all chunks before they are joined. ZW_RETRY: some were damaged, and must be computed
 * again. */
static zw_status verify_chunks(work *w, zw_journal *j, zw_error *err) {
    zw_survey_part sum = {0};
    uint64_t damaged = w->report->damaged;
    for (uint64_t i = 0; i < j->chunks; i++) {
        char name[PATH_MAX];
        uint64_t first, count;
        zw_survey_part part;
        zw_error fault = {0};
        zw_journal_path(j, i, name);
        zw_journal_part(j, i, &first, &count);
        zw_status status = zw_survey_part_verify(name, w->s->table, first, count, &part, &fault);
        if (status >= 0) {
            zw_survey_part_add(&sum, &part);
            continue;
        }
        if (status == ZW_E_MEMORY || w->report->damaged > j->chunks + DAMAGED_MOST) {
            if (err && err->status >= 0)
                *err = fault;
            return status;
        }
        if (w->report->damaged++ == 0)
            w->report->damage = fault;
        ZW_TRY(zw_journal_set_aside(j, i, err));
    }
    report_part(w->report, &sum);
    return w->report->damaged > damaged ? ZW_RETRY : ZW_OK;
}

static zw_status verify_and_join(work *w, zw_journal *j, zw_error *err) {
    zw_status status = verify_chunks(w, j, err);
    return status == ZW_OK ? join_chunks(w, j, err) : status;
}

static zw_status finish_survey(work *w, zw_journal *j, zw_error *err) {
    zw_journal_answer answer = ZW_JOURNAL_BUSY;
    double since = monotonic_seconds();
    w->report->motions = w->all;
    if (!w->f->out)
        return verify_chunks(w, j, err);
    /* Requested again, perhaps under another name: joined once more, by one process. */
    if (j->was_joined)
        return w->f->worker == 0 ? verify_and_join(w, j, err) : ZW_OK;
    while (answer != ZW_JOURNAL_DONE) {
        if (is_stopped(w))
            return ZW_STOPPED;
        ZW_TRY(zw_journal_claim_end(j, &answer, err));
        if (answer == ZW_JOURNAL_CLAIMED) {
            zw_status status = verify_and_join(w, j, err);
            if (status == ZW_OK)
                return zw_journal_end(j, err);
            zw_journal_release_end(j);
            return status;
        }
        if (answer == ZW_JOURNAL_BUSY) {
            report_waiting(w, j, since);
            pause_for(CLAIM_WAIT);
        }
    }
    return ZW_OK;
}

static uint64_t choose_chunk(zw_survey *s, const zw_survey_files *f, zw_error *err) {
    zw_survey_estimate e;
    uint64_t all = zw_survey_motions(s);
    if (f->chunk)
        return f->chunk;
    if (zw_survey_try(s, all, &e, err) < 0)
        return 0;
    double workers = f->workers > 1 ? f->workers : 2;
    double n = e.seconds > 0 ? CHUNK_SECONDS / e.seconds : 1000;
    double rows = fmax((double)zw_survey_rows(s), 1);
    n = fmin(n, (double)all / (workers * CHUNKS_PER_WORKER));
    n = fmin(n, 4 * BLOCK_BYTES / (rows * 8 * zw_survey_columns(s)));
    n = fmax(n, (double)all / CHUNKS_MOST);
    return (uint64_t)fmax(n, 1);
}

static zw_status open_journal(work *w, zw_journal *j, zw_error *err) {
    const zw_survey_files *f = w->f;
    const char *identity = zw_survey_identity(w->s);
    zw_status status = zw_journal_open(j, f->journal, identity, w->all, 0, f->lease, err);
    if (status >= 0 && !f->resume) {
        zw_journal_close(j);
        zw_fail(err, ZW_E_OPTION, "the journal '%s' exists already", f->journal);
        zw_error_hint(err, "--resume continues it");
        return ZW_E_OPTION;
    }
    if (status != ZW_E_MISSING)
        return status;
    uint64_t chunk = choose_chunk(w->s, f, err);
    if (chunk == 0)
        return err && err->status < 0 ? err->status : ZW_E_OPTION;
    return zw_journal_open(j, f->journal, identity, w->all, chunk, f->lease, err);
}

static zw_status write_journal(work *w, const zw_table *head, zw_error *err) {
    zw_journal *j = calloc(1, sizeof *j);
    if (!j)
        return zw_out_of_memory(err, NULL);
    zw_status status = open_journal(w, j, err);
    if (status >= 0) {
        if (w->f->workers > 1)
            j->next = j->chunks * (uint64_t)w->f->worker / (uint64_t)w->f->workers;
        do {
            status = work_off(w, j, head, err);
            if (status == ZW_OK)
                status = finish_survey(w, j, err);
        } while (status == ZW_RETRY);
        zw_journal_close(j);
    }
    free(j);
    return status;
}

/* ---- the whole survey ---- */

static zw_status check_files(const zw_survey_files *f, zw_error *err) {
    if (f->range && f->journal)
        return zw_fail(err, ZW_E_OPTION,
                       "--range and --journal are two ways to share the work: take one");
    if (!f->out && !f->journal)
        return zw_fail(err, ZW_E_OPTION, "a result needs a place: --out FILE");
    if (f->range && f->out) {
        const char *dot = strrchr(f->out, '.');
        if (!dot || strcmp(dot, ".csv") != 0)
            return zw_fail(err, ZW_E_OPTION, "--range: a part is written as .csv, to be joined");
    }
    if (f->resume && !f->journal)
        return zw_fail(err, ZW_E_OPTION, "--resume continues a journal: give --journal FOLDER");
    return f->out ? zw_table_can_write(f->out, err) : ZW_OK;
}

static zw_status write_all(work *w, const zw_plan_part *range, zw_error *err) {
    zw_table *head;
    ZW_TRY(zw_survey_table(w->s, &head, err));
    w->s->stop = 0;
    w->s->ask = ask_stop;
    w->s->ask_user = w;
    zw_status status =
        w->f->journal ? write_journal(w, head, err) : write_plain(w, range, head, err);
    w->s->ask = NULL;
    w->s->ask_user = NULL;
    w->s->stop = 0;
    zw_table_destroy(head);
    return status;
}

zw_status zw_survey_write(zw_survey *s, const zw_survey_files *files, zw_survey_report *report,
                          zw_error *err) {
    zw_survey_files f = zw_survey_files_default();
    double begin = monotonic_seconds();
    *report = (zw_survey_report){0};
    ZW_TRY(zw_options_adopt(&f, sizeof f, files, "zw_survey_files", err));
    ZW_TRY(check_files(&f, err));
    zw_plan_part range = {.count = zw_survey_motions(s)};
    if (f.range)
        ZW_TRY(zw_plan_part_read(&range, f.range, zw_survey_motions(s), err));
    work w = {.s = s, .f = &f, .report = report, .all = range.count};
    report->of = range.count;
    zw_status status = write_all(&w, &range, err);
    report->seconds = monotonic_seconds() - begin;
    return status;
}

zw_status zw_survey_join(int n, const char *const *path, const char *out,
                         void (*row)(void *user, const double *row), void *user,
                         zw_survey_report *report, zw_warnings *files, zw_error *err) {
    zw_survey_part sum;
    double begin = monotonic_seconds();
    *report = (zw_survey_report){0};
    ZW_TRY(zw_survey_part_join(n, path, NULL, out, row, user, &sum, files, err));
    report_part(report, &sum);
    report->of = sum.of;
    report->joined = true;
    report->seconds = monotonic_seconds() - begin;
    return ZW_OK;
}
