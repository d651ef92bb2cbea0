/* SPDX-License-Identifier: MIT */
/* Paths between two places as text, as JSON and as tables. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "paths.h"

enum { DIGITS = 10 };
/* Relative to the size: a run that misses the end by more is reported; unstable paths amplify
 * errors of the mesh. */
#define MISS_REPORTED 1e-5
#define ERROR_REPORTED 100 /* times the tolerance: a larger error of the mesh is reported */
/* Relative to the sizes: a larger residual is reported, far above that of Newton's method. */
#define RESIDUAL_REPORTED 1e-7

/* --------------------------------------------------------------------------------------- people */

static void put_number(zw_text *out, const char *name, double value, const char *unit) {
    zw_text_printf(out, "%s = %.*g%s%s", name, DIGITS, value, unit[0] ? " " : "", unit);
}

static void put_given(zw_text *out, const zw_paths *s, const zw_path_end *end) {
    const char *unit;
    for (int i = 0; i < end->ngiven; i++) {
        const char *name = zw_paths_entry(s, end->entry[i], &unit);
        zw_text_put(out, i ? ", " : "");
        zw_text_printf(out, "%s = %.*g%s%s", name, DIGITS, end->value[i], unit[0] ? " " : "", unit);
    }
}

static void put_start(zw_text *out, const zw_paths *s, const zw_path_found *f) {
    const char *unit;
    bool any = false;
    for (int i = 0; i < s->nx; i++) {
        if (i < s->nq && !s->first.free[i])
            continue;
        const char *name = zw_paths_entry(s, i, &unit);
        zw_text_put(out, any ? ", " : "     starts with ");
        put_number(out, name, f->x[i], unit);
        any = true;
    }
    zw_text_put(out, any ? "\n" : "");
}

static void put_turns(zw_text *out, const zw_paths *s, const zw_path_found *f) {
    const char *unit;
    for (int i = 0; i < s->nq; i++)
        if (f->turns[i] != 0)
            zw_text_printf(out, ", %s %g turn%s further", zw_paths_entry(s, i, &unit), f->turns[i],
                           fabs(f->turns[i]) == 1 ? "" : "s");
}

static void put_kind(zw_text *out, const zw_path_found *f) {
    if (f->kind == ZW_PATH_MINIMUM)
        zw_text_put(out, ": a minimum, without conjugate points");
    else if (f->kind == ZW_PATH_SADDLE)
        zw_text_printf(out, ": no minimum, %d conjugate point%s, the first before %.6g s", f->index,
                       f->index == 1 ? "" : "s", f->conjugate);
    else if (f->kind == ZW_PATH_DEGENERATE)
        zw_text_put(out, ": the end is a conjugate point of the beginning");
}

static void put_momenta(zw_text *out, const zw_paths *s, const zw_path_found *f) {
    zw_text_printf(out, "     energy %.*g J at the beginning, %.*g J at the end\n", DIGITS,
                   f->energy[0], DIGITS, f->energy[1]);
    for (int e = 0; e < 2; e++) {
        zw_text_put(out, e ? "     momenta at the end" : "     momenta at the beginning");
        for (int k = 0; k < s->nv; k++)
            zw_text_printf(out, "%s %s %.*g", k ? "," : "", s->sys->velocity[k].name, DIGITS,
                           f->momentum[e][k]);
        zw_text_put(out, "\n");
    }
}

static void put_found(zw_text *out, const zw_paths *s, int i) {
    const zw_path_found *f = &s->found[i];
    zw_text_printf(out, "  %d  ", i);
    if (s->has_action)
        zw_text_printf(out, "action %.*g J s", DIGITS, f->action);
    else
        zw_text_put(out, "a motion that makes no action stationary");
    put_kind(out, f);
    if (s->is_free)
        zw_text_printf(out, "; time %.*g s", DIGITS, f->time);
    put_turns(out, s, f);
    zw_text_printf(out, "; found %d time%s\n", f->guesses, f->guesses == 1 ? "" : "s");
    put_start(out, s, f);
    put_momenta(out, s, f);
    zw_text_printf(out, "     %d intervals, residual %.1e, error about %.1e of its size; ",
                   f->intervals, f->residual, f->error);
    if (isnan(f->missed))
        zw_text_put(out, "a run from this start fails\n");
    else
        zw_text_printf(out, "a run from this start misses the end by %.1e\n", f->missed);
}

char *zw_paths_text(const zw_paths *s) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(s->sys->ctx);
    zw_text_init(&out, &alloc);
    zw_text_printf(&out, "%s: %d motion%s by %s", s->sys->name, s->nfound,
                   s->nfound == 1 ? "" : "s", s->options.by);
    if (s->is_free)
        zw_text_printf(&out, " at the energy %.*g J\n", DIGITS, s->options.energy);
    else
        zw_text_printf(&out, " in %.*g s\n", DIGITS, s->options.time);
    zw_text_put(&out, "from ");
    put_given(&out, s, &s->first);
    zw_text_put(&out, "\nto   ");
    put_given(&out, s, &s->last);
    zw_text_printf(&out,
                   "\n%d conditions at the beginning and %d at the end, for the %d dimensions of "
                   "admissible states\n",
                   s->first.n, s->last.n, s->dimension);
    for (int i = 0; i < s->nfound; i++)
        put_found(&out, s, i);
    zw_text_printf(&out,
                   "%d of %d guesses led to a motion; a search is no proof that there are no "
                   "others\n",
                   s->led, s->tried);
    return zw_text_take(&out);
}

/* ----------------------------------------------------------------------------------------- JSON */

static void json_list(zw_text *out, const char *key, const double *v, int n) {
    zw_text_printf(out, ", \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json_number(out, v[i]);
    }
    zw_text_put(out, "]");
}

static void json_number(zw_text *out, const char *key, double value) {
    zw_text_printf(out, ", \"%s\": ", key);
    zw_text_json_number(out, value);
}

static const char *kind_word(zw_path_kind kind) {
    switch (kind) {
    case ZW_PATH_NO_ACTION:
        return "no action";
    case ZW_PATH_UNKNOWN:
        return "unknown";
    case ZW_PATH_MINIMUM:
        return "minimum";
    case ZW_PATH_SADDLE:
        return "saddle";
    case ZW_PATH_DEGENERATE:
        return "degenerate";
    }
    return "";
}

static void json_found(zw_text *out, const zw_paths *s, const zw_path_found *f) {
    zw_text_printf(out, "{\"kind\": \"%s\"", kind_word(f->kind));
    json_number(out, "time", f->time);
    json_number(out, "action", s->has_action ? f->action : (double)NAN);
    zw_text_printf(out, ", \"index\": %d", f->index);
    json_number(out, "conjugate", f->conjugate);
    json_number(out, "margin", f->margin);
    json_list(out, "energy", f->energy, 2);
    json_list(out, "turns", f->turns, s->nq);
    json_list(out, "start", f->x, s->nx);
    json_list(out, "end", f->x + (size_t)((f->rows - 1) * s->nx), s->nx);
    json_list(out, "momentum_start", f->momentum[0], s->nv);
    json_list(out, "momentum_end", f->momentum[1], s->nv);
    json_number(out, "residual", f->residual);
    json_number(out, "error", f->error);
    json_number(out, "missed", f->missed);
    zw_text_printf(out, ", \"intervals\": %d, \"guesses\": %d}", f->intervals, f->guesses);
}

char *zw_paths_json(const zw_paths *s) {
    zw_text out;
    const char *unit;
    zw_allocator alloc = zw_context_allocator(s->sys->ctx);
    zw_text_init(&out, &alloc);
    zw_text_put(&out, "{\"model\": ");
    zw_text_json(&out, s->sys->name);
    zw_text_put(&out, ", \"principle\": ");
    zw_text_json(&out, s->options.by);
    zw_text_put(&out, ", \"entries\": [");
    for (int i = 0; i < s->nx; i++) {
        zw_text_put(&out, i ? ", " : "");
        zw_text_json(&out, zw_paths_entry(s, i, &unit));
    }
    zw_text_printf(&out,
                   "], \"dimension\": %d, \"conditions\": [%d, %d], \"guesses\": %d, \"led\": %d, "
                   "\"paths\": [",
                   s->dimension, s->first.n, s->last.n, s->tried, s->led);
    for (int i = 0; i < s->nfound; i++) {
        zw_text_put(&out, i ? ",\n" : "\n");
        json_found(&out, s, &s->found[i]);
    }
    zw_text_put(&out, "\n]}\n");
    return zw_text_take(&out);
}

/* --------------------------------------------------------------------------------------- tables */

zw_status zw_paths_table(zw_paths *s, int i, const zw_model_source *source, zw_table **out,
                         zw_error *err) {
    assert(i >= 0 && i < zw_paths_count(s));
    const zw_path_found *f = &s->found[i];
    return zw_equilibria_motion_table(s->e, s->sys, source, NULL, "path by collocation", f->rows,
                                      f->t, f->x, out, err);
}

/* ------------------------------------------------------------------------------------- warnings */

static void warn_path(const zw_paths *s, int i, zw_warnings *out) {
    const zw_path_found *f = &s->found[i];
    zw_warning d;
    if (!(f->error <= ERROR_REPORTED * s->options.tolerance) ||
        !(f->residual <= RESIDUAL_REPORTED)) {
        d = zw_warning_of("accuracy", NAN,
                          "motion %d is known to %.1e of its size only, with %d intervals", i,
                          fmax(f->error, f->residual), f->intervals);
        zw_warning_hint(&d, "--intervals-max");
        zw_warnings_add(out, &d);
    }
    if (!(f->missed <= MISS_REPORTED)) {
        d = zw_warning_of(
            "run", NAN,
            "a run from the start of motion %d does not arrive where the motion ends: "
            "it misses by %.1e of its size",
            i, f->missed);
        zw_warning_hint(&d, "motions near it grow apart, or the mesh is too coarse: --tolerance");
        zw_warnings_add(out, &d);
    }
    if (f->kind == ZW_PATH_DEGENERATE) {
        d = zw_warning_of(
            "family", NAN,
            "the end of motion %d is a conjugate point of its beginning: it is one of "
            "a family, or neighbouring places have other motions",
            i);
        zw_warnings_add(out, &d);
    }
}

void zw_paths_warnings(const zw_paths *s, zw_warnings *out) {
    for (int i = 0; i < s->nfound; i++)
        warn_path(s, i, out);
}
