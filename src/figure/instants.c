/* SPDX-License-Identifier: MIT */
/* Instants from text, and the rows of a result that are nearest to them.
 *
 * A row is a computed state. Between two rows the state would have to be interpolated, which is
 * wrong for a body that rotates fast. So an instant is that of its nearest row, and if this is
 * farther away than a tenth of the time to the next instant, that is reported. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "internal.h"

#define ROW_FAR 0.1 /* relative to the time between instants: the eye sees the shift */
/* Of the whole time, and of a number of steps: round-off of decimals such as 0.1, which must not
 * lose the last instant. */
#define TIME_SLACK 1e-9
#define COUNT_SLACK 1e-12

static zw_status reject_text(zw_error *err, const char *text, const char *what) {
    zw_fail(err, ZW_E_OPTION, "--strobe %.100s: %s", text, what);
    zw_error_hint(
        err,
        "a list 0.1,0.2,0.35 or 10,20ms; from, to and step 0:2:0.25; or a number of instants 8");
    return ZW_E_OPTION;
}

/* ---- text ---- */

typedef struct word {
    double number, factor; /* factor 0: no unit */
} word;

/* "10", "10ms", "10 [ms]" of n characters */
static zw_status read_word(const char *text, const char *at, size_t n, word *out, zw_error *err) {
    char copy[64], *end;
    zw_unit unit;
    const zw_dim second = zw_dim_mechanical(0, 0, 1);
    if (n >= sizeof copy)
        return reject_text(err, text, "this is no time");
    memcpy(copy, at, n);
    copy[n] = '\0';
    out->number = strtod(copy, &end);
    out->factor = 0;
    if (end == copy || !isfinite(out->number))
        return reject_text(err, text,
                           n ? "there is something that is no number" : "a number is missing");
    end += strspn(end, " \t");
    size_t rest = strlen(end);
    while (rest > 0 && isspace((unsigned char)end[rest - 1]))
        rest--;
    if (rest == 0)
        return ZW_OK;
    if (rest > 1 && end[0] == '[' && end[rest - 1] == ']') {
        end++;
        rest -= 2;
    }
    if (zw_unit_parse(&unit, end, rest, (zw_place){0}, NULL) < 0 ||
        !zw_dim_fits(&unit.dim, &second))
        return reject_text(err, text, "a unit that is none of time");
    out->factor = unit.factor;
    return ZW_OK;
}

enum { WORDS = ZW_STROBE_MAX + 1 };

/* the numbers between separators, in seconds */
static zw_status read_words(const char *text, char separator, double *t, int *count,
                            zw_error *err) {
    word w[WORDS];
    int n = 0;
    for (const char *at = text;; at++) {
        const char *stop = strchr(at, separator);
        size_t length = stop ? (size_t)(stop - at) : strlen(at);
        if (n == WORDS - 1) {
            zw_fail(err, ZW_E_OPTION, "--strobe: more than %d instants do not fit in a picture",
                    ZW_STROBE_MAX);
            zw_error_hint(err, "a film shows them: zwang view RESULT --video FILE.mp4");
            return ZW_E_OPTION;
        }
        ZW_TRY(read_word(text, at, length, &w[n++], err));
        if (!stop)
            break;
        at = stop;
    }
    for (int i = 0; i < n; i++)
        t[i] = w[i].number * (w[i].factor > 0       ? w[i].factor
                              : w[n - 1].factor > 0 ? w[n - 1].factor
                                                    : 1);
    *count = n;
    return ZW_OK;
}

static zw_status too_many(const char *text, double n, zw_error *err) {
    zw_fail(err, ZW_E_OPTION,
            "--strobe %.100s: these are %.0f instants, at most %d fit in a picture", text, n,
            ZW_STROBE_MAX);
    zw_error_hint(err, "a film shows them: zwang view RESULT --video FILE.mp4");
    return ZW_E_OPTION;
}

static zw_status read_range(zw_figure_instants *out, const char *text, zw_error *err) {
    double part[WORDS];
    int n;
    ZW_TRY(read_words(text, ':', part, &n, err));
    if (n != 3)
        return reject_text(err, text, "a range is from, to and step");
    if (!(part[2] > 0) || part[1] < part[0])
        return reject_text(err, text,
                           "the step must be positive, and the end not before the beginning");
    double count = floor((part[1] - part[0]) / part[2] * (1 + COUNT_SLACK) + TIME_SLACK) + 1;
    if (count > ZW_STROBE_MAX)
        return too_many(text, count, err);
    out->n = (int)count;
    for (int k = 0; k < out->n; k++)
        out->asked[k] = part[0] + k * part[2];
    return ZW_OK;
}

static zw_status read_count(zw_figure_instants *out, const char *text, double first, double last,
                            zw_error *err) {
    double n = strtod(text, NULL);
    if (n < 2)
        return reject_text(
            err, text,
            "a whole number is a number of instants, 2 or more; the instant is 1.0 or 1s");
    if (n > ZW_STROBE_MAX)
        return too_many(text, n, err);
    if (!(last > first))
        return reject_text(err, text, "the motion has one instant only");
    out->n = (int)n;
    for (int k = 0; k < out->n; k++)
        out->asked[k] = first + (last - first) * k / (out->n - 1);
    return ZW_OK;
}

static zw_status read_text(zw_figure_instants *out, const char *text, double first, double last,
                           zw_error *err) {
    text += strspn(text, " \t");
    if (!*text)
        return reject_text(err, text, "no instants");
    if (strspn(text, "0123456789") == strlen(text))
        return read_count(out, text, first, last, err);
    if (strchr(text, ':'))
        return read_range(out, text, err);
    return read_words(text, ',', out->asked, &out->n, err);
}

/* ---- times ---- */

static zw_status check_times(const zw_figure_instants *in, double first, double last,
                             zw_error *err) {
    double slack = TIME_SLACK * (last - first);
    for (int k = 0; k < in->n; k++) {
        double t = in->asked[k];
        if (t < first - slack || t > last + slack) {
            zw_fail(err, ZW_E_OPTION,
                    "--strobe: %g s is outside, the motion is from t = %g s to %g s", t, first,
                    last);
            zw_error_hint(err, "instants from %g to %g; or a longer run: --until %g", first, last,
                          t > last ? t : last);
            return ZW_E_OPTION;
        }
        if (k > 0 && !(t > in->asked[k - 1])) {
            zw_fail(err, ZW_E_OPTION, "--strobe: instants must ascend, but %g s follows %g s", t,
                    in->asked[k - 1]);
            zw_error_hint(err, "in the order of time, each once");
            return ZW_E_OPTION;
        }
    }
    return ZW_OK;
}

static double nearest_row(const zw_table *rows, int column, double t) {
    double best = NAN;
    for (long i = 0; i < zw_table_rows(rows); i++) {
        double at = zw_table_at(rows, i, column);
        if (!(fabs(at - t) >= fabs(best - t)))
            best = isfinite(at) ? at : best;
    }
    return best;
}

/* the time to the nearest other instant; for a single one, the whole time */
static double distance_to_next(const zw_figure_instants *in, int k, double whole) {
    double d = whole;
    for (int i = 0; i < in->n; i++)
        if (i != k)
            d = fmin(d, fabs(in->asked[i] - in->asked[k]));
    return d;
}

static zw_status take_rows(zw_figure_instants *in, double whole, const zw_table *rows,
                           zw_error *err) {
    int column = zw_table_find(rows, "t");
    for (int k = 0; k < in->n; k++) {
        in->t[k] = nearest_row(rows, column, in->asked[k]);
        in->far[k] = fabs(in->t[k] - in->asked[k]) > ROW_FAR * distance_to_next(in, k, whole);
        if (k > 0 && in->t[k] == in->t[k - 1]) {
            zw_fail(err, ZW_E_OPTION,
                    "--strobe: the row at t = %g s is the nearest to both %g s and %g s", in->t[k],
                    in->asked[k - 1], in->asked[k]);
            zw_error_hint(err, "fewer instants, or a run with more rows: --step-out %.2g",
                          (in->asked[k] - in->asked[k - 1]) / 10);
            return ZW_E_OPTION;
        }
    }
    return ZW_OK;
}

zw_status zw_figure_instants_read(zw_figure_instants *out, const char *text, double first,
                                  double last, const zw_table *rows, zw_error *err) {
    *out = (zw_figure_instants){0};
    ZW_TRY(read_text(out, text, first, last, err));
    ZW_TRY(check_times(out, first, last, err));
    memcpy(out->t, out->asked, sizeof out->t);
    return rows ? take_rows(out, last - first, rows, err) : ZW_OK;
}

/* ---- steps ---- */

/* the greatest common divisor of two lengths, up to slack */
static double common_measure(double a, double b, double slack) {
    while (b > slack) {
        double rest = fmod(a, b);
        if (b - rest < slack)
            rest = 0;
        a = b;
        b = rest;
    }
    return a;
}

double zw_figure_instants_step(const zw_figure_instants *in, double first, double most) {
    double common = 0, slack = TIME_SLACK * fabs(in->asked[in->n - 1] - first);
    for (int k = 0; k < in->n; k++)
        if (in->asked[k] - first > slack)
            common = common_measure(common > 0 ? common : in->asked[k] - first,
                                    in->asked[k] - first, slack);
    if (!(common > most / 10)) /* they have little in common */
        return most;
    return common / ceil(common / most * (1 - COUNT_SLACK));
}
