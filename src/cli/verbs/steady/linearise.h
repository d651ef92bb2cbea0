/* SPDX-License-Identifier: MIT */
/* The parts of the command linearise: forms of the linear equations, one per file, selected by an
 * option. */
#ifndef ZW_CLI_VERBS_LINEARISE_H
#define ZW_CLI_VERBS_LINEARISE_H

#include "cli/steady.h"

enum { LINEARISE_TEXT, LINEARISE_LATEX, LINEARISE_JSON, LINEARISE_CSV };

/* A form is selected by its option on the command line; it creates its own zw_equilibria from
 * s->options. */
typedef zw_status (*cli_linearise_form)(const cli_options *o, const cli_steady *s, zw_error *err);

/* linearise_hopf.c: the bifurcating orbits, if one pair of eigenvalues is on the imaginary axis (or
 * if --amplitude is given): lines of text, or a member of a JSON object with a comma before it. */
extern const zw_option cli_hopf_table[];
zw_status cli_linearise_hopf(const cli_options *o, zw_equilibria *e, zw_text *out, zw_error *err);
/* linearise_once.c: all matrices at one motion; linearise_bode.c: --bode INPUT:OUTPUT */
zw_status cli_linearise_once(const cli_options *o, const cli_steady *s, zw_error *err);
zw_status cli_linearise_bode(const cli_options *o, const cli_steady *s, zw_error *err);

/* The linear equations of a motion, with the names of --states, --inputs, --outputs split. */
typedef struct cli_linear {
    zw_equilibria *e;
    zw_linear_equations *l;
    zw_linear_options options;
} cli_linear;
/* Names that --bode needs besides those (NULL: none). */
zw_status cli_linear_open(cli_linear *c, const cli_options *o, const cli_steady *s,
                          const char *input, const char *output, zw_error *err);
void cli_linear_close(cli_linear *c);

/* linearise_over.c: eigenvalues over a parameter. */
extern const zw_option cli_over_table[];
zw_status cli_linearise_over(const cli_options *o, const cli_steady *s, zw_error *err);

/* linearise_symbolic.c: --symbolic, --taylor */
extern const zw_option cli_symbolic_table[];
/* Rejects options of formulas without formulas. */
zw_status cli_symbolic_check(const cli_options *o, zw_error *err);
zw_status cli_linearise_symbolic(const cli_options *o, const cli_steady *s, zw_error *err);
/* The formulas for these options, with the names of --steady, --at, --states, --small and
 * --numbers, written to --out. */
zw_status cli_symbolic_report(const cli_options *o, const cli_model *m,
                              zw_symbolic_options *options, int format, zw_error *err);

#endif
