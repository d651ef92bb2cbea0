/* SPDX-License-Identifier: MIT */
/* Provenance: the notes by which a result can be judged, drawn and continued on its own. Numbers
 * have as many digits as needed to be read back exactly. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/text.h"
#include "internal.h"
#include "num/options.h"
#include "zwang/zwang.h"

ZW_PRINTF(3, 4)
static zw_status write_note(zw_table *t, const char *key, const char *fmt, ...) {
    char text[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return zw_table_note(t, key, text);
}

static zw_status note_value(zw_table *t, const char *key, double value, const char *unit) {
    char number[ZW_DECIMAL_MAX];
    zw_decimal(number, value);
    return write_note(t, key, "%s%s%s", number, unit[0] ? " " : "", unit);
}

/* names or settings as the user gave them, one per line; no note if there are none */
static zw_status note_list(const zw_sim *sim, zw_table *t, const char *key, int n,
                           const char *const *items) {
    zw_text text;
    if (n == 0)
        return ZW_OK;
    zw_text_init(&text, &sim->arena.alloc);
    for (int i = 0; i < n; i++)
        zw_text_printf(&text, "%s%s", i ? "\n" : "", items[i]);
    zw_status status = text.failed ? ZW_E_MEMORY : zw_table_note(t, key, zw_text_get(&text));
    zw_text_clear(&text);
    return status;
}

static void put_setting(zw_text *text, const char *name, double value, const char *unit) {
    /* enough digits to be read back as the same bits */
    zw_text_printf(text, "%s%s=%.20g", text->length ? "\n" : "", name, value);
    if (unit[0])
        zw_text_printf(text, " [%s]", unit);
}

/* settings as text, then the caller's numbers in the same form */
static zw_status note_settings(const zw_sim *sim, zw_table *t) {
    const zw_sim_variant_state *w = sim->worlds;
    const zw_system *s = w->sys;
    zw_text text;
    zw_text_init(&text, &sim->arena.alloc);
    for (int i = 0; i < sim->model.nset; i++)
        zw_text_printf(&text, "%s%s", i ? "\n" : "", sim->model.set[i]);
    for (int i = 0; i < s->np; i++)
        if (w->numbered[i])
            put_setting(&text, s->param[i].name, w->said[i], s->no_units ? "" : s->param[i].unit);
    for (int i = 0; i < s->nq + s->nv; i++)
        if (sim->start_given[i])
            put_setting(&text, i < s->nq ? s->coord[i].name : s->velocity[i - s->nq].name,
                        sim->start_value[i],
                        s->no_units ? ""
                        : i < s->nq ? s->coord[i].unit
                                    : s->velocity[i - s->nq].unit);
    zw_status status = text.failed   ? ZW_E_MEMORY
                       : text.length ? zw_table_note(t, "set", zw_text_get(&text))
                                     : ZW_OK;
    zw_text_clear(&text);
    return status;
}

/* Values at the start. At the end: of those that have other values then, these too. */
static zw_status note_parameters(const zw_sim *sim, zw_table *t, bool at_end) {
    const zw_sim_variant_state *w = zw_sim_now(sim);
    const zw_system *s = w->sys;
    for (int i = 0; i < s->np; i++) {
        char key[160];
        snprintf(key, sizeof key, "param %.120s", s->param[i].name);
        const char *before = at_end ? zw_table_get_note(t, key) : NULL;
        if (before && strtod(before, NULL) == w->p[i])
            continue;
        if (at_end)
            snprintf(key, sizeof key, ZW_SIM_PARAM_AT_END, s->param[i].name);
        ZW_TRY(note_value(t, key, w->p[i], s->param[i].unit));
    }
    return ZW_OK;
}

/* the parameters that events have set; no note if there are none */
static zw_status note_given(const zw_sim *sim, zw_table *t) {
    const zw_sim_variant_state *w = zw_sim_now(sim);
    zw_text text;
    zw_text_init(&text, &sim->arena.alloc);
    for (int i = 0; i < w->sys->np; i++)
        if (w->given[i])
            zw_text_printf(&text, "%s%s", text.length ? "," : "", w->sys->param[i].name);
    zw_status status = text.failed   ? ZW_E_MEMORY
                       : text.length ? zw_table_note(t, "set by events", text.data)
                                     : ZW_OK;
    zw_text_clear(&text);
    return status;
}

/* the options of the integration as on the command line, one per line */
static zw_status note_options(const zw_sim *sim, zw_table *t) {
    bool contacts = sim->contacts.steps || sim->standing.used;
    zw_text text;
    zw_text_init(&text, &sim->arena.alloc);
    for (const zw_option *row = zw_run_option_table; row->key; row++) {
        zw_text_printf(&text, "%s%s=", text.length ? "\n" : "", row->key);
        zw_options_print(row, &sim->options.run, &text);
    }
    for (const zw_option *row = zw_sim_contact_table; row->key && contacts; row++) {
        zw_text_printf(&text, "\n%s=", row->key);
        zw_options_print(row, &sim->options, &text);
    }
    for (const zw_option *row = zw_sim_noise_table;
         row->key && zw_system_is_random(sim->worlds->sys); row++) {
        zw_text_printf(&text, "\n%s=", row->key);
        zw_options_print(row, &sim->options, &text);
    }
    zw_status status = text.failed ? ZW_E_MEMORY : zw_table_note(t, "options", zw_text_get(&text));
    zw_text_clear(&text);
    return status < 0 ? status : note_value(t, "step out", sim->options.step_out, "s");
}

/* the active constraints and the inactive ones */
static zw_status note_switches(const zw_sim *sim, zw_table *t) {
    const zw_system *s = zw_sim_now(sim)->sys;
    if (s->nconstraint == 0)
        return ZW_OK;
    for (int on = 1; on >= 0; on--) {
        zw_text text;
        zw_text_init(&text, &sim->arena.alloc);
        for (int i = 0; i < s->nconstraint; i++)
            if (sim->stage->on[i] == on)
                zw_text_printf(&text, "%s%s", text.length ? "," : "", s->constraint[i].name);
        zw_status status =
            text.failed ? ZW_E_MEMORY : zw_table_note(t, on ? "on" : "off", zw_text_get(&text));
        zw_text_clear(&text);
        ZW_TRY(status);
    }
    return ZW_OK;
}

static void note_side(zw_text *text, const char *name, const zw_event_side *s) {
    zw_text_printf(text, "%s%s %c ", text->length ? "," : "", name, "-0+"[s->side + 1]);
    zw_text_number(text, s->value);
    zw_text_printf(text, " %s ", s->fired ? "fired" : zw_sim_phase_text(s->phase));
    zw_text_number(text, s->band);
    zw_text_put(text, " ");
    zw_text_number(text, s->level);
}

/* the state of the event functions, so that no event is lost where the run is continued, and none
 * occurs twice */
static zw_status note_armed(zw_sim *sim, zw_table *t) {
    const zw_sim_stage *stage = sim->stage;
    zw_text text;
    zw_text_init(&text, &sim->arena.alloc);
    if (zw_run_armed(stage->run, sim->side, NULL) < 0)
        return ZW_OK; /* where they are undefined there is nothing to continue from */
    for (int i = 0; i < stage->world->sys->nevent; i++) {
        const zw_event_side *s = &sim->side[i];
        if (s->phase != ZW_EVENT_UNKNOWN)
            note_side(&text, stage->world->sys->event[i].name, s);
    }
    zw_status status = text.failed   ? ZW_E_MEMORY
                       : text.length ? zw_table_note(t, "armed", zw_text_get(&text))
                                     : ZW_OK;
    zw_text_clear(&text);
    return status;
}

const char *zw_sim_phase_text(zw_event_phase phase) {
    static const char *const text[] = {"unknown", "free", "leaving", "resting"};
    return text[phase];
}

zw_status zw_sim_notes_begin(zw_sim *sim, zw_table *t) {
    const zw_system *s = zw_sim_now(sim)->sys;
    const zw_model_source *source = &sim->source;
    ZW_TRY(zw_table_note(t, "zwang", zw_version()));
    ZW_TRY(zw_table_note(t, "model", s->name));
    ZW_TRY(zw_table_note(t, "file", source->file ? source->file : ""));
    ZW_TRY(zw_table_note(t, "variant", s->variant));
    ZW_TRY(note_settings(sim, t));
    ZW_TRY(note_list(sim, t, "with", sim->model.nwith, sim->model.with));
    ZW_TRY(note_list(sim, t, "without", sim->model.nwithout, sim->model.without));
    ZW_TRY(note_list(sim, t, "law", sim->model.nlaw, sim->model.law));
    ZW_TRY(zw_table_note(t, "principle", sim->stage->eq.principle));
    ZW_TRY(note_options(sim, t));
    if (!sim->contacts.steps || sim->contacts.options.control) { /* fixed steps use neither */
        ZW_TRY(note_value(t, "rtol", sim->options.run.rtol, ""));
        ZW_TRY(note_value(t, "atol", sim->options.run.atol, ""));
    }
    ZW_TRY(note_parameters(sim, t, false));
    ZW_TRY(note_switches(sim, t));
    for (int i = 0; i < sim->nevent; i++) {
        char key[32];
        snprintf(key, sizeof key, "event %d", i);
        ZW_TRY(zw_table_note(t, key, sim->event[i]));
    }
    return source->text ? zw_table_note(t, "text", source->text) : ZW_OK;
}

zw_status zw_sim_notes_end(zw_sim *sim, zw_table *t) {
    zw_sim_info info = zw_sim_statistics(sim);
    ZW_TRY(zw_table_note(t, "variant", zw_sim_now(sim)->sys->variant));
    ZW_TRY(note_parameters(sim, t, true));
    ZW_TRY(note_given(sim, t));
    if (sim->set_at.length && t == sim->rows)
        ZW_TRY(zw_table_note(t, ZW_SIM_SET_AT, zw_text_get(&sim->set_at)));
    ZW_TRY(note_switches(sim, t));
    ZW_TRY(note_armed(sim, t));
    ZW_TRY(zw_sim_standing_note(sim, t));
    ZW_TRY(zw_sim_contacts_note(sim, t));
    ZW_TRY(zw_warnings_note(sim->doubts, t));
    ZW_TRY(zw_table_note(t, "ended", zw_sim_ending_text(sim->ending)));
    if (sim->ending == ZW_SIM_ACCUMULATED)
        ZW_TRY(note_value(t, "accumulation", sim->accumulation, "s"));
    ZW_TRY(zw_table_note(t, "method", info.method));
    if (info.contacts[0])
        ZW_TRY(zw_table_note(t, "contacts treated", info.contacts));
    if (info.estimate[0])
        ZW_TRY(zw_table_note(t, "accuracy", info.estimate));
    if (info.run.why[0])
        ZW_TRY(zw_table_note(t, "chosen since", info.run.why));
    if (info.run.constraints[0])
        ZW_TRY(zw_table_note(t, "constraints kept by", info.run.constraints));
    ZW_TRY(write_note(t, "steps", "%ld", info.run.steps));
    ZW_TRY(write_note(t, "evaluations", "%ld", info.run.rhs_calls));
    ZW_TRY(write_note(t, "position residual", "%.3g", info.run.position_residual));
    return write_note(t, "velocity residual", "%.3g", info.run.velocity_residual);
}
