/* SPDX-License-Identifier: MIT */
/* The mean drift of zwang/manifold.h, numerically. f_1 is the derivative of the rates with
 * respect to eps at 0, from the values at 0, d and 2 d; its average is integrated along the
 * motion without eps (J. R. Dormand, P. J. Prince, order 5) until it returns to its start,
 * across the plane through that state. The drift itself is integrated by the classical
 * Runge-Kutta method; each of its stages is a state on the new levels, near the last one:
 * Newton's method along the gradients of the observables. A step that fails is halved.
 *
 * From level to level closed orbits change continuously. If their ranges or their winding
 * numbers jump for any step, a separatrix lies between them. The levels determine the orbit only
 * if other states on them have the same means: some states near the start, across the motion and
 * the gradients, are tested. */
#include "zwang/manifold.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"
#include "formulas/symbolic/symbolic.h"
#include "motion/jumps.h"
#include "motion/notes.h"
#include "zwang/flow.h"

enum {
    STEPS = 200,         /* default number of steps of the drift */
    STEPS_MOST = 100000, /* of the drift */
    CALLS_MOST = 200000, /* steps of one period */
    FLOWS = 3,           /* values of eps */
    STAGES = 7           /* of the method of Dormand and Prince */
};
/* d, of eps: error 1e-6 by the second order of the formula, 1e-12 by round-off */
#define DIFFERENCE_STEP 1e-3
/* relative error of a step along the motion, in the sizes of the state: far below the error of the
 * average */
#define TOLERANCE 1e-9
/* of the terms of a rate: a conserved quantity has less, by round-off and the difference formula */
#define CONSERVED_RATE 1e-6
/* of the size of the motion: distance from the start after a period. Chosen by trial: above the
 * error of a long period, below every motion that does not close. */
#define CLOSURE 1e-4
#define AT_REST 1e-4  /* of the sizes of the state: a smaller motion is none */
#define NO_RETURN 1e6 /* sizes of the state: the motion does not return */
/* of the sizes of the state: if Newton's method does not converge further, near a rest */
#define ON_LEVELS 1e-8
/* of its range: a larger change is not that between neighbouring orbits */
#define RANGE_JUMP 0.25
/* sizes of the state: distance of other states at which means are computed */
#define NEIGHBOUR_DISTANCE 0.1
#define SAME_MEAN 1e-4  /* of the mean absolute rate: smaller differences are errors of the means */
#define SHORT_STEP 1e-4 /* sizes of the state: a step that moves the levels by less is not halved */
#define CROSSING_ERROR 1e-14 /* of a step: accuracy of the time at which the plane is crossed */
#define FIRST_STEP 1e-3      /* of the time in which the state moves by its size */
#define LEAST_ERROR 1e-10    /* of a step: avoids a division by zero, the factor is limited to 4 */
/* length of a row across the others, relative: less is the error of the gradients */
#define ROW_DEPENDS 1e-6
#define SMALLEST_SIZE 1e-3 /* of a velocity in SI units, if it is zero at the start */
enum {
    HALVINGS = 10,     /* of a step that fails, */
    HALVINGS_MOST = 50 /* or of one that still moves the levels */
};

typedef struct average {
    zw_arena arena;
    const zw_system *sys;
    zw_average_options options;
    zw_equations eq;
    zw_kernel *kernel;
    zw_flow *flow[FLOWS]; /* at eps = 0, d, 2 d */
    double *p;
    int nx, m, small, index[ZW_AVERAGE_MOST];
    double d;
    double *scale, *wrap;          /* nx: sizes; periods of angles, 0 if not periodic */
    double *f[FLOWS], *jac, *seen; /* nx; (nobs + 2) x nx; nobs + 2 */
    double *stage[STAGES], *at;    /* nx + 2 m */
    double *begin, *y, *next;
    zw_error *err;
} average;

/* An orbit: its means and its range. */
typedef struct orbit {
    /* size: means of absolute values */
    double rate[ZW_AVERAGE_MOST], size[ZW_AVERAGE_MOST], period;
    double *low, *high; /* nx: from its first state */
    double *turns;      /* nx: winding numbers of angles */
} orbit;

void zw_average_options_init(zw_average_options *options, size_t size) {
    const zw_average_options all = {.size = size, .steps = STEPS};
    zw_options_begin(options, size, &all, sizeof all);
}

/* ------------------------------------------------------------------------------------ the rates */

static zw_status evaluate_observables(average *a, const double *x, double *I) {
    ZW_TRY(zw_flow_observables(a->flow[0], 0, x, a->seen, a->err));
    for (int j = 0; j < a->m; j++)
        I[j] = a->seen[a->index[j]];
    return ZW_OK;
}

/* x' without eps, and the rates of the observables by f_1, with and without sign. */
static zw_status evaluate_rates(average *a, const double *y, double *out) {
    int nx = a->nx;
    for (int k = 0; k < FLOWS; k++)
        ZW_TRY(zw_flow_rates(a->flow[k], 0, y, a->f[k], NULL, a->err));
    ZW_TRY(zw_flow_observables_jacobian(a->flow[0], 0, y, a->jac, a->err));
    memcpy(out, a->f[0], sizeof *out * (size_t)nx);
    for (int j = 0; j < a->m; j++) {
        out[nx + j] = 0;
        for (int i = 0; i < nx; i++)
            out[nx + j] += a->jac[a->index[j] * nx + i] *
                           (4 * a->f[1][i] - 3 * a->f[0][i] - a->f[2][i]) / (2 * a->d);
        out[nx + a->m + j] = fabs(out[nx + j]);
    }
    return ZW_OK;
}

/* Are the observables constant without eps, at a state whose rates are known? */
static zw_status check_stays(const average *a) {
    for (int j = 0; j < a->m; j++) {
        double sum = 0, sizes = 0;
        for (int i = 0; i < a->nx; i++) {
            double term = a->jac[a->index[j] * a->nx + i] * a->f[0][i];
            sum += term;
            sizes += fabs(term);
        }
        if (fabs(sum) <= CONSERVED_RATE * sizes)
            continue;
        zw_fail(a->err, ZW_E_DOMAIN,
                "%s is not conserved for %s = 0: its rate is %.6g of the size of its terms",
                a->options.name[j], a->options.small, sum / sizes);
        zw_error_hint(a->err, "zwang check --set \"%s=0\" lists the conserved quantities",
                      a->options.small);
        return ZW_E_DOMAIN;
    }
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------- one period */

/* One Dormand-Prince step from a->y to a->next; *error in units of the tolerance. */
static zw_status take_step(average *a, double h, double *error) {
    static const double b[STAGES][STAGES - 1] = {
        {0},
        {1. / 5},
        {3. / 40, 9. / 40},
        {44. / 45, -56. / 15, 32. / 9},
        {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
        {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
        {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
    static const double e[STAGES] = {71. / 57600,      0,          -71. / 16695, 71. / 1920,
                                     -17253. / 339200, 22. / 525., -1. / 40};
    int n = a->nx + 2 * a->m;
    for (int s = 0; s < STAGES; s++) {
        for (int i = 0; i < n; i++) {
            a->at[i] = a->y[i];
            for (int k = 0; k < s; k++)
                a->at[i] += h * b[s][k] * a->stage[k][i];
        }
        ZW_TRY(evaluate_rates(a, a->at, a->stage[s]));
    }
    memcpy(a->next, a->at, sizeof *a->next * (size_t)n); /* its last stage is the step itself */
    *error = 0;
    for (int i = 0; i < a->nx; i++) {
        double sum = 0;
        for (int s = 0; s < STAGES; s++)
            sum += h * e[s] * a->stage[s][i];
        *error = fmax(*error, fabs(sum) / (TOLERANCE * a->scale[i]));
    }
    return isfinite(*error) ? ZW_OK : zw_fail(a->err, ZW_E_NONFINITE, "the motion is not finite");
}

/* x - begin, angles without whole turns. */
static double state_difference(const average *a, const double *x, int i) {
    double d = x[i] - a->begin[i];
    return a->wrap[i] > 0 ? remainder(d, a->wrap[i]) : d;
}

/* Signed distance from the plane through the start, across the motion there (in normal). */
static double plane_side(const average *a, const double *x, const double *normal,
                         double *distance) {
    double sum = 0, square = 0;
    for (int i = 0; i < a->nx; i++) {
        double d = state_difference(a, x, i) / a->scale[i];
        sum += d * normal[i];
        square += d * d;
    }
    *distance = sqrt(square);
    return sum;
}

static zw_status not_periodic(average *a, const char *what) {
    return zw_fail(a->err, ZW_E_NUMERIC, "%s", what);
}

/* The step that ends on the plane, by the secant rule: a->next is there, *h its length. */
static zw_status step_to_plane(average *a, const double *normal, double *h) {
    double low = 0, high = *h, distance, error, f_low = plane_side(a, a->y, normal, &distance),
           f_high = plane_side(a, a->next, normal, &distance);
    for (int k = 0; k < 60 && high - low > CROSSING_ERROR * *h; k++) {
        double mid =
            k % 3 == 2 ? 0.5 * (low + high) : low - f_low * (high - low) / (f_high - f_low);
        ZW_TRY(take_step(a, mid, &error));
        double f = plane_side(a, a->next, normal, &distance);
        *(f < 0 ? &low : &high) = mid;
        *(f < 0 ? &f_low : &f_high) = f;
        if (f == 0)
            break;
    }
    *h = high;
    return take_step(a, high, &error);
}

/* Extends the range of the orbit by a state; the previous state gives the direction in which angles
 * turn. */
static void widen_range(const average *a, orbit *o, double *point, const double *from,
                        const double *to) {
    for (int i = 0; i < a->nx; i++) {
        point[i] += to[i] - from[i];
        o->low[i] = fmin(o->low[i], point[i]);
        o->high[i] = fmax(o->high[i], point[i]);
    }
}

static zw_status new_orbit(average *a, orbit *o) {
    *o = (orbit){.low = ZW_NEW(&a->arena, double, a->nx + 1),
                 .high = ZW_NEW(&a->arena, double, a->nx + 1),
                 .turns = ZW_NEW(&a->arena, double, a->nx + 1)};
    return zw_arena_status(&a->arena, a->err);
}

/* The means of the rates over the period of the motion through x. */
static zw_status average_rates(average *a, const double *x, orbit *o) {
    int nx = a->nx, n = nx + 2 * a->m;
    double *normal = ZW_NEW(&a->arena, double, nx + 1), *point = ZW_NEW(&a->arena, double, nx + 1),
           t = 0, speed = 0, most = 0, error, before = 0;
    if (!normal || !point)
        return zw_out_of_memory(a->err, NULL);
    memset(o->low, 0, sizeof *o->low * (size_t)nx);
    memset(o->high, 0, sizeof *o->high * (size_t)nx);
    memcpy(a->begin, x, sizeof *x * (size_t)nx);
    memset(a->y, 0, sizeof *a->y * (size_t)n);
    memcpy(a->y, x, sizeof *x * (size_t)nx);
    ZW_TRY(evaluate_rates(a, a->y, a->stage[0]));
    ZW_TRY(check_stays(a));
    for (int i = 0; i < nx; i++) {
        normal[i] = a->stage[0][i] / a->scale[i];
        speed += normal[i] * normal[i];
    }
    speed = sqrt(speed);
    if (!(speed > 0))
        return not_periodic(a, "the motion without it rests there");
    double h = FIRST_STEP / speed;
    bool left = false;
    for (int k = 0; k < CALLS_MOST; k++) {
        double distance, now;
        ZW_TRY(take_step(a, h, &error));
        double factor = fmin(4, fmax(0.2, 0.9 * pow(fmax(error, LEAST_ERROR), -0.2)));
        if (error > 1) {
            h *= factor;
            continue;
        }
        now = plane_side(a, a->next, normal, &distance);
        most = fmax(most, distance);
        if (!(most < NO_RETURN))
            break;
        left |= before < 0;
        if (left && before < 0 && now >= 0 && distance < 0.5 * most) {
            double taken = h;
            ZW_TRY(step_to_plane(a, normal, &taken));
            plane_side(a, a->next, normal, &distance);
            if (distance <= CLOSURE * most) {
                o->period = t + taken;
                for (int j = 0; j < a->m; j++) {
                    o->rate[j] = a->next[nx + j] / o->period;
                    o->size[j] = a->next[nx + a->m + j] / o->period;
                }
                widen_range(a, o, point, a->y, a->next);
                for (int i = 0; i < nx; i++)
                    o->turns[i] = a->wrap[i] > 0 ? rint(point[i] / a->wrap[i]) : 0;
                return most < AT_REST ? not_periodic(a, "the motion without it has shrunk to rest")
                                      : ZW_OK;
            }
        }
        before = now;
        t += h;
        widen_range(a, o, point, a->y, a->next);
        memcpy(a->y, a->next, sizeof *a->y * (size_t)n);
        h *= factor;
    }
    return not_periodic(a, "the motion without it does not come back");
}

/* ------------------------------------------------------------------------------------ the drift */

/* The state near x whose observables have these values. */
static zw_status go_to_levels(average *a, const double *I, double *x) {
    int nx = a->nx, m = a->m;
    for (int pass = 0; pass < 30; pass++) {
        double now[ZW_AVERAGE_MOST], G[ZW_AVERAGE_MOST * ZW_AVERAGE_MOST], b[ZW_AVERAGE_MOST],
            worst = 0;
        ZW_TRY(evaluate_observables(a, x, now));
        ZW_TRY(zw_flow_observables_jacobian(a->flow[0], 0, x, a->jac, a->err));
        for (int j = 0; j < m; j++) {
            b[j] = I[j] - now[j];
            for (int k = 0; k < m; k++) {
                G[j * m + k] = 0;
                for (int i = 0; i < nx; i++)
                    G[j * m + k] += a->jac[a->index[j] * nx + i] * a->jac[a->index[k] * nx + i] *
                                    a->scale[i] * a->scale[i];
            }
        }
        if (!zw_symbolic_solve_numbers(m, G, 1, b))
            return not_periodic(a, "the levels touch each other there");
        for (int i = 0; i < nx; i++) {
            double change = 0;
            for (int j = 0; j < m; j++)
                change += a->jac[a->index[j] * nx + i] * b[j] * a->scale[i] * a->scale[i];
            x[i] += change;
            worst = fmax(worst, fabs(change) / a->scale[i]);
        }
        /* what round-off leaves near a rest */
        if (worst < ZW_ROUNDOFF_VALUE || (pass > 3 && worst < ON_LEVELS))
            return ZW_OK;
        if (!(worst < 10))
            break;
    }
    return not_periodic(a, "no state has the values that the means lead to");
}

/* A classical step of tau; x is the state on the levels I, both are advanced. */
static zw_status step_levels(average *a, double h, const orbit *first, double *I, double *x) {
    double k[4][ZW_AVERAGE_MOST], J[ZW_AVERAGE_MOST];
    double *stage = ZW_NEW(&a->arena, double, a->nx + 1);
    orbit o;
    if (!stage)
        return zw_out_of_memory(a->err, NULL);
    ZW_TRY(new_orbit(a, &o));
    memcpy(k[0], first->rate, sizeof k[0]);
    for (int s = 1; s < 4; s++) {
        for (int j = 0; j < a->m; j++)
            J[j] = I[j] + (s < 3 ? 0.5 : 1) * h * k[s - 1][j];
        memcpy(stage, x, sizeof *x * (size_t)a->nx);
        ZW_TRY(go_to_levels(a, J, stage));
        ZW_TRY(average_rates(a, stage, &o));
        memcpy(k[s], o.rate, sizeof k[s]);
    }
    for (int j = 0; j < a->m; j++)
        I[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    return go_to_levels(a, I, x);
}

/* The largest relative change of a range; 1 if an angle turns in only one of the orbits. */
static double jump_of(const average *a, const orbit *o, const orbit *next) {
    double worst = 0;
    for (int i = 0; i < a->nx; i++) {
        double was = o->high[i] - o->low[i], is = next->high[i] - next->low[i],
               size = fmax(was, is);
        if (o->turns[i] != next->turns[i])
            return 1;
        if (size > AT_REST * a->scale[i])
            worst = fmax(worst, fabs(is - was) / size);
    }
    return worst;
}

static bool is_numeric(zw_status status) {
    return status == ZW_E_NUMERIC || status == ZW_E_NONFINITE || status == ZW_E_SINGULAR;
}

static void copy_orbit(const average *a, const orbit *from, orbit *to) {
    size_t bytes = sizeof(double) * (size_t)a->nx;
    orbit own = *to;
    *to = *from;
    to->low = memcpy(own.low, from->low, bytes);
    to->high = memcpy(own.high, from->high, bytes);
    to->turns = memcpy(own.turns, from->turns, bytes);
}

/* Distance by which the levels move in a step of tau, in the sizes of the state. */
static double length_of(average *a, double h, const double *x, const orbit *o) {
    double longest = 0;
    if (zw_flow_observables_jacobian(a->flow[0], 0, x, a->jac, NULL) < 0)
        return 0;
    for (int j = 0; j < a->m; j++) {
        double slope = 0;
        for (int i = 0; i < a->nx; i++)
            slope = hypot(slope, a->jac[a->index[j] * a->nx + i] * a->scale[i]);
        longest = slope > 0 ? fmax(longest, h * fabs(o->rate[j]) / slope) : longest;
    }
    return longest;
}

/* From tau on by h: the levels I, the state x on them, and the orbit through it. In halves if that
 * fails or if the orbit is not near the previous one; *tau is the value that is reached. */
static zw_status advance_levels(average *a, double h, int halved, double *tau, double *I, double *x,
                                orbit *o) {
    zw_arena_mark mark = zw_arena_mark_now(&a->arena);
    size_t levels = sizeof(double) * ZW_AVERAGE_MOST, state = sizeof(double) * (size_t)a->nx;
    double J[ZW_AVERAGE_MOST], *y = ZW_NEW(&a->arena, double, a->nx + 1);
    orbit next;
    if (!y)
        return zw_out_of_memory(a->err, NULL);
    ZW_TRY(new_orbit(a, &next));
    memcpy(J, I, levels);
    memcpy(y, x, state);
    zw_status status = step_levels(a, h, o, J, y);
    if (status >= 0)
        status = average_rates(a, y, &next);
    bool jumps = status == ZW_OK && jump_of(a, o, &next) > RANGE_JUMP;
    if (status == ZW_OK && !jumps) {
        memcpy(I, J, levels);
        memcpy(x, y, state);
        copy_orbit(a, &next, o);
        *tau += h;
    } else if ((jumps || is_numeric(status)) &&
               (halved < HALVINGS ||
                (halved < HALVINGS_MOST && length_of(a, h, x, o) > SHORT_STEP))) {
        if (a->err)
            *a->err = (zw_error){0};
        status = advance_levels(a, h / 2, halved + 1, tau, I, x, o);
        if (status == ZW_OK)
            status = advance_levels(a, h / 2, halved + 1, tau, I, x, o);
    } else if (jumps) {
        status = zw_fail(a->err, ZW_E_NUMERIC,
                         "a separatrix is crossed: the orbits of the two sides are far apart");
    }
    zw_arena_release(&a->arena, mark);
    return status;
}

/* ----------------------------------------------------------- do the levels determine the orbit? */

/* Adds an orthonormal row in the sizes of the state; false if it is a combination of the others. */
static bool add_row(const average *a, double *rows, int *n, const double *row) {
    double *to = rows + (size_t)(*n * a->nx), before = 0, after = 0;
    for (int i = 0; i < a->nx; i++) {
        to[i] = row[i];
        before += row[i] * row[i];
    }
    for (int k = 0; k < 2 * *n; k++) { /* twice each */
        const double *u = rows + (size_t)(k % *n * a->nx);
        double dot = 0;
        for (int i = 0; i < a->nx; i++)
            dot += u[i] * to[i];
        for (int i = 0; i < a->nx; i++)
            to[i] -= dot * u[i];
    }
    for (int i = 0; i < a->nx; i++)
        after += to[i] * to[i];
    if (!(after > ROW_DEPENDS * before))
        return false;
    for (int i = 0; i < a->nx; i++)
        to[i] /= sqrt(after);
    ++*n;
    return true;
}

/* The means through a state near x on the same levels: do they differ? */
static zw_status try_neighbour(average *a, const double *x, const orbit *o, const double *direction,
                               char *doubt, size_t capacity) {
    double *y = ZW_NEW(&a->arena, double, a->nx + 1), I[ZW_AVERAGE_MOST];
    orbit other;
    if (!y)
        return zw_out_of_memory(a->err, NULL);
    ZW_TRY(new_orbit(a, &other));
    ZW_TRY(evaluate_observables(a, x, I));
    for (int i = 0; i < a->nx; i++)
        y[i] = x[i] + NEIGHBOUR_DISTANCE * a->scale[i] * direction[i];
    zw_status status = go_to_levels(a, I, y);
    if (is_numeric(status)) /* no such state */
        goto done;
    ZW_TRY(status);
    status = average_rates(a, y, &other);
    if (is_numeric(status)) {
        snprintf(doubt, capacity,
                 "the observables do not determine a closed orbit: near the start are motions with "
                 "the same values that do not return; the means are those of the motion from the "
                 "start only");
        goto done;
    }
    ZW_TRY(status);
    for (int j = 0; j < a->m && !doubt[0]; j++)
        if (fabs(other.rate[j] - o->rate[j]) > SAME_MEAN * fmax(o->size[j], other.size[j]))
            snprintf(doubt, capacity,
                     "the observables do not determine the mean rate of %s: it is %.6g along the "
                     "motion from the start and %.6g along another one with the same values",
                     a->options.name[j], o->rate[j], other.rate[j]);
    return ZW_OK;
done:
    if (a->err)
        *a->err = (zw_error){0};
    return ZW_OK;
}

/* Across the motion and the gradients of the observables. */
static zw_status check_fixed(average *a, const double *x, const orbit *o, char *doubt,
                             size_t capacity) {
    zw_arena_mark mark = zw_arena_mark_now(&a->arena);
    int nx = a->nx, n = 0;
    double *rows = ZW_NEW(&a->arena, double, (nx + a->m + 2) * nx + 1),
           *row = ZW_NEW(&a->arena, double, nx + 1);
    if (a->arena.failed)
        return zw_out_of_memory(a->err, NULL);
    ZW_TRY(evaluate_rates(a, x, a->at));
    for (int i = 0; i < nx; i++)
        row[i] = a->at[i] / a->scale[i];
    add_row(a, rows, &n, row);
    for (int j = 0; j < a->m; j++) {
        for (int i = 0; i < nx; i++)
            row[i] = a->jac[a->index[j] * nx + i] * a->scale[i];
        add_row(a, rows, &n, row);
    }
    for (int i = 0; i < nx && !doubt[0]; i++) {
        memset(row, 0, sizeof *row * (size_t)nx);
        row[i] = 1;
        if (add_row(a, rows, &n, row))
            ZW_TRY(try_neighbour(a, x, o, rows + (size_t)((n - 1) * nx), doubt, capacity));
    }
    zw_arena_release(&a->arena, mark);
    return ZW_OK;
}

static zw_status make_columns(const average *a, zw_table *t) {
    char name[200];
    ZW_TRY(zw_table_column(t, "tau", ""));
    for (int j = 0; j < a->m; j++)
        ZW_TRY(zw_table_column(t, a->options.name[j], a->sys->observable[a->index[j]].unit));
    for (int j = 0; j < a->m; j++) {
        snprintf(name, sizeof name, "rate(%.180s)", a->options.name[j]);
        ZW_TRY(zw_table_column(t, name, ""));
    }
    ZW_TRY(zw_table_column(t, "period", "s"));
    for (int i = 0; i < a->nx; i++)
        ZW_TRY(i < a->sys->nq ? zw_table_column(t, a->sys->coord[i].name, a->sys->coord[i].unit)
                              : zw_table_column(t, a->sys->velocity[i - a->sys->nq].name,
                                                a->sys->velocity[i - a->sys->nq].unit));
    return ZW_OK;
}

/* What ended the drift, if it was the motion and no other error. */
static bool has_ended(average *a, zw_status status, zw_average_info *info) {
    if (!is_numeric(status))
        return false;
    info->ended = true;
    snprintf(info->why, sizeof info->why, "%.199s", a->err ? a->err->text : "");
    if (a->err)
        *a->err = (zw_error){0};
    return true;
}

static zw_status put_row(const average *a, double tau, const double *I, const orbit *o,
                         const double *x, double *row, zw_table *t) {
    int n = 0;
    row[n++] = tau;
    for (int j = 0; j < a->m; j++)
        row[n++] = I[j];
    for (int j = 0; j < a->m; j++)
        row[n++] = o->rate[j];
    row[n++] = o->period;
    memcpy(row + n, x, sizeof *x * (size_t)a->nx);
    return t ? zw_table_row(t, row) : ZW_OK;
}

static zw_status follow_levels(average *a, double *x, zw_table *t, zw_average_info *info) {
    double I[ZW_AVERAGE_MOST], tau = 0, h = a->options.until / a->options.steps,
                               *row = ZW_NEW(&a->arena, double, a->nx + 16);
    orbit o;
    if (!row)
        return zw_out_of_memory(a->err, NULL);
    ZW_TRY(new_orbit(a, &o));
    ZW_TRY(evaluate_observables(a, x, I));
    ZW_TRY(average_rates(a, x, &o));
    memcpy(info->from, I, sizeof info->from);
    info->period[0] = o.period;
    if (t) /* requested once */
        ZW_TRY(check_fixed(a, x, &o, info->doubt, sizeof info->doubt));
    for (int k = 0; k <= a->options.steps; k++) {
        memcpy(info->to, I, sizeof info->to);
        info->tau = tau = k * h;
        info->period[1] = o.period;
        ZW_TRY(put_row(a, tau, I, &o, x, row, t));
        if (a->options.stop && a->options.stop(a->options.stop_user, (double)k / a->options.steps))
            return ZW_STOPPED;
        if (k == a->options.steps)
            return ZW_OK;
        zw_status status = advance_levels(a, h, 0, &tau, I, x, &o);
        if (has_ended(a, status, info)) {
            info->tau = tau; /* after the last row */
            memcpy(info->to, I, sizeof info->to);
            info->period[1] = o.period;
            return ZW_OK;
        }
        ZW_TRY(status);
    }
    return ZW_OK;
}

/* The same with half as many steps, whose error is 16 times larger with the method of order 4. */
static zw_status estimate_error(average *a, double *x, zw_average_info *info) {
    zw_average_info half = {0};
    int steps = a->options.steps;
    info->error = NAN;
    if (info->ended || steps % 2)
        return ZW_OK;
    a->options.steps = steps / 2;
    zw_status status = follow_levels(a, x, NULL, &half);
    a->options.steps = steps;
    if (status != ZW_OK || half.ended)
        return status;
    info->error = 0;
    for (int j = 0; j < a->m; j++)
        info->error = fmax(info->error, fabs(half.to[j] - info->to[j]) / 15 /
                                            fmax(fabs(info->to[j] - info->from[j]), ZW_TINY));
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- set-up */

static zw_status read_names(average *a) {
    const zw_system *s = a->sys;
    a->m = a->options.n;
    if (a->m < 1 || a->m > ZW_AVERAGE_MOST || a->options.steps < 1 ||
        a->options.steps > STEPS_MOST || !(a->options.until > 0))
        return zw_fail(a->err, ZW_E_OPTION,
                       "--average needs 1 to %d observables and a positive time",
                       (int)ZW_AVERAGE_MOST);
    a->small = -1;
    for (int i = 0; a->options.small && i < s->np; i++)
        if (strcmp(s->param[i].name, a->options.small) == 0)
            a->small = i;
    if (a->small < 0)
        return zw_fail(a->err, ZW_E_NAME, "there is no parameter '%s' that could be small",
                       a->options.small ? a->options.small : "");
    for (int j = 0; j < a->m; j++) {
        a->index[j] = -1;
        for (int i = 0; i < s->nobservable; i++)
            if (strcmp(s->observable[i].name, a->options.name[j]) == 0)
                a->index[j] = i;
        if (a->index[j] < 0) {
            zw_fail(a->err, ZW_E_NAME, "there is no observable '%s'", a->options.name[j]);
            zw_error_hint(a->err, "state it in the model: observe %s = ...", a->options.name[j]);
            return ZW_E_NAME;
        }
    }
    return ZW_OK;
}

static zw_status make_flows(average *a) {
    const zw_system *s = a->sys;
    zw_kernel_options o = zw_kernel_options_default();
    bool *given = ZW_NEW(&a->arena, bool, s->np + 1);
    double *p = ZW_NEW(&a->arena, double, s->np + 1);
    if (a->arena.failed)
        return zw_out_of_memory(a->err, NULL);
    o.jit = ZW_JIT_WHEN_IT_PAYS;
    o.functions = ZW_FUNCTIONS_ALL_METHODS | ZW_SET(OBS) | ZW_SET(OBS_JAC);
    ZW_TRY(zw_kernel_create(&a->kernel, &a->eq, &o, a->err));
    given[a->small] = true;
    double eps = a->p[a->small];
    a->d = DIFFERENCE_STEP * (eps != 0 ? eps : 1);
    for (int k = 0; k < FLOWS; k++) {
        memcpy(p, a->p, sizeof *p * (size_t)s->np);
        p[a->small] = k * a->d;
        ZW_TRY(zw_system_param_follow(s, given, p, a->err));
        ZW_TRY(zw_flow_create(&a->flow[k], a->kernel, p, a->err));
    }
    return ZW_OK;
}

static zw_status allocate_arrays(average *a) {
    int n = a->nx + 2 * a->m;
    double **vector[] = {&a->scale,    &a->wrap,     &a->f[0],     &a->f[1],
                         &a->f[2],     &a->at,       &a->begin,    &a->y,
                         &a->next,     &a->stage[0], &a->stage[1], &a->stage[2],
                         &a->stage[3], &a->stage[4], &a->stage[5], &a->stage[6]};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
        *vector[i] = ZW_NEW(&a->arena, double, n + 1);
    a->jac = ZW_NEW(&a->arena, double, (a->kernel->nobs + 2) * a->nx + 1);
    a->seen = ZW_NEW(&a->arena, double, a->kernel->nobs + 3);
    return zw_arena_status(&a->arena, a->err);
}

/* The start, on the constraints, and the sizes of the state. */
static zw_status begin_average(average *a, double *x) {
    const zw_system *s = a->sys;
    double *width = ZW_NEW(&a->arena, double, s->nq + 1);
    zw_said *said = ZW_NEW(&a->arena, zw_said, a->nx + 1);
    if (a->arena.failed)
        return zw_out_of_memory(a->err, NULL);
    ZW_TRY(zw_system_start_said(s, a->p, x, said, width, a->err));
    ZW_TRY(zw_flow_project(a->flow[0], 0, x, NULL, a->err));
    ZW_TRY(zw_flow_rates(a->flow[0], 0, x, a->f[0], NULL, a->err));
    for (int i = 0; i < a->nx; i++) {
        a->scale[i] =
            i < s->nq ? fmax(fabs(x[i]), fmin(1, width[i])) : fmax(fabs(x[i]), SMALLEST_SIZE);
        a->wrap[i] = i < s->nq && s->coord[i].period
                         ? zw_eval(s->ctx, s->coord[i].period, 0, NULL, NULL)
                         : 0;
    }
    return ZW_OK;
}

/* One period of the undisturbed motion does not contain an excitation with another one. */
static zw_status reject_time(const average *a) {
    bool driven = false;
    for (int i = 0; i < a->eq.nq + a->eq.nv; i++)
        driven |= zw_depends(a->sys->ctx, i < a->eq.nq ? a->eq.qdot[i] : a->eq.h[i - a->eq.nq],
                             a->sys->t);
    if (!driven)
        return ZW_OK;
    zw_fail(a->err, ZW_E_MODEL, "the equations depend on time: averages need an autonomous model");
    zw_error_hint(a->err,
                  "make the phase of the excitation a state: state psi [rad] : psi' = Omega");
    return ZW_E_MODEL;
}

static zw_status run_average(average *a, const zw_model_source *source, zw_table **out,
                             zw_average_info *info) {
    zw_allocator alloc = zw_context_allocator(a->sys->ctx);
    ZW_TRY(read_names(a));
    ZW_TRY(zw_refuse_breaks(a->sys, ZW_E_MODEL, "averages are of smooth motions", a->err));
    ZW_TRY(zw_derive(&a->eq, a->sys, a->options.active, "lagrange", a->err));
    if (a->eq.nc > 0)
        return zw_fail(a->err, ZW_E_MODEL,
                       "averages need a model without constraints: zwang reduce writes one");
    a->p = ZW_NEW(&a->arena, double, a->sys->np + 1);
    if (!a->p)
        return zw_out_of_memory(a->err, NULL);
    ZW_TRY(zw_system_param_values(a->sys, a->p, a->err));
    ZW_TRY(reject_time(a));
    ZW_TRY(make_flows(a));
    a->nx = a->kernel->nx;
    ZW_TRY(allocate_arrays(a));
    double *x = ZW_NEW(&a->arena, double, a->nx + 1), *start = ZW_NEW(&a->arena, double, a->nx + 1);
    zw_table *t = zw_table_create(&alloc);
    if (!x || !start || !t)
        return zw_out_of_memory(a->err, NULL);
    zw_status status = begin_average(a, x);
    memcpy(start, x, sizeof *x * (size_t)a->nx);
    if (status >= 0)
        status = make_columns(a, t);
    if (status >= 0)
        status = zw_study_origin(t, a->sys, "lagrange", a->p, a->options.active, source, "average");
    if (status >= 0)
        status = follow_levels(a, x, t, info);
    if (status == ZW_OK)
        status = estimate_error(a, start, info);
    if (status >= 0)
        *out = t;
    else
        zw_table_destroy(t);
    return status;
}

zw_status zw_average(const zw_system *sys, const zw_average_options *options,
                     const zw_model_source *source, zw_table **out, zw_average_info *info,
                     zw_error *err) {
    assert(out && sys);
    average a = {.sys = sys, .options = zw_average_options_default(), .err = err};
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    *out = NULL;
    *info = (zw_average_info){0};
    ZW_TRY(zw_options_adopt(&a.options, sizeof a.options, options, "zw_average_options", err));
    zw_arena_init(&a.arena, &alloc);
    zw_status status = run_average(&a, source, out, info);
    for (int k = 0; k < FLOWS; k++)
        zw_flow_destroy(a.flow[k]);
    zw_kernel_destroy(a.kernel);
    zw_arena_clear(&a.arena);
    return status;
}
