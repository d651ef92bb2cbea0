/* SPDX-License-Identifier: MIT */
/* Solves three systems of equations r(x) = 0 one after the other, from scattered values:
 *
 *   positions      phi(q, t) = 0    q moves along F dv    rows Phi
 *   velocities     psi(q, v, t) = 0                       rows Psi
 *   accelerations  W a = b                                rows W
 *
 * by Levenberg-Marquardt steps dx = -A' (A A' + mu)^-1 r with rows of unit length, which tolerate
 * dependent rows. For positions mu begins with the length of r. Rows that are dependent at the
 * solution are independent near it, by an amount proportional to the distance; a smaller mu would
 * follow these small differences along the solution set to its end. With this mu convergence is
 * still quadratic, to a position near by (J. Fan, Y. Yuan, Computing 74, 2005, 23-39). Otherwise mu
 * is as small as possible. Where no step reduces the residual, A' r = 0: the residual contains the
 * factors of a combination of the rows that vanishes, so the constraints with a residual are those
 * that contradict each other. A step can also end at a local minimum, so a set is called
 * contradictory only if no attempt finds a solution. */
#include "sampler.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/option.h"
#include "base/random.h"
#include "subspace.h"

enum { STEPS = 200, ATTEMPTS = 40 };
/* Length of the residual relative to 1 + the length of the state. */
#define CONSTRAINTS_MET 1e-11 /* one more step of quadratic convergence then reaches round-off */
#define QUADRATIC_REMAINDER 1e-13 /* after that step: 450 eps; larger if convergence is linear */
/* mu, for rows of unit length: from round-off of A A' (or 0.1 where positions are far from met)
 * to so large a value that the step moves nothing by more than a millionth of the residual. */
#define DAMPING_MIN 1e-11
#define DAMPING_START_MAX 0.1
#define DAMPING_MAX 1e6
#define DAMPING_FACTOR 30 /* between two attempts: 12 of them cover the whole range */
/* Length of a row relative to that at the first step: shorter ones have lost their slope. Chosen
 * by trial: separates positions where a row vanishes from those where it is only shorter. */
#define ROW_LOST 1e-4
/* Residuals in a message, relative to the largest: smaller ones are what the iteration left. */
#define RESIDUAL_NAMED 1e-3
/* Each attempt uses a smaller box: lengths may be far below 1 m. */
#define BOX_SHRINK 0.9
/* Half-width about the start relative to the box: exactly at the start a rank may be special. */
#define BOX_ABOUT_START 0.2

/* --------------------------------------------------------------------------------------- set-up */

void zw_sampler_options_init(zw_sampler_options *options, size_t size) {
    const zw_sampler_options all = {.size = size, .seed = 1, .t_max = 1};
    zw_options_begin(options, size, &all, sizeof all);
}

static zw_status init_set(zw_sampler *g, zw_sampler_level level, zw_error *err) {
    const zw_equations *eq = &g->eq;
    zw_context *ctx = eq->sys->ctx;
    const zw_sampler_set kinds[] = {
        {.m = eq->npos, .r = eq->phi, .A = eq->Phi, .constraint = eq->pos_constraint},
        {.m = eq->nvel, .r = eq->psi, .A = eq->Psi, .constraint = eq->vel_constraint},
        {.m = eq->nc, .r = eq->b, .A = eq->W, .constraint = eq->constraint},
    };
    zw_sampler_set *set = &g->set[level];
    *set = kinds[level];
    set->level = level;
    set->residual = ZW_CONTEXT_NEW(ctx, double, set->m);
    set->rows = ZW_CONTEXT_NEW(ctx, double, set->m * eq->nv);
    set->length = ZW_CONTEXT_NEW(ctx, double, set->m);
    set->before = ZW_CONTEXT_NEW(ctx, double, set->m);
    set->square = ZW_CONTEXT_NEW(ctx, double, set->m * set->m);
    set->factor = ZW_CONTEXT_NEW(ctx, double, set->m);
    return zw_context_status(ctx, err);
}

static zw_status init_state(zw_sample *at, const zw_system *s, zw_error *err) {
    int narrow = s->np + s->nq + s->nv + 1;
    at->n = narrow + s->nconstraint + s->nsignal;
    at->sym = ZW_CONTEXT_NEW(s->ctx, zw_expr, at->n);
    at->value = ZW_CONTEXT_NEW(s->ctx, double, at->n);
    if (!at->sym || !at->value)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < s->np; i++)
        at->sym[i] = s->param[i].sym;
    zw_mech_symbols(s, at->sym + s->np, at->sym + s->np + s->nq, NULL);
    at->sym[narrow - 1] = s->t;
    for (int c = 0; c < s->nconstraint; c++)
        at->sym[narrow + c] = s->constraint[c].lambda;
    for (int i = 0; i < s->nsignal; i++)
        at->sym[narrow + s->nconstraint + i] = s->signal[i].sym;
    return ZW_OK;
}

zw_status zw_sampler_init(zw_sampler *g, const zw_equations *eq, const zw_sampler_options *options,
                          zw_error *err) {
    const zw_system *s = eq->sys;
    zw_context *ctx = s->ctx;
    *g = (zw_sampler){.eq = *eq, .options = zw_sampler_options_default()};
    if (options)
        ZW_TRY(
            zw_options_adopt(&g->options, sizeof g->options, options, "zw_sampler_options", err));
    ZW_TRY(init_state(&g->at, s, err));
    for (int level = 0; level < ZW_SAMPLER_LEVELS; level++)
        ZW_TRY(init_set(g, (zw_sampler_level)level, err));
    g->a = ZW_CONTEXT_NEW(ctx, double, s->nv);
    g->step = ZW_CONTEXT_NEW(ctx, double, s->nv);
    g->kept = ZW_CONTEXT_NEW(ctx, double, g->at.n + s->nv);
    g->F = ZW_CONTEXT_NEW(ctx, double, s->nq * s->nv);
    g->start = ZW_CONTEXT_NEW(ctx, double, s->nq + s->nv);
    g->fixed = ZW_CONTEXT_NEW(ctx, bool, s->nq + s->nv);
    g->width = ZW_CONTEXT_NEW(ctx, double, s->nq + s->nv);
    ZW_TRY(zw_context_status(ctx, err));
    ZW_TRY(zw_system_param_values(s, g->at.value, err));
    return zw_sampler_set_parameters(g, g->at.value, err);
}

/* the rows of the active constraints */
static zw_status choose_rows(zw_equations *eq, const zw_system *s, const zw_active *active,
                             zw_error *err) {
    bool *holds = ZW_SCRATCH_NEW(s->ctx, bool, s->nconstraint);
    if (!holds)
        return zw_context_status(s->ctx, err);
    for (int c = 0; c < s->nconstraint; c++)
        holds[c] = zw_mech_holds(s, active, c) && s->constraint[c].inequality == 0;
    return zw_principle_begin(eq, s, &(zw_active){.constraint = holds, .bare = true}, err);
}

zw_status zw_sampler_create(zw_sampler **out, const zw_system *s, const zw_active *active,
                            const zw_sampler_options *options, zw_error *err) {
    assert(out && s);
    zw_equations eq = {.principle = "sampler"};
    *out = NULL;
    if (!s->finished)
        return zw_fail(err, ZW_E_MODEL, "the system %s is not finished", s->name);
    zw_sampler *g = ZW_CONTEXT_NEW(s->ctx, zw_sampler, 1);
    if (!g)
        return zw_context_status(s->ctx, err);
    zw_arena_mark mark = zw_scratch_mark(s->ctx);
    zw_status status = choose_rows(&eq, s, active, err);
    zw_scratch_release(s->ctx, mark);
    ZW_TRY(status);
    ZW_TRY(zw_sampler_init(g, &eq, options, err));
    *out = g;
    return ZW_OK;
}

/* Scales the box for lengths: a disk of 45 mm at coordinates of 1 m would be limited by
 * round-off. */
static void size_box(zw_sampler *g) {
    const zw_system *s = g->eq.sys;
    double length = 0;
    for (int i = 0; i < s->np; i++)
        if (strcmp(s->param[i].unit, "m") == 0)
            length = fmax(length, fabs(g->at.value[i]));
    for (int i = 0; i < s->nq && g->has_start; i++)
        if (strcmp(s->coord[i].unit, "m") == 0)
            length = fmax(length, fabs(g->start[i]));
    for (int i = 0; i < s->nq + s->nv; i++)
        g->width[i] = i < s->nq && length > 0 && strcmp(s->coord[i].unit, "m") == 0 ? length : 1;
}

zw_status zw_sampler_set_parameters(zw_sampler *g, const double *p, zw_error *err) {
    const zw_system *s = g->eq.sys;
    for (int i = 0; i < s->np; i++)
        if (!isfinite(p[i]))
            return zw_fail(err, ZW_E_NONFINITE, "the parameter %s is not finite", s->param[i].name);
    if (s->np)
        memmove(g->at.value, p, (size_t)s->np * sizeof *p);
    /* a start without values at these parameters is ignored: states do not need one */
    g->has_start = zw_system_start_state(s, p, g->start, g->fixed, NULL) >= 0;
    size_box(g);
    return zw_context_status(s->ctx, err);
}

/* ------------------------------------------------------------------------- one set of equations */

static bool evaluate_values(const zw_sampler *g, int n, const zw_expr *e, double *out) {
    zw_eval_all(g->eq.sys->ctx, n, e, g->at.n, g->at.sym, g->at.value, out);
    for (int i = 0; i < n; i++)
        if (!isfinite(out[i]))
            return false;
    return true;
}

static void normalise_quaternions(zw_sampler *g) {
    for (int i = 0; i < g->eq.nunit; i++) {
        double *p = g->at.value + g->eq.sys->np + g->eq.unit[i], length = zw_length(4, p);
        for (int k = 0; k < 4; k++)
            p[k] /= length;
    }
}

/* residuals and rows at the state, rows of unit length; returns the length of the residual, NaN if
 * a value is not finite */
static double evaluate_set(zw_sampler *g, zw_sampler_set *set) {
    int nv = g->eq.nv;
    if (!evaluate_values(g, set->m, set->r, set->residual) ||
        !evaluate_values(g, set->m * nv, set->A, set->rows))
        return NAN;
    for (int i = 0; i < set->m; i++) {
        double *row = set->rows + (size_t)i * (size_t)nv, length = zw_length(nv, row);
        set->length[i] = length;
        if (set->level == ZW_SAMPLER_ACCELERATIONS) {
            set->residual[i] = -set->residual[i];
            for (int k = 0; k < nv; k++)
                set->residual[i] += row[k] * g->a[k];
        }
        for (int k = 0; length > 0 && k < nv; k++)
            row[k] /= length;
        set->residual[i] /= length > 0 ? length : 1;
    }
    return zw_length(set->m, set->residual);
}

/* x = kept + part * step; F is that of the kept state */
static void move_state(zw_sampler *g, zw_sampler_level level, double part) {
    int nq = g->eq.nq, nv = g->eq.nv;
    double *q = g->at.value + g->eq.sys->np, *v = q + nq;
    memcpy(g->at.value, g->kept, (size_t)g->at.n * sizeof *g->kept);
    if (level == ZW_SAMPLER_ACCELERATIONS) {
        for (int k = 0; k < nv; k++)
            g->a[k] = g->kept[g->at.n + k] + part * g->step[k];
    } else if (level == ZW_SAMPLER_VELOCITIES) {
        for (int k = 0; k < nv; k++)
            v[k] += part * g->step[k];
    } else {
        for (int i = 0; i < nq; i++)
            for (int k = 0; k < nv; k++)
                q[i] += part * g->F[i * nv + k] * g->step[k];
        normalise_quaternions(g);
    }
}

/* step = -A' (A A' + mu)^-1 r */
static bool find_step(zw_sampler *g, zw_sampler_set *set, double mu) {
    int m = set->m, nv = g->eq.nv;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            double sum = i == j ? mu : 0;
            for (int k = 0; k < nv; k++)
                sum += set->rows[i * nv + k] * set->rows[j * nv + k];
            set->square[i * m + j] = sum;
        }
        set->factor[i] = -set->residual[i];
    }
    if (!zw_eliminate(m, 0, set->square, set->factor))
        return false;
    for (int k = 0; k < nv; k++) {
        g->step[k] = 0;
        for (int i = 0; i < m; i++)
            g->step[k] += set->rows[i * nv + k] * set->factor[i];
    }
    return true;
}

static double least_damping(const zw_sampler_set *set, double length) {
    return set->level == ZW_SAMPLER_POSITIONS ? fmax(fmin(length, DAMPING_START_MAX), DAMPING_MIN)
                                              : DAMPING_MIN;
}

/* one step, with mu increased until the residual decreases; returns its length */
static double improve_state(zw_sampler *g, zw_sampler_set *set, double length) {
    memcpy(g->kept, g->at.value, (size_t)g->at.n * sizeof *g->kept);
    memcpy(g->kept + g->at.n, g->a, (size_t)g->eq.nv * sizeof *g->kept);
    if (set->level == ZW_SAMPLER_POSITIONS)
        evaluate_values(g, g->eq.nq * g->eq.nv, g->eq.F, g->F);
    for (double mu = least_damping(set, length); mu < DAMPING_MAX && find_step(g, set, mu);
         mu *= DAMPING_FACTOR) {
        move_state(g, set->level, 1);
        double now = evaluate_set(g, set);
        if (now < length)
            return now;
        move_state(g, set->level, 0);
        length = evaluate_set(g, set);
    }
    return length;
}

/* the length of a residual relative to the state */
static double relative_residual(const zw_sampler *g, double length) {
    double size =
        zw_length(g->eq.nq + g->eq.nv, g->at.value + g->eq.sys->np) + zw_length(g->eq.nv, g->a);
    return length / (1 + size);
}

/* true if the set is satisfied; otherwise its residuals stay for the message */
static bool solve_set(zw_sampler *g, zw_sampler_set *set) {
    for (int k = 0; k < g->eq.nv; k++)
        g->a[k] = 0;
    double length = evaluate_set(g, set);
    if (set->m)
        memcpy(set->before, set->length, (size_t)set->m * sizeof *set->before);
    for (int step = 0; step < STEPS && isfinite(length); step++) {
        bool last =
            relative_residual(g, length) <= CONSTRAINTS_MET; /* one more step makes it exact */
        double now = improve_state(g, set, length);
        bool better = now < length;
        length = now;
        if (last || !better)
            break;
    }
    set->left = relative_residual(g, length);
    return set->left <= CONSTRAINTS_MET;
}

/* True if a row lost its slope during the iteration, or the rows became dependent. A distance
 * between points that move along one line has no slope there; three parallel cranks in line with
 * their bar have one more degree of freedom. Convergence is then linear, and such positions attract
 * the steps from all sides, but they are not typical of the system. */
static bool is_special(const zw_sampler_set *set) {
    if (set->m > 0 && set->left > QUADRATIC_REMAINDER)
        return true;
    for (int i = 0; i < set->m; i++)
        if (set->length[i] < ROW_LOST * set->before[i])
            return true;
    return false;
}

/* ------------------------------------------------------------------------------------- refusals */

static const char *name_of(const zw_sampler_set *set, const zw_equations *eq, int row,
                           zw_place *place) {
    if (set->constraint == eq->pos_constraint)
        return zw_equations_position_name(eq, row, place);
    const zw_constraint *c = &eq->sys->constraint[set->constraint[row]];
    *place = c->place;
    return c->name;
}

/* "a (line 3), b (line 4)": the constraints with a residual; name and place of the last one */
static const char *name_them(const zw_sampler_set *set, const zw_equations *eq, char *text,
                             size_t size, zw_place *last) {
    const char *name = NULL;
    double largest = 0;
    text[0] = '\0';
    for (int i = 0; i < set->m; i++)
        largest = fmax(largest, fabs(set->residual[i]));
    for (int i = 0; i < set->m; i++) {
        size_t used = strlen(text);
        if (!(fabs(set->residual[i]) > RESIDUAL_NAMED * largest))
            continue;
        const char *comma = name ? ", " : "";
        name = name_of(set, eq, i, last);
        if (last->line > 0)
            snprintf(text + used, size - used, "%s%s (line %d)", comma, name, last->line);
        else
            snprintf(text + used, size - used, "%s%s", comma, name);
    }
    return name;
}

static zw_status report_unmet(const zw_sampler *g, const zw_sampler_set *set, zw_error *err) {
    static const char *const of[] = {"position", "velocity", "acceleration"};
    char names[320];
    zw_place last = {0};
    const char *name = name_them(set, &g->eq, names, sizeof names, &last);
    if (!name)
        return zw_fail(err, ZW_E_DOMAIN, "the constraints of %s have no value at random states",
                       g->eq.sys->name);
    zw_fail_at(err, ZW_E_MODEL, last,
               strchr(names, ',') ? "no %s meets these constraints together: %s"
                                  : "no %s meets the constraint %s",
               of[set->level], names);
    zw_error_hint(err,
                  "no solution was found from %d random starts; fix one of them or switch it off "
                  "(--without %s)",
                  ATTEMPTS, name);
    return ZW_E_MODEL;
}

/* --------------------------------------------------------------------------------------- states */

#define OFFSET_MIN 0.1 /* relative to the box */

/* between -1 and 1, not near 0, where angles may be singular and ranks special */
static double random_offset(zw_random *random) {
    double x = zw_random_real(random, -1, 1);
    return x < 0 ? -OFFSET_MIN + (1 - OFFSET_MIN) * x : OFFSET_MIN + (1 - OFFSET_MIN) * x;
}

static void draw_state(zw_sampler *g, zw_random *random, int attempt) {
    const zw_system *s = g->eq.sys;
    const zw_sampler_options *o = &g->options;
    bool about_start = attempt % 4 == 3 && g->has_start;
    double *x = g->at.value + s->np, *t = x + s->nq + s->nv,
           size = pow(BOX_SHRINK, attempt) * (about_start ? BOX_ABOUT_START : 1);
    *t = zw_random_real(random, o->t_min, o->t_max);
    for (int i = 0; i < s->nq + s->nv; i++)
        x[i] = size * g->width[i] * random_offset(random) + (about_start ? g->start[i] : 0);
    for (int i = 0; i < s->nconstraint + s->nsignal; i++)
        t[1 + i] = zw_random_real(random, -1, 1);
    normalise_quaternions(g);
}

zw_status zw_sampler_draw(zw_sampler *g, int k, zw_error *err) {
    const zw_system *s = g->eq.sys;
    zw_random random = zw_random_stream(g->options.seed, (uint64_t)k);
    int failed = ZW_SAMPLER_POSITIONS;
    double *x = g->at.value + s->np;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        ZW_TRY(zw_context_status(s->ctx, err));
        draw_state(g, &random, attempt);
        int level = ZW_SAMPLER_POSITIONS;
        while (level < ZW_SAMPLER_LEVELS && solve_set(g, &g->set[level]))
            level++;
        if (attempt < ATTEMPTS / 2 && is_special(&g->set[ZW_SAMPLER_POSITIONS]))
            continue;
        if (level == ZW_SAMPLER_LEVELS &&
            (!g->options.accept || g->options.accept(g->options.user, x[s->nq + s->nv], x)))
            return zw_context_status(s->ctx, err);
        failed = failed > level ? failed : level;
    }
    ZW_TRY(zw_context_status(s->ctx, err));
    if (failed == ZW_SAMPLER_LEVELS)
        return zw_fail(err, ZW_E_NUMERIC, "no admissible state of %s was accepted", s->name);
    return report_unmet(g, &g->set[failed], err);
}

zw_status zw_sampler_state(zw_sampler *g, int k, double *t, double *x, zw_error *err) {
    const zw_system *s = g->eq.sys;
    size_t nx = (size_t)(s->nq + s->nv);
    ZW_TRY(zw_sampler_draw(g, k, err));
    *t = g->at.value[(size_t)s->np + nx];
    if (nx)
        memcpy(x, g->at.value + s->np, nx * sizeof *x);
    return ZW_OK;
}

bool zw_sampler_turn(zw_sampler *g, int k) {
    const zw_system *s = g->eq.sys;
    zw_random random = zw_random_stream(~g->options.seed, (uint64_t)k);
    double *v = g->at.value + s->np + s->nq;
    for (int i = 0; i < s->nv; i++)
        v[i] = g->width[s->nq + i] * random_offset(&random);
    return solve_set(g, &g->set[ZW_SAMPLER_VELOCITIES]);
}
