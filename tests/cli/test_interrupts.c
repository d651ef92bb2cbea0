/* SPDX-License-Identifier: MIT */
/* Every verb that works for long, on a terminal: it shows that it works, Ctrl-C ends it with 130
 * and a note, and a file that is there says that it is incomplete. All of them work at the same
 * time. */
#include <fcntl.h>
#include <signal.h>

#include "support/command.h"

enum { VERBS = 19, WORDS = 12 };

/* a word of "@": the file; it is there whenever the verb is stopped */
typedef struct work {
    const char *name;
    bool keeps;
    const char *word[WORDS];
} work;

static const work works[VERBS] = {
    {"amplitudes", false, {"amplitudes", MODEL("duffing"), "--harmonics", "1000"}},
    {"backbone",
     false,
     {"backbone", MODEL("double_pendulum"), "--over", "energy=0:1e6", "--out", "@"}},
    {"basin",
     true,
     {"basin", MODEL("magnetic_pendulum"), "--start", "x=-1:1:300", "--start", "y=-1:1:300",
      "--out", "@"}},
    {"chart",
     true,
     {"chart", MODEL("duffing"), "--over", "Omega=0.1:3:1000", "--over", "F=0.1:0.5:1000", "--out",
      "@"}},
    {"compare", false, {"compare", MODEL("bicycle"), "--states", "100000"}},
    {"connect",
     false,
     {"connect", MODEL("lorenz"), "--at", "x=0, y=0, z=0", "--over", "rho=10:20", "--points",
      "1000000", "--out", "@"}},
    {"branch",
     false,
     {"orbit", MODEL("tippedisk"), "--variant=viscous", "--with=cog,roll,spin",
      "--set=Omega=30.5 [rad/s]", "--set=gamma=2.8", "--over", "Omega=30.2:30.95", "--out", "@"}},
    {"diagram", true, {"diagram", MODEL("roessler"), "--over", "a=0.05:0.4", "--out", "@"}},
    {"equilibria",
     true,
     {"equilibria", MODEL("tippedisk_reduced"), "--search", "beta=0:3", "--search", "gamma=0:6",
      "--starts", "1000000", "--out", "@"}},
    {"fit",
     true,
     {"fit", "swing.zw", "swing.csv", "--fit=l=0.1:10", "--multistart", "100000", "--start-free",
      "none", "--out", "@"}},
    {"lyapunov", false, {"lyapunov", MODEL("lorenz"), "--over", "rho=20:30:100000", "--out", "@"}},
    {"orbit",
     false,
     {"orbit", MODEL("tippedisk"), "--variant=viscous", "--with=cog,roll,spin",
      "--set=Omega=30.5 [rad/s]", "--set=gamma=2.8", "--steps", "1000000", "--out", "@"}},
    {"plot",
     false,
     {"plot", MODEL("double_pendulum"), "--until", "1e7", "--plot", "phi_1:t", "--picture",
      "long.svg"}},
    {"response",
     false,
     {"response", MODEL("duffing"), "--over", "Omega=0.1:3", "--harmonics", "500", "--out", "@"}},
    {"run",
     true,
     {"run", MODEL("double_pendulum"), "--until", "1e8", "--step-out", "1e3", "--out", "@"}},
    {"response", false, {"response", MODEL("duffing"), "--harmonics", "1000", "--out", "@"}},
    {"sweep",
     false,
     {"sweep", MODEL("lorenz"), "--over", "rho=lin:0:30:1000000", "--for", "100", "--yes", "--out",
      "@"}},
    {"verify", false, {"verify", MODEL("claims/hydropulsator_printed"), "--states", "100000"}},
    {"view", false, {"view", MODEL("double_pendulum"), "--until", "1e8", "--out", "view.html"}},
};

typedef struct child {
    pid_t process;
    int terminal;
    char shown[1 << 14];
    size_t n;
} child;

static void start(const work *w, child *c) {
    char file[80], *words[WORDS + 2] = {"zwang"};
    snprintf(file, sizeof file, "%s.csv", w->name);
    for (int i = 0; i < WORDS && w->word[i]; i++)
        words[i + 1] = strcmp(w->word[i], "@") == 0 ? file : (char *)w->word[i];
    c->terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    assert_true(c->terminal >= 0 && grantpt(c->terminal) == 0 && unlockpt(c->terminal) == 0);
    char name[64];
    snprintf(name, sizeof name, "%s", ptsname(c->terminal));
    c->process = fork();
    assert_true(c->process >= 0);
    if (c->process == 0) {
        int end = open(name, O_RDWR | O_NOCTTY);
        if (end < 0 || dup2(end, 2) < 0 || !freopen("/dev/null", "w", stdout) || chdir(folder) < 0)
            _exit(126);
        execv(ZW_COMMAND, words);
        _exit(127);
    }
}

static void read_terminal(child *c) {
    ssize_t n;
    if (c->n > sizeof c->shown / 2) { /* the last lines say how it ended */
        c->n = sizeof c->shown / 4;
        memmove(c->shown, c->shown + strlen(c->shown) - c->n, c->n);
    }
    while (c->n + 1 < sizeof c->shown &&
           (n = read(c->terminal, c->shown + c->n, sizeof c->shown - 1 - c->n)) > 0)
        c->n += (size_t)n;
    c->shown[c->n] = '\0';
}

static bool shows_work(const child *c) {
    return strstr(c->shown, " left") || strstr(c->shown, "so far");
}

static bool says_why(const char *shown) {
    static const char *const note[] = {
        "stopped before anything was found", "stopped: the output contains",
        "stopped by the user at t = " /* a run: how far it came */, " motions are kept"};
    int n = 0;
    for (size_t i = 0; i < sizeof note / sizeof *note; i++)
        n += strstr(shown, note[i]) != NULL;
    return n == 1;
}

/* 1: the file says that it is incomplete, 0: it does not, -1: there is none */
static int says_stopped(const char *verb) {
    char path[160], *line = NULL;
    size_t size = 0;
    int says = 0;
    snprintf(path, sizeof path, "%s/%s.csv", folder, verb);
    FILE *f = fopen(path, "r");
    if (!f)
        return -1;
    while (!says && getline(&line, &size, f) > 0 && line[0] == '#')
        says = strncmp(line, "# stopped: ", 11) == 0 || strstr(line, "stopped by the user") != NULL;
    free(line);
    fclose(f);
    return says;
}

static void test_interrupts__are_answered_by_all_verbs(void **state) {
    (void)state;
    static child c[VERBS];
    write_file("swing.zw", "model swing\nunits none\nparam l = 1\ncoord x\nkinetic x'^2/2\n"
                           "potential l*x^4\nstart x = 1\n");
    assert_int_equal(
        zwang_verb("run", "swing.zw --until 5 --step-out 0.05 --quiet --out swing.csv")->code, 0);
    for (int i = 0; i < VERBS; i++)
        start(&works[i], &c[i]);
    for (int i = 0; i < VERBS;
         i++) /* until each shows that it works, however busy the machine is */
        for (int patience = 0; patience < 600 && !shows_work(&c[i]); patience++) {
            usleep(100 * 1000);
            read_terminal(&c[i]);
        }
    for (int i = 0; i < VERBS; i++)
        kill(c[i].process, SIGINT);
    for (int i = 0; i < VERBS; i++) {
        int status;
        pid_t ended = 0;
        for (int patience = 0; patience < 600 && ended == 0; patience++) {
            read_terminal(&c[i]); /* what is not read stops who writes */
            ended = waitpid(c[i].process, &status, WNOHANG);
            if (ended == 0)
                usleep(50 * 1000);
        }
        if (ended != c[i].process) {
            kill(c[i].process, SIGKILL);
            fail_msg("%s does not end", works[i].name);
        }
        read_terminal(&c[i]);
        close(c[i].terminal);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 128 + SIGINT)
            fail_msg("%s: status %x; %s", works[i].name, status, c[i].shown);
        if (!shows_work(&c[i]))
            fail_msg("%s shows nothing: %s", works[i].name, c[i].shown);
        if (!says_why(c[i].shown))
            fail_msg("%s does not say that it was stopped: %s", works[i].name, c[i].shown);
        if (works[i].keeps && strstr(c[i].shown, "stopped before anything"))
            fail_msg("%s has results and says that it has none: %s", works[i].name, c[i].shown);
        int says = says_stopped(works[i].name);
        if (says == 0 || (says < 0 && works[i].keeps))
            fail_msg("%s.csv %s", works[i].name,
                     says < 0 ? "is not there" : "does not say that it is incomplete");
    }
}

/* the call with SIGTERM after these seconds; its exit code */
static int stop_after(const char *call, double seconds) {
    char command[1024];
    snprintf(command, sizeof command,
             "cd %s && rm -f late.* && { %s %s >out.txt 2>err.txt & p=$!; sleep %.3f; "
             "kill -TERM $p 2>/dev/null; wait $p; }",
             folder, ZW_COMMAND, call, seconds);
    return WEXITSTATUS(system(command));
}

/* Stopped at any time, also while results are written: where there is a report, there is the file,
 * and only where there is neither it says that nothing was found. */
static void test_interrupts__lose_no_results(void **state) {
    (void)state;
    enum { CALLS = 3, TIMES = 30 };
    static const struct {
        const char *call, *file;
    } calls[CALLS] = {
        {"fit " MODEL("swing") " " ZW_SOURCE_DIR "/models/data/swing.csv --fit 'l=0.3:1 [m]' "
                               "--fit c,q --out late.csv",
         "late.csv"},
        {"slow " MODEL("tippedisk_reduced") " --variant linear --order 2 --out late.zw", "late.zw"},
        {"verify " MODEL("absorber_planar") " --json", NULL}};
    static char out[1 << 16], seen[1 << 14], file[1 << 16];
    for (int k = 0; k < CALLS * TIMES; k++) {
        const char *name = calls[k / TIMES].file;
        int code = stop_after(calls[k / TIMES].call, 0.005 * (k % TIMES));
        read_file("out.txt", out, sizeof out);
        read_file("err.txt", seen, sizeof seen);
        read_file(name ? name : "out.txt", file, sizeof file);
        bool nothing = strstr(seen, "stopped before anything") != NULL;
        if ((code == 0 || out[0]) != (file[0] != '\0') || (nothing && out[0]))
            fail_msg("%s, %.3f s: exit code %d\n%s\n%s\n%.200s", calls[k / TIMES].call,
                     0.005 * (k % TIMES), code, seen, out, file);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interrupts__lose_no_results),
        cmocka_unit_test(test_interrupts__are_answered_by_all_verbs),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
