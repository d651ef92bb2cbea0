/* SPDX-License-Identifier: MIT */
/* The options of a simulation: defaults, checks, and reading them back from a result.
 *
 * The public structs of a simulation hold one of a run, and both may grow. For two versions, such a
 * struct is a head, which is the same, the inner struct, and a tail, whose position depends on the
 * size of the inner one. Callers pass both sizes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "num/options.h"

#define AT(field) offsetof(zw_sim_options, field)
const zw_option zw_sim_contact_table[] = {
    /* key, type, field, default, min, max, unit, choices, help; limits exclude typing errors
     * only */
    {"contacts", ZW_OPT_CHOICE, AT(contacts), ZW_SIM_CONTACTS_CHOSEN, 0, 0, "",
     "auto|moreau|events",
     "contact scheme: time stepping (moreau), or from event to event; auto: events where possible"},
    {"solver", ZW_OPT_CHOICE, AT(solver), ZW_CONTACT_AUTO, 0, 0, "", "auto|prox|gauss-seidel",
     "solver of the contact problem in a time step"},
    {"contact-tol", ZW_OPT_DOUBLE, AT(contact_tol), 1e-11, 1e-15, 1e-3, "", NULL,
     "residual tolerance of that solver"},
    {"prox", ZW_OPT_DOUBLE, AT(prox), 0, 0, 1e12, "kg", NULL,
     "factor of the fixed-point iteration of --solver prox; 0: chosen"},
    {"overlap", ZW_OPT_CHOICE, AT(overlap), ZW_SIM_OVERLAP_STAYS, 0, 0, "", "stays|corrected",
     "treatment of bodies that overlap after a step"},
    {"steps", ZW_OPT_CHOICE, AT(steps), ZW_SIM_STEPS_CHOSEN, 0, 0, "", "auto|fixed|controlled",
     "fixed time steps (--step), or controlled by --rtol and --atol; auto: fixed if --step is "
     "given"},
    {0},
};
const zw_option zw_sim_noise_table[] = {
    {"seed", ZW_OPT_LONG, AT(seed), 1, 0, 9e15, "", NULL, "seed of all noise paths"},
    {"path", ZW_OPT_LONG, AT(path), 0, 0, 9e15, "", NULL, "number of the noise path"},
    {"noise-step", ZW_OPT_DOUBLE, AT(noise_step), 0, 0, 1e11, "s", NULL,
     "step of the noise, rounded down to a power of two; 0: halved until the motion no longer "
     "changes"},
    {0},
};
#undef AT

void zw_sim_options_share(zw_sim_options *to, const zw_sim_options *from) {
    for (const zw_option *row = zw_sim_contact_table; row->key; row++)
        zw_options_copy(row, to, from);
    for (const zw_option *row = zw_sim_noise_table; row->key; row++)
        zw_options_copy(row, to, from);
}

static size_t smaller_value(size_t a, size_t b) {
    return a < b ? a : b;
}

/* the bytes after the inner struct, as far as both have them */
static void copy_tail(void *to, size_t to_size, size_t to_tail, const void *from, size_t from_size,
                      size_t from_tail) {
    if (to_size > to_tail && from_size > from_tail)
        memcpy((char *)to + to_tail, (const char *)from + from_tail,
               smaller_value(to_size - to_tail, from_size - from_tail));
}

void zw_sim_hand_out(void *out, size_t size, size_t inner_size, const void *own, size_t own_size,
                     size_t inner, size_t own_inner_size) {
    memset(out, 0, size);
    memcpy(out, own, smaller_value(inner, size));
    if (size > inner)
        memcpy((char *)out + inner, (const char *)own + inner,
               smaller_value(smaller_value(inner_size, own_inner_size), size - inner));
    copy_tail(out, size, inner + inner_size, own, own_size, inner + own_inner_size);
}

enum { RUN = offsetof(zw_sim_options, run), SIZE_SANE = 1 << 14 };

static void hand_out(zw_sim_options *options, size_t size, size_t run_size,
                     const zw_sim_options *own) {
    zw_sim_hand_out(options, size, run_size, own, sizeof *own, RUN, sizeof own->run);
    memcpy(options, &size, sizeof size);
    memcpy((char *)options + RUN, &run_size, sizeof run_size);
}

void zw_sim_options_init(zw_sim_options *options, size_t size, size_t run_size) {
    zw_sim_options o = {
        .size = sizeof o, .until = 10, .jit = ZW_JIT_WHEN_IT_PAYS, .run = zw_run_options_default()};
    zw_options_default(zw_sim_contact_table, &o);
    zw_options_default(zw_sim_noise_table, &o);
    hand_out(options, size, run_size, &o);
}

/* ------------------------------------------------------------------------------------- checks */

static zw_status check_options(const zw_sim_options *o, zw_error *err) {
    if (!isfinite(o->start) || !isfinite(o->until) || !isfinite(o->step_out))
        return zw_fail(err, ZW_E_OPTION, "start, end and output step must be finite");
    if (o->until < o->start)
        return zw_fail(err, ZW_E_OPTION, "the run would end at t = %g s before it starts at %g s",
                       o->until, o->start);
    if (o->step_out < 0)
        return zw_fail(err, ZW_E_OPTION, "the output step %g s is negative", o->step_out);
    if ((int)o->jit < ZW_JIT_NEVER || o->jit > ZW_JIT_AT_ONCE)
        return zw_fail(err, ZW_E_OPTION, "jit = %d is none of zw_jit", (int)o->jit);
    ZW_TRY(zw_options_check(zw_sim_noise_table, o, err));
    return zw_options_check(zw_sim_contact_table, o, err);
}

/* fields of a newer program after our last one must be zero, their default */
static bool knows_more(const zw_sim_options *given) {
    size_t own_tail = sizeof *given - RUN - sizeof given->run;
    for (size_t i = RUN + given->run.size + own_tail; i < given->size; i++)
        if (((const char *)given)[i])
            return true;
    return false;
}

zw_status zw_sim_options_adopt(zw_sim_options *own, const zw_sim_options *given, zw_error *err) {
    *own = zw_sim_options_default();
    if (!given)
        return ZW_OK;
    if (given->size < RUN + sizeof(size_t) || given->size > SIZE_SANE) {
        zw_fail(err, ZW_E_OPTION, "zw_sim_options: the struct was not begun with its defaults");
        zw_error_hint(err, "zw_sim_options o = zw_sim_options_default();");
        return ZW_E_OPTION;
    }
    ZW_TRY(zw_run_options_adopt(&own->run, &given->run, err));
    if (knows_more(given)) {
        zw_fail(err, ZW_E_OPTION,
                "zw_sim_options: an option that this version of the library lacks");
        zw_error_hint(err, "the program was compiled for a newer one");
        return ZW_E_OPTION;
    }
    memcpy(own, given, RUN);
    own->size = sizeof *own;
    copy_tail(own, sizeof *own, RUN + sizeof own->run, given, given->size, RUN + given->run.size);
    return check_options(own, err);
}

/* ---------------------------------------------------------------------------------- reading from a
 * result */

static zw_status read_options(zw_sim_options *o, const zw_table *result, zw_error *err) {
    const char *text = zw_table_get_note(result, "options");
    const char *step = zw_table_get_note(result, "step out");
    o->principle = zw_table_get_note(result, "principle");
    o->energy = zw_table_find(result, "drift") >= 0;
    o->step_out = step ? strtod(step, NULL) : 0;
    while (text && *text) {
        char pair[128], *value;
        size_t n = strcspn(text, "\n");
        snprintf(pair, sizeof pair, "%.*s", (int)n, text);
        text += n + (text[n] == '\n');
        value = strchr(pair, '=');
        if (!value)
            return zw_fail(err, ZW_E_FILE, "the note 'options' has a line '%s'", pair);
        *value++ = '\0';
        if (zw_options_find(zw_sim_contact_table, pair, strlen(pair)))
            ZW_TRY(zw_options_set(zw_sim_contact_table, o, pair,
                                  strcmp(value, "auto") == 0 && strcmp(pair, "contacts") == 0
                                      ? "moreau" /* the default of earlier versions */
                                      : value,
                                  err));
        else if (zw_options_find(zw_sim_noise_table, pair, strlen(pair)))
            ZW_TRY(zw_options_set(zw_sim_noise_table, o, pair, value, err));
        else
            ZW_TRY(zw_run_options_set(&o->run, pair, value, err));
    }
    return ZW_OK;
}

zw_status zw_sim_options_read(zw_sim_options *options, size_t size, size_t run_size,
                              const zw_table *result, zw_error *err) {
    zw_sim_options o = zw_sim_options_default();
    zw_status status = read_options(&o, result, err);
    hand_out(options, size, run_size, &o);
    return status;
}
