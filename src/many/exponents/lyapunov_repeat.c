/* SPDX-License-Identifier: MIT */
/* Transient chaos and disturbances that decay slowly may outlast the transient that was chosen in
 * advance. If the exponents of a point change over the measured time, or its motions had not
 * settled yet, they are measured again from the states that they have reached, at most ROUNDS
 * times; points that are still not settled are reported as such. A transient given by the user is
 * not extended. */
#include <string.h>

#include "base/arena.h"
#include "lyapunov.h"

enum {
    ROUNDS = 4, /* of measurements: each is as long as the first */
    BLOCKS = ZW_LYAPUNOV_BLOCKS
};
#define UNSETTLED (ZW_WARNINGS_HALVES | ZW_WARNINGS_SETTLING | ZW_WARNINGS_MIXED)

static size_t blocks_of(const zw_lyapunov *s, size_t motions) {
    return motions * BLOCKS * (size_t)(s->k + 2);
}

/* Save the results that an interrupted round must not destroy. */
static zw_status save_results(zw_lyapunov *s, zw_error *err) {
    size_t n = (size_t)(s->to - s->from) * (size_t)s->motions;
    size_t first = zw_lyapunov_index(s, s->from, 0);
    if (!s->previous_motion) {
        size_t most = (size_t)s->part * (size_t)s->motions;
        s->previous_motion = ZW_NEW(&s->arena, zw_lyapunov_motion, most + 1);
        s->previous_block = ZW_NEW(&s->arena, double, blocks_of(s, most) + 1);
    }
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    memcpy(s->previous_motion, s->motion + first, sizeof *s->motion * n);
    memcpy(s->previous_block, s->block + blocks_of(s, first), sizeof(double) * blocks_of(s, n));
    return ZW_OK;
}

static void restore_results(zw_lyapunov *s) {
    size_t n = (size_t)(s->to - s->from) * (size_t)s->motions;
    size_t first = zw_lyapunov_index(s, s->from, 0);
    memcpy(s->motion + first, s->previous_motion, sizeof *s->motion * n);
    memcpy(s->block + blocks_of(s, first), s->previous_block, sizeof(double) * blocks_of(s, n));
}

/* Is the point not settled, with motions that can all be continued? */
static bool can_continue(const zw_lyapunov *s, int point) {
    bool lasts = s->done[point] && s->point[point].status >= 0 && !s->slows_down;
    for (int k = 0; k < s->motions; k++)
        lasts = lasts && s->motion[zw_lyapunov_index(s, point, k)].end_known;
    return lasts && s->doubt[point] & UNSETTLED;
}

static int choose_points(zw_lyapunov *s) {
    int n = 0;
    for (int i = s->from; i < s->to; i++)
        n += s->again[i] = can_continue(s, i);
    return n;
}

/* The motions of a point restart at the states that they have reached. */
static void restart_motions(zw_lyapunov *s, int point) {
    size_t first = zw_lyapunov_index(s, point, 0), length = (size_t)(s->nx + 1);
    size_t n = (size_t)s->motions;
    s->more[point] += s->end[first * length] - s->begin[first * length];
    memcpy(s->begin + first * length, s->end + first * length, sizeof(double) * n * length);
    memset(s->block + blocks_of(s, first), 0, sizeof(double) * blocks_of(s, n));
    for (size_t k = 0; k < n; k++)
        s->motion[first + k] = (zw_lyapunov_motion){.begun = true};
}

zw_status zw_lyapunov_repeat_unsettled(zw_lyapunov *s,
                                       zw_status (*once)(zw_lyapunov *s, zw_error *err),
                                       zw_error *err) {
    s->round = 0;
    ZW_TRY(once(s, err));
    while (s->round < ROUNDS && !s->stopped && !(s->options.transient > 0) &&
           choose_points(s) > 0) {
        ZW_TRY(save_results(s, err));
        for (int i = s->from; i < s->to; i++)
            if (s->again[i])
                restart_motions(s, i);
        s->round++;
        ZW_TRY(once(s, err));
        if (s->stopped)
            restore_results(s);
    }
    return ZW_OK;
}
