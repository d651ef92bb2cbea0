/* SPDX-License-Identifier: MIT */
/* Three systems of equations r(x) = 0 are met one after the other, from scattered values:
 *
 *   positions      phi(q, t) = 0    q moves along F dv    rows Phi
 *   velocities     psi(q, v, t) = 0                       rows Psi
 *   accelerations  W a = b                                rows W
 *
 * by steps dx = -A' (A A' + mu)^-1 r of Levenberg and Marquardt, rows of unit length, mu as small as
 * helps: dependent rows do no harm. Where no step helps, A' r = 0: the residual itself holds the
 * factors of a combination of the rows that vanishes, so the constraints with a residual are those
 * that contradict each other. A step can also end at a mere local minimum, so a set is called
 * contradictory only if no attempt finds a solution. */
#include "states.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "subspace.h"

enum { STEPS = 200, ATTEMPTS = 24 };
#define MET 1e-11     /* residuals relative to the size of the state */
#define DAMPING 1e-11 /* mu */

bool zw_states_values(const zw_sample *at, const zw_equations *eq, int n, const zw_expr *e,
                      double *out) {
    bool finite = true;
    for (int i = 0; i < n; i++) {
        out[i] = e[i] == ZW_ZERO ? 0 : zw_sample_value(at, eq->sys, e[i]);
        finite &= isfinite(out[i]) != 0;
    }
    return finite;
}

static void normalise(zw_sample *at, const zw_equations *eq) {
    for (int i = 0; i < eq->nunit; i++) {
        double *p = at->value + eq->sys->np + eq->unit[i], length = zw_length(4, p);
        for (int k = 0; k < 4; k++)
            p[k] /= length;
    }
}

static zw_status init(zw_states *out, const zw_equations *eq, int n, zw_error *err) {
    const zw_system *s = eq->sys;
    out->n = n;
    out->at = ZW_CONTEXT_NEW(s->ctx, zw_sample, n);
    for (int i = 0; out->at && i < n; i++) {
        zw_sample narrow, *wide = &out->at[i];
        ZW_TRY(zw_sample_init(&narrow, s, err));
        wide->n = narrow.n + s->nconstraint;
        wide->sym = ZW_CONTEXT_NEW(s->ctx, zw_expr, wide->n);
        wide->value = ZW_CONTEXT_NEW(s->ctx, double, wide->n);
        if (!wide->sym || !wide->value)
            break;
        memcpy(wide->sym, narrow.sym, (size_t)narrow.n * sizeof *narrow.sym);
        memcpy(wide->value, narrow.value, (size_t)narrow.n * sizeof *narrow.value);
        for (int c = 0; c < s->nconstraint; c++)
            wide->sym[narrow.n + c] = s->constraint[c].lambda;
    }
    return zw_context_status(s->ctx, err);
}

zw_status zw_states_scatter(zw_states *out, const zw_equations *eq, int n, zw_error *err) {
    ZW_TRY(init(out, eq, n, err));
    for (int i = 0; i < n; i++) {
        zw_sample_scatter(&out->at[i], eq->sys, (unsigned)i);
        normalise(&out->at[i], eq);
    }
    return ZW_OK;
}

typedef enum level { POSITIONS, VELOCITIES, ACCELERATIONS } level;

/* m equations r(x) = 0 with rows A, and who said them */
typedef struct equation_set {
    level level;
    int m;
    const zw_expr *r, *A;
    const int *constraint;
    double *residual, *rows; /* m, m x nv */
    double *square, *factor; /* m x m, m: work */
    double *step, *kept;     /* nv; a state and a: before the step */
    double *a;               /* nv: the unknown of ACCELERATIONS */
} equation_set;

static zw_status equation_set_init(equation_set *set, const zw_equations *eq, level l, int n,
                                   zw_error *err) {
    zw_context *ctx = eq->sys->ctx;
    const equation_set kinds[] = {
        {.m = eq->npos, .r = eq->phi, .A = eq->Phi, .constraint = eq->pos_constraint},
        {.m = eq->nvel, .r = eq->psi, .A = eq->Psi, .constraint = eq->vel_constraint},
        {.m = eq->nc, .r = eq->b, .A = eq->W, .constraint = eq->constraint},
    };
    *set = kinds[l];
    set->level = l;
    set->residual = ZW_CONTEXT_NEW(ctx, double, set->m);
    set->rows = ZW_CONTEXT_NEW(ctx, double, set->m * eq->nv);
    set->square = ZW_CONTEXT_NEW(ctx, double, set->m * set->m);
    set->factor = ZW_CONTEXT_NEW(ctx, double, set->m);
    set->step = ZW_CONTEXT_NEW(ctx, double, eq->nv);
    set->kept = ZW_CONTEXT_NEW(ctx, double, n + eq->nv);
    set->a = ZW_CONTEXT_NEW(ctx, double, eq->nv);
    return zw_context_status(ctx, err);
}

/* residuals and rows at the state, rows of unit length; the length of the residual, NaN if some
 * value is not finite */
static double evaluate(equation_set *set, const zw_sample *at, const zw_equations *eq) {
    int nv = eq->nv;
    if (!zw_states_values(at, eq, set->m, set->r, set->residual) ||
        !zw_states_values(at, eq, set->m * nv, set->A, set->rows))
        return NAN;
    for (int i = 0; i < set->m; i++) {
        double *row = set->rows + (size_t)i * (size_t)nv, length = zw_length(nv, row);
        if (set->level == ACCELERATIONS) {
            set->residual[i] = -set->residual[i];
            for (int k = 0; k < nv; k++)
                set->residual[i] += row[k] * set->a[k];
        }
        for (int k = 0; length > 0 && k < nv; k++)
            row[k] /= length;
        set->residual[i] /= length > 0 ? length : 1;
    }
    return zw_length(set->m, set->residual);
}

/* x = kept + part * step */
static void move(equation_set *set, zw_sample *at, const zw_equations *eq, double part) {
    const zw_system *s = eq->sys;
    int nv = eq->nv;
    double *q = at->value + s->np, *v = q + s->nq;
    memcpy(at->value, set->kept, (size_t)at->n * sizeof *at->value);
    if (set->level == ACCELERATIONS) {
        for (int k = 0; k < nv; k++)
            set->a[k] = set->kept[at->n + k] + part * set->step[k];
    } else if (set->level == VELOCITIES) {
        for (int k = 0; k < nv; k++)
            v[k] += part * set->step[k];
    } else {
        for (int i = 0; i < s->nq; i++)
            for (int k = 0; k < nv; k++)
                if (s->F[i * nv + k] != ZW_ZERO) {
                    double F = zw_eval(s->ctx, s->F[i * nv + k], at->n, at->sym, set->kept);
                    q[i] += part * F * set->step[k];
                }
        normalise(at, eq);
    }
}

/* step = -A' (A A' + mu)^-1 r */
static bool find_step(equation_set *set, const zw_equations *eq, double mu) {
    int m = set->m, nv = eq->nv;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            double sum = i == j ? mu : 0;
            for (int k = 0; k < nv; k++)
                sum += set->rows[i * nv + k] * set->rows[j * nv + k];
            set->square[i * m + j] = sum;
        }
        set->factor[i] = -set->residual[i];
    }
    if (!zw_eliminate(m, set->square, set->factor))
        return false;
    for (int k = 0; k < nv; k++) {
        set->step[k] = 0;
        for (int i = 0; i < m; i++)
            set->step[k] += set->rows[i * nv + k] * set->factor[i];
    }
    return true;
}

/* one step, damped until it helps; the new length of the residual */
static double improve(equation_set *set, zw_sample *at, const zw_equations *eq, double length) {
    memcpy(set->kept, at->value, (size_t)at->n * sizeof *at->value);
    memcpy(set->kept + at->n, set->a, (size_t)eq->nv * sizeof *set->a);
    for (double mu = DAMPING; mu < 1e6 && find_step(set, eq, mu); mu *= 30) {
        move(set, at, eq, 1);
        double now = evaluate(set, at, eq);
        if (now < length)
            return now;
        move(set, at, eq, 0);
        length = evaluate(set, at, eq);
    }
    return length;
}

static bool met(const equation_set *set, double length, const zw_sample *at,
                const zw_equations *eq) {
    double size = zw_length(eq->nq + eq->nv, at->value + eq->sys->np) + zw_length(eq->nv, set->a);
    return length <= MET * (1 + size);
}

/* true if the set is met; otherwise its residuals stay for the message */
static bool meet(equation_set *set, zw_sample *at, const zw_equations *eq) {
    for (int k = 0; set->level == ACCELERATIONS && k < eq->nv; k++)
        set->a[k] = 0;
    double length = evaluate(set, at, eq);
    for (int step = 0; step < STEPS && isfinite(length); step++) {
        bool last = met(set, length, at, eq); /* one more step makes it exact */
        double now = improve(set, at, eq, length);
        bool better = now < length;
        length = now;
        if (last || !better)
            break;
    }
    return met(set, length, at, eq);
}

/* "a (line 3), b (line 4)": the constraints with a residual; the last of them */
static const zw_constraint *name_them(const equation_set *set, const zw_equations *eq, char *text,
                                      size_t size) {
    const zw_constraint *last = NULL;
    double largest = 0;
    text[0] = '\0';
    for (int i = 0; i < set->m; i++)
        largest = fmax(largest, fabs(set->residual[i]));
    for (int i = 0; i < set->m; i++) {
        const zw_constraint *c = &eq->sys->constraint[set->constraint[i]];
        size_t used = strlen(text);
        if (!(fabs(set->residual[i]) > 1e-3 * largest))
            continue;
        if (c->place.line > 0)
            snprintf(text + used, size - used, "%s%s (line %d)", last ? ", " : "", c->name,
                     c->place.line);
        else
            snprintf(text + used, size - used, "%s%s", last ? ", " : "", c->name);
        last = c;
    }
    return last;
}

static zw_status refuse(const equation_set *set, const zw_equations *eq, zw_error *err) {
    static const char *const of[] = {"position", "velocity", "acceleration"};
    char names[320];
    ZW_TRY(zw_context_status(eq->sys->ctx, err));
    const zw_constraint *last = name_them(set, eq, names, sizeof names);
    if (!last)
        return zw_fail(err, ZW_E_DOMAIN, "the constraints of %s have no value at random states",
                       eq->sys->name);
    zw_fail_at(err, ZW_E_MODEL, last->place,
               strchr(names, ',') ? "no %s meets these constraints together: %s"
                                  : "no %s meets the constraint %s",
               of[set->level], names);
    zw_error_hint(err,
                  "no solution was found from %d random starts; mend one of them or switch it "
                  "off (--without %s)",
                  ATTEMPTS, last->name);
    return ZW_E_MODEL;
}

/* the start of the model as a state, for positions that are hard to find by chance */
static zw_status put_start(zw_sample *at, const zw_system *s, zw_error *err) {
    double *x = ZW_CONTEXT_NEW(s->ctx, double, s->nq + s->nv);
    bool *fixed = ZW_CONTEXT_NEW(s->ctx, bool, s->nq + s->nv);
    if (!x || !fixed)
        return zw_context_status(s->ctx, err);
    ZW_TRY(zw_system_start_state(s, at->value, x, fixed, err));
    /* near it: exactly there a rank may be special */
    for (int i = 0; i < s->nq; i++)
        at->value[s->np + i] = x[i] + 0.05 * at->value[s->np + i];
    return ZW_OK;
}

zw_status zw_states_admissible(zw_states *out, const zw_equations *eq, int n, zw_error *err) {
    equation_set set[3];
    ZW_TRY(init(out, eq, n, err));
    for (int l = POSITIONS; l <= ACCELERATIONS; l++)
        ZW_TRY(equation_set_init(&set[l], eq, (level)l, out->at[0].n, err));
    int found = 0, failed = POSITIONS;
    for (unsigned attempt = 0; attempt < (unsigned)(ATTEMPTS + n) && found < n; attempt++) {
        zw_sample *at = &out->at[found];
        ZW_TRY(zw_context_status(eq->sys->ctx, err));
        zw_sample_scatter(at, eq->sys, attempt);
        if (attempt % 4 == 3)
            ZW_TRY(put_start(at, eq->sys, err));
        normalise(at, eq);
        int l = POSITIONS;
        while (l <= ACCELERATIONS && meet(&set[l], at, eq))
            l++;
        if (l > ACCELERATIONS)
            found++;
        else
            failed = l;
    }
    ZW_TRY(zw_context_status(eq->sys->ctx, err));
    if (found == 0)
        return refuse(&set[failed], eq, err);
    out->n = found;
    return ZW_OK;
}

bool zw_states_turn(zw_sample *at, const zw_equations *eq, unsigned attempt) {
    const zw_system *s = eq->sys;
    equation_set set;
    double *q = ZW_CONTEXT_NEW(s->ctx, double, at->n);
    if (!q || equation_set_init(&set, eq, VELOCITIES, at->n, NULL) < 0)
        return false;
    memcpy(q, at->value, (size_t)at->n * sizeof *q);
    zw_sample_scatter(at, s, attempt);
    memcpy(at->value, q, (size_t)(s->np + s->nq) * sizeof *q);
    at->value[s->np + s->nq + s->nv] = q[s->np + s->nq + s->nv];
    return meet(&set, at, eq);
}
