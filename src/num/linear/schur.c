/* SPDX-License-Identifier: MIT */
/* Balancing, reduction to Hessenberg form by reflections, then the implicit QR iteration with two
 * shifts at a time (J. G. F. Francis 1961): the shifts s_1, s_2 are the eigenvalues of the lower
 * right 2 x 2 block of the active part, the first column of (H - s_1)(H - s_2) begins a bulge of
 * three rows that reflections chase down.
 *
 * The rules for convergence and accuracy are those of LAPACK's dgebal and dlahqr: two real shifts
 * are both the one nearer to the last entry (D. Day, How the QR algorithm fails to converge and how
 * to fix it, 1996), every tenth shift is another one, entries below the diagonal are dropped where
 * that changes no eigenvalue (M. Ahues, F. Tisseur, LAPACK working note 122, 1997), and a chase
 * begins below two consecutive small ones. Without Q, rows and columns outside the active part are
 * not changed. */
#include "schur.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vector_targets.h"

/* per row; every UNUSUAL-th shift is another one: as LAPACK */
enum { ITERATIONS = 30, UNUSUAL = 10 };
#define SQUARE_LOST 1e-292 /* sum of squares: with less, squares are denormal and lose digits */
#define SCALING_GAIN 0.95  /* scaling must shorten a row and a column to this, as in LAPACK */
#define ENTRY_MIN 1e-100   /* largest entry of a matrix: between these, squares need no scaling */
#define ENTRY_MAX 1e100

/* ------------------------------------------------------------------------------------ balancing */

static void swap_indices(int n, double *A, int i, int j) {
    for (int k = 0; k < n && i != j; k++) {
        double row = A[i * n + k];
        A[i * n + k] = A[j * n + k];
        A[j * n + k] = row;
    }
    for (int k = 0; k < n && i != j; k++) {
        double column = A[k * n + i];
        A[k * n + i] = A[k * n + j];
        A[k * n + j] = column;
    }
}

/* is row (or column) i zero between low and high, except its diagonal? */
static bool is_alone(int n, const double *A, int i, int low, int high, bool column) {
    for (int j = low; j <= high; j++)
        if (j != i && A[column ? j * n + i : i * n + j] != 0)
            return false;
    return true;
}

static void permute_matrix(int n, double *A, int *low, int *high, double *scale) {
    for (int i = *high; i >= 0; i--)
        if (is_alone(n, A, i, 0, *high, false)) {
            scale[*high] = i;
            swap_indices(n, A, i, *high);
            if (*high == 0) {
                *low = 0;
                return;
            }
            i = --*high + 1;
        }
    for (int j = *low; j <= *high; j++)
        if (is_alone(n, A, j, *low, *high, true)) {
            scale[*low] = j;
            swap_indices(n, A, j, *low);
            j = (*low)++;
        }
}

static double euclidean_norm(int count, const double *x, int step) {
    double most = 0, sum = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(x[i * step]));
    for (int i = 0; i < count && most > 0; i++)
        sum += x[i * step] / most * (x[i * step] / most);
    return most * sqrt(sum);
}

void zw_num_balance(int n, double *A, int *low, int *high, double *scale) {
    bool changed = true;
    *low = 0;
    *high = n - 1;
    permute_matrix(n, A, low, high, scale);
    for (int i = *low; i <= *high; i++)
        scale[i] = 1;
    for (int pass = 0; changed && pass < 1000; pass++) {
        changed = false;
        for (int i = *low; i <= *high; i++) {
            int count = *high - *low + 1, power = 0;
            double column = euclidean_norm(count, A + *low * n + i, n),
                   row = euclidean_norm(count, A + i * n + *low, 1), before = column + row;
            if (column == 0 || row == 0)
                continue;
            /* f = 2^power that makes column f and row/f about the same */
            for (; column < row / 2 && power < 900; power++) {
                column *= 2;
                row /= 2;
            }
            for (; column / 2 >= row && power > -900; power--) {
                column /= 2;
                row *= 2;
            }
            double f = ldexp(1, power);
            if (column + row >= SCALING_GAIN * before || !(scale[i] * f > DBL_MIN) ||
                !(scale[i] * f < 1 / DBL_MIN))
                continue;
            changed = true;
            scale[i] *= f;
            for (int j = *low; j < n; j++)
                A[i * n + j] /= f;
            for (int j = 0; j <= *high; j++)
                A[j * n + i] *= f;
        }
    }
}

void zw_num_unbalance(int n, int low, int high, const double *scale, bool left, int count,
                      double *V) {
    for (int i = low; i <= high; i++)
        for (int j = 0; j < count; j++)
            V[i * count + j] *= left ? 1 / scale[i] : scale[i];
    for (int k = 0; k < n; k++) { /* permutations, the last one first */
        int i = k < low ? low - 1 - k : k;
        if (i >= low && i <= high)
            continue;
        int from = (int)scale[i];
        for (int j = 0; j < count && from != i; j++) {
            double keep = V[i * count + j];
            V[i * count + j] = V[from * count + j];
            V[from * count + j] = keep;
        }
    }
}

/* ---------------------------------------------------------------------------------- reflections */

/* I - tau v v' makes (x_0, x_1, ...) a multiple of the first unit vector; v_0 = 1 is in x; returns
 * tau, 0: it is one already */
ZW_KERNEL double reflection(int n, double *x, double *first) {
    double tail = 0, unit = 1;
    for (int i = 1; i < n; i++)
        tail += x[i] * x[i];
    *first = x[0];
    if (!(tail > SQUARE_LOST)) { /* squares lose digits, or are zero */
        double most = 0;
        for (int i = 1; i < n; i++)
            most = fmax(most, fabs(x[i]));
        if (most == 0)
            return 0;
        unit = fmax(most, fabs(x[0]));
        tail = 0;
        for (int i = 0; i < n; i++) {
            x[i] /= unit;
            tail += i ? x[i] * x[i] : 0;
        }
    }
    double alpha = x[0], size = sqrt(alpha * alpha + tail), beta = alpha > 0 ? -size : size;
    double scale = 1 / (alpha - beta);
    for (int i = 1; i < n; i++)
        x[i] *= scale;
    x[0] = 1;
    *first = beta * unit;
    return (beta - alpha) / beta;
}

/* rows r .. r + m of X, from column `from` on, by the reflection v */
ZW_KERNEL void reflect_rows(int n, double *restrict X, int r, int m, int from, const double *v,
                            double tau, double *restrict sum) {
    for (int j = from; j < n; j++)
        sum[j] = 0;
    for (int i = 0; i < m; i++) {
        const double *row = X + (r + i) * n;
        for (int j = from; j < n; j++)
            sum[j] += v[i] * row[j];
    }
    for (int i = 0; i < m; i++) {
        double *row = X + (r + i) * n, by = tau * v[i];
        for (int j = from; j < n; j++)
            row[j] -= by * sum[j];
    }
}

ZW_KERNEL void reflect_columns(int n, double *restrict X, int c, int m, int to, const double *v,
                               double tau) {
    for (int i = 0; i < to; i++) {
        double *row = X + i * n + c, dot = 0;
        for (int j = 0; j < m; j++)
            dot += row[j] * v[j];
        dot *= tau;
        for (int j = 0; j < m; j++)
            row[j] -= dot * v[j];
    }
}

/* v and sum: n each */
ZW_CLONES static void reduce(int n, double *restrict A, int low, int high, double *restrict Q,
                             double *restrict v, double *restrict sum) {
    for (int k = low; k + 1 < high; k++) {
        double first;
        int m = high - k;
        for (int i = 0; i < m; i++)
            v[i] = A[(k + 1 + i) * n + k];
        double tau = reflection(m, v, &first);
        A[(k + 1) * n + k] = first;
        for (int i = k + 2; i <= high; i++)
            A[i * n + k] = 0;
        if (tau == 0)
            continue;
        reflect_rows(n, A, k + 1, m, k + 1, v, tau, sum);
        reflect_columns(n, A, k + 1, m, high + 1, v, tau);
        if (Q)
            reflect_columns(n, Q, k + 1, m, n, v, tau);
    }
}

/* ------------------------------------------------------------------------------------ iteration */

/* rows r, r + 1 (and r + 2) from column `from` up to `to` */
ZW_KERNEL void turn_rows(int n, int width, double *restrict A, int r, int from, int to,
                         const double *v, double tau) {
    double *a = A + r * n, *b = a + n, *c = b + n, v1 = v[1], v2 = v[2], t1 = tau * v1,
           t2 = tau * v2;
    if (width == 3)
        for (int j = from; j < to; j++) {
            double dot = a[j] + v1 * b[j] + v2 * c[j];
            a[j] -= tau * dot;
            b[j] -= t1 * dot;
            c[j] -= t2 * dot;
        }
    else
        for (int j = from; j < to; j++) {
            double dot = a[j] + v1 * b[j];
            a[j] -= tau * dot;
            b[j] -= t1 * dot;
        }
}

ZW_KERNEL void turn_columns(int n, int width, double *restrict A, int c, int from, int to,
                            const double *v, double tau) {
    double v1 = v[1], v2 = v[2], t1 = tau * v1, t2 = tau * v2;
    if (width == 3)
        for (int i = from; i < to; i++) {
            double *x = A + i * n + c, dot = x[0] + v1 * x[1] + v2 * x[2];
            x[0] -= tau * dot;
            x[1] -= t1 * dot;
            x[2] -= t2 * dot;
        }
    else
        for (int i = from; i < to; i++) {
            double *x = A + i * n + c, dot = x[0] + v1 * x[1];
            x[0] -= tau * dot;
            x[1] -= t1 * dot;
        }
}

typedef struct shifts {
    double re[2], im[2];
} shifts;

/* the eigenvalues of (a b; c d); two real ones are both the one nearer to d */
static shifts shifts_of(double a, double b, double c, double d) {
    double size = fabs(a) + fabs(b) + fabs(c) + fabs(d);
    shifts s = {{0, 0}, {0, 0}};
    if (size == 0)
        return s;
    a /= size;
    b /= size;
    c /= size;
    d /= size;
    double mean = 0.5 * (a + d), disc = (a - mean) * (d - mean) - b * c, root = sqrt(fabs(disc));
    if (disc >= 0) {
        s.re[0] = s.re[1] = mean * size;
        s.im[0] = root * size;
        s.im[1] = -s.im[0];
        return s;
    }
    double up = mean + root, down = mean - root;
    s.re[0] = s.re[1] = size * (fabs(up - d) <= fabs(down - d) ? up : down);
    return s;
}

/* the first column of (H - s_1)(H - s_2) of the part that begins at row m */
static void begin_bulge(const double *h, int n, const shifts *s, double *v) {
    double size = fabs(h[0] - s->re[1]) + fabs(s->im[1]) + fabs(h[n]);
    double below = size > 0 ? h[n] / size : 0;
    v[0] = below * h[1] +
           (size > 0 ? (h[0] - s->re[0]) * ((h[0] - s->re[1]) / size) - s->im[0] * (s->im[1] / size)
                     : 0);
    v[1] = below * (h[0] + h[n + 1] - s->re[0] - s->re[1]);
    v[2] = below * h[2 * n + 1];
    double most = fabs(v[0]) + fabs(v[1]) + fabs(v[2]);
    for (int i = 0; i < 3 && most > 0; i++)
        v[i] /= most;
}

/* one chase through rows low .. high (included), from where two consecutive small entries let it
 * begin */
ZW_CLONES static void chase(int n, double *restrict A, int low, int high, const shifts *s,
                            double *Q) {
    double v[3];
    int m = high - 2;
    for (; m >= low; m--) {
        const double *h = A + m * n + m;
        begin_bulge(h, n, s, v);
        if (m == low)
            break;
        double sizes = fabs(h[-n - 1]) + fabs(h[0]) + fabs(h[n + 1]);
        if (fabs(h[-1]) * (fabs(v[1]) + fabs(v[2])) <= DBL_EPSILON * fabs(v[0]) * sizes)
            break;
    }
    for (int k = m; k < high; k++) {
        int width = k + 2 <= high ? 3 : 2;
        double first, tau = reflection(width, v, &first);
        if (k > m) {
            A[k * n + k - 1] = first;
            A[(k + 1) * n + k - 1] = 0;
            if (width == 3)
                A[(k + 2) * n + k - 1] = 0;
        } else if (m > low) {
            A[k * n + k - 1] *= 1 - tau;
        }
        if (tau != 0) {
            int last = k + 3 < high ? k + 3 : high;
            turn_rows(n, width, A, k, k, Q ? n : high + 1, v, tau);
            turn_columns(n, width, A, k, Q ? 0 : low, last + 1, v, tau);
            if (Q)
                turn_columns(n, width, Q, k, 0, n, v, tau);
        }
        v[0] = A[(k + 1) * n + k];
        v[1] = k + 2 <= high ? A[(k + 2) * n + k] : 0;
        v[2] = k + 3 <= high ? A[(k + 3) * n + k] : 0;
    }
}

/* may the entry below the diagonal at row k be dropped? */
static bool is_negligible(int n, const double *A, int low, int high, int k) {
    const double *h = A + k * n + k;
    double below = fabs(h[-1]), size = fabs(h[-n - 1]) + fabs(h[0]);
    if (below <= DBL_MIN * (n / DBL_EPSILON))
        return true;
    if (size == 0)
        size = (k - 2 >= low ? fabs(A[(k - 1) * n + k - 2]) : 0) +
               (k + 1 <= high ? fabs(A[(k + 1) * n + k]) : 0);
    if (below > DBL_EPSILON * size)
        return false;
    double above = fabs(h[-n]), ab = fmax(below, above), ba = fmin(below, above),
           apart = fabs(h[-n - 1] - h[0]), aa = fmax(fabs(h[0]), apart),
           bb = fmin(fabs(h[0]), apart), s = aa + ab;
    return ba * (ab / s) <= fmax(DBL_MIN * (n / DBL_EPSILON), DBL_EPSILON * (bb * (aa / s)));
}

/* the eigenvalues of (a b; c d), and the rotation (*cos, *sin) that makes c zero if they are
 * real */
static void take_pair(double a, double b, double c, double d, double *re, double *im,
                      double *turn) {
    double size = fmax(fmax(fabs(a), fabs(b)), fmax(fabs(c), fabs(d)));
    turn[0] = 1;
    turn[1] = 0;
    if (size == 0)
        size = 1;
    double half = 0.5 * (a / size - d / size), product = b / size * (c / size),
           disc = half * half + product;
    im[0] = im[1] = 0;
    if (disc < 0) {
        re[0] = re[1] = d + size * half;
        im[0] = size * sqrt(-disc);
        im[1] = -im[0];
        return;
    }
    double far = half + copysign(sqrt(disc), half);
    re[0] = d + size * far;
    re[1] = far != 0 ? d - size * (product / far) : d;
    if (c != 0) { /* the eigenvector of the first: (re_0 - d, c) */
        double along = far, across = c / size, norm = hypot(along, across);
        turn[0] = along / norm;
        turn[1] = across / norm;
    }
}

/* rotates rows and columns k, k + 1 of the Schur form so that two real eigenvalues are on the
 * diagonal */
static void split_block(int n, double *A, int k, const double *turn, const double *re, double *Q) {
    double c = turn[0], s = turn[1];
    for (int j = k; j < n; j++) {
        double u = A[k * n + j], v = A[(k + 1) * n + j];
        A[k * n + j] = c * u + s * v;
        A[(k + 1) * n + j] = c * v - s * u;
    }
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < (pass ? n : k + 2); i++) {
            double *row = (pass ? Q : A) + i * n + k, u = row[0], v = row[1];
            row[0] = c * u + s * v;
            row[1] = c * v - s * u;
        }
    A[k * n + k] = re[0];
    A[(k + 1) * n + k + 1] = re[1];
    A[(k + 1) * n + k] = 0;
}

static shifts choose_shifts(int n, const double *A, int low, int high, int tries) {
    const double *h = A + (high - 1) * n + high - 1;
    if (tries % UNUSUAL != 0)
        return shifts_of(h[0], h[1], h[n], h[n + 1]);
    bool bottom = tries % (2 * UNUSUAL) == 0; /* the iteration cycles */
    const double *at = bottom ? h + n + 1 : A + low * n + low;
    double size = bottom ? fabs(h[n]) + fabs(h[-1]) : fabs(at[n]) + fabs(at[2 * n + 1]),
           first = 0.75 * size + at[0];
    return shifts_of(first, -0.4375 * size, size, first);
}

static bool iterate_qr(int n, double *A, int first, int high, double *Q, double *re, double *im) {
    int tries = 0;
    while (high >= first) {
        int low = high;
        while (low > first && !is_negligible(n, A, first, high, low))
            low--;
        if (low > first)
            A[low * n + low - 1] = 0;
        if (low == high) {
            re[high] = A[high * n + high];
            im[high--] = 0;
            tries = 0;
        } else if (low == high - 1) {
            const double *h = A + low * n + low;
            double turn[2];
            take_pair(h[0], h[1], h[n], h[n + 1], re + low, im + low, turn);
            if (Q && im[low] == 0)
                split_block(n, A, low, turn, re + low, Q);
            high -= 2;
            tries = 0;
        } else {
            if (++tries > ITERATIONS * (n > 10 ? n : 10))
                return false;
            shifts s = choose_shifts(n, A, low, high, tries);
            chase(n, A, low, high, &s, Q);
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------------ all */

/* a power of two that scales the largest entry to about one if its square would overflow or
 * underflow; else 1 */
static double unit_of(int n, const double *A) {
    double most = 0;
    int power;
    for (int i = 0; i < n * n; i++)
        most = fmax(most, fabs(A[i]));
    if (most == 0 || (most > ENTRY_MIN && most < ENTRY_MAX))
        return 1;
    frexp(most, &power);
    return ldexp(1, power > 1000 ? 1000 : power < -1000 ? -1000 : power);
}

bool zw_num_schur(int n, double *A, int low, int high, double *Q, double *re, double *im,
                  double *work) {
    double unit = unit_of(n, A);
    for (int i = 0; i < n * n && unit != 1; i++)
        A[i] /= unit;
    if (Q)
        for (int i = 0; i < n * n; i++)
            Q[i] = i % (n + 1) == 0;
    for (int i = 0; i < n; i++)
        if (i < low || i > high) {
            re[i] = A[i * n + i];
            im[i] = 0;
        }
    reduce(n, A, low, high, Q, work, work + n);
    bool ended = iterate_qr(n, A, low, high, Q, re, im);
    for (int i = 0; i < n && unit != 1; i++) {
        re[i] *= unit;
        im[i] *= unit;
    }
    for (int i = 0; i < n * n && unit != 1; i++)
        A[i] *= unit;
    return ended;
}
