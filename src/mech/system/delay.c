/* SPDX-License-Identifier: MIT */
/* Delays: y(t) = e(t - tau), e an expression of the motion, tau > 0 constant along a run. The past
 * of e is a travelling wave u(s, t) = e(t - s tau), 0 <= s <= 1:
 *
 *     u_t = -u_s/tau,  u(0, t) = e(t),  y(t) = u(1, t)
 *
 * It is represented by a polynomial of degree N in s, which satisfies the equation at the N Radau
 * points s_1 ... s_N = 1 (pseudospectral discretisation: Breda, Diekmann, Gyllenberg, Scarabel,
 * Vermiglio, SIAM J. Appl. Dyn. Syst. 15, 2016, with Chebyshev points). With D the matrix that maps
 * values at 0, s_1, ..., s_N to derivatives at these points
 *
 *     u_i' = -(D_i0 e + sum of D_ij u_j)/tau
 *
 * So a delay is N states y.1, ..., y.(N-1) and y, in a system of ordinary differential equations.
 * For e = exp(z t) the ratio y/e is R(-z tau), R the stability function of the collocation method
 * with these points: for Radau points it is the Pade approximation of exp with the degrees N - 1
 * and N, whose error is
 *
 *     R(w) exp(-w) - 1 = -(-1)^N N! (N-1)!/((2N)! (2N-1)!) w^(2N) + ...
 *
 * and which is 1 at w = 0 and less than 1 for all other frequencies: constants are exact, and no
 * wave grows. */
#include <assert.h>
#include <complex.h>
#include <math.h>
#include <stdio.h>

#include "base/radau.h"
#include "build.h"

const zw_delay *zw_system_delay_of(const zw_system *s, int coord) {
    for (int i = 0; i < s->ndelay; i++)
        if (coord >= s->delay[i].first && coord < s->delay[i].first + s->delay[i].nodes)
            return &s->delay[i];
    return NULL;
}

bool zw_system_is_past(const zw_system *s, int coord) {
    const zw_delay *d = zw_system_delay_of(s, coord);
    return d && coord < d->first + d->nodes - 1;
}

bool zw_system_is_delayed(const zw_system *s, zw_expr sym) {
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].sym == sym)
            return zw_system_delay_of(s, i) != NULL;
    return false;
}

static zw_status check_quantity(const zw_system *s, zw_expr of, zw_place place, zw_error *err) {
    zw_status status = zw_mech_check_symbols(s, of, WITH_TIME | WITH_Q | WITH_V | WITH_SIGNAL,
                                             "a delayed quantity", place, err);
    if (status < 0)
        zw_error_hint(err, "it may hold time, coordinates, velocities, states, their rates, inputs "
                           "and parameters, not accelerations and multipliers");
    return status;
}

/* the states of a delay; the last one is the delayed quantity, and has its name */
static zw_status make_states(zw_system *s, const zw_delay *d, const char *unit, zw_expr *u,
                             zw_error *err) {
    char name[200];
    for (int i = 1; i < d->nodes; i++) {
        snprintf(name, sizeof name, "%.150s.%d", d->name, i);
        ZW_TRY(zw_system_state(s, name, unit, d->place, &u[i], err));
    }
    return zw_system_state(s, d->name, unit, d->place, &u[d->nodes], err);
}

static zw_status make_rates(zw_system *s, const zw_delay *d, const zw_expr *u, zw_error *err) {
    zw_context *ctx = s->ctx;
    double D[ZW_DELAY_NODES_MAX * (ZW_DELAY_NODES_MAX + 1)];
    zw_expr term[ZW_DELAY_NODES_MAX + 1];
    zw_radau_derivative(d->nodes, D);
    for (int i = 1; i <= d->nodes; i++) {
        for (int j = 0; j <= d->nodes; j++)
            term[j] = zw_mul(ctx, zw_real(ctx, -D[(i - 1) * (d->nodes + 1) + j]), j ? u[j] : d->of);
        zw_expr rate = zw_div(ctx, zw_sum(ctx, d->nodes + 1, term), d->lag);
        ZW_TRY(zw_system_state_rate(s, u[i], rate, d->place, err));
    }
    return ZW_OK;
}

zw_status zw_system_delay(zw_system *s, const char *name, const char *unit, zw_expr of, zw_expr lag,
                          int nodes, zw_place place, zw_expr *sym, zw_error *err) {
    ZW_TRY(zw_mech_open(s, place, err));
    ZW_TRY(zw_mech_check_symbols(s, lag, 0, "a delay", place, err));
    ZW_TRY(check_quantity(s, of, place, err));
    if (nodes < ZW_DELAY_NODES_MIN || nodes > ZW_DELAY_NODES_MAX)
        return zw_fail_at(err, ZW_E_OPTION, place, "a delay has %d to %d nodes, not %d",
                          ZW_DELAY_NODES_MIN, ZW_DELAY_NODES_MAX, nodes);
    if (!zw_mech_grow(s->ctx, (void **)&s->delay, s->ndelay, &s->store->delay_capacity,
                      sizeof *s->delay))
        return zw_mech_status(s, place, err);
    zw_expr u[ZW_DELAY_NODES_MAX + 1];
    zw_delay d = {.name = zw_context_intern(s->ctx, name),
                  .of = of,
                  .lag = lag,
                  .first = s->nq,
                  .nodes = nodes,
                  .place = place};
    if (!d.name)
        return zw_mech_status(s, place, err);
    ZW_TRY(make_states(s, &d, unit, u, err));
    ZW_TRY(make_rates(s, &d, u, err));
    *sym = u[nodes];
    s->delay[s->ndelay++] = d;
    return zw_mech_status(s, place, err);
}

zw_status zw_system_delay_history(zw_system *s, zw_expr sym, zw_expr history, zw_place place,
                                  zw_error *err) {
    double x[ZW_DELAY_NODES_MAX];
    for (int i = 0; i < s->ndelay; i++) {
        const zw_delay *d = &s->delay[i];
        if (s->coord[d->first + d->nodes - 1].sym != sym)
            continue;
        zw_radau_points(d->nodes, x);
        for (int k = 0; k < d->nodes; k++) {
            const zw_coord *c = &s->coord[d->first + k];
            zw_expr past = zw_neg(s->ctx, zw_mul(s->ctx, zw_real(s->ctx, x[k]), d->lag)),
                    value = zw_subst(s->ctx, history, 1, &s->t, &past);
            ZW_TRY(zw_system_start(s, c->sym, value, c->name, place, err));
        }
        return ZW_OK;
    }
    return zw_fail_at(err, ZW_E_NAME, place, "there is no such delay to have a history");
}

double zw_system_delay_lag(const zw_system *s, int delay, const double *p) {
    assert(delay >= 0 && delay < s->ndelay);
    return zw_mech_of_parameters(s, s->delay[delay].lag, p);
}

/* R(w) exp(-w) - 1 with the Pade approximation R = P/Q of the degrees n - 1 and n:
 *     P = sum (2n-1-k)!/(n-1-k)! w^k/k! (n-1)!/(2n-1)!, Q = sum (2n-1-k)!/(n-k)! (-w)^k/k!
 *     n!/(2n-1)! */
static double pade_error(int n, double complex w) {
    double complex P = 0, Q = 0, p = 1, q = 1;
    for (int k = 0; k <= n; k++) {
        P += p;
        Q += q;
        p *= w * (n - 1 - k) / ((2 * n - 1 - k) * (k + 1.0));
        q *= -w * (n - k) / ((2 * n - 1 - k) * (k + 1.0));
    }
    return cabs(P / Q * cexp(-w) - 1);
}

double zw_system_delay_error(const zw_system *s, const double *p, double re, double im,
                             int *worst) {
    double most = 0;
    int of = -1;
    for (int i = 0; i < s->ndelay; i++) {
        double lag = zw_system_delay_lag(s, i, p),
               error = pade_error(s->delay[i].nodes, -lag * (re + im * I));
        if (of < 0 || !(error <= most)) {
            of = i;
            most = isnan(error) ? INFINITY : error;
        }
    }
    if (worst)
        *worst = of;
    return most;
}

/* Marks the parameters that a lag is made of, also by way of other parameters. */
static void mark_lag(const zw_system *s, zw_expr lag, bool *mark) {
    for (int i = s->np - 1; i >= 0; i--) {
        mark[i] = zw_depends(s->ctx, lag, s->param[i].sym);
        for (int k = i + 1; k < s->np && !mark[i]; k++)
            mark[i] = mark[k] && zw_depends(s->ctx, s->param[k].value, s->param[i].sym);
    }
}

static zw_status reject_set(const zw_system *s, const zw_delay *d, const zw_event *e,
                            const zw_action *a, zw_error *err) {
    zw_fail_at(err, ZW_E_MODEL, a->place, "the event %s sets %s, on which the delay of %s depends",
               e->name, zw_expr_name(s->ctx, a->what), d->name);
    zw_error_hint(err,
                  "a delay is constant along a motion: take two, delay %s_1 = ... by ..., and let "
                  "the event set a factor that chooses between them",
                  d->name);
    return ZW_E_MODEL;
}

/* No event sets a parameter that a lag depends on: the past would be stretched to another time. */
static zw_status check_lags_stay(const zw_system *s, zw_error *err) {
    bool *mark = ZW_CONTEXT_NEW(s->ctx, bool, s->np);
    if (!mark)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < s->ndelay; i++) {
        mark_lag(s, s->delay[i].lag, mark);
        for (int j = 0; j < s->nevent; j++)
            for (int k = 0; k < s->event[j].naction; k++) {
                const zw_action *a = &s->event[j].action[k];
                for (int n = 0; n < s->np && a->kind == ZW_ACTION_SET; n++)
                    if (mark[n] && s->param[n].sym == a->what)
                        return reject_set(s, &s->delay[i], &s->event[j], a, err);
            }
    }
    return ZW_OK;
}

/* with the values of the parameters in the text */
zw_status zw_mech_check_delays(const zw_system *s, zw_error *err) {
    if (!s->ndelay)
        return ZW_OK;
    ZW_TRY(check_lags_stay(s, err));
    double *p = ZW_CONTEXT_NEW(s->ctx, double, s->np);
    if (!p)
        return zw_context_status(s->ctx, err);
    if (zw_system_param_values(s, p, NULL) < 0)
        return ZW_OK; /* reported where the values are needed */
    for (int i = 0; i < s->ndelay; i++) {
        double lag = zw_system_delay_lag(s, i, p);
        if (lag > 0 && isfinite(lag))
            continue;
        zw_fail_at(err, ZW_E_DOMAIN, s->delay[i].place, "the delay of %s is %.10g s",
                   s->delay[i].name, lag);
        zw_error_hint(err, "it must be positive; without a delay: let %s = ...", s->delay[i].name);
        return ZW_E_DOMAIN;
    }
    return ZW_OK;
}
