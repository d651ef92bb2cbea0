/* SPDX-License-Identifier: MIT */
/* One contact without preparation, since time stepping solves it again and again: W (rows x rows)
 * as given or from the parts, scaled by rho = rows/trace W, q by its length; the solution and its
 * residual. Invalid problems are left to the general solver, which reports their faults. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "kernels.h"
#include "one_contact_fast.h"
#include "solver.h"

enum { WIDE = 32 }; /* velocities of a part that fit on the stack */

/* Difference of two solutions relative to their size: solutions are exact to about 1e-13 times the
 * condition number of W. */
#define SAME_SOLUTION 1e-9

typedef struct one {
    const zw_contact_law *law;
    double W[ZW_CONTACT_ROWS_MAX * ZW_CONTACT_ROWS_MAX], q[ZW_CONTACT_ROWS_MAX];
    double rho, size;
} one;

/* -------------------------------------------------------------------------------------- W and q */

/* W = L D L' with no D below zero, up to round-off. m, the rows of the contact, is a constant where
 * there are three: these functions are inlined. */
ZW_KERNEL bool is_semidefinite(int m, const double *W, double rounding) {
    double L[ZW_CONTACT_ROWS_MAX * ZW_CONTACT_ROWS_MAX], D[ZW_CONTACT_ROWS_MAX];
    for (int i = 0; i < m; i++) {
        D[i] = W[i * m + i];
        for (int j = 0; j < i; j++) {
            double sum = W[i * m + j];
            for (int l = 0; l < j; l++)
                sum -= L[i * m + l] * L[j * m + l] * D[l];
            L[i * m + j] = D[j] > rounding ? sum / D[j] : 0;
            if (!(D[j] > rounding) && !(fabs(sum) <= rounding))
                return false;
            D[i] -= L[i * m + j] * sum;
        }
        if (!(D[i] >= -rounding))
            return false;
    }
    return true;
}

ZW_KERNEL bool copy_W(one *k, int m, const double *W) {
    double apart = 0, trace = 0;
    memcpy(k->W, W, sizeof *W * (size_t)(m * m));
    for (int i = 0; i < m; i++) {
        trace += W[i * m + i];
        for (int j = 0; j < i; j++)
            apart = zw_larger(fabs(W[i * m + j] - W[j * m + i]), apart);
    }
    return apart <= ZW_ROUNDOFF_SOLVED * trace && is_semidefinite(m, W, ZW_ROUNDOFF_SOLVED * trace);
}

ZW_KERNEL void add_diagonal(one *k, int m, int n, const zw_contact_part *part, const double *H) {
    double over[WIDE];
    for (int l = 0; l < n; l++)
        over[l] = 1 / part->mass[l];
    for (int i = 0; i < m; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int l = 0; l < n; l++)
                sum += H[i * n + l] * H[j * n + l] * over[l];
            k->W[i * m + j] += sum;
        }
}

/* L of the mass, its diagonal inverted, row by row, and X = H L^-T with it */
ZW_KERNEL bool add_full(one *k, int m, const zw_contact_part *part, const double *H) {
    int n = part->n;
    double L[WIDE * WIDE], X[ZW_CONTACT_ROWS_MAX * WIDE];
    for (int j = 0; j < n; j++) {
        double *Lj = L + j * n, d = part->mass[j * n + j];
        for (int i = 0; i < j; i++) {
            double sum = part->mass[j * n + i];
            for (int l = 0; l < i; l++)
                sum -= Lj[l] * L[i * n + l];
            Lj[i] = sum * L[i * n + i];
            d -= Lj[i] * Lj[i];
        }
        if (!(d > 0))
            return false;
        Lj[j] = 1 / sqrt(d);
        for (int a = 0; a < m; a++) {
            double sum = H[a * n + j];
            for (int l = 0; l < j; l++)
                sum -= Lj[l] * X[a * n + l];
            X[a * n + j] = sum * Lj[j];
        }
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j <= i; j++)
            for (int l = 0; l < n; l++)
                k->W[i * m + j] += X[i * n + l] * X[j * n + l];
    return true;
}

static bool is_positive(const zw_contact_part *part) {
    bool positive = true;
    for (int i = 0; i < part->n; i++)
        positive &= part->mass[i] > 0;
    return positive;
}

ZW_KERNEL bool add_parts(one *k, int m, const zw_contact_problem *p) {
    memset(k->W, 0, sizeof *k->W * (size_t)(m * m));
    for (int e = 0; e < p->nentry; e++) {
        const zw_contact_entry *entry = &p->entry[e];
        if (entry->contact != 0 || entry->part < 0 || entry->part >= p->npart)
            return false;
        const zw_contact_part *part = &p->part[entry->part];
        /* two entries of one part would have to be added first */
        for (int before = 0; before < e; before++)
            if (p->entry[before].part == entry->part)
                return false;
        if (part->n > WIDE || (part->diagonal && !is_positive(part)))
            return false;
        if (part->diagonal && part->n == ZW_SIX)
            add_diagonal(k, m, ZW_SIX, part, entry->H);
        else if (part->diagonal)
            add_diagonal(k, m, part->n, part, entry->H);
        else if (!add_full(k, m, part, entry->H))
            return false;
    }
    for (int i = 0; i < m; i++)
        for (int j = i + 1; j < m; j++)
            k->W[i * m + j] = k->W[j * m + i];
    return p->nentry > 0;
}

/* the scale of W, and q */
ZW_KERNEL bool scale(one *k, int m, const double *q) {
    double trace = 0, sum = 0, all = 0;
    for (int i = 0; i < m; i++) {
        trace += k->W[i * m + i];
        sum += q[i] * q[i];
    }
    k->rho = m / trace;
    k->size = sqrt(sum);
    if (!(k->rho > 0) || !(k->size > 0) || !(k->W[0] > 0))
        return false;
    for (int i = 0; i < m * m; i++) {
        k->W[i] *= k->rho;
        all += k->W[i];
    }
    double over = 1 / k->size;
    for (int i = 0; i < m; i++)
        all += k->q[i] = q[i] * over;
    return isfinite(all);
}

/* scales the columns of non-associated forces */
static void pull_columns(one *k, int m) {
    int row = 1;
    for (int b = 0; b < k->law->nblock; b++)
        for (int a = 0; a < k->law->block[b].nrow; a++, row++)
            for (int i = 0; i < m; i++)
                k->W[i * m + row] *= k->law->block[b].pull[a];
}

ZW_KERNEL bool prepare(one *k, int m, const zw_contact_problem *p) {
    k->law = p->law;
    return (p->W ? p->nentry == 0 && copy_W(k, m, p->W) : add_parts(k, m, p)) && scale(k, m, p->q);
}

/* --------------------------------------------------------------------------------------
 * solutions */

ZW_KERNEL void move(const one *k, int m, const double *r, double *u) {
    for (int i = 0; i < m; i++) {
        u[i] = k->q[i];
        for (int j = 0; j < m; j++)
            u[i] += k->W[i * m + j] * r[j];
    }
}

ZW_KERNEL bool report_solution(const one *k, int m, const zw_contact_options *o, const double *x,
                               double residual, double *r, zw_contact_answer *answer) {
    if (!(residual <= o->tolerance))
        return false;
    for (int i = 0; i < m; i++)
        r[i] = x[i] * k->rho * k->size;
    answer->residual = residual;
    answer->found = x[0] > 0 ? "exact" : "nothing";
    answer->verdict = ZW_CONTACT_CONVERGED;
    return true;
}

/* Are all solutions counted? On request, and if only paradoxes are asked for, where one is
 * possible */
static bool is_counting(const zw_contact_coulomb *k, const zw_contact_options *o) {
    double pull = k->mu * k->mu * (k->W[1] * k->W[1] + k->W[2] * k->W[2]);
    return !k->alone && (o->examine || (o->paradox && !(pull < k->W[0] * k->W[0])));
}

/* reports uniqueness and paradoxes by the number n of all solutions */
static void report_count(const zw_contact_coulomb *k, const double *q, int n,
                         zw_contact_answer *answer) {
    double slip = sqrt(q[1] * q[1] + q[2] * q[2]);
    if (n > 1) {
        answer->paradox = ZW_CONTACT_SEVERAL;
        answer->forces = answer->motion = ZW_CONTACT_NOT_UNIQUE;
        return;
    }
    if (q[0] < 0 && slip > 0 && k->W[0] * slip <= k->mu * (k->W[1] * q[1] + k->W[2] * q[2]))
        answer->paradox = ZW_CONTACT_NO_SLIP;
    if (k->regular)
        answer->forces = answer->motion = ZW_CONTACT_UNIQUE;
}

/* open or sticking, where this is certainly a solution */
static bool solve_trivial(const double *W, const double *q, double mu, const zw_contact_options *o,
                          double *r, zw_contact_answer *answer) {
    zw_trivial_impulse trivial;
    if (!zw_contact_trivial(W, q, mu, !o->examine && !o->paradox, o->tolerance, &trivial))
        return false;
    for (int i = 0; i < 3; i++)
        r[i] = trivial.P[i];
    answer->residual = sqrt(trivial.square / trivial.unit);
    answer->found = q[0] < 0 ? "exact" : "nothing";
    answer->verdict = ZW_CONTACT_CONVERGED;
    answer->forces = answer->motion = trivial.alone ? ZW_CONTACT_UNIQUE : ZW_CONTACT_UNKNOWN;
    return true;
}

static bool direct_disc(const zw_contact_problem *p, const zw_contact_options *o, double *r,
                        zw_contact_answer *answer) {
    one k;
    double all[ZW_COULOMB_ANSWERS][3], u[3], mu = p->law->block[0].mu;
    zw_contact_coulomb coulomb;
    k.law = p->law;
    if (p->W ? p->nentry > 0 : !add_parts(&k, 3, p))
        return false;
    if (solve_trivial(p->W ? p->W : k.W, p->q, mu, o, r, answer))
        return true;
    if ((p->W && !copy_W(&k, 3, p->W)) || !scale(&k, 3, p->q))
        return false;
    zw_contact_coulomb_prepare(&coulomb, k.W, mu);
    bool counted = is_counting(&coulomb, o);
    int n = counted ? zw_contact_coulomb_all(&coulomb, k.q, all)
                    : zw_contact_coulomb_solve(&coulomb, k.q, all[0]);
    if (n == 0)
        return false;
    move(&k, 3, all[0], u);
    if (!report_solution(&k, 3, o, all[0], sqrt(zw_contact_disc_residual(mu, all[0], u)), r,
                         answer))
        return false;
    if (coulomb.alone)
        answer->forces = answer->motion = ZW_CONTACT_UNIQUE;
    else if (counted)
        report_count(&coulomb, k.q, n, answer);
    return !o->examine || answer->motion != ZW_CONTACT_UNKNOWN;
}

/* The same for one velocity, W = (a b; c d), r_T = -sense mu r_N where it slips: u_N = q_N + (a -
 * sense mu b) r_N. */
static int count_line(const one *k, double mu, double all[4][2]) {
    const double *W = k->W, *q = k->q, whole = W[0] * W[3] - W[1] * W[2];
    int n = 0;
    if (q[0] >= 0)
        all[n][0] = all[n][1] = 0, n++;
    if (fabs(whole) > ZW_ROUNDOFF_SUM * (fabs(W[0] * W[3]) + fabs(W[1] * W[2]))) {
        double N = (W[1] * q[1] - W[3] * q[0]) / whole, T = (W[2] * q[0] - W[0] * q[1]) / whole;
        if (N > 0 && fabs(T) <= mu * N)
            all[n][0] = N, all[n][1] = T, n++;
    }
    for (int sense = -1; sense <= 1; sense += 2) {
        double slope = W[0] - sense * mu * W[1], N = -q[0] / slope;
        if (fabs(slope) > ZW_ROUNDOFF_SUM * W[0] && N > 0 &&
            sense * (q[1] + (W[2] - sense * mu * W[3]) * N) > 0)
            all[n][0] = N, all[n][1] = -sense * mu * N, n++;
    }
    return n;
}

static void examine_line(const one *k, zw_contact_answer *answer) {
    double mu = k->law->block[0].mu * k->law->block[0].axis[0], all[4][2];
    const double *W = k->W;
    /* else forces may be undetermined */
    if (W[0] * W[3] - W[1] * W[2] > ZW_ROUNDOFF_SUM * W[0] * W[3])
        answer->forces = answer->motion = ZW_CONTACT_UNIQUE;
    if (!(mu * fabs(W[1]) >= W[0]))
        return;
    int n = count_line(k, mu, all), sense = k->q[1] > 0 ? 1 : -1;
    bool several = false;
    for (int i = 1; i < n; i++)
        several |= fabs(all[i][0] - all[0][0]) + fabs(all[i][1] - all[0][1]) >
                   SAME_SOLUTION * (fabs(all[i][0]) + fabs(all[0][0]));
    if (several) {
        answer->paradox = ZW_CONTACT_SEVERAL;
        answer->forces = answer->motion = ZW_CONTACT_NOT_UNIQUE;
    } else if (k->q[0] < 0 && k->q[1] != 0 && W[0] <= sense * mu * W[1]) {
        answer->paradox = ZW_CONTACT_NO_SLIP;
    }
}

static bool has_exact(const zw_contact_law *law) {
    return law->nblock == 0 || (law->nblock == 1 && law->block[0].kind != ZW_FRICTION_LINEAR &&
                                law->block[0].smooth == 0);
}

static double contact_residual(const zw_contact_law *law, const double *r, const double *u) {
    double N = zw_larger(r[0] - u[0], 0), sum = (r[0] - N) * (r[0] - N);
    const zw_friction *f = law->block;
    if (law->nblock > 0) {
        double x[ZW_LAW_MAX], near[ZW_LAW_MAX];
        for (int a = 0; a < f->nrow; a++)
            x[a] = r[1 + a] - u[1 + a];
        zw_law_nearest(f, f->mu * N, x, near);
        for (int a = 0; a < f->nrow; a++)
            sum += (r[1 + a] - near[a]) * (r[1 + a] - near[a]);
    }
    return sqrt(sum);
}

static bool direct_any(const zw_contact_problem *p, const zw_contact_options *o, double *r,
                       zw_contact_answer *answer) {
    one k;
    int m = zw_contact_law_rows(p->law);
    double x[ZW_CONTACT_ROWS_MAX], u[ZW_CONTACT_ROWS_MAX];
    bool smooth = p->law->nblock == 0 || p->law->block[0].mu == 0;
    if (!has_exact(p->law) || (o->examine && !smooth && m > 2) || zw_contact_wrong_law(p->law) ||
        !prepare(&k, m, p))
        return false;
    pull_columns(&k, m);
    if (!zw_contact_single(k.law, k.W, k.q, x))
        return false;
    move(&k, m, x, u);
    if (!report_solution(&k, m, o, x,
                         zw_contact_is_disc(k.law)
                             ? sqrt(zw_contact_disc_residual(k.law->block[0].mu, x, u))
                             : contact_residual(k.law, x, u),
                         r, answer))
        return false;
    if (smooth)
        answer->forces = answer->motion = ZW_CONTACT_UNIQUE;
    else if (m == 2)
        examine_line(&k, answer);
    return !o->examine || answer->motion != ZW_CONTACT_UNKNOWN;
}

bool zw_contact_direct(const zw_contact_problem *p, const zw_contact_options *o, double *r,
                       zw_contact_answer *answer) {
    const zw_friction *f = p->law->block;
    return zw_contact_is_disc(p->law) && f->pull[0] == 1 && f->pull[1] == 1 && f->mu < HUGE_VAL
               ? direct_disc(p, o, r, answer)
               : direct_any(p, o, r, answer);
}
