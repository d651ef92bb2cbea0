/* SPDX-License-Identifier: MIT */
#include "impact_map.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "num/linear/linalg.h"

/* The role of a row in an impact. */
enum { UNKNOWN = -1, FREE, ACTIVE, STICKS, SLIDES_UP, SLIDES_DOWN, SOLVED };
/* most rows of an impact that is solved by its pattern */
enum { PATTERN_ROWS_MAX = ZW_CONTACT_ROWS_MAX * 4 };
/* Accuracy assigned to the state: 45 eps, since impacts are differentiated here and nothing may be
 * taken for 0 that is not round-off. */
#define STATE_ACCURACY 1e-14
/* Least normal impulse of an active contact relative to the largest: the solver leaves 1e-13. */
#define IMPULSE_ACTIVE 1e-10
/* Least relative distance of friction from its limit where a block sticks: far above the error of
 * impulses, and the pattern is checked by its velocities. */
#define FRICTION_BELOW_LIMIT 1e-6
/* Relative difference of the velocities by the pattern and by the solver, which solves equations of
 * ill conditioned contacts to 1e-13 times their condition number. */
#define SAME_VELOCITIES 1e-8

zw_status zw_strike_init(zw_strike *s, zw_arena *arena, const zw_kernel *k, zw_flow *flow,
                         zw_contact_modes *modes, zw_error *err) {
    *s = (zw_strike){.k = k, .flow = flow, .modes = modes};
    s->reach = ZW_NEW(arena, double, k->nv + 1);
    s->size = ZW_NEW(arena, double, k->nv + 1);
    s->P = ZW_NEW(arena, double, k->ntouch + 1);
    s->before = ZW_NEW(arena, double, k->ntouch + 1);
    s->sum = ZW_NEW(arena, double, k->ntouch + 1);
    s->x = ZW_NEW(arena, double, k->nx + 1);
    s->tried = ZW_NEW(arena, double, k->nx + 1);
    s->move = ZW_NEW(arena, double, PATTERN_ROWS_MAX * k->nv + 1);
    return arena->failed ? zw_out_of_memory(err, "an impact") : ZW_OK;
}

void zw_strike_forget(const zw_kernel *k, signed char *pattern) {
    memset(pattern, UNKNOWN, (size_t)(k->ntouch + 1));
}

static const double *numbers_of(const zw_strike *s, const zw_contact_form *f, int block) {
    return zw_contact_modes_law(s->modes) + f->number + 1 + block * ZW_LAW_NUMBERS;
}

/* the largest friction relative to the normal impulse */
static double part_of(const double *number) {
    return number[6] * number[0] * number[1];
}

/* laws with one velocity per block, without smoothing or damping, have linear equations */
static bool is_plain(const zw_strike *s, const zw_contact_form *f) {
    if (f->bilateral)
        return false;
    for (int b = 0; b < f->nblock; b++) {
        const double *n = numbers_of(s, f, b);
        if (f->kind[b] != ZW_FRICTION_ELLIPSOID || f->block_rows[b] != 1 || n[4] != 0 || n[9] != 0)
            return false;
    }
    return true;
}

/* the pattern of impulses P that solve the contact problem */
static void read_pattern(const zw_strike *s, const bool *touching, const double *P,
                         signed char *pattern) {
    double most = 0;
    for (int i = 0; i < s->k->ntouch; i++)
        most = fmax(most, fabs(P[i]));
    memset(pattern, FREE, (size_t)s->k->ntouch);
    for (int c = 0; c < s->k->ncontact; c++) {
        const zw_contact_form *f = &s->k->contact[c];
        if (!touching[c])
            continue;
        if (!is_plain(s, f)) {
            pattern[0] = SOLVED;
            return;
        }
        double N = P[f->row];
        if (!(N > IMPULSE_ACTIVE * most))
            continue;
        pattern[f->row] = ACTIVE;
        for (int b = 0; b < f->nblock; b++) {
            double r = P[f->row + 1 + b], limit = part_of(numbers_of(s, f, b)) * N;
            pattern[f->row + 1 + b] = fabs(r) < limit * (1 - FRICTION_BELOW_LIMIT) ? STICKS
                                      : r > 0                                      ? SLIDES_UP
                                                                                   : SLIDES_DOWN;
        }
    }
}

/* impulses of one unknown: its row, and the friction that slides with it */
static void put_unit(const zw_strike *s, const signed char *pattern, int row, double *P) {
    memset(P, 0, sizeof(double) * (size_t)s->k->ntouch);
    P[row] = 1;
    for (int c = 0; c < s->k->ncontact; c++) {
        const zw_contact_form *f = &s->k->contact[c];
        for (int b = 0; f->row == row && b < f->nblock; b++) {
            int state = pattern[row + 1 + b];
            double part = part_of(numbers_of(s, f, b));
            P[row + 1 + b] = state == SLIDES_UP ? part : state == SLIDES_DOWN ? -part : 0;
        }
    }
}

/* the required velocity of an active row */
static double target_velocity(const zw_strike *s, const double *before, int row) {
    for (int c = 0; c < s->k->ncontact; c++)
        if (s->k->contact[c].row == row && !(s->plastic && s->plastic[c]))
            return -zw_contact_modes_law(s->modes)[s->k->contact[c].number] * before[row];
    return 0;
}

/* margin of the pattern: impulses are compressive, friction is within its limit and opposes
 * sliding, free contacts separate */
static double slack_of(const zw_strike *s, const bool *touching, const signed char *pattern,
                       const double *P, const double *rate) {
    const zw_kernel *k = s->k;
    double slack = NAN, most = 0, fastest = 0;
    for (int i = 0; i < k->ntouch; i++) {
        most = fmax(most, fabs(P[i]));
        fastest = fmax(fastest, fabs(rate[i]));
    }
    for (int c = 0; c < k->ncontact; c++) {
        const zw_contact_form *f = &k->contact[c];
        if (!touching[c])
            continue;
        double N = P[f->row];
        if (pattern[f->row] == ACTIVE)
            slack = fmin(isnan(slack) ? INFINITY : slack, N / most);
        for (int b = 0; pattern[f->row] == ACTIVE && b < f->nblock; b++) {
            int row = f->row + 1 + b;
            double limit = part_of(numbers_of(s, f, b)) * N;
            if (limit == 0)
                continue;
            slack = fmin(slack, pattern[row] == STICKS      ? (limit - fabs(P[row])) / most
                                : pattern[row] == SLIDES_UP ? -rate[row] / fastest
                                                            : rate[row] / fastest);
        }
    }
    return slack;
}

static zw_status stand_at(zw_strike *s, double t, const double *x, zw_error *err) {
    const zw_contact_mode_accuracy accuracy = {s->reach, s->size, STATE_ACCURACY, STATE_ACCURACY};
    return zw_contact_modes_at(s->modes, s->flow, t, x, &accuracy, err);
}

/* the matrix of the unknown rows: the effect of each impulse on the other rows; s->move: its effect
 * on the velocities */
static bool build_matrix(zw_strike *s, const signed char *pattern, int m, const int *row, double t,
                         const double *x, double *A, zw_error *err) {
    int nv = s->k->nv, nq = s->k->nq;
    for (int j = 0; j < m; j++) {
        double *move = s->move + (size_t)(j * nv);
        put_unit(s, pattern, row[j], s->P);
        memset(move, 0, sizeof(double) * (size_t)nv);
        zw_contact_modes_push(s->modes, s->P, move);
        memcpy(s->x, x, sizeof(double) * (size_t)s->k->nx);
        for (int i = 0; i < nv; i++)
            s->x[nq + i] += move[i];
        if (stand_at(s, t, s->x, err) < 0)
            return false;
        for (int i = 0; i < m; i++)
            A[i * m + j] = zw_contact_modes_rate(s->modes)[row[i]] - s->before[row[i]];
    }
    return true;
}

/* x after the impact with the pattern; false: the equations are singular */
static bool apply_pattern(zw_strike *s, const bool *touching, const signed char *pattern, double t,
                          double *x, double *slack, zw_error *err) {
    const zw_kernel *k = s->k;
    int nv = k->nv, row[PATTERN_ROWS_MAX], m = 0, pivot[PATTERN_ROWS_MAX];
    double A[PATTERN_ROWS_MAX * PATTERN_ROWS_MAX], b[PATTERN_ROWS_MAX];
    for (int i = 0; i < k->ntouch; i++)
        if (pattern[i] == ACTIVE || pattern[i] == STICKS) {
            if (m == PATTERN_ROWS_MAX)
                return false;
            row[m++] = i;
        }
    memcpy(s->before, zw_contact_modes_rate(s->modes), sizeof(double) * (size_t)k->ntouch);
    for (int i = 0; i < m; i++)
        b[i] = target_velocity(s, s->before, row[i]) - s->before[row[i]];
    if (!build_matrix(s, pattern, m, row, t, x, A, err))
        return false;
    if (m > 0 && !(zw_num_lu(m, A, pivot) > zw_num_pivot_floor(m)))
        return false;
    zw_num_lu_solve(m, A, pivot, 1, b);
    memset(s->sum, 0, sizeof(double) * (size_t)k->ntouch);
    for (int j = 0; j < m; j++) {
        put_unit(s, pattern, row[j], s->P);
        for (int i = 0; i < k->ntouch; i++)
            s->sum[i] += b[j] * s->P[i];
        for (int i = 0; i < nv; i++)
            x[k->nq + i] += b[j] * s->move[j * nv + i];
    }
    if (stand_at(s, t, x, err) < 0)
        return false;
    *slack = slack_of(s, touching, pattern, s->sum, zw_contact_modes_rate(s->modes));
    return true;
}

/* solves the contact problem; the pattern of its solution is kept if it gives the same
 * velocities */
static zw_status solve_impact(zw_strike *s, const bool *touching, signed char *pattern, double t,
                              double *x, double *slack, zw_error *err) {
    zw_contact_answer answer;
    double size = 0, off = 0, *tried = s->tried;
    memcpy(tried, x, sizeof(double) * (size_t)s->k->nx);
    ZW_TRY(zw_contact_modes_impact(s->modes, touching, s->plastic, s->P, &answer, err));
    zw_contact_modes_push(s->modes, s->P, x + s->k->nq);
    if (pattern[0] == SOLVED)
        return ZW_OK;
    read_pattern(s, touching, s->P, pattern);
    if (pattern[0] == SOLVED)
        return ZW_OK;
    ZW_TRY(stand_at(s, t, tried, err));
    bool done = apply_pattern(s, touching, pattern, t, tried, slack, err);
    for (int i = s->k->nq; i < s->k->nx; i++) {
        size = fmax(size, fabs(x[i]));
        off = fmax(off, fabs(x[i] - tried[i]));
    }
    if (!done || !(off <= SAME_VELOCITIES * size))
        pattern[0] = SOLVED;
    return ZW_OK;
}

zw_status zw_strike_at(zw_strike *s, const bool *touching, const bool *plastic,
                       signed char *pattern, double t, double *x, double *slack, zw_error *err) {
    bool any = false;
    *slack = NAN;
    for (int i = 0; touching && i < s->k->ncontact; i++)
        any |= touching[i];
    if (!any)
        return ZW_OK; /* no gap has closed */
    for (int i = 0; i < s->k->nv; i++)
        s->reach[i] = fabs(x[s->k->nq + i]);
    s->plastic = plastic;
    ZW_TRY(stand_at(s, t, x, err));
    if (pattern[0] == UNKNOWN || pattern[0] == SOLVED)
        return solve_impact(s, touching, pattern, t, x, slack, err);
    if (!apply_pattern(s, touching, pattern, t, x, slack, err))
        return zw_fail(err, ZW_E_SINGULAR, "the equations of an impact are singular at t = %.10g",
                       t);
    return ZW_OK;
}
