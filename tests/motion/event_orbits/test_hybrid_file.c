/* SPDX-License-Identifier: MIT */
/* Branch files of orbits through events: what was written is read, in every format, states between
 * events are those of closed forms, one goes on from every mark, and damage is refused. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "support/failing_allocator.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"
#define TABLE                                                                                      \
    "model table\nunits none\nparam e = 0.5, Gamma = 1.2\ncoord y\nkinetic y'^2/2\npotential y\n"  \
    "start y = 3, y' = 3\n"                                                                        \
    "event impact : y - Gamma*sin(t) falling, set y' = -e*y' + (1 + e)*Gamma*cos(t)\n"

static zw_context *ctx;
static zw_system *sys;
static zw_event_orbits *study;
static zw_error err;

static void open_study(const char *text, const char *set, const char *over, int order) {
    zw_model_options model = {.size = sizeof model, .nset = set ? 1 : 0, .set = &set};
    zw_event_orbits_options o = zw_event_orbits_options_default();
    err = (zw_error){0};
    ctx = zw_context_create(NULL);
    o.over = over;
    o.order = order;
    zw_status status = text[0] == '/'
                           ? zw_model_read(&sys, ctx, text, &model, &err)
                           : zw_model_parse(&sys, ctx, text, strlen(text), "test", &model, &err);
    if (status < 0 || zw_event_orbits_create(&study, sys, &o, &err) < 0)
        fail_msg("%s", err.text);
}

static void close_study(void) {
    zw_event_orbits_destroy(study);
    zw_context_destroy(ctx);
}

static zw_table *branch(const char *text, const char *set, const char *over, double value) {
    zw_table *t;
    open_study(text, set, over, 1);
    if (zw_event_orbits_find(study, value, NULL, &err) < 0 ||
        zw_event_orbits_follow(study, 0, &err) < 0 ||
        zw_event_orbits_table(study, NULL, &t, &err) < 0)
        fail_msg("%s", err.text);
    return t;
}

static zw_orbits_file read_file(const zw_table *t) {
    zw_orbits_file f;
    if (zw_orbits_file_read(&f, t, &err) < 0)
        fail_msg("%s", err.text);
    return f;
}

static int pick(const zw_orbits_file *f, const char *which) {
    int number;
    double value;
    if (zw_orbits_file_pick(f, which, &number, &value, &err) < 0)
        fail_msg("%s", err.text);
    return number;
}

/* y at t of the orbit that bounces once in a period of the table */
static double flight(double Gamma, double t0, double t) {
    double s = t - t0 - 2 * M_PI * floor((t - t0) / (2 * M_PI));
    return Gamma * sin(t0) + M_PI * s - s * s / 2;
}

static void check_states(const zw_orbits_file *f) {
    double x[2];
    for (int i = 0; i < f->n; i++) {
        const zw_orbits_stored *o = &f->orbit[i];
        double t0 = o->unknown[3], Gamma = o->motion.value;
        assert_int_equal(o->nunknown, 4);
        assert_close(o->unknown[0], Gamma * sin(t0), 1e-9);
        for (int k = 0; k <= 40; k++) {
            double t = 2 * M_PI * k / 40;
            if (fabs(remainder(t - t0, 2 * M_PI)) < 1e-6)
                continue; /* on the jump */
            zw_orbits_file_state(f, i, k / 40.0, x);
            assert_close(x[0], flight(Gamma, t0, t), 1e-6);
        }
    }
}

static void check_same(const zw_orbits_file *f) {
    int n = 0;
    char label[ZW_ORBITS_LABEL];
    for (int i = 0; i < zw_event_orbits_count(study); i++) {
        const zw_segmented_motion *m = zw_event_orbits_at(study, i);
        if (m->curve < 0)
            continue;
        const zw_orbits_stored *s = &f->orbit[n++];
        zw_event_orbits_label(study, i, label);
        assert_string_equal(s->label, label);
        assert_true(s->motion.value == m->value && s->motion.period == m->period);
        assert_memory_equal(s->unknown, m->unknown, sizeof(double) * (size_t)s->nunknown);
        assert_int_equal(s->motion.nmultiplier, m->nmultiplier);
        for (int k = 0; k < m->nmultiplier; k++)
            assert_true(s->motion.re[k] == m->re[k] && s->motion.im[k] == m->im[k]);
        assert_int_equal(s->motion.event, m->event_here == ZW_BIFURCATION_END ? ZW_BIFURCATION_POINT
                                                                              : m->event_here);
        assert_true((s->motion.tangent != NULL) == (m->tangent != NULL));
    }
    assert_int_equal(n, f->n);
}

static void test_hybrid_file__reads_what_was_written(void **state) {
    (void)state;
    static const char *const form[] = {"csv", "json", "h5"};
    zw_table *t = branch(TABLE, NULL, "Gamma=0.9:2", 1.2), *back;
    for (int i = 0; i < 3; i++) {
        char path[200];
        snprintf(path, sizeof path, "/tmp/zwang_hybrid_file_%d.%s", (int)getpid(), form[i]);
        if (zw_table_write(t, path, &err) < 0 || zw_table_read(&back, path, &err) < 0)
            fail_msg("%s", err.text);
        zw_orbits_file f = read_file(back);
        assert_true(f.events && !f.autonomous && f.nsignature == 1);
        assert_string_equal(f.signature[0].names, "impact");
        check_same(&f);
        check_states(&f);
        assert_close(f.orbit[pick(&f, "LP1")].motion.value, M_PI / 3, 1e-9);
        assert_close(f.orbit[pick(&f, "PD1")].motion.value, hypot(M_PI / 3, 2.5 / 2.25), 1e-9);
        zw_orbits_file_clear(&f);
        zw_table_destroy(back);
        remove(path);
    }
    zw_table_destroy(t);
    close_study();
}

static const zw_segmented_motion *mark(zw_bifurcation event) {
    for (int i = 0; i < zw_event_orbits_count(study); i++)
        if (zw_event_orbits_at(study, i)->curve >= 0 &&
            zw_event_orbits_at(study, i)->event_here == event)
            return zw_event_orbits_at(study, i);
    fail_msg("there is no such mark");
    return NULL;
}

static void go_on(const zw_orbits_file *f, const char *point, const char *text, const char *set,
                  const char *over) {
    int number;
    open_study(text, set, over, 1);
    if (zw_event_orbits_adopt(study, f, pick(f, point), NAN, &number, &err) < 0 ||
        zw_event_orbits_follow(study, number, &err) < 0)
        fail_msg("%s: %s", point, err.text);
}

/* along the same parameter and along another one, from a fold and from a doubling; all points are
 * orbits of the closed form */
static void test_hybrid_file__goes_on_from_marks(void **state) {
    (void)state;
    static const char *const point[] = {"LP1", "PD1", "EP1", "1.5 2"};
    zw_table *t = branch(TABLE, NULL, "Gamma=0.9:2", 1.2);
    close_study();
    for (int i = 0; i < 4; i++) {
        zw_orbits_file f = read_file(t);
        double value = f.orbit[pick(&f, point[i])].motion.value;
        char set[60];
        snprintf(set, sizeof set, "Gamma=%.17g", value);
        if (i < 3) {
            go_on(&f, point[i], TABLE, NULL, "Gamma=0.9:2");
            assert_close(mark(ZW_BIFURCATION_FOLD)->value, M_PI / 3, 1e-9);
            assert_close(mark(ZW_BIFURCATION_FLIP)->value, hypot(M_PI / 3, 2.5 / 2.25), 1e-9);
            close_study();
        }
        go_on(&f, point[i], TABLE, set, "e=0.4:0.6");
        assert_true(zw_event_orbits_count(study) > 20);
        for (int k = 1; k < zw_event_orbits_count(study); k++) {
            const zw_segmented_motion *m = zw_event_orbits_at(study, k);
            double e = m->value;
            assert_close(cos(m->start), M_PI * (1 - e) / (1 + e) / value, 1e-8);
        }
        if (i == 0) /* pi (1 - e)/(1 + e) = Gamma */
            assert_close(mark(ZW_BIFURCATION_FOLD)->value, 0.5, 1e-9);
        if (i == 1)
            assert_close(mark(ZW_BIFURCATION_FLIP)->value, 0.5, 1e-9);
        close_study();
        zw_orbits_file_clear(&f);
    }
    zw_table_destroy(t);
}

/* From a grazing orbit along the frequency: without impacts where the amplitude of the linear
 * answer falls, and nothing on the other side. */
static void test_hybrid_file__goes_on_from_grazing(void **state) {
    (void)state;
    double amplitude = 1 / hypot(1 - 4, 2 * 0.05 * 2);
    char set[60];
    zw_table *t = branch(MODEL("impact_oscillator"), "Omega=2", "sigma=0.2:1", 1);
    close_study();
    zw_orbits_file f = read_file(t);
    assert_close(f.orbit[pick(&f, "GR1")].motion.value, amplitude, 1e-9);
    const char *sets[] = {set, "Omega=2"};
    snprintf(set, sizeof set, "sigma=%.17g", f.orbit[pick(&f, "GR1")].motion.value);
    zw_model_options model = {.size = sizeof model, .nset = 2, .set = sets};
    zw_event_orbits_options o = zw_event_orbits_options_default();
    int number;
    const char *why;
    o.over = "Omega=1.8:2.2";
    ctx = zw_context_create(NULL);
    if (zw_model_read(&sys, ctx, MODEL("impact_oscillator"), &model, &err) < 0 ||
        zw_event_orbits_create(&study, sys, &o, &err) < 0 ||
        zw_event_orbits_adopt(study, &f, pick(&f, "GR1"), NAN, &number, &err) < 0 ||
        zw_event_orbits_follow(study, number, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(zw_event_orbits_branch_end(study, 0, 0, &why), ZW_CONT_ASKED);
    assert_non_null(strstr(why, "grazing"));
    assert_int_equal(zw_event_orbits_branch_end(study, 0, 1, &why), ZW_CONT_AT_BOUND);
    int n = zw_event_orbits_count(study);
    assert_true(n > 10);
    for (int i = 1; i < n; i++) {
        const zw_segmented_motion *m = zw_event_orbits_at(study, i);
        assert_true(m->value >= 2);
        assert_close(m->measure[0].max, 1 / hypot(1 - m->value * m->value, 0.1 * m->value), 1e-8);
    }
    close_study();
    zw_orbits_file_clear(&f);
    zw_table_destroy(t);
}

/* switched constraints, a memory, no drive */
static void test_hybrid_file__stick_slip(void **state) {
    (void)state;
    int number;
    zw_table *t = branch(MODEL("stick_slip"), NULL, "v=0.1:1", 0.2);
    close_study();
    zw_orbits_file f = read_file(t);
    assert_true(f.autonomous && f.nmemory == 1 && f.signature[0].n == 2);
    assert_string_equal(f.remembered, "slips");
    open_study(MODEL("stick_slip"), NULL, "v=0.1:1", 1);
    if (zw_event_orbits_adopt(study, &f, pick(&f, "0.5"), 0.5, &number, &err) < 0)
        fail_msg("%s", err.text);
    const zw_segmented_motion *m = zw_event_orbits_at(study, number);
    assert_close(m->period, 2 * 0.5 / 0.5 + 2 * (M_PI - atan(0.5 / 0.5)), 1e-9);
    assert_true(m->residual < 1e-9);
    close_study();
    /* of another model */
    open_study(TABLE, NULL, "Gamma=0.9:2", 1);
    assert_int_equal(zw_event_orbits_adopt(study, &f, 0, NAN, &number, &err), ZW_E_FILE);
    close_study();
    zw_orbits_file_clear(&f);
    zw_table_destroy(t);
}

/* contacts that hit, stick, slip and lift; the orbit of the file is the same without a run */
static void test_hybrid_file__contacts(void **state) {
    (void)state;
    int number;
    zw_table *rows, *t = branch(MODEL("woodpecker"), NULL, "mu=0.298:0.302", 0.3);
    close_study();
    zw_orbits_file f = read_file(t);
    int index = pick(&f, "EP2");
    open_study(MODEL("woodpecker"), "mu=0.302", NULL, 1);
    if (zw_event_orbits_adopt(study, &f, index, NAN, &number, &err) < 0)
        fail_msg("%s", err.text);
    const zw_segmented_motion *m = zw_event_orbits_at(study, number);
    assert_true(m->residual < 1e-9 && m->nsegment == f.signature[0].n);
    assert_string_equal(m->signature, f.signature[0].names);
    for (int k = 0; k < 2; k++)
        assert_close(m->re[k], f.orbit[index].motion.re[k], 1e-7);
    double gap;
    if (zw_event_orbits_motion_table(study, number, 100, NULL, &rows, &gap, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(gap < 1e-7);
    zw_table_destroy(rows);
    close_study();
    zw_orbits_file_clear(&f);
    zw_table_destroy(t);
}

/* An angle that turns, driven: the states of the file go on over the place where the mesh
 * begins. */
static void test_hybrid_file__turns(void **state) {
    (void)state;
    double x[2], end[2];
    zw_table *t =
        branch("model rotor\nunits none\nparam c = 0.2, M = 1, J = 1.5, W = 2.3\ncoord phi\n"
               "periodic phi\nkinetic phi'^2/2\nforce (phi) = M - c*phi' + sin(W*t - phi)\n"
               "start phi = 0, phi' = 2.3\nevent brake : phi - 1 rising, set phi' = phi' - J\n",
               NULL, "J=1.4:1.6", 1.5);
    zw_orbits_file f = read_file(t);
    for (int i = 0; i < f.n; i++) {
        zw_orbits_file_state(&f, i, 0, x);
        zw_orbits_file_state(&f, i, 1, end);
        assert_close(end[0] - x[0], 2 * M_PI, 1e-6);
        assert_close(end[1], x[1], 1e-6);
        double last = x[0];
        for (int k = 1; k <= 50; k++) { /* it never turns back */
            zw_orbits_file_state(&f, i, k / 50.0, x);
            assert_true(x[0] > last && x[0] < last + 1);
            last = x[0];
        }
    }
    zw_orbits_file_clear(&f);
    zw_table_destroy(t);
    close_study();
}

/* --------------------------------------------------------------------------------------- damage */

static zw_table *table;

static int make_table(void **state) {
    (void)state;
    table = branch(TABLE, NULL, "Gamma=1.1:1.3", 1.2);
    return 0;
}

static int free_table(void **state) {
    (void)state;
    zw_table_destroy(table);
    close_study();
    return 0;
}

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
    zw_error own = {0};
    if (zw_orbits_file_read(&f, t, &own) != ZW_E_FILE || !own.text[0] || f.memory)
        fail_msg("%s: %.80s is taken", key, value ? value : "nothing");
    zw_table_destroy(t);
}

/* what is at a place of the note becomes something else */
static void refused_with(const char *key, const char *old, const char *now) {
    const char *note = zw_table_get_note(table, key), *at = strstr(note, old);
    char *copy = malloc(strlen(note) + strlen(now) + 1);
    assert_non_null(at);
    sprintf(copy, "%.*s%s%s", (int)(at - note), note, now, at + strlen(old));
    refused(key, copy);
    free(copy);
}

/* doubles of a note, one of them another; they begin behind the n-th blank */
static void refused_number(const char *key, const char *behind, size_t entry, const char *twelve) {
    const char *note = zw_table_get_note(table, key);
    char *copy = malloc(strlen(note) + 1);
    strcpy(copy, note);
    memcpy(strstr(copy, behind) + strlen(behind) + entry / 3 * 32, twelve, 11);
    refused(key, copy);
    free(copy);
}

static void test_hybrid_file__refuses_damage(void **state) {
    (void)state;
    refused("events 0", NULL);
    refused("events 0", "");
    refused_with("orbits", "memory 0", "memory 1");
    refused_with("orbits", ", memory 0", "");
    refused_with("orbits", "memory 0", "family 1, memory 0");
    refused_with("orbits", "driven 1", "driven 0");
    refused_with("events 0", "segments 1", "segments 2");
    refused_with("events 0", "segments 1", "segments 0");
    refused_with("events 0", "first 0", "first 1");
    refused_with("events 0", "contacts 0", "contacts 1");
    refused_with("events 0", "rows 0", "rows 99999");
    refused_with("events 0", " impact", "");
    refused_with("orbit 3", "events 0", "events 1");
    refused_with("orbit 3", " events 0", "");
    refused_with("orbit 3", "tangent 0", "tangent 1");
    refused_number("events 0", "rows 0 ", 0, "AAAAAAAA4D8"); /* half an event */
    refused_number("events 0", "rows 0 ", 3, "AAAAAAAA8L8"); /* a size of -1 */
    refused_number("events 0", "rows 0 ", 6, "AAAAAAAA+H8"); /* a duration that is none */
    refused_number("orbit 3", "events 0 ", 0, "AAAAAAAA+H8");
    refused("orbits memory", "e");
}

static void test_hybrid_file__survives_any_byte(void **state) {
    (void)state;
    static const char *const keys[] = {"events 0", "orbit 5", "orbits"};
    test_random r = {23};
    int taken = 0;
    for (int i = 0; i < 450; i++) {
        const char *key = keys[i % 3], *note = zw_table_get_note(table, key);
        size_t length = strlen(note);
        char *copy = malloc(length + 1);
        strcpy(copy, note);
        if (i % 5 == 0)
            copy[test_random_int(&r, (int)length)] = '\0';
        else
            copy[test_random_int(&r, i % 2 || length < 70 ? (int)length : 70)] =
                (char)(32 + test_random_int(&r, 95));
        zw_table *t = damaged(key, copy);
        zw_orbits_file f;
        zw_error own = {0};
        zw_status status = zw_orbits_file_read(&f, t, &own);
        assert_true(status == ZW_OK || (status == ZW_E_FILE && own.text[0]));
        if (status == ZW_OK) { /* then it is an orbit, or refused by its model */
            int number;
            zw_context *keep = ctx;
            zw_event_orbits *before = study;
            open_study(TABLE, NULL, "Gamma=1.1:1.3", 1);
            status = zw_event_orbits_adopt(study, &f, 5, NAN, &number, &own);
            if (status >= 0)
                assert_true(zw_event_orbits_at(study, number)->residual < 1e-7);
            else
                assert_true(own.text[0]);
            taken++;
            close_study();
            study = before;
            ctx = keep;
        }
        zw_orbits_file_clear(&f);
        zw_table_destroy(t);
        free(copy);
    }
    assert_true(taken > 5);
}

static void test_hybrid_file__without_memory(void **state) {
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
        cmocka_unit_test(test_hybrid_file__reads_what_was_written),
        cmocka_unit_test(test_hybrid_file__goes_on_from_marks),
        cmocka_unit_test(test_hybrid_file__goes_on_from_grazing),
        cmocka_unit_test(test_hybrid_file__stick_slip),
        cmocka_unit_test(test_hybrid_file__contacts),
        cmocka_unit_test(test_hybrid_file__turns),
        cmocka_unit_test_setup_teardown(test_hybrid_file__refuses_damage, make_table, free_table),
        cmocka_unit_test_setup_teardown(test_hybrid_file__survives_any_byte, make_table,
                                        free_table),
        cmocka_unit_test_setup_teardown(test_hybrid_file__without_memory, make_table, free_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
