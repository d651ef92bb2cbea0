/* SPDX-License-Identifier: MIT */
/* One motion of the curves, by words: "fold", "fold 2", "neimark-sacker" are special points in the
 * order of the motions; "3.4" is the first point with this value of the parameter, "3.4 2" the
 * second one, which is solved for. Studies of doubled period come after the study itself. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "branch/curve.h"
#include "forced.h"
#include "motion/harmonic/balance.h"
#include "motion/motion_words.h"

static bool find_special(zw_forced *f, const char *word, size_t length, int *left,
                         zw_forced **study, int *number) {
    for (int i = 0; i < f->nmotion; i++) {
        const zw_forced_motion *m = &f->motion[i];
        const char *event_word = zw_motion_event_word(m->event);
        if (m->curve < 0 || m->march || strlen(event_word) != length ||
            strncmp(event_word, word, length) != 0 || --*left > 0)
            continue;
        *study = f;
        *number = i;
        return true;
    }
    for (int i = 0; i < f->nchild; i++)
        if (find_special(f->child[i], word, length, left, study, number))
            return true;
    return false;
}

/* finds the interval i, i + 1 of a curve that contains the value */
static bool find_passage(zw_forced *f, double value, int *left, zw_forced **study, int *number) {
    for (int i = 0; i + 1 < f->nmotion; i++) {
        const zw_forced_motion *a = &f->motion[i], *b = &f->motion[i + 1];
        bool passes = (a->value <= value && value < b->value) ||
                      (b->value < value && value <= a->value) ||
                      (b->value == value && b->event == ZW_BIFURCATION_END);
        if (a->curve < 0 || a->curve != b->curve || a->march || !passes || --*left > 0)
            continue;
        *study = f;
        *number = i;
        return true;
    }
    for (int i = 0; i < f->nchild; i++)
        if (find_passage(f->child[i], value, left, study, number))
            return true;
    return false;
}

zw_status zw_forced_between(zw_forced *f, int before, int after, double value, int *number,
                            zw_error *err) {
    zw_forced_motion a = f->motion[before], b = f->motion[after];
    double fraction = b.value == a.value ? 0 : (value - a.value) / (b.value - a.value);
    if (a.state) {
        int nx = f->kernel->nx;
        double *x = ZW_NEW(&f->arena, double, nx + 1);
        if (!x)
            return zw_out_of_memory(err, NULL);
        for (int k = 0; k < nx; k++)
            x[k] = a.state[k] + fraction * (b.state[k] - a.state[k]);
        return zw_forced_shoot_near(f, value, x, number, err);
    }
    ZW_TRY(zw_forced_load_motion(f, a.ncoefficient > b.ncoefficient ? &a : &b, err));
    zw_forced_scale_by(f, &a);
    zw_cont_problem p = zw_harmonic_problem(f->balance);
    zw_forced_copy_coefficients(f, f->nfunction, a.ncoefficient, a.x, f->x);
    zw_forced_copy_coefficients(f, f->nfunction, b.ncoefficient, b.x, f->y);
    for (int k = 0; k < p.n; k++)
        f->x[k] += fraction * (f->y[k] - f->x[k]);
    ZW_TRY(zw_cont_correct(&p, ZW_NEWTON, f->x, value, NULL, NULL, err));
    ZW_TRY(zw_forced_add_motion(f, value, true, NULL, ZW_BIFURCATION_POINT, -1, err));
    *number = f->nmotion - 1;
    return ZW_OK;
}

/* After a value or a special point: the unit of the parameter, if it is a value, then the count,
 * from 1. False: something else. */
static bool read_count(const zw_forced *f, const char *text, bool is_value, int *nth) {
    size_t unit = strlen(f->over.unit);
    text += strspn(text, " ");
    if (is_value && *text == '[') {
        if (strncmp(text + 1, f->over.unit, unit) != 0 || text[1 + unit] != ']')
            return false;
        text += unit + 2;
        text += strspn(text, " ");
    }
    *nth = 1;
    if (!*text)
        return true;
    char *end;
    long n = strtol(text, &end, 10);
    *nth = (int)n;
    return isdigit((unsigned char)*text) && n > 0 && n < 1000000 && !end[strspn(end, " ")];
}

zw_status zw_forced_pick(zw_forced *f, const char *which, zw_forced **study, int *number,
                         zw_error *err) {
    char *rest;
    double value = strtod(which, &rest);
    size_t length = strcspn(which, " ");
    bool is_value = rest != which;
    const char *nth = is_value ? rest : which + length;
    int wanted;
    if (!f->has_over || !f->ncurve)
        return zw_fail(err, ZW_E_OPTION, "there are no curves to take a motion from");
    if (!read_count(f, nth, is_value, &wanted)) {
        zw_fail(err, ZW_E_OPTION,
                "--pick %.60s: not a special point or a value of %s, with its number (1, 2, ...)",
                which, f->over.name);
        if (f->over.unit[0])
            zw_error_hint(err, "values are in %s, the unit of --over", f->over.unit);
        return ZW_E_OPTION;
    }
    int left = wanted;
    bool found = is_value ? find_passage(f, value * f->over.factor, &left, study, number)
                          : find_special(f, which, length, &left, study, number);
    if (found)
        return is_value ? zw_forced_between(*study, *number, *number + 1, value * f->over.factor,
                                            number, err)
                        : ZW_OK;
    zw_fail(err, ZW_E_OPTION, "--pick %.60s: the curves have %s", which,
            left < wanted ? "fewer of them" : "none");
    zw_error_hint(
        err,
        "a special point (fold, fold 2, branch, period-doubling, neimark-sacker), or a value "
        "of %s within the curves",
        f->over.name);
    return ZW_E_OPTION;
}
