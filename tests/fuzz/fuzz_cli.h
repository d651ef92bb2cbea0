/* SPDX-License-Identifier: MIT */
/* The command as a function, many times in one process and in a folder of its own: done or rejected
 * with words and one of the documented exit codes. What takes long is interrupted as a user would,
 * and must end soon after that. Times are those of the processor, so that other work on the machine
 * is no finding. */
#ifndef ZW_FUZZ_CLI_H
#define ZW_FUZZ_CLI_H

#include <ftw.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>

/* NOLINT(bugprone-suspicious-include): for its flag, which a process has once and this one needs
 * many times */
#include "cli/job.c"
#include "fuzz.h"

enum { FUZZ_PATIENCE = 2, FUZZ_ANSWER = 60, FUZZ_WORDS = 40 }; /* s, s, words of a line */

int zwang_main(int argc, char **argv); /* the command, compiled with another name */

static char fuzz_sandbox[64];
static volatile sig_atomic_t fuzz_seconds;

static int fuzz_remove_one(const char *path, const struct stat *st, int type, struct FTW *where) {
    (void)st, (void)type;
    return where->level > 0 ? remove(path) : 0; /* the folder itself stays */
}

static void fuzz_clean(void) {
    nftw(fuzz_sandbox, fuzz_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void fuzz_leave(void) {
    fuzz_clean();
    rmdir(fuzz_sandbox);
}

/* every second from FUZZ_PATIENCE on; where nothing can be interrupted it is patient, up to
 * FUZZ_ANSWER */
static void fuzz_interrupt(int number) {
    struct sigaction now;
    (void)number;
    sigaction(SIGTERM, NULL, &now);
    if (now.sa_handler == on_interrupt)
        raise(SIGTERM);
    if (++fuzz_seconds > FUZZ_ANSWER)
        abort(); /* it does not answer to an interrupt */
}

/* The empty folder, which is the working directory from now on. */
static inline void fuzz_enter(void) {
    if (fuzz_sandbox[0]) {
        fuzz_clean();
        return;
    }
    snprintf(fuzz_sandbox, sizeof fuzz_sandbox, "%s", fuzz_path(""));
    if (mkdir(fuzz_sandbox, 0700) != 0 || chdir(fuzz_sandbox) != 0 ||
        !freopen("/dev/null", "r", stdin))
        abort();
    atexit(fuzz_leave);
    signal(SIGVTALRM, fuzz_interrupt);
}

static inline void fuzz_timer(int seconds) {
    const struct itimerval timer = {.it_value.tv_sec = seconds, .it_interval.tv_sec = 1};
    setitimer(ITIMER_VIRTUAL, seconds ? &timer : &(struct itimerval){0}, NULL);
}

/* The line goes to standard error: an input that is run again without -close_fd_mask shows it. */
static inline int fuzz_zwang(int argc, char **argv) {
    for (int i = 0; i < argc; i++)
        fprintf(stderr, "%s%c", argv[i], i + 1 < argc ? ' ' : '\n');
    interrupted = 0;
    fuzz_seconds = 0;
    fuzz_timer(FUZZ_PATIENCE);
    int code = zwang_main(argc, argv);
    fuzz_timer(0);
    clearerr(stdout);
    if (code < 0 || (code > 4 && code != 128 + SIGTERM))
        abort();
    return code;
}

#endif
