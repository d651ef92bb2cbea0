/* SPDX-License-Identifier: MIT */
/* Curves of folds and Hopf points in the plane of two parameters: from each special point of the
 * branches that none of the curves has passed, to both sides. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "branches.h"

/* of a range and of the sizes of the state: on the same curve. Chosen by trial: separates curves
 * that cross the line of the model from one that is interpolated. */
#define SAME_POINT 2e-3
#define CURVE_BENDS 0.1 /* of the change between two points of a curve, within which it may bend */

/* Does a curve of this kind pass the special point? */
static bool is_known(const zw_branches *s, const zw_branches_point *at) {
    const zw_branches_list *l = &s->mark;
    double b = s->own_second, range = fabs(s->over.to - s->over.from);
    for (int k = 0; k < l->ncurve; k++)
        for (int i = l->curve[k].first; i + 1 < l->curve[k].first + l->curve[k].n; i++) {
            const zw_branches_point *u = &l->point[i], *v = &l->point[i + 1];
            if (l->curve[k].kind != at->kind || (u->second - b) * (v->second - b) > 0)
                continue;
            double part = u->second == v->second ? 0 : (b - u->second) / (v->second - u->second);
            bool same = fabs(u->value + part * (v->value - u->value) - at->value) <=
                        SAME_POINT * range + CURVE_BENDS * fabs(v->value - u->value);
            for (int j = 0; j < s->e->kernel->nx && same; j++)
                same = fabs(u->x[j] + part * (v->x[j] - u->x[j]) - at->x[j]) <=
                       SAME_POINT * s->e->scale[j] + CURVE_BENDS * fabs(v->x[j] - u->x[j]);
            if (same)
                return true;
        }
    return false;
}

static zw_status follow_curve(zw_branches *s, const zw_branches_point *from, zw_error *err) {
    zw_branches_list *l = &s->mark;
    double low = fmin(s->second.from, s->second.to), high = fmax(s->second.from, s->second.to);
    zw_branches_point at = *from;
    zw_steady motion;
    zw_steady_point p = zw_branches_point_of(s, &at, &motion);
    if (!zw_arena_grow(&s->arena, (void **)&l->curve, l->ncurve, &l->curve_capacity,
                       sizeof *l->curve))
        return zw_out_of_memory(err, NULL);
    zw_branches_curve *current = &l->curve[l->ncurve];
    *current = (zw_branches_curve){.first = l->n, .kind = at.kind, .from = -1};
    s->target = l;
    bool any = false;
    for (int side = 0; side < 2 && !s->stopped; side++) {
        zw_cont_info *info = &current->end[side];
        if (s->own_second == (side ? high : low)) {
            *info = (zw_cont_info){.end = ZW_CONT_AT_BOUND};
            continue;
        }
        s->skip = any;
        zw_error trouble = {0};
        zw_status status =
            zw_steady_curve_marks(s->curve, &p, side ? 1 : -1, zw_branches_take, s, info, &trouble);
        s->skip = false;
        if (status == ZW_E_MEMORY)
            return zw_out_of_memory(err, NULL);
        if (status < 0) {
            *info = (zw_cont_info){.end = ZW_CONT_STUCK};
            memcpy(info->why, trouble.text, sizeof info->why - 1);
        }
        any = true;
        if (side == 0)
            zw_branches_reverse(l, current->first);
        if (info->end == ZW_CONT_CLOSED)
            break;
    }
    current->n = l->n - current->first;
    l->ncurve++;
    return ZW_OK;
}

zw_status zw_branches_marks(zw_branches *s, zw_error *err) {
    if (!s->has_second)
        return zw_fail(err, ZW_E_OPTION, "curves of special points need a second parameter");
    zw_status status = ZW_OK;
    for (int i = 0; i < s->branch.n && status >= 0 && !s->stopped; i++) {
        const zw_branches_point *p = &s->branch.point[i];
        if ((p->kind == ZW_STEADY_FOLD || p->kind == ZW_STEADY_HOPF) && !is_known(s, p))
            status = follow_curve(s, p, err);
    }
    s->e->p[s->second.parameter] = s->at_second = s->own_second;
    return status;
}
