/* SPDX-License-Identifier: MIT */
/* The interior path on the unmodified law of contact. Besides r and u each friction block has a
 * slip multiplier l. With b = r_F/(mu r_N) in C, its gauge j, y = grad(j^2/2) (law.h), z = r_N (1 -
 * j^2):
 *
 *     r_N u_N = sigma,    u_F + l y = 0,    l z = k sigma,    r_N, u_N, l, z > 0.
 *
 * sigma -> 0 gives Signorini's conditions and friction: sticking l -> 0, slipping z -> 0 with l =
 * D(u_F), open r -> 0 with l and b bounded. Nothing is non-smooth at u_F = 0. Newton's equations
 * have the blocks
 *
 *     D_NN = r_N/u_N,  D_FN = D_NN 2 mu b/(1 + j^2),  D_FF = (mu r_N/l)(B - 2 b b'/(1 + j^2)),
 *     c = D (c1/r_N, c2 - y c3/z),     dz = (1 + j^2) dr_N - (2/mu) y.dr_F,     dl = (c3 - l dz)/z,
 *     dy = B^-1 (dr_F/mu - b dr_N)/r_N,
 *
 * and for a smoothed law l (1 - j) = k sigma/(r_N (1 + j)) + eps, which adds eps to sticking. A
 * predictor to sigma = 0 gives the next sigma, a corrector with its second-order terms makes the
 * step (Mehrotra's rule). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/tolerance.h"
#include "kernels.h"
#include "solver.h"

/* Steps of the path; refinements of a direction; steps and patience of Newton's method; short steps
 * after which the path ends. Limits chosen by trial. */
enum { STEPS_MAX = 120, REFINEMENTS = 2, LEAP_STEPS = 10, LEAP_PATIENCE = 3, BRIEF_STEPS = 5 };
/* Mean product at which the path ends: 45 eps. Below, the matrices are singular to round-off. */
#define GAP_LAST 1e-14
/* Largest entry of rp that is set to 0: round-off of scaled velocities, which D_NN = r_N/u_N of
 * almost closed contacts would amplify. */
#define RP_ROUNDOFF ZW_ROUNDOFF_VALUE
/* |rd| relative to w at which w is set to H'P r, the velocities of the impulses: 4 eps. */
#define RD_ROUNDOFF 1e-15
/* Mean product above which directions are not refined: their error is about eps over it. */
#define UNREFINED_ABOVE 1e-4
/* Step, as a fraction of the Newton step, below which the second-order terms are left out. */
#define SHORT_STEP 0.1
/* Newton's method is tried below the residual LEAP_FIRST, and again when the residual is smaller by
 * the factor LEAP_NEXT. Chosen by trial: separates points near the solution, from which Newton's
 * method converges, from earlier ones. */
#define LEAP_FIRST 1e-3
#define LEAP_NEXT 30
/* Least distance from the boundary after a step, as a fraction of the way to it: with 1 - gap alone
 * the last steps would put products on the boundary. */
#define BOUNDARY_KEPT 1e-3
/* Residual below which the path may end after three steps without progress: it is limited by
 * round-off there, and Newton's method converges from it. */
#define RESIDUAL_FINAL 1e-7

static const zw_friction *block_of(const zw_contact_solver *s, int contact, int k) {
    return &s->problem->law[contact].block[k];
}

static bool is_alive(const zw_friction *f) {
    return f->kind != ZW_FRICTION_LINEAR && f->mu > 0;
}

/* Every contact, and every block of friction of it. Discs in the plane, where y = b and B = 1, are
 * written out. */
#define EACH_CONTACT(s, i) for (int i = 0; i < (s)->ncontact; i++)
#define EACH_BLOCK(s, i, k, at)                                                                    \
    for (int k = 0, at = 1; k < (s)->problem->law[i].nblock;                                       \
         at += (s)->problem->law[i].block[k++].nrow)

static double mu_of(const zw_contact_solver *s, int i) {
    return s->problem->law[i].block[0].mu;
}

/* ---------------------------------------------------------------------------------------- start */

static void set_start(zw_contact_solver *s, double start, unsigned weights) {
    zw_random random = zw_random_stream(weights, 5);
    memset(s->r, 0, sizeof *s->r * (size_t)s->nrow);
    memset(s->u, 0, sizeof *s->u * (size_t)s->nrow);
    memset(s->w, 0, sizeof *s->w * (size_t)s->ncol);
    EACH_CONTACT(s, i) {
        double factor = weights ? exp(zw_random_real(&random, -2, 2)) : 1;
        s->r[s->row[i]] = s->u[s->row[i]] = start * factor;
        for (int k = 0; k < s->problem->law[i].nblock; k++) {
            const zw_friction *f = block_of(s, i, k);
            zw_contact_block_state *b = &s->state[s->block0[i] + k];
            b->k = f->mu > 1 ? 1 / f->mu : 1;
            b->smooth = zw_contact_smoothing(s, i, f);
            b->l = b->k * start * factor + b->smooth;
            b->dl = b->dz = 0;
        }
    }
}

static void evaluate_disc(double mu, const double *r, zw_contact_block_state *b) {
    double N = mu * r[0], over = 1 / N, t = sqrt(r[1] * r[1] + r[2] * r[2]);
    b->b[0] = r[1] * over;
    b->b[1] = r[2] * over;
    b->z = (N - t) * (N + t) * over / mu;
}

static void evaluate_any(const zw_contact_solver *s, int i) {
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

/* j, y, B, z of all blocks */
static void evaluate_blocks(zw_contact_solver *s) {
    EACH_CONTACT(s, i) {
        if (s->disc[i])
            evaluate_disc(mu_of(s, i), s->r + s->row[i], &s->state[s->block0[i]]);
        else
            evaluate_any(s, i);
    }
}

/* l z beyond its value in the smoothed law */
static double excess_product(const zw_contact_solver *s, int i, const zw_contact_block_state *b) {
    return b->smooth > 0 ? b->l * b->z - b->smooth * s->r[s->row[i]] * (1 + b->g.j) : b->l * b->z;
}

static double block_gap(const zw_contact_block_state *b, double N, double part) {
    double gap = (b->l + part * b->dl) * (b->z + part * b->dz);
    return b->smooth > 0 ? zw_larger(gap - b->smooth * N * (1 + b->g.j), 0) : gap;
}

/* the mean of the products that go to zero, after a fraction of the step */
static double mean_gap(const zw_contact_solver *s, double part) {
    double sum = 0;
    int n = 0;
    EACH_CONTACT(s, i) {
        int row = s->row[i];
        double N = part > 0 ? s->r[row] + part * s->dr[row] : s->r[row];
        sum += N * (part > 0 ? s->u[row] + part * s->du[row] : s->u[row]);
        n++;
        for (int k = 0; k < s->problem->law[i].nblock; k++) {
            const zw_contact_block_state *b = &s->state[s->block0[i] + k];
            if (!is_alive(block_of(s, i, k)))
                continue;
            sum += block_gap(b, N, part) / b->k;
            n++;
        }
    }
    return n ? sum / n : 0;
}

/* --------------------------------------------------------------------------------- the matrices */

static void disc_matrix(double mu, double rN, double uN, const zw_contact_block_state *b,
                        double *D) {
    double x = b->b[0], y = b->b[1], bend = 2 / (1 + (x * x + y * y)), scale = mu * rN / b->l;
    D[0] = rN / uN;
    D[1] = D[2] = 0;
    D[3] = D[0] * mu * bend * x;
    D[6] = D[0] * mu * bend * y;
    D[4] = scale * (1 - bend * x * x);
    D[5] = D[7] = -scale * bend * x * y;
    D[8] = scale * (1 - bend * y * y);
}

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
    EACH_CONTACT(s, i) {
        double rN = s->r[s->row[i]], uN = s->u[s->row[i]], *D = s->D + s->square[i];
        int m = zw_contact_rows(s, i);
        if (s->disc[i]) {
            disc_matrix(mu_of(s, i), rN, uN, &s->state[s->block0[i]], D);
            continue;
        }
        memset(D, 0, sizeof *D * (size_t)(m * m));
        D[0] = rN / uN;
        EACH_BLOCK(s, i, k, at)
        block_matrix(s, i, block_of(s, i, k), &s->state[s->block0[i] + k], at);
    }
}

/* -------------------------------------------------------------------------------- the direction */

/* the required change of r_N u_N, divided by r_N */
static double normal_target(const zw_contact_solver *s, int row, double sigma, double second) {
    double wish = sigma - s->r[row] * s->u[row];
    return (second > 0 ? wish - second * s->du[row] * s->dr[row] : wish) / s->r[row];
}

static void right_disc(zw_contact_solver *s, int i, double sigma, double second) {
    int row = s->row[i];
    const double *u = s->u + row, *D = s->D + s->square[i];
    zw_contact_block_state *b = &s->state[s->block0[i]];
    double *c = s->c + row, wish = normal_target(s, row, sigma, second), x, y;
    b->c3 = b->k * sigma - b->l * b->z - second * b->dl * b->dz;
    x = -(u[1] + b->l * b->b[0]) - b->b[0] * b->c3 / b->z;
    y = -(u[2] + b->l * b->b[1]) - b->b[1] * b->c3 / b->z;
    if (second > 0) {
        x -= second * b->dl * b->dy[0];
        y -= second * b->dl * b->dy[1];
    }
    c[0] = D[0] * wish;
    c[1] = D[3] * wish + D[4] * x + D[5] * y;
    c[2] = D[6] * wish + D[7] * x + D[8] * y;
}

/* c of contact i: products are to become sigma; second: factor of the second-order terms of the
 * last direction */
static void right_any(zw_contact_solver *s, int i, double sigma, double second) {
    int m = zw_contact_rows(s, i), row = s->row[i];
    const double *r = s->r + row, *u = s->u + row, *D = s->D + s->square[i];
    double wish[ZW_CONTACT_ROWS_MAX] = {0}, *c = s->c + row;
    wish[0] = normal_target(s, row, sigma, second);
    EACH_BLOCK(s, i, k, at) {
        const zw_friction *f = block_of(s, i, k);
        zw_contact_block_state *b = &s->state[s->block0[i] + k];
        if (!is_alive(f))
            continue;
        b->c3 = b->k * sigma - excess_product(s, i, b) - second * b->dl * b->dz;
        for (int a = 0; a < f->nrow; a++)
            wish[at + a] = -(u[at + a] + b->l * b->g.y[a]) - b->g.y[a] * b->c3 / b->z -
                           (second > 0 ? second * b->dl * b->dy[a] : 0);
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
static void solve_block(int n, const double *B, double *x) {
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

static void follow_disc(double mu, double rN, const double *dr, zw_contact_block_state *b) {
    double x = b->b[0], y = b->b[1], over = 1 / rN;
    b->dz = (1 + (x * x + y * y)) * dr[0] - 2 / mu * (x * dr[1] + y * dr[2]);
    b->dl = (b->c3 - b->l * b->dz) / b->z;
    b->dy[0] = (dr[1] / mu - x * dr[0]) * over;
    b->dy[1] = (dr[2] / mu - y * dr[0]) * over;
}

/* dz, dl, dy that belong to dr */
static void follow_any(zw_contact_solver *s, int i) {
    int row = s->row[i];
    double drN = s->dr[row], rN = s->r[row];
    EACH_BLOCK(s, i, k, at) {
        const zw_friction *f = block_of(s, i, k);
        zw_contact_block_state *b = &s->state[s->block0[i] + k];
        if (!is_alive(f))
            continue;
        double along = 0;
        for (int a = 0; a < f->nrow; a++) {
            double dr = s->dr[row + at + a];
            along += b->g.y[a] * dr;
            b->dy[a] = (dr / f->mu - b->b[a] * drN) / rN;
        }
        solve_block(f->nrow, b->g.B, b->dy);
        b->dz = (1 + b->g.j * b->g.j) * drN - 2 / f->mu * along;
        double eased =
            b->smooth > 0 ? b->smooth * (drN + (b->g.j > 0 ? along / (f->mu * b->g.j) : 0)) : 0;
        b->dl = (b->c3 - b->l * b->dz + eased) / b->z;
    }
}

static void find_direction(zw_contact_solver *s, double sigma, double second, int refinements) {
    EACH_CONTACT(s, i) {
        if (s->disc[i])
            right_disc(s, i, sigma, second);
        else
            right_any(s, i, sigma, second);
    }
    zw_contact_matrix_step(s, refinements);
    EACH_CONTACT(s, i) {
        if (s->disc[i])
            follow_disc(mu_of(s, i), s->r[s->row[i]], s->dr + s->row[i], &s->state[s->block0[i]]);
        else
            follow_any(s, i);
    }
}

/* -------------------------------------------------------------------------------- how far to go */

static void limit_step(double value, double change, double *most) {
    if (value + *most * change < 0)
        *most = -value / change;
}

/* where mu r_N - |r_F/axis| becomes zero: the least positive root of a quadratic */
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

/* mu r_N - j(r_F) is concave along the step, so Newton's method from beyond its zero converges
 * monotonically */
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

static double boundary_step(const zw_contact_solver *s) {
    double most = 1.1;
    EACH_CONTACT(s, i) {
        int N = s->row[i];
        limit_step(s->r[N], s->dr[N], &most);
        limit_step(s->u[N], s->du[N], &most);
        EACH_BLOCK(s, i, k, at) {
            const zw_friction *f = block_of(s, i, k);
            const zw_contact_block_state *b = &s->state[s->block0[i] + k];
            if (!is_alive(f))
                continue;
            limit_step(b->l, b->dl, &most);
            if (f->kind == ZW_FRICTION_CONTENSOU)
                limit_body(f, s->r[N], s->dr[N], s->r + N + at, s->dr + N + at, &most);
            else
                limit_ellipsoid(f, s->r[N], s->dr[N], s->r + N + at, s->dr + N + at, &most);
        }
    }
    return most;
}

static double shorten_step(double most, double gap) {
    double part = zw_smaller(zw_larger(0.95, 1 - gap), 1 - BOUNDARY_KEPT);
    return zw_smaller(part * most, 1);
}

static void move_along(zw_contact_solver *s, double part) {
    for (int k = 0; k < s->nrow; k++) {
        s->r[k] += part * s->dr[k];
        s->u[k] += part * s->du[k];
    }
    for (int k = 0; k < s->ncol; k++)
        s->w[k] += part * s->dw[k];
    for (int k = 0; k < s->nblock; k++)
        s->state[k].l += part * s->state[k].dl;
}

/* ------------------------------------------------------------------------------------- the path */

typedef struct path_state {
    zw_contact_solver *s;
    double tolerance;
    double least; /* residual of s->kept, the best so far */
    double mark;  /* residual on the path at the last progress */
    double early; /* residual below which Newton's method is tried next */
    int since, step;
    int brief; /* consecutive short steps */
    int *newton;
} path_state;

/* rd = w - H'P r, rp = u - H w - q, with the products of the residual */
static void find_residuals(zw_contact_solver *s) {
    double most = 0, left = 0, size = 0;
    for (int k = 0; k < s->ncol; k++) {
        s->rd[k] = s->w[k] - s->pushed[k];
        left = zw_larger(fabs(s->rd[k]), left);
        size = zw_larger(fabs(s->w[k]), size);
    }
    if (left > RD_ROUNDOFF * size)
        zw_contact_spread(s, s->rd, false, s->trial);
    else {
        memcpy(s->w, s->pushed, sizeof *s->w * (size_t)s->ncol);
        memset(s->rd, 0, sizeof *s->rd * (size_t)s->ncol);
        memset(s->trial, 0, sizeof *s->trial * (size_t)s->nrow);
    }
    for (int k = 0; k < s->nrow; k++) {
        s->rp[k] = s->u[k] - s->made[k] - s->trial[k];
        most = zw_larger(fabs(s->rp[k]), most);
    }
    if (most < RP_ROUNDOFF)
        memset(s->rp, 0, sizeof *s->rp * (size_t)s->nrow);
}

static double cube(double x) {
    return x * x * x;
}

/* one step; false: the matrix is singular, or the steps are too short */
static bool advance_path(path_state *w, double gap) {
    zw_contact_solver *s = w->s;
    find_residuals(s);
    set_matrices(s);
    if (!zw_contact_matrix_factor(s))
        return false;
    find_direction(s, 0, 0, 0);
    double affine = zw_smaller(boundary_step(s), 1), ahead = mean_gap(s, affine),
           sigma = gap * zw_larger(cube(ahead / gap), cube(1 - affine));
    int refinements = gap > UNREFINED_ABOVE ? 0 : REFINEMENTS;
    find_direction(s, sigma, affine, refinements);
    double part = shorten_step(boundary_step(s), gap);
    if (part < SHORT_STEP) { /* the second-order terms may be the obstacle */
        find_direction(s, zw_larger(sigma, 0.3 * gap), 0, refinements);
        part = shorten_step(boundary_step(s), gap);
    }
    if (!(part > 0) || !isfinite(part))
        return false;
    move_along(s, part);
    w->brief = part < SHORT_STEP ? w->brief + 1 : 0;
    return w->brief < BRIEF_STEPS;
}

static void save_best(path_state *w, double residual, const double *r) {
    if (residual < w->least) {
        w->least = residual;
        memcpy(w->s->kept, r, sizeof *r * (size_t)w->s->nrow);
    }
}

/* has the residual stopped decreasing? */
static bool is_stuck(path_state *w, double residual) {
    w->since++;
    if (residual < 0.7 * w->mark) {
        w->mark = residual;
        w->since = 0;
    }
    w->step++;
    return (w->step > 25 && w->since >= 12) || (w->mark < RESIDUAL_FINAL && w->since >= 3);
}

/* Newton's method from here; the path can continue afterwards */
static void try_newton(path_state *w, double residual) {
    zw_contact_solver *s = w->s;
    size_t bytes = sizeof *s->r * (size_t)s->nrow;
    memcpy(s->saved, s->r, bytes);
    double reached =
        zw_contact_newton(s, ZW_CONTACT_EPS, w->tolerance, LEAP_STEPS, LEAP_PATIENCE, w->newton);
    save_best(w, reached, s->best);
    w->early = residual / LEAP_NEXT;
    memcpy(s->r, s->saved, bytes);
    if (w->least > w->tolerance)
        zw_contact_scaled_residual(s, s->r);
}

double zw_contact_path(zw_contact_solver *s, double start, unsigned weights, double tolerance,
                       int *steps, int *newton) {
    path_state w = {.s = s,
                    .tolerance = tolerance,
                    .least = HUGE_VAL,
                    .mark = HUGE_VAL,
                    .early = LEAP_FIRST,
                    .newton = newton};
    set_start(s, start, weights);
    while (w.step < STEPS_MAX) {
        evaluate_blocks(s);
        double residual = zw_contact_scaled_residual(s, s->r), gap = mean_gap(s, 0);
        save_best(&w, residual, s->r);
        if (residual <= w.early && residual > tolerance)
            try_newton(&w, residual);
        if (is_stuck(&w, residual) || w.least <= tolerance || gap < GAP_LAST || !isfinite(gap) ||
            !advance_path(&w, gap))
            break;
        ++*steps;
    }
    memcpy(s->best, s->kept, sizeof *s->best * (size_t)s->nrow);
    return w.least;
}
