/* SPDX-License-Identifier: MIT */
/* The layout of the arrays of the emitted C file, as comments: the head of the file lists
 * parameters, state, accelerations with multipliers, inputs and events; every function lists the
 * parts of its output, and every output has its meaning. */
#include <string.h>

#include "build.h"
#include "emit.h"
#include "mech/write/write.h"

void zw_emit_comment(zw_text *out, const char *text) {
    for (const char *p = text; *p; p++) {
        bool ends = p[0] == '*' && p[1] == '/', begins = p[0] == '/' && p[1] == '*';
        zw_text_put_n(out, ends || begins ? "+" : *p == '\n' ? " " : p, 1);
    }
}

void zw_emit_unit(zw_text *out, const char *unit) {
    if (unit && unit[0]) {
        zw_text_put(out, " [");
        zw_emit_comment(out, unit);
        zw_text_put(out, "]");
    }
}

/* velocities that are momenta or multipliers have no unit here */
const char *zw_emit_state_name(const zw_equations *eq, int i) {
    return zw_expr_name(eq->sys->ctx, i < eq->nq ? eq->q[i] : eq->v[i - eq->nq]);
}

const char *zw_emit_state_unit(const zw_equations *eq, int i) {
    const zw_system *sys = eq->sys;
    if (i < eq->nq)
        return sys->coord[i].unit;
    i -= eq->nq;
    return i < sys->nv && eq->v[i] == sys->velocity[i].sym ? sys->velocity[i].unit : "";
}

/* ---- outputs ---- */

/* dr_dx is written dr/dx */
void zw_emit_part_name(zw_text *out, const char *name) {
    for (const char *p = name; *p; p++)
        zw_text_put_n(out, *name == 'd' && p[0] == '_' && p[1] == 'd' ? "/" : p, 1);
}

static int part_size(const zw_part *p) {
    return p->rows * (p->columns ? p->columns : 1);
}

/* output i of a function by its part */
static void put_part(zw_text *out, const zw_function_info *info, int i) {
    for (int k = 0; k < info->nparts; i -= part_size(&info->part[k]), k++) {
        const zw_part *p = &info->part[k];
        if (i >= part_size(p))
            continue;
        zw_emit_part_name(out, p->name);
        if (p->columns)
            zw_text_printf(out, "[%d][%d]", i / p->columns, i % p->columns);
        else
            zw_text_printf(out, "[%d]", i);
        return;
    }
}

static void put_rate(zw_text *out, const zw_equations *eq, int i) {
    if (i < eq->nq + eq->nv) {
        zw_emit_comment(out, zw_emit_state_name(eq, i));
        zw_text_put(out, "'");
    } else if (i < eq->nq + eq->nv + eq->nc) {
        zw_emit_comment(out, zw_expr_name(eq->sys->ctx, eq->lambda[i - eq->nq - eq->nv]));
    } else {
        zw_text_put(out, "smallest relative pivot");
    }
}

static void put_observable(zw_text *out, const zw_equations *eq, int i) {
    const zw_system *sys = eq->sys;
    int velocity = i - eq->nobservable, nvelocity = eq->system_v ? sys->nv : 0;
    if (velocity >= nvelocity) {
        zw_text_put(out, velocity == nvelocity ? "kinetic energy [J]" : "potential energy [J]");
    } else if (velocity >= 0) {
        zw_emit_comment(out, sys->velocity[velocity].name);
        zw_emit_unit(out, sys->velocity[velocity].unit);
    } else {
        zw_emit_comment(out, sys->observable[i].name);
        zw_emit_unit(out, sys->observable[i].unit);
    }
}

/* the i-th value that an event sets: "bounce sets y'" */
static void put_action(zw_text *out, const zw_equations *eq, int i) {
    const zw_system *sys = eq->sys;
    for (int e = 0; e < eq->nevent; e++)
        for (int k = 0; k < sys->event[e].naction; k++) {
            const zw_action *a = &sys->event[e].action[k];
            if (a->kind != ZW_ACTION_SET || i-- > 0)
                continue;
            zw_emit_comment(out, sys->event[e].name);
            zw_text_put(out, " sets ");
            zw_emit_comment(out, zw_expr_name(sys->ctx, a->what));
            return;
        }
}

void zw_emit_output(zw_text *out, const zw_equations *eq, const zw_kernel *sizes,
                    zw_function_name function, int i) {
    zw_function_info info;
    switch (function) {
    case ZW_FN_RHS:
        put_rate(out, eq, i);
        break;
    case ZW_FN_OBS:
        put_observable(out, eq, i);
        break;
    case ZW_FN_EVT:
        zw_emit_comment(out, eq->sys->event[i].name);
        break;
    case ZW_FN_ACT:
        put_action(out, eq, i);
        break;
    default:
        info = zw_kernel_describe(sizes, function);
        put_part(out, &info, i);
    }
}

void zw_emit_outputs(zw_text *out, const zw_function_info *info) {
    int at = 0;
    zw_text_put(out, " * out:");
    for (int k = 0; k < info->nparts; k++) {
        const zw_part *p = &info->part[k];
        int size = part_size(p);
        if (!size)
            continue;
        zw_text_put(out, at ? ", " : " ");
        zw_emit_part_name(out, p->name);
        zw_text_printf(out, p->columns ? " [%d..%d] %d x %d" : " [%d..%d]", at, at + size - 1,
                       p->rows, p->columns);
        at += size;
    }
    zw_text_put(out, at ? "\n" : " nothing\n");
}

/* ---- the head of the file ---- */

static void put_symbol(zw_text *out, const char *array, int i, const char *name, const char *unit) {
    zw_text_printf(out, " *   %s[%d] = ", array, i);
    zw_emit_comment(out, name);
    zw_emit_unit(out, unit);
    zw_text_put(out, "\n");
}

static void put_layout(zw_emit *e) {
    const zw_equations *eq = e->eq;
    const zw_system *sys = eq->sys;
    zw_text *out = &e->out;
    zw_text_printf(out, " * Parameters p (%d), given to prepare, which fills the cache c (%d):\n",
                   sys->np, e->program.prepare.nout);
    for (int i = 0; i < sys->np; i++)
        put_symbol(out, "p", i, sys->param[i].name, sys->param[i].unit);
    zw_text_printf(out, " * State x (%d):\n", eq->nq + eq->nv);
    for (int i = 0; i < eq->nq + eq->nv; i++)
        put_symbol(out, "x", i, zw_emit_state_name(eq, i), zw_emit_state_unit(eq, i));
    zw_text_printf(out,
                   " * Accelerations and multipliers z (%d), inputs of jac, obs, evt, act; in the"
                   " outputs of rhs\n * they begin at out[%d]:\n",
                   eq->nv + eq->nc, eq->nq);
    for (int i = 0; i < eq->nv + eq->nc; i++) {
        zw_text_printf(out, " *   z[%d] = ", i);
        put_rate(out, eq, eq->nq + i);
        zw_text_put(out, "\n");
    }
    if (eq->nu)
        zw_text_printf(out, " * External inputs u (%d), values of the caller's:\n", eq->nu);
    for (int i = 0; i < eq->nu; i++)
        put_symbol(out, "u", i, sys->signal[i].name, sys->signal[i].unit);
}

/* when the events occur and how the caller has to handle them */
static void put_events(zw_emit *e) {
    const zw_system *sys = e->eq->sys;
    zw_text line;
    if (e->eq->nevent)
        zw_text_put(&e->out, " * Events, zeros of evt (1 for those that come by the clock):\n");
    for (int i = 0; i < e->eq->nevent; i++) {
        zw_text_init(&line, &e->out.alloc);
        zw_event_text(&line, sys, &sys->event[i]);
        zw_text_printf(&e->out, " *   evt[%d] = ", i);
        zw_emit_comment(&e->out, sys->event[i].name);
        zw_text_put(&e->out, ": ");
        zw_emit_comment(&e->out, zw_text_get(&line));
        zw_text_put(&e->out, "\n");
        e->out.failed |= line.failed;
        zw_text_clear(&line);
    }
}

static void put_counts(zw_emit *e) {
    zw_text_put(&e->out, " * Operations:");
    for (int i = 0; i < e->program.nfunction; i++)
        zw_text_printf(&e->out, "%s %s %d", i ? "," : "", e->program.code[i].name,
                       e->program.code[i].nops);
    zw_text_printf(&e->out, "; prepare %d (once per set of parameters).\n",
                   e->program.prepare.nops);
}

static const char CALLS[] =
    " *\n"
    " * An argument that a function does not read may be NULL: z of all but jac, obs, evt, act%s.\n"
    " * Matrices are row-major. C99 or C++17, needs libm only; compile with -ffp-contract=off to\n"
    " * get the bits that Zwang computes. */\n";

void zw_emit_head(zw_emit *e) {
    const zw_equations *eq = e->eq;
    zw_text *out = &e->out;
    zw_text_put(out, "/* ");
    zw_emit_comment(out, eq->sys->name);
    if (eq->sys->title && eq->sys->title[0]) {
        zw_text_put(out, ": ");
        zw_emit_comment(out, eq->sys->title);
    }
    zw_text_printf(out, "\n * Equations of motion by the principle '%s', made by Zwang.\n *\n",
                   eq->principle);
    zw_text_printf(out, " *   q' = qdot(t,q,v)              %3d coordinates q\n", eq->nq);
    zw_text_printf(out, " *   M v' = h + C lambda           %3d velocities v\n", eq->nv);
    zw_text_printf(out, " *   W v' = b                      %3d constraints\n *\n", eq->nc);
    put_layout(e);
    put_events(e);
    put_counts(e);
    zw_text_printf(out, CALLS, eq->nu ? "" : "; u");
}
