/* SPDX-License-Identifier: MIT */
/* The possible motions of the nodes of a sketch. With the velocities v as (v, 1), whose last entry
 * stands for the motion by time alone,
 *
 *     r' = J (v, 1),      constraints on positions:  W (v, 1) = 0,
 *
 * at some rows of the result. J is stored without its component in the rows of W, J (1 - Q Q') with
 * Q an orthonormal basis of these rows: its columns are the velocities that the constraints allow,
 * and a linear function of velocities is zero for all motions if and only if its row is zero. */
#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "sketch.h"

/* Least remainder of a row that is independent of others, and least speed of a node that moves:
 * solved equations. Nodes within SAME_NODE of the size of the scene coincide. */
#define ROW_INDEPENDENT ZW_ROUNDOFF_SOLVED
#define NODE_MOVES ZW_ROUNDOFF_SOLVED
#define SAME_NODE ZW_SAME_VALUE
enum { WORK_MAX = 300000 }; /* entries of J: a larger system has no links */

#define NEW(k, type, n) ((type *)zw_context_alloc((k)->ctx, ((size_t)(n) + 1) * sizeof(type)))

/* the evaluated expressions and their positions */
typedef struct plan {
    zw_sketch *k;
    int n, at_J, at_W, nW, at_axes, at_inertia;
    zw_expr *e, *v, *zero; /* v, zero: nv symbols of velocities, as many zeros */
    double *Q;             /* nW x width */
} plan;

static void append_expressions(plan *p, int n, const zw_expr *e) {
    memcpy(p->e + p->n, e, (size_t)n * sizeof *e);
    p->n += n;
}

/* the row of e' in (v, 1) */
static void put_rate(plan *p, zw_expr e) {
    const zw_system *s = p->k->s;
    zw_expr rate = zw_system_dt(s, e);
    zw_gradient(p->k->ctx, rate, s->nv, p->v, p->e + p->n);
    p->n += s->nv;
    p->e[p->n++] = zw_subst(p->k->ctx, rate, s->nv, p->v, p->zero);
}

/* a constraint that is always active, and whose rate is known */
static bool has_known_rate(const zw_sketch *k, int i) {
    const zw_constraint *c = &k->s->constraint[i];
    return c->on && c->level == ZW_POSITION && c->inequality == 0 &&
           !zw_system_is_switched(k->s, i);
}

/* drops the nodes that the result does not determine */
static void drop_unknown(plan *p) {
    zw_sketch *k = p->k;
    for (int i = 0; i < p->n; i++) {
        if (!zw_rows_unknown(k->rows, 1, &p->e[i]))
            continue;
        p->e[i] = ZW_ZERO;
        if (i < p->at_J)
            k->node[i / 3].dropped = true;
        else if (i < p->at_W)
            k->node[(i - p->at_J) / (3 * k->width)].dropped = true;
    }
}

static zw_status make_plan(plan *p, zw_error *err) {
    zw_sketch *k = p->k;
    const zw_system *s = k->s;
    size_t width = (size_t)k->width, most = (size_t)k->nnode * 3 * (1 + width) +
                                            (size_t)s->nconstraint * width +
                                            12 * (size_t)s->nframe + 7 * (size_t)s->nbody;
    p->e = NEW(k, zw_expr, most);
    p->v = NEW(k, zw_expr, s->nv);
    p->zero = NEW(k, zw_expr, s->nv);
    if (!p->e || !p->v || !p->zero)
        return zw_context_status(k->ctx, err);
    for (int i = 0; i < s->nv; i++) {
        p->v[i] = s->velocity[i].sym;
        p->zero[i] = ZW_ZERO;
    }
    for (int i = 0; i < k->nnode; i++)
        append_expressions(p, 3, k->node[i].r);
    p->at_J = p->n;
    for (int i = 0; i < k->nnode; i++)
        for (int c = 0; c < 3; c++)
            put_rate(p, k->node[i].r[c]);
    p->at_W = p->n;
    for (int i = 0; i < s->nconstraint; i++)
        if (has_known_rate(k, i)) {
            put_rate(p, s->constraint[i].residual);
            p->nW++;
        }
    p->at_axes = p->n;
    for (int i = 0; i < s->nframe; i++) {
        append_expressions(p, 9, s->frame[i].A);
        append_expressions(p, 3, s->frame[i].o);
    }
    p->at_inertia = p->n;
    for (int i = 0; i < s->nbody; i++) {
        append_expressions(p, 1, &s->body[i].mass);
        append_expressions(p, 6, s->body[i].J);
    }
    drop_unknown(p);
    return zw_context_status(k->ctx, err);
}

/* ------------------------------------------------------------------------------------- values */

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void subtract_component(int n, double *a, const double *unit) {
    double along = dot(n, a, unit);
    for (int i = 0; i < n; i++)
        a[i] -= along * unit[i];
}

/* Q from W; twice, for rows that are nearly parallel */
static int orthonormal_basis(const plan *p, const double *W) {
    int n = p->k->width, rank = 0;
    for (int i = 0; i < p->nW; i++) {
        double *q = p->Q + (size_t)rank * (size_t)n;
        memcpy(q, W + (size_t)i * (size_t)n, (size_t)n * sizeof *q);
        double before = sqrt(dot(n, q, q));
        for (int twice = 0; twice < 2; twice++)
            for (int j = 0; j < rank; j++)
                subtract_component(n, q, p->Q + (size_t)j * (size_t)n);
        double after = sqrt(dot(n, q, q));
        if (!(after > ROW_INDEPENDENT * before))
            continue;
        for (int j = 0; j < n; j++)
            q[j] /= after;
        rank++;
    }
    return rank;
}

static zw_status receive_sample(void *user, long sample, const double *value, zw_error *err) {
    plan *p = user;
    zw_sketch *k = p->k;
    size_t entries = 3 * (size_t)k->nnode, i = (size_t)sample;
    (void)err;
    double *J = k->J + i * entries * (size_t)k->width;
    memcpy(k->r + i * entries, value, entries * sizeof *value);
    memcpy(J, value + p->at_J, entries * (size_t)k->width * sizeof *value);
    memcpy(k->axes + i * 12 * (size_t)k->s->nframe, value + p->at_axes,
           12 * (size_t)k->s->nframe * sizeof *value);
    if (sample == 0)
        memcpy(k->inertia, value + p->at_inertia, 7 * (size_t)k->s->nbody * sizeof *value);
    int rank = orthonormal_basis(p, value + p->at_W);
    for (size_t row = 0; row < entries; row++)
        for (int j = 0; j < rank; j++)
            subtract_component(k->width, J + row * (size_t)k->width,
                               p->Q + (size_t)j * (size_t)k->width);
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------- judgement */

static double point_distance(const double *a, const double *b) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

static void classify_node(zw_sketch *k, int i, double fastest) {
    zw_sketch_node *node = &k->node[i];
    node->fixed = true;
    for (int s = 0; s < k->nsample; s++) {
        const double *r = zw_sketch_r(k, s, i), *J = zw_sketch_J(k, s, i);
        double speed = sqrt(dot(3 * k->width, J, J));
        node->dropped |= !isfinite(r[0] + r[1] + r[2]) || !isfinite(speed);
        node->fixed &= speed <= NODE_MOVES * fastest;
    }
}

static bool is_coincident(const zw_sketch *k, int i, int j) {
    for (int s = 0; s < k->nsample; s++)
        if (!(point_distance(zw_sketch_r(k, s, i), zw_sketch_r(k, s, j)) <= SAME_NODE * k->size))
            return false;
    return true;
}

static void measure_motion(zw_sketch *k) {
    double fastest = 0, low[3] = {INFINITY, INFINITY, INFINITY}, high[3];
    for (int c = 0; c < 3; c++)
        high[c] = -INFINITY;
    for (int s = 0; s < k->nsample; s++)
        for (int i = 0; i < k->nnode; i++) {
            const double *r = zw_sketch_r(k, s, i), *J = zw_sketch_J(k, s, i);
            double speed = sqrt(dot(3 * k->width, J, J));
            fastest = isfinite(speed) ? fmax(fastest, speed) : fastest;
            for (int c = 0; c < 3; c++) {
                low[c] = fmin(low[c], r[c]);
                high[c] = fmax(high[c], r[c]);
            }
        }
    k->size = point_distance(low, high);
    for (int i = 0; i < k->nnode; i++)
        classify_node(k, i, fastest);
    for (int i = 0; i < k->nnode; i++)
        for (int j = 0; j < i && !k->node[i].dropped; j++)
            if (!k->node[j].dropped && is_coincident(k, i, j)) {
                /* the node with mass is kept, with its name */
                bool other = k->node[i].heavy && !k->node[j].heavy;
                k->node[other ? j : i].dropped = true;
            }
}

zw_status zw_sketch_move(zw_sketch *k, zw_error *err) {
    k->width = k->s->nv + 1;
    if ((double)k->width * 3 * k->nnode > WORK_MAX)
        k->nnode = 0;
    plan p = {.k = k};
    size_t entries = 3 * (size_t)k->nnode * (size_t)k->nsample;
    k->r = NEW(k, double, entries);
    k->J = NEW(k, double, entries *(size_t)k->width);
    k->axes = NEW(k, double, 12 * (size_t)k->s->nframe * (size_t)k->nsample);
    k->inertia = NEW(k, double, 7 * (size_t)k->s->nbody);
    p.Q = NEW(k, double, ((size_t)k->s->nconstraint + 1) * (size_t)k->width);
    if (!k->r || !k->J || !k->axes || !k->inertia || !p.Q)
        return zw_context_status(k->ctx, err);
    ZW_TRY(make_plan(&p, err));
    if (p.n)
        ZW_TRY(zw_rows_walk(k->rows, p.n, p.e, k->nsample, k->sample, receive_sample, &p, err));
    measure_motion(k);
    return ZW_OK;
}
