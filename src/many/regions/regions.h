/* SPDX-License-Identifier: MIT */
/* Inside of zwang/chart.h. */
#ifndef ZW_MANY_REGIONS_REGIONS_H
#define ZW_MANY_REGIONS_REGIONS_H

#include <math.h>

#include "base/arena.h"
#include "formulas/groups/implicit.h"
#include "zwang/chart.h"
#include "zwang/ensemble.h"
#include "zwang/equilibria.h"

enum { REGION_SAMPLES = 96, REGION_STATES = 2, REGION_KINDS = 200, REGION_BORDERS = 40 };

#define REGION_FINER 30   /* by which the second tolerance is smaller */
#define REGION_ATOL 1e-20 /* the smallest absolute tolerance of a run */

/* One start of the return map. */
typedef struct region_sample {
    double u;     /* where it is, 0 at a, 1 at b */
    double d;     /* R(s) - s over the length of the line; infinite if it leaves */
    double bound; /* of the error of d */
    int sign;     /* of d; 0: not known */
} region_sample;

typedef struct region_curve {
    const char *name;
    long n;
    double *at; /* n x 2, SI; NaN between parts */
    double (*ends)[2];
    int nword; /* of a family: words at its members */
    const char **word;
    double (*word_at)[2]; /* SI */
} region_curve;

typedef struct region_kind {
    int id;
    long points;
    char words[200];
} region_kind;

typedef struct region_conditions region_conditions; /* in regions_conditions.c */

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
    int ndoubt;      /* equilibria at which a contact overlaps: they are no motions, */
    int doubt_point; /* the first of them at this point, */
    char doubt[400]; /* and why */
    zw_expr *symbol; /* np: of the parameters */
    /* cycles */
    bool cycles;
    int event;             /* of the section */
    int across, along;     /* entries of the state: fixed on the line, and along it */
    const char *value;     /* text of the section's value */
    const char *from, *to; /* texts of the ends */
    double *ends;          /* npoint x 3: section, from, to */
    bool mirrored;
    zw_expr image[REGION_STATES];
    double (*affine)[REGION_STATES + 1]; /* npoint x 2: image = affine . (x, 1) */
    int nbase;
    double *base;          /* u of the first round */
    int *nsample;          /* npoint */
    region_sample *sample; /* npoint x REGION_SAMPLES, by u */
    const char **failure;  /* npoint: about the first motion that failed; NULL: none */
    double *inner;         /* npoint: limit of d/s at a, NaN if not known */
    double *until;         /* npoint */
    double size;           /* of the smallest motions, SI, at most 1: for the absolute tolerance */
    long motions;
    bool stopped;                  /* points that were not done tell it */
    region_conditions *conditions; /* NULL: what exists is searched for */
    /* what came out */
    int nkind;
    region_kind kind[REGION_KINDS];
    zw_region_pairs pairs;
    int ncurve;
    region_curve *curve;
    double (*mark)[2];
    const char **mark_name;
    char *text, *json;
    double seconds;
};

static inline const double *region_p(const zw_regions *r, int i) {
    return r->p + (size_t)i * (size_t)r->sys->np;
}

/* The symbol of entry i of (q, v), its name, and its unit. */
static inline zw_expr region_symbol(const zw_regions *r, int i) {
    return i < r->sys->nq ? r->sys->coord[i].sym : r->sys->velocity[i - r->sys->nq].sym;
}

static inline const char *region_entry(const zw_regions *r, int i) {
    return i < r->sys->nq ? r->sys->coord[i].name : r->sys->velocity[i - r->sys->nq].name;
}

static inline const char *region_unit(const zw_regions *r, int i) {
    return i < r->sys->nq ? r->sys->coord[i].unit : r->sys->velocity[i - r->sys->nq].unit;
}

#define REGION_STOPPED "it was stopped before"
/* regions_rest.c: equilibria at all points; what a and b are. */
zw_status region_rests(zw_regions *r, zw_error *err);
/* regions_section.c: the line of starts and the mirror, read and tested. */
zw_status region_section(zw_regions *r, zw_error *err);
/* regions_cycles.c: the return map of all points. */
zw_status region_cycles(zw_regions *r, zw_error *err);
/* regions_judge.c: numbers of cycles, kinds, pairs of neighbours. */
bool region_wants(const zw_regions *r, int point, double *u, int *n); /* more samples */
void region_count(zw_regions *r, int point);
void region_kinds(zw_regions *r);
void region_pairs(zw_regions *r);
/* regions_conditions.c: points by conditions in closed form, and their borders; the region at any
 * place, 0 if a side of a condition has no value; other: a second one that holds too, or -1. */
zw_status region_conditions_fill(zw_regions *r, zw_error *err);
int region_condition_at(zw_regions *r, const double at[2], int *other);
/* regions_curves.c: curves and marks. */
/* The zeros of f in the plane, those that are kept, with gaps; NULL: all. */
typedef bool (*region_keeps)(zw_regions *r, int axis, const double zero[2]);
zw_status region_trace(zw_regions *r, zw_implicit *f, region_keeps keeps, region_curve *c,
                       zw_error *err);
zw_status region_curves(zw_regions *r, zw_error *err);
/* Does a curve come nearer than a cell and a half to the middle of these points? */
bool region_is_near(const zw_regions *r, int a, int b);

#endif
