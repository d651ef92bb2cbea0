/* SPDX-License-Identifier: MIT */
/* The balance of energy on every shipped model, every variant and every principle that derives it:
 * at random admissible states, with the accelerations and multipliers that the equations give, the
 * sum of the powers is the rate of T + V, whose terms come from differentiating the energies
 * alone. */
#include "support/mech.h"

#include <dirent.h>
#include <stdlib.h>

#include "claims/structure/states.h"
#include "support/failing_allocator.h"
#include "zwang/model.h"

enum { STATES = 3, SYMBOLS = 600 };

typedef struct point {
    int n;
    zw_expr sym[SYMBOLS];
    double value[SYMBOLS];
} point;

static void set(point *p, zw_expr sym, double value) {
    int i = 0;
    while (i < p->n && p->sym[i] != sym)
        i++;
    assert_true(i < SYMBOLS);
    p->sym[i] = sym;
    p->value[i] = value;
    p->n += i == p->n;
}

static double value(const point *p, const zw_system *s, zw_expr e) {
    return zw_eval(s->ctx, e, p->n, p->sym, p->value);
}

/* the state of the equations at an admissible state of the system; multipliers among the velocities
 * are scattered already */
static void take_state(point *p, const zw_equations *eq, const zw_sample *at) {
    const zw_system *s = eq->sys;
    p->n = 0;
    for (int i = 0; i < at->n; i++)
        set(p, at->sym[i], at->value[i]);
    for (int i = 0; i < eq->nv && eq->from_system; i++)
        set(p, eq->v[i], value(p, s, eq->from_system[i]));
}

/* Gaussian elimination with row exchanges; false if singular (redundant constraints) */
static bool eliminate(int n, double *A) {
    int w = n + 1;
    for (int c = 0; c < n; c++) {
        int best = c;
        double size = 0;
        for (int r = c; r < n; r++)
            if (fabs(A[r * w + c]) > fabs(A[best * w + c]))
                best = r;
        for (int k = 0; k < n; k++)
            size = fmax(size, fabs(A[best * w + k]));
        if (fabs(A[best * w + c]) <= 1e-9 * size)
            return false;
        for (int k = 0; k < w; k++) {
            double kept = A[c * w + k];
            A[c * w + k] = A[best * w + k];
            A[best * w + k] = kept;
        }
        for (int r = 0; r < n; r++) {
            double f = r == c ? 0 : A[r * w + c] / A[c * w + c];
            for (int k = c; f != 0 && k < w; k++)
                A[r * w + k] -= f * A[c * w + k];
        }
    }
    for (int c = 0; c < n; c++)
        A[c * w + n] /= A[c * w + c];
    return true;
}

/* accelerations and multipliers into the point */
static bool solve(point *p, const zw_equations *eq) {
    const zw_system *s = eq->sys;
    int nv = eq->nv, nc = eq->nc, n = nv + nc, w = n + 1;
    double *A = calloc((size_t)(n * w), sizeof *A);
    assert_non_null(A);
    for (int i = 0; i < nv; i++) {
        for (int k = 0; k < nv; k++)
            A[i * w + k] = value(p, s, eq->M[i * nv + k]);
        for (int c = 0; c < nc; c++) {
            A[i * w + nv + c] = -value(p, s, eq->C[i * nc + c]);
            A[(nv + c) * w + i] = value(p, s, eq->W[c * nv + i]);
        }
        A[i * w + n] = value(p, s, eq->h[i]);
    }
    for (int c = 0; c < nc; c++)
        A[(nv + c) * w + n] = value(p, s, eq->b[c]);
    bool regular = eliminate(n, A);
    for (int i = 0; i < n; i++)
        set(p, i < nv ? eq->a[i] : eq->lambda[i - nv], A[i * w + n]);
    free(A);
    return regular;
}

/* d(T + V)/dt by its terms; *scale receives the sum of their sizes */
static double energy_rate(const point *p, const zw_equations *eq, double *scale) {
    const zw_system *s = eq->sys;
    zw_expr E[2] = {eq->T, eq->V};
    double sum = 0;
    *scale = 0;
    for (int j = 0; j < 2; j++)
        for (int i = 0; i <= eq->nq + eq->nv; i++) {
            zw_expr by = i < eq->nq            ? eq->q[i]
                         : i < eq->nq + eq->nv ? eq->v[i - eq->nq]
                                               : s->t,
                    rate = i < eq->nq            ? eq->qdot[i]
                           : i < eq->nq + eq->nv ? eq->a[i - eq->nq]
                                                 : ZW_ONE;
            zw_expr slope = zw_diff(s->ctx, E[j], by);
            double term = slope == ZW_ZERO ? 0 : value(p, s, slope) * value(p, s, rate);
            sum += term;
            *scale += fabs(term);
        }
    return sum;
}

static int checked, drives, workers;

static void check_equations(const zw_equations *eq, const zw_state_set *states, const char *what) {
    const zw_system *s = eq->sys;
    zw_power *power;
    int n;
    zw_error err = {0};
    point *p = calloc(1, sizeof *p);
    assert_non_null(p);
    if (zw_equations_powers(eq, &power, &n, &err) < 0)
        fail_msg("%s by %s: %s", what, eq->principle, err.text);
    for (int k = 0; k < n; k++) {
        drives += power[k].kind == ZW_POWER_DRIVE;
        workers += power[k].kind == ZW_POWER_CONSTRAINT;
        for (int i = 0; i < k; i++)
            assert_string_not_equal(power[i].name, power[k].name);
    }
    for (int i = 0; i < states->n; i++) {
        take_state(p, eq, &states->at[i]);
        if (!solve(p, eq))
            continue; /* redundant constraints: not what is tested here */
        double scale, rate = energy_rate(p, eq, &scale), sum = 0;
        if (isnan(value(p, s, eq->V)))
            continue; /* where the model has no energy: behind the rim of a sphere sqrt(a^2 - x^2) */
        for (int k = 0; k < n; k++) {
            double one = value(p, s, power[k].value);
            sum += one;
            scale += fabs(one);
        }
        checked++;
        if (!(fabs(rate - sum) <= 1e-11 * scale)) {
            print_error("%s by %s: the energy changes by %.15g, the powers are %.15g of %g\n", what,
                        eq->principle, rate, sum, scale);
            for (int k = 0; k < n; k++)
                print_error("   %s: %g\n", power[k].name, value(p, s, power[k].value));
            fail();
        }
    }
    free(p);
}

static void check_text(const char *text, size_t length, const char *name, const char *variant) {
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_equations lagrange, eq;
    zw_state_set states;
    zw_model_options options = {.variant = variant};
    char what[400];
    zw_error err = {0};
    snprintf(what, sizeof what, "%s %s", name, variant ? variant : "");
    if (zw_model_parse(&s, ctx, text, length, name, &options, &err) < 0 ||
        zw_derive(&lagrange, s, NULL, "lagrange", &err) < 0 ||
        zw_states_admissible(&states, &lagrange, NULL, STATES, &err) < 0)
        fail_msg("%s: %s", what, err.text);
    for (const zw_principle *by = zw_principles(); by->name; by++)
        if (zw_derive(&eq, s, NULL, by->name, NULL) >= 0)
            check_equations(&eq, &states, what);
        else
            zw_context_reset_status(ctx);
    zw_context_destroy(ctx);
}

static void check_file(const char *path) {
    FILE *f = fopen(path, "rb");
    static char text[1 << 16];
    assert_non_null(f);
    size_t length = fread(text, 1, sizeof text, f);
    fclose(f);
    const char *const *variants;
    int n;
    zw_context *ctx = zw_context_create(NULL);
    assert_int_equal(zw_model_variants(ctx, text, length, path, &variants, &n, NULL), ZW_OK);
    check_text(text, length, path, NULL);
    for (int i = 0; i < n; i++)
        check_text(text, length, path, variants[i]);
    zw_context_destroy(ctx);
}

static void test_power__balances_every_model(void **state) {
    (void)state;
    char path[512];
    DIR *d = opendir(ZW_SOURCE_DIR "/models");
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d));) {
        size_t n = strlen(e->d_name);
        if (n < 4 || strcmp(e->d_name + n - 3, ".zw") != 0)
            continue;
        snprintf(path, sizeof path, "%s/models/%s", ZW_SOURCE_DIR, e->d_name);
        check_file(path);
    }
    closedir(d);
    assert_true(checked > 300);
    assert_true(workers > 0);
}

/* what no shipped model has: everything that moves by the clock, velocities with a drift,
 * constraints that are not linear or on accelerations, forces with multipliers */
static const char *const odd[] = {
    /* a bead on a wire that is turned, with friction and a force that follows the wire */
    "param m = 2 [kg], Omega = 3 [rad/s], c = 1 [kg/s]\ncoord r [m]\nlet th = Omega*t + 0.1*sin(5 "
    "[rad/s]*t)\n"
    "point B : (r*cos(th), r*sin(th))\nparticle P : m at B\nforce wind at B = c*(1 [m/s], 0, 0) - "
    "c*B'\n"
    "dissipation c*r'^2\ngravity 9.81 [m/s^2] along -y\n",
    /* springs and dampers to a base that shakes */
    "param m = 2 [kg], k = 30 [N/m]\ncoord x, y [m]\nlet u = 0.1 [m]*sin(4 [rad/s]*t)\nparticle P "
    ": m at (x, y)\n"
    "spring s : k, P to (u, 1 [m]), length 0.2 [m]\ndamper d : 1 [kg/s], P to (u, 1 [m])\nforce "
    "(x) = -1 [kg/s]*y'\n"
    "force (x) = 1 [N]\nforce at P = (0, 2 [N])\n",
    /* constraints by the clock, on positions and on velocities, not linear, on accelerations */
    "param m = 2 [kg]\ncoord x, y, z, w [m]\nparticle P : m at (x, y, z)\nkinetic m*w'^2\n"
    "constraint lift : z = 0.3 [m]*cos(2 [rad/s]*t) + x*y*1 [1/m]\n"
    "constraint belt : x' = 0.5 [m/s] + 0.1*y'*cos(t*1 [rad/s])\n"
    "constraint servo : w'' = 0.2*y'' - w*2 [1/s^2]\ngravity 9.81 [m/s^2] along -z\n",
    "param m = 2 [kg], v = 1.5 [m/s]\ncoord x, y, z [m]\nparticle P : m at (x, y, z)\n"
    "constraint speed : x'^2 + y'^2 = v^2 + 0.1*v*z'\nforce pull (y) = 1 [N]\n",
    "param m = 2 [kg]\ncoord x, y, z [m]\nparticle P : m at (x, y, z)\n"
    "constraint cone : x'^2 + y'^2 = z'^2\ngravity 9.81 [m/s^2] along -z\nforce pull (y) = 1 [N]\n",
    /* friction by the pressing force */
    "param m = 2 [kg], mu = 0.2, v0 = 1 [mm/s]\ncoord x, y, z [m]\nparticle P : m at (x, y, z)\n"
    "constraint ramp : z = 0.2*x + 0.1 [m]*sin(t*3 [rad/s])\ngravity 9.81 [m/s^2] along -z\n"
    "force friction (x, y) = -mu*lambda(ramp)*(x', y')/sqrt(x'^2 + y'^2 + v0^2)\n",
    /* quasi-velocities with a drift, in turning axes */
    "param m = 2 [kg], J = 0.1 [kg*m^2], Omega = 2 [rad/s]\ncoord x, y [m], th [rad]\n"
    "quasi u = cos(th + Omega*t)*x' + sin(th + Omega*t)*y' - 0.2 [m/s],\n"
    "      v = -sin(th + Omega*t)*x' + cos(th + Omega*t)*y' + Omega*x, w = th' + Omega\n"
    "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*J*th'^2\npotential 1 [N/m]*x^2\nforce (u) = 1 [N]\nforce "
    "(x) = -1 [kg/s]*x'\n"
    "constraint blade : v = 0.1*u\n",
    /* a free body on a platform that turns, driven by an unnamed torque */
    "param m = 1 [kg], r = 0.1 [m], Omega = 2 [rad/s]\ncoord x, y, z [m]\nbody ball : at (x, y, "
    "z), "
    "inertia(m, m*r^2, 2*m*r^2, 2.5*m*r^2)\nframe table : rotate z Omega*t\n"
    "rolling roll : sphere ball radius r on plane of table\ngravity 9.81 [m/s^2] along -z\n"
    "torque on ball = 0.1 [N*m]*ball.x\n",
    /* energies said as expressions, with a mass that grows and a part linear in the velocities */
    "units none\ncoord x, y\nkinetic (1 + t^2/2)*(x'^2 + 2*y'^2 + x'*y'*cos(x)) + 3*x'*sin(y) + "
    "x*t\n"
    "potential x^2*cos(t) + y^4\n",
};

static void test_power__balances_what_is_driven(void **state) {
    (void)state;
    enum { N = sizeof odd / sizeof *odd };
    drives = workers = 0;
    for (int i = 0; i < N; i++) {
        char text[1200], what[20];
        snprintf(text, sizeof text, "model odd\n%s", odd[i]);
        snprintf(what, sizeof what, "odd model %d", i);
        check_text(text, strlen(text), what, NULL);
    }
    assert_true(drives > 20 && workers > 20);
}

static zw_expr expression(zw_system *s, const char *text) {
    zw_expr e;
    assert_int_equal(zw_model_expression(&e, s, text, NULL), ZW_OK);
    return e;
}

static const zw_power *named(int n, const zw_power *power, const char *name) {
    for (int i = 0; i < n; i++)
        if (strcmp(power[i].name, name) == 0)
            return &power[i];
    fail_msg("there is no power of '%s'", name);
    return NULL;
}

static bool same(zw_system *s, zw_expr e, const char *want) {
    return zw_expand(s->ctx, zw_sub(s->ctx, e, expression(s, want))) == ZW_ZERO;
}

/* closed forms: the motor of a turning rod gives Omega times the rate of the angular momentum; a
 * belt takes its speed times the force on it; forces work on the whole velocity of their point */
static void test_power__is_what_a_wattmeter_reads(void **state) {
    (void)state;
    static const char rod[] = "model rod\nparam m = 2 [kg], Omega = 3 [rad/s]\ncoord r [m]\n"
                              "particle P : m at (r*cos(Omega*t), r*sin(Omega*t))\n"
                              "force push at P = 3 [N]*(-sin(Omega*t), cos(Omega*t))\n";
    static const char belt[] = "model belt\nparam m = 2 [kg], v = 3 [m/s], c = 1 [kg/s]\n"
                               "coord x, y [m]\nparticle P : m at (x, y)\n"
                               "constraint stick : x' = v\nconstraint rail : y = 0\n"
                               "force (x) = -c*x'\nforce (x) = 1 [N]\ndissipation c*y'^2\n";
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_equations eq;
    zw_power *power;
    int n;
    assert_int_equal(zw_model_parse(&s, ctx, rod, sizeof rod - 1, "rod", NULL, NULL), ZW_OK);
    assert_int_equal(zw_derive(&eq, s, NULL, "lagrange", NULL), ZW_OK);
    assert_int_equal(zw_equations_powers(&eq, &power, &n, NULL), ZW_OK);
    assert_int_equal(n, 2);
    assert_true(same(s, named(n, power, "drive")->value, "2*m*r*r'*Omega^2 - 3*r*Omega"));
    assert_int_equal(zw_model_parse(&s, ctx, belt, sizeof belt - 1, "belt", NULL, NULL), ZW_OK);
    assert_int_equal(zw_derive(&eq, s, NULL, "lagrange", NULL), ZW_OK);
    assert_int_equal(zw_equations_powers(&eq, &power, &n, NULL), ZW_OK);
    assert_int_equal(n, 4);
    assert_true(same(s, named(n, power, "stick")->value, "lambda(stick)*v"));
    assert_true(same(s, named(n, power, "force(x)")->value, "-c*x'^2"));
    assert_true(same(s, named(n, power, "force(x).2")->value, "x'"));
    assert_true(same(s, named(n, power, "dissipation")->value, "-2*c*y'^2"));
    assert_int_equal(named(n, power, "stick")->kind, ZW_POWER_CONSTRAINT);
    zw_context_destroy(ctx);
}

static void test_power__survives_failing_memory(void **state) {
    (void)state;
    bool finished = false;
    for (long n = 1; !finished; n++) {
        failing_allocator memory = failing_allocator_make(0);
        zw_allocator alloc = failing_allocator_of(&memory);
        zw_context *ctx = zw_context_create(&alloc);
        char text[1200];
        zw_system *s;
        zw_equations eq;
        zw_power *power;
        int count;
        zw_error err = {0};
        snprintf(text, sizeof text, "model odd\n%s", odd[0]);
        assert_int_equal(zw_model_parse(&s, ctx, text, strlen(text), "odd", NULL, NULL), ZW_OK);
        assert_int_equal(zw_derive(&eq, s, NULL, "maggi", NULL), ZW_OK);
        memory.fail_at = memory.requests + n;
        zw_status status = zw_equations_powers(&eq, &power, &count, &err);
        assert_int_equal(status, memory.failed ? ZW_E_MEMORY : ZW_OK);
        assert_int_equal(count > 0, !memory.failed);
        finished = !memory.failed;
        zw_context_destroy(ctx);
        assert_int_equal(memory.blocks, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_power__balances_every_model),
        cmocka_unit_test(test_power__balances_what_is_driven),
        cmocka_unit_test(test_power__is_what_a_wattmeter_reads),
        cmocka_unit_test(test_power__survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
