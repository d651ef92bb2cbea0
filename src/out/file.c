/* SPDX-License-Identifier: MIT */
#include "file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static zw_status cannot_write(const char *path, zw_error *err) {
    return zw_fail(err, ZW_E_FILE, "cannot write '%s': %s", path, strerror(errno));
}

/* where path leads: the file behind a link, or path itself if there is nothing yet */
static bool resolve(const char *path, char out[PATH_MAX]) {
    if (realpath(path, out))
        return true;
    if (errno != ENOENT || strlen(path) >= PATH_MAX)
        return false;
    memcpy(out, path, strlen(path) + 1);
    return true;
}

zw_status zw_out_begin(zw_out_file *f, const char *path, zw_error *err) {
    f->path[0] = f->temporary[0] = '\0';
    f->stream = NULL;
    if (strcmp(path, "-") == 0) {
        f->stream = stdout;
        return ZW_OK;
    }
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        f->stream = fopen(path, "wb");
        return f->stream ? ZW_OK : cannot_write(path, err);
    }
    if (!resolve(path, f->path))
        return cannot_write(path, err);
    snprintf(f->temporary, sizeof f->temporary, "%s.XXXXXX", f->path);
    int fd = mkstemp(f->temporary);
    if (fd < 0) {
        f->temporary[0] = '\0';
        return cannot_write(path, err);
    }
    /* mkstemp keeps others out; a result is as open as any file of this user */
    mode_t mask = umask(0);
    umask(mask);
    f->stream = fchmod(fd, 0666 & ~mask) == 0 ? fdopen(fd, "wb") : NULL;
    if (f->stream)
        return ZW_OK;
    zw_status status = cannot_write(path, err);
    close(fd);
    zw_out_abandon(f);
    return status;
}

zw_status zw_out_commit(zw_out_file *f, const char *path, zw_error *err) {
    bool ok = fflush(f->stream) == 0 && !ferror(f->stream);
    if (f->stream != stdout)
        ok = fclose(f->stream) == 0 && ok;
    f->stream = NULL;
    if (ok && f->temporary[0])
        ok = rename(f->temporary, f->path) == 0;
    if (ok)
        return ZW_OK;
    zw_status status = cannot_write(path, err);
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
}

locale_t zw_out_plain_begin(void) {
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return plain ? uselocale(plain) : (locale_t)0;
}

void zw_out_plain_end(locale_t before) {
    if (!before)
        return;
    locale_t plain = uselocale(before);
    freelocale(plain);
}
