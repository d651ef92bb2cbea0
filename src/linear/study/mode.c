/* SPDX-License-Identifier: MIT */
/* A mode by its number, as a table of a motion. The numbers are ordered by growth, the least stable
 * first, then by frequency, the slowest first; a pair is one mode, as in zw_equilibria_report. There
 * are as many modes of eigenvalue zero as there are zeros: first those of ker A, neighbouring
 * steady motions, then those that A maps into these (chains), which grow as powers of time.
 *
 * The amplitude is that of the leading entry, the coordinate that moves most relative to its size.
 * It is the largest value over the time shown, which is a few periods, or a few of the times in
 * which the mode grows or decays by e. */
#include "mode.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/decimal.h"
#include "base/option.h"
#include "base/tolerance.h"
#include "num/linear/dense.h"
#include "zwang/simulate.h"

#define AMPLITUDE_DEFAULT 0.15 /* of the size of the leading entry: visible, and still small */
/* A coordinate that moves this part of the largest entry leads, rather than a velocity: positions
 * are easier to read, and a smaller one would give the amplitude of a detail. */
#define COORDINATE_LEADS 0.05
#define NAMED_SHARE 0.1       /* of the largest part: smaller ones are not named in the caption */
#define PERIODS_SHOWN 4.0     /* of an oscillation */
#define E_TIMES_SHOWN 3.0     /* of a mode that decays or grows: 5 % of the amplitude are left */
#define PERIODS_LEAST 1.5     /* of a strongly damped oscillation */
#define EXPONENT_MAX 5.0      /* a mode grows or decays by e^5 = 150 at most while it is shown */
#define DURATION_DEFAULT 10.0 /* s, of a mode without a time of its own */
/* Error of the linear equations for the vectors of a mode, relative: above, the vectors are not
 * known. sqrt(eps) times a condition of 1e3; where eigenvalues coalesce, errors are of order 1. */
#define VECTORS_UNKNOWN 1e-5
#define DAMPING_ROUNDOFF ZW_ROUNDOFF_SUM /* real part relative to the imaginary: undamped */
#define CAPTION_ROUNDOFF 1e-10           /* the same in the caption, which shows six digits */
/* Norm of the next vector of a chain relative to this one: the chain has ended. The null space of a
 * chain of length two is known to sqrt(eps) = 1.5e-8. */
#define CHAIN_ENDS 1e-7
/* Relative advantage of a later entry that leads: equal parts go to the first one on every
 * machine. */
#define SHARE_TIE 1e-9
enum { ROWS_LEAST = 300, ROWS_MOST = 4000, ROWS_PER_RADIAN = 4, NAMES = 4 };

/* An eigenvalue that is the first of its mode. */
typedef struct value {
    double re, im;
    int index; /* of the linearisation; of zeros: the number of the zero */
    bool zero;
} value;

/* Work on the motion of a mode. */
typedef struct mode_work {
    const zw_equilibria *e;
    zw_arena arena;
    zw_mode_options o;
    zw_mode_info info;
    value value; /* the mode */
    zw_mode_vectors v;
    zw_mode_orbit orbit;
    int leading; /* entry of x */
    zw_table *rows;
    zw_error *err;
} mode_work;

void zw_mode_options_init(zw_mode_options *options, size_t size) {
    const zw_mode_options all = {.size = size, .number = 1};
    zw_options_begin(options, size, &all, sizeof all);
}

/* ---- the eigenvalue ---- */

/* All modes in their order into v (n of the linearisation); returns their number, -1 if out of
 * memory. */
static int list_modes(mode_work *m, value *v) {
    const zw_linearisation *a = &m->e->linear;
    int n = 0, zeros = 0, *order = zw_equilibria_order(m->e, &m->arena);
    for (int k = 0; order && k < a->n; k++) {
        int i = order[k];
        if (zw_equilibria_is_zero(a, i)) {
            v[n++] = (value){.index = zeros++, .zero = true};
        } else if (a->im[i] >= 0) {
            double re = fabs(a->re[i]) < DAMPING_ROUNDOFF * a->im[i] ? 0 : a->re[i];
            v[n++] = (value){re, a->im[i], i, false};
        }
    }
    return order ? n : -1;
}

int zw_mode_count(const zw_equilibria *e) {
    const zw_linearisation *a = &e->linear;
    int n = 0;
    for (int i = 0; i < a->n; i++)
        n += zw_equilibria_is_zero(a, i) || a->im[i] >= 0;
    return n;
}

/* List the first modes as a hint. */
static void hint_modes(mode_work *m, int n, const value *v) {
    char list[300] = "";
    for (int i = 0; i < n && i < 6; i++) {
        size_t used = strlen(list);
        if (v[i].im != 0)
            snprintf(list + used, sizeof list - used, "%s%d: %.4g ± %.4gi", i ? ", " : "", i + 1,
                     v[i].re, v[i].im);
        else
            snprintf(list + used, sizeof list - used, "%s%d: %.4g", i ? ", " : "", i + 1, v[i].re);
    }
    zw_error_hint(m->err, "they are %s%s", list, n > 6 ? ", ..." : "");
}

static zw_status choose_mode(mode_work *m) {
    value *all = ZW_NEW(&m->arena, value, m->e->linear.n + 1);
    if (!all)
        return zw_out_of_memory(m->err, "the mode");
    int n = list_modes(m, all), k = m->o.number;
    if (n < 0)
        return zw_out_of_memory(m->err, "the mode");
    if (n == 0)
        return zw_fail(m->err, ZW_E_OPTION,
                       "the motion has no modes: all disturbances are along its symmetries");
    if (k < 1 || k > n) {
        zw_fail(m->err, ZW_E_OPTION, "there is no mode %d: the motion has %d", k, n);
        hint_modes(m, n, all);
        return ZW_E_OPTION;
    }
    m->value = all[k - 1];
    m->info.re = m->value.re;
    m->info.im = m->value.im;
    m->info.zero = m->value.zero;
    return ZW_OK;
}

/* ---- its vectors ---- */

static zw_status new_vectors(mode_work *m, int count) {
    m->v.m = count;
    m->v.V = ZW_NEW(&m->arena, double, m->e->kernel->nx *count + 1);
    m->v.G = ZW_NEW(&m->arena, double, count *count + 1);
    m->v.s = ZW_NEW(&m->arena, double, count + 1);
    return m->arena.failed ? zw_out_of_memory(m->err, "the mode") : ZW_OK;
}

static zw_status copy_eigenvector(mode_work *m) {
    const zw_linearisation *a = &m->e->linear;
    int count = m->value.im != 0 ? 2 : 1, j = m->value.index;
    ZW_TRY(new_vectors(m, count));
    for (int i = 0; i < a->nx; i++) {
        m->v.V[i * count] = a->mode_re[i * a->n + j];
        if (count == 2)
            m->v.V[i * count + 1] = a->mode_im[i * a->n + j];
    }
    /* Re(v e^(lambda t)) = V s with s = e^(re t) (cos, -sin)(im t) */
    for (int k = 0; k < count; k++)
        m->v.G[k * count + k] = m->value.re;
    if (count == 2) {
        m->v.G[1] = m->value.im;
        m->v.G[2] = -m->value.im;
    }
    m->v.s[0] = 1;
    return ZW_OK;
}

/* The chain y, A y, A^2 y, ... of a vector of the generalised null space N (rows), on which A is
 * AN. */
static zw_status make_chain(mode_work *m, int z, const double *N, const double *AN, double *y,
                            double size) {
    const zw_linearisation *a = &m->e->linear;
    double *chain = ZW_NEW(&m->arena, double, z *z + 1);
    int count = 1;
    if (!chain)
        return zw_out_of_memory(m->err, "the mode");
    memcpy(chain, y, (size_t)z * sizeof *y);
    for (; m->value.index >= a->nfamily && count < z; count++) {
        double *next = chain + (size_t)count * (size_t)z;
        zw_dense_multiply(z, z, 1, AN, next - z, next);
        if (zw_dense_norm(z, next) <= CHAIN_ENDS * size * zw_dense_norm(z, next - z))
            break;
    }
    ZW_TRY(new_vectors(m, count));
    for (int k = 0; k < count; k++)
        for (int i = 0; i < a->nx; i++)
            for (int j = 0; j < a->n; j++)
                for (int r = 0; r < z; r++)
                    m->v.V[i * count + k] +=
                        a->T[i * a->n + j] * N[r * a->n + j] * chain[k * z + r];
    for (int k = 0; k + 1 < count; k++)
        m->v.G[(k + 1) * count + k] = 1;
    m->v.s[0] = 1;
    m->info.chain = count > 1;
    return ZW_OK;
}

/* The generalised null space N: the nzero directions that A^nzero maps to the smallest vectors;
 * among these, those that A itself maps to the smallest ones come first. */
static zw_status make_zero_mode(mode_work *m) {
    const zw_linearisation *a = &m->e->linear;
    int n = a->n, z = a->nzero;
    double *P = ZW_NEW(&m->arena, double, n *n + 1), *Q = ZW_NEW(&m->arena, double, n *n + 1),
           *s = ZW_NEW(&m->arena, double, n + 1), *Vt = ZW_NEW(&m->arena, double, n *n + 1),
           *AN = ZW_NEW(&m->arena, double, z *z + 1), *half = ZW_NEW(&m->arena, double, n *z + 1),
           *Wt = ZW_NEW(&m->arena, double, z *z + 1);
    if (m->arena.failed)
        return zw_out_of_memory(m->err, "the mode");
    double size = zw_dense_norm(n * n, a->A);
    size = size > 0 ? size : 1;
    for (int i = 0; i < n * n; i++)
        P[i] = a->A[i] / size;
    for (int k = 1; k < z; k++) {
        for (int i = 0; i < n * n; i++)
            Q[i] = a->A[i] / size;
        zw_dense_multiply(n, n, n, P, Q, Vt);
        memcpy(P, Vt, (size_t)n * (size_t)n * sizeof *P);
    }
    if (!zw_dense_svd(&m->arena, n, n, P, s, Vt, NULL))
        return zw_dense_failure(&m->arena, m->err);
    const double *N = Vt + (size_t)(n - z) * (size_t)n;
    /* A_N = N A N' */
    for (int r = 0; r < z; r++)
        for (int i = 0; i < n; i++) {
            half[r * n + i] = 0;
            for (int j = 0; j < n; j++)
                half[r * n + i] += N[r * n + j] * a->A[j * n + i];
        }
    for (int r = 0; r < z; r++)
        for (int c = 0; c < z; c++)
            for (int i = 0; i < n; i++)
                AN[r * z + c] += half[r * n + i] * N[c * n + i];
    if (!zw_dense_svd(&m->arena, z, z, AN, s, Wt, NULL))
        return zw_dense_failure(&m->arena, m->err);
    return make_chain(m, z, N, AN, Wt + (size_t)(z - 1 - m->value.index) * (size_t)z, size);
}

static zw_status check_vectors(mode_work *m) {
    m->info.mismatch = m->orbit.mismatch;
    if (m->info.mismatch <= VECTORS_UNKNOWN)
        return ZW_OK;
    zw_fail(m->err, ZW_E_NUMERIC,
            "the vectors of mode %d are not known: they miss the linear equations by %.1e",
            m->o.number, m->info.mismatch);
    zw_error_hint(m->err, "eigenvalues meet here; choose a slightly different value");
    return ZW_E_NUMERIC;
}

/* ---- amplitude and duration ---- */

/* The largest part of an entry in the mode, relative to its size. */
static double entry_share(const mode_work *m, int i) {
    double sum = 0;
    for (int k = 0; k < (m->value.zero ? 1 : m->v.m); k++)
        sum = hypot(sum, m->v.V[i * m->v.m + k]);
    return sum / m->e->scale[i];
}

static int largest_share(const mode_work *m, int from, int to) {
    int found = from;
    for (int i = from; i < to; i++)
        if (entry_share(m, i) > entry_share(m, found) * (1 + SHARE_TIE))
            found = i;
    return found;
}

static void find_leading(mode_work *m) {
    int nq = m->e->eq.nq, nx = m->e->kernel->nx, all = largest_share(m, 0, nx);
    m->leading = nq > 0 ? largest_share(m, 0, nq) : all;
    if (entry_share(m, m->leading) < COORDINATE_LEADS * entry_share(m, all))
        m->leading = all;
    m->info.entry = zw_equilibria_entry(m->e, m->leading, &m->info.unit);
}

/* Duration for a mode without a time of its own: from the slowest of the others. */
static double default_duration(const mode_work *m) {
    double slowest = INFINITY;
    for (int i = 0; i < m->e->linear.n; i++)
        if (!zw_equilibria_is_zero(&m->e->linear, i))
            slowest = fmin(slowest, hypot(m->e->linear.re[i], m->e->linear.im[i]));
    return isfinite(slowest) ? fmin(PERIODS_SHOWN * 2 * M_PI / slowest, DURATION_DEFAULT)
                             : DURATION_DEFAULT;
}

static double duration_of(const mode_work *m) {
    double growth = fabs(m->value.re), turn = m->value.im;
    if (m->o.duration > 0)
        return m->o.duration;
    if (m->value.zero)
        return default_duration(m);
    if (turn == 0)
        return E_TIMES_SHOWN / growth;
    double periods = PERIODS_SHOWN * 2 * M_PI / turn;
    if (growth * periods > E_TIMES_SHOWN)
        periods = fmax(E_TIMES_SHOWN / growth, PERIODS_LEAST * 2 * M_PI / turn);
    return growth * periods > EXPONENT_MAX ? EXPONENT_MAX / growth : periods;
}

/* A pair starts where its leading entry is largest. */
static zw_status align_start(mode_work *m) {
    if (m->v.m == 2 && !m->value.zero) {
        const double *lead = m->v.V + (size_t)m->leading * 2;
        double size = hypot(lead[0], lead[1]);
        for (int k = 0; k < 2 && size > 0; k++)
            m->v.s[k] = lead[k] / size;
    }
    return zw_mode_orbit_find(&m->orbit, m->e, &m->arena, &m->v, m->err);
}

/* Scale the start so that the leading entry has its amplitude where it is largest. */
static zw_status scale_start(mode_work *m) {
    double most = entry_share(m, m->leading) * m->e->scale[m->leading], T = m->info.duration;
    if (m->value.re > 0 && !m->value.zero)
        most *= exp(m->value.re * T);
    if (!(most > 0) || !isfinite(most))
        return zw_fail(m->err, ZW_E_OPTION, "mode %d grows beyond all numbers within %.4g s",
                       m->o.number, T);
    m->info.amplitude =
        m->o.amplitude > 0 ? m->o.amplitude : AMPLITUDE_DEFAULT * m->e->scale[m->leading];
    for (int i = 0; i < m->orbit.n + m->orbit.m; i++)
        m->orbit.start[i] *= m->info.amplitude / most;
    return ZW_OK;
}

static long rows_of(const mode_work *m) {
    double rate = m->value.im;
    if (m->o.rows > 1)
        return m->o.rows;
    for (int i = 0; i < m->e->symmetries.n && !m->o.comoving; i++)
        rate = fmax(rate, fabs(m->e->motion.c[i]));
    double rows = ROWS_PER_RADIAN * rate * m->info.duration;
    return (long)fmax(ROWS_LEAST, fmin(rows, ROWS_MOST));
}

/* ---- words ---- */

static void append_caption(mode_work *m, const char *text) {
    size_t used = strlen(m->info.caption);
    snprintf(m->info.caption + used, sizeof m->info.caption - used, "%s", text);
}

/* "phi, delta": entries that move, the leading one first. */
static void put_entries(mode_work *m) {
    double most = entry_share(m, m->leading);
    const char *unit;
    int named = 1, nq = m->e->eq.nq, end = m->leading < nq ? nq : m->e->kernel->nx;
    append_caption(m, m->info.entry);
    for (int i = 0; i < end && named < NAMES; i++)
        if (i != m->leading && entry_share(m, i) > NAMED_SHARE * most) {
            append_caption(m, ", ");
            append_caption(m, zw_equilibria_entry(m->e, i, &unit));
            named++;
        }
}

static void write_caption(mode_work *m) {
    double re = m->value.re, im = m->value.im, size = hypot(re, im);
    char text[200];
    re = fabs(re) < CAPTION_ROUNDOFF * size ? 0 : re;
    snprintf(text, sizeof text, "mode %d: ", m->o.number);
    append_caption(m, text);
    if (m->value.zero)
        snprintf(text, sizeof text, "eigenvalue 0, %s: ",
                 m->info.chain  ? "a disturbance that grows as a power of time"
                 : m->e->family ? "a neighbouring equilibrium"
                                : "where solutions meet or branch");
    else if (im != 0)
        snprintf(text, sizeof text, "%.6g ± %.6gi 1/s, %.4g Hz, damping %.4g: ", re, im,
                 im / (2 * M_PI), re == 0 ? 0 : -re / size);
    else
        snprintf(text, sizeof text, "%.6g 1/s, %s in %.4g s: ", re, re > 0 ? "doubles" : "halves",
                 log(2) / fabs(re));
    append_caption(m, text);
    put_entries(m);
    snprintf(text, sizeof text, "; amplitude %.4g%s%s of %s%s%s", m->info.amplitude,
             m->info.unit[0] ? " " : "", m->info.unit, m->info.entry,
             re > 0   ? " at the end"
             : re < 0 ? " at the beginning"
                      : "",
             m->o.comoving ? "; seen by a comoving observer" : "");
    append_caption(m, text);
}

/* ---- the table ---- */

/* Where the values of a row come from. */
typedef struct sources {
    double t;
    const double *x, *z, *obs;
} sources;

static double value_of(const mode_work *m, const char *name, const sources *from) {
    const zw_equations *eq = &m->e->eq;
    const zw_system *s = m->e->sys;
    const char *unit;
    int nobs = m->e->kernel->nobs;
    if (strcmp(name, "t") == 0)
        return from->t;
    for (int i = 0; i < eq->nq + eq->nv; i++)
        if (strcmp(zw_equilibria_entry(m->e, i, &unit), name) == 0)
            return from->x[i];
    for (int i = 0; i < eq->nc; i++)
        if (strcmp(zw_expr_name(s->ctx, eq->lambda[i]), name) == 0)
            return from->z[eq->nv + i];
    for (int i = 0; i < s->nobservable; i++)
        if (strcmp(s->observable[i].name, name) == 0)
            return from->obs[i];
    for (int i = 0; i < s->nv && eq->system_v; i++)
        if (strcmp(s->velocity[i].name, name) == 0)
            return from->obs[eq->sys->nobservable + i];
    if (strcmp(name, "kinetic") == 0)
        return from->obs[nobs];
    if (strcmp(name, "potential") == 0)
        return from->obs[nobs + 1];
    return strcmp(name, "energy") == 0 ? from->obs[nobs] + from->obs[nobs + 1] : 0;
}

/* The state after time t from u = (b, s) at that time. */
static zw_status state_at(mode_work *m, zw_mode_group *g, const double *u, double t, double *x) {
    const zw_steady *at = &m->e->motion;
    int nx = m->e->kernel->nx, n = m->orbit.n, count = m->v.m;
    for (int i = 0; i < nx; i++) {
        x[i] = at->x[i];
        for (int k = 0; k < count; k++)
            x[i] += m->v.V[i * count + k] * u[n + k];
    }
    ZW_TRY(zw_flow_project(m->e->flow, at->t, x, NULL, m->err));
    ZW_TRY(zw_mode_group_move(g, false, u, at->t, 1, x, m->err));
    return m->o.comoving ? ZW_OK : zw_mode_group_move(g, true, at->c, at->t, t, x, m->err);
}

static zw_status add_row(mode_work *m, double t, const double *x, double *work) {
    const zw_kernel *k = m->e->kernel;
    double *rate = work, *z = rate + k->nx, *obs = z + k->nz, *row = obs + k->nobs + 2;
    double at = m->o.comoving ? m->e->motion.t : t;
    ZW_TRY(zw_flow_rates(m->e->flow, at, x, rate, z, m->err));
    ZW_TRY(zw_flow_observables(m->e->flow, at, x, obs, m->err));
    const sources from = {t, x, z, obs};
    for (int i = 0; i < zw_table_columns(m->rows); i++)
        row[i] = value_of(m, zw_table_name(m->rows, i), &from);
    return zw_table_row(m->rows, row) < 0 ? zw_out_of_memory(m->err, "the mode") : ZW_OK;
}

static zw_status fill_rows(mode_work *m) {
    const zw_kernel *k = m->e->kernel;
    long rows = rows_of(m);
    int size = m->orbit.n + m->orbit.m;
    double step = m->info.duration / (double)(rows - 1);
    double *E = ZW_NEW(&m->arena, double, size *size + 1),
           *M = ZW_NEW(&m->arena, double, size *size + 1),
           *work = ZW_NEW(&m->arena, double, 4 * size * size + 1),
           *u = ZW_NEW(&m->arena, double, 2 * size + 1), *x = ZW_NEW(&m->arena, double, k->nx + 1),
           *row =
               ZW_NEW(&m->arena, double, k->nx + k->nz + k->nobs + 3 + zw_table_columns(m->rows));
    zw_mode_group g;
    if (m->arena.failed)
        return zw_out_of_memory(m->err, "the mode");
    ZW_TRY(zw_mode_group_init(&g, m->e, &m->arena, m->err));
    for (int i = 0; i < size * size; i++)
        M[i] = m->orbit.M[i] * step;
    zw_mode_exponential(size, M, E, work);
    memcpy(u, m->orbit.start, (size_t)size * sizeof *u);
    for (long i = 0; i < rows; i++) {
        double t = (double)i * step;
        ZW_TRY(state_at(m, &g, u, t, x));
        ZW_TRY(add_row(m, m->e->motion.t + t, x, row));
        zw_dense_multiply(size, size, 1, E, u, u + size);
        memcpy(u, u + size, (size_t)size * sizeof *u);
    }
    return ZW_OK;
}

static zw_status fill_notes(mode_work *m) {
    static const char *const of_runs[] = {"options", "step out", "rtol", "atol"};
    char text[128], re[ZW_DECIMAL_MAX], im[ZW_DECIMAL_MAX];
    for (size_t i = 0; i < sizeof of_runs / sizeof *of_runs; i++)
        zw_table_remove_note(m->rows, of_runs[i]);
    zw_decimal(re, m->info.re);
    zw_decimal(im, m->info.im);
    snprintf(text, sizeof text, "%d", m->o.number);
    ZW_TRY(zw_table_note(m->rows, "mode", text));
    snprintf(text, sizeof text, "%s %s 1/s", re, im);
    ZW_TRY(zw_table_note(m->rows, "eigenvalue", text));
    for (int i = 0; i < m->e->options.nhold; i++) {
        snprintf(text, sizeof text, "hold %d", i);
        ZW_TRY(zw_table_note(m->rows, text, m->e->options.hold[i]));
    }
    ZW_TRY(zw_table_note(m->rows, "caption", m->info.caption));
    return zw_table_note(m->rows, "method",
                         "linear equations about a steady motion, moved along its symmetries");
}

/* A table with the columns and notes of a run from the start of the model. */
static zw_status make_table(mode_work *m, const zw_model_source *source) {
    zw_sim_options options = zw_sim_options_default();
    zw_sim *sim;
    zw_sim_number *solved = ZW_NEW(&m->arena, zw_sim_number, m->e->options.nsolve + 1);
    if (!solved)
        return zw_out_of_memory(m->err, "the mode");
    for (int i = 0; i < m->e->options.nsolve; i++)
        solved[i] = (zw_sim_number){.index = m->e->solve[i],
                                    .value = zw_flow_parameters(m->e->flow)[m->e->solve[i]]};
    const zw_sim_numbers numbers = {.nparam = m->e->options.nsolve, .param = solved};
    options.numbers = &numbers;
    options.principle = m->e->options.by;
    options.start = options.until = m->e->options.t;
    ZW_TRY(zw_sim_create(&sim, m->e->sys, source, &options, m->err));
    m->rows = zw_table_create_like(zw_sim_rows(sim));
    zw_sim_destroy(sim);
    return m->rows ? ZW_OK : zw_out_of_memory(m->err, "the mode");
}

static zw_status build_mode(mode_work *m, const zw_model_source *source) {
    if (m->o.comoving && !m->e->symmetries.autonomous) {
        zw_fail(m->err, ZW_E_OPTION,
                "something moves as a given function of time: nobody can move along with it");
        zw_error_hint(m->err, "leave out --comoving");
        return ZW_E_OPTION;
    }
    if (!m->e->linear_known)
        return zw_fail(m->err, ZW_E_DOMAIN, "the motion has no linear equations, so no modes");
    ZW_TRY(choose_mode(m));
    ZW_TRY(m->value.zero ? make_zero_mode(m) : copy_eigenvector(m));
    find_leading(m);
    ZW_TRY(align_start(m));
    ZW_TRY(check_vectors(m));
    m->info.duration = duration_of(m);
    ZW_TRY(scale_start(m));
    write_caption(m);
    ZW_TRY(make_table(m, source));
    ZW_TRY(fill_rows(m));
    return fill_notes(m) < 0 ? zw_out_of_memory(m->err, "the mode") : ZW_OK;
}

zw_status zw_mode_motion(zw_table **out, const zw_equilibria *e, const zw_model_source *source,
                         const zw_mode_options *options, zw_mode_info *info, zw_error *err) {
    assert(out);
    zw_allocator alloc = zw_context_allocator(e->sys->ctx);
    mode_work m = {.e = e, .o = zw_mode_options_default(), .err = err};
    *out = NULL;
    if (options)
        ZW_TRY(zw_options_adopt(&m.o, sizeof m.o, options, "zw_mode_options", err));
    zw_arena_init(&m.arena, &alloc);
    zw_status status = build_mode(&m, source);
    zw_arena_clear(&m.arena);
    if (status < 0)
        zw_table_destroy(m.rows);
    else
        *out = m.rows;
    if (status >= 0 && info)
        *info = m.info;
    return status;
}
