/* SPDX-License-Identifier: MIT */
/* TeX's own judgement of the LaTeX that is written: every shipped model, by every principle with
 * make test-long and by some of them otherwise, the form at each level of simplification and the
 * steps of one of them, the documents of several models in one run of pdflatex. It compiles, no
 * line is too wide, and no page but the last one of a document is mostly blank. Skipped, with a
 * word, where there is no TeX. */
#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "mech/write/paper.h"
#include "support/test.h"
#include "zwang/zwang.h"

static int shell(const char *command_line) {
    int code = system(command_line);
    return code >= 0 ? code >> 8 : -1;
}

/* -------------------------------------------------------------------------------------- writing */

typedef struct book {
    FILE *file;
    int documents;
} book;

static void add_document(book *b, const char *text, const char *model, const char *what) {
    const char *begin = strstr(text, "\\begin{document}"), *end = strstr(text, "\\end{document}");
    assert_non_null(begin);
    assert_non_null(end);
    const char *from = b->documents++ ? begin + strlen("\\begin{document}") : text;
    fwrite(from, 1, (size_t)(end - from), b->file);
    /* behind the last page: before it is shipped, TeX does not know yet where the last lines
     * stand */
    fprintf(b->file,
            "\\clearpage\\typeout{DOCUMENT %s: %s ends on page "
            "\\number\\numexpr\\value{page}-1\\relax;}\n",
            model, what);
}

static void add_equations(book *b, const zw_equations *eq, int level, const char *model) {
    char what[80];
    char *text = zw_equations_write(eq, ZW_EQUATIONS_LATEX, (zw_simplification)level);
    assert_non_null(text);
    snprintf(what, sizeof what, "by %.40s, level %d%s", eq->principle, level,
             eq->steps ? ", steps" : "");
    add_document(b, text, model, what);
    zw_string_free(eq->sys->ctx, text);
}

static bool is_taken(const char *model, const char *principle, int level) {
    char kind[80];
    snprintf(kind, sizeof kind, "%.60s %d", principle, level);
    return test_takes(10, "tex", model, kind);
}

static void add_model(book *b, const char *path) {
    const char *model = strrchr(path, '/') + 1;
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    assert_int_equal(zw_model_read(&sys, ctx, path, NULL, NULL), ZW_OK);
    for (const zw_principle *p = zw_principles(); p->name; p++) {
        const bool first = strcmp(p->name, "lagrange") == 0;
        zw_equations eq;
        if (!first && !is_taken(model, p->name, ZW_SHORTENED))
            continue;
        if (zw_derive(&eq, sys, NULL, p->name, NULL) < 0) {
            zw_context_reset_status(ctx);
            continue;
        }
        for (int level = 0; level <= 2; level++)
            if (level == ZW_SHORTENED || (first && is_taken(model, p->name, level)))
                add_equations(b, &eq, level, model);
        if (first && is_taken(model, "steps", 0) &&
            zw_derive_steps(&eq, sys, NULL, p->name, NULL) >= 0)
            add_equations(b, &eq, ZW_SHORTENED, model);
    }
    zw_context_destroy(ctx);
}

static int write_book(size_t n, char *const *paths) {
    book b = {fopen("book.tex", "w"), 0};
    assert_non_null(b.file);
    for (size_t i = 0; i < n; i++)
        add_model(&b, paths[i]);
    fputs("\\end{document}\n", b.file);
    assert_int_equal(fclose(b.file), 0);
    return b.documents;
}

/* ---------------------------------------------------------------------------------------- pages */

enum { PAGES_MAX = 2000, DPI = 10, BOOK = 20 /* models */ };

/* the share of rows between the margins that have ink; page.pgm as pdftoppm writes it */
static double ink_of(const char *path) {
    FILE *f = fopen(path, "rb");
    int width, height, most, inked = 0, rows = 0;
    assert_non_null(f);
    assert_int_equal(fscanf(f, "P5 %d %d %d", &width, &height, &most), 3);
    fgetc(f);
    int top = DPI * 2 * 100 / 254, bottom = height - DPI * 2 * 100 / 254;
    for (int y = 0; y < height; y++) {
        bool dark = false;
        for (int x = 0; x < width; x++)
            dark |= fgetc(f) < 250;
        if (y >= top && y < bottom) {
            inked += dark;
            rows++;
        }
    }
    fclose(f);
    return (double)inked / rows;
}

/* is_last[page]: a document ends there; the log has lines of 79 characters, broken anywhere */
static int last_pages_of(const char *log, int most, bool *is_last) {
    int documents = 0;
    for (const char *s = log; documents < most && (s = strstr(s, "DOCUMENT ")) != NULL; s++) {
        char line[400];
        size_t n = 0;
        for (const char *c = s; *c && n + 1 < sizeof line && *c != ';'; c++)
            if (*c != '\n')
                line[n++] = *c;
        line[n] = '\0';
        const char *page = strstr(line, "page ");
        assert_non_null(page);
        long number = strtol(page + 5, NULL, 10);
        assert_in_range(number, 1, PAGES_MAX - 1);
        is_last[number] = true;
        documents++;
    }
    return documents;
}

/* what stands on a page */
static const char *document_at(const char *log, int page) {
    static char name[160];
    bool is_last[PAGES_MAX] = {false};
    const char *s = log;
    for (; (s = strstr(s, "DOCUMENT ")) != NULL; s++) {
        last_pages_of(s, 1, is_last);
        snprintf(name, sizeof name, "%.*s", (int)strcspn(s, ";"), s);
        for (int p = page; p < PAGES_MAX; p++)
            if (is_last[p])
                return name;
    }
    return "the end";
}

static int check_pages(const char *log, int documents) {
    bool is_last[PAGES_MAX] = {false};
    char line[200];
    int pages = 0;
    assert_int_equal(last_pages_of(log, INT_MAX, is_last), documents);
    snprintf(line, sizeof line, "pdftoppm -gray -r %d book.pdf page 2>errors", DPI);
    assert_int_equal(shell(line), 0);
    glob_t files;
    assert_int_equal(glob("page-*.pgm", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        int number = (int)strtol(files.gl_pathv[i] + 5, NULL, 10);
        double ink = ink_of(files.gl_pathv[i]);
        if (!is_last[number] && ink < 0.4)
            fail_msg("%s: page %d is mostly blank (%.2f of its rows have ink)",
                     document_at(log, number), number, ink);
        pages++;
    }
    globfree(&files);
    return pages;
}

static char *read_file(const char *path) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    long n = ftell(f);
    rewind(f);
    char *text = calloc((size_t)n + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)n, f), (size_t)n);
    fclose(f);
    return text;
}

static int check_book(size_t n, char *const *paths) {
    assert_int_equal(shell("rm -f page-* book.*"), 0);
    int documents = write_book(n, paths);
    int code = shell("pdflatex -interaction=nonstopmode -halt-on-error book.tex >said 2>&1");
    char *log = read_file("book.log");
    const char *bad = code ? strstr(log, "\n!") : strstr(log, "Overfull \\hbox");
    if (code || bad) {
        const char *end = strstr(bad ? bad : log, "DOCUMENT ");
        fail_msg("%s to %s: TeX %s: %.300s, in %.80s", paths[0], paths[n - 1],
                 code ? "refuses" : "finds a line too wide", bad ? bad : "",
                 end ? end : "the document behind the last one that was ended");
    }
    int pages = check_pages(log, documents);
    free(log);
    return pages;
}

static void need_tex(void) {
    if (shell("command -v pdflatex >/dev/null && command -v pdftoppm >/dev/null") != 0) {
        print_message("SKIPPED: no pdflatex and pdftoppm here; tools/setup latex installs them\n");
        skip();
    }
}

static void test_tex__takes_every_model_by_every_principle(void **state) {
    (void)state;
    need_tex();
    char folder[] = "/tmp/zwang-tex-XXXXXX", clean[100];
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    glob_t models;
    int pages = 0;
    assert_int_equal(glob(ZW_SOURCE_DIR "/models/*.zw", 0, NULL, &models), 0);
    for (size_t i = 0; i < models.gl_pathc; i += BOOK)
        pages += check_book(models.gl_pathc - i < BOOK ? models.gl_pathc - i : BOOK,
                            models.gl_pathv + i);
    print_message("%d models, %d pages\n", (int)models.gl_pathc, pages);
    assert_true(pages > (test_long() ? 600 : 150));
    globfree(&models);
    snprintf(clean, sizeof clean, "rm -r %s", folder);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(shell(clean), 0);
}

/* every byte, Greek, Latin, other letters, and half a character at the end */
static void test_tex__takes_any_words(void **state) {
    (void)state;
    need_tex();
    char folder[] = "/tmp/zwang-tex-XXXXXX", clean[100], bytes[256];
    for (int i = 1; i < 256; i++)
        bytes[i - 1] = (char)(i < 32 ? ' ' : i);
    bytes[255] = '\0';
    zw_context *ctx = zw_context_create(NULL);
    zw_paper p;
    zw_paper_begin(&p, ctx, ZW_PAPER_LATEX, ZW_SHORTENED);
    zw_paper_title(
        &p, "%s",
        "50% \\of {x_1} ~ ^2 & <a|b> #$ \u00e9\u03c6\u03a9\u4e2d\u201cq\u201d \u00f0\xc3");
    zw_paper_say(&p, "%s", bytes);
    zw_paper_equation(&p, zw_symbol(ctx, "x"), 0, ZW_ONE, bytes);
    char *text = zw_paper_end(&p);
    assert_non_null(text);
    assert_non_null(strstr(text, "50\\% \\textbackslash{}of \\{x\\_1\\} "));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    FILE *f = fopen("words.tex", "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(shell("pdflatex -interaction=nonstopmode -halt-on-error words.tex >said 2>&1"),
                     0);
    zw_string_free(ctx, text);
    zw_context_destroy(ctx);
    snprintf(clean, sizeof clean, "rm -r %s", folder);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(shell(clean), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tex__takes_any_words),
        cmocka_unit_test(test_tex__takes_every_model_by_every_principle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
