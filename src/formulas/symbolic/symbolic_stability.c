/* SPDX-License-Identifier: MIT */
/* Characteristic polynomials and stability conditions. A splits into strongly connected parts (each
 * entry is connected with each other one, in both directions, by entries of A that are not 0); its
 * eigenvalues are those of the parts. For a part of size n
 *
 *   p(s) = a_0 + a_1 s + ... + a_n s^n = d det(s - A),
 *
 * d the common denominator: det of rows times their denominators, by minors of the first k rows,
 * each once. Powers of s, and factors s^2 + w^2 with the rate w of a symmetry (shifts, seen from
 * rotating axes), are divided out. If even and odd powers are left, all roots have negative real
 * parts if and only if (Lienard and Chipart)
 *
 *   a_k > 0 for all k,    H_(n-1), H_(n-3), ... > 0,
 *   H_k = det(a_(n-2i+j)), i, j = 1..k        (a_n > 0).
 *
 * If only even ones are left, nothing decays, and nothing grows if and only if all roots of p in
 * s^2 are real and negative and simple: a_k > 0, and from the second degree in s^2 on a positive
 * discriminant (up to the third).
 *
 * If such a part excites another one, and they have an eigenvalue in common, oscillations grow
 * with time nevertheless.
 *
 * A condition is the product of its factors. Factors whose terms are all positive for positive
 * parameters are left out, and the others are solved for the chosen parameter if they are linear or
 * quadratic in it, or in its square. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr/calculus/ratio.h"
#include "symbolic.h"
#include "zwang/expr.h"

enum {
    BLOCK_MOST = 10,   /* entries of a part: minors by sets of columns, 2^10 */
    FACTORS_MOST = 24, /* of a condition */
    HURWITZ_MOST = 6   /* degree of a polynomial with conditions */
};

/* ----------------------------------------------------------------------------------- parts of A */

/* Which entries are connected with which. */
static bool *find_reachable(zw_symbolic *s) {
    int n = s->result.n;
    bool *to = ZW_SYMBOLIC_NEW(s, bool, n *n);
    for (int i = 0; to && i < n * n; i++)
        to[i] = i / n == i % n || s->result.A[i] != ZW_ZERO;
    for (int k = 0; to && k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                to[i * n + j] |= to[i * n + k] && to[k * n + j];
    return to;
}

/* -------------------------------------------------------------------- characteristic polynomial */

typedef struct minors {
    zw_symbolic *s;
    int n;
    const zw_expr *B; /* n x n: polynomials in s */
    zw_expr *value;   /* by the set of columns, of the first rows; 0 if not known yet */
} minors;

/* The determinant of the first rows in these columns, along its last row. */
static zw_expr minor_of(minors *m, unsigned columns, int rows) {
    zw_symbolic *s = m->s;
    if (rows == 0)
        return ZW_ONE;
    if (m->value[columns] || s->too_long)
        return m->value[columns] ? m->value[columns] : ZW_ZERO;
    zw_expr sum = ZW_ZERO;
    int sign = 1;
    for (int j = m->n - 1; j >= 0; j--) {
        if (!(columns & 1u << j))
            continue;
        zw_expr first = m->B[(rows - 1) * m->n + j];
        if (first != ZW_ZERO) {
            zw_expr term = zw_mul(s->ctx, first, minor_of(m, columns & ~(1u << j), rows - 1));
            sum = sign > 0 ? zw_add(s->ctx, sum, term) : zw_sub(s->ctx, sum, term);
        }
        sign = -sign;
    }
    return m->value[columns] = zw_symbolic_tidy(s, sum);
}

/* Rows of s - A times their denominators. */
static zw_expr *polynomial_rows(zw_symbolic *s, const zw_symbolic_block *b, zw_expr variable) {
    int n = s->result.n;
    zw_expr *B = ZW_SYMBOLIC_NEW(s, zw_expr, b->n * b->n);
    for (int i = 0; B && i < b->n; i++) {
        zw_expr common = ZW_ONE, num, den;
        for (int j = 0; j < b->n; j++) {
            /* Times the part of the next denominator that it does not contain yet. */
            zw_expr scaled = zw_mul(s->ctx, common, s->result.A[b->member[i] * n + b->member[j]]);
            if (!zw_ratio_parts(s->ctx, scaled, &num, &den))
                s->too_long = true;
            else
                common = zw_mul(s->ctx, common, den);
        }
        for (int j = 0; j < b->n; j++) {
            zw_expr e = zw_neg(s->ctx, s->result.A[b->member[i] * n + b->member[j]]);
            e = zw_add(s->ctx, e, i == j ? variable : ZW_ZERO);
            B[i * b->n + j] = zw_symbolic_tidy(s, zw_mul(s->ctx, common, e));
        }
    }
    return B;
}

static zw_expr variable_symbol(zw_symbolic *s) {
    return zw_symbol(s->ctx, "eigenvalue s");
}

/* The coefficients of the powers of the variable. */
static void split_powers(zw_symbolic *s, zw_expr p, zw_expr variable, int degree, zw_expr *a) {
    for (int k = 0; k <= degree; k++)
        a[k] = zw_symbolic_tidy(s, zw_taylor_coefficient(s->ctx, p, 1, &variable, &k));
}

/* Divides n expressions by their common factor. */
static void divide_common(zw_symbolic *s, int n, zw_expr *a) {
    /* The gcd by the quotients: a_k/a_n in lowest terms, times the denominators. */
    zw_expr common = ZW_ONE, num, den, lead = ZW_NULL;
    for (int k = 0; k < n; k++)
        if (a[k] != ZW_ZERO)
            lead = a[k];
    if (!lead)
        return;
    for (int k = 0; k < n; k++) {
        zw_expr scaled = zw_div(s->ctx, zw_mul(s->ctx, common, a[k]), lead);
        if (!zw_ratio_parts(s->ctx, scaled, &num, &den)) {
            s->too_long = true;
            return;
        }
        common = zw_mul(s->ctx, common, den);
    }
    double sign =
        zw_symbolic_value(s, 1, zw_div(s->ctx, common, lead)) * zw_symbolic_value(s, 1, lead);
    for (int k = 0; k < n; k++) {
        a[k] = zw_symbolic_tidy(s, zw_div(s->ctx, zw_mul(s->ctx, common, a[k]), lead));
        if (sign < 0)
            a[k] = zw_neg(s->ctx, a[k]);
    }
}

static zw_status find_polynomial(zw_symbolic *s, zw_symbolic_block *b, zw_error *err) {
    zw_expr variable = variable_symbol(s), *a = ZW_SYMBOLIC_NEW(s, zw_expr, b->n + 1);
    if (b->n > BLOCK_MOST) {
        b->polynomial = ZW_FORMULA_LONG;
        return ZW_OK;
    }
    minors m = {s, b->n, polynomial_rows(s, b, variable),
                ZW_SYMBOLIC_NEW(s, zw_expr, (size_t)1 << b->n)};
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    zw_expr p = minor_of(&m, (1u << b->n) - 1, b->n);
    if (!s->too_long)
        split_powers(s, p, variable, b->n, a);
    if (!s->too_long)
        divide_common(s, b->n + 1, a);
    for (int k = 0; k <= b->n && !s->too_long; k++)
        s->too_long = zw_print_length(s->ctx, a[k]) > ZW_LENGTH_MOST;
    b->polynomial = s->too_long ? ZW_FORMULA_LONG : ZW_FORMULA_THERE;
    b->a = a;
    s->too_long = false;
    return zw_context_status(s->ctx, err);
}

/* ----------------------------------------------------------------------------------- conditions */

/* Divides by s^2 + w^2 if there is no remainder. */
static bool divide_factor(zw_symbolic *s, zw_expr w, int *degree, zw_expr *a) {
    zw_expr square = zw_symbolic_tidy(s, zw_pow(s->ctx, w, ZW_TWO)), q[BLOCK_MOST + 1] = {0};
    if (*degree < 2 || square == ZW_ZERO)
        return false;
    for (int k = *degree - 2; k >= 0; k--) {
        zw_expr above = k + 2 <= *degree - 2 ? q[k + 2] : ZW_ZERO;
        q[k] = zw_symbolic_tidy(s, zw_sub(s->ctx, a[k + 2], zw_mul(s->ctx, square, above)));
    }
    for (int k = 0; k < 2; k++) {
        zw_expr above = k <= *degree - 2 ? q[k] : ZW_ZERO;
        if (zw_symbolic_tidy(s, zw_sub(s->ctx, a[k], zw_mul(s->ctx, square, above))) != ZW_ZERO)
            return false;
    }
    *degree -= 2;
    memcpy(a, q, (size_t)(*degree + 1) * sizeof *a);
    return true;
}

static zw_status divide_known(zw_symbolic *s, zw_symbolic_block *b, zw_error *err) {
    zw_expr *a = ZW_SYMBOLIC_NEW(s, zw_expr, b->n + 1), *factor = ZW_SYMBOLIC_NEW(s, zw_expr, b->n);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    while (b->nzero < b->n && b->a[b->nzero] == ZW_ZERO)
        b->nzero++;
    b->degree = b->n - b->nzero;
    memcpy(a, b->a + b->nzero, (size_t)(b->degree + 1) * sizeof *a);
    for (int k = 0; k < s->result.norbit; k++)
        while (b->degree > 2 && divide_factor(s, s->c[k], &b->degree, a))
            factor[b->nfactor++] = s->c[k];
    b->even = b->degree > 0;
    for (int k = 1; k <= b->degree; k += 2)
        b->even &= a[k] == ZW_ZERO;
    b->rest = a;
    b->factor = factor;
    return ZW_OK;
}

/* Is every term positive if all parameters are? Free symbols may have any sign. */
static bool is_positive(const zw_symbolic *s, zw_expr e) {
    int n;
    const zw_expr *args = zw_expr_args(s->ctx, e, &n);
    for (int i = 0; i < s->motion->nfree; i++)
        if (e == s->motion->free[i])
            return false;
    switch (zw_expr_op(s->ctx, e)) {
    case ZW_OP_RATIONAL:
    case ZW_OP_REAL:
        return zw_expr_number(s->ctx, e) > 0;
    case ZW_OP_PI:
    case ZW_OP_EXP:
    case ZW_OP_COSH:
    case ZW_OP_ABS:
        return true;
    case ZW_OP_SYMBOL:
        return e != s->sys->t;
    case ZW_OP_SUM:
        if (zw_expr_number(s->ctx, args[0]) < 0)
            return false;
        for (int i = 1; i < n; i += 2)
            if (!is_positive(s, args[i]) || zw_expr_number(s->ctx, args[i + 1]) < 0)
                return false;
        return true;
    case ZW_OP_PRODUCT:
        for (int i = 0; i < n; i += 2) {
            int64_t p, q;
            bool square = zw_expr_is_rational(s->ctx, args[i + 1], &p, &q) && p % 2 == 0 && q == 1;
            if (!square && !is_positive(s, args[i]))
                return false;
        }
        return true;
    default:
        return false;
    }
}

/* sqrt(x), with the square of a positive factor in front. */
static zw_expr square_root(const zw_symbolic *s, zw_expr x) {
    zw_factor part[FACTORS_MOST];
    zw_expr number, outside = ZW_ONE;
    int n;
    if (!zw_ratio_factors(s->ctx, x, &number, FACTORS_MOST, part, &n))
        return zw_sqrt(s->ctx, x);
    zw_expr inside = number;
    for (int i = 0; i < n; i++) {
        int out = is_positive(s, part[i].base) ? part[i].power / 2 : 0,
            in = part[i].power - 2 * out;
        outside = zw_mul(s->ctx, outside, zw_pow(s->ctx, part[i].base, zw_integer(s->ctx, out)));
        inside = zw_mul(s->ctx, inside, zw_pow(s->ctx, part[i].base, zw_integer(s->ctx, in)));
    }
    return zw_mul(s->ctx, outside, zw_sqrt(s->ctx, inside));
}

static void add_root(zw_symbolic *s, zw_condition *c, zw_expr root) {
    for (int k = 0; k < ZW_PROBES; k++)
        if (isfinite(zw_symbolic_value(s, k, root)) && c->nroot < 8) {
            for (int i = 0; i < c->nroot; i++)
                if (c->root[i] == root)
                    return;
            c->root[c->nroot++] = root;
            return;
        }
}

/* The roots x of c + b x + a x^2. */
static int solve_quadratic(zw_symbolic *s, const zw_expr *a, zw_expr *x) {
    zw_context *ctx = s->ctx;
    if (a[2] == ZW_ZERO) {
        x[0] = zw_factored(ctx, zw_neg(ctx, zw_div(ctx, a[0], a[1])));
        return 1;
    }
    zw_expr four = zw_product(ctx, 3, (zw_expr[]){zw_integer(ctx, 4), a[2], a[0]});
    zw_expr root = square_root(s, zw_sub(ctx, zw_mul(ctx, a[1], a[1]), four)),
            twice = zw_mul(ctx, ZW_TWO, a[2]);
    x[0] = zw_div(ctx, zw_sub(ctx, root, a[1]), twice);
    x[1] = zw_div(ctx, zw_sub(ctx, zw_neg(ctx, root), a[1]), twice);
    return a[1] == ZW_ZERO ? 1 : 2;
}

/* Where a factor vanishes. */
static void solve_for(zw_symbolic *s, zw_condition *c, zw_expr factor, zw_expr parameter) {
    zw_context *ctx = s->ctx;
    zw_expr a[5], x[2];
    if (!zw_depends(ctx, factor, parameter))
        return;
    zw_expr rest = factor;
    int degree = -1;
    for (int k = 0; k < 5; k++) {
        a[k] = zw_symbolic_tidy(s, zw_taylor_coefficient(ctx, factor, 1, &parameter, &k));
        rest = zw_sub(ctx, rest, zw_mul(ctx, a[k], zw_pow(ctx, parameter, zw_integer(ctx, k))));
        if (a[k] != ZW_ZERO)
            degree = k;
        if (zw_depends(ctx, a[k], parameter))
            return;
    }
    if (degree < 1 || zw_symbolic_tidy(s, rest) != ZW_ZERO)
        return;
    bool squares = a[1] == ZW_ZERO && a[3] == ZW_ZERO;
    if (degree > 2 && !squares)
        return;
    zw_expr in_square[] = {a[0], a[2], a[4]};
    int n = squares ? solve_quadratic(s, in_square, x) : solve_quadratic(s, a, x);
    for (int k = 0; k < n; k++)
        add_root(s, c, squares ? square_root(s, x[k]) : zw_factored(ctx, x[k]));
}

zw_expr zw_symbolic_parameter(const zw_symbolic *s, const char *name) {
    for (int i = 0; name && i < s->nsymbol - 1; i++)
        if (strcmp(zw_expr_name(s->ctx, s->symbol[i]), name) == 0)
            return s->symbol[i];
    return ZW_NULL;
}

bool zw_symbolic_condition(zw_symbolic *s, zw_condition *c, zw_expr value, zw_expr parameter) {
    zw_factor part[FACTORS_MOST];
    zw_expr number;
    int n;
    if (!zw_ratio_factors(s->ctx, value, &number, FACTORS_MOST, part, &n))
        return false;
    c->value = number == ZW_ZERO                    ? ZW_ZERO
               : zw_expr_number(s->ctx, number) < 0 ? ZW_MINUS_ONE
                                                    : ZW_ONE;
    for (int i = 0; i < n; i++) {
        zw_expr base = part[i].base, minus = zw_neg(s->ctx, base);
        bool odd = part[i].power % 2 != 0;
        if (is_positive(s, base))
            continue;
        if (odd && is_positive(s, minus)) {
            c->value = zw_neg(s->ctx, c->value);
            continue;
        }
        c->value = zw_mul(s->ctx, c->value, zw_pow(s->ctx, base, odd ? ZW_ONE : ZW_TWO));
        if (parameter)
            solve_for(s, c, base, parameter);
    }
    return true;
}

static void add_condition(zw_symbolic *s, zw_symbolic_block *b, zw_condition *list,
                          const char *name, zw_expr value) {
    zw_condition *c = &list[b->ncondition];
    *c = (zw_condition){.name = zw_arena_string(&s->arena, name)};
    if (!zw_symbolic_condition(s, c, value, zw_symbolic_parameter(s, s->options.parameter))) {
        b->conditions = ZW_FORMULA_LONG;
        return;
    }
    for (int i = 0; i < b->ncondition; i++)
        if (list[i].value == c->value)
            return; /* listed already */
    b->ncondition += c->value != ZW_ONE;
}

static zw_expr hurwitz_determinant(zw_symbolic *s, int degree, const zw_expr *a, int size) {
    zw_expr *B = ZW_SYMBOLIC_NEW(s, zw_expr, size * size);
    minors m = {s, size, B, ZW_SYMBOLIC_NEW(s, zw_expr, (size_t)1 << size)};
    if (s->arena.failed)
        return ZW_NULL;
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) {
            int k = degree - 2 * (i + 1) + (j + 1); /* a_(n - 2 i + j), counted from 1 */
            B[i * size + j] = k >= 0 && k <= degree ? a[k] : ZW_ZERO;
        }
    return minor_of(&m, (1u << size) - 1, size);
}

/* Of a p(x) = a_0 + a_1 x + a_2 x^2 (+ a_3 x^3). */
static zw_expr polynomial_discriminant(zw_symbolic *s, int degree, const zw_expr *a) {
    zw_context *ctx = s->ctx;
#define TERM(number, ...)                                                                          \
    zw_product(ctx, 1 + (int)(sizeof((zw_expr[]){__VA_ARGS__}) / sizeof(zw_expr)),                 \
               (zw_expr[]){zw_integer(ctx, number), __VA_ARGS__})
    if (degree == 2)
        return zw_add(ctx, TERM(1, a[1], a[1]), TERM(-4, a[0], a[2]));
    zw_expr sum[] = {TERM(18, a[3], a[2], a[1], a[0]), TERM(-4, a[2], a[2], a[2], a[0]),
                     TERM(1, a[2], a[2], a[1], a[1]), TERM(-4, a[3], a[1], a[1], a[1]),
                     TERM(-27, a[3], a[3], a[0], a[0])};
#undef TERM
    return zw_sum(ctx, 5, sum);
}

static zw_status find_conditions(zw_symbolic *s, zw_symbolic_block *b, zw_error *err) {
    zw_condition *list = ZW_SYMBOLIC_NEW(s, zw_condition, 2 * b->degree + 4);
    zw_expr squares[BLOCK_MOST + 1];
    char name[32];
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    b->condition = list;
    for (int k = b->degree; k >= 0; k--) {
        if (b->even && k % 2)
            continue;
        snprintf(name, sizeof name, "a_%d", k + b->nzero);
        if (b->nfactor)
            snprintf(name, sizeof name, "b_%d", k);
        add_condition(s, b, list, name, b->rest[k]);
        squares[b->even ? k / 2 : 0] = b->rest[k];
    }
    int half = b->degree / 2;
    if (b->even && (half == 2 || half == 3))
        add_condition(s, b, list, "discriminant", polynomial_discriminant(s, half, squares));
    if ((b->even && half > 3) || b->degree > HURWITZ_MOST)
        b->conditions = ZW_FORMULA_LONG;
    for (int k = b->degree - 1; !b->even && k > 1 && b->conditions == ZW_FORMULA_THERE; k -= 2) {
        snprintf(name, sizeof name, "H_%d", k);
        add_condition(s, b, list, name, hurwitz_determinant(s, b->degree, b->rest, k));
    }
    if (s->too_long)
        b->conditions = ZW_FORMULA_LONG;
    s->too_long = false;
    return zw_context_status(s->ctx, err);
}

static zw_status check_parameter(const zw_symbolic *s, zw_error *err) {
    if (!s->options.parameter || zw_symbolic_parameter(s, s->options.parameter))
        return ZW_OK;
    zw_fail(err, ZW_E_NAME, "there is no parameter '%s' to solve for", s->options.parameter);
    zw_error_hint(err, "it is a parameter of the model or a symbol of the motion");
    return ZW_E_NAME;
}

static void find_determinant(zw_symbolic *s) {
    zw_expr product = ZW_ONE;
    for (int k = 0; k < s->result.nblock && product; k++) {
        const zw_symbolic_block *b = &s->result.block[k];
        if (b->polynomial != ZW_FORMULA_THERE)
            product = ZW_NULL;
        else
            product =
                zw_mul(s->ctx, product,
                       zw_div(s->ctx, b->n % 2 ? zw_neg(s->ctx, b->a[0]) : b->a[0], b->a[b->n]));
    }
    s->result.determinant = product ? zw_factored(s->ctx, product) : ZW_NULL;
}

/* The degree in s of a after division by the common factor with b; -1: too long. */
static int degree_apart(zw_symbolic *s, const zw_symbolic_block *a, const zw_symbolic_block *b) {
    zw_context *ctx = s->ctx;
    zw_expr variable = variable_symbol(s), of[2] = {ZW_ZERO, ZW_ZERO}, num, den;
    const zw_symbolic_block *part[] = {a, b};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k <= part[i]->degree; k++)
            of[i] =
                zw_add(ctx, of[i],
                       zw_mul(ctx, part[i]->rest[k], zw_pow(ctx, variable, zw_integer(ctx, k))));
    if (!zw_ratio_parts(ctx, zw_div(ctx, of[0], of[1]), &num, &den))
        return -1;
    int degree = a->degree;
    while (degree > 0 &&
           zw_symbolic_tidy(s, zw_taylor_coefficient(ctx, num, 1, &variable, &degree)) == ZW_ZERO)
        degree--;
    return degree;
}

/* Parts without damping that excite others without damping. */
static void find_resonances(zw_symbolic *s, const bool *to, zw_symbolic_block *block) {
    int n = s->result.n;
    for (int i = 0; i < s->result.nblock; i++)
        for (int j = 0; j < s->result.nblock; j++) {
            zw_symbolic_block *b = &block[i], *by = &block[j];
            if (i == j || !b->even || !by->even || !to[b->member[0] * n + by->member[0]])
                continue;
            int degree = degree_apart(s, b, by);
            if (degree >= 0 && degree < b->degree)
                b->resonance = ZW_RESONANCE_ALWAYS;
            else if (b->resonance == ZW_RESONANCE_NONE)
                b->resonance = ZW_RESONANCE_SPECIAL;
        }
    s->too_long = false;
}

zw_status zw_symbolic_stability(zw_symbolic *s, zw_error *err) {
    int n = s->result.n;
    bool *to = find_reachable(s), *done = ZW_SYMBOLIC_NEW(s, bool, n);
    zw_symbolic_block *block = ZW_SYMBOLIC_NEW(s, zw_symbolic_block, n);
    ZW_TRY(check_parameter(s, err));
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    s->result.block = block;
    for (int i = 0; i < n; i++) {
        if (done[i])
            continue;
        zw_symbolic_block *b = &block[s->result.nblock++];
        int *member = ZW_SYMBOLIC_NEW(s, int, n);
        if (!member)
            return zw_symbolic_memory(err);
        b->member = member;
        for (int j = 0; j < n; j++)
            if (to[i * n + j] && to[j * n + i]) {
                member[b->n++] = j;
                done[j] = true;
            }
        ZW_TRY(find_polynomial(s, b, err));
        if (b->polynomial != ZW_FORMULA_THERE)
            continue;
        ZW_TRY(divide_known(s, b, err));
        if (b->degree > 0)
            ZW_TRY(find_conditions(s, b, err));
    }
    find_resonances(s, to, block);
    find_determinant(s);
    return zw_context_status(s->ctx, err);
}
