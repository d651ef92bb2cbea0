/* SPDX-License-Identifier: MIT */
#include "sample.h"

#include <math.h>

#include "base/random.h"

enum { SEED = 1 };

zw_status zw_sample_init(zw_sample *out, const zw_system *s, zw_error *err) {
    int time = s->np + s->nq + s->nv;
    out->n = time + 1 + s->nsignal;
    out->sym = ZW_SCRATCH_NEW(s->ctx, zw_expr, out->n);
    out->value = ZW_SCRATCH_NEW(s->ctx, double, out->n);
    if (!out->sym || !out->value)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < s->np; i++)
        out->sym[i] = s->param[i].sym;
    zw_mech_symbols(s, out->sym + s->np, out->sym + s->np + s->nq, NULL);
    out->sym[time] = s->t;
    for (int i = 0; i < s->nsignal; i++)
        out->sym[time + 1 + i] = s->signal[i].sym;
    return zw_system_param_values(s, out->value, err);
}

/* a quaternion of another length is not a rotation, and statements about rotations may fail for
 * it */
static void normalise_quaternion(double e[4]) {
    double length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    for (int i = 0; i < 4; i++)
        e[i] /= length;
}

void zw_sample_scatter(zw_sample *p, const zw_system *s, unsigned attempt) {
    zw_random random = zw_random_stream(SEED, attempt);
    for (int i = s->np; i < p->n; i++)
        p->value[i] = zw_random_real(&random, 0.1, 1.1);
    for (int f = 0; f < s->nframe; f++)
        if (s->frame[f].quaternion >= 0)
            normalise_quaternion(p->value + s->np + s->frame[f].quaternion);
}

double zw_sample_value(const zw_sample *p, const zw_system *s, zw_expr e) {
    return zw_eval(s->ctx, e, p->n, p->sym, p->value);
}
