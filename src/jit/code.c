/* SPDX-License-Identifier: MIT */
#include "code.h"

#include <math.h>

#include "base/contensou.h"

static const struct {
    int arity;
    const char *name, *c;
} row[ZW_CODE_COUNT] = {
#define ZW_CODE_ROW(op, arity, name, c) {arity, name, c},
#include "code.def"
#undef ZW_CODE_ROW
};

int zw_code_arity(zw_opcode op) {
    return row[op].arity;
}

const char *zw_code_name(zw_opcode op) {
    return row[op].name;
}

const char *zw_code_c_name(zw_opcode op) {
    return row[op].c;
}

double zw_code_apply(zw_opcode op, double a, double b, double c) {
    switch (op) {
    case ZW_CODE_MOVE:
        return a;
    case ZW_CODE_NEG:
        return -a;
    case ZW_CODE_ADD:
        return a + b;
    case ZW_CODE_SUB:
        return a - b;
    case ZW_CODE_MUL:
        return a * b;
    case ZW_CODE_DIV:
        return a / b;
    case ZW_CODE_MULADD:
        return fma(a, b, c);
    case ZW_CODE_MULSUB:
        return fma(a, b, -c);
    case ZW_CODE_SUBMUL:
        return fma(-a, b, c);
    case ZW_CODE_SQRT:
        return sqrt(a);
    case ZW_CODE_POW:
        return pow(a, b);
    case ZW_CODE_SIN:
        return sin(a);
    case ZW_CODE_COS:
        return cos(a);
    case ZW_CODE_TAN:
        return tan(a);
    case ZW_CODE_ASIN:
        return asin(a);
    case ZW_CODE_ACOS:
        return acos(a);
    case ZW_CODE_ATAN:
        return atan(a);
    case ZW_CODE_SINH:
        return sinh(a);
    case ZW_CODE_COSH:
        return cosh(a);
    case ZW_CODE_TANH:
        return tanh(a);
    case ZW_CODE_ASINH:
        return asinh(a);
    case ZW_CODE_ACOSH:
        return acosh(a);
    case ZW_CODE_ATANH:
        return atanh(a);
    case ZW_CODE_EXP:
        return exp(a);
    case ZW_CODE_LOG:
        return log(a);
    case ZW_CODE_ATAN2:
        return atan2(a, b);
    case ZW_CODE_ABS:
        return fabs(a);
    case ZW_CODE_SIGN:
        return a > 0 ? 1 : a < 0 ? -1 : a; /* NaN stays NaN */
    case ZW_CODE_MIN:
        return b < a ? b : a;
    case ZW_CODE_MAX:
        return b > a ? b : a;
    case ZW_CODE_LT:
        return a < b;
    case ZW_CODE_LE:
        return a <= b;
    case ZW_CODE_NOT:
        return a == 0;
    case ZW_CODE_AND:
        return a != 0 && b != 0;
    case ZW_CODE_OR:
        return a != 0 || b != 0;
    case ZW_CODE_SELECT:
        return a != 0 ? b : c;
    case ZW_CODE_PATCH:
        return zw_patch_value((int)a, b, c);
    case ZW_CODE_CONST:
    case ZW_CODE_INPUT:
    case ZW_CODE_TABLE:
    case ZW_CODE_COUNT:
        break;
    }
    return NAN;
}
