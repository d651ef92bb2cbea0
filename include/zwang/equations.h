/* SPDX-License-Identifier: MIT */
/* Implemented in src/mech. */
/* Equations of motion: what a principle makes of a system. All entries are expressions in
 * t, q, v, parameters; every principle fills the same struct.
 *
 *   q' = qdot(t,q,v)
 *   M(t,q) v' = h(t,q,v) + C(t,q,v) lambda       C = W' + what friction adds
 *   W(t,q,v) v' = b(t,q,v)                       the constraints on acceleration level
 *   phi(t,q) = 0                                 position level; Phi = dphi'/dv, npos x nv: the constraints
 *                                                on positions, then what those on velocities
 *                                                integrate to
 *   psi(t,q,v) = 0                               velocity level (holonomic ones differentiated);
 *                                                Psi = dpsi/dv, nvel x nv
 * start_phi(q) = 0, start_psi(q,v) = 0 what the start values say beyond single coordinates
 *                                                and velocities; they hold at the start only
 * A principle without multipliers has nc = 0 and its constraint equations among the rows of M v' =
 * h, which is then not symmetric. The velocities v of the equations are those of the system, unless
 * the principle has others (Hamilton: momenta; vakonomic: velocities and multipliers): from_system
 * gives them from the system's, and accel gives the system's accelerations back. Which constraints
 * hold is settled by the derivation, and `holds` is the equations' own copy of it: all that is made
 * of them later (code, text, powers, reactions) asks it and nothing else. lambda_k is the force of
 * constraint k: the generalised constraint force on v is W' lambda, so that lambda > 0 pushes
 * towards a growing residual.
 *
 * Equations are const once derived. Whatever is made of them or asked of them (a kernel, text,
 * powers, a state) works in the context of their system: one thread at a time, see zwang/expr.h. */
#ifndef ZWANG_EQUATIONS_H
#define ZWANG_EQUATIONS_H

#include <stdint.h>

#include "doubt.h"
#include "nonsmooth.h"
#include "report.h"
#include "system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One step of a derivation: a sentence, or an equation left = right (relation 1: >=, -1: <=). Words
 * hold formulas in two spellings, {text|LaTeX}. What stands on the left is a symbol, "dT/dx'" or
 * "d/dt dT/dx'" where it is no name of the model, or an expression. */
typedef struct zw_step_item {
    const char *heading; /* of the passage that begins here; NULL inside one */
    const char *words;   /* of a sentence; NULL: it is an equation */
    zw_expr left, right;
    int relation;
    const char *label; /* of an equation, the constraint it belongs to; NULL: none */
} zw_step_item;
typedef struct zw_steps {
    int n;
    zw_step_item *item;
    int capacity;        /* private */
    const char *pending; /* private */
} zw_steps;

/* Equations with the constraints put in: see zw_equations_eliminate. Numbers of velocities are
 * those of v. */
typedef enum zw_elimination_reason {
    ZW_EXPLICIT,
    ZW_IMPLICIT_COUPLED, /* more unknowns are coupled than a formula for them can be read */
    ZW_IMPLICIT_LONG,    /* the formula would be too long to be read */
    ZW_IMPLICIT_SINGULAR /* the equations do not determine it for itself */
} zw_elimination_reason;
typedef struct zw_elimination {
    int nindependent, ndependent;
    int *independent, *dependent; /* velocities; none for equations in momenta */
    zw_expr *velocity;     /* ndependent: in t, q and independent v; NULL: a constraint is not
                                     affine in the velocities, and they stay */
    zw_expr *acceleration; /* ndependent: in t, q, v and independent v' */
    int nunknown;          /* A unknown = r */
    zw_expr *unknown;      /* independent accelerations; multipliers too if forces depend on them;
                         multipliers alone for equations in momenta */
    zw_expr *A, *r;        /* nunknown x nunknown, nunknown */
    zw_expr *numerator, *denominator; /* nunknown: where reason is ZW_EXPLICIT, unknown = numerator/
                                         denominator */
    zw_elimination_reason *reason, *row_reason; /* of unknown j, of row i */
    int nmultiplier; /* those of ideal constraints, in t, q, v and independent v' */
    const zw_expr *lambda;
    zw_expr *multiplier;
} zw_elimination;

typedef struct zw_equations {
    const zw_system *sys;
    const char *principle;
    const bool *holds; /* nconstraint of the system: which of its constraints hold here */
    int nstart, nobservable, nevent,
        nfooting; /* of the system, that these equations carry: all, or 0 */
    int nq, nv, nc, npos, nvel, nunit;
    const zw_expr *q, *v, *a, *lambda; /* symbols: nq, nv, nv, nc */
    const int *constraint;             /* nc: index of row k in sys->constraint */
    zw_expr *qdot;                     /* nq */
    zw_expr *F;                        /* nq x nv: dqdot/dv; 0 for states, which follow no
                                                   displacement */
    zw_expr *M, *h, *C, *W, *b;        /* nv x nv, nv, nv x nc, nc x nv, nc */
    zw_expr *phi, *Phi;                /* npos, npos x nv */
    zw_expr *psi, *Psi;                /* nvel, nvel x nv */
    /* npos, nvel: index in sys->constraint; -1: none; -2 - i: sys->integral[i], which has no
     * multiplier */
    const int *pos_constraint, *vel_constraint;
    int nintegral; /* rows of phi that are integrals */
    int nleaf;     /* the last of these: a run keeps their values at its start */
    int nstart_pos, nstart_vel;
    zw_expr *start_phi, *start_Phi;   /* nstart_pos, nstart_pos x nv */
    zw_expr *start_psi, *start_Psi;   /* nstart_vel, nstart_vel x nv */
    const int *start_pos, *start_vel; /* index in sys->start */
    const int *unit;                  /* nunit: first index in q of each unit quaternion */
    const int *row_constraint; /* nv: index in sys->constraint where row k of M v' = h is one, -1
                                  where it is an equation of motion; NULL: all are */
    /* nc: W v' >= b (1), <= b (-1) or = b (0), with lambda of the same sign and zero where the
     * inequality is strict; NULL: all = */
    const signed char *inequality;
    bool symmetric;  /* C = W': no force depends on a multiplier */
    bool definite;   /* M is symmetric and positive definite */
    bool canonical;  /* v are the momenta of plain coordinates: q' = dH/dp, M = 1 */
    bool pseudo;     /* to be solved in the sense of least squares: rows of W may depend on each
                             other */
    zw_expr *metric; /* nv x nv, the mass matrix for projections; NULL: M */
    zw_expr *from_system; /* nv: v of the equations in t, q and velocities (and multipliers) of the
                             system; NULL: the same */
    zw_expr *system_v;    /* velocities of the system (sys->nv) in t, q, v; NULL: the first sys->nv
                             entries of v */
    zw_expr *accel;       /* accelerations of the system (sys->nv) in t, q, v, v'; NULL: the first
                             sys->nv entries of v' */
    int nu;               /* external inputs */
    const zw_expr *u;     /* nu: their symbols */
    zw_expr T, V;         /* energies in q, v, t */
    zw_expr function;     /* what the equations are derivatives of, for print: Hamilton's H, the
                             energy of acceleration S, the Zwang Z; 0 if the principle has none */
    const char *function_name;
    bool passing;                 /* private: a step on the way, its arrays are scratch memory */
    const struct zw_modes *modes; /* of zw_equations_lock, else NULL */
    const bool
        *dependent; /* nv: velocities that the principle has eliminated; NULL: it eliminates none */
    bool substituted; /* velocities have been replaced by what the constraints say: singular where
                         the constraints do not determine them */
    zw_steps *steps;  /* how they were derived, of zw_derive_steps; else NULL */
    const zw_elimination *elimination; /* of zw_equations_eliminate; else NULL */
    /* contacts of the system that these equations carry: all that are not off, or 0 */
    int ncontact;
    const bool *absent;            /* ncontact of the system: contacts that are switched off */
    const zw_contact_mode *stance; /* ncontact of the system, as of zw_active; else NULL */
    int nshare;
    const zw_share *share; /* nshare, as of zw_active */
    /* where the stances end: of every contact that is not off one function for its gap or its
     * normal force, one for each block and one for forces without limit, events by falling, after
     * those of the system. 1: cannot end */
    int nwatch;
    const zw_expr *watch; /* nwatch: of t, q, v, lambda of the system */
} zw_equations;

/* Is this row of a contact held by others, and its force a share of theirs (zw_share)? */
static inline bool zw_equations_is_share(const zw_equations *eq, int constraint) {
    for (int i = 0; i < eq->nshare; i++)
        if (eq->share[i].constraint == constraint)
            return true;
    return false;
}

typedef struct zw_principle {
    const char *name, *about;
    zw_status (*derive)(zw_equations *out, const zw_system *sys, const zw_active *active,
                        zw_error *err);
} zw_principle;

/* The table of principles, ended by a row with name NULL. */
ZW_API const zw_principle *zw_principles(void);
ZW_API const zw_principle *zw_principle_find(const char *name); /* NULL if unknown */
/* Derive by a principle of the table what holds (active NULL: as the model says, with everything).
 * The arrays live in the system's context; active is copied. */
ZW_API zw_status zw_derive(zw_equations *out, const zw_system *sys, const zw_active *active,
                           const char *principle, zw_error *err);

/* The same, and `steps` of out tells how: energies, partial derivatives, constraints, elimination,
 * in the expressions that the principle has computed with. */
ZW_API zw_status zw_derive_steps(zw_equations *out, const zw_system *sys, const zw_active *active,
                                 const char *principle, zw_error *err);

/* The state (q, v of the equations) that belongs to a state x = (q, v) of the system at parameter
 * values p. Multipliers among the velocities get the start values of the model, 0 where it has
 * none. */
ZW_API zw_status zw_equations_state(const zw_equations *eq, double t, const double *p,
                                    const double *x, double *out, zw_error *err);

/* The name of row k of phi, and its place in the text (may be NULL): that of a constraint or of an
 * integral. */
ZW_API const char *zw_equations_position_name(const zw_equations *eq, int k, zw_place *place);

/* The multipliers of a principle that has none among its unknowns, in t, q, v and v' of the system:
 * one expression for each constraint of the system (0 where it is off). */
ZW_API zw_status zw_equations_reactions(const zw_equations *eq, zw_expr *lambda, zw_error *err);

/* A copy of eq whose `elimination` has the dependent velocities put in and the accelerations as
 * formulas, as far as these can be read: small blocks are solved, for the others the reason is
 * told. zw_equations_write then writes that form. Rejects constraints that depend on each other,
 * and inequalities. */
ZW_API zw_status zw_equations_eliminate(zw_equations *out, const zw_equations *eq, zw_error *err);

/* The balance of energy, d(T + V)/dt = sum of powers along the motion. */
typedef enum zw_power_kind {
    ZW_POWER_FORCE,       /* of a force or torque: force times the velocity it acts on */
    ZW_POWER_DISSIPATION, /* -v . dR/dv */
    /* of a constraint that works: rheonomic, affine, on accelerations, not ideal; of a name with
     * several rows the given work is one power, under that name */
    ZW_POWER_CONSTRAINT,
    ZW_POWER_STATE, /* of what a state does to T + V by changing in them */
    ZW_POWER_DRIVE  /* of what is prescribed as a function of time or moved by states */
} zw_power_kind;
typedef struct zw_power {
    const char *name; /* of the force, constraint or state; "force(x)" where it has none;
                         "dissipation", "drive"; each once */
    zw_power_kind kind;
    int index;     /* of the force, constraint or state (in coord) in the system, else -1 */
    zw_expr value; /* W, in t, q, v, v', lambda of the equations */
    zw_place place;
} zw_power;
/* Those that are not seen to be identically 0, in an array of the context. */
ZW_API zw_status zw_equations_powers(const zw_equations *eq, zw_power **power, int *n,
                                     zw_error *err);

/* Displacements that may be symmetries: fields X(t, x) on the states x = (q, v) of the equations,
 * which by themselves or combined may commute with the motion (zwang/steady.h finds those). In an
 * array of the context. */
typedef enum zw_displacement_kind {
    ZW_DISPLACE_SHIFT,      /* of coordinate `index` */
    ZW_DISPLACE_TURN,       /* of the coordinates `index` and `axis` in their plane */
    ZW_DISPLACE_TURN_SPACE, /* of frame `index` about axis 0, 1, 2 of space */
    ZW_DISPLACE_TURN_OWN    /* of frame `index` about its own axis */
} zw_displacement_kind;
typedef struct zw_displacement {
    zw_displacement_kind kind;
    int index, axis;
    const zw_expr *x; /* nq + nv of the equations: in t, q, v, parameters */
    bool own;         /* it turns a frame about its own axis, also where it is a shift */
} zw_displacement;
ZW_API zw_status zw_equations_displacements(const zw_equations *eq, zw_displacement **field, int *n,
                                            zw_error *err);
/* "x", "turn(x, y)", "turn(ball, own z)" */
ZW_API void zw_displacement_name(const zw_system *s, const zw_displacement *field, char *out,
                                 size_t size);

/* Where the equations are not smooth: abs, sign, min, max, conditionals, roots, tables that depend
 * on time, state, inputs or multipliers, with the surfaces on which they switch, and the parts they
 * occur in (a set of ZW_KINKS_AT_...). In an array of the context. */
enum {
    ZW_KINKS_AT_RATES = 1,       /* qdot, M, h, C, W, b */
    ZW_KINKS_AT_CONSTRAINTS = 2, /* phi, psi */
    ZW_KINKS_AT_OBSERVABLES = 4,
    ZW_KINKS_AT_EVENTS = 8
};
typedef struct zw_smoothness {
    zw_kink kink; /* in t, q, v, v', lambda of the equations */
    unsigned in;
} zw_smoothness;
ZW_API zw_status zw_equations_smoothness(const zw_equations *eq, zw_smoothness **out, int *n,
                                         zw_error *err);

/* Equations whose kinks in rates and constraints (abs, sign, min, max, comparisons, atan2, tables)
 * take the piece that a mode says: symbols beside t, q, v, u, one for each surface, see
 * src/expr/calculus/fixed_pieces.h. Roots and tests that are no comparisons stay as they are. */
typedef struct zw_modes {
    int nmode, nswitch, nlock;
    const zw_expr *mode;           /* nmode: their symbols */
    const zw_expr *surface, *live; /* nswitch: zero where it switches; not 0 where that matters */
    const zw_switch *switches;     /* nswitch */
    const struct zw_lock *lock;    /* nlock: which kink has which mode */
    bool contacts;                 /* gaps and slips of contacts are among what is locked */
} zw_modes;

/* The equations as a person would write them: sizes, kinematics, equations of motion in the order
 * of the velocities, constraints. A new string from the context's allocator (free with
 * zw_string_free), NULL if out of memory. LaTeX is a complete document, FRAGMENT its body, for
 * \input into another one that has the package amsmath; PAGE is JSON with the headings and lines of
 * the LaTeX document, for those who set it themselves. The steps of the derivation, where there are
 * any, come first. */
typedef enum zw_equation_format {
    ZW_EQUATIONS_TEXT,
    ZW_EQUATIONS_LATEX,
    ZW_EQUATIONS_FRAGMENT,
    ZW_EQUATIONS_PAGE
} zw_equation_format;
typedef enum zw_simplification {
    ZW_AS_DERIVED,
    ZW_SHORTENED,    /* multiplied out where that is shorter, terms collected by velocities and
                        coordinates, common factors drawn out; what recurs is named where an
                        equation is long */
    ZW_TRIG_COMBINED /* and products of sines and cosines combined; where a constraint says that a
                        velocity or a coordinate is zero, that is put into the equations */
} zw_simplification;
ZW_API char *zw_equations_write(const zw_equations *eq, zw_equation_format format,
                                zw_simplification simplify);
/* The matrices, as expressions, into the open object of a report; with steps and elimination. */
ZW_API void zw_equations_report(const zw_equations *eq, zw_report *out);
/* Operations for one evaluation of M, h, C, W, b. */
ZW_API long zw_equations_count(const zw_equations *eq);

/* ------------------------------------------------------------------------------------------ */

/* How time enters the equations. Where t occurs in sin, cos and tan only, in arguments
 *
 *     w t + (what is free of t, or depends on it in the same way),     w of parameters alone,
 *
 * the equations are periodic in time if all these w are integer multiples of one angular frequency
 * w_0; then they have the period 2 pi/w_0. Any other occurrence of t, and an external input given
 * by a table, makes them aperiodic as far as is known from their form. */

/* Lives in the context of the equations. */
typedef struct zw_forcing {
    const zw_equations *eq;
    int n;
    const zw_expr
        *frequency; /* n: angular frequencies w of parameters, rad/s, each once up to its sign */
    const zw_expr *drive; /* n: a part of the equations that has it, cos(Omega*t) */
    int nother;
    const char *const *other; /* nother: parts in which t occurs otherwise, as text */
    bool autonomous;          /* there is neither */
    int npart;
    const zw_expr *part; /* npart: all sines, cosines and tangents of time, inner ones first */
    const zw_expr *rate; /* npart: the factor of t in their arguments */
    const int *of;       /* npart: index of this frequency, up to its sign */
} zw_forcing;

/* All of qdot, M, h, C, W, b, phi, psi, and where stances of contacts end. */
ZW_API zw_status zw_forcing_find(zw_forcing *out, const zw_equations *eq, zw_error *err);
/* Those of a contact: its gap, slips and law, from surfaces that move to laws that change with
 * time. Their number; e has room for ZW_FORCING_OF_CONTACT. */
enum { ZW_FORCING_OF_CONTACT = 2 + ZW_FRICTION_BLOCKS_MAX * (4 + 3 * ZW_FRICTION_ROWS_MAX) };

/* The base w_0 > 0 (rad/s) for parameter values p (np), and how many times it every frequency is
 * (n, 0 for one that vanishes at p; may be NULL). ZW_E_MODEL: nothing is driven, time occurs
 * otherwise, or there is no common period (ratios up to 24:24, to 1e-9); err names what. */
ZW_API zw_status zw_forcing_base(const zw_forcing *f, const double *p, double *base, int *multiple,
                                 zw_error *err);
/* d w_0/d p_i for parameter number i, through all parameters that are defined by it. ZW_E_MODEL
 * where the parameter moves the frequencies out of their ratios. */
ZW_API zw_status zw_forcing_slope(const zw_forcing *f, const double *p, int parameter,
                                  double *slope, zw_error *err);

/* Frequencies without a common period: every w_i is a sum of integer multiples of two or three base
 * frequencies W_j, the tones. A parameter may change one of them while the others are constant. The
 * motion is then a function of two or three phases, which grow by W_j per second (rad/s). */
enum { ZW_TONES_MAX = 3 };
typedef struct zw_tones {
    int n;                               /* 1: there is a common period */
    int drive[ZW_TONES_MAX];             /* W_j is the frequency with this index in zw_forcing, */
    int sign[ZW_TONES_MAX];              /* times 1 or -1, */
    int divisor[ZW_TONES_MAX];           /* divided by this */
    const int (*multiple)[ZW_TONES_MAX]; /* forcing.n: w_i by the tones */
} zw_tones;
/* At the values p. parameter: index of one that will change, so that frequency ratios which depend
 * on it do not count as common periods; -1: none. Lives in the context of the equations.
 * ZW_E_MODEL: time occurs in another way, the model is autonomous, or there are more than
 * ZW_TONES_MAX tones. */
ZW_API zw_status zw_forcing_tones(const zw_forcing *f, const double *p, int parameter,
                                  zw_tones *out, zw_error *err);
/* W_j and its derivative with respect to a parameter (-1, or slope NULL: none) at other values.
 * ZW_E_MODEL: one is not positive there. */
ZW_API zw_status zw_forcing_tone_values(const zw_forcing *f, const zw_tones *tones, const double *p,
                                        int parameter, double *W, double *slope, zw_error *err);
/* The equations and observables with the phases as additional last inputs. Time no longer occurs in
 * them. */
ZW_API zw_status zw_forcing_phases(const zw_forcing *f, const zw_tones *tones, zw_equations *out,
                                   zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* Which statement of the model is to blame for a value that is not finite, and which part of its
 * expression. For messages: it looks at everything and takes its time. */

typedef struct zw_blame {
    bool found;      /* false: all expressions are finite here; then the linear equations of the
                           accelerations have no (finite) solution */
    char where[160]; /* "force friction", "the potential", "constraint rod", "observable E",
                           "the state", ...; "the derivative of force friction by x'" if only a
                           Jacobian matrix is not finite */
    zw_place place;  /* of that statement; file NULL if it has none */
    zw_nonfinite_part culprit; /* what has no finite value there */
} zw_blame;

/* Look for it at time t, parameters p, state x of the equations (q, v), z = (v', lambda). z may be
 * NULL: then, and where z is not finite itself, expressions that need it are passed over. In the
 * order in which one thing follows from another: the state, masses and their places, forces,
 * energies, kinematics, constraints, equations of motion, observables, events, derivatives. */
ZW_API zw_status zw_equations_blame(const zw_equations *eq, double t, const double *p,
                                    const double *x, const double *z, zw_blame *out, zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* What constraints on velocities integrate to. x' = r th' keeps x - r th constant: a motion
 * stays on one leaf of the states, that of its start. Equilibria, orbits and their stability
 * are those on that leaf.
 *
 * A constraint, or a combination of several, is a differential form sum a_i(q,t) dq_i + a_0 dt. A
 * function I(q,t) is an integral if its differential is such a combination;
 * src/mech/equations/integrals.c describes the search, src/claims/structure/system_on_leaf.c the
 * leaf. */

/* Independent of each other and of all conditions on positions. The arrays live in the system's
 * context. */
typedef struct zw_integrals {
    int n;
    zw_integral *integral; /* n: its value is I(q,t), not yet a condition */
    double *at;            /* n: I at the state of the search */
} zw_integrals;

/* Those of the constraints that hold (active NULL: as the model says) at parameters p (np) and a
 * state x (nq + nv of the system) on the constraints at time t. A held quantity (nheld) chooses a
 * leaf: integrals that are functions of held quantities are omitted. */
ZW_API zw_status zw_integrals_find(zw_integrals *out, const zw_system *s, const zw_active *active,
                                   double t, const double *p, const double *x, int nheld,
                                   const zw_expr *held, zw_error *err);

/* A copy of s (of its struct; what it points to is shared) with the integrals of the active
 * constraints as conditions on positions (zw_integral, of_start): a run keeps their values at its
 * start. Included are integrals that exist for all values of the parameters, because events and
 * surveys change these, and whose formula is smooth or an angle (atan2). Those that grow with time
 * are omitted, as in zw_system_on_leaf. p (np): parameter values near which to search. *known (may
 * be NULL): their number, with those that grow with time. */
ZW_API zw_status zw_system_keep_integrals(zw_system *out, const zw_system *s,
                                          const zw_active *active, const double *p, int *known,
                                          zw_error *err);

/* A copy of s (of its struct; what it points to is shared) with the leaf of its start as conditions
 * on positions: I(q,t) = I at the start, completed at time t. Coordinates that the model gives a
 * start are those expressions of parameters, the others numbers. Integrals that grow with time
 * (alpha - Omega t) are omitted, as their value is a phase; only combinations stay in which time
 * cancels. *missing (may be NULL): how many conditions there are, as brackets show
 * (zwang/claims.h), for which there is no formula; at least, if quantities are held; -1 where the
 * constraints are too long to ask. */
ZW_API zw_status zw_system_on_leaf(zw_system *out, const zw_system *s, const zw_active *active,
                                   double t, const double *p, int nheld, const zw_expr *held,
                                   int *missing, zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* Random states that the constraints of a system admit. Values are scattered in a box about the
 * origin (every fourth time about the start of the model) and moved onto the constraints, one level
 * after the other:
 *
 *   positions      phi(q, t) = 0    q moves along F dv, quaternions keep the length one
 *   velocities     psi(q, v, t) = 0
 *   accelerations  W a = b          must have a solution
 *
 * The box is 1 wide to both sides in SI units, lengths as wide as the largest length that
 * parameters or start speak of, without a tenth of it around 0, where angles may be singular and
 * ranks special; it shrinks from attempt to attempt. State number k depends on the seed and k
 * alone: it is the same whichever states were asked for before, on every machine. The comparison of
 * principles, the classifier and the test of claims look at such states; so do searches from many
 * starts. */

typedef struct zw_sampler zw_sampler;

/* Begin with zw_sampler_options_default(). */
typedef struct zw_sampler_options {
    size_t size;         /* of this struct, for the library */
    uint64_t seed;       /* 1 */
    double t_min, t_max; /* s; times are between these: 0, 1 */
    /* Is this state welcome? It may be changed here (completed, moved). NULL: all are. */
    bool (*accept)(void *user, double t, double *x);
    void *user;
} zw_sampler_options;

ZW_API void zw_sampler_options_init(zw_sampler_options *options, size_t size);
static inline zw_sampler_options zw_sampler_options_default(void) {
    zw_sampler_options o;
    zw_sampler_options_init(&o, sizeof o);
    return o;
}

/* A sampler of a finished system where these constraints hold (active NULL: as the model says);
 * bounds on accelerations do not count. Parameters are those of the model. It lives in the system's
 * context; active and options (which may be NULL) are copied. One thread at a time uses a
 * context. */
ZW_API zw_status zw_sampler_create(zw_sampler **out, const zw_system *s, const zw_active *active,
                                   const zw_sampler_options *options, zw_error *err);
/* Other values of the parameters, np doubles. */
ZW_API zw_status zw_sampler_set_parameters(zw_sampler *g, const double *p, zw_error *err);

/* State number k = 0, 1, ...: x = (q, v), nq + nv doubles, and its time. ZW_E_MODEL names
 * constraints that contradict each other if no attempt comes onto them, ZW_E_DOMAIN that they have
 * no value where it looked, ZW_E_NUMERIC if states were found but none was accepted. */
ZW_API zw_status zw_sampler_state(zw_sampler *g, int k, double *t, double *x, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
