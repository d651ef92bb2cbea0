/* SPDX-License-Identifier: MIT */
/* Any bytes as a result file: its page and its pictures are made or refused with words, and nothing
 * that comes from the file ends the data of the page or begins an element of it. A note "plot" says
 * what is drawn. */
#include "fuzz.h"

static size_t count(const zw_bytes *page, const char *what) {
    size_t n = 0;
    for (const char *p = page->data;
         (p = memmem(p, (size_t)(page->data + page->size - p), what, strlen(what))); p++)
        n++;
    return n;
}

/* how often the page of an empty result has it */
static size_t count_usual(const char *what) {
    zw_table *t = zw_table_create(NULL);
    zw_bytes bytes;
    if (!t || zw_table_column(t, "t", "s") < 0 || zw_table_add_rows(t, 2) < 0 ||
        zw_page_bytes(&(zw_page){.result = t}, &bytes, NULL) < 0)
        abort();
    size_t n = count(&bytes, what);
    zw_bytes_clear(&bytes);
    zw_table_destroy(t);
    return n;
}

/* what moves, or anything that can be drawn */
static zw_status create(zw_figure_page **page, const zw_table *result, bool moves, zw_error *err) {
    const char *what = zw_table_get_note(result, "plot");
    return moves ? zw_figure_page_create(page, result, 50, err)
                 : zw_figure_result_page_create(page, &(zw_figure_run){.table = result},
                                                what != NULL, &what, 50, err);
}

static void check_page(const zw_table *result, bool moves) {
    static const char *const element[] = {"<script", "</script", "<img", "<!--", "<iframe"};
    zw_figure_page *page;
    zw_bytes bytes;
    zw_error err = {0};
    if (!fuzz_well(create(&page, result, moves, &err), &err))
        return;
    if (fuzz_well(zw_page_bytes(zw_figure_page_content(page), &bytes, &err), &err)) {
        for (size_t i = 0; i < sizeof element / sizeof *element; i++)
            if (count(&bytes, element[i]) != count_usual(element[i]))
                abort();
        zw_bytes_clear(&bytes);
    }
    zw_figure_page_destroy(page);
}

static void check_picture(const zw_table *result) {
    const char *what = zw_table_get_note(result, "plot");
    zw_figure *f;
    zw_bytes bytes;
    zw_error err = {0};
    const zw_figure_run run = {.table = result};
    if (!what || !fuzz_well(zw_figure_create(&f, 1, &what, 1, &run, NULL, &err), &err))
        return;
    if (fuzz_well(zw_plot_bytes(zw_figure_picture(f), ZW_PLOT_SVG, &bytes, NULL, &err), &err)) {
        if (count(&bytes, "<script"))
            abort();
        zw_bytes_clear(&bytes);
    }
    zw_figure_destroy(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    zw_table *t;
    zw_error err = {0};
    if (!fuzz_well(zw_table_read_bytes(&t, (const char *)data, size, "fuzz.csv", &err), &err))
        return 0;
    check_page(t, true);
    check_page(t, false);
    check_picture(t);
    zw_table_destroy(t);
    return 0;
}
