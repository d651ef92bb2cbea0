/* SPDX-License-Identifier: MIT */
/* "zwang MODEL": which calls suit a model, under the questions that they answer. What a call needs
 * (an excitation, contacts, noise, a parameter) is read off the model. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "folders.h"
#include "help.h"

enum { QUOTED = 300 };

/* Features of a model, as bits. */
typedef enum feature {
    ANY = 0,
    DRIVEN = 1,      /* depends on time */
    FREE = 2,        /* does not */
    CONTACTS = 4,    /* has contacts that may open */
    SMOOTH = 8,      /* has none */
    RANDOM = 16,     /* has noise */
    CERTAIN = 32,    /* has none */
    CLAIMS = 64,     /* states equations to verify */
    PARAMETERS = 128 /* has a parameter that is not zero */
} feature;

/* A call: its arguments after the model, %s stands for a range of a parameter. */
typedef struct offer {
    const char *verb, *arguments;
    int needs; /* features */
} offer;

static const offer offers[] = {
    {"check", "", ANY},
    {"derive", "", ANY},
    {"compare", "", CERTAIN},
    {"verify", "", CLAIMS},
    {"run", " --until 10 --picture run.svg", ANY},
    {"view", " --until 10 --out model.html", ANY},
    {"equilibria", "", FREE | CERTAIN},
    {"linearise", "", FREE | CERTAIN},
    {"rest", "", CONTACTS | CERTAIN},
    {"response", "", DRIVEN | SMOOTH | CERTAIN},
    {"response", " --over %s", DRIVEN | SMOOTH | CERTAIN | PARAMETERS},
    {"orbit", "", FREE | CERTAIN},
    {"orbit", " --over %s", FREE | CERTAIN | PARAMETERS},
    {"diagram", " --over %s", FREE | CERTAIN | PARAMETERS},
    {"lyapunov", "", CERTAIN},
    {"noise", "", RANDOM},
};

static int find_features(const zw_system *sys, const zw_forcing *forcing) {
    int found = !forcing ? 0 : forcing->autonomous ? FREE : DRIVEN;
    found |= sys->ncontact > 0 ? CONTACTS : SMOOTH;
    found |= zw_system_is_random(sys) ? RANDOM : CERTAIN;
    return found | (sys->nclaim > 0 ? CLAIMS : 0);
}

/* true if a frequency of the excitation depends on the symbol */
static bool is_of_frequency(const zw_system *sys, const zw_forcing *forcing, zw_expr symbol) {
    for (int i = 0; forcing && i < forcing->n; i++)
        if (zw_depends(sys->ctx, forcing->frequency[i], symbol))
            return true;
    return false;
}

/* The parameter to vary: one that sets the frequency of an excitation, else the first one that is
 * given by a number and is not zero; -1: none. */
static int choose_parameter(const zw_system *sys, const zw_forcing *forcing, const double *p,
                            const zw_expr *symbol) {
    int chosen = -1;
    for (int i = 0; i < sys->np; i++) {
        if (p[i] == 0 || !isfinite(p[i]) ||
            zw_depends_any(sys->ctx, sys->param[i].value, sys->np, symbol))
            continue;
        if (is_of_frequency(sys, forcing, symbol[i]))
            return i;
        chosen = chosen < 0 ? i : chosen;
    }
    return chosen;
}

/* that parameter from half of its value to one and a half of it, as text; false: there is none */
static bool find_range(const zw_system *sys, const zw_forcing *forcing, char *out, size_t size) {
    double *p = zw_context_alloc(sys->ctx, (size_t)(sys->np + 1) * sizeof *p);
    zw_expr *symbol = zw_context_alloc(sys->ctx, (size_t)(sys->np + 1) * sizeof *symbol);
    if (!p || !symbol || zw_system_param_values(sys, p, NULL) < 0)
        return false;
    for (int i = 0; i < sys->np; i++)
        symbol[i] = sys->param[i].sym;
    int i = choose_parameter(sys, forcing, p, symbol);
    if (i < 0)
        return false;
    const zw_param *chosen = &sys->param[i];
    bool unit = chosen->unit[0] && !sys->no_units;
    snprintf(out, size, "%s=%.3g:%.3g%s%s%s", chosen->name, fmin(0.5 * p[i], 1.5 * p[i]),
             fmax(0.5 * p[i], 1.5 * p[i]), unit ? " [" : "", unit ? chosen->unit : "",
             unit ? "]" : "");
    return true;
}

/* an argument for a shell, in quotes if it has blanks or brackets */
static void put_argument(const char *text) {
    bool plain = text[strcspn(text, " []'\"$*()&;|<>\\")] == '\0';
    fputs(plain ? "" : "\"", stdout);
    for (; *text; text++) {
        fputs(strchr("\"$\\`", *text) ? "\\" : "", stdout);
        putchar(*text);
    }
    fputs(plain ? "" : "\"", stdout);
}

static void put_call(const offer *o, const char *word, const char *range) {
    const char *place = strstr(o->arguments, "%s");
    printf("  zwang %s ", o->verb);
    put_argument(word);
    if (place) {
        fwrite(o->arguments, 1, (size_t)(place - o->arguments), stdout);
        put_argument(range);
    } else {
        fputs(o->arguments, stdout);
    }
    putchar('\n');
}

static void put_question(const char *question, const char *word, int features, const char *range) {
    bool begun = false;
    for (size_t i = 0; i < sizeof offers / sizeof *offers; i++) {
        const cli_command *c = cli_find_command(offers[i].verb);
        if (!c || strcmp(cli_question(c), question) != 0 || (offers[i].needs & ~features))
            continue;
        if (!begun)
            printf("\n%s\n", question);
        begun = true;
        put_call(&offers[i], word, range);
    }
}

static void put_title(const zw_system *sys) {
    char title[QUOTED];
    snprintf(title, sizeof title, "%s%s%s", sys->name, sys->title && sys->title[0] ? ": " : "",
             sys->title ? sys->title : "");
    zw_text_tame(title);
    printf("%s\n", title);
}

static void put_offers(const zw_system *sys, const char *word) {
    const char *const *questions = zw_study_questions();
    zw_equations eq;
    zw_forcing found;
    char range[QUOTED];
    bool known =
        zw_derive(&eq, sys, NULL, "lagrange", NULL) >= 0 && zw_forcing_find(&found, &eq, NULL) >= 0;
    const zw_forcing *forcing = known ? &found : NULL;
    int features = find_features(sys, forcing);
    if (find_range(sys, forcing, range, sizeof range))
        features |= PARAMETERS;
    put_title(sys);
    for (int i = 0; questions[i]; i++)
        put_question(questions[i], word, features, range);
}

int cli_put_offer(const char *word, zw_error *err) {
    cli_faults faults = {0};
    cli_file_guard guard = {0};
    cli_options o = {.faults = &faults, .guard = &guard};
    cli_model model = {0};
    char *path = NULL;
    zw_text_init(&faults.rest, NULL);
    zw_status status = cli_find_model(&path, word, err);
    if (status >= 0)
        status = cli_model_open(&model, path, &o, err);
    if (status >= 0) {
        put_offers(model.sys, word);
        puts("\nzwang help lists all verbs, zwang help VERB describes one.");
    }
    cli_model_close(&model);
    cli_guard_clear(&guard);
    if (status < 0) {
        char message[2048];
        zw_error_format(err, message, sizeof message);
        fprintf(stderr, "%s\n", message);
    }
    cli_faults_print(&faults);
    free(path);
    return cli_exit_code(status);
}
