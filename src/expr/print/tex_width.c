/* SPDX-License-Identifier: MIT */
/* The width of a formula in print. Widths of letters are those of Computer Modern at 10 pt in
 * thousandths of an em, with their italic correction. Indices and exponents are set at 7 pt,
 * smaller still inside fractions, and spaces around signs follow TeX's rules. Unknown commands are
 * as wide as their names. */
#include <ctype.h>
#include <string.h>

#include "latex.h"

static const double SCRIPT = 0.79; /* letters of 7 pt are wider than 0.7 of those of 10 pt */

typedef struct reader {
    const char *p, *end;
} reader;

static const short italic[] = {
    /* A-Z */ 750, 809, 787, 856, 796, 782, 786, 912, 518, 651,  921, 681, 1079,
    912,           791, 781, 791, 767, 671, 723, 792, 805, 1083, 906, 803, 755,
    /* a-z */ 529, 429, 433, 520, 466, 598, 513, 576, 345, 469,  552, 318, 878,
    600,           485, 503, 482, 479, 469, 361, 572, 521, 743,  572, 526, 509};

static const short upright[] = {
    /* A-Z */ 750, 708, 722, 764, 681, 653, 785, 750, 361, 514,  778, 625, 917,
    750,           778, 681, 778, 736, 556, 722, 750, 764, 1042, 750, 775, 611,
    /* a-z */ 500, 556, 444, 556, 444, 384, 514, 556, 278, 306,  528, 278, 833,
    556,           500, 556, 528, 392, 394, 389, 556, 542, 736,  528, 542, 444};

typedef struct command {
    const char *name;
    int width;
} command;

static const command known[] = {
    {"alpha", 644},   {"beta", 619},   {"gamma", 574}, {"delta", 482},   {"epsilon", 406},
    {"zeta", 512},    {"eta", 533},    {"theta", 497}, {"iota", 354},    {"kappa", 576},
    {"lambda", 583},  {"mu", 603},     {"nu", 558},    {"xi", 484},      {"pi", 606},
    {"rho", 517},     {"sigma", 607},  {"tau", 550},   {"upsilon", 576}, {"phi", 596},
    {"chi", 626},     {"psi", 687},    {"omega", 658}, {"Gamma", 625},   {"Delta", 833},
    {"Theta", 778},   {"Lambda", 694}, {"Xi", 667},    {"Pi", 750},      {"Sigma", 722},
    {"Upsilon", 778}, {"Phi", 722},    {"Psi", 778},   {"Omega", 722},   {"partial", 587},
    {"cdot", 722},    {"times", 1222}, {"leq", 1334},  {"geq", 1334},    {"le", 1334},
    {"ge", 1334},     {"land", 1111},  {"lor", 1111},  {"lnot", 667},    {"quad", 1000},
    {"qquad", 2000},  {"lvert", 278},  {"rvert", 278}, {"bigl", 70},     {"bigr", 70},
    {"Bigl", 210},    {"Bigr", 210},   {"biggl", 350}, {"biggr", 350},   {"Biggl", 410},
    {"Biggr", 410},   {"left", 350},   {"right", 350},
};

static double formula_width(reader *r);

static double letter_width(const short *table, char c) {
    if (isupper((unsigned char)c))
        return table[c - 'A'];
    if (islower((unsigned char)c))
        return table[26 + c - 'a'];
    if (isdigit((unsigned char)c))
        return 500;
    switch (c) {
    case '+':
    case '-':
        return 1223; /* with the space around a binary sign */
    case '=':
    case '<':
    case '>':
        return 1334;
    case '(':
    case ')':
        return 389;
    case '/':
        return 500;
    case ',':
        return 445; /* and the space after it */
    case ' ':
    case '&':
    case '{':
    case '}':
    case '\n':
        return 0;
    default:
        return 278;
    }
}

/* {formula}, or one letter */
static double group_width(reader *r) {
    if (r->p == r->end)
        return 0;
    if (*r->p != '{')
        return letter_width(italic, *r->p++);
    r->p++;
    double width = formula_width(r);
    r->p += r->p < r->end;
    return width;
}

/* the words in braces, verbatim */
static double words_width(reader *r) {
    double width = 0;
    for (r->p += r->p < r->end; r->p < r->end && *r->p != '}'; r->p++)
        width += *r->p == ' ' ? 333 : letter_width(upright, *r->p);
    r->p += r->p < r->end;
    return width;
}

static bool is_named(const char *name, size_t n, const char *what) {
    return strlen(what) == n && strncmp(name, what, n) == 0;
}

static double command_width(const char *name, size_t n) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is_named(name, n, known[i].name))
            return known[i].width;
    double width = 333; /* \sin and the like: their letters, and the space before and after */
    for (size_t i = 0; i < n; i++)
        width += letter_width(upright, name[i]);
    return width;
}

/* the rows of \begin{cases} ... \end{cases}: the widest one */
static double cases_width(reader *r) {
    double row = 0, most = 0;
    while (r->p < r->end && strncmp(r->p, "\\end", 4) != 0) {
        if (strncmp(r->p, "\\\\", 2) == 0) {
            row = 0;
            r->p += 2;
        } else if (*r->p == '&') {
            row += 1000;
            r->p++;
        } else {
            reader part = *r;
            part.end = r->p;
            while (part.end < r->end && *part.end != '&' && strncmp(part.end, "\\\\", 2) != 0 &&
                   strncmp(part.end, "\\end", 4) != 0)
                part.end += *part.end == '\\' ? 2 : 1;
            r->p = part.end;
            row += formula_width(&part);
        }
        most = row > most ? row : most;
    }
    return most + 1200;
}

static double macro_width(reader *r) {
    const char *name = ++r->p;
    if (r->p == r->end)
        return 0;
    if (!isalpha((unsigned char)*r->p))
        return *r->p++ == ',' ? 167 : 278;
    while (r->p < r->end && isalpha((unsigned char)*r->p))
        r->p++;
    size_t n = (size_t)(r->p - name);
    if (is_named(name, n, "frac")) {
        double top = group_width(r), bottom = group_width(r);
        return (top > bottom ? top : bottom) + 250;
    }
    if (is_named(name, n, "sqrt"))
        return group_width(r) + 1000;
    if (is_named(name, n, "mathrm") || is_named(name, n, "operatorname") ||
        is_named(name, n, "text"))
        return words_width(r);
    if (is_named(name, n, "dot") || is_named(name, n, "ddot") || is_named(name, n, "dddot") ||
        is_named(name, n, "ddddot"))
        return group_width(r);
    if (is_named(name, n, "boldsymbol")) /* dots after a word, without the space of a sign */
        return 0.45 * group_width(r);
    if (is_named(name, n, "begin")) {
        words_width(r);
        return cases_width(r);
    }
    if (is_named(name, n, "end"))
        return words_width(r) * 0;
    return command_width(name, n);
}

/* Up to an unmatched closing brace. An index and an exponent of the same letter are set above each
 * other. */
static double formula_width(reader *r) {
    double width = 0, low = 0, high = 0;
    while (r->p < r->end && *r->p != '}') {
        char c = *r->p;
        if (c == '_' || c == '^') {
            r->p++;
            double script = SCRIPT * group_width(r) + 50;
            *(c == '_' ? &low : &high) = script;
            continue;
        }
        width += low > high ? low : high;
        low = high = 0;
        width += c == '\\'  ? macro_width(r)
                 : c == '{' ? group_width(r)
                            : letter_width(italic, *r->p++);
    }
    return width + (low > high ? low : high);
}

double zw_tex_width(const char *s, size_t n) {
    reader r = {s, s + n};
    double width = 0;
    while (r.p < r.end) {
        width += formula_width(&r);
        r.p += r.p < r.end; /* an unmatched brace */
    }
    return width / 1000;
}
