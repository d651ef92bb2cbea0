/* SPDX-License-Identifier: MIT */
/* Implemented in src/mech/system. */
/* A mechanical system: what the user said, before any principle has looked at it.
 *
 * Configuration q (nq coordinates) and velocity v (nv), tied by the kinematics
 *
 *   q' = F(q,t) v + f(q,t)                                                               (1)
 *
 * Some of q may be states: quantities with an equation of first order of their own, s' = g(t,q,v),
 * the current of a motor or the memory of a controller. A state has no velocity. Its row of F is 0
 * and its entry of f is g, which may hold velocities: virtual displacements do not move states, so
 * no force acts on them, and every principle carries their equations along unchanged.
 * For a plain coordinate v is its rate x'. A free rotation has four coordinates (a unit quaternion)
 * and three velocities (the angular velocity in body or in space components). Quasi-velocities
 * u = A(q,t) q' + a(q,t) replace the rates of the coordinates they are made of.
 * Virtual displacements are dq = F dpi, and the velocities vary as (Hamel's transposition relation)
 *
 *   du = d(dpi)/dt + Gamma(q,v,t) dpi                                                     (2)
 *
 * where Gamma, nv x nv, is zero for plain coordinates, the cross product with the angular velocity
 * for rotations (+ for body, - for space components), and derived from (1) for quasi-velocities.
 *
 * The builder functions are what the language calls; C programs call them too. Every name is unique
 * in a system. A place says where the statement stands (file NULL: none). Vectors are three
 * expressions in inertial components unless said otherwise. Each builder returns ZW_OK or a failure
 * with its text in err. The strings and the system live as long as the context.
 *
 * From zw_system_finish on a system is const, and nothing grows by asking it. Its expressions are
 * those of its context, so it is asked by one thread at a time (see zwang/expr.h); threads that
 * derive or simulate at the same time read the text into contexts of their own. */
#ifndef ZWANG_SYSTEM_H
#define ZWANG_SYSTEM_H

#include "doubt.h"
#include "expr.h"
#include "nonsmooth.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_param {
    const char *name;
    const char *unit; /* SI unit of the value, "" if none */
    zw_expr sym;
    zw_expr value; /* of other parameters and numbers, SI */
    zw_place place;
} zw_param;

typedef struct zw_coord {
    const char *name, *unit;
    zw_expr sym;
    zw_expr rate;   /* q' as expression of q, v, t: (1) */
    zw_expr accel;  /* q'' as expression of q, v, v', t */
    zw_expr period; /* 2 pi for an angle said to be periodic; 0 if not */
    bool state;     /* has an equation of first order and no velocity; before finish its rate and
                       accel are symbols that stand for what is known only then */
    zw_place place;
    /* of a state, of parameters and numbers: unless it is said, its start is drawn, normal about 0
     * with this standard deviation; 0: not drawn */
    zw_expr spread;
} zw_coord;

typedef struct zw_velocity {
    const char *name, *unit; /* "x'" for plain coordinates */
    zw_expr sym;             /* v */
    zw_expr accel;           /* the symbol of v' */
    int coord;               /* the coordinate whose rate it is, -1 for quasi-velocities */
    bool independent;        /* named by the user as one to keep when constraints are solved */
    zw_place place;
} zw_velocity;

/* An external input: a value from outside, of whose rate nothing is known. */
typedef struct zw_signal {
    const char *name, *unit;
    zw_expr sym;
    zw_expr rate;  /* a symbol for what is not known: no statement may keep it */
    zw_expr value; /* of parameters and numbers: what it is unless a table or a caller says more */
    int table;     /* private: its table over time, -1 if it has none */
    bool hold;     /* private: the table is constant between its points */
    zw_place place;
    zw_expr noise; /* of parameters and numbers: white noise of this intensity; 0: none */
} zw_signal;

/* A delayed quantity: `name` is the value of `of` at t - lag. Its past is the states coord[first],
 * ..., of which the last one has its name; see zw_system_delay. */
typedef struct zw_delay {
    const char *name;
    zw_expr of;  /* of t, q, v, signals, parameters */
    zw_expr lag; /* [s]; of parameters and numbers, positive */
    int first, nodes;
    zw_place place;
} zw_delay;
enum { ZW_DELAY_NODES = 16, ZW_DELAY_NODES_MIN = 2, ZW_DELAY_NODES_MAX = 60 };

/* A frame: rotation to inertial axes, angular velocity, origin. Frame 0 is the inertial one. */
typedef struct zw_frame {
    const char *name;
    zw_expr A[9];     /* inertial = A own, row-major */
    zw_expr w[3];     /* angular velocity, own components */
    zw_expr omega[3]; /* the same, inertial components */
    zw_expr o[3];     /* origin, inertial */
    zw_expr vo[3];    /* velocity of the origin, inertial */
    bool in_space;    /* turns freely, with space components as velocities */
    int quaternion;   /* first of its four coordinates in q if it turns freely, else -1 */
    zw_place place;
} zw_frame;

typedef struct zw_particle {
    const char *name;
    zw_expr mass, r[3], v[3];
    /* the model says with which velocity its mass changes: a force has the momentum of it */
    bool transfer;
    zw_place place;
} zw_particle;

typedef struct zw_body {
    const char *name;
    int frame;
    zw_expr mass;
    zw_expr cog[3]; /* from the frame's origin, in its components */
    zw_expr J[6];   /* about the centre of gravity, own axes: xx yy zz xy xz yz (matrix entries) */
    zw_expr r[3], v[3]; /* centre of gravity and its velocity, inertial */
    zw_place place;
} zw_body;

/* A named force: the generalised force it makes on the velocities, or the vector at a point. */
typedef enum zw_force_kind { ZW_FORCE_GENERAL, ZW_FORCE_POINT, ZW_FORCE_TORQUE } zw_force_kind;
typedef struct zw_force {
    const char *name; /* may be "" */
    zw_force_kind kind;
    zw_expr *Q;                /* nv generalised forces on v, filled by finish */
    int n;                     /* GENERAL: number of coordinates it acts on */
    const zw_expr *velocities; /* GENERAL: the n rates q' (or velocities) whose power counts */
    zw_expr *values;           /* GENERAL: n components; POINT, TORQUE: 3 */
    zw_expr target[3]; /* POINT: velocity of the point; TORQUE: angular velocity, inertial */
    zw_place place;
    /* friction of a contact: it acts where constraint closed - 1 (the gap) holds, and */
    int closed;
    int stuck; /* not where constraint stuck - 1 (the first of its slips) holds; 0: always */
    /* NULL: a given force. Else the part of the force of this constraint that is given beside W'
     * lambda, see zw_system_nonideal: it acts where all its rows hold */
    const char *constraint;
    int contact, block; /* friction of block `block` of contact contact - 1; 0: none */
    zw_expr *along,
        *Q_along; /* friction of one velocity: its value, and nv generalised forces, where that is
                                  positive; NULL: as above */
} zw_force;

typedef enum zw_level { ZW_POSITION, ZW_VELOCITY, ZW_ACCELERATION } zw_level;
typedef struct zw_constraint {
    const char *name;
    zw_expr residual;        /* = 0 */
    zw_level level;          /* from what it contains */
    bool linear;             /* at velocity level: affine in v */
    bool on;                 /* at the beginning, as the model says: what holds is in zw_active */
    int inequality;          /* 0: residual = 0; 1: >= 0; -1: <= 0 (acceleration level only) */
    zw_expr lambda;          /* symbol of its multiplier, "lambda(name)" */
    const char *unit;        /* SI unit of the residual */
    const char *lambda_unit; /* SI unit of the multiplier, "" if not said */
    zw_place place;
} zw_constraint;

/* A condition on positions, value(q, t) = 0, whose derivative is a combination of constraints on
 * velocities: their integral. It has no multiplier. It is satisfied while all of its constraints
 * are active. With of_start, a run keeps its value at the start of the run instead of 0. */
typedef struct zw_integral {
    const char *name; /* "roll.contact" */
    zw_expr value;    /* = 0, of q, t, parameters */
    const char *unit; /* SI unit of the value */
    int n;
    const int *of; /* n: its constraints, indices in the system */
    int follows;   /* one of them that follows from it and the others; -1: none does everywhere */
    bool of_start; /* constant, but not 0; these come last in a system */
    bool turns;    /* with of_start: an angle, which counts modulo 2 pi */
    zw_place place;
} zw_integral;

/* A start value, or a guess of one: expression (symbol or any expression of q, v) = value at t0. */
typedef struct zw_start {
    zw_expr what, value; /* value of parameters and numbers, SI */
    const char *text;    /* what, as written */
    zw_place place;
} zw_start;

typedef struct zw_observable {
    const char *name, *unit;
    zw_expr value; /* of t, q, v, v', lambda, parameters */
    zw_place place;
} zw_observable;

/* What an event does. The new values are those of the moment just before it: all actions of an
 * event happen together. */
typedef enum zw_action_kind {
    ZW_ACTION_SET,    /* what = value */
    ZW_ACTION_ON,     /* switch a constraint on */
    ZW_ACTION_OFF,    /* switch it off */
    ZW_ACTION_VARIANT /* go on with another variant of the model text */
} zw_action_kind;
typedef struct zw_action {
    zw_action_kind kind;
    zw_expr what;        /* SET: the symbol of a coordinate, a velocity or a parameter */
    zw_expr value;       /* SET: of t, q, v, v', lambda, parameters just before */
    int constraint;      /* ON, OFF: its index */
    const char *variant; /* VARIANT: its name, "" for the model without a variant */
    zw_place place;
} zw_action;

/* An event is a zero of `value`, or it comes by the clock at t = phase + k period, k = 0, 1, ... */
typedef struct zw_event {
    const char *name;
    zw_expr value; /* of t, q, v, v', lambda, parameters; ZW_ONE if it comes by the clock */
    int direction; /* -1 falling, 0 both, 1 rising */
    bool stop;     /* end the run there, after the actions; otherwise record it and go on */
    int naction;
    zw_action *action;
    zw_expr period, phase; /* of parameters and numbers; period 0: a zero of value */
    zw_place place;
    /* filled by finish, of parameters and numbers: by this `value` grows in a period of a periodic
     * coordinate, and all its multiples are zeros too; 0: it is one zero alone */
    zw_expr repeat;
} zw_event;

/* A quantity that a claim speaks of and that no expression of the state is: it has a symbol in the
 * claim. */
typedef enum zw_quality {
    ZW_MEAN, /* of arg[0] over the time arg[1], its period, all but time fixed */
    /* det(z - A), z = arg[0] + i arg[1], A the matrix of the linear equations in the */
    ZW_CHARACTERISTIC_RE,
    ZW_CHARACTERISTIC_IM, /* variables that the claim is about */
    ZW_EIGENVALUE_RE,     /* of A, the nearest to arg[0] + i arg[1] */
    ZW_EIGENVALUE_IM,
    ZW_EIGENVALUE_REAL /* the same, which has to be real */
} zw_quality;
typedef struct zw_claimed {
    zw_quality kind;
    zw_expr sym, arg[2];
    zw_place place;
} zw_claimed;

/* A variable that is near a value where a claim is tested: a parameter, t, a coordinate, a state or
 * a velocity. */
typedef struct zw_small {
    zw_expr sym, centre; /* centre: of parameters */
    zw_place place;
    /* filled: the symbol "(sym - centre)", in which the claim is rewritten; sym itself if the
     * centre is 0 */
    zw_expr distance;
} zw_small;

/* An equation somebody claims the motion to fulfil, lhs = rhs: tested by zwang/claims.h. */
typedef struct zw_claim {
    const char *name;
    zw_expr residual; /* lhs - rhs */
    zw_expr lhs, rhs; /* of t, q, v, v', lambda, parameters */
    zw_place place;
    /* whose motion it speaks of; NULL: Lagrange's. By the vakonomic one multipliers are impulses,
     * and their rates are the symbols lambda'(name) */
    const char *principle;
    int nsmall, order; /* with nsmall > 0: equal up to terms of this order in these variables */
    const zw_small *small;
    int nclaimed;
    const zw_claimed *claimed;
    bool exact; /* equal up to that order but not up to the next, as for a method of that order */
    /* why the units of a printed equation are inconsistent, which makes the claim fail; NULL: they
     * are consistent */
    const char *units;
} zw_claim;

/* A steady motion in closed form: entries of the state as expressions of parameters and of symbols
 * of its own, for zwang/symbolic.h, which checks that it is one. Entries that are not named follow
 * from the constraints, or are 0. */
typedef struct zw_motion {
    const char *name;
    int n;
    const zw_expr *what;   /* n: symbols of coordinates and velocities */
    const zw_expr *value;  /* n: of parameters, numbers and the free symbols */
    const zw_place *where; /* n */
    int nfree;
    const zw_expr *free;     /* nfree: symbols that may have any value, as a speed */
    const char *const *unit; /* nfree: their SI units */
    zw_place place;
} zw_motion;

/* Which entries of the state are fast, and the parameter that is small where they are: eps times
 * their rates is regular at eps = 0. For zwang/manifold.h, which checks that it is so. */
typedef struct zw_slow_fast {
    zw_expr small; /* the symbol of a parameter; 0: nothing is said */
    int n;
    const zw_expr *fast; /* n: symbols of coordinates, states and velocities */
    zw_place place;
} zw_slow_fast;

/* How to draw: a shape, where it is, its lengths. Shapes
 *   of one place, with the axes of a frame: sphere, shell, bowl (lower half of a shell), disk (r;
 *   optionally the
 *     radius of its rounded rim), ring (r), torus (radii of the centre line and of the wire),
 *     cylinder, cone (r, h; about z), rod (l; along x), box (a, b, c), ellipsoid (its half axes),
 *     plane (a, b),
 *     point (if said, this many times the usual size), axes
 *   between two points: line, link (a bar), spring, damper, arrow; numbers are the other end and,
 *   if said, the
 *     radius
 *   trace: the path of a point
 *   hole and a blank before a shape: taken out of the drawing before it */
typedef struct zw_drawing {
    const char *shape;
    const char *name;   /* of the body, particle or point that it shows; NULL or "" if none */
    const char *colour; /* red, blue, ...; NULL or "": the viewer chooses */
    bool clear;         /* lets through what is behind */
    int frame;          /* its axes and origin; -1: inertial ones */
    zw_expr at[3];      /* components and origin of the frame */
    int n;
    const zw_expr *numbers;
    zw_place place;
    const zw_expr *axes; /* 9, row-major: from its own axes to those of the frame; NULL: the same */
} zw_drawing;

/* A contact: what a body and its support need to touch as the constraints of a statement say. */
typedef struct zw_contact_validity {
    const char *name; /* of the statement, whose constraints are `name` and name.part */
    /* the force that presses them together, of multipliers; 0: it may pull, or is unknown */
    zw_expr press;
    /* positive where the statement has a meaning, of t, q and parameters; 0: everywhere */
    zw_expr valid;
    const char *beyond; /* what is the case where it has none: "the disc coin lies flat" */
    bool stop;          /* a run ends where it would pull or has no meaning, as by an event */
    zw_place place;
} zw_contact_validity;

/* How a contact resists sliding: a law of zwang/contact.h on 1 to 3 of its velocities, with
 * expressions of t, q and parameters where that has numbers. */
typedef struct zw_rubbing {
    zw_friction_kind kind;
    int nrow;
    zw_expr rate[ZW_FRICTION_ROWS_MAX]; /* m/s, affine in v: slip, spin times its radius, ... */
    const char
        *part[ZW_FRICTION_ROWS_MAX]; /* "1", "2", "spin", "roll": its slip is called NAME.part */
    /* the radius that the rate was multiplied by; ZW_ONE: it is a slip */
    zw_expr arm[ZW_FRICTION_ROWS_MAX];
    zw_expr mu, axis[ZW_FRICTION_ROWS_MAX]; /* as in zw_friction */
    zw_expr smooth;                         /* m/s; ZW_ZERO: set-valued */
    zw_expr damping;                        /* of the linear law, kg/s */
    zw_expr pull[ZW_FRICTION_ROWS_MAX];
    zw_expr restitution; /* e_T of its impacts */
    double nu;
} zw_rubbing;

/* A contact. Open where gap > 0; closed, a force N >= 0 acts along the gap and friction along the
 * rows of its blocks, with the same work as N gap' + sum of r rate. Its states of motion are sets
 * of constraints, all of them off at first unless it is bilateral:
 *     open      neither
 *     slipping  `name`, the gap, holds; friction is a force that depends on lambda(name)
 *     sticking  `name` and the slips name.part of a block hold */
typedef struct zw_contact {
    const char *name;
    zw_expr gap;         /* m, of t and q */
    zw_expr rate;        /* its rate, affine in v; ZW_NULL: the derivative of gap (filled) */
    zw_expr restitution; /* e_N, 0 to 1 */
    int nblock;
    zw_rubbing block[ZW_FRICTION_BLOCKS_MAX];
    bool bilateral; /* the gap stays closed, friction takes |N| */
    bool off;       /* it is not there at all */
    bool idle;      /* off at the start: an event switches it on */
    zw_expr valid; /* positive where the statement has a meaning, of t and q; ZW_NULL: everywhere */
    const char *beyond; /* what is the case where it has none: "the disc coin lies flat" */
    bool placed;        /* the following are known, inertial: */
    zw_expr point[3], normal[3],
        tangent[2][3]; /* where it touches; directions of N and of name.1, name.2 */
    zw_place place;
    int closed; /* filled: the constraint of the gap, */
    int stuck
        [ZW_FRICTION_BLOCKS_MAX]; /* and the first of the slips of a block; -1: it never sticks */
    bool angular;                 /* the gap is an angle, its force a moment; without friction */
} zw_contact;

/* One statement of an energy: the sums of them are kinetic, potential (with the weights) and
 * dissipation below. */
typedef enum zw_energy_kind {
    ZW_ENERGY_KINETIC,
    ZW_ENERGY_POTENTIAL,
    ZW_ENERGY_DISSIPATION
} zw_energy_kind;
typedef struct zw_energy {
    zw_energy_kind kind;
    zw_expr value;
    zw_place place;
} zw_energy;

typedef struct zw_system {
    zw_context *ctx;
    const char *name, *title;
    const char *variant; /* "" if none */
    bool no_units;       /* the model says 'units none' */
    zw_expr t;           /* the symbol of time */
    int np, nq, nv, nframe, nparticle, nbody, nforce, nconstraint, nstart, nobservable, nevent,
        ndrawing, nclaim, nsignal;
    zw_param *param;
    zw_coord *coord;
    zw_velocity *velocity;
    zw_frame *frame;
    zw_particle *particle;
    zw_body *body;
    zw_force *force;
    zw_constraint *constraint;
    zw_start *start;
    zw_observable *observable;
    zw_event *event;
    zw_drawing *drawing;
    zw_claim *claim;
    zw_signal *signal;
    zw_expr kinetic;     /* said as an expression, without particles and bodies */
    zw_expr potential;   /* all of it, gravity and springs included */
    zw_expr dissipation; /* Rayleigh's function of q, v */
    zw_expr gravity[3];  /* acceleration, inertial; 0 if none */
    /* filled by finish */
    zw_expr T;      /* whole kinetic energy in q, v, t */
    zw_expr *F;     /* nq x nv */
    zw_expr *f;     /* nq */
    zw_expr *Gamma; /* nv x nv */
    bool finished;
    struct zw_system_store *store; /* private: capacities, groups of quasi-velocities */
    struct zw_model *model;        /* private to the language: its names; NULL if built from C */
    int ndoubt;                    /* what its text says and likely does not mean */
    zw_warning *doubt;
    int nguess;
    zw_start *guess; /* where the completion of the start begins */
    int nfooting;
    zw_contact_validity *footing;
    int nsketch; /* what statements show by themselves, where the model draws nothing */
    zw_drawing *sketch;
    int nenergy;
    zw_energy *energy;
    int nmotion;
    zw_motion *motion;
    int ncontact;
    zw_contact *contact;
    zw_slow_fast slow_fast;
    int nintegral;
    zw_integral *integral; /* what constraints on velocities are known to integrate to */
    int ndelay;
    zw_delay *delay; /* each after those that its quantity is made of */
} zw_system;

/* Lifecycle: in the context; nothing to free but the context. */
ZW_API zw_status zw_system_create(zw_system **out, zw_context *ctx, const char *name,
                                  const char *title, zw_error *err);

/* Parameters. *sym receives the symbol. value must hold only parameters and numbers. */
ZW_API zw_status zw_system_param(zw_system *s, const char *name, const char *unit, zw_expr value,
                                 zw_place place, zw_expr *sym, zw_error *err);

/* A coordinate with its rate x' and acceleration x''. */
ZW_API zw_status zw_system_coord(zw_system *s, const char *name, const char *unit, zw_place place,
                                 zw_expr *sym, zw_error *err);
ZW_API zw_status zw_system_periodic(zw_system *s, zw_expr coord, zw_expr period, zw_place place,
                                    zw_error *err);
/* A state with its equation state' = rate, which may be given later, but before finish. The rate
 * holds t, coordinates, velocities, states, their rates (not in a circle) and parameters. */
ZW_API zw_status zw_system_state(zw_system *s, const char *name, const char *unit, zw_place place,
                                 zw_expr *sym, zw_error *err);
ZW_API zw_status zw_system_state_rate(zw_system *s, zw_expr state, zw_expr rate, zw_place place,
                                      zw_error *err);
/* A signal, 0 unless it is given a value (of parameters and numbers) or a table (n >= 2 ascending
 * times). Forces, dissipation, rates of states, observables, events and constraints on
 * accelerations may hold signals; what has to be differentiated may not. Signal i is entry i of the
 * inputs u of equations, kernel and flow. */
typedef enum zw_pieces { ZW_PIECES_HOLD, ZW_PIECES_LINEAR, ZW_PIECES_CUBIC } zw_pieces;
ZW_API zw_status zw_system_signal(zw_system *s, const char *name, const char *unit, zw_place place,
                                  zw_expr *sym, zw_error *err);
ZW_API zw_status zw_system_signal_value(zw_system *s, zw_expr signal, zw_expr value, zw_place place,
                                        zw_error *err);
ZW_API zw_status zw_system_signal_table(zw_system *s, zw_expr signal, int n, const double *t,
                                        const double *y, zw_pieces pieces, zw_place place,
                                        zw_error *err);
/* The value of a signal at time t and parameter values p, on the piece of its table that holds at
 * time `from`, continued if t is beyond it. */
ZW_API double zw_system_signal_at(const zw_system *s, int signal, const double *p, double from,
                                  double t);
/* A signal that is white noise u = s dW/dt in the sense of Stratonovich, of the intensity s (of
 * parameters and numbers): the integral of u over a time T is normal with the standard deviation s
 * sqrt(T). Its two-sided spectral density is s^2 per Hz, s^2/(2 pi) per rad/s. Rates may hold it
 * linearly, observables and events not at all. Only simulations draw it; all else takes its mean,
 * 0. */
ZW_API zw_status zw_system_signal_noise(zw_system *s, zw_expr signal, zw_expr intensity,
                                        zw_place place, zw_error *err);
/* Its intensity at parameter values p; 0 if the signal is no noise. And is there any in the
 * system? */
ZW_API double zw_system_noise_at(const zw_system *s, int signal, const double *p);
ZW_API bool zw_system_is_random(const zw_system *s);
/* The start of a state is drawn by simulations unless it is said: normal, about 0. */
ZW_API zw_status zw_system_state_spread(zw_system *s, zw_expr state, zw_expr spread, zw_place place,
                                        zw_error *err);
/* A delay y(t) = of(t - lag), by `nodes` states (default ZW_DELAY_NODES): y.1, ..., and y itself,
 * whose symbol is *sym. `of` holds t, q, v, rates of states, signals and parameters; lag parameters
 * and numbers. The delay is built when what it is made of is there. A motion starts with the
 * constant history of(start), or with `history`, of t and parameters, where t = 0 is the start. */
ZW_API zw_status zw_system_delay(zw_system *s, const char *name, const char *unit, zw_expr of,
                                 zw_expr lag, int nodes, zw_place place, zw_expr *sym,
                                 zw_error *err);
ZW_API zw_status zw_system_delay_history(zw_system *s, zw_expr sym, zw_expr history, zw_place place,
                                         zw_error *err);
/* How exact the delays are for exp(z t), z = re + i im, at parameter values p: the largest relative
 * error of the value at t - lag. *worst (may be NULL): the delay that has it; -1: there are
 * none. */
ZW_API double zw_system_delay_error(const zw_system *s, const double *p, double re, double im,
                                    int *worst);
/* The delay that this coordinate is a state of; NULL: none. */
ZW_API const zw_delay *zw_system_delay_of(const zw_system *s, int coord);
/* Is it such a state, but not the delayed quantity itself? Reports do not show these. */
ZW_API bool zw_system_is_past(const zw_system *s, int coord);
/* The lag at parameter values p; is this the symbol of a state of a delay? */
ZW_API double zw_system_delay_lag(const zw_system *s, int delay, const double *p);
ZW_API bool zw_system_is_delayed(const zw_system *s, zw_expr sym);
/* The next time after t at which the table of any signal goes on with another piece; infinite if
 * none. */
ZW_API double zw_system_signal_next(const zw_system *s, double t);
/* n quasi-velocities u_i = def_i, affine in the rates of n plain coordinates whose rates they
 * replace. Call before any rate of these coordinates has been used in anything but def. */
ZW_API zw_status zw_system_quasi(zw_system *s, int n, const char *const *names,
                                 const char *const *units, const zw_expr *def,
                                 const zw_place *places, zw_expr *syms, zw_error *err);
/* Prefer this velocity as an independent one (a kinematic parameter) where a principle solves the
 * constraints for dependent velocities. */
ZW_API zw_status zw_system_independent(zw_system *s, zw_expr velocity, zw_place place,
                                       zw_error *err);
/* q' and q'' of a coordinate (by symbol) in terms of the velocities; 0 if it is no coordinate. */
ZW_API zw_expr zw_system_rate(const zw_system *s, zw_expr coord);
ZW_API zw_expr zw_system_accel(const zw_system *s, zw_expr coord);
/* Total time derivative of e(t, q, v): v' appear in the result if e holds v. */
ZW_API zw_expr zw_system_dt(const zw_system *s, zw_expr e);
/* Does it hold time, a coordinate or a velocity? */
ZW_API bool zw_system_moves(const zw_system *s, zw_expr e);

/* Frames. parent 0 is inertial. All return the frame's number in *frame. */
ZW_API zw_status zw_system_frame_rotated(zw_system *s, const char *name, int parent,
                                         const zw_expr axis[3] /* unit, parent components */,
                                         zw_expr angle, zw_place place, int *frame, zw_error *err);
/* The parent's axes with another origin (inertial position). */
ZW_API zw_status zw_system_frame_moved(zw_system *s, const char *name, int parent,
                                       const zw_expr origin[3], zw_place place, int *frame,
                                       zw_error *err);
/* A freely turning frame: quaternion NAME.p0 .. NAME.p3 and angular velocity NAME.wx, .wy, .wz in
 * space components if in_space, else body components. */
ZW_API zw_status zw_system_frame_free(zw_system *s, const char *name, const zw_expr origin[3],
                                      bool in_space, zw_place place, int *frame, zw_error *err);
ZW_API int zw_system_find_frame(const zw_system *s, const char *name); /* -1 if none */
/* own components to inertial ones */
ZW_API void zw_frame_vector(const zw_system *s, int frame, const zw_expr own[3], zw_expr out[3]);
/* angular velocity in inertial components */
ZW_API void zw_frame_omega(const zw_system *s, int frame, zw_expr out[3]);
/* velocity of the point of the frame's body that is now at inertial position r */
ZW_API void zw_frame_velocity_at(const zw_system *s, int frame, const zw_expr r[3], zw_expr out[3]);

/* Masses. */
ZW_API zw_status zw_system_particle(zw_system *s, const char *name, zw_expr mass,
                                    const zw_expr r[3], zw_place place, zw_error *err);
ZW_API zw_status zw_system_body(zw_system *s, const char *name, int frame, zw_expr mass,
                                const zw_expr cog[3], const zw_expr J[6], zw_place place,
                                zw_error *err);
/* Energies: each call adds. */
ZW_API zw_status zw_system_kinetic(zw_system *s, zw_expr T, zw_place place, zw_error *err);
ZW_API zw_status zw_system_potential(zw_system *s, zw_expr V, zw_place place, zw_error *err);
ZW_API zw_status zw_system_dissipation(zw_system *s, zw_expr R, zw_place place, zw_error *err);
/* The weight of all particles and bodies, also those added later. */
ZW_API zw_status zw_system_gravity(zw_system *s, const zw_expr g[3], zw_place place, zw_error *err);

/* Forces. Values may hold lambda symbols (linearly). name may be NULL.
 * general: value_i has the power value_i * rate_i; rate_i is a rate or a velocity, affine in v. */
ZW_API zw_status zw_system_force(zw_system *s, const char *name, int n, const zw_expr *rates,
                                 const zw_expr *values, zw_place place, zw_error *err);
ZW_API zw_status zw_system_force_at(zw_system *s, const char *name, const zw_expr velocity[3],
                                    const zw_expr force[3], zw_place place, zw_error *err);
ZW_API zw_status zw_system_torque(zw_system *s, const char *name, int frame,
                                  const zw_expr torque[3], zw_place place, zw_error *err);

/* A constraint that is not ideal: on virtual displacements its force does the work sum of value_i
 * (drate_i/dv . dpi), which is given (Udwadia and Kalaba). The force of the constraint is then W'
 * lambda + sum of value_i drate_i/dv. It acts while all constraints hold that are `constraint` or
 * parts of it, and its power is that of the constraint. Values as of forces. Each call adds. The
 * constraint may come later; it must not be an inequality. */
ZW_API zw_status zw_system_nonideal(zw_system *s, const char *constraint, int n,
                                    const zw_expr *rates, const zw_expr *values, zw_place place,
                                    zw_error *err);

/* Constraints: residual = 0; its level and linearity are found from what it contains. An
 * identically true or false one is rejected. */
ZW_API zw_status zw_system_constraint(zw_system *s, const char *name, zw_expr residual,
                                      const char *unit, bool on, zw_place place, zw_error *err);
/* Make a constraint on accelerations an inequality: residual >= 0 (sign 1) or <= 0 (-1). */
ZW_API zw_status zw_system_inequality(zw_system *s, const char *constraint, int sign,
                                      zw_error *err);
/* What the model says of a constraint (and of its parts NAME.1, ...) at the beginning: before
 * zw_system_finish only. What holds later is an argument of the derivation, see zw_active. */
ZW_API zw_status zw_system_switch(zw_system *s, const char *constraint, bool on, zw_error *err);
/* Adds an integral of existing constraints; it is copied. */
ZW_API zw_status zw_system_integral(zw_system *s, const zw_integral *integral, zw_error *err);
/* The SI unit of a constraint's multiplier, for output: J / (s^level unit of the residual), level 0
 * for positions. */
ZW_API zw_status zw_system_lambda_unit(zw_system *s, const char *constraint, const char *unit,
                                       zw_error *err);
/* The multiplier's symbol of a constraint, known before or after the constraint is. */
ZW_API zw_expr zw_system_lambda(zw_system *s, const char *constraint);

ZW_API zw_status zw_system_start(zw_system *s, zw_expr what, zw_expr value, const char *text,
                                 zw_place place, zw_error *err);
/* Where the completion of the start begins to look: not fixed. A start of the same wins. */
ZW_API zw_status zw_system_guess(zw_system *s, zw_expr what, zw_expr value, const char *text,
                                 zw_place place, zw_error *err);
ZW_API zw_status zw_system_observe(zw_system *s, const char *name, const char *unit, zw_expr value,
                                   zw_place place, zw_error *err);
ZW_API zw_status zw_system_event(zw_system *s, const char *name, zw_expr value, int direction,
                                 bool stop, zw_place place, zw_error *err);
/* A contact of a statement whose constraints are there, or come later. A run tells where it pulls,
 * and ends with an error where it has no meaning any more, as long as one of the constraints
 * holds. */
ZW_API zw_status zw_system_footing(zw_system *s, const zw_contact_validity *footing, zw_error *err);
/* A contact, with its constraints and friction forces; it is copied. Every law must have its
 * numbers: parameters, or expressions of t and q. */
ZW_API zw_status zw_system_contact(zw_system *s, const zw_contact *contact, zw_error *err);
/* A block of friction with everything 0 or 1 that a law does not name. */
ZW_API zw_rubbing zw_rubbing_block(zw_friction_kind kind, int nrow);
/* Does its friction have values at rest that the velocity does not tell? */
ZW_API bool zw_rubbing_is_set_valued(const zw_rubbing *block);
/* An event by the clock, at t = phase + k period; both are made of parameters and numbers. */
ZW_API zw_status zw_system_event_every(zw_system *s, const char *name, zw_expr period,
                                       zw_expr phase, bool stop, zw_place place, zw_error *err);
/* Actions of an event that exists. what is the symbol of a coordinate, a velocity or a parameter. A
 * constraint must exist; its name without a part means all its parts. A contact is switched by its
 * name, as a whole. Whether there is such a variant is known to the reader of the text only; "" is
 * the model without one. Nothing may be set or switched twice in one event. */
ZW_API zw_status zw_system_event_set(zw_system *s, const char *event, zw_expr what, zw_expr value,
                                     zw_place place, zw_error *err);
ZW_API bool zw_system_is_settable(const zw_system *s, zw_expr what);
ZW_API zw_status zw_system_event_switch(zw_system *s, const char *event, const char *constraint,
                                        bool on, zw_place place, zw_error *err);
ZW_API zw_status zw_system_event_variant(zw_system *s, const char *event, const char *variant,
                                         zw_place place, zw_error *err);
ZW_API zw_status zw_system_claim(zw_system *s, const char *name, zw_expr lhs, zw_expr rhs,
                                 zw_place place, zw_error *err);
/* The same with all that a claim may say; what it points to is copied, `residual` and `distance`
 * are filled. */
ZW_API zw_status zw_system_claim_full(zw_system *s, const zw_claim *claim, zw_error *err);
/* The symbol of the rate of the multiplier of a constraint, for claims about a principle that has
 * it. */
ZW_API zw_expr zw_system_lambda_rate(zw_system *s, const char *constraint);
/* A steady motion in closed form; it is copied with its arrays. */
ZW_API zw_status zw_system_motion(zw_system *s, const zw_motion *motion, zw_error *err);
/* What is fast; it is copied. Once only. where (n, may be NULL): the places of its entries. */
ZW_API zw_status zw_system_slow_fast(zw_system *s, const zw_slow_fast *split, const zw_place *where,
                                     zw_error *err);
/* The drawing is copied. */
ZW_API zw_status zw_system_draw(zw_system *s, const zw_drawing *drawing, zw_error *err);
/* What a statement shows by itself; zw_scene_create takes it for a system without drawings other
 * than traces. Beside the shapes of drawings there are two that are only hints: node, a place where
 * a link may end, and support, the plane on which the body `name` rolls (numbers: its normal and
 * its height along it, in the frame). Copied. */
ZW_API zw_status zw_system_sketch(zw_system *s, const zw_drawing *drawing, zw_error *err);

/* Close the system: kinetic energy, kinematics, generalised forces, checks. From here on it is
 * const: no builder after it. */
ZW_API zw_status zw_system_finish(zw_system *s, zw_error *err);

/* The force of a row of a contact that is closed or sticks and depends on other such rows: it is no
 * constraint of the equations, which the others are enough for, but a share of their multipliers,
 * constant + factor . lambda. The motion is the same for all shares where nothing slides. */
typedef struct zw_share {
    int constraint;
    double constant; /* N */
    const double
        *factor; /* nconstraint: of the multipliers of constraints that hold, 0 of the others */
} zw_share;

/* What holds: an argument of every derivation. */
typedef struct zw_active {
    const bool *constraint; /* nconstraint of the system: which constraints hold; NULL: as the model
                               says */
    bool bare;              /* without starts, observables and events */
    const bool
        *dependent; /* nv: the velocities that are eliminated, for principles that do so; NULL: they
                               choose */
    /* ncontact: their friction goes by these, and the equations have event functions that tell
     * where they end (zw_equations.watch); NULL: by the velocities, without */
    const zw_contact_mode *stance;
    const bool
        *absent; /* ncontact: contacts that events have switched off; NULL: those that are idle */
    int nshare;  /* with stances: rows that are shares of others */
    const zw_share *share; /* nshare, the caller's as long as the equations are in use */
    double rest;           /* m/s: blocks of several velocities come to rest below this */
    double most; /* N: a normal force beyond this tells that sliding friction jams; 0: no limit */
} zw_active;

/* Values of the parameters (np doubles, SI), each from the ones before it; ZW_E_DOMAIN names the
 * parameter that has no finite value. */
ZW_API zw_status zw_system_param_values(const zw_system *s, double *p, zw_error *err);
/* The same where p[i] is given for each given[i] (np flags): these stay, what is made of them
 * follows. So an event that sets a parameter changes all parameters defined by it. */
ZW_API zw_status zw_system_param_follow(const zw_system *s, const bool *given, double *p,
                                        zw_error *err);
/* Period and phase (s) of an event by the clock at parameter values p; both are 0 for one that is a
 * zero. ZW_E_DOMAIN if the period is not positive and finite. */
ZW_API zw_status zw_system_event_clock(const zw_system *s, int event, const double *p,
                                       double *period, double *phase, zw_error *err);
/* The sizes of what zw_event.repeat tells, nevent of them, for parameter values p. */
ZW_API void zw_system_event_repeats(const zw_system *s, const double *p, double *repeat);
/* Is there an event that switches this constraint on or off? */
ZW_API bool zw_system_is_switched(const zw_system *s, int constraint);

/* The start as the model says it, at parameter values p: x = (q, v), nq + nv doubles, and fixed[i]
 * where the model fixes x[i]. What is left open is at its guess, or 0 (1 for the first entry of a
 * quaternion); making the whole consistent with the constraints and with starts of expressions
 * (start_phi, start_psi in zwang/equations.h) is the business of zw_run_complete. */
ZW_API zw_status zw_system_start_state(const zw_system *s, const double *p, double *x, bool *fixed,
                                       zw_error *err);
/* The same, and what is said of every entry; width (nq, may be NULL): the size of coordinates, by
 * which distances are measured: 1 for what has no unit, otherwise the sum of the parameters of its
 * unit. */
ZW_API zw_status zw_system_start_said(const zw_system *s, const double *p, double *x, zw_said *said,
                                      double *width, zw_error *err);

/* A warning, by whoever builds the system; the doubt is copied. */
ZW_API zw_status zw_system_warning(zw_system *s, const zw_warning *doubt, zw_error *err);
/* All that is likely meant otherwise, at parameter values p (np), into a list: the warnings above,
 * negative masses, impossible moments of inertia, numbers whose squares leave the range of
 * numbers. */
ZW_API zw_status zw_system_warnings(const zw_system *s, const double *p, zw_warnings *out,
                                    zw_error *err);

/* The constraints that hold (active NULL: as the model says), counted by their nature. */
typedef struct zw_census {
    int active;            /* constraints that hold */
    int position;          /* on position level: holonomic */
    int affine, nonlinear; /* on velocity level: affine in v, or not (Chetaev's rule) */
    int acceleration;      /* on acceleration level */
    int rheonomic;         /* contain time or a state explicitly */
    int rank;              /* of their rows W at random points */
    int redundant;         /* index of a constraint whose row depends on earlier ones, else -1 */
    int freedom;           /* nv - rank */
} zw_census;
ZW_API zw_status zw_system_census(const zw_system *s, const zw_active *active, zw_census *out,
                                  zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
