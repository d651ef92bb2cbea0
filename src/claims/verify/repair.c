/* SPDX-License-Identifier: MIT */
/* The search for a small correction of a claim that fails.
 *
 * A slip is searched at every place of both sides, the likely kinds first:
 *   sign        an addend, at any depth, must be subtracted instead of added
 *   exchange    sin for cos, one name for another of the same kind and unit: variables first, then
 *               x for x', then components of another row, then parameters
 *   exponent    of a factor, by one, or its sign
 *   number      an addend needs another number in front; 0: it must be removed
 *   factor      an addend lacks powers of parameters, or of functions of the state
 *   term        a term is missing: a number times parameters times functions of the state
 *   ratio       an addend lacks a factor with functions of the state in its denominator
 *   terms       two terms are missing, or one whose coefficient is a sum of parameters
 *               (repair_terms.c)
 *   two         two addends need factors of numbers and parameters (repair_pairs.c)
 * An addend enters the residual linearly unless it is inside a function or a power. With R the
 * residual and D the residual without the addend, the addend times c makes it D + c (R - D), so
 *   c = -D / (R - D)
 * is the factor that the addend needs at each sample. If a formula (formula_search.c) fits these
 * numbers, it is the correction. Every candidate is then tested on all samples like a claim. */
#include "repair.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "claim_series.h"

/* of the scale of the claim: a coarse test before the scale of the candidate is computed */
#define FIRST_TEST 1e-6
#define COEFFICIENT_ROUNDOFF 1e-8 /* of the scale: smaller coefficients of series are round-off */
/* of the scale: at samples where the addend is smaller its factor is unknown */
#define ADDEND_MATTERS 1e-9
/* of the scale: a residual that remains where the addend is zero has another cause */
#define RESIDUAL_MATTERS 1e-5
/* of the scale: at samples where the residual is smaller the missing term is unknown */
#define TERM_MATTERS 1e-6

/* A place in a side: argument `arg` of `node`, which itself is the argument of `up` (NULL:
 * root). */
typedef struct expression_place {
    const struct expression_place *up;
    zw_expr node;
    int arg;
} expression_place;

/* ------------------------------------------------------------------------------------ changing */

static bool is_sum(const zw_repair_search_state *s, zw_expr e) {
    return zw_expr_op(s->ctx, e) == ZW_OP_SUM;
}

/* A function of one or two arguments that is searched inside. */
static bool is_function(zw_op op) {
    return op >= ZW_OP_SIN && op <= ZW_OP_MAX;
}

/* The node with argument k replaced. */
static zw_expr with_argument(zw_context *ctx, zw_expr node, int k, zw_expr e) {
    int n;
    const zw_expr *args = zw_expr_args(ctx, node, &n);
    zw_op op = zw_expr_op(ctx, node);
    zw_expr out;
    if (op == ZW_OP_SUM) {
        out = args[0];
        for (int i = 1; i < n; i += 2)
            out = zw_add(ctx, out, zw_mul(ctx, args[i + 1], i == k ? e : args[i]));
    } else if (op == ZW_OP_PRODUCT) {
        out = ZW_ONE;
        for (int i = 0; i < n; i += 2)
            out = zw_mul(ctx, out, zw_pow(ctx, i == k ? e : args[i], args[i + 1]));
    } else {
        zw_expr copy[3];
        for (int i = 0; i < n && i < 3; i++)
            copy[i] = i == k ? e : args[i];
        out = zw_apply(ctx, op, n, copy);
    }
    return out;
}

/* The side with e at the place. */
static zw_expr rebuild_side(const zw_repair_search_state *s, const expression_place *at,
                            zw_expr e) {
    for (; at; at = at->up)
        e = with_argument(s->ctx, at->node, at->arg, e);
    return e;
}

static void sides_with(const zw_repair_search_state *s, zw_expr changed, zw_expr *lhs,
                       zw_expr *rhs) {
    *lhs = s->on_right ? s->claim->lhs : changed;
    *rhs = s->on_right ? changed : s->claim->rhs;
}

/* An impossible expression (a division by zero) is no failure of the search. */
bool zw_search_is_sound(const zw_repair_search_state *s, zw_expr e) {
    if (e)
        return true;
    if (zw_context_status(s->ctx, NULL) != ZW_E_MEMORY)
        zw_context_reset_status(s->ctx);
    return false;
}

/* ------------------------------------------------------------------------------------- testing */

/* Replaces dependent parameters by their definitions. */
static zw_expr in_own_values(const zw_repair_search_state *s, zw_expr e) {
    const zw_system *y = s->sys;
    for (int i = y->np - 1; i >= 0; i--)
        if (zw_foreign_symbol(s->ctx, y->param[i].value, 0, NULL))
            e = zw_subst(s->ctx, e, 1, &y->param[i].sym, &y->param[i].value);
    return e;
}

/* Does e contain accelerations or multipliers? */
static bool is_dynamic(const zw_repair_search_state *s, zw_expr e) {
    int nstate = s->sys->np + 1 + s->sys->nq + s->sys->nv;
    return zw_depends_any(s->ctx, e, s->ev->nsym - nstate, s->ev->sym + nstate);
}

/* An identity is no correction: x' = y' must not become y' = y'. One without accelerations and
 * multipliers may well be an identity, as formulas of kinematics are; one of parameters alone
 * always is. */
static bool is_trivial(const zw_repair_search_state *s, zw_expr lhs, zw_expr rhs) {
    if (!s->moves)
        return false;
    if (!s->dynamic)
        return lhs == rhs;
    zw_expr residual = in_own_values(s, zw_sub(s->ctx, lhs, rhs));
    return zw_expand(s->ctx, residual) == ZW_ZERO;
}

bool zw_search_holds(zw_repair_search_state *s, zw_expr lhs, zw_expr rhs, bool identity) {
    zw_expr residual = zw_sub(s->ctx, lhs, rhs);
    bool has_terms = false;
    if (!zw_search_is_sound(s, residual) || s->budget-- <= 0)
        return false;
    for (int j = 0; j < s->ev->nsample; j++) { /* most trials end here, at the first sample */
        s->trial[j] = fabs(zw_sample_of(s->sys, s->ev, j, residual));
        if (!(s->trial[j] <= FIRST_TEST * s->scale[j]))
            return false;
    }
    zw_claim_scales(s->sys, s->ev, lhs, rhs, s->trial_scale);
    for (int j = 0; j < s->ev->nsample; j++) {
        if (!(s->trial[j] <= ZW_CLAIM_TOLERANCE * s->trial_scale[j]))
            return false;
        has_terms |= s->trial_scale[j] > 0;
    }
    return has_terms && (identity || !is_trivial(s, lhs, rhs));
}

static void print_expression(zw_text *text, const zw_repair_search_state *s, zw_expr e) {
    /* characters of an expression that is expanded to recognise an identity */
    enum { EXPANDED_LENGTH = 1 << 14 };
    char *printed = zw_print_within(s->ctx, e, ZW_TEXT, EXPANDED_LENGTH);
    if (printed)
        zw_text_put(text, printed);
    else
        zw_text_printf(text, "(%ld operations)", zw_count(s->ctx, 1, &e));
    zw_string_free(s->ctx, printed);
}

/* The innermost addend that contains a place; the whole side if there is no sum, 0 at the root. */
static zw_expr term_around(const zw_repair_search_state *s, const expression_place *at) {
    int n;
    if (!at)
        return ZW_NULL;
    while (at->up && !is_sum(s, at->node))
        at = at->up;
    const zw_expr *args = zw_expr_args(s->ctx, at->node, &n);
    return is_sum(s, at->node) ? zw_mul(s->ctx, args[at->arg], args[at->arg + 1]) : at->node;
}

void zw_search_add(zw_repair_search_state *s, zw_expr lhs, zw_expr rhs, zw_text *words) {
    zw_verdict *out = s->out;
    for (int i = 0; i < out->nrepair; i++)
        if (zw_sub(s->ctx, out->repair[i].lhs, out->repair[i].rhs) == zw_sub(s->ctx, lhs, rhs))
            return;
    if (out->nrepair == ZW_REPAIRS_MAX)
        return;
    const char *kept = words->failed ? "" : zw_context_intern(s->ctx, zw_text_get(words));
    out->repair[out->nrepair++] = (zw_repair){kept, lhs, rhs};
}

void zw_search_put_change(zw_text *words, const zw_repair_search_state *s, const char *kind,
                          zw_expr before, zw_expr after, zw_expr factor) {
    if (after == ZW_ZERO)
        kind = "term too many";
    if (after == ZW_ONE)
        kind = "factor too many";
    zw_text_printf(words, "%s: ", kind);
    print_expression(words, s, before);
    if (after == ZW_ZERO || after == ZW_ONE)
        return;
    zw_text_put(words, factor ? " must be multiplied by " : " should be ");
    print_expression(words, s, factor ? factor : after);
}

/* If all other terms of a sum already agree, one more name is not trivial; nor is a numerical
 * factor between two expressions for the same quantity. */
static bool may_be_identity(const zw_repair_search_state *s) {
    zw_expr side = s->on_right ? s->claim->rhs : s->claim->lhs;
    if (s->slip == ZW_SLIP_NUMBER || s->slip == ZW_SLIP_SIGN)
        return side != ZW_ZERO && zw_expr_op(s->ctx, side) != ZW_OP_SYMBOL;
    return !s->dynamic && is_sum(s, side);
}

static void propose_repair(zw_repair_search_state *s, const char *kind, const expression_place *at,
                           zw_expr changed, zw_expr before, zw_expr after, zw_expr factor) {
    zw_expr lhs, rhs, term = term_around(s, at);
    sides_with(s, changed, &lhs, &rhs);
    if (!zw_search_is_sound(s, changed) || !zw_search_holds(s, lhs, rhs, may_be_identity(s)))
        return;
    zw_text words;
    zw_allocator alloc = zw_context_allocator(s->ctx);
    zw_text_init(&words, &alloc);
    zw_search_put_change(&words, s, kind, before, after, factor);
    if (term && term != before) {
        zw_text_put(&words, ", in the term ");
        print_expression(&words, s, term);
    }
    zw_search_add(s, lhs, rhs, &words);
    zw_text_clear(&words);
}

static void replace_at(zw_repair_search_state *s, const char *kind, const expression_place *at,
                       zw_expr before, zw_expr after) {
    if (zw_search_is_sound(s, after) && after != before)
        propose_repair(s, kind, at, rebuild_side(s, at, after), before, after, ZW_NULL);
}

/* ------------------------------------------------------------------------------------- addends */

/* The first sample of the curve that begins at sample j where value exceeds round-off; -1 if
 * none. */
static int first_power(const zw_repair_search_state *s, const double *value, int j) {
    for (int k = j; k < j + s->ev->series->width; k++)
        if (fabs(value[k]) > COEFFICIENT_ROUNDOFF * s->scale[k])
            return k;
    return -1;
}

/* The same for series: if D = -c a with a function c, its first coefficient is the quotient of
 * theirs. It is stored at the first sample of each curve. */
static bool needed_series(zw_repair_search_state *s, zw_expr without) {
    int width = s->ev->series->width, count = 0;
    double *D = s->trial, *addend = s->trial_scale;
    for (int j = 0; j < s->ev->nsample; j++) {
        D[j] = zw_sample_of(s->sys, s->ev, j, without);
        addend[j] = s->residual[j] - D[j];
        if (!isfinite(D[j]))
            return false;
    }
    for (int j = 0; j < s->ev->nsample; j++) {
        s->known[j] = false;
        if (j % width)
            continue;
        int of_addend = first_power(s, addend, j), of_rest = first_power(s, D, j);
        s->known[j] = of_addend >= 0;
        if (of_addend < 0 && first_power(s, s->residual, j) >= 0)
            return false;
        s->need[j] = of_addend >= 0 && of_rest >= 0 ? -D[of_rest] / addend[of_addend] : 0;
        count += s->known[j];
    }
    return count > 1;
}

/* need[j] = c at the samples where the addend matters; false if another addend must be wrong. */
static bool needed_factor(zw_repair_search_state *s, zw_expr lhs, zw_expr rhs) {
    zw_expr without = zw_sub(s->ctx, lhs, rhs);
    int count = 0;
    if (!zw_search_is_sound(s, without) || s->budget-- <= 0)
        return false;
    if (s->ev->series)
        return needed_series(s, without);
    for (int j = 0; j < s->ev->nsample; j++) {
        double D = zw_sample_of(s->sys, s->ev, j, without), addend = s->residual[j] - D;
        s->known[j] = fabs(addend) > ADDEND_MATTERS * s->scale[j];
        if (!isfinite(D) || (!s->known[j] && fabs(s->residual[j]) > RESIDUAL_MATTERS * s->scale[j]))
            return false;
        bool nothing_left = fabs(D) <= ZW_CLAIM_TOLERANCE * s->scale[j];
        s->need[j] = s->known[j] && !nothing_left ? -D / addend : 0;
        count += s->known[j];
    }
    return count > 1;
}

static zw_expr explain_need(const zw_repair_search_state *s) {
    const zw_formula_search *f = &s->formula;
    switch (s->slip) {
    case ZW_SLIP_SIGN:
    case ZW_SLIP_NUMBER:
        return zw_formula_number(f, s->need, s->known);
    case ZW_SLIP_PARAM_FACTOR:
        return zw_formula_param(f, s->need, s->known);
    case ZW_SLIP_STATE_FACTOR:
    case ZW_SLIP_STATE_RATIO:
        return zw_formula_factor(f, s->need, s->known, s->slip == ZW_SLIP_STATE_RATIO);
    default:
        return ZW_NULL;
    }
}

const char *zw_search_factor_kind(const zw_repair_search_state *s, zw_expr c) {
    if (c == ZW_MINUS_ONE)
        return "wrong sign";
    return zw_expr_is_number(s->ctx, c) ? "wrong number" : "wrong factor";
}

/* Factors that are numbers or parameters have been tried already. Functions of the state could be
 * equal to them, too, if constraints relate them: z/(r*sin(beta)) is 1 if z is r*sin(beta). */
static bool is_explained(const zw_repair_search_state *s) {
    const zw_formula_search *f = &s->formula;
    if (s->slip == ZW_SLIP_PARAM_FACTOR)
        return zw_formula_number(f, s->need, s->known) != ZW_NULL;
    return (s->slip == ZW_SLIP_STATE_FACTOR || s->slip == ZW_SLIP_STATE_RATIO) &&
           zw_formula_param(f, s->need, s->known) != ZW_NULL;
}

/* An addend that enters linearly: the place, the sum there (or the whole side), the addend. */
static void weigh_addend(zw_repair_search_state *s, const expression_place *at, zw_expr whole,
                         zw_expr addend) {
    zw_expr lhs, rhs;
    zw_expr dropped = zw_sub(s->ctx, whole, addend);
    sides_with(s, rebuild_side(s, at, dropped), &lhs, &rhs);
    if (!needed_factor(s, lhs, rhs))
        return;
    if (is_explained(s))
        return;
    zw_expr c = explain_need(s);
    if (!zw_search_is_sound(s, c) || (s->slip == ZW_SLIP_SIGN && c != ZW_MINUS_ONE))
        return;
    zw_expr after = zw_mul(s->ctx, c, addend);
    zw_expr changed = rebuild_side(s, at, zw_add(s->ctx, dropped, after));
    propose_repair(s, zw_search_factor_kind(s, c), at, changed, addend, after,
                   zw_expr_is_number(s->ctx, c) ? ZW_NULL : c);
}

/* An addend inside a function or a power: some factors are tried. */
static void try_addend(zw_repair_search_state *s, const expression_place *at, zw_expr whole,
                       zw_expr addend) {
    zw_expr numbers[] = {ZW_ZERO, ZW_TWO, ZW_HALF, zw_integer(s->ctx, 4),
                         zw_rational(s->ctx, 1, 4)},
            sign[] = {ZW_MINUS_ONE};
    const zw_expr *c = s->slip == ZW_SLIP_SIGN ? sign : numbers;
    int n = s->slip == ZW_SLIP_SIGN ? 1 : s->slip == ZW_SLIP_NUMBER ? 5 : 0;
    for (int i = 0; i < n; i++) {
        zw_expr after = zw_mul(s->ctx, c[i], addend);
        zw_expr sum = zw_add(s->ctx, zw_sub(s->ctx, whole, addend), after);
        if (zw_search_is_sound(s, sum))
            propose_repair(s, zw_search_factor_kind(s, c[i]), at, rebuild_side(s, at, sum), addend,
                           after, ZW_NULL);
    }
}

static void try_addends(zw_repair_search_state *s, const expression_place *at, zw_expr e,
                        bool bent) {
    int n;
    const zw_expr *args = zw_expr_args(s->ctx, e, &n);
    void (*visit)(zw_repair_search_state *, const expression_place *, zw_expr, zw_expr) =
        bent ? try_addend : weigh_addend;
    bool of_names = s->slip >= ZW_SLIP_EXCHANGE && s->slip <= ZW_SLIP_EXPONENT;
    if (of_names || s->slip == ZW_SLIP_TERM || e == ZW_ZERO)
        return;
    if (!is_sum(s, e)) {
        /* x' = ... is a statement about x': the right side may be wrong, not x'. */
        bool defines = !at && !s->on_right && s->claim->rhs != ZW_ZERO &&
                       zw_expr_op(s->ctx, e) == ZW_OP_SYMBOL;
        if (!defines)
            visit(s, at, e, e);
        return;
    }
    if (args[0] != ZW_ZERO)
        visit(s, at, e, args[0]);
    for (int i = 1; i < n; i += 2)
        visit(s, at, e, zw_mul(s->ctx, args[i], args[i + 1]));
    if (!at && s->on_right && n > 3)
        /* the whole side; the same change of the left one would be equivalent */
        visit(s, at, e, e);
}

/* ----------------------------------------------------------------------------------- exchanges */

enum { MULTIPLIER = 5, OTHER, DISTANCE };

static const char *unit_of(const zw_repair_search_state *s, int i, int *kind);

/* The unit of the variable whose distance from its value it is. */
static const char *unit_of_distance(const zw_repair_search_state *s, int i, int *kind) {
    int own = 0;
    while (s->ev->sym[own] != s->claim->small[i].sym)
        own++;
    const char *unit = unit_of(s, own, kind);
    *kind += DISTANCE;
    return unit;
}

/* The kind of symbol i of the trials (parameter, t, q, v, v', multiplier, ...) and its unit. */
static const char *unit_of(const zw_repair_search_state *s, int i, int *kind) {
    const zw_system *y = s->sys;
    const int count[] = {y->np, 1, y->nq, y->nv, y->nv, y->nconstraint, INT_MAX};
    int distance = i - (s->ev->nsym - s->claim->nsmall);
    if (distance >= 0)
        return unit_of_distance(s, distance, kind);
    for (*kind = 0; i >= count[*kind]; ++*kind)
        i -= count[*kind];
    switch (*kind) {
    case 0:
        return y->param[i].unit;
    case 2:
        return y->coord[i].unit;
    case 3:
    case 4:
        return y->velocity[i].unit;
    case MULTIPLIER:
        return y->constraint[i].lambda_unit;
    default:
        return "";
    }
}

/* Symbols that may be confused have the same kind and the same unit. */
static bool same_kind(const zw_repair_search_state *s, int i, int k) {
    int a, b;
    const char *u = unit_of(s, i, &a), *v = unit_of(s, k, &b);
    return a == b && a != OTHER && strcmp(u, v) == 0;
}

static int symbol_number(const zw_repair_search_state *s, zw_expr e) {
    int own = 0;
    while (own < s->ev->nsym && s->ev->sym[own] != e)
        own++;
    return own;
}

static void exchange_name(zw_repair_search_state *s, const expression_place *at, zw_expr e) {
    int own = symbol_number(s, e);
    if (own == s->ev->nsym || (own < s->sys->np) != (s->slip == ZW_SLIP_PARAMETER))
        return;
    for (int k = 0; k < s->ev->nsym; k++)
        if (k != own && same_kind(s, own, k))
            replace_at(s, "wrong name", at, e, s->ev->sym[k]);
}

/* Exchanges x, x' and x''. */
static void exchange_rate(zw_repair_search_state *s, const expression_place *at, zw_expr e) {
    const zw_system *y = s->sys;
    for (int i = 0; i < y->nv; i++) {
        bool plain = y->velocity[i].coord >= 0;
        zw_expr level[3] = {plain ? y->coord[y->velocity[i].coord].sym : ZW_NULL,
                            y->velocity[i].sym, y->velocity[i].accel};
        for (int k = 0; k < 9; k++)
            if (e == level[k / 3] && level[k % 3] && k / 3 != k % 3)
                replace_at(s, "wrong derivative", at, e, level[k % 3]);
    }
}

/* Are symbol i and those of its kind and unit that follow it three? Then they are components of a
 * vector. */
static bool begins_triple(const zw_repair_search_state *s, int i) {
    int end = s->ev->nsym - s->claim->nsmall;
    bool follows = i > 0 && same_kind(s, i - 1, i);
    return !follows && i + 2 < end && same_kind(s, i, i + 1) && same_kind(s, i, i + 2) &&
           !(i + 3 < end && same_kind(s, i, i + 3));
}

/* x, y, z become y, z, x, or z, x, y, in all vectors at once, as in a row copied from another
 * one. */
static void permute_indices(zw_repair_search_state *s, const expression_place *at, zw_expr e) {
    enum { EXCHANGED_MAX = 60 }; /* exchanged symbols */
    zw_expr from[EXCHANGED_MAX], to[2][EXCHANGED_MAX];
    int n = 0;
    for (int i = s->sys->np; i < s->ev->nsym && n + 3 <= EXCHANGED_MAX; i++) {
        if (!begins_triple(s, i))
            continue;
        for (int k = 0; k < 3; k++, n++) {
            from[n] = s->ev->sym[i + k];
            for (int turn = 0; turn < 2; turn++)
                to[turn][n] = s->ev->sym[i + (k + 1 + turn) % 3];
        }
    }
    for (int turn = 0; n > 0 && turn < 2; turn++)
        replace_at(s, "components of another row", at, e, zw_subst(s->ctx, e, n, from, to[turn]));
}

static void exchange_function(zw_repair_search_state *s, const expression_place *at, zw_expr e) {
    static const zw_op pairs[][2] = {{ZW_OP_SIN, ZW_OP_COS}, {ZW_OP_SINH, ZW_OP_COSH}};
    int n;
    const zw_expr *args = zw_expr_args(s->ctx, e, &n);
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < 2; i++)
            if (zw_expr_op(s->ctx, e) == pairs[p][i])
                replace_at(s, "wrong function", at, e, zw_apply(s->ctx, pairs[p][1 - i], 1, args));
}

/* ----------------------------------------------------------------------------------- exponents */

/* Would a series agree without the part at this place? Then a higher power, beyond the order of the
 * claim, would do too: it is a term too many. */
static bool is_unnecessary(zw_repair_search_state *s, const expression_place *at) {
    zw_expr lhs, rhs, without = rebuild_side(s, at, ZW_ZERO);
    if (!s->ev->series || !zw_search_is_sound(s, without))
        return false;
    sides_with(s, without, &lhs, &rhs);
    return zw_search_holds(s, lhs, rhs, false);
}

static void try_exponents(zw_repair_search_state *s, const expression_place *at, zw_expr e) {
    zw_context *ctx = s->ctx;
    int n;
    const zw_expr *args = zw_expr_args(ctx, e, &n);
    if (zw_expr_op(ctx, e) != ZW_OP_PRODUCT) {
        bool is_factor = at && zw_expr_op(ctx, at->node) == ZW_OP_PRODUCT;
        if (!is_factor && !zw_expr_is_number(ctx, e) && !is_sum(s, e) && !is_unnecessary(s, at))
            replace_at(s, "wrong exponent", at, e, zw_pow(ctx, e, ZW_TWO));
        return;
    }
    if (is_unnecessary(s, at))
        return;
    for (int i = 0; i < n; i += 2) {
        zw_expr old = zw_pow(ctx, args[i], args[i + 1]), rest = zw_div(ctx, e, old);
        zw_expr to[] = {zw_add(ctx, args[i + 1], ZW_ONE), zw_sub(ctx, args[i + 1], ZW_ONE),
                        zw_neg(ctx, args[i + 1])};
        for (int k = 0; k < 3; k++) {
            zw_expr new = zw_pow(ctx, args[i], to[k]), after = zw_mul(ctx, rest, new);
            if (zw_search_is_sound(s, after))
                propose_repair(s, "wrong exponent", at, rebuild_side(s, at, after), old, new,
                               ZW_NULL);
        }
    }
}

/* ---- all places of an expression ---- */

static void search_expression(zw_repair_search_state *s, zw_expr e, const expression_place *up,
                              bool bent);

static void search_arguments(zw_repair_search_state *s, zw_expr e, const expression_place *up,
                             bool bent) {
    int n;
    const zw_expr *args = zw_expr_args(s->ctx, e, &n);
    zw_op op = zw_expr_op(s->ctx, e);
    if (op == ZW_OP_SUM) {
        for (int i = 1; i < n; i += 2)
            search_expression(s, args[i], &(expression_place){up, e, i}, bent);
    } else if (op == ZW_OP_PRODUCT) {
        for (int i = 0; i < n; i += 2)
            search_expression(s, args[i], &(expression_place){up, e, i},
                              bent || args[i + 1] != ZW_ONE);
    } else if (is_function(op)) {
        for (int i = 0; i < n; i++) {
            const expression_place here = {up, e, i};
            if (!is_sum(s, args[i]))
                try_addends(s, &here, args[i], true);
            search_expression(s, args[i], &here, true);
        }
    }
}

static void search_expression(zw_repair_search_state *s, zw_expr e, const expression_place *up,
                              bool bent) {
    zw_op op = zw_expr_op(s->ctx, e);
    if (s->budget <= 0 || s->out->nrepair == ZW_REPAIRS_MAX || zw_trials_ask(s->ev))
        return;
    if (op == ZW_OP_SUM || !up)
        try_addends(s, up, e, bent);
    if ((s->slip == ZW_SLIP_EXCHANGE || s->slip == ZW_SLIP_PARAMETER) && op == ZW_OP_SYMBOL)
        exchange_name(s, up, e);
    if (s->slip == ZW_SLIP_INDICES && up && (op == ZW_OP_SUM || op == ZW_OP_PRODUCT))
        permute_indices(s, up, e);
    if (s->slip == ZW_SLIP_RATE && op == ZW_OP_SYMBOL)
        exchange_rate(s, up, e);
    if (s->slip == ZW_SLIP_EXCHANGE && is_function(op))
        exchange_function(s, up, e);
    if (s->slip == ZW_SLIP_EXPONENT)
        try_exponents(s, up, e);
    search_arguments(s, e, up, bent);
}

/* ------------------------------------------------------------------------------- missing term */

/* For a series its first coefficient, at the first sample of each curve. */
static void needed_term(zw_repair_search_state *s) {
    for (int j = 0; j < s->ev->nsample; j++) {
        s->need[j] = s->residual[j];
        s->known[j] = fabs(s->residual[j]) > TERM_MATTERS * s->scale[j];
        if (!s->ev->series)
            continue;
        int first = j % s->ev->series->width ? -1 : first_power(s, s->residual, j);
        s->known[j] = first >= 0;
        s->need[j] = first >= 0 ? s->residual[first] : 0;
    }
}

/* A term without accelerations and multipliers that makes a kinematic identity true is not trivial;
 * one with them may repeat the other side. */
void zw_search_propose_term(zw_repair_search_state *s, zw_expr term) {
    const zw_claim *c = s->claim;
    bool to_left = c->rhs == ZW_ZERO;
    zw_expr lhs = to_left ? zw_sub(s->ctx, c->lhs, term) : c->lhs;
    zw_expr rhs = to_left ? c->rhs : zw_add(s->ctx, c->rhs, term);
    bool says_something = lhs != rhs && !is_dynamic(s, term);
    if (!zw_search_is_sound(s, term) || !zw_search_holds(s, lhs, rhs, says_something))
        return;
    zw_text words;
    zw_allocator alloc = zw_context_allocator(s->ctx);
    zw_text_init(&words, &alloc);
    zw_text_put(&words, "missing term: ");
    print_expression(&words, s, to_left ? zw_neg(s->ctx, term) : term);
    zw_text_printf(&words, " on the %s side", to_left ? "left" : "right");
    zw_search_add(s, lhs, rhs, &words);
    zw_text_clear(&words);
}

static void missing_term(zw_repair_search_state *s) {
    needed_term(s);
    zw_expr term = zw_formula_term(&s->formula, s->need, s->known);
    if (zw_search_is_sound(s, term))
        zw_search_propose_term(s, term);
}

/* --------------------------------------------------------------------------------------- atoms */

/* Functions (with the other one of sin and cos), variables and, optionally, brackets inside e. */
static void collect_atoms(zw_repair_search_state *s, zw_expr e, int depth, bool brackets) {
    int n;
    const zw_expr *args = zw_expr_args(s->ctx, e, &n);
    zw_op op = zw_expr_op(s->ctx, e);
    bool pairs = op == ZW_OP_SUM || op == ZW_OP_PRODUCT;
    if (op == ZW_OP_SIN || op == ZW_OP_COS) {
        zw_formula_atom(&s->formula, zw_cos(s->ctx, args[0]));
        zw_formula_atom(&s->formula, zw_sin(s->ctx, args[0]));
    } else if (op == ZW_OP_SYMBOL) {
        for (int i = s->sys->np; i < s->ev->nsym; i++)
            if (s->ev->sym[i] == e)
                zw_formula_atom(&s->formula, e);
    } else if (is_function(op) || (brackets && op == ZW_OP_SUM && depth > 1)) {
        zw_formula_atom(&s->formula, e);
    }
    if (depth > 8 || !(pairs || is_function(op)))
        return;
    for (int i = op == ZW_OP_SUM ? 1 : 0; i < n; i += pairs ? 2 : 1)
        collect_atoms(s, args[i], depth + 1, brackets);
}

/* Those of the claim first, then of the system: candidates for a missing term. */
static zw_status collect_all_atoms(zw_repair_search_state *s, zw_error *err) {
    const zw_system *y = s->sys;
    for (int i = 0; i < s->claim->nsmall; i++)
        zw_formula_atom(&s->formula, s->claim->small[i].distance);
    collect_atoms(s, s->claim->lhs, 0, true);
    collect_atoms(s, s->claim->rhs, 0, true);
    for (int i = 0; i < y->nv; i++)
        zw_formula_atom(&s->formula, y->velocity[i].sym);
    for (int i = 0; i < y->nconstraint && s->claim->principle; i++)
        zw_formula_atom(&s->formula, y->constraint[i].lambda);
    for (int i = 0; i < y->nforce; i++)
        for (int k = 0; k < y->nv && y->force[i].Q; k++)
            collect_atoms(s, y->force[i].Q[k], 0, false);
    for (int i = 0; i < y->nq; i++) {
        if (strcmp(y->coord[i].unit, "rad") == 0) {
            zw_formula_atom(&s->formula, zw_cos(s->ctx, y->coord[i].sym));
            zw_formula_atom(&s->formula, zw_sin(s->ctx, y->coord[i].sym));
        }
        zw_formula_atom(&s->formula, y->coord[i].sym);
    }
    for (int i = 0; i < y->nconstraint; i++)
        zw_formula_atom(&s->formula, y->constraint[i].lambda);
    ZW_TRY(zw_context_status(s->ctx, err));
    return zw_formula_ready(&s->formula, err);
}

/* ---- the search ---- */

zw_status zw_repair_search(zw_verdict *out, const zw_system *sys, const zw_trials *ev,
                           zw_error *err) {
    const zw_claim *claim = out->claim;
    zw_repair_search_state s = {.sys = sys, .ctx = sys->ctx, .ev = ev, .claim = claim, .out = out};
    s.budget = 200000;
    s.residual = ZW_CONTEXT_NEW(sys->ctx, double, 5 * ev->nsample);
    s.known = ZW_CONTEXT_NEW(sys->ctx, bool, ev->nsample);
    if (!s.residual || !s.known)
        return zw_context_status(sys->ctx, err);
    s.scale = s.residual + ev->nsample;
    s.need = s.scale + ev->nsample;
    s.trial = s.need + ev->nsample;
    s.trial_scale = s.trial + ev->nsample;
    zw_claim_scales(sys, ev, claim->lhs, claim->rhs, s.scale);
    for (int j = 0; j < ev->nsample; j++)
        s.residual[j] = zw_sample_of(sys, ev, j, claim->residual);
    s.moves = zw_depends_any(sys->ctx, claim->residual, ev->nsym - sys->np, ev->sym + sys->np);
    s.dynamic = is_dynamic(&s, claim->residual);
    ZW_TRY(zw_formula_init(&s.formula, sys, ev, err));
    ZW_TRY(collect_all_atoms(&s, err));
    for (int k = 0; k < ZW_SLIP_COUNT && out->nrepair == 0; k++) {
        s.slip = (zw_slip)k;
        if (s.slip == ZW_SLIP_TERM)
            missing_term(&s);
        for (int side = 0; side < 2; side++) {
            s.on_right = side == 1;
            search_expression(&s, side ? claim->rhs : claim->lhs, NULL, false);
        }
    }
    if (out->nrepair == 0)
        zw_search_missing_terms(&s);
    if (out->nrepair == 0)
        zw_search_two_slips(&s);
    return zw_context_status(sys->ctx, err);
}
