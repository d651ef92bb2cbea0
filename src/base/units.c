/* SPDX-License-Identifier: MIT */
/* Grammar of a unit text:
 *
 *   unit   = factor { ("*" | "/") factor }
 *   factor = ( name | "1" | "(" unit ")" ) [ "^" exponent ]
 *   exponent = [ "-" ] integer | "(" [ "-" ] integer [ "/" integer ] ")"
 *
 * A name is a unit of the table below, with an SI prefix where the table allows one. Factors are
 * exact rationals times a power of pi as long as 64 bits hold them: 127/10000 m is not rounded. */
#include "units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "option.h"

enum { EXPONENT_MAX = 1000, DENOMINATOR_MAX = 60, NESTING_MAX = 16, NAME_LENGTH_MAX = 24 };
#define PI 3.14159265358979323846

zw_dim zw_dim_none(void) {
    return (zw_dim){.den = 1};
}

zw_dim zw_dim_any(void) {
    return (zw_dim){.den = 1, .any = true};
}

zw_dim zw_dim_mechanical(int kg, int m, int s) {
    return (zw_dim){.num = {(int16_t)kg, (int16_t)m, (int16_t)s}, .den = 1};
}

bool zw_dim_is_none(const zw_dim *d) {
    for (int i = 0; i < ZW_NDIM; i++)
        if (d->num[i])
            return false;
    return true;
}

bool zw_dim_fits(const zw_dim *a, const zw_dim *b) {
    if (a->any || b->any)
        return true;
    for (int i = 0; i < ZW_NDIM; i++)
        if (a->num[i] * b->den != b->num[i] * a->den)
            return false;
    return true;
}

static int64_t gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a < 0 ? -a : a;
}

/* reduces exponents over den to lowest terms; false if they exceed EXPONENT_MAX or
 * DENOMINATOR_MAX */
static bool store_exponents(zw_dim *out, const int64_t exponent[ZW_NDIM + 1], int64_t den) {
    int64_t common = den;
    for (int i = 0; i <= ZW_NDIM; i++)
        common = gcd(common, exponent[i]);
    *out = (zw_dim){.den = 1};
    if (den / common > DENOMINATOR_MAX)
        return false;
    out->den = (int16_t)(den / common);
    for (int i = 0; i <= ZW_NDIM; i++) {
        int64_t e = exponent[i] / common;
        if (e > EXPONENT_MAX || e < -EXPONENT_MAX)
            return false;
        *(i < ZW_NDIM ? &out->num[i] : &out->angle) = (int16_t)e;
    }
    return true;
}

bool zw_dim_combine(zw_dim *out, const zw_dim *a, const zw_dim *b, int sign) {
    if (a->any || b->any) {
        *out = zw_dim_any();
        return true;
    }
    int64_t exponent[ZW_NDIM + 1];
    for (int i = 0; i < ZW_NDIM; i++)
        exponent[i] = a->num[i] * b->den + sign * b->num[i] * a->den;
    exponent[ZW_NDIM] = a->angle * b->den + sign * b->angle * a->den;
    return store_exponents(out, exponent, (int64_t)a->den * b->den);
}

bool zw_dim_power(zw_dim *out, const zw_dim *a, int64_t num, int64_t den) {
    *out = *a;
    if (a->any)
        return true;
    if (zw_dim_is_none(a)) {
        out->angle = 0;
        return true;
    }
    if (num > EXPONENT_MAX || num < -EXPONENT_MAX || den > DENOMINATOR_MAX)
        return false;
    int64_t exponent[ZW_NDIM + 1];
    for (int i = 0; i < ZW_NDIM; i++)
        exponent[i] = a->num[i] * num;
    exponent[ZW_NDIM] = a->angle * num;
    return store_exponents(out, exponent, a->den * den);
}

/* The table of units: SI value num/den * pi^pi, exponents of kg m s A K mol cd. */
typedef struct unit_row {
    const char *name;
    int64_t num, den;
    int16_t pi, angle, e[ZW_NDIM];
    bool prefix; /* takes SI prefixes */
} unit_row;

static const unit_row unit_table[] = {
    /* base */
    {"m", 1, 1, 0, 0, {0, 1}, true},
    {"g", 1, 1000, 0, 0, {1}, true},
    {"s", 1, 1, 0, 0, {0, 0, 1}, true},
    {"A", 1, 1, 0, 0, {0, 0, 0, 1}, true},
    {"K", 1, 1, 0, 0, {0, 0, 0, 0, 1}, true},
    {"mol", 1, 1, 0, 0, {0, 0, 0, 0, 0, 1}, true},
    {"cd", 1, 1, 0, 0, {0, 0, 0, 0, 0, 0, 1}, true},
    /* angles */
    {"rad", 1, 1, 0, 1, {0}, true},
    {"deg", 1, 180, 1, 1, {0}, false},
    {"rev", 2, 1, 1, 1, {0}, false},
    {"rpm", 1, 30, 1, 1, {0, 0, -1}, false},
    /* derived */
    {"Hz", 1, 1, 0, 0, {0, 0, -1}, true},
    {"N", 1, 1, 0, 0, {1, 1, -2}, true},
    {"J", 1, 1, 0, 0, {1, 2, -2}, true},
    {"W", 1, 1, 0, 0, {1, 2, -3}, true},
    {"Pa", 1, 1, 0, 0, {1, -1, -2}, true},
    {"C", 1, 1, 0, 0, {0, 0, 1, 1}, true},
    {"V", 1, 1, 0, 0, {1, 2, -3, -1}, true},
    {"Ohm", 1, 1, 0, 0, {1, 2, -3, -2}, true},
    {"F", 1, 1, 0, 0, {-1, -2, 4, 2}, true},
    {"Wb", 1, 1, 0, 0, {1, 2, -2, -1}, true},
    {"T", 1, 1, 0, 0, {1, 0, -2, -1}, true},
    {"H", 1, 1, 0, 0, {1, 2, -2, -2}, true},
    {"lm", 1, 1, 0, 0, {0, 0, 0, 0, 0, 0, 1}, true},
    /* used with the SI */
    {"min", 60, 1, 0, 0, {0, 0, 1}, false},
    {"h", 3600, 1, 0, 0, {0, 0, 1}, false},
    {"d", 86400, 1, 0, 0, {0, 0, 1}, false},
    {"l", 1, 1000, 0, 0, {0, 3}, true},
    {"L", 1, 1000, 0, 0, {0, 3}, true},
    {"t", 1000, 1, 0, 0, {1}, true},
    {"bar", 100000, 1, 0, 0, {1, -1, -2}, true},
    {"atm", 101325, 1, 0, 0, {1, -1, -2}, false},
    {"eV", 0, 1, 0, 0, {1, 2, -2}, true}, /* not a 64-bit fraction: see eV_factor */
    {"cal", 4184, 1000, 0, 0, {1, 2, -2}, true},
    {"kp", 980665, 100000, 0, 0, {1, 1, -2}, false},
    {"PS", 73549875, 100000, 0, 0, {1, 2, -3}, false},
    {"inch", 254, 10000, 0, 0, {0, 1}, false},
    {"ft", 3048, 10000, 0, 0, {0, 1}, false},
    {"yd", 9144, 10000, 0, 0, {0, 1}, false},
    {"mi", 1609344, 1000, 0, 0, {0, 1}, false},
    {"lb", 45359237, 100000000, 0, 0, {1}, false},
    {"oz", 45359237, 1600000000, 0, 0, {1}, false},
    {"lbf", 44482216152605, 10000000000000, 0, 0, {1, 1, -2}, false},
    {"kn", 1852, 3600, 0, 0, {0, 1, -1}, false},
};
enum { UNIT_ROWS = sizeof unit_table / sizeof *unit_table };
static const double eV_factor = 1.602176634e-19;

typedef struct prefix_row {
    const char *name;
    int power; /* of ten */
} prefix_row;

static const prefix_row prefix_table[] = {
    {"p", -12}, {"n", -9}, {"u", -6}, {"\xc2\xb5", -6}, {"m", -3}, {"c", -2}, {"d", -1},
    {"da", 1},  {"h", 2},  {"k", 3},  {"M", 6},         {"G", 9},  {"T", 12},
};
enum { PREFIX_ROWS = sizeof prefix_table / sizeof *prefix_table };

static void unit_init(zw_unit *u) {
    *u = (zw_unit){.dim = zw_dim_none(), .exact = true, .num = 1, .den = 1, .factor = 1.0};
}

/* u *= num/den: exact while it fits */
static void scale_unit(zw_unit *u, int64_t num, int64_t den) {
    u->factor *= (double)num / (double)den;
    int64_t common = gcd(num, den);
    num /= common;
    den /= common;
    int64_t g = gcd(num, u->den), h = gcd(u->num, den);
    if (!u->exact || __builtin_mul_overflow(u->num / h, num / g, &u->num) ||
        __builtin_mul_overflow(u->den / g, den / h, &u->den))
        u->exact = false;
}

static int64_t ten_to(int power) {
    int64_t p = 1;
    for (int i = 0; i < power; i++)
        p *= 10;
    return p;
}

static const unit_row *find_row(const char *name, size_t n, bool prefixed) {
    for (int i = 0; i < UNIT_ROWS; i++)
        if (strlen(unit_table[i].name) == n && memcmp(unit_table[i].name, name, n) == 0 &&
            (!prefixed || unit_table[i].prefix))
            return &unit_table[i];
    return NULL;
}

/* the plain name first (min is a minute, not a milli-inch), then prefix and name */
static bool find_unit(zw_unit *u, const char *name, size_t n) {
    const unit_row *row = find_row(name, n, false);
    int power = 0;
    for (int i = 0; !row && i < PREFIX_ROWS; i++) {
        size_t length = strlen(prefix_table[i].name);
        if (n > length && memcmp(name, prefix_table[i].name, length) == 0) {
            row = find_row(name + length, n - length, true);
            power = prefix_table[i].power;
        }
    }
    if (!row)
        return false;
    unit_init(u);
    for (int i = 0; i < ZW_NDIM; i++)
        u->dim.num[i] = row->e[i];
    u->dim.angle = row->angle;
    u->pi_power = row->pi;
    if (row->num) {
        scale_unit(u, row->num, row->den);
        u->factor *= pow(PI, row->pi);
    } else {
        u->exact = false;
        u->factor = eV_factor;
    }
    if (power > 0)
        scale_unit(u, ten_to(power), 1);
    else if (power < 0)
        scale_unit(u, 1, ten_to(-power));
    return true;
}

/* out = a * b^sign */
static bool unit_combine(zw_unit *out, const zw_unit *a, const zw_unit *b, int sign) {
    zw_unit r = *a;
    if (!zw_dim_combine(&r.dim, &a->dim, &b->dim, sign))
        return false;
    double factor = sign > 0 ? a->factor * b->factor : a->factor / b->factor;
    if (b->exact)
        scale_unit(&r, sign > 0 ? b->num : b->den, sign > 0 ? b->den : b->num);
    else
        r.exact = false;
    r.factor = factor;
    r.pi_power += sign * b->pi_power;
    *out = r;
    return true;
}

static bool unit_power(zw_unit *out, const zw_unit *a, int num, int den) {
    zw_unit r;
    unit_init(&r);
    if (den == 1 && abs(num) <= 64) {
        for (int i = 0; i < abs(num); i++)
            if (!unit_combine(&r, &r, a, num > 0 ? 1 : -1))
                return false;
    } else {
        r.exact = false;
        r.factor = pow(a->factor, (double)num / den);
        if (!zw_dim_power(&r.dim, &a->dim, num, den))
            return false;
    }
    *out = r;
    return true;
}

typedef struct reader {
    const char *text;
    size_t n, at;
    zw_place place;
    int nesting;
    zw_error *err;
} reader;

static zw_place current_place(const reader *r) {
    zw_place p = r->place;
    p.column += (int)r->at;
    return p;
}

static void skip_blanks(reader *r) {
    while (r->at < r->n && (r->text[r->at] == ' ' || r->text[r->at] == '\t'))
        r->at++;
}

static int peek_character(reader *r) {
    skip_blanks(r);
    return r->at < r->n ? (unsigned char)r->text[r->at] : 0;
}

static zw_status report_syntax(reader *r, const char *what) {
    zw_fail_at(r->err, ZW_E_SYNTAX, current_place(r), "%s", what);
    zw_error_hint(r->err, "units look like [m], [1/s], [kg*m^2/s^2], [g/cm^3]");
    return ZW_E_SYNTAX;
}

static zw_status read_integer(reader *r, int *out) {
    int sign = 1, value = 0;
    if (peek_character(r) == '-') {
        sign = -1;
        r->at++;
    }
    if (!isdigit(peek_character(r)))
        return report_syntax(r, "an exponent must be a whole number, or a fraction in brackets");
    while (r->at < r->n && isdigit((unsigned char)r->text[r->at])) {
        value = 10 * value + (r->text[r->at++] - '0');
        if (value > EXPONENT_MAX)
            return report_syntax(r, "the exponent is too large");
    }
    *out = sign * value;
    return ZW_OK;
}

static zw_status read_exponent(reader *r, int *num, int *den) {
    *den = 1;
    if (peek_character(r) != '(')
        return read_integer(r, num);
    r->at++;
    ZW_TRY(read_integer(r, num));
    if (peek_character(r) == '/') {
        r->at++;
        ZW_TRY(read_integer(r, den));
        if (*den < 1)
            return report_syntax(r, "the denominator of an exponent must be positive");
    }
    if (peek_character(r) != ')')
        return report_syntax(r, "the bracket of the exponent is not closed");
    r->at++;
    return ZW_OK;
}

static bool is_name_byte(int c) {
    return isalpha(c) || c >= 0x80;
}

/* the name of a unit that is spelled as a word or differs in capitals only; NULL if there is
 * none */
static const char *other_spelling(const char *name, int n, const char *const *names) {
    static const struct {
        const char *word, *unit;
    } words[] = {{"sec", "s"},    {"second", "s"},   {"seconds", "s"},   {"metre", "m"},
                 {"meter", "m"},  {"degree", "deg"}, {"degrees", "deg"}, {"radian", "rad"},
                 {"hour", "h"},   {"Nm", "N*m"},     {"Ns", "N*s"},      {"Ws", "W*s"},
                 {"kWh", "kW*h"}, {"turn", "rev"},   {"turns", "rev"},   {"U", "rev"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i].word) == 0)
            return words[i].unit;
    const char *found = NULL;
    for (int i = 0; i < n; i++)
        if (strcasecmp(name, names[i]) == 0)
            found = names[i];
    return found;
}

static zw_status unknown_unit(reader *r, const char *name, size_t n, zw_place place) {
    static const char *const usual[] = {"kg", "mm",  "cm",  "km", "ms",
                                        "kN", "kPa", "MPa", "kJ", "kW"};
    enum { USUAL = sizeof usual / sizeof *usual };
    const char *names[UNIT_ROWS + USUAL];
    for (int i = 0; i < UNIT_ROWS; i++)
        names[i] = unit_table[i].name;
    for (int i = 0; i < USUAL; i++)
        names[UNIT_ROWS + i] = usual[i];
    char copy[NAME_LENGTH_MAX];
    snprintf(copy, sizeof copy, "%.*s", (int)(n < NAME_LENGTH_MAX ? n : NAME_LENGTH_MAX - 1), name);
    zw_fail_at(r->err, ZW_E_UNIT, place, "there is no unit '%s'", copy);
    size_t length = strlen(copy);
    bool square = length > 2 && strcmp(copy + length - 2, "\xc2\xb2") == 0;
    if (square || (length > 2 && strcmp(copy + length - 2, "\xc2\xb3") == 0)) {
        zw_error_hint(r->err, "did you mean %.*s^%d?", (int)length - 2, copy, square ? 2 : 3);
        return ZW_E_UNIT;
    }
    const char *near = other_spelling(copy, UNIT_ROWS + USUAL, names);
    if (!near)
        near = zw_nearest(copy, UNIT_ROWS + USUAL, names);
    if (near)
        zw_error_hint(r->err, "did you mean %s?", near);
    else
        zw_error_hint(r->err, "docs/language.md lists the units");
    return ZW_E_UNIT;
}

static zw_status read_unit(reader *r, zw_unit *out);

static zw_status read_base(reader *r, zw_unit *out) {
    int c = peek_character(r);
    if (c == '(') {
        if (++r->nesting > NESTING_MAX)
            return report_syntax(r, "the brackets are nested too deeply");
        r->at++;
        ZW_TRY(read_unit(r, out));
        if (peek_character(r) != ')')
            return report_syntax(r, "a bracket in the unit is not closed");
        r->at++;
        r->nesting--;
        return ZW_OK;
    }
    if (c == '1') {
        r->at++;
        unit_init(out);
        return ZW_OK;
    }
    if (!is_name_byte(c))
        return report_syntax(r, "a unit is missing here");
    zw_place place = current_place(r);
    size_t start = r->at;
    while (r->at < r->n && is_name_byte((unsigned char)r->text[r->at]))
        r->at++;
    if (!find_unit(out, r->text + start, r->at - start))
        return unknown_unit(r, r->text + start, r->at - start, place);
    return ZW_OK;
}

static zw_status read_factor(reader *r, zw_unit *out) {
    ZW_TRY(read_base(r, out));
    if (peek_character(r) != '^')
        return ZW_OK;
    r->at++;
    int num, den;
    ZW_TRY(read_exponent(r, &num, &den));
    if (!unit_power(out, out, num, den))
        return report_syntax(r, "the exponent is out of all proportion");
    return ZW_OK;
}

static zw_status read_unit(reader *r, zw_unit *out) {
    ZW_TRY(read_factor(r, out));
    for (int c = peek_character(r); c == '*' || c == '/'; c = peek_character(r)) {
        zw_unit factor;
        r->at++;
        ZW_TRY(read_factor(r, &factor));
        if (!unit_combine(out, out, &factor, c == '*' ? 1 : -1))
            return report_syntax(r, "the exponents of this unit are out of all proportion");
    }
    return ZW_OK;
}

zw_status zw_unit_parse(zw_unit *out, const char *text, size_t n, zw_place place, zw_error *err) {
    reader r = {.text = text, .n = n, .place = place, .err = err};
    ZW_TRY(read_unit(&r, out));
    if (isdigit(peek_character(&r)) && r.at > 0 && isalpha((unsigned char)text[r.at - 1])) {
        zw_fail_at(err, ZW_E_SYNTAX, current_place(&r), "a power of a unit needs its sign");
        zw_error_hint(err, "[%.*s^%.*s]", (int)r.at, text, (int)(n - r.at), text + r.at);
        return ZW_E_SYNTAX;
    }
    if (peek_character(&r))
        return report_syntax(&r, "units are joined by * or /");
    if (!isfinite(out->factor) || out->factor <= 0.0)
        return report_syntax(&r, "the unit is too large or too small for a number");
    return ZW_OK;
}

/* Named SI units in which dimensions are shown, exponents of kg m s A. */
typedef struct shown_row {
    const char *name;
    int16_t e[4];
} shown_row;

static const shown_row shown_table[] = {
    {"N", {1, 1, -2}},         {"J", {1, 2, -2}},     {"W", {1, 2, -3}},       {"Pa", {1, -1, -2}},
    {"N/m", {1, 0, -2}},       {"V", {1, 2, -3, -1}}, {"Ohm", {1, 2, -3, -2}}, {"C", {0, 0, 1, 1}},
    {"N*m/A", {1, 2, -2, -1}}, {"H", {1, 2, -2, -2}},
};
enum { SHOWN_ROWS = sizeof shown_table / sizeof *shown_table };

static const char *const base_name[ZW_NDIM] = {"kg", "m", "s", "A", "K", "mol", "cd"};

static const char *named_dimension(const zw_dim *d) {
    if (d->den != 1 || d->num[ZW_DIM_K] || d->num[ZW_DIM_MOL] || d->num[ZW_DIM_CD])
        return NULL;
    for (int i = 0; i < SHOWN_ROWS; i++)
        if (shown_table[i].e[0] == d->num[0] && shown_table[i].e[1] == d->num[1] &&
            shown_table[i].e[2] == d->num[2] && shown_table[i].e[3] == d->num[3])
            return shown_table[i].name;
    return NULL;
}

/* writes the base units with exponents of one sign, joined by *; returns their number */
static int put_side(const zw_dim *d, int sign, char *out, size_t size) {
    int count = 0;
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < ZW_NDIM && used < size; i++) {
        int num = sign * d->num[i], g = (int)gcd(num, d->den);
        if (num <= 0)
            continue;
        int den = d->den / g, k = 0;
        num /= g;
        const char *join = count++ ? "*" : "";
        if (den > 1)
            k = snprintf(out + used, size - used, "%s%s^(%d/%d)", join, base_name[i], num, den);
        else if (num > 1)
            k = snprintf(out + used, size - used, "%s%s^%d", join, base_name[i], num);
        else
            k = snprintf(out + used, size - used, "%s%s", join, base_name[i]);
        used += (size_t)k;
    }
    return count;
}

void zw_dim_text(const zw_dim *d, char text[ZW_DIM_TEXT]) {
    const char *named = named_dimension(d);
    if (named) {
        snprintf(text, ZW_DIM_TEXT, "%s", named);
        return;
    }
    char top[ZW_DIM_TEXT / 2], bottom[ZW_DIM_TEXT / 2];
    int above = put_side(d, 1, top, sizeof top), below = put_side(d, -1, bottom, sizeof bottom);
    bool only_time = above == 0 && below <= 1 && (below == 0 || d->num[ZW_DIM_S] < 0);
    if (only_time && d->angle == d->den) {
        snprintf(top, sizeof top, "rad");
        above = 1;
    }
    if (below == 0)
        snprintf(text, ZW_DIM_TEXT, "%s", top);
    else
        snprintf(text, ZW_DIM_TEXT, below > 1 ? "%s/(%s)" : "%s/%s", above ? top : "1", bottom);
}

void zw_dim_words(const zw_dim *d, char text[ZW_DIM_WORDS]) {
    char unit[ZW_DIM_TEXT];
    zw_dim_text(d, unit);
    snprintf(text, ZW_DIM_WORDS, unit[0] ? "in %s" : "a plain number", unit);
}

void zw_momentum_unit(const char *velocity, char text[ZW_DIM_TEXT]) {
    const zw_dim energy = zw_dim_mechanical(1, 2, -2);
    zw_unit unit;
    zw_dim momentum;
    text[0] = '\0';
    if (!velocity[0] || zw_unit_parse(&unit, velocity, strlen(velocity), (zw_place){0}, NULL) < 0 ||
        !zw_dim_combine(&momentum, &energy, &unit.dim, -1))
        return;
    momentum.angle = 0;
    zw_dim_text(&momentum, text);
}
