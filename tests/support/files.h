/* SPDX-License-Identifier: MIT */
/* A folder of its own for the files of a test, and whole files as strings. */
#ifndef ZW_TEST_OUT_FILES_H
#define ZW_TEST_OUT_FILES_H

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char test_folder[PATH_MAX];

static inline int make_folder(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(test_folder, sizeof test_folder, "%s/zwang-test-XXXXXX", base ? base : "/tmp");
    return mkdtemp(test_folder) ? 0 : -1;
}

/* number of files in the folder */
static inline int count_files(void) {
    DIR *d = opendir(test_folder);
    int n = 0;
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static inline int remove_folder(void **state) {
    (void)state;
    char path[2 * PATH_MAX];
    DIR *d = opendir(test_folder);
    for (struct dirent *e; (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", test_folder, e->d_name);
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            unlink(path);
    }
    closedir(d);
    return rmdir(test_folder);
}

/* the path of a file in the folder; valid until the call after the next */
static inline const char *in_folder(const char *name) {
    static char path[2][PATH_MAX + 256];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", test_folder, name);
    return path[turn];
}

static inline void write_file(const char *path, const void *data, size_t n) {
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, n, f) != n || fclose(f) != 0)
        abort();
}

/* all of a file, terminated; freed by the caller. NULL if it cannot be read. */
static inline char *read_whole(const char *path, size_t *length) {
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    char *s = malloc((size_t)n + 1);
    if (fread(s, 1, (size_t)n, f) != (size_t)n)
        abort();
    s[n] = '\0';
    fclose(f);
    if (length)
        *length = (size_t)n;
    return s;
}

static inline int count_in(const char *text, const char *word) {
    int n = 0;
    for (const char *s = text; (s = strstr(s, word)); s += strlen(word))
        n++;
    return n;
}

#endif
