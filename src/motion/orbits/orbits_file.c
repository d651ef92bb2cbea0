/* SPDX-License-Identifier: MIT */
/* Orbits in the notes of a table, as zwang/orbits.h describes them: writing, and reading without
 * trust in the file. The length that a note claims is compared with its own before memory is
 * allocated for it. */
#include "orbits_file.h"

#include <assert.h>
#include <ctype.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/arena.h"
#include "base/base64.h"
#include "base/tolerance.h"
#include "branch/curve.h"
#include "motion/floquet/variation.h"
#include "motion/motion_words.h"
#include "orbits.h"
#include "orbits_family.h"

enum { VERSION = 1, SCALARS = 7, ENTRIES_MAX = 100000, INTERVALS_MAX = 100000, FEW = 80 };

/* Relative to the values of a range: a value that conversion of units put outside is at its end. */
#define RANGE_ROUNDOFF 1e-12
/* Relative to the period: time between two events at the point where they meet, as it
 * is located. */
#define EVENTS_MEET 1e-9
/* Residual of equations in their own units (the sizes of the state): an orbit of the file is a
 * solution. Newton's method leaves ZW_ROUNDOFF_SOLVED; another model leaves far more. */
#define RESIDUAL_SOLVED 1e-7

/* --------------------------------------------------------------------------------------- labels */

const char *zw_orbits_letters(zw_bifurcation event) {
    return event == ZW_BIFURCATION_FOLD     ? "LP"
           : event == ZW_BIFURCATION_BRANCH ? "BP"
           : event == ZW_BIFURCATION_FLIP   ? "PD"
           : event == ZW_BIFURCATION_TORUS  ? "NS"
           : event == ZW_BIFURCATION_GRAZE  ? "GR"
                                            : "";
}

/* the end of a branch on this side */
static const char *letters_of_end(const zw_orbits_branch *b, int side) {
    return b->shrinks[side] || (side == 0 && !isnan(b->hopf)) ? "HB" : "EP";
}

static const char *letters_at(const zw_orbits *o, int number) {
    const zw_orbit_motion *m = &o->motion[number];
    if (m->curve < 0 || zw_orbits_letters(m->event)[0])
        return zw_orbits_letters(m->event);
    const zw_orbits_branch *b = &o->branch[m->curve];
    if (number == b->first)
        return letters_of_end(b, 0);
    return number == b->first + b->n - 1 ? letters_of_end(b, 1) : "";
}

void zw_orbits_label(const zw_orbits *o, int number, char *label) {
    const char *letters = letters_at(o, number);
    int n = 0;
    label[0] = '\0';
    if (!letters[0])
        return;
    for (int i = 0; i <= number; i++)
        n += strcmp(letters_at(o, i), letters) == 0;
    snprintf(label, ZW_ORBITS_LABEL, "%s%d", letters, n);
}

/* -------------------------------------------------------------------------------------- writing */

static void put_orbit(zw_text *out, const zw_orbits_written *k, const char *label, double *work) {
    const zw_orbit_motion *m = k->motion;
    size_t M = (size_t)m->nmultiplier, N = (size_t)m->intervals, n = 0,
           tangent = k->unknown ? k->nunknown : k->size;
    const double scalars[SCALARS] = {m->value,   m->period,  m->error,  m->accuracy,
                                     m->trivial, m->outside, m->verdict};
    const char *kind = zw_motion_event_word(m->event);
    memcpy(work, scalars, sizeof scalars);
    n = SCALARS;
    for (size_t i = 0; i < M; i++) {
        work[n + i] = m->re[i];
        work[n + M + i] = m->im[i];
    }
    n += 2 * M;
    memcpy(work + n, m->mesh, sizeof(double) * (N + 1));
    n += N + 1;
    memcpy(work + n, m->x, sizeof(double) * k->size);
    n += k->size;
    if (k->unknown)
        memcpy(work + n, k->unknown, sizeof(double) * k->nunknown);
    n += k->unknown ? k->nunknown : 0;
    if (m->tangent)
        memcpy(work + n, m->tangent, sizeof(double) * (tangent + 1));
    n += m->tangent ? tangent + 1 : 0;
    zw_text_printf(out, "%s %s intervals %zu multipliers %zu times %d tangent %d ",
                   kind[0] ? kind : "-", label[0] ? label : "-", N, M, k->times,
                   m->tangent ? 1 : 0);
    if (k->signature >= 0)
        zw_text_printf(out, "events %d ", k->signature);
    zw_base64_put(out, work, n);
}

zw_status zw_orbits_put(const zw_orbits_written *k, const char *label, long row, zw_table *t) {
    const zw_orbit_motion *m = k->motion;
    size_t most = SCALARS + 2 * (size_t)m->nmultiplier + (size_t)m->intervals + 1 + 2 * k->size +
                  2 * k->nunknown + 1; /* a tangent has one more */
    zw_allocator alloc = *zw_table_allocator(t);
    double *work = zw_allocate(&alloc, sizeof(double) * most);
    zw_text text;
    char key[40];
    if (!work)
        return ZW_E_MEMORY;
    zw_text_init(&text, &alloc);
    put_orbit(&text, k, label, work);
    snprintf(key, sizeof key, "orbit %ld", row);
    zw_status status = text.failed ? ZW_E_MEMORY : zw_table_note(t, key, zw_text_get(&text));
    zw_text_clear(&text);
    zw_release(&alloc, work, sizeof(double) * most);
    return status;
}

static const char *entry_name(const zw_system *s, int i) {
    return i < s->nq ? s->coord[i].name : s->velocity[i - s->nq].name;
}

static void put_state(zw_text *out, const zw_orbits_head *h) {
    for (int i = 0; i < h->nx; i++)
        zw_text_printf(out, "%s%s", i ? ", " : "", entry_name(h->sys, i));
}

static void put_memory(zw_text *out, const zw_orbits_head *h) {
    for (int i = 0; i < h->nmemory; i++)
        zw_text_printf(out, "%s%s", i ? ", " : "", h->sys->param[h->memory[i]].name);
}

static void put_numbers(zw_text *out, const zw_orbits_head *h) {
    zw_text_printf(out, "version %d, stages %d, order %d, entries %d, driven %d, ", VERSION,
                   h->stages, h->order, h->nx, h->autonomous ? 0 : 1);
    if (h->family)
        zw_text_put(out, "family 1, ");
    if (h->events)
        zw_text_printf(out, "memory %d, ", h->nmemory);
    zw_text_put(out, "factor ");
    zw_text_number(out, h->over->factor);
}

static zw_status put_note(zw_table *t, const char *key, const zw_orbits_head *h,
                          void (*put)(zw_text *out, const zw_orbits_head *h)) {
    zw_text text;
    zw_text_init(&text, zw_table_allocator(t));
    put(&text, h);
    zw_status status = text.failed ? ZW_E_MEMORY : zw_table_note(t, key, zw_text_get(&text));
    zw_text_clear(&text);
    return status;
}

zw_status zw_orbits_put_head(const zw_orbits_head *h, zw_table *t) {
    const zw_parameter_range *over = h->over;
    char range[ZW_PARAMETER_RANGE_NAME + 120];
    ZW_TRY(put_note(t, "orbits", h, put_numbers));
    snprintf(range, sizeof range, over->unit[0] ? "%s=%.17g:%.17g [%s]" : "%s=%.17g:%.17g%s",
             over->name, over->from / over->factor, over->to / over->factor, over->unit);
    ZW_TRY(zw_table_note(t, "orbits over", h->said ? h->said : range));
    ZW_TRY(put_note(t, "orbits state", h, put_state));
    return h->nmemory ? put_note(t, "orbits memory", h, put_memory) : ZW_OK;
}

zw_orbits_head zw_orbits_head_of(const zw_orbits *o) {
    return (zw_orbits_head){.sys = o->sys,
                            .nx = o->nx,
                            .stages = o->options.stages,
                            .order = o->options.order,
                            .autonomous = o->autonomous,
                            .family = o->family.kind != ZW_FAMILY_NONE,
                            .over = &o->over,
                            .said = o->options.over};
}

zw_status zw_orbits_note(const zw_orbits *o, int number, const char *label, long row, zw_table *t) {
    const zw_orbit_motion *m = &o->motion[number];
    /* its collocation, its period if that is free, the damping of a family */
    size_t size = (size_t)m->intervals * (size_t)o->nx * (size_t)(o->options.stages + 1) +
                  (o->autonomous ? 1 : 0) + (o->family.kind ? 1 : 0);
    const zw_orbits_written kept = {.motion = m,
                                    .size = size,
                                    .times = m->curve >= 0 ? o->branch[m->curve].times : 1,
                                    .signature = -1};
    return zw_orbits_put(&kept, label, row, t);
}

/* -------------------------------------------------------------------------------------- reading */

static bool skip_words(const char **at, const char *words) {
    size_t n = strlen(words);
    if (strncmp(*at, words, n) != 0)
        return false;
    *at += n;
    return true;
}

/* digits, no sign, no leading zeros */
static bool read_whole(const char **at, long most, long *out) {
    long value = 0;
    const char *s = *at;
    if (!isdigit((unsigned char)*s) || (s[0] == '0' && isdigit((unsigned char)s[1])))
        return false;
    for (; isdigit((unsigned char)*s); s++) {
        value = 10 * value + (*s - '0');
        if (value > most)
            return false;
    }
    *at = s;
    *out = value;
    return true;
}

bool zw_orbits_read_field(const char **at, const char *words, long most, long *out) {
    return skip_words(at, words) && read_whole(at, most, out);
}

zw_status zw_orbits_damaged(const char *key, const char *what, zw_error *err) {
    char shown_key[FEW];
    snprintf(shown_key, sizeof shown_key, "%.60s", key);
    zw_text_tame(shown_key);
    zw_fail(err, ZW_E_FILE, "the note '%s' of the branch is damaged: %s", shown_key, what);
    zw_error_hint(err, "zwang orbit --over NAME=FROM:TO --out FILE writes such files");
    return ZW_E_FILE;
}

static zw_status read_head(zw_orbits_file *f, const zw_table *t, zw_error *err) {
    zw_arena *a = &f->memory->arena;
    const char *at = zw_table_get_note(t, "orbits"), *over = zw_table_get_note(t, "orbits over"),
               *state = zw_table_get_note(t, "orbits state");
    long version, stages, order, entries, driven, memory = 0;
    char *end;
    if (!at || !over || !state) {
        zw_fail(err, ZW_E_FILE, "the file contains no orbits");
        zw_error_hint(err, "zwang orbit MODEL --over NAME=A:B --out FILE keeps them");
        return ZW_E_FILE;
    }
    if (!zw_orbits_read_field(&at, "version ", INT_MAX, &version))
        return zw_orbits_damaged("orbits", "it does not begin with its version", err);
    if (version != VERSION)
        return zw_orbits_damaged("orbits", "its version is not known here", err);
    if (!zw_orbits_read_field(&at, ", stages ", 7, &stages) || stages < 2 ||
        !zw_orbits_read_field(&at, ", order ", 1000000, &order) || order < 1 ||
        !zw_orbits_read_field(&at, ", entries ", ENTRIES_MAX, &entries) || entries < 1 ||
        !zw_orbits_read_field(&at, ", driven ", 1, &driven) ||
        ((f->family = skip_words(&at, ", family 1")) && driven) ||
        ((f->events = skip_words(&at, ", memory ")) &&
         (f->family || !read_whole(&at, ENTRIES_MAX, &memory))) ||
        !skip_words(&at, ", factor "))
        return zw_orbits_damaged("orbits", "a number is missing or out of range", err);
    f->factor = strtod(at, &end);
    if (end == at || *end || !(f->factor > 0) || !isfinite(f->factor))
        return zw_orbits_damaged("orbits", "the factor of the unit is none", err);
    f->nx = (int)entries;
    f->stages = (int)stages;
    f->order = (int)order;
    f->autonomous = !driven;
    f->nmemory = (int)memory;
    const char *remembered = zw_table_get_note(t, "orbits memory");
    if ((remembered != NULL) != (memory > 0))
        return zw_orbits_damaged("orbits memory", "its names are not those that there are", err);
    f->remembered = zw_arena_string(a, remembered ? remembered : "");
    if (zw_table_columns(t) < 1 || zw_table_find(t, "curve") < 0)
        return zw_orbits_damaged("orbits", "the table has no columns of a branch", err);
    f->over = zw_arena_string(a, over);
    f->state = zw_arena_string(a, state);
    f->parameter = zw_arena_string(a, zw_table_name(t, 0));
    f->unit = zw_arena_string(a, zw_table_unit(t, 0));
    return zw_arena_status(a, err);
}

static bool are_finite(const double *v, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(v[i]))
            return false;
    return true;
}

static bool is_mesh(const double *mesh, size_t N) {
    for (size_t i = 0; i < N; i++)
        if (!(mesh[i] < mesh[i + 1]))
            return false;
    return mesh[0] == 0 && mesh[N] == 1;
}

bool zw_orbits_is_whole(double v, double low, double high) {
    return v >= low && v <= high && v == floor(v);
}

static bool read_kind(const char *word, size_t length, zw_bifurcation *event) {
    *event = ZW_BIFURCATION_POINT;
    if (length == 1 && word[0] == '-')
        return true;
    for (int e = ZW_BIFURCATION_FOLD; e <= ZW_BIFURCATION_GRAZE; e++) {
        if (e == ZW_BIFURCATION_END)
            continue;
        const char *own = zw_motion_event_word((zw_bifurcation)e);
        if (strlen(own) == length && strncmp(own, word, length) == 0) {
            *event = (zw_bifurcation)e;
            return true;
        }
    }
    return false;
}

static bool read_label(const char *word, size_t length, char *label) {
    label[0] = '\0';
    if (length == 1 && word[0] == '-')
        return true;
    if (length < 3 || length >= ZW_ORBITS_LABEL)
        return false;
    for (size_t i = 0; i < length; i++)
        if (i < 2 ? !isupper((unsigned char)word[i]) : !isdigit((unsigned char)word[i]))
            return false;
    memcpy(label, word, length);
    label[length] = '\0';
    return true;
}

/* how many unknowns an orbit through events has */
static size_t unknowns_of(const zw_orbits_file *f, const zw_orbits_signature *s) {
    return (size_t)s->n * (size_t)(f->nx + f->nmemory + 1) +
           (!f->autonomous && s->event[0] >= 0 ? 1 : 0);
}

/* durations are positive (zero within EVENTS_MEET where two events meet), and their sum is the
 * period */
static bool have_period(const zw_orbits_file *f, const zw_orbits_stored *o) {
    int stride = f->nx + f->nmemory + 1;
    double sum = 0;
    for (int k = 0; k < f->signature[o->signature].n; k++) {
        double own = o->unknown[k * stride + stride - 1];
        bool meets =
            o->motion.event == ZW_BIFURCATION_GRAZE && fabs(own) <= EVENTS_MEET * o->motion.period;
        if (!(own > 0) && !meets)
            return false;
        sum += own;
    }
    return fabs(sum - o->motion.period) <= ZW_ROUNDOFF_SUM * o->motion.period;
}

/* value, period and stability */
static bool read_scalars(const double *v, long M, zw_orbit_motion *m) {
    m->value = v[0];
    m->period = v[1];
    m->error = v[2];
    m->accuracy = v[3];
    m->trivial = v[4];
    if (!isfinite(m->value) || !(m->period > 0) || !isfinite(m->period) || m->error < 0 ||
        m->accuracy < 0 || m->trivial < 0 || !zw_orbits_is_whole(v[5], -1, (double)M) ||
        !zw_orbits_is_whole(v[6], 0, 2))
        return false;
    m->outside = (int)v[5];
    m->verdict = (zw_floquet_verdict)v[6];
    return true;
}

/* copies the doubles after the words to their parts */
static zw_status read_data(const zw_orbits_file *f, const char *key, const char *text, long M,
                           long N, bool tangent, zw_orbits_stored *out, zw_error *err) {
    size_t size = (size_t)N * (size_t)f->nx * (size_t)(f->stages + 1) +
                  (f->autonomous && !f->events ? 1 : 0) + (f->family ? 1 : 0),
           unknown = f->events ? unknowns_of(f, &f->signature[out->signature]) : 0,
           direction = (f->events ? unknown : size) + 1,
           n = SCALARS + 2 * (size_t)M + (size_t)N + 1 + size + unknown + (tangent ? direction : 0),
           length = strlen(text);
    if (n > SIZE_MAX / 16 || length != zw_base64_length(8 * n))
        return zw_orbits_damaged(key, "the number of its entries differs from the stated one", err);
    double *v = ZW_NEW(&f->memory->arena, double, n + 1);
    if (!v)
        return zw_out_of_memory(err, NULL);
    if (!zw_base64_read(text, length, v, n))
        return zw_orbits_damaged(key, "its numbers cannot be read", err);
    zw_orbit_motion *m = &out->motion;
    if (!read_scalars(v, M, m))
        return zw_orbits_damaged(key, "value, period or stability are no such numbers", err);
    m->nmultiplier = (int)M;
    m->intervals = (int)N;
    m->re = v + SCALARS;
    m->im = m->re + M;
    m->mesh = m->im + M;
    m->x = m->mesh + N + 1;
    out->unknown = f->events ? m->x + size : NULL;
    out->nunknown = (int)unknown;
    m->tangent = tangent ? m->x + size + unknown : NULL;
    if (!is_mesh(m->mesh, (size_t)N))
        return zw_orbits_damaged(key, "its mesh does not ascend from 0 to 1", err);
    if (!are_finite(v + SCALARS, n - SCALARS))
        return zw_orbits_damaged(key, "a number is not finite", err);
    if (f->events ? !have_period(f, out)
                  : f->autonomous && m->x[size - 1 - (f->family ? 1 : 0)] != m->period)
        return zw_orbits_damaged(key, "it has two periods", err);
    return ZW_OK;
}

static zw_status read_orbit(const zw_orbits_file *f, const zw_table *t, const char *key,
                            const char *text, zw_orbits_stored *out, zw_error *err) {
    const char *at = key + strlen("orbit "), *label, *data;
    long row, N, M, times, tangent, events = -1;
    size_t kind = strcspn(text, " ");
    if (!read_whole(&at, LONG_MAX / 16, &row) || *at || row >= zw_table_rows(t))
        return zw_orbits_damaged(key, "the table has no such row", err);
    label = text + kind + (text[kind] == ' ');
    data = label + strcspn(label, " ");
    *out = (zw_orbits_stored){.row = row, .shown = zw_table_at(t, row, 0)};
    if (!read_kind(text, kind, &out->motion.event) ||
        !read_label(label, (size_t)(data - label), out->label))
        return zw_orbits_damaged(key, "its kind or label is unknown", err);
    if (!zw_orbits_read_field(&data, " intervals ", INTERVALS_MAX, &N) || N < 1 ||
        !zw_orbits_read_field(&data, " multipliers ", ENTRIES_MAX, &M) || M > f->nx + f->nmemory ||
        !zw_orbits_read_field(&data, " times ", 1000000, &times) || times < 1 ||
        !zw_orbits_read_field(&data, " tangent ", 1, &tangent) ||
        (f->events &&
         (!zw_orbits_read_field(&data, " events ", INT_MAX, &events) || events >= f->nsignature)) ||
        !skip_words(&data, " "))
        return zw_orbits_damaged(key, "a number is missing or out of range", err);
    out->times = (int)times;
    out->signature = (int)events;
    ZW_TRY(read_data(f, key, data, M, N, tangent, out, err));
    double curve = zw_table_at(t, row, zw_table_find(t, "curve")),
           apart = fabs(out->shown * f->factor - out->motion.value);
    if (!zw_orbits_is_whole(curve, 0, INT_MAX / 2) ||
        !(apart <= ZW_SAME_VALUE * fabs(out->motion.value) + ZW_TINY))
        return zw_orbits_damaged(key, "it does not belong to its row", err);
    out->motion.curve = (int)curve;
    return ZW_OK;
}

static bool is_orbit(const char *key) {
    return strncmp(key, "orbit ", 6) == 0;
}

static zw_status read_all(zw_orbits_file *f, const zw_table *t, zw_error *err) {
    int n = 0;
    ZW_TRY(read_head(f, t, err));
    if (f->events)
        ZW_TRY(zw_orbits_read_signatures(f, t, err));
    for (int i = 0; i < zw_table_notes(t); i++)
        n += is_orbit(zw_table_note_key(t, i));
    if (n == 0)
        return zw_orbits_damaged("orbits", "there is none", err);
    zw_orbits_stored *all = ZW_NEW(&f->memory->arena, zw_orbits_stored, n);
    if (!all)
        return zw_out_of_memory(err, NULL);
    f->orbit = all;
    for (int i = 0; i < zw_table_notes(t); i++) {
        const char *key = zw_table_note_key(t, i);
        if (!is_orbit(key))
            continue;
        ZW_TRY(read_orbit(f, t, key, zw_table_note_value(t, i), &all[f->n], err));
        if (f->n > 0 && all[f->n].row <= all[f->n - 1].row)
            return zw_orbits_damaged(key, "the orbits are not in the order of their rows", err);
        f->n++;
    }
    return ZW_OK;
}

zw_status zw_orbits_file_read(zw_orbits_file *out, const zw_table *t, zw_error *err) {
    zw_allocator alloc = *zw_table_allocator(t);
    *out = (zw_orbits_file){.memory = zw_allocate(&alloc, sizeof *out->memory)};
    if (!out->memory)
        return zw_out_of_memory(err, NULL);
    zw_arena_init(&out->memory->arena, &alloc);
    zw_status status = read_all(out, t, err);
    if (status < 0)
        zw_orbits_file_clear(out);
    return status;
}

void zw_orbits_file_clear(zw_orbits_file *f) {
    if (f->memory) {
        zw_allocator alloc = f->memory->arena.alloc;
        zw_arena_clear(&f->memory->arena);
        zw_release(&alloc, f->memory, sizeof *f->memory);
    }
    *f = (zw_orbits_file){0};
}

/* -------------------------------------------------------------------------------------- picking */

static bool is_label(const char *which) {
    return isupper((unsigned char)which[0]) && isupper((unsigned char)which[1]) &&
           isdigit((unsigned char)which[2]);
}

static bool find_label(const zw_orbits_file *f, const char *which, int *number) {
    for (int i = 0; i < f->n; i++)
        if (strcmp(f->orbit[i].label, which) == 0) {
            *number = i;
            return true;
        }
    return false;
}

static bool find_mark(const zw_orbits_file *f, const char *word, size_t length, int left,
                      int *number) {
    for (int i = 0; i < f->n; i++) {
        const char *own = zw_motion_event_word(f->orbit[i].motion.event);
        if (length == 0 || strlen(own) != length || strncmp(own, word, length) != 0 || --left > 0)
            continue;
        *number = i;
        return true;
    }
    return false;
}

static bool find_passage(const zw_orbits_file *f, double value, int left, int *number) {
    for (int i = 0; i < f->n; i++) {
        const zw_orbits_stored *a = &f->orbit[i], *b = i + 1 < f->n ? a + 1 : a;
        bool together = b->motion.curve == a->motion.curve,
             passes = a->shown == value || (together && ((a->shown < value && value < b->shown) ||
                                                         (b->shown < value && value < a->shown)));
        if (!passes || --left > 0)
            continue;
        *number = fabs(a->shown - value) <= fabs(b->shown - value) ? i : i + 1;
        return true;
    }
    return false;
}

/* a hint with the labels that exist */
static void hint_labels(const zw_orbits_file *f, zw_error *err) {
    char list[200] = "";
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < f->n; i++) {
        low = fmin(low, f->orbit[i].shown);
        high = fmax(high, f->orbit[i].shown);
    }
    for (int i = 0; i < f->n; i++)
        if (f->orbit[i].label[0] && strlen(list) + ZW_ORBITS_LABEL + 2 < sizeof list)
            zw_append(list, sizeof list, "%s, ", f->orbit[i].label);
    zw_error_hint(err, "the file has %sor a value of %s from %.6g to %.6g", list, f->parameter, low,
                  high);
}

zw_status zw_orbits_file_pick(const zw_orbits_file *f, const char *which, int *number,
                              double *value, zw_error *err) {
    char *rest;
    double wanted = strtod(which, &rest);
    bool is_value = rest != which && isfinite(wanted), found = false;
    size_t length = strcspn(which, " ");
    long nth = 1;
    const char *at = is_value ? rest : which + length;
    *value = NAN;
    at += strspn(at, " ");
    if (is_value && *at == '[' && strncmp(at + 1, f->unit, strlen(f->unit)) == 0 &&
        at[1 + strlen(f->unit)] == ']')
        at += strlen(f->unit) + 2;
    at += strspn(at, " ");
    bool clear = !*at || (read_whole(&at, 1000000, &nth) && !*at && nth > 0);
    if (clear && is_value)
        found = find_passage(f, wanted, (int)nth, number);
    else if (clear)
        found = is_label(which) ? find_label(f, which, number)
                                : find_mark(f, which, length, (int)nth, number);
    if (found) {
        if (is_value && f->orbit[*number].shown != wanted)
            *value = wanted * f->factor;
        return ZW_OK;
    }
    zw_fail(err, ZW_E_OPTION, "--point %.60s: there is no such orbit", which);
    hint_labels(f, err);
    return ZW_E_OPTION;
}

/* --------------------------------------------------------------------------------------- states */

/* as zw_colloc_state, without equations */
void zw_orbits_state_of(const zw_orbit_motion *m, int nx, int stages, double tau, double *state) {
    zw_gauss rule;
    int j = 0, high = m->intervals, stride = nx * (stages + 1);
    zw_gauss_init(&rule, stages);
    while (high - j > 1) { /* mesh[j] <= tau < mesh[high] */
        int mid = (j + high) / 2;
        *(tau < m->mesh[mid] ? &high : &j) = mid;
    }
    double h = m->mesh[j + 1] - m->mesh[j], s = (tau - m->mesh[j]) / h;
    const double *u = m->x + (size_t)j * (size_t)stride;
    memcpy(state, u, sizeof(double) * (size_t)nx);
    for (int l = 0; l < stages; l++) {
        double part = 0;
        for (int i = 0; i < stages; i++)
            part += s * rule.b[i] * zw_gauss_lagrange(&rule, l, s * rule.c[i]);
        for (int r = 0; r < nx; r++)
            state[r] += h * part * u[(l + 1) * nx + r];
    }
}

void zw_orbits_state(const zw_orbits *o, int number, double tau, double *state) {
    assert(number >= 0 && number < zw_orbits_count(o));
    zw_orbits_state_of(&o->motion[number], o->nx, o->options.stages, tau, state);
}

void zw_orbits_file_state(const zw_orbits_file *f, int index, double tau, double *state) {
    zw_orbits_state_of(&f->orbit[index].motion, f->nx, f->stages, tau, state);
}

/* ------------------------------------------------------------------------------------- adopting */

static zw_status is_other_model(const zw_orbits_file *f, zw_error *err) {
    zw_fail(err, ZW_E_FILE, "the orbits of the file are of another model");
    zw_error_hint(err, "their state is %.200s", f->state);
    return ZW_E_FILE;
}

static bool is_said(const zw_orbits_head *h, void (*put)(zw_text *out, const zw_orbits_head *h),
                    const char *said, bool *failed) {
    zw_text names;
    zw_allocator alloc = zw_context_allocator(h->sys->ctx);
    zw_text_init(&names, &alloc);
    put(&names, h);
    bool same = !names.failed && strcmp(zw_text_get(&names), said) == 0;
    *failed |= names.failed;
    zw_text_clear(&names);
    return same;
}

zw_status zw_orbits_check_head(const zw_orbits_head *h, const zw_orbits_file *f, int index,
                               zw_error *err) {
    int order = f->order * f->orbit[index].times;
    bool failed = false, same = f->nx == h->nx && f->nmemory == h->nmemory &&
                                f->events == h->events &&
                                is_said(h, put_state, f->state, &failed) &&
                                is_said(h, put_memory, f->remembered, &failed);
    if (failed)
        return zw_out_of_memory(err, NULL);
    if (!same)
        return is_other_model(f, err);
    if (f->autonomous != h->autonomous)
        return zw_fail(err, ZW_E_FILE, "the orbits of the file are of a model that is %s",
                       f->autonomous ? "not driven" : "driven");
    if ((f->stages != h->stages && !f->events) || (!f->autonomous && order != h->order)) {
        zw_fail(err, ZW_E_OPTION, "the orbit of the file has %d points of Gauss and order %d",
                f->stages, order);
        zw_error_hint(err, "--stages %d --order %d", f->stages, order);
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

bool zw_orbits_is_solution(const zw_cont_problem *p, const double *x, double value, double *work) {
    if (p->residual(p->self, x, value, work, NULL) != ZW_OK)
        return false;
    for (int i = 0; i < p->n; i++)
        if (!(fabs(work[i]) < RESIDUAL_SOLVED))
            return false;
    return true;
}

/* The direction of the branch is sought orthogonal to a fixed vector of pseudo-random numbers, the
 * same in every call. */
zw_status zw_orbits_direction(const zw_cont_problem *p, const double *x, double value,
                              double *tangent, double *work, zw_error *err) {
    size_t n = (size_t)p->n;
    double *row = work, *r = row + n + 1, sum = 0;
    for (size_t k = 0; k <= n; k++)
        row[k] = sin(1.7 * (double)k + 0.3) / (k < n ? 1 : p->unit);
    zw_status status = p->residual(p->self, x, value, r, err);
    if (status == ZW_OK)
        status = p->factor(p->self, x, value, row, err);
    if (status != ZW_OK)
        return status < 0 ? status : zw_fail(err, ZW_E_NUMERIC, "the branch has no direction here");
    memset(tangent, 0, sizeof(double) * n);
    tangent[n] = 1;
    p->solve(p->self, tangent);
    sum = sqrt(p->inner(p->self, tangent, tangent) + tangent[n] * tangent[n] / (p->unit * p->unit));
    if (!(sum > 0) || !isfinite(sum))
        return zw_fail(err, ZW_E_NUMERIC, "the branch has no direction here");
    for (size_t k = 0; k <= n; k++)
        tangent[k] /= sum;
    return ZW_OK;
}

/* moves a value that round-off of units put just outside of the range to its end */
static double into_range(const zw_parameter_range *over, double value) {
    double low = fmin(over->from, over->to), high = fmax(over->from, over->to),
           near = RANGE_ROUNDOFF * fmax(fabs(low), fabs(high));
    return value < low && value >= low - near     ? low
           : value > high && value <= high + near ? high
                                                  : value;
}

zw_status zw_orbits_file_value(const zw_parameter_range *over, const double *p,
                               const zw_orbits_file *f, int index, double wanted, double *value,
                               bool *same, bool *stays, zw_error *err) {
    double own = f->orbit[index].motion.value;
    *value = NAN;
    *same = over && strcmp(over->name, f->parameter) == 0;
    *stays = true;
    if (!over)
        return ZW_OK;
    double at = into_range(over, !*same ? p[over->parameter] : isnan(wanted) ? own : wanted);
    *stays = !*same || at == into_range(over, own);
    *value = at;
    if (at >= fmin(over->from, over->to) && at <= fmax(over->from, over->to))
        return ZW_OK;
    return zw_fail(err, ZW_E_OPTION, "the orbit is at %s = %.9g, outside of the range", over->name,
                   at / over->factor);
}

/* Starts a family from an orbit without one, or the other way round: the damping, which is zero, is
 * added or left out. */
static zw_status adopt_between(zw_orbits *o, const zw_orbits_file *f, const zw_orbit_motion *from,
                               double value, int *number, zw_error *err) {
    zw_orbit_motion m = *from;
    size_t n = (size_t)m.intervals * (size_t)o->nx * (size_t)(o->options.stages + 1) + 1;
    double *x = ZW_NEW(&o->arena, double, n + 2);
    bool same = o->has_over && strcmp(o->over.name, f->parameter) == 0;
    if (!x)
        return zw_out_of_memory(err, NULL);
    memcpy(x, m.x, sizeof(double) * (n + (f->family ? 1 : 0)));
    m.x = x;
    m.curve = -1;
    ZW_TRY(zw_orbits_reserve(o, m.intervals, err));
    m.value = same             ? m.value
              : o->family.kind ? (double)NAN
              : o->has_over    ? o->p[o->over.parameter]
                               : (double)NAN;
    ZW_TRY(zw_orbits_load(o, &m, err));
    if (o->family.kind && isnan(m.value))
        m.value = zw_orbits_functional(o, o->x);
    if (same && !isnan(value))
        m.value = value;
    ZW_TRY(zw_orbits_refine(o, m.value, err));
    ZW_TRY(zw_orbits_add(o, m.value, ZW_BIFURCATION_POINT, -1, err));
    if (number)
        *number = o->nmotion - 1;
    return ZW_OK;
}

zw_status zw_orbits_adopt(zw_orbits *o, const zw_orbits_file *f, int index, double value,
                          int *number, zw_error *err) {
    zw_orbit_motion m = f->orbit[index].motion;
    const zw_orbits_head head = zw_orbits_head_of(o);
    bool same, stays;
    double at;
    ZW_TRY(zw_orbits_check_head(&head, f, index, err));
    if (o->family.kind || f->family)
        return adopt_between(o, f, &m, value, number, err);
    ZW_TRY(zw_orbits_reserve(o, m.intervals, err));
    ZW_TRY(zw_orbits_file_value(o->has_over ? &o->over : NULL, o->p, f, index, value, &at, &same,
                                &stays, err));
    bool known = same && stays && m.tangent;
    m.value = at;
    m.curve = -1;
    ZW_TRY(zw_orbits_load(o, &m, err));
    zw_cont_problem p = zw_orbits_problem(o);
    size_t n = (size_t)p.n;
    double *work = ZW_NEW(&o->arena, double, 2 * n + 2);
    if (!work)
        return zw_out_of_memory(err, NULL);
    bool solved = zw_orbits_is_solution(&p, o->x, at, work);
    if (!solved)
        ZW_TRY(zw_orbits_refine(o, at, err));
    ZW_TRY(zw_orbits_add(o, at, solved && stays ? m.event : ZW_BIFURCATION_POINT, -1, err));
    zw_orbit_motion *now = &o->motion[o->nmotion - 1];
    if (o->has_over && (known || now->event != ZW_BIFURCATION_POINT)) {
        double *tangent = ZW_NEW(&o->arena, double, n + 1);
        if (!tangent)
            return zw_out_of_memory(err, NULL);
        if (known)
            memcpy(tangent, m.tangent, sizeof(double) * (n + 1));
        else
            ZW_TRY(zw_orbits_direction(&p, o->x, at, tangent, work, err));
        now->tangent = tangent;
    }
    if (number)
        *number = o->nmotion - 1;
    return ZW_OK;
}
