/* SPDX-License-Identifier: MIT */
#include "journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/text.h"
#include "out/files/file.h"

#define END "END"
#define SECONDS_PER_NS 1e-9       /* unit */
#define NS_PER_SECOND 1e9         /* unit */
enum { GENERATIONS_MAX = 10000 }; /* lost claims on one chunk: an obvious error beyond */

static zw_status report_failure(const char *what, const char *path, zw_error *err) {
    return zw_fail(err, ZW_E_FILE, "the journal: cannot %s '%s': %s", what, path, strerror(errno));
}

/* ---- this process ---- */

static void read_line(const char *path, char *out, size_t size) {
    FILE *f = fopen(path, "r");
    out[0] = '\0';
    if (f && fgets(out, (int)size, f))
        out[strcspn(out, "\n")] = '\0';
    if (f)
        fclose(f);
}

/* The machine, as long as it runs, and the space of its process numbers (containers have their
 * own). */
static void name_machine(char *out, size_t size) {
    char boot[64], space[64] = "";
    read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    ssize_t n = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    space[n > 0 ? n : 0] = '\0';
    if (!boot[0])
        gethostname(boot, sizeof boot - 1);
    snprintf(out, size, "%s/%s", boot, space);
}

/* Start time of a process, in ticks since the machine started: the 22nd field, after a name in
 * parentheses; 0 if it has ended. */
static unsigned long long process_start(long pid) {
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    read_line(path, line, sizeof line);
    const char *s = strrchr(line, ')');
    if (!s || !s[1] || s[2] == 'Z' || s[2] == 'X') /* ended, only its record is left */
        return 0;
    for (int field = 2; field < 22 && s; field++)
        s = strchr(s + 1, ' ');
    return s ? strtoull(s, NULL, 10) : 0;
}

/* Has the owner of a claim certainly ended (1), is it certainly running (-1), or is it on another
 * machine (0)? */
static int is_gone(const char *who) {
    char here[160], *end;
    name_machine(here, sizeof here);
    size_t n = strlen(here);
    if (strncmp(who, here, n) != 0 || who[n] != ' ')
        return 0;
    long pid = strtol(who + n, &end, 10);
    return process_start(pid) == strtoull(end, NULL, 10) ? -1 : 1;
}

/* --------------------------------------------------------------------------------------- claims */

static void claim_name(const zw_journal *j, const char *what, int generation, char out[PATH_MAX]) {
    snprintf(out, PATH_MAX, "%s/claim-%s.%d", j->folder, what, generation);
}

/* Seconds since a file was touched, by the clock of the file system; -1 if it does not exist. */
static double age_of(const zw_journal *j, const char *path) {
    struct stat mine, other;
    if (utimensat(AT_FDCWD, j->mine, NULL, 0) != 0 || stat(j->mine, &mine) != 0 ||
        lstat(path, &other) != 0)
        return -1;
    return (double)(mine.st_mtim.tv_sec - other.st_mtim.tv_sec) +
           SECONDS_PER_NS * (double)(mine.st_mtim.tv_nsec - other.st_mtim.tv_nsec);
}

/* Has a claim been unchanged for longer than its lease, since this process first saw it? Uses the
 * local clock only. */
static bool is_expired(const zw_journal *j, const char *path, int generation,
                       zw_journal_sight *sight) {
    struct stat st;
    struct timespec t;
    if (lstat(path, &st) != 0)
        return false;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double now = (double)t.tv_sec + SECONDS_PER_NS * (double)t.tv_nsec;
    bool same = sight->since > 0 && sight->generation == generation &&
                sight->touched.tv_sec == st.st_mtim.tv_sec &&
                sight->touched.tv_nsec == st.st_mtim.tv_nsec;
    if (!same)
        *sight = (zw_journal_sight){now, generation, st.st_mtim};
    return same && now - sight->since > j->lease;
}

static bool is_lost(const zw_journal *j, const char *path) {
    char who[256];
    read_line(path, who, sizeof who);
    int gone = is_gone(who);
    return gone ? gone > 0 : age_of(j, path) > j->lease;
}

static bool is_held(const char *path) {
    char who[256];
    read_line(path, who, sizeof who);
    return is_gone(who) < 0;
}

/* The claim of the next generation, if the present one is lost or there is none. A link to our own
 * file either creates the name or fails; if the file system does not support enough links, an
 * exclusive new file does the same. */
static bool make_claim(const zw_journal *j, const char *path) {
    if (link(j->mine, path) == 0)
        return true;
    if (errno != EPERM && errno != ENOTSUP && errno != EMLINK)
        return false;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return false;
    bool good = write(fd, j->self, strlen(j->self)) == (ssize_t)strlen(j->self);
    close(fd);
    return good;
}

/* a network file system may report a failure although the link was made: then the claim is ours */
static bool is_ours(const zw_journal *j, const char *path) {
    char who[256], self[256];
    snprintf(self, sizeof self, "%s", j->self);
    self[strcspn(self, "\n")] = '\0';
    read_line(path, who, sizeof who);
    return strcmp(who, self) == 0;
}

/* i: number of the chunk, n for the end */
static bool take_claim(zw_journal *j, const char *what, uint64_t i, char path[PATH_MAX]) {
    struct stat st;
    for (int g = 0; g < GENERATIONS_MAX; g++) {
        claim_name(j, what, g, path);
        if (lstat(path, &st) == 0) {
            char later[PATH_MAX];
            claim_name(j, what, g + 1, later);
            if (lstat(later, &st) == 0)
                continue;
            bool old = is_expired(j, path, g, &j->sight[i]) && !is_held(path);
            if (!old && !is_lost(j, path)) {
                snprintf(j->blocker, sizeof j->blocker, "%s", path);
                return false;
            }
            continue; /* the next one is ours, if no other process is faster */
        }
        return make_claim(j, path) || is_ours(j, path);
    }
    return false;
}

/* All generations, newest last, so that no other process takes over in between. */
static void drop_claims(zw_journal *j, const char *what) {
    char path[PATH_MAX];
    int n = 0;
    struct stat st;
    for (claim_name(j, what, n, path); lstat(path, &st) == 0; claim_name(j, what, n, path))
        n++;
    for (int g = 0; g < n; g++) {
        claim_name(j, what, g, path);
        unlink(path);
    }
}

/* ---- the claim is kept alive ---- */

static void *renew_claims(void *data) {
    zw_journal *j = data;
    pthread_mutex_lock(&j->lock);
    while (!j->stop) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        double pause = j->lease / 6;
        until.tv_sec += (time_t)pause;
        until.tv_nsec += (long)(NS_PER_SECOND * (pause - (double)(time_t)pause));
        if (until.tv_nsec >= 1000000000L)
            until.tv_sec++, until.tv_nsec -= 1000000000L;
        pthread_cond_timedwait(&j->wake, &j->lock, &until);
        if (j->claim[0])
            utimensat(AT_FDCWD, j->claim, NULL, 0);
    }
    pthread_mutex_unlock(&j->lock);
    return NULL;
}

static void hold_claim(zw_journal *j, const char *path) {
    pthread_mutex_lock(&j->lock);
    snprintf(j->claim, sizeof j->claim, "%s", path);
    if (j->claim[0])
        utimensat(AT_FDCWD, j->claim, NULL, 0);
    pthread_mutex_unlock(&j->lock);
}

/* ---------------------------------------------------------------------------------------- names */

static const char *skip_digits(const char *s) {
    return s + strspn(s, "0123456789");
}

/* "worker-PID-XXXXXX" and the rest after it; NULL for another name. */
static const char *after_worker(const char *name) {
    enum { RANDOM_LETTERS = 6 }; /* characters of mkstemp */
    if (strncmp(name, "worker-", 7) != 0)
        return NULL;
    const char *s = skip_digits(name + 7);
    if (s == name + 7 || *s++ != '-' || strcspn(s, ".-") != RANDOM_LETTERS)
        return NULL;
    return s + RANDOM_LETTERS;
}

/* Names that only a journal uses: other files in its folder are never touched. */
static bool is_worker(const char *name) {
    const char *rest = after_worker(name);
    return rest && !*rest;
}

static bool is_draft(const char *name) {
    if (strncmp(name, "draft-", 6) != 0)
        return false;
    const char *s = skip_digits(name + 6);
    const char *rest = s > name + 6 && *s == '-' ? after_worker(s + 1) : NULL;
    return rest && strcmp(rest, ".csv") == 0;
}

/* A folder without a plan becomes a journal only if it contains nothing but processes that have
 * just started. */
static zw_status check_empty(const zw_journal *j, zw_error *err) {
    DIR *d = opendir(j->folder);
    zw_status status = ZW_OK;
    for (struct dirent *e; d && status >= 0 && (e = readdir(d));) {
        const char *name = e->d_name;
        const char *maker = strncmp(name, "plan.", 5) == 0 ? name + 5 : name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, "plan") == 0 ||
            is_worker(maker))
            continue;
        char path[PATH_MAX]; /* a faster process has made its plan before its chunks */
        snprintf(path, sizeof path, "%s/plan", j->folder);
        if (access(path, F_OK) == 0)
            break;
        status = zw_fail(err, ZW_E_OPTION, "the folder '%s' is not a journal: it contains '%.80s'",
                         j->folder, name);
        zw_error_hint(err, "name an empty or a new folder");
    }
    if (d)
        closedir(d);
    return status;
}

/* ------------------------------------------------------------------------------------- the plan */

static void put_plan(zw_text *t, const char *identity, uint64_t motions, uint64_t chunk) {
    zw_text_printf(t, "zwang journal 2\nchunk: %" PRIu64 "\nmotions: %" PRIu64 "\n%s\n", chunk,
                   motions, identity);
}

static zw_status reject_older(const zw_journal *j, zw_error *err) {
    zw_fail(err, ZW_E_OPTION,
            "the journal '%s' was written by an older Zwang: its chunks have no checksums",
            j->folder);
    zw_error_hint(err,
                  "start again in another folder, or join the chunks that are there: zwang sweep "
                  "--join %s --out FILE.csv",
                  j->folder);
    return ZW_E_OPTION;
}

static zw_status reject_other_plan(const zw_journal *j, zw_error *err) {
    zw_fail(err, ZW_E_OPTION, "the journal '%s' belongs to another plan", j->folder);
    zw_error_hint(err, "its file `plan` names it: take another folder, or the same model, "
                       "options, version and arithmetic (ZWANG_FMA=off where processors differ)");
    return ZW_E_OPTION;
}

/* Writes our plan, if there is none yet; then reads the existing one. */
static zw_status agree_on_plan(zw_journal *j, const char *identity, zw_error *err) {
    char path[PATH_MAX], draft[PATH_MAX];
    zw_text mine, there;
    snprintf(path, sizeof path, "%s/plan", j->folder);
    snprintf(draft, sizeof draft, "%s/plan.%s", j->folder, strrchr(j->mine, '/') + 1);
    zw_text_init(&mine, NULL);
    zw_text_init(&there, NULL);
    zw_status status = ZW_OK;
    if (j->chunk > 0 && access(path, F_OK) != 0)
        status = check_empty(j, err);
    if (status >= 0 && j->chunk > 0 && access(path, F_OK) != 0) {
        put_plan(&mine, identity, j->motions, j->chunk);
        FILE *f = fopen(draft, "w");
        if (!f || fputs(zw_text_get(&mine), f) < 0 || fflush(f) != 0 || fsync(fileno(f)) != 0)
            status = report_failure("write", draft, err);
        if (f)
            fclose(f);
        if (status >= 0 && link(draft, path) != 0 && errno != EEXIST && rename(draft, path) != 0)
            status = report_failure("make", path, err);
        unlink(draft);
    }
    if (status >= 0 && access(path, F_OK) != 0)
        status = ZW_E_MISSING;
    if (status >= 0)
        status = zw_out_slurp(&there, path, err);
    zw_text_clear(&mine);
    static const char begin[] = "zwang journal 2\nchunk: ";
    if (status >= 0 && strncmp(zw_text_get(&there), begin, strlen(begin)) == 0)
        j->chunk = strtoull(zw_text_get(&there) + strlen(begin), NULL, 10);
    else if (status >= 0)
        status = strncmp(zw_text_get(&there), "zwang journal 1\n", 16) == 0
                     ? reject_older(j, err)
                     : reject_other_plan(j, err);
    if (status >= 0) {
        put_plan(&mine, identity, j->motions, j->chunk);
        if (strcmp(zw_text_get(&mine), zw_text_get(&there)) != 0)
            status = reject_other_plan(j, err);
    }
    zw_text_clear(&mine);
    zw_text_clear(&there);
    return status;
}

static zw_status register_worker(zw_journal *j, zw_error *err) {
    char machine[160];
    name_machine(machine, sizeof machine);
    snprintf(j->self, sizeof j->self, "%s %ld %llu\n", machine, (long)getpid(),
             process_start((long)getpid()));
    snprintf(j->mine, sizeof j->mine, "%s/worker-%ld-XXXXXX", j->folder, (long)getpid());
    int fd = mkstemp(j->mine);
    if (fd < 0 || write(fd, j->self, strlen(j->self)) != (ssize_t)strlen(j->self)) {
        if (fd >= 0)
            close(fd);
        return report_failure("write", j->mine, err);
    }
    fchmod(fd, 0644);
    close(fd);
    return ZW_OK;
}

static zw_status open_journal(zw_journal *j, const char *identity, zw_error *err) {
    if (mkdir(j->folder, 0777) != 0 && errno != EEXIST)
        return report_failure("make", j->folder, err);
    ZW_TRY(register_worker(j, err));
    ZW_TRY(agree_on_plan(j, identity, err));
    if (j->chunk == 0)
        return reject_other_plan(j, err);
    j->chunks = j->motions / j->chunk + (j->motions % j->chunk > 0);
    if (j->chunks > INT_MAX) {
        zw_fail(err, ZW_E_OPTION, "%" PRIu64 " chunks are too many for one journal", j->chunks);
        zw_error_hint(err, "--chunk N: more motions in each");
        return ZW_E_OPTION;
    }
    j->done = calloc(j->chunks + 1, 1);
    j->sight = calloc(j->chunks + 1, sizeof *j->sight);
    if (!j->done || !j->sight)
        return zw_out_of_memory(err, NULL);
    char joined[PATH_MAX];
    snprintf(joined, sizeof joined, "%s/joined", j->folder);
    j->was_joined = access(joined, F_OK) == 0;
    j->beating = pthread_create(&j->thread, NULL, renew_claims, j) == 0;
    if (!j->beating)
        return zw_fail(err, ZW_E_MEMORY, "a thread cannot be started");
    return ZW_OK;
}

zw_status zw_journal_open(zw_journal *j, const char *folder, const char *identity, uint64_t motions,
                          uint64_t chunk, double lease, zw_error *err) {
    *j = (zw_journal){.motions = motions, .chunk = chunk, .lease = lease > 0 ? lease : 60};
    if (strlen(folder) >= sizeof j->folder)
        return zw_fail(err, ZW_E_FILE, "the name of the journal is too long");
    snprintf(j->folder, sizeof j->folder, "%s", folder);
    struct stat st;
    if (chunk == 0 && stat(folder, &st) != 0)
        return ZW_E_MISSING;
    pthread_mutex_init(&j->lock, NULL);
    pthread_cond_init(&j->wake, NULL);
    zw_status status = open_journal(j, identity, err);
    if (status < 0)
        zw_journal_close(j);
    return status;
}

void zw_journal_close(zw_journal *j) {
    if (!j->folder[0])
        return;
    if (j->beating) {
        pthread_mutex_lock(&j->lock);
        j->stop = true;
        pthread_cond_signal(&j->wake);
        pthread_mutex_unlock(&j->lock);
        pthread_join(j->thread, NULL);
    }
    if (j->mine[0])
        unlink(j->mine);
    pthread_mutex_destroy(&j->lock);
    pthread_cond_destroy(&j->wake);
    free(j->done);
    free(j->sight);
    *j = (zw_journal){0};
}

/* --------------------------------------------------------------------------------------- chunks */

void zw_journal_part(const zw_journal *j, uint64_t i, uint64_t *first, uint64_t *count) {
    *first = i * j->chunk;
    *count = j->motions - *first < j->chunk ? j->motions - *first : j->chunk;
}

void zw_journal_path(const zw_journal *j, uint64_t i, char out[PATH_MAX]) {
    snprintf(out, PATH_MAX, "%s/chunk-%08" PRIu64 ".csv", j->folder, i);
}

void zw_journal_draft(const zw_journal *j, uint64_t i, char out[PATH_MAX]) {
    snprintf(out, PATH_MAX, "%s/draft-%" PRIu64 "-%s.csv", j->folder, i, strrchr(j->mine, '/') + 1);
}

static bool is_done(zw_journal *j, uint64_t i) {
    char path[PATH_MAX];
    /* also of a link: everything with this name is checked before the chunks are joined */
    struct stat st;
    if (j->done[i])
        return true;
    zw_journal_path(j, i, path);
    if (lstat(path, &st) != 0)
        return false;
    j->done[i] = 1;
    j->ndone++;
    return true;
}

zw_status zw_journal_claim(zw_journal *j, uint64_t *i, zw_journal_answer *answer, zw_error *err) {
    char path[PATH_MAX], what[32];
    struct stat st;
    if (stat(j->folder, &st) != 0)
        return report_failure("read", j->folder, err);
    for (uint64_t k = 0; k < j->chunks; k++) {
        uint64_t n = (j->next + k) % j->chunks;
        if (is_done(j, n))
            continue;
        snprintf(what, sizeof what, "%" PRIu64, n);
        if (!take_claim(j, what, n, path))
            continue;
        hold_claim(j, path);
        if (is_done(j, n)) { /* finished between the check and the claim */
            zw_journal_release(j, n);
            continue;
        }
        *i = n;
        j->next = n + 1;
        *answer = ZW_JOURNAL_CLAIMED;
        return ZW_OK;
    }
    *answer = j->ndone == j->chunks ? ZW_JOURNAL_DONE : ZW_JOURNAL_BUSY;
    return ZW_OK;
}

zw_status zw_journal_put(zw_journal *j, uint64_t i, bool *first, zw_error *err) {
    char draft[PATH_MAX], path[PATH_MAX];
    zw_journal_draft(j, i, draft);
    zw_journal_path(j, i, path);
    *first = link(draft, path) == 0;
    if (!*first && errno != EEXIST) { /* no hard links here: the same bytes may be written twice */
        *first = rename(draft, path) == 0;
        if (!*first)
            return report_failure("make", path, err);
    }
    unlink(draft);
    zw_journal_release(j, i);
    is_done(j, i);
    return ZW_OK;
}

void zw_journal_release(zw_journal *j, uint64_t i) {
    char what[32];
    hold_claim(j, "");
    snprintf(what, sizeof what, "%" PRIu64, i);
    drop_claims(j, what);
}

/* ---- the end ---- */

zw_status zw_journal_claim_end(zw_journal *j, zw_journal_answer *answer, zw_error *err) {
    char path[PATH_MAX], joined[PATH_MAX];
    snprintf(joined, sizeof joined, "%s/joined", j->folder);
    struct stat st;
    if (stat(j->folder, &st) != 0)
        return report_failure("read", j->folder, err);
    *answer = ZW_JOURNAL_DONE;
    if (access(joined, F_OK) == 0)
        return ZW_OK;
    if (!take_claim(j, END, j->chunks, path)) {
        *answer = ZW_JOURNAL_BUSY;
        return ZW_OK;
    }
    hold_claim(j, path);
    if (access(joined, F_OK) == 0) {
        zw_journal_release_end(j);
        return ZW_OK;
    }
    *answer = ZW_JOURNAL_CLAIMED;
    return ZW_OK;
}

void zw_journal_release_end(zw_journal *j) {
    hold_claim(j, "");
    drop_claims(j, END);
}

zw_status zw_journal_set_aside(zw_journal *j, uint64_t i, zw_error *err) {
    char path[PATH_MAX], aside[PATH_MAX + 16];
    zw_journal_path(j, i, path);
    snprintf(aside, sizeof aside, "%s.damaged", path);
    if (rename(path, aside) != 0 && errno != ENOENT) /* another process may have done it */
        return report_failure("set aside", path, err);
    j->ndone -= j->done[i];
    j->done[i] = 0;
    return ZW_OK;
}

/* Removes what lost processes have left. */
static void remove_leftovers(const zw_journal *j) {
    DIR *d = opendir(j->folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%.60s", j->folder, e->d_name);
        if (is_worker(e->d_name) && strcmp(path, j->mine) != 0 && is_lost(j, path))
            unlink(path);
        if (is_draft(e->d_name) && age_of(j, path) > j->lease)
            unlink(path);
    }
    if (d)
        closedir(d);
}

zw_status zw_journal_end(zw_journal *j, zw_error *err) {
    char joined[PATH_MAX];
    snprintf(joined, sizeof joined, "%s/joined", j->folder);
    int fd = open(joined, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        return report_failure("make", joined, err);
    close(fd);
    zw_journal_release_end(j);
    remove_leftovers(j);
    return ZW_OK;
}
