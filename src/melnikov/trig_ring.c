/* SPDX-License-Identifier: MIT */
/* Trigonometric polynomials in exact numbers.
 *
 *     product   (a + C b)(a' + C b') = a a' + (1 - S^2) b b' + C (a b' + a' b)
 *     quotient  u/v = u w/(v w), with w = a - C b and v w = a^2 - (1 - S^2) b^2, a polynomial in S
 *               alone: u/v is an element if v w divides both parts of u w
 *     root of c S^(2i) (1 - S^2)^k q(S)^2 with q(0) = 1: sqrt(c) S^i C^k q; q is computed by the
 *     power series of the root, and its square is checked
 *     integral  over 0 to pi/2: of S^n (n - 1)!!/n!! times 1 or pi/2 (J. Wallis, 1656), of C S^n
 *               1/(n + 1) */
#include "trig_ring.h"

#include <math.h>
#include <string.h>

/* -------------------------------------------------------------------------------------- numbers */

static const zw_number ZERO_NUMBER = {true, 0, 1, 0}, ONE_NUMBER = {true, 1, 1, 0};

static zw_surd check_exact(zw_trig_ring *r, zw_surd a) {
    r->failed |= !a.x.exact || !a.y.exact;
    return a;
}

zw_surd zw_surd_of(int64_t num, int64_t den) {
    return (zw_surd){zw_number_rational(num, den), ZERO_NUMBER};
}

zw_surd zw_surd_number(zw_trig_ring *r, zw_number x) {
    return check_exact(r, (zw_surd){x, ZERO_NUMBER});
}

zw_surd zw_surd_add(zw_trig_ring *r, zw_surd a, zw_surd b) {
    return check_exact(r, (zw_surd){zw_number_add(a.x, b.x), zw_number_add(a.y, b.y)});
}

zw_surd zw_surd_mul(zw_trig_ring *r, zw_surd a, zw_surd b) {
    zw_number root = {true, r->root, 1, 0};
    return check_exact(r,
                       (zw_surd){zw_number_add(zw_number_mul(a.x, b.x),
                                               zw_number_mul(root, zw_number_mul(a.y, b.y))),
                                 zw_number_add(zw_number_mul(a.x, b.y), zw_number_mul(a.y, b.x))});
}

zw_surd zw_surd_div(zw_trig_ring *r, zw_surd a, zw_surd b) {
    zw_surd other = {b.x, zw_number_neg(b.y)}, norm = zw_surd_mul(r, b, other);
    if (zw_number_is_zero(norm.x)) {
        r->failed = true;
        return a;
    }
    zw_surd inverse = {zw_number_inverse(norm.x), ZERO_NUMBER};
    return zw_surd_mul(r, zw_surd_mul(r, a, other), inverse);
}

bool zw_surd_is_zero(zw_surd a) {
    return zw_number_is_zero(a.x) && zw_number_is_zero(a.y);
}

double zw_surd_value(const zw_trig_ring *r, zw_surd a) {
    return zw_number_value(a.x) + zw_number_value(a.y) * sqrt((double)r->root);
}

/* sqrt(p/q) = sqrt(p q)/q, and p q = square^2 times a square-free number. */
zw_surd zw_surd_sqrt(zw_trig_ring *r, zw_number square) {
    enum { TRIED = 100000 }; /* largest factor that is tried for a square-free number */
    int64_t rest, outside = 1;
    zw_surd out = {ZERO_NUMBER, ZERO_NUMBER};
    if (!square.exact || square.p < 0 || __builtin_mul_overflow(square.p, square.q, &rest)) {
        r->failed = true;
        return out;
    }
    if (square.p == 0)
        return out;
    if (zw_number_exact_root(square, 1, 2, &out.x))
        return out;
    for (int64_t k = 2; k <= TRIED && k * k <= rest; k++)
        while (rest % (k * k) == 0) {
            rest /= k * k;
            outside *= k;
        }
    r->failed |= rest > TRIED || (r->root != 0 && r->root != rest);
    if (r->root == 0)
        r->root = rest;
    out.x = ZERO_NUMBER;
    out.y = zw_number_rational(outside, square.q);
    return out;
}

/* ----------------------------------------------------------------------------- polynomials in S */

typedef struct poly {
    int n;
    zw_surd *c;
} poly;

static poly zero_polynomial(zw_trig_ring *r, int n) {
    poly p = {n, ZW_NEW(r->arena, zw_surd, n > 0 ? n : 1)};
    if (!p.c) {
        r->failed = true;
        return (poly){0, NULL};
    }
    for (int i = 0; i < n; i++)
        p.c[i] = zw_surd_of(0, 1);
    return p;
}

static poly trim_zeros(poly p) {
    while (p.n > 0 && zw_surd_is_zero(p.c[p.n - 1]))
        p.n--;
    return p;
}

static poly add_scaled(zw_trig_ring *r, poly a, zw_surd factor, poly b) {
    poly out = zero_polynomial(r, a.n > b.n ? a.n : b.n);
    for (int i = 0; i < out.n; i++) {
        zw_surd x = i < a.n ? a.c[i] : zw_surd_of(0, 1);
        out.c[i] = i < b.n ? zw_surd_add(r, x, zw_surd_mul(r, factor, b.c[i])) : x;
    }
    return trim_zeros(out);
}

static poly multiply_polynomials(zw_trig_ring *r, poly a, poly b) {
    if (a.n == 0 || b.n == 0)
        return (poly){0, NULL};
    poly out = zero_polynomial(r, a.n + b.n - 1);
    for (int i = 0; i < a.n && out.n > 0; i++)
        for (int j = 0; j < b.n; j++)
            out.c[i + j] = zw_surd_add(r, out.c[i + j], zw_surd_mul(r, a.c[i], b.c[j]));
    return trim_zeros(out);
}

/* a/b without a remainder; false if there is one. */
static bool divide_exactly(zw_trig_ring *r, poly a, poly b, poly *out) {
    *out = (poly){0, NULL};
    if (a.n == 0)
        return true;
    if (b.n == 0 || a.n < b.n)
        return false;
    poly rest = add_scaled(r, a, zw_surd_of(0, 1), a);
    *out = zero_polynomial(r, a.n - b.n + 1);
    for (int k = out->n - 1; k >= 0; k--) {
        if (rest.n < b.n + k)
            continue;
        zw_surd q = zw_surd_div(r, rest.c[b.n + k - 1], b.c[b.n - 1]);
        out->c[k] = q;
        for (int i = 0; i < b.n; i++)
            rest.c[k + i] = zw_surd_add(
                r, rest.c[k + i], zw_surd_mul(r, zw_surd_of(-1, 1), zw_surd_mul(r, q, b.c[i])));
        rest = trim_zeros(rest);
    }
    *out = trim_zeros(*out);
    return rest.n == 0 && !r->failed;
}

/* 1 - S^2. */
static poly cosine_squared(zw_trig_ring *r) {
    poly p = zero_polynomial(r, 3);
    if (p.n > 0) {
        p.c[0] = zw_surd_of(1, 1);
        p.c[2] = zw_surd_of(-1, 1);
    }
    return p;
}

/* ------------------------------------------------------------------------------------- elements */

static poly polynomial_part(const zw_trig *a, int which) {
    return (poly){a->n[which], a->c[which]};
}

static zw_trig join_parts(poly a, poly b) {
    return (zw_trig){{a.n, b.n}, {a.c, b.c}};
}

zw_trig zw_trig_constant(zw_trig_ring *r, zw_surd c) {
    poly p = zero_polynomial(r, 1);
    if (p.n > 0)
        p.c[0] = c;
    return join_parts(trim_zeros(p), (poly){0, NULL});
}

zw_trig zw_trig_sine(zw_trig_ring *r) {
    poly p = zero_polynomial(r, 2);
    if (p.n > 0)
        p.c[1] = zw_surd_of(1, 1);
    return join_parts(p, (poly){0, NULL});
}

zw_trig zw_trig_cosine(zw_trig_ring *r) {
    zw_trig one = zw_trig_constant(r, zw_surd_of(1, 1));
    return join_parts((poly){0, NULL}, polynomial_part(&one, 0));
}

bool zw_trig_is_zero(const zw_trig *a) {
    return a->n[0] == 0 && a->n[1] == 0;
}

bool zw_trig_is_constant(const zw_trig *a, zw_surd *out) {
    *out = a->n[0] > 0 ? a->c[0][0] : zw_surd_of(0, 1);
    return a->n[0] <= 1 && a->n[1] == 0;
}

zw_trig zw_trig_add(zw_trig_ring *r, zw_trig a, zw_surd factor, zw_trig b) {
    return join_parts(add_scaled(r, polynomial_part(&a, 0), factor, polynomial_part(&b, 0)),
                      add_scaled(r, polynomial_part(&a, 1), factor, polynomial_part(&b, 1)));
}

zw_trig zw_trig_mul(zw_trig_ring *r, zw_trig a, zw_trig b) {
    zw_surd one = zw_surd_of(1, 1);
    poly squared = multiply_polynomials(
        r, cosine_squared(r),
        multiply_polynomials(r, polynomial_part(&a, 1), polynomial_part(&b, 1)));
    return join_parts(
        add_scaled(r, multiply_polynomials(r, polynomial_part(&a, 0), polynomial_part(&b, 0)), one,
                   squared),
        add_scaled(r, multiply_polynomials(r, polynomial_part(&a, 0), polynomial_part(&b, 1)), one,
                   multiply_polynomials(r, polynomial_part(&a, 1), polynomial_part(&b, 0))));
}

zw_trig zw_trig_div(zw_trig_ring *r, zw_trig a, zw_trig b) {
    zw_trig other =
        join_parts(polynomial_part(&b, 0),
                   add_scaled(r, (poly){0, NULL}, zw_surd_of(-1, 1), polynomial_part(&b, 1)));
    zw_trig top = zw_trig_mul(r, a, other), norm = zw_trig_mul(r, b, other);
    poly q[2];
    r->failed |= zw_trig_is_zero(&b);
    for (int k = 0; k < 2 && !r->failed; k++)
        if (!divide_exactly(r, polynomial_part(&top, k), polynomial_part(&norm, 0), &q[k]))
            r->failed = true;
    if (r->failed)
        return (zw_trig){0};
    return join_parts(q[0], q[1]);
}

/* q with q(0) = 1 and q^2 = a(S), a(0) = 1. */
static poly root_of(zw_trig_ring *r, poly a) {
    poly q = zero_polynomial(r, (a.n + 1) / 2);
    for (int k = 0; k < q.n; k++) {
        zw_surd sum = a.c[k];
        for (int i = 1; i < k; i++)
            sum = zw_surd_add(
                r, sum, zw_surd_mul(r, zw_surd_of(-1, 1), zw_surd_mul(r, q.c[i], q.c[k - i])));
        q.c[k] = k ? zw_surd_mul(r, zw_surd_of(1, 2), sum) : zw_surd_of(1, 1);
    }
    poly rest = add_scaled(r, a, zw_surd_of(-1, 1), multiply_polynomials(r, q, q));
    r->failed |= rest.n > 0;
    return q;
}

zw_trig zw_trig_sqrt(zw_trig_ring *r, zw_trig a) {
    poly left = polynomial_part(&a, 0), q;
    int cosines = 0, low = 0;
    if (zw_trig_is_zero(&a))
        return a;
    while (!r->failed && divide_exactly(r, left, cosine_squared(r), &q)) {
        left = q;
        cosines++;
    }
    while (low < left.n && zw_surd_is_zero(left.c[low]))
        low++;
    if (a.n[1] > 0 || r->failed || low % 2 || !zw_number_is_zero(left.c[low].y)) {
        r->failed = true;
        return a;
    }
    zw_surd first = left.c[low], c = zw_surd_sqrt(r, first.x);
    poly shifted = zero_polynomial(r, left.n - low);
    for (int k = 0; k < shifted.n; k++)
        shifted.c[k] = zw_surd_div(r, left.c[low + k], first);
    q = root_of(r, shifted);
    poly out = zero_polynomial(r, q.n + low / 2);
    for (int k = 0; k < q.n && out.n > 0; k++)
        out.c[low / 2 + k] = zw_surd_mul(r, c, q.c[k]);
    zw_trig root = join_parts(trim_zeros(out), (poly){0, NULL});
    for (int k = 0; k < cosines; k++)
        root = zw_trig_mul(r, root, zw_trig_cosine(r));
    return root;
}

double zw_trig_value(const zw_trig_ring *r, const zw_trig *a, double phi) {
    double sum[2] = {0, 0};
    for (int k = 0; k < 2; k++)
        for (int i = a->n[k] - 1; i >= 0; i--)
            sum[k] = sum[k] * sin(phi) + zw_surd_value(r, a->c[k][i]);
    return sum[0] + cos(phi) * sum[1];
}

/* ------------------------------------------------------------------------------------ integrals */

/* Of S^n over 0 to pi/2; for even n over pi. */
static zw_number wallis_integral(int n) {
    zw_number out = n % 2 ? ONE_NUMBER : zw_number_rational(1, 2);
    for (int k = n; k > 1; k -= 2)
        out = zw_number_mul(out, zw_number_rational(k - 1, k));
    return out;
}

void zw_trig_integral(zw_trig_ring *r, const zw_trig *a, zw_trig_range range, zw_surd out[2]) {
    int twice = range == ZW_TRIG_QUARTER ? 1 : 2;
    out[0] = out[1] = zw_surd_of(0, 1);
    for (int n = 0; n < a->n[0]; n++) {
        if (range == ZW_TRIG_RIGHT && n % 2)
            continue; /* S is odd */
        zw_surd value = zw_surd_mul(r, zw_surd_of(twice, 1), zw_surd_number(r, wallis_integral(n))),
                *to = &out[n % 2 ? 0 : 1];
        *to = zw_surd_add(r, *to, zw_surd_mul(r, value, a->c[0][n]));
    }
    for (int n = 0; n < a->n[1]; n++) {
        if (range == ZW_TRIG_UPPER || (range == ZW_TRIG_RIGHT && n % 2))
            continue; /* C is odd about pi/2 */
        out[0] = zw_surd_add(r, out[0], zw_surd_mul(r, zw_surd_of(twice, n + 1), a->c[1][n]));
    }
}

/* --------------------------------------------------------------------------------------- series */

static zw_trig_powers empty_powers(zw_trig_ring *r, int n) {
    zw_trig_powers p = {n, ZW_NEW(r->arena, zw_trig, n > 0 ? n : 1)};
    if (!p.c) {
        r->failed = true;
        p.n = 0;
    }
    return p;
}

zw_trig_powers zw_powers_term(zw_trig_ring *r, int n, zw_trig c, int k) {
    zw_trig_powers p = empty_powers(r, n);
    if (k < p.n)
        p.c[k] = c;
    return p;
}

zw_trig_powers zw_powers_add(zw_trig_ring *r, zw_trig_powers a, zw_surd factor, zw_trig_powers b) {
    zw_trig_powers out = empty_powers(r, a.n < b.n ? a.n : b.n);
    for (int k = 0; k < out.n && !r->failed; k++)
        out.c[k] = zw_trig_add(r, a.c[k], factor, b.c[k]);
    return out;
}

static int first_of(zw_trig_powers a) {
    int k = 0;
    while (k < a.n && zw_trig_is_zero(&a.c[k]))
        k++;
    return k;
}

/* For a = d^i (...) and b = d^j (...) more terms are known than of the shorter one. */
zw_trig_powers zw_powers_mul(zw_trig_ring *r, zw_trig_powers a, zw_trig_powers b) {
    int i0 = first_of(a), j0 = first_of(b), n = a.n + j0 < b.n + i0 ? a.n + j0 : b.n + i0;
    int most = a.n > b.n ? a.n : b.n;
    zw_trig_powers out = empty_powers(r, n < most ? n : most);
    for (int i = i0; i < a.n; i++)
        for (int j = j0; j < b.n && i + j < out.n && !r->failed; j++)
            out.c[i + j] =
                zw_trig_add(r, out.c[i + j], zw_surd_of(1, 1), zw_trig_mul(r, a.c[i], b.c[j]));
    return out;
}

zw_trig_powers zw_powers_div(zw_trig_ring *r, zw_trig_powers a, zw_trig_powers b) {
    int low = first_of(b), n = (a.n < b.n ? a.n : b.n) - low;
    if (low == b.n || n <= 0 || first_of(a) < low) {
        r->failed = true;
        return empty_powers(r, 0);
    }
    zw_trig_powers out = empty_powers(r, n);
    for (int k = 0; k < out.n && !r->failed; k++) {
        zw_trig sum = a.c[k + low];
        for (int j = 1; j <= k && !r->failed; j++)
            sum =
                zw_trig_add(r, sum, zw_surd_of(-1, 1), zw_trig_mul(r, b.c[j + low], out.c[k - j]));
        out.c[k] = zw_trig_div(r, sum, b.c[low]);
    }
    return out;
}

zw_trig_powers zw_powers_integer(zw_trig_ring *r, zw_trig_powers a, int power) {
    zw_trig_powers one = zw_powers_term(r, a.n, zw_trig_constant(r, zw_surd_of(1, 1)), 0),
                   out = one;
    for (int k = 0; k < (power < 0 ? -power : power) && !r->failed; k++)
        out = zw_powers_mul(r, out, a);
    return power < 0 && !r->failed ? zw_powers_div(r, one, out) : out;
}

/* out[0]: even, out[1]: odd powers of a over their factorials, with or without alternating
 * signs. */
static void split_exp(zw_trig_ring *r, zw_trig_powers a, bool alternate, zw_trig_powers out[2]) {
    zw_trig_powers term = zw_powers_term(r, a.n, zw_trig_constant(r, zw_surd_of(1, 1)), 0);
    r->failed |= a.n > 0 && !zw_trig_is_zero(&a.c[0]);
    out[0] = term;
    out[1] = empty_powers(r, a.n);
    for (int k = 1; k < a.n && !r->failed; k++) {
        zw_surd sign = zw_surd_of(alternate && k % 4 >= 2 ? -1 : 1, 1);
        zw_trig_powers next = zw_powers_mul(r, term, a);
        term = zw_powers_add(r, empty_powers(r, a.n), zw_surd_of(1, k), next);
        out[k % 2] = zw_powers_add(r, out[k % 2], sign, term);
    }
}

void zw_powers_turn(zw_trig_ring *r, zw_trig_powers a, zw_trig_powers *cosine,
                    zw_trig_powers *sine) {
    zw_trig_powers out[2];
    split_exp(r, a, true, out);
    *cosine = out[0];
    *sine = out[1];
}

zw_trig_powers zw_powers_exp(zw_trig_ring *r, zw_trig_powers a) {
    zw_trig_powers out[2];
    split_exp(r, a, false, out);
    return zw_powers_add(r, out[0], zw_surd_of(1, 1), out[1]);
}
