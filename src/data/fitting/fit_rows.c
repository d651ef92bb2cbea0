/* SPDX-License-Identifier: MIT */
/* From the rows of all experiments to a small triangle. Directions of a node follow from those of
 * the previous node, so that with z = (y_0, dp)
 *
 *   y_k+1 = T'_k+1 (gap_k + Y_k (y_k, dp)),     y_k = w_k + W_k z,
 *
 * and a number that is measured after node k has the linear residual
 *
 *   (h + D_y (w_k + W_k z) + D_p dp - y) / sigma = b + a z,
 *
 * weighted by sqrt(rho'(r)/2r) if there is a loss.
 *
 * Before, while the nodes are loose, each of them is a separate start: no gaps are closed, y_k
 * are unknowns. So a part of the motion, from a start to the next one, is an experiment (K = 1) or
 * a node.
 *
 * Rows are added by Householder reflections, some at a time, to a triangle R with the right side as
 * its last column: min |R z + c|. The directions of a part come before the parameters, so that what
 * remains of its rows after elimination of its own columns contains only parameters. Parameters are
 * counted in logarithms or in their scales. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "fit.h"

enum { BLOCK = 48 }; /* rows that are added to a triangle at once */

static size_t doubles(int n) {
    return sizeof(double) * (size_t)n;
}

/* --------------------------------------------------------------------------------------- losses */

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

double zw_fit_prior_squares(const zw_fit *f, bool tried) {
    double sum = 0;
    for (int i = 0; i < f->E; i++)
        for (int j = 0; j < f->P; j++)
            if (f->param[j].own || i == 0) {
                const zw_fit_experiment *e = &f->experiment[i];
                double r = prior_of(&f->param[j], tried ? e->tried[j] : e->value[j]);
                sum += r * r;
            }
    return sum;
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
    }
    return cost + zw_fit_prior_squares(f, tried) / 2;
}

/* ------------------------------------------------------------------------------------ triangles */

/* Adds m rows of n to the triangle R (n x n); the rows are overwritten. */
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

/* ------------------------------------------------------------------------------------- unknowns */

static int own_parameters(const zw_fit *f) {
    int n = 0;
    for (int j = 0; j < f->P; j++)
        n += f->param[j].own;
    return n;
}

/* Parameters of all experiments, each once. */
static int all_parameters(const zw_fit *f) {
    int own = own_parameters(f);
    return f->E * own + f->P - own;
}

/* Position of parameter j of an experiment among them: own ones first. */
static int place_of(const zw_fit *f, const zw_fit_experiment *e, int j) {
    int before = 0, own = own_parameters(f), number = (int)(e - f->experiment);
    for (int i = 0; i < j; i++)
        before += f->param[i].own == f->param[j].own;
    return f->param[j].own ? number * own + before : f->E * own + before;
}

int zw_fit_unknown(const zw_fit *f, const zw_fit_experiment *e, int j) {
    return f->N - all_parameters(f) + place_of(f, e, j);
}

static double slope_of(const zw_fit *f, const zw_fit_experiment *e, int j) {
    const zw_fit_param *p = &f->param[j];
    return p->is_held ? 0 : p->is_log ? e->value[j] : p->scale;
}

/* First unknowns of all parts, their number. */
static void number_unknowns(zw_fit *f) {
    f->N = 0;
    for (int i = 0; i < f->E; i++) {
        zw_fit_experiment *e = &f->experiment[i];
        for (int k = 0; k < e->K; k++) {
            zw_fit_node *node = &e->node[k];
            bool starts = k == 0 || f->is_loose;
            node->first = starts ? f->N : node[-1].first;
            node->n0 = starts ? node->n : node[-1].n0;
            f->N += starts ? node->n : 0;
        }
        e->first = e->node->first;
    }
    f->N += all_parameters(f);
}

/* --------------------------------------------------------------------------------------- a part */

static void begin_part(zw_fit_node *node, int P) {
    int n = node->n, size = n + P;
    memset(node->w, 0, doubles(n));
    memset(node->W, 0, doubles(n * size));
    for (int i = 0; i < n; i++)
        node->W[i * size + i] = 1;
}

/* w and W of the next node, z = (y of the start, scaled parameters). */
static void follow_node(const zw_fit *f, const zw_fit_experiment *e, const zw_fit_node *node,
                        zw_fit_node *next) {
    int nx = f->nx, P = f->P, n0 = node->n0, size = n0 + P, n = node->n + P;
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
            W[n0 + j] += row[node->n + j] * slope_of(f, e, j);
    }
}

/* The row of a number that is measured after a node, weight and right side in it; returns the
 * change by the gaps alone. */
static double put_row(const zw_fit *f, const zw_fit_experiment *e, const zw_fit_node *node, int k,
                      int q, bool plain, double *row) {
    int P = f->P, size = node->n0 + P, width = f->nx + P;
    const double *D = e->D + (size_t)(k * f->nq + q) * (size_t)width;
    double sigma = zw_fit_sigma(f, e, k, q),
           r = (e->h[k * f->nq + q] - e->y[k * f->nq + q]) / sigma;
    double weight = plain ? 1 / sqrt(f->spread) : sqrt(zw_fit_weight(f, r)), closure = 0;
    memset(row, 0, doubles(size + 1));
    for (int c = 0; c < node->n; c++) {
        closure += D[c] * node->w[c];
        for (int s = 0; s < size; s++)
            row[s] += D[c] * node->W[c * size + s];
    }
    for (int j = 0; j < P; j++)
        row[node->n0 + j] += D[node->n + j] * slope_of(f, e, j);
    row[size] = r * sigma + closure;
    for (int s = 0; s <= size; s++)
        row[s] *= weight / sigma;
    return closure / sigma;
}

void zw_fit_row(const zw_fit *f, const zw_fit_experiment *e, const zw_fit_node *node, int k, int q,
                double *row) {
    put_row(f, e, node, k, q, true, row);
}

/* The rows after a node into the triangle of its part. */
static void take_node(zw_fit *f, const zw_fit_experiment *e, int number, bool plain,
                      double *closure) {
    const zw_fit_node *node = &e->node[number];
    int n = node->n0 + f->P + 1, m = 0;
    double rows[BLOCK * n];
    int last = number + 1 < e->K ? node[1].row : e->nrow;
    for (int k = node->row; k < last; k++)
        for (int q = 0; q < f->nq; q++) {
            if (isnan(e->y[k * f->nq + q]))
                continue;
            double c = put_row(f, e, node, k, q, plain, rows + (size_t)m * (size_t)n);
            *closure += c * c;
            if (++m == BLOCK) {
                zw_fit_absorb(n, e->R, m, rows);
                m = 0;
            }
        }
    zw_fit_absorb(n, e->R, m, rows);
}

/* The triangle of a part goes into that of all; C: that of the parameters, n x n with the right
 * side. */
static void end_part(zw_fit *f, const zw_fit_experiment *e, const zw_fit_node *node, int n,
                     double *C, double *rows) {
    int N = f->N, P = f->P, size = node->n0 + P + 1;
    for (int r = 0; r < node->n0; r++) {
        double *row = f->R + (size_t)(node->first + r) * (size_t)N;
        for (int s = r; s < node->n0; s++)
            row[node->first + s] = e->R[r * size + s];
        for (int j = 0; j < P; j++)
            row[zw_fit_unknown(f, e, j)] = e->R[r * size + node->n0 + j];
        f->c[node->first + r] = e->R[r * size + size - 1];
    }
    memset(rows, 0, doubles((P + 1) * n));
    for (int r = 0; r <= P; r++) {
        const double *from = e->R + (size_t)(node->n0 + r) * (size_t)size + node->n0;
        for (int j = r; j < P; j++)
            rows[r * n + place_of(f, e, j)] = from[j];
        rows[r * n + n - 1] = from[P];
    }
    zw_fit_absorb(n, C, P + 1, rows);
}

static void take_experiment(zw_fit *f, zw_fit_experiment *e, bool plain, int n, double *C,
                            double *rows, double *closure) {
    for (int k = 0; k < e->K; k++) {
        zw_fit_node *node = &e->node[k];
        int size = node->n0 + f->P + 1;
        bool starts = k == 0 || f->is_loose, ends = k + 1 == e->K || f->is_loose;
        if (starts) {
            memset(e->R, 0, doubles(size * size));
            begin_part(node, f->P);
        } else {
            follow_node(f, e, node - 1, node);
        }
        take_node(f, e, k, plain, closure);
        if (ends)
            end_part(f, e, node, n, C, rows);
    }
}

static void take_priors(const zw_fit *f, const zw_fit_experiment *e, int n, double *C,
                        double *row) {
    for (int j = 0; j < f->P; j++) {
        const zw_fit_param *p = &f->param[j];
        if (!isfinite(p->prior_sd) || (!p->own && e != f->experiment))
            continue;
        memset(row, 0, doubles(n));
        row[place_of(f, e, j)] = slope_of(f, e, j) / p->prior_sd;
        row[n - 1] = f->is_bend ? 0 : prior_of(p, e->value[j]);
        zw_fit_absorb(n, C, 1, row);
    }
}

zw_status zw_fit_condense(zw_fit *f, bool plain, zw_error *err) {
    int parameters = all_parameters(f), n = parameters + 1;
    double closure = 0;
    number_unknowns(f);
    int N = f->N;
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    double *C = ZW_NEW(&f->arena, double, n *n), *rows = ZW_NEW(&f->arena, double, (f->P + 1) * n);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    memset(f->R, 0, doubles(N * N));
    memset(f->c, 0, doubles(N));
    for (int i = 0; i < f->E; i++) {
        take_experiment(f, &f->experiment[i], plain, n, C, rows, &closure);
        take_priors(f, &f->experiment[i], n, C, rows);
    }
    for (int r = 0; r < parameters; r++) {
        int at = N - parameters + r;
        memcpy(f->R + (size_t)at * (size_t)N + at, C + r * n + r, doubles(parameters - r));
        f->c[at] = C[r * n + parameters];
    }
    f->rest = C[n * n - 1] * C[n * n - 1];
    f->gap = sqrt(closure);
    zw_arena_release(&f->arena, mark);
    return ZW_OK;
}

/* Steps of the states of all nodes from the unknowns. */
void zw_fit_spread(zw_fit *f, const double *step) {
    int nx = f->nx, P = f->P;
    for (int i = 0; i < f->E; i++) {
        zw_fit_experiment *e = &f->experiment[i];
        for (int k = 0; k < e->K; k++) {
            zw_fit_node *node = &e->node[k];
            int n0 = node->n0, size = n0 + P;
            memset(node->step, 0, doubles(nx));
            for (int c = 0; c < node->n; c++) {
                double y = node->w[c];
                for (int s = 0; s < n0; s++)
                    y += node->W[c * size + s] * step[node->first + s];
                for (int j = 0; j < P; j++)
                    y += node->W[c * size + n0 + j] * step[zw_fit_unknown(f, e, j)];
                for (int r = 0; r < nx; r++)
                    node->step[r] += node->T[r * node->n + c] * y;
            }
            for (int j = 0; j < P; j++) {
                double dp = step[zw_fit_unknown(f, e, j)] * slope_of(f, e, j);
                for (int r = 0; r < nx; r++)
                    node->step[r] += node->Q[r * P + j] * dp;
            }
        }
    }
}

/* The triangle with further rows lambda diag(d): for damped steps. */
void zw_fit_damp(int n, double *R, double lambda, const double *d) {
    double row[n + 1];
    for (int j = 0; j < n - 1; j++) {
        memset(row, 0, doubles(n));
        row[j] = lambda * d[j];
        zw_fit_absorb(n, R, 1, row);
    }
}
