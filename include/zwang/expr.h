/* SPDX-License-Identifier: MIT */
/* Implemented in src/expr. */
/* Expressions: a hash-consed directed acyclic graph. An expression is a 32-bit index into the node
 * store of its context; the same expression is stored once, so equality of expressions is equality
 * of indices, and the arguments of a node always have smaller indices than the node.
 *
 * Normal form (the proof of termination is at the head of src/expr/core/fold.c):
 *   number    RATIONAL p/q (64 bit each, lowest terms), or REAL where that does not fit
 *   sum       args = { c0, t1, c1, t2, c2, ... }  meaning c0 + c1 t1 + c2 t2 + ...
 *             c's are numbers, the t's are neither sums nor numbers, t1 < t2 < ...
 *   product   args = { b1, e1, b2, e2, ... }      meaning b1^e1 b2^e2 ...
 *             no numeric factor (it lives in the enclosing sum), b1 < b2 < ...
 * so 2x is the sum {0, x, 2}, x^2 is the product {x, 2}, sqrt(x) is {x, 1/2}, 1/x is {x, -1}.
 *
 * Construction is sticky: after a failure (memory, division by zero) the constructors return 0,
 * the null expression, every constructor given 0 returns 0, and the caller asks once, with
 * zw_context_status.
 *
 * Threads: a context belongs to one thread at a time, with all that lives in it, and that includes
 * the functions that take it const: a traversal needs scratch memory of the context. Contexts know
 * nothing of each other, so threads with contexts of their own need no locks. (What the library has
 * once per process, the tables of decimal numbers, LLVM and HDF5, is initialised after
 * pthread_once.) */
#ifndef ZWANG_EXPR_H
#define ZWANG_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_context zw_context;
typedef uint32_t zw_expr;

enum { /* the same in every context */
       ZW_NULL = 0,
       ZW_ZERO = 1,
       ZW_ONE = 2,
       ZW_MINUS_ONE = 3,
       ZW_TWO = 4,
       ZW_HALF = 5,
       ZW_PI = 6
};

typedef enum zw_op {
#define ZW_OP_ROW(op, text, arity, tex, c, about) ZW_OP_##op,
#include "ops.def"
#undef ZW_OP_ROW
    ZW_OP_COUNT
} zw_op;

/* Lifecycle. alloc may be NULL (malloc). Returns NULL if out of memory. */
ZW_API zw_context *zw_context_create(const zw_allocator *alloc);
ZW_API void zw_context_destroy(zw_context *ctx);
/* ZW_OK, or the first failure of a constructor since the last reset. */
ZW_API zw_status zw_context_status(const zw_context *ctx, zw_error *err);
ZW_API void zw_context_reset_status(zw_context *ctx);
/* The context's copy of a string: equal strings have equal addresses. NULL if out of memory. */
ZW_API const char *zw_context_intern(zw_context *ctx, const char *text);
ZW_API zw_allocator zw_context_allocator(const zw_context *ctx);
/* Zeroed memory that lives as long as the context; NULL (and sticky ZW_E_MEMORY) if there is
 * none. */
ZW_API void *zw_context_alloc(zw_context *ctx, size_t size);
ZW_API uint32_t zw_context_node_count(const zw_context *ctx);

/* Leaves. */
ZW_API zw_expr zw_integer(zw_context *ctx, int64_t value);
ZW_API zw_expr zw_rational(zw_context *ctx, int64_t num, int64_t den);
ZW_API zw_expr zw_real(zw_context *ctx,
                       double value); /* exact: becomes rational when it is an integer */
/* The symbol of that name; primes are part of the name ("x'" is the rate of "x"). */
ZW_API zw_expr zw_symbol(zw_context *ctx, const char *name);

/* Arithmetic. */
ZW_API zw_expr zw_add(zw_context *ctx, zw_expr a, zw_expr b);
ZW_API zw_expr zw_sub(zw_context *ctx, zw_expr a, zw_expr b);
ZW_API zw_expr zw_neg(zw_context *ctx, zw_expr a);
ZW_API zw_expr zw_mul(zw_context *ctx, zw_expr a, zw_expr b);
ZW_API zw_expr zw_div(zw_context *ctx, zw_expr a, zw_expr b); /* ZW_E_DOMAIN if b is 0 */
ZW_API zw_expr zw_pow(zw_context *ctx, zw_expr a, zw_expr b);
ZW_API zw_expr zw_sqrt(zw_context *ctx, zw_expr a);
ZW_API zw_expr zw_sum(zw_context *ctx, int n, const zw_expr *terms);
ZW_API zw_expr zw_product(zw_context *ctx, int n, const zw_expr *factors);
ZW_API zw_expr zw_dot(zw_context *ctx, int n, const zw_expr *a, const zw_expr *b);

/* Functions of the operator table: sin, atan2, min, lt, cond, ... with their arity. */
ZW_API zw_expr zw_apply(zw_context *ctx, zw_op op, int n, const zw_expr *args);
ZW_API zw_expr zw_sin(zw_context *ctx, zw_expr a);
ZW_API zw_expr zw_cos(zw_context *ctx, zw_expr a);
ZW_API zw_expr zw_cond(zw_context *ctx, zw_expr test, zw_expr then, zw_expr otherwise);

/* A tabulated function of one variable: piecewise cubic (or linear) through (x_i, y_i), x
 * ascending, constant beyond its ends. Returns its number for zw_lookup, or -1 (status says
 * why). */
typedef enum zw_interpolation { ZW_LINEAR, ZW_CUBIC } zw_interpolation;
ZW_API int zw_tabulate(zw_context *ctx, int n, const double *x, const double *y,
                       zw_interpolation how);
/* The order-th derivative of table `table` at x. */
ZW_API zw_expr zw_lookup(zw_context *ctx, int table, int order, zw_expr x);
/* n knots; on [x_i, x_i+1]: coef[4i] + coef[4i+1] s + coef[4i+2] s^2 + coef[4i+3] s^3, s = x -
 * x_i. */
typedef struct zw_spline {
    int n;
    const double *x;    /* n knots */
    const double *coef; /* 4 (n-1) */
    double first, last; /* values outside */
    /* private: tables of its knots and coefficients by piece (src/expr/calculus/fixed_pieces.c) */
    int entry[5];
} zw_spline;
ZW_API const zw_spline *zw_spline_of(const zw_context *ctx, int table);
ZW_API double zw_spline_eval(const zw_spline *s, int order, double x);

/* Looking inside. The argument pointer stays valid as long as the context. */
ZW_API zw_op zw_expr_op(const zw_context *ctx, zw_expr e);
ZW_API const zw_expr *zw_expr_args(const zw_context *ctx, zw_expr e, int *n);
ZW_API const char *zw_expr_name(const zw_context *ctx, zw_expr symbol); /* NULL if not a symbol */
ZW_API bool zw_expr_is_number(const zw_context *ctx, zw_expr e);        /* RATIONAL or REAL */
ZW_API bool zw_expr_is_rational(const zw_context *ctx, zw_expr e, int64_t *num, int64_t *den);
ZW_API double zw_expr_number(const zw_context *ctx, zw_expr e); /* value of a number or PI */
ZW_API bool zw_depends(const zw_context *ctx, zw_expr e, zw_expr symbol);
ZW_API bool zw_depends_any(const zw_context *ctx, zw_expr e, int n, const zw_expr *symbols);
/* found[i]: does one of the m expressions hold symbols[i]? One traversal for all n. False if out of
 * memory. */
ZW_API bool zw_occurring(const zw_context *ctx, int m, const zw_expr *e, int n,
                         const zw_expr *symbols, bool *found);
/* A symbol of e that is none of the n given ones, or 0: what a value still needs. */
ZW_API zw_expr zw_foreign_symbol(const zw_context *ctx, zw_expr e, int n, const zw_expr *symbols);

/* Calculus. out arrays are the caller's. Matrices are row-major. */
ZW_API zw_expr zw_diff(zw_context *ctx, zw_expr e, zw_expr symbol);
ZW_API void zw_gradient(zw_context *ctx, zw_expr e, int n, const zw_expr *symbols, zw_expr *out);
ZW_API void zw_jacobian(zw_context *ctx, int m, const zw_expr *e, int n, const zw_expr *symbols,
                        zw_expr *out /* m x n */);
ZW_API void zw_hessian(zw_context *ctx, zw_expr e, int n, const zw_expr *symbols,
                       zw_expr *out /* n x n */);
/* sum_i de/ds_i d_i: the derivative along a direction, so also the total time derivative. */
ZW_API zw_expr zw_along(zw_context *ctx, zw_expr e, int n, const zw_expr *symbols,
                        const zw_expr *directions);
/* Lengths, the roots of sums of squares that all hold some of the variables, written as if(s,
 * sqrt(s), 0): the same values, and derivatives that are 0 where a length vanishes instead of 0/0.
 * For derivatives of which only finite values are of use. False if memory is short. */
ZW_API bool zw_guard_lengths(zw_context *ctx, int n, zw_expr *e, int nvar,
                             const zw_expr *variables);
/* All symbols replaced at once. */
ZW_API zw_expr zw_subst(zw_context *ctx, zw_expr e, int n, const zw_expr *symbols,
                        const zw_expr *values);
/* The same for any subexpressions that contain symbols, where they occur as a whole. */
ZW_API zw_expr zw_replace(zw_context *ctx, zw_expr e, int n, const zw_expr *parts,
                          const zw_expr *values);
/* Products of sums multiplied out, positive integer powers of sums too, up to 4000 terms. */
ZW_API zw_expr zw_expand(zw_context *ctx, zw_expr e);
/* Replace e[i] by its expansion where that is shorter, if all n together then need fewer operations
 * (shared parts counted once). Expansions of more than some thousand terms are not tried. */
ZW_API void zw_shorten(zw_context *ctx, int n, zw_expr *e);
/* Replace each e[i] by a form in which products of sines and cosines are combined to functions of
 * sums and differences, sin a cos b - cos a sin b = sin(a - b) and its like, if that is shorter. */
ZW_API void zw_trig_combine(zw_context *ctx, int n, zw_expr *e);
/* Give names c1, c2, ... to what stands more than once in e[0..n): subexpressions of about `least`
 * characters or more, and groups of factors free of the variables. e is rewritten in them;
 * symbol[i] and value[i] (max of each) receive the definitions, each in terms of those before it.
 * Returns how many there are. Names of existing symbols are left out. */
ZW_API int zw_name_common(zw_context *ctx, int n, zw_expr *e, int nvar, const zw_expr *variables,
                          int least, int max, zw_expr *symbol, zw_expr *value);
/* e = coef . symbols + rest with coef, rest free of the symbols? False if it is not linear. */
ZW_API bool zw_linear(zw_context *ctx, zw_expr e, int n, const zw_expr *symbols, zw_expr *coef,
                      zw_expr *rest);
/* e = symbols' A symbols / 2 + coef . symbols + rest, A symmetric n x n? */
ZW_API bool zw_quadratic(zw_context *ctx, zw_expr e, int n, const zw_expr *symbols, zw_expr *A,
                         zw_expr *coef, zw_expr *rest);

/* Value at a point, by direct recursion (slow; for parameters and tests). Every symbol of e must
 * be among the n given; otherwise NaN. */
ZW_API double zw_eval(const zw_context *ctx, zw_expr e, int n, const zw_expr *symbols,
                      const double *values);
/* Values of several expressions likewise, in one pass over all they share. */
ZW_API void zw_eval_all(const zw_context *ctx, int nroot, const zw_expr *roots, int n,
                        const zw_expr *symbols, const double *values, double *out);

/* What the value of e never is below, whatever its symbols are, n of which lie between low and
 * high; -INFINITY: nothing is known. True, not sharp. */
ZW_API double zw_expr_least(const zw_context *ctx, zw_expr e, int n, const zw_expr *symbols,
                            const double *low, const double *high);

/* Why an expression has no finite value: its smallest part that has none though its operands do. */
typedef struct zw_nonfinite_part {
    zw_expr node;   /* that part; of a product or a sum perhaps one factor or term of it */
    double value;   /* of e itself: NaN or infinite */
    char text[240]; /* the part and its operands, "sqrt(1 - x^2): sqrt(-0.21)", "1/rho: division
                       by 0"; long operands as "..." */
} zw_nonfinite_part;
/* Find it at this point; false if the value of e is finite (or memory is short: see the status). */
ZW_API bool zw_find_nonfinite_part(const zw_context *ctx, zw_expr e, int n, const zw_expr *symbols,
                                   const double *values, zw_nonfinite_part *out);

/* Where an expression is not smooth: a part of it whose value or derivatives jump as `surface`
 * passes through zero. */
typedef struct zw_kink {
    /* ABS, SIGN, MIN, MAX, LT, LE (tests of conditionals), COND (a test that is no comparison),
     * TABLE, ATAN2 (its cut), PRODUCT (a root, infinitely steep at zero) */
    zw_op op;
    zw_expr part;    /* that part */
    zw_expr surface; /* of a TABLE: its argument, and the places are its knots */
    /* derivatives that are continuous there: 0: a kink, -1: a jump, or (PRODUCT) a pole */
    int smooth;
    int table; /* TABLE: its number, else -1 */
} zw_kink;
/* Those of n expressions whose surface holds one of the variables, each once, in the order of the
 * parts. At most max are stored; returns how many there are, -1 if out of memory. */
ZW_API int zw_find_kinks(zw_context *ctx, int n, const zw_expr *e, int nvar,
                         const zw_expr *variables, int max, zw_kink *out);

/* Operations (+ - * / and functions) needed for all n expressions when shared parts are computed
 * once. */
ZW_API long zw_count(const zw_context *ctx, int n, const zw_expr *e);

typedef enum zw_format { ZW_TEXT, ZW_LATEX, ZW_C } zw_format;
/* The expression as text in a new string from the context's allocator; free with zw_string_free.
 * NULL if out of memory, or if it would have more than 64 Mi characters. */
ZW_API char *zw_print(const zw_context *ctx, zw_expr e, zw_format format);
/* The same if it has at most this many characters, else NULL; the work ends there, however long the
 * rest is. */
ZW_API char *zw_print_within(const zw_context *ctx, zw_expr e, zw_format format, size_t most);
/* About how many characters that would be: shared parts count as often as they would be printed, so
 * this may be astronomic. */
ZW_API double zw_print_length(const zw_context *ctx, zw_expr e);
/* Frees a new string that a function of the library returned; NULL is allowed. ctx is the context
 * that the string belongs to: that of the system which the function was asked about. */
ZW_API void zw_string_free(const zw_context *ctx, char *s);

/* ------------------------------------------------------------------------------------------ */

/* Taylor polynomials of expressions about a point, exactly: with x_j = at_j + s small_j,
 *
 *     e(x) = P_0 + s P_1 + s^2 P_2 + ... + s^k P_k + O(s^(k+1)),
 *
 * where P_i is homogeneous of degree i in the small quantities. The bookkeeping parameter s does
 * not appear in the results. */

enum { ZW_TAYLOR_MOST = 12 }; /* the highest order */

/* The parts P_0 ... P_order of m expressions: out[i (order + 1) + k] is P_k of e[i]. The n symbols
 * are replaced by at + s small, both the caller's: expressions, small ones usually symbols or 0
 * (then only `at` is put in); symbols that are not named stay. ZW_E_DOMAIN names the part of an
 * expression that has no Taylor series there: a root or quotient of 0, abs, sign, min, max or a
 * condition that switches there. That what vanishes there is 0 must be seen by folding or by
 * multiplying out. The context has the status that it had before. */
ZW_API zw_status zw_taylor(zw_context *ctx, int m, const zw_expr *e, int n, const zw_expr *symbols,
                           const zw_expr *at, const zw_expr *small, int order, zw_expr *out,
                           zw_error *err);
/* The same where symbol j is a series itself, sum_k s^k series[j (order + 1) + k]. */
ZW_API zw_status zw_taylor_series(zw_context *ctx, int m, const zw_expr *e, int n,
                                  const zw_expr *symbols, const zw_expr *series, int order,
                                  zw_expr *out, zw_error *err);
/* One expression up to that order, P_0 + ... + P_order; 0 if it failed, err says why. */
ZW_API zw_expr zw_truncated(zw_context *ctx, zw_expr e, int n, const zw_expr *symbols,
                            const zw_expr *at, const zw_expr *small, int order, zw_error *err);
/* Every function of the n symbols replaced by the first `terms` terms of its series about 0 that
 * are not 0, products as they are: sin x by x - x^3/6, cos x by 1 - x^2/2 with two of them.
 * ZW_E_DOMAIN names what has no series: it switches, or is not smooth there. */
ZW_API zw_status zw_few_terms(zw_context *ctx, int m, const zw_expr *e, int n,
                              const zw_expr *symbols, int terms, zw_expr *out, zw_error *err);
/* What stands before the product of the n variables to these powers in a polynomial of them. */
ZW_API zw_expr zw_taylor_coefficient(zw_context *ctx, zw_expr polynomial, int n,
                                     const zw_expr *variables, const int *powers);

/* ------------------------------------------------------------------------------------------ */

/* Trigonometric polynomials with expressions as coefficients: what becomes of polynomials of
 * functions
 *
 *     u = c_0 + sum over k of c_k cos(k w t) + s_k sin(k w t),      k = 1 .. top,
 *
 * exactly, harmonic by harmonic. */

enum { ZW_TRIG_MOST = 200 }; /* the highest harmonic on the way */

typedef struct zw_trig_series {
    int top;
    zw_expr *c, *s; /* top + 1 each; s[0] is not used */
} zw_trig_series;

/* Multiples of w that angular frequencies are: those that time is multiplied with in sines and
 * cosines. */
typedef struct zw_trig_time {
    zw_expr t; /* its symbol; 0: there is none */
    int n;
    const zw_expr *frequency; /* n */
    const int *multiple;      /* n: frequency = multiple w, of either sign or 0 */
} zw_trig_time;

/* The harmonics 0 .. keep of m expressions in which the n symbols are the given series: polynomials
 * of them, with sin and cos of multiple w t + (what is free of t and of the symbols) in the
 * coefficients. out: m series, whose arrays live in the context. ZW_E_DOMAIN names what is no such
 * polynomial. */
ZW_API zw_status zw_trig_expand(zw_context *ctx, int m, const zw_expr *e, int n,
                                const zw_expr *symbols, const zw_trig_series *series,
                                const zw_trig_time *time, int keep, zw_trig_series *out,
                                zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* Limits on the total work and memory of a context: the expressions of an untrusted model may grow
 * without bound (the derivative of n nested functions has n^2 operands). Beyond a limit the
 * constructors fail with ZW_E_MODEL, at the place of the model if it is set. */

typedef struct zw_context_limits {
    double operands; /* visited by constructors (1e9: about a minute); default 3e9, 0: no limit */
    double bytes;    /* memory of expressions; default 2e9, 0: no limit */
    double code;     /* operands of the equations that become code; default 2e7, 0: no limit */
} zw_context_limits;

ZW_API void zw_context_set_limits(zw_context *ctx, zw_context_limits limits);
/* The operands and bytes used so far. */
ZW_API zw_context_limits zw_context_used(const zw_context *ctx);
/* The place of the model, for messages; its file name must stay valid as long as the context. */
ZW_API void zw_context_set_place(zw_context *ctx, zw_place place);

/* Code for expressions with this number of operands: beyond the limit the context fails, as its
 * constructors do. */
ZW_API zw_status zw_context_code_fits(zw_context *ctx, double operands, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
