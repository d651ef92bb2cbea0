/* SPDX-License-Identifier: MIT */
/* Which contact modes are consistent? All combinations are tried, to find out whether one, several
 * or none are. Contacts that share a load (mode_share.c) have many combinations of modes for one
 * motion. For these, the solver of contact problems finds the motion of all contacts together, and
 * the motion gives the modes: a gap that opens, a block that slides. If a force reaches its limit,
 * the load is shared again so that all contacts have the largest possible margin; if there is no
 * margin, the motion with slightly less friction shows how they begin to slide. */
#include <stdlib.h>
#include <string.h>

#include "mode_solver.h"

/* Difference of accelerations, relative to the sums of which they are made, that is the same
 * motion: forces of redundant contacts are known to INCONSISTENT_ROW 1e-6 (mode_solve.c) of these
 * sums. */
#define SAME_ACCELERATION 1e-5
/* Factor of mu that lets blocks slide that friction can just hold: closer to 1 the accelerations
 * drown in MOVES_CLEARLY, farther away their directions change. */
#define FRICTION_LESS 0.999
/* Least speed, relative to the fastest block that begins to slide, to which velocities are scaled:
 * slower blocks would make all others larger than the laws resolve. Chosen by trial. */
#define SLOWEST_START 1e-3
/* Accelerations made of less than this fraction of the largest are compared with it, since they
 * inherit its error (relative errors of 1e-7 with SAME_ACCELERATION). */
#define COMPARED_WITH_LARGEST 1e-2
enum { COST_OPEN_HELD = 100000 }; /* cost of an open contact whose gap others hold at 0 */
enum {
    HALVINGS = 20,           /* of the margin of friction, after which it has reached its limit */
    COMBINATIONS_MAX = 3000, /* more combinations are not all tried */
    COMBINATIONS_SHARED =
        /* combinations tried for contacts that share a load, if the solver's motion is none of
         * them */
    30,
};
/* Acceleration, relative to the sum of which it is made, from which a row is moving: the solver's
 * residual of IMPACT_TOLERANCE 1e-13 times condition numbers up to 1e7. */
#define MOVES_CLEARLY 1e-6

static int press_of(const zw_contact_mode *before) {
    return before->press < 0 ? -1 : 1;
}

/* the modes possible for block b of a contact */
static int slides_of(const zw_contact_modes *s, const zw_contact_form *f, int block, int row,
                     bool resting, signed char *out) {
    const double *n = zw_contact_mode_numbers(s, f, block);
    int m = 0;
    if (!zw_contact_mode_is_set_valued(f, n, block)) {
        out[m++] = ZW_SLIDES;
    } else if (n[0] == 0) {
        out[m++] = ZW_CARRIED;
    } else if (!resting) {
        out[m++] = f->block_rows[block] == 1 && s->rate[row] < 0 ? -ZW_SLIDES : ZW_SLIDES;
    } else {
        out[m++] = ZW_STICKS;
        out[m++] = ZW_SLIDES;
        if (f->block_rows[block] == 1)
            out[m++] = -ZW_SLIDES;
    }
    return m;
}

unsigned char zw_contact_mode_bit(const zw_contact_mode *mode, int part) {
    int slide = part > 0 ? mode->slide[part - 1] : 0, bit;
    if (part == 0)
        bit = !mode->closed ? 1 : mode->press > 0 ? 2 : 4;
    else
        bit = !mode->closed ? 0 : 1 << (slide < 0 ? 3 : slide);
    return (unsigned char)bit;
}

static bool is_over(const unsigned char *over, const zw_contact_mode *now, int nblock) {
    for (int part = 0; part <= nblock; part++)
        if (over[part] & zw_contact_mode_bit(now, part))
            return true;
    return false;
}

static void list_options(zw_contact_modes *s, int c, const zw_contact_mode *before,
                         const unsigned char *over) {
    const zw_contact_form *f = &s->k->contact[c];
    zw_contact_mode *to = s->option + (size_t)c * ZW_CONTACT_MODE_OPTIONS_MAX;
    int n = 0;
    zw_contact_mode mode = {.press = 1};
    if (!f->bilateral)
        to[n++] = mode;
    mode.closed = true;
    signed char slide[ZW_FRICTION_BLOCKS_MAX][4];
    int count[ZW_FRICTION_BLOCKS_MAX] = {1, 1, 1}, total = 1;
    for (int b = 0, row = f->row + 1; b < f->nblock; row += f->block_rows[b], b++) {
        count[b] = slides_of(s, f, b, row, s->resting[c * ZW_CONTACT_MODE_PARTS + 1 + b], slide[b]);
        total *= count[b];
    }
    for (int way = 0; way < (f->bilateral && f->nblock > 0 ? 2 : 1); way++)
        for (int i = 0; i < total && n < ZW_CONTACT_MODE_OPTIONS_MAX; i++) {
            mode.press = (signed char)((way ? -1 : 1) * (f->bilateral ? press_of(before) : 1));
            for (int b = 0, rest = i; b < f->nblock; rest /= count[b], b++)
                mode.slide[b] = slide[b][rest % count[b]];
            to[n++] = mode;
        }
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (!over || !is_over(over, &to[i], f->nblock))
            to[kept++] = to[i];
    s->noption[c] = kept;
}

/* a row that others hold: its acceleration is 0 up to round-off */
static bool is_held(const zw_contact_modes *s, int row) {
    int n = s->k->ntouch;
    double size = s->parts[row];
    for (int j = 0; j < n; j++)
        size = fmax(size, fabs(s->A[row * n + j] * s->r[j]));
    return fabs(s->out[row]) <= ZW_CONTACT_MODE_TIE * size;
}

/* Cost of contact modes: their distance from the modes before and from the preferred ones. Of
 * several solutions with the same motion, closed contacts are preferred, since a gap that others
 * hold at 0 has no sign, and blocks that stick. */
static int cost_of(const zw_contact_modes *s, const bool *rests, const zw_contact_mode *before,
                   const zw_contact_mode *now) {
    const zw_kernel *k = s->k;
    int cost = 0;
    for (int c = 0; c < k->ncontact; c++) {
        if (!rests[c])
            continue;
        bool held = !now[c].closed && is_held(s, k->contact[c].row);
        cost += held ? COST_OPEN_HELD : before[c].closed != now[c].closed ? 1000 : 0;
        for (int b = 0; now[c].closed && b < k->contact[c].nblock; b++) {
            bool resting = s->resting[c * ZW_CONTACT_MODE_PARTS + 1 + b];
            int slide = now[c].slide[b];
            cost += !resting || slide == ZW_STICKS ? 0 : 40;
            cost += before[c].closed && before[c].slide[b] != slide ? 1 : 0;
        }
    }
    return cost;
}

static void update_accelerations(zw_contact_modes *s) {
    memcpy(s->now, s->accel, sizeof(double) * (size_t)s->k->nv);
    zw_contact_modes_push(s, s->r, s->now);
}

/* the sum of the absolute values of the terms of acceleration i */
static double parts_of(const zw_contact_modes *s, int i) {
    double size = fabs(s->accel[i]);
    for (int r = 0; r < s->k->ntouch; r++)
        size += fabs(s->B[r * s->k->nv + i] * s->r[r]);
    return size;
}

static bool is_same_motion(const zw_contact_modes *s) {
    double scale = 0;
    for (int i = 0; i < s->k->nv; i++)
        scale = fmax(scale, fmax(fabs(s->now[i]), fabs(s->accel[i])));
    for (int i = 0; i < s->k->nv; i++)
        if (!(fabs(s->now[i] - s->best_accel[i]) <=
              SAME_ACCELERATION * fmax(parts_of(s, i), COMPARED_WITH_LARGEST * scale)))
            return false;
    return true;
}

typedef struct search {
    const bool *rests;
    const unsigned char *over; /* NULL: nothing has ended */
    const zw_contact_mode *before;
    int best; /* cost of the best consistent modes; -1: none */
    bool several;
} search;

/* the modes in s->trial are consistent: are they better than those found so far? */
static void take_one(zw_contact_modes *s, search *q) {
    const zw_kernel *k = s->k;
    size_t n = (size_t)k->ntouch;
    update_accelerations(s);
    q->several |= q->best >= 0 && !is_same_motion(s);
    int cost = cost_of(s, q->rests, q->before, s->trial);
    if (q->best >= 0 && cost >= q->best)
        return;
    q->best = cost;
    memcpy(s->best, s->trial, sizeof *s->best * (size_t)k->ncontact);
    memcpy(s->best_accel, s->now, sizeof(double) * (size_t)k->nv);
    memcpy(s->best_direction, s->direction, sizeof(double) * n);
    memcpy(s->best_out, s->out, sizeof(double) * n);
    memcpy(s->best_share, s->share, sizeof(double) * n * n);
    memcpy(s->best_offset, s->offset, sizeof(double) * n);
    memcpy(s->best_given, s->given, sizeof(bool) * n);
}

static bool try_one(zw_contact_modes *s, search *q) {
    if (!zw_contact_modes_hold(s, q->rests, s->trial))
        return false;
    take_one(s, q);
    return true;
}

/* lists the options of all contacts; the number of combinations */
static double list_all(zw_contact_modes *s, const search *q) {
    double combinations = 1;
    for (int c = 0; c < s->k->ncontact; c++) {
        s->trial[c] = (zw_contact_mode){.press = 1};
        if (!q->rests[c])
            continue;
        list_options(s, c, &q->before[c], q->over ? q->over + c * ZW_CONTACT_MODE_PARTS : NULL);
        combinations *= s->noption[c];
    }
    return combinations;
}

static void try_combinations(zw_contact_modes *s, search *q, int combinations) {
    for (int i = 0; i < combinations; i++) {
        for (int c = 0, rest = i; c < s->k->ncontact; c++)
            if (q->rests[c] && s->noption[c] > 0) {
                s->trial[c] = s->option[c * ZW_CONTACT_MODE_OPTIONS_MAX + rest % s->noption[c]];
                rest /= s->noption[c];
            }
        try_one(s, q);
    }
}

/* ---- too many contacts to try all combinations ---- */

/* in s->out: the accelerations of all rows by the forces that the solver has found; in s->z: the
 * size of their terms */
static void guess_motion(zw_contact_modes *s) {
    int n = s->k->ntouch;
    for (int i = 0; i < n; i++) {
        const double *A = s->A + i * n;
        s->out[i] = s->bend[i] + zw_contact_mode_dot(n, A, s->guess);
        s->z[i] = s->parts[i];
        for (int j = 0; j < n; j++)
            s->z[i] = fmax(s->z[i], fabs(A[j] * s->guess[j]));
    }
}

static bool is_moving(const zw_contact_modes *s, int row, int n) {
    bool any = false;
    for (int i = row; i < row + n; i++)
        any |= fabs(s->out[i]) > MOVES_CLEARLY * s->z[i];
    return any;
}

/* Distance of an option of a contact from the motion that the solver has found. Forces do not
 * decide: where contacts share a load, one may be at its limit though nothing moves. */
static double distance_to_guess(const zw_contact_modes *s, int c, const zw_contact_mode *option) {
    const zw_contact_form *f = &s->k->contact[c];
    bool opens = s->out[f->row] > MOVES_CLEARLY * s->z[f->row];
    double sum = option->closed == opens ? 10 : 0;
    if (option->closed && option->press * s->guess[f->row] < 0)
        sum += 5;
    for (int b = 0, row = f->row + 1; b < f->nblock && option->closed;
         row += f->block_rows[b], b++) {
        int slide = option->slide[b];
        if (!s->resting[c * ZW_CONTACT_MODE_PARTS + 1 + b])
            continue;
        sum += (slide == ZW_STICKS) == is_moving(s, row, f->block_rows[b]) ? 2 : 0;
        if (slide != ZW_STICKS && f->block_rows[b] == 1)
            sum += slide * s->out[row] < 0 ? 1 : 0;
    }
    return sum;
}

/* options of each contact, the likeliest first */
static void sort_options(zw_contact_modes *s, int c) {
    zw_contact_mode *option = s->option + (size_t)c * ZW_CONTACT_MODE_OPTIONS_MAX;
    for (int i = 1; i < s->noption[c]; i++)
        for (int j = i;
             j > 0 && distance_to_guess(s, c, &option[j]) < distance_to_guess(s, c, &option[j - 1]);
             j--) {
            zw_contact_mode kept = option[j];
            option[j] = option[j - 1];
            option[j - 1] = kept;
        }
}

static void choose_option(zw_contact_modes *s, const search *q, int c, int option) {
    if (q->rests[c] && s->noption[c] > 0)
        s->trial[c] = s->option[c * ZW_CONTACT_MODE_OPTIONS_MAX + option];
}

/* Do all blocks in s->trial that begin to slide have an acceleration? */
static bool moves_along(const zw_contact_modes *s) {
    const zw_kernel *k = s->k;
    bool all = true;
    for (int c = 0; c < k->ncontact; c++)
        for (int b = 0, row = k->contact[c].row + 1; b < k->contact[c].nblock;
             row += k->contact[c].block_rows[b], b++)
            if (zw_contact_modes_begins(s, s->trial, c, b))
                all &= is_moving(s, row, k->contact[c].block_rows[b]);
    return all;
}

/* The transition as one problem: the modes of the solver's solution for all contacts at once, and
 * if round-off or the modes that have ended exclude them, the same with one or two contacts
 * changed. */
static void try_guess(zw_contact_modes *s, search *q, bool vary) {
    int n = s->k->ncontact;
    guess_motion(s);
    for (int c = 0; c < n; c++)
        if (q->rests[c])
            sort_options(s, c);
    for (int c = 0; c < n; c++)
        choose_option(s, q, c, 0);
    if (s->redundant && !moves_along(s))
        return;
    if (try_one(s, q) || !vary)
        return;
    for (int c = 0; c < n; c++)
        for (int e = c; e < n; e++)
            for (int i = 1; q->rests[c] && q->rests[e] && i < s->noption[c]; i++)
                for (int j = e == c ? i : 1; j < (e == c ? i + 1 : s->noption[e]); j++) {
                    choose_option(s, q, c, i);
                    choose_option(s, q, e, j);
                    bool found = try_one(s, q);
                    choose_option(s, q, c, 0);
                    choose_option(s, q, e, 0);
                    if (found)
                        return;
                }
}

/* Is there a resting block whose mode is sliding? */
static bool any_begins(const zw_contact_modes *s, const zw_contact_mode *mode) {
    for (int c = 0; c < s->k->ncontact; c++)
        for (int b = 0; b < s->k->contact[c].nblock && mode[c].closed; b++)
            if (s->resting[c * ZW_CONTACT_MODE_PARTS + 1 + b] && abs(mode[c].slide[b]) == ZW_SLIDES)
                return true;
    return false;
}

/* Friction has reached its limits: the motion with slightly less friction shows how all blocks of a
 * body begin to slide together. */
static zw_contact_mode_answer try_beginning(zw_contact_modes *s, const bool *rests,
                                            const zw_contact_mode *before) {
    search q = {rests, NULL, before, -1, false};
    if (!zw_contact_modes_guess(s, rests, before, FRICTION_LESS))
        return ZW_CONTACT_MODE_NONE;
    list_all(s, &q);
    guess_motion(s);
    for (int c = 0; c < s->k->ncontact; c++)
        if (rests[c]) {
            sort_options(s, c);
            choose_option(s, &q, c, 0);
        }
    if (!any_begins(s, s->trial) || !zw_contact_modes_begin(s, rests, s->trial))
        return ZW_CONTACT_MODE_NONE;
    take_one(s, &q);
    guess_motion(s);
    memcpy(s->best_out, s->out, sizeof *s->out * (size_t)s->k->ntouch);
    return ZW_CONTACT_MODE_ONE;
}

/* thorough: all combinations are tried for contacts that share a load too, if the solver's motion
 * is none of them */
static zw_contact_mode_answer try_all(zw_contact_modes *s, const bool *rests,
                                      const unsigned char *over, const zw_contact_mode *before,
                                      bool thorough) {
    search q = {rests, over, before, -1, false};
    double combinations = list_all(s, &q);
    bool few = combinations <= COMBINATIONS_MAX;
    bool shared = s->redundant && combinations > COMBINATIONS_SHARED && !thorough;
    if (!few || shared)
        try_guess(s, &q, !few && !shared);
    if (q.best < 0 && few && !shared)
        try_combinations(s, &q, (int)combinations);
    if (q.best < 0)
        return ZW_CONTACT_MODE_NONE;
    if (s->redundant && (q.several || q.best >= COST_OPEN_HELD))
        return ZW_CONTACT_MODE_SHARES;
    return q.several ? ZW_CONTACT_MODE_SEVERAL : ZW_CONTACT_MODE_ONE;
}

/* ---- rows that depend on each other ---- */

/* Have only forces reached their limits, and no other mode ended? */
static bool only_forces_end(const zw_contact_modes *s, const unsigned char *over,
                            const zw_contact_mode *before) {
    const zw_kernel *k = s->k;
    bool any = false;
    for (int c = 0; c < k->ncontact; c++)
        for (int part = 0; part <= k->contact[c].nblock; part++) {
            bool sticks = part > 0 && before[c].closed && before[c].slide[part - 1] == ZW_STICKS,
                 ends =
                     over[c * ZW_CONTACT_MODE_PARTS + part] & zw_contact_mode_bit(&before[c], part);
            if ((ends && (!before[c].closed || (part > 0 && !sticks))) ||
                (sticks && !s->resting[c * ZW_CONTACT_MODE_PARTS + part]))
                return false;
            any |= ends;
        }
    return any && zw_contact_modes_agree(s, before);
}

/* Do the previous modes continue if contacts share their forces so that friction stays below its
 * limits by this fraction? */
static bool continues_with_margin(zw_contact_modes *s, const bool *rests,
                                  const zw_contact_mode *before, double left) {
    search q = {rests, NULL, before, -1, false};
    s->guessed = zw_contact_modes_guess(s, rests, before, 1 - left);
    memcpy(s->trial, before, sizeof *before * (size_t)s->k->ncontact);
    s->strict = left / 2;
    bool found = s->guessed && try_one(s, &q);
    s->strict = 0;
    return found;
}

/* One of several forces that share a load has reached its limit: if the others are below theirs,
 * the modes continue, with the largest possible common margin. */
static bool modes_continue(zw_contact_modes *s, const bool *rests, const unsigned char *over,
                           const zw_contact_mode *before) {
    int some = 1, most = HALVINGS;
    for (int c = 0; c < s->k->ncontact; c++)
        if (before[c].closed != rests[c] && !s->k->contact[c].bilateral)
            return false;
    if (!s->redundant || !over || !only_forces_end(s, over, before) ||
        !continues_with_margin(s, rests, before, exp2(-most)))
        return false;
    while (some < most) {
        int middle = (some + most) / 2;
        if (continues_with_margin(s, rests, before, exp2(-middle)))
            most = middle;
        else
            some = middle + 1;
    }
    return continues_with_margin(s, rests, before, exp2(-most));
}

/* Do the accelerations in these modes, s->best_accel, depend on how contacts share their forces?
 * Unit forces in the rows that are shares of others, one after the other, span all forces that
 * leave the rows unchanged; the friction of sliding blocks changes with each. */
static bool depends_on_shares(zw_contact_modes *s, const zw_contact_mode *mode) {
    double most = 0;
    bool same = zw_contact_modes_share_motion(s, mode, 0, 0);
    for (int i = 0; same && i < s->k->ntouch; i++)
        most = fmax(most, fabs(s->r[i]));
    for (int i = 0; same && i < s->k->ntouch; i++) {
        if (!s->given[i] || !zw_contact_modes_share_motion(s, mode, i, most))
            continue;
        update_accelerations(s);
        if (!is_same_motion(s))
            return true;
    }
    return false;
}

bool zw_contact_modes_depend_on_shares(zw_contact_modes *s, const zw_contact_mode *mode) {
    const zw_kernel *k = s->k;
    for (int c = 0; c < k->ncontact; c++)
        s->turned[c] = mode[c].closed;
    memset(s->resting, 0, sizeof *s->resting * (size_t)(k->ncontact * ZW_CONTACT_MODE_PARTS));
    zw_contact_modes_weigh(s, 1, true);
    s->redundant = zw_contact_modes_are_redundant(s, s->turned);
    if (!s->redundant || !zw_contact_modes_share_motion(s, mode, 0, 0))
        return false;
    update_accelerations(s);
    memcpy(s->best_accel, s->now, sizeof(double) * (size_t)k->nv);
    return depends_on_shares(s, mode);
}

bool zw_contact_modes_is_share(const zw_contact_modes *s, int row, const double **factor,
                               double *constant) {
    *factor = s->best_share + row * s->k->ntouch;
    *constant = s->best_offset[row];
    return s->best_given[row];
}

/* Is the velocity of the block zero within its error? Friction couples the errors of all
 * directions. */
static bool is_at_rest(const zw_contact_modes *s, int row, int n) {
    double known = 0, most = 0;
    for (int i = row; i < row + n; i++) {
        known = fmax(known, s->known[i]);
        most = fmax(most, fabs(s->rate[i]));
    }
    return most <= ZW_CONTACT_MODE_UNKNOWN * known;
}

/* blocks with velocity 0, or whose slip has just ended */
static void find_resting(zw_contact_modes *s, const bool *rests, const unsigned char *over) {
    const zw_kernel *k = s->k;
    for (int c = 0; c < k->ncontact; c++) {
        const zw_contact_form *f = &k->contact[c];
        for (int b = 0, row = f->row + 1; b < f->nblock; row += f->block_rows[b], b++) {
            bool at_rest = is_at_rest(s, row, f->block_rows[b]);
            bool stopped = over && over[c * ZW_CONTACT_MODE_PARTS + 1 + b];
            s->resting[c * ZW_CONTACT_MODE_PARTS + 1 + b] = rests[c] && (at_rest || stopped);
        }
    }
}

/* The velocities with which blocks begin to slide: proportional to their accelerations, since those
 * of one body belong together; the slowest has the support 1, unless it is slower than
 * SLOWEST_START of the fastest. A single block gets its direction from the force: where the force
 * leaves its set, the acceleration is round-off. */
static void find_beginnings(const zw_contact_modes *s, const zw_contact_mode *mode, double *to) {
    const zw_kernel *k = s->k;
    const double *along =
        zw_contact_modes_count_beginnings(s, mode) == 1 ? s->best_direction : s->best_out;
    double least = INFINITY, most = 0;
    memset(to, 0, sizeof *to * (size_t)k->ntouch);
    for (int write = 0; write < 2; write++)
        for (int c = 0; c < k->ncontact; c++) {
            const zw_contact_form *f = &k->contact[c];
            for (int b = 0, row = f->row + 1; b < f->nblock; row += f->block_rows[b], b++) {
                const double *a = along + row;
                const zw_friction law = zw_contact_mode_block(s, f, b);
                double size = zw_contact_mode_support(&law, a);
                if (!zw_contact_modes_begins(s, mode, c, b))
                    continue;
                least = fmin(least, size);
                most = fmax(most, size);
                for (int i = 0; write && most > 0 && i < f->block_rows[b]; i++)
                    to[row + i] = a[i] / fmax(least, SLOWEST_START * most);
            }
        }
}

zw_contact_mode_answer zw_contact_modes_decide(zw_contact_modes *s, const bool *rests,
                                               const unsigned char *over, bool may_go_on,
                                               zw_contact_mode *mode, double *direction) {
    const zw_kernel *k = s->k;
    find_resting(s, rests, over);
    s->guessed = zw_contact_modes_guess(s, rests, mode, 1);
    zw_contact_modes_weigh(s, 1, true);
    s->redundant = zw_contact_modes_are_redundant(s, rests);
    zw_contact_mode_answer answer = may_go_on && modes_continue(s, rests, over, mode)
                                        ? ZW_CONTACT_MODE_GOES_ON
                                        : try_all(s, rests, over, mode, false);
    if (answer == ZW_CONTACT_MODE_NONE &&
        over) { /* all forces may be zero within the accuracy of the time */
        s->generous = true;
        answer = try_all(s, rests, over, mode, false);
        s->generous = false;
    }
    if (answer == ZW_CONTACT_MODE_NONE && over && s->redundant)
        answer = try_beginning(s, rests, mode);
    if (answer == ZW_CONTACT_MODE_NONE && over)
        answer = try_all(s, rests, NULL, mode, false);
    if (answer == ZW_CONTACT_MODE_NONE && s->redundant) {
        s->guessed = zw_contact_modes_guess(s, rests, mode, 1);
        answer = try_all(s, rests, over, mode, true);
    }
    if (answer == ZW_CONTACT_MODE_NONE)
        return answer;
    memcpy(s->direction, s->best_direction, sizeof(double) * (size_t)k->ntouch);
    if ((answer == ZW_CONTACT_MODE_ONE || answer == ZW_CONTACT_MODE_GOES_ON) && s->redundant &&
        depends_on_shares(s, s->best))
        answer = ZW_CONTACT_MODE_SHARES;
    memcpy(mode, s->best, sizeof *mode * (size_t)k->ncontact);
    find_beginnings(s, mode, direction);
    return answer;
}

static bool slides_on(const zw_contact_modes *s, const zw_contact_form *f, int block, int row,
                      int slide) {
    return !is_at_rest(s, row, f->block_rows[block]) &&
           (f->block_rows[block] > 1 || slide * s->rate[row] > 0);
}

bool zw_contact_modes_agree(const zw_contact_modes *s, const zw_contact_mode *mode) {
    const zw_kernel *k = s->k;
    for (int c = 0; c < k->ncontact; c++) {
        const zw_contact_form *f = &k->contact[c];
        for (int b = 0, row = f->row + 1; b < f->nblock; row += f->block_rows[b], b++) {
            int slide = mode[c].slide[b];
            if (mode[c].closed &&
                zw_contact_mode_is_set_valued(f, zw_contact_mode_numbers(s, f, b), b) &&
                slide != ZW_STICKS && slide != ZW_CARRIED &&
                !s->resting[c * ZW_CONTACT_MODE_PARTS + 1 + b] && !slides_on(s, f, b, row, slide))
                return false;
        }
    }
    return true;
}
