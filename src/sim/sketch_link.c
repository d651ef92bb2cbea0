/* SPDX-License-Identifier: MIT */
/* Links of a sketch: two nodes whose distance no motion can change, d = r_i - r_j,
 *
 *     (d . d)'/2 = d . (J_i - J_j) (v, 1) = 0  for all v that the constraints allow.  (1)
 *
 * So a pendulum has its rod whether its length is in the coordinates or in a constraint. Links of a
 * rigid part are left out if two shorter ones explain them, or if a solid hides them.
 *
 * The pivot of a node need not be a node. Then all tangents t of its paths are perpendicular to the
 * line to one point c,
 *
 *     t . (r - c) = 0,  (2)
 *
 * an overdetermined system of linear equations for c: it has a solution, or there is no pivot. A
 * plane path leaves c undetermined along its axis; there c is in the plane of the path. */
#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "base/tolerance.h"
#include "sketch.h"

static double dot3(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double length_at(const zw_sketch *k, int sample, int i, int j) {
    const double *a = zw_sketch_r(k, sample, i), *b = zw_sketch_r(k, sample, j);
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(dot3(d, d));
}

/* Positions of a result are known to its tolerances, 1e-8 by default, and rates to round-off of
 * solved equations; links are drawn to four digits. */
#define LENGTH_CHANGED 1e-5 /* of a link: it is not rigid */
#define RATE_SQUARED 1e-12  /* of a link, squared, relative to the rates of its ends: 0 */
/* squared rate by time alone, relative to all rates: it moves the node */
#define TIME_MOVES 1e-18
/* eigenvalue of t t', relative to the largest: less, no tangents there */
#define TANGENTS_PLANE 1e-5
#define SIZE_MOVED 1e-5      /* of the size of the scene: a point of a solid has moved in it */
#define SIZE_LINK 1e-6       /* of the size of the scene: shorter links, or distances, are 0 */
#define LENGTH_SQUARED 1e-12 /* of the size of the scene, squared: SIZE_LINK^2 */
#define COORDINATE_ZERO 1e-9 /* of the size of the scene: drawn as 0 */

/* (1), at all samples */
static bool is_rigid(const zw_sketch *k, int i, int j) {
    double first = length_at(k, 0, i, j);
    for (int s = 0; s < k->nsample; s++) {
        const double *a = zw_sketch_r(k, s, i), *b = zw_sketch_r(k, s, j),
                     *A = zw_sketch_J(k, s, i), *B = zw_sketch_J(k, s, j);
        double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]}, length = sqrt(dot3(d, d)), sum = 0,
               most = 0;
        for (int c = 0; c < k->width; c++) {
            double rate = 0;
            for (int x = 0; x < 3; x++) {
                double u = A[x * k->width + c], v = B[x * k->width + c];
                rate += d[x] * (u - v);
                most += u * u + v * v;
            }
            sum += rate * rate;
        }
        if (!(fabs(length - first) <= LENGTH_CHANGED * first) ||
            !(sum <= RATE_SQUARED * length * length * most))
            return false;
    }
    return true;
}

/* -------------------------------------------------------------------------------------- hidden */

/* is the point always at the same place of the solid, and inside it? */
static bool lies_in(const zw_sketch *k, const zw_hull *hull, const double *first, int sample,
                    const double *r, double own[3]) {
    const double *A = k->axes + 12 * ((size_t)sample * (size_t)k->s->nframe + (size_t)hull->frame);
    double from = 0, moved = 0;
    for (int i = 0; i < 3; i++) {
        own[i] = 0;
        for (int j = 0; j < 3; j++)
            own[i] += A[3 * j + i] * (r[j] - A[9 + j]);
        from += (own[i] - hull->centre[i]) * (own[i] - hull->centre[i]);
        moved += first ? (own[i] - first[i]) * (own[i] - first[i]) : 0;
    }
    return sqrt(from) <= 1.001 * hull->radius && sqrt(moved) <= SIZE_MOVED * k->size;
}

static bool is_inside(const zw_sketch *k, const zw_hull *hull, int node) {
    double first[3] = {0}, own[3] = {0};
    for (int s = 0; s < k->nsample; s++)
        if (!lies_in(k, hull, s ? first : NULL, s, zw_sketch_r(k, s, node), s ? own : first))
            return false;
    return true;
}

static bool is_hidden(const zw_sketch *k, int i, int j) {
    for (int h = 0; h < k->nhull; h++)
        if (is_inside(k, &k->hull[h], i) && is_inside(k, &k->hull[h], j))
            return true;
    return false;
}

/* ---------------------------------------------------------------------------------------- links */

static zw_status add_link(zw_sketch *k, const zw_expr from[3], const zw_sketch_node *to,
                          zw_error *err) {
    zw_drawing d = {
        .shape = "link", .name = "", .colour = "", .frame = -1, .n = 3, .numbers = to->r};
    memcpy(d.at, from, sizeof d.at);
    return zw_sketch_add(k, &d, err);
}

/* is there a third node, nearer to both and rigid with them? */
static bool is_explained(const zw_sketch *k, const bool *rigid, int i, int j) {
    double length = (1 - ZW_SAME_VALUE) * length_at(k, 0, i, j);
    for (int m = 0; m < k->nnode; m++)
        if (m != i && m != j && !k->node[m].dropped && rigid[i * k->nnode + m] &&
            rigid[m * k->nnode + j] && length_at(k, 0, i, m) < length &&
            length_at(k, 0, m, j) < length)
            return true;
    return false;
}

static bool may_link(const zw_sketch *k, int i, int j) {
    const zw_sketch_node *a = &k->node[i], *b = &k->node[j];
    return !a->dropped && !b->dropped && length_at(k, 0, i, j) > SIZE_LINK * k->size;
}

/* ------------------------------------------------------------------------------------- pivots */

/* sums of t t' and t t' r over all tangents of all samples; false if time alone moves the node */
static bool sum_tangents(const zw_sketch *k, int node, double A[9], double b[3], double mean[3]) {
    for (int s = 0; s < k->nsample; s++) {
        const double *r = zw_sketch_r(k, s, node), *J = zw_sketch_J(k, s, node);
        double most = 0, alone = 0;
        for (int c = 0; c < k->width; c++) {
            double t[3] = {J[c], J[k->width + c], J[2 * k->width + c]}, along = dot3(t, r);
            most = fmax(most, dot3(t, t));
            alone = dot3(t, t);
            for (int i = 0; i < 3; i++) {
                b[i] += t[i] * along;
                for (int j = 0; j < 3; j++)
                    A[3 * i + j] += t[i] * t[j];
            }
        }
        if (alone > TIME_MOVES * most)
            return false;
        for (int i = 0; i < 3; i++)
            mean[i] += r[i] / k->nsample;
    }
    return true;
}

/* is (2) satisfied up to round-off? */
static bool is_pivot(const zw_sketch *k, int node, const double c[3]) {
    for (int s = 0; s < k->nsample; s++) {
        const double *r = zw_sketch_r(k, s, node), *J = zw_sketch_J(k, s, node);
        double d[3] = {r[0] - c[0], r[1] - c[1], r[2] - c[2]}, length = dot3(d, d), sum = 0,
               most = 0;
        for (int i = 0; i < k->width; i++) {
            double t[3] = {J[i], J[k->width + i], J[2 * k->width + i]};
            sum += dot3(t, d) * dot3(t, d);
            most += dot3(t, t);
        }
        if (!(sum <= RATE_SQUARED * length * most) ||
            !(length > LENGTH_SQUARED * k->size * k->size))
            return false;
    }
    return true;
}

/* c of (2), where it is well determined */
static bool find_pivot(const zw_sketch *k, int node, double c[3]) {
    double A[9] = {0}, b[3] = {0}, mean[3] = {0}, value[3], V[9];
    if (!sum_tangents(k, node, A, b, mean))
        return false;
    zw_symmetric_axes(A, value, V);
    if (!(value[1] > TANGENTS_PLANE * value[0]))
        return false;
    for (int i = 0; i < 3; i++)
        c[i] = 0;
    for (int m = 0; m < 3; m++) {
        double e[3] = {V[m], V[3 + m], V[6 + m]},
               part = value[m] > TANGENTS_PLANE * value[0] ? dot3(e, b) / value[m] : dot3(e, mean);
        for (int i = 0; i < 3; i++)
            c[i] += part * e[i];
    }
    return is_pivot(k, node, c);
}

/* a ball in a cavity has its pivot in the centre, and no rod */
static bool is_centre_of_shell(const zw_sketch *k, const double c[3]) {
    for (int i = 0; i < k->s->nsketch; i++) {
        const zw_drawing *d = &k->s->sketch[i];
        double away = 0;
        if (d->frame >= 0 || (strcmp(d->shape, "shell") != 0 && strcmp(d->shape, "sphere") != 0))
            continue;
        for (int x = 0; x < 3; x++) {
            if (zw_rows_move(k->rows, d->at[x]))
                return true; /* it moves with the node */
            away = fmax(away, fabs(zw_rows_at_rest(k->rows, d->at[x]) - c[x]));
        }
        if (away <= SIZE_LINK * k->size)
            return true;
    }
    return false;
}

static bool is_in_cavity(const zw_sketch *k, int i, int j) {
    return (k->node[i].fixed && is_centre_of_shell(k, zw_sketch_r(k, 0, i))) ||
           (k->node[j].fixed && is_centre_of_shell(k, zw_sketch_r(k, 0, j)));
}

static zw_status add_pivot(zw_sketch *k, int node, zw_error *err) {
    double c[3];
    zw_expr at[3];
    if (!find_pivot(k, node, c) || is_centre_of_shell(k, c))
        return ZW_OK;
    for (int i = 0; i < 3; i++)
        at[i] = zw_real(k->ctx, fabs(c[i]) > COORDINATE_ZERO * k->size ? c[i] : 0);
    return add_link(k, at, &k->node[node], err);
}

zw_status zw_sketch_links(zw_sketch *k, zw_error *err) {
    size_t n = (size_t)k->nnode;
    bool *rigid = zw_context_alloc(k->ctx, n * n + 1);
    if (!rigid)
        return zw_context_status(k->ctx, err);
    for (int i = 0; i < k->nnode; i++)
        for (int j = 0; j < i; j++)
            rigid[i * k->nnode + j] = rigid[j * k->nnode + i] =
                may_link(k, i, j) && is_rigid(k, i, j);
    for (int i = 0; i < k->nnode; i++) {
        bool held = k->node[i].fixed || k->node[i].dropped;
        for (int j = 0; j < k->nnode; j++) {
            if (!rigid[i * k->nnode + j] || (k->node[i].fixed && k->node[j].fixed))
                continue;
            held |= k->node[j].fixed;
            if (j > i || is_explained(k, rigid, i, j) || is_hidden(k, i, j) ||
                is_in_cavity(k, i, j))
                continue;
            ZW_TRY(add_link(k, k->node[j].r, &k->node[i], err));
        }
        if (!held && k->node[i].heavy)
            ZW_TRY(add_pivot(k, i, err));
    }
    return ZW_OK;
}
