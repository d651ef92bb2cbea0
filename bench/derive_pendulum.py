#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The derivation of derive_pendulum.c, absolute angles, n = 6, with SymPy: the peer in the same run.

Written for speed as far as SymPy goes: plain symbols instead of functions of time, no simplification,
each derivative taken once, the symmetric half of the mass matrix only. The cache of SymPy is emptied
before each measurement, as the C program starts from an empty context."""
import math
import sys
import time

from sympy import Symbol, cos, lambdify, sin
from sympy.core.cache import clear_cache


def derive(n):
    q = [Symbol(f"q{i}") for i in range(n)]
    v = [Symbol(f"v{i}") for i in range(n)]
    m = [Symbol(f"m{i}") for i in range(n)]
    l = [Symbol(f"l{i}") for i in range(n)]
    g = Symbol("g")

    def rate(e):
        return sum(e.diff(q[k]) * v[k] for k in range(n))

    x = y = kinetic = potential = 0
    for i in range(n):
        x += l[i] * sin(q[i])
        y -= l[i] * cos(q[i])
        kinetic += m[i] / 2 * (rate(x) ** 2 + rate(y) ** 2)
        potential += m[i] * g * y
    momentum = [kinetic.diff(v[j]) for j in range(n)]
    mass = [[None] * n for _ in range(n)]
    for j in range(n):
        for k in range(j + 1):
            mass[j][k] = mass[k][j] = momentum[j].diff(v[k])
    bias = [rate(momentum[j]) - kinetic.diff(q[j]) for j in range(n)]
    gravity = [potential.diff(q[j]) for j in range(n)]
    return (q, v, m, l, g), mass, bias, gravity


def largest_error(n):
    """The closed form of derive_pendulum.c at a point."""
    symbols, mass, bias, gravity = derive(n)
    q = [math.sin(1 + 3 * i) for i in range(n)]
    v = [math.cos(2 + 5 * i) for i in range(n)]
    m = [1 + 0.5 * math.sin(7 * i) for i in range(n)]
    l = [1 + 0.5 * math.cos(11 * i) for i in range(n)]
    have_mass, have_bias, have_gravity = lambdify(symbols, (mass, bias, gravity), "math")(
        q, v, m, l, 9.81)
    worst = 0.0
    for j in range(n):
        bias_j = 0.0
        for k in range(n):
            weight = sum(m[max(j, k):]) * l[j] * l[k]
            worst = max(worst, abs(have_mass[j][k] - weight * math.cos(q[j] - q[k])))
            bias_j += weight * math.sin(q[j] - q[k]) * v[k] ** 2
        worst = max(worst, abs(have_bias[j] - bias_j))
        worst = max(worst, abs(have_gravity[j] - sum(m[j:]) * 9.81 * l[j] * math.sin(q[j])))
    return worst


def main():
    n = 6
    taken = []
    for _ in range(5):
        clear_cache()
        begin = time.perf_counter()
        derive(n)
        taken.append(time.perf_counter() - begin)
    print(f"derive,n={n} SymPy,time (min),{1e3 * min(taken):.6g},ms,")
    error = largest_error(n)
    print(f"derive,n={n} SymPy,error against closed form,{error:.6g},1,<= 1e-12")
    return 0 if error <= 1e-12 else 1


sys.exit(main())
