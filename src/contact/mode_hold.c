/* SPDX-License-Identifier: MIT */
/* Are given contact modes consistent? Normal forces press, gaps open, friction is in its cone, and
 * a slip begins in its direction: for a block of several velocities a direction d with gamma'_F =
 * |gamma'_F| d, found by iteration. */
#include <float.h>
#include <string.h>

#include "base/tolerance.h"
#include "mode_solver.h"

/* Limits of iterations; ANGLES: intervals of the circle in which directions are searched. */
enum { DIRECTIONS_MAX = 200, SWEEPS_MAX = 50, ANGLES = 24, HALVINGS = 20 };
/* Error of the acceleration, relative to the largest, of a block whose slip begins in an
 * approximate direction, at an instant at which the acceleration is still 0: FRICTION_LESS
 * (mode_decide.c) changes forces by 1e-3. */
#define APPROXIMATE_START 1e-2
#define DIFFERENCE_ANGLE 1e-5 /* [rad]; eps^(1/3): central differences of order 2 */
/* [rad]; largest Newton step, below 45 degrees: the frame is that of its start */
#define TURN_MAX 0.7
/* [rad]; change of a direction at which its iteration ends: 4 eps, for a single one; 45 eps for all
 * together, whose errors add. */
#define TURN_DONE 1e-15
#define SWEEP_DONE 1e-14
/* 1 - cosine of the angle between direction and acceleration: 4e-5 rad. A direction against the
 * acceleration has the cosine -1. */
#define ANGLE_ACCEPTED ZW_ROUNDOFF_SOLVED

/* the square root of the acceleration of a row by its own unit force */
static double size_of(const zw_contact_modes *s, int row) {
    double A = s->A[row * s->k->ntouch + row];
    return A > 0 ? sqrt(A) : 1;
}

static bool block_holds(const zw_contact_modes *s, const zw_contact_form *f, int block, int row,
                        const zw_contact_mode *mode, bool resting, double tie, double force) {
    const double *n = zw_contact_mode_numbers(s, f, block);
    int nrow = f->block_rows[block], slide = mode->slide[block];
    double N = fabs(s->r[f->row]);
    if (!zw_contact_mode_is_set_valued(f, n, block) || !resting || n[0] == 0)
        return true;
    if (slide == ZW_STICKS) {
        const zw_friction law = zw_contact_mode_block(s, f, block);
        return zw_contact_mode_force(&law, s->r + row) <= (1 - s->strict) * n[0] * N + force;
    }
    if (slide != ZW_CARRIED && s->begun)
        tie *= APPROXIMATE_START / ZW_CONTACT_MODE_TIE;
    if (slide != ZW_CARRIED && nrow == 1)
        return slide * s->out[row] >= -tie * size_of(s, row);
    for (int i = 0; i < nrow; i++) { /* along its direction, or 0 */
        double way =
            slide == ZW_CARRIED ? 0 : zw_contact_mode_dot(nrow, s->direction + row, s->out + row);
        double off = s->out[row + i] - (way > 0 ? way * s->direction[row + i] : 0);
        if (!(fabs(off) <= tie * size_of(s, row + i)))
            return false;
    }
    return true;
}

/* Accelerations are compared with the largest of their terms: where a normal force falls to zero,
 * the terms of its row are as small as the force. Rows are measured in the metric of their inertia:
 * the row of the rim of a nearly flat disc is larger than the others by many orders of
 * magnitude. */
static bool all_hold(const zw_contact_modes *s, const bool *rests, const zw_contact_mode *mode) {
    const zw_kernel *k = s->k;
    double largest = 0;
    for (int c = 0; c < k->ncontact; c++)
        for (int i = 0; rests[c] && i < k->contact[c].nrow; i++) {
            int row = k->contact[c].row + i;
            double sum = s->generous ? s->felt[row] : s->parts[row];
            for (int j = 0; j < k->ntouch; j++)
                sum = fmax(sum, fabs(s->A[row * k->ntouch + j] * s->r[j]));
            largest = fmax(largest, sum / size_of(s, row));
        }
    for (int c = 0; c < k->ncontact; c++) {
        const zw_contact_form *f = &k->contact[c];
        double tie = ZW_CONTACT_MODE_TIE * largest, force = tie / size_of(s, f->row);
        if (!rests[c])
            continue;
        if (!mode[c].closed) {
            if (!(s->out[f->row] >= -tie * size_of(s, f->row)))
                return false;
            continue;
        }
        if (!(mode[c].press * s->r[f->row] >= s->strict / ZW_CONTACT_MODE_TIE * force - force))
            return false;
        for (int b = 0, row = f->row + 1; b < f->nblock; row += f->block_rows[b], b++)
            if (!block_holds(s, f, b, row, &mode[c], s->resting[c * ZW_CONTACT_MODE_PARTS + 1 + b],
                             tie, force))
                return false;
    }
    return true;
}

/* ---- directions in which blocks of several velocities begin to slide ---- */

bool zw_contact_modes_begins(const zw_contact_modes *s, const zw_contact_mode *mode, int c,
                             int block) {
    return mode[c].closed && mode[c].slide[block] == ZW_SLIDES &&
           s->k->contact[c].block_rows[block] > 1 &&
           s->resting[c * ZW_CONTACT_MODE_PARTS + 1 + block];
}

static bool solve_along(zw_contact_modes *s, const zw_contact_mode *mode) {
    return zw_contact_modes_solve(s, zw_contact_modes_unknowns(s, mode, s->resting), s->bend, true);
}

/* Two velocities: d x gamma'_F, the deviation of gamma'_F from the direction at this angle; NaN
 * where the equations are singular. */
static double cross_direction(zw_contact_modes *s, const zw_contact_mode *mode, int row,
                              double angle) {
    double *d = s->direction + row;
    d[0] = cos(angle);
    d[1] = sin(angle);
    return solve_along(s, mode) ? d[0] * s->out[row + 1] - d[1] * s->out[row] : NAN;
}

/* The zero in an interval at whose ends the signs differ, by false position with halving
 * (Illinois). */
static double zero_between(zw_contact_modes *s, const zw_contact_mode *mode, int row, double a,
                           double fa, double b, double fb) {
    for (int i = 0; i < DIRECTIONS_MAX && fabs(b - a) > 4 * DBL_EPSILON; i++) {
        double m = b - fb * (b - a) / (fb - fa), fm = cross_direction(s, mode, row, m);
        if (fm == 0)
            return m;
        if ((fm < 0) != (fb < 0)) {
            a = b;
            fa = fb;
        } else {
            fa /= 2;
        }
        b = m;
        fb = fm;
    }
    return b;
}

/* The direction of a block of two velocities with gamma'_F along it that is nearest to the present
 * one; false: there is none. */
static bool turn_two(zw_contact_modes *s, const zw_contact_mode *mode, int row) {
    double first = atan2(s->direction[row + 1], s->direction[row]), best = NAN;
    double step = 2 * M_PI / ANGLES, a = first - step / 2, fa = cross_direction(s, mode, row, a);
    for (int i = 0; i < ANGLES; i++) {
        double b = first + (i + 0.5) * step, fb = cross_direction(s, mode, row, b);
        if ((fa <= 0 && fb > 0) || (fa >= 0 && fb < 0)) {
            double root = zero_between(s, mode, row, a, fa, b, fb),
                   off = fabs(remainder(root - first, 2 * M_PI));
            cross_direction(s, mode, row, root);
            bool forward = zw_contact_mode_dot(2, s->direction + row, s->out + row) >= 0;
            if (forward && !(off >= fabs(remainder(best - first, 2 * M_PI))))
                best = root;
        }
        a = b;
        fa = fb;
    }
    bool found = !isnan(best);
    cross_direction(s, mode, row, found ? best : first);
    return found;
}

/* ---- three velocities: d on the sphere with gamma'_F - (d.gamma'_F) d = 0, by Newton's method
 * ---- */

/* Two unit vectors perpendicular to d. */
static void frame_of(const double *d, double across[2][3]) {
    int least = fabs(d[0]) < fabs(d[1]) ? (fabs(d[0]) < fabs(d[2]) ? 0 : 2)
                                        : (fabs(d[1]) < fabs(d[2]) ? 1 : 2);
    double size = sqrt(1 - d[least] * d[least]);
    for (int j = 0; j < 3; j++)
        across[0][j] = ((j == least) - d[least] * d[j]) / size;
    for (int j = 0; j < 3; j++)
        across[1][j] =
            d[(j + 1) % 3] * across[0][(j + 2) % 3] - d[(j + 2) % 3] * across[0][(j + 1) % 3];
}

/* components of gamma'_F along the directions across, at d turned by `angle` along them; their
 * norm, NaN where the equations are singular */
static double deviation_across(zw_contact_modes *s, const zw_contact_mode *mode, int row,
                               const double *d, double across[2][3], const double *angle,
                               double *out) {
    double *now = s->direction + row, size = hypot(angle[0], angle[1]),
           part = size > 0 ? sin(size) / size : 0, length = 0;
    for (int j = 0; j < 3; j++)
        now[j] = cos(size) * d[j] + part * (angle[0] * across[0][j] + angle[1] * across[1][j]);
    if (!solve_along(s, mode))
        return NAN;
    double way = zw_contact_mode_dot(3, now, s->out + row);
    for (int j = 0; j < 3; j++) {
        double off = s->out[row + j] - way * now[j];
        length += off * off;
    }
    for (int i = 0; i < 2; i++)
        out[i] = zw_contact_mode_dot(3, across[i], s->out + row) -
                 way * zw_contact_mode_dot(3, across[i], now);
    return sqrt(length);
}

/* one Newton step, halved until the perpendicular component decreases; false: it does not, or the
 * matrix is singular */
static bool turn_step(zw_contact_modes *s, const zw_contact_mode *mode, int row, double *change) {
    double d[3], across[2][3], none[2] = {0, 0}, at[2], plus[2], minus[2], J[2][2];
    memcpy(d, s->direction + row, sizeof d);
    frame_of(d, across);
    double before = deviation_across(s, mode, row, d, across, none, at);
    for (int i = 0; i < 2; i++) {
        double up[2] = {i == 0 ? DIFFERENCE_ANGLE : 0, i == 1 ? DIFFERENCE_ANGLE : 0},
               down[2] = {-up[0], -up[1]};
        deviation_across(s, mode, row, d, across, up, plus);
        deviation_across(s, mode, row, d, across, down, minus);
        for (int j = 0; j < 2; j++)
            J[j][i] = (plus[j] - minus[j]) / (2 * DIFFERENCE_ANGLE);
    }
    double det = J[0][0] * J[1][1] - J[0][1] * J[1][0],
           step[2] = {-(J[1][1] * at[0] - J[0][1] * at[1]) / det,
                      -(J[0][0] * at[1] - J[1][0] * at[0]) / det},
           size = hypot(step[0], step[1]), part = size > TURN_MAX ? TURN_MAX / size : 1;
    for (int halving = 0; halving < HALVINGS && isfinite(size); halving++, part /= 2) {
        double angle[2] = {part * step[0], part * step[1]};
        if (deviation_across(s, mode, row, d, across, angle, at) < before) {
            *change = part * size;
            return true;
        }
    }
    deviation_across(s, mode, row, d, across, none, at);
    return false;
}

/* starts from the present direction, else from others; the result must be along gamma'_F, not
 * against it */
static bool turn_three(zw_contact_modes *s, const zw_contact_mode *mode, int row) {
    double *d = s->direction + row, first[3];
    memcpy(first, d, sizeof first);
    for (int start = 0; start <= 8; start++) {
        double change = 1;
        for (int j = 0; j < 3; j++)
            d[j] = start == 0 ? first[j] : ((start - 1) & (1 << j) ? -1 : 1) / sqrt(3);
        for (int i = 0; i < DIRECTIONS_MAX && change > TURN_DONE; i++)
            if (!turn_step(s, mode, row, &change))
                break;
        double size = sqrt(zw_contact_mode_dot(3, s->out + row, s->out + row)),
               way = zw_contact_mode_dot(3, d, s->out + row);
        if (way >= (1 - ANGLE_ACCEPTED) * size)
            return true;
    }
    memcpy(d, first, sizeof first);
    solve_along(s, mode);
    return false;
}

/* solves for all directions, one after the other; the largest change, or NaN */
static double turn_directions(zw_contact_modes *s, const zw_contact_mode *mode) {
    const zw_kernel *k = s->k;
    double change = 0;
    for (int c = 0; c < k->ncontact; c++) {
        const zw_contact_form *f = &k->contact[c];
        for (int b = 0, row = f->row + 1; b < f->nblock; row += f->block_rows[b], b++) {
            int nrow = f->block_rows[b];
            double before[ZW_FRICTION_ROWS_MAX];
            if (!zw_contact_modes_begins(s, mode, c, b))
                continue;
            memcpy(before, s->direction + row, sizeof(double) * (size_t)nrow);
            if (!(nrow == 2 ? turn_two(s, mode, row) : turn_three(s, mode, row)))
                return NAN;
            for (int i = 0; i < nrow; i++)
                change = fmax(change, fabs(s->direction[row + i] - before[i]));
        }
    }
    return change;
}

/* Sets all directions at once to those of the present accelerations, since blocks of one body
 * belong together; the largest change. */
static double follow_directions(zw_contact_modes *s, const zw_contact_mode *mode) {
    const zw_kernel *k = s->k;
    double change = 0;
    for (int c = 0; c < k->ncontact; c++) {
        const zw_contact_form *f = &k->contact[c];
        for (int b = 0, row = f->row + 1; b < f->nblock; row += f->block_rows[b], b++) {
            int n = f->block_rows[b];
            double size = sqrt(zw_contact_mode_dot(n, s->out + row, s->out + row));
            for (int i = 0; zw_contact_modes_begins(s, mode, c, b) && size > 0 && i < n; i++) {
                change = fmax(change, fabs(s->out[row + i] / size - s->direction[row + i]));
                s->direction[row + i] = s->out[row + i] / size;
            }
        }
    }
    return change;
}

int zw_contact_modes_count_beginnings(const zw_contact_modes *s, const zw_contact_mode *mode) {
    int n = 0;
    for (int c = 0; c < s->k->ncontact; c++)
        for (int b = 0; b < s->k->contact[c].nblock; b++)
            n += zw_contact_modes_begins(s, mode, c, b);
    return n;
}

/* the first directions: opposite to the normal of the set at the solver's force (by_guess), or at
 * the force needed to stick */
static void first_directions(zw_contact_modes *s, zw_contact_mode *mode, bool by_guess) {
    const zw_kernel *k = s->k;
    memset(s->direction, 0, sizeof(double) * (size_t)k->ntouch);
    for (int c = 0; c < k->ncontact; c++) {
        const zw_contact_form *f = &k->contact[c];
        for (int b = 0, row = f->row + 1; b < f->nblock; row += f->block_rows[b], b++) {
            if (!zw_contact_modes_begins(s, mode, c, b))
                continue;
            mode[c].slide[b] = ZW_STICKS;
            int m = zw_contact_modes_unknowns(s, mode, s->resting);
            bool solved = by_guess || zw_contact_modes_solve(s, m, s->bend, true);
            mode[c].slide[b] = ZW_SLIDES;
            const zw_friction law = zw_contact_mode_block(s, f, b);
            const double *force = by_guess ? s->guess : s->r;
            double *d = s->direction + row, size = 0, back[ZW_FRICTION_ROWS_MAX];
            zw_law_gauge normal;
            for (int i = 0; i < f->block_rows[b]; i++)
                back[i] = -force[row + i] / law.pull[i];
            zw_law_gauge_at(&law, back, &normal);
            for (int i = 0; i < f->block_rows[b]; i++) {
                d[i] = solved ? normal.y[i] : s->bend[row + i];
                size += d[i] * d[i];
            }
            for (int i = 0; i < f->block_rows[b]; i++)
                d[i] = size > 0 ? d[i] / sqrt(size) : i == 0;
        }
    }
}

/* consistency with the present weights of rows that depend on each other */
static bool is_consistent_as_weighed(zw_contact_modes *s, const bool *rests, zw_contact_mode *mode,
                                     bool by_guess) {
    int directions = zw_contact_modes_count_beginnings(s, mode);
    bool together = s->redundant && directions > 1;
    if (directions)
        first_directions(s, mode, by_guess);
    for (int turn = 0; turn < SWEEPS_MAX; turn++) {
        if (!solve_along(s, mode))
            return false;
        if (!directions || all_hold(s, rests, mode))
            break;
        if (!((together ? follow_directions : turn_directions)(s, mode) > SWEEP_DONE))
            break;
    }
    return all_hold(s, rests, mode);
}

bool zw_contact_modes_hold(zw_contact_modes *s, const bool *rests, zw_contact_mode *mode) {
    static const double theta[] = {0.125, 1, 0.015625};
    bool directions = zw_contact_modes_count_beginnings(s, mode) > 0; /* expensive */
    for (int i = 0; i < (s->redundant && !directions ? 6 : 1); i++) {
        zw_contact_modes_weigh(s, theta[i % 3], i < 3);
        if (is_consistent_as_weighed(s, rests, mode, false))
            return true;
    }
    if (!s->guessed || !(s->redundant || directions))
        return false;
    zw_contact_modes_weigh(s, theta[0], false);
    if (s->redundant)
        zw_contact_modes_offset(s, zw_contact_modes_unknowns(s, mode, s->resting));
    return is_consistent_as_weighed(s, rests, mode, true);
}

bool zw_contact_modes_begin(zw_contact_modes *s, const bool *rests, const zw_contact_mode *mode) {
    memset(s->direction, 0, sizeof *s->direction * (size_t)s->k->ntouch);
    follow_directions(s, mode);
    zw_contact_modes_weigh(s, 0.125, true);
    s->begun = true;
    bool holds = solve_along(s, mode) && all_hold(s, rests, mode);
    s->begun = false;
    return holds;
}

bool zw_contact_modes_share_motion(zw_contact_modes *s, const zw_contact_mode *mode, int row,
                                   double force) {
    zw_contact_modes_weigh(s, 1, true);
    s->offset[row] = force;
    return solve_along(s, mode);
}
