/* SPDX-License-Identifier: MIT */
/* The tippedisk of tippedisk_by_hand.c by the kernel of Siconos: its mass matrix and forces in C (tippedisk_disc.h), Moreau-Jean with
 * theta = 1/2, one evaluation in each step, contact with friction by NSGS.
 *
 *     tippedisk_siconos [STEP [UNTIL]]          1e-5 s, 5 s
 *
 * It prints the mean height of the centre of gravity from 1 s on, the energy at 0.5 s, and the CPU seconds of its loop. */
#include <SiconosKernel.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "tippedisk_disc.h"

static const disc the_disc = make_disc();

static void mass(unsigned, double *q, double *M, unsigned, double *) {
    static const double rest[6] = {0, 0, 0, 0, 0, 0};
    disc_terms t;
    disc_terms_at(&the_disc, q, rest, &t);
    for (int i = 0; i < 36; i++)
        M[i] = 0;
    for (int i = 0, at = 0; i < 3; i++) {
        M[7 * i] = the_disc.m;
        for (int j = 0; j < 3; j++)
            M[i + 6 * (3 + j)] = M[3 + j + 6 * i] = t.N[i][j];
        for (int j = 0; j <= i; j++, at++)
            M[3 + i + 6 * (3 + j)] = M[3 + j + 6 * (3 + i)] = t.J[at];
    }
}

/* on the side of the accelerations */
static void forces(unsigned, double *q, double *u, double *f, unsigned, double *) {
    disc_terms t;
    disc_terms_at(&the_disc, q, u, &t);
    for (int i = 0; i < 6; i++)
        f[i] = -t.f[i];
}

class Rim : public LagrangianScleronomousR {
  public:
    void computeh(const BlockVector &q, BlockVector &, SiconosVector &y) override {
        y.zero();
        y.setValue(0, q.getValue(2) - r * std::sin(q.getValue(4)));
    }
    void computeJachq(const BlockVector &q, BlockVector &) override {
        double sa = std::sin(q.getValue(3)), ca = std::cos(q.getValue(3)),
               sb = std::sin(q.getValue(4)), cb = std::cos(q.getValue(4));
        const double w[3][6] = {{0, 0, 1, 0, -r * cb, 0},
                                {1, 0, 0, r * ca * cb, -r * sa * sb, r * ca},
                                {0, 1, 0, r * sa * cb, r * ca * sb, r * sa}};
        double *H = _jachq->getArray();
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 6; j++)
                H[i + 3 * j] = w[i][j];
    }
};

static double energy(const SiconosVector &q, const SiconosVector &u) {
    double M[36], sum = 0, at[6];
    for (int i = 0; i < 6; i++)
        at[i] = q.getValue(i);
    mass(6, at, M, 0, nullptr);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            sum += u.getValue(i) * M[i + 6 * j] * u.getValue(j) / 2;
    return sum + the_disc.m * g * (at[2] + the_disc.e * std::sin(at[4]) * std::sin(at[5]));
}

int main(int argc, char **argv) {
    double h = argc > 1 ? std::atof(argv[1]) : 1e-5, until = argc > 2 ? std::atof(argv[2]) : 5;
    double pi = std::acos(-1), sum = 0, reached = 0;
    long steps = std::lround(until / h), first = std::lround(1 / h), half = std::lround(0.5 / h);
    long n = 0;
    SP::SiconosVector q(new SiconosVector(6)), u(new SiconosVector(6));
    q->zero();
    u->zero();
    q->setValue(2, r);
    q->setValue(4, pi / 2);
    q->setValue(5, -pi / 2 + 0.1);
    u->setValue(3, 40);
    SP::LagrangianDS body(new LagrangianDS(q, u));
    body->setComputeMassFunction(mass);
    body->setComputeFGyrFunction(forces);
    SP::NonSmoothDynamicalSystem system(new NonSmoothDynamicalSystem(0, until));
    system->insertDynamicalSystem(body);
    SP::NonSmoothLaw law(new NewtonImpactFrictionNSL(0, 0, mu, 3));
    SP::Interaction floor(new Interaction(law, SP::Relation(new Rim())));
    system->link(floor, body);
    SP::MoreauJeanOSI rule(new MoreauJeanOSI(0.5));
    SP::TimeDiscretisation times(new TimeDiscretisation(0, h));
    SP::FrictionContact friction(new FrictionContact(3));
    SP::TimeStepping stepping(new TimeStepping(system, times, rule, friction));
    stepping->setNewtonOptions(SICONOS_TS_LINEAR);
    std::clock_t begin = 0;
    for (long i = 1; i <= steps; i++) {
        stepping->computeOneStep();
        if (i == 1)
            begin = std::clock(); /* the first one makes everything */
        const SiconosVector &at = *body->q();
        if (i >= first) {
            sum +=
                at.getValue(2) + the_disc.e * std::sin(at.getValue(4)) * std::sin(at.getValue(5));
            n++;
        }
        if (i == half)
            reached = energy(at, *body->velocity());
        stepping->nextStep();
    }
    double seconds = (double)(std::clock() - begin) / CLOCKS_PER_SEC;
    std::printf("%.10g %.10g %.6g\n", n > 0 ? sum / (double)n : 0, reached, seconds);
    return 0;
}
