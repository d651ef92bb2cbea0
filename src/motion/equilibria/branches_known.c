/* SPDX-License-Identifier: MIT */
/* Is a steady motion one of a branch that is known? Branches are polygons of their points: it may
 * lie as far from a chord as the branch bends there, and anywhere along the symmetries, which are
 * gone along from it to both sides. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "branches.h"

enum { PACES = 1000 };
#define PACE 0.03  /* along a symmetry, in sizes of the state */
#define NEAR 1e-3  /* of a range and of the sizes of the state: the same place */
#define BENDS 1.5  /* times an estimate */
#define LEAST 1e-9 /* of the size of a state: smaller ones are none */

double zw_branches_wrap(const zw_branches *s, int j, double d) {
    return s->period[j] > 0 ? d - s->period[j] * round(d / s->period[j]) : d;
}

static double entry_of(const zw_branches *s, const zw_branches_point *p, int j) {
    return j < 0 ? p->value / fabs(s->over.to - s->over.from) : p->x[j] / s->e->scale[j];
}

/* how far the branch may leave the chord between points i and i + 1, by where their neighbours lie:
 * an eighth of what a straight line misses them by, in sizes */
static double bend_of(const zw_branches *s, int i) {
    const zw_branches_list *l = &s->branch;
    const zw_branches_curve *c = &l->curve[l->point[i].curve];
    double most = 0;
    for (int side = 0; side < 2; side++) {
        const zw_branches_point *u = &l->point[side ? i : i + 1], *v = &l->point[side ? i + 1 : i];
        double chord = 0, next = 0, off = 0;
        for (int k = side ? i + 2 : i - 1;
             k >= c->first && k < c->first + c->n && next < 0.2 * chord + LEAST;
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
                off = fmax(off, fabs(d - b - part * (b - a)) / fmax(part * (1 + part) / 2, LEAST));
            }
        }
        most = fmax(most, off / 8);
    }
    return most;
}

/* does a known branch pass the point? along (nx): a symmetry there, what lies in its direction does
 * not count; NULL: none */
static bool is_passed(const zw_branches *s, const double *x, const double *along, double value) {
    const zw_branches_list *l = &s->branch;
    double range = fabs(s->over.to - s->over.from);
    for (int k = 0; k < l->ncurve; k++)
        for (int i = l->curve[k].first; i + 1 < l->curve[k].first + l->curve[k].n; i++) {
            const zw_branches_point *u = &l->point[i], *v = &l->point[i + 1];
            double slack = NEAR * range;
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
            if (along && (!(length > 0) || most > 2 * PACE))
                continue;
            for (int j = -1; j < s->e->kernel->nx; j++) {
                double unit = j < 0 ? range : s->e->scale[j], from = j < 0 ? u->value : u->x[j],
                       to = j < 0 ? v->value : v->x[j];
                double off = (j < 0 ? value - from : zw_branches_wrap(s, j, x[j] - from)) -
                             part * (to - from);
                off -= along && j >= 0 ? shift / length * along[j] : 0;
                away = fmax(away, fabs(off) / unit);
            }
            double near = NEAR * s->nearness;
            if (away <= near + 0.05 * s->nearness * fmin(square, 0.05 * sqrt(square)) ||
                (away <= 0.1 * s->nearness * sqrt(square) && away <= near + BENDS * bend_of(s, i)))
                return true;
        }
    return false;
}

/* the same for what symmetries make of it: along each of them, to both sides */
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
        for (int i = 0; i < PACES && !found; i++) {
            double most = 0, *along = X + (size_t)(k / 2 * nx);
            if (zw_symmetries_at(symmetries, s->e->flow, s->e->options.t, y, NULL, X, &ignored) < 0)
                break;
            for (int j = 0; j < nx; j++)
                most = fmax(most, fabs(along[j]) / s->e->scale[j]);
            if (!(most > LEAST))
                break;
            found = is_passed(s, y, along, value);
            double h = (k % 2 ? -PACE : PACE) / most;
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

/* The states of all branches at a value, interpolated between their points, and after them x: does
 * a search from all of them (zwang/steady.h) find the same solution from x as from another one? */
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
