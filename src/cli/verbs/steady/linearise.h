/* SPDX-License-Identifier: MIT */
/* What the command linearise consists of: ways to look at the linear equations, one per file,
 * chosen by an option. */
#ifndef ZW_CLI_VERBS_LINEARISE_H
#define ZW_CLI_VERBS_LINEARISE_H

#include "cli/steady.h"

enum { LINEARISE_TEXT, LINEARISE_LATEX, LINEARISE_JSON, LINEARISE_CSV };

/* A way is taken if its option is on the command line; it creates its own zw_equilibria from
 * s->options. */
typedef zw_status (*cli_linearise_way)(const cli_options *o, const cli_steady *s, zw_error *err);

/* linearise_hopf.c: what grows out of the motion, if one pair of its eigenvalues lies on the
 * imaginary axis (or if --amplitude asks for it): lines of text, or a member of JSON's object with
 * a comma before it. */
extern const zw_option cli_hopf_table[];
zw_status cli_linearise_hopf(const cli_options *o, zw_equilibria *e, zw_text *out, zw_error *err);
/* linearise_once.c: all matrices at one motion; linearise_bode.c: --bode INPUT:OUTPUT */
zw_status cli_linearise_once(const cli_options *o, const cli_steady *s, zw_error *err);
zw_status cli_linearise_bode(const cli_options *o, const cli_steady *s, zw_error *err);

/* The linear equations of a motion, with the names of --states, --inputs, --outputs taken apart. */
typedef struct cli_linear {
    zw_equilibria *e;
    zw_linear_equations *l;
    zw_linear_options options;
} cli_linear;
/* Names that --bode needs beside those (NULL: none). */
zw_status cli_linear_open(cli_linear *c, const cli_options *o, const cli_steady *s,
                          const char *input, const char *output, zw_error *err);
void cli_linear_close(cli_linear *c);

/* linearise_over.c: eigenvalues over a number of the model. */
extern const zw_option cli_over_table[];
zw_status cli_linearise_over(const cli_options *o, const cli_steady *s, zw_error *err);

/* linearise_symbolic.c: --symbolic, --taylor */
extern const zw_option cli_symbolic_table[];
/* Options of formulas without formulas? */
zw_status cli_symbolic_check(const cli_options *o, zw_error *err);
zw_status cli_linearise_symbolic(const cli_options *o, const cli_steady *s, zw_error *err);
/* What these options ask for, with the names of --steady, --at, --states, --small and --numbers,
 * written to --out. */
zw_status cli_symbolic_tell(const cli_options *o, const cli_model *m, zw_symbolic_options *options,
                            int format, zw_error *err);

#endif
