/* SPDX-License-Identifier: MIT */
/* Event functions for the end of each contact mode: it ends where its function falls through zero.
 *
 *     open                     the gap; 1 if the contact is switched off
 *     closed                   lambda(name), the normal force; with its sign for a bilateral
 *                              contact, whose friction is proportional to |N|
 *     a block that sticks      (mu N)^2 - sum (lambda_i/(axis_i pull_i))^2, the distance to the
 *                              boundary of the cone, squared to be a polynomial; for the set of
 *                              Contensou, the square of its gauge replaces the sum
 *     slides, one velocity     the velocity, with its sign
 *     slides, several          D(u) - rest: their direction has no limit at 0, so the mode ends
 *                              slightly before; for the set of Contensou, D of the ellipsoid
 *                              around it
 *     closed, and slides       most - lambda(name): where friction jams (Painleve), the normal
 *                              force has no limit; if mu of a closed contact depends on the
 *                              motion, the smaller of this and mu
 *     otherwise                1: the mode cannot end by itself
 *
 * Every mode has the same number of functions, so that their indices do not change. */
#include "contact_mode_events.h"

#include <string.h>

static zw_expr normal_event(zw_context *ctx, const zw_contact *c, const zw_contact_mode *stance,
                            zw_expr lambda) {
    bool turns = false;
    if (!stance->closed)
        return c->gap;
    for (int b = 0; b < c->nblock; b++)
        turns |= c->block[b].kind != ZW_FRICTION_LINEAR;
    if (c->bilateral && !turns)
        return ZW_ONE;
    return stance->press < 0 ? zw_neg(ctx, lambda) : lambda;
}

static zw_expr cone_distance(zw_context *ctx, const zw_system *s, const zw_contact *c, int block) {
    const zw_rubbing *b = &c->block[block];
    zw_expr all = zw_mul(ctx, b->mu, s->constraint[c->closed].lambda);
    zw_expr square[ZW_FRICTION_ROWS_MAX], sum = ZW_ZERO;
    for (int i = 0; i < b->nrow; i++) {
        zw_expr axis = zw_mul(ctx, b->axis[i], b->pull[i]);
        zw_expr part = zw_div(ctx, s->constraint[c->stuck[block] + i].lambda, axis);
        square[i] = zw_mul(ctx, part, part);
        sum = zw_add(ctx, sum, square[i]);
    }
    if (b->kind == ZW_FRICTION_CONTENSOU)
        sum = zw_mech_patch(ctx, b, ZW_PATCH_GAUGE, zw_add(ctx, square[0], square[1]), square[2]);
    return zw_sub(ctx, zw_mul(ctx, all, all), sum);
}

static zw_expr slip_event(zw_context *ctx, const zw_rubbing *b, int slide, double rest) {
    zw_expr scaled[ZW_FRICTION_ROWS_MAX];
    if (b->nrow == 1)
        return slide < 0 ? zw_neg(ctx, b->rate[0]) : b->rate[0];
    for (int i = 0; i < b->nrow; i++)
        scaled[i] = zw_mul(ctx, b->axis[i], b->rate[i]);
    if (b->kind == ZW_FRICTION_CONTENSOU)
        scaled[2] = zw_mul(ctx, zw_real(ctx, zw_contensou_tip(b->nu)), scaled[2]);
    zw_expr size = zw_sqrt(ctx, zw_dot(ctx, b->nrow, scaled, scaled));
    return zw_sub(ctx, size, zw_real(ctx, rest));
}

static zw_expr block_event(zw_context *ctx, const zw_system *s, const zw_contact *c, int block,
                           const zw_contact_mode *stance, double rest) {
    const zw_rubbing *b = &c->block[block];
    if (!stance->closed || !zw_rubbing_is_set_valued(b) || stance->slide[block] == ZW_CARRIED)
        return ZW_ONE;
    return stance->slide[block] == ZW_STICKS ? cone_distance(ctx, s, c, block)
                                             : slip_event(ctx, b, stance->slide[block], rest);
}

static zw_expr jam_event(const zw_system *s, const zw_contact *c, const zw_contact_mode *stance,
                         zw_expr lambda, double most) {
    zw_context *ctx = s->ctx;
    bool slides = false;
    zw_expr limit = zw_real(ctx, most), watch = ZW_ONE;
    for (int b = 0; b < c->nblock && stance->closed; b++)
        slides |= c->block[b].kind != ZW_FRICTION_LINEAR && stance->slide[b] != ZW_STICKS &&
                  stance->slide[b] != ZW_CARRIED;
    if (slides && most > 0)
        watch = stance->press < 0 ? zw_add(ctx, limit, lambda) : zw_sub(ctx, limit, lambda);
    for (int b = 0; b < c->nblock && stance->closed; b++)
        if (c->block[b].kind != ZW_FRICTION_LINEAR && zw_system_moves(s, c->block[b].mu))
            watch = zw_apply(ctx, ZW_OP_MIN, 2, (zw_expr[]){watch, c->block[b].mu});
    return watch;
}

zw_status zw_contact_mode_events(zw_equations *out, const zw_system *s, const zw_active *active,
                                 zw_error *err) {
    zw_context *ctx = s->ctx;
    int n = 0;
    for (int i = 0; i < s->ncontact; i++)
        n += s->contact[i].off ? 0 : 2 + s->contact[i].nblock;
    zw_contact_mode *stance = ZW_EQUATIONS_NEW(out, ctx, zw_contact_mode, s->ncontact + 1);
    zw_expr *watch = ZW_EQUATIONS_NEW(out, ctx, zw_expr, n + 1);
    if (!stance || !watch)
        return zw_context_status(ctx, err);
    memcpy(stance, active->stance, sizeof *stance * (size_t)s->ncontact);
    out->stance = stance;
    out->nshare = active->nshare;
    out->share = active->share;
    out->watch = watch;
    for (int i = 0; i < s->ncontact; i++) {
        const zw_contact *c = &s->contact[i];
        if (c->off)
            continue;
        zw_expr lambda = s->constraint[c->closed].lambda;
        watch[out->nwatch++] = out->absent[i] ? ZW_ONE : normal_event(ctx, c, &stance[i], lambda);
        for (int b = 0; b < c->nblock; b++)
            watch[out->nwatch++] = block_event(ctx, s, c, b, &stance[i], active->rest);
        watch[out->nwatch++] = jam_event(s, c, &stance[i], lambda, active->most);
    }
    return zw_context_status(ctx, err);
}
