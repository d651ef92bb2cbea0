/* SPDX-License-Identifier: MIT */
/* The switching functions sigma(t, q, v) of a kernel with modes (zwang/switch.h) are evaluated at
 * equidistant phases. A zero lies between two of them if the signs differ, or if |sigma| falls at
 * the first, rises at the second, and its minimum between them crosses zero. The sign of the
 * derivative leads to this minimum, unless the two tangents meet before zero. Newton's method
 * inside the bracket finds the zero to rounding. A function that is zero over an interval (max(0, x
 * - 1) for x < 1) has kinks at its ends.
 *
 * Between kinks the integrand is smooth. One with harmonics up to K is, over a panel of length L, a
 * sum of e^(i z s), |s| <= 1, |z| <= K L/2, and the sum over n Gauss points has an error like the
 * Bessel function J_2n(z), which is about 1e-10 for 2 n = z + 7 z^(1/3) + 6. */
#include "panels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/legendre.h"

enum { LANES = 8, KINKS_FIRST = 16, STEPS = 80 };
/* phase [rad] from a kink to the points on its two sides: above the error of the kink (eps times 2
 * pi), below every change of the integrand */
#define KINK_SIDE 1e-12
/* phase [rad]: a panel that is no longer has no points; it contributes as little to the integral */
#define PANEL_NARROW 1e-12
/* density of the points of a piece; for higher densities there are more pieces, since one rule has
 * ZW_PANEL_NODES points at most */
#define DENSITY_MAX 8.0
/* relative: bracket at which a phase is known to rounding (below eps, so that it ends with
 * neighbouring numbers) */
#define PHASE_SOLVED 1e-16
#define DIP_NARROW 1e-15 /* relative: bracket of a minimum that is known to rounding */

/* --------------------------------------------------------------------------------------- set-up */

/* lists the levels: 0 for functions, the knots for arguments of tables */
static void list_levels(zw_panels *p) {
    const zw_kernel *k = p->kernel;
    for (int i = 0; i < k->nswitch; i++) {
        const zw_switch *s = &k->switches[i];
        if (s->kind == ZW_SWITCH_UPPER) /* has the same argument as the lower one */
            continue;
        int n = s->kind == ZW_SWITCH_LOWER ? s->nknot : 1;
        for (int j = 0; j < n; j++)
            p->level[p->nlevel++] =
                (zw_panel_level){i, s->kind == ZW_SWITCH_LOWER ? s->knot[j] : 0};
    }
}

static int count_levels(const zw_kernel *k) {
    int n = 0;
    for (int i = 0; i < k->nswitch; i++)
        n += k->switches[i].kind == ZW_SWITCH_LOWER ? k->switches[i].nknot : 1;
    return n;
}

/* modes that leave kinks in the functions, and of tables the argument itself */
static void free_modes(zw_panels *p) {
    const zw_kernel *k = p->kernel;
    double *mode = p->u + (size_t)(k->nu * LANES);
    for (int i = 0; i < k->nmode * LANES; i++)
        mode[i] = ZW_MODE_FREE;
    for (int i = 0; i < k->nswitch; i++)
        for (int l = 0; k->switches[i].kind >= ZW_SWITCH_LOWER && l < 2 * LANES; l++)
            mode[(k->switches[i].mode + 1) * LANES + l] = 0;
}

zw_status zw_panels_make(zw_panels *p, zw_arena *arena, const zw_kernel *kernel, int top,
                         zw_error *err) {
    const zw_kernel *k = kernel;
    int levels = count_levels(k);
    *p = (zw_panels){
        .kernel = k, .arena = arena, .scan = (8 * top + 24 + LANES - 1) / LANES * LANES};
    p->level = ZW_NEW(arena, zw_panel_level, levels + 1);
    p->sigma = ZW_NEW(arena, double, p->scan *levels + 1);
    p->sigma_rate = ZW_NEW(arena, double, p->scan *levels + 1);
    p->t = ZW_NEW(arena, double, LANES);
    p->x = ZW_NEW(arena, double, k->nx *LANES + 1);
    p->z = ZW_NEW(arena, double, k->nz *LANES + 1);
    p->u = ZW_NEW(arena, double, (k->nu + k->nmode) * LANES + 1);
    p->cache = ZW_NEW(arena, double, k->ncache *LANES + LANES);
    p->parameter = ZW_NEW(arena, double, k->np *LANES + LANES);
    p->work = ZW_NEW(arena, double, k->nwork + LANES);
    p->value = ZW_NEW(arena, double, k->nswitch *LANES + 1);
    p->value_rate = ZW_NEW(arena, double, k->nswitch *(k->nx + 1) * LANES + 1);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    list_levels(p);
    free_modes(p);
    return ZW_OK;
}

void zw_panels_set(zw_panels *p, const double *parameter) {
    for (int i = 0; i < p->kernel->np; i++)
        for (int l = 0; l < LANES; l++)
            p->parameter[i * LANES + l] = parameter[i];
    zw_prepare(p->kernel, p->parameter, p->cache, p->work);
}

/* -------------------------------------------------------------------------- switching functions */

typedef struct trial_motion {
    zw_panels *p;
    const zw_period *period;
    const double *coefficient;
} trial_motion;

static void put_state(const trial_motion *m, double tau, int lane) {
    zw_panels *p = m->p;
    p->t[lane] = tau / m->period->w;
    zw_period_state(m->period, m->coefficient, tau, p->x + lane, p->z + lane);
}

static void evaluate_switches(const trial_motion *m) {
    zw_panels *p = m->p;
    const zw_args in = {.t = p->t, .x = p->x, .z = p->z, .u = p->u, .c = p->cache};
    zw_kernel_call(p->kernel, ZW_FN_SWITCHES, &in, p->value, p->work);
    zw_kernel_call(p->kernel, ZW_FN_SWITCH_RATE, &in, p->value_rate, p->work);
}

/* the derivative of function i with respect to the phase, at a lane */
static double phase_derivative(const trial_motion *m, int i, double tau, int lane) {
    const zw_kernel *k = m->p->kernel;
    const zw_fourier *f = &m->period->fourier;
    const double *rate = m->p->value_rate;
    double w = m->period->w, sum = rate[(k->nswitch * k->nx + i) * LANES + lane] / w;
    for (int j = 0; j < k->nx; j++) {
        double slope = rate[(i * k->nx + j) * LANES + lane];
        if (slope != 0)
            sum +=
                slope * (j < k->nq ? zw_fourier_at(f, m->coefficient + (size_t)(j * f->n), 1, tau)
                                   : m->p->z[(j - k->nq) * LANES + lane] / w);
    }
    return sum;
}

static double scan_phase(const zw_panels *p, int i) {
    return 2 * M_PI * i / p->scan;
}

static void scan_period(const trial_motion *m) {
    zw_panels *p = m->p;
    for (int first = 0; first < p->scan; first += LANES) {
        for (int l = 0; l < LANES; l++)
            put_state(m, scan_phase(p, first + l), l);
        evaluate_switches(m);
        for (int l = 0; l < LANES; l++)
            for (int i = 0; i < p->nlevel; i++) {
                const zw_panel_level *e = &p->level[i];
                int at = (first + l) * p->nlevel + i;
                p->sigma[at] = p->value[e->function * LANES + l] - e->value;
                p->sigma_rate[at] = phase_derivative(m, e->function, scan_phase(p, first + l), l);
            }
    }
}

/* function minus level at a phase, whose values remain in lane 0 */
static double value_at(const trial_motion *m, const zw_panel_level *e, double tau, double *rate) {
    put_state(m, tau, 0);
    evaluate_switches(m);
    *rate = phase_derivative(m, e->function, tau, 0);
    return m->p->value[e->function * LANES] - e->value;
}

/* ---------------------------------------------------------------------------------------- zeros */

static zw_status add_kink(const trial_motion *m, const zw_panel_level *e, double tau) {
    zw_panels *p = m->p;
    const zw_kernel *k = p->kernel;
    double rate;
    if (p->nkink == p->kink_capacity) {
        int capacity = 2 * p->kink_capacity + KINKS_FIRST;
        zw_panel_kink *kink = ZW_NEW(p->arena, zw_panel_kink, capacity);
        double *slope = ZW_NEW(p->arena, double, capacity * k->nx + 1);
        p->edge = ZW_NEW(p->arena, double, capacity + 1);
        if (p->arena->failed)
            return ZW_E_MEMORY;
        for (int i = 0; i < p->nkink; i++)
            kink[i] = p->kink[i];
        for (int i = 0; i < p->nkink * k->nx; i++)
            slope[i] = p->slope[i];
        p->kink = kink;
        p->slope = slope;
        p->kink_capacity = capacity;
    }
    value_at(m, e, tau, &rate);
    int at = p->nkink * k->nx;
    for (int j = 0; j < k->nx; j++)
        p->slope[at + j] = p->value_rate[(e->function * k->nx + j) * LANES];
    tau -= 2 * M_PI * floor(tau / (2 * M_PI));
    bool may_jump = !k->switches[e->function].is_continuous;
    p->kink[p->nkink++] = (zw_panel_kink){
        .tau = tau, .function = e->function, .rate = rate, .slope = at, .may_jump = may_jump};
    return ZW_OK;
}

/* the zero between a and b, where the signs differ */
static double find_crossing(const trial_motion *m, const zw_panel_level *e, double a, double b,
                            double at_a) {
    double t = 0.5 * (a + b), rate;
    for (int i = 0; i < STEPS && b - a > PHASE_SOLVED * fabs(b); i++) {
        double g = value_at(m, e, t, &rate);
        if (g == 0)
            return t;
        if ((g > 0) == (at_a > 0))
            a = t;
        else
            b = t;
        double next = t - g / rate;
        if (!(next > a && next < b))
            next = 0.5 * (a + b);
        if (fabs(next - t) <= PHASE_SOLVED * fabs(t))
            return next;
        t = next;
    }
    return t;
}

/* the end of an interval of zeros: the function is zero at one end of [a, b] and not at the
 * other */
static double find_zero_end(const trial_motion *m, const zw_panel_level *e, double a, double b,
                            bool at_a) {
    double rate;
    for (int i = 0; i < STEPS && b - a > PHASE_SOLVED * fabs(b); i++) {
        double t = 0.5 * (a + b);
        if ((value_at(m, e, t, &rate) == 0) == at_a)
            a = t;
        else
            b = t;
    }
    return 0.5 * (a + b);
}

/* a phase with the other sign between a, where |sigma| falls, and b, where it rises; NaN if there
 * is none */
static double find_sign_change(const trial_motion *m, const zw_panel_level *e, double a, double b,
                               double ga, double da, double db, double gb) {
    double sign = ga > 0 ? 1 : -1;
    for (int i = 0; i < STEPS; i++) {
        /* the point where the tangents meet */
        double tangents_meet = (gb - ga + da * a - db * b) / (da - db);
        if (!(sign * (ga + da * (tangents_meet - a)) <= 0) || b - a < DIP_NARROW * fabs(b))
            return NAN;
        double t = 0.5 * (a + b), d, g = value_at(m, e, t, &d);
        if (sign * g <= 0)
            return t;
        if (sign * d < 0)
            a = t, ga = g, da = d;
        else
            b = t, gb = g, db = d;
    }
    return NAN;
}

/* adds the zeros of level i between phases j and j + 1 */
static zw_status search_interval(const trial_motion *m, int i, int j) {
    const zw_panels *p = m->p;
    const zw_panel_level *e = &p->level[i];
    int n = p->nlevel, S = p->scan, previous = (j + S - 1) % S, next = (j + 1) % S;
    double a = scan_phase(p, j), b = scan_phase(p, j + 1), ga = p->sigma[j * n + i],
           gb = p->sigma[next * n + i], da = p->sigma_rate[j * n + i],
           db = p->sigma_rate[next * n + i], g_before = p->sigma[previous * n + i];
    /* zero at this phase alone, or from a phase in the interval before */
    if (ga == 0 && g_before != 0) {
        bool passes = gb != 0 && (g_before > 0) != (gb > 0);
        return passes ? add_kink(m, e, a) : ZW_OK;
    }
    if (ga == 0)
        return gb != 0 ? add_kink(m, e, find_zero_end(m, e, a, b, true)) : ZW_OK;
    if (gb == 0)
        return p->sigma[(j + 2) % S * n + i] == 0 ? add_kink(m, e, find_zero_end(m, e, a, b, false))
                                                  : ZW_OK;
    if ((ga > 0) != (gb > 0))
        return add_kink(m, e, find_crossing(m, e, a, b, ga));
    if (!(ga * da < 0 && gb * db > 0))
        return ZW_OK;
    double inside = find_sign_change(m, e, a, b, ga, da, db, gb);
    if (isnan(inside))
        return ZW_OK;
    ZW_TRY(add_kink(m, e, find_crossing(m, e, a, inside, ga)));
    return add_kink(m, e, find_crossing(m, e, inside, b, -ga));
}

static int compare_kinks(const void *a, const void *b) {
    double x = ((const zw_panel_kink *)a)->tau, y = ((const zw_panel_kink *)b)->tau;
    return (x > y) - (x < y);
}

zw_status zw_panels_locate(zw_panels *p, const zw_period *period, const double *coefficient) {
    trial_motion m = {p, period, coefficient};
    p->nkink = 0;
    scan_period(&m);
    for (int i = 0; i < p->nlevel; i++)
        for (int j = 0; j < p->scan; j++)
            ZW_TRY(search_interval(&m, i, j));
    if (p->nkink)
        qsort(p->kink, (size_t)p->nkink, sizeof *p->kink, compare_kinks);
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- points */

/* number of nodes of a piece, and number of pieces, of a panel of length L; beyond DENSITY_MAX more
 * points are more pieces */
static int choose_nodes(int top, double density, double L, int *pieces) {
    double finer = fmax(density / DENSITY_MAX, 1), n = INFINITY;
    for (*pieces = 0; n > ZW_PANEL_NODES;) {
        double z = 0.5 * top * L / ++*pieces;
        n = ceil(density / finer * (0.5 * z + 3.5 * cbrt(z) + 3));
    }
    *pieces = (int)ceil(*pieces * finer);
    return (int)n;
}

/* the ends of the panels (returns their number), from the first kink on over a period */
static int list_edges(const zw_panels *p) {
    int n = 0;
    for (int i = 0; i < p->nkink; i++)
        if (n == 0 || p->kink[i].tau - p->edge[n - 1] > PANEL_NARROW)
            p->edge[n++] = p->kink[i].tau;
    p->edge[n++] = p->edge[0] + 2 * M_PI;
    return n;
}

static int count_with(const zw_panels *p, int top, double density) {
    int nedge = list_edges(p), n = 0, pieces;
    for (int i = 0; i + 1 < nedge; i++) {
        int nodes = choose_nodes(top, density, p->edge[i + 1] - p->edge[i], &pieces);
        n += nodes * pieces;
    }
    return n;
}

static double sufficient_density(const zw_panels *p, int top, double density, int least) {
    for (int n = count_with(p, top, density); n < least; n = count_with(p, top, density))
        density *= 1.01 * least / n;
    return density;
}

int zw_panels_count(zw_panels *p, int top, double density, int least) {
    return count_with(p, top, sufficient_density(p, top, density, least)) + 2 * p->nkink;
}

static const double *gauss_rule(zw_panels *p, int n) {
    if (!p->rule[n]) {
        p->rule[n] = ZW_NEW(p->arena, double, 2 * n);
        if (p->rule[n])
            zw_legendre_points(n, p->rule[n], p->rule[n] + n);
    }
    return p->rule[n];
}

zw_status zw_panels_fill(zw_panels *p, int top, double density, int least, double *tau,
                         double *weight) {
    int nedge = list_edges(p), n = 0, pieces;
    density = sufficient_density(p, top, density, least);
    for (int i = 0; i + 1 < nedge; i++) {
        double L = p->edge[i + 1] - p->edge[i];
        int nodes = choose_nodes(top, density, L, &pieces);
        const double *rule = gauss_rule(p, nodes);
        if (!rule)
            return ZW_E_MEMORY;
        for (int j = 0; j < pieces * nodes; j++) {
            double s = p->edge[i] + L / pieces * (j / nodes + rule[j % nodes]);
            tau[n] = s >= 2 * M_PI ? s - 2 * M_PI : s;
            weight[n++] = L / pieces * rule[nodes + j % nodes];
        }
    }
    for (int i = 0; i < p->nkink; i++) {
        zw_panel_kink *k = &p->kink[i];
        k->sample = n;
        for (int side = -1; side <= 1; side += 2) {
            tau[n] = k->tau + side * KINK_SIDE;
            weight[n++] = 0;
        }
    }
    return ZW_OK;
}
