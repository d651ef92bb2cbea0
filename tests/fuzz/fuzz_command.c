/* SPDX-License-Identifier: MIT */
/* Any words as a command line, one word in a line: done or refused with words and one of the documented
 * exit codes, and what runs can be interrupted. It happens in a folder of its own, which holds a few models and
 * a result; words that lead out of it are left out. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/job.c" /* for its flag, which a process has once and this one needs many times */
#include "fuzz_text.h"

int zwang_main(int argc, char **argv); /* the command, compiled with another name */

enum { WORDS = 24, PATIENCE = 2 };

static const struct {
    const char *name, *text;
} file[] = {
    {"m.zw", "model m \"A pendulum\"\n"
             "param m = 1 [kg], l = 1 [m], g = 9.81 [m/s^2]\n"
             "coord phi [rad]\n"
             "particle P : m at (l*sin(phi), -l*cos(phi))\n"
             "gravity g along -y\n"
             "start phi = 30 [deg]\n"
             "observe h = -l*cos(phi) [cm]\n"
             "event low : phi rising record\n"
             "claim small : phi'' = -g/l*phi\n"
             "variant long\n param l = 2 [m]\nend\n"},
    {"c.zw", "model c \"A skate\"\n"
             "param m = 1 [kg], J = 0.1 [kg*m^2], a = 10 [cm]\n"
             "coord x, y [m], th [rad]\n"
             "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*J*th'^2\n"
             "input F = table (0, 0), (1 [s], 1 [N]), (2 [s], 0)\n"
             "force push (x) = F\n"
             "constraint edge : -sin(th)*x' + cos(th)*y' = a*th'\n"
             "constraint rail off : y = 0\n"
             "start x' = 1 [m/s], th' = 1 [rad/s]\n"
             "event half : every 0.5 [s], switch on rail\n"
             "draw sphere(a) at (x, y, 0)\n"},
    {"r.csv", "t[s],x[m],y[mm]\n0,0,1\n1,2,3\n2,1,-1\n"},
};

static void put_files(void) {
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        FILE *f = fopen(file[i].name, "w");
        if (!f || fputs(file[i].text, f) < 0 || fclose(f) != 0)
            abort();
    }
}

static char folder[64];

static void leave(void) {
    char command[96];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        perror(folder);
}

/* what would go on for long is interrupted as by a user; where nothing runs, the fuzzer's own limit holds */
static void interrupt(int number) {
    struct sigaction now;
    (void)number;
    sigaction(SIGTERM, NULL, &now);
    if (now.sa_handler == on_interrupt)
        raise(SIGTERM);
}

static void begin(void) {
    snprintf(folder, sizeof folder, "%s/zwang-fuzz-%d",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (int)getpid());
    if (mkdir(folder, 0700) != 0 || chdir(folder) != 0 || !freopen("/dev/null", "r", stdin))
        abort();
    atexit(leave);
    signal(SIGVTALRM, interrupt);
}

static void set_timer(int seconds) {
    const struct itimerval timer = {.it_value.tv_sec = seconds, .it_interval.tv_sec = 1};
    setitimer(ITIMER_VIRTUAL, seconds ? &timer : &(struct itimerval){0}, NULL);
}

static bool stays_inside(const char *words) {
    return !strchr(words, '/');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *words = malloc(size + 1), *argv[WORDS + 1] = {"zwang"};
    int argc = 1;
    if (!words)
        abort();
    memcpy(words, data, size);
    words[size] = '\0';
    if (!folder[0])
        begin();
    if (stays_inside(words)) {
        for (char *p = words, *end; argc < WORDS && p; p = end) {
            end = strchr(p, '\n');
            if (end)
                *end++ = '\0';
            argv[argc++] = p;
        }
        argv[argc] = NULL;
        put_files();
        interrupted = 0;
        set_timer(PATIENCE);
        int code = zwang_main(argc, argv);
        set_timer(0);
        clearerr(stdout);
        if (code < 0 || (code > 4 && code != 128 + SIGTERM))
            abort();
    }
    free(words);
    return 0;
}
