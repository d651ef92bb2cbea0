/* SPDX-License-Identifier: MIT */
/* The operations of lane_trig.c, one by one, in generated code: around a call, storing and loading
 * registers takes as long as the function itself, and its operations are not interleaved with the
 * others. Arguments that are too large, or NaN, are reported and not treated. */
#include "llvm_trig.h"

#include <string.h>

#include "base/processor.h"
#include "lane_trig.h"

uintptr_t zw_lane_trig(zw_lane_function which) {
    return zw_processor_fuses() ? (uintptr_t)zw_lane_trig_code[which] : 0;
}

/* The table of constants. Its address is read from memory, so that all of them are at small
 * distances from one register, and the fence (for the compiler only, it is no instruction)
 * separates reads after it from earlier ones: each constant becomes part of the operation that
 * needs it. In registers for the next sine they would be stored and read again, since there are
 * more constants than registers. */
static LLVMValueRef open_table(const zw_llvm_trig *e) {
    static const double(*const table)[ZW_TRIG_COPIES] = zw_trig_table;
    const zw_llvm_api *l = e->l;
    LLVMTypeRef pointer = l->LLVMPointerType(e->value, 0),
                i64 = l->LLVMInt64TypeInContext(e->context);
    LLVMValueRef at = l->LLVMConstIntToPtr(l->LLVMConstInt(i64, (uintptr_t)&table, 0),
                                           l->LLVMPointerType(pointer, 0));
    l->LLVMBuildFence(e->builder, LLVMAtomicOrderingSequentiallyConsistent, 1, "");
    return l->LLVMBuildLoad2(e->builder, pointer, at, "");
}

static LLVMValueRef load_number(const zw_llvm_trig *e, LLVMValueRef table, zw_trig_number which) {
    const zw_llvm_api *l = e->l;
    LLVMValueRef entry =
        l->LLVMConstInt(l->LLVMInt64TypeInContext(e->context),
                        (unsigned long long)which * ZW_TRIG_COPIES / (unsigned)e->lanes, 0);
    LLVMValueRef v =
        l->LLVMBuildLoad2(e->builder, e->value,
                          l->LLVMBuildInBoundsGEP2(e->builder, e->value, table, &entry, 1, ""), "");
    l->LLVMSetAlignment(v, (unsigned)e->lanes * sizeof(double));
    return v;
}

static LLVMTypeRef whole_type(const zw_llvm_trig *e) {
    return e->l->LLVMVectorType(e->l->LLVMInt64TypeInContext(e->context), (unsigned)e->lanes);
}

static LLVMValueRef all_whole(const zw_llvm_trig *e, unsigned long long k) {
    LLVMValueRef c = e->l->LLVMConstInt(e->l->LLVMInt64TypeInContext(e->context), k, 0), v[8];
    for (int i = 0; i < e->lanes; i++)
        v[i] = c;
    return e->l->LLVMConstVector(v, (unsigned)e->lanes);
}

static LLVMValueRef call_intrinsic(const zw_llvm_trig *e, const char *name, int n,
                                   LLVMValueRef *a) {
    const zw_llvm_api *l = e->l;
    LLVMTypeRef type[3] = {e->value, e->value, e->value};
    unsigned id = l->LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = l->LLVMGetIntrinsicDeclaration(e->module, id, type, 1);
    return l->LLVMBuildCall2(e->builder, l->LLVMFunctionType(e->value, type, (unsigned)n, 0), f, a,
                             (unsigned)n, "");
}

#define ADD(a, b) e->l->LLVMBuildFAdd(e->builder, a, b, "")
#define SUB(a, b) e->l->LLVMBuildFSub(e->builder, a, b, "")
#define MUL(a, b) e->l->LLVMBuildFMul(e->builder, a, b, "")
#define NEG(a) e->l->LLVMBuildFNeg(e->builder, a, "")
#define FMA(a, b, c) call_intrinsic(e, "llvm.fma", 3, (LLVMValueRef[]){a, b, c})
#define FNMA(a, b, c) FMA(NEG(a), b, c)
#define N(name) load_number(e, table, ZW_TRIG_##name)

/* v with its sign changed where the highest bit of `bits` is set */
static LLVMValueRef signed_by(const zw_llvm_trig *e, LLVMValueRef v, LLVMValueRef bits) {
    const zw_llvm_api *l = e->l;
    LLVMValueRef sign = l->LLVMBuildAnd(e->builder, bits, all_whole(e, 1ULL << 63), "");
    LLVMValueRef whole = l->LLVMBuildBitCast(e->builder, v, whole_type(e), "");
    return l->LLVMBuildBitCast(e->builder, l->LLVMBuildXor(e->builder, whole, sign, ""), e->value,
                               "");
}

static void put_in_quadrant(const zw_llvm_trig *e, LLVMValueRef whole, LLVMValueRef sine,
                            LLVMValueRef cosine, LLVMValueRef result[2]) {
    const zw_llvm_api *l = e->l;
    LLVMValueRef quadrant = l->LLVMBuildBitCast(e->builder, whole, whole_type(e), "");
    LLVMValueRef low = l->LLVMBuildShl(e->builder, quadrant, all_whole(e, 63), ""),
                 high = l->LLVMBuildShl(e->builder, quadrant, all_whole(e, 62), "");
    LLVMValueRef odd = l->LLVMBuildICmp(e->builder, LLVMIntSLT, low, all_whole(e, 0), "");
    result[0] = signed_by(e, l->LLVMBuildSelect(e->builder, odd, cosine, sine, ""), high);
    result[1] = signed_by(e, l->LLVMBuildSelect(e->builder, odd, sine, cosine, ""),
                          l->LLVMBuildXor(e->builder, high, low, ""));
}

void zw_llvm_sincos(const zw_llvm_trig *e, LLVMValueRef x, LLVMValueRef result[2],
                    LLVMValueRef *size) {
    const LLVMValueRef table = open_table(e);
    const LLVMValueRef shift = N(ROUND), whole = FMA(x, N(TURNS), shift);
    const LLVMValueRef k = SUB(whole, shift), r1 = FNMA(k, N(P1), x), r = FNMA(k, N(P2), r1);
    const LLVMValueRef rest = FNMA(k, N(P2), SUB(r1, r)), s = FNMA(k, N(P3), rest);
    const LLVMValueRef z = MUL(r, r), zz = MUL(z, z);
    const LLVMValueRef odd = ZW_TRIG_POLYNOMIAL(S), even = ZW_TRIG_POLYNOMIAL(C);
    const LLVMValueRef half = MUL(z, N(HALF)), head = SUB(N(ONE), half);
    const LLVMValueRef lost = SUB(SUB(N(ONE), head), half);
    const LLVMValueRef sine = ADD(r, FMA(MUL(r, z), odd, s));
    const LLVMValueRef cosine = ADD(head, FMA(zz, even, FNMA(r, s, lost)));
    put_in_quadrant(e, whole, sine, cosine, result);
    *size = call_intrinsic(e, "llvm.fabs", 1, &x);
}

LLVMValueRef zw_llvm_is_out_of_range(const zw_llvm_trig *e, LLVMValueRef size) {
    LLVMValueRef table = open_table(e);
    return e->l->LLVMBuildFCmp(e->builder, LLVMRealUGE, size, N(LARGEST), "");
}
