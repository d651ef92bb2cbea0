/* SPDX-License-Identifier: MIT */
/* The table of integration methods, and the choice among them.
 *
 * The default is the explicit pair of order 8(7), which needs the least time at equal error
 * (bench/work_precision.c). If its steps are limited by stability and not by accuracy, the motion
 * is stiff, and Radau IIA replaces it. Both satisfy the constraints by projecting every step. */
#include <string.h>

#include "num/events/switching.h"
#include "num/internal.h"
#include "num/options.h"

static const zw_method *const methods[] = {
#define METHOD(name) &zw_num_##name,
#include "num/methods.def"
#undef METHOD
};
enum { METHODS = sizeof methods / sizeof *methods };

const zw_method *zw_num_method_named(const char *name) {
    for (int i = 0; name && i < METHODS; i++)
        if (strcmp(methods[i]->name, name) == 0)
            return methods[i];
    return NULL;
}

bool zw_run_method(int number, const char **name, const char **about) {
    if (number < 1 || number > METHODS)
        return false;
    const zw_method *m = methods[number - 1];
    *name = m->name;
    *about = m->about;
    return true;
}

/* the method, with the reason for it */
static const zw_method *choose_method(zw_run *run) {
    run->info.why = "";
    if (run->asked)
        return run->asked;
    if (run->flow->massless) {
        run->info.why = "velocities without inertia make the equations implicit";
        return &zw_num_ida;
    }
    if (run->options.constraints == ZW_KEEP_GGL) {
        run->info.why = "the stabilised form (GGL) is integrated by IDA";
        return &zw_num_ida;
    }
    run->info.why = "no stiffness found";
    return &zw_num_rk87;
}

/* An option that the method does not use is an error. */
static zw_status check_steps(const zw_run_options *o, const zw_method *m, zw_error *err) {
    bool can_fix = m->traits & (ZW_TRAIT_FIXED_STEP | ZW_TRAIT_CAN_FIX_STEP);
    if ((m->traits & ZW_TRAIT_FIXED_STEP) && !(o->step > 0)) {
        zw_fail(err, ZW_E_OPTION, "method %s has a fixed step, and none is given", m->name);
        zw_error_hint(err, "give --step: a hundredth of the fastest period is a good start");
        return ZW_E_OPTION;
    }
    if (o->step > 0 && !can_fix) {
        zw_fail(err, ZW_E_OPTION,
                "method %s chooses its steps automatically, so --step %g is not used", m->name,
                o->step);
        zw_error_hint(err,
                      "--step-max limits them; --method erk, rattle and energy have a fixed step");
        return ZW_E_OPTION;
    }
    if (o->step > 0 && o->step_max > 0) {
        zw_fail(err, ZW_E_OPTION, "the step is fixed, --step-max %g is not used", o->step_max);
        zw_error_hint(err, "leave out one of --step and --step-max");
        return ZW_E_OPTION;
    }
    if (o->order != 0 && !(m->traits & ZW_TRAIT_ORDERS)) {
        zw_fail(err, ZW_E_OPTION, "method %s has no choice of orders, --order %d is not used",
                m->name, o->order);
        zw_error_hint(err, "erk has orders 2 to 8; rattle and energy have 2, 4 and 6");
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

/* rejects options that contradict each other */
static zw_status check_choice(const zw_run *run, const zw_method *m, zw_error *err) {
    zw_keep keep = run->options.constraints;
    ZW_TRY(check_steps(&run->options, m, err));
    if (m == &zw_num_adams && zw_num_has_constraints(run->k) && keep != ZW_KEEP_PARTITION) {
        zw_fail(err, ZW_E_OPTION, "Adams' method cannot keep constraints and unit quaternions");
        zw_error_hint(err, "--method bdf or auto, or --constraints partition");
        return ZW_E_OPTION;
    }
    bool own_way = keep == ZW_KEEP_PARTITION || (m == &zw_num_ida && keep == ZW_KEEP_PROJECTION);
    if ((m->traits & ZW_TRAIT_CONSTRAINTS) && own_way) {
        zw_fail(err, ZW_E_OPTION, "method %s keeps constraints in its own way", m->name);
        zw_error_hint(err, "leave out --constraints, or choose another --method");
        return ZW_E_OPTION;
    }
    if (keep == ZW_KEEP_GGL && m != &zw_num_ida) {
        zw_fail(err, ZW_E_OPTION, "method %s cannot keep constraints by GGL", m->name);
        zw_error_hint(err, "use --method ida or auto");
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

static zw_status check_supplied(const zw_method *m, zw_error *err) {
    if (m->name && m->title && m->create && m->destroy && m->start && m->step && m->dense &&
        m->statistics)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "the supplied method %s is not complete", m->name ? m->name : "");
    zw_error_hint(
        err, "land, leave and polynomial may be NULL; name, title and the other functions may not");
    return ZW_E_OPTION;
}

zw_status zw_num_check_options(const zw_run *run, zw_error *err) {
    if (run->options.supplied)
        ZW_TRY(check_supplied(run->options.supplied, err));
    return run->asked ? check_choice(run, run->asked, err) : ZW_OK;
}

/* sets how constraints are satisfied, by the options and the method */
static zw_status set_formulation(zw_run *run, const zw_method *m, zw_error *err) {
    bool any = zw_num_has_constraints(run->k);
    run->formulation = any && run->options.constraints == ZW_KEEP_PARTITION ? ZW_KEEP_PARTITION
                                                                            : ZW_KEEP_PROJECTION;
    run->info.constraints = !any                                    ? ""
                            : m == &zw_num_ida                      ? "stabilised index 2 (GGL)"
                            : m->traits & ZW_TRAIT_CONSTRAINTS      ? "the method itself"
                            : run->formulation == ZW_KEEP_PARTITION ? "partition"
                                                                    : "projection";
    return run->formulation == ZW_KEEP_PARTITION && !run->partition
               ? zw_num_partition_create(run, err)
               : ZW_OK;
}

static zw_status use_method(zw_run *run, const zw_method *m, zw_error *err) {
    if (m != run->method) {
        if (run->method)
            run->method->destroy(run);
        run->method = m;
        zw_status status = m->create(run, err);
        if (status < 0) { /* the next start must not use it */
            m->destroy(run);
            run->method = NULL;
            return status;
        }
    }
    run->info.method = m->title;
    return ZW_OK;
}

/* a Jacobian in the free part of the state needs the gradients of the constraints, too */
static zw_functions needs_of(const zw_run *run, const zw_method *m) {
    bool partition = run->formulation == ZW_KEEP_PARTITION && (m->needs & ZW_SET(JAC));
    return m->needs | (partition ? ZW_SET(GRAD) : 0);
}

zw_status zw_num_choose(zw_run *run, zw_error *err) {
    const zw_method *m = choose_method(run);
    ZW_TRY(check_choice(run, m, err));
    ZW_TRY(set_formulation(run, m, err));
    ZW_TRY(zw_num_need(run, needs_of(run, m), m->title, err));
    return use_method(run, m, err);
}

void zw_num_expect_stiff(zw_run *run, const char *why) {
    run->stiff = why;
}

zw_status zw_num_reconsider(zw_run *run, zw_error *err) {
    if (run->asked || !(run->advice || run->stiff) || run->method != &zw_num_rk87)
        return ZW_OK;
    zw_error ignored = {0};
    if (zw_num_need(run, needs_of(run, &zw_num_radau), zw_num_radau.title, &ignored) < 0) {
        run->advice = run->stiff = NULL; /* without a Jacobian the explicit method continues */
        return ignored.status == ZW_E_MISSING ? ZW_OK : zw_num_pass_on(&ignored, err);
    }
    run->method->statistics(run, &run->info);
    ZW_TRY(use_method(run, &zw_num_radau, err));
    run->info.why =
        run->stiff ? run->stiff : "the steps of an explicit method were bound by stability";
    run->advice = NULL;
    return run->method->start(run, err);
}

zw_status zw_num_pass_on(const zw_error *trouble, zw_error *err) {
    /* a projection that fails during a run is no fault of the start */
    zw_status status = trouble->status == ZW_E_START ? ZW_E_NUMERIC : trouble->status;
    zw_fail(err, status, "%s", trouble->text);
    if (trouble->hint[0] && status == trouble->status)
        zw_error_hint(err, "%s", trouble->hint);
    else if (trouble->status == ZW_E_START)
        zw_error_hint(
            err, "the constraints contradict each other from there on (--without NAME switches "
                 "one off), or the position is singular (--by gauss passes those)");
    return status;
}

void zw_num_forget(zw_run *run) {
    run->trouble.status = ZW_OK; /* zw_fail sets the rest */
}

zw_status zw_num_give_up(zw_run *run, double t, const char *what, zw_error *err) {
    /* a function that still fails is the reason, not the report of the method */
    if (run->trouble.status < 0)
        return zw_num_pass_on(&run->trouble, err);
    zw_fail(err, ZW_E_NUMERIC, "the step became too small at t = %.10g: %s", t, what);
    zw_error_hint(err, "if the motion has no jump or pole there, the tolerances may be below the "
                       "rounding error: raise --atol or --rtol");
    return ZW_E_NUMERIC;
}

/* ---- functions of a run for methods ---- */

const zw_method *zw_method_of(const zw_run *run) {
    return run->method;
}

const zw_run_options *zw_method_options(const zw_run *run) {
    return &run->options;
}

void **zw_method_own(zw_run *run) {
    return &run->stepper;
}

zw_allocator zw_method_allocator(const zw_run *run) {
    return run->alloc;
}

int zw_method_size(const zw_run *run) {
    return run->ny;
}

double *zw_method_state(zw_run *run) {
    return run->y;
}

double zw_method_time(const zw_run *run) {
    return run->now;
}

int zw_method_direction(const zw_run *run) {
    return run->direction;
}

double zw_method_first_step(const zw_run *run) {
    return run->first_step;
}

double zw_method_stop(const zw_run *run) {
    bool sooner = (run->lead - run->stop) * run->direction < 0;
    bool ahead = (run->lead - run->now) * run->direction > 0;
    return sooner && ahead ? run->lead : run->stop;
}

double zw_method_unwatched(const zw_run *run) {
    const zw_kernel *k = run->k;
    bool jumps =
        run->method->traits & ZW_TRAIT_JUMPS; /* its contacts are checked from time to time */
    bool looked_at = k->nevt > 0 || (k->nfooting > 0 && !jumps) || k->nswitch > 0 || !run->coarse;
    return looked_at ? run->now : run->target;
}

void zw_method_several(zw_run *run, long steps) {
    run->info.steps += steps - 1;
}

void zw_method_moved(zw_run *run, double now) {
    run->before = run->now;
    run->now = run->reached = now;
}

zw_status zw_method_rate(zw_run *run, double t, const double *y, double *rate, zw_error *err) {
    return zw_num_rate(run, t, y, rate, err);
}

zw_status zw_method_rate_jacobian(zw_run *run, double t, const double *y, double *J,
                                  zw_error *err) {
    return zw_num_rate_jacobian(run, t, y, J, err);
}

void zw_method_warning(zw_run *run, zw_warning_kind kind, int index, double t, double value) {
    zw_num_warning(run->flow, kind, index, t, value);
}

zw_status zw_method_settle(zw_run *run, double t, double *y, zw_error *err) {
    return zw_num_settle(run, t, y, err);
}
