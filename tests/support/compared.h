/* SPDX-License-Identifier: MIT */
/* All principles on a model written in the test: those that apply must agree, and be enough of
 * them. */
#ifndef ZW_TEST_COMPARED_H
#define ZW_TEST_COMPARED_H

#include "support/test.h"
#include "zwang/zwang.h"

static inline void assert_principles_agree(const char *text, int least) {
    zw_error err = {0};
    zw_comparison *c;
    zw_model_source source = {text, strlen(text), "m.zw", NULL};
    if (zw_compare(&c, &source, NULL, &err) < 0 || zw_comparison_judge(c, &err) < 0)
        fail_msg("%s", err.text);
    int applies = 0;
    for (int i = 0; i < zw_comparison_summary(c)->nrow; i++)
        applies += zw_comparison_row(c, i)->applies;
    assert_true(applies >= least);
    zw_comparison_destroy(c);
}

#endif
