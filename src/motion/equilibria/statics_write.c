/* SPDX-License-Identifier: MIT */
/* Rest with contact as a report and as a table. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "motion/notes.h"
#include "statics.h"

/* ------------------------------------------------------------------------------- what gives way */

static int count_yielding(const zw_statics *s, const zw_rest *rest, zw_yield yield) {
    int n = 0;
    for (int i = 0; i < s->sys->ncontact; i++)
        n += rest->closed[i] && rest->yields[i] == yield;
    return n;
}

/* Append "contact a", or "contacts a and b". */
static void add_names(const zw_statics *s, const zw_rest *rest, zw_yield yield, char *out,
                      size_t size) {
    int n = count_yielding(s, rest, yield), count = 0;
    snprintf(out + strlen(out), size - strlen(out), n == 1 ? "contact" : "contacts");
    for (int i = 0; i < s->sys->ncontact; i++) {
        if (!rest->closed[i] || rest->yields[i] != yield || strlen(out) + 60 > size)
            continue;
        const char *before = count == 0 ? " " : count == n - 1 ? " and " : ", ";
        snprintf(out + strlen(out), size - strlen(out), "%s%.40s", before, s->sys->contact[i].name);
        count++;
    }
}

static void append_text(char *out, size_t size, const char *text) {
    snprintf(out + strlen(out), size - strlen(out), "%s", text);
}

void zw_statics_why(const zw_statics *s, const zw_rest *rest, char *out, size_t size) {
    static const struct {
        zw_yield yield;
        const char *one, *several;
    } kinds[] = {{ZW_YIELD_OPENS, " opens", " open"},
                 {ZW_YIELD_OVERLAPS, " would overlap", " would overlap"},
                 {ZW_YIELD_LIFTS, " lifts", " lift"},
                 {ZW_YIELD_SLIPS, " begins to slip", " begin to slip"},
                 {ZW_YIELD_PIVOTS, " begins to pivot", " begin to pivot"},
                 {ZW_YIELD_ROLLS, " begins to roll", " begin to roll"}};
    out[0] = '\0';
    if (rest->unbalanced >= 0) {
        snprintf(out, size, "nothing balances the forces on %s",
                 s->sys->velocity[rest->unbalanced].name);
        return;
    }
    if (count_yielding(s, rest, ZW_YIELD_LIFTS) && count_yielding(s, rest, ZW_YIELD_HOLDS)) {
        append_text(out, size, "it tips over ");
        add_names(s, rest, ZW_YIELD_HOLDS, out, size);
        append_text(out, size, ": ");
    }
    bool first = true;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int n = count_yielding(s, rest, kinds[i].yield);
        if (n == 0)
            continue;
        if (!first)
            append_text(out, size, ", ");
        first = false;
        add_names(s, rest, kinds[i].yield, out, size);
        append_text(out, size, n == 1 ? kinds[i].one : kinds[i].several);
    }
}

/* --------------------------------------------------------------------------------------- report */

static const char *force_unit(const zw_statics *s, bool angular) {
    return s->sys->no_units ? "" : angular ? "N*m" : "N";
}

static const char *yield_word(zw_yield kind) {
    switch (kind) {
    case ZW_YIELD_HOLDS:
        return "holds";
    case ZW_YIELD_SLIPS:
        return "slips";
    case ZW_YIELD_PIVOTS:
        return "pivots";
    case ZW_YIELD_ROLLS:
        return "rolls";
    case ZW_YIELD_LIFTS:
        return "lifts";
    case ZW_YIELD_OPENS:
        return "opens";
    case ZW_YIELD_OVERLAPS:
        return "overlaps";
    }
    return "";
}

static void report_contact(const zw_statics *s, int i, zw_report *out) {
    const zw_contact *c = &s->sys->contact[i];
    const double *force = s->start.force + (size_t)(i * ZW_CONTACT_ROWS_MAX);
    zw_shown normal = {.unit = force_unit(s, c->angular)}, along = {.unit = force_unit(s, false)};
    zw_report_open(out, NULL);
    zw_report_word(out, "name", c->name);
    zw_report_word(out, "gives_way", yield_word(s->start.yields[i]));
    zw_report_number(out, "normal", *force++, &normal);
    zw_report_say(out, "  {name:-16} {normal}");
    zw_report_list(out, "friction");
    for (int b = 0; b < c->nblock; b++)
        for (int k = 0; k < c->block[b].nrow; k++) {
            zw_report_open(out, NULL);
            zw_report_word(out, "direction", c->block[b].part[k]);
            zw_report_number(out, "force", *force++, &along);
            zw_report_say(out, ", {direction} {force}");
            zw_report_close(out);
        }
    zw_report_close(out);
    zw_report_say(out, "\n");
    zw_report_close(out);
}

/* The forces are one set that balances; where it does not rest, some of them are impossible, and no
 * sentence shows them. */
static void report_contacts(const zw_statics *s, zw_report *out) {
    zw_report_mute(out, !s->start.rest.rests);
    zw_report_list(out, "contacts");
    for (int i = 0; i < s->sys->ncontact; i++)
        if (s->start.closed[i])
            report_contact(s, i, out);
    zw_report_close(out);
    zw_report_mute(out, false);
}

static bool has_friction(const zw_statics *s) {
    for (int i = 0; i < s->sys->ncontact; i++)
        if (s->start.closed[i] && s->sys->contact[i].nblock > 0)
            return true;
    return false;
}

static void say_friction(const zw_statics *s, zw_report *out) {
    const zw_rest *r = &s->start.rest;
    if (!r->rests)
        zw_report_say(out, "{friction_factor?  it would need {friction_factor} times the "
                           "friction\n}{friction_factor!  it would slip with any friction\n}");
    else if (!has_friction(s) || (r->factor == 0 && !r->hyperstatic))
        return;
    else if (r->factor == 0)
        zw_report_say(out, "  it would rest even with a millionth of this friction\n");
    else
        zw_report_say(out, "  it remains at rest down to {friction_factor} times the friction; "
                           "with less, {gives_way}\n");
}

static void report_start(const zw_statics *s, zw_report *out) {
    const zw_rest *r = &s->start.rest;
    char why[256];
    zw_statics_why(s, r, why, sizeof why);
    zw_report_open(out, "start");
    zw_report_flag(out, "rests", r->rests);
    zw_report_word(out, "gives_way", why);
    zw_report_number(out, "friction_factor", r->factor, NULL);
    zw_report_number(out, "reserve", r->spare,
                     &(zw_shown){.unit = force_unit(s, false), .error = r->spare_error});
    zw_report_count(out, "hyperstatic", r->hyperstatic);
    zw_report_word(out, "unbalanced",
                   r->unbalanced < 0 ? NULL : s->sys->velocity[r->unbalanced].name);
    zw_report_say(out, "{model}: {rests?rests at the start\n}"
                       "{rests!does not rest at the start: {gives_way}\n}");
    report_contacts(s, out);
    if (r->rests)
        zw_report_say(out, "{hyperstatic?  statically indeterminate: equilibrium does not "
                           "determine {hyperstatic} of these forces; this is one possible set\n}");
    say_friction(s, out);
    zw_report_close(out);
}

static const char *range_unit(const zw_statics *s) {
    return s->coordinate >= 0 ? s->sys->coord[s->coordinate].unit
                              : s->sys->param[s->over.parameter].unit;
}

/* A value of the range, with all its digits. */
static zw_shown shown_value(const zw_statics *s, double error) {
    return (zw_shown){.unit = s->over.unit,
                      .scale = s->over.factor,
                      .si_unit = range_unit(s),
                      .error = error,
                      .digits = 15,
                      .with_error = true};
}

static void report_interval(const zw_statics *s, const zw_rest_interval *i, zw_report *out) {
    zw_shown low = shown_value(s, i->low.error), high = shown_value(s, i->high.error);
    zw_report_open(out, NULL);
    zw_report_number(out, "low", i->low.value, &low);
    zw_report_flag(out, "low_is_end_of_range", i->low.limit);
    zw_report_word(out, "low_gives_way", i->low.why);
    zw_report_number(out, "high", i->high.value, &high);
    zw_report_flag(out, "high_is_end_of_range", i->high.limit);
    zw_report_word(out, "high_gives_way", i->high.why);
    zw_report_say(out, "rests for {over} ");
    if (i->low.limit && i->high.limit)
        zw_report_say(out, "in the whole range, {low} to {high}\n");
    else if (i->low.limit)
        zw_report_say(out, "below {high}: {high_gives_way}\n");
    else if (i->high.limit)
        zw_report_say(out, "above {low}: {low_gives_way}\n");
    else
        zw_report_say(out, "between\n  {low}: {low_gives_way}\n  and {high}: {high_gives_way}\n");
    zw_report_close(out);
}

static void report_range(const zw_statics *s, zw_report *out) {
    zw_shown value = shown_value(s, 0);
    zw_report_word(out, "over", s->over.name);
    zw_report_number(out, "from", fmin(s->over.from, s->over.to), &value);
    zw_report_number(out, "to", fmax(s->over.from, s->over.to), &value);
    zw_report_count(out, "value_count", s->nrow);
    zw_report_flag(out, "complete", !s->stopped);
    zw_report_list(out, "intervals");
    for (int i = 0; i < s->n; i++)
        report_interval(s, &s->interval[i], out);
    zw_report_close(out);
    if (s->stopped)
        zw_report_say(out, "stopped after {value_count|value|values} of {over}: intervals of rest "
                           "may be missing\n");
    else if (s->n == 0)
        zw_report_say(out, "rests for none of {value_count} values of {over} from {from} to "
                           "{to}\n");
}

void zw_statics_report(const zw_statics *s, zw_report *out) {
    report_start(s, out);
    if (s->closed_run)
        report_range(s, out);
}

/* ---------------------------------------------------------------------------------------- table */

void zw_statics_forces(const zw_statics *s, const double *force, double *out) {
    for (int i = 0; i < s->sys->ncontact; i++) {
        const zw_contact *c = &s->sys->contact[i];
        const double *from = force + (size_t)(i * ZW_CONTACT_ROWS_MAX);
        if (c->off)
            continue;
        *out++ = *from++;
        for (int b = 0; b < c->nblock; b++)
            for (int k = 0; k < c->block[b].nrow; k++)
                *out++ = *from++;
    }
}

/* Forces are called as in the results of runs: lambda(floor), lambda(floor.1). */
static zw_status force_columns(const zw_statics *s, zw_table *t) {
    for (int i = 0; i < s->sys->ncontact; i++) {
        const zw_contact *c = &s->sys->contact[i];
        char name[256];
        if (c->off)
            continue;
        snprintf(name, sizeof name, "lambda(%.200s)", c->name);
        ZW_TRY(zw_table_column(t, name, force_unit(s, c->angular)));
        for (int b = 0; b < c->nblock; b++)
            for (int k = 0; k < c->block[b].nrow; k++) {
                snprintf(name, sizeof name, "lambda(%.120s.%.100s)", c->name, c->block[b].part[k]);
                ZW_TRY(zw_table_column(t, name, force_unit(s, false)));
            }
    }
    return ZW_OK;
}

static zw_status fill_table(const zw_statics *s, zw_table *t, double *cells) {
    enum { FIRST = 4 };
    const zw_rest *start = &s->start.rest;
    const zw_statics_row one = {.value = start->factor,
                                .spare = start->spare,
                                .hyperstatic = start->hyperstatic,
                                .rests = start->rests};
    int n = s->closed_run ? s->nrow : 1;
    ZW_TRY(s->closed_run ? zw_table_column(t, s->over.name, range_unit(s))
                         : zw_table_column(t, "friction_factor", ""));
    ZW_TRY(zw_table_column(t, "reserve", force_unit(s, false)));
    ZW_TRY(zw_table_column(t, "rests", ""));
    ZW_TRY(zw_table_column(t, "hyperstatic", ""));
    ZW_TRY(force_columns(s, t));
    for (int i = 0; i < n; i++) {
        const zw_statics_row *r = s->closed_run ? &s->row[i] : &one;
        cells[0] = r->value;
        cells[1] = isfinite(r->spare) ? r->spare : NAN;
        cells[2] = r->rests;
        cells[3] = r->hyperstatic;
        if (s->closed_run)
            memcpy(cells + FIRST, r->force, sizeof(double) * (size_t)s->nforce);
        else
            zw_statics_forces(s, start->force, cells + FIRST);
        for (int k = 0; k < s->nforce && !r->rests; k++)
            cells[FIRST + k] = NAN;
        ZW_TRY(zw_table_row(t, cells));
    }
    return ZW_OK;
}

zw_status zw_statics_table(const zw_statics *s, const zw_model_source *source, zw_table **out,
                           zw_error *err) {
    assert(out);
    zw_allocator alloc = zw_context_allocator(s->sys->ctx);
    zw_table *t = zw_table_create(&alloc);
    size_t size = sizeof(double) * (size_t)(s->nforce + 4);
    double *cells = zw_allocate(&alloc, size);
    zw_status status = t && cells ? ZW_OK : ZW_E_MEMORY;
    *out = NULL;
    if (status >= 0)
        status = fill_table(s, t, cells);
    if (status >= 0)
        status = zw_study_origin(t, s->sys, "lagrange", s->p, NULL, source,
                                 s->closed_run ? "rest over a range" : "rest");
    if (cells)
        zw_release(&alloc, cells, size);
    if (status < 0) {
        zw_table_destroy(t);
        return zw_out_of_memory(err, NULL);
    }
    *out = t;
    return ZW_OK;
}
