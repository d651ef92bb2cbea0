/* SPDX-License-Identifier: MIT */
/* Operands have smaller numbers than their users. So a pass downwards counts the uses of the values
 * that a function needs; a depth-first search from the outputs, the operand with the largest need
 * first, gives the order, which keeps few values alive at a time; a pass over that order gives each
 * value its place: an output its entry of OUT, any other the entry of WORK that was freed last.
 * Calls of functions come before all operations they do not depend on, since native code keeps no
 * value in a register across a call.
 *
 * Two rewritings are done here, where the uses within the function are known: a (1/b) is a/b if
 * nothing else needs 1/b; and if products and sums are fused, a b + c is one operation. Of two
 * products in a sum the one that nothing else needs is fused, else the second: the choice depends
 * on the code only. */
#include "schedule.h"

enum { OPERANDS = 3 };

/* one function while it is being scheduled; arrays by value */
typedef struct job {
    zw_schedule *s;
    const zw_graph *g;
    bool prepare;
    zw_value (*operand)[OPERANDS]; /* after rewriting; 0: none */
    uint8_t *op;                   /* after rewriting */
    int *uses;
    int *last; /* position of the last use in the order */
    int *home; /* 1 + index of the output it is, 0 if none */
    bool *done;
    zw_operand *place;
    zw_value *order; /* computed values in order */
    int norder;
    double *constant;
    int nconstant, constant_capacity;
    int *table_number;
    int ntable, table_capacity;
    zw_instruction *instruction;
    int ninstruction;
} job;

zw_status zw_schedule_init(zw_schedule *s, const zw_context *ctx, const zw_graph *graph,
                           int first_cached, zw_arena *arena, zw_arena *scratch) {
    *s = (zw_schedule){.ctx = ctx,
                       .graph = graph,
                       .arena = arena,
                       .scratch = scratch,
                       .first_cached = first_cached};
    s->cache_slot = ZW_NEW(scratch, int, graph->n);
    s->cached = ZW_NEW(scratch, zw_value, graph->n);
    return s->cache_slot && s->cached ? ZW_OK : ZW_E_MEMORY;
}

/* computed elsewhere: a constant, an input, an entry of the cache */
static bool is_leaf(const job *j, zw_value v) {
    const zw_node *n = &j->g->node[v];
    return n->op == ZW_CODE_CONST || n->op == ZW_CODE_INPUT ||
           (!j->prepare && n->rate < ZW_RATE_STATE);
}

static void count_uses(job *j, int nout, const zw_value *out) {
    const zw_graph *g = j->g;
    for (int i = 0; i < nout; i++)
        j->uses[out[i]]++;
    for (zw_value v = g->n - 1; v > 0; v--) {
        if (!j->uses[v] || is_leaf(j, v))
            continue;
        const zw_node *n = &g->node[v];
        zw_value from[OPERANDS] = {n->a, n->b, n->c};
        j->op[v] = n->op;
        for (int i = 0; i < zw_code_arity(n->op); i++) {
            j->operand[v][i] = from[i];
            j->uses[from[i]]++;
        }
    }
}

static bool is_lone_reciprocal(const job *j, zw_value v) {
    const zw_node *n = &j->g->node[v];
    return n->op == ZW_CODE_DIV && n->a == j->g->one && j->uses[v] == 1 && !is_leaf(j, v);
}

/* a (1/b) -> a/b */
static void fuse_divisions(job *j) {
    for (zw_value v = 1; v < j->g->n; v++) {
        if (!j->uses[v] || is_leaf(j, v) || j->op[v] != ZW_CODE_MUL)
            continue;
        zw_value a = j->operand[v][0], b = j->operand[v][1];
        bool first = is_lone_reciprocal(j, a);
        if (!first && !is_lone_reciprocal(j, b))
            continue;
        j->op[v] = ZW_CODE_DIV;
        j->operand[v][0] = first ? b : a;
        j->operand[v][1] = j->g->node[first ? a : b].b;
    }
}

static bool is_product(const job *j, zw_value v) {
    return !is_leaf(j, v) && j->op[v] == ZW_CODE_MUL;
}

/* a b + c, a b - c, c - a b */
static void fuse_products(job *j) {
    for (zw_value v = 1; v < j->g->n; v++) {
        if (!j->uses[v] || is_leaf(j, v) || (j->op[v] != ZW_CODE_ADD && j->op[v] != ZW_CODE_SUB))
            continue;
        zw_value a = j->operand[v][0], b = j->operand[v][1];
        bool first = is_product(j, a), second = is_product(j, b), minus = j->op[v] == ZW_CODE_SUB;
        if (!first && !second)
            continue;
        if (first && second)
            second = !(j->uses[a] == 1 && j->uses[b] > 1);
        zw_value product = second ? b : a, other = second ? a : b;
        j->op[v] = !minus ? ZW_CODE_MULADD : second ? ZW_CODE_SUBMUL : ZW_CODE_MULSUB;
        j->operand[v][0] = j->operand[product][0];
        j->operand[v][1] = j->operand[product][1];
        j->operand[v][2] = other;
        j->uses[product]--; /* its factors are still needed, by v */
    }
}

/* the next operand of v to be computed, the one with the largest need first; 0 if all are
 * computed */
static zw_value next_operand(const job *j, zw_value v) {
    zw_value best = 0;
    for (int i = 0; i < OPERANDS; i++) {
        zw_value o = j->operand[v][i];
        if (o && !j->done[o] && !is_leaf(j, o) &&
            (!best || j->g->node[o].need > j->g->node[best].need))
            best = o;
    }
    return best;
}

/* appends v and all it needs to the order */
static void append_value(job *j, zw_value value, zw_value *stack) {
    int depth = 0;
    if (!j->done[value] && !is_leaf(j, value))
        stack[depth++] = value;
    while (depth) {
        zw_value v = stack[depth - 1], o = next_operand(j, v);
        if (o) {
            stack[depth++] = o;
        } else {
            depth--;
            j->done[v] = true;
            j->order[j->norder++] = v;
        }
    }
}

static bool is_call(zw_opcode op) {
    return op == ZW_CODE_TABLE ||
           (op != ZW_CODE_SQRT && op != ZW_CODE_ABS && zw_code_c_name(op)[0]);
}

static void find_order(job *j, int nout, const zw_value *out, zw_value *stack) {
    for (zw_value v = 1; v < j->g->n; v++)
        if (j->uses[v] && !is_leaf(j, v) && is_call(j->op[v]))
            append_value(j, v, stack);
    for (int i = 0; i < nout; i++)
        append_value(j, out[i], stack);
    for (int i = 0; i < j->norder; i++)
        for (int k = 0; k < OPERANDS; k++)
            j->last[j->operand[j->order[i]][k]] = i;
}

static bool place_constant(job *j, zw_value v) {
    if (!zw_arena_grow(j->s->arena, (void **)&j->constant, j->nconstant, &j->constant_capacity,
                       sizeof(double)))
        return false;
    j->constant[j->nconstant] = j->g->node[v].k;
    j->place[v] = zw_operand_make(ZW_SPACE_CONST, j->nconstant++);
    return true;
}

static void place_cached(job *j, zw_value v) {
    zw_schedule *s = j->s;
    if (!s->cache_slot[v]) {
        s->cached[s->ncached] = v;
        s->cache_slot[v] = ++s->ncached;
    }
    j->place[v] = zw_operand_make(ZW_SPACE_CACHE, s->first_cached + s->cache_slot[v] - 1);
}

/* gives a leaf its place, if it has none */
static bool place_leaf(job *j, zw_value v) {
    const zw_node *n = &j->g->node[v];
    if (j->done[v])
        return true;
    j->done[v] = true;
    if (n->op == ZW_CODE_CONST)
        return place_constant(j, v);
    if (n->rate == ZW_RATE_PARAM && !j->prepare)
        place_cached(j, v);
    else
        j->place[v] = zw_operand_make((zw_space)n->a, n->b);
    return true;
}

static bool table_index(job *j, int number, int *index) {
    for (*index = 0; *index < j->ntable; ++*index)
        if (j->table_number[*index] == number)
            return true;
    if (!zw_arena_grow(j->s->arena, (void **)&j->table_number, j->ntable, &j->table_capacity,
                       sizeof(int)))
        return false;
    j->table_number[j->ntable++] = number;
    return true;
}

/* Instructions with places for all values of the order. Returns the entries of WORK, -1 if out of
 * memory. */
static int assign_places(job *j, int *free_entry) {
    int nfree = 0, nwork = 0;
    for (int i = 0; i < j->norder; i++) {
        zw_value v = j->order[i];
        zw_instruction in = {.op = j->op[v]};
        zw_operand *to[OPERANDS] = {&in.a, &in.b, &in.c};
        for (int k = 0; k < OPERANDS; k++) {
            zw_value o = j->operand[v][k];
            if (!o)
                continue;
            if (is_leaf(j, o) && !place_leaf(j, o))
                return -1;
            *to[k] = j->place[o];
            if (j->last[o] == i && zw_operand_space(*to[k]) == ZW_SPACE_WORK && !is_leaf(j, o)) {
                free_entry[nfree++] = zw_operand_index(*to[k]);
                j->last[o] = -1; /* the same operand twice is freed once */
            }
        }
        if (in.op == ZW_CODE_TABLE) {
            int index;
            if (!table_index(j, j->g->node[v].b, &index))
                return -1;
            in.b = (zw_operand)index;
            in.c = (zw_operand)j->g->node[v].c;
        }
        if (j->home[v])
            in.to = zw_operand_make(ZW_SPACE_OUT, j->home[v] - 1);
        else
            in.to = zw_operand_make(ZW_SPACE_WORK, nfree ? free_entry[--nfree] : nwork++);
        j->place[v] = in.to;
        j->instruction[j->ninstruction++] = in;
    }
    return nwork;
}

/* Outputs that are leaves or occur twice are copied. */
static bool copy_outputs(job *j, int nout, const zw_value *out) {
    for (int i = 0; i < nout; i++) {
        if (j->home[out[i]] == i + 1)
            continue;
        if (is_leaf(j, out[i]) && !place_leaf(j, out[i]))
            return false;
        j->instruction[j->ninstruction++] = (zw_instruction){
            .op = ZW_CODE_MOVE, .to = zw_operand_make(ZW_SPACE_OUT, i), .a = j->place[out[i]]};
    }
    return true;
}

static bool allocate_job(job *j, int nout) {
    zw_arena *a = j->s->scratch;
    int n = j->g->n;
    j->operand = zw_arena_alloc(a, sizeof *j->operand * (size_t)n);
    j->op = ZW_NEW(a, uint8_t, n);
    j->uses = ZW_NEW(a, int, n);
    j->last = ZW_NEW(a, int, n);
    j->home = ZW_NEW(a, int, n);
    j->done = ZW_NEW(a, bool, n);
    j->place = ZW_NEW(a, zw_operand, n);
    j->order = ZW_NEW(a, zw_value, n);
    j->instruction = ZW_NEW(a, zw_instruction, n + nout);
    return !a->failed;
}

/* the finished code, with its own copies */
static bool write_code(job *j, const char *name, int nout, int nwork, zw_code *code) {
    zw_arena *a = j->s->arena;
    zw_instruction *instruction = ZW_NEW(a, zw_instruction, j->ninstruction + 1);
    const zw_spline **table = ZW_NEW(a, const zw_spline *, j->ntable + 1);
    if (!instruction || !table)
        return false;
    for (int i = 0; i < j->ninstruction; i++)
        instruction[i] = j->instruction[i];
    for (int i = 0; i < j->ntable; i++)
        table[i] = zw_spline_of(j->s->ctx, j->table_number[i]);
    *code = (zw_code){.name = name,
                      .nout = nout,
                      .nwork = nwork,
                      .nops = j->norder,
                      .ninstruction = j->ninstruction,
                      .nconstant = j->nconstant,
                      .ntable = j->ntable,
                      .instruction = instruction,
                      .constant = j->constant,
                      .table_number = j->table_number,
                      .table = table};
    return true;
}

static zw_status schedule_code(zw_schedule *s, const char *name, int nout, const zw_value *out,
                               bool prepare, zw_code *code) {
    zw_arena_mark mark = zw_arena_mark_now(s->scratch);
    job j = {.s = s, .g = s->graph, .prepare = prepare};
    zw_value *stack = ZW_NEW(s->scratch, zw_value, s->graph->n);
    int *free_entry = ZW_NEW(s->scratch, int, s->graph->n);
    zw_status status = ZW_E_MEMORY;
    if (allocate_job(&j, nout) && stack && free_entry) {
        count_uses(&j, nout, out);
        fuse_divisions(&j);
        if (s->fuses && !prepare)
            fuse_products(&j);
        find_order(&j, nout, out, stack);
        for (int i = nout - 1; i >= 0; i--)
            if (!is_leaf(&j, out[i]))
                j.home[out[i]] = i + 1;
        int nwork = assign_places(&j, free_entry);
        if (nwork >= 0 && copy_outputs(&j, nout, out) && write_code(&j, name, nout, nwork, code))
            status = ZW_OK;
    }
    zw_arena_release(s->scratch, mark);
    return status;
}

zw_status zw_schedule_function(zw_schedule *s, const char *name, int nout, const zw_value *out,
                               zw_code *code) {
    return schedule_code(s, name, nout, out, false, code);
}

zw_status zw_schedule_prepare(zw_schedule *s, zw_code *code) {
    return schedule_code(s, "prepare", s->ncached, s->cached, true, code);
}
