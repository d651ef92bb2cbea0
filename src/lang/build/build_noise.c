/* SPDX-License-Identifier: MIT */
/* Inputs that are noise: white, or white noise after a filter whose states are part of the model.
 *
 *   noise(s)          w = s dW/dt
 *   noise(r, T)       w' = -w/T + r sqrt(2/T) dW/dt
 *                     standard deviation r, correlation exp(-|t|/T)
 *   noise(r, om, z)   w'' + 2 z om w' + om^2 w = r sqrt(4 z om^3) dW/dt
 *                     standard deviation r, that of w' om r
 *
 * The states of a filter start in its stationary distribution: normal and independent. */
#include <stdio.h>

#include "lang/model.h"

typedef struct filter {
    zw_dim unit; /* of the input */
    zw_expr a[3];
    int n;
} filter;

/* "kind(name)" */
static const char *name_of(char *out, size_t size, const char *kind, const char *name) {
    snprintf(out, size, "%s(%.150s)", kind, name);
    return out;
}

static zw_status make_signal(zw_model *m, const zw_stmt *s, const char *name, const zw_dim *d,
                             zw_expr intensity, zw_expr *sym) {
    const char *unit = zw_model_unit(m, d);
    if (!unit)
        return zw_model_memory(m);
    ZW_TRY(zw_system_signal(m->sys, name, unit, s->name_place, sym, m->err));
    return zw_system_signal_noise(m->sys, *sym, intensity, s->value->place, m->err);
}

static zw_status make_state(zw_model *m, const zw_stmt *s, const char *name, const zw_dim *d,
                            zw_expr spread, zw_expr *sym) {
    const char *unit = zw_model_unit(m, d);
    if (!unit)
        return zw_model_memory(m);
    ZW_TRY(zw_system_state(m->sys, name, unit, s->name_place, sym, m->err));
    return zw_system_state_spread(m->sys, *sym, spread, s->value->place, m->err);
}

static zw_status make_filter(zw_model *m, const zw_stmt *s, const filter *f, zw_expr *out) {
    zw_context *ctx = m->ctx;
    zw_place place = s->value->place;
    zw_dim second = zw_model_dim(m, 0, 0, 1), rate, accel;
    char name[200];
    zw_expr white, w, v, r = f->a[0];
    if (!zw_dim_combine(&rate, &f->unit, &second, -1) ||
        !zw_dim_combine(&accel, &rate, &second, -1))
        return zw_fail_at(m->err, ZW_E_UNIT, place, "the unit is out of all proportion");
    ZW_TRY(make_state(m, s, s->name, &f->unit, r, &w));
    *out = w;
    if (f->n == 2) {
        zw_expr T = f->a[1], s1 = zw_mul(ctx, r, zw_sqrt(ctx, zw_div(ctx, ZW_TWO, T)));
        ZW_TRY(make_signal(m, s, name_of(name, sizeof name, "white", s->name), &rate, s1, &white));
        return zw_system_state_rate(m->sys, w, zw_sub(ctx, white, zw_div(ctx, w, T)), place,
                                    m->err);
    }
    zw_expr om = f->a[1], z = f->a[2], om2 = zw_mul(ctx, om, om);
    zw_expr s2 =
        zw_mul(ctx, r,
               zw_sqrt(ctx, zw_mul(ctx, zw_integer(ctx, 4), zw_mul(ctx, z, zw_mul(ctx, om2, om)))));
    ZW_TRY(make_state(m, s, name_of(name, sizeof name, "rate", s->name), &rate, zw_mul(ctx, om, r),
                      &v));
    ZW_TRY(make_signal(m, s, name_of(name, sizeof name, "white", s->name), &accel, s2, &white));
    zw_expr damping = zw_mul(ctx, ZW_TWO, zw_mul(ctx, z, zw_mul(ctx, om, v)));
    ZW_TRY(zw_system_state_rate(m->sys, w, v, place, m->err));
    return zw_system_state_rate(
        m->sys, v, zw_sub(ctx, white, zw_add(ctx, damping, zw_mul(ctx, om2, w))), place, m->err);
}

static zw_status read_arguments(zw_model *m, const zw_syntax *call, filter *f) {
    f->n = call->n;
    if (call->n < 1 || call->n > 3) {
        zw_fail_at(m->err, ZW_E_SYNTAX, call->place, "noise takes 1 to 3 arguments, not %d",
                   call->n);
        zw_error_hint(m->err, "noise(intensity), noise(standard deviation, correlation time) or "
                              "noise(standard deviation, angular frequency, damping ratio)");
        return ZW_E_SYNTAX;
    }
    zw_quantity v;
    zw_dim time = zw_model_dim(m, 0, 0, 1), per_time = zw_model_dim(m, 0, 0, -1),
           none = zw_dim_none(), root;
    ZW_TRY(zw_model_eval(m, call->arg[0], &v));
    if (v.n > 1)
        return zw_fail_at(m->err, ZW_E_SYNTAX, call->arg[0]->place,
                          "the size of a noise must be a scalar, not a vector");
    f->a[0] = v.e[0];
    f->unit = v.d[0];
    if (call->n == 1)
        return zw_dim_power(&root, &time, 1, 2) && zw_dim_combine(&f->unit, &v.d[0], &root, -1)
                   ? ZW_OK
                   : zw_fail_at(m->err, ZW_E_UNIT, call->place,
                                "the unit is out of all proportion");
    ZW_TRY(zw_model_scalar(m, call->arg[1], call->n == 2 ? "the correlation time" : "the frequency",
                           call->n == 2 ? &time : &per_time, &f->a[1]));
    return call->n == 3 ? zw_model_scalar(m, call->arg[2], "the damping ratio", &none, &f->a[2])
                        : ZW_OK;
}

zw_status zw_noise_unit(zw_model *m, const zw_stmt *s, zw_dim *d) {
    filter f;
    ZW_TRY(read_arguments(m, s->value, &f));
    *d = f.unit;
    return ZW_OK;
}

zw_status zw_build_noise(zw_model *m, const zw_stmt *s) {
    filter f;
    zw_expr w;
    zw_entry *e = zw_model_find(m, s->name);
    ZW_TRY(read_arguments(m, s->value, &f));
    ZW_TRY(f.n == 1 ? make_signal(m, s, s->name, &f.unit, f.a[0], &w) : make_filter(m, s, &f, &w));
    e->value = zw_quantity_scalar(w, f.unit);
    e->progress = ZW_BUILT;
    return zw_model_check_expressions(m, s->value->place);
}
