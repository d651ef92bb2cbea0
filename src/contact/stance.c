/* SPDX-License-Identifier: MIT */
#include "stance.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/slice.h"
#include "num/linalg.h"

#define TIE 1e-9    /* of the largest acceleration: what is nearer to 0 may be on either side */
#define SAME 1e-7   /* accelerations that differ by less are the same motion */
#define UNKNOWN 4   /* velocities within so many times their accuracy are 0 */
#define JAMMED 1e-3 /* part of its inertia that friction leaves a normal force */
#define IMPACTS_MAX 20
enum {
    OPTIONS_MAX = 129,
    COMBINATIONS_MAX = 20000,
    DIRECTIONS_MAX = 200,
    SWEEPS_MAX = 50,
    ANGLES = 24
};

struct zw_stances {
    const zw_kernel *k;
    zw_allocator alloc;
    size_t bytes;
    zw_contact_solver *solver;
    int nz;
    /* at the state */
    double *gap, *gap_known; /* ncontact: and to how much */
    double *rate;            /* ntouch: gamma */
    double *known;           /* ntouch: to how much */
    double *support;         /* ntouch: gamma where nothing of the system moves */
    double *law;             /* nlaw */
    double *H, *B;           /* ntouch x nv */
    double *A;               /* ntouch x ntouch */
    double *bend;            /* ntouch: gamma' without forces of contacts */
    double *parts, *felt;    /* ntouch: the size of what bend is the sum of; the largest so far */
    double *accel;           /* nv: v' without them */
    /* on the way */
    double *K, *side;  /* nz x nz, (ntouch + 1) x nz */
    int *pivot;        /* nz, at least ntouch */
    double *a, *c;     /* ntouch: r = a r_N + c of rows that slide */
    double *r, *out;   /* ntouch: forces, and what they make of the rows */
    double *S, *z;     /* ntouch x ntouch, ntouch: the linear system of a stance */
    int *row;          /* ntouch: its unknowns */
    double *W, *q, *p; /* of the contact problem of an impact */
    zw_contact_law *laws;
    int *closed;
    bool *turned;                       /* ncontact */
    bool *resting;                      /* ncontact x ZW_STANCE_PARTS: blocks with velocity 0 */
    zw_stance *option;                  /* ncontact x OPTIONS_MAX */
    int *noption, *count;               /* ncontact */
    zw_stance *trial, *best;            /* ncontact */
    double *best_accel, *now;           /* nv */
    double *direction, *best_direction; /* ntouch */
    bool generous; /* inequalities are judged by the largest accelerations of the whole motion */
};

/* ---- lifecycle ---- */

static void slice(zw_stances *s, const zw_kernel *k, zw_slicer *m) {
    int n = k->ntouch, nc = k->ncontact;
    double **rows[] = {&s->rate, &s->known, &s->support, &s->bend,      &s->parts,
                       &s->felt, &s->a,     &s->c,       &s->r,         &s->out,
                       &s->z,    &s->q,     &s->p,       &s->direction, &s->best_direction};
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
    s->resting = zw_slice_bools(m, nc * ZW_STANCE_PARTS);
    s->laws = zw_slice(m, sizeof *s->laws * (size_t)nc);
    s->option = zw_slice(m, sizeof *s->option * (size_t)(nc * OPTIONS_MAX));
    s->trial = zw_slice(m, sizeof *s->trial * (size_t)nc);
    s->best = zw_slice(m, sizeof *s->best * (size_t)nc);
}

zw_status zw_stances_create(zw_stances **out, const zw_kernel *k, zw_error *err) {
    zw_stances measured;
    zw_slicer need = {NULL, 0};
    *out = NULL;
    zw_slice(&need, sizeof(zw_stances));
    slice(&measured, k, &need);
    zw_slicer m = {zw_allocate(&k->alloc, need.used), 0};
    if (!m.base)
        return zw_fail(err, ZW_E_MEMORY, "out of memory for contacts");
    zw_stances *s = zw_slice(&m, sizeof *s);
    slice(s, k, &m);
    s->k = k;
    s->alloc = k->alloc;
    s->bytes = need.used;
    s->solver = zw_contact_solver_create(&s->alloc);
    *out = s;
    return s->solver ? ZW_OK : zw_fail(err, ZW_E_MEMORY, "out of memory for contacts");
}

void zw_stances_destroy(zw_stances *s) {
    if (!s)
        return;
    zw_allocator alloc = s->alloc;
    zw_contact_solver_destroy(s->solver);
    zw_release(&alloc, s, s->bytes);
}

const double *zw_stances_gap(const zw_stances *s) {
    return s->gap;
}
const double *zw_stances_rate(const zw_stances *s) {
    return s->rate;
}
const double *zw_stances_known(const zw_stances *s) {
    return s->known;
}
const double *zw_stances_support(const zw_stances *s) {
    return s->support;
}
const double *zw_stances_law(const zw_stances *s) {
    return s->law;
}

/* ---- the state ---- */

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void spread_rows(zw_stances *s, const double *H) {
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

/* (M -C; W 0), its factors, and what forces and unit impulses make of the velocities */
static zw_status respond(zw_stances *s, const zw_mats_parts *m, double t, zw_error *err) {
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

static void find_accuracy(zw_stances *s, const zw_stance_accuracy *accuracy) {
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

bool zw_stances_returns(const zw_stances *s, int contact) {
    int row = s->k->contact[contact].row;
    double speed = s->rate[row], fall = -s->bend[row];
    return fall > 0 && speed > 0 && speed * speed <= 2 * fall * s->gap_known[contact];
}

zw_status zw_stances_at(zw_stances *s, zw_flow *flow, double t, const double *x,
                        const zw_stance_accuracy *accuracy, zw_error *err) {
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
    ZW_TRY(respond(s, &mats, t, err));
    for (int r = 0; r < n; r++) {
        const double *H = s->H + r * k->nv;
        for (int j = 0; j < n; j++)
            s->A[r * n + j] = dot(k->nv, H, s->B + j * k->nv);
        s->support[r] = s->rate[r] - dot(k->nv, H, x + k->nq);
        s->bend[r] += dot(k->nv, H, s->accel);
        for (int j = 0; j < k->nv; j++)
            s->parts[r] += fabs(H[j] * s->accel[j]);
        s->felt[r] = fmax(s->felt[r], s->parts[r]);
        if (!isfinite(s->bend[r]) || !isfinite(s->rate[r]))
            return zw_fail(err, ZW_E_NONFINITE, "a contact has no finite velocity at t = %.10g", t);
    }
    find_accuracy(s, accuracy);
    return ZW_OK;
}

/* ---- laws ---- */

static const double *numbers(const zw_stances *s, const zw_contact_form *f, int block) {
    return s->law + f->number + 1 + ZW_LAW_NUMBERS * block;
}

static bool is_set_valued(const zw_contact_form *f, const double *n, int block) {
    return f->kind[block] != ZW_FRICTION_LINEAR && n[4] == 0;
}

static double support(const double *n, int nrow, const double *u) {
    double sum = 0;
    for (int i = 0; i < nrow; i++)
        sum += n[1 + i] * u[i] * n[1 + i] * u[i];
    return sqrt(sum);
}

static void set_law(const zw_stances *s, const zw_contact_form *f, zw_contact_law *law) {
    law->nblock = f->nblock;
    for (int b = 0; b < f->nblock; b++) {
        const double *n = numbers(s, f, b);
        zw_friction *to = &law->block[b];
        *to = zw_friction_block(f->kind[b], f->block_rows[b], n[0]);
        for (int i = 0; i < ZW_FRICTION_ROWS_MAX; i++) {
            to->axis[i] = n[1 + i];
            to->pull[i] = n[6 + i];
        }
        to->smooth = n[4];
        to->nu = f->nu[b]; /* damping has no impulse in no time */
    }
}

static void restitutions(const zw_stances *s, const zw_contact_form *f, double *e) {
    *e++ = s->law[f->number];
    for (int b = 0; b < f->nblock; b++)
        for (int i = 0; i < f->block_rows[b]; i++)
            *e++ = numbers(s, f, b)[9];
}

/* ---- impact ---- */

static int set_rows(zw_stances *s, const bool *touching) {
    const zw_kernel *k = s->k;
    int n = 0, nrow = 0;
    for (int c = 0; c < k->ncontact; c++) {
        if (!touching[c])
            continue;
        set_law(s, &k->contact[c], &s->laws[n]);
        s->closed[n++] = c;
        for (int r = 0; r < k->contact[c].nrow; r++)
            s->row[nrow++] = k->contact[c].row + r;
    }
    return n;
}

/* W and q of the contacts that touch, normals turned round where that is so */
static zw_contact_problem set_problem(zw_stances *s, int n, const bool *plastic) {
    const zw_kernel *k = s->k;
    int at = 0;
    for (int i = 0; i < n; i++) {
        const zw_contact_form *f = &k->contact[s->closed[i]];
        double e[ZW_CONTACT_ROWS_MAX];
        restitutions(s, f, e);
        if (plastic && plastic[s->closed[i]])
            memset(e, 0, sizeof e);
        for (int r = 0; r < f->nrow; r++, at++) {
            s->z[at] = r == 0 && s->turned[s->closed[i]] ? -1 : 1;
            s->q[at] = s->z[at] * (1 + e[r]) * s->rate[f->row + r];
        }
    }
    for (int i = 0; i < at; i++)
        for (int j = 0; j < at; j++) {
            double both =
                s->A[s->row[i] * k->ntouch + s->row[j]] + s->A[s->row[j] * k->ntouch + s->row[i]];
            s->W[i * at + j] = s->z[i] * s->z[j] * both / 2;
        }
    return (zw_contact_problem){.ncontact = n, .law = s->laws, .q = s->q, .W = s->W};
}

static void take_impulses(zw_stances *s, int n, double *P) {
    const zw_kernel *k = s->k;
    int at = 0;
    memset(P, 0, sizeof(double) * (size_t)k->ntouch);
    for (int i = 0; i < n; i++) {
        const zw_contact_form *f = &k->contact[s->closed[i]];
        P[f->row] = s->z[at] * s->p[at];
        at++;
        for (int b = 0, r = 1; b < f->nblock; b++)
            for (int l = 0; l < f->block_rows[b]; l++, r++, at++)
                P[f->row + r] = s->p[at] * s->laws[i].block[b].pull[l];
    }
}

/* rates += A P */
static void add_to_rates(zw_stances *s, const double *P) {
    int n = s->k->ntouch;
    for (int r = 0; r < n; r++)
        s->rate[r] += dot(n, s->A + r * n, P);
}

/* bilateral contacts that would open */
static bool turn_round(zw_stances *s, int n, const double *P) {
    const zw_kernel *k = s->k;
    bool any = false;
    for (int i = 0; i < n; i++) {
        int c = s->closed[i], row = k->contact[c].row;
        double after = s->rate[row] + dot(k->ntouch, s->A + row * k->ntouch, P);
        if (!k->contact[c].bilateral || fabs(after) <= UNKNOWN * s->known[row])
            continue;
        s->turned[c] = !s->turned[c];
        any = true;
    }
    return any;
}

void zw_stances_back(zw_stances *s, const double *rate) {
    memcpy(s->rate, rate, sizeof(double) * (size_t)s->k->ntouch);
}

zw_status zw_stances_impact(zw_stances *s, const bool *touching, const bool *plastic, double *P,
                            zw_contact_answer *answer, zw_error *err) {
    int n = set_rows(s, touching);
    memset(s->turned, 0, sizeof *s->turned * (size_t)s->k->ncontact);
    for (int turn = 0; turn < IMPACTS_MAX; turn++) {
        zw_contact_problem problem = set_problem(s, n, plastic);
        zw_contact_options options = zw_contact_options_default();
        options.tolerance = 1e-13;
        ZW_TRY(zw_contact_solve(s->solver, &problem, &options, s->p, answer, err));
        take_impulses(s, n, P);
        if (!turn_round(s, n, P))
            break;
    }
    add_to_rates(s, P);
    return ZW_OK;
}

/* ---- the linear equations of stances ---- */

void zw_stance_friction(zw_friction_kind kind, int nrow, const double *n, const zw_stance *stance,
                        int block, const double *u, double N, double *out) {
    double size = support(n, nrow, u) + n[4];
    int slide = stance->slide[block];
    for (int i = 0; i < nrow; i++)
        if (kind == ZW_FRICTION_LINEAR)
            out[i] = -n[5] * u[i];
        else if (slide == ZW_CARRIED)
            out[i] = 0;
        else if (nrow == 1 && n[4] == 0)
            out[i] = -stance->press * slide * n[6] * n[0] * n[1] * N;
        else
            out[i] = size > 0
                         ? -stance->press * n[6 + i] * n[0] * n[1 + i] * n[1 + i] * u[i] / size * N
                         : 0;
}

/* r_i = a_i r_N + c_i of a block that slides, at the velocities u or along the direction d of its beginning */
static void friction_row(zw_stances *s, const zw_contact_form *f, int block, int first,
                         const zw_stance *stance, bool begins) {
    const double *n = numbers(s, f, block), *u = s->rate + first;
    int nrow = f->block_rows[block];
    bool linear = f->kind[block] == ZW_FRICTION_LINEAR;
    if (begins && nrow > 1)
        u = s->direction + first;
    zw_stance_friction(f->kind[block], nrow, n, stance, block, u, 1,
                       linear ? s->c + first : s->a + first);
}

/* the unknowns of these stances, and the rows of friction that go with N */
static int set_unknowns(zw_stances *s, const zw_stance *stance, const bool *resting) {
    const zw_kernel *k = s->k;
    int m = 0;
    for (int i = 0; i < k->ntouch; i++)
        s->a[i] = s->c[i] = 0;
    for (int c = 0; c < k->ncontact; c++) {
        const zw_contact_form *f = &k->contact[c];
        int row = f->row + 1;
        if (!stance[c].closed)
            continue;
        s->row[m++] = f->row;
        for (int b = 0; b < f->nblock; row += f->block_rows[b], b++) {
            bool sticks = stance[c].slide[b] == ZW_STICKS && is_set_valued(f, numbers(s, f, b), b);
            for (int i = 0; sticks && i < f->block_rows[b]; i++)
                s->row[m++] = row + i;
            if (!sticks)
                friction_row(s, f, b, row, &stance[c],
                             resting && resting[c * ZW_STANCE_PARTS + 1 + b]);
        }
    }
    return m;
}

static const zw_contact_form *form_of_row(const zw_kernel *k, int row) {
    int c = 0;
    while (c + 1 < k->ncontact && k->contact[c + 1].row <= row)
        c++;
    return &k->contact[c];
}

/* The forces s->r that make the rows of the stances (after set_unknowns) 0, starting from `free`, and what becomes of all rows
 * in s->out. constants: of the linear law. False where the equations are singular. */
static bool solve(zw_stances *s, int m, const double *free, bool constants) {
    const zw_kernel *k = s->k;
    int n = k->ntouch;
    for (int j = 0; j < n; j++)
        s->r[j] = constants ? s->c[j] : 0;
    for (int i = 0; i < m; i++) {
        const double *A = s->A + s->row[i] * n;
        s->z[i] = -free[s->row[i]] - dot(n, A, s->r);
        for (int j = 0; j < m; j++) {
            const zw_contact_form *f = form_of_row(k, s->row[j]);
            double sum = A[s->row[j]];
            for (int l = f->row + 1; s->row[j] == f->row && l < f->row + f->nrow; l++)
                sum += A[l] * s->a[l];
            s->S[i * m + j] = sum;
        }
    }
    if (m > 0 && !(zw_num_lu(m, s->S, s->pivot) > 1e-11))
        return false;
    if (m > 0)
        zw_num_lu_solve(m, s->S, s->pivot, 1, s->z);
    for (int i = 0; i < m; i++) {
        const zw_contact_form *f = form_of_row(k, s->row[i]);
        s->r[s->row[i]] += s->z[i];
        for (int l = f->row + 1; s->row[i] == f->row && l < f->row + f->nrow; l++)
            s->r[l] += s->a[l] * s->z[i];
    }
    for (int i = 0; i < n; i++)
        s->out[i] = free[i] + dot(n, s->A + i * n, s->r);
    return true;
}

/* blocks that begin to slide are taken for sticking, with a velocity that they are to have */
static void hold_beginnings(zw_stances *s, const zw_stance *stance) {
    const zw_kernel *k = s->k;
    memcpy(s->trial, stance, sizeof *stance * (size_t)k->ncontact);
    for (int c = 0; c < k->ncontact; c++)
        for (int b = 0; b < k->contact[c].nblock; b++)
            if (s->resting[c * ZW_STANCE_PARTS + 1 + b] && stance[c].slide[b] != ZW_CARRIED)
                s->trial[c].slide[b] = ZW_STICKS;
}

/* Of the m rows of set_unknowns those that do not depend on others: what carries a body at more points than it has freedoms
 * moves as they do. */
static int drop_dependent(zw_stances *s, int m, const double *free) {
    int kept = 0;
    for (int i = 0; i < m; i++) {
        s->row[kept] = s->row[i];
        kept += solve(s, kept + 1, free, false);
    }
    return kept;
}

zw_status zw_stances_settle(zw_stances *s, const zw_stance *stance, const double *slip, double *P,
                            zw_error *err) {
    int n = s->k->ntouch;
    hold_beginnings(s, stance);
    int m = set_unknowns(s, s->trial, NULL);
    for (int i = 0; i < n; i++)
        s->q[i] = s->rate[i] - slip[i];
    if (!solve(s, m, s->q, false)) {
        m = drop_dependent(s, m, s->q);
        if (!solve(s, m, s->q, false))
            return zw_fail(err, ZW_E_SINGULAR, "the contacts that close depend on each other");
    }
    for (int i = 0; i < n; i++)
        s->rate[i] = s->out[i] + slip[i];
    memcpy(P, s->r, sizeof(double) * (size_t)n);
    return ZW_OK;
}

void zw_stances_push(const zw_stances *s, const double *P, double *v) {
    for (int r = 0; r < s->k->ntouch; r++)
        for (int i = 0; i < s->k->nv; i++)
            v[i] += s->B[r * s->k->nv + i] * P[r];
}

double zw_stances_weight(const zw_stances *s, int contact) {
    int row = s->k->contact[contact].row;
    return fabs(s->bend[row]) / s->A[row * s->k->ntouch + row];
}

/* what a normal force does in its own row, with the friction that it brings about, beside what it does without */
bool zw_stances_jams(zw_stances *s, const zw_stance *stance) {
    const zw_kernel *k = s->k;
    set_unknowns(s, stance, NULL);
    for (int c = 0; c < k->ncontact; c++) {
        const zw_contact_form *f = &k->contact[c];
        const double *A = s->A + f->row * k->ntouch;
        double sum = A[f->row];
        for (int i = f->row + 1; i < f->row + f->nrow; i++)
            sum += A[i] * s->a[i];
        if (stance[c].closed && sum <= JAMMED * A[f->row])
            return true;
    }
    return false;
}

/* ---- which of them hold ---- */

static double force_of(const double *n, int nrow,
                       const double *r) { /* gauge of the set, times mu N */
    double sum = 0;
    for (int i = 0; i < nrow; i++) {
        double part = r[i] / (n[1 + i] * n[6 + i]);
        sum += part * part;
    }
    return sqrt(sum);
}

static bool block_holds(const zw_stances *s, const zw_contact_form *f, int block, int row,
                        const zw_stance *stance, bool resting, double accel, double force) {
    const double *n = numbers(s, f, block);
    int nrow = f->block_rows[block], slide = stance->slide[block];
    double N = fabs(s->r[f->row]);
    if (!is_set_valued(f, n, block) || !resting)
        return true;
    if (slide == ZW_STICKS)
        return force_of(n, nrow, s->r + row) <= n[0] * N + force;
    if (slide != ZW_CARRIED && nrow == 1)
        return slide * s->out[row] >= -accel;
    for (int i = 0; i < nrow; i++) { /* along its direction, or not at all */
        double way = slide == ZW_CARRIED ? 0 : dot(nrow, s->direction + row, s->out + row);
        double off = s->out[row + i] - (way > 0 ? way * s->direction[row + i] : 0);
        if (!(fabs(off) <= accel))
            return false;
    }
    return true;
}

/* Accelerations are compared with what they are made of: where a normal force falls to zero, those that it would be made of are
 * as small as it is. */
static bool all_hold(const zw_stances *s, const bool *rests, const zw_stance *stance) {
    const zw_kernel *k = s->k;
    double largest = 0;
    for (int c = 0; c < k->ncontact; c++)
        for (int i = 0; rests[c] && i < k->contact[c].nrow; i++) {
            int row = k->contact[c].row + i;
            double sum = s->generous ? s->felt[row] : s->parts[row];
            for (int j = 0; j < k->ntouch; j++)
                sum = fmax(sum, fabs(s->A[row * k->ntouch + j] * s->r[j]));
            largest = fmax(largest, sum);
        }
    for (int c = 0; c < k->ncontact; c++) {
        const zw_contact_form *f = &k->contact[c];
        double accel = TIE * largest, force = accel / s->A[f->row * k->ntouch + f->row];
        if (!rests[c])
            continue;
        if (!stance[c].closed) {
            if (!(s->out[f->row] >= -accel))
                return false;
            continue;
        }
        if (!(stance[c].press * s->r[f->row] >= -force))
            return false;
        for (int b = 0, row = f->row + 1; b < f->nblock; row += f->block_rows[b], b++)
            if (!block_holds(s, f, b, row, &stance[c], s->resting[c * ZW_STANCE_PARTS + 1 + b],
                             accel, force))
                return false;
    }
    return true;
}

/* ---- directions in which blocks of several velocities begin to slide ---- */

/* a block that rests, and begins to slide along a direction that is not known */
static bool begins(const zw_stances *s, const zw_stance *stance, int c, int block) {
    return stance[c].closed && stance[c].slide[block] == ZW_SLIDES &&
           s->k->contact[c].block_rows[block] > 1 && s->resting[c * ZW_STANCE_PARTS + 1 + block];
}

static bool solve_along(zw_stances *s, const zw_stance *stance) {
    return solve(s, set_unknowns(s, stance, s->resting), s->bend, true);
}

/* Two velocities: how far gamma'_F is from the direction at this angle, d x gamma'_F; NaN where there is no answer. */
static double across(zw_stances *s, const zw_stance *stance, int row, double angle) {
    double *d = s->direction + row;
    d[0] = cos(angle);
    d[1] = sin(angle);
    return solve_along(s, stance) ? d[0] * s->out[row + 1] - d[1] * s->out[row] : NAN;
}

/* The zero in an interval at whose ends the signs differ, by false position with halving (Illinois). */
static double zero_between(zw_stances *s, const zw_stance *stance, int row, double a, double fa,
                           double b, double fb) {
    for (int i = 0; i < DIRECTIONS_MAX && fabs(b - a) > 4 * DBL_EPSILON; i++) {
        double m = b - fb * (b - a) / (fb - fa), fm = across(s, stance, row, m);
        if (fm == 0)
            return m;
        if ((fm < 0) != (fb < 0)) {
            a = b;
            fa = fb;
        } else {
            fa /= 2;
        }
        b = m;
        fb = fm;
    }
    return b;
}

/* The direction of a block of two velocities with gamma'_F along it, the nearest to the one it has; false: there is none. */
static bool turn_two(zw_stances *s, const zw_stance *stance, int row) {
    double first = atan2(s->direction[row + 1], s->direction[row]), best = NAN;
    double step = 2 * M_PI / ANGLES, a = first - step / 2, fa = across(s, stance, row, a);
    for (int i = 0; i < ANGLES; i++) {
        double b = first + (i + 0.5) * step, fb = across(s, stance, row, b);
        if ((fa <= 0 && fb > 0) || (fa >= 0 && fb < 0)) {
            double root = zero_between(s, stance, row, a, fa, b, fb),
                   off = fabs(remainder(root - first, 2 * M_PI));
            across(s, stance, row, root);
            bool forward = dot(2, s->direction + row, s->out + row) >= 0;
            if (forward && !(off >= fabs(remainder(best - first, 2 * M_PI))))
                best = root;
        }
        a = b;
        fa = fb;
    }
    bool found = !isnan(best);
    across(s, stance, row, found ? best : first);
    return found;
}

/* three velocities: a step of d = gamma'_F/|gamma'_F|, damped */
static bool turn_three(zw_stances *s, const zw_stance *stance, int row) {
    double *d = s->direction + row;
    for (int i = 0; i < DIRECTIONS_MAX; i++) {
        double next[3], size, length = 0, change = 0;
        if (!solve_along(s, stance) || !((size = sqrt(dot(3, s->out + row, s->out + row))) > 0))
            return false;
        for (int j = 0; j < 3; j++)
            next[j] = 0.5 * d[j] + 0.5 * s->out[row + j] / size;
        length = sqrt(dot(3, next, next));
        if (!(length > 0.01))
            return false;
        for (int j = 0; j < 3; j++) {
            change = fmax(change, fabs(next[j] / length - d[j]));
            d[j] = next[j] / length;
        }
        if (change < 1e-15)
            return true;
    }
    return false;
}

/* all of them, one after the other; how much they change, or NaN */
static double turn_directions(zw_stances *s, const zw_stance *stance) {
    const zw_kernel *k = s->k;
    double change = 0;
    for (int c = 0; c < k->ncontact; c++) {
        const zw_contact_form *f = &k->contact[c];
        for (int b = 0, row = f->row + 1; b < f->nblock; row += f->block_rows[b], b++) {
            int nrow = f->block_rows[b];
            double before[ZW_FRICTION_ROWS_MAX];
            if (!begins(s, stance, c, b))
                continue;
            memcpy(before, s->direction + row, sizeof(double) * (size_t)nrow);
            if (!(nrow == 2 ? turn_two(s, stance, row) : turn_three(s, stance, row)))
                return NAN;
            for (int i = 0; i < nrow; i++)
                change = fmax(change, fabs(s->direction[row + i] - before[i]));
        }
    }
    return change;
}

static bool any_begins(const zw_stances *s, const zw_stance *stance) {
    for (int c = 0; c < s->k->ncontact; c++)
        for (int b = 0; b < s->k->contact[c].nblock; b++)
            if (begins(s, stance, c, b))
                return true;
    return false;
}

/* against the force that would be needed to stick: the normal of the set there */
static void first_directions(zw_stances *s, zw_stance *stance) {
    const zw_kernel *k = s->k;
    memset(s->direction, 0, sizeof(double) * (size_t)k->ntouch);
    for (int c = 0; c < k->ncontact; c++) {
        const zw_contact_form *f = &k->contact[c];
        for (int b = 0, row = f->row + 1; b < f->nblock; row += f->block_rows[b], b++) {
            if (!begins(s, stance, c, b))
                continue;
            stance[c].slide[b] = ZW_STICKS;
            int m = set_unknowns(s, stance, s->resting);
            bool solved = solve(s, m, s->bend, true);
            stance[c].slide[b] = ZW_SLIDES;
            const double *n = numbers(s, f, b);
            double *d = s->direction + row, size = 0;
            for (int i = 0; i < f->block_rows[b]; i++) {
                d[i] =
                    solved ? -s->r[row + i] / (n[1 + i] * n[1 + i] * n[6 + i]) : s->bend[row + i];
                size += d[i] * d[i];
            }
            for (int i = 0; i < f->block_rows[b]; i++)
                d[i] = size > 0 ? d[i] / sqrt(size) : i == 0;
        }
    }
}

/* is it a motion that these stances allow? */
static bool holds(zw_stances *s, const bool *rests, zw_stance *stance) {
    bool directions = any_begins(s, stance);
    if (directions)
        first_directions(s, stance);
    for (int turn = 0; turn < SWEEPS_MAX; turn++) {
        if (!solve_along(s, stance))
            return false;
        if (!directions || all_hold(s, rests, stance))
            break;
        if (!(turn_directions(s, stance) > 1e-14))
            break;
    }
    return all_hold(s, rests, stance);
}

/* ---- all of them ---- */

static int press_of(const zw_stance *before) {
    return before->press < 0 ? -1 : 1;
}

/* what block b of a contact may do */
static int slides_of(const zw_stances *s, const zw_contact_form *f, int block, int row,
                     bool resting, signed char *out) {
    const double *n = numbers(s, f, block);
    int m = 0;
    if (!is_set_valued(f, n, block)) {
        out[m++] = ZW_SLIDES;
    } else if (n[0] == 0) {
        out[m++] = ZW_CARRIED;
    } else if (!resting) {
        out[m++] = f->block_rows[block] == 1 && s->rate[row] < 0 ? -ZW_SLIDES : ZW_SLIDES;
    } else {
        out[m++] = ZW_STICKS;
        out[m++] = ZW_SLIDES;
        if (f->block_rows[block] == 1)
            out[m++] = -ZW_SLIDES;
        out[m++] = ZW_CARRIED;
    }
    return m;
}

unsigned char zw_stance_bit(const zw_stance *stance, int part) {
    int slide = part > 0 ? stance->slide[part - 1] : 0, bit;
    if (part == 0)
        bit = !stance->closed ? 1 : stance->press > 0 ? 2 : 4;
    else
        bit = !stance->closed ? 0 : 1 << (slide < 0 ? 3 : slide);
    return (unsigned char)bit;
}

static bool is_over(const unsigned char *over, const zw_stance *now, int nblock) {
    for (int part = 0; part <= nblock; part++)
        if (over[part] & zw_stance_bit(now, part))
            return true;
    return false;
}

static void list_options(zw_stances *s, int c, const zw_stance *before, const unsigned char *over) {
    const zw_contact_form *f = &s->k->contact[c];
    zw_stance *to = s->option + (size_t)c * OPTIONS_MAX;
    int n = 0;
    zw_stance stance = {.press = 1};
    if (!f->bilateral)
        to[n++] = stance;
    stance.closed = true;
    signed char slide[ZW_FRICTION_BLOCKS_MAX][4];
    int count[ZW_FRICTION_BLOCKS_MAX] = {1, 1, 1}, total = 1;
    for (int b = 0, row = f->row + 1; b < f->nblock; row += f->block_rows[b], b++) {
        count[b] = slides_of(s, f, b, row, s->resting[c * ZW_STANCE_PARTS + 1 + b], slide[b]);
        total *= count[b];
    }
    for (int way = 0; way < (f->bilateral && f->nblock > 0 ? 2 : 1); way++)
        for (int i = 0; i < total && n < OPTIONS_MAX; i++) {
            stance.press = (signed char)((way ? -1 : 1) * (f->bilateral ? press_of(before) : 1));
            for (int b = 0, rest = i; b < f->nblock; rest /= count[b], b++)
                stance.slide[b] = slide[b][rest % count[b]];
            to[n++] = stance;
        }
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (!over || !is_over(over, &to[i], f->nblock))
            to[kept++] = to[i];
    s->noption[c] = kept;
}

/* How far stances are from those before, and from what is preferred, smaller is better: of several forces for one motion those
 * of blocks that stick, and none in what others hold rather than the largest that the law allows. */
static int cost_of(const zw_stances *s, const bool *rests, const zw_stance *before,
                   const zw_stance *now) {
    const zw_kernel *k = s->k;
    int cost = 0;
    for (int c = 0; c < k->ncontact; c++) {
        if (!rests[c])
            continue;
        cost += before[c].closed != now[c].closed ? 1000 : 0;
        for (int b = 0; now[c].closed && b < k->contact[c].nblock; b++) {
            bool resting = s->resting[c * ZW_STANCE_PARTS + 1 + b];
            int slide = now[c].slide[b];
            cost += !resting || slide == ZW_STICKS ? 0 : slide == ZW_CARRIED ? 20 : 40;
            cost += before[c].closed && before[c].slide[b] != slide ? 1 : 0;
        }
    }
    return cost;
}

static void accelerations(zw_stances *s) {
    memcpy(s->now, s->accel, sizeof(double) * (size_t)s->k->nv);
    zw_stances_push(s, s->r, s->now);
}

static bool is_same_motion(const zw_stances *s) {
    double scale = 0, apart = 0;
    for (int i = 0; i < s->k->nv; i++) {
        scale = fmax(scale, fmax(fabs(s->now[i]), fabs(s->accel[i])));
        apart = fmax(apart, fabs(s->now[i] - s->best_accel[i]));
    }
    return apart <= SAME * scale;
}

static zw_stance_answer try_all(zw_stances *s, const bool *rests, const unsigned char *over,
                                const zw_stance *before) {
    const zw_kernel *k = s->k;
    double combinations = 1;
    int best = -1;
    bool several = false;
    for (int c = 0; c < k->ncontact; c++) {
        s->count[c] = 0;
        s->trial[c] = (zw_stance){.press = 1};
        if (!rests[c])
            continue;
        list_options(s, c, &before[c], over ? over + c * ZW_STANCE_PARTS : NULL);
        combinations *= s->noption[c];
    }
    if (combinations > COMBINATIONS_MAX)
        return ZW_STANCE_TOO_MANY;
    for (int i = 0; i < (int)combinations; i++) {
        for (int c = 0, rest = i; c < k->ncontact; c++)
            if (rests[c]) {
                s->trial[c] = s->option[c * OPTIONS_MAX + rest % s->noption[c]];
                rest /= s->noption[c];
            }
        if (!holds(s, rests, s->trial))
            continue;
        accelerations(s);
        several |= best >= 0 && !is_same_motion(s);
        int cost = cost_of(s, rests, before, s->trial);
        if (best >= 0 && cost >= best)
            continue;
        best = cost;
        memcpy(s->best, s->trial, sizeof *s->best * (size_t)k->ncontact);
        memcpy(s->best_accel, s->now, sizeof(double) * (size_t)k->nv);
        memcpy(s->best_direction, s->direction, sizeof(double) * (size_t)k->ntouch);
    }
    return best < 0 ? ZW_STANCE_NONE : several ? ZW_STANCE_SEVERAL : ZW_STANCE_ONE;
}

/* blocks that have no velocity, or have come to where they have none */
static void find_resting(zw_stances *s, const bool *rests, const unsigned char *over) {
    const zw_kernel *k = s->k;
    for (int c = 0; c < k->ncontact; c++) {
        const zw_contact_form *f = &k->contact[c];
        for (int b = 0, row = f->row + 1; b < f->nblock; row += f->block_rows[b], b++) {
            bool at_rest = true;
            for (int i = 0; i < f->block_rows[b]; i++)
                at_rest &= fabs(s->rate[row + i]) <= UNKNOWN * s->known[row + i];
            bool stopped = over && over[c * ZW_STANCE_PARTS + 1 + b];
            s->resting[c * ZW_STANCE_PARTS + 1 + b] = rests[c] && (at_rest || stopped);
        }
    }
}

/* with D = 1 */
static void copy_direction(const zw_stances *s, const zw_contact_form *f, int block, int row,
                           double *to) {
    int nrow = f->block_rows[block];
    double size = support(numbers(s, f, block), nrow, s->best_direction + row);
    for (int i = 0; i < nrow; i++)
        to[row + i] = size > 0 ? s->best_direction[row + i] / size : 0;
}

zw_stance_answer zw_stances_decide(zw_stances *s, const bool *rests, const unsigned char *over,
                                   zw_stance *stance, double *direction) {
    const zw_kernel *k = s->k;
    find_resting(s, rests, over);
    zw_stance_answer answer = try_all(s, rests, over, stance);
    if (answer == ZW_STANCE_NONE &&
        over) { /* all forces may be zero but for the accuracy of the time */
        s->generous = true;
        answer = try_all(s, rests, over, stance);
        s->generous = false;
    }
    if (answer == ZW_STANCE_NONE && over)
        answer = try_all(s, rests, NULL, stance);
    if (answer == ZW_STANCE_NONE || answer == ZW_STANCE_TOO_MANY)
        return answer;
    memcpy(stance, s->best, sizeof *stance * (size_t)k->ncontact);
    memset(direction, 0, sizeof(double) * (size_t)k->ntouch);
    for (int c = 0; c < k->ncontact; c++)
        for (int b = 0, row = k->contact[c].row + 1; b < k->contact[c].nblock;
             row += k->contact[c].block_rows[b], b++)
            if (stance[c].closed && s->resting[c * ZW_STANCE_PARTS + 1 + b] &&
                stance[c].slide[b] == ZW_SLIDES && k->contact[c].block_rows[b] > 1)
                copy_direction(s, &k->contact[c], b, row, direction);
    return answer;
}

static bool slides_on(const zw_stances *s, const zw_contact_form *f, int block, int row,
                      int slide) {
    bool moves = false;
    for (int i = 0; i < f->block_rows[block]; i++)
        moves |= fabs(s->rate[row + i]) > UNKNOWN * s->known[row + i];
    return moves && (f->block_rows[block] > 1 || slide * s->rate[row] > 0);
}

bool zw_stances_agree(const zw_stances *s, const zw_stance *stance) {
    const zw_kernel *k = s->k;
    for (int c = 0; c < k->ncontact; c++) {
        const zw_contact_form *f = &k->contact[c];
        for (int b = 0, row = f->row + 1; b < f->nblock; row += f->block_rows[b], b++) {
            int slide = stance[c].slide[b];
            if (stance[c].closed && is_set_valued(f, numbers(s, f, b), b) && slide != ZW_STICKS &&
                slide != ZW_CARRIED && !s->resting[c * ZW_STANCE_PARTS + 1 + b] &&
                !slides_on(s, f, b, row, slide))
                return false;
        }
    }
    return true;
}

/* ---- an impact without a collision ---- */

bool zw_stances_stop(zw_stances *s, const bool *touching, int contact, double *P) {
    const zw_kernel *k = s->k;
    for (int c = 0; c < k->ncontact; c++)
        s->trial[c] = (zw_stance){.closed = touching[c], .press = 1};
    int m = set_unknowns(s, s->trial, NULL);
    if (!solve(s, m, s->rate, false))
        return false;
    const zw_contact_form *f = &k->contact[contact];
    bool allowed = s->r[f->row] > 0;
    for (int b = 0, row = f->row + 1; b < f->nblock; row += f->block_rows[b], b++) {
        const double *n = numbers(s, f, b);
        allowed &= !is_set_valued(f, n, b) ||
                   force_of(n, f->block_rows[b], s->r + row) <= n[0] * s->r[f->row] * (1 + TIE);
    }
    if (!allowed)
        return false;
    memcpy(P, s->r, sizeof(double) * (size_t)k->ntouch);
    memcpy(s->rate, s->out, sizeof(double) * (size_t)k->ntouch);
    return true;
}
