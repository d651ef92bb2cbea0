/* SPDX-License-Identifier: MIT */
/* A formula for numbers: given values w_j at the samples, find
 *
 *   w = k * p_1^n_1 * p_2^n_2 * ... * a_1^m_1 * a_2^m_2 ...
 *
 * with a rational k, parameters p and functions of the state a (atoms). For a trial product of
 * atoms the quotient w / (a_1^m_1 ...) must be one number in each parameter set. Its logarithm is
 * then linear in the logarithms of the parameters, so that least squares over the sets give the
 * exponents; they are accepted if they are whole or half numbers and k is the same rational number
 * in all sets. */
#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "repair.h"

#define SMALLEST_NUMERATOR 1e-3 /* for which the error is relative */
/* of normal equations of logarithms, which are of the order 1: below, the parameters do not vary
 * independently */
#define PIVOT_REGULAR 1e-10
/* twice an exponent: distance from a whole number; the formula is then tested exactly */
#define WHOLE_EXPONENT 1e-3

/* Relative scatter of a constant. The corrected claim is tested with a smaller tolerance. */
static const double constancy = 1e-6;

zw_status zw_formula_init(zw_formula_search *f, const zw_system *s, const zw_trials *ev,
                          zw_error *err) {
    *f = (zw_formula_search){.sys = s, .ev = ev};
    f->param = ZW_CONTEXT_NEW(s->ctx, int, s->np);
    if (!f->param)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < s->np; i++)
        if (!zw_foreign_symbol(s->ctx, s->param[i].value, 0, NULL))
            f->param[f->nparam++] = i;
    f->matrix = ZW_CONTEXT_NEW(s->ctx, double, (f->nparam + 1) * (f->nparam + 2));
    f->constant = ZW_CONTEXT_NEW(s->ctx, double, ev->nset);
    f->quotient = ZW_CONTEXT_NEW(s->ctx, double, ev->nsample);
    f->atom_value = ZW_CONTEXT_NEW(s->ctx, double, ZW_ATOMS_MAX * ev->nsample);
    return zw_context_status(s->ctx, err);
}

void zw_formula_atom(zw_formula_search *f, zw_expr e) {
    for (int i = 0; i < f->natom; i++)
        if (f->atom[i] == e)
            return;
    if (e && f->natom < ZW_ATOMS_MAX)
        f->atom[f->natom++] = e;
}

/* Values of an atom at position `to`; an expression that is zero at every state, such as the rate
 * of a coordinate that is held, is not used in formulas. */
static bool put_atom(zw_formula_search *f, int to, zw_expr e) {
    double *value = f->atom_value + (size_t)to * (size_t)f->ev->nsample;
    bool some = false;
    for (int j = 0; j < f->ev->nsample; j++) {
        value[j] = zw_sample_leading(f->sys, f->ev, j, e);
        some = some || value[j] != 0;
    }
    f->atom[to] = e;
    return some;
}

zw_status zw_formula_ready(zw_formula_search *f, zw_error *err) {
    int kept = 0;
    for (int i = 0; i < f->natom; i++)
        kept += put_atom(f, kept, f->atom[i]);
    f->natom = kept;
    return zw_context_status(f->sys->ctx, err);
}

/* ------------------------------------------------------------------------------------ numbers */

/* p/q with p*q small enough that no real number agrees by coincidence; 0 if x is none. */
static zw_expr small_rational(zw_context *ctx, double x) {
    /* product of numerator and denominator: fractions up to it are rarer than the scatter of a
     * constant */
    enum { SIZE_MAX_PQ = 20000 };
    for (int64_t q = 1; q <= 64; q++) {
        double p = round(x * (double)q);
        if (fabs(p) * (double)q > (double)SIZE_MAX_PQ)
            break;
        if (fabs(x * (double)q - p) <= constancy * fmax(SMALLEST_NUMERATOR, fabs(p)))
            return zw_rational(ctx, (int64_t)p, q);
    }
    return ZW_NULL;
}

static zw_expr nice_number(zw_context *ctx, double x) {
    static const double pi = 3.14159265358979323846;
    zw_expr k = small_rational(ctx, x);
    if (k)
        return k;
    k = small_rational(ctx, x / pi);
    if (k)
        return zw_mul(ctx, k, ZW_PI);
    k = small_rational(ctx, x * pi);
    return k ? zw_div(ctx, k, ZW_PI) : ZW_NULL;
}

static bool is_near(double a, double b) {
    return fabs(a - b) <= constancy * fmax(fabs(a), fabs(b));
}

/* ------------------------------------------------------------------------------- parameter sets */

/* constant[s] = the one value of w in set s, NaN if unknown; false if there are two. */
static bool constant_in_sets(const zw_formula_search *f, const double *w, const bool *known) {
    int count = 0;
    for (int s = 0; s < f->ev->nset; s++)
        f->constant[s] = NAN;
    for (int j = 0; j < f->ev->nsample; j++) {
        double *k = &f->constant[f->ev->set[j]];
        if (!known[j])
            continue;
        if (!isfinite(w[j]) || (!isnan(*k) && !is_near(*k, w[j])))
            return false;
        if (isnan(*k))
            *k = w[j];
        count++;
    }
    return count >= 2;
}

/* The parameter's value in set s, from a sample of that set. */
static double param_in_set(const zw_formula_search *f, int param, int s) {
    int j = 0;
    while (j < f->ev->nsample - 1 && f->ev->set[j] != s)
        j++;
    return f->ev->value[(size_t)j * (size_t)f->ev->nsym + (size_t)param];
}

static zw_expr common_number(const zw_formula_search *f) {
    double first = NAN;
    for (int s = 0; s < f->ev->nset; s++) {
        if (isnan(f->constant[s]))
            continue;
        if (isnan(first))
            first = f->constant[s];
        if (!is_near(first, f->constant[s]) && fmax(fabs(first), fabs(f->constant[s])) > constancy)
            return ZW_NULL;
    }
    return isnan(first) ? ZW_NULL : nice_number(f->sys->ctx, fabs(first) <= constancy ? 0 : first);
}

/* Solves the positive definite n x n system stored with its right side, by elimination; false:
 * singular. */
static bool solve_positive(int n, double *A) {
    for (int i = 0; i < n; i++) {
        double pivot = A[i * (n + 1) + i];
        if (!(pivot > PIVOT_REGULAR))
            return false;
        for (int r = 0; r < n; r++) {
            double factor = A[r * (n + 1) + i] / pivot;
            for (int k = i; r != i && k <= n; k++)
                A[r * (n + 1) + k] -= factor * A[i * (n + 1) + k];
        }
    }
    for (int i = 0; i < n; i++)
        A[i * (n + 1) + n] /= A[i * (n + 1) + i];
    return true;
}

/* Can set s take part in the fit of logarithms? */
static bool is_usable(const zw_formula_search *f, int s) {
    if (isnan(f->constant[s]) || f->constant[s] == 0)
        return false;
    for (int i = 0; i < f->nparam; i++)
        if (param_in_set(f, f->param[i], s) == 0)
            return false;
    return true;
}

/* Normal equations of log|constant| = log k + sum n_i log|p_i| over the sets; returns the number of
 * sets. */
static int normal_equations(const zw_formula_search *f) {
    int n = f->nparam + 1, used = 0;
    double *A = f->matrix;
    for (int i = 0; i < n * (n + 1); i++)
        A[i] = 0;
    for (int s = 0; s < f->ev->nset; s++) {
        if (!is_usable(f, s))
            continue;
        used++;
        for (int i = 0; i < n; i++) {
            double a = i ? log(fabs(param_in_set(f, f->param[i - 1], s))) : 1;
            for (int k = 0; k < n; k++)
                A[i * (n + 1) + k] += a * (k ? log(fabs(param_in_set(f, f->param[k - 1], s))) : 1);
            A[i * (n + 1) + n] += a * log(fabs(f->constant[s]));
        }
    }
    return used;
}

static zw_expr fit_parameters(const zw_formula_search *f) {
    zw_context *ctx = f->sys->ctx;
    int n = f->nparam + 1;
    zw_expr product = ZW_ONE;
    if (normal_equations(f) < n + 1 || !solve_positive(n, f->matrix))
        return ZW_NULL;
    for (int i = 1; i < n; i++) {
        double twice = 2 * f->matrix[i * (n + 1) + n], whole = round(twice);
        if (fabs(twice - whole) > WHOLE_EXPONENT || fabs(whole) > 10)
            return ZW_NULL;
        product = zw_mul(
            ctx, product,
            zw_pow(ctx, f->sys->param[f->param[i - 1]].sym, zw_rational(ctx, (int64_t)whole, 2)));
    }
    for (int j = 0; j < f->ev->nsample; j++) /* the constants become k */
        if (!isnan(f->constant[f->ev->set[j]]) && (j == 0 || f->ev->set[j] != f->ev->set[j - 1])) {
            double *k = &f->constant[f->ev->set[j]],
                   p = zw_sample_leading(f->sys, f->ev, j, product);
            *k = p == 0 ? NAN : *k / p;
        }
    zw_expr k = common_number(f);
    return k ? zw_mul(ctx, k, product) : ZW_NULL;
}

zw_expr zw_formula_number(const zw_formula_search *f, const double *value, const bool *known) {
    return constant_in_sets(f, value, known) ? common_number(f) : ZW_NULL;
}

zw_expr zw_formula_param(const zw_formula_search *f, const double *value, const bool *known) {
    if (!constant_in_sets(f, value, known))
        return ZW_NULL;
    zw_expr k = common_number(f);
    return k ? k : fit_parameters(f);
}

/* constant[s] = a p_i + b p_k by least squares over the sets; false if that is not exact. */
static bool fit_sum(const zw_formula_search *f, int i, int k, double out[2]) {
    double pp = 0, pq = 0, qq = 0, cp = 0, cq = 0, size = 0;
    int used = 0;
    for (int s = 0; s < f->ev->nset; s++) {
        double p = param_in_set(f, i, s), q = param_in_set(f, k, s), c = f->constant[s];
        if (isnan(c))
            continue;
        used++;
        pp += p * p;
        pq += p * q;
        qq += q * q;
        cp += c * p;
        cq += c * q;
        size = fmax(size, fabs(c));
    }
    double determinant = pp * qq - pq * pq;
    if (used < 4 || !(determinant > ZW_ROUNDOFF_SOLVED * pp * qq))
        return false;
    out[0] = (qq * cp - pq * cq) / determinant;
    out[1] = (pp * cq - pq * cp) / determinant;
    for (int s = 0; s < f->ev->nset; s++) {
        double sum = out[0] * param_in_set(f, i, s) + out[1] * param_in_set(f, k, s);
        if (!isnan(f->constant[s]) && fabs(sum - f->constant[s]) > constancy * size)
            return false;
    }
    return true;
}

zw_expr zw_formula_sum(const zw_formula_search *f, const double *value, const bool *known) {
    zw_context *ctx = f->sys->ctx;
    if (!constant_in_sets(f, value, known))
        return ZW_NULL;
    for (int i = 0; i < f->sys->np; i++)
        for (int k = i + 1; k < f->sys->np; k++) {
            const zw_param *p = &f->sys->param[i], *q = &f->sys->param[k];
            double c[2];
            if (strcmp(p->unit, q->unit) != 0 || !fit_sum(f, i, k, c))
                continue;
            zw_expr a = small_rational(ctx, c[0]), b = small_rational(ctx, c[1]);
            if (a && b)
                return zw_add(ctx, zw_mul(ctx, a, p->sym), zw_mul(ctx, b, q->sym));
        }
    return ZW_NULL;
}

/* -------------------------------------------------------------------------------------- atoms */

/* The formula with this product of n atoms (numbers and exponents). */
static zw_expr with_atoms(const zw_formula_search *f, const double *value, const bool *known, int n,
                          const int *atom, const int *exponent) {
    zw_context *ctx = f->sys->ctx;
    int nsample = f->ev->nsample, checked = 0;
    double first = NAN;
    if (zw_trials_ask(f->ev))
        return ZW_NULL;
    for (int j = 0; j < nsample; j++) {
        double w = value[j];
        for (int i = 0; i < n; i++)
            w /= pow(f->atom_value[atom[i] * nsample + j], exponent[i]);
        f->quotient[j] = w;
        /* Most trials end here, at the second sample of the first set. */
        if (known[j] && f->ev->set[j] == f->ev->set[0] && checked++ > 0 && !is_near(first, w))
            return ZW_NULL;
        if (known[j] && isnan(first))
            first = w;
    }
    zw_expr e = zw_formula_param(f, f->quotient, known);
    for (int i = 0; e && i < n; i++)
        e = zw_mul(ctx, e, zw_pow(ctx, f->atom[atom[i]], zw_integer(ctx, exponent[i])));
    return e;
}

zw_expr zw_formula_factor(const zw_formula_search *f, const double *value, const bool *known,
                          bool ratios) {
    static const int powers[] = {1, 2, -1, -2};
    int npower = ratios ? 4 : 2;
    for (int i = 0; i < f->natom; i++)
        for (int a = 0; a < npower; a++) {
            zw_expr e = with_atoms(f, value, known, 1, &i, &powers[a]);
            if (e)
                return e;
        }
    for (int i = 0; i < f->natom; i++)
        for (int k = 0; k < i; k++)
            for (int a = 0; a < npower * npower; a++) {
                zw_expr e = with_atoms(f, value, known, 2, (int[]){k, i},
                                       (int[]){powers[a % npower], powers[a / npower]});
                if (e)
                    return e;
            }
    return ZW_NULL;
}

/* Products of exactly `degree` more atoms, each not before `from`. */
static zw_expr search_products(const zw_formula_search *f, const double *value, const bool *known,
                               int degree, int from, int n, int *atom, int *exponent) {
    if (degree == 0)
        return with_atoms(f, value, known, n, atom, exponent);
    for (int i = from; i < f->natom; i++) {
        atom[n] = i;
        exponent[n] = 1;
        zw_expr e = search_products(f, value, known, degree - 1, i, n + 1, atom, exponent);
        if (e)
            return e;
    }
    return ZW_NULL;
}

zw_expr zw_formula_term(const zw_formula_search *f, const double *value, const bool *known) {
    int atom[4], exponent[4];
    zw_expr e = ZW_NULL;
    for (int degree = 0; degree <= 4 && !e; degree++)
        e = search_products(f, value, known, degree, 0, 0, atom, exponent);
    return e;
}
