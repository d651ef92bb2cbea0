/* SPDX-License-Identifier: MIT */
/* The course of a derivation, recorded by the principle while it runs: headings, sentences and
 * equations. The sides of the equations are the expressions that the principle computes with, never
 * copies of what it should have computed, so that the record shows what was done. Nothing is
 * recorded unless requested (zw_derive_steps).
 *
 * Sentences are constant texts with formulas in two spellings, {text|LaTeX}, as on a zw_paper. A
 * quantity on the left is a symbol; symbols that are not names of the model are notation of
 * zw_paper ("dT/dx'", "d/dt dT/dx'") or have their velocity in parentheses: Q(x'). */
#ifndef ZW_MECH_STEPS_H
#define ZW_MECH_STEPS_H

#include "forces.h"
#include "split.h"

/* The heading of the given work of constraint forces. */
#define ZW_STEP_GIVEN                                                                              \
    "Work of constraint forces on virtual displacements that is given, {C.delta|C \\cdot "         \
    "\\delta}: "                                                                                   \
    "the force of a constraint is {C + W^T lambda|C + W^{\\mathsf T} \\lambda}, and {C|C} stands " \
    "among the forces"

bool zw_steps_wanted(const zw_equations *eq);
/* A heading is printed before the next sentence or equation. */
void zw_step_heading(const zw_equations *eq, const char *words);
void zw_step_sentence(const zw_equations *eq, const char *words);
void zw_step(const zw_equations *eq, zw_expr left, zw_expr right);
void zw_step_labelled(const zw_equations *eq, zw_expr left, int relation, zw_expr right,
                      const char *label);

/* The symbols "d<of>/d<by>", "d/dt <of>" and "<kind>(<name of a symbol>)". */
zw_expr zw_step_partial(const zw_equations *eq, const char *of, zw_expr by);
zw_expr zw_step_rate(const zw_equations *eq, zw_expr of);
zw_expr zw_step_of(const zw_equations *eq, const char *kind, zw_expr symbol);

/* The coordinate whose displacement velocity k is, with nothing else moving; 0 if there is none.
 * The second function: true if every velocity has one. */
zw_expr zw_step_plain(const zw_system *s, int velocity);
bool zw_step_is_plain(const zw_system *s);
/* The symbol "C(constraint,x)". */
zw_expr zw_step_given(const zw_equations *eq, const zw_given_entry *entry);
/* The name of a function of the principle, "T"; "T(sys)" if the model has a quantity of that
 * name. */
const char *zw_step_name(const zw_equations *eq, const char *name);

/* Steps that several principles have in common. */
void zw_step_energies(const zw_equations *eq, bool kinetic);
void zw_step_forces(const zw_equations *eq, const zw_expr *Q, const zw_expr *extra);
/* The same where forces that depend on multipliers, X lambda (X may be NULL), are eliminated: they
 * are reported separately. */
void zw_step_separate_forces(const zw_equations *eq, const zw_expr *Q, const zw_expr *X);
void zw_step_constraint_rows(const zw_equations *eq);
void zw_step_constraint_forces(const zw_equations *eq);
/* After a principle with {K|K} in it: says that K is absent if there are no constraints. */
void zw_step_no_constraints(const zw_equations *eq);
void zw_step_split(const zw_equations *eq, const zw_split *split);
void zw_step_projected_forces(const zw_equations *eq, const zw_split *split, const zw_expr *Q);

#endif
