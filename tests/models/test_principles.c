/* SPDX-License-Identifier: MIT */
/* Every principle gives the same accelerations, each derived its own way: on random admissible
 * states of the shipped models and of random synthetic systems. The vakonomic one must agree
 * exactly on holonomic systems. */
#include <stdlib.h>

#include "support/test.h"
#include "zwang/zwang.h"

enum { MAX = 48, STATES = 5 };

/* accelerations of the system by an equation set at (t, q, v), by Gaussian elimination with
 * complete pivoting; dependent constraint rows (gauss) are left out */
static bool solve_dense(int n, double *A, double *z) {
    int column[MAX];
    for (int i = 0; i < n; i++)
        column[i] = i;
    int rank = n;
    for (int i = 0; i < n; i++) {
        int r = i, c = i;
        for (int a = i; a < n; a++)
            for (int b = i; b < n; b++)
                if (fabs(A[a * (n + 1) + b]) > fabs(A[r * (n + 1) + c])) {
                    r = a;
                    c = b;
                }
        if (fabs(A[r * (n + 1) + c]) < 1e-11) {
            rank = i;
            break;
        }
        for (int k = 0; k <= n; k++) {
            double swap = A[i * (n + 1) + k];
            A[i * (n + 1) + k] = A[r * (n + 1) + k];
            A[r * (n + 1) + k] = swap;
        }
        for (int k = 0; k < n; k++) {
            double swap = A[k * (n + 1) + i];
            A[k * (n + 1) + i] = A[k * (n + 1) + c];
            A[k * (n + 1) + c] = swap;
        }
        int swap = column[i];
        column[i] = column[c];
        column[c] = swap;
        for (int a = 0; a < n; a++) {
            double factor = A[a * (n + 1) + i] / A[i * (n + 1) + i];
            for (int k = i; a != i && k <= n; k++)
                A[a * (n + 1) + k] -= factor * A[i * (n + 1) + k];
        }
    }
    for (int i = 0; i < n; i++)
        z[column[i]] = i < rank ? A[i * (n + 1) + n] / A[i * (n + 1) + i] : 0;
    return rank == n;
}

typedef struct point {
    int n;
    zw_expr sym[4 * MAX];
    double value[4 * MAX];
} point;

static void put(point *p, zw_expr sym, double value) {
    for (int i = 0; i < p->n; i++)
        if (p->sym[i] == sym) {
            p->value[i] = value;
            return;
        }
    assert_true(p->n < 4 * MAX);
    p->sym[p->n] = sym;
    p->value[p->n++] = value;
}

static double at(const zw_system *s, const point *p, zw_expr e) {
    return zw_eval(s->ctx, e, p->n, p->sym, p->value);
}

/* v' of the system, and the multipliers if the principle has them */
static void accelerations(const zw_equations *eq, const point *state, double *a, double *lambda) {
    const zw_system *s = eq->sys;
    static double A[MAX * (MAX + 1)], z[MAX];
    static point p;
    int nv = eq->nv, nc = eq->nc, n = nv + nc;
    p = *state;
    assert_true(n <= MAX);
    for (int i = 0; eq->from_system && i < nv; i++)
        put(&p, eq->v[i], at(s, state, eq->from_system[i]));
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= n; k++) {
            zw_expr e = ZW_ZERO;
            double sign = 1;
            if (k == n)
                e = i < nv ? eq->h[i] : eq->b[i - nv];
            else if (i < nv && k < nv)
                e = eq->M[i * nv + k];
            else if (i < nv) {
                e = eq->C[i * nc + k - nv];
                sign = -1;
            } else if (k < nv)
                e = eq->W[(i - nv) * nv + k];
            A[i * (n + 1) + k] = sign * at(s, &p, e);
            assert_true(isfinite(A[i * (n + 1) + k]));
        }
    bool regular = solve_dense(n, A, z);
    assert_true(regular || eq->pseudo);
    for (int i = 0; i < nv; i++)
        put(&p, eq->a[i], z[i]);
    for (int i = 0; i < s->nv; i++)
        a[i] = eq->accel ? at(s, &p, eq->accel[i]) : z[i];
    for (int i = 0; i < nc; i++)
        lambda[i] = z[nv + i];
}

/* a random state made admissible by the numerics */
static void random_state(zw_system *s, const zw_equations *eq, zw_run *run, test_random *r,
                         point *p) {
    double x[MAX], values[MAX];
    zw_error err = {0};
    (void)eq;
    for (int attempt = 0;; attempt++) {
        for (int i = 0; i < s->nq + s->nv; i++)
            x[i] = test_random_real(r, -1, 1);
        err = (zw_error){0};
        if (zw_run_consistent(run, 0.3, x, NULL, NULL, &err) >= 0)
            break;
        if (attempt == 20)
            fail_msg("%s: no admissible state: %s", s->name, err.text);
    }
    p->n = 0;
    assert_int_equal(zw_system_param_values(s, values, &err), ZW_OK);
    for (int i = 0; i < s->np; i++)
        put(p, s->param[i].sym, values[i]);
    put(p, s->t, 0.3);
    for (int i = 0; i < s->nq; i++)
        put(p, s->coord[i].sym, x[i]);
    for (int i = 0; i < s->nv; i++)
        put(p, s->velocity[i].sym, x[s->nq + i]);
    for (int i = 0; i < s->nconstraint; i++) /* vakonomic multipliers, anything */
        put(p, s->constraint[i].lambda, test_random_real(r, -1, 1));
}

/* how many principles could be compared; all differences relative to the largest acceleration */
static int compare_all(zw_system *s, int states, unsigned seed, bool holonomic) {
    zw_equations reference, eq;
    zw_error err = {0};
    zw_kernel *kernel;
    zw_run *run;
    test_random r = {seed};
    double values[MAX];
    int count = 0;
    const zw_active bare = {.bare = true}; /* random states need no start */
    if (zw_derive(&reference, s, &bare, "lagrange", &err) < 0)
        fail_msg("%s by lagrange: %s", s->name, err.text);
    assert_int_equal(zw_kernel_create(&kernel, &reference, NULL, &err), ZW_OK);
    assert_int_equal(zw_system_param_values(s, values, &err), ZW_OK);
    assert_int_equal(zw_run_create(&run, kernel, values, NULL, &err), ZW_OK);
    for (const zw_principle *pr = zw_principles(); pr->name; pr++) {
        bool vakonomic = strcmp(pr->name, "vakonomic") == 0;
        err = (zw_error){0};
        if (vakonomic && !holonomic)
            continue;
        if (zw_derive(&eq, s, &bare, pr->name, &err) < 0) {
            if (err.status != ZW_E_MODEL && err.status != ZW_E_SINGULAR)
                fail_msg("%s by %s: %s", s->name, pr->name, err.text);
            continue;
        }
        count++;
        for (int k = 0; k < states; k++) {
            static point p;
            double a[MAX], b[MAX], la[MAX], lb[MAX], scale = 1;
            random_state(s, &reference, run, &r, &p);
            accelerations(&reference, &p, a, la);
            accelerations(&eq, &p, b, lb);
            for (int i = 0; i < s->nv; i++)
                scale = fmax(scale, fabs(a[i]));
            for (int i = 0; i < s->nv; i++)
                if (!(fabs(a[i] - b[i]) <= 1e-11 * scale))
                    fail_msg("%s by %s: %s' is %.15g, by lagrange %.15g", s->name, pr->name,
                             s->velocity[i].name, b[i], a[i]);
            scale = 1;
            for (int i = 0; i < eq.nc; i++)
                scale = fmax(scale, fabs(la[i]));
            for (int i = 0; i < eq.nc; i++)
                if (!(fabs(la[i] - lb[i]) <= 1e-10 * scale))
                    fail_msg("%s by %s: multiplier %d is %.15g, by lagrange %.15g", s->name,
                             pr->name, i, lb[i], la[i]);
        }
    }
    zw_run_destroy(run);
    zw_kernel_destroy(kernel);
    return count;
}

/* a model in one of its variants, with constraints switched on */
static void compare_variant(const char *name, const char *variant, int nwith,
                            const char *const *with, bool holonomic, int least) {
    char path[512];
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_error err = {0};
    zw_model_options options = {.variant = variant, .nwith = nwith, .with = with};
    snprintf(path, sizeof path, "%s/models/%s.zw", ZW_SOURCE_DIR, name);
    if (zw_model_read(&s, ctx, path, &options, &err) < 0)
        fail_msg("%s: %s", path, err.text);
    int count = compare_all(s, STATES, 11, holonomic);
    if (count < least)
        fail_msg("%s: only %d principles, expected %d", name, count, least);
    zw_context_destroy(ctx);
}

static void compare_model(const char *name, bool holonomic, int least) {
    compare_variant(name, NULL, 0, NULL, holonomic, least);
}

static void test_principles__agree_on_shipped_models(void **state) {
    (void)state;
    compare_model("pendulum_polar", true, 9); /* r stands in T: not Chaplygin's kind */
    compare_model("pendulum_cartesian", true, 9);
    compare_model("double_pendulum", true, 10);
    compare_model("duffing", true, 10);
    compare_model("absorber_planar", true, 10);
    compare_model("turntable_ball", false, 7);
    compare_model("ball_in_cavity", false, 7);
    compare_model("absorber_spatial", false, 8);
    compare_model("constant_speed_drive", false, 10);
    compare_model("hydropulsator", false, 9); /* x_2 stands in V: not Chaplygin's kind */
    compare_model("rolling_disc", false, 9);
    compare_model("rolling_penny", false, 10);
    compare_model("unicycle", false, 8); /* quasi-velocities: without Voronets and Chaplygin */
    compare_model("chaplygin_sleigh", false, 8);
    compare_model("snakeboard", false,
                  9); /* with x' independent th is dependent: not Chaplygin's kind */
    compare_model("skate", false, 10);
    compare_model("mass_damper", true, 11);
    compare_model("piecewise_linear", true, 11);
    compare_model("tippedisk_reduced", false, 9);
    compare_model("tippedisk", true, 9); /* friction by the multiplier: all but vakonomic */
    compare_model("tippedisk_quaternion", true, 8);
    compare_variant("tippedisk", "weight", 0, NULL, true, 9);
    compare_variant("tippedisk", "weight", 3, (const char *[]){"cog", "roll", "spin"}, false, 8);
}

/* ------------------------------------------------------------------------ synthetic systems */

static const zw_place here = {0};

static zw_expr random_number(zw_context *ctx, test_random *r) {
    return zw_rational(ctx, test_random_int(r, 13) - 6, 4);
}

/* a smooth function of the coordinates (and time) */
static zw_expr random_function(zw_system *s, const zw_expr *q, int n, test_random *r, bool time) {
    zw_context *ctx = s->ctx;
    zw_expr e = random_number(ctx, r);
    for (int k = 0; k < 2; k++) {
        zw_expr a = q[test_random_int(r, n)], b = q[test_random_int(r, n)];
        zw_expr f = test_random_int(r, 2) ? zw_sin(ctx, zw_add(ctx, a, b)) : zw_mul(ctx, a, b);
        e = zw_add(ctx, e, zw_mul(ctx, random_number(ctx, r), f));
    }
    return time && test_random_int(r, 3) == 0 ? zw_add(ctx, e, zw_sin(ctx, s->t)) : e;
}

static zw_system *random_system(zw_context *ctx, test_random *r) {
    zw_system *s;
    zw_error err = {0};
    int n = 2 + test_random_int(r, 4), nc = test_random_int(r, n);
    zw_expr q[6], v[6], T = ZW_ZERO;
    assert_int_equal(zw_system_create(&s, ctx, "synthetic", "", &err), ZW_OK);
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "q%d", i);
        assert_int_equal(zw_system_coord(s, name, "", here, &q[i], &err), ZW_OK);
    }
    bool quasi = test_random_int(r, 3) == 0;
    if (quasi) {
        /* rotate the rates of q0 and q1 by an angle q(last): u = R(q) q' */
        const char *names[] = {"u0", "u1"}, *units[] = {"", ""};
        zw_place places[2] = {{0}, {0}};
        zw_expr c = zw_cos(ctx, q[n - 1]), sn = zw_sin(ctx, q[n - 1]), syms[2];
        zw_expr x = zw_system_rate(s, q[0]), y = zw_system_rate(s, q[1]);
        zw_expr def[2] = {zw_add(ctx, zw_mul(ctx, c, x), zw_mul(ctx, sn, y)),
                          zw_sub(ctx, zw_mul(ctx, c, y), zw_mul(ctx, sn, x))};
        if (zw_system_quasi(s, 2, names, units, def, places, syms, &err) < 0)
            fail_msg("%s", err.text);
    }
    for (int i = 0; i < n; i++)
        v[i] = zw_system_rate(s, q[i]);
    /* masses: particles at random places, so that every principle has something to hold on to */
    for (int k = 0; k < n + 1; k++) {
        zw_expr at_point[3];
        for (int i = 0; i < 3; i++)
            at_point[i] = zw_add(ctx, q[(k + i) % n], random_function(s, q, n, r, true));
        zw_expr mass = zw_rational(ctx, 1 + test_random_int(r, 8), 4);
        if (test_random_int(r, 4) == 0) /* a mass that changes in time */
            mass = zw_add(ctx, mass, zw_mul(ctx, zw_rational(ctx, 1, 8), zw_sin(ctx, s->t)));
        assert_int_equal(zw_system_particle(s, "P", mass, at_point, here, &err), ZW_OK);
    }
    /* in plain coordinates also a kinetic energy as an expression, with a gyroscopic part */
    if (!quasi) {
        for (int i = 0; i < n; i++)
            T = zw_add(ctx, T, zw_mul(ctx, zw_rational(ctx, 5, 2), zw_pow(ctx, v[i], ZW_TWO)));
        zw_expr f = random_function(s, q, n, r, false);
        T = zw_add(ctx, T, zw_product(ctx, 3, (zw_expr[]){zw_sin(ctx, f), v[0], v[n - 1]}));
        T = zw_add(ctx, T, zw_mul(ctx, v[0], random_function(s, q, n, r, true)));
        assert_int_equal(zw_system_kinetic(s, T, here, &err), ZW_OK);
    }
    assert_int_equal(zw_system_potential(s, random_function(s, q, n, r, true), here, &err), ZW_OK);
    assert_int_equal(
        zw_system_dissipation(s, zw_mul(ctx, ZW_HALF, zw_pow(ctx, v[0], ZW_TWO)), here, &err),
        ZW_OK);
    zw_expr force = zw_mul(ctx, v[0], random_function(s, q, n, r, true));
    assert_int_equal(zw_system_force(s, NULL, 1, &v[n - 1], &force, here, &err), ZW_OK);
    for (int c = 0; c < nc; c++) {
        char name[16];
        zw_expr psi = random_function(s, q, n, r, true);
        for (int i = 0; i < n; i++) {
            /* well conditioned for any choice of dependent velocities: what is compared is the
             * derivation, not the rounding near singular positions */
            zw_expr weight =
                i == c ? zw_add(ctx, zw_integer(ctx, 4), zw_sin(ctx, q[n - 1]))
                       : zw_mul(ctx, zw_rational(ctx, 1, 8), random_function(s, q, n, r, false));
            psi = zw_add(ctx, psi, zw_mul(ctx, weight, v[i]));
        }
        snprintf(name, sizeof name, "c%d", c);
        if (zw_system_constraint(s, name, psi, "", true, here, &err) < 0)
            fail_msg("%s", err.text);
    }
    if (zw_system_finish(s, &err) < 0)
        fail_msg("%s", err.text);
    return s;
}

static void test_principles__agree_on_synthetic_systems(void **state) {
    (void)state;
    test_random r = {2024};
    int total = 0, constrained = 0;
    const int systems = test_long() ? 220 : 66;
    for (int k = 0; k < systems; k++) {
        zw_context *ctx = zw_context_create(NULL);
        zw_system *s = random_system(ctx, &r);
        constrained += s->nconstraint > 0;
        total += compare_all(s, 2, (unsigned)k + 1, s->nconstraint == 0);
        zw_context_destroy(ctx);
    }
    assert_true(constrained > systems * 5 / 11);
    assert_true(total > systems * 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_principles__agree_on_shipped_models),
        cmocka_unit_test(test_principles__agree_on_synthetic_systems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
