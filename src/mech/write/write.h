/* SPDX-License-Identifier: MIT */
/* Systems and equations as text: write.c (text, LaTeX) and write_json.c implement
 * zw_equations_write. */
#ifndef ZW_MECH_WRITE_H
#define ZW_MECH_WRITE_H

#include "base/text.h"
#include "paper.h"
#include "zwang/equations.h"

void zw_write_json(zw_text *out, const zw_equations *eq);
/* write_steps.c: the derivation, on a paper; as an entry of a JSON object. */
void zw_steps_report(const zw_steps *steps, zw_paper *paper);
void zw_steps_json(const zw_equations *eq, zw_text *out);
/* write_elimination.c: the result of zw_equations_eliminate instead of the equations of motion, on
 * a paper; as an entry of a JSON object. */
void zw_elimination_report(const zw_equations *eq, zw_paper *paper);
void zw_elimination_json(const zw_equations *eq, zw_text *out);
/* write_contact.c: the law of a contact in the words of the model language, "newton(e) +
 * coulomb(mu)"; one block and the impacts in plain words; all contacts as an entry of a JSON
 * object. */
void zw_contact_law_text(zw_text *out, const zw_system *s, const zw_contact *c);
void zw_rubbing_words(zw_text *out, const zw_system *s, const zw_rubbing *b);
void zw_impact_words(zw_text *out, const zw_system *s, const zw_contact *c);
void zw_contacts_json(const zw_system *s, zw_text *out);
/* The condition and the actions of an event in the words of the model language (write_event.c). */
void zw_event_text(zw_text *out, const zw_system *s, const zw_event *e);

#endif
