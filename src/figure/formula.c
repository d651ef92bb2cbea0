/* SPDX-License-Identifier: MIT */
/* A formula becomes a program for a stack, one instruction per number, column and operation:
 *
 *     sum     = product {("+" | "-") product}
 *     product = factor {("*" | "/") factor}
 *     factor  = ["-"] atom ["^" whole number]
 *     atom    = number | column | function "(" sum ")" | "(" sum ")"
 *
 * A column is the longest name of the table that fits, so that lambda(roll) and x' are columns.
 * Inside a formula every column is in SI units, and dimensions are computed: a sum needs equal
 * ones, where a plain number takes that of its partner. A single column keeps its unit. */
#include "formula.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option.h"
#include "base/units.h"

enum { NUMBER, COLUMN, ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, NEGATE, FUNCTION };
enum { STACK = 16, EXPONENT_MAX = 9 };

static double to_degrees(double x) {
    return x * (180 / acos(-1));
}

static double keep_value(double x) {
    return x; /* inside a formula every column is in SI units */
}

static const struct {
    const char *name;
    double (*at)(double);
    bool pure; /* for a number or an angle; the result is a number */
} functions[] = {
    {"deg", to_degrees, false}, {"abs", fabs, false}, {"sqrt", sqrt, false},
    {"sin", sin, true},         {"cos", cos, true},   {"tan", tan, true},
    {"exp", exp, true},         {"log", log, true},   {"log10", log10, true},
    {"si", keep_value, false},
};

enum { DEG, SQRT = 2, FUNCTIONS = sizeof functions / sizeof *functions };

typedef struct parser {
    zw_column_formula *f;
    const zw_table *t;
    const char *text, *at;
    int depth;    /* of the stack */
    bool degrees; /* deg was used: angles are no longer in rad */
    zw_error *err;
} parser;

/* the dimension of a part; a plain number fits any dimension in a sum */
typedef struct quantity {
    zw_dim dim;
    bool plain;
} quantity;

static zw_status emit_code(parser *p, int op, int which, double value) {
    zw_column_formula *f = p->f;
    p->depth += op <= COLUMN ? 1 : op <= POWER ? -1 : 0;
    if (f->n == ZW_FORMULA_CODE || p->depth > STACK)
        return zw_fail(p->err, ZW_E_OPTION, "'%s' is too long a formula", p->text);
    f->code[f->n].op = op;
    f->code[f->n].which = which;
    f->code[f->n++].value = value;
    return ZW_OK;
}

static bool accept_character(parser *p, char c) {
    p->at += strspn(p->at, " ");
    if (*p->at != c)
        return false;
    p->at++;
    return true;
}

/* ---- columns ---- */

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '\'' || c == '.' || (c & 0x80);
}

/* the longest column whose name begins here; returns its length, 0 if none */
static size_t column_here(const zw_table *t, const char *at, int *column) {
    size_t longest = 0;
    for (int i = 0; i < zw_table_columns(t); i++) {
        const char *name = zw_table_name(t, i);
        size_t n = strlen(name);
        if (n > longest && strncmp(at, name, n) == 0 && !(is_name(name[n - 1]) && is_name(at[n]))) {
            longest = n;
            *column = i;
        }
    }
    return longest;
}

size_t zw_formula_column_here(const zw_table *t, const char *text) {
    int column;
    return column_here(t, text, &column);
}

size_t zw_formula_name_here(const char *text) {
    size_t n = 0;
    while (is_name(text[n]))
        n++;
    return n;
}

static zw_status report_unknown(const parser *p) {
    char name[ZW_FORMULA_TEXT], all[400] = "";
    const char *names[512];
    int n = 0, count = zw_table_columns(p->t) < 512 ? zw_table_columns(p->t) : 512;
    while (n < ZW_FORMULA_TEXT - 1 && is_name(p->at[n]))
        n++;
    if (n == 0)
        return zw_fail(p->err, ZW_E_OPTION, "'%s' is not a column or a formula of columns",
                       p->text);
    snprintf(name, sizeof name, "%.*s", n, p->at);
    for (int i = 0; i < count; i++)
        names[i] = zw_table_name(p->t, i);
    /* lambda(NAME) is one word for the user */
    const char *meant = p->at == p->text && p->at[n] == '(' ? p->text : name;
    const char *near = zw_nearest(meant, count, names);
    zw_fail(p->err, ZW_E_OPTION, "there is no column '%s'", meant);
    for (int i = 0; i < count && strlen(all) < 320; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%.60s", i ? ", " : "", names[i]);
    if (near)
        zw_error_hint(p->err, "did you mean %s?", near);
    else
        zw_error_hint(p->err, "the columns are %s", all);
    return ZW_E_OPTION;
}

static zw_status parse_column(parser *p, int column, quantity *q) {
    const char *unit = zw_table_unit(p->t, column), *name = zw_table_name(p->t, column);
    zw_unit u = {.factor = 1};
    u.dim = zw_dim_none();
    if (unit[0] && zw_unit_parse(&u, unit, strlen(unit), (zw_place){0}, NULL) < 0)
        return zw_fail(p->err, ZW_E_UNIT,
                       "the unit [%s] of %s is not known: there is no formula with it", unit, name);
    q->dim = u.dim;
    return emit_code(p, COLUMN, column, u.factor);
}

/* ---- formulas ---- */

static zw_status parse_sum(parser *p, quantity *q);

static zw_status close_bracket(parser *p) {
    if (accept_character(p, ')'))
        return ZW_OK;
    return zw_fail(p->err, ZW_E_OPTION, "'%s' misses a closing bracket", p->text);
}

static zw_status too_far(const parser *p) {
    return zw_fail(p->err, ZW_E_UNIT, "the unit of '%s' has no name", p->text);
}

static zw_status parse_call(parser *p, int f, quantity *q) {
    ZW_TRY(parse_sum(p, q));
    ZW_TRY(close_bracket(p));
    if (functions[f].pure && !zw_dim_is_none(&q->dim)) {
        char words[ZW_DIM_WORDS];
        zw_dim_words(&q->dim, words);
        return zw_fail(p->err, ZW_E_UNIT, "%s wants a plain number, but in '%s' it gets one %s",
                       functions[f].name, p->text, words);
    }
    if (functions[f].pure)
        q->dim = zw_dim_none();
    if (f == SQRT && !zw_dim_power(&q->dim, &q->dim, 1, 2))
        return too_far(p);
    p->degrees = p->degrees || f == DEG;
    return emit_code(p, FUNCTION, f, 0);
}

/* the function that is called here; FUNCTIONS if none */
static int function_here(const char *at) {
    int f = 0;
    for (; f < FUNCTIONS; f++) {
        size_t n = strlen(functions[f].name);
        if (strncmp(at, functions[f].name, n) == 0 && at[n] == '(')
            break;
    }
    return f;
}

size_t zw_formula_function_here(const char *text) {
    int f = function_here(text);
    return f < FUNCTIONS ? strlen(functions[f].name) + 1 : 0;
}

static zw_status parse_atom(parser *p, quantity *q) {
    int column = -1;
    *q = (quantity){.dim = zw_dim_none()};
    p->at += strspn(p->at, " ");
    size_t n = column_here(p->t, p->at, &column);
    p->at += n;
    if (n > 0)
        return parse_column(p, column, q);
    if (isdigit((unsigned char)*p->at)) {
        char *end;
        double value = strtod(p->at, &end);
        p->at = end;
        q->plain = true;
        return emit_code(p, NUMBER, 0, value);
    }
    int f = function_here(p->at);
    if (f < FUNCTIONS) {
        p->at += strlen(functions[f].name) + 1;
        return parse_call(p, f, q);
    }
    if (!accept_character(p, '('))
        return report_unknown(p);
    ZW_TRY(parse_sum(p, q));
    return close_bracket(p);
}

static zw_status parse_factor(parser *p, quantity *q) {
    bool minus = accept_character(p, '-');
    ZW_TRY(parse_atom(p, q));
    if (accept_character(p, '^')) {
        char *end;
        long exponent = strtol(p->at, &end, 10);
        if (end == p->at || labs(exponent) > EXPONENT_MAX)
            return zw_fail(p->err, ZW_E_OPTION,
                           "'%s': the exponent must be a whole number up to %d", p->text,
                           EXPONENT_MAX);
        p->at = end;
        if (!zw_dim_power(&q->dim, &q->dim, exponent, 1))
            return too_far(p);
        ZW_TRY(emit_code(p, NUMBER, 0, (double)exponent));
        ZW_TRY(emit_code(p, POWER, 0, 0));
    }
    return minus ? emit_code(p, NEGATE, 0, 0) : ZW_OK;
}

static zw_status parse_product(parser *p, quantity *q) {
    ZW_TRY(parse_factor(p, q));
    for (;;) {
        bool times = accept_character(p, '*'), over = !times && accept_character(p, '/');
        quantity other;
        if (!times && !over)
            return ZW_OK;
        ZW_TRY(parse_factor(p, &other));
        if (!zw_dim_combine(&q->dim, &q->dim, &other.dim, times ? 1 : -1))
            return too_far(p);
        q->plain = q->plain && other.plain;
        ZW_TRY(emit_code(p, times ? MULTIPLY : DIVIDE, 0, 0));
    }
}

static zw_status parse_sum(parser *p, quantity *q) {
    ZW_TRY(parse_product(p, q));
    for (;;) {
        bool plus = accept_character(p, '+'), minus = !plus && accept_character(p, '-');
        quantity other;
        if (!plus && !minus)
            return ZW_OK;
        ZW_TRY(parse_product(p, &other));
        if (!q->plain && !other.plain && !zw_dim_fits(&q->dim, &other.dim)) {
            char a[ZW_DIM_WORDS], b[ZW_DIM_WORDS];
            zw_dim_words(&q->dim, a);
            zw_dim_words(&other.dim, b);
            return zw_fail(p->err, ZW_E_UNIT, "'%s' adds what is %s and what is %s", p->text, a, b);
        }
        if (q->plain)
            *q = other;
        ZW_TRY(emit_code(p, plus ? ADD : SUBTRACT, 0, 0));
    }
}

/* an angle in degrees has that unit */
static void name_unit(zw_column_formula *f, const quantity *q, bool degrees) {
    char text[ZW_DIM_TEXT];
    zw_dim_text(&q->dim, text);
    if (degrees && strncmp(text, "rad", 3) == 0)
        memcpy(text, "deg", 3);
    snprintf(f->unit, sizeof f->unit, "%s", degrees && !text[0] ? "deg" : text);
}

/* true if the text is one call of this function, from its first letter to the closing bracket */
static bool is_call(const char *text, const char *function) {
    size_t n = strlen(text), name = strlen(function);
    int depth = 0;
    if (strncmp(text, function, name) != 0 || text[name] != '(' || text[n - 1] != ')')
        return false;
    for (size_t i = name; i + 1 < n; i++) {
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (depth == 0)
            return false;
    }
    return true;
}

/* the name of deg(theta) and si(theta) is theta, that of abs(x) is |x| */
static void name_formula(zw_column_formula *f, const char *text) {
    int n = (int)strlen(text);
    if (is_call(text, "deg"))
        snprintf(f->name, sizeof f->name, "%.*s", n - 5, text + 4);
    else if (is_call(text, "si"))
        snprintf(f->name, sizeof f->name, "%.*s", n - 4, text + 3);
    else if (is_call(text, "abs"))
        snprintf(f->name, sizeof f->name, "|%.*s|", n - 5, text + 4);
    else
        snprintf(f->name, sizeof f->name, "%s", text);
}

zw_status zw_formula_parse(zw_column_formula *f, const zw_table *t, const char *text,
                           zw_error *err) {
    *f = (zw_column_formula){0};
    if (strlen(text) >= ZW_FORMULA_TEXT)
        return zw_fail(err, ZW_E_OPTION, "'%.40s...' is too long a formula", text);
    int column = zw_table_find(t, text);
    if (column >= 0) {
        f->n = 1;
        f->code[0].op = COLUMN;
        f->code[0].which = column;
        f->code[0].value = 1;
        snprintf(f->name, sizeof f->name, "%s", text);
        snprintf(f->unit, sizeof f->unit, "%s", zw_table_unit(t, column));
        return ZW_OK;
    }
    parser p = {.f = f, .t = t, .text = text, .at = text, .err = err};
    quantity q;
    ZW_TRY(parse_sum(&p, &q));
    if (*p.at)
        return zw_fail(err, ZW_E_OPTION, "'%s' cannot be read from '%s' on", text, p.at);
    name_unit(f, &q, p.degrees);
    name_formula(f, text);
    return ZW_OK;
}

double zw_formula_at(const zw_column_formula *f, const zw_table *t, long row) {
    /* top: the last value; stack[0] is never a value */
    double stack[STACK + 1] = {0}, *top = stack;
    for (int i = 0; i < f->n; i++) {
        int which = f->code[i].which;
        double value = f->code[i].value;
        switch (f->code[i].op) {
        case NUMBER:
            *++top = value;
            break;
        case COLUMN:
            *++top = value * zw_table_at(t, row, which);
            break;
        case ADD:
            top--;
            *top += top[1];
            break;
        case SUBTRACT:
            top--;
            *top -= top[1];
            break;
        case MULTIPLY:
            top--;
            *top *= top[1];
            break;
        case DIVIDE:
            top--;
            *top /= top[1];
            break;
        case POWER:
            top--;
            *top = pow(*top, top[1]);
            break;
        case NEGATE:
            *top = -*top;
            break;
        default:
            *top = functions[which].at(*top);
        }
    }
    return *top;
}
