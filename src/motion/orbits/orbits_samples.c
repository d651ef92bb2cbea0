/* SPDX-License-Identifier: MIT */
/* Orbits of a file as tables for pictures and pages: states along the period, and multipliers. Both
 * begin with the number of the orbit, which is its row in the branch, and the parameter. Instants
 * follow the mesh of the orbit, so that they are dense where it is fast. Of many orbits some are
 * chosen, evenly along the branch, and those with a label first. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "orbits.h"

/* ---- which ---- */

/* chooses `most` of the n orbits, the ends among them */
static void choose_orbits(const zw_orbits_file *f, int most, int always, bool *chosen) {
    int named = 0, n = f->n;
    for (int i = 0; i < n && n > most; i++)
        named += f->orbit[i].label[0] != '\0';
    bool with_names = named + 2 <= most;
    int even = n <= most ? n : with_names ? most - named : most;
    for (int k = 0; k < even; k++)
        chosen[even > 1 ? (int)((double)k * (n - 1) / (even - 1) + 0.5) : 0] = true;
    for (int i = 0; i < n && with_names; i++)
        chosen[i] = chosen[i] || f->orbit[i].label[0];
    if (most == 1 && always >= 0)
        memset(chosen, 0, sizeof *chosen * (size_t)n);
    if (always >= 0 && always < n)
        chosen[always] = true;
}

/* ---- columns ---- */

/* the names of f->state, one after the other; false after the last one */
static bool next_name(const char **at, char *out, size_t size) {
    *at += strspn(*at, ", ");
    size_t n = strcspn(*at, ",");
    if (n == 0 || n >= size)
        return false;
    memcpy(out, *at, n);
    out[n] = '\0';
    *at += n;
    return true;
}

static const char *unit_of(const zw_system *s, const char *name) {
    for (int i = 0; i < s->nq; i++)
        if (strcmp(s->coord[i].name, name) == 0)
            return s->coord[i].unit;
    for (int i = 0; i < s->nv; i++)
        if (strcmp(zw_expr_name(s->ctx, s->velocity[i].sym), name) == 0)
            return s->velocity[i].unit;
    return "";
}

static zw_status begin_table(zw_table **out, const zw_orbits_file *f, const zw_allocator *alloc) {
    char factor[40];
    *out = zw_table_create(alloc);
    if (!*out)
        return ZW_E_MEMORY;
    snprintf(factor, sizeof factor, "%.17g", f->factor);
    ZW_TRY(zw_table_note(*out, "kind", "orbits"));
    ZW_TRY(zw_table_note(*out, "factor", factor)); /* from the printed parameter to SI */
    ZW_TRY(zw_table_column(*out, "orbit", ""));
    return zw_table_column(*out, f->parameter, f->unit);
}

/* the number of instants: every interval of the mesh is resolved, up to a limit */
static int instants_of(const zw_orbit_motion *m, int points) {
    int wanted = 2 * m->intervals;
    return wanted < points ? points : wanted > 4 * points ? 4 * points : wanted;
}

/* instant k of n along the mesh */
static double mesh_instant(const zw_orbit_motion *m, int k, int n) {
    double s = (double)k * m->intervals / n;
    int j = s < m->intervals ? (int)s : m->intervals - 1;
    double low = m->mesh[j], high = m->mesh[j + 1], first = m->mesh[0],
           whole = m->mesh[m->intervals] - first;
    return k == n ? 1 : (low + (s - j) * (high - low) - first) / whole;
}

static zw_status fill_motions(zw_table *t, const zw_orbits_file *f, const zw_system *sys,
                              const bool *chosen, int points, double *row) {
    enum { FIRST = 5 };
    char name[200];
    int width = FIRST;
    ZW_TRY(zw_table_column(t, "t", "s"));
    ZW_TRY(zw_table_column(t, "phase", ""));
    ZW_TRY(zw_table_column(t, "stable", ""));
    for (const char *at = f->state; next_name(&at, name, sizeof name); width++)
        ZW_TRY(zw_table_column(t, name, unit_of(sys, name)));
    if (width != FIRST + f->nx)
        return ZW_E_FILE;
    for (int i = 0; i < f->n; i++) {
        const zw_orbits_stored *o = &f->orbit[i];
        int n = instants_of(&o->motion, points);
        for (int k = 0; chosen[i] && k <= n; k++) {
            double tau = mesh_instant(&o->motion, k, n);
            row[0] = (double)o->row;
            row[1] = o->shown;
            row[2] = tau * o->motion.period;
            row[3] = tau;
            row[4] = o->motion.verdict == ZW_FLOQUET_UNSTABLE ? 0
                     : o->motion.verdict == ZW_FLOQUET_STABLE ? 1
                                                              : (double)NAN;
            zw_orbits_file_state(f, i, tau, row + FIRST);
            ZW_TRY(zw_table_row(t, row));
        }
    }
    return ZW_OK;
}

zw_status zw_orbits_file_motions(zw_table **out, const zw_orbits_file *f, const zw_system *sys,
                                 int most, int points, int always, zw_error *err) {
    assert(out && sys);
    zw_arena arena;
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    *out = NULL;
    if (most < 1 || points < 1)
        return zw_fail(err, ZW_E_OPTION, "%d orbits of %d points are none", most, points);
    zw_arena_init(&arena, &alloc);
    bool *chosen = ZW_NEW(&arena, bool, f->n + 1);
    double *row = ZW_NEW(&arena, double, f->nx + 8);
    zw_status status = arena.failed ? ZW_E_MEMORY : begin_table(out, f, &alloc);
    if (status >= 0) {
        choose_orbits(f, most, always, chosen);
        status = fill_motions(*out, f, sys, chosen, points, row);
    }
    zw_arena_clear(&arena);
    if (status >= 0)
        return ZW_OK;
    zw_table_destroy(*out);
    *out = NULL;
    return status == ZW_E_FILE
               ? zw_fail(err, ZW_E_FILE, "the state of the orbits, '%.80s', has not %d entries",
                         f->state, f->nx)
               : zw_out_of_memory(err, "the motions of the orbits");
}

static zw_status fill_multipliers(zw_table *t, const zw_orbits_file *f) {
    ZW_TRY(zw_table_column(t, "re(mu)", ""));
    ZW_TRY(zw_table_column(t, "im(mu)", ""));
    for (int i = 0; i < f->n; i++)
        for (int k = 0; k < f->orbit[i].motion.nmultiplier; k++) {
            const zw_orbits_stored *o = &f->orbit[i];
            ZW_TRY(zw_table_row(
                t, (double[]){(double)o->row, o->shown, o->motion.re[k], o->motion.im[k]}));
        }
    return ZW_OK;
}

zw_status zw_orbits_file_multipliers(zw_table **out, const zw_orbits_file *f,
                                     const zw_allocator *alloc, zw_error *err) {
    assert(out);
    zw_status status = begin_table(out, f, alloc);
    if (status >= 0)
        status = fill_multipliers(*out, f);
    if (status >= 0)
        return ZW_OK;
    zw_table_destroy(*out);
    *out = NULL;
    return zw_out_of_memory(err, "the motions of the orbits");
}
