/* SPDX-License-Identifier: MIT */
/* Orbits that close up to a symmetry. A disc that rolls in circles, a top that nutates and
 * precesses, a body whose spin is prescribed by a constraint: their motion repeats, but at another
 * place and with another heading. Vector fields A that commute with the motion
 * (motion/steady/symmetry.c) and are affine, A x = L x + b, map motions to motions, x -> exp(theta
 * A) x, and such an orbit satisfies
 *
 *     x(P) = exp(sum theta_g A_g) x(0)
 *
 * with theta found together with the period (zwang/periodic.h). Shifts of ignorable coordinates are
 * such fields; collocation treats them itself, and they are left out here. So are fields that do
 * not move the orbit, and all of them if one moves it along itself: then the motion is a relative
 * equilibrium, and an orbit by its own motion alone. */
#include "orbits_group.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "base/tolerance.h"
#include "motion/collocation/collocation.h"
#include "num/linear/dense.h"
#include "num/linear/linalg.h"
#include "orbits_record.h"

enum { SAMPLES = 24, STEPS = 25, ROUND = 8, MOST = 6, GRID = 4096 };

/* Relative to the scale of an entry: error of a field as an affine function of the state, fitted
  * to random states. Ten times the round-off of the fit. */
#define AFFINE_ERROR 1e-8
/* Relative to the largest: smaller singular values of the states are zero. */
#define RANK_ROUNDOFF ZW_ROUNDOFF_SOLVED
/* Relative to the largest coefficient of a row of a field: smaller ones are zero. */
#define COEFFICIENT_ROUNDOFF ZW_ROUNDOFF_SOLVED
/* Relative to the size of the state: a field that moves the motion by less does not move it, or
 * moves it along another one. The motion is a run, known to about 1e-8. */
#define FIELD_MOVES 1e-6
/* Relative to the rates: error of the commutator of a symmetry with the motion. */
#define COMMUTATOR_ERROR 1e-6
/* Relative to the size of the state: a field that moves a state by less leaves
 * theta undetermined. */
#define STATE_MOVES 1e-8
/* Relative reduction of the distance: Gauss-Newton steps that reduce it by less have converged,
  * and starts that reduce it by less lead to the same minimum. */
#define DISTANCE_CONVERGED 1e-9
#define DISTANCE_BETTER 1e-6

static int work_size(const zw_orbits *o) {
    return 4 * (o->nx + 1) * (o->nx + 1);
}

/* --------------------------------------------------------------------------------- finding them */

/* Fields at random states of the manifold near x: they must be affine there only, as rotations of
 * unit quaternions are. */
typedef struct fit {
    int n, samples;    /* unknowns of a row, nx + 1; states */
    double *x;         /* samples x nx */
    double *X;         /* samples x nx: the field there */
    double *A;         /* samples x n: (x - about)/scale and 1 */
    double *s, *V, *U; /* its singular values and vectors */
} fit;

static zw_status draw_states(zw_orbits *o, fit *f, const double *about, const double *scale,
                             zw_error *err) {
    int nx = o->nx, n = f->n;
    for (int k = 0; k < f->samples; k++) {
        zw_random random = zw_random_stream(7, (uint64_t)k);
        double *x = f->x + (size_t)(k * nx), *row = f->A + (size_t)(k * n);
        for (int r = 0; r < nx; r++)
            x[r] = about[r] + 0.3 * scale[r] * zw_random_real(&random, -1, 1);
        ZW_TRY(zw_flow_project(o->flow, 0, x, NULL, err));
        for (int r = 0; r < nx; r++)
            row[r] = (x[r] - about[r]) / scale[r];
        row[nx] = 1;
    }
    return ZW_OK;
}

static zw_status make_fit(zw_orbits *o, fit *f, const double *about, const double *scale,
                          zw_error *err) {
    int nx = o->nx;
    f->n = nx + 1;
    f->samples = 3 * f->n;
    f->x = ZW_NEW(&o->arena, double, f->samples *nx + 1);
    f->X = ZW_NEW(&o->arena, double, f->samples *nx + 1);
    f->A = ZW_NEW(&o->arena, double, f->samples * f->n + 1);
    f->s = ZW_NEW(&o->arena, double, f->n + 1);
    f->V = ZW_NEW(&o->arena, double, f->n * f->n + 1);
    f->U = ZW_NEW(&o->arena, double, f->samples * f->n + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(draw_states(o, f, about, scale, err));
    return zw_dense_svd(&o->arena, f->samples, f->n, f->A, f->s, f->V, f->U)
               ? ZW_OK
               : zw_dense_failure(&o->arena, err);
}

/* the shortest row of L and b that gives entry r of the field at all states, in the variables of
  * A; returns its error */
static double fit_row(const fit *f, int nx, int r, double *row) {
    double worst = 0;
    memset(row, 0, sizeof(double) * (size_t)f->n);
    for (int l = 0; l < f->n && f->s[l] > RANK_ROUNDOFF * f->s[0]; l++) {
        double dot = 0;
        for (int k = 0; k < f->samples; k++)
            dot += f->U[l * f->samples + k] * f->X[k * nx + r];
        for (int c = 0; c < f->n; c++)
            row[c] += f->V[l * f->n + c] * dot / f->s[l];
    }
    for (int k = 0; k < f->samples; k++) {
        double off = -f->X[k * nx + r];
        for (int c = 0; c < f->n; c++)
            off += row[c] * f->A[k * f->n + c];
        worst = fmax(worst, fabs(off));
    }
    return worst;
}

/* L and b of a combination of fields; is it affine? */
static zw_status take_field(zw_orbits *o, const zw_symmetries *s, int i, const fit *f,
                            const double *about, const double *scale, double *L, double *b,
                            double *work, bool *affine, zw_error *err) {
    int nx = o->nx, nf = s->nfield;
    const double *factor = s->combination + (size_t)i * (size_t)nf;
    for (int k = 0; k < f->samples; k++) {
        ZW_TRY(zw_flow_fields(o->flow, 0, f->x + (size_t)(k * nx), work, NULL, err));
        for (int r = 0; r < nx; r++) {
            f->X[k * nx + r] = 0;
            for (int j = 0; j < nf; j++)
                f->X[k * nx + r] += factor[j] * work[j * nx + r];
        }
    }
    *affine = true;
    for (int r = 0; r < nx; r++) {
        double most = 0;
        *affine &= fit_row(f, nx, r, work) <= AFFINE_ERROR * scale[r];
        for (int k = 0; k <= nx; k++)
            most = fmax(most, fabs(work[k]));
        b[r] = work[nx];
        for (int k = 0; k < nx; k++) {
            L[r * nx + k] = fabs(work[k]) > COEFFICIENT_ROUNDOFF * fmax(most, scale[r])
                                ? work[k] / scale[k]
                                : 0;
            b[r] -= L[r * nx + k] * about[k];
        }
        if (!(fabs(b[r]) > COEFFICIENT_ROUNDOFF * fmax(most, scale[r])))
            b[r] = 0;
    }
    return ZW_OK;
}

/* removes the entries of ignorable coordinates; is anything left? */
static bool without_ignorable(const zw_orbits *o, double *L, double *b) {
    int nx = o->nx;
    bool any = false;
    for (int r = 0; r < nx; r++) {
        b[r] = o->essential[r] ? b[r] : 0;
        any |= b[r] != 0;
        for (int k = 0; k < nx; k++) {
            double *to = &L[r * nx + k];
            *to = o->essential[r] && o->essential[k] ? *to : 0;
            any |= *to != 0;
        }
    }
    return any;
}

static zw_status take_all(zw_orbits *o, const zw_symmetries *s, const double *x,
                          const double *scale, zw_error *err) {
    zw_orbits_group *g = &o->group;
    int nx = o->nx;
    fit f;
    double *work = ZW_NEW(&o->arena, double, (s->nfield + 1) * (nx + 1) + 1);
    g->L = ZW_NEW(&o->arena, double, s->n *nx *nx + 1);
    g->b = ZW_NEW(&o->arena, double, s->n *nx + 1);
    g->theta = ZW_NEW(&o->arena, double, s->n + 1);
    g->rate = ZW_NEW(&o->arena, double, s->n + 1);
    g->combination = ZW_NEW(&o->arena, double, s->n * s->nfield + 1);
    g->size = ZW_NEW(&o->arena, double, nx + 1);
    g->moved = ZW_NEW(&o->arena, bool, nx + 1);
    g->work = ZW_NEW(&o->arena, double, work_size(o) + 3 * nx + MOST * (nx + MOST + 2));
    g->wraps = ZW_NEW(&o->arena, double, nx + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(make_fit(o, &f, x, scale, err));
    memcpy(g->size, scale, sizeof(double) * (size_t)nx);
    g->nfield = s->nfield;
    for (int i = 0; i < s->n && g->n < MOST; i++) {
        double *L = g->L + (size_t)(g->n * nx * nx), *b = g->b + (size_t)(g->n * nx);
        bool affine;
        ZW_TRY(take_field(o, s, i, &f, x, scale, L, b, work, &affine, err));
        if (!affine || !without_ignorable(o, L, b))
            continue;
        memcpy(g->combination + (size_t)(g->n * s->nfield),
               s->combination + (size_t)(i * s->nfield), sizeof(double) * (size_t)s->nfield);
        g->n++;
    }
    memcpy(g->wraps, o->wraps, sizeof(double) * (size_t)nx);
    return ZW_OK;
}

/* notes the entries that they move; angles that they shift need not come back by whole turns */
static void note_moved(zw_orbits *o) {
    zw_orbits_group *g = &o->group;
    int nx = o->nx;
    for (int r = 0; r < nx; r++) {
        g->moved[r] = false;
        o->wraps[r] = g->wraps[r];
        for (int i = 0; i < g->n; i++) {
            double part = fabs(g->b[i * nx + r]);
            if (part != 0)
                o->wraps[r] = 0;
            for (int k = 0; k < nx; k++)
                part += fabs(g->L[(i * nx + r) * nx + k]);
            g->moved[r] |= part != 0;
        }
    }
}

zw_status zw_orbits_find_group(zw_orbits *o, zw_error *err) {
    zw_symmetries s = {0};
    zw_error trouble = {0};
    zw_arena_mark mark = zw_arena_mark_now(&o->arena);
    double *x = ZW_NEW(&o->arena, double, 2 * o->nx + 1);
    if (!x)
        return zw_out_of_memory(err, NULL);
    double *scale = x + o->nx;
    if (o->half.on || o->sys->nv == 0 || o->kernel->nfield == 0)
        return ZW_OK;
    memcpy(o->now, o->p, sizeof(double) * (size_t)(o->sys->np + 1));
    zw_status status = zw_orbits_start_state(o, x, &trouble);
    if (status >= 0)
        status = zw_steady_scale(o->flow, 0, x, o->width, scale, &trouble);
    if (status >= 0)
        status = zw_symmetries_find(&s, o->flow, 0, x, scale, &trouble);
    if (status >= 0 && s.n > 0)
        status = take_all(o, &s, x, scale, &trouble);
    else
        zw_arena_release(&o->arena, mark);
    zw_symmetries_clear(&s);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (status < 0) /* without values there are no known symmetries */
        o->group.n = 0;
    o->group.all = o->group.n;
    if (o->group.n)
        note_moved(o);
    return ZW_OK;
}

/* ---------------------------------------------------------------------------- the nearest image */

static void apply_group(zw_orbits *o, const double *theta, double by, const double *x,
                        double *out) {
    zw_orbits_group *g = &o->group;
    int n = o->nx, m = n + 1;
    double *E = g->work;
    zw_affine_exp(n, g->n, g->L, g->b, theta, by, E, E + (size_t)(m * m));
    for (int r = 0; r < n; r++) {
        out[r] = E[r * m + n];
        for (int k = 0; k < n; k++)
            out[r] += E[r * m + k] * x[k];
    }
}

void zw_orbits_group_move(zw_orbits *o, double times, double *x) {
    if (!o->group.n || times == 0)
        return;
    double *out = o->group.work + work_size(o);
    apply_group(o, o->group.theta, times, x, out);
    memcpy(x, out, sizeof(double) * (size_t)o->nx);
}

static double state_distance(const zw_orbits *o, const double *a, const double *b,
                             const double *size) {
    double sum = 0;
    for (int r = 0; r < o->nx; r++)
        if (size[r] > 0) {
            double d = zw_orbits_reduce_turns(o, r, a[r] - b[r]);
            sum += d * d / (size[r] * size[r]);
        }
    return sqrt(sum);
}

/* least squares in theta from a guess, by the Gauss-Newton method */
static double align_from(zw_orbits *o, const double *a, const double *x, const double *size,
                         double *theta, double *out) {
    zw_orbits_group *g = &o->group;
    int n = o->nx, G = g->n;
    double *X = g->work + work_size(o) + 3 * n, *N = X + (size_t)(MOST * n),
           *d = N + (size_t)(MOST * MOST), best = INFINITY;
    int pivot[MOST];
    for (int step = 0; step < STEPS; step++) {
        apply_group(o, theta, -1, x, out);
        double now = state_distance(o, a, out, size);
        if (!(now < best * (1 - DISTANCE_CONVERGED)) && step > 0 && now < INFINITY)
            return now;
        best = now;
        for (int i = 0; i < G; i++)
            for (int r = 0; r < n; r++) {
                double sum = g->b[i * n + r];
                for (int k = 0; k < n; k++)
                    sum += g->L[(i * n + r) * n + k] * out[k];
                X[i * n + r] = size[r] > 0 ? sum / size[r] : 0;
            }
        for (int i = 0; i < G; i++) {
            d[i] = 0;
            for (int r = 0; r < n; r++)
                if (size[r] > 0)
                    d[i] += X[i * n + r] * zw_orbits_reduce_turns(o, r, out[r] - a[r]) / size[r];
            for (int k = 0; k < G; k++) {
                N[i * G + k] = 0;
                for (int r = 0; r < n; r++)
                    N[i * G + k] += X[i * n + r] * X[k * n + r];
            }
        }
        for (int i = 0; i < G; i++)
            if (!(N[i * G + i] > STATE_MOVES * STATE_MOVES))
                return now;
        if (!(zw_num_lu(G, N, pivot) > ZW_ROUNDOFF_VALUE))
            return now;
        zw_num_lu_solve(G, N, pivot, 1, d);
        for (int i = 0; i < G; i++)
            theta[i] += d[i];
    }
    return best;
}

/* the period of a generator: 2 pi over its slowest frequency; 0 for shifts */
static double round_of(const zw_orbits *o, int g) {
    double most = 0;
    for (int i = 0; i < o->nx * o->nx; i++)
        most = fmax(most, fabs(o->group.L[g * o->nx * o->nx + i]));
    return most > 0 ? 2 * M_PI / most : 0;
}

double zw_orbits_align(zw_orbits *o, const double *a, const double *x, const double *size,
                       bool anywhere, double *theta, double *out) {
    zw_orbits_group *g = &o->group;
    double try[MOST], best = INFINITY;
    int G = g->n, all = 1;
    if (G == 0) {
        memcpy(out, x, sizeof(double) * (size_t)o->nx);
        return state_distance(o, a, x, size);
    }
    if (!anywhere)
        return align_from(o, a, x, size, theta, out);
    for (int i = 0; i < G && all * ROUND <= GRID; i++)
        all *= ROUND;
    double found[MOST] = {0};
    for (int k = 0; k < all; k++) {
        int digits = k;
        for (int i = 0; i < G; i++, digits /= ROUND)
            try[i] = round_of(o, i) * (digits % ROUND) / ROUND;
        double d = align_from(o, a, x, size, try, out);
        if (d < best * (1 - DISTANCE_BETTER)) {
            best = d;
            memcpy(found, try, sizeof(double) * (size_t)G);
        }
    }
    memcpy(theta, found, sizeof(double) * (size_t)G);
    apply_group(o, theta, -1, x, out);
    return best;
}

/* ------------------------------------------------------------------------------------ selection */

/* A_g x relative to the sizes of the state */
static void field_at(const zw_orbits *o, int g, const double *x, const double *size, double *out) {
    int n = o->nx;
    for (int r = 0; r < n; r++) {
        out[r] = o->group.b[g * n + r];
        for (int k = 0; k < n; k++)
            out[r] += o->group.L[(g * n + r) * n + k] * x[k];
        out[r] /= size[r];
    }
}

/* distance of the last of m columns (each SAMPLES x nx) from the span of the others, relative to
 * its norm */
static double column_excess(int m, int length, double *column) {
    double left = 0;
    for (int i = 0; i < m; i++) {
        double *v = column + (size_t)i * (size_t)length, before = zw_dense_norm(length, v);
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < i; k++) {
                const double *u = column + (size_t)k * (size_t)length;
                double dot = 0;
                for (int r = 0; r < length; r++)
                    dot += u[r] * v[r];
                for (int r = 0; r < length; r++)
                    v[r] -= dot * u[r];
            }
        double after = zw_dense_norm(length, v);
        left = before > 0 ? after / before : 0;
        for (int r = 0; r < length && after > 0; r++)
            v[r] /= after;
    }
    return left;
}

static void swap(double *a, double *b, int n) {
    for (int i = 0; i < n; i++) {
        double t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

/* moves symmetry i after those in use: another motion may need it */
static void exclude_symmetry(zw_orbits *o, int i) {
    zw_orbits_group *g = &o->group;
    int n = o->nx, last = --g->n;
    if (i == last)
        return;
    swap(g->L + (size_t)(i * n * n), g->L + (size_t)(last * n * n), n * n);
    swap(g->b + (size_t)(i * n), g->b + (size_t)(last * n), n);
    swap(g->combination + (size_t)(i * g->nfield), g->combination + (size_t)(last * g->nfield),
         g->nfield);
}

zw_status zw_orbits_choose_group(zw_orbits *o, const zw_orbit *about, zw_error *err) {
    zw_orbits_group *g = &o->group;
    int n = o->nx, length = SAMPLES * n;
    zw_arena_mark mark = zw_arena_mark_now(&o->arena);
    if (g->all == 0)
        return ZW_OK;
    double *column = ZW_NEW(&o->arena, double, (g->all + 1) * length + 1),
           *x = ZW_NEW(&o->arena, double, 2 * n + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    g->n = g->all;
    for (int i = 0; i < g->n;) {
        for (int l = 0; l < SAMPLES; l++) {
            ZW_TRY(about->at(about->user, about->start + about->period * l / SAMPLES, x, err));
            for (int k = 0; k <= i; k++)
                field_at(o, k, x, g->size, column + (size_t)k * (size_t)length + (size_t)(l * n));
        }
        double size = zw_dense_norm(length, column + (size_t)i * (size_t)length);
        if (size > FIELD_MOVES && column_excess(i + 1, length, column) > FIELD_MOVES)
            i++;
        else
            exclude_symmetry(o, i);
    }
    if (g->n > 0) { /* is the motion itself one of them? */
        for (int l = 0; l < SAMPLES; l++) {
            double t = about->start + about->period * l / SAMPLES;
            ZW_TRY(about->at(about->user, t, x, err));
            ZW_TRY(zw_flow_rates(o->flow, t, x, x + n, NULL, err));
            for (int r = 0; r < n; r++)
                column[g->n * length + l * n + r] = o->essential[r] ? x[n + r] / g->size[r] : 0;
            for (int k = 0; k < g->n; k++)
                field_at(o, k, x, g->size, column + (size_t)k * (size_t)length + (size_t)(l * n));
        }
        g->steady = column_excess(g->n + 1, length, column) <= FIELD_MOVES;
        if (g->steady)
            g->n = 0;
    }
    zw_arena_release(&o->arena, mark);
    note_moved(o);
    return ZW_OK;
}

zw_status zw_orbits_check_group(zw_orbits *o, zw_error *err) {
    zw_orbits_group *g = &o->group;
    int n = o->nx;
    if (g->n == 0)
        return ZW_OK;
    zw_arena_mark mark = zw_arena_mark_now(&o->arena);
    double *x = ZW_NEW(&o->arena, double, 3 * n + 1), *J = ZW_NEW(&o->arena, double, n *n + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    double *f = x + n, *A = f + n;
    for (int l = 0; l < 3; l++) {
        zw_colloc_state(o->c, o->x, l / 3., x, NULL);
        ZW_TRY(zw_flow_rates(o->flow, 0, x, f, NULL, err));
        ZW_TRY(zw_flow_jacobian(o->flow, 0, x, J, NULL, err));
        for (int i = 0; i < g->n; i++) {
            double worst = 0, size = 0;
            for (int r = 0; r < n; r++)
                A[r] = g->b[i * n + r];
            for (int r = 0; r < n; r++)
                for (int k = 0; k < n; k++)
                    A[r] += g->L[(i * n + r) * n + k] * x[k];
            for (int r = 0; r < n; r++) {
                double sum = 0, parts = 0;
                for (int k = 0; k < n && o->essential[r]; k++) {
                    sum += J[r * n + k] * A[k] - g->L[(i * n + r) * n + k] * f[k];
                    parts += fabs(J[r * n + k] * A[k]) + fabs(g->L[(i * n + r) * n + k] * f[k]);
                }
                worst = fmax(worst, fabs(sum) / g->size[r]);
                size = fmax(size, parts / g->size[r]);
            }
            if (worst > COMMUTATOR_ERROR * size)
                return zw_fail(err, ZW_E_NUMERIC,
                               "a symmetry of the model at its own parameters, but for which "
                               "orbits were to close, is none here");
        }
    }
    zw_arena_release(&o->arena, mark);
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- words */

bool zw_orbits_is_shifted(const zw_orbits *o, int i) {
    const zw_orbits_group *g = &o->group;
    bool shifted = false;
    for (int k = 0; k < g->n; k++) {
        shifted |= g->b[k * o->nx + i] != 0;
        for (int l = 0; l < o->nx; l++)
            if (g->L[(k * o->nx + i) * o->nx + l] != 0)
                return false;
    }
    return shifted;
}

void zw_orbits_put_group(zw_text *out, const zw_orbits *o, int g) {
    const zw_orbits_group *of = &o->group;
    zw_displacement *field;
    int n;
    bool first = true;
    if (zw_equations_displacements(&o->eq, &field, &n, NULL) < 0 || n != of->nfield)
        return;
    for (int j = 0; j < n; j++) {
        double factor = of->combination[g * n + j];
        char name[128];
        if (factor == 0)
            continue;
        zw_displacement_name(o->sys, &field[j], name, sizeof name);
        zw_text_put(out, first ? (factor < 0 ? "-" : "") : factor < 0 ? " - " : " + ");
        if (fabs(factor) != 1)
            zw_text_printf(out, "%.6g ", fabs(factor));
        zw_text_put(out, name);
        first = false;
    }
}
