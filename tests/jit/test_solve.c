/* SPDX-License-Identifier: MIT */
/* The unrolled solution of M v' = h + C lambda, W v' = b against Gaussian elimination with pivoting
 * of the whole system, for sparse and mixed (constant, parameter, state) entries. */
#include "jit/interp.h"
#include "jit/program.h"
#include "jit/solve.h"
#include "support/test.h"

enum { NV = 7, NC = 4, ENTRIES = NV * NV + NV + 2 * NV * NC + NC, WORK = 4096 };

/* a system whose entries are numbers, parameters, states or zeros, with their values */
typedef struct random_system {
    test_random random;
    zw_context *ctx;
    int nv, nc, nx, np;
    zw_expr x[ENTRIES], p[ENTRIES];
    double xv[ENTRIES], pv[ENTRIES];
    zw_expr e[ENTRIES]; /* M, h, C, W, b */
    double v[ENTRIES];
    bool symmetric;
} random_system;

static void set_entry(random_system *s, int k, double value) {
    char name[32];
    s->v[k] = value;
    switch (value == 0 ? 3 : test_random_int(&s->random, 3)) {
    case 0:
        snprintf(name, sizeof name, "x%d", s->nx);
        s->xv[s->nx] = value;
        s->e[k] = s->x[s->nx++] = zw_symbol(s->ctx, name);
        break;
    case 1:
        snprintf(name, sizeof name, "p%d", s->np);
        s->pv[s->np] = value;
        s->e[k] = s->p[s->np++] = zw_symbol(s->ctx, name);
        break;
    case 2:
        s->e[k] = zw_real(s->ctx, value);
        break;
    default:
        s->e[k] = ZW_ZERO;
    }
}

static void copy_entry(random_system *s, int to, int from) {
    s->e[to] = s->e[from];
    s->v[to] = s->v[from];
}

static double sparse_value(random_system *s) {
    return test_random_int(&s->random, 3) ? test_random_real(&s->random, -1, 1) : 0;
}

static void make_system(random_system *s, uint64_t seed) {
    *s = (random_system){.random = {seed}, .ctx = zw_context_create(NULL)};
    s->nv = 1 + test_random_int(&s->random, NV);
    s->nc = test_random_int(&s->random, s->nv < NC ? s->nv : NC + 1);
    s->symmetric = test_random_int(&s->random, 2) == 0;
    int n = s->nv, h = n * n, C = h + n, W = C + n * s->nc, b = W + s->nc * n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            set_entry(s, i * n + j,
                      i == j ? n + test_random_real(&s->random, 0, 2) : sparse_value(s));
            copy_entry(s, j * n + i, i * n + j);
        }
    for (int i = 0; i < n; i++)
        set_entry(s, h + i, sparse_value(s));
    for (int k = 0; k < s->nc; k++) {
        set_entry(s, b + k, sparse_value(s));
        for (int i = 0; i < n; i++) {
            double main = i == k ? 2 : 0;
            set_entry(s, W + k * n + i, main + 0.5 * sparse_value(s));
            if (s->symmetric || test_random_int(&s->random, 2))
                copy_entry(s, C + i * s->nc + k, W + k * n + i);
            else
                set_entry(s, C + i * s->nc + k, main + 0.5 * sparse_value(s));
        }
    }
}

static zw_solve layout(const random_system *s, const zw_value *v) {
    int n = s->nv, nc = s->nc;
    const zw_value *h = v + n * n, *C = h + n, *W = C + n * nc, *b = W + nc * n;
    return (zw_solve){n, nc, v, h, C, W, b, s->symmetric};
}

/* out: v', lambda, quality */
static zw_status solve_unrolled(const random_system *s, double *out) {
    static double work[WORK], cache[WORK];
    zw_program p;
    zw_value v[ENTRIES], z[NV + NC + 1];
    int entries = s->nv * s->nv + s->nv + 2 * s->nv * s->nc + s->nc, nz = s->nv + s->nc;
    assert_int_equal(zw_program_init(&p, s->ctx, NULL), ZW_OK);
    assert_int_equal(zw_program_input(&p, ZW_SPACE_X, s->nx, s->x, NULL), ZW_OK);
    assert_int_equal(zw_program_input(&p, ZW_SPACE_P, s->np, s->p, NULL), ZW_OK);
    assert_int_equal(zw_program_lower(&p, ZW_STYLE_FACTOR_FIRST, entries, s->e, v, NULL), ZW_OK);
    zw_solve system = layout(s, v);
    zw_status status = zw_solve_unroll(&p.graph, &p.scratch, &system, z, z + s->nv, z + nz);
    if (status == ZW_OK) {
        zw_arena arena;
        zw_func f, prepare;
        zw_arena_init(&arena, NULL);
        zw_candidate only = {.v = z};
        assert_int_equal(zw_program_consider(&p, nz + 1, &only, NULL), ZW_OK);
        assert_int_equal(zw_program_choose(&p, "solve", nz + 1, 1, &only, NULL), ZW_OK);
        assert_int_equal(zw_program_finish(&p, NULL), ZW_OK);
        assert_int_equal(zw_interp_func(&f, &p.code[0], 1, NULL, &arena), ZW_OK);
        assert_int_equal(zw_interp_func(&prepare, &p.prepare, 1, NULL, &arena), ZW_OK);
        assert_true(f.nwork <= WORK && prepare.nwork <= WORK && prepare.nout <= WORK);
        zw_call(&prepare, &(zw_args){.p = s->pv}, cache, work);
        zw_call(&f, &(zw_args){.x = s->xv, .c = cache}, out, work);
        zw_arena_clear(&arena);
    }
    zw_program_clear(&p);
    return status;
}

/* A x = b by elimination with row pivoting, A n x n, x in place of b */
static void gauss(int n, double *A, double *b) {
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[p * n + k]))
                p = i;
        for (int j = 0; j < n; j++) {
            double t = A[k * n + j];
            A[k * n + j] = A[p * n + j];
            A[p * n + j] = t;
        }
        double t = b[k];
        b[k] = b[p];
        b[p] = t;
        for (int i = k + 1; i < n; i++) {
            double l = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++)
                A[i * n + j] -= l * A[k * n + j];
            b[i] -= l * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= A[k * n + j] * b[j];
        b[k] /= A[k * n + k];
    }
}

/* the whole system [M -C; W 0] (v', lambda) = (h, b) */
static void solve_reference(const random_system *s, double *z) {
    double A[(NV + NC) * (NV + NC)] = {0};
    int n = s->nv, nc = s->nc, m = n + nc;
    const double *h = s->v + n * n, *C = h + n, *W = C + n * nc, *b = W + nc * n;
    for (int i = 0; i < n; i++) {
        z[i] = h[i];
        for (int j = 0; j < n; j++)
            A[i * m + j] = s->v[i * n + j];
        for (int k = 0; k < nc; k++) {
            A[i * m + n + k] = -C[i * nc + k];
            A[(n + k) * m + i] = W[k * n + i];
        }
    }
    for (int k = 0; k < nc; k++)
        z[n + k] = b[k];
    gauss(m, A, z);
}

static void test_solve__agrees_with_pivoted_elimination(void **state) {
    (void)state;
    int with_constraints = 0, unsymmetric = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        random_system s;
        double out[NV + NC + 1], want[NV + NC];
        make_system(&s, seed);
        assert_int_equal(solve_unrolled(&s, out), ZW_OK);
        solve_reference(&s, want);
        for (int i = 0; i < s.nv + s.nc; i++)
            assert_close(out[i], want[i], 1e-12);
        double quality = out[s.nv + s.nc];
        assert_true(quality > 1e-4 && quality <= 1);
        with_constraints += s.nc > 0;
        unsymmetric += s.nc > 0 && !s.symmetric;
        zw_context_destroy(s.ctx);
    }
    assert_true(with_constraints > 100 && unsymmetric > 50);
}

/* a system of fixed size with given state entries */
static void plain_system(random_system *s, int nv, int nc, const double *values) {
    *s = (random_system){.ctx = zw_context_create(NULL), .nv = nv, .nc = nc, .symmetric = true};
    int entries = nv * nv + nv + 2 * nv * nc + nc;
    for (int k = 0; k < entries; k++) {
        char name[32];
        snprintf(name, sizeof name, "x%d", k);
        s->v[k] = s->xv[k] = values[k];
        s->e[k] = s->x[k] = zw_symbol(s->ctx, name);
    }
    s->nx = entries;
}

static void test_solve__quality_is_the_smallest_relative_pivot(void **state) {
    (void)state;
    /* M = [2 1; 1 a]: pivots 2 and a - 1/2, so the quality is (a - 1/2)/a */
    static const double a[] = {4, 1, 0.5, 0.25};
    for (int i = 0; i < 4; i++) {
        random_system s;
        double out[3];
        plain_system(&s, 2, 0, (double[]){2, 1, 1, a[i], 1, 1});
        assert_int_equal(solve_unrolled(&s, out), ZW_OK);
        assert_close(out[2], (a[i] - 0.5) / a[i], 1e-15);
        zw_context_destroy(s.ctx);
    }
}

static void test_solve__quality_sees_redundant_constraints(void **state) {
    (void)state;
    /* both rows of W are (1, 1): the Schur complement has rank one */
    random_system s;
    double out[5];
    plain_system(&s, 2, 2, (double[]){3, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
    assert_int_equal(solve_unrolled(&s, out), ZW_OK);
    assert_true(fabs(out[4]) < 1e-14);
    zw_context_destroy(s.ctx);
}

static void test_solve__massless_coordinate_is_refused(void **state) {
    (void)state;
    random_system s;
    double out[3];
    plain_system(&s, 2, 0, (double[]){2, 0, 0, 0, 1, 1});
    s.e[1] = s.e[2] = s.e[3] = ZW_ZERO;
    assert_int_equal(solve_unrolled(&s, out), ZW_E_SINGULAR);
    zw_context_destroy(s.ctx);
}

/* A chain (tridiagonal M) eliminated from its ends has no fill: the operations grow with n. */
static void test_solve__structural_zeros_cost_nothing(void **state) {
    (void)state;
    enum { N = 20 };
    zw_context *ctx = zw_context_create(NULL);
    zw_program p;
    zw_expr x[3 * N];
    zw_value v[3 * N], M[N * N], h[N], z[N + 1];
    for (int i = 0; i < 3 * N; i++) {
        char name[32];
        snprintf(name, sizeof name, "x%d", i);
        x[i] = zw_symbol(ctx, name);
    }
    assert_int_equal(zw_program_init(&p, ctx, NULL), ZW_OK);
    assert_int_equal(zw_program_input(&p, ZW_SPACE_X, 3 * N, x, NULL), ZW_OK);
    assert_int_equal(zw_program_lower(&p, ZW_STYLE_PLAIN, 3 * N, x, v, NULL), ZW_OK);
    for (int i = 0; i < N; i++) {
        h[i] = v[i];
        for (int j = 0; j < N; j++)
            M[i * N + j] = i == j       ? v[N + i]
                           : i - j == 1 ? v[2 * N + i]
                           : j - i == 1 ? v[2 * N + j]
                                        : p.graph.zero;
    }
    zw_solve system = {.nv = N, .M = M, .h = h, .symmetric = true};
    assert_int_equal(zw_solve_unroll(&p.graph, &p.scratch, &system, z, z + N, z + N), ZW_OK);
    /* per row: 1/d, l, d, two right sides of two operations each, and the quality */
    zw_candidate only = {.v = z};
    assert_int_equal(zw_program_consider(&p, N, &only, NULL), ZW_OK);
    assert_true(only.after <= 9 * N);
    zw_program_clear(&p);
    zw_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solve__agrees_with_pivoted_elimination),
        cmocka_unit_test(test_solve__quality_is_the_smallest_relative_pivot),
        cmocka_unit_test(test_solve__quality_sees_redundant_constraints),
        cmocka_unit_test(test_solve__massless_coordinate_is_refused),
        cmocka_unit_test(test_solve__structural_zeros_cost_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
