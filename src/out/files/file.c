/* SPDX-License-Identifier: MIT */
#include "file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* prefix of the name of an unfinished file; a process that is killed leaves it, and the next one
 * that writes in the folder removes it */
#define TEMPORARY ".zwang-"

static const char *error_advice(int code) {
    switch (code) {
    case ENOENT:
        return "the folder does not exist: make it, or name another one";
    case ENOTDIR:
        return "a part of the path is a file, not a folder";
    case EISDIR:
        return "this is a folder: give the name of a file in it";
    case EACCES:
    case EPERM:
    case EROFS:
        return "you may not write there: name a folder of your own";
    case ENOSPC:
    case EDQUOT:
        return "the disk is full: free some space, name a file on another disk, or make the "
               "result smaller";
    case EFBIG:
        return "the file is larger than this shell or disk allows (see 'ulimit -f'): raise the "
               "limit or make the result smaller";
    default:
        return NULL;
    }
}

zw_status zw_out_fail_write(const char *path, int code, zw_error *err) {
    if (code == ENOMEM)
        return zw_fail(err, ZW_E_MEMORY, "out of memory for '%s'", path);
    zw_status status = zw_fail(err, ZW_E_FILE, "cannot write '%s': %s", path, strerror(code));
    if (error_advice(code))
        zw_error_hint(err, "%s", error_advice(code));
    return status;
}

/* resolves links; path itself if it does not exist yet */
static bool resolve_path(const char *path, char out[PATH_MAX]) {
    if (realpath(path, out))
        return true;
    if (errno != ENOENT || strlen(path) >= PATH_MAX)
        return false;
    memcpy(out, path, strlen(path) + 1);
    return true;
}

/* The folder (at least "/" or ".") of a path. */
static void folder_of(const char *path, char out[PATH_MAX]) {
    const char *slash = strrchr(path, '/');
    if (!slash)
        memcpy(out, ".", 2);
    else
        snprintf(out, PATH_MAX, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

/* Removes the temporary file if its writer has ended: a writer holds a lock on it until it ends. */
static void remove_orphan(int folder, const char *name) {
    struct stat st;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
        flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlinkat(folder, name, 0);
    close(fd);
}

static void remove_orphans(const char *path) {
    char folder[PATH_MAX];
    folder_of(path, folder);
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        if (strncmp(e->d_name, TEMPORARY, strlen(TEMPORARY)) == 0 &&
            strlen(e->d_name) == strlen(TEMPORARY) + 6)
            remove_orphan(dirfd(d), e->d_name);
    if (d)
        closedir(d);
}

/* Creates a locked file in the folder of f->path; -1 and errno on failure. Another process may
 * remove it as an orphan before the lock is set: it then has no name any more, and another one is
 * created. */
static int make_temporary(zw_out_file *f) {
    char folder[PATH_MAX];
    struct stat st;
    folder_of(f->path, folder);
    for (int tries = 0; tries < 100; tries++) {
        snprintf(f->temporary, sizeof f->temporary, "%s/" TEMPORARY "XXXXXX", folder);
        int fd = mkostemp(f->temporary, O_CLOEXEC);
        if (fd < 0)
            break;
        flock(fd, LOCK_EX); /* without locks nobody can lock it to remove it, either */
        if (fstat(fd, &st) == 0 && st.st_nlink > 0)
            return fd;
        close(fd);
        errno = EAGAIN;
    }
    f->temporary[0] = '\0';
    return -1;
}

/* mkostemp restricts access: a new result gets the default mode of this user, one that replaces
 * another file the mode of that file */
static mode_t mode_for(const char *path) {
    struct stat st;
    if (stat(path, &st) == 0)
        return st.st_mode & 0777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static zw_status begin_bytes(zw_out_file *f, zw_error *err) {
    f->stream = open_memstream(&f->bytes->data, &f->bytes->size);
    return f->stream ? ZW_OK : zw_out_fail_write(f->name, errno, err);
}

zw_status zw_out_begin(zw_out_file *f, const char *path, zw_bytes *bytes, zw_error *err) {
    f->path[0] = f->temporary[0] = '\0';
    f->name = path ? path : "a file in memory";
    f->stream = NULL;
    f->fault = 0;
    f->bytes = path ? NULL : bytes;
    if (f->bytes)
        return begin_bytes(f, err);
    if (strcmp(path, "-") == 0) {
        f->stream = stdout;
        return ZW_OK;
    }
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        f->stream = fopen(path, "wb");
        return f->stream ? ZW_OK : zw_out_fail_write(path, errno, err);
    }
    if (!resolve_path(path, f->path))
        return zw_out_fail_write(path, errno, err);
    remove_orphans(f->path);
    int fd = make_temporary(f);
    if (fd < 0)
        return zw_out_fail_write(path, errno, err);
    f->stream = fchmod(fd, mode_for(f->path)) == 0 ? fdopen(fd, "wb") : NULL;
    if (f->stream)
        return ZW_OK;
    zw_status status = zw_out_fail_write(path, errno, err);
    close(fd);
    zw_out_abandon(f);
    return status;
}

bool zw_out_is_well(zw_out_file *f) {
    if (!f->fault && ferror(f->stream))
        f->fault = errno ? errno : EIO;
    return !f->fault;
}

/* The data are on the disk before the name is: after a crash there is the old file or the new
 * one. */
static bool make_safe(FILE *stream) {
    return fsync(fileno(stream)) == 0 || errno == EINVAL || errno == ENOTSUP;
}

zw_status zw_out_commit(zw_out_file *f, zw_error *err) {
    if (zw_out_is_well(f) && (fflush(f->stream) != 0 || (f->temporary[0] && !make_safe(f->stream))))
        f->fault = errno;
    /* the lock outlives the stream until the file has its name: nobody removes it as an orphan in
     * between */
    int held = f->temporary[0] ? dup(fileno(f->stream)) : -1;
    if (f->stream != stdout && fclose(f->stream) != 0 && !f->fault)
        f->fault = errno;
    f->stream = NULL;
    if (!f->fault && f->temporary[0] && rename(f->temporary, f->path) != 0)
        f->fault = errno;
    if (held >= 0)
        close(held);
    if (!f->fault)
        return ZW_OK;
    zw_status status = zw_out_fail_write(f->name, f->fault, err);
    zw_out_abandon(f);
    return status;
}

void zw_out_abandon(zw_out_file *f) {
    if (f->stream && f->stream != stdout)
        fclose(f->stream);
    f->stream = NULL;
    if (f->temporary[0])
        unlink(f->temporary);
    f->temporary[0] = '\0';
    if (f->bytes)
        zw_bytes_clear(f->bytes);
}

bool zw_out_is_direct(const char *path) {
    struct stat st;
    return strcmp(path, "-") == 0 ||
           (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

zw_status zw_out_check_place(const char *path, zw_error *err) {
    struct stat st;
    if (strcmp(path, "-") == 0)
        return ZW_OK;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return zw_out_fail_write(path, EISDIR, err);
    if (zw_out_is_direct(path))
        return access(path, W_OK) == 0 ? ZW_OK : zw_out_fail_write(path, errno, err);
    char file[PATH_MAX], folder[PATH_MAX];
    if (!resolve_path(path, file))
        return zw_out_fail_write(path, errno, err);
    folder_of(file, folder);
    return access(folder, W_OK | X_OK) == 0 ? ZW_OK : zw_out_fail_write(path, errno, err);
}

static bool is_one_file(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool zw_out_is_same(const char *a, const char *b) {
    struct stat of_a, of_b;
    bool has_a = stat(a, &of_a) == 0, has_b = stat(b, &of_b) == 0;
    if (has_a && has_b)
        return is_one_file(&of_a, &of_b);
    if (has_a || has_b)
        return false;
    /* neither exists yet: compare name and folder */
    char folder_a[PATH_MAX], folder_b[PATH_MAX];
    const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
    folder_of(a, folder_a);
    folder_of(b, folder_b);
    return strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) == 0 &&
           stat(folder_a, &of_a) == 0 && stat(folder_b, &of_b) == 0 && is_one_file(&of_a, &of_b);
}

static zw_status cannot_read(const char *path, zw_error *err) {
    return zw_fail(err, ZW_E_FILE, "cannot read '%s': %s", path, strerror(errno));
}

/* Opens a named pipe without waiting for a writer, which may never come. Its first bytes are put
 * into the text. NULL and errno (0: no writer) if it cannot be read. */
static FILE *open_pipe(const char *path, zw_text *text) {
    char buffer[1 << 12];
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    errno = 0;
    ssize_t n = read(fd, buffer, sizeof buffer);
    if (n > 0)
        zw_text_put_n(text, buffer, (size_t)n);
    if ((n > 0 || errno == EAGAIN) && fcntl(fd, F_SETFL, 0) == 0)
        return fdopen(fd, "rb");
    close(fd);
    return NULL;
}

static FILE *open_to_read(const char *path, zw_text *text) {
    struct stat st;
    if (strcmp(path, "-") == 0)
        return stdin;
    return stat(path, &st) == 0 && S_ISFIFO(st.st_mode) ? open_pipe(path, text) : fopen(path, "rb");
}

zw_status zw_out_slurp(zw_text *text, const char *path, zw_error *err) {
    FILE *in = open_to_read(path, text);
    if (!in && !errno)
        return zw_fail(err, ZW_E_FILE, "cannot read '%s': it is a pipe, and nobody writes into it",
                       path);
    if (!in)
        return cannot_read(path, err);
    char buffer[1 << 16];
    size_t n;
    zw_status status = ZW_OK;
    errno = 0;
    while ((n = fread(buffer, 1, sizeof buffer, in)) > 0 && !text->failed)
        zw_text_put_n(text, buffer, n);
    if (ferror(in))
        status = cannot_read(path, err);
    else if (text->failed)
        status = zw_fail(err, ZW_E_MEMORY, "out of memory for '%s' after %zu MB", path,
                         text->length >> 20);
    if (in != stdin)
        fclose(in);
    return status;
}

zw_status zw_out_fail_in(zw_error *err, zw_status status, const char *path, const char *text,
                         size_t length, size_t at, const char *what) {
    if (!err || err->status < 0)
        return status;
    int line = 1;
    size_t start = 0;
    for (const char *end; (end = memchr(text + start, '\n', at - start));) {
        start = (size_t)(end - text) + 1;
        line += line < INT_MAX;
    }
    size_t column = at - start < INT_MAX ? at - start + 1 : INT_MAX, n = 0;
    zw_fail_at(err, status, (zw_place){path, line, (int)column}, "%s", what);
    /* the line, if it is text and the column is within the space */
    while (start + n < length && n < sizeof err->excerpt - 1 && text[start + n] != '\n' &&
           (unsigned char)text[start + n] >= ' ' && text[start + n] != 0x7f)
        n++;
    if (column <= n + 1) {
        memcpy(err->excerpt, text + start, n);
        err->excerpt[n] = '\0';
    }
    return status;
}
