/* SPDX-License-Identifier: MIT */
/* What the sources of the study of diagrams share; zwang/diagram.h states what it does. */
#ifndef ZW_MOTION_DIAGRAM_DIAGRAM_H
#define ZW_MOTION_DIAGRAM_DIAGRAM_H

#include "base/text.h"
#include "motion/equilibria/branches.h"
#include "motion/orbits/orbits.h"
#include "zwang/diagram.h"

struct zw_diagram {
    zw_arena arena;
    const zw_system *sys;
    zw_diagram_options options;
    zw_branches *branches;
    zw_orbits *orbits;
    zw_parameter_range over;
    int nevent, event_capacity;
    zw_diagram_event *event;
    int nrange, range_capacity;
    zw_diagram_range *range;
    bool stopped;
    int tried; /* starts of searches at all values */
    /* steady motions found by one start only at one value, at most: probably more exist */
    int found_once;
    double found_once_value; /* the value with this maximum */
    int families;            /* of steady motions that no held value selects from */
    int unfollowed;          /* Hopf points whose orbits were not followed */
    double unfollowed_value;
    char unfollowed_why[200]; /* of the first of them */
    int cut;                  /* ends of branches of orbits without a reason */
    double cut_value;         /* of the first of them */
    int nend;
    zw_diagram_end *end;   /* nend: two for each branch of orbits, the first end first */
    int unpaired;          /* special points without the branches of orbits that must end there */
    double unpaired_value; /* of the first of them */
    char no_orbits[200];   /* why none are followed; empty if they are */
    int too_many;          /* Hopf points beyond the requested number of branches */
    int nmirror;           /* changes of signs that leave the equations unchanged */
    bool *mirror;          /* nmirror x nx: the entries that change */
};

/* Fraction of a range at which its motions are counted: not exceptional by symmetry. */
#define ZW_DIAGRAM_WITHIN 0.48713

/* diagram.c: follow the branch of the orbit to which the motion from a state (nx; NULL: the start
 * of the model) leads at a value, if no branch passes this orbit. */
zw_status zw_diagram_follow_from(zw_diagram *d, const double *x, double value, zw_error *err);
/* diagram_connect.c: the saddles near which an orbit of long period stays, in the order of its
 * visits. */
enum { ZW_DIAGRAM_SADDLES = 16 };
typedef struct zw_diagram_saddles {
    int n, nx;
    double *x;       /* n x nx; angles as the orbit passes them */
    double *longest; /* nx: the one where it stays longest, as on the branch */
    /* segment of the branches; two saddles on the same segment are full turns apart */
    int branch[ZW_DIAGRAM_SADDLES];
} zw_diagram_saddles;
zw_status zw_diagram_saddles_init(zw_diagram_saddles *s, zw_diagram *d, zw_error *err);
/* Returns n; 0 if it stays at none. */
int zw_diagram_find_saddles(const zw_diagram *d, int number, zw_diagram_saddles *s);
/* One saddle, or the same one a full turn further after each period. */
bool zw_diagram_is_homoclinic(const zw_diagram *d, int number, const zw_diagram_saddles *s);
/* The value at which a branch of orbits ends on connecting orbits of these saddles, from its last
 * orbit (`number`) and the estimate *value. *error is the error of the value; infinite: not found,
 * and *value is unchanged. */
zw_status zw_diagram_connect(zw_diagram *d, int number, const zw_diagram_saddles *s, double *value,
                             double *error, zw_error *err);
/* diagram.c: the default box of starts, `wide` times the sizes of coordinates that are no
 * angles. */
int zw_diagram_default_boxes(const zw_diagram *d, double wide, zw_equilibria_box *box);
/* diagram_images.c: find the changes of signs that leave the equations unchanged. */
zw_status zw_diagram_find_mirrors(zw_diagram *d, zw_error *err);
/* The number of images of an orbit that lie on no branch. */
int zw_diagram_orbit_images(const zw_diagram *d, int number);
/* The changes of signs (nx) whose images of an orbit lie on no branch: at most `most`, each image
 * once. */
int zw_diagram_new_images(const zw_diagram *d, int number, int most, const bool **flip);
/* Does a branch pass this orbit already, or an image of it? */
bool zw_diagram_knows_orbit(const zw_diagram *d, int number);
/* Follow the branches of orbits from all Hopf points at which none begins or ends. */
zw_status zw_diagram_follow_hopf_points(zw_diagram *d, zw_error *err);
/* diagram_runs.c: check by runs; *fresh: the branches have been extended, so that events and ranges
 * must be computed again. */
zw_status zw_diagram_check_by_runs(zw_diagram *d, bool *fresh, zw_error *err);
/* diagram_events.c: all events, in the order of their values. */
zw_status zw_diagram_find_events(zw_diagram *d, zw_error *err);
/* diagram_ends.c: the ends of branches of orbits, with the reasons that the branches know. */
zw_status zw_diagram_list_ends(zw_diagram *d, zw_error *err);
/* The Hopf point (of the points of the branches) at an end of a branch of orbits; -1: none. */
int zw_diagram_hopf_at(const zw_diagram *d, int branch, int side);
/* Does a branch of orbits end at this Hopf point? */
bool zw_diagram_is_reached(const zw_diagram *d, int hopf);
/* Add to an event that branches of orbits are missing there, or too many. */
void zw_diagram_pair_hopf(zw_diagram *d, int hopf, bool degenerate, zw_diagram_event *event);
void zw_diagram_pair_orbit(zw_diagram *d, int number, zw_diagram_event *event);
/* "orbit_branches": where they begin and end. */
void zw_diagram_report_ends(const zw_diagram *d, zw_report *r);
/* diagram_write.c: a value of the parameter, with its error (0: unknown). */
void zw_diagram_report_value(const zw_diagram *d, const char *key, double value, double error,
                             zw_report *r);
/* diagram_events.c: the error of the value of an event; 0 for other values. */
double zw_diagram_error_at(const zw_diagram *d, double value);
/* Are two points of the branches one special point? */
bool zw_diagram_is_same_place(const zw_diagram *d, int i, int k);
/* The ranges between the events, with the numbers of motions. */
zw_status zw_diagram_find_ranges(zw_diagram *d, zw_error *err);
/* "x = 1.5 m, y = 2 m" for a state, at most four coordinates. */
void zw_diagram_state_words(const zw_diagram *d, const double *x, char *out, size_t size);
/* An earlier Hopf point elsewhere with the same value, frequency and cubic terms as Hopf point i
 * (of the points of the branches); -1 if there is none. */
int zw_diagram_image_of(const zw_diagram *d, int i);
/* The steady motion (nx) of a branch between its points k and k + 1 at a value; false if the value
 * does not lie between them. */
bool zw_diagram_steady_at(const zw_diagram *d, int k, double value, double *x);

#endif
