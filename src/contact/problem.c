/* SPDX-License-Identifier: MIT */
/* Checks and scales a contact problem (see solver.h); its products, and the residual by which every
 * solution is judged. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/slice.h"
#include "base/tolerance.h"
#include "kernels.h"
#include "solver.h"

/* --------------------------------------------------------------------------------------- checks */

static bool is_pressure(double nu) {
    return nu == -1 || nu == 0 || nu == 0.5 || nu == 1 || nu == ZW_NU_PRINTED;
}

static const char *wrong_block(const zw_friction *f) {
    if (f->nrow < 1 || f->nrow > ZW_FRICTION_ROWS_MAX)
        return "a block of friction has 1 to 3 rows";
    if (!(f->mu >= 0) || !isfinite(f->mu))
        return "mu is negative or no number";
    if (f->kind == ZW_FRICTION_CONTENSOU && (f->nrow != 3 || !is_pressure(f->nu)))
        return "Contensou's law has 3 rows and nu = -1, 0, 1/2, 1 or ZW_NU_PRINTED";
    if (!(f->smooth >= 0) || !(f->damping >= 0) || !isfinite(f->smooth) || !isfinite(f->damping))
        return "smoothing or damping is negative or no number";
    for (int i = 0; i < f->nrow; i++)
        if (!(f->axis[i] > 0) || !(f->pull[i] >= 0) || !isfinite(f->axis[i] + f->pull[i]))
            return "an axis of friction is not positive";
    return NULL;
}

const char *zw_contact_wrong_law(const zw_contact_law *law) {
    if (law->nblock < 0 || law->nblock > ZW_FRICTION_BLOCKS_MAX)
        return "there are too many blocks of friction";
    for (int k = 0; k < law->nblock; k++) {
        const char *wrong = wrong_block(&law->block[k]);
        if (wrong)
            return wrong;
    }
    return zw_contact_law_rows(law) > ZW_CONTACT_ROWS_MAX ? "it has too many rows" : NULL;
}

static zw_status check_laws(const zw_contact_problem *p, zw_error *err) {
    for (int i = 0; i < p->ncontact; i++) {
        const char *wrong = zw_contact_wrong_law(&p->law[i]);
        if (wrong)
            return zw_fail(err, ZW_E_DOMAIN, "contact %d: %s", i, wrong);
    }
    return ZW_OK;
}

static zw_status check_entries(const zw_contact_problem *p, zw_error *err) {
    int last = -1;
    if (p->W)
        return p->npart == 0 && p->nentry == 0
                   ? ZW_OK
                   : zw_fail(err, ZW_E_DOMAIN, "there are both W and parts that it is made of");
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

/* --------------------------------------------------------------------------------------- memory */

/* parts of six for n velocities */
static int count_sixes(int n) {
    return (n + ZW_SIX - 1) / ZW_SIX;
}

typedef struct sizes {
    int nrow, npart, nentry, nblock, nsquare, nH, nL, widest;
} sizes;

static sizes measure_sizes(const zw_contact_problem *p) {
    sizes z = {0};
    for (int i = 0; i < p->ncontact; i++) {
        int m = zw_contact_law_rows(&p->law[i]);
        z.nrow += m;
        z.nsquare += m * m;
        z.nblock += p->law[i].nblock;
    }
    for (int i = 0; i < p->npart; i++) {
        int n = p->part[i].n;
        z.npart += count_sixes(n);
        z.widest = n > z.widest ? n : z.widest;
        z.nL += p->part[i].diagonal ? n : n * n;
    }
    for (int e = 0; e < p->nentry; e++) {
        int n = count_sixes(p->part[p->entry[e].part].n);
        z.nentry += n;
        z.nH += zw_contact_law_rows(&p->law[p->entry[e].contact]) * n * ZW_SIX;
    }
    if (p->W) {
        z.npart = count_sixes(z.nrow);
        z.nentry = p->ncontact * z.npart;
        z.nH = z.nL = z.nrow * z.npart * ZW_SIX;
    }
    return z;
}

static void slice_all(zw_contact_solver *s, const zw_contact_problem *p, sizes z, zw_slicer *b) {
    double **rows[] = {&s->q,    &s->r,     &s->u,    &s->dr,   &s->du,    &s->rp,  &s->c,
                       &s->best, &s->trial, &s->made, &s->pull, &s->saved, &s->kept};
    double **columns[] = {&s->w, &s->dw, &s->rd, &s->rhs, &s->pushed};
    int **contacts[] = {&s->row, &s->first, &s->square, &s->block0};
    for (size_t i = 0; i < sizeof contacts / sizeof *contacts; i++)
        *contacts[i] = zw_slice_ints(b, p->ncontact + 1);
    s->disc = zw_slice_bools(b, p->ncontact);
    s->touch = zw_slice_ints(b, z.nentry);
    s->at = zw_slice_ints(b, z.nentry);
    s->piece = zw_slice_ints(b, p->npart + 1);
    s->mass = zw_slice_ints(b, p->npart + 1);
    s->H = zw_slice_doubles(b, z.nH);
    s->L = zw_slice_doubles(b, z.nL);
    s->line = zw_slice_doubles(b, z.widest + ZW_SIX);
    s->W = p->W ? zw_slice_doubles(b, z.nrow * z.nrow) : NULL;
    s->root = zw_slice_doubles(b, p->ncontact);
    s->D = zw_slice_doubles(b, z.nsquare);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        *rows[i] = zw_slice_doubles(b, z.nrow);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        *columns[i] = zw_slice_doubles(b, z.npart * ZW_SIX);
    s->state = zw_slice(b, sizeof *s->state * (size_t)z.nblock);
    s->one = zw_slice(b, sizeof *s->one * (size_t)p->ncontact);
}

static zw_status reserve_memory(zw_contact_solver *s, const zw_contact_problem *p, zw_error *err) {
    sizes z = measure_sizes(p);
    zw_slicer b = {0};
    slice_all(s, p, z, &b);
    if (b.used > s->bytes) {
        size_t bytes = b.used + b.used / 2;
        zw_release(&s->alloc, s->memory, s->bytes);
        s->memory = zw_allocate(&s->alloc, bytes);
        s->bytes = s->memory ? bytes : 0;
        if (!s->memory)
            return zw_out_of_memory(err, NULL);
    }
    b = (zw_slicer){.base = s->memory};
    slice_all(s, p, z, &b);
    s->ncontact = p->ncontact;
    s->nrow = z.nrow;
    s->npart = z.npart;
    s->nentry = z.nentry;
    s->nblock = z.nblock;
    s->problem = p;
    return ZW_OK;
}

/* entries of contact i in parts of six; returns how many there are now */
static int place_entries(zw_contact_solver *s, int i, int m, int *given, int e, int *at) {
    const zw_contact_problem *p = s->problem;
    for (; *given < p->nentry && p->entry[*given].contact == i; ++*given) {
        int part = p->entry[*given].part;
        for (int piece = s->piece[part]; piece < s->piece[part + 1]; piece++) {
            s->touch[e] = piece;
            s->at[e++] = *at;
            *at += m * ZW_SIX;
        }
    }
    for (int piece = 0; p->W && piece < s->npart; piece++) {
        s->touch[e] = piece;
        s->at[e++] = *at;
        *at += m * ZW_SIX;
    }
    return e;
}

static void place_all(zw_contact_solver *s) {
    const zw_contact_problem *p = s->problem;
    int row = 0, square = 0, block = 0, e = 0, at = 0, given = 0;
    s->piece[0] = s->mass[0] = 0;
    for (int i = 0; i < p->npart; i++) {
        int n = p->part[i].n;
        s->piece[i + 1] = s->piece[i] + count_sixes(n);
        s->mass[i + 1] = s->mass[i] + (p->part[i].diagonal ? n : n * n);
    }
    s->triples = true;
    for (int i = 0; i < p->ncontact; i++) {
        int m = zw_contact_law_rows(&p->law[i]);
        s->row[i] = row;
        s->square[i] = square;
        s->block0[i] = block;
        s->first[i] = e;
        s->disc[i] = zw_contact_is_disc(&p->law[i]);
        s->triples &= m == 3;
        row += m;
        square += m * m;
        block += p->law[i].nblock;
        e = place_entries(s, i, m, &given, e, &at);
    }
    s->row[p->ncontact] = row;
    s->square[p->ncontact] = square;
    s->block0[p->ncontact] = block;
    s->first[p->ncontact] = e;
    s->nentry = e;
    s->ncol = s->npart * ZW_SIX;
}

/* ---------------------------------------------------------------------------- scaling the parts */

/* L of a body, its diagonal inverted; false: the mass is not positive definite */
static bool factor_mass(const zw_contact_part *part, double *L) {
    int n = part->n;
    if (part->diagonal) {
        for (int i = 0; i < n; i++) {
            L[i] = 1 / sqrt(part->mass[i]);
            if (!(part->mass[i] > 0) || !(L[i] > 0))
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
        L[j * n + j] = 1 / sqrt(sum);
        for (int i = j + 1; i < n; i++) {
            double rest = part->mass[i * n + j];
            for (int k = 0; k < j; k++)
                rest -= L[i * n + k] * L[j * n + k];
            L[i * n + j] = rest * L[j * n + j];
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
            out[j] = sum * L[j];
            continue;
        }
        for (int k = 0; k < j; k++)
            sum -= L[j * n + k] * out[k];
        out[j] = sum * L[j * n + j];
    }
}

/* an entry of m rows, divided among the pieces of its body; returns the sum of squares */
static double divide_entry(const zw_contact_solver *s, const zw_contact_entry *entry, int m,
                           double *H) {
    const zw_contact_part *part = &s->problem->part[entry->part];
    const double *L = s->L + s->mass[entry->part];
    int n = part->n, pieces = count_sixes(n);
    double sum = 0, *line = s->line;
    for (int k = n; k < pieces * ZW_SIX; k++)
        line[k] = 0;
    for (int a = 0; a < m; a++) {
        divide_row(part, L, entry->H + a * n, line);
        for (int k = 0; k < n; k++)
            sum += line[k] * line[k];
        for (int piece = 0; piece < pieces; piece++)
            memcpy(H + (piece * m + a) * ZW_SIX, line + piece * ZW_SIX, sizeof *H * ZW_SIX);
    }
    return sum;
}

static zw_status set_root(zw_contact_solver *s, int i, double trace, zw_error *err) {
    if (!(trace > 0) || !isfinite(trace))
        return zw_fail(err, ZW_E_DOMAIN, "contact %d: nothing moves it, or no numbers", i);
    s->root[i] = sqrt(zw_contact_rows(s, i) / trace);
    return ZW_OK;
}

static zw_status scale_parts(zw_contact_solver *s, zw_error *err) {
    const zw_contact_problem *p = s->problem;
    for (int i = 0; i < p->npart; i++)
        if (!factor_mass(&p->part[i], s->L + s->mass[i]))
            return zw_fail(err, ZW_E_DOMAIN, "part %d: its mass is not positive", i);
    for (int i = 0, e = 0; i < p->ncontact; i++) {
        int m = zw_contact_rows(s, i);
        double trace = 0, *begin = s->H + s->at[s->first[i]], *H = begin;
        for (; e < p->nentry && p->entry[e].contact == i; e++) {
            trace += divide_entry(s, &p->entry[e], m, H);
            H += m * ZW_SIX * count_sixes(p->part[p->entry[e].part].n);
        }
        ZW_TRY(set_root(s, i, trace, err));
        for (double *h = begin; h < H; h++)
            *h *= s->root[i];
    }
    return ZW_OK;
}

/* --------------------------------------------------------------------------- scaling W as given */

/* Remaining diagonal entry in the factorisation of W, scaled to 1, per row: 4 eps, what round-off
 * leaves of zero. */
#define PIVOT_ROUNDOFF 1e-15
/* Least asymmetry, or error of the factor, of W scaled to 1 that is a fault: W is often the result
 * of equations. */
#define W_WRONG ZW_ROUNDOFF_SOLVED

static zw_status scale_W(zw_contact_solver *s, zw_error *err) {
    const double *given = s->problem->W;
    int n = s->nrow;
    for (int i = 0; i < s->ncontact; i++) {
        double trace = 0;
        for (int a = s->row[i]; a < s->row[i + 1]; a++)
            trace += given[a * n + a];
        ZW_TRY(set_root(s, i, trace, err));
        for (int a = s->row[i]; a < s->row[i + 1]; a++)
            s->trial[a] = s->root[i];
    }
    for (int a = 0; a < n; a++)
        for (int b = 0; b <= a; b++) {
            double x = s->trial[a] * given[a * n + b] * s->trial[b],
                   y = s->trial[b] * given[b * n + a] * s->trial[a];
            if (!(fabs(x - y) <= W_WRONG))
                return zw_fail(err, ZW_E_DOMAIN, "W is not symmetric, or has no numbers");
            s->W[a * n + b] = s->W[b * n + a] = 0.5 * (x + y);
        }
    return ZW_OK;
}

/* W = G G' by Cholesky with the largest remaining diagonal first, as far as it goes: G n x stride.
 * rest: n. Returns the rank. */
static int factor_W(const zw_contact_solver *s, int stride, double *G, double *rest) {
    int n = s->nrow;
    memset(G, 0, sizeof *G * (size_t)(n * stride));
    for (int i = 0; i < n; i++)
        rest[i] = s->W[i * n + i];
    for (int k = 0; k < n; k++) {
        int p = 0;
        for (int i = 1; i < n; i++)
            p = rest[i] > rest[p] ? i : p;
        if (!(rest[p] > PIVOT_ROUNDOFF * n))
            return k;
        const double *Gp = G + p * stride, *Wp = s->W + p * n;
        double d = 1 / sqrt(rest[p]);
        for (int i = 0; i < n; i++) {
            double *Gi = G + i * stride, sum = Wp[i];
            for (int l = 0; l < k; l++)
                sum -= Gi[l] * Gp[l];
            s->trial[i] = sum * d;
        }
        for (int i = 0; i < n; i++) {
            G[i * stride + k] = s->trial[i];
            rest[i] -= s->trial[i] * s->trial[i];
        }
        rest[p] = 0;
    }
    return n;
}

/* Is W = G G'? Not if W has a negative eigenvalue. */
static bool makes_W(const zw_contact_solver *s, int rank, int stride, const double *G) {
    int n = s->nrow;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double rest = s->W[i * n + j];
            for (int l = 0; l < rank; l++)
                rest -= G[i * stride + l] * G[j * stride + l];
            if (!(fabs(rest) <= W_WRONG))
                return false;
        }
    return true;
}

static zw_status take_W(zw_contact_solver *s, zw_error *err) {
    int most = s->npart, stride = most * ZW_SIX, rank, at = 0, e = 0;
    ZW_TRY(scale_W(s, err));
    rank = factor_W(s, stride, s->L, s->c);
    if (rank < s->nrow && !makes_W(s, rank, stride, s->L))
        return zw_fail(err, ZW_E_DOMAIN, "W is not positive semidefinite");
    s->npart = count_sixes(rank);
    s->ncol = s->npart * ZW_SIX;
    for (int i = 0; i < s->ncontact; i++) {
        s->first[i] = e;
        for (int piece = 0; piece < s->npart; piece++) {
            s->touch[e] = piece;
            s->at[e++] = at;
            for (int a = s->row[i]; a < s->row[i + 1]; a++, at += ZW_SIX)
                memcpy(s->H + at, s->L + a * stride + piece * ZW_SIX, sizeof *s->H * ZW_SIX);
        }
    }
    s->first[s->ncontact] = s->nentry = e;
    return ZW_OK;
}

/* ----------------------------------------------------------------------------- scaling the rest */

static zw_status scale_q(zw_contact_solver *s, zw_error *err) {
    const double *q = s->problem->q;
    double sum = 0;
    s->size = 0;
    for (int i = 0; i < s->ncontact; i++) {
        double part = 0;
        for (int a = s->row[i]; a < s->row[i + 1]; a++)
            part += q[a] * q[a];
        s->size = zw_larger(s->root[i] * sqrt(part), s->size);
        sum += part;
    }
    s->norm = sqrt(sum);
    if (!isfinite(s->norm))
        return zw_fail(err, ZW_E_DOMAIN, "a velocity is no number");
    double scale = s->size > 0 ? 1 / s->size : 0;
    for (int i = 0; i < s->ncontact; i++)
        for (int a = s->row[i]; a < s->row[i + 1]; a++)
            s->q[a] = s->root[i] * scale * q[a];
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
    ZW_TRY(reserve_memory(s, p, err));
    place_all(s);
    if (p->W)
        ZW_TRY(take_W(s, err));
    else
        ZW_TRY(scale_parts(s, err));
    ZW_TRY(scale_q(s, err));
    set_pull(s);
    return ZW_OK;
}

void zw_contact_scale(const zw_contact_solver *s, const double *r, double *out) {
    double size = s->size > 0 ? s->size : 1;
    for (int i = 0; i < s->ncontact; i++)
        for (int a = s->row[i]; a < s->row[i + 1]; a++)
            out[a] = r[a] / (s->root[i] * size);
}

void zw_contact_unscale(const zw_contact_solver *s, double *r) {
    for (int i = 0; i < s->ncontact; i++)
        for (int a = s->row[i]; a < s->row[i + 1]; a++)
            r[a] *= s->root[i] * s->size;
}

double zw_contact_damping(const zw_contact_solver *s, int contact, const zw_friction *f) {
    return f->damping / (s->root[contact] * s->root[contact]);
}

double zw_contact_smoothing(const zw_contact_solver *s, int contact, const zw_friction *f) {
    return s->size > 0 ? f->smooth * s->root[contact] / s->size : f->smooth;
}

/* ------------------------------------------------------------------------------------- products */

/* m: the rows of every contact, 0: they differ */
ZW_KERNEL void spread(const zw_contact_solver *s, int m, const double *w, double *out) {
    for (int i = 0; i < s->ncontact; i++) {
        int rows = m ? m : zw_contact_rows(s, i);
        for (int e = s->first[i]; e < s->first[i + 1]; e++)
            zw_six_rows(rows, 1, s->H + s->at[e], w + ZW_SIX * s->touch[e], out + s->row[i]);
    }
}

ZW_CLONES static void spread_triples(const zw_contact_solver *s, const double *w, double *out) {
    spread(s, 3, w, out);
}

void zw_contact_spread(const zw_contact_solver *s, const double *w, bool with_q, double *out) {
    if (with_q)
        memcpy(out, s->q, sizeof *out * (size_t)s->nrow);
    else
        memset(out, 0, sizeof *out * (size_t)s->nrow);
    if (s->triples)
        spread_triples(s, w, out);
    else
        spread(s, 0, w, out);
}

ZW_KERNEL void gather(const zw_contact_solver *s, int m, const double *r, double *out) {
    for (int i = 0; i < s->ncontact; i++) {
        int rows = m ? m : zw_contact_rows(s, i);
        double force[ZW_CONTACT_ROWS_MAX];
        for (int a = 0; a < rows; a++)
            force[a] = s->pull[s->row[i] + a] * r[s->row[i] + a];
        for (int e = s->first[i]; e < s->first[i + 1]; e++)
            zw_six_columns(rows, 1, s->H + s->at[e], force, out + ZW_SIX * s->touch[e]);
    }
}

ZW_CLONES static void gather_triples(const zw_contact_solver *s, const double *r, double *out) {
    gather(s, 3, r, out);
}

void zw_contact_gather(const zw_contact_solver *s, const double *r, double *out) {
    memset(out, 0, sizeof *out * (size_t)s->ncol);
    if (s->triples)
        gather_triples(s, r, out);
    else
        gather(s, 0, r, out);
}

void zw_contact_own(const zw_contact_solver *s, int i, double *W) {
    int m = zw_contact_rows(s, i);
    const double *pull = s->pull + s->row[i];
    memset(W, 0, sizeof *W * (size_t)(m * m));
    for (int e = s->first[i]; e < s->first[i + 1]; e++)
        for (int a = 0; a < m; a++)
            for (int b = 0; b < m; b++)
                zw_six_rows(1, pull[b], s->H + s->at[e] + a * ZW_SIX, s->H + s->at[e] + b * ZW_SIX,
                            W + a * m + b);
}

/* the velocities by r: with W where it was given, since H gives them only up to round-off */
static void make_velocities(zw_contact_solver *s, const double *r) {
    zw_contact_gather(s, r, s->pushed);
    if (!s->W) {
        zw_contact_spread(s, s->pushed, true, s->made);
        return;
    }
    for (int a = 0; a < s->nrow; a++) {
        double sum = 0;
        for (int b = 0; b < s->nrow; b++)
            sum += s->W[a * s->nrow + b] * s->pull[b] * r[b];
        s->made[a] = s->q[a] + sum;
    }
}

/* ------------------------------------------------------------------------------------- residual */

/* The squared residual of a block: the force by the law for x = r - u and the normal force N is
 * compared with r. The force at the slip u would have round-off that grows with 1/smooth and with
 * the damping. */
static double block_residual(const zw_contact_solver *s, int contact, const zw_friction *f,
                             double N, const double *r, const double *u) {
    static const double one[ZW_LAW_MAX] = {1, 1, 1};
    double x[ZW_LAW_MAX], p[ZW_LAW_MAX], sum = 0, damping = zw_contact_damping(s, contact, f);
    for (int a = 0; a < f->nrow; a++) {
        x[a] = r[a] - u[a];
        p[a] = x[a] * damping / (damping + 1);
    }
    if (f->kind != ZW_FRICTION_LINEAR)
        zw_law_resolve(f, f->mu * N, zw_contact_smoothing(s, contact, f), one, x, p);
    for (int a = 0; a < f->nrow; a++)
        sum += (r[a] - p[a]) * (r[a] - p[a]);
    return sum;
}

static double contact_residual(const zw_contact_solver *s, int i, const double *r,
                               const double *u) {
    const zw_contact_law *law = &s->problem->law[i];
    if (s->disc[i])
        return zw_contact_disc_residual(law->block[0].mu, r, u);
    double N = zw_larger(r[0] - u[0], 0), sum = (r[0] - N) * (r[0] - N);
    for (int k = 0, a = 1; k < law->nblock; a += law->block[k++].nrow)
        sum += block_residual(s, i, &law->block[k], N, r + a, u + a);
    return sum;
}

/* for the velocities in s->made */
static double residual_of_all(const zw_contact_solver *s, const double *r) {
    double sum = 0;
    for (int i = 0; i < s->ncontact; i++)
        sum +=
            contact_residual(s, i, r + s->row[i], s->made + s->row[i]) / (s->root[i] * s->root[i]);
    return s->norm > 0 ? sqrt(sum) * s->size / s->norm : sqrt(sum);
}

double zw_contact_scaled_residual(zw_contact_solver *s, const double *r) {
    make_velocities(s, r);
    return residual_of_all(s, r);
}

double zw_contact_residual_of_zero(zw_contact_solver *s, double *r) {
    memset(r, 0, sizeof *r * (size_t)s->nrow);
    memset(s->pushed, 0, sizeof *s->pushed * (size_t)s->ncol);
    memcpy(s->made, s->q, sizeof *s->made * (size_t)s->nrow);
    return residual_of_all(s, r);
}
