/* SPDX-License-Identifier: MIT */
/* The manual pages, in roff with the macros of man(7): zwang(1) for the program, zwang-VERB(1) for
 * each verb. */
#include <ctype.h>
#include <string.h>

#include "help.h"

/* Literal text: no part of it is a request or an escape of roff, and minus signs can be copied. */
static void put_escaped(zw_text *out, const char *s, size_t n) {
    static const struct {
        char c;
        const char *roff;
    } escape[] = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"},
                  {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
    for (size_t i = 0; i < n; i++) {
        const char *roff = NULL;
        for (size_t k = 0; k < sizeof escape / sizeof *escape; k++)
            if (escape[k].c == s[i])
                roff = escape[k].roff;
        bool begins = out->length == 0 || out->data[out->length - 1] == '\n';
        if (begins && s[i] == '.')
            zw_text_put(out, "\\&");
        if (begins && s[i] == ' ')
            continue; /* a line that begins with a blank would break the paragraph */
        if (roff)
            zw_text_put(out, roff);
        else
            zw_text_put_n(out, s + i, 1);
    }
}

static void put_all(zw_text *out, const char *s) {
    put_escaped(out, s, strlen(s));
}

static void put_capitals(zw_text *out, const char *s) {
    for (; *s; s++) {
        char c = (char)toupper((unsigned char)*s);
        put_escaped(out, &c, 1);
    }
}

static void begin_page(zw_text *out, const char *verb, const char *about) {
    zw_text_put(out, ".TH ZWANG");
    if (verb) {
        zw_text_put(out, "\\-");
        put_capitals(out, verb);
    }
    zw_text_printf(out, " 1 \"\" \"Zwang %s\" \"Zwang\"\n.SH NAME\nzwang%s%s \\- ", zw_version(),
                   verb ? "\\-" : "", verb ? verb : "");
    put_all(out, about);
    zw_text_put(out, "\n");
}

static void put_item(zw_text *out, const char *name, const char *about) {
    zw_text_put(out, ".TP\n.B ");
    put_all(out, name);
    zw_text_put(out, "\n");
    put_all(out, about);
    zw_text_put(out, "\n");
}

static void put_entry(void *user, const char *name, const char *about) {
    if (name) {
        put_item(user, name, about);
        return;
    }
    zw_text_put(user, ".SH ");
    put_capitals(user, about);
    zw_text_put(user, "\n");
}

/* ------------------------------------------------------------------------------ parts of a page */

/* "run MODEL --until T\n zwang run RESULT": one line each, the words of the command in bold */
static void put_synopsis(zw_text *out, const char *usage) {
    static const char next[] = "\n       zwang ";
    zw_text_put(out, ".SH SYNOPSIS\n");
    for (;;) {
        const char *end = strstr(usage, next);
        size_t n = end ? (size_t)(end - usage) : strlen(usage), verb = strcspn(usage, " ");
        zw_text_put(out, ".B zwang ");
        put_escaped(out, usage, verb);
        zw_text_put(out, "\n");
        put_escaped(out, usage + verb, n - verb);
        zw_text_put(out, end ? "\n.br\n" : "\n");
        if (!end)
            return;
        usage = end + sizeof next - 1;
    }
}

static void put_options(zw_text *out, const zw_option *table) {
    for (const zw_option *row = table; row->key; row++) {
        const char *label = zw_options_label(row);
        zw_text_put(out, ".TP\n\\fB\\-\\-");
        put_all(out, row->key);
        zw_text_put(out, "\\fR");
        if (label) {
            zw_text_put(out, "=\\fI");
            put_all(out, label);
            zw_text_put(out, "\\fR");
        }
        zw_text_put(out, "\n");
        zw_text note;
        zw_text_init(&note, NULL);
        zw_options_note(row, &note);
        put_all(out, row->help);
        put_all(out, zw_text_get(&note));
        zw_text_put(out, "\n");
        zw_text_clear(&note);
    }
}

static void put_groups(zw_text *out, const cli_command *c) {
    zw_text_put(out, ".SH OPTIONS\nThey may be written as \\fB\\-\\-key=value\\fR or "
                     "\\fB\\-\\-key value\\fR. Words after \\fB\\-\\-\\fR are file names.\n");
    for (const cli_group *g = c->groups; g->table; g++) {
        zw_text_put(out, ".SS ");
        const char first = (char)toupper((unsigned char)g->title[0]);
        put_escaped(out, &first, 1);
        put_all(out, g->title + 1);
        zw_text_put(out, "\n");
        put_options(out, g->table);
    }
}

static void put_examples(zw_text *out, const char *examples) {
    zw_text_put(out, ".SH EXAMPLES\n.nf\n");
    put_all(out, examples);
    zw_text_put(out, ".fi\n");
}

static void put_exit_codes(zw_text *out) {
    static const char *const code[][2] = {
        {"0", "done; warnings, if any, were printed"},
        {"1", "a mistake in the command line, in a model or in a file; a result that cannot be "
              "written; verify: a claim fails"},
        {"2", "the computation failed; results up to that point are kept"},
        {"3", "out of memory, or a bug"},
        {"4", "done, but with warnings (with --strict)"},
        {"129, 130, 143",
         "ended by a hangup, by Ctrl-C, by kill; results up to that point are kept"}};
    zw_text_put(out, ".SH EXIT STATUS\n");
    for (size_t i = 0; i < sizeof code / sizeof *code; i++)
        put_item(out, code[i][0], code[i][1]);
}

static void put_environment(zw_text *out) {
    static const char *const variable[][2] = {
        {"ZWANG_MODELS", "folders that are searched for models by name, separated by colons; "
                         "they take precedence over the folder of the shipped models"},
        {"ZWANG_LLVM", "the file of the LLVM library that generates native code (libLLVM-15.so.1, "
                       "or a path); default: the newest one installed"},
        {"ZWANG_LAPACK", "the file of the LAPACK library for eigenvalues and large matrices; none: "
                         "built-in routines only, for matrices of up to 40 rows"},
        {"ZWANG_FMA", "off: ensembles of trajectories are computed without fused multiply-add, as "
                      "on a processor without it"},
        {"OPENBLAS_NUM_THREADS",
         "threads that OpenBLAS creates when it is loaded, for the first large matrix; "
         "zwang uses one of them"},
        {"TMPDIR", "the folder for a result that cannot be written to its own place"}};
    zw_text_put(out, ".SH ENVIRONMENT\n");
    for (size_t i = 0; i < sizeof variable / sizeof *variable; i++)
        put_item(out, variable[i][0], variable[i][1]);
}

static void put_see_also(zw_text *out, const char *verb) {
    zw_text_put(out, ".SH SEE ALSO\n");
    if (verb)
        zw_text_put(out, ".BR zwang (1),\n");
    const char *last = NULL;
    for (int i = 0; cli_commands[i]; i++)
        last = verb && strcmp(cli_commands[i]->name, verb) == 0 ? last : cli_commands[i]->name;
    for (int i = 0; cli_commands[i]; i++) {
        const char *name = cli_commands[i]->name;
        if (!verb || strcmp(name, verb) != 0)
            zw_text_printf(out, ".BR zwang\\-%s (1)%s\n", name, name == last ? "" : ",");
    }
    zw_text_put(out, ".PP\nThe folder share/doc/zwang of the installation has the whole "
                     "documentation: docs/tutorial.md first, docs/language.md about models.\n");
}

/* ---------------------------------------------------------------------------------------- pages */

static void put_page(zw_text *out, const cli_command *c) {
    begin_page(out, c->name, c->about);
    put_synopsis(out, c->usage);
    zw_text_put(out, ".SH DESCRIPTION\n");
    put_all(out, c->details);
    zw_text_put(out, "\n");
    put_groups(out, c);
    for (const cli_group *g = c->groups; g->table; g++)
        cli_each_list(g->table, put_entry, out);
    put_exit_codes(out);
    put_environment(out);
    put_examples(out, c->examples);
    put_see_also(out, c->name);
}

static void put_overview(zw_text *out) {
    begin_page(out, NULL, cli_about);
    zw_text_put(out, ".SH SYNOPSIS\n.B zwang\n.I VERB MODEL\n[options]\n.SH DESCRIPTION\n");
    put_all(out,
            "Zwang is a workbench for mechanical systems with constraints. A model is a text: "
            "coordinates, bodies, forces, constraints, units. Zwang checks it, derives the "
            "equations of motion by every classical principle, compares them, integrates them, "
            "finds equilibria, periodic orbits and bifurcations, draws the motion, and "
            "verifies printed equations.\n");
    zw_text_put(out, ".PP\n");
    put_all(out, cli_models.details);
    zw_text_put(out, "\n.SH VERBS\n");
    for (int i = 0; cli_commands[i]; i++)
        put_item(out, cli_commands[i]->name, cli_commands[i]->about);
    put_item(out, "help", cli_about_help);
    put_item(out, "version", cli_about_version);
    put_exit_codes(out);
    put_environment(out);
    put_examples(out, cli_models.examples);
    put_see_also(out, NULL);
}

bool cli_put_manual(const char *verb) {
    const cli_command *c = verb ? cli_find_command(verb) : NULL;
    if (verb && !c)
        return false;
    zw_text text;
    zw_text_init(&text, NULL);
    if (c)
        put_page(&text, c);
    else
        put_overview(&text);
    fputs(zw_text_get(&text), stdout);
    zw_text_clear(&text);
    return true;
}
