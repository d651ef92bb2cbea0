/* SPDX-License-Identifier: MIT */
/* Contacts at a state: gaps and rates with their accuracies, and the effect of contact forces on
 * velocities and rows, (1) of contact_mode.h. */
#include <string.h>

#include "base/arena.h"
#include "base/slice.h"
#include "mode_solver.h"
#include "num/linear/linalg.h"

/* ---- lifecycle ---- */

static void slice_arrays(zw_contact_modes *s, const zw_kernel *k, zw_slicer *m) {
    int n = k->ntouch, nc = k->ncontact;
    double **rows[] = {&s->rate,    &s->known, &s->support, &s->bend,      &s->parts,
                       &s->felt,    &s->a,     &s->c,       &s->r,         &s->out,
                       &s->z,       &s->q,     &s->p,       &s->direction, &s->best_direction,
                       &s->V,       &s->left,  &s->guess,   &s->offset,    &s->best_offset,
                       &s->best_out};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        *rows[i] = zw_slice_doubles(m, n);
    s->nz = k->nv + k->nc;
    s->gap = zw_slice_doubles(m, nc);
    s->gap_known = zw_slice_doubles(m, nc);
    s->law = zw_slice_doubles(m, k->nlaw);
    s->H = zw_slice_doubles(m, n * k->nv);
    s->B = zw_slice_doubles(m, n * k->nv);
    s->A = zw_slice_doubles(m, n * n);
    s->S = zw_slice_doubles(m, n * n);
    s->W = zw_slice_doubles(m, n * n);
    s->share = zw_slice_doubles(m, n * n);
    s->best_share = zw_slice_doubles(m, n * n);
    s->L = zw_slice_doubles(m, n * n);
    s->P = zw_slice_doubles(m, n * n);
    s->given = zw_slice_bools(m, n);
    s->best_given = zw_slice_bools(m, n);
    s->accel = zw_slice_doubles(m, k->nv);
    s->now = zw_slice_doubles(m, k->nv);
    s->best_accel = zw_slice_doubles(m, k->nv);
    s->K = zw_slice_doubles(m, s->nz * s->nz);
    s->side = zw_slice_doubles(m, (n + 1) * s->nz);
    s->pivot = zw_slice_ints(m, s->nz + n);
    s->row = zw_slice_ints(m, n);
    s->closed = zw_slice_ints(m, nc);
    s->noption = zw_slice_ints(m, nc);
    s->count = zw_slice_ints(m, nc);
    s->turned = zw_slice_bools(m, nc);
    s->resting = zw_slice_bools(m, nc * ZW_CONTACT_MODE_PARTS);
    s->laws = zw_slice(m, sizeof *s->laws * (size_t)nc);
    s->option = zw_slice(m, sizeof *s->option * (size_t)(nc * ZW_CONTACT_MODE_OPTIONS_MAX));
    s->trial = zw_slice(m, sizeof *s->trial * (size_t)nc);
    s->best = zw_slice(m, sizeof *s->best * (size_t)nc);
}

zw_status zw_contact_modes_create(zw_contact_modes **out, const zw_kernel *k, zw_error *err) {
    zw_contact_modes measured;
    zw_slicer need = {NULL, 0};
    *out = NULL;
    zw_slice(&need, sizeof(zw_contact_modes));
    slice_arrays(&measured, k, &need);
    zw_slicer m = {zw_allocate(&k->alloc, need.used), 0};
    if (!m.base)
        return zw_out_of_memory(err, "contacts");
    zw_contact_modes *s = zw_slice(&m, sizeof *s);
    slice_arrays(s, k, &m);
    s->k = k;
    s->alloc = k->alloc;
    s->bytes = need.used;
    s->solver = zw_contact_solver_create(&s->alloc);
    *out = s;
    return s->solver ? ZW_OK : zw_out_of_memory(err, "contacts");
}

void zw_contact_modes_destroy(zw_contact_modes *s) {
    if (!s)
        return;
    zw_allocator alloc = s->alloc;
    zw_contact_solver_destroy(s->solver);
    zw_release(&alloc, s, s->bytes);
}

const double *zw_contact_modes_gap(const zw_contact_modes *s) {
    return s->gap;
}
const double *zw_contact_modes_gap_known(const zw_contact_modes *s) {
    return s->gap_known;
}
const double *zw_contact_modes_rate(const zw_contact_modes *s) {
    return s->rate;
}
const double *zw_contact_modes_known(const zw_contact_modes *s) {
    return s->known;
}
const double *zw_contact_modes_support(const zw_contact_modes *s) {
    return s->support;
}
const double *zw_contact_modes_law(const zw_contact_modes *s) {
    return s->law;
}

/* ---- the state ---- */

static void spread_rows(zw_contact_modes *s, const double *H) {
    const zw_kernel *k = s->k;
    memset(s->H, 0, sizeof(double) * (size_t)(k->ntouch * k->nv));
    for (int c = 0; c < k->ncontact; c++) {
        const zw_contact_form *f = &k->contact[c];
        for (int e = f->first; e < f->first + f->ntouch; e++) {
            int p = k->touching[e].part, n = k->part_start[p + 1] - k->part_start[p];
            const int *v = k->part_velocity + k->part_start[p];
            for (int r = 0; r < f->nrow; r++)
                for (int i = 0; i < n; i++)
                    s->H[(f->row + r) * k->nv + v[i]] = H[k->touching[e].at + r * n + i];
        }
    }
}

/* (M -C; W 0), its factors, and the changes of the velocities by forces and by unit impulses */
static zw_status find_response(zw_contact_modes *s, const zw_mats_parts *m, double t,
                               zw_error *err) {
    const zw_kernel *k = s->k;
    int nv = k->nv, nz = s->nz;
    memset(s->K, 0, sizeof(double) * (size_t)(nz * nz));
    for (int i = 0; i < nv; i++) {
        memcpy(s->K + i * nz, m->M + i * nv, sizeof(double) * (size_t)nv);
        for (int c = 0; c < k->nc; c++) {
            s->K[i * nz + nv + c] = -m->C[i * k->nc + c];
            s->K[(nv + c) * nz + i] = m->W[c * nv + i];
        }
    }
    memset(s->side, 0, sizeof(double) * (size_t)((k->ntouch + 1) * nz));
    for (int r = 0; r < k->ntouch; r++)
        memcpy(s->side + r * nz, s->H + r * nv, sizeof(double) * (size_t)nv);
    memcpy(s->side + k->ntouch * nz, m->h, sizeof(double) * (size_t)nv);
    memcpy(s->side + k->ntouch * nz + nv, m->b, sizeof(double) * (size_t)k->nc);
    if (!(zw_num_lu(nz, s->K, s->pivot) > zw_num_pivot_floor(nz)))
        return zw_fail(err, ZW_E_SINGULAR,
                       "masses or constraints are singular at the contacts at t = %.10g", t);
    for (int r = 0; r <= k->ntouch; r++) {
        zw_num_lu_solve(nz, s->K, s->pivot, 1, s->side + r * nz);
        memcpy(r < k->ntouch ? s->B + r * nv : s->accel, s->side + r * nz,
               sizeof(double) * (size_t)nv);
    }
    return ZW_OK;
}

static void find_accuracy(zw_contact_modes *s, const zw_contact_mode_accuracy *accuracy) {
    const zw_kernel *k = s->k;
    double rtol = accuracy->rtol, atol = accuracy->atol;
    for (int c = 0; c < k->ncontact; c++)
        for (int a = 0; a < k->contact[c].nrow; a++) {
            int row = k->contact[c].row + a;
            const double *H = s->H + row * k->nv;
            double rate = 0, gap = 0;
            for (int j = 0; j < k->nv; j++) {
                rate += fabs(H[j]) * (rtol * accuracy->reach[j] + atol);
                gap += fabs(H[j]) * (rtol * accuracy->size[j] + atol);
            }
            s->known[row] = rate;
            if (a == 0)
                s->gap_known[c] = gap;
        }
}

bool zw_contact_modes_is_flat(const zw_contact_modes *s, int contact) {
    const double *H = s->H + s->k->contact[contact].row * s->k->nv;
    bool flat = true;
    for (int i = 0; i < s->k->nv; i++)
        flat &= H[i] == 0;
    return flat;
}

bool zw_contact_modes_returns(zw_contact_modes *s, const zw_contact_mode *others, int contact) {
    int row = s->k->contact[contact].row;
    double speed = s->rate[row], fall = -s->bend[row];
    memcpy(s->trial, others, sizeof *others * (size_t)s->k->ncontact);
    s->trial[contact].closed = false;
    if (zw_contact_modes_solve(s, zw_contact_modes_unknowns(s, s->trial, NULL), s->bend, true))
        fall = -s->out[row];
    return fall > 0 && speed > 0 && speed * speed <= 2 * fall * s->gap_known[contact];
}

zw_status zw_contact_modes_at(zw_contact_modes *s, zw_flow *flow, double t, const double *x,
                              const zw_contact_mode_accuracy *accuracy, zw_error *err) {
    const zw_kernel *k = s->k;
    int n = k->ntouch;
    zw_touch_parts touch = zw_at_touch(flow, t, x, NULL);
    memcpy(s->gap, touch.gap, sizeof(double) * (size_t)k->ncontact);
    memcpy(s->rate, touch.rate, sizeof(double) * (size_t)n);
    spread_rows(s, touch.H);
    memcpy(s->bend, zw_at_touch_rate(flow, t, x, NULL).value, sizeof(double) * (size_t)n);
    for (int r = 0; r < n; r++)
        s->parts[r] = fabs(s->bend[r]);
    memcpy(s->law, zw_at_law(flow, t, x, NULL).value, sizeof(double) * (size_t)k->nlaw);
    zw_mats_parts mats = zw_at_mats(flow, t, x, NULL);
    ZW_TRY(find_response(s, &mats, t, err));
    for (int r = 0; r < n; r++) {
        const double *H = s->H + r * k->nv;
        for (int j = 0; j < n; j++)
            s->A[r * n + j] = zw_contact_mode_dot(k->nv, H, s->B + j * k->nv);
        s->support[r] = s->rate[r] - zw_contact_mode_dot(k->nv, H, x + k->nq);
        s->bend[r] += zw_contact_mode_dot(k->nv, H, s->accel);
        for (int j = 0; j < k->nv; j++)
            s->parts[r] += fabs(H[j] * s->accel[j]);
        s->felt[r] = fmax(s->felt[r], s->parts[r]);
        if (!isfinite(s->bend[r]) || !isfinite(s->rate[r]))
            return zw_fail(err, ZW_E_NONFINITE, "a contact has no finite velocity at t = %.10g", t);
    }
    find_accuracy(s, accuracy);
    return ZW_OK;
}

void zw_contact_modes_push(const zw_contact_modes *s, const double *P, double *v) {
    for (int r = 0; r < s->k->ntouch; r++)
        for (int i = 0; i < s->k->nv; i++)
            v[i] += s->B[r * s->k->nv + i] * P[r];
}

double zw_contact_modes_brake(const zw_contact_modes *s) {
    const zw_kernel *k = s->k;
    double most = 0;
    for (int c = 0; c < k->ncontact; c++) {
        const zw_contact_form *f = &k->contact[c];
        for (int b = 0, row = f->row + 1; b < f->nblock; row += f->block_rows[b], b++)
            for (int i = 0; i < f->block_rows[b] && f->block_rows[b] > 1; i++) {
                double own = s->A[(row + i) * k->ntouch + row + i];
                const double *n = zw_contact_mode_numbers(s, f, b);
                most = fmax(most, n[0] * n[1 + i] * n[6 + i] * own * zw_contact_modes_weight(s, c));
            }
    }
    return most;
}

double zw_contact_modes_weight(const zw_contact_modes *s, int contact) {
    int row = s->k->contact[contact].row;
    return fabs(s->bend[row]) / s->A[row * s->k->ntouch + row];
}
