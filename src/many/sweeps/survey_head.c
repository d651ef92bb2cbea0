/* SPDX-License-Identifier: MIT */
/* The head of the result of a sweep: columns, notes, and its identity: everything that its numbers
 * depend on, as one text. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/checksum.h"
#include "motion/notes.h"
#include "sim/options.h"
#include "survey.h"
#include "zwang/zwang.h"

void zw_survey_lay_out(zw_survey *s) {
    int n = s->naxis;
    s->column_sweep = s->options.carry ? n++ : -1;
    s->column_jump = s->options.jump > 0 ? n++ : -1;
    s->column_t = s->rows ? n++ : -1;
    s->column_measure = n;
    n += s->measures.n;
    s->column_point = n++;
    s->column_end = n++;
    s->ncolumn = n;
}

static zw_status make_columns(const zw_survey *s, zw_table *t) {
    char name[ZW_AXIS_NAME + 8];
    for (int i = 0; i < s->naxis; i++) { /* theta(0): its value at the start */
        const zw_axis *a = zw_plan_axis(s->plan, i);
        snprintf(name, sizeof name, "%s%s", a->name, a->start ? "(0)" : "");
        ZW_TRY(zw_table_column(t, name, a->unit));
    }
    if (s->column_sweep >= 0)
        ZW_TRY(zw_table_column(t, "sweep", ""));
    if (s->column_jump >= 0)
        ZW_TRY(zw_table_column(t, "jump", ""));
    if (s->column_t >= 0)
        ZW_TRY(zw_table_column(t, "t", "s"));
    for (int i = 0; i < s->measures.n; i++)
        ZW_TRY(zw_table_column(t, s->measures.item[i].name, s->measures.item[i].unit));
    ZW_TRY(zw_table_column(t, "point", ""));
    return zw_table_column(t, "end", "");
}

static zw_status note_plan(const zw_survey *s, zw_table *t) {
    char key[ZW_AXIS_NAME + 16], text[200];
    for (int i = 0; i < s->naxis; i++) {
        const zw_axis *a = zw_plan_axis(s->plan, i);
        snprintf(key, sizeof key, "param %s", a->name);
        if (!a->start)
            zw_table_remove_note(t, key);
        zw_axis_text(a, text, sizeof text);
        snprintf(key, sizeof key, "axis %s%s", a->name, a->start ? "(0)" : "");
        const char *colon = strchr(text, ':');
        ZW_TRY(zw_table_note(t, key, colon ? colon + 2 : text));
    }
    return ZW_OK;
}

static zw_status note_duration(zw_table *t, const char *key, const zw_duration *d) {
    return zw_study_note_value(t, key, d->value, d->periods ? "periods" : "s");
}

static zw_status fill_notes(const zw_survey *s, const zw_model_source *source, zw_table *t,
                            zw_error *err) {
    static const char *const carry[] = {"own starts", "up", "down", "up and down"};
    double p[s->sys->np + 1];
    ZW_TRY(zw_system_param_values(s->sys, p, err));
    ZW_TRY(zw_study_origin(t, s->sys, s->eq.principle ? s->eq.principle : "lagrange", p, NULL,
                           source, "sweep"));
    ZW_TRY(note_plan(s, t));
    zw_ensemble_info info;
    zw_ensemble_statistics(s->e, &info, sizeof info);
    if (info.contacts[0])
        ZW_TRY(zw_table_note(t, "contacts treated", info.contacts));
    ZW_TRY(zw_table_note(t, "state", carry[s->options.carry]));
    ZW_TRY(note_duration(t, "transient", &s->transient));
    ZW_TRY(note_duration(t, "measured", &s->duration));
    if (s->options.carry == ZW_SURVEY_BOTH)
        ZW_TRY(zw_table_note(t, "parts", "sweep"));
    if (s->options.carry) {
        ZW_TRY(zw_table_note(t, "part sweep 1", "\"up\""));
        ZW_TRY(zw_table_note(t, "part sweep -1", "\"down\""));
    }
    char plan[20];
    snprintf(plan, sizeof plan, "%016llx",
             (unsigned long long)zw_checksum(ZW_CHECKSUM_START, zw_text_get(&s->identity),
                                             s->identity.length));
    return zw_table_note(t, "plan", plan);
}

zw_status zw_survey_fill_table(const zw_survey *s, const zw_model_source *source, zw_table **out,
                               zw_error *err) {
    zw_table *t = zw_table_create(NULL);
    zw_status status = t ? make_columns(s, t) : ZW_E_MEMORY;
    if (status >= 0)
        status = fill_notes(s, source, t, err);
    *out = t;
    if (status >= 0)
        return ZW_OK;
    zw_table_destroy(t);
    *out = NULL;
    return zw_fail(err, status,
                   status == ZW_E_MEMORY ? "out of memory" : "two columns have the same name");
}

/* ---- identity ---- */

static void put_list(zw_text *t, const char *key, int n, const char *const *item) {
    for (int i = 0; i < n; i++)
        zw_text_printf(t, "%s: %s\n", key, item[i]);
}

static void put_number(zw_text *t, const char *key, double value) {
    zw_text_printf(t, "%s: ", key);
    zw_text_number(t, value);
    zw_text_put(t, "\n");
}

static const char *or_none(const char *s) {
    return s ? s : "";
}

static void put_model(zw_text *t, const zw_model_source *source) {
    const zw_model_options *o = source->options;
    if (o) {
        zw_text_printf(t, "variant: %s\n", or_none(o->variant));
        put_list(t, "set", o->nset, o->set);
        put_list(t, "with", o->nwith, o->with);
        put_list(t, "without", o->nwithout, o->without);
        put_list(t, "law", o->nlaw, o->law);
    }
}

static void put_plan(zw_text *t, const zw_plan_options *o) {
    put_list(t, "over", o->nover, o->over);
    put_list(t, "start", o->nstart, o->start);
    zw_text_printf(t, "samples: %llu\nseed: %llu\ndraw: %d\ndesign: %d\n",
                   (unsigned long long)o->samples, (unsigned long long)o->seed, (int)o->draw,
                   (int)o->design);
    if (!o->points)
        return;
    int n = zw_table_columns(o->points);
    for (int j = 0; j < n; j++)
        zw_text_printf(t, "column: %s %s\n", zw_table_name(o->points, j),
                       zw_table_unit(o->points, j));
    for (long i = 0; i < zw_table_rows(o->points); i++)
        for (int j = 0; j < n; j++)
            put_number(t, "number", zw_table_at(o->points, i, j));
}

static void put_options(zw_text *t, const zw_survey *s, const zw_ensemble_options *e) {
    const zw_survey_options *o = &s->options;
    for (int i = 0; i < s->measures.n; i++)
        zw_text_printf(t, "measure: %s\n", s->measures.item[i].name);
    put_number(t, s->transient.periods ? "transient periods" : "transient", s->transient.value);
    put_number(t, s->duration.periods ? "periods" : "time", s->duration.value);
    zw_text_printf(t, "rows: %s\ncarry: %d\n", or_none(o->rows), (int)o->carry);
    put_number(t, "jump", o->jump);
    put_number(t, "jump width", o->jump_width);
    put_number(t, "period tolerance", o->period_tolerance);
    put_list(t, "disturb", o->ndisturb, o->disturb);
    zw_text_printf(t, "principle: %s\nmethod: %s\nengine: %d\n",
                   e->principle ? e->principle : "lagrange", e->run.method ? e->run.method : "auto",
                   (int)e->engine);
    zw_ensemble_info info;
    zw_ensemble_statistics(s->e, &info, sizeof info);
    if (info.arithmetic[0])
        zw_text_printf(t, "arithmetic: %s\n", info.arithmetic);
    put_number(t, "rtol", e->run.rtol);
    put_number(t, "atol", e->run.atol);
    put_number(t, "step max", e->run.step_max);
    put_number(t, "steps max", (double)e->run.steps_max);
    put_number(t, "step", e->run.step);
    put_number(t, "keep", (double)(int)e->run.constraints);
    put_number(t, "order", e->run.order);
    for (const zw_option *row = zw_sim_contact_table; row->key && e->contacts; row++) {
        zw_text_printf(t, "%s: ", row->key);
        zw_options_print(row, e->contacts, t);
        zw_text_put(t, "\n");
    }
    if (zw_system_is_random(s->sys)) {
        zw_text_printf(t, "noise seed: %ld\n", s->shared.seed);
        put_number(t, "noise step", s->shared.noise_step);
    }
}

/* Identifies the files of tables by their content: a text that reads another file of the same name
 * is another model. */
static zw_status put_tables(zw_text *t, const zw_system *sys, zw_error *err) {
    int n = 0;
    const char *const *path = zw_model_tables(sys, &n);
    for (int i = 0; i < n; i++) {
        FILE *in = fopen(path[i], "rb");
        uint64_t h = ZW_CHECKSUM_START;
        if (!in)
            return zw_fail(err, ZW_E_FILE, "cannot read '%s': %s", path[i], strerror(errno));
        char buffer[1 << 14];
        for (size_t got; (got = fread(buffer, 1, sizeof buffer, in)) > 0;)
            h = zw_checksum(h, buffer, got);
        fclose(in);
        zw_text_printf(t, "table %d: %016llx\n", i + 1, (unsigned long long)h);
    }
    return ZW_OK;
}

zw_status zw_survey_identify(zw_survey *s, const zw_model_source *source,
                             const zw_plan_options *plan, const zw_ensemble_options *ensemble,
                             zw_error *err) {
    zw_text *t = &s->identity;
    zw_text_init(t, NULL);
    zw_text_printf(t, "zwang: %s\n", zw_version());
    put_model(t, source);
    put_plan(t, plan);
    put_options(t, s, ensemble);
    ZW_TRY(put_tables(t, s->sys, err));
    zw_text_put(t, "text:\n");
    zw_text_put_n(t, source->text, source->length);
    return t->failed ? zw_out_of_memory(err, NULL) : ZW_OK;
}

const char *zw_survey_identity(const zw_survey *s) {
    return zw_text_get(&s->identity);
}
