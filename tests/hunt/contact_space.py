# SPDX-License-Identifier: MIT
"""Points and balls in space on planes that move: random models, and an integrator with short fixed steps.

The integrator is Moreau's midpoint rule with projected Gauss-Seidel sweeps; runs with two step lengths estimate its error.
"""

import math
from types import SimpleNamespace

from contact_models import Maker, num, restitution, rounded, zero


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def unit(a):
    n = math.sqrt(dot(a, a))
    return (a[0] / n, a[1] / n, a[2] / n)


def tangents(n):
    other = (1.0, 0.0, 0.0) if abs(n[0]) < 0.9 else (0.0, 1.0, 0.0)
    t = unit(cross(n, other))
    return t, cross(n, t)


def turned(p, a):
    """The vector a in the axes of a body with the unit quaternion p, in space."""
    u = p[1:]
    b = cross(u, a)
    c = cross(u, b)
    return tuple(x + 2 * (p[0] * y + z) for x, y, z in zip(a, b, c))


def turn(p, w, h):
    """p after the angular velocity w in space for the time h."""
    angle = math.sqrt(dot(w, w)) * h
    s = math.sin(angle / 2) * h / angle if angle else h / 2
    d, u = [math.cos(angle / 2)] + [s * x for x in w], p[1:]
    c = cross(d[1:], u)
    return [d[0] * p[0] - dot(d[1:], u)] + [d[0] * u[i] + p[0] * d[1 + i] + c[i] for i in range(3)]


class Body:
    """A point, a ball of radius r, or a body on legs with the moment of inertia j about all axes."""

    def __init__(self, number, m, r, q, v, w, j=0.0):
        self.number, self.m, self.r, self.q, self.v, self.w, self.j = number, m, r, q, v, w, j
        self.lightness = 1 / m, (2.5 / (m * r * r) if r else 1 / j if j else 0.0)

    def name(self):
        return "%s%d" % ("ball" if self.r else "table" if self.j else "point", self.number)


class Side:
    """A plane through a frame that moves without turning, or another body."""

    def __init__(self, name, body, normal, frame, mu, e, other=None, foot=None):
        self.name, self.body, self.normal, self.frame, self.mu, self.e, self.other = name, body, normal, frame, mu, e, other
        self.foot = foot


class Model:
    kind = "space"

    def __init__(self, until):
        self.until, self.bodies, self.frames, self.contacts, self.events, self.clock = until, [], [], [], [], []
        self.params, self.pushes = {}, []
        self.gravity = 9.81

    @property
    def coords(self):
        return ["%s%d" % (c, b.number) for b in self.bodies for c in "xyz"]

    @property
    def weight(self):
        return max(1.0, sum(b.m for b in self.bodies) * self.gravity)

    def text(self, seed):
        out = ["model hunt_%d \"points and balls in space\"" % seed, "units none"]
        if self.params:
            out.append("param " + ", ".join("%s = %s" % (k, num(v)) for k, v in self.params.items()))
        out.append("coord " + ", ".join(self.coords))
        for f in self.frames:
            for fn in f.place:
                out += fn.lines
        for b in self.bodies:
            place = "(x%d, y%d, z%d)" % (b.number, b.number, b.number)
            out.append("body ball%d : sphere(%s, %s) at %s" % (b.number, num(b.m), num(b.r), place) if b.r
                       else "body table%d : at %s, inertia(%s, %s)" % (b.number, place, num(b.m), ", ".join([num(b.j)] * 3)) if b.j
                       else "particle point%d : %s at %s" % (b.number, num(b.m), place))
        out.append("gravity 9.81 along -z")
        for c, fn in self.pushes:
            out += fn.lines
            out.append("force (%s) = %s" % (self.coords[c], fn.text))
        for f in self.frames:
            out.append("frame %s : at (%s)" % (f.name, ", ".join("%s + %s" % (num(o), fn.text) for o, fn in zip(f.origin, f.place))))
        for c in self.contacts:
            mu = c.mu if isinstance(c.mu, str) else num(c.mu)
            law = "law newton(%s) + coulomb(%s)" % (num(c.e), mu)
            what = "sphere %s radius %s" % (c.body.name(), num(c.body.r)) if c.body.r else "point %s" % c.body.name()
            if c.foot:
                name = c.body.name()
                what = "point %s.origin + %s(%s) of %s" % (name, name, ", ".join(map(num, c.foot)), name)
            if c.other:
                out.append("contact %s : %s on sphere %s radius %s, %s" % (c.name, what, c.other.name(), num(c.other.r), law))
            else:
                axis = {(0, 0, 1): "z", (1, 0, 0): "x", (-1, 0, 0): "-x", (0, 1, 0): "y"}.get(c.normal) or "(%s)" % ", ".join(map(num, c.normal))
                out.append("contact %s : %s on plane %s of %s, %s" % (c.name, what, axis, c.frame.name, law))
        out += self.events
        start = ["%s%d%s = %s" % (c, b.number, d, num(x)) for b in self.bodies for d, y in (("", b.q), ("'", b.v)) for c, x in zip("xyz", y) if x]
        start += ["%s.w%s = %s" % (b.name(), c, num(x)) for b in self.bodies if b.r or b.j for c, x in zip("xyz", b.w) if x]
        return "\n".join(out + ["start " + ", ".join(start)]) + "\n"


def legs(k, m):
    """A body on three legs that stands, slides and turns, or falls."""
    mass, high, wide = k.value(0.5, 3), k.value(0.03, 0.2), k.value(0.1, 0.3)
    stands = k.r.random() < 0.6
    b = Body(1, mass, 0.0, [0.0, 0.0, high if stands else rounded(high + k.value(0.01, 0.1))], [k.value(-1.5, 1.5), k.value(-1.5, 1.5), 0.0],
             [0.0 if stands else k.value(-1, 1), 0.0 if stands else k.value(-1, 1), k.value(-6, 6)], rounded(mass * wide**2 * k.value(0.2, 0.6)))
    m.bodies.append(b)
    floor, mu, e = frame(k, m, (0.0, 0.0, 0.0), 0.1, 0.01), k.value(0.05, 0.7), k.r.choice((0.0, 0.0, k.value(0.1, 0.6)))
    for i in range(3):
        angle = 2 * math.pi * i / 3 + k.value(0, 0.5)
        foot = (rounded(wide * math.cos(angle)), rounded(wide * math.sin(angle)), -high)
        m.contacts.append(Side("leg%d" % i, b, (0, 0, 1), floor, mu, e, foot=foot))
    if k.r.random() < 0.5:
        m.pushes.append((k.r.choice((0, 1)), k.speed(8, ("sin", "const", "if", "linear", "state"))))


def model(rng):
    k = Maker(rng, rng.choice((0.5, 1.0)))
    m = Model(k.until)
    if rng.random() < 0.3:
        legs(k, m)
    for i in range(0 if m.bodies else rng.choice((1, 2))):
        r = rng.choice((0.0, k.value(0.05, 0.15)))
        height = r if rng.random() < 0.4 else rounded(r + k.value(0.01, 0.3))
        b = Body(i + 1, k.value(0.3, 2), r, [float(i), 0.0, height],
                 [k.value(-1.5, 1.5), k.value(-1.5, 1.5), 0.0 if height == r else k.value(-1, 1)],
                 [k.value(-15, 15) for _ in range(3)] if r else [0.0] * 3)
        m.bodies.append(b)
        floor = frame(k, m, (0.0, 0.0, 0.0), 0.1, 0.02)
        m.contacts.append(Side("floor%d" % i, b, (0, 0, 1), floor, k.value(0.05, 0.7), restitution(k)))
        for j in range(rng.choice((0, 1, 2))):
            axis = rng.choice(((1, 0, 0), (-1, 0, 0), (0, 1, 0), (1, 1, 1), (0, -1, 1), (-2, 1, 1)))
            n = unit(axis)
            gap = k.value(0.05, 0.4)
            origin = tuple(rounded(q - (r + gap) * c) for q, c in zip(b.q, n))
            m.contacts.append(Side("side%d%d" % (i, j), b, axis, frame(k, m, origin, 0.03, 0.03), rng.choice((0.0, k.value(0.05, 0.7))), restitution(k)))
        if rng.random() < 0.5:
            m.pushes.append((3 * i + rng.choice((0, 1)), k.speed(8, ("sin", "const", "if", "linear", "state"))))
    if len(m.bodies) == 2 and m.bodies[0].r and m.bodies[1].r:
        m.contacts.append(Side("pair", m.bodies[0], None, None, k.value(0.05, 0.5), restitution(k), m.bodies[1]))
        m.bodies[0].v[0] = abs(m.bodies[0].v[0])
        m.bodies[1].v[0] = -abs(m.bodies[1].v[0])
    if rng.random() < 0.5:
        c, when = rng.choice(m.contacts), k.time()
        if rng.random() < 0.5 and c.mu:
            p, value = "mu9", rounded(c.mu * rng.choice((0.0, 0.4, 1.5)))
            m.params[p], c.mu = c.mu, p
            m.events.append("event act : t - %s rising, set %s = %s" % (num(when), p, num(value)))
            m.clock.append((when, "set", p, value))
        else:
            m.events.append("event act : t - %s rising, switch off %s" % (num(when), c.name))
            m.clock.append((when, "off", c.name, None))
    return m


def frame(k, m, origin, wide, high):
    kinds = ("rest", "sin", "harmonic", "linear", "cubic", "if", "abs", "state", "max")
    place = [k.place(wide, kinds) if k.r.random() < 0.4 else zero() for _ in range(2)] + [k.place(high, kinds) if k.r.random() < 0.5 else zero()]
    f = SimpleNamespace(name="S%d" % (len(m.frames) + 1), origin=origin, place=place)
    m.frames.append(f)
    return f


def rows_of(c, t, q, p, index):
    """Gap and the three rows of a contact: [(body, direction, arm x direction)], and the velocity of the support along them."""
    b = index[c.body.number]
    if c.other:
        o = index[c.other.number]
        d = [x - y for x, y in zip(q[b], q[o])]
        far = math.sqrt(dot(d, d))
        n = unit(d)
        gap = far - c.body.r - c.other.r
        speed = (0.0, 0.0, 0.0)
    else:
        n = unit(c.normal)
        place = [fn.at(t, t) for fn in c.frame.place]
        gap = sum(a * (x - o - f[0]) for a, x, o, f in zip(n, q[b], c.frame.origin, place)) - c.body.r
        speed = [f[1] for f in place]
    arm = [-c.body.r * x for x in n]
    if c.foot:
        arm = turned(p[b], c.foot)
        gap += dot(n, arm)
    rows = []
    for d in (n,) + tangents(n):
        row = [(b, d, cross(arm, d))]
        if c.other:
            far = [c.other.r * x for x in n]
            row.append((o, tuple(-x for x in d), tuple(-x for x in cross(far, d))))
        rows.append((row, dot(speed, d)))
    return gap, rows


def run(m, times, step, scale=1.0):
    """Positions at the times."""
    index = {b.number: i for i, b in enumerate(m.bodies)}
    q = [list(b.q) for b in m.bodies]
    v = [[x * scale for x in b.v] for b in m.bodies]
    w = [list(b.w) for b in m.bodies]
    p4 = [[1.0, 0.0, 0.0, 0.0] for _ in m.bodies]
    light = [b.lightness for b in m.bodies]
    par, off, clock = dict(m.params), set(), sorted(m.clock)
    out, t = [], 0.0

    def rate(row, support):
        return sum(dot(d, v[b]) + dot(a, w[b]) for b, d, a in row) - support

    def push(row, p):
        for b, d, a in row:
            for i in range(3):
                v[b][i] += light[b][0] * p * d[i]
                w[b][i] += light[b][1] * p * a[i]

    for end in times:
        n = max(0, math.ceil((end - t) / step - 1e-9))
        h = (end - t) / n if n else 0.0
        for _ in range(n):
            while clock and clock[0][0] <= t + h / 2:
                _, kind, name, value = clock.pop(0)
                if kind == "set":
                    par[name] = value
                else:
                    off.add(name)
            mid = t + h / 2
            for b in range(len(q)):
                p4[b] = turn(p4[b], w[b], h / 2)
                for i in range(3):
                    q[b][i] += h / 2 * v[b][i]
            closed = []
            for c in m.contacts:
                if c.name in off:
                    continue
                gap, rows = rows_of(c, mid, q, p4, index)
                if gap <= 0:
                    stiff = [1 / sum(light[b][0] * dot(d, d) + light[b][1] * dot(a, a) for b, d, a in row) for row, _ in rows]
                    before = rate(*rows[0])
                    closed.append((rows, stiff, min(stiff[1:]), before * c.e, par[c.mu] if isinstance(c.mu, str) else c.mu, [0.0, 0.0, 0.0]))
            for b in range(len(v)):
                v[b][2] -= h * m.gravity * scale
            for c, fn in m.pushes:
                v[c // 3][c % 3] += h * fn.at(mid, mid)[0] * light[c // 3][0]
            for sweep in range(300):
                change = 0.0
                for rows, stiff, rho, bounce, mu, p in closed:
                    new = max(0.0, p[0] - stiff[0] * (rate(*rows[0]) + bounce))
                    change = max(change, abs(new - p[0]))
                    push(rows[0][0], new - p[0])
                    p[0] = new
                    f = [p[1] - rho * rate(*rows[1]), p[2] - rho * rate(*rows[2])]
                    size, most = math.hypot(*f), mu * p[0]
                    if size > most:
                        f = [x * most / size for x in f]
                    for i in (0, 1):
                        change = max(change, abs(f[i] - p[1 + i]))
                        push(rows[1 + i][0], f[i] - p[1 + i])
                        p[1 + i] = f[i]
                if len(closed) == 0 or change < 1e-12:
                    break
            for b in range(len(q)):
                p4[b] = turn(p4[b], w[b], h / 2)
                for i in range(3):
                    q[b][i] += h / 2 * v[b][i]
            t += h
        t = end
        out.append((end, [x for b in q for x in b], [x for b in v for x in b]))
    return out
