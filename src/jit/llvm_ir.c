/* SPDX-License-Identifier: MIT */
/* Straight-line code becomes one basic block. A value is a double, or a vector with one element per
 * lane. No fast-math flag is set anywhere, so the bits are those of the interpreter (fused
 * operations are explicit in the code, schedule.c); sine and cosine of one argument become one call
 * of sincos, which in glibc has the bits of both.
 *
 * With lanes, sine and cosine are ours (lane_trig.c), computed in place (llvm_trig.c), and other
 * functions are called in SLEEF's 1-ulp variants, as wide as the machine's registers, which give
 * the same bits for every width and for any values of the other lanes; without SLEEF or the
 * instructions it needs, libm is called lane by lane. */
#include "llvm_ir.h"

#include <dlfcn.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/processor.h"
#include "lane_trig.h"
#include "llvm_trig.h"

enum { SELF, ARGS, OUT, WORK, PARAMETERS }; /* of zw_func.call */
enum { ZW_TRIG_LANES = 4 };
enum {
    IN_PLACE_MOST = 64
    /* sines and cosines of a function that are computed in place: each costs as much as compiling
     * 25 operations */
};

typedef struct emitter {
    const zw_llvm_api *l;
    const zw_code *code;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMValueRef function;
    int lanes, sleef_lanes;                  /* sleef_lanes 0: lane by lane */
    bool own_trig;                           /* sine and cosine of four lanes are ours, */
    bool inlined;                            /* and are computed in place, */
    LLVMValueRef size;                       /* if this sum of arguments is small; NULL: none */
    LLVMTypeRef real, value, index, pointer; /* double; double or vector; i64; double * */
    LLVMValueRef base[ZW_SPACE_COUNT];       /* the pointers of inputs that are used, and out */
    LLVMValueRef *place[ZW_SPACE_COUNT];     /* present values; NULL: not loaded yet */
    bool used[ZW_SPACE_COUNT];
    LLVMValueRef *ready;  /* by instruction: computed earlier, with its partner of a sincos */
    LLVMValueRef pair[2]; /* memory for the results of sincos */
} emitter;

_Static_assert(offsetof(zw_args, u) == (ZW_SPACE_U - ZW_SPACE_T) * sizeof(double *) &&
                   offsetof(zw_args, c) == (ZW_SPACE_CACHE - ZW_SPACE_T) * sizeof(double *) &&
                   offsetof(zw_args, p) == (ZW_SPACE_P - ZW_SPACE_T) * sizeof(double *),
               "the spaces follow the pointers of zw_args");

typedef double libm_1(double);
typedef double libm_2(double, double);

/* the address of the libm function, the same that the interpreter calls */
static uintptr_t libm_address(zw_opcode op) {
#define ONE(name, function)                                                                        \
    case ZW_CODE_##name: {                                                                         \
        libm_1 *f = function;                                                                      \
        return (uintptr_t)f;                                                                       \
    }
    switch (op) {
        ONE(SIN, sin)
        ONE(COS, cos)
        ONE(TAN, tan)
        ONE(ASIN, asin)
        ONE(ACOS, acos)
        ONE(ATAN, atan)
        ONE(SINH, sinh)
        ONE(COSH, cosh)
        ONE(TANH, tanh)
        ONE(ASINH, asinh)
        ONE(ACOSH, acosh)
        ONE(ATANH, atanh)
        ONE(EXP, exp)
        ONE(LOG, log)
    case ZW_CODE_POW: {
        libm_2 *f = pow;
        return (uintptr_t)f;
    }
    case ZW_CODE_ATAN2: {
        libm_2 *f = atan2;
        return (uintptr_t)f;
    }
    default:
        return 0;
    }
#undef ONE
}

static uintptr_t sleef_address(const emitter *e, const char *name) {
    if (!e->sleef_lanes)
        return 0;
    char symbol[64];
    /* the variants with the same bits for all widths of vectors and any other lanes */
    snprintf(symbol, sizeof symbol, "Sleef_finz_%sd%d_u10%s", name, e->sleef_lanes,
             e->sleef_lanes == 8 ? "avx512f" : "avx2");
    return (uintptr_t)dlsym(e->l->sleef, symbol);
}

static bool has_feature(const emitter *e, const char *feature) {
    size_t n = strlen(feature);
    for (const char *p = e->l->features; (p = strstr(p, feature)) != NULL; p += n)
        if (p[n] == ',' || p[n] == '\0')
            return true;
    return false;
}

static int sleef_lanes(const emitter *e) {
    if (e->lanes == 1 || !e->l->sleef || !zw_processor_fuses() || !has_feature(e, "+avx2") ||
        !has_feature(e, "+fma"))
        return 0;
    return e->lanes == 8 && has_feature(e, "+avx512f") ? 8 : 4;
}

/* an attribute of a function, a call or a parameter */
static LLVMAttributeRef make_attribute(const emitter *e, const char *name) {
    unsigned kind = e->l->LLVMGetEnumAttributeKindForName(name, strlen(name));
    return e->l->LLVMCreateEnumAttribute(e->context, kind, 0);
}

static LLVMValueRef make_constant(const emitter *e, double k) {
    LLVMValueRef c = e->l->LLVMConstReal(e->real, k), all[8];
    if (e->lanes == 1)
        return c;
    for (int i = 0; i < e->lanes; i++)
        all[i] = c;
    return e->l->LLVMConstVector(all, (unsigned)e->lanes);
}

/* the address of entry `index` of an input or of out, as a pointer to a value */
static LLVMValueRef entry_address(const emitter *e, zw_space space, int index) {
    const zw_llvm_api *l = e->l;
    LLVMValueRef at = l->LLVMConstInt(e->index, (unsigned long long)index * (unsigned)e->lanes, 0);
    LLVMValueRef p = l->LLVMBuildInBoundsGEP2(e->builder, e->real, e->base[space], &at, 1, "");
    return e->lanes == 1 ? p
                         : l->LLVMBuildBitCast(e->builder, p, l->LLVMPointerType(e->value, 0), "");
}

static LLVMValueRef load_place(emitter *e, zw_operand o) {
    zw_space space = zw_operand_space(o);
    LLVMValueRef *at = &e->place[space][zw_operand_index(o)];
    if (!*at && space == ZW_SPACE_CONST) {
        *at = make_constant(e, e->code->constant[zw_operand_index(o)]);
    } else if (!*at) {
        LLVMValueRef from = entry_address(e, space, zw_operand_index(o));
        *at = e->l->LLVMBuildLoad2(e->builder, e->value, from, "");
        e->l->LLVMSetAlignment(*at, sizeof(double));
    }
    return *at;
}

static void store_place(emitter *e, zw_operand o, LLVMValueRef v) {
    e->place[zw_operand_space(o)][zw_operand_index(o)] = v;
    if (zw_operand_space(o) == ZW_SPACE_OUT) {
        LLVMValueRef to = entry_address(e, ZW_SPACE_OUT, zw_operand_index(o));
        e->l->LLVMSetAlignment(e->l->LLVMBuildStore(e->builder, v, to), sizeof(double));
    }
}

static LLVMTypeRef vector_type(const emitter *e, int lanes) {
    return lanes == 1 ? e->real : e->l->LLVMVectorType(e->real, (unsigned)lanes);
}

/* a call of the function at that address; pure: it depends on and changes nothing else */
static LLVMValueRef call_address(const emitter *e, uintptr_t at, LLVMTypeRef result, int n,
                                 const LLVMTypeRef *type, LLVMValueRef *argument, bool pure) {
    const zw_llvm_api *l = e->l;
    LLVMTypeRef parameter[4];
    memcpy(parameter, type, sizeof *type * (size_t)n);
    LLVMTypeRef function = l->LLVMFunctionType(result, parameter, (unsigned)n, 0);
    LLVMValueRef pointer =
        l->LLVMConstIntToPtr(l->LLVMConstInt(e->index, at, 0), l->LLVMPointerType(function, 0));
    LLVMValueRef call = l->LLVMBuildCall2(e->builder, function, pointer, argument, (unsigned)n, "");
    static const char *const properties[] = {"nounwind", "willreturn", "readnone"};
    for (int i = 0; i < (pure ? 3 : 2); i++)
        l->LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
                                    make_attribute(e, properties[i]));
    return call;
}

/* elements first, ..., first + n - 1 of a value */
static LLVMValueRef part_of(const emitter *e, LLVMValueRef v, int first, int n) {
    const zw_llvm_api *l = e->l;
    LLVMTypeRef i32 = l->LLVMInt32TypeInContext(e->context);
    LLVMValueRef mask[8];
    if (n == e->lanes)
        return v;
    if (n == 1)
        return l->LLVMBuildExtractElement(e->builder, v, l->LLVMConstInt(i32, (unsigned)first, 0),
                                          "");
    for (int i = 0; i < n; i++)
        mask[i] = l->LLVMConstInt(i32, (unsigned)(first + i), 0);
    return l->LLVMBuildShuffleVector(e->builder, v, l->LLVMGetUndef(e->value),
                                     l->LLVMConstVector(mask, (unsigned)n), "");
}

/* a value from its parts of n lanes each */
static LLVMValueRef join_parts(const emitter *e, LLVMValueRef *part, int n) {
    const zw_llvm_api *l = e->l;
    LLVMTypeRef i32 = l->LLVMInt32TypeInContext(e->context);
    if (n == e->lanes)
        return part[0];
    if (n == 1) {
        LLVMValueRef v = l->LLVMGetUndef(e->value);
        for (int i = 0; i < e->lanes; i++)
            v = l->LLVMBuildInsertElement(e->builder, v, part[i],
                                          l->LLVMConstInt(i32, (unsigned)i, 0), "");
        return v;
    }
    LLVMValueRef mask[8]; /* two halves */
    for (int i = 0; i < e->lanes; i++)
        mask[i] = l->LLVMConstInt(i32, (unsigned)i, 0);
    return l->LLVMBuildShuffleVector(e->builder, part[0], part[1],
                                     l->LLVMConstVector(mask, (unsigned)e->lanes), "");
}

static LLVMValueRef call_function(const emitter *e, zw_opcode op, LLVMValueRef a, LLVMValueRef b) {
    int arity = zw_code_arity(op), n = 1;
    bool own = e->own_trig && (op == ZW_CODE_SIN || op == ZW_CODE_COS);
    uintptr_t at = own            ? zw_lane_trig(op == ZW_CODE_SIN ? ZW_LANE_SIN : ZW_LANE_COS)
                   : e->lanes > 1 ? sleef_address(e, zw_code_c_name(op))
                                  : 0;
    if (at)
        n = own ? ZW_TRIG_LANES : e->sleef_lanes;
    else
        at = libm_address(op);
    LLVMTypeRef type[2] = {vector_type(e, n), vector_type(e, n)};
    LLVMValueRef part[8];
    for (int i = 0; i < e->lanes / n; i++) {
        LLVMValueRef argument[2] = {part_of(e, a, i * n, n), NULL};
        if (arity == 2)
            argument[1] = part_of(e, b, i * n, n);
        part[i] = call_address(e, at, type[0], arity, type, argument, true);
    }
    return join_parts(e, part, n);
}

static LLVMValueRef call_table(const emitter *e, const zw_instruction *in, LLVMValueRef a) {
    const zw_llvm_api *l = e->l;
    double (*eval)(const zw_spline *, int, double) = zw_spline_eval;
    LLVMTypeRef i32 = l->LLVMInt32TypeInContext(e->context);
    LLVMTypeRef type[3] = {e->index, i32, e->real};
    LLVMValueRef part[8];
    for (int i = 0; i < e->lanes; i++) {
        LLVMValueRef argument[3] = {l->LLVMConstInt(e->index, (uintptr_t)e->code->table[in->b], 0),
                                    l->LLVMConstInt(i32, in->c, 0), part_of(e, a, i, 1)};
        part[i] = call_address(e, (uintptr_t)eval, e->real, 3, type, argument, true);
    }
    return join_parts(e, part, 1);
}

static double evaluate_patch(double code, double a, double b) {
    return zw_code_apply(ZW_CODE_PATCH, code, a, b);
}

static LLVMValueRef call_patch(const emitter *e, const LLVMValueRef a[3]) {
    double (*eval)(double, double, double) = evaluate_patch;
    LLVMTypeRef type[3] = {e->real, e->real, e->real};
    LLVMValueRef part[8];
    for (int i = 0; i < e->lanes; i++) {
        LLVMValueRef argument[3] = {part_of(e, a[0], i, 1), part_of(e, a[1], i, 1),
                                    part_of(e, a[2], i, 1)};
        part[i] = call_address(e, (uintptr_t)eval, e->real, 3, type, argument, true);
    }
    return join_parts(e, part, 1);
}

/* llvm.sqrt, llvm.fabs, llvm.fma of n values: one machine instruction, correctly rounded */
static LLVMValueRef call_intrinsic(const emitter *e, const char *name, int n, LLVMValueRef *a) {
    const zw_llvm_api *l = e->l;
    unsigned id = l->LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef type[3] = {e->value, e->value, e->value};
    LLVMValueRef f = l->LLVMGetIntrinsicDeclaration(e->module, id, type, 1);
    /* cppcheck-suppress returnDanglingLifetime ; LLVM copies the types */
    return l->LLVMBuildCall2(e->builder, l->LLVMFunctionType(e->value, type, (unsigned)n, 0), f, a,
                             (unsigned)n, "");
}

static LLVMValueRef call_of_one(const emitter *e, const char *name, LLVMValueRef a) {
    /* cppcheck-suppress returnDanglingLifetime ; LLVM copies the operands */
    return call_intrinsic(e, name, 1, &a);
}

static LLVMValueRef emit_negative(const emitter *e, LLVMValueRef a) {
    return e->l->LLVMBuildFNeg(e->builder, a, "");
}

/* a b + c with one rounding */
static LLVMValueRef fma_of(const emitter *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
    return call_intrinsic(e, "llvm.fma", 3, (LLVMValueRef[]){a, b, c});
}

static zw_llvm_trig trig_of(const emitter *e) {
    return (zw_llvm_trig){e->l, e->context, e->module, e->builder, e->value, e->lanes};
}

static void inline_sincos(emitter *e, LLVMValueRef a, LLVMValueRef result[2]) {
    const zw_llvm_trig trig = trig_of(e);
    LLVMValueRef size;
    zw_llvm_sincos(&trig, a, result, &size);
    e->size = e->size ? e->l->LLVMBuildFAdd(e->builder, e->size, size, "") : size;
}

/* Both results of sincos of a: in place, by the scalar function or SLEEF's; false if there is
 * none. */
static bool call_sincos(emitter *e, LLVMValueRef a, LLVMValueRef result[2]) {
    const zw_llvm_api *l = e->l;
    if (e->inlined) {
        inline_sincos(e, a, result);
        return true;
    }
    LLVMTypeRef none = l->LLVMVoidTypeInContext(e->context);
    LLVMValueRef part[2][8];
    int n = e->lanes == 1 ? 1 : e->own_trig ? ZW_TRIG_LANES : e->sleef_lanes;
    void (*libm_sincos)(double, double *, double *) = sincos;
    uintptr_t at = n == 1        ? (uintptr_t)libm_sincos
                   : e->own_trig ? zw_lane_trig(ZW_LANE_SINCOS)
                                 : sleef_address(e, "sincos");
    if (!at)
        return false;
    for (int i = 0; i < e->lanes / n; i++) {
        LLVMValueRef v = part_of(e, a, i * n, n), p0 = e->pair[0];
        if (n == 1) {
            LLVMTypeRef type[3] = {e->real, e->pointer, e->pointer};
            LLVMValueRef argument[3] = {v, e->pair[0], e->pair[1]};
            call_address(e, at, none, 3, type, argument, false);
        } else { /* a struct of two vectors is returned in memory, whose address is passed first */
            LLVMTypeRef type[2] = {l->LLVMPointerType(vector_type(e, n), 0), vector_type(e, n)};
            LLVMValueRef argument[2] = {p0, v};
            call_address(e, at, none, 2, type, argument, false);
        }
        part[0][i] = l->LLVMBuildLoad2(e->builder, vector_type(e, n), p0, "");
        part[1][i] = l->LLVMBuildLoad2(e->builder, vector_type(e, n), e->pair[1], "");
    }
    result[0] = join_parts(e, part[0], n);
    result[1] = join_parts(e, part[1], n);
    return true;
}

/* The instruction after `i` that computes the other one of sine and cosine of the same place before
 * it is overwritten; -1 if there is none. */
static int find_partner(const zw_code *code, int i) {
    const zw_instruction *in = &code->instruction[i];
    uint32_t other = in->op == ZW_CODE_SIN ? ZW_CODE_COS : ZW_CODE_SIN;
    if (in->to == in->a)
        return -1;
    for (int k = i + 1; k < code->ninstruction; k++) {
        const zw_instruction *next = &code->instruction[k];
        if (next->op == other && next->a == in->a)
            return k;
        if (next->to == in->a)
            return -1;
    }
    return -1;
}

static LLVMValueRef sine_or_cosine(emitter *e, int i, LLVMValueRef a) {
    const zw_instruction *in = &e->code->instruction[i];
    int partner = find_partner(e->code, i);
    LLVMValueRef both[2];
    if ((partner < 0 && !e->inlined) || !call_sincos(e, a, both))
        return call_function(e, (zw_opcode)in->op, a, NULL);
    bool sine = in->op == ZW_CODE_SIN;
    if (partner >= 0)
        e->ready[partner] = both[sine ? 1 : 0];
    return both[sine ? 0 : 1];
}

static LLVMValueRef emit_compare(const emitter *e, LLVMRealPredicate how, LLVMValueRef a,
                                 LLVMValueRef b) {
    return e->l->LLVMBuildFCmp(e->builder, how, a, b, "");
}

static LLVMValueRef emit_select(const emitter *e, LLVMValueRef test, LLVMValueRef a,
                                LLVMValueRef b) {
    return e->l->LLVMBuildSelect(e->builder, test, a, b, "");
}

/* 1 or 0 as a number */
static LLVMValueRef truth_value(const emitter *e, LLVMValueRef test) {
    return emit_select(e, test, make_constant(e, 1), make_constant(e, 0));
}

static LLVMValueRef is_true(const emitter *e, LLVMValueRef a) {
    return emit_compare(e, LLVMRealUNE, a, make_constant(e, 0));
}

/* follows zw_code_apply row by row */
static LLVMValueRef emit_operation(emitter *e, int i, LLVMValueRef a, LLVMValueRef b,
                                   LLVMValueRef c) {
    const zw_llvm_api *l = e->l;
    const zw_instruction *in = &e->code->instruction[i];
    switch ((zw_opcode)in->op) {
    case ZW_CODE_MOVE:
        return a;
    case ZW_CODE_NEG:
        return emit_negative(e, a);
    case ZW_CODE_ADD:
        return l->LLVMBuildFAdd(e->builder, a, b, "");
    case ZW_CODE_SUB:
        return l->LLVMBuildFSub(e->builder, a, b, "");
    case ZW_CODE_MUL:
        return l->LLVMBuildFMul(e->builder, a, b, "");
    case ZW_CODE_DIV:
        return l->LLVMBuildFDiv(e->builder, a, b, "");
    case ZW_CODE_MULADD:
        return fma_of(e, a, b, c);
    case ZW_CODE_MULSUB:
        return fma_of(e, a, b, emit_negative(e, c));
    case ZW_CODE_SUBMUL:
        return fma_of(e, emit_negative(e, a), b, c);
    case ZW_CODE_SQRT:
        return call_of_one(e, "llvm.sqrt", a);
    case ZW_CODE_ABS:
        return call_of_one(e, "llvm.fabs", a);
    case ZW_CODE_SIN:
    case ZW_CODE_COS:
        return sine_or_cosine(e, i, a);
    case ZW_CODE_SIGN:
        return emit_select(e, emit_compare(e, LLVMRealOGT, a, make_constant(e, 0)),
                           make_constant(e, 1),
                           emit_select(e, emit_compare(e, LLVMRealOLT, a, make_constant(e, 0)),
                                       make_constant(e, -1), a));
    case ZW_CODE_MIN:
        return emit_select(e, emit_compare(e, LLVMRealOLT, b, a), b, a);
    case ZW_CODE_MAX:
        return emit_select(e, emit_compare(e, LLVMRealOGT, b, a), b, a);
    case ZW_CODE_LT:
        return truth_value(e, emit_compare(e, LLVMRealOLT, a, b));
    case ZW_CODE_LE:
        return truth_value(e, emit_compare(e, LLVMRealOLE, a, b));
    case ZW_CODE_NOT:
        return truth_value(e, emit_compare(e, LLVMRealOEQ, a, make_constant(e, 0)));
    case ZW_CODE_AND:
        return truth_value(e, l->LLVMBuildAnd(e->builder, is_true(e, a), is_true(e, b), ""));
    case ZW_CODE_OR:
        return truth_value(e, l->LLVMBuildOr(e->builder, is_true(e, a), is_true(e, b), ""));
    case ZW_CODE_SELECT:
        return emit_select(e, is_true(e, a), b, c);
    case ZW_CODE_TABLE:
        return call_table(e, in, a);
    case ZW_CODE_PATCH:
        return call_patch(e, (LLVMValueRef[]){a, b, c});
    default:
        return call_function(e, (zw_opcode)in->op, a, b);
    }
}

static void emit_instruction(emitter *e, int i) {
    const zw_instruction *in = &e->code->instruction[i];
    LLVMValueRef v = e->ready[i];
    if (!v) {
        int arity = zw_code_arity((zw_opcode)in->op);
        LLVMValueRef a = load_place(e, in->a);
        LLVMValueRef b = arity > 1 ? load_place(e, in->b) : NULL;
        LLVMValueRef c = arity > 2 ? load_place(e, in->c) : NULL;
        v = emit_operation(e, i, a, b, c);
    }
    store_place(e, in->to, v);
}

/* tables of the values of the places, as large as the largest index used */
static bool allocate_places(emitter *e, zw_arena *scratch) {
    const zw_code *code = e->code;
    int size[ZW_SPACE_COUNT] = {0};
    for (int i = 0; i < code->ninstruction; i++) {
        const zw_instruction *in = &code->instruction[i];
        int arity = zw_code_arity((zw_opcode)in->op);
        zw_operand o[4] = {in->to, in->a, in->b, in->c};
        for (int k = 0; k <= arity; k++)
            if (zw_operand_index(o[k]) >= size[zw_operand_space(o[k])])
                size[zw_operand_space(o[k])] = zw_operand_index(o[k]) + 1;
    }
    for (int s = 0; s < ZW_SPACE_COUNT; s++) {
        e->place[s] = ZW_NEW(scratch, LLVMValueRef, size[s] + 1);
        e->used[s] = size[s] > 0;
    }
    e->ready = ZW_NEW(scratch, LLVMValueRef, code->ninstruction + 1);
    return !scratch->failed;
}

/* the pointers in zw_args, which the order of the spaces follows */
static void load_bases(emitter *e) {
    const zw_llvm_api *l = e->l;
    LLVMValueRef args = l->LLVMGetParam(e->function, ARGS);
    e->base[ZW_SPACE_OUT] = l->LLVMGetParam(e->function, OUT);
    for (int i = 0; i < ZW_SPACE_INPUTS; i++) {
        int space = ZW_SPACE_FIRST_INPUT + i;
        if (!e->used[space])
            continue;
        LLVMValueRef at = l->LLVMConstInt(e->index, (unsigned long long)i, 0);
        LLVMValueRef from = l->LLVMBuildInBoundsGEP2(e->builder, e->pointer, args, &at, 1, "");
        e->base[space] = l->LLVMBuildLoad2(e->builder, e->pointer, from, "");
    }
}

static void begin_function(emitter *e, const char *symbol) {
    const zw_llvm_api *l = e->l;
    LLVMTypeRef parameter[PARAMETERS];
    for (int i = 0; i < PARAMETERS; i++)
        parameter[i] = e->pointer;
    parameter[ARGS] = l->LLVMPointerType(e->pointer, 0);
    LLVMTypeRef type =
        l->LLVMFunctionType(l->LLVMVoidTypeInContext(e->context), parameter, PARAMETERS, 0);
    e->function = l->LLVMAddFunction(e->module, symbol, type);
    l->LLVMAddAttributeAtIndex(e->function, LLVMAttributeFunctionIndex,
                               make_attribute(e, "nounwind"));
    l->LLVMAddAttributeAtIndex(e->function, OUT + 1, make_attribute(e, "noalias"));
    l->LLVMPositionBuilderAtEnd(e->builder,
                                l->LLVMAppendBasicBlockInContext(e->context, e->function, ""));
    load_bases(e);
    /* one block for both results, since SLEEF returns them together */
    int n = e->own_trig ? ZW_TRIG_LANES : e->sleef_lanes ? e->sleef_lanes : 1;
    LLVMTypeRef part = vector_type(e, n), two = l->LLVMVectorType(e->real, 2 * (unsigned)n);
    LLVMValueRef block = l->LLVMBuildAlloca(e->builder, two, "");
    l->LLVMSetAlignment(block, 64);
    e->pair[0] = l->LLVMBuildBitCast(e->builder, block, l->LLVMPointerType(part, 0), "");
    LLVMValueRef second = l->LLVMConstInt(e->index, 1, 0);
    e->pair[1] = l->LLVMBuildInBoundsGEP2(e->builder, part, e->pair[0], &second, 1, "");
}

/* The end of a function whose sines and cosines are computed in place: if an argument is out of
 * range in any lane, `other` computes everything again. */
static void return_if_in_range(emitter *e, LLVMValueRef other) {
    const zw_llvm_api *l = e->l;
    LLVMBasicBlockRef again = l->LLVMAppendBasicBlockInContext(e->context, e->function, ""),
                      done = l->LLVMAppendBasicBlockInContext(e->context, e->function, "");
    LLVMTypeRef bits = l->LLVMIntTypeInContext(e->context, (unsigned)e->lanes),
                type[PARAMETERS] = {e->pointer, l->LLVMPointerType(e->pointer, 0), e->pointer,
                                    e->pointer};
    const zw_llvm_trig trig = trig_of(e);
    LLVMValueRef strange = zw_llvm_is_out_of_range(&trig, e->size), argument[PARAMETERS],
                 some = l->LLVMBuildBitCast(e->builder, strange, bits, "");
    for (unsigned i = 0; i < PARAMETERS; i++)
        argument[i] = l->LLVMGetParam(e->function, i);
    l->LLVMBuildCondBr(
        e->builder, l->LLVMBuildICmp(e->builder, LLVMIntNE, some, l->LLVMConstInt(bits, 0, 0), ""),
        again, done);
    l->LLVMPositionBuilderAtEnd(e->builder, again);
    l->LLVMBuildCall2(
        e->builder, l->LLVMFunctionType(l->LLVMVoidTypeInContext(e->context), type, PARAMETERS, 0),
        other, argument, PARAMETERS, "");
    l->LLVMBuildRetVoid(e->builder);
    l->LLVMPositionBuilderAtEnd(e->builder, done);
}

static int count_trig(const zw_code *code) {
    int n = 0;
    for (int i = 0; i < code->ninstruction; i++)
        n += code->instruction[i].op == ZW_CODE_SIN || code->instruction[i].op == ZW_CODE_COS;
    return n;
}

/* other: the function that does the same with calls, if this one is without */
static zw_status emit_function(emitter *e, const char *symbol, LLVMValueRef other,
                               zw_arena *scratch) {
    const zw_llvm_api *l = e->l;
    zw_arena_mark mark = zw_arena_mark_now(scratch);
    if (!allocate_places(e, scratch))
        return ZW_E_MEMORY;
    e->inlined = other != NULL;
    e->builder = l->LLVMCreateBuilderInContext(e->context);
    begin_function(e, symbol);
    for (int i = 0; i < e->code->ninstruction; i++)
        emit_instruction(e, i);
    if (e->size)
        return_if_in_range(e, other);
    l->LLVMBuildRetVoid(e->builder);
    l->LLVMDisposeBuilder(e->builder);
    zw_arena_release(scratch, mark);
    return ZW_OK;
}

zw_status zw_llvm_emit(const zw_llvm_api *api, LLVMContextRef context, LLVMModuleRef module,
                       const char *symbol, const zw_code *code, int lanes, bool hot,
                       zw_arena *scratch) {
    emitter e = {.l = api, .code = code, .context = context, .module = module, .lanes = lanes};
    e.real = api->LLVMDoubleTypeInContext(context);
    e.value = vector_type(&e, lanes);
    e.index = api->LLVMInt64TypeInContext(context);
    e.pointer = api->LLVMPointerType(e.real, 0);
    e.sleef_lanes = sleef_lanes(&e);
    e.own_trig = lanes > 1 && has_feature(&e, "+avx2") && has_feature(&e, "+fma") &&
                 zw_lane_trig(ZW_LANE_SINCOS) != 0;
    LLVMValueRef by_calls = NULL;
    int trig = e.own_trig && hot ? count_trig(code) : 0;
    if (trig > 0 && trig <= IN_PLACE_MOST) {
        char name[64];
        emitter slow = e;
        snprintf(name, sizeof name, "%s_by_calls", symbol);
        ZW_TRY(emit_function(&slow, name, NULL, scratch));
        by_calls = slow.function;
        /* it is hardly ever called: without optimisation */
        api->LLVMAddAttributeAtIndex(by_calls, LLVMAttributeFunctionIndex,
                                     make_attribute(&e, "noinline"));
        api->LLVMAddAttributeAtIndex(by_calls, LLVMAttributeFunctionIndex,
                                     make_attribute(&e, "optnone"));
    }
    return emit_function(&e, symbol, by_calls, scratch);
}
