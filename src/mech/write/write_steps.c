/* SPDX-License-Identifier: MIT */
/* The steps of a derivation on a paper and in a report. Right sides are simplified as in the result;
 * left sides are notation and stay. */
#include <string.h>

#include "expr/print/expr_report.h"
#include "mech/system/build.h"
#include "write.h"

void zw_steps_write(const zw_steps *steps, zw_paper *paper) {
    for (int i = 0; i < steps->n; i++) {
        const zw_step_item *item = &steps->item[i];
        if (item->heading)
            zw_paper_heading(paper, item->heading);
        if (item->words)
            zw_paper_say(paper, item->words);
        else
            zw_paper_equation(paper, item->left, item->relation,
                              zw_paper_simpler(paper, item->right), item->label);
    }
}

/* the first spelling of {text|LaTeX} */
static void report_plain(zw_report *r, const char *key, const char *words) {
    zw_text plain;
    zw_text_init(&plain, NULL);
    for (const char *s = words; *s;) {
        size_t n = strcspn(s, "{");
        zw_text_put_n(&plain, s, n);
        s += n;
        if (!*s)
            break;
        n = strcspn(++s, "|");
        zw_text_put_n(&plain, s, n);
        int depth = 1;
        for (s += n; *s && depth > 0; s++)
            depth += (*s == '{') - (*s == '}');
    }
    zw_report_word(r, key, zw_text_get(&plain));
    if (plain.failed)
        zw_report_fail(r);
    zw_text_clear(&plain);
}

static void report_item(const zw_equations *eq, zw_report *r, const zw_step_item *item) {
    static const char *const relation[] = {"<=", "=", ">="};
    zw_report_open(r, NULL);
    if (item->heading)
        report_plain(r, "heading", item->heading);
    if (item->words) {
        report_plain(r, "words", item->words);
    } else {
        zw_report_plain(r, "left", eq->sys->ctx, item->left);
        zw_report_word(r, "relation", relation[item->relation + 1]);
        zw_report_plain(r, "right", eq->sys->ctx, item->right);
        if (item->label)
            zw_report_word(r, "label", item->label);
    }
    zw_report_close(r);
}

void zw_steps_report(const zw_equations *eq, zw_report *r) {
    zw_report_list(r, "steps");
    for (int i = 0; i < eq->steps->n; i++)
        report_item(eq, r, &eq->steps->item[i]);
    zw_report_close(r);
}
