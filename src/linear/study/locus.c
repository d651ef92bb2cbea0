/* SPDX-License-Identifier: MIT */
/* From a system and "NAME=A:B" to the eigenvalues over it: the values that are held, the path of
 * the motion, the tracks on it, and the cubic terms where pairs cross the imaginary axis. */
#include "locus.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"
#include "linear/eigen_tracks/matrix_interpolant.h"
#include "motion/parameter_range.h"

enum { ROWS = 401 };
#define ORDINARY_FRACTION 0.381966 /* of the path: no value is exceptional there by symmetry */

void zw_locus_options_init(zw_locus_options *options, size_t size) {
    const zw_locus_options all = {.size = size, .rows = ROWS, .cubic = true};
    zw_options_begin(options, size, &all, sizeof all);
}

/* Are the zeros that exist at all values neighbouring steady motions? */
static zw_status check_zeros(zw_locus *l, zw_error *err) {
    const zw_symmetries *s = zw_follow_symmetries(l->path.follow);
    const zw_steady *at = zw_follow_motion(l->path.follow);
    zw_linearisation a;
    ZW_TRY(zw_linearise(&a, l->e->flow, s, at, err));
    zw_status status = zw_steady_is_family(l->e->flow, s, at, &a, l->e->scale, &l->family, err);
    l->nzero = a.nzero;
    zw_linearisation_clear(&a);
    return status;
}

/* An error if eigenvalues are divided out as zeros at all values that are not zeros of the linear
 * equations at one value: these are only small relative to the others. */
static zw_status reject_stiff(const zw_locus *l, zw_error *err) {
    if (l->track.nzero <= l->nzero)
        return ZW_OK;
    zw_fail(err, ZW_E_NUMERIC,
            "%d eigenvalue%s too small to be followed next to the largest over %s, but not zero",
            l->track.nzero - l->nzero, l->track.nzero - l->nzero == 1 ? " is" : "s are",
            l->over.name);
    zw_error_hint(err, "make a constraint of what is stiff, or look at single values: --set %s=...",
                  l->over.name);
    return ZW_E_NUMERIC;
}

/* An error for a parameter of the start alone, as a speed often is: it changes neither the
 * equations nor the values that are held. */
static zw_status reject_idle(zw_locus *l, zw_error *err) {
    const double way[] = {0, ORDINARY_FRACTION, 1}; /* the ends alone would not do: A may be even */
    int n = zw_track_motion_size(l->matrix), nx = l->e->kernel->nx;
    double *A = ZW_NEW(&l->arena, double, 2 * n * n + 1), *x = ZW_NEW(&l->arena, double, nx + 1),
           size = 0, change = 0;
    if (l->arena.failed)
        return zw_out_of_memory(err, NULL);
    double *B = A + (size_t)(n * n);
    for (int k = 0; k < 3; k++) {
        ZW_TRY(zw_track_motion_matrix(l->matrix,
                                      l->path.low + way[k] * (l->path.high - l->path.low),
                                      l->path.low, k == 0 ? A : B, err));
        const double *state = zw_follow_motion(l->path.follow)->x;
        if (k == 0)
            memcpy(x, state, sizeof(double) * (size_t)nx);
        for (int i = 0; i < nx; i++)
            change = fmax(change, fabs(state[i] - x[i]) / l->e->scale[i]);
        for (int i = 0; i < n * n; i++)
            size = fmax(size, fabs(k == 0 ? A[i] : B[i]));
        for (int i = 0; k > 0 && i < n * n && size > 0; i++) {
            double most = fmax(fabs(A[i]), fabs(B[i]));
            /* relative to itself, as a weak entry may stand next to stiff ones */
            if (most > ZW_ROUNDOFF_VALUE * size)
                change = fmax(change, fabs(A[i] - B[i]) / most);
        }
    }
    if (change > ZW_ROUNDOFF_VALUE)
        return ZW_OK;
    zw_fail(err, ZW_E_MODEL, "neither the equilibrium nor its linear equations depend on %s",
            l->over.name);
    zw_error_hint(err, "if it is only a value of the start, hold the variable that starts with it "
                       "(--hold NAME), or give that variable: --over NAME=A:B");
    return ZW_E_MODEL;
}

/* --------------------------------------------------------------------------------------- tracks */

static zw_status follow_tracks(zw_locus *l, zw_error *err) {
    zw_track_options o = zw_track_options_default();
    bool down = l->over.to < l->over.from;
    o.n = zw_track_motion_size(l->matrix);
    o.from = down ? l->path.high : l->path.low;
    o.to = down ? l->path.low : l->path.high;
    o.rows = l->over.rows ? l->over.rows : l->options.rows;
    o.matrix = zw_track_motion_matrix;
    o.user = l->matrix;
    o.unit = zw_track_motion_unit(l->matrix);
    o.stop = l->options.stop;
    o.stop_user = l->options.stop_user;
    return zw_track_follow(&l->track, &l->arena.alloc, &o, err);
}

/* -------------------------------------------------------------------------- confirmed crossings */

/* A lag of a wide range goes to values at which the states of the delay are faster than all others
 * by orders of magnitude, so that matrices between values are known to rounding of the fastest
 * alone. Growing eigenvalues are therefore counted at a value in each range. */
static zw_status count_growing(zw_locus *l, double value, int *growing, zw_error *err) {
    zw_linearisation a;
    ZW_TRY(zw_follow_to(l->path.follow, value, err));
    ZW_TRY(zw_linearise(&a, l->e->flow, zw_follow_symmetries(l->path.follow),
                        zw_follow_motion(l->path.follow), err));
    zw_linearisation_judge(&a, l->family, growing);
    zw_linearisation_clear(&a);
    return ZW_OK;
}

/* The range that begins at a mark, as close as ranges may be to each other. */
static int range_behind(const zw_track *t, double value) {
    int best = 0;
    for (int i = 1; i < t->nrange; i++)
        if (fabs(t->range[i].from - value) < fabs(t->range[best].from - value) || best == 0)
            best = i;
    return best;
}

static void leave_out(zw_locus *l, const zw_track_mark *m) {
    double low = fmin(m->value, l->left_out_from), high = fmax(m->value, l->left_out_to);
    l->left_out_from = l->nleft_out ? low : m->value;
    l->left_out_to = l->nleft_out ? high : m->value;
    l->nleft_out++;
}

/* Special points next to a range that was counted wrongly stay if something crosses there. */
static void sort_out_marks(zw_locus *l, const bool *wrong) {
    zw_track *t = &l->track;
    int kept = 0;
    for (int k = 0; k < t->nmark; k++) {
        int i = range_behind(t, t->mark[k].value);
        if (i > 0 && (wrong[i] || wrong[i - 1])) {
            t->mark[k].growing = t->range[i].growing - t->range[i - 1].growing;
            if (t->mark[k].growing == 0) {
                leave_out(l, &t->mark[k]);
                continue;
            }
        }
        t->mark[kept++] = t->mark[k];
    }
    t->nmark = kept;
}

/* Ranges between which nothing happens are one. marked: at their beginnings is a mark. */
static void join_ranges(zw_track *t, const bool *wrong, bool *marked) {
    int kept = 0;
    for (int k = 0; k < t->nmark; k++)
        marked[range_behind(t, t->mark[k].value)] = true;
    for (int i = 1; i < t->nrange; i++) {
        zw_track_range *before = &t->range[kept];
        if (!marked[i] && (wrong[i] || wrong[i - 1]) && before->growing == t->range[i].growing)
            before->to = t->range[i].to;
        else
            t->range[++kept] = t->range[i];
    }
    t->nrange = t->nrange > 0 ? kept + 1 : 0;
}

static zw_status confirm_crossings(zw_locus *l, zw_error *err) {
    zw_track *t = &l->track;
    bool *wrong = ZW_NEW(&l->arena, bool, t->nrange + 1),
         *marked = ZW_NEW(&l->arena, bool, t->nrange + 1), any = false;
    if (!wrong || !marked)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < t->nrange && l->sys->ndelay > 0; i++) {
        int growing = t->range[i].growing;
        if (t->stopped || (l->options.stop && l->options.stop(l->options.stop_user, 1)))
            return ZW_OK;
        ZW_TRY(count_growing(l, t->range[i].from / 2 + t->range[i].to / 2, &growing, err));
        wrong[i] = growing != t->range[i].growing;
        t->range[i].growing = growing;
        t->range[i].neutral = wrong[i] ? 0 : t->range[i].neutral;
        any |= wrong[i];
    }
    if (any) {
        sort_out_marks(l, wrong);
        join_ranges(t, wrong, marked);
    }
    return ZW_OK;
}

/* The eigenvalue of a linearisation that crosses at i im. */
static int nearest_eigenvalue(const zw_linearisation *a, double im) {
    int best = 0;
    for (int i = 1; i < a->n; i++)
        if (hypot(a->re[i], a->im[i] - im) < hypot(a->re[best], a->im[best] - im))
            best = i;
    return best;
}

static zw_status find_cubic(zw_locus *l, int k, zw_error *err) {
    zw_criticality_options o = zw_criticality_options_default();
    const zw_track_mark *mark = &l->track.mark[k];
    zw_linearisation a;
    ZW_TRY(zw_follow_to(l->path.follow, mark->value, err));
    const zw_steady *at = zw_follow_motion(l->path.follow);
    ZW_TRY(zw_linearise(&a, l->e->flow, zw_follow_symmetries(l->path.follow), at, err));
    o.eigenvalue = nearest_eigenvalue(&a, mark->im);
    o.amplitude = l->options.amplitude;
    zw_status status = zw_criticality_find(&l->cubic[k], l->e, at, &a, &o, err);
    l->has_cubic[k] = status >= 0;
    zw_linearisation_clear(&a);
    return status;
}

/* Cubic terms are computed with the symmetries of the start: they are left out where the path has
 * others. */
static zw_status find_cubics(zw_locus *l, zw_error *err) {
    zw_follow_info info = zw_follow_information(l->path.follow);
    l->cubic = ZW_NEW(&l->arena, zw_criticality, l->track.nmark + 1);
    l->has_cubic = ZW_NEW(&l->arena, bool, l->track.nmark + 1);
    if (l->arena.failed)
        return zw_out_of_memory(err, NULL);
    if (!l->options.cubic || info.vary || info.nsymmetry != l->e->symmetries.n)
        return ZW_OK;
    l->over.stop = NULL; /* the cubic terms are computed to the end */
    for (int k = 0; k < l->track.nmark; k++) {
        if (l->track.stopped || (l->options.stop && l->options.stop(l->options.stop_user, 1)))
            break;
        if (l->track.mark[k].kind == ZW_TRACK_HOPF && l->track.mark[k].ntrack == 2)
            ZW_TRY(find_cubic(l, k, err));
    }
    return ZW_OK;
}

/* Parameters (np) at a value of the number; false if they have none there. */
static bool parameters_at(const zw_locus *l, double value, double *p, bool *given) {
    const zw_parameter_range *o = &l->over;
    memcpy(p, l->e->p, sizeof *p * (size_t)l->sys->np);
    for (int k = 0; k < l->sys->np; k++)
        given[k] = k == o->parameter;
    if (o->parameter >= 0)
        p[o->parameter] = value;
    return o->parameter < 0 || zw_system_param_follow(l->sys, given, p, NULL) >= 0;
}

/* How exact the delays are at the marks. */
static zw_status find_delay_errors(zw_locus *l, zw_error *err) {
    double *p = ZW_NEW(&l->arena, double, l->sys->np + 1);
    bool *given = ZW_NEW(&l->arena, bool, l->sys->np + 1);
    l->delay_error = ZW_NEW(&l->arena, double, l->track.nmark + 1);
    if (l->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int k = 0; k < l->track.nmark; k++) {
        const zw_track_mark *m = &l->track.mark[k];
        if (l->sys->ndelay > 0 && parameters_at(l, m->value, p, given))
            l->delay_error[k] = zw_system_delay_error(l->sys, p, m->re, m->im, NULL);
    }
    return ZW_OK;
}

bool zw_locus_resolved(const zw_locus *l, int mark) {
    assert(mark >= 0 && mark < l->track.nmark);
    return !(l->delay_error[mark] > ZW_SAME_SOLUTION);
}

/* --------------------------------------------------------------------------------------- create */

static zw_status build_locus(zw_locus *l, zw_error *err) {
    ZW_TRY(zw_parameter_range_read(&l->over, l->sys, l->options.over, err));
    l->over.stop = l->options.stop;
    l->over.stop_user = l->options.stop_user;
    ZW_TRY(zw_parameter_range_hold(&l->over, &l->motion, &l->arena, err));
    ZW_TRY(zw_equilibria_create(&l->e, l->sys, &l->motion, err));
    ZW_TRY(zw_parameter_range_begin(&l->path, &l->over, l->e, err));
    ZW_TRY(zw_parameter_range_refuse_freedom(&l->path, err));
    ZW_TRY(check_zeros(l, err));
    ZW_TRY(zw_track_motion_create(&l->matrix, l->path.follow,
                                  l->path.low + ORDINARY_FRACTION * (l->path.high - l->path.low),
                                  err));
    ZW_TRY(reject_idle(l, err));
    ZW_TRY(follow_tracks(l, err));
    ZW_TRY(reject_stiff(l, err));
    ZW_TRY(confirm_crossings(l, err));
    ZW_TRY(find_delay_errors(l, err));
    return find_cubics(l, err);
}

zw_status zw_locus_create(zw_locus **out, const zw_system *sys, const zw_locus_options *options,
                          zw_error *err) {
    assert(out && sys);
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_locus *l = zw_allocate(&alloc, sizeof *l);
    *out = NULL;
    if (!l)
        return zw_out_of_memory(err, NULL);
    *l = (zw_locus){.sys = sys,
                    .options = zw_locus_options_default(),
                    .motion = zw_equilibria_options_default()};
    zw_arena_init(&l->arena, &alloc);
    zw_status status =
        zw_options_adopt(&l->options, sizeof l->options, options, "zw_locus_options", err);
    if (status >= 0 && l->options.motion)
        status = zw_options_adopt(&l->motion, sizeof l->motion, l->options.motion,
                                  "zw_equilibria_options", err);
    if (status >= 0)
        status = build_locus(l, err);
    if (status < 0)
        zw_locus_destroy(l);
    else
        *out = l;
    return status;
}

void zw_locus_destroy(zw_locus *l) {
    if (!l)
        return;
    zw_allocator alloc = l->arena.alloc;
    for (int k = 0; l->has_cubic && k < l->track.nmark; k++)
        if (l->has_cubic[k])
            zw_criticality_clear(&l->cubic[k]);
    zw_track_clear(&l->track);
    zw_track_motion_destroy(l->matrix);
    zw_parameter_range_end(&l->path);
    zw_equilibria_destroy(l->e);
    zw_arena_clear(&l->arena);
    zw_release(&alloc, l, sizeof *l);
}

const zw_steady_way *zw_locus_way(const zw_locus *l) {
    return &l->path;
}

const zw_track *zw_locus_track(const zw_locus *l) {
    return &l->track;
}

const zw_criticality *zw_locus_criticality(const zw_locus *l, int mark) {
    assert(mark >= 0 && mark < l->track.nmark);
    return l->has_cubic[mark] ? &l->cubic[mark] : NULL;
}

zw_stability zw_locus_stability(const zw_locus *l, int range) {
    assert(range >= 0 && range < l->track.nrange);
    const zw_track_range *r = &l->track.range[range];
    if (r->growing > 0)
        return ZW_UNSTABLE;
    return r->neutral > 0 || l->track.nzero > l->track.nkernel || !l->family ? ZW_CENTRE
                                                                             : ZW_STABLE;
}

/* Stability at single values, which the ranges between them do not show. */
static void warn_axis(const zw_locus *l, zw_warnings *out) {
    const zw_parameter_range *o = &l->over;
    const char *gap = o->unit[0] ? " " : "";
    if (l->track.ntouch > 0) {
        zw_warning d =
            zw_warning_of("crossings", NAN,
                          "eigenvalues touch the imaginary axis near %s = %.10g%s%s and go "
                          "back: at this value they neither grow nor die out",
                          o->name, l->track.touch_at / o->factor, gap, o->unit);
        zw_warnings_add(out, &d);
    }
    if (l->track.nlimit > 0) {
        zw_warning d =
            zw_warning_of("crossings", NAN,
                          "at %s = %.10g%s%s, an end of the range, eigenvalues lie on the "
                          "imaginary axis: stability within the range does not extend to it",
                          o->name, l->track.limit_at / o->factor, gap, o->unit);
        zw_warning_hint(&d, "whether they cross is seen if the range goes beyond it");
        zw_warnings_add(out, &d);
    }
}

/* The first value at which the nodes of a delay do not determine stability. */
static void warn_delays(const zw_locus *l, zw_warnings *out) {
    const zw_parameter_range *o = &l->over;
    const zw_track *t = &l->track;
    zw_allocator alloc = zw_context_allocator(l->sys->ctx);
    size_t size = sizeof(double) * (size_t)(l->sys->np + 1);
    double *p = l->sys->ndelay ? zw_allocate(&alloc, size) : NULL;
    bool *given = p ? zw_allocate(&alloc, size) : NULL;
    for (int i = 0; given && i < t->nrow; i++) {
        char text[400];
        const zw_linearisation row = {.n = t->n,
                                      .re = t->re + (size_t)i * (size_t)t->n,
                                      .im = t->im + (size_t)i * (size_t)t->n};
        if (!parameters_at(l, t->value[i], p, given))
            continue;
        zw_equilibria_warning_delays(l->e, p, &row, text, sizeof text);
        if (!text[0])
            continue;
        zw_warning d = zw_warning_of("delays", NAN, "at %s = %.10g%s%s %s", o->name,
                                     t->value[i] / o->factor, o->unit[0] ? " " : "", o->unit, text);
        zw_warnings_add(out, &d);
        break;
    }
    zw_release(&alloc, given, given ? size : 0);
    zw_release(&alloc, p, p ? size : 0);
}

void zw_locus_warnings(const zw_locus *l, zw_warnings *out) {
    const zw_parameter_range *o = &l->over;
    if (l->nleft_out > 0) {
        const char *gap = o->unit[0] ? " " : "";
        zw_warning d = zw_warning_of(
            "crossings left out", NAN,
            "from %s = %.6g%s%s to %.6g%s%s eigenvalues are not exact: the range goes to lags so "
            "small that the states of a delay are too fast compared with the others; %d crossing%s "
            "that "
            "the equations at single values do not confirm %s left out",
            o->name, l->left_out_from / o->factor, gap, o->unit, l->left_out_to / o->factor, gap,
            o->unit, l->nleft_out, l->nleft_out == 1 ? "" : "s", l->nleft_out == 1 ? "is" : "are");
        zw_warning_hint(&d, "use one range for small lags and one for large ones");
        zw_warnings_add(out, &d);
    } else if (l->track.rough > ZW_MATRIX_INTERPOLANT_ROUGH) {
        zw_warning d =
            zw_warning_of("linear equations", NAN,
                          "the linear equations have a jump or a corner near %s = %.10g%s%s",
                          o->name, l->track.rough_at / o->factor, o->unit[0] ? " " : "", o->unit);
        zw_warning_hint(&d, "changes there are not located; use a range for each side");
        zw_warnings_add(out, &d);
    }
    if (l->track.nlost > 0) {
        zw_warning d = zw_warning_of(
            "tracks", NAN, "eigenvalues are too close to be distinguished near %s = %.10g%s%s",
            o->name, l->track.lost_at / o->factor, o->unit[0] ? " " : "", o->unit);
        zw_warning_hint(&d, "their numbers may change there");
        zw_warnings_add(out, &d);
    }
    warn_axis(l, out);
    warn_delays(l, out);
}
