/* SPDX-License-Identifier: MIT */
/* The statement `slow-fast`: the fast variables and the small parameter. */
#include "lang/model.h"

static zw_status find_parameter(zw_model *m, const zw_stmt *s, zw_expr *out) {
    zw_entry *e = zw_model_find(m, s->word);
    if (e && e->kind == ZW_ST_PARAM && e->value.n == 1) {
        *out = e->value.e[0];
        return ZW_OK;
    }
    zw_fail_at(m->err, e ? ZW_E_MODEL : ZW_E_NAME, s->word_place,
               "the small parameter of slow-fast is no parameter: '%s'", s->word);
    zw_error_hint(m->err, "param %s = ..., in whose limit 0 the fast variables follow at once",
                  s->word);
    return e ? ZW_E_MODEL : ZW_E_NAME;
}

zw_status zw_build_slow_fast(zw_model *m, zw_stmt *s) {
    zw_slow_fast split = {.n = s->n, .place = s->place};
    zw_expr *fast = ZW_NEW(m->arena, zw_expr, s->n + 1);
    zw_place *where = ZW_NEW(m->arena, zw_place, s->n + 1);
    if (!fast || !where)
        return zw_model_memory(m);
    split.fast = fast;
    ZW_TRY(find_parameter(m, s, &split.small));
    for (int i = 0; i < s->n; i++) {
        where[i] = s->list[i]->place;
        ZW_TRY(zw_model_scalar(m, s->list[i], "a fast variable", NULL, &fast[i]));
    }
    return zw_system_slow_fast(m->sys, &split, where, m->err);
}
