/* SPDX-License-Identifier: MIT */
/* Polynomials are lists of terms, sorted by their exponents; the first variable counts most.
 *
 * Greatest common divisor: if only one of the two contains a variable, the gcd is that of the
 * coefficients of its powers. In a common variable v, a = cont(a) pp(a) with the content cont(a),
 * the gcd of the coefficients of the powers of v, and
 *
 *     gcd(a, b) = gcd(cont(a), cont(b)) pp(gcd of pp(a) and pp(b) by Euclid's algorithm),
 *
 * with pseudo-remainders lc(b) r - lc(r) v^k b made primitive at each step. Usually there is no
 * common divisor: with random numbers modulo a prime for all variables except v, a gcd of degree 0
 * proves it, if no leading coefficient vanishes.
 *
 * Factors: contents with respect to each variable, repeated factors (gcd with the derivative), and
 * the two factors of a quadratic in v whose discriminant is a square. */
#include "poly.h"

#include <stdlib.h>
#include <string.h>

static const zw_number one = {true, 1, 1, 0};
static const zw_poly nothing = {0, NULL};

static zw_poly set_failed(zw_ring *r) {
    r->failed = true;
    return nothing;
}

static zw_poly allocate_terms(zw_ring *r, int n) {
    if (r->failed || n > r->most)
        return set_failed(r);
    zw_poly p = {0, ZW_NEW(r->arena, zw_poly_term, n + 1)};
    if (!p.t)
        r->failed = true;
    return p;
}

static int compare_terms(const zw_poly_term *a, const zw_poly_term *b) {
    return memcmp(a->e, b->e, ZW_POLY_VARIABLES);
}

static void push_term(zw_ring *r, zw_poly *p, const zw_poly_term *t, zw_number c) {
    if (zw_number_is_zero(c))
        return;
    if (!c.exact)
        r->failed = true;
    p->t[p->n] = *t;
    p->t[p->n++].c = c;
}

zw_poly zw_poly_number(zw_ring *r, zw_number c) {
    zw_poly p = allocate_terms(r, 1);
    zw_poly_term t = {{0}, one};
    if (!r->failed)
        push_term(r, &p, &t, c);
    return p;
}

zw_poly zw_poly_variable(zw_ring *r, int i) {
    zw_poly p = zw_poly_number(r, one);
    if (p.n)
        p.t[0].e[i] = 1;
    return p;
}

bool zw_poly_is_number(const zw_poly *a) {
    static const unsigned char none[ZW_POLY_VARIABLES];
    return a->n == 0 || (a->n == 1 && memcmp(a->t[0].e, none, sizeof none) == 0);
}

int zw_poly_degree(const zw_poly *a, int v) {
    int degree = 0;
    for (int i = 0; i < a->n; i++)
        if (a->t[i].e[v] > degree)
            degree = a->t[i].e[v];
    return degree;
}

/* a + c b */
static zw_poly combine_scaled(zw_ring *r, zw_poly a, zw_poly b, zw_number c) {
    zw_poly p = {0, r->failed ? NULL : ZW_NEW(r->arena, zw_poly_term, a.n + b.n + 1)};
    int i = 0, j = 0;
    if (!p.t)
        return set_failed(r);
    while (i < a.n || j < b.n) {
        int order = i == a.n ? -1 : j == b.n ? 1 : compare_terms(&a.t[i], &b.t[j]);
        if (order > 0) {
            push_term(r, &p, &a.t[i], a.t[i].c);
            i++;
        } else if (order < 0) {
            push_term(r, &p, &b.t[j], zw_number_mul(c, b.t[j].c));
            j++;
        } else {
            push_term(r, &p, &a.t[i], zw_number_add(a.t[i].c, zw_number_mul(c, b.t[j].c)));
            i++;
            j++;
        }
    }
    r->work -= a.n + b.n;
    return p.n > r->most ? set_failed(r) : p;
}

zw_poly zw_poly_add(zw_ring *r, zw_poly a, zw_poly b) {
    return combine_scaled(r, a, b, one);
}

zw_poly zw_poly_sub(zw_ring *r, zw_poly a, zw_poly b) {
    return combine_scaled(r, a, b, zw_number_neg(one));
}

zw_poly zw_poly_scale(zw_ring *r, zw_poly a, zw_number c) {
    return combine_scaled(r, nothing, a, c);
}

static int by_exponents(const void *a, const void *b) {
    return compare_terms((const zw_poly_term *)b, (const zw_poly_term *)a);
}

/* copies from temporary memory to that of the results */
static zw_poly copy_result(zw_ring *r, zw_poly a) {
    zw_poly p = allocate_terms(r, a.n);
    if (r->failed)
        return nothing;
    memcpy(p.t, a.t, (size_t)a.n * sizeof *a.t);
    p.n = a.n;
    return p;
}

/* joins equal exponents, in place */
static zw_poly join_terms(zw_ring *r, zw_poly_term *t, int n) {
    zw_poly p = {0, t};
    qsort(t, (size_t)n, sizeof *t, by_exponents);
    for (int i = 0; i < n;) {
        zw_poly_term first = t[i];
        zw_number sum = first.c;
        for (i++; i < n && compare_terms(&first, &t[i]) == 0; i++)
            sum = zw_number_add(sum, t[i].c);
        push_term(r, &p, &first, sum);
    }
    return p.n > r->most ? set_failed(r) : p;
}

static bool multiply_terms(const zw_ring *r, const zw_poly_term *a, const zw_poly_term *b,
                           zw_poly_term *out) {
    *out = (zw_poly_term){{0}, zw_number_mul(a->c, b->c)};
    for (int k = 0; k < r->nvar; k++) {
        int e = a->e[k] + b->e[k];
        out->e[k] = (unsigned char)e;
        if (e > 255)
            return false;
    }
    return true;
}

/* every product of terms, without applying rules */
static zw_poly expand_product(zw_ring *r, zw_poly a, zw_poly b) {
    long n = (long)a.n * b.n;
    int count = 0;
    r->work -= n;
    if (r->failed || r->work < 0 || n > 64L * r->most)
        return set_failed(r);
    zw_arena_mark mark = zw_arena_mark_now(r->temporary);
    zw_poly_term *t = ZW_NEW(r->temporary, zw_poly_term, n + 1);
    if (!t)
        return set_failed(r);
    for (int i = 0; i < a.n && !r->failed; i++)
        for (int j = 0; j < b.n; j++)
            if (!multiply_terms(r, &a.t[i], &b.t[j], &t[count++]))
                r->failed = true;
    zw_poly p = r->failed ? nothing : copy_result(r, join_terms(r, t, count));
    zw_arena_release(r->temporary, mark);
    return p;
}

/* reduces powers of algebraic variables by their rules */
static zw_poly reduce_powers(zw_ring *r, zw_poly a) {
    for (int v = 0; v < r->nvar; v++) {
        int order = r->order[v];
        while (order && !r->failed && zw_poly_degree(&a, v) >= order) {
            zw_poly low = allocate_terms(r, a.n), high = allocate_terms(r, a.n);
            for (int i = 0; i < a.n && !r->failed; i++) {
                bool is_high = a.t[i].e[v] >= order;
                zw_poly *to = is_high ? &high : &low;
                to->t[to->n] = a.t[i];
                if (is_high)
                    to->t[to->n].e[v] = (unsigned char)(a.t[i].e[v] - order);
                to->n++;
            }
            if (r->failed)
                return nothing;
            qsort(high.t, (size_t)high.n, sizeof *high.t, by_exponents);
            a = zw_poly_add(r, low, expand_product(r, high, r->rule[v]));
        }
    }
    return a;
}

zw_poly zw_poly_mul(zw_ring *r, zw_poly a, zw_poly b) {
    return reduce_powers(r, expand_product(r, a, b));
}

zw_poly zw_poly_power(zw_ring *r, zw_poly a, int p) {
    zw_poly result = zw_poly_number(r, one);
    for (int i = 0; i < p && !r->failed; i++)
        result = zw_poly_mul(r, result, a);
    return result;
}

/* the quotient of two terms, if it has no negative exponents */
static bool divide_terms(const zw_ring *r, const zw_poly_term *a, const zw_poly_term *b,
                         zw_poly_term *out) {
    *out = (zw_poly_term){{0}, one};
    for (int k = 0; k < r->nvar; k++) {
        if (a->e[k] < b->e[k])
            return false;
        out->e[k] = (unsigned char)(a->e[k] - b->e[k]);
    }
    out->c = zw_number_mul(a->c, zw_number_inverse(b->c));
    return true;
}

/* out = a - q b, where q is one term; -1: not exact, -2: more than `most` terms */
static int subtract_multiple(zw_ring *r, const zw_poly_term *a, int n, const zw_poly_term *q,
                             zw_poly b, zw_poly_term *out) {
    int i = 0, j = 0, count = 0;
    zw_poly_term t = {{0}, one};
    bool ready = false;
    r->work -= n + b.n;
    while (i < n || j < b.n) {
        if (j < b.n && !ready && !(ready = multiply_terms(r, q, &b.t[j], &t)))
            return -1;
        int order = i == n ? -1 : j == b.n ? 1 : compare_terms(&a[i], &t);
        zw_number c = order > 0   ? a[i].c
                      : order < 0 ? zw_number_neg(t.c)
                                  : zw_number_add(a[i].c, zw_number_neg(t.c));
        if (!c.exact || count == r->room)
            return c.exact ? -2 : -1;
        if (!zw_number_is_zero(c)) {
            out[count] = order >= 0 ? a[i] : t;
            out[count++].c = c;
        }
        i += order >= 0;
        j += order <= 0;
        ready = ready && order > 0;
    }
    return count;
}

/* memory for two remainders of n terms */
static bool reserve_remainders(zw_ring *r, int n) {
    n = n < r->most ? n : r->most;
    for (int k = 0; k < 2 && n > r->room; k++)
        if (!(r->remainder[k] = ZW_NEW(r->temporary, zw_poly_term, n + 1)))
            r->failed = true;
    r->room = n > r->room ? n : r->room;
    return !r->failed;
}

static bool may_divide(const zw_ring *r, const zw_poly *a, const zw_poly *b) {
    zw_poly_term q;
    for (int v = 0; v < r->nvar && a->n; v++)
        if (zw_poly_degree(b, v) > zw_poly_degree(a, v))
            return false;
    return a->n == 0 || divide_terms(r, &a->t[a->n - 1], &b->t[b->n - 1], &q);
}

/* the quotient in `result`; 0 if it exists, otherwise as subtract_multiple */
static int divide_exactly(zw_ring *r, zw_poly a, zw_poly b, int most, zw_poly *result) {
    int n = a.n, now = 0;
    memcpy(r->remainder[0], a.t, (size_t)n * sizeof *a.t);
    result->n = 0;
    while (n > 0) {
        zw_poly_term *q = &result->t[result->n], *rest = r->remainder[now];
        bool fits =
            result->n < most && r->work > 0 && divide_terms(r, rest, &b.t[0], q) && q->c.exact;
        n = fits ? subtract_multiple(r, rest, n, q, b, r->remainder[1 - now]) : -1;
        result->n++;
        now = 1 - now;
    }
    return n;
}

bool zw_poly_divide(zw_ring *r, zw_poly a, zw_poly b, zw_poly *out) {
    if (r->failed || b.n == 0 || !may_divide(r, &a, &b) ||
        !reserve_remainders(r, 2 * (a.n + b.n) + 16))
        return false;
    int most = a.n * 4 < r->most ? a.n * 4 + 16 : r->most, left;
    zw_arena_mark mark = zw_arena_mark_now(r->arena);
    zw_poly result = allocate_terms(r, most);
    if (r->failed)
        return false;
    while ((left = divide_exactly(r, a, b, most, &result)) == -2 && r->room < r->most &&
           reserve_remainders(r, 4 * r->room))
        ;
    if (left < 0) {
        zw_arena_release(r->arena, mark);
        return false;
    }
    *out = result;
    return true;
}

/* coprime integers, the first one positive */
static zw_poly primitive_part(zw_ring *r, zw_poly a, zw_number *content) {
    *content = one;
    if (a.n == 0 || r->failed)
        return a;
    zw_number c = zw_number_content(a.t[0].c, a.t[0].c);
    for (int i = 1; i < a.n; i++)
        c = zw_number_content(c, a.t[i].c);
    if (zw_number_sign(a.t[0].c) < 0)
        c = zw_number_neg(c);
    *content = c;
    return zw_poly_scale(r, a, zw_number_inverse(c));
}

static zw_poly power_coefficient(zw_ring *r, const zw_poly *a, int v, int degree) {
    zw_poly p = allocate_terms(r, a->n);
    for (int i = 0; i < a->n && !r->failed; i++)
        if (a->t[i].e[v] == degree) {
            p.t[p.n] = a->t[i];
            p.t[p.n++].e[v] = 0;
        }
    return p;
}

/* the gcd of the coefficients of the powers of v, and of `with` unless that is 0 */
static zw_poly content_in(zw_ring *r, zw_poly a, int v, zw_poly with) {
    int degree = zw_poly_degree(&a, v);
    zw_poly g = with;
    for (int k = degree; k >= 0 && !r->failed; k--) {
        zw_poly c = power_coefficient(r, &a, v, k);
        if (c.n == 0)
            continue;
        g = g.n ? zw_poly_gcd(r, g, c) : c;
        if (zw_poly_is_number(&g))
            break;
    }
    return g;
}

/* ------------------------------------------------------------------------ images modulo a prime */

enum { PRIME = 2147483629 };

static uint64_t power_mod(uint64_t a, uint64_t n) {
    uint64_t result = 1;
    for (; n; n >>= 1, a = a * a % PRIME)
        if (n & 1)
            result = result * a % PRIME;
    return result;
}

static uint64_t prime_residue(int64_t p) {
    int64_t m = p % PRIME;
    return (uint64_t)(m < 0 ? m + PRIME : m);
}

/* the coefficients of the powers of v at the point, modulo PRIME; false if the leading one
 * vanishes */
static bool modular_image(const zw_ring *r, const zw_poly *a, int v, const uint64_t *at,
                          uint64_t *out) {
    int degree = zw_poly_degree(a, v);
    memset(out, 0, (size_t)(degree + 1) * sizeof *out);
    for (int i = 0; i < a->n; i++) {
        uint64_t x =
            prime_residue(a->t[i].c.p) * power_mod(prime_residue(a->t[i].c.q), PRIME - 2) % PRIME;
        for (int k = 0; k < r->nvar; k++)
            if (k != v && a->t[i].e[k])
                x = x * power_mod(at[k], a->t[i].e[k]) % PRIME;
        out[a->t[i].e[v]] = (out[a->t[i].e[v]] + x) % PRIME;
    }
    return out[degree] != 0;
}

/* the degree of the gcd of the images, -1 if they do not decide */
static int image_degree(const zw_ring *r, const zw_poly *a, const zw_poly *b, int v) {
    uint64_t at[ZW_POLY_VARIABLES], space[2][256], *x = space[0], *y = space[1];
    uint64_t seed = 88172645463325252u;
    int dx = zw_poly_degree(a, v), dy = zw_poly_degree(b, v);
    for (int k = 0; k < r->nvar; k++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        at[k] = (seed >> 33) % PRIME;
    }
    if (dx < dy)
        return image_degree(r, b, a, v);
    if (!modular_image(r, a, v, at, x) || !modular_image(r, b, v, at, y))
        return -1;
    while (dy >= 0) {
        uint64_t inverse = power_mod(y[dy], PRIME - 2), *swap = x;
        for (; dx >= dy; dx--) {
            uint64_t factor = x[dx] * inverse % PRIME;
            for (int k = 0; k <= dy; k++)
                x[dx - k] = (x[dx - k] + (PRIME - factor) * y[dy - k]) % PRIME;
        }
        int rest = dy - 1;
        while (rest >= 0 && x[rest] == 0)
            rest--;
        x = y;
        y = swap;
        dx = dy;
        dy = rest;
    }
    return dx;
}

/* ------------------------------------------------------------------------------------------ gcd */

/* lc(b) a - lc(a) v^k b until its degree is below that of b */
static zw_poly pseudo_remainder(zw_ring *r, zw_poly a, zw_poly b, int v) {
    int db = zw_poly_degree(&b, v), da;
    zw_poly lead = power_coefficient(r, &b, v, db);
    while (a.n && !r->failed && (da = zw_poly_degree(&a, v)) >= db) {
        zw_poly top = power_coefficient(r, &a, v, da), shift = zw_poly_number(r, one);
        if (r->failed)
            return nothing;
        shift.t[0].e[v] = (unsigned char)(da - db);
        zw_poly part = expand_product(r, expand_product(r, top, shift), b);
        a = zw_poly_sub(r, expand_product(r, lead, a), part);
        if (db == 0)
            break;
    }
    return a;
}

static zw_poly gcd_in(zw_ring *r, zw_poly a, zw_poly b, int v) {
    zw_poly ca = content_in(r, a, v, nothing), cb = content_in(r, b, v, nothing), x = a, y = b;
    zw_number number;
    zw_poly common = zw_poly_gcd(r, ca, cb);
    if (r->failed || image_degree(r, &a, &b, v) == 0)
        return common;
    zw_poly_divide(r, a, ca, &x);
    zw_poly_divide(r, b, cb, &y);
    if (zw_poly_degree(&x, v) < zw_poly_degree(&y, v)) {
        zw_poly swap = x;
        x = y;
        y = swap;
    }
    while (y.n && !r->failed) {
        zw_poly rest = primitive_part(r, pseudo_remainder(r, x, y, v), &number);
        if (rest.n && zw_poly_degree(&rest, v) == 0)
            return common;
        zw_poly content = rest.n ? content_in(r, rest, v, nothing) : nothing;
        if (rest.n && !zw_poly_is_number(&content))
            zw_poly_divide(r, rest, content, &rest);
        x = y;
        y = rest;
    }
    return r->failed ? nothing : primitive_part(r, expand_product(r, common, x), &number);
}

static zw_poly polynomial_gcd(zw_ring *r, zw_poly a, zw_poly b) {
    zw_number number;
    zw_poly q;
    if (a.n == 0 || b.n == 0)
        return primitive_part(r, a.n ? a : b, &number);
    if (zw_poly_is_number(&a) || zw_poly_is_number(&b))
        return zw_poly_number(r, one);
    if (zw_poly_divide(r, a, b, &q))
        return primitive_part(r, b, &number);
    if (zw_poly_divide(r, b, a, &q))
        return primitive_part(r, a, &number);
    int common = -1, least = 0;
    for (int v = 0; v < r->nvar && !r->failed; v++) {
        int da = zw_poly_degree(&a, v), db = zw_poly_degree(&b, v), degree = da < db ? da : db;
        if (da && !db)
            return content_in(r, a, v, b);
        if (db && !da)
            return content_in(r, b, v, a);
        if (degree && (common < 0 || degree < least)) {
            common = v;
            least = degree;
        }
    }
    return r->failed ? nothing : gcd_in(r, a, b, common);
}

zw_poly zw_poly_gcd(zw_ring *r, zw_poly a, zw_poly b) {
    if (r->failed)
        return nothing;
    zw_ring inner = *r; /* a search that takes too long finds nothing, which is not a failure */
    inner.work = r->work / 4 < 200000 ? r->work / 4 : 200000;
    long before = inner.work;
    zw_arena_mark mark = zw_arena_mark_now(r->arena), other = zw_arena_mark_now(r->temporary);
    zw_poly g = polynomial_gcd(&inner, a, b), copy = {g.n, NULL};
    r->work -= before - inner.work;
    if (!inner.failed && (copy.t = ZW_NEW(r->temporary, zw_poly_term, g.n + 1)))
        memcpy(copy.t, g.t, (size_t)g.n * sizeof *g.t);
    zw_arena_release(r->arena, mark);
    g = copy.t ? copy_result(r, copy) : zw_poly_number(r, one);
    zw_arena_release(r->temporary, other);
    return g;
}

/* -------------------------------------------------------------------------------------- factors */

typedef struct factor_list {
    zw_ring *r;
    int n, max;
    zw_poly_factor *out;
} factor_list;

static void add_factor(factor_list *f, zw_poly a, int power) {
    zw_number number;
    a = primitive_part(f->r, a, &number);
    if (zw_poly_is_number(&a))
        return;
    for (int i = 0; i < f->n; i++) {
        zw_poly rest = zw_poly_sub(f->r, f->out[i].base, a);
        if (rest.n == 0 && !f->r->failed) {
            f->out[i].power += power;
            return;
        }
    }
    if (f->n < f->max)
        f->out[f->n++] = (zw_poly_factor){a, power};
}

static zw_poly differentiate_in(zw_ring *r, const zw_poly *a, int v) {
    zw_poly p = allocate_terms(r, a->n);
    for (int i = 0; i < a->n && !r->failed; i++)
        if (a->t[i].e[v]) {
            p.t[p.n] = a->t[i];
            p.t[p.n].c = zw_number_mul(a->t[i].c, (zw_number){true, a->t[i].e[v], 1, 0});
            p.t[p.n++].e[v]--;
        }
    return p;
}

static void split_factors(factor_list *f, zw_poly a, int power);

/* the root of a square, by its factors */
static bool square_root(zw_ring *r, zw_poly a, zw_poly *out) {
    zw_poly_factor part[16];
    zw_number number, root;
    int n = zw_poly_factors(r, a, &number, 16, part);
    if (r->failed || zw_number_sign(number) <= 0 || !zw_number_exact_root(number, 1, 2, &root))
        return false;
    *out = zw_poly_number(r, root);
    for (int i = 0; i < n; i++) {
        if (part[i].power % 2)
            return false;
        *out = expand_product(r, *out, zw_poly_power(r, part[i].base, part[i].power / 2));
    }
    zw_poly check = zw_poly_sub(r, expand_product(r, *out, *out), a);
    return !r->failed && check.n == 0;
}

/* a v^2 + b v + c whose discriminant is a square */
static bool split_quadratic(factor_list *f, zw_poly a, int v, int power) {
    zw_ring *r = f->r;
    zw_poly A = power_coefficient(r, &a, v, 2), B = power_coefficient(r, &a, v, 1),
            C = power_coefficient(r, &a, v, 0), root;
    zw_poly four = zw_poly_scale(r, expand_product(r, A, C), (zw_number){true, 4, 1, 0});
    if (r->failed || !square_root(r, zw_poly_sub(r, expand_product(r, B, B), four), &root))
        return false;
    zw_poly twice =
        zw_poly_scale(r, expand_product(r, A, zw_poly_variable(r, v)), (zw_number){true, 2, 1, 0});
    zw_poly half = zw_poly_add(r, zw_poly_add(r, twice, B), root), q;
    zw_poly common = content_in(r, half, v, nothing);
    if (r->failed || !zw_poly_divide(r, half, common, &half) || !zw_poly_divide(r, a, half, &q))
        return false;
    split_factors(f, half, power);
    split_factors(f, q, power);
    return true;
}

static void split_factors(factor_list *f, zw_poly a, int power) {
    zw_ring *r = f->r;
    zw_number number;
    a = primitive_part(r, a, &number);
    for (int v = 0; v < r->nvar && !r->failed; v++) {
        int degree = zw_poly_degree(&a, v);
        if (degree == 0)
            continue;
        zw_poly c = content_in(r, a, v, nothing), q, g;
        if (!zw_poly_is_number(&c) && zw_poly_divide(r, a, c, &q)) {
            split_factors(f, c, power);
            split_factors(f, q, power);
            return;
        }
        if (degree == 1) {
            if (a.n > 1 &&
                power_coefficient(r, &a, v, 0).n) /* linear and primitive: it has no factors */
                break;
            zw_poly x = zw_poly_variable(r, v);
            if (a.n > 1 && zw_poly_divide(r, a, x, &q)) {
                add_factor(f, x, power);
                split_factors(f, q, power);
                return;
            }
            continue;
        }
        g = zw_poly_gcd(r, a, differentiate_in(r, &a, v));
        if (!zw_poly_is_number(&g) && zw_poly_divide(r, a, g, &q)) {
            split_factors(f, g, power);
            split_factors(f, q, power);
            return;
        }
        if (degree == 2 && split_quadratic(f, a, v, power))
            return;
    }
    add_factor(f, a, power);
}

/* takes out powers of single variables */
static zw_poly take_variables(factor_list *f, zw_poly a) {
    zw_poly b = allocate_terms(f->r, a.n);
    for (int v = 0; v < f->r->nvar && !f->r->failed; v++) {
        int least = a.n ? 255 : 0;
        for (int i = 0; i < a.n; i++)
            if (a.t[i].e[v] < least)
                least = a.t[i].e[v];
        if (least == 0)
            continue;
        add_factor(f, zw_poly_variable(f->r, v), least);
        memcpy(b.t, a.t, (size_t)a.n * sizeof *a.t);
        b.n = a.n;
        for (int i = 0; i < b.n; i++)
            b.t[i].e[v] = (unsigned char)(b.t[i].e[v] - least);
        a = b;
    }
    return a;
}

int zw_poly_factors(zw_ring *r, zw_poly a, zw_number *number, int max, zw_poly_factor *out) {
    factor_list f = {r, 0, max, out};
    *number = (zw_number){true, 0, 1, 0};
    if (a.n == 0 || r->failed)
        return 0;
    a = primitive_part(r, a, number);
    split_factors(&f, take_variables(&f, a), 1);
    return f.n;
}
