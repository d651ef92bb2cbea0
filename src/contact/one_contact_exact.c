/* SPDX-License-Identifier: MIT */
/* Exact solution of one contact. Sticking: r = -W^-1 q if that presses and lies in the cone.
 * Slipping: the direction d of slip is the unknown; with f = grad D(d)
 *
 *     r_N = -q_N/(W_NN - mu W_NF f),     g(d) = q_F + (W_FN - mu W_FF f) r_N = lam d,   lam >= 0.
 *
 * Coulomb in the plane, f = d = (c, s): the part of g across d, times what r_N is divided by, is
 *
 *     p_2 c - p_1 s + mu (-s, c) G (c, s),     p = W_NN q_T - q_N W_TN,    G = q_N W_TT - q_T W_NT,
 *
 * of degree 2 in cosine and sine, with at most four zeros. There is one solution for any q if
 *
 *     mu |W_NT| tr S/(2 sqrt(det S)) < W_NN,      S = W_TT - W_TN W_NT/W_NN:
 *
 * the friction x(N) of a given r_N = N minimises x.S x/2 + b.x on the disc of radius mu N, where b
 * does not depend on N. It changes by |dx/dN| <= mu |A e|/(e.A e), A = (S + lam)^-1, e of length 1;
 * that is mu (k + 1)/(2 sqrt(k)) at most for the condition number k of S (Kantorovich); then N <-
 * -(q_N + W_NT x(N))/W_NN is a contraction. Newton's method from the direction of b finds it.
 * Otherwise all zeros are computed. The rule for several solutions (Painleve's paradoxes): open,
 * then sticking, then slipping in the direction nearest to the free one.
 *
 * For other sets Newton's method on the sphere finds the slip direction. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "kernels.h"
#include "num/linear/linalg.h"
#include "solver.h"

/* Intervals of the circle; zeros stored, four at most
 * exist; limits of iterations. */
enum { INTERVALS = 24, ZEROS = 8, NEWTON_TURNS = 12, BISECTIONS = 100, SPHERE_STEPS = 60 };

#define TURN_CONVERGED 1e-6 /* [rad]; its cube, the error of the next Halley step, is round-off */

/* ------------------------------------------------------------------------------------- sticking */

void zw_contact_coulomb_prepare(zw_contact_coulomb *k, const double *W, double mu) {
    memcpy(k->W, W, sizeof k->W);
    k->mu = mu;
    k->inverse_NN = 1 / W[0];
    k->b[0] = W[3] * k->inverse_NN;
    k->b[1] = W[6] * k->inverse_NN;
    double a = W[4] - k->b[0] * W[1], b = W[5] - k->b[0] * W[2], c = W[7] - k->b[1] * W[1],
           d = W[8] - k->b[1] * W[2], det = a * d - b * c, trace = a + d;
    bool symmetric = fabs(W[1] - W[3]) + fabs(W[2] - W[6]) + fabs(W[5] - W[7]) <=
                     4 * DBL_EPSILON * (W[0] + W[4] + W[8]);
    k->regular = det > ZW_CONTACT_SINGULAR * trace * trace;
    if (k->regular) {
        double over = 1 / det;
        k->S[0] = d * over;
        k->S[1] = -b * over;
        k->S[2] = -c * over;
        k->S[3] = a * over;
    } else {
        const double S[4] = {a, b, c, d};
        memcpy(k->S, S, sizeof S);
    }
    double left = mu * mu * (W[1] * W[1] + W[2] * W[2]) * trace * trace;
    k->alone = symmetric && k->regular && left < 4 * det * W[0] * W[0];
}

/* the shortest solution of S x = -b for a singular S; false: there is none */
static bool stick_singular(const double *S, const double *b, double size, double *x) {
    double trace = S[0] + S[3], e[2] = {S[0], S[2]};
    if (S[3] > S[0]) {
        e[0] = S[1];
        e[1] = S[3];
    }
    double length = sqrt(e[0] * e[0] + e[1] * e[1]), along = 0;
    x[0] = x[1] = 0;
    if (trace > ZW_CONTACT_SINGULAR && length > 0) {
        e[0] /= length;
        e[1] /= length;
        along = e[0] * b[0] + e[1] * b[1];
        x[0] = -along / trace * e[0];
        x[1] = -along / trace * e[1];
    }
    return fabs(b[0] - along * e[0]) + fabs(b[1] - along * e[1]) <= ZW_ROUNDOFF_VALUE * size;
}

static bool solve_stick(const zw_contact_coulomb *k, const double *q, double *r) {
    const double b[2] = {q[1] - k->b[0] * q[0], q[2] - k->b[1] * q[0]}, *S = k->S;
    if (k->regular) {
        r[1] = -(S[0] * b[0] + S[1] * b[1]);
        r[2] = -(S[2] * b[0] + S[3] * b[1]);
    } else if (!stick_singular(S, b, fabs(q[0]) + fabs(q[1]) + fabs(q[2]), r + 1))
        return false;
    r[0] = -(q[0] + k->W[1] * r[1] + k->W[2] * r[2]) * k->inverse_NN;
    return r[0] > 0 && r[1] * r[1] + r[2] * r[2] <= k->mu * k->mu * r[0] * r[0];
}

/* ------------------------------------------------------------------------ slipping in the plane */

typedef struct
    /* the part of g across d = (c, s) as p2 c - p1 s + a0 + a2 cos(2 angle) + b2 sin(2 angle) */
    turn {
    double p1, p2, a0, a2, b2;
    double n, x, y; /* of r_N: n - x c - y s must be positive for it */
} turn;

static turn make_turn(const zw_contact_coulomb *k, const double *q) {
    const double *W = k->W;
    double half = 0.5 * k->mu, G11 = q[0] * W[4] - q[1] * W[1], G12 = q[0] * W[5] - q[1] * W[2],
           G21 = q[0] * W[7] - q[2] * W[1], G22 = q[0] * W[8] - q[2] * W[2];
    return (turn){.p1 = W[0] * q[1] - q[0] * W[3],
                  .p2 = W[0] * q[2] - q[0] * W[6],
                  .a0 = half * (G21 - G12),
                  .a2 = half * (G21 + G12),
                  .b2 = half * (G22 - G11),
                  .n = q[0] < 0 ? W[0] : -W[0],
                  .x = q[0] < 0 ? k->mu * W[1] : -k->mu * W[1],
                  .y = q[0] < 0 ? k->mu * W[2] : -k->mu * W[2]};
}

static inline double cross_slip(const turn *t, const double *d) {
    return t->p2 * d[0] - t->p1 * d[1] + t->a0 + t->a2 * (d[0] - d[1]) * (d[0] + d[1]) +
           2 * t->b2 * d[0] * d[1];
}

static inline double across_slope(const turn *t, const double *d) {
    return -t->p2 * d[1] - t->p1 * d[0] - 4 * t->a2 * d[0] * d[1] +
           2 * t->b2 * (d[0] - d[1]) * (d[0] + d[1]);
}

/* d turned by twice the angle whose tangent is h */
static inline void rotate_direction(const double *d, double h, double *out) {
    double scale = 1 / (1 + h * h), c = (1 - h) * (1 + h) * scale, s = 2 * h * scale, x = d[0];
    out[0] = c * x - s * d[1];
    out[1] = c * d[1] + s * x;
}

/* the impulse of slip along d; false: it does not press, or the slip is against d */
static bool solve_slip(const zw_contact_coulomb *k, const double *q, const double *d, double *r) {
    const double *W = k->W;
    double mu = k->mu, N = -q[0] / (W[0] - mu * (W[1] * d[0] + W[2] * d[1])), x = -mu * N * d[0],
           y = -mu * N * d[1];
    if (!(N > 0) || !(N < HUGE_VAL))
        return false;
    double slip = d[0] * (q[1] + W[3] * N + W[4] * x + W[5] * y) +
                  d[1] * (q[2] + W[6] * N + W[7] * x + W[8] * y);
    r[0] = N;
    r[1] = x;
    r[2] = y;
    return slip >= -ZW_ROUNDOFF_VALUE * (fabs(q[0]) + fabs(q[1]) + fabs(q[2]));
}

/* Halley's method for the only solution, from the slip without friction: with the value f, slope g
 * and curvature c of `across` it turns by -f g/(g^2 - f c/2); the error after a turn is of the
 * order of its cube */
static bool slide_alone(const zw_contact_coulomb *k, const double *q, double *r) {
    turn t = make_turn(k, q);
    double length = sqrt(t.p1 * t.p1 + t.p2 * t.p2), over = 1 / length,
           d[2] = {t.p1 * over, t.p2 * over};
    if (!(length > 0))
        return false;
    for (int step = 0; step < NEWTON_TURNS; step++) {
        double odd = t.p2 * d[0] - t.p1 * d[1], cos2 = (d[0] - d[1]) * (d[0] + d[1]),
               sin2 = 2 * d[0] * d[1], even = t.a2 * cos2 + t.b2 * sin2, f = odd + t.a0 + even,
               g = 2 * (t.b2 * cos2 - t.a2 * sin2) - t.p2 * d[1] - t.p1 * d[0],
               bend = -odd - 4 * even, h = -0.5 * f * g / (g * g - 0.5 * f * bend);
        if (!(fabs(h) < 1))
            return false;
        rotate_direction(d, h, d);
        if (fabs(h) < TURN_CONVERGED)
            return solve_slip(k, q, d, r);
    }
    return false;
}

/* The zero of `across` between h = low and high from direction d, where it has the values f and g
 * of different signs: Newton's method from the chord, bisection where that leaves the interval. */
static double zero_within(const turn *t, const double *d, double low, double f, double high,
                          double g) {
    double h = low + (high - low) * f / (f - g);
    for (int step = 0; step < BISECTIONS; step++) {
        double x[2];
        rotate_direction(d, h, x);
        double value = cross_slip(t, x), next = h - value / across_slope(t, x) * 0.5 * (1 + h * h);
        if (value == 0)
            return h;
        *((value < 0) == (f < 0) ? &low : &high) = h;
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        if (fabs(next - h) <= DBL_EPSILON)
            return next;
        h = next;
    }
    return h;
}

static inline double across_bend(const turn *t, const double *d) {
    return t->p1 * d[1] - t->p2 * d[0] - 4 * t->a2 * (d[0] - d[1]) * (d[0] + d[1]) -
           8 * t->b2 * d[0] * d[1];
}

/* the only zero of the slope; Newton's method, bisection where that leaves the interval */
static double least_within(const turn *t, const double *d, double width) {
    double low = 0, high = width, h = 0.5 * width;
    bool below = across_slope(t, d) < 0;
    for (int step = 0; step < BISECTIONS; step++) {
        double x[2];
        rotate_direction(d, h, x);
        double slope = across_slope(t, x), next = h - slope / across_bend(t, x) * 0.5 * (1 + h * h);
        *((slope < 0) == below ? &low : &high) = h;
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        if (fabs(next - h) <= DBL_EPSILON)
            return next;
        h = next;
    }
    return h;
}

typedef struct zeros {
    int n;
    double d[ZEROS][2];
} zeros;

static void add_zero(zeros *z, const double *d, double h) {
    if (z->n < ZEROS)
        rotate_direction(d, h, z->d[z->n++]);
}

/* Zeros between d and e, d turned by twice atan(width), where the values are f and g. If both have
 * the same sign but approach 0 from both ends, there may be two, one on each side of the
 * extremum. */
static void zeros_between(const turn *t, const double *d, double f, const double *e, double g,
                          double width, zeros *z) {
    if (f == 0)
        add_zero(z, d, 0);
    else if ((f < 0) != (g < 0) && g != 0)
        add_zero(z, d, zero_within(t, d, 0, f, width, g));
    else if (g != 0 && f * across_slope(t, d) < 0 && g * across_slope(t, e) > 0) {
        double x[2], least = least_within(t, d, width);
        rotate_direction(d, least, x);
        double value = cross_slip(t, x);
        if (value == 0)
            add_zero(z, d, least);
        else if ((value < 0) != (f < 0)) {
            add_zero(z, d, zero_within(t, d, 0, f, least, value));
            add_zero(z, d, zero_within(t, d, least, value, width, g));
        }
    }
}

/* the circle in steps of 15 degrees: cosine and sine of the angle and of twice the angle */
typedef struct compass {
    double c[INTERVALS + 1], s[INTERVALS + 1], c2[INTERVALS + 1], s2[INTERVALS + 1];
} compass;
#define C15 0.96592582628906831
#define C30 0.86602540378443865
#define C45 0.70710678118654757
#define C75 0.25881904510252074
static const compass directions = {
    .c = {1,    C15,  C30,  C45,  0.5,  C75, 0,   -C75, -0.5, -C45, -C30, -C15, -1,
          -C15, -C30, -C45, -0.5, -C75, 0,   C75, 0.5,  C45,  C30,  C15,  1},
    .s = {0,    C75,  0.5,  C45,  C30,  C15, 1,    C15,  C30,  C45,  0.5,  C75, 0,
          -C75, -0.5, -C45, -C30, -C15, -1,  -C15, -C30, -C45, -0.5, -C75, 0},
    .c2 = {1,   C30, 0.5, 0,    -0.5, -C30, -1,   -C30, -0.5, 0,   0.5, C30, 1,
           C30, 0.5, 0,   -0.5, -C30, -1,   -C30, -0.5, 0,    0.5, C30, 1},
    .s2 = {0,   0.5, C30, 1,   C30, 0.5, 0,    -0.5, -C30, -1,   -C30, -0.5, 0,
           0.5, C30, 1,   C30, 0.5, 0,   -0.5, -C30, -1,   -C30, -0.5, 0}};

/* `across` and the denominator of r_N at all directions. Between two directions the denominator
 * exceeds the chord by 1 - cos(7.5 degrees) at most, and its test has slack for that. */
static zeros find_zeros(const turn *t) {
    static const double width = 0.13165249758739583; /* the tangent of half an interval */
    const compass *to = &directions;
    double f[INTERVALS + 1], press[INTERVALS + 1],
        steepest = fabs(t->p1) + fabs(t->p2) + 2 * (fabs(t->a2) + fabs(t->b2)),
        slack = 0.01 * (fabs(t->x) + fabs(t->y)), near = steepest * 2 * width;
    zeros z = {0};
    for (int k = 0; k <= INTERVALS; k++) {
        f[k] = t->p2 * to->c[k] - t->p1 * to->s[k] + t->a0 + t->a2 * to->c2[k] + t->b2 * to->s2[k];
        press[k] = t->n - t->x * to->c[k] - t->y * to->s[k] + slack;
    }
    for (int k = 0; k < INTERVALS; k++) {
        const double d[2] = {to->c[k], to->s[k]}, e[2] = {to->c[k + 1], to->s[k + 1]};
        if (fabs(f[k]) + fabs(f[k + 1]) <= near && (press[k] > 0 || press[k + 1] > 0))
            zeros_between(t, d, f[k], e, f[k + 1], width, &z);
    }
    return z;
}

/* all solutions with slip, the one nearest to the free direction first */
static int slide_all(const zw_contact_coulomb *k, const double *q, double (*r)[3]) {
    turn t = make_turn(k, q);
    zeros z = find_zeros(&t);
    double nearest = -HUGE_VAL;
    int n = 0;
    for (int i = 0; i < z.n; i++) {
        double near = z.d[i][0] * q[1] + z.d[i][1] * q[2];
        if (!solve_slip(k, q, z.d[i], r[n]))
            continue;
        if (near > nearest && n > 0) {
            double swap[3];
            memcpy(swap, r[0], sizeof swap);
            memcpy(r[0], r[n], sizeof swap);
            memcpy(r[n], swap, sizeof swap);
        }
        nearest = zw_larger(near, nearest);
        n++;
    }
    return n;
}

bool zw_contact_coulomb_solve(const zw_contact_coulomb *k, const double *q, double *r) {
    double all[ZEROS][3];
    if (q[0] >= 0) {
        r[0] = r[1] = r[2] = 0;
        return true;
    }
    if (solve_stick(k, q, r) || (k->alone && slide_alone(k, q, r)))
        return true;
    if (!slide_all(k, q, all))
        return false;
    memcpy(r, all[0], sizeof all[0]);
    return true;
}

int zw_contact_coulomb_all(const zw_contact_coulomb *k, const double *q, double (*r)[3]) {
    int n = 0;
    if (q[0] >= 0)
        memset(r[n++], 0, sizeof *r);
    if (solve_stick(k, q, r[n]))
        n++;
    return n > 1 ? n : n + slide_all(k, q, r + n);
}

/* ----------------------------------------------------------------------- any set, on the sphere */

typedef struct sphere {
    const zw_friction *f;
    const double *W, *q;
    int m;
    double size; /* of q */
} sphere;

typedef struct slip_equations { /* the equations at a direction d */
    double d[ZW_LAW_MAX], N, lam, miss;
    double force[ZW_LAW_MAX]; /* grad D */
    double rest[ZW_LAW_MAX];  /* of g across d */
    double slope[ZW_LAW_MAX * ZW_LAW_MAX];
} slip_equations;

static double normalise_direction(int n, double *d) {
    double sum = 0;
    for (int a = 0; a < n; a++)
        sum += d[a] * d[a];
    double length = sqrt(sum);
    for (int a = 0; a < n && length > 0; a++)
        d[a] /= length;
    return length;
}

/* g, its derivatives, lam and r_N at s->d; false: r_N is not defined there */
static bool evaluate_direction(const sphere *k, slip_equations *s) {
    int m = k->m, n = m - 1;
    zw_law_support law;
    const double *W = k->W;
    double along = W[0], mu = k->f->mu, g[ZW_LAW_MAX];
    zw_law_support_at(k->f, s->d, &law);
    memcpy(s->force, law.gradient, sizeof s->force);
    for (int a = 0; a < n; a++)
        along -= mu * W[1 + a] * law.gradient[a];
    if (!(along > 0))
        return false;
    s->N = -k->q[0] / along;
    s->lam = s->miss = 0;
    for (int a = 0; a < n; a++) {
        const double *row = W + (1 + a) * m + 1;
        double pull = row[-1];
        for (int b = 0; b < n; b++)
            pull -= mu * row[b] * law.gradient[b];
        g[a] = k->q[1 + a] + pull * s->N;
        s->lam += g[a] * s->d[a];
        for (int c = 0; c < n; c++) {
            double change = 0;
            for (int b = 0; b < n; b++)
                change += mu * (pull * W[1 + b] / along - row[b]) * law.hessian[b * n + c];
            s->slope[a * n + c] = change * s->N;
        }
    }
    for (int a = 0; a < n; a++) {
        s->rest[a] = g[a] - s->lam * s->d[a];
        s->miss += s->rest[a] * s->rest[a];
    }
    s->miss = sqrt(s->miss);
    return true;
}

/* x = -A^-1 b; false: A is singular */
static bool solve_all(int m, const double *A, const double *b, double *x) {
    double LU[ZW_CONTACT_ROWS_MAX * ZW_CONTACT_ROWS_MAX];
    int pivot[ZW_CONTACT_ROWS_MAX];
    memcpy(LU, A, sizeof *LU * (size_t)(m * m));
    for (int i = 0; i < m; i++)
        x[i] = -b[i];
    if (!(zw_num_lu(m, LU, pivot) > ZW_CONTACT_SINGULAR))
        return false;
    zw_num_lu_solve(m, LU, pivot, 1, x);
    return true;
}

/* (slope - lam) x - dlam d = -rest, d.x = 0: x, at most 0.7 long */
static bool newton_turn(int n, const slip_equations *s, double *x) {
    double A[(ZW_LAW_MAX + 1) * (ZW_LAW_MAX + 1)] = {0}, right[ZW_LAW_MAX + 1] = {0}, length = 0;
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < n; b++)
            A[a * (n + 1) + b] = s->slope[a * n + b] - (a == b ? s->lam : 0);
        A[a * (n + 1) + n] = -s->d[a];
        A[n * (n + 1) + a] = s->d[a];
        right[a] = s->rest[a];
    }
    if (!solve_all(n + 1, A, right, x))
        return false;
    for (int a = 0; a < n; a++)
        length += x[a] * x[a];
    length = sqrt(length);
    for (int a = 0; a < n && length > 0.7; a++)
        x[a] *= 0.7 / length;
    return true;
}

/* a step along x, halved until the component of g across d decreases; false: it does not */
static bool damped_step(const sphere *k, const double *x, slip_equations *s) {
    int n = k->m - 1;
    double part = 1;
    for (int half = 0; half < 12; half++, part /= 2) {
        slip_equations trial;
        for (int a = 0; a < n; a++)
            trial.d[a] = s->d[a] + part * x[a];
        normalise_direction(n, trial.d);
        if (evaluate_direction(k, &trial) && trial.miss < s->miss) {
            *s = trial;
            return true;
        }
    }
    return false;
}

static bool slide_from(const sphere *k, slip_equations *s, double *r) {
    int n = k->m - 1;
    double x[ZW_LAW_MAX + 1];
    if (!evaluate_direction(k, s))
        return false;
    for (int step = 0; step < SPHERE_STEPS && s->miss > 4 * DBL_EPSILON * k->size; step++)
        if (!newton_turn(n, s, x) || !damped_step(k, x, s))
            break;
    if (!(s->miss <= ZW_ROUNDOFF_VALUE * k->size) || s->lam < 0 || s->N < 0)
        return false;
    r[0] = s->N;
    for (int a = 0; a < n; a++)
        r[1 + a] = -k->f->mu * s->N * s->force[a];
    return true;
}

static bool slide_anywhere(const sphere *k, const double *stuck, double *r) {
    static const double corner[8][3] = {{1, 1, 1},  {1, 1, -1},  {1, -1, 1},  {1, -1, -1},
                                        {-1, 1, 1}, {-1, 1, -1}, {-1, -1, 1}, {-1, -1, -1}};
    int n = k->m - 1;
    for (int trial = 0; trial < 10; trial++) {
        slip_equations s;
        for (int a = 0; a < n; a++)
            s.d[a] = trial == 0   ? k->q[1 + a] - k->W[(1 + a) * k->m] * k->q[0] / k->W[0]
                     : trial == 1 ? (stuck ? -stuck[1 + a] : k->q[1 + a])
                                  : corner[trial - 2][a];
        if (normalise_direction(n, s.d) > 0 && slide_from(k, &s, r))
            return true;
    }
    return false;
}

static bool solve_sphere(const zw_friction *f, const double *W, const double *q, double *r) {
    sphere k = {.f = f, .W = W, .q = q, .m = 1 + f->nrow};
    double stuck[ZW_CONTACT_ROWS_MAX];
    bool sticks = solve_all(k.m, W, q, stuck);
    for (int a = 0; a < k.m; a++)
        k.size += fabs(q[a]);
    if (sticks && stuck[0] >= 0 && zw_law_gauge_value(f, stuck + 1) <= f->mu * stuck[0]) {
        memcpy(r, stuck, sizeof *r * (size_t)k.m);
        return true;
    }
    return slide_anywhere(&k, sticks ? stuck : NULL, r);
}

bool zw_contact_single(const zw_contact_law *law, const double *W, const double *q, double *r) {
    int m = zw_contact_law_rows(law);
    const zw_friction *f = law->block;
    memset(r, 0, sizeof *r * (size_t)m);
    if (q[0] >= 0)
        return true;
    if (law->nblock == 0 || (law->nblock == 1 && f->mu == 0 && f->kind != ZW_FRICTION_LINEAR)) {
        r[0] = -q[0] / W[0];
        return true;
    }
    if (law->nblock > 1 || f->kind == ZW_FRICTION_LINEAR || f->smooth > 0)
        return false;
    if (!zw_contact_is_disc(law))
        return solve_sphere(f, W, q, r);
    zw_contact_coulomb k;
    zw_contact_coulomb_prepare(&k, W, f->mu);
    return zw_contact_coulomb_solve(&k, q, r);
}
