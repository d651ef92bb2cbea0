/* SPDX-License-Identifier: MIT */
/* The kernel: programs with their functions bound to a back end. Functions that are requested
 * together are one batch: lowered together, with their own part of the cache.
 *
 * A batch starts on the interpreter; when the time spent there has reached the estimated time of
 * compiling, it is compiled: then the total time is at most twice that of the best choice in
 * hindsight (the ski rental problem). */
#include "zwang/kernel.h"

#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/radau.h"
#include "build.h"
#include "contact_rows.h"
#include "interp.h"
#include "interval.h"
#include "native.h"
#include "output_kinds.h"

/* [s]; one operation of the interpreter, measured by bench/jit_eval.c */
#define INTERPRETER_OPERATION 1.2e-9

enum { JOBS_MAX = ZW_FN_COUNT + 1 };

typedef struct batch batch;
struct batch {
    zw_program program;
    zw_work_counter counter;
    zw_native *native;
    double compile_time; /* [s]; estimate */
    bool refused;        /* compiling has failed and is not tried again */
    int njob;            /* number of its functions with code, and prepare */
    zw_native_job job[JOBS_MAX];
    zw_preparation *prepare;
    batch *next;
};

struct zw_kernel_code {
    zw_arena arena;
    zw_equations eq; /* its arrays are in the context */
    zw_kernel_options options;
    batch *batches;
    zw_preparation *last; /* last entry of the list that begins in the kernel */
};

/* one block of memory, released at once */
typedef struct kernel_block {
    zw_kernel kernel;
    struct zw_kernel_code code;
} kernel_block;

/* ------------------------------------------------------------------------- options */

void zw_kernel_options_init(zw_kernel_options *options, size_t size) {
    zw_kernel_options all = {.size = size,
                             .lanes = 1,
                             .jit = ZW_JIT_WHEN_IT_PAYS,
                             .unroll_max = 12,
                             .functions = ZW_FUNCTIONS_ALL_METHODS,
                             .nparameter = -1};
    zw_options_begin(options, size, &all, sizeof all);
}

static zw_status check_options(const zw_kernel_options *o, const zw_equations *eq, zw_error *err) {
    if (o->lanes != 1 && o->lanes != 4 && o->lanes != 8)
        return zw_fail(err, ZW_E_OPTION, "lanes = %d: it must be 1, 4 or 8", o->lanes);
    if ((int)o->jit < ZW_JIT_NEVER || o->jit > ZW_JIT_AT_ONCE)
        return zw_fail(err, ZW_E_OPTION, "jit = %d is none of zw_jit", (int)o->jit);
    if (o->unroll_max < 0 || o->unroll_max > 64)
        return zw_fail(err, ZW_E_OPTION, "unroll_max = %d: it must be 0 to 64", o->unroll_max);
    if (o->functions >> ZW_FN_COUNT)
        return zw_fail(err, ZW_E_OPTION, "functions: there are no such functions");
    if (o->nparameter < -1)
        return zw_fail(err, ZW_E_OPTION, "nparameter = %d: it must be -1 (all) or a number of them",
                       o->nparameter);
    if (o->nparameter > 0 && !o->parameter)
        return zw_fail(err, ZW_E_OPTION, "nparameter = %d, but parameter is NULL", o->nparameter);
    for (int i = 0; i < o->nparameter; i++)
        if (o->parameter[i] < 0 || o->parameter[i] >= eq->sys->np)
            return zw_fail(err, ZW_E_OPTION, "there is no parameter %d: the system has %d",
                           o->parameter[i], eq->sys->np);
    return ZW_OK;
}

/* ------------------------------------------------------------------------- batches */

static int larger_int(int a, int b) {
    return a > b ? a : b;
}

/* binds code to a function: by the interpreter, and in the list for compiling */
static zw_status bind_function(zw_kernel *k, batch *b, zw_func *f, const zw_code *code, bool hot,
                               zw_error *err) {
    if (zw_interp_func(f, code, k->lanes, &b->counter, &k->code->arena) < 0)
        return zw_out_of_memory(err, NULL);
    b->job[b->njob++] = (zw_native_job){.code = code, .func = f, .hot = hot};
    k->nwork = larger_int(k->nwork, f->nwork * k->lanes);
    k->nout = larger_int(k->nout, f->nout * k->lanes);
    return ZW_OK;
}

/* binds the bounds of a function, if they are requested */
static zw_status bind_bounds(zw_kernel *k, zw_function_name name, const zw_code *code,
                             zw_error *err) {
    zw_bound_func *f = name == ZW_FN_EVT        ? &k->evt_bound
                       : name == ZW_FN_SURFACE  ? &k->surface_bound
                       : name == ZW_FN_SWITCHES ? &k->switches_bound
                                                : NULL;
    if (!f || k->lanes != 1)
        return ZW_OK;
    return zw_interval_func(f, code, &k->code->arena) < 0 ? zw_out_of_memory(err, NULL) : ZW_OK;
}

/* is the function called in every step, so that better code pays? */
static bool is_hot(const zw_kernel *k, zw_function_name name) {
    return name == (k->unrolled ? ZW_FN_RHS : ZW_FN_MATS) ||
           name == (k->hits ? ZW_FN_HIT : ZW_FN_STEP);
}

/* what the outputs of a function depend on */
static zw_status find_kinds(zw_kernel *k, zw_function_name name, const zw_code *code,
                            zw_error *err) {
    unsigned char *kind = ZW_NEW(&k->code->arena, unsigned char, code->nout + 1);
    zw_arena_mark mark = zw_arena_mark_now(&k->code->arena);
    unsigned char *work = ZW_NEW(&k->code->arena, unsigned char, code->nwork + 1);
    if (!kind || !work)
        return zw_out_of_memory(err, NULL);
    zw_code_kinds(code, kind, work);
    zw_arena_release(&k->code->arena, mark);
    k->kind[name] = kind;
    return ZW_OK;
}

static zw_status bind_functions(zw_kernel *k, batch *b, zw_functions wanted, zw_error *err) {
    const zw_code *code = b->program.code;
    for (int i = 0; i < ZW_FN_COUNT; i++) {
        zw_function_name name = (zw_function_name)i;
        if (!(wanted >> i & 1))
            continue;
        if (zw_build_is_empty(k, name))
            k->fn[i] = (zw_func){.nout = name == ZW_FN_RHS ? zw_kernel_describe(k, name).size : 0};
        else {
            ZW_TRY(bind_bounds(k, name, code, err));
            ZW_TRY(find_kinds(k, name, code, err));
            ZW_TRY(bind_function(k, b, &k->fn[i], code++, is_hot(k, name), err));
        }
        k->nout = larger_int(k->nout, k->fn[i].nout * k->lanes);
    }
    return ZW_OK;
}

/* binds the code that fills the batch's part of the cache */
static zw_status bind_prepare(zw_kernel *k, batch *b, zw_error *err) {
    b->prepare->first = k->ncache;
    ZW_TRY(bind_function(k, b, &b->prepare->func, &b->program.prepare, false, err));
    b->compile_time = zw_native_compile_time(b->njob, b->job);
    k->ncache += b->prepare->func.nout;
    return ZW_OK;
}

static batch *new_batch(struct zw_kernel_code *c, zw_kernel *k) {
    batch *b = ZW_NEW(&c->arena, batch, 1), **end = &c->batches;
    if (!b)
        return NULL;
    b->prepare = c->last ? ZW_NEW(&c->arena, zw_preparation, 1) : &k->prepare;
    if (!b->prepare)
        return NULL;
    while (*end)
        end = &(*end)->next;
    *end = b;
    return b;
}

static zw_status count_powers(zw_kernel *k, zw_error *err) {
    zw_power *power;
    return zw_equations_powers(&k->code->eq, &power, &k->npower, err);
}

static zw_status count_fields(zw_kernel *k, zw_error *err) {
    zw_displacement *field;
    ZW_TRY(zw_equations_displacements(&k->code->eq, &field, &k->nfield, err));
    bool *own = ZW_NEW(&k->code->arena, bool, k->nfield + 1);
    if (!own)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < k->nfield; i++)
        own[i] = field[i].own;
    k->field_own = own;
    return ZW_OK;
}

/* removes a batch that has failed: the kernel is as before */
static void drop_batch(zw_kernel *k, batch *b, zw_functions wanted) {
    batch **at = &k->code->batches;
    while (*at != b)
        at = &(*at)->next;
    *at = NULL; /* it is the last batch */
    for (int i = 0; i < ZW_FN_COUNT; i++)
        if (wanted >> i & 1) {
            k->fn[i] = (zw_func){0};
            k->kind[i] = NULL;
        }
    if (wanted & ZW_SET(EVT))
        k->evt_bound = (zw_bound_func){0};
    if (wanted & ZW_SET(SURFACE))
        k->surface_bound = (zw_bound_func){0};
    if (wanted & ZW_SET(SWITCHES))
        k->switches_bound = (zw_bound_func){0};
    if (b->program.ctx)
        zw_program_clear(&b->program);
    *b->prepare = (zw_preparation){0};
}

static zw_status fill_batch(zw_kernel *k, batch *b, zw_functions wanted, zw_error *err) {
    struct zw_kernel_code *c = k->code;
    if (wanted & ZW_SET(POWER))
        ZW_TRY(count_powers(k, err));
    if (wanted & (ZW_SET(FIELD) | ZW_SET(FIELD_FIRST) | ZW_SET(FIELD_SECOND) | ZW_SET(FIELD_THIRD)))
        ZW_TRY(count_fields(k, err));
    if (wanted & ZW_SET(SURFACE))
        ZW_TRY(zw_build_count_surfaces(&c->eq, &k->nsurface, err));
    ZW_TRY(
        zw_build_program(&b->program, k, &c->eq, wanted, c->options.unroll_max, &k->unrolled, err));
    ZW_TRY(bind_functions(k, b, wanted, err));
    return bind_prepare(k, b, err);
}

static zw_status add_batch(zw_kernel *k, zw_functions wanted, zw_error *err) {
    struct zw_kernel_code *c = k->code;
    batch *b = new_batch(c, k);
    if (!b)
        return zw_out_of_memory(err, NULL);
    bool unrolled = k->unrolled;
    zw_status status = fill_batch(k, b, wanted, err);
    if (status < 0) {
        drop_batch(k, b, wanted);
        k->unrolled = unrolled;
        return status;
    }
    if (c->last)
        c->last->next = b->prepare;
    c->last = b->prepare;
    k->functions |= wanted;
    k->native = false;
    k->version++;
    return ZW_OK;
}

zw_status zw_kernel_require(zw_kernel *k, zw_functions functions, zw_error *err) {
    zw_functions missing = functions & ~k->functions;
    if (functions >> ZW_FN_COUNT)
        return zw_fail(err, ZW_E_OPTION, "there are no such functions");
    if (!missing)
        return ZW_OK;
    bool native = k->native;
    ZW_TRY(add_batch(k, missing, err));
    return native || k->code->options.jit == ZW_JIT_AT_ONCE ? zw_kernel_compile(k, err) : ZW_OK;
}

/* ------------------------------------------------------------------------- lifecycle */

/* the row of r that is a constraint on the level of accelerations, -1 if the principle has none */
static int row_of_constraint(const zw_equations *eq, int constraint) {
    for (int r = 0; eq->row_constraint && r < eq->nv; r++)
        if (eq->row_constraint[r] == constraint)
            return r;
    for (int c = 0; c < eq->nc; c++)
        if (eq->constraint[c] == constraint)
            return eq->nv + c;
    return -1;
}

/* the constraint of row i of phi */
static int position_constraint(const zw_equations *eq, int i) {
    int index = eq->pos_constraint[i];
    if (index > -2)
        return index;
    return eq->sys->integral[-2 - index].follows < 0 ? index
                                                     : eq->sys->integral[-2 - index].follows;
}

static zw_status copy_delays(zw_kernel *k, const zw_system *sys, zw_error *err) {
    zw_delay_line *line = ZW_NEW(&k->code->arena, zw_delay_line, k->ndelay + 1);
    if (!line)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < k->ndelay; i++) {
        double *tail = ZW_NEW(&k->code->arena, double, sys->delay[i].nodes + 1);
        if (!tail)
            return zw_out_of_memory(err, NULL);
        zw_radau_tail(sys->delay[i].nodes, tail);
        line[i] = (zw_delay_line){sys->delay[i].first, sys->delay[i].nodes, tail};
    }
    k->delay = line;
    return ZW_OK;
}

static zw_status copy_tables(zw_kernel *k, const zw_equations *eq, zw_error *err) {
    const zw_system *sys = eq->sys;
    int *unit = ZW_NEW(&k->code->arena, int, k->nunit + 1);
    int *direction = ZW_NEW(&k->code->arena, int, k->nevt + 1);
    bool *stop = ZW_NEW(&k->code->arena, bool, k->nevt + 1);
    bool *acts = ZW_NEW(&k->code->arena, bool, k->nevt + 1);
    bool *footing_stop = ZW_NEW(&k->code->arena, bool, k->nfooting + 1);
    int *vel_row = ZW_NEW(&k->code->arena, int, k->nvel + 1),
        *pos_row = ZW_NEW(&k->code->arena, int, k->npos + 1);
    bool *leaf_turns = ZW_NEW(&k->code->arena, bool, k->nleaf + 1);
    signed char *inequality = ZW_NEW(&k->code->arena, signed char, k->nc + 1);
    if (!leaf_turns || !unit || !direction || !stop || !acts || !footing_stop || !vel_row ||
        !pos_row || !inequality)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < k->nunit; i++)
        unit[i] = eq->unit[i];
    for (int i = 0; i < k->nvel; i++)
        vel_row[i] = row_of_constraint(eq, eq->vel_constraint[i]);
    for (int i = 0; i < k->nleaf; i++)
        leaf_turns[i] = sys->integral[-2 - eq->pos_constraint[k->npos - k->nleaf + i]].turns;
    k->leaf_turns = leaf_turns;
    for (int i = 0; i < k->npos; i++)
        pos_row[i] = row_of_constraint(eq, position_constraint(eq, i));
    for (int i = 0; i < eq->nevent; i++) {
        direction[i] = sys->event[i].direction;
        stop[i] = sys->event[i].stop;
        acts[i] = sys->event[i].naction > 0;
    }
    for (int i = eq->nevent; i < k->nevt; i++) { /* events of contacts */
        direction[i] = -1;
        acts[i] = true;
    }
    for (int i = 0; eq->inequality && i < k->nc; i++)
        inequality[i] = eq->inequality[i];
    k->inequality = eq->inequality ? inequality : NULL;
    k->unit = unit;
    k->vel_row = vel_row;
    k->pos_row = pos_row;
    k->event_direction = direction;
    k->event_stop = stop;
    k->event_acts = acts;
    for (int i = 0; i < k->nfooting; i++)
        footing_stop[i] = sys->footing[i].stop;
    k->footing_stop = footing_stop;
    return copy_delays(k, sys, err);
}

/* is this parameter given by a number, not by other parameters? */
static bool is_free(const zw_system *s, int i) {
    for (int j = 0; j < i; j++)
        if (zw_depends(s->ctx, s->param[i].value, s->param[j].sym))
            return false;
    return true;
}

/* the requested parameters; otherwise all free ones, from which the others follow */
static zw_status choose_parameters(zw_kernel *k, const zw_system *s, const zw_kernel_options *o,
                                   zw_error *err) {
    int *parameter =
        ZW_NEW(&k->code->arena, int, k->np + (o->nparameter > 0 ? o->nparameter : 0) + 1);
    if (!parameter)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < o->nparameter; i++)
        parameter[k->npar++] = o->parameter[i];
    for (int i = 0; o->nparameter < 0 && i < k->np; i++)
        if (is_free(s, i))
            parameter[k->npar++] = i;
    k->parameter = parameter;
    return ZW_OK;
}

static zw_status fill_kernel(zw_kernel *k, const zw_equations *eq, zw_error *err) {
    const zw_kernel_options *o = &k->code->options;
    k->lanes = o->lanes;
    zw_build_sizes(k, eq);
    ZW_TRY(choose_parameters(k, eq->sys, o, err));
    ZW_TRY(copy_tables(k, eq, err));
    ZW_TRY(zw_build_structure(k, eq, &k->code->arena, err));
    ZW_TRY(zw_build_events(k, eq, &k->code->arena, err));
    ZW_TRY(zw_touch_structure(k, eq, o->unroll_max, &k->code->arena, err));
    ZW_TRY(add_batch(k, o->functions, err));
    return o->jit == ZW_JIT_AT_ONCE ? zw_kernel_compile(k, err) : ZW_OK;
}

zw_status zw_kernel_create(zw_kernel **out, const zw_equations *eq,
                           const zw_kernel_options *options, zw_error *err) {
    zw_kernel_options o = zw_kernel_options_default();
    if (options)
        ZW_TRY(zw_options_adopt(&o, sizeof o, options, "zw_kernel_options", err));
    *out = NULL;
    ZW_TRY(check_options(&o, eq, err));
    zw_allocator alloc = zw_context_allocator(eq->sys->ctx);
    kernel_block *block = zw_allocate(&alloc, sizeof *block);
    if (!block)
        return zw_out_of_memory(err, NULL);
    zw_kernel *k = &block->kernel;
    k->code = &block->code;
    k->code->options = o;
    k->alloc = alloc;
    zw_arena_init(&k->code->arena, &alloc);
    k->code->eq = *eq;
    zw_status status = o.modes ? zw_equations_lock(&k->code->eq, eq, err) : ZW_OK;
    if (status >= 0)
        status = fill_kernel(k, &k->code->eq, err);
    k->code->options.parameter = NULL; /* owned by the caller */
    if (status < 0)
        zw_kernel_destroy(k);
    else
        *out = k;
    return status;
}

void zw_kernel_destroy(zw_kernel *k) {
    if (!k)
        return;
    struct zw_kernel_code *c = k->code;
    zw_allocator alloc = c->arena.alloc;
    for (batch *b = c->batches; b; b = b->next) {
        zw_native_destroy(b->native);
        if (b->program.ctx)
            zw_program_clear(&b->program);
    }
    zw_arena_clear(&c->arena);
    zw_release(&alloc, k, sizeof(kernel_block));
}

/* ------------------------------------------------------------------------- native code */

static zw_status compile_batch(zw_kernel *k, batch *b, zw_error *err) {
    zw_status status =
        zw_native_create(&b->native, b->njob, b->job, k->lanes, &k->code->arena.alloc, err);
    b->refused = status < 0;
    return status;
}

static void note_native(zw_kernel *k) {
    k->native = true;
    for (const batch *b = k->code->batches; b; b = b->next)
        k->native &= b->native != NULL;
}

zw_status zw_kernel_compile(zw_kernel *k, zw_error *err) {
    zw_status status = ZW_OK;
    for (batch *b = k->code->batches; b && status >= 0; b = b->next)
        if (!b->native)
            status = compile_batch(k, b, err);
    note_native(k);
    return status;
}

static bool is_worth_compiling(const zw_kernel *k, const batch *b) {
    if (b->native || b->refused || k->code->options.jit != ZW_JIT_WHEN_IT_PAYS)
        return false;
    double spent =
        (double)atomic_load_explicit(&b->counter, memory_order_relaxed) * INTERPRETER_OPERATION;
    return spent > b->compile_time;
}

bool zw_kernel_wants_compile(const zw_kernel *k) {
    for (const batch *b = k->code->batches; b; b = b->next)
        if (is_worth_compiling(k, b))
            return true;
    return false;
}

zw_status zw_kernel_serve(void *kernel, zw_functions wanted, zw_error *err) {
    zw_kernel *k = kernel;
    ZW_TRY(zw_kernel_require(k, wanted, err));
    for (batch *b = k->code->batches; b; b = b->next)
        if (is_worth_compiling(k, b))
            compile_batch(k, b, NULL); /* without LLVM the interpreter continues */
    note_native(k);
    return ZW_OK;
}
