/* SPDX-License-Identifier: MIT */
/* Continues a run where a result ends. The notes of a result contain all that is needed: the text
 * of the model and how it was read, the options of the integration, the values and switches set by
 * events and the state of the event functions; its last row is the state. Numbers in files are read
 * back as the same bits, so that the motion continues from exactly the state at which it stopped;
 * only the memory of a method of earlier steps is lost. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/decimal.h"
#include "internal.h"
#include "num/run_jumps.h"
#include "zwang/simulate.h"

static bool has_name(const zw_names *list, const char *name) {
    for (int i = 0; i < list->n; i++)
        if (strcmp(list->item[i], name) == 0)
            return true;
    return false;
}

/* ------------------------------------------------------------------------------------ the model */

static zw_status check_result(const zw_table *result, const zw_model_source *source,
                              zw_error *err) {
    if (!source->text) {
        zw_fail(err, ZW_E_FILE, "the result does not contain the text of its model");
        zw_error_hint(err, "give the model file after the result file");
        return ZW_E_FILE;
    }
    if (zw_table_find(result, "event") >= 0)
        return zw_fail(err, ZW_E_FILE, "this is a table of events, not of a motion");
    if (zw_table_find(result, "t") != 0)
        return zw_fail(err, ZW_E_FILE, "the result holds no motion: its first column is not t");
    if (zw_table_rows(result) == 0)
        return zw_fail(err, ZW_E_FILE, "the result has no rows to continue from");
    return ZW_OK;
}

zw_status zw_sim_resume(zw_sim **out, zw_context *ctx, const zw_table *result,
                        const zw_model_source *change, const zw_sim_options *options,
                        zw_error *err) {
    assert(out);
    static const zw_model_source none;
    zw_model_source source = change ? *change : none;
    zw_model_options model;
    zw_system *sys;
    *out = NULL;
    if (!source.text) {
        source.text = zw_table_get_note(result, "text");
        source.length = source.text ? strlen(source.text) : 0;
    }
    if (!source.file)
        source.file = zw_table_get_note(result, "file");
    ZW_TRY(check_result(result, &source, err));
    ZW_TRY(zw_result_model_options(ctx, result, source.options, &model, err));
    zw_resume resume = {.result = result, .change = source.options};
    source.options = &model;
    ZW_TRY(zw_model_parse(&sys, ctx, source.text, source.length,
                          source.file ? source.file : "model", &model, err));
    zw_sim_options chosen;
    if (options)
        ZW_TRY(zw_sim_options_adopt(&chosen, options, err));
    else
        ZW_TRY(zw_sim_options_of(&chosen, result, err));
    chosen.start = zw_table_at(result, zw_table_rows(result) - 1, 0);
    return zw_sim_make(out, sys, &source, &chosen, &resume, err);
}

/* ------------------------------------------------------------------------------------ the state */

/* is "set NAME=..." given again? */
static bool is_changed(const zw_model_options *change, const char *name) {
    size_t n = strlen(name);
    for (int i = 0; change && i < change->nset; i++)
        if (strncmp(change->set[i], name, n) == 0 && strcspn(change->set[i] + n, "= ") == 0)
            return true;
    return false;
}

static bool is_part(const char *constraint, const char *name) {
    size_t n = strlen(name);
    return strncmp(constraint, name, n) == 0 && (constraint[n] == '\0' || constraint[n] == '.');
}

static bool is_named(int n, const char *const *list, const char *constraint) {
    for (int i = 0; i < n; i++)
        if (is_part(constraint, list[i]))
            return true;
    return false;
}

/* is "law NAME=..." given again, as for a contact that becomes unilateral? */
static bool is_restated(const zw_model_options *change, const char *constraint) {
    for (int i = 0; i < change->nlaw; i++) {
        char name[200];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(change->law[i], "= "), change->law[i]);
        if (is_part(constraint, name))
            return true;
    }
    return false;
}

/* Are the lags of the delays those of the end of the result? */
static zw_status check_lags(const zw_sim_variant_state *w, const zw_table *t, zw_error *err) {
    const zw_system *s = w->sys;
    double *p = s->ndelay ? zw_context_alloc(s->ctx, sizeof *p * (size_t)(s->np + 1)) : NULL;
    if (s->ndelay == 0)
        return ZW_OK;
    if (!p)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < s->np; i++) {
        char key[160], end[160];
        snprintf(key, sizeof key, "param %.120s", s->param[i].name);
        snprintf(end, sizeof end, ZW_SIM_PARAM_AT_END, s->param[i].name);
        const char *value = zw_table_get_note(t, end);
        value = value ? value : zw_table_get_note(t, key);
        p[i] = value ? strtod(value, NULL) : w->p[i];
    }
    return zw_sim_lags_stay(s, p, s, w->p, (zw_place){0}, "a parameter of the continued run", err);
}

zw_status zw_sim_resume_world(zw_sim_variant_state *world, const zw_resume *resume, bool *on,
                              zw_error *err) {
    const zw_system *s = world->sys;
    const zw_model_options *change = resume->change;
    zw_names set, were_on, were_off;
    ZW_TRY(zw_names_split(s->ctx, zw_table_get_note(resume->result, "set by events"), ',', 0, &set,
                          err));
    ZW_TRY(zw_names_split(s->ctx, zw_table_get_note(resume->result, "on"), ',', 0, &were_on, err));
    ZW_TRY(
        zw_names_split(s->ctx, zw_table_get_note(resume->result, "off"), ',', 0, &were_off, err));
    for (int i = 0; i < s->np; i++) {
        char key[160], end[160];
        snprintf(key, sizeof key, "param %.120s", s->param[i].name);
        snprintf(end, sizeof end, ZW_SIM_PARAM_AT_END, s->param[i].name);
        const char *value = zw_table_get_note(resume->result, end);
        value = value ? value : zw_table_get_note(resume->result, key);
        if (!value || !has_name(&set, s->param[i].name) || is_changed(change, s->param[i].name))
            continue;
        world->p[i] = strtod(value, NULL);
        world->given[i] = true;
    }
    for (int i = 0; i < s->nconstraint; i++) {
        const char *name = s->constraint[i].name;
        on[i] = s->constraint[i].on;
        if (has_name(&were_on, name) || has_name(&were_off, name))
            on[i] = has_name(&were_on, name);
        if (change && is_restated(change, name))
            on[i] = s->constraint[i].on;
        if (change && is_named(change->nwith, change->with, name))
            on[i] = true;
        if (change && is_named(change->nwithout, change->without, name))
            on[i] = false;
    }
    ZW_TRY(zw_sim_variant_state_follow(world, err));
    return check_lags(world, resume->result, err);
}

/* "NAME SIDE VALUE PHASE BAND LEVEL" of an event of the system; false if it is none */
static bool read_armed(const char *item, const char *name, zw_event_side *s) {
    size_t n = strlen(name);
    char *rest;
    if (strncmp(item, name, n) != 0 || item[n] != ' ' || !item[n + 1])
        return false;
    s->side = item[n + 1] == '+' ? 1 : item[n + 1] == '-' ? -1 : 0;
    s->value = strtod(item + n + 2, &rest);
    s->phase = ZW_EVENT_FREE;
    rest += strspn(rest, " ");
    size_t length = strcspn(rest, " ");
    s->fired = strncmp(rest, "fired", length) == 0 && length > 0;
    for (zw_event_phase p = ZW_EVENT_FREE; p <= ZW_EVENT_RESTING; p++)
        if (length > 0 && strncmp(rest, zw_sim_phase_text(p), length) == 0)
            s->phase = p;
    s->band = strtod(rest + length, &rest);
    s->level = strtod(rest, NULL);
    return true;
}

/* restores the state of the event functions */
static zw_status resume_armed(zw_sim_stage *stage, const zw_table *t, zw_error *err) {
    const zw_system *s = stage->world->sys;
    zw_event_side *side = stage->sim->side;
    zw_names armed;
    ZW_TRY(zw_names_split(s->ctx, zw_table_get_note(t, "armed"), ',', 0, &armed, err));
    for (int i = 0; i < stage->kernel->nevt; i++) {
        side[i] = (zw_event_side){.phase = ZW_EVENT_UNKNOWN};
        for (int k = 0; k < armed.n && i < s->nevent; k++)
            if (read_armed(armed.item[k], s->event[i].name, &side[i]))
                break;
    }
    zw_run_arm(stage->run, side, false);
    return ZW_OK;
}

zw_status zw_sim_resume_state(zw_sim_stage *stage, const zw_resume *resume, zw_error *err) {
    const zw_equations *eq = &stage->eq;
    const zw_context *ctx = eq->sys->ctx;
    const zw_table *t = resume->result;
    long last = zw_table_rows(t) - 1;
    for (int i = 0; i < eq->nq + eq->nv; i++) {
        const char *name = zw_expr_name(ctx, i < eq->nq ? eq->q[i] : eq->v[i - eq->nq]);
        int column = zw_table_find(t, name);
        if (column < 0) {
            zw_fail(err, ZW_E_FILE, "the result has no column %s, which is needed to continue",
                    name);
            zw_error_hint(err, "it was made by the principle %s",
                          zw_table_get_note(t, "principle"));
            return ZW_E_FILE;
        }
        stage->x[i] = zw_table_at(t, last, column);
    }
    zw_status status = zw_run_start(stage->run, zw_table_at(t, last, 0), stage->x, err);
    if (status < 0)
        zw_sim_explain(eq, stage->run, stage->world->p, err);
    return status < 0 ? status : resume_armed(stage, t, err);
}

static zw_status last_value(const zw_table *t, const char *column, double *value, zw_error *err) {
    int found = zw_table_find(t, column);
    if (found < 0)
        return zw_fail(err, ZW_E_FILE, "the result has no column %s, which is needed to continue",
                       column);
    *value = zw_table_at(t, zw_table_rows(t) - 1, found);
    return ZW_OK;
}

/* works and drift continue from their last values */
static zw_status resume_works(zw_sim *sim, const zw_table *t, zw_error *err) {
    double sum;
    if (!sim->options.energy)
        return ZW_OK;
    ZW_TRY(last_value(t, "drift", &sum, err));
    if (sim->events_work)
        ZW_TRY(last_value(t, "work(events)", &sim->event_work, err));
    sum += sim->event_work;
    for (int i = 0; i < sim->nwork; i++) {
        char name[160];
        snprintf(name, sizeof name, "work(%s)", sim->work_name[i]);
        ZW_TRY(last_value(t, name, &sim->work[i], err));
        sum += sim->work[i];
    }
    ZW_TRY(zw_sim_contacts_resume(sim, t, &sum, err));
    ZW_TRY(zw_sim_standing_resume_works(sim, t, &sum, err));
    sim->energy_start = zw_sim_energy(sim) - sum;
    return ZW_OK;
}

/* the parameters of the first row, which is that of the result */
static zw_status resume_parameters(zw_sim *sim, const zw_table *t, zw_error *err) {
    for (int i = 0; i < zw_table_notes(t); i++) {
        const char *key = zw_table_note_key(t, i);
        if (strncmp(key, "param ", 6) == 0 && zw_table_get_note(sim->rows, key) &&
            zw_table_note(sim->rows, key, zw_table_note_value(t, i)) < 0)
            return zw_out_of_memory(err, "the simulation");
    }
    return ZW_OK;
}

/* The parameters that were set up to the end of the result, and those that this run sets to another
 * value. */
static zw_status resume_set(zw_sim *sim, const zw_table *t, zw_error *err) {
    const zw_sim_variant_state *w = zw_sim_now(sim);
    const char *before = zw_table_get_note(t, ZW_SIM_SET_AT);
    if (before)
        zw_text_put(&sim->set_at, before);
    for (int i = 0; i < w->sys->np; i++) {
        char key[160], end[160];
        snprintf(key, sizeof key, "param %.120s", w->sys->param[i].name);
        snprintf(end, sizeof end, ZW_SIM_PARAM_AT_END, w->sys->param[i].name);
        const char *value = zw_table_get_note(t, end);
        value = value ? value : zw_table_get_note(t, key);
        if (value && strtod(value, NULL) != w->p[i])
            zw_text_printf(&sim->set_at, "%s%.17g %s %.17g", sim->set_at.length ? "\n" : "",
                           sim->options.start, w->sys->param[i].name, w->p[i]);
    }
    return sim->set_at.failed ? zw_out_of_memory(err, "the simulation") : ZW_OK;
}

zw_status zw_sim_resume_record(zw_sim *sim, const zw_resume *resume, zw_error *err) {
    const zw_table *t = resume->result;
    const char *steps = zw_table_get_note(t, "steps");
    const char *calls = zw_table_get_note(t, "evaluations");
    const char *before = zw_table_get_note(t, "restarted");
    const char *method = zw_table_get_note(t, "method");
    char text[512], from[ZW_DECIMAL_MAX];
    ZW_TRY(zw_table_append(sim->rows, t, err));
    ZW_TRY(resume_parameters(sim, t, err));
    ZW_TRY(resume_set(sim, t, err));
    ZW_TRY(resume_works(sim, t, err));
    sim->row_is_current = true;
    zw_run_info now = zw_run_statistics(sim->stage->run);
    sim->total = (zw_run_info){.method = now.method,
                               .steps = steps ? strtol(steps, NULL, 10) : 0,
                               .rhs_calls = calls ? strtol(calls, NULL, 10) : 0,
                               .energy_start = now.energy_start};
    if (method)
        snprintf(sim->methods, sizeof sim->methods, "%s", method);
    zw_decimal(from, sim->options.start);
    snprintf(text, sizeof text, "%s%st = %s s, row %ld", before ? before : "", before ? "; " : "",
             from, zw_table_rows(t));
    if (zw_table_note(sim->rows, "restarted", text) < 0 ||
        zw_table_note(sim->events, "restarted", text) < 0)
        return zw_out_of_memory(err, "the simulation");
    return ZW_OK;
}
