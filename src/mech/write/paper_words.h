/* SPDX-License-Identifier: MIT */
/* Shared by the files of a paper: paper.c collects, paper_latex.c sets. */
#ifndef ZW_MECH_PAPER_WORDS_H
#define ZW_MECH_PAPER_WORDS_H

#include "paper.h"

/* Words verbatim; for LaTeX escaped (paper_words.c). */
void zw_paper_put_words(zw_text *out, bool latex, const char *s, size_t n);
/* The whole paper as a LaTeX document. */
void zw_paper_put_latex(zw_paper *p, zw_text *out);

#endif
