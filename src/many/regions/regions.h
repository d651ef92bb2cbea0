/* SPDX-License-Identifier: MIT */
/* What the sources of zwang/chart.h share. */
#ifndef ZW_MANY_REGIONS_REGIONS_H
#define ZW_MANY_REGIONS_REGIONS_H

#include <math.h>

#include "base/arena.h"
#include "formulas/groups/implicit.h"
#include "zwang/chart.h"
#include "zwang/ensemble.h"
#include "zwang/equilibria.h"

enum {
    ZW_REGION_SAMPLES = 96,
    ZW_REGION_STATES = 2,
    ZW_REGION_KINDS = 200,
    ZW_REGION_BORDERS = 40
};

/* ratio of the two tolerances of a return map: errors differ by enough to estimate the larger
 * one */
#define ZW_REGION_FINER 30
/* Smallest absolute tolerance of a run: below it, it has no effect on quantities in SI units. */
#define ZW_REGION_SMALLEST_ATOL 1e-20

/* One start of the return map. */
typedef struct zw_region_sample {
    double u;     /* position on the line, 0 at a, 1 at b */
    double d;     /* R(s) - s relative to the length of the line; infinite if the motion leaves */
    double bound; /* of the error of d */
    int sign;     /* of d; 0 if unknown */
} zw_region_sample;

typedef struct zw_region_curve {
    const char *name;
    long n;
    double *at; /* n x 2 [SI]; NaN between parts */
    double (*ends)[2];
    int nword; /* of a family: labels at its members */
    const char **word;
    double (*word_at)[2]; /* [SI] */
} zw_region_curve;

typedef struct zw_region_kind {
    int id;
    long points;
    char words[200];
} zw_region_kind;

typedef struct zw_region_conditions zw_region_conditions; /* in regions_conditions.c */

struct zw_regions {
    zw_arena arena;
    zw_context *ctx;
    zw_regions_options options;
    zw_model_source source; /* with the section as an event */
    zw_model_options model;
    zw_system *sys;
    zw_parameter_range over[2];
    int rows[2];
    int npoint;
    zw_region_point *point;
    double *p; /* npoint x np */
    bool *given;
    /* equilibria */
    zw_equilibria *e;
    zw_equilibria_box *box; /* of the search */
    int nseed;
    double *seed; /* nseed x nx */
    int nx;
    int nessential; /* entries of the state that are not ignorable coordinates */
    int *essential;
    double *start;   /* nx: of the model */
    int ndoubt;      /* number of equilibria at which a contact overlaps; they are no motions */
    int doubt_point; /* point of the first of them */
    char doubt[400]; /* and the reason */
    zw_expr *symbol; /* np: of the parameters */
    /* cycles */
    bool cycles;
    int event;             /* of the section */
    int across, along;     /* entries of the state: fixed on the line, and along it */
    const char *value;     /* text of the section's value */
    const char *from, *to; /* texts of the ends */
    double *ends;          /* npoint x 3: section, from, to */
    bool mirrored;
    zw_expr image[ZW_REGION_STATES];
    double (*affine)[ZW_REGION_STATES + 1]; /* npoint x 2: image = affine . (x, 1) */
    int nbase;
    double *base;             /* u of the first round */
    int *nsample;             /* npoint */
    zw_region_sample *sample; /* npoint x ZW_REGION_SAMPLES, by u */
    const char **failure;     /* npoint: about the first motion that failed; NULL if none */
    double *inner;            /* npoint: limit of d/s at a, NaN if unknown */
    double *until;            /* npoint: longest time of a motion [s] */
    double size; /* of the smallest motions [SI], at most 1: for the absolute tolerance */
    long motions;
    bool stopped;                     /* points that were not computed report it */
    zw_region_conditions *conditions; /* NULL: equilibria and cycles are searched */
    /* results */
    int nkind;
    zw_region_kind kind[ZW_REGION_KINDS];
    zw_region_pairs pairs;
    int ncurve;
    zw_region_curve *curve;
    double (*mark)[2];
    const char **mark_name;
    double seconds;
};

static inline const double *zw_region_parameters(const zw_regions *r, int i) {
    return r->p + (size_t)i * (size_t)r->sys->np;
}

/* The symbol of entry i of (q, v), its name, and its unit. */
static inline zw_expr zw_region_symbol(const zw_regions *r, int i) {
    return i < r->sys->nq ? r->sys->coord[i].sym : r->sys->velocity[i - r->sys->nq].sym;
}

static inline const char *zw_region_entry(const zw_regions *r, int i) {
    return i < r->sys->nq ? r->sys->coord[i].name : r->sys->velocity[i - r->sys->nq].name;
}

static inline const char *zw_region_unit(const zw_regions *r, int i) {
    return i < r->sys->nq ? r->sys->coord[i].unit : r->sys->velocity[i - r->sys->nq].unit;
}

#define ZW_REGION_STOPPED "it was stopped before"
/* regions_equilibria.c: equilibria at all points; types of a and b. */
zw_status zw_region_find_equilibria(zw_regions *r, zw_error *err);
/* regions_section.c: reads and tests the line of starts and the mirror. */
zw_status zw_region_read_section(zw_regions *r, zw_error *err);
/* regions_cycles.c: the return map at all points. */
zw_status zw_region_map_returns(zw_regions *r, zw_error *err);
/* regions_judge.c: numbers of cycles, kinds, pairs of neighbours. */
/* further samples */
bool zw_region_request_samples(const zw_regions *r, int point, double *u, int *n);
void zw_region_count_cycles(zw_regions *r, int point);
void zw_region_assign_kinds(zw_regions *r);
void zw_region_compare_neighbours(zw_regions *r);
/* regions_conditions.c: points by conditions in closed form, and their borders; the region at any
 * place, 0 if a side of a condition has no value. other: a second condition that is true too, or
 * -1. */
zw_status zw_region_assign_conditions(zw_regions *r, zw_error *err);
int zw_region_condition_at(const zw_regions *r, const double at[2], int *other);
/* regions_curves.c: curves and marks. */
/* The zeros of f in the plane, those that the filter accepts, with gaps; NULL: all. */
typedef bool (*zw_region_filter)(zw_regions *r, int axis, const double zero[2]);
zw_status zw_region_trace(zw_regions *r, zw_implicit *f, zw_region_filter keeps, zw_region_curve *c,
                          zw_error *err);
zw_status zw_region_add_curves(zw_regions *r, zw_error *err);
/* Is a curve within one and a half cells of the middle of these points? */
bool zw_region_is_near_curve(const zw_regions *r, int a, int b);

#endif
