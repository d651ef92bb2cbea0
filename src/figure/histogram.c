/* SPDX-License-Identifier: MIT */
/* Histograms: hist(x) is the distribution of a quantity as a density: the area of a bin is its
 * share of all rows, so that runs of different length, and curves of a density, can be compared.
 * The bins are equal; their width is that of D. Freedman and P. Diaconis (Z.
 * Wahrscheinlichkeitstheorie verw. Gebiete 57 (1981) 453),
 *
 *     w = 2 IQR n^(-1/3),
 *
 * with the interquartile range IQR, or their number is given. A run becomes a table of the outline
 * of its bars: x, density(x) and zero(x), between which the panel is filled. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "internal.h"

enum { BINS_MAX = 400, BINS_MIN = 5, BARS_MAX = 80 /* more are one outline */ };

static bool is_histogram(const char *panel, char quantity[ZW_FORMULA_TEXT]) {
    size_t n = strlen(panel);
    int depth = 0;
    if (n < 7 || strncmp(panel, "hist(", 5) != 0 || panel[n - 1] != ')' || n - 6 >= ZW_FORMULA_TEXT)
        return false;
    for (size_t i = 4; i + 1 < n; i++) { /* the first bracket closes at the end */
        depth += panel[i] == '(' ? 1 : panel[i] == ')' ? -1 : 0;
        if (depth == 0)
            return false;
    }
    snprintf(quantity, ZW_FORMULA_TEXT, "%.*s", (int)(n - 6), panel + 5);
    return true;
}

/* the columns of the bins have fixed names: value, density, zero, with a number */
static void name_columns(int which, char name[3][40]) {
    snprintf(name[0], sizeof name[0], "value(%d)", which);
    snprintf(name[1], sizeof name[1], "density(%d)", which);
    snprintf(name[2], sizeof name[2], "zero(%d)", which);
}

static int compare_values(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* number of bins for n sorted values */
static int choose_bins(const double *v, long n) {
    double range = v[n - 1] - v[0], middle = v[3 * (n - 1) / 4] - v[(n - 1) / 4];
    double bins = middle > 0 ? range * cbrt((double)n) / (2 * middle) : BINS_MIN;
    return (int)ceil(fmax(BINS_MIN, fmin(bins, BINS_MAX)));
}

static zw_status put_step(zw_table *t, double x, double density) {
    return zw_table_row(t, (const double[]){x, density, 0});
}

/* n sorted values; from and to are the outer borders of the bins */
static zw_status put_bins(zw_table *t, const double *v, long n, int bins, double from, double to) {
    long k = 0;
    double width = (to - from) / bins;
    ZW_TRY(put_step(t, from, 0));
    for (int i = 0; i < bins; i++) {
        long before = k;
        double end = i + 1 < bins ? from + (i + 1) * width : INFINITY;
        while (k < n && v[k] < end)
            k++;
        double density = (double)(k - before) / ((double)n * width);
        if (i > 0 && bins <= BARS_MAX) /* each bin is a separate bar */
            ZW_TRY(put_step(t, from + i * width, 0));
        ZW_TRY(put_step(t, from + i * width, density));
        ZW_TRY(put_step(t, i + 1 < bins ? end : to, density));
    }
    return put_step(t, to, 0);
}

/* the finite values of a formula, sorted; returns their number */
static long values_of(zw_arena *a, const zw_table *t, const zw_column_formula *f, double **out) {
    long n = 0;
    *out = ZW_NEW(a, double, zw_table_rows(t) + 1);
    for (long i = 0; *out && i < zw_table_rows(t); i++) {
        double v = zw_formula_at(f, t, i);
        if (isfinite(v))
            (*out)[n++] = v;
    }
    if (*out)
        qsort(*out, (size_t)n, sizeof **out, compare_values);
    return n;
}

/* adds the bins of a formula as columns `which` of t, which has three for each panel; rows of other
 * panels have no values there */
static zw_status add_bins(zw_arena *a, zw_table *t, const zw_table *from,
                          const zw_column_formula *q, int which, int bins) {
    double *v;
    long n = values_of(a, from, q, &v), first = zw_table_rows(t);
    zw_table *own = zw_table_create(NULL);
    zw_status status = v && own ? ZW_OK : ZW_E_MEMORY;
    for (int k = 0; k < 3 && status >= 0; k++)
        status = zw_table_column(own, k == 0 ? "x" : k == 1 ? "y" : "0", "");
    if (status >= 0 && n > 0) {
        double low = v[0], high = v[n - 1];
        bool several = low < high;
        if (!several) { /* a single value: one bin around it */
            double half = low != 0 ? 0.05 * fabs(low) : 0.5;
            low -= half;
            high += half;
        }
        status = put_bins(own, v, n, bins > 0 ? bins : several ? choose_bins(v, n) : 1, low, high);
    }
    long rows = status >= 0 ? zw_table_rows(own) : 0;
    if (status >= 0)
        status = zw_table_add_rows(t, rows);
    for (long row = 0; status >= 0 && row < rows; row++)
        for (int k = 0; k < zw_table_columns(t); k++)
            zw_table_set(t, first + row, k,
                         k / 3 == which ? zw_table_at(own, row, k % 3) : (double)NAN);
    zw_table_destroy(own);
    return status;
}

static zw_status bin_run(zw_figure *f, const char *const *quantity, const zw_table *from, int bins,
                         zw_table *t, zw_error *err) {
    zw_column_formula *q = ZW_NEW(&f->arena, zw_column_formula, f->npanel);
    char name[3][40];
    if (!q)
        return zw_out_of_memory(err, "the histogram");
    for (int i = 0; i < f->npanel; i++) {
        ZW_TRY(zw_formula_parse(&q[i], from, quantity[i], err));
        name_columns(i, name);
        for (int k = 0; k < 3; k++)
            if (zw_table_column(t, name[k], k == 0 ? q[i].unit : "") < 0)
                return zw_out_of_memory(err, "the histogram");
        char label[ZW_FORMULA_TEXT * 2 + 20];
        const char *unit = q[i].unit;
        snprintf(label, sizeof label, "%s%s%s%s", q[i].name, unit[0] ? " [" : "", unit,
                 unit[0] ? "]" : "");
        f->bin_label[2 * i] = zw_arena_string(&f->arena, label);
        snprintf(label, sizeof label, "\"density\"%s%s%s", unit[0] ? " [1/(" : "", unit,
                 unit[0] ? ")]" : "");
        if (unit[0] && !unit[strcspn(unit, "/*^ ")])
            snprintf(label, sizeof label, "\"density\" [1/%s]", unit);
        f->bin_label[2 * i + 1] = zw_arena_string(&f->arena, label);
    }
    if (zw_formula_copy_notes(t, from) < 0)
        return zw_out_of_memory(err, "the histogram");
    for (int i = 0; i < f->npanel; i++)
        if (add_bins(&f->arena, t, from, &q[i], i, bins) < 0)
            return zw_out_of_memory(err, "the histogram");
    return f->arena.failed ? zw_out_of_memory(err, "the histogram") : ZW_OK;
}

zw_status zw_figure_histograms(zw_figure *f, const char **panel, int nrun,
                               const zw_figure_run **runs, int bins, zw_error *err) {
    char quantity[ZW_FORMULA_TEXT];
    const char **of = ZW_NEW(&f->arena, const char *, f->npanel + 1);
    zw_figure_run *run = ZW_NEW(&f->arena, zw_figure_run, nrun + 1);
    int n = 0;
    for (int i = 0; of && i < f->npanel; i++)
        if (is_histogram(panel[i], quantity))
            of[n++] = zw_arena_string(&f->arena, quantity);
    if (n == 0)
        return ZW_OK;
    if (n < f->npanel) {
        zw_fail(err, ZW_E_OPTION,
                "--plot hist(%s) cannot be combined with panels that are not histograms", of[0]);
        zw_error_hint(err, "make two pictures: one with histograms, one with curves");
        return ZW_E_OPTION;
    }
    f->bins = ZW_NEW(&f->arena, zw_table *, nrun + 1);
    f->bin_label = ZW_NEW(&f->arena, const char *, 2 * f->npanel + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, "the histogram");
    for (int r = 0; r < nrun; r++) {
        run[r] = (*runs)[r];
        if (!(f->bins[f->nbins] = zw_table_create(&f->arena.alloc)))
            return zw_out_of_memory(err, "the histogram");
        run[r].table = f->bins[f->nbins++];
        ZW_TRY(bin_run(f, of, (*runs)[r].table, bins, f->bins[r], err));
        zw_table_note(f->bins[r], "kind", "histogram");
        zw_table_remove_note(f->bins[r], "parts");
        zw_table_remove_note(f->bins[r], "map");
    }
    for (int i = 0; i < f->npanel; i++) {
        char text[200];
        snprintf(text, sizeof text, "density(%d)..zero(%d)+density(%d):value(%d)", i, i, i, i);
        panel[i] = zw_arena_string(&f->arena, text);
    }
    *runs = run;
    return f->arena.failed ? zw_out_of_memory(err, "the histogram") : ZW_OK;
}
