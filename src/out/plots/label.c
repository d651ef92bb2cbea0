/* SPDX-License-Identifier: MIT */
/* One pass over the text. In a name, each identifier is set by the habits of mechanics:
 *
 *     single letter, Greek name     italic            x, theta -> θ
 *     longer word                   upright           energy
 *     behind _ , digits at the end  lowered           x_1, x1 -> x with index 1
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
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "out/files/utf8.h"

enum { WORD = 128 }; /* longest word */

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define FONT "DejaVu Sans"
#define SMALL 0.72 /* size of indices and exponents */
#define LOWER 0.22 /* of the size of the letter */
#define RAISE 0.36

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

typedef struct pen {
    cairo_t *cr;
    bool draw;
    double x, y, size;
} pen;

static void font(cairo_t *cr, bool italic, double size) {
    cairo_select_font_face(cr, FONT, italic ? CAIRO_FONT_SLANT_ITALIC : CAIRO_FONT_SLANT_NORMAL,
                           CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, size);
}

/* cairo gives up on a text that is not UTF-8: what is no character becomes a question mark */
static void make_valid(const char *s, char out[4 * WORD]) {
    size_t n = 0;
    while (*s && n + 4 < 4 * WORD) {
        int length = zw_out_utf8_length(s);
        if (length == 0)
            out[n++] = '?';
        for (int i = 0; i < length; i++)
            out[n++] = s[i];
        s += length ? length : 1;
    }
    out[n] = '\0';
}

/* a run in one font at a height above the base line; returns where its ink begins and ends */
static void put(pen *p, const char *text, bool italic, double size, double height,
                cairo_text_extents_t *ink) {
    cairo_text_extents_t e;
    char s[4 * WORD];
    make_valid(text, s);
    font(p->cr, italic, size);
    cairo_text_extents(p->cr, s, &e);
    if (p->draw) {
        cairo_move_to(p->cr, p->x, p->y - height);
        cairo_show_text(p->cr, s);
    }
    if (ink) {
        *ink = e;
        ink->x_bearing += p->x;
    }
    p->x += e.x_advance;
}

/* n dots centred above the letter; an italic letter leans to the right */
static void put_dots(pen *p, int n, const cairo_text_extents_t *ink) {
    if (!p->draw)
        return;
    double radius = 0.062 * p->size, gap = 0.23 * p->size;
    double y = p->y + fmin(ink->y_bearing, -0.54 * p->size) - 0.16 * p->size;
    double centre = ink->x_bearing + ink->width / 2 + 0.05 * p->size;
    for (int i = 0; i < n; i++) {
        cairo_new_sub_path(p->cr);
        cairo_arc(p->cr, centre + (i - 0.5 * (n - 1)) * gap, y, radius, 0, 6.2831853071795865);
    }
    cairo_fill(p->cr);
}

/* by its name or as it is */
static const char *greek_sign(const char *word) {
    for (size_t i = 0; i < sizeof greek / sizeof *greek; i++)
        if (strcmp(greek[i].name, word) == 0 || strcmp(greek[i].sign, word) == 0)
            return greek[i].sign;
    return NULL;
}

/* a word by its kind: Greek and single letters italic, numbers and longer words upright */
static void put_word(pen *p, const char *word, double size, double height,
                     cairo_text_extents_t *ink) {
    const char *sign = greek_sign(word);
    bool italic = sign || (!word[1] && isalpha((unsigned char)word[0]));
    put(p, sign ? sign : word, italic, size, height, ink);
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

static size_t take(const char *s, size_t n, char word[WORD]) {
    size_t kept = n < WORD ? n : WORD - 1;
    memcpy(word, s, kept);
    word[kept] = '\0';
    return n;
}

static size_t count_primes(const char *s) {
    return strspn(s, "'");
}

/* An identifier with its primes and indices; returns its length. */
static size_t put_identifier(pen *p, const char *s) {
    char word[WORD];
    cairo_text_extents_t ink;
    size_t n = 0, digits = 0;
    while (is_word(s[n]))
        n++;
    while (digits < n && isdigit((unsigned char)s[n - 1 - digits]))
        digits++;
    take(s, n - digits, word);
    if (n - digits > 1 && !greek_sign(word)) /* "run12" is a word, "x12" a letter with index */
        digits = 0;
    take(s, n - digits, word);
    put_word(p, word, p->size, 0, &ink);
    char index[2 * WORD] = "";
    snprintf(index, sizeof index, "%.*s", (int)digits, s + n - digits);
    /* primes may stand before or behind the index */
    size_t primes = count_primes(s + n);
    n += primes;
    bool lowered = false;
    if (index[0]) {
        put_word(p, index, SMALL * p->size, -LOWER * p->size, NULL);
        lowered = true;
    }
    while (s[n] == '_' && is_word(s[n + 1])) {
        size_t length = 0;
        n++;
        while (is_word(s[n + length]))
            length++;
        n += take(s + n, length, word);
        if (lowered)
            put(p, ",", false, SMALL * p->size, -LOWER * p->size, NULL);
        put_word(p, word, SMALL * p->size, -LOWER * p->size, NULL);
        lowered = true;
    }
    size_t behind = count_primes(s + n);
    n += behind;
    primes += behind;
    if (primes > 0 && primes <= 3)
        put_dots(p, (int)primes, &ink);
    for (size_t i = 0; primes > 3 && i < primes; i++)
        put(p, "′", false, p->size, 0, NULL);
    return n;
}

/* what is raised behind ^: a signed number or word, or all inside brackets; returns its length */
static size_t put_exponent(pen *p, const char *s) {
    char word[WORD];
    size_t n = 0, skip = 0;
    if (s[0] == '(') {
        n = strcspn(s, ")");
        take(s + 1, n - 1, word);
        skip = s[n] ? n + 1 : n;
    } else {
        n = s[0] == '-' || s[0] == '+';
        while (is_word(s[n]) || (s[n] == '.' && isdigit((unsigned char)s[n + 1])))
            n++;
        take(s, n, word);
        skip = n;
    }
    const char *rest = word;
    if (word[0] == '-') {
        put(p, "−", false, SMALL * p->size, RAISE * p->size, NULL);
        rest++;
    }
    if (rest[0])
        put_word(p, rest, SMALL * p->size, RAISE * p->size, NULL);
    return skip;
}

static void put_unit(pen *p, const char *s) {
    while (*s) {
        char word[WORD];
        if (*s == '^') {
            s += 1 + put_exponent(p, s + 1);
        } else if (*s == '*') {
            put(p, "·", false, p->size, 0, NULL);
            s++;
        } else if (isalpha((unsigned char)*s)) {
            s += take(s, strcspn(s, "^*/ ()"), word);
            put(p, strcmp(word, "deg") == 0 ? "°" : word, false, p->size, 0, NULL);
        } else {
            s += take(s, 1 + strcspn(s + 1, "^*" LETTERS), word);
            put(p, word, false, p->size, 0, NULL);
        }
    }
}

/* a unit or a quotation up to its closing sign; returns its length, 0 if it is not closed */
static size_t put_enclosed(pen *p, const char *s) {
    const char close = *s == '[' ? ']' : *s == '{' ? '}' : '"';
    const char *end = strchr(s + 1, close);
    char word[WORD];
    if (!end)
        return 0;
    take(s + 1, (size_t)(end - s - 1), word);
    if (*s == '[')
        put(p, "[", false, p->size, 0, NULL);
    if (*s == '"')
        put(p, word, false, p->size, 0, NULL);
    else
        put_unit(p, word);
    if (*s == '[')
        put(p, "]", false, p->size, 0, NULL);
    return (size_t)(end - s) + 1;
}

/* a number, 2.5e-3 as 2.5 times ten to the power of -3; returns its length */
static size_t put_number(pen *p, const char *s) {
    char word[WORD];
    size_t n = take(s, strspn(s, "0123456789."), word), sign = 0, digits = 0;
    if (s[n] == 'e' || s[n] == 'E') {
        sign = s[n + 1] == '-' || s[n + 1] == '+';
        digits = strspn(s + n + 1 + sign, "0123456789");
    }
    if (digits == 0 || is_word(s[n + 1 + sign + digits])) {
        put(p, word, false, p->size, 0, NULL);
        return n;
    }
    if (strcmp(word, "1") != 0) {
        put(p, word, false, p->size, 0, NULL);
        put(p, "·", false, p->size, 0, NULL);
    }
    put(p, "10", false, p->size, 0, NULL);
    put_exponent(p, s + n + 1);
    return n + 1 + sign + digits;
}

static void put_name(pen *p, const char *s) {
    while (*s) {
        char one[2] = {*s, '\0'};
        size_t enclosed = *s == '[' || *s == '{' || *s == '"' ? put_enclosed(p, s) : 0;
        if (enclosed) {
            s += enclosed;
        } else if (isdigit((unsigned char)*s)) { /* a number */
            s += put_number(p, s);
        } else if (is_word(*s)) {
            s += put_identifier(p, s);
        } else if (*s == '^') {
            s += 1 + put_exponent(p, s + 1);
        } else {
            put(p, *s == '*' ? "·" : *s == '-' ? "−" : one, false, p->size, 0, NULL);
            s++;
        }
    }
}

static void set(pen *p, const char *text, zw_out_mode mode) {
    switch (mode) {
    case ZW_OUT_PLAIN:
        put(p, text, false, p->size, 0, NULL);
        break;
    case ZW_OUT_NAME:
        put_name(p, text);
        break;
    case ZW_OUT_UNIT:
        put_unit(p, text);
        break;
    }
}

void zw_out_label_draw(cairo_t *cr, const char *text, zw_out_mode mode, double size) {
    pen p = {cr, true, 0, 0, size};
    cairo_get_current_point(cr, &p.x, &p.y);
    set(&p, text, mode);
    cairo_move_to(cr, p.x, p.y);
}

double zw_out_label_width(cairo_t *cr, const char *text, zw_out_mode mode, double size) {
    pen p = {cr, false, 0, 0, size};
    set(&p, text, mode);
    return p.x;
}
