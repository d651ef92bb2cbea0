/* SPDX-License-Identifier: MIT */
/* Linear equations as a LaTeX document: matrices with the names and units of their rows and
 * columns, eigenvalues, participations. Wide matrices are scaled to fit the page. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tolerance.h"
#include "expr/core/name.h"
#include "linear.h"

enum { COLUMNS_FIT = 6 }; /* of a matrix with %.6g entries on an A4 page */
/* of the scale of an entry: printed as zero, a tenth of what %.10g shows */
#define STATE_ZERO 1e-10
#define DAMPING_ROUNDOFF ZW_ROUNDOFF_SUM /* real part relative to the eigenvalue: undamped */
#define PARTICIPATION_SHOWN 0.05         /* smaller ones would fill the line */

/* Words of a text, with special characters escaped. */
static void put_words(zw_text *out, const char *s) {
    for (; *s; s++)
        if (*s == '\\')
            zw_text_put(out, "\\textbackslash{}");
        else if (*s == '^' || *s == '~')
            zw_text_printf(out, "\\%c{}", *s);
        else if (strchr("&%$#_{}", *s))
            zw_text_printf(out, "\\%c", *s);
        else
            zw_text_put_n(out, s, 1);
}

/* "kg*m^2" as \mathrm{kg\,m^{2}} */
static void put_unit(zw_text *out, const char *unit) {
    if (!unit[0])
        return;
    zw_text_put(out, "\\;[\\mathrm{");
    for (const char *s = unit; *s; s++)
        if (*s == '*')
            zw_text_put(out, "\\,");
        else if (*s == '^') {
            size_t n = strspn(s + 1, "-0123456789");
            zw_text_put(out, "^{");
            zw_text_put_n(out, s + 1, n);
            zw_text_put(out, "}");
            s += n;
        } else
            zw_text_put_n(out, s, 1);
    zw_text_put(out, "}]");
}

static void put_number(zw_text *out, double value) {
    char text[40];
    snprintf(text, sizeof text, "%.6g", value);
    char *e = strchr(text, 'e');
    if (!e) {
        zw_text_put(out, text);
        return;
    }
    long power = strtol(e + 1, NULL, 10);
    *e = '\0';
    zw_text_printf(out, "%s\\cdot 10^{%ld}", text, power);
}

static void put_label(zw_text *out, const char *name, const char *unit) {
    zw_name_latex(out, name);
    put_unit(out, unit);
}

/* The label of a row that is a rate: a dot over the name, unless it is a combination. */
static void put_row_label(zw_text *out, const zw_linear_block *b, int i) {
    bool rate = strcmp(b->key, "A") == 0 || strcmp(b->key, "B") == 0;
    char name[400];
    snprintf(name, sizeof name, rate && !strchr(b->row[i], '(') ? "%s'" : "%s", b->row[i]);
    put_label(out, name, b->row_unit[i]);
}

static void put_matrix(zw_text *out, const zw_linear_block *b) {
    bool wide = b->columns > COLUMNS_FIT;
    zw_text_printf(out, "\\begin{equation*}\n%s%s =\n\\begin{array}{r|*{%d}{r}}\n",
                   wide ? "\\resizebox{0.95\\linewidth}{!}{$" : "", b->symbol, b->columns);
    for (int j = 0; j < b->columns; j++) {
        zw_text_put(out, " & ");
        put_label(out, b->column[j], b->column_unit[j]);
    }
    zw_text_put(out, " \\\\ \\hline\n");
    for (int i = 0; i < b->rows; i++) {
        put_row_label(out, b, i);
        for (int j = 0; j < b->columns; j++) {
            zw_text_put(out, " & ");
            put_number(out, zw_linear_clean(b, i, j));
        }
        zw_text_put(out, " \\\\\n");
    }
    zw_text_printf(out, "\\end{array}%s\n\\end{equation*}\n", wide ? "$}" : "");
}

static void put_names(zw_text *out, const char *what, int n, const char *const *name,
                      const char *const *unit) {
    if (!n)
        return;
    zw_text_printf(out, "%s: ", what);
    for (int i = 0; i < n; i++) {
        zw_text_put(out, i ? ", $" : "$");
        put_label(out, name[i], unit[i]);
        zw_text_put(out, "$");
    }
    zw_text_put(out, ".\n\n");
}

static void put_motion(zw_text *out, const zw_linear_equations *l) {
    const zw_equilibria *e = l->e;
    int count = 0;
    for (int i = 0; i < e->eq.nq + e->eq.nv; i++) {
        const char *unit, *name = zw_equilibria_entry(e, i, &unit);
        if (fabs(e->motion.x[i]) < STATE_ZERO * e->scale[i])
            continue;
        zw_text_put(out, count++ ? ", $" : "At $");
        zw_name_latex(out, name);
        zw_text_put(out, " = ");
        put_number(out, e->motion.x[i]);
        put_unit(out, unit);
        zw_text_put(out, "$");
    }
    zw_text_put(out,
                count ? "; all else is zero.\n\n" : "All coordinates and velocities are zero.\n\n");
}

static void put_matrices(zw_text *out, const zw_linear_equations *l) {
    zw_linear_block block[ZW_LINEAR_BLOCKS];
    int n = zw_linear_blocks(l, block);
    out->failed |= n < 0;
    zw_text_put(out, "\\subsection*{$\\dot y = A y + B u,\\quad o = C y + D u$}\n");
    for (int i = 0; i < n; i++) {
        if (block[i].key[1] && !block[i - 1].key[1])
            zw_text_put(out,
                        "\\subsection*{$M \\ddot s + (D + G)\\, \\dot s + (K + N)\\, s = 0$}\n");
        put_matrix(out, &block[i]);
    }
}

static void put_eigenvalues(zw_text *out, const zw_linear_equations *l) {
    const zw_spectrum *s = &l->spectrum;
    zw_text_put(out,
                "\\subsection*{Eigenvalues}\n\\begin{tabular}{rrrrl}\n"
                "& $\\lambda$ in $1/\\mathrm{s}$ & frequency in Hz & damping & states that take "
                "part \\\\ \\hline\n");
    for (int j = 0; j < s->n; j++) {
        double re = s->re[j], im = s->im[j], size = hypot(re, im);
        bool first = true;
        if (im < 0)
            continue;
        zw_text_printf(out, "%d & $", zw_linear_mode(l, j));
        put_number(out, fabs(re) < DAMPING_ROUNDOFF * size ? 0 : re);
        if (im > 0) {
            zw_text_put(out, " \\pm ");
            put_number(out, im);
            zw_text_put(out, "\\,\\mathrm{i}$ & $");
            put_number(out, im / (2 * M_PI));
            zw_text_put(out, "$ & $");
            put_number(out, fabs(re) < DAMPING_ROUNDOFF * size ? 0 : -re / size);
            zw_text_put(out, "$ & ");
        } else
            zw_text_put(out, "$ & & & ");
        for (int i = 0; i < s->n; i++)
            if (s->participation[i * s->n + j] >= PARTICIPATION_SHOWN) {
                zw_text_put(out, first ? "$" : ", $");
                zw_name_latex(out, l->state_name[i]);
                zw_text_printf(out, "$ %.0f\\,\\%%", 100 * s->participation[i * s->n + j]);
                first = false;
            }
        zw_text_put(out, " \\\\\n");
    }
    zw_text_put(out, "\\end{tabular}\n");
}

void zw_linear_put_latex(zw_text *out, const zw_linear_equations *l) {
    zw_text_put(out, "\\documentclass[a4paper,fleqn]{article}\n\\usepackage{amsmath}\n"
                     "\\usepackage{graphicx}\n\\usepackage[margin=2cm]{geometry}\n"
                     "\\setlength{\\parindent}{0pt}\n\\setlength{\\parskip}{1ex}\n"
                     "\\renewcommand{\\arraystretch}{1.2}\n\\begin{document}\n\\section*{");
    put_words(out, l->e->sys->name);
    zw_text_printf(out, ": linear equations about %s}\n",
                   zw_linear_at_rest(l) ? "an equilibrium" : "a steady motion");
    put_motion(out, l);
    put_names(out, "States $y$", l->states.n, l->state_name, l->state_unit);
    put_names(out, "Inputs $u$", l->nin, l->in_name, l->in_unit);
    put_names(out, "Outputs $o$", l->nout, l->out_name, l->out_unit);
    put_matrices(out, l);
    put_eigenvalues(out, l);
    zw_text_put(out, "\\end{document}\n");
}
