/* SPDX-License-Identifier: MIT */
/* Branches of equilibria and relative equilibria and curves of their special points as a report and
 * as tables, and the warnings about them. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tolerance.h"
#include "branches.h"
#include "motion/branch_check.h"
#include "motion/motion_report.h"
#include "motion/notes.h"

enum { NAMES = 4 };
/* of the range: a turn of the parameter that a fold must explain; smaller ones are not located
 * (SAME_PLACE of branches.c) */
#define TURN_VISIBLE 1e-6
/* of the size of an entry: it changes along the branches; above the error of motions */
#define ENTRY_CHANGES ZW_ROUNDOFF_SOLVED
#define ENTRY_ROUNDOFF ZW_ROUNDOFF_VALUE /* of the size of an entry: printed as zero */
#define ENTRY_LOCATED 1e-9               /* the same at a special point, located with this error */
#define VALUE_LOCATED 1e-10              /* of the range: a value printed as zero */
/* of ranges and sizes: a point that coincides with a special point, where eigenvalues are within
 * sqrt(eps) of the axis */
#define AT_SPECIAL 1e-8
/* of them: close to where the motion comes to rest; eigenvalues are then known to the inverse of
 * this times rounding */
#define NEAR_REST 1e-3
#define SAME_PLACE 1e-5   /* of them: one special point found on two curves, with both errors */
#define VALUE_KNOWN 1e-11 /* of the range: error of the parameter at special points, ZW_NEWTON */

static const struct {
    const char *word, *one, *many;
} kinds[] = {
    [ZW_STEADY_POINT] = {"", "point", "points"},
    [ZW_STEADY_END] = {"", "point", "points"},
    [ZW_STEADY_FOLD] = {"fold", "fold", "folds"},
    [ZW_STEADY_HOPF] = {"hopf", "Hopf point", "Hopf points"},
    [ZW_STEADY_BRANCH] = {"branch", "branch point", "branch points"},
    [ZW_STEADY_CUSP] = {"cusp", "cusp", "cusps"},
    [ZW_STEADY_BOGDANOV_TAKENS] = {"bogdanov-takens", "Bogdanov-Takens point", ""},
    [ZW_STEADY_GENERALISED_HOPF] = {"generalised-hopf", "generalised Hopf point", ""},
    [ZW_STEADY_ZERO_HOPF] = {"zero-hopf", "zero-Hopf point", ""},
    [ZW_STEADY_DOUBLE_HOPF] = {"double-hopf", "double Hopf point", ""},
    [ZW_STEADY_SHRINKS] = {"shrinks", "shrinks", ""},
};
_Static_assert(sizeof kinds / sizeof *kinds == ZW_STEADY_SHRINKS + 1,
               "words for every kind of point up to the last one");

const char *zw_branches_word(zw_steady_kind kind) {
    return kinds[kind].word;
}

static bool is_special(const zw_branches_point *p) {
    return kinds[p->kind].word[0] != '\0';
}

/* Close to a state that a symmetry fixes, the direction along it is hardly defined, and cannot be
 * divided out. */
static bool is_near_rest(const zw_branches *s, const zw_branches_point *p) {
    for (int i = 0; i < s->branch.n; i++) {
        const zw_branches_point *q = &s->branch.point[i];
        double away = fabs(q->value - p->value) / fabs(s->over.to - s->over.from);
        if (q->curve != p->curve || q->kind != ZW_STEADY_SHRINKS)
            continue;
        for (int j = 0; j < s->e->kernel->nx; j++)
            away = fmax(away, fabs(q->x[j] - p->x[j]) / s->e->scale[j]);
        if (away <= NEAR_REST)
            return true;
    }
    return false;
}

/* Does the point coincide with a special point next to it, so that its eigenvalues mean nothing? */
bool zw_branches_is_at_special(const zw_branches *s, int i) {
    const zw_branches_point *p = &s->branch.point[i];
    double near = AT_SPECIAL * fabs(s->over.to - s->over.from);
    for (int k = i > 0 ? i - 1 : 0; k <= i + 1 && k < s->branch.n; k++) {
        const zw_branches_point *q = &s->branch.point[k];
        double away = 0;
        for (int j = 0; j < s->e->kernel->nx; j++)
            away = fmax(away, fabs(q->x[j] - p->x[j]) / s->e->scale[j]);
        if (q->curve == p->curve && is_special(q) && fabs(q->value - p->value) <= near &&
            away <= AT_SPECIAL)
            return true;
    }
    return is_near_rest(s, p);
}

static double clean_entry(const zw_branches *s, const zw_branches_point *p, int entry) {
    double x = p->x[entry];
    return fabs(x) < (is_special(p) ? ENTRY_LOCATED : ENTRY_ROUNDOFF) * s->e->scale[entry] ? 0 : x;
}

/* --------------------------------------------------------------------------------------- report */

static const char *unit_space(const zw_parameter_range *o) {
    return o->unit[0] ? " " : "";
}

/* A value in its unit; 0 if it is zero within the accuracy of its location. */
static double shown_value(const zw_parameter_range *o, double value) {
    return (fabs(value) < VALUE_LOCATED * fabs(o->to - o->from) ? 0 : value) / o->factor;
}

/* The first entries that change along the branches, without the one they are followed over; returns
 * their number. */
static int choose_entries(const zw_branches *s, int *entry) {
    int n = 0;
    for (int j = 0; j < s->e->kernel->nx && n < NAMES; j++) {
        double low = INFINITY, high = -INFINITY;
        const char *unit;
        for (int i = 0; i < s->branch.n; i++) {
            low = fmin(low, s->branch.point[i].x[j]);
            high = fmax(high, s->branch.point[i].x[j]);
        }
        if (high - low > ENTRY_CHANGES * s->e->scale[j] && !zw_system_is_past(s->e->sys, j) &&
            strcmp(zw_equilibria_entry(s->e, j, &unit), s->over.name) != 0)
            entry[n++] = j;
    }
    bool rest = n == 0; /* if none changes, the coordinates */
    for (int j = 0; rest && j < s->e->eq.nq && n < NAMES; j++)
        if (!zw_system_is_past(s->e->sys, j))
            entry[n++] = j;
    return n;
}

/* The state; a sentence shows some entries of it. */
static void report_state(const zw_branches *s, const zw_branches_point *p, int n, const int *entry,
                         zw_report *r) {
    zw_report_vector(r, "state", s->e->kernel->nx, p->x, NULL, NULL);
    zw_report_list(r, "shown");
    for (int k = 0; k < n; k++) {
        const char *unit, *name = zw_equilibria_entry(s->e, entry[k], &unit);
        zw_report_open(r, NULL);
        zw_report_word(r, "name", name);
        zw_report_number(r, "value", clean_entry(s, p, entry[k]),
                         &(zw_shown){.unit = unit, .digits = 9});
        zw_report_say(r, k ? ", {name} = {value}" : " {name} = {value}");
        zw_report_close(r);
    }
    zw_report_close(r);
}

/* The value of the parameter, of a special point with its error. */
static void report_parameter(const zw_branches *s, const zw_branches_point *p, zw_report *r) {
    double error = is_special(p) ? VALUE_KNOWN * fabs(s->over.to - s->over.from) : 0;
    zw_shown how = zw_motion_shown(s->sys, &s->over, error);
    bool zero = is_special(p) ? fabs(p->value) <= error : shown_value(&s->over, p->value) == 0;
    how.digits = is_special(p) ? 10 : 8;
    zw_report_word(r, "kind", is_special(p) ? kinds[p->kind].word : "point");
    zw_report_number(r, "value", zero ? 0 : p->value, &how);
}

static const char *stability_word(const zw_branches_point *p) {
    return p->growing < 0   ? "unknown"
           : p->growing > 0 ? "unstable"
           : p->stable      ? "stable"
                            : "neutrally stable";
}

static void report_stability(const zw_branches_point *p, zw_report *r) {
    zw_report_word(r, "stability", stability_word(p));
    if (p->growing >= 0)
        zw_report_count(r, "growing", p->growing);
}

static void report_special_point(const zw_branches *s, const zw_branches_point *p, int n,
                                 const int *entry, zw_report *r) {
    zw_report_word(r, "title", kinds[p->kind].one);
    zw_report_number(r, "omega", p->omega > 0 ? p->omega : NAN,
                     &(zw_shown){.unit = "rad/s", .digits = 9});
    zw_report_count(r, "vanishing", p->kind == ZW_STEADY_BRANCH ? p->zeros : 0);
    zw_report_number(r, "imperfection",
                     p->kind == ZW_STEADY_BRANCH && p->imperfection > ZW_BRANCHES_ROUNDING
                         ? p->imperfection
                         : NAN,
                     &(zw_shown){.digits = 1});
    zw_report_say(r, "    {title:-13} {over} = {value}:");
    report_state(s, p, n, entry, r);
    zw_report_say(r, "{omega?; omega = {omega}}");
    if (p->kind == ZW_STEADY_BRANCH && p->zeros > 1)
        zw_report_say(r, "; {vanishing} eigenvalues vanish at once");
    zw_report_say(r, "{imperfection?; or passed by at {imperfection} of the rates}\n");
    if (p->cubic)
        zw_criticality_report_line(p->cubic, "                  ", r);
}

static const char *end_title(const zw_cont_info *info) {
    return info->end == ZW_CONT_STUCK    ? "lost"
           : info->end == ZW_CONT_POINTS ? "not followed"
           : info->end == ZW_CONT_ASKED  ? "stopped"
                                         : "end";
}

static const char *end_word(zw_cont_end kind) {
    static const char *const word[] = {
        [ZW_CONT_GOES_ON] = "not begun", [ZW_CONT_AT_BOUND] = "bound", [ZW_CONT_CLOSED] = "closed",
        [ZW_CONT_POINTS] = "points",     [ZW_CONT_ASKED] = "stopped",  [ZW_CONT_STUCK] = "lost"};
    return word[kind];
}

static void report_end(const zw_branches *s, const zw_branches_point *p, const zw_cont_info *info,
                       int n, const int *entry, zw_report *r) {
    zw_report_word(r, "end", end_word(info->end));
    zw_report_word(r, "title", end_title(info));
    zw_report_word(r, "reason", info->end == ZW_CONT_STUCK ? info->why : NULL);
    report_parameter(s, p, r);
    zw_report_say(r, "    {title:-13} {over} = {value}:");
    report_state(s, p, n, entry, r);
    zw_report_say(r, "{reason?; {reason}}\n");
}

/* A sentence about the stability where it begins or changes; a change without a special point is
 * reported as not located. last: the point of the last sentence; NULL: none since a special point. */
static bool say_stability(const zw_branches *s, int i, const zw_branches_point *last,
                          zw_report *r) {
    const zw_branches_point *p = &s->branch.point[i];
    zw_shown how = zw_motion_shown(s->sys, &s->over, 0), plain = how;
    if (p->growing < 0 || (last && last->growing == p->growing && last->stable == p->stable) ||
        zw_branches_is_at_special(s, i))
        return false;
    if (last) {
        how.digits = plain.digits = 8;
        plain.unit = "";
        zw_report_number(r, "after", p[-1].value, &plain);
        zw_report_number(r, "before", p->value, &how);
        zw_report_say(r, "    not located   {over} from {after} to {before}\n");
    }
    zw_report_say(r, p->growing > 0 ? "      {stability}, {growing} {growing#grows|grow}\n"
                                    : "      {stability}\n");
    return true;
}

static void report_points(const zw_branches *s, const zw_branches_curve *c, int n, const int *entry,
                          zw_report *r) {
    const zw_branches_point *last = NULL;
    zw_report_list(r, "points");
    for (int i = c->first; i < c->first + c->n; i++) {
        const zw_branches_point *p = &s->branch.point[i];
        zw_report_open(r, NULL);
        report_parameter(s, p, r);
        report_stability(p, r);
        if (is_special(p)) {
            report_special_point(s, p, n, entry, r);
            last = NULL;
        } else {
            zw_report_vector(r, "state", s->e->kernel->nx, p->x, NULL, NULL);
            last = say_stability(s, i, last, r) ? p : last;
        }
        zw_report_close(r);
    }
    zw_report_close(r);
}

static void report_origin(const zw_branches *s, const zw_branches_curve *c, zw_report *r) {
    if (c->from < 0)
        return;
    const zw_branches_point *p = &s->branch.point[c->from];
    zw_report_open(r, "from");
    zw_report_count(r, "branch", p->curve + 1);
    report_parameter(s, p, r);
    zw_report_say(r, ", leaves branch {branch} at {over} = {value}");
    zw_report_close(r);
}

static bool is_closed(const zw_branches_curve *c) {
    return c->end[0].end == ZW_CONT_CLOSED || c->end[1].end == ZW_CONT_CLOSED;
}

static void report_branch(const zw_branches *s, int k, int n, const int *entry, zw_report *r) {
    const zw_branches_curve *c = &s->branch.curve[k];
    const zw_branches_point *p = s->branch.point;
    zw_report_count(r, "number", k + 1);
    zw_report_count(r, "point_count", c->n);
    zw_report_flag(r, "closed", is_closed(c));
    zw_report_say(r, "  branch {number}, {point_count|point|points}");
    report_origin(s, c, r);
    zw_report_say(r, "{closed?, closed}\n");
    zw_report_open(r, "begin");
    report_end(s, &p[c->first], &c->end[0], n, entry, r);
    zw_report_close(r);
    report_points(s, c, n, entry, r);
    zw_report_open(r, "end");
    report_end(s, &p[c->first + c->n - 1], &c->end[1], n, entry, r);
    zw_report_close(r);
}

/* "supercritical" and the like, along a curve of Hopf points. */
static const char *cubic_words(const zw_branches *s, const zw_branches_curve *c) {
    int below = 0, above = 0;
    for (int i = c->first; i < c->first + c->n; i++) {
        below += s->mark.point[i].cubic_term < 0;
        above += s->mark.point[i].cubic_term > 0;
    }
    return below && above ? "sub- and supercritical"
           : below        ? "supercritical"
           : above        ? "subcritical"
                          : NULL;
}

static void report_curve_point(const zw_branches *s, const zw_branches_point *p, bool end, int n,
                               const int *entry, zw_report *r) {
    zw_shown first = zw_motion_shown(s->sys, &s->over, 0),
             second = zw_motion_shown(s->sys, &s->second, 0);
    zw_report_word(r, "kind", is_special(p) ? kinds[p->kind].word : "point");
    zw_report_word(r, "title", is_special(p) ? kinds[p->kind].one : "end");
    zw_report_number(r, "value", shown_value(&s->over, p->value) == 0 ? 0 : p->value, &first);
    zw_report_number(r, "second", shown_value(&s->second, p->second) == 0 ? 0 : p->second, &second);
    zw_report_number(r, "omega", p->omega > 0 ? p->omega : NAN,
                     &(zw_shown){.unit = "rad/s", .digits = 9});
    zw_report_number(r, "cubic_term", p->cubic_term, NULL);
    bool muted = zw_report_mute(r, true);
    zw_report_mute(r, muted || (!end && !is_special(p)));
    zw_report_say(r, "    {title:-22} {over} = {value}, {over_second} = {second}");
    zw_report_say(r, is_special(p) && n > 0 ? ":" : "");
    report_state(s, p, is_special(p) ? n : 0, entry, r);
    zw_report_say(r, "{omega?; omega = {omega}}\n");
    zw_report_mute(r, muted);
}

static void report_special_curve(const zw_branches *s, int k, int n, const int *entry,
                                 zw_report *r) {
    const zw_branches_curve *c = &s->mark.curve[k];
    const char *const ends[] = {end_word(c->end[0].end), end_word(c->end[1].end)};
    zw_report_count(r, "number", k + 1);
    zw_report_word(r, "of", kinds[c->kind].word);
    zw_report_word(r, "title", kinds[c->kind].many);
    zw_report_count(r, "point_count", c->n);
    zw_report_word(r, "cubic_terms", c->kind == ZW_STEADY_HOPF ? cubic_words(s, c) : NULL);
    zw_report_flag(r, "closed", is_closed(c));
    zw_report_words(r, "ends", 2, ends);
    zw_report_say(r, "  curve {number} of {title}, {point_count|point|points}{cubic_terms?, "
                     "{cubic_terms}}{closed?, closed}\n");
    zw_report_list(r, "points");
    for (int i = c->first; i < c->first + c->n; i++) {
        zw_report_open(r, NULL);
        report_curve_point(s, &s->mark.point[i], i == c->first || i == c->first + c->n - 1, n,
                           entry, r);
        zw_report_close(r);
    }
    zw_report_close(r);
}

static void report_names(const zw_branches *s, zw_report *r) {
    const char *unit;
    const char **name = ZW_NEW((zw_arena *)&s->arena, const char *, s->e->kernel->nx + 1);
    if (!name) {
        zw_report_fail(r);
        return;
    }
    for (int j = 0; j < s->e->kernel->nx; j++)
        name[j] = zw_equilibria_entry(s->e, j, &unit);
    zw_report_words(r, "state_names", s->e->kernel->nx, name);
}

void zw_branches_report(const zw_branches *s, zw_report *out) {
    int entry[NAMES], n = choose_entries(s, entry);
    zw_report_word(out, "over", s->over.name);
    zw_report_word(out, "over_second", s->has_second ? s->second.name : NULL);
    zw_report_count(out, "branch_count", s->branch.ncurve);
    zw_report_say(out, "{model}: {branch_count|branch|branches} of equilibria or relative "
                       "equilibria over {over}\n");
    report_names(s, out);
    zw_report_list(out, "branches");
    for (int k = 0; k < s->branch.ncurve; k++) {
        zw_report_open(out, NULL);
        report_branch(s, k, n, entry, out);
        zw_report_close(out);
    }
    zw_report_close(out);
    if (s->mark.ncurve)
        zw_report_say(out, "  over {over} and {over_second}:\n");
    zw_report_list(out, "special_curves");
    for (int k = 0; k < s->mark.ncurve; k++) {
        zw_report_open(out, NULL);
        report_special_curve(s, k, n, entry, out);
        zw_report_close(out);
    }
    zw_report_close(out);
}

/* --------------------------------------------------------------------------------------- tables */

static zw_status entry_columns(const zw_branches *s, zw_table *t) {
    for (int i = 0; i < s->e->kernel->nx; i++) {
        const char *unit, *entry = zw_equilibria_entry(s->e, i, &unit);
        if (strcmp(entry, s->over.name) != 0)
            ZW_TRY(zw_table_column(t, entry, unit));
    }
    return ZW_OK;
}

static int fill_entries(const zw_branches *s, const zw_branches_point *p, double *row) {
    int n = 0;
    for (int i = 0; i < s->e->kernel->nx; i++) {
        const char *unit;
        if (strcmp(zw_equilibria_entry(s->e, i, &unit), s->over.name) != 0)
            row[n++] = clean_entry(s, p, i);
    }
    return n;
}

static zw_status fill_gap(zw_table *t, double *row) {
    for (int i = 0; i < zw_table_columns(t); i++)
        row[i] = NAN;
    return zw_table_row(t, row);
}

/* Has the same place, on another curve, been reported before? */
static bool is_reported(const zw_branches *s, const zw_branches_list *l, int i) {
    const zw_branches_point *p = &l->point[i];
    for (int k = 0; k < i; k++) {
        const zw_branches_point *q = &l->point[k];
        double away = fabs(q->value - p->value) / fabs(s->over.to - s->over.from);
        if (l == &s->mark)
            away = fmax(away, fabs(q->second - p->second) / fabs(s->second.to - s->second.from));
        for (int j = 0; j < s->e->kernel->nx; j++)
            away = fmax(away, fabs(q->x[j] - p->x[j]) / s->e->scale[j]);
        if (q->kind == p->kind && away < SAME_PLACE)
            return true;
    }
    return false;
}

static zw_status note_special_point(zw_table *t, int number, const zw_branches_point *p,
                                    double value) {
    char key[40], text[120];
    snprintf(key, sizeof key, "mark %d", number);
    snprintf(text, sizeof text, "%s %.17g #%ld", kinds[p->kind].word, value, zw_table_rows(t) - 1);
    return zw_table_note(t, key, text);
}

static zw_status branch_columns(const zw_branches *s, zw_table *t) {
    ZW_TRY(zw_table_column(t, s->over.name, s->over.unit));
    ZW_TRY(zw_equilibria_columns(s->e, t, s->ns, s->over.name));
    ZW_TRY(zw_table_column(t, "growing", ""));
    ZW_TRY(zw_table_column(t, "stable", ""));
    return zw_table_column(t, "curve", "");
}

/* At special points, growing and stable are those of the point before: lines are drawn up to
 * them. */
static void fill_row(const zw_branches *s, int i, double *row) {
    const zw_branches_point *p = &s->branch.point[i], *known = p;
    while (known->growing < 0 && known > s->branch.point && known[-1].curve == p->curve)
        known--;
    int n = 0;
    row[n++] = p->value / s->over.factor;
    n += fill_entries(s, p, row + n);
    for (int k = 0; k < s->ns; k++)
        row[n++] = p->rate[k];
    for (int k = 0; k < s->e->eq.nc; k++)
        row[n++] = p->lambda[k];
    row[n++] = known->growing < 0 ? (double)NAN : known->growing;
    row[n++] = known->growing > 0 ? 0 : known->growing == 0 && known->stable ? 1 : (double)NAN;
    row[n] = p->curve;
}

static zw_status remove_note(zw_table *t, const zw_parameter_range *o) {
    char key[ZW_PARAMETER_RANGE_NAME + 8];
    snprintf(key, sizeof key, "%s %s", o->parameter < 0 ? "hold" : "param", o->name);
    zw_table_remove_note(t, key); /* it has no single value */
    return ZW_OK;
}

static zw_status fill_branches(const zw_branches *s, zw_table *t, const zw_model_source *source) {
    int marks = 0;
    double *row = ZW_NEW((zw_arena *)&s->arena, double, s->e->kernel->nx + s->ns + s->e->eq.nc + 8);
    if (!row)
        return ZW_E_MEMORY;
    ZW_TRY(branch_columns(s, t));
    ZW_TRY(zw_study_notes(t, s->e, source, "steady motions"));
    ZW_TRY(remove_note(t, &s->over));
    for (int i = 0; i < s->branch.n; i++) {
        const zw_branches_point *p = &s->branch.point[i];
        if (i && p->curve != p[-1].curve) /* no line from one branch to the next */
            ZW_TRY(fill_gap(t, row));
        fill_row(s, i, row);
        ZW_TRY(zw_table_row(t, row));
        if (is_special(p) && !is_reported(s, &s->branch, i))
            ZW_TRY(note_special_point(t, marks++, p, row[0]));
    }
    return ZW_OK;
}

static zw_status fill_special(const zw_branches *s, zw_table *t, const zw_model_source *source) {
    int marks = 0;
    double *row = ZW_NEW((zw_arena *)&s->arena, double, s->e->kernel->nx + 10);
    if (!row)
        return ZW_E_MEMORY;
    ZW_TRY(zw_table_column(t, s->over.name, s->over.unit));
    ZW_TRY(zw_table_column(t, s->second.name, s->second.unit));
    ZW_TRY(entry_columns(s, t));
    ZW_TRY(zw_table_column(t, "omega", "rad/s"));
    ZW_TRY(zw_table_column(t, "cubic", ""));
    ZW_TRY(zw_table_column(t, "kind", ""));
    ZW_TRY(zw_table_column(t, "curve", ""));
    ZW_TRY(zw_study_notes(t, s->e, source, "marks"));
    ZW_TRY(remove_note(t, &s->over));
    ZW_TRY(remove_note(t, &s->second));
    for (int i = 0; i < s->mark.n; i++) {
        const zw_branches_point *p = &s->mark.point[i];
        if (i && p->curve != p[-1].curve)
            ZW_TRY(fill_gap(t, row));
        int n = 0;
        row[n++] = p->value / s->over.factor;
        row[n++] = p->second / s->second.factor;
        n += fill_entries(s, p, row + n);
        row[n++] = p->omega;
        row[n++] = p->cubic_term;
        row[n++] = s->mark.curve[p->curve].kind == ZW_STEADY_FOLD ? 1 : 5;
        row[n] = p->curve;
        ZW_TRY(zw_table_row(t, row));
        if (is_special(p) && !is_reported(s, &s->mark, i))
            ZW_TRY(note_special_point(t, marks++, p, row[0]));
    }
    ZW_TRY(zw_table_note(t, "part kind 1", "\"folds\""));
    ZW_TRY(zw_table_note(t, "part kind 5", "\"Hopf points\""));
    return zw_table_note(t, "parts", "kind");
}

static zw_status make_table(const zw_branches *s, const zw_model_source *source, bool marks,
                            zw_table **out, zw_error *err) {
    zw_allocator alloc = zw_context_allocator(s->sys->ctx);
    *out = zw_table_create(&alloc);
    zw_status status = !*out   ? ZW_E_MEMORY
                       : marks ? fill_special(s, *out, source)
                               : fill_branches(s, *out, source);
    if (status >= 0)
        return status;
    zw_table_destroy(*out);
    *out = NULL;
    return zw_fail(err, status, "the table of steady motions could not be made");
}

zw_status zw_branches_table(const zw_branches *s, const zw_model_source *source, zw_table **out,
                            zw_error *err) {
    assert(out);
    return make_table(s, source, false, out, err);
}

zw_status zw_branches_marks_table(const zw_branches *s, const zw_model_source *source,
                                  zw_table **out, zw_error *err) {
    assert(out);
    *out = NULL;
    if (!s->mark.n)
        return zw_fail(err, ZW_E_NUMERIC, "there are no special points to follow");
    return make_table(s, source, true, out, err);
}

/* ------------------------------------------------------------------------------------- warnings */

static void warn_ends(const zw_branches *s, const zw_branches_list *l, bool marks,
                      zw_warnings *out) {
    for (int k = 0; k < l->ncurve; k++)
        for (int side = 0; side < 2; side++) {
            const zw_cont_info *info = &l->curve[k].end[side];
            if (info->end != ZW_CONT_STUCK && info->end != ZW_CONT_POINTS)
                continue;
            char key[40];
            snprintf(key, sizeof key, "%s %d end %d", marks ? "marks" : "branch", k + 1, side);
            zw_warning d =
                zw_warning_of(key, NAN, "%s %d %s%s%.200s", marks ? "curve" : "branch", k + 1,
                              info->end == ZW_CONT_POINTS ? "has more points than were asked for"
                                                          : "ends before the range does",
                              info->why[0] ? ": " : "", info->why);
            zw_warnings_add(out, &d);
        }
    for (int k = 0; k < l->ncurve; k++)
        for (int side = 0; side < 2; side++) {
            const zw_cont_info *info = &l->curve[k].end[side];
            if (info->rough == 0)
                continue;
            const zw_parameter_range *o = marks ? &s->second : &s->over;
            zw_warning d =
                zw_warning_of("rough marks", NAN,
                              "the special point near %s = %.6g%s%s is located to %.1g%s%s only",
                              o->name, info->rough_at / o->factor, unit_space(o), o->unit,
                              info->rough_by / o->factor, unit_space(o), o->unit);
            zw_warnings_add(out, &d);
        }
}

bool zw_branches_explains(const zw_branches *s, int from, int to) {
    int folds = 0, crossings = 0, pairs = 0,
        n = abs(s->branch.point[to].growing - s->branch.point[from].growing);
    for (int i = from + 1; i < to; i++) {
        const zw_branches_point *p = &s->branch.point[i];
        folds += p->kind == ZW_STEADY_FOLD;
        crossings += p->kind == ZW_STEADY_BRANCH ? (p->zeros > 1 ? p->zeros : 1) : 0;
        pairs += p->kind == ZW_STEADY_HOPF;
    }
    /* a branch that turns at a crossing may have the same number on both sides; with held values or
     * eigenvalues divided out, there are folds at which none crosses */
    bool plain = s->e->options.nhold == 0 && s->ns == 0 && s->neutral == 0 && crossings == 0;
    return n <= folds + crossings + 2 * pairs &&
           (!plain || (folds ? (n - folds) % 2 == 0 : (n - 2 * pairs) % 4 == 0));
}

/* The next point after i of its curve whose number of growing eigenvalues the special points before
 * it do not explain; from: the last point before it. -1: none. */
static int next_unexplained(const zw_branches *s, int i, int *from) {
    const zw_branches_point *p = s->branch.point;
    int last = -1, curve = i < s->branch.n ? p[i].curve : -1;
    for (; i < s->branch.n && p[i].curve == curve; i++) {
        if (is_special(&p[i]) || p[i].growing < 0 || zw_branches_is_at_special(s, i))
            continue;
        if (last >= 0 && !zw_branches_explains(s, last, i)) {
            *from = last;
            return i;
        }
        last = i;
    }
    return -1;
}

/* Causes: a pole of the rates, a kink, a collision of undamped oscillations, special points too
 * close to separate. */
static void warn_unexplained(const zw_branches *s, zw_warnings *out) {
    const zw_branches_point *p = s->branch.point;
    for (int k = 0; k < s->branch.ncurve; k++)
        for (int from, i = next_unexplained(s, s->branch.curve[k].first, &from); i >= 0;
             i = next_unexplained(s, i, &from)) {
            zw_warning d = zw_warning_of(
                "unmarked", NAN,
                "between %s = %.9g and %.9g%s%s %d instead of %d eigenvalues grow, and no special "
                "point of the branch explains it: a pole or a kink of the rates, undamped "
                "oscillations, or special points that lie together",
                s->over.name, p[from].value / s->over.factor, p[i].value / s->over.factor,
                unit_space(&s->over), s->over.unit, p[i].growing, p[from].growing);
            zw_warning_hint(&d, "zwang linearise --over follows the eigenvalues there");
            zw_warnings_add(out, &d);
        }
}

/* For turns alone: growing eigenvalues are checked above. */
static zw_check_point point_of(const void *self, int i) {
    const zw_branches_point *p = &((const zw_branches *)self)->branch.point[i];
    zw_bifurcation event = p->kind == ZW_STEADY_FOLD ? ZW_BIFURCATION_FOLD
                           : p->kind == ZW_STEADY_POINT || p->kind == ZW_STEADY_END
                               ? ZW_BIFURCATION_POINT
                               : ZW_BIFURCATION_BRANCH;
    return (zw_check_point){p->value, -1, event};
}

static int check_turns(const zw_branches *s, const zw_branches_curve *c, zw_contradiction *first) {
    zw_check_points p = {point_of, s, c->first, c->n};
    return zw_branch_check(&p, TURN_VISIBLE * fabs(s->over.to - s->over.from), first);
}

/* The second version of a curve replaces the first only if this is false for its points; steps that
 * could not be split count, too. */
bool zw_branches_contradicts(const zw_branches *s, const zw_branches_curve *c) {
    zw_contradiction ignored;
    int from;
    return next_unexplained(s, c->first, &from) >= 0 || check_turns(s, c, &ignored) > 0 ||
           c->end[0].unsplit + c->end[1].unsplit > 0;
}

static void warn_turns(const zw_branches *s, zw_warnings *out) {
    for (int i = 0; i < s->branch.ncurve; i++) {
        zw_contradiction first;
        int n = check_turns(s, &s->branch.curve[i], &first);
        zw_contradiction_warning(&first, n, i + 1, &s->over, out);
    }
}

/* The equations do not contain contacts that may open: these must be open. Delays must be resolved
 * by their nodes. */
static void warn_points(const zw_branches *s, const zw_branches_list *l, bool marks,
                        zw_warnings *out) {
    for (int k = 0; k < l->ncurve; k++) {
        const zw_branches_curve *c = &l->curve[k];
        const zw_branches_point *first = NULL;
        int n = 0;
        for (int i = c->first; i < c->first + c->n; i++)
            if (l->point[i].doubt && n++ == 0)
                first = &l->point[i];
        if (n == 0)
            continue;
        zw_warning d = zw_warning_of(
            "contacts", NAN, "%s %d at %s = %.6g%s%s, the first of %d of its %d points: %.250s",
            marks ? "curve" : "branch", k + 1, s->over.name, shown_value(&s->over, first->value),
            unit_space(&s->over), s->over.unit, n, c->n, first->doubt);
        zw_warning_hint(&d, "these points are counted nevertheless");
        zw_warnings_add(out, &d);
    }
}

void zw_branches_warnings(const zw_branches *s, zw_warnings *out) {
    const zw_parameter_range *o = &s->over;
    warn_unexplained(s, out);
    warn_turns(s, out);
    warn_ends(s, &s->branch, false, out);
    warn_ends(s, &s->mark, true, out);
    warn_points(s, &s->branch, false, out);
    warn_points(s, &s->mark, true, out);
    if (s->unswitched) {
        zw_warning d = zw_warning_of(
            "branch points", NAN, "the branch that crosses at %s = %.9g%s%s was not followed: %s",
            o->name, shown_value(o, s->unswitched_at), unit_space(o), o->unit, s->unswitched_why);
        zw_warnings_add(out, &d);
    }
    if (s->overlaps) {
        zw_warning d =
            zw_warning_of("overlaps", NAN,
                          "a branch ends at %s = %.9g%s%s on another one, to which it has "
                          "changed where they cross: motions there are counted twice",
                          o->name, shown_value(o, s->overlaps_at), unit_space(o), o->unit);
        zw_warnings_add(out, &d);
    }
    if (s->has_second && s->mark.ncurve == 0 && !s->stopped) {
        zw_warning d =
            zw_warning_of("no marks", NAN,
                          "no branch has a fold or a Hopf point here, so there is nothing "
                          "to follow over %s; the table has the branches",
                          s->second.name);
        zw_warning_hint(&d, "use a wider range of --over, or another start (--set)");
        zw_warnings_add(out, &d);
    }
    if (s->too_many) {
        zw_warning d =
            zw_warning_of("many branches", NAN,
                          "%d branch points were left: there are too many branches", s->too_many);
        zw_warnings_add(out, &d);
    }
    if (s->neutral > 0) {
        zw_warning d = zw_warning_of(
            "undamped", NAN,
            "%d pair%s of eigenvalues %s opposite all along, as of undamped oscillations: their "
            "Hopf points are not searched",
            s->neutral, s->neutral == 1 ? "" : "s", s->neutral == 1 ? "is" : "are");
        zw_warning_hint(&d,
                        "zwang linearise --over locates where such pairs meet and leave the axis");
        zw_warnings_add(out, &d);
    }
    if (s->stopped) {
        zw_warning d = zw_warning_of("stopped", NAN, "the branches were stopped before their ends");
        zw_warnings_add(out, &d);
    }
}
