/* SPDX-License-Identifier: MIT */
/* Stability of quasi-periodic motions: Lyapunov exponents of Y' = J(theta(t), x(theta(t))) Y, by
 * steps of collocation (../floquet/variation.h), an orthonormal frame that moves with the flow, and
 * weighted means (forced_tones.c) of the logarithms of its stretching. Time is doubled, with
 * shorter steps, until two of these means agree; their difference is the error. Without constraints
 * the sum of all exponents is the mean of tr J over the torus, which is computed on the grid. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "forced_tones.h"
#include "motion/floquet/variation.h"
#include "num/flow/flow.h"

enum {
    STAGES = 4, /* stages of collocation, */
    STEPS = 12, /* and its steps in a period of the fastest excitation at first */
    /* first number of periods of the slowest excitation over which means are taken, */
    TIMES_FIRST = 16,
    TIMES = 1024 /* and the largest */
};
/* exponent relative to its error, from which on its sign is known: the error is the difference of
 * two means, which may be small by chance */
#define ERRORS_FROM_ZERO 3

/* The frame Y of a variation along f->x, and its stretching. */
typedef struct frame {
    zw_forced *f;
    zw_variation v;
    int n;
    double *x, *T, *work; /* nx, nx x nx, nx x nx */
    double *stretch;      /* n: logarithms of the stretching in the last step */
    double t;
} frame;

static zw_status state_at(void *user, double t, double *x, zw_error *err) {
    const zw_forced *f = user;
    (void)err;
    zw_harmonic_state(f->balance, f->x, 1, t, x, NULL);
    return ZW_OK;
}

/* makes the columns of Y orthonormal, one after another; stretch: the logarithms of their lengths
 * before */
static void orthonormalise(frame *s) {
    double *Y = s->v.Y;
    int nx = s->v.nx, n = s->n;
    for (int r = 0; r < nx; r++)
        for (int j = 0; j < n && !s->v.essential[r]; j++)
            Y[r * n + j] = 0;
    for (int j = 0; j < n; j++) {
        for (int twice = 0; twice < 2; twice++)
            for (int i = 0; i < j; i++) {
                double dot = 0;
                for (int r = 0; r < nx; r++)
                    dot += Y[r * n + i] * Y[r * n + j];
                for (int r = 0; r < nx; r++)
                    Y[r * n + j] -= dot * Y[r * n + i];
            }
        double length = 0;
        for (int r = 0; r < nx; r++)
            length += Y[r * n + j] * Y[r * n + j];
        length = sqrt(length);
        s->stretch[j] = log(length);
        for (int r = 0; r < nx && length > 0; r++)
            Y[r * n + j] /= length;
    }
}

/* projects Y onto the tangent space of the constraints, which rounding errors leave */
static zw_status project_frame(frame *s, zw_error *err) {
    int nx = s->v.nx, n;
    double *Y = s->v.Y;
    if (s->f->kernel->nc == 0)
        return ZW_OK;
    ZW_TRY(state_at(s->f, s->t, s->x, err));
    ZW_TRY(zw_variation_basis(&s->v, &s->f->arena, s->f->flow, s->t, s->x, &n, s->T, err));
    if (n != s->n)
        return zw_fail(err, ZW_E_NUMERIC, "the number of independent constraints changes");
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            s->work[i * n + j] = 0;
            for (int r = 0; r < nx; r++)
                s->work[i * n + j] += s->T[r * n + i] * Y[r * n + j];
        }
    for (int r = 0; r < nx; r++)
        for (int j = 0; j < n; j++) {
            Y[r * n + j] = 0;
            for (int i = 0; i < n; i++)
                Y[r * n + j] += s->T[r * n + i] * s->work[i * n + j];
        }
    return ZW_OK;
}

static zw_status step_frame(frame *s, double h, zw_error *err) {
    ZW_TRY(zw_variation_step(&s->v, s->f->flow, s->t, s->t + h, state_at, s->f, err));
    s->t += h;
    ZW_TRY(project_frame(s, err));
    orthonormalise(s);
    return ZW_OK;
}

/* weighted mean of the stretching over a time, in steps of about h */
static zw_status mean_stretch(frame *s, double time, double h, double *out, zw_error *err) {
    long steps = (long)ceil(time / h);
    double all = 0;
    h = time / (double)steps;
    memset(out, 0, sizeof(double) * (size_t)s->n);
    for (long i = 0; i < steps; i++) {
        double weight = zw_forced_weight(((double)i + 0.5) / (double)steps);
        ZW_TRY(step_frame(s, h, err));
        all += weight * h;
        for (int j = 0; j < s->n; j++)
            out[j] += weight * s->stretch[j];
    }
    for (int j = 0; j < s->n; j++)
        out[j] /= all;
    return ZW_OK;
}

static zw_status begin_frame(frame *s, zw_error *err) {
    zw_forced *f = s->f;
    int nx = f->kernel->nx;
    ZW_TRY(zw_variation_init(&s->v, &f->arena, f->flow, STAGES, 0, err));
    s->x = ZW_NEW(&f->arena, double, nx + 1);
    s->T = ZW_NEW(&f->arena, double, nx *nx + 1);
    s->work = ZW_NEW(&f->arena, double, nx *nx + 1);
    s->stretch = ZW_NEW(&f->arena, double, nx + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(state_at(f, 0, s->x, err));
    ZW_TRY(zw_variation_basis(&s->v, &f->arena, f->flow, 0, s->x, &s->n, s->T, err));
    zw_variation_begin(&s->v, s->n, s->T);
    return ZW_OK;
}

/* the mean of tr J over the torus */
static zw_status find_divergence(zw_forced *f, double *out, zw_error *err) {
    zw_forced_grid g;
    double theta[ZW_TONES_MAX], sum = 0;
    int nx = f->kernel->nx;
    double *J = ZW_NEW(&f->arena, double, nx *nx + 1);
    *out = NAN;
    if (f->kernel->nc)
        return ZW_OK;
    if (!J)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_forced_make_grid(f, &g, err));
    ZW_TRY(zw_flow_set_parameters(f->torus_flow, f->now, err));
    for (int i = 0; i < g.samples; i++) {
        zw_forced_grid_phases(f, &g, i, theta);
        zw_forced_grid_state(f, &g, theta);
        ZW_TRY(zw_flow_jacobian(f->torus_flow, 0, g.x, J, NULL, err));
        for (int k = 0; k < nx; k++)
            sum += J[k * nx + k];
    }
    *out = sum / g.samples;
    return ZW_OK;
}

/* Is the sign of every exponent known, or with exact > 0 its value? */
static bool are_exact(const double *mean, const double *error, int n, double exact, double W) {
    for (int j = 0; j < n; j++)
        if (exact > 0 ? error[j] > exact * W : fabs(mean[j]) < ERRORS_FROM_ZERO * error[j])
            return false;
    return true;
}

static void sort_exponents(int n, double *value, double *error) {
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && value[j] > value[j - 1]; j--) {
            double a = value[j], b = error[j];
            value[j] = value[j - 1];
            error[j] = error[j - 1];
            value[j - 1] = a;
            error[j - 1] = b;
        }
}

static zw_status find_exponents(zw_forced *f, double exact, zw_forced_motion *m, double *mean,
                                double *error, double *before, zw_error *err) {
    frame s = {.f = f};
    double period = 2 * M_PI / zw_forced_slowest(f, m->frequency),
           h = 2 * M_PI / zw_forced_fastest(f, m->frequency) / STEPS;
    ZW_TRY(begin_frame(&s, err));
    /* the frame turns to its directions */
    ZW_TRY(mean_stretch(&s, TIMES_FIRST / 2 * period, h, before, err));
    ZW_TRY(mean_stretch(&s, TIMES_FIRST * period, h, before, err));
    for (int times = 2 * TIMES_FIRST; times <= TIMES; times *= 2) {
        h *= 0.8;
        ZW_TRY(mean_stretch(&s, times * period, h, mean, err));
        for (int j = 0; j < s.n; j++) {
            error[j] = fabs(mean[j] - before[j]);
            before[j] = mean[j];
        }
        if (are_exact(mean, error, s.n, exact, 2 * M_PI / period) ||
            (f->options.stop && f->options.stop(f->options.stop_user, 0)))
            break;
        if (!(exact > 0) && times >= 8 * TIMES_FIRST)
            break;
    }
    m->nexponent = s.n;
    sort_exponents(s.n, mean, error);
    return ZW_OK;
}

bool zw_forced_exponents_decided(const zw_forced_motion *m) {
    for (int j = 0; j < m->nexponent; j++)
        if (fabs(m->exponent[j]) <= ERRORS_FROM_ZERO * m->exponent_error[j])
            return false;
    return m->nexponent > 0;
}

/* Two means may agree by chance: the difference between the sum of all exponents and the mean
 * divergence is an error, too. */
static void add_divergence_error(const zw_forced_motion *m, double *error) {
    double difference = -m->divergence;
    for (int j = 0; j < m->nexponent; j++)
        difference += m->exponent[j];
    for (int j = 0; j < m->nexponent && !isnan(difference); j++)
        error[j] = fmax(error[j], fabs(difference) / m->nexponent);
}

static void judge_exponents(zw_forced_motion *m) {
    bool inside = true;
    m->outside = 0;
    m->accuracy = 0;
    for (int j = 0; j < m->nexponent; j++) {
        m->outside += m->exponent[j] > ERRORS_FROM_ZERO * m->exponent_error[j];
        inside &= m->exponent[j] < -ERRORS_FROM_ZERO * m->exponent_error[j];
        m->accuracy = fmax(m->accuracy, m->exponent_error[j]);
    }
    m->verdict = m->outside ? ZW_FLOQUET_UNSTABLE
                 : inside   ? ZW_FLOQUET_STABLE
                            : ZW_FLOQUET_UNDECIDED;
}

zw_status zw_forced_tones_exponents(zw_forced *f, double value, double exact, zw_forced_motion *m,
                                    zw_error *err) {
    int nx = f->kernel->nx;
    double *mean = ZW_NEW(&f->arena, double, nx + 1), *error = ZW_NEW(&f->arena, double, nx + 1);
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    double *before = ZW_NEW(&f->arena, double, nx + 1);
    zw_error trouble = {0};
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_harmonic_go_to(f->balance, value, NULL, err));
    ZW_TRY(zw_flow_set_parameters(f->flow, f->now, err));
    zw_status status = find_exponents(f, exact, m, mean, error, before, &trouble);
    if (status >= 0)
        status = find_divergence(f, &m->divergence, &trouble);
    zw_arena_release(&f->arena, mark);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    m->outside = -1;
    if (status < 0) {
        m->nexponent = 0;
        return ZW_OK;
    }
    m->exponent = mean;
    m->exponent_error = error;
    add_divergence_error(m, error);
    judge_exponents(m);
    return ZW_OK;
}

/* ------------------------------------------------------------------------ where one passes zero */

enum { STEPS_TO_ZERO = 20 };
/* relative to the slowest frequency: error of exponents where one of them crosses zero, so that the
 * value of a located point has about eight digits */
#define EXPONENT_LOCATED 1e-8
/* relative to the first frequency: mean of a pair of exponents that is zero; their sum is exact far
 * beyond EXPONENT_LOCATED */
#define PAIR_ZERO 1e-10
/* relative to the change of an exponent over the interval: difference of two exponents of a pair */
#define EXPONENTS_EQUAL 1e-2

/* Finds two motions of a curve with different numbers of positive exponents and no special point
 * between them; motions between them are undecided. */
static bool find_change(const zw_forced *f, const zw_forced_curve *c, int from, int *before,
                        int *after) {
    *before = -1;
    for (int i = from; i < c->first + c->n; i++) {
        const zw_forced_motion *m = &f->motion[i];
        if (zw_forced_is_special(m))
            *before = -1;
        if (zw_forced_is_special(m) || !zw_forced_exponents_decided(m))
            continue;
        *after = i;
        if (*before >= 0 && f->motion[*before].outside != m->outside)
            return true;
        *before = i;
    }
    return false;
}

/* An exponent; for a pair the mean of both, which is known better than each of them. */
static double crossing_exponent(const zw_forced_motion *m, int which, bool pair) {
    return pair ? 0.5 * (m->exponent[which] + m->exponent[which + 1]) : m->exponent[which];
}

static bool is_zero(const zw_forced_motion *m, double g, int which, bool pair) {
    return fabs(g) <=
           (pair ? PAIR_ZERO * m->frequency[0] : ERRORS_FROM_ZERO * m->exponent_error[which]);
}

/* The motion between two others at which exponent `which` is zero, by the Illinois method; or the
 * mean of it and the next one, if they are equal at the first point. At both ends only their signs
 * are known well. ZW_RETRY: there is none. */
static zw_status find_zero(zw_forced *f, int before, int after, int which, bool *pair,
                           zw_forced_motion *out, zw_error *err) {
    const zw_forced_motion end[2] = {f->motion[before], f->motion[after]};
    double a[2] = {end[0].value, end[1].value}, g[2];
    bool pair_possible = abs(end[0].outside - end[1].outside) > 1;
    int number = f->nmotion, last = -1;
    *pair = false;
    for (int k = 0; k < 2; k++)
        g[k] = crossing_exponent(&end[k], which, false);
    for (int i = 0; i < STEPS_TO_ZERO && g[0] * g[1] < 0; i++) {
        zw_error trouble = {0};
        double value = (a[0] * g[1] - a[1] * g[0]) / (g[1] - g[0]);
        zw_status status = zw_forced_between(f, before, after, value, &number, &trouble);
        if (status < 0)
            return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_RETRY;
        *out = f->motion[--f->nmotion];
        if (which + pair_possible >= out->nexponent)
            return ZW_RETRY;
        if (i == 0 && pair_possible)
            *pair = fabs(out->exponent[which + 1] - out->exponent[which]) <=
                    EXPONENTS_EQUAL * fabs(g[1] - g[0]);
        for (int k = 0; k < 2 && i == 0; k++)
            g[k] = crossing_exponent(&end[k], which, *pair);
        double exponent = crossing_exponent(out, which, *pair);
        if (is_zero(out, exponent, which, *pair))
            return ZW_OK;
        int side = (exponent < 0) == (g[0] < 0) ? 0 : 1;
        a[side] = value;
        g[side] = exponent;
        g[1 - side] *= last == side ? 0.5 : 1;
        last = side;
    }
    return ZW_RETRY;
}

/* inserts a motion after motion `before`, in the last curve only */
static zw_status insert_motion(zw_forced *f, int before, int curve, const zw_forced_motion *m,
                               zw_error *err) {
    zw_forced_curve *c = &f->curve[curve];
    int at = before + 1;
    if (!zw_arena_grow(&f->arena, (void **)&f->motion, f->nmotion, &f->motion_capacity,
                       sizeof *f->motion))
        return zw_out_of_memory(err, NULL);
    double toward = f->motion[at].value - f->motion[before].value;
    while (at < c->first + c->n && (m->value - f->motion[at].value) * toward > 0)
        at++;
    memmove(f->motion + at + 1, f->motion + at, sizeof *m * (size_t)(f->nmotion - at));
    f->motion[at] = *m;
    f->motion[at].curve = curve;
    f->nmotion++;
    c->n++;
    return ZW_OK;
}

/* Are the equations with even combinations, which --odd leaves out, singular between two motions?
 * Then a symmetry breaks. */
static zw_status find_breaking(zw_forced *f, int before, int after, bool *breaks, zw_error *err) {
    double s[2] = {1, 1};
    for (int i = 0; i < 2 && f->options.odd; i++) {
        const zw_forced_motion *m = &f->motion[i ? after : before];
        ZW_TRY(zw_forced_load_motion(f, m, err));
        if (i == 0)
            ZW_TRY(zw_forced_make_finer(f, err));
        zw_harmonic_embed(f->balance, f->x, f->with_even, f->finer_x);
        zw_status status = zw_harmonic_singular(f->with_even, f->finer_x, m->value, &s[i], err);
        if (status < 0)
            return status;
    }
    *breaks = s[0] * s[1] < 0;
    return ZW_OK;
}

/* Locates the zero of exponent `which` and, for a pair, of the next one. If one crosses zero and
 * the equations of the motion are not singular, the growing disturbance changes its sign along a
 * phase: a motion with half of a combination of the frequencies branches off. If two cross, a
 * further frequency appears. */
static zw_status locate_zero(zw_forced *f, int curve, int before, int after, int which, bool *pair,
                             zw_error *err) {
    zw_forced_motion m;
    zw_status status = find_zero(f, before, after, which, pair, &m, err);
    if (status != ZW_OK)
        return status;
    bool breaks;
    ZW_TRY(find_breaking(f, before, after, &breaks, err));
    m.event = *pair ? ZW_BIFURCATION_TORUS : breaks ? ZW_BIFURCATION_BRANCH : ZW_BIFURCATION_FLIP;
    return insert_motion(f, before, curve, &m, err);
}

zw_status zw_forced_exponents_locate(zw_forced *f, int curve, zw_error *err) {
    int before, after, from = f->curve[curve].first;
    if (!zw_forced_has_tones(f) || !f->options.stability)
        return ZW_OK;
    f->exact = EXPONENT_LOCATED;
    zw_status status = ZW_OK;
    while (status >= 0 && !f->stopped && find_change(f, &f->curve[curve], from, &before, &after)) {
        int n = f->nmotion, u = f->motion[before].outside, v = f->motion[after].outside,
            low = u < v ? u : v, high = u < v ? v : u;
        bool pair = false;
        for (int which = low; which < high && status >= 0; which += 1 + pair)
            status = locate_zero(f, curve, before, after + f->nmotion - n, which, &pair, err);
        from = after + f->nmotion - n;
    }
    f->exact = 0;
    return status < 0 ? status : ZW_OK;
}
