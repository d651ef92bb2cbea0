/* SPDX-License-Identifier: MIT */
/* One evaluation of accelerations by generated code and by hand-written C (the least time of many
 * repetitions):
 *
 *   pendulum   six links in the plane, absolute angles, equal masses and lengths as parameters;
 *              M and h from the kinetic energy by differentiation, v' by the solve block
 *   tippedisk  the three-state system of the eccentric disk with smooth friction
 *
 * The hand-written versions are compiled with this file (-O3 -march=native -ffp-contract=off): one
 * sincos per angle, the products of the mass matrix shared, parameters combined beforehand, L D L'
 * in loops that the compiler unrolls (which makes them faster by a quarter than plain loops). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "jit/interp.h"
#include "jit/native.h"
#include "jit/program.h"
#include "jit/solve.h"
#include "pendulum_by_hand.h"

enum { STATES = 64, STATE_MAX = 2 * LINKS, PARAMETERS_MAX = 9, OUT_MAX = 32 };

static void check(zw_status status, const zw_error *err) {
    if (status < 0) {
        fprintf(stderr, "%s\n", err->text[0] ? err->text : zw_status_text(status));
        exit(1);
    }
}

/* ---- the pendulum ---------------------------------------------------------------------------- */

typedef struct pendulum {
    zw_context *ctx;
    zw_expr p[3]; /* m, l, g */
    zw_expr q[LINKS], v[LINKS], M[LINKS * LINKS], h[LINKS];
} pendulum;

/* kinetic and potential energy of link ends at (sum l sin q, -sum l cos q) */
static void pendulum_energies(const pendulum *s, zw_expr *T, zw_expr *V) {
    zw_context *c = s->ctx;
    zw_expr vx = ZW_ZERO, vy = ZW_ZERO, y = ZW_ZERO;
    *T = *V = ZW_ZERO;
    for (int i = 0; i < LINKS; i++) {
        zw_expr sine = zw_mul(c, s->p[1], zw_sin(c, s->q[i]));
        zw_expr cosine = zw_mul(c, s->p[1], zw_cos(c, s->q[i]));
        vx = zw_add(c, vx, zw_mul(c, cosine, s->v[i]));
        vy = zw_add(c, vy, zw_mul(c, sine, s->v[i]));
        y = zw_sub(c, y, cosine);
        zw_expr square = zw_add(c, zw_mul(c, vx, vx), zw_mul(c, vy, vy));
        *T = zw_add(c, *T, zw_mul(c, zw_mul(c, ZW_HALF, s->p[0]), square));
        *V = zw_add(c, *V, zw_mul(c, zw_mul(c, s->p[0], s->p[2]), y));
    }
}

/* d/dt dT/dv - dT/dq = -dV/dq, split into M v' = h */
static void pendulum_derive(pendulum *s) {
    zw_context *c = s->ctx;
    zw_expr T, V, momentum[LINKS], dT[LINKS], dV[LINKS];
    pendulum_energies(s, &T, &V);
    zw_gradient(c, T, LINKS, s->v, momentum);
    zw_gradient(c, T, LINKS, s->q, dT);
    zw_gradient(c, V, LINKS, s->q, dV);
    zw_jacobian(c, LINKS, momentum, LINKS, s->v, s->M);
    for (int i = 0; i < LINKS; i++) {
        zw_expr rate = zw_along(c, momentum[i], LINKS, s->q, s->v);
        s->h[i] = zw_expand(c, zw_sub(c, zw_sub(c, dT[i], dV[i]), rate));
    }
}

static void pendulum_program(zw_program *program, zw_context *ctx) {
    pendulum s = {.ctx = ctx};
    zw_error err = {0};
    static const char *const p[3] = {"m", "l", "g"};
    zw_expr x[2 * LINKS];
    for (int i = 0; i < 3; i++)
        s.p[i] = zw_symbol(ctx, p[i]);
    for (int i = 0; i < LINKS; i++) {
        char name[16];
        snprintf(name, sizeof name, "q%d", i);
        x[i] = s.q[i] = zw_symbol(ctx, name);
        snprintf(name, sizeof name, "q%d'", i);
        x[LINKS + i] = s.v[i] = zw_symbol(ctx, name);
    }
    pendulum_derive(&s);
    check(zw_context_status(ctx, &err), &err);
    check(zw_program_init(program, ctx, &err), &err);
    check(zw_program_input(program, ZW_SPACE_X, 2 * LINKS, x, &err), &err);
    check(zw_program_input(program, ZW_SPACE_P, 3, s.p, &err), &err);
    static zw_value out[ZW_STYLES][LINKS + 1];
    zw_candidate candidate[ZW_STYLES];
    for (zw_style style = 0; style < ZW_STYLES; style++) {
        zw_value M[LINKS * LINKS], h[LINKS];
        candidate[style].v = out[style];
        check(zw_program_lower(program, style, LINKS * LINKS, s.M, M, &err), &err);
        check(zw_program_lower(program, style, LINKS, s.h, h, &err), &err);
        zw_solve system = {.nv = LINKS, .M = M, .h = h, .symmetric = true};
        check(zw_solve_unroll(&program->graph, &program->scratch, &system, out[style], NULL,
                              out[style] + LINKS),
              &err);
        check(zw_program_consider(program, LINKS + 1, &candidate[style], &err), &err);
    }
    check(zw_program_choose(program, "pendulum", LINKS + 1, ZW_STYLES, candidate, &err), &err);
    check(zw_program_finish(program, &err), &err);
}

/* ---- the tippedisk --------------------------------------------------------------------------- */

enum { DISK_A, DISK_B, DISK_M, DISK_R, DISK_E, DISK_G, DISK_MU, DISK_EPS, DISK_OMEGA, DISK_NP };

static zw_expr product3(zw_context *ctx, zw_expr a, zw_expr b, zw_expr c) {
    return zw_mul(ctx, zw_mul(ctx, a, b), c);
}

/* The equations as they are printed: M(x) y' = h + f_g + w_y lambda. */
static void disk_expressions(zw_context *ctx, const zw_expr *x, const zw_expr *p, zw_expr *out) {
    zw_expr sb = zw_sin(ctx, x[0]), cb = zw_cos(ctx, x[0]), sg = zw_sin(ctx, x[1]);
    zw_expr cg = zw_cos(ctx, x[1]), y = x[2], Om = p[DISK_OMEGA], m = p[DISK_M], e = p[DISK_E];
    zw_expr r = zw_add(ctx, p[DISK_R], zw_mul(ctx, e, sg)), three = zw_integer(ctx, 3);
    zw_expr J = zw_add(ctx, product3(ctx, p[DISK_A], cg, cg), product3(ctx, p[DISK_B], sg, sg));
    zw_expr mr2 = product3(ctx, m, r, r), mer = product3(ctx, m, e, r);
    zw_expr M = zw_add(ctx, J, product3(ctx, mr2, cb, cb));
    zw_expr Om2 = zw_mul(ctx, Om, Om), AB = zw_sub(ctx, p[DISK_A], p[DISK_B]);
    zw_expr term[7] = {
        product3(ctx, J, Om2, zw_mul(ctx, sb, cb)),
        zw_mul(ctx, zw_integer(ctx, -2),
               product3(ctx, zw_mul(ctx, AB, Om), zw_mul(ctx, y, cb), zw_mul(ctx, sg, cg))),
        product3(ctx, mr2, zw_mul(ctx, y, y), zw_mul(ctx, sb, cb)),
        product3(ctx, zw_mul(ctx, mer, Om2), zw_mul(ctx, sb, zw_pow(ctx, cb, three)), sg),
        zw_neg(ctx, product3(ctx, zw_mul(ctx, mer, Om),
                             zw_sub(ctx, product3(ctx, three, sb, sb), ZW_TWO),
                             product3(ctx, y, cb, cg))),
        zw_neg(ctx, product3(ctx, zw_mul(ctx, m, p[DISK_G]), r, cb))};
    zw_expr w = zw_mul(ctx, r, sb);
    zw_expr slip =
        zw_sub(ctx, zw_mul(ctx, w, y), product3(ctx, zw_mul(ctx, e, Om), zw_mul(ctx, sb, sb), cg));
    zw_expr size = zw_add(ctx, zw_apply(ctx, ZW_OP_ABS, 1, &slip), p[DISK_EPS]);
    zw_expr force = product3(ctx, p[DISK_MU], zw_mul(ctx, m, p[DISK_G]), zw_div(ctx, slip, size));
    term[6] = zw_neg(ctx, zw_mul(ctx, w, force));
    out[0] = y;
    out[1] = zw_neg(ctx, zw_mul(ctx, Om, cb));
    out[2] = zw_div(ctx, zw_sum(ctx, 7, term), M);
}

static void disk_program(zw_program *program, zw_context *ctx) {
    static const char *const name[DISK_NP] = {"A", "B", "m", "r", "e", "g", "mu", "eps", "Omega"};
    static const char *const state[3] = {"beta", "gamma", "beta'"};
    zw_expr p[DISK_NP], x[3], out[3];
    zw_error err = {0};
    for (int i = 0; i < DISK_NP; i++)
        p[i] = zw_symbol(ctx, name[i]);
    for (int i = 0; i < 3; i++)
        x[i] = zw_symbol(ctx, state[i]);
    disk_expressions(ctx, x, p, out);
    check(zw_context_status(ctx, &err), &err);
    check(zw_program_init(program, ctx, &err), &err);
    check(zw_program_input(program, ZW_SPACE_X, 3, x, &err), &err);
    check(zw_program_input(program, ZW_SPACE_P, DISK_NP, p, &err), &err);
    check(zw_program_function(program, "tippedisk", 3, out, &err), &err);
    check(zw_program_finish(program, &err), &err);
}

static struct { double A, B, r, e, m, mg, me, Om, Om2, AB2Om, eOm, mumg, eps; } disk;

static void disk_prepare(const double *p) {
    disk.A = p[DISK_A], disk.B = p[DISK_B], disk.r = p[DISK_R], disk.e = p[DISK_E];
    disk.m = p[DISK_M], disk.mg = p[DISK_M] * p[DISK_G], disk.me = p[DISK_M] * p[DISK_E];
    disk.Om = p[DISK_OMEGA], disk.Om2 = disk.Om * disk.Om, disk.eps = p[DISK_EPS];
    disk.AB2Om = 2 * (p[DISK_A] - p[DISK_B]) * disk.Om, disk.eOm = p[DISK_E] * disk.Om;
    disk.mumg = p[DISK_MU] * disk.mg;
}

static void disk_by_hand(const double *restrict x, double *restrict out) {
    double sb, cb, sg, cg, y = x[2];
    sincos(x[0], &sb, &cb);
    sincos(x[1], &sg, &cg);
    double r = disk.r + disk.e * sg, J = disk.A * cg * cg + disk.B * sg * sg, mr2 = disk.m * r * r;
    double sbcb = sb * cb, mer = disk.me * r, w = r * sb;
    double M = J + mr2 * cb * cb;
    double h = (J * disk.Om2 + mr2 * y * y) * sbcb - disk.AB2Om * y * cb * sg * cg +
               mer * disk.Om2 * sbcb * cb * cb * sg -
               mer * disk.Om * (3 * sb * sb - 2) * y * cb * cg - disk.mg * r * cb;
    double slip = w * y - disk.eOm * sb * sb * cg;
    out[0] = y;
    out[1] = -disk.Om * cb;
    out[2] = (h - w * disk.mumg * slip / (fabs(slip) + disk.eps)) / M;
}

/* ---- measuring ------------------------------------------------------------------------------- */

typedef struct contest {
    const char *name;
    void (*program)(zw_program *, zw_context *);
    void (*prepare)(const double *p);
    void (*by_hand)(const double *x, double *out);
    int nx, np, nout; /* nout: outputs that both have */
    double p[PARAMETERS_MAX];
} contest;

static double states[STATES][STATE_MAX * 8], cache[8192], work[8192];

/* the same states in every lane but for a small shift, so that lanes differ */
static void make_states(int nx, int lanes) {
    srand(1);
    for (int s = 0; s < STATES; s++)
        for (int i = 0; i < nx; i++) {
            double base = 3.0 * rand() / RAND_MAX - 1.5;
            for (int l = 0; l < lanes; l++)
                states[s][i * lanes + l] = base + 0.001 * l;
        }
}

static double time_func(const zw_func *f, int repeats) {
    double best = 1e300, out[OUT_MAX * 8], t[8] = {0};
    for (int k = 0; k < repeats; k++) {
        double start = bench_now();
        for (int m = 0; m < 16; m++)
            for (int s = 0; s < STATES; s++)
                zw_call(f, &(zw_args){.t = t, .x = states[s], .c = cache}, out, work);
        best = fmin(best, bench_now() - start);
    }
    return best / (16 * STATES) * 1e9;
}

static double time_hand(void (*by_hand)(const double *, double *), int repeats) {
    double best = 1e300, out[OUT_MAX];
    void (*volatile opaque)(const double *, double *) = by_hand; /* called as generated code is */
    for (int k = 0; k < repeats; k++) {
        double start = bench_now();
        for (int m = 0; m < 16; m++)
            for (int s = 0; s < STATES; s++)
                opaque(states[s], out);
        best = fmin(best, bench_now() - start);
    }
    return best / (16 * STATES) * 1e9;
}

/* largest relative difference from the hand-written code */
static double compare_results(const contest *c, const zw_func *f) {
    double worst = 0, t = 0;
    for (int s = 0; s < STATES; s++) {
        double out[OUT_MAX], want[OUT_MAX];
        zw_call(f, &(zw_args){.t = &t, .x = states[s], .c = cache}, out, work);
        c->by_hand(states[s], want);
        for (int i = 0; i < c->nout; i++)
            worst = fmax(worst, fabs(out[i] - want[i]) / fmax(1, fabs(want[i])));
    }
    return worst;
}

static void row(const contest *c, const char *quantity, double value, const char *unit,
                const char *target) {
    bench_row("jit_eval", c->name, quantity, value, unit, target);
}

/* Rows of one number of lanes; *scalar is the native time with one lane, set by that. */
static void run_lanes(const contest *c, zw_program *program, int lanes, double hand,
                      double *scalar) {
    static const char *const interpreted[] = {"interpreter 1 lane", "interpreter 4 lanes",
                                              "interpreter 8 lanes"};
    static const char *const native_time[] = {"native 1 lane", "native 4 lanes", "native 8 lanes"};
    static const char *const compile_time[] = {"compiling 1 lane", "compiling 4 lanes",
                                               "compiling 8 lanes"};
    int which = lanes / 4;
    zw_arena arena;
    zw_allocator alloc = zw_allocator_default();
    zw_error err = {0};
    zw_native *native;
    zw_func f, prepare;
    const zw_native_job job[2] = {{&program->code[0], &f, true},
                                  {&program->prepare, &prepare, false}};
    double p[PARAMETERS_MAX * 8];
    zw_arena_init(&arena, NULL);
    for (int i = 0; i < c->np * lanes; i++)
        p[i] = c->p[i / lanes];
    make_states(c->nx, lanes);
    for (int i = 0; i < 2; i++)
        check(zw_interp_func(job[i].func, job[i].code, lanes, NULL, &arena), &err);
    zw_call(&prepare, &(zw_args){.p = p}, cache, work);
    row(c, interpreted[which], time_func(&f, 50), "ns", "");
    double start = bench_now();
    check(zw_native_create(&native, 2, job, lanes, &alloc, &err), &err);
    row(c, compile_time[which], (bench_now() - start) * 1e3, "ms", "");
    double compiled = time_func(&f, 400);
    row(c, native_time[which], compiled, "ns", "");
    if (lanes == 1) {
        *scalar = compiled;
        row(c, "native / by hand", compiled / hand, "1", "<= 1.1");
        row(c, "difference from by hand", compare_results(c, &f), "1", "<= 1e-12");
    } else {
        row(c, lanes == 4 ? "throughput of 4 lanes" : "throughput of 8 lanes",
            *scalar * lanes / compiled, "x 1 lane", lanes == 8 ? ">= 4" : "");
    }
    zw_native_destroy(native);
    zw_arena_clear(&arena);
}

static void run_contest(const contest *c) {
    zw_context *ctx = zw_context_create(NULL);
    zw_program program;
    double start = bench_now(), scalar = 0;
    c->program(&program, ctx);
    row(c, "deriving and lowering", (bench_now() - start) * 1e3, "ms", "");
    row(c, "operations", program.code[0].nops, "1", "");
    row(c, "operations in prepare", program.prepare.nops, "1", "");
    c->prepare(c->p);
    make_states(c->nx, 1);
    double hand = time_hand(c->by_hand, 400);
    row(c, "by hand", hand, "ns", "");
    for (int lanes = 1; lanes <= 8; lanes += lanes == 1 ? 3 : 4)
        run_lanes(c, &program, lanes, hand, &scalar);
    zw_program_clear(&program);
    zw_context_destroy(ctx);
}

int main(void) {
    static const contest contests[] = {
        {"pendulum",
         pendulum_program,
         pendulum_prepare,
         pendulum_by_hand,
         2 * LINKS,
         3,
         LINKS,
         {0.7, 0.4, 9.81}},
        {"tippedisk",
         disk_program,
         disk_prepare,
         disk_by_hand,
         3,
         DISK_NP,
         3,
         {0.249e-3, 0.224e-3, 0.435, 0.045, 0.0025, 9.81, 0.3, 0.1, 40}},
    };
    zw_error err = {0};
    zw_allocator alloc = zw_allocator_default();
    zw_native *native;
    double start = bench_now();
    check(zw_native_create(&native, 0, NULL, 1, &alloc, &err), &err);
    bench_row("jit_eval", "LLVM", "loading", (bench_now() - start) * 1e3, "ms", "");
    zw_native_destroy(native);
    for (size_t i = 0; i < sizeof contests / sizeof *contests; i++)
        run_contest(&contests[i]);
    return 0;
}
