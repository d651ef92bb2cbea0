/* SPDX-License-Identifier: MIT */
/* The motion of an experiment, from node to node. A node's state moves within the constraints and
 * with the parameters,
 *
 *   dx = T y + Q dp,     G T = 0,     G Q = -g_p,
 *
 * at the start with further rows for entries that are not free, which are those of the model.
 * Variations satisfy Y' = J Y + (0, f_p), Y(t_k) = (T, Q), by collocation on the steps of the
 * run (src/motion/segments); between the ends of a step of length h they are the polynomial of the
 * collocation,
 *
 *   Y(t_0 + s h) = Y(t_0) + h sum_l integral_0^s l_l K_l,
 *
 * so that samples need no additional steps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "fit.h"
#include "num/linear/linalg.h"

/* relative length of a row of constraints across the others: below, it depends on them */
#define INDEPENDENT 1e-10
/* of sizes: central differences of algebra, error 1e-10 by round-off and 1e-12 by the second
 * order */
#define DIFFERENCE_STEP 1e-6
/* of the scale of a parameter: least size where its value is about zero */
#define SIZE_AT_ZERO 1e-3
/* times the least residual of shorter windows: a longer one is no parabola any more */
#define PARABOLA_MISSES 1.5

static size_t doubles(int n) {
    return sizeof(double) * (size_t)n;
}

double zw_fit_sigma(const zw_fit *f, const zw_fit_experiment *e, int row, int q) {
    double own = e->sd[row * f->nq + q];
    return isnan(own) ? f->quantity[q].sigma : own;
}

/* ------------------------------------------------------------------------------------- a sample */

/* Integrals of the Lagrange polynomials of the stages from s to 1, times h. */
static void rest_weights(const zw_gauss *rule, const zw_gauss *quadrature, double s, double h,
                         double *weight) {
    for (int l = 0; l < rule->m; l++) {
        weight[l] = 0;
        for (int k = 0; k < rule->m; k++)
            weight[l] += h * (1 - s) * quadrature->b[k] *
                         zw_gauss_lagrange(rule, l, s + (1 - s) * quadrature->c[k]);
    }
}

/* Y at t0 + s h from that at the end of the step. */
static void disturbances_at(zw_fit *f, double t0, double t1, double t) {
    const zw_trail *v = &f->trail;
    int nx = v->nx, m = v->rule.m;
    double weight[ZW_GAUSS_MAX];
    memcpy(f->Y, v->Y, doubles(nx * v->n));
    if (t >= t1) {
        zw_fit_fold(f, f->Y);
        return;
    }
    rest_weights(&v->rule, &f->quadrature, (t - t0) / (t1 - t0), t1 - t0, weight);
    for (int j = 0; j < v->n; j++)
        for (int l = 0; l < m; l++)
            for (int r = 0; r < nx; r++)
                f->Y[r * v->n + j] -= weight[l] * v->K[(j * m + l) * nx + r];
    zw_fit_fold(f, f->Y);
}

zw_status zw_fit_values_at(zw_fit *f, double t, double *h, zw_error *err) {
    zw_flow *flow = f->leg.flow;
    int nobs = f->kernel->nobs, i;
    if (f->needs_z)
        ZW_TRY(zw_flow_rates(flow, t, f->x, f->leg.rate, f->z, err));
    if (f->needs_obs)
        ZW_TRY(zw_flow_observables(flow, t, f->x, f->obs, err));
    for (int q = 0; q < f->nq; q++) {
        zw_along_kind kind = f->quantity[q].kind;
        i = f->quantity[q].index;
        if (f->contacts.used) /* with the active equations */
            kind = zw_sim_along_column(f->sim, f->quantity[q].column, &i);
        switch (kind) {
        case ZW_ALONG_ZERO:
            h[q] = 0;
            break;
        case ZW_ALONG_STATE:
            h[q] = f->x[i];
            break;
        case ZW_ALONG_RATE:
            h[q] = f->z[i];
            break;
        case ZW_ALONG_OBSERVABLE:
            h[q] = f->obs[i];
            break;
        default:
            h[q] = f->obs[nobs] + f->obs[nobs + 1];
        }
        if (!isfinite(h[q]))
            return zw_fail(err, ZW_E_NONFINITE, "%s is not finite at t = %.10g",
                           f->quantity[q].name, t);
    }
    return ZW_OK;
}

/* Columns of variations: directions and parameters. */
static int disturbance_columns(const zw_fit *f) {
    return f->trail.n - f->events.nmemory;
}

/* row += h_x Y + h_p + h_m M of one line of derivatives, h_p with respect to the parameters of the
 * kernel. */
static void apply_chain_rule(const zw_fit *f, const double *h_x, const double *h_p, double *row) {
    int n = disturbance_columns(f), P = f->P;
    for (int i = 0; i < f->nx; i++)
        if (h_x[i] != 0)
            for (int j = 0; j < n; j++)
                row[j] += h_x[i] * f->Y[i * n + j];
    for (int j = 0; j < P; j++)
        row[n - P + j] += h_p[j];
    for (int i = 0; i < f->events.nmemory; i++)
        for (int j = 0; j < n; j++)
            row[j] += h_p[P + i] * f->events.M[i * n + j];
}

static zw_status find_slopes(zw_fit *f, double t, double *D, zw_error *err) {
    zw_flow *flow = f->leg.flow;
    int nx = f->nx, npar = f->npar, n = disturbance_columns(f), width = nx + f->P,
        nobs = f->kernel->nobs;
    double *J = f->z_x + f->kernel->nz * nx, *Jp = f->z_p + f->kernel->nz * npar;
    if (f->needs_z) {
        ZW_TRY(zw_flow_jacobian(flow, t, f->x, J, f->z_x, err));
        ZW_TRY(zw_flow_in_parameters(flow, t, f->x, Jp, f->z_p, err));
    }
    if (f->needs_obs) {
        ZW_TRY(zw_flow_observables_jacobian(flow, t, f->x, f->obs_x, err));
        ZW_TRY(zw_flow_observables_in_parameters(flow, t, f->x, f->obs_p, err));
    }
    for (int q = 0; q < f->nq; q++) {
        double *row = D + (size_t)q * (size_t)width;
        int i = f->quantity[q].index;
        memset(row, 0, doubles(width));
        switch (f->quantity[q].kind) {
        case ZW_ALONG_STATE:
            memcpy(row, f->Y + (size_t)i * (size_t)n, doubles(n));
            break;
        case ZW_ALONG_RATE:
            apply_chain_rule(f, f->z_x + i * nx, f->z_p + i * npar, row);
            break;
        case ZW_ALONG_OBSERVABLE:
            apply_chain_rule(f, f->obs_x + i * nx, f->obs_p + i * npar, row);
            break;
        default:
            for (int part = nobs; part < nobs + 2; part++)
                apply_chain_rule(f, f->obs_x + part * nx, f->obs_p + part * npar, row);
        }
    }
    return ZW_OK;
}

/* Row `cursor` of the data, at which the state is f->x. */
static zw_status take_row(zw_fit *f, double t0, double t1, double t, zw_error *err) {
    zw_fit_experiment *e = f->now;
    int k = f->cursor++;
    ZW_TRY(zw_fit_values_at(f, t, e->h + (size_t)k * (size_t)f->nq, err));
    if (!f->derivatives)
        return ZW_OK;
    disturbances_at(f, t0, t1, t);
    return find_slopes(f, t, e->D + (size_t)k * (size_t)(f->nq * (f->nx + f->P)), err);
}

static zw_status on_piece(void *self, zw_run *run, double t0, double t1, zw_error *err) {
    zw_fit *f = self;
    f->steps++;
    while (f->cursor < f->last_row && f->now->t[f->cursor] <= t1) {
        double t = f->now->t[f->cursor];
        ZW_TRY(zw_run_dense(run, t, f->x, err));
        ZW_TRY(take_row(f, t0, t1, t, err));
    }
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- a node */

/* g_p; the equations of a simulation have no derivatives with respect to parameters: central
 * differences. */
static zw_status constraints_in_parameters(zw_fit *f, double t, const double *x, int ng,
                                           zw_error *err) {
    if (!f->contacts.used)
        return zw_flow_constraints_in_parameters(f->second_flow, t, x, f->g_p, err);
    double g[2][ng + 1], value[f->P + 1];
    memcpy(value, f->now->tried, doubles(f->P));
    for (int j = 0; j < f->P; j++) {
        double step = DIFFERENCE_STEP * fmax(fabs(value[j]), SIZE_AT_ZERO * f->param[j].scale);
        for (int side = 0; side < 2; side++) {
            value[j] = f->now->tried[j] + (side ? -step : step);
            ZW_TRY(zw_fit_set_parameters(f, f->now, value, err));
            ZW_TRY(zw_flow_constraints(f->second_flow, t, x, g[side], NULL, err));
        }
        value[j] = f->now->tried[j];
        for (int r = 0; r < ng; r++)
            f->g_p[r * f->npar + j] = (g[0][r] - g[1][r]) / (2 * step);
    }
    return zw_fit_set_parameters(f, f->now, f->now->tried, err);
}

/* T and Q of a node at the state x; the start has further rows, the entries that are not free,
 * which depend on the parameters by S (nx x P). */
static zw_status find_directions(zw_fit *f, zw_fit_node *node, const double *x, const double *S,
                                 zw_error *err) {
    int nx = f->nx, P = f->P, ng = zw_flow_levels(f->second_flow), rows = ng;
    double *G = f->G, column[nx + 1];
    if (ng) {
        ZW_TRY(constraints_in_parameters(f, node->t, x, ng, err));
        ZW_TRY(zw_flow_constraints(f->second_flow, node->t, x, NULL, G, err));
    }
    for (int i = 0; S && i < nx; i++)
        if (!f->state_free[i]) {
            memset(G + (size_t)rows * (size_t)nx, 0, doubles(nx));
            G[rows * nx + i] = 1;
            rows++;
        }
    int rank = zw_num_rows_factor(rows, nx, G, S ? 0 : ng, INDEPENDENT, f->tau, f->order);
    node->n = nx - rank;
    double *basis = f->Y; /* rows; T has them as columns */
    zw_num_rows_complement(nx, G, rank, f->tau, f->order, basis);
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < node->n; j++)
            node->T[i * node->n + j] = basis[j * nx + i];
    for (int j = 0; j < P; j++) {
        for (int r = 0; r < ng; r++)
            f->side[r] = -f->g_p[r * f->npar + j];
        for (int i = 0, r = ng; S && i < nx; i++)
            if (!f->state_free[i])
                f->side[r++] = S[i * P + j];
        zw_num_rows_solve(nx, G, rank, f->tau, f->order, f->side, column);
        for (int i = 0; i < nx; i++)
            node->Q[i * P + j] = column[i];
    }
    return ZW_OK;
}

/* Derivatives of the start of the model with respect to the parameters, by central differences: it
 * is algebra. */
static zw_status start_slopes(zw_fit *f, zw_fit_experiment *e, double *S, zw_error *err) {
    double value[f->P + 1], x[2][f->nx + 1];
    memcpy(value, e->value, doubles(f->P));
    for (int j = 0; j < f->P; j++) {
        double step = DIFFERENCE_STEP * fmax(fabs(value[j]), SIZE_AT_ZERO * f->param[j].scale);
        for (int side = 0; side < 2; side++) {
            value[j] = e->value[j] + (side ? -step : step);
            ZW_TRY(zw_fit_model_start(f, e, value, x[side], err));
        }
        value[j] = e->value[j];
        for (int i = 0; i < f->nx; i++)
            S[i * f->P + j] = (x[0][i] - x[1][i]) / (2 * step);
    }
    return ZW_OK;
}

zw_status zw_fit_directions(zw_fit *f, zw_fit_experiment *e, int k, const double *x,
                            zw_error *err) {
    double S[f->nx * f->P + 1];
    if (k > 0 || f->all_free)
        return find_directions(f, &e->node[k], x, NULL, err);
    ZW_TRY(start_slopes(f, e, S, err));
    return find_directions(f, &e->node[k], x, S, err);
}

static zw_status begin_node(zw_fit *f, zw_fit_experiment *e, int k, const double *x,
                            zw_error *err) {
    zw_fit_node *node = &e->node[k];
    int nx = f->nx, P = f->P;
    ZW_TRY(zw_fit_directions(f, e, k, x, err));
    zw_trail *v = &f->trail;
    v->n = node->n + f->npar;
    memset(v->Y, 0, doubles(nx * v->n));
    memset(f->events.M, 0, doubles(f->events.nmemory * (nx + P)));
    for (int i = 0; i < nx; i++) {
        memcpy(v->Y + i * v->n, node->T + i * node->n, doubles(node->n));
        memcpy(v->Y + i * v->n + node->n, node->Q + i * P, doubles(P));
    }
    return ZW_OK;
}

zw_status zw_fit_motion(zw_fit *f, zw_fit_experiment *e, bool tried, bool with, zw_error *err) {
    int nx = f->nx;
    if (with && f->contacts.used)
        return zw_fit_contacts_slopes(f, e, tried, err);
    if (!tried)
        memcpy(e->tried, e->value, doubles(f->P));
    f->now = e;
    f->derivatives = with;
    ZW_TRY(zw_fit_set_parameters(f, e, e->tried, err));
    e->nact = 0;
    for (int k = 0; k < e->K; k++) {
        zw_fit_node *node = &e->node[k], *next = node + 1;
        const double *x = tried ? node->try : node
            ->x;
        if (with)
            ZW_TRY(begin_node(f, e, k, x, err));
        f->cursor = node->row;
        f->last_row = k + 1 < e->K ? next->row : e->nrow;
        f->leg.trail = with ? &f->trail : NULL;
        f->leg.part = on_piece;
        f->leg.part_self = f;
        f->leg.tangled = false;
        ZW_TRY(zw_fit_pass(f, k, node->t, x, next->t, node->end, err));
        f->tangled |= f->leg.tangled;
        memcpy(f->x, node->end, doubles(nx));
        while (f->cursor < f->last_row) /* a time that round-off has put after the end */
            ZW_TRY(take_row(f, node->t, next->t, next->t, err));
        if (with) {
            zw_fit_fold(f, f->trail.Y);
            memcpy(node->Y, f->trail.Y, doubles(nx * disturbance_columns(f)));
        }
        const double *there = tried ? next->try : next
            ->x;
        for (int i = 0; i < nx; i++)
            node->gap[i] = k + 1 < e->K ? node->end[i] - there[i] : 0;
    }
    return ZW_OK;
}

/* --------------------------------------------------------------------------------- first states */

/* The parabola through the `most` values of a column that are nearest to t: value and slope there,
 * the mean square of its residuals; false: there are too few. */
static bool fit_parabola(const zw_fit *f, const zw_fit_experiment *e, int q, double t, int most,
                         double *value, double *slope, double *miss) {
    int right = 0, n = 0;
    while (right < e->nrow && e->t[right] < t)
        right++;
    int left = right - 1;
    double A[3][3] = {{0}}, b[3] = {0}, squares = 0, unit = 0;
    while (n < most && (left >= 0 || right < e->nrow)) { /* nearest first */
        bool back = right >= e->nrow || (left >= 0 && t - e->t[left] < e->t[right] - t);
        int k = back ? left-- : right++;
        double y = e->y[k * f->nq + q];
        if (isnan(y))
            continue;
        if (unit == 0) /* of time: so that powers are of about one size */
            unit = fmax(fabs(e->t[e->nrow - 1] - e->t[0]) * most / e->nrow / 2, ZW_TINY);
        double s = (e->t[k] - t) / unit, power[3] = {1, s, s * s};
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++)
                A[i][j] += power[i] * power[j];
            b[i] += power[i] * y;
        }
        squares += y * y;
        n++;
    }
    if (n < most)
        return false;
    double M[9], c[3];
    int pivot[3];
    memcpy(M, A, sizeof M);
    memcpy(c, b, sizeof c);
    if (!(zw_num_lu(3, M, pivot) > ZW_ROUNDOFF_SOLVED))
        return false;
    zw_num_lu_solve(3, M, pivot, 1, c);
    *value = c[0];
    *slope = c[1] / unit;
    *miss = n > 3 ? fmax(squares - b[0] * c[0] - b[1] * c[1] - b[2] * c[2], 0) / (n - 3) : INFINITY;
    return true;
}

/* The longest window that still looks like a parabola with noise. */
static bool smooth_value(const zw_fit *f, const zw_fit_experiment *e, int q, double t,
                         double *value, double *slope) {
    static const int windows[] = {5, 7, 11, 17, 25, 37, 55, 81};
    double v, s, miss, least = INFINITY;
    bool found = false;
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        if (!fit_parabola(f, e, q, t, windows[i], &v, &s, &miss) || miss > PARABOLA_MISSES * least)
            break;
        least = fmin(least, i > 1 ? miss : INFINITY);
        *value = v;
        *slope = s;
        found = true;
    }
    if (!found) { /* the nearest one alone */
        double best = INFINITY;
        for (int k = 0; k < e->nrow; k++)
            if (!isnan(e->y[k * f->nq + q]) && fabs(e->t[k] - t) < best) {
                best = fabs(e->t[k] - t);
                *value = e->y[k * f->nq + q];
                found = true;
            }
        *slope = NAN;
    }
    return found;
}

static int compare_values(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The residuals of short parabolas are noise, or curvature: a first estimate of the noise, the
 * median over the data. */
double zw_fit_roughness(const zw_fit *f, int q) {
    enum {
        ROUGHNESS_SAMPLES = 101, /* rows at which short parabolas estimate the noise */
        WINDOW = 7               /* rows of such a parabola: four are left over for the noise */
    };
    double miss[ROUGHNESS_SAMPLES], value, slope;
    int n = 0;
    for (int i = 0; i < ROUGHNESS_SAMPLES; i++) {
        const zw_fit_experiment *e = &f->experiment[i % f->E];
        int row = (int)((long)i * (e->nrow - 1) / (ROUGHNESS_SAMPLES - 1));
        if (fit_parabola(f, e, q, e->t[row], WINDOW, &value, &slope, &miss[n]))
            n++;
    }
    qsort(miss, (size_t)n, sizeof *miss, compare_values);
    return n ? sqrt(miss[n / 2]) : NAN;
}

/* Entries of x that are measured, or whose coordinates are, from the data at t. */
static void read_measured_state(const zw_fit *f, const zw_fit_experiment *e, double t, double *x) {
    const zw_kernel *k = f->kernel;
    bool measured[f->nx + 1];
    double value, slope;
    for (int i = 0; i < f->nx; i++)
        measured[i] = false;
    for (int pass = 0; pass < 2; pass++)
        for (int q = 0; q < f->nq; q++) {
            int i = f->quantity[q].index;
            if (f->quantity[q].kind != ZW_ALONG_STATE || !smooth_value(f, e, q, t, &value, &slope))
                continue;
            if (pass == 0) {
                x[i] = value;
                measured[i] = true;
            } else if (k->plain_rates && i < k->nq && k->nq == k->nv && !measured[k->nq + i] &&
                       isfinite(slope)) {
                x[k->nq + i] = slope;
            }
        }
}

/* Data near an event do not determine a state: they belong to both sides of it. A node is moved to
 * the row nearby whose neighbours are farthest from the functions of events. */
static zw_status place_nodes(zw_fit *f, zw_fit_experiment *e, const double *base, zw_error *err) {
    enum { NEIGHBOURS = 3 }; /* rows on both sides to which a node may be moved */
    int n = f->sys->nevent, rows = e->nrow;
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    double *value = ZW_NEW(&f->arena, double, (size_t)rows *(size_t)n + 1),
           *score = ZW_NEW(&f->arena, double, rows + 1), *x = ZW_NEW(&f->arena, double, f->nx + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int r = 0; r < rows; r++) {
        memcpy(x, base, doubles(f->nx));
        read_measured_state(f, e, e->t[r], x);
        ZW_TRY(zw_fit_events_near(f, e->t[r], x, value + (size_t)r * (size_t)n, err));
        score[r] = INFINITY;
    }
    for (int i = 0; i < n; i++) {
        double most = 0;
        for (int r = 0; r < rows; r++)
            most = fmax(most, isfinite(value[r * n + i]) ? value[r * n + i] : 0);
        for (int r = 0; r < rows && most > 0; r++)
            for (int k = r > NEIGHBOURS ? r - NEIGHBOURS : 0; k < rows && k <= r + NEIGHBOURS; k++)
                score[r] = fmin(score[r], value[k * n + i] / most);
    }
    for (int k = 1; k < e->K; k++) {
        zw_fit_node *node = &e->node[k];
        int half = rows / e->K / 2, first = node->row - half + 1, best = node->row;
        first = first > node[-1].row + 1 ? first : node[-1].row + 1;
        for (int r = first; r < node->row + half && r < rows - 1; r++)
            if (score[r] > score[best] || best <= node[-1].row)
                best = r;
        node->row = best;
        node->t = e->t[best];
    }
    e->is_placed = true;
    zw_arena_release(&f->arena, mark);
    return ZW_OK;
}

/* The start is that of the model, free entries from the data. Further nodes are on the motion from
 * there, measured entries from the data. */
zw_status zw_fit_guess(zw_fit *f, zw_fit_experiment *e, bool from_data, zw_error *err) {
    int nx = f->nx;
    double was[nx + 1];
    zw_fit_node *node = e->node;
    memcpy(e->tried, e->value, doubles(f->P));
    f->now = e;
    e->nact = 0;
    f->derivatives = false;
    ZW_TRY(zw_fit_model_start(f, e, e->value, node->x, err));
    ZW_TRY(zw_fit_set_parameters(f, e, e->value, err));
    memcpy(was, node->x, doubles(nx));
    if (from_data && f->events.any && e->K > 1 && !e->is_placed)
        ZW_TRY(place_nodes(f, e, was, err));
    bool fixed[nx + 1];
    for (int i = 0; i < nx; i++)
        fixed[i] = !f->state_free[i];
    if (from_data) {
        read_measured_state(f, e, node->t, node->x);
        for (int i = 0; i < nx; i++)
            if (fixed[i])
                node->x[i] = was[i];
        if (zw_flow_project(f->second_flow, node->t, node->x, fixed, NULL) < 0)
            memcpy(node->x, was, doubles(nx)); /* the model's own start is valid */
    }
    for (int k = 0; k + 1 < e->K; k++) {
        zw_fit_node *next = &e->node[k + 1];
        f->cursor = f->last_row = 0;
        f->leg.trail = NULL;
        f->leg.part = NULL;
        zw_status status = zw_fit_pass(f, k, e->node[k].t, e->node[k].x, next->t, next->x, NULL);
        if (status == ZW_E_MEMORY)
            return zw_out_of_memory(err, NULL);
        if (status < 0) /* it has diverged: the previous node is as good a guess */
            memcpy(next->x, e->node[k].x, doubles(nx));
        if (from_data) {
            memcpy(was, next->x, doubles(nx));
            read_measured_state(f, e, next->t, next->x);
            if (zw_flow_project(f->second_flow, next->t, next->x, NULL, NULL) < 0)
                memcpy(next->x, was, doubles(nx));
        }
        ZW_TRY(zw_flow_project(f->second_flow, next->t, next->x, NULL, err));
    }
    return ZW_OK;
}
