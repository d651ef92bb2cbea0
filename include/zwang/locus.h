/* SPDX-License-Identifier: MIT */
/* Implemented in src/linear/study. */
/* The eigenvalues of a steady motion over a number of its model, by names: what zwang/follow.h and zwang/track.h find by
 * numbers, with the cubic terms where a pair crosses the imaginary axis. */
#ifndef ZWANG_LOCUS_H
#define ZWANG_LOCUS_H

#include "criticality.h"
#include "doubt.h"
#include "model.h"
#include "over.h"
#include "table.h"
#include "track.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_locus zw_locus;

typedef struct zw_locus_options {
    size_t size;                         /* of this struct, for the library */
    const char *over;                    /* as in zwang/over.h: "Omega=0:50rad/s" */
    const zw_equilibria_options *motion; /* NULL: the defaults */
    int rows;                            /* if `over` does not say, 401 */
    bool cubic;            /* whether crossings of pairs are sub- or supercritical; true */
    const char *amplitude; /* as of zw_criticality_options */
    /* Called now and then with the part that is done; true ends it with what is there. May be NULL. */
    bool (*stop)(void *user, double done);
    void *stop_user;
} zw_locus_options;
ZW_API void zw_locus_options_init(zw_locus_options *options, size_t size);
static inline zw_locus_options zw_locus_options_default(void) {
    zw_locus_options o;
    zw_locus_options_init(&o, sizeof o);
    return o;
}

/* Follow and track. ZW_E_MODEL: neighbouring steady motions are left open that something must hold, or nothing
 * depends on the number. The system and its context must outlive it. */
ZW_API zw_status zw_locus_create(zw_locus **out, const zw_system *sys,
                                 const zw_locus_options *options, zw_error *err);
ZW_API void zw_locus_destroy(zw_locus *l);

ZW_API const zw_over *zw_locus_over(const zw_locus *l);
/* The way of the motion: where it begins and ends, and why. */
ZW_API const zw_over_way *zw_locus_way(const zw_locus *l);
ZW_API const zw_track *zw_locus_track(const zw_locus *l);
ZW_API const zw_equilibria *zw_locus_equilibria(const zw_locus *l);
/* Of a mark that is a crossing of a pair; NULL if it is none, or if it was not asked for. */
ZW_API const zw_criticality *zw_locus_criticality(const zw_locus *l, int mark);
/* What linear terms say between two marks. */
ZW_API zw_stability zw_locus_stability(const zw_locus *l, int range);
/* What is not certain, into a list. */
ZW_API void zw_locus_doubts(const zw_locus *l, zw_doubts *out);

/* Marks and ranges as text for people or as JSON; a new string of the context (zw_string_free), NULL if out of memory. */
ZW_API char *zw_locus_text(const zw_locus *l);
ZW_API char *zw_locus_json(const zw_locus *l);
/* All rows, as a table of the kind "eigenvalues" with its marks; source may be NULL. */
ZW_API zw_status zw_locus_table(const zw_locus *l, const zw_model_source *source, zw_table **out,
                                zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
