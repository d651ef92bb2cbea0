/* SPDX-License-Identifier: MIT */
/* The header of the emitted C file: its functions, its sizes and the index of every entry by name,
 * as enumerators
 *
 *     zwang2_<model>_NX, ..._NCACHE          sizes of the arrays
 *     zwang2_<model>_P_<parameter>           places in p; X_ in the state, Z_ in accelerations and
 *                                            multipliers,
 *                                            U_ in the inputs
 *     zwang2_<model>_MATS_<part>             where a part of the output of mats begins; MATS_SIZE:
 *                                            all of it
 *     zwang2_<model>_OBS_<observable>        a single output; EVT_, ACT_ likewise
 *
 * A name of the model becomes part of an identifier: x' is x_dot, x'' is x_ddot, lambda(rod.1) is
 * lambda_rod_1. If two would be the same, the later one gets a number; the comment after it has the
 * unchanged name. */
#include <ctype.h>
#include <string.h>

#include "base/decimal.h"
#include "emit.h"

/* One enumeration, with the names used in it. */
typedef struct naming {
    zw_emit *e;
    zw_text *out;
    const char *group; /* "X": prefix_X_name */
    int n, capacity;
    const char **taken;
} naming;

static bool is_word(char c) {
    return isalnum((unsigned char)c) && (unsigned char)c < 128;
}

/* a name as letters, digits and single underscores */
static void put_identifier(zw_text *out, const char *name) {
    bool gap = false, any = false;
    while (*name) {
        size_t primes = strspn(name, "'");
        if (primes > 2)
            zw_text_printf(out, "_d%d", (int)primes);
        else if (primes)
            zw_text_put(out, primes == 1 ? "_dot" : "_ddot");
        else if (!is_word(*name))
            gap = any;
        else {
            zw_text_put(out, gap ? "_" : "");
            zw_text_put_n(out, name, 1);
            gap = false;
        }
        any |= primes || is_word(*name);
        name += primes ? primes : 1;
    }
    if (!any)
        zw_text_put(out, "_");
}

static bool is_taken(const naming *g, const char *name) {
    for (int i = 0; i < g->n; i++)
        if (strcmp(g->taken[i], name) == 0)
            return true;
    return false;
}

static void reserve_name(naming *g, const char *name) {
    if (name && g->n < g->capacity)
        g->taken[g->n++] = name;
}

/* an identifier for the name that is unique in the enumeration; NULL: no memory */
static const char *unique_identifier(naming *g, const char *name) {
    zw_arena *arena = &g->e->scratch;
    zw_text text;
    zw_text_init(&text, &g->out->alloc);
    put_identifier(&text, name);
    const char *plain = text.failed ? NULL : zw_arena_string(arena, zw_text_get(&text));
    const char *unique = plain;
    zw_text_clear(&text);
    for (int k = 2; unique && is_taken(g, unique); k++)
        unique = zw_arena_printf(arena, "%s_%d", plain, k);
    g->out->failed |= !unique;
    reserve_name(g, unique);
    return unique ? unique : "";
}

/* "    zwang2_model_X_name = 3, / *" up to the comment */
static void open_entry(naming *g, const char *name, int at) {
    zw_text_printf(g->out, "    %s_%s_%s = %d, /* ", g->e->prefix, g->group,
                   unique_identifier(g, name), at);
}

static void put_entry(naming *g, const char *name, const char *unit, int at) {
    open_entry(g, name, at);
    zw_emit_comment(g->out, name);
    zw_emit_unit(g->out, unit);
    zw_text_put(g->out, " */\n");
}

/* an enumeration of at most n names; without entries it would not be valid C */
static bool begin_enum(naming *g, zw_emit *e, zw_text *out, const char *group, int n) {
    *g = (naming){.e = e, .out = out, .group = group, .capacity = n + 8};
    g->taken = ZW_NEW(&e->scratch, const char *, g->capacity);
    out->failed |= !g->taken;
    return g->taken && n > 0;
}

/* ---- sizes and arrays ---- */

static void put_sizes(zw_emit *e, zw_text *out) {
    const zw_equations *eq = e->eq;
    const struct {
        const char *name;
        int value;
        const char *about;
    } size[] = {
        {"NP", eq->sys->np, "parameters p"},
        {"NQ", eq->nq, "coordinates and states"},
        {"NV", eq->nv, "velocities"},
        {"NC", eq->nc, "multipliers"},
        {"NX", eq->nq + eq->nv, "the state x = (q, v)"},
        {"NZ", eq->nv + eq->nc, "accelerations and multipliers z = (v', lambda)"},
        {"NU", eq->nu, "external inputs u"},
        {"NCACHE", e->program.prepare.nout, "the cache c"},
    };
    zw_text_put(out, "/* Sizes. */\nenum {\n");
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        zw_text_printf(out, "    %s_%s = %d, /* %s */\n", e->prefix, size[i].name, size[i].value,
                       size[i].about);
    zw_text_put(out, "};\n\n");
}

static void put_arrays(zw_emit *e, zw_text *out) {
    const zw_equations *eq = e->eq;
    const zw_system *sys = eq->sys;
    naming g;
    if (begin_enum(&g, e, out, "P", sys->np)) {
        zw_text_put(out, "/* Parameters p. */\nenum {\n");
        for (int i = 0; i < sys->np; i++)
            put_entry(&g, sys->param[i].name, sys->param[i].unit, i);
        zw_text_put(out, "};\n\n");
    }
    if (begin_enum(&g, e, out, "X", eq->nq + eq->nv)) {
        zw_text_put(out, "/* The state x; its rates are the outputs of rhs with the same numbers. "
                         "*/\nenum {\n");
        for (int i = 0; i < eq->nq + eq->nv; i++)
            put_entry(&g, zw_emit_state_name(eq, i), zw_emit_state_unit(eq, i), i);
        zw_text_put(out, "};\n\n");
    }
    if (begin_enum(&g, e, out, "Z", eq->nv + eq->nc)) {
        zw_text_put(out, "/* Accelerations and multipliers z: the outputs of rhs from NQ on. "
                         "*/\nenum {\n");
        for (int i = 0; i < eq->nv + eq->nc; i++)
            put_entry(&g, zw_expr_name(sys->ctx, i < eq->nv ? eq->a[i] : eq->lambda[i - eq->nv]),
                      i < eq->nv ? "" : sys->constraint[eq->constraint[i - eq->nv]].lambda_unit, i);
        zw_text_put(out, "};\n\n");
    }
    if (begin_enum(&g, e, out, "U", eq->nu)) {
        zw_text_put(out, "/* External inputs u. */\nenum {\n");
        for (int i = 0; i < eq->nu; i++)
            put_entry(&g, sys->signal[i].name, sys->signal[i].unit, i);
        zw_text_put(out, "};\n\n");
    }
}

/* ---- functions ---- */

/* observables, events and their actions have names */
static bool is_named(zw_function_name function) {
    return function == ZW_FN_OBS || function == ZW_FN_EVT || function == ZW_FN_ACT;
}

static void put_named(naming *g, zw_function_name function, int n) {
    zw_emit *e = g->e;
    for (int i = 0; i < n; i++) {
        zw_text label;
        zw_text_init(&label, &g->out->alloc);
        zw_emit_output(&label, e->eq, &e->sizes, function, i);
        char *bare = zw_arena_string(&e->scratch, zw_text_get(&label)), *unit;
        g->out->failed |= label.failed || !bare;
        if (bare && (unit = strstr(bare, " [")))
            *unit = '\0';
        open_entry(g, bare ? bare : "", i);
        zw_text_put(g->out, zw_text_get(&label));
        zw_text_put(g->out, " */\n");
        zw_text_clear(&label);
    }
}

static void put_parts(naming *g, const zw_function_info *info) {
    int at = 0;
    for (int k = 0; k < info->nparts; k++) {
        const zw_part *p = &info->part[k];
        int columns = p->columns ? p->columns : 1;
        if (!p->rows)
            continue;
        open_entry(g, p->name, at);
        zw_text_printf(g->out, p->columns ? "%d x %d */\n" : "%d */\n", p->rows, p->columns);
        at += p->rows * columns;
    }
}

static void put_function(zw_emit *e, zw_text *out, zw_function_name function) {
    zw_function_info info = zw_kernel_describe(&e->sizes, function);
    char group[32];
    naming g;
    size_t n = strlen(info.name);
    for (size_t i = 0; i <= n && i < sizeof group; i++)
        group[i] = (char)toupper((unsigned char)info.name[i]);
    begin_enum(&g, e, out, group, info.size + ZW_PARTS_MAX);
    reserve_name(&g, "SIZE");
    zw_text_printf(out, "/* %s: %s. */\nenum {\n", info.name, info.about);
    if (is_named(function))
        put_named(&g, function, info.size);
    else
        put_parts(&g, &info);
    zw_text_printf(out, "    %s_%s_SIZE = %d\n};\n", e->prefix, group, info.size);
    zw_text_printf(out,
                   "void %s_%s(double t, const double x[], const double z[], const double u[],\n"
                   "                  const double c[], double out[]);\n\n",
                   e->prefix, info.name);
}

static void put_functions(zw_emit *e, zw_text *out) {
    const char *p = e->prefix;
    zw_text_printf(out,
                   "/* The parameters as the model gives them. */\n"
                   "void %s_defaults(double p[]);\n",
                   p);
    if (e->values.ndefined)
        zw_text_printf(out,
                       "/* Those that are defined by others, again from these. */\n"
                       "void %s_follow(double p[]);\n",
                       p);
    zw_text_printf(out,
                   "/* The cache c, after every change of p. */\n"
                   "void %s_prepare(const double p[], double c[]);\n"
                   "/* The start as the model gives it. */\n"
                   "void %s_start(double t, const double p[], double x[]);\n",
                   p, p);
    if (e->options->start) {
        char start[ZW_DECIMAL_MAX];
        zw_decimal(start, e->options->start_time);
        zw_text_printf(out,
                       "/* The start at t = %s s with the parameters of defaults, as it fulfils "
                       "the constraints. */\nvoid %s_start_completed(double x[]);\n",
                       start, p);
    }
    if (e->eq->nu)
        zw_text_printf(out,
                       "/* The inputs as the model gives them. */\n"
                       "void %s_inputs(double t, const double p[], double u[]);\n",
                       p);
    zw_text_put(out, "\n");
    if (!e->sizes.unrolled && !zw_emit_is_bounded(e->eq))
        put_function(e, out, ZW_FN_RHS);
    for (int i = 0; i < e->program.nfunction; i++)
        put_function(e, out, e->function[i]);
}

/* ---- the whole ---- */

static void put_usage(zw_emit *e, zw_text *out) {
    const char *p = e->prefix;
    zw_text_printf(out,
                   "\n * Names, sizes and functions of the equations of motion by the principle "
                   "'%s', made by Zwang.\n *\n"
                   " *     %s_defaults(p);\n"
                   " *     %s_prepare(p, c);\n"
                   " *     %s_%s;\n",
                   e->eq->principle, p, p, p,
                   e->options->start ? "start_completed(x)" : "start(0, p, x)");
    if (e->eq->nu)
        zw_text_printf(out, " *     %s_inputs(t, p, u);\n", p);
    if (!zw_emit_is_bounded(e->eq))
        zw_text_printf(out, " *     %s_rhs(t, x, NULL, %s, c, out);\n", p,
                       e->eq->nu ? "u" : "NULL");
    zw_text_put(out, " */\n");
}

bool zw_emit_header(zw_emit *e, zw_text *out) {
    const char *p = e->prefix;
    zw_text_put(out, "/* ");
    zw_emit_comment(out, e->eq->sys->name);
    if (e->eq->sys->title && e->eq->sys->title[0]) {
        zw_text_put(out, ": ");
        zw_emit_comment(out, e->eq->sys->title);
    }
    put_usage(e, out);
    zw_text_printf(out,
                   "#ifndef %s_H\n#define %s_H\n\n"
                   "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
                   p, p);
    put_sizes(e, out);
    put_arrays(e, out);
    put_functions(e, out);
    zw_text_put(out, "#ifdef __cplusplus\n}\n#endif\n#endif\n");
    return !out->failed && !e->scratch.failed;
}
