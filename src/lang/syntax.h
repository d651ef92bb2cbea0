/* SPDX-License-Identifier: MIT */
/* Text to tree: tokens, expression nodes, statements. The tree keeps every place, knows no
 * mechanics and lives in the arena of the reader that created it. Names are interned: equal names
 * have equal addresses. */
#ifndef ZW_LANG_SYNTAX_H
#define ZW_LANG_SYNTAX_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/units.h"
#include "faults.h"
#include "zwang/system.h"

enum {
    ZW_TEXT_MAX = 1 << 20, /* bytes of one model text */
    ZW_NESTING_MAX = 200,  /* nesting of expressions */
    ZW_STATEMENTS_MAX = 20000,
    ZW_TUPLE_MAX = 12 /* components of a tuple, arguments of a call */
};

typedef enum zw_token_kind {
    ZW_TK_END,  /* of the text */
    ZW_TK_LINE, /* end of a statement */
    ZW_TK_NAME,
    ZW_TK_NUMBER,
    ZW_TK_STRING, /* text without its quotes */
    ZW_TK_UNIT,   /* text between [ and ] */
    ZW_TK_DOT,    /* member access: no blank on either side */
    ZW_TK_SCALAR, /* " . ", the scalar product */
    ZW_TK_LE,
    ZW_TK_GE,
    ZW_TK_PRIME,
    ZW_TK_BAD, /* not a token: its fault has been reported */
    ZW_TK_CHAR /* one of ( ) , : = + - * / ^ < > : see `symbol` */
} zw_token_kind;

typedef struct zw_token {
    zw_token_kind kind;
    char symbol; /* of ZW_TK_CHAR */
    const char *text;
    int length;
    int line, column;
} zw_token;

/* One text being read, with everything that its tree needs. */
typedef struct zw_reader {
    zw_arena *arena;
    zw_intern *names;
    const char *file, *text;
    size_t length;
    zw_token *token;
    int ntoken, token_capacity, at;
    int nesting;
    bool contact;  /* inside of gap(...), slip(...): a member may be a number, floor.1 */
    bool exponent; /* a number here is an exponent: a unit after it belongs to the whole */
    zw_error *err;
    zw_faults *faults; /* NULL: the first fault ends the reading; else err is its `now` */
} zw_reader;

static inline zw_status zw_no_memory(const zw_reader *r) {
    return zw_fail(r->err, ZW_E_MEMORY, "out of memory while reading %s", r->file);
}

/* Splits the text into tokens; the last one is ZW_TK_END. */
zw_status zw_lex(zw_reader *r);
/* Splits it again from a token on, where a statement begins even if brackets are open. */
zw_status zw_lex_again(zw_reader *r, int from);
/* Copies the line of a fault in this text into err->excerpt. */
void zw_lang_excerpt(const zw_reader *r, zw_error *err);

typedef enum zw_syntax_kind {
    ZW_ND_NUMBER, /* text, and unit if has_unit */
    ZW_ND_NAME,
    ZW_ND_MEMBER, /* arg[0].name */
    ZW_ND_CALL,   /* name(arg...) */
    ZW_ND_METHOD, /* arg[0].name(arg[1]) */
    ZW_ND_LAMBDA, /* lambda(name) */
    ZW_ND_TUPLE,
    ZW_ND_NEG,
    ZW_ND_NOT,
    ZW_ND_SUM,     /* op[i] is + or - before arg[i] */
    ZW_ND_PRODUCT, /* op[i] is *, / or . before arg[i]; op[0] is * */
    ZW_ND_POWER,   /* arg[0]^arg[1] */
    ZW_ND_COMPARE, /* arg[0] op arg[1], op[0] one of < > l g (l, g: <=, >=) */
    ZW_ND_AND,
    ZW_ND_OR,
    ZW_ND_PRIME /* count primes after arg[0] */
} zw_syntax_kind;

typedef struct zw_syntax zw_syntax;
struct zw_syntax {
    zw_syntax_kind kind;
    zw_place place;      /* where the expression begins */
    zw_place name_place; /* MEMBER, METHOD: of the name after the dot */
    const char *name;    /* NAME, MEMBER, CALL, METHOD, LAMBDA; the digits of NUMBER */
    int n, count;
    zw_syntax **arg;
    char *op;
    zw_unit unit;
    bool has_unit;
    const char *unit_text; /* as written, if has_unit */
};

/* The statements. One that declares several names becomes several of these. */
typedef enum zw_stmt_kind {
    ZW_ST_PARAM,
    ZW_ST_LET,
    ZW_ST_INPUT,
    ZW_ST_COORD,
    ZW_ST_STATE,
    ZW_ST_DELAY,
    ZW_ST_PERIODIC,
    ZW_ST_QUASI,
    ZW_ST_SPACE,
    ZW_ST_ROTATION,
    ZW_ST_FRAME,
    ZW_ST_POINT,
    ZW_ST_PARTICLE,
    ZW_ST_BODY,
    ZW_ST_KINETIC,
    ZW_ST_POTENTIAL,
    ZW_ST_DISSIPATION,
    ZW_ST_GRAVITY,
    ZW_ST_FORCE,
    ZW_ST_TORQUE,
    ZW_ST_SPRING,
    ZW_ST_DAMPER,
    ZW_ST_CONSTRAINT,
    ZW_ST_CLAIM,
    ZW_ST_STEADY,
    ZW_ST_SLOW_FAST,
    ZW_ST_ROLLING,
    ZW_ST_NONIDEAL,
    ZW_ST_CONTACT,
    ZW_ST_INDEPENDENT,
    ZW_ST_START,
    ZW_ST_GUESS,
    ZW_ST_OBSERVE,
    ZW_ST_EVENT,
    ZW_ST_DRAW,
    ZW_ST_TRACE,
    ZW_ST_REMOVE,
    ZW_ST_COUNT
} zw_stmt_kind;

/* One step of a frame statement: a rotation about an axis, or a new origin. */
typedef struct zw_move {
    zw_syntax *axis;  /* NULL: the step sets the origin */
    zw_syntax *value; /* angle or origin */
    struct zw_move *next;
} zw_move;

/* One solid of a body, with its sign and its place in the body's frame. */
typedef struct zw_solid {
    int sign;
    zw_syntax *shape; /* a ZW_ND_CALL */
    zw_syntax *at;    /* NULL: at the origin */
    struct zw_solid *next;
} zw_solid;

/* The support of a rolling or touching body: a plane or a sphere. */
typedef struct zw_support {
    bool sphere, inside;
    zw_syntax *normal, *height; /* of a plane; NULL: z, 0 */
    zw_syntax *centre, *radius; /* of a sphere; centre NULL: the origin of `frame` */
    const char *frame;          /* the frame in which it is fixed; "": at rest */
    zw_place frame_place;
} zw_support;

/* The rim of a disc, after its radius. */
typedef struct zw_rim {
    bool torus; /* a ring of round wire: the radius is that of its centre line */
    /* radius of the wire; for a disc of the fillet, within the radius; NULL: it is thin */
    zw_syntax *round;
} zw_rim;

/* A rolling body and its support. */
typedef struct zw_rolling {
    bool disk;        /* a disc or a ring about the body's z axis, else a sphere */
    const char *body; /* centred at its origin */
    zw_place body_place;
    zw_syntax *radius;
    zw_rim rim;
    zw_support on;
    bool slips, sideways; /* may slip: in every direction, or (a disc) only sideways */
    bool may_pull;        /* the support can pull */
    bool stop;            /* the run ends where it lifts off or is no longer valid */
} zw_rolling;

/* The shapes of touching bodies. */
typedef enum zw_shape {
    ZW_SHAPE_SPHERE,
    ZW_SHAPE_DISK,
    ZW_SHAPE_ELLIPSOID,
    ZW_SHAPE_BOX,
    ZW_SHAPE_ROD,
    ZW_SHAPE_POINT
} zw_shape;
typedef struct zw_geometry {
    zw_shape shape;
    const char *body; /* centred at its origin; POINT: its body, "" if not given */
    zw_place place;   /* of body, or of the point */
    zw_syntax *size;  /* radius; ELLIPSOID: half axes; BOX: edges; ROD: length */
    zw_rim rim;       /* DISK */
    zw_syntax *point; /* POINT */
    zw_support on;
    /* POINT: expression in x, y, z of the frame of `on` that is zero on the surface; NULL: a plane
     * or a sphere */
    zw_syntax *surface;
    bool three; /* DISK: three points of the rim, for a disc that may lie flat */
} zw_geometry;

/* The parts and laws of a contact. NULL: not given. */
enum { ZW_LAWS_MAX = 8 };
typedef struct zw_contact_text {
    zw_geometry *geometry;
    zw_syntax *gap, *slip, *spin, *roll;
    zw_syntax *normal; /* to which a slip of three components is tangential */
    zw_syntax *at;     /* the point of contact, for pictures */
    int nlaw;
    zw_syntax *law[ZW_LAWS_MAX]; /* NAME or CALL */
    bool stop;                   /* a run ends where it is no longer valid, as by an event */
    int sides; /* 2: bilateral; 1: unilateral; 0: not given, which is unilateral */
} zw_contact_text;

/* The terms of a claim before its colon: the principle, the order, the state, the motion, and
 * whether its units are claimed too. */
typedef struct zw_terms {
    const char *principle; /* NULL if not given */
    zw_place principle_place;
    zw_syntax *order; /* a number; NULL if not given */
    bool exact;       /* "of order N": equal up to that order but not up to the next */
    bool printed;     /* "as printed": inconsistent units make the claim fail */
    int nabout, nalong;
    zw_syntax **about, **along; /* left, right, left, right, ... */
} zw_terms;

/* One action of an event. */
typedef struct zw_action_text {
    zw_action_kind kind;
    zw_place place;
    zw_syntax *what, *value; /* SET */
    const char *name;        /* ON, OFF: the constraint; VARIANT: its name */
    struct zw_action_text *next;
} zw_action_text;

typedef struct zw_stmt zw_stmt;
struct zw_stmt {
    zw_stmt_kind kind;
    zw_place place; /* of the keyword */
    /* "" if it has none; of START: what, without blanks; of NONIDEAL: the constraint */
    const char *name;
    zw_place name_place;
    zw_syntax *value; /* the expression; mass, stiffness, damping, right-hand side of a start */
    /* START: left-hand side; GRAVITY: direction; SPRING: free length; DELAY: nodes; PARTICLE:
     * velocity of exhaust or intake; DRAW: radius of a span */
    zw_syntax *what;
    zw_syntax *at, *to; /* points; PERIODIC: at = period; DELAY: lag, history */
    zw_stmt *outside;   /* INPUT: the value that a signal was set to */
    zw_syntax *given;   /* PARAM: its value in the text when `value` was set from outside */
    /* FRAME: parent; BODY: frame; FORCE, TORQUE, DRAW: body; PARTICLE: "exhaust", "intake";
     * ROTATION: axes; INPUT: file; "" if there is none */
    const char *word;
    zw_place word_place; /* of word, or of the unit */
    zw_unit unit;        /* COORD, STATE, QUASI, OBSERVE, a symbol of STEADY, INPUT: of a signal */
    bool has_unit;
    const char *unit_text;
    int n; /* length of list */
    /* FORCE: coordinates; SLOW_FAST: fast variables; CONSTRAINT, CLAIM, STEADY: left, right, left,
     * right, ...; ROTATION: angles; INPUT: pairs (time, value) */
    zw_syntax **list;
    zw_move *moves;            /* FRAME */
    zw_solid *solids;          /* BODY */
    zw_rolling *rolling;       /* ROLLING */
    zw_contact_text *touching; /* CONTACT */
    zw_action_text *actions;   /* EVENT */
    zw_stmt *free;             /* STEADY: its symbols, by `next` */
    zw_stmt *works;            /* NONIDEAL: the works, by `next`, each as a FORCE or TORQUE */
    zw_terms *terms;           /* CLAIM; NULL: none */
    bool clock;                /* EVENT: value is its period, at its first time or NULL */
    bool off;                  /* CONSTRAINT, ROLLING, CONTACT */
    int inequality;            /* CONSTRAINT: 0 =, 1 >=, -1 <= */
    bool space;                /* ROTATION: angular velocity in space components */
    bool cubic;                /* INPUT */
    bool hold;                 /* INPUT: a signal's table that jumps from point to point */
    bool signal;               /* INPUT: a value from outside; with `value`: noise */
    bool table;                /* INPUT, START from outside: `list` or `word` is a table */
    bool stop;                 /* EVENT */
    int direction;             /* EVENT: -1 falling, 0 both, 1 rising */
    zw_unit column_unit[2];    /* INPUT from a file */
    const char *span;          /* DRAW: "line", "link", ... from `at` to `to`; NULL: not a span */
    const char *colour;        /* DRAW, TRACE: a word; NULL: not given */
    zw_place colour_place;
    bool clear;  /* DRAW: translucent */
    bool broken; /* its fault has been reported; it is not built */
    zw_stmt *next;
};

typedef struct zw_variant {
    const char *name;
    zw_place place;
    zw_stmt *first, **end;
    struct zw_variant *next;
} zw_variant;

typedef struct zw_tree {
    const char *name, *title;
    zw_place place;
    bool no_units;
    zw_stmt *first, **end;
    int count; /* number of statements, including those of the variants */
    zw_variant *variants;
    bool partial; /* a fault has hidden some of its statements */
} zw_tree;

/* Parses the whole text, which must have been lexed. */
zw_status zw_parse_model(zw_reader *r, zw_tree *tree);
/* The whole text as one expression, or as "what = value" of a start. */
zw_status zw_parse_expression(zw_reader *r, zw_syntax **out);
zw_status zw_parse_setting(zw_reader *r, zw_stmt **out);
/* The whole text as the part after the name of a steady motion; it is called "--at". */
zw_status zw_parse_motion(zw_reader *r, zw_stmt **out);

/* The whole text as NAME = laws, or NAME = "bilateral" | "unilateral": a contact without other
 * parts. */
zw_status zw_parse_law(zw_reader *r, zw_stmt **out);

/* Shared by parser.c and parse_expr.c. */
zw_status zw_parse_node(zw_reader *r, zw_syntax **out); /* any expression */
zw_status zw_parse_sum(zw_reader *r, zw_syntax **out);  /* without comparisons */
zw_status zw_parse_primary(zw_reader *r,
                           zw_syntax **out); /* number, name, bracket; with postfixes */
const zw_token *zw_token_now(const zw_reader *r);
zw_place zw_token_place(const zw_reader *r, const zw_token *t);
bool zw_token_is(const zw_reader *r, char symbol);
bool zw_token_word(const zw_reader *r, const char *word);
bool zw_accept(zw_reader *r, char symbol);
bool zw_accept_word(zw_reader *r, const char *word);
zw_status zw_expect(zw_reader *r, char symbol, const char *where);
/* "WHAT is expected here, not FOUND" at the current token. */
zw_status zw_unexpected(zw_reader *r, const char *what);
/* The advice where two factors follow each other without a sign. */
bool zw_product_hint(zw_reader *r);
/* A new name or an existing one, interned. */
zw_status zw_expect_name(zw_reader *r, const char *what, const char **name, zw_place *place);
/* The name of a constraint or of a part of it: roll, roll.contact, pair.2. */
zw_status zw_expect_constraint(zw_reader *r, const char **name, zw_place *place);
zw_syntax *zw_syntax_new(zw_reader *r, zw_syntax_kind kind, zw_place place, int n);
/* True for a word of the language, which a model may not use as a name. */
bool zw_is_reserved(const char *name);
/* gap(NAME), slip(NAME), spin(NAME) of a contact (build_contact.c) */
bool zw_is_contact_function(const char *name);
/* True for the name of a function (function.c). */
bool zw_is_function(const char *name);

#endif
