# SPDX-License-Identifier: MIT
"""The motions of bench/ensemble.c by SciPy's solve_ivp: RK45 at 1e-6, DOP853 at 1e-9."""
import math
import time

from scipy.integrate import solve_ivp

R, A, B, H, RHO, MU, EPS, V0, G, W = 0.045, 0.015, 0.02, 0.01, 7700, 0.3, 0.1, 1e-9, 9.81, 40
E = B * A * A / (R * R - A * A)
M = RHO * math.pi * (R * R - A * A) * H
J1 = RHO * math.pi * H / 12 * (3 * R**4 + R * R * H * H - A * A * H * H - 3 * A**4)
J2 = J1 - RHO * math.pi * H * A * A * B * B - M * E * E


def disc(t, y):
    sb, cb, sg, cg, v = math.sin(y[0]), math.cos(y[0]), math.sin(y[1]), math.cos(y[1]), y[2]
    arm = R + E * sg
    J = J1 * cg * cg + J2 * sg * sg
    inertia = (J * W * W * sb * cb - 2 * (J1 - J2) * W * v * cb * sg * cg + M * arm * arm * v * v * sb * cb
               + M * E * arm * W * W * sb * cb**3 * sg - M * E * arm * (3 * sb * sb - 2) * W * v * cb * cg)
    slip = arm * sb * v - E * W * sb * sb * cg
    friction = -MU * M * G * slip / (math.sqrt(slip * slip + V0 * V0) + EPS)
    return [v, -W * cb, (inertia - M * G * arm * cb + arm * sb * friction) / (J + M * arm * arm * cb * cb)]


def duffing(t, y):
    return [y[1], 2 * math.cos(1.4 * t) - 0.4 * y[1] - y[0] - y[0]**3]


def part(k, step):
    return (k * step) % 1


def measure(name, rates, start, until, method, rtol, count):
    begin = time.process_time()
    for k in range(count):
        u, v = part(k + 1, 0.7548776662466927), part(k + 1, 0.5698402909980532)
        solve_ivp(rates, (0, until), start(u, v), method=method, rtol=rtol, atol=rtol * 1e-2, t_eval=[until])
    rate = count / (time.process_time() - begin)
    print(f"ensemble,{name},SciPy {method},{rate:.6g},1/s,", flush=True)


def disc_start(u, v):
    return [math.pi / 2 + 0.1 * (u - 0.5), -math.pi / 2 + 0.1 + 0.2 * v, 0]


def duffing_start(u, v):
    return [4 * u - 2, 4 * v - 2]


measure("tippedisk 5 s 1e-6", disc, disc_start, 5, "RK45", 1e-6, 60)
measure("tippedisk 5 s 1e-9", disc, disc_start, 5, "DOP853", 1e-9, 30)
measure("Duffing 1000 periods 1e-6", duffing, duffing_start, 1000 * 2 * math.pi / 1.4, "RK45", 1e-6, 1)
