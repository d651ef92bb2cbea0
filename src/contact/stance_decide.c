/* SPDX-License-Identifier: MIT */
/* Which stances hold: all combinations are tried, so that it is known whether there is one, several, or none. */
#include <string.h>

#include "stances.h"

#define SAME 1e-7 /* accelerations that differ by less are the same motion */
enum { COMBINATIONS_MAX = 20000 };

static int press_of(const zw_stance *before) {
    return before->press < 0 ? -1 : 1;
}

/* what block b of a contact may do */
static int slides_of(const zw_stances *s, const zw_contact_form *f, int block, int row,
                     bool resting, signed char *out) {
    const double *n = zw_stance_numbers(s, f, block);
    int m = 0;
    if (!zw_stance_is_set_valued(f, n, block)) {
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
        out[m++] = ZW_CARRIED;
    }
    return m;
}

unsigned char zw_stance_bit(const zw_stance *stance, int part) {
    int slide = part > 0 ? stance->slide[part - 1] : 0, bit;
    if (part == 0)
        bit = !stance->closed ? 1 : stance->press > 0 ? 2 : 4;
    else
        bit = !stance->closed ? 0 : 1 << (slide < 0 ? 3 : slide);
    return (unsigned char)bit;
}

static bool is_over(const unsigned char *over, const zw_stance *now, int nblock) {
    for (int part = 0; part <= nblock; part++)
        if (over[part] & zw_stance_bit(now, part))
            return true;
    return false;
}

static void list_options(zw_stances *s, int c, const zw_stance *before, const unsigned char *over) {
    const zw_contact_form *f = &s->k->contact[c];
    zw_stance *to = s->option + (size_t)c * ZW_STANCE_OPTIONS_MAX;
    int n = 0;
    zw_stance stance = {.press = 1};
    if (!f->bilateral)
        to[n++] = stance;
    stance.closed = true;
    signed char slide[ZW_FRICTION_BLOCKS_MAX][4];
    int count[ZW_FRICTION_BLOCKS_MAX] = {1, 1, 1}, total = 1;
    for (int b = 0, row = f->row + 1; b < f->nblock; row += f->block_rows[b], b++) {
        count[b] = slides_of(s, f, b, row, s->resting[c * ZW_STANCE_PARTS + 1 + b], slide[b]);
        total *= count[b];
    }
    for (int way = 0; way < (f->bilateral && f->nblock > 0 ? 2 : 1); way++)
        for (int i = 0; i < total && n < ZW_STANCE_OPTIONS_MAX; i++) {
            stance.press = (signed char)((way ? -1 : 1) * (f->bilateral ? press_of(before) : 1));
            for (int b = 0, rest = i; b < f->nblock; rest /= count[b], b++)
                stance.slide[b] = slide[b][rest % count[b]];
            to[n++] = stance;
        }
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (!over || !is_over(over, &to[i], f->nblock))
            to[kept++] = to[i];
    s->noption[c] = kept;
}

/* How far stances are from those before, and from what is preferred, smaller is better: of several forces for one motion those
 * of blocks that stick, and none in what others hold rather than the largest that the law allows. */
static int cost_of(const zw_stances *s, const bool *rests, const zw_stance *before,
                   const zw_stance *now) {
    const zw_kernel *k = s->k;
    int cost = 0;
    for (int c = 0; c < k->ncontact; c++) {
        if (!rests[c])
            continue;
        cost += before[c].closed != now[c].closed ? 1000 : 0;
        for (int b = 0; now[c].closed && b < k->contact[c].nblock; b++) {
            bool resting = s->resting[c * ZW_STANCE_PARTS + 1 + b];
            int slide = now[c].slide[b];
            cost += !resting || slide == ZW_STICKS ? 0 : slide == ZW_CARRIED ? 20 : 40;
            cost += before[c].closed && before[c].slide[b] != slide ? 1 : 0;
        }
    }
    return cost;
}

static void accelerations(zw_stances *s) {
    memcpy(s->now, s->accel, sizeof(double) * (size_t)s->k->nv);
    zw_stances_push(s, s->r, s->now);
}

static bool is_same_motion(const zw_stances *s) {
    double scale = 0, apart = 0;
    for (int i = 0; i < s->k->nv; i++) {
        scale = fmax(scale, fmax(fabs(s->now[i]), fabs(s->accel[i])));
        apart = fmax(apart, fabs(s->now[i] - s->best_accel[i]));
    }
    return apart <= SAME * scale;
}

static zw_stance_answer try_all(zw_stances *s, const bool *rests, const unsigned char *over,
                                const zw_stance *before) {
    const zw_kernel *k = s->k;
    double combinations = 1;
    int best = -1;
    bool several = false;
    for (int c = 0; c < k->ncontact; c++) {
        s->count[c] = 0;
        s->trial[c] = (zw_stance){.press = 1};
        if (!rests[c])
            continue;
        list_options(s, c, &before[c], over ? over + c * ZW_STANCE_PARTS : NULL);
        combinations *= s->noption[c];
    }
    if (combinations > COMBINATIONS_MAX)
        return ZW_STANCE_TOO_MANY;
    for (int i = 0; i < (int)combinations; i++) {
        for (int c = 0, rest = i; c < k->ncontact; c++)
            if (rests[c]) {
                s->trial[c] = s->option[c * ZW_STANCE_OPTIONS_MAX + rest % s->noption[c]];
                rest /= s->noption[c];
            }
        if (!zw_stances_hold(s, rests, s->trial))
            continue;
        accelerations(s);
        several |= best >= 0 && !is_same_motion(s);
        int cost = cost_of(s, rests, before, s->trial);
        if (best >= 0 && cost >= best)
            continue;
        best = cost;
        memcpy(s->best, s->trial, sizeof *s->best * (size_t)k->ncontact);
        memcpy(s->best_accel, s->now, sizeof(double) * (size_t)k->nv);
        memcpy(s->best_direction, s->direction, sizeof(double) * (size_t)k->ntouch);
    }
    return best < 0 ? ZW_STANCE_NONE : several ? ZW_STANCE_SEVERAL : ZW_STANCE_ONE;
}

/* blocks that have no velocity, or have come to where they have none */
static void find_resting(zw_stances *s, const bool *rests, const unsigned char *over) {
    const zw_kernel *k = s->k;
    for (int c = 0; c < k->ncontact; c++) {
        const zw_contact_form *f = &k->contact[c];
        for (int b = 0, row = f->row + 1; b < f->nblock; row += f->block_rows[b], b++) {
            bool at_rest = true;
            for (int i = 0; i < f->block_rows[b]; i++)
                at_rest &= fabs(s->rate[row + i]) <= ZW_STANCE_UNKNOWN * s->known[row + i];
            bool stopped = over && over[c * ZW_STANCE_PARTS + 1 + b];
            s->resting[c * ZW_STANCE_PARTS + 1 + b] = rests[c] && (at_rest || stopped);
        }
    }
}

/* with D = 1 */
static void copy_direction(const zw_stances *s, const zw_contact_form *f, int block, int row,
                           double *to) {
    int nrow = f->block_rows[block];
    const zw_friction law = zw_stance_block(s, f, block);
    double size = zw_stance_support(&law, s->best_direction + row);
    for (int i = 0; i < nrow; i++)
        to[row + i] = size > 0 ? s->best_direction[row + i] / size : 0;
}

zw_stance_answer zw_stances_decide(zw_stances *s, const bool *rests, const unsigned char *over,
                                   zw_stance *stance, double *direction) {
    const zw_kernel *k = s->k;
    find_resting(s, rests, over);
    zw_stance_answer answer = try_all(s, rests, over, stance);
    if (answer == ZW_STANCE_NONE &&
        over) { /* all forces may be zero but for the accuracy of the time */
        s->generous = true;
        answer = try_all(s, rests, over, stance);
        s->generous = false;
    }
    if (answer == ZW_STANCE_NONE && over)
        answer = try_all(s, rests, NULL, stance);
    if (answer == ZW_STANCE_NONE || answer == ZW_STANCE_TOO_MANY)
        return answer;
    memcpy(stance, s->best, sizeof *stance * (size_t)k->ncontact);
    memset(direction, 0, sizeof(double) * (size_t)k->ntouch);
    for (int c = 0; c < k->ncontact; c++)
        for (int b = 0, row = k->contact[c].row + 1; b < k->contact[c].nblock;
             row += k->contact[c].block_rows[b], b++)
            if (stance[c].closed && s->resting[c * ZW_STANCE_PARTS + 1 + b] &&
                stance[c].slide[b] == ZW_SLIDES && k->contact[c].block_rows[b] > 1)
                copy_direction(s, &k->contact[c], b, row, direction);
    return answer;
}

static bool slides_on(const zw_stances *s, const zw_contact_form *f, int block, int row,
                      int slide) {
    bool moves = false;
    for (int i = 0; i < f->block_rows[block]; i++)
        moves |= fabs(s->rate[row + i]) > ZW_STANCE_UNKNOWN * s->known[row + i];
    return moves && (f->block_rows[block] > 1 || slide * s->rate[row] > 0);
}

bool zw_stances_agree(const zw_stances *s, const zw_stance *stance) {
    const zw_kernel *k = s->k;
    for (int c = 0; c < k->ncontact; c++) {
        const zw_contact_form *f = &k->contact[c];
        for (int b = 0, row = f->row + 1; b < f->nblock; row += f->block_rows[b], b++) {
            int slide = stance[c].slide[b];
            if (stance[c].closed && zw_stance_is_set_valued(f, zw_stance_numbers(s, f, b), b) &&
                slide != ZW_STICKS && slide != ZW_CARRIED &&
                !s->resting[c * ZW_STANCE_PARTS + 1 + b] && !slides_on(s, f, b, row, slide))
                return false;
        }
    }
    return true;
}
