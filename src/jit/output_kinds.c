/* SPDX-License-Identifier: MIT */
/* The dependence of the outputs of a function, from its code: from front to back, values computed
 * from constants and the cache only are fixed, and an output that is a copy of the constant zero is
 * always zero. Places of WORK are reused, so the last value stored there counts. */
#include "output_kinds.h"

static unsigned char kind_of(const zw_code *code, zw_operand o, const unsigned char *out,
                             const unsigned char *work) {
    int i = zw_operand_index(o);
    switch (zw_operand_space(o)) {
    case ZW_SPACE_OUT:
        return out[i];
    case ZW_SPACE_WORK:
        return work[i];
    case ZW_SPACE_CONST:
        return code->constant[i] == 0 ? ZW_OUTPUT_ZERO : ZW_OUTPUT_FIXED;
    case ZW_SPACE_CACHE:
    case ZW_SPACE_P:
        return ZW_OUTPUT_FIXED;
    default:
        return ZW_OUTPUT_VARIES;
    }
}

void zw_code_kinds(const zw_code *code, unsigned char *out, unsigned char *work) {
    for (int i = 0; i < code->nout; i++)
        out[i] = ZW_OUTPUT_VARIES;
    for (int k = 0; k < code->ninstruction; k++) {
        const zw_instruction *s = &code->instruction[k];
        const zw_operand from[] = {s->a, s->b, s->c};
        int arity = zw_code_arity((zw_opcode)s->op);
        unsigned char kind = ZW_OUTPUT_FIXED;
        for (int i = 0; i < arity; i++)
            if (kind_of(code, from[i], out, work) == ZW_OUTPUT_VARIES)
                kind = ZW_OUTPUT_VARIES;
        if (s->op == ZW_CODE_MOVE)
            kind = kind_of(code, s->a, out, work);
        else if (arity == 0)
            kind = ZW_OUTPUT_VARIES;
        *(zw_operand_space(s->to) == ZW_SPACE_OUT ? &out[zw_operand_index(s->to)]
                                                  : &work[zw_operand_index(s->to)]) = kind;
    }
}
