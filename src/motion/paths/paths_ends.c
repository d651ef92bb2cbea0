/* SPDX-License-Identifier: MIT */
/* The ends of a path, by names. The user gives values of entries of the state at an end; where the
 * constraints make some of them dependent (both coordinates of a pendulum, four numbers of an
 * attitude), left singular vectors of the rows on the tangent space T of the constraints
 *
 *     E T = U S V',      rows U_r' E
 *
 * are the independent combinations. Beginning and end together must have as many as T has
 * columns. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/named_values.h"
#include "num/linear/dense.h"
#include "paths.h"
#include "zwang/model.h"

/* Relative to the largest singular value: rows that depend on each other, up to the error of a
 * state that satisfies the constraints. */
#define ROWS_DEPENDENT 1e-8

typedef struct reader {
    zw_paths *s;
    zw_path_end *end;
} reader;

static void set_end_value(zw_path_end *end, int entry, double value) {
    int k = 0;
    while (k < end->ngiven && end->entry[k] != entry)
        k++;
    end->entry[k] = entry;
    end->value[k] = end->state[entry] = value;
    end->ngiven += k == end->ngiven;
}

static bool is_given(const zw_path_end *end, int entry) {
    bool ngiven = end->free[entry];
    for (int k = 0; k < end->ngiven; k++)
        ngiven |= end->entry[k] == entry;
    return ngiven;
}

static zw_status read_item(void *user, const char *option, char *name, char *value, zw_error *err) {
    reader *r = user;
    zw_paths *s = r->s;
    double number;
    int i = zw_equilibria_find_entry(s->e, name);
    if (i < 0)
        return zw_equilibria_no_entry(s->e, option, name, err);
    if (is_given(r->end, i)) {
        zw_fail(err, ZW_E_OPTION, "%s: %s is given twice", option, name);
        zw_error_hint(err, "one value of it, or \"%s=free\"", name);
        return ZW_E_OPTION;
    }
    if (strcmp(value, "free") == 0) {
        r->end->free[i] = true;
        return ZW_OK;
    }
    ZW_TRY(zw_model_number(&number, s->sys, s->e->p, option, value, s->unit[i], err));
    set_end_value(r->end, i, number);
    return ZW_OK;
}

static zw_status allocate_end(zw_paths *s, zw_path_end *end, zw_error *err) {
    end->entry = ZW_NEW(&s->arena, int, s->nx + 1);
    end->value = ZW_NEW(&s->arena, double, s->nx + 1);
    end->free = ZW_NEW(&s->arena, bool, s->nx + 1);
    end->row = ZW_NEW(&s->arena, double, s->nx * s->nx + 1);
    return zw_arena_status(&s->arena, err);
}

/* the nearest state on the constraints, with the values that were given */
static zw_status find_admissible(zw_paths *s, zw_path_end *end, const char *option, zw_error *err) {
    bool *fixed = ZW_NEW(&s->arena, bool, s->nx + 1);
    zw_error why = {0};
    bool is_last = end == &s->last;
    double t = s->options.start + (is_last && !s->is_free ? s->options.time : 0);
    if (!fixed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < end->ngiven; i++)
        fixed[end->entry[i]] = true;
    zw_status status = zw_flow_project(s->flow, t, end->state, fixed, &why);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (status >= 0)
        return ZW_OK;
    zw_fault f = zw_flow_last_fault(s->flow);
    if (f.kind == ZW_FAULT_POSITION && f.index >= 0)
        zw_fail(err, ZW_E_START, "%s: the constraints do not admit this place: %s is off by %.3g",
                option, zw_equations_position_name(&s->e->eq, f.index, NULL), f.value);
    else
        zw_fail(err, ZW_E_START, "%s: the constraints do not admit this place: %.200s", option,
                why.text);
    zw_error_hint(err, is_last
                           ? "give fewer coordinates; the others follow from the constraints"
                           : "give fewer coordinates; where constraints on velocities integrate, "
                             "--set moves the start of the model on another leaf");
    return ZW_E_START;
}

zw_status zw_paths_choose_rows(zw_paths *s, zw_path_end *end, zw_error *err) {
    int nx = s->nx, n, least;
    zw_arena work;
    double t = s->options.start + (end == &s->last && !s->is_free ? s->options.time : 0);
    zw_arena_init(&work, &s->arena.alloc);
    double *T = ZW_NEW(&work, double, nx *nx + 1), *B = ZW_NEW(&work, double, nx *nx + 1),
           *size = ZW_NEW(&work, double, nx + 1), *V = ZW_NEW(&work, double, nx *nx + 1),
           *U = ZW_NEW(&work, double, nx *nx + 1);
    zw_status status =
        work.failed ? zw_out_of_memory(err, NULL)
                    : zw_flow_tangent(s->flow, t, end->state, ZW_METRIC_PLAIN, &n, T, NULL, err);
    if (status >= 0) {
        for (int i = 0; i < end->ngiven; i++)
            memcpy(B + (size_t)(i * n), T + (size_t)(end->entry[i] * n),
                   sizeof(double) * (size_t)n);
        if (!zw_dense_svd(&work, end->ngiven, n, B, size, V, U))
            status = zw_dense_failure(&work, err);
    }
    if (status >= 0) {
        least = end->ngiven < n ? end->ngiven : n;
        s->dimension = n;
        memset(end->row, 0, sizeof(double) * (size_t)(nx * nx));
        for (end->n = 0; end->n < least && size[end->n] > ROWS_DEPENDENT * size[0]; end->n++)
            for (int k = 0; k < end->ngiven; k++)
                end->row[end->n * nx + end->entry[k]] = U[end->n * end->ngiven + k];
    }
    zw_arena_clear(&work);
    return status;
}

/* ------------------------------------------------------------------------------------- counting */

/* Multipliers of constraints on positions, whose start values do not change the motion, keep the
 * values of the model. If constraints on velocities are integrable, it is unknown which of their
 * multipliers these are: all or none. */
static zw_status fix_multipliers(zw_paths *s, int missing, zw_error *err) {
    const zw_equations *eq = &s->e->eq;
    int held = 0, open = 0;
    for (int c = 0; c < s->nmu; c++) {
        int entry = s->nq + s->nv + c;
        bool is_position = s->sys->constraint[eq->row_constraint[s->nv + c]].level == ZW_POSITION;
        open += !is_position;
        if (is_position && held < missing) {
            set_end_value(&s->first, entry, s->first.state[entry]);
            held++;
        }
    }
    if (held < missing && open == missing - held)
        for (int c = 0; c < s->nmu; c++)
            set_end_value(&s->first, s->nq + s->nv + c, s->first.state[s->nq + s->nv + c]);
    return zw_paths_choose_rows(s, &s->first, err);
}

static const char *plural_ending(int n) {
    return n == 1 ? "" : "s";
}

static zw_status reject_count(const zw_paths *s, int missing, zw_error *err) {
    int left = s->dimension - s->first.n;
    zw_fail(err, ZW_E_OPTION,
            "with --by %s the constraints leave a state space of dimension %d: with %d independent "
            "condition%s at the beginning, --to needs %d, but gives %d",
            s->options.by, s->dimension, s->first.n, plural_ending(s->first.n), left > 0 ? left : 0,
            s->last.n);
    if (missing > 0)
        zw_error_hint(err,
                      "give %d more: coordinates at the end (--to), or velocities at the beginning "
                      "(--from)",
                      missing);
    else if (!s->is_vakonomic && s->dimension < 2 * s->nq && left < s->last.n)
        zw_error_hint(err,
                      "give fewer in --to: a nonholonomic motion can reach %d given value%s; a "
                      "vakonomic one (--by vakonomic) can reach all coordinates",
                      left > 0 ? left : 0, plural_ending(left));
    else
        zw_error_hint(err, "fewer in --to, or coordinates that begin anywhere: --from \"x=free\"");
    return ZW_E_OPTION;
}

static zw_status count_conditions(zw_paths *s, zw_error *err) {
    ZW_TRY(zw_paths_choose_rows(s, &s->last, err));
    int at_end = s->dimension;
    ZW_TRY(zw_paths_choose_rows(s, &s->first, err));
    if (at_end != s->dimension)
        return zw_fail(err, ZW_E_START,
                       "the constraints leave %d dimensions of states at the beginning and %d at "
                       "the end: one of both is a singular place",
                       s->dimension, at_end);
    int missing = s->dimension - s->first.n - s->last.n;
    if (missing > 0 && s->is_vakonomic && s->nmu > 0) {
        ZW_TRY(fix_multipliers(s, missing, err));
        missing = s->dimension - s->first.n - s->last.n;
    }
    return missing == 0 ? ZW_OK : reject_count(s, missing, err);
}

/* By d'Alembert's principle motions make the action stationary only if the constraints admit as
 * many velocities as displacements. */
static zw_status judge_action(zw_paths *s, zw_error *err) {
    zw_path_end all = {.state = s->first.state};
    const zw_system *y = s->sys;
    ZW_TRY(allocate_end(s, &all, err));
    for (int i = 0; i < s->nq; i++)
        all.entry[all.ngiven++] = i;
    ZW_TRY(zw_paths_choose_rows(s, &all, err));
    if (!s->is_vakonomic)
        s->has_action &= s->dimension == 2 * all.n;
    for (int i = 0; i < y->nconstraint; i++)
        s->has_action &= !s->e->eq.holds[i] || y->constraint[i].level != ZW_ACCELERATION;
    return ZW_OK;
}

zw_status zw_paths_read_ends(zw_paths *s, zw_error *err) {
    static const char hint[] = "\"x=1 [m], y=0\"";
    reader first = {s, &s->first}, last = {s, &s->last};
    ZW_TRY(allocate_end(s, &s->first, err));
    ZW_TRY(allocate_end(s, &s->last, err));
    if (s->options.from)
        ZW_TRY(zw_study_items(&s->arena, "--from", s->options.from, hint, read_item, &first, err));
    for (int i = 0; i < s->nq; i++)
        if (!s->first.free[i])
            set_end_value(&s->first, i, s->first.state[i]);
    ZW_TRY(find_admissible(s, &s->first, "--from", err));
    memcpy(s->last.state, s->first.state, sizeof(double) * (size_t)s->nx);
    ZW_TRY(zw_study_items(&s->arena, "--to", s->options.to, hint, read_item, &last, err));
    ZW_TRY(find_admissible(s, &s->last, "--to", err));
    ZW_TRY(judge_action(s, err));
    return count_conditions(s, err);
}
