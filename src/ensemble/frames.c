/* SPDX-License-Identifier: MIT */
#include "frames.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "num/linear/linalg.h"

enum {
    L = ZW_FRAMES_LANES,
    ORDER = ZW_FRAMES_ORDER,
    RING = ZW_FRAMES_RING,
    WAIT = 16,
    STEPS_MOST = 20000
};
#define STABLE 0.4       /* largest step times the fastest rate: longer ones are unstable */
#define AIM 0.5          /* mean of E over the allowed one: half is left for its variation */
#define REPEAT_ABOVE 16. /* E over the allowed one: the span is repeated with more steps */
#define LONGER 1.1       /* least changes of the step: the past has to be interpolated, */
#define SHORTER 0.93
#define LONGEST 1.5 /* and the largest one: the past has 12 rates, 8 are needed */
/* Squared remainder of a row relative to its squared length: 1e-13 is round-off, the row depends on
 * the others. */
#define REMAINDER_LOST 1e-26
/* Tolerances of the lanes, of which only rates and first steps of a given length are used. */
#define RTOL_UNUSED 1e-8
#define ATOL_UNUSED 1e-10
#define COUNT_ROUNDOFF 1e-9 /* of a number of steps, before it is rounded up */
/* mean error over the allowed one: LONGEST limits the step long before */
#define ERROR_RATIO_MIN 1e-10

/* the error of y_(n+1) as a fraction of its difference from yp, by the error constants
 * 1070017/3628800 and -33953/3628800 */
#define MILNE (33953. / (33953. + 1070017.))

const char *zw_frames_refuse(const zw_kernel *k) {
    if (k->npos + k->nvel + k->nunit + k->nfooting + k->nc > 0)
        return "there are constraints";
    if (k->nswitch > 0 || k->nmode > 0)
        return "the rates of the model have kinks or jumps";
    if (k->nu > 0)
        return "the model has external inputs";
    if (k->inequality || k->pseudo || k->unsymmetric || k->tilted || (k->nz > 0 && !k->unrolled))
        return "the equations are not solved by generated code";
    return k->nx > 0 ? NULL : "the model has no state";
}

/* n vectors of L, aligned to cache lines */
static double *lanes_of(zw_arena *arena, int n) {
    double *p = ZW_NEW(arena, double, (n + 1) * L + 8);
    return p ? (double *)(((uintptr_t)p + 63) & ~(uintptr_t)63) : NULL;
}

static const zw_frames_code *code_here(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &zw_frames_fused;
#endif
    return &zw_frames_plain;
}

zw_status zw_frames_init(zw_frames *f, zw_arena *arena, const zw_kernel *kernel, int k,
                         const double *size, const bool *counts, zw_error *err) {
    const zw_lanes_options options = {.rtol = RTOL_UNUSED, .atol = ATOL_UNUSED, .steps_max = 1};
    *f = (zw_frames){.k = k, .nx = kernel->nx, .code = code_here()};
    ZW_TRY(zw_lanes_init(&f->l, arena, kernel, &zw_rk_87, &options, k, err));
    int n = f->l.n, row = f->l.row / L + 1;
    double **of[] = {&f->y, &f->yp, &f->part, &f->kept};
    double **ring[] = {&f->ring, &f->kept_ring, &f->room};
    double **one[] = {&f->allowed, &f->span,  &f->mean, &f->quality,
                      &f->kept_t,  &f->trace, &f->error};
    double **few[] = {&f->missed, &f->size, &f->grown};
    f->weight = ZW_NEW(arena, double, kernel->nx + 1);
    for (int i = 0; i < 4; i++)
        *of[i] = lanes_of(arena, n);
    for (int i = 0; i < 3; i++) {
        *ring[i] = lanes_of(arena, RING * row);
        *few[i] = lanes_of(arena, k + 1);
    }
    for (int i = 0; i < 7; i++)
        *one[i] = lanes_of(arena, 1);
    if (arena->failed)
        return zw_out_of_memory(err, "frames of disturbances");
    for (int i = 0; i < kernel->nx; i++)
        f->weight[i] = counts[i] ? 1 / size[i] : 0;
    return ZW_OK;
}

void zw_frames_put(zw_frames *f, int lane, double t, const double *x, const double *p,
                   const double *V) {
    for (int i = lane; i < L; i++) /* the lanes after it are copies until they are put */
        zw_lanes_put(&f->l, i, t, x, p, V);
    f->active |= 1u << lane;
}

double zw_frames_time(const zw_frames *f, int lane) {
    return f->l.t[lane];
}

void zw_frames_state(const zw_frames *f, int lane, double *x) {
    for (int i = 0; i < f->nx; i++)
        x[i] = f->y[(f->l.at + i) * L + lane];
}

/* ------------------------------------------------------------------------------------- the past */

static double *past_rates(const zw_frames *f, int j) {
    return f->ring + (size_t)((f->head + RING - j) % RING) * (size_t)f->l.row;
}

/* Without linear equations to solve, disturbances need only a product with the derivatives. */
static void plain_rates(zw_frames *f, const double *y, double *rate) {
    zw_lanes *l = &f->l;
    const zw_args in = {.t = l->t, .x = y + l->at * L, .c = l->cache};
    zw_kernel_call(l->k, ZW_FN_RHS, &in, rate + l->at * L, l->work);
    zw_kernel_call(l->k, ZW_FN_JAC, &in, l->out, l->work);
    f->code->multiply(f->k, f->nx, l->nrate, l->rate_entry, l->out, y, rate);
}

static void evaluate_rates(zw_frames *f, const double *y, double *rate) {
    f->evaluations++;
    if (f->l.k->nz == 0) {
        plain_rates(f, y, rate);
        return;
    }
    zw_lanes_rates(&f->l, f->l.t, y, rate);
    const double *quality = rate + f->l.row - L;
    for (int i = 0; i < L; i++)
        f->quality[i] = quality[i] >= f->quality[i] ? f->quality[i] : quality[i];
}

/* Stores more rates than the formulas need, for longer steps later. */
static void push_history(zw_frames *f) {
    int most = f->since + 2 >= WAIT ? RING : ORDER;
    f->head = (f->head + 1) % RING;
    f->have = f->have < most ? f->have + 1 : most;
}

/* the past at distances multiplied by `factor`: Lagrange polynomials through the nearest stored
 * rates */
static void resample_history(zw_frames *f, double factor) {
    const int size = f->l.n * L;
    for (int j = 1; j < ORDER; j++) {
        double s = j * factor, w[ORDER];
        const double *from[ORDER];
        int first = (int)s - ORDER / 2 + 1, last = f->have - ORDER;
        first = first > last ? last : first < 0 ? 0 : first;
        for (int a = 0; a < ORDER; a++) {
            w[a] = 1;
            from[a] = past_rates(f, first + a);
            for (int b = 0; b < ORDER; b++)
                if (b != a)
                    w[a] *= (s - first - b) / (a - b);
        }
        f->code->join(size, from, w, f->room + (size_t)j * (size_t)f->l.row);
    }
    for (int j = 1; j < ORDER; j++)
        memcpy(past_rates(f, j), f->room + (size_t)j * (size_t)f->l.row,
               sizeof(double) * (size_t)size);
    f->have = ORDER;
}

static void set_steps(zw_frames *f, int steps) {
    f->steps = steps;
    for (int i = 0; i < L; i++)
        f->l.h[i] = f->span[i] / steps;
}

/* changes the step; the past is interpolated, which limits longer steps */
static void change_steps(zw_frames *f, double factor, int wanted) {
    double most = (f->have - 1.) / (ORDER - 1), length = (double)f->steps / wanted * factor;
    int steps = length > most ? (int)ceil(f->steps * factor / most) : wanted;
    for (int i = 0; i < L; i++)
        f->span[i] *= factor;
    if (f->have >= ORDER)
        resample_history(f, factor * f->steps / steps);
    set_steps(f, steps);
    f->since = 0;
}

void zw_frames_change(zw_frames *f, double factor) {
    int wanted = (int)ceil(f->steps * factor - COUNT_ROUNDOFF);
    for (int i = 0; i < L; i++) {
        f->allowed[i] *= factor;
        f->mean[i] = -1;
    }
    change_steps(f, factor, wanted > 1 ? wanted : 1);
}

static int stable_steps(const zw_frames *f) {
    double most = 1;
    for (int i = 0; i < L; i++)
        most = fmax(most, f->span[i] * f->rate / STABLE);
    return (int)fmin(STEPS_MOST, ceil(most));
}

void zw_frames_begin(zw_frames *f, const double *span, const double *allowed, double rate) {
    zw_lanes *l = &f->l;
    memcpy(f->span, span, sizeof(double) * L);
    memcpy(f->allowed, allowed, sizeof(double) * L);
    for (int i = 0; i < L; i++)
        f->mean[i] = -1;
    f->rate = rate;
    f->since = 0;
    int steps = 2 * stable_steps(f);
    set_steps(f, steps > ORDER ? steps : ORDER);
    memcpy(f->y, l->y0, sizeof(double) * (size_t)(l->n * L));
    zw_prepare(l->k, l->p, l->cache, l->work);
    f->have = f->head = 0;
}

/* ------------------------------------------------------------------------------------ the steps */

/* The first steps: by the pair of order 8 of the lanes. */
static void begin_step(zw_frames *f) {
    zw_lanes *l = &f->l;
    if (f->have == 0) {
        evaluate_rates(f, f->y, past_rates(f, 0));
        f->have = 1;
    }
    double t[L];
    memcpy(t, l->t, sizeof t);
    memcpy(l->rate, past_rates(f, 0), sizeof(double) * (size_t)l->row);
    for (int i = 1; i < l->table->stages; i++) {
        zw_lanes_combine(l, f->y, &l->a[i], l->stage);
        for (int b = 0; b < L; b++)
            l->t[b] = t[b] + l->table->c[i] * l->h[b];
        evaluate_rates(f, l->stage, l->rate + i * l->row);
    }
    zw_lanes_combine(l, f->y, &l->a[l->table->stages], f->yp);
    for (int b = 0; b < L; b++)
        l->t[b] = t[b] + l->h[b];
    memcpy(f->y, f->yp, sizeof(double) * (size_t)(l->n * L));
    push_history(f);
    evaluate_rates(f, f->y, past_rates(f, 0));
}

static void advance_step(zw_frames *f) {
    zw_lanes *l = &f->l;
    const double *from[ORDER];
    for (int j = 0; j < ORDER; j++)
        from[j] = past_rates(f, j);
    f->code->predict(l->n, from, f->y, l->h, f->yp, f->part);
    for (int i = 0; i < L; i++)
        l->t[i] += l->h[i];
    push_history(f);
    double *now = past_rates(f, 0);
    evaluate_rates(f, f->yp, now);
    f->code->correct(f->k + 1, f->nx, f->weight, now, l->h, f->yp, f->part, f->y, f->missed,
                     f->size);
    evaluate_rates(f, f->y, now);
}

/* ------------------------------------------------------------------------------------ the frame */

/* V = R Q by Gram-Schmidt, each row twice; R (k x k x L): lower triangle. False: a row depends on
 * the others. */
static bool orthonormalise_frame(zw_frames *f, double *R) {
    int nx = f->nx, k = f->k;
    double dot[L], whole[L];
    memset(R, 0, sizeof(double) * (size_t)(k * k * L));
    for (int r = 0; r < k; r++) {
        double *V = f->y + r * nx * L, *own = R + (r * k + r) * L;
        f->code->product(nx, f->weight, V, V, whole);
        for (int again = 0; again < 2; again++)
            for (int other = 0; other < r; other++) {
                f->code->product(nx, f->weight, V, f->y + other * nx * L, dot);
                f->code->turn(nx, dot, V, f->y + other * nx * L);
                for (int i = 0; i < L; i++)
                    R[(r * k + other) * L + i] += dot[i];
            }
        f->code->product(nx, f->weight, V, V, dot);
        for (int i = 0; i < L; i++) {
            if (f->active >> i & 1 && !(dot[i] > REMAINDER_LOST * whole[i]))
                return false;
            f->grown[r * L + i] = sqrt(dot[i]);
            own[i] = 1 / f->grown[r * L + i];
        }
        f->code->turn(nx, own, V, NULL);
    }
    return true;
}

static bool orthonormalise_history(zw_frames *f) {
    int nx = f->nx, k = f->k;
    double *R = f->room, dot[L];
    if (!orthonormalise_frame(f, R))
        return false;
    for (int j = 0; j < f->have; j++)
        for (int r = 0; r < k; r++) {
            double *row = past_rates(f, j) + r * nx * L;
            for (int other = 0; other < r; other++)
                f->code->turn(nx, R + (r * k + other) * L, row, past_rates(f, j) + other * nx * L);
            f->code->turn(nx, R + (r * k + r) * L, row, NULL);
        }
    memset(f->trace, 0, sizeof(double) * L);
    for (int r = 0; r < k; r++) {
        for (int i = 0; i < nx; i++) /* entries that do not count are 0 */
            if (f->weight[i] == 0)
                memset(f->y + (r * nx + i) * L, 0, sizeof(double) * L);
        f->code->product(nx, f->weight, f->y + r * nx * L, past_rates(f, 0) + r * nx * L, dot);
        for (int i = 0; i < L; i++)
            f->trace[i] += dot[i];
    }
    return true;
}

/* --------------------------------------------------------------------------------------- a span */

static void save_state(zw_frames *f) {
    size_t n = sizeof(double) * (size_t)(f->l.n * L);
    memcpy(f->kept, f->y, n);
    memcpy(f->kept_ring, f->ring, sizeof(double) * (size_t)(RING * f->l.row));
    memcpy(f->kept_t, f->l.t, sizeof(double) * L);
    f->kept_have = f->have;
    f->kept_head = f->head;
}

static void restore_state(zw_frames *f) {
    size_t n = sizeof(double) * (size_t)(f->l.n * L);
    memcpy(f->y, f->kept, n);
    memcpy(f->ring, f->kept_ring, sizeof(double) * (size_t)(RING * f->l.row));
    memcpy(f->l.t, f->kept_t, sizeof(double) * L);
    f->have = f->kept_have;
    f->head = f->kept_head;
}

/* E of each lane; returns the largest relative to the allowed one */
static double estimate_error(zw_frames *f, int steps) {
    double worst = 0, least = f->l.k->nz > 0 ? zw_num_pivot_floor(f->l.k->nz) : 0;
    for (int i = 0; i < L; i++) {
        double most = f->missed[f->k * L + i] / steps; /* of x: relative to its sizes */
        for (int v = 0; v < f->k; v++)
            most = fmax(most, f->missed[v * L + i] / f->size[v * L + i]);
        f->error[i] = MILNE * steps * sqrt(most);
        if (!(f->active >> i & 1))
            continue;
        for (int v = 0; v <= f->k; v++) /* fmax would drop NaN */
            if (!isfinite(f->missed[v * L + i]) || !isfinite(f->size[v * L + i]))
                return INFINITY;
        if (f->l.k->nz > 0 && !(f->quality[i] >= least))
            return INFINITY;
        worst = fmax(worst, f->error[i] / f->allowed[i]);
    }
    return worst;
}

/* the mean of E determines the steps of the next spans */
static void adapt_steps(zw_frames *f) {
    double worst = 0;
    for (int i = 0; i < L; i++) {
        double e = f->error[i] / f->allowed[i];
        f->mean[i] = f->mean[i] < 0 ? e : f->mean[i] + (e - f->mean[i]) / WAIT;
        worst = f->active >> i & 1 ? fmax(worst, f->mean[i]) : worst;
    }
    if (++f->since < WAIT)
        return;
    double ratio = pow(fmax(worst, ERROR_RATIO_MIN) / AIM, -1. / ORDER);
    ratio = ratio > LONGEST ? LONGEST : ratio;
    int steps = (int)ceil(f->steps / ratio), least = stable_steps(f);
    steps = steps < least ? least : steps;
    if ((ratio > LONGER || ratio < SHORTER) && steps != f->steps) {
        for (int i = 0; i < L; i++)
            f->mean[i] *= pow((double)f->steps / steps, ORDER);
        change_steps(f, 1, steps);
    }
}

bool zw_frames_look(zw_frames *f) {
    size_t few = sizeof(double) * (size_t)((f->k + 1) * L);
    save_state(f);
    for (int tries = 0;; tries++) {
        int done = 0;
        memset(f->missed, 0, few);
        memset(f->size, 0, few);
        for (int i = 0; i < L; i++)
            f->quality[i] = 1;
        for (; f->have < ORDER && done < f->steps; done++)
            begin_step(f);
        int by_adams = f->steps - done;
        for (; done < f->steps; done++)
            advance_step(f);
        for (int i = 0; i < L; i++) /* t + span, not a sum of many steps */
            f->l.t[i] = f->kept_t[i] + f->span[i];
        double worst = by_adams > 0 ? estimate_error(f, f->steps) : 0;
        if (worst <= REPEAT_ABOVE)
            break;
        double ratio = isfinite(worst) ? fmin(2, 1.1 * pow(worst, 1. / ORDER)) : 2;
        restore_state(f);
        if (f->steps > STEPS_MOST)
            return false;
        if (tries > 0)
            f->have = 0; /* its past is invalid: start again */
        if (f->have < ORDER)
            set_steps(f, (int)ceil(f->steps * ratio));
        else
            change_steps(f, 1, (int)ceil(f->steps * ratio));
    }
    adapt_steps(f);
    return orthonormalise_history(f);
}
