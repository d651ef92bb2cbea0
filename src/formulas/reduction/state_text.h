/* SPDX-License-Identifier: MIT */
/* Models of first order as text: parameters, definitions, states with their rates, observables,
 * events, starts, as statements of the language. Numbers inside formulas have no units; if that is
 * inconsistent, the whole is written without units, in SI. */
#ifndef ZW_FORMULAS_REDUCTION_STATE_TEXT_H
#define ZW_FORMULAS_REDUCTION_STATE_TEXT_H

#include "base/text.h"
#include "zwang/model.h"
#include "zwang/system.h"

enum { ZW_TABLES_MOST = 64 };
/* operations of a subexpression that gets a name; number of such names */
enum { ZW_NAMED_LEAST = 60, ZW_NAMED_MOST = 400 };

typedef struct zw_state_text {
    zw_context *ctx;
    const zw_system *sys; /* the model of the parameters, observables and events */
    const double *p;      /* np: values of its parameters */
    zw_text *out;
    bool units;
    int n;
    const zw_expr *e; /* n: all formulas of the text */
    int nstate;
    const zw_expr *of; /* nstate: symbols of the first model that the states replace; 0: of none */
    const zw_expr *state; /* nstate: the states */
    int nnamed;
    int ntable;
    zw_model_input table[ZW_TABLES_MOST];                 /* inputs that the formulas contain */
    zw_expr named[ZW_NAMED_MOST], meaning[ZW_NAMED_MOST]; /* recurring subexpressions */
} zw_state_text;

/* Tables in n formulas become the names of the inputs of the model, and their derivatives f', f'',
 * f'''. Call it before parts get names. */
void zw_state_text_name_tables(zw_state_text *a, int n, zw_expr *e);
void zw_state_text_expr(zw_state_text *a, zw_expr e);
void zw_state_text_unit(zw_state_text *a, const char *unit);
/* The comment "WHAT MODEL, variant V WHERE. Written by zwang VERB from FILE." at the top. */
void zw_state_text_head(zw_state_text *a, const char *what, const char *where, const char *verb,
                        const char *source);
/* Parameters that the formulas or the values of steady motions need: as `param`, definitions as
 * `let`. */
void zw_state_text_parameters(zw_state_text *a);
/* Inputs that are tables and occur in the formulas. */
void zw_state_text_tables(zw_state_text *a);
/* Recurring subexpressions, as `let`. */
void zw_state_text_named(zw_state_text *a);
void zw_state_text_state(zw_state_text *a, zw_expr sym, const char *unit, zw_expr rate);
/* Does it contain accelerations or multipliers, which states do not determine? */
bool zw_state_text_has_forces(const zw_state_text *a, zw_expr e);
/* The observables of the model, in SI, and its events that only record or stop, as formulas: e and
 * kept (nobservable + nevent). is_expressible expresses one by the states; false if it needs
 * anything else. Returns their number. */
int zw_state_text_collect(const zw_state_text *a, bool (*is_expressible)(void *user, zw_expr *e),
                          void *user, bool *kept, zw_expr *e);
/* Those that are kept, as statements; e and kept of all. */
void zw_state_text_observables(zw_state_text *a, const bool *kept, const zw_expr *e);
void zw_state_text_events(zw_state_text *a, const bool *kept, const zw_expr *e);
void zw_state_text_observable(zw_state_text *a, const char *name, const char *unit, zw_expr e);
/* period: 0 is a full turn. */
void zw_state_text_periodic(zw_state_text *a, zw_expr sym, zw_expr period);
/* The position of a symbol of the first model among the states; -1 if it is none. */
int zw_state_text_place(const zw_state_text *a, zw_expr sym);
void zw_state_text_steady(zw_state_text *a, const zw_motion *motion);
void zw_state_text_start(zw_state_text *a, zw_expr sym, const char *unit, double value);
/* An observable is kept in its own unit, expressions of the language are in SI. */
zw_expr zw_state_text_in_si(zw_context *ctx, zw_expr e, const char *unit);
/* The text that `put` writes, with units if it can be read again, otherwise without; a new string
 * of the context. NULL: err has the reason, ZW_E_MEMORY or why it cannot be read. */
char *zw_state_text_write(zw_state_text *a, void (*put)(void *user), void *user, zw_error *err);

#endif
