/* SPDX-License-Identifier: MIT */
/* A flow: what can be asked of a system at a point, without any motion. A pendulum in Cartesian
 * coordinates, hanging at rest: its small oscillations from the Jacobian on the manifold of its
 * constraint, and how the force in the rod depends on the parameters, both next to their closed
 * forms.
 *
 *   flow            exit code 0 if the numbers are right */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <zwang/zwang.h>

static const char text[] = "model pendulum \"A mass on a rod\"\n"
                           "param m = 2 [kg], l = 50 [cm], g = 9.81 [m/s^2]\n"
                           "coord x, y [m]\n"
                           "particle bob : m at (x, y)\n"
                           "gravity g along -y\n"
                           "constraint rod : sqrt(x^2 + y^2) = l\n"
                           "observe pull = -lambda(rod)\n"
                           "start x = 0 [m], y = -l\n";

enum { NX = 4, NP = 3 };

/* the frequency of y'' = -omega^2 y in the two local coordinates of the manifold */
static zw_status find_frequency(zw_flow *flow, const double *x, double *omega, zw_error *err) {
    double T[NX * NX], D[NX * NX], A[NX * NX];
    int n;
    ZW_TRY(zw_flow_tangent(flow, 0, x, ZW_METRIC_MASS, &n, T, D, err));
    ZW_TRY(zw_flow_local_jacobian(flow, 0, x, n, D, A, err));
    *omega = sqrt(A[0] * A[3] - A[1] * A[2]); /* n = 2: four entries, without trace */
    return ZW_OK;
}

static zw_status compute(zw_context *ctx, bool *right, zw_error *err) {
    zw_system *sys;
    zw_equations eq;
    zw_kernel *kernel = NULL;
    zw_flow *flow = NULL;
    double p[NP], x[NX], pull[3], in_p[3 * NP], omega = 0;
    bool fixed[NX];
    zw_kernel_options options = zw_kernel_options_default();
    options.functions = ZW_FUNCTIONS_RUN | ZW_SET(JAC) | ZW_SET(GRAD) | ZW_SET(JAC_P) |
                        ZW_SET(OBS_JAC) | ZW_SET(OBS_P);
    ZW_TRY(zw_model_parse(&sys, ctx, text, strlen(text), "pendulum", NULL, err));
    ZW_TRY(zw_derive(&eq, sys, NULL, "lagrange", err));
    ZW_TRY(zw_system_param_values(sys, p, err));
    ZW_TRY(zw_system_start_state(sys, p, x, fixed, err));
    zw_status status = zw_kernel_create(&kernel, &eq, &options, err);
    if (status >= 0)
        status = zw_flow_create(&flow, kernel, p, err);
    if (status >= 0)
        status = find_frequency(flow, x, &omega, err);
    if (status >= 0)
        status = zw_flow_observables(flow, 0, x, pull, err);
    if (status >= 0)
        status = zw_flow_observables_in_parameters(flow, 0, x, in_p, err);
    if (status >= 0) {
        double m = p[0], l = p[1], g = p[2];
        printf("small oscillations   %.12f rad/s, sqrt(g/l) = %.12f\n", omega, sqrt(g / l));
        printf("force in the rod     %.12f N, m g = %.12f\n", pull[0], m * g);
        printf("its derivatives      %.12f by m (g), %.12f by l (0), %.12f by g (m)\n", in_p[0],
               in_p[1], in_p[2]);
        *right = fabs(omega - sqrt(g / l)) < 1e-12 && fabs(pull[0] - m * g) < 1e-12 &&
                 fabs(in_p[0] - g) < 1e-12 && fabs(in_p[1]) < 1e-12 && fabs(in_p[2] - m) < 1e-12;
    }
    zw_flow_destroy(flow);
    zw_kernel_destroy(kernel);
    return status;
}

int main(void) {
    zw_error err = {.status = ZW_OK};
    zw_context *ctx = zw_context_create(NULL);
    bool right = false;
    zw_status status =
        ctx ? compute(ctx, &right, &err) : zw_fail(&err, ZW_E_MEMORY, "out of memory");
    if (status < 0) {
        char message[2048];
        zw_error_format(&err, message, sizeof message);
        fputs(message, stderr);
    }
    zw_context_destroy(ctx);
    return status < 0 || !right;
}
