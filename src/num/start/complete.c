/* SPDX-License-Identifier: MIT */
/* Completion of a start. Given values are kept. All other values begin with a guess, or 0, and
 * change only if rows that are not satisfied require it: start_choice.c chooses them, and
 * assemble.c finds their values. First positions, then velocities, by the same rules.
 *
 * On position level distances are measured in widths, which make lengths and angles comparable; on
 * velocity level by the kinetic energy. If the chosen entries cannot satisfy the rows (y' in x'^2 +
 * y'^2 = z'^2 for x' = 1), all candidates may change; afterwards those that were not needed return
 * to their beginning, one after the other. */
#include "complete.h"
#include "base/tolerance.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/slice.h"
#include "num/linear/linalg.h"

enum { GENERIC_PLACES = 8 };
#define GENERIC_RADIUS 0.3 /* of the widths: points at which no gradient vanishes by chance */
/* Relative difference of gradients at two points that is 0, so that rows are affine: round-off of
 * sums. */
#define GRADIENT_SAME ZW_ROUNDOFF_SUM

static int larger_int(int a, int b) {
    return a > b ? a : b;
}

static void slice_all(zw_num_completion *c, const zw_kernel *k, zw_slicer *s) {
    int n = larger_int(k->nq, k->nv), nv = k->nv;
    int m = larger_int(k->npos + k->nstart_pos, k->nvel + k->nstart_vel);
    double **of_state[] = {&c->origin, &c->width, &c->place, &c->here_x, &c->best_x};
    bool **of_entries[] = {&c->given, &c->kept, &c->reach};
    double **square[] = {&c->mass, &c->plain, &c->H, &c->JJ, &c->B};
    for (size_t i = 0; i < sizeof of_state / sizeof *of_state; i++)
        *of_state[i] = zw_slice_doubles(s, k->nx);
    for (size_t i = 0; i < sizeof of_entries / sizeof *of_entries; i++)
        *of_entries[i] = zw_slice_bools(s, k->nx);
    for (size_t i = 0; i < sizeof square / sizeof *square; i++)
        *square[i] = zw_slice_doubles(s, nv * nv);
    c->group = zw_slice_ints(s, n);
    c->value = zw_slice_doubles(s, m);
    c->here = (zw_num_linear){zw_slice_doubles(s, m * nv), zw_slice_doubles(s, n * nv)};
    c->generic = (zw_num_linear){zw_slice_doubles(s, m * nv), zw_slice_doubles(s, n * nv)};
    c->trial = zw_slice_bools(s, n);
    c->row_in = zw_slice_bools(s, m);
    c->candidate = zw_slice_ints(s, n);
    c->pick = zw_slice_ints(s, 2 * n);
    c->weight = zw_slice_doubles(s, m);
    c->J = zw_slice_doubles(s, m * nv);
    c->g = zw_slice_doubles(s, nv);
    c->y = zw_slice_doubles(s, nv);
    c->zero = zw_slice_doubles(s, k->nz);
    c->pivot = zw_slice_ints(s, nv);
    c->found = zw_slice_doubles(s, (ZW_NUM_FOUND_MOST + 1) * k->nx);
    c->distance = zw_slice_doubles(s, ZW_NUM_FOUND_MOST + 1);
    c->energy = zw_slice_doubles(s, ZW_NUM_FOUND_MOST + 1);
}

/* ---- before a level is completed ---- */

/* Is there a displacement that moves entry i? An entry of a quaternion may be at its largest. */
static bool moves_at_all(const zw_num_completion *c, int i) {
    const zw_kernel *k = c->flow->k;
    int nv = k->nv;
    for (int q = 0; c->v.F && q < k->nunit; q++)
        if (i >= k->unit[q] && i < k->unit[q] + 4)
            return true;
    for (int j = 0; c->v.F && j < nv; j++)
        if (c->v.F[i * nv + j] != 0)
            return true;
    return !c->v.F;
}

/* finds the entries that must not change; the other entries of a quaternion are one group, numbered
 * by its first */
static void set_entries(zw_num_completion *c) {
    const zw_kernel *k = c->flow->k;
    for (int i = 0; i < k->nx; i++)
        c->given[i] = true;
    for (int i = 0; i < c->v.n; i++) {
        c->given[c->v.offset + i] = c->said[c->v.offset + i] == ZW_GIVEN || !moves_at_all(c, i);
        c->group[i] = i;
    }
    for (int q = 0; q < k->nunit && c->v.offset == 0; q++) {
        int first = k->unit[q];
        while (first < k->unit[q] + 3 && c->given[first])
            first++;
        for (int i = first; i < k->unit[q] + 4; i++)
            c->group[i] = first;
    }
}

/* widths of positions are set by the caller, those of velocities by the size of the residual */
static void set_widths(zw_num_completion *c) {
    const zw_kernel *k = c->flow->k;
    double missing = 1;
    for (int i = 0; i < c->v.m; i++)
        if (isfinite(c->value[i]))
            missing = fmax(missing, fabs(c->value[i]));
    for (int i = 0; i < k->nx; i++)
        c->width[i] = i >= k->nq ? missing : c->q_width ? c->q_width[i] : 1;
    for (int q = 0; q < k->nunit; q++)
        for (int i = k->unit[q]; i < k->unit[q] + 4; i++)
            c->width[i] = 1;
}

/* F'D F, D = 1/width^2, factorised */
static void set_plain_metric(zw_num_completion *c) {
    int nv = c->flow->k->nv;
    for (int a = 0; a < nv; a++)
        for (int b = 0; b < nv; b++) {
            double sum =
                !c->v.F && a == b ? 1 / (c->width[c->v.offset + a] * c->width[c->v.offset + a]) : 0;
            for (int i = 0; i < c->v.n && c->v.F; i++)
                sum += c->here.F[i * nv + a] * c->here.F[i * nv + b] / (c->width[i] * c->width[i]);
            c->plain[a * nv + b] = sum;
        }
    zw_num_metric(nv, c->plain);
}

static void set_mass_metric(zw_num_completion *c) {
    size_t n = (size_t)(c->flow->k->nv * c->flow->k->nv);
    zw_num_set_metric(c->flow, c->t, c->origin);
    bool finite = true;
    for (size_t i = 0; i < n; i++)
        finite = finite && isfinite(c->flow->L[i]);
    memcpy(c->mass, finite ? c->flow->L : c->plain, sizeof(double) * n);
}

/* copies the evaluated level; is it finite? */
static bool store_linear(zw_num_completion *c, zw_num_linear *to) {
    int nv = c->flow->k->nv;
    bool finite = true;
    memcpy(to->rows, c->v.rows, sizeof(double) * (size_t)(c->v.m * nv));
    if (c->v.F)
        memcpy(to->F, c->v.F, sizeof(double) * (size_t)(c->v.n * nv));
    for (int i = 0; i < c->v.m * nv; i++)
        finite = finite && isfinite(to->rows[i]);
    return finite;
}

static void copy_linear(zw_num_completion *c, zw_num_linear *to, const zw_num_linear *from) {
    size_t nv = (size_t)c->flow->k->nv;
    memcpy(to->rows, from->rows, sizeof(double) * (size_t)c->v.m * nv);
    if (c->v.F)
        memcpy(to->F, from->F, sizeof(double) * (size_t)c->v.n * nv);
}

static void linearise_level(zw_num_completion *c) {
    bool good = false;
    zw_num_call(c->flow, c->v.function, c->t, c->origin, NULL);
    bool here = store_linear(c, &c->here);
    memcpy(c->kept, c->given, sizeof *c->kept * (size_t)c->flow->k->nx);
    for (int number = 1; number <= GENERIC_PLACES && !good; number++) {
        if (!zw_num_place(c, number, GENERIC_RADIUS))
            continue;
        zw_num_call(c->flow, c->v.function, c->t, c->place, NULL);
        good = store_linear(c, &c->generic);
    }
    if (!good)
        copy_linear(c, &c->generic, &c->here);
    if (!here)
        copy_linear(c, &c->here, &c->generic);
}

static bool is_affine(const zw_num_completion *c) {
    for (int i = 0; i < c->v.m * c->flow->k->nv; i++) {
        double a = c->here.rows[i], b = c->generic.rows[i];
        if (!(fabs(a - b) <= GRADIENT_SAME * (fabs(a) + fabs(b))))
            return false;
    }
    return true;
}

/* the residuals at the origin, 0 if satisfied; are there any others? */
static bool set_values(zw_num_completion *c) {
    bool missing = false;
    zw_num_call(c->flow, c->v.function, c->t, c->origin, NULL);
    for (int k = 0; k < c->v.m; k++) {
        double unit = zw_num_level_unit(c->flow, &c->v, k, c->origin), r = c->v.value[k];
        c->value[k] = isfinite(unit) && fabs(r) <= ZW_NUM_HOLDS * unit ? 0 : r;
        missing = missing || c->value[k] != 0;
    }
    return missing;
}

/* ---- after the search ---- */

/* resets entries that were not needed: guesses first, then in the order of declaration */
static void reset_unneeded(zw_num_completion *c, double *x) {
    const size_t size = sizeof(double) * (size_t)c->flow->k->nx;
    for (int guessed = 1; guessed >= 0; guessed--)
        for (int i = c->v.offset; i < c->v.offset + c->v.n; i++) {
            if (c->kept[i] || c->group[i - c->v.offset] != i - c->v.offset ||
                (c->said[i] == ZW_GUESSED) != guessed)
                continue;
            memcpy(c->place, x, size);
            for (int l = c->v.offset; l < c->v.offset + c->v.n; l++)
                if (c->group[l - c->v.offset] == i - c->v.offset && !c->given[l]) {
                    c->place[l] = c->origin[l];
                    c->kept[l] = true;
                }
            bool good = zw_num_level_satisfy(c->flow, c->name, c->t, c->place, c->kept, NULL) >= 0;
            if (good)
                memcpy(x, c->place, size);
            for (int l = c->v.offset; l < c->v.offset + c->v.n && !good; l++)
                if (c->group[l - c->v.offset] == i - c->v.offset && !c->given[l])
                    c->kept[l] = false;
        }
}

static zw_status report_unsatisfied(zw_num_completion *c, zw_error *err) {
    zw_flow *flow = c->flow;
    int row;
    zw_num_level_evaluate(flow, &c->v, c->t, c->best_x, &row);
    row = row < 0 ? 0 : row;
    double residual = c->v.value[row];
    zw_num_fault(flow, c->v.kind, row, c->t, residual);
    memcpy(flow->fault_x, c->best_x, sizeof(double) * (size_t)flow->k->nx);
    flow->fault_has_state = true;
    if (c->tries > 1)
        zw_fail(err, ZW_E_START,
                "the constraints on %s level cannot be satisfied at t = %.10g: the nearest of %d "
                "places tried keeps the residual %.6g",
                c->v.what, c->t, c->tries, residual);
    else
        zw_fail(err, ZW_E_START,
                "the constraints on %s level cannot be satisfied at t = %.10g: the residual %.6g "
                "is left",
                c->v.what, c->t, residual);
    zw_error_hint(err, c->tries > 1 ? "omit a start value that contradicts the constraints; give a "
                                      "starting point with guess x = ..."
                                    : "omit a start value that contradicts the constraints");
    return ZW_E_START;
}

/* degrees of freedom of the changed entries at x: if any, there are infinitely many solutions */
static int freedom_at(zw_num_completion *c, const double *x) {
    int freedom = 0;
    zw_num_call(c->flow, c->v.function, c->t, x, NULL);
    store_linear(c, &c->here);
    for (int k = 0; k < c->v.m; k++) {
        c->row_in[k] = true;
        c->value[k] = 0;
    }
    zw_num_change(c, &c->here, c->kept + c->v.offset, c->row_in, &freedom);
    return freedom;
}

/* returns the other solutions, if there are finitely many */
static void hand_out(zw_num_completion *c, int family, zw_run_completion *out) {
    int nx = c->flow->k->nx,
        *freedom = c->v.offset ? &out->freedom_velocity : &out->freedom_position;
    *freedom = c->freedom > family ? c->freedom : family;
    for (int i = 1; i < c->nfound && family == 0; i++) {
        if (out->other && out->nother < out->other_most)
            memcpy(out->other + (size_t)out->nother * (size_t)nx, c->found + (size_t)i * (size_t)nx,
                   sizeof(double) * (size_t)nx);
        out->nother++;
    }
}

static zw_status complete_level(zw_num_completion *c, zw_num_level_name name, double *x,
                                zw_run_completion *out, zw_error *err) {
    const size_t size = sizeof(double) * (size_t)c->flow->k->nx;
    c->name = name;
    c->v = zw_num_level_of(c->flow, name);
    memcpy(c->origin, x, size);
    if (c->v.m == 0 || !set_values(c))
        return ZW_OK;
    set_entries(c);
    set_widths(c);
    linearise_level(c);
    set_plain_metric(c);
    set_mass_metric(c);
    memcpy(c->flow->L, c->v.offset ? c->mass : c->plain,
           sizeof(double) * (size_t)(c->flow->k->nv * c->flow->k->nv));
    zw_num_choose_entries(c);
    zw_num_assemble_level(c, is_affine(c));
    if (c->nfound == 0) { /* with all candidates */
        for (int i = 0; i < c->flow->k->nx; i++)
            c->kept[i] = c->given[i] || !c->reach[i];
        zw_num_assemble_level(c, false);
        if (c->nfound > 0)
            reset_unneeded(c, c->found);
    }
    if (c->nfound == 0)
        return report_unsatisfied(c, err);
    int family = freedom_at(c, c->found);
    if (family > 0)
        zw_num_draw_near(c, c->found);
    memcpy(x, c->found, size);
    hand_out(c, family, out);
    return ZW_OK;
}

zw_status zw_num_complete(zw_flow *flow, double t, double *x, const zw_said *said,
                          const double *width, zw_run_completion *out, zw_error *err) {
    const zw_kernel *k = flow->k;
    bool starts = k->nstart_pos + k->nstart_vel > 0;
    zw_num_completion c = {.flow = flow, .t = t, .said = said, .q_width = width};
    zw_slicer need = {NULL, 0};
    slice_all(&c, k, &need);
    c.bytes = need.used + 1;
    zw_slicer s = {zw_allocate(&flow->alloc, c.bytes), 0};
    if (!s.base)
        return zw_out_of_memory(err, "the completion of a start");
    slice_all(&c, k, &s);
    for (int i = 0; i < k->nx; i++)
        c.given[i] = said[i] == ZW_GIVEN;
    zw_status status = zw_num_normalise(flow, t, x, c.given, err);
    if (status >= 0)
        status = complete_level(&c, starts ? ZW_NUM_START_POSITION : ZW_NUM_POSITION, x, out, err);
    if (status >= 0)
        status = complete_level(&c, starts ? ZW_NUM_START_VELOCITY : ZW_NUM_VELOCITY, x, out, err);
    zw_release(&flow->alloc, s.base, c.bytes);
    return status;
}
