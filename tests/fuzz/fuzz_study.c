/* SPDX-License-Identifier: MIT */
/* The bytes as one or two command lines of any verb on a model that comes with the command. Options
 * are drawn from the tables of the verb, their values from what the tables say of them: numbers
 * near their defaults and limits, names of the model where the help writes NAME, and so on. The
 * second line may read what the first one has written. */
#include <ctype.h>

#include "cli/folders.h"
#include "fuzz_cli.h"

enum { OPTIONS = 5, MODELS = 400, NAMES = 400, LETTERS = 4000 };

typedef struct chosen_model {
    const char *path;
    int nname, nparam; /* the parameters are the first names */
    const char *name[NAMES];
    double value[NAMES]; /* of parameters */
    zw_context *ctx;
} chosen_model;

typedef struct line {
    int argc;
    char *argv[FUZZ_WORDS + 1];
    char text[LETTERS];
    size_t used;
    double near; /* numbers are near this one: the last parameter named */
} line;

static struct {
    int n;
    char *path[MODELS];
} models;

static void add_model(void *user, const cli_found *model) {
    (void)user;
    if (models.n < MODELS && !(models.path[models.n++] = strdup(model->path)))
        abort();
}

static void find_models(void) {
    cli_folders f;
    unsetenv("ZWANG_MODELS");
    cli_folders_find(&f);
    if (f.n != 1 || !cli_folders_list(&f, 0, add_model, NULL) || models.n == 0)
        abort();
    cli_folders_clear(&f);
}

/* ---- words ---- */

static void put_char(line *l, char c) {
    if (l->used + 2 < LETTERS)
        l->text[l->used++] = c;
}

static void put_text(line *l, const char *s) {
    while (*s)
        put_char(l, *s++);
}

static void begin_word(line *l) {
    l->argv[l->argc++] = l->text + l->used;
}

static void end_word(line *l) {
    l->text[l->used++] = '\0';
}

static void put_number(line *l, fuzz_bytes *b) {
    static const double factor[] = {1, 0.5, 2, 1.1, 0.9, 10, 0.1, -1, 0, 1000};
    static const char *const odd[] = {"1e300", "1e-300", "nan", "inf",
                                      "",      "-0",     "x",   "1 [furlong]"};
    unsigned kind = fuzz_byte(b);
    char text[40];
    if (kind >= 250) {
        put_text(l, odd[fuzz_pick(b, sizeof odd / sizeof *odd)]);
        return;
    }
    double x = kind < 128 ? l->near * factor[kind % 10] : ((int)fuzz_byte(b) - 64) / 8.0;
    snprintf(text, sizeof text, "%.6g", x);
    put_text(l, text);
}

static void put_name(line *l, const chosen_model *m, fuzz_bytes *b) {
    bool parameter = fuzz_byte(b) & 1 && m->nparam;
    if (m->nname == 0) {
        put_text(l, "x");
        return;
    }
    unsigned i = fuzz_pick(b, (unsigned)(parameter ? m->nparam : m->nname));
    put_text(l, m->name[i]);
    l->near = m->value[i];
}

static void put_file_name(line *l, fuzz_bytes *b) {
    static const char *const name[] = {"a.csv", "b.csv", "a.json", "a.h5",  "a.svg", "a.pdf",
                                       "a.png", "a.tex", "a.html", "a.zw",  "a.mat", "a.npz",
                                       "-",     "a",     "a/b",    "a.gif", "a.c",   "a.py"};
    put_text(l, name[fuzz_pick(b, sizeof name / sizeof *name)]);
}

static void put_formula(line *l, const chosen_model *m, fuzz_bytes *b) {
    static const char *const op[] = {"*", "+", "-", "/", "^2*", "'*", "*sin(t)+", "=", ">"};
    put_name(l, m, b);
    for (unsigned n = fuzz_pick(b, 3); n > 0; n--) {
        put_text(l, op[fuzz_pick(b, sizeof op / sizeof *op)]);
        put_name(l, m, b);
    }
}

/* one word of a label, written in capitals */
static void put_meaning(line *l, const chosen_model *m, const char *word, size_t n, fuzz_bytes *b) {
    static const struct {
        const char *words;
        char as;
    } meaning[] = {
        {" FROM TO VALUE VALUES LOW HIGH SD TIME TURNS N POINTS ROWS SAMPLES A B C D STEP NUMBER I "
         "T W H ",
         '1'},
        {" FILE RESULT FOLDER MODEL ", 'f'},
        {" EXPRESSION EXPR FORMULA EQUATION EQUATIONS PRODUCT CONDITION MEASURES CHANGES IMAGE ",
         'e'},
    };
    char key[40];
    snprintf(key, sizeof key, " %.*s ", n < 30 ? (int)n : 30, word);
    for (size_t i = 0; i < sizeof meaning / sizeof *meaning; i++)
        if (strstr(meaning[i].words, key)) {
            if (meaning[i].as == '1')
                put_number(l, b);
            else if (meaning[i].as == 'f')
                put_file_name(l, b);
            else
                put_formula(l, m, b);
            return;
        }
    put_name(l, m, b);
}

/* "NAME=FROM:TO[:POINTS]": capitals are replaced, the rest stays; what is in brackets may be left
 * out */
static void put_label(line *l, const chosen_model *m, const char *label, fuzz_bytes *b) {
    for (const char *s = label; *s;) {
        size_t n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        if (n) {
            put_meaning(l, m, s, n, b);
            s += n;
        } else if (*s == '[' && strchr(s, ']') && fuzz_byte(b) & 1) {
            s = strchr(s, ']') + 1;
        } else if (*s == '[' || *s == ']' || *s == '.') {
            s++;
        } else if (*s == '|') {
            if (fuzz_byte(b) & 1)
                return;
            l->used = (size_t)(l->argv[l->argc - 1] - l->text); /* this one instead */
            s++;
        } else {
            put_char(l, *s++);
        }
    }
}

static void put_choice(line *l, const char *choices, fuzz_bytes *b) {
    unsigned n = 1;
    for (const char *s = choices; *s; s++)
        n += *s == '|';
    for (n = fuzz_pick(b, n); n > 0; n--)
        choices = strchr(choices, '|') + 1;
    for (; *choices && *choices != '|'; choices++)
        put_char(l, *choices);
}

static void put_value(line *l, const chosen_model *m, const zw_option *row, fuzz_bytes *b) {
    switch (row->type) {
    case ZW_OPT_DOUBLE:
    case ZW_OPT_INT:
    case ZW_OPT_LONG:
        l->near = row->fallback != 0 ? row->fallback : 1 + fmin(row->min, 1e6);
        put_number(l, b);
        break;
    case ZW_OPT_CHOICE:
    case ZW_OPT_NAME:
        put_choice(l, row->choices, b);
        break;
    default:
        put_label(l, m, row->choices ? row->choices : "NAME", b);
        break;
    }
}

/* a separate process for each film, and threads without benefit */
static bool is_left_out(const zw_option *row) {
    return strcmp(row->key, "video") == 0 || strcmp(row->key, "threads") == 0;
}

static void put_option(line *l, const chosen_model *m, const cli_command *c, fuzz_bytes *b) {
    unsigned n = 0;
    for (const cli_group *g = c->groups; g->table; g++)
        for (const zw_option *row = g->table; row->key; row++)
            n++;
    unsigned which = fuzz_pick(b, n);
    for (const cli_group *g = c->groups; g->table; g++)
        for (const zw_option *row = g->table; row->key; row++)
            if (which-- == 0 && !is_left_out(row)) {
                begin_word(l);
                put_text(l, "--");
                put_text(l, row->key);
                end_word(l);
                if (row->type != ZW_OPT_FLAG) {
                    begin_word(l);
                    put_value(l, m, row, b);
                    end_word(l);
                }
            }
}

/* ---- models ---- */

static void add_name(chosen_model *m, const char *name, double value) {
    if (m->nname < NAMES && name) {
        m->name[m->nname] = name;
        m->value[m->nname++] = value;
    }
}

static void open_model(chosen_model *m, fuzz_bytes *b) {
    zw_system *s;
    *m = (chosen_model){.path = models.path[fuzz_pick(b, (unsigned)models.n)],
                        .ctx = fuzz_context()};
    if (zw_model_read(&s, m->ctx, m->path, NULL, NULL) < 0)
        return;
    double *p = fuzz_room(s->np);
    zw_system_param_values(s, p, NULL);
    for (int i = 0; i < s->np; i++)
        add_name(m, s->param[i].name, p[i]);
    m->nparam = m->nname;
    free(p);
    for (int i = 0; i < s->nq; i++)
        add_name(m, s->coord[i].name, 1);
    for (int i = 0; i < s->nv; i++)
        add_name(m, s->velocity[i].name, 1);
    for (int i = 0; i < s->nconstraint; i++)
        add_name(m, s->constraint[i].name, 1);
    for (int i = 0; i < s->ncontact; i++)
        add_name(m, s->contact[i].name, 1);
    for (int i = 0; i < s->nobservable; i++)
        add_name(m, s->observable[i].name, 1);
    for (int i = 0; i < s->nevent; i++)
        add_name(m, s->event[i].name, 1);
}

static void run_line(const chosen_model *m, fuzz_bytes *b) {
    unsigned verbs = 0;
    line l = {.argc = 1, .argv = {"zwang"}, .near = 1};
    while (cli_commands[verbs])
        verbs++;
    const cli_command *c = cli_commands[fuzz_pick(b, verbs)];
    begin_word(&l);
    put_text(&l, c->name);
    end_word(&l);
    begin_word(&l);
    if (fuzz_byte(b) < 230)
        put_text(&l, m->path);
    else
        put_file_name(&l, b);
    end_word(&l);
    for (unsigned n = fuzz_pick(b, OPTIONS + 1); n > 0; n--)
        put_option(&l, m, c, b);
    fuzz_zwang(l.argc, l.argv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_bytes b = fuzz_decisions(data, size);
    chosen_model m;
    fuzz_enter();
    if (!models.n)
        find_models();
    if (!cli_commands[0]) /* the table of verbs is made by the first call */
        fuzz_zwang(2, (char *[]){"zwang", "version", NULL});
    open_model(&m, &b);
    for (unsigned n = 1 + fuzz_pick(&b, 2); n > 0; n--)
        run_line(&m, &b);
    fuzz_close(m.ctx);
    return 0;
}
