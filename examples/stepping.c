/* SPDX-License-Identifier: MIT */
/* A control loop around a model: a pole on a cart is kept upright.
 *
 * A hundred times a second the controller reads the state, computes the force on the cart and holds
 * it until the next reading. Before the loop it looks ahead: what happens without a force is tried on
 * a saved state, which is then restored. The loop must bring the pole back, and two loops from the
 * same saved state must end with the same bits. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <zwang/zwang.h>

static const char MODEL[] = "model cart_pole\n"
                            "param M = 1 [kg], m = 0.1 [kg], l = 0.5 [m], g = 9.81 [m/s^2]\n"
                            "coord s [m], phi [rad]\n"
                            "particle cart : M at (s, 0)\n"
                            "particle pole : m at (s + l*sin(phi), l*cos(phi))\n"
                            "potential m*g*l*cos(phi)\n"
                            "input u = signal [N]\n"
                            "force motor (s) = u\n"
                            "event falls : phi - 60 [deg] rising stop\n"
                            "start s = 0, phi = 10 [deg], s' = 0, phi' = 0\n";

/* a hundred readings a second for five seconds */
static zw_status control(zw_drive *plant, double *x, zw_error *err) {
    double begin = zw_drive_time(plant);
    for (int k = 1; k <= 500; k++) {
        ZW_TRY(zw_drive_state(plant, x, err));
        double u = 2 * x[0] + 40 * x[1] + 3 * x[2] + 8 * x[3];
        ZW_TRY(zw_drive_change(plant, zw_drive_time(plant), NULL, &u, err));
        ZW_TRY(zw_drive_to(plant, begin + 0.01 * k, err));
    }
    return zw_drive_state(plant, x, err);
}

static zw_status work(zw_drive *plant, int *wrong, zw_error *err) {
    double x[4], again[4], t = 0;
    zw_drive_saved *start;
    ZW_TRY(zw_drive_save(plant, &start, err));
    zw_status status = zw_drive_to(plant, 5, err);
    if (status != ZW_EVENT) {
        *wrong = 1;
        return status;
    }
    const char *event = zw_drive_event(plant, 0, &t);
    printf("without control: event %s at t = %.3f s\n", event, t);
    ZW_TRY(zw_drive_restore(plant, start, err));
    ZW_TRY(control(plant, x, err));
    ZW_TRY(zw_drive_restore(plant, start, err));
    ZW_TRY(control(plant, again, err));
    printf("with control: s = %.4f m, phi = %.4f rad after 5 s\n", x[0], x[1]);
    *wrong = !(fabs(x[0]) < 0.05 && fabs(x[1]) < 0.01) || memcmp(x, again, sizeof x) != 0;
    return ZW_OK;
}

int main(void) {
    zw_error err = {.status = ZW_OK};
    zw_context *ctx = zw_context_create(NULL);
    zw_system *system;
    zw_drive *plant = NULL;
    int wrong = 0;
    zw_status status =
        ctx ? zw_model_parse(&system, ctx, MODEL, strlen(MODEL), "cart_pole.zw", NULL, &err)
            : zw_fail(&err, ZW_E_MEMORY, "out of memory");
    if (status >= 0)
        status = zw_drive_create(&plant, system, NULL, NULL, &err);
    if (status >= 0)
        status = work(plant, &wrong, &err);
    if (status < 0) {
        char message[2048];
        zw_error_format(&err, message, sizeof message);
        fputs(message, stderr);
    }
    zw_drive_destroy(plant);
    zw_context_destroy(ctx);
    return status < 0 || wrong ? 1 : 0;
}
