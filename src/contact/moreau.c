/* SPDX-License-Identifier: MIT */
/* The stepping of zwang/contact.h. A step evaluates the kernel once at the middle, factorises the
 * masses, hands the closed contacts to the solver as one frozen problem (frozen.h) and moves on;
 * nothing is allocated.
 *
 * Between steps the state is a straight line from beginning to end, velocities too: an impact takes
 * one step. Controlled steps without an impact, which may be long, are parabolas for the positions.
 * Works are impulse times mean velocity, P . (gamma_A + gamma_E)/2, which is the change of the
 * kinetic energy of the frozen system.
 *
 * Gaps count as closed up to the round-off of the coordinates they are computed from: a resting
 * body would otherwise fall for a step whenever round-off lifts it.
 *
 * The error of a step is estimated by the same step in two halves: their distance is half of the
 * error of a method of first order. With step control every step is compared, and is short enough
 * for the tolerances of the run: at impacts as short as the required accuracy of the time of the
 * impact. Where the contacts have the same states in the step and in both halves, the motion
 * continues from 2 x(halves) - x(step), which is of second order.
 *
 * A contact that was open and approached so fast that one step carried it through, and that
 * separates on the other side without having been closed in between, has been passed through: a
 * warning reports it. */
#include "zwang/contact.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "law.h"
#include "moreau.h"
#include "num/internal.h"
#include "solver.h"

/* Reversals of bilateral normals in a step; corrections of gaps; steps between checks for
 * interruption; one in EXAMINED controlled steps is examined; closed contacts up to which slip
 * reversals are errors. */
enum { TURNS_MAX = 20, CORRECTIONS = 3, STEPS_AT_ONCE = 256, EXAMINED = 64, FEW = 4 };
/* SHORTEST: least length of a controlled step relative to the longest: impacts are then known to
 * 1e-7 of it, and the longest step is not 0 after their round-off. TWIN_LOOSER: ratio of the
 * tolerances of the twin to those of the run. GOLDEN: ratio of the longest steps of both,
 * irrational: they never end at common times. SUDDEN: change of the velocity of a support, relative
 * to the largest between steps so far, from which it has jumped. Chosen by trial: separates jumps
 * from accelerations that change. */
static const double SHORTEST = 1e-7, TWIN_LOOSER = 10, GOLDEN = 1.618033988749895, SUDDEN = 100;
/* Largest residual of a contact problem that is accepted: a thousand times the solver's tolerance.
 * More would be visible in the motion. */
#define RESIDUAL_MAX 1e-6
/* Rate of a bilateral contact relative to the velocities of the step that is 0: the default
 * tolerance of the solver. */
#define BILATERAL_AT_REST 1e-9
/* Gap of a bilateral contact [m] that is not corrected: 4 eps for a model of the size of a
 * metre. */
#define BILATERAL_CLOSED 1e-15
/* Iterations that are counted: they are summed in an int. */
#define ITERATIONS_COUNTED 1e9

void zw_moreau_options_init(zw_moreau_options *options, size_t size) {
    zw_moreau_options all = {.size = size, .worst = RESIDUAL_MAX};
    zw_contact_options_init(&all.solver, sizeof all.solver);
    all.solver.warm = true;
    zw_options_begin(options, size, &all, sizeof all);
}

/* ---- lifecycle ---- */

static void slice_arrays(zw_moreau *m, const zw_kernel *k, zw_slicer *s) {
    double **states[] = {&m->from, &m->to, &m->middle, &m->halves, &m->own, &m->start_difference};
    double **places[] = {&m->rate, &m->low, &m->high, &m->apart, &m->impact_error, &m->bend};
    double **rows[] = {&m->P, &m->old, &m->old_before, &m->support, &m->gamma,    &m->free,
                       &m->q, &m->r,   &m->sum,        &m->probe,   &m->response, &m->slid};
    zw_frozen_slice(&m->frozen, k, s);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        *states[i] = zw_slice_doubles(s, k->nx);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        *rows[i] = zw_slice_doubles(s, k->ntouch);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        *places[i] = zw_slice_doubles(s, k->nq);
    m->turned_before = zw_slice_ints(s, k->ncontact);
    m->since_closed = zw_slice_ints(s, k->ncontact);
    m->pushed = zw_slice_doubles(s, k->ncontact);
    m->du = zw_slice_doubles(s, k->nv);
    m->du_response = zw_slice_doubles(s, k->nv);
    m->z = zw_slice_doubles(s, k->nz > k->nq ? k->nz : k->nq);
    m->law = zw_slice_doubles(s, k->nlaw);
    m->closed = zw_slice_ints(s, k->ncontact);
    m->was_closed = zw_slice_bools(s, k->ncontact);
    m->gap = zw_slice_doubles(s, k->ncontact);
    m->plastic = zw_slice_bools(s, k->ncontact);
    m->last = zw_slice_doubles(s, k->ncontact);
    m->change = zw_slice_doubles(s, k->ncontact);
    m->gap_rate = zw_slice_doubles(s, k->ncontact);
    m->end_gap = zw_slice_doubles(s, k->ncontact);
    m->edge = zw_slice_doubles(s, 2 * k->ncontact);
    m->new_gap = zw_slice_doubles(s, k->ncontact);
    m->turned = zw_slice_ints(s, k->ncontact);
    m->work = zw_slice_doubles(s, 2 * k->ncontact);
    m->rest = zw_slice_doubles(s, k->ntouch + 2 * k->ncontact);
    m->twofold = zw_slice_doubles(s, k->ntouch + 2 * k->ncontact);
    m->deepest = zw_slice_doubles(s, k->ncontact);
    m->state = zw_slice(s, sizeof *m->state * (size_t)k->ncontact);
    m->laws = zw_slice(s, sizeof *m->laws * (size_t)k->ncontact);
    m->all = zw_slice(s, sizeof *m->all * (size_t)k->ncontact);
}

/* rejects what this rule does not support */
static zw_status check_kernel(const zw_kernel *k, zw_error *err) {
    const char *why = k->ncontact == 0 ? "there are no contacts"
                      : k->unsymmetric ? "the equations have no symmetric mass matrix"
                      : k->tilted ? "forces depend on multipliers (write them as laws of contacts)"
                      : k->canonical ? "the velocities of the equations are momenta"
                      : k->nc != k->nvel
                          ? "constraints on accelerations are no constraints of impulses"
                          : NULL;
    if (!why)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "time stepping with impacts: %s", why);
    zw_error_hint(err, k->ncontact == 0 ? "choose another method" : "derive by lagrange");
    return ZW_E_OPTION;
}

/* one contact with three rows, unilateral, whose W the kernel computes */
static bool has_single_contact(const zw_kernel *k) {
    return k->hits && k->ncontact == 1 && k->contact[0].nrow == 3 && k->contact[0].nblock == 1 &&
           !k->contact[0].bilateral && !k->contact[0].absent;
}

static zw_status make_stepper(zw_run *run, zw_moreau **out, zw_error *err) {
    const zw_kernel *k = run->k;
    zw_moreau measured;
    zw_slicer need = {NULL, 0};
    zw_slice(&need, sizeof(zw_moreau));
    slice_arrays(&measured, k, &need);
    zw_slicer s = {zw_allocate(&run->alloc, need.used), 0};
    if (!s.base)
        return zw_out_of_memory(err, "time stepping");
    zw_moreau *m = *out = zw_slice(&s, sizeof(zw_moreau));
    slice_arrays(m, k, &s);
    m->bytes = need.used;
    m->options = zw_method_of(run)->user;
    m->plain = m->thorough = m->options->solver;
    m->plain.examine = false;
    m->plain.paradox = true;
    m->thorough.examine = true;
    m->loose = 1;
    zw_frozen_begin(&m->frozen);
    m->to_t = m->carried = NAN;
    m->solver = zw_contact_solver_create(&run->alloc);
    m->single_contact = has_single_contact(k);
    for (int i = 0; i < k->ncontact; i++) {
        m->turned[i] = 1;
        m->bilateral += k->contact[i].bilateral && !k->contact[i].absent;
    }
    return m->solver ? ZW_OK : zw_out_of_memory(err, "time stepping");
}

static zw_status create_steppers(zw_run *run, zw_error *err) {
    zw_moreau *m = NULL;
    ZW_TRY(check_kernel(run->k, err));
    zw_status status = make_stepper(run, &m, err);
    *zw_method_own(run) = m;
    if (status >= 0)
        status = make_stepper(run, &m->twin, err);
    if (status >= 0)
        m->twin->loose = m->options->control ? TWIN_LOOSER : ZW_MOREAU_TWICE;
    return status;
}

static void destroy_stepper(zw_run *run, zw_moreau *m) {
    if (!m)
        return;
    zw_contact_solver_destroy(m->solver);
    zw_release(&run->alloc, m, m->bytes);
}

static void destroy_steppers(zw_run *run) {
    zw_moreau *m = *zw_method_own(run);
    if (!m)
        return;
    destroy_stepper(run, m->twin);
    destroy_stepper(run, m);
    *zw_method_own(run) = NULL;
}

static void forget_sums(zw_moreau *m, const zw_kernel *k, double t) {
    memset(m->sum, 0, sizeof(double) * (size_t)k->ntouch);
    memset(m->work, 0, sizeof(double) * (size_t)(2 * k->ncontact));
    memset(m->deepest, 0, sizeof(double) * (size_t)k->ncontact);
    m->since = m->hardest = t;
    m->residual = 0;
    m->iterations = 0;
    m->steps = 0;
}

/* forgets everything about the contacts except their positions */
static void forget_steps(zw_moreau *m, const zw_kernel *k, double t) {
    memset(m->was_closed, 0, sizeof(bool) * (size_t)k->ncontact);
    for (int c = 0; c < k->ncontact; c++)
        m->since_closed[c] = ZW_MOREAU_RECENT + 1;
    memset(m->pushed, 0, sizeof *m->pushed * (size_t)k->ncontact);
    memset(m->state, 0, sizeof *m->state * (size_t)k->ncontact);
    m->scale = 0;
    m->to_t = t;
    forget_sums(m, k, t);
}

/* Does the motion continue at this time after an event within the last step? Otherwise a new motion
 * begins. */
static bool continues_at(const zw_moreau *m, double t) {
    return t == m->to_t || t == m->carried || (m->from_t < t && t < m->to_t);
}

/* ---- laws ---- */

static zw_friction friction_of(zw_friction_kind kind, int nrow, double nu, const double *n,
                               double h) {
    zw_friction f = zw_friction_block(kind, nrow, n[0]);
    for (int i = 0; i < ZW_FRICTION_ROWS_MAX; i++) {
        f.axis[i] = n[1 + i];
        f.pull[i] = n[6 + i];
    }
    f.smooth = n[4];
    f.damping = n[5] * h;
    f.nu = nu;
    return f;
}

static void set_law(const zw_contact_form *form, const double *number, double h,
                    zw_contact_law *law) {
    const double *n = number + form->number + 1;
    law->nblock = form->nblock;
    for (int b = 0; b < form->nblock; b++, n += ZW_LAW_NUMBERS)
        law->block[b] = friction_of(form->kind[b], form->block_rows[b], form->nu[b], n, h);
}

/* The laws of all contacts for steps of length h; where they are constant, only the parts that
 * depend on h. */
static void renew_laws(zw_moreau *m, const zw_kernel *k, const double *number, double h) {
    if (k->law_constant && m->law_h == h)
        return;
    for (int i = 0; i < k->ncontact; i++) {
        const double *n = number + k->contact[i].number + 1;
        if (!k->law_constant)
            set_law(&k->contact[i], number, h, &m->all[i]);
        for (int b = 0; b < k->contact[i].nblock; b++, n += ZW_LAW_NUMBERS)
            m->all[i].block[b].damping = n[5] * h;
    }
    m->law_h = h;
}

/* the coefficients of restitution of the rows of a contact */
static void list_restitutions(const zw_contact_form *form, const double *number, double *e) {
    const double *n = number + form->number;
    *e++ = form->bilateral ? 1 : n[0]; /* like a joint, see frozen.h: its normal does no work */
    n++;
    for (int b = 0; b < form->nblock; b++, n += ZW_LAW_NUMBERS)
        for (int i = 0; i < form->block_rows[b]; i++)
            *e++ = n[9];
}

/* ---- the contact problem of a step ---- */

/* A contact that has carried an impulse stays closed while its gap is below a thousandth of the
 * displacement of the step: the solver leaves velocities that are not quite zero, which would open
 * a resting contact for single steps. The laws still decide whether it pushes. Controlled steps are
 * as short as 1e-10 s: there a gap below the tolerances is closed, because a resting body must take
 * part in the impacts of others. It stays closed up to twice that gap, so that feet that rest
 * together do not open in turn, and an accelerated support does not leave a foot in the first short
 * step. */
static void find_closed(zw_moreau *m, const zw_kernel *k, double h) {
    double near = ZW_MOREAU_CLOSE * h * m->scale, size = 0;
    for (int i = 0; i < k->nq; i++)
        size = zw_size_larger(size, m->middle[i]);
    m->size = size;
    m->nclosed = 0;
    for (int i = 0; i < k->ncontact; i++) {
        double limit =
            fmax(ZW_MOREAU_ROUNDING * size, ZW_MOREAU_KNOWN * (m->atol + m->rtol * size));
        if (m->was_closed[i])
            limit = fmax(m->state[i] != ZW_CONTACT_OPEN ? near : 0, 2 * limit);
        if ((m->frozen.gap[i] <= limit || k->contact[i].bilateral) && !k->contact[i].absent)
            m->closed[m->nclosed++] = i;
    }
}

/* the problem of the closed contacts: laws, q = xi without impulses, and the old impulses to begin
 * with */
static void set_problem(zw_moreau *m, const zw_kernel *k, const double *number, double h,
                        zw_contact_problem *problem) {
    const zw_frozen *f = &m->frozen;
    int row = 0;
    double scale = 0;
    zw_frozen_free(f, h, m->free);
    for (int i = 0; i < m->nclosed; i++) {
        int c = m->closed[i];
        const zw_contact_form *form = &k->contact[c];
        double e[ZW_CONTACT_ROWS_MAX];
        list_restitutions(form, number, e);
        if (m->plastic[c])
            e[0] = 0;
        if (m->nclosed < k->ncontact)
            m->laws[i] = m->all[c];
        for (int a = 0; a < form->nrow; a++, row++) {
            int sign = a == 0 ? m->turned[c] : 1, at = form->row + a;
            double q = sign * (m->free[at] + e[a] * f->rate[at]);
            m->q[row] = q;
            scale = zw_size_larger(scale, q);
            m->r[row] = m->was_closed[c] ? sign * m->old[at] : 0;
        }
    }
    m->scale = scale;
    zw_frozen_problem(&m->frozen, m->nclosed, m->closed, m->turned, false, problem);
    problem->law = m->nclosed < k->ncontact ? m->laws : m->all;
    problem->q = m->q;
}

/* impulses of all rows; non-associated friction pushes less than its law gives (pull) */
static void take_impulses(zw_moreau *m, const zw_kernel *k) {
    int row = 0;
    for (int i = 0; i < m->nclosed; i++) {
        int c = m->closed[i], at = k->contact[c].row;
        m->old[at] = m->P[at] = m->turned[c] * m->r[row++];
        at++;
        for (int b = 0; b < k->contact[c].nblock; b++)
            for (int l = 0; l < k->contact[c].block_rows[b]; l++, at++, row++) {
                m->old[at] = m->r[row];
                m->P[at] = m->r[row] * m->all[c].block[b].pull[l];
            }
    }
}

/* Reverses the normals of bilateral contacts that would open. True if there are any. */
static bool reverse_opening(zw_moreau *m, const zw_kernel *k) {
    double scale = m->scale;
    bool any = false;
    for (int i = 0; i < k->ntouch; i++)
        scale = zw_size_larger(scale, m->frozen.rate[i]);
    for (int i = 0; i < m->nclosed; i++) {
        int c = m->closed[i];
        int row = k->contact[c].row;
        double left = m->gamma[row] + (m->plastic[c] ? 0 : m->frozen.rate[row]);
        if (!k->contact[c].bilateral || fabs(left) <= BILATERAL_AT_REST * scale)
            continue;
        m->turned[c] = -m->turned[c];
        any = true;
    }
    return any;
}

static void note_answer(zw_moreau *m, const zw_contact_answer *a, double t) {
    int iterations = a->path + a->newton + (int)fmin((double)a->iterations, ITERATIONS_COUNTED);
    m->iterations = iterations > m->iterations ? iterations : m->iterations;
    if (!(a->residual > m->residual))
        return;
    m->residual = a->residual;
    m->hardest = t;
}

/* Warnings where the laws have several solutions, or none that continues the slip. */
static void warn_of_ambiguity(zw_run *run, const zw_moreau *m, const zw_contact_answer *a,
                              double t) {
    int contact = m->nclosed == 1 ? m->closed[0] : -1;
    if (a->paradox == ZW_CONTACT_NO_SLIP)
        zw_method_warning(run, ZW_WARNING_PARADOX, contact, t, NAN);
    if (a->paradox == ZW_CONTACT_SEVERAL || a->motion == ZW_CONTACT_NOT_UNIQUE)
        zw_method_warning(run, ZW_WARNING_SEVERAL, contact, t, NAN);
    else if (a->forces == ZW_CONTACT_NOT_UNIQUE)
        zw_method_warning(run, ZW_WARNING_HYPERSTATIC, contact, t, NAN);
}

zw_status zw_moreau_judge(zw_run *run, zw_moreau *m, const zw_contact_answer *a, double t,
                          zw_error *err) {
    m->has_warnings |=
        a->paradox != ZW_CONTACT_NO_PARADOX || a->verdict == ZW_CONTACT_NOT_CONVERGED;
    if (m->is_reported)
        warn_of_ambiguity(run, m, a, t);
    if (a->verdict != ZW_CONTACT_NOT_CONVERGED)
        return ZW_OK;
    if (m->is_reported)
        zw_method_warning(run, ZW_WARNING_SOLVE, -1, t, a->residual);
    if (a->residual <= m->options->worst)
        return ZW_OK;
    zw_fail(
        err, ZW_E_NUMERIC,
        "the contact problem of the step at t = %.10g could not be solved: its residual is %.3g", t,
        a->residual);
    zw_error_hint(err, "try a smaller --step, or --solver gauss-seidel");
    return ZW_E_NUMERIC;
}

/* reports the contact that no velocity moves */
static zw_status report_immovable(zw_run *run, const zw_moreau *m, double t, zw_status status) {
    for (int i = 0; i < m->nclosed; i++)
        if (!zw_frozen_moves(&m->frozen, m->closed[i])) {
            zw_num_fault(run->flow, ZW_FAULT_MEET, m->closed[i], t, 0);
            break;
        }
    return status;
}

/* Is the solution of the present step examined for uniqueness? In the sampled steps; with step
 * control, which compares all of them, in one of EXAMINED. */
static bool is_examined(const zw_moreau *m) {
    return m->options->control ? (m->calls + 1) % EXAMINED == 0 : zw_moreau_is_due(m, m->calls + 1);
}

/* the impulses of the problem of the closed contacts, in m->r */
zw_status zw_moreau_impulses(zw_run *run, zw_moreau *m, const zw_contact_problem *problem, double t,
                             zw_contact_answer *answer, zw_error *err) {
    bool look = m->is_reported && is_examined(m);
    zw_status status =
        zw_contact_solve(m->solver, problem, look ? &m->thorough : &m->plain, m->r, answer, err);
    if (status < 0)
        return report_immovable(run, m, t, status);
    if (m->twin) /* the iterations of the twin are not those of the motion */
        note_answer(m, answer, t);
    return ZW_OK;
}

/* set_problem and take_impulses for one contact, without lists */
static zw_status push_single(zw_run *run, zw_moreau *m, const double *number, double t, double h,
                             zw_contact_answer *answer, zw_error *err) {
    const zw_frozen *f = &m->frozen;
    const double *n = number + run->k->contact[0].number, e[3] = {n[0], n[10], n[10]},
                 *pull = m->all[0].block[0].pull;
    const zw_contact_problem problem = {.ncontact = 1, .law = m->all, .q = m->q, .W = f->hit.W};
    double scale = 0;
    for (int a = 0; a < 3; a++) {
        double free = f->rate[a] + h * f->hit.Ha[a], q = free + e[a] * f->rate[a];
        m->free[a] = free;
        m->q[a] = q;
        m->r[a] = m->was_closed[0] ? m->old[a] : 0;
        scale = zw_size_larger(scale, q);
    }
    m->scale = scale;
    ZW_TRY(zw_moreau_impulses(run, m, &problem, t, answer, err));
    for (int a = 0; a < 3; a++) {
        m->old[a] = m->r[a];
        m->P[a] = a > 0 ? m->r[a] * pull[a - 1] : m->r[a];
    }
    return ZW_OK;
}

/* Has the velocity of the support of a bilateral contact jumped? Otherwise it changes between steps
 * by about as much as before. A joint that reflects such a jump (restitution) would oscillate from
 * step to step: so this step is plastic. */
static void find_plastic(zw_moreau *m, const zw_kernel *k) {
    for (int c = 0; c < k->ncontact && m->bilateral > 0; c++) {
        int row = k->contact[c].row;
        double change = fabs(m->frozen.rate[row] - m->last[c]);
        m->plastic[c] = k->contact[c].bilateral && m->calls > 0 && change > SUDDEN * m->change[c];
        if (m->is_reported && !m->plastic[c])
            m->change[c] = zw_size_larger(m->change[c], change);
    }
}

/* impulses of the step in m->P, velocities after it in m->gamma, the change of all velocities in
 * m->du */
static zw_status solve_step(zw_run *run, zw_moreau *m, const double *number, double t, double h,
                            zw_error *err) {
    const zw_kernel *k = run->k;
    zw_contact_answer answer = {.verdict = ZW_CONTACT_CONVERGED};
    renew_laws(m, k, number, h);
    find_plastic(m, k);
    find_closed(m, k, h);
    for (int i = 0; i < m->nclosed && !k->law_constant; i++)
        ZW_TRY(zw_moreau_check_law(run, m->closed[i], number, t, err));
    for (int i = 0; i < k->ntouch; i++)
        m->P[i] = 0;
    for (int turn = 0; turn <= TURNS_MAX; turn++) {
        if (m->nclosed > 0 && m->single_contact) {
            ZW_TRY(push_single(run, m, number, t, h, &answer, err));
        } else if (m->nclosed > 0) {
            zw_contact_problem problem;
            set_problem(m, k, number, h, &problem);
            ZW_TRY(zw_moreau_impulses(run, m, &problem, t, &answer, err));
            take_impulses(m, k);
        }
        zw_frozen_change(&m->frozen, h, true, m->P, m->gamma, m->du);
        if (m->bilateral == 0 || !reverse_opening(m, k))
            return zw_moreau_judge(run, m, &answer, t, err);
    }
    return zw_fail(err, ZW_E_NUMERIC,
                   "no signs of the forces of bilateral contacts fit at t = %.10g", t);
}

/* ---- reports of a step ---- */

static zw_contact_state state_of(const zw_moreau *m, const zw_contact_form *form) {
    double slip = 0, scale = m->scale;
    if (m->P[form->row] == 0)
        return ZW_CONTACT_OPEN;
    for (int a = 1; a < form->nrow; a++) {
        slip = zw_size_larger(slip, m->gamma[form->row + a]);
        scale = zw_size_larger(scale, m->frozen.rate[form->row + a]);
    }
    return slip > ZW_MOREAU_SLIPS * scale ? ZW_CONTACT_SLIPS : ZW_CONTACT_STICKS;
}

/* Velocities of the contacts if no body moves: those of the supports, whose work is done on the
 * system. m->middle keeps only its positions. */
static void find_supports(zw_run *run, zw_moreau *m, double t) {
    const zw_kernel *k = run->k;
    memset(m->middle + k->nq, 0, sizeof(double) * (size_t)k->nv);
    const zw_args in = zw_num_args(run->flow, &t, m->middle, NULL);
    zw_kernel_call(k, ZW_FN_TOUCH, &in, run->flow->out, run->flow->work);
    memcpy(m->support, zw_touch_of(k, run->flow->out).rate, sizeof(double) * (size_t)k->ntouch);
}

/* Sums to which impulses and works of a step are added with a factor, and the energy that its
 * impulses add. */
typedef struct {
    double factor, *sum, *work;
    double gain, impact, size;
} tally;

/* Works of a contact with nrow rows, a constant where the caller knows it. Impulses never add
 * energy, P . (gamma without them + gamma with them)/2 <= 0: gain, and its size. */
static inline __attribute__((always_inline)) void add_work(const zw_moreau *m, int c, int first,
                                                           int nrow, tally *to) {
    const double *restrict impulse = m->P + first, *restrict after = m->gamma + first,
                           *restrict without = m->free + first,
                           *restrict support = m->support + first,
                           *restrict rate = m->frozen.rate + first;
    double work[2] = {0, 0}, *restrict sum = to->sum + first;
    for (int a = 0; a < nrow; a++) {
        double P = impulse[a], gamma = after[a], free = without[a];
        sum[a] += to->factor * P;
        work[a > 0] += P * (0.5 * (rate[a] + gamma) - support[a]);
        to->gain += 0.5 * P * (free + gamma);
        to->impact += 0.5 * P * (rate[a] + gamma);
        to->size += fabs(P) * (fabs(free) + fabs(gamma));
    }
    to->work[2 * c] += to->factor * work[0];
    to->work[2 * c + 1] += to->factor * work[1];
}

/* adds impulses and works of all contacts of the last step, whose middle is t */
static void add_step(zw_run *run, zw_moreau *m, double t, tally *to) {
    const zw_kernel *k = run->k;
    if (k->moving_contacts && m->nclosed > 0)
        find_supports(run, m, t);
    for (int i = 0; i < m->nclosed; i++) {
        int c = m->closed[i];
        if (k->contact[c].nrow == 3)
            add_work(m, c, k->contact[c].row, 3, to);
        else
            add_work(m, c, k->contact[c].row, k->contact[c].nrow, to);
    }
}

/* Where the motion continues from 2 x(halves) - x(step), its impulses and works are 2 (halves) -
 * (step). They add energy where laws contradict each other, as different restitutions of one
 * contact (Kane and Levinson 1985). With restitution the forces of a step add a little that is no
 * fault (all of it where a contact grazes): it is reported only if gamma before the step shows it
 * too. */
static void add_works(zw_run *run, zw_moreau *m, double t, bool second_order) {
    const zw_kernel *k = run->k;
    tally to = {.factor = second_order ? -1 : 1, .sum = m->sum, .work = m->work};
    add_step(run, m, t, &to);
    for (int i = 0; i < k->ntouch && second_order; i++)
        m->sum[i] += m->twofold[i];
    for (int i = 0; i < 2 * k->ncontact && second_order; i++)
        m->work[i] += m->twofold[k->ntouch + i];
    if (zw_moreau_gains(m, to.gain, to.impact, to.size))
        zw_method_warning(run, ZW_WARNING_GAIN, -1, t, to.gain);
}

/* must its gap be nonnegative? */
static bool has_signed_gap(const zw_contact_form *form) {
    return !form->bilateral && !form->absent;
}

static void remember_closed(zw_moreau *m, const zw_kernel *k) {
    memset(m->was_closed, 0, sizeof(bool) * (size_t)k->ncontact);
    for (int i = 0; i < m->nclosed; i++)
        m->was_closed[m->closed[i]] = true;
}

static void record_contacts(zw_run *run, zw_moreau *m, double t) {
    const zw_kernel *k = run->k;
    for (int c = 0; c < k->ncontact; c++) {
        double gap = m->frozen.gap[c], rate = m->frozen.rate[k->contact[c].row];
        if (has_signed_gap(&k->contact[c]) &&
            zw_moreau_has_passed(m, c, k->contact[c].row, t - m->gap_time))
            zw_method_warning(run, ZW_WARNING_PASS, c, t, m->gap_rate[c]);
        if (gap < m->deepest[c] && has_signed_gap(&k->contact[c]))
            m->deepest[c] = gap;
        m->state[c] = state_of(m, &k->contact[c]);
        m->last[c] = m->gamma[k->contact[c].row];
        m->gap[c] = gap;
        m->gap_rate[c] = rate;
    }
    memcpy(m->slid, m->gamma, sizeof(double) * (size_t)k->ntouch);
    remember_closed(m, k);
    m->gap_time = t;
}

/* ---- positions ---- */

void zw_moreau_positions(zw_run *run, zw_moreau *m, double t, const double *restrict x, double h,
                         double *restrict to) {
    const zw_kernel *k = run->k;
    const double *rate = x + k->nq;
    if (!k->plain_rates) {
        const zw_args in = zw_num_args(run->flow, &t, x, NULL);
        zw_kernel_call(k, ZW_FN_QDOT, &in, m->rate, run->flow->work);
        rate = m->rate;
    }
    for (int i = 0; i < k->nq; i++)
        to[i] = x[i] + h * rate[i];
}

static void normalise_quaternions(const zw_kernel *k, double *x) {
    for (int i = 0; i < k->nunit; i++) {
        double *e = x + k->unit[i];
        double length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
        for (int j = 0; j < 4; j++)
            e[j] /= length;
    }
}

/* Contacts to be corrected at x: sets their numbers, their gaps as q and their signs; returns how
 * many there are. */
static int find_overlaps(zw_run *run, zw_moreau *m, double t, const double *x) {
    const zw_kernel *k = run->k;
    const zw_args in = zw_num_args(run->flow, &t, x, NULL);
    zw_kernel_call(k, ZW_FN_TOUCH, &in, run->flow->out, run->flow->work);
    const double *gap = zw_touch_of(k, run->flow->out).gap;
    int n = 0;
    for (int c = 0; c < k->ncontact; c++) {
        bool bilateral = k->contact[c].bilateral;
        if (k->contact[c].absent ||
            (bilateral ? fabs(gap[c]) < BILATERAL_CLOSED : !m->options->correct || gap[c] >= 0))
            continue;
        m->turned[c] = bilateral && gap[c] > 0 ? -1 : 1;
        m->laws[n] = (zw_contact_law){0};
        m->closed[n] = c;
        m->q[n++] = m->turned[c] * gap[c];
    }
    return n;
}

/* moves positions by du, as by a velocity for a unit of time, without the motion of supports in
 * that time */
static void displace_positions(zw_run *run, zw_moreau *m, double t, const double *du, double *x) {
    const zw_kernel *k = run->k;
    memcpy(m->middle, x, sizeof(double) * (size_t)k->nq);
    memcpy(m->middle + k->nq, du, sizeof(double) * (size_t)k->nv);
    zw_moreau_positions(run, m, t, m->middle, 1, x);
    memset(m->middle + k->nq, 0, sizeof(double) * (size_t)k->nv);
    zw_moreau_positions(run, m, t, m->middle, 1, m->z);
    for (int i = 0; i < k->nq; i++)
        x[i] -= m->z[i] - m->middle[i];
}

/* Displacements that open overlaps and close bilateral contacts, with the same rows and masses: a
 * contact problem without friction whose velocities are gaps. */
static zw_status correct_gaps(zw_run *run, zw_moreau *m, double t, double *x, zw_error *err) {
    const zw_kernel *k = run->k;
    for (int pass = 0; pass < CORRECTIONS; pass++) {
        int n = find_overlaps(run, m, t, x);
        if (n == 0)
            return ZW_OK;
        zw_contact_options o = m->options->solver;
        zw_contact_answer answer;
        o.warm = false;
        zw_contact_problem problem;
        zw_frozen_problem(&m->frozen, n, m->closed, m->turned, true, &problem);
        problem.law = m->laws;
        problem.q = m->q;
        ZW_TRY(zw_contact_solve(m->solver, &problem, &o, m->r, &answer, err));
        memset(m->free, 0, sizeof(double) * (size_t)k->ntouch);
        for (int i = 0; i < n; i++)
            m->free[k->contact[m->closed[i]].row] = m->turned[m->closed[i]] * m->r[i];
        zw_frozen_change(&m->frozen, 0, false, m->free, NULL, m->du);
        displace_positions(run, m, t, m->du, x);
    }
    return ZW_OK;
}

static zw_status settle_state(zw_run *run, zw_moreau *m, double t, double *x, zw_error *err) {
    const zw_kernel *k = run->k;
    normalise_quaternions(k, x);
    if (m->options->correct || m->bilateral > 0) {
        ZW_TRY(correct_gaps(run, m, t, x, err));
        normalise_quaternions(k, x);
    }
    return k->nvel > 0 ? zw_num_project(run->flow, t, x, NULL, err) : ZW_OK;
}

/* ---- the method ---- */

/* gaps and their rates at the start of the motion */
static void start_gaps(zw_run *run, zw_moreau *m) {
    const zw_kernel *k = run->k;
    const zw_args in = zw_num_args(run->flow, &m->to_t, m->from, NULL);
    zw_kernel_call(k, ZW_FN_TOUCH, &in, run->flow->out, run->flow->work);
    zw_touch_parts touch = zw_touch_of(k, run->flow->out);
    for (int c = 0; c < k->ncontact; c++) {
        m->end_gap[c] = m->gap[c] = touch.gap[c];
        m->gap_rate[c] = m->last[c] = touch.rate[k->contact[c].row];
    }
    m->gap_time = m->to_t;
}

/* Can one_contact_step.c make its steps? One small system with one contact, Coulomb's law without
 * damping, coordinates whose rates are the velocities. */
static bool is_one_contact_only(const zw_run *run, const zw_moreau *m) {
    const zw_kernel *k = run->k;
    if (!m->single_contact || m->options->control || m->options->correct || !k->law_constant ||
        k->jumping_gaps || !k->plain_rates || k->moving_contacts || k->nunit > 0 || k->nvel > 0 ||
        k->nq != k->nv || m->options->solver.method != ZW_CONTACT_AUTO)
        return false;
    const zw_friction *f = m->all[0].block;
    return zw_contact_is_disc(&m->all[0]) && f->pull[0] == 1 && f->pull[1] == 1 &&
           f->mu < HUGE_VAL && m->law[k->contact[0].number + 1 + 5] == 0;
}

/* at the present time and state x */
static zw_status begin_step(zw_run *run, zw_moreau *m, const double *x, zw_error *err) {
    const zw_kernel *k = run->k;
    m->origin = m->from_t = m->to_t = zw_method_time(run);
    m->count = m->calls = 0;
    memcpy(m->from, x, sizeof(double) * (size_t)k->nx);
    memcpy(m->to, x, sizeof(double) * (size_t)k->nx);
    memcpy(m->own, x, sizeof(double) * (size_t)k->nx);
    start_gaps(run, m);
    m->h = zw_method_options(run)->step;
    m->atol = m->options->control ? m->loose * zw_method_options(run)->atol : 0;
    m->rtol = m->options->control ? m->loose * zw_method_options(run)->rtol : 0;
    m->sampled = 0;
    forget_steps(m, k, m->to_t);
    m->law_h = 0;
    if (!k->law_constant)
        return ZW_OK;
    const zw_args in = zw_num_args(run->flow, &m->to_t, m->to, NULL);
    zw_kernel_call(k, ZW_FN_LAW, &in, m->law, run->flow->work);
    for (int i = 0; i < k->ncontact; i++) {
        ZW_TRY(zw_moreau_check_law(run, i, m->law, m->to_t, err));
        set_law(&k->contact[i], m->law, 0, &m->all[i]);
    }
    return ZW_OK;
}

static zw_status start_stepping(zw_run *run, zw_error *err) {
    zw_moreau *m = *zw_method_own(run);
    if (zw_method_direction(run) < 0)
        return zw_fail(err, ZW_E_OPTION, "impacts and friction cannot be run backwards in time");
    const double *x = zw_method_state(run);
    bool goes_on = !m->starts_new_motion && continues_at(m, zw_method_time(run));
    if (goes_on)
        zw_moreau_keep_difference(run, m, zw_method_time(run));
    zw_moreau_begin_errors(m, run->k, x, goes_on);
    m->starts_new_motion = false;
    m->carried = NAN;
    ZW_TRY(begin_step(run, m, x, err));
    ZW_TRY(begin_step(run, m->twin, m->start_difference, err));
    m->one_contact_only = is_one_contact_only(run, m);
    return ZW_OK;
}

/* the end of the next step: not beyond a time where something changes, from which on they are
 * counted anew */
static double end_of(const zw_run *run, zw_moreau *m) {
    return zw_moreau_end(m, zw_method_options(run)->step, zw_method_stop(run));
}

/* moves x from t to end, without projection onto the joints; impulses and velocities of the
 * contacts stay in m */
static zw_status move_state(zw_run *run, zw_moreau *m, double t, double end, double *x,
                            zw_error *err) {
    const zw_kernel *k = run->k;
    double h = end - t, mid = t + h / 2;
    zw_moreau_positions(run, m, t, x, h / 2, m->middle);
    memcpy(m->middle + k->nq, x + k->nq, sizeof(double) * (size_t)k->nv);
    if (!k->law_constant) {
        const zw_args in = zw_num_args(run->flow, &mid, m->middle, NULL);
        zw_kernel_call(k, ZW_FN_LAW, &in, m->law, run->flow->work);
    }
    ZW_TRY(zw_frozen_at(&m->frozen, run->flow, mid, m->middle, err));
    ZW_TRY(solve_step(run, m, m->law, mid, h, err));
    for (int i = 0; i < k->nv; i++)
        m->middle[k->nq + i] = x[k->nq + i] += m->du[i];
    zw_moreau_positions(run, m, mid, m->middle, h / 2, x);
    return ZW_OK;
}

/* ---- error of a step ---- */

/* hash of the states of the contacts in the last step */
static unsigned pattern_of(const zw_moreau *m, const zw_kernel *k) {
    unsigned hash = 2166136261u;
    for (int i = 0; i < m->nclosed; i++) {
        int c = m->closed[i];
        hash = (hash ^ (unsigned)(4 * c + (int)state_of(m, &k->contact[c]))) * 16777619u;
    }
    return hash;
}

/* The state after the same time in two halves, in m->halves, and twice their impulses and works;
 * the contact states of the previous step are restored. */
static zw_status take_halves(zw_run *run, zw_moreau *m, double t, double end, const double *x,
                             zw_error *err) {
    const zw_kernel *k = run->k;
    double middle = t + (end - t) / 2;
    tally to = {.factor = 2, .sum = m->twofold, .work = m->twofold + k->ntouch};
    memset(m->twofold, 0, sizeof(double) * (size_t)(k->ntouch + 2 * k->ncontact));
    memcpy(m->halves, x, sizeof(double) * (size_t)k->nx);
    ZW_TRY(move_state(run, m, t, middle, m->halves, err));
    add_step(run, m, t + (middle - t) / 2, &to);
    m->pattern = pattern_of(m, k);
    ZW_TRY(settle_state(run, m, middle, m->halves, err));
    ZW_TRY(move_state(run, m, middle, end, m->halves, err));
    add_step(run, m, middle + (end - middle) / 2, &to);
    m->alike = m->pattern == pattern_of(m, k);
    return settle_state(run, m, end, m->halves, err);
}

/* The error of a step of a first-order method is twice its distance from the halves. Velocities
 * jump at unknown times, so that only the displacement they cause in a step counts. */
static double halves_distance(const zw_moreau *m, const zw_kernel *k, const double *x, int i,
                              double h) {
    double d = 2 * fabs(x[i] - m->halves[i]);
    return i < k->nq ? d : h * d;
}

static double error_excess(const zw_moreau *m, const zw_kernel *k, const double *x, double h) {
    double worst = 0;
    for (int i = 0; i < k->nx; i++)
        worst = zw_size_larger(worst,
                               halves_distance(m, k, x, i, h) / (m->atol + m->rtol * fabs(x[i])));
    return worst;
}

/* Overlaps that this step causes or deepens, relative to the tolerances: the contact may have been
 * open in the step and in its halves. */
static double overlap_growth(zw_run *run, zw_moreau *m, double end, const double *x) {
    const zw_kernel *k = run->k;
    const zw_args in = zw_num_args(run->flow, &end, x, NULL);
    double worst = 0;
    zw_kernel_call(k, ZW_FN_TOUCH, &in, run->flow->out, run->flow->work);
    const double *gap = zw_touch_of(k, run->flow->out).gap;
    for (int c = 0; c < k->ncontact; c++) {
        double before = m->end_gap[c] < 0 ? m->end_gap[c] : 0;
        m->new_gap[c] = gap[c];
        if (has_signed_gap(&k->contact[c]) && gap[c] < before)
            worst = zw_size_larger(worst, (before - gap[c]) / (m->atol + m->rtol * m->size));
    }
    return worst;
}

/* The largest change of a slip that reverses from one step to the next, in units of the tolerances.
 * The friction of a step is that of its end, also in its two halves: if the slip reverses early in
 * the step, all of them apply the new direction from the beginning, and their difference does not
 * show the error. Where many contacts share the friction, slips reverse all the time. A sticking
 * contact does not count, since its slip is round-off; nor does the velocity that a support has
 * gained since the middle of the last step. */
static double slip_reversal(const zw_moreau *m, const zw_kernel *k) {
    double worst = 0;
    for (int i = 0; i < m->nclosed && m->nclosed <= FEW; i++) {
        const zw_contact_form *form = &k->contact[m->closed[i]];
        double dot = 0, change = 0;
        for (int a = 1; a < form->nrow; a++) {
            double from = m->slid[form->row + a], to = m->gamma[form->row + a];
            dot += from * to;
            change = zw_size_larger(change, to - from);
        }
        bool slid = m->state[m->closed[i]] == ZW_CONTACT_SLIPS;
        if (dot < 0 && slid && state_of(m, form) == ZW_CONTACT_SLIPS)
            worst = zw_size_larger(worst, change / (m->atol + m->rtol * m->scale));
    }
    return worst;
}

static void save_contacts(zw_moreau *m, const zw_kernel *k) {
    memcpy(m->old_before, m->old, sizeof(double) * (size_t)k->ntouch);
    memcpy(m->turned_before, m->turned, sizeof(int) * (size_t)k->ncontact);
}

static void restore_contacts(zw_moreau *m, const zw_kernel *k) {
    memcpy(m->old, m->old_before, sizeof(double) * (size_t)k->ntouch);
    memcpy(m->turned, m->turned_before, sizeof(int) * (size_t)k->ncontact);
}

/* Makes a step to `end` in one piece, in m->to, and in two halves. poor: its error relative to the
 * tolerances, at most 1 if it is accepted. */
static zw_status try_step(zw_run *run, zw_moreau *m, double end, double *poor, zw_error *err) {
    const zw_kernel *k = run->k;
    m->has_warnings = false;
    save_contacts(m, k);
    zw_status status = take_halves(run, m, m->to_t, end, m->from, err);
    restore_contacts(m, k);
    ZW_TRY(status);
    memcpy(m->to, m->from, sizeof(double) * (size_t)k->nx);
    ZW_TRY(move_state(run, m, m->to_t, end, m->to, err));
    double first = fmax(overlap_growth(run, m, end, m->to), slip_reversal(m, k));
    *poor = zw_size_larger(error_excess(m, k, m->to, end - m->to_t),
                           first * first); /* it shrinks as the step does, not as its square */
    return ZW_OK;
}

/* Steps of the twin that only their limit keeps short must be longer too, and must not end where
 * those of the motion do: steps that begin and end together treat a jump of a law, an edge or the
 * reversal of a slip in the same way. */
static double longest_of(const zw_run *run, const zw_moreau *m) {
    double factor = m->twin ? 1 : m->options->control ? GOLDEN : ZW_MOREAU_TWICE;
    return factor * zw_method_options(run)->step;
}

/* Makes a step that is short enough, from m->from to m->to. A step that the solver cannot solve is
 * shortened. */
static zw_status control_step(zw_run *run, zw_moreau *m, double stop, double *end, zw_error *err) {
    const zw_kernel *k = run->k;
    double longest = longest_of(run, m), t = m->to_t, poor = 0;
    for (;;) {
        double h = m->h, left = stop - t;
        bool cut = left > 0 && left < h * (1 + ZW_MOREAU_SAME_END), last = h <= SHORTEST * longest;
        zw_error failed = {0};
        *end = cut ? stop : t + h;
        zw_status status = try_step(run, m, *end, &poor, &failed);
        if (status < 0 && (last || status != ZW_E_NUMERIC)) {
            if (err)
                *err = failed;
            return status;
        }
        if (status < 0)
            poor = HUGE_VAL;
        double factor = poor > 0 ? 0.9 / sqrt(poor) : 2;
        factor = factor < 0.2 ? 0.2 : factor > 2 ? 2 : factor;
        if (status >= 0 && (poor <= 1 || last)) {
            memcpy(m->end_gap, m->new_gap, sizeof(double) * (size_t)k->ncontact);
            m->h = fmin(longest, cut ? fmax(h, (*end - t) * factor) : h * factor);
            return ZW_OK;
        }
        restore_contacts(m, k);
        m->h = fmax(SHORTEST * longest, fmin(h, *end - t) * factor);
    }
}

/* does restitution reverse the normal velocity of a contact in each step, as at the end of
 * bouncing? */
static bool is_bouncing(const zw_moreau *m, const zw_kernel *k) {
    for (int i = 0; i < m->nclosed; i++) {
        int row = k->contact[m->closed[i]].row;
        if (m->P[row] > 0 && m->frozen.rate[row] * m->gamma[row] < 0)
            return true;
    }
    return false;
}

/* Extrapolates x to second order if the contacts have the same states in the step and in its
 * halves; true if they do. */
static bool extrapolate_state(const zw_moreau *m, const zw_kernel *k, double *x) {
    if (!m->alike || m->pattern != pattern_of(m, k) || is_bouncing(m, k))
        return false;
    for (int i = 0; i < k->nx; i++)
        x[i] = 2 * m->halves[i] - x[i];
    return true;
}

/* has a contact closed in this step? */
static bool is_hit(const zw_moreau *m) {
    for (int i = 0; i < m->nclosed; i++)
        if (!m->was_closed[m->closed[i]])
            return true;
    return false;
}

/* does it close with a velocity that forces cannot cause in a step? */
static bool is_colliding(const zw_moreau *m, const zw_kernel *k, int contact) {
    int row = k->contact[contact].row;
    double rate = m->frozen.rate[row];
    return !m->was_closed[contact] && fabs(rate) > 2 * fabs(m->free[row] - rate);
}

static bool is_impact(const zw_moreau *m, const zw_kernel *k) {
    for (int i = 0; i < m->nclosed; i++)
        if (is_colliding(m, k, m->closed[i]))
            return true;
    return false;
}

/* the effect of a unit normal impulse at a contact on all rows (ntouch), in m->response */
static void find_column(zw_moreau *m, const zw_kernel *k, int contact) {
    memset(m->probe, 0, sizeof(double) * (size_t)k->ntouch);
    zw_frozen_change(&m->frozen, 0, false, m->probe, m->q, m->du_response);
    m->probe[k->contact[contact].row] = 1;
    zw_frozen_change(&m->frozen, 0, false, m->probe, m->response, m->du_response);
    for (int i = 0; i < k->ntouch; i++)
        m->response[i] -= m->q[i];
}

/* Is the collision of a contact passed on to other closed contacts, both with restitution? They are
 * solved as one problem; solved pair after pair, the motion would be different. */
static void warn_of_chains(zw_run *run, zw_moreau *m, int contact, double t) {
    const zw_kernel *k = run->k;
    const zw_contact_form *hit = &k->contact[contact];
    if (!(m->law[hit->number] > 0) || !(m->P[hit->row] > 0))
        return;
    find_column(m, k, contact);
    zw_contact_pair pair = {.first = m->response[hit->row], .P = m->P[hit->row]};
    for (int i = 0; i < m->nclosed; i++) {
        const zw_contact_form *other = &k->contact[m->closed[i]];
        if (m->closed[i] == contact || !(m->law[other->number] > 0) || m->plastic[m->closed[i]])
            continue;
        find_column(m, k, m->closed[i]);
        pair.second = m->response[other->row];
        pair.both = m->response[hit->row];
        pair.Q = m->P[other->row];
        if (zw_contact_passes_on(&pair))
            zw_method_warning(run, ZW_WARNING_SEVERAL, contact, t, m->closed[i]);
    }
}

/* Positions are q(s) = from + s (to - from) + s (s - 1) bend, s = 0 .. 1, with bend from the rates
 * of both ends. */
static void find_bend(zw_run *run, zw_moreau *m, const double *x, bool impact) {
    const zw_kernel *k = run->k;
    double h = m->to_t - m->from_t;
    memset(m->bend, 0, sizeof(double) * (size_t)k->nq);
    if (impact)
        return;
    zw_moreau_positions(run, m, m->to_t, x, h / 2, m->bend);
    zw_moreau_positions(run, m, m->from_t, m->from, h / 2, m->z);
    for (int i = 0; i < k->nq; i++)
        m->bend[i] = (m->bend[i] - x[i]) - (m->z[i] - m->from[i]);
}

zw_status zw_moreau_move_twin(zw_run *run, zw_moreau *w, double until, zw_error *err) {
    const zw_kernel *k = run->k;
    double end, longest = longest_of(run, w);
    size_t bytes = sizeof(double) * (size_t)k->nx;
    memcpy(w->from, w->own, bytes);
    if (w->options->control) {
        ZW_TRY(control_step(run, w, until, &end, err));
        memcpy(w->own, w->to, bytes);
        extrapolate_state(w, k, w->own);
    } else {
        end = until - w->to_t < longest * (1 + ZW_MOREAU_SAME_END) ? until : w->to_t + longest;
        ZW_TRY(move_state(run, w, w->to_t, end, w->own, err));
    }
    remember_closed(w, k);
    ZW_TRY(settle_state(run, w, end, w->own, err));
    w->to_t = end;
    return ZW_OK;
}

/* ---- steps ---- */

/* a controlled step; repeated if it has warnings or is examined */
static zw_status take_controlled(zw_run *run, zw_moreau *m, double *end, double *x, zw_error *err) {
    const zw_kernel *k = run->k;
    ZW_TRY(control_step(run, m, zw_method_stop(run), end, err));
    memcpy(x, m->to, sizeof(double) * (size_t)k->nx);
    if (m->has_warnings || is_examined(m)) {
        restore_contacts(m, k);
        memcpy(x, m->from, sizeof(double) * (size_t)k->nx);
        m->is_reported = true; /* trial steps report no warnings */
        zw_status status = move_state(run, m, m->to_t, *end, x, err);
        m->is_reported = false;
        ZW_TRY(status);
    }
    return ZW_OK;
}

static zw_status take_fixed(zw_run *run, zw_moreau *m, double *end, double *x, zw_error *err) {
    *end = end_of(run, m);
    m->is_reported = true;
    zw_status status = move_state(run, m, m->to_t, *end, x, err);
    m->is_reported = false;
    return status;
}

/* updates samples and error estimates after a step; hit: a contact has closed in it */
static void count_step(zw_run *run, zw_moreau *m, const double *x, bool hit, bool impact) {
    if (hit || zw_moreau_is_due(m, m->calls))
        m->sampled = m->calls;
    if (m->options->control)
        find_bend(run, m, x, impact);
    zw_moreau_watch_errors(run, m, x, impact);
}

static zw_status one_step(zw_run *run, zw_moreau *m, double *x, zw_error *err) {
    const zw_kernel *k = run->k;
    double t = m->to_t, end;
    memcpy(m->from, x, sizeof(double) * (size_t)k->nx);
    ZW_TRY(m->options->control ? take_controlled(run, m, &end, x, err)
                               : take_fixed(run, m, &end, x, err));
    bool hit = is_hit(m), impact = hit && is_impact(m, k);
    for (int i = 0; i < m->nclosed && impact && m->nclosed > 1; i++)
        if (is_colliding(m, k, m->closed[i]))
            warn_of_chains(run, m, m->closed[i], t + (end - t) / 2);
    bool second_order = m->options->control && extrapolate_state(m, k, x);
    zw_moreau_check_paradox(run, m, t + (end - t) / 2, end - t);
    if (k->jumping_gaps)
        ZW_TRY(zw_moreau_check_gaps(run, m, t, end, x, err));
    add_works(run, m, t + (end - t) / 2, second_order);
    record_contacts(run, m, t + (end - t) / 2);
    ZW_TRY(settle_state(run, m, end, x, err));
    m->from_t = t;
    m->to_t = end;
    m->steps++;
    m->calls++;
    count_step(run, m, x, hit, impact);
    return ZW_OK;
}

static zw_status one_contact_step(zw_run *run, zw_moreau *m, double *x, double stop,
                                  zw_error *err) {
    bool hit = false;
    ZW_TRY(zw_moreau_single_step(run, m, x, stop, &hit, err));
    bool lands = hit && fabs(m->frozen.rate[0]) > 2 * fabs(m->free[0] - m->frozen.rate[0]);
    count_step(run, m, x, hit, lands);
    return ZW_OK;
}

/* steps until the next one that the run observes, at most STEPS_AT_ONCE so that an interruption
 * does not wait long */
static zw_status take_steps(zw_run *run, zw_error *err) {
    zw_moreau *m = *zw_method_own(run);
    double *x = zw_method_state(run), unwatched = zw_method_unwatched(run);
    size_t bytes = sizeof(double) * (size_t)run->k->nx;
    double stop = zw_method_stop(run);
    zw_status status = ZW_OK;
    long n = 0;
    do {
        status =
            m->one_contact_only ? one_contact_step(run, m, x, stop, err) : one_step(run, m, x, err);
        n += status >= 0;
    } while (status >= 0 && n < STEPS_AT_ONCE && m->to_t < unwatched);
    if (status < 0) /* the steps before it are valid */
        memcpy(x, m->from, bytes);
    memcpy(m->to, x, bytes);
    if (n > 0) {
        zw_method_several(run, status < 0 ? n + 1 : n);
        zw_method_moved(run, m->to_t);
    }
    return status;
}

static zw_status evaluate_dense(zw_run *run, double t, double *y, zw_error *err) {
    const zw_moreau *m = *zw_method_own(run);
    double s = m->to_t != m->from_t ? (t - m->from_t) / (m->to_t - m->from_t) : 1;
    (void)err;
    for (int i = 0; i < run->k->nx; i++)
        y[i] = m->from[i] + s * (m->to[i] - m->from[i]);
    for (int i = 0; i < run->k->nq && m->options->control; i++)
        y[i] += s * (s - 1) * m->bend[i];
    return ZW_OK;
}

static zw_status dense_polynomial(zw_run *run, int *degree, double *c, zw_error *err) {
    const zw_moreau *m = *zw_method_own(run);
    int nx = run->k->nx;
    (void)err;
    *degree = m->options->control ? 2 : 1;
    for (int i = 0; i < nx; i++) {
        double bend = m->options->control && i < run->k->nq ? m->bend[i] : 0;
        c[i] = 0.5 * (m->from[i] + m->to[i]) - 0.25 * bend;
        c[nx + i] = 0.5 * (m->to[i] - m->from[i]);
        if (m->options->control)
            c[2 * nx + i] = 0.25 * bend;
    }
    return ZW_OK;
}

/* mean accelerations and forces of joints over the last step */
static zw_status report_means(zw_run *run, double t, const double *y, double *x, double *z,
                              zw_error *err) {
    zw_moreau *m = *zw_method_own(run);
    const zw_kernel *k = run->k;
    double h = m->to_t - m->from_t;
    memcpy(x, y, sizeof(double) * (size_t)k->nx);
    if (t != m->to_t) {
        normalise_quaternions(k, x);
        if (k->nvel > 0)
            ZW_TRY(zw_num_project(run->flow, t, x, NULL, err));
    }
    for (int i = 0; i < k->nv; i++)
        z[i] = (m->to[k->nq + i] - m->from[k->nq + i]) / h;
    if (k->nc > 0)
        zw_frozen_multipliers(&m->frozen, h, m->du, m->P, m->z);
    for (int i = 0; i < k->nc; i++)
        z[k->nv + i] = m->z[i] / h;
    return ZW_OK;
}

static void report_statistics(const zw_run *run, zw_run_info *info) {
    const zw_moreau *m = *zw_method_own((zw_run *)run);
    info->rhs_calls += m->calls;
}

zw_method zw_moreau_method(const zw_moreau_options *options) {
    return (zw_method){.name = "moreau",
                       .title = "Moreau's midpoint rule",
                       .about = "time stepping by impulses: contacts with friction and impact",
                       .traits = ZW_TRAIT_FIXED_STEP | ZW_TRAIT_CONSTRAINTS | ZW_TRAIT_JUMPS,
                       .needs =
                           ZW_SET(STEP) | ZW_SET(HIT) | ZW_SET(TOUCH) | ZW_SET(LAW) | ZW_SET(QDOT),
                       .create = create_steppers,
                       .destroy = destroy_steppers,
                       .start = start_stepping,
                       .step = take_steps,
                       .dense = evaluate_dense,
                       .leave = report_means,
                       .statistics = report_statistics,
                       .user = (void *)options,
                       .polynomial = dense_polynomial};
}

/* Impulses and works of the last step after the time t in it, with velocities linear in time: up to
 * the fraction s of the step the work is P . (s gamma_A + s^2 (gamma_E - gamma_A)/2). */
static void find_rest(zw_moreau *m, const zw_kernel *k, double t) {
    double *work = m->rest + k->ntouch;
    memset(m->rest, 0, sizeof(double) * (size_t)(k->ntouch + 2 * k->ncontact));
    if (!(t < m->to_t) || !(m->to_t > m->from_t))
        return;
    double s = (t - m->from_t) / (m->to_t - m->from_t), left = 1 - s;
    for (int i = 0; i < m->nclosed; i++) {
        int c = m->closed[i];
        for (int a = 0; a < k->contact[c].nrow; a++) {
            int row = k->contact[c].row + a;
            double from = m->frozen.rate[row], to = m->gamma[row];
            m->rest[row] = left * m->P[row];
            work[2 * c + (a > 0)] +=
                m->rest[row] * (from - m->support[row] + (1 + s) / 2 * (to - from));
        }
    }
}

zw_moreau *zw_moreau_of(zw_run *run) {
    const zw_method *method = zw_method_of(run);
    return method && method->step == take_steps ? *zw_method_own(run) : NULL;
}

zw_status zw_moreau_tell(zw_run *run, zw_moreau_report *out, zw_error *err) {
    const zw_kernel *k = run->k;
    zw_moreau *m = zw_moreau_of(run);
    if (!m)
        return zw_fail(err, ZW_E_OPTION, "the run has no time stepping with contacts");
    zw_contact_report *c = out->contact;
    double t = zw_run_time(run);
    if (run->fresh) { /* the steps belong to an earlier motion, or were made before an event */
        m->starts_new_motion |= !continues_at(m, t);
        if (!m->starts_new_motion)
            zw_moreau_keep_difference(run, m, t);
        forget_steps(m, k, t);
    }
    const zw_args in = zw_num_args(run->flow, &t, zw_run_state(run), NULL);
    zw_kernel_call(k, ZW_FN_TOUCH, &in, run->flow->out, run->flow->work);
    zw_touch_parts touch = zw_touch_of(k, run->flow->out);
    const double *rest = m->rest, *rest_work = m->rest + k->ntouch;
    find_rest(m, k, t);
    *out = (zw_moreau_report){.since = m->since,
                              .until = t < m->to_t ? t : m->to_t,
                              .steps = m->steps,
                              .iterations = m->iterations,
                              .residual = m->residual,
                              .hardest = m->hardest,
                              .contact = c};
    for (int i = 0; i < k->ncontact && c; i++) {
        const zw_contact_form *form = &k->contact[i];
        c[i] = (zw_contact_report){
            .state = m->state[i],
            .gap = touch.gap[i],
            .work = {m->work[2 * i] - rest_work[2 * i], m->work[2 * i + 1] - rest_work[2 * i + 1]},
            .deepest = m->deepest[i]};
        for (int a = 0; a < form->nrow; a++) {
            c[i].rate[a] = touch.rate[form->row + a];
            c[i].impulse[a] = m->sum[form->row + a] - rest[form->row + a];
        }
    }
    forget_sums(m, k, out->until);
    memcpy(m->sum, rest, sizeof(double) * (size_t)k->ntouch);
    memcpy(m->work, rest_work, sizeof(double) * (size_t)(2 * k->ncontact));
    return ZW_OK;
}
