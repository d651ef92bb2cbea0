/* SPDX-License-Identifier: MIT */
#include "steady.h"

#include <stdio.h>
#include <string.h>

/* true if the name before the equals sign is a coordinate or a velocity of the system */
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

static const char *name_of(const zw_system *sys, zw_expr entry, const char **unit) {
    for (int i = 0; i < sys->nq; i++)
        if (sys->coord[i].sym == entry) {
            *unit = sys->coord[i].unit;
            return sys->coord[i].name;
        }
    for (int i = 0; i < sys->nv; i++)
        if (sys->velocity[i].sym == entry) {
            *unit = sys->velocity[i].unit;
            return sys->velocity[i].name;
        }
    return NULL;
}

static zw_status find_motion(const zw_system *sys, const char *name, const zw_motion **out,
                             zw_error *err) {
    const char *names[64];
    int n = 0;
    for (; n < sys->nmotion && n < 64; n++) {
        names[n] = sys->motion[n].name;
        if (strcmp(names[n], name) == 0) {
            *out = &sys->motion[n];
            return ZW_OK;
        }
    }
    zw_fail(err, ZW_E_NAME, "there is no steady motion '%s'", name);
    const char *near = zw_nearest(name, n, names);
    if (near || n)
        zw_error_hint(err, near ? "did you mean %s?%s" : "the model has %s%s",
                      near ? near : names[0], !near && n > 1 ? " and others" : "");
    return ZW_E_NAME;
}

/* "alpha'=40 [rad/s]" for each entry of the motion */
static zw_status join_motion(cli_steady *s, const cli_options *o, zw_option_list *set,
                             zw_error *err) {
    const zw_system *sys = s->model.sys;
    const zw_motion *m;
    ZW_TRY(find_motion(sys, o->motion ? "--at" : o->steady, &m, err));
    if (m->nfree) {
        zw_fail_at(err, ZW_E_MODEL, m->place, "the symbol %s of the motion has no value",
                   zw_expr_name(sys->ctx, m->free[0]));
        zw_error_hint(err,
                      "formulas hold for all values (--symbolic); give a number by --at instead");
        return ZW_E_MODEL;
    }
    double *p = zw_context_alloc(s->model.ctx, (size_t)(sys->np + 1) * sizeof *p);
    zw_expr *symbol = zw_context_alloc(s->model.ctx, (size_t)(sys->np + 1) * sizeof *symbol);
    if (!p || !symbol)
        return zw_context_status(s->model.ctx, err);
    ZW_TRY(zw_system_param_values(sys, p, err));
    for (int i = 0; i < sys->np; i++)
        symbol[i] = sys->param[i].sym;
    for (int k = 0; k < m->n; k++) {
        const char *unit = "", *name = name_of(sys, m->what[k], &unit);
        if (set->n == ZW_OPTION_LIST_MAX)
            return zw_fail(err, ZW_E_OPTION, "more than %d values of --set and of the motion",
                           ZW_OPTION_LIST_MAX);
        char *text = s->start[set->n];
        snprintf(text, sizeof s->start[0],
                 unit[0] && !sys->no_units ? "%.60s=%.17g [%.60s]" : "%.60s=%.17g", name,
                 zw_eval(sys->ctx, m->value[k], sys->np, symbol, p), unit);
        set->item[set->n++] = text;
    }
    return ZW_OK;
}

/* A coordinate or velocity that is held also starts there: NAME=VALUE is added to --set. Only the
 * model tells which these are, so it has been read once without them. */
static zw_status join_holds(cli_steady *s, const char *path, const cli_options *o, zw_error *err) {
    cli_options joined = *o;
    zw_option_list *set = &joined.model.set;
    if (o->motion || o->steady)
        ZW_TRY(join_motion(s, o, set, err));
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
    cli_options reading = *o;
    reading.model.steady = o->motion;
    ZW_TRY(cli_model_open(&s->model, path, &reading, err));
    ZW_TRY(join_holds(s, path, &reading, err));
    cli_report_warnings(o, s->model.warnings, false);
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
