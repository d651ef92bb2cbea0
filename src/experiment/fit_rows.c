/* SPDX-License-Identifier: MIT */
/* From the rows of all experiments to a small triangle. Directions of a node follow from those of the node before, so that with z = (y_0, dp)
 *
 *     y_k+1 = T'_k+1 (gap_k + Y_k (y_k, dp)),     y_k = w_k + W_k z,
 *
 * and a number that is measured behind node k has the linear residual
 *
 *     (h + D_y (w_k + W_k z) + D_p dp - y) / sigma = b + a z,     weighted by sqrt(rho'(r)/2r) where there is a loss.
 *
 * Rows are taken up by reflections of Householder, some at a time, into a triangle R with the right side as its last column: min |R z + c|. The unknowns of one experiment
 * stand before those that are common, so that what is left of its rows when its own columns are done speaks of the common ones alone. Parameters are counted in
 * logarithms or in their scales. */
#include <math.h>
#include <string.h>

#include "fit.h"

enum { BLOCK = 48 };

static size_t doubles(int n) {
    return sizeof(double) * (size_t)n;
}

/* ------------------------------------------------------------------------------------------------ losses */

double zw_fit_rho(const zw_fit *f, double r) {
    double k = f->options.loss_scale, a = fabs(r);
    switch (f->options.loss) {
    case ZW_FIT_HUBER:
        return a <= k ? r * r : 2 * k * a - k * k;
    case ZW_FIT_SOFT_L1:
        return 2 * k * k * (sqrt(1 + (r / k) * (r / k)) - 1);
    default:
        return r * r;
    }
}

double zw_fit_weight(const zw_fit *f, double r) {
    double k = f->options.loss_scale, a = fabs(r);
    switch (f->options.loss) {
    case ZW_FIT_HUBER:
        return a <= k ? 1 : k / a;
    case ZW_FIT_SOFT_L1:
        return 1 / sqrt(1 + (r / k) * (r / k));
    default:
        return 1;
    }
}

static double prior_of(const zw_fit_param *p, double value) {
    return isfinite(p->prior_sd) ? (value - p->prior) / p->prior_sd : 0;
}

double zw_fit_cost(const zw_fit *f, bool tried) {
    double cost = 0;
    for (int i = 0; i < f->E; i++) {
        const zw_fit_experiment *e = &f->experiment[i];
        for (int k = 0; k < e->nrow; k++)
            for (int q = 0; q < f->nq; q++) {
                double y = e->y[k * f->nq + q];
                if (!isnan(y))
                    cost += zw_fit_rho(f, (e->h[k * f->nq + q] - y) / zw_fit_sigma(f, e, k, q)) / 2;
            }
        for (int j = 0; j < f->P; j++)
            if (f->param[j].own || i == 0) {
                double r = prior_of(&f->param[j], tried ? e->tried[j] : e->value[j]);
                cost += r * r / 2;
            }
    }
    return cost;
}

/* ---------------------------------------------------------------------------------------------- triangles */

/* m rows of n taken up into the triangle R (n x n); the rows are lost */
void zw_fit_absorb(int n, double *R, int m, double *rows) {
    for (int j = 0; j < n; j++) {
        double norm = 0;
        for (int i = 0; i < m; i++)
            norm += rows[i * n + j] * rows[i * n + j];
        if (norm == 0)
            continue;
        double head = R[j * n + j], length = sqrt(head * head + norm);
        double u = head > 0 ? head + length : head - length; /* the first entry of the reflector */
        double beta = 2 / (u * u + norm);
        R[j * n + j] = head > 0 ? -length : length;
        for (int c = j + 1; c < n; c++) {
            double dot = u * R[j * n + c];
            for (int i = 0; i < m; i++)
                dot += rows[i * n + j] * rows[i * n + c];
            dot *= beta;
            R[j * n + c] -= dot * u;
            for (int i = 0; i < m; i++)
                rows[i * n + c] -= dot * rows[i * n + j];
        }
    }
}

/* ------------------------------------------------------------------------------------- one experiment */

static int own_parameters(const zw_fit *f) {
    int n = 0;
    for (int j = 0; j < f->P; j++)
        n += f->param[j].own;
    return n;
}

/* the place of parameter j behind the directions of the start: own ones first */
static int place_of(const zw_fit *f, int j) {
    int before = 0, own = own_parameters(f);
    for (int i = 0; i < j; i++)
        before += f->param[i].own == f->param[j].own;
    return f->param[j].own ? before : own + before;
}

int zw_fit_unknown(const zw_fit *f, const zw_fit_experiment *e, int j) {
    int place = place_of(f, j);
    return f->param[j].own ? e->first + e->n0 + place : f->N - f->P + place;
}

static double slope_of(const zw_fit *f, const zw_fit_experiment *e, int j) {
    const zw_fit_param *p = &f->param[j];
    return p->is_held ? 0 : p->is_log ? e->value[j] : p->scale;
}

/* w and W of the nodes, z in the order of the unknowns */
static void follow_nodes(zw_fit *f, zw_fit_experiment *e) {
    int nx = f->nx, P = f->P, size = e->size, n0 = e->n0;
    zw_fit_node *first = e->node;
    memset(first->w, 0, doubles(n0));
    memset(first->W, 0, doubles(n0 * size));
    for (int i = 0; i < n0; i++)
        first->W[i * size + i] = 1;
    for (int k = 0; k + 1 < e->K; k++) {
        const zw_fit_node *node = &e->node[k];
        zw_fit_node *next = &e->node[k + 1];
        int n = node->n + P;
        for (int i = 0; i < next->n; i++) {
            double *W = next->W + (size_t)i * (size_t)size, row[n + 1];
            memset(row, 0, doubles(n));
            memset(W, 0, doubles(size));
            next->w[i] = 0;
            for (int r = 0; r < nx; r++) {
                double T = next->T[r * next->n + i];
                next->w[i] += T * node->gap[r];
                for (int c = 0; c < n; c++)
                    row[c] += T * node->Y[r * n + c];
            }
            for (int c = 0; c < node->n; c++) {
                next->w[i] += row[c] * node->w[c];
                for (int s = 0; s < size; s++)
                    W[s] += row[c] * node->W[c * size + s];
            }
            for (int j = 0; j < P; j++)
                W[n0 + place_of(f, j)] += row[node->n + j] * slope_of(f, e, j);
        }
    }
}

/* the row of a number that is measured behind node k, weight and right side in it; returns what the gaps alone change */
static double put_row(const zw_fit *f, const zw_fit_experiment *e, const zw_fit_node *node, int k,
                      int q, bool plain, double *row) {
    int P = f->P, size = e->size, width = f->nx + P;
    const double *D = e->D + (size_t)(k * f->nq + q) * (size_t)width;
    double sigma = zw_fit_sigma(f, e, k, q),
           r = (e->h[k * f->nq + q] - e->y[k * f->nq + q]) / sigma;
    double weight = plain ? 1 : sqrt(zw_fit_weight(f, r)), closure = 0;
    memset(row, 0, doubles(size + 1));
    for (int c = 0; c < node->n; c++) {
        closure += D[c] * node->w[c];
        for (int s = 0; s < size; s++)
            row[s] += D[c] * node->W[c * size + s];
    }
    for (int j = 0; j < P; j++)
        row[e->n0 + place_of(f, j)] += D[node->n + j] * slope_of(f, e, j);
    row[size] = r * sigma + closure;
    for (int s = 0; s <= size; s++)
        row[s] *= weight / sigma;
    return closure / sigma;
}

static void condense_one(zw_fit *f, zw_fit_experiment *e, bool plain, double *closure) {
    int n = e->size + 1, m = 0;
    double rows[BLOCK * n];
    memset(e->R, 0, doubles(n * n));
    follow_nodes(f, e);
    for (int node = 0; node < e->K; node++) {
        int last = node + 1 < e->K ? e->node[node + 1].row : e->nrow;
        for (int k = e->node[node].row; k < last; k++)
            for (int q = 0; q < f->nq; q++) {
                if (isnan(e->y[k * f->nq + q]))
                    continue;
                double c = put_row(f, e, &e->node[node], k, q, plain, rows + (size_t)m * (size_t)n);
                *closure += c * c;
                if (++m == BLOCK) {
                    zw_fit_absorb(n, e->R, m, rows);
                    m = 0;
                }
            }
    }
    zw_fit_absorb(n, e->R, m, rows);
    for (int j = 0; j < f->P; j++) {
        if (!f->param[j].own || !isfinite(f->param[j].prior_sd))
            continue;
        memset(rows, 0, doubles(n));
        rows[e->n0 + place_of(f, j)] = slope_of(f, e, j) / f->param[j].prior_sd;
        rows[n - 1] = prior_of(&f->param[j], e->value[j]);
        zw_fit_absorb(n, e->R, 1, rows);
    }
}

/* ----------------------------------------------------------------------------------------------- all of them */

/* the place of unknown s of an experiment among all */
static int global(const zw_fit *f, const zw_fit_experiment *e, int s) {
    int mine = e->n0 + own_parameters(f);
    return s < mine ? e->first + s : f->N - (f->P - own_parameters(f)) + (s - mine);
}

zw_status zw_fit_condense(zw_fit *f, bool plain, zw_error *err) {
    int own = own_parameters(f), common = f->P - own, n = common + 1;
    double closure = 0;
    f->N = common;
    for (int i = 0; i < f->E; i++) {
        f->experiment[i].first = f->N - common;
        f->experiment[i].size = f->experiment[i].n0 + f->P;
        f->N += f->experiment[i].n0 + own;
    }
    int N = f->N;
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    double *C = ZW_NEW(&f->arena, double, n *n), *rows = ZW_NEW(&f->arena, double, n *n);
    if (f->arena.failed)
        return zw_fit_no_memory(err);
    memset(f->R, 0, doubles(N * N));
    memset(f->c, 0, doubles(N));
    for (int i = 0; i < f->E; i++) {
        zw_fit_experiment *e = &f->experiment[i];
        condense_one(f, e, plain, &closure);
        int size = e->size + 1, mine = e->n0 + own;
        for (int r = 0; r < mine; r++) {
            for (int s = 0; s < e->size; s++)
                f->R[(e->first + r) * N + global(f, e, s)] = e->R[r * size + s];
            f->c[e->first + r] = e->R[r * size + e->size];
        }
        for (int r = 0; r < n; r++)
            for (int s = 0; s < n; s++)
                rows[r * n + s] = s < r ? 0 : e->R[(mine + r) * size + mine + s];
        zw_fit_absorb(n, C, n, rows);
    }
    for (int j = 0; j < f->P; j++) {
        if (f->param[j].own || !isfinite(f->param[j].prior_sd))
            continue;
        memset(rows, 0, doubles(n));
        rows[place_of(f, j) - own] = slope_of(f, f->experiment, j) / f->param[j].prior_sd;
        rows[common] = prior_of(&f->param[j], f->experiment->value[j]);
        zw_fit_absorb(n, C, 1, rows);
    }
    for (int r = 0; r < common; r++) {
        for (int s = r; s < common; s++)
            f->R[(N - common + r) * N + N - common + s] = C[r * n + s];
        f->c[N - common + r] = C[r * n + common];
    }
    f->rest = C[n * n - 1] * C[n * n - 1];
    f->gap = sqrt(closure);
    zw_arena_release(&f->arena, mark);
    return ZW_OK;
}

/* steps of the states of all nodes from the unknowns */
void zw_fit_spread(zw_fit *f, const double *step) {
    int nx = f->nx, P = f->P;
    for (int i = 0; i < f->E; i++) {
        zw_fit_experiment *e = &f->experiment[i];
        double z[e->size + 1];
        for (int s = 0; s < e->size; s++)
            z[s] = step[global(f, e, s)];
        for (int k = 0; k < e->K; k++) {
            zw_fit_node *node = &e->node[k];
            memset(node->step, 0, doubles(nx));
            for (int c = 0; c < node->n; c++) {
                double y = node->w[c];
                for (int s = 0; s < e->size; s++)
                    y += node->W[c * e->size + s] * z[s];
                for (int r = 0; r < nx; r++)
                    node->step[r] += node->T[r * node->n + c] * y;
            }
            for (int j = 0; j < P; j++) {
                double dp = z[e->n0 + place_of(f, j)] * slope_of(f, e, j);
                for (int r = 0; r < nx; r++)
                    node->step[r] += node->Q[r * P + j] * dp;
            }
        }
    }
}

/* The least triangle with further rows lambda diag(d): for damped steps. */
void zw_fit_damp(int n, double *R, double lambda, const double *d) {
    double row[n + 1];
    for (int j = 0; j < n - 1; j++) {
        memset(row, 0, doubles(n));
        row[j] = lambda * d[j];
        zw_fit_absorb(n, R, 1, row);
    }
}
