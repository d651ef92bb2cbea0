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

/* one word: \theta, x, \mathrm{rot} */
static void latex_word(zw_text *out, const char *s, size_t n) {
    if (is_greek(s, n)) {
        zw_text_put(out, "\\");
        zw_text_put_n(out, s, n);
        return;
    }
    bool upright = n > 1 && !isdigit((unsigned char)s[0]);
    if (upright)
        zw_text_put(out, "\\mathrm{");
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '_')
            zw_text_put(out, "\\");
        zw_text_put_n(out, s + i, 1);
    }
    if (upright)
        zw_text_put(out, "}");
}

/* words separated by _ . ( ) as one subscript */
static void latex_subscript(zw_text *out, const char *s, size_t n) {
    bool first = true;
    zw_text_put(out, "_{");
    for (size_t i = 0; i < n;) {
        size_t len = strcspn(s + i, "_.()");
        if (len > n - i)
            len = n - i;
        if (len) {
            if (!first)
                zw_text_put(out, ",");
            latex_word(out, s + i, len);
            first = false;
        }
        i += len + 1;
    }
    zw_text_put(out, "}");
}

static void latex_name(zw_text *out, const char *name, size_t n);

/* p(x'), lambda'(roll): the argument is a subscript, itself a name where it has a prime or a member */
static bool latex_call(zw_text *out, const char *name, size_t n) {
    const char *open = memchr(name, '(', n);
    if (!open || name[n - 1] != ')')
        return false;
    size_t head = (size_t)(open - name), inner = n - head - 2;
    const char *point = memchr(open + 1, '.', inner);
    bool member = point && isalpha((unsigned char)point[1]);
    latex_name(out, name, head);
    if (!member && !memchr(open + 1, '\'', inner)) {
        latex_subscript(out, open + 1, inner);
        return true;
    }
    zw_text_put(out, "_{");
    latex_name(out, open + 1, inner);
    zw_text_put(out, "}");
    return true;
}

static void latex_name(zw_text *out, const char *name, size_t n) {
    size_t primes = 0;
    if (latex_call(out, name, n))
        return;
    while (n > 1 && name[n - 1] == '\'') {
        n--;
        primes++;
    }
    /* the head is a word; the rest is its subscript. In ball.wx the head is the member wx */
    const char *point = memchr(name, '.', n), *head = name;
    size_t head_length = strcspn(name, "_.("), owner = 0;
    if (head_length > n)
        head_length = n;
    if (point) {
        owner = (size_t)(point - name);
        head = point + 1;
        head_length = strcspn(head, "_.(");
        if (head_length > n - owner - 1)
            head_length = n - owner - 1;
    }
    const char *rest = head + head_length;
    size_t rest_length = n - (size_t)(rest - name), digits = 0;
    while (digits + 1 < head_length && isdigit((unsigned char)head[head_length - 1 - digits]))
        digits++;
    /* wx, wy, wz of a body: w with the axis as subscript */
    size_t axis = owner && head_length == 2 && strchr("xyz", head[1]) ? 1 : 0;
    size_t tail = digits ? digits : axis;

    static const char *const accent[] = {"", "\\dot{", "\\ddot{", "\\dddot{", "\\ddddot{"};
    bool dotted = primes >= 1 && primes <= 4;
    zw_text_put(out, dotted ? accent[primes] : "");
    latex_word(out, head, head_length - tail);
    zw_text_put(out, dotted ? "}" : "");
    zw_text sub;
    zw_text_init(&sub, &out->alloc);
    zw_text_put_n(&sub, head + head_length - tail, tail);
    if (rest_length) {
        zw_text_put(&sub, ".");
        zw_text_put_n(&sub, rest, rest_length);
    }
    if (owner) {
        zw_text_put(&sub, ".");
        zw_text_put_n(&sub, name, owner);
    }
    if (sub.length)
        latex_subscript(out, zw_text_get(&sub), sub.length);
    out->failed |= sub.failed;
    zw_text_clear(&sub);
}

/* "d/dt A" and "dA/dB", see name.h; anything else is a name */
static void latex_notation(zw_text *out, const char *s, size_t n) {
    const char *slash = n > 1 && s[0] == 'd' ? memchr(s, '/', n) : NULL;
    size_t top = slash ? (size_t)(slash - s) : 0;
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
