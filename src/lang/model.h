/* SPDX-License-Identifier: MIT */
/* Tree to system. A model is the table of the names of a text; a name is built when it is first
 * used, so that statements may be in any order and circular definitions are found.
 *
 * Order of building, which fixes the order of unknowns: parameters, coordinates and states,
 * quasi-velocities, delays, the rates of the states, then everything else in the order of the text,
 * events last. */
#ifndef ZW_LANG_MODEL_H
#define ZW_LANG_MODEL_H

#include "syntax.h"
#include "zwang/model.h"

/* A scalar (n = 1) or a tuple; each component has its own dimension. */
typedef struct zw_quantity {
    int n;
    zw_expr e[ZW_TUPLE_MAX];
    zw_dim d[ZW_TUPLE_MAX];
} zw_quantity;

/* The point where a rolling body touches, and the constraints NAME.suffix of the statement. */
enum { ZW_ROLLING_PARTS = 3 };
typedef struct zw_touch {
    zw_expr point[3], slip[3]; /* of the body relative to its support, inertial */
    const char *suffix[ZW_ROLLING_PARTS];
    zw_expr press; /* the pressing force, in multipliers; 0: there is none */
    zw_expr valid; /* positive where the statement is valid; 0: everywhere */
} zw_touch;

typedef enum zw_progress { ZW_UNBUILT, ZW_BUILDING, ZW_BUILT, ZW_FAILED } zw_progress;

/* A name of the model. */
typedef struct zw_entry {
    const char *name;
    zw_place place;
    zw_stmt_kind kind;
    zw_stmt *stmt; /* NULL: an Euler angle, or taken from a system that was not read from text */
    zw_progress progress;
    bool used; /* in an expression */
    /* PARAM, LET, INPUT, COORD, STATE, DELAY, QUASI, OBSERVE, POINT, PARTICLE (its position);
     * CONSTRAINT, ROLLING: its residuals */
    zw_quantity value;
    int npoint;            /* INPUT given by a table: points, */
    const double *x, *y;   /* npoint: times [s], values [SI] */
    int frame, body;       /* ROTATION, FRAME, BODY; -1 if none */
    zw_expr mass;          /* PARTICLE, BODY */
    const zw_touch *touch; /* ROLLING */
    int nkinematics;       /* CONTACT: number of contacts that it creates */
    struct zw_contact_kinematics *kinematics;
    unsigned empty; /* CONSTRAINT: bits of the rows of vector equations that are 0 = 0 */
} zw_entry;

/* Derivatives v', ..., v^(n) of a velocity that became states because of a constraint. */
typedef struct zw_lowered {
    int velocity, n;
    zw_expr *state; /* n */
    const char *constraint;
    struct zw_lowered *next;
} zw_lowered;

typedef struct zw_model {
    zw_system *sys;
    zw_context *ctx;
    zw_arena *arena;
    zw_intern names;
    zw_reader source;
    zw_reader *setting; /* one per --set */
    int nsetting;
    zw_tree tree;
    const zw_model_options *options;
    zw_entry *entry;
    int nentry, entry_capacity;
    const char **table; /* names of the files that were read for tables */
    int ntable, table_capacity;
    const char **note;
    int nnote, note_capacity;
    zw_expr *known; /* scratch of value.c */
    int known_capacity;
    bool moving;     /* coordinates exist: parameters are built before */
    bool check;      /* check dimensions */
    bool higher;     /* third and higher derivatives are allowed here */
    bool has_higher; /* there has been one: until then no symbols of them are created */
    zw_lowered *lowered;
    struct zw_claiming *claiming; /* while the sides of a claim are built: see build_claim.c */
    const zw_expr *space;         /* expressions for x, y, z while a surface is read; NULL: names */
    bool rates_only;              /* while quasi-velocities are defined: no frames, no bodies */
    int depth;                    /* of evaluation, through definitions */
    zw_error *err;                /* while a text is read: faults.now */
    zw_faults faults;
} zw_model;

static inline zw_status zw_model_memory(const zw_model *m) {
    return zw_fail(m->err, ZW_E_MEMORY, "out of memory while building the model");
}

enum { ZW_NAMES_MAX = 20000, ZW_DEPTH_MAX = 500, ZW_PRIMES_MAX = 10 };

/* names.c: the table of names */
/* Turns a value that contains only parameters into a parameter of this name, and *value into its
 * symbol. */
zw_status zw_model_keep_constant(zw_model *m, const char *name, const zw_dim *d, zw_place place,
                                 zw_expr *value);
zw_entry *zw_model_find(const zw_model *m, const char *name /* interned */);
zw_status zw_model_declare(zw_model *m, zw_stmt_kind kind, const char *name, zw_place place,
                           zw_stmt *stmt, zw_entry **out);
/* Handles the status of a step for this statement (NULL: for none). A fault is kept, the statement
 * and its name are excluded, and the building continues; ZW_OK unless it cannot. */
zw_status zw_model_handle(zw_model *m, zw_stmt *s, zw_status status);
/* The entry of a name, built; fails with the nearest known name, and without a message if the fault
 * of this name has been reported. */
zw_status zw_model_resolve(zw_model *m, const char *name, zw_place place, zw_entry **out);
zw_status zw_model_build_entry(zw_model *m, zw_entry *e);
zw_status zw_model_unknown(zw_model *m, const char *what, const char *name, zw_place place);
bool zw_stmt_constrains(zw_stmt_kind kind);     /* true if it creates constraints with its name */
const char *zw_stmt_word(zw_stmt_kind kind);    /* "parameter", "body", ... */
const char *zw_stmt_article(zw_stmt_kind kind); /* "a" or "an", before that word */
const char *zw_model_unit(zw_model *m, const zw_dim *d); /* interned text; NULL if out of memory */
/* Reports at this place that a constructor of expressions has failed (memory, 0/0). */
zw_status zw_model_check_expressions(zw_model *m, zw_place place);

/* value.c: expressions */
zw_status zw_model_eval(zw_model *m, const zw_syntax *node, zw_quantity *out);
/* A scalar of dimension *dim, named `what` in messages; dim NULL: any dimension. */
zw_status zw_model_scalar(zw_model *m, const zw_syntax *node, const char *what, const zw_dim *dim,
                          zw_expr *out);
/* Three components; a pair gets z = 0. dim as above; *found, if not NULL, the common dimension. */
zw_status zw_model_vector(zw_model *m, const zw_syntax *node, const char *what, const zw_dim *dim,
                          zw_expr out[3], zw_dim *found);
/* kg^kg m^metre s^second, or a plain number in a model without units */
zw_dim zw_model_dim(const zw_model *m, int kg, int metre, int second);
bool zw_model_fits(const zw_model *m, const zw_dim *a, const zw_dim *b);
/* Fails because of dimensions, naming both. fmt has two %s. */
zw_status zw_model_unit_mismatch(zw_model *m, zw_place place, const char *fmt, const zw_dim *a,
                                 const zw_dim *b);
zw_quantity zw_quantity_scalar(zw_expr e, zw_dim d);
/* out = a op b with op one of + - * / ., componentwise where one side is a tuple */
zw_status zw_quantity_combine(zw_model *m, zw_place place, char op, const zw_quantity *a,
                              const zw_quantity *b, zw_quantity *out);
/* A pair combined with a vector of n = 3 components is in the plane z = 0; others are unchanged. */
zw_quantity zw_quantity_in_space(const zw_quantity *v, int n);
/* Total time derivative, count times. */
zw_status zw_quantity_rate(zw_model *m, zw_place place, int count, zw_quantity *v);
zw_expr zw_number_expr(zw_context *ctx, const char *digits);
zw_expr zw_unit_expr(zw_context *ctx, const zw_unit *unit);
/* A symbol of e that is neither parameter nor number, or 0. */
zw_expr zw_model_variable(zw_model *m, zw_expr e);

/* function.c: calls and members */
zw_status zw_eval_call(zw_model *m, const zw_syntax *node, zw_quantity *out);
/* field.c: places, and integral, partial, value over them */
bool zw_is_field_function(const char *name);
zw_status zw_eval_field(zw_model *m, const zw_syntax *node, zw_quantity *out);
zw_status zw_build_space(zw_model *m, zw_entry *e);
/* Rejects places in expressions of the system. */
zw_status zw_reject_places(zw_model *m, int n, const zw_expr *e, const char *what, zw_place place);

zw_status zw_eval_member(zw_model *m, const zw_syntax *node, zw_quantity *out);
zw_status zw_eval_method(zw_model *m, const zw_syntax *node, zw_quantity *out);
zw_status zw_eval_lambda(zw_model *m, const zw_syntax *node, zw_quantity *out);
int zw_function_names(const char **names); /* up to 40 */
/* The spelling here of a function of other languages; NULL if there is none. */
const char *zw_function_elsewhere(const char *name);
/* The index of the frame of a frame, rotation or body. */
zw_status zw_model_frame(zw_model *m, const char *name, zw_place place, int *frame);
zw_quantity zw_vector_value(const zw_expr e[3], zw_dim d);

/* build_kinematics.c */
/* Allows parameters and numbers only; what: the subject of the message. */
zw_status zw_only_parameters(zw_model *m, const char *what, zw_expr e, zw_place place);
zw_status zw_build_param(zw_model *m, zw_entry *e);
zw_status zw_build_let(zw_model *m, zw_entry *e);
zw_status zw_build_input(zw_model *m, zw_entry *e);
/* build_delay.c: the delayed quantity; all delays, once coordinates and quasi-velocities exist */
zw_status zw_build_delay(zw_model *m, zw_entry *e);
zw_status zw_build_delays(zw_model *m);
/* A delay has no start and cannot be set. */
zw_status zw_reject_delayed(zw_model *m, zw_expr e, zw_place place);
/* build_noise.c: an input that is noise; only its unit, if a value replaces it */
zw_status zw_build_noise(zw_model *m, const zw_stmt *s);
zw_status zw_noise_unit(zw_model *m, const zw_stmt *s, zw_dim *d);
zw_status zw_build_coords(zw_model *m);
/* The equations of the states, once all coordinates and quasi-velocities exist. */
zw_status zw_build_state_rates(zw_model *m);
zw_status zw_build_quasi(zw_model *m);
zw_status zw_build_periodic(zw_model *m, zw_stmt *s);
zw_status zw_build_independent(zw_model *m, zw_stmt *s);
zw_status zw_build_rotation(zw_model *m, zw_entry *e);
zw_status zw_build_frame(zw_model *m, zw_entry *e);
zw_status zw_build_point(zw_model *m, zw_entry *e);
/* An axis as a unit vector that is fixed in its frame. */
zw_status zw_model_axis(zw_model *m, const zw_syntax *node, zw_expr axis[3]);

/* build_body.c */
zw_status zw_build_particle(zw_model *m, zw_entry *e);
zw_status zw_build_body(zw_model *m, zw_entry *e);
/* The data of one solid for a drawing: its shape (NULL if it has no extent), place, lengths. */
zw_status zw_body_solid(zw_model *m, const zw_solid *p, const char **shape, zw_expr offset[3],
                        int *n, zw_expr lengths[3]);

/* build_force.c */
zw_status zw_build_energy(zw_model *m, zw_stmt *s);
zw_status zw_build_gravity(zw_model *m, zw_stmt *s);
zw_status zw_build_force(zw_model *m, zw_stmt *s);
zw_status zw_build_torque(zw_model *m, zw_stmt *s);
/* For a force or torque: the velocities with which it works, and its components; up to
 * ZW_TUPLE_MAX. */
zw_status zw_force_work(zw_model *m, const zw_stmt *s, zw_expr *rate, zw_expr *value, int *n);
zw_status zw_build_spring(zw_model *m, zw_stmt *s);
zw_status zw_build_damper(zw_model *m, zw_stmt *s);

/* build_rolling.c */
zw_status zw_build_rolling_value(zw_model *m, zw_entry *e);
zw_status zw_build_rolling(zw_model *m, zw_stmt *s);

/* build_contact.c */
zw_status zw_build_contact_value(zw_model *m, zw_entry *e);
zw_status zw_build_contact(zw_model *m, zw_stmt *s);
/* Applies `settled` to the expressions of a contact, once the system is finished. */
void zw_contact_resolve(zw_model *m, zw_entry *e, zw_expr (*settled)(const zw_system *, zw_expr));
/* gap(NAME), slip(NAME), spin(NAME) */
zw_status zw_eval_contact(zw_model *m, const zw_syntax *node, zw_quantity *out);
/* lambda(NAME), lambda(NAME.1) of the contact e */
zw_status zw_contact_lambda(zw_model *m, const zw_syntax *node, const zw_entry *e,
                            zw_quantity *out);

/* build_constraints.c */
/* Dimension of a multiplier times its residual, by the level of the residual. */
zw_dim zw_constraint_work(const zw_model *m, zw_expr residual);
zw_status zw_build_constraint_value(zw_model *m, zw_entry *e);
zw_status zw_build_constraint(zw_model *m, zw_stmt *s);
/* One equation of a statement as constraint `name` of the system, with the unit of its
 * multiplier. */
zw_status zw_add_constraint(zw_model *m, const zw_stmt *s, const char *name, zw_expr residual,
                            const zw_dim *d, zw_place place);
/* Both sides of an equation, with equal lengths and dimensions. */
zw_status zw_model_sides(zw_model *m, const zw_syntax *left, const zw_syntax *right, zw_quantity *a,
                         zw_quantity *b);
/* NAME if the statement has one equation, else NAME.1, NAME.2, ...; NULL if out of memory */
const char *zw_equation_name(zw_model *m, const zw_stmt *s, bool several, int k);
zw_status zw_build_start(zw_model *m, zw_stmt *s);
zw_status zw_build_observe(zw_model *m, zw_stmt *s);
zw_status zw_model_note(zw_model *m, const char *sentence);

/* build_steady.c */
zw_status zw_build_steady(zw_model *m, zw_stmt *s);

/* build_slow_fast.c */
zw_status zw_build_slow_fast(zw_model *m, zw_stmt *s);

/* build_claim.c */
zw_status zw_build_claim(zw_model *m, zw_stmt *s);
/* A function that exists in claims only (mean, characteristic, eigenvalue): is this one; its
 * value. */
bool zw_is_claimed(const zw_model *m, const char *name);
zw_status zw_eval_claimed(zw_model *m, const zw_syntax *node, zw_quantity *out);
/* True if multipliers are impulses here, with rates. */
bool zw_has_impulses(const zw_model *m);
/* Records that the multiplier of this constraint occurs in the claim. */
zw_status zw_note_impulse(zw_model *m, const char *constraint, zw_expr symbol);
/* The contribution of the rates of the multipliers in e to the rate of e, if they are impulses. */
zw_expr zw_impulse_rate(zw_model *m, zw_expr e);
/* True if this symbol is a multiplier with a rate. */
bool zw_is_impulse(const zw_model *m, zw_expr symbol);

/* build_higher.c: constraints on third and higher derivatives */
/* The rate of an expression that may contain accelerations and higher derivatives. */
zw_expr zw_higher_rate(zw_model *m, zw_expr e);
/* True if this is the symbol of an acceleration or of a higher derivative. */
bool zw_is_higher(const zw_model *m, zw_expr symbol);
/* The state that represents a derivative; the symbol itself if there is none. */
zw_expr zw_model_lowered(const zw_model *m, zw_expr symbol);
/* Turns a residual with a third or higher derivative into one on accelerations, with states. */
zw_status zw_lower_constraint(zw_model *m, const zw_stmt *s, zw_place place, zw_expr *residual,
                              zw_dim *d);
zw_status zw_note_lowered(zw_model *m);

/* build_draw.c */
zw_status zw_build_draw(zw_model *m, zw_stmt *s);
zw_status zw_build_trace(zw_model *m, zw_stmt *s);
/* Sketches of statements for models without drawings: the solids of a body, an end point of a link,
 * a spring or damper, a shape on a frame (at NULL: its origin). */
bool zw_body_has_shape(const zw_entry *e); /* solids with an extent */
zw_status zw_sketch_body(zw_model *m, const zw_entry *e);
zw_status zw_sketch_node(zw_model *m, const zw_stmt *s, const char *name, const zw_expr at[3]);
zw_status zw_sketch_span(zw_model *m, const zw_stmt *s, const char *shape, const zw_expr from[3],
                         const zw_expr to[3]);
zw_status zw_sketch_shape(zw_model *m, const zw_stmt *s, const char *shape, const char *name,
                          int frame, const zw_expr at[3], int n, const zw_expr *numbers);

/* build_nonideal.c: once all constraints are built */
zw_status zw_build_nonideal(zw_model *m, const zw_stmt *s);

/* build_event.c: once all constraints are built */
zw_status zw_build_event(zw_model *m, zw_stmt *s);

/* variant.c: the chosen variant and the settings of the command line, applied to the tree */
zw_status zw_apply_variant(zw_model *m);
zw_status zw_apply_settings(zw_model *m);
zw_status zw_apply_laws(zw_model *m); /* after the settings */
zw_status zw_apply_steady(zw_model *m);
zw_status zw_check_switches(zw_model *m);
/* "33.3rpm", perhaps after "NAME=", as "33.3 [rpm]": a number and then a unit without its brackets.
 * NULL if out of memory. */
const char *zw_add_brackets(zw_context *ctx, const char *text);
bool zw_has_variant(const zw_model *m, const char *name);
/* Fails unless the text has this variant (place.file NULL: requested from outside). */
zw_status zw_check_variant(zw_model *m, const char *name, zw_place place);
/* Fails with the nearest existing constraint; use: "to switch". */
zw_status zw_unknown_constraint(zw_model *m, const char *name, const char *use, zw_place place);
/* True if this constraint (full name, and the statement's) is finally switched on. */
bool zw_constraint_on(const zw_model *m, const zw_stmt *s, const char *full);

/* model.c: the text as a tree to which the chosen variant has been applied, but not the settings.
 * `parsed` (may be NULL) sees the tree before. */
zw_status zw_model_outline(zw_model **out, zw_context *ctx, const zw_model_source *source,
                           void (*parsed)(void *user, const zw_model *m), void *user,
                           zw_error *err);

/* plausible.c: likely mistakes, added to the system as warnings */
zw_status zw_model_plausible(zw_model *m);

/* columns.c: two columns of numbers from a file */
zw_status zw_read_columns(zw_model *m, const zw_stmt *s, int *n, double **x, double **y);

#endif
