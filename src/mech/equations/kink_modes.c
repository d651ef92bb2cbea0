/* SPDX-License-Identifier: MIT */
/* Equations with modes. Every kink (src/expr/calculus/kink.c) of rates and constraints that can be
 * locked (src/expr/calculus/fixed_pieces.c) gets a mode. Kinks with the same surface (or minus it)
 * share it: abs(x') in a force and sign(x') in its derivative switch together. A table has three
 * modes: the index of its piece, and the bounds of the piece, which make its two switching
 * functions, argument minus bound.
 *
 * Contact modes that follow events (zw_equations.stance) are determined again at each kink of a gap
 * or a slip, even while the contact is open. Gap, gap', slip and their time derivatives are
 * therefore locked too, and their switches are marked as those of contacts.
 *
 * A switching function whose time derivative does not depend on time, state or inputs is a t + b:
 * its zero is known in advance. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/calculus/fixed_pieces.h"
#include "mech/system/build.h"

typedef struct maker {
    const zw_equations *eq;
    zw_context *ctx;
    int nroot, ntouch;
    zw_expr *root; /* all expressions of rates and constraints, then ntouch of contacts */
    int nkink;
    zw_kink *kink;
    zw_lock *lock;   /* nkink */
    int *surface_of; /* nkink: first switch of each kink */
    int nmode, nswitch;
    zw_expr *mode;    /* at most 3 nkink */
    zw_expr *surface; /* at most 2 nkink */
    zw_expr *live;    /* at most 2 nkink */
    zw_switch *sw;    /* at most 2 nkink */
    zw_error *err;
} maker;

static bool can_be_locked(const zw_kink *k) {
    return k->op != ZW_OP_PRODUCT && k->op != ZW_OP_COND;
}

/* ------------------------------------------------------------------------------- what is locked */

typedef struct part {
    int n;
    zw_expr **e;
} part;

enum { ARRAYS = 14 };

/* the arrays of the equations that are locked */
static void list_parts(zw_equations *eq, part out[ARRAYS]) {
    int nq = eq->nq, nv = eq->nv, nc = eq->nc;
    const part all[ARRAYS] = {{nq, &eq->qdot},
                              {nv * nv, &eq->M},
                              {nv, &eq->h},
                              {nv * nc, &eq->C},
                              {nc * nv, &eq->W},
                              {nc, &eq->b},
                              {eq->npos - eq->nleaf, &eq->phi},
                              {eq->nvel, &eq->psi},
                              {nq * nv, &eq->F},
                              {(eq->npos - eq->nleaf) * nv, &eq->Phi},
                              {eq->nvel * nv, &eq->Psi},
                              {eq->metric ? nv * nv : 0, &eq->metric},
                              {eq->nstart_pos * nv, &eq->start_Phi},
                              {eq->nstart_vel * nv, &eq->start_Psi}};
    memcpy(out, all, sizeof all);
}
enum { ARRAYS_OF_MOTION = 8 }; /* the first ARRAYS_OF_MOTION of them determine the motion */
enum { MOST_OF_CONTACT = 3 + 12 * ZW_FRICTION_BLOCKS_MAX * ZW_FRICTION_ROWS_MAX };

static zw_status gather_roots(maker *m, zw_equations *copy, bool rates) {
    part p[ARRAYS];
    int n = MOST_OF_CONTACT * copy->sys->ncontact;
    list_parts(copy, p);
    for (int i = 0; i < ARRAYS; i++)
        n += p[i].n;
    m->root = ZW_SCRATCH_NEW(m->ctx, zw_expr, n + 1);
    if (!m->root)
        return zw_context_status(m->ctx, m->err);
    for (int i = 0; i < ARRAYS_OF_MOTION && rates; i++)
        for (int k = 0; k < p[i].n; k++)
            m->root[m->nroot++] = (*p[i].e)[k];
    return ZW_OK;
}

/* Those of n expressions in t, q, v, u that can be locked: multipliers and accelerations do not
 * occur in rates. */
static zw_status find_kinks(maker *m, int nroot, const zw_expr *root, zw_kink **out, int *count) {
    const zw_equations *eq = m->eq;
    int nvar = 0;
    zw_expr *var = ZW_SCRATCH_NEW(m->ctx, zw_expr, 1 + eq->nq + eq->nv + eq->nu);
    *count = 0;
    if (!var)
        return zw_context_status(m->ctx, m->err);
    var[nvar++] = eq->sys->t;
    for (int i = 0; i < eq->nq; i++)
        var[nvar++] = eq->q[i];
    for (int i = 0; i < eq->nv; i++)
        var[nvar++] = eq->v[i];
    for (int i = 0; i < eq->nu; i++)
        var[nvar++] = eq->u[i];
    int n = zw_find_kinks(m->ctx, nroot, root, nvar, var, 0, NULL);
    zw_kink *kink = *out = n > 0 ? ZW_SCRATCH_NEW(m->ctx, zw_kink, n) : NULL;
    if (n == 0)
        return ZW_OK;
    if (n < 0 || !kink || zw_find_kinks(m->ctx, nroot, root, nvar, var, n, kink) < 0)
        return zw_context_status(m->ctx, m->err);
    for (int i = 0; i < n; i++)
        if (can_be_locked(&kink[i]))
            kink[(*count)++] = kink[i];
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- contacts */

static int put_velocities(const zw_contact *c, zw_expr *to) {
    int n = 0;
    to[n++] = c->rate;
    for (int b = 0; b < c->nblock; b++)
        for (int i = 0; i < c->block[b].nrow; i++)
            to[n++] = c->block[b].rate[i];
    return n;
}

static int put_contact(const zw_contact *c, zw_expr *to) {
    int n = put_velocities(c, to);
    to[n++] = c->gap;
    to[n++] = c->restitution;
    for (int b = 0; b < c->nblock; b++) {
        const zw_rubbing *law = &c->block[b];
        to[n++] = law->mu;
        to[n++] = law->smooth;
        to[n++] = law->damping;
        to[n++] = law->restitution;
        for (int i = 0; i < law->nrow; i++) {
            to[n++] = law->axis[i];
            to[n++] = law->pull[i];
        }
    }
    return n;
}

/* Gaps, velocities and laws, and the derivatives of the velocities: a state in a slip whose rate
 * switches is a belt whose acceleration changes. Adds nothing if these have no kinks. */
static zw_status gather_contacts(maker *m) {
    const zw_system *s = m->eq->sys;
    zw_expr *touch = m->root + m->nroot;
    zw_kink *kink;
    int n = 0, found;
    for (int i = 0; i < s->ncontact; i++)
        n += s->contact[i].off ? 0 : put_contact(&s->contact[i], touch + n);
    for (int i = 0; i < s->ncontact; i++)
        m->ntouch += s->contact[i].off ? 0 : put_velocities(&s->contact[i], touch + n + m->ntouch);
    for (int i = 0; i < m->ntouch; i++)
        touch[n + i] = zw_system_dt(s, touch[n + i]);
    m->ntouch += n;
    ZW_TRY(zw_equations_translate(m->eq, m->ntouch, touch, m->err));
    ZW_TRY(find_kinks(m, m->ntouch, touch, &kink, &found));
    m->ntouch = found > 0 ? m->ntouch : 0;
    return zw_context_status(m->ctx, m->err);
}

static int find_part(const maker *m, zw_expr e) {
    int i = 0;
    while (i < m->nkink && m->kink[i].part != e)
        i++;
    return i;
}

/* marks the switches that belong to contacts */
static zw_status mark_contacts(maker *m) {
    zw_kink *kink;
    int n;
    ZW_TRY(find_kinks(m, m->ntouch, m->root + m->nroot - m->ntouch, &kink, &n));
    for (int i = 0; i < n; i++) {
        int at = find_part(m, kink[i].part);
        zw_switch *s = &m->sw[m->surface_of[at]];
        s[0].of_contact = true;
        if (s->kind == ZW_SWITCH_LOWER)
            s[1].of_contact = true;
    }
    return ZW_OK;
}

static int by_part(const void *a, const void *b) {
    const zw_kink *p = a, *q = b;
    return (p->part > q->part) - (p->part < q->part);
}

/* ------------------------------------------------------------------------------------- modes */

static zw_expr new_mode(maker *m) {
    char name[32];
    snprintf(name, sizeof name, "%%m%d", m->nmode); /* names in models do not begin with % */
    return m->mode[m->nmode++] = zw_symbol(m->ctx, name);
}

static bool is_affine(const maker *m, zw_expr surface) {
    const zw_equations *eq = m->eq;
    zw_expr t = eq->sys->t;
    return zw_depends(m->ctx, surface, t) && !zw_depends_any(m->ctx, surface, eq->nq, eq->q) &&
           !zw_depends_any(m->ctx, surface, eq->nv, eq->v) &&
           !zw_depends_any(m->ctx, surface, eq->nu, eq->u) &&
           !zw_depends(m->ctx, zw_diff(m->ctx, surface, t), t);
}

/* the part as text of limited length, for messages */
static const char *text_of(maker *m, zw_expr e) {
    enum { LONGEST = 80 };
    if (zw_print_length(m->ctx, e) > 2000)
        return "a long expression";
    char *text = zw_print(m->ctx, e, ZW_TEXT);
    if (!text)
        return "";
    char cut[LONGEST + 8];
    snprintf(cut, sizeof cut, "%.*s%s", LONGEST, text, strlen(text) > LONGEST ? " ..." : "");
    zw_string_free(m->ctx, text);
    const char *kept = zw_context_intern(m->ctx, cut);
    return kept ? kept : "";
}

static void add_switch(maker *m, const zw_kink *k, zw_switch_kind kind, int mode, zw_expr surface,
                       const zw_spline *table) {
    m->surface[m->nswitch] = surface;
    m->sw[m->nswitch++] = (zw_switch){.kind = kind,
                                      .mode = mode,
                                      .is_affine = is_affine(m, k->surface),
                                      .is_continuous = true,
                                      .nknot = table ? table->n : 0,
                                      .knot = table ? table->x : NULL,
                                      .text = text_of(m, k->part)};
}

/* an earlier kink with the same surface, or minus it; -1 if none */
static int same_surface(const maker *m, int i, int *sign) {
    const zw_kink *k = &m->kink[i];
    zw_expr minus = zw_neg(m->ctx, k->surface);
    for (int j = 0; j < i; j++) {
        if (m->kink[j].table != k->table)
            continue;
        *sign = m->kink[j].surface == k->surface ? 1 : -1;
        if (*sign > 0 || (k->table < 0 && m->kink[j].surface == minus))
            return j;
    }
    return -1;
}

static void give_mode(maker *m, int i) {
    const zw_kink *k = &m->kink[i];
    int sign = 1, same = same_surface(m, i, &sign);
    if (same >= 0) {
        m->lock[i] = (zw_lock){k->part, m->lock[same].mode, sign * m->lock[same].sign};
        m->surface_of[i] = m->surface_of[same];
    } else {
        m->surface_of[i] = m->nswitch;
        int mode = m->nmode;
        m->lock[i] = (zw_lock){k->part, new_mode(m), 1};
        const zw_spline *table = zw_spline_of(m->ctx, k->table);
        if (table) {
            add_switch(m, k, ZW_SWITCH_LOWER, mode, zw_sub(m->ctx, k->surface, new_mode(m)), table);
            add_switch(m, k, ZW_SWITCH_UPPER, mode, zw_sub(m->ctx, k->surface, new_mode(m)), table);
        } else {
            add_switch(m, k, ZW_SWITCH_SIGN, mode, k->surface, NULL);
        }
    }
    zw_switch *s = &m->sw[m->surface_of[i]];
    if (k->op != ZW_OP_SIGN && k->op != ZW_OP_ABS && s->kind == ZW_SWITCH_SIGN)
        s->kind = ZW_SWITCH_SIDE;
    bool jumps = k->smooth < 0 && k->op != ZW_OP_TABLE;
    if (jumps && s->is_continuous && s->kind == ZW_SWITCH_SIDE)
        s->text = text_of(m, k->part); /* the part that may be reported as a cause */
    s->is_continuous = s->is_continuous && !jumps;
}

static zw_status give_modes(maker *m) {
    int n = m->nkink;
    m->lock = ZW_CONTEXT_NEW(m->ctx, zw_lock, n);
    m->surface_of = ZW_SCRATCH_NEW(m->ctx, int, n);
    m->mode = ZW_CONTEXT_NEW(m->ctx, zw_expr, 3 * n);
    m->surface = ZW_CONTEXT_NEW(m->ctx, zw_expr, 2 * n);
    m->live = ZW_CONTEXT_NEW(m->ctx, zw_expr, 2 * n);
    m->sw = ZW_CONTEXT_NEW(m->ctx, zw_switch, 2 * n);
    if (!m->lock || !m->surface_of || !m->mode || !m->surface || !m->live || !m->sw)
        return zw_context_status(m->ctx, m->err);
    qsort(m->kink, (size_t)n, sizeof *m->kink, by_part);
    for (int i = 0; i < n; i++)
        give_mode(m, i);
    return zw_context_status(m->ctx, m->err);
}

/* a switch counts where one of its kinks does */
static zw_status find_live(maker *m) {
    zw_expr *of_kink = ZW_SCRATCH_NEW(m->ctx, zw_expr, m->nkink);
    if (!of_kink)
        return zw_context_status(m->ctx, m->err);
    zw_lock_live(m->ctx, m->nroot, m->root, m->nkink, m->lock, of_kink);
    for (int i = 0; i < m->nswitch; i++)
        m->live[i] = ZW_ZERO;
    for (int i = 0; i < m->nkink; i++) {
        int s = m->surface_of[i], last = s + (m->sw[s].kind == ZW_SWITCH_LOWER);
        for (; s <= last; s++)
            m->live[s] = zw_apply(m->ctx, ZW_OP_OR, 2, (zw_expr[]){m->live[s], of_kink[i]});
    }
    zw_lock_kinks(m->ctx, m->nswitch, m->surface, m->nkink, m->lock);
    return zw_context_status(m->ctx, m->err);
}

/* ------------------------------------------------------------------------------------- the copy */

static zw_status lock_part(maker *m, part *p) {
    zw_expr *now = ZW_CONTEXT_NEW(m->ctx, zw_expr, p->n);
    if (!now)
        return zw_context_status(m->ctx, m->err);
    if (p->n > 0)
        memcpy(now, *p->e, sizeof *now * (size_t)p->n);
    zw_lock_kinks(m->ctx, p->n, now, m->nkink, m->lock);
    *p->e = now;
    return zw_context_status(m->ctx, m->err);
}

static zw_status make_modes(maker *m, zw_equations *out, bool rates, bool contacts) {
    ZW_TRY(gather_roots(m, out, rates));
    if (contacts)
        ZW_TRY(gather_contacts(m));
    m->nroot += m->ntouch;
    ZW_TRY(find_kinks(m, m->nroot, m->root, &m->kink, &m->nkink));
    if (m->nkink == 0)
        return ZW_OK;
    ZW_TRY(give_modes(m));
    ZW_TRY(mark_contacts(m));
    ZW_TRY(find_live(m));
    part p[ARRAYS];
    list_parts(out, p);
    for (int i = 0; i < ARRAYS; i++)
        if (p[i].n > 0)
            ZW_TRY(lock_part(m, &p[i]));
    zw_modes *modes = ZW_CONTEXT_NEW(m->ctx, zw_modes, 1);
    if (!modes)
        return zw_context_status(m->ctx, m->err);
    *modes = (zw_modes){m->nmode, m->nswitch, m->nkink, m->mode,      m->surface,
                        m->live,  m->sw,      m->lock,  m->ntouch > 0};
    out->modes = modes;
    return ZW_OK;
}

static zw_status lock_kinks(zw_equations *out, const zw_equations *eq, bool rates, bool contacts,
                            zw_error *err) {
    maker m = {.eq = eq, .ctx = eq->sys->ctx, .err = err};
    *out = *eq;
    zw_arena_mark mark = zw_scratch_mark(m.ctx);
    zw_status status = make_modes(&m, out, rates, contacts && eq->ncontact > 0);
    zw_scratch_release(m.ctx, mark);
    return status;
}

zw_status zw_equations_lock(zw_equations *out, const zw_equations *eq, zw_error *err) {
    return lock_kinks(out, eq, true, eq->stance != NULL, err);
}

zw_status zw_equations_lock_contacts(zw_equations *out, const zw_equations *eq, zw_error *err) {
    return lock_kinks(out, eq, false, true, err);
}

zw_status zw_equations_lock_also(const zw_equations *locked, int n, zw_expr *e, zw_error *err) {
    zw_context *ctx = locked->sys->ctx;
    if (!locked->modes)
        return ZW_OK;
    zw_lock_kinks(ctx, n, e, locked->modes->nlock, locked->modes->lock);
    return zw_context_status(ctx, err);
}
