/* SPDX-License-Identifier: MIT */
/*     panel = side [";" side]             a second side has its y on the right
 *     side  = term {"+" term}
 *     term  = y ":" x | y            the x of the next term that has one; y may be a band, y ".." y
 *           | y {"," y} ":" x        several curves over x
 *           | x "," y | x "," y "," z
 *           | z ":" x "," y          a map: z over x and y
 *
 * Separators count outside brackets only: lambda(roll) and (x+y)/2 are one formula. */
#include "spec.h"

#include <stdio.h>
#include <string.h>

/* length up to one of the stop characters outside brackets, or to the end */
static size_t up_to(const char *s, const char *stop) {
    int depth = 0;
    size_t n = 0;
    for (; s[n]; n++) {
        depth += s[n] == '(' ? 1 : s[n] == ')' ? -1 : 0;
        if (depth == 0 && strchr(stop, s[n]))
            break;
    }
    return n;
}

static zw_status reject_text(const char *text, zw_error *err) {
    zw_fail(err, ZW_E_OPTION, "--plot=%s does not name a quantity", text);
    zw_error_hint(err, "--plot y:t draws y over t, --plot x,y the path in the plane of x and y, "
                       "--plot x,y,z the path in space, --plot z:x,y a map of z over x and y");
    return ZW_E_OPTION;
}

static zw_status copy_formula(char out[ZW_FORMULA_TEXT], const char *s, size_t n, const char *text,
                              zw_error *err) {
    while (n > 0 && *s == ' ') {
        s++;
        n--;
    }
    while (n > 0 && s[n - 1] == ' ')
        n--;
    if (n == 0)
        return reject_text(text, err);
    if (n >= ZW_FORMULA_TEXT)
        return zw_fail(err, ZW_E_OPTION, "--plot: '%.40s...' is too long", s);
    memcpy(out, s, n);
    out[n] = '\0';
    return ZW_OK;
}

/* the y of a graph: a quantity, or the band between two */
static zw_status parse_height(char axis[3][ZW_FORMULA_TEXT], const char *at, size_t n,
                              const char *text, zw_error *err) {
    for (size_t i = up_to(at, "."); i + 1 < n; i += 1 + up_to(at + i + 1, "."))
        if (at[i + 1] == '.') {
            ZW_TRY(copy_formula(axis[2], at + i + 2, n - i - 2, text, err));
            return copy_formula(axis[1], at, i, text, err);
        }
    return copy_formula(axis[1], at, n, text, err);
}

int zw_spec_axes(const zw_spec *s) {
    return s->kind == ZW_SPEC_SPACE || s->kind == ZW_SPEC_MAP ? 3 : 2;
}

/* parses one term of length n; returns its kind, ZW_SPEC_GRAPH without x if there is no
 * separator */
static zw_status parse_term(zw_spec *s, const char *at, size_t n, zw_spec_kind *kind,
                            const char *text, zw_error *err) {
    char(*axis)[ZW_FORMULA_TEXT] = s->term[s->n].axis;
    size_t first = up_to(at, ":,+;");
    *kind = ZW_SPEC_GRAPH;
    if (first >= n)
        return parse_height(axis, at, n, text, err);
    if (at[first] == ':') {
        const char *x = at + first + 1;
        size_t rest = n - first - 1, comma = up_to(x, ",+;");
        if (comma < rest) {
            *kind = ZW_SPEC_MAP;
            ZW_TRY(copy_formula(axis[2], at, first, text, err));
            ZW_TRY(copy_formula(axis[0], x, comma, text, err));
            return copy_formula(axis[1], x + comma + 1, rest - comma - 1, text, err);
        }
        ZW_TRY(parse_height(axis, at, first, text, err));
        return copy_formula(axis[0], x, rest, text, err);
    }
    const char *second = at + first + 1;
    size_t left = n - first - 1, length = up_to(second, ",+;");
    ZW_TRY(copy_formula(axis[0], at, first, text, err));
    *kind = ZW_SPEC_PATH;
    if (length >= left)
        return copy_formula(axis[1], second, left, text, err);
    *kind = ZW_SPEC_SPACE;
    ZW_TRY(copy_formula(axis[1], second, length, text, err));
    return copy_formula(axis[2], second + length + 1, left - length - 1, text, err);
}

static zw_status reject_right(const char *text, zw_error *err) {
    zw_fail(err, ZW_E_OPTION, "--plot=%s: only curves over one quantity have two axes", text);
    zw_error_hint(err,
                  "--plot \"y;z:t\" draws y over t, and z with an axis of its own on the right");
    return ZW_E_OPTION;
}

zw_status zw_spec_parse(zw_spec *s, const char *text, zw_error *err) {
    *s = (zw_spec){0};
    for (const char *at = text;;) {
        size_t n = up_to(at, "+;"), colon = up_to(at, ":+;"), comma = up_to(at, ",+;");
        if (colon < n && comma < colon) /* y,z:t */
            n = comma;
        zw_spec_kind kind;
        if (s->n == ZW_SPEC_GIVEN)
            return zw_fail(err, ZW_E_OPTION, "--plot: more than %d curves", ZW_SPEC_GIVEN);
        ZW_TRY(parse_term(s, at, n, &kind, text, err));
        if (s->n > 0 && (kind != s->kind || kind == ZW_SPEC_MAP))
            return reject_text(text, err);
        s->kind = kind;
        s->term[s->n++].right = s->has_right;
        if (at[n] == ';' && s->has_right)
            return zw_fail(err, ZW_E_OPTION, "--plot=%s: a panel has two sides, not three", text);
        s->has_right = s->has_right || at[n] == ';';
        if (s->has_right && kind != ZW_SPEC_GRAPH)
            return reject_right(text, err);
        if (!at[n])
            break;
        at += n + 1;
    }
    /* x from the right */
    for (int i = s->n - 1; s->kind == ZW_SPEC_GRAPH && i >= 0; i--) {
        if (s->term[i].axis[0][0])
            continue;
        if (i == s->n - 1)
            return reject_text(text, err);
        memcpy(s->term[i].axis[0], s->term[i + 1].axis[0], ZW_FORMULA_TEXT);
    }
    s->ngiven = s->n;
    for (int i = 0; i < s->n; i++) {
        s->term[i].given = i;
        memcpy(s->given_term[i], s->term[i].axis, sizeof s->given_term[i]);
    }
    return ZW_OK;
}
