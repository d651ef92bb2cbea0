/* SPDX-License-Identifier: MIT */
/* Symmetric orbits at half the cost. If x -> S x + s maps motions to motions and is its own
 * inverse, an orbit with
 *
 *     x(t + P/2) = S x(t) + s
 *
 * is determined by its first half, which closes by x(0) = S^-1 (x(P/2) - s) (options.map and turn
 * of motion/segments/periodic.h). The whole orbit is reported and stored: the nodes of the first half and
 * their images. Its multipliers are the squares of those of S^-1 Y(P/2); where one of these crosses
 * -1, a multiplier of the whole orbit reaches 1, and the symmetry breaks.
 *
 * The user gives the map for coordinates by affine expressions; velocities follow. Whether it is a
 * symmetry is checked with the rates at some states: f(S x + s) = S f(x), in driven models half a
 * period of the excitation later. */
#include "symmetric_orbit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/tolerance.h"
#include "motion/motion_words.h"
#include "motion/segments/periodic.h"
#include "zwang/model.h"

/* Relative to the size of an orbit: distance from its image. IMAGE is ten times the default
 * tolerance; with IMAGE_NEAR the orbit may be symmetric, but for the error of its mesh. */
#define IMAGE 1e-5
#define IMAGE_NEAR 3e-3
/* Relative to the rates: error of a symmetry whose shift was measured from an orbit. */
#define MEASURED_SYMMETRY 1e-7

/* -------------------------------------------------------------------------------------- the map */

static zw_status no_map(const char *text, const char *what, zw_error *err) {
    zw_fail(err, ZW_E_OPTION, "--symmetry %.80s: %s", text, what);
    zw_error_hint(err, "images of coordinates, others stay: --symmetry \"x=-x, gamma=pi-gamma\"");
    return ZW_E_OPTION;
}

/* row i of S and s from an expression of coordinates */
static zw_status read_image(zw_orbits *o, int i, const char *text, zw_error *err) {
    const zw_system *s = o->sys;
    int n = s->nq + s->np;
    zw_expr image, *symbol = ZW_NEW(&o->arena, zw_expr, n + 1);
    double *number = ZW_NEW(&o->arena, double, n + 1);
    const char *unit;
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_model_quantity(&image, &unit, s, "--symmetry", text, err));
    for (int k = 0; k < n; k++) {
        symbol[k] = k < s->nq ? s->coord[k].sym : s->param[k - s->nq].sym;
        number[k] = k < s->nq ? 0 : o->p[k - s->nq];
    }
    o->half.s[i] = zw_eval(s->ctx, image, n, symbol, number);
    for (int k = 0; k < s->nq; k++) {
        zw_expr slope = zw_diff(s->ctx, image, s->coord[k].sym);
        o->half.S[i * o->nx + k] = zw_eval(s->ctx, slope, n, symbol, number);
        for (int l = 0; l < s->nq; l++)
            if (zw_depends(s->ctx, slope, s->coord[l].sym))
                return no_map(text, "images are affine expressions of coordinates", err);
        if (!isfinite(o->half.S[i * o->nx + k]))
            return no_map(text, "images are expressions of coordinates and parameters", err);
    }
    return isfinite(o->half.s[i]) ? ZW_OK : no_map(text, "images have no value", err);
}

/* "x=-x, gamma=pi-gamma" */
static zw_status read_images(zw_orbits *o, zw_error *err) {
    const char *all = o->options.symmetry;
    const zw_system *s = o->sys;
    for (const char *at = all; *at;) {
        char piece[200], *equals;
        size_t length = strcspn(at, ",");
        int i = 0;
        if (length >= sizeof piece)
            return no_map(all, "that is too long", err);
        memcpy(piece, at, length);
        piece[length] = '\0';
        at += length + (at[length] == ',');
        equals = strchr(piece, '=');
        if (!equals)
            return no_map(all, "NAME=IMAGE is expected", err);
        char *name = piece + strspn(piece, " "), *end = equals;
        while (end > name && end[-1] == ' ')
            end--;
        *end = '\0';
        while (i < s->nq && strcmp(s->coord[i].name, name) != 0)
            i++;
        if (i == s->nq)
            return zw_fail(err, ZW_E_NAME, "--symmetry: there is no coordinate '%.60s'", name);
        for (int k = 0; k < s->nq; k++)
            o->half.S[i * o->nx + k] = 0;
        ZW_TRY(read_image(o, i, equals + 1, err));
    }
    return ZW_OK;
}

/* adds velocities, which transform as coordinates do: each must be the rate of one coordinate */
static zw_status add_velocities(zw_orbits *o, zw_error *err) {
    const zw_system *s = o->sys;
    int nq = s->nq, nx = o->nx;
    if (nx == nq)
        return ZW_OK;
    for (int i = 0; i < nq; i++)
        if (s->nv != nq || nx != 2 * nq || s->coord[i].rate != s->velocity[i].sym)
            return zw_fail(err, ZW_E_OPTION,
                           "--symmetry: velocities of this model are not the rates of its "
                           "coordinates");
    for (int i = 0; i < nq; i++)
        for (int k = 0; k < nq; k++)
            o->half.S[(nq + i) * nx + nq + k] = o->half.S[i * nx + k];
    return ZW_OK;
}

static void apply_symmetry(const zw_orbits *o, const double *x, bool direction, double *out) {
    for (int i = 0; i < o->nx; i++) {
        out[i] = direction ? 0 : o->half.s[i];
        for (int k = 0; k < o->nx; k++)
            out[i] += o->half.S[i * o->nx + k] * x[k];
    }
}

/* applied twice it must be the identity, up to whole turns */
static zw_status check_twice(zw_orbits *o, double *x, double *y, double *z, zw_error *err) {
    bool any = false;
    for (int i = 0; i < o->nx; i++)
        x[i] = 0.3 + 0.17 * i;
    apply_symmetry(o, x, false, y);
    apply_symmetry(o, y, false, z);
    for (int i = 0; i < o->nx; i++) {
        double d = zw_orbits_reduce_turns(o, i, z[i] - x[i]);
        any |= y[i] != x[i];
        if (fabs(d) > ZW_ROUNDOFF_SUM * (1 + fabs(z[i])))
            return no_map(o->options.symmetry, "done twice it must be nothing", err);
    }
    return any ? ZW_OK : no_map(o->options.symmetry, "it is nothing", err);
}

/* the error of the symmetry, relative to the rates, at some states */
static zw_status find_defect(zw_orbits *o, double *defect, zw_error *err) {
    enum { STATES = 4 };
    double *x = ZW_NEW(&o->arena, double, 5 * o->nx + 5), period = 0, slope;
    if (!x)
        return zw_out_of_memory(err, NULL);
    double *y = x + o->nx + 1, *f = y + o->nx + 1, *g = f + o->nx + 1, *image = g + o->nx + 1;
    ZW_TRY(zw_orbits_set(o, NAN, o->now, &period, &slope, err));
    ZW_TRY(zw_flow_set_parameters(o->flow, o->now, err));
    *defect = 0;
    for (int k = 0; k < STATES; k++) {
        double t = o->autonomous ? 0 : 0.13 * (k + 1) * period, size = 0, off = 0;
        for (int i = 0; i < o->nx; i++)
            x[i] = 0.3 + 0.2 * sin(3.1 * i + k) + 0.05 * i;
        if (zw_flow_project(o->flow, t, x, NULL, NULL) < 0)
            continue;
        apply_symmetry(o, x, false, y);
        double later = o->autonomous ? 0 : t + 0.5 * period;
        if (zw_flow_rates(o->flow, t, x, f, NULL, NULL) < 0 ||
            zw_flow_rates(o->flow, later, y, g, NULL, NULL) < 0)
            continue;
        apply_symmetry(o, f, true, image);
        for (int i = 0; i < o->nx; i++) {
            size = fmax(size, fabs(g[i]));
            off = fmax(off, o->essential[i] ? fabs(g[i] - image[i]) : 0);
        }
        *defect = fmax(*defect, size > 0 ? off / size : 0);
    }
    return ZW_OK;
}

static void invert_symmetry(zw_orbits *o) { /* S S = 1 */
    memcpy(o->half.inverse, o->half.S, sizeof(double) * (size_t)(o->nx * o->nx));
}

static zw_status allocate_map(zw_orbits *o, zw_error *err) {
    int n = o->nx * o->nx + 1;
    o->half.S = ZW_NEW(&o->arena, double, n);
    o->half.inverse = ZW_NEW(&o->arena, double, n);
    o->half.s = ZW_NEW(&o->arena, double, o->nx + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < o->nx; i++)
        o->half.S[i * (o->nx + 1)] = 1;
    return ZW_OK;
}

zw_status zw_orbits_read_symmetry(zw_orbits *o, zw_error *err) {
    double *work = ZW_NEW(&o->arena, double, 3 * o->nx + 3), defect;
    if (!o->options.symmetry)
        return ZW_OK;
    if (!work)
        return zw_out_of_memory(err, NULL);
    if (o->family.kind == ZW_FAMILY_MAX || o->family.kind == ZW_FAMILY_MIN)
        return zw_fail(err, ZW_E_OPTION,
                       "--symmetry: families of symmetric orbits go over energy or period");
    if (!o->autonomous && o->options.order % 2 == 0)
        return zw_fail(err, ZW_E_OPTION,
                       "--symmetry: the period must be an odd multiple of that of the excitation");
    ZW_TRY(allocate_map(o, err));
    ZW_TRY(read_images(o, err));
    ZW_TRY(add_velocities(o, err));
    ZW_TRY(check_twice(o, work, work + o->nx + 1, work + 2 * o->nx + 2, err));
    ZW_TRY(find_defect(o, &defect, err));
    if (!(defect <= ZW_ROUNDOFF_SOLVED)) {
        zw_fail(err, ZW_E_OPTION,
                "--symmetry %.80s: the equations do not have it: their rates differ by %.1e",
                o->options.symmetry, defect);
        zw_error_hint(err, "zwang orbit without --symmetry reports the symmetry of an orbit");
        return ZW_E_OPTION;
    }
    invert_symmetry(o);
    o->half.on = true;
    return ZW_OK;
}

/* ------------------------------------------------------------------------------- half and whole */

void zw_orbits_expand(const zw_orbits *o, const double *half, bool direction, double *whole) {
    int N = zw_colloc_intervals(o->c), m = o->options.stages, nx = o->nx, stride = nx * (m + 1),
        n = N * stride;
    for (int j = 0; j < N; j++)
        for (int l = 0; l <= m; l++) { /* a node, then slopes, which are twice as large */
            const double *from = half + j * stride + l * nx;
            double *first = whole + j * stride + l * nx, *second = first + n;
            apply_symmetry(o, from, direction || l > 0, second);
            for (int r = 0; r < nx; r++) {
                first[r] = (l > 0 ? 2 : 1) * from[r];
                second[r] *= l > 0 ? 2 : 1;
            }
        }
    int rest = zw_orbits_problem((zw_orbits *)o).n - n + (direction ? 1 : 0);
    for (int k = 0; k < rest; k++) /* the period; a damping; of a direction the parameter */
        whole[2 * n + k] = (k == 0 && o->autonomous ? 2 : 1) * half[n + k];
}

bool zw_orbits_halve(const zw_orbits *o, const zw_orbit_motion *m, double *half, double *mesh) {
    int N = m->intervals / 2, stages = o->options.stages, nx = o->nx, stride = nx * (stages + 1),
        n = N * stride;
    if (m->intervals % 2 || m->mesh[N] != 0.5)
        return false;
    for (int j = 0; j <= N; j++)
        mesh[j] = 2 * m->mesh[j];
    memcpy(half, m->x, sizeof(double) * (size_t)n);
    for (int j = 0; j < N; j++)
        for (int k = nx; k < stride; k++)
            half[j * stride + k] *= 0.5;
    if (o->autonomous)
        half[n] = 0.5 * m->x[2 * n];
    if (o->family.kind)
        half[n + 1] = m->x[2 * n + 1];
    return true;
}

void zw_orbits_whole_state(const zw_orbits *o, double tau, double *state) {
    if (!o->half.on) {
        zw_colloc_state(o->c, o->x, tau, state, NULL);
        return;
    }
    double twice = 2 * tau;
    zw_colloc_state(o->c, o->x, twice < 1 ? twice : twice - 1, o->half.state, NULL);
    if (twice < 1)
        memcpy(state, o->half.state, sizeof(double) * (size_t)o->nx);
    else
        apply_symmetry(o, o->half.state, false, state);
}

/* ------------------------------------------------------------------------------------ reporting */

/* is coordinate i half a period later `sign` times itself plus a shift? */
static bool find_image(const zw_orbits *o, const zw_orbit_motion *m, int i, double sign,
                       double size, double image, double *work, double *shift) {
    enum { LOOKS = 40 };
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < LOOKS; k++) {
        zw_orbits_state_of(m, o->nx, o->options.stages, 0.5 * k / LOOKS, work);
        zw_orbits_state_of(m, o->nx, o->options.stages, 0.5 + 0.5 * k / LOOKS, work + o->nx);
        double d = work[o->nx + i] - sign * work[i];
        low = fmin(low, d);
        high = fmax(high, d);
    }
    *shift = 0.5 * (low + high);
    if (fabs(*shift) < image * size)
        *shift = 0;
    return high - low < image * size;
}

/* image: largest distance from the image, relative to the size of the orbit */
static zw_status describe_symmetry(zw_orbits *o, int number, double image, char *text, size_t size,
                                   zw_error *err) {
    const zw_orbit_motion *m = &o->motion[number];
    const zw_system *s = o->sys;
    zw_arena_mark mark = zw_arena_mark_now(&o->arena);
    zw_orbits_half kept = o->half;
    double *work = ZW_NEW(&o->arena, double, 2 * o->nx + 2), defect = INFINITY;
    size_t used = 0;
    bool any = false;
    text[0] = '\0';
    if (!work)
        return zw_out_of_memory(err, NULL);
    if (o->nx != s->nq && o->nx != 2 * s->nq)
        return ZW_OK;
    zw_status status = allocate_map(o, err);
    bool whole = status >= 0 && add_velocities(o, NULL) >= 0;
    for (int i = 0; whole && i < s->nq; i++) {
        double shift = 0, span = fmax(m->measure[i].max - m->measure[i].min, ZW_TINY);
        if (!o->essential[i] || find_image(o, m, i, 1, span, image, work, &shift)) {
            whole = shift == 0; /* a shift would be a turn: another kind of motion */
            continue;
        }
        whole = find_image(o, m, i, -1, span, image, work, &shift);
        o->half.S[i * (o->nx + 1)] = -1;
        o->half.s[i] = shift;
        any = true;
        char about[40] = "";
        double quarters = round(shift / (M_PI / 2));
        if (shift != 0 && fabs(shift - quarters * M_PI / 2) < image * span) {
            shift = quarters * M_PI / 2;
            o->half.s[i] = shift;
            snprintf(about, sizeof about, "%.0f*pi/2 ", quarters);
            if (quarters == 2)
                snprintf(about, sizeof about, "pi ");
        } else if (shift != 0) {
            snprintf(about, sizeof about, "%.9g ", shift);
        }
        int n = snprintf(text + used, size - used, "%s%s = %s-%s%s", used ? ", " : "",
                         s->coord[i].name, about, shift != 0 ? " " : "", s->coord[i].name);
        whole &= n > 0 && used + (size_t)n < size;
        used += n > 0 ? (size_t)n : 0;
    }
    if (whole && any && add_velocities(o, NULL) >= 0)
        status = find_defect(o, &defect, err);
    if (!whole || !any || !(defect <= MEASURED_SYMMETRY))
        text[0] = '\0';
    o->half = kept;
    zw_arena_release(&o->arena, mark);
    return status;
}

zw_status zw_orbits_report_symmetry(zw_orbits *o, int number, char *text, size_t size,
                                    zw_error *err) {
    return describe_symmetry(o, number, IMAGE, text, size, err);
}

/* Near a pitchfork a step may change from an arm to the trunk or back: no multiplier crosses 1 with
 * a change of sign, but orbits are their own images on one side only. The first and the last orbit
 * may lie on the pitchfork itself. Near a connection of saddles an orbit stays at each of them for
 * times that depend on round-off, and so do its multipliers: there, and where the distance from the
 * image grows by little, no warning is given. */
zw_status zw_orbits_check_symmetry(zw_orbits *o, int first, zw_error *err) {
    bool before = false, nearly_before = false;
    for (int i = first + 1; i + 1 < o->nmotion && !o->half.on; i++) {
        const zw_orbit_motion *m = &o->motion[i];
        char text[400];
        if (o->options.stability && m->trivial > ZW_MULTIPLIER_USABLE)
            continue;
        ZW_TRY(zw_orbits_report_symmetry(o, i, text, sizeof text, err));
        bool now = text[0] != '\0', nearly = now,
             marked = zw_motion_is_event(o->motion[i].event) ||
                      zw_motion_is_event(o->motion[i - 1].event);
        if (!now) {
            ZW_TRY(describe_symmetry(o, i, IMAGE_NEAR, text, sizeof text, err));
            nearly = text[0] != '\0';
        }
        bool changes = (before && !nearly) || (now && !nearly_before);
        if (i > first + 1 && changes && !marked && o->open.broken++ == 0) {
            o->open.broken_from = o->motion[i - 1].value;
            o->open.broken_to = o->motion[i].value;
        }
        before = now;
        nearly_before = nearly;
    }
    return ZW_OK;
}
