/* SPDX-License-Identifier: MIT */
/* A pendulum built, derived and run from C, in Cartesian coordinates with the rod as a constraint.
 *
 *   L = m (x'^2 + y'^2)/2 - m g y,    x^2 + y^2 - l^2 = 0
 *
 * Released at rest from the angle a, it passes the lowest point after a quarter of its period
 *
 *   T = 2 pi sqrt(l/g) / agm(1, cos(a/2))              agm: arithmetic-geometric mean
 *
 * and there the rod pulls with the force m g (3 - 2 cos a). Both are checked. */
#include <math.h>
#include <stdio.h>

#include <zwang/zwang.h>

static const double PI = 3.14159265358979323846;
static const double MASS = 0.5, LENGTH = 0.8, GRAVITY = 9.81, RELEASE = 2.0; /* kg, m, m/s^2, rad */

/* what the user of the language would write in seven lines */
static zw_status build(zw_system **out, zw_context *ctx, zw_error *err) {
    const zw_place nowhere = {NULL, 0, 0};
    zw_system *s;
    zw_expr m, l, g, x, y;
    ZW_TRY(zw_system_create(&s, ctx, "pendulum", "Pendulum in Cartesian coordinates", err));
    ZW_TRY(zw_system_param(s, "m", "kg", zw_real(ctx, MASS), nowhere, &m, err));
    ZW_TRY(zw_system_param(s, "l", "m", zw_real(ctx, LENGTH), nowhere, &l, err));
    ZW_TRY(zw_system_param(s, "g", "m/s^2", zw_real(ctx, GRAVITY), nowhere, &g, err));
    ZW_TRY(zw_system_coord(s, "x", "m", nowhere, &x, err));
    ZW_TRY(zw_system_coord(s, "y", "m", nowhere, &y, err));

    const zw_expr position[3] = {x, y, ZW_ZERO};
    const zw_expr down[3] = {ZW_ZERO, zw_neg(ctx, g), ZW_ZERO};
    ZW_TRY(zw_system_particle(s, "bob", m, position, nowhere, err));
    ZW_TRY(zw_system_gravity(s, down, nowhere, err));

    zw_expr distance2 = zw_dot(ctx, 2, position, position);
    zw_expr rod = zw_sub(ctx, distance2, zw_mul(ctx, l, l));
    ZW_TRY(zw_system_constraint(s, "rod", rod, "m^2", true, nowhere, err));
    ZW_TRY(zw_system_event(s, "lowest point", x, -1, true, nowhere, err));
    ZW_TRY(zw_system_finish(s, err));
    *out = s;
    return ZW_OK;
}

/* print the equations M v' = h + W' lambda, W v' = b */
static void show(const zw_context *ctx, const zw_equations *eq) {
    for (int i = 0; i < eq->nv; i++) {
        char *mass = zw_print(ctx, eq->M[i * eq->nv + i], ZW_TEXT);
        char *rate = zw_print(ctx, eq->a[i], ZW_TEXT);
        char *bias = zw_print(ctx, eq->h[i], ZW_TEXT);
        char *row = zw_print(ctx, eq->W[i], ZW_TEXT);
        if (mass && rate && bias && row)
            printf("  %s %s = %s + (%s) lambda\n", mass, rate, bias, row);
        zw_string_free(ctx, mass);
        zw_string_free(ctx, rate);
        zw_string_free(ctx, bias);
        zw_string_free(ctx, row);
    }
}

/* run to the first passage of the lowest point; *t and *tension there */
static zw_status swing(zw_kernel *kernel, const double *p, double *t, double *tension,
                       zw_error *err) {
    zw_run *run;
    zw_run_options options = zw_run_options_default();
    options.rtol = 1e-10;
    options.atol = 1e-12;
    ZW_TRY(zw_run_create(&run, kernel, p, &options, err));

    const double start[4] = {LENGTH * sin(RELEASE), -LENGTH * cos(RELEASE), 0, 0};
    zw_status status = zw_run_start(run, 0, start, err);
    for (int row = 1; status == ZW_OK && row <= 100; row++) {
        const double *x = zw_run_state(run);
        printf("  %6.3f  %9.5f  %9.5f\n", zw_run_time(run), x[0], x[1]);
        int event;
        status = zw_run_advance(run, 0.1 * row, &event, err);
    }
    *t = zw_run_time(run);
    const double *x = zw_run_state(run), *z = zw_run_accel(run);
    *tension = 2 * hypot(x[0], x[1]) * fabs(z[2]); /* |W' lambda|, W = (2x, 2y) */
    zw_run_destroy(run);
    return status;
}

static double agm(double a, double b) {
    while (fabs(a - b) > 1e-15 * a) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return a;
}

static int compare(const char *what, double value, double exact, const char *unit) {
    double error = fabs(value - exact) / exact;
    printf("%-22s %.10f %s, closed form %.10f %s, relative difference %.1e\n", what, value, unit,
           exact, unit, error);
    return error <= 1e-7 ? 0 : 1;
}

static zw_status work(zw_context *ctx, int *wrong, zw_error *err) {
    zw_system *system;
    zw_equations equations;
    zw_kernel *kernel;
    double p[3], t = 0, tension = 0;
    ZW_TRY(build(&system, ctx, err));
    ZW_TRY(zw_derive(&equations, system, NULL, "lagrange", err));
    puts("equations");
    show(ctx, &equations);
    ZW_TRY(zw_system_param_values(system, p, err));
    ZW_TRY(zw_kernel_create(&kernel, &equations, NULL, err));
    puts("motion: t [s], x [m], y [m]");
    zw_status status = swing(kernel, p, &t, &tension, err);
    zw_kernel_destroy(kernel);
    if (status < 0)
        return status;
    if (status != ZW_EVENT)
        return zw_fail(err, ZW_E_NUMERIC, "the pendulum did not pass its lowest point in 10 s");
    *wrong =
        compare("period", 4 * t, 2 * PI * sqrt(LENGTH / GRAVITY) / agm(1, cos(RELEASE / 2)), "s");
    *wrong +=
        compare("tension at the bottom", tension, MASS * GRAVITY * (3 - 2 * cos(RELEASE)), "N");
    return ZW_OK;
}

int main(void) {
    zw_error err = {.status = ZW_OK};
    int wrong = 0;
    zw_context *ctx = zw_context_create(NULL);
    zw_status status = ctx ? work(ctx, &wrong, &err) : zw_fail(&err, ZW_E_MEMORY, "no memory");
    if (status < 0) {
        char message[1024];
        zw_error_format(&err, message, sizeof message);
        fputs(message, stderr);
    }
    zw_context_destroy(ctx);
    return status < 0 || wrong ? 1 : 0;
}
