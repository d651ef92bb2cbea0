/* SPDX-License-Identifier: MIT */
/* The kernel as a separate C file: the functions of zwang/kernel.h for one lane, with the names of
 * the model in comments, and the values of its parameters, of its start and of its inputs. They
 * take plain arrays:
 *
 *     void zwang2_<model>_prepare(const double p[], double c[]);
 *     void zwang2_<model>_rhs(double t, const double x[], const double z[], const double u[],
 *                             const double c[], double out[]);
 *
 * 2 is the number of this interface; it changes when the meaning of an argument does. */
#include <ctype.h>

#include "base/arena.h"
#include "base/option.h"
#include "build.h"
#include "c_text.h"
#include "emit.h"
#include "zwang/kernel.h"

enum { INTERFACE = 2 };

/* the emitted functions */
static const zw_functions EMITTED = ZW_SET(RHS) | ZW_SET(MATS) | ZW_SET(JAC) | ZW_SET(POS) |
                                    ZW_SET(VEL) | ZW_SET(OBS) | ZW_SET(EVT) | ZW_SET(ACT) |
                                    ZW_SET(START_POS) | ZW_SET(START_VEL) | ZW_SET(METRIC);

/* the function of an output comment */
typedef struct output_of {
    const zw_emit *e;
    zw_function_name function;
} output_of;

static void comment_output(const void *ud, int i, zw_text *out) {
    const output_of *o = ud;
    zw_emit_output(out, o->e->eq, &o->e->sizes, o->function, i);
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

/* the arguments of every function except prepare, in declarations and in calls */
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
static void write_unused(zw_emit *e, const zw_code *code, bool prepare) {
    if (prepare && !zw_emit_reads(code, ZW_SPACE_P))
        zw_text_put(&e->out, "    (void)p;\n");
    for (int i = 0; !prepare && i < ARGUMENTS; i++)
        if (!zw_emit_reads(code, argument[i].space))
            zw_text_printf(&e->out, "    (void)%s;\n", argument[i].name);
    if (!code->nout)
        zw_text_printf(&e->out, "    (void)%s;\n", prepare ? "c" : "out");
}

static void write_about(zw_emit *e, const output_of *o, const zw_code *code) {
    if (!o) {
        zw_text_printf(&e->out, "/* The cache c, from the parameters; %d operations. */\n",
                       code->nops);
        return;
    }
    zw_function_info info = zw_kernel_describe(&e->sizes, o->function);
    zw_text_printf(&e->out, "/* %s; %d operations.\n", info.about, code->nops);
    zw_emit_outputs(&e->out, &info);
    zw_text_put(&e->out, " */\n");
}

/* "zwang2_model_rhs" and its arguments; o NULL: prepare */
static void write_function(zw_emit *e, const output_of *o, const zw_code *code) {
    bool prepare = !o;
    write_about(e, o, code);
    zw_text_printf(&e->out, "void %s_%s", e->prefix, code->name);
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

/* the matrices are written before the elimination that calls them */
static void write_functions(zw_emit *e) {
    for (int i = 0; i < e->program.nfunction; i++) {
        output_of o = {e, e->function[i]};
        write_function(e, &o, &e->program.code[i]);
        if (o.function == ZW_FN_MATS && !e->sizes.unrolled)
            zw_emit_solve(&e->out, e->eq, e->prefix);
    }
}

static void write_includes(zw_emit *e) {
    zw_text_put(&e->out, "#include <math.h>\n\n");
    if (e->options->header) {
        zw_text_put(&e->out, "#include \"");
        zw_emit_comment(&e->out, e->options->header);
        zw_text_put(&e->out, "\"\n\n");
    }
    zw_text_put(&e->out, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
}

static zw_status write_file(zw_emit *e, zw_error *err) {
    const zw_code *code[ZW_FN_COUNT + 4];
    int n = 0;
    for (int i = 0; i < e->program.nfunction; i++)
        code[n++] = &e->program.code[i];
    code[n++] = &e->program.prepare;
    for (int i = 0; i < e->values.program.nfunction; i++)
        code[n++] = &e->values.program.code[i];
    zw_emit_head(e);
    write_includes(e);
    zw_c_helpers(&e->out, n, code);
    ZW_TRY(zw_emit_values_write(e, err));
    write_function(e, NULL, &e->program.prepare);
    write_functions(e);
    zw_text_put(&e->out, "#ifdef __cplusplus\n}\n#endif\n");
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

static zw_status build_program(zw_emit *e, zw_error *err) {
    zw_kernel_options options = zw_kernel_options_default();
    int n = 0;
    zw_build_sizes(&e->sizes, e->eq);
    ZW_TRY(zw_build_program(&e->program, &e->sizes, e->eq, EMITTED, options.unroll_max,
                            &e->sizes.unrolled, err));
    for (int i = 0; i < ZW_FN_COUNT; i++)
        if (EMITTED >> i & 1 && !zw_build_is_empty(&e->sizes, (zw_function_name)i))
            e->function[n++] = (zw_function_name)i;
    ZW_TRY(zw_emit_values_build(&e->values, e->eq, &e->scratch, err));
    e->prefix = make_prefix(&e->scratch, e->eq->sys->name);
    return e->prefix ? ZW_OK : zw_out_of_memory(err, NULL);
}

static zw_status emit_files(zw_emit *e, char **c, char **header, zw_error *err) {
    ZW_TRY(build_program(e, err));
    if (header) {
        zw_text text;
        zw_text_init(&text, &e->out.alloc);
        bool ok = zw_emit_header(e, &text);
        *header = ok ? zw_text_take(&text) : NULL;
        zw_text_clear(&text);
        if (!*header)
            return zw_out_of_memory(err, NULL);
    }
    ZW_TRY(write_file(e, err));
    *c = zw_text_take(&e->out);
    return *c ? ZW_OK : zw_out_of_memory(err, NULL);
}

void zw_emit_options_init(zw_emit_options *options, size_t size) {
    const zw_emit_options all = {.size = size};
    zw_options_begin(options, size, &all, sizeof all);
}

zw_status zw_emit_files(const zw_equations *eq, const zw_emit_options *options, char **c,
                        char **header, zw_error *err) {
    zw_allocator alloc = zw_context_allocator(eq->sys->ctx);
    zw_emit_options own = zw_emit_options_default();
    zw_emit e = {.eq = eq, .options = &own, .sizes = {.lanes = 1}};
    *c = NULL;
    if (header)
        *header = NULL;
    if (options)
        ZW_TRY(zw_options_adopt(&own, sizeof own, options, "zw_emit_options", err));
    zw_arena_init(&e.scratch, &alloc);
    zw_text_init(&e.out, &alloc);
    zw_status status = emit_files(&e, c, header, err);
    if (status < 0 && header && *header) {
        zw_string_free(eq->sys->ctx, *header);
        *header = NULL;
    }
    zw_text_clear(&e.out);
    zw_arena_clear(&e.scratch);
    zw_program_clear(&e.program);
    if (e.values.eq)
        zw_program_clear(&e.values.program);
    return status;
}

char *zw_emit_c(const zw_equations *eq, zw_error *err) {
    char *text;
    return zw_emit_files(eq, NULL, &text, NULL, err) < 0 ? NULL : text;
}
