/* SPDX-License-Identifier: MIT */
/* Painleve's paradoxes in time steps. With the slip d of a contact and friction -mu N d the normal
 * force makes
 *
 *     gamma_N' = free + w N,     w = W_NN - mu W_NT d,
 *
 * and for w <= 0 there is no force (free < 0), or there are two (free > 0: zero, and one that
 * presses). In a step with the contact closed, the solutions are counted (one_contact_direct.c).
 * But time steps open a sliding contact for single steps, and where w reaches 0 they may never
 * close it again: the result then depends on the step length. So contacts that were closed a few
 * steps ago are checked too. Or the normal force, which grows without limit as w falls to 0, ends
 * the slip within the last step before that: in the previous step w was twice as large, and the
 * force half as large. */
#include <string.h>

#include "moreau.h"
#include "num/internal.h"

#define RESPONSE_SMALL 0.05 /* w/W_NN: such a w multiplies the normal force by 20 */
/* Growth of the normal force in a step before it stops the slip: 2 in the last step, see above. */
#define FORCE_GROWN 1.5
/* Largest rate of the gap, in units of its change by the forces of a step, of a contact that a step
 * has lifted. Chosen by trial: separates them from contacts that bounce. */
#define RATE_LIFTED 20
/* Product of the slips after and before a step, relative to the square of the latter, at which the
 * slip has ended: the solver leaves 1e-9. */
#define SLIP_ENDED 1e-6

static bool is_coulomb(const zw_contact_form *f) {
    return f->nblock > 0 && f->kind[0] == ZW_FRICTION_ELLIPSOID;
}

/* w; INFINITY if there is no slip, or the contact separates faster than a step of length h lifts
 * it */
static double slip_response(zw_moreau *m, const zw_kernel *k, int c, double h) {
    const zw_contact_form *f = &k->contact[c];
    const zw_friction *law = &m->all[c].block[0];
    double slip = 0, with;
    for (int i = 0; i < law->nrow; i++) {
        double u = law->axis[i] * m->frozen.rate[f->row + 1 + i];
        slip += u * u;
    }
    if (!(slip > 0) || law->smooth > 0)
        return INFINITY;
    memset(m->probe, 0, sizeof *m->probe * (size_t)k->ntouch);
    zw_frozen_change(&m->frozen, h, true, m->probe, m->response, m->du_response);
    with = -m->response[f->row];
    if (m->frozen.rate[f->row] > RATE_LIFTED * fabs(m->response[f->row] - m->frozen.rate[f->row]))
        return INFINITY;
    m->probe[f->row] = 1;
    for (int i = 0; i < law->nrow; i++)
        m->probe[f->row + 1 + i] = -law->mu * law->pull[i] * law->axis[i] * law->axis[i] *
                                   m->frozen.rate[f->row + 1 + i] / sqrt(slip);
    zw_frozen_change(&m->frozen, h, true, m->probe, m->response, m->du_response);
    return with + m->response[f->row];
}

/* Has the slip of contact c ended or reversed in this step? */
static bool is_stopped(const zw_moreau *m, const zw_contact_form *f) {
    double along = 0, before = 0;
    for (int i = 1; i <= f->block_rows[0]; i++) {
        along += m->gamma[f->row + i] * m->frozen.rate[f->row + i];
        before += m->frozen.rate[f->row + i] * m->frozen.rate[f->row + i];
    }
    return before > 0 && along <= SLIP_ENDED * before;
}

/* W_NN */
static double normal_response(zw_moreau *m, const zw_kernel *k, int c, double h) {
    int row = k->contact[c].row;
    memset(m->probe, 0, sizeof *m->probe * (size_t)k->ntouch);
    zw_frozen_change(&m->frozen, h, true, m->probe, m->response, m->du_response);
    double without = m->response[row];
    m->probe[row] = 1;
    zw_frozen_change(&m->frozen, h, true, m->probe, m->response, m->du_response);
    return m->response[row] - without;
}

/* Is the sliding contact, the only closed one, stopped by a normal force that friction amplifies
 * more and more? */
static bool is_jammed(zw_moreau *m, const zw_kernel *k, int c, double h) {
    const zw_contact_form *f = &k->contact[c];
    return m->since_closed[c] <= ZW_MOREAU_RECENT && is_coulomb(f) &&
           m->P[f->row] / h > FORCE_GROWN * m->pushed[c] && is_stopped(m, f) &&
           slip_response(m, k, c, h) < RESPONSE_SMALL * normal_response(m, k, c, h);
}

void zw_moreau_check_paradox(zw_run *run, zw_moreau *m, double t, double h) {
    const zw_kernel *k = run->k;
    if (m->nclosed == 1 && is_jammed(m, k, m->closed[0], h))
        zw_method_warning(run, ZW_WARNING_PARADOX, m->closed[0], t, NAN);
    for (int i = 0; i < k->ncontact; i++)
        m->since_closed[i] += m->since_closed[i] <= ZW_MOREAU_RECENT;
    for (int i = 0; i < m->nclosed; i++)
        if (m->P[k->contact[m->closed[i]].row] > 0) {
            m->since_closed[m->closed[i]] = 0;
            m->pushed[m->closed[i]] = m->P[k->contact[m->closed[i]].row] / h;
        }
    for (int c = 0; c < k->ncontact && m->nclosed == 0; c++)
        if (m->since_closed[c] > 0 && m->since_closed[c] <= ZW_MOREAU_RECENT &&
            is_coulomb(&k->contact[c]) && slip_response(m, k, c, h) <= 0)
            zw_method_warning(run, ZW_WARNING_SEVERAL, c, t, NAN);
}
