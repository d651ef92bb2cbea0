/* SPDX-License-Identifier: MIT */
/* Any bytes as what a sweep reads. The first one says as what:
 *   J  parts that are joined, with a line "%%%" between them: refused with words, or a result that is a part of itself
 *   P  a file of points: refused, or a plan whose points are finite
 *   W  the words of axes, one in a line: the same
 *   G  the plan of a journal: refused, or it is of this plan */
#include <sys/stat.h>

#include "fuzz_table.h"
#include "fuzz_text.h"
#include "survey/journal.h"
#include "survey/part.h"

#define CUT "\n%%%\n"
enum { PARTS = 4, WORDS = 8 };

static void check(zw_status status, const zw_error *err) {
    if (status < 0 && (!err->text[0] || err->status != status))
        abort(); /* refused without a word */
}

static void put(const char *path, const char *text, size_t n) {
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(text, 1, n, f) != n || fclose(f) != 0)
        abort();
}

/* ---- parts ---- */

static void keep_row(void *user, const double *row) {
    double *sum = user;
    *sum += row[0];
}

static void join(char *text) {
    char name[PARTS][64], out[64], again[64];
    const char *path[PARTS], *whole = out;
    int n = 0;
    for (char *s = text; s && n < PARTS; n++) {
        char *cut = strstr(s, CUT);
        snprintf(name[n], sizeof name[n], "%s.%d", fuzz_path(".csv"), n);
        put(name[n], s, cut ? (size_t)(cut - s) + 1 : strlen(s));
        path[n] = name[n];
        s = cut ? cut + strlen(CUT) : NULL;
    }
    snprintf(out, sizeof out, "%s", fuzz_path("-all.csv"));
    snprintf(again, sizeof again, "%s", fuzz_path("-again.csv"));
    zw_survey_part sum, same;
    zw_error err = {0};
    double first = 0;
    zw_status status = zw_survey_part_join(n, path, NULL, out, NULL, NULL, &sum, &err);
    check(status, &err);
    if (status >= 0) {
        if (sum.motions != sum.of)
            abort();
        if (zw_survey_part_join(1, &whole, NULL, again, keep_row, &first, &same, &err) < 0 ||
            same.rows != sum.rows || same.motions != sum.motions)
            abort();
    }
    for (int i = 0; i < n; i++)
        unlink(name[i]);
    unlink(out);
    unlink(again);
}

/* ---- points ---- */

static const char model[] = "model m \"of a sweep\"\nparam F = 2 [N], Omega = 1 [rad/s]\n"
                            "coord x [m]\nparticle p : 1 [kg] at (x, 0)\nforce f (x) = F*cos(Omega*t)\n"
                            "start x = 0, x' = 0\n";

static void look_at(const zw_plan *p) {
    double value[ZW_PLAN_AXES];
    uint64_t n = zw_plan_points(p);
    for (int i = 0; i < 8; i++) {
        zw_plan_point(p, n > 8 ? (n - 1) / 7 * (uint64_t)i : (uint64_t)i % n, value);
        for (int k = 0; k < zw_plan_axes(p); k++)
            if (!isfinite(value[k]))
                abort();
    }
    for (int k = 0; k < zw_plan_axes(p); k++) {
        char text[40];
        zw_axis_text(zw_plan_axis(p, k), text, sizeof text);
    }
}

static void plan(zw_plan_options *o) {
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    zw_plan *p;
    zw_error err = {0};
    if (!ctx || zw_model_parse(&sys, ctx, model, strlen(model), "model", NULL, &err) < 0)
        abort();
    for (int drawn = 0; drawn < 2; drawn++) {
        err = (zw_error){0};
        o->samples = drawn ? 7 : 0;
        zw_status status = zw_plan_create(&p, sys, o, &err);
        check(status, &err);
        if (status >= 0)
            look_at(p);
        zw_plan_destroy(p);
    }
    zw_context_destroy(ctx);
}

static void points(const char *text) {
    zw_plan_options o = zw_plan_options_default();
    zw_table *t;
    zw_error err = {0};
    if (zw_table_read_bytes(&t, text, strlen(text), "points.csv", &err) < 0)
        return;
    o.points = t;
    plan(&o);
    zw_table_destroy(t);
}

static void words(char *text) {
    zw_plan_options o = zw_plan_options_default();
    const char *over[WORDS], *start[WORDS];
    for (char *s = strtok(text, "\n"); s && o.nover + o.nstart < WORDS; s = strtok(NULL, "\n"))
        if (*s == '@') /* of the start */
            start[o.nstart++] = s + 1;
        else
            over[o.nover++] = s;
    o.over = over, o.start = start;
    plan(&o);
}

/* ---- journals ---- */

static void journal(const char *text) {
    static zw_journal j;
    char folder[64], path[80];
    zw_error err = {0};
    snprintf(folder, sizeof folder, "%s", fuzz_path("-journal"));
    snprintf(path, sizeof path, "%s/plan", folder);
    mkdir(folder, 0777);
    put(path, text, strlen(text));
    zw_status status = zw_journal_open(&j, folder, "identity\n", 10, 0, 1, &err);
    check(status, &err);
    if (status >= 0) {
        uint64_t i, first, count;
        zw_journal_answer answer;
        if (zw_journal_claim(&j, &i, &answer, &err) < 0 || answer != ZW_JOURNAL_CLAIMED)
            abort();
        zw_journal_part(&j, i, &first, &count);
        if (first + count > 10 || count < 1)
            abort();
        zw_journal_release(&j, i);
        zw_journal_close(&j);
    }
    unlink(path);
    rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2)
        return 0;
    char *text = fuzz_text(data + 1, size - 1);
    switch (data[0]) {
    case 'J':
        join(text);
        break;
    case 'P':
        points(text);
        break;
    case 'W':
        words(text);
        break;
    case 'G':
        journal(text);
        break;
    default:
        break;
    }
    free(text);
    return 0;
}
