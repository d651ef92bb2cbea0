/* SPDX-License-Identifier: MIT */
/* Paths between two places as a report and as tables, and their warnings. */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "base/units.h"
#include "paths.h"

/* Relative to the size: a run that misses the end by more is reported; unstable paths amplify
 * errors of the mesh. */
#define MISS_REPORTED 1e-5
#define ERROR_REPORTED 100 /* times the tolerance: a larger error of the mesh is reported */
/* Relative to the sizes: a larger residual is reported, far above that of Newton's method. */
#define RESIDUAL_REPORTED 1e-7

/* --------------------------------------------------------------------------------------- report */

static const char *unit_of(const zw_paths *s, const char *unit) {
    return s->sys->no_units ? "" : unit;
}

/* entries of a state that are conditions of this end are exact */
static bool is_condition(const zw_path_end *end, int entry) {
    for (int k = 0; k < end->ngiven; k++)
        if (end->entry[k] == entry)
            return true;
    return false;
}

/* the estimated error of an entry, whose size is its range as in the equations, but at least
 * round-off */
static double error_of(const zw_paths *s, const zw_path_found *f, int entry, double value) {
    double low = f->x[entry], high = low;
    for (int i = 1; i < f->rows; i++) {
        low = fmin(low, f->x[i * s->nx + entry]);
        high = fmax(high, f->x[i * s->nx + entry]);
    }
    return fmax(f->error * fmax(high - low, ZW_PATH_RANGE_MIN * s->scale[entry]),
                DBL_EPSILON * fabs(value));
}

static void report_quantity(zw_report *out, const char *name, double value, double error,
                            const char *unit) {
    zw_report_word(out, "name", name);
    zw_report_number(out, "value", value, &(zw_shown){.unit = unit, .error = error});
    zw_report_word(out, "unit", unit);
}

static void report_conditions(zw_report *out, const zw_paths *s, const char *key,
                              const zw_path_end *end) {
    const char *unit;
    zw_report_list(out, key);
    for (int i = 0; i < end->ngiven; i++) {
        const char *name = zw_paths_entry(s, end->entry[i], &unit);
        zw_report_open(out, NULL);
        report_quantity(out, name, end->value[i], NAN, unit_of(s, unit));
        zw_report_say(out, i ? ", {name} = {value}" : "{name} = {value}");
        zw_report_close(out);
    }
    zw_report_close(out);
    if (end->ngiven == 0)
        zw_report_say(out, "any place");
}

/* The state at an end. Sentences name what is not given there: at the beginning, from which a run
 * can start, also velocities that are. */
static void report_state(zw_report *out, const zw_paths *s, const zw_path_found *f, bool is_last) {
    const zw_path_end *end = is_last ? &s->last : &s->first;
    const double *x = is_last ? f->x + (size_t)((f->rows - 1) * s->nx) : f->x;
    const char *unit;
    bool any = false;
    zw_report_list(out, is_last ? "end" : "start");
    for (int i = 0; i < s->nx; i++) {
        const char *name = zw_paths_entry(s, i, &unit);
        bool is_exact = is_condition(end, i), is_shown = !is_last && (!is_exact || i >= s->nq);
        zw_report_open(out, NULL);
        report_quantity(out, name, x[i], is_exact ? (double)NAN : error_of(s, f, i, x[i]),
                        unit_of(s, unit));
        if (is_shown)
            zw_report_say(out, any ? ", {name} = {value}" : "    It starts with {name} = {value}");
        any |= is_shown;
        zw_report_close(out);
    }
    zw_report_close(out);
    zw_report_say(out, any ? ".\n" : "");
}

static void report_momenta(zw_report *out, const zw_paths *s, const char *key, const double *P) {
    char unit[ZW_DIM_TEXT];
    zw_report_list(out, key);
    for (int k = 0; k < s->nv; k++) {
        const zw_velocity *v = &s->sys->velocity[k];
        zw_momentum_unit(v->unit, unit);
        zw_report_open(out, NULL);
        report_quantity(out, v->name, P[k], NAN, unit_of(s, unit));
        zw_report_say(out, k ? ", {name} {value}" : " {name} {value}");
        zw_report_close(out);
    }
    zw_report_close(out);
}

static const char *kind_word(zw_path_kind kind) {
    switch (kind) {
    case ZW_PATH_NO_ACTION:
        return "no action";
    case ZW_PATH_UNKNOWN:
        return "unknown";
    case ZW_PATH_MINIMUM:
        return "minimum";
    case ZW_PATH_SADDLE:
        return "saddle";
    case ZW_PATH_DEGENERATE:
        return "degenerate";
    }
    return "";
}

static const char *kind_sentence(zw_path_kind kind) {
    switch (kind) {
    case ZW_PATH_NO_ACTION:
        break;
    case ZW_PATH_UNKNOWN:
        return " (unknown whether a minimum)";
    case ZW_PATH_MINIMUM:
        return ", a minimum (no conjugate points)";
    case ZW_PATH_SADDLE:
        return ", not a minimum ({conjugate_points|conjugate point|conjugate points}, the first "
               "before {first_conjugate_time})";
    case ZW_PATH_DEGENERATE:
        return ", the end is conjugate to the beginning";
    }
    return "";
}

static void report_action(zw_report *out, const zw_paths *s, const zw_path_found *f) {
    zw_shown time = {.unit = unit_of(s, "s"), .digits = 6};
    zw_report_number(out, "action", s->has_action ? f->action : (double)NAN,
                     &(zw_shown){.unit = unit_of(s, "J s")});
    zw_report_word(out, "kind", kind_word(f->kind));
    zw_report_count(out, "conjugate_points", f->index);
    zw_report_number(out, "first_conjugate_time", f->conjugate, &time);
    zw_report_number(out, "conjugate_margin", f->margin, NULL);
    zw_report_say(out, "{action?action {action}}{action!not a stationary point of an action}");
    zw_report_say(out, kind_sentence(f->kind));
}

static void report_turns(zw_report *out, const zw_paths *s, const zw_path_found *f) {
    const char *unit;
    zw_report_list(out, "turns");
    for (int i = 0; i < s->nq; i++) {
        if (!(s->period[i] > 0))
            continue;
        zw_report_open(out, NULL);
        zw_report_word(out, "name", zw_paths_entry(s, i, &unit));
        zw_report_count(out, "turns", (long)f->turns[i]);
        if (f->turns[i] != 0)
            zw_report_say(out, fabs(f->turns[i]) == 1 ? "; {name} advanced by {turns} turn"
                                                      : "; {name} advanced by {turns} turns");
        zw_report_close(out);
    }
    zw_report_close(out);
}

static void report_energies(zw_report *out, const zw_paths *s, const zw_path_found *f) {
    zw_shown energy = {.unit = unit_of(s, "J")};
    zw_report_number(out, "energy_start", f->energy[0], &energy);
    zw_report_number(out, "energy_end", f->energy[1], &energy);
    zw_report_say(out, "    Energy: {energy_start} at the beginning, {energy_end} at the end.\n"
                       "    Momenta at the beginning:");
    report_momenta(out, s, "momenta_start", f->momentum[0]);
    zw_report_say(out, ".\n    Momenta at the end:");
    report_momenta(out, s, "momenta_end", f->momentum[1]);
    zw_report_say(out, ".\n");
}

static void report_accuracy(zw_report *out, const zw_path_found *f) {
    zw_shown rough = {.digits = 2};
    zw_report_count(out, "intervals", f->intervals);
    zw_report_number(out, "residual", f->residual, &rough);
    zw_report_number(out, "relative_error", f->error, &rough);
    zw_report_number(out, "run_misses_by", f->missed, &rough);
    zw_report_say(
        out,
        "    {intervals|interval|intervals}, residual {residual}, estimated error {relative_error} "
        "of the size of the motion.\n{run_misses_by?    A run from this start ends within "
        "{run_misses_by} of that size.\n}{run_misses_by!    A run from this start fails.\n}");
}

static void report_motion(zw_report *out, const zw_paths *s, int i) {
    const zw_path_found *f = &s->found[i];
    zw_report_open(out, NULL);
    zw_report_count(out, "number", i);
    zw_report_say(out, "  Motion {number}: ");
    report_action(out, s, f);
    zw_report_number(out, "time", f->time, &(zw_shown){.unit = unit_of(s, "s")});
    zw_report_say(out, s->is_free ? "; time {time}" : "");
    report_turns(out, s, f);
    zw_report_count(out, "times_found", f->guesses);
    zw_report_say(out, "; found {times_found|time|times}.\n");
    report_state(out, s, f, false);
    report_state(out, s, f, true);
    report_energies(out, s, f);
    report_accuracy(out, f);
    zw_report_close(out);
}

static void report_problem(zw_report *out, const zw_paths *s) {
    zw_report_count(out, "motion_count", s->nfound);
    zw_report_word(out, "principle", s->options.by);
    zw_report_number(out, "time", s->options.time, &(zw_shown){.unit = unit_of(s, "s")});
    zw_report_number(out, "energy", s->options.energy, &(zw_shown){.unit = unit_of(s, "J")});
    zw_report_say(out, "{model}: {motion_count|motion|motions} by {principle}{time? in {time}}"
                       "{energy? at the energy {energy}}\n  From ");
    report_conditions(out, s, "from", &s->first);
    zw_report_say(out, "\n  to   ");
    report_conditions(out, s, "to", &s->last);
    zw_report_number(out, "start_time", s->options.start, &(zw_shown){.unit = unit_of(s, "s")});
    zw_report_count(out, "dimension", s->dimension);
    zw_report_count(out, "conditions_start", s->first.n);
    zw_report_count(out, "conditions_end", s->last.n);
    zw_report_say(out, ".\n  {conditions_start|condition|conditions} at the beginning and "
                       "{conditions_end} at the end; the admissible states have "
                       "{dimension|dimension|dimensions}.\n");
}

void zw_paths_report(const zw_paths *s, zw_report *out) {
    report_problem(out, s);
    zw_report_list(out, "motions");
    for (int i = 0; i < s->nfound; i++)
        report_motion(out, s, i);
    zw_report_close(out);
    zw_report_count(out, "guesses", s->tried);
    zw_report_count(out, "guesses_converged", s->led);
    zw_report_say(out, "  {guesses_converged} of {guesses|guess|guesses} led to a motion. The "
                       "search is not exhaustive: there may be others.\n");
}

/* --------------------------------------------------------------------------------------- tables */

zw_status zw_paths_table(zw_paths *s, int i, const zw_model_source *source, zw_table **out,
                         zw_error *err) {
    assert(i >= 0 && i < zw_paths_count(s));
    const zw_path_found *f = &s->found[i];
    return zw_equilibria_motion_table(s->e, s->sys, source, NULL, "path by collocation", f->rows,
                                      f->t, f->x, out, err);
}

/* ------------------------------------------------------------------------------------- warnings */

static void warn_path(const zw_paths *s, int i, zw_warnings *out) {
    const zw_path_found *f = &s->found[i];
    zw_warning d;
    if (!(f->error <= ERROR_REPORTED * s->options.tolerance) ||
        !(f->residual <= RESIDUAL_REPORTED)) {
        d = zw_warning_of("accuracy", NAN,
                          "motion %d is known to %.1e of its size only, with %d intervals", i,
                          fmax(f->error, f->residual), f->intervals);
        zw_warning_hint(&d, "use a larger --intervals-max");
        zw_warnings_add(out, &d);
    }
    if (!(f->missed <= MISS_REPORTED)) {
        d = zw_warning_of("run", NAN,
                          "a run from the start of motion %d does not reach the end of the motion: "
                          "its error is %.1e of its size",
                          i, f->missed);
        zw_warning_hint(
            &d, "motions near it grow apart, or the mesh is too coarse: use a smaller --tolerance");
        zw_warnings_add(out, &d);
    }
    if (f->kind == ZW_PATH_DEGENERATE) {
        d = zw_warning_of(
            "family", NAN,
            "the end of motion %d is a conjugate point of its beginning: it is one of "
            "a family, or neighbouring places have other motions",
            i);
        zw_warnings_add(out, &d);
    }
}

void zw_paths_warnings(const zw_paths *s, zw_warnings *out) {
    for (int i = 0; i < s->nfound; i++)
        warn_path(s, i, out);
}
