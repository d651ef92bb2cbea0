/* SPDX-License-Identifier: MIT */
/* The ends of connecting orbits: equilibria at given values, and their eigenspaces as matrices of
 * the state. With y' = A y about the equilibrium, y = D dx, dx = T y (zwang/steady.h), right
 * eigenvectors r_k and left ones p_k of A,
 *
 *     P_u = T (sum over Re lambda_k > 0 of r_k p_k* / (p_k* r_k)) D,        1 -> T D.
 *
 * These do not depend on the choice of T and D, so that they can be differentiated
 * in parameters. */
#include "connection.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"
#include "motion/segments/periodic.h"
#include "num/linear/dense.h"

/* Singular values of tangent directions after ignorable entries are removed: smaller ones
 * are zero. */
#define DIRECTION_ZERO 1e-6
/* Real part of an eigenvalue relative to its size: it is zero within round-off. */
#define REAL_PART_ZERO ZW_ROUNDOFF_SOLVED
/* Relative to the largest entry, and to the better ratio: entries and directions of time that are
 * equal by symmetry are chosen by their order, not by round-off. */
#define TIE 1e-9

void zw_connection_options_init(zw_connection_options *options, size_t size) {
    const zw_connection_options all = {.size = size,
                                       .unit = {1, 1},
                                       .launch = 1e-6,
                                       .distance = 1e-5,
                                       .accuracy = 1e-11,
                                       .stages = 4,
                                       .intervals_max = 600,
                                       .tolerance = 1e-9};
    zw_options_begin(options, size, &all, sizeof all);
}

double zw_connection_distance(const zw_connection *c, const double *size, const double *x,
                              const double *from) {
    double sum = 0;
    for (int i = 0; i < c->nx; i++) {
        double part = c->essential[i] ? (x[i] - from[i]) / size[i] : 0;
        sum += part * part;
    }
    return sqrt(sum);
}

void zw_connection_project(const zw_connection *c, int end, const double *x, double *out) {
    const zw_connection_end *e = &c->end[end];
    for (int i = 0; i < c->nx; i++) {
        double part = 0;
        for (int k = 0; k < c->nx; k++)
            part += (end == 0 ? e->grows[i * c->nx + k]
                              : e->all[i * c->nx + k] - e->grows[i * c->nx + k]) *
                    (x[k] - e->motion.x[k]);
        out[i] = c->essential[i] ? e->motion.x[i] + part : x[i];
    }
}

/* ---------------------------------------------------------------------------------- eigenspaces */

/* the term r p* / (p* r) of eigenvalue k, its real part added to S (n x n) */
static void add_term(const zw_dense_eigen *e, int n, int k, double *S) {
    double complex whole = 0;
    for (int i = 0; i < n; i++)
        whole += (e->left_re[i * n + k] - I * e->left_im[i * n + k]) *
                 (e->right_re[i * n + k] + I * e->right_im[i * n + k]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            S[i * n + j] += creal((e->right_re[i * n + k] + I * e->right_im[i * n + k]) *
                                  (e->left_re[j * n + k] - I * e->left_im[j * n + k]) / whole);
}

/* The right eigenvector k of the state, of unit length relative to the sizes (its real part in
 * `right`, may be NULL), and the left one with p* r = 1 in row k of `part`. */
static void take_vectors(const zw_connection *c, const zw_linearisation *a, const zw_dense_eigen *e,
                         int k, double *right, zw_connection_end *end) {
    int n = a->n, nx = c->nx;
    double length = 0;
    double complex product = 0;
    for (int j = 0; j < n; j++)
        product += (e->left_re[j * n + k] - I * e->left_im[j * n + k]) *
                   (e->right_re[j * n + k] + I * e->right_im[j * n + k]);
    for (int i = 0; i < nx; i++) {
        double complex r = 0;
        for (int j = 0; j < n; j++)
            r += a->T[i * n + j] * (e->right_re[j * n + k] + I * e->right_im[j * n + k]);
        length = c->essential[i] ? hypot(length, cabs(r) / c->scale[i]) : length;
        if (right)
            right[i] = c->essential[i] ? creal(r) : 0;
    }
    for (int i = 0; i < nx; i++) {
        double complex l = 0;
        for (int j = 0; j < n; j++)
            l += (e->left_re[j * n + k] - I * e->left_im[j * n + k]) * a->D[j * nx + i];
        l *= length / product;
        end->part_re[k * nx + i] = creal(l);
        end->part_im[k * nx + i] = cimag(l);
        if (right)
            right[i] /= length;
    }
}

/* keeps the previous sign; the first time the largest entry is positive */
static void turn_vectors(const zw_connection *c, const double *before, double *right,
                         double *left) {
    double along = 0, most = 0;
    for (int i = 0; i < c->nx; i++) {
        double part = right[i] / c->scale[i];
        if (before)
            along += part * before[i] / c->scale[i];
        else if (fabs(part) > most * (1 + TIE)) {
            most = fabs(part);
            along = part;
        }
    }
    for (int i = 0; along < 0 && i < c->nx; i++) {
        right[i] = -right[i];
        left[i] = -left[i];
    }
}

static zw_status count_directions(zw_connection_end *end, zw_error *err) {
    end->unstable = end->stable = 0;
    end->slow_unstable = end->slow_stable = -1;
    for (int i = 0; i < end->n; i++) {
        double re = end->re[i];
        if (!(fabs(re) > REAL_PART_ZERO * hypot(re, end->im[i]))) {
            zw_fail(err, ZW_E_DOMAIN,
                    "the steady motion at an end is no saddle: its eigenvalue %.6g%+.6gi neither "
                    "grows nor decays",
                    re, end->im[i]);
            zw_error_hint(err, "zwang equilibria and zwang linearise tell of it");
            return ZW_E_DOMAIN;
        }
        int *slow = re > 0 ? &end->slow_unstable : &end->slow_stable;
        *(re > 0 ? &end->unstable : &end->stable) += 1;
        if (*slow < 0 || fabs(re) < fabs(end->re[*slow]))
            *slow = i;
    }
    return ZW_OK;
}

static zw_status take_spaces(zw_connection *c, const zw_linearisation *a, zw_arena *work,
                             const zw_connection_end *from, zw_connection_end *end, zw_error *err) {
    int n = a->n, nx = c->nx;
    zw_dense_eigen e;
    double *S = ZW_NEW(work, double, n *n + 1), *half = ZW_NEW(work, double, nx *n + 1);
    if (work->failed)
        return zw_out_of_memory(err, NULL);
    if (!zw_dense_eigenvalues(work, n, a->A, &e))
        return zw_dense_failure(work, err);
    if (a->nzero > 0) {
        zw_fail(err, ZW_E_DOMAIN,
                "the steady motion at an end is no saddle: it has %d zero eigenvalue%s", a->nzero,
                a->nzero == 1 ? "" : "s");
        zw_error_hint(err, "it is one of a family, or two of them meet here");
        return ZW_E_DOMAIN;
    }
    end->n = n;
    memcpy(end->re, e.re, sizeof(double) * (size_t)n);
    memcpy(end->im, e.im, sizeof(double) * (size_t)n);
    ZW_TRY(count_directions(end, err));
    for (int k = 0; k < n; k++)
        if (e.re[k] > 0)
            add_term(&e, n, k, S);
    zw_dense_multiply(nx, n, n, a->T, S, half);
    zw_dense_multiply(nx, n, nx, half, a->D, end->grows);
    zw_dense_multiply(nx, n, nx, a->T, a->D, end->all);
    zw_dense_multiply(nx, n, n, a->T, a->A, half);
    zw_dense_multiply(nx, n, nx, half, a->D, end->rate);
    const int only[2] = {end->unstable == 1 ? end->slow_unstable : -1,
                         end->stable == 1 ? end->slow_stable : -1};
    for (int k = 0; k < n; k++)
        take_vectors(c, a, &e, k, NULL, end);
    for (int s = 0; s < 2; s++)
        if (only[s] >= 0) {
            take_vectors(c, a, &e, only[s], end->right[s], end);
            memcpy(end->left[s], end->part_re + (size_t)(only[s] * nx),
                   sizeof(double) * (size_t)nx);
            turn_vectors(c, from->is_known ? from->right[s] : NULL, end->right[s], end->left[s]);
        }
    end->is_known = true;
    return ZW_OK;
}

static zw_status find_end(zw_connection *c, const zw_connection_end *from, zw_connection_end *end,
                          zw_error *err) {
    zw_arena work;
    zw_linearisation a;
    memcpy(end->motion.x, from->motion.x, sizeof(double) * (size_t)c->nx);
    end->motion.t = 0;
    ZW_TRY(zw_steady_find(&end->motion, c->flow, c->symmetries, c->scale, 0, NULL, err));
    end->motion.scale = c->scale;
    ZW_TRY(zw_linearise(&a, c->flow, c->symmetries, &end->motion, err));
    zw_arena_init(&work, &c->arena.alloc);
    zw_status status = take_spaces(c, &a, &work, from, end, err);
    zw_arena_clear(&work);
    zw_linearisation_clear(&a);
    return status;
}

/* the other end of a homoclinic orbit: the same equilibrium, some turns further */
static void copy_end(const zw_connection *c, const zw_connection_end *from,
                     zw_connection_end *end) {
    size_t n = sizeof(double) * (size_t)c->nx, square = n * (size_t)c->nx;
    end->n = from->n;
    end->unstable = from->unstable;
    end->stable = from->stable;
    end->slow_unstable = from->slow_unstable;
    end->slow_stable = from->slow_stable;
    memcpy(end->re, from->re, n);
    memcpy(end->im, from->im, n);
    memcpy(end->all, from->all, square);
    memcpy(end->grows, from->grows, square);
    memcpy(end->rate, from->rate, square);
    memcpy(end->part_re, from->part_re, square);
    memcpy(end->part_im, from->part_im, square);
    for (int s = 0; s < 2; s++) {
        memcpy(end->right[s], from->right[s], n);
        memcpy(end->left[s], from->left[s], n);
    }
    for (int i = 0; i < c->nx; i++)
        end->motion.x[i] = from->motion.x[i] + c->turn[i];
    end->is_known = true;
}

zw_status zw_connection_ends(zw_connection *c, const double value[2], const zw_connection_end *from,
                             zw_connection_end *end, zw_error *err) {
    ZW_TRY(c->set(c->user, value, c->p, err));
    ZW_TRY(zw_flow_set_parameters(c->flow, c->p, err));
    ZW_TRY(find_end(c, &from[0], &end[0], err));
    if (c->has_other)
        return find_end(c, &from[1], &end[1], err);
    copy_end(c, &end[0], &end[1]);
    return ZW_OK;
}

void zw_connection_swap(zw_connection *c, const double value[2]) {
    for (int e = 0; e < 2; e++) {
        zw_connection_end keep = c->end[e];
        c->end[e] = c->aside[e];
        c->aside[e] = keep;
    }
    c->value[0] = value[0];
    c->value[1] = value[1];
}

/* ------------------------------------------------------------------------------------ lifecycle */

static void make_end(zw_connection *c, zw_connection_end *end) {
    const zw_kernel *k = zw_flow_kernel(c->flow);
    int nx = c->nx;
    end->motion.x = ZW_NEW(&c->arena, double, nx + 1);
    end->motion.c = ZW_NEW(&c->arena, double, k->nfield + 1);
    end->motion.z = ZW_NEW(&c->arena, double, k->nz + 1);
    end->re = ZW_NEW(&c->arena, double, nx + 1);
    end->im = ZW_NEW(&c->arena, double, nx + 1);
    end->all = ZW_NEW(&c->arena, double, nx *nx + 1);
    end->grows = ZW_NEW(&c->arena, double, nx *nx + 1);
    end->rate = ZW_NEW(&c->arena, double, nx *nx + 1);
    end->part_re = ZW_NEW(&c->arena, double, nx *nx + 1);
    end->part_im = ZW_NEW(&c->arena, double, nx *nx + 1);
    for (int s = 0; s < 2; s++) {
        end->right[s] = ZW_NEW(&c->arena, double, nx + 1);
        end->left[s] = ZW_NEW(&c->arena, double, nx + 1);
    }
}

zw_status zw_connection_directions(zw_connection *c, zw_arena *work, const double *x,
                                   const double *size, int *n, double *V, zw_error *err) {
    int nx = c->nx, d;
    double *T = ZW_NEW(work, double, nx *nx + 1), *rows = ZW_NEW(work, double, nx *nx + 1),
           *s = ZW_NEW(work, double, nx + 1);
    if (work->failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_flow_tangent(c->flow, 0, x, ZW_METRIC_PLAIN, &d, T, NULL, err));
    for (int pass = 0; pass < 2; pass++) { /* the rank without scaling, then the scaled basis */
        for (int j = 0; j < d; j++)
            for (int i = 0; i < nx; i++)
                rows[j * nx + i] =
                    c->essential[i] ? T[i * d + j] / (pass && size ? size[i] : 1) : 0;
        if (!zw_dense_svd(work, d, nx, rows, s, V, NULL))
            return zw_dense_failure(work, err);
        for (*n = pass ? *n : 0; !pass && *n < d && s[*n] > DIRECTION_ZERO;)
            (*n)++;
    }
    return ZW_OK;
}

/* Fails if symmetries move the ends other than along ignorable coordinates: then the linearised
 * equations have fewer dimensions than the motion between the ends. */
static zw_status reject_orbits(zw_connection *c, zw_error *err) {
    double *V = ZW_NEW(&c->arena, double, c->nx * c->nx + 1);
    if (!V)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_connection_directions(c, &c->arena, c->end[0].motion.x, NULL, &c->d, V, err));
    if (c->end[0].n == c->d && c->end[1].n == c->d)
        return ZW_OK;
    zw_fail(err, ZW_E_DOMAIN,
            "symmetries move the steady motion in a direction that is no coordinate of its own: "
            "%d directions, %d of them in its linear equations",
            c->d, c->end[0].n);
    zw_error_hint(err, "coordinates along the symmetries, on which nothing else depends");
    return ZW_E_DOMAIN;
}

/* Chooses the direction of time if both are possible, in two dimensions: to the end that is
 * approached faster than left, because the motion passes it more closely. */
static void choose_direction(zw_connection *c) {
    const zw_connection_end *a = &c->end[0], *b = &c->end[1];
    c->way = 0;
    if (!zw_connection_has_both_ways(c))
        return;
    double forwards = -b->re[b->slow_stable] / b->re[b->slow_unstable],
           backwards = -a->re[a->slow_unstable] / a->re[a->slow_stable];
    c->way = c->options.way ? c->options.way : forwards >= backwards * (1 - TIE) ? 1 : -1;
}

/* A symmetry that shifts one coordinate and nothing else, here and at a neighbouring state: the
 * motion does not depend on that coordinate, in whatever form the equations are. */
static zw_status leave_out_shifts(zw_connection *c, const double *x, zw_error *err) {
    int nx = c->nx, n = c->symmetries->n;
    double *X = ZW_NEW(&c->arena, double, 2 * n * nx + 1),
           *beside = ZW_NEW(&c->arena, double, nx + 1);
    if (c->arena.failed)
        return zw_out_of_memory(err, NULL);
    double *Y = X + (size_t)(n * nx);
    for (int i = 0; i < nx; i++)
        beside[i] = x[i] + 0.1 * (1 + 0.3 * i) * c->scale[i];
    ZW_TRY(zw_symmetries_at(c->symmetries, c->flow, 0, x, NULL, X, err));
    ZW_TRY(zw_symmetries_at(c->symmetries, c->flow, 0, beside, NULL, Y, err));
    for (int k = 0; k < n; k++) {
        int only = -1, others = 0;
        for (int i = 0; i < nx; i++) {
            if (X[k * nx + i] == 0 && Y[k * nx + i] == 0)
                continue;
            others += only >= 0 || X[k * nx + i] != Y[k * nx + i];
            only = i;
        }
        if (only >= 0 && !others)
            c->essential[only] = false;
    }
    return ZW_OK;
}

static zw_status build_connection(zw_connection *c, const double *scale, const double *x,
                                  const double value[2], zw_error *err) {
    int nx = c->nx;
    const zw_connection_options *o = &c->options;
    int *entry = ZW_NEW(&c->arena, int, nx + 1);
    c->scale = ZW_NEW(&c->arena, double, nx + 1);
    c->turn = ZW_NEW(&c->arena, double, nx + 1);
    c->size = ZW_NEW(&c->arena, double, nx + 1);
    c->essential = ZW_NEW(&c->arena, bool, nx + 1);
    c->p = ZW_NEW(&c->arena, double, zw_flow_kernel(c->flow)->np + 1);
    c->step = ZW_NEW(&c->arena, double, 12 * nx + 1);
    for (int e = 0; e < 2; e++) {
        make_end(c, &c->end[e]);
        make_end(c, &c->aside[e]);
    }
    if (c->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = zw_flow_essential(c->flow, entry) - 1; i >= 0; i--)
        c->essential[entry[i]] = true;
    for (int i = 0; i < nx; i++) {
        c->scale[i] = scale[i];
        c->turn[i] = o->turn ? o->turn[i] : 0;
        c->has_turn |= c->turn[i] != 0;
        c->end[0].motion.x[i] = x[i];
        c->end[1].motion.x[i] = o->other ? o->other[i] : x[i] + c->turn[i];
    }
    ZW_TRY(leave_out_shifts(c, x, err));
    c->has_other = o->other != NULL;
    c->has_manifold = zw_flow_levels(c->flow) > 0;
    ZW_TRY(zw_connection_move(c, value, err));
    choose_direction(c);
    return reject_orbits(c, err);
}

zw_status zw_connection_create(zw_connection **out, zw_flow *flow, const zw_symmetries *s,
                               const double *scale, const double *x, const double value[2],
                               const zw_connection_options *options, zw_connection_set set,
                               void *user, zw_error *err) {
    zw_connection_options o = zw_connection_options_default();
    zw_allocator alloc = zw_flow_kernel(flow)->alloc;
    *out = NULL;
    if (options)
        ZW_TRY(zw_options_adopt(&o, sizeof o, options, "zw_connection_options", err));
    if (o.stages < 2 || o.stages > 7 || o.intervals_max < 10 || !(o.launch > 0) ||
        !(o.distance > 0) || !(o.tolerance > 0) || !(o.accuracy > 0) || !(o.unit[0] > 0) ||
        !(o.unit[1] > 0) || !(o.time >= 0))
        return zw_fail(err, ZW_E_OPTION,
                       "distances, tolerances, units and intervals of a connecting orbit are "
                       "positive, with 2 to 7 stages");
    zw_connection *c = zw_allocate(&alloc, sizeof *c);
    if (!c)
        return zw_out_of_memory(err, NULL);
    *c = (zw_connection){.flow = flow,
                         .symmetries = s,
                         .options = o,
                         .set = set,
                         .user = user,
                         .nx = zw_flow_kernel(flow)->nx,
                         .m = o.stages};
    zw_arena_init(&c->arena, &alloc);
    zw_arena_init(&c->meshes, &alloc);
    zw_gauss_init(&c->rule, o.stages);
    zw_status status = build_connection(c, scale, x, value, err);
    if (status < 0)
        zw_connection_destroy(c);
    else
        *out = c;
    return status;
}

void zw_connection_destroy(zw_connection *c) {
    if (!c)
        return;
    zw_allocator alloc = c->arena.alloc;
    zw_arena_clear(&c->meshes);
    zw_arena_clear(&c->arena);
    zw_release(&alloc, c, sizeof *c);
}

/* -------------------------------------------------------------------------------------- queries */

zw_status zw_connection_move(zw_connection *c, const double value[2], zw_error *err) {
    ZW_TRY(zw_connection_ends(c, value, c->end, c->aside, err));
    zw_connection_swap(c, value);
    return ZW_OK;
}

bool zw_connection_has_both_ways(const zw_connection *c) {
    const zw_connection_end *a = &c->end[0], *b = &c->end[1];
    return a->unstable == 1 && a->stable == 1 && b->unstable == 1 && b->stable == 1;
}

bool zw_connection_leave(const zw_connection *c, int side, double distance, double *x) {
    const zw_connection_end *e = &c->end[0];
    for (int i = 0; i < c->nx && e->unstable == 1; i++)
        x[i] = e->motion.x[i] + side * distance * e->right[0][i];
    return e->unstable == 1;
}

int zw_connection_side(const zw_connection *c) {
    int end = zw_connection_way(c) > 0 ? 0 : 1;
    const zw_connection_end *e = &c->end[end];
    const double *u = zw_connection_node(c, c->x, end ? c->N : 0);
    double along = 0;
    for (int i = 0; i < c->nx && zw_connection_way(c) != 0; i++)
        along += e->left[end][i] * (u[i] - e->motion.x[i]);
    return along > 0 ? 1 : along < 0 ? -1 : 0;
}

const double *zw_connection_at(const zw_connection *c) {
    return c->value;
}

zw_saddle zw_connection_saddle(const zw_connection *c, int end) {
    const zw_connection_end *e = &c->end[end];
    return (zw_saddle){.n = e->n,
                       .x = e->motion.x,
                       .re = e->re,
                       .im = e->im,
                       .unstable = e->unstable,
                       .stable = e->stable,
                       .slow_unstable = e->slow_unstable,
                       .slow_stable = e->slow_stable,
                       .quantity = e->slow_unstable >= 0 && e->slow_stable >= 0
                                       ? e->re[e->slow_unstable] + e->re[e->slow_stable]
                                       : NAN};
}

int zw_connection_way(const zw_connection *c) {
    bool forwards = c->end[0].unstable == 1 && c->end[1].unstable == 1,
         backwards = c->end[0].stable == 1 && c->end[1].stable == 1;
    return c->way > 0 && forwards ? 1 : c->way < 0 && backwards ? -1 : forwards - backwards;
}
