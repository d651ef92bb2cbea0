/* SPDX-License-Identifier: MIT */
/* Faults of a model that are found in time steps: invalid numbers in laws of contact, and gaps
 * whose value jumps within a step (a conditional of time or of the state).
 *
 * Over a step of length h a continuous gap changes by h (g0' + g1')/2, up to h times the change of
 * its rate, which may jump, and terms of second order. Where it changes by more, the step, as a
 * straight line from state to state, is bisected until the part with the change is as short as
 * rounding allows: the change left there is a jump. It is an error where the contact touches, or
 * where the gap becomes negative. A contact that is open before and after is accepted. So is one
 * that jumps to or from a positive gap that no velocity changes: its surface ends or begins there,
 * as in if(abs(x) < w, z, far). */
#include <float.h>

#include "contact_mode.h"
#include "moreau.h"
#include "num/internal.h"

enum { HALVINGS = 48 };
/* Fraction of a step next to the place of a jump at which both sides are evaluated: HALVINGS leave
 * 4e-15, and gaps change by little over it. */
#define JUMP_MARGIN 1e-9
/* Least jump relative to the largest coordinate: a hundred times the round-off of a gap. */
#define JUMP_MIN 1e-11
/* Least jump relative to the change of the gap in the step: what bisection leaves of a continuous
 * change is below. */
#define JUMP_PART 1e-3
/* Change of a gap relative to its rates that second-order terms of a step may cause. */
#define SECOND_ORDER 1e-3

typedef struct line { /* a step */
    zw_run *run;
    zw_moreau *m;
    double t, end;
    const double *x; /* nx: at the end */
} line;

static zw_touch_parts touch_at(const line *l, double s) {
    const zw_kernel *k = l->run->k;
    double t = l->t + s * (l->end - l->t), *x = l->m->halves;
    for (int i = 0; i < k->nx; i++)
        x[i] = l->m->from[i] + s * (l->x[i] - l->m->from[i]);
    const zw_args in = zw_num_args(l->run->flow, &t, x, NULL);
    zw_kernel_call(k, ZW_FN_TOUCH, &in, l->run->flow->out, l->run->flow->work);
    return zw_touch_of(k, l->run->flow->out);
}

static bool is_touching(const zw_moreau *m, const zw_kernel *k, int c) {
    bool closed = m->was_closed[c] || k->contact[c].bilateral;
    for (int i = 0; i < m->nclosed; i++)
        closed |= m->closed[i] == c;
    return closed;
}

/* does no velocity change the gap? */
static bool is_flat(const zw_kernel *k, const double *H, int c) {
    const zw_contact_form *f = &k->contact[c];
    bool flat = true;
    for (int e = f->first; e < f->first + f->ntouch; e++) {
        const zw_contact_reach *r = &k->touching[e];
        for (int i = 0; i < k->part_start[r->part + 1] - k->part_start[r->part]; i++)
            flat &= H[r->at + i] == 0;
    }
    return flat;
}

static zw_status reject_jump(zw_run *run, zw_fault_kind kind, int c, double t, double value,
                             const char *what, zw_error *err) {
    zw_num_fault(run->flow, kind, c, t, value);
    return zw_fail(err, ZW_E_MODEL, "%s", what);
}

/* the gap of contact c changes by more than its rates explain, from a to b over the step */
static zw_status locate_jump(const line *l, int c, double a, double b, zw_error *err) {
    double low = 0, high = 1, whole = fabs(b - a);
    for (int i = 0; i < HALVINGS; i++) {
        double s = (low + high) / 2, gap = touch_at(l, s).gap[c];
        bool first = fabs(gap - a) > fabs(b - gap);
        high = first ? s : high;
        b = first ? gap : b;
        low = first ? low : s;
        a = first ? a : gap;
    }
    const zw_kernel *k = l->run->k;
    bool jumps = fabs(b - a) > fmax(JUMP_PART * whole, JUMP_MIN * l->m->size);
    double before = low - JUMP_MARGIN, after = high + JUMP_MARGIN; /* sign(0) is on neither side */
    a = touch_at(l, before).gap[c];
    b = touch_at(l, after).gap[c];
    jumps &= fabs(b - a) > JUMP_MIN * l->m->size; /* on both sides of one point it is the same */
    bool below = b < -ZW_MOREAU_ROUNDING * l->m->size;
    if (!jumps || (a > 0 && is_flat(k, touch_at(l, before).H, c)) ||
        (b > 0 && is_flat(k, touch_at(l, after).H, c)) || !(below || is_touching(l->m, k, c)))
        return ZW_OK;
    double t = l->t + high * (l->end - l->t);
    return reject_jump(l->run, ZW_FAULT_GAP, c, t, b - a, "its gap jumps", err);
}

zw_status zw_moreau_check_gaps(zw_run *run, zw_moreau *m, double t, double end, const double *x,
                               zw_error *err) {
    const zw_kernel *k = run->k;
    const line l = {run, m, t, end, x};
    double h = end - t, *gap = m->edge, *rate = m->edge + k->ncontact;
    zw_touch_parts touch = touch_at(&l, 0);
    for (int c = 0; c < k->ncontact; c++) {
        gap[c] = touch.gap[c];
        rate[c] = touch.rate[k->contact[c].row];
    }
    touch = touch_at(&l, 1);
    for (int c = 0; c < k->ncontact; c++) { /* the change, then its excess, in the same places */
        double after = touch.rate[k->contact[c].row], change = touch.gap[c] - gap[c],
               free = h * (fabs(after - rate[c]) + SECOND_ORDER * (fabs(after) + fabs(rate[c])));
        bool odd =
            fabs(change - h * (rate[c] + after) / 2) > free + 4 * ZW_MOREAU_ROUNDING * m->size;
        rate[c] = odd ? touch.gap[c] : NAN;
    }
    for (int c = 0; c < k->ncontact; c++)
        if (!isnan(rate[c]))
            ZW_TRY(locate_jump(&l, c, gap[c], rate[c], err));
    return ZW_OK;
}

/* ---- laws ---- */

static bool is_part(double e) {
    return e >= 0 && e <= 1 + 4 * DBL_EPSILON;
}

const char *zw_contact_wrong_numbers(const zw_contact_form *f, const double *number,
                                     double *value) {
    const double *n = number + f->number;
    *value = *n;
    if (!f->bilateral && !is_part(*n++))
        return "the restitution is not between 0 and 1";
    n = number + f->number + 1;
    for (int b = 0; b < f->nblock; b++, n += ZW_LAW_NUMBERS) {
        *value = n[0];
        if (!(n[0] >= 0) && f->kind[b] != ZW_FRICTION_LINEAR)
            return "mu is negative or not a number";
        *value = n[9];
        if (!is_part(n[9]))
            return "the restitution of friction is not between 0 and 1";
    }
    return NULL;
}

zw_status zw_moreau_check_law(zw_run *run, int c, const double *number, double t, zw_error *err) {
    double value;
    const char *wrong = zw_contact_wrong_numbers(&run->k->contact[c], number, &value);
    return wrong ? reject_jump(run, ZW_FAULT_LAW, c, t, value, wrong, err) : ZW_OK;
}
