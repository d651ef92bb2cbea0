/* SPDX-License-Identifier: MIT */
/* What a study may ask about its input and its outputs. */
#include <string.h>

#include "zwang/study.h"

bool zw_study_is_given(const zw_study_input *input, const char *key) {
    for (int i = 0; i < input->ngiven; i++)
        if (strcmp(input->given[i], key) == 0)
            return true;
    return false;
}

const char *zw_study_wants(const zw_study_input *input, const char *key) {
    for (int i = 0; i < input->nwanted; i++)
        if (strcmp(input->wanted[i].key, key) == 0)
            return input->wanted[i].path;
    return NULL;
}

bool zw_study_output_is_text(const zw_study_output *output, const char *path) {
    const char *end = path ? strrchr(path, '.') : NULL;
    if (!end || !output->texts)
        return output->is_text;
    for (const char *at = output->texts; *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");
        if (strlen(end) == n && strncmp(at, end, n) == 0)
            return true;
        at += n;
    }
    return output->is_text;
}
