/* SPDX-License-Identifier: MIT */
/* Words for TeX: special characters are escaped, Greek letters become formulas, and characters that
 * the fonts of a TeX installation may lack become a question mark instead of an error. */
#include "paper_words.h"

#include <stdint.h>
#include <string.h>

/* a character in UTF-8 and its length; an invalid byte has the code 0 */
static uint32_t decode_utf8(const char *s, size_t n, size_t *length) {
    unsigned char c = (unsigned char)s[0];
    size_t more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc2 ? 1 : 0;
    uint32_t code = c < 0x80 ? c : more ? c & (0x3fu >> more) : 0;
    *length = 1;
    if (more >= n || (c >= 0x80 && !more))
        return c < 0x80 ? c : 0;
    for (size_t i = 1; i <= more; i++)
        code = code << 6 | ((unsigned char)s[i] & 0x3fu);
    *length = more + 1;
    return code;
}

static const char *escape_of(char c) {
    switch (c) {
    case '\\':
        return "\\textbackslash{}";
    case '~':
        return "\\textasciitilde{}";
    case '^':
        return "\\textasciicircum{}";
    case '<':
        return "\\textless{}";
    case '>':
        return "\\textgreater{}";
    case '|':
        return "\\textbar{}";
    default:
        return NULL;
    }
}

static const char *greek_of(uint32_t code) {
    static const char *const small[] = {"\\alpha",   "\\beta", "\\gamma", "\\delta", "\\epsilon",
                                        "\\zeta",    "\\eta",  "\\theta", "\\iota",  "\\kappa",
                                        "\\lambda",  "\\mu",   "\\nu",    "\\xi",    "o",
                                        "\\pi",      "\\rho",  "\\sigma", "\\sigma", "\\tau",
                                        "\\upsilon", "\\phi",  "\\chi",   "\\psi",   "\\omega"};
    static const char *const large[] = {
        "A",       "B",        "\\Gamma",   "\\Delta", "E",    "Z",     "H",      "\\Theta", "I",
        "K",       "\\Lambda", "M",         "N",       "\\Xi", "O",     "\\Pi",   "P",       "?",
        "\\Sigma", "T",        "\\Upsilon", "\\Phi",   "X",    "\\Psi", "\\Omega"};
    if (code >= 0x3b1 && code <= 0x3c9)
        return small[code - 0x3b1];
    return code >= 0x391 && code <= 0x3a9 ? large[code - 0x391] : NULL;
}

/* accented letters of Latin-1 except those that need other fonts, and the signs of degree, square
 * and the like */
static bool is_in_every_font(uint32_t code) {
    static const unsigned char signs[] = {0xa7, 0xa9, 0xb0, 0xb1, 0xb2, 0xb3, 0xb5, 0xb7};
    if (code < 0xc0 || code > 0xff)
        return code && code < 0x100 && memchr(signs, (int)code, sizeof signs);
    return code != 0xd0 && code != 0xde && code != 0xf0 && code != 0xfe;
}

static const char *mark_of(uint32_t code) {
    switch (code) {
    case 0x2013:
        return "--";
    case 0x2014:
        return "---";
    case 0x2018:
    case 0x2019:
        return "'";
    case 0x201c:
        return "``";
    case 0x201d:
        return "''";
    default:
        return "?";
    }
}

static size_t put_character(zw_text *out, const char *s, size_t n) {
    size_t length;
    uint32_t code = decode_utf8(s, n, &length);
    const char *greek = greek_of(code), *escape = code < 0x80 ? escape_of(s[0]) : NULL;
    if (escape) {
        zw_text_put(out, escape);
    } else if (code >= 0x20 && code < 0x7f) {
        zw_text_put(out, strchr("_&%#${}", s[0]) ? "\\" : "");
        zw_text_put_n(out, s, 1);
    } else if (greek) {
        zw_text_printf(out, "$%s$", greek);
    } else if (is_in_every_font(code)) {
        zw_text_put_n(out, s, length);
    } else {
        zw_text_put(out, mark_of(code));
    }
    return length;
}

void zw_paper_put_words(zw_text *out, bool latex, const char *s, size_t n) {
    if (!latex)
        zw_text_put_n(out, s, n);
    for (size_t i = 0; latex && i < n;)
        i += put_character(out, s + i, n - i);
}
