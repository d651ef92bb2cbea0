/* SPDX-License-Identifier: MIT */
/* The model as the fit uses it: equations and a kernel with derivatives with respect to the free
 * parameters, a run, a second flow for disturbed states, and a simulation, which completes starts
 * and knows the names of all measurable quantities. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "fit.h"
#include "num/options.h"

enum { STAGES = 4 }; /* of collocation: order 7 */
/* of the tolerances: for motions with contacts, whose differences are divided by 1e-4 */
#define FINER_TOLERANCE 1e-3
#define DIFFERENCE_STEP 1e-5 /* of sizes: about eps^(1/3), that of central differences */
/* of the scale of a parameter: least size where its value is about zero */
#define SIZE_AT_ZERO 1e-3
#define SMALLEST_RTOL 1e-12 /* below it an integrator cannot meet its tolerance */
#define SMALLEST_ATOL 1e-14 /* in SI units: below it the absolute tolerance has no effect */

/* ---- models that are not supported ---- */

static zw_status reject_signals(const zw_system *s, zw_error *err) {
    if (s->nsignal) {
        zw_fail_at(err, ZW_E_OPTION, s->signal[0].place, "a fit does not follow signals: %s",
                   s->signal[0].name);
        zw_error_hint(err, "write the excitation as an expression of t");
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------ Radau IIA */

/* P_m - P_m-1 on [0, 1]: its zeros are the nodes. */
static double radau_polynomial(int m, double s) {
    double x = 2 * s - 1, before = 1, p = x;
    for (int k = 2; k <= m; k++) {
        double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
        before = p;
        p = next;
    }
    return p - before;
}

/* Gauss points would be sufficient for slow motions; those of Radau damp what decays faster than a
 * step, as friction with a small eps does. */
static void take_radau(zw_gauss *rule) {
    zw_gauss quadrature;
    int m = rule->m, found = 0;
    zw_gauss_init(&quadrature, m);
    for (int k = 0; k < 200 && found < m - 1; k++) { /* each zero is bracketed */
        double low = k / 200., high = (k + 1) / 200.;
        if (radau_polynomial(m, low) * radau_polynomial(m, high) > 0 || high >= 0.9999)
            continue;
        for (int i = 0; i < 60; i++) {
            double mid = (low + high) / 2;
            *(radau_polynomial(m, low) * radau_polynomial(m, mid) > 0 ? &low : &high) = mid;
        }
        rule->c[found++] = (low + high) / 2;
    }
    rule->c[m - 1] = 1;
    for (int i = 0; i < m; i++)
        for (int l = 0; l < m; l++) {
            rule->a[i][l] = 0;
            for (int k = 0; k < m; k++)
                rule->a[i][l] += rule->c[i] * quadrature.b[k] *
                                 zw_gauss_lagrange(rule, l, rule->c[i] * quadrature.c[k]);
        }
    memcpy(rule->b, rule->a[m - 1], sizeof rule->b);
}

/* --------------------------------------------------------------------------------------- starts */

zw_status zw_fit_parameters_at(zw_fit *f, const zw_fit_experiment *e, const double *value,
                               const double *memory, double *p, zw_error *err) {
    const zw_system *s = f->sys;
    memcpy(p, e->p, sizeof *p * (size_t)s->np);
    memcpy(f->set, e->set, sizeof *f->set * (size_t)s->np);
    for (int j = 0; j < f->P; j++) {
        p[f->param[j].index] = value[j];
        f->set[f->param[j].index] = true;
    }
    for (int i = 0; memory && i < f->events.nmemory; i++) {
        p[f->events.memory[i]] = memory[i];
        f->set[f->events.memory[i]] = true;
    }
    return zw_system_param_follow(s, f->set, p, err);
}

zw_status zw_fit_model_start(zw_fit *f, zw_fit_experiment *e, const double *value, double *x,
                             zw_error *err) {
    bool stop;
    double t = isnan(f->options.start) ? e->t[0] : f->options.start;
    ZW_TRY(zw_fit_parameters_at(f, e, value, NULL, f->p_second, err));
    ZW_TRY(zw_sim_drive_start(f->sim, t, f->set, f->p_second, e->given, e->start, &stop, err));
    memcpy(x, zw_run_state(zw_sim_drive_run(f->sim)), sizeof *x * (size_t)f->nx);
    return f->contacts.used && !e->ground ? zw_fit_contacts_ground(f, e, err) : ZW_OK;
}

/* Parameter j of the kernel, changed: a free one, or one that events set. */
static zw_status move_parameter(void *self, int j, double by, zw_error *err) {
    zw_fit *f = self;
    double *value = j < f->P ? &f->now->tried[j] : &f->events.m[j - f->P], was = *value;
    *value += by;
    zw_status status =
        zw_fit_parameters_at(f, f->now, f->now->tried, f->events.m, f->p_second, err);
    *value = was;
    ZW_TRY(status);
    return zw_flow_set_parameters(f->second_flow, f->p_second, err);
}

zw_status zw_fit_set_parameters(zw_fit *f, zw_fit_experiment *e, const double *value,
                                zw_error *err) {
    ZW_TRY(zw_fit_parameters_at(f, e, value, NULL, f->p, err));
    if (f->contacts.used) {
        f->second_flow = e->ground;
        return zw_flow_set_parameters(f->second_flow, f->p, err);
    }
    zw_fit_enter(f, 0);
    ZW_TRY(zw_run_set_parameters(f->run, f->p, err));
    for (int i = 0; i < f->events.nmemory; i++)
        f->events.m[i] = f->p[f->events.memory[i]];
    for (int j = 0; j < f->npar; j++) {
        double v = j < f->P ? value[j] : f->events.m[j - f->P],
               scale = j < f->P ? f->param[j].scale : 1;
        f->leg.steps[j] = DIFFERENCE_STEP * fmax(fabs(v), SIZE_AT_ZERO * scale);
    }
    return zw_flow_set_parameters(f->second_flow, f->p, err);
}

/* ---------------------------------------------------------------------------------------- names */

static zw_status name_states(zw_fit *f, zw_error *err) {
    const zw_table *rows = zw_sim_rows(f->sim);
    f->state = ZW_NEW(&f->arena, const char *, f->nx + 1);
    f->state_unit = ZW_NEW(&f->arena, const char *, f->nx + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 1; i < zw_sim_drive_columns(f->sim); i++) {
        int index;
        if (zw_sim_drive_column(f->sim, i, &index) == ZW_DRIVE_STATE && !f->state[index]) {
            f->state[index] = zw_table_name(rows, i);
            f->state_unit[index] = zw_table_unit(rows, i);
        }
    }
    for (int i = 0; i < f->nx; i++)
        if (!f->state[i]) {
            f->state[i] = zw_arena_printf(&f->arena, "state %d", i + 1);
            f->state_unit[i] = "";
        }
    return zw_arena_status(&f->arena, err);
}

/* ------------------------------------------------------------------------------------ lifecycle */

static zw_status open_sim(zw_fit *f, zw_error *err) {
    zw_sim_options o = zw_sim_options_default();
    o.principle = f->principle;
    o.run = f->run_options;
    o.jit = f->contacts.used ? ZW_JIT_WHEN_IT_PAYS : ZW_JIT_NEVER;
    o.contacts = f->options.contacts;
    if (f->contacts.used) { /* differences of motions must be accurate */
        o.run.rtol = fmax(FINER_TOLERANCE * o.run.rtol, SMALLEST_RTOL);
        o.run.atol = fmax(FINER_TOLERANCE * o.run.atol, SMALLEST_ATOL);
    }
    o.start = o.until = isnan(f->options.start) ? 0 : f->options.start;
    ZW_TRY(zw_sim_create(&f->sim, f->sys, NULL, &o, err));
    if (f->contacts.used)
        return zw_fit_contacts_open(f, err);
    const zw_sim_watch nobody = {0};
    return zw_sim_drive(f->sim, &nobody, err);
}

static zw_status fill_stage(zw_fit *f, zw_fit_stage *s, zw_error *err) {
    zw_kernel_options k = zw_kernel_options_default();
    const zw_active active = {.constraint = s->on};
    zw_arena *m = &f->arena;
    int *parameter = ZW_NEW(m, int, f->npar + 1);
    if (!parameter)
        return zw_out_of_memory(err, NULL);
    for (int j = 0; j < f->npar; j++)
        parameter[j] = j < f->P ? f->param[j].index : f->events.memory[j - f->P];
    k.jit = ZW_JIT_WHEN_IT_PAYS;
    k.modes = true;
    k.nparameter = f->npar;
    k.parameter = parameter;
    k.functions = ZW_FUNCTIONS_ALL_METHODS | ZW_SET(SWITCHES) | ZW_SET(SWITCH_LIVE) |
                  ZW_SET(SWITCH_RATE) | ZW_SET(JAC_P) | ZW_SET(OBS_JAC) | ZW_SET(OBS_P) |
                  (f->events.any ? ZW_SET(ACT) : 0);
    ZW_TRY(zw_derive(&s->eq, f->sys, &active, f->principle, err));
    ZW_TRY(zw_kernel_create(&s->kernel, &s->eq, &k, err));
    ZW_TRY(zw_run_create(&s->run, s->kernel, f->p, &f->run_options, err));
    zw_run_on_want(s->run, zw_kernel_serve, s->kernel);
    s->singular =
        (zw_sim_singular){.eq = &s->eq, .run = s->run, .x = ZW_NEW(m, double, s->kernel->nx + 1)};
    zw_run_on_warning(s->run, zw_sim_on_singular, &s->singular);
    ZW_TRY(zw_flow_create(&s->second_flow, s->kernel, f->p, err));
    ZW_TRY(
        zw_rate_jump_init(&s->jump, m, s->kernel->nx, s->kernel->nmode, s->kernel->nswitch, err));
    if (s->kernel->nz > f->nz || !f->z) { /* space for the largest */
        int nz = s->kernel->nz, nx = s->kernel->nx;
        f->nz = nz;
        f->z = ZW_NEW(m, double, nz + 1);
        f->z_x = ZW_NEW(m, double, (nz + nx) * nx + 1);
        f->z_p = ZW_NEW(m, double, (nz + nx) * f->npar + 1);
        f->events.z = ZW_NEW(m, double, nz + 1);
    }
    return zw_arena_status(m, err);
}

static void clear_stage(zw_fit_stage *s) {
    zw_flow_destroy(s->second_flow);
    zw_run_destroy(s->run);
    zw_kernel_destroy(s->kernel);
}

zw_status zw_fit_stage_of(zw_fit *f, const bool *on, int *stage, zw_error *err) {
    size_t bytes = sizeof(bool) * (size_t)f->sys->nconstraint;
    for (*stage = 0; *stage < f->nstage; ++*stage)
        if (memcmp(f->stage[*stage]->on, on, bytes) == 0)
            return ZW_OK;
    zw_fit_stage *s = ZW_NEW(&f->arena, zw_fit_stage, 1);
    if (!s || !(s->on = ZW_NEW(&f->arena, bool, f->sys->nconstraint + 1)) ||
        !zw_arena_grow(&f->arena, (void **)&f->stage, f->nstage, &f->stage_capacity,
                       sizeof(zw_fit_stage *)))
        return zw_out_of_memory(err, NULL);
    memcpy(s->on, on, bytes);
    zw_status status = fill_stage(f, s, err);
    if (status < 0) {
        clear_stage(s);
        return status;
    }
    f->stage[f->nstage++] = s;
    return ZW_OK;
}

void zw_fit_enter(zw_fit *f, int stage) {
    zw_fit_stage *s = f->stage[stage];
    f->at = stage;
    f->kernel = s->kernel;
    f->run = s->run;
    f->second_flow = s->second_flow;
    f->leg.run = s->run;
    f->leg.flow = zw_run_flow(s->run);
    f->leg.beside = s->second_flow;
    f->leg.k = s->kernel;
    f->leg.jump = s->jump;
}

static zw_status open_kernel(zw_fit *f, zw_error *err) {
    int stage;
    f->p = ZW_NEW(&f->arena, double, f->sys->np + 1);
    f->p_second = ZW_NEW(&f->arena, double, f->sys->np + 1);
    f->set = ZW_NEW(&f->arena, bool, f->sys->np + 1);
    bool *on = ZW_NEW(&f->arena, bool, f->sys->nconstraint + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < f->sys->nconstraint; i++)
        on[i] = f->sys->constraint[i].on;
    ZW_TRY(zw_system_param_values(f->sys, f->p, err));
    if (f->contacts.used) {
        f->kernel = zw_sim_drive_kernel(f->sim);
        f->nz = f->kernel->nz;
    } else {
        ZW_TRY(zw_fit_stage_of(f, on, &stage, err));
        zw_fit_enter(f, stage);
    }
    const zw_kernel *other = zw_sim_drive_kernel(f->sim);
    f->nx = f->kernel->nx;
    if (other->nx != f->nx || other->nobs != f->kernel->nobs || other->nz != f->kernel->nz)
        return zw_fail(err, ZW_E_OPTION,
                       "--by %s: a fit needs the velocities of the model as unknowns",
                       f->principle);
    return ZW_OK;
}

static zw_status allocate_arrays(zw_fit *f, zw_error *err) {
    const zw_kernel *k = f->kernel;
    zw_arena *m = &f->arena;
    int nx = f->nx, npar = f->npar, most = 3 * f->sys->nconstraint,
        ng = f->contacts.used ? most : zw_flow_levels(f->second_flow), rows = ng + nx + 1;
    f->x = ZW_NEW(m, double, nx + 1);
    f->Y = ZW_NEW(m, double, nx *(nx + npar) + 1);
    f->obs = ZW_NEW(m, double, k->nobs + 3);
    f->obs_x = ZW_NEW(m, double, (k->nobs + 2) * nx + 1);
    f->obs_p = ZW_NEW(m, double, (k->nobs + 2) * npar + 1);
    f->G = ZW_NEW(m, double, rows *nx + 1);
    f->g_p = ZW_NEW(m, double, ng *npar + 1);
    f->side = ZW_NEW(m, double, rows + 1);
    f->tau = ZW_NEW(m, double, rows + 1);
    f->order = ZW_NEW(m, int, rows + 1);
    f->scale_x = ZW_NEW(m, double, nx + 1);
    f->leg.rate = ZW_NEW(m, double, nx + 1);
    f->leg.x = ZW_NEW(m, double, nx + 1);
    f->leg.steps = ZW_NEW(m, double, npar + 1);
    if (f->contacts.used) /* rates of any of its equations */
        f->z = ZW_NEW(m, double, 2 * nx + most + f->nz + 1);
    f->contacts.change_with_step = ZW_NEW(m, double, nx + npar + 1);
    if (m->failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_trail_init(&f->trail, m, nx, nx + npar, npar, STAGES, err));
    take_radau(&f->trail.rule);
    zw_gauss_init(&f->quadrature, STAGES);
    f->leg.arena = m;
    f->leg.nudge = move_parameter;
    f->leg.nudge_self = f;
    return zw_fit_events_open(f, err);
}

zw_status zw_fit_open_plant(zw_fit *f, zw_error *err) {
    ZW_TRY(reject_signals(f->sys, err));
    for (int i = 0; i < f->sys->ncontact; i++)
        f->contacts.used |= !f->sys->contact[i].off;
    ZW_TRY(zw_fit_events_find(f, err));
    ZW_TRY(open_sim(f, err));
    ZW_TRY(open_kernel(f, err));
    ZW_TRY(allocate_arrays(f, err));
    return name_states(f, err);
}

void zw_fit_close_plant(zw_fit *f) {
    for (int i = 0; i < f->nstage; i++)
        clear_stage(f->stage[i]);
    zw_fit_contacts_close(f);
    zw_sim_destroy(f->sim);
}
