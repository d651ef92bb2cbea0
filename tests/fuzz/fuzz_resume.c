/* SPDX-License-Identifier: MIT */
/* The result of a run of one of a few models, its notes and numbers damaged by the bytes: a run
 * that continues it ends, or is rejected with words. Undamaged it continues. */
#include "fuzz.h"

static const char *const model[] = {
    "model swing \"with events\"\nparam l = 1 [m], g = 9.81 [m/s^2]\ncoord phi [rad]\n"
    "particle P : 1 [kg] at (l*sin(phi), -l*cos(phi))\ngravity g along -y\nstart phi = 0.5\n"
    "observe h = l*cos(phi)\nevent low : phi rising record\nevent tick : every 0.1 [s], record\n",
    "model skate \"with a switch\"\nparam a = 0.1 [m]\ncoord x, y [m], th [rad]\n"
    "kinetic 1/2*1[kg]*(x'^2 + y'^2) + 1/2*0.1[kg*m^2]*th'^2\n"
    "input F = table (0, 0), (1 [s], 1 [N]), (2 [s], 0)\nforce push (x) = F\n"
    "constraint edge : -sin(th)*x' + cos(th)*y' = a*th'\nconstraint rail off : y = 0\n"
    "start x' = 1 [m/s], th' = 1 [rad/s]\n",
    "model ball \"on the ground\"\nparam e = 0.5\ncoord x, y [m]\nparticle b : 1 [kg] at (x, y)\n"
    "gravity 9.81 [m/s^2] along -y\n"
    "contact ground : gap y, law newton(e)\n"
    "start x' = 1 [m/s], y = 0.1 [m]\n",
};
enum { MODELS = sizeof model / sizeof *model, DAMAGES = 4 };

static zw_table *result[MODELS]; /* NULL: not made yet */

/* in memory of its own: that of contexts is counted */
static zw_table *copy(const zw_table *t) {
    zw_table *c = zw_table_create(NULL);
    zw_error err = {0};
    if (!c)
        abort();
    for (int j = 0; j < zw_table_columns(t); j++)
        if (zw_table_column(c, zw_table_name(t, j), zw_table_unit(t, j)) < 0)
            abort();
    for (int i = 0; i < zw_table_notes(t); i++)
        if (zw_table_note(c, zw_table_note_key(t, i), zw_table_note_value(t, i)) < 0)
            abort();
    if (zw_table_append(c, t, &err) < 0)
        abort();
    return c;
}

static zw_sim_options few_steps(double until) {
    zw_sim_options o = zw_sim_options_default();
    o.until = until;
    o.step_out = 0.05;
    o.memory_max = 16e6;
    o.jit = ZW_JIT_NEVER;
    o.run.steps_max = 60;
    return o;
}

static void make(int i) {
    zw_context *ctx = fuzz_context();
    zw_system *sys = fuzz_model(ctx, model[i]);
    const zw_model_source source = {
        .text = model[i], .length = strlen(model[i]), .file = "fuzz.zw"};
    zw_sim_options o = few_steps(0.3);
    zw_sim *sim;
    zw_error err = {0};
    if (zw_sim_create(&sim, sys, &source, &o, &err) < 0 || zw_sim_run(sim, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    result[i] = copy(zw_sim_rows(sim));
    zw_sim_destroy(sim);
    fuzz_close(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_bytes b = fuzz_decisions(data, size);
    zw_sim_options o = few_steps(0.5), noted;
    zw_error err = {0};
    zw_sim *sim = NULL;
    int i = (int)fuzz_pick(&b, MODELS);
    if (!result[i])
        make(i);
    zw_table *t = copy(result[i]);
    unsigned damages = fuzz_pick(&b, DAMAGES + 1);
    for (unsigned n = damages; n > 0; n--)
        fuzz_damage_table(t, &b);
    zw_context *ctx = fuzz_context();
    fuzz_well(zw_sim_options_of(&noted, t, &err), &err);
    err = (zw_error){0};
    bool well = fuzz_well(zw_sim_resume(&sim, ctx, t, NULL, &o, &err), &err) &&
                fuzz_well(zw_sim_run(sim, &err), &err);
    if (!well && !damages)
        abort();
    zw_sim_destroy(sim);
    zw_table_destroy(t);
    fuzz_close(ctx);
    return 0;
}
