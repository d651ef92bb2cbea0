/* SPDX-License-Identifier: MIT */
/* Systems and equations in print: write.c implements zw_equations_write, equations_report.c
 * zw_equations_report. */
#ifndef ZW_MECH_WRITE_H
#define ZW_MECH_WRITE_H

#include "base/text.h"
#include "paper.h"
#include "zwang/equations.h"
#include "zwang/report.h"

/* write_steps.c: the derivation, on a paper; into a report. */
void zw_steps_write(const zw_steps *steps, zw_paper *paper);
void zw_steps_report(const zw_equations *eq, zw_report *r);
/* write_elimination.c: the result of zw_equations_eliminate instead of the equations of motion, on
 * a paper; into a report. */
void zw_elimination_write(const zw_equations *eq, zw_paper *paper);
void zw_elimination_report(const zw_equations *eq, zw_report *r);
/* write_contact.c: the law of a contact in the words of the model language, "newton(e) +
 * coulomb(mu)"; a contact into the open object of a report, whose words are its impacts and its
 * friction, on lines of their own. */
void zw_contact_law_text(zw_text *out, const zw_system *s, const zw_contact *c);
void zw_report_contact(zw_report *r, const zw_system *s, const zw_contact *c);
/* The condition and the actions of an event in the words of the model language (write_event.c). */
void zw_event_text(zw_text *out, const zw_system *s, const zw_event *e);

#endif
