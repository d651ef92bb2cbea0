# SPDX-License-Identifier: MIT
"""Random models of rolling: their text, and the same model as numbers for the oracle.

A model has the oracle's body, its state at the start, names of the columns that are compared, and events: (time, text, action on body
and state). `leaf(state)` is what must stay zero along the motion, `spoils` a reason why a warning is right."""
import math
from types import SimpleNamespace

import rolling_oracle as oracle


def num(x):
    return "%.15g" % x


def pick(r, low, high):
    return float("%.4g" % r.uniform(low, high))


def sphere(r, ball):
    inside = r.random() < 0.5
    R = pick(r, 0.6, 1.5)
    q = R - ball if inside else R + ball
    surface = oracle.Surface(lambda x: x, lambda x: math.sqrt(oracle.dot(x, x)) - q, 1 if inside else -1)
    th, ph = pick(r, 0.05, 0.9) if inside else pick(r, 0.02, 0.4), pick(r, 0, 6)
    z = -math.cos(th) if inside else math.cos(th)
    x = [q * math.sin(th) * math.cos(ph), q * math.sin(th) * math.sin(ph), q * z]
    return SimpleNamespace(name="sphere inside" if inside else "sphere outside", q=q, R=R, surface=surface, x=x,
                           let="let n = %s(x, y, z)/norm((x, y, z))" % ("" if inside else "-"),
                           gap="norm((x, y, z)) = %s [m]" % num(q), closest=closest_on_sphere(q),
                           support="sphere centre (0, 0, 0) radius %s [m] %s" % (num(R), "inside" if inside else "outside"),
                           contact="%s sphere centre (0, 0, 0) radius %s [m]" % ("inside" if inside else "on", num(R)))


def closest_on_sphere(q):
    def closest(x, i):
        others = [j for j in range(3) if j != i]
        size = math.hypot(*(x[j] for j in others))
        if abs(x[i]) >= q or size == 0:
            return None
        f = math.sqrt(q * q - x[i] ** 2) / size
        return [c if j == i else c * f for j, c in enumerate(x)]
    return closest


def plane(r, ball):
    a, b = pick(r, -0.4, 0.4), pick(r, -0.4, 0.4)
    k = [a, b, 1.0]
    size = math.sqrt(oracle.dot(k, k))
    surface = oracle.Surface(lambda x: k, lambda x: oracle.dot(x, k) / size - ball, -1)
    x = [pick(r, -1, 1), pick(r, -1, 1)]
    return SimpleNamespace(name="plane", surface=surface, x=x + [ball * size - a * x[0] - b * x[1]],
                           let="let n = -(%s, %s, 1)/%s" % (num(a), num(b), num(size)),
                           gap="%s*x + %s*y + z = %s [m]" % (num(a), num(b), num(ball * size)), closest=None,
                           support="plane (%s, %s, 1)" % (num(a), num(b)), contact=None)


def cylinder(r, ball):
    q = pick(r, 0.4, 1.2)
    inside = r.random() < 0.6
    surface = oracle.Surface(lambda x: [x[0], 0 * x[1], x[2]], lambda x: math.hypot(x[0], x[2]) - q, 1 if inside else -1)
    th = pick(r, -0.9, 0.9) if inside else pick(r, -0.3, 0.3)
    let = r.choice(["(x, 0, z)/norm((x, 0, z))", "(x, 0, z)/%s [m]" % num(q)])
    return SimpleNamespace(name="cylinder", surface=surface, let="let n = %s%s" % ("" if inside else "-", let),
                           x=[q * math.sin(th), pick(r, -1, 1), (-q if inside else q) * math.cos(th)],
                           gap="norm((x, 0, z)) = %s [m]" % num(q), closest=None, support=None, contact=None)


def torus(r, ball):
    A, q = pick(r, 1.5, 3), pick(r, 0.4, 0.9)
    inside = r.random() < 0.6

    def k(x):
        rho = (x[0] ** 2 + x[1] ** 2) ** 0.5
        return [(rho - A) * x[0] / rho, (rho - A) * x[1] / rho, x[2]]

    def level(x):
        return math.hypot(math.hypot(x[0], x[1]) - A, x[2]) - q
    th, ph = (pick(r, -0.9, 0.9) if inside else pick(r, -0.3, 0.3)), pick(r, 0, 6)
    rho, z = A + q * math.sin(th), (-q if inside else q) * math.cos(th)
    by = r.choice(["norm(d)", "%s [m]" % num(q)])
    return SimpleNamespace(name="torus", surface=oracle.Surface(k, level, 1 if inside else -1),
                           x=[rho * math.cos(ph), rho * math.sin(ph), z], closest=None, support=None, contact=None,
                           let="let rho = sqrt(x^2 + y^2)\nlet d = ((rho - %s [m])*x/rho, (rho - %s [m])*y/rho, z)\n"
                               "let n = %sd/%s" % (num(A), num(A), "" if inside else "-", by),
                           gap="(rho - %s [m])^2 + z^2 = %s [m^2]" % (num(A), num(q * q)))


def ellipsoid(r, ball):
    a = [pick(r, 0.7, 1.6) for _ in range(3)]
    inside = r.random() < 0.6
    th, ph = (pick(r, 0.05, 0.8) if inside else pick(r, 0.02, 0.3)), pick(r, 0, 6)
    surface = oracle.Surface(lambda x: [c / s ** 2 for c, s in zip(x, a)],
                             lambda x: math.sqrt(sum((c / s) ** 2 for c, s in zip(x, a))) - 1, 1 if inside else -1)
    x = [a[0] * math.sin(th) * math.cos(ph), a[1] * math.sin(th) * math.sin(ph), (-1 if inside else 1) * a[2] * math.cos(th)]
    terms = ["%s/a%s^2" % (c, c) for c in "xyz"]
    return SimpleNamespace(name="ellipsoid", surface=surface, x=x, closest=None, support=None, contact=None,
                           let="param ax = %s [m], ay = %s [m], az = %s [m]\nlet d = (%s)\nlet n = %sd/norm(d)" %
                               (*map(num, a), ", ".join(terms), "" if inside else "-"),
                           gap="x^2/ax^2 + y^2/ay^2 + z^2/az^2 = 1")


def cone(r, ball):
    s = pick(r, 0.3, 1.5)  # z = s rho, above it
    size = math.hypot(s, 1)
    surface = oracle.Surface(lambda x: [s * x[0] / (x[0] ** 2 + x[1] ** 2) ** 0.5, s * x[1] / (x[0] ** 2 + x[1] ** 2) ** 0.5, -1 + 0 * x[2]],
                             lambda x: (s * math.hypot(x[0], x[1]) - x[2]) / size, 1)
    rho, ph = pick(r, 1, 2), pick(r, 0, 6)
    return SimpleNamespace(name="cone", surface=surface, x=[rho * math.cos(ph), rho * math.sin(ph), s * rho], closest=None,
                           support=None, contact=None,
                           let="let rho = sqrt(x^2 + y^2)\nlet n = (%s*x/rho, %s*y/rho, -1)/%s" % (num(s), num(s), num(size)),
                           gap="z = %s*rho" % num(s))


SURFACES = (sphere, sphere, plane, cylinder, torus, ellipsoid, cone)


def balls(r, still=False):
    """still: with a force that has a place of rest, and no turning support."""
    m, ball = pick(r, 0.3, 2), pick(r, 0.05, 0.15)
    share = r.choice([0.4, 0.4, pick(r, 0.2, 0.66)])
    J = share * m * ball ** 2
    s = r.choice(SURFACES)(r, ball)
    stated = s.support is not None and r.random() < 0.6
    turn = pick(r, -2, 2) if stated and s.name.startswith("sphere") and not still and r.random() < 0.3 else 0.0
    values = {"g": pick(r, 5, 12), "F": pick(r, -2, 2), "k": pick(r, 1, 6) if still or r.random() < 0.4 else 0.0,
              "c": pick(r, 0.05, 0.5) if still or r.random() < 0.4 else 0.0}
    goal = [c + pick(r, -0.3, 0.3) for c in s.x]
    goal = [float(num(c)) for c in goal]
    p = dict(values)

    def force(t, x, v):
        wind = p["F"]
        return [-p["c"] * a - p["k"] * (b - d) + e
                for a, b, d, e in zip(v, x, goal, [wind, 0.5 * wind, -m * p["g"]])]
    body = oracle.Ball(m, ball, J, s.surface, force, turn)
    w = [pick(r, -6, 6) for _ in range(3)]
    x = [float(num(c)) for c in s.x]
    lines = ["model ball", "param m = %s [kg], r = %s [m], J = %s [kg*m^2]" % (num(m), num(ball), num(J)),
             "param g = %s [m/s^2], F = %s [N], k = %s [N/m], c = %s [kg/s]" % tuple(num(values[n]) for n in "gFkc"),
             "coord x, y, z [m]", "rotation B", "body ball : B at (x, y, z), inertia(m, J, J, J)", "gravity g along -z",
             "force wind at ball.origin = (F - c*x' - k*(x - %s [m]), 0.5*F - c*y' - k*(y - %s [m]), -c*z' - k*(z - %s [m]))"
             % tuple(num(c) for c in goal)]
    support = s.support
    if turn:
        lines.append("frame table : rotate z %s [rad/s]*t" % num(turn))
        support = "sphere of table radius %s [m] %s" % (num(s.R), s.name.split()[1])
    if stated:
        lines.append("rolling roll : sphere ball radius r on %s, may pull" % support)
    else:
        lines += [s.let, "constraint roll : (x', y', z') = r*cross(n, ball.w)"]
    events, spoils, name = [], None, s.name + (" stated" if stated else " by hand") + (" turning" if turn else "")
    T = pick(r, 1.5, 3)
    times = sorted(T * r.uniform(0.1, 0.9) for _ in range(0 if still else r.randrange(4)))
    times = [float("%.6g" % t) for t in times if min(abs(t - T * k / 4) for k in range(5)) > 0.02]
    slides = False
    if any(r.random() < 0.5 for _ in times):
        form = r.choice(["constraint"] + (["slipping"] if s.support and not turn else []) +
                        (["contact"] if s.contact and not turn else []))
        slides = True
        if form == "constraint":
            if not s.let.startswith("let rho") or stated:
                lines += [a for a in s.let.splitlines() if a.startswith("let rho")] if stated else []
            lines.append("constraint slide off : %s" % s.gap)
        elif form == "slipping":
            lines.append("rolling slide off : sphere ball radius r on %s, slipping, may pull" % s.support)
        else:
            lines.append("contact slide off : sphere ball radius r %s, bilateral" % s.contact)
        name += ", slides by " + form
    on = True
    for i, t in enumerate(times):
        kind = r.choice(["spin", "parameter", "place"] + ["switch"] * (3 if slides else 0))
        if kind == "switch":
            on = not on
            text = "switch %s roll, %s slide" % (("on", "off") if on else ("off", "on"))

            def act(body, state, on=on):
                body.rolls = on
                return body.settle(state)
        elif kind == "spin":
            spin = [pick(r, -6, 6) for _ in range(3)]
            lines.append("let W%d = (%s)*1 [rad/s]" % (i, ", ".join(num(c) for c in spin)))
            text = "set (B.wx, B.wy, B.wz) = (%s)" % ", ".join("dot(W%d, B.%s)" % (i, a) for a in "xyz")

            def act(body, state, spin=spin):
                state = state[:6] + spin
                return body.settle(state, (0, 1, 2)) if body.rolls else state
        elif kind == "parameter":
            what = r.choice("gF")
            value = pick(r, 4, 12) if what == "g" else pick(r, -2, 2)
            text = "set %s = %s [%s]" % (what, num(value), {"g": "m/s^2", "F": "N"}[what])

            def act(body, state, what=what, value=value):
                p[what] = value
                return state
        elif s.closest and stated and on and not turn:
            value = pick(r, -0.4, 0.4) * s.q
            text = "set x = %s [m]" % num(value)

            def act(body, state, value=value):
                x = s.closest([value] + state[1:3], 0)
                return body.settle(x + state[3:])
        else:
            continue
        events.append(SimpleNamespace(t=t, text=text, act=act))

    def reset():
        p.update(values)
        body.rolls = True
    lines += ["event e%d : t - %s [s] rising, %s" % (i, num(e.t), e.text) for i, e in enumerate(events)]
    # the start is complete: velocities follow from the spin
    v = body.rolling(x, w)
    lines.append("start x = %s [m], y = %s [m], z = %s [m], B.p0 = 1, B.p1 = 0, B.p2 = 0, B.p3 = 0" % tuple(num(c) for c in x))
    lines.append("start B.wx = %s [rad/s], B.wy = %s [rad/s], B.wz = %s [rad/s]" % tuple(num(c) for c in w))
    return SimpleNamespace(kind=name, text="\n".join(lines) + "\n", body=body, state=x + v + w, T=T, events=events,
                           columns=["x", "y", "z", "x'", "y'", "z'"], shown=lambda b, q: q[:3] + (b.rolling(q[:3], q[6:]) if b.rolls else q[3:6]),
                           leaf=lambda q: s.surface.level(q[:3]), reset=reset, spoils=spoils, params=p, goal=goal, m=m, r=ball, J=J,
                           surface=s, rests=None if turn else True)



def discs(r):
    m, ball, g = pick(r, 0.05, 1), pick(r, 0.05, 0.3), pick(r, 5, 12)
    share = r.choice([0.5, 1.0])  # of m r^2, about the axis: disk or ring
    values, p = {"g": g}, {}
    body = oracle.Disc(m, ball, g, share / 2 * m * ball ** 2, share * m * ball ** 2)
    beta = pick(r, 0.9, 1.5)
    rates = [pick(r, -4, 4), pick(r, -1, 1), pick(r, 4, 12) * r.choice([-1, 1]) * 0.1 / ball]  # of alpha, beta, gamma
    e = [0.0, -math.sin(beta), math.cos(beta)]
    w = [rates[1] + rates[2] * e[0], rates[2] * e[1], rates[0] + rates[2] * e[2]]
    x = [pick(r, -1, 1), pick(r, -1, 1), ball * math.sin(beta)]
    angles = r.random() < 0.6
    form = r.choice(["stated", "gap and slip", "slip alone"])
    lines = ["model disc", "param m = %s [kg], r = %s [m], g = %s [m/s^2]" % (num(m), num(ball), num(g)), "coord x, y, z [m]",
             "rotation B euler zxz (al, be, ga)" if angles else "rotation B",
             "body disc : B at (x, y, z), %s(m, r)" % ("disk" if share == 0.5 else "ring"), "gravity g along -z"]
    if form != "stated":
        lines += ["let down = B.z.z*B.z - (0, 0, 1)", "point C : disc.origin + r*down/norm(down)", "let slip = disc.velocity(C)",
                  "constraint roll : slip.x = 0, slip.y = 0" + (", slip.z = 0" if form == "slip alone" else "")]
        if form == "gap and slip":
            lines.append("constraint gap : z = r*norm((B.z.x, B.z.y, 0))")
    T = pick(r, 0.5, 1.2)
    events = []
    if r.random() < 0.5:
        t, value = float("%.6g" % (T * r.uniform(0.3, 0.45))), pick(r, 5, 12)
        lines.append("event e0 : t - %s [s] rising, set g = %s [m/s^2]" % (num(t), num(value)))

        def act(body, state):
            body.g = value
            return state
        events.append(SimpleNamespace(t=t, act=act))
    if form == "stated":
        rim, part = r.choice(["disk", "fillet", "torus"]), pick(r, 0.05, 0.6) * ball
        lines.append("rolling roll : %s disc radius r%s on plane, may pull"
                     % {"disk": ("disk", ""), "fillet": ("disk", " fillet %s [m]" % num(part)), "torus": ("torus", " wire %s [m]" % num(part))}[rim])
        form = rim
        body.round = 0.0 if rim == "disk" else part
        body.r = ball - part if rim == "fillet" else ball
        x[2] = body.r * math.sin(beta) + body.round
    lines.append("start x = %s [m], y = %s [m], z = %s [m]" % tuple(num(c) for c in x))
    if angles:
        lines.append("start al = 0, be = %s [rad], ga = 0, al' = %s [rad/s], be' = %s [rad/s], ga' = %s [rad/s]" % tuple(num(c) for c in [beta] + rates))
    else:
        own = [rates[1], rates[0] * math.sin(beta), rates[0] * math.cos(beta) + rates[2]]  # about the axes of the disc
        lines.append("start B.p0 = cos(%s), B.p1 = sin(%s), B.p2 = 0, B.p3 = 0" % (num(beta / 2), num(beta / 2)))
        lines.append("start B.wx = %s [rad/s], B.wy = %s [rad/s], B.wz = %s [rad/s]" % tuple(num(c) for c in own))

    def reset():
        body.g = g
    return SimpleNamespace(kind="disc %s, %s" % ("angles" if angles else "quaternion", form), text="\n".join(lines) + "\n", body=body,
                           state=x + e + w, T=T, events=events, columns=["x", "y", "z", "x'", "y'", "z'"],
                           shown=lambda b, q: q[:3] + b.velocity(q), leaf=lambda q: None, reset=reset, gap=None, rests=None)


def gears(r, linear=False, driven=False):
    """Wheels and racks with springs; pairs are geared, by constant ratios or by cams. linear, driven: without events, damped."""
    n = r.randrange(2, 5)
    names = ["q%d" % i for i in range(n)]
    mass = [pick(r, 0.5, 2) for _ in range(n)]
    stiff = [pick(r, 0.5, 4) for _ in range(n)]
    rest = [pick(r, -1, 1) for _ in range(n)]
    damp = [pick(r, 0.05, 0.5) if linear or driven or r.random() < 0.5 else 0.0 for _ in range(n)]
    start = [pick(r, -1, 1) for _ in range(n)]
    cubic = 0.0 if linear else r.choice([0.0, pick(r, 0, 1)])
    drive = [0.0, 1.0] if linear or (not driven and r.random() < 0.5) else [pick(r, 0.2, 1), pick(r, 0.5, 2)]
    rows, lines, texts, integrals = [], [], [], []
    for i in range(1, r.randrange(2, n + 1) if n > 2 else 2):
        j, a, b = r.randrange(i), pick(r, 0.3, 2), pick(r, 0.1, 0.6)
        cam = "constant" if linear else r.choice(["constant", "constant", "cam", "factor"])
        slope = {"constant": lambda s, a=a: a, "cam": lambda s, a=a, b=b: a + b * (cosine(s)),
                 "factor": lambda s, a=a: a}[cam]
        times = {"constant": lambda s: 1, "cam": lambda s: 1, "factor": lambda s: 1 + s * s}[cam]

        def row(q, i=i, j=j, slope=slope, times=times):
            out = [0.0] * n
            out[i], out[j] = times(q[i]), -slope(q[j])
            return out
        value = {"constant": lambda q, i=i, j=j, a=a: q[i] - a * q[j],
                 "cam": lambda q, i=i, j=j, a=a, b=b: q[i] - a * q[j] - b * math.sin(q[j]),
                 "factor": lambda q, i=i, j=j, a=a: q[i] + q[i] ** 3 / 3 - a * q[j]}[cam]
        rows.append([row, True])
        integrals.append(value)
        left = "q%d'" % i if cam != "factor" else "(1 + q%d^2)*q%d'" % (i, i)
        right = "%s*q%d'" % (num(a), j) if cam != "cam" else "(%s + %s*cos(q%d))*q%d'" % (num(a), num(b), j, j)
        lines.append("constraint g%d : %s = %s" % (i, left, right))

    def force(t, q, v):
        F = [-k * (p - o) - cubic * p ** 3 - d * s for k, p, o, d, s in zip(stiff, q, rest, damp, v)]
        F[0] += drive[0] * math.cos(drive[1] * t)
        return F
    body = oracle.Train(mass, force, rows)
    T = pick(r, 4, 10)
    events = []
    for k, t in enumerate(sorted(T * r.uniform(0.05, 0.95) for _ in range(0 if linear or driven else r.randrange(5)))):
        t = float("%.6g" % t)
        which = r.randrange(len(rows))
        if min(abs(t - T * f / 4) for f in range(5)) < 0.02 or any(abs(e.t - t) < 1e-3 for e in events):
            continue
        kind = r.choice(["switch", "switch", "velocity", "place"])
        held = [e for e in events]
        if kind == "switch":
            now = sum(e.kind == ("switch", which) for e in held) % 2 == 0
            text, change = "switch %s g%d" % ("off" if now else "on", which + 1), None

            def act(body, state, which=which, on=not now):
                body.rows[which][1] = on
                return body.settle(state)
        elif kind == "velocity":
            value = pick(r, -1, 1)
            text = "set q0' = %s" % num(value)

            def act(body, state, value=value):
                state = list(state)
                state[n] = value
                return body.settle(state, (0,))
        else:
            value = pick(r, -0.5, 0.5)
            text = "set q0 = %s" % num(value)

            def act(body, state, value=value):
                return body.settle([value] + state[1:])
        events.append(SimpleNamespace(t=t, act=act, text=text, kind=(kind, which)))
    head = ["model gears", "units none", "coord " + ", ".join(names),
            "kinetic " + " + ".join("%s*%s'^2/2" % (num(c), q) for c, q in zip(mass, names)),
            "potential " + " + ".join("%s*(%s - %s)^2/2 + %s*%s^4/4" % (num(k), q, num(o), num(cubic), q) for k, q, o in zip(stiff, names, rest)),
            "dissipation " + " + ".join("%s*%s'^2/2" % (num(c), q) for c, q in zip(damp, names))]
    if drive[0]:
        head.append("force (q0) = %s*cos(%s*t)" % (num(drive[0]), num(drive[1])))
    lines = head + lines + ["event e%d : t - %s rising, %s" % (i, num(e.t), e.text) for i, e in enumerate(events)]
    lines.append("start " + ", ".join("%s = %s" % (q, num(c)) for q, c in zip(names, start)))

    def reset():
        for row in rows:
            row[1] = True
    first = [f(start) for f in integrals]
    moved = any(e.kind[0] == "place" for e in events)
    return SimpleNamespace(kind="gears", text="\n".join(lines) + "\n", body=body, state=start + [0.0] * n, T=T, events=events,
                           columns=names + [q + "'" for q in names], shown=lambda b, q: q, reset=reset, rests=True,
                           leaf=lambda q: max(abs(f(q[:n]) - c) for f, c in zip(integrals, first)) if not events else None,
                           moved=moved, mass=mass, stiff=stiff, damp=damp, rest=rest, cubic=cubic, drive=drive, integrals=integrals,
                           first=first, rows=rows, names=names)


def cosine(s):
    """of a real number or one with a small imaginary part"""
    if isinstance(s, complex):
        return complex(math.cos(s.real), -math.sin(s.real) * s.imag)
    return math.cos(s)
