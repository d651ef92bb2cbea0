/* SPDX-License-Identifier: MIT */
#include "name.h"

#include <ctype.h>
#include <string.h>

static bool is_greek(const char *s, size_t n) {
    static const char *const letters[] = {
        "alpha",   "beta",   "gamma", "delta",   "epsilon", "zeta",  "eta",   "theta", "iota",
        "kappa",   "lambda", "mu",    "nu",      "xi",      "pi",    "rho",   "sigma", "tau",
        "upsilon", "phi",    "chi",   "psi",     "omega",   "Gamma", "Delta", "Theta", "Lambda",
        "Xi",      "Pi",     "Sigma", "Upsilon", "Phi",     "Psi",   "Omega"};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (strlen(letters[i]) == n && strncmp(letters[i], s, n) == 0)
            return true;
    return false;
}

/* one word: \theta, x, \mathrm{rot}; axes as in J_{xz} are letters, not a word */
static void latex_word(zw_text *out, const char *s, size_t n) {
    if (is_greek(s, n)) {
        zw_text_put(out, "\\");
        zw_text_put_n(out, s, n);
        return;
    }
    bool upright = n > 1 && !isdigit((unsigned char)s[0]) && strspn(s, "xyz") < n;
    if (upright)
        zw_text_put(out, "\\mathrm{");
    zw_text_put_n(out, s, n);
    if (upright)
        zw_text_put(out, "}");
}

/* words separated by _ . ( ) as one list */
static void latex_words(zw_text *out, const char *s, size_t n) {
    bool first = true;
    for (size_t i = 0; i < n;) {
        size_t len = strcspn(s + i, "_.()'");
        if (len > n - i)
            len = n - i;
        if (len) {
            zw_text_put(out, first ? "" : ",");
            latex_word(out, s + i, len);
            first = false;
        }
        i += len + 1;
    }
}

/* A name is owner.head_rest or head_rest with primes. The head ends in a number or, with an owner,
 * in an axis: */
typedef struct name_parts {
    const char *head, *rest, *owner;
    /* the tail of the head, an index, follows its nhead letters */
    size_t nhead, ntail, nrest, nowner;
    size_t primes;
} name_parts;

static name_parts parts_of(const char *name, size_t n) {
    name_parts p = {.head = name, .owner = name};
    while (n > 1 && name[n - 1] == '\'') {
        n--;
        p.primes++;
    }
    const char *point = memchr(name, '.', n), *end = name + n;
    if (point && point + 1 < end) {
        p.nowner = (size_t)(point - name);
        p.head = point + 1;
    }
    size_t length = strcspn(p.head, "_.(");
    if (length > (size_t)(end - p.head))
        length = (size_t)(end - p.head);
    p.rest = p.head + length;
    p.nrest = (size_t)(end - p.rest);
    while (p.ntail + 1 < length && isdigit((unsigned char)p.head[length - 1 - p.ntail]))
        p.ntail++;
    if (!p.ntail && p.nowner && length == 2 && strchr("xyz", p.head[1]))
        p.ntail = 1;
    p.nhead = length - p.ntail;
    return p;
}

/* Dots are placed over a single letter; after a word, and if there are many, they follow it. */
static bool has_trailing_dots(const name_parts *p) {
    bool letter = p->nhead == 1 || is_greek(p->head, p->nhead);
    return p->primes > 4 || (p->primes && !letter);
}

static void latex_head(zw_text *out, const name_parts *p) {
    static const char *const accent[] = {"", "\\dot{", "\\ddot{", "\\dddot{", "\\ddddot{"};
    bool over = p->primes && !has_trailing_dots(p);
    zw_text_put(out, over ? accent[p->primes] : "");
    if (p->nowner && p->ntail && p->nhead == 1 && p->head[0] == 'w')
        zw_text_put(out, "\\omega"); /* wx, wy, wz of a body */
    else
        latex_word(out, p->head, p->nhead);
    zw_text_put(out, over ? "}" : "");
}

static void latex_index(zw_text *out, const name_parts *p) {
    const char *part[] = {p->head + p->nhead, p->rest, p->owner};
    const size_t length[] = {p->ntail, p->nrest, p->nowner};
    bool first = true;
    if (!p->ntail && !p->nrest && !p->nowner)
        return;
    zw_text_put(out, "_{");
    for (int i = 0; i < 3; i++) {
        if (!length[i])
            continue;
        zw_text_put(out, first ? "" : ",");
        latex_words(out, part[i], length[i]);
        first = false;
    }
    zw_text_put(out, "}");
}

static void latex_trailing_dots(zw_text *out, size_t primes) {
    if (primes > 4) {
        zw_text_printf(out, "^{(%d)}", (int)primes);
        return;
    }
    zw_text_put(out, "^{\\boldsymbol{");
    for (size_t i = 0; i < primes; i++)
        zw_text_put(out, "\\cdot");
    zw_text_put(out, "}}");
}

static void latex_name(zw_text *out, const char *name, size_t n);

/* names separated by commas, without their primes */
static void latex_names(zw_text *out, const char *s, size_t n) {
    for (size_t i = 0, next; i < n; i = next) {
        size_t len = strcspn(s + i, ",");
        len = len < n - i ? len : n - i;
        next = i + len + 1;
        while (len && s[i + len - 1] == '\'')
            len--;
        zw_text_put(out, i ? "," : "");
        latex_name(out, s + i, len);
    }
}

/* multipliers, and gaps, velocities and forces of contacts: the words in brackets are not a
 * variable */
static bool has_words(const char *name, size_t n) {
    static const char *const heads[] = {"lambda", "lambda'", "g", "gamma", "F"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (strlen(heads[i]) == n && memcmp(heads[i], name, n) == 0)
            return true;
    return false;
}

/* lambda'(roll.1): the words in brackets are one index. p(x'), Q(ball.wx): they name the variable
 * it belongs to. */
static bool latex_call(zw_text *out, const char *name, size_t n) {
    const char *open = memchr(name, '(', n);
    if (!open || name[n - 1] != ')')
        return false;
    size_t head = (size_t)(open - name), inner = n - head - 2;
    latex_name(out, name, head);
    zw_text_put(out, "_{");
    if (has_words(name, head))
        latex_words(out, open + 1, inner);
    else
        latex_names(out, open + 1, inner);
    zw_text_put(out, "}");
    return true;
}

static void latex_name(zw_text *out, const char *name, size_t n) {
    if (latex_call(out, name, n))
        return;
    name_parts p = parts_of(name, n);
    latex_head(out, &p);
    latex_index(out, &p);
    if (has_trailing_dots(&p))
        latex_trailing_dots(out, p.primes);
}

bool zw_name_is_dotted_behind(const char *name) {
    size_t n = strlen(name);
    if (n > 3 && strncmp(name, "d(", 2) == 0 && name[n - 1] == ')') {
        name_parts inner = parts_of(name + 2, n - 3);
        return has_trailing_dots(&inner);
    }
    if (strpbrk(name, "(/"))
        return false;
    name_parts p = parts_of(name, strlen(name));
    return has_trailing_dots(&p);
}

/* d(beta'): a small perturbation of beta' */
static bool latex_disturbance(zw_text *out, const char *s, size_t n) {
    static const char *const accent[] = {"", "\\dot{", "\\ddot{", "\\dddot{", "\\ddddot{"};
    if (n < 4 || s[0] != 'd' || s[1] != '(' || s[n - 1] != ')' || memchr(s + 2, '(', n - 3))
        return false;
    name_parts p = parts_of(s + 2, n - 3);
    bool over = p.primes && !has_trailing_dots(&p);
    zw_text_put(out, over ? accent[p.primes] : "");
    zw_text_put(out, p.nhead > 1 && !is_greek(p.head, p.nhead) ? "\\widetilde{" : "\\tilde{");
    name_parts bare = p;
    bare.primes = 0;
    latex_head(out, &bare);
    zw_text_put(out, over ? "}}" : "}");
    latex_index(out, &p);
    if (has_trailing_dots(&p))
        latex_trailing_dots(out, p.primes);
    return true;
}

/* y(t + tau): the value of y at that time */
static bool latex_shifted_time(zw_text *out, const char *s, size_t n) {
    const char *open = n ? memchr(s, '(', n) : NULL;
    if (!open || strncmp(open, "(t + ", 5) != 0)
        return false;
    size_t head = (size_t)(open - s);
    latex_name(out, s, head);
    zw_text_put(out, "(t + ");
    latex_name(out, open + 5, n - head - 6);
    zw_text_put(out, ")");
    return true;
}

/* "d/dt A" and "dA/dB", see name.h; anything else is a name */
static void latex_notation(zw_text *out, const char *s, size_t n) {
    const char *slash = n > 1 && s[0] == 'd' ? memchr(s, '/', n) : NULL;
    size_t top = slash ? (size_t)(slash - s) : 0;
    if (latex_disturbance(out, s, n) || latex_shifted_time(out, s, n))
        return;
    if (n > 5 && strncmp(s, "d/dt ", 5) == 0) {
        zw_text_put(out, "\\frac{\\mathrm{d}}{\\mathrm{d}t} ");
        latex_notation(out, s + 5, n - 5);
    } else if (top > 1 && top + 2 < n && slash[1] == 'd') {
        zw_text_put(out, "\\frac{\\partial ");
        latex_name(out, s + 1, top - 1);
        zw_text_put(out, "}{\\partial ");
        latex_name(out, slash + 2, n - top - 2);
        zw_text_put(out, "}");
    } else {
        latex_name(out, s, n);
    }
}

void zw_name_latex(zw_text *out, const char *name) {
    latex_notation(out, name, strlen(name));
}

void zw_name_c(zw_text *out, const char *name) {
    size_t n = strlen(name), primes = 0;
    while (n > 0 && name[n - 1] == '\'') {
        n--;
        primes++;
    }
    for (size_t i = 0; i < n; i++) {
        char c = isalnum((unsigned char)name[i]) ? name[i] : '_';
        if (c == '_' && i + 1 == n)
            break;
        zw_text_put_n(out, &c, 1);
    }
    if (primes) {
        zw_text_put(out, "_");
        for (size_t i = 0; i < primes; i++)
            zw_text_put(out, "d");
        zw_text_put(out, "ot");
    }
}
