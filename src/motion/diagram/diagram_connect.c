/* SPDX-License-Identifier: MIT */
/* The connecting orbits at which a branch of orbits of unbounded period ends.
 *
 * The last orbit stays at one saddle or several, x_1, x_2, ..., x_n, which it visits in this order;
 * angles may have made full turns in between. For n = 1, or where the orbit has reached the same
 * saddle a turn further, the homoclinic orbit is solved for, from the last orbit. Otherwise the
 * orbit ends on a cycle of connections x_i -> x_i+1, x_n -> x_1, each of which is one condition on
 * the parameter: they agree by a symmetry, or those on invariant lines exist for all values. So
 * each one is solved for by the boundary value problem of zwang/periodic.h from a shot, and the
 * values found must agree with each other and with the limit of the orbits. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "diagram.h"
#include "motion/connections/connections.h"

enum { SAMPLES = 400, NAMES = 4, STATE_MAX = 64 }; /* of an orbit; angles; entries of a state */
/* of the range: a connecting orbit further away is another one; orbits of long period are
 * exponentially close */
#define CONNECTION_FAR 0.01
/* of the range: a value with a larger error counts as not found; the limit of the orbits is then as
 * good */
#define VALUE_KNOWN 1e-4
/* of the size of an orbit: it visits the saddle; chosen by trial: separates visits of long orbits
 * from passes */
#define AT_SADDLE 0.05
/* of the size of an orbit: near the saddle, where the flow is about linear */
#define NEAR_SADDLE 0.25
/* of the longest stay at a saddle: at another one it stays, too, not passes */
#define STAY_SHARE 0.3
#define PERIOD_NEAR 0.3 /* part of the period near saddles, at least, of a connection */
/* real part relative to the largest eigenvalue: undecided */
#define EIGENVALUE_ZERO ZW_ROUNDOFF_SOLVED
#define ERRORS_AGREE 10.0  /* times the sum of their errors: two values that are one */
#define PARAMETER_UNIT 0.1 /* of the range: unit of the parameter when solving */
/* of the size of an entry: size of an orbit that does not change it; not smaller, since the entry
 * is known to ZW_SAME_SOLUTION only */
#define SIZE_MIN 1e-3
#define VALUE_ROUNDOFF ZW_ROUNDOFF_SUM /* of the range: error of a value, at least */

/* -------------------------------------------------------------------------------------- saddles */

zw_status zw_diagram_saddles_init(zw_diagram_saddles *s, zw_diagram *d, zw_error *err) {
    s->n = 0;
    s->nx = d->orbits->nx;
    s->x = ZW_NEW(&d->arena, double, (ZW_DIAGRAM_SADDLES + 1) * s->nx + 1);
    s->longest = s->x + (s->x ? ZW_DIAGRAM_SADDLES * s->nx : 0);
    return s->x ? ZW_OK : zw_out_of_memory(err, NULL);
}

/* Is the steady motion at this value, near x, a saddle, with growing and decaying disturbances? */
static bool is_saddle(const zw_diagram *d, double value, double *x) {
    zw_linearisation a;
    zw_error ignored = {0};
    double largest = 0;
    int growing = 0, decaying = 0;
    if (zw_branches_linearise(d->branches, value, x, &a, &ignored) < 0)
        return false;
    for (int i = 0; i < a.n; i++)
        largest = fmax(largest, hypot(a.re[i], a.im[i]));
    for (int i = 0; i < a.n; i++) {
        growing += a.re[i] > EIGENVALUE_ZERO * largest;
        decaying += a.re[i] < -EIGENVALUE_ZERO * largest;
    }
    zw_linearisation_clear(&a);
    return growing > 0 && decaying > 0;
}

/* A saddle, with the full turns of angles at which an orbit visits it. */
typedef struct visit {
    int branch, turns[NAMES];
} visit;

/* The visits of an orbit. */
typedef struct visits {
    int n, longest;
    double near_saddles; /* part of the period near saddles */
    visit seen[ZW_DIAGRAM_SADDLES];
    int first[ZW_DIAGRAM_SADDLES], stays[ZW_DIAGRAM_SADDLES]; /* first sample, number of samples */
} visits;

/* Distance of a sample of the orbit from a saddle, relative to the size of the orbit; turns of its
 * angles relative to the saddle. */
static double saddle_distance(const zw_diagram *d, int number, int sample, const double *at,
                              visit *here) {
    const zw_orbits *o = d->orbits;
    const zw_orbit_motion *m = &o->motion[number];
    double state[STATE_MAX], away = 0;
    zw_orbits_state(o, number, sample / (double)SAMPLES, state);
    for (int j = 0; j < d->sys->nq; j++) {
        double size = fmax(m->measure[j].max - m->measure[j].min, SIZE_MIN * o->scale[j]),
               off = state[j] - at[j], rest = zw_branches_wrap(d->branches, j, off);
        if (j < NAMES && rest != off)
            here->turns[j] = (int)round((off - rest) / d->branches->period[j]);
        away = fmax(away, fabs(rest) / size);
    }
    return away;
}

static void record_visit(visits *v, const visit *here, int sample, const double *at,
                         const zw_diagram *d, zw_diagram_saddles *s) {
    int i = 0, nx = s->nx;
    while (i < v->n && memcmp(&v->seen[i], here, sizeof *here) != 0)
        i++;
    if (i == ZW_DIAGRAM_SADDLES)
        return;
    if (i == v->n) {
        v->seen[v->n++] = *here;
        v->first[i] = sample;
        v->stays[i] = 0;
        memcpy(s->x + i * nx, at, sizeof(double) * (size_t)nx);
        for (int j = 0; j < NAMES && j < d->sys->nq; j++)
            if (here->turns[j])
                s->x[i * nx + j] += here->turns[j] * d->branches->period[j];
    }
    if (++v->stays[i] > v->longest) {
        v->longest = v->stays[i];
        memcpy(s->longest, at, sizeof(double) * (size_t)nx);
    }
}

/* Remove saddles that are only passed, and sort the others by their first sample. */
static void sort_visits(visits *v, zw_diagram_saddles *s) {
    s->n = 0;
    for (int sample = 0; sample < SAMPLES; sample++)
        for (int i = s->n; i < v->n; i++) {
            if (v->first[i] != sample || v->stays[i] < STAY_SHARE * v->longest)
                continue;
            int to = s->n++;
            visit seen = v->seen[to];
            int first = v->first[to], stays = v->stays[to];
            v->seen[to] = v->seen[i], v->seen[i] = seen;
            v->first[to] = v->first[i], v->first[i] = first;
            v->stays[to] = v->stays[i], v->stays[i] = stays;
            for (int j = 0; j < s->nx; j++) {
                double x = s->x[to * s->nx + j];
                s->x[to * s->nx + j] = s->x[i * s->nx + j];
                s->x[i * s->nx + j] = x;
            }
            s->branch[to] = v->seen[to].branch;
        }
}

int zw_diagram_find_saddles(const zw_diagram *d, int number, zw_diagram_saddles *s) {
    const zw_branches_list *l = &d->branches->branch;
    double at[STATE_MAX], value = d->orbits->motion[number].value;
    visits v = {0};
    s->n = 0;
    for (int k = 0; s->nx <= STATE_MAX && k + 1 < l->n; k++) {
        if (!zw_diagram_steady_at(d, k, value, at) ||
            (l->point[k].growing == 0 && l->point[k + 1].growing == 0) || !is_saddle(d, value, at))
            continue;
        for (int sample = 0; sample < SAMPLES; sample++) {
            visit here = {.branch = k};
            double away = saddle_distance(d, number, sample, at, &here);
            v.near_saddles += away <= NEAR_SADDLE ? 1. / SAMPLES : 0;
            if (away <= AT_SADDLE)
                record_visit(&v, &here, sample, at, d, s);
        }
    }
    if (v.near_saddles >= PERIOD_NEAR)
        sort_visits(&v, s);
    return s->n;
}

bool zw_diagram_is_homoclinic(const zw_diagram *d, int number, const zw_diagram_saddles *s) {
    double work[2 * STATE_MAX];
    for (int i = 1; i < s->n; i++)
        if (s->branch[i] != s->branch[0])
            return false;
    return s->n == 1 || zw_connections_orbit_turn(d->orbits, number, work, work + s->nx);
}

/* ---------------------------------------------------------------------------------- connections */

static zw_status set_parameters(void *user, const double value[2], double *p, zw_error *err) {
    zw_branches *b = user;
    zw_arena_mark mark = zw_arena_mark_now(&b->arena);
    zw_status status = zw_branches_set_value(b, value[0], err);
    zw_arena_release(&b->arena, mark);
    memcpy(p, zw_flow_parameters(b->e->flow), sizeof(double) * (size_t)b->sys->np);
    return status;
}

/* A search for connecting orbits. */
typedef struct connection_search {
    zw_diagram *d;
    int number; /* the orbit that is the guess; -1: shots only */
    const double *saddle, *turn, *other;
    double own, range; /* value of the last orbit; length of the range */
} connection_search;

/* Try motions that leave the saddle, or arrive at it, in one direction. */
static zw_status try_direction(const connection_search *a, int way, double *value, double *error,
                               bool *both, zw_error *err) {
    zw_branches *b = a->d->branches;
    zw_connection_options o = zw_connection_options_default();
    zw_connection *c = NULL;
    zw_connection_info info;
    double at[2] = {a->own, 0};
    o.turn = a->turn;
    o.other = a->other;
    o.unit[0] = PARAMETER_UNIT * a->range;
    o.way = way;
    zw_status status = zw_connection_create(&c, b->e->flow, &b->e->symmetries, b->e->scale,
                                            a->saddle, at, &o, set_parameters, b, err);
    *both = status >= 0 && zw_connection_has_both_ways(c);
    if (status >= 0)
        status = a->number < 0
                     ? ZW_E_NUMERIC
                     : zw_connections_solve_from(c, a->d->orbits, a->number, at, &info, err);
    for (int side = 1; c && side >= -1 && status == ZW_E_NUMERIC; side -= 2) {
        zw_error again = {0};
        at[0] = a->own;
        zw_status shot = zw_connection_solve(c, at, side, &info, &again);
        status = shot == ZW_E_MEMORY ? shot : shot < 0 ? status : shot;
    }
    zw_connection_destroy(c);
    if (status < 0)
        return zw_fail(err, status, "there is no connecting orbit near these orbits");
    *error = zw_connections_error(at[0], &info);
    if (!(*error <= VALUE_KNOWN * a->range) || !(fabs(at[0] - a->own) <= CONNECTION_FAR * a->range))
        return zw_fail(err, ZW_E_NUMERIC, "the connecting orbit is not that of these orbits");
    *value = at[0];
    return ZW_OK;
}

static zw_status try_both_directions(const connection_search *a, double *value, double *error) {
    zw_error trouble = {0};
    bool both = false;
    zw_status status = try_direction(a, 1, value, error, &both, &trouble);
    if (status < 0 && status != ZW_E_MEMORY && both)
        status = try_direction(a, -1, value, error, &both, &trouble);
    if (status < 0)
        *error = INFINITY;
    return status == ZW_E_MEMORY ? status : ZW_OK;
}

/* All connections of the cycle that exist at single values. turn (2 nx): change of the orbit in a
 * period; its second half is work. */
static zw_status try_cycle(connection_search *a, const zw_diagram_saddles *s, double *turn,
                           double *value, double *error) {
    double limit = *value, within = CONNECTION_FAR * a->range, *to = turn + s->nx;
    *error = INFINITY;
    for (int i = 0; i < s->n; i++) {
        int next = (i + 1) % s->n;
        double found, known;
        a->saddle = s->x + i * s->nx;
        bool image = s->branch[i] == s->branch[next];
        for (int j = 0; j < s->nx; j++)
            to[j] = s->x[next * s->nx + j] + (next == 0 ? turn[j] : 0) - (image ? a->saddle[j] : 0);
        a->turn = image ? to : NULL;
        a->other = image ? NULL : to;
        ZW_TRY(try_both_directions(a, &found, &known));
        if (isinf(known) || fabs(found - limit) > within)
            continue;
        known = fmax(known, VALUE_ROUNDOFF * a->range);
        if (isfinite(*error) && fabs(found - *value) > ERRORS_AGREE * (known + *error)) {
            *error = INFINITY; /* no cycle: the orbits may end on either */
            *value = limit;
            return ZW_OK;
        }
        if (known < *error) {
            *error = known;
            *value = found;
        }
    }
    return ZW_OK;
}

zw_status zw_diagram_connect(zw_diagram *d, int number, const zw_diagram_saddles *s, double *value,
                             double *error, zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&d->arena);
    int nx = d->orbits->nx;
    double *turn = ZW_NEW(&d->arena, double, 2 * nx + 1);
    connection_search a = {.d = d,
                           .number = number,
                           .saddle = s->x,
                           .turn = turn,
                           .own = d->orbits->motion[number].value,
                           .range = fabs(d->over.to - d->over.from)};
    if (!turn)
        return zw_out_of_memory(err, NULL);
    zw_connections_orbit_turn(d->orbits, number, turn + nx, turn);
    zw_status status = ZW_OK;
    *error = INFINITY;
    if (zw_diagram_is_homoclinic(d, number, s))
        status = try_both_directions(&a, value, error);
    a.number = -1;
    if (status >= 0 && isinf(*error) && s->n > 1)
        status = try_cycle(&a, s, turn, value, error);
    zw_arena_release(&d->arena, mark);
    return status < 0 ? zw_out_of_memory(err, NULL) : ZW_OK;
}
