/* SPDX-License-Identifier: MIT */
/* Painleve's paradoxes in time steps. With the slip d of a contact and friction -mu N d the normal force makes
 *
 *     gamma_N' = free + w N,     w = W_NN - mu W_NT d,
 *
 * and w <= 0 leaves no force (free < 0), or two (free > 0: none, and one that presses). A step whose contact is closed counts its
 * answers (direct.c). But time steps lift a contact that slides for single steps, and where w comes to 0 they may never
 * close it again: how long steps are decides what follows. So contacts that were closed a few steps ago are looked at as well. */
#include <string.h>

#include "moreau.h"
#include "num/internal.h"

#define LIFTED                                                                                     \
    20 /* times what forces do to a velocity in a step: so fast is a contact that a step has lifted */

static bool is_coulomb(const zw_contact_form *f) {
    return f->nblock > 0 && f->kind[0] == ZW_FRICTION_ELLIPSOID;
}

/* w; INFINITY: there is no slip, or it leaves faster than steps of length h lift what is closed */
static double response(zw_moreau *m, const zw_kernel *k, int c, double h) {
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

void zw_moreau_look_for_paradox(zw_run *run, zw_moreau *m, double t, double h) {
    const zw_kernel *k = run->k;
    for (int c = 0; c < k->ncontact; c++)
        m->since_closed[c] += m->since_closed[c] <= ZW_MOREAU_RECENT;
    for (int i = 0; i < m->nclosed; i++)
        if (m->P[k->contact[m->closed[i]].row] > 0)
            m->since_closed[m->closed[i]] = 0;
    for (int c = 0; c < k->ncontact && m->nclosed == 0; c++)
        if (m->since_closed[c] > 0 && m->since_closed[c] <= ZW_MOREAU_RECENT &&
            is_coulomb(&k->contact[c]) && response(m, k, c, h) <= 0)
            zw_method_doubt(run, ZW_DOUBT_SEVERAL, c, t, NAN);
}
