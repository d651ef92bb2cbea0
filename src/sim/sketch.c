/* SPDX-License-Identifier: MIT */
/* A model without drawings is sketched: bodies by their solids or, if only the inertia is known, by
 * an ellipsoid (sketch_body.c), particles as dots with volumes proportional to their masses,
 * springs and dampers, planes and spheres on which something rolls, a link between nodes of
 * constant distance (sketch_link.c), and the path of the last particle or body. Nodes, where links
 * may end, are the origin, particles, centres and origins of bodies, named points and the ends of
 * springs. */
#include "sketch.h"

#include <math.h>
#include <string.h>

#define NEW(k, type, n) ((type *)zw_context_alloc((k)->ctx, ((size_t)(n) + 1) * sizeof(type)))

static bool has_shape(const zw_drawing *d, const char *shape) {
    return strcmp(d->shape, shape) == 0;
}

static bool is_span(const zw_drawing *d) {
    return has_shape(d, "spring") || has_shape(d, "damper");
}

/* --------------------------------------------------------------------------------------- nodes */

static void add_node(zw_sketch *k, const char *name, const zw_expr r[3], bool heavy) {
    for (int i = 0; i < k->nnode; i++)
        if (memcmp(k->node[i].r, r, sizeof k->node[i].r) == 0) {
            if (heavy && !k->node[i].heavy)
                k->node[i].name = name;
            k->node[i].heavy |= heavy;
            return;
        }
    zw_sketch_node *node = &k->node[k->nnode++];
    *node = (zw_sketch_node){.name = name, .heavy = heavy};
    memcpy(node->r, r, sizeof node->r);
}

static zw_status collect_nodes(zw_sketch *k, zw_error *err) {
    static const zw_expr origin[3] = {ZW_ZERO, ZW_ZERO, ZW_ZERO};
    const zw_system *s = k->s;
    k->node = NEW(k, zw_sketch_node, 1 + s->nparticle + 2 * s->nbody + 2 * s->nsketch);
    k->hull = NEW(k, zw_hull, s->nsketch + s->nbody);
    if (!k->node || !k->hull)
        return zw_context_status(k->ctx, err);
    add_node(k, "", origin, false);
    for (int i = 0; i < s->nparticle; i++)
        add_node(k, s->particle[i].name, s->particle[i].r, true);
    for (int i = 0; i < s->nbody; i++) {
        add_node(k, s->body[i].name, s->body[i].r, true);
        add_node(k, s->body[i].name, s->frame[s->body[i].frame].o, false);
    }
    for (int i = 0; i < s->nsketch; i++) {
        if (has_shape(&s->sketch[i], "node") || is_span(&s->sketch[i]))
            add_node(k, s->sketch[i].name, s->sketch[i].at, false);
        if (is_span(&s->sketch[i]))
            add_node(k, s->sketch[i].name, s->sketch[i].numbers, false);
    }
    return ZW_OK;
}

static void choose_samples(zw_sketch *k) {
    long rows = zw_table_rows(k->rows->result);
    for (int i = 0; i < ZW_SKETCH_SAMPLES; i++) {
        long row = rows > 1 ? i * (rows - 1) / (ZW_SKETCH_SAMPLES - 1) : 0;
        if (row < rows && (i == 0 || row > k->sample[k->nsample - 1]))
            k->sample[k->nsample++] = row;
    }
}

/* ------------------------------------------------------------------------------------ drawings */

zw_status zw_sketch_add(zw_sketch *k, const zw_drawing *d, zw_error *err) {
    if (k->n == k->most) {
        int most = 2 * k->most + 16;
        zw_drawing *more = NEW(k, zw_drawing, most);
        if (!more)
            return zw_context_status(k->ctx, err);
        if (k->n)
            memcpy(more, k->out, (size_t)k->n * sizeof *more);
        k->out = more;
        k->most = most;
    }
    zw_expr *numbers = NEW(k, zw_expr, d->n), *axes = d->axes ? NEW(k, zw_expr, 9) : NULL;
    if (!numbers || (d->axes && !axes))
        return zw_context_status(k->ctx, err);
    if (d->n)
        memcpy(numbers, d->numbers, (size_t)d->n * sizeof *numbers);
    if (axes)
        memcpy(axes, d->axes, 9 * sizeof *axes);
    k->out[k->n] = *d;
    k->out[k->n].numbers = numbers;
    k->out[k->n++].axes = axes;
    return ZW_OK;
}

zw_status zw_sketch_put(zw_sketch *k, zw_drawing d, int n, const double *numbers, zw_error *err) {
    zw_expr e[4];
    for (int i = 0; i < n; i++)
        e[i] = zw_real(k->ctx, numbers[i]);
    d.n = n;
    d.numbers = e;
    return zw_sketch_add(k, &d, err);
}

/* the radius of a ball around a solid */
static double radius_of(const char *shape, const double *n) {
    if (strcmp(shape, "cylinder") == 0)
        return hypot(n[0], n[1] / 2);
    if (strcmp(shape, "torus") == 0)
        return n[0] + n[1];
    if (strcmp(shape, "box") == 0)
        return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
    return strcmp(shape, "rod") == 0 ? n[0] / 2 : n[0];
}

static void add_hull(zw_sketch *k, const zw_drawing *d) {
    double n[3] = {0, 0, 0};
    zw_hull hull = {.frame = d->frame};
    for (int i = 0; i < 3; i++) {
        if (zw_rows_move(k->rows, d->at[i]))
            return;
        hull.centre[i] = zw_rows_at_rest(k->rows, d->at[i]);
    }
    for (int i = 0; i < d->n && i < 3; i++) {
        if (zw_rows_move(k->rows, d->numbers[i]))
            return;
        n[i] = zw_rows_at_rest(k->rows, d->numbers[i]);
    }
    hull.radius = radius_of(d->shape, n);
    k->hull[k->nhull++] = hull;
}

static bool is_said_before(const zw_system *s, int i) {
    const zw_drawing *d = &s->sketch[i];
    for (int j = 0; j < i; j++) {
        const zw_drawing *e = &s->sketch[j];
        if (e->shape == d->shape && e->frame == d->frame && e->n == d->n &&
            memcmp(e->at, d->at, sizeof d->at) == 0 &&
            memcmp(e->numbers, d->numbers, (size_t)d->n * sizeof *d->numbers) == 0)
            return true;
    }
    return false;
}

static zw_status add_solids(zw_sketch *k, zw_error *err) {
    const zw_system *s = k->s;
    for (int i = 0; i < s->nsketch; i++) {
        const zw_drawing *d = &s->sketch[i];
        if (has_shape(d, "node") || is_span(d) || is_said_before(s, i))
            continue;
        if (has_shape(d, "support")) {
            ZW_TRY(zw_sketch_support(k, d, err));
            continue;
        }
        ZW_TRY(zw_sketch_add(k, d, err));
        if (d->frame >= 0 && d->n > 0 && strncmp(d->shape, "hole ", 5) != 0)
            add_hull(k, d);
    }
    return ZW_OK;
}

static bool has_solid(const zw_system *s, const char *body) {
    for (int i = 0; i < s->nsketch; i++)
        if (s->sketch[i].frame >= 0 && strcmp(s->sketch[i].name, body) == 0)
            return true;
    return false;
}

/* volumes are proportional to the masses; the smallest remains visible */
static zw_status add_particles(zw_sketch *k, zw_error *err) {
    const zw_system *s = k->s;
    double heaviest = 0;
    for (int i = 0; i < s->nparticle; i++)
        if (!zw_rows_move(k->rows, s->particle[i].mass))
            heaviest = fmax(heaviest, zw_rows_at_rest(k->rows, s->particle[i].mass));
    for (int i = 0; i < s->nparticle; i++) {
        const zw_particle *p = &s->particle[i];
        zw_drawing d = {.shape = "point", .name = p->name, .colour = "", .frame = -1};
        double part = 1;
        if (heaviest > 0 && !zw_rows_move(k->rows, p->mass))
            part = fmax(cbrt(zw_rows_at_rest(k->rows, p->mass) / heaviest), 0.5);
        memcpy(d.at, p->r, sizeof d.at);
        ZW_TRY(zw_sketch_put(k, d, 1, (double[]){2.2 * part}, err));
    }
    return ZW_OK;
}

static zw_status add_traces(zw_sketch *k, zw_error *err) {
    const zw_system *s = k->s;
    for (int i = 0; i < s->ndrawing; i++)
        ZW_TRY(zw_sketch_add(k, &s->drawing[i], err));
    for (int i = k->nnode - 1; i >= 0 && s->ndrawing == 0; i--) {
        if (!k->node[i].heavy || k->node[i].fixed || k->node[i].dropped)
            continue;
        zw_drawing d = {.shape = "trace", .name = k->node[i].name, .colour = "", .frame = -1};
        memcpy(d.at, k->node[i].r, sizeof d.at);
        return zw_sketch_add(k, &d, err);
    }
    return ZW_OK;
}

static zw_status sketch_system(zw_sketch *k, zw_error *err) {
    const zw_system *s = k->s;
    choose_samples(k);
    ZW_TRY(collect_nodes(k, err));
    if (k->nsample == 0)
        return ZW_OK;
    ZW_TRY(zw_sketch_move(k, err));
    ZW_TRY(add_solids(k, err));
    for (int i = 0; i < s->nbody; i++)
        if (!has_solid(s, s->body[i].name))
            ZW_TRY(zw_sketch_inertia(k, i, err));
    ZW_TRY(add_particles(k, err));
    for (int i = 0; i < s->nsketch; i++)
        if (is_span(&s->sketch[i]))
            ZW_TRY(zw_sketch_add(k, &s->sketch[i], err));
    ZW_TRY(zw_sketch_links(k, err));
    return add_traces(k, err);
}

zw_status zw_sketch_drawings(const zw_rows *rows, const double up[3], int *n,
                             const zw_drawing **out, bool *sketched, zw_error *err) {
    const zw_system *s = rows->s;
    *n = s->ndrawing;
    *out = s->drawing;
    *sketched = s->nparticle + s->nbody + s->nsketch > 0;
    for (int i = 0; i < s->ndrawing; i++)
        *sketched &= has_shape(&s->drawing[i], "trace");
    if (!*sketched)
        return ZW_OK;
    zw_sketch k = {.rows = rows, .s = s, .ctx = rows->ctx};
    memcpy(k.up, up, sizeof k.up);
    ZW_TRY(sketch_system(&k, err));
    *n = k.n;
    *out = k.out;
    return zw_context_status(k.ctx, err);
}
