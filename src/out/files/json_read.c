/* SPDX-License-Identifier: MIT */
/* Tables from JSON (RFC 8259), in the form described in json.c. A first pass checks the syntax of
 * the document and records the places of its members, so that these may come in any order and
 * unknown ones are skipped; then notes, columns, rows and infinities are read in this order. Rows
 * go directly into the table. A library that builds a tree of the document would need five times
 * the memory and could not report where a row is too short. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/decimal.h"
#include "base/text.h"
#include "file.h"
#include "formats.h"
#include "utf8.h"

enum { DEPTH_MAX = 100 };

typedef enum member { NOTES, COLUMNS, ROWS, INFINITE, MEMBERS } member;

static const char *const member_name[MEMBERS] = {"notes", "columns", "rows", "infinite"};

typedef struct parser {
    const char *path, *text; /* terminated */
    size_t length, at;
    size_t place[MEMBERS]; /* of the member's value, 0 if there is none */
    zw_text key, value;
    zw_table *table;
    double *row; /* width */
    int width;
    zw_error *err;
} parser;

static zw_status report_at(parser *p, size_t at, zw_status status, const char *what) {
    zw_out_fail_in(p->err, status, p->path, p->text, p->length, at, what);
    if (at >= p->length)
        zw_error_hint(p->err, "the file ends too early: copy it or compute it again");
    else
        zw_error_hint(p->err, "a result is {\"notes\": {...}, \"columns\": [{\"name\": ..., "
                              "\"unit\": ...}, ...], \"rows\": [[...], ...]}");
    return status;
}

static zw_status report_error(parser *p, const char *what) {
    return report_at(p, p->at, ZW_E_SYNTAX, what);
}

static zw_status out_of_memory(parser *p) {
    return report_at(p, p->at, ZW_E_MEMORY, "out of memory");
}

/* ---- words ---- */

static char next_character(parser *p) {
    for (;; p->at++) {
        char c = p->text[p->at];
        if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
            return c;
    }
}

static bool accept_character(parser *p, char c) {
    if (next_character(p) != c || p->at >= p->length)
        return false;
    p->at++;
    return true;
}

static zw_status expect_character(parser *p, char c) {
    char what[] = "'?' must stand here";
    what[1] = c;
    return accept_character(p, c) ? ZW_OK : report_error(p, what);
}

/* after an element: *more is true after a comma, false after the closing bracket */
static zw_status go_on(parser *p, char closing, bool *more) {
    *more = accept_character(p, ',');
    return *more || accept_character(p, closing)
               ? ZW_OK
               : report_error(p, "a comma or a bracket is missing");
}

static int hex_digits(const char *s) {
    int value = 0;
    for (int i = 0; i < 4; i++) {
        char c = s[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        value = 16 * value + digit;
    }
    return value;
}

static void put_code_point(zw_text *out, int c) {
    char s[4];
    size_t n = 0;
    if (c < 0x80) {
        s[n++] = (char)c;
    } else {
        if (c < 0x800) {
            s[n++] = (char)(0xc0 | c >> 6);
        } else {
            if (c < 0x10000) {
                s[n++] = (char)(0xe0 | c >> 12);
            } else {
                s[n++] = (char)(0xf0 | c >> 18);
                s[n++] = (char)(0x80 | (c >> 12 & 0x3f));
            }
            s[n++] = (char)(0x80 | (c >> 6 & 0x3f));
        }
        s[n++] = (char)(0x80 | (c & 0x3f));
    }
    zw_text_put_n(out, s, n);
}

/* \uXXXX, two of them for a code point above 0xffff; `at` is after the u */
static zw_status read_code_point(parser *p, zw_text *out) {
    int c = hex_digits(p->text + p->at);
    if (c >= 0xd800 && c < 0xdc00 && p->text[p->at + 4] == '\\' && p->text[p->at + 5] == 'u') {
        int low = hex_digits(p->text + p->at + 6);
        if (low >= 0xdc00 && low < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
            p->at += 6;
        }
    }
    if (c <= 0 || (c >= 0xd800 && c < 0xe000))
        return report_error(p, "this is no character");
    p->at += 4;
    put_code_point(out, c);
    return ZW_OK;
}

static zw_status read_escape(parser *p, zw_text *out) {
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char c = p->text[p->at + 1];
    if (c == 'u') {
        p->at += 2;
        return read_code_point(p, out);
    }
    const char *letter = c ? strchr(letters, c) : NULL;
    if (!letter)
        return report_error(p, "unknown escape in a string");
    zw_text_put_n(out, &meanings[letter - letters], 1);
    p->at += 2;
    return ZW_OK;
}

static zw_status read_string(parser *p, zw_text *out) {
    zw_text_clear(out);
    if (!accept_character(p, '"'))
        return report_error(p, "a string must stand here");
    while (p->text[p->at] != '"') {
        const char *s = p->text + p->at;
        int n = zw_out_utf8_length(s);
        if (p->at >= p->length)
            return report_error(p, "the string is not closed");
        if ((unsigned char)*s < 0x20)
            return report_error(p, "a control character must be written as an escape");
        if (n == 0)
            return report_error(p, "this is no UTF-8 text");
        if (*s == '\\') {
            ZW_TRY(read_escape(p, out));
            continue;
        }
        zw_text_put_n(out, s, (size_t)n);
        p->at += (size_t)n;
    }
    p->at++;
    return out->failed ? out_of_memory(p) : ZW_OK;
}

static size_t count_digits(const char *s) {
    size_t n = 0;
    while (s[n] >= '0' && s[n] <= '9')
        n++;
    return n;
}

/* length of the number at s, 0 if there is none */
static size_t number_length(const char *s) {
    size_t n = s[0] == '-', more = count_digits(s + n);
    if (more == 0 || (more > 1 && s[n] == '0'))
        return 0;
    n += more;
    if (s[n] == '.') {
        more = count_digits(s + n + 1);
        if (more == 0)
            return 0;
        n += 1 + more;
    }
    if (s[n] == 'e' || s[n] == 'E') {
        size_t sign = s[n + 1] == '+' || s[n + 1] == '-';
        more = count_digits(s + n + 1 + sign);
        if (more == 0)
            return 0;
        n += 1 + sign + more;
    }
    return n;
}

static zw_status skip_number(parser *p) {
    next_character(p);
    size_t n = number_length(p->text + p->at);
    p->at += n;
    return n ? ZW_OK : report_error(p, "a number must stand here");
}

static zw_status read_number(parser *p, double *out) {
    next_character(p);
    size_t start = p->at;
    ZW_TRY(skip_number(p));
    zw_decimal_read(p->text + start, p->at - start, out);
    return isinf(*out) ? report_at(p, start, ZW_E_SYNTAX, "the number is too large") : ZW_OK;
}

static bool take_word(parser *p, const char *word) {
    next_character(p);
    size_t n = strlen(word);
    if (strncmp(p->text + p->at, word, n) != 0)
        return false;
    p->at += n;
    return true;
}

/* ---- first pass ---- */

static zw_status skip_value(parser *p, int depth);

static zw_status skip_elements(parser *p, char closing, int depth) {
    p->at++;
    if (depth == DEPTH_MAX)
        return report_error(p, "too deeply nested");
    for (bool more = !accept_character(p, closing); more;) {
        if (closing == '}') {
            ZW_TRY(read_string(p, &p->key));
            ZW_TRY(expect_character(p, ':'));
        }
        ZW_TRY(skip_value(p, depth + 1));
        ZW_TRY(go_on(p, closing, &more));
    }
    return ZW_OK;
}

static zw_status skip_value(parser *p, int depth) {
    switch (next_character(p)) {
    case '{':
        return skip_elements(p, '}', depth);
    case '[':
        return skip_elements(p, ']', depth);
    case '"':
        return read_string(p, &p->value);
    case 't':
    case 'f':
    case 'n':
        return take_word(p, "true") || take_word(p, "false") || take_word(p, "null")
                   ? ZW_OK
                   : report_error(p, "unknown word");
    default:
        return skip_number(p);
    }
}

static zw_status find_members(parser *p) {
    ZW_TRY(expect_character(p, '{'));
    for (bool more = !accept_character(p, '}'); more;) {
        next_character(p);
        size_t name = p->at;
        ZW_TRY(read_string(p, &p->key));
        ZW_TRY(expect_character(p, ':'));
        next_character(p);
        for (int i = 0; i < MEMBERS; i++)
            if (strcmp(zw_text_get(&p->key), member_name[i]) == 0) {
                if (p->place[i])
                    return report_at(p, name, ZW_E_NAME, "the member is there twice");
                p->place[i] = p->at;
            }
        ZW_TRY(skip_value(p, 0));
        ZW_TRY(go_on(p, '}', &more));
    }
    next_character(p);
    return p->at == p->length ? ZW_OK : report_error(p, "something follows the end");
}

/* ---- second pass ---- */

static zw_status take_notes(parser *p) {
    ZW_TRY(expect_character(p, '{'));
    for (bool more = !accept_character(p, '}'); more;) {
        ZW_TRY(read_string(p, &p->key));
        ZW_TRY(expect_character(p, ':'));
        ZW_TRY(read_string(p, &p->value));
        if (zw_table_note(p->table, zw_text_get(&p->key), zw_text_get(&p->value)) < 0)
            return out_of_memory(p);
        ZW_TRY(go_on(p, '}', &more));
    }
    return ZW_OK;
}

/* {"name": "...", "unit": "..."} in any order; the unit is optional */
static zw_status take_column(parser *p) {
    bool has_name = false;
    zw_text name, unit;
    zw_text_init(&name, NULL);
    zw_text_init(&unit, NULL);
    next_character(p);
    size_t start = p->at;
    zw_status status = expect_character(p, '{');
    for (bool more = status >= 0 && !accept_character(p, '}'); more && status >= 0;) {
        status = read_string(p, &p->key);
        if (status >= 0)
            status = expect_character(p, ':');
        if (status < 0)
            break;
        bool is_name = strcmp(zw_text_get(&p->key), "name") == 0;
        has_name = has_name || is_name;
        if (is_name || strcmp(zw_text_get(&p->key), "unit") == 0)
            status = read_string(p, is_name ? &name : &unit);
        else
            status = skip_value(p, 0);
        if (status >= 0)
            status = go_on(p, '}', &more);
    }
    if (status >= 0 && !has_name)
        status = report_at(p, start, ZW_E_SYNTAX, "the column has no name");
    if (status >= 0)
        status = zw_table_column(p->table, zw_text_get(&name), zw_text_get(&unit));
    if (status == ZW_E_NAME)
        report_at(p, start, status, "the column is there twice");
    else if (status == ZW_E_MEMORY)
        out_of_memory(p);
    zw_text_clear(&name);
    zw_text_clear(&unit);
    return status;
}

static zw_status take_columns(parser *p) {
    ZW_TRY(expect_character(p, '['));
    for (bool more = !accept_character(p, ']'); more;) {
        ZW_TRY(take_column(p));
        ZW_TRY(go_on(p, ']', &more));
    }
    return ZW_OK;
}

static zw_status take_row(parser *p) {
    bool more = true;
    ZW_TRY(expect_character(p, '['));
    for (int j = 0; j < p->width; j++) {
        if (!more || next_character(p) == ']')
            return report_error(p, "the row has too few numbers");
        if (take_word(p, "null"))
            p->row[j] = NAN;
        else
            ZW_TRY(read_number(p, &p->row[j]));
        ZW_TRY(go_on(p, ']', &more));
    }
    if (more)
        return report_error(p, "the row has too many numbers");
    if (zw_table_row(p->table, p->row) < 0)
        return out_of_memory(p);
    return ZW_OK;
}

static zw_status take_rows(parser *p) {
    ZW_TRY(expect_character(p, '['));
    bool more = !accept_character(p, ']');
    if (more && p->width == 0)
        return report_error(p, "there are rows, but no columns");
    while (more) {
        ZW_TRY(take_row(p));
        ZW_TRY(go_on(p, ']', &more));
    }
    return ZW_OK;
}

/* [row, column, sign]: the nulls that are infinite */
static zw_status take_infinities(parser *p) {
    ZW_TRY(expect_character(p, '['));
    for (bool more = !accept_character(p, ']'); more;) {
        double entry[3];
        next_character(p);
        size_t start = p->at;
        for (int i = 0; i < 3; i++) {
            ZW_TRY(expect_character(p, i == 0 ? '[' : ','));
            ZW_TRY(read_number(p, &entry[i]));
        }
        ZW_TRY(expect_character(p, ']'));
        bool there = entry[0] >= 0 && entry[0] < (double)zw_table_rows(p->table) && entry[1] >= 0 &&
                     entry[1] < p->width;
        if (!there || !isnan(zw_table_at(p->table, (long)entry[0], (int)entry[1])))
            return report_at(p, start, ZW_E_SYNTAX, "no null stands at this row and column");
        zw_table_set(p->table, (long)entry[0], (int)entry[1], copysign(INFINITY, entry[2]));
        ZW_TRY(go_on(p, ']', &more));
    }
    return ZW_OK;
}

static zw_status parse_document(parser *p) {
    static zw_status (*const takers[MEMBERS])(parser *) = {take_notes, take_columns, take_rows,
                                                           take_infinities};
    if (strlen(p->text) != p->length)
        return report_at(p, strlen(p->text), ZW_E_SYNTAX, "this is no text file");
    ZW_TRY(find_members(p));
    if (!p->place[COLUMNS])
        return report_at(p, 0, ZW_E_SYNTAX, "there is no member \"columns\"");
    for (int i = 0; i < MEMBERS; i++) {
        if (i == ROWS) {
            p->width = zw_table_columns(p->table);
            p->row = zw_allocate(&p->key.alloc, sizeof(double) * ((size_t)p->width + 1));
            if (!p->row)
                return out_of_memory(p);
        }
        p->at = p->place[i];
        if (p->at)
            ZW_TRY(takers[i](p));
    }
    return ZW_OK;
}

zw_status zw_out_json_parse(zw_table **out, const char *text, size_t length, const char *path,
                            zw_error *err) {
    *out = NULL;
    parser p = {.path = path, .text = text, .length = length, .err = err};
    zw_text_init(&p.key, NULL);
    zw_text_init(&p.value, NULL);
    p.table = zw_table_create(NULL);
    locale_t before = zw_plain_begin();
    zw_status status = p.table ? parse_document(&p) : out_of_memory(&p);
    zw_plain_end(before);
    zw_release(&p.key.alloc, p.row, sizeof(double) * ((size_t)p.width + 1));
    zw_text_clear(&p.key);
    zw_text_clear(&p.value);
    if (status >= 0)
        *out = p.table;
    else
        zw_table_destroy(p.table);
    return status;
}
