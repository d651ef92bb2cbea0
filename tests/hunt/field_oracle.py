# SPDX-License-Identifier: MIT
"""Equilibria, cycles and attractors of a vector field at one value of its parameter, found without the command.

Equilibria: Newton's method from a grid. Cycles of the plane: each encloses an equilibrium of index 1, so it crosses a
ray from one of these. Motions from many points of the ray go once round the equilibrium, forwards and backwards in time;
between two of them that come back on different sides of their starts lies a cycle. Attractors of space: long runs."""
import ctypes
import os
import re
import subprocess
import tempfile

import numpy

FOLDER = tempfile.TemporaryDirectory()
AXES = 0.3  # [rad] direction of the rays


def compiled(f):
    """The motions of a field, compiled once."""
    if not hasattr(f, "motions"):
        rates = [re.sub(r"(\w)\^(\d+)", r"power(\1, \2)", e) for e in f.rates]
        names = "".join("    double %s = X[%d];\n" % (v, i) for i, v in enumerate(f.states))
        lines = "".join("    F[%d] = %s;\n" % (i, e) for i, e in enumerate(rates))
        source = os.path.join(FOLDER.name, "f%d.c" % len(os.listdir(FOLDER.name)))
        with open(source, "w") as file:
            file.write("#define _GNU_SOURCE\n#include <math.h>\n#define N %d\n#define abs fabs\n#define max fmax\n#define min fmin\n"
                       "static double power(double x, int n) { double y = 1; while (n-- > 0) y *= x; return y; }\n"
                       "static void field(const double *X, double p, double *F) {\n%s%s}\n#undef abs\n" % (f.n, names, lines))
            with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "field_motions.c")) as body:
                file.write(body.read())
        made = source[:-2] + ".so"
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-w", "-shared", "-fPIC", source, "-o", made, "-lm"], check=True)
        f.motions = ctypes.CDLL(made)
    return f.motions


def array(values):
    return numpy.ascontiguousarray(values, float)


def at(values):
    return values.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def jacobian(f, x, p):
    """Differences of fourth order, (..., n, n)."""
    n = f.n
    out = numpy.empty(x.shape + (n,))
    for j in range(n):
        h = numpy.zeros(n)
        h[j] = 1e-3 if f.smooth else 1e-7
        if f.smooth:
            out[..., j] = (8 * (f(x + h, p) - f(x - h, p)) - f(x + 2 * h, p) + f(x - 2 * h, p)) / (12 * h[j])
        else:
            out[..., j] = (f(x + h, p) - f(x - h, p)) / (2 * h[j])
    return out


def newton(f, x, p, steps=60):
    """From many starts x (m, n); returns those that converged."""
    for k in range(steps):
        r = f(x, p)
        j = jacobian(f, x, p) + 1e-14 * numpy.eye(f.n)
        ok = numpy.isfinite(j).all(axis=(1, 2)) & numpy.isfinite(r).all(axis=1)
        x, r, j = x[ok], r[ok], j[ok]
        if len(x) == 0:
            return x
        try:
            d = numpy.linalg.solve(j, r[..., None])[..., 0]
        except numpy.linalg.LinAlgError:
            d = (numpy.linalg.pinv(j) @ r[..., None])[..., 0]
        size = numpy.linalg.norm(d, axis=1)
        x = x - d * numpy.minimum(1, 1 / numpy.maximum(size, 1e-300))[:, None]
    r = numpy.abs(f(x, p)).max(axis=1)
    return x[(r < 1e-9) & (size < 1e-6)]


def distinct(points, least):
    out = []
    for x in points:
        if all(numpy.abs(x - y).max() > least for y in out):
            out.append(x)
    return out


def grid_of(f, many):
    low, high = numpy.array(f.box).T
    axis = [numpy.linspace(a, b, many) for a, b in zip(low, high)]
    return numpy.stack(numpy.meshgrid(*axis, indexing="ij"), axis=-1).reshape(-1, f.n) + 0.0013


def equilibria(f, p):
    """Those in the box."""
    found = newton(f, grid_of(f, 30 if f.n == 2 else 9), p)
    low, high = numpy.array(f.box).T
    found = found[((found >= low) & (found <= high)).all(axis=1)]
    return distinct(found[numpy.argsort(found[:, 0])], 1e-5)


def growth(f, x, p):
    return numpy.linalg.eigvals(jacobian(f, numpy.asarray(x, float), p))


def returns(f, p, centre, s, sign, reach):
    """Where motions from the ray come back to it after one turn: distances, +inf (they leave), nan (never); their bounds."""
    s, c = array(s), array(centre)
    back, bounds = numpy.empty(len(s)), numpy.empty((len(s), 4))
    real = ctypes.c_double
    compiled(f).returns(len(s), at(s), at(c), real(AXES), real(p), real(sign), real(reach), at(back), at(bounds))
    return back, bounds


def signs_of(s, back):
    with numpy.errstate(invalid="ignore"):
        return numpy.sign(back - s)


def cycles_on_ray(f, p, centre, sign, reach, s):
    """(stable, bounds) of cycles between neighbours of the increasing numbers s."""
    back, _ = returns(f, p, centre, s, sign, reach)
    d = signs_of(s, back)
    spots = [k for k in range(len(s) - 1) if d[k] * d[k + 1] < 0 and numpy.isfinite(d[k] + d[k + 1])]
    low, high, side = s[spots].copy(), s[[k + 1 for k in spots]].copy(), d[spots]
    many = 7
    for _ in range(7 if spots else 0):
        part = numpy.arange(1, many + 1) / (many + 1)
        inner = (low[:, None] + (high - low)[:, None] * part).ravel()
        back, _ = returns(f, p, centre, inner, sign, reach)
        q = signs_of(inner, back).reshape(-1, many)
        for i in range(len(low)):
            grid = numpy.concatenate([[low[i]], inner.reshape(-1, many)[i], [high[i]]])
            other = [k for k in range(many) if q[i, k] == -side[i]]
            last = other[0] if other else many
            same = [k for k in range(last) if q[i, k] == side[i]]
            low[i], high[i] = grid[same[-1] + 1 if same else 0], grid[last + 1]
    found = []
    both, bounds = returns(f, p, centre, numpy.concatenate([low, high]), sign, reach)
    for i in range(len(low)):
        near = 1e-3 * low[i] + 2e-6 * reach
        k = i if abs(both[i] - low[i]) <= abs(both[len(low) + i] - high[i]) else len(low) + i
        if abs(both[i] - low[i]) < near and abs(both[len(low) + i] - high[i]) < near:
            found.append(((side[i] > 0) == (sign > 0), bounds[k]))
    return found


def same_cycle(a, b, reach):
    return numpy.abs(a - b).max() < 2e-3 * reach + 0.02 * min(a[2] - a[0], b[2] - b[0])


def cycles(f, p, points):
    """All cycles of a planar field around its equilibria: list of (stable, bounds [low x, low y, high x, high y])."""
    low, high = numpy.array(f.box).T
    reach = 0.5 * float((high - low).max())
    found = []
    for c in points:
        if numpy.linalg.det(jacobian(f, c, p)) <= 0:
            continue
        s = numpy.unique(numpy.concatenate([reach * numpy.geomspace(2e-3, 2.5, 90), reach * numpy.linspace(0.01, 2.5, 130)]))
        for sign in (1, -1):
            for stable, bounds in cycles_on_ray(f, p, c, sign, reach, s):
                if not any(same_cycle(bounds, b, reach) for _, b in found):
                    found.append((stable, bounds))
    return found


def missed(f, p, nodes, times):
    """The largest distance by which motions from the nodes of an orbit miss the next ones."""
    nodes = array(nodes)
    out = numpy.empty_like(nodes[0])
    worst = 0
    for k in range(len(times) - 1):
        x = array(nodes[k])
        ok = compiled(f).advance(at(x), ctypes.c_double(p), ctypes.c_double(times[k + 1] - times[k]), at(out))
        worst = max(worst, numpy.abs(out - nodes[(k + 1) % len(nodes)]).max() if ok else numpy.inf)
    return worst


def connects(f, p, saddle, by):
    """Does an unstable manifold of a saddle of the plane pass it on different sides at p - by and p + by? None: it does not come near."""
    size = max(b - a for a, b in f.box)
    seen = {}
    for q in (p - by, p + by):
        x = newton(f, numpy.array([saddle], float), q, 20)
        if len(x) == 0:
            return None
        j = jacobian(f, x[0], q)
        e, v = numpy.linalg.eig(j)
        if numpy.iscomplex(e).any() or e.real.prod() >= 0:
            return None
        k = int(numpy.argmax(e.real))
        u = v[:, k].real / numpy.linalg.norm(v[:, k].real)
        u = u if u[numpy.argmax(numpy.abs(u))] > 0 else -u
        e, w = numpy.linalg.eig(j.T)
        w = w[:, int(numpy.argmax(e.real))].real
        w = array(w * numpy.sign(w @ u))
        call = compiled(f).side_of_saddle
        call.restype = ctypes.c_double
        for side in (1, -1):
            for r in (0.02, 0.005):
                start, c = array(x[0] + side * 1e-5 * size * u), array(x[0])
                seen.setdefault((side, r), []).append(
                    call(at(start), ctypes.c_double(q), at(c), at(w), ctypes.c_double(r * size), ctypes.c_double(20 * size)))
    if any(a * b < 0 for a, b in seen.values()):
        return True
    return False if any(a * b > 0 for a, b in seen.values()) else None


def attractors(f, p, seed):
    """Attracting cycles that runs come to: list of (bounds, period); rest, escape and chaos are left out."""
    rng = numpy.random.default_rng(seed)
    low, high = numpy.array(f.box).T
    size = float((high - low).max())
    most = 400
    found = []
    for x in low + (high - low) * rng.random((8, f.n)):
        times, y, bounds = numpy.empty(most), numpy.empty((most, f.n)), numpy.empty(2 * f.n)
        real = ctypes.c_double
        x = array(x)
        many = compiled(f).passages(at(x), real(p), real(1500), real(2400), real(50 * size), most, at(times), at(y), at(bounds))
        width = (bounds[f.n:] - bounds[:f.n]).max()
        if many < 12 or width < 1e-3 * size:
            continue
        times, y = times[:many], y[:many]
        for k in range(1, 9):
            if many > 2 * k + 2 and numpy.abs(y[k:] - y[:-k]).max() < 1e-5 * width:
                if not any(numpy.abs(bounds - b).max() < 0.01 * width for b, _ in found):
                    found.append((bounds, times[-1] - times[-1 - k]))
                break
    return found
