/* SPDX-License-Identifier: MIT */
/* rhs in C where the equations are not solved by straight-line code:
 *
 *     [ M  -C ] [ v'     ]   [ h ]
 *     [ W   0 ] [ lambda ] = [ b ],        K z = (h, b)
 *
 * Columns of velocities are scaled by their largest entry in M (in W if that is 0), then rows, then
 * the columns of multipliers, so that the pivots are pure numbers and the ratio of the smallest to
 * the largest shows singularity in any units. Then Gaussian elimination with partial pivoting. A
 * column in which all entries are below 1e-12 of the largest pivot has no pivot left: it is
 * round-off (ZW_ROUNDOFF_SUM; the number stands in the emitted text).
 *
 * If rows of W may depend on each other (eq->pseudo), a multiplier whose column has no pivot left
 * is 0: the accelerations are the same for every choice of multipliers. If forces depend on
 * multipliers, however, such a column makes the ratio of the pivots small, as it does without
 * eq->pseudo. */
#include "emit.h"

static const char SCALE[] = "/* 1/a, or 1 where that is no scale */\n"
                            "static double zw_scale(double a) {\n"
                            "    return a > 0 && isfinite(a) ? 1 / a : 1;\n"
                            "}\n\n";

static const char ELIMINATE[] =
    "/* K z = right by elimination with partial pivoting; K (n x n) and right are destroyed. A\n"
    " * column from `loose` on in which only rounding is left has z = 0. Returns the smallest\n"
    " * pivot over the largest one. */\n"
    "static double zw_eliminate(int n, int loose, double K[], double right[], int row[], double "
    "z[]) "
    "{\n"
    "    double least = HUGE_VAL, most = 0;\n"
    "    int rows = 0;\n"
    "    for (int j = 0; j < n; j++) {\n"
    "        int best = rows < n ? rows : n - 1;\n"
    "        for (int i = rows + 1; i < n; i++)\n"
    "            if (fabs(K[i * n + j]) > fabs(K[best * n + j]))\n"
    "                best = i;\n"
    "        double pivot = fabs(K[best * n + j]);\n"
    "        row[j] = -1;\n"
    "        if (rows == n || (j >= loose && pivot <= 1e-12 * most))\n"
    "            continue;\n"
    "        least = fmin(least, pivot);\n"
    "        most = fmax(most, pivot);\n"
    "        for (int k = j; k < n; k++) {\n"
    "            double swap = K[best * n + k];\n"
    "            K[best * n + k] = K[rows * n + k];\n"
    "            K[rows * n + k] = swap;\n"
    "        }\n"
    "        double swap = right[best];\n"
    "        right[best] = right[rows];\n"
    "        right[rows] = swap;\n"
    "        for (int i = rows + 1; i < n; i++) {\n"
    "            double factor = K[i * n + j] / K[rows * n + j];\n"
    "            for (int k = j + 1; k < n && factor != 0; k++)\n"
    "                K[i * n + k] -= factor * K[rows * n + k];\n"
    "            right[i] -= factor * right[rows];\n"
    "        }\n"
    "        row[j] = rows++;\n"
    "    }\n"
    "    for (int j = n - 1; j >= 0; j--) {\n"
    "        z[j] = 0;\n"
    "        if (row[j] < 0)\n"
    "            continue;\n"
    "        double sum = right[row[j]];\n"
    "        for (int k = j + 1; k < n; k++)\n"
    "            sum -= K[row[j] * n + k] * z[k];\n"
    "        z[j] = sum / K[row[j] * n + j];\n"
    "    }\n"
    "    return most > 0 ? least / most : 0;\n"
    "}\n\n";

static const char BODY[] =
    "    const double *M = m, *h = M + NV * NV, *C = h + NV, *W = C + NV * NC, *b = W + NC * NV;\n"
    "    for (int i = 0; i < NZ; i++)\n"
    "        for (int j = 0; j < NZ; j++)\n"
    "            K[i * NZ + j] = i < NV && j < NV ? M[i * NV + j]\n"
    "                            : i < NV         ? -C[i * NC + j - NV]\n"
    "                            : j < NV         ? W[(i - NV) * NV + j]\n"
    "                                             : 0;\n"
    "    for (int j = 0; j < NV; j++) {\n"
    "        double most = 0, other = 0;\n"
    "        for (int i = 0; i < NZ; i++)\n"
    "            if (i < NV)\n"
    "                most = fmax(most, fabs(K[i * NZ + j]));\n"
    "            else\n"
    "                other = fmax(other, fabs(K[i * NZ + j]));\n"
    "        scale[j] = zw_scale(most > 0 ? most : other);\n"
    "    }\n"
    "    for (int i = 0; i < NZ; i++) {\n"
    "        double most = 0;\n"
    "        for (int j = 0; j < NV; j++)\n"
    "            most = fmax(most, fabs(K[i * NZ + j] *= scale[j]));\n"
    "        double r = zw_scale(most);\n"
    "        for (int j = 0; j < NZ; j++)\n"
    "            K[i * NZ + j] *= r;\n"
    "        right[i] = r * (i < NV ? h[i] : b[i - NV]);\n"
    "    }\n"
    "    for (int j = NV; j < NZ; j++) {\n"
    "        double most = 0;\n"
    "        for (int i = 0; i < NZ; i++)\n"
    "            most = fmax(most, fabs(K[i * NZ + j]));\n"
    "        scale[j] = zw_scale(most);\n"
    "        for (int i = 0; i < NZ; i++)\n"
    "            K[i * NZ + j] *= scale[j];\n"
    "    }\n"
    "    for (int i = 0; i < NQ; i++)\n"
    "        out[i] = b[NC + i]; /* q' */\n";

/* may a multiplier without a pivot be 0? */
static bool is_loose(const zw_equations *eq) {
    return eq->pseudo && eq->symmetric;
}

bool zw_emit_is_bounded(const zw_equations *eq) {
    for (int k = 0; k < eq->nc && eq->inequality; k++)
        if (eq->inequality[k])
            return true;
    return false;
}

static void write_inequalities(zw_text *out) {
    zw_text_put(
        out,
        "/* No rhs: there are inequalities among the rows of W v' = b. With the matrices of mats,\n"
        " * v' makes (v' - M^-1 h)' M (v' - M^-1 h) as small as the rows allow (Gauss). */\n\n");
}

void zw_emit_solve(zw_text *out, const zw_equations *eq, const char *prefix) {
    if (zw_emit_is_bounded(eq)) {
        write_inequalities(out);
        return;
    }
    long nz = eq->nv + eq->nc,
         m = (long)eq->nv * eq->nv + eq->nv + 2L * eq->nv * eq->nc + eq->nc + eq->nq;
    zw_text_put(out, SCALE);
    zw_text_put(out, ELIMINATE);
    zw_text_printf(
        out,
        "/* Solved here by elimination with the matrices of mats; %ld kB of stack.%s The last\n"
        " * output, the smallest relative pivot, is near rounding where the equations do not "
        "determine\n * all accelerations. */\n",
        (m + nz * nz) * (long)sizeof(double) / 1024 + 1,
        is_loose(eq)
            ? "\n * Constraints may depend on each other: the multipliers are one set of many."
            : "");
    zw_text_printf(out,
                   "void %s_rhs(double t, const double x[], const double z[], const double u[],\n"
                   "                  const double c[], double out[]) {\n"
                   "    enum { NQ = %d, NV = %d, NC = %d, NZ = NV + NC };\n"
                   "    double m[%ld], K[NZ * NZ], right[NZ], scale[NZ];\n"
                   "    int row[NZ];\n"
                   "    %s_mats(t, x, z, u, c, m);\n",
                   prefix, eq->nq, eq->nv, eq->nc, m, prefix);
    zw_text_put(out, BODY);
    zw_text_printf(out,
                   "    out[NQ + NZ] = zw_eliminate(NZ, %s, K, right, row, out + NQ);\n"
                   "    for (int i = 0; i < NZ; i++)\n"
                   "        out[NQ + i] *= scale[i]; /* v', lambda */\n"
                   "}\n\n",
                   is_loose(eq) ? "NV" : "NZ");
}
