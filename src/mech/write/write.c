/* SPDX-License-Identifier: MIT */
/* Equations in print. Each equation of motion has what multiplies the accelerations on the left, in
 * the order of the velocities, and forces and multipliers on the right:
 *     M_k1 v_1' + M_k2 v_2' + ... = h_k + C_k1 lambda_1 + ...
 * The constraint rows of a principle without multipliers stand among the constraints, not among these.
 *
 * All lines are collected first: whether something is worth a name, and which, is seen only when
 * everything that will be printed is there. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "mech/system/build.h"
#include "write.h"

enum {
    LONG_EQUATION = 200,     /* characters: from here on what recurs is named */
    HUGE_EQUATION = 1000000, /* the same also where nothing is to be simplified */
    LONG_LINE = 140,         /* of LaTeX source: a right side is broken behind so many */
    WIDE_LINE = 480,         /* the same on a page without fixed width */
    NAME_FROM = 24,          /* characters a named subexpression has at least */
    NAMES_MAX = 5000
};

typedef struct line {
    const char *heading; /* of the block that begins here; NULL inside a block */
    const char *label;   /* NULL if none */
    zw_expr left, right;
    int relation; /* 0: =, 1: >=, -1: <= */
} line;

typedef struct writer {
    const zw_equations *eq;
    const zw_system *sys;
    zw_context *ctx;
    zw_text out;
    zw_format format;
    zw_simplification simplify;
    int n, capacity;
    line *lines;
    const char *heading; /* for the next line */
    size_t line_length;  /* of LaTeX source, see LONG_LINE */
} writer;

/* ---------------------------------------------------------------------------------- collecting */

static void add_related(writer *w, zw_expr left, int relation, zw_expr right, const char *label) {
    if (!zw_scratch_grow(w->ctx, (void **)&w->lines, w->n, &w->capacity, sizeof *w->lines))
        return;
    const char *kept = label ? zw_context_intern(w->ctx, label) : NULL;
    w->lines[w->n++] = (line){w->heading, kept, left, right, relation};
    w->heading = NULL;
}

static void add(writer *w, zw_expr left, zw_expr right) {
    add_related(w, left, 0, right, NULL);
}

static zw_expr simpler(writer *w, zw_expr e) {
    if (w->simplify >= ZW_SHORTENED)
        zw_shorten(w->ctx, 1, &e);
    if (w->simplify >= ZW_TRIG_COMBINED)
        zw_trig_combine(w->ctx, 1, &e);
    return e;
}

/* sum of row_i symbol_i, collected by the symbols */
static zw_expr row_times(writer *w, int n, const zw_expr *row, const zw_expr *symbols) {
    zw_expr sum = ZW_ZERO;
    for (int i = 0; i < n; i++)
        sum = zw_add(w->ctx, sum, zw_mul(w->ctx, simpler(w, row[i]), symbols[i]));
    return sum;
}

/* the symbol of q_i' */
static zw_expr rate_symbol(writer *w, int i) {
    char name[256];
    snprintf(name, sizeof name, "%.250s'", w->sys->coord[i].name);
    return zw_symbol(w->ctx, name);
}

static bool has_momenta(const zw_equations *eq) {
    return eq->system_v != NULL;
}

/* the multipliers are among the states */
static bool has_states_of_multipliers(const zw_equations *eq) {
    return eq->nv > eq->sys->nv;
}

/* q' that is not simply a velocity of the same name */
static void collect_kinematics(writer *w) {
    const zw_equations *eq = w->eq;
    w->heading = has_momenta(eq) ? "Coordinates, q' = dH/dp" : "Kinematics";
    for (int i = 0; i < eq->nq; i++) {
        bool plain = w->sys->coord[i].state;
        for (int k = 0; k < w->sys->nv; k++)
            plain |= w->sys->velocity[k].coord == i && eq->qdot[i] == eq->v[k];
        if (!plain)
            add(w, rate_symbol(w, i), simpler(w, eq->qdot[i]));
    }
    w->heading = NULL;
}

static void collect_states(writer *w) {
    w->heading = "States";
    for (int i = 0; i < w->eq->nq; i++)
        if (w->sys->coord[i].state)
            add(w, rate_symbol(w, i), simpler(w, w->eq->qdot[i]));
    w->heading = NULL;
}

static void collect_function(writer *w) {
    const zw_equations *eq = w->eq;
    if (!eq->function || eq->nv == 0)
        return;
    switch (eq->function_name[0]) {
    case 'H':
        w->heading = "Hamilton's function";
        break;
    case 'S':
        w->heading = "The energy of acceleration";
        break;
    default:
        w->heading = "The Zwang, least among the accelerations that the constraints allow";
    }
    add(w, zw_symbol(w->ctx, eq->function_name), simpler(w, eq->function));
    if (!has_momenta(eq))
        return;
    w->heading = "Momenta";
    for (int k = 0; k < eq->nv; k++)
        add(w, eq->v[k], simpler(w, eq->from_system[k]));
}

static bool is_constraint_row(const zw_equations *eq, int k) {
    return eq->row_constraint && eq->row_constraint[k] >= 0;
}

static void collect_motion(writer *w) {
    const zw_equations *eq = w->eq;
    w->heading = has_momenta(eq) ? "Momenta, p' = -dH/dq + forces" : "Equations of motion";
    for (int k = 0; k < eq->nv; k++) {
        if (is_constraint_row(eq, k))
            continue;
        zw_expr left = row_times(w, eq->nv, eq->M + (size_t)k * (size_t)eq->nv, eq->a);
        zw_expr force = row_times(w, eq->nc, eq->C + (size_t)k * (size_t)eq->nc, eq->lambda);
        add(w, left, zw_add(w->ctx, simpler(w, eq->h[k]), force));
    }
}

static void collect_constraints(writer *w) {
    const zw_equations *eq = w->eq;
    static const char *const level[] = {"position", "velocity", "acceleration"};
    w->heading = "Constraints";
    for (int i = 0; i < w->sys->nconstraint; i++) {
        const zw_constraint *k = &w->sys->constraint[i];
        if (!eq->holds[i])
            continue;
        char label[200];
        snprintf(label, sizeof label, "%.120s, %s level%s", k->name, level[k->level],
                 k->level == ZW_VELOCITY && !k->linear ? ", nonlinear: Chetaev's rule" : "");
        add_related(w, k->residual, k->inequality, ZW_ZERO, label);
    }
    w->heading =
        has_momenta(eq) ? "Constraints on the level of p'" : "Constraints on acceleration level";
    for (int c = 0; c < eq->nc; c++)
        add_related(w, row_times(w, eq->nv, eq->W + (size_t)c * (size_t)eq->nv, eq->a),
                    eq->inequality ? eq->inequality[c] : 0, simpler(w, eq->b[c]), NULL);
    for (int k = 0; k < eq->nv; k++)
        if (is_constraint_row(eq, k))
            add(w, row_times(w, eq->nv, eq->M + (size_t)k * (size_t)eq->nv, eq->a),
                simpler(w, eq->h[k]));
    w->heading = NULL;
}

/* everything that is no parameter */
static zw_expr *variables(writer *w, int *n) {
    const zw_equations *eq = w->eq;
    const zw_system *s = w->sys;
    int most = 1 + 2 * s->nq + 2 * eq->nv + 2 * s->nv + s->nconstraint + s->nsignal;
    zw_expr *all = ZW_SCRATCH_NEW(w->ctx, zw_expr, most);
    *n = 0;
    if (!all)
        return NULL;
    all[(*n)++] = s->t;
    for (int i = 0; i < s->nsignal; i++)
        all[(*n)++] = s->signal[i].sym;
    for (int i = 0; i < s->nq; i++) {
        all[(*n)++] = eq->q[i];
        all[(*n)++] = rate_symbol(w, i);
    }
    for (int i = 0; i < eq->nv; i++) {
        all[(*n)++] = eq->v[i];
        all[(*n)++] = eq->a[i];
    }
    for (int i = 0; i < s->nv; i++) {
        all[(*n)++] = s->velocity[i].sym;
        all[(*n)++] = s->velocity[i].accel;
    }
    for (int i = 0; i < s->nconstraint; i++)
        all[(*n)++] = s->constraint[i].lambda;
    return all;
}

/* names for what recurs, if an equation is long, and their definitions as a last block */
static void name_coefficients(writer *w) {
    double longest = 0, limit = w->simplify >= ZW_SHORTENED ? LONG_EQUATION : HUGE_EQUATION;
    for (int i = 0; i < w->n; i++)
        longest = fmax(longest, zw_print_length(w->ctx, w->lines[i].left) +
                                    zw_print_length(w->ctx, w->lines[i].right));
    if (longest <= limit)
        return;
    int nvar, n = w->n;
    zw_expr *vars = variables(w, &nvar), *sides = ZW_SCRATCH_NEW(w->ctx, zw_expr, 2 * n),
            *symbol = ZW_SCRATCH_NEW(w->ctx, zw_expr, NAMES_MAX),
            *value = ZW_SCRATCH_NEW(w->ctx, zw_expr, NAMES_MAX);
    if (!vars || !sides || !symbol || !value)
        return;
    for (int i = 0; i < n; i++) {
        sides[2 * i] = w->lines[i].left;
        sides[2 * i + 1] = w->lines[i].right;
    }
    int count =
        zw_name_common(w->ctx, 2 * n, sides, nvar, vars, NAME_FROM, NAMES_MAX, symbol, value);
    for (int i = 0; i < n; i++) {
        w->lines[i].left = sides[2 * i];
        w->lines[i].right = sides[2 * i + 1];
    }
    w->heading = "where";
    for (int i = 0; i < count; i++)
        add(w, symbol[i], value[i]);
}

/* ------------------------------------------------------------------------------------ printing */

static void put_expr(writer *w, zw_expr e) {
    char *s = zw_print(w->ctx, e, w->format);
    if (s)
        zw_text_put(&w->out, s);
    w->out.failed |= s == NULL;
    zw_string_free(w->ctx, s);
}

/* plain words, with what TeX takes for commands escaped */
static void put_words(writer *w, const char *s) {
    for (; *s; s++) {
        if (w->format == ZW_LATEX && strchr("_&%#$", *s))
            zw_text_put(&w->out, "\\");
        zw_text_put_n(&w->out, s, 1);
    }
}

/* a long sum over several lines, each a part of its terms */
static void put_broken(writer *w, zw_expr e) {
    int n;
    const zw_expr *args = zw_expr_args(w->ctx, e, &n);
    if (zw_expr_op(w->ctx, e) != ZW_OP_SUM ||
        2 * zw_print_length(w->ctx, e) < (double)w->line_length) {
        put_expr(w, e);
        return;
    }
    size_t start = w->out.length;
    for (int i = 0; i < n; i += i == 0 ? 1 : 2) {
        zw_expr term = i == 0 ? args[0] : zw_mul(w->ctx, args[i], args[i + 1]);
        if (term == ZW_ZERO)
            continue;
        char *s = zw_print(w->ctx, term, w->format);
        w->out.failed |= s == NULL;
        bool first = w->out.length == start, minus = s && s[0] == '-';
        if (s && !first && w->out.length - start + strlen(s) > w->line_length) {
            zw_text_put(&w->out, " \\\\\n  &\\quad");
            start = w->out.length;
        }
        zw_text_put(&w->out, first ? "" : minus ? " - " : " + ");
        zw_text_put(&w->out, !s ? "" : minus && !first ? s + 1 : s);
        zw_string_free(w->ctx, s);
    }
}

static void put_text_line(writer *w, const line *l) {
    static const char *const relation[] = {" <= ", " = ", " >= "};
    if (l->heading)
        zw_text_printf(&w->out, "\n%s\n", l->heading);
    zw_text_put(&w->out, "    ");
    put_expr(w, l->left);
    zw_text_put(&w->out, relation[l->relation + 1]);
    put_expr(w, l->right);
    if (l->label)
        zw_text_printf(&w->out, "        [%s]", l->label);
    zw_text_put(&w->out, "\n");
}

static void put_latex_line(writer *w, const line *l, bool last) {
    static const char *const relation[] = {" &\\leq ", " &= ", " &\\geq "};
    if (l->heading) {
        zw_text_put(&w->out, "\\paragraph{");
        put_words(w, l->heading);
        zw_text_put(&w->out, "}\n\\begin{align*}\n");
    }
    zw_text_put(&w->out, "  ");
    put_expr(w, l->left);
    zw_text_put(&w->out, relation[l->relation + 1]);
    put_broken(w, l->right);
    if (l->label) {
        zw_text_put(&w->out, " && \\text{");
        put_words(w, l->label);
        zw_text_put(&w->out, "}");
    }
    zw_text_put(&w->out, last ? "\n\\end{align*}\n" : " \\\\\n");
}

/* one side of an equation as a JSON string of LaTeX */
static void put_json_side(writer *w, zw_expr e) {
    zw_text whole = w->out;
    zw_allocator alloc = zw_context_allocator(w->ctx);
    zw_text_init(&w->out, &alloc);
    put_broken(w, e);
    zw_text side = w->out;
    w->out = whole;
    w->out.failed |= side.failed;
    zw_text_json(&w->out, zw_text_get(&side));
    zw_text_clear(&side);
}

/* { "heading": ..., "lines": [ { "left": LaTeX, "relation": LaTeX, "right": LaTeX, "label": text } ] }
 * for each block; breaks of long sides are those of the align environment */
static void put_blocks(writer *w) {
    static const char *const relation[] = {"\\\\leq", "=", "\\\\geq"};
    for (int i = 0; i < w->n; i++) {
        const line *l = &w->lines[i];
        if (l->heading) {
            zw_text_put(&w->out, i ? "\n]},\n{\"heading\":" : "\n{\"heading\":");
            zw_text_json(&w->out, l->heading);
            zw_text_put(&w->out, ",\"lines\":[\n{\"left\":");
        } else {
            zw_text_put(&w->out, ",\n{\"left\":");
        }
        put_json_side(w, l->left);
        zw_text_printf(&w->out, ",\"relation\":\"%s\",\"right\":", relation[l->relation + 1]);
        put_json_side(w, l->right);
        zw_text_put(&w->out, ",\"label\":");
        zw_text_json(&w->out, l->label ? l->label : "");
        zw_text_put(&w->out, "}");
    }
    zw_text_put(&w->out, w->n ? "\n]}" : "");
}

static void put_lines(writer *w) {
    for (int i = 0; i < w->n; i++) {
        if (w->format == ZW_LATEX)
            put_latex_line(w, &w->lines[i], i + 1 == w->n || w->lines[i + 1].heading);
        else
            put_text_line(w, &w->lines[i]);
    }
}

/* --------------------------------------------------------------------------------- the heading */

long zw_equations_count(const zw_equations *eq) {
    zw_context *ctx = eq->sys->ctx;
    int nv = eq->nv, nc = eq->nc, n = nv * nv + nv + 2 * nv * nc + nc, at = 0;
    zw_arena_mark mark = zw_scratch_mark(ctx);
    zw_expr *all = ZW_SCRATCH_NEW(ctx, zw_expr, n);
    if (!all)
        return -1;
    const zw_expr *parts[] = {eq->M, eq->h, eq->C, eq->W, eq->b};
    const int sizes[] = {nv * nv, nv, nv * nc, nc * nv, nc};
    for (int k = 0; k < 5; k++) {
        memcpy(all + at, parts[k], (size_t)sizes[k] * sizeof *all);
        at += sizes[k];
    }
    long count = zw_count(ctx, n, all);
    zw_scratch_release(ctx, mark);
    return count;
}

static void put_count(writer *w, int n, const char *one, const char *many) {
    zw_text_printf(&w->out, "%d %s", n, n == 1 ? one : many);
}

/* "5 coordinates, 5 velocities; 7 equations (...) for 5 accelerations and 2 multipliers" */
static void put_sizes(writer *w) {
    const zw_equations *eq = w->eq;
    int constraints = eq->nc, nv = w->sys->nv;
    for (int k = 0; k < eq->nv; k++)
        constraints += is_constraint_row(eq, k);
    int motion = eq->nv + eq->nc - constraints;
    int states = 0;
    for (int i = 0; i < eq->nq; i++)
        states += w->sys->coord[i].state;
    if (states < eq->nq || !states) {
        put_count(w, eq->nq - states, "coordinate", "coordinates");
        zw_text_put(&w->out, ", ");
    }
    if (states) {
        put_count(w, states, "state", "states");
        zw_text_put(&w->out, nv ? ", " : "\n");
    }
    if (!nv)
        return;
    put_count(w, nv, "velocity", "velocities");
    zw_text_put(&w->out, "; ");
    put_count(w, motion + constraints, "equation", "equations");
    if (constraints)
        zw_text_printf(&w->out, " (%d of motion, %d of constraints)", motion, constraints);
    zw_text_put(&w->out, " for ");
    if (has_momenta(eq))
        put_count(w, nv, "rate of a momentum", "rates of momenta");
    else
        put_count(w, nv, "acceleration", "accelerations");
    if (eq->nc) {
        zw_text_put(&w->out, " and ");
        put_count(w, eq->nc, "multiplier", "multipliers");
    } else if (has_states_of_multipliers(eq)) {
        zw_text_put(&w->out, " and ");
        put_count(w, eq->nv - nv, "rate of a multiplier", "rates of multipliers");
    }
    zw_text_printf(&w->out, "; %ld operations\n", zw_equations_count(eq));
}

static void put_velocities(writer *w, const char *kind, bool dependent) {
    bool first = true;
    for (int k = 0; k < w->eq->nv; k++) {
        if (is_constraint_row(w->eq, k) != dependent)
            continue;
        zw_text_printf(&w->out, "%s ", first ? kind : ",");
        put_words(w, zw_expr_name(w->ctx, w->eq->v[k]));
        first = false;
    }
    zw_text_put(&w->out, first ? "" : dependent ? "\n" : "; ");
}

/* what the reader has to know beside the equations, one line each */
static void put_notes(writer *w) {
    const zw_equations *eq = w->eq;
    bool nonlinear = false, unilateral = false, constrained = false;
    for (int i = 0; i < w->sys->nconstraint; i++) {
        const zw_constraint *c = &w->sys->constraint[i];
        constrained |= eq->holds[i];
        nonlinear |= eq->holds[i] && c->level == ZW_VELOCITY && !c->linear;
        unilateral |= eq->holds[i] && c->inequality;
    }
    const char *line_end = w->format == ZW_LATEX ? "\n\n" : "\n";
    if (has_states_of_multipliers(eq))
        zw_text_printf(&w->out,
                       "The multipliers are states: their start values belong to the "
                       "start.%s",
                       line_end);
    else if (eq->row_constraint && constrained) {
        put_velocities(w, "Independent velocities:", false);
        put_velocities(w, "dependent:", true);
        zw_text_put(&w->out, w->format == ZW_LATEX ? "\n" : "");
    }
    if (nonlinear)
        zw_text_printf(&w->out,
                       "Constraints nonlinear in the velocities by Chetaev's rule: virtual "
                       "displacements satisfy (dpsi/dv) dpi = 0.%s",
                       line_end);
    if (unilateral)
        zw_text_printf(&w->out,
                       "Inequalities: each multiplier has the sign of its inequality, and is "
                       "zero where that holds strictly.%s",
                       line_end);
}

static void put_plain(writer *w) {
    const zw_system *s = w->sys;
    const zw_principle *p = zw_principle_find(w->eq->principle);
    zw_text_printf(&w->out, "%s%s%s: equations by %s\n", s->name, s->variant[0] ? ", variant " : "",
                   s->variant, w->eq->principle);
    if (p)
        zw_text_printf(&w->out, "%s\n", p->about);
    put_sizes(w);
    put_notes(w);
    put_lines(w);
}

static void put_latex(writer *w) {
    zw_text_put(&w->out, "\\documentclass{article}\n\\usepackage{amsmath}\n"
                         "\\usepackage[margin=2cm]{geometry}\n\\allowdisplaybreaks\n"
                         "\\begin{document}\n\\section*{\\texttt{");
    put_words(w, w->sys->name);
    zw_text_printf(&w->out, "}: equations by %s}\n", w->eq->principle);
    put_sizes(w);
    zw_text_put(&w->out, "\n");
    put_notes(w);
    put_lines(w);
    zw_text_put(&w->out, "\\end{document}\n");
}

static void put_page(writer *w) {
    const zw_principle *p = zw_principle_find(w->eq->principle);
    zw_text_put(&w->out, "{\"principle\":");
    zw_text_json(&w->out, w->eq->principle);
    zw_text_put(&w->out, ",\"about\":");
    zw_text_json(&w->out, p ? p->about : "");
    zw_text_put(&w->out, ",\"blocks\":[");
    put_blocks(w);
    zw_text_put(&w->out, "]}\n");
}

char *zw_equations_write(const zw_equations *eq, zw_equation_format format,
                         zw_simplification simplify) {
    writer w = {.eq = eq,
                .sys = eq->sys,
                .ctx = eq->sys->ctx,
                .format = format == ZW_EQUATIONS_TEXT ? ZW_TEXT : ZW_LATEX,
                .simplify = simplify,
                .line_length = format == ZW_EQUATIONS_PAGE ? WIDE_LINE : LONG_LINE};
    zw_allocator alloc = zw_context_allocator(w.ctx);
    zw_arena_mark mark = zw_scratch_mark(w.ctx);
    zw_text_init(&w.out, &alloc);
    if (format == ZW_EQUATIONS_JSON) {
        zw_write_json(&w.out, eq);
    } else {
        collect_function(&w);
        collect_kinematics(&w);
        collect_motion(&w);
        collect_constraints(&w);
        collect_states(&w);
        name_coefficients(&w);
        if (format == ZW_EQUATIONS_LATEX)
            put_latex(&w);
        else if (format == ZW_EQUATIONS_PAGE)
            put_page(&w);
        else
            put_plain(&w);
    }
    zw_scratch_release(w.ctx, mark);
    w.out.failed |= zw_context_status(w.ctx, NULL) < 0;
    return zw_text_take(&w.out);
}
