/* SPDX-License-Identifier: MIT */
/* Assembly: finds points at which the rows of a level are satisfied, from many starts. From each
 * one the Levenberg-Marquardt method minimises
 *
 *     1/2 |W r(x)|^2,     (H + mu 1) y = -J'W r,   H = J'J,   J = W R B,   dx = F L'^-1 B'y,
 *
 * R the rows, L the metric, B an orthonormal basis of the displacements that do not change given
 * values, W such that the rows have gradients of length one where they are largest; its result is
 * refined by Newton's method (project.c). The starts are the origin and the points of an additive
 * recurrence around it,
 *
 *     u_j = frac(1/2 + n a^-j),     a^(d+1) = a + 1,       j = 1 .. d
 *
 * (M. Roberts's generalisation of the golden ratio), always the same ones. In solutions, angles are
 * moved by whole turns towards the origin if the rows remain satisfied, and quaternions get the
 * nearer sign. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "complete.h"
#include "num/linear/linalg.h"

/* Steps of a minimisation; trials of the damping in a step; starts; points for the weights of
 * rows. */
enum { ITERATIONS = 60, TRIALS = 12, PLACES_LEAST = 24, PLACES_MOST = 96, GENERIC = 4 };
#define OPERATIONS_MAX 1e8 /* after them no further start is tried, except the first eight: 0.1 s */
#define RESIDUAL_REACHED 1e-20 /* squared, from which Newton's method continues: 1e-10 of a width */
#define DECREASE_MIN 1e-8 /* relative decrease in a step: less is a minimum that is no solution */
/* Damping mu, where H is about the identity: at first nearly Newton steps, at last above
 * round-off. */
#define DAMPING_FIRST 1e-2
#define DAMPING_MIN 1e-14
/* squared residual, in widths, from which Newton's method is tried at all */
#define NEWTON_FROM 1e-6
/* Differences of solutions that are the same: ZW_NUM_SATISFIED 1e-10 leaves 1e-6 where gradients
 * are small, and distances and energies of mirror images differ by round-off. */
#define SAME_POINT 1e-6 /* of a width */
#define SAME_DISTANCE 1e-6
#define SAME_ENERGY 1e-9
#define UNKNOWN_WEIGHT 1e-3 /* of entries without a guess in distances, relative to guesses */
#define DEPENDENT_ROW 1e-10 /* as in project.c */
/* larger, since at singular points of a family round-off has a direction */
#define SINGULAR_ROW 1e-7
#define GRADIENT_ZERO ZW_ROUNDOFF_SUM /* of the distance, in widths */
#define STEP_FRACTION_MIN 1e-3        /* of a descent step: shorter ones gain nothing visible */
static const double two_pi = 6.28318530717958647692, half_turn = 3.14159265358979323846;

static bool may_move(const zw_num_completion *c, int i) {
    return !c->kept[c->v.offset + i];
}

/* ---- starts ---- */

static double recurrence_number(int number, int j, int d) {
    double a = 1.5, u;
    for (int i = 0; i < 40; i++) /* a fixed-point iteration, which contracts */
        a = pow(1 + a, 1.0 / (d + 1));
    u = 0.5 + (double)number * pow(a, -(j + 1));
    return u - floor(u);
}

/* a uniformly distributed rotation from three numbers in [0, 1] (Shoemake) */
static void any_rotation(const double *u, double *p) {
    p[0] = sqrt(1 - u[0]) * sin(two_pi * u[1]);
    p[1] = sqrt(1 - u[0]) * cos(two_pi * u[1]);
    p[2] = sqrt(u[0]) * sin(two_pi * u[2]);
    p[3] = sqrt(u[0]) * cos(two_pi * u[2]);
}

/* If a whole quaternion may change, its start is any rotation, reduced if the radius is less than
 * one. */
static void place_quaternions(zw_num_completion *c, int number, int d, double radius) {
    const zw_kernel *k = c->flow->k;
    for (int q = 0; q < k->nunit && c->v.offset == 0; q++) {
        int first = k->unit[q];
        bool whole = true;
        for (int i = first; i < first + 4; i++)
            whole = whole && may_move(c, i);
        if (!whole)
            continue;
        double u[3], p[4];
        for (int j = 0; j < 3; j++)
            u[j] = recurrence_number(number, first + j, d);
        any_rotation(u, p);
        for (int i = 0; i < 4; i++)
            c->place[first + i] = (radius < 1 ? c->origin[first + i] : 0) + fmin(radius, 1) * p[i];
    }
}

bool zw_num_place(zw_num_completion *c, int number, double radius) {
    int d = c->v.n;
    memcpy(c->place, c->origin, sizeof(double) * (size_t)c->flow->k->nx);
    for (int i = 0; i < d; i++)
        if (may_move(c, i))
            c->place[c->v.offset + i] +=
                radius * c->width[c->v.offset + i] * (2 * recurrence_number(number, i, d) - 1);
    place_quaternions(c, number, d, radius);
    return c->v.offset > 0 || zw_num_normalise(c->flow, c->t, c->place, c->kept, NULL) >= 0;
}

/* ---- minimisation ---- */

/* half the square of the weighted residuals at x */
static double square_at(zw_num_completion *c, const double *x) {
    double sum = 0;
    zw_num_call(c->flow, c->v.function, c->t, x, NULL);
    c->work += 4 * c->flow->k->fn[c->v.function].nops;
    for (int k = 0; k < c->v.m; k++) {
        double r = c->weight[k] * c->v.value[k];
        sum += r * r;
    }
    return isnan(sum) ? INFINITY : sum;
}

static double length_of(int n, const double *a) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * a[i];
    return sqrt(sum);
}

/* lengths of gradients in the metric of widths: the largest of a few points */
static void set_weights(zw_num_completion *c) {
    zw_flow *flow = c->flow;
    int nv = flow->k->nv;
    for (int k = 0; k < c->v.m; k++)
        c->weight[k] = 0;
    for (int number = 0; number < GENERIC; number++) {
        if (!zw_num_place(c, number, number ? 1 : 0))
            continue;
        zw_num_call(flow, c->v.function, c->t, c->place, NULL);
        for (int k = 0; k < c->v.m; k++) {
            memcpy(flow->step, c->v.rows + k * nv, sizeof(double) * (size_t)nv);
            zw_num_lower_solve(nv, flow->L, flow->step);
            double length = length_of(nv, flow->step);
            if (isfinite(length))
                c->weight[k] = fmax(c->weight[k], length);
        }
    }
    for (int k = 0; k < c->v.m; k++)
        c->weight[k] = c->weight[k] > 0 ? 1 / c->weight[k] : 1;
}

/* an orthonormal basis of the displacements that do not change kept entries, in c->B; returns their
 * number */
static int find_basis(zw_num_completion *c) {
    zw_flow *flow = c->flow;
    int nv = flow->k->nv, m = 0;
    for (int i = 0; i < c->v.n; i++) {
        if (may_move(c, i))
            continue;
        double *row = flow->rows + m++ * nv;
        for (int j = 0; j < nv; j++)
            row[j] = c->v.F ? c->v.F[i * nv + j] : i == j;
        zw_num_lower_solve(nv, flow->L, row);
    }
    int rank = zw_num_rows_factor(m, nv, flow->rows, 0, DEPENDENT_ROW, flow->tau, flow->order);
    zw_num_rows_complement(nv, flow->rows, rank, flow->tau, flow->order, c->B);
    return nv - rank;
}

/* J, J'J and g = -J'W r at the point where the level has been evaluated; returns the number of
 * columns */
static int linearise_residual(zw_num_completion *c) {
    zw_flow *flow = c->flow;
    int nv = flow->k->nv, d = find_basis(c);
    for (int k = 0; k < c->v.m; k++) {
        memcpy(flow->step, c->v.rows + k * nv, sizeof(double) * (size_t)nv);
        zw_num_lower_solve(nv, flow->L, flow->step);
        for (int j = 0; j < d; j++) {
            double sum = 0;
            for (int l = 0; l < nv; l++)
                sum += flow->step[l] * c->B[j * nv + l];
            c->J[k * nv + j] = c->weight[k] * sum;
        }
    }
    for (int i = 0; i < d; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < c->v.m; k++)
                sum += c->J[k * nv + i] * c->J[k * nv + j];
            c->JJ[i * d + j] = c->JJ[j * d + i] = sum;
        }
    for (int i = 0; i < d; i++) {
        c->g[i] = 0;
        for (int k = 0; k < c->v.m; k++)
            c->g[i] -= c->J[k * nv + i] * c->weight[k] * c->v.value[k];
    }
    double n = nv;
    c->work += n * n * (c->v.n - d) + n * c->v.m * d + (double)c->v.m * d * d;
    return d;
}

/* c->here_x displaced by the y (d) of the basis, in c->place */
static bool displace_along(zw_num_completion *c, int d) {
    zw_flow *flow = c->flow;
    int nv = flow->k->nv;
    for (int l = 0; l < nv; l++) {
        flow->step[l] = 0;
        for (int j = 0; j < d; j++)
            flow->step[l] += c->y[j] * c->B[j * nv + l];
    }
    zw_num_lower_solve_transposed(nv, flow->L, flow->step);
    memcpy(c->place, c->here_x, sizeof(double) * (size_t)flow->k->nx);
    for (int i = 0; i < c->v.n; i++) {
        double change = c->v.F ? 0 : flow->step[i];
        for (int j = 0; j < nv && c->v.F; j++)
            change += c->v.F[i * nv + j] * flow->step[j];
        if (!isfinite(change))
            return false;
        if (may_move(c, i))
            c->place[c->v.offset + i] += change;
    }
    return c->v.offset > 0 || zw_num_normalise(flow, c->t, c->place, c->kept, NULL) >= 0;
}

/* the step for a damping, from c->here_x to c->place */
static bool step_to(zw_num_completion *c, int d, double mu) {
    memcpy(c->H, c->JJ, sizeof(double) * (size_t)(d * d));
    for (int i = 0; i < d; i++)
        c->H[i * d + i] += mu;
    memcpy(c->y, c->g, sizeof(double) * (size_t)d);
    c->work += (double)d * d * d;
    zw_num_lu(d, c->H, c->pivot);
    zw_num_lu_solve(d, c->H, c->pivot, 1, c->y);
    return displace_along(c, d);
}

/* Minimises from c->place to c->here_x; returns the squared residual there. */
static double descend_residual(zw_num_completion *c) {
    const size_t size = sizeof(double) * (size_t)c->flow->k->nx;
    memcpy(c->here_x, c->place, size);
    double now = square_at(c, c->here_x), mu = DAMPING_FIRST;
    for (int i = 0; i < ITERATIONS && now > RESIDUAL_REACHED && now < INFINITY; i++) {
        double before = now;
        int d = linearise_residual(c);
        for (int trial = 0; trial < TRIALS && !(now < before); trial++) {
            if (step_to(c, d, mu))
                now = square_at(c, c->place);
            if (now < before)
                memcpy(c->here_x, c->place, size);
            else
                now = before;
            mu *= now < before ? 0.1 : 8;
            /* F belongs to the beginning of the step */
            if (!(now < before))
                zw_num_call(c->flow, c->v.function, c->t, c->here_x, NULL);
        }
        if (!(now < before * (1 - DECREASE_MIN)))
            break;
        mu = fmax(mu, DAMPING_MIN);
    }
    return now;
}

/* ---- solutions ---- */

static bool holds_at(zw_num_completion *c, const double *x) {
    int worst;
    return zw_num_level_evaluate(c->flow, &c->v, c->t, x, &worst) <= ZW_NUM_SATISFIED;
}

/* moves angles by whole turns towards the origin, if the rows remain satisfied */
static void turn_back(zw_num_completion *c, double *x) {
    for (int i = 0; i < c->v.n; i++) {
        double *entry = x + c->v.offset + i, was = *entry;
        double turns = nearbyint((was - c->origin[c->v.offset + i]) / two_pi);
        if (c->v.offset > 0 || !may_move(c, i) || turns == 0)
            continue;
        *entry -= turns * two_pi;
        if (!holds_at(c, x))
            *entry = was;
    }
}

static void nearer_sign(zw_num_completion *c, double *x) {
    const zw_kernel *k = c->flow->k;
    for (int q = 0; q < k->nunit && c->v.offset == 0; q++) {
        double along = 0;
        bool whole = true;
        for (int i = k->unit[q]; i < k->unit[q] + 4; i++) {
            along += x[i] * c->origin[i];
            whole = whole && may_move(c, i);
        }
        for (int i = k->unit[q]; i < k->unit[q] + 4 && whole && along < 0; i++)
            x[i] = -x[i];
    }
}

static double distance_of(const zw_num_completion *c, const double *x) {
    bool guesses = false;
    double sum = 0;
    for (int i = 0; i < c->v.n; i++)
        guesses = guesses || (may_move(c, i) && c->said[c->v.offset + i] == ZW_GUESSED);
    for (int i = c->v.offset; i < c->v.offset + c->v.n; i++) {
        double d = (x[i] - c->origin[i]) / c->width[i];
        sum += (guesses && c->said[i] != ZW_GUESSED ? UNKNOWN_WEIGHT : 1) * d * d;
    }
    return sum;
}

static double energy_of(zw_num_completion *c, const double *x) {
    if (c->v.offset > 0 || !zw_kernel_has(c->flow->k, ZW_SET(OBS)))
        return 0;
    double energy = *zw_at_obs(c->flow, c->t, x, c->zero).V;
    return isfinite(energy) ? energy : 0;
}

static bool is_same(const zw_num_completion *c, const double *a, const double *b) {
    for (int i = c->v.offset; i < c->v.offset + c->v.n; i++)
        if (!(fabs(a[i] - b[i]) <= SAME_POINT * (c->width[i] + fabs(a[i]))))
            return false;
    return true;
}

/* nearer; at equal distance with lower energy; at equal energy with the larger first value that
 * differs */
static bool is_better(const zw_num_completion *c, int a, int b) {
    int nx = c->flow->k->nx;
    const double *x = c->found + (size_t)a * (size_t)nx, *y = c->found + (size_t)b * (size_t)nx;
    if (fabs(c->distance[a] - c->distance[b]) > SAME_DISTANCE * (c->distance[a] + c->distance[b]))
        return c->distance[a] < c->distance[b];
    if (fabs(c->energy[a] - c->energy[b]) > SAME_ENERGY * (fabs(c->energy[a]) + fabs(c->energy[b])))
        return c->energy[a] < c->energy[b];
    for (int i = c->v.offset; i < c->v.offset + c->v.n; i++)
        if (fabs(x[i] - y[i]) > SAME_POINT * (c->width[i] + fabs(x[i])))
            return x[i] > y[i];
    return false;
}

static void swap_found(zw_num_completion *c, int a, int b) {
    int nx = c->flow->k->nx;
    double *x = c->found + (size_t)a * (size_t)nx, *y = c->found + (size_t)b * (size_t)nx, s;
    for (int i = 0; i < nx; i++)
        s = x[i], x[i] = y[i], y[i] = s;
    s = c->distance[a], c->distance[a] = c->distance[b], c->distance[b] = s;
    s = c->energy[a], c->energy[a] = c->energy[b], c->energy[b] = s;
}

/* stores the solution c->here_x in order, unless it is known or there are too many nearer ones */
static void store_solution(zw_num_completion *c) {
    int nx = c->flow->k->nx;
    turn_back(c, c->here_x);
    nearer_sign(c, c->here_x);
    for (int i = 0; i < c->nfound; i++)
        if (is_same(c, c->here_x, c->found + (size_t)i * (size_t)nx))
            return;
    int last = c->nfound < ZW_NUM_FOUND_MOST ? c->nfound++ : c->nfound; /* the last is spare */
    memcpy(c->found + (size_t)last * (size_t)nx, c->here_x, sizeof(double) * (size_t)nx);
    c->distance[last] = distance_of(c, c->here_x);
    c->energy[last] = energy_of(c, c->here_x);
    for (int i = last; i > 0 && is_better(c, i, i - 1); i--)
        swap_found(c, i, i - 1);
}

static void set_metric(zw_num_completion *c, const double *metric) {
    int nv = c->flow->k->nv;
    memcpy(c->flow->L, metric, sizeof(double) * (size_t)(nv * nv));
}

/* Newton's method from c->here_x, in the metric of inertia as for projections */
static bool solve_newton(zw_num_completion *c) {
    set_metric(c, c->mass);
    bool good = zw_num_level_satisfy(c->flow, c->name, c->t, c->here_x, c->kept, NULL) >= 0;
    set_metric(c, c->plain);
    return good;
}

static void try_from_place(zw_num_completion *c) {
    c->tries++;
    double left = descend_residual(c);
    if (left < c->best) {
        c->best = left;
        memcpy(c->best_x, c->here_x, sizeof(double) * (size_t)c->flow->k->nx);
    }
    if (left < NEWTON_FROM && solve_newton(c))
        store_solution(c);
}

/* Newton's method only, as for every other state, so that small corrections have the same bits */
static void try_from_origin(zw_num_completion *c) {
    memcpy(c->here_x, c->origin, sizeof(double) * (size_t)c->flow->k->nx);
    c->tries++;
    if (solve_newton(c)) {
        store_solution(c);
        return;
    }
    memcpy(c->place, c->origin, sizeof(double) * (size_t)c->flow->k->nx);
    c->tries--;
    try_from_place(c);
}

void zw_num_assemble_level(zw_num_completion *c, bool origin_only) {
    static const double radii[] = {0.3, half_turn, 1, half_turn};
    int free_entries = 0;
    for (int i = 0; i < c->v.n; i++)
        free_entries += may_move(c, i);
    int places = PLACES_LEAST + 8 * free_entries;
    c->nfound = c->tries = 0;
    c->work = 0;
    c->best = INFINITY;
    memcpy(c->best_x, c->origin, sizeof(double) * (size_t)c->flow->k->nx);
    set_metric(c, c->plain);
    set_weights(c);
    try_from_origin(c);
    if (origin_only && c->nfound)
        return;
    places = free_entries == 0 ? 0 : places < PLACES_MOST ? places : PLACES_MOST;
    for (int number = 1; number <= places && (number <= 8 || c->work < OPERATIONS_MAX); number++)
        if (zw_num_place(c, number, radii[number % 4]))
            try_from_place(c);
}

/* ---- families ---- */

/* the displacement towards the origin along the family, in the basis B: g := N'N B L^-1 F'D (origin
 * - x) */
static int towards_origin(zw_num_completion *c, const double *x) {
    zw_flow *flow = c->flow;
    int nv = flow->k->nv, d = linearise_residual(c), m = c->v.m;
    for (int j = 0; j < nv; j++) {
        flow->step[j] = 0;
        for (int i = 0; i < c->v.n; i++) {
            int e = c->v.offset + i;
            double D = 1 / (c->width[e] * c->width[e]), F = c->v.F ? c->v.F[i * nv + j] : i == j;
            flow->step[j] += F * D * (c->origin[e] - x[e]);
        }
    }
    zw_num_lower_solve(nv, flow->L, flow->step);
    for (int k = 0; k < m; k++)
        memcpy(flow->rows + k * d, c->J + k * nv, sizeof(double) * (size_t)d);
    int rank = zw_num_rows_factor(m, d, flow->rows, 0, SINGULAR_ROW, flow->tau, flow->order);
    zw_num_rows_complement(d, flow->rows, rank, flow->tau, flow->order, c->H);
    for (int j = 0; j < d; j++) {
        c->y[j] = c->g[j] = 0;
        for (int l = 0; l < nv; l++)
            c->y[j] += c->B[j * nv + l] * flow->step[l];
    }
    for (int n = 0; n < d - rank; n++) {
        double along = 0;
        for (int j = 0; j < d; j++)
            along += c->H[n * d + j] * c->y[j];
        for (int j = 0; j < d; j++)
            c->g[j] += along * c->H[n * d + j];
    }
    return d;
}

/* Steepest descent of the distance on the family: in this metric its Hessian is about the
 * identity. */
void zw_num_draw_near(zw_num_completion *c, double *x) {
    const size_t size = sizeof(double) * (size_t)c->flow->k->nx;
    double now = distance_of(c, x), fraction = 1;
    set_metric(c, c->plain);
    for (int i = 0; i < ITERATIONS && fraction > STEP_FRACTION_MIN; i++) {
        memcpy(c->here_x, x, size);
        zw_num_call(c->flow, c->v.function, c->t, x, NULL);
        int d = towards_origin(c, x);
        if (length_of(d, c->g) <= GRADIENT_ZERO)
            return;
        for (int j = 0; j < d; j++)
            c->y[j] = fraction * c->g[j];
        if (!displace_along(c, d))
            return;
        memcpy(c->here_x, c->place, size);
        double next = solve_newton(c) ? distance_of(c, c->here_x) : INFINITY;
        if (next <= now + DBL_EPSILON) { /* it is flat at its minimum */
            memcpy(x, c->here_x, size);
            now = next;
        } else {
            fraction /= 2;
        }
    }
}
