/* SPDX-License-Identifier: MIT */
/* What the files of a paper share: paper.c says, paper_latex.c sets. */
#ifndef ZW_MECH_PAPER_WORDS_H
#define ZW_MECH_PAPER_WORDS_H

#include "paper.h"

/* Words as they are; for LaTeX made safe (paper_words.c). */
void zw_paper_put_words(zw_text *out, bool latex, const char *s, size_t n);
/* The whole paper as a LaTeX document. */
void zw_paper_put_latex(zw_paper *p, zw_text *out);

#endif
