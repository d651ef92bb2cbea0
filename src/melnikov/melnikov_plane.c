/* SPDX-License-Identifier: MIT */
/* The unperturbed motion x' = f(x) in the plane, with numbers for the parameters.
 *
 * A motion is a power series from step to step, x(t) = sum c_k t^k: with the first k coefficients,
 * those of f(x(t)) are known up to k - 1, and c_k = f_(k-1)/k.
 *
 * The manifold of a saddle x_s along an eigenvector v with the eigenvalue l is a power series too,
 * x = x_s + P(theta), in a parameter for which the motion is linear, theta' = l theta: P' l theta =
 * f(x_s + P), whose coefficients are
 *     (k l - J) a_k = [f(x_s + a_1 theta + ... + a_(k-1) theta^(k-1))]_k,      a_1 = v,
 * J the Jacobian matrix; k l is no eigenvalue for k > 1, as the other one has the other sign (X.
 * Cabre, E. Fontich, R. de la Llave, J. Differential Equations 218 (2005) 444-515). So distances
 * to the saddle have a small relative error even if they are tiny, and times are exact. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "expr/core/rounding_size.h"
#include "melnikov.h"
#include "motion/parameter_range.h"

#define SLOPE_CHANGED 0.1 /* of the slope: distance over which the rates count as linear */

enum {
    NEWTON = 60, /* iterations: a limit: a convergent iteration needs far fewer */
    GRID = 13    /* starts in each direction around a known state */
};
/* Of the time in which a motion changes, or of a state: the unit of series, so that their
 * coefficients decrease. */
#define SERIES_UNIT 0.125
#define LAST_TERM 1e-17 /* of the first term: the last terms of a series, a tenth of round-off */
#define DIVERGED 1e6    /* times the state: Newton's method diverges */
/* real part relative to the frequency: less is the round-off of a Jacobian matrix without trace */
#define NO_DAMPING 1e-7

/* -------------------------------------------------------------------------------------- numbers */

static zw_expr put_in(const zw_melnikov *s, const double *p, zw_expr e) {
    const zw_system *y = s->sys;
    zw_arena *arena = (zw_arena *)&s->arena;
    zw_arena_mark mark = zw_arena_mark_now(arena);
    int n = y->np + 2;
    zw_expr *symbol = ZW_NEW(arena, zw_expr, n), *value = ZW_NEW(arena, zw_expr, n);
    zw_expr out = ZW_NULL;
    if (symbol && value) {
        for (int i = 0; i < 2; i++) {
            symbol[i] = s->x[i];
            value[i] = zw_mul(s->ctx, zw_real(s->ctx, s->scale[i]), s->x[i]);
        }
        for (int i = 0; i < y->np; i++) {
            symbol[i + 2] = y->param[i].sym;
            value[i + 2] = zw_real(s->ctx, p[i]);
        }
        out = zw_subst(s->ctx, e, n, symbol, value);
    }
    zw_arena_release(arena, mark);
    return out;
}

zw_status zw_plane_set(zw_melnikov *s, const double *p, int part, zw_plane *out, zw_error *err) {
    zw_context *ctx = s->ctx;
    *out = (zw_plane){.ctx = ctx, .x = {s->x[0], s->x[1]}, .t = s->sys->t};
    for (int i = 0; i < 2; i++) {
        zw_expr scale = zw_real(ctx, s->scale[i]);
        out->f[i] = zw_div(ctx, put_in(s, p, s->f0[i]), scale);
        out->f1[i] = zw_div(ctx, put_in(s, p, s->f1[i]), scale);
    }
    out->C = put_in(s, p, s->C);
    out->g = put_in(s, p, part < 0 ? s->g : s->part[part]);
    zw_jacobian(ctx, 2, out->f, 2, out->x, out->J);
    zw_gradient(ctx, out->C, 2, out->x, out->slope);
    ZW_TRY(zw_context_status(ctx, err));
    if (zw_depends(ctx, out->g, out->t))
        ZW_TRY(zw_forcing_base(&s->forcing, p, &out->base, NULL, err));
    return ZW_OK;
}

void zw_melnikov_reported(const zw_melnikov *s, const double x[2], double out[2]) {
    for (int i = 0; i < 2; i++)
        out[i] = s->scale[i] * x[i];
}

void zw_plane_rates(const zw_plane *m, const double x[2], double f[2]) {
    zw_eval_all(m->ctx, 2, m->f, 2, m->x, x, f);
}

double zw_plane_level(const zw_plane *m, const double x[2]) {
    return zw_eval(m->ctx, m->C, 2, m->x, x);
}

void zw_plane_slope(const zw_plane *m, const double x[2], double out[2]) {
    zw_eval_all(m->ctx, 2, m->slope, 2, m->x, x, out);
}

double zw_plane_g(const zw_plane *m, const double x[2], double t) {
    const zw_expr symbol[3] = {m->x[0], m->x[1], m->t};
    const double value[3] = {x[0], x[1], t};
    return zw_eval(m->ctx, m->g, m->base > 0 ? 3 : 2, symbol, value);
}

/* The sum of absolute summands: each of them counts by its value, which may be round-off itself. */
double zw_plane_g_size(const zw_plane *m, const double x[2], double t) {
    const zw_expr symbol[3] = {m->x[0], m->x[1], m->t};
    const double value[3] = {x[0], x[1], t};
    int n, nsymbol = m->base > 0 ? 3 : 2;
    const zw_expr *arg = zw_expr_args(m->ctx, m->g, &n);
    double sum = 0;
    zw_sized g;
    if (zw_expr_op(m->ctx, m->g) != ZW_OP_SUM) {
        zw_eval_sizes(m->ctx, 1, &m->g, nsymbol, symbol, value, &g);
        return g.size;
    }
    for (int i = 1; i + 1 < n; i += 2) { /* (number, term, its factor, ...) */
        zw_eval_sizes(m->ctx, 1, &arg[i], nsymbol, symbol, value, &g);
        sum += fabs(zw_eval(m->ctx, arg[i + 1], nsymbol, symbol, value)) * g.size;
    }
    return sum + fabs(zw_eval(m->ctx, arg[0], nsymbol, symbol, value));
}

void zw_plane_jacobian(const zw_plane *m, const double x[2], double J[4]) {
    zw_eval_all(m->ctx, 4, m->J, 2, m->x, x, J);
}

/* -------------------------------------------------------------------------------- steady states */

/* Sets entries that are round-off to 0, if f0 does not increase. */
static void clean_rounding(const zw_plane *m, double x[2]) {
    for (int i = 0; i < 2; i++) {
        double y[2] = {x[0], x[1]}, f[2], g[2];
        y[i] = 0;
        zw_plane_rates(m, x, f);
        zw_plane_rates(m, y, g);
        if (fabs(x[i]) < ZW_ROUNDOFF_VALUE && hypot(g[0], g[1]) <= hypot(f[0], f[1]))
            x[i] = 0;
    }
}

bool zw_plane_newton(const zw_plane *m, double x[2]) {
    double f[2], J[4], last = INFINITY;
    for (int k = 0; k < NEWTON; k++) {
        zw_plane_rates(m, x, f);
        zw_plane_jacobian(m, x, J);
        double det = J[0] * J[3] - J[1] * J[2];
        double d[2] = {(f[0] * J[3] - f[1] * J[1]) / det, (f[1] * J[0] - f[0] * J[2]) / det};
        double size = fabs(d[0]) + fabs(d[1]), near = 1 + fabs(x[0]) + fabs(x[1]);
        if (!(size < DIVERGED * near))
            return false;
        double damp = size > near ? near / size : 1;
        x[0] -= damp * d[0];
        x[1] -= damp * d[1];
        if (size <= 4 * DBL_EPSILON * near || (size < ZW_ROUNDOFF_SOLVED * near && size >= last)) {
            clean_rounding(m, x);
            return true;
        }
        last = size;
    }
    return false;
}

bool zw_plane_saddle(const zw_plane *m, const double x[2], double lambda[2], double v[2][2]) {
    double J[4];
    zw_plane_jacobian(m, x, J);
    double half = (J[0] + J[3]) / 2, det = J[0] * J[3] - J[1] * J[2];
    double root = sqrt(half * half - det);
    if (!(det < 0) || !isfinite(root))
        return false;
    lambda[0] = half > 0 ? det / (half + root) : half - root;
    lambda[1] = half > 0 ? half + root : det / (half - root);
    for (int k = 0; k < 2; k++) { /* the larger row of J - lambda determines the direction */
        double a = J[0] - lambda[k], b = J[1], c = J[2], d = J[3] - lambda[k];
        bool first = fabs(a) + fabs(b) > fabs(c) + fabs(d);
        double u = first ? b : d, w = first ? -a : -c, length = hypot(u, w);
        double sign = u < 0 || (u == 0 && w < 0) ? -1 : 1; /* so that the sides are well defined */
        v[k][0] = sign * u / length;
        v[k][1] = sign * w / length;
    }
    return true;
}

static bool is_centre(const zw_plane *m, const double x[2]) {
    double J[4];
    zw_plane_jacobian(m, x, J);
    double half = (J[0] + J[3]) / 2, det = J[0] * J[3] - J[1] * J[2];
    return det > 0 && fabs(half) < NO_DAMPING * sqrt(det);
}

/* The printed value of an angle: the nearest to the start of the model. */
static void nearest_angle(const zw_melnikov *s, const double home[2], double x[2]) {
    for (int i = 0; i < 2; i++)
        if (s->period[i] > 0)
            x[i] -= s->period[i] * ceil((x[i] - home[i]) / s->period[i] - 0.5 - ZW_SAME_VALUE);
}

typedef struct zero_finding {
    zw_melnikov *s;
    bool centres;
    int n, most;
    double (*out)[2];
    double home[2];
} zero_finding;

static void try_from(zero_finding *w, double a, double b) {
    const zw_plane *m = &w->s->plane;
    double x[2] = {a, b}, lambda[2], v[2][2];
    if (w->n == w->most || !zw_plane_newton(m, x))
        return;
    if (w->centres ? !is_centre(m, x) : !zw_plane_saddle(m, x, lambda, v))
        return;
    nearest_angle(w->s, w->home, x);
    for (int k = 0; k < w->n; k++)
        if (hypot(x[0] - w->out[k][0], x[1] - w->out[k][1]) <
            ZW_SAME_SOLUTION * (1 + hypot(x[0], x[1])))
            return;
    memcpy(w->out[w->n++], x, sizeof x);
}

static double value_of(const zw_melnikov *s, zw_expr e) {
    const zw_system *y = s->sys;
    zw_arena *arena = (zw_arena *)&s->arena;
    zw_arena_mark mark = zw_arena_mark_now(arena);
    zw_expr *symbol = ZW_NEW(arena, zw_expr, y->np + 1);
    double out = NAN;
    if (symbol) {
        for (int i = 0; i < y->np; i++)
            symbol[i] = y->param[i].sym;
        out = zw_eval(s->ctx, e, y->np, symbol, s->p);
    }
    zw_arena_release(arena, mark);
    return out;
}

/* The start of the model, or one of its steady motions. */
static void read_start(const zw_melnikov *s, double x[2]) {
    const zw_system *y = s->sys;
    x[0] = x[1] = 0;
    for (int k = 0; k < y->nstart; k++)
        for (int i = 0; i < 2; i++)
            if (y->start[k].what == s->x[i] && isfinite(value_of(s, y->start[k].value)))
                x[i] = value_of(s, y->start[k].value) / s->scale[i];
}

static void read_motion(const zw_melnikov *s, const zw_motion *motion, double x[2]) {
    x[0] = x[1] = 0;
    for (int k = 0; k < motion->n; k++)
        for (int i = 0; i < 2; i++)
            if (motion->what[k] == s->x[i] && isfinite(value_of(s, motion->value[k])))
                x[i] = value_of(s, motion->value[k]) / s->scale[i];
}

/* The power of 2 near a size; 1 for sizes of about 1. */
static double round_power_two(double size) {
    return size > 0 && isfinite(size) && (size < 0.05 || size > 20) ? exp2(round(log2(size))) : 1;
}

/* The distance of state 0 from x at which the slope of the second rate over it has changed by a
 * tenth, a power of 10; 0 if nowhere. */
static double length_of(const zw_plane *m, const double x[2]) {
    double J[4], there[4];
    zw_plane_jacobian(m, x, J);
    for (int k = -12; k <= 12; k++)
        for (int side = -1; side <= 1; side += 2) {
            double y[2] = {x[0] + side * pow(10, k), x[1]};
            zw_plane_jacobian(m, y, there);
            if (fabs(there[2] - J[2]) > SLOPE_CHANGED * fabs(J[2]) && isfinite(there[2]))
                return pow(10, k);
        }
    return 0;
}

/* The scale of a state is its size at the start or in a steady motion, otherwise the distance over
 * which the rates are linear; a velocity, or a momentum, or a second state without a size is scaled
 * by that of the first one and by the linear motion at the start. */
zw_status zw_melnikov_set_scale(zw_melnikov *s, zw_error *err) {
    double size[2], x[2], J[4];
    s->scale[0] = s->scale[1] = 1;
    read_start(s, size);
    for (int k = 0; k < s->sys->nmotion; k++) {
        read_motion(s, &s->sys->motion[k], x);
        for (int i = 0; i < 2; i++)
            size[i] = fmax(fabs(size[i]), fabs(x[i]));
    }
    ZW_TRY(zw_plane_set(s, s->p, -1, &s->plane, err));
    read_start(s, x);
    zw_plane_jacobian(&s->plane, x, J);
    if (size[0] == 0)
        size[0] = length_of(&s->plane, x);
    s->scale[0] = round_power_two(fabs(size[0]));
    bool second = s->eq.nv || size[1] == 0;
    s->scale[1] = round_power_two(second ? s->scale[0] * sqrt(fabs(J[2] / J[1])) : fabs(size[1]));
    for (int i = 0; i < 2; i++)
        s->period[i] /= s->scale[i];
    return zw_plane_set(s, s->p, -1, &s->plane, err);
}

zw_status zw_melnikov_read_at(const zw_melnikov *s, int nx, const char *const *name,
                              const char *const *unit, double *x, zw_error *err) {
    const char *text = s->options.at;
    while (*text) {
        zw_parameter_range one = {0};
        zw_parameter_range_piece piece[1];
        int n, which = -1;
        size_t length = strcspn(text, ",");
        char word[160];
        if (length >= sizeof word)
            return zw_fail(err, ZW_E_OPTION, "--at %.60s...: too long", text);
        memcpy(word, text, length);
        word[length] = 0;
        text += length + (text[length] == ',');
        if (!strchr(word, '='))
            return zw_fail(err, ZW_E_OPTION, "--at %s: NAME=VALUE is expected", word);
        ZW_TRY(zw_parameter_range_name(&one, word, err));
        for (int i = 0; i < nx; i++)
            if (strcmp(one.name, name[i]) == 0)
                which = i;
        if (which < 0) {
            zw_fail(err, ZW_E_NAME, "--at %s: the states are %s%s%s", one.name, name[0],
                    nx > 2 ? ", ... and " : " and ", name[nx - 1]);
            zw_error_hint(err, "--at \"%s=0, %s=0\"", name[0], name[1]);
            return ZW_E_NAME;
        }
        ZW_TRY(zw_parameter_range_pieces(&one, s->sys, "--at", strchr(word, '=') + 1, ",",
                                         unit[which], 1, piece, &n, err));
        if (n != 1)
            return zw_fail(err, ZW_E_OPTION, "--at %s: a number is missing", one.name);
        x[which] = piece[0].value;
    }
    return ZW_OK;
}

static void sort_by_distance(zero_finding *w) {
    for (int i = 1; i < w->n; i++)
        for (int k = i; k > 0; k--) {
            double *a = w->out[k - 1], *b = w->out[k], t[2];
            if (hypot(a[0] - w->home[0], a[1] - w->home[1]) <=
                hypot(b[0] - w->home[0], b[1] - w->home[1]))
                break;
            memcpy(t, a, sizeof t);
            memcpy(a, b, sizeof t);
            memcpy(b, t, sizeof t);
        }
}

int zw_melnikov_zeros(zw_melnikov *s, bool centres, int most, double (*out)[2], zw_error *err) {
    zero_finding w = {s, centres, 0, most, out, {0, 0}};
    read_start(s, w.home);
    if (s->options.at) {
        zw_melnikov_reported(s, w.home, w.home);
        if (zw_melnikov_read_at(s, 2, s->name, s->unit, w.home, err) < 0)
            return -1;
        for (int i = 0; i < 2; i++)
            w.home[i] /= s->scale[i];
        try_from(&w, w.home[0], w.home[1]);
        return w.n;
    }
    try_from(&w, w.home[0], w.home[1]);
    double low[2] = {w.home[0], w.home[1]}, high[2] = {w.home[0], w.home[1]};
    for (int k = 0; k < s->sys->nmotion; k++) {
        double x[2];
        read_motion(s, &s->sys->motion[k], x);
        try_from(&w, x[0], x[1]);
        for (int i = 0; i < 2; i++) {
            low[i] = fmin(low[i], x[i]);
            high[i] = fmax(high[i], x[i]);
        }
    }
    for (int i = 0; i < 2; i++) {
        double wide = fmax(3.3, high[i] - low[i]);
        low[i] -= wide;
        high[i] += wide;
    }
    for (int i = 0; i < GRID; i++)
        for (int k = 0; k < GRID; k++)
            try_from(&w, low[0] + (high[0] - low[0]) * (i + 0.37) / GRID,
                     low[1] + (high[1] - low[1]) * (k + 0.53) / GRID);
    sort_by_distance(&w);
    return w.n;
}

/* --------------------------------------------------------------------------------------- series */

static zw_jet jet_of(int terms, const double *c) {
    zw_jet j = {.low = 0, .terms = terms};
    memcpy(j.c, c, sizeof(double) * (size_t)terms);
    return j;
}

/* In units of time in which coefficients decrease: arithmetic of series treats a first coefficient
 * that is tiny compared with a later one as round-off. */
bool zw_plane_series(const zw_plane *m, zw_plane_step *step) {
    double J[4], rate[2], x0[2] = {step->c[0][0], step->c[1][0]};
    zw_plane_jacobian(m, x0, J);
    zw_plane_rates(m, x0, rate);
    double unit = SERIES_UNIT / (sqrt(J[0] * J[0] + J[1] * J[1] + J[2] * J[2] + J[3] * J[3]) +
                                 hypot(rate[0], rate[1]));
    if (!(unit > 0) || !isfinite(unit))
        return false;
    for (int k = 1; k <= ZW_PLANE_ORDER; k++) {
        zw_jet x[2] = {jet_of(k, step->c[0]), jet_of(k, step->c[1])}, f[2];
        if (!zw_jet_eval(m->ctx, 2, m->f, 2, m->x, x, k, f, NULL))
            return false;
        for (int i = 0; i < 2; i++) {
            step->c[i][k] = unit * zw_jet_coefficient(&f[i], k - 1) / k;
            if (!isfinite(step->c[i][k]))
                return false;
        }
    }
    double power = 1;
    for (int k = 1; k <= ZW_PLANE_ORDER; k++) {
        power /= unit;
        for (int i = 0; i < 2; i++)
            step->c[i][k] *= power;
    }
    return true;
}

/* theta up to which the last terms are round-off of the first one; series with gaps, as that of x -
 * x^5, may have zero last terms, and their radius of convergence estimates the next ones. */
static double reach_of(const zw_branch_series *b) {
    double reach = INFINITY, first = hypot(b->a[0][1], b->a[1][1]);
    for (int k = ZW_PLANE_ORDER / 2; k < ZW_PLANE_ORDER - 2; k++) {
        double size = hypot(b->a[0][k], b->a[1][k]);
        if (size > 0)
            reach = fmin(reach,
                         pow(first / size, 1.0 / (k - 1)) * pow(LAST_TERM, 1.0 / ZW_PLANE_ORDER));
    }
    for (int k = ZW_PLANE_ORDER - 2; k <= ZW_PLANE_ORDER; k++) {
        double size = hypot(b->a[0][k], b->a[1][k]);
        if (size > 0)
            reach = fmin(reach, pow(LAST_TERM * first / size, 1.0 / (k - 1)));
    }
    return reach;
}

bool zw_plane_manifold(const zw_plane *m, const double at[2], double lambda, const double v[2],
                       zw_branch_series *out) {
    double J[4];
    *out = (zw_branch_series){.at = {at[0], at[1]}, .lambda = lambda};
    zw_plane_jacobian(m, at, J);
    for (int i = 0; i < 2; i++) {
        out->a[i][0] = at[i];
        out->a[i][1] = SERIES_UNIT * v[i];
    }
    for (int k = 2; k <= ZW_PLANE_ORDER; k++) {
        zw_jet x[2] = {jet_of(k + 1, out->a[0]), jet_of(k + 1, out->a[1])}, f[2];
        if (!zw_jet_eval(m->ctx, 2, m->f, 2, m->x, x, k + 1, f, NULL))
            return false;
        double r0 = zw_jet_coefficient(&f[0], k), r1 = zw_jet_coefficient(&f[1], k);
        double a = k * lambda - J[0], b = -J[1], c = -J[2], d = k * lambda - J[3],
               det = a * d - b * c;
        out->a[0][k] = (r0 * d - r1 * b) / det;
        out->a[1][k] = (r1 * a - r0 * c) / det;
        if (!isfinite(out->a[0][k]) || !isfinite(out->a[1][k]))
            return false; /* also if a jet has lost terms */
    }
    double power = 1;
    for (int k = 1; k <= ZW_PLANE_ORDER; k++) {
        power /= SERIES_UNIT;
        for (int i = 0; i < 2; i++)
            out->a[i][k] *= power;
    }
    out->a[0][0] = out->a[1][0] = 0;
    out->reach = reach_of(out);
    return out->reach > 0;
}

void zw_branch_point(const zw_branch_series *b, double theta, double x[2]) {
    for (int i = 0; i < 2; i++) {
        double sum = 0;
        for (int k = ZW_PLANE_ORDER; k > 0; k--)
            sum = (sum + b->a[i][k]) * theta;
        x[i] = b->at[i] + sum;
    }
}

void zw_step_point(const zw_plane_step *s, double t, double x[2]) {
    for (int i = 0; i < 2; i++) {
        double sum = s->c[i][ZW_PLANE_ORDER];
        for (int k = ZW_PLANE_ORDER - 1; k >= 0; k--)
            sum = sum * t + s->c[i][k];
        x[i] = sum;
    }
}
