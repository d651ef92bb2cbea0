/* SPDX-License-Identifier: MIT */
/* The reduced model in the place of the model, for verbs whose motions come back but for a symmetry. */
#include "reduction.h"

#include <stdio.h>
#include <string.h>

#include "reduced.h"

enum { NAME = 200 };

zw_status cli_reduction_make(zw_reduction **r, const zw_system *sys, zw_error *err) {
    zw_error why = {0};
    zw_reduce_options options = zw_reduce_options_default();
    double difference;
    int states;
    if (cli_reduce_checked(r, sys, &difference, &states, &options, &why) >= 0)
        return ZW_OK;
    *r = NULL;
    return why.status == ZW_E_MEMORY ? zw_fail(err, ZW_E_MEMORY, "out of memory") : ZW_RETRY;
}

zw_status cli_reduction_open(const zw_reduction *r, cli_model *m, cli_model *full, const char *path,
                             zw_error *err) {
    zw_error why = {0};
    char *text = zw_reduction_model(r, path, &why);
    if (!text)
        return why.status == ZW_E_MEMORY ? zw_fail(err, ZW_E_MEMORY, "out of memory") : ZW_RETRY;
    *full = *m;
    *m = (cli_model){.doubts = full->doubts};
    full->doubts = NULL;
    zw_status status = cli_model_of_text(m, text, path, err);
    zw_string_free(full->ctx, text);
    return status;
}

/* ---------------------------------------------------------------------------------- starts in reduced coordinates */

static bool is_turned(const zw_reduced *z) {
    for (int i = 0; i < z->n; i++)
        if (z->entry[i].turned)
            return true;
    return false;
}

/* In axes that turn along, velocities are those of the model where what is left out has its values in the formulas. */
static bool begins_there(const zw_reduced *z, const zw_system *s) {
    zw_error ignored = {0};
    double *x = zw_context_alloc(s->ctx, sizeof *x * (size_t)(s->nq + s->nv + 1));
    if (!x || zw_system_complete(s, NULL, 0, NULL, x, NULL, &ignored) < 0)
        return false;
    for (int i = 0; i < z->nleft; i++)
        if (x[z->left[i].index] != z->left[i].at)
            return false;
    return true;
}

static bool is_parameter(const zw_system *s, const char *name, size_t n) {
    for (int i = 0; i < s->np; i++)
        if (strlen(s->param[i].name) == n && strncmp(s->param[i].name, name, n) == 0)
            return true;
    return false;
}

/* "x'=0:1" as "x_dot=0:1", in the context; NULL: it is nothing that is left */
static const char *rename_one(const zw_reduced *z, const zw_system *s, const char *text) {
    size_t n = strcspn(text, "=");
    char out[NAME];
    while (n > 0 && text[n - 1] == ' ')
        n--;
    if (is_parameter(s, text, n))
        return text;
    for (int i = 0; i < z->n; i++)
        if (strlen(z->entry[i].name) == n && strncmp(z->entry[i].name, text, n) == 0) {
            int length = snprintf(out, sizeof out, "%s%s", z->entry[i].plain, text + n);
            return length < NAME ? zw_context_intern(s->ctx, out) : NULL;
        }
    return NULL;
}

static bool rename_all(const zw_reduced *z, const zw_system *s, zw_option_list *list) {
    for (int i = 0; i < list->n; i++)
        if (!(list->item[i] = rename_one(z, s, list->item[i])))
            return false;
    return true;
}

bool cli_reduction_suits(const zw_reduction *r, const zw_system *s, zw_option_list *start,
                         zw_option_list *box) {
    const zw_reduced *z = zw_reduction_get(r);
    return is_turned(z) && begins_there(z, s) && rename_all(z, s, start) && rename_all(z, s, box);
}

void cli_reduction_tell(const zw_reduction *r) {
    const zw_reduced *z = zw_reduction_get(r);
    for (int i = 0; i < z->nleft; i++)
        printf("%s%s", i ? ", " : "reduced, without ", z->left[i].name);
    printf(": no rate depends on them (zwang reduce)\n");
}
