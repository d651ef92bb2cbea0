/* SPDX-License-Identifier: MIT */
/* An interpreter is slowed down by mispredicted jumps: a processor predicts the jumps of a short
 * program, but not of one with hundreds of instructions. So the instructions are ordered in runs:
 * of those whose operands are computed, all with the most frequent operation form the next run.
 * Inside a run nothing has to be predicted and no instruction waits for another, since they are
 * independent (measured: a quarter of the time).
 *
 * For native code the order of schedule.c is better, which keeps few values alive. */
#include "equal_runs.h"

#include <string.h>

typedef struct run_builder {
    const zw_code *code;
    int *maker[2];    /* the instruction that computes a place of WORK, OUT; -1: none yet */
    int *waits;       /* by instruction: number of operands not computed yet */
    int *first_user;  /* by instruction: head of the list of its users in `user`, -1 ends */
    int *user, *next; /* lists of users, 3 entries per instruction at most */
    int nuser;
    int *ready[ZW_CODE_COUNT]; /* by operation: stack of instructions whose operands are computed */
    int nready[ZW_CODE_COUNT];
    zw_operand (*operand)[3]; /* by instruction: places of its operands, one for each value */
    zw_operand *place;        /* by instruction: place of its value */
} run_builder;

static bool is_computed(zw_operand o) {
    return zw_operand_space(o) == ZW_SPACE_WORK || zw_operand_space(o) == ZW_SPACE_OUT;
}

static int *maker_at(run_builder *b, zw_operand o) {
    return &b->maker[zw_operand_space(o) == ZW_SPACE_OUT][zw_operand_index(o)];
}

/* instruction i needs the value of instruction `maker` */
static void add_user(run_builder *b, int maker, int i) {
    b->user[b->nuser] = i;
    b->next[b->nuser] = b->first_user[maker];
    b->first_user[maker] = b->nuser++;
    b->waits[i]++;
}

static void make_ready(run_builder *b, int i) {
    uint32_t op = b->code->instruction[i].op;
    b->ready[op][b->nready[op]++] = i;
}

/* Finds the users of all instructions, and gives every value its own place. */
static void connect_values(run_builder *b) {
    int nwork = 0;
    for (int i = 0; i < b->code->ninstruction; i++) {
        const zw_instruction *in = &b->code->instruction[i];
        zw_operand o[3] = {in->a, in->b, in->c};
        int arity = zw_code_arity((zw_opcode)in->op);
        for (int k = 0; k < 3; k++) {
            b->operand[i][k] = o[k];
            if (k < arity && is_computed(o[k])) {
                int maker = *maker_at(b, o[k]);
                b->operand[i][k] = b->place[maker];
                add_user(b, maker, i);
            }
        }
        b->place[i] = zw_operand_space(in->to) == ZW_SPACE_OUT
                          ? in->to
                          : zw_operand_make(ZW_SPACE_WORK, nwork++);
        *maker_at(b, in->to) = i;
    }
}

static int most_frequent(const run_builder *b) {
    int best = 0;
    for (int op = 1; op < ZW_CODE_COUNT; op++)
        if (b->nready[op] > b->nready[best])
            best = op;
    return best;
}

static void put_runs(run_builder *b, zw_instruction *out, int *run) {
    int n = 0;
    for (int i = 0; i < b->code->ninstruction; i++)
        if (!b->waits[i])
            make_ready(b, i);
    for (;;) {
        int op = most_frequent(b), count = b->nready[op];
        if (!count)
            break;
        memcpy(run, b->ready[op], sizeof *run * (size_t)count);
        b->nready[op] = 0;
        for (int k = 0; k < count; k++) {
            int i = run[k];
            const zw_operand *o = b->operand[i];
            out[n++] = (zw_instruction){(uint32_t)op, b->place[i], o[0], o[1], o[2]};
            for (int u = b->first_user[i]; u >= 0; u = b->next[u])
                if (--b->waits[b->user[u]] == 0)
                    make_ready(b, b->user[u]);
        }
    }
}

static bool allocate_builder(run_builder *b, zw_arena *scratch) {
    int n = b->code->ninstruction, count[ZW_CODE_COUNT] = {0};
    b->maker[0] = ZW_NEW(scratch, int, b->code->nwork + 1);
    b->maker[1] = ZW_NEW(scratch, int, b->code->nout + 1);
    b->waits = ZW_NEW(scratch, int, n + 1);
    b->first_user = ZW_NEW(scratch, int, n + 1);
    b->user = ZW_NEW(scratch, int, 3 * n + 1);
    b->next = ZW_NEW(scratch, int, 3 * n + 1);
    b->operand = zw_arena_alloc(scratch, sizeof *b->operand * (size_t)(n + 1));
    b->place = ZW_NEW(scratch, zw_operand, n + 1);
    for (int i = 0; i < n; i++)
        count[b->code->instruction[i].op]++;
    for (int op = 0; op < ZW_CODE_COUNT; op++)
        b->ready[op] = ZW_NEW(scratch, int, count[op] + 1);
    if (scratch->failed)
        return false;
    for (int i = 0; i < n; i++)
        b->first_user[i] = -1;
    return true;
}

zw_status zw_batch(zw_code *out, const zw_code *code, zw_arena *arena, zw_arena *scratch) {
    zw_arena_mark mark = zw_arena_mark_now(scratch);
    run_builder b = {.code = code};
    zw_instruction *instruction = ZW_NEW(arena, zw_instruction, code->ninstruction + 1);
    int *run = ZW_NEW(scratch, int, code->ninstruction + 1);
    bool enough = instruction && run && allocate_builder(&b, scratch);
    if (enough) {
        connect_values(&b);
        put_runs(&b, instruction, run);
        *out = *code;
        out->instruction = instruction;
        out->nwork = code->nops;
    }
    zw_arena_release(scratch, mark);
    return enough ? ZW_OK : ZW_E_MEMORY;
}
