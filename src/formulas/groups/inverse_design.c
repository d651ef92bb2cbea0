/* SPDX-License-Identifier: MIT */
/* Inverse design: parameters for required values. In y_j = (p_j - low_j)/(high_j - low_j),
 * 0 <= y <= 1, and F_i = (f_i - w_i)/size_i,
 *
 *     (J'J + mu 1) dy = -J'F      for the y that are free: not at a bound that -J'F would leave
 *
 * with mu raised until |F| decreases and lowered when it has. Definitions and dependent
 * parameters are substituted, so that J is the exact derivative; a solution is tested with the
 * values that the model itself computes from its parameters. */

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/text.h"
#include "base/tolerance.h"
#include "zwang/chart.h"
#include "zwang/equilibria.h"
#include "zwang/steady.h"

enum {
    MOST = ZW_INVERSE_DESIGN_MOST, /* size of arrays */
    STEPS = 200,                   /* of an iteration: roots of higher order converge linearly */
    SOLUTIONS_MOST = 16            /* reported solutions */
};
#define SAME_SOLUTION 1e-6 /* of the ranges: one solution; Newton's method ends far below it */
#define MAYBE_SAME 1e-2    /* of the ranges: perhaps the same root, of higher order */
/* of the ranges: a longer step to the zero means that small values are none */
#define REMAINING_STEP 1e-4
/* of the square of their slopes elsewhere: the equations depend on each other */
#define DEPENDENT_EQUATIONS 1e-8
/* nearly undamped, the steps of scaled unknowns are limited by their bounds */
#define FIRST_DAMPING 1e-3
#define LARGEST_DAMPING 1e12   /* steps shorter by this are none: no descent is possible */
#define SMALLEST_DAMPING 1e-20 /* less has no effect on a regular matrix */
/* factor of the damping when the residual is round-off: ends the iteration quickly */
#define DAMPING_NEAR_ZERO 1e3

typedef struct quantity {
    const char *text, *unit;
    zw_expr e; /* of all parameters */
} quantity;

struct zw_inverse_design {
    zw_arena arena;
    zw_context *ctx;
    zw_system *sys;
    zw_inverse_design_options options;
    double *p;    /* values of the model */
    bool *given;  /* np: those that vary */
    zw_expr *sym; /* np */
    int m, n;
    quantity left[MOST], right[MOST];
    double size[MOST];
    zw_parameter_range vary[MOST];
    zw_expr F[MOST], J[MOST * MOST]; /* of the given parameters */
    int ntell;
    quantity tell[4 * MOST];
    int count;
    zw_inverse_design_solution solution[SOLUTIONS_MOST];
    bool full; /* more solutions than fit */
    double best, nearest[MOST];
    double *told; /* (count + 1) x ntell: at the values of the model, at the solutions */
};

void zw_inverse_design_options_init(zw_inverse_design_options *options, size_t size) {
    const zw_inverse_design_options all = {.size = size, .starts = 64};
    zw_options_begin(options, size, &all, sizeof all);
}

/* -------------------------------------------------------------------------------------- reading */

static zw_status read_model(zw_inverse_design *w, const zw_model_source *source, zw_error *err) {
    zw_text t;
    zw_text_init(&t, &w->arena.alloc);
    zw_text_put_n(&t, source->text, source->length);
    for (int i = 0; i < w->options.nname; i++)
        zw_text_printf(&t, "\nlet %s\n", w->options.name[i]);
    zw_status status = t.failed ? zw_out_of_memory(err, NULL)
                                : zw_model_parse(&w->sys, w->ctx, zw_text_get(&t), t.length,
                                                 source->file, source->options, err);
    zw_text_clear(&t);
    ZW_TRY(status);
    int np = w->sys->np;
    w->p = ZW_NEW(&w->arena, double, np + 1);
    w->given = ZW_NEW(&w->arena, bool, np + 1);
    w->sym = ZW_NEW(&w->arena, zw_expr, np + 1);
    if (w->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < np; i++)
        w->sym[i] = w->sys->param[i].sym;
    return zw_system_param_values(w->sys, w->p, err);
}

static zw_status read_quantity(zw_inverse_design *w, const char *option, const char *text,
                               quantity *out, zw_error *err) {
    char *own = zw_arena_string(&w->arena, text + strspn(text, " "));
    if (!own)
        return zw_out_of_memory(err, NULL);
    for (size_t n = strlen(own); n > 0 && own[n - 1] == ' '; n--)
        own[n - 1] = '\0';
    out->text = own;
    ZW_TRY(zw_model_quantity(&out->e, &out->unit, w->sys, option, text, err));
    zw_expr foreign = zw_foreign_symbol(w->ctx, out->e, w->sys->np, w->sym);
    if (!foreign)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "%s: '%s' depends on %s, which is not a parameter", option, out->text,
            zw_expr_name(w->ctx, foreign));
    zw_error_hint(err, "expressions of parameters have a value without a motion");
    return ZW_E_OPTION;
}

/* The next piece up to a comma outside brackets; NULL at the end. */
static char *next_piece(char **at) {
    int depth = 0;
    char *begin = *at, *end;
    if (!begin)
        return NULL;
    for (end = begin; *end && (*end != ',' || depth); end++)
        depth += (*end == '(' || *end == '[') - (*end == ')' || *end == ']');
    *at = *end ? end + 1 : NULL;
    *end = '\0';
    return begin;
}

static zw_status read_want(zw_inverse_design *w, char *text, zw_error *err) {
    char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1]) {
        zw_fail(err, ZW_E_OPTION, "--want %s: an equation is expected", text);
        zw_error_hint(err, "--want \"zeta = 1.5, kappa = 0.05\"");
        return ZW_E_OPTION;
    }
    if (w->m == MOST)
        return zw_fail(err, ZW_E_OPTION, "--want %s: more than %d values", text, MOST);
    *equals = '\0';
    ZW_TRY(read_quantity(w, "--want", text, &w->left[w->m], err));
    ZW_TRY(read_quantity(w, "--want", equals + 1, &w->right[w->m], err));
    const quantity *a = &w->left[w->m], *b = &w->right[w->m];
    if (strcmp(a->unit, b->unit) != 0 && a->e != ZW_ZERO && b->e != ZW_ZERO)
        return zw_fail(err, ZW_E_UNIT, "--want: %s is in %s, and %s in %s", a->text,
                       a->unit[0] ? a->unit : "1", b->text, b->unit[0] ? b->unit : "1");
    w->m++;
    return ZW_OK;
}

static zw_status read_vary(zw_inverse_design *w, const char *text, zw_error *err) {
    zw_parameter_range *o = &w->vary[w->n];
    if (w->n == MOST)
        return zw_fail(err, ZW_E_OPTION, "--vary %s: more than %d parameters", text, MOST);
    if (strchr(text, '=')) {
        ZW_TRY(zw_parameter_range_read(o, w->sys, text, err));
        if (o->parameter < 0)
            return zw_fail(err, ZW_E_OPTION, "--vary %s: it is not a parameter", o->name);
    } else {
        const char *names[256];
        int i = 0, np = w->sys->np < 256 ? w->sys->np : 256;
        while (i < np && strcmp(names[i] = w->sys->param[i].name, text) != 0)
            i++;
        if (i == np) {
            zw_fail(err, ZW_E_NAME, "--vary %s: there is no parameter of that name", text);
            const char *near = zw_nearest(text, np, names);
            if (near)
                zw_error_hint(err, "did you mean %s?", near);
            return ZW_E_NAME;
        }
        *o = (zw_parameter_range){
            .factor = 1, .parameter = i, .from = w->p[i] / 10, .to = w->p[i] * 10};
        snprintf(o->name, sizeof o->name, "%s", text);
        snprintf(o->unit, sizeof o->unit, "%s", w->sys->param[i].unit);
    }
    if (o->from == o->to) {
        zw_fail(err, ZW_E_OPTION, "--vary %s: its range has no length", o->name);
        zw_error_hint(err, "--vary %s=FROM:TO", o->name);
        return ZW_E_OPTION;
    }
    for (int k = 0; k < w->n; k++)
        if (w->vary[k].parameter == o->parameter)
            return zw_fail(err, ZW_E_OPTION, "--vary %s is given twice", o->name);
    w->given[o->parameter] = true;
    w->n++;
    return ZW_OK;
}

static zw_status read_all(zw_inverse_design *w, zw_error *err) {
    const zw_inverse_design_options *o = &w->options;
    for (int i = 0; i < o->nwant; i++) {
        char *at = zw_arena_string(&w->arena, o->want[i]);
        for (char *piece = next_piece(&at); piece; piece = next_piece(&at))
            ZW_TRY(read_want(w, piece, err));
    }
    for (int i = 0; i < o->nvary; i++) {
        /* "a, b" is two, "a=5:20mm" is one. */
        char *at = zw_arena_string(&w->arena, o->vary[i]);
        for (char *piece = next_piece(&at); piece; piece = next_piece(&at))
            ZW_TRY(read_vary(w, piece + strspn(piece, " "), err));
    }
    for (int i = 0; i < o->ntell; i++) {
        char *at = zw_arena_string(&w->arena, o->tell[i]);
        for (char *piece = next_piece(&at); piece; piece = next_piece(&at)) {
            if (w->ntell == 4 * MOST)
                return zw_fail(err, ZW_E_OPTION, "--tell: more than %d expressions", 4 * MOST);
            ZW_TRY(read_quantity(w, "--tell", piece, &w->tell[w->ntell], err));
            w->ntell++;
        }
    }
    if (w->arena.failed)
        return zw_out_of_memory(err, NULL);
    if (w->m <= w->n)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "%d required values and %d parameter%s to vary", w->m, w->n,
            w->n == 1 ? "" : "s");
    zw_error_hint(err, "add --vary NAME=FROM:TO, at least one for each required value");
    return ZW_E_OPTION;
}

/* Substitutes dependent parameters until only given ones are left. */
static zw_expr of_given(zw_inverse_design *w, zw_expr e) {
    for (int round = 0; round < w->sys->np; round++) {
        zw_expr before = e;
        for (int i = 0; i < w->sys->np; i++) {
            const zw_param *p = &w->sys->param[i];
            if (!w->given[i] && zw_foreign_symbol(w->ctx, p->value, 0, NULL))
                e = zw_subst(w->ctx, e, 1, &p->sym, &p->value);
        }
        if (e == before)
            break;
    }
    return e;
}

static double at_model(const zw_inverse_design *w, zw_expr e, const double *p) {
    return zw_eval(w->ctx, e, w->sys->np, w->sym, p);
}

static zw_status prepare_equations(zw_inverse_design *w, zw_error *err) {
    for (int i = 0; i < w->m; i++) {
        double a = at_model(w, w->left[i].e, w->p), b = at_model(w, w->right[i].e, w->p);
        w->size[i] = fabs(b) > 0 ? fabs(b) : fabs(a) > 0 ? fabs(a) : 1;
        w->F[i] = of_given(w, zw_sub(w->ctx, w->left[i].e, w->right[i].e));
        for (int j = 0; j < w->n; j++)
            w->J[i * MOST + j] = zw_diff(w->ctx, w->F[i], w->sym[w->vary[j].parameter]);
        bool touched = false;
        for (int j = 0; j < w->n; j++)
            touched = touched || w->J[i * MOST + j] != ZW_ZERO;
        if (!touched) {
            zw_fail(err, ZW_E_OPTION, "--want %s: no varied parameter has an effect on it",
                    w->left[i].text);
            zw_error_hint(err, "name parameters that it depends on with --vary");
            return ZW_E_OPTION;
        }
    }
    return zw_context_status(w->ctx, err);
}

/* -------------------------------------------------------------------------------------- solving */

static void set_parameters(const zw_inverse_design *w, const double *y, double *p) {
    for (int j = 0; j < w->n; j++) {
        const zw_parameter_range *o = &w->vary[j];
        p[o->parameter] = o->from + (o->to - o->from) * y[j];
    }
}

/* F and, if J is not NULL, its derivatives with respect to y; returns the largest |F|, infinite if
 * there is no value. */
static double evaluate_residual(const zw_inverse_design *w, const double *y, double *p, double *F,
                                double *J) {
    double worst = 0;
    set_parameters(w, y, p);
    zw_eval_all(w->ctx, w->m, w->F, w->sys->np, w->sym, p, F);
    for (int i = 0; i < w->m; i++) {
        F[i] /= w->size[i];
        worst = isfinite(F[i]) ? fmax(worst, fabs(F[i])) : INFINITY;
        for (int j = 0; J && j < w->n; j++) {
            double slope = zw_eval(w->ctx, w->J[i * MOST + j], w->sys->np, w->sym, p);
            J[i * MOST + j] = slope * (w->vary[j].to - w->vary[j].from) / w->size[i];
        }
    }
    return worst;
}

static double euclidean_norm(int n, const double *v) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += v[i] * v[i];
    return sqrt(s);
}

/* Elimination for a symmetric positive matrix, with pivots on its diagonal; false if one of them is
 * 0. */
static bool solve_symmetric(int n, double *A, double *b) {
    for (int k = 0; k < n; k++) {
        double pivot = A[k * MOST + k];
        if (!(pivot > 0))
            return false;
        for (int i = k + 1; i < n; i++) {
            double f = A[i * MOST + k] / pivot;
            for (int j = k; j < n; j++)
                A[i * MOST + j] -= f * A[k * MOST + j];
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= A[k * MOST + j] * b[j];
        b[k] /= A[k * MOST + k];
    }
    return true;
}

/* One damped step from y into next; false if nothing can move. */
static bool take_damped_step(const zw_inverse_design *w, const double *y, const double *F,
                             const double *J, double mu, double *next) {
    double A[MOST * MOST], b[MOST], g[MOST];
    int free[MOST], k = 0;
    for (int j = 0; j < w->n; j++) {
        g[j] = 0;
        for (int i = 0; i < w->m; i++)
            g[j] -= J[i * MOST + j] * F[i];
        bool stays = (y[j] <= 0 && g[j] < 0) || (y[j] >= 1 && g[j] > 0);
        if (!stays)
            free[k++] = j;
    }
    for (int r = 0; r < k; r++) {
        b[r] = g[free[r]];
        for (int c = 0; c < k; c++) {
            A[r * MOST + c] = r == c ? mu : 0;
            for (int i = 0; i < w->m; i++)
                A[r * MOST + c] += J[i * MOST + free[r]] * J[i * MOST + free[c]];
        }
    }
    if (k == 0 || !solve_symmetric(k, A, b))
        return false;
    memcpy(next, y, sizeof *y * (size_t)w->n);
    for (int r = 0; r < k; r++)
        next[free[r]] = fmin(1, fmax(0, y[free[r]] + b[r]));
    return true;
}

/* Descends from y as far as possible; returns the largest |F| there. */
static double descend_residual(const zw_inverse_design *w, double *y, double *p) {
    double F[MOST], J[MOST * MOST], trial[MOST], G[MOST], mu = FIRST_DAMPING;
    double worst = evaluate_residual(w, y, p, F, J);
    for (int k = 0; k < STEPS && worst > 0 && isfinite(worst) && mu < LARGEST_DAMPING; k++) {
        if (!take_damped_step(w, y, F, J, mu, trial))
            break;
        double now = evaluate_residual(w, trial, p, G, NULL);
        if (isfinite(now) && euclidean_norm(w->m, G) < euclidean_norm(w->m, F)) {
            memcpy(y, trial, sizeof *y * (size_t)w->n);
            worst = evaluate_residual(w, y, p, F, J);
            mu = fmax(mu / 10, SMALLEST_DAMPING);
        } else {
            mu *= worst < ZW_NEWTON ? DAMPING_NEAR_ZERO : 4;
        }
    }
    return worst;
}

/* Small values are no zero if the step to one is long: exp(-p) = 0. The step in y without damping
 * is that of Newton's method. */
static bool is_near(const zw_inverse_design *w, const double *y, double *p) {
    double F[MOST], J[MOST * MOST], next[MOST], most = 0, off = 0;
    evaluate_residual(w, y, p, F, J);
    for (int i = 0; i < w->m * MOST; i++)
        most = i % MOST < w->n ? fmax(most, fabs(J[i])) : most;
    if (!(most > 0) || !take_damped_step(w, y, F, J, ZW_ROUNDOFF_SUM * most * most, next))
        return true;
    for (int j = 0; j < w->n; j++)
        off = fmax(off, fabs(next[j] - y[j]));
    return off < REMAINING_STEP;
}

/* Do the rows of J depend on each other, or does one vanish, compared with their values elsewhere
 * in the ranges? */
static bool is_singular(const zw_inverse_design *w, const double *y, double *p) {
    double F[MOST], J[MOST * MOST], A[MOST * MOST], b[MOST] = {0}, size[MOST] = {0}, z[MOST];
    for (int k = 1; k <= 8; k++) {
        for (int j = 0; j < w->n; j++)
            z[j] = zw_search_point(j, k);
        if (!isfinite(evaluate_residual(w, z, p, F, J)))
            continue;
        for (int i = 0; i < w->m; i++)
            size[i] = fmax(size[i], euclidean_norm(w->n, &J[i * MOST]));
    }
    evaluate_residual(w, y, p, F, J);
    double low = INFINITY;
    for (int r = 0; r < w->m; r++)
        for (int c = 0; c < w->m; c++) {
            A[r * MOST + c] = 0;
            for (int j = 0; j < w->n; j++)
                A[r * MOST + c] += J[r * MOST + j] / size[r] * J[c * MOST + j] / size[c];
        }
    solve_symmetric(w->m, A, b);
    for (int r = 0; r < w->m; r++)
        low = fmin(low, A[r * MOST + r]);
    return !(low > DEPENDENT_EQUATIONS);
}

/* Two points are one solution if all points between them satisfy the equations as well: at a root
 * of higher order each start ends somewhere else near it, (p - 1)^3 is below 1e-12 within 1e-4. p
 * is restored. */
static bool is_joined(const zw_inverse_design *w, const zw_inverse_design_solution *s,
                      const double *y, double *p) {
    double z[MOST], F[MOST], worst = 0;
    for (int k = 1; k < 8; k++) {
        for (int j = 0; j < w->n; j++) {
            const zw_parameter_range *o = &w->vary[j];
            double other = (s->value[j] - o->from) / (o->to - o->from);
            z[j] = y[j] + (other - y[j]) * k / 8;
        }
        worst = fmax(worst, evaluate_residual(w, z, p, F, NULL));
    }
    set_parameters(w, y, p);
    return worst < ZW_NEWTON;
}

static void put_values(const zw_inverse_design *w, zw_inverse_design_solution *s, const double *y,
                       double worst, double *p) {
    set_parameters(w, y, p);
    s->residual = worst;
    for (int j = 0; j < w->n; j++) {
        s->value[j] = p[w->vary[j].parameter];
        s->bound[j] = y[j] <= 0 || y[j] >= 1;
    }
    s->singular = is_singular(w, y, p);
}

static void add_solution(zw_inverse_design *w, const double *y, double worst, double *p) {
    set_parameters(w, y, p);
    for (int i = 0; i < w->count; i++) {
        bool same = w->n > w->m; /* a family: one of its members */
        double off = 0;
        for (int j = 0; j < w->n; j++) {
            double length = w->vary[j].to - w->vary[j].from;
            off = fmax(off, fabs((w->solution[i].value[j] - p[w->vary[j].parameter]) / length));
        }
        if (same || off < SAME_SOLUTION ||
            (off < MAYBE_SAME && is_joined(w, &w->solution[i], y, p))) {
            if (!same && worst < w->solution[i].residual)
                put_values(w, &w->solution[i], y, worst, p);
            w->solution[i].starts++;
            return;
        }
    }
    if (w->count == SOLUTIONS_MOST) {
        w->full = true;
        return;
    }
    zw_inverse_design_solution *s = &w->solution[w->count++];
    *s = (zw_inverse_design_solution){.starts = 1};
    put_values(w, s, y, worst, p);
}

/* Compares the required values with those that the model computes from its parameters. */
static double confirm_solution(const zw_inverse_design *w, const double *value, double *p,
                               zw_error *err) {
    double worst = 0;
    memcpy(p, w->p, sizeof *p * (size_t)w->sys->np);
    for (int j = 0; j < w->n; j++)
        p[w->vary[j].parameter] = value[j];
    if (zw_system_param_follow(w->sys, w->given, p, err) < 0)
        return INFINITY;
    for (int i = 0; i < w->m; i++)
        worst = fmax(worst, fabs(at_model(w, w->left[i].e, p) - at_model(w, w->right[i].e, p)) /
                                w->size[i]);
    return worst;
}

static zw_status report_no_solution(zw_inverse_design *w, double *p, zw_error *err) {
    char nearest[300] = "", at[300] = "";
    size_t a = 0, b = 0;
    confirm_solution(w, w->nearest, p, err);
    for (int i = 0; i < w->m && a < sizeof nearest; i++)
        a += (size_t)snprintf(nearest + a, sizeof nearest - a, "%s%s = %.6g", i ? ", " : "",
                              w->left[i].text, at_model(w, w->left[i].e, p));
    for (int j = 0; j < w->n && b < sizeof at; j++) {
        const zw_parameter_range *o = &w->vary[j];
        b += (size_t)snprintf(at + b, sizeof at - b, "%s%s = %.6g%s%s", j ? ", " : "", o->name,
                              w->nearest[j] / o->factor, o->unit[0] ? " " : "", o->unit);
    }
    zw_fail(err, ZW_E_NUMERIC,
            "no parameters in the ranges give the required values; the nearest of %d starts: "
            "%.200s at %.200s",
            w->options.starts, nearest, at);
    zw_error_hint(err, "use wider ranges, more parameters to vary, or more starts");
    return ZW_E_NUMERIC;
}

static zw_status search_solutions(zw_inverse_design *w, zw_error *err) {
    double y[MOST], *p = ZW_NEW(&w->arena, double, w->sys->np + 1);
    if (!p)
        return zw_out_of_memory(err, NULL);
    w->best = INFINITY;
    for (int k = 0; k < w->options.starts; k++) {
        memcpy(p, w->p, sizeof *p * (size_t)w->sys->np);
        for (int j = 0; j < w->n; j++) {
            const zw_parameter_range *o = &w->vary[j];
            double own = (w->p[o->parameter] - o->from) / (o->to - o->from);
            y[j] = k ? zw_search_point(j, k) : fmin(1, fmax(0, own));
        }
        double worst = descend_residual(w, y, p);
        if (worst < w->best) {
            w->best = worst;
            set_parameters(w, y, p);
            for (int j = 0; j < w->n; j++)
                w->nearest[j] = p[w->vary[j].parameter];
        }
        if (worst < ZW_NEWTON && is_near(w, y, p))
            add_solution(w, y, worst, p);
    }
    /* a start that failed for lack of memory has found nothing */
    ZW_TRY(zw_context_status(w->ctx, err));
    if (w->count == 0)
        return report_no_solution(w, p, err);
    for (int i = 0; i < w->count; i++) {
        w->solution[i].residual = confirm_solution(w, w->solution[i].value, p, err);
        ZW_TRY(zw_context_status(w->ctx, err));
        if (!(w->solution[i].residual < 10 * ZW_NEWTON))
            return zw_fail(err, ZW_E_NUMERIC,
                           "the model itself does not give the required values there (%.2g off)",
                           w->solution[i].residual);
    }
    return ZW_OK;
}

/* the values of the further expressions */
static zw_status evaluate_expressions(zw_inverse_design *w, zw_error *err) {
    double *p = ZW_NEW(&w->arena, double, w->sys->np + 1);
    w->told = ZW_NEW(&w->arena, double, (w->count + 1) * w->ntell + 1);
    ZW_TRY(zw_arena_status(&w->arena, err));
    for (int k = -1; k < w->count; k++) {
        memcpy(p, w->p, sizeof *p * (size_t)w->sys->np);
        if (k >= 0)
            confirm_solution(w, w->solution[k].value, p, NULL);
        for (int i = 0; i < w->ntell; i++)
            w->told[(k + 1) * w->ntell + i] = at_model(w, w->tell[i].e, p);
    }
    return zw_context_status(w->ctx, err);
}

/* ------------------------------------------------------------------------------------ lifecycle */

static zw_status solve_design(zw_inverse_design *w, const zw_model_source *source, zw_error *err) {
    ZW_TRY(read_model(w, source, err));
    ZW_TRY(read_all(w, err));
    if (w->m) {
        ZW_TRY(prepare_equations(w, err));
        ZW_TRY(search_solutions(w, err));
    }
    return evaluate_expressions(w, err);
}

zw_status zw_inverse_design_create(zw_inverse_design **out, const zw_model_source *source,
                                   const zw_inverse_design_options *options, zw_error *err) {
    assert(out);
    zw_inverse_design_options o = zw_inverse_design_options_default();
    *out = NULL;
    ZW_TRY(zw_options_adopt(&o, sizeof o, options, "zw_inverse_design_options", err));
    zw_allocator alloc = o.allocator ? *o.allocator : zw_allocator_default();
    zw_inverse_design *w = zw_allocate(&alloc, sizeof *w);
    if (!w)
        return zw_out_of_memory(err, NULL);
    zw_arena_init(&w->arena, &alloc);
    w->options = o;
    w->ctx = zw_context_create(&alloc);
    zw_status status = w->ctx ? solve_design(w, source, err) : zw_out_of_memory(err, NULL);
    if (status < 0) {
        zw_inverse_design_destroy(w);
        return status;
    }
    *out = w;
    return ZW_OK;
}

void zw_inverse_design_destroy(zw_inverse_design *w) {
    if (!w)
        return;
    zw_allocator alloc = w->arena.alloc;
    zw_context_destroy(w->ctx);
    zw_arena_clear(&w->arena);
    zw_release(&alloc, w, sizeof *w);
}

int zw_inverse_design_count(const zw_inverse_design *w) {
    return w->count;
}

const zw_inverse_design_solution *zw_inverse_design_at(const zw_inverse_design *w, int i) {
    assert(i >= 0 && i < zw_inverse_design_count(w));
    return &w->solution[i];
}

int zw_inverse_design_free(const zw_inverse_design *w) {
    return w->n - w->m;
}

double zw_inverse_design_told(const zw_inverse_design *w, int solution, int i) {
    assert(solution < zw_inverse_design_count(w) && i >= 0 && i < w->ntell);
    return w->told[(solution + 1) * w->ntell + i];
}

/* --------------------------------------------------------------------------------------- report */

static void report_expressions(zw_report *out, const zw_inverse_design *w, int solution) {
    zw_report_list(out, "expressions");
    for (int i = 0; i < w->ntell; i++) {
        zw_report_open(out, NULL);
        zw_report_word(out, "expression", w->tell[i].text);
        zw_report_number(out, "value", zw_inverse_design_told(w, solution, i),
                         &(zw_shown){.unit = w->tell[i].unit});
        zw_report_word(out, "unit", w->tell[i].unit);
        zw_report_say(out, "  {expression} = {value}\n");
        zw_report_close(out);
    }
    zw_report_close(out);
}

static void report_parameters(zw_report *out, const zw_inverse_design *w,
                              const zw_inverse_design_solution *s) {
    zw_report_list(out, "parameters");
    for (int j = 0; j < w->n; j++) {
        const zw_parameter_range *o = &w->vary[j];
        const char *unit = w->sys->param[o->parameter].unit;
        zw_report_open(out, NULL);
        zw_report_word(out, "name", o->name);
        zw_report_number(out, "value", s->value[j],
                         &(zw_shown){.unit = o->unit, .scale = o->factor, .si_unit = unit});
        zw_report_word(out, "unit", unit);
        zw_report_flag(out, "at_bound", s->bound[j]);
        zw_report_say(out, "  {name} = {value}{at_bound?   (at the end of its range)}\n");
        zw_report_close(out);
    }
    zw_report_close(out);
}

static void report_solution(zw_report *out, const zw_inverse_design *w, int k) {
    const zw_inverse_design_solution *s = &w->solution[k];
    zw_report_open(out, NULL);
    zw_report_count(out, "number", k + 1);
    zw_report_count(out, "starts", s->starts);
    zw_report_number(out, "residual", s->residual, &(zw_shown){.digits = 2});
    zw_report_flag(out, "singular", s->singular);
    zw_report_say(out, "Solution {number}, from {starts} of {start_count|start|starts}, residual "
                       "{residual}{singular?; the equations depend on each other here, so it may "
                       "not be isolated}\n");
    report_parameters(out, w, s);
    report_expressions(out, w, k);
    zw_report_close(out);
}

void zw_inverse_design_report(const zw_inverse_design *w, zw_report *out) {
    bool family = w->m && w->n > w->m;
    zw_report_count(out, "free", w->m ? w->n - w->m : 0);
    zw_report_count(out, "start_count", w->options.starts);
    zw_report_count(out, "solution_count", w->count);
    zw_report_flag(out, "more_solutions", w->full);
    zw_report_mute(out, w->m > 0);
    report_expressions(out, w, -1);
    zw_report_mute(out, false);
    zw_report_list(out, "solutions");
    for (int k = 0; k < w->count; k++)
        report_solution(out, w, k);
    zw_report_close(out);
    if (family)
        zw_report_say(out, "Not unique: {free|parameter|parameters} more than required values; "
                           "this is one member of a family.\n");
    else if (w->count > 1 || w->full)
        zw_report_say(out, "Not unique: {more_solutions?more than }{solution_count} solutions in "
                           "these ranges\n");
    else if (w->m)
        zw_report_say(out, "No other solution was found in these ranges.\n");
}
