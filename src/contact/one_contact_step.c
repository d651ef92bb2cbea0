/* SPDX-License-Identifier: MIT */
/* A step of moreau.c for a system with a single contact and no joints: the same operations in the
 * same order, so that the bits are the same, but without lists of contacts and signs, and in one
 * pass. Difficult cases (slipping, more than one solution, a mass that is not positive) go through
 * the general solver. */
#include "moreau.h"
#include "num/internal.h"
#include "one_contact_fast.h"

/* is the gap closed, with the tolerance of find_closed for a contact that has carried an
 * impulse? */
static inline bool is_closed(const zw_moreau *m, double h, double size) {
    double near = ZW_MOREAU_CLOSE * h * m->scale, limit = ZW_MOREAU_ROUNDING * size;
    if (m->was_closed[0] && m->P[0] > 0 && near > limit)
        limit = near;
    return m->frozen.gap[0] <= limit;
}

/* impulses in m->P */
static zw_status solve_impulses(zw_run *run, zw_moreau *m, double t, double h, zw_error *err) {
    const zw_frozen *f = &m->frozen;
    const double *n = m->law + run->k->contact[0].number, e[3] = {n[0], n[10], n[10]};
    double scale = 0;
    for (int a = 0; a < 3; a++) {
        double free = f->rate[a] + h * f->hit.Ha[a], q = free + e[a] * f->rate[a];
        m->free[a] = free;
        m->q[a] = q;
        scale = zw_size_larger(scale, q);
    }
    m->scale = scale;
    zw_trivial_impulse settled;
    if (zw_contact_trivial(f->hit.W, m->q, m->all[0].block[0].mu, false, m->plain.tolerance,
                           &settled)) {
        for (int a = 0; a < 3; a++)
            m->old[a] = m->P[a] = settled.P[a];
        if (settled.square > m->residual * m->residual * settled.unit) {
            m->residual = sqrt(settled.square / settled.unit);
            m->hardest = t;
        }
        return ZW_OK;
    }
    const zw_contact_problem problem = {.ncontact = 1, .law = m->all, .q = m->q, .W = f->hit.W};
    zw_contact_answer answer = {.verdict = ZW_CONTACT_CONVERGED};
    for (int a = 0; a < 3; a++)
        m->r[a] = m->was_closed[0] ? m->old[a] : 0;
    ZW_TRY(zw_moreau_impulses(run, m, &problem, t, &answer, err));
    for (int a = 0; a < 3; a++)
        m->old[a] = m->P[a] = m->r[a];
    return zw_moreau_judge(run, m, &answer, t, err);
}

/* works of the impulses, as add_work and add_works */
static void add_works(zw_run *run, zw_moreau *m, double t) {
    const double *P = m->P, *gamma = m->gamma, *free = m->free, *rate = m->frozen.rate;
    double gain = 0, impact = 0, size = 0, work[2] = {m->work[0], m->work[1]};
    for (int a = 0; a < 3; a++) {
        m->sum[a] += P[a];
        work[a > 0] += P[a] * (0.5 * (rate[a] + gamma[a]));
        gain += 0.5 * P[a] * (free[a] + gamma[a]);
        impact += 0.5 * P[a] * (rate[a] + gamma[a]);
        size += fabs(P[a]) * (fabs(free[a]) + fabs(gamma[a]));
    }
    m->work[0] = work[0];
    m->work[1] = work[1];
    if (zw_moreau_gains(m, gain, impact, size))
        zw_method_warning(run, ZW_WARNING_GAIN, -1, t, gain);
}

static zw_contact_state state_of(const zw_moreau *m) {
    const double *gamma = m->gamma, *rate = m->frozen.rate;
    if (m->P[0] == 0)
        return ZW_CONTACT_OPEN;
    double slip = zw_size_larger(fabs(gamma[1]), gamma[2]),
           scale = zw_size_larger(zw_size_larger(m->scale, rate[1]), rate[2]);
    return slip > ZW_MOREAU_SLIPS * scale ? ZW_CONTACT_SLIPS : ZW_CONTACT_STICKS;
}

static void record_contacts(zw_run *run, zw_moreau *m, double t, bool closed) {
    double gap = m->frozen.gap[0];
    if (zw_moreau_has_passed(m, 0, 0, t - m->gap_time))
        zw_method_warning(run, ZW_WARNING_PASS, 0, t, m->gap_rate[0]);
    if (gap < m->deepest[0])
        m->deepest[0] = gap;
    m->state[0] = state_of(m);
    m->gap[0] = gap;
    m->gap_rate[0] = m->frozen.rate[0];
    m->was_closed[0] = closed;
    m->gap_time = t;
}

/* n coordinates, a constant where the caller knows it */
static inline __attribute__((always_inline)) zw_status take_step(zw_run *run, zw_moreau *m, int n,
                                                                 double *restrict x, double stop,
                                                                 bool *hit, zw_error *err) {
    const zw_frozen *f = &m->frozen;
    double t = m->to_t, end = zw_moreau_end(m, zw_method_options(run)->step, stop), h = end - t,
           half = h / 2, mid = t + half,
           size = 0, *restrict middle = m->middle, *restrict from = m->from;
    for (int i = 0; i < n; i++) {
        double q = x[i] + half * x[n + i];
        from[i] = x[i];
        from[n + i] = middle[n + i] = x[n + i];
        middle[i] = q;
        size = zw_size_larger(size, q);
    }
    m->size = size;
    ZW_TRY(zw_frozen_at(&m->frozen, run->flow, mid, middle, err));
    bool closed = is_closed(m, h, size);
    m->closed[0] = 0;
    m->nclosed = closed;
    m->P[0] = m->P[1] = m->P[2] = 0;
    if (closed) {
        m->is_reported = true;
        zw_status status = solve_impulses(run, m, mid, h, err);
        m->is_reported = false;
        ZW_TRY(status);
    }
    const double *restrict B = f->hit.B, *restrict W = f->hit.W, *restrict a = f->hit.a,
                           P[3] = {m->P[0], m->P[1], m->P[2]};
    for (int r = 0; r < 3; r++) {
        double dot = 0;
        for (int i = 0; i < 3; i++)
            dot += W[3 * r + i] * P[i];
        m->gamma[r] = f->rate[r] + h * f->hit.Ha[r] + dot;
    }
    for (int i = 0; i < n; i++) {
        double du = h * a[i];
        if (closed)
            du = du + B[i] * P[0] + B[n + i] * P[1] + B[2 * n + i] * P[2];
        m->du[i] = du;
        x[n + i] += du;
        x[i] = middle[i] + half * x[n + i];
    }
    *hit = closed && !m->was_closed[0];
    if (closed)
        add_works(run, m, mid);
    if (closed || m->since_closed[0] <= ZW_MOREAU_RECENT)
        zw_moreau_check_paradox(run, m, mid, h);
    record_contacts(run, m, mid, closed);
    m->from_t = t;
    m->to_t = end;
    m->steps++;
    m->calls++;
    return ZW_OK;
}

zw_status zw_moreau_single_step(zw_run *run, zw_moreau *m, double *x, double stop, bool *hit,
                                zw_error *err) {
    return run->k->nq == 6 ? take_step(run, m, 6, x, stop, hit, err)
                           : take_step(run, m, run->k->nq, x, stop, hit, err);
}
