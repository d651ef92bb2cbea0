/* SPDX-License-Identifier: MIT */
/* Any bytes as what a sweep reads. The first one says as what:
 *   J  parts that are joined, with a line "%%%" between them: rejected with words, or a result that
 *      is a part of itself
 *   P  a file of points: rejected, or a plan whose points are finite
 *   W  the words of axes, one in a line: the same */
#include "fuzz.h"
#include "many/sweeps/chunk_file.h"

#define CUT "\n%%%\n"
enum { PARTS = 4, WORDS = 8 };

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
        fuzz_put(name[n], s, cut ? (size_t)(cut - s) + 1 : strlen(s));
        path[n] = name[n];
        s = cut ? cut + strlen(CUT) : NULL;
    }
    snprintf(out, sizeof out, "%s", fuzz_path("-all.csv"));
    snprintf(again, sizeof again, "%s", fuzz_path("-again.csv"));
    zw_survey_part sum, same;
    zw_error err = {0};
    double first = 0;
    if (fuzz_well(zw_survey_part_join(n, path, NULL, out, NULL, NULL, &sum, NULL, &err), &err)) {
        if (sum.motions != sum.of)
            abort();
        if (zw_survey_part_join(1, &whole, NULL, again, keep_row, &first, &same, NULL, &err) < 0 ||
            same.rows != sum.rows || same.motions != sum.motions)
            abort();
    }
    for (int i = 0; i < n; i++)
        unlink(name[i]);
    unlink(out);
    unlink(again);
}

/* ---- points ---- */

static const char model[] =
    "model m \"of a sweep\"\nparam F = 2 [N], Omega = 1 [rad/s]\n"
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
    zw_context *ctx = fuzz_context();
    zw_system *sys = fuzz_model(ctx, model);
    zw_plan *p;
    for (int drawn = 0; drawn < 2; drawn++) {
        zw_error err = {0};
        o->samples = drawn ? 7 : 0;
        if (fuzz_well(zw_plan_create(&p, sys, o, &err), &err))
            look_at(p);
        zw_plan_destroy(p);
    }
    fuzz_close(ctx);
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
    default:
        break;
    }
    free(text);
    return 0;
}
