/* SPDX-License-Identifier: MIT */
/* A simulation from C: a bowling ball that slides and then rolls.
 *
 * It starts with the speed v without turning. Friction mu m g slows it down and turns it, until the
 * point of contact rests; then the event of the model switches the rolling constraint on:
 *
 *   t = 2 v / (7 mu g),    speed 5/7 v,    energy lost to friction: 2/7 of m v^2/2
 *
 * All three are checked. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <zwang/zwang.h>

static const char MODEL[] = "model bowling\n"
                            "param m = 6 [kg], r = 0.108 [m], mu = 0.2, g = 9.81 [m/s^2]\n"
                            "param v = 7 [m/s], sliding = 1\n"
                            "coord x [m], phi [rad]\n"
                            "particle ball : m at (x, 0)\n"
                            "kinetic 1/2*(2/5*m*r^2)*phi'^2\n"
                            "force friction (x, phi) = sliding*mu*m*g*(-1, r)\n"
                            "constraint roll off : x' = r*phi'\n"
                            "event grip : x' - r*phi' falling, switch on roll, set sliding = 0\n"
                            "start x' = v\n";

static double last(const zw_table *t, const char *column) {
    return zw_table_at(t, zw_table_rows(t) - 1, zw_table_find(t, column));
}

static int compare(const char *what, double value, double exact, const char *unit) {
    double error = fabs(value - exact) / fabs(exact);
    printf("%-24s %.10f %s, closed form %.10f %s, relative difference %.1e\n", what, value, unit,
           exact, unit, error);
    return error <= 1e-8 ? 0 : 1;
}

static int check(const zw_sim *sim) {
    const zw_table *rows = zw_sim_rows(sim), *events = zw_sim_events(sim);
    double v = 7, energy = 6 * v * v / 2;
    if (zw_table_rows(events) != 1)
        return 1;
    return compare("rolling begins", last(events, "t"), 2 * v / (7 * 0.2 * 9.81), "s") +
           compare("speed at the end", last(rows, "x'"), 5 * v / 7, "m/s") +
           compare("work of friction", last(rows, "work(friction)"), -2 * energy / 7, "J");
}

static zw_status work(zw_context *ctx, int *wrong, zw_error *err) {
    zw_system *system;
    zw_sim *sim;
    zw_model_source source = {.text = MODEL, .length = strlen(MODEL), .file = "bowling.zw"};
    zw_sim_options options = zw_sim_options_default();
    options.until = 2;
    options.energy = true;
    options.run.rtol = 1e-11;
    options.run.atol = 1e-13;
    ZW_TRY(zw_model_parse(&system, ctx, MODEL, source.length, source.file, NULL, err));
    ZW_TRY(zw_sim_create(&sim, system, &source, &options, err));
    zw_status status = zw_sim_run(sim, err);
    *wrong = status < 0 ? 1 : check(sim);
    zw_sim_destroy(sim);
    return status;
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
