/* SPDX-License-Identifier: MIT */
/* The steps of zw_follow. From the motion x_0 at a_0 with tangent x_0' to a_1 = a_0 + h:
 *
 *     prediction  x_0 + h x_0',   correction x_1 by zw_steady_find,   tangent x_1',
 *     motion      x_m at a_0 + h/2 likewise.
 *
 * The cubic with the values and tangents of both ends misses x_m by h^4 if the path is smooth. It
 * misses by as much as the step itself if x_1 is on another branch: near a pitchfork the branches
 * leave with infinite slope, near a fold the second one lies opposite. So a step is accepted if the
 * miss is a small part of its length, otherwise it is halved. Tangents alone, or prediction and
 * correction alone, cannot distinguish a path that bends from one that was left.
 *
 * Tangents come from a second correction at a nearby value: they only serve prediction and
 * judgement.
 *
 * Where the path turns back, halving continues down to the smallest step. a is then a smooth
 * function of the entry xi of x that changes most, with an extremum: that of the cubic through the
 * last four points is the value of the fold, far more accurate than the solver could get there,
 * where its equations are singular. An end without such an extremum close ahead is no fold, nor is
 * a path that continues beyond it with still shorter steps. */
#include "zwang/steady.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"

#define STEP_FIRST 0.03 /* of the range */
/* of the range: a fold is approached to its square root, 3e-4 in the state */
#define STEP_MIN 1e-7
/* Distance of the second point of a tangent: of the range, of the step, and at least of the range.
 * A difference of motions known to ZW_ROUNDOFF_SUM is then known to 1e-7. */
#define TANGENT_RANGE 1e-5
#define TANGENT_STEP 1e-2
#define TANGENT_MIN 1e-10
/* Miss in the middle of a step, of its length: branches closer to each other than this are not
 * distinguished. */
#define MISS_MAX 1e-3
#define MISS_EASY 1e-4      /* below it the next step may be longer: h^4 allows a factor of 1.8 */
#define PREDICTION_OFF 0.15 /* from prediction to correction, of the length of a step */
#define LENGTH_MAX 0.5      /* of a step, in the sizes of the state */
/* from prediction to correction, in the sizes of the state: the path is straight; a thousand times
 * the error of motions */
#define STRAIGHT_LINE 1e-9
/* of motions near singular ones, in the sizes of the state: sqrt(eps), where two solutions meet */
#define STATE_UNCERTAIN 1e-8
/* Of the smallest step: steps that decide whether the path turns back or only bends sharply. */
#define STEP_CLOSE 1e-2
#define FOLD_AHEAD 10 /* steps at most to the extremum of a fold */
/* of the sizes of the state: where symmetries are confirmed; a limit of a force is seldom closer */
#define NEAR_STATE 0.01
/* factors of symmetries that do not depend on the value: they come from a null space */
#define SAME_COMBINATION ZW_ROUNDOFF_SOLVED
#define ORDINARY_FRACTION 0.381966 /* of the range: not exceptional by symmetry */

void zw_follow_options_init(zw_follow_options *options, size_t size) {
    const zw_follow_options all = {.size = size, .to = 1, .step_max = 0.2, .step_min = STEP_MIN};
    zw_options_begin(options, size, &all, sizeof all);
}

enum {
    LAST = 4,            /* points of the cubic at a fold */
    TANGENT_TRIALS = 6,  /* two sides at three distances */
    EXTREMUM_NEWTON = 50 /* iterations; quadratic, so a few suffice */
};

typedef struct knot { /* a recorded point of the path */
    double value;
    double *x, *slope; /* nx */
} knot;

typedef struct point {
    double value;
    double *x, *slope; /* nx */
    double *c, *z;     /* nfield, nz */
    zw_steady motion;  /* with the arrays above */
} point;

struct zw_follow {
    zw_arena arena;
    zw_flow *flow;
    double t;
    const double *scale, *about; /* nx: sizes; the state near which symmetries are found */
    bool confirmed[2];           /* the symmetries at the ends of the range */
    double *near_scale;          /* nx: distance of states near the motion */
    zw_follow_options options;
    zw_symmetries symmetries;
    double symmetries_value; /* at which they were found */
    zw_hold *hold;
    double *p, *held;
    point current, next, middle, nearby;
    double *predicted; /* nx */
    int nknot, capacity;
    knot *knots; /* ascending in the value */
    double step; /* positive, to be tried next */
    zw_follow_info info;
};

static double range_of(const zw_follow *f) {
    return fabs(f->options.to - f->options.from);
}

static double state_distance(const zw_follow *f, const double *x, const double *y) {
    double most = 0;
    for (int i = 0; i < zw_flow_kernel(f->flow)->nx; i++)
        most = fmax(most, fabs(x[i] - y[i]) / f->scale[i]);
    return most;
}

/* ---------------------------------------------------------------------- one value of the number */

/* Set parameters and held values. */
static zw_status set_value(zw_follow *f, double value, zw_error *err) {
    memcpy(f->p, zw_flow_parameters(f->flow), sizeof(double) * (size_t)zw_flow_kernel(f->flow)->np);
    for (int i = 0; i < f->options.nhold; i++)
        f->held[i] = f->hold[i].value;
    ZW_TRY(f->options.set(f->options.user, value, f->p, f->held, err));
    for (int i = 0; i < f->options.nhold; i++)
        f->hold[i].value = f->held[i];
    return zw_flow_set_parameters(f->flow, f->p, err);
}

/* Symmetries about the motion. Random states far from it may all lie beyond a limit of a force,
 * where there are more of them: those that do not hold nearby do not count. */
static zw_status find_symmetries(zw_follow *f, zw_symmetries *out, zw_error *err) {
    zw_symmetries nearest = {0};
    ZW_TRY(zw_symmetries_find(out, f->flow, f->t, f->about, f->scale, err));
    if (out->n == 0)
        return ZW_OK;
    zw_status status = zw_symmetries_find(&nearest, f->flow, f->t, f->about, f->near_scale, err);
    if (status < 0) {
        zw_symmetries_clear(out);
        return status;
    }
    if (nearest.n < out->n) {
        zw_symmetries swap = *out;
        *out = nearest;
        nearest = swap;
    }
    zw_symmetries_clear(&nearest);
    return ZW_OK;
}

static zw_status update_symmetries(zw_follow *f, double value, zw_error *err) {
    if (f->symmetries.memory && (!f->info.vary || value == f->symmetries_value))
        return ZW_OK;
    int before = f->symmetries.n;
    bool again = f->symmetries.memory != NULL;
    zw_symmetries_clear(&f->symmetries);
    ZW_TRY(find_symmetries(f, &f->symmetries, err));
    f->symmetries_value = value;
    if (again && f->symmetries.n != before)
        return zw_fail(err, ZW_E_NUMERIC, "the symmetries change at %.12g: there are %d, not %d",
                       value, f->symmetries.n, before);
    return ZW_OK;
}

/* The steady motion at a value, near the state in at->x. */
static zw_status correct_state(zw_follow *f, double value, point *at, zw_error *err) {
    ZW_TRY(set_value(f, value, err));
    ZW_TRY(update_symmetries(f, value, err));
    at->value = value;
    at->motion.t = f->t;
    return zw_steady_find(&at->motion, f->flow, &f->symmetries, f->scale, f->options.nhold, f->hold,
                          err);
}

static void predict_state(const zw_follow *f, const point *from, double value, double *x) {
    for (int i = 0; i < zw_flow_kernel(f->flow)->nx; i++)
        x[i] = from->x[i] + (value - from->value) * from->slope[i];
}

static void copy_point(const zw_follow *f, point *to, const point *from) {
    const zw_kernel *k = zw_flow_kernel(f->flow);
    to->value = from->value;
    memcpy(to->x, from->x, sizeof(double) * (size_t)k->nx);
    memcpy(to->slope, from->slope, sizeof(double) * (size_t)k->nx);
    memcpy(to->c, from->c, sizeof(double) * (size_t)k->nfield);
    memcpy(to->z, from->z, sizeof(double) * (size_t)k->nz);
    zw_steady arrays = to->motion;
    to->motion = from->motion;
    to->motion.x = arrays.x;
    to->motion.c = arrays.c;
    to->motion.z = arrays.z;
}

/* dx/da, from a motion at a slightly larger or smaller value: closer, if there is none or it is
 * another one. */
static zw_status find_slope(zw_follow *f, point *at, double step, zw_error *err) {
    int nx = zw_flow_kernel(f->flow)->nx;
    double inside = at->value == f->options.to ? f->options.from : f->options.to,
           reach = copysign(fmax(fmin(TANGENT_RANGE * range_of(f), TANGENT_STEP * step),
                                 TANGENT_MIN * range_of(f)),
                            inside - at->value);
    zw_error trouble = {0};
    zw_status status = ZW_E_NUMERIC;
    for (int k = 0; status < 0 && k < TANGENT_TRIALS; k++) {
        int shrunk = k / 2; /* on one side, on the other, then closer on both */
        double by = reach / pow(10, shrunk) * (k % 2 ? -1 : 1);
        memcpy(f->nearby.x, at->x, sizeof(double) * (size_t)nx);
        trouble = (zw_error){0};
        status = correct_state(f, at->value + by, &f->nearby, &trouble);
        if (status >= 0 && state_distance(f, at->x, f->nearby.x) > LENGTH_MAX)
            status = zw_fail(&trouble, ZW_E_NUMERIC, "another steady motion is near");
        for (int i = 0; status >= 0 && i < nx; i++)
            at->slope[i] = (f->nearby.x[i] - at->x[i]) / by;
        if (status != ZW_E_NUMERIC && status < 0)
            break;
    }
    if (status < 0 && err)
        *err = trouble;
    return status;
}

/* ---------------------------------------------------------------------------------------- steps */

/* The miss of the motion in the middle of the step from the cubic; infinite if there is none. */
static double middle_miss(zw_follow *f, zw_error *err) {
    const point *a = &f->current, *b = &f->next;
    double h = b->value - a->value;
    for (int i = 0; i < zw_flow_kernel(f->flow)->nx; i++)
        f->predicted[i] = (a->x[i] + b->x[i]) / 2 + h * (a->slope[i] - b->slope[i]) / 8;
    memcpy(f->middle.x, f->predicted, sizeof(double) * (size_t)zw_flow_kernel(f->flow)->nx);
    if (correct_state(f, a->value + h / 2, &f->middle, err) < 0)
        return INFINITY;
    return state_distance(f, f->middle.x, f->predicted);
}

/* One step to a value: its miss relative to the allowed one; above one, the step is rejected. */
static double try_step(zw_follow *f, double value, zw_error *err) {
    predict_state(f, &f->current, value, f->predicted);
    double reach = state_distance(f, f->current.x, f->predicted);
    if (!(reach <= LENGTH_MAX))
        return INFINITY;
    memcpy(f->next.x, f->predicted, sizeof(double) * (size_t)zw_flow_kernel(f->flow)->nx);
    if (correct_state(f, value, &f->next, err) < 0)
        return INFINITY;
    double length = state_distance(f, f->current.x, f->next.x),
           error = state_distance(f, f->next.x, f->predicted);
    if (length > LENGTH_MAX || error > PREDICTION_OFF * length + STATE_UNCERTAIN)
        return INFINITY;
    if (error <= STRAIGHT_LINE) { /* exactly on the tangent: the path is straight */
        memcpy(f->next.slope, f->current.slope,
               sizeof(double) * (size_t)zw_flow_kernel(f->flow)->nx);
        return 0;
    }
    if (find_slope(f, &f->next, fabs(value - f->current.value), err) < 0)
        return INFINITY;
    return middle_miss(f, err) / (MISS_MAX * length + STATE_UNCERTAIN);
}

/* Append the motion as the new end of the path. */
static zw_status append_knot(zw_follow *f, zw_error *err) {
    int nx = zw_flow_kernel(f->flow)->nx;
    knot at = {f->current.value, ZW_NEW(&f->arena, double, nx + 1),
               ZW_NEW(&f->arena, double, nx + 1)};
    if (!zw_arena_grow(&f->arena, (void **)&f->knots, f->nknot, &f->capacity, sizeof *f->knots) ||
        f->arena.failed)
        return zw_out_of_memory(err, NULL);
    memcpy(at.x, f->current.x, sizeof(double) * (size_t)nx);
    memcpy(at.slope, f->current.slope, sizeof(double) * (size_t)nx);
    bool first = f->nknot == 0 || at.value < f->knots[0].value;
    if (first && f->nknot > 0)
        memmove(f->knots + 1, f->knots, sizeof *f->knots * (size_t)f->nknot);
    f->knots[first ? 0 : f->nknot] = at;
    f->nknot++;
    return ZW_OK;
}

/* Point k of the path, counted from the end where the motion is. */
static const knot *last_knot(const zw_follow *f, int k) {
    return f->current.value == f->knots[0].value ? &f->knots[k] : &f->knots[f->nknot - 1 - k];
}

/* The entry that changed most over the last points. */
static int steepest_entry(const zw_follow *f) {
    const double *x = last_knot(f, 0)->x, *y = last_knot(f, LAST - 1)->x;
    int best = 0;
    for (int i = 0; i < zw_flow_kernel(f->flow)->nx; i++)
        if (fabs(x[i] - y[i]) / f->scale[i] > fabs(x[best] - y[best]) / f->scale[best])
            best = i;
    return best;
}

/* a(xi) at the extremum near the newest point of the cubic through the last points; NaN if there is
 * none. */
static double cubic_extremum(const zw_follow *f) {
    int entry = steepest_entry(f);
    double xi[LAST], d[LAST], at;
    for (int k = 0; k < LAST; k++) {
        xi[k] = last_knot(f, k)->x[entry];
        d[k] = last_knot(f, k)->value;
    }
    for (int order = 1; order < LAST; order++) /* divided differences */
        for (int k = LAST - 1; k >= order; k--)
            d[k] = (d[k] - d[k - 1]) / (xi[k] - xi[k - order]);
    at = xi[0];
    for (int i = 0; i < EXTREMUM_NEWTON; i++) {
        double a = at - xi[0], b = at - xi[1], c = at - xi[2],
               slope = d[1] + d[2] * (a + b) + d[3] * (a * b + a * c + b * c),
               bend = 2 * d[2] + 2 * d[3] * (a + b + c);
        at -= slope / bend;
    }
    return d[0] + (at - xi[0]) * (d[1] + (at - xi[1]) * (d[2] + (at - xi[2]) * d[3]));
}

/* By its last points, does the path turn back close after a step that failed? The value, or NaN. */
static double turn_ahead(const zw_follow *f, double beyond) {
    double turn = f->nknot >= LAST ? cubic_extremum(f) : NAN,
           ahead = (turn - f->current.value) / (beyond - f->current.value);
    return ahead > -1 && ahead < FOLD_AHEAD ? turn : NAN;
}

static zw_status end_here(zw_follow *f, double beyond, const zw_error *trouble, zw_error *err) {
    double turn = turn_ahead(f, beyond);
    f->info.end_value = f->current.value;
    f->info.end_beyond = beyond;
    f->info.end = ZW_FOLLOW_LOST;
    if (isfinite(turn)) {
        f->info.end = ZW_FOLLOW_FOLD;
        f->info.end_value = turn;
        return zw_fail(err, ZW_E_NUMERIC,
                       "the steady motion turns back at %.10g: its branch does not go beyond it",
                       turn);
    }
    return zw_fail(
        err, ZW_E_NUMERIC, "the steady motion cannot be followed beyond %.10g%s%s",
        f->current.value,
        trouble->text[0] ? ": " : ", where another one meets it or comes close, or it has a corner",
        trouble->text);
}

/* Continue beyond the path so far. */
static zw_status extend_path(zw_follow *f, double value, zw_error *err) {
    double shortest = f->options.step_min * range_of(f), most = f->options.step_max * range_of(f),
           least = shortest, turn = NAN;
    while (f->current.value != value) {
        double left = value - f->current.value, h = fmin(f->step, fabs(left));
        if (h < fabs(left) && 2 * h > fabs(left)) /* avoids a last step of the size of rounding */
            h = fabs(left) / 2;
        double to = h >= fabs(left) ? value : f->current.value + copysign(h, left);
        zw_error trouble = {0};
        double miss = try_step(f, to, &trouble);
        if (trouble.status == ZW_E_MEMORY)
            return zw_out_of_memory(err, NULL);
        if (miss <= 1) {
            copy_point(f, &f->current, &f->next);
            ZW_TRY(append_knot(f, err));
            f->info.steps++;
            if ((f->current.value - turn) * left > 0 && least < shortest) { /* it only bends */
                least = shortest;
                turn = NAN;
            }
            if (miss <= MISS_EASY / MISS_MAX && h >= f->step)
                f->step = fmin(2 * f->step, most);
            continue;
        }
        f->info.rejected++;
        f->step = h / 2;
        if (f->step >= least)
            continue;
        if (least == shortest && isfinite(turn = turn_ahead(f, to))) { /* decide by closer steps */
            least = STEP_CLOSE * shortest;
            continue;
        }
        f->step = STEP_FIRST * range_of(f);
        return end_here(f, to, &trouble, err);
    }
    return ZW_OK;
}

/* The cubic between two points of the path that are h apart, at the fraction s: factors of both
 * values and slopes. */
static void interpolate_knots(const zw_follow *f, const knot *a, const knot *b, double value,
                              double *x, double *slope) {
    double h = b->value - a->value, s = (value - a->value) / h, r = 1 - s;
    for (int i = 0; i < zw_flow_kernel(f->flow)->nx; i++) {
        double chord = (b->x[i] - a->x[i]) / h;
        x[i] = r * a->x[i] + s * b->x[i] +
               h * s * r * (r * (a->slope[i] - chord) - s * (b->slope[i] - chord));
        slope[i] = chord + (r * r - 2 * s * r) * (a->slope[i] - chord) +
                   (s * s - 2 * s * r) * (b->slope[i] - chord);
    }
}

/* A value within the path so far. */
static zw_status interpolate_path(zw_follow *f, double value, zw_error *err) {
    int k = 0;
    while (k + 2 < f->nknot && f->knots[k + 1].value <= value)
        k++;
    const knot *a = &f->knots[k], *b = f->nknot > 1 ? a + 1 : a;
    size_t bytes = sizeof(double) * (size_t)zw_flow_kernel(f->flow)->nx;
    if (value == a->value || value == b->value) {
        const knot *at = value == a->value ? a : b;
        memcpy(f->predicted, at->x, bytes);
        memcpy(f->next.slope, at->slope, bytes);
    } else {
        interpolate_knots(f, a, b, value, f->predicted, f->next.slope);
    }
    memcpy(f->next.x, f->predicted, bytes);
    ZW_TRY(correct_state(f, value, &f->next, err));
    if (state_distance(f, f->next.x, f->predicted) >
        2 * (MISS_MAX * state_distance(f, a->x, b->x) + STATE_UNCERTAIN))
        return zw_fail(err, ZW_E_NUMERIC, "another steady motion is near at %.10g", value);
    copy_point(f, &f->current, &f->next);
    return ZW_OK;
}

/* Go to the nearer end of the path. */
static void return_to_end(zw_follow *f, double value) {
    const knot *end = value < f->knots[0].value ? &f->knots[0] : &f->knots[f->nknot - 1];
    size_t bytes = sizeof(double) * (size_t)zw_flow_kernel(f->flow)->nx;
    if (f->current.value == end->value)
        return;
    f->current.value = end->value;
    memcpy(f->current.x, end->x, bytes);
    memcpy(f->current.slope, end->slope, bytes);
}

/* Set the flow's parameters and the symmetries to those of the motion, also after a failure. */
static zw_status restore_parameters(zw_follow *f, zw_error *err) {
    ZW_TRY(set_value(f, f->current.value, err));
    return update_symmetries(f, f->current.value, err);
}

/* Once, at an end of the range where there seemed to be other symmetries than on the path: do they
 * exist about the motion itself? */
static zw_status confirm_symmetries(zw_follow *f, zw_error *err) {
    int end = f->current.value == f->options.to;
    zw_symmetries found = {0};
    const double *about = f->about;
    int *count = end ? &f->info.nsymmetry_to : &f->info.nsymmetry_from;
    if (f->confirmed[end] || *count == f->info.nsymmetry ||
        (!end && f->current.value != f->options.from))
        return ZW_OK;
    f->about = f->current.x;
    zw_status status = find_symmetries(f, &found, err);
    f->about = about;
    *count = found.n;
    f->confirmed[end] = true;
    zw_symmetries_clear(&found);
    return status;
}

zw_status zw_follow_to(zw_follow *f, double value, zw_error *err) {
    zw_status status;
    zw_error trouble = {0};
    f->info.end = ZW_FOLLOW_GOES_ON;
    if (value >= f->knots[0].value && value <= f->knots[f->nknot - 1].value) {
        status = interpolate_path(f, value, err);
    } else {
        return_to_end(f, value);
        status = extend_path(f, value, err);
    }
    zw_status settled = restore_parameters(f, &trouble);
    if (status >= 0 && settled >= 0)
        settled = confirm_symmetries(f, &trouble);
    if (status >= 0 && settled < 0 && err)
        *err = trouble;
    return status < 0 ? status : settled;
}

zw_status zw_follow_begin(zw_follow *f, double value, const double *x, zw_error *err) {
    memcpy(f->current.x, x, sizeof(double) * (size_t)zw_flow_kernel(f->flow)->nx);
    f->info.end = ZW_FOLLOW_GOES_ON;
    f->nknot = 0;
    ZW_TRY(correct_state(f, value, &f->current, err));
    ZW_TRY(find_slope(f, &f->current, f->step, err));
    ZW_TRY(append_knot(f, err));
    return restore_parameters(f, err);
}

/* ----------------------------------------------------------------------------------- symmetries */

static bool are_equal(const zw_symmetries *a, const zw_symmetries *b) {
    if (a->n != b->n || a->still != b->still)
        return false;
    for (int i = 0; i < a->n * a->nfield; i++)
        if (fabs(a->combination[i] - b->combination[i]) >
            SAME_COMBINATION * fmax(1, fabs(a->combination[i])))
            return false;
    for (int j = 0; j < a->nfield; j++)
        if (fabs(a->driven[j] - b->driven[j]) > SAME_COMBINATION * fmax(1, fabs(a->driven[j])))
            return false;
    return true;
}

/* The symmetries at a value in between are those of the path; at its ends there may be more, as at
 * speed zero. Two values in between show whether they depend on the value. */
static zw_status find_path_symmetries(zw_follow *f, zw_error *err) {
    double from = f->options.from, to = f->options.to;
    const double part[] = {0, 1, 1 - ORDINARY_FRACTION, ORDINARY_FRACTION};
    zw_symmetries other = {0};
    for (int k = 0; k < 4; k++) {
        double value = from + part[k] * (to - from);
        zw_symmetries *at = k == 3 ? &f->symmetries : &other;
        zw_symmetries_clear(k < 3 ? &other : at);
        zw_status status = set_value(f, k == 1 ? to : value, err);
        if (status >= 0)
            status = find_symmetries(f, at, err);
        if (status < 0) {
            zw_symmetries_clear(&other);
            return status;
        }
        *(k == 0   ? &f->info.nsymmetry_from
          : k == 1 ? &f->info.nsymmetry_to
                   : &f->info.nsymmetry) = at->n;
    }
    f->symmetries_value = from + ORDINARY_FRACTION * (to - from);
    f->info.vary = !are_equal(&f->symmetries, &other);
    zw_symmetries_clear(&other);
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- public */

static void make_point(zw_follow *f, point *p) {
    const zw_kernel *k = zw_flow_kernel(f->flow);
    p->x = ZW_NEW(&f->arena, double, k->nx + 1);
    p->slope = ZW_NEW(&f->arena, double, k->nx + 1);
    p->c = ZW_NEW(&f->arena, double, k->nfield + 1);
    p->z = ZW_NEW(&f->arena, double, k->nz + 1);
    p->motion = (zw_steady){.t = f->t, .x = p->x, .c = p->c, .z = p->z};
}

static zw_status set_up(zw_follow *f, const double *x, zw_error *err) {
    const zw_kernel *k = zw_flow_kernel(f->flow);
    int nhold = f->options.nhold;
    double *about = ZW_NEW(&f->arena, double, k->nx + 1);
    f->hold = ZW_NEW(&f->arena, zw_hold, nhold + 1);
    f->held = ZW_NEW(&f->arena, double, nhold + 1);
    f->p = ZW_NEW(&f->arena, double, k->np + 1);
    f->near_scale = ZW_NEW(&f->arena, double, k->nx + 1);
    f->predicted = ZW_NEW(&f->arena, double, k->nx + 1);
    make_point(f, &f->current);
    make_point(f, &f->next);
    make_point(f, &f->middle);
    make_point(f, &f->nearby);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    memcpy(about, x, sizeof(double) * (size_t)k->nx);
    for (int i = 0; i < k->nx; i++)
        f->near_scale[i] = NEAR_STATE * f->scale[i];
    for (int i = 0; i < nhold; i++)
        f->hold[i] = f->options.hold[i];
    f->about = about;
    f->step = STEP_FIRST * range_of(f);
    if (!(range_of(f) > 0) || !isfinite(range_of(f)))
        return zw_fail(err, ZW_E_OPTION, "the values to be followed from and to are the same");
    return find_path_symmetries(f, err);
}

zw_status zw_follow_create(zw_follow **out, zw_flow *flow, double t, const double *x,
                           const double *scale, const zw_follow_options *options, zw_error *err) {
    zw_allocator alloc = zw_flow_kernel(flow)->alloc;
    zw_follow *f = zw_allocate(&alloc, sizeof *f);
    *out = NULL;
    if (!f)
        return zw_out_of_memory(err, NULL);
    *f = (zw_follow){.flow = flow, .t = t, .scale = scale, .options = zw_follow_options_default()};
    zw_arena_init(&f->arena, &alloc);
    zw_status status =
        zw_options_adopt(&f->options, sizeof f->options, options, "zw_follow_options", err);
    if (status >= 0)
        status = set_up(f, x, err);
    if (status < 0)
        zw_follow_destroy(f);
    else
        *out = f;
    return status;
}

void zw_follow_destroy(zw_follow *f) {
    if (!f)
        return;
    zw_allocator alloc = f->arena.alloc;
    zw_symmetries_clear(&f->symmetries);
    zw_arena_clear(&f->arena);
    zw_release(&alloc, f, sizeof *f);
}

const zw_steady *zw_follow_motion(const zw_follow *f) {
    return &f->current.motion;
}

double zw_follow_value(const zw_follow *f) {
    return f->current.value;
}

const double *zw_follow_slope(const zw_follow *f) {
    return f->current.slope;
}

const zw_symmetries *zw_follow_symmetries(const zw_follow *f) {
    return &f->symmetries;
}

const zw_hold *zw_follow_holds(const zw_follow *f, int *n) {
    *n = f->options.nhold;
    return f->hold;
}

zw_follow_info zw_follow_information(const zw_follow *f) {
    return f->info;
}

zw_flow *zw_follow_flow(const zw_follow *f) {
    return f->flow;
}

const double *zw_follow_scale(const zw_follow *f) {
    return f->scale;
}
