/* SPDX-License-Identifier: MIT */
/* The kernel as a C file of its own: the functions of zwang/kernel.h for one lane, with the names
 * of the model in comments, and the values of its parameters and of its start. They take plain arrays:
 *
 *     void zwang2_<model>_prepare(const double p[], double c[]);
 *     void zwang2_<model>_rhs(double t, const double x[], const double z[], const double u[],
 *                             const double c[], double out[]);
 *
 * 2 is the number of this interface; it changes when the meaning of an argument does. */
#include <ctype.h>
#include <string.h>

#include "build.h"
#include "c_text.h"
#include "emit.h"
#include "mech/write/write.h"
#include "zwang/kernel.h"

enum { INTERFACE = 2 };

typedef struct emitter {
    const zw_equations *eq;
    zw_kernel sizes; /* no more than that */
    zw_program program;
    zw_emit_values values;
    zw_text out;
    zw_arena scratch;
    const char *prefix; /* of all functions: the interface and the model's name */
} emitter;

/* what is emitted */
static const zw_functions EMITTED = ZW_SET(RHS) | ZW_SET(MATS) | ZW_SET(JAC) | ZW_SET(POS) |
                                    ZW_SET(VEL) | ZW_SET(OBS) | ZW_SET(EVT) | ZW_SET(ACT) |
                                    ZW_SET(START_POS) | ZW_SET(START_VEL) | ZW_SET(METRIC);

/* which function an output comment is about */
typedef struct output_of {
    const zw_equations *eq;
    zw_function_name function;
    zw_function_info info;
} output_of;

/* text that may stand in a comment */
void zw_emit_comment(zw_text *out, const char *text) {
    for (const char *p = text; *p; p++)
        zw_text_put_n(out, p[0] == '*' && p[1] == '/' ? "+" : *p == '\n' ? " " : p, 1);
}

/* the velocities may be momenta or multipliers: those have no unit here */
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

static const char *constraint_name(const zw_equations *eq, int k) {
    return eq->sys->constraint[eq->constraint[k]].name;
}

/* dr_dx is written dr/dx */
static void put_part_name(zw_text *out, const char *name) {
    for (const char *p = name; *p; p++)
        zw_text_put_n(out, *name == 'd' && p[0] == '_' && p[1] == 'd' ? "/" : p, 1);
}

/* output i of a function by its part */
static void put_part(zw_text *out, const zw_function_info *info, int i) {
    for (int k = 0; k < info->nparts; k++) {
        const zw_part *p = &info->part[k];
        int size = p->rows * (p->columns ? p->columns : 1);
        if (i < size) {
            put_part_name(out, p->name);
            if (p->columns)
                zw_text_printf(out, "[%d][%d]", i / p->columns, i % p->columns);
            else
                zw_text_printf(out, "[%d]", i);
            return;
        }
        i -= size;
    }
}

static void comment_rhs(const zw_equations *eq, int i, zw_text *out) {
    if (i < eq->nq + eq->nv) {
        zw_emit_comment(out, zw_emit_state_name(eq, i));
        zw_text_put(out, "'");
    } else if (i < eq->nq + eq->nv + eq->nc) {
        zw_text_put(out, "lambda(");
        zw_emit_comment(out, constraint_name(eq, i - eq->nq - eq->nv));
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
        zw_emit_comment(out, sys->velocity[velocity].name);
        return;
    }
    zw_emit_comment(out, sys->observable[i].name);
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
            zw_emit_comment(out, sys->event[e].name);
            zw_text_put(out, " sets ");
            zw_emit_comment(out, zw_expr_name(sys->ctx, a->what));
            return;
        }
}

static void comment_output(const void *ud, int i, zw_text *out) {
    const output_of *o = ud;
    switch (o->function) {
    case ZW_FN_RHS:
        comment_rhs(o->eq, i, out);
        break;
    case ZW_FN_OBS:
        comment_obs(o->eq, i, out);
        break;
    case ZW_FN_EVT:
        zw_emit_comment(out, o->eq->sys->event[i].name);
        break;
    case ZW_FN_ACT:
        comment_act(o->eq, i, out);
        break;
    default:
        put_part(out, &o->info, i);
    }
}

static void put_symbol(zw_text *out, const char *array, int i, const char *name, const char *unit) {
    zw_text_printf(out, " *   %s[%d] = ", array, i);
    zw_emit_comment(out, name);
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
        put_symbol(out, "x", i, zw_emit_state_name(eq, i), zw_emit_state_unit(eq, i));
    zw_text_printf(out,
                   " * Accelerations and multipliers z (%d), inputs of jac, obs, evt,"
                   " act:\n",
                   eq->nv + eq->nc);
    for (int i = 0; i < eq->nv + eq->nc; i++) {
        zw_text_printf(out, " *   z[%d] = ", i);
        comment_rhs(eq, eq->nq + i, out);
        zw_text_put(out, "\n");
    }
    if (eq->nu)
        zw_text_printf(out, " * External inputs u (%d):\n", eq->nu);
    for (int i = 0; i < eq->nu; i++)
        put_symbol(out, "u", i, zw_expr_name(sys->ctx, eq->u[i]), NULL);
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
        zw_emit_comment(&e->out, sys->event[i].name);
        zw_text_put(&e->out, ": ");
        zw_emit_comment(&e->out, zw_text_get(&line));
        zw_text_put(&e->out, "\n");
        e->out.failed |= line.failed;
        zw_text_clear(&line);
    }
}

static void write_counts(emitter *e) {
    zw_text_put(&e->out, " * Operations:");
    for (int i = 0; i < e->program.nfunction; i++)
        zw_text_printf(&e->out, "%s %s %d", i ? "," : "", e->program.code[i].name,
                       e->program.code[i].nops);
    zw_text_printf(&e->out, "; prepare %d (once per set of parameters).\n",
                   e->program.prepare.nops);
}

static void write_head(emitter *e) {
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
    write_layout(e);
    write_events(e);
    write_counts(e);
    zw_text_put(
        out, " *\n * Matrices are row-major. C11, needs libm only; compile with -ffp-contract=off"
             " to get\n * the bits that Zwang computes. */\n#include <math.h>\n\n");
}

bool zw_emit_reads(const zw_code *code, zw_space space) {
    for (int i = 0; i < code->ninstruction; i++) {
        const zw_instruction *in = &code->instruction[i];
        zw_operand o[3] = {in->a, in->b, in->c};
        for (int k = 0; k < zw_code_arity((zw_opcode)in->op); k++)
            if (zw_operand_space(o[k]) == space)
                return true;
    }
    return false;
}

/* the arguments of every function but prepare, as they are declared and as they are called */
static const struct {
    zw_space space;
    const char *name;
} argument[] = {{ZW_SPACE_T, "t"},
                {ZW_SPACE_X, "x"},
                {ZW_SPACE_Z, "z"},
                {ZW_SPACE_U, "u"},
                {ZW_SPACE_CACHE, "c"}};
enum { ARGUMENTS = sizeof argument / sizeof *argument };

/* compilers warn of parameters that are not used */
static void write_unused(emitter *e, const zw_code *code, bool prepare) {
    if (prepare && !zw_emit_reads(code, ZW_SPACE_P))
        zw_text_put(&e->out, "    (void)p;\n");
    for (int i = 0; !prepare && i < ARGUMENTS; i++)
        if (!zw_emit_reads(code, argument[i].space))
            zw_text_printf(&e->out, "    (void)%s;\n", argument[i].name);
    if (!code->nout)
        zw_text_printf(&e->out, "    (void)%s;\n", prepare ? "c" : "out");
}

/* "zwang2_model_rhs" and its arguments; o NULL: prepare */
static void write_function(emitter *e, const output_of *o, const zw_code *code) {
    bool prepare = !o;
    zw_text_printf(&e->out, "/* %d operations */\nvoid %s_%s", code->nops, e->prefix, code->name);
    zw_text_put(&e->out, prepare ? "(const double p[], double c[]) {\n"
                                 : "(double t, const double x[], const double z[], const double "
                                   "u[],\n                  const double c[], double out[]) {\n");
    write_unused(e, code, prepare);
    zw_c_names names = {.output = prepare ? NULL : comment_output, .ud = o};
    names.space[ZW_SPACE_OUT] = prepare ? "c" : "out";
    names.space[ZW_SPACE_P] = "p";
    for (int i = 0; i < ARGUMENTS; i++)
        names.space[argument[i].space] = argument[i].name;
    if (!zw_c_body(&e->out, code, &names, &e->scratch))
        e->out.failed = true;
    zw_text_put(&e->out, "}\n\n");
}

static void write_functions(emitter *e) {
    const zw_code *code = e->program.code;
    for (int i = 0; i < ZW_FN_COUNT; i++) {
        output_of o = {.eq = e->eq, .function = (zw_function_name)i};
        if (!(EMITTED >> i & 1))
            continue;
        o.info = zw_kernel_describe(&e->sizes, o.function);
        if (!zw_build_is_empty(&e->sizes, o.function))
            write_function(e, &o, code++);
        if (o.function == ZW_FN_MATS && !e->sizes.unrolled)
            zw_emit_solve(&e->out, e->eq, e->prefix);
    }
}

static zw_status write_file(emitter *e, zw_error *err) {
    const zw_code *code[ZW_FN_COUNT + 3];
    int n = 0;
    for (int i = 0; i < e->program.nfunction; i++)
        code[n++] = &e->program.code[i];
    code[n++] = &e->program.prepare;
    for (int i = 0; i < e->values.program.nfunction; i++)
        code[n++] = &e->values.program.code[i];
    write_head(e);
    zw_c_helpers(&e->out, n, code);
    ZW_TRY(zw_emit_values_write(&e->values, &e->out, e->prefix, &e->scratch, err));
    write_function(e, NULL, &e->program.prepare);
    write_functions(e);
    return ZW_OK;
}

/* "zwang2_" and the model's name as part of a C identifier */
static const char *make_prefix(zw_arena *arena, const char *name) {
    char *s = zw_arena_printf(arena, "zwang%d_%s", INTERFACE, name && name[0] ? name : "model");
    for (char *p = s; p && *p; p++)
        if (!isalnum((unsigned char)*p) || (unsigned char)*p > 127)
            *p = '_';
    return s;
}

static zw_status emit(emitter *e, zw_error *err) {
    zw_kernel_options options = zw_kernel_options_default();
    zw_build_sizes(&e->sizes, e->eq);
    ZW_TRY(zw_build_program(&e->program, &e->sizes, e->eq, EMITTED, options.unroll_max,
                            &e->sizes.unrolled, err));
    ZW_TRY(zw_emit_values_build(&e->values, e->eq, &e->scratch, err));
    e->prefix = make_prefix(&e->scratch, e->eq->sys->name);
    if (!e->prefix)
        return zw_fail(err, ZW_E_MEMORY, "out of memory");
    return write_file(e, err);
}

char *zw_emit_c(const zw_equations *eq, zw_error *err) {
    zw_allocator alloc = zw_context_allocator(eq->sys->ctx);
    emitter e = {.eq = eq, .sizes = {.lanes = 1}};
    char *text = NULL;
    zw_arena_init(&e.scratch, &alloc);
    zw_text_init(&e.out, &alloc);
    if (emit(&e, err) == ZW_OK) {
        text = zw_text_take(&e.out);
        if (!text)
            zw_fail(err, ZW_E_MEMORY, "out of memory");
    }
    zw_text_clear(&e.out);
    zw_arena_clear(&e.scratch);
    zw_program_clear(&e.program);
    if (e.values.eq)
        zw_program_clear(&e.values.program);
    return text;
}
