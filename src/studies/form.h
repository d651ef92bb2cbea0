/* SPDX-License-Identifier: MIT */
/* The model in the form that a study needs: read again with the settings of a steady motion, reduced,
 * or replaced by the flow on its slow manifold. */
#ifndef ZW_STUDIES_FORM_H
#define ZW_STUDIES_FORM_H

#include "base/arena.h"
#include "zwang/study.h"
#include "zwang/zwang.h"

/* A model that was read for a study; it owns its context. */
typedef struct zw_formed {
    zw_context *ctx;
    zw_system *system;
    zw_model_options options;
    zw_model_source source; /* its text lives in the arena, or in the context of the model before */
} zw_formed;

enum { ZW_FORMS_MAX = 6 };

/* All models that replaced each other, the last one in use; all zero but for the arena at first. */
typedef struct zw_forms {
    zw_arena arena;
    bool constants, bodies; /* of the form, also for models that replace others */
    int n;
    zw_formed *model[ZW_FORMS_MAX];
    zw_reduction *reduction;         /* the one that was used; NULL: none */
    const zw_system *reduced;        /* the model that it was made of */
    zw_manifold *manifold;           /* the same */
    const zw_context *reduction_ctx; /* of the models that they were made of */
    const zw_context *manifold_ctx;
    int order; /* of the flow on it */
} zw_forms;

void zw_forms_init(zw_forms *f, const zw_allocator *alloc);
void zw_forms_clear(zw_forms *f);

/* Replaces the model of the input by the form that is wanted. */
zw_status zw_forms_apply(zw_forms *f, zw_study_input *input, const zw_study_form *want,
                         zw_error *err);
/* Replaces it by its reduced model, with the full one next to it, if `suits` agrees (NULL: always),
 * at first without the reduction. ZW_RETRY: there is no reduced model, or it does not suit; the model
 * is as before. */
zw_status zw_forms_reduce(zw_forms *f, zw_study_input *input,
                          bool (*suits)(void *options, const zw_reduction *r,
                                        const zw_system *full),
                          void *options, zw_error *err);
/* What became of the model, as an object of the report; nothing if it was not replaced. */
void zw_forms_report(zw_forms *f, zw_report *out);

#endif
