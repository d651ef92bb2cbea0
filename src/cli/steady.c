/* SPDX-License-Identifier: MIT */
#include "steady.h"

#include <string.h>

#define AT(field) offsetof(cli_options, field)

const zw_option cli_steady_table[] = {
    {"hold", ZW_OPT_LIST, AT(hold), 0, 0, 0, "", "NAME[=VALUE]",
     "a coordinate, velocity, observable or expression that keeps this value, or that of the "
     "start; several times"},
    {"solve", ZW_OPT_LIST, AT(solve), 0, 0, 0, "", "PARAMETER",
     "a parameter that is solved for, so that something can be held; several times"},
    {"by", ZW_OPT_STRING, AT(by), 0, 0, 0, "", "PRINCIPLE", "the principle (default lagrange)"},
    {0},
};

/* is what stands before the equals sign a coordinate or a velocity of the system? */
static bool is_start(const zw_system *sys, const char *item) {
    size_t length = strcspn(item, "=");
    if (item[length] != '=')
        return false;
    while (length > 0 && item[length - 1] == ' ')
        length--;
    for (int i = 0; i < sys->nq + sys->nv; i++) {
        const char *name = i < sys->nq ? sys->coord[i].name : sys->velocity[i - sys->nq].name;
        if (strlen(name) == length && strncmp(name, item, length) == 0)
            return true;
    }
    return false;
}

/* Where a coordinate or velocity is held, it starts: NAME=VALUE joins those of --set. Which ones these are, the model
 * says, so that it has been read once without them. */
static zw_status join_holds(cli_steady *s, const char *path, const cli_options *o, zw_error *err) {
    cli_options joined = *o;
    zw_option_list *set = &joined.model.set;
    for (int i = 0; i < o->hold.n; i++) {
        if (!is_start(s->model.sys, o->hold.item[i]))
            continue;
        if (set->n == ZW_OPTION_LIST_MAX)
            return zw_fail(err, ZW_E_OPTION, "more than %d values of --set and --hold",
                           ZW_OPTION_LIST_MAX);
        set->item[set->n++] = o->hold.item[i];
    }
    return set->n > o->model.set.n ? cli_model_again(&s->model, path, &joined, err) : ZW_OK;
}

zw_status cli_steady_open(cli_steady *s, const char *path, const cli_options *o, zw_error *err) {
    *s = (cli_steady){.path = path, .options = zw_equilibria_options_default()};
    ZW_TRY(cli_model_open(&s->model, path, o, err));
    ZW_TRY(join_holds(s, path, o, err));
    cli_tell_doubts(o, s->model.doubts, false);
    s->options.by = o->by ? o->by : "lagrange";
    s->options.nhold = o->hold.n;
    s->options.hold = o->hold.item;
    s->options.nsolve = o->solve.n;
    s->options.solve = o->solve.item;
    return ZW_OK;
}

void cli_steady_close(cli_steady *s) {
    cli_model_close(&s->model);
}
