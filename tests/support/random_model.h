/* SPDX-License-Identifier: MIT */
/* Random models that are valid by construction, from a seed or from the bytes of a fuzzer:
 * coordinates that are lengths or angles, points on each other, particles, bodies, springs, forces,
 * constraints on positions and on velocities that may be non-ideal, events, inputs, observables,
 * contacts.
 *
 * What makes them valid: every coordinate has inertia of its own; a constraint on positions is f(q)
 * = f(s) with the parameters s that the coordinates start from; one on velocities is homogeneous or
 * affine in them, and velocities are only guessed. What makes them regular nearly everywhere: each
 * constraint leads with a coordinate of its own. A model knows whether its energy is constant. */
#ifndef ZW_TEST_RANDOM_MODEL_H
#define ZW_TEST_RANDOM_MODEL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { RANDOM_MODEL_TEXT = 16384, RANDOM_MODEL_COORDS = 5 };

typedef struct random_model {
    /* where choices come from: the bytes, then zeros; without bytes a generator */
    const uint8_t *bytes;
    size_t size, at;
    uint64_t state;
    int nq, nconstraint, npoint, nframe;
    bool angle[RANDOM_MODEL_COORDS];
    bool conservative, smooth, holonomic, contact;
    size_t n;
    char text[RANDOM_MODEL_TEXT];
} random_model;

static inline int random_model_choose(random_model *m, int n) {
    if (n < 1)
        return 0;
    if (m->bytes)
        return m->at < m->size ? m->bytes[m->at++] % n : 0;
    uint64_t z = (m->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (int)((z ^ (z >> 31)) % (uint64_t)n);
}

/* between 0.1 and 2.6 with one or two decimals */
static inline double random_model_number(random_model *m) {
    return (double)(10 + random_model_choose(m, 250)) / 100;
}

__attribute__((format(printf, 2, 3))) static inline void random_model_put(random_model *m,
                                                                          const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(m->text + m->n, sizeof m->text - m->n, format, args);
    va_end(args);
    if (n > 0 && m->n + (size_t)n < sizeof m->text)
        m->n += (size_t)n;
}

static inline int random_model_coord(random_model *m) {
    return random_model_choose(m, m->nq);
}

/* a function of the coordinates (letter x) or of their starts (letter s), the same for the same
 * choices */
static inline void random_model_function(random_model *m, char letter, int kind, int i, int j) {
    switch (kind) {
    case 0:
        random_model_put(m, "sin(%c%d)", letter, i);
        break;
    case 1:
        random_model_put(m, "%c%d^2/2", letter, i);
        break;
    case 2:
        random_model_put(m, "l*cos(%c%d - %c%d)", letter, i, letter, j);
        break;
    case 3:
        random_model_put(m, "sqrt(1 + %c%d^2 + %c%d^2)", letter, i, letter, j);
        break;
    case 4:
        random_model_put(m, "exp(-%c%d^2)*%c%d", letter, i, letter, j);
        break;
    default:
        random_model_put(m, "atan2(%c%d, 2 + cos(%c%d))", letter, i, letter, j);
        break;
    }
}

static inline void random_model_coords(random_model *m) {
    m->nq = 1 + random_model_choose(m, RANDOM_MODEL_COORDS);
    random_model_put(m, "param m = %g, l = %g, k = %g, c = %g, g = 9.81\n", random_model_number(m),
                     random_model_number(m), random_model_number(m), random_model_number(m));
    for (int i = 0; i < m->nq; i++) {
        m->angle[i] = random_model_choose(m, 2);
        random_model_put(m, "param s%d = %g\ncoord x%d\n", i, random_model_number(m) - 1.3, i);
        random_model_put(m, "kinetic (%g + m/%d)*x%d'^2/2\n", random_model_number(m), 1 + i, i);
    }
}

/* points, each on one before it or on the origin */
static inline void random_model_points(random_model *m) {
    int n = random_model_choose(m, 4);
    for (; m->npoint < n; m->npoint++) {
        int i = random_model_coord(m), on = random_model_choose(m, m->npoint + 1);
        char base[16] = "";
        if (on > 0)
            snprintf(base, sizeof base, "A%d + ", on - 1);
        random_model_put(m, "point A%d : %s", m->npoint, base);
        if (m->angle[i]) {
            random_model_put(m, "l*(sin(x%d), -cos(x%d), 0)\n", i, i);
        } else if (random_model_choose(m, 5) == 0) {
            m->conservative = false; /* moved by hand */
            random_model_put(m, "(x%d, %g*sin(2*t), 0)\n", i, random_model_number(m));
        } else {
            random_model_put(m, "(%s)\n",
                             random_model_choose(m, 2) ? "l, 0, 0" : "0, l/2, l"); /* fixed */
        }
        if (!m->angle[i] && random_model_choose(m, 2))
            random_model_put(m, "particle R%d : m/3 at A%d + (0, x%d, x%d^2/4)\n", m->npoint,
                             m->npoint, i, i);
        else
            random_model_put(m, "particle P%d : m at A%d\n", m->npoint, m->npoint);
    }
}

static inline void random_model_bodies(random_model *m) {
    static const char *const axis[] = {"x", "y", "z", "(1, 0, 1)"};
    static const char *const solid[] = {"box(m, l, l/2, l/3)", "disk(m, l)", "rod(m, l)",
                                        "sphere(m, l)", "cylinder(m, l, 2*l)"};
    int n = random_model_choose(m, 3);
    for (; m->nframe < n; m->nframe++) {
        int i = random_model_coord(m), j = random_model_coord(m);
        random_model_put(m, "frame K%d : rotate %s x%d rotate %s x%d", m->nframe,
                         axis[random_model_choose(m, 4)], i, axis[random_model_choose(m, 4)], j);
        if (m->npoint)
            random_model_put(m, " at A%d", random_model_choose(m, m->npoint));
        random_model_put(m, "\nbody B%d : K%d, %s at (l/4, 0, %g)\n", m->nframe, m->nframe,
                         solid[random_model_choose(m, 5)], random_model_number(m));
    }
}

/* forces that have a potential, and others */
static inline void random_model_forces(random_model *m) {
    if (random_model_choose(m, 2))
        random_model_put(m, "gravity g along -y\n");
    for (int n = random_model_choose(m, 3); n > 0; n--) {
        random_model_put(m, "potential k*");
        random_model_function(m, 'x', random_model_choose(m, 6), random_model_coord(m),
                              random_model_coord(m));
        random_model_put(m, "\n");
    }
    if (m->npoint && random_model_choose(m, 2))
        random_model_put(m, "spring f : k, (3*l, 2*l, l) to A%d%s\n",
                         random_model_choose(m, m->npoint),
                         random_model_choose(m, 2) ? ", length l" : "");
    int other = random_model_choose(m, 12), i = random_model_coord(m);
    if (other < 4)
        m->conservative = false;
    if (other == 0)
        random_model_put(m, "force push (x%d) = -c*x%d'\n", i, i);
    if (other == 1)
        random_model_put(m, "dissipation c*x%d'^2/2\n", i);
    if (other == 2)
        random_model_put(m, "input u = harmonic(%g, %g)\nforce push (x%d) = u\n",
                         random_model_number(m), random_model_number(m), i);
    if (other == 3)
        random_model_put(m, "input u = table (0, 0), (0.2, 1), (0.4, %g) cubic\nforce (x%d) = u\n",
                         random_model_number(m), i);
    if (other == 4 && m->npoint) { /* it does no work */
        random_model_put(m, "force turn (x%d) = 0\n", i);
    }
    if (other == 5) {
        m->smooth = false;
        random_model_put(m, "potential k*if(x%d > %g, (x%d - %g)^2, 0)\n", i, 0.25, i, 0.25);
    }
}

static inline void random_model_constraints(random_model *m) {
    int most = m->nq - 1 < 2 ? m->nq - 1 : 2, n = random_model_choose(m, most + 1);
    for (; m->nconstraint < n; m->nconstraint++) {
        int lead = m->nconstraint, i = lead + 1 + random_model_choose(m, m->nq - 1 - lead),
            j = random_model_coord(m), kind = random_model_choose(m, 6),
            how = random_model_choose(m, 5);
        random_model_put(m, "constraint h%d : ", m->nconstraint);
        if (how < 2) {
            random_model_put(m, "x%d + ", lead);
            random_model_function(m, 'x', kind, i, i);
            random_model_put(m, " = s%d + ", lead);
            random_model_function(m, 's', kind, i, i);
            random_model_put(m, "\n");
            continue;
        }
        m->holonomic = false;
        random_model_put(m, "x%d' = ", lead);
        random_model_function(m, 'x', kind, j, i);
        random_model_put(m, "*x%d'", i);
        if (how == 4) { /* affine: a drive that may work */
            m->conservative = false;
            random_model_put(m, " + %g", random_model_number(m));
        }
        random_model_put(m, "\n");
    }
}

/* the given work of some constraints: with the state, or with their multipliers */
static inline void random_model_nonideal(random_model *m) {
    for (int k = 0; k < m->nconstraint; k++) {
        int i = random_model_coord(m), j = random_model_coord(m), how = random_model_choose(m, 9);
        if (how > 2)
            continue;
        m->conservative = false;
        random_model_put(m, "nonideal h%d : work (x%d) = ", k, i);
        if (how == 0)
            random_model_put(m, "-c*x%d'*sqrt(1 + x%d'^2)\n", i, j);
        else if (how == 1)
            random_model_put(m, "-lambda(h%d)/5*x%d'/sqrt(1 + x%d'^2)\n", k, i, i);
        else
            random_model_put(m, "c*sin(x%d), work (x%d) = -lambda(h%d)/9*cos(t)\n", j, j,
                             random_model_choose(m, m->nconstraint));
    }
}

static inline void random_model_rest(random_model *m) {
    bool quasi = m->nq >= 3 && m->nconstraint == 0 && random_model_choose(m, 3) == 0;
    if (quasi)
        random_model_put(m,
                         "quasi v = cos(x2)*x0' + sin(x2)*x1', w = -sin(x2)*x0' + cos(x2)*x1'\n");
    for (int i = 0; i < m->nq; i++)
        random_model_put(m, "start x%d = s%d\nguess x%d' = %g\n", i, i, i,
                         random_model_number(m) - 1);
    random_model_put(m, "observe o = ");
    random_model_function(m, 'x', random_model_choose(m, 6), random_model_coord(m),
                          random_model_coord(m));
    random_model_put(m, "\nobserve r = (x%d^2 + 1)''\n", random_model_coord(m));
    switch (random_model_choose(m, 6)) {
    case 0:
        random_model_put(m, "event e : x%d - %g rising\n", random_model_coord(m),
                         random_model_number(m));
        break;
    case 1:
        random_model_put(m, "event e : every %g from 0.05\n", 0.1 + random_model_number(m) / 10);
        break;
    case 2:
        m->conservative = false;
        random_model_put(m, "event e : every 0.2 from 0.1, set k = k/2\n");
        break;
    default:
        break;
    }
    if (!quasi && random_model_choose(m, 4) == 0) /* with them x' is no velocity of the model */
        random_model_put(m, "steady still with om : x%d' = om*k\n", random_model_coord(m));
    if (!quasi && m->nq > 2) /* nothing is drawn for it: it changes no motion */
        random_model_put(m, "slow-fast k : fast x1', x0\n");
    if (random_model_choose(m, 3) == 0)
        random_model_put(m, "claim said : x%d'' = -k*x%d\n", random_model_coord(m),
                         random_model_coord(m));
}

/* a bound that may be met, with friction along another coordinate */
static inline void random_model_contacts(random_model *m) {
    static const char *const laws[] = {"signorini", "newton(0.5)", "newton(1, 1) + coulomb(0.3)",
                                       "smooth(0.3, 0.1)", "linear(c)"};
    if (random_model_choose(m, 6))
        return;
    int i = random_model_coord(m), law = random_model_choose(m, m->nq > 1 ? 5 : 2);
    m->contact = true;
    m->conservative = false;
    random_model_put(m, "contact stop : gap s%d + %g - x%d", i, random_model_number(m) / 10, i);
    if (law > 1)
        random_model_put(m, ", slip x%d'", (i + 1) % m->nq);
    random_model_put(m, ", law %s\n", laws[law]);
}

/* a feedback of what has been before */
static inline void random_model_delay(random_model *m) {
    if (random_model_choose(m, 8))
        return;
    int i = random_model_coord(m), how = random_model_choose(m, 2);
    m->conservative = false;
    random_model_put(m, "delay past = x%d%s by %g nodes %d\n", i, how ? "'" : "",
                     random_model_number(m), 2 + random_model_choose(m, 5));
    random_model_put(m, "force (x%d) = -c*past\n", random_model_coord(m));
}

static inline void random_model_make_(random_model *m) {
    m->conservative = m->smooth = m->holonomic = true;
    random_model_put(m, "model any \"Made by chance\"\nunits none\n");
    random_model_coords(m);
    random_model_points(m);
    random_model_bodies(m);
    random_model_forces(m);
    random_model_constraints(m);
    random_model_nonideal(m);
    random_model_rest(m);
    random_model_contacts(m);
    random_model_delay(m);
}

/* The model of a seed; of some bytes. */
static inline void random_model_of_seed(random_model *m, uint64_t seed) {
    *m = (random_model){.state = seed};
    random_model_make_(m);
}
static inline void random_model_of_bytes(random_model *m, const uint8_t *bytes, size_t size) {
    static const uint8_t none = 0;
    *m = (random_model){.bytes = bytes ? bytes : &none, .size = bytes ? size : 0};
    random_model_make_(m);
}

#endif
