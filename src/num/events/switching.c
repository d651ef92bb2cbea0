/* SPDX-License-Identifier: MIT */
/* Switching along a run. Within a step every kink of the rates has one smooth piece, its mode. The
 * switching functions sigma_i are followed over the step, and where the first of them leaves its
 * piece the step is cut: it ends there, on the old pieces, and the next one begins with the new
 * ones. Zeros of a t + b are known in advance, and steps end there.
 *
 * The next piece is decided by sigma' on either side (times the direction of time):
 *
 *     both up, both down      the motion passes: the piece of that side
 *     both towards zero  it stays: a sign becomes a number (slide.c), anything else is an error
 *     no slope at all         sigma'' decides in the same way
 *     both away from zero     it stays on the side where it came from; at a start
 *                             in the zero itself the kink has the value of the
 *                             expression there, with a warning about the choice
 *
 * Several at one instant are decided one after the other, until none changes. Sliding ends where
 * |s| = 1. After a change sigma must leave zero by more than round-off, and by more than its value
 * at the change, before it can switch again, unless it is found as far on the other side. Not by
 * more: a motion is exact where it begins, and if it could return within its tolerance and pass, it
 * would gain energy at every switch. Changes that continue within the tolerance, or faster and
 * faster, end the run.
 *
 * A function that is zero without slope (max(0, x - 1) for x < 1) belongs to no side: its kink
 * keeps its own value at zero, until the function is no longer zero. */
#include "switching.h"
#include "base/tolerance.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "slide.h"

/* Limits: of a zero, of its correction, of decisions at one instant, of functions that change
 * others. */
enum { ITERATIONS = 100, CORRECTIONS = 6, ROUNDS = 40, PASSES = 5 };
enum { SHORT_INTERVALS_MAX = 300 }; /* consecutive changes, each soon after the previous one */
#define INTERVAL_SHORT 1e-7         /* between two changes, relative to the time since the start */
/* Rate of sigma relative to its jump at the zero that is 0, and 1 - s^2 at which sliding ends: both
 * are results of solved accelerations. */
#define RATE_ZERO ZW_ROUNDOFF_SOLVED
#define BAND_ZERO 1e-4    /* bands: noise, as in event_cells.c */
#define BAND_AT_START 1.0 /* bands: at a start, whose state is known to the tolerances */
#define LEAVE_FACTOR 8    /* times |sigma| at which a piece was left */
/* Differences for sigma'' relative to 1 + |t|, and for the slope of sigma relative to the time
 * since the beginning of the step: near eps^(1/3) and eps^(1/4), where the dense output is exact
 * enough. */
#define SECOND_STEP 1e-6
#define SLOPE_STEP 1e-4

static int sign(double a) {
    return (a > 0) - (a < 0);
}

static double *mode_of(zw_run *run, int i) {
    return &run->flow->mode[run->k->switches[i].mode];
}

static bool is_table(const zw_run *run, int i) {
    return run->k->switches[i].kind >= ZW_SWITCH_LOWER;
}

static bool is_upper(const zw_run *run, int i) {
    return run->k->switches[i].kind == ZW_SWITCH_UPPER;
}

/* the side of its zero on which function i is while its piece is valid */
static int side_of(const zw_run *run, int i) {
    switch (run->k->switches[i].kind) {
    case ZW_SWITCH_LOWER:
        return 1;
    case ZW_SWITCH_UPPER:
        return -1;
    default:
        return sign(run->flow->mode[run->k->switches[i].mode]);
    }
}

/* ----------------------------------------------------------------------------------- pieces */

static void set_piece(zw_run *run, int i, int piece) {
    const zw_switch *s = &run->k->switches[i];
    double *m = mode_of(run, i);
    m[0] = piece;
    m[1] = piece >= 0 ? s->knot[piece] : -ZW_MODE_NOWHERE;
    m[2] = piece + 1 < s->nknot ? s->knot[piece + 1] : ZW_MODE_NOWHERE;
}

/* sigma with all kinks as expressions; for tables their arguments */
static void evaluate_freely(zw_run *run, double t, const double *x) {
    const zw_kernel *k = run->k;
    zw_num_modes_free(run->flow);
    for (int i = 0; i < k->nswitch; i++)
        if (is_table(run, i))
            mode_of(run, i)[1] = mode_of(run, i)[2] = 0;
    zw_switches_parts a = zw_at_switches(run->flow, t, x, NULL);
    memcpy(run->sigma, a.value, sizeof(double) * (size_t)k->nswitch);
}

static zw_status follow_dense(zw_run *run, double t, double *out, zw_error *err);
static zw_status evaluate_bands(zw_run *run, double t, const double **band, zw_error *err);

static zw_status need_search(zw_run *run, zw_error *err) {
    const zw_num_set set = {.n = run->k->nswitch,
                            .bound = &run->k->switches_bound,
                            .unbounded = run->unbounded,
                            .values = follow_dense,
                            .bands = evaluate_bands,
                            .idle = run->idle,
                            .first = true};
    if (!run->switch_search)
        run->switch_search = zw_num_search_create(run, &set, &run->switch_cells);
    return run->switch_search ? ZW_OK : zw_out_of_memory(err, "a run");
}

/* their accuracy where the entries of the state have the sizes run->switch_reach */
static zw_status find_bands(zw_run *run, double t, const double *x, zw_error *err) {
    const zw_kernel *k = run->k;
    const zw_run_options *o = &run->options;
    ZW_TRY(need_search(run, err));
    zw_num_search_rounding(run, run->switch_search, t, x, run->follow_band);
    zw_switch_rate_parts a = zw_at_switch_rate(run->flow, t, x, NULL);
    for (int i = 0; i < k->nswitch; i++) {
        double rounding = run->follow_band[i] + 4 * DBL_EPSILON * fabs(a.dt[i] * t), known = 0;
        for (int j = 0; j < k->nx; j++) {
            double slope = fabs(a.dx[i * k->nx + j]);
            known += slope * (o->rtol * run->switch_reach[j] + o->atol);
            rounding += slope * 4 * DBL_EPSILON * run->switch_reach[j];
        }
        run->sigma_noise[i] = fmax(BAND_ZERO * known, 4 * rounding);
        double band = known + rounding;
        run->sigma_band[i] = band;
        run->sigma_rate[i] = a.dt[i];
    }
    return ZW_OK;
}

/* The zero of a t + b, with the bounds of the present piece. */
static void find_zero_of_time(zw_run *run, int i, const double *x) {
    double slope = run->sigma_rate[i];
    double at_zero = zw_at_switches(run->flow, 0, x, NULL).value[i];
    run->switch_time[i] = slope != 0 ? -at_zero / slope : NAN;
}

/* The piece of a table for an argument at a knot that moves in direction `way`. */
static int piece_of(const zw_switch *s, double argument, double band, double way) {
    int low = -1, high = s->nknot;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (argument < s->knot[middle])
            high = middle;
        else
            low = middle;
    }
    double near = band + 4 * DBL_EPSILON * fabs(argument);
    if (way > 0 && low + 1 < s->nknot && s->knot[low + 1] - argument <= near)
        return low + 1;
    if (way < 0 && low >= 0 && argument - s->knot[low] <= near)
        return low - 1;
    return low;
}

/* Pieces of functions of time only, a t + b: by the time of their zero. */
static void lock_in_time(zw_run *run, int i, double t, const double *x) {
    double slope = run->sigma_rate[i], way = slope * run->direction;
    if (is_table(run, i)) {
        if (!is_upper(run, i))
            set_piece(run, i,
                      piece_of(&run->k->switches[i], run->sigma[i], run->sigma_band[i], way));
        return;
    }
    find_zero_of_time(run, i, x);
    double zero = run->switch_time[i], from = (t - zero) * run->direction;
    bool passed = from >= -4 * DBL_EPSILON * fmax(fabs(t), fabs(zero));
    *mode_of(run, i) = isnan(zero) ? ZW_MODE_FREE : passed ? sign(way) : -sign(way);
}

/* Is the piece of function i undecided, because it has just left its piece or is at its zero? At a
 * start its past is unknown, and its band decides; later a function that is only near its zero will
 * reach it. */
static bool is_open(const zw_run *run, int i) {
    return run->due[i] || fabs(run->sigma[i]) <= run->open * run->sigma_band[i];
}

static bool is_left_free(const zw_run *run, int i) {
    return !is_table(run, i) && run->flow->mode[run->k->switches[i].mode] == ZW_MODE_FREE;
}

/* The pieces at (t, x). Old ones are in flow->mode_before if they were locked. */
static void lock_all(zw_run *run, double t, const double *x, bool had) {
    const zw_kernel *k = run->k;
    zw_flow *flow = run->flow;
    for (int i = 0; i < k->nswitch; i++) {
        const zw_switch *s = &k->switches[i];
        double old = run->mode_before[s->mode];
        if (s->is_affine) {
            lock_in_time(run, i, t, x);
        } else if (is_table(run, i)) {
            if (!is_upper(run, i)) /* at a knot the rate decides, see below */
                set_piece(run, i, piece_of(s, run->sigma[i], 0, 0));
        } else if (had && old != ZW_MODE_FREE && is_open(run, i)) {
            *mode_of(run, i) = old;
        } else {
            *mode_of(run, i) = run->sigma[i] < 0 ? -1 : 1;
        }
    }
    flow->locked = true;
    flow->slide_known = false;
}

static void find_live(zw_run *run, double t, const double *x) {
    const zw_kernel *k = run->k;
    zw_switch_live_parts a = zw_at_switch_live(run->flow, t, x, NULL);
    for (int i = 0; i < k->nswitch; i++)
        run->live[i] = a.live[i] != 0;
}

/* ------------------------------------------------------------------------------------ decisions */

static bool is_sliding(const zw_flow *flow, int i) {
    for (int j = 0; j < flow->nslide; j++)
        if (flow->slide[j] == i)
            return true;
    return false;
}

static void stop_sliding(zw_flow *flow, int i) {
    int n = 0;
    for (int j = 0; j < flow->nslide; j++)
        if (flow->slide[j] != i)
            flow->slide[n++] = flow->slide[j];
    flow->nslide = n;
    flow->slide_known = false;
}

static void begin_sliding(zw_flow *flow, int i) {
    if (!is_sliding(flow, i))
        flow->slide[flow->nslide++] = i;
    flow->slide_known = false;
}

/* sigma'_i (times the direction of time) with this mode of i; other sliding functions keep
 * sliding */
static zw_status rate_at(zw_run *run, int i, double mode, double t, const double *x, double *out,
                         zw_error *err) {
    zw_flow *flow = run->flow;
    *mode_of(run, i) = mode;
    if (flow->nslide > 0)
        ZW_TRY(zw_num_slide_solve(flow, t, x, err));
    ZW_TRY(zw_num_switch_rates(flow, t, x, run->sigma_rate, err));
    *out = run->sigma_rate[i] * run->direction;
    return ZW_OK;
}

static zw_status report_stuck(const zw_run *run, int i, double t, zw_error *err) {
    const char *text = run->k->switches[i].text;
    zw_fail(err, ZW_E_NUMERIC,
            "the motion cannot leave the point where %s switches, at t = %.10g: both sides lead "
            "back to it",
            text, t);
    zw_error_hint(err, "sign() has a meaning there (friction that sticks); else use a smooth law, "
                       "tanh(v/eps) for instance, or events that switch constraints on and off");
    return ZW_E_NUMERIC;
}

/* the same of sigma''_i, for a motion that touches the zero */
static zw_status bend_at(zw_run *run, int i, double mode, double t, const double *x, double *out,
                         zw_error *err) {
    double rate, ahead = SECOND_STEP * run->direction * (1 + fabs(t)), *there = run->switch_state;
    ZW_TRY(rate_at(run, i, mode, t, x, &rate, err));
    for (int j = 0; j < run->k->nx; j++)
        there[j] = x[j] + ahead * run->flow->slide_rate[j];
    ZW_TRY(zw_num_switch_rates(run->flow, t + ahead, there, run->sigma_rate, err));
    *out = (run->sigma_rate[i] * run->direction - rate) / fabs(ahead);
    return ZW_OK;
}

/* The direction of the motion with either mode: 1 up, -1 down, 0 neither. */
static zw_status find_directions(zw_run *run, int i, double t, const double *x, int *above,
                                 int *below, bool *touches, zw_error *err) {
    double up, down;
    ZW_TRY(rate_at(run, i, 1, t, x, &up, err));
    ZW_TRY(rate_at(run, i, -1, t, x, &down, err));
    *touches = up == 0 && down == 0;
    if (*touches) {
        ZW_TRY(bend_at(run, i, 1, t, x, &up, err));
        ZW_TRY(bend_at(run, i, -1, t, x, &down, err));
    }
    double least = RATE_ZERO * fabs(up - down);
    *above = fabs(up) <= least ? 0 : sign(up);
    *below = fabs(down) <= least ? 0 : sign(down);
    return ZW_OK;
}

/* Both pieces bend the motion back to the zero at which it rests: does it rest with the value of
 * the expression there too? */
static zw_status check_rest(zw_run *run, int i, double t, const double *x, bool *answer,
                            zw_error *err) {
    double bend;
    ZW_TRY(bend_at(run, i, ZW_MODE_FREE, t, x, &bend, err));
    *answer = run->sigma[i] == 0 && bend == 0;
    return ZW_OK;
}

/* At a start in the zero itself the past of the motion is unknown, but the expression has a
 * value. */
static double as_written(const zw_run *run, int i, double was) {
    return run->open == BAND_AT_START && run->sigma[i] == 0 ? ZW_MODE_FREE : was < 0 ? -1 : 1;
}

/* Decides the piece of function i, which is undecided and jumps; *changed if it is another one. */
static zw_status decide_mode(zw_run *run, int i, double t, const double *x, bool *changed,
                             zw_error *err) {
    zw_flow *flow = run->flow;
    bool slid = is_sliding(flow, i), touches;
    double *mode = mode_of(run, i), was = *mode;
    int above, below;
    stop_sliding(flow, i);
    ZW_TRY(find_directions(run, i, t, x, &above, &below, &touches, err));
    bool towards = above < 0 && below > 0, away = above > 0 && below < 0,
         slides = towards && !touches;
    bool held = slides && run->k->switches[i].kind == ZW_SWITCH_SIGN;
    if (towards && touches)
        ZW_TRY(check_rest(run, i, t, x, &held, err));
    if (towards && !held)
        return report_stuck(run, i, t, err);
    if (away && run->open == BAND_AT_START)
        run->branch = i;
    if (slides) {
        begin_sliding(flow, i);
        *mode = was;
    } else if (above == 0 && below == 0) {
        *mode = was;
    } else if (away || towards) {
        *mode = as_written(run, i, was);
    } else {
        *mode = above > 0 || below > 0 ? 1 : -1;
    }
    *changed |= slides ? !slid : slid || *mode != was;
    return ZW_OK;
}

/* For a kink that is continuous, or the bounds of a table: the side to which the function moves. */
static void follow_rate(zw_run *run, int i) {
    double way = run->sigma_rate[i] * run->direction;
    if (is_table(run, i)) {
        if (is_upper(run, i))
            return;
        const zw_switch *s = &run->k->switches[i];
        set_piece(run, i, piece_of(s, run->sigma[i], run->sigma_band[i], way));
    } else if (way != 0) {
        *mode_of(run, i) = sign(way);
    } else if (run->due[i] && !is_left_free(run, i)) {
        *mode_of(run, i) = -*mode_of(run, i);
    }
}

static bool is_to_be_decided(const zw_run *run, int i) {
    const zw_switch *s = &run->k->switches[i];
    return run->live[i] && !s->is_affine && !s->is_continuous && is_open(run, i) && !run->ended[i];
}

static zw_status decide_all(zw_run *run, double t, const double *x, zw_error *err) {
    const zw_kernel *k = run->k;
    ZW_TRY(zw_num_switch_rates(run->flow, t, x, run->sigma_rate, err));
    for (int i = 0; i < k->nswitch; i++) {
        const zw_switch *s = &k->switches[i];
        if (!s->is_affine && s->is_continuous && (is_table(run, i) || is_open(run, i)))
            follow_rate(run, i);
    }
    bool changed = true;
    for (int round = 0; changed; round++) {
        changed = false;
        int last = -1;
        for (int i = 0; i < k->nswitch; i++)
            if (is_to_be_decided(run, i)) {
                bool this = false;
                ZW_TRY(decide_mode(run, i, t, x, &this, err));
                changed |= this;
                last = this ? i : last;
            }
        if (changed && round >= ROUNDS)
            return report_stuck(run, last, t, err);
    }
    return run->flow->nslide > 0 ? zw_num_slide_solve(run->flow, t, x, err) : ZW_OK;
}

/* ------------------------------------------------------------------------------------- phases */

static void find_stop(zw_run *run, double t, const double *x) {
    run->stop = run->direction * (double)INFINITY;
    for (int i = 0; i < run->k->nswitch; i++) {
        if (!run->k->switches[i].is_affine || !run->live[i])
            continue;
        run->sigma_rate[i] = zw_at_switch_rate(run->flow, t, x, NULL).dt[i];
        find_zero_of_time(run, i, x);
        double zero = run->switch_time[i];
        bool ahead = fabs(zero) < ZW_MODE_NOWHERE / 2 &&
                     (zero - t) * run->direction > 4 * DBL_EPSILON * fmax(fabs(t), fabs(zero));
        if (ahead && (zero - run->stop) * run->direction < 0)
            run->stop = zero;
    }
}

static void set_phases(zw_run *run, double t, const double *x) {
    const zw_kernel *k = run->k;
    zw_switches_parts a = zw_at_switches(run->flow, t, x, NULL);
    run->nfollowed = 0;
    for (int i = 0; i < k->nswitch; i++) {
        double sigma = a.value[i];
        bool astray = !(sigma * side_of(run, i) > 0);
        int phase = ZW_NUM_FREE;
        if (!run->live[i] || k->switches[i].is_affine)
            phase = ZW_NUM_IDLE;
        else if (is_sliding(run->flow, i))
            phase = ZW_NUM_SLIDING;
        else if (is_left_free(run, i))
            phase = ZW_NUM_FLAT;
        else if (astray || fabs(sigma) <= run->sigma_noise[i])
            phase = ZW_NUM_LEAVING;
        run->leave_by[i] = fmax(run->sigma_noise[i], astray ? LEAVE_FACTOR * fabs(sigma) : 0);
        run->phase[i] = phase;
        run->nfollowed += phase != ZW_NUM_IDLE;
    }
}

static void store_modes(zw_run *run) {
    memcpy(run->mode_before, run->flow->mode, sizeof(double) * (size_t)run->k->nmode);
}

static void store_slides(zw_run *run, int *n) {
    *n = run->flow->nslide;
    for (int i = 0; i < *n; i++)
        run->slid[i] = run->flow->slide[i];
}

/* functions that were sliding continue, unless their sliding has just ended */
static void resume_slides(zw_run *run, int n) {
    run->flow->nslide = 0;
    for (int i = 0; i < n; i++)
        if (!run->ended[run->slid[i]])
            begin_sliding(run->flow, run->slid[i]);
}

/* functions in a branch that is not taken stop sliding */
static void release_idle(zw_run *run) {
    for (int i = 0; i < run->k->nswitch; i++)
        if (!run->live[i] && is_sliding(run->flow, i)) {
            stop_sliding(run->flow, i);
            *mode_of(run, i) = *mode_of(run, i) < 0 ? -1 : 1;
        }
}

/* Functions that are zero without slope on the present pieces belong to no piece. */
static bool leave_flat(zw_run *run, double t, const double *x) {
    const zw_kernel *k = run->k;
    bool any = false;
    zw_switches_parts value = zw_at_switches(run->flow, t, x, NULL);
    memcpy(run->sigma_rate, value.value, sizeof(double) * (size_t)k->nswitch);
    zw_switch_rate_parts a = zw_at_switch_rate(run->flow, t, x, NULL);
    for (int i = 0; i < k->nswitch; i++) {
        bool flat = run->sigma_rate[i] == 0 && a.dt[i] == 0 && !is_table(run, i) &&
                    !is_sliding(run->flow, i) && !is_left_free(run, i);
        for (int j = 0; j < k->nx && flat; j++)
            flat = a.dx[i * k->nx + j] == 0;
        if (flat)
            *mode_of(run, i) = ZW_MODE_FREE;
        any |= flat;
    }
    return any;
}

/* A switching function that contains another kink (z*sign(v) - z_m) jumps where that kink changes
 * its piece. Its new value then decides the side, independently of the old one; it may be zero, as
 * for an element that slips. */
static bool follow_jumps(zw_run *run, double t, const double *x) {
    bool any = false;
    zw_switches_parts a = zw_at_switches(run->flow, t, x, NULL);
    for (int i = 0; i < run->k->nswitch; i++) {
        double now = a.value[i], band = run->sigma_band[i];
        bool jumped = isfinite(now) && fabs(now - run->sigma[i]) > band && fabs(now) > band;
        if (!jumped || !run->live[i] || run->k->switches[i].is_affine || is_table(run, i) ||
            is_sliding(run->flow, i) || is_left_free(run, i))
            continue;
        run->sigma[i] = now;
        run->due[i] = 0;
        if (now * side_of(run, i) > 0)
            continue;
        *mode_of(run, i) = sign(now);
        any = true;
    }
    return any;
}

/* Decides all pieces for the motion after (t, x); due and ended show the changes. */
static zw_status decide_pieces(zw_run *run, double t, const double *x, zw_error *err) {
    const zw_kernel *k = run->k;
    bool had = run->flow->locked;
    int nslid;
    store_modes(run);
    store_slides(run, &nslid);
    evaluate_freely(run, t, x);
    ZW_TRY(find_bands(run, t, x, err));
    run->open = had ? BAND_ZERO : BAND_AT_START;
    run->branch = -1;
    lock_all(run, t, x, had);
    resume_slides(run, nslid);
    for (int i = 0; i < nslid; i++) /* they are at zero, independently of their bands */
        run->due[run->slid[i]] = 1;
    find_live(run, t, x);
    for (int pass = 0; pass < PASSES; pass++) {
        release_idle(run);
        memcpy(run->was_live, run->live, sizeof(int) * (size_t)k->nswitch);
        ZW_TRY(decide_all(run, t, x, err));
        bool flat = leave_flat(run, t, x), jumped = follow_jumps(run, t, x);
        find_live(run, t, x);
        if (!flat && !jumped &&
            memcmp(run->was_live, run->live, sizeof(int) * (size_t)k->nswitch) == 0)
            break;
    }
    set_phases(run, t, x);
    find_stop(run, t, x);
    if (run->branch >= 0 && run->started)
        zw_num_warning(run->flow, ZW_WARNING_BRANCH, run->branch, t, NAN);
    return ZW_OK;
}

static void forget_due(zw_run *run) {
    memset(run->due, 0, sizeof(int) * (size_t)run->k->nswitch);
    memset(run->ended, 0, sizeof(int) * (size_t)run->k->nswitch);
}

zw_status zw_num_modes_start(zw_run *run, double t, const double *x, int direction, zw_error *err) {
    run->cut = false;
    run->stop = direction * (double)INFINITY;
    run->short_intervals = 0;
    run->turned = t;
    if (run->k->nswitch == 0)
        return ZW_OK;
    ZW_TRY(zw_num_need(run, ZW_SET(SWITCHES) | ZW_SET(SWITCH_LIVE) | ZW_SET(SWITCH_RATE),
                       "a run with modes", err));
    for (int j = 0; j < run->k->nx; j++)
        run->switch_reach[j] = fabs(x[j]);
    if (run->switch_search)
        zw_num_search_forget(run->switch_search);
    zw_num_modes_free(run->flow);
    forget_due(run);
    int before = run->direction;
    run->direction = direction;
    zw_status status = decide_pieces(run, t, x, err);
    run->direction = before;
    return status;
}

/* --------------------------------------------------------------------------------- along a step */

/* the functions at a state y; 1 - s^2 for sliding functions, 1 for those without effect */
static zw_status follow_at(zw_run *run, double t, const double *y, double *out, zw_error *err) {
    const zw_kernel *k = run->k;
    if (zw_num_leaves_itself(run))
        ZW_TRY(run->method->leave(run, t, y, run->candidate, run->flow->z, err));
    else
        ZW_TRY(zw_num_expand(run, t, y, run->candidate, err));
    ZW_TRY(zw_num_slide_check(run->flow, t, run->candidate, err));
    const double *value = zw_at_switches(run->flow, t, run->candidate, NULL).value;
    for (int i = 0; i < k->nswitch; i++) {
        double s = *mode_of(run, i);
        out[i] = run->phase[i] == ZW_NUM_SLIDING ? 1 - s * s
                 : run->phase[i] == ZW_NUM_IDLE  ? 1
                                                 : value[i];
        if (!isfinite(out[i]))
            return zw_fail(err, ZW_E_NONFINITE, "%s has no finite argument at t = %.10g",
                           k->switches[i].text, t);
    }
    return ZW_OK;
}

static zw_status follow_dense(zw_run *run, double t, double *out, zw_error *err) {
    ZW_TRY(run->method->dense(run, t, run->dense, err));
    return follow_at(run, t, run->dense, out, err);
}

/* positive while its piece is valid */
static double piece_margin(const zw_run *run, int i, int phase, const double *sigma) {
    int side = side_of(run, i);
    switch (phase) {
    case ZW_NUM_SLIDING:
        return sigma[i];
    case ZW_NUM_LEAVING:
        return side ? side * sigma[i] + run->leave_by[i] : run->leave_by[i] - fabs(sigma[i]);
    case ZW_NUM_FREE:
        return side * sigma[i];
    case ZW_NUM_FLAT:
        return sigma[i] == 0 ? 1 : -1;
    default:
        return 1;
    }
}

typedef struct zw_num_found {
    int number; /* -1: none */
    int phase;
    double t;
} found;

/* the time at which margin i, positive at a and not at b, vanishes */
static zw_status find_zero(zw_run *run, int i, int phase, double a, double ga, double b, double gb,
                           double *t, zw_error *err) {
    double *sigma = run->follow;
    for (int n = 0; n < ITERATIONS && gb != 0; n++) {
        if (fabs(b - a) <= 2 * DBL_EPSILON * fmax(fabs(a), fabs(b)))
            break;
        double c = b - gb * (b - a) / (gb - ga);
        if (n % 3 == 2 || !((c - a) * (b - c) > 0))
            c = a + (b - a) / 2;
        ZW_TRY(follow_dense(run, c, sigma, err));
        double g = piece_margin(run, i, phase, sigma);
        if (g > 0) {
            a = c;
            ga = g;
        } else {
            b = c;
            gb = g;
        }
    }
    *t = b;
    return ZW_OK;
}

/* The first function that leaves its piece in the cell [a, b]. */
static zw_status first_between(zw_run *run, const zw_num_cells *c, int j, const int *phase,
                               found *out, zw_error *err) {
    int n = run->k->nswitch;
    const double *before = c->g + (j - 1) * n, *after = c->g + j * n;
    for (int i = 0; i < n; i++) {
        double gb = piece_margin(run, i, phase[i], after), t = c->t[j - 1];
        if (gb > 0 || phase[i] == ZW_NUM_IDLE || (gb == 0 && phase[i] == ZW_NUM_FREE))
            continue;
        double ga = piece_margin(run, i, phase[i], before);
        if (ga > 0)
            ZW_TRY(find_zero(run, i, phase[i], t, ga, c->t[j], gb, &t, err));
        if (out->number < 0 || (t - out->t) * run->direction < 0)
            *out = (found){i, phase[i], t};
    }
    return ZW_OK;
}

/* the accuracy of the functions at t */
static zw_status evaluate_bands(zw_run *run, double t, const double **band, zw_error *err) {
    const zw_kernel *k = run->k;
    ZW_TRY(run->method->dense(run, t, run->dense, err));
    ZW_TRY(zw_num_expand(run, t, run->dense, run->candidate, err));
    zw_switch_rate_parts a = zw_at_switch_rate(run->flow, t, run->candidate, NULL);
    for (int i = 0; i < k->nswitch; i++) {
        run->follow_band[i] = 4 * DBL_EPSILON * fabs(a.dt[i] * t);
        for (int j = 0; j < k->nx; j++)
            run->follow_band[i] +=
                fabs(a.dx[i * k->nx + j]) *
                (run->options.rtol * fabs(run->candidate[j]) + run->options.atol);
        if (run->phase[i] == ZW_NUM_SLIDING)
            run->follow_band[i] = RATE_ZERO;
    }
    *band = run->follow_band;
    return ZW_OK;
}

/* sets the functions to search, and their sides */
static void set_sides(zw_run *run, const int *phase) {
    for (int i = 0; i < run->k->nswitch; i++) {
        run->idle[i] = phase[i] == ZW_NUM_IDLE;
        run->unbounded[i] = phase[i] == ZW_NUM_SLIDING;
        run->from_side[i] = phase[i] == ZW_NUM_SLIDING ? 1
                            : phase[i] == ZW_NUM_FREE  ? side_of(run, i)
                                                       : 0;
    }
}

static zw_status search_switch(zw_run *run, double end, found *out, zw_error *err) {
    int n = run->k->nswitch, *phase = run->phase_now;
    const zw_num_cells *c = &run->switch_cells;
    *out = (found){-1, ZW_NUM_IDLE, 0};
    memcpy(phase, run->phase, sizeof(int) * (size_t)n);
    ZW_TRY(need_search(run, err));
    run->switch_cells.n = 0; /* other pieces may be valid now */
    for (double from = run->before; out->number < 0 && (end - from) * run->direction > 0;
         from = c->t[c->n]) {
        set_sides(run, phase);
        ZW_TRY(zw_num_search_part(run, run->switch_search, from, end, run->from_side, err));
        for (int i = 0; i < n && from == run->before; i++) /* at zero up to round-off */
            if (phase[i] == ZW_NUM_FREE && !(piece_margin(run, i, phase[i], c->g) > 0)) {
                phase[i] = ZW_NUM_LEAVING;
                run->leave_by[i] = fmax(run->sigma_noise[i], LEAVE_FACTOR * fabs(c->g[i]));
            }
        for (int j = 1; j <= c->n && out->number < 0; j++) {
            ZW_TRY(first_between(run, c, j, phase, out, err));
            const double *sigma = c->g + j * n;
            for (int i = 0; i < n && out->number < 0; i++)
                if (phase[i] == ZW_NUM_LEAVING && side_of(run, i) * sigma[i] > run->leave_by[i])
                    phase[i] = ZW_NUM_FREE;
        }
    }
    memcpy(run->phase, phase, sizeof(int) * (size_t)n);
    return ZW_OK;
}

/* corrects the time of a zero of the dense output with states of the accuracy of steps */
static zw_status correct_zero_time(zw_run *run, const found *f, double end, double *t,
                                   zw_error *err) {
    double *sigma = run->follow, *state = run->switch_state;
    double length = (*t - run->before) * run->direction, slope = 0;
    double delta = run->direction * fmax(SLOPE_STEP * length, 8 * DBL_EPSILON * fabs(*t));
    double back = (*t - delta - run->before) * run->direction > 0 ? *t - delta : run->before;
    if (run->method->land && back != *t) {
        ZW_TRY(follow_dense(run, back, sigma, err));
        double g = piece_margin(run, f->number, f->phase, sigma);
        ZW_TRY(follow_dense(run, *t, sigma, err));
        slope = (piece_margin(run, f->number, f->phase, sigma) - g) / (*t - back);
    }
    if (!run->method->land || *t == run->before)
        return run->method->dense(run, *t, state, err);
    for (int n = 0; n < CORRECTIONS; n++) {
        ZW_TRY(run->method->land(run, *t, state, err));
        if (!(slope * run->direction < 0))
            return ZW_OK;
        ZW_TRY(follow_at(run, *t, state, sigma, err));
        double next = *t - piece_margin(run, f->number, f->phase, sigma) / slope;
        bool within =
            (next - run->before) * run->direction > 0 && (end - next) * run->direction >= 0;
        if (!within || fabs(next - *t) <= 4 * DBL_EPSILON * fabs(*t))
            return ZW_OK;
        *t = next;
    }
    return run->method->land(run, *t, state, err);
}

static void cut_at(zw_run *run, double t, const double *y) {
    run->cut = true;
    run->now = t;
    memcpy(run->y, y, sizeof(double) * (size_t)run->ny);
}

static zw_status remember_reach(zw_run *run, zw_error *err) {
    ZW_TRY(run->method->dense(run, run->before, run->dense, err));
    ZW_TRY(zw_num_expand(run, run->before, run->dense, run->candidate, err));
    for (int j = 0; j < run->k->nx; j++)
        run->switch_reach[j] = fabs(run->candidate[j]);
    return ZW_OK;
}

zw_status zw_num_modes_cut(zw_run *run, zw_error *err) {
    run->reached = run->now;
    if (run->k->nswitch == 0)
        return ZW_OK;
    bool stops = (run->reached - run->stop) * run->direction >= 0;
    double end = stops ? run->stop : run->reached;
    found f = {-1, ZW_NUM_IDLE, 0};
    if (run->nfollowed > 0)
        ZW_TRY(search_switch(run, end, &f, err));
    if (f.number < 0 && !stops)
        return ZW_OK;
    ZW_TRY(remember_reach(run, err));
    forget_due(run);
    double t = f.number >= 0 ? f.t : end;
    if (f.number >= 0) {
        ZW_TRY(correct_zero_time(run, &f, end, &t, err));
        run->due[f.number] = 1;
        run->ended[f.number] = f.phase == ZW_NUM_SLIDING;
    } else if (end == run->reached) {
        memcpy(run->switch_state, run->y, sizeof(double) * (size_t)run->ny);
    } else {
        ZW_TRY((run->method->land ? run->method->land
                                  : run->method->dense)(run, end, run->switch_state, err));
    }
    cut_at(run, t, run->switch_state);
    return ZW_OK;
}

/* Has a function that is due now remained within its accuracy of zero since the last change? It has
 * left and returned, with its present slope: by a quarter of slope times time. */
static zw_status is_within_band(zw_run *run, double passed, const double *x, bool *within,
                                zw_error *err) {
    *within = false;
    ZW_TRY(zw_num_switch_rates(run->flow, run->now, x, run->sigma_rate, err));
    for (int i = 0; i < run->k->nswitch; i++)
        *within |= run->due[i] && !run->ended[i] && !is_table(run, i) &&
                   fabs(run->sigma_rate[i]) * passed <= 4 * run->sigma_band[i];
    return ZW_OK;
}

/* changes at shrinking intervals would stop time: counts them */
static zw_status watch_intervals(zw_run *run, const double *x, zw_error *err) {
    double passed = fabs(run->now - run->turned);
    bool soon = passed <= INTERVAL_SHORT * (fabs(run->now - run->started_at) + DBL_MIN);
    if (!soon)
        ZW_TRY(is_within_band(run, passed, x, &soon, err));
    run->short_intervals = soon ? run->short_intervals + 1 : 0;
    run->turned = run->now;
    if (run->short_intervals <= SHORT_INTERVALS_MAX)
        return ZW_OK;
    const char *text = "";
    for (int i = 0; i < run->k->nswitch; i++)
        if (run->due[i])
            text = run->k->switches[i].text;
    zw_fail(err, ZW_E_NUMERIC,
            "%s switches to and fro, faster and faster or within the accuracy of the motion, and "
            "does not get beyond t = %.10g",
            text, run->now);
    zw_error_hint(err, "use a smooth law, tanh(v/eps) for sign(v) for instance, or events that "
                       "switch constraints on and off");
    return ZW_E_NUMERIC;
}

zw_status zw_num_modes_turn(zw_run *run, zw_error *err) {
    zw_flow *flow = run->flow;
    double *x = run->switch_x;
    ZW_TRY(zw_num_expand(run, run->now, run->y, x, err));
    ZW_TRY(watch_intervals(run, x, err));
    for (int j = 0; j < run->k->nx; j++)
        run->switch_reach[j] = fmax(run->switch_reach[j], fabs(x[j]));
    for (int i = 0; i < run->k->nswitch; i++)
        if (run->ended[i]) {
            *mode_of(run, i) = *mode_of(run, i) < 0 ? -1 : 1;
            stop_sliding(flow, i);
        }
    ZW_TRY(decide_pieces(run, run->now, x, err));
    run->cut = false;
    if (zw_num_has_constraints(run->k)) { /* a prescribed velocity may have jumped */
        ZW_TRY(zw_num_project(flow, run->now, x, NULL, err));
        ZW_TRY(zw_num_reduce(run, run->now, x, run->y, err));
        set_phases(run, run->now, x);
    }
    forget_due(run);
    run->method->statistics(run, &run->info);
    return run->method->turn ? run->method->turn(run, err) : run->method->start(run, err);
}

void zw_num_modes_destroy(zw_run *run) {
    zw_num_search_destroy(run, run->switch_search);
    run->switch_search = NULL;
}
