/* SPDX-License-Identifier: MIT */
/* Expressions, by recursive descent. From loose to tight:
 *
 *   node    = conj { "or" conj }
 *   conj    = neg { "and" neg }
 *   neg     = "not" neg | compare
 *   compare = sum [ ("<" | "<=" | ">" | ">=") sum ]
 *   sum     = product { ("+" | "-") product }
 *   product = unary { ("*" | "/" | " . ") unary }
 *   unary   = ("-" | "+") unary | power
 *   power   = primary [ "^" unary ]           a number as exponent takes no unit
 *   primary = atom { "'" | "." name [ "(" node ")" ] }
 *   atom    = number [ unit ] | name | name "(" node, ... ")"
 *           | "lambda" "(" name [ "." ( number | name ) ] ")"
 *           | "(" node ")" | "(" node "," node, ... ")"
 *
 * Chains of operators of one precedence become one node with many arguments, so that the depth of
 * the tree is bounded by the nesting counted here, and later passes may recurse. */
#include <stdio.h>
#include <string.h>

#include "syntax.h"

const zw_token *zw_token_now(const zw_reader *r) {
    return &r->token[r->at];
}

zw_place zw_token_place(const zw_reader *r, const zw_token *t) {
    return (zw_place){r->file, t->line, t->column};
}

bool zw_token_is(const zw_reader *r, char symbol) {
    const zw_token *t = zw_token_now(r);
    return t->kind == ZW_TK_CHAR && t->symbol == symbol;
}

bool zw_token_word(const zw_reader *r, const char *word) {
    const zw_token *t = zw_token_now(r);
    return t->kind == ZW_TK_NAME && (size_t)t->length == strlen(word) &&
           memcmp(t->text, word, strlen(word)) == 0;
}

bool zw_accept(zw_reader *r, char symbol) {
    bool found = zw_token_is(r, symbol);
    r->at += found;
    return found;
}

bool zw_accept_word(zw_reader *r, const char *word) {
    bool found = zw_token_word(r, word);
    r->at += found;
    return found;
}

static void describe_token(const zw_token *t, char *out, size_t size) {
    int n = t->length < 40 ? t->length : 40;
    switch (t->kind) {
    case ZW_TK_END:
    case ZW_TK_LINE:
        snprintf(out, size, "the end of the statement");
        break;
    case ZW_TK_UNIT:
        snprintf(out, size, "the unit [%.*s]", n, t->text);
        break;
    case ZW_TK_STRING:
        snprintf(out, size, "the text \"%.*s\"", n, t->text);
        break;
    default:
        snprintf(out, size, "'%.*s'", n, t->text);
    }
}

/* "1,5" outside brackets in the statement so far: a number with a decimal comma */
static const zw_token *decimal_comma(const zw_reader *r) {
    int first = r->at, depth = 0;
    while (first > 0 && r->token[first - 1].kind != ZW_TK_LINE)
        first--;
    for (int i = first; i + 2 < r->ntoken && i <= r->at; i++) {
        const zw_token *t = &r->token[i];
        if (t->kind == ZW_TK_CHAR)
            depth += t->symbol == '(' ? 1 : t->symbol == ')' ? -1 : 0;
        if (depth == 0 && t->kind == ZW_TK_NUMBER && t[1].kind == ZW_TK_CHAR &&
            t[1].symbol == ',' && t[2].kind == ZW_TK_NUMBER && t[1].text == t->text + t->length &&
            t[2].text == t[1].text + 1 && !memchr(t->text, '.', (size_t)t->length))
            return t;
    }
    return NULL;
}

zw_status zw_unexpected(zw_reader *r, const char *what) {
    const zw_token *t = zw_token_now(r), *comma = decimal_comma(r);
    char found[80];
    describe_token(t, found, sizeof found);
    zw_fail_at(r->err, ZW_E_SYNTAX, zw_token_place(r, t), "%s is expected here, not %s", what,
               found);
    if (comma)
        zw_error_hint(r->err, "did you mean %.*s.%.*s? decimals have a point", comma->length,
                      comma->text, comma[2].length, comma[2].text);
    return ZW_E_SYNTAX;
}

bool zw_product_hint(zw_reader *r) {
    const zw_token *t = zw_token_now(r), *before = t - 1;
    zw_unit unit;
    bool left = r->at > 0 && (before->kind == ZW_TK_NUMBER || before->kind == ZW_TK_NAME ||
                              before->kind == ZW_TK_UNIT || before->kind == ZW_TK_PRIME ||
                              (before->kind == ZW_TK_CHAR && before->symbol == ')'));
    bool right = t->kind == ZW_TK_NAME || t->kind == ZW_TK_NUMBER ||
                 (t->kind == ZW_TK_CHAR && t->symbol == '(');
    if (!left || !right || before->line != t->line)
        return false;
    char word[32];
    snprintf(word, sizeof word, "%.*s", before->length < 31 ? before->length : 31, before->text);
    if (zw_token_word(r, "if"))
        zw_error_hint(r->err, "a choice is if(test, a, b)");
    else if (before->kind == ZW_TK_NAME && zw_is_function(word))
        zw_error_hint(r->err, "a function has brackets: %s(...)", word);
    else if (before->kind == ZW_TK_UNIT)
        zw_error_hint(r->err, "a product needs its sign, a list its commas");
    else if (before->kind == ZW_TK_NUMBER && t->kind == ZW_TK_NAME &&
             zw_unit_parse(&unit, t->text, (size_t)t->length, (zw_place){0}, NULL) >= 0)
        zw_error_hint(r->err,
                      "a product needs its sign, %.*s*%.*s; a unit its brackets, %.*s [%.*s]",
                      before->length, before->text, t->length, t->text, before->length,
                      before->text, t->length, t->text);
    else if (before->kind == ZW_TK_NUMBER || before->kind == ZW_TK_NAME)
        zw_error_hint(
            r->err, "a product needs its sign: %.*s*%.*s%s", before->length, before->text,
            t->length, t->text,
            t->kind == ZW_TK_NAME && t[1].kind == ZW_TK_CHAR && t[1].symbol == '(' ? "(...)" : "");
    else
        zw_error_hint(r->err, "a product needs its sign: a*b");
    return true;
}

zw_status zw_expect(zw_reader *r, char symbol, const char *where) {
    if (zw_accept(r, symbol))
        return ZW_OK;
    char what[80];
    snprintf(what, sizeof what, "'%c' %s", symbol, where);
    return zw_unexpected(r, what);
}

zw_status zw_expect_name(zw_reader *r, const char *what, const char **name, zw_place *place) {
    const zw_token *t = zw_token_now(r);
    if (t->kind != ZW_TK_NAME)
        return zw_unexpected(r, what);
    *name = zw_intern_n(r->names, t->text, (size_t)t->length);
    if (!*name)
        return zw_no_memory(r);
    if (place)
        *place = zw_token_place(r, t);
    r->at++;
    return ZW_OK;
}

zw_syntax *zw_syntax_new(zw_reader *r, zw_syntax_kind kind, zw_place place, int n) {
    zw_syntax *node = ZW_NEW(r->arena, zw_syntax, 1);
    if (!node)
        return NULL;
    node->kind = kind;
    node->place = place;
    node->n = n;
    if (n) {
        node->arg = ZW_NEW(r->arena, zw_syntax *, n);
        node->op = ZW_NEW(r->arena, char, n);
        if (!node->arg || !node->op)
            return NULL;
    }
    return node;
}

/* A growing argument list, turned into a node when it is complete. */
typedef struct chain {
    zw_syntax **arg;
    char *op;
    int n, arg_capacity, op_capacity;
} chain;

static zw_status chain_add(zw_reader *r, chain *c, char op, zw_syntax *node) {
    void *arg = c->arg, *ops = c->op;
    if (!zw_arena_grow(r->arena, &arg, c->n, &c->arg_capacity, sizeof(zw_syntax *)) ||
        !zw_arena_grow(r->arena, &ops, c->n, &c->op_capacity, 1))
        return zw_no_memory(r);
    c->arg = arg;
    c->op = ops;
    c->arg[c->n] = node;
    c->op[c->n++] = op;
    return ZW_OK;
}

static zw_status chain_close(zw_reader *r, const chain *c, zw_syntax_kind kind, zw_place place,
                             zw_syntax **out) {
    *out = zw_syntax_new(r, kind, place, 0);
    if (!*out)
        return zw_no_memory(r);
    (*out)->n = c->n;
    (*out)->arg = c->arg;
    (*out)->op = c->op;
    return ZW_OK;
}

static zw_status enter_nesting(zw_reader *r) {
    if (++r->nesting <= ZW_NESTING_MAX)
        return ZW_OK;
    zw_fail_at(r->err, ZW_E_SYNTAX, zw_token_place(r, zw_token_now(r)),
               "the expression is nested more than %d deep", ZW_NESTING_MAX);
    zw_error_hint(r->err, "name its parts with let");
    return ZW_E_SYNTAX;
}

/* the arguments of a call or the components of a tuple, after the first ones in c, up to ")" */
static zw_status parse_list(zw_reader *r, const zw_token *open, chain *c) {
    bool outer = r->exponent;
    for (;;) {
        zw_syntax *node;
        r->exponent = false;
        ZW_TRY(zw_parse_node(r, &node));
        r->exponent = outer;
        if (c->n == ZW_TUPLE_MAX)
            return zw_fail_at(r->err, ZW_E_SYNTAX, node->place, "more than %d components",
                              ZW_TUPLE_MAX);
        ZW_TRY(chain_add(r, c, ',', node));
        if (zw_accept(r, ','))
            continue;
        if (zw_accept(r, ')'))
            return ZW_OK;
        if (r->token[r->at].kind == ZW_TK_LINE)
            return zw_fail_at(r->err, ZW_E_SYNTAX, zw_token_place(r, open),
                              "this bracket is not closed");
        zw_unexpected(r, "')'");
        if (!zw_product_hint(r))
            zw_error_hint(r->err, "the bracket opened in line %d, column %d is not closed",
                          open->line, open->column);
        return ZW_E_SYNTAX;
    }
}

static zw_status parse_bracket(zw_reader *r, zw_syntax **out) {
    const zw_token *open = zw_token_now(r);
    r->at++;
    chain c = {0};
    ZW_TRY(parse_list(r, open, &c));
    if (c.n == 1) {
        *out = c.arg[0];
        return ZW_OK;
    }
    return chain_close(r, &c, ZW_ND_TUPLE, zw_token_place(r, open), out);
}

static zw_status parse_number(zw_reader *r, zw_syntax **out) {
    const zw_token *t = zw_token_now(r);
    zw_syntax *node = zw_syntax_new(r, ZW_ND_NUMBER, zw_token_place(r, t), 0);
    if (!node || !(node->name = zw_arena_copy(r->arena, t->text, (size_t)t->length)))
        return zw_no_memory(r);
    r->at++;
    t = zw_token_now(r);
    if (t->kind == ZW_TK_UNIT && !r->exponent) {
        zw_place place = zw_token_place(r, t);
        place.column++;
        ZW_TRY(zw_unit_parse(&node->unit, t->text, (size_t)t->length, place, r->err));
        node->has_unit = true;
        node->unit_text = zw_arena_copy(r->arena, t->text, (size_t)t->length);
        if (!node->unit_text)
            return zw_no_memory(r);
        r->at++;
    }
    *out = node;
    return ZW_OK;
}

zw_status zw_expect_constraint(zw_reader *r, const char **name, zw_place *place) {
    ZW_TRY(zw_expect_name(r, "the name of a constraint", name, place));
    while (zw_token_now(r)->kind == ZW_TK_DOT) {
        r->at++;
        const zw_token *t = zw_token_now(r);
        if (t->kind != ZW_TK_NUMBER && t->kind != ZW_TK_NAME)
            return zw_unexpected(r, "the number of an equation");
        char full[160];
        int n = snprintf(full, sizeof full, "%s.%.*s", *name, t->length, t->text);
        if (n >= (int)sizeof full)
            return zw_fail_at(r->err, ZW_E_NAME, *place, "the name is too long");
        *name = zw_intern_n(r->names, full, (size_t)n);
        r->at++;
        if (!*name)
            return zw_no_memory(r);
    }
    return ZW_OK;
}

/* lambda(name), lambda(name.2) or lambda(name.contact) */
static zw_status parse_lambda(zw_reader *r, zw_syntax *node) {
    ZW_TRY(zw_expect_constraint(r, &node->name, &node->place));
    return zw_expect(r, ')', "after the name of the constraint");
}

static zw_status parse_name(zw_reader *r, zw_syntax **out) {
    const char *name;
    zw_place place;
    ZW_TRY(zw_expect_name(r, "a name", &name, &place));
    const zw_token *open = zw_token_now(r);
    bool call = zw_accept(r, '(');
    zw_syntax *node = zw_syntax_new(r, call ? ZW_ND_CALL : ZW_ND_NAME, place, 0);
    if (!node)
        return zw_no_memory(r);
    node->name = name;
    *out = node;
    if (!call)
        return ZW_OK;
    if (strcmp(name, "lambda") == 0) {
        node->kind = ZW_ND_LAMBDA;
        return parse_lambda(r, node);
    }
    chain c = {0};
    bool outer = r->contact;
    r->contact = zw_is_contact_function(name);
    zw_status status = parse_list(r, open, &c);
    r->contact = outer;
    if (status < 0)
        return status;
    node->n = c.n;
    node->arg = c.arg;
    return ZW_OK;
}

static zw_status parse_atom(zw_reader *r, zw_syntax **out) {
    const zw_token *t = zw_token_now(r);
    if (t->kind == ZW_TK_NUMBER)
        return parse_number(r, out);
    if (t->kind == ZW_TK_NAME)
        return parse_name(r, out);
    if (zw_token_is(r, '('))
        return parse_bracket(r, out);
    return zw_unexpected(r, "a number, a name or '('");
}

static zw_status parse_member(zw_reader *r, zw_syntax **node) {
    const char *name;
    zw_place place;
    r->at++;
    const zw_token *number = zw_token_now(r);
    if (r->contact && number->kind == ZW_TK_NUMBER) {
        name = zw_intern_n(r->names, number->text, (size_t)number->length);
        place = zw_token_place(r, number);
        r->at++;
        if (!name)
            return zw_no_memory(r);
    } else {
        ZW_TRY(zw_expect_name(r, "the name of a member", &name, &place));
    }
    const zw_token *open = zw_token_now(r);
    bool call = zw_accept(r, '(');
    zw_syntax *member =
        zw_syntax_new(r, call ? ZW_ND_METHOD : ZW_ND_MEMBER, (*node)->place, call ? 2 : 1);
    if (!member)
        return zw_no_memory(r);
    member->name = name;
    member->name_place = place;
    member->arg[0] = *node;
    *node = member;
    if (!call)
        return ZW_OK;
    chain c = {0};
    ZW_TRY(parse_list(r, open, &c));
    if (c.n == 1) {
        member->arg[1] = c.arg[0];
        return ZW_OK;
    }
    return chain_close(r, &c, ZW_ND_TUPLE, zw_token_place(r, open), &member->arg[1]);
}

/* x^2' would mean x^(2'), which is never intended, and a number has no derivative */
static zw_status check_prime(zw_reader *r, const zw_syntax *node) {
    if (!r->exponent && node->kind != ZW_ND_NUMBER)
        return ZW_OK;
    zw_fail_at(r->err, ZW_E_SYNTAX, zw_token_place(r, zw_token_now(r)),
               r->exponent ? "the prime would apply to the exponent alone"
                           : "a number has no time derivative");
    if (r->exponent)
        zw_error_hint(
            r->err,
            "write (x^2)' for the derivative of a power, 2^(x') for a rate in the exponent");
    else
        zw_error_hint(r->err, "write a prime after a name or a closing bracket: x', (2*x)'");
    return ZW_E_SYNTAX;
}

static zw_status parse_primes(zw_reader *r, zw_syntax **node) {
    ZW_TRY(check_prime(r, *node));
    zw_syntax *prime = zw_syntax_new(r, ZW_ND_PRIME, (*node)->place, 1);
    if (!prime)
        return zw_no_memory(r);
    prime->arg[0] = *node;
    *node = prime;
    while (zw_token_now(r)->kind == ZW_TK_PRIME && prime->count < 100) {
        prime->count++;
        r->at++;
    }
    return ZW_OK;
}

zw_status zw_parse_primary(zw_reader *r, zw_syntax **out) {
    int nesting = r->nesting;
    ZW_TRY(enter_nesting(r));
    ZW_TRY(parse_atom(r, out));
    for (;;) {
        zw_token_kind kind = zw_token_now(r)->kind;
        if (kind != ZW_TK_PRIME && kind != ZW_TK_DOT)
            break;
        ZW_TRY(enter_nesting(r));
        ZW_TRY(kind == ZW_TK_PRIME ? parse_primes(r, out) : parse_member(r, out));
    }
    r->nesting = nesting;
    return ZW_OK;
}

static zw_status parse_unary(zw_reader *r, zw_syntax **out);

static zw_status parse_power(zw_reader *r, zw_syntax **out) {
    ZW_TRY(zw_parse_primary(r, out));
    if (!zw_token_is(r, '^'))
        return ZW_OK;
    zw_syntax *power = zw_syntax_new(r, ZW_ND_POWER, (*out)->place, 2);
    if (!power)
        return zw_no_memory(r);
    r->at++;
    power->arg[0] = *out;
    *out = power;
    bool outer = r->exponent;
    r->exponent = true;
    zw_status status = parse_unary(r, &power->arg[1]);
    r->exponent = outer;
    return status;
}

static zw_status parse_unary(zw_reader *r, zw_syntax **out) {
    int nesting = r->nesting;
    ZW_TRY(enter_nesting(r));
    if (zw_accept(r, '+')) {
        ZW_TRY(parse_unary(r, out));
    } else if (zw_token_is(r, '-')) {
        zw_syntax *node = zw_syntax_new(r, ZW_ND_NEG, zw_token_place(r, zw_token_now(r)), 1);
        if (!node)
            return zw_no_memory(r);
        r->at++;
        *out = node;
        ZW_TRY(parse_unary(r, &node->arg[0]));
    } else {
        ZW_TRY(parse_power(r, out));
    }
    r->nesting = nesting;
    return ZW_OK;
}

/* the operator of a product at the current token, or 0 */
static char product_sign(const zw_reader *r) {
    const zw_token *t = zw_token_now(r);
    if (t->kind == ZW_TK_SCALAR)
        return '.';
    return t->kind == ZW_TK_CHAR && (t->symbol == '*' || t->symbol == '/') ? t->symbol : 0;
}

static char sum_sign(const zw_reader *r) {
    const zw_token *t = zw_token_now(r);
    return t->kind == ZW_TK_CHAR && (t->symbol == '+' || t->symbol == '-') ? t->symbol : 0;
}

/* operand { sign operand } */
static zw_status parse_chain(zw_reader *r, zw_syntax_kind kind, char first,
                             char (*sign)(const zw_reader *),
                             zw_status (*operand)(zw_reader *, zw_syntax **), zw_syntax **out) {
    ZW_TRY(operand(r, out));
    if (!sign(r))
        return ZW_OK;
    zw_place place = (*out)->place;
    chain c = {0};
    ZW_TRY(chain_add(r, &c, first, *out));
    for (char s = sign(r); s; s = sign(r)) {
        zw_syntax *node;
        r->at++;
        ZW_TRY(operand(r, &node));
        ZW_TRY(chain_add(r, &c, s, node));
    }
    return chain_close(r, &c, kind, place, out);
}

static zw_status parse_product(zw_reader *r, zw_syntax **out) {
    return parse_chain(r, ZW_ND_PRODUCT, '*', product_sign, parse_unary, out);
}

zw_status zw_parse_sum(zw_reader *r, zw_syntax **out) {
    return parse_chain(r, ZW_ND_SUM, '+', sum_sign, parse_product, out);
}

static zw_status parse_compare(zw_reader *r, zw_syntax **out) {
    ZW_TRY(zw_parse_sum(r, out));
    const zw_token *t = zw_token_now(r);
    char op = t->kind == ZW_TK_LE                                               ? 'l'
              : t->kind == ZW_TK_GE                                             ? 'g'
              : t->kind == ZW_TK_CHAR && (t->symbol == '<' || t->symbol == '>') ? t->symbol
                                                                                : 0;
    if (!op)
        return ZW_OK;
    zw_syntax *node = zw_syntax_new(r, ZW_ND_COMPARE, (*out)->place, 2);
    if (!node)
        return zw_no_memory(r);
    r->at++;
    node->op[0] = op;
    node->arg[0] = *out;
    *out = node;
    return zw_parse_sum(r, &node->arg[1]);
}

static zw_status parse_not(zw_reader *r, zw_syntax **out) {
    if (!zw_token_word(r, "not"))
        return parse_compare(r, out);
    int nesting = r->nesting;
    ZW_TRY(enter_nesting(r));
    zw_syntax *node = zw_syntax_new(r, ZW_ND_NOT, zw_token_place(r, zw_token_now(r)), 1);
    if (!node)
        return zw_no_memory(r);
    r->at++;
    *out = node;
    ZW_TRY(parse_not(r, &node->arg[0]));
    r->nesting = nesting;
    return ZW_OK;
}

static char and_word(const zw_reader *r) {
    return zw_token_word(r, "and") ? '&' : 0;
}

static char or_word(const zw_reader *r) {
    return zw_token_word(r, "or") ? '|' : 0;
}

static zw_status parse_and(zw_reader *r, zw_syntax **out) {
    return parse_chain(r, ZW_ND_AND, '&', and_word, parse_not, out);
}

zw_status zw_parse_node(zw_reader *r, zw_syntax **out) {
    int nesting = r->nesting;
    ZW_TRY(enter_nesting(r));
    ZW_TRY(parse_chain(r, ZW_ND_OR, '|', or_word, parse_and, out));
    r->nesting = nesting;
    return ZW_OK;
}

zw_status zw_parse_expression(zw_reader *r, zw_syntax **out) {
    ZW_TRY(zw_parse_node(r, out));
    if (zw_token_now(r)->kind != ZW_TK_LINE || r->token[r->at + 1].kind != ZW_TK_END)
        return zw_unexpected(r, "the end of the expression");
    return ZW_OK;
}
