/* SPDX-License-Identifier: MIT */
/* The LaTeX of every shipped model by every principle (by some with make test), read by a small
 * reader that checks what TeX is strict about: known commands, nested groups, environments and
 * \left-\right pairs, subscripts in formulas only and never two, alignment marks only at the level
 * of their environment, no empty line in a formula. */
#include <ctype.h>
#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/test.h"
#include "zwang/zwang.h"

enum { DEPTH = 200 };

typedef enum group { BRACE, TEXT, PAIR, ALIGN, CASES, INLINE, DOCUMENT } group;

typedef struct reader {
    const char *start, *p;
    group open[DEPTH];
    int depth;
    char wrong[200];
} reader;

static void complain(reader *r, const char *what) {
    if (!r->wrong[0])
        snprintf(r->wrong, sizeof r->wrong, "%s near '%.60s'", what, r->p);
}

static void open_group(reader *r, group g) {
    if (r->depth == DEPTH)
        complain(r, "groups too deep");
    else
        r->open[r->depth++] = g;
}

static void close_group(reader *r, group g, const char *what) {
    if (r->depth == 0 || r->open[r->depth - 1] != g)
        complain(r, what);
    else
        r->depth--;
}

static bool in_formula(const reader *r) {
    for (int i = r->depth - 1; i >= 0; i--)
        if (r->open[i] == ALIGN || r->open[i] == CASES || r->open[i] == INLINE ||
            r->open[i] == TEXT)
            return r->open[i] != TEXT;
    return false;
}

static bool accept(reader *r, const char *word) {
    size_t n = strlen(word);
    if (strncmp(r->p, word, n) != 0)
        return false;
    r->p += n;
    return true;
}

static bool is_known(const char *name, size_t n) {
    static const char known[] =
        " documentclass usepackage setlength mathindent abovedisplayskip raggedright parindent "
        "parskip "
        "allowdisplaybreaks "
        "section "
        "subsection quad qquad displaystyle small bigl bigr Bigl Bigr biggl biggr Biggl Biggr "
        "lvert "
        "rvert frac sqrt partial mathrm operatorname boldsymbol cdot dot ddot dddot ddddot sin cos "
        "tan "
        "arcsin arccos arctan sinh cosh tanh exp ln min max pi alpha beta gamma delta epsilon zeta "
        "eta theta iota kappa lambda mu nu xi rho sigma tau upsilon phi chi psi omega Gamma Delta "
        "Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega leq geq sum tfrac mathsf times land lor "
        "lnot le perp in mathcal colon ";
    char word[64];
    if (n + 3 > sizeof word)
        return false;
    snprintf(word, sizeof word, " %.*s ", (int)n, name);
    return strstr(known, word) != NULL;
}

static void environment(reader *r, bool begin) {
    group g = accept(r, "{align*}")     ? ALIGN
              : accept(r, "{cases}")    ? CASES
              : accept(r, "{document}") ? DOCUMENT
                                        : TEXT;
    if (g == TEXT)
        complain(r, "unknown environment");
    else if (begin && g != DOCUMENT && g != CASES && in_formula(r))
        complain(r, "a formula in a formula");
    else if (begin)
        open_group(r, g);
    else
        close_group(r, g, "an environment ends that is not the last one begun");
}

/* \makebox[width][l]{ and \tag*{, whose content is text; the reader stands at the brace then */
static bool is_box(reader *r, const char *name, size_t n) {
    if (n == 3 && strncmp(name, "tag", n) == 0)
        return accept(r, "*") && *r->p == '{';
    if (n != 7 || strncmp(name, "makebox", n) != 0)
        return false;
    r->p += strcspn(r->p, "{");
    return *r->p == '{';
}

/* after a backslash */
static void command(reader *r) {
    static const char marks[] = ",_&%#$ {}";
    if (*r->p == '\\') {
        r->p++;
        if (r->depth == 0 || (r->open[r->depth - 1] != ALIGN && r->open[r->depth - 1] != CASES))
            complain(r, "a line ends inside a group");
        return;
    }
    if (strchr(marks, *r->p)) {
        r->p++;
        return;
    }
    const char *name = r->p;
    while (isalpha((unsigned char)*r->p))
        r->p++;
    size_t n = (size_t)(r->p - name);
    if (n == 5 && strncmp(name, "begin", n) == 0) {
        environment(r, true);
    } else if (n == 3 && strncmp(name, "end", n) == 0) {
        environment(r, false);
    } else if (n == 4 && strncmp(name, "left", n) == 0) {
        r->p += r->p[0] == '\\' ? 2 : 1;
        open_group(r, PAIR);
    } else if (n == 5 && strncmp(name, "right", n) == 0) {
        r->p += r->p[0] == '\\' ? 2 : 1;
        close_group(r, PAIR, "\\right without \\left");
    } else if ((n == 4 && strncmp(name, "text", n) == 0 && *r->p == '{') || is_box(r, name, n)) {
        r->p++;
        open_group(r, TEXT);
    } else if (!is_known(name, n)) {
        r->p = name;
        complain(r, "unknown command");
    }
}

static void mark(reader *r, char c) {
    switch (c) {
    case '{':
        open_group(r, BRACE);
        break;
    case '}':
        if (r->depth && r->open[r->depth - 1] == TEXT)
            r->depth--;
        else
            close_group(r, BRACE, "a brace closes nothing");
        break;
    case '_':
        if (!in_formula(r))
            complain(r, "a subscript outside a formula");
        if (*r->p != '{' && (!isalnum((unsigned char)*r->p) || r->p[1] == '_'))
            complain(r, "a subscript without braces");
        break;
    case '^':
        if (!in_formula(r))
            complain(r, "an exponent outside a formula");
        break;
    case '&':
        if (r->depth == 0 || (r->open[r->depth - 1] != ALIGN && r->open[r->depth - 1] != CASES))
            complain(r, "an alignment mark inside a group");
        break;
    case '\n':
        if (*r->p == '\n' && in_formula(r))
            complain(r, "an empty line in a formula");
        break;
    case '$':
        if (!in_formula(r))
            open_group(r, INLINE);
        else
            close_group(r, INLINE, "a dollar inside a formula");
        break;
    case '%':
    case '#':
        complain(r, "a character that TeX takes for a command");
        break;
    default:
        break;
    }
}

/* reads past one {...} after an underscore, to see whether a second subscript follows */
static void skip_subscript(reader *r) {
    int outside = r->depth;
    do {
        char c = *r->p++;
        if (c == '\\')
            command(r);
        else if (c == '\0') {
            r->p--;
            complain(r, "the text ends in a subscript");
        } else if (c == '_') {
            mark(r, c);
            skip_subscript(r);
        } else
            mark(r, c);
    } while (r->depth > outside && !r->wrong[0]);
    if (*r->p == '_')
        complain(r, "two subscripts");
}

static const char *read_document(reader *r, const char *text) {
    *r = (reader){.start = text, .p = text};
    while (*r->p && !r->wrong[0]) {
        char c = *r->p++;
        if (c == '\\')
            command(r);
        else
            mark(r, c);
        if (c == '_' && !r->wrong[0])
            skip_subscript(r);
    }
    if (r->depth)
        complain(r, "something is not closed");
    if (!strstr(text, "\\begin{document}"))
        complain(r, "no document");
    return r->wrong;
}

/* ------------------------------------------------------------------------------------------ */

static char *read_file(const char *path) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    long n = ftell(f);
    assert_true(n >= 0);
    rewind(f);
    char *text = calloc((size_t)n + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)n, f), (size_t)n);
    fclose(f);
    return text;
}

static int shell(const char *command_line) {
    int code = system(command_line);
    return code >= 0 ? code >> 8 : -1;
}

static void check_document(const char *model, const char *principle) {
    reader r;
    char *text = read_file("equations.tex");
    const char *wrong = read_document(&r, text);
    if (wrong[0])
        fail_msg("%s by %s: %s", model, principle, wrong);
    free(text);
}

static void test_latex__every_model_by_every_principle(void **state) {
    (void)state;
    char folder[] = "/tmp/zwang-latex-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    glob_t models;
    assert_int_equal(glob(ZW_SOURCE_DIR "/models/*.zw", 0, NULL, &models), 0);
    int documents = 0, refused = 0;
    for (size_t i = 0; i < models.gl_pathc; i++)
        for (const zw_principle *p = zw_principles(); p->name; p++) {
            char line[1024];
            if (!test_takes(4, "latex", strrchr(models.gl_pathv[i], '/'), p->name))
                continue;
            snprintf(line, sizeof line,
                     ZW_COMMAND " derive %s --by %s --format latex --out equations.tex 2>errors",
                     models.gl_pathv[i], p->name);
            int code = shell(line);
            assert_in_range(code, 0, 2); /* refused, or no unique equations */
            refused += code != 0;
            documents += code == 0;
            if (code == 0)
                check_document(models.gl_pathv[i], p->name);
        }
    /* more are written than refused: a principle that always refuses would show here */
    assert_true(documents > refused && documents > (test_long() ? 400 : 100));
    globfree(&models);
    char clean[100];
    snprintf(clean, sizeof clean, "rm -r %s", folder);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(shell(clean), 0);
}

/* notation that only derivations have: partial velocities, symbols of three indices, sums in
 * headings */
static void test_latex__steps_by_every_principle(void **state) {
    (void)state;
    static const char *const models[] = {"chaplygin_sleigh", "rolling_penny", "turntable_ball",
                                         "double_pendulum", "motor_pendulum"};
    zw_context *ctx = zw_context_create(NULL);
    int documents = 0;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char path[400];
        zw_system *sys;
        snprintf(path, sizeof path, ZW_SOURCE_DIR "/models/%s.zw", models[i]);
        assert_int_equal(zw_model_read(&sys, ctx, path, NULL, NULL), ZW_OK);
        for (const zw_principle *p = zw_principles(); p->name; p++) {
            zw_equations eq;
            reader r;
            if (zw_derive_steps(&eq, sys, NULL, p->name, NULL) < 0)
                continue;
            char *text = zw_equations_write(&eq, ZW_EQUATIONS_LATEX, ZW_SHORTENED);
            assert_non_null(text);
            const char *wrong = read_document(&r, text);
            if (wrong[0])
                fail_msg("%s by %s: %s", models[i], p->name, wrong);
            zw_string_free(ctx, text);
            documents++;
        }
    }
    zw_context_destroy(ctx);
    assert_true(documents > 35);
}

static void assert_bad(const char *formula, const char *what) {
    char text[400];
    reader r;
    snprintf(text, sizeof text, "\\begin{document}\\begin{align*}%s\\end{align*}\\end{document}",
             formula);
    const char *wrong = read_document(&r, text);
    if (!strstr(wrong, what))
        fail_msg("'%s': '%s' instead of '%s'", formula, wrong, what);
}

/* the reader itself finds what it is there for */
static void test_latex__the_reader_finds_faults(void **state) {
    (void)state;
    assert_bad("\\frac{a}{b", "environment ends");
    assert_bad("\\left(a \\\\ b\\right)", "line ends inside");
    assert_bad("\\left(a & b\\right)", "alignment mark inside");
    assert_bad("a\\right)", "without \\left");
    assert_bad("\\nonsense", "unknown command");
    assert_bad("x_{1}_{2}", "two subscripts");
    assert_bad("x_{a_{1}_{2}}", "two subscripts");
    assert_bad("\\text{a_b}", "outside a formula");
    assert_bad("a\n\nb", "empty line");
    assert_bad("a %% b", "TeX takes");
    assert_bad("a $ b $", "dollar inside");
    reader r;
    assert_string_equal(
        read_document(&r, "\\begin{document}\\begin{align*}x_{1} &= \\left(a_{b_{2}} + "
                          "\\dot{p}_{w}\\right)^{2} \\\\ y &= 0\\end{align*}\\end{document}"),
        "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_latex__the_reader_finds_faults),
        cmocka_unit_test(test_latex__every_model_by_every_principle),
        cmocka_unit_test(test_latex__steps_by_every_principle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
