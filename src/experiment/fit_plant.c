/* SPDX-License-Identifier: MIT */
/* The model as the fit sees it: equations and a kernel with derivatives in the free parameters, a run, a second flow beside it for states that are moved, and a simulation, which
 * completes starts and knows the names of all that can be measured. */
#include <math.h>
#include <string.h>

#include "fit.h"
#include "num/options.h"

enum { STAGES = 4 };

/* --------------------------------------------------------------------------------------------- refusals */

static zw_status refuse(const zw_system *s, zw_error *err) {
    for (int i = 0; i < s->ncontact; i++)
        if (!s->contact[i].off) {
            zw_fail_at(err, ZW_E_OPTION, s->contact[i].place,
                       "a fit follows smooth motions: the contact %s opens, closes or sticks",
                       s->contact[i].name);
            zw_error_hint(err, "a law smooth(mu, eps) of a bilateral contact is smooth; data "
                               "between two impacts are");
            return ZW_E_OPTION;
        }
    for (int i = 0; i < s->nevent; i++)
        if (s->event[i].naction > 0) {
            zw_fail_at(err, ZW_E_OPTION, s->event[i].place,
                       "a fit follows motions that no event changes: %s does", s->event[i].name);
            zw_error_hint(err,
                          "fit the parts between the events, each as an experiment of its own");
            return ZW_E_OPTION;
        }
    if (s->nsignal) {
        zw_fail_at(err, ZW_E_OPTION, s->signal[0].place, "a fit does not follow signals: %s",
                   s->signal[0].name);
        zw_error_hint(err, "write the drive as an expression of t");
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------------- Radau IIA */

/* P_m - P_m-1 on [0, 1]: its zeros are the points */
static double radau_polynomial(int m, double s) {
    double x = 2 * s - 1, before = 1, p = x;
    for (int k = 2; k <= m; k++) {
        double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
        before = p;
        p = next;
    }
    return p - before;
}

/* Gauss's points would do as well for slow motions; those of Radau let decay what decays faster than a step is long, as friction with a small eps does. */
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

/* ----------------------------------------------------------------------------------------------- starts */

/* parameters of an experiment, the free ones at these values, those that are made of them following */
static zw_status parameters(const zw_fit *f, const zw_fit_experiment *e, const double *value,
                            double *p, zw_error *err) {
    const zw_system *s = f->sys;
    memcpy(p, e->p, sizeof *p * (size_t)s->np);
    memcpy(f->set, e->set, sizeof *f->set * (size_t)s->np);
    for (int j = 0; j < f->P; j++) {
        p[f->param[j].index] = value[j];
        f->set[f->param[j].index] = true;
    }
    return zw_system_param_follow(s, f->set, p, err);
}

zw_status zw_fit_model_start(zw_fit *f, const zw_fit_experiment *e, const double *value, double *x,
                             zw_error *err) {
    bool stop;
    double t = isnan(f->options.start) ? e->t[0] : f->options.start;
    ZW_TRY(parameters(f, e, value, f->p_beside, err));
    ZW_TRY(zw_sim_along_start(f->sim, t, f->set, f->p_beside, e->given, e->start, &stop, err));
    memcpy(x, zw_run_state(zw_sim_along_run(f->sim)), sizeof *x * (size_t)f->nx);
    return ZW_OK;
}

static zw_status nudge(void *self, int j, double by, zw_error *err) {
    zw_fit *f = self;
    double *value = f->now->tried, was = value[j];
    value[j] += by;
    zw_status status = parameters(f, f->now, value, f->p_beside, err);
    value[j] = was;
    ZW_TRY(status);
    return zw_flow_set_parameters(f->beside, f->p_beside, err);
}

zw_status zw_fit_set_parameters(zw_fit *f, const zw_fit_experiment *e, const double *value,
                                zw_error *err) {
    ZW_TRY(parameters(f, e, value, f->p, err));
    ZW_TRY(zw_run_set_parameters(f->run, f->p, err));
    for (int j = 0; j < f->P; j++)
        f->leg.steps[j] = 1e-5 * fmax(fabs(value[j]), 1e-3 * f->param[j].scale);
    return zw_flow_set_parameters(f->beside, f->p, err);
}

/* ------------------------------------------------------------------------------------------------ names */

static zw_status name_states(zw_fit *f, zw_error *err) {
    const zw_table *rows = zw_sim_rows(f->sim);
    f->state = ZW_NEW(&f->arena, const char *, f->nx + 1);
    f->state_unit = ZW_NEW(&f->arena, const char *, f->nx + 1);
    if (f->arena.failed)
        return zw_fit_no_memory(err);
    for (int i = 1; i < zw_sim_along_columns(f->sim); i++) {
        int index;
        if (zw_sim_along_column(f->sim, i, &index) == ZW_ALONG_STATE && !f->state[index]) {
            f->state[index] = zw_table_name(rows, i);
            f->state_unit[index] = zw_table_unit(rows, i);
        }
    }
    for (int i = 0; i < f->nx; i++)
        if (!f->state[i]) {
            f->state[i] = zw_arena_printf(&f->arena, "state %d", i + 1);
            f->state_unit[i] = "";
        }
    return f->arena.failed ? zw_fit_no_memory(err) : ZW_OK;
}

/* --------------------------------------------------------------------------------------------- lifecycle */

static zw_status open_sim(zw_fit *f, zw_error *err) {
    zw_sim_options o = zw_sim_options_default();
    const zw_sim_watch nobody = {0};
    o.principle = f->principle;
    o.run = f->run_options;
    o.jit = ZW_JIT_NEVER;
    o.start = o.until = isnan(f->options.start) ? 0 : f->options.start;
    ZW_TRY(zw_sim_create(&f->sim, f->sys, NULL, &o, err));
    return zw_sim_along(f->sim, &nobody, err);
}

static zw_status open_kernel(zw_fit *f, zw_error *err) {
    zw_kernel_options k = zw_kernel_options_default();
    int *parameter = ZW_NEW(&f->arena, int, f->P + 1);
    f->p = ZW_NEW(&f->arena, double, f->sys->np + 1);
    f->p_beside = ZW_NEW(&f->arena, double, f->sys->np + 1);
    f->set = ZW_NEW(&f->arena, bool, f->sys->np + 1);
    if (f->arena.failed)
        return zw_fit_no_memory(err);
    for (int j = 0; j < f->P; j++)
        parameter[j] = f->param[j].index;
    k.jit = ZW_JIT_WHEN_IT_PAYS;
    k.modes = true;
    k.nparameter = f->P;
    k.parameter = parameter;
    k.functions = ZW_FUNCTIONS_ALL_METHODS | ZW_SET(SWITCHES) | ZW_SET(SWITCH_LIVE) |
                  ZW_SET(SWITCH_RATE) | ZW_SET(JAC_P) | ZW_SET(OBS_JAC) | ZW_SET(OBS_P);
    ZW_TRY(zw_derive(&f->eq, f->sys, NULL, f->principle, err));
    ZW_TRY(zw_kernel_create(&f->kernel, &f->eq, &k, err));
    ZW_TRY(zw_system_param_values(f->sys, f->p, err));
    ZW_TRY(zw_run_create(&f->run, f->kernel, f->p, &f->run_options, err));
    zw_run_on_want(f->run, zw_kernel_serve, f->kernel);
    ZW_TRY(zw_flow_create(&f->beside, f->kernel, f->p, err));
    const zw_kernel *other = zw_sim_along_kernel(f->sim);
    f->nx = f->kernel->nx;
    if (other->nx != f->nx || other->nobs != f->kernel->nobs || other->nz != f->kernel->nz)
        return zw_fail(err, ZW_E_OPTION,
                       "--by %s: a fit needs the velocities of the model as unknowns",
                       f->principle);
    return ZW_OK;
}

static zw_status make_room(zw_fit *f, zw_error *err) {
    const zw_kernel *k = f->kernel;
    zw_arena *m = &f->arena;
    int nx = f->nx, P = f->P, ng = zw_flow_levels(f->beside), rows = ng + nx + 1;
    f->x = ZW_NEW(m, double, nx + 1);
    f->Y = ZW_NEW(m, double, nx *(nx + P) + 1);
    f->z = ZW_NEW(m, double, k->nz + 1);
    f->obs = ZW_NEW(m, double, k->nobs + 3);
    f->obs_x = ZW_NEW(m, double, (k->nobs + 2) * nx + 1);
    f->obs_p = ZW_NEW(m, double, (k->nobs + 2) * P + 1);
    f->z_x = ZW_NEW(m, double, (k->nz + nx) * nx + 1);
    f->z_p = ZW_NEW(m, double, (k->nz + nx) * P + 1);
    f->G = ZW_NEW(m, double, rows *nx + 1);
    f->g_p = ZW_NEW(m, double, ng *P + 1);
    f->side = ZW_NEW(m, double, rows + 1);
    f->tau = ZW_NEW(m, double, rows + 1);
    f->order = ZW_NEW(m, int, rows + 1);
    f->scale_x = ZW_NEW(m, double, nx + 1);
    f->leg.rate = ZW_NEW(m, double, nx + 1);
    f->leg.x = ZW_NEW(m, double, nx + 1);
    f->leg.steps = ZW_NEW(m, double, P + 1);
    if (m->failed)
        return zw_fit_no_memory(err);
    ZW_TRY(zw_trail_init(&f->trail, m, nx, nx + P, P, STAGES, err));
    take_radau(&f->trail.rule);
    zw_gauss_init(&f->quadrature, STAGES);
    ZW_TRY(zw_rate_jump_init(&f->leg.jump, m, nx, k->nmode, k->nswitch, err));
    f->leg.arena = m;
    f->leg.run = f->run;
    f->leg.flow = zw_run_flow(f->run);
    f->leg.beside = f->beside;
    f->leg.k = k;
    f->leg.nudge = nudge;
    f->leg.nudge_self = f;
    return ZW_OK;
}

zw_status zw_fit_open_plant(zw_fit *f, zw_error *err) {
    ZW_TRY(refuse(f->sys, err));
    ZW_TRY(open_sim(f, err));
    ZW_TRY(open_kernel(f, err));
    ZW_TRY(make_room(f, err));
    return name_states(f, err);
}

void zw_fit_close_plant(zw_fit *f) {
    zw_flow_destroy(f->beside);
    zw_run_destroy(f->run);
    zw_kernel_destroy(f->kernel);
    zw_sim_destroy(f->sim);
}
