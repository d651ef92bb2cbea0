/* SPDX-License-Identifier: MIT */
/* One pass over the text. In a name, each identifier is set by the conventions of mechanics:
 *
 *     single letter, Greek name     italic            x, theta -> θ
 *     longer word                   upright           energy
 *     after _ , digits at the end   lowered           x_1, x1 -> x with index 1
 *     primes                        dots above        x', x'' (more than three stay primes)
 *     ^2, ^-1, ^(...)               raised
 *     * and -                       centred dot and true minus sign
 *     2.5e-3                        2.5 times ten to the power of -3
 *     [...], {...}                  a unit, with its brackets and without
 *     "..."                         upright, as it is
 *
 * Units are upright, with raised exponents and the sign for degrees. */
#include "label.h"

#include <ctype.h>
#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

static const struct {
    const char *name, *sign;
} greek[] = {
    {"alpha", "α"}, {"beta", "β"},   {"gamma", "γ"},  {"delta", "δ"}, {"epsilon", "ε"},
    {"eps", "ε"},   {"zeta", "ζ"},   {"eta", "η"},    {"theta", "θ"}, {"iota", "ι"},
    {"kappa", "κ"}, {"lambda", "λ"}, {"mu", "μ"},     {"nu", "ν"},    {"xi", "ξ"},
    {"pi", "π"},    {"rho", "ρ"},    {"sigma", "σ"},  {"tau", "τ"},   {"upsilon", "υ"},
    {"phi", "φ"},   {"chi", "χ"},    {"psi", "ψ"},    {"omega", "ω"}, {"Gamma", "Γ"},
    {"Delta", "Δ"}, {"Theta", "Θ"},  {"Lambda", "Λ"}, {"Xi", "Ξ"},    {"Pi", "Π"},
    {"Sigma", "Σ"}, {"Phi", "Φ"},    {"Psi", "Ψ"},    {"Omega", "Ω"},
};

/* ---- pieces ---- */

/* n bytes upright on a level */
static void put_n(const zw_out_sink *k, const char *s, size_t n, zw_out_level level) {
    if (n > 0)
        k->put(k->to, &(zw_out_piece){.text = s, .n = n, .level = level});
}

static void put_text(const zw_out_sink *k, const char *s, zw_out_level level) {
    put_n(k, s, strlen(s), level);
}

static bool is_equal(const char *word, const char *s, size_t n) {
    return strlen(word) == n && strncmp(word, s, n) == 0;
}

/* the Greek letter of that name, or the name itself */
static const char *greek_sign(const char *s, size_t n) {
    for (size_t i = 0; i < sizeof greek / sizeof *greek; i++)
        if (is_equal(greek[i].name, s, n) || is_equal(greek[i].sign, s, n))
            return greek[i].sign;
    return NULL;
}

/* a word by its kind: Greek and single letters italic, numbers and longer words upright */
static void put_word(const zw_out_sink *k, const char *s, size_t n, zw_out_level level, int dots) {
    const char *sign = greek_sign(s, n);
    zw_out_piece piece = {.text = s, .n = n, .level = level, .dots = dots};
    if (n == 0)
        return;
    piece.italic = sign || (n == 1 && isalpha((unsigned char)s[0]));
    if (sign) {
        piece.text = sign;
        piece.n = strlen(sign);
    }
    k->put(k->to, &piece);
}

/* ---- identifiers ---- */

static bool is_word(char c) {
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

static size_t word_length(const char *s) {
    size_t n = 0;
    while (is_word(s[n]))
        n++;
    return n;
}

static size_t count_primes(const char *s) {
    return strspn(s, "'");
}

/* length of everything after _ */
static size_t indices_length(const char *s) {
    size_t n = 0;
    while (s[n] == '_' && is_word(s[n + 1]))
        n += 1 + word_length(s + n + 1);
    return n;
}

/* An identifier with its primes, which may be before or after the indices; returns its length. */
static size_t put_identifier(const zw_out_sink *k, const char *s) {
    size_t n = word_length(s), digits = 0;
    while (digits < n && isdigit((unsigned char)s[n - 1 - digits]))
        digits++;
    /* "run12" is a word, "x12" a letter with index */
    if (n - digits > 1 && !greek_sign(s, n - digits))
        digits = 0;
    size_t before = count_primes(s + n), from = n + before, length = indices_length(s + from);
    size_t behind = count_primes(s + from + length), primes = before + behind;
    put_word(k, s, n - digits, ZW_OUT_LINE, primes <= 3 ? (int)primes : 0);
    put_n(k, s + n - digits, digits, ZW_OUT_LOWERED);
    for (size_t i = from; i < from + length;) {
        size_t word = word_length(s + i + 1);
        if (digits > 0 || i > from)
            put_text(k, ",", ZW_OUT_LOWERED);
        put_word(k, s + i + 1, word, ZW_OUT_LOWERED, 0);
        i += 1 + word;
    }
    for (size_t i = 0; primes > 3 && i < primes; i++)
        put_text(k, "′", ZW_OUT_LINE);
    return from + length + behind;
}

/* the part raised after ^: a signed number or word, or everything inside brackets; returns its
 * length */
static size_t put_exponent(const zw_out_sink *k, const char *s, const char *end) {
    const char *from = s;
    size_t n = 0, skip;
    if (s < end && s[0] == '(') {
        const char *close = memchr(s, ')', (size_t)(end - s));
        from = s + 1;
        n = (size_t)((close ? close : end) - from);
        skip = n + 1 + (close != NULL);
    } else {
        n = s < end && (s[0] == '-' || s[0] == '+');
        while (is_word(s[n]) || (s[n] == '.' && isdigit((unsigned char)s[n + 1])))
            n++;
        skip = n;
    }
    if (n > 0 && from[0] == '-') {
        put_text(k, "−", ZW_OUT_RAISED);
        from++;
        n--;
    }
    put_word(k, from, n, ZW_OUT_RAISED, 0);
    return skip;
}

/* ---- units, quotations, numbers ---- */

static void put_unit(const zw_out_sink *k, const char *s, const char *end) {
    while (s < end) {
        size_t left = (size_t)(end - s), n;
        if (*s == '^') {
            s += 1 + put_exponent(k, s + 1, end);
        } else if (*s == '*') {
            put_text(k, "·", ZW_OUT_LINE);
            s++;
        } else if (isalpha((unsigned char)*s)) {
            n = strcspn(s, "^*/ ()");
            n = n < left ? n : left;
            if (is_equal("deg", s, n))
                put_text(k, "°", ZW_OUT_LINE);
            else
                put_n(k, s, n, ZW_OUT_LINE);
            s += n;
        } else {
            n = 1 + strcspn(s + 1, "^*" LETTERS);
            n = n < left ? n : left;
            put_n(k, s, n, ZW_OUT_LINE);
            s += n;
        }
    }
}

static void put_prose(const zw_out_sink *k, const char *s, size_t n) {
    if (n > 0)
        k->put(k->to, &(zw_out_piece){.text = s, .n = n, .words = true});
}

/* a unit or a quotation up to its closing sign; returns its length, 0 if it is not closed */
static size_t put_enclosed(const zw_out_sink *k, const char *s) {
    const char close = *s == '[' ? ']' : *s == '{' ? '}' : '"';
    const char *end = strchr(s + 1, close);
    if (!end)
        return 0;
    if (*s == '[')
        put_text(k, "[", ZW_OUT_LINE);
    if (*s == '"')
        put_prose(k, s + 1, (size_t)(end - s - 1));
    else
        put_unit(k, s + 1, end);
    if (*s == '[')
        put_text(k, "]", ZW_OUT_LINE);
    return (size_t)(end - s) + 1;
}

/* a number, 2.5e-3 as 2.5 times ten to the power of -3; returns its length */
static size_t put_number(const zw_out_sink *k, const char *s) {
    size_t n = strspn(s, "0123456789."), sign = 0, digits = 0;
    if (s[n] == 'e' || s[n] == 'E') {
        sign = s[n + 1] == '-' || s[n + 1] == '+';
        digits = strspn(s + n + 1 + sign, "0123456789");
    }
    if (digits == 0 || is_word(s[n + 1 + sign + digits])) {
        put_n(k, s, n, ZW_OUT_LINE);
        return n;
    }
    if (!is_equal("1", s, n)) {
        put_n(k, s, n, ZW_OUT_LINE);
        put_text(k, "·", ZW_OUT_LINE);
    }
    put_text(k, "10", ZW_OUT_LINE);
    /* 1e-08 is 10^-8, 1e+08 is 10^8 */
    const char *exponent = s + n + 1 + sign;
    size_t zeros = strspn(exponent, "0");
    zeros = zeros < digits ? zeros : digits - 1;
    if (s[n + 1] == '-')
        put_text(k, "−", ZW_OUT_RAISED);
    put_n(k, exponent + zeros, digits - zeros, ZW_OUT_RAISED);
    return n + 1 + sign + digits;
}

static void put_name(const zw_out_sink *k, const char *s) {
    while (*s) {
        size_t enclosed = *s == '[' || *s == '{' || *s == '"' ? put_enclosed(k, s) : 0;
        if (enclosed) {
            s += enclosed;
        } else if (isdigit((unsigned char)*s)) { /* a number */
            s += put_number(k, s);
        } else if (is_word(*s)) {
            s += put_identifier(k, s);
        } else if (*s == '^') {
            s += 1 + put_exponent(k, s + 1, s + strlen(s));
        } else {
            if (*s == '*' || *s == '-')
                put_text(k, *s == '*' ? "·" : "−", ZW_OUT_LINE);
            else
                put_n(k, s, 1, ZW_OUT_LINE);
            s++;
        }
    }
}

void zw_out_label_read(const char *text, zw_out_mode mode, const zw_out_sink *sink) {
    switch (mode) {
    case ZW_OUT_PLAIN:
        put_prose(sink, text, strlen(text));
        break;
    case ZW_OUT_NAME:
        put_name(sink, text);
        break;
    case ZW_OUT_UNIT:
        put_unit(sink, text, text + strlen(text));
        break;
    }
}
