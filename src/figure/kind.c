/* SPDX-License-Identifier: MIT */
/* Results are motions unless their note "kind" says otherwise. A kind has default panels, and its
 * quantities may have names, logarithmic axes or lines at zero: one row of a table for each, so
 * that a new kind of result needs only a row. */
#include <stddef.h>
#include <string.h>

#include "internal.h"

static const zw_figure_kind kinds[] = {
    {.name = "eigenvalues",
     .series = "lambda",
     .directed = true,
     .panel = {"re:*", "im:*", "re,im"},
     .quantity = {{"re", "\"Re\" lambda", false, true}, {"im", "\"Im\" lambda", false, true}}},
    {.name = "frequency response",
     .directed = true,
     .panel = {"gain:*", "phase:*"},
     .quantity = {{"omega", NULL, true, false},
                  {"gain", NULL, true, false},
                  {"re", "\"real part\"", false, true},
                  {"im", "\"imaginary part\"", false, true}}},
    {.name = "steady motions"},
    {.name = "minima along",
     .solid = "motion",
     .dashed = "\"no motion\"",
     .panel = {"rms:*", "G:*"},
     .quantity = {{"rms", "\"rms\"", false, false}, {"G", NULL, true, false}}},
    {.name = "surface", .panel = {"x,y"}},
    {.name = "surfaces", .panel = {"#,@,~"}},
    {.name = "portrait", .panel = {"#:*"}},
    {.name = "motion near the slow manifold",
     .panel = {"#:*", "distance:*"},
     .quantity = {{"distance", NULL, false, true}}},
    {.name = "motion near constraints", .panel = {"slip:*", "slow:*"}},
    {.name = "exponents over time", .quantity = {{"lambda_1", NULL, false, true}}},
    {.name = "exponents over a parameter", .quantity = {{"lambda_1", NULL, false, true}}},
    {.name = "spectral density", .panel = {"G:*"}, .quantity = {{"G", NULL, true, false}}},
    {.name = "rest over a range",
     .panel = {"reserve:*"},
     .quantity = {{"reserve", NULL, false, true}}},
    {.name = "amplitudes", .panel = {"first:*"}},
    {.name = "backbone", .panel = {"frequency:energy"}},
    {.name = "marks", .panel = {"#:*"}},
    {.name = "melnikov over a parameter",
     .quantity = {{"M", NULL, false, true}, {"excess", NULL, false, true}}},
    {.name = "melnikov over amplitudes", .panel = {"M:*"}, .quantity = {{"M", NULL, false, true}}},
    {.name = "melnikov over phases", .quantity = {{"M", NULL, false, true}}},
    {.name = "melnikov resonances",
     .panel = {"low+high:*"},
     .quantity = {{"low", NULL, false, true}}},
    {.name = "melnikov zeros", .panel = {"#:*"}},
    {.name = "melnikov cycles", .panel = {"amplitude:*", "period:*"}},
    {.name = "level curves", .panel = {"#:*"}},
    {.name = "sweep", .quantity = {{"rms", "\"rms\"", false, false}}},
    {.name = "response",
     .orbits = true,
     .panel = {"rms:*"},
     .quantity = {{"rms", "\"rms\"", false, false}}},
};

/* columns re(k), im(k) over the first one are eigenvalues, in files from any source */
static const char *kind_by_columns(const zw_table *t) {
    bool plain = zw_table_columns(t) == 0 || zw_table_find(t, "re") >= 0;
    return !plain && zw_spec_is_series(t, "re") && zw_spec_is_series(t, "im") ? kinds[0].name
                                                                              : NULL;
}

const zw_figure_kind *zw_figure_kind_of(int nrun, const zw_figure_run *run) {
    for (int i = 0; i < nrun; i++) {
        const char *name = zw_table_get_note(run[i].table, "kind");
        if (!name)
            name = kind_by_columns(run[i].table);
        for (size_t k = 0; name && k < sizeof kinds / sizeof *kinds; k++)
            if (strcmp(kinds[k].name, name) == 0)
                return &kinds[k];
    }
    return NULL;
}

const zw_figure_quantity *zw_figure_kind_quantity(const zw_figure_kind *kind,
                                                  const char *quantity) {
    for (int i = 0; kind && i < 4 && kind->quantity[i].name; i++) {
        const char *name = kind->quantity[i].name;
        size_t n = strlen(name);
        if (strncmp(quantity, name, n) == 0 && (!quantity[n] || quantity[n] == '('))
            return &kind->quantity[i];
    }
    return NULL;
}
