/* SPDX-License-Identifier: MIT */
/* The points of a study. With S samples, axes of n_0, n_1, ... values and R rows of a file,
 *
 *   k = s + S (i_0 + n_0 (i_1 + n_1 (... + r)))
 *
 * so that the samples of one point of the grid are neighbours (statistics need only these at a
 * time).
 *
 * Designs for sensitivities draw their samples differently. Saltelli (A. Saltelli et al., Comput.
 * Phys. Commun. 181 (2010) 259): sample s = j (d + 2) + m has the point A_j (m = 0), B_j (m = 1),
 * or A_j with entry m - 2 from B_j; A and B are the two halves of one point of 2 d coordinates.
 * Morris (M. D. Morris, Technometrics 33 (1991) 161): sample s = j (d + 1) + m is node m of a path
 * on a grid of four levels 1/8, 3/8, 5/8, 7/8; each of its d steps changes one entry, all of them
 * in random order, by half the cube, up or down so that it stays within. */
#include "plan.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/philox.h"
#include "base/sobol.h"

enum {
    AXES_MAX = ZW_PLAN_AXES,
    LEVELS = 4 /* of the grid of Morris' design */
};
enum { USE_LEVEL = 2, USE_ORDER = 3 }; /* streams of random numbers; 0: values, 1: shifts */
static const uint64_t most_points = (uint64_t)1 << 52;

struct zw_plan {
    int n, drawn;
    bool random;      /* the model has noise: samples are paths of it, too */
    zw_axis *axis;    /* n */
    uint64_t samples; /* of each point of the grid */
    uint64_t rows;    /* of the file; 1 without a file */
    uint64_t points;
    uint64_t seed;
    zw_plan_draw draw;
    zw_plan_design design;
};

void zw_plan_options_init(zw_plan_options *options, size_t size) {
    const zw_plan_options fallback = {.size = sizeof fallback, .samples = 0, .seed = 1};
    zw_options_begin(options, size, &fallback, sizeof fallback);
}

/* ---- creation ---- */

static zw_status read_axes(zw_plan *p, const zw_system *sys, const zw_plan_options *o,
                           zw_error *err) {
    int columns = o->points ? zw_table_columns(o->points) : 0;
    if (o->nover + o->nstart + columns > AXES_MAX)
        return zw_fail(err, ZW_E_OPTION, "a plan has at most %d axes", AXES_MAX);
    for (int i = 0; i < o->nover; i++, p->n++)
        ZW_TRY(zw_axis_read(&p->axis[p->n], sys, "--over", false, o->over[i], err));
    for (int i = 0; i < o->nstart; i++, p->n++)
        ZW_TRY(zw_axis_read(&p->axis[p->n], sys, "--start", true, o->start[i], err));
    for (int i = 0; i < columns; i++, p->n++)
        ZW_TRY(zw_axis_of_column(&p->axis[p->n], sys, o->points, i, err));
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < i; j++)
            if (strcmp(p->axis[i].name, p->axis[j].name) == 0)
                return zw_fail(err, ZW_E_OPTION, "%s is varied twice", p->axis[i].name);
    return ZW_OK;
}

static zw_status check_design(const zw_plan *p, const zw_plan_options *o, zw_error *err) {
    if (p->drawn > 0 && o->samples == 0) {
        zw_fail(err, ZW_E_OPTION, "the number of random values is missing");
        zw_error_hint(err, "--samples 1000");
        return ZW_E_OPTION;
    }
    if (p->drawn == 0 && !p->random && o->samples > 0) {
        zw_fail(err, ZW_E_OPTION, "--samples: nothing is random");
        zw_error_hint(err, "--over NAME=uniform:A:B, --start NAME=normal:MEAN:SD");
        return ZW_E_OPTION;
    }
    if (p->design != ZW_PLAN_SAMPLES && p->random)
        return zw_fail(err, ZW_E_OPTION,
                       "sensitivity: the model has noise, whose effect cannot be separated");
    if (p->design != ZW_PLAN_SAMPLES && p->drawn < p->n) {
        for (int i = 0; i < p->n; i++)
            if (!zw_axis_is_drawn(&p->axis[i])) {
                zw_fail(err, ZW_E_OPTION, "sensitivity: %s is not random", p->axis[i].name);
                zw_error_hint(err, "all axes must be random: %s=uniform:A:B", p->axis[i].name);
                return ZW_E_OPTION;
            }
    }
    int needed = p->design == ZW_PLAN_SALTELLI ? 2 * p->drawn : p->drawn;
    if (p->draw == ZW_PLAN_SOBOL && needed > ZW_SOBOL_DIMENSIONS)
        return zw_fail(err, ZW_E_OPTION,
                       "Sobol's sequence has %d coordinates here, %d are needed: draw at random",
                       ZW_SOBOL_DIMENSIONS, needed);
    return ZW_OK;
}

/* False if the product is too large. */
static bool multiply_count(uint64_t *product, uint64_t n) {
    if (n > 0 && *product > most_points / n)
        return false;
    *product *= n;
    return true;
}

static zw_status count_points(zw_plan *p, const zw_plan_options *o, zw_error *err) {
    uint64_t d = (uint64_t)p->drawn;
    bool good = true;
    p->samples = p->drawn || (p->random && o->samples > 0) ? o->samples : 1;
    if (p->design != ZW_PLAN_SAMPLES)
        good = multiply_count(&p->samples, d + (p->design == ZW_PLAN_SALTELLI ? 2 : 1));
    p->rows = o->points ? (uint64_t)zw_table_rows(o->points) : 1;
    p->points = p->samples;
    good = good && multiply_count(&p->points, p->rows);
    for (int i = 0; i < p->n; i++)
        if (!zw_axis_is_drawn(&p->axis[i]) && p->axis[i].kind != ZW_AXIS_COLUMN)
            good = good && multiply_count(&p->points, p->axis[i].n);
    if (!good)
        return zw_fail(err, ZW_E_OPTION, "the plan has more than %.2g points", (double)most_points);
    if (p->points == 0)
        return zw_fail(err, ZW_E_OPTION, "the plan has no points: the file of points is empty");
    return ZW_OK;
}

zw_status zw_plan_create(zw_plan **out, const zw_system *sys, const zw_plan_options *options,
                         zw_error *err) {
    assert(out && sys);
    zw_plan_options o = zw_plan_options_default();
    *out = NULL;
    ZW_TRY(zw_options_adopt(&o, sizeof o, options, "zw_plan_options", err));
    zw_plan *p = calloc(1, sizeof *p);
    if (p)
        p->axis = calloc(AXES_MAX, sizeof *p->axis);
    if (!p || !p->axis) {
        free(p);
        return zw_out_of_memory(err, NULL);
    }
    p->seed = o.seed;
    p->draw = o.draw;
    p->design = o.design;
    p->random = zw_system_is_random(sys);
    zw_status status = read_axes(p, sys, &o, err);
    for (int i = 0; i < p->n; i++)
        p->drawn += zw_axis_is_drawn(&p->axis[i]);
    if (status >= 0)
        status = check_design(p, &o, err);
    if (status >= 0)
        status = count_points(p, &o, err);
    if (status < 0)
        zw_plan_destroy(p);
    else
        *out = p;
    return status;
}

void zw_plan_destroy(zw_plan *plan) {
    if (!plan)
        return;
    for (int i = 0; i < plan->n; i++)
        zw_axis_clear(&plan->axis[i]);
    free(plan->axis);
    free(plan);
}

/* ---- points ---- */

static double unit_of(const zw_plan *p, uint64_t index, int dimension) {
    return p->draw == ZW_PLAN_SOBOL ? zw_sobol_unit(p->seed, index, dimension)
                                    : zw_philox_unit(p->seed, index, (uint32_t)dimension);
}

/* Entry i of node m of path j: does its step come before the node? */
static double on_path(const zw_plan *p, uint64_t j, int m, int i) {
    uint64_t mine = zw_philox_bits(p->seed, j, (uint32_t)i, USE_ORDER);
    int before = 0; /* entries whose step comes earlier: a random order by random keys */
    for (int k = 0; k < p->drawn; k++) {
        uint64_t other = zw_philox_bits(p->seed, j, (uint32_t)k, USE_ORDER);
        before += other < mine || (other == mine && k < i);
    }
    int level = (int)(zw_philox_bits(p->seed, j, (uint32_t)i, USE_LEVEL) % LEVELS);
    if (before < m)
        level = (level + LEVELS / 2) % LEVELS;
    return (level + 0.5) / LEVELS;
}

static double sample_unit(const zw_plan *p, uint64_t s, int i) {
    uint64_t d = (uint64_t)p->drawn;
    if (p->design == ZW_PLAN_MORRIS)
        return on_path(p, s / (d + 1), (int)(s % (d + 1)), i);
    if (p->design == ZW_PLAN_SALTELLI) {
        uint64_t j = s / (d + 2), m = s % (d + 2);
        bool from_b = m == 1 || m == (uint64_t)i + 2;
        return unit_of(p, j, from_b ? i + p->drawn : i);
    }
    return unit_of(p, s, i);
}

void zw_plan_point(const zw_plan *plan, uint64_t k, double *value) {
    uint64_t s = k % plan->samples, rest = k / plan->samples;
    int drawn = 0;
    for (int i = 0; i < plan->n; i++) {
        const zw_axis *a = &plan->axis[i];
        if (zw_axis_is_drawn(a)) {
            value[i] = zw_axis_at(a, sample_unit(plan, s, drawn++));
        } else if (a->kind == ZW_AXIS_COLUMN) {
            value[i] = zw_axis_value(a, rest); /* columns come last: the rest is the row */
        } else {
            value[i] = zw_axis_value(a, rest % a->n);
            rest /= a->n;
        }
    }
}

uint64_t zw_plan_chains(const zw_plan *plan) {
    return plan->n > 0 && plan->axis[0].n > 0 ? plan->points / plan->axis[0].n : plan->points;
}

uint64_t zw_plan_in_chain(const zw_plan *plan, uint64_t chain, uint64_t i) {
    uint64_t n = plan->n > 0 && plan->axis[0].n > 0 ? plan->axis[0].n : 1;
    return chain % plan->samples + plan->samples * (i + n * (chain / plan->samples));
}

uint64_t zw_plan_points(const zw_plan *plan) {
    return plan->points;
}

uint64_t zw_plan_samples(const zw_plan *plan) {
    return plan->samples;
}

int zw_plan_axes(const zw_plan *plan) {
    return plan->n;
}

int zw_plan_drawn(const zw_plan *plan) {
    return plan->drawn;
}

const zw_axis *zw_plan_axis(const zw_plan *plan, int i) {
    return i >= 0 && i < plan->n ? &plan->axis[i] : NULL;
}

uint64_t zw_plan_seed(const zw_plan *plan) {
    return plan->seed;
}

bool zw_plan_draws(const zw_plan *plan) {
    return plan->drawn > 0 || plan->random;
}

uint64_t zw_plan_sample(const zw_plan *plan, uint64_t k) {
    return k % plan->samples;
}

zw_plan_design zw_plan_design_of(const zw_plan *plan) {
    return plan->design;
}
