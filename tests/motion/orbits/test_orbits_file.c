/* SPDX-License-Identifier: MIT */
/* Branches as files: what is read is what was written, to the bit; a branch goes on from any of its
 * orbits, also from a fold; and nothing that a file says is trusted. */
#include <math.h>
#include <stdlib.h>

#include "support/failing_allocator.h"
#include "support/test.h"
#include "zwang/zwang.h"

static const char duffing[] =
    "model duffing\nunits none\nparam F = 2, w = 1.4, c = 0.4\ncoord x\nkinetic x'^2/2\n"
    "potential x^2/2 + x^4/4\nforce (x) = F*cos(w*t) - c*x'\nstart x = 0\n";

static zw_context *ctx;
static zw_system *sys;
static zw_orbits *study;
static zw_table *table; /* of the branch over w */
static zw_error err;

static void open_study(const char *text, const char *over) {
    zw_orbits_options o = zw_orbits_options_default();
    err = (zw_error){0};
    ctx = zw_context_create(NULL);
    o.over = over;
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &err) < 0 ||
        zw_orbits_create(&study, sys, &o, &err) < 0)
        fail_msg("%s", err.text);
}

static void close_study(void) {
    zw_orbits_destroy(study);
    zw_context_destroy(ctx);
}

static int make_table(void **state) {
    (void)state;
    int number;
    open_study(duffing, "w=1.5:2.6");
    if (zw_orbits_find(study, 1.5, &number, &err) < 0 ||
        zw_orbits_follow(study, number, &err) < 0 || zw_orbits_table(study, NULL, &table, &err) < 0)
        fail_msg("%s", err.text);
    return 0;
}

static int free_table(void **state) {
    (void)state;
    zw_table_destroy(table);
    close_study();
    return 0;
}

static int pick(const zw_orbits_file *f, const char *which) {
    int number = -1;
    double value;
    if (zw_orbits_file_pick(f, which, &number, &value, &err) < 0)
        fail_msg("%s", err.text);
    return number;
}

static void test_orbits_file__reads_what_was_written(void **state) {
    (void)state;
    zw_orbits_file f;
    if (zw_orbits_file_read(&f, table, &err) < 0)
        fail_msg("%s", err.text);
    int n = 0;
    for (int i = 0; i < zw_orbits_count(study); i++) {
        const zw_orbit_motion *m = zw_orbits_at(study, i);
        char label[ZW_ORBITS_LABEL];
        if (m->curve < 0)
            continue;
        const zw_orbits_stored *s = &f.orbit[n++];
        size_t size = (size_t)m->intervals * 2 * 5;
        zw_orbits_label(study, i, label);
        assert_string_equal(label, s->label);
        assert_int_equal(m->intervals, s->motion.intervals);
        assert_memory_equal(&m->value, &s->motion.value, sizeof m->value);
        assert_memory_equal(&m->period, &s->motion.period, sizeof m->period);
        assert_memory_equal(m->x, s->motion.x, sizeof(double) * size);
        assert_memory_equal(m->mesh, s->motion.mesh, sizeof(double) * (size_t)m->intervals);
        assert_memory_equal(m->re, s->motion.re, sizeof(double) * 2);
        assert_int_equal(m->event == ZW_BIFURCATION_END ? ZW_BIFURCATION_POINT : m->event,
                         s->motion.event);
        assert_int_equal(m->tangent != NULL, s->motion.tangent != NULL);
        /* its state at a node, and at the end of a period, where it began */
        double at[2];
        zw_orbits_file_state(&f, n - 1, m->mesh[3], at);
        assert_close(at[0], m->x[3 * 10], 1e-14);
        zw_orbits_file_state(&f, n - 1, 1, at);
        assert_close(at[1], m->x[1], 1e-9);
        zw_orbits_state(study, i, 1, at);
        assert_close(at[0], m->x[0], 1e-9);
    }
    assert_int_equal(n, f.n);
    /* two folds and two ends, by label and by word */
    assert_int_equal(f.orbit[pick(&f, "LP2")].motion.event, ZW_BIFURCATION_FOLD);
    assert_int_equal(pick(&f, "fold 2"), pick(&f, "LP2"));
    assert_int_equal(pick(&f, "EP1"), 0);
    assert_int_equal(pick(&f, "EP2"), f.n - 1);
    /* 2.0 is passed three times */
    int first = pick(&f, "2"), third = pick(&f, "2.0 3");
    assert_true(first < third && fabs(f.orbit[third].shown - 2) < 0.1);
    static const char *const none[] = {"LP3", "fold 3", "2 4",    "7",  "",
                                       "?",   "nan",    "fold x", "2 0"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        int number;
        double value;
        err = (zw_error){0};
        assert_int_equal(zw_orbits_file_pick(&f, none[i], &number, &value, &err), ZW_E_OPTION);
        assert_non_null(strstr(err.hint, "LP1"));
    }
    zw_orbits_file_clear(&f);
}

/* the values of the marks of a kind on the only branch */
static int marks_of(const zw_orbits *o, zw_bifurcation event, double *at) {
    int n = 0;
    for (int i = 0; i < zw_orbits_count(o); i++)
        if (zw_orbits_at(o, i)->curve >= 0 && zw_orbits_at(o, i)->event == event)
            at[n++] = zw_orbits_at(o, i)->value;
    return n;
}

/* A fold is met from either side, and the branch through it is the same one; in the other parameter
 * the orbit is a fold as well. There, at the value of w of the fold, the response is known by its
 * own branch over F: it turns at F = 2. */
static void test_orbits_file__goes_on_from_a_fold(void **state) {
    (void)state;
    zw_orbits_file f;
    zw_orbits *first = study;
    zw_context *first_context = ctx;
    double known[4], again[4];
    int number;
    assert_int_equal(marks_of(study, ZW_BIFURCATION_FOLD, known), 2);
    assert_true(zw_orbits_file_read(&f, table, &err) >= 0);
    open_study(duffing, "w=1.5:2.6");
    if (zw_orbits_adopt(study, &f, pick(&f, "LP1"), NAN, &number, &err) < 0 ||
        zw_orbits_follow(study, number, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(marks_of(study, ZW_BIFURCATION_FOLD, again), 2);
    assert_close(fmin(again[0], again[1]), fmin(known[0], known[1]), 1e-9);
    assert_close(fmax(again[0], again[1]), fmax(known[0], known[1]), 1e-9);
    close_study();
    char text[400];
    const char *tail = strstr(duffing, "w = 1.4") + 7;
    snprintf(text, sizeof text, "%.*sw = %.17g%s", (int)(tail - 7 - duffing), duffing,
             f.orbit[pick(&f, "LP1")].motion.value, tail);
    open_study(text, "F=0.5:4");
    if (zw_orbits_adopt(study, &f, pick(&f, "LP1"), NAN, &number, &err) < 0 ||
        zw_orbits_follow(study, number, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(marks_of(study, ZW_BIFURCATION_FOLD, again), 2);
    assert_close(fmin(fabs(again[0] - 2), fabs(again[1] - 2)), 0, 1e-12);
    close_study();
    open_study(text, "F=0.5:4"); /* the same from an orbit that is no mark */
    if (zw_orbits_find(study, 0.5, &number, &err) < 0 || zw_orbits_follow(study, number, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(marks_of(study, ZW_BIFURCATION_FOLD, again), 2);
    assert_close(fmin(fabs(again[0] - 2), fabs(again[1] - 2)), 0, 1e-8);
    close_study();
    study = first;
    ctx = first_context;
    zw_orbits_file_clear(&f);
}

/* a value between two rows is solved for */
/* r^2 - r^4 = -mu has a fold at mu = -1/4, the end of the range but for rounding: both halves leave
 * from it, r^2 = (1 +- sqrt(1 + 4 mu))/2. */
static void test_orbits_file__fold_at_an_end(void **state) {
    static const char text[] =
        "model fold\nunits none\nparam mu = -0.1, a = 1\nstate x, y :\n"
        "  x' = mu*x - 3*y + x*(a*(x^2 + y^2) - (x^2 + y^2)^2),\n"
        "  y' = mu*y + 3*x + y*(a*(x^2 + y^2) - (x^2 + y^2)^2)\nstart x = 1, y = 0\n";
    zw_context *old_ctx = ctx;
    zw_orbits *old_study = study;
    zw_table *branch;
    zw_orbits_file file;
    int number, halves[2] = {0};
    (void)state;
    open_study(text, "mu=-0.3:0.1");
    if (zw_orbits_find(study, -0.1, &number, &err) < 0 ||
        zw_orbits_follow(study, number, &err) < 0 ||
        zw_orbits_table(study, NULL, &branch, &err) < 0 ||
        zw_orbits_file_read(&file, branch, &err) < 0)
        fail_msg("%s", err.text);
    int fold = pick(&file, "LP1");
    assert_close(file.orbit[fold].motion.value, -0.25, 1e-9);
    zw_context *first_ctx = ctx;
    zw_orbits *first = study;
    open_study(text, "mu=-0.25:0");
    if (zw_orbits_adopt(study, &file, fold, NAN, &number, &err) < 0 ||
        zw_orbits_follow(study, number, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < zw_orbits_count(study); i++) {
        const zw_orbit_motion *m = zw_orbits_at(study, i);
        if (m->curve < 0)
            continue;
        double r2 = m->measure[0].max * m->measure[0].max, root = sqrt(fmax(0.25 + m->value, 0));
        halves[r2 > 0.5]++;
        assert_close(r2, 0.5 + (r2 > 0.5 ? root : -root), 1e-4);
    }
    assert_true(halves[0] > 10 && halves[1] > 10);
    close_study();
    ctx = first_ctx;
    study = first;
    zw_orbits_file_clear(&file);
    zw_table_destroy(branch);
    close_study();
    ctx = old_ctx;
    study = old_study;
}

static void test_orbits_file__values_between_rows(void **state) {
    (void)state;
    zw_orbits_file f;
    zw_orbits *first = study;
    zw_context *first_context = ctx;
    int index, number, direct;
    double value;
    assert_true(zw_orbits_file_read(&f, table, &err) >= 0);
    assert_true(zw_orbits_file_pick(&f, "1.6180339887", &index, &value, &err) >= 0);
    assert_close(value, 1.6180339887, 0);
    open_study(duffing, "w=1.5:2.6");
    assert_true(zw_orbits_adopt(study, &f, index, value, &number, &err) >= 0);
    assert_true(zw_orbits_find(study, 1.6180339887, &direct, &err) >= 0);
    assert_close(zw_orbits_at(study, number)->value, 1.6180339887, 0);
    assert_close(zw_orbits_at(study, number)->measure[0].rms,
                 zw_orbits_at(study, direct)->measure[0].rms, 1e-7);
    assert_int_equal(zw_orbits_adopt(study, &f, index, 1.2, &number, &err), ZW_E_OPTION);
    close_study();
    /* of another model */
    open_study("model vdp\nunits none\ncoord y\nkinetic y'^2/2\npotential y^2/2\n"
               "force (y) = (1 - y^2)*y'\nstart y = 1\n",
               NULL);
    assert_int_equal(zw_orbits_adopt(study, &f, 0, NAN, &number, &err), ZW_E_FILE);
    close_study();
    study = first;
    ctx = first_context;
    zw_orbits_file_clear(&f);
}

/* --------------------------------------------------------------------------------------- damage */

/* the table with a note that is something else, or gone (NULL) */
static zw_table *damaged(const char *key, const char *value) {
    zw_table *t = zw_table_create_like(table);
    double *row = calloc((size_t)zw_table_columns(table), sizeof *row);
    for (long i = 0; i < zw_table_rows(table); i++) {
        for (int k = 0; k < zw_table_columns(table); k++)
            row[k] = zw_table_at(table, i, k);
        assert_true(zw_table_row(t, row) >= 0);
    }
    free(row);
    if (value)
        assert_true(zw_table_note(t, key, value) >= 0);
    else
        zw_table_remove_note(t, key);
    return t;
}

static void refused(const char *key, const char *value) {
    zw_table *t = damaged(key, value);
    zw_orbits_file f;
    err = (zw_error){0};
    if (zw_orbits_file_read(&f, t, &err) != ZW_E_FILE || !err.text[0] || f.memory)
        fail_msg("%s: %.80s is taken", key, value ? value : "nothing");
    zw_table_destroy(t);
}

/* the note with the numbers from `entry` on replaced: 4 letters are 3 bytes, so that entries that
 * are multiples of 3 begin a group */
static void refused_number(const char *key, int entry, const char *twelve) {
    const char *note = zw_table_get_note(table, key);
    char *copy = malloc(strlen(note) + 1);
    strcpy(copy, note);
    memcpy(strrchr(copy, ' ') + 1 + (size_t)entry / 3 * 32, twelve, 11);
    refused(key, copy);
    free(copy);
}

static void test_orbits_file__refuses_damage(void **state) {
    (void)state;
    refused("orbits", NULL);
    refused("orbits state", NULL);
    refused("orbits", "version 2, stages 4, order 1, entries 2, driven 1, factor 1");
    refused("orbits", "version 1, stages 9, order 1, entries 2, driven 1, factor 1");
    refused("orbits", "version 1, stages 4, order 1, entries 3, driven 1, factor 1");
    refused("orbits", "version 1, stages 4, order 1, entries 2, driven 0, factor 1");
    refused("orbits", "version 1, stages 4, order 1, entries 99999999999, driven 1, factor 1");
    refused("orbits", "version 1, stages 4, order 1, entries 2, driven 1, factor nan");
    refused("orbits", "version 1, stages 4, order 1, entries 2, driven 1, factor 2");
    refused("orbit 3", "");
    refused("orbit 3", "- - intervals 20 multipliers 2 times 1 tangent 0 ");
    refused("orbit 3", "- - intervals 100000 multipliers 2 times 1 tangent 1 AAAA");
    refused("orbit 3", "hopf - intervals 20 multipliers 2 times 1 tangent 0 AAAA");
    refused("orbit 3", "- <b> intervals 20 multipliers 2 times 1 tangent 0 AAAA");
    refused("orbit 1000000", zw_table_get_note(table, "orbit 3"));
    refused("orbit 03", zw_table_get_note(table, "orbit 3"));
    refused("orbit x", zw_table_get_note(table, "orbit 3"));
    refused("orbit 4", zw_table_get_note(table, "orbit 3"));
    refused_number("orbit 3", 0, "AAAAAAAA+H8");  /* NaN as its value */
    refused_number("orbit 3", 0, "AAAAAAAA+D8");  /* another value than that of its row */
    refused_number("orbit 3", 12, "AAAAAAAA8D8"); /* 1 in the midst of the mesh */
    refused_number("orbit 3", 60, "AAAAAAAA8H8"); /* infinity among the nodes */
}

/* any byte may be another: read or refused with words */
static void test_orbits_file__survives_any_byte(void **state) {
    (void)state;
    test_random r = {14};
    for (int i = 0; i < 400; i++) {
        const char *key = i % 4 ? "orbit 5" : "orbits", *note = zw_table_get_note(table, key);
        size_t length = strlen(note), head = strcspn(note, "=");
        char *copy = malloc(length + 1);
        strcpy(copy, note);
        if (i % 5 == 0)
            copy[test_random_int(&r, (int)length)] = '\0';
        else
            copy[test_random_int(&r, i % 2 ? (int)length : (int)(head < 70 ? head : 70))] =
                (char)(32 + test_random_int(&r, 95));
        zw_table *t = damaged(key, copy);
        zw_orbits_file f;
        err = (zw_error){0};
        zw_status status = zw_orbits_file_read(&f, t, &err);
        assert_true(status == ZW_OK || (status == ZW_E_FILE && err.text[0]));
        zw_orbits_file_clear(&f);
        zw_table_destroy(t);
        free(copy);
    }
}

static void test_orbits_file__without_memory(void **state) {
    (void)state;
    failing_allocator f = failing_allocator_make(0);
    zw_allocator alloc = failing_allocator_of(&f);
    zw_table *t = zw_table_create(&alloc);
    for (int k = 0; k < zw_table_columns(table); k++)
        assert_true(zw_table_column(t, zw_table_name(table, k), "") >= 0);
    assert_true(zw_table_add_rows(t, zw_table_rows(table)) >= 0);
    for (long i = 0; i < zw_table_rows(table); i++)
        for (int k = 0; k < zw_table_columns(table); k++)
            zw_table_set(t, i, k, zw_table_at(table, i, k));
    for (int i = 0; i < zw_table_notes(table); i++)
        assert_true(zw_table_note(t, zw_table_note_key(table, i), zw_table_note_value(table, i)) >=
                    0);
    for (long n = 1;; n++) {
        zw_orbits_file file;
        long blocks = f.blocks;
        f.failed = false;
        f.fail_at = f.requests + n;
        zw_status status = zw_orbits_file_read(&file, t, NULL);
        assert_int_equal(status, f.failed ? ZW_E_MEMORY : ZW_OK);
        zw_orbits_file_clear(&file);
        assert_int_equal(f.blocks, blocks);
        if (!f.failed)
            break;
    }
    f.fail_at = 0;
    zw_table_destroy(t);
    assert_int_equal(f.blocks, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orbits_file__reads_what_was_written),
        cmocka_unit_test(test_orbits_file__goes_on_from_a_fold),
        cmocka_unit_test(test_orbits_file__fold_at_an_end),
        cmocka_unit_test(test_orbits_file__values_between_rows),
        cmocka_unit_test(test_orbits_file__refuses_damage),
        cmocka_unit_test(test_orbits_file__survives_any_byte),
        cmocka_unit_test(test_orbits_file__without_memory),
    };
    return cmocka_run_group_tests(tests, make_table, free_table);
}
