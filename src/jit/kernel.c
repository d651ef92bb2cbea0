/* SPDX-License-Identifier: MIT */
/* The kernel: a program with its functions bound to a back end. It starts on the interpreter; when
 * the time spent there has reached what compiling would cost, compiling pays: whatever follows, the
 * total is at most twice the best that hindsight could have chosen (rent or buy). */
#include "zwang/kernel.h"

#include <stddef.h>

#include "base/option.h"
#include "build.h"
#include "interp.h"
#include "native.h"

/* one operation of the interpreter, s: measured, see bench/jit_eval.c */
#define INTERPRETER_OPERATION 1.2e-9

struct zw_kernel_code {
    zw_arena arena;
    zw_program program;
    zw_kernel_options options;
    zw_work_counter counter;
    zw_native *native;
    double compile_time; /* estimate, s */
    bool refused;        /* compiling has failed: do not ask for it again */
};

/* one block, so that there is one thing to free */
typedef struct kernel_block {
    zw_kernel kernel;
    struct zw_kernel_code code;
} kernel_block;

#define AT(field) offsetof(zw_kernel_options, field)
static const zw_option kernel_options[] = {
    {"lanes", ZW_OPT_DOUBLE, AT(lanes), 1, 1, 8, "", NULL, "trajectories per call: 1, 4 or 8"},
    {"jit", ZW_OPT_CHOICE, AT(jit), 1, 0, 2, "", "off|auto|on",
     "native code: never, when it pays, at once"},
    {"unroll-max", ZW_OPT_DOUBLE, AT(unroll_max), 12, 0, 64, "", NULL,
     "largest nv + nc factorised by generated code"},
    {"powers", ZW_OPT_DOUBLE, AT(powers), 0, 0, 1, "", NULL, "with the powers of all forces"},
    {.key = NULL}};
#undef AT

zw_kernel_options zw_kernel_options_default(void) {
    zw_kernel_options o;
    zw_options_default(kernel_options, &o);
    return o;
}

static zw_status check_options(const zw_kernel_options *o, zw_error *err) {
    ZW_TRY(zw_options_check(kernel_options, o, err));
    if (o->lanes != 1 && o->lanes != 4 && o->lanes != 8)
        return zw_fail(err, ZW_E_OPTION, "lanes = %g: it must be 1, 4 or 8", o->lanes);
    if (o->jit != 0 && o->jit != 1 && o->jit != 2)
        return zw_fail(err, ZW_E_OPTION, "jit = %g: it must be 0, 1 or 2", o->jit);
    return ZW_OK;
}

/* The functions in the order of zw_kernel_function, but for prepare before the last one: dae is called
 * so seldom, and by few methods, that it is left to the interpreter. */
enum { FUNCTIONS = ZW_FN_COUNT + 1, COMPILED = FUNCTIONS - 1 };
_Static_assert(ZW_FN_DAE == ZW_FN_COUNT - 1, "the function that is not compiled is the last one");

static void list_functions(zw_kernel *k, zw_native_job job[FUNCTIONS]) {
    zw_func *f[ZW_FN_COUNT] = {&k->rhs,       &k->mats,   &k->jac, &k->pos,   &k->vel,
                               &k->obs,       &k->evt,    &k->act, &k->power, &k->start_pos,
                               &k->start_vel, &k->metric, &k->dae};
    for (int i = 0; i < ZW_FN_COUNT; i++)
        job[i < ZW_FN_DAE ? i : FUNCTIONS - 1] =
            (zw_native_job){.code = &k->code->program.code[i],
                            .func = f[i],
                            .hot = i == (k->unrolled ? ZW_FN_RHS : ZW_FN_MATS)};
    job[COMPILED - 1] = (zw_native_job){.code = &k->code->program.prepare, .func = &k->prepare};
}

static zw_status bind_interpreter(zw_kernel *k, zw_error *err) {
    struct zw_kernel_code *c = k->code;
    zw_native_job job[FUNCTIONS];
    list_functions(k, job);
    for (int i = 0; i < FUNCTIONS; i++)
        if (zw_interp_func(job[i].func, job[i].code, k->lanes, &c->counter, &c->arena) < 0)
            return zw_fail(err, ZW_E_MEMORY, "out of memory");
    c->compile_time = zw_native_compile_time(COMPILED, job);
    if (!k->unrolled) {
        k->rhs.call = NULL;
        k->rhs.nout = k->nq + k->nv + k->nc + 1;
    }
    for (int i = 0; i < FUNCTIONS; i++) {
        int nwork = job[i].func->nwork * k->lanes, nout = job[i].func->nout * k->lanes;
        k->nwork = nwork > k->nwork ? nwork : k->nwork;
        k->nout = nout > k->nout ? nout : k->nout;
    }
    k->ncache = k->prepare.nout;
    k->npower = k->power.nout;
    return ZW_OK;
}

/* the row of r that is the derivative of velocity row i, -1 if the principle has none */
static int row_of_velocity(const zw_equations *eq, int i) {
    int constraint = eq->vel_constraint[i];
    for (int r = 0; eq->row_constraint && r < eq->nv; r++)
        if (eq->row_constraint[r] == constraint)
            return r;
    for (int c = 0; c < eq->nc; c++)
        if (eq->constraint[c] == constraint)
            return eq->nv + c;
    return -1;
}

static zw_status copy_tables(zw_kernel *k, const zw_equations *eq, zw_error *err) {
    const zw_system *sys = eq->sys;
    int *unit = ZW_NEW(&k->code->arena, int, k->nunit + 1);
    int *direction = ZW_NEW(&k->code->arena, int, k->nevt + 1);
    bool *stop = ZW_NEW(&k->code->arena, bool, k->nevt + 1);
    int *vel_row = ZW_NEW(&k->code->arena, int, k->nvel + 1);
    signed char *inequality = ZW_NEW(&k->code->arena, signed char, k->nc + 1);
    if (!unit || !direction || !stop || !vel_row || !inequality)
        return zw_fail(err, ZW_E_MEMORY, "out of memory");
    for (int i = 0; i < k->nunit; i++)
        unit[i] = eq->unit[i];
    for (int i = 0; i < k->nvel; i++)
        vel_row[i] = row_of_velocity(eq, i);
    for (int i = 0; i < k->nevt; i++) {
        direction[i] = sys->event[i].direction;
        stop[i] = sys->event[i].stop;
    }
    for (int i = 0; eq->inequality && i < k->nc; i++)
        inequality[i] = eq->inequality[i];
    k->inequality = eq->inequality ? inequality : NULL;
    k->unit = unit;
    k->vel_row = vel_row;
    k->event_direction = direction;
    k->event_stop = stop;
    return ZW_OK;
}

static bool events_need_accelerations(const zw_equations *eq) {
    const zw_system *sys = eq->sys;
    for (int i = 0; i < eq->nevent; i++) {
        for (int j = 0; j < sys->nv; j++)
            if (zw_depends(sys->ctx, sys->event[i].value, sys->velocity[j].accel))
                return true;
        for (int j = 0; j < sys->nconstraint; j++)
            if (zw_depends(sys->ctx, sys->event[i].value, sys->constraint[j].lambda))
                return true;
    }
    return false;
}

static void set_sizes(zw_kernel *k, const zw_equations *eq, int lanes) {
    k->lanes = lanes;
    k->np = eq->sys->np;
    k->nq = eq->nq;
    k->nv = eq->nv;
    k->nc = eq->nc;
    k->nx = eq->nq + eq->nv;
    k->nz = eq->nv + eq->nc;
    k->npos = eq->npos;
    k->nvel = eq->nvel;
    k->nstart_pos = eq->nstart_pos;
    k->nstart_vel = eq->nstart_vel;
    k->nobs = eq->nobservable + (eq->system_v ? eq->sys->nv : 0);
    k->nevt = eq->nevent;
    k->nact = zw_build_set_count(eq);
    k->nunit = eq->nunit;
    k->unsymmetric = !eq->definite;
    k->pseudo = eq->pseudo;
    k->canonical = eq->canonical;
    k->evt_state_only = !events_need_accelerations(eq);
}

static zw_status fill_kernel(zw_kernel *k, const zw_equations *eq, zw_error *err) {
    const zw_kernel_options *o = &k->code->options;
    set_sizes(k, eq, (int)o->lanes);
    ZW_TRY(zw_build_program(&k->code->program, eq, (int)o->unroll_max, o->lanes == 1,
                            o->powers != 0, &k->unrolled, err));
    ZW_TRY(copy_tables(k, eq, err));
    ZW_TRY(bind_interpreter(k, err));
    return o->jit == 2 ? zw_kernel_compile(k, err) : ZW_OK;
}

zw_status zw_kernel_create(zw_kernel **out, const zw_equations *eq,
                           const zw_kernel_options *options, zw_error *err) {
    zw_kernel_options o = options ? *options : zw_kernel_options_default();
    *out = NULL;
    ZW_TRY(check_options(&o, err));
    zw_allocator alloc = zw_context_allocator(eq->sys->ctx);
    kernel_block *block = zw_allocate(&alloc, sizeof *block);
    if (!block)
        return zw_fail(err, ZW_E_MEMORY, "out of memory");
    zw_kernel *k = &block->kernel;
    k->code = &block->code;
    k->code->options = o;
    k->alloc = alloc;
    zw_arena_init(&k->code->arena, &alloc);
    zw_status status = fill_kernel(k, eq, err);
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
    zw_native_destroy(c->native);
    if (c->program.ctx)
        zw_program_clear(&c->program);
    zw_arena_clear(&c->arena);
    zw_release(&alloc, k, sizeof(kernel_block));
}

zw_status zw_kernel_compile(zw_kernel *k, zw_error *err) {
    struct zw_kernel_code *c = k->code;
    if (c->native)
        return ZW_OK;
    zw_native_job job[FUNCTIONS];
    list_functions(k, job);
    zw_status status = zw_native_create(&c->native, COMPILED, job, k->lanes, &c->arena.alloc, err);
    c->refused = status < 0;
    if (!k->unrolled)
        k->rhs.call = NULL;
    return status;
}

bool zw_kernel_is_native(const zw_kernel *k) {
    return k->code->native != NULL;
}

bool zw_kernel_wants_compile(const zw_kernel *k) {
    const struct zw_kernel_code *c = k->code;
    if (c->native || c->refused || c->options.jit != 1)
        return false;
    double spent =
        (double)atomic_load_explicit(&c->counter, memory_order_relaxed) * INTERPRETER_OPERATION;
    return spent > c->compile_time;
}
