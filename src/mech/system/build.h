/* SPDX-License-Identifier: MIT */
/* Shared by the files of src/mech: growing lists in the context, small vector algebra. */
#ifndef ZW_MECH_BUILD_H
#define ZW_MECH_BUILD_H

#include "base/contensou.h"
#include "expr/core/scratch.h"
#include "zwang/equations.h"

/* n quasi-velocities u = A q' + a of the coordinates coord[], velocities velocity[] */
typedef struct quasi_group {
    int n;
    const int *coord, *velocity;
    const zw_expr *A; /* n x n */
} quasi_group;

/* The equation of a state. Until finish the symbols name', name'' stand for its derivatives, so
 * that statements may come in any order and refer to the rate before it is given. */
typedef struct state_equation {
    int coord;
    zw_expr rate_symbol, accel_symbol;
    zw_expr given; /* written by the user; 0: not yet */
    zw_expr named; /* the state that has the name of the rate; 0: none */
    bool moves;    /* the rate contains velocities; known after finish */
    int progress;  /* of resolving: 0 not begun, 1 begun, 2 done */
    zw_place place;
} state_equation;

struct zw_system_store {
    int param_capacity, coord_capacity, velocity_capacity, frame_capacity, particle_capacity,
        body_capacity, force_capacity, constraint_capacity, start_capacity, guess_capacity,
        observable_capacity, event_capacity, drawing_capacity, claim_capacity, motion_capacity,
        group_capacity;
    int ngroup;
    quasi_group *group;
    int nstate, state_capacity, signal_capacity;
    state_equation *state;
    int doubt_capacity, footing_capacity, sketch_capacity, energy_capacity, contact_capacity,
        integral_capacity, delay_capacity;
};

/* Makes room for one more element of a list in the context. */
bool zw_mech_grow(zw_context *ctx, void **array, int n, int *capacity, size_t element);

/* A zeroed array in the context. */
#define ZW_CONTEXT_NEW(ctx, type, n)                                                               \
    ((type *)zw_context_alloc((ctx), sizeof(type) * (size_t)((n) > 0 ? (n) : 1)))

/* A zeroed array in the scratch memory of the context, until the release of its caller's mark. */
#define ZW_SCRATCH_NEW(ctx, type, n)                                                               \
    ((type *)zw_scratch_alloc((ctx), sizeof(type) * (size_t)((n) > 0 ? (n) : 1)))
/* A zeroed array for equations: it lives as long as the context, or is scratch if the equations are
 * only an intermediate step. */
#define ZW_EQUATIONS_NEW(eq, ctx, type, n)                                                         \
    ((eq)->passing ? ZW_SCRATCH_NEW(ctx, type, n) : ZW_CONTEXT_NEW(ctx, type, n))

/* Rejects builders after finish. */
zw_status zw_mech_open(const zw_system *s, zw_place place, zw_error *err);

/* True if the constraint is active: according to the caller of a derivation or (active NULL) to the
 * model. */
static inline bool zw_mech_holds(const zw_system *s, const zw_active *active, int constraint) {
    return active && active->constraint ? active->constraint[constraint]
                                        : s->constraint[constraint].on;
}

/* True if this constraint is `name` itself, or one of its parts name.1, name.2, ... */
bool zw_mech_is_part(const char *constraint, const char *name);

/* The failure of the context, reported at a place. */
zw_status zw_mech_status(const zw_system *s, zw_place place, zw_error *err);

void zw_cross(zw_context *ctx, const zw_expr a[3], const zw_expr b[3], zw_expr out[3]);
void zw_rotate(zw_context *ctx, const zw_expr A[9], const zw_expr v[3], zw_expr out[3]);
void zw_rotate_back(zw_context *ctx, const zw_expr A[9], const zw_expr v[3], zw_expr out[3]);

/* The symbols of the state in arrays of the caller: nq, nv (and nv accelerations). */
void zw_mech_symbols(const zw_system *s, zw_expr *q, zw_expr *v, zw_expr *a);

/* Rejects an expression that contains anything but parameters and, as `what` allows, t, q, v, v',
 * multipliers, or of q only the states. role names the statement in the message. */
enum {
    WITH_TIME = 1,
    WITH_Q = 2,
    WITH_V = 4,
    WITH_A = 8,
    WITH_LAMBDA = 16,
    WITH_STATE = 32,
    WITH_SIGNAL = 64
};
zw_status zw_mech_check_symbols(const zw_system *s, zw_expr e, unsigned what, const char *role,
                                zw_place place, zw_error *err);

/* The level of a residual, a zw_level; -1 if it contains neither q nor v nor v'. Rates of states
 * have the level of their expressions, or that of velocities while these are not given. */
int zw_mech_level(const zw_system *s, zw_expr residual);
/* True if it is zero for every state. */
bool zw_mech_is_zero(const zw_system *s, zw_expr residual);
/* Finds level and linearity of a constraint again; rejects it if it is identically true or never
 * satisfied. */
zw_status zw_mech_constraint_nature(const zw_system *s, zw_constraint *c, zw_error *err);
/* nonideal.c. Checks that a force given as part of a constraint force has a constraint and an
 * equation. */
zw_status zw_mech_check_nonideal(const zw_system *s, const zw_force *f, zw_error *err);
/* True if a force acts while these constraints are active: not that of a contact that is open or
 * sticks, nor that of a constraint that is off. */
bool zw_mech_force_acts(const zw_system *s, const bool *holds, const zw_force *f);
/* contact.c. The forces of a slipping block (not by the printed series) on its velocities, for the
 * normal force N. */
void zw_mech_friction(zw_context *ctx, const zw_rubbing *b, zw_expr N, zw_expr *out);
/* A function of the squares of slip and spin of a law of Contensou. */
zw_expr zw_mech_patch(zw_context *ctx, const zw_rubbing *b, zw_patch_function f, zw_expr slip,
                      zw_expr spin);
/* The contact that a constraint belongs to, as its gap or one of its slips; NULL if none. */
const zw_contact *zw_mech_contact_of(const zw_system *s, int constraint);
/* event.c. Finds the events that repeat with the periods of coordinates. */
zw_status zw_mech_finish_events(zw_system *s, zw_error *err);
/* Closes the equations of the states: their rates in t, q, v, substituted into everything that was
 * built with the symbols of these rates. */
zw_status zw_mech_finish_states(zw_system *s, zw_error *err);
/* An expression built before finish, without the symbols of the rates of states. */
zw_expr zw_mech_resolved(const zw_system *s, zw_expr e);
/* de/dt at v = 0: de/dt + sum over the states of (de/ds) s'. */
zw_expr zw_mech_drift(const zw_system *s, zw_expr e);
/* The first state in e, NULL if none. */
const zw_coord *zw_mech_state_in(const zw_system *s, zw_expr e);
/* The same for signals; the error of a statement that would need the rate of one; the check of all
 * such statements of a system whose energies exist. */
const zw_signal *zw_mech_signal_in(const zw_system *s, zw_expr e);
zw_status zw_mech_reject_signal(const char *role, const zw_signal *u, zw_place place,
                                zw_error *err);
zw_status zw_mech_check_signals(const zw_system *s, zw_error *err);
/* noise.c. Checks that white noise occurs only where it has a meaning. */
zw_status zw_mech_check_noise(const zw_system *s, zw_error *err);
zw_status zw_mech_check_delays(const zw_system *s, zw_error *err);
/* The signal with this symbol. */
zw_status zw_mech_find_signal(const zw_system *s, zw_expr sym, zw_place place, zw_signal **out,
                              zw_error *err);
/* The value of an expression of parameters. */
double zw_mech_of_parameters(const zw_system *s, zw_expr e, const double *p);
/* The interned name of a new scalar, rejected if a parameter, coordinate, velocity or signal has
 * it. */
zw_status zw_mech_scalar_name(zw_system *s, const char *name, zw_place place, const char **out,
                              zw_error *err);

/* The symbol "kind(name)". */
zw_expr zw_mech_named(zw_context *ctx, const char *kind, const char *name);
/* True if this is the symbol lambda(name) of a constraint, which may be declared later. */
bool zw_mech_is_multiplier(const zw_context *ctx, zw_expr e);

/* The inverse of a symbolic matrix, block by block if it falls into uncoupled blocks, by cofactors
 * (no spurious divisions by pivots); false if a determinant is identically zero or a block has more
 * than 6 rows. */
bool zw_mech_inverse(zw_context *ctx, int n, const zw_expr *A, zw_expr *out);

#endif
