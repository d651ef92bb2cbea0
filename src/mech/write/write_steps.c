/* SPDX-License-Identifier: MIT */
/* The steps of a derivation on a paper and as JSON. Right sides are simplified as in the result;
 * left sides are notation and stay. */
#include <string.h>

#include "mech/system/build.h"
#include "write.h"

void zw_steps_report(const zw_steps *steps, zw_paper *paper) {
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
static void put_plain(zw_text *out, const char *words) {
    zw_text plain;
    zw_text_init(&plain, &out->alloc);
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
    out->failed |= plain.failed;
    zw_text_json(out, zw_text_get(&plain));
    zw_text_clear(&plain);
}

static void put_expr(const zw_equations *eq, zw_text *out, zw_expr e) {
    char *s = zw_print(eq->sys->ctx, e, ZW_TEXT);
    if (s)
        zw_text_json(out, s);
    out->failed |= s == NULL;
    zw_string_free(eq->sys->ctx, s);
}

static void put_item(const zw_equations *eq, zw_text *out, const zw_step_item *item) {
    static const char *const relation[] = {"<=", "=", ">="};
    zw_text_put(out, "\n    {");
    if (item->heading) {
        zw_text_put(out, "\"heading\": ");
        put_plain(out, item->heading);
        zw_text_put(out, ", ");
    }
    if (item->words) {
        zw_text_put(out, "\"words\": ");
        put_plain(out, item->words);
        zw_text_put(out, "}");
        return;
    }
    zw_text_put(out, "\"left\": ");
    put_expr(eq, out, item->left);
    zw_text_printf(out, ", \"relation\": \"%s\", \"right\": ", relation[item->relation + 1]);
    put_expr(eq, out, item->right);
    if (item->label) {
        zw_text_put(out, ", \"label\": ");
        zw_text_json(out, item->label);
    }
    zw_text_put(out, "}");
}

void zw_steps_json(const zw_equations *eq, zw_text *out) {
    zw_text_put(out, "  \"steps\": [");
    for (int i = 0; i < eq->steps->n; i++) {
        zw_text_put(out, i ? "," : "");
        put_item(eq, out, &eq->steps->item[i]);
    }
    zw_text_put(out, "\n  ],\n");
}
