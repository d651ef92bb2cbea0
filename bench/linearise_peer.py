#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Linear equations about a steady motion: zwang and SymPy's Linearizer in the same run.

    bench/linearise_peer.py BUILD

Two systems that SymPy can do in seconds: the disc that rolls in a circle (nonholonomic, Kane's method) and the double
pendulum in Cartesian coordinates (two constraints, Lagrange's method with multipliers). Both sides begin with the mechanics and
end with the matrix A as numbers. zwang's time is that of the whole process of zwang equilibria, reading the text and finding the
symmetries, the steady motion and the eigenvalues included, which SymPy is not asked for; zwang linearise, which also judges cubic
terms, participation and outputs, is measured by the same target. SymPy gets the steady motion in closed form, plain
coordinates in which A is small, and no simplification. What both say of the frequencies is compared."""
import json
import math
import os
import subprocess
import sys
import tempfile
import time

try:
    import mpmath
    from sympy import Matrix, cos, sin, symbols
    from sympy.core.cache import clear_cache
    from sympy.physics.mechanics import (KanesMethod, Lagrangian, LagrangesMethod, Particle, Point,
                                         ReferenceFrame, RigidBody, dynamicsymbols, inertia)
except ImportError:
    print("bench/linearise_peer.py: no SymPy here, skipped (tools/setup bench)", file=sys.stderr)
    sys.exit(0)

PENDULUM = """model pendulums "Double pendulum in Cartesian coordinates"
param g = 9.81 [m/s^2]
coord x, y, u, v [m]
particle A : 1 [kg] at (x, y)
particle B : 1 [kg] at (u, v)
gravity g along -y
constraint a : x^2 + y^2 = 1 [m^2]
constraint b : (u - x)^2 + (v - y)^2 = 1 [m^2]
start x = 0, y = -1 [m], u = 0, v = -2 [m]
"""


def numbers(A, values):
    """A at the steady motion: only now are numbers put in"""
    return Matrix(A).subs(values).evalf()


def disc():
    """Kane's method, three speeds in the frame that does not roll along; steady motion in closed form"""
    g, m, r, Omega, beta = 9.81, 0.1, 0.05, 6.0, math.radians(70)
    yaw, lean, roll, u1, u2, u3 = dynamicsymbols("yaw lean roll u1 u2 u3")
    M, R, G = symbols("M R G")
    N = ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [yaw, N.z])
    L = Y.orientnew("L", "Axis", [lean, Y.x])
    D = L.orientnew("D", "Axis", [roll, L.y])
    D.set_ang_vel(N, u1 * L.x + u2 * L.y + u3 * L.z)
    C = Point("C")
    C.set_vel(N, 0)
    S = C.locatenew("S", R * L.z)
    S.v2pt_theory(C, N, D)
    body = RigidBody("disc", S, D, M, (inertia(L, M * R**2 / 4, M * R**2 / 2, M * R**2 / 4), S))
    rates = [u1 - lean.diff(), u2 - (yaw.diff() * sin(lean) + roll.diff()), u3 - yaw.diff() * cos(lean)]
    kane = KanesMethod(N, q_ind=[yaw, lean, roll], u_ind=[u1, u2, u3], kd_eqs=rates)
    kane.kanes_equations([body], [(S, -M * G * N.z)])
    A, _, _ = kane.linearize(A_and_B=True, new_method=True, simplify=False)
    a, c = m * r * r / 4, m * r * r / 2
    spin = (a * Omega**2 * math.sin(beta) - m * g * r) * math.cos(beta) / ((c + m * r * r) * Omega * math.sin(beta))
    values = {M: m, R: r, G: g, yaw: 0, lean: beta - math.pi / 2, roll: 0, u1: 0, u2: -spin, u3: Omega * math.sin(beta)}
    return numbers(A.subs({s.diff(): 0 for s in (u1, u2, u3)}), values)


def pendulum():
    """Lagrange's method with multipliers, the hanging position given"""
    q = x, y, u, v = dynamicsymbols("x y u v")
    xd, yd, ud, vd = dynamicsymbols("x y u v", 1)
    m, g = symbols("m g")
    N = ReferenceFrame("N")
    O = Point("O")
    O.set_vel(N, 0)
    P, Q = O.locatenew("P", x * N.x + y * N.y), O.locatenew("Q", u * N.x + v * N.y)
    P.set_vel(N, xd * N.x + yd * N.y)
    Q.set_vel(N, ud * N.x + vd * N.y)
    first, second = Particle("first", P, m), Particle("second", Q, m)
    rows = Matrix([x**2 + y**2 - 1, (u - x)**2 + (v - y)**2 - 1])
    method = LagrangesMethod(Lagrangian(N, first, second), q, hol_coneqs=rows,
                             forcelist=[(P, -m * g * N.y), (Q, -m * g * N.y)], frame=N)
    method.form_lagranges_equations()
    place = {x: 0, y: -1, u: 0, v: -2, xd: 0, yd: 0, ud: 0, vd: 0}
    lam = method.solve_multipliers(op_point={**place, **{w.diff(): 0 for w in (xd, yd, ud, vd)}})
    place.update(lam)
    A, _, _ = method.linearize(q_ind=[x, u], qd_ind=[xd, ud], q_dep=[y, v], qd_dep=[yd, vd],
                               op_point=place, A_and_B=True, simplify=False)
    return numbers(A, {**place, m: 1, g: 9.81})


def frequencies(A):
    """the imaginary parts of what is not zero, ascending"""
    n = A.shape[0]
    matrix = mpmath.matrix(n, n)
    for i in range(n):
        for j in range(n):
            matrix[i, j] = complex(A[i, j])
    values = mpmath.eig(matrix, left=False, right=False)
    return sorted(float(v.imag) for v in values if v.imag > 1e-3)


def zwang(build, verb, arguments):
    """the least time of five processes, and their frequencies"""
    taken = []
    for _ in range(5):
        begin = time.perf_counter()
        out = subprocess.run([os.path.join(build, "zwang"), verb, *arguments, "--json", "--quiet"],
                             check=True, capture_output=True, text=True).stdout
        taken.append(time.perf_counter() - begin)
    found = json.loads(out)
    found = found["solutions"][0] if verb == "equilibria" else found
    return min(taken), sorted(v["value"][1] for v in found["eigenvalues"] if v["value"][1] > 1e-3)


def measure(name, derive, build, arguments):
    ours, expected = zwang(build, "equilibria", arguments)
    whole, _ = zwang(build, "linearise", arguments)
    theirs = []
    for _ in range(2):
        clear_cache()
        begin = time.perf_counter()
        A = derive()
        theirs.append(time.perf_counter() - begin)
    have = frequencies(A)
    error = max(abs(a - b) for a, b in zip(have, expected)) if len(have) == len(expected) else math.inf
    print(f"linearise,{name},process of equilibria (min),{1e3 * ours:.6g},ms,")
    print(f"linearise,{name},process of linearise (min),{1e3 * whole:.6g},ms,")
    print(f"linearise,{name} SymPy,time (min),{1e3 * min(theirs):.6g},ms,")
    print(f"linearise,{name},speed-up of equilibria over SymPy,{min(theirs) / ours:.4g},1,>= 10")
    print(f"linearise,{name},speed-up of linearise over SymPy,{min(theirs) / whole:.4g},1,>= 10")
    print(f"linearise,{name},difference of frequencies,{error:.6g},rad/s,<= 1e-9")
    return error <= 1e-9


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else "build"
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "pendulums.zw")
        with open(text, "w", encoding="utf-8") as file:
            file.write(PENDULUM)
        good = measure("rolling disc", disc, build, ["models/rolling_disc.zw"])
        good = measure("constrained double pendulum", pendulum, build, [text]) and good
    return 0 if good else 1


sys.exit(main())
