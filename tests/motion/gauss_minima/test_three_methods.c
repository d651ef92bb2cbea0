/* SPDX-License-Identifier: MIT */
/* One motion, three ways to it that share nothing but the equations: the Gaussian over a period is
 * minimised, harmonics are balanced, the motion is integrated until it closes (shooting). Systems
 * of one to eight degrees of freedom, smooth and with kinks, with constraints of positions and of
 * velocities. */
#include <math.h>

#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

typedef struct known {
    const char *model, *set, *without;
    int harmonics;
    bool odd;
    int starts;       /* of the minimisation beside rest */
    double tolerance; /* of rms, relative to the largest one */
} known;

static const known systems[] = {
    {.model = MODEL("duffing"), .harmonics = 21, .odd = true, .tolerance = 1e-8},
    {MODEL("duffing"), "Omega=1.8 [rad/s]", NULL, 21, true, 10, 1e-8},
    {MODEL("duffing"), "k_nl=0 [N/m^3]", NULL, 1, false, 0, 1e-10},
    /* a kink: series converge like a power */
    {.model = MODEL("piecewise_linear"), .harmonics = 40, .tolerance = 3e-6},
    {.model = MODEL("pendulum_polar"), .harmonics = 21, .tolerance = 1e-8},
    {.model = MODEL("pendulum_cartesian"), .harmonics = 21, .tolerance = 1e-8},
    {.model = MODEL("pendulum_pushed"), .harmonics = 15, .tolerance = 1e-8},
    {.model = MODEL("pendulum_pushed_polar"), .harmonics = 15, .tolerance = 1e-8},
    {.model = MODEL("absorber_planar"), .harmonics = 13, .tolerance = 1e-8},
    {.model = MODEL("bar"), .harmonics = 1, .odd = true, .tolerance = 1e-9},
    {.model = MODEL("wall_oscillator"), .without = "wall", .harmonics = 1, .tolerance = 1e-9},
    /* three masses in a row, springs that harden */
    {.model = "model row\nunits none\nparam W = 1.1\ncoord x, y, z\n"
              "kinetic 1/2*(x'^2 + y'^2 + z'^2)\n"
              "potential 1/2*(x^2 + (y - x)^2 + (z - y)^2) + 1/4*((y - x)^4 + z^4)\n"
              "dissipation 0.15*(x'^2 + y'^2 + z'^2)\nforce drive (x) = cos(W*t)\n",
     .harmonics = 15,
     .tolerance = 1e-8},
    /* gyroscopic, with a drive that turns, and gravity: a mean */
    {.model = "model rotor\nunits none\nparam W = 1.7, G = 0.8\ncoord x, y\n"
              "kinetic 1/2*(x'^2 + y'^2) + G*(x*y' - y*x')\n"
              "potential x^2 + 1.2*y^2 + 0.1*(x^2 + y^2)^2 + 0.3*y\ndissipation 0.1*(x'^2 + y'^2)\n"
              "force drive (x, y) = (0.5*cos(W*t), 0.5*sin(W*t))\n",
     .harmonics = 15,
     .tolerance = 1e-8},
    /* driven by its stiffness as well: even and odd harmonics */
    {.model = "model swing\nunits none\nparam W = 2.3\ncoord x\nkinetic 1/2*x'^2\n"
              "potential 1/2*(1 + 0.3*cos(W*t))*x^2 + 1/4*x^4\ndissipation 0.1*x'^2\n"
              "force drive (x) = 0.4*sin(W*t) + 0.2\n",
     .harmonics = 21,
     .tolerance = 1e-8},
    /* a mass that depends on the position, and friction that does too */
    {.model =
         "model crank\nunits none\nparam W = 0.9\ncoord u\nkinetic 1/2*(1 + 0.5*sin(u)^2)*u'^2\n"
         "potential 1 - cos(u)\nforce drive (u) = 0.3*cos(W*t) - 0.2*u'*(1 + u^2)\n",
     .harmonics = 21,
     .tolerance = 1e-8},
    /* the spherical pendulum under a force along one axis and a spring beside it: one constraint,
     * three coordinates */
    {.model =
         "model ball\nunits none\nparam W = 2\ncoord x, y, z\nkinetic 1/2*(x'^2 + y'^2 + z'^2)\n"
         "potential 9.8*z + 1/2*(y - 0.1)^2\ndissipation 0.2*(x'^2 + y'^2 + z'^2)\n"
         "constraint string : x^2 + y^2 + z^2 = 1\nforce drive (x) = 1.5*cos(W*t)\n"
         "start x = 0, y = 0, z = -1\n",
     .harmonics = 15,
     .tolerance = 1e-8},
    /* a skate that is turned and pushed about its place: a constraint of velocities */
    {.model = "model skate\nunits none\nparam W = 3\ncoord x, y, a\nkinetic 1/2*(x'^2 + y'^2) + "
              "0.1*a'^2\n"
              "potential x^2 + y^2 + a^2\ndissipation 0.3*(x'^2 + y'^2) + 0.05*a'^2\n"
              "constraint edge : x'*sin(a) - y'*cos(a) = 0\n"
              "force drive (x, y, a) = (cos(W*t), 0, 0.4*sin(W*t))\n",
     .harmonics = 15,
     .tolerance = 1e-7},
};

typedef struct study {
    zw_context *ctx;
    zw_system *sys;
    zw_forced *f;
    zw_error err;
} study;

static void open_study(study *s, const known *k) {
    zw_model_options model = {.size = sizeof model,
                              .nset = k->set ? 1 : 0,
                              .set = &k->set,
                              .nwithout = k->without ? 1 : 0,
                              .without = &k->without};
    zw_forced_options o = zw_forced_options_default();
    *s = (study){.ctx = zw_context_create(NULL)};
    o.odd = k->odd;
    o.tolerance = 1e-10;
    zw_status status =
        k->model[0] == '/'
            ? zw_model_read(&s->sys, s->ctx, k->model, &model, &s->err)
            : zw_model_parse(&s->sys, s->ctx, k->model, strlen(k->model), "test", &model, &s->err);
    if (status < 0 || zw_forced_create(&s->f, s->sys, &o, &s->err) < 0)
        fail_msg("%.60s: %s", k->model, s->err.text);
}

/* the minimum that is a motion and nearest to that of the balance */
static void check_gauss(study *s, const known *k, const zw_forced_motion *m, double size) {
    zw_forced_gauss_options o = zw_forced_gauss_options_default();
    zw_forced_gauss *g;
    double least = INFINITY;
    o.harmonics = k->harmonics;
    o.starts = k->starts;
    if (zw_forced_gauss_create(&g, s->f, &o, &s->err) < 0 ||
        zw_forced_gauss_find(g, NAN, &s->err) < 0)
        fail_msg("%.60s: %s", k->model, s->err.text);
    for (int i = 0; i < zw_forced_gauss_minima(g); i++) {
        double far = 0;
        if (zw_forced_gauss_minimum(g, i)->verdict != ZW_GAUSS_MOTION)
            continue;
        for (int q = 0; q < s->sys->nq; q++)
            far = fmax(far, fabs(zw_forced_gauss_rms(g, i, q) - m->measure[q].rms));
        least = fmin(least, far);
    }
    if (!(least <= k->tolerance * size))
        fail_msg("%.60s: Gauss differs by %.1e of %.3g", k->model, least, size);
    zw_forced_gauss_destroy(g);
}

/* in a study of its own, from the start of the model */
static void check_shooting(const known *k, const zw_forced_motion *m, double size) {
    study s;
    open_study(&s, k);
    if (zw_forced_shoot(s.f, NAN, 1, k->starts, NULL, &s.err) < 0)
        fail_msg("%.60s: %s", k->model, s.err.text);
    const zw_forced_motion *shot = NULL;
    double least = INFINITY;
    for (int i = 0; i < zw_forced_motions(s.f); i++) {
        const zw_forced_motion *one = zw_forced_motion_at(s.f, i);
        double far = 0;
        for (int q = 0; q < s.sys->nq; q++)
            far = fmax(far, fabs(one->measure[q].rms - m->measure[q].rms));
        shot = far < least ? one : shot;
        least = fmin(least, far);
    }
    if (!(least <= k->tolerance * size))
        fail_msg("%.60s: shooting differs by %.1e of %.3g", k->model, least, size);
    assert_true(shot->residual < 1e-9);
    /* multipliers, where the motion is smooth */
    for (int i = 0; i < shot->nmultiplier && k->tolerance < 1e-6; i++) {
        double off = INFINITY;
        for (int j = 0; j < m->nmultiplier; j++)
            off = fmin(off, hypot(shot->re[i] - m->re[j], shot->im[i] - m->im[j]));
        assert_true(off < 1e-6);
    }
    zw_forced_destroy(s.f);
    zw_context_destroy(s.ctx);
}

static void test_three_methods__find_one_motion(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        const known *k = &systems[i];
        study s;
        double size = 0;
        open_study(&s, k);
        if (zw_forced_find(s.f, NAN, NULL, &s.err) < 0)
            fail_msg("%.60s: %s", k->model, s.err.text);
        const zw_forced_motion *m = zw_forced_motion_at(s.f, 0);
        for (int q = 0; q < s.sys->nq; q++)
            size = fmax(size, m->measure[q].rms);
        check_shooting(k, m, size);
        check_gauss(&s, k, zw_forced_motion_at(s.f, 0), size);
        zw_forced_destroy(s.f);
        zw_context_destroy(s.ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_three_methods__find_one_motion)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
