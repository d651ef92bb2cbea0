# SPDX-License-Identifier: MIT
"""Plane motions with unilateral contacts, Coulomb friction and Newton impacts, from event to event.

An independent integrator for the hunt: Runge-Kutta of order 4 in short fixed steps, bisection for events,
and every combination of open, sticking and sliding contacts tried where the contacts change. It shares
no code with the program that it checks. A model has a constant diagonal mass matrix.
"""

import itertools
import math

TOUCH = 1e-8  # [m] a smaller gap is closed
STILL = 1e-7  # [m/s] a smaller velocity is zero
PLASTIC = 1e-5  # [m/s] slower impacts have no restitution: what follows takes the same impulse


class Unclear(Exception):
    """The laws do not determine the motion after this time, or it is too much work."""

    def __init__(self, t, why):
        super().__init__(why)
        self.t = t


def solve(a, b):
    """One solution of a x = b, or None: free unknowns of a singular matrix are 0."""
    n = len(b)
    a = [row[:] + [b[i]] for i, row in enumerate(a)]
    size = max((abs(x) for row in a for x in row[:n]), default=0.0) or 1.0
    order = list(range(n))
    rank = 0
    while rank < n:
        best = max(((abs(a[i][j]), i, j) for i in range(rank, n) for j in range(rank, n)), default=(0, 0, 0))
        if best[0] <= 1e-11 * size:
            break
        _, i, j = best
        a[rank], a[i] = a[i], a[rank]
        for row in a:
            row[rank], row[j] = row[j], row[rank]
        order[rank], order[j] = order[j], order[rank]
        for k in range(rank + 1, n):
            f = a[k][rank] / a[rank][rank]
            if f:
                for l in range(rank, n + 1):
                    a[k][l] -= f * a[rank][l]
        rank += 1
    right = max((abs(x) for x in b), default=0.0)
    if any(abs(a[k][n]) > 1e-8 * (1 + right) for k in range(rank, n)):
        return None
    x = [0.0] * n
    for k in range(rank - 1, -1, -1):
        x[k] = (a[k][n] - sum(a[k][l] * x[l] for l in range(k + 1, rank))) / a[k][k]
    out = [0.0] * n
    for k in range(n):
        out[order[k]] = x[k]
    return out


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


class Run:
    """One motion. model: coords, mass, force(run, t, q, v), contacts, breaks, clock, watch, switches."""

    def __init__(self, model, step=1e-3, scale=1.0):
        self.m, self.step = model, step
        self.n = len(model.mass)
        self.par = dict(model.params)
        self.gravity = model.gravity * scale
        self.q, self.v = list(model.q0), [x * scale for x in model.v0]
        self.t = 0.0
        self.on = {c.name: c.on for c in model.contacts}
        self.mode = {}
        self.mid = 0.0  # middle of the present smooth piece of time
        self.side = [self.q[s.index] < s.at for s in model.switches]
        self.log = []
        self.work = 0

    # contacts at a state: gap, rows and their rates
    def rows(self, c, t, q, v):
        return c.rows(self, t, q, v)

    def mu(self, c, t, q):
        return c.mu(self, t, q)

    def accel(self, t, q, v, mode):
        """Accelerations and forces of the contacts in their modes."""
        free = [f / m for f, m in zip(self.m.force(self, t, q, v), self.m.mass)]
        eq, col, tag, off = [], [], [], []
        for c in self.m.contacts:
            what = mode.get(c.name)
            if what is None or what == "open":
                continue
            r = self.rows(c, t, q, v)
            if what in ("+", "-"):
                mu = self.mu(c, t, q) * (1 if what == "+" else -1)
                col.append([a - mu * b for a, b in zip(r.wn, r.wt)])
            else:
                col.append(r.wn)
            eq.append(r.wn)
            off.append(r.bn)
            tag.append((c.name, 0))
            if what == "stick":
                col.append(r.wt)
                eq.append(r.wt)
                off.append(r.bt)
                tag.append((c.name, 1))
        if not eq:
            return free, {}
        light = [[x / m for x, m in zip(k, self.m.mass)] for k in col]
        a = [[dot(e, l) for l in light] for e in eq]
        lam = solve(a, [-dot(e, free) - o for e, o in zip(eq, off)])
        if lam is None:
            return None, {}
        acc = [free[i] + sum(l[i] * x for l, x in zip(light, lam)) for i in range(self.n)]
        return acc, dict(zip(tag, lam))

    def rk4(self, h, mode):
        t, q, v = self.t, self.q, self.v
        self.work += 1
        if self.work > 60000:
            raise Unclear(self.t, "too many steps")

        def rate(s, dq, dv):
            qq = [x + s * d for x, d in zip(q, dq)]
            vv = [x + s * d for x, d in zip(v, dv)]
            a, _ = self.accel(t + s, qq, vv, mode)
            if a is None:
                raise Unclear(t, "contradicting rows")
            return vv, a

        k1 = rate(0.0, v, v)
        k2 = rate(h / 2, *k1)
        k3 = rate(h / 2, *k2)
        k4 = rate(h, *k3)
        mean = [[(a + 2 * b + 2 * c + d) / 6 for a, b, c, d in zip(k1[i], k2[i], k3[i], k4[i])] for i in (0, 1)]
        return t + h, [x + h * d for x, d in zip(q, mean[0])], [x + h * d for x, d in zip(v, mean[1])]

    def guards(self, state, mode):
        """Functions that are positive while the mode lasts: [(value, what)]."""
        t, q, v = state
        out = []
        lam = None
        for c in self.m.contacts:
            if not self.on[c.name]:
                continue
            what = mode.get(c.name)
            r = self.rows(c, t, q, v)
            if what is None or what == "open":
                out.append((r.gap + 1e-12, ("gap", c)))
                continue
            if lam is None:
                _, lam = self.accel(t, q, v, mode)
            force = lam.get((c.name, 0), 0.0)
            out.append((force + 1e-9, ("force", c)))
            if what == "stick":
                out.append((self.mu(c, t, q) * force - abs(lam.get((c.name, 1), 0.0)) + 1e-9, ("cone", c)))
            elif what in ("+", "-"):
                out.append(((r.vt if what == "+" else -r.vt) + 1e-9, ("slip", c)))
        for k, s in enumerate(self.m.switches):
            out.append(((s.at - q[s.index] if self.side[k] else q[s.index] - s.at) + 1e-12, ("switch", k)))
        for w in self.m.watch:
            if w.armed:
                out.append((w.at - q[w.index], ("watch", w)))
        return out

    def touching(self):
        out = []
        for c in self.m.contacts:
            if self.on[c.name]:
                r = self.rows(c, self.t, self.q, self.v)
                if r.gap < TOUCH:
                    if r.gap < -1e-6:
                        raise Unclear(self.t, "overlap")
                    out.append((c, r))
        return out

    def impact(self, hit):
        """Newton's law with Coulomb friction for all contacts that touch, by trying all combinations."""
        self.log.append((self.t, "hit", [c.name for c, r in hit if r.vn < -STILL]))
        found = []
        choices = []
        for c, r in hit:
            e = 0.0 if r.vn > -PLASTIC else c.e(self)
            mu = self.mu(c, self.t, self.q)
            choices.append([(w, e, mu) for w in (("open", "stick", "+", "-") if c.rough and mu > 0 else ("open", "flat"))])
        if math.prod(len(c) for c in choices) > 5000:
            raise Unclear(self.t, "too many contacts at once")
        scale = max(1e-3, max(abs(r.vn) for _, r in hit), max(abs(r.vt) for _, r in hit))
        tol = 1e-7 * scale
        for combo in itertools.product(*choices):
            eq, col, right, tag = [], [], [], []
            for (c, r), (w, e, mu) in zip(hit, combo):
                if w == "open":
                    continue
                s = {"+": mu, "-": -mu}.get(w, 0.0)
                col.append([a - s * b for a, b in zip(r.wn, r.wt)])
                eq.append(r.wn)
                right.append(-(1 + e) * r.vn)
                tag.append((c.name, 0))
                if w == "stick":
                    col.append(r.wt)
                    eq.append(r.wt)
                    right.append(-r.vt)
                    tag.append((c.name, 1))
            light = [[x / m for x, m in zip(k, self.m.mass)] for k in col]
            p = solve([[dot(a, l) for l in light] for a in eq], right) if eq else []
            if p is None:
                continue
            dv = [sum(l[i] * x for l, x in zip(light, p)) for i in range(self.n)]
            imp = dict(zip(tag, p))
            good = True
            for (c, r), (w, e, mu) in zip(hit, combo):
                vn, vt = r.vn + dot(r.wn, dv), r.vt + dot(r.wt, dv)
                pn = imp.get((c.name, 0), 0.0)
                if w == "open":
                    good &= vn >= -e * r.vn - tol
                else:
                    good &= pn >= -tol * min(self.m.mass)
                    if w == "stick":
                        good &= abs(imp[(c.name, 1)]) <= mu * pn + tol * min(self.m.mass)
                    elif w in ("+", "-"):
                        good &= (vt if w == "+" else -vt) >= -tol
                if not good:
                    break
            if good:
                found.append(dv)
        if not found:
            raise Unclear(self.t, "no impact fits")
        if any(abs(a - b) > 1e-4 * scale for f in found[1:] for a, b in zip(f, found[0])):
            raise Unclear(self.t, "several impacts fit")
        if sum(1 for c, r in hit if r.vn <= STILL and c.e(self) > 0) > 1:
            self.log.append((self.t, "shared", None))
        self.v = [a + b for a, b in zip(self.v, found[0])]

    def decide(self):
        """The modes of the contacts from now on."""
        for _ in range(60):
            near = self.touching()
            if not any(r.vn < -STILL for _, r in near):
                break
            self.impact(near)
        else:
            raise Unclear(self.t, "impacts do not end")
        near = [(c, r) for c, r in near if r.vn <= STILL]
        choices = []
        for c, r in near:
            if not c.rough or self.mu(c, self.t, self.q) == 0:
                choices.append(("open", "flat"))
            elif abs(r.vt) > 1e-8:
                choices.append(("open", "+" if r.vt > 0 else "-"))
            else:
                choices.append(("open", "stick", "+", "-"))
        if math.prod(len(c) for c in choices) > 5000:
            raise Unclear(self.t, "too many contacts at once")
        valid = []
        for combo in itertools.product(*choices):
            mode = {c.name: w for (c, _), w in zip(near, combo)}
            a, low = self.margin(self.t, self.q, self.v, near, mode)
            if a is not None and low > -1e-6 * self.m.weight:
                valid.append((mode, a))
        if not valid:
            raise Unclear(self.t, "no combination fits")
        a0 = valid[0][1]
        size = 1 + max(abs(x) for x in a0)
        if any(abs(x - y) > 1e-4 * size for _, a in valid[1:] for x, y in zip(a, a0)):
            raise Unclear(self.t, "several combinations fit")
        self.mode = valid[0][0]
        if len(valid) > 1:  # the one that goes on for a moment
            best = None
            for mode, _ in valid:
                t, q, v = self.rk4(1e-5, mode)
                a, low = self.margin(t, q, v, near, mode)
                if a is not None and (best is None or low > best + 1e-12):
                    best, self.mode = low, mode

    def margin(self, t, q, v, near, mode):
        """Accelerations of a combination and how far it is from being wrong (negative: it is)."""
        a, lam = self.accel(t, q, v, mode)
        if a is None:
            return None, 0
        low = math.inf
        mass = min(self.m.mass)
        for c, r in near:
            w = mode[c.name]
            r = self.rows(c, t, q, v)
            if w == "open":
                low = min(low, mass * (dot(r.wn, a) + r.bn))
                continue
            force = lam[(c.name, 0)]
            low = min(low, force)
            if w == "stick":
                low = min(low, self.mu(c, t, q) * force - abs(lam[(c.name, 1)]))
            elif w in ("+", "-") and abs(r.vt) <= 1e-8 + 2e-5 * abs(r.bt):
                low = min(low, mass * (dot(r.wt, a) + r.bt) * (1 if w == "+" else -1))
        return a, low

    def project(self):
        """Take the drift out of gaps that are closed and slips that stick."""
        eq, off, gaps = [], [], []
        for c in self.m.contacts:
            what = self.mode.get(c.name)
            if what is None or what == "open":
                continue
            r = self.rows(c, self.t, self.q, self.v)
            eq.append(r.wn)
            off.append(-r.vn)
            gaps.append(-r.gap)
            if what == "stick":
                eq.append(r.wt)
                off.append(-r.vt)
                gaps.append(0.0)
        if not eq:
            return
        light = [[x / m for x, m in zip(k, self.m.mass)] for k in eq]
        matrix = [[dot(e, l) for l in light] for e in eq]
        for vector, right in ((self.v, off), (self.q, gaps)):
            p = solve(matrix, right)
            if p:
                for i in range(self.n):
                    vector[i] += sum(l[i] * x for l, x in zip(light, p))

    def act(self, actions):
        for kind, name, value in actions:
            if kind == "param":
                self.par[name] = value
            elif kind == "velocity":
                self.v[name] = value
            else:
                self.on[name] = kind == "on"
                self.mode.pop(name, None)

    def advance(self, end):
        """To the end of a smooth piece of time."""
        while self.t < end - 1e-13:
            h = min(self.step, end - self.t)
            new = self.rk4(h, self.mode)
            bad = [g for g in self.guards(new, self.mode) if g[0] < 0]
            if not bad:
                self.t, self.q, self.v = new
                self.project()
                self.arm()
                continue
            lo, hi, why = 0.0, h, bad
            for _ in range(46):
                mid = (lo + hi) / 2
                now = [g for g in self.guards(self.rk4(mid, self.mode), self.mode) if g[0] < 0]
                if now:
                    hi, why = mid, now
                else:
                    lo = mid
                if hi - lo < 1e-14:
                    break
            before = self.t
            self.t, self.q, self.v = self.rk4(hi, self.mode)
            self.project()
            self.events += 1
            self.crowd = self.crowd + 1 if self.t - before < 1e-9 else 0
            if self.events > 600 or self.crowd > 60:
                raise Unclear(self.t, "too many events")
            for _, (kind, what) in why:
                self.log.append((self.t, kind, getattr(what, "name", what)))
                if kind == "switch":
                    self.side[what] = not self.side[what]
                elif kind == "watch":
                    what.armed = False
                    self.act(what.actions)
            self.decide()

    def arm(self):
        for w in self.m.watch:
            if not w.armed and self.q[w.index] < w.at - 1e-9:
                w.armed = True

    def run(self, times):
        """States at the times; fewer of them, and a reason, where it ends before."""
        self.events = self.crowd = 0
        for w in self.m.watch:
            w.armed = self.q[w.index] < w.at
        stops = sorted(set(times) | {b for b in self.m.breaks() if 0 < b < times[-1]})
        self.mid = stops[0] / 2 if stops[0] > 0 else stops[1] / 2
        rows, why = [], None
        try:
            self.decide()
            last = 0.0
            for s in stops:
                if s > 0:
                    self.mid = (last + s) / 2
                    if last > 0 and last in self.kinks:
                        self.decide()
                    self.advance(s)
                    last = s
                if s in times:
                    rows.append((s, self.q[:], self.v[:]))
                actions = [a for t, list_ in self.m.clock for a in list_ if t == s]
                if actions:
                    self.mid = s + 1e-9
                    self.act(actions)
                    self.decide()
        except Unclear as u:
            why = (u.t, str(u))
        return rows, why

    @property
    def kinks(self):
        if not hasattr(self, "_kinks"):
            self._kinks = set(self.m.breaks())
        return self._kinks
