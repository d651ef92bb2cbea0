/* SPDX-License-Identifier: MIT */
/* Impacts of contacts that touch: with a collision by the laws of zwang/contact.h, and without one, where no stance goes with
 * the laws (Painleve) and the contact that presses is stopped. */
#include <string.h>

#include "stances.h"

enum { TURNS_MAX = 20 };

static void set_law(const zw_stances *s, const zw_contact_form *f, zw_contact_law *law) {
    law->nblock = f->nblock;
    for (int b = 0; b < f->nblock; b++)
        law->block[b] = zw_stance_block(s, f, b); /* damping has no impulse in no time */
}

static void restitutions(const zw_stances *s, const zw_contact_form *f, double *e) {
    *e++ = s->law[f->number];
    for (int b = 0; b < f->nblock; b++)
        for (int i = 0; i < f->block_rows[b]; i++)
            *e++ = zw_stance_numbers(s, f, b)[9];
}

static int set_rows(zw_stances *s, const bool *touching) {
    const zw_kernel *k = s->k;
    int n = 0, nrow = 0;
    for (int c = 0; c < k->ncontact; c++) {
        if (!touching[c])
            continue;
        set_law(s, &k->contact[c], &s->laws[n]);
        s->closed[n++] = c;
        for (int r = 0; r < k->contact[c].nrow; r++)
            s->row[nrow++] = k->contact[c].row + r;
    }
    return n;
}

/* W and q of the contacts that touch, normals turned round where that is so */
static zw_contact_problem set_problem(zw_stances *s, int n, const bool *plastic) {
    const zw_kernel *k = s->k;
    int at = 0;
    for (int i = 0; i < n; i++) {
        const zw_contact_form *f = &k->contact[s->closed[i]];
        double e[ZW_CONTACT_ROWS_MAX];
        restitutions(s, f, e);
        if (plastic && plastic[s->closed[i]])
            memset(e, 0, sizeof e);
        for (int r = 0; r < f->nrow; r++, at++) {
            s->z[at] = r == 0 && s->turned[s->closed[i]] ? -1 : 1;
            s->q[at] = s->z[at] * (1 + e[r]) * s->rate[f->row + r];
        }
    }
    for (int i = 0; i < at; i++)
        for (int j = 0; j < at; j++) {
            double both =
                s->A[s->row[i] * k->ntouch + s->row[j]] + s->A[s->row[j] * k->ntouch + s->row[i]];
            s->W[i * at + j] = s->z[i] * s->z[j] * both / 2;
        }
    return (zw_contact_problem){.ncontact = n, .law = s->laws, .q = s->q, .W = s->W};
}

static void take_impulses(zw_stances *s, int n, double *P) {
    const zw_kernel *k = s->k;
    int at = 0;
    memset(P, 0, sizeof(double) * (size_t)k->ntouch);
    for (int i = 0; i < n; i++) {
        const zw_contact_form *f = &k->contact[s->closed[i]];
        P[f->row] = s->z[at] * s->p[at];
        at++;
        for (int b = 0, r = 1; b < f->nblock; b++)
            for (int l = 0; l < f->block_rows[b]; l++, r++, at++)
                P[f->row + r] = s->p[at] * s->laws[i].block[b].pull[l];
    }
}

/* rates += A P */
static void add_to_rates(zw_stances *s, const double *P) {
    int n = s->k->ntouch;
    for (int r = 0; r < n; r++)
        s->rate[r] += zw_stance_dot(n, s->A + r * n, P);
}

/* bilateral contacts that would open */
static bool turn_round(zw_stances *s, int n, const double *P) {
    const zw_kernel *k = s->k;
    bool any = false;
    for (int i = 0; i < n; i++) {
        int c = s->closed[i], row = k->contact[c].row;
        double after = s->rate[row] + zw_stance_dot(k->ntouch, s->A + row * k->ntouch, P);
        if (!k->contact[c].bilateral || fabs(after) <= ZW_STANCE_UNKNOWN * s->known[row])
            continue;
        s->turned[c] = !s->turned[c];
        any = true;
    }
    return any;
}

void zw_stances_back(zw_stances *s, const double *rate) {
    memcpy(s->rate, rate, sizeof(double) * (size_t)s->k->ntouch);
}

zw_status zw_stances_impact(zw_stances *s, const bool *touching, const bool *plastic, double *P,
                            zw_contact_answer *answer, zw_error *err) {
    int n = set_rows(s, touching);
    memset(s->turned, 0, sizeof *s->turned * (size_t)s->k->ncontact);
    for (int turn = 0; turn < TURNS_MAX; turn++) {
        zw_contact_problem problem = set_problem(s, n, plastic);
        zw_contact_options options = zw_contact_options_default();
        options.tolerance = 1e-13;
        ZW_TRY(zw_contact_solve(s->solver, &problem, &options, s->p, answer, err));
        take_impulses(s, n, P);
        if (!turn_round(s, n, P))
            break;
    }
    add_to_rates(s, P);
    return ZW_OK;
}

bool zw_stances_stop(zw_stances *s, const bool *touching, int contact, double *P) {
    const zw_kernel *k = s->k;
    for (int c = 0; c < k->ncontact; c++)
        s->trial[c] = (zw_stance){.closed = touching[c], .press = 1};
    int m = zw_stances_unknowns(s, s->trial, NULL);
    if (!zw_stances_solve(s, m, s->rate, false))
        return false;
    const zw_contact_form *f = &k->contact[contact];
    bool allowed = s->r[f->row] > 0;
    for (int b = 0, row = f->row + 1; b < f->nblock; row += f->block_rows[b], b++) {
        const zw_friction law = zw_stance_block(s, f, b);
        allowed &= !zw_stance_is_set_valued(f, zw_stance_numbers(s, f, b), b) ||
                   zw_stance_force(&law, s->r + row) <= law.mu * s->r[f->row] * (1 + ZW_STANCE_TIE);
    }
    if (!allowed)
        return false;
    memcpy(P, s->r, sizeof(double) * (size_t)k->ntouch);
    memcpy(s->rate, s->out, sizeof(double) * (size_t)k->ntouch);
    return true;
}
