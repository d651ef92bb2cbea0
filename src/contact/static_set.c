/* SPDX-License-Identifier: MIT */
/* The joints are eliminated first: with a basis B of the directions that they allow, B h + B H' r =
 * 0. A factorisation of these equations gives r = r_0 + Z z, z of dimension k, which is 0 where
 * the contacts are statically determined; then (2) is a minimum of numbers.
 *
 * Otherwise, with the slack t, spare = -t*,
 *
 *     minimise t    subject to    sigma r_N + t >= 0,    j(r_F) <= s mu sigma r_N + t,
 *                                 |z| <= R,    t >= -scale
 *
 * is convex, and is solved on the path of its logarithmic barrier: -log of each, for the cones
 * -log(d^2 - j^2), which is convex for the gauge j of any convex set, d = s mu sigma r_N + t. At
 * the centre for the weight tau the optimum is nearer than (number of logarithms)/tau. R bounds
 * forces that jam: it is increased while it is active. All signs sigma of bilateral contacts are
 * tried. t*(s) falls with s: s* is its zero. */
#include "static_set.h"
#include "base/tolerance.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "law.h"
#include "num/linear/linalg.h"

/* Bilateral contacts with friction, 1024 combinations of signs; Newton steps of a centre; centres;
 * unknowns of one term of the barrier. */
enum { SIGNS_MAX = 10, STEPS_MAX = 60, LEVELS_MAX = 80, LOCAL = ZW_LAW_MAX + 2 };
/* Sine of the angle between a row and those before it: less is dependent. Round-off leaves 1e-15,
 * rows of real models differ by more. */
#define DEPENDENT_ROW 1e-10
/* Residual of an equation, relative to its terms, that counts as balanced: as DEPENDENT_ROW. */
#define BALANCED 1e-10
/* distance from the optimum at the end of the path, over scale */
#define PATH_END ZW_ROUNDOFF_VALUE
/* Spare, relative to the scale, that is zero: the error of the path with redundant contacts. */
#define SPARE_ZERO 1e-9
#define TAU_FACTOR 6 /* from centre to centre */
/* Least multiplier (they add up to one) of a contact that limits the spare. Chosen by trial: those
 * of other contacts are of the order of PATH_END over their margin. */
#define MULTIPLIER_ACTIVE 1e-3
/* Largest factor by which the diagonal of the Hessian is increased: more would shorten all
 * steps. */
#define RIDGE_MAX 1e-6
/* Range of s*: outside, friction is not needed, or no friction is enough. */
#define FACTOR_MIN 1e-6
#define FACTOR_MAX 1e6
#define FACTOR_ACCURACY 1e-12 /* of log(s*): below it values of the spare are round-off */
/* Normal force, relative to the scale, below which a contact lifts: at the optimum it is the error
 * of the path. */
#define FORCE_PRESSES 1e-6
/* Newton decrement of the barrier at a centre: (4.5e-5)^2/2; where round-off stops the search along
 * a step of length STEP_MIN, DECREMENT_ACCEPTED is enough to go to the next centre. */
#define DECREMENT_DONE 1e-9
#define DECREMENT_ACCEPTED 1e-3
#define STEP_MIN 1e-10
/* Largest bound of forces, relative to the scale: forces that jam beyond it are not needed. */
#define BOUND_MAX 1e6

typedef struct work {
    const zw_rest_problem *problem;
    int n, m, k;               /* rows that carry forces, equations, undetermined forces */
    int *row;                  /* n: their numbers among all rows */
    int *at;                   /* all rows: their number among those; -1: no force */
    double *r0, *Z;            /* n; k x n */
    double *r;                 /* n */
    int *sign;                 /* ncontact */
    zw_contact_law *law;       /* ncontact: axes that are not 0 */
    double scale, R, s;        /* size of forces, their bound, factor of friction */
    double *z, *g, *Hess;      /* k + 1 (z and t); the same; its square */
    double *factor;            /* as Hess */
    double *step, *old, *kept; /* k + 1 */
    double *share;             /* 2 ncontact: multipliers of normals and of friction */
    int *block;                /* ncontact: the friction with the largest one */
    double *best, *best_share;
    int *best_block;
} work;

/* ------------------------------------------------------------------------------------ equations */

/* Does a block carry a force at rest? Smooth and linear friction do not. */
static bool is_holding(const zw_friction *f, int i) {
    return f->kind != ZW_FRICTION_LINEAR && f->smooth == 0 && f->mu > 0 && f->axis[i] > 0 &&
           f->pull[i] > 0;
}

static void list_rows(work *w) {
    const zw_rest_problem *p = w->problem;
    int all = 0;
    for (int c = 0; c < p->ncontact; c++) {
        w->law[c] = p->law[c];
        w->at[all] = w->n;
        w->row[w->n++] = all++;
        for (int b = 0; b < p->law[c].nblock; b++)
            for (int i = 0; i < p->law[c].block[b].nrow; i++, all++) {
                zw_friction *f = &w->law[c].block[b];
                w->at[all] = -1;
                if (is_holding(&p->law[c].block[b], i)) {
                    w->at[all] = w->n;
                    w->row[w->n++] = all;
                } else {
                    f->axis[i] = f->pull[i] = 1;
                }
            }
    }
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* the directions that the joints allow, m x nv */
static double *free_directions(const zw_rest_problem *p, zw_arena *arena, int *m) {
    int nv = p->nv;
    double *B = ZW_NEW(arena, double, nv *nv + 1), *A = ZW_NEW(arena, double, p->nvel *nv + 1),
           *tau = ZW_NEW(arena, double, nv + 1);
    int *order = ZW_NEW(arena, int, p->nvel + 1);
    if (arena->failed)
        return NULL;
    *m = nv;
    for (int i = 0; i < nv && p->nvel == 0; i++)
        B[i * nv + i] = 1;
    if (p->nvel == 0)
        return B;
    memcpy(A, p->Psi, sizeof(double) * (size_t)(p->nvel * nv));
    int rank = zw_num_rows_factor(p->nvel, nv, A, 0, DEPENDENT_ROW, tau, order);
    zw_num_rows_complement(nv, A, rank, tau, order, B);
    *m = nv - rank;
    return B;
}

/* the residual of the equilibrium, as forces on the velocities: is it zero? */
static void check_balance(const work *w, const double *B, const double *J, const double *b,
                          zw_rest_answer *out) {
    const zw_rest_problem *p = w->problem;
    double worst = 0, load = 0;
    out->balanced = true;
    for (int i = 0; i < w->m; i++)
        load = fmax(load, fabs(b[i]));
    for (int i = 0; i < w->m; i++) {
        double left = dot(w->n, J + i * w->n, w->r0) - b[i], terms = fabs(b[i]);
        for (int a = 0; a < w->n; a++)
            terms += fabs(J[i * w->n + a] * w->r0[a]);
        if (fabs(left) <= BALANCED * terms || fabs(left) <= ZW_ROUNDOFF_VALUE * load)
            continue;
        out->balanced = false;
        for (int v = 0; v < p->nv; v++)
            if (fabs(left * B[i * p->nv + v]) > worst) {
                worst = fabs(left * B[i * p->nv + v]);
                out->unbalanced = v;
            }
    }
}

/* r_0 and Z */
static zw_status solve_equations(work *w, zw_arena *arena, zw_rest_answer *out, zw_error *err) {
    const zw_rest_problem *p = w->problem;
    const double *B = free_directions(p, arena, &w->m);
    int m = B ? w->m : 0, n = w->n;
    double *J = ZW_NEW(arena, double, m *n + 1), *A = ZW_NEW(arena, double, m *n + 1),
           *b = ZW_NEW(arena, double, m + 1), *tau = ZW_NEW(arena, double, m + n + 1);
    int *order = ZW_NEW(arena, int, m + 1);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < m; i++) {
        b[i] = -dot(p->nv, B + i * p->nv, p->h);
        for (int a = 0; a < n; a++)
            J[i * n + a] = dot(p->nv, B + i * p->nv, p->H + (size_t)w->row[a] * (size_t)p->nv);
    }
    memcpy(A, J, sizeof(double) * (size_t)(m * n));
    int rank = m > 0 && n > 0 ? zw_num_rows_factor(m, n, A, 0, DEPENDENT_ROW, tau, order) : 0;
    if (n > 0) {
        zw_num_rows_solve(n, A, rank, tau, order, b, w->r0);
        zw_num_rows_complement(n, A, rank, tau, order, w->Z);
    }
    out->hyperstatic = w->k = n - rank;
    for (int a = 0; a < n; a++)
        w->scale = fmax(w->scale, fabs(w->r0[a]));
    out->scale = w->scale;
    check_balance(w, B, J, b, out);
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- friction */

/* Friction of a block at the forces r: its rows among those that carry forces (-1: none), and the
 * gauge in the directions of these forces themselves. */
typedef struct block {
    int n, at[ZW_LAW_MAX];
    double j, y[ZW_LAW_MAX], Y[ZW_LAW_MAX * ZW_LAW_MAX]; /* j, and j^2/2: gradient, Hessian */
} block;

/* the inverse of a symmetric 3 x 3 */
static void invert_symmetric(const double *B, double *Y) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            Y[i * 3 + k] = B[a * 3 + c] * B[b * 3 + d] - B[a * 3 + d] * B[b * 3 + c];
        }
    double det = B[0] * Y[0] + B[1] * Y[3] + B[2] * Y[6];
    for (int i = 0; i < 9; i++)
        Y[i] /= det;
}

static void block_curvature(const zw_friction *f, const zw_law_gauge *gauge, double *Y) {
    int n = f->nrow;
    bool bad = false;
    memset(Y, 0, sizeof(double) * ZW_LAW_MAX * ZW_LAW_MAX);
    if (f->kind == ZW_FRICTION_CONTENSOU && gauge->j > 0) {
        invert_symmetric(gauge->B, Y);
        for (int i = 0; i < n * n; i++)
            bad |= !isfinite(Y[i]);
    }
    for (int i = 0; i < n; i++)
        if (f->kind != ZW_FRICTION_CONTENSOU || gauge->j == 0 || bad)
            Y[i * n + i] = 1 / (f->axis[i] * f->axis[i]);
}

static block block_at(const work *w, const zw_friction *f, int first) {
    double force[ZW_LAW_MAX] = {0};
    block b = {.n = f->nrow};
    zw_law_gauge gauge = {0};
    for (int i = 0; i < f->nrow; i++) {
        b.at[i] = w->at[first + i];
        force[i] = b.at[i] >= 0 ? w->r[b.at[i]] / f->pull[i] : 0;
    }
    bool zero = true;
    for (int i = 0; i < f->nrow; i++)
        zero &= force[i] == 0;
    if (!zero)
        zw_law_gauge_at(f, force, &gauge);
    block_curvature(f, &gauge, b.Y);
    b.j = gauge.j;
    for (int i = 0; i < f->nrow; i++) {
        b.y[i] = gauge.y[i] / f->pull[i];
        for (int k = 0; k < f->nrow; k++)
            b.Y[i * f->nrow + k] /= f->pull[i] * f->pull[k];
    }
    return b;
}

static bool is_loaded(const work *w, const zw_friction *f, int first) {
    for (int i = 0; i < f->nrow; i++)
        if (w->at[first + i] >= 0)
            return true;
    return false;
}

/* ---------------------------------------------------------------------------------- the barrier */

static void set_forces(work *w) {
    memcpy(w->r, w->r0, sizeof(double) * (size_t)w->n);
    for (int i = 0; i < w->k; i++)
        for (int a = 0; a < w->n; a++)
            w->r[a] += w->z[i] * w->Z[i * w->n + a];
}

/* g and Hess += those of a function of some forces and t, given by its own gradient and Hessian;
 * the last one is t */
static void add_local(work *w, int n, const int *at, const double *gradient,
                      const double *hessian) {
    int k = w->k, size = k + 1;
    double E[LOCAL], HE[LOCAL];
    for (int i = 0; i < size; i++) {
        for (int a = 0; a < n; a++)
            E[a] = i < k ? (at[a] >= 0 ? w->Z[i * w->n + at[a]] : 0) : at[a] == -2;
        w->g[i] += dot(n, E, gradient);
        for (int a = 0; a < n; a++)
            HE[a] = dot(n, hessian + a * LOCAL, E);
        for (int l = 0; l <= i; l++)
            for (int a = 0; a < n; a++)
                w->Hess[i * size + l] +=
                    HE[a] * (l < k ? (at[a] >= 0 ? w->Z[l * w->n + at[a]] : 0) : at[a] == -2);
    }
}

/* -log(sigma N + t) */
static double add_normal(work *w, int row, int sign, double t, bool derive, double *share) {
    double d = sign * w->r[row] + t;
    if (!(d > 0))
        return INFINITY;
    if (derive) {
        double s = sign, g[2] = {-s / d, -1 / d}, H[2 * LOCAL] = {0};
        H[0] = H[LOCAL + 1] = 1 / (d * d);
        H[1] = H[LOCAL] = s / (d * d);
        *share = 1 / d;
        add_local(w, 2, (int[]){row, -2}, g, H);
    }
    return -log(d);
}

/* -log(d^2 - j^2), d = a N + t */
static double add_block(work *w, const block *b, int row, double a, double t, bool derive,
                        double *share) {
    double d = a * w->r[row] + t, q = (d - b->j) * (d + b->j);
    if (!(d > 0) || !(q > 0))
        return INFINITY;
    if (derive) {
        int n = b->n + 2, at[LOCAL] = {row};
        double gradient[LOCAL], H[LOCAL * LOCAL] = {0}, u[LOCAL]; /* u = grad(q)/2 */
        u[0] = a * d;
        u[n - 1] = d;
        for (int i = 0; i < b->n; i++) {
            u[1 + i] = -b->y[i];
            at[1 + i] = b->at[i];
        }
        at[n - 1] = -2;
        for (int i = 0; i < n; i++) {
            gradient[i] = -2 * u[i] / q;
            for (int l = 0; l < n; l++)
                H[i * LOCAL + l] = 4 * u[i] * u[l] / (q * q);
        }
        for (int i = 0; i < b->n; i++)
            for (int l = 0; l < b->n; l++)
                H[(1 + i) * LOCAL + 1 + l] += 2 * b->Y[i * b->n + l] / q;
        H[0] -= 2 * a * a / q;
        H[n - 1] -= 2 * a / q;
        H[(n - 1) * LOCAL] -= 2 * a / q;
        H[(n - 1) * LOCAL + n - 1] -= 2 / q;
        *share = 2 * d / q;
        add_local(w, n, at, gradient, H);
    }
    return -log(q);
}

/* R bounds z, and the scale -t */
static double add_bounds(work *w, bool derive) {
    int k = w->k, size = k + 1;
    double room = 1 - dot(k, w->z, w->z) / (w->R * w->R), t = w->z[k] + w->scale;
    if (!(room > 0) || !(t > 0))
        return INFINITY;
    for (int i = 0; i < k && derive; i++) {
        double zi = w->z[i] / (w->R * w->R);
        w->g[i] += 2 * zi / room;
        for (int l = 0; l <= i; l++)
            w->Hess[i * size + l] += 4 * zi * w->z[l] / (w->R * w->R) / (room * room);
        w->Hess[i * size + i] += 2 / (w->R * w->R) / room;
    }
    if (derive) {
        w->g[k] -= 1 / t;
        w->Hess[k * size + k] += 1 / (t * t);
    }
    return -log(room) - log(t);
}

/* tau t + barrier at (z, t); with its derivatives */
static double evaluate_barrier(work *w, double tau, bool derive) {
    const zw_rest_problem *p = w->problem;
    int size = w->k + 1, first = 0;
    double t = w->z[w->k], value = tau * t;
    set_forces(w);
    if (derive) {
        memset(w->g, 0, sizeof(double) * (size_t)size);
        memset(w->Hess, 0, sizeof(double) * (size_t)(size * size));
        memset(w->share, 0, sizeof(double) * 2 * (size_t)p->ncontact);
        w->g[w->k] = tau;
    }
    value += add_bounds(w, derive);
    for (int c = 0; c < p->ncontact && value < INFINITY; c++) {
        int normal = w->at[first];
        double most = 0;
        if (w->sign[c] != 0)
            value += add_normal(w, normal, w->sign[c], t, derive, &w->share[2 * c]);
        first++;
        for (int b = 0; b < w->law[c].nblock; b++) {
            const zw_friction *f = &w->law[c].block[b];
            if (is_loaded(w, f, first)) {
                block at = block_at(w, f, first);
                double share = 0;
                value += add_block(w, &at, normal, w->s * f->mu * w->sign[c], t, derive, &share);
                w->share[2 * c + 1] += share;
                if (share > most)
                    w->block[c] = b;
                most = fmax(most, share);
            }
            first += f->nrow;
        }
    }
    return value;
}

static int count_logarithms(const work *w) {
    int n = 2;
    for (int c = 0; c < w->problem->ncontact; c++)
        n += 1 + 2 * w->law[c].nblock;
    return n;
}

/* L L' in the lower half, in place; false: not positive */
static bool factor_cholesky(int n, double *L) {
    for (int j = 0; j < n; j++) {
        double d = L[j * n + j];
        for (int l = 0; l < j; l++)
            d -= L[j * n + l] * L[j * n + l];
        if (!(d > 0) || !isfinite(d))
            return false;
        L[j * n + j] = d = sqrt(d);
        for (int i = j + 1; i < n; i++)
            L[i * n + j] = (L[i * n + j] - dot(j, L + i * n, L + j * n)) / d;
    }
    return true;
}

/* L L' x = -g. Far along the path the curvatures of active and of inactive constraints differ by
 * more than round-off allows: the diagonal is increased until the matrix is positive, which only
 * shortens the step along the inactive ones. */
static bool newton_step(work *w) {
    int n = w->k + 1;
    double *L = w->factor;
    bool done = false;
    for (double more = 0; !done && more<RIDGE_MAX; more = more> 0 ? 10 * more : DBL_EPSILON) {
        memcpy(L, w->Hess, sizeof(double) * (size_t)(n * n));
        for (int i = 0; i < n; i++)
            L[i * n + i] *= 1 + more;
        done = factor_cholesky(n, L);
    }
    if (!done)
        return false;
    for (int i = 0; i < n; i++)
        w->step[i] = -w->g[i];
    zw_num_lower_solve(n, L, w->step);
    zw_num_lower_solve_transposed(n, L, w->step);
    return true;
}

/* Finds the centre for tau; false where round-off prevents it. */
static bool find_centre(work *w, double tau) {
    int n = w->k + 1;
    for (int step = 0; step < STEPS_MAX; step++) {
        double value = evaluate_barrier(w, tau, true), length = 1;
        if (!newton_step(w))
            return false;
        double decrement = -dot(n, w->g, w->step);
        if (!(decrement >= 0))
            return false;
        if (decrement < DECREMENT_DONE)
            return true;
        memcpy(w->old, w->z, sizeof(double) * (size_t)n);
        for (;; length /= 2) {
            for (int i = 0; i < n; i++)
                w->z[i] = w->old[i] + length * w->step[i];
            double now = evaluate_barrier(w, tau, false);
            if (now <= value - 0.1 * length * decrement ||
                (now < INFINITY && decrement < 0.05 && length == 1))
                break;
            if (length < STEP_MIN) {
                memcpy(w->z, w->old, sizeof(double) * (size_t)n);
                return decrement < DECREMENT_ACCEPTED;
            }
        }
    }
    return false;
}

/* t at which z = 0 is inside */
static double start_outside(work *w) {
    memset(w->z, 0, sizeof(double) * (size_t)(w->k + 1));
    w->z[w->k] = w->scale;
    while (!(evaluate_barrier(w, 0, false) < INFINITY))
        w->z[w->k] *= 2;
    return w->z[w->k] *= 2;
}

/* (2) by the path; returns the spare and sets its error. t - t* goes to 0 as 1/tau regularly: its
 * value by the last two centres is subtracted (extrapolation). */
static double follow_path(work *w, double *doubt) {
    double tau = 1 / start_outside(w), nu = count_logarithms(w), reached = 0, t = INFINITY, error,
           change = INFINITY;
    double spare = -INFINITY;
    for (int level = 0; level < LEVELS_MAX && nu / tau > PATH_END * w->scale; level++) {
        memcpy(w->kept, w->z, sizeof(double) * (size_t)(w->k + 1));
        if (!find_centre(w, tau)) {
            memcpy(w->z, w->kept, sizeof(double) * (size_t)(w->k + 1));
            break;
        }
        error = (t - w->z[w->k]) / (TAU_FACTOR - 1);
        t = w->z[w->k];
        change = fabs(error - t - spare);
        spare = error - t;
        reached = tau;
        tau *= TAU_FACTOR;
    }
    evaluate_barrier(w, reached, true);
    for (int i = 0; i < 2 * w->problem->ncontact && reached > 0; i++)
        w->share[i] /= reached;
    *doubt = isfinite(change) ? 10 * change + PATH_END * w->scale : INFINITY;
    return isfinite(spare) ? spare : -w->z[w->k];
}

/* (2) where the forces are determined */
static double solve_directly(work *w, double *doubt) {
    const zw_rest_problem *p = w->problem;
    double spare = w->scale;
    int first = 0, worst = -1;
    memset(w->share, 0, sizeof(double) * 2 * (size_t)p->ncontact);
    memcpy(w->r, w->r0, sizeof(double) * (size_t)w->n);
    for (int c = 0; c < p->ncontact; c++) {
        double N = w->r[w->at[first++]];
        N = p->bilateral[c] ? fabs(N) : N;
        if (!p->bilateral[c] && N < spare) {
            spare = N;
            worst = 2 * c;
        }
        for (int b = 0; b < w->law[c].nblock; b++) {
            const zw_friction *f = &w->law[c].block[b];
            if (is_loaded(w, f, first)) {
                double left = w->s * f->mu * N - block_at(w, f, first).j;
                if (left < spare) {
                    spare = left;
                    worst = 2 * c + 1;
                    w->block[c] = b;
                }
            }
            first += f->nrow;
        }
    }
    if (worst >= 0)
        w->share[worst] = 1;
    *doubt = 64 * DBL_EPSILON * w->scale;
    return spare;
}

/* ------------------------------------------------------------------------------------ all of it */

/* (2) for the present signs; R is increased while it is active */
static double with_signs(work *w, double *doubt) {
    double spare;
    if (w->k == 0)
        return solve_directly(w, doubt);
    for (w->R = 10 * w->scale;; w->R *= 100) {
        spare = follow_path(w, doubt);
        bool hinders = dot(w->k, w->z, w->z) > 0.25 * w->R * w->R;
        if (spare > *doubt || !hinders || w->R > BOUND_MAX * w->scale)
            return spare;
    }
}

static void store_best(work *w) {
    const zw_rest_problem *p = w->problem;
    memcpy(w->best, w->r, sizeof(double) * (size_t)w->n);
    memcpy(w->best_share, w->share, sizeof(double) * 2 * (size_t)p->ncontact);
    memcpy(w->best_block, w->block, sizeof *w->block * (size_t)p->ncontact);
}

/* the best of all signs of bilateral contacts; without friction their signs do not matter */
static double with_factor(work *w, double s, double *doubt) {
    const zw_rest_problem *p = w->problem;
    int nsign = 0, where[SIGNS_MAX];
    double best = -INFINITY;
    for (int c = 0; c < p->ncontact; c++) {
        w->sign[c] = p->bilateral[c] ? 0 : 1;
        if (p->bilateral[c] && p->law[c].nblock > 0)
            where[nsign++] = c;
    }
    w->s = s;
    for (int pattern = 0; pattern < (w->k == 0 ? 1 : 1 << nsign); pattern++) {
        double own;
        for (int i = 0; i < nsign; i++)
            w->sign[where[i]] = (pattern >> i) & 1 ? -1 : 1;
        double spare = with_signs(w, &own);
        if (!(spare > best))
            continue;
        best = spare;
        *doubt = own;
        store_best(w);
    }
    return best;
}

/* s* where the forces are determined: the largest quotient */
static double factor_directly(work *w) {
    const zw_rest_problem *p = w->problem;
    double most = 0, none = ZW_ROUNDOFF_VALUE * w->scale;
    int first = 0;
    memcpy(w->r, w->r0, sizeof(double) * (size_t)w->n);
    for (int c = 0; c < p->ncontact; c++) {
        double N = w->r[w->at[first++]];
        N = p->bilateral[c] ? fabs(N) : N;
        if (N < -none)
            return INFINITY;
        for (int b = 0; b < w->law[c].nblock; b++) {
            const zw_friction *f = &w->law[c].block[b];
            double j = is_loaded(w, f, first) ? block_at(w, f, first).j : 0;
            if (j > none && N <= none)
                return INFINITY;
            if (j > none)
                most = fmax(most, j / (f->mu * N));
            first += f->nrow;
        }
    }
    return most;
}

/* The zero of the spare over log(s), which rises with s: false position with halving of the weight
 * of an end that stays (Illinois). */
static double factor_by_path(work *w) {
    double low = log(FACTOR_MIN), high = log(FACTOR_MAX), doubt;
    double at_low = with_factor(w, exp(low), &doubt);
    if (at_low >= -fmin(doubt, SPARE_ZERO * w->scale))
        return 0;
    double at_high = with_factor(w, exp(high), &doubt);
    if (at_high < -SPARE_ZERO * w->scale)
        return INFINITY;
    int side = 0;
    for (int step = 0; step < 100 && high - low > FACTOR_ACCURACY; step++) {
        double x =
            step % 3 == 2 ? (low + high) / 2 : (low * at_high - high * at_low) / (at_high - at_low);
        x = x > low && x < high ? x : (low + high) / 2;
        double value = with_factor(w, exp(x), &doubt);
        if (fabs(value) <= fmin(doubt, SPARE_ZERO * w->scale))
            return exp(x);
        int now = value > 0 ? 1 : -1;
        *(now > 0 ? &high : &low) = x;
        *(now > 0 ? &at_high : &at_low) = value;
        if (now == side)
            *(now > 0 ? &at_low : &at_high) /= 2;
        side = now;
    }
    return exp((low + high) / 2);
}

static void report_yielding(const work *w, int *yields) {
    const zw_rest_problem *p = w->problem;
    int first = 0;
    for (int c = 0; c < p->ncontact; c++) {
        double N = w->best[w->at[first]], used = w->best_share[2 * c] + w->best_share[2 * c + 1];
        bool lifts = !p->bilateral[c] && N <= FORCE_PRESSES * w->scale;
        yields[c] = used < MULTIPLIER_ACTIVE                                   ? ZW_REST_HOLDS
                    : lifts || w->best_share[2 * c] > w->best_share[2 * c + 1] ? ZW_REST_LIFTS
                                                                               : w->best_block[c];
        first += zw_contact_law_rows(&p->law[c]);
    }
}

static zw_status allocate_work(work *w, zw_arena *arena, int rows, zw_error *err) {
    int nc = w->problem->ncontact + 1, size = rows + 2;
    double **lists[] = {&w->r0, &w->r, &w->best, &w->z, &w->g, &w->step, &w->old, &w->kept};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        *lists[i] = ZW_NEW(arena, double, size);
    w->Z = ZW_NEW(arena, double, size *size);
    w->Hess = ZW_NEW(arena, double, size *size);
    w->factor = ZW_NEW(arena, double, size *size);
    w->share = ZW_NEW(arena, double, 2 * nc);
    w->best_share = ZW_NEW(arena, double, 2 * nc);
    w->row = ZW_NEW(arena, int, size);
    w->at = ZW_NEW(arena, int, size);
    w->sign = ZW_NEW(arena, int, nc);
    w->law = ZW_NEW(arena, zw_contact_law, nc);
    w->block = ZW_NEW(arena, int, nc);
    w->best_block = ZW_NEW(arena, int, nc);
    return zw_arena_status(arena, err);
}

static zw_status check_problem(const zw_rest_problem *p, int *rows, zw_error *err) {
    int signs = 0;
    *rows = 0;
    for (int c = 0; c < p->ncontact; c++) {
        *rows += zw_contact_law_rows(&p->law[c]);
        signs += p->bilateral[c] && p->law[c].nblock > 0;
    }
    if (signs <= SIGNS_MAX)
        return ZW_OK;
    return zw_fail(err, ZW_E_OPTION, "%d bilateral contacts with friction are more than %d", signs,
                   SIGNS_MAX);
}

static zw_status solve_problem(work *w, bool factor, zw_arena *arena, double *r, int *yields,
                               zw_rest_answer *out, zw_error *err) {
    const zw_rest_problem *p = w->problem;
    int rows;
    *out = (zw_rest_answer){.spare = -INFINITY, .factor = factor ? INFINITY : NAN};
    ZW_TRY(check_problem(p, &rows, err));
    ZW_TRY(allocate_work(w, arena, rows, err));
    list_rows(w);
    ZW_TRY(solve_equations(w, arena, out, err));
    memset(r, 0, sizeof(double) * (size_t)rows);
    for (int c = 0; c < p->ncontact && yields; c++)
        yields[c] = ZW_REST_HOLDS;
    if (!out->balanced)
        return ZW_OK;
    if (w->scale == 0) { /* nothing to hold */
        out->spare = out->factor = 0;
        return ZW_OK;
    }
    out->spare = with_factor(w, 1, &out->doubt);
    for (int a = 0; a < w->n; a++)
        r[w->row[a]] = w->best[a];
    if (factor) {
        double doubt;
        out->factor = w->k == 0 ? factor_directly(w) : factor_by_path(w);
        with_factor(w, fmin(fmax(out->factor, FACTOR_MIN), FACTOR_MAX), &doubt);
    }
    if (yields)
        report_yielding(w, yields);
    return ZW_OK;
}

zw_status zw_rest_solve(const zw_rest_problem *problem, bool factor, zw_arena *arena, double *r,
                        int *yields, zw_rest_answer *out, zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(arena);
    work w = {.problem = problem};
    zw_status status = solve_problem(&w, factor, arena, r, yields, out, err);
    zw_arena_release(arena, mark);
    return status;
}
