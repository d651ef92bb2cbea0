/* SPDX-License-Identifier: MIT */
/* Minimisation of the period-integrated Gaussian. A step solves
 *
 *     (H + mu diag H) dx = -gradient
 *
 * with the Gauss-Newton matrix or the exact one, and is accepted if the value falls; mu grows
 * tenfold where it does not, or where the matrix is not positive, and falls again after steps that
 * gain what the quadratic model predicts. Where G stays large at the minimum, Gauss-Newton steps
 * converge only linearly: after LINEAR of them, or SLOW short ones in a row, each more than a third
 * of the one before, the exact matrix replaces theirs, if the kernel has it. The iteration ends
 * when steps are as small as the tolerance, or when rounding hides any further decrease. The value
 * is flat at a minimum, so it determines the minimiser to half of the digits only. Therefore some
 * steps of Newton's method for gradient = 0 follow, as long as they reduce the gradient. */
#include "gauss_integral_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"

/* relative to G: error of the integral that needs no more points; results are printed with up to 9
 * digits */
#define INTEGRAL_ACCURATE 1e-9
/* relative to G at rest: error of the integral that is rounding (45 eps) */
#define REST_ROUNDOFF 1e-14
#define DENSEST 8
/* relative to the size of the motion: step of central differences of the gradient, near the best
 * one, eps^(1/3) = 6e-6 */
#define GRADIENT_STEP 1e-5
#define MU_LEAST 1e-16 /* mu of a step that is Newton's: below eps it changes nothing */
#define MU_MOST 1e14   /* mu at which steps are so short that the value cannot fall any more */
/* relative to the size of the motion: steps that show linear convergence; longer ones may be on the
 * way to the minimum */
#define SHORT_STEP 1e-2
/* relative to the size of the motion: a longer step for the gradient alone may lead to another
 * stationary point */
#define POLISH_STEP 1e-4
/* first mu after a failure with mu = 0: relative to the diagonal, the root of eps */
#define MU_FIRST 1e-8
/* mu at the start of Gauss-Newton: a start far from the minimum needs some damping; ten times more
 * only costs a step */
#define MU_GAUSS_NEWTON 1e-3
/* added to the size of the motion in SI units, for a motion that vanishes */
#define SIZE_LEAST 1e-3
/* relative to the largest entry: diagonal entry of a coefficient without influence, so that mu
 * regularises it, too */
#define DIAGONAL_LEAST 1e-12
/* relative to the diagonal entry: a pivot that is rounding (5 eps), so that the matrix is not
 * positive */
#define PIVOT_LEAST 1e-15
/* of the predicted decrease: what a step must gain (Armijo's condition with the usual constant) */
#define DECREASE_LEAST 1e-4
#define PREDICTION_GOOD 0.75 /* of the predicted decrease: after such a step mu falls */
/* relative to the value at the start: a decrease that is rounding, the square of the residual's
 * 1e-12 */
#define REST_LEAST 1e-24
/* mu at which H of a minimum has a Cholesky factor: rounding of a zero eigenvalue must not make a
 * minimum a saddle */
#define MINIMUM_SHIFT 1e-10
/* default length of the last step, relative to 1 + the size of the motion: the value is exact long
 * before */
#define DEFAULT_TOLERANCE 1e-12
enum {
    LINEAR = 40,
    SLOW = 4,
    POLISH = 3,
    POLISH_MOST = 48 /* unknowns; with more, H by differences costs more than the minimisation */
};

void zw_gauss_integral_options_init(zw_gauss_integral_options *options, size_t size) {
    const zw_gauss_integral_options all = {
        .size = size, .tolerance = DEFAULT_TOLERANCE, .iterations = 500};
    zw_options_begin(options, size, &all, sizeof all);
}

/* --------------------------------------------------------------------------------------- set-up */

static zw_status check_options(const zw_kernel *k, const zw_gauss_integral_options *o,
                               zw_error *err) {
    if (o->nharmonic < 1)
        return zw_fail(err, ZW_E_OPTION, "trial functions need at least one harmonic");
    if (o->weight < ZW_GAUSS_MASS || o->weight > ZW_GAUSS_FORCE)
        return zw_fail(err, ZW_E_OPTION, "there is no such weight of the Gaussian");
    if (o->weight != ZW_GAUSS_FORCE && k->unsymmetric)
        return zw_fail(err, ZW_E_OPTION,
                       "the equations have no mass matrix: choose the weight of forces");
    if (o->method == ZW_GAUSS_NEWTON && !zw_kernel_has(k, ZW_SET(SECOND)))
        return zw_fail(err, ZW_E_OPTION,
                       "Newton's method needs the kernel's second derivatives (ZW_FN_SECOND)");
    if (o->method == ZW_GAUSS_NEWTON && o->weight == ZW_GAUSS_ACCELERATION)
        return zw_fail(err, ZW_E_OPTION,
                       "Newton's method has the weights of masses and of forces; Gauss and "
                       "Newton's has that of accelerations too");
    if (o->method == ZW_GAUSS_BFGS || o->method == ZW_GAUSS_NELDER_MEAD)
        return zw_gauss_nlopt_check(err);
    return ZW_OK;
}

static zw_status build_integral(zw_gauss_integral *g, const zw_kernel *kernel, const double *p,
                                zw_error *err) {
    ZW_TRY(check_options(kernel, &g->options, err));
    ZW_TRY(zw_gaussian_make(&g->gaussian, &g->arena, kernel, &g->options, 1, err));
    int n = g->gaussian.unknowns;
    g->options.harmonic = g->gaussian.period.fourier.harmonic;
    g->p = ZW_NEW(&g->arena, double, kernel->np + 1);
    g->gradient = ZW_NEW(&g->arena, double, n);
    g->H = ZW_NEW(&g->arena, double, n *n);
    g->factor = ZW_NEW(&g->arena, double, n *n);
    g->step = ZW_NEW(&g->arena, double, n);
    g->trial = ZW_NEW(&g->arena, double, n);
    if (g->arena.failed)
        return zw_out_of_memory(err, NULL);
    memcpy(g->p, p, sizeof(double) * (size_t)kernel->np);
    return ZW_OK;
}

zw_status zw_gauss_integral_create(zw_gauss_integral **out, const zw_kernel *kernel,
                                   const double *p, const zw_gauss_integral_options *options,
                                   zw_harmonic_set set, void *user, zw_error *err) {
    zw_gauss_integral_options o = zw_gauss_integral_options_default();
    zw_allocator alloc = kernel->alloc.fn ? kernel->alloc : zw_allocator_default();
    *out = NULL;
    ZW_TRY(zw_options_adopt(&o, sizeof o, options, "zw_gauss_integral_options", err));
    zw_gauss_integral *g = zw_allocate(&alloc, sizeof *g);
    if (!g)
        return zw_out_of_memory(err, NULL);
    *g = (zw_gauss_integral){.alloc = alloc, .options = o, .set = set, .user = user};
    zw_arena_init(&g->arena, &alloc);
    zw_arena_init(&g->found, &alloc);
    zw_status status = build_integral(g, kernel, p, err);
    if (status < 0)
        zw_gauss_integral_destroy(g);
    else
        *out = g;
    return status;
}

void zw_gauss_integral_destroy(zw_gauss_integral *g) {
    if (!g)
        return;
    zw_allocator alloc = g->alloc;
    zw_arena_clear(&g->found);
    zw_arena_clear(&g->arena);
    zw_release(&alloc, g, sizeof *g);
}

int zw_gauss_integral_unknowns(const zw_gauss_integral *g) {
    return g->gaussian.unknowns;
}

int zw_gauss_integral_coefficients(const zw_gauss_integral *g) {
    return g->gaussian.period.fourier.n;
}

int zw_gauss_integral_samples(const zw_gauss_integral *g) {
    return g->gaussian.period.fourier.samples;
}

/* ------------------------------------------------------------------------------------ the value */

zw_status zw_gauss_set_value(zw_gauss_integral *g, double a, zw_error *err) {
    double slope;
    if (g->at_a && g->a == a)
        return ZW_OK;
    zw_status status = g->set(g->user, a, g->p, &g->w, &slope, err);
    if (status != ZW_OK)
        return status < 0 ? status : zw_fail(err, ZW_E_NUMERIC, "there are no parameters at %g", a);
    zw_gaussian_set(&g->gaussian, g->p, g->w);
    if (g->check)
        zw_gaussian_set(g->check, g->p, g->w);
    g->a = a;
    g->at_a = true;
    return ZW_OK;
}

double zw_gauss_total(zw_gauss_integral *g, const double *x, zw_gaussian_value *value) {
    return zw_gaussian_value_at(&g->gaussian, x, value) == ZW_OK ? value->G + value->defect
                                                                 : INFINITY;
}

bool zw_gauss_has_second(const zw_gauss_integral *g) {
    return zw_kernel_has(g->gaussian.period.kernel, ZW_SET(SECOND)) &&
           g->options.weight != ZW_GAUSS_ACCELERATION;
}

static double euclidean_norm(int n, const double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* H by central differences of the gradient: for Gaussians with jumps, whose displacement is
 * included, and where there are no second derivatives */
static void difference_hessian(zw_gauss_integral *g, const double *x, double *H) {
    int n = g->gaussian.unknowns;
    double step = GRADIENT_STEP * (euclidean_norm(n, x) + SIZE_LEAST),
           *shifted_gradient = g->factor;
    zw_gaussian_value value;
    memcpy(g->trial, x, sizeof(double) * (size_t)n);
    for (int i = 0; i < n; i++) {
        for (int direction = 1; direction >= -1; direction -= 2) {
            g->trial[i] = x[i] + direction * step;
            zw_gauss_total(g, g->trial, &value);
            zw_gaussian_derive(&g->gaussian, false, shifted_gradient, NULL);
            for (int j = 0; j < n; j++)
                H[i * n + j] = direction > 0 ? shifted_gradient[j]
                                             : (H[i * n + j] - shifted_gradient[j]) / (2 * step);
        }
        g->trial[i] = x[i];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            H[i * n + j] = H[j * n + i] = 0.5 * (H[i * n + j] + H[j * n + i]);
}

void zw_gauss_slopes(zw_gauss_integral *g, const double *x, bool exact) {
    bool formulas = !g->gaussian.jumps && zw_gauss_has_second(g);
    zw_gaussian_derive(&g->gaussian, exact && formulas, g->gradient, g->H);
    if (exact && !formulas)
        difference_hessian(g, x, g->H);
}

static zw_status report_no_value(zw_error *err) {
    return zw_fail(err, ZW_E_NUMERIC,
                   "the Gaussian has no value there: the mass matrix has no inverse at some time, "
                   "or a force is not finite");
}

zw_status zw_gauss_integral_value(zw_gauss_integral *g, const double *x, double a, double *value,
                                  double *gradient, zw_error *err) {
    zw_gaussian_value v;
    ZW_TRY(zw_gauss_set_value(g, a, err));
    if (!isfinite(zw_gauss_total(g, x, &v)))
        return report_no_value(err);
    *value = v.G;
    if (gradient)
        zw_gaussian_derive(&g->gaussian, false, gradient, NULL);
    return ZW_OK;
}

zw_status zw_gauss_integral_second(zw_gauss_integral *g, const double *x, double a, double *H,
                                   zw_error *err) {
    double value;
    if (!zw_gauss_has_second(g))
        return zw_fail(
            err, ZW_E_OPTION,
            "second derivatives need ZW_FN_SECOND of the kernel, and the weight of masses "
            "or of forces");
    ZW_TRY(zw_gauss_integral_value(g, x, a, &value, NULL, err));
    zw_gauss_slopes(g, x, true);
    memcpy(H, g->H, sizeof(double) * (size_t)(g->gaussian.unknowns * g->gaussian.unknowns));
    return ZW_OK;
}

zw_status zw_gauss_integral_forces(zw_gauss_integral *g, const double *x, double a, double *force,
                                   double *lambda, zw_error *err) {
    const zw_kernel *k = g->gaussian.period.kernel;
    size_t samples = (size_t)zw_gauss_integral_samples(g);
    double value;
    if (g->options.switches)
        return zw_fail(err, ZW_E_OPTION,
                       "forces are given at equidistant points: leave out the switches");
    ZW_TRY(zw_gauss_integral_value(g, x, a, &value, NULL, err));
    if (force)
        memcpy(force, g->gaussian.force, sizeof(double) * samples * (size_t)k->nv);
    if (lambda)
        memcpy(lambda, g->gaussian.lambda, sizeof(double) * samples * (size_t)k->nc);
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- a step */

/* the Cholesky factor L of H + mu diag H; false: the matrix is not positive */
static bool factor_matrix(zw_gauss_integral *g, const double *H, double mu) {
    int n = g->gaussian.unknowns;
    double *L = g->factor, largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(H[i * n + i]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = H[i * n + j];
            if (i == j)
                sum += mu * (fabs(sum) + DIAGONAL_LEAST * largest);
            for (int k = 0; k < j; k++)
                sum -= L[i * n + k] * L[j * n + k];
            if (i > j)
                L[i * n + j] = sum / L[j * n + j];
            else if (sum > PIVOT_LEAST * fabs(H[i * n + i]))
                L[i * n + i] = sqrt(sum);
            else
                return false;
        }
    return true;
}

bool zw_gauss_solve(zw_gauss_integral *g, const double *H, const double *gradient, double mu,
                    double *step) {
    int n = g->gaussian.unknowns;
    const double *L = g->factor;
    if (!factor_matrix(g, H, mu))
        return false;
    for (int i = 0; i < n; i++) {
        double sum = -gradient[i];
        for (int k = 0; k < i; k++)
            sum -= L[i * n + k] * step[k];
        step[i] = sum / L[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            step[i] -= L[k * n + i] * step[k];
        step[i] /= L[i * n + i];
    }
    return true;
}

/* the decrease of the quadratic model along the step */
static double predicted_decrease(const zw_gauss_integral *g) {
    int n = g->gaussian.unknowns;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double row = 0;
        for (int j = 0; j < n; j++)
            row += g->H[i * n + j] * g->step[j];
        sum -= g->step[i] * (g->gradient[i] + 0.5 * row);
    }
    return sum;
}

/* Takes one step from x, where the derivatives are known; false: the value falls no more. small:
 * the step was as small as the tolerance. */
static bool take_step(zw_gauss_integral *g, double *x, double *total, double *mu, int *evaluations,
                      bool *small) {
    int n = g->gaussian.unknowns;
    for (; *mu < MU_MOST; *mu = fmax(10 * *mu, MU_FIRST)) {
        zw_gaussian_value value;
        if (!zw_gauss_solve(g, g->H, g->gradient, *mu, g->step))
            continue;
        for (int i = 0; i < n; i++)
            g->trial[i] = x[i] + g->step[i];
        double expected = predicted_decrease(g), new = zw_gauss_total(g, g->trial, &value);
        ++*evaluations;
        *small = euclidean_norm(n, g->step) <= g->options.tolerance * (1 + euclidean_norm(n, x));
        if (new<*total && * total - new> DECREASE_LEAST * expected) {
            if (*total - new > PREDICTION_GOOD * expected)
                *mu = fmax(*mu / 30, MU_LEAST);
            *total = new;
            memcpy(x, g->trial, sizeof(double) * (size_t)n);
            return true;
        }
        if (*small)
            return false;
    }
    return false;
}

/* Is the decrease that the model predicts rounding? */
static bool is_rounding(const zw_gauss_integral *g, double total, double first) {
    return predicted_decrease(g) <= ZW_ROUNDOFF_VALUE * total + REST_LEAST * first;
}

static void descend_minimum(zw_gauss_integral *g, double *x, double total, zw_gauss_result *r) {
    bool exact = g->options.method == ZW_GAUSS_NEWTON, small = false;
    double mu = exact ? 0 : MU_GAUSS_NEWTON, first = total, previous = INFINITY;
    int slow = 0;
    zw_gaussian_value value;
    zw_gauss_total(g, x, &value);
    for (r->iterations = 0; r->iterations < g->options.iterations; r->iterations++) {
        exact |= (r->iterations >= LINEAR || slow >= SLOW) && zw_gauss_has_second(g);
        zw_gauss_slopes(g, x, exact);
        bool accepted = take_step(g, x, &total, &mu, &r->evaluations, &small);
        if (!accepted) {
            r->converged = small || is_rounding(g, total, first);
            break;
        }
        if (small) {
            r->converged = true;
            break;
        }
        double step = euclidean_norm(g->gaussian.unknowns, g->step);
        bool is_slow = step > previous / 3 &&
                       step < SHORT_STEP * (euclidean_norm(g->gaussian.unknowns, x) + SIZE_LEAST);
        slow = is_slow ? slow + 1 : 0;
        previous = step;
    }
}

/* some steps of Newton's method for gradient = 0 */
static void polish_minimum(zw_gauss_integral *g, double *x, zw_gauss_result *r) {
    int n = g->gaussian.unknowns;
    zw_gaussian_value value;
    if (!zw_gauss_has_second(g) || (g->gaussian.jumps && n > POLISH_MOST))
        return;
    for (int i = 0; i < POLISH; i++) {
        zw_gauss_total(g, x, &value);
        zw_gauss_slopes(g, x, true);
        double previous = euclidean_norm(n, g->gradient);
        if (!zw_gauss_solve(g, g->H, g->gradient, 0, g->step) ||
            euclidean_norm(n, g->step) > POLISH_STEP * (euclidean_norm(n, x) + SIZE_LEAST))
            return;
        for (int k = 0; k < n; k++)
            g->trial[k] = x[k] + g->step[k];
        r->evaluations++;
        if (!isfinite(zw_gauss_total(g, g->trial, &value)))
            return;
        zw_gaussian_derive(&g->gaussian, false, g->gradient, NULL);
        if (!(euclidean_norm(n, g->gradient) < previous))
            return;
        memcpy(x, g->trial, sizeof(double) * (size_t)n);
    }
}

/* makes the integral with twice the points */
static zw_status require_check(zw_gauss_integral *g, zw_error *err) {
    if (g->check)
        return ZW_OK;
    g->check = ZW_NEW(&g->arena, zw_gaussian, 1);
    if (!g->check)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_gaussian_make(g->check, &g->arena, g->gaussian.period.kernel, &g->options,
                            2 * g->gaussian.density, err));
    zw_gaussian_set(g->check, g->p, g->w);
    return ZW_OK;
}

zw_status zw_gauss_error(zw_gauss_integral *g, const double *x, double *error, zw_error *err) {
    zw_gaussian_value value, finer;
    double total = zw_gauss_total(g, x, &value);
    ZW_TRY(require_check(g, err));
    g->check->hold = g->gaussian.hold;
    *error = zw_gaussian_value_at(g->check, x, &finer) == ZW_OK
                 ? fabs(finer.G + finer.defect - total)
                 : INFINITY;
    return ZW_OK;
}

static zw_status fill_result(zw_gauss_integral *g, const double *x, zw_gauss_result *r,
                             zw_error *err) {
    zw_gaussian_value value;
    ZW_TRY(zw_gauss_error(g, x, &r->error, err));
    zw_gauss_total(g, x, &value);
    zw_gaussian_derive(&g->gaussian, false, g->gradient, NULL);
    r->value = value.G;
    r->defect = value.defect;
    r->gradient = euclidean_norm(g->gaussian.unknowns, g->gradient);
    return ZW_OK;
}

/* replaces the present sum by the finer one */
static void take_finer(zw_gauss_integral *g) {
    g->gaussian = *g->check;
    g->check = NULL;
}

static zw_status minimise_once(zw_gauss_integral *g, double *x, zw_gauss_result *r, zw_error *err) {
    zw_gaussian_value value;
    double total = zw_gauss_total(g, x, &value);
    if (!isfinite(total))
        return report_no_value(err);
    if (g->options.method == ZW_GAUSS_BFGS || g->options.method == ZW_GAUSS_NELDER_MEAD)
        ZW_TRY(zw_gauss_nlopt_minimise(g, x, r, err));
    else
        descend_minimum(g, x, total, r);
    if (r->converged && g->options.method != ZW_GAUSS_NELDER_MEAD)
        polish_minimum(g, x, r);
    return fill_result(g, x, r, err);
}

/* G at rest, or at x where rest has no value */
static double value_at_rest(zw_gauss_integral *g, const double *x) {
    zw_gaussian_value value;
    memset(g->trial, 0, sizeof(double) * (size_t)g->gaussian.unknowns);
    double rest = zw_gauss_total(g, g->trial, &value);
    return isfinite(rest) ? rest : zw_gauss_total(g, x, &value);
}

zw_status zw_gauss_integral_minimise(zw_gauss_integral *g, double *x, double a,
                                     zw_gauss_result *result, zw_error *err) {
    zw_gauss_result r = {0};
    ZW_TRY(zw_gauss_set_value(g, a, err));
    double rest = value_at_rest(g, x);
    ZW_TRY(minimise_once(g, x, &r, err));
    while (r.error > INTEGRAL_ACCURATE * (r.value + r.defect) + REST_ROUNDOFF * rest &&
           g->gaussian.density < DENSEST) {
        take_finer(g);
        ZW_TRY(minimise_once(g, x, &r, err));
    }
    if (result)
        *result = r;
    return ZW_OK;
}

zw_status zw_gauss_integral_march(zw_gauss_integral *g, double *x, int n, const double *a,
                                  zw_gauss_take take, void *user, zw_error *err) {
    for (int i = 0; i < n; i++) {
        zw_gauss_result r;
        ZW_TRY(zw_gauss_integral_minimise(g, x, a[i], &r, err));
        zw_status status = take(user, a[i], x, &r, err);
        if (status != ZW_OK)
            return status == ZW_STOPPED ? ZW_OK : status;
    }
    return ZW_OK;
}

bool zw_gauss_is_minimum(zw_gauss_integral *g, const double *x) {
    zw_gaussian_value value;
    if (!zw_gauss_has_second(g))
        return true;
    zw_gauss_total(g, x, &value);
    zw_gauss_slopes(g, x, true);
    return factor_matrix(g, g->H, MINIMUM_SHIFT);
}

/* ----------------------------------------------------------------------------------- the motion */

static double mean_square(const zw_fourier *f, const double *c) {
    double sum = 0;
    for (int i = 0; i < f->n; i++)
        sum += c[i] * c[i] * (i == 0 && f->harmonic[0] == 0 ? 1 : 0.5);
    return sum;
}

double zw_gauss_integral_rms(const zw_gauss_integral *g, const double *x, int function) {
    const zw_fourier *f = &g->gaussian.period.fourier;
    return sqrt(mean_square(f, x + (size_t)(function * f->n)));
}

double zw_gauss_distance(const zw_gauss_integral *g, const double *x, const double *y) {
    const zw_fourier *f = &g->gaussian.period.fourier;
    double sum = 0;
    for (int i = 0; i < g->gaussian.unknowns; i++) {
        double d = x[i] - (y ? y[i] : 0);
        sum += d * d * (i % f->n == 0 && f->harmonic[0] == 0 ? 1 : 0.5);
    }
    return sqrt(sum);
}

void zw_gauss_integral_part(const zw_gauss_integral *g, const double *x, int function, int harmonic,
                            double *c, double *s) {
    const zw_fourier *f = &g->gaussian.period.fourier;
    *c = *s = 0;
    for (int i = 0; i < f->nharmonic; i++)
        if (f->harmonic[i] == harmonic) {
            const double *at = x + (size_t)(function * f->n + zw_fourier_first(f, i));
            *c = at[0];
            *s = harmonic ? at[1] : 0;
        }
}

double zw_gauss_integral_at(const zw_gauss_integral *g, const double *x, int function, double tau) {
    const zw_fourier *f = &g->gaussian.period.fourier;
    return zw_fourier_at(f, x + (size_t)(function * f->n), 0, tau);
}

void zw_gauss_integral_embed(const zw_gauss_integral *from, const double *x,
                             const zw_gauss_integral *to, double *y) {
    const zw_fourier *f = &to->gaussian.period.fourier;
    for (int i = 0; i < to->gaussian.moving; i++)
        for (int k = 0; k < f->nharmonic; k++) {
            double c, s, *at = y + (size_t)(i * f->n + zw_fourier_first(f, k));
            zw_gauss_integral_part(from, x, i, f->harmonic[k], &c, &s);
            at[0] = c;
            if (f->harmonic[k])
                at[1] = s;
        }
}
