/* SPDX-License-Identifier: MIT */
/* Rest with contact as text and as JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
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
        snprintf(out, size, "nothing holds %s", s->sys->velocity[rest->unbalanced].name);
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

/* ---------------------------------------------------------------------------------------- words */

static void put_value(const zw_statics *s, zw_text *out, double value) {
    const zw_parameter_range *o = &s->over;
    zw_text_number(out, value / o->factor);
    if (o->unit[0])
        zw_text_printf(out, " %s", o->unit);
    if (o->factor == 1)
        return;
    zw_text_put(out, " (");
    zw_text_number(out, value);
    zw_text_put(out, strcmp(o->unit, "deg") == 0 ? " rad)" : " in SI units)");
}

static void put_why(const zw_statics *s, zw_text *out, const zw_rest_end *end) {
    if (!end->limit)
        zw_text_printf(out, ": %s", end->why);
    if (end->doubt > 0)
        zw_text_printf(out, " (within %.1g%s%s)", end->doubt / s->over.factor,
                       s->over.unit[0] ? " " : "", s->over.unit);
    zw_text_put(out, "\n");
}

static void put_interval(const zw_statics *s, zw_text *out, const zw_rest_interval *i) {
    zw_text_printf(out, "rests for %s ", s->over.name);
    if (i->low.limit && i->high.limit) {
        zw_text_put(out, "in the whole range, ");
        put_value(s, out, i->low.value);
        zw_text_put(out, " to ");
        put_value(s, out, i->high.value);
        zw_text_put(out, "\n");
    } else if (i->low.limit || i->high.limit) {
        const zw_rest_end *end = i->low.limit ? &i->high : &i->low;
        zw_text_put(out, i->low.limit ? "below " : "above ");
        put_value(s, out, end->value);
        put_why(s, out, end);
    } else {
        zw_text_put(out, "between\n");
        for (int k = 0; k < 2; k++) {
            const zw_rest_end *end = k == 0 ? &i->low : &i->high;
            zw_text_put(out, k == 0 ? "  " : "  and ");
            put_value(s, out, end->value);
            put_why(s, out, end);
        }
    }
}

static void put_over(const zw_statics *s, zw_text *out) {
    for (int i = 0; i < s->n; i++)
        put_interval(s, out, &s->interval[i]);
    if (s->n > 0)
        return;
    zw_text_printf(out, "rests for no %s from ", s->over.name);
    put_value(s, out, fmin(s->over.from, s->over.to));
    zw_text_put(out, " to ");
    put_value(s, out, fmax(s->over.from, s->over.to));
    zw_text_put(out, " that was looked at\n");
}

static void put_forces(const zw_statics *s, zw_text *out) {
    const zw_rest *r = &s->start.rest;
    for (int i = 0; i < s->sys->ncontact; i++) {
        const zw_contact *c = &s->sys->contact[i];
        const double *force = r->force + (size_t)(i * ZW_CONTACT_ROWS_MAX);
        if (!r->closed[i])
            continue;
        zw_text_printf(out, "  %-16s %.10g %s", c->name, *force++, c->angular ? "N*m" : "N");
        for (int b = 0; b < c->nblock; b++)
            for (int k = 0; k < c->block[b].nrow; k++)
                zw_text_printf(out, ", %s %.10g N", c->block[b].part[k], *force++);
        zw_text_put(out, "\n");
    }
}

static bool has_friction(const zw_statics *s) {
    for (int i = 0; i < s->sys->ncontact; i++)
        if (s->start.closed[i] && s->sys->contact[i].nblock > 0)
            return true;
    return false;
}

static void put_start(const zw_statics *s, zw_text *out) {
    const zw_rest *r = &s->start.rest;
    char why[256];
    zw_statics_why(s, r, why, sizeof why);
    if (!r->rests) {
        zw_text_printf(out, "does not rest at the start: %s\n", why);
        if (r->factor == INFINITY)
            zw_text_put(out, "  no friction would hold it\n");
        else
            zw_text_printf(out, "  friction would have to be %.10g times as large\n", r->factor);
        return;
    }
    zw_text_printf(out, "rests at the start\n");
    put_forces(s, out);
    if (r->hyperstatic)
        zw_text_printf(out,
                       "  hyperstatic: %d of these forces %s open, and this is one of many sets\n",
                       r->hyperstatic, r->hyperstatic == 1 ? "is" : "are");
    if (!has_friction(s) || (r->factor == 0 && !r->hyperstatic))
        return;
    if (r->factor == 0)
        zw_text_put(out, "  with friction as small as a millionth of this it would rest too\n");
    else
        zw_text_printf(out, "  with %.10g times the friction it would still rest, then: %s\n",
                       r->factor, why);
}

char *zw_statics_text(const zw_statics *s) {
    zw_allocator alloc = zw_context_allocator(s->sys->ctx);
    zw_text out;
    zw_text_init(&out, &alloc);
    zw_text_printf(&out, "%s: ", s->sys->name);
    put_start(s, &out);
    if (s->closed_run)
        put_over(s, &out);
    return zw_text_take(&out);
}

/* ----------------------------------------------------------------------------------------- JSON */

static void put_json_contact(const zw_statics *s, zw_text *out, int i, bool first) {
    static const char *const yields[] = {"holds", "slips", "pivots",  "rolls",
                                         "lifts", "opens", "overlaps"};
    const zw_contact *c = &s->sys->contact[i];
    const zw_rest *r = &s->start.rest;
    int n = 1;
    for (int b = 0; b < c->nblock; b++)
        n += c->block[b].nrow;
    zw_text_put(out, first ? "\n    {\"name\": " : ",\n    {\"name\": ");
    zw_text_json(out, c->name);
    zw_text_printf(out, ", \"gives way\": \"%s\", \"force\": [", yields[r->yields[i]]);
    for (int k = 0; k < n; k++) {
        zw_text_put(out, k ? ", " : "");
        zw_text_json_number(out, r->force[i * ZW_CONTACT_ROWS_MAX + k]);
    }
    zw_text_put(out, "]}");
}

static void put_json_end(zw_text *out, const char *key, const zw_rest_end *end) {
    zw_text_printf(out, "\"%s\": {\"value\": ", key);
    zw_text_json_number(out, end->value);
    zw_text_put(out, ", \"doubt\": ");
    zw_text_json_number(out, end->doubt);
    zw_text_printf(out, ", \"end of range\": %s, \"why\": ", end->limit ? "true" : "false");
    zw_text_json(out, end->why);
    zw_text_put(out, "}");
}

static void put_json_over(const zw_statics *s, zw_text *out) {
    zw_text_put(out, ",\n  \"over\": ");
    zw_text_json(out, s->over.name);
    zw_text_put(out, ", \"rests\": [");
    for (int i = 0; i < s->n; i++) {
        zw_text_put(out, i ? ",\n    {" : "\n    {");
        put_json_end(out, "low", &s->interval[i].low);
        zw_text_put(out, ", ");
        put_json_end(out, "high", &s->interval[i].high);
        zw_text_put(out, "}");
    }
    zw_text_put(out, "]");
}

char *zw_statics_json(const zw_statics *s) {
    zw_allocator alloc = zw_context_allocator(s->sys->ctx);
    const zw_rest *r = &s->start.rest;
    zw_text out;
    zw_text_init(&out, &alloc);
    zw_text_put(&out, "{\n  \"model\": ");
    zw_text_json(&out, s->sys->name);
    zw_text_printf(&out,
                   ",\n  \"start\": {\"rests\": %s, \"factor\": ", r->rests ? "true" : "false");
    zw_text_json_number(&out, r->factor);
    zw_text_put(&out, ", \"spare\": ");
    zw_text_json_number(&out, r->spare);
    zw_text_printf(&out, ", \"hyperstatic\": %d, \"contacts\": [", r->hyperstatic);
    for (int i = 0, n = 0; i < s->sys->ncontact; i++)
        if (r->closed[i])
            put_json_contact(s, &out, i, n++ == 0);
    zw_text_put(&out, "]}");
    if (s->closed_run)
        put_json_over(s, &out);
    zw_text_put(&out, "\n}\n");
    return zw_text_take(&out);
}
