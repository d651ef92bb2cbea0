/* SPDX-License-Identifier: MIT */
/* Painleve's paradoxes in time steps. With the slip d of a contact and friction -mu N d the normal
 * force makes
 *
 *     gamma_N' = free + w N,     w = W_NN - mu W_NT d,
 *
 * and w <= 0 leaves no force (free < 0), or two (free > 0: none, and one that presses). A step
 * whose contact is closed counts its answers (one_contact_direct.c). But time steps open a sliding
 * contact for single steps, and where w reaches 0 they may never close it again: the result then
 * depends on the step length. So contacts that were closed a few steps ago are checked as well. Or
 * the normal force, which grows without limit as w falls to 0, ends the slip within the last step
 * before that: w was twice as large in the previous step, and the force half as large. */
#include <string.h>

#include "moreau.h"
#include "num/internal.h"

#define NEAR 0.05 /* of W_NN: such a w multiplies the normal force by 20 */
#define GROWN 1.5 /* times the normal force of the previous step */
/* times what forces do to a velocity in a step: so fast is a contact that a step has lifted */
#define LIFTED 20

static bool is_coulomb(const zw_contact_form *f) {
    return f->nblock > 0 && f->kind[0] == ZW_FRICTION_ELLIPSOID;
}

/* w; INFINITY: there is no slip, or it leaves faster than steps of length h lift what is closed */
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
    memset(m->look, 0, sizeof *m->look * (size_t)k->ntouch);
    zw_frozen_change(&m->frozen, h, true, m->look, m->seen, m->du_seen);
    with = -m->seen[f->row];
    if (m->frozen.rate[f->row] > LIFTED * fabs(m->seen[f->row] - m->frozen.rate[f->row]))
        return INFINITY;
    m->look[f->row] = 1;
    for (int i = 0; i < law->nrow; i++)
        m->look[f->row + 1 + i] = -law->mu * law->pull[i] * law->axis[i] * law->axis[i] *
                                  m->frozen.rate[f->row + 1 + i] / sqrt(slip);
    zw_frozen_change(&m->frozen, h, true, m->look, m->seen, m->du_seen);
    return with + m->seen[f->row];
}

/* Has the slip of contact c ended or reversed in this step? */
static bool is_stopped(const zw_moreau *m, const zw_contact_form *f) {
    double along = 0, before = 0;
    for (int i = 1; i <= f->block_rows[0]; i++) {
        along += m->gamma[f->row + i] * m->frozen.rate[f->row + i];
        before += m->frozen.rate[f->row + i] * m->frozen.rate[f->row + i];
    }
    return before > 0 && along <= 1e-6 * before;
}

/* W_NN */
static double normal_response(zw_moreau *m, const zw_kernel *k, int c, double h) {
    int row = k->contact[c].row;
    memset(m->look, 0, sizeof *m->look * (size_t)k->ntouch);
    zw_frozen_change(&m->frozen, h, true, m->look, m->seen, m->du_seen);
    double without = m->seen[row];
    m->look[row] = 1;
    zw_frozen_change(&m->frozen, h, true, m->look, m->seen, m->du_seen);
    return m->seen[row] - without;
}

/* The only closed contact, which was sliding: does a normal force that friction amplifies more and
 * more stop it? */
static bool is_jammed(zw_moreau *m, const zw_kernel *k, int c, double h) {
    const zw_contact_form *f = &k->contact[c];
    return m->since_closed[c] <= ZW_MOREAU_RECENT && is_coulomb(f) &&
           m->P[f->row] / h > GROWN * m->pushed[c] && is_stopped(m, f) &&
           slip_response(m, k, c, h) < NEAR * normal_response(m, k, c, h);
}

void zw_moreau_look_for_paradox(zw_run *run, zw_moreau *m, double t, double h) {
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
