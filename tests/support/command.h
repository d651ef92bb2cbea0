/* SPDX-License-Identifier: MIT */
/* The command run as a user runs it, in a folder of the test's own. */
#ifndef ZW_TEST_COMMAND_H
#define ZW_TEST_COMMAND_H

#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

typedef struct answer {
    int code;
    char out[1 << 18], err[1 << 14];
} answer;

static char folder[64];

static inline void read_file(const char *name, char *into, size_t size) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(into, 1, size - 1, f) : 0;
    into[n] = '\0';
    if (f)
        fclose(f);
}

static inline void write_file(const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* "zwang VERB ARGUMENTS"; the answer is overwritten by the next one */
static inline const answer *zwang_verb(const char *verb, const char *arguments) {
    static answer a;
    char command[2048];
    snprintf(command, sizeof command, "cd %s && %s %s %s >out.txt 2>err.txt", folder, ZW_COMMAND,
             verb, arguments);
    int status = system(command);
    assert_true(WIFEXITED(status));
    a.code = WEXITSTATUS(status);
    read_file("out.txt", a.out, sizeof a.out);
    read_file("err.txt", a.err, sizeof a.err);
    return &a;
}

static inline void assert_has(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("no '%s' in: %s", part, text);
}

static inline int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/zwang-test-XXXXXX");
    return mkdtemp(folder) ? 0 : 1;
}

static inline int remove_folder(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* does the process catch the signal already? */
static inline bool catches(pid_t process, int number) {
    char path[64], line[256];
    unsigned long long caught = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        sscanf(line, "SigCgt: %llx", &caught);
    if (f)
        fclose(f);
    return caught >> (number - 1) & 1;
}

/* processor time it has used, in ticks of the system */
static inline long work_of(pid_t process) {
    char path[64];
    long used = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld", &used) != 1)
        used = 0;
    if (f)
        fclose(f);
    return used;
}

/* until it is well within its work, however busy the machine is */
static inline void wait_for_work(pid_t process, int number) {
    int patience = 6000;
    while (!catches(process, number) && patience-- > 0)
        usleep(10 * 1000);
    long enough = work_of(process) + sysconf(_SC_CLK_TCK) / 3;
    while (work_of(process) < enough && patience-- > 0)
        usleep(10 * 1000);
}

#endif
