/* SPDX-License-Identifier: MIT */
/* The interior path on the law of contact itself. Besides r and u each friction block has a slip multiplier l. With
 * b = r_F/(mu r_N) in C, its gauge j, y = grad(j^2/2) (law.h), z = r_N (1 - j^2):
 *
 *     r_N u_N = sigma,    u_F + l y = 0,    l z = k sigma,    r_N, u_N, l, z > 0.
 *
 * sigma -> 0 gives Signorini's conditions and friction: sticking l -> 0, slipping z -> 0 with l = D(u_F), open r -> 0 with
 * l and b bounded. Nothing is non-smooth at u_F = 0. Newton's equations have the blocks
 *
 *     D_NN = r_N/u_N,  D_FN = D_NN 2 mu b/(1 + j^2),  D_FF = (mu r_N/l)(B - 2 b b'/(1 + j^2)),
 *     c = D (c1/r_N, c2 - y c3/z),     dz = (1 + j^2) dr_N - (2/mu) y.dr_F,     dl = (c3 - l dz)/z,
 *     dy = B^-1 (dr_F/mu - b dr_N)/r_N,
 *
 * and for a smoothed law l (1 - j) = k sigma/(r_N (1 + j)) + eps, which adds eps to sticking. A predictor to sigma = 0 tells
 * how far to go, a corrector with its second-order terms goes (Mehrotra's rule). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "solver.h"

enum { STEPS_MAX = 120 };
#define TINY_GAP 1e-14  /* of the products: smaller ones hurt more than they help */
#define TINY_OPEN 1e-13 /* of rp: rounding must not be fed to contacts that are almost closed */
#define SHORT_STEP 0.1

typedef struct mover {
    zw_contact_solver *s;
    double sigma;
} mover;

static const zw_friction *block_of(const zw_contact_solver *s, int contact, int k) {
    return &s->problem->law[contact].block[k];
}

static bool is_alive(const zw_friction *f) {
    return f->kind != ZW_FRICTION_LINEAR && f->mu > 0;
}

/* Every contact, and every block of friction of it. */
#define EACH_CONTACT(s, i) for (int i = 0; i < (s)->problem->ncontact; i++)
#define EACH_BLOCK(s, i, k, at)                                                                    \
    for (int k = 0, at = 1; k < (s)->problem->law[i].nblock;                                       \
         at += (s)->problem->law[i].block[k++].nrow)

/* --------------------------------------------------------------------------------------------- start */

static void set_start(zw_contact_solver *s, double start, unsigned weights) {
    zw_random random = zw_random_stream(weights, 5);
    memset(s->r, 0, sizeof *s->r * (size_t)s->nrow);
    memset(s->u, 0, sizeof *s->u * (size_t)s->nrow);
    memset(s->w, 0, sizeof *s->w * (size_t)s->ncol);
    EACH_CONTACT(s, i) {
        double factor = weights ? exp(zw_random_real(&random, -2, 2)) : 1;
        s->r[s->row[i]] = s->u[s->row[i]] = start * factor;
        EACH_BLOCK(s, i, k, at) {
            const zw_friction *f = block_of(s, i, k);
            zw_contact_block_state *b = &s->state[s->block0[i] + k];
            *b = (zw_contact_block_state){.k = f->mu > 1 ? 1 / f->mu : 1,
                                          .smooth = zw_contact_smoothing(s, i, f)};
            b->l = b->k * start * factor + b->smooth;
        }
    }
}

/* j, y, B, z of all blocks */
static void look(zw_contact_solver *s) {
    EACH_CONTACT(s, i) {
        const double *r = s->r + s->row[i];
        EACH_BLOCK(s, i, k, at) {
            const zw_friction *f = block_of(s, i, k);
            zw_contact_block_state *b = &s->state[s->block0[i] + k];
            if (!is_alive(f))
                continue;
            for (int a = 0; a < f->nrow; a++)
                b->b[a] = r[at + a] / (f->mu * r[0]);
            zw_law_gauge_at(f, b->b, &b->g);
            b->z = r[0] * (1 - b->g.j) * (1 + b->g.j);
        }
    }
}

/* l z beyond what the smoothed law has of it anyway */
static double product(const zw_contact_solver *s, int i, const zw_contact_block_state *b) {
    return b->l * b->z - b->smooth * s->r[s->row[i]] * (1 + b->g.j);
}

/* the mean of the products that go to zero, at a part of the way */
static double mean_gap(const zw_contact_solver *s, double part) {
    double sum = 0;
    int n = 0;
    EACH_CONTACT(s, i) {
        int N = s->row[i];
        sum += (s->r[N] + part * s->dr[N]) * (s->u[N] + part * s->du[N]);
        n++;
        EACH_BLOCK(s, i, k, at) {
            const zw_contact_block_state *b = &s->state[s->block0[i] + k];
            if (!is_alive(block_of(s, i, k)))
                continue;
            double smooth = b->smooth * (s->r[N] + part * s->dr[N]) * (1 + b->g.j);
            sum += fmax(0, (b->l + part * b->dl) * (b->z + part * b->dz) - smooth) / b->k;
            n++;
        }
    }
    return n ? sum / n : 0;
}

/* --------------------------------------------------------------------------------------- the matrices */

static void block_matrix(const zw_contact_solver *s, int i, const zw_friction *f,
                         const zw_contact_block_state *b, int at) {
    int m = zw_contact_rows(s, i), n = f->nrow;
    double rN = s->r[s->row[i]], uN = s->u[s->row[i]], *D = s->D + s->square[i];
    if (f->kind == ZW_FRICTION_LINEAR)
        for (int a = 0; a < n; a++)
            D[(at + a) * m + at + a] = zw_contact_damping(s, i, f);
    if (!is_alive(f))
        return;
    double j = b->g.j, ej = 2 * b->l * j + b->smooth, /* e j, e = 2 l + eps/j */
        whole = b->l * (1 - j) * (1 + j) + ej * j, bend = j > 0 ? ej / (j * whole) : 0,
           pull = rN / uN * f->mu * (2 * b->l - b->smooth) / whole;
    for (int a = 0; a < n; a++) {
        D[(at + a) * m] = pull * b->b[a];
        for (int c = 0; c < n; c++)
            D[(at + a) * m + at + c] =
                f->mu * rN / b->l * (b->g.B[a * n + c] - bend * b->b[a] * b->b[c]);
    }
}

static void set_matrices(zw_contact_solver *s) {
    memset(s->D, 0, sizeof *s->D * (size_t)s->square[s->problem->ncontact]);
    EACH_CONTACT(s, i) {
        s->D[s->square[i]] = s->r[s->row[i]] / s->u[s->row[i]];
        EACH_BLOCK(s, i, k, at)
        block_matrix(s, i, block_of(s, i, k), &s->state[s->block0[i] + k], at);
    }
}

/* -------------------------------------------------------------------------------------- the direction */

/* c of contact i: products are to become sigma; second: the part of the second-order terms of the last direction */
static void set_right(zw_contact_solver *s, int i, double sigma, double second) {
    int m = zw_contact_rows(s, i), row = s->row[i];
    const double *r = s->r + row, *u = s->u + row, *D = s->D + s->square[i];
    double wish[ZW_CONTACT_ROWS_MAX] = {0}, *c = s->c + row;
    wish[0] = (sigma - r[0] * u[0] - second * s->du[row] * s->dr[row]) / r[0];
    EACH_BLOCK(s, i, k, at) {
        const zw_friction *f = block_of(s, i, k);
        const zw_contact_block_state *b = &s->state[s->block0[i] + k];
        if (!is_alive(f))
            continue;
        double c3 = b->k * sigma - product(s, i, b) - second * b->dl * b->dz;
        for (int a = 0; a < f->nrow; a++)
            wish[at + a] =
                -(u[at + a] + b->l * b->g.y[a]) - second * b->dl * b->dy[a] - b->g.y[a] * c3 / b->z;
    }
    for (int a = 0; a < m; a++) {
        c[a] = 0;
        for (int l = 0; l < m; l++)
            c[a] += D[a * m + l] * wish[l];
    }
    EACH_BLOCK(s, i, k, at) {
        const zw_friction *f = block_of(s, i, k);
        for (int a = at; !is_alive(f) && a < at + f->nrow; a++)
            c[a] = -r[a] - D[a * m + a] * u[a];
    }
}

/* x = B^-1 x of the block, by elimination: B is symmetric and positive */
static void undo(int n, const double *B, double *x) {
    double A[ZW_LAW_MAX * ZW_LAW_MAX];
    memcpy(A, B, sizeof *A * (size_t)(n * n));
    for (int j = 0; j < n; j++)
        for (int i = j + 1; i < n; i++) {
            double f = A[i * n + j] / A[j * n + j];
            for (int k = j; k < n; k++)
                A[i * n + k] -= f * A[j * n + k];
            x[i] -= f * x[j];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            x[i] -= A[i * n + k] * x[k];
        x[i] /= A[i * n + i];
    }
}

/* dz, dl, dy that belong to dr; c3 as in set_right, from before the direction changed */
static void follow(zw_contact_solver *s, int i, double sigma, double second) {
    int row = s->row[i];
    double drN = s->dr[row], rN = s->r[row];
    EACH_BLOCK(s, i, k, at) {
        const zw_friction *f = block_of(s, i, k);
        zw_contact_block_state *b = &s->state[s->block0[i] + k];
        if (!is_alive(f))
            continue;
        double c3 = b->k * sigma - product(s, i, b) - second * b->dl * b->dz, along = 0;
        for (int a = 0; a < f->nrow; a++) {
            double dr = s->dr[row + at + a];
            along += b->g.y[a] * dr;
            b->dy[a] = (dr / f->mu - b->b[a] * drN) / rN;
        }
        undo(f->nrow, b->g.B, b->dy);
        b->dz = (1 + b->g.j * b->g.j) * drN - 2 / f->mu * along;
        double eased =
            b->smooth > 0 ? b->smooth * (drN + (b->g.j > 0 ? along / (f->mu * b->g.j) : 0)) : 0;
        b->dl = (c3 - b->l * b->dz + eased) / b->z;
    }
}

static void find_direction(zw_contact_solver *s, double sigma, double second) {
    EACH_CONTACT(s, i)
    set_right(s, i, sigma, second);
    zw_contact_matrix_step(s);
    EACH_CONTACT(s, i)
    follow(s, i, sigma, second);
}

/* ------------------------------------------------------------------------------------- how far to go */

static void limit(double value, double change, double *most) {
    if (value + *most * change < 0)
        *most = -value / change;
}

/* where mu r_N - |r_F/axis| gets zero: the least positive root of a quadratic */
static void limit_ellipsoid(const zw_friction *f, double rN, double drN, const double *r,
                            const double *dr, double *most) {
    double rr = 0, rd = 0, dd = 0;
    for (int a = 0; a < f->nrow; a++) {
        double x = r[a] / f->axis[a], y = dr[a] / f->axis[a];
        rr += x * x;
        rd += x * y;
        dd += y * y;
    }
    double N = f->mu * rN, dN = f->mu * drN, t = sqrt(rr), A = dN * dN - dd, B = N * dN - rd,
           C = (N - t) * (N + t), under = B * B - A * C;
    if (under < 0 || (B >= 0 && A >= 0))
        return;
    double root = B < 0 ? C / (-B + sqrt(under)) : (B + sqrt(under)) / -A;
    if (root >= 0 && root < *most)
        *most = root;
}

/* mu r_N - j(r_F) is concave along the way, so Newton's method from behind comes down to its zero */
static void limit_body(const zw_friction *f, double rN, double drN, const double *r,
                       const double *dr, double *most) {
    for (int step = 0; step < 40; step++) {
        double x[ZW_LAW_MAX], slope = f->mu * drN;
        zw_law_gauge g;
        for (int a = 0; a < f->nrow; a++)
            x[a] = r[a] + *most * dr[a];
        zw_law_gauge_at(f, x, &g);
        double value = f->mu * (rN + *most * drN) - g.j;
        if (value >= 0 || !(g.j > 0))
            return;
        for (int a = 0; a < f->nrow; a++)
            slope -= g.y[a] / g.j * dr[a];
        double next = *most - value / slope;
        if (!(next >= 0) || next > *most * (1 - 4 * DBL_EPSILON))
            return;
        *most = next;
    }
}

static double boundary(const zw_contact_solver *s) {
    double most = 1.1;
    EACH_CONTACT(s, i) {
        int N = s->row[i];
        limit(s->r[N], s->dr[N], &most);
        limit(s->u[N], s->du[N], &most);
        EACH_BLOCK(s, i, k, at) {
            const zw_friction *f = block_of(s, i, k);
            const zw_contact_block_state *b = &s->state[s->block0[i] + k];
            if (!is_alive(f))
                continue;
            limit(b->l, b->dl, &most);
            if (f->kind == ZW_FRICTION_CONTENSOU)
                limit_body(f, s->r[N], s->dr[N], s->r + N + at, s->dr + N + at, &most);
            else
                limit_ellipsoid(f, s->r[N], s->dr[N], s->r + N + at, s->dr + N + at, &most);
        }
    }
    return most;
}

static double shorten(double most, double gap) {
    double part = fmin(fmax(0.95, 1 - gap), 1 - 1e-3);
    return fmin(1, part * most);
}

static void go(zw_contact_solver *s, double part) {
    for (int k = 0; k < s->nrow; k++) {
        s->r[k] += part * s->dr[k];
        s->u[k] += part * s->du[k];
    }
    for (int k = 0; k < s->ncol; k++)
        s->w[k] += part * s->dw[k];
    for (int k = 0; k < s->nblock; k++)
        s->state[k].l += part * s->state[k].dl;
}

/* -------------------------------------------------------------------------------------------- the path */

/* rd = w - H'P r, rp = u - H w - q */
static void find_open(zw_contact_solver *s) {
    double most = 0;
    zw_contact_gather(s, s->r, s->rd);
    for (int k = 0; k < s->ncol; k++)
        s->rd[k] = s->w[k] - s->rd[k];
    zw_contact_spread(s, s->w, true, s->rp);
    for (int k = 0; k < s->nrow; k++) {
        s->rp[k] = s->u[k] - s->rp[k];
        most = fmax(most, fabs(s->rp[k]));
    }
    if (most < TINY_OPEN)
        memset(s->rp, 0, sizeof *s->rp * (size_t)s->nrow);
}

/* residual of r without a trace in the iteration */
static double judge_aside(zw_contact_solver *s, double *u, double *w) {
    memcpy(u, s->u, sizeof *u * (size_t)s->nrow);
    memcpy(w, s->w, sizeof *w * (size_t)s->ncol);
    double residual = zw_contact_judge(s, s->r);
    memcpy(s->u, u, sizeof *u * (size_t)s->nrow);
    memcpy(s->w, w, sizeof *w * (size_t)s->ncol);
    return residual;
}

/* one step; false: the matrix was singular, or nothing moves */
static bool advance(zw_contact_solver *s, double gap) {
    find_open(s);
    set_matrices(s);
    if (!zw_contact_matrix_factor(s))
        return false;
    find_direction(s, 0, 0);
    double affine = fmin(1, boundary(s)), ahead = mean_gap(s, affine),
           sigma = gap * fmax(pow(ahead / gap, 3), pow(1 - affine, 3));
    find_direction(s, sigma, affine);
    double part = shorten(boundary(s), gap);
    if (part < SHORT_STEP) { /* the second-order terms may be what stands in the way */
        find_direction(s, fmax(sigma, 0.3 * gap), 0);
        part = shorten(boundary(s), gap);
    }
    if (!(part > 0) || !isfinite(part))
        return false;
    go(s, part);
    return true;
}

typedef struct progress {
    double best;
    int since, step;
} progress;

/* has the residual stopped getting better? */
static bool is_stuck(progress *p, double residual) {
    if (residual < 0.7 * p->best)
        p->since = 0;
    else
        p->since++;
    p->step++;
    return (p->step > 25 && p->since >= 9) || (p->best < 1e-7 && p->since >= 3);
}

double zw_contact_path(zw_contact_solver *s, double start, unsigned weights, double tolerance,
                       int *steps) {
    progress p = {.best = HUGE_VAL};
    set_start(s, start, weights);
    for (int step = 0; step < STEPS_MAX; step++) {
        look(s);
        double residual = judge_aside(s, s->du, s->dw), gap;
        memset(s->dr, 0, sizeof *s->dr * (size_t)s->nrow);
        gap = mean_gap(s, 0);
        bool stuck = is_stuck(&p, residual);
        if (residual < p.best) {
            p.best = residual;
            memcpy(s->best, s->r, sizeof *s->r * (size_t)s->nrow);
        }
        if (residual <= tolerance || gap < TINY_GAP || stuck || !isfinite(gap) || !advance(s, gap))
            break;
        ++*steps;
    }
    return p.best;
}
