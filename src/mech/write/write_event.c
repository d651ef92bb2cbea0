/* SPDX-License-Identifier: MIT */
/* Events in the words of the model language: "y - r falling, set y' = -e*y', switch off roll". */
#include "write.h"

enum { LENGTH_MAX = 200 }; /* characters; longer expressions are not written out */

static void put_expr(zw_text *out, const zw_system *s, zw_expr e) {
    if (zw_print_length(s->ctx, e) > (double)LENGTH_MAX) {
        zw_text_printf(out, "(%ld operations)", zw_count(s->ctx, 1, &e));
        return;
    }
    bool known = zw_context_status(s->ctx, NULL) == ZW_OK; /* the length is known */
    char *text = known ? zw_print(s->ctx, e, ZW_TEXT) : NULL;
    out->failed |= !text;
    zw_text_put(out, text ? text : "");
    zw_string_free(s->ctx, text);
}

static void put_condition(zw_text *out, const zw_system *s, const zw_event *e) {
    if (!e->period) {
        put_expr(out, s, e->value);
        zw_text_put(out, e->direction < 0 ? " falling" : e->direction > 0 ? " rising" : " both");
        return;
    }
    zw_text_put(out, "every ");
    put_expr(out, s, e->period);
    if (e->phase == ZW_ZERO)
        return;
    zw_text_put(out, " from ");
    put_expr(out, s, e->phase);
}

static void put_action(zw_text *out, const zw_system *s, const zw_action *a) {
    switch (a->kind) {
    case ZW_ACTION_SET:
        zw_text_printf(out, ", set %s = ", zw_expr_name(s->ctx, a->what));
        put_expr(out, s, a->value);
        break;
    case ZW_ACTION_ON:
    case ZW_ACTION_OFF:
        zw_text_printf(out, ", switch %s %s", a->kind == ZW_ACTION_ON ? "on" : "off",
                       s->constraint[a->constraint].name);
        break;
    case ZW_ACTION_VARIANT:
        zw_text_printf(out, ", variant %s", a->variant[0] ? a->variant : "none");
        break;
    }
}

void zw_event_text(zw_text *out, const zw_system *s, const zw_event *e) {
    put_condition(out, s, e);
    for (int i = 0; i < e->naction; i++)
        put_action(out, s, &e->action[i]);
    if (e->stop)
        zw_text_put(out, ", stop");
    else if (!e->naction)
        zw_text_put(out, ", record");
}
