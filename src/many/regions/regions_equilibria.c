/* SPDX-License-Identifier: MIT */
/* Equilibria over the grid. They are searched at its corners and at its middle; everything found
 * there is a start of Newton's method at every point. Their type is the number of growing
 * disturbances: eigenvalues with a positive real part. A real part below EIGENVALUE_ROUNDOFF of
 * the largest eigenvalue is undecided.
 *
 * A relative equilibrium of a symmetry is no equilibrium: of x' = x g(r) - y, y' = y g(r) + x it
 * is a cycle. So symmetries, which may differ from point to point, take part in Newton's method
 * only where a coordinate is ignorable, and nothing else may move along them.
 *
 * Besides, the types of the ends of the line of starts (planar states). At a focus the return
 * map begins with the factor exp(2 pi Re/|Im|) of a turn; the trace at a saddle is its saddle
 * quantity. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "motion/equilibria/equilibria.h"
#include "regions.h"

/* of the largest eigenvalue: a smaller real part has no sign, its round-off is up to 1e-16 times
 * the condition of the eigenvalue */
#define EIGENVALUE_ROUNDOFF 1e-10
#define SAME_STATE 1e-6 /* of the sizes: one equilibrium; Newton's method ends far below it */
/* rates at an end of the line, relative to the rates around it: below, it is an equilibrium */
#define AT_REST 1e-9

enum { LINE_SAMPLES = 256 }; /* points of the line at which the direction of motion is tested */

/* Is it in the ranges of the search, if there are any? */
static bool is_inside(const zw_regions *r, const double *x) {
    for (int i = 0; i < r->options.nsearch; i++) {
        int k = 0;
        while (k < r->nx && strcmp(zw_region_entry(r, k), r->box[i].name) != 0)
            k++;
        double edge = SAME_STATE * fabs(r->box[i].high - r->box[i].low);
        if (k < r->nx && (x[k] < r->box[i].low - edge || x[k] > r->box[i].high + edge))
            return false;
    }
    return true;
}

static zw_status read_boxes(zw_regions *r, zw_error *err) {
    for (int i = 0; i < r->options.nsearch; i++)
        ZW_TRY(zw_equilibria_read_box(r->e, r->options.search[i], &r->box[i], err));
    return ZW_OK;
}

/* The position of an ignorable coordinate does not matter. */
static bool is_same(const zw_regions *r, const double *x, const double *y) {
    const double *scale = zw_equilibria_scale(r->e);
    for (int k = 0; k < r->nessential; k++) {
        int i = r->essential[k];
        if (fabs(x[i] - y[i]) > SAME_STATE * (scale[i] + fabs(x[i])))
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------------------------- one of them */

/* A start, its symmetries at the parameters of the flow, and the result. */
typedef struct equilibrium_search {
    zw_steady motion;
    zw_symmetries at, used; /* used: at, or none of them; owns nothing */
    double *X;              /* of the symmetries at the state: nfield x nx */
} equilibrium_search;

static zw_status make_finder(zw_regions *r, equilibrium_search *f, zw_error *err) {
    const zw_kernel *k = zw_flow_kernel(zw_equilibria_flow(r->e));
    f->motion.x = ZW_NEW(&r->arena, double, r->nx + 1);
    f->motion.c = ZW_NEW(&r->arena, double, k->nfield + 1);
    f->motion.z = ZW_NEW(&r->arena, double, k->nz + 1);
    f->X = ZW_NEW(&r->arena, double, k->nfield * r->nx + 1);
    return zw_arena_status(&r->arena, err);
}

static zw_status go_to(zw_regions *r, equilibrium_search *f, int point, zw_error *err) {
    zw_flow *flow = zw_equilibria_flow(r->e);
    zw_symmetries_clear(&f->at);
    ZW_TRY(zw_flow_set_parameters(flow, zw_region_parameters(r, point), err));
    ZW_TRY(zw_symmetries_find(&f->at, flow, 0, r->start, zw_equilibria_scale(r->e), err));
    f->used = f->at;
    if (r->nessential == r->nx)
        f->used.n = 0;
    return ZW_OK;
}

/* Does anything but ignorable coordinates move along a symmetry? */
static bool is_moving(const zw_regions *r, equilibrium_search *f) {
    zw_error quiet = {0};
    if (f->used.n == 0)
        return false;
    if (zw_symmetries_at(&f->used, zw_equilibria_flow(r->e), 0, f->motion.x, NULL, f->X, &quiet) <
        0)
        return true;
    for (int k = 0; k < r->nessential; k++) {
        double sum = 0, size = 0;
        for (int j = 0; j < f->used.n; j++) {
            double part = f->motion.c[j] * f->X[j * r->nx + r->essential[k]];
            sum += part;
            size = fmax(size, fabs(f->motion.c[j]));
        }
        if (fabs(sum) > SAME_STATE * size * zw_equilibria_scale(r->e)[r->essential[k]])
            return true;
    }
    return false;
}

/* The equilibrium to which Newton's method converges from x; false if there is none. */
static bool find_from(zw_regions *r, equilibrium_search *f, const double *x) {
    zw_error quiet = {0};
    memcpy(f->motion.x, x, sizeof *x * (size_t)r->nx);
    f->motion.t = 0;
    return zw_steady_find(&f->motion, zw_equilibria_flow(r->e), &f->used, zw_equilibria_scale(r->e),
                          0, NULL, &quiet) >= 0 &&
           is_inside(r, f->motion.x) && !is_moving(r, f);
}

/* ------------------------------------------------------------------------------- where to begin */

static zw_status add_seed(zw_regions *r, const double *x, zw_error *err) {
    for (int k = 0; k < r->nseed; k++)
        if (is_same(r, r->seed + k * r->nx, x))
            return ZW_OK;
    if (r->nseed == 4 * ZW_REGION_RESTS)
        return zw_fail(err, ZW_E_NUMERIC, "more than %d equilibria were found", r->nseed);
    memcpy(r->seed + r->nseed++ * r->nx, x, sizeof *x * (size_t)r->nx);
    return ZW_OK;
}

/* The corners and the middle. */
static int probe_point(const zw_regions *r, int k) {
    int a = r->rows[0], b = r->rows[1];
    const int at[5] = {0, a - 1, (b - 1) * a, b * a - 1, b / 2 * a + a / 2};
    return at[k];
}

static zw_status try_seed(zw_regions *r, equilibrium_search *f, const double *x, zw_error *err) {
    return find_from(r, f, x) ? add_seed(r, f->motion.x, err) : ZW_OK;
}

/* Cycles surround the near end of the line, and the far end may be a saddle. */
static zw_status try_ends(zw_regions *r, equilibrium_search *f, int point, zw_error *err) {
    for (int end = 0; r->cycles && end < 2; end++) {
        double x[ZW_REGION_STATES];
        x[r->across] = r->ends[3 * point];
        x[r->along] = r->ends[3 * point + 1 + end];
        ZW_TRY(try_seed(r, f, x, err));
    }
    return ZW_OK;
}

static zw_status search_at(zw_regions *r, equilibrium_search *f, int point, zw_error *err) {
    zw_equilibria_search_options o = zw_equilibria_search_options_default();
    zw_error quiet = {0};
    ZW_TRY(go_to(r, f, point, err));
    ZW_TRY(try_ends(r, f, point, err));
    o.nbox = r->options.nsearch;
    o.box = r->box;
    o.starts = r->options.starts;
    if (r->options.nsearch == 0) {
        ZW_TRY(try_seed(r, f, r->start, err));
        if (zw_equilibria_find(r->e, &quiet) >= 0)
            return try_seed(r, f, zw_equilibria_motion(r->e)->x, err);
        return quiet.status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
    }
    if (zw_equilibria_search(r->e, &o, &quiet) < 0)
        return quiet.status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
    const zw_search *found = zw_equilibria_found(r->e);
    for (int i = 0; i < found->n; i++)
        ZW_TRY(try_seed(r, f, found->entry[i].motion.x, err));
    return ZW_OK;
}

static zw_status search_rests(zw_regions *r, equilibrium_search *f, zw_error *err) {
    zw_equilibria_options o = zw_equilibria_options_default();
    if (r->options.principle)
        o.by = r->options.principle;
    ZW_TRY(zw_equilibria_create(&r->e, r->sys, &o, err));
    const zw_equations *eq = zw_equilibria_equations(r->e);
    r->nx = eq->nq + eq->nv;
    r->seed = ZW_NEW(&r->arena, double, 4 * ZW_REGION_RESTS * r->nx + 1);
    r->box = ZW_NEW(&r->arena, zw_equilibria_box, r->options.nsearch + 1);
    r->essential = ZW_NEW(&r->arena, int, r->nx + 1);
    r->start = ZW_NEW(&r->arena, double, r->nx + 1);
    if (r->arena.failed)
        return zw_out_of_memory(err, NULL);
    r->nessential = zw_flow_essential(zw_equilibria_flow(r->e), r->essential);
    memcpy(r->start, zw_equilibria_motion(r->e)->x, sizeof *r->start * (size_t)r->nx);
    ZW_TRY(make_finder(r, f, err));
    ZW_TRY(read_boxes(r, err));
    for (int k = 0; k < 5; k++)
        ZW_TRY(search_at(r, f, probe_point(r, k), err));
    return ZW_OK;
}

/* Number of growing disturbances; -1 if undecided. */
static int count_growing(const zw_linearisation *a) {
    double largest = 0;
    int n = 0;
    for (int i = 0; i < a->n; i++)
        largest = fmax(largest, hypot(a->re[i], a->im[i]));
    for (int i = 0; i < a->n; i++) {
        if (fabs(a->re[i]) <= EIGENVALUE_ROUNDOFF * largest)
            return -1;
        n += a->re[i] > 0;
    }
    return n;
}

/* ---------------------------------------------------------------------------------- their names */

/* A `steady` statement of the model without free symbols names an equilibrium: the one whose
 * entries have its values. */
static bool has_name(zw_regions *r, const zw_motion *m, const double *p, const double *x) {
    const double *scale = zw_equilibria_scale(r->e);
    for (int k = 0; k < m->n; k++) {
        int i = 0;
        while (i < r->nx && zw_region_symbol(r, i) != m->what[k])
            i++;
        double value = zw_eval(r->ctx, m->value[k], r->sys->np, r->symbol, p);
        if (i == r->nx || !(fabs(x[i] - value) <= SAME_STATE * (scale[i] + fabs(value))))
            return false;
    }
    return m->n > 0;
}

static int name_of(zw_regions *r, int point, const double *x) {
    for (int k = 0; k < r->sys->nmotion; k++)
        if (r->sys->motion[k].nfree == 0 &&
            has_name(r, &r->sys->motion[k], zw_region_parameters(r, point), x))
            return k;
    return -1;
}

/* Those with names first, in the order of the model; then by the number of growing disturbances. */
static bool is_before(const zw_region_point *at, int a, int b) {
    unsigned x = (unsigned)at->name[a], y = (unsigned)at->name[b]; /* -1 is the largest */
    return x != y ? x < y : at->grows[a] < at->grows[b];
}

static void sort_rests(zw_region_point *at) {
    for (int i = 1; i < at->nrest; i++)
        for (int k = i; k > 0 && is_before(at, k, k - 1); k--) {
            int grows = at->grows[k], name = at->name[k];
            at->grows[k] = at->grows[k - 1];
            at->name[k] = at->name[k - 1];
            at->grows[k - 1] = grows;
            at->name[k - 1] = name;
        }
}

/* Checks the contacts, which the equations do not contain, at the equilibrium. */
static zw_status doubt_rest(zw_regions *r, int point, const equilibrium_search *f, zw_error *err) {
    char text[sizeof r->doubt];
    ZW_TRY(zw_equilibria_warning_contacts(r->e, zw_flow_parameters(zw_equilibria_flow(r->e)),
                                          &f->motion, text, sizeof text, err));
    if (text[0] && r->ndoubt++ == 0) {
        r->doubt_point = point;
        memcpy(r->doubt, text, sizeof text);
    }
    return ZW_OK;
}

static zw_status rest_at(zw_regions *r, int point, equilibrium_search *f, double *found,
                         zw_error *err) {
    zw_region_point *at = &r->point[point];
    const double *x = f->motion.x;
    ZW_TRY(go_to(r, f, point, err));
    for (int k = 0; k < r->nseed; k++) {
        zw_linearisation a = {0};
        zw_error quiet = {0};
        bool known = false;
        if (!find_from(r, f, r->seed + k * r->nx))
            continue;
        for (int i = 0; i < at->nrest; i++)
            known = known || is_same(r, found + i * r->nx, x);
        if (known)
            continue;
        ZW_TRY(doubt_rest(r, point, f, err));
        if (at->nrest == ZW_REGION_RESTS)
            return zw_fail(err, ZW_E_NUMERIC, "more than %d equilibria at one point",
                           ZW_REGION_RESTS);
        memcpy(found + at->nrest * r->nx, x, sizeof *x * (size_t)r->nx);
        zw_status status = zw_linearise(&a, zw_equilibria_flow(r->e), &f->used, &f->motion, &quiet);
        if (status == ZW_E_MEMORY)
            return zw_out_of_memory(err, NULL);
        at->name[at->nrest] = name_of(r, point, x);
        at->grows[at->nrest++] = status < 0 ? -1 : count_growing(&a);
        zw_linearisation_clear(&a);
    }
    sort_rests(at);
    for (int i = 0; i < at->nrest; i++)
        if (at->grows[i] < 0)
            at->why = "an eigenvalue of an equilibrium has no sign";
    return ZW_OK;
}

/* ----------------------------------------------------------------------------- ends of the line */

typedef struct planar {
    bool rest; /* it is an equilibrium, */
    double trace, det;
} planar;

static zw_status analyse_end(zw_regions *r, int point, int end, planar *out, zw_error *err) {
    const double *ends = r->ends + 3 * point, *scale = zw_equilibria_scale(r->e);
    zw_flow *flow = zw_equilibria_flow(r->e);
    double x[ZW_REGION_STATES], rate[ZW_REGION_STATES], J[ZW_REGION_STATES * ZW_REGION_STATES],
        size = 0, off = 0;
    *out = (planar){false, NAN, NAN};
    x[r->across] = ends[0];
    x[r->along] = ends[1 + end];
    zw_error quiet = {0};
    if (zw_flow_rates(flow, 0, x, rate, NULL, &quiet) < 0 ||
        zw_flow_jacobian(flow, 0, x, J, NULL, &quiet) < 0)
        return quiet.status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
    for (int i = 0; i < ZW_REGION_STATES; i++) {
        off = fmax(off, fabs(rate[i]) / scale[i]);
        for (int k = 0; k < ZW_REGION_STATES; k++)
            size = fmax(size, fabs(J[i * ZW_REGION_STATES + k]) * scale[k] / scale[i]);
    }
    out->rest = off <= AT_REST * size;
    out->trace = J[0] + J[3];
    out->det = J[0] * J[3] - J[1] * J[2];
    return ZW_OK;
}

/* Do motions cross the line in one direction only? A start where they cross it in the other
 * direction, or a return there, has not completed one turn, and the return map would jump: through
 * zero without a cycle. */
static bool is_one_way(const zw_regions *r, int point, double *fastest) {
    const double *ends = r->ends + 3 * point;
    zw_flow *flow = zw_equilibria_flow(r->e);
    double x[ZW_REGION_STATES], rate[ZW_REGION_STATES], low = 0, high = 0;
    for (int k = 0; k < LINE_SAMPLES; k++) {
        x[r->across] = ends[0];
        x[r->along] = ends[1] + (k + 0.5) / LINE_SAMPLES * (ends[2] - ends[1]);
        zw_error quiet = {0};
        if (zw_flow_rates(flow, 0, x, rate, NULL, &quiet) < 0)
            continue;
        low = fmin(low, rate[r->across]);
        high = fmax(high, rate[r->across]);
    }
    *fastest = fmax(-low, high);
    return fmin(-low, high) <= EIGENVALUE_ROUNDOFF * *fastest;
}

static zw_status ends_at(zw_regions *r, int point, zw_error *err) {
    zw_region_point *at = &r->point[point];
    planar a, b;
    double turn = r->mirrored ? M_PI : 2 * M_PI;
    ZW_TRY(zw_flow_set_parameters(zw_equilibria_flow(r->e), zw_region_parameters(r, point), err));
    ZW_TRY(analyse_end(r, point, 0, &a, err));
    ZW_TRY(analyse_end(r, point, 1, &b, err));
    if (b.rest && b.det < 0)
        at->quantity = b.trace;
    double fastest, length = fabs(r->ends[3 * point + 2] - r->ends[3 * point + 1]);
    bool one_way = is_one_way(r, point, &fastest);
    if (!at->why && !one_way)
        at->why = "motions cross the line of starts both ways: another section or a shorter scan";
    /* amplitude across the line of a motion around a */
    double across = a.det > 0 && fastest > 0 ? fastest / sqrt(a.det) : length;
    double size = fmin(length, across);
    if (size * r->options.tolerance / ZW_REGION_FINER >= ZW_REGION_SMALLEST_ATOL)
        r->size = fmin(r->size, size);
    else if (!at->why)
        at->why = "motions are too small for the tolerances: larger units, or zwang chart --nondim";
    double square = a.det - a.trace * a.trace / 4; /* of the imaginary part */
    r->inner[point] = NAN;
    r->until[point] = r->options.until;
    if (!a.rest)
        return zw_fail(err, ZW_E_OPTION,
                       "--scan begins at %s = %.10g, where the model is not at rest (%s = %.6g, "
                       "%s = %.6g)",
                       zw_region_entry(r, r->along), r->ends[3 * point + 1], r->over[0].name,
                       at->at[0], r->over[1].name, at->at[1]);
    if (square > 0) {
        double im = sqrt(square);
        r->inner[point] = expm1(turn * a.trace / 2 / im);
        if (fabs(a.trace) > EIGENVALUE_ROUNDOFF * im)
            at->inner = a.trace > 0 ? 1 : -1;
        if (!(r->until[point] > 0))
            r->until[point] = 100 * 2 * M_PI / im;
    } else if (a.det > 0) { /* a node */
        at->inner = a.trace > 0 ? 1 : -1;
        if (!(r->until[point] > 0))
            r->until[point] = 1000 / fabs(a.trace);
    }
    if (r->until[point] > 0)
        return ZW_OK;
    zw_fail(
        err, ZW_E_OPTION,
        "--scan begins at an equilibrium that no cycle surrounds, a saddle or a degenerate one");
    zw_error_hint(err, "begin the scan at the equilibrium that cycles surround");
    return ZW_E_OPTION;
}

static zw_status all_rests(zw_regions *r, equilibrium_search *f, zw_error *err) {
    ZW_TRY(search_rests(r, f, err));
    r->size = 1;
    double *found = ZW_NEW(&r->arena, double, ZW_REGION_RESTS * r->nx + 1);
    if (!found)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < r->npoint; i++) {
        ZW_TRY(rest_at(r, i, f, found, err));
        if (r->cycles)
            ZW_TRY(ends_at(r, i, err));
        if (r->options.stop && i % 64 == 0 &&
            r->options.stop(r->options.stop_user, 0.1 * i / r->npoint)) {
            r->stopped = true;
            for (int k = r->cycles ? 0 : i + 1; k < r->npoint; k++)
                r->point[k].why = ZW_REGION_STOPPED;
            return ZW_OK;
        }
    }
    return ZW_OK;
}

zw_status zw_region_find_equilibria(zw_regions *r, zw_error *err) {
    equilibrium_search f = {0};
    zw_status status = all_rests(r, &f, err);
    zw_symmetries_clear(&f.at);
    return status;
}
