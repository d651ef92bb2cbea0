/* SPDX-License-Identifier: MIT */
/* The table of studies. Each row is defined in the folder that computes it. */
#include "registry.h"

#include <string.h>

static const zw_study_kind *const kinds[] = {
    &zw_study_check,      &zw_study_compare,   &zw_study_derive,
    &zw_study_verify,     &zw_study_connect,   &zw_study_continue,
    &zw_study_orbit,      &zw_study_lyapunov,  &zw_study_melnikov,
    &zw_study_path,       &zw_study_noise,     &zw_study_rest,
    &zw_study_reduce,     &zw_study_slow,      &zw_study_chart,
    &zw_study_response,   &zw_study_backbone,  &zw_study_sweep,
    &zw_study_basin,      &zw_study_fit,       &zw_study_track,
    &zw_study_equilibria, &zw_study_linearise, &zw_study_amplitudes,
    &zw_study_diagram,    &zw_study_run,       NULL,
};

static const char *const questions[] = {
    "What are the equations?",
    "How does it move?",
    "Where does it rest, and is that stable?",
    "What repeats itself?",
    "Where does the behaviour change?",
    "What matters, what can be left out?",
    "Where do all starts go?",
    "What does the experiment say?",
    "How does it look?",
    NULL,
};

const char *const *zw_study_questions(void) {
    return questions;
}

const zw_study_kind *const *zw_studies(void) {
    return kinds;
}

const zw_study_kind *zw_study_find(const char *name) {
    for (int i = 0; kinds[i]; i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return NULL;
}
