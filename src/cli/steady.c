/* SPDX-License-Identifier: MIT */
#include "steady.h"

#include <string.h>

#define AT(field) offsetof(cli_options, field)

const zw_option cli_steady_table[] = {
    {"hold", ZW_OPT_LIST, AT(hold), 0, 0, 0, "", "NAME[=VALUE]",
     "a coordinate or velocity that keeps this value, or that of the start; several times"},
    {"by", ZW_OPT_STRING, AT(by), 0, 0, 0, "", "PRINCIPLE", "the principle (default lagrange)"},
    {0},
};

/* the name before the equals sign */
static zw_status take_name(cli_steady *s, int i, const char *item, zw_error *err) {
    size_t length = strcspn(item, "=");
    char *name = zw_context_alloc(s->ctx, length + 1);
    if (!name)
        return zw_context_status(s->ctx, err);
    memcpy(name, item, length);
    while (length > 0 && name[length - 1] == ' ')
        name[--length] = '\0';
    s->hold[i] = name;
    return ZW_OK;
}

/* What is held is a start value with its unit, too: NAME=VALUE joins those of --set. */
static zw_status join_holds(cli_steady *s, const cli_options *o, cli_options *joined,
                            zw_error *err) {
    zw_option_list *set = &joined->model.set;
    *joined = *o;
    for (int i = 0; i < o->hold.n; i++) {
        ZW_TRY(take_name(s, i, o->hold.item[i], err));
        if (!strchr(o->hold.item[i], '='))
            continue;
        if (set->n == ZW_OPTION_LIST_MAX)
            return zw_fail(err, ZW_E_OPTION, "more than %d values of --set and --hold",
                           ZW_OPTION_LIST_MAX);
        set->item[set->n++] = o->hold.item[i];
    }
    return ZW_OK;
}

zw_status cli_steady_open(cli_steady *s, const char *path, const cli_options *o, zw_error *err) {
    cli_options joined;
    *s = (cli_steady){.ctx = zw_context_create(NULL), .options = zw_equilibria_options_default()};
    if (!s->ctx)
        return zw_fail(err, ZW_E_MEMORY, "out of memory");
    ZW_TRY(join_holds(s, o, &joined, err));
    ZW_TRY(cli_model_open(&s->model, path, &joined, err));
    cli_tell_doubts(o, s->model.doubts, false);
    s->options.by = o->by ? o->by : "lagrange";
    s->options.nhold = o->hold.n;
    s->options.hold = s->hold;
    return ZW_OK;
}

void cli_steady_close(cli_steady *s) {
    cli_model_close(&s->model);
    zw_context_destroy(s->ctx);
}
