/* SPDX-License-Identifier: MIT */
/* The numbers of the model as C functions of its parameters:
 *
 *     defaults(p)         the values that the model gives
 *     follow(p)           the parameters that are defined by others, again from these
 *     start(t, p, x)      the state at which the model starts
 *     start_completed(x)  the same, completed by the constraints, as numbers, if known
 *     inputs(t, p, u)     the external inputs as the model gives them
 *
 * The value of a parameter may contain other parameters, which may be defined by others too: they
 * are substituted until only numbers remain, so that follow reads no parameter that it writes. The
 * velocities of a principle may differ from the system's (momenta, multipliers): the start values
 * of the system are substituted into their definitions. Entries that the model does not give are 0
 * (quaternions 1, 0, 0, 0). An input is a function of parameters, or a table over time, which is an
 * expression unless it keeps its values between the points (hold). */
#include "base/arena.h"
#include "base/decimal.h"
#include "c_text.h"
#include "emit.h"

typedef struct symbols {
    int n;
    zw_expr *symbol, *value;
} symbols;

static bool reserve_symbols(symbols *s, int n, zw_arena *arena) {
    *s = (symbols){0, ZW_NEW(arena, zw_expr, n), ZW_NEW(arena, zw_expr, n)};
    return s->symbol && s->value;
}

static void add_symbol(symbols *s, zw_expr symbol, zw_expr value) {
    s->symbol[s->n] = symbol;
    s->value[s->n++] = value;
}

static int find_symbol(const symbols *s, zw_expr symbol) {
    for (int i = 0; i < s->n; i++)
        if (s->symbol[i] == symbol)
            return i;
    return -1;
}

static zw_expr substitute(const zw_equations *eq, const symbols *s, zw_expr e) {
    return zw_subst(eq->sys->ctx, e, s->n, s->symbol, s->value);
}

/* the parameters defined by others: their numbers and definitions */
static zw_status find_defined(zw_emit_values *v, zw_expr *made_of, zw_arena *arena) {
    const zw_system *sys = v->eq->sys;
    int *number = ZW_NEW(arena, int, sys->np + 1);
    symbols defined, all;
    if (!number || !reserve_symbols(&defined, sys->np + 1, arena) ||
        !reserve_symbols(&all, sys->np + 1, arena))
        return ZW_E_MEMORY;
    for (int i = 0; i < sys->np; i++) {
        if (zw_depends_any(sys->ctx, sys->param[i].value, all.n, all.symbol)) {
            made_of[defined.n] = substitute(v->eq, &defined, sys->param[i].value);
            number[defined.n] = i;
            add_symbol(&defined, sys->param[i].sym, made_of[defined.n]);
        }
        add_symbol(&all, sys->param[i].sym, ZW_ZERO);
    }
    v->defined = number;
    v->ndefined = defined.n;
    return ZW_OK;
}

/* the start values in the model of the state and of the multipliers */
static void list_start(const zw_equations *eq, symbols *said, bool *given) {
    const zw_system *sys = eq->sys;
    for (int i = 0; i < sys->nq; i++)
        add_symbol(said, sys->coord[i].sym, ZW_ZERO);
    for (int i = 0; i < sys->nv; i++)
        add_symbol(said, sys->velocity[i].sym, ZW_ZERO);
    for (int i = 0; i < sys->nconstraint; i++)
        add_symbol(said, sys->constraint[i].lambda, ZW_ZERO);
    for (int i = 0; i < sys->nframe; i++)
        if (sys->frame[i].quaternion >= 0)
            said->value[sys->frame[i].quaternion] = ZW_ONE;
    for (int i = 0; i < sys->nguess && eq->nstart == sys->nstart; i++) {
        int k = find_symbol(said, sys->guess[i].what);
        if (k >= 0)
            said->value[k] = sys->guess[i].value;
    }
    for (int i = 0; i < eq->nstart; i++) {
        int k = find_symbol(said, sys->start[i].what);
        if (k < 0)
            continue; /* the start of an expression: see start_pos, start_vel */
        said->value[k] = sys->start[i].value;
        given[k] = true;
    }
}

static zw_status find_start(zw_emit_values *v, zw_expr *x, zw_arena *arena) {
    const zw_equations *eq = v->eq;
    const zw_system *sys = eq->sys;
    int n = sys->nq + sys->nv + sys->nconstraint;
    symbols said;
    bool *of_system = ZW_NEW(arena, bool, n + 1);
    bool *given = ZW_NEW(arena, bool, eq->nq + eq->nv + 1);
    if (!reserve_symbols(&said, n + 1, arena) || !of_system || !given)
        return ZW_E_MEMORY;
    list_start(eq, &said, of_system);
    for (int i = 0; i < eq->nq + eq->nv; i++) {
        zw_expr own = i < eq->nq ? eq->q[i] : eq->v[i - eq->nq];
        int k = find_symbol(&said, own);
        given[i] = k >= 0 && of_system[k];
        if (i >= eq->nq && eq->from_system)
            x[i] = substitute(eq, &said, eq->from_system[i - eq->nq]);
        else
            x[i] = said.value[i];
    }
    v->given = given;
    return ZW_OK;
}

static const zw_spline *held_spline(const zw_system *sys, int i) {
    return sys->signal[i].hold ? zw_spline_of(sys->ctx, sys->signal[i].table) : NULL;
}

/* held tables are no expressions: they are written after the others */
static zw_status add_inputs(zw_emit_values *v, zw_arena *arena, zw_error *err) {
    const zw_system *sys = v->eq->sys;
    int n = v->eq->nu;
    zw_expr *u = ZW_NEW(arena, zw_expr, n + 1);
    if (!u)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < n; i++) {
        const zw_signal *s = &sys->signal[i];
        u[i] = s->table < 0 ? s->value
               : s->hold    ? ZW_ZERO
                            : zw_lookup(sys->ctx, s->table, 0, sys->t);
    }
    ZW_TRY(zw_context_status(sys->ctx, err));
    return n ? zw_program_function(&v->program, "inputs", n, u, err) : ZW_OK;
}

zw_status zw_emit_values_build(zw_emit_values *v, const zw_equations *eq, zw_arena *arena,
                               zw_error *err) {
    const zw_system *sys = eq->sys;
    int nx = eq->nq + eq->nv;
    *v = (zw_emit_values){.eq = eq};
    ZW_TRY(zw_program_init(&v->program, sys->ctx, err));
    zw_expr *p = ZW_NEW(arena, zw_expr, sys->np + 1);
    zw_expr *made_of = ZW_NEW(arena, zw_expr, sys->np + 1);
    zw_expr *x = ZW_NEW(arena, zw_expr, nx + 1);
    if (!p || !made_of || !x || find_defined(v, made_of, arena) < 0 || find_start(v, x, arena) < 0)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < sys->np; i++)
        p[i] = sys->param[i].sym;
    ZW_TRY(zw_context_status(sys->ctx, err));
    ZW_TRY(zw_program_input(&v->program, ZW_SPACE_T, 1, &sys->t, err));
    ZW_TRY(zw_program_input(&v->program, ZW_SPACE_X, sys->np, p, err));
    if (v->ndefined)
        ZW_TRY(zw_program_function(&v->program, "follow", v->ndefined, made_of, err));
    ZW_TRY(zw_program_function(&v->program, "start", nx, x, err));
    ZW_TRY(add_inputs(v, arena, err));
    return zw_program_finish(&v->program, err);
}

/* ---- writing ---- */

static void put_name(zw_text *out, const char *name, const char *unit) {
    zw_text_put(out, " /* ");
    zw_emit_comment(out, name);
    zw_emit_unit(out, unit);
    zw_text_put(out, " */\n");
}

static zw_status write_defaults(zw_emit *e, zw_error *err) {
    const zw_system *sys = e->eq->sys;
    zw_text *out = &e->out;
    double *p = ZW_NEW(&e->scratch, double, sys->np + 1);
    if (!p)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_param_values(sys, p, err));
    zw_text_printf(out, "/* The values that the model gives. */\nvoid %s_defaults(double p[]) {\n",
                   e->prefix);
    for (int i = 0; i < sys->np; i++) {
        zw_text_printf(out, "    p[%d] = ", i);
        zw_c_number(out, p[i]);
        zw_text_put(out, ";");
        put_name(out, sys->param[i].name, sys->param[i].unit);
    }
    zw_text_put(out, sys->np ? "}\n\n" : "    (void)p;\n}\n\n");
    return ZW_OK;
}

static bool write_follow(zw_emit *e, const zw_code *code) {
    const zw_emit_values *v = &e->values;
    const zw_param *param = v->eq->sys->param;
    zw_text *out = &e->out;
    zw_c_names names = {.space = {[ZW_SPACE_X] = "p", [ZW_SPACE_OUT] = "d"}};
    zw_text_printf(
        out,
        "/* The parameters that are defined by others, again from these: after a change. "
        "*/\nvoid %s_follow(double p[]) {\n    double d[%d];\n",
        e->prefix, v->ndefined);
    bool ok = zw_c_body(out, code, &names, &e->scratch);
    for (int i = 0; i < v->ndefined; i++) {
        zw_text_printf(out, "    p[%d] = d[%d];", v->defined[i], i);
        put_name(out, param[v->defined[i]].name, param[v->defined[i]].unit);
    }
    zw_text_put(out, "}\n\n");
    return ok;
}

/* the steps by which the caller must complete the start */
static void write_what_is_missing(const zw_emit *e, zw_text *out) {
    const zw_equations *eq = e->eq;
    bool starts = eq->nstart_pos + eq->nstart_vel > 0;
    if (eq->npos + eq->nvel + eq->nstart_pos + eq->nstart_vel == 0)
        return;
    zw_text_printf(
        out,
        " The rows %s have\n * to be zero there: entries that are 'not given' are changed until "
        "they are. Zwang changes\n * as few as it can (docs/language.md: start)%s.",
        starts ? "phi of start_pos and psi of start_vel" : "phi of pos and psi of vel",
        e->options->start ? "; what comes out is in start_completed" : "");
}

static void comment_state(const void *ud, int i, zw_text *out) {
    const zw_emit_values *v = ud;
    zw_emit_comment(out, zw_emit_state_name(v->eq, i));
    zw_emit_unit(out, zw_emit_state_unit(v->eq, i));
    if (!v->given[i])
        zw_text_put(out, v->eq->from_system && i >= v->eq->nq ? ", from the start of the system"
                                                              : ", not given");
}

/* marks the arguments of a function of t and p that the code does not read */
static void write_unused(zw_text *out, const zw_code *code) {
    if (!zw_emit_reads(code, ZW_SPACE_T))
        zw_text_put(out, "    (void)t;\n");
    if (!zw_emit_reads(code, ZW_SPACE_X))
        zw_text_put(out, "    (void)p;\n");
}

static bool write_start(zw_emit *e, const zw_code *code) {
    zw_text *out = &e->out;
    zw_c_names names = {.space = {[ZW_SPACE_X] = "p", [ZW_SPACE_T] = "t", [ZW_SPACE_OUT] = "x"},
                        .output = comment_state,
                        .ud = &e->values};
    zw_text_put(out, "/* The state at which the model starts.");
    write_what_is_missing(e, out);
    zw_text_printf(out, " */\nvoid %s_start(double t, const double p[], double x[]) {\n",
                   e->prefix);
    write_unused(out, code);
    bool ok = zw_c_body(out, code, &names, &e->scratch);
    zw_text_put(out, code->nout ? "}\n\n" : "    (void)x;\n}\n\n");
    return ok;
}

static void write_completed(zw_emit *e) {
    const zw_equations *eq = e->eq;
    zw_text *out = &e->out;
    char start[ZW_DECIMAL_MAX];
    zw_decimal(start, e->options->start_time);
    zw_text_printf(out,
                   "/* The start at t = %s s with the parameters of defaults, as it fulfils the "
                   "constraints. */\nvoid %s_start_completed(double x[]) {\n",
                   start, e->prefix);
    for (int i = 0; i < eq->nq + eq->nv; i++) {
        zw_text_printf(out, "    x[%d] = ", i);
        zw_c_number(out, e->options->start[i]);
        zw_text_put(out, ";");
        put_name(out, zw_emit_state_name(eq, i), zw_emit_state_unit(eq, i));
    }
    zw_text_put(out, eq->nq + eq->nv ? "}\n\n" : "    (void)x;\n}\n\n");
}

static const char HOLD[] = "/* n pairs (time, value): each value is kept up to the next time */\n"
                           "static double zw_hold(int n, const double table[], double t) {\n"
                           "    int low = 0, high = n;\n"
                           "    while (high - low > 1) {\n"
                           "        int middle = (low + high) / 2;\n"
                           "        if (t < table[2 * middle])\n"
                           "            high = middle;\n"
                           "        else\n"
                           "            low = middle;\n"
                           "    }\n"
                           "    return table[2 * low + 1];\n"
                           "}\n\n";

static void write_held_tables(zw_emit *e) {
    const zw_system *sys = e->eq->sys;
    bool any = false;
    for (int i = 0; i < e->eq->nu; i++) {
        const zw_spline *s = held_spline(sys, i);
        if (!s)
            continue;
        zw_text_put(&e->out, any ? "" : HOLD);
        any = true;
        zw_text_printf(&e->out, "static const double zw_held_%d[%d] = {\n", i, 2 * s->n);
        for (int k = 0; k < s->n; k++) {
            double y = k < s->n - 1 ? s->coef[4 * (size_t)k] : s->last;
            char when[ZW_DECIMAL_MAX], what[ZW_DECIMAL_MAX];
            zw_decimal(when, s->x[k]);
            zw_decimal(what, y);
            zw_text_printf(&e->out, "    %a, %a, /* %s, %s */\n", s->x[k], y, when, what);
        }
        zw_text_put(&e->out, "};\n\n");
    }
}

static void comment_input(const void *ud, int i, zw_text *out) {
    const zw_emit_values *v = ud;
    zw_emit_comment(out, v->eq->sys->signal[i].name);
    zw_emit_unit(out, v->eq->sys->signal[i].unit);
}

static bool write_inputs(zw_emit *e, const zw_code *code) {
    zw_text *out = &e->out;
    zw_c_names names = {.space = {[ZW_SPACE_X] = "p", [ZW_SPACE_T] = "t", [ZW_SPACE_OUT] = "u"},
                        .output = comment_input,
                        .ud = &e->values};
    write_held_tables(e);
    zw_text_printf(out,
                   "/* The external inputs as the model gives them; the caller may give others. "
                   "*/\nvoid %s_inputs(double t, const double p[], double u[]) {\n",
                   e->prefix);
    write_unused(out, code);
    bool ok = zw_c_body(out, code, &names, &e->scratch);
    for (int i = 0; i < e->eq->nu; i++)
        if (held_spline(e->eq->sys, i))
            zw_text_printf(out, "    u[%d] = zw_hold(%d, zw_held_%d, t);\n", i,
                           held_spline(e->eq->sys, i)->n, i);
    zw_text_put(out, "}\n\n");
    return ok;
}

zw_status zw_emit_values_write(zw_emit *e, zw_error *err) {
    const zw_code *code = e->values.program.code;
    ZW_TRY(write_defaults(e, err));
    bool ok = !e->values.ndefined || write_follow(e, code++);
    ok = ok && write_start(e, code++);
    if (e->options->start)
        write_completed(e);
    ok = ok && (!e->eq->nu || write_inputs(e, code));
    return ok ? ZW_OK : zw_out_of_memory(err, NULL);
}
