/* SPDX-License-Identifier: MIT */
/* Rows of contacts that are closed or stick and depend on each other, H_D = T H_K in the metric of
 * the masses: two feet on a rod along the rod, the fourth leg of a table, a ball that rolls in a
 * groove across it. Only r_K + T' r_D is determined. The rows K are kept as unknowns, the others
 * get shares of them,
 *
 *     r_D = G r_K + o,    G = V_D T V_K^-1,
 *
 * as for contacts with compliances proportional to 1/V in the limit of rigid bodies: the shortest
 * forces in the metric of 1/V. If V is their capacity, all of them reach their limits together.
 * Normal forces have equal stiffnesses, or N where that makes one pull; friction has theta mu N,
 * and several theta are tried, since nothing determines how friction and normal forces share a load
 * (a ball that is wedged in a groove). The constants o are 0 if one of these satisfies the laws;
 * else they are those of the solution by the solver of contact problems.
 *
 * Where no block slides the motion is the same for all shares. */
#include <string.h>

#include "mode_solver.h"

/* Squared sine of the angle to the rows kept before: less is dependent. Round-off leaves 1e-13 of
 * A_ii, and rows at an angle of 1e-5 would share forces a hundred thousand times the load. */
#define DEPENDENT_ROW 1e-10
/* An earlier row is kept if its remainder is at least this fraction of the largest one, so that the
 * choice does not change at a nearby state. */
#define EARLIER_PREFERRED 0.9
#define WEIGHT_MIN 0.015625 /* of a contact that does not press, relative to the largest: 2^-6 */
/* Shares are rounded to multiples of 2^-30, so that they are the same again at a nearby state. */
#define SHARE_STEPS 1073741824.0
/* Least weight of friction relative to the normal force: a contact without friction must not divide
 * by 0; a millionth carries no load. */
#define FRICTION_WEIGHT_MIN 1e-6

static bool is_normal(const zw_kernel *k, int row) {
    for (int c = 0; c < k->ncontact; c++)
        if (k->contact[c].row == row)
            return true;
    return false;
}

/* the row among s->row[k..m) with the largest remainder after those kept, normals first; -1: all
 * depend on them */
static int find_farthest(const zw_contact_modes *s, int m, int k, bool normal) {
    double most = DEPENDENT_ROW;
    int n = s->k->ntouch, best = -1;
    for (int pass = 0; pass < 2; pass++)
        for (int i = k; i < m && (pass == 0 || best < 0); i++) {
            double part = s->left[s->row[i]] / s->A[s->row[i] * n + s->row[i]];
            if (is_normal(s->k, s->row[i]) != normal)
                continue;
            if (pass == 0)
                most = fmax(most, part);
            else if (part > DEPENDENT_ROW && part >= EARLIER_PREFERRED * most)
                best = i;
        }
    return best;
}

/* one step of the Cholesky factorisation: row i of s->row becomes the kept row k */
static void eliminate_row(zw_contact_modes *s, int m, int k, int i) {
    int n = s->k->ntouch, row = s->row[i];
    memmove(s->row + k + 1, s->row + k, sizeof *s->row * (size_t)(i - k));
    s->row[k] = row;
    for (int j = k; j < m; j++) {
        int other = s->row[j];
        double sum = (s->A[row * n + other] + s->A[other * n + row]) / 2;
        sum -= zw_contact_mode_dot(k, s->L + row * n, s->L + other * n);
        s->L[other * n + k] = j == k ? sqrt(sum) : sum / s->L[row * n + k];
        s->left[other] -= j == k ? 0 : s->L[other * n + k] * s->L[other * n + k];
    }
}

int zw_contact_modes_share(zw_contact_modes *s, int m) {
    int n = s->k->ntouch, k = 0;
    for (int i = 0; i < m; i++)
        s->left[s->row[i]] = s->A[s->row[i] * n + s->row[i]];
    for (int normal = 1; normal >= 0; normal--)
        for (int i; (i = find_farthest(s, m, k, normal)) >= 0; k++)
            eliminate_row(s, m, k, i);
    for (int d = k; d < m; d++) {
        double *share = s->share + s->row[d] * n, *T = s->L + s->row[d] * n;
        memset(share, 0, sizeof *share * (size_t)n);
        for (int j = k - 1; j >= 0; j--) {
            for (int l = j + 1; l < k; l++)
                T[j] -= T[l] * s->L[s->row[l] * n + j];
            T[j] /= s->L[s->row[j] * n + j];
            share[s->row[j]] =
                round(SHARE_STEPS * T[j] * s->V[s->row[d]] / s->V[s->row[j]]) / SHARE_STEPS;
        }
    }
    return k;
}

bool zw_contact_modes_are_redundant(zw_contact_modes *s, const bool *rests) {
    const zw_kernel *k = s->k;
    int m = 0;
    for (int c = 0; c < k->ncontact; c++)
        for (int r = 0; rests[c] && r < k->contact[c].nrow; r++)
            s->row[m++] = k->contact[c].row + r;
    return zw_contact_modes_share(s, m) < m;
}

/* rounds to 2^(n/16), so that weights are the same again at a nearby state */
static double round_weight(double x) {
    return exp2(round(16 * log2(x)) / 16);
}

void zw_contact_modes_weigh(zw_contact_modes *s, double theta, bool equal) {
    const zw_kernel *k = s->k;
    double most = 0;
    for (int c = 0; c < k->ncontact; c++)
        most = fmax(most, fabs(s->guess[k->contact[c].row]));
    for (int c = 0; c < k->ncontact; c++) {
        const zw_contact_form *f = &k->contact[c];
        double N = most > 0 ? fmax(fabs(s->guess[f->row]) / most, WEIGHT_MIN) : 1;
        s->V[f->row] = equal ? 1 : round_weight(N);
        for (int b = 0, row = f->row + 1; b < f->nblock; row += f->block_rows[b], b++)
            for (int i = 0; i < f->block_rows[b]; i++) {
                const double *n = zw_contact_mode_numbers(s, f, b);
                double axis = n[1 + i] * n[6 + i];
                s->V[row + i] = round_weight(N) *
                                round_weight(fmax(theta * n[0] * axis * axis, FRICTION_WEIGHT_MIN));
            }
    }
    memset(s->offset, 0, sizeof *s->offset * (size_t)k->ntouch);
}

void zw_contact_modes_offset(zw_contact_modes *s, int m) {
    int n = s->k->ntouch, k = zw_contact_modes_share(s, m);
    for (int d = k; d < m; d++) {
        int row = s->row[d];
        s->offset[row] = s->guess[row] - zw_contact_mode_dot(n, s->share + row * n, s->guess);
    }
}
