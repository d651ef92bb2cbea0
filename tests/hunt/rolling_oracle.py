# SPDX-License-Identifier: MIT
"""Motions of rolling bodies from independent equations: Newton's and Euler's laws with the contact force eliminated by
hand, in space axes, integrated by the Runge-Kutta method of order 4 in fixed steps. No code of the command is used.

A ball of radius r touches at its centre plus r n, where n(x) is the unit normal of the surface on which the centre moves.
It rolls with v = u + r n x w, u the velocity of the support at the contact, so that J w' = r n x (m v' - F) + T gives

    (J + m r^2) w' = r n x (m (u' + r n' x w) - F) + T     across n,     J w'.n = T.n;

without friction v' = F/m - n (n.F/m + n'.v) and J w' = T. n' is the derivative of n along v, by a complex step, which is exact."""
import math


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def solve(a, b):
    """a x = b by elimination with pivots."""
    n = len(b)
    a = [list(row) + [b[i]] for i, row in enumerate(a)]
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(a[i][k]))
        a[k], a[best] = a[best], a[k]
        for i in range(k + 1, n):
            f = a[i][k] / a[k][k]
            for j in range(k, n + 1):
                a[i][j] -= f * a[k][j]
    x = [0.0] * n
    for k in range(n - 1, -1, -1):
        x[k] = (a[k][n] - sum(a[k][j] * x[j] for j in range(k + 1, n))) / a[k][k]
    return x


def rk4(rates, t, x, until, steps):
    h = (until - t) / steps
    for i in range(steps):
        s = t + i * h
        a = rates(s, x)
        b = rates(s + h / 2, [p + h / 2 * q for p, q in zip(x, a)])
        c = rates(s + h / 2, [p + h / 2 * q for p, q in zip(x, b)])
        d = rates(s + h, [p + h * q for p, q in zip(x, c)])
        x = [p + h / 6 * (k + 2 * l + 2 * m + n) for p, k, l, m, n in zip(x, a, b, c, d)]
    return x


class Surface:
    """Where the centre of the ball may be: level(x) = 0, with normals k(x) that point to the contact if sign is 1."""

    def __init__(self, k, level, sign=1):
        self.k, self.level, self.sign = k, level, sign

    def normal(self, x):
        k = self.k(x)
        length = (k[0] ** 2 + k[1] ** 2 + k[2] ** 2) ** 0.5
        return [self.sign * c / length for c in k]

    def both(self, x, v):
        """n and its derivative along v."""
        h = 1e-20
        n = self.normal([a + 1j * h * b for a, b in zip(x, v)])
        return [c.real for c in n], [c.imag / h for c in n]


class Ball:
    """State: x, v, w (9). force(t, x, v) and torque(w) are functions; turn: angular velocity of the support about z through `centre`."""

    def __init__(self, m, r, J, surface, force, turn=0.0, centre=(0, 0, 0), torque=lambda w: [0.0] * 3):
        self.m, self.r, self.J, self.surface, self.force = m, r, J, surface, force
        self.turn, self.centre, self.torque, self.rolls = turn, centre, torque, True

    def support(self, x, n):
        return cross([0, 0, self.turn], [a + self.r * b - c for a, b, c in zip(x, n, self.centre)])

    def rolling(self, x, w):
        n = self.surface.normal(x)
        return [a + self.r * b for a, b in zip(self.support(x, n), cross(n, w))]

    def rates(self, t, state):
        x, v, w = state[:3], state[3:6], state[6:]
        m, r, J = self.m, self.r, self.J
        if self.rolls:
            v = self.rolling(x, w)
        n, dn = self.surface.both(x, v)
        F, T = self.force(t, x, v), self.torque(w)
        if not self.rolls:
            a = dot(n, F) / m + dot(dn, v)
            return v + [f / m - a * c for f, c in zip(F, n)] + [c / J for c in T]
        drift = [a + r * b for a, b in zip(cross([0, 0, self.turn], [p + r * q for p, q in zip(v, dn)]), cross(dn, w))]
        b = [r * p + q for p, q in zip(cross(n, [m * p - q for p, q in zip(drift, F)]), T)]
        along = dot(n, b)
        return v + [0.0] * 3 + [(p - along * q) / (J + m * r * r) + along * q / J for p, q in zip(b, n)]

    def settle(self, state, fixed=()):
        """Velocities onto the constraints by the smallest change in the metric of the masses; entries of w in `fixed` stay."""
        x, v, w = state[:3], state[3:6], state[6:]
        n = self.surface.normal(x)
        if not self.rolls:
            along = dot(n, [a - b for a, b in zip(v, self.support(x, n) if self.turn else [0] * 3)])
            return x + [a - along * b for a, b in zip(v, n)] + w
        m, r, J = self.m, self.r, self.J
        u = self.support(x, n)
        side = [a - b for a, b in zip(v, u)]
        A = [[(J + m * r * r) * (i == j) - m * r * r * n[i] * n[j] for j in range(3)] for i in range(3)]
        b = [J * p + m * r * q for p, q in zip(w, cross(side, n))]
        free = [i for i in range(3) if i not in fixed]
        part = solve([[A[i][j] for j in free] for i in free],
                     [b[i] - sum(A[i][j] * w[j] for j in fixed) for i in free]) if free else []
        for i, value in zip(free, part):
            w = w[:i] + [value] + w[i + 1:]
        return x + self.rolling(x, w) + w


class Disc:
    """A disc on the plane z = 0, r the radius of its edge, round that of balls along it. State: x, e (its axis), w (9);
    A, C: moments of inertia across and along e."""

    def __init__(self, m, r, g, A, C):
        self.m, self.r, self.g, self.A, self.C, self.round = m, r, g, A, C, 0.0

    def arm(self, e):
        """from the centre to the contact"""
        side = math.sqrt(1 - e[2] ** 2)
        return [self.r * (e[2] * c - (i == 2)) / side - self.round * (i == 2) for i, c in enumerate(e)]

    def velocity(self, state):
        return cross(self.arm(state[3:6]), state[6:])

    def rates(self, t, state):
        e, w = state[3:6], state[6:]
        m, r, A, C = self.m, self.r, self.A, self.C
        c, de = self.arm(e), cross(w, e)
        side = 1 - e[2] ** 2
        raw = [e[2] * p - (i == 2) for i, p in enumerate(e)]
        draw = [de[2] * p + e[2] * q for p, q in zip(e, de)]
        dc = [r * (p / math.sqrt(side) + q * e[2] * de[2] / side ** 1.5) for p, q in zip(draw, raw)]
        # L' = c x f, f = m v' + m g z, v = c x w, v' = c' x w + c x w'
        spin = dot(w, e)
        rest = cross(c, [m * p + (m * self.g if i == 2 else 0) for i, p in enumerate(cross(dc, w))])
        gyro = [(C - A) * (dot(w, de) * p + spin * q) for p, q in zip(e, de)]
        M = [[A * (i == j) + (C - A) * e[i] * e[j] for j in range(3)] for i in range(3)]
        for j in range(3):
            unit = [float(i == j) for i in range(3)]
            column = cross(c, cross(c, unit))
            for i in range(3):
                M[i][j] -= m * column[i]
        return cross(c, w) + de + solve(M, [p - q for p, q in zip(rest, gyro)])


class Train:
    """Coordinates with masses, springs, dampers and drives, and rows a(q) q' = 0 that are on. State: q, q'."""

    def __init__(self, mass, force, rows):
        self.mass, self.force, self.rows = mass, force, rows

    def active(self):
        return [a for a, on in self.rows if on]

    def multiply(self, a, q, v, F):
        """v' of M v' = F + a' l, a v' = -a_t v, with a_t by a complex step along v"""
        h = 1e-20
        A = [f([p + 1j * h * s for p, s in zip(q, v)]) for f in a]
        now = [[complex(c).real for c in row] for row in A]
        then = [[complex(c).imag / h for c in row] for row in A]
        return self.with_rows(now, F, [-sum(c * s for c, s in zip(row, v)) for row in then])

    def with_rows(self, A, F, b):
        if not A:
            return [f / m for f, m in zip(F, self.mass)]
        S = [[sum(p * q / m for p, q, m in zip(r, s, self.mass)) for s in A] for r in A]
        l = solve(S, [c - sum(p * f / m for p, f, m in zip(r, F, self.mass)) for r, c in zip(A, b)])
        return [(f + sum(A[k][i] * l[k] for k in range(len(A)))) / m for i, (f, m) in enumerate(zip(F, self.mass))]

    def rates(self, t, state):
        n = len(self.mass)
        q, v = state[:n], state[n:]
        return v + self.multiply(self.active(), q, v, self.force(t, q, v))

    def settle(self, state, fixed=()):
        n = len(self.mass)
        q, v = state[:n], state[n:]
        A = [[complex(c).real for c in f(q)] for f in self.active()]
        if not A:
            return state
        held = [[float(i == j) for i in range(n)] for j in fixed]
        rows = A + held
        wanted = [0.0] * len(A) + [v[j] for j in fixed]
        step = self.with_rows(rows, [0.0] * n, [c - sum(p * s for p, s in zip(r, v)) for r, c in zip(rows, wanted)])
        return q + [p + s for p, s in zip(v, step)]
