/* SPDX-License-Identifier: MIT */
/* What the files of the study of diagrams share; what it is, zwang/diagram.h says. */
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
    int tried; /* starts at all values, */
    /* at one of them, steady motions that one start alone has found: there are probably more, */
    int once;
    double once_value; /* where these are most */
    int families;      /* of steady motions that nothing holds, */
    int unborn;        /* Hopf points whose orbits were not followed, */
    double unborn_value;
    char unborn_why[200]; /* the first of them */
    int cut;              /* ends of orbits that nothing explains, */
    double cut_value;     /* the first of them */
    int nend;
    zw_diagram_end *end;   /* nend: two of each branch of orbits, the first one first */
    int unpaired;          /* special points without the branches of orbits that must end there, */
    double unpaired_value; /* the first of them */
    char no_orbits[200];   /* why none are followed; empty: they are */
    int too_many;          /* Hopf points beyond the number that was asked for */
    int nmirror;           /* changes of signs that leave the equations unchanged, */
    bool *mirror;          /* nmirror x nx: which entries change */
};

#define ZW_DIAGRAM_WITHIN 0.48713 /* of a range: where it is looked at */

/* diagram.c: the branch of the orbit to which the motion from a state (nx; NULL: the start of the
 * model) leads at a value, if it leads to one that no branch passes */
zw_status zw_diagram_follow_from(zw_diagram *d, const double *x, double value, zw_error *err);
/* diagram_connect.c: the saddles on which an orbit of long period stays, in the order in which it
 * comes to them */
enum { ZW_DIAGRAM_SADDLES = 16 };
typedef struct zw_diagram_saddles {
    int n, nx;
    double *x;                      /* n x nx; angles as the orbit passes them */
    double *longest;                /* nx: where it stays longest, as the branch has it */
    int branch[ZW_DIAGRAM_SADDLES]; /* segment of the branches: two of one are whole turns apart */
} zw_diagram_saddles;
zw_status zw_diagram_saddles_init(zw_diagram_saddles *s, zw_diagram *d, zw_error *err);
/* Returns n; 0: it stays at none. */
int zw_diagram_find_saddles(const zw_diagram *d, int number, zw_diagram_saddles *s);
/* One saddle, or the same one a turn further after each period. */
bool zw_diagram_is_homoclinic(const zw_diagram *d, int number, const zw_diagram_saddles *s);
/* The value at which a branch of orbits ends on connecting orbits of these saddles, from its last
 * one (`number`) and from the estimate *value; *error is how far it may be wrong; infinite: not
 * found, and the value stays. */
zw_status zw_diagram_connect(zw_diagram *d, int number, const zw_diagram_saddles *s, double *value,
                             double *error, zw_error *err);
/* diagram.c: default box of starts, `wide` times the sizes of coordinates that are no angles */
int zw_diagram_default_boxes(const zw_diagram *d, double wide, zw_equilibria_box *box);
/* diagram_images.c: the changes of signs that leave the equations unchanged */
zw_status zw_diagram_find_mirrors(zw_diagram *d, zw_error *err);
/* The images of an orbit that no branch has. */
int zw_diagram_orbit_images(const zw_diagram *d, int number);
/* Mirror images of an orbit that are on no branch, by the changes of signs (nx) that give them: at
 * most this number, each once. */
int zw_diagram_new_images(const zw_diagram *d, int number, int most, const bool **flip);
/* Does a branch pass this orbit already, or an image of it? */
bool zw_diagram_knows_orbit(const zw_diagram *d, int number);
/* The branches of orbits from all Hopf points at which none begins or ends. */
zw_status zw_diagram_follow_hopf_points(zw_diagram *d, zw_error *err);
/* diagram_runs.c: *fresh: something was added to the branches, so that events and ranges are no
 * longer those of all of them */
zw_status zw_diagram_check_by_runs(zw_diagram *d, bool *fresh, zw_error *err);
/* diagram_words.c: all events, in the order of their values */
zw_status zw_diagram_find_events(zw_diagram *d, zw_error *err);
/* diagram_ends.c: reasons of all ends of branches of orbits that the branches know themselves */
zw_status zw_diagram_begin_ends(zw_diagram *d, zw_error *err);
/* The Hopf point (of the points of the branches) at an end of a branch of orbits; -1: none. */
int zw_diagram_hopf_at(const zw_diagram *d, int branch, int side);
/* Does a branch of orbits end at this Hopf point? */
bool zw_diagram_is_reached(const zw_diagram *d, int hopf);
/* Adds to an event that branches of orbits are missing there, or too many. */
void zw_diagram_pair_hopf(zw_diagram *d, int hopf, bool degenerate, zw_diagram_event *event);
void zw_diagram_pair_orbit(zw_diagram *d, int number, zw_diagram_event *event);
void zw_diagram_put_ends(zw_text *out, const zw_diagram *d);
void zw_diagram_ends_json(zw_text *out, const zw_diagram *d);
/* diagram_write.c: a value with its known digits */
void zw_diagram_put_known(zw_text *out, const zw_diagram *d, double value, double error);
/* diagram_words.c: the error of a value at which something happens; else 0 */
double zw_diagram_error_at(const zw_diagram *d, double value);
/* Are two points of the branches one special point? */
bool zw_diagram_is_same_place(const zw_diagram *d, int i, int k);
/* ... and what is stable between them */
zw_status zw_diagram_find_ranges(zw_diagram *d, zw_error *err);
/* "x = 1.5 m, y = 2 m" of a state, at most four coordinates */
void zw_diagram_state_words(const zw_diagram *d, const double *x, char *out, size_t size);
/* Hopf point i (of the points of the branches) has the same value, frequency and cubic terms as an
 * earlier one elsewhere: its number, or -1. */
int zw_diagram_image_of(const zw_diagram *d, int i);
/* The steady motion of a branch between its points k and k + 1 at a value (nx); false: the value
 * does not lie there. */
bool zw_diagram_steady_at(const zw_diagram *d, int k, double value, double *x);

#endif
