# SPDX-License-Identifier: MIT
"""Random vector fields with one parameter p, as text of a model and as a function of arrays."""
import random
import re

import numpy

WORDS = {"sin": numpy.sin, "cos": numpy.cos, "tanh": numpy.tanh, "exp": numpy.exp,
         "abs": numpy.abs, "sqrt": numpy.sqrt, "max": numpy.maximum, "min": numpy.minimum}


class Field:
    """states: names; rates: their expressions; box: where starts lie; start: where the model does."""

    def __init__(self, kind, states, rates, over, box, start, mirror=None, smooth=True):
        self.kind, self.states, self.rates, self.over, self.box = kind, states, rates, over, box
        self.start, self.mirror, self.smooth, self.n = start, mirror, smooth, len(states)
        code = "lambda %s, p: [%s]" % (", ".join(states), ", ".join(rates).replace("^", "**"))
        self.compiled = eval(code, dict(WORDS))

    def __call__(self, x, p):
        """Rates at states x (..., n)."""
        with numpy.errstate(all="ignore"):
            parts = self.compiled(*[x[..., i] for i in range(self.n)], p)
            return numpy.stack([numpy.broadcast_to(v, x.shape[:-1]) for v in parts], axis=-1)

    def text(self, seed):
        rates = ",\n    ".join("%s' = %s" % pair for pair in zip(self.states, self.rates))
        start = ", ".join("%s = %.4g" % pair for pair in zip(self.states, self.start))
        return ("# %s, seed %d, over p=%.10g:%.10g\nmodel field\nunits none\nparam p = %.10g\nstate %s :\n"
                "    %s\nstart %s\n" % (self.kind, seed, *self.over, self.over[0] + 0.37 *
                                        (self.over[1] - self.over[0]), ", ".join(self.states), rates, start))


def near(r, value, part=0.3):
    return round(value * r.uniform(1 - part, 1 + part), 4)


def coefficient(r, size):
    return round(r.uniform(-size, size), 3)


def tidy(expression):
    return re.sub(r"\+ -", "- ", expression)


def polynomial(r):
    """Cubic terms that keep motions bounded, random quadratic and linear ones."""
    c = lambda: coefficient(r, 1)
    pull = [round(r.uniform(0.3, 1), 2) for _ in range(2)]
    rates = ["%g*x + %g*y + %g*x^2 + %g*x*y + %g*y^2 - %g*x^3" % (c(), c(), c(), c(), c(), pull[0]),
             "%g*x + %g*y + %g*x^2 + %g*x*y + %g*y^2 - %g*y^3" % (c(), c(), c(), c(), c(), pull[1])]
    rates[r.randrange(2)] += " + p*" + r.choice(["x", "y", "1", "x*y"])
    if r.random() < 0.4:
        rates[r.randrange(2)] += " + p*" + r.choice(["x", "y"])
    return Field("polynomial", ["x", "y"], [tidy(s) for s in rates], (-2, 2), [(-4, 4), (-4, 4)],
                 [0.5, 0.3])


def turning(r):
    """A centre with random cubic and quintic damping: several cycles around one equilibrium."""
    a, b = near(r, 1), near(r, 1)
    rates = ["y", "-%g*x + %g*x^2 + y*(p + %g*x + %g*x^2 - %g*x^4)" %
             (a, coefficient(r, 0.4), coefficient(r, 0.5), near(r, 1.5, 0.5), b)]
    if r.random() < 0.3:
        rates[1] += " - 0.3*x^3"
    return Field("turning", ["x", "y"], [tidy(s) for s in rates], (-1.5, 0.5), [(-3, 3), (-3, 3)], [0.1, 0.1])


def lienard(r):
    """x' = y - F(x), y' = -g(x), F odd of order 5 or 7: up to three cycles."""
    a = [near(r, 0.8), near(r, 1.2), near(r, 0.35)]
    f = "p*x - %g*x^3 + %g*x^5" % (a[1], a[2])
    if r.random() < 0.4:
        f = "%g*x - p*x^3 + %g*x^5 - %g*x^2" % (a[0], a[2], abs(coefficient(r, 0.4)))
    g = r.choice(["x", "x", "x + 0.2*x^3", "x - 0.1*x^2"])
    over = (-1, 2) if f[0] == "p" else (0.5, 3)
    return Field("lienard", ["x", "y"], [tidy("y - (%s)" % f), "-(%s)" % g], over, [(-4, 4), (-4, 4)],
                 [0.5, 0.5])


def predators(r):
    """Prey that saturate their predators; the capacity, the harvest or the death rate is p."""
    form = r.randrange(3)
    if form == 0:
        rates = ["x*(1 - x/p) - x*y/(%g + x)" % near(r, 0.5), "%g*x*y/(%g + x) - %g*y" %
                 (near(r, 1.0), 0.5, near(r, 0.4))]
        over = (0.3, 4)
    elif form == 1:
        h = near(r, 0.3)
        rates = ["x*(1 - x) - x^2*y/(%g + x^2)" % h, "y*(%g*x^2/(%g + x^2) - p - %g*y)" %
                 (near(r, 1.2), h, near(r, 0.1, 0.9))]
        over = (0.02, 0.9)
    else:
        a = near(r, 0.2)
        rates = ["x*(x - %g)*(1 - x) - x*y" % a, "y*(x - p) - %g*y^2" % round(r.choice([0, 0.05, 0.2]), 3)]
        over = (0.2, 1.2)
    return Field("predators", ["x", "y"], rates, over, [(-0.2, 2.5), (-0.2, 2.5)], [0.6, 0.4])


def relaxation(r):
    """Fast x, slow y: canards near the folds of the cubic."""
    eps = r.choice([0.02, 0.05, 0.1, 0.2])
    slow = r.choice(["x - p", "x - p + %g*y" % abs(coefficient(r, 0.5)), "x - p - %g*y" % near(r, 0.6, 0.6)])
    fast = r.choice(["x - x^3/3", "x - x^3/3", "2*tanh(2*x) - x", "x + 0.3*x^2 - x^3/3"])
    return Field("relaxation", ["x", "y"], [tidy("%s - y" % fast), "%g*(%s)" % (eps, slow)], (-1.6, 1.6),
                 [(-3, 3), (-3, 3)], [0.3, 0.1])


def mirrored(r):
    """(x, y) to (-x, -y): pitchforks, gluing of two cycles."""
    a, b = near(r, 1), near(r, 1)
    s = r.choice(["-", "-", "+"])
    tail = " - 0.4*x^5" if s == "+" else ""
    form = r.choice(["p*x + %g*y %s x^3 - %g*x^2*y" % (coefficient(r, 0.6), s, b),
                     "%g*x + p*y %s x^3 - %g*x^2*y" % (a, s, b),
                     "p*x + %g*y %s x^3 - %g*y^3" % (abs(coefficient(r, 0.6)), s, b)])
    return Field("mirrored", ["x", "y"], ["y", tidy(form + tail)], (-1.5, 1.5), [(-3, 3), (-3, 3)],
                 [0.4, 0.3], mirror=[-1, -1])


def neurons(r):
    """Two populations that saturate."""
    a, b, c, d = near(r, 3, 0.6), near(r, 3, 0.6), near(r, 3, 0.6), coefficient(r, 2)
    t = r.choice([1, 1, 0.3])
    return Field("neurons", ["x", "y"], [tidy("-x + tanh(%g*x - %g*y + p)" % (a, b)),
                                         tidy("%g*(-y + tanh(%g*x + %g*y + %g))" % (t, c, d, coefficient(r, 1)))],
                 (-2.5, 2.5), [(-1.5, 1.5), (-1.5, 1.5)], [0.2, 0.1])


def homoclinic(r):
    """A potential with a saddle and weak damping: cycles that end on connections."""
    e = r.choice([0.1, 0.3, 1])
    form = r.choice(["x - x^2 + %g*y*(p - x)" % e, "x - x^3 + %g*y*(p - x^2)" % e,
                     "-x + x^2 + %g*y*(p + %gx)" % (e, near(r, 1)), "-x + x^3 + %g*y*(p - x^2)" % e,
                     "-sin(x) + %g*y*(p - cos(x))" % e, "p + x^2 + %g*y*(%g + x)" % (e, coefficient(r, 0.7))])
    form = re.sub(r"(\d)x", r"\1*x", form)
    over = (0.3, 1.5) if form.startswith("x - x^2") else (-1.5, 1.5)
    return Field("homoclinic", ["x", "y"], ["y", tidy(form)], over, [(-2.5, 2.5), (-2.5, 2.5)], [0.8, 0.2],
                 mirror=[-1, -1] if "x^2" not in form.split("*y*")[0] and "p + x" not in form else None)


def kinked(r):
    """Piecewise linear characteristics, kinks away from the origin."""
    k, a = near(r, 0.7), near(r, 0.5)
    form = r.choice(["p*x - %g*(max(x - %g, 0) + min(x + %g, 0))" % (near(r, 2), k, k),
                     "p*x - %g*max(x - %g, 0) + %g*min(x + %g, 0)" % (near(r, 1), k, -near(r, 1.5), 1.3 * k),
                     "p*x - %g*x*abs(x - %g)" % (near(r, 1), k)])
    slow = r.choice(["-x", "-x + %g*max(y - 0.6, 0)" % coefficient(r, 0.3), "%g - x" % coefficient(r, 0.3)])
    return Field("kinked", ["x", "y"], [tidy("y + " + form), tidy(slow)], (-1, 1.2), [(-4, 4), (-4, 4)],
                 [0.4, 0.2], smooth=False)


def waves(r):
    """Rates with sines: many equilibria."""
    return Field("waves", ["x", "y"], [tidy("sin(%g*y) - %g*x + p" % (near(r, 2), near(r, 0.4))),
                                       tidy("-sin(%g*x) - %g*y + %g*x*y" % (near(r, 2), coefficient(r, 0.4),
                                                                            coefficient(r, 0.2)))],
                 (-1, 1), [(-3, 3), (-3, 3)], [0.3, 0.2])


def lorenz(r):
    """Lorenz's equations with other numbers."""
    return Field("lorenz", ["x", "y", "z"], ["%g*(y - x)" % near(r, 10, 0.4), "x*(p - z) - y",
                                             "x*y - %g*z" % near(r, 2.5, 0.4)],
                 (0.2, r.choice([12, 20, 28])), [(-15, 15), (-15, 15), (-2, 40)], [1, 1, 1], mirror=[-1, -1, 1])


def folded(r):
    """Roessler's equations with other numbers."""
    return Field("folded", ["x", "y", "z"], ["-y - z", "x + %g*y" % near(r, 0.2, 0.2), "%g + z*(x - p)" %
                                             near(r, 0.2)], (1.2, 3.6), [(-5, 5), (-5, 5), (0, 5)], [1, 1, 1])


def jerk(r):
    """x''' = -a x'' - x' + f(x): period doublings."""
    form = r.choice(["p - x^2", "p*x - x^3", "-p*x + x^2", "p - 2*tanh(x)", "-p*x - x^3 + %g" % coefficient(r, 0.3)])
    a = near(r, 0.8)
    mirror = [-1, -1, -1] if form == "p*x - x^3" else None
    over = (0.05, 0.95 * a * a * 0.35) if form == "p - x^2" else (0.2, 1.5)
    return Field("jerk", ["x", "y", "z"], ["y", "z", "-%g*z - y + %s" % (a, form)], over,
                 [(-2, 2), (-2, 2), (-2, 2)], [0.2, 0.1, 0.1], mirror=mirror)


def ring(r):
    """Three that inhibit one another in a ring."""
    k = r.choice([2, 3])
    b = [near(r, 1, 0.2) if r.random() < 0.5 else 1 for _ in range(3)]
    rates = ["p/(1 + %s^%d) - %g*%s" % (v, 2 * k, w, u) for u, v, w in zip("xyz", "zxy", b)]
    return Field("ring", ["x", "y", "z"], rates, (0.3, 4), [(0, 4)] * 3, [1, 0.5, 0.2])


def circuit(r):
    """Chua's circuit with a cubic characteristic."""
    return Field("circuit", ["x", "y", "z"], ["p*(y - x^3 + %g*x)" % near(r, 0.2), "x - y + z", "-%g*y" % near(r, 12, 0.2)],
                 (2, 8), [(-1.5, 1.5), (-1, 1), (-2, 2)], [0.3, 0.1, 0.1], mirror=[-1, -1, -1])


def slowly(r):
    """A relaxation oscillator with a slow third state."""
    return Field("slowly", ["x", "y", "z"], ["x - x^3/3 - y + z", "%g*(x + %g - %g*y)" % (near(r, 0.15), near(r, 0.6),
                 near(r, 0.6)), "%g*(p - z - %g*x)" % (near(r, 0.1), near(r, 0.5, 0.9))],
                 (-0.5, 2), [(-2.5, 2.5)] * 3, [0.1, 0.1, 0.1])


KINDS = [polynomial, turning, lienard, predators, relaxation, mirrored, neurons, homoclinic, kinked, waves,
         lorenz, folded, jerk, ring, circuit, slowly]


def draw(seed):
    r = random.Random(seed)
    return KINDS[seed % len(KINDS)](r)
