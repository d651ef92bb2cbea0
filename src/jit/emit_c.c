/* SPDX-License-Identifier: MIT */
/* The kernel as a C file of its own: the functions of zwang/kernel.h for one lane, with the names
 * of the model in comments. They take plain arrays:
 *
 *     void zwang1_<model>_prepare(const double p[], double c[]);
 *     void zwang1_<model>_rhs(double t, const double x[], const double z[], const double c[],
 *                             double out[]);
 *
 * 1 is the number of this interface; it changes when the meaning of an argument does. */
#include <ctype.h>
#include <string.h>

#include "build.h"
#include "c_text.h"
#include "mech/write/write.h"
#include "zwang/kernel.h"

enum { INTERFACE = 1 };

typedef struct emitter {
    const zw_equations *eq;
    zw_program program;
    zw_text out;
    zw_arena scratch;
    const char *identifier; /* the model's name as part of a C identifier */
    bool unrolled;
} emitter;

/* which function an output comment is about */
typedef struct output_of {
    const zw_equations *eq;
    zw_kernel_function function;
} output_of;

/* text that may stand in a comment */
static void put_comment(zw_text *out, const char *text) {
    for (const char *p = text; *p; p++)
        zw_text_put_n(out, p[0] == '*' && p[1] == '/' ? "+" : *p == '\n' ? " " : p, 1);
}

/* the velocities may be momenta or multipliers: those have no unit here */
static const char *state_name(const zw_equations *eq, int i) {
    return zw_expr_name(eq->sys->ctx, i < eq->nq ? eq->q[i] : eq->v[i - eq->nq]);
}

static const char *state_unit(const zw_equations *eq, int i) {
    const zw_system *sys = eq->sys;
    if (i < eq->nq)
        return sys->coord[i].unit;
    i -= eq->nq;
    return i < sys->nv && eq->v[i] == sys->velocity[i].sym ? sys->velocity[i].unit : "";
}

static const char *constraint_name(const zw_equations *eq, int k) {
    return eq->sys->constraint[eq->constraint[k]].name;
}

/* entry (i / columns, i % columns) of a named matrix, or i of a vector if columns is 0 */
static void put_entry(zw_text *out, const char *matrix, int i, int columns) {
    if (columns)
        zw_text_printf(out, "%s[%d][%d]", matrix, i / columns, i % columns);
    else
        zw_text_printf(out, "%s[%d]", matrix, i);
}

typedef struct part {
    const char *name;
    int rows, columns; /* columns 0: a vector */
} part;

/* the part that output i belongs to, i reduced to its index there */
static void put_part(zw_text *out, const part *p, int n, int i) {
    for (int k = 0; k < n; k++) {
        int size = p[k].rows * (p[k].columns ? p[k].columns : 1);
        if (i < size) {
            put_entry(out, p[k].name, i, p[k].columns);
            return;
        }
        i -= size;
    }
}

static void comment_rhs(const zw_equations *eq, int i, zw_text *out) {
    if (i < eq->nq + eq->nv) {
        put_comment(out, state_name(eq, i));
        zw_text_put(out, "'");
    } else if (i < eq->nq + eq->nv + eq->nc) {
        zw_text_put(out, "lambda(");
        put_comment(out, constraint_name(eq, i - eq->nq - eq->nv));
        zw_text_put(out, ")");
    } else {
        zw_text_put(out, "smallest relative pivot");
    }
}

static void comment_obs(const zw_equations *eq, int i, zw_text *out) {
    const zw_system *sys = eq->sys;
    int velocity = i - eq->nobservable, nvelocity = eq->system_v ? sys->nv : 0;
    if (velocity >= nvelocity) {
        zw_text_put(out, velocity == nvelocity ? "kinetic energy" : "potential energy");
        return;
    }
    if (velocity >= 0) {
        put_comment(out, sys->velocity[velocity].name);
        return;
    }
    put_comment(out, sys->observable[i].name);
    if (sys->observable[i].unit[0])
        zw_text_printf(out, " [%s]", sys->observable[i].unit);
}

/* the i-th value that an event sets: "bounce sets y'" */
static void comment_act(const zw_equations *eq, int i, zw_text *out) {
    const zw_system *sys = eq->sys;
    for (int e = 0; e < eq->nevent; e++)
        for (int k = 0; k < sys->event[e].naction; k++) {
            const zw_action *a = &sys->event[e].action[k];
            if (a->kind != ZW_ACTION_SET || i-- > 0)
                continue;
            put_comment(out, sys->event[e].name);
            zw_text_put(out, " sets ");
            put_comment(out, zw_expr_name(sys->ctx, a->what));
            return;
        }
}

static void comment_output(const void *ud, int i, zw_text *out) {
    const output_of *o = ud;
    const zw_equations *eq = o->eq;
    int nv = eq->nv, nc = eq->nc, nx = eq->nq + nv;
    switch (o->function) {
    case ZW_FN_RHS:
        comment_rhs(eq, i, out);
        break;
    case ZW_FN_MATS:
        put_part(out,
                 (part[]){{"M", nv, nv},
                          {"h", nv, 0},
                          {"C", nv, nc},
                          {"W", nc, nv},
                          {"b", nc, 0},
                          {"qdot", eq->nq, 0}},
                 6, i);
        break;
    case ZW_FN_JAC:
        put_part(out, (part[]){{"dqdot/dx", eq->nq, nx}, {"dr/dx", nv + nc, nx}}, 2, i);
        break;
    case ZW_FN_POS:
        put_part(out, (part[]){{"phi", eq->npos, 0}, {"Phi", eq->npos, nv}, {"F", eq->nq, nv}}, 3,
                 i);
        break;
    case ZW_FN_VEL:
        put_part(out, (part[]){{"psi", eq->nvel, 0}, {"Psi", eq->nvel, nv}}, 2, i);
        break;
    case ZW_FN_START_POS:
        put_part(out,
                 (part[]){{"phi", eq->npos + eq->nstart_pos, 0},
                          {"Phi", eq->npos + eq->nstart_pos, nv},
                          {"F", eq->nq, nv}},
                 3, i);
        break;
    case ZW_FN_START_VEL:
        put_part(
            out,
            (part[]){{"psi", eq->nvel + eq->nstart_vel, 0}, {"Psi", eq->nvel + eq->nstart_vel, nv}},
            2, i);
        break;
    case ZW_FN_METRIC:
        put_part(out, (part[]){{"M", nv, nv}}, 1, i);
        break;
    case ZW_FN_OBS:
        comment_obs(eq, i, out);
        break;
    case ZW_FN_EVT:
        put_comment(out, eq->sys->event[i].name);
        break;
    case ZW_FN_ACT:
        comment_act(eq, i, out);
        break;
    case ZW_FN_POWER: /* left out */
    case ZW_FN_DAE:
        break;
    case ZW_FN_COUNT:
        zw_text_printf(out, "c[%d]", i);
        break;
    }
}

static void put_symbol(zw_text *out, const char *array, int i, const char *name, const char *unit) {
    zw_text_printf(out, " *   %s[%d] = ", array, i);
    put_comment(out, name);
    if (unit && unit[0])
        zw_text_printf(out, " [%s]", unit);
    zw_text_put(out, "\n");
}

static void write_layout(emitter *e) {
    const zw_equations *eq = e->eq;
    const zw_system *sys = eq->sys;
    zw_text *out = &e->out;
    zw_text_printf(out, " * Parameters p (%d), given to prepare, which fills the cache c (%d):\n",
                   sys->np, e->program.prepare.nout);
    for (int i = 0; i < sys->np; i++)
        put_symbol(out, "p", i, sys->param[i].name, sys->param[i].unit);
    zw_text_printf(out, " * State x (%d):\n", eq->nq + eq->nv);
    for (int i = 0; i < eq->nq + eq->nv; i++)
        put_symbol(out, "x", i, state_name(eq, i), state_unit(eq, i));
    zw_text_printf(out,
                   " * Accelerations and multipliers z (%d), inputs of jac, obs, evt,"
                   " act:\n",
                   eq->nv + eq->nc);
    for (int i = 0; i < eq->nv + eq->nc; i++) {
        zw_text_printf(out, " *   z[%d] = ", i);
        comment_rhs(eq, eq->nq + i, out);
        zw_text_put(out, "\n");
    }
}

/* when the events come and what the caller then has to do */
static void write_events(emitter *e) {
    const zw_system *sys = e->eq->sys;
    zw_text line;
    if (e->eq->nevent)
        zw_text_put(&e->out, " * Events, zeros of evt (1 for those that come by the clock):\n");
    for (int i = 0; i < e->eq->nevent; i++) {
        zw_text_init(&line, &e->out.alloc);
        zw_event_text(&line, sys, &sys->event[i]);
        zw_text_printf(&e->out, " *   evt[%d] = ", i);
        put_comment(&e->out, sys->event[i].name);
        zw_text_put(&e->out, ": ");
        put_comment(&e->out, zw_text_get(&line));
        zw_text_put(&e->out, "\n");
        e->out.failed |= line.failed;
        zw_text_clear(&line);
    }
}

static void write_counts(emitter *e) {
    zw_text_put(&e->out, " * Operations:");
    for (int i = 0; i < ZW_FN_DAE; i++)
        zw_text_printf(&e->out, "%s %s %d", i ? "," : "", e->program.code[i].name,
                       e->program.code[i].nops);
    zw_text_printf(&e->out, "; prepare %d (once per set of parameters).\n",
                   e->program.prepare.nops);
}

static void write_head(emitter *e) {
    const zw_equations *eq = e->eq;
    zw_text *out = &e->out;
    zw_text_put(out, "/* ");
    put_comment(out, eq->sys->name);
    if (eq->sys->title && eq->sys->title[0]) {
        zw_text_put(out, ": ");
        put_comment(out, eq->sys->title);
    }
    zw_text_printf(out, "\n * Equations of motion by the principle '%s', made by Zwang.\n *\n",
                   eq->principle);
    zw_text_printf(out, " *   q' = qdot(t,q,v)              %3d coordinates q\n", eq->nq);
    zw_text_printf(out, " *   M v' = h + C lambda           %3d velocities v\n", eq->nv);
    zw_text_printf(out, " *   W v' = b                      %3d constraints\n *\n", eq->nc);
    write_layout(e);
    write_events(e);
    write_counts(e);
    zw_text_put(
        out, " *\n * Matrices are row-major. C11, needs libm only; compile with -ffp-contract=off"
             " to get\n * the bits that Zwang computes. */\n#include <math.h>\n\n");
}

static bool uses_space(const zw_code *code, zw_space space) {
    for (int i = 0; i < code->ninstruction; i++) {
        const zw_instruction *in = &code->instruction[i];
        zw_operand o[3] = {in->a, in->b, in->c};
        for (int k = 0; k < zw_code_arity((zw_opcode)in->op); k++)
            if (zw_operand_space(o[k]) == space)
                return true;
    }
    return false;
}

/* compilers warn of parameters that are not used */
static void write_unused(emitter *e, const zw_code *code, bool prepare) {
    static const struct {
        zw_space space;
        const char *name;
    } input[] = {{ZW_SPACE_T, "t"}, {ZW_SPACE_X, "x"}, {ZW_SPACE_Z, "z"}, {ZW_SPACE_CACHE, "c"}};
    if (prepare && !uses_space(code, ZW_SPACE_X))
        zw_text_put(&e->out, "    (void)p;\n");
    for (int i = 0; !prepare && i < 4; i++)
        if (!uses_space(code, input[i].space))
            zw_text_printf(&e->out, "    (void)%s;\n", input[i].name);
    if (!code->nout)
        zw_text_printf(&e->out, "    (void)%s;\n", prepare ? "c" : "out");
}

/* "zwang1_model_rhs" and its arguments */
static void write_function(emitter *e, zw_kernel_function k, const zw_code *code) {
    bool prepare = k == ZW_FN_COUNT;
    zw_text_printf(&e->out, "/* %d operations */\nvoid zwang%d_%s_%s", code->nops, INTERFACE,
                   e->identifier, code->name);
    zw_text_put(&e->out, prepare ? "(const double p[], double c[]) {\n"
                                 : "(double t, const double x[], const double z[], const double "
                                   "c[],\n                  double out[]) {\n");
    write_unused(e, code, prepare);
    output_of o = {e->eq, k};
    zw_c_names names = {.output = prepare ? NULL : comment_output, .ud = &o};
    names.space[ZW_SPACE_OUT] = prepare ? "c" : "out";
    names.space[ZW_SPACE_T] = "t";
    names.space[ZW_SPACE_X] = prepare ? "p" : "x";
    names.space[ZW_SPACE_Z] = "z";
    names.space[ZW_SPACE_CACHE] = "c";
    if (!zw_c_body(&e->out, code, &names, &e->scratch))
        e->out.failed = true;
    zw_text_put(&e->out, "}\n\n");
}

static void write_file(emitter *e) {
    const zw_code *code[ZW_FN_COUNT + 1];
    for (int i = 0; i < ZW_FN_COUNT; i++)
        code[i] = &e->program.code[i];
    code[ZW_FN_COUNT] = &e->program.prepare;
    write_head(e);
    zw_c_helpers(&e->out, ZW_FN_COUNT + 1, code);
    write_function(e, ZW_FN_COUNT, code[ZW_FN_COUNT]);
    for (int i = 0; i < ZW_FN_COUNT; i++) {
        if (i >= ZW_FN_ACT && code[i]->nout == 0)
            continue;
        if (i != ZW_FN_RHS || e->unrolled)
            write_function(e, (zw_kernel_function)i, code[i]);
        else
            zw_text_put(&e->out,
                        "/* No rhs: the system is large or its mass matrix singular; solve "
                        "with the matrices\n * of mats. */\n\n");
    }
}

static const char *make_identifier(zw_arena *arena, const char *name) {
    char *s = zw_arena_string(arena, name && name[0] ? name : "model");
    for (char *p = s; p && *p; p++)
        if (!isalnum((unsigned char)*p) || (unsigned char)*p > 127)
            *p = '_';
    return s;
}

char *zw_emit_c(const zw_equations *eq, zw_error *err) {
    zw_allocator alloc = zw_context_allocator(eq->sys->ctx);
    zw_kernel_options options = zw_kernel_options_default();
    emitter e = {.eq = eq};
    char *text = NULL;
    zw_arena_init(&e.scratch, &alloc);
    zw_text_init(&e.out, &alloc);
    zw_status status =
        zw_build_program(&e.program, eq, (int)options.unroll_max, false, false, &e.unrolled, err);
    e.identifier = make_identifier(&e.scratch, eq->sys->name);
    if (status == ZW_OK && e.identifier) {
        write_file(&e);
        text = zw_text_take(&e.out);
    }
    if (status == ZW_OK && !text)
        zw_fail(err, ZW_E_MEMORY, "out of memory");
    zw_text_clear(&e.out);
    zw_arena_clear(&e.scratch);
    zw_program_clear(&e.program);
    return text;
}
