/* SPDX-License-Identifier: MIT */
#include "compare.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "mech/system/build.h"
#include "num/linalg.h"

enum { RUN_STATES = 50, ATTEMPTS = 50, ROUNDS = 5, STEPS_MAX = 10000 };

/* Smallest pivot over the largest one. Nearer to singular equations (Euler angles in line, independent
 * velocities that determine nothing) differences are those of rounding. */
static const double REGULAR = 0.01, SPLIT_REGULAR = 0.1;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double compare_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

/* ------------------------------------------------------------------------- one principle: set-up */

/* every symbol that can be given a value: parameters, t, q, v and multipliers of the system, then v
 * and v' of the equations */
static zw_status list_symbols(compare_row *row, const double *p, zw_error *err) {
    const zw_system *s = row->model.sys;
    const zw_equations *eq = &row->eq;
    int n = s->np + 1 + s->nq + s->nv + s->nconstraint + 2 * eq->nv, k = 0;
    row->symbol = ZW_CONTEXT_NEW(s->ctx, zw_expr, n);
    row->value = ZW_CONTEXT_NEW(s->ctx, double, n);
    if (!row->symbol || !row->value)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < s->np; i++, k++) {
        row->symbol[k] = s->param[i].sym;
        row->value[k] = p[i];
    }
    row->symbol[k++] = s->t;
    for (int i = 0; i < s->nq; i++)
        row->symbol[k++] = s->coord[i].sym;
    for (int i = 0; i < s->nv; i++)
        row->symbol[k++] = s->velocity[i].sym;
    for (int i = 0; i < s->nconstraint; i++)
        row->symbol[k++] = s->constraint[i].lambda;
    row->nsymbol = k;
    for (int i = 0; i < eq->nv; i++) {
        row->symbol[k] = eq->v[i];
        row->symbol[k++ + eq->nv] = eq->a[i];
    }
    return ZW_OK;
}

static zw_status allocate(compare_row *row, zw_error *err) {
    zw_context *ctx = row->model.sys->ctx;
    const zw_kernel *k = row->kernel;
    row->cache = ZW_CONTEXT_NEW(ctx, double, k->ncache);
    row->work = ZW_CONTEXT_NEW(ctx, double, k->nwork);
    row->out = ZW_CONTEXT_NEW(ctx, double, k->nout);
    row->x = ZW_CONTEXT_NEW(ctx, double, k->nx);
    row->z = ZW_CONTEXT_NEW(ctx, double, k->nz);
    row->qdot = ZW_CONTEXT_NEW(ctx, double, k->nq);
    row->K = ZW_CONTEXT_NEW(ctx, double, k->nz * k->nz);
    row->pivot = ZW_CONTEXT_NEW(ctx, int, k->nz);
    return zw_context_status(ctx, err);
}

/* lowered to code, and to native code where LLVM is there */
static zw_status make_kernel(comparison *c, compare_row *row, zw_error *err) {
    zw_kernel_options options = zw_kernel_options_default();
    zw_error missing = {0};
    options.jit = 0; /* compiled below, apart from the lowering */
    double begin = now();
    ZW_TRY(zw_kernel_create(&row->kernel, &row->eq, &options, err));
    row->lower = now() - begin;
    begin = now();
    zw_status status = zw_kernel_compile(row->kernel, &missing);
    row->compile = now() - begin;
    if (status < 0 && status != ZW_E_MISSING) {
        *err = missing;
        return status;
    }
    c->native = zw_kernel_is_native(row->kernel);
    zw_run_options run_options = c->o->run;
    run_options.steps_max = fmin(run_options.steps_max, STEPS_MAX);
    ZW_TRY(zw_run_create(&row->run, row->kernel, c->p, &run_options, err));
    ZW_TRY(allocate(row, err));
    zw_call(&row->kernel->prepare, NULL, c->p, NULL, NULL, row->cache, row->work);
    return list_symbols(row, c->p, err);
}

static zw_status set_up(comparison *c, compare_row *row, zw_error *err) {
    const zw_active bare = {.bare = true};
    int active = 0;
    ZW_TRY(cli_model_again(&row->model, &c->model, c->path, c->o, err));
    row->accel.value = row->lambda.value = row->evaluate = -1;
    row->vakonomic = strcmp(row->principle->name, "vakonomic") == 0;
    double begin = now();
    zw_status status =
        zw_derive(&row->eq, row->model.sys, &bare, row->principle->name, &row->refusal);
    row->derive = now() - begin;
    if (status == ZW_E_MEMORY)
        *err = row->refusal;
    if (status < 0)
        return status == ZW_E_MEMORY ? status : ZW_OK;
    row->operations = zw_equations_count(&row->eq);
    for (int i = 0; i < row->model.sys->nconstraint; i++)
        active += row->eq.holds[i];
    row->constraints = active;
    row->dynamic = row->eq.nv + row->eq.nc - active;
    return make_kernel(c, row, err);
}

/* -------------------------------------------------------------------- one principle: at one state */

void compare_set_point(compare_row *row, double t, const double *x, const double *mu) {
    const zw_system *s = row->model.sys;
    double *value = row->value + s->np;
    *value++ = t;
    for (int i = 0; i < s->nq + s->nv; i++)
        *value++ = x[i];
    for (int i = 0; i < s->nconstraint; i++)
        *value++ = mu ? mu[i] : 0;
}

double compare_value(const compare_row *row, zw_expr e) {
    return zw_eval(row->model.sys->ctx, e, row->nsymbol, row->symbol, row->value);
}

void compare_matrices(compare_row *row, double t, const double *x) {
    zw_call(&row->kernel->mats, &t, x, NULL, row->cache, row->out, row->work);
}

/* row->x from a state of the system */
static void enter_state(compare_row *row, double t, const double *x, const double *mu) {
    const zw_system *s = row->model.sys;
    const zw_equations *eq = &row->eq;
    memcpy(row->x, x, (size_t)s->nq * sizeof *x);
    compare_set_point(row, t, x, mu);
    for (int i = 0; i < eq->nv; i++)
        row->x[s->nq + i] = eq->from_system ? compare_value(row, eq->from_system[i]) : x[s->nq + i];
}

/* accelerations of the system (nv) after the evaluation at row->x */
static void leave_accelerations(compare_row *row, double *a) {
    const zw_system *s = row->model.sys;
    const zw_equations *eq = &row->eq;
    double *v = row->value + row->nsymbol;
    for (int i = 0; i < eq->nv; i++) {
        v[i] = row->x[s->nq + i];
        v[eq->nv + i] = row->z[i];
    }
    for (int i = 0; i < s->nv; i++)
        a[i] = eq->accel ? zw_eval(s->ctx, eq->accel[i], row->nsymbol + 2 * eq->nv, row->symbol,
                                   row->value)
                         : row->z[i];
}

/* the rates of vakonomic multipliers take the place of Lagrange's multipliers */
static const double *multipliers(const compare_row *row) {
    return row->vakonomic ? row->z + row->model.sys->nv : row->eq.nc ? row->z + row->eq.nv : NULL;
}

static zw_status evaluate(compare_row *row, double t, const double *x, const double *mu, double *a,
                          zw_error *err) {
    enter_state(row, t, x, mu);
    ZW_TRY(zw_run_evaluate(row->run, t, row->x, row->qdot, row->z, err));
    leave_accelerations(row, a);
    return ZW_OK;
}

/* divide the rows (or columns) of an n x n matrix by their largest entries */
static void equilibrate(int n, double *K, int row_step, int column_step) {
    for (int i = 0; i < n; i++) {
        double largest = 0;
        for (int j = 0; j < n; j++)
            largest = fmax(largest, fabs(K[i * row_step + j * column_step]));
        for (int j = 0; j < n && largest > 0; j++)
            K[i * row_step + j * column_step] /= largest;
    }
}

/* Is the linear system [M -C; W 0] of a row well away from singular at row->x? Rows and columns are
 * brought to one size first, for they carry units. Redundant rows are the business of the pseudo-inverse. */
static bool is_regular(compare_row *row, double t) {
    int nv = row->eq.nv, nc = row->eq.nc, n = nv + nc;
    double *K = row->K;
    compare_matrices(row, t, row->x);
    const double *M = row->out, *C = M + nv * nv + nv, *W = C + nv * nc;
    memset(K, 0, (size_t)(n * n) * sizeof *K);
    for (int i = 0; i < nv; i++) {
        memcpy(K + i * n, M + i * nv, (size_t)nv * sizeof *K);
        for (int k = 0; k < nc; k++) {
            K[i * n + nv + k] = -C[i * nc + k];
            K[(nv + k) * n + i] = W[k * nv + i];
        }
    }
    for (int round = 0; round < 2; round++) {
        equilibrate(n, K, n, 1);
        equilibrate(n, K, 1, n);
    }
    return row->eq.pseudo || zw_num_lu(n, K, row->pivot) > REGULAR;
}

/* Do the constraints determine the dependent velocities well, where a row has such? The square block of
 * the constraint rows and dependent columns, rows of length one in the weights of the masses. */
static bool has_regular_split(compare_row *row, const double *mass) {
    const int *constraint = row->eq.row_constraint;
    int nv = row->eq.nv, n = 0, at = 0;
    for (int i = 0; i < nv && constraint && !row->vakonomic; i++)
        n += constraint[i] >= 0;
    if (n == 0)
        return true;
    for (int i = 0; i < nv; i++) {
        const double *W = row->out + (size_t)i * (size_t)nv;
        double length = 0;
        if (constraint[i] < 0)
            continue;
        for (int j = 0; j < nv; j++)
            length += W[j] * W[j] / (mass[j] * mass[j]);
        for (int j = 0; j < nv; j++)
            if (constraint[j] >= 0)
                row->K[at++] = W[j] / (mass[j] * sqrt(length));
    }
    zw_num_lu(n, row->K, row->pivot);
    for (int i = 0; i < n; i++)
        if (!(fabs(row->K[i * n + i]) > SPLIT_REGULAR))
            return false;
    return true;
}

/* --------------------------------------------------------------------------------------- the states */

/* The weights of state k and the magnitudes that differences there are relative to. */
static void set_scales(comparison *c, int k) {
    compare_states *st = &c->states;
    compare_row *row = &c->row[c->reference];
    int nv = row->eq.nv, nc = row->eq.nc;
    const double *v = row->x + row->model.sys->nq;
    double *mass = st->weight + (size_t)k * (size_t)(nv + nc), *row_length = mass + nv;
    double largest_a = 0, a_term = 0, largest_lambda = 0, lambda_term = 0, square = 0;
    compare_matrices(row, st->t[k], row->x);
    const double *M = row->out, *h = M + nv * nv, *W = h + nv + nv * nc, *b = W + nc * nv;
    for (int i = 0; i < nv; i++) {
        mass[i] = M[i * nv + i] > 0 ? sqrt(M[i * nv + i]) : 1;
        square = fmax(square, v[i] * v[i]);
    }
    for (int i = 0; i < nv; i++) {
        largest_a = fmax(largest_a, mass[i] * fabs(st->a[k * nv + i]));
        a_term = fmax(a_term, fmax(mass[i] * square, fabs(h[i]) / mass[i]));
    }
    for (int i = 0; i < nc; i++) {
        double length = 0, term = fabs(b[i]);
        for (int j = 0; j < nv; j++) {
            double weighed = W[i * nv + j] / mass[j];
            length += weighed * weighed;
            term += fabs(weighed) * (mass[j] * square + fabs(h[j]) / mass[j]);
        }
        row_length[i] = length > 0 ? sqrt(length) : 1;
        largest_lambda = fmax(largest_lambda, row_length[i] * fabs(st->lambda[k * nc + i]));
        lambda_term = fmax(lambda_term, term / row_length[i]);
    }
    /* below a hundredth of the terms that cancel the rest is mostly their rounding */
    st->accel_scale[k] = fmax(largest_a, 0.01 * a_term);
    st->lambda_scale[k] = fmax(largest_lambda, 0.01 * lambda_term);
}

/* the reference at state k, whose t and x are set */
static zw_status refer(comparison *c, int k, zw_error *err) {
    compare_states *st = &c->states;
    compare_row *row = &c->row[c->reference];
    int nx = row->model.sys->nq + row->model.sys->nv, nc = row->eq.nc;
    ZW_TRY(evaluate(row, st->t[k], st->x + (size_t)k * (size_t)nx, NULL,
                    st->a + (size_t)k * (size_t)row->model.sys->nv, err));
    if (nc)
        memcpy(st->lambda + (size_t)k * (size_t)nc, multipliers(row), (size_t)nc * sizeof(double));
    set_scales(c, k);
    return ZW_OK;
}

static zw_status allocate_states(comparison *c, int n, zw_error *err) {
    compare_states *st = &c->states;
    const zw_system *s = c->model.sys;
    zw_context *ctx = s->ctx;
    int nc = c->row[c->reference].eq.nc;
    st->t = ZW_CONTEXT_NEW(ctx, double, n);
    st->x = ZW_CONTEXT_NEW(ctx, double, n *(s->nq + s->nv));
    st->mu = ZW_CONTEXT_NEW(ctx, double, n * s->nconstraint);
    st->a = ZW_CONTEXT_NEW(ctx, double, n * s->nv);
    st->lambda = ZW_CONTEXT_NEW(ctx, double, n *nc);
    st->weight = ZW_CONTEXT_NEW(ctx, double, n *(s->nv + nc));
    st->accel_scale = ZW_CONTEXT_NEW(ctx, double, n);
    st->lambda_scale = ZW_CONTEXT_NEW(ctx, double, n);
    return zw_context_status(ctx, err);
}

/* Random states moved onto the constraints: in a box about the origin where the equations are well
 * away from singular, or if none is found there any one in a box about the start. */
static zw_status find_states(comparison *c, int n, zw_error *err) {
    compare_states *st = &c->states;
    const zw_system *s = c->model.sys;
    compare_row *row = &c->row[c->reference];
    int nx = s->nq + s->nv;
    uint64_t seed = 1;
    for (int k = 0; k < n; k++) {
        double *x = st->x + (size_t)k * (size_t)nx;
        zw_error trouble;
        for (int attempt = 0;; attempt++) {
            bool about_start = attempt >= ATTEMPTS / 2;
            trouble = (zw_error){0};
            st->t[k] = (1 + compare_random(&seed)) / 2;
            for (int i = 0; i < nx; i++)
                x[i] = c->width[i] * compare_random(&seed) + (about_start ? c->start[i] : 0);
            if (zw_run_consistent(row->run, st->t[k], x, NULL, NULL, &trouble) >= 0 &&
                refer(c, k, &trouble) >= 0 && (about_start || is_regular(row, st->t[k])))
                break;
            if (attempt < ATTEMPTS)
                continue;
            zw_fail(err, trouble.status, "no admissible state of %s was found: %s", s->name,
                    trouble.text);
            zw_error_hint(err, "zwang check %s counts the constraints", c->path);
            return trouble.status;
        }
        for (int i = 0; i < s->nconstraint; i++)
            st->mu[(size_t)k * (size_t)s->nconstraint + i] = compare_random(&seed);
    }
    st->n = st->random = n;
    return ZW_OK;
}

/* advance past events; *stop if one of them ends the run */
static zw_status advance(zw_run *run, const zw_system *s, double t, bool *stop, zw_error *err) {
    for (;;) {
        int event = -1;
        zw_status status = zw_run_advance(run, t, &event, err);
        if (status != ZW_EVENT)
            return status;
        if (s->event[event].stop) {
            *stop = true;
            return ZW_OK;
        }
    }
}

static zw_status follow_run(comparison *c, zw_run *run, zw_error *err) {
    compare_states *st = &c->states;
    const zw_system *s = c->model.sys;
    size_t nx = (size_t)(s->nq + s->nv);
    bool stop = false;
    ZW_TRY(zw_run_consistent(run, 0, c->start, c->fixed, NULL, err));
    ZW_TRY(zw_run_start(run, 0, c->start, err));
    for (int k = 0; k <= RUN_STATES && !stop; k++) {
        if (k > 0)
            ZW_TRY(advance(run, s, c->o->until * k / RUN_STATES, &stop, err));
        c->end = st->t[st->n] = zw_run_time(run);
        memcpy(st->x + (size_t)st->n * nx, zw_run_state(run), nx * sizeof(double));
        ZW_TRY(refer(c, st->n, err));
        st->n++;
    }
    return ZW_OK;
}

/* states on the motion of the model from its start, by the reference */
static zw_status follow(comparison *c, zw_error *err) {
    zw_equations eq;
    zw_kernel *kernel = NULL;
    zw_run *run = NULL;
    ZW_TRY(zw_derive(&eq, c->model.sys, NULL, c->row[c->reference].principle->name, err));
    zw_status status = zw_kernel_create(&kernel, &eq, NULL, err);
    if (status >= 0)
        status = zw_run_create(&run, kernel, c->p, &c->o->run, err);
    if (status >= 0)
        status = follow_run(c, run, err);
    if (status < 0)
        zw_error_hint(err, "zwang run %s shows how far it gets", c->path);
    zw_run_destroy(run);
    zw_kernel_destroy(kernel);
    return status;
}

/* -------------------------------------------------------------------------------------- comparing */

/* the larger of a worst difference and those of n weighed entries at state k */
static void worsen(compare_worst *w, int k, int n, const double *have, const double *want,
                   const double *weight, double scale) {
    if (n > 0 && w->value < 0)
        *w = (compare_worst){0, k, 0};
    for (int i = 0; i < n; i++) {
        double gap = weight[i] * fabs(have[i] - want[i]);
        double relative = gap == 0 ? 0 : gap / scale; /* scale 0: infinite */
        if (relative > w->value || isnan(relative))
            *w = (compare_worst){isnan(relative) ? INFINITY : relative, k, i};
    }
}

static void compare_row_at(comparison *c, compare_row *row, int k, const double *mu, double *a,
                           compare_worst *accel, compare_worst *lambda) {
    compare_states *st = &c->states;
    const zw_system *s = row->model.sys;
    int nc = c->row[c->reference].eq.nc;
    const double *x = st->x + (size_t)k * (size_t)(s->nq + s->nv);
    zw_error trouble = {0};
    enter_state(row, st->t[k], x, mu);
    const double *weight = st->weight + (size_t)k * (size_t)(s->nv + nc);
    if (!is_regular(row, st->t[k]) || !has_regular_split(row, weight)) {
        row->singular++;
        return;
    }
    if (evaluate(row, st->t[k], x, mu, a, &trouble) < 0) {
        if (row->failed++ == 0)
            row->refusal = trouble;
        return;
    }
    worsen(accel, k, s->nv, a, st->a + (size_t)k * (size_t)s->nv, weight, st->accel_scale[k]);
    if (multipliers(row) && lambda)
        worsen(lambda, k, nc, multipliers(row), st->lambda + (size_t)k * (size_t)nc, weight + s->nv,
               st->lambda_scale[k]);
}

/* the time of one evaluation: the best of some rounds over random states where there is one */
static zw_status time_evaluations(comparison *c, compare_row *row, zw_error *err) {
    const compare_states *st = &c->states;
    const zw_system *s = row->model.sys;
    int most = st->random < 100 ? st->random : 100, n = 0;
    size_t nx = (size_t)row->kernel->nx;
    double *x = ZW_CONTEXT_NEW(s->ctx, double, most *(int)nx),
           *t = ZW_CONTEXT_NEW(s->ctx, double, most);
    if (!x || !t)
        return zw_context_status(s->ctx, err);
    for (int k = 0; k < most; k++) {
        enter_state(row, st->t[k], st->x + (size_t)k * (size_t)(s->nq + s->nv),
                    st->mu + (size_t)k * (size_t)s->nconstraint);
        if (zw_run_evaluate(row->run, st->t[k], row->x, row->qdot, row->z, NULL) < 0)
            continue;
        memcpy(x + (size_t)n * nx, row->x, nx * sizeof *x);
        t[n++] = st->t[k];
    }
    int calls = n > 0 ? n * (1 + 2000 / n) : 0;
    for (int round = 0; round < ROUNDS && n > 0; round++) {
        double begin = now();
        for (int i = 0; i < calls; i++)
            zw_run_evaluate(row->run, t[i % n], x + (size_t)(i % n) * nx, row->qdot, row->z, NULL);
        double each = (now() - begin) / calls;
        row->evaluate = round == 0 ? each : fmin(row->evaluate, each);
    }
    return ZW_OK;
}

static zw_status compare_one(comparison *c, compare_row *row, double *a, zw_error *err) {
    const compare_states *st = &c->states;
    int n = row->vakonomic ? st->random : st->n; /* along a run its multipliers are not known */
    if (!row->kernel)
        return ZW_OK;
    for (int k = 0; k < n; k++)
        compare_row_at(c, row, k, st->mu + (size_t)k * (size_t)row->model.sys->nconstraint, a,
                       &row->accel, &row->lambda);
    return time_evaluations(c, row, err);
}

/* -------------------------------------------------------------------------------------- vakonomic */

/* Along its own motion from the start: its accelerations against those of the reference there. Its
 * motions may run away where the others do not; what was reached counts. */
static zw_status follow_vakonomic(comparison *c, compare_row *row, double *a, zw_error *err) {
    const zw_system *s = row->model.sys;
    compare_row *reference = &c->row[c->reference];
    int nx = s->nq + s->nv;
    double *want = ZW_CONTEXT_NEW(s->ctx, double, s->nv), *x = ZW_CONTEXT_NEW(s->ctx, double, nx);
    const double *weight = c->states.weight; /* of any state: it is for the units */
    compare_worst worst = {-1, 0, 0};
    zw_error end = {0};
    if (!want || !x)
        return zw_context_status(s->ctx, err);
    enter_state(row, 0, c->start, c->start_mu);
    if (zw_run_start(row->run, 0, row->x, &end) < 0)
        return ZW_OK;
    for (int k = 1; k <= RUN_STATES; k++) {
        double t = c->end * k / RUN_STATES, scale = 0;
        if (zw_run_advance(row->run, t, NULL, &end) < 0)
            break;
        memcpy(x, zw_run_state(row->run), (size_t)nx * sizeof *x);
        memcpy(a, zw_run_accel(row->run), (size_t)s->nv * sizeof *a);
        if (evaluate(reference, t, x, NULL, want, &end) < 0)
            break;
        for (int i = 0; i < s->nv; i++)
            scale = fmax(scale, weight[i] * fmax(fabs(want[i]), fabs(a[i])));
        worsen(&worst, k, s->nv, a, want, weight, scale);
        c->vakonomic.end = t;
    }
    c->vakonomic.on_run = worst.value;
    return ZW_OK;
}

static zw_status compare_vakonomic_row(comparison *c, compare_row *row, double *a, zw_error *err) {
    compare_vakonomic *v = &c->vakonomic;
    compare_worst worst = {-1, 0, 0};
    *v = (compare_vakonomic){.holonomic = true, .with_start = -1, .on_run = -1};
    for (int i = 0; i < row->model.sys->nconstraint; i++)
        if (c->row[c->reference].eq.holds[i] && row->model.sys->constraint[i].level != ZW_POSITION)
            v->holonomic = false;
    if (!row->kernel || row->accel.value < 0)
        return ZW_OK;
    for (int k = 0; k < c->states.random; k++)
        compare_row_at(c, row, k, c->start_mu, a, &worst, NULL);
    v->with_start = worst.value;
    return c->o->until > 0 ? follow_vakonomic(c, row, a, err) : ZW_OK;
}

/* ------------------------------------------------------------------------------------------ whole */

/* The box of random states: 1 in SI units, but lengths up to the largest one the model speaks of: a
 * disk of 45 mm at coordinates of 1 m is a matter of rounding, not of mechanics. */
static void size_box(comparison *c) {
    const zw_system *s = c->model.sys;
    double length = 0;
    for (int i = 0; i < s->np; i++)
        if (strcmp(s->param[i].unit, "m") == 0)
            length = fmax(length, fabs(c->p[i]));
    for (int i = 0; i < s->nq; i++)
        if (strcmp(s->coord[i].unit, "m") == 0)
            length = fmax(length, fabs(c->start[i]));
    for (int i = 0; i < s->nq + s->nv; i++)
        c->width[i] = i < s->nq && length > 0 && strcmp(s->coord[i].unit, "m") == 0 ? length : 1;
}

/* parameters, start and the multipliers it may name */
static zw_status read_numbers(comparison *c, zw_error *err) {
    const zw_system *s = c->model.sys;
    int nx = s->nq + s->nv;
    zw_expr *symbol = ZW_CONTEXT_NEW(s->ctx, zw_expr, s->np);
    c->p = ZW_CONTEXT_NEW(s->ctx, double, s->np);
    c->start = ZW_CONTEXT_NEW(s->ctx, double, nx);
    c->width = ZW_CONTEXT_NEW(s->ctx, double, nx);
    c->fixed = ZW_CONTEXT_NEW(s->ctx, bool, nx);
    c->start_mu = ZW_CONTEXT_NEW(s->ctx, double, s->nconstraint);
    if (!symbol || !c->p || !c->start || !c->width || !c->fixed || !c->start_mu)
        return zw_context_status(s->ctx, err);
    ZW_TRY(zw_system_param_values(s, c->p, err));
    ZW_TRY(zw_system_start_state(s, c->p, c->start, c->fixed, err));
    size_box(c);
    for (int i = 0; i < s->np; i++)
        symbol[i] = s->param[i].sym;
    for (int i = 0; i < s->nstart; i++)
        for (int k = 0; k < s->nconstraint; k++)
            if (s->start[i].what == s->constraint[k].lambda)
                c->start_mu[k] = zw_eval(s->ctx, s->start[i].value, s->np, symbol, c->p);
    return ZW_OK;
}

/* The loading of LLVM is not the price of the first principle. */
static zw_status warm_up(comparison *c, zw_error *err) {
    compare_row cold = {.principle = &zw_principles()[0]};
    zw_status status = set_up(c, &cold, err);
    zw_run_destroy(cold.run);
    zw_kernel_destroy(cold.kernel);
    cli_model_close(&cold.model);
    return status;
}

static zw_status set_up_all(comparison *c, zw_error *err) {
    zw_census census;
    ZW_TRY(zw_system_census(c->model.sys, NULL, &census, err));
    const char *reference = census.redundant >= 0 ? "gauss" : "lagrange";
    ZW_TRY(warm_up(c, err));
    for (const zw_principle *p = zw_principles(); p->name && c->nrow < COMPARE_ROWS_MAX; p++) {
        compare_row *row = &c->row[c->nrow++];
        row->principle = p;
        ZW_TRY(set_up(c, row, err));
        if (strcmp(p->name, reference) != 0)
            continue;
        c->reference = c->nrow - 1;
        if (!row->kernel) {
            *err = row->refusal;
            return err->status;
        }
    }
    return ZW_OK;
}

zw_status compare_create(comparison *c, const char *path, const cli_options *o, zw_error *err) {
    *c = (comparison){.o = o, .path = path};
    ZW_TRY(cli_model_open(&c->model, path, o, err));
    ZW_TRY(read_numbers(c, err));
    ZW_TRY(set_up_all(c, err));
    ZW_TRY(allocate_states(c, (int)o->states + RUN_STATES + 1, err));
    ZW_TRY(find_states(c, (int)o->states, err));
    if (o->until > 0)
        ZW_TRY(follow(c, err));
    double *a = ZW_CONTEXT_NEW(c->model.ctx, double, c->model.sys->nv);
    if (!a)
        return zw_context_status(c->model.ctx, err);
    for (int i = 0; i < c->nrow; i++) {
        ZW_TRY(compare_one(c, &c->row[i], a, err));
        if (c->row[i].vakonomic)
            ZW_TRY(compare_vakonomic_row(c, &c->row[i], a, err));
    }
    return compare_least_curvature(c, err);
}

void compare_destroy(comparison *c) {
    for (int i = 0; i < c->nrow; i++) {
        zw_run_destroy(c->row[i].run);
        zw_kernel_destroy(c->row[i].kernel);
        cli_model_close(&c->row[i].model);
    }
    cli_model_close(&c->model);
}

const compare_row *compare_find_worst(const comparison *c, bool *of_lambda) {
    const compare_row *worst = NULL;
    double value = -1;
    for (int i = 0; i < c->nrow; i++) {
        const compare_row *row = &c->row[i];
        if (i == c->reference || (row->vakonomic && !c->vakonomic.holonomic))
            continue;
        for (int which = 0; which < 2; which++) {
            double here = which ? row->lambda.value : row->accel.value;
            if (here <= value)
                continue;
            value = here;
            worst = row;
            *of_lambda = which == 1;
        }
    }
    return worst;
}

compare_row *compare_find_row(comparison *c, const char *principle) {
    for (int i = 0; i < c->nrow; i++)
        if (strcmp(c->row[i].principle->name, principle) == 0)
            return &c->row[i];
    return NULL;
}
