/* SPDX-License-Identifier: MIT */
/* A contact problem checked and scaled (solver.h says how), its products, and the residual that judges every answer. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/slice.h"
#include "solver.h"

/* --------------------------------------------------------------------------------------------- checks */

static bool is_pressure(double nu) {
    return nu == -1 || nu == 0 || nu == 0.5 || nu == 1;
}

static const char *wrong_block(const zw_friction *f) {
    if (f->nrow < 1 || f->nrow > ZW_FRICTION_ROWS_MAX)
        return "a block of friction has 1 to 3 rows";
    if (!(f->mu >= 0) || !isfinite(f->mu))
        return "mu is negative or no number";
    if (f->kind == ZW_FRICTION_CONTENSOU && (f->nrow != 3 || !is_pressure(f->nu)))
        return "Contensou's law has 3 rows and nu = -1, 0, 1/2 or 1";
    if (!(f->smooth >= 0) || !(f->damping >= 0) || !isfinite(f->smooth) || !isfinite(f->damping))
        return "smoothing or damping is negative or no number";
    for (int i = 0; i < f->nrow; i++)
        if (!(f->axis[i] > 0) || !(f->pull[i] >= 0) || !isfinite(f->axis[i] + f->pull[i]))
            return "an axis of friction is not positive";
    return NULL;
}

static zw_status check_laws(const zw_contact_problem *p, zw_error *err) {
    for (int i = 0; i < p->ncontact; i++) {
        const zw_contact_law *law = &p->law[i];
        const char *wrong = law->nblock < 0 || law->nblock > ZW_FRICTION_BLOCKS_MAX
                                ? "there are too many blocks of friction"
                                : NULL;
        for (int k = 0; !wrong && k < law->nblock; k++)
            wrong = wrong_block(&law->block[k]);
        if (!wrong && zw_contact_law_rows(law) > ZW_CONTACT_ROWS_MAX)
            wrong = "it has too many rows";
        if (wrong)
            return zw_fail(err, ZW_E_DOMAIN, "contact %d: %s", i, wrong);
    }
    return ZW_OK;
}

static zw_status check_entries(const zw_contact_problem *p, zw_error *err) {
    int last = -1;
    for (int e = 0; e < p->nentry; e++) {
        const zw_contact_entry *entry = &p->entry[e];
        if (entry->part < 0 || entry->part >= p->npart || entry->contact < last ||
            entry->contact > last + 1 || entry->contact >= p->ncontact)
            return zw_fail(err, ZW_E_DOMAIN,
                           "entry %d: contact or part out of range, or contacts out of order", e);
        last = entry->contact;
    }
    if (last != p->ncontact - 1)
        return zw_fail(err, ZW_E_DOMAIN, "contact %d moves no part", last + 1);
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------------- memory */

typedef struct sizes {
    int nrow, ncol, nblock, nsquare, nH, nL, widest;
} sizes;

static sizes measure(const zw_contact_problem *p) {
    sizes z = {0};
    for (int i = 0; i < p->ncontact; i++) {
        int m = zw_contact_law_rows(&p->law[i]);
        z.nrow += m;
        z.nsquare += m * m;
        z.nblock += p->law[i].nblock;
    }
    for (int i = 0; i < p->npart; i++) {
        z.ncol += p->part[i].n;
        z.widest = p->part[i].n > z.widest ? p->part[i].n : z.widest;
        z.nL += p->part[i].diagonal ? p->part[i].n : p->part[i].n * p->part[i].n;
    }
    for (int e = 0; e < p->nentry; e++)
        z.nH += zw_contact_law_rows(&p->law[p->entry[e].contact]) * p->part[p->entry[e].part].n;
    return z;
}

static void slice_all(zw_contact_solver *s, const zw_contact_problem *p, sizes z, zw_slicer *b) {
    double **rows[] = {&s->q,  &s->r, &s->u,    &s->dr,    &s->du,
                       &s->rp, &s->c, &s->best, &s->trial, &s->pull};
    double **columns[] = {&s->w, &s->dw, &s->rd, &s->rhs};
    s->row = zw_slice_ints(b, p->ncontact + 1);
    s->col = zw_slice_ints(b, p->npart + 1);
    s->first = zw_slice_ints(b, p->ncontact + 1);
    s->square = zw_slice_ints(b, p->ncontact + 1);
    s->block0 = zw_slice_ints(b, p->ncontact + 1);
    s->at = zw_slice_ints(b, p->nentry + 1);
    s->mass = zw_slice_ints(b, p->npart + 1);
    s->H = zw_slice_doubles(b, z.nH);
    s->L = zw_slice_doubles(b, z.nL);
    s->root = zw_slice_doubles(b, p->ncontact);
    s->weighed = zw_slice_doubles(b, ZW_CONTACT_ROWS_MAX * z.widest);
    s->D = zw_slice_doubles(b, z.nsquare);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        *rows[i] = zw_slice_doubles(b, z.nrow);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        *columns[i] = zw_slice_doubles(b, z.ncol);
    s->state = zw_slice(b, sizeof *s->state * (size_t)z.nblock);
}

static zw_status make_room(zw_contact_solver *s, const zw_contact_problem *p, zw_error *err) {
    sizes z = measure(p);
    zw_slicer b = {0};
    slice_all(s, p, z, &b);
    if (b.used > s->bytes) {
        size_t bytes = b.used + b.used / 2;
        zw_release(&s->alloc, s->memory, s->bytes);
        s->memory = zw_allocate(&s->alloc, bytes);
        s->bytes = s->memory ? bytes : 0;
        if (!s->memory)
            return zw_fail(err, ZW_E_MEMORY, "out of memory");
    }
    b = (zw_slicer){.base = s->memory};
    slice_all(s, p, z, &b);
    s->nrow = z.nrow;
    s->ncol = z.ncol;
    s->nblock = z.nblock;
    s->problem = p;
    return ZW_OK;
}

static void place_all(zw_contact_solver *s) {
    const zw_contact_problem *p = s->problem;
    int row = 0, square = 0, block = 0, e = 0, at = 0;
    for (int i = 0; i < p->ncontact; i++) {
        int m = zw_contact_law_rows(&p->law[i]);
        s->row[i] = row;
        s->square[i] = square;
        s->block0[i] = block;
        s->first[i] = e;
        row += m;
        square += m * m;
        block += p->law[i].nblock;
        for (; e < p->nentry && p->entry[e].contact == i; e++) {
            s->at[e] = at;
            at += m * p->part[p->entry[e].part].n;
        }
    }
    s->row[p->ncontact] = row;
    s->square[p->ncontact] = square;
    s->block0[p->ncontact] = block;
    s->first[p->ncontact] = e;
    s->col[0] = s->mass[0] = 0;
    for (int i = 0; i < p->npart; i++) {
        int n = p->part[i].n;
        s->col[i + 1] = s->col[i] + n;
        s->mass[i + 1] = s->mass[i] + (p->part[i].diagonal ? n : n * n);
    }
}

/* -------------------------------------------------------------------------------------------- scaling */

/* L of a part; false: the mass is not positive definite */
static bool factor_mass(const zw_contact_part *part, double *L) {
    int n = part->n;
    if (part->diagonal) {
        for (int i = 0; i < n; i++) {
            L[i] = sqrt(part->mass[i]);
            if (!(part->mass[i] > 0) || !isfinite(L[i]))
                return false;
        }
        return true;
    }
    for (int j = 0; j < n; j++) {
        double sum = part->mass[j * n + j];
        for (int k = 0; k < j; k++)
            sum -= L[j * n + k] * L[j * n + k];
        if (!(sum > 0) || !isfinite(sum))
            return false;
        L[j * n + j] = sqrt(sum);
        for (int i = j + 1; i < n; i++) {
            double rest = part->mass[i * n + j];
            for (int k = 0; k < j; k++)
                rest -= L[i * n + k] * L[j * n + k];
            L[i * n + j] = rest / L[j * n + j];
        }
    }
    return true;
}

/* a row of H L^-T */
static void divide_row(const zw_contact_part *part, const double *L, const double *h, double *out) {
    int n = part->n;
    for (int j = 0; j < n; j++) {
        double sum = h[j];
        if (part->diagonal) {
            out[j] = sum / L[j];
            continue;
        }
        for (int k = 0; k < j; k++)
            sum -= L[j * n + k] * out[k];
        out[j] = sum / L[j * n + j];
    }
}

/* the rows of contact i, scaled */
static zw_status divide_contact(zw_contact_solver *s, int i, zw_error *err) {
    const zw_contact_problem *p = s->problem;
    int m = zw_contact_rows(s, i), end = 0;
    double trace = 0;
    for (int e = s->first[i]; e < s->first[i + 1]; e++) {
        int number = p->entry[e].part;
        const zw_contact_part *part = &p->part[number];
        double *H = s->H + s->at[e];
        for (int a = 0; a < m; a++)
            divide_row(part, s->L + s->mass[number], p->entry[e].H + a * part->n, H + a * part->n);
        for (int k = 0; k < m * part->n; k++)
            trace += H[k] * H[k];
        end = s->at[e] + m * part->n;
    }
    if (!(trace > 0) || !isfinite(trace))
        return zw_fail(err, ZW_E_DOMAIN, "contact %d: nothing moves it, or no numbers", i);
    s->root[i] = sqrt(m / trace);
    for (int k = s->at[s->first[i]]; k < end; k++)
        s->H[k] *= s->root[i];
    return ZW_OK;
}

static zw_status divide_rows(zw_contact_solver *s, zw_error *err) {
    const zw_contact_problem *p = s->problem;
    for (int i = 0; i < p->npart; i++)
        if (!factor_mass(&p->part[i], s->L + s->mass[i]))
            return zw_fail(err, ZW_E_DOMAIN, "part %d: its mass is not positive", i);
    for (int i = 0; i < p->ncontact; i++)
        ZW_TRY(divide_contact(s, i, err));
    return ZW_OK;
}

static zw_status scale_q(zw_contact_solver *s, zw_error *err) {
    const zw_contact_problem *p = s->problem;
    double sum = 0;
    s->size = 0;
    for (int i = 0; i < p->ncontact; i++) {
        double part = 0;
        for (int a = s->row[i]; a < s->row[i + 1]; a++)
            part += p->q[a] * p->q[a];
        s->size = fmax(s->size, s->root[i] * sqrt(part));
        sum += part;
    }
    s->norm = sqrt(sum);
    if (!isfinite(s->norm))
        return zw_fail(err, ZW_E_DOMAIN, "a velocity is no number");
    for (int i = 0; i < p->ncontact; i++)
        for (int a = s->row[i]; a < s->row[i + 1]; a++)
            s->q[a] = s->size > 0 ? s->root[i] * p->q[a] / s->size : 0;
    return ZW_OK;
}

static void set_pull(zw_contact_solver *s) {
    const zw_contact_problem *p = s->problem;
    s->pulled = false;
    for (int i = 0; i < p->ncontact; i++) {
        double *pull = s->pull + s->row[i];
        *pull++ = 1;
        for (int k = 0; k < p->law[i].nblock; k++)
            for (int a = 0; a < p->law[i].block[k].nrow; a++) {
                *pull = p->law[i].block[k].pull[a];
                s->pulled |= *pull++ != 1;
            }
    }
}

zw_status zw_contact_begin(zw_contact_solver *s, const zw_contact_problem *p, zw_error *err) {
    ZW_TRY(check_laws(p, err));
    ZW_TRY(check_entries(p, err));
    ZW_TRY(make_room(s, p, err));
    place_all(s);
    ZW_TRY(divide_rows(s, err));
    ZW_TRY(scale_q(s, err));
    set_pull(s);
    return ZW_OK;
}

int zw_contact_rows(const zw_contact_solver *s, int contact) {
    return s->row[contact + 1] - s->row[contact];
}

double zw_contact_damping(const zw_contact_solver *s, int contact, const zw_friction *f) {
    return f->damping / (s->root[contact] * s->root[contact]);
}

double zw_contact_smoothing(const zw_contact_solver *s, int contact, const zw_friction *f) {
    return s->size > 0 ? f->smooth * s->root[contact] / s->size : f->smooth;
}

/* ------------------------------------------------------------------------------------------- products */

/* to += H from, m x n; the compiler knows the sizes where bodies touch by Coulomb's law */
static inline __attribute__((always_inline)) void add_rows(int m, int n, const double *H,
                                                           const double *from, double *to) {
    for (int a = 0; a < m; a++) {
        double sum = 0;
        for (int k = 0; k < n; k++)
            sum += H[a * n + k] * from[k];
        to[a] += sum;
    }
}

/* to += H' force */
static inline __attribute__((always_inline)) void add_columns(int m, int n, const double *H,
                                                              const double *force, double *to) {
    for (int a = 0; a < m; a++)
        for (int k = 0; k < n; k++)
            to[k] += H[a * n + k] * force[a];
}

void zw_contact_spread(const zw_contact_solver *s, const double *w, bool with_q, double *out) {
    const zw_contact_problem *p = s->problem;
    if (with_q)
        memcpy(out, s->q, sizeof *out * (size_t)s->nrow);
    else
        memset(out, 0, sizeof *out * (size_t)s->nrow);
    for (int i = 0; i < p->ncontact; i++)
        for (int e = s->first[i]; e < s->first[i + 1]; e++) {
            int m = zw_contact_rows(s, i), part = p->entry[e].part, n = p->part[part].n;
            const double *H = s->H + s->at[e], *from = w + s->col[part];
            if (m == 3 && n == 6)
                add_rows(3, 6, H, from, out + s->row[i]);
            else
                add_rows(m, n, H, from, out + s->row[i]);
        }
}

void zw_contact_gather(const zw_contact_solver *s, const double *r, double *out) {
    const zw_contact_problem *p = s->problem;
    memset(out, 0, sizeof *out * (size_t)s->ncol);
    for (int i = 0; i < p->ncontact; i++) {
        int m = zw_contact_rows(s, i);
        double force[ZW_CONTACT_ROWS_MAX];
        for (int a = 0; a < m; a++)
            force[a] = s->pull[s->row[i] + a] * r[s->row[i] + a];
        for (int e = s->first[i]; e < s->first[i + 1]; e++) {
            int part = p->entry[e].part, n = p->part[part].n;
            const double *H = s->H + s->at[e];
            if (m == 3 && n == 6)
                add_columns(3, 6, H, force, out + s->col[part]);
            else
                add_columns(m, n, H, force, out + s->col[part]);
        }
    }
}

/* ------------------------------------------------------------------------------------------- residual */

static bool is_coulomb(const zw_contact_law *law) {
    const zw_friction *f = law->block;
    return law->nblock == 1 && f->kind == ZW_FRICTION_ELLIPSOID && f->nrow == 2 && f->smooth == 0 &&
           f->axis[0] == 1 && f->axis[1] == 1;
}

/* squared distance of r from the projection of r - u - mu |u_F| e_N onto the cone of Coulomb */
static double judge_coulomb(double mu, const double *r, const double *u) {
    double N = r[0] - u[0] - mu * hypot(u[1], u[2]), T[2] = {r[1] - u[1], r[2] - u[2]},
           t = hypot(T[0], T[1]), p[3] = {N, T[0], T[1]};
    if (mu * t <= -N)
        p[0] = p[1] = p[2] = 0;
    else if (t > mu * N) {
        double a = (N + mu * t) / (1 + mu * mu);
        p[0] = a;
        p[1] = mu * a * T[0] / t;
        p[2] = mu * a * T[1] / t;
    }
    return (r[0] - p[0]) * (r[0] - p[0]) + (r[1] - p[1]) * (r[1] - p[1]) +
           (r[2] - p[2]) * (r[2] - p[2]);
}

/* What friction of a smoothed law is at slip u, for a normal force N: -mu N grad D/(1 + smooth/D). */
static void smooth_force(const zw_friction *f, double smooth, double N, const double *u,
                         double *out) {
    zw_law_support d = {0};
    bool moves = false;
    for (int a = 0; a < f->nrow; a++)
        moves |= u[a] != 0;
    if (moves)
        zw_law_support_at(f, u, &d);
    for (int a = 0; a < f->nrow; a++)
        out[a] = moves ? -f->mu * N * d.gradient[a] * d.D / (d.D + smooth) : 0;
}

static double judge_block(const zw_contact_solver *s, int contact, const zw_friction *f, double N,
                          const double *r, const double *u) {
    double x[ZW_LAW_MAX], p[ZW_LAW_MAX], sum = 0, smooth = zw_contact_smoothing(s, contact, f);
    for (int a = 0; a < f->nrow; a++)
        x[a] = r[a] - u[a];
    if (f->kind == ZW_FRICTION_LINEAR)
        for (int a = 0; a < f->nrow; a++)
            p[a] = -zw_contact_damping(s, contact, f) * u[a];
    else if (smooth > 0)
        smooth_force(f, smooth, N, u, p);
    else
        zw_law_nearest(f, f->mu * N, x, p);
    for (int a = 0; a < f->nrow; a++)
        sum += (r[a] - p[a]) * (r[a] - p[a]);
    return sum;
}

static double judge_contact(const zw_contact_solver *s, int i, const double *r, const double *u) {
    const zw_contact_law *law = &s->problem->law[i];
    if (is_coulomb(law))
        return judge_coulomb(law->block[0].mu, r, u);
    double N = fmax(0, r[0] - u[0]), sum = (r[0] - N) * (r[0] - N);
    for (int k = 0, a = 1; k < law->nblock; a += law->block[k++].nrow)
        sum += judge_block(s, i, &law->block[k], N, r + a, u + a);
    return sum;
}

double zw_contact_judge(zw_contact_solver *s, const double *r) {
    const zw_contact_problem *p = s->problem;
    double sum = 0;
    zw_contact_gather(s, r, s->w);
    zw_contact_spread(s, s->w, true, s->u);
    for (int i = 0; i < p->ncontact; i++)
        sum += judge_contact(s, i, r + s->row[i], s->u + s->row[i]) / (s->root[i] * s->root[i]);
    return s->norm > 0 ? sqrt(sum) * s->size / s->norm : sqrt(sum);
}
