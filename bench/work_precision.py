# SPDX-License-Identifier: MIT
"""The problems of work_precision.c with SciPy's solve_ivp, right-hand sides in NumPy.

    python3 work_precision.py FILE.csv

reads the reference solutions and Zwang's points from FILE, which work_precision wrote, adds the points
of SciPy to it and prints how much longer SciPy takes at equal error.
"""
import csv
import math
import sys
import time

import numpy as np
from scipy.integrate import solve_ivp

LINKS = 6


def chain():
    weight = 9.81 * (LINKS - np.arange(LINKS))
    inertia = LINKS - np.maximum.outer(np.arange(LINKS), np.arange(LINKS))

    def rates(t, y):
        q, v = y[:LINKS], y[LINKS:]
        difference = np.subtract.outer(q, q)
        force = -(inertia * np.sin(difference)) @ (v * v) - weight * np.sin(q)
        return np.concatenate([v, np.linalg.solve(inertia * np.cos(difference), force)])

    return rates, np.concatenate([0.5 + 0.1 * np.arange(LINKS), np.zeros(LINKS)])


def turntable():
    r, omega, g, nu, delta, v_0 = 0.0127, 45 * math.pi / 30, 9.81, 5e-3, 1e-3, 1e-7
    m = 7800 * 4 / 3 * math.pi * r**3
    k = 0.4 * m

    def rates(t, y):
        u, w = y[2] + omega * y[1], y[3] - omega * y[0]
        rolling = delta * m * g / math.sqrt(u * u + w * w + v_0 * v_0)
        return [y[2], y[3],
                (-nu * y[2] - rolling * u - k * omega * y[3]) / (m + k),
                (-nu * y[3] - rolling * w + k * omega * y[2]) / (m + k)]

    return rates, [0.1, 0, 0, 0.05]


def tippedisk():
    r_0, a, b, h, rho, g, mu, eps, v_0, om = (0.045, 0.015, 0.02, 0.01, 7700, 9.81, 0.3, 1e-3, 1e-9,
                                              40)
    e = b * a**2 / (r_0**2 - a**2)
    m = rho * math.pi * (r_0**2 - a**2) * h
    A = rho * math.pi * h / 12 * (3 * r_0**4 + r_0**2 * h**2 - a**2 * h**2 - 3 * a**4)
    B = A - rho * math.pi * h * a**2 * b**2 - m * e**2

    def rates(t, x):
        sb, cb, sg, cg, y = (math.sin(x[0]), math.cos(x[0]), math.sin(x[1]), math.cos(x[1]), x[2])
        r = r_0 + e * sg
        J, mr2, w = A * cg * cg + B * sg * sg, m * r * r, r * sb
        force = ((J * om * om + mr2 * y * y) * sb * cb - 2 * (A - B) * om * y * cb * sg * cg
                 + m * e * r * om * om * sb * cb**3 * sg
                 - m * e * r * om * (3 * sb * sb - 2) * y * cb * cg - m * g * r * cb)
        slip = w * y - e * om * sb * sb * cg
        friction = w * mu * m * g * slip / (math.sqrt(slip * slip + v_0 * v_0) + eps)
        return [y, -om * cb, (force - friction) / (J + mr2 * cb * cb)]

    return rates, [math.pi / 2, 0.1 - math.pi / 2, 0]


def absorber():
    r, q, g, a_0, omega, spin = 0.15, 0.85, 9.81, 0.02, 2.9, 5

    def rates(t, y):
        s, u = y[:3], y[3:]
        n = s / q
        field = np.array([a_0 * omega**2 * math.sin(omega * t), 0, -g])
        turn = np.array([u[1] * n[2] - u[2] * n[1], u[2] * n[0] - u[0] * n[2],
                         u[0] * n[1] - u[1] * n[0]]) / q
        accel = (field - (field @ n) * n + 0.4 * r * spin * turn) / 1.4 - (u @ u) / q * n
        return np.concatenate([u, accel])

    return rates, [0, 0, -q, 0, 0.3, 0]


PROBLEMS = {  # name: right-hand side and start, end, solvers
    "chain": (chain, 3, ("DOP853", "LSODA")),
    "turntable": (turntable, 20, ("DOP853", "LSODA")),
    "tippedisk": (tippedisk, 1, ("Radau", "LSODA")),
    "absorber": (absorber, 20, ("DOP853", "LSODA")),
}


def measure(rates, start, until, method, rtol):
    best = math.inf
    for _ in range(3):
        begin = time.perf_counter()
        solution = solve_ivp(rates, (0, until), start, method=method, rtol=rtol, atol=rtol * 1e-2)
        best = min(best, time.perf_counter() - begin)
    return solution.y[:, -1], best, solution.nfev


def time_at(points, error):
    """The least time among the points that are at least as exact; None if there is none."""
    return min((seconds for e, seconds in points if e <= error), default=None)


def main():
    path = sys.argv[1]
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    reference = {r["problem"]: [float(v) for v in r["error"].split(";")] for r in rows
                 if r["solver"] == "reference"}
    ours = {}
    for r in rows:
        if r["solver"] == "Zwang auto":
            ours.setdefault(r["problem"], []).append((float(r["error"]), float(r["seconds"])))
    with open(path, "a") as file:
        for name, (make, until, methods) in PROBLEMS.items():
            rates, start = make()
            expected = reference[name]
            factors = []
            for method in methods:
                for rtol in (1e-4, 1e-6, 1e-8, 1e-10, 1e-12):
                    end, seconds, calls = measure(rates, start, until, method, rtol)
                    if name == "absorber":
                        end[0] += 0.02 * math.sin(2.9 * until)
                    error = max(abs(a - b) for a, b in zip(end, expected)) / max(map(abs, expected))
                    file.write(f"{name},SciPy {method},{rtol:g},{error:.6g},{seconds:.6g},{calls}\n")
                    mine = time_at(ours[name], error)
                    if mine and 1e-10 < error < 1e-2:
                        factors.append(seconds / mine)
            if factors:
                print(f"work_precision,{name},slowest SciPy / Zwang auto,{max(factors):.4g},,")
                print(f"work_precision,{name},fastest SciPy / Zwang auto,{min(factors):.4g},,",
                      flush=True)


main()
