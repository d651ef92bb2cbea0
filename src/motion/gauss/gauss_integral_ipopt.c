/* SPDX-License-Identifier: MIT */
/* Minimisation under bounds by Ipopt (Waechter, Biegler), which is loaded at its first use.
 * Declared are only the parts of its C interface that are used; its truth values are int before
 * version 3.14 and bool since, and int 0 and 1 have the same low byte as bool. */
#include <dlfcn.h>
#include <math.h>
#include <string.h>
#include <threads.h>

#include "base/arena.h"
#include "gauss_integral_bound.h"

#define UNBOUNDED 2e19 /* Ipopt's infinity is 1e19 */
/* least tolerance given to Ipopt: it does not converge to smaller ones in doubles */
#define TOLERANCE_LEAST 1e-11

typedef int (*eval_f)(int n, double *x, int new_x, double *value, void *user);
typedef int (*eval_grad)(int n, double *x, int new_x, double *gradient, void *user);
typedef int (*eval_g)(int n, double *x, int new_x, int m, double *c, void *user);
typedef int (*eval_jac)(int n, double *x, int new_x, int m, int count, int *row, int *column,
                        double *values, void *user);
typedef int (*eval_h)(int n, double *x, int new_x, double factor, int m, double *lambda,
                      int new_lambda, int count, int *row, int *column, double *values, void *user);

static struct ipopt {
    void *(*create)(int n, double *low, double *high, int m, double *c_low, double *c_high, int jac,
                    int hessian, int style, eval_f f, eval_g g, eval_grad grad, eval_jac j,
                    eval_h h);
    void (*destroy)(void *problem);
    int (*set_string)(void *problem, char *key, char *value);
    int (*set_number)(void *problem, char *key, double value);
    int (*set_integer)(void *problem, char *key, int value);
    int (*solve)(void *problem, double *x, double *c, double *value, double *mult_c,
                 double *mult_low, double *mult_high, void *user);
} api;
static bool loaded;
static once_flag once = ONCE_FLAG_INIT;

static bool find_symbol(void *library, const char *name, void *function_pointer) {
    void *address = dlsym(library, name);
    memcpy(function_pointer, &address, sizeof address);
    return address != NULL;
}

static void load_library(void) {
    void *library = dlopen(ZW_IPOPT, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        library = dlopen("libipopt.so.3", RTLD_LAZY | RTLD_LOCAL);
    loaded = library && find_symbol(library, "CreateIpoptProblem", &api.create) &&
             find_symbol(library, "FreeIpoptProblem", &api.destroy) &&
             find_symbol(library, "AddIpoptStrOption", &api.set_string) &&
             find_symbol(library, "AddIpoptNumOption", &api.set_number) &&
             find_symbol(library, "AddIpoptIntOption", &api.set_integer) &&
             find_symbol(library, "IpoptSolve", &api.solve);
}

static int evaluate_value(int n, double *x, int new_x, double *value, void *user) {
    zw_gauss_bounding *b = user;
    zw_gaussian_value v;
    (void)n, (void)new_x;
    *value = zw_gauss_total(b->g, x, &v);
    b->result->evaluations++;
    return isfinite(*value);
}

static int evaluate_gradient(int n, double *x, int new_x, double *gradient, void *user) {
    zw_gauss_bounding *b = user;
    zw_gaussian_value v;
    (void)n, (void)new_x;
    if (!isfinite(zw_gauss_total(b->g, x, &v)))
        return 0;
    zw_gaussian_derive(&b->g->gaussian, false, gradient, NULL);
    return 1;
}

static int evaluate_bounds(int n, double *x, int new_x, int m, double *c, void *user) {
    zw_gauss_bounding *b = user;
    (void)n, (void)new_x;
    zw_gauss_points_evaluate(&b->points, x, false);
    memcpy(c, b->points.value, sizeof(double) * (size_t)m);
    return 1;
}

static int evaluate_slopes(int n, double *x, int new_x, int m, int count, int *row, int *column,
                           double *values, void *user) {
    zw_gauss_bounding *b = user;
    (void)new_x, (void)m;
    for (int i = 0; !values && i < count; i++) {
        row[i] = i / n;
        column[i] = i % n;
    }
    if (!values)
        return 1;
    zw_gauss_points_evaluate(&b->points, x, true);
    memcpy(values, b->points.slope, sizeof(double) * (size_t)count);
    return 1;
}

/* the Hessian of G alone: bounds of coordinates are linear */
static int evaluate_hessian(int n, double *x, int new_x, double factor, int m, double *lambda,
                            int new_lambda, int count, int *row, int *column, double *values,
                            void *user) {
    zw_gauss_bounding *b = user;
    zw_gaussian_value v;
    int entry = 0;
    (void)new_x, (void)m, (void)lambda, (void)new_lambda, (void)count;
    if (values && !isfinite(zw_gauss_total(b->g, x, &v)))
        return 0;
    if (values)
        zw_gauss_slopes(b->g, x, b->exact);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++, entry++) {
            if (values) {
                values[entry] = factor * b->g->H[i * n + j];
            } else {
                row[entry] = i;
                column[entry] = j;
            }
        }
    return 1;
}

static void set_options(void *problem, const zw_gauss_bounding *b) {
    bool linear = true;
    for (int i = 0; i < b->options->nbound; i++)
        linear &= !b->options->bound[i].observable;
    api.set_integer(problem, (char *)"print_level", 0);
    api.set_string(problem, (char *)"sb", (char *)"yes");
    api.set_number(problem, (char *)"tol", fmax(b->options->gap, TOLERANCE_LEAST));
    api.set_number(problem, (char *)"bound_relax_factor", 0);
    if (!linear)
        api.set_string(problem, (char *)"hessian_approximation", (char *)"limited-memory");
}

/* Solve_Succeeded, Solved_To_Acceptable_Level, Infeasible_Problem_Detected; -13: a value that is
 * not finite; -102: memory. With the other codes x is the last iterate. */
enum { SUCCEEDED = 0, ACCEPTABLE = 1, INFEASIBLE = 2, NOT_FINITE = -13, NO_MEMORY = -102 };

zw_status zw_gauss_ipopt(zw_gauss_bounding *b, zw_error *err) {
    zw_arena *arena = &b->g->found;
    int n = b->g->gaussian.unknowns, m = b->points.points * b->options->nbound;
    call_once(&once, load_library);
    if (!loaded)
        return zw_fail(err, ZW_E_MISSING,
                       "Ipopt (%s, Debian's coinor-libipopt1v5) is not here; the barrier method "
                       "needs nothing",
                       ZW_IPOPT);
    double *low = ZW_NEW(arena, double, n), *high = ZW_NEW(arena, double, n),
           *c_low = ZW_NEW(arena, double, m), *c_high = ZW_NEW(arena, double, m), value;
    if (!low || !high || !c_low || !c_high)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < n; i++) {
        low[i] = -UNBOUNDED;
        high[i] = UNBOUNDED;
    }
    for (int i = 0; i < m; i++)
        c_low[i] = -UNBOUNDED;
    void *problem =
        api.create(n, low, high, m, c_low, c_high, n * m, n * (n + 1) / 2, 0, evaluate_value,
                   evaluate_bounds, evaluate_gradient, evaluate_slopes, evaluate_hessian);
    if (!problem)
        return zw_fail(err, ZW_E_NUMERIC, "Ipopt rejected the problem");
    set_options(problem, b);
    int code = api.solve(problem, b->x, NULL, &value, b->multiplier, NULL, NULL, b);
    api.destroy(problem);
    b->result->converged = code == SUCCEEDED || code == ACCEPTABLE;
    b->result->iterations = b->result->evaluations;
    zw_gauss_points_evaluate(&b->points, b->x, true);
    if (code == INFEASIBLE)
        return zw_fail(err, ZW_E_NUMERIC, "no trial function fulfils the bounds at all points");
    if (code == NO_MEMORY)
        return zw_out_of_memory(err, NULL);
    return code < -4 && code != NOT_FINITE
               ? zw_fail(err, ZW_E_NUMERIC, "Ipopt rejected the problem (%d)", code)
               : ZW_OK;
}
