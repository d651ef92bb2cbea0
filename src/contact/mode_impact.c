/* SPDX-License-Identifier: MIT */
/* Impacts of contacts that touch: a collision by the laws of zwang/contact.h, and an impact without
 * collision, where no contact mode satisfies the laws (Painleve) and the contact that presses is
 * stopped. */
#include <string.h>

#include "mode_solver.h"

enum { TURNS_MAX = 20 };
/* Velocities of sliding blocks relative to the accelerations in the problem for all modes: so large
 * that accelerations change the direction of friction by 1e-3 rad at most. */
#define SLIDES_FIRST 1e3
/* Residual of the contact problem of an impact: a thousand times less than the solver's default,
 * since the state after the impact starts a smooth motion; round-off allows no less. */
#define IMPACT_TOLERANCE 1e-13

static void set_law(const zw_contact_modes *s, const zw_contact_form *f, zw_contact_law *law) {
    law->nblock = f->nblock;
    for (int b = 0; b < f->nblock; b++)
        law->block[b] = zw_contact_mode_block(s, f, b); /* damping has no impulse in an impact */
}

static void list_restitutions(const zw_contact_modes *s, const zw_contact_form *f, double *e) {
    *e++ = s->law[f->number];
    for (int b = 0; b < f->nblock; b++)
        for (int i = 0; i < f->block_rows[b]; i++)
            *e++ = zw_contact_mode_numbers(s, f, b)[9];
}

static int set_rows(zw_contact_modes *s, const bool *touching) {
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

/* the problem of the contacts that touch, for given velocities of all rows (ntouch), with reversed
 * normals where turned */
static zw_contact_problem set_problem(zw_contact_modes *s, int n, const double *velocity) {
    const zw_kernel *k = s->k;
    int at = 0;
    for (int i = 0; i < n; i++) {
        const zw_contact_form *f = &k->contact[s->closed[i]];
        for (int r = 0; r < f->nrow; r++, at++) {
            s->z[at] = r == 0 && s->turned[s->closed[i]] ? -1 : 1;
            s->q[at] = s->z[at] * velocity[f->row + r];
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

/* (1 + e) gamma- of the contacts that touch, in s->out */
static void find_collision(zw_contact_modes *s, int n, const bool *plastic) {
    for (int i = 0; i < n; i++) {
        const zw_contact_form *f = &s->k->contact[s->closed[i]];
        double e[ZW_CONTACT_ROWS_MAX];
        list_restitutions(s, f, e);
        if (plastic && plastic[s->closed[i]])
            memset(e, 0, sizeof e);
        for (int r = 0; r < f->nrow; r++)
            s->out[f->row + r] = (1 + e[r]) * s->rate[f->row + r];
    }
}

static void take_impulses(zw_contact_modes *s, int n, double *P) {
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
static void add_to_rates(zw_contact_modes *s, const double *P) {
    int n = s->k->ntouch;
    for (int r = 0; r < n; r++)
        s->rate[r] += zw_contact_mode_dot(n, s->A + r * n, P);
}

/* bilateral contacts that would open */
static bool reverse_opening(zw_contact_modes *s, int n, const double *P) {
    const zw_kernel *k = s->k;
    bool any = false;
    for (int i = 0; i < n; i++) {
        int c = s->closed[i], row = k->contact[c].row;
        double after = s->rate[row] + zw_contact_mode_dot(k->ntouch, s->A + row * k->ntouch, P);
        if (!k->contact[c].bilateral || fabs(after) <= ZW_CONTACT_MODE_UNKNOWN * s->known[row])
            continue;
        s->turned[c] = !s->turned[c];
        any = true;
    }
    return any;
}

void zw_contact_modes_back(zw_contact_modes *s, const double *rate) {
    memcpy(s->rate, rate, sizeof(double) * (size_t)s->k->ntouch);
}

zw_status zw_contact_modes_impact(zw_contact_modes *s, const bool *touching, const bool *plastic,
                                  double *P, zw_contact_answer *answer, zw_error *err) {
    int n = set_rows(s, touching);
    memset(s->turned, 0, sizeof *s->turned * (size_t)s->k->ncontact);
    for (int turn = 0; turn < TURNS_MAX; turn++) {
        find_collision(s, n, plastic);
        zw_contact_problem problem = set_problem(s, n, s->out);
        zw_contact_options options = zw_contact_options_default();
        options.tolerance = IMPACT_TOLERANCE;
        ZW_TRY(zw_contact_solve(s->solver, &problem, &options, s->p, answer, err));
        take_impulses(s, n, P);
        if (!reverse_opening(s, n, P))
            break;
    }
    add_to_rates(s, P);
    return ZW_OK;
}

bool zw_contact_modes_passes_on(const zw_contact_modes *s, int i, int j, const double *P) {
    const zw_contact_form *hit = &s->k->contact[i], *other = &s->k->contact[j];
    int n = s->k->ntouch;
    zw_contact_pair pair = {.first = s->A[hit->row * n + hit->row],
                            .second = s->A[other->row * n + other->row],
                            .both = s->A[hit->row * n + other->row],
                            .P = P[hit->row],
                            .Q = P[other->row]};
    return i != j && s->law[hit->number] > 0 && s->law[other->number] > 0 &&
           zw_contact_passes_on(&pair);
}

bool zw_contact_modes_stop(zw_contact_modes *s, const bool *touching, int contact, double *P) {
    const zw_kernel *k = s->k;
    for (int c = 0; c < k->ncontact; c++)
        s->trial[c] = (zw_contact_mode){.closed = touching[c], .press = 1};
    zw_contact_modes_weigh(s, 1, true);
    s->redundant = zw_contact_modes_are_redundant(s, touching);
    int m = zw_contact_modes_unknowns(s, s->trial, NULL);
    if (!zw_contact_modes_solve(s, m, s->rate, false))
        return false;
    const zw_contact_form *f = &k->contact[contact];
    bool allowed = s->r[f->row] > 0;
    for (int b = 0, row = f->row + 1; b < f->nblock; row += f->block_rows[b], b++) {
        const zw_friction law = zw_contact_mode_block(s, f, b);
        allowed &= !zw_contact_mode_is_set_valued(f, zw_contact_mode_numbers(s, f, b), b) ||
                   zw_contact_mode_force(&law, s->r + row) <=
                       law.mu * s->r[f->row] * (1 + ZW_CONTACT_MODE_TIE);
    }
    if (!allowed)
        return false;
    memcpy(P, s->r, sizeof(double) * (size_t)k->ntouch);
    memcpy(s->rate, s->out, sizeof(double) * (size_t)k->ntouch);
    return true;
}

/* In s->out: the accelerations of all rows without forces, and for a sliding block its velocity,
 * scaled so that it determines the direction of friction. */
static void find_free(zw_contact_modes *s, const bool *rests) {
    const zw_kernel *k = s->k;
    double most = 0, least = INFINITY;
    for (int c = 0; c < k->ncontact; c++) {
        const zw_contact_form *f = &k->contact[c];
        for (int r = 0; rests[c] && r < f->nrow; r++) {
            s->out[f->row + r] = s->bend[f->row + r];
            most = fmax(most, s->parts[f->row + r]);
        }
        for (int b = 0, row = f->row + 1; rests[c] && b < f->nblock; row += f->block_rows[b], b++)
            if (!s->resting[c * ZW_CONTACT_MODE_PARTS + 1 + b])
                least =
                    fmin(least,
                         sqrt(zw_contact_mode_dot(f->block_rows[b], s->rate + row, s->rate + row)));
    }
    for (int c = 0; c < k->ncontact && least > 0 && least < INFINITY; c++) {
        const zw_contact_form *f = &k->contact[c];
        for (int b = 0, row = f->row + 1; rests[c] && b < f->nblock; row += f->block_rows[b], b++)
            for (int i = 0; i < f->block_rows[b] && !s->resting[c * ZW_CONTACT_MODE_PARTS + 1 + b];
                 i++)
                s->out[row + i] += SLIDES_FIRST * most / least * s->rate[row + i];
    }
}

bool zw_contact_modes_guess(zw_contact_modes *s, const bool *rests, const zw_contact_mode *before,
                            double friction) {
    zw_contact_options options = zw_contact_options_default();
    zw_contact_answer answer;
    zw_error ignored = {0};
    int n = set_rows(s, rests);
    memset(s->guess, 0, sizeof *s->guess * (size_t)s->k->ntouch);
    for (int c = 0; c < s->k->ncontact; c++)
        s->turned[c] = s->k->contact[c].bilateral && before[c].press < 0;
    for (int i = 0; i < n; i++)
        for (int b = 0; b < s->laws[i].nblock; b++)
            s->laws[i].block[b].mu *= friction;
    find_free(s, rests);
    zw_contact_problem problem = set_problem(s, n, s->out);
    if (zw_contact_solve(s->solver, &problem, &options, s->p, &answer, &ignored) < 0 ||
        answer.verdict == ZW_CONTACT_NOT_CONVERGED)
        return false;
    take_impulses(s, n, s->guess);
    return true;
}
