# SPDX-License-Identifier: MIT
"""Random models with contacts in the plane: the text for the command, and the same model as numbers for the independent integrator."""

import math
from types import SimpleNamespace


def num(x):
    """A number as written in the text."""
    return "%.12g" % x


def rounded(x):
    return float("%.6g" % x)


class Fn:
    """A function of time: text, declarations, times of its kinks, and value with two derivatives."""

    def __init__(self, text, at, breaks=(), lines=()):
        self.text, self.at, self.breaks, self.lines = text, at, list(breaks), list(lines)


def zero():
    return Fn("0", lambda t, mid: (0.0, 0.0, 0.0))


def sine(a, w, ph):
    return lambda t, mid: (a * math.sin(w * t + ph), a * w * math.cos(w * t + ph), -a * w * w * math.sin(w * t + ph))


def linear_table(ts, ys):
    def at(t, mid):
        if mid < ts[0]:
            return ys[0], 0.0, 0.0
        for a, b, p, q in zip(ts, ts[1:], ys, ys[1:]):
            if a <= mid < b:
                return p + (q - p) / (b - a) * (t - a), (q - p) / (b - a), 0.0
        return ys[-1], 0.0, 0.0

    return at


def natural_spline(ts, ys):
    n = len(ts)
    h = [b - a for a, b in zip(ts, ts[1:])]
    m = [0.0] * n
    lower, diag, right = [0.0] * n, [1.0] * n, [0.0] * n
    upper = [0.0] * n
    for i in range(1, n - 1):
        lower[i], diag[i], upper[i] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
        right[i] = 6 * ((ys[i + 1] - ys[i]) / h[i] - (ys[i] - ys[i - 1]) / h[i - 1])
    for i in range(1, n):
        f = lower[i] / diag[i - 1]
        diag[i] -= f * upper[i - 1]
        right[i] -= f * right[i - 1]
    m[n - 1] = right[n - 1] / diag[n - 1]
    for i in range(n - 2, -1, -1):
        m[i] = (right[i] - upper[i] * m[i + 1]) / diag[i]

    def at(t, mid):
        if mid < ts[0]:
            return ys[0], 0.0, 0.0
        for i in range(n - 1):
            if ts[i] <= mid < ts[i + 1]:
                a, b = ts[i + 1] - t, t - ts[i]
                c, d = ys[i] / h[i] - m[i] * h[i] / 6, ys[i + 1] / h[i] - m[i + 1] * h[i] / 6
                return (
                    (m[i] * a**3 + m[i + 1] * b**3) / (6 * h[i]) + c * a + d * b,
                    (-m[i] * a * a + m[i + 1] * b * b) / (2 * h[i]) - c + d,
                    (m[i] * a + m[i + 1] * b) / h[i],
                )
        return ys[-1], 0.0, 0.0

    return at


def followed(ts, us, tau, s0):
    """s' = (u - s)/tau with u piecewise constant: us[i] from ts[i] on."""
    starts = [s0]
    for i in range(1, len(ts)):
        starts.append(us[i - 1] + (starts[-1] - us[i - 1]) * math.exp(-(ts[i] - ts[i - 1]) / tau))

    def at(t, mid):
        i = max(k for k in range(len(ts)) if ts[k] <= mid)
        d = (starts[i] - us[i]) * math.exp(-(t - ts[i]) / tau)
        return us[i] + d, -d / tau, d / tau / tau

    return at


class Maker:
    """Random choices of one model."""

    def __init__(self, rng, until):
        self.r, self.until, self.count = rng, until, 0

    def name(self, stem):
        self.count += 1
        return "%s%d" % (stem, self.count)

    def value(self, a, b):
        return rounded(self.r.uniform(a, b))

    def time(self):
        return self.value(0.1 * self.until, 0.9 * self.until)

    def times(self, n):
        while True:
            ts = sorted(self.time() for _ in range(n))
            if all(b - a > 0.05 * self.until for a, b in zip(ts, ts[1:])):
                return ts

    def place(self, a, kinds=("rest", "sin", "harmonic", "linear", "cubic", "if", "abs", "state", "max")):
        """A continuous motion of a surface, of size a, that is 0 at first."""
        kind = self.r.choice(kinds)
        w, a = self.value(2, 25), self.value(0.2 * a, a)
        zeros = [k * math.pi / w for k in range(1, int(w * self.until / math.pi) + 1)]
        name = self.name("s")
        if kind == "sin":
            return Fn("%s*sin(%s*t)" % (num(a), num(w)), sine(a, w, 0.0))
        if kind == "harmonic":
            return Fn(name, sine(a, w, 0.0), lines=["input %s = harmonic(%s, %s)" % (name, num(a), num(w))])
        if kind in ("linear", "cubic"):
            ts = self.times(self.r.randint(2, 5))
            ys = [0.0] + [self.value(-a, a) for _ in ts[1:]]
            points = ", ".join("(%s, %s)" % (num(t), num(y)) for t, y in zip(ts, ys))
            at = linear_table(ts, ys) if kind == "linear" else natural_spline(ts, ys)
            return Fn(name, at, ts, ["input %s = table %s %s" % (name, points, kind)])
        if kind == "if":
            when, v = self.time(), self.value(-2 * a, 2 * a)
            return Fn(
                "if(t < %s, 0, %s*(t - %s))" % (num(when), num(v), num(when)),
                lambda t, mid: (v * (t - when), v, 0.0) if mid > when else (0.0, 0.0, 0.0),
                [when],
            )
        if kind in ("abs", "max"):
            base = sine(a, w, 0.0)

            def at(t, mid):
                p, s = base(t, mid), math.sin(w * mid)
                if s > 0:
                    return p
                return (-p[0], -p[1], -p[2]) if kind == "abs" else (0.0, 0.0, 0.0)

            text = "%s*abs(sin(%s*t))" if kind == "abs" else "max(0, %s*sin(%s*t))"
            return Fn(text % (num(a), num(w)), at, zeros)
        if kind == "state":
            tau = self.value(0.02, 0.3)
            ts = [0.0] + self.times(2)
            us = [0.0, self.value(-a, a), self.value(-a, a)]
            u = "if(t < %s, 0, if(t < %s, %s, %s))" % (num(ts[1]), num(ts[2]), num(us[1]), num(us[2]))
            return Fn(name, followed(ts, us, tau, 0.0), ts[1:], ["state %s : %s' = (%s - %s)/%s" % (name, name, u, name, num(tau))])
        return zero()

    def speed(self, v, kinds=("rest", "rest", "const", "sin", "if", "hold", "linear", "state", "rate")):
        """The velocity of a belt: value and rate; it may jump."""
        kind = self.r.choice(kinds)
        name = self.name("b")
        w, v = self.value(2, 25), self.value(0.2 * v, v) * self.r.choice((-1, 1))
        if kind == "const":
            return Fn(num(v), lambda t, mid: (v, 0.0, 0.0))
        if kind == "sin":
            return Fn("%s*sin(%s*t)" % (num(v), num(w)), sine(v, w, 0.0))
        if kind == "if":
            when, other = self.time(), self.value(-1, 1) * abs(v)
            return Fn(
                "if(t < %s, %s, %s)" % (num(when), num(v), num(rounded(other))),
                lambda t, mid: (v if mid < when else rounded(other), 0.0, 0.0),
                [when],
            )
        if kind in ("hold", "linear"):
            ts = self.times(3)
            ys = [self.value(-abs(v), abs(v)) for _ in ts]
            points = ", ".join("(%s, %s)" % (num(t), num(y)) for t, y in zip(ts, ys))

            def held(t, mid):
                return ys[max([k for k in range(3) if ts[k] <= mid], default=0)], 0.0, 0.0

            return Fn(name, held if kind == "hold" else linear_table(ts, ys), ts, ["input %s = table %s %s" % (name, points, kind)])
        if kind == "state":
            tau, when = self.value(0.02, 0.3), self.time()
            return Fn(
                name,
                followed([0.0, when], [v, -v], tau, 0.0),
                [when],
                ["state %s : %s' = (if(t < %s, %s, %s) - %s)/%s" % (name, name, num(when), num(v), num(-v), name, num(tau))],
            )
        if kind == "rate":
            base = self.place(0.1, ("sin", "linear", "cubic", "state"))
            return Fn("(%s)'" % base.text, lambda t, mid: base.at(t, mid)[1:] + (0.0,), base.breaks, base.lines)
        return zero()


class Contact:
    """A point or a disc against a straight side that moves, or against another point."""

    def __init__(self, name, body, normal, far, place, speed, mu, e, offset=(0.0, 0.0), radius=0.0, other=None, wave=None):
        self.name, self.body, self.normal, self.far = name, body, normal, far
        self.place, self.speed, self.friction, self.restitution = place, speed, mu, e
        self.offset, self.radius, self.other, self.wave, self.on = offset, radius, other, wave, True
        self.rough = mu is not None
        self.shape = None

    def e(self, run):
        return run.par[self.restitution] if isinstance(self.restitution, str) else self.restitution

    def mu(self, run, t, q):
        if not self.rough:
            return 0.0
        if isinstance(self.friction, str):
            return run.par[self.friction]
        if isinstance(self.friction, tuple):  # (switch, left, right)
            return self.friction[1] if run.side[self.friction[0]] else self.friction[2]
        return self.friction

    def row(self, run, q, v, d):
        """Gradient of the place along d, and the rate of that row times the velocity."""
        w, rate = [0.0] * run.n, 0.0
        x, y, th = self.body
        w[x], w[y] = d
        if th is not None:
            a, b = self.offset
            c, s = math.cos(q[th]), math.sin(q[th])
            rx, ry = a * c - b * s, a * s + b * c
            w[th] = d[1] * rx - d[0] * ry
            rate = -(rx * d[0] + ry * d[1]) * v[th] ** 2
        if self.other:
            w[self.other[0]] -= d[0]
            w[self.other[1]] -= d[1]
        return w, rate

    def rows(self, run, t, q, v):
        n = self.normal
        along = (n[1], -n[0])
        wn, bn = self.row(run, q, v, n)
        wt, bt = self.row(run, q, v, along)
        x, y, th = self.body
        if th is not None:
            wt[th] += self.radius
        p, s = self.place.at(t, run.mid), self.speed.at(t, run.mid)
        belt = run.par[self.speed.text] if self.speed.text in run.par else s[0]
        gap = q[x] * n[0] + q[y] * n[1] - self.far - self.radius - p[0]
        if th is not None:
            a, b = self.offset
            c, si = math.cos(q[th]), math.sin(q[th])
            gap += n[0] * (a * c - b * si) + n[1] * (a * si + b * c)
        if self.other:
            gap -= q[self.other[0]] * n[0] + q[self.other[1]] * n[1]
        if self.wave:
            a, k = self.wave
            gap -= a * math.sin(k * q[x])
            wn[x] -= a * k * math.cos(k * q[x])
            bn += a * k * k * math.sin(k * q[x]) * v[x] ** 2
        vn = sum(a * b for a, b in zip(wn, v)) - p[1]
        vt = sum(a * b for a, b in zip(wt, v)) - belt
        return SimpleNamespace(gap=gap, wn=wn, bn=bn - p[2], wt=wt, bt=bt - s[1], vn=vn, vt=vt)

    def text(self, model):
        x, y, th = (model.coords[i] if i is not None else None for i in self.body)
        X, Y = x, y
        a, b = self.offset
        if th and (a or b):
            X = "(%s + %s*cos(%s) - %s*sin(%s))" % (x, num(a), th, num(b), th)
            Y = "(%s + %s*sin(%s) + %s*cos(%s))" % (y, num(a), th, num(b), th)
        if self.other:
            X, Y = "(%s - %s)" % (X, model.coords[self.other[0]]), "(%s - %s)" % (Y, model.coords[self.other[1]])
        nx, ny = self.normal
        angle = self.angle
        if angle == 90:
            gap, slip = Y, "%s'" % X
        elif angle == 0:
            gap, slip = X, "-%s'" % Y
        elif angle == 180:
            gap, slip = "-" + X, "%s'" % Y
        else:
            c, s = "cos(%s*pi/180)" % num(angle), "sin(%s*pi/180)" % num(angle)
            gap, slip = "%s*%s + %s*%s" % (X, c, Y, s), "%s'*%s - %s'*%s" % (X, s, Y, c)
        if self.far or self.radius:
            gap += " - (%s)" % num(self.far + self.radius)
        if self.place.text != "0":
            gap += " - %s" % self.place.text
        if self.wave:
            gap += " - %s*sin(%s*%s)" % (num(self.wave[0]), num(self.wave[1]), x)
        if th and self.radius:
            slip += " + %s*%s'" % (num(self.radius), th)
        if self.speed.text != "0":
            slip += " - (%s)" % self.speed.text
        e = self.restitution if isinstance(self.restitution, str) else num(self.restitution)
        law = "newton(%s)" % e
        if not self.rough:
            return "contact %s%s : gap %s, law %s" % (self.name, "" if self.on else " off", gap, law)
        mu = self.friction
        if isinstance(mu, tuple):
            s = model.switches[mu[0]]
            mu = "if(%s < %s, %s, %s)" % (model.coords[s.index], num(s.at), num(mu[1]), num(mu[2]))
        elif not isinstance(mu, str):
            mu = num(mu)
        return "contact %s%s : gap %s, slip %s, law %s + coulomb(%s)" % (self.name, "" if self.on else " off", gap, slip, law, mu)


class Model:
    """A model in the plane; see contact_plane.Run for what the judge asks of it."""

    def __init__(self, kind, until):
        self.kind, self.until = kind, until
        self.coords, self.mass, self.q0, self.v0 = [], [], [], []
        self.params, self.contacts, self.switches, self.watch, self.clock = {}, [], [], [], []
        self.lines, self.forces, self.potentials, self.heavy = [], [], [], []
        self.gravity, self.events = 9.81, []
        self.fns = []

    def body(self, m, j, q, v):
        """Coordinates x, y (and th) of a new body; its indices."""
        k = len([c for c in self.coords if c[0] == "x"]) + 1
        first = len(self.coords)
        names = ["x%d" % k, "y%d" % k] + (["th%d" % k] if j else [])
        self.coords += names
        self.mass += [m, m] + ([j] if j else [])
        self.q0 += q[: len(names)]
        self.v0 += v[: len(names)]
        self.heavy.append(first + 1)
        return (first, first + 1, first + 2 if j else None)

    def use(self, f):
        self.fns.append(f)
        return f

    def contact(self, *args, angle=90, **more):
        n = {0: (1.0, 0.0), 90: (0.0, 1.0), 180: (-1.0, 0.0)}.get(angle) or (
            math.cos(math.radians(angle)), math.sin(math.radians(angle)))
        c = Contact(*args[:2], n, *args[2:], **more)
        c.angle = angle
        self.contacts.append(c)
        self.use(c.place)
        self.use(c.speed)
        return c

    def spring(self, i, j, k, rest):
        self.potentials.append((i, j, k, rest))

    def push(self, i, fn=None, damping=0.0, name=None):
        self.forces.append((i, fn, damping, name))
        if fn:
            self.use(fn)

    @property
    def weight(self):
        return max(1.0, sum(self.mass) * self.gravity)

    def breaks(self):
        out = {t for t, _ in self.clock}
        for f in self.fns:
            out |= set(f.breaks)
        return out

    def force(self, run, t, q, v):
        f = [0.0] * len(q)
        for i in self.heavy:
            f[i] -= self.mass[i] * run.gravity
        for i, j, k, rest in self.potentials:
            s = q[i] - (q[j] if j is not None else 0.0) - rest
            f[i] -= k * s
            if j is not None:
                f[j] += k * s
        for i, fn, damping, name in self.forces:
            f[i] -= damping * v[i]
            if name:
                f[i] += run.par[name]
            if fn:
                f[i] += fn.at(t, run.mid)[0]
        return f

    def text(self, seed):
        out = ["model hunt_%d \"%s\"" % (seed, self.kind), "units none"]
        if self.params:
            out.append("param " + ", ".join("%s = %s" % (k, num(v)) for k, v in self.params.items()))
        out.append("coord " + ", ".join(self.coords))
        out.append("kinetic " + " + ".join("1/2*%s*%s'^2" % (num(m), c) for m, c in zip(self.mass, self.coords)))
        pot = ["%s*9.81*%s" % (num(self.mass[i]), self.coords[i]) for i in self.heavy] if self.gravity else []
        for i, j, k, rest in self.potentials:
            pot.append("1/2*%s*(%s%s - (%s))^2" % (num(k), self.coords[i], " - " + self.coords[j] if j is not None else "", num(rest)))
        if pot:
            out.append("potential " + " + ".join(pot))
        seen = set()
        for f in self.fns:
            out += [line for line in f.lines if line not in seen]
            seen |= set(f.lines)
        for i, fn, damping, name in self.forces:
            parts = ([fn.text] if fn else []) + (["-%s*%s'" % (num(damping), self.coords[i])] if damping else []) + ([name] if name else [])
            out.append("force (%s) = %s" % (self.coords[i], " + ".join(parts)))
        out += self.lines
        out += [c.text(self) for c in self.contacts]
        out += self.events
        start = ["%s = %s" % (c, num(x)) for c, x in zip(self.coords, self.q0) if x]
        start += ["%s' = %s" % (c, num(x)) for c, x in zip(self.coords, self.v0) if x]
        if start:
            out.append("start " + ", ".join(start))
        return "\n".join(out) + "\n"


def restitution(k):
    return k.r.choice((0.0, 0.0, 0.0, k.value(0.1, 0.9), 0.5, 1.0))


def friction(k):
    return k.r.choice((None, k.value(0.05, 0.4), k.value(0.3, 0.9), 0.3))


def add_events(m, k):
    """Up to two events of the model that set a parameter or a velocity, or switch a contact."""
    for n in range(k.r.choice((0, 0, 1, 1, 2))):
        name = k.name("ev")
        if k.r.random() < 0.6:
            when = k.time()
            head = "event %s : t - %s rising" % (name, num(when))
        else:
            i = k.r.choice([j for j, c in enumerate(m.coords) if c[0] == "x"])
            at = rounded(m.q0[i] + k.value(-0.3, 0.5))
            if abs(at - m.q0[i]) < 1e-3:
                continue
            when = None
            head = "event %s : %s - (%s) rising" % (name, m.coords[i], num(at))
        kind = k.r.choice(("param", "velocity", "off", "on"))
        if kind == "param" and not m.params:
            kind = "velocity"
        if kind == "param":
            par = k.r.choice(sorted(m.params))
            value = rounded(m.params[par] * k.r.choice((0.0, 0.5, 1.5)))
            if par[0] == "e":
                value = min(value, 1.0)
            actions, words = [("param", par, value)], "set %s = %s" % (par, num(value))
        elif kind == "velocity":
            j = k.r.choice([j for j, c in enumerate(m.coords) if c[0] in "xy"])
            value = k.value(-1.5, 1.5)
            actions, words = [("velocity", j, value)], "set %s' = %s" % (m.coords[j], num(value))
        else:
            c = k.r.choice(m.contacts)
            if kind == "on" and c.angle not in (0, 180):
                kind = "off"
            if kind == "on":
                c.on = False
            actions, words = [(kind, c.name, None)], "switch %s %s" % (kind, c.name)
        m.events.append(head + ", " + words)
        if when is not None:
            m.clock.append((when, actions))
        else:
            m.watch.append(SimpleNamespace(index=i, at=at, actions=actions, armed=False, name=name))


def shared_numbers(m, k):
    """Some coefficients become parameters, or depend on the place."""
    for c in m.contacts:
        if c.rough and k.r.random() < 0.4:
            if k.r.random() < 0.6:
                p = k.name("mu")
                m.params[p], c.friction = c.friction, p
            else:
                x = c.body[0]
                m.switches.append(SimpleNamespace(index=x, at=rounded(m.q0[x] + k.r.choice((-1, 1)) * k.value(0.02, 0.5))))
                c.friction = (len(m.switches) - 1, c.friction, k.value(0.05, 0.9))
        if k.r.random() < 0.2:
            p = k.name("e")
            m.params[p], c.restitution = c.restitution, p
        if c.rough and c.speed.text == "0" and k.r.random() < 0.3:
            p = k.name("v")
            m.params[p] = k.value(-1, 1)
            c.speed = Fn(p, lambda t, mid: (0.0, 0.0, 0.0))


def points(k):
    """One to three points on floors, between walls, joined by springs."""
    m = Model("points", k.until)
    n = k.r.randint(1, 3)
    floor = k.place(0.05)
    low = k.r.choice((0.0, 0.0, k.value(0.01, 0.6)))
    for i in range(n):
        y = 0.0 if k.r.random() < 0.5 else k.value(0.01, 0.5)
        b = m.body(k.value(0.3, 3), None, [float(i), y], [k.value(-2, 2), 0.0 if y == 0 else k.value(-2, 2)])
        wave = (k.value(0.005, 0.05), k.value(2, 12)) if k.r.random() < 0.15 else None
        if wave and y == 0:
            m.q0[b[1]] = k.value(0.06, 0.3)
        m.contact("floor%d" % i, b, 0.0, floor if k.r.random() < 0.7 else k.place(0.05), k.speed(1.5), friction(k), restitution(k), wave=wave)
        if k.r.random() < 0.6:
            m.contact("left%d" % i, b, rounded(i - k.value(0.2, 0.9)), k.place(0.1), k.speed(0.5), friction(k), restitution(k), angle=0)
        if k.r.random() < 0.6:
            m.contact("right%d" % i, b, rounded(-i - k.value(0.2, 0.9)), k.place(0.1), k.speed(0.5), friction(k), restitution(k), angle=180)
        if k.r.random() < 0.4:
            m.spring(b[0], None, k.value(5, 200), rounded(i + k.value(-0.2, 0.2)))
        if k.r.random() < 0.5:
            m.push(b[0], k.speed(15, ("sin", "const", "if", "linear", "hold", "state")), k.r.choice((0.0, k.value(0.1, 2))))
    for i in range(n - 1):
        a, b = 2 * i, 2 * i + 2
        if k.r.random() < 0.6:
            m.spring(b, a, k.value(5, 300), 1.0)
        if k.r.random() < 0.4:
            c = m.contact("pair%d" % i, (b, b + 1, None), k.value(0.2, 0.8), zero(), zero(), friction(k), restitution(k), angle=0, other=(a, a + 1))
    return m


def slopes(k):
    """A point in a groove or on a wedge that moves."""
    m = Model("slopes", k.until)
    b = m.body(k.value(0.3, 3), None, [k.value(-0.3, 0.3), k.value(0.5, 1)], [k.value(-1, 1), k.value(-1, 1)])
    angles = k.r.choice(((60, 120), (75, 130), (45, 135), (90, 160), (100, 20), (70,)))
    for i, a in enumerate(angles):
        m.contact("side%d" % i, b, k.r.choice((0.0, k.value(-0.1, 0.1))), k.place(0.05), k.speed(1.0), friction(k), restitution(k), angle=a)
    c = m.body(k.value(0.3, 3), None, [2.0, 0.0], [k.value(-1, 1), 0.0])
    m.contact("floor", c, 0.0, k.place(0.03), k.speed(1.0), friction(k), restitution(k))
    if k.r.random() < 0.7:
        m.spring(c[0], b[0], k.value(5, 100), 2.0)
    m.push(c[0], k.speed(15, ("sin", "const", "if", "linear", "state")))
    return m


def stack(k):
    """Blocks on each other, pushed and carried by a belt."""
    m = Model("stack", k.until)
    h, below = 0.2, None
    n = k.r.randint(2, 3)
    for i in range(n):
        b = m.body(k.value(0.3, 3), None, [0.0, i * h], [k.value(-1, 1) if k.r.random() < 0.6 else 0.0, 0.0])
        mu = k.value(0.1, 0.8)
        if below is None:
            m.contact("floor", b, 0.0, k.place(0.01), k.speed(1.0), mu, k.r.choice((0.0, 0.0, 0.4)))
        else:
            m.contact("on%d" % i, b, h, zero(), zero(), mu, k.r.choice((0.0, 0.0, 0.0, 0.4)), other=below[:2])
        below = b
        if k.r.random() < 0.5:
            m.push(b[0], k.speed(15, ("sin", "const", "if", "linear", "hold", "state")))
        if k.r.random() < 0.4:
            m.contact("wall%d" % i, b, -k.value(0.1, 0.8), k.place(0.1), zero(), None, restitution(k), angle=180)
    return m


def plank(k):
    """A rigid body on its feet or corners: a floor, and perhaps a wall."""
    m = Model("plank", k.until)
    a, b, mass = k.value(0.1, 0.4), k.value(0.02, 0.3), k.value(0.5, 3)
    th = 0.0 if k.r.random() < 0.5 else k.value(-0.6, 0.6)
    y = b if th == 0 and k.r.random() < 0.7 else k.value(0.45, 0.7)
    body = m.body(mass, rounded(mass * (a * a + b * b) / 3), [0.0, y, th],
                  [k.value(-2, 2) if k.r.random() < 0.6 else 0.0, 0.0, 0.0 if y == b else k.value(-3, 3)])
    floor, belt, mu, e = k.place(0.02), k.speed(1.5), k.value(0.05, 0.6), k.r.choice((0.0, 0.0, k.value(0.1, 0.7)))
    corners = [(-a, -b), (a, -b)] + ([(-a, b), (a, b)] if y != b else [])
    for i, o in enumerate(corners):
        m.contact("foot%d" % i, body, 0.0, floor, belt, mu, e, offset=o)
    if k.r.random() < 0.5:
        wall, far = k.place(0.1), rounded(-a - k.value(0.15, 0.8))
        for i in (1, 3)[: len(corners) // 2]:
            m.contact("wall%d" % i, body, far, wall, zero(), friction(k), e, angle=180, offset=corners[i])
    if k.r.random() < 0.7:
        m.push(body[0], k.speed(15, ("sin", "const", "if", "linear", "hold", "state")))
    if k.r.random() < 0.3:
        m.push(body[2], k.speed(1, ("sin", "const", "if", "linear", "hold", "state")))
    return m


def ladder(k):
    """A rod between a floor and a wall."""
    m = Model("ladder", k.until)
    l, mass, th = k.value(0.3, 0.8), k.value(0.5, 3), k.value(0.3, 1.2)
    body = m.body(mass, rounded(mass * l * l / 3), [0.0, rounded(l * math.sin(th)), th], [0.0, 0.0, 0.0])
    lift = k.r.choice((0.0, k.value(0.01, 0.1)))
    m.q0[1] = rounded(m.q0[1] + 1e-5 + lift)
    m.contact("foot", body, 0.0, k.place(0.02), k.speed(1.0), k.value(0.05, 0.6), restitution(k), offset=(-l, 0.0))
    m.contact("tip", body, 0.0, k.place(0.02), zero(), k.value(0.05, 0.6), 0.0, offset=(l, 0.0))
    m.contact("wall", body, rounded(-l * math.cos(th) - k.value(0.001, 0.2)), k.place(0.05), k.speed(0.5), friction(k), restitution(k), angle=180, offset=(l, 0.0))
    if k.r.random() < 0.5:
        m.contact("back", body, rounded(-l - 0.3), k.place(0.1), zero(), friction(k), restitution(k), angle=0, offset=(-l, 0.0))
    return m


def discs(k):
    """Discs that roll and slide on belts and slopes, between walls."""
    m = Model("discs", k.until)
    for i in range(k.r.randint(1, 2)):
        r, mass = k.value(0.05, 0.2), k.value(0.3, 3)
        y = r if k.r.random() < 0.5 else rounded(r + k.value(0.01, 0.4))
        body = m.body(mass, rounded(mass * r * r / 2), [float(i), y, 0.0], [k.value(-2, 2), 0.0, k.value(-20, 20)])
        m.contact("floor%d" % i, body, 0.0, k.place(0.03), k.speed(1.5), k.value(0.05, 0.8), restitution(k), radius=r)
        m.contact("left%d" % i, body, rounded(i - k.value(0.25, 0.9)), k.place(0.1), k.speed(0.5), friction(k), restitution(k), angle=k.r.choice((0, 20, 50)), radius=r)
        m.contact("right%d" % i, body, rounded(-i - k.value(0.25, 0.9)), k.place(0.1), zero(), friction(k), restitution(k), angle=180, radius=r)
        if k.r.random() < 0.5:
            m.push(body[0], k.speed(15, ("sin", "const", "if", "linear", "hold", "state")))
        if k.r.random() < 0.5:
            m.push(body[2], k.speed(1, ("sin", "const", "if", "linear", "hold", "state")))
    return m


def plane_model(rng):
    k = Maker(rng, rounded(rng.choice((1.0, 2.0, 3.0))))
    m = rng.choice((points, points, slopes, stack, plank, plank, ladder, discs))(k)
    shared_numbers(m, k)
    add_events(m, k)
    for c in m.contacts:
        m.use(c.speed)
    return m
