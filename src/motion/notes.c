/* SPDX-License-Identifier: MIT */
#include "notes.h"

#include <stdio.h>

#include "base/decimal.h"
#include "base/text.h"
#include "motion/equilibria/equilibria.h"
#include "zwang/zwang.h"

zw_status zw_study_note_value(zw_table *t, const char *key, double value, const char *unit) {
    char number[ZW_DECIMAL_MAX], text[256];
    zw_decimal(number, value);
    snprintf(text, sizeof text, "%s%s%s", number, unit[0] ? " " : "", unit);
    return zw_table_note(t, key, text);
}

/* one per line; no note if there are none */
static zw_status note_list(zw_table *t, const char *key, int n, const char *const *items) {
    zw_text text;
    if (n == 0)
        return ZW_OK;
    zw_text_init(&text, zw_table_allocator(t));
    for (int i = 0; i < n; i++)
        zw_text_printf(&text, "%s%s", i ? "\n" : "", items[i]);
    zw_status status = text.failed ? ZW_E_MEMORY : zw_table_note(t, key, zw_text_get(&text));
    zw_text_clear(&text);
    return status;
}

/* the constraints that are active and those that are not */
static zw_status note_switches(zw_table *t, const zw_system *s, const zw_active *active) {
    for (int on = 1; on >= 0 && s->nconstraint > 0; on--) {
        zw_text text;
        zw_text_init(&text, zw_table_allocator(t));
        for (int i = 0; i < s->nconstraint; i++) {
            bool is_active =
                active && active->constraint ? active->constraint[i] : s->constraint[i].on;
            if (is_active == on)
                zw_text_printf(&text, "%s%s", text.length ? "," : "", s->constraint[i].name);
        }
        zw_status status =
            text.failed ? ZW_E_MEMORY : zw_table_note(t, on ? "on" : "off", zw_text_get(&text));
        zw_text_clear(&text);
        ZW_TRY(status);
    }
    return ZW_OK;
}

static zw_status note_holds(zw_table *t, const zw_equilibria *e) {
    for (int i = 0; i < e->options.nhold; i++) {
        char key[128];
        snprintf(key, sizeof key, "hold %s", e->held[i].name);
        ZW_TRY(zw_study_note_value(t, key, e->hold[i].value, e->held[i].unit));
    }
    return ZW_OK;
}

/* the text of the model, which need not end with a zero */
static zw_status note_text(zw_table *t, const zw_model_source *source) {
    zw_text text;
    zw_text_init(&text, zw_table_allocator(t));
    zw_text_put_n(&text, source->text, source->length);
    zw_status status = text.failed ? ZW_E_MEMORY : zw_table_note(t, "text", zw_text_get(&text));
    zw_text_clear(&text);
    return status;
}

zw_status zw_study_origin(zw_table *t, const zw_system *s, const char *principle, const double *p,
                          const zw_active *active, const zw_model_source *source,
                          const char *kind) {
    const zw_model_options *o = source ? source->options : NULL;
    ZW_TRY(zw_table_note(t, "zwang", zw_version()));
    ZW_TRY(zw_table_note(t, "kind", kind));
    ZW_TRY(zw_table_note(t, "model", s->name));
    ZW_TRY(zw_table_note(t, "file", source && source->file ? source->file : ""));
    ZW_TRY(zw_table_note(t, "variant", s->variant));
    if (o) {
        ZW_TRY(note_list(t, "set", o->nset, o->set));
        ZW_TRY(note_list(t, "with", o->nwith, o->with));
        ZW_TRY(note_list(t, "without", o->nwithout, o->without));
        ZW_TRY(note_list(t, "law", o->nlaw, o->law));
    }
    ZW_TRY(zw_table_note(t, "principle", principle));
    for (int i = 0; i < s->np; i++) {
        char key[128];
        snprintf(key, sizeof key, "param %s", s->param[i].name);
        ZW_TRY(zw_study_note_value(t, key, p[i], s->param[i].unit));
    }
    ZW_TRY(note_switches(t, s, active));
    return source && source->text ? note_text(t, source) : ZW_OK;
}

zw_status zw_study_notes(zw_table *t, const zw_equilibria *e, const zw_model_source *source,
                         const char *kind) {
    ZW_TRY(zw_study_origin(t, e->sys, e->eq.principle, e->p, e->options.active, source, kind));
    return note_holds(t, e);
}
