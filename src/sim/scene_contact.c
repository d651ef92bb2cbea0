/* SPDX-License-Identifier: MIT */
/* Contacts along a result. With the normal n and the tangents t_i of a contact, all inertial, the
 * force on the supported body is
 *
 *     F = N n + sum_i T_i t_i,  N = lambda(NAME),  T_i = lambda(NAME.i),  (1)
 *
 * with columns of the result. Time steps write all of them, and status(NAME): means since the
 * previous row, as an impact has no force at an instant. Runs from event to event write the same at
 * the instant of the row, and also the impulses of impacts since the previous row, for which (1) is
 * valid too. Equations of motion with a bilateral contact write lambda(NAME) only, its value in the
 * row; friction that is a function of velocities is then computed from the law with that
 * multiplier.
 *
 * Spin and rolling friction are moments and not part of F. */
#include "scene_contact.h"
#include "base/arena.h"

#include <stdio.h>
#include <string.h>

enum { NAMES_MAX = 6 }; /* names of contacts in a sentence */

typedef struct reader {
    zw_rows *rows;
    const zw_system *s;
    zw_context *ctx;
} reader;

/* ---- forces ---- */

static zw_expr contact_column(const reader *r, const char *kind, const char *name,
                              const char *part) {
    char full[256];
    snprintf(full, sizeof full, "%s(%s%s%s)", kind, name, part[0] ? "." : "", part);
    return zw_rows_column(r->rows, full);
}

/* is it a force, and not an impulse like the multipliers of vakonomic motions? */
static bool is_force(const reader *r, zw_expr symbol) {
    int at = zw_table_find(r->rows->result, zw_expr_name(r->ctx, symbol));
    const char *unit = zw_table_unit(r->rows->result, at);
    return !unit[0] || strcmp(unit, "N") == 0;
}

/* "1": first tangent, "2": second tangent; -1: not a slip */
static int tangent_of(const char *part) {
    return strcmp(part, "1") == 0 ? 0 : strcmp(part, "2") == 0 ? 1 : -1;
}

/* friction of a block that is a function of velocities; ZW_NULL: it is none */
static zw_expr law_of(const reader *r, const zw_contact *c, const zw_rubbing *b, int row) {
    for (int i = 0; i < r->s->nforce && !zw_rubbing_is_set_valued(b); i++) {
        const zw_force *f = &r->s->force[i];
        if (f->closed == c->closed + 1 && f->n == b->nrow && f->velocities[row] == b->rate[row])
            return f->values[row];
    }
    return ZW_NULL;
}

static void add_along(zw_context *ctx, zw_expr size, const zw_expr direction[3], zw_expr sum[3]) {
    for (int i = 0; i < 3; i++)
        sum[i] = zw_add(ctx, sum[i], zw_mul(ctx, size, direction[i]));
}

/* (1) for impulses, from the existing columns */
static void read_impulse(const reader *r, const zw_contact *c, zw_expr P[3]) {
    zw_expr N = contact_column(r, "impulse", c->name, "");
    P[0] = P[1] = P[2] = ZW_ZERO;
    if (!N)
        return;
    add_along(r->ctx, N, c->normal, P);
    for (int b = 0; b < c->nblock; b++)
        for (int i = 0; i < c->block[b].nrow; i++) {
            int along = tangent_of(c->block[b].part[i]);
            zw_expr T =
                along < 0 ? ZW_NULL : contact_column(r, "impulse", c->name, c->block[b].part[i]);
            if (T)
                add_along(r->ctx, T, c->tangent[along], P);
        }
}

/* (1); false if the result lacks a part of it */
static bool read_force(const reader *r, const zw_contact *c, bool stepped, zw_expr F[3]) {
    zw_expr N = contact_column(r, "lambda", c->name, "");
    F[0] = F[1] = F[2] = ZW_ZERO;
    if (!N || !is_force(r, N))
        return false;
    add_along(r->ctx, N, c->normal, F);
    for (int b = 0; b < c->nblock; b++)
        for (int i = 0; i < c->block[b].nrow; i++) {
            const char *part = c->block[b].part[i];
            int along = tangent_of(part);
            if (along < 0)
                continue;
            zw_expr T = contact_column(r, "lambda", c->name, part);
            if (!T && !stepped)
                T = law_of(r, c, &c->block[b], i);
            if (!T || zw_rows_unknown(r->rows, 1, &T))
                return false;
            add_along(r->ctx, T, c->tangent[along], F);
        }
    return true;
}

/* ---- states ---- */

static bool resists_slip(const zw_contact *c) {
    for (int b = 0; b < c->nblock; b++)
        for (int i = 0; i < c->block[b].nrow; i++)
            if (tangent_of(c->block[b].part[i]) >= 0)
                return true;
    return false;
}

/* without a status column it is always closed, and it slips if friction is a function of
 * velocities */
static zw_expr state_of(const reader *r, const zw_contact *c, zw_expr status) {
    bool rubs = resists_slip(c);
    if (!status)
        return zw_integer(r->ctx, rubs ? ZW_TOUCH_SLIPS : ZW_TOUCH_CLOSED);
    if (rubs)
        return status;
    return zw_mul(r->ctx, zw_integer(r->ctx, ZW_TOUCH_CLOSED),
                  zw_apply(r->ctx, ZW_OP_SIGN, 1, &status));
}

/* ---- sentences ---- */

typedef struct naming {
    int n;
    char text[400];
} naming;

static void append_name(naming *k, const char *contact) {
    size_t used = strlen(k->text);
    if (k->n++ < NAMES_MAX)
        snprintf(k->text + used, sizeof k->text - used, "%s%.50s", k->n > 1 ? ", " : "", contact);
}

/* "before the contacts a, b and 7 more after" */
static zw_status add_sentence(const reader *r, const naming *k, const char *before,
                              const char *after, zw_touchings *out, zw_error *err) {
    char sentence[640], more[40] = "";
    if (k->n == 0)
        return ZW_OK;
    if (k->n > NAMES_MAX)
        snprintf(more, sizeof more, " and %d more", k->n - NAMES_MAX);
    snprintf(sentence, sizeof sentence, "%s the contact%s %s%s%s", before, k->n > 1 ? "s" : "",
             k->text, more, after);
    const char *kept = zw_context_intern(r->ctx, sentence);
    out->missing[out->nmissing++] = kept;
    return kept ? ZW_OK : zw_out_of_memory(err, "the scene");
}

/* ---- all of them ---- */

/* false if the result does not determine its point or its state */
static bool read_contact(const reader *r, const zw_contact *c, zw_touching *out) {
    zw_expr status = contact_column(r, "status", c->name, ""), place[4];
    memcpy(place, c->point, sizeof c->point);
    place[3] = c->gap;
    if ((!status && !c->bilateral) || zw_rows_unknown(r->rows, 4, place))
        return false;
    *out = (zw_touching){.contact = c, .gap = c->gap, .mean = status != ZW_NULL};
    memcpy(out->at, c->point, sizeof out->at);
    out->state = state_of(r, c, status);
    out->has_force =
        read_force(r, c, out->mean, out->force) && !zw_rows_unknown(r->rows, 3, out->force);
    read_impulse(r, c, out->impulse);
    for (int i = 0; i < 3 && !out->has_force; i++)
        out->force[i] = out->impulse[i] = ZW_ZERO;
    return true;
}

zw_status zw_scene_touchings(zw_rows *rows, zw_touchings *out, zw_error *err) {
    reader r = {rows, rows->s, rows->ctx};
    naming unplaced = {0}, unknown = {0}, forceless = {0};
    *out = (zw_touchings){0};
    out->item = zw_context_alloc(r.ctx, ((size_t)r.s->ncontact + 1) * sizeof *out->item);
    if (!out->item)
        return zw_out_of_memory(err, "the scene");
    for (int i = 0; i < r.s->ncontact; i++) {
        const zw_contact *c = &r.s->contact[i];
        zw_touching *to = &out->item[out->n];
        if (c->off)
            continue;
        if (!c->placed)
            append_name(&unplaced, c->name);
        else if (!read_contact(&r, c, to))
            append_name(&unknown, c->name);
        else if (out->n++, !to->has_force)
            append_name(&forceless, c->name);
    }
    ZW_TRY(zw_context_status(r.ctx, err));
    ZW_TRY(add_sentence(&r, &unplaced, "the model does not say where",
                        unplaced.n > 1 ? " are: at POINT" : " is: at POINT", out, err));
    ZW_TRY(add_sentence(&r, &unknown, "the result does not contain the state of", "", out, err));
    return add_sentence(&r, &forceless, "the result does not have all of the force of", "", out,
                        err);
}
