/* SPDX-License-Identifier: MIT */
/* Forced motions in words, and as JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "forced.h"
#include "motion/motion_words.h"
#include "motion/special_error.h"

static const char *event_sentence(const zw_forced *f, zw_bifurcation event) {
    if (f->slow && event == ZW_BIFURCATION_TORUS)
        return "a pair of eigenvalues crosses the imaginary axis: amplitudes begin to oscillate, "
               "the motion becomes quasi-periodic";
    if (f->slow && event == ZW_BIFURCATION_BRANCH)
        return "an eigenvalue passes 0: another curve crosses, or a symmetry breaks";
    return zw_forced_has_tones(f) ? zw_forced_tones_sentence(event)
                                  : zw_motion_event_sentence(event);
}

bool zw_forced_is_special(const zw_forced_motion *m) {
    return zw_motion_is_event(m->event);
}

static zw_motion_view motion_view(const zw_forced *f, const zw_forced_motion *m) {
    return (zw_motion_view){.sys = f->sys,
                            .measure = m->measure,
                            .outside = m->outside,
                            .verdict = m->verdict,
                            .nmultiplier = m->nmultiplier,
                            .re = m->re,
                            .im = m->im,
                            .accuracy = m->accuracy};
}

/* ----------------------------------------------------------------------------------- one motion */

/* Error of the value of a special point: the error of its motion to this power. Chosen by trial,
 * below 2, the exponent of Galerkin's method for smooth forces. */
#define SPECIAL_POINT_EXPONENT 1.6
#define RMS_DIFFERS 0.01 /* relative: difference of two rms values that a picture shows */
#define RANGE_LEAST 1e-9 /* relative to the width of a coordinate: an rms that is rounding */
/* closure error of a periodic motion: the thousandth that its sentence contains */
#define MARCH_CLOSED 1e-3
enum { SHOWN = 8, SHOWN_RMS = 3 };

static void put_rates(zw_text *out, const zw_forced_motion *m) {
    zw_text_put(out, "    amplitudes grow as exp(s t), s [1/s] =");
    for (int i = 0; i < m->nslow && i < SHOWN; i++) {
        if (m->slow_im[i] < 0)
            continue;
        zw_text_printf(out, i ? ", %.8g" : " %.8g", m->slow_re[i]);
        if (m->slow_im[i] != 0)
            zw_text_printf(out, " +- %.8gi", m->slow_im[i]);
    }
    zw_text_printf(out,
                   "%s\n    the largest exp(s P) in a period P is %.8g in size, the largest "
                   "multiplier of the motion itself %.8g\n",
                   m->nslow > SHOWN ? ", ..." : "", hypot(m->re[0], m->im[0]), m->floquet);
}

/* a curve, and the coordinate whose rms is the quantity at its special points */
typedef struct special_source {
    const zw_forced *f;
    int coordinate;
} special_source;

/* Slowly varying amplitudes solve their own equations; their special points are located by
 * eigenvalues of these. */
static zw_special_point special_point(const void *self, int i) {
    const special_source *s = self;
    const zw_forced_motion *m = &s->f->motion[i];
    return (zw_special_point){.value = m->value,
                              .quantity = m->measure[s->coordinate].rms,
                              .event = m->event,
                              .n = s->f->slow ? 0 : m->nmultiplier,
                              .trivial = s->f->options.free ? 2 : s->f->cycles,
                              .re = m->re,
                              .im = m->im,
                              .accuracy = m->nexponent && m->event == ZW_BIFURCATION_BRANCH
                                              ? 0 /* by the singular equations */
                                              : m->accuracy,
                              .nexponent = m->nexponent,
                              .exponent = m->exponent,
                              .error = s->f->slow ? 0 : m->error};
}

/* errors of a special point: of its value, and of the rms of n coordinates */
static void find_errors(const zw_forced *f, int i, int n, double *value, double *rms) {
    const zw_forced_curve *c = &f->curve[f->motion[i].curve];
    /* frequencies of free motions have no range: ten times the unit of their steps */
    double range = f->options.free ? 10 * f->family.unit : fabs(f->over.to - f->over.from);
    for (int k = 0; k < n; k++) {
        special_source s = {f, k};
        zw_special_points p = {special_point, &s, c->first, c->n, range, SPECIAL_POINT_EXPONENT};
        zw_special_error(&p, i, value, &rms[k]);
    }
}

static void put_value(zw_text *out, const zw_forced *f, double value) {
    zw_text_printf(out, "%.10g%s%s", value / f->over.factor, f->over.unit[0] ? " " : "",
                   f->over.unit);
}

/* coordinates that drift */
static void put_drift(zw_text *out, const zw_system *s, const double *drift) {
    for (int i = 0; drift && i < s->nq; i++)
        if (drift[i] != 0)
            zw_text_printf(out,
                           "    %s drifts by %.9g%s%s per period; the values below are without "
                           "this drift\n",
                           s->coord[i].name, drift[i], s->coord[i].unit[0] ? " " : "",
                           s->coord[i].unit);
}

static void put_motion(zw_text *out, const zw_forced *f, const zw_forced_motion *m, int number) {
    zw_motion_view v = motion_view(f, m);
    zw_text_printf(out, "  %d: ", number);
    if (zw_forced_has_tones(f))
        zw_forced_tones_put_stability(out, m);
    else if (m->nslow && m->outside > 0)
        zw_text_printf(out, "unstable, %d eigenvalue%s to the right of the imaginary axis",
                       m->outside, m->outside == 1 ? "" : "s");
    else
        zw_motion_put_stability(out, &v);
    if (f->has_over && !isnan(m->value)) {
        zw_text_printf(out, ", at %s = ", f->over.name);
        put_value(out, f, m->value);
    }
    if (zw_forced_has_tones(f))
        zw_forced_tones_put(out, f, m);
    else
        zw_text_printf(out, "; period %.10g s, ", 2 * M_PI / m->w);
    if (zw_forced_has_tones(f))
        ;
    else if (m->state)
        zw_text_printf(out, "by shooting, misses its beginning by %.1e", m->residual);
    else
        zw_text_printf(out, "harmonics up to %d", m->harmonics);
    if (m->events)
        zw_text_printf(out, ", events: %s", m->events);
    if (m->jumps)
        zw_text_printf(out, ", rates jump %d time%s", m->jumps, m->jumps == 1 ? "" : "s");
    if (!isnan(m->error))
        zw_text_printf(out, ", error about %.1e", m->error);
    int image = zw_forced_image_of(f, number);
    if (image >= 0)
        zw_text_printf(out, "; the mirror image of %d", image);
    zw_text_put(out, "\n");
    if (zw_forced_has_tones(f))
        zw_forced_tones_put_lines(out, f, m);
    else if (m->nslow)
        put_rates(out, m);
    else
        zw_motion_put_multipliers(out, &v);
    put_drift(out, f->sys, m->drift);
    zw_forced_put_drifts(out, f, number, 1);
    for (int i = 0; i < f->nattitude && m->turned; i++)
        zw_attitude_put(out, &f->attitude[i], m->turned + 3 * (size_t)i);
    zw_motion_put_quantities(out, &v);
}

/* --------------------------------------------------------------------------------------- curves */

/* a family, from its first motion to its last */
static void put_family(zw_text *out, const zw_forced *f, const zw_forced_curve *c) {
    const zw_forced_motion *end[] = {&f->motion[c->first], &f->motion[c->first + c->n - 1]};
    for (int k = 0; k < 2; k++) {
        zw_text_printf(out, "%senergy %.9g, frequency %.10g", k ? " to " : "", end[k]->energy,
                       end[k]->value);
        for (int i = 0; i < f->sys->nq && i < 3; i++)
            zw_text_printf(out, ", max(%s) = %.9g", f->sys->coord[i].name, end[k]->measure[i].max);
    }
    if (c->resonance)
        zw_text_printf(out, "\n    %s, ", c->resonance);
    else
        zw_text_printf(out, "\n    mode %d, ", c->mode + 1);
    zw_text_printf(out, "%.10g%s%s", f->family.frequency[c->mode], f->over.unit[0] ? " " : "",
                   f->over.unit);
    if (c->shape)
        zw_text_printf(out, ", %s", c->shape);
    zw_text_put(out, " when small; frequencies ");
}

/* Does a coordinate differ between two motions by more than a part of the larger? */
static bool is_different(const zw_forced *f, const zw_forced_motion *a, const zw_forced_motion *b) {
    for (int k = 0; k < f->sys->nq; k++) {
        double u = a->measure[k].rms, v = b->measure[k].rms;
        if (fabs(u - v) > RMS_DIFFERS * fmax(u, v) && fmax(u, v) > RANGE_LEAST * f->width[k])
            return true;
    }
    return false;
}

/* A march by integration; on the way down also the intervals in which it differs from the way up,
 * whose motions come before, in reverse order. */
static void put_march(zw_text *out, const zw_forced *f, const zw_forced_curve *c) {
    int open = 0;
    for (int i = c->first; i < c->first + c->n; i++)
        open += !(f->motion[i].error < MARCH_CLOSED);
    zw_text_printf(out, "  %s by integration: %d values", c->march > 0 ? "up" : "down", c->n);
    if (open)
        zw_text_printf(out, "; %d not periodic after %d periods, to a thousandth", open,
                       f->options.settle);
    zw_text_put(out, "\n");
    if (c->march > 0 || c == f->curve || c[-1].march <= 0 || c[-1].n != c->n)
        return;
    for (int i = 0; i < c->n; i++) {
        const zw_forced_motion *up = &f->motion[c[-1].first],
                               *down = &f->motion[c->first + c->n - 1];
        if (!is_different(f, up + i, down - i))
            continue;
        int k = i;
        while (k + 1 < c->n && is_different(f, up + k + 1, down - k - 1))
            k++;
        zw_text_printf(out, "    differs from the way up from %s = ", f->over.name);
        put_value(out, f, up[i].value);
        zw_text_put(out, " to ");
        put_value(out, f, up[k].value);
        zw_text_put(out, "\n");
        i = k;
    }
}

/* the point at which a curve branches off */
static void put_origin(zw_text *out, const zw_forced *f, const zw_forced_curve *c) {
    const zw_forced_motion *at = &f->motion[c->from - 1];
    zw_text_printf(out, "    leaves at %s = ", f->over.name);
    put_value(out, f, at->value);
    zw_text_put(out, f->doubled ? ", where the period doubles\n" : ", at a branch point\n");
}

/* a family whose period grows without bound: its last motion */
static void put_runaway(zw_text *out, const zw_forced *f, const zw_forced_curve *c) {
    const zw_forced_motion *m = &f->motion[c->first + c->n - 1];
    zw_text_printf(out,
                   "    ends at the period %.6g s, energy %.9g: beyond it %d harmonics are no "
                   "motion, as on the way to an orbit that needs for ever (homoclinic)\n",
                   2 * M_PI / m->w, m->energy, c->runaway);
}

static void put_curve(zw_text *out, const zw_forced *f, int index) {
    const zw_forced_curve *c = &f->curve[index];
    if (c->march) {
        put_march(out, f, c);
        return;
    }
    int unstable = 0, unknown = 0, top = 0;
    double low = INFINITY, high = -INFINITY;
    for (int i = c->first; i < c->first + c->n; i++) {
        const zw_forced_motion *m = &f->motion[i];
        unstable += m->verdict == ZW_FLOQUET_UNSTABLE;
        unknown += m->verdict == ZW_FLOQUET_UNDECIDED && m->nmultiplier == 0 && m->nexponent == 0;
        low = fmin(low, m->value);
        high = fmax(high, m->value);
        top = m->harmonics > top ? m->harmonics : top;
    }
    zw_text_printf(out, "  curve %d: %d points from ", index, c->n);
    if (f->options.free)
        put_family(out, f, c);
    put_value(out, f, low);
    zw_text_put(out, " to ");
    put_value(out, f, high);
    zw_motion_put_unstable(out, c->n, unstable, unknown);
    if (f->motion[c->first].state)
        zw_text_put(out, ", by shooting through kinks\n");
    else
        zw_text_printf(out, ", %s up to %d\n",
                       zw_forced_has_tones(f) ? "combinations" : "harmonics", top);
    zw_forced_put_drifts(out, f, c->first, c->n);
    if (c->from)
        put_origin(out, f, c);
    if (c->imaged)
        zw_text_put(out, "    its mirror image leaves there, too, and is told by this one\n");
    if (c->vertical)
        zw_text_printf(out,
                       "    a family at this one value of %s: the size of its motions is not "
                       "determined, as where equations are linear\n",
                       f->over.name);
    if (c->runaway)
        put_runaway(out, f, c);
    for (int side = 0; side < 2; side++)
        if (c->shrinks[side]) {
            zw_text_printf(out, "    shrinks to rest at %s = ", f->over.name);
            put_value(out, f, c->born[side]);
            zw_text_put(out, ", a Hopf point\n");
        } else if (c->halves[side]) {
            zw_text_printf(out, "    ends at %s = ", f->over.name);
            put_value(out, f, c->born[side]);
            zw_text_put(out, ", at a period doubling of cycles of half the period\n");
        }
    for (int side = 0; side < 2 && !c->vertical && !c->runaway; side++)
        if (c->info[side].end != ZW_CONT_AT_BOUND && c->info[side].points)
            zw_text_printf(out, "    ends at %s\n",
                           c->info[side].end == ZW_CONT_ASKED
                               ? f->stopped && index == f->ncurve - 1
                                     ? "the place where it was stopped"
                                     : "another curve"
                               : zw_motion_end_words(c->info[side].end));
    for (int i = c->first; i < c->first + c->n; i++) {
        const zw_forced_motion *m = &f->motion[i];
        if (!zw_forced_is_special(m))
            continue;
        double error, rms_error[SHOWN_RMS];
        int n = f->sys->nq < SHOWN_RMS ? f->sys->nq : SHOWN_RMS;
        find_errors(f, i, n, &error, rms_error);
        zw_text_put(out, "    ");
        zw_motion_put_known(out, &f->over, m->value, error);
        zw_text_printf(out, "  %s;", event_sentence(f, m->event));
        for (int k = 0; k < n; k++) {
            zw_text_printf(out, " rms(%s) = ", f->sys->coord[k].name);
            zw_text_known(out, m->measure[k].rms, rms_error[k], 6);
        }
        zw_text_put(out, "\n");
    }
}

static void put_second(zw_text *out, const zw_forced *f, const zw_forced_mark *m) {
    zw_text_printf(out, "%s = ", f->over.name);
    put_value(out, f, m->value);
    zw_text_printf(out, ", %s = %.10g%s%s", f->second.name, m->second / f->second.factor,
                   f->second.unit[0] ? " " : "", f->second.unit);
}

/* a curve of special points in two parameters, from end to end, and its cusps */
static void put_special_curve(zw_text *out, const zw_forced *f, int index) {
    static const char *const words[] = {[ZW_BIFURCATION_FOLD] = "folds",
                                        [ZW_BIFURCATION_BRANCH] = "branch points",
                                        [ZW_BIFURCATION_FLIP] = "period doublings",
                                        [ZW_BIFURCATION_TORUS] = "Neimark-Sacker points"};
    const zw_forced_curve *c = &f->special_curve[index];
    const zw_forced_mark *first = &f->special[c->first], *last = &f->special[c->first + c->n - 1];
    zw_text_printf(out, "  %s over %s and %s: %d points from ", words[first->event], f->over.name,
                   f->second.name, c->n);
    put_second(out, f, first);
    zw_text_put(out, " to ");
    put_second(out, f, last);
    zw_text_put(out, "\n");
    for (int i = c->first; i < c->first + c->n; i++)
        if (f->special[i].cusp) {
            zw_text_put(out, "    cusp, two folds meet: ");
            put_second(out, f, &f->special[i]);
            zw_text_put(out, "\n");
        }
}

static void put_curves(zw_text *out, const zw_forced *f) {
    zw_text_put(out, zw_forced_name(f));
    if (f->options.with) {
        const zw_parameter_range *of = &f->options.with->of;
        zw_text_printf(out, ", %s = %.10g%s%s", of->name,
                       f->options.with->value[f->options.member] / of->factor,
                       of->unit[0] ? " " : "", of->unit);
    }
    if (f->options.free)
        zw_text_put(out, ": families of free motions\n");
    else if (f->options.order > 1)
        zw_text_printf(out,
                       f->cycles ? ": cycles of %d rounds over %s\n"
                                 : ": motions of %d periods of the drive over %s\n",
                       f->options.order, f->over.name);
    else
        zw_text_printf(out, ": %s over %s\n",
                       f->cycles                ? "cycles"
                       : zw_forced_has_tones(f) ? "quasi-periodic motions"
                                                : "forced motions",
                       f->over.name);
    if (f->options.halved)
        zw_forced_tones_put_half(out, f);
    zw_forced_put_reduction(out, f);
    zw_kept_put(out, &f->kept);
    for (int i = 0; i < f->ncurve; i++)
        put_curve(out, f, i);
    for (int i = 0; i < f->nspecial_curve; i++)
        put_special_curve(out, f, i);
    if (f->second.name[0] && !f->nspecial_curve)
        zw_text_printf(out, "  no marks that could be followed over %s\n", f->second.name);
    if (f->crossings)
        zw_text_printf(out,
                       "  %d branch point%s not followed: --odd follows those where a symmetry "
                       "breaks\n",
                       f->crossings, f->crossings == 1 ? " is" : "s are");
    if (f->hidden)
        zw_text_printf(out,
                       "  %d branch point%s not followed: a symmetry breaks there, and --odd keeps "
                       "it; --switch follows them without --odd\n",
                       f->hidden, f->hidden == 1 ? " is" : "s are");
    if (f->halves)
        zw_text_printf(out,
                       "  %d period doubling%s not followed: of quarters of frequencies, or no "
                       "curve was found\n",
                       f->halves, f->halves == 1 ? " is" : "s are");
    for (int i = 0; i < f->nchild; i++)
        put_curves(out, f->child[i]);
}

char *zw_forced_text(const zw_forced *f) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(f->sys->ctx);
    zw_text_init(&out, &alloc);
    if (f->ncurve) {
        put_curves(&out, f);
        return zw_text_take(&out);
    }
    zw_text_printf(&out, "%s: %d %s motion%s\n", zw_forced_name(f), f->nmotion,
                   zw_forced_has_tones(f) ? "quasi-periodic" : "periodic",
                   f->nmotion == 1 ? "" : "s");
    zw_forced_put_reduction(&out, f);
    zw_kept_put(&out, &f->kept);
    for (int i = 0; i < f->nmotion; i++)
        put_motion(&out, f, &f->motion[i], i);
    return zw_text_take(&out);
}

/* ----------------------------------------------------------------------------------------- JSON */

/* cos and sin of every harmonic of every coordinate */
static void json_coefficients(zw_text *out, const zw_forced *f, const zw_forced_motion *m) {
    zw_text_put(out, "\"coefficients\": {");
    for (int i = 0; i < f->sys->nq; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json(out, f->sys->coord[i].name);
        zw_text_put(out, ": [");
        for (int k = 0; k < m->ncoefficient; k++) {
            zw_text_put(out, k ? ", " : "");
            zw_text_json_number(out, m->x[i * m->ncoefficient + k]);
        }
        zw_text_put(out, "]");
    }
    zw_text_put(out, "}");
}

/* growth rates of slowly varying amplitudes */
static void json_rates(zw_text *out, const zw_forced_motion *m) {
    zw_text_put(out, ", \"rates\": [");
    for (int i = 0; i < m->nslow; i++) {
        zw_text_put(out, i ? ", [" : "[");
        zw_text_json_number(out, m->slow_re[i]);
        zw_text_put(out, ", ");
        zw_text_json_number(out, m->slow_im[i]);
        zw_text_put(out, "]");
    }
    zw_text_put(out, "], ");
    zw_motion_json_number(out, "floquet", m->floquet);
}

static void json_drift(zw_text *out, int n, const double *drift) {
    zw_text_put(out, ", \"drift\": [");
    for (int i = 0; i < n; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json_number(out, drift[i]);
    }
    zw_text_put(out, "]");
}

static void json_motion(zw_text *out, const zw_forced *f, const zw_forced_motion *m, int curves) {
    zw_text_put(out, "{");
    if (f->has_over) {
        zw_motion_json_number(out, "value", m->value);
        zw_text_put(out, ", ");
    }
    zw_motion_json_number(out, "omega", m->w);
    if (f->options.free) {
        zw_text_put(out, ", ");
        zw_motion_json_number(out, "energy", m->energy);
        zw_text_printf(out, ", \"mode\": %d", f->curve[m->curve].mode + 1);
        if (f->options.free && f->curve[m->curve].shape) {
            zw_text_put(out, ", \"resonance\": ");
            zw_text_json(out, f->curve[m->curve].resonance);
            zw_text_put(out, ", \"shape\": ");
            zw_text_json(out, f->curve[m->curve].shape);
        }
    }
    zw_text_printf(out, ", \"order\": %d, \"harmonics\": %d, \"odd\": %s, ", f->options.order,
                   m->harmonics, f->options.odd ? "true" : "false");
    zw_motion_json_number(out, "error", m->error);
    if (m->march)
        zw_text_printf(out, ", \"march\": %d", m->march);
    if (m->state) {
        zw_text_put(out, ", ");
        zw_motion_json_number(out, "residual", m->residual);
        zw_text_printf(out, ", \"jumps\": %d", m->jumps);
        json_drift(out, f->sys->nq, m->drift);
        if (m->events) {
            zw_text_put(out, ", \"events\": ");
            zw_text_json(out, m->events);
        }
    }
    zw_forced_json_drifts(out, f, m);
    if (zw_forced_has_tones(f))
        zw_forced_tones_json(out, f, m);
    for (int i = 0; i < f->nattitude && m->turned; i++) {
        zw_text_put(out, i ? ", " : ", \"turned\": {");
        zw_attitude_json(out, &f->attitude[i], m->turned + 3 * (size_t)i);
        zw_text_put(out, i + 1 < f->nattitude ? "" : "}");
    }
    zw_text_printf(out, ", \"curve\": %d, \"event\": \"%s\", ",
                   m->curve < 0 ? -1 : curves + m->curve, zw_motion_event_word(m->event));
    zw_motion_view v = motion_view(f, m);
    zw_motion_json(out, &v);
    if (m->nslow)
        json_rates(out, m);
    zw_text_put(out, ",\n  ");
    json_coefficients(out, f, m);
    zw_text_put(out, "}");
}

static void json_special_points(zw_text *out, const zw_forced *f) {
    zw_text_put(out, ", \"second\": ");
    zw_text_json(out, f->second.name);
    zw_text_put(out, ", \"marks\": [");
    for (int i = 0; i < f->nspecial; i++) {
        const zw_forced_mark *m = &f->special[i];
        zw_text_put(out, i ? ",\n{" : "\n{");
        zw_motion_json_number(out, "value", m->value);
        zw_text_put(out, ", ");
        zw_motion_json_number(out, "second", m->second);
        zw_text_printf(out, ", \"curve\": %d, \"event\": \"%s\"}", m->curve,
                       m->cusp ? "cusp" : zw_motion_event_word(m->event));
    }
    zw_text_put(out, "\n]");
}

/* the motions of a study and its children */
static void json_motions(zw_text *out, const zw_forced *f, int *curves, bool *first) {
    for (int i = 0; i < f->nmotion; i++) {
        if (f->ncurve && f->motion[i].curve < 0)
            continue;
        zw_text_put(out, *first ? "\n" : ",\n");
        json_motion(out, f, &f->motion[i], *curves);
        *first = false;
    }
    *curves += f->ncurve;
    for (int i = 0; i < f->nchild; i++)
        json_motions(out, f->child[i], curves, first);
}

char *zw_forced_json(const zw_forced *f) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(f->sys->ctx);
    zw_text_init(&out, &alloc);
    zw_text_put(&out, "{\"model\": ");
    zw_text_json(&out, zw_forced_name(f));
    if (f->has_over) {
        zw_text_put(&out, ", \"over\": ");
        zw_text_json(&out, f->over.name);
    }
    if (f->options.with) {
        zw_text_put(&out, ", \"with\": {");
        zw_text_json(&out, f->options.with->of.name);
        zw_text_put(&out, ": ");
        zw_text_json_number(&out, f->options.with->value[f->options.member]);
        zw_text_put(&out, "}");
    }
    zw_kept_json(&out, &f->kept);
    zw_text_put(&out, ", \"motions\": [");
    bool first = true;
    int curves = 0;
    json_motions(&out, f, &curves, &first);
    zw_text_put(&out, "\n]");
    if (f->nspecial)
        json_special_points(&out, f);
    zw_text_put(&out, "}\n");
    return zw_text_take(&out);
}
