/* SPDX-License-Identifier: MIT */
/* Orbits in families whose member is not determined. With k integrals of the motion, k of the
 * equations of an orbit are redundant and k unknowns remain free (motion/segments/periodic.h). k is found
 * from the singular values of their matrix: at the guess by the widest gap between two of them, at
 * the orbit by those that vanish. An orbit is accepted if it closes along the integrals as well,
 * which no equation required, and if the matrix at the orbit confirms k. The member of the family
 * is the one nearest to the guess. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "branch/curve.h"
#include "motion/segments/periodic.h"
#include "orbits_family.h"

enum { TRIES = 4 };
/* Singular values relative to the largest. At an orbit k of them are below ZERO_SINGULAR, the error
 * of the matrix on meshes of the default tolerance times ten, and the next one is GAP_MIN times
 * larger. At a guess those below GUESS_SINGULAR may vanish; fewer where energy is not conserved,
 * since the run has then settled on the orbit. */
#define ZERO_SINGULAR 1e-5
#define GAP_MIN 30.0
#define GUESS_SINGULAR 0.03
#define SETTLED_SINGULAR 1e-4
#define SINGULAR_ROUNDOFF 1e-16 /* below eps: zero singular values have no ratio */

/* the singular values of the matrix of o->x (nx, the least first); from now on k equations are left
 * out */
static zw_status evaluate_singular(zw_orbits *o, double value, int k, double *singular,
                                   zw_error *err) {
    zw_cont_problem p = zw_orbits_problem(o);
    zw_arena_mark mark = zw_arena_mark_now(&o->arena);
    double *r = ZW_NEW(&o->arena, double, p.n + 2), *row = ZW_NEW(&o->arena, double, p.n + 2);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    row[p.n] = 1;
    zw_colloc_keep_last(o->c, true);
    zw_status status = p.residual(p.self, o->x, value, r, err);
    if (status == ZW_OK)
        status = p.factor(p.self, o->x, value, row, err); /* which may be singular */
    zw_colloc_keep_last(o->c, false);
    zw_arena_release(&o->arena, mark);
    if (status < 0)
        return status;
    return zw_colloc_find_family(o->c, k, singular, err);
}

zw_status zw_orbits_free_rows(zw_orbits *o, double value, zw_error *err) {
    double *singular = ZW_NEW(&o->arena, double, o->nx + 1);
    return singular ? evaluate_singular(o, value, o->free, singular, err)
                    : zw_out_of_memory(err, NULL);
}

/* of the numbers from `least` on that were not tried, the one followed by the widest gap; -1 if
 * none */
static int next_gap(const double *singular, double small, int least, int most, const bool *tried) {
    int best = -1;
    double widest = 0;
    for (int k = least > 0 ? least : 1; k <= most; k++) {
        double gap = singular[k] / fmax(singular[k - 1], SINGULAR_ROUNDOFF);
        if (!tried[k] && singular[k - 1] < small && gap > widest) {
            widest = gap;
            best = k;
        }
    }
    return best;
}

/* checks the orbit in o->x with o->free dimensions: it closes, and there are no more */
static zw_status check_dimension(zw_orbits *o, double value, double *singular, zw_error *err) {
    int k = o->free;
    if (!(o->leftover <= o->options.tolerance))
        return zw_fail(err, ZW_E_NUMERIC,
                       "it does not close: %.1e of its size are left along what should be "
                       "integrals of the motion",
                       o->leftover);
    ZW_TRY(evaluate_singular(o, value, k, singular, err));
    if (!(singular[k - 1] < ZERO_SINGULAR && singular[k] > GAP_MIN * singular[k - 1]))
        return zw_fail(err, ZW_E_NUMERIC, "the dimension of its family is not %d", k);
    return ZW_OK;
}

zw_status zw_orbits_reject_free(const zw_orbits *o, zw_error *err) {
    if (!o->free)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION,
            "--over %s: orbits of this model form a family with %d more dimension%s, so the branch "
            "is not determined",
            o->over.name, o->free, o->free == 1 ? "" : "s");
    zw_error_hint(
        err, o->nhidden > 0 ? "write what the velocity constraints imply for positions as position "
                              "constraints, or as observables"
             : !o->autonomous ? "state the conserved quantity as an observable, or start at a "
                                "value of the range at which none is conserved (--set)"
             : o->free == 1 && !o->family.kind
                 ? "if only the energy is conserved, use --over energy=A:B"
                 : "use zwang orbit without --over for a single orbit, from any start (--set)");
    return ZW_E_OPTION;
}

static zw_status try_all(zw_orbits *o, double value, int least, zw_error *err) {
    size_t bytes = sizeof(double) * (o->x_capacity - 1);
    double *guess = ZW_NEW(&o->arena, double, o->x_capacity),
           *singular = ZW_NEW(&o->arena, double, 2 * o->nx + 2), *mesh;
    bool *tried = ZW_NEW(&o->arena, bool, o->nx + 1);
    int n = zw_colloc_intervals(o->c), most = o->nx - 1;
    if (o->arena.failed || !(mesh = ZW_NEW(&o->arena, double, n + 1)))
        return zw_out_of_memory(err, NULL);
    memcpy(guess, o->x, bytes);
    memcpy(mesh, zw_colloc_mesh(o->c), sizeof(double) * (size_t)(n + 1));
    o->free = 0;
    ZW_TRY(zw_colloc_refer(o->c, o->x, zw_orbits_inner_value(o, o->x, value), err));
    ZW_TRY(evaluate_singular(o, value, 0, singular, err));
    zw_status status = zw_fail(err, ZW_E_NUMERIC, "no solution was found near the start");
    for (int i = 0; i < TRIES; i++) {
        int k = next_gap(singular, o->conserves ? GUESS_SINGULAR : SETTLED_SINGULAR, least, most,
                         tried);
        if (k < 0)
            break;
        if (err)
            *err = (zw_error){0};
        tried[k] = true;
        o->free = k;
        if (zw_colloc_intervals(o->c) != n) {
            double *list[] = {o->x};
            ZW_TRY(zw_orbits_adapt(o, n, 1, list, err));
        }
        memcpy(o->x, guess, bytes);
        ZW_TRY(zw_colloc_set_mesh(o->c, mesh, err));
        status = zw_orbits_refine(o, value, err);
        if (status >= 0)
            status = check_dimension(o, value, singular + o->nx + 1, err);
        if (status != ZW_E_NUMERIC || o->is_point)
            break;
        o->free = 0;
    }
    return status;
}

zw_status zw_orbits_select_member(zw_orbits *o, double value, const double *start, zw_error *err) {
    zw_cont_problem p = zw_orbits_problem(o);
    zw_arena_mark mark = zw_arena_mark_now(&o->arena);
    double *x = ZW_NEW(&o->arena, double, p.n + 1), leftover = o->leftover;
    if (!x)
        return zw_out_of_memory(err, NULL);
    if (!o->free || o->family.kind)
        return ZW_OK;
    memcpy(x, o->x, sizeof(double) * (size_t)p.n);
    zw_status status = zw_orbits_free_rows(o, value, NULL);
    if (status == ZW_OK)
        status = zw_colloc_hold(o->c, start, NULL);
    if (status == ZW_OK)
        status = zw_cont_correct(&p, ZW_NEWTON, o->x, value, NULL, NULL, NULL);
    if (status == ZW_OK)
        zw_orbits_store_closing(o);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (status != ZW_OK || !(o->leftover <= o->options.tolerance)) {
        memcpy(o->x, x, sizeof(double) * (size_t)p.n);
        o->leftover = leftover;
    }
    zw_arena_release(&o->arena, mark);
    return zw_colloc_refer(o->c, o->x, zw_orbits_inner_value(o, o->x, value), err);
}

zw_status zw_orbits_refine_free(zw_orbits *o, double value, zw_error *err) {
    zw_error trouble = {0};
    zw_arena_mark mark = zw_arena_mark_now(&o->arena);
    o->free = 0;
    zw_status status = ZW_E_NUMERIC;
    if (!o->conserves || o->family.kind)
        status = zw_orbits_refine(o, value, err);
    if (status != ZW_E_NUMERIC || o->is_point)
        return status;
    status = try_all(o, value, o->family.kind ? 0 : 1, &trouble);
    zw_arena_release(&o->arena, mark);
    if (status >= 0 && err)
        *err = (zw_error){0};
    if (status < 0 && err && !err->text[0])
        *err = trouble;
    return status;
}
