/* SPDX-License-Identifier: MIT */
/* Contacts of a kernel. The rows of all contacts are G = d rate/dv. Velocities that the mass matrix
 * or a constraint couples belong to one part: the connected components of the pattern of M and Psi.
 * Of G only the entries of parts that a contact moves are stored, contact by contact and part by
 * part, so that the cost of a step grows with the number of contacts and not with its square. */
#include "contact_rows.h"
#include "base/arena.h"

#include <string.h>

static int rows_of(const zw_contact *c) {
    int n = 1;
    for (int i = 0; i < c->nblock; i++)
        n += c->block[i].nrow;
    return n;
}

/* ---- expressions ---- */

static void count_rows(const zw_equations *eq, zw_touch_list *out) {
    const zw_system *s = eq->sys;
    *out = (zw_touch_list){.ncontact = eq->ncontact};
    for (int i = 0; i < s->ncontact && eq->ncontact > 0; i++)
        if (!s->contact[i].off) {
            out->nrow += rows_of(&s->contact[i]);
            out->nlaw += 1 + ZW_LAW_NUMBERS * s->contact[i].nblock;
        }
}

static void put_law(const zw_rubbing *b, zw_expr *to) {
    *to++ = b->mu;
    for (int i = 0; i < ZW_FRICTION_ROWS_MAX; i++)
        *to++ = b->axis[i];
    *to++ = b->smooth;
    *to++ = b->damping;
    for (int i = 0; i < ZW_FRICTION_ROWS_MAX; i++)
        *to++ = b->pull[i];
    *to = b->restitution;
}

static void put_contact(const zw_contact *c, zw_touch_list *l, int *contact, int *row, int *law) {
    l->gap[(*contact)++] = c->gap;
    l->rate[(*row)++] = c->rate;
    l->law[(*law)++] = c->restitution;
    for (int i = 0; i < c->nblock; i++) {
        for (int k = 0; k < c->block[i].nrow; k++)
            l->rate[(*row)++] = c->block[i].rate[k];
        put_law(&c->block[i], l->law + *law);
        *law += ZW_LAW_NUMBERS;
    }
}

static zw_status allocate_rows(const zw_equations *eq, zw_arena *arena, zw_touch_list *out,
                               zw_error *err) {
    count_rows(eq, out);
    out->gap = ZW_NEW(arena, zw_expr, out->ncontact + 1);
    out->rate = ZW_NEW(arena, zw_expr, out->nrow + 1);
    out->G = ZW_NEW(arena, zw_expr, out->nrow * eq->nv + 1);
    out->law = ZW_NEW(arena, zw_expr, out->nlaw + 1);
    return zw_arena_status(arena, err);
}

zw_status zw_touch_expressions(const zw_equations *eq, zw_arena *arena, zw_touch_list *out,
                               zw_error *err) {
    const zw_system *s = eq->sys;
    int contact = 0, row = 0, law = 0;
    ZW_TRY(allocate_rows(eq, arena, out, err));
    for (int i = 0; i < s->ncontact && out->ncontact > 0; i++)
        if (!s->contact[i].off)
            put_contact(&s->contact[i], out, &contact, &row, &law);
    if (out->ncontact == 0)
        return ZW_OK;
    ZW_TRY(zw_equations_translate(eq, out->nrow, out->rate, err));
    zw_jacobian(s->ctx, out->nrow, out->rate, eq->nv, eq->v, out->G);
    return zw_context_status(s->ctx, err);
}

zw_status zw_touch_rates(const zw_equations *eq, zw_arena *arena, zw_touch_list *out,
                         zw_error *err) {
    const zw_system *s = eq->sys;
    int contact = 0, row = 0, law = 0;
    ZW_TRY(allocate_rows(eq, arena, out, err));
    for (int i = 0; i < s->ncontact && out->ncontact > 0; i++)
        if (!s->contact[i].off)
            put_contact(&s->contact[i], out, &contact, &row, &law);
    for (int i = 0; i < out->nrow; i++)
        out->rate[i] = zw_system_dt(s, out->rate[i]);
    ZW_TRY(zw_equations_translate(eq, out->nrow, out->rate, err));
    for (int i = 0; i < out->nrow; i++)
        for (int k = 0; k < eq->nv; k++)
            out->rate[i] = zw_subst(s->ctx, out->rate[i], 1, &eq->a[k], &(zw_expr){ZW_ZERO});
    return zw_context_status(s->ctx, err);
}

/* ---- parts ---- */

static int root_of(int *up, int i) {
    while (up[i] != i)
        i = up[i] = up[up[i]];
    return i;
}

static void join_sets(int *up, int i, int j) {
    int a = root_of(up, i), b = root_of(up, j);
    up[a > b ? a : b] = a < b ? a : b;
}

/* joins the velocities that a row couples */
static void join_row(int *up, int n, const zw_expr *row) {
    int first = -1;
    for (int j = 0; j < n; j++)
        if (row[j] != ZW_ZERO) {
            if (first >= 0)
                join_sets(up, first, j);
            first = j;
        }
}

/* sets part_of[i] for every velocity, with parts numbered by their first velocity; returns their
 * number */
static int find_parts(const zw_equations *eq, int *up, int *part_of) {
    int nv = eq->nv, n = 0;
    for (int i = 0; i < nv; i++)
        up[i] = i;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++)
            if (eq->M[i * nv + j] != ZW_ZERO)
                join_sets(up, i, j);
    for (int i = 0; i < eq->nvel; i++)
        join_row(up, nv, eq->Psi + i * nv);
    for (int i = 0; i < nv; i++)
        part_of[i] = root_of(up, i) == i ? n++ : part_of[root_of(up, i)];
    return n;
}

static zw_status list_parts(zw_kernel *k, const zw_equations *eq, zw_arena *arena, int *part_of,
                            zw_error *err) {
    int *up = ZW_NEW(arena, int, k->nv + 1), *start = ZW_NEW(arena, int, k->nv + 2),
        *velocity = ZW_NEW(arena, int, k->nv + 1), *psi_part = ZW_NEW(arena, int, eq->nvel + 1),
        at = 0;
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    k->npart = find_parts(eq, up, part_of);
    for (int p = 0; p < k->npart; p++) {
        start[p] = at;
        for (int i = 0; i < k->nv; i++)
            if (part_of[i] == p)
                velocity[at++] = i;
        k->nmass += (at - start[p]) * (at - start[p]);
    }
    start[k->npart] = at;
    for (int r = 0; r < eq->nvel; r++) {
        int first = 0;
        while (first < k->nv - 1 && eq->Psi[r * k->nv + first] == ZW_ZERO)
            first++;
        psi_part[r] = part_of[first];
    }
    k->psi_part = psi_part;
    k->part_start = start;
    k->part_velocity = velocity;
    return ZW_OK;
}

/* ---- contacts ---- */

static zw_contact_form form_of(const zw_contact *c, int row, int number) {
    zw_contact_form f = {.bilateral = c->bilateral,
                         .row = row,
                         .nrow = rows_of(c),
                         .number = number,
                         .nblock = c->nblock};
    for (int i = 0; i < c->nblock; i++) {
        f.kind[i] = c->block[i].kind;
        f.block_rows[i] = c->block[i].nrow;
        f.nu[i] = c->block[i].nu;
    }
    return f;
}

static bool is_moving(const zw_kernel *k, const zw_touch_list *l, const zw_contact_form *f,
                      int part) {
    for (int r = f->row; r < f->row + f->nrow; r++)
        for (int i = k->part_start[part]; i < k->part_start[part + 1]; i++)
            if (l->G[r * k->nv + k->part_velocity[i]] != ZW_ZERO)
                return true;
    return false;
}

static zw_status list_contacts(zw_kernel *k, const zw_equations *eq, zw_arena *arena,
                               const zw_touch_list *l, zw_error *err) {
    const zw_system *s = eq->sys;
    zw_contact_form *form = ZW_NEW(arena, zw_contact_form, l->ncontact + 1);
    zw_contact_reach *touching = ZW_NEW(arena, zw_contact_reach, l->ncontact * k->npart + 1);
    int n = 0, row = 0, number = 0, at = 0;
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < s->ncontact; i++) {
        if (s->contact[i].off)
            continue;
        zw_contact_form *f = &form[n++];
        *f = form_of(&s->contact[i], row, number);
        f->absent = eq->absent[i];
        row += f->nrow;
        number += 1 + ZW_LAW_NUMBERS * f->nblock;
        f->first = at;
        for (int p = 0; p < k->npart; p++)
            if (is_moving(k, l, f, p)) {
                touching[at++] = (zw_contact_reach){p, k->ntouching};
                k->ntouching += f->nrow * (k->part_start[p + 1] - k->part_start[p]);
            }
        f->ntouch = at - f->first;
    }
    k->contact = form;
    k->touching = touching;
    return ZW_OK;
}

static bool depends_on_motion(const zw_equations *eq, int n, const zw_expr *e) {
    zw_context *ctx = eq->sys->ctx;
    for (int i = 0; i < n; i++)
        if (zw_depends(ctx, e[i], eq->sys->t) || zw_depends_any(ctx, e[i], eq->nq, eq->q))
            return true;
    return false;
}

/* does a contact have a velocity if all velocities are 0? */
static bool has_moving_supports(const zw_equations *eq, const zw_touch_list *l,
                                const zw_expr *zero) {
    zw_context *ctx = eq->sys->ctx;
    for (int i = 0; i < l->nrow; i++)
        if (zw_expand(ctx, zw_subst(ctx, l->rate[i], eq->nv, eq->v, zero)) != ZW_ZERO)
            return true;
    return false;
}

/* Are there conditionals and signs in gaps, which may make their values jump? */
static zw_status find_jumps(zw_kernel *k, const zw_equations *eq, const zw_touch_list *l,
                            zw_arena *arena, zw_error *err) {
    zw_expr *var = ZW_NEW(arena, zw_expr, eq->nq + 1);
    int n = 0;
    for (int i = 0; var && i <= eq->nq; i++)
        var[i] = i < eq->nq ? eq->q[i] : eq->sys->t;
    if (var)
        n = zw_find_kinks(eq->sys->ctx, l->ncontact, l->gap, eq->nq + 1, var, 0, NULL);
    zw_kink *kink = ZW_NEW(arena, zw_kink, n + 1);
    if (!var || !kink)
        return zw_out_of_memory(err, NULL);
    zw_find_kinks(eq->sys->ctx, l->ncontact, l->gap, eq->nq + 1, var, n, kink);
    for (int i = 0; i < n; i++)
        k->jumping_gaps |= kink[i].smooth < 0 && kink[i].op != ZW_OP_PRODUCT;
    return zw_context_status(eq->sys->ctx, err);
}

static bool has_plain_rates(const zw_equations *eq) {
    if (eq->nq != eq->nv)
        return false;
    for (int i = 0; i < eq->nq; i++)
        if (eq->qdot[i] != eq->v[i])
            return false;
    return true;
}

zw_status zw_touch_structure(zw_kernel *k, const zw_equations *eq, int unroll_max, zw_arena *arena,
                             zw_error *err) {
    zw_touch_list l;
    k->plain_rates = has_plain_rates(eq);
    if (eq->ncontact == 0)
        return ZW_OK;
    int *part_of = ZW_NEW(arena, int, k->nv + 1);
    zw_expr *zero = ZW_NEW(arena, zw_expr, k->nv + 1);
    if (!part_of || !zero)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < k->nv; i++)
        zero[i] = ZW_ZERO;
    ZW_TRY(zw_touch_expressions(eq, arena, &l, err));
    k->ncontact = l.ncontact;
    k->ntouch = l.nrow;
    k->nlaw = l.nlaw;
    k->law_constant = !depends_on_motion(eq, l.nlaw, l.law);
    k->moving_contacts = has_moving_supports(eq, &l, zero);
    ZW_TRY(find_jumps(k, eq, &l, arena, err));
    k->hits = eq->definite && !eq->canonical && eq->nvel == 0 && eq->nv <= unroll_max &&
              l.nrow <= unroll_max;
    ZW_TRY(list_parts(k, eq, arena, part_of, err));
    return list_contacts(k, eq, arena, &l, err);
}
