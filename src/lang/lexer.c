/* SPDX-License-Identifier: MIT */
/* Text to tokens. A line end closes a statement unless a bracket is open or the line ends with an
 * operator or a comma; a semicolon closes it too. A comment runs from # to the line end. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "syntax.h"

typedef struct lexer {
    zw_reader *r;
    const char *p, *end, *line_start;
    int line, depth;
    bool bad; /* a fault of this statement has been reported */
} lexer;

static zw_place place_at(const lexer *x, const char *p) {
    return (zw_place){x->r->file, x->line, (int)(p - x->line_start) + 1};
}

static zw_status push_token(lexer *x, zw_token_kind kind, char symbol, const char *text,
                            const char *end, const char *start) {
    zw_reader *r = x->r;
    void *array = r->token;
    if (!zw_arena_grow(r->arena, &array, r->ntoken, &r->token_capacity, sizeof *r->token))
        return zw_no_memory(r);
    r->token = array;
    zw_place at = place_at(x, start);
    r->token[r->ntoken++] = (zw_token){kind, symbol, text, (int)(end - text), at.line, at.column};
    return ZW_OK;
}

/* true if the statement continues after this token */
static bool leaves_open(const zw_token *t) {
    switch (t->kind) {
    case ZW_TK_CHAR:
        return t->symbol != ')';
    case ZW_TK_LE:
    case ZW_TK_GE:
    case ZW_TK_SCALAR:
        return true;
    case ZW_TK_NAME:
        return (t->length == 3 && memcmp(t->text, "and", 3) == 0) ||
               (t->length == 2 && memcmp(t->text, "or", 2) == 0) ||
               (t->length == 3 && memcmp(t->text, "not", 3) == 0);
    default:
        return false;
    }
}

static zw_status end_line(lexer *x, bool semicolon) {
    const zw_reader *r = x->r;
    const zw_token *last = r->ntoken ? &r->token[r->ntoken - 1] : NULL;
    bool open = last && !semicolon && (x->depth > 0 || leaves_open(last));
    zw_status status = ZW_OK;
    if (last && last->kind != ZW_TK_LINE && !open) {
        status = push_token(x, ZW_TK_LINE, 0, x->p, x->p, x->p);
        x->depth = 0;
        x->bad = false;
    }
    x->p++;
    if (!semicolon) {
        x->line++;
        x->line_start = x->p;
    }
    return status;
}

static zw_status lex_number(lexer *x) {
    const char *start = x->p;
    while (x->p < x->end && isdigit((unsigned char)*x->p))
        x->p++;
    if (x->p < x->end && *x->p == '.') {
        x->p++;
        while (x->p < x->end && isdigit((unsigned char)*x->p))
            x->p++;
    }
    if (x->p < x->end && (*x->p == 'e' || *x->p == 'E')) {
        const char *digits = x->p + 1;
        if (digits < x->end && (*digits == '+' || *digits == '-'))
            digits++;
        if (digits < x->end && isdigit((unsigned char)*digits)) {
            while (digits < x->end && isdigit((unsigned char)*digits))
                digits++;
            x->p = digits;
        }
    }
    if (x->p < x->end && (isalpha((unsigned char)*x->p) || *x->p == '_')) {
        const char *rest = x->p;
        while (x->p < x->end && (isalnum((unsigned char)*x->p) || *x->p == '_'))
            x->p++;
        zw_fail_at(x->r->err, ZW_E_SYNTAX, place_at(x, start),
                   "'%.*s' is neither a number nor a name", (int)(x->p - start), start);
        zw_error_hint(x->r->err,
                      "a product needs its sign, %.*s*%.*s; a unit its brackets, %.*s [%.*s]",
                      (int)(rest - start), start, (int)(x->p - rest), rest, (int)(rest - start),
                      start, (int)(x->p - rest), rest);
        return ZW_E_SYNTAX;
    }
    return push_token(x, ZW_TK_NUMBER, 0, start, x->p, start);
}

static zw_status lex_name(lexer *x) {
    const char *start = x->p;
    while (x->p < x->end && (isalnum((unsigned char)*x->p) || *x->p == '_'))
        x->p++;
    return push_token(x, ZW_TK_NAME, 0, start, x->p, start);
}

/* "..." and [...] must close on their line */
static zw_status lex_enclosed(lexer *x, zw_token_kind kind, char close, const char *what) {
    const char *start = x->p++;
    while (x->p < x->end && *x->p != close && *x->p != '\n')
        x->p++;
    if (x->p == x->end || *x->p != close) {
        zw_fail_at(x->r->err, ZW_E_SYNTAX, place_at(x, start), "%s is not closed", what);
        zw_error_hint(x->r->err, "add %c before the line ends", close);
        return ZW_E_SYNTAX;
    }
    x->p++;
    return push_token(x, kind, 0, start + 1, x->p - 1, start);
}

static bool is_blank_or_end(const lexer *x, const char *p) {
    return p >= x->end || *p == ' ' || *p == '\t' || *p == '\n' || *p == '\r';
}

static zw_status lex_dot(lexer *x) {
    const char *start = x->p++;
    bool before = start == x->r->text || is_blank_or_end(x, start - 1);
    bool after = is_blank_or_end(x, x->p);
    if (before == after)
        return push_token(x, before ? ZW_TK_SCALAR : ZW_TK_DOT, 0, start, x->p, start);
    zw_fail_at(x->r->err, ZW_E_SYNTAX, place_at(x, start), "a dot with a blank on one side only");
    if (before && isdigit((unsigned char)*x->p))
        zw_error_hint(x->r->err, "numbers begin with a digit: 0.5");
    else
        zw_error_hint(x->r->err, "'body.origin' has no blanks, the scalar product 'a . b' has two");
    return ZW_E_SYNTAX;
}

/* typographic signs, and their spelling here */
static const char *plain_sign(const lexer *x) {
    static const struct {
        const char *sign, *advice;
    } habit[] = {{"\xc2\xb0", "degrees are a unit: 30 [deg]"},
                 {"\xcf\x80", "write pi"},
                 {"\xc2\xb7", "a product is a*b"},
                 {"\xc3\x97", "a product is a*b"},
                 {"\xc2\xb2", "a square is x^2"},
                 {"\xc2\xb3", "a cube is x^3"},
                 {"\xe2\x88\x92", "the minus sign is -"},
                 {"\xe2\x80\x93", "the minus sign is -"},
                 {"\xe2\x80\x99", "the prime is '"},
                 {"\xe2\x80\xb2", "the prime is '"},
                 {"|", "the absolute value is abs(x), the length of a vector norm(a)"}};
    for (size_t i = 0; i < sizeof habit / sizeof *habit; i++) {
        size_t n = strlen(habit[i].sign);
        if ((size_t)(x->end - x->p) >= n && memcmp(x->p, habit[i].sign, n) == 0)
            return habit[i].advice;
    }
    return NULL;
}

static zw_status bad_character(lexer *x) {
    unsigned char c = (unsigned char)*x->p;
    const char *advice = plain_sign(x);
    if (isprint(c))
        zw_fail_at(x->r->err, ZW_E_SYNTAX, place_at(x, x->p), "'%c' has no meaning here", c);
    else
        zw_fail_at(x->r->err, ZW_E_SYNTAX, place_at(x, x->p),
                   "a character (byte %u) that has no meaning here", c);
    if (advice)
        zw_error_hint(x->r->err, "%s", advice);
    else if (c == ']')
        zw_error_hint(x->r->err, "square brackets hold units; the opening one is missing");
    else if (c >= 0x80)
        zw_error_hint(x->r->err,
                      "names have the letters A-Z a-z, digits and _; the prime is '; other "
                      "letters are welcome in comments and titles");
    return ZW_E_SYNTAX;
}

/* signs of other languages */
static zw_status doubled_sign(lexer *x) {
    const char *start = x->p, *advice = *start == '*'   ? "a power is x^2"
                                        : *start == '=' ? "an equation has one sign: x = y"
                                        : *start == '&' ? "write: and"
                                                        : "write: or";
    zw_fail_at(x->r->err, ZW_E_SYNTAX, place_at(x, start), "'%.2s' has no meaning here", start);
    zw_error_hint(x->r->err, "%s", advice);
    x->p += 2;
    return ZW_E_SYNTAX;
}

static zw_status lex_symbol(lexer *x) {
    const char *start = x->p;
    if ((*start == '<' || *start == '>') && start + 1 < x->end && start[1] == '=') {
        x->p += 2;
        return push_token(x, *start == '<' ? ZW_TK_LE : ZW_TK_GE, 0, start, x->p, start);
    }
    if (start + 1 < x->end && start[0] == start[1] && strchr("*=&|", *start))
        return doubled_sign(x);
    if (!*start || !strchr("(),:=+-*/^<>", *start))
        return bad_character(x);
    x->p++;
    if (*start == '(')
        x->depth++;
    else if (*start == ')' && x->depth > 0)
        x->depth--;
    return push_token(x, ZW_TK_CHAR, *start, start, x->p, start);
}

static zw_status lex_one(lexer *x) {
    unsigned char c = (unsigned char)*x->p;
    if (c == '\n' || c == ';')
        return end_line(x, c == ';');
    if (c == ' ' || c == '\t' || c == '\r') {
        x->p++;
        return ZW_OK;
    }
    if (c == '#') {
        while (x->p < x->end && *x->p != '\n')
            x->p++;
        return ZW_OK;
    }
    if (isdigit(c))
        return lex_number(x);
    if (isalpha(c) || c == '_')
        return lex_name(x);
    if (c == '\'') {
        x->p++;
        return push_token(x, ZW_TK_PRIME, 0, x->p - 1, x->p, x->p - 1);
    }
    if (c == '"')
        return lex_enclosed(x, ZW_TK_STRING, '"', "the text in quotes");
    if (c == '[')
        return lex_enclosed(x, ZW_TK_UNIT, ']', "the unit");
    if (c == '.')
        return lex_dot(x);
    return lex_symbol(x);
}

/* a token or, where faults are collected, ZW_TK_BAD */
static zw_status lex_next(lexer *x) {
    zw_reader *r = x->r;
    const char *start = x->p;
    zw_status status = lex_one(x);
    if (status >= 0 || status == ZW_E_MEMORY || !r->faults)
        return status;
    if (x->bad)
        *r->err = (zw_error){0};
    ZW_TRY(zw_faults_take(r->faults, status));
    x->bad = true;
    x->p += x->p == start;
    return push_token(x, ZW_TK_BAD, 0, start, x->p, start);
}

static zw_status lex_rest(lexer *x) {
    const zw_reader *r = x->r;
    while (x->p < x->end)
        ZW_TRY(lex_next(x));
    if (!r->ntoken || r->token[r->ntoken - 1].kind != ZW_TK_LINE)
        ZW_TRY(push_token(x, ZW_TK_LINE, 0, x->p, x->p, x->p));
    return push_token(x, ZW_TK_END, 0, x->p, x->p, x->p);
}

zw_status zw_lex_again(zw_reader *r, int from) {
    zw_token t = r->token[from];
    lexer x = {.r = r, .p = t.text, .end = r->text + r->length, .line = t.line};
    x.line_start = t.text - (t.column - 1);
    r->ntoken = from;
    return lex_rest(&x);
}

zw_status zw_lex(zw_reader *r) {
    if (r->length > ZW_TEXT_MAX)
        return zw_fail(r->err, ZW_E_SYNTAX, "%s: the text is longer than %d bytes", r->file,
                       ZW_TEXT_MAX);
    lexer x = {.r = r, .p = r->text, .end = r->text + r->length, .line_start = r->text, .line = 1};
    if (r->length >= 3 && memcmp(r->text, "\xef\xbb\xbf", 3) == 0)
        x.line_start = x.p += 3; /* the byte order mark that some editors write before UTF-8 */
    return lex_rest(&x);
}

void zw_lang_excerpt(const zw_reader *r, zw_error *err) {
    if (!err || err->line < 1 || err->excerpt[0] || strcmp(err->file, r->file) != 0)
        return;
    const char *p = r->text, *end = r->text + r->length;
    for (int line = 1; line < err->line && p; line++) {
        p = memchr(p, '\n', (size_t)(end - p));
        p = p ? p + 1 : NULL;
    }
    if (!p)
        return;
    size_t n = 0, room = sizeof err->excerpt - 1;
    while (p + n < end && n < room && p[n] != '\n' && p[n] != '\r' && p[n] != '\0')
        n++;
    /* not in the middle of a multi-byte character */
    while (n == room && n > 0 && ((unsigned char)p[n - 1] & 0xc0) == 0x80)
        n--;
    if (n && ((unsigned char)p[n - 1] & 0xc0) == 0xc0)
        n--;
    memcpy(err->excerpt, p, n);
    err->excerpt[n] = '\0';
}
