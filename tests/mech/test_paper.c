/* SPDX-License-Identifier: MIT */
/* What is printed is what was derived. The LaTeX of every shipped model by every principle, with
 * its terms collected and with sines and cosines combined, is read back by a small reader of
 * formulas and evaluated at random points: both sides of each equation must have the values that
 * the derivation's own matrices give there. The reader knows nothing of expressions: lost brackets,
 * signs, factors, definitions or lines show here, and so does every wrong simplification. */
#include <ctype.h>
#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>

#include "support/test.h"
#include "zwang/zwang.h"

/* ------------------------------------------------------------------------------------- formulas */

enum { NAMES_MAX = 8000 };

typedef struct name {
    char *latex;
    size_t n;
    double value;
} name;

typedef struct reader {
    const zw_context *ctx;
    const char *p;
    const name *names;
    int nname;
    const double *defined; /* c_{1}, c_{2}, ..., infinite where there is none */
    bool wrong;
} reader;

static double read_or(reader *r);
static double read_sum(reader *r);

static void skip_space(reader *r) {
    static const char *const nothing[] = {"\\bigl",  "\\bigr",  "\\Bigl",
                                          "\\Bigr",  "\\biggl", "\\biggr",
                                          "\\Biggl", "\\Biggr", "\\displaystyle"};
    for (bool more = true; more;) {
        more = *r->p == ' ' || *r->p == '&';
        r->p += more;
        for (size_t i = 0; i < sizeof nothing / sizeof *nothing && !more; i++)
            if (strncmp(r->p, nothing[i], strlen(nothing[i])) == 0) {
                r->p += strlen(nothing[i]);
                more = true;
            }
    }
}

static bool accept(reader *r, const char *word) {
    skip_space(r);
    size_t n = strlen(word);
    bool letters = isalpha((unsigned char)word[n - 1]);
    if (strncmp(r->p, word, n) != 0 || (letters && isalpha((unsigned char)r->p[n])))
        return false;
    r->p += n;
    return true;
}

static void expect(reader *r, const char *word) {
    if (!accept(r, word))
        r->wrong = true;
}

static double braced(reader *r) {
    expect(r, "{");
    double x = read_or(r);
    expect(r, "}");
    return x;
}

static double bracketed(reader *r) {
    expect(r, "(");
    double x = read_or(r);
    expect(r, ")");
    return x;
}

/* the value of the longest name that stands here */
static bool read_name(reader *r, double *value) {
    const name *best = NULL;
    skip_space(r);
    if (strncmp(r->p, "c_{", 3) == 0 && isdigit((unsigned char)r->p[3])) {
        char *end;
        long number = strtol(r->p + 3, &end, 10);
        if (*end == '}' && number < NAMES_MAX && !isinf(r->defined[number])) {
            r->p = end + 1;
            *value = r->defined[number];
            return true;
        }
    }
    for (int i = 0; i < r->nname; i++) {
        const name *m = &r->names[i];
        if ((!best || m->n > best->n) && strncmp(r->p, m->latex, m->n) == 0 &&
            (m->latex[m->n - 1] == '}' || !isalpha((unsigned char)r->p[m->n]) ||
             m->latex[0] != '\\'))
            best = m;
    }
    if (!best)
        return false;
    r->p += best->n;
    *value = best->value;
    return true;
}

static double sign_of(double x) {
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}

static bool read_function(reader *r, double *value) {
    static const struct {
        const char *name;
        double (*f)(double);
    } functions[] = {{"\\sinh", sinh},
                     {"\\cosh", cosh},
                     {"\\tanh", tanh},
                     {"\\sin", sin},
                     {"\\cos", cos},
                     {"\\tan", tan},
                     {"\\arcsin", asin},
                     {"\\arccos", acos},
                     {"\\arctan", atan},
                     {"\\operatorname{arsinh}", asinh},
                     {"\\operatorname{arcosh}", acosh},
                     {"\\operatorname{artanh}", atanh},
                     {"\\operatorname{sgn}", sign_of},
                     {"\\exp", exp},
                     {"\\ln", log}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (!accept(r, functions[i].name))
            continue;
        double power = accept(r, "^") ? braced(r) : 1, x;
        skip_space(r);
        if (*r->p == '(')
            x = bracketed(r);
        else if (!read_name(r, &x))
            r->wrong = true;
        *value = pow(functions[i].f(x), power);
        return true;
    }
    return false;
}

static bool read_pair(reader *r, double *value) {
    int which = accept(r, "\\min")                   ? 1
                : accept(r, "\\max")                 ? 2
                : accept(r, "\\operatorname{atan2}") ? 3
                                                     : 0;
    if (!which)
        return false;
    expect(r, "(");
    double a = read_or(r);
    expect(r, ",");
    double b = read_or(r);
    expect(r, ")");
    *value = which == 1 ? (b < a ? b : a) : which == 2 ? (b > a ? b : a) : atan2(a, b);
    return true;
}

static double read_cases(reader *r) {
    double yes = read_or(r);
    expect(r, "\\text{if }");
    double test = read_or(r);
    expect(r, "\\\\");
    double no = read_or(r);
    expect(r, "\\text{otherwise}");
    expect(r, "\\end{cases}");
    return test != 0 ? yes : no;
}

/* cases that are too wide for a line */
static double read_choice(reader *r) {
    expect(r, "(");
    double test = read_or(r);
    expect(r, ",");
    double yes = read_or(r);
    expect(r, ",");
    double no = read_or(r);
    expect(r, ")");
    return test != 0 ? yes : no;
}

static double read_table(reader *r) {
    int table = (int)braced(r), order = 0;
    if (accept(r, "^{(")) {
        order = (int)strtol(r->p, (char **)&r->p, 10);
        expect(r, ")}");
    }
    return zw_spline_eval(zw_spline_of(r->ctx, table), order, bracketed(r));
}

static double read_atom(reader *r) {
    double x = NAN;
    skip_space(r);
    if (isdigit((unsigned char)*r->p))
        return strtod(r->p, (char **)&r->p);
    if (accept(r, "\\frac")) {
        double top = braced(r);
        return top / braced(r);
    }
    if (accept(r, "\\sqrt"))
        return sqrt(braced(r));
    if (accept(r, "\\begin{cases}"))
        return read_cases(r);
    if (accept(r, "\\operatorname{if}"))
        return read_choice(r);
    if (accept(r, "\\lvert")) {
        x = fabs(read_sum(r));
        expect(r, "\\rvert");
        return x;
    }
    if (accept(r, "\\lnot"))
        return bracketed(r) == 0;
    if (*r->p == '(')
        return bracketed(r);
    if (read_function(r, &x) || read_pair(r, &x) || read_name(r, &x))
        return x;
    if (accept(r, "\\mathrm{e}"))
        return M_E;
    if (accept(r, "\\pi"))
        return M_PI;
    if (accept(r, "f_"))
        return read_table(r);
    r->wrong = true;
    return NAN;
}

/* a/b in an exponent is a division */
static double read_exponent(reader *r) {
    expect(r, "{");
    double x = read_sum(r);
    if (accept(r, "/"))
        x /= read_sum(r);
    expect(r, "}");
    return x;
}

static double read_product(reader *r) {
    double product = 1;
    do {
        double x = read_atom(r);
        if (accept(r, "^"))
            x = pow(x, read_exponent(r));
        product *= x;
        accept(r, "{}");
    } while (!r->wrong && (accept(r, "\\,") || accept(r, "\\cdot")) && (accept(r, "\\,") || true));
    return product;
}

static double read_sum(reader *r) {
    double sum = accept(r, "-") ? -read_product(r) : read_product(r);
    while (!r->wrong) {
        if (accept(r, "+"))
            sum += read_product(r);
        else if (accept(r, "-"))
            sum -= read_product(r);
        else
            break;
    }
    return sum;
}

static double read_comparison(reader *r) {
    double x = read_sum(r);
    if (accept(r, "<"))
        return x < read_sum(r);
    if (accept(r, "\\le"))
        return x <= read_sum(r);
    return x;
}

static double read_and(reader *r) {
    double x = read_comparison(r);
    while (accept(r, "\\land")) {
        double y = read_comparison(r);
        x = x != 0 && y != 0;
    }
    return x;
}

static double read_or(reader *r) {
    double x = read_and(r);
    while (accept(r, "\\lor")) {
        double y = read_and(r);
        x = x != 0 || y != 0;
    }
    return x;
}

/* ------------------------------------------------------------------------------------ documents */

enum { EQUATIONS_MAX = 8000, HEADING = 120 };

typedef struct equation {
    char heading[HEADING];
    char *left, *right;
} equation;

typedef struct document {
    char *text;
    equation *equations;
    int n;
} document;

/* left = right, up to a label, cut out of the text; the signs of alignment become spaces */
static void add_equation(document *d, const char *heading, char *text) {
    equation *e = &d->equations[d->n++];
    assert_true(d->n < EQUATIONS_MAX);
    snprintf(e->heading, sizeof e->heading, "%s", heading);
    char *label = strstr(text, "\\tag*");
    if (label)
        *label = '\0';
    static const char *const signs[] = {" = ", " \\leq ", " \\geq "};
    for (int i = 0; i < 3; i++) {
        char *sign = strstr(text, signs[i]);
        if (!sign)
            continue;
        *sign = '\0';
        e->left = text;
        e->right = sign + strlen(signs[i]);
        return;
    }
    fail_msg("no sign between the sides of: %s", text);
}

static void cut_end(char *s, const char *end) {
    size_t n = strlen(s), m = strlen(end);
    if (n >= m && strcmp(s + n - m, end) == 0)
        s[n - m] = '\0';
}

/* one display: rows that begin with &\quad or &\qquad go on with what is above */
static void read_display(document *d, const char *heading, char *text) {
    static char joined[1 << 22];
    size_t used = 0;
    char *start = joined;
    for (char *row = text, *next; row && *row; row = next) {
        next = strchr(row, '\n'); /* each row is a line of the source */
        if (next)
            *next++ = '\0';
        cut_end(row, "\\\\[1ex]");
        cut_end(row, "\\\\");
        char *cell = strstr(row, "\\makebox");
        bool goes_on = strstr(row, "&\\q") && !cell;
        if (!goes_on && used) {
            add_equation(d, heading, strdup(start));
            used = 0;
        }
        for (; cell; cell = strstr(cell, "\\makebox")) {
            char *open = strchr(cell, '$'), *close = strchr(open + 1, '$');
            *close = '\0';
            add_equation(d, heading, strdup(open + 1 + strlen("\\displaystyle")));
            cell = close + 1;
        }
        if (strstr(row, "\\makebox"))
            continue;
        for (const char *s = row; *s; s++)
            if (strncmp(s, "\\quad", 5) == 0)
                s += 4;
            else if (strncmp(s, "\\qquad", 6) == 0)
                s += 5;
            else
                joined[used++] = *s == '&' || *s == '\n' ? ' ' : *s;
        joined[used] = '\0';
        assert_true(used < sizeof joined / 2);
    }
    if (used)
        add_equation(d, heading, strdup(start));
}

static void read_document(document *d, const char *source) {
    d->text = strdup(source);
    d->n = 0;
    char heading[HEADING] = "";
    for (char *s = d->text; *s;) {
        char *line_end = strchr(s, '\n');
        if (strncmp(s, "\\subsection*{", 13) == 0)
            snprintf(heading, sizeof heading, "%.*s", (int)(line_end - s - 14), s + 13);
        if (strncmp(s, "\\begin{align*}", 14) == 0) {
            char *end = strstr(s, "\\end{align*}");
            *end = '\0';
            read_display(d, heading, line_end + 1);
            s = end + 1;
            continue;
        }
        s = line_end + 1;
    }
}

static void clear_document(document *d) {
    for (int i = 0; i < d->n; i++)
        free(d->equations[i].left);
    free(d->text);
}

/* --------------------------------------------------------------------------------------- values */

typedef struct point {
    zw_context *ctx;
    name *names;
    zw_expr *symbols;
    double *values, *defined;
    int n, nname;
} point;

static int find(const point *p, zw_expr symbol) {
    for (int i = 0; i < p->n; i++)
        if (p->symbols[i] == symbol)
            return i;
    return -1;
}

static void add_name(point *p, const char *latex, double value) {
    assert_true(p->nname < NAMES_MAX);
    p->names[p->nname++] = (name){strdup(latex), strlen(latex), value};
}

static void add_symbol(point *p, zw_expr symbol, test_random *random) {
    if (find(p, symbol) >= 0)
        return;
    assert_true(p->n < NAMES_MAX);
    p->symbols[p->n] = symbol;
    p->values[p->n++] = test_random_real(random, 0.2, 0.9);
}

static void make_zero(point *p, zw_expr symbol) {
    int i = find(p, symbol);
    if (i >= 0)
        p->values[i] = 0;
}

/* a constraint "symbol = 0" holds at the point, with its derivatives */
static void obey(point *p, const zw_equations *eq) {
    const zw_system *s = eq->sys;
    for (int c = 0; c < s->nconstraint; c++) {
        zw_expr symbol = s->constraint[c].residual;
        if (!eq->holds[c] || zw_expr_op(p->ctx, symbol) != ZW_OP_SYMBOL)
            continue;
        make_zero(p, symbol);
        for (int k = 0; k < s->nv; k++) {
            const zw_velocity *v = &s->velocity[k];
            if (v->sym == symbol || (v->coord >= 0 && eq->q[v->coord] == symbol)) {
                make_zero(p, v->sym);
                make_zero(p, v->accel);
            }
        }
    }
}

static zw_expr rate(const zw_equations *eq, int i) {
    char text[300];
    snprintf(text, sizeof text, "%.290s'", eq->sys->coord[i].name);
    return zw_symbol(eq->sys->ctx, text);
}

static void choose_point(point *p, const zw_equations *eq, test_random *random) {
    const zw_system *s = eq->sys;
    p->ctx = s->ctx;
    p->n = p->nname = 0;
    for (int i = 0; i < NAMES_MAX; i++)
        p->defined[i] = INFINITY;
    add_symbol(p, s->t, random);
    for (int i = 0; i < s->np; i++)
        add_symbol(p, s->param[i].sym, random);
    for (int i = 0; i < s->nsignal; i++)
        add_symbol(p, s->signal[i].sym, random);
    for (int i = 0; i < eq->nq; i++) {
        add_symbol(p, eq->q[i], random);
        add_symbol(p, rate(eq, i), random);
    }
    for (int i = 0; i < s->nv; i++) {
        add_symbol(p, s->velocity[i].sym, random);
        add_symbol(p, s->velocity[i].accel, random);
    }
    for (int i = 0; i < eq->nv; i++) {
        add_symbol(p, eq->v[i], random);
        add_symbol(p, eq->a[i], random);
    }
    for (int i = 0; i < s->nconstraint; i++)
        add_symbol(p, s->constraint[i].lambda, random);
    obey(p, eq);
    for (int i = 0; i < p->n; i++) {
        char *latex = zw_print(p->ctx, p->symbols[i], ZW_LATEX);
        for (int k = 0; k < p->nname; k++)
            if (strcmp(latex, p->names[k].latex) == 0)
                fail_msg("two symbols are both written %s", latex);
        add_name(p, latex, p->values[i]);
        zw_string_free(p->ctx, latex);
    }
}

static double value_of(const point *p, zw_expr e) {
    return zw_eval(p->ctx, e, p->n, p->symbols, p->values);
}

static double value_of_text(const point *p, const char *text) {
    reader r = {
        .ctx = p->ctx, .p = text, .names = p->names, .nname = p->nname, .defined = p->defined};
    double x = read_or(&r);
    skip_space(&r);
    if (r.wrong || *r.p)
        fail_msg("not understood: '%.60s' in: %.300s", r.p, text);
    return x;
}

/* ------------------------------------------------------------------------------------ comparing */

typedef struct check {
    const char *model;
    const zw_equations *eq;
    document *d;
    point *p;
    int at, compared, skipped; /* the next equation of the document */
    double worst;
} check;

static void clear_names(point *p) {
    for (int i = 0; i < p->nname; i++)
        free(p->names[i].latex);
}

/* What `e` changes by if all that is given changes by some roundings: at a point where large terms
 * cancel, two ways to write the same differ by as much. */
static double rounding_of(const point *p, zw_expr e, double value) {
    double sum = 0;
    for (int i = 0; i < p->n; i++) {
        double keep = p->values[i];
        p->values[i] = keep * (1 + 1e-13);
        sum += fabs(value_of(p, e) - value);
        p->values[i] = keep;
    }
    return sum;
}

/* the next equation says left = right up to `scale` times rounding; a left side of its own: right
 * alone is looked at */
static void expect_values(check *c, const char *heading, bool whole, zw_expr residual) {
    if (c->at >= c->d->n)
        fail_msg("%s by %s: an equation is missing under '%s'", c->model, c->eq->principle,
                 heading);
    const equation *e = &c->d->equations[c->at++];
    if (strncmp(e->heading, heading, strlen(heading)) != 0)
        fail_msg("%s by %s: '%s' instead of '%s'", c->model, c->eq->principle, e->heading, heading);
    double right = value_of_text(c->p, e->right), left = whole ? value_of_text(c->p, e->left) : 0;
    double got = whole ? left - right : right, want = value_of(c->p, residual);
    if (!isfinite(want)) {
        c->skipped++;
        return;
    }
    double scale = fmax(1, fmax(fabs(left), fabs(right)));
    c->worst = fmax(c->worst, fabs(got - want) / scale);
    if (!(fabs(got - want) <= 1e-9 * scale) &&
        !(fabs(got - want) <= 1e-9 * scale + rounding_of(c->p, residual, want)))
        fail_msg("%s by %s, %s: %.12g instead of %.12g: %.200s = %.300s", c->model,
                 c->eq->principle, heading, got, want, e->left, e->right);
    c->compared++;
}

static void read_definitions(check *c) {
    while (c->d->n && strcmp(c->d->equations[c->d->n - 1].heading, "where") == 0)
        c->d->n--;
    for (int i = c->d->n; strcmp(c->d->equations[i].heading, "where") == 0; i++) {
        int number = 0;
        sscanf(c->d->equations[i].left, " c_{%d}", &number);
        assert_in_range(number, 1, NAMES_MAX - 1);
        double x = value_of_text(c->p, c->d->equations[i].right);
        c->p->defined[number] = isinf(x) ? NAN : x;
        free(c->d->equations[i].left);
        c->d->equations[i].left = NULL;
        c->d->equations[i].heading[0] = '\0';
    }
}

static zw_expr row(const zw_equations *eq, int k) {
    zw_context *ctx = eq->sys->ctx;
    return zw_sub(ctx, zw_dot(ctx, eq->nv, eq->M + k * eq->nv, eq->a),
                  zw_add(ctx, eq->h[k], zw_dot(ctx, eq->nc, eq->C + k * eq->nc, eq->lambda)));
}

static void compare_functions(check *c) {
    const zw_equations *eq = c->eq;
    if (eq->sys->nv == 0)
        return;
    expect_values(c, "Kinetic", false, eq->sys->T);
    expect_values(c, "Kinetic", false, eq->sys->potential);
    if (!eq->function || eq->function_name[0] == 'H')
        c->at++; /* L = T - V */
    if (!eq->function)
        return;
    expect_values(c, "", false, eq->function);
    for (int k = 0; eq->from_system && eq->function_name[0] == 'H' && k < eq->nv; k++)
        expect_values(c, "Momenta", false, eq->from_system[k]);
}

static void compare_kinematics(check *c, bool states) {
    const zw_equations *eq = c->eq;
    for (int i = 0; i < eq->nq; i++) {
        bool plain = false;
        for (int k = 0; k < eq->sys->nv; k++)
            plain |= eq->sys->velocity[k].coord == i && eq->qdot[i] == eq->v[k];
        if (eq->sys->coord[i].state == states && !plain && !zw_system_delay_of(eq->sys, i))
            expect_values(c,
                          states         ? "States"
                          : eq->system_v ? "Coordinates"
                                         : "Kinematics",
                          true, zw_sub(eq->sys->ctx, rate(eq, i), eq->qdot[i]));
    }
}

static void compare_motion(check *c) {
    const zw_equations *eq = c->eq;
    for (int k = 0; k < eq->nv; k++)
        if (!eq->row_constraint || eq->row_constraint[k] < 0)
            expect_values(c, eq->system_v ? "Momenta," : "Equations of motion", true, row(eq, k));
}

static void compare_constraints(check *c) {
    const zw_equations *eq = c->eq;
    zw_context *ctx = eq->sys->ctx;
    for (int i = 0; i < eq->sys->nconstraint; i++)
        if (eq->holds[i])
            expect_values(c, "Constraints", true, eq->sys->constraint[i].residual);
    for (int k = 0; k < eq->nc; k++)
        expect_values(c, "Constraints on", true,
                      zw_sub(ctx, zw_dot(ctx, eq->nv, eq->W + k * eq->nv, eq->a), eq->b[k]));
    for (int k = 0; k < eq->nv; k++)
        if (eq->row_constraint && eq->row_constraint[k] >= 0)
            expect_values(c, "Constraints on", true, row(eq, k));
}

/* gaps in the order of the model; their velocities and forces have a test of their own
 * (tests/lang/test_contact_text.c) */
static void compare_contacts(check *c) {
    const zw_system *s = c->eq->sys;
    for (int i = 0; i < s->ncontact; i++) {
        expect_values(c, "Contacts", false, s->contact[i].gap);
        while (c->at < c->d->n && strncmp(c->d->equations[c->at].heading, "Contacts", 8) == 0 &&
               !strstr(c->d->equations[c->at].left, "g_{"))
            c->at++;
    }
}

static void compare_document(check *c, int level, test_random *random) {
    char *text = zw_equations_write(c->eq, ZW_EQUATIONS_LATEX, (zw_simplification)level);
    assert_non_null(text);
    read_document(c->d, text);
    choose_point(c->p, c->eq, random);
    c->at = 0;
    c->d->equations[c->d->n].heading[0] = '\0';
    read_definitions(c);
    compare_functions(c);
    compare_kinematics(c, false);
    compare_motion(c);
    compare_constraints(c);
    compare_kinematics(c, true);
    compare_contacts(c);
    if (c->at != c->d->n)
        fail_msg("%s by %s has more equations than were derived", c->model, c->eq->principle);
    clear_names(c->p);
    clear_document(c->d);
    zw_string_free(c->eq->sys->ctx, text);
}

static void test_paper__says_what_was_derived(void **state) {
    (void)state;
    static name names[NAMES_MAX];
    static zw_expr symbols[NAMES_MAX];
    static double values[NAMES_MAX], defined[NAMES_MAX];
    static equation equations[EQUATIONS_MAX];
    document d = {.equations = equations};
    point p = {.names = names, .symbols = symbols, .values = values, .defined = defined};
    test_random random = {2026};
    check c = {.d = &d, .p = &p};
    glob_t models;
    assert_int_equal(glob(ZW_SOURCE_DIR "/models/*.zw", 0, NULL, &models), 0);
    for (size_t i = 0; i < models.gl_pathc; i++) {
        zw_context *ctx = zw_context_create(NULL);
        zw_system *sys;
        c.model = strrchr(models.gl_pathv[i], '/') + 1;
        assert_int_equal(zw_model_read(&sys, ctx, models.gl_pathv[i], NULL, NULL), ZW_OK);
        for (const zw_principle *by = zw_principles(); by->name; by++) {
            zw_equations eq;
            if (strcmp(by->name, "lagrange") != 0 && !test_takes(8, "paper", c.model, by->name))
                continue;
            if (zw_derive(&eq, sys, NULL, by->name, NULL) < 0) {
                zw_context_reset_status(ctx);
                continue;
            }
            c.eq = &eq;
            for (int level = ZW_AS_DERIVED; level <= ZW_TRIG_COMBINED; level++)
                if (level != ZW_AS_DERIVED || strcmp(by->name, "lagrange") == 0)
                    compare_document(&c, level, &random);
        }
        zw_context_destroy(ctx);
    }
    globfree(&models);
    print_message("%d equations compared, %d without a value at the point, worst difference %.1e\n",
                  c.compared, c.skipped, c.worst);
    assert_true(c.compared > (test_long() ? 4000 : 1500) && c.skipped < c.compared / 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper__says_what_was_derived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
