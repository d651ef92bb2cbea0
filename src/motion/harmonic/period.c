/* SPDX-License-Identifier: MIT */
/* Points of a period in lanes: sample s = 8 g + lane of group g; the outputs of a kernel function
 * for group g follow those for group g - 1. The derivative of a row with respect to a number a on
 * which parameters and w depend, at fixed coefficients:
 *
 *     d row/da = row_p p_a + (row_y' y' + 2 row_y'' y'') w_a/w - row_t t w_a/w,       t = tau/w. */
#include "period.h"
#include "base/arena.h"

#include <math.h>
#include <string.h>

enum { LANES = 8 };

static size_t doubles(int n) {
    return sizeof(double) * (size_t)n;
}

static int group_count(const zw_period *p) {
    return p->fourier.samples / LANES;
}

/* --------------------------------------------------------------------------------------- set-up */

static double *allocate_outputs(zw_period *p, zw_arena *arena, zw_function_name name) {
    return ZW_NEW(arena, double, p->size[name] * p->fourier.samples + LANES);
}

/* finds for every row of W v' = b the same constraint on its lowest level */
static void find_levels(zw_period *p) {
    const zw_kernel *k = p->kernel;
    for (int i = 0; i < k->nc; i++)
        p->low[i] = -1;
    for (int i = 0; i < k->nvel; i++)
        if (k->vel_row[i] >= k->nv)
            p->low[k->vel_row[i] - k->nv] = k->npos + i;
    for (int i = 0; i < k->npos; i++)
        if (k->pos_row[i] >= k->nv)
            p->low[k->pos_row[i] - k->nv] = i;
}

/* finds the rows of phi and psi that no row of W v' = b represents */
static void find_open_levels(zw_period *p) {
    const zw_kernel *k = p->kernel;
    for (int i = 0; i < k->npos; i++)
        if (k->pos_row[i] < 0)
            p->level[p->nlevel++] = i;
    for (int i = 0; i < k->nvel; i++)
        if (k->vel_row[i] < 0)
            p->level[p->nlevel++] = k->npos + i;
}

/* lists the entries of M that are not structurally zero, row by row */
static void list_masses(zw_period *p) {
    const zw_kernel *k = p->kernel;
    const unsigned char *kind = k->kind[ZW_FN_MATS]; /* M comes first */
    for (int i = 0; i < k->nv; i++) {
        int at = p->mass_first[i];
        for (int j = 0; j < k->nv; j++)
            if (!kind || kind[i * k->nv + j] != ZW_OUTPUT_ZERO)
                p->mass[at++] = j;
        p->mass_first[i + 1] = at;
    }
}

zw_status zw_period_reject_levels(const zw_period *p, const char *what, zw_error *err) {
    if (p->nlevel == 0)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION,
            "motions of this model keep quantities constant that depend on its start, and %s does "
            "not hold them",
            what);
    zw_error_hint(err, "zwang response holds them, by harmonic balance");
    return ZW_E_OPTION;
}

static zw_status list_pairs(zw_period *p, zw_arena *arena, zw_error *err);

/* sets the inputs of every point: those of the model, which are 0, then the phases */
static bool put_phases(zw_period *p, zw_arena *arena) {
    const zw_torus *torus = p->fourier.torus;
    int nu = p->kernel->nu, S = p->fourier.samples, harmonics = p->fourier.nharmonic;
    double theta[ZW_PHASES_MAX];
    p->input = ZW_NEW(arena, double, nu *S + LANES);
    p->slope = ZW_NEW(arena, double, harmonics + 1);
    p->coefficient = ZW_NEW(arena, double, p->n * p->fourier.n + 1);
    p->own = ZW_NEW(arena, double, S);
    p->input_stride = nu * LANES;
    for (int s = 0; s < S && !arena->failed; s++) {
        zw_torus_point(torus, s, theta);
        for (int j = 0; j < torus->tones; j++)
            p->input[(s / LANES * nu + nu - torus->tones + j) * LANES + s % LANES] = theta[j];
    }
    return !arena->failed;
}

static zw_status build_period(zw_period *p, zw_arena *arena, const zw_kernel *kernel, int tones,
                              int nharmonic, const int *harmonic, int samples, zw_error *err) {
    const zw_kernel *k = kernel;
    *p = (zw_period){.kernel = k, .plain = k->plain_rates && k->nq == k->nv};
    if (k->nunit) {
        zw_fail(err, ZW_E_OPTION,
                "unit quaternions have no Fourier series in harmonic balance: their length would "
                "not stay 1");
        zw_error_hint(err, "zwang orbit finds periodic motions of such models, driven or not");
        return ZW_E_OPTION;
    }
    p->level = ZW_NEW(arena, int, k->npos + k->nvel + 1);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    find_open_levels(p);
    p->plain &= p->nlevel == 0;
    p->n = (p->plain ? k->nq : k->nq + k->nv) + k->nc;
    for (int i = 0; i < ZW_FN_COUNT; i++)
        p->size[i] = zw_kernel_describe(k, (zw_function_name)i).size;
    if (tones > 1 ? !zw_fourier_make_torus(&p->fourier, arena, tones, nharmonic, harmonic, samples)
                  : !zw_fourier_make(&p->fourier, arena, nharmonic, harmonic, samples))
        return zw_out_of_memory(err, NULL);
    int S = p->fourier.samples;
    p->low = ZW_NEW(arena, int, k->nc + 1);
    p->t = ZW_NEW(arena, double, S);
    p->x = ZW_NEW(arena, double, k->nx *S + LANES);
    p->z = ZW_NEW(arena, double, k->nz *S + LANES);
    p->rate = ZW_NEW(arena, double, k->nq *S + LANES);
    p->mats = allocate_outputs(p, arena, ZW_FN_MATS);
    p->jac = allocate_outputs(p, arena, ZW_FN_JAC);
    p->pos = allocate_outputs(p, arena, ZW_FN_POS);
    p->vel = allocate_outputs(p, arena, ZW_FN_VEL);
    p->grad = allocate_outputs(p, arena, ZW_FN_GRAD);
    p->time = allocate_outputs(p, arena, ZW_FN_TIME);
    p->jac_p = allocate_outputs(p, arena, ZW_FN_JAC_P);
    p->parameter = ZW_NEW(arena, double, k->np *LANES + LANES);
    p->cache = ZW_NEW(arena, double, k->ncache *LANES + LANES);
    p->input = ZW_NEW(arena, double, k->nu *LANES + LANES);
    p->work = ZW_NEW(arena, double, k->nwork + LANES);
    p->series = ZW_NEW(arena, double, S);
    p->mass_first = ZW_NEW(arena, int, k->nv + 2);
    p->mass = ZW_NEW(arena, int, k->nv * k->nv + 1);
    if (arena->failed || (tones > 1 && !put_phases(p, arena)))
        return zw_out_of_memory(err, NULL);
    find_levels(p);
    list_masses(p);
    return list_pairs(p, arena, err);
}

zw_status zw_period_make(zw_period *p, zw_arena *arena, const zw_kernel *kernel, int nharmonic,
                         const int *harmonic, int samples, zw_error *err) {
    return build_period(p, arena, kernel, 1, nharmonic, harmonic, samples, err);
}

zw_status zw_period_make_torus(zw_period *p, zw_arena *arena, const zw_kernel *kernel, int tones,
                               int nharmonic, const int *harmonic, int samples, zw_error *err) {
    return build_period(p, arena, kernel, tones, nharmonic, harmonic, samples, err);
}

void zw_period_tune(zw_period *p, const double *W, const double *slope) {
    const zw_torus *torus = p->fourier.torus;
    zw_fourier_tune(&p->fourier, W);
    for (int i = 0; i < p->fourier.nharmonic; i++) {
        double w = p->fourier.rate[i] * W[0], slope_sum = 0;
        for (int j = 0; j < torus->tones; j++)
            slope_sum += torus->vector[i * torus->tones + j] * slope[j];
        p->slope[i] = w != 0 ? slope_sum / w : 0;
    }
}

static void set_times(zw_period *p) {
    double step = 2 * M_PI / (p->fourier.samples * p->w);
    for (int s = 0; s < p->fourier.samples; s++)
        p->t[s] = p->tau ? p->tau[s] / p->w : s * step;
}

void zw_period_set(zw_period *p, const double *parameter, double w) {
    const zw_kernel *k = p->kernel;
    p->w = w;
    for (int i = 0; i < k->np; i++)
        for (int l = 0; l < LANES; l++)
            p->parameter[i * LANES + l] = parameter[i];
    zw_prepare(k, p->parameter, p->cache, p->work);
    set_times(p);
}

void zw_period_place(zw_period *p, int points, double *tau, const double *weight) {
    zw_fourier_place(&p->fourier, points, tau, weight);
    for (int s = points; s < p->fourier.samples; s++)
        tau[s] = tau[0];
    p->tau = tau;
    set_times(p);
}

void zw_period_state(const zw_period *p, const double *coefficient, double tau, double *x,
                     double *z) {
    const zw_kernel *k = p->kernel;
    const zw_fourier *f = &p->fourier;
    for (int j = 0; j < k->nq; j++)
        x[j * LANES] = zw_fourier_at(f, coefficient + (size_t)(j * f->n), 0, tau);
    for (int j = 0; j < k->nv; j++) {
        const double *own = coefficient + (size_t)((p->plain ? j : k->nq + j) * f->n);
        int order = p->plain ? 1 : 0;
        double w = p->plain ? p->w : 1;
        x[(k->nq + j) * LANES] = w * zw_fourier_at(f, own, order, tau);
        if (z)
            z[j * LANES] = w * p->w * zw_fourier_at(f, own, order + 1, tau);
    }
}

/* ----------------------------------------------------------------------------------- evaluation */

static void call_kernel(const zw_period *p, zw_function_name name, double *out) {
    const zw_kernel *k = p->kernel;
    int n = p->size[name];
    if (n == 0)
        return;
    for (int g = 0; g < group_count(p); g++) {
        const zw_args in = {.t = p->t + (size_t)(g * LANES),
                            .x = p->x + (size_t)(g * LANES * k->nx),
                            .z = p->z + (size_t)(g * LANES * k->nz),
                            .u = p->input + (size_t)(g * p->input_stride),
                            .c = p->cache};
        zw_kernel_call(k, name, &in, out + (size_t)(g * LANES * n), p->work);
    }
}

/* scatters S values, times a factor, into an array by groups with `width` entries per point */
static void scatter_values(const zw_period *p, const double *from, double factor, double *to,
                           int width) {
    for (int g = 0; g < group_count(p); g++)
        for (int l = 0; l < LANES; l++)
            to[(size_t)(g * width * LANES) + (size_t)l] = factor * from[g * LANES + l];
}

static void evaluate_torus_series(const zw_period *p, const double *coefficient, double *q,
                                  int q_width, double *v, int v_width, double *a, int a_width) {
    const zw_fourier *f = &p->fourier;
    double *to[] = {q, v, a};
    const int width[] = {q_width, v_width, a_width};
    for (int order = 0; order < 3; order++)
        if (to[order]) {
            zw_fourier_values(f, coefficient, order, p->own);
            scatter_values(p, p->own,
                           order == 0   ? 1
                           : order == 1 ? p->w
                                        : p->w * p->w,
                           to[order], width[order]);
        }
}

/* Evaluates a function into q and its time derivatives into v and a, which may be NULL: entries of
 * arrays by groups with q_width, v_width and a_width entries per point. */
static void evaluate_series(const zw_period *p, const double *coefficient, double *q, int q_width,
                            double *v, int v_width, double *a, int a_width) {
    const zw_fourier *f = &p->fourier;
    if (f->torus) {
        evaluate_torus_series(p, coefficient, q, q_width, v, v_width, a, a_width);
        return;
    }
    zw_fourier_move(f, coefficient,
                    &(zw_fourier_places){.points = f->samples,
                                         .cosine = f->cosine,
                                         .sine = f->sine,
                                         .w = p->w,
                                         .q = q,
                                         .v = v,
                                         .a = a,
                                         .q_stride = q_width * LANES,
                                         .v_stride = v_width * LANES,
                                         .a_stride = a_width * LANES});
}

/* adds k tau to the series of rotating angles */
static void add_winding(const zw_period *p) {
    const zw_kernel *k = p->kernel;
    for (int i = 0; i < k->nq; i++)
        for (int g = 0; g < group_count(p) && p->winding[i] != 0; g++)
            for (int l = 0; l < LANES; l++) {
                int s = g * LANES + l;
                p->x[(g * k->nx + i) * LANES + l] +=
                    2 * M_PI * p->winding[i] * s / p->fourier.samples;
                *(p->plain ? &p->x[(g * k->nx + k->nq + i) * LANES + l]
                           : &p->rate[(g * k->nq + i) * LANES + l]) += p->winding[i] * p->w;
            }
}

void zw_period_move(zw_period *p, const double *coefficient) {
    const zw_kernel *k = p->kernel;
    int n = p->fourier.n;
    if (p->coefficient)
        memcpy(p->coefficient, coefficient, doubles(p->n * n));
    double *velocity = p->x + (size_t)(k->nq * LANES);
    for (int i = 0; i < k->nq; i++) {
        const double *own = coefficient + (size_t)(i * n);
        size_t at = (size_t)(i * LANES);
        if (p->plain)
            evaluate_series(p, own, p->x + at, k->nx, velocity + at, k->nx, p->z + at, k->nz);
        else
            evaluate_series(p, own, p->x + at, k->nx, p->rate + at, k->nq, NULL, 0);
    }
    for (int i = 0; i < k->nv && !p->plain; i++)
        evaluate_series(p, coefficient + (size_t)((k->nq + i) * n), velocity + (size_t)(i * LANES),
                        k->nx, p->z + (size_t)(i * LANES), k->nz, NULL, 0);
    for (int i = 0; i < k->nc; i++)
        evaluate_series(p, coefficient + (size_t)((p->n - k->nc + i) * n),
                        p->z + (size_t)((k->nv + i) * LANES), k->nz, NULL, 0, NULL, 0);
    if (p->winding)
        add_winding(p);
    call_kernel(p, ZW_FN_MATS, p->mats);
    if (k->npos)
        call_kernel(p, ZW_FN_POS, p->pos);
    if (k->nvel)
        call_kernel(p, ZW_FN_VEL, p->vel);
}

static zw_mats_parts mats_of(const zw_period *p, int group) {
    const zw_kernel *k = p->kernel;
    return zw_mats_of(k, p->mats + (size_t)(group * LANES * p->size[ZW_FN_MATS]));
}

/* (M v' - h - C lambda)_i of a group */
static void dynamic_row(const zw_period *p, const zw_mats_parts *m, const double *z, int i,
                        double *out) {
    const zw_kernel *k = p->kernel;
    for (int l = 0; l < LANES; l++)
        out[l] = -m->h[i * LANES + l];
    for (int at = p->mass_first[i]; at < p->mass_first[i + 1]; at++)
        for (int l = 0, j = p->mass[at]; l < LANES; l++)
            out[l] += m->M[(i * k->nv + j) * LANES + l] * z[j * LANES + l];
    for (int j = 0; j < k->nc; j++)
        for (int l = 0; l < LANES; l++)
            out[l] -= m->C[(i * k->nc + j) * LANES + l] * z[(k->nv + j) * LANES + l];
}

static void constraint_row(const zw_period *p, const zw_mats_parts *m, int group, const double *z,
                           int i, double *out) {
    const zw_kernel *k = p->kernel;
    int low = p->low[i];
    if (low >= 0) {
        bool position = low < k->npos;
        const double *from = position ? p->pos + (size_t)(group * LANES * p->size[ZW_FN_POS])
                                      : p->vel + (size_t)(group * LANES * p->size[ZW_FN_VEL]);
        memcpy(out, from + (size_t)((position ? low : low - k->npos) * LANES), doubles(LANES));
        return;
    }
    for (int l = 0; l < LANES; l++)
        out[l] = -m->b[i * LANES + l];
    for (int j = 0; j < k->nv; j++)
        for (int l = 0; l < LANES; l++)
            out[l] += m->W[(i * k->nv + j) * LANES + l] * z[j * LANES + l];
}

/* q_i' - qdot_i */
static void kinematic_row(const zw_period *p, const zw_mats_parts *m, int group, int i,
                          double *out) {
    const double *rate = p->rate + (size_t)((group * p->kernel->nq + i) * LANES);
    for (int l = 0; l < LANES; l++)
        out[l] = rate[l] - m->qdot[i * LANES + l];
}

void zw_period_rows(zw_period *p, double *row) {
    const zw_kernel *k = p->kernel;
    int S = p->fourier.samples, first = p->plain ? 0 : k->nq;
    for (int g = 0; g < group_count(p); g++) {
        zw_mats_parts m = mats_of(p, g);
        const double *z = p->z + (size_t)(g * LANES * k->nz);
        double *to = row + (size_t)(g * LANES);
        for (int i = 0; i < first; i++)
            kinematic_row(p, &m, g, i, to + (size_t)(i * S));
        for (int i = 0; i < k->nv; i++)
            dynamic_row(p, &m, z, i, to + (size_t)((first + i) * S));
        for (int i = 0; i < k->nc; i++)
            constraint_row(p, &m, g, z, i, to + (size_t)((first + k->nv + i) * S));
    }
}

void zw_period_level(zw_period *p, int i, double *series) {
    int low = p->level[i], npos = p->kernel->npos, at = low < npos ? low : low - npos,
        size = p->size[low < npos ? ZW_FN_POS : ZW_FN_VEL];
    const double *from = low < npos ? p->pos : p->vel;
    for (int g = 0; g < group_count(p); g++)
        memcpy(series + (size_t)(g * LANES), from + (size_t)((g * size + at) * LANES),
               doubles(LANES));
}

void zw_period_momenta(zw_period *p, double *row) {
    const zw_kernel *k = p->kernel;
    int S = p->fourier.samples, first = p->plain ? 0 : k->nq;
    memset(row, 0, doubles(p->n * S));
    for (int g = 0; g < group_count(p); g++) {
        zw_mats_parts m = mats_of(p, g);
        const double *v = p->x + (size_t)((g * k->nx + k->nq) * LANES);
        for (int i = 0; i < k->nv; i++)
            for (int j = 0; j < k->nv; j++)
                for (int l = 0; l < LANES; l++)
                    row[(first + i) * S + g * LANES + l] +=
                        m.M[(i * k->nv + j) * LANES + l] * v[j * LANES + l];
    }
}

/* ---------------------------------------------------------------------------------- derivatives */

void zw_period_derive(zw_period *p) {
    call_kernel(p, ZW_FN_JAC, p->jac);
    if (p->kernel->npos || p->kernel->nvel)
        call_kernel(p, ZW_FN_GRAD, p->grad);
}

typedef zw_period_entry entry;

static const entry zero_entry = {.kind = ZW_SERIES_ZERO};

static entry entry_of(const zw_period *p, zw_function_name name, const double *base,
                      const double *part, int at, double sign) {
    const unsigned char *kind = p->kernel->kind[name];
    int i = (int)(part - base) / LANES + at;
    return (entry){.base = base,
                   .size = p->size[name],
                   .at = i,
                   .sign = sign,
                   .kind = !kind                        ? ZW_SERIES_VARIES
                           : kind[i] == ZW_OUTPUT_ZERO  ? ZW_SERIES_ZERO
                           : kind[i] == ZW_OUTPUT_FIXED ? ZW_SERIES_CONSTANT
                                                        : ZW_SERIES_VARIES};
}

/* row i of M v' - h - C lambda (i < nv) or W v' - b: derivative with respect to entry j of x, of
 * v', of lambda */
static entry dynamic_in_x(const zw_period *p, int i, int j) {
    zw_jac_parts part = zw_jac_of(p->kernel, p->jac);
    return entry_of(p, ZW_FN_JAC, p->jac, part.dr_dx, i * p->kernel->nx + j, 1);
}

static entry dynamic_in_accel(const zw_period *p, int i, int j) {
    const zw_kernel *k = p->kernel;
    zw_mats_parts m = zw_mats_of(k, p->mats);
    return i < k->nv ? entry_of(p, ZW_FN_MATS, p->mats, m.M, i * k->nv + j, 1)
                     : entry_of(p, ZW_FN_MATS, p->mats, m.W, (i - k->nv) * k->nv + j, 1);
}

static entry dynamic_in_lambda(const zw_period *p, int i, int j) {
    const zw_kernel *k = p->kernel;
    zw_mats_parts m = zw_mats_of(k, p->mats);
    return i < k->nv ? entry_of(p, ZW_FN_MATS, p->mats, m.C, i * k->nc + j, -1) : zero_entry;
}

/* derivative of phi or psi with respect to entry j of x */
static entry level_in_x(const zw_period *p, int low, int j) {
    const zw_kernel *k = p->kernel;
    zw_grad_parts grad = zw_grad_of(k, p->grad);
    if (low < k->npos)
        return j < k->nq ? entry_of(p, ZW_FN_GRAD, p->grad, grad.dphi_dq, low * k->nq + j, 1)
                         : zero_entry;
    low -= k->npos;
    if (j < k->nq)
        return entry_of(p, ZW_FN_GRAD, p->grad, grad.dpsi_dq, low * k->nq + j, 1);
    return entry_of(p, ZW_FN_VEL, p->vel, zw_vel_of(k, p->vel).Psi, low * k->nv + j - k->nq, 1);
}

/* rows after the kinematic ones: derivative with respect to x, v', lambda */
static entry in_x(const zw_period *p, int row, int j) {
    const zw_kernel *k = p->kernel;
    int low = row < k->nv ? -1 : p->low[row - k->nv];
    return low < 0 ? dynamic_in_x(p, row, j) : level_in_x(p, low, j);
}

static entry in_accel(const zw_period *p, int row, int j) {
    const zw_kernel *k = p->kernel;
    return row >= k->nv && p->low[row - k->nv] >= 0 ? zero_entry : dynamic_in_accel(p, row, j);
}

static entry find_entry(const zw_period *p, int row, int function, int order) {
    const zw_kernel *k = p->kernel;
    int first = p->plain ? 0 : k->nq, moving = p->n - k->nc;
    if (row < first) { /* q' - qdot */
        if (order == 1 && function == row)
            return (entry){.sign = 1, .kind = ZW_SERIES_CONSTANT};
        return order == 0 && function < moving
                   ? entry_of(p, ZW_FN_JAC, p->jac, zw_jac_of(k, p->jac).dqdot_dx,
                              row * k->nx + function, -1)
                   : zero_entry;
    }
    row -= first;
    if (function >= moving)
        return order == 0 ? dynamic_in_lambda(p, row, function - moving) : zero_entry;
    if (p->plain)
        return order == 0   ? in_x(p, row, function)
               : order == 1 ? in_x(p, row, k->nq + function)
                            : in_accel(p, row, function);
    return order == 0                        ? in_x(p, row, function)
           : order == 1 && function >= k->nq ? in_accel(p, row, function - k->nq)
                                             : zero_entry;
}

static zw_period_kind gather_series(const zw_period *p, entry e, double *series) {
    int S = p->fourier.samples;
    bool varies = false;
    if (!e.base) {
        for (int s = 0; s < S; s++)
            series[s] = e.sign;
        return e.sign != 0 ? ZW_SERIES_CONSTANT : ZW_SERIES_ZERO;
    }
    const double *from = e.base + (size_t)(e.at * LANES);
    double first = from[0];
    for (int g = 0; g < group_count(p); g++, from += (size_t)(e.size * LANES))
        for (int l = 0; l < LANES; l++) {
            varies |= from[l] != first;
            series[g * LANES + l] = e.sign * from[l];
        }
    return varies ? ZW_SERIES_VARIES : first != 0 ? ZW_SERIES_CONSTANT : ZW_SERIES_ZERO;
}

double zw_period_value(const zw_period_entry *e) {
    return e->kind == ZW_SERIES_ZERO ? 0 : e->base ? e->sign * e->base[e->at * LANES] : e->sign;
}

void zw_period_gather(const zw_period *p, const zw_period_entry *e, double *series) {
    const double *from = e->base + (size_t)(e->at * LANES);
    for (int g = 0; g < group_count(p); g++, from += (size_t)(e->size * LANES))
        for (int l = 0; l < LANES; l++)
            series[g * LANES + l] = e->sign * from[l];
}

bool zw_period_level_in(const zw_period *p, int i, int function, double *series) {
    const zw_kernel *k = p->kernel;
    return function < k->nq + k->nv &&
           gather_series(p, level_in_x(p, p->level[i], function), series) != ZW_SERIES_ZERO;
}

void zw_period_level_force(zw_period *p, int i, double *row) {
    const zw_kernel *k = p->kernel;
    int S = p->fourier.samples, low = p->level[i], from = low < k->npos ? 0 : k->nq,
        to = low < k->npos ? k->nq : k->nq + k->nv;
    memset(row, 0, doubles(p->n * S));
    call_kernel(p, ZW_FN_GRAD, p->grad);
    for (int j = from; j < to; j++) {
        /* the row with the same number: q' and v' are in this order */
        double *out = row + (size_t)(j * S);
        gather_series(p, level_in_x(p, low, j), out);
        for (int s = 0; s < S && from; s++)
            out[s] = -out[s];
    }
}

/* lists all derivatives that are not structurally zero */
static zw_status list_pairs(zw_period *p, zw_arena *arena, zw_error *err) {
    int capacity = 0;
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < p->n; j++) {
            zw_period_pair pair = {.row = i, .function = j};
            bool any = false;
            for (int order = 0; order < 3; order++) {
                pair.entry[order] = find_entry(p, i, j, order);
                any |= pair.entry[order].kind != ZW_SERIES_ZERO;
                pair.varies |= pair.entry[order].kind == ZW_SERIES_VARIES;
            }
            if (!any)
                continue;
            if (!zw_arena_grow(arena, (void **)&p->pair, p->npair, &capacity, sizeof *p->pair))
                return zw_out_of_memory(err, NULL);
            p->pair[p->npair++] = pair;
        }
    return ZW_OK;
}

zw_period_kind zw_period_series(const zw_period *p, int row, int function, int order,
                                double *series) {
    return gather_series(p, find_entry(p, row, function, order), series);
}

/* ------------------------------------------------------------------------------- in a parameter */

/* Adds to out (S) the derivative of row i at fixed coefficients with respect to the chosen
 * parameter, or to time (in_time), times factor. */
static void add_direct(const zw_period *p, int row, bool in_time, const double *factor,
                       double *out) {
    const zw_kernel *k = p->kernel;
    zw_time_parts t = zw_time_of(k, p->time);
    zw_jac_p_parts a = zw_jac_p_of(k, p->jac_p);
    int first = p->plain ? 0 : k->nq, stride = in_time ? 1 : k->npar, i = row - first;
    int low = i < k->nv ? -1 : p->low[i - k->nv];
    const double *part;
    double sign = 1;
    if (i < 0) {
        part = in_time ? t.dqdot_dt : a.dqdot_dp;
        i = row;
        sign = -1;
    } else if (low < 0) {
        part = in_time ? t.dr_dt : a.dr_dp;
    } else if (low < k->npos) {
        part = in_time ? t.dphi_dt : a.dphi_dp;
        i = low;
    } else {
        part = in_time ? t.dpsi_dt : a.dpsi_dp;
        i = low - k->npos;
    }
    entry e = in_time ? entry_of(p, ZW_FN_TIME, p->time, part, i, sign)
                      : entry_of(p, ZW_FN_JAC_P, p->jac_p, part, i * stride, sign);
    if (e.kind == ZW_SERIES_ZERO)
        return;
    zw_period_gather(p, &e, p->series);
    for (int s = 0; s < p->fourier.samples; s++)
        out[s] += (factor ? factor[s] : 1) * p->series[s];
}

void zw_period_level_slope(const zw_period *p, int i, double w_slope, double *series) {
    const zw_kernel *k = p->kernel;
    zw_time_parts t = zw_time_of(k, p->time);
    zw_jac_p_parts a = zw_jac_p_of(k, p->jac_p);
    int S = p->fourier.samples, low = p->level[i], at = low < k->npos ? low : low - k->npos;
    double part = w_slope / p->w;
    memset(series, 0, doubles(S));
    if (part != 0) {
        gather_series(
            p, entry_of(p, ZW_FN_TIME, p->time, low < k->npos ? t.dphi_dt : t.dpsi_dt, at, 1),
            series);
        for (int s = 0; s < S; s++)
            series[s] *= -part * p->t[s];
    }
    if (k->npar) {
        gather_series(p,
                      entry_of(p, ZW_FN_JAC_P, p->jac_p, low < k->npos ? a.dphi_dp : a.dpsi_dp,
                               at * k->npar, 1),
                      p->series);
        for (int s = 0; s < S; s++)
            series[s] += p->series[s];
    }
}

/* adds y' and y'' of several phases, each harmonic times its own order w_a/w */
static void add_frequencies(zw_period *p, const zw_period_pair *pair, double *out) {
    const zw_kernel *k = p->kernel;
    const zw_fourier *f = &p->fourier;
    int j = pair->function;
    for (int order = 1; order <= 2 && j < p->n - k->nc; order++) {
        const zw_period_entry *e = &pair->entry[order];
        if (e->kind == ZW_SERIES_ZERO)
            continue;
        zw_torus_values(f->torus, p->coefficient + (size_t)(j * f->n), order, f->rate, p->slope,
                        p->own);
        double factor =
            order * (order == 1 ? p->w : p->w * p->w) * (e->base ? e->sign : zw_period_value(e));
        for (int s = 0; s < f->samples; s++) {
            int g = s / LANES, l = s % LANES;
            out[s] +=
                factor * p->own[s] * (e->base ? e->base[(g * e->size + e->at) * LANES + l] : 1);
        }
    }
}

/* adds y' w_a/w and 2 y'' w_a/w, the derivatives of the function with respect to w */
static void add_frequency(const zw_period *p, const zw_period_pair *pair, double part,
                          double *out) {
    const zw_kernel *k = p->kernel;
    int j = pair->function, moving = p->n - k->nc;
    for (int order = 1; order <= 2 && j < moving; order++) {
        const zw_period_entry *e = &pair->entry[order];
        if (e->kind == ZW_SERIES_ZERO)
            continue;
        bool is_q = j < k->nq;
        const double *from = p->plain ? (order == 1 ? p->x : p->z) : is_q ? p->rate : p->z;
        int width = p->plain ? (order == 1 ? k->nx : k->nz)
                    : is_q   ? k->nq
                             : k->nz,
            at = p->plain ? (order == 1 ? k->nq + j : j)
                 : is_q   ? j
                          : j - k->nq;
        double factor = order * part * (e->base ? e->sign : zw_period_value(e));
        for (int g = 0; g < group_count(p); g++) {
            const double *y = from + (size_t)((g * width + at) * LANES),
                         *d = e->base ? e->base + (size_t)((g * e->size + e->at) * LANES) : NULL;
            for (int l = 0; l < LANES; l++)
                out[g * LANES + l] += factor * (d ? d[l] : 1) * y[l];
        }
    }
}

void zw_period_slope(zw_period *p, double w_slope, double *row) {
    const zw_kernel *k = p->kernel;
    int S = p->fourier.samples;
    double part = w_slope / p->w;
    memset(row, 0, doubles(p->n * S));
    if (k->npar)
        call_kernel(p, ZW_FN_JAC_P, p->jac_p);
    if (part != 0)
        call_kernel(p, ZW_FN_TIME, p->time);
    for (int i = 0; i < p->n; i++) {
        double *to = row + (size_t)(i * S);
        if (part != 0) {
            add_direct(p, i, true, p->t, to);
            for (int s = 0; s < S; s++)
                to[s] *= -part;
        }
        if (k->npar)
            add_direct(p, i, false, NULL, to);
    }
    for (int i = 0; i < p->npair && p->slope; i++)
        add_frequencies(p, &p->pair[i], row + (size_t)(p->pair[i].row * S));
    for (int i = 0; i < p->npair && part != 0 && !p->slope; i++)
        add_frequency(p, &p->pair[i], part, row + (size_t)(p->pair[i].row * S));
}
