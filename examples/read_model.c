/* SPDX-License-Identifier: MIT */
/* Read a model, run it over a time that is an expression of its parameters, and see whether the
 * named coordinates have come back to where they began:
 *
 *   read_model models/turntable_ball.zw "2*pi*(I + m*r^2)/(I*Omega)" x y
 *
 * Exit code 0 if they have (to a millionth), 1 if not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zwang/zwang.h>

/* the value of an expression of the model's parameters, SI */
static zw_status value_of(zw_system *s, const char *text, const double *p, double *out,
                          zw_error *err) {
    zw_expr e;
    ZW_TRY(zw_model_expression(&e, s, text, err));
    zw_expr *symbols = malloc(sizeof *symbols * (size_t)(s->np + 1));
    if (!symbols)
        return zw_fail(err, ZW_E_MEMORY, "out of memory");
    for (int i = 0; i < s->np; i++)
        symbols[i] = s->param[i].sym;
    *out = zw_eval(s->ctx, e, s->np, symbols, p);
    free(symbols);
    return isfinite(*out) ? ZW_OK : zw_fail(err, ZW_E_DOMAIN, "'%s' is no finite number", text);
}

/* start as the model says, then go to time T; x0 and x1 receive the two states */
static zw_status travel(zw_run *run, const zw_system *s, const double *p, double T, double *x0,
                        double *x1, zw_error *err) {
    size_t nx = (size_t)(s->nq + s->nv);
    zw_said *said = calloc(nx, sizeof *said);
    double *width = calloc(nx, sizeof *width);
    zw_status status = said && width ? zw_system_start_said(s, p, x0, said, width, err)
                                     : zw_fail(err, ZW_E_MEMORY, "out of memory");
    if (status >= 0) /* what the model does not say follows */
        status = zw_run_complete(run, 0, x0, said, width, NULL, err);
    free(said);
    free(width);
    ZW_TRY(status);
    ZW_TRY(zw_run_start(run, 0, x0, err));
    int event;
    do { /* events that the model records are passed by */
        status = zw_run_advance(run, T, &event, err);
    } while (status == ZW_EVENT && zw_run_time(run) < T);
    memcpy(x1, zw_run_state(run), sizeof *x1 * nx);
    return status;
}

static zw_status is_back(const zw_system *s, const char *name, const double *x0, const double *x1,
                         int *wrong, zw_error *err) {
    for (int i = 0; i < s->nq; i++) {
        if (strcmp(s->coord[i].name, name) != 0)
            continue;
        double error = fabs(x1[i] - x0[i]);
        printf("%s: %.9f -> %.9f %s\n", name, x0[i], x1[i], s->coord[i].unit);
        *wrong += !(error <= 1e-6);
        return ZW_OK;
    }
    return zw_fail(err, ZW_E_NAME, "the model has no coordinate '%s'", name);
}

static zw_status work(zw_context *ctx, int argc, char **argv, int *wrong, zw_error *err) {
    zw_system *s;
    zw_equations equations;
    zw_kernel *kernel = NULL;
    zw_run *run = NULL;
    double T = 0;
    ZW_TRY(zw_model_read(&s, ctx, argv[1], NULL, err));
    ZW_TRY(zw_derive(&equations, s, NULL, "lagrange", err));

    size_t nx = (size_t)(s->nq + s->nv);
    double *p = calloc((size_t)s->np + 2 * nx, sizeof *p), *x0 = p + s->np, *x1 = x0 + nx;
    zw_run_options options = zw_run_options_default();
    options.rtol = 1e-10;
    options.atol = 1e-12;
    zw_status status = p ? zw_system_param_values(s, p, err) : ZW_E_MEMORY;
    if (status >= 0)
        status = value_of(s, argv[2], p, &T, err);
    if (status >= 0)
        status = zw_kernel_create(&kernel, &equations, NULL, err);
    if (status >= 0)
        status = zw_run_create(&run, kernel, p, &options, err);
    if (status >= 0)
        status = travel(run, s, p, T, x0, x1, err);
    if (status >= 0)
        printf("%s after %.9f s\n", s->title, zw_run_time(run));
    for (int i = 3; i < argc && status >= 0; i++)
        status = is_back(s, argv[i], x0, x1, wrong, err);
    zw_run_destroy(run);
    zw_kernel_destroy(kernel);
    free(p);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: %s MODEL PERIOD COORDINATE...\n", argv[0]);
        return 1;
    }
    zw_error err = {.status = ZW_OK};
    int wrong = 0;
    zw_context *ctx = zw_context_create(NULL);
    zw_status status = ctx ? work(ctx, argc, argv, &wrong, &err) : ZW_E_MEMORY;
    if (status < 0) {
        char message[2048];
        zw_error_format(&err, message, sizeof message);
        fputs(message, stderr);
    }
    zw_context_destroy(ctx);
    return status < 0 || wrong ? 1 : 0;
}
