/* SPDX-License-Identifier: MIT */
/* Minimisers of NLopt, which is loaded at their first use: BFGS with at least 20 stored updates,
 * and the Nelder-Mead simplex, which needs no derivatives. Declared are only the parts of its C
 * interface that are used; it is the same since version 2.0. */
#include "base/arena.h"
#include "gauss_integral_parts.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>
#include <threads.h>

#define NO_VALUE 1e300 /* what NLopt gets where G has no value: finite, and above every value */
/* relative change of the value at which NLopt ends: rounding; the tolerance of x ends it
 * otherwise */
#define VALUE_TOLERANCE 1e-15
/* SI: size of the simplex when it begins again near the minimum, instead of 0.5 at the first
 * start */
#define SIMPLEX_AGAIN 1e-2

typedef double (*objective)(unsigned n, const double *x, double *gradient, void *user);

static struct nlopt {
    void *(*create)(int algorithm, unsigned n);
    void (*destroy)(void *opt);
    int (*set_min_objective)(void *opt, objective f, void *user);
    int (*set_xtol_rel)(void *opt, double tolerance);
    int (*set_ftol_rel)(void *opt, double tolerance);
    int (*set_maxeval)(void *opt, int evaluations_max);
    int (*set_vector_storage)(void *opt, unsigned n);
    int (*set_initial_step1)(void *opt, double step);
    int (*optimize)(void *opt, double *x, double *value);
    const char *(*algorithm_name)(int algorithm);
} api;
enum { ALGORITHMS = 40 };
static int bfgs = -1, simplex = -1; /* their numbers in this version */
static bool loaded;
static once_flag once = ONCE_FLAG_INIT;

/* ISO C has no conversion from object to function pointers; POSIX says the bits are the same */
static bool find_symbol(void *library, const char *name, void *function_pointer) {
    void *address = dlsym(library, name);
    memcpy(function_pointer, &address, sizeof address);
    return address != NULL;
}

/* the numbers of algorithms change with the version, their names do not */
static bool find_algorithms(void) {
    for (int i = 0; i < ALGORITHMS; i++) {
        const char *name = api.algorithm_name(i);
        if (!name)
            break;
        if (strncmp(name, "Limited-memory BFGS", 19) == 0)
            bfgs = i;
        if (strncmp(name, "Nelder-Mead simplex", 19) == 0)
            simplex = i;
    }
    return bfgs >= 0 && simplex >= 0;
}

static void load_library(void) {
    void *library = dlopen(ZW_NLOPT, RTLD_LAZY | RTLD_LOCAL);
    loaded = library && find_symbol(library, "nlopt_create", &api.create) &&
             find_symbol(library, "nlopt_destroy", &api.destroy) &&
             find_symbol(library, "nlopt_set_min_objective", &api.set_min_objective) &&
             find_symbol(library, "nlopt_set_xtol_rel", &api.set_xtol_rel) &&
             find_symbol(library, "nlopt_set_ftol_rel", &api.set_ftol_rel) &&
             find_symbol(library, "nlopt_set_maxeval", &api.set_maxeval) &&
             find_symbol(library, "nlopt_set_vector_storage", &api.set_vector_storage) &&
             find_symbol(library, "nlopt_set_initial_step1", &api.set_initial_step1) &&
             find_symbol(library, "nlopt_optimize", &api.optimize) &&
             find_symbol(library, "nlopt_algorithm_name", &api.algorithm_name) && find_algorithms();
}

zw_status zw_gauss_nlopt_check(zw_error *err) {
    call_once(&once, load_library);
    return loaded ? ZW_OK
                  : zw_fail(err, ZW_E_MISSING,
                            "BFGS and Nelder-Mead are those of NLopt (%s, Debian's libnlopt0), "
                            "which is not here; Gauss-Newton and Newton need nothing",
                            ZW_NLOPT);
}

typedef struct task {
    zw_gauss_integral *g;
    zw_gauss_result *result;
} task;

static double evaluate_objective(unsigned n, const double *x, double *gradient, void *user) {
    task *t = user;
    zw_gaussian_value value;
    double total = zw_gauss_total(t->g, x, &value);
    t->result->evaluations++;
    if (gradient && isfinite(total))
        zw_gaussian_derive(&t->g->gaussian, false, gradient, NULL);
    else if (gradient)
        memset(gradient, 0, sizeof(double) * n);
    return isfinite(total) ? total : NO_VALUE;
}

/* Positive codes are regular ends; 5: maximum number of evaluations; -3: memory; -4: rounding. With
 * the other codes x is the best point so far. */
enum { ENOUGH_EVALUATIONS = 5, NO_MEMORY = -3, ROUNDING_LIMIT = -4 };

zw_status zw_gauss_nlopt_minimise(zw_gauss_integral *g, double *x, zw_gauss_result *result,
                                  zw_error *err) {
    bool slopes = g->options.method == ZW_GAUSS_BFGS;
    int n = g->gaussian.unknowns, rounds = slopes ? 3 : 6, code = 0;
    task t = {g, result};
    double value;
    ZW_TRY(zw_gauss_nlopt_check(err));
    for (int round = 0; round < rounds; round++) { /* a simplex that has collapsed begins again */
        void *opt = api.create(slopes ? bfgs : simplex, (unsigned)n);
        if (!opt)
            return zw_out_of_memory(err, NULL);
        api.set_min_objective(opt, evaluate_objective, &t);
        api.set_xtol_rel(opt, g->options.tolerance);
        api.set_ftol_rel(opt, VALUE_TOLERANCE);
        api.set_maxeval(opt, 200 * g->options.iterations);
        api.set_vector_storage(opt, (unsigned)(n > 20 ? n : 20));
        if (!slopes)
            api.set_initial_step1(opt, round ? SIMPLEX_AGAIN : 0.5);
        code = api.optimize(opt, x, &value);
        api.destroy(opt);
    }
    result->iterations = result->evaluations;
    result->converged = (code > 0 && code != ENOUGH_EVALUATIONS) || code == ROUNDING_LIMIT;
    return code == NO_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
}
