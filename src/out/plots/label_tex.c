/* SPDX-License-Identifier: MIT */
/* Pieces of a label as LaTeX: names in mathematics, prose as text.
 *
 *     theta_1'          $\dot{\theta}_{1}$
 *     energy [m/s^2]    $\mathrm{energy}\ {[}\mathrm{m}{/}\mathrm{s}^{2}{]}$
 *
 * Each piece is written by its kind, in braces, so that TeX puts no space between them. Characters
 * other than plain letters and digits are looked up in a table of signs or escaped: data never
 * become commands. Of other letters, LaTeX knows those of Western and Central Europe in every font
 * encoding; all others are written unchanged, for LuaLaTeX and XeLaTeX, and reported. */
#include <ctype.h>
#include <string.h>

#include "label.h"
#include "out/files/utf8.h"

typedef struct writer {
    zw_text *out;
    double size;          /* of the line, points */
    bool math;            /* inside $ */
    zw_out_level level;   /* the level whose brace is open */
    bool lowered, raised; /* the last letter has an index, an exponent */
    bool *beyond;
} writer;

/* signs with a name, in mathematics */
static const struct {
    const char *sign, *tex;
} signs[] = {
    {"α", "\\alpha"},
    {"β", "\\beta"},
    {"γ", "\\gamma"},
    {"δ", "\\delta"},
    {"ε", "\\varepsilon"},
    {"ζ", "\\zeta"},
    {"η", "\\eta"},
    {"θ", "\\theta"},
    {"ι", "\\iota"},
    {"κ", "\\kappa"},
    {"λ", "\\lambda"},
    {"μ", "\\mu"},
    {"ν", "\\nu"},
    {"ξ", "\\xi"},
    {"π", "\\pi"},
    {"ρ", "\\rho"},
    {"σ", "\\sigma"},
    {"τ", "\\tau"},
    {"υ", "\\upsilon"},
    {"φ", "\\varphi"},
    {"χ", "\\chi"},
    {"ψ", "\\psi"},
    {"ω", "\\omega"},
    {"Γ", "\\Gamma"},
    {"Δ", "\\Delta"},
    {"Θ", "\\Theta"},
    {"Λ", "\\Lambda"},
    {"Ξ", "\\Xi"},
    {"Π", "\\Pi"},
    {"Σ", "\\Sigma"},
    {"Φ", "\\Phi"},
    {"Ψ", "\\Psi"},
    {"Ω", "\\Omega"},
    {"ο", "o"},
    {"ς", "\\varsigma"},
    {"ϑ", "\\vartheta"},
    {"ϕ", "\\phi"},
    {"ϵ", "\\epsilon"},
    {"µ", "\\mu"},
    {"°", "^\\circ"},
    {"·", "\\cdot"},
    {"×", "\\times"},
    {"−", "-"},
    {"′", "'"},
    {"±", "\\pm"},
    {"²", "^2"},
    {"³", "^3"},
    {"¹", "^1"},
    {"≤", "\\le"},
    {"≥", "\\ge"},
    {"≠", "\\ne"},
    {"≈", "\\approx"},
    {"∞", "\\infty"},
    {"√", "\\surd"},
    {"∂", "\\partial"},
    {"∇", "\\nabla"},
    {"∫", "\\int"},
    {"∑", "\\sum"},
    {"→", "\\rightarrow"},
    {"←", "\\leftarrow"},
    {"↔", "\\leftrightarrow"},
    {"∝", "\\propto"},
    {"∈", "\\in"},
    {"…", "\\ldots"},
    {"⊥", "\\perp"},
};

/* characters with a meaning for TeX, and those that form ligatures, in text */
static const struct {
    char sign;
    const char *tex;
} specials[] = {
    {'\\', "\\textbackslash{}"},
    {'{', "\\{"},
    {'}', "\\}"},
    {'$', "\\ensuremath{\\$}"},
    {'&', "\\&"},
    {'#', "\\#"},
    {'%', "\\%"},
    {'_', "\\_"},
    {'^', "\\textasciicircum{}"},
    {'~', "\\textasciitilde{}"},
    {'<', "\\textless{}"},
    {'>', "\\textgreater{}"},
    {'|', "\\textbar{}"},
    {'"', "''{}"},
    {'`', "\\textquoteleft{}"},
    {'-', "-{}"},
    {'\'', "'{}"},
    {'?', "?{}"},
    {'!', "!{}"},
};

static const char *sign_of(const char *s, size_t n) {
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strlen(signs[i].sign) == n && memcmp(signs[i].sign, s, n) == 0)
            return signs[i].tex;
    return NULL;
}

static const char *special_of(char c) {
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (specials[i].sign == c)
            return specials[i].tex;
    return NULL;
}

/* True for a letter of two bytes that every LaTeX can set: U+00C0 to U+017F except those that need
 * another font encoding: eth, thorn, kra, eng, the stroke through d, the ogonek. */
static bool is_european(const char *s, int length) {
    static const char *const without[] = {"Ð", "ð", "Þ", "þ", "Đ", "đ", "Ŋ", "ŋ", "ĸ",
                                          "ŉ", "Ą", "ą", "Ę", "ę", "Į", "į", "Ų", "ų",
                                          "Ħ", "ħ", "Ŧ", "ŧ", "ſ", "Ŀ", "ŀ", "÷"};
    unsigned c = (unsigned char)s[0];
    if (length != 2 || c < 0xc3 || c > 0xc5)
        return false;
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (memcmp(without[i], s, 2) == 0)
            return false;
    return true;
}

/* ---- text ---- */

/* one character as text; returns its length */
static size_t put_character(writer *w, const char *s, size_t left) {
    int length = zw_out_utf8_length(s);
    if (length == 0 || (size_t)length > left) {
        zw_text_put(w->out, "?{}");
        return 1;
    }
    const char *sign = length > 1 ? sign_of(s, (size_t)length) : NULL;
    const char *special = length == 1 ? special_of(s[0]) : NULL;
    if (sign)
        zw_text_printf(w->out, "\\ensuremath{%s}", sign);
    else if (special)
        zw_text_put(w->out, special);
    else if (length == 1 && iscntrl((unsigned char)s[0]))
        zw_text_put(w->out, s[0] == '\n' || s[0] == '\t' || s[0] == '\r' ? "\\ " : "?{}");
    else if (length == 1 && s[0] == ' ')
        zw_text_put(w->out, "\\ "); /* two blanks stay two */
    else
        zw_text_put_n(w->out, s, (size_t)length);
    *w->beyond = *w->beyond || (length > 1 && !sign && !is_european(s, length));
    return (size_t)length;
}

static void put_text(writer *w, const char *s, size_t n) {
    for (size_t i = 0; i < n;)
        i += put_character(w, s + i, n - i);
}

/* ---- mathematics ---- */

static void set_mode(writer *w, bool math, zw_out_level level) {
    if (w->level != ZW_OUT_LINE && level != w->level) {
        zw_text_put(w->out, "}");
        w->level = ZW_OUT_LINE;
    }
    if (w->math != math)
        zw_text_put(w->out, "$");
    w->math = math;
    if (level == w->level)
        return;
    /* a second index at one letter is not valid TeX: it gets an empty letter */
    bool *has = level == ZW_OUT_LOWERED ? &w->lowered : &w->raised;
    if (*has)
        zw_text_put(w->out, "{}");
    zw_text_put(w->out, level == ZW_OUT_LOWERED ? "_{" : "^{");
    *has = true;
    w->level = level;
}

static bool is_alphanumeric(const char *s, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)s[i]) || (unsigned char)s[i] >= 0x80)
            return false;
    return true;
}

static bool is_number(const char *s, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isdigit((unsigned char)s[i]) && s[i] != '.')
            return false;
    return true;
}

/* a piece that is neither a sign nor a plain word: text in a box of the current size */
static void put_boxed(writer *w, const zw_out_piece *p) {
    if (p->level != ZW_OUT_LINE)
        zw_text_printf(w->out, "\\mbox{\\zwf{%.1f}", w->size * ZW_OUT_SMALL);
    else
        zw_text_put(w->out, "\\mbox{");
    put_text(w, p->text, p->n);
    zw_text_put(w->out, "}");
}

static void put_math(writer *w, const zw_out_piece *p) {
    const char *sign = sign_of(p->text, p->n);
    if (sign)
        zw_text_printf(w->out, "{%s}", sign);
    else if (p->italic)
        zw_text_printf(w->out, "{%.*s}", (int)p->n, p->text);
    else if (p->n == 1 && p->text[0] == ' ')
        zw_text_put(w->out, "\\ ");
    else if (p->n == 1 && strchr("=+,;:()[]/|.", p->text[0]))
        zw_text_printf(w->out, "{%c}", p->text[0]);
    else if (is_number(p->text, p->n))
        zw_text_printf(w->out, "{%.*s}", (int)p->n, p->text);
    else if (is_alphanumeric(p->text, p->n))
        zw_text_printf(w->out, "\\mathrm{%.*s}", (int)p->n, p->text);
    else
        put_boxed(w, p);
}

static void put_piece(void *to, const zw_out_piece *p) {
    static const char *const dotted[] = {"", "\\dot{", "\\ddot{", "\\dot{\\ddot{"};
    static const char *const closed[] = {"", "}", "}", "}}"};
    writer *w = to;
    int dots = p->dots >= 0 && p->dots <= 3 ? p->dots : 0;
    set_mode(w, !p->words, p->level);
    if (p->words) {
        put_text(w, p->text, p->n);
        return;
    }
    if (p->level == ZW_OUT_LINE)
        w->lowered = w->raised = false;
    zw_text_put(w->out, dotted[dots]);
    put_math(w, p);
    zw_text_put(w->out, closed[dots]);
}

void zw_out_label_tex(zw_text *out, const char *text, zw_out_mode mode, double size, bool *beyond) {
    writer w = {.out = out, .size = size, .beyond = beyond};
    zw_out_label_read(text, mode, &(zw_out_sink){&w, put_piece});
    set_mode(&w, false, ZW_OUT_LINE);
}
