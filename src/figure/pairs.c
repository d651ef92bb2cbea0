/* SPDX-License-Identifier: MIT */
/* Complex eigenvalues come in pairs with one real part, which are one thing for the reader: l is
 * the partner of k if re(l) = re(k), im(l) = -im(k) /= 0 in more rows than for any other track, and
 * vice versa. (Tracks may change their partners where pairs meet.) */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tolerance.h"
#include "internal.h"

#define FAST_RATIO 3 /* real parts so many times larger have their own panel */

typedef struct track {
    const char *index; /* n letters */
    size_t n;
    int re, im;
} track;

/* the track whose real part is this column; false if there is none */
static bool track_at(const zw_table *t, int column, track *out) {
    const char *name = zw_table_name(t, column);
    char im[ZW_FORMULA_TEXT];
    size_t n = strlen(name);
    if (strncmp(name, "re(", 3) != 0 || name[n - 1] != ')' || n < 5 || n >= sizeof im)
        return false;
    snprintf(im, sizeof im, "im%s", name + 2);
    *out = (track){name + 3, n - 4, column, zw_table_find(t, im)};
    return out->im >= 0;
}

static long rows_in_common(const zw_table *t, const track *a, const track *b) {
    long n = 0;
    for (long i = 0; i < zw_table_rows(t); i++) {
        double re = zw_table_at(t, i, a->re), im = zw_table_at(t, i, a->im);
        double size = ZW_ROUNDOFF_SOLVED * hypot(re, im);
        n += im != 0 && fabs(zw_table_at(t, i, b->re) - re) <= size &&
             fabs(zw_table_at(t, i, b->im) + im) <= size;
    }
    return n;
}

static bool best_partner(const zw_table *t, const track *of, track *out) {
    long most = 0;
    for (int k = 0; k < zw_table_columns(t); k++) {
        track other;
        if (k == of->re || !track_at(t, k, &other))
            continue;
        long n = rows_in_common(t, of, &other);
        if (n > most) {
            most = n;
            *out = other;
        }
    }
    return most > 0;
}

static bool partner_of(const zw_table *t, const track *own, track *out) {
    track back;
    return best_partner(t, own, out) && best_partner(t, out, &back) && back.re == own->re;
}

static bool find_track(const zw_table *t, const char *index, track *out) {
    char name[ZW_FORMULA_TEXT];
    snprintf(name, sizeof name, "re(%s)", index);
    int column = zw_table_find(t, name);
    return column >= 0 && track_at(t, column, out);
}

void zw_figure_partner(const zw_table *t, const char *index, char *out, size_t size) {
    track own, other;
    out[0] = '\0';
    if (find_track(t, index, &own) && partner_of(t, &own, &other))
        snprintf(out, size, "%.*s", (int)other.n, other.index);
}

int zw_figure_track_number(const zw_table *t, const char *index) {
    track own, other, partner;
    int n = 0;
    if (!find_track(t, index, &own))
        return 0;
    for (int k = 0; k < own.re; k++)
        if (track_at(t, k, &other))
            n += !(partner_of(t, &other, &partner) && partner.re < k);
    return n;
}

/* ---- slow and fast ---- */

typedef struct extent {
    double high, size; /* the largest value, and the largest absolute value */
} extent;

static extent extent_of(const zw_table *t, int column) {
    extent e = {-INFINITY, 0};
    for (long i = 0; i < zw_table_rows(t); i++) {
        double v = zw_table_at(t, i, column);
        if (!isfinite(v))
            continue;
        e.high = fmax(e.high, v);
        e.size = fmax(e.size, fabs(v));
    }
    return e;
}

/* The real part below which tracks are fast, -INFINITY if none is: from right to left, the first
 * track that is always FAST_RATIO times farther left than those before it ever are from the
 * axis. */
static double first_fast(const zw_table *t) {
    double at = INFINITY, size = 0;
    track a;
    for (;;) {
        extent next = {-INFINITY, 0};
        for (int i = 0; i < zw_table_columns(t); i++) {
            extent e = track_at(t, i, &a) ? extent_of(t, a.re) : next;
            if (e.high < at && e.high > next.high)
                next.high = e.high;
        }
        for (int i = 0; i < zw_table_columns(t); i++) {
            extent e = track_at(t, i, &a) ? extent_of(t, a.re) : (extent){-INFINITY, 0};
            if (e.high == next.high)
                next.size = fmax(next.size, e.size);
        }
        if (!isfinite(next.high))
            return -INFINITY;
        if (size > 0 && next.high < -FAST_RATIO * size)
            return next.high;
        size = fmax(size, next.size);
        at = next.high;
    }
}

static void append_index(char *list, size_t size, const track *a) {
    size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%.*s", used ? "," : "", (int)a->n, a->index);
}

bool zw_figure_part_tracks(const zw_table *t, char *slow, char *fast, size_t size,
                           bool *oscillate) {
    double border = first_fast(t);
    track a;
    bool parted = false;
    slow[0] = fast[0] = '\0';
    *oscillate = false;
    for (int k = 0; k < zw_table_columns(t); k++) {
        if (!track_at(t, k, &a))
            continue;
        if (extent_of(t, a.re).size + extent_of(t, a.im).size == 0) {
            parted = true;
            continue;
        }
        bool is_fast = extent_of(t, a.re).high <= border;
        parted = parted || is_fast;
        append_index(is_fast ? fast : slow, size, &a);
        *oscillate = *oscillate || (is_fast && extent_of(t, a.im).size > 0);
    }
    return parted;
}
