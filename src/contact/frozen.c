/* SPDX-License-Identifier: MIT */
#include "frozen.h"

#include <math.h>
#include <string.h>

#include "num/linear/linalg.h"

/* Least pivot of a mass relative to its diagonal entry: 45 eps, what round-off leaves of zero in
 * sums of up to as many terms. */
#define PIVOT_POSITIVE 1e-14

/* ---- memory ---- */

void zw_frozen_slice(zw_frozen *f, const zw_kernel *k, zw_slicer *s) {
    int nv = k->nv, n2 = 0;
    f->k = k;
    for (int p = 0; p < k->npart; p++)
        n2 += (k->part_start[p + 1] - k->part_start[p]) * (k->part_start[p + 1] - k->part_start[p]);
    f->out = zw_slice_doubles(s, k->nout);
    f->L = zw_slice_doubles(s, k->nmass);
    f->free = zw_slice_doubles(s, nv);
    f->J = zw_slice_doubles(s, k->nvel * nv);
    f->Jfactor = zw_slice_doubles(s, k->nvel * nv);
    f->tau = zw_slice_doubles(s, nv);
    f->psi = zw_slice_doubles(s, k->nvel);
    f->order = zw_slice_ints(s, k->nvel);
    f->joint = zw_slice_ints(s, k->npart + 1);
    f->joint_row = zw_slice_ints(s, k->nvel);
    f->start = zw_slice_ints(s, k->npart);
    f->N = zw_slice_doubles(s, k->nvel > 0 ? n2 : 0);
    f->rank = zw_slice_ints(s, k->npart);
    f->y_start = zw_slice_ints(s, k->npart + 1);
    f->shift = zw_slice_doubles(s, nv);
    f->y_free = zw_slice_doubles(s, nv);
    f->Z = zw_slice_doubles(s, k->ntouching);
    f->R = zw_slice_doubles(s, k->nvel > 0 ? k->ntouching : 0);
    f->row = zw_slice_doubles(s, nv);
    f->ones = zw_slice_doubles(s, nv);
    f->mass_at = zw_slice_ints(s, k->npart);
    f->y = zw_slice_doubles(s, nv);
    f->turned = zw_slice_doubles(s, k->hits ? k->ntouch * k->ntouch : k->ntouching);
    f->part = zw_slice(s, sizeof *f->part * (size_t)k->npart);
    const zw_contact_form *last = k->ncontact > 0 ? &k->contact[k->ncontact - 1] : NULL;
    f->entry = zw_slice(s, sizeof *f->entry * (size_t)(last ? last->first + last->ntouch : 0));
}

static int size_of(const zw_kernel *k, int part) {
    return k->part_start[part + 1] - k->part_start[part];
}

void zw_frozen_begin(zw_frozen *f) {
    const zw_kernel *k = f->k;
    int n = 0, mass = 0, square = 0;
    for (int p = 0; p < k->npart; p++) {
        f->joint[p] = n;
        for (int r = 0; r < k->nvel; r++)
            if (k->psi_part[r] == p)
                f->joint_row[n++] = r;
        f->mass_at[p] = mass;
        mass += size_of(k, p) * size_of(k, p);
        f->start[p] = square;
        square += n > f->joint[p] ? size_of(k, p) * size_of(k, p) : 0;
        f->y_start[p] = k->part_start[p];
    }
    f->joint[k->npart] = n;
    f->y_start[k->npart] = k->nv;
    for (int i = 0; i < k->nv; i++)
        f->ones[i] = 1;
    if (k->nvel == 0)
        f->R = f->Z;
    if (k->hits) {
        f->hit = zw_hit_of(k, f->out);
        f->gap = f->hit.gap;
        f->rate = f->hit.rate;
    }
}

/* ---- masses ---- */

/* M = L L' in place; the row whose pivot is not positive, or -1 */
static int factor_cholesky(int n, double *M) {
    for (int j = 0; j < n; j++) {
        double *row = M + j * n, d = row[j];
        for (int l = 0; l < j; l++)
            d -= row[l] * row[l];
        if (!(d > PIVOT_POSITIVE * fabs(row[j])))
            return j;
        row[j] = d = sqrt(d);
        for (int i = j + 1; i < n; i++) {
            double *below = M + i * n, sum = below[j];
            for (int l = 0; l < j; l++)
                sum -= below[l] * row[l];
            below[j] = sum / d;
        }
    }
    return -1;
}

static zw_status factor_masses(zw_frozen *f, zw_flow *flow, double t, zw_error *err) {
    const zw_kernel *k = f->k;
    memcpy(f->L, f->at.M, sizeof(double) * (size_t)k->nmass);
    for (int p = 0; p < k->npart; p++) {
        int n = size_of(k, p), bad = factor_cholesky(n, f->L + f->mass_at[p]);
        const int *v = k->part_velocity + k->part_start[p];
        if (bad >= 0) {
            zw_num_fault(flow, ZW_FAULT_MASS, v[bad], t, 0);
            return zw_fail(err, ZW_E_SINGULAR, "the mass matrix is singular at t = %.10g", t);
        }
        double *w = f->free + k->part_start[p];
        for (int i = 0; i < n; i++)
            w[i] = f->at.h[v[i]];
        zw_num_lower_solve(n, f->L + f->mass_at[p], w);
    }
    return ZW_OK;
}

/* ---- joints ---- */

static void factor_joints(zw_frozen *f, int p) {
    const zw_kernel *k = f->k;
    int n = size_of(k, p), first = f->joint[p], m = f->joint[p + 1] - first;
    const int *v = k->part_velocity + k->part_start[p];
    double *J = f->J + (size_t)first * (size_t)k->nv, *own = f->Jfactor + (J - f->J);
    for (int r = 0; r < m; r++) {
        const double *Psi = f->at.Psi + (size_t)f->joint_row[first + r] * (size_t)k->nv;
        for (int i = 0; i < n; i++)
            J[r * n + i] = Psi[v[i]];
        zw_num_lower_solve(n, f->L + f->mass_at[p], J + (size_t)r * (size_t)n);
        f->psi[first + r] = -2 * f->at.psi[f->joint_row[first + r]];
    }
    memcpy(own, J, sizeof(double) * (size_t)(m * n));
    double *tau = f->tau + k->part_start[p];
    f->rank[p] = zw_num_rows_factor(m, n, own, 0, ZW_NUM_DEPENDENT_ROW, tau, f->order + first);
    zw_num_rows_solve(n, own, f->rank[p], tau, f->order + first, f->psi + first,
                      f->shift + k->part_start[p]);
    zw_num_rows_complement(n, own, f->rank[p], tau, f->order + first, f->N + f->start[p]);
}

static bool has_joints(const zw_frozen *f, int part) {
    return f->joint[part + 1] > f->joint[part];
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* y = N w of a part; where it has no joints the same */
static void project_free(const zw_frozen *f, int p, const double *w, double *y) {
    int n = size_of(f->k, p);
    if (!has_joints(f, p)) {
        memcpy(y, w, sizeof(double) * (size_t)n);
        return;
    }
    for (int i = 0; i < n - f->rank[p]; i++)
        y[i] = dot(n, f->N + f->start[p] + i * n, w);
}

static void resolve_joints(zw_frozen *f) {
    const zw_kernel *k = f->k;
    int at = 0;
    for (int p = 0; p < k->npart; p++) {
        f->rank[p] = 0;
        memset(f->shift + k->part_start[p], 0, sizeof(double) * (size_t)size_of(k, p));
        if (has_joints(f, p))
            factor_joints(f, p);
        f->y_start[p] = at;
        project_free(f, p, f->free + k->part_start[p], f->y_free + at);
        at += size_of(k, p) - f->rank[p];
    }
    f->y_start[k->npart] = at;
}

/* ---- contacts ---- */

/* All rows are included, those of open contacts too: the caller chooses which contacts are open. */
static void scale_rows(zw_frozen *f) {
    const zw_kernel *k = f->k;
    for (int c = 0; c < k->ncontact; c++) {
        const zw_contact_form *form = &k->contact[c];
        for (int e = form->first; e < form->first + form->ntouch; e++) {
            int p = k->touching[e].part, n = size_of(k, p), at = k->touching[e].at,
                m = n - f->rank[p];
            for (int r = 0; r < form->nrow; r++) {
                double *z = f->Z + at + r * n;
                memcpy(z, f->at.H + at + r * n, sizeof(double) * (size_t)n);
                zw_num_lower_solve(n, f->L + f->mass_at[p], z);
                if (f->R != f->Z)
                    project_free(f, p, z, f->R + at + r * m);
            }
        }
    }
}

static zw_status hit_at(zw_frozen *f, zw_flow *flow, const zw_args *in, zw_error *err) {
    zw_kernel_call(f->k, ZW_FN_HIT, in, f->out, flow->work);
    double sum = 0;
    for (int i = 0; i < f->k->nv; i++)
        sum += f->hit.a[i];
    if (isfinite(sum))
        return ZW_OK;
    zw_num_fault(flow, ZW_FAULT_MASS, -1, *in->t, 0);
    return zw_fail(err, ZW_E_SINGULAR,
                   "the mass matrix is singular, or a force is not finite, at t = %.10g", *in->t);
}

zw_status zw_frozen_at(zw_frozen *f, zw_flow *flow, double t, const double *x, zw_error *err) {
    const zw_kernel *k = f->k;
    const zw_args in = zw_num_args(flow, &t, x, NULL);
    if (k->hits)
        return hit_at(f, flow, &in, err);
    zw_kernel_call(k, ZW_FN_STEP, &in, f->out, flow->work);
    f->at = zw_step_of(k, f->out);
    f->gap = f->at.gap;
    f->rate = f->at.rate;
    ZW_TRY(factor_masses(f, flow, t, err));
    if (k->nvel > 0)
        resolve_joints(f);
    else
        memcpy(f->y_free, f->free, sizeof(double) * (size_t)k->nv);
    scale_rows(f);
    return ZW_OK;
}

/* ---- effect of impulses ---- */

/* y += R' r of contact i */
static void push_impulse(const zw_frozen *f, int contact, const double *r, double *y) {
    const zw_kernel *k = f->k;
    const zw_contact_form *form = &k->contact[contact];
    for (int e = form->first; e < form->first + form->ntouch; e++) {
        int p = k->touching[e].part, n = size_of(k, p) - f->rank[p];
        const double *R = f->R + k->touching[e].at;
        double *own = y + f->y_start[p];
        for (int a = 0; a < form->nrow; a++)
            for (int i = 0; i < n; i++)
                own[i] += R[a * n + i] * r[a];
    }
}

/* rate += R y of contact i, and the part due to the shift x of the joints */
static void pull_rate(const zw_frozen *f, int contact, const double *y, double *rate) {
    const zw_kernel *k = f->k;
    const zw_contact_form *form = &k->contact[contact];
    for (int e = form->first; e < form->first + form->ntouch; e++) {
        int p = k->touching[e].part, n = size_of(k, p), m = n - f->rank[p];
        const double *R = f->R + k->touching[e].at, *Z = f->Z + k->touching[e].at;
        for (int a = 0; a < form->nrow; a++) {
            rate[a] += dot(m, R + a * m, y + f->y_start[p]);
            if (has_joints(f, p))
                rate[a] += dot(n, Z + a * n, f->shift + k->part_start[p]);
        }
    }
}

/* y of forces over h and impulses */
static void set_change(zw_frozen *f, double h, const double *P) {
    const zw_kernel *k = f->k;
    for (int i = 0; i < f->y_start[k->npart]; i++)
        f->y[i] = h * f->y_free[i];
    for (int c = 0; c < k->ncontact; c++) {
        const double *r = P + k->contact[c].row;
        bool pushes = false;
        for (int a = 0; a < k->contact[c].nrow; a++)
            pushes |= r[a] != 0;
        if (pushes)
            push_impulse(f, c, r, f->y);
    }
}

void zw_frozen_free(const zw_frozen *f, double h, double *gamma) {
    const zw_kernel *k = f->k;
    if (k->hits) {
        for (int i = 0; i < k->ntouch; i++)
            gamma[i] = f->rate[i] + h * f->hit.Ha[i];
        return;
    }
    memcpy(gamma, f->rate, sizeof(double) * (size_t)k->ntouch);
    for (int i = 0; i < f->y_start[k->npart]; i++)
        f->y[i] = h * f->y_free[i];
    for (int c = 0; c < k->ncontact; c++)
        pull_rate(f, c, f->y, gamma + k->contact[c].row);
}

/* du = L^-T (x + N' y) */
static void into_velocities(const zw_frozen *f, bool joints, double *du) {
    const zw_kernel *k = f->k;
    for (int p = 0; p < k->npart; p++) {
        int n = size_of(k, p), first = k->part_start[p];
        const double *own = f->y + f->y_start[p];
        if (has_joints(f, p)) {
            for (int i = 0; i < n; i++)
                f->row[i] = joints ? f->shift[first + i] : 0;
            for (int j = 0; j < n - f->rank[p]; j++)
                for (int i = 0; i < n; i++)
                    f->row[i] += f->N[f->start[p] + j * n + i] * own[j];
        } else {
            memcpy(f->row, own, sizeof(double) * (size_t)n);
        }
        zw_num_lower_solve_transposed(n, f->L + f->mass_at[p], f->row);
        for (int i = 0; i < n; i++)
            du[k->part_velocity[first + i]] = f->row[i];
    }
}

/* n rows of contacts, nv velocities: constants where a caller knows them */
static inline __attribute__((always_inline)) void change_sized(const zw_frozen *f, int n, int nv,
                                                               double h, const double *restrict P,
                                                               double *restrict gamma,
                                                               double *restrict du) {
    const double *restrict B = f->hit.B, *restrict W = f->hit.W, *restrict a = f->hit.a,
                           *restrict Ha = f->hit.Ha, *restrict rate = f->rate;
    for (int i = 0; i < nv; i++)
        du[i] = h * a[i];
    for (int r = 0; r < n; r++)
        for (int i = 0; i < nv && P[r] != 0; i++)
            du[i] += B[r * nv + i] * P[r];
    for (int r = 0; r < n && gamma; r++)
        gamma[r] = rate[r] + h * Ha[r] + dot(n, W + r * n, P);
}

static void change_directly(const zw_frozen *f, double h, const double *P, double *gamma,
                            double *du) {
    int n = f->k->ntouch, nv = f->k->nv;
    if (n == 3 && nv == 6) /* one body, one contact */
        change_sized(f, 3, 6, h, P, gamma, du);
    else
        change_sized(f, n, nv, h, P, gamma, du);
}

void zw_frozen_change(zw_frozen *f, double h, bool joints, const double *P, double *gamma,
                      double *du) {
    const zw_kernel *k = f->k;
    if (k->hits) {
        change_directly(f, h, P, gamma, du);
        return;
    }
    set_change(f, h, P);
    if (gamma) {
        memcpy(gamma, f->rate, sizeof(double) * (size_t)k->ntouch);
        for (int c = 0; c < k->ncontact; c++)
            pull_rate(f, c, f->y, gamma + k->contact[c].row);
    }
    into_velocities(f, joints, du);
}

bool zw_frozen_moves(const zw_frozen *f, int contact) {
    const zw_kernel *k = f->k;
    const zw_contact_form *form = &k->contact[contact];
    double size = k->hits ? f->hit.W[form->row * k->ntouch + form->row] : 0;
    for (int e = form->first; e < form->first + form->ntouch && !k->hits; e++) {
        int p = k->touching[e].part, n = f->y_start[p + 1] - f->y_start[p];
        const double *R = f->R + k->touching[e].at;
        size += dot(n, R, R);
    }
    return size > 0;
}

/* ---- contact problems ---- */

/* the rows of a contact over the velocities of a part, with the normal reversed if sign < 0 */
static const double *rows_of(zw_frozen *f, int contact, int e, int sign) {
    const zw_kernel *k = f->k;
    const double *R = f->R + k->touching[e].at;
    int p = k->touching[e].part, n = f->y_start[p + 1] - f->y_start[p];
    if (sign > 0)
        return R;
    double *own = f->turned + k->touching[e].at;
    memcpy(own, R, sizeof(double) * (size_t)(n * k->contact[contact].nrow));
    for (int i = 0; i < n; i++)
        own[i] = -R[i];
    return own;
}

static void problem_by_parts(zw_frozen *f, int n, const int *contact, const int *sign,
                             zw_contact_problem *problem) {
    const zw_kernel *k = f->k;
    problem->npart = k->npart;
    problem->part = f->part;
    problem->entry = f->entry;
    problem->nentry = 0;
    problem->W = NULL;
    for (int p = 0; p < k->npart; p++)
        f->part[p] = (zw_contact_part){f->y_start[p + 1] - f->y_start[p], true, f->ones};
    for (int i = 0; i < n; i++) {
        const zw_contact_form *form = &k->contact[contact[i]];
        for (int e = form->first; e < form->first + form->ntouch; e++)
            f->entry[problem->nentry++] = (zw_contact_entry){
                i, k->touching[e].part, rows_of(f, contact[i], e, sign[contact[i]])};
    }
}

/* W of the chosen rows; the kernel's own where all are chosen and no normal is reversed */
static void problem_directly(zw_frozen *f, int n, const int *contact, const int *sign, bool normal,
                             zw_contact_problem *problem) {
    const zw_kernel *k = f->k;
    bool whole = n == k->ncontact && !normal;
    problem->npart = problem->nentry = 0;
    problem->W = f->hit.W;
    for (int i = 0; i < n; i++)
        whole = whole && sign[contact[i]] > 0;
    if (whole)
        return;
    double *to = f->turned;
    for (int i = 0; i < n; i++)
        for (int a = 0; a < (normal ? 1 : k->contact[contact[i]].nrow); a++)
            for (int j = 0; j < n; j++)
                for (int b = 0; b < (normal ? 1 : k->contact[contact[j]].nrow); b++) {
                    int turned = (a == 0 ? sign[contact[i]] : 1) * (b == 0 ? sign[contact[j]] : 1);
                    *to++ = turned * f->hit.W[(k->contact[contact[i]].row + a) * k->ntouch +
                                              k->contact[contact[j]].row + b];
                }
    problem->W = f->turned;
}

void zw_frozen_problem(zw_frozen *f, int n, const int *contact, const int *sign, bool normal,
                       zw_contact_problem *problem) {
    problem->ncontact = n;
    if (f->k->hits)
        problem_directly(f, n, contact, sign, normal, problem);
    else
        problem_by_parts(f, n, contact, sign, problem);
}

/* ---- forces of joints ---- */

/* J' Lambda = w of a part, in the sense of least squares; rows that depend on others get none */
static void joint_forces(zw_frozen *f, int p, const double *w, double *multiplier) {
    int n = size_of(f->k, p), first = f->joint[p], m = f->rank[p];
    double *A = f->Jfactor + (size_t)first * (size_t)f->k->nv;
    const double *J = f->J + (A - f->Jfactor);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            A[i * m + j] = dot(n, J + f->order[first + i] * n, J + f->order[first + j] * n);
    zw_num_metric(m, A);
    for (int i = 0; i < m; i++)
        f->psi[first + i] = dot(n, J + f->order[first + i] * n, w);
    zw_num_lower_solve(m, A, f->psi + first);
    zw_num_lower_solve_transposed(m, A, f->psi + first);
    for (int i = 0; i < m; i++)
        multiplier[f->joint_row[first + f->order[first + i]]] = f->psi[first + i];
}

void zw_frozen_multipliers(zw_frozen *f, double h, const double *du, const double *P,
                           double *multiplier) {
    const zw_kernel *k = f->k;
    memset(multiplier, 0, sizeof(double) * (size_t)k->nvel);
    for (int p = 0; p < k->npart; p++) {
        int n = size_of(k, p), first = k->part_start[p];
        const double *L = f->L + f->mass_at[p];
        if (!has_joints(f, p))
            continue;
        for (int i = 0; i < n; i++) { /* w = L' du - h L^-1 forces - Z' P */
            f->row[i] = -h * f->free[first + i];
            for (int j = i; j < n; j++)
                f->row[i] += L[j * n + i] * du[k->part_velocity[first + j]];
        }
        for (int c = 0; c < k->ncontact; c++)
            for (int e = k->contact[c].first; e < k->contact[c].first + k->contact[c].ntouch; e++)
                for (int a = 0; a < k->contact[c].nrow && k->touching[e].part == p; a++)
                    for (int i = 0; i < n; i++)
                        f->row[i] -= f->Z[k->touching[e].at + a * n + i] * P[k->contact[c].row + a];
        joint_forces(f, p, f->row, multiplier);
    }
}
