/* SPDX-License-Identifier: MIT */
/* Calls and members: functions of numbers and vectors, frame(vector), body.origin, lambda(c). */
#include <stdio.h>
#include <string.h>

#include "base/option.h"
#include "model.h"

/* The effect of a function of the operator table on dimensions. */
typedef enum unit_rule {
    PLAIN, /* plain numbers to a plain number */
    KEEP,  /* equal units, which are also those of the result */
    FORGET /* equal units to a plain number */
} unit_rule;

typedef struct function_row {
    const char *name;
    zw_op op;
    int arity;
    unit_rule rule;
} function_row;

static const function_row functions[] = {
    {"sin", ZW_OP_SIN, 1, PLAIN},      {"cos", ZW_OP_COS, 1, PLAIN},
    {"tan", ZW_OP_TAN, 1, PLAIN},      {"asin", ZW_OP_ASIN, 1, PLAIN},
    {"acos", ZW_OP_ACOS, 1, PLAIN},    {"atan", ZW_OP_ATAN, 1, PLAIN},
    {"sinh", ZW_OP_SINH, 1, PLAIN},    {"cosh", ZW_OP_COSH, 1, PLAIN},
    {"tanh", ZW_OP_TANH, 1, PLAIN},    {"asinh", ZW_OP_ASINH, 1, PLAIN},
    {"acosh", ZW_OP_ACOSH, 1, PLAIN},  {"atanh", ZW_OP_ATANH, 1, PLAIN},
    {"exp", ZW_OP_EXP, 1, PLAIN},      {"log", ZW_OP_LOG, 1, PLAIN},
    {"abs", ZW_OP_ABS, 1, KEEP},       {"sign", ZW_OP_SIGN, 1, FORGET},
    {"atan2", ZW_OP_ATAN2, 2, FORGET}, {"min", ZW_OP_MIN, 2, KEEP},
    {"max", ZW_OP_MAX, 2, KEEP},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const char *const others[] = {"sqrt",   "dot",      "cross",   "norm", "if",
                                     "lambda", "integral", "partial", "value"};
enum { OTHERS = sizeof others / sizeof *others };

int zw_function_names(const char **names) {
    for (int i = 0; i < FUNCTIONS; i++)
        names[i] = functions[i].name;
    for (int i = 0; i < OTHERS; i++)
        names[FUNCTIONS + i] = others[i];
    return FUNCTIONS + OTHERS;
}

const char *zw_function_elsewhere(const char *name) {
    static const struct {
        const char *name, *here;
    } elsewhere[] = {
        {"ln", "log(x), the natural logarithm"},
        {"log10", "log(x)/log(10)"},
        {"log2", "log(x)/log(2)"},
        {"lg", "log(x)/log(10)"},
        {"pow", "x^y"},
        {"arcsin", "asin(x)"},
        {"arccos", "acos(x)"},
        {"arctan", "atan(x), or atan2(y, x)"},
        {"arctan2", "atan2(y, x)"},
        {"arsinh", "asinh(x)"},
        {"arcosh", "acosh(x)"},
        {"artanh", "atanh(x)"},
        {"sgn", "sign(x)"},
        {"fabs", "abs(x)"},
        {"cot", "1/tan(x)"},
        {"sec", "1/cos(x)"},
        {"csc", "1/sin(x)"},
        {"sqr", "x^2"},
        {"cbrt", "x^(1/3)"},
        {"magnitude", "norm(a)"},
        {"length", "norm(a)"},
        {"deg", "the unit: 30 [deg]"},
        {"radians", "the unit: 30 [deg]"},
        {"diff", "primes: x' is the rate of x"},
        {"der", "primes: x' is the rate of x"},
    };
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strcmp(elsewhere[i].name, name) == 0)
            return elsewhere[i].here;
    return NULL;
}

bool zw_is_function(const char *name) {
    const char *names[FUNCTIONS + OTHERS];
    for (int i = 0, n = zw_function_names(names); i < n; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static zw_status count_arguments(zw_model *m, const zw_syntax *node, int wanted) {
    if (node->n == wanted)
        return ZW_OK;
    return zw_fail_at(m->err, ZW_E_SYNTAX, node->place, "%s takes %d argument%s, not %d",
                      node->name, wanted, wanted == 1 ? "" : "s", node->n);
}

static zw_status apply_function(zw_model *m, const zw_syntax *node, const function_row *row,
                                zw_quantity *out) {
    zw_expr args[2];
    zw_dim none = zw_dim_none(), common = zw_dim_any();
    ZW_TRY(count_arguments(m, node, row->arity));
    for (int i = 0; i < row->arity; i++) {
        zw_quantity v;
        ZW_TRY(zw_model_eval(m, node->arg[i], &v));
        if (v.n > 1) {
            zw_fail_at(m->err, ZW_E_SYNTAX, node->arg[i]->place, "%s of a vector", node->name);
            zw_error_hint(m->err, "take a component, a.x, or its length, norm(a)");
            return ZW_E_SYNTAX;
        }
        if (row->rule == PLAIN && !zw_model_fits(m, &v.d[0], &none)) {
            char fmt[80];
            snprintf(fmt, sizeof fmt, "the argument of %s is %%s and must be %%s or an angle",
                     row->name);
            zw_model_unit_mismatch(m, node->arg[i]->place, fmt, &v.d[0], &none);
            zw_error_hint(m->err, "divide by a reference of the same unit: %s(x/x0)", row->name);
            return ZW_E_UNIT;
        }
        if (!zw_model_fits(m, &v.d[0], &common))
            return zw_model_unit_mismatch(m, node->arg[i]->place,
                                          "one argument is %s, the next is %s", &common, &v.d[0]);
        if (common.any)
            common = v.d[0];
        args[i] = v.e[0];
    }
    *out = zw_quantity_scalar(zw_apply(m->ctx, row->op, row->arity, args),
                              row->rule == KEEP ? common : none);
    return ZW_OK;
}

static zw_status square_root(zw_model *m, zw_place place, zw_quantity *v) {
    zw_dim d;
    if (!zw_dim_power(&d, &v->d[0], 1, 2))
        return zw_fail_at(m->err, ZW_E_UNIT, place, "the unit is out of all proportion");
    *v = zw_quantity_scalar(zw_sqrt(m->ctx, v->e[0]), d);
    return ZW_OK;
}

static zw_status eval_sqrt(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    ZW_TRY(count_arguments(m, node, 1));
    ZW_TRY(zw_model_eval(m, node->arg[0], out));
    if (out->n > 1)
        return zw_fail_at(m->err, ZW_E_SYNTAX, node->arg[0]->place, "sqrt of a vector");
    return square_root(m, node->place, out);
}

static zw_status eval_dot(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    zw_quantity a, b;
    ZW_TRY(count_arguments(m, node, 2));
    ZW_TRY(zw_model_eval(m, node->arg[0], &a));
    ZW_TRY(zw_model_eval(m, node->arg[1], &b));
    return zw_quantity_combine(m, node->place, '.', &a, &b, out);
}

static zw_status eval_norm(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    zw_quantity a;
    ZW_TRY(count_arguments(m, node, 1));
    ZW_TRY(zw_model_eval(m, node->arg[0], &a));
    ZW_TRY(zw_quantity_combine(m, node->place, '.', &a, &a, out));
    return square_root(m, node->place, out);
}

static zw_status eval_cross(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    zw_expr a[3], b[3], c[3];
    zw_dim da, db, d;
    ZW_TRY(count_arguments(m, node, 2));
    ZW_TRY(zw_model_vector(m, node->arg[0], "a factor of cross", NULL, a, &da));
    ZW_TRY(zw_model_vector(m, node->arg[1], "a factor of cross", NULL, b, &db));
    if (!zw_dim_combine(&d, &da, &db, 1))
        return zw_fail_at(m->err, ZW_E_UNIT, node->place, "the unit is out of all proportion");
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = zw_sub(m->ctx, zw_mul(m->ctx, a[j], b[k]), zw_mul(m->ctx, a[k], b[j]));
    }
    *out = zw_vector_value(c, d);
    return ZW_OK;
}

/* if(test, a, b), componentwise for vectors */
static zw_status eval_if(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    zw_expr test;
    zw_quantity a, b;
    zw_dim none = zw_dim_none();
    ZW_TRY(count_arguments(m, node, 3));
    ZW_TRY(zw_model_scalar(m, node->arg[0], "a condition", &none, &test));
    ZW_TRY(zw_model_eval(m, node->arg[1], &a));
    ZW_TRY(zw_model_eval(m, node->arg[2], &b));
    if (a.n != b.n)
        return zw_fail_at(m->err, ZW_E_SYNTAX, node->place, "if between %d components and %d", a.n,
                          b.n);
    *out = (zw_quantity){.n = a.n};
    for (int k = 0; k < a.n; k++) {
        if (!zw_model_fits(m, &a.d[k], &b.d[k]))
            return zw_model_unit_mismatch(
                m, node->place, "the first choice of if is %s, the second is %s", &a.d[k], &b.d[k]);
        out->e[k] = zw_cond(m->ctx, test, a.e[k], b.e[k]);
        out->d[k] = a.d[k].any ? b.d[k] : a.d[k];
    }
    return ZW_OK;
}

/* frame(a, b, c): components in the frame to inertial ones */
static zw_status eval_turn(zw_model *m, const zw_syntax *node, const zw_entry *e,
                           zw_quantity *out) {
    int frame = e->frame;
    zw_syntax tuple = {.kind = ZW_ND_TUPLE, .place = node->place, .n = node->n, .arg = node->arg};
    zw_expr own[3], inertial[3];
    zw_dim d;
    ZW_TRY(zw_model_vector(m, node->n == 1 ? node->arg[0] : &tuple, "what a frame turns", NULL, own,
                           &d));
    zw_frame_vector(m->sys, frame, own, inertial);
    *out = zw_vector_value(inertial, d);
    return ZW_OK;
}

typedef struct call_row {
    const char *name;
    zw_status (*eval)(zw_model *m, const zw_syntax *node, zw_quantity *out);
} call_row;

static const call_row calls[] = {
    {"sqrt", eval_sqrt}, {"dot", eval_dot}, {"cross", eval_cross},
    {"norm", eval_norm}, {"if", eval_if},
};

zw_status zw_eval_call(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    for (int i = 0; i < FUNCTIONS; i++)
        if (strcmp(functions[i].name, node->name) == 0)
            return apply_function(m, node, &functions[i], out);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].name, node->name) == 0)
            return calls[i].eval(m, node, out);
    if (zw_is_claimed(m, node->name))
        return zw_eval_claimed(m, node, out);
    bool known = zw_model_find(m, node->name);
    if (!known && zw_is_contact_function(node->name))
        return zw_eval_contact(m, node, out);
    if (!known && zw_is_field_function(node->name))
        return zw_eval_field(m, node, out);
    if (!known)
        return zw_model_unknown(m, "function or frame", node->name, node->place);
    zw_entry *e;
    ZW_TRY(zw_model_resolve(m, node->name, node->place, &e));
    if (e->frame >= 0)
        return eval_turn(m, node, e, out);
    zw_fail_at(m->err, ZW_E_SYNTAX, node->place, "the %s '%s' is not a function",
               zw_stmt_word(e->kind), node->name);
    zw_error_hint(m->err, "a product needs its sign: %s*(...)", node->name);
    return ZW_E_SYNTAX;
}

/* ----------------------------------------------------------------------------------- members */

zw_status zw_model_frame(zw_model *m, const char *name, zw_place place, int *frame) {
    if (strcmp(name, "inertial") == 0) {
        *frame = 0;
        return ZW_OK;
    }
    zw_entry *e;
    ZW_TRY(zw_model_resolve(m, name, place, &e));
    if (e->frame < 0) {
        zw_fail_at(m->err, ZW_E_NAME, place, "'%s' is no frame and no body, but %s %s", name,
                   zw_stmt_article(e->kind), zw_stmt_word(e->kind));
        return ZW_E_NAME;
    }
    *frame = e->frame;
    return ZW_OK;
}

static zw_dim spin_dim(const zw_model *m) {
    zw_dim d = zw_model_dim(m, 0, 0, -1);
    d.angle = 1;
    return d;
}

static int axis_number(const char *name) {
    return name[0] >= 'x' && name[0] <= 'z' && !name[1] ? name[0] - 'x' : -1;
}

/* p0 .. p3 and wx wy wz of a freely rotating frame: its coordinates and velocities */
static bool free_variable(const zw_model *m, int frame, const char *name, zw_quantity *out) {
    const zw_system *s = m->sys;
    char full[200];
    snprintf(full, sizeof full, "%s.%s", s->frame[frame].name, name);
    for (int i = 0; i < s->nq; i++)
        if (strcmp(s->coord[i].name, full) == 0) {
            *out = zw_quantity_scalar(s->coord[i].sym, zw_dim_none());
            return true;
        }
    for (int i = 0; i < s->nv; i++)
        if (strcmp(s->velocity[i].name, full) == 0) {
            *out = zw_quantity_scalar(s->velocity[i].sym, spin_dim(m));
            return true;
        }
    return false;
}

/* the index of Jx, ... in zw_body.J; -1 for other names */
static int inertia_number(const char *name) {
    static const char *const names[] = {"Jx", "Jy", "Jz", "Jxy", "Jxz", "Jyz"};
    for (int i = 0; i < 6; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

static zw_status frame_member(zw_model *m, const zw_syntax *node, const zw_entry *e,
                              zw_quantity *out) {
    const zw_system *s = m->sys;
    const zw_frame *f = &s->frame[e->frame];
    const char *name = node->name;
    int axis = axis_number(name);
    if (axis >= 0) {
        zw_expr own[3] = {ZW_ZERO, ZW_ZERO, ZW_ZERO}, inertial[3];
        own[axis] = ZW_ONE;
        zw_frame_vector(s, e->frame, own, inertial);
        *out = zw_vector_value(inertial, zw_dim_none());
    } else if (strcmp(name, "origin") == 0) {
        *out = zw_vector_value(f->o, zw_model_dim(m, 0, 1, 0));
    } else if (strcmp(name, "w") == 0) {
        zw_expr w[3];
        zw_frame_omega(s, e->frame, w);
        *out = zw_vector_value(w, spin_dim(m));
    } else if (e->body >= 0 && (strcmp(name, "cog") == 0 || strcmp(name, "centre") == 0 ||
                                strcmp(name, "center") == 0)) {
        *out = zw_vector_value(s->body[e->body].r, zw_model_dim(m, 0, 1, 0));
    } else if (e->body >= 0 && strcmp(name, "mass") == 0) {
        *out = zw_quantity_scalar(e->mass, zw_model_dim(m, 1, 0, 0));
    } else if (e->body >= 0 && strcmp(name, "offset") == 0) {
        *out = zw_vector_value(s->body[e->body].cog, zw_model_dim(m, 0, 1, 0));
    } else if (e->body >= 0 && inertia_number(name) >= 0) {
        *out =
            zw_quantity_scalar(s->body[e->body].J[inertia_number(name)], zw_model_dim(m, 1, 2, 0));
    } else if (!free_variable(m, e->frame, name, out)) {
        static const char *const members[] = {"x",        "y",   "z",    "w",      "origin",
                                              "velocity", "cog", "mass", "offset", "Jx",
                                              "Jy",       "Jz",  "Jxy",  "Jxz",    "Jyz"};
        zw_fail_at(m->err, ZW_E_NAME, node->name_place, "the %s '%s' has no member '%s'",
                   zw_stmt_word(e->kind), e->name, name);
        const char *near =
            zw_nearest(name, e->body >= 0 ? (int)(sizeof members / sizeof *members) : 6, members);
        zw_error_hint(m->err,
                      near ? "did you mean %s?"
                           : "members are x, y, z, w, origin, "
                             "velocity(P); of a body also cog, mass, offset, Jx, ..., Jyz",
                      near);
        return ZW_E_NAME;
    }
    return ZW_OK;
}

/* roll.point, roll.slip */
static zw_status rolling_member(zw_model *m, const zw_syntax *node, const zw_entry *e,
                                zw_quantity *out) {
    if (strcmp(node->name, "point") == 0) {
        *out = zw_vector_value(e->touch->point, zw_model_dim(m, 0, 1, 0));
    } else if (strcmp(node->name, "slip") == 0) {
        *out = zw_vector_value(e->touch->slip, zw_model_dim(m, 0, 1, -1));
    } else {
        zw_fail_at(m->err, ZW_E_NAME, node->name_place, "the rolling '%s' has no member '%s'",
                   e->name, node->name);
        zw_error_hint(m->err, "members are point, where it touches, and slip, its velocity there");
        return ZW_E_NAME;
    }
    return ZW_OK;
}

/* the frame, rotation, body or rolling that a node names, or NULL */
static zw_status find_framed(zw_model *m, const zw_syntax *node, zw_entry **out) {
    *out = NULL;
    if (node->kind != ZW_ND_NAME || zw_is_reserved(node->name))
        return ZW_OK;
    zw_entry *e;
    ZW_TRY(zw_model_resolve(m, node->name, node->place, &e));
    if (e->frame >= 0 || e->touch)
        *out = e;
    return ZW_OK;
}

zw_status zw_eval_member(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    zw_entry *e;
    ZW_TRY(find_framed(m, node->arg[0], &e));
    if (e)
        return e->touch ? rolling_member(m, node, e, out) : frame_member(m, node, e, out);
    ZW_TRY(zw_model_eval(m, node->arg[0], out));
    int axis = axis_number(node->name);
    if (axis < 0 || out->n < 2 || out->n > 3) {
        zw_fail_at(m->err, ZW_E_NAME, node->name_place, "%s has no member '%s'",
                   out->n == 1 ? "a scalar" : "a vector", node->name);
        zw_error_hint(m->err, "vectors have x, y, z; bodies and frames have w, origin, ...");
        return ZW_E_NAME;
    }
    bool missing = axis >= out->n; /* the z of a pair */
    *out = missing ? zw_quantity_scalar(ZW_ZERO, zw_dim_any())
                   : zw_quantity_scalar(out->e[axis], out->d[axis]);
    return ZW_OK;
}

/* body.velocity(P): velocity of the point of the body that is at P now */
zw_status zw_eval_method(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    zw_entry *e;
    ZW_TRY(find_framed(m, node->arg[0], &e));
    if (!e || e->touch || strcmp(node->name, "velocity") != 0) {
        zw_fail_at(m->err, ZW_E_NAME, node->name_place, "there is no member function '%s' here",
                   node->name);
        zw_error_hint(m->err, "a body or frame has velocity(P)");
        return ZW_E_NAME;
    }
    int frame = e->frame;
    zw_expr at[3], v[3];
    zw_dim length = zw_model_dim(m, 0, 1, 0);
    ZW_TRY(zw_model_vector(m, node->arg[1], "the point", &length, at, NULL));
    zw_frame_velocity_at(m->sys, frame, at, v);
    *out = zw_vector_value(v, zw_model_dim(m, 0, 1, -1));
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------- multipliers */

/* the dimension of the SI unit of a multiplier; none if the system has no units */
static zw_dim dim_of(const zw_model *m, const char *unit) {
    zw_unit u;
    zw_error ignored = {0};
    return !m->tree.no_units && unit[0] &&
                   zw_unit_parse(&u, unit, strlen(unit), (zw_place){0}, &ignored) >= 0
               ? u.dim
               : zw_dim_none();
}

/* in an expression over a finished system the constraints are those of the system */
static zw_status finished_lambda(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    const zw_system *s = m->sys;
    for (int i = 0; i < s->nconstraint; i++)
        if (strcmp(s->constraint[i].name, node->name) == 0) {
            *out = zw_quantity_scalar(s->constraint[i].lambda,
                                      dim_of(m, s->constraint[i].lambda_unit));
            return ZW_OK;
        }
    for (int i = 0; i < s->nfooting; i++) {
        size_t n = strlen(s->footing[i].name);
        if (s->footing[i].press && strncmp(s->footing[i].name, node->name, n) == 0 &&
            strcmp(node->name + n, ".contact") == 0) {
            *out = zw_quantity_scalar(s->footing[i].press, zw_model_dim(m, 1, 1, -2));
            return ZW_OK;
        }
    }
    return zw_model_unknown(m, "constraint", node->name, node->place);
}

/* the multiplier of equation k of a statement, with its unit */
static zw_status equation_lambda(zw_model *m, const zw_syntax *node, const zw_entry *e, int k,
                                 zw_quantity *out) {
    zw_dim d, work = zw_constraint_work(m, e->value.e[k]);
    if (!zw_dim_combine(&d, &work, &e->value.d[k], -1))
        return zw_fail_at(m->err, ZW_E_UNIT, node->place, "the unit is out of all proportion");
    zw_dim second = zw_model_dim(m, 0, 0, 1);
    if (zw_has_impulses(m) && !zw_dim_combine(&d, &d, &second, 1))
        return zw_fail_at(m->err, ZW_E_UNIT, node->place, "the unit is out of all proportion");
    *out = zw_quantity_scalar(zw_system_lambda(m->sys, node->name), d);
    return zw_note_impulse(m, node->name, out->e[0]);
}

/* lambda(roll.contact), lambda(roll.1): dot points to the name of the part */
static zw_status rolling_lambda(zw_model *m, const zw_syntax *node, const zw_entry *e,
                                const char *dot, zw_quantity *out) {
    for (int k = 0; dot && k < e->value.n; k++)
        if (strcmp(e->touch->suffix[k], dot + 1) == 0)
            return equation_lambda(m, node, e, k, out);
    if (dot && e->touch->press && strcmp(dot + 1, "contact") == 0) {
        *out = zw_quantity_scalar(e->touch->press, zw_model_dim(m, 1, 1, -2));
        return ZW_OK;
    }
    zw_fail_at(m->err, ZW_E_NAME, node->place, "there is no constraint '%s'", node->name);
    char names[120] = "";
    for (int k = 0; k < e->value.n; k++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%.50s.%s", k ? ", " : "",
                 e->name, e->touch->suffix[k]);
    zw_error_hint(m->err, "the rolling '%s' has the constraints %s", e->name, names);
    return ZW_E_NAME;
}

zw_status zw_eval_lambda(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    if (m->sys->finished)
        return finished_lambda(m, node, out);
    const char *dot = strchr(node->name, '.');
    size_t length = dot ? (size_t)(dot - node->name) : strlen(node->name);
    const char *base = zw_intern_n(&m->names, node->name, length);
    if (!base)
        return zw_model_memory(m);
    zw_entry *e = zw_model_find(m, base);
    if (!e || !zw_stmt_constrains(e->kind))
        return zw_model_unknown(m, "constraint", base, node->place);
    ZW_TRY(zw_model_resolve(m, base, node->place, &e));
    if (e->touch)
        return rolling_lambda(m, node, e, dot, out);
    if (e->kind == ZW_ST_CONTACT)
        return zw_contact_lambda(m, node, e, out);
    int number = 0;
    if (dot)
        for (const char *p = dot + 1; *p >= '0' && *p <= '9' && number < 1000; p++)
            number = 10 * number + (*p - '0');
    bool single = e->value.n == 1;
    if (single ? dot != NULL : number < 1 || number > e->value.n) {
        zw_fail_at(m->err, ZW_E_NAME, node->place, "there is no constraint '%s'", node->name);
        zw_error_hint(m->err,
                      single ? "%s is one equation: lambda(%s)"
                             : "%s is several equations: lambda(%s.1), ...",
                      base, base);
        return ZW_E_NAME;
    }
    int k = single ? 0 : number - 1;
    if (e->empty & 1u << k) {
        zw_fail_at(m->err, ZW_E_NAME, node->place, "the equation '%s' is 0 = 0 and has no force",
                   node->name);
        zw_error_hint(m->err, "its other components have: lambda(%s.1), ...", base);
        return ZW_E_NAME;
    }
    return equation_lambda(m, node, e, k, out);
}
