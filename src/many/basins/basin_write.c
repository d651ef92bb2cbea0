/* SPDX-License-Identifier: MIT */
/* Basins as tables. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "basin.h"
#include "many/share_bound.h"
#include "mech/equations/variants.h"
#include "motion/notes.h"
#include "zwang/equations.h"

/* The points in all compared quantities; and in the plane of the two axes, if both are compared: "X
 * Y; X Y". */
static void put_points(zw_text *t, const zw_basin *b, const zw_basin_attractor *a) {
    for (int k = 0; k < a->npoint && k < 512; k++)
        for (int q = 0; q < b->ny; q++)
            zw_text_printf(t, "%s%s = %.12g",
                           q   ? ", "
                           : k ? "\n"
                               : "",
                           b->quantity[q].name,
                           zw_basin_shown_value(b, q, a->point[k * b->ny + q]));
}

static void put_places(zw_text *t, const zw_basin *b, const zw_basin_attractor *a) {
    int at[2] = {-1, -1};
    for (int i = 0; i < 2 && b->naxis == 2; i++)
        for (int q = 0; q < b->ny; q++)
            if (b->axis[i].state >= 0 && b->quantity[q].state == b->axis[i].state)
                at[i] = q;
    for (int k = 0; k < a->npoint && k < 64 && at[0] >= 0 && at[1] >= 0; k++)
        zw_text_printf(t, "%s%.9g %.9g", k ? "; " : "",
                       zw_basin_shown_value(b, at[0], a->point[k * b->ny + at[0]]),
                       zw_basin_shown_value(b, at[1], a->point[k * b->ny + at[1]]));
}

static zw_status take_note(zw_table *t, const char *key, zw_text *text) {
    zw_status status = text->failed   ? ZW_E_MEMORY
                       : text->length ? zw_table_note(t, key, zw_text_get(text))
                                      : ZW_OK;
    zw_text_clear(text);
    return status;
}

static const char *trial_words(zw_basin_trial kind) {
    switch (kind) {
    case ZW_BASIN_STABLE:
        return ", stable";
    case ZW_BASIN_UNSTABLE:
        return ", unstable";
    case ZW_BASIN_UNTRIED:
        break;
    }
    return "";
}

static zw_status note_attractor(const zw_basin *b, int i, zw_table *t) {
    const zw_basin_attractor *a = &b->found[i].is;
    char key[48], words[160];
    zw_text text;
    zw_text_init(&text, NULL);
    zw_basin_describe(b, a, words, sizeof words);
    zw_text_printf(&text, "%s%s, share %.4g", words, trial_words(a->trial), a->share);
    snprintf(key, sizeof key, "attractor %d", i + 1);
    ZW_TRY(take_note(t, key, &text));
    if (b->by_kind)
        return ZW_OK;
    zw_text_init(&text, NULL);
    put_places(&text, b, a);
    snprintf(key, sizeof key, "attractor %d at", i + 1);
    ZW_TRY(take_note(t, key, &text));
    zw_text_init(&text, NULL);
    put_points(&text, b, a);
    snprintf(key, sizeof key, "attractor %d points", i + 1);
    ZW_TRY(take_note(t, key, &text));
    zw_text_init(&text, NULL);
    zw_text_printf(
        &text, "share %.9g +- %.2g, period %d, time %.9g s, reach %.4g, exponent %.6g +- %.2g 1/s",
        a->share, a->error, a->period, a->time, a->reach, a->exponent, a->exponent_error);
    snprintf(key, sizeof key, "attractor %d numbers", i + 1);
    return take_note(t, key, &text);
}

static zw_status note_attractors(const zw_basin *b, zw_table *t) {
    for (int i = 0; i < b->nfound; i++)
        ZW_TRY(note_attractor(b, i, t));
    return ZW_OK;
}

static zw_status note_study(const zw_basin *b, zw_table *t) {
    zw_text text;
    zw_text_init(&text, NULL);
    for (int i = 0; i < b->naxis; i++)
        zw_text_printf(&text, "%s%s", i ? " " : "", b->axis[i].range.name);
    zw_text_put(&text, " attractor time");
    zw_status status = text.failed ? ZW_E_MEMORY : ZW_OK;
    if (status >= 0 && b->naxis == 2 && !b->options.samples)
        status = zw_table_note(t, "map", zw_text_get(&text));
    zw_text_clear(&text);
    ZW_TRY(status);
    zw_text_init(&text, NULL);
    zw_basin_put_sampling(&text, b);
    zw_text_printf(&text, "cells %.4g, close %.2g, periods up to %d, looks up to %ld, seed %llu",
                   b->options.cell, b->options.close, b->options.period_max, b->options.looks,
                   (unsigned long long)b->options.seed);
    status = text.failed ? ZW_E_MEMORY : zw_table_note(t, "basin", zw_text_get(&text));
    zw_text_clear(&text);
    return status;
}

static zw_status fill_table(const zw_basin *b, zw_table *t) {
    double row[ZW_BASIN_AXES + 3], u[ZW_BASIN_AXES];
    for (int i = 0; i < b->naxis; i++) {
        const zw_parameter_range *r = &b->axis[i].range;
        const char *unit = b->axis[i].state < 0 ? b->sys->param[b->axis[i].parameter].unit
                           : b->axis[i].state < b->sys->nq
                               ? b->sys->coord[b->axis[i].state].unit
                               : b->sys->velocity[b->axis[i].state - b->sys->nq].unit;
        ZW_TRY(zw_table_column(t, r->name, unit));
    }
    ZW_TRY(zw_table_column(t, "attractor", ""));
    ZW_TRY(zw_table_column(t, "time", "s"));
    if (b->computed)
        ZW_TRY(zw_table_column(t, "computed", ""));
    uint64_t followed = 0;
    for (uint64_t k = 0; k < b->n; k++)
        followed += b->label[k] != BASIN_UNSET;
    ZW_TRY(zw_table_reserve(t, (long)followed));
    for (uint64_t k = 0; k < b->n; k++) {
        if (b->label[k] == BASIN_UNSET)
            continue;
        zw_basin_unit_start(b, k, u);
        for (int i = 0; i < b->naxis; i++)
            row[i] = zw_basin_axis_value(&b->axis[i], u[i]);
        row[b->naxis] = zw_basin_label(b, k);
        row[b->naxis + 1] = zw_basin_time(b, k);
        if (b->computed)
            row[b->naxis + 2] = b->computed[k];
        ZW_TRY(zw_table_row(t, row));
    }
    return ZW_OK;
}

zw_status zw_basin_table(const zw_basin *b, const zw_model_source *source, zw_table **out,
                         zw_error *err) {
    assert(out);
    zw_table *t = b->rows ? zw_table_create_like(b->rows) : zw_table_create(NULL);
    const char *principle = b->options.principle ? b->options.principle : "lagrange";
    *out = NULL;
    if (!t)
        return zw_out_of_memory(err, NULL);
    zw_status status = zw_study_origin(t, b->sys, principle, b->p, NULL, source, "basin");
    if (status >= 0)
        status = note_study(b, t);
    if (status >= 0 && b->rows)
        status = zw_table_append(t, b->rows, err);
    else if (status >= 0) {
        status = note_attractors(b, t);
        if (status >= 0)
            status = fill_table(b, t);
    }
    if (status < 0) {
        zw_table_out_of_memory(t, err);
        zw_table_destroy(t);
        return status;
    }
    *out = t;
    return ZW_OK;
}
