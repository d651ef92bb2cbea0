/* SPDX-License-Identifier: MIT */
/* Rows of contacts that are closed or stick and depend on each other, H_D = T H_K in the metric of
 * the masses: two feet on a rod along the rod, the fourth leg of a table, a ball that rolls in a
 * groove across it. Only r_K + T' r_D is determined. The rows K are kept as unknowns, the others
 * get a share of them,
 *
 *     r_D = G r_K + o,    G = V_D T V_K^-1,
 *
 * which is what contacts with stiffnesses V, as small as one likes, do: the shortest forces in the
 * metric of 1/V. So all of them reach their limits together if V is what they can carry. Normal
 * forces have equal stiffnesses, or N where that lets one pull; friction has theta mu N, with
 * several theta on trial, since nothing decides how friction and normal forces share a load (a ball
 * that is wedged in a groove). The constants o are 0 if one of these obeys the laws; else they are
 * what the solver of contact problems has found.
 *
 * Where no block slides the motion is the same for all shares. */
#include <string.h>

#include "mode_solver.h"

#define DEPENDENT 1e-10 /* of A_ii: the square of the sine of the angle to the rows kept before */
#define NEARLY                                                                                     \
    0.9 /* of the best row: an earlier one is taken, so that the choice is the same again */
#define FEWEST 0.015625     /* of the largest normal force: weight of one that does not press */
#define DIGITS 1073741824.0 /* shares are rounded to 1 part in this, to be the same again */

static bool is_normal(const zw_kernel *k, int row) {
    for (int c = 0; c < k->ncontact; c++)
        if (k->contact[c].row == row)
            return true;
    return false;
}

/* the row among s->row[k..m) that is farthest from those kept, normals first; -1: all depend on
 * them */
static int find_farthest(const zw_contact_modes *s, int m, int k, bool normal) {
    double most = DEPENDENT;
    int n = s->k->ntouch, best = -1;
    for (int pass = 0; pass < 2; pass++)
        for (int i = k; i < m && (pass == 0 || best < 0); i++) {
            double part = s->left[s->row[i]] / s->A[s->row[i] * n + s->row[i]];
            if (is_normal(s->k, s->row[i]) != normal)
                continue;
            if (pass == 0)
                most = fmax(most, part);
            else if (part > DEPENDENT && part >= NEARLY * most)
                best = i;
        }
    return best;
}

/* one step of Cholesky's factorisation: row i of s->row is number k of those kept */
static void keep_row(zw_contact_modes *s, int m, int k, int i) {
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
            keep_row(s, m, k, i);
    for (int d = k; d < m; d++) {
        double *share = s->share + s->row[d] * n, *T = s->L + s->row[d] * n;
        memset(share, 0, sizeof *share * (size_t)n);
        for (int j = k - 1; j >= 0; j--) {
            for (int l = j + 1; l < k; l++)
                T[j] -= T[l] * s->L[s->row[l] * n + j];
            T[j] /= s->L[s->row[j] * n + j];
            share[s->row[j]] = round(DIGITS * T[j] * s->V[s->row[d]] / s->V[s->row[j]]) / DIGITS;
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

/* to a sixteenth of an octave, so that weights are the same again at a state that is nearly the
 * same */
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
        double N = most > 0 ? fmax(fabs(s->guess[f->row]) / most, FEWEST) : 1;
        s->V[f->row] = equal ? 1 : round_weight(N);
        for (int b = 0, row = f->row + 1; b < f->nblock; row += f->block_rows[b], b++)
            for (int i = 0; i < f->block_rows[b]; i++) {
                const double *n = zw_contact_mode_numbers(s, f, b);
                double axis = n[1 + i] * n[6 + i];
                s->V[row + i] =
                    round_weight(N) * round_weight(fmax(theta * n[0] * axis * axis, 1e-6));
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
