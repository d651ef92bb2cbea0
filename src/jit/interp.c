/* SPDX-License-Identifier: MIT */
/* One switch per run of equal operations (equal_runs.c), a loop over its instructions, and one over
 * the lanes inside it. The same body is compiled for each number of lanes, which is a constant in
 * it.
 *
 * All places are in one frame, the caller's work: constants and inputs are copied to its beginning,
 * outputs are copied from its end. So an operand of any space is one offset, and the copies cost
 * less than distinguishing the spaces at every operand. */
#include "interp.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "equal_runs.h"

/* offsets in doubles, for all lanes */
typedef struct step {
    uint32_t to, a, b, c;
} step;

typedef struct run {
    uint32_t op;
    int n; /* number of steps */
} run;

typedef struct interp {
    zw_code code; /* in the order of the runs */
    const step *step;
    const run *run;
    int nrun;
    const double *constant; /* nconstant x lanes */
    zw_work_counter *counter;
    /* position and size of each space in the frame [double] */
    int at[ZW_SPACE_COUNT], size[ZW_SPACE_COUNT];
    int first[ZW_SPACE_COUNT]; /* of each space: first used entry */
    int ninput;
    zw_space input[ZW_SPACE_INPUTS]; /* the inputs that are used */
} interp;

static void copy_in(const interp *in, zw_space space, const double *from, double *frame) {
    if (in->size[space])
        memcpy(frame + in->at[space], from + in->first[space],
               sizeof *frame * (size_t)in->size[space]);
}

/* the pointers of zw_args by space */
static const size_t input_offset[ZW_SPACE_INPUTS] = {
    offsetof(zw_args, t),  offsetof(zw_args, x),  offsetof(zw_args, z),
    offsetof(zw_args, u),  offsetof(zw_args, d1), offsetof(zw_args, d2),
    offsetof(zw_args, d3), offsetof(zw_args, c),  offsetof(zw_args, p)};

static void copy_inputs(const interp *in, const zw_args *args, double *frame) {
    for (int i = 0; i < in->ninput; i++) {
        zw_space space = in->input[i];
        const double *from;
        memcpy(&from, (const char *)args + input_offset[space - ZW_SPACE_FIRST_INPUT], sizeof from);
        copy_in(in, space, from, frame);
    }
}

/* to[l] = expression of a[l], b[l] for all steps of a run */
#define EACH(expression)                                                                           \
    for (const step *end = s + r->n; s < end; s++) {                                               \
        double *to = frame + s->to;                                                                \
        const double *a = frame + s->a, *b = frame + s->b;                                         \
        (void)b;                                                                                   \
        for (int l = 0; l < lanes; l++)                                                            \
            to[l] = (expression);                                                                  \
    }                                                                                              \
    break

__attribute__((always_inline)) static inline void execute(const interp *in, double *frame,
                                                          const int lanes) {
    const step *s = in->step;
    for (const run *r = in->run, *last = r + in->nrun; r < last; r++) {
        switch ((zw_opcode)r->op) {
        case ZW_CODE_ADD:
            EACH(a[l] + b[l]);
        case ZW_CODE_SUB:
            EACH(a[l] - b[l]);
        case ZW_CODE_MUL:
            EACH(a[l] * b[l]);
        case ZW_CODE_DIV:
            EACH(a[l] / b[l]);
        case ZW_CODE_NEG:
            EACH(-a[l]);
        case ZW_CODE_MOVE:
            EACH(a[l]);
        case ZW_CODE_SQRT:
            EACH(sqrt(a[l]));
        case ZW_CODE_SIN:
            EACH(sin(a[l]));
        case ZW_CODE_COS:
            EACH(cos(a[l]));
        case ZW_CODE_SELECT:
            EACH(a[l] != 0 ? b[l] : frame[s->c + (uint32_t)l]);
        case ZW_CODE_TABLE:
            EACH(zw_spline_eval(in->code.table[s->b], (int)s->c, a[l]));
        case ZW_CODE_MULADD:
        case ZW_CODE_MULSUB:
        case ZW_CODE_SUBMUL:
        case ZW_CODE_PATCH:
            EACH(zw_code_apply((zw_opcode)r->op, a[l], b[l], frame[s->c + (uint32_t)l]));
        default:
            EACH(zw_code_apply((zw_opcode)r->op, a[l], b[l], 0.0));
        }
    }
}

__attribute__((always_inline)) static inline void call(const zw_func *self, const zw_args *args,
                                                       double *out, double *work, const int lanes) {
    const interp *in = self->code;
    copy_in(in, ZW_SPACE_CONST, in->constant, work);
    copy_inputs(in, args, work);
    execute(in, work, lanes);
    if (in->size[ZW_SPACE_OUT])
        memcpy(out, work + in->at[ZW_SPACE_OUT], sizeof *out * (size_t)in->size[ZW_SPACE_OUT]);
    if (in->counter) {
        long long done = atomic_load_explicit(in->counter, memory_order_relaxed);
        atomic_store_explicit(in->counter, done + (long long)in->code.nops * lanes,
                              memory_order_relaxed);
    }
}

static void call_1(const zw_func *self, const zw_args *in, double *out, double *work) {
    call(self, in, out, work, 1);
}

static void call_4(const zw_func *self, const zw_args *in, double *out, double *work) {
    call(self, in, out, work, 4);
}

static void call_8(const zw_func *self, const zw_args *in, double *out, double *work) {
    call(self, in, out, work, 8);
}

/* Places the used entries of the spaces one after the other. Returns the size of the frame in
 * doubles per lane. */
static int place_spaces(interp *in, int lanes) {
    const zw_code *code = &in->code;
    int size[ZW_SPACE_COUNT] = {[ZW_SPACE_OUT] = code->nout}, frame = 0, cached = INT_MAX;
    for (int i = 0; i < code->ninstruction; i++) {
        const zw_instruction *k = &code->instruction[i];
        zw_operand place[4] = {k->to, k->a, k->b, k->c};
        for (int j = 0; j <= zw_code_arity((zw_opcode)k->op); j++) {
            zw_space space = zw_operand_space(place[j]);
            int index = zw_operand_index(place[j]);
            if (index >= size[space])
                size[space] = index + 1;
            if (space == ZW_SPACE_CACHE && index < cached)
                cached = index; /* earlier entries belong to other functions */
        }
    }
    for (int s = 0; s < ZW_SPACE_COUNT; s++) {
        int first = s == ZW_SPACE_CACHE && size[s] ? cached : 0;
        in->first[s] = first * lanes;
        in->at[s] = frame * lanes;
        in->size[s] = (size[s] - first) * lanes;
        frame += size[s] - first;
        if (size[s] && s >= ZW_SPACE_FIRST_INPUT && s < ZW_SPACE_FIRST_INPUT + ZW_SPACE_INPUTS)
            in->input[in->ninput++] = (zw_space)s;
    }
    return frame;
}

static uint32_t offset_of(const interp *in, zw_operand o, int lanes) {
    zw_space space = zw_operand_space(o);
    return (uint32_t)(in->at[space] + zw_operand_index(o) * lanes - in->first[space]);
}

static const step *make_steps(const interp *in, int lanes, zw_arena *arena) {
    const zw_code *code = &in->code;
    step *s = ZW_NEW(arena, step, code->ninstruction + 1);
    for (int i = 0; s && i < code->ninstruction; i++) {
        const zw_instruction *k = &code->instruction[i];
        int arity = zw_code_arity((zw_opcode)k->op);
        s[i] = (step){offset_of(in, k->to, lanes), offset_of(in, k->a, lanes), 0, 0};
        if (arity > 1)
            s[i].b = offset_of(in, k->b, lanes);
        if (arity > 2)
            s[i].c = offset_of(in, k->c, lanes);
        if (k->op == ZW_CODE_TABLE) {
            s[i].b = k->b;
            s[i].c = k->c;
        }
    }
    return s;
}

static const run *make_runs(const zw_code *code, int *nrun, zw_arena *arena) {
    run *r = ZW_NEW(arena, run, code->ninstruction + 1);
    *nrun = 0;
    for (int i = 0; r && i < code->ninstruction; i++) {
        uint32_t op = code->instruction[i].op;
        if (!*nrun || r[*nrun - 1].op != op)
            r[(*nrun)++] = (run){op, 0};
        r[*nrun - 1].n++;
    }
    return r;
}

zw_status zw_interp_func(zw_func *f, const zw_code *code, int lanes, zw_work_counter *counter,
                         zw_arena *arena) {
    zw_arena scratch;
    zw_arena_init(&scratch, &arena->alloc);
    interp *in = ZW_NEW(arena, interp, 1);
    double *constant = ZW_NEW(arena, double, (code->nconstant + 1) * lanes);
    if (!in || !constant)
        return ZW_E_MEMORY;
    for (int i = 0; i < code->nconstant * lanes; i++)
        constant[i] = code->constant[i / lanes];
    *in = (interp){.constant = constant, .counter = counter};
    zw_status status = zw_batch(&in->code, code, arena, &scratch);
    zw_arena_clear(&scratch);
    if (status < 0)
        return status;
    int frame = place_spaces(in, lanes);
    in->step = make_steps(in, lanes, arena);
    in->run = make_runs(&in->code, &in->nrun, arena);
    if (!in->step || !in->run)
        return ZW_E_MEMORY;
    *f = (zw_func){.call = lanes == 1   ? call_1
                           : lanes == 4 ? call_4
                                        : call_8,
                   .code = in,
                   .nout = code->nout,
                   .nwork = frame,
                   .nops = code->nops};
    return ZW_OK;
}
