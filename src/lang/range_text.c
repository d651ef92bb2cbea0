/* SPDX-License-Identifier: MIT */
/* A range of numbers as the text that options take. 17 digits and an SI unit, whose factor is 1:
 * reading gives the same bits. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "zwang/model.h"

/* the unit in which the text of the model states it */
static zw_status find_unit(const zw_system *sys, const char *name, const char **unit,
                           zw_error *err) {
    zw_expr what;
    for (int i = 0; i < sys->np; i++)
        if (strcmp(sys->param[i].name, name) == 0) {
            *unit = sys->param[i].unit;
            return ZW_OK;
        }
    return zw_model_quantity(&what, unit, sys, "a range", name, err);
}

static zw_status check_range(const zw_range *range, zw_error *err) {
    if (!range->name || !range->name[0])
        return zw_fail(err, ZW_E_OPTION, "a range has no name");
    if (!isfinite(range->from) || !isfinite(range->to))
        return zw_fail(err, ZW_E_NONFINITE, "the range of %s is not finite", range->name);
    if (range->rows < 0 || range->rows == 1)
        return zw_fail(err, ZW_E_OPTION, "the range of %s has %d rows: 0 or at least 2",
                       range->name, range->rows);
    return ZW_OK;
}

static zw_status write_range(const char **out, const zw_system *sys, const zw_range *range,
                             const char *kind, zw_error *err) {
    const char *unit;
    char si[ZW_DIM_TEXT] = "";
    zw_unit known;
    zw_text text;
    ZW_TRY(check_range(range, err));
    ZW_TRY(find_unit(sys, range->name, &unit, err));
    if (unit && unit[0]) {
        ZW_TRY(zw_unit_parse(&known, unit, strlen(unit), (zw_place){0}, err));
        zw_dim_text(&known.dim, si);
    }
    zw_text_init(&text, NULL);
    zw_text_printf(&text, "%s=", range->name);
    if (range->from == range->to)
        zw_text_printf(&text, "%.17g", range->from);
    else
        zw_text_printf(&text, "%s%.17g:%.17g", kind, range->from, range->to);
    if (range->from != range->to && range->rows > 0)
        zw_text_printf(&text, ":%d", range->rows);
    if (si[0])
        zw_text_printf(&text, " [%s]", si);
    *out = text.failed ? NULL : zw_context_intern(sys->ctx, text.data);
    zw_text_clear(&text);
    return *out ? ZW_OK : zw_fail(err, ZW_E_MEMORY, "out of memory");
}

zw_status zw_range_text(const char **out, const zw_system *sys, const zw_range *range,
                        zw_error *err) {
    assert(out && sys);
    return write_range(out, sys, range, "", err);
}

zw_status zw_range_axis(const char **out, const zw_system *sys, const zw_range *range,
                        zw_error *err) {
    assert(out && sys);
    return write_range(out, sys, range, "lin:", err);
}
