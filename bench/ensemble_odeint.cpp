// SPDX-License-Identifier: MIT
// The motions of bench/ensemble.c by Boost.Odeint: dopri5 and rkf78 with its control of steps, states in arrays of fixed size.
#include <array>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <cstdio>
#include <ctime>

namespace ode = boost::numeric::odeint;

static double cpu() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

static double part(double k, double step) {
    double v = k * step;
    return v - std::floor(v);
}

struct disc {
    typedef std::array<double, 3> state;
    double r = 0.045, a = 0.015, b = 0.02, h = 0.01, rho = 7700, mu = 0.3, eps = 0.1, v0 = 1e-9,
           g = 9.81, w = 40;
    double e = b * a * a / (r * r - a * a), m = rho * M_PI * (r * r - a * a) * h;
    double J1 = rho * M_PI * h / 12 *
                (3 * std::pow(r, 4) + r * r * h * h - a * a * h * h - 3 * std::pow(a, 4));
    double J2 = J1 - rho * M_PI * h * a * a * b * b - m * e * e;
    void operator()(const state &y, state &f, double) const {
        double sb = std::sin(y[0]), cb = std::cos(y[0]), sg = std::sin(y[1]), cg = std::cos(y[1]),
               v = y[2], arm = r + e * sg, J = J1 * cg * cg + J2 * sg * sg,
               M = J + m * arm * arm * cb * cb;
        double inertia = J * w * w * sb * cb - 2 * (J1 - J2) * w * v * cb * sg * cg +
                         m * arm * arm * v * v * sb * cb + m * e * arm * w * w * sb * cb * cb * cb * sg -
                         m * e * arm * (3 * sb * sb - 2) * w * v * cb * cg;
        double slip = arm * sb * v - e * w * sb * sb * cg;
        double friction = -mu * m * g * slip / (std::sqrt(slip * slip + v0 * v0) + eps);
        f[0] = v;
        f[1] = -w * cb;
        f[2] = (inertia - m * g * arm * cb + arm * sb * friction) / M;
    }
    static state start(int k) {
        return {M_PI_2 + 0.1 * (part(k + 1, 0.7548776662466927) - 0.5),
                -M_PI_2 + 0.1 + 0.2 * part(k + 1, 0.5698402909980532), 0};
    }
};

struct duffing {
    typedef std::array<double, 2> state;
    void operator()(const state &y, state &f, double t) const {
        f[0] = y[1];
        f[1] = 2 * std::cos(1.4 * t) - 0.4 * y[1] - y[0] - y[0] * y[0] * y[0];
    }
    static state start(int k) {
        return {4 * part(k + 1, 0.7548776662466927) - 2, 4 * part(k + 1, 0.5698402909980532) - 2};
    }
};

struct pendulum {
    typedef std::array<double, 4> state;
    void operator()(const state &y, state &f, double) const {
        double d = y[0] - y[1], s = std::sin(d), c = std::cos(d), g = 9.81, D = 1 + s * s;
        double a = -s * y[3] * y[3] - 2 * g * std::sin(y[0]), b = s * y[2] * y[2] - g * std::sin(y[1]);
        f[0] = y[2];
        f[1] = y[3];
        f[2] = (a - c * b) / D;
        f[3] = (2 * b - c * a) / D;
    }
    static state start(int k) {
        return {0.5 + part(k + 1, 0.7548776662466927), 0.5 + part(k + 1, 0.5698402909980532), 0, 0};
    }
};

template <class Method, class System>
static void measure(const char *name, const char *method, const System &system, double until,
                    double rtol, int count) {
    double best = 0, sum = 0;
    for (int round = 0; round < 5; round++) {
        double t = cpu();
        for (int k = 0; k < count; k++) {
            typename System::state x = System::start(k);
            ode::integrate_adaptive(ode::make_controlled(1e-2 * rtol, rtol, Method()), system, x,
                                    0.0, until, 1e-3);
            sum += x[0];
        }
        best = std::fmax(best, count / (cpu() - t));
    }
    if (!std::isfinite(sum))
        std::fprintf(stderr, "%s: not finite\n", name);
    std::printf("ensemble,%s,Boost.Odeint %s,%.6g,1/s,\n", name, method, best);
}

template <class System> using five = ode::runge_kutta_dopri5<typename System::state>;
template <class System> using eight = ode::runge_kutta_fehlberg78<typename System::state>;

int main() {
    double period = 2 * M_PI / 1.4;
    measure<five<disc>>("tippedisk 5 s 1e-6", "dopri5", disc(), 5, 1e-6, 1000);
    measure<eight<disc>>("tippedisk 5 s 1e-9", "rkf78", disc(), 5, 1e-9, 500);
    measure<five<duffing>>("Duffing 1000 periods 1e-6", "dopri5", duffing(), 1000 * period, 1e-6, 16);
    measure<eight<duffing>>("Duffing 1000 periods 1e-9", "rkf78", duffing(), 1000 * period, 1e-9, 16);
    measure<eight<pendulum>>("double pendulum 10 s 1e-9", "rkf78", pendulum(), 10, 1e-9, 500);
    return 0;
}
