/* SPDX-License-Identifier: MIT */
/* Numbers of slow manifolds as JSON: SI units, null for NaN. */
#include <math.h>

#include "base/text.h"
#include "manifold.h"

static void put_key(zw_text *out, const char *key) {
    zw_text_put(out, ", ");
    zw_text_json(out, key);
    zw_text_put(out, ": ");
}

static void put_number(zw_text *out, const char *key, double value) {
    put_key(out, key);
    zw_text_json_number(out, value);
}

static void put_count(zw_text *out, const char *key, int value) {
    put_key(out, key);
    zw_text_printf(out, "%d", value);
}

static void put_row(zw_text *out, const char *key, int n, const double *value) {
    put_key(out, key);
    zw_text_put(out, "[");
    for (int i = 0; i < n; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json_number(out, value[i]);
    }
    zw_text_put(out, "]");
}

/* {"x": 1, "y": 2}: slow, then fast variables. */
static void put_state(const zw_manifold *m, zw_text *out, const double *x, const double *y) {
    zw_text_put(out, "{");
    for (int i = 0; i < m->result.nx + m->result.ny; i++) {
        const zw_rated *e = i < m->result.nx ? &m->x[i] : &m->y[i - m->result.nx];
        zw_text_put(out, i ? ", " : "");
        zw_text_json(out, e->name);
        zw_text_put(out, ": ");
        zw_text_json_number(out, i < m->result.nx ? x[i] : y[i - m->result.nx]);
    }
    zw_text_put(out, "}");
}

static void put_place(const zw_manifold *m, zw_text *out, const char *key,
                      const zw_manifold_place *p) {
    if (!p->x)
        return;
    put_key(out, key);
    zw_text_put(out, "{\"at\": ");
    put_state(m, out, p->x, p->y);
    put_number(out, "rate", p->rate);
    zw_text_put(out, "}");
}

static void put_nature(const zw_manifold *m, zw_text *out, const zw_manifold_nature *n) {
    zw_text_printf(out, ",\n \"manifold\": {\"points\": %d", n->npoint);
    put_count(out, "missing", n->missing);
    put_count(out, "attracting", n->attracting);
    put_count(out, "repelling", n->repelling);
    put_count(out, "saddle", n->saddle);
    put_count(out, "neutral", n->neutral);
    put_count(out, "not_much_faster", n->mixed);
    put_number(out, "gap", n->closest.x ? n->gap : NAN);
    put_place(m, out, "slowest", &n->weakest);
    put_place(m, out, "fastest", &n->strongest);
    put_place(m, out, "closest", &n->closest);
    put_key(out, "folds");
    zw_text_put(out, "[");
    for (int i = 0; i < n->nfold; i++) {
        const zw_manifold_fold *f = &n->fold[i];
        zw_text_put(out, i ? ",\n  {\"at\": " : "\n  {\"at\": ");
        put_state(m, out, f->x, f->y);
        put_key(out, "kind");
        zw_text_json(out, f->crossing ? "crossing"
                          : f->flat   ? "flat"
                          : f->canard ? "canard"
                          : f->jump   ? "jump"
                                      : "leaves");
        zw_text_put(out, "}");
    }
    zw_text_printf(out, "], \"more\": %s}", n->more ? "true" : "false");
}

static void put_errors(const zw_manifold *m, zw_text *out, const zw_manifold_errors *e, bool flow) {
    int n = m->result.norder + 1;
    zw_text_printf(out, ",\n \"%s\": {\"points\": %d", flow ? "flow_errors" : "errors", e->npoint);
    put_key(out, "levels");
    zw_text_put(out, "[");
    for (int l = 0; l < e->nlevel; l++) {
        zw_text_put(out, l ? ",\n  {\"eps\": " : "\n  {\"eps\": ");
        zw_text_json_number(out, e->eps[l]);
        if (!flow) {
            put_number(out, "residual", e->residual[l]);
            put_number(out, "change", e->change[l]);
        }
        put_row(out, "error", n, flow ? e->flow[l] : e->manifold[l]);
        zw_text_put(out, "}");
    }
    zw_text_put(out, "]");
    put_row(out, "power", n, flow ? e->flow_slope : e->slope);
    zw_text_put(out, "}");
}

static void put_approach(zw_text *out, const zw_manifold_approach *a) {
    zw_text_put(out, ",\n \"approach\": {\"start\": ");
    zw_text_json_number(out, a->start);
    put_number(out, "end", a->end);
    put_number(out, "rate", a->rate);
    put_number(out, "predicted", a->predicted);
    put_number(out, "until", a->until);
    zw_text_put(out, "}");
}

static void put_canard(const zw_manifold *m, zw_text *out, const zw_manifold_canard *c) {
    double sum = 0;
    zw_text_put(out, "\n  {\"at\": ");
    put_state(m, out, &c->x, &c->y);
    put_key(out, "parameter");
    zw_text_json(out, c->parameter);
    put_key(out, "orders");
    zw_text_put(out, "[");
    for (int k = 0; k <= c->order; k++) {
        double part = zw_expr_number(m->ctx, c->value[k]);
        sum += pow(m->result.eps, k) * part;
        zw_text_put(out, k ? ", " : "");
        zw_text_json_number(out, part);
    }
    zw_text_put(out, "]");
    put_number(out, "value", sum);
    zw_text_put(out, "}");
}

char *zw_manifold_write_numbers(const zw_manifold *m, const zw_manifold_numbers *n) {
    zw_allocator alloc = zw_context_allocator(m->ctx);
    zw_text out;
    zw_text_init(&out, &alloc);
    zw_text_put(&out, "{\"model\": ");
    zw_text_json(&out, m->sys->name);
    put_key(&out, "small");
    zw_text_json(&out, zw_expr_name(m->ctx, m->result.small));
    put_number(&out, "value", m->result.eps);
    put_count(&out, "order", m->result.norder);
    if (n->nature)
        put_nature(m, &out, n->nature);
    if (n->errors)
        put_errors(m, &out, n->errors, false);
    if (n->errors && n->flow)
        put_errors(m, &out, n->errors, true);
    if (n->approach)
        put_approach(&out, n->approach);
    if (n->canard) {
        zw_text_put(&out, ",\n \"canards\": [");
        for (int i = 0; i < n->ncanard; i++) {
            zw_text_put(&out, i ? "," : "");
            put_canard(m, &out, &n->canard[i]);
        }
        zw_text_put(&out, "]");
    }
    zw_text_put(&out, "}\n");
    return zw_text_take(&out);
}

char *zw_split_write(const zw_system *sys, const zw_split_proposal *p) {
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_text out;
    zw_text_init(&out, &alloc);
    zw_text_put(&out, "{\"model\": ");
    zw_text_json(&out, sys->name);
    put_count(&out, "points", p->npoint);
    put_count(&out, "fast_directions", p->nfast);
    put_number(&out, "gap", p->gap);
    put_number(&out, "fast_rate", p->fast_rate);
    put_number(&out, "slow_rate", p->slow_rate);
    put_number(&out, "t", p->at);
    put_key(&out, "attracting");
    zw_text_put(&out, p->attracting ? "true" : "false");
    put_key(&out, "shares");
    zw_text_put(&out, "{");
    for (int i = 0; i < p->nstate; i++) {
        zw_text_put(&out, i ? ", " : "");
        zw_text_json(&out, p->name[i]);
        zw_text_put(&out, ": ");
        zw_text_json_number(&out, p->nfast ? p->share[i] / p->nfast : 0);
    }
    zw_text_put(&out, "}");
    put_key(&out, "small");
    zw_text_put(&out, "[");
    for (int i = 0; i < p->nsmall; i++) {
        zw_text_put(&out, i ? ", " : "");
        zw_text_json(&out, p->small[i]);
    }
    zw_text_put(&out, "]}\n");
    return zw_text_take(&out);
}
