/* SPDX-License-Identifier: MIT */
/* Does a steady motion lie on a known branch? Branches are polygons of their points: a motion may
 * be as far from a chord as the branch bends there, and anywhere along the symmetries, which are
 * followed from it to both sides. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "branches.h"

enum { ORBIT_STEPS = 1000 }; /* along a symmetry: 30 sizes of the state, several full turns */
/* along a symmetry, in sizes of the state: an arc this long leaves its chord by 1e-4, less than
 * SAME_MOTION */
#define ORBIT_STEP 0.03
/* of a range and of the sizes of the state: on the same branch. Chosen by trial: separates branches
 * that nearly touch from points between two others of one. */
#define SAME_MOTION 1e-3
/* on the estimated bend of a branch, which varies by about this from point to point */
#define BEND_MARGIN 1.5
/* of the size of a state: smaller lengths are zero, beyond the error of motions */
#define SIZE_MIN 1e-9
#define NEIGHBOUR_FAR 0.2 /* of a chord: distance of the point that shows how the branch bends */
/* A parabola through the ends of a chord of length c leaves it by about c^2 times its curvature /
 * 8; by default no more than BEND_SQUARE c^2, nor BEND_LENGTH c; with an estimate of the bend
 * CHORD_FAR c. */
#define BEND_SQUARE 0.05
#define BEND_LENGTH 0.05
#define CHORD_FAR 0.1

double zw_branches_wrap(const zw_branches *s, int j, double d) {
    return s->period[j] > 0 ? d - s->period[j] * round(d / s->period[j]) : d;
}

static double entry_of(const zw_branches *s, const zw_branches_point *p, int j) {
    return j < 0 ? p->value / fabs(s->over.to - s->over.from) : p->x[j] / s->e->scale[j];
}

/* Estimate of the distance of the branch from the chord between points i and i + 1, in sizes: an
 * eighth of what a straight line through them misses their neighbours by. */
static double estimate_bend(const zw_branches *s, int i) {
    const zw_branches_list *l = &s->branch;
    const zw_branches_curve *c = &l->curve[l->point[i].curve];
    double most = 0;
    for (int side = 0; side < 2; side++) {
        const zw_branches_point *u = &l->point[side ? i : i + 1], *v = &l->point[side ? i + 1 : i];
        double chord = 0, next = 0, off = 0;
        for (int k = side ? i + 2 : i - 1;
             k >= c->first && k < c->first + c->n && next < NEIGHBOUR_FAR * chord + SIZE_MIN;
             k += side ? 1 : -1) {
            const zw_branches_point *w = &l->point[k];
            chord = next = off = 0;
            for (int j = -1; j < s->e->kernel->nx; j++) {
                double a = entry_of(s, u, j), b = entry_of(s, v, j), d = entry_of(s, w, j);
                chord += (b - a) * (b - a);
                next += (d - b) * (d - b);
            }
            chord = sqrt(chord);
            next = sqrt(next);
            double part = chord > 0 ? next / chord : 0;
            for (int j = -1; j < s->e->kernel->nx; j++) {
                double a = entry_of(s, u, j), b = entry_of(s, v, j), d = entry_of(s, w, j);
                off =
                    fmax(off, fabs(d - b - part * (b - a)) / fmax(part * (1 + part) / 2, SIZE_MIN));
            }
        }
        most = fmax(most, off / 8);
    }
    return most;
}

/* Does a known branch pass the point? along (nx): a symmetry there, distances along which do not
 * count; NULL: none. */
static bool is_passed(const zw_branches *s, const double *x, const double *along, double value) {
    const zw_branches_list *l = &s->branch;
    double range = fabs(s->over.to - s->over.from);
    for (int k = 0; k < l->ncurve; k++)
        for (int i = l->curve[k].first; i + 1 < l->curve[k].first + l->curve[k].n; i++) {
            const zw_branches_point *u = &l->point[i], *v = &l->point[i + 1];
            double slack = SAME_MOTION * range;
            if (value < fmin(u->value, v->value) - slack ||
                value > fmax(u->value, v->value) + slack)
                continue;
            /* the nearest point of the chord, in units */
            double dot = 0, square = 0, away = 0;
            for (int j = -1; j < s->e->kernel->nx; j++) {
                double unit = j < 0 ? range : s->e->scale[j];
                double d = ((j < 0 ? v->value : v->x[j]) - (j < 0 ? u->value : u->x[j])) / unit;
                dot +=
                    d * (j < 0 ? value - u->value : zw_branches_wrap(s, j, x[j] - u->x[j])) / unit;
                square += d * d;
            }
            double part = square > 0 ? fmin(fmax(dot / square, 0), 1) : 0;
            double shift = 0, length = 0, most = 0;
            for (int j = 0; along && j < s->e->kernel->nx; j++) {
                double unit = s->e->scale[j],
                       off = (zw_branches_wrap(s, j, x[j] - u->x[j]) - part * (v->x[j] - u->x[j])) /
                             unit;
                shift += off * along[j] / unit;
                length += along[j] / unit * along[j] / unit;
                most = fmax(most, fabs(off));
            }
            if (along && (!(length > 0) || most > 2 * ORBIT_STEP))
                continue;
            for (int j = -1; j < s->e->kernel->nx; j++) {
                double unit = j < 0 ? range : s->e->scale[j], from = j < 0 ? u->value : u->x[j],
                       to = j < 0 ? v->value : v->x[j];
                double off = (j < 0 ? value - from : zw_branches_wrap(s, j, x[j] - from)) -
                             part * (to - from);
                off -= along && j >= 0 ? shift / length * along[j] : 0;
                away = fmax(away, fabs(off) / unit);
            }
            double same = SAME_MOTION * s->closeness;
            if (away <=
                    same + BEND_SQUARE * s->closeness * fmin(square, BEND_LENGTH * sqrt(square)) ||
                (away <= CHORD_FAR * s->closeness * sqrt(square) &&
                 away <= same + BEND_MARGIN * estimate_bend(s, i)))
                return true;
        }
    return false;
}

/* The same for the images of the motion along each symmetry, to both sides. */
bool zw_branches_is_known(zw_branches *s, const double *x, double value) {
    const zw_symmetries *symmetries = zw_steady_curve_symmetries(s->curve);
    int nx = s->e->kernel->nx, ns = symmetries->n;
    zw_error ignored = {0};
    if (is_passed(s, x, NULL, value))
        return true;
    zw_arena_mark mark = zw_arena_mark_now(&s->arena);
    double *y = ZW_NEW(&s->arena, double, nx + 1), *mid = ZW_NEW(&s->arena, double, nx + 1),
           *X = ZW_NEW(&s->arena, double, ns *nx + 1);
    bool found = false;
    for (int k = 0; !s->arena.failed && k < 2 * ns && !found; k++) {
        memcpy(y, x, sizeof(double) * (size_t)nx);
        for (int i = 0; i < ORBIT_STEPS && !found; i++) {
            double most = 0, *along = X + (size_t)(k / 2 * nx);
            if (zw_symmetries_at(symmetries, s->e->flow, s->e->options.t, y, NULL, X, &ignored) < 0)
                break;
            for (int j = 0; j < nx; j++)
                most = fmax(most, fabs(along[j]) / s->e->scale[j]);
            if (!(most > SIZE_MIN))
                break;
            found = is_passed(s, y, along, value);
            double h = (k % 2 ? -ORBIT_STEP : ORBIT_STEP) / most;
            for (int j = 0; j < nx; j++)
                mid[j] = y[j] + 0.5 * h * along[j];
            if (zw_symmetries_at(symmetries, s->e->flow, s->e->options.t, mid, NULL, X, &ignored) <
                0)
                break;
            for (int j = 0; j < nx; j++)
                y[j] += h * along[j];
        }
    }
    zw_arena_release(&s->arena, mark);
    return found;
}

/* Take the states of all branches at a value, interpolated between their points, and x after them:
 * does a search from all of them (zwang/steady.h) find the same solution from x as from another
 * one? */
zw_status zw_branches_is_displaced(zw_branches *s, const double *x, double value, bool *yes,
                                   zw_error *err) {
    const zw_branches_list *l = &s->branch;
    zw_arena_mark mark = zw_arena_mark_now(&s->arena);
    int nx = s->e->kernel->nx, n = 0;
    double *from = ZW_NEW(&s->arena, double, (l->n + 1) * nx + 1);
    *yes = false;
    if (!from)
        return zw_out_of_memory(err, NULL);
    for (int k = 0; k < l->ncurve; k++)
        for (int i = l->curve[k].first; i + 1 < l->curve[k].first + l->curve[k].n; i++) {
            const zw_branches_point *u = &l->point[i], *v = &l->point[i + 1];
            double part = v->value != u->value ? (value - u->value) / (v->value - u->value) : 2;
            if (!(part >= 0 && part <= 1))
                continue;
            for (int j = 0; j < nx; j++)
                from[n * nx + j] = u->x[j] + part * (v->x[j] - u->x[j]);
            n++;
        }
    memcpy(from + (size_t)(n * nx), x, sizeof(double) * (size_t)nx);
    zw_status status = ZW_OK;
    if (n > 0)
        status = zw_equilibria_is_among(s->e, n + 1, from, s->period, yes, err);
    zw_arena_release(&s->arena, mark);
    return status;
}
