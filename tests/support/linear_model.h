/* SPDX-License-Identifier: MIT */
/* Random systems that have a steady motion, in two sets of coordinates and with or without
 * redundant constraints.
 *
 * All of a text but its coordinates is written in x0, x1, ...: these are the coordinates, or
 * functions of the coordinates y0, y1, ...,
 *
 *     x_i = b y_i + c y_i^3/6 + a sin(y_j) + e y_k^2/2,     j, k > i,
 *
 * which can be solved for y one after the other. At x = s, the values of y = t, all forces vanish
 * or are held by constraints:
 *   - potentials k (f(x) - f(s))^2/2 with random functions f, wells and saddles;
 *   - potentials linear in x, or in a constraint, that a constraint holds, so that its multiplier
 *     is not zero;
 *   - follower forces on points that vanish at s (circulatory), dampers, friction in proportion to
 *     a multiplier;
 *   - a state of first order, fed by and acting on the motion;
 *   - x0 may be cyclic: nothing but its rate enters, and the motion is a steady one at a rate w.
 * Constraints: holonomic, linear in the velocities, affine, not linear in them. */
#ifndef ZW_TEST_LINEAR_MODEL_H
#define ZW_TEST_LINEAR_MODEL_H

#include <math.h>

#include "support/random_model.h"

typedef struct linear_model {
    random_model m;
    int seed;
    bool changed;   /* coordinates y */
    bool redundant; /* every constraint is said twice, in other words */
    bool cyclic, nonlinear, friction, state;
    bool runs; /* a constraint says what the rate of x0 is */
    int nholonomic, nnonholonomic;
    struct {
        int j, k;
        double a, b, c, e;
    } map[RANDOM_MODEL_COORDS];
} linear_model;

static inline int linear_coord(linear_model *l) { /* one that may enter by its value */
    int first = l->cyclic ? 1 : 0;
    return first + random_model_choose(&l->m, l->m.nq - first);
}

static inline double linear_number(linear_model *l) {
    double x = random_model_number(&l->m);
    return random_model_choose(&l->m, 2) ? x : -x;
}

/* x_i as a function of what letter z says, y or t */
static inline void linear_put_map(linear_model *l, int i, char z) {
    random_model_put(&l->m, "%.17g*%c%d + %.17g*%c%d^3/6", l->map[i].b, z, i, l->map[i].c, z, i);
    if (i + 1 < l->m.nq)
        random_model_put(&l->m, " + %.17g*sin(%c%d) + %.17g*%c%d^2/2", l->map[i].a, z, l->map[i].j,
                         l->map[i].e, z, l->map[i].k);
    random_model_put(&l->m, "\n");
}

static inline double linear_map_value(const linear_model *l, int i, const double *y) {
    double x = l->map[i].b * y[i] + l->map[i].c * pow(y[i], 3) / 6;
    if (i + 1 < l->m.nq)
        x += l->map[i].a * sin(y[l->map[i].j]) + l->map[i].e * pow(y[l->map[i].k], 2) / 2;
    return x;
}

/* y of x: the last first, each by Newton's method on a function that grows */
static inline void linear_map_inverse(const linear_model *l, const double *x, double *y) {
    for (int i = l->m.nq - 1; i >= 0; i--) {
        y[i] = 0;
        for (int step = 0; step < 100; step++)
            y[i] -=
                (linear_map_value(l, i, y) - x[i]) / (l->map[i].b + l->map[i].c * y[i] * y[i] / 2);
    }
}

/* t, s, and the coordinates */
static inline void linear_coords(linear_model *l) {
    random_model *m = &l->m;
    random_model_put(m, "param m = %g, l = %g, mu = 0.2\n", random_model_number(m),
                     random_model_number(m));
    for (int i = 0; i < m->nq; i++)
        random_model_put(m, "param t%d = %g\n", i, random_model_number(m) - 1.3);
    for (int i = 0; i < m->nq; i++) {
        int behind = m->nq - 1 - i;
        l->map[i].b = 0.5 + random_model_number(m);
        l->map[i].c = random_model_number(m) / 3;
        l->map[i].a = linear_number(l) / 3;
        l->map[i].e = linear_number(l) / 3;
        l->map[i].j = i + 1 + (behind ? random_model_choose(m, behind) : 0);
        l->map[i].k = i + 1 + (behind ? random_model_choose(m, behind) : 0);
        if (i == 0 && l->cyclic) {
            l->map[i].b = 1;
            l->map[i].c = 0;
        }
        random_model_put(m, "param s%d = ", i);
        linear_put_map(l, i, 't');
        random_model_put(m, "coord %c%d\n", l->changed ? 'y' : 'x', i);
        if (l->changed) {
            random_model_put(m, "let x%d = ", i);
            linear_put_map(l, i, 'y');
        }
        random_model_put(m, "start %c%d = %c%d\n", l->changed ? 'y' : 'x', i,
                         l->changed ? 't' : 's', i);
    }
}

static inline void linear_masses(linear_model *l) {
    random_model *m = &l->m;
    for (int i = 0; i < m->nq; i++)
        random_model_put(m, "kinetic (%g + %g*sin(x%d)^2)*x%d'^2/2\n", random_model_number(m),
                         random_model_number(m), linear_coord(l), i);
    int i = linear_coord(l), j = linear_coord(l);
    random_model_put(m, "point P : (x0 + l*sin(x%d), x%d*cos(x%d), x%d^2/2)\nparticle Q : m at P\n",
                     i, j, i, j);
}

/* k (f(x) - f(s))^2/2 */
static inline void linear_well(linear_model *l, double k) {
    random_model *m = &l->m;
    int kind = random_model_choose(m, 6), i = linear_coord(l), j = linear_coord(l);
    random_model_put(m, "potential %g*(", k);
    random_model_function(m, 'x', kind, i, j);
    random_model_put(m, " - ");
    random_model_function(m, 's', kind, i, j);
    random_model_put(m, ")^2/2\n");
}

static inline void linear_forces(linear_model *l) {
    random_model *m = &l->m;
    for (int i = l->cyclic; i < m->nq; i++)
        random_model_put(m, "potential %g*(x%d - s%d)^2/2\n", 1 + random_model_number(m), i, i);
    linear_well(l, 4 * random_model_number(m));
    linear_well(l, linear_number(l));
    if (random_model_choose(m, 2)) { /* circulatory, follows P */
        int i = linear_coord(l), j = linear_coord(l);
        random_model_put(m, "force follower at P = %g*(0, x%d - s%d, sin(x%d - s%d))\n",
                         linear_number(l), i, i, j, j);
    }
    if (random_model_choose(m, 2)) {
        int i = linear_coord(l), j = linear_coord(l);
        random_model_put(m, "dissipation %g*(x%d' + sin(x%d)*x%d')^2/2\n", random_model_number(m),
                         i, j, j);
    }
    l->state = random_model_choose(m, 2);
    if (l->state) {
        int i = linear_coord(l), j = linear_coord(l);
        random_model_put(m, "state a : a' = %g*(x%d - s%d) - %g*a + x%d'\n", linear_number(l), i, i,
                         random_model_number(m), j);
        random_model_put(m, "force servo at P = (0, a, %g*a)\n", linear_number(l));
    }
}

static inline void linear_holonomic(linear_model *l, int lead) {
    random_model *m = &l->m;
    int kind = random_model_choose(m, 6), i = lead + 1 + random_model_choose(m, m->nq - 1 - lead);
    double pull = linear_number(l);
    for (int again = 0; again <= (l->redundant ? 1 : 0); again++) {
        random_model_put(m, again ? "constraint again%d : exp((" : "constraint h%d : (", lead);
        random_model_put(m, "x%d + ", lead);
        random_model_function(m, 'x', kind, i, i);
        random_model_put(m, " - s%d - ", lead);
        random_model_function(m, 's', kind, i, i);
        random_model_put(m, again ? ")/2) = 1\n" : ") = 0\n");
    }
    random_model_put(m, "potential %g*(x%d + ", pull, lead);
    random_model_function(m, 'x', kind, i, i);
    random_model_put(m, ")\n");
    l->nholonomic++;
}

/* x_lead' = f(x) x_i' + drive; or with a factor 1 + x_i'^2/4 on the left */
static inline void linear_nonholonomic(linear_model *l, int lead) {
    random_model *m = &l->m;
    int kind = random_model_choose(m, 6), i = lead + 1 + random_model_choose(m, m->nq - 1 - lead),
        j = linear_coord(l), k = linear_coord(l), drive = random_model_choose(m, 3);
    bool runs = l->cyclic && lead == 0, nonlinear = random_model_choose(m, 4) == 0;
    double pull = linear_number(l), rate = linear_number(l);
    for (int again = 0; again <= (l->redundant ? 1 : 0); again++) {
        random_model_put(m, again ? "constraint again%d : 3*" : "constraint h%d : ", lead);
        random_model_put(m, nonlinear ? "x%d'*(1 + x%d'^2/4)" : "x%d'", lead, i);
        random_model_put(m, again ? " = 3*(" : " = (");
        random_model_function(m, 'x', kind, j, i);
        random_model_put(m, "*x%d'", i);
        if (runs)
            random_model_put(m, " + 0.7");
        if (drive == 0)
            random_model_put(m, " + %g*sin(x%d - s%d)", rate, k, k);
        random_model_put(m, ")\n");
    }
    random_model_put(m, "potential %g*(x%d - ", pull, lead);
    random_model_function(m, 's', kind, j, i);
    random_model_put(m, "*x%d)\n", i);
    l->nonlinear |= nonlinear;
    l->runs |= runs;
    l->nnonholonomic++;
}

static inline void linear_constraints(linear_model *l) {
    random_model *m = &l->m;
    int n = random_model_choose(m, m->nq < 4 ? 2 : 3);
    for (int lead = 0; lead < n; lead++) {
        bool holonomic = random_model_choose(m, 2) && !(l->cyclic && lead == 0);
        if (holonomic)
            linear_holonomic(l, lead);
        else
            linear_nonholonomic(l, lead);
    }
    l->friction = n && random_model_choose(m, 3) == 0;
    if (l->friction)
        random_model_put(m, "force friction at P = -mu*lambda(h0)*P'/sqrt(1 + dot(P', P'))\n");
    l->m.nconstraint = n;
}

/* What is held, and what the motion is started with. */
static inline void linear_rest(linear_model *l) {
    random_model *m = &l->m;
    if (l->cyclic)
        random_model_put(m, "guess %c0' = 0.7\n", l->changed ? 'y' : 'x');
    random_model_put(m, "observe o0 = x0%s\n", l->cyclic ? "'" : "");
    for (int i = 1; i < m->nq; i++)
        random_model_put(m, "observe o%d = x%d\n", i, i);
}

static inline void linear_model_make(linear_model *l, int seed, bool changed, bool redundant) {
    *l = (linear_model){.seed = seed, .changed = changed, .redundant = redundant};
    l->m.state = (uint64_t)seed * 7919 + 17;
    random_model_put(&l->m, "model any \"Made by chance\"\nunits none\n");
    l->m.nq = 2 + random_model_choose(&l->m, RANDOM_MODEL_COORDS - 1);
    l->cyclic = random_model_choose(&l->m, 2);
    linear_coords(l);
    linear_masses(l);
    linear_forces(l);
    linear_constraints(l);
    linear_rest(l);
}

/* A rigid body at rest at the origin, or one with an axis that spins about z, in three ways to say
 * how it turns. Springs that are under load in pairs, joints that carry forces, a knife edge that
 * is pulled across, dampers. */
typedef struct linear_body {
    random_model m;
    bool spins;
    int joint; /* 0: none, 1: a point on a plane, 2: a point that rests, 3: a knife edge */
} linear_body;

static inline double linear_body_number(linear_body *l) {
    double x = random_model_number(&l->m);
    return random_model_choose(&l->m, 2) ? x : -x;
}

/* two springs on the point P_i that pull in opposite directions where the body rests, one that is
 * not under load there */
static inline void linear_body_springs(linear_body *l, int i) {
    random_model *m = &l->m;
    double b[3], a[3], k = random_model_number(m), q = random_model_number(m);
    for (int j = 0; j < 3; j++) {
        b[j] = linear_body_number(l) / 2;
        a[j] = b[j] + linear_body_number(l);
        if (l->spins && j < 2)
            a[j] = b[j] = 0;
    }
    if (i == 0) /* where P0 is at rest */
        random_model_put(m, "point E : (%.17g, %.17g, %.17g)\n", b[0], b[1], b[2]);
    random_model_put(m, "point P%d : K.origin + K(%.17g, %.17g, %.17g)\n", i, b[0], b[1], b[2]);
    random_model_put(
        m, "let u%d = P%d - (%.17g, %.17g, %.17g), v%d = P%d - (%.17g, %.17g, %.17g)\n", i, i, a[0],
        a[1], a[2], i, i, 2 * b[0] - a[0], 2 * b[1] - a[1], 2 * b[2] - a[2]);
    random_model_put(m, "potential %g*(dot(u%d, u%d) + dot(v%d, v%d))/2\n", k, i, i, i, i);
    random_model_put(m, "potential %g*(dot(u%d, u%d) - %.17g)^2/8\n", q, i, i,
                     pow(b[0] - a[0], 2) + pow(b[1] - a[1], 2) + pow(b[2] - a[2], 2));
}

static inline void linear_body_joint(linear_body *l, bool redundant) {
    random_model *m = &l->m;
    double pull = linear_body_number(l);
    const char *axis = redundant ? "constraint again : exp(" : "constraint joint : (";
    if (l->joint == 1) {
        random_model_put(m, "let gap = P0.z - E.z\nconstraint joint : gap = 0\n");
        if (redundant)
            random_model_put(m, "%sgap) = 1\n", axis);
        random_model_put(m, "potential %g*gap\n", pull);
    } else if (l->joint == 2) {
        random_model_put(m, "constraint joint : P0 = E\n");
        if (redundant)
            random_model_put(m, "%sP0.x - P0.y + 2*P0.z) = exp(E.x - E.y + 2*E.z)\n", axis);
        random_model_put(m, "potential %g*(P0.x + P0.z/3)\n", l->spins ? 0 : pull);
    } else if (l->joint == 3) {
        random_model_put(m, "constraint joint : K.velocity(P0) . K.x = 0\n");
        if (redundant)
            random_model_put(m, "constraint again : 2*(K.velocity(P0) . K.x) = 0\n");
        random_model_put(m, "force pull at P0 on K = %g*K.x\n", pull);
    }
}

static inline void linear_body_make(linear_body *l, int seed, const char *rotation,
                                    bool redundant) {
    *l = (linear_body){.m.state = (uint64_t)seed * 104729 + 5};
    random_model *m = &l->m;
    l->spins = random_model_choose(m, 2);
    l->joint = random_model_choose(m, l->spins ? 3 : 4);
    double J = 1 + random_model_number(m), K = 1 + random_model_number(m),
           L = fmax(J, K) + random_model_number(m) / 10;
    random_model_put(m, "model any \"Made by chance\"\nunits none\ncoord x, y, z\n%s\n", rotation);
    if (l->spins)
        random_model_put(m, "body K : B at (x, y, z), inertia(1, %g, %g, %g) at (0, 0, %g)\n", J, J,
                         K / 2, random_model_number(m) / 3);
    else
        random_model_put(m,
                         "body K : B at (x, y, z), inertia(1, %g, %g, %g, %g, %g, %g) at (%g, %g, "
                         "0.1)\n",
                         J, K, L, random_model_number(m) / 10, -random_model_number(m) / 10,
                         random_model_number(m) / 10, linear_body_number(l) / 3,
                         linear_body_number(l) / 3);
    for (int i = 0; i < 3; i++)
        linear_body_springs(l, i);
    linear_body_joint(l, redundant);
    double c = random_model_choose(m, 2) ? random_model_number(m) : 0;
    random_model_put(m, "force drag at P1 on K = -%g*%s\n", c, l->spins ? "P1'" : "K.velocity(P1)");
    if (!l->spins && random_model_choose(m, 2))
        random_model_put(m, "torque brake on K = -%g*K.w\n", random_model_number(m));
    random_model_put(m, "observe spin = K.w.z\n");
}

/* Particles in a plane with forces and constraints that turn at the rate W: in the coordinates u, v
 * of the plane that turns, where nothing depends on time, or in x, y of the plane at rest, where
 * everything does. */
static inline void linear_turning_make(random_model *m, int seed, bool at_rest) {
    *m = (random_model){.state = (uint64_t)seed * 15485863 + 3};
    int n = 1 + random_model_choose(m, 2);
    random_model_put(m, "model any \"Made by chance\"\nunits none\nparam W = %g\n",
                     random_model_number(m) / 3);
    for (int i = 0; i < n; i++) {
        double u = random_model_number(m), v = -random_model_number(m);
        random_model_put(m, "param a%d = %g, b%d = %g\n", i, u, i, v);
        if (at_rest)
            random_model_put(m,
                             "coord x%d, y%d\nlet u%d = x%d*cos(W*t) + y%d*sin(W*t), v%d = "
                             "y%d*cos(W*t) - x%d*sin(W*t)\nstart x%d = a%d, y%d = b%d\n"
                             "guess x%d' = -W*b%d, y%d' = W*a%d\n",
                             i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i);
        else
            random_model_put(m,
                             "coord u%d, v%d\nlet x%d = u%d*cos(W*t) - v%d*sin(W*t), y%d = "
                             "v%d*cos(W*t) + u%d*sin(W*t)\nstart u%d = a%d, v%d = b%d\n",
                             i, i, i, i, i, i, i, i, i, i, i, i);
        random_model_put(m, "particle P%d : %g at (x%d, y%d)\n", i, random_model_number(m), i, i);
        random_model_put(m, "potential %g*(u%d - a%d)^2/2 + %g*(v%d - b%d)^2/2 + sin(u%d*v%d)/5\n",
                         3 + random_model_number(m), i, i, 2 + random_model_number(m), i, i, i, i);
        random_model_put(m, "dissipation %g*(u%d' + v%d'/2)^2/2\n", random_model_number(m) / 2, i,
                         i);
    }
    if (n == 2)
        random_model_put(m, "potential %g*((u0 - u1)^2 + (v0 - v1)^2)/2\n", random_model_number(m));
    switch (random_model_choose(m, 3)) {
    case 0: /* a bead on a wire that turns */
        random_model_put(m, "constraint wire : v0 + sin(u0)/2 = b0 + sin(a0)/2\n");
        break;
    case 1: /* a blade that is fixed in the plane that turns */
        random_model_put(m, "constraint blade : v0' = u0*u0'\n");
        break;
    default:
        break;
    }
}

#endif
