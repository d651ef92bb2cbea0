/* SPDX-License-Identifier: MIT */
#ifndef ZW_FIGURE_INTERNAL_H
#define ZW_FIGURE_INTERNAL_H

#include "base/arena.h"
#include "spec.h"
#include "zwang/figure.h"

enum { ZW_FIGURE_QUANTITIES = 512, ZW_FIGURE_PARTS = 64 };

/* branch_orbits.c: the class of a panel, and of a run. */
typedef enum zw_figure_class {
    ZW_FIGURE_PLAIN,
    ZW_FIGURE_ORBITS,
    ZW_FIGURE_MULTIPLIERS
} zw_figure_class;

/* table_parts.c: how a run is drawn, if not as lines. */
typedef struct zw_figure_style_of_run {
    bool points, dots;
    int shape;   /* 1 + zw_mark_shape; 0: none */
    bool orbits; /* motions with gaps between them, each with an arrowhead */
    int mesh;    /* rows along each line of a surface; 0: not a surface */
} zw_figure_style_of_run;

struct zw_figure {
    zw_arena arena; /* for everything except the tables */
    int npanel, nrun, nquantity;
    int nplain; /* runs that are neither orbits nor multipliers of a branch: they come first */
    const char *quantity[ZW_FIGURE_QUANTITIES]; /* formulas: the columns of the tables */
    bool optional[ZW_FIGURE_QUANTITIES];        /* true if not every run need have it */
    int *column;                                /* nrun x nquantity: of the tables; -1: none */
    const struct zw_figure_kind *kind;          /* of the results; NULL: motions */
    zw_spec *spec;                              /* npanel */
    zw_table **drawn;                           /* nrun: the quantities of the run */
    const zw_table **whole; /* nrun: their source, which may be a given table; NULL for orbits */
    const char **run_label; /* nrun; NULL: none */
    zw_panel *panel;        /* npanel */
    /* the quantity that dashes depend on, and what dashed lines are; NULL: none */
    const char *solid, *dashed;
    bool *parted;    /* npanel: its right-hand axis, if any, is automatic */
    zw_table **part; /* npart: tables made of parts of others */
    int npart;
    bool has_parts;     /* of a given table */
    zw_table **widened; /* nwidened: steady motions with max(x), min(x), ... */
    int nwidened;
    zw_figure_class *panel_class, *run_class; /* npanel, nrun */
    int *panel_run;        /* npanel: the only given run that is drawn there, -1: all */
    bool *shown;           /* npanel x ngiven: from --runs; NULL: all */
    int ngiven;            /* number of given runs */
    int *text;             /* npanel: index of its text; maps make several panels of one */
    int *given;            /* nrun: the given run that it is, or is a part of */
    int *tint;             /* nrun: for orbits and multipliers, from 0 on */
    zw_span tinted;        /* values of the first and the last tint */
    const char *tinted_by; /* the name of these values */
    zw_table *circle;      /* about 0, with radius 1; NULL: none */
    const zw_figure_style_of_run *run_style; /* nrun */
    zw_curve *curve;                         /* of all panels */
    zw_table *contours;                      /* of a surface, NULL: none */
    zw_table **bins;                         /* nbins: tables of histograms */
    int nbins;
    const char **bin_label; /* 2 npanel: of their axes; NULL: none */
    zw_table **lines;       /* npanel: contour lines of maps; NULL: none */
    zw_picture picture;
};

struct zw_figure_view {
    zw_context *ctx;
    zw_table *result; /* with only the rows that are shown */
    zw_system *sys;
    zw_scene *scene;
    zw_view view;
};

struct zw_figure_page {
    zw_figure_view *v;       /* with the rows of the page; for a branch, that of its middle orbit */
    char *drawn, *equations; /* JSON */
    zw_page page;
    /* for a branch: */
    zw_context *ctx; /* of what follows; NULL: not a branch */
    int norbit;
    zw_figure_view **orbit; /* norbit; their JSON is in their contexts */
    zw_table *table;
    int failed;     /* motions of a survey */
    int all_orbits; /* of the table of a branch */
    /* for a drawn result: */
    zw_figure *figure; /* of `table`; NULL: none */
    zw_page_figure sheet;
};
/* thin.c: the rows of the sources that are in a page, at most `rows` of each; 0: as many as keep
 * its size reasonable. */
zw_status zw_figure_thin(zw_context *ctx, const zw_picture *p, int n, zw_page_source *source,
                         long most, zw_error *err);
/* page.c: the equations by the principle of the result, unless they are too long. */
zw_status zw_figure_page_equations(zw_figure_page *p, zw_error *err);

/* mean_forces.c: forces of contacts of the system that are means since the row before in `all`
 * become means since the row before of `few`. */
void zw_figure_join_means(zw_table *few, const zw_table *all, const zw_system *s);

/* kind.c: the defaults of results of other kinds than motions. */
typedef struct zw_figure_quantity {
    const char *name, *label; /* label NULL: the name */
    bool log;                 /* decades */
    bool zero;                /* a line at zero */
} zw_figure_quantity;
typedef struct zw_figure_kind {
    const char *name; /* the note "kind" */
    /* lines are dashed where the column `solid` is zero; `dashed`: their meaning; NULL: stable */
    const char *solid, *dashed;
    const char *series;   /* the name of item k of columns NAME(k); NULL: that of the column */
    bool directed;        /* a path has an arrowhead */
    bool orbits;          /* with columns max(x), min(x) and the period, these are drawn */
    const char *panel[4]; /* * stands for the first column, # for the second */
    zw_figure_quantity quantity[4];
} zw_figure_kind;
/* That of the first run that has one; NULL if none has. */
const zw_figure_kind *zw_figure_kind_of(int nrun, const zw_figure_run *run);
/* Its description of a quantity; NULL: none. kind may be NULL. */
const zw_figure_quantity *zw_figure_kind_quantity(const zw_figure_kind *kind, const char *quantity);

/* default_panels_many.c: for tables of many motions; false for others. */
bool zw_figure_choose_many(zw_figure_choice *out, const zw_table *t);
/* default_panels_fit.c: panels of a fit; the label of a panel with x and data(x), or residuals;
 * true for a quantity data(x), which is drawn by markers instead of a line; for a column of a fit
 * that only has values in the rows of the data. */
bool zw_figure_choose_fit(zw_figure_choice *out, const zw_table *t);
void zw_figure_label_fit(zw_figure *f, const zw_spec *s, zw_panel *p);
bool zw_figure_is_measured(const char *quantity);
bool zw_figure_is_at_data(const zw_table *t, const char *quantity);

/* map.c, for pages: the words for value k of a column, from the notes of the table, and its places
 * "NAME = VALUE": at most `most` pairs of the columns x and y. */
/* True for regions of a plane, whose colours are pale. */
bool zw_figure_is_chart(const zw_table *t);
bool zw_figure_class_words(const zw_table *t, const char *column, long k, char *out, size_t size);
int zw_figure_class_places(const zw_table *t, const char *column, long k, const char *x,
                           const char *y, double (*place)[2], int most);
/* map.c: the map of a panel, whose first curve exists; further curves, markers, classes. curve:
 * those of the panel, with space for ZW_FIGURE_LEVELS more. */
enum { ZW_FIGURE_LEVELS = 56 };
zw_status zw_figure_finish_map(zw_figure *f, const zw_figure_options *o, int panel,
                               const zw_figure_run *run, zw_curve *curve, zw_error *err);

/* histogram.c: for panels hist(NAME) the runs become tables of bins, and the texts formulas of
 * these. Without such panels *runs is unchanged. */
zw_status zw_figure_histograms(zw_figure *f, const char **panel, int nrun,
                               const zw_figure_run **runs, int bins, zw_error *err);
/* band.c: style and label of the curves of a panel with bands. */
bool zw_figure_has_band(const zw_spec *s);
void zw_figure_name_band(const zw_spec *s, int term, char *out, size_t size);
void zw_figure_label_bands(zw_figure *f, const zw_spec *s, zw_panel *p);

/* contour.c: contour lines of columns x, y, z of a table, whose rows are this grid, at n levels
 * (see zw_figure_choose_levels): columns x(LEVEL), y(LEVEL) of a new table. */
struct zw_out_grid;
typedef struct zw_figure_surface {
    const zw_table *t;
    int x, y, z; /* columns */
    int nx, ny;
    const long *row; /* nx x ny: rows of the table, -1: none; NULL: in order */
    bool log;        /* between two rows z is interpolated exponentially */
} zw_figure_surface;
int zw_figure_choose_levels(const zw_figure_surface *s, double level[ZW_FIGURE_LEVELS]);
zw_status zw_figure_lines(zw_figure *f, const zw_figure_surface *s, int n, const double *level,
                          zw_table **out, zw_error *err);
/* contour.c: lines of a surface, in f->contours; labels, colours and markers of the panel that
 * shows them. */
zw_status zw_figure_contours(zw_figure *f, const zw_table *t, zw_error *err);
zw_status zw_figure_finish_contours(zw_figure *f, const zw_table *t, zw_error *err);

/* pairs.c: the track re(k), im(k) of a table that is the complex conjugate of this one most of the
 * time; "" if none is. The number of tracks before this one that do not follow their partner. */
void zw_figure_partner(const zw_table *t, const char *index, char *out, size_t size);
int zw_figure_track_number(const zw_table *t, const char *index);
/* Lists "1,2,4" of the tracks that are not always zero, and of those among them whose real parts
 * would make those of the others flat. *oscillate: there is an imaginary part among the latter.
 * False if all go into one list. */
bool zw_figure_part_tracks(const zw_table *t, char *slow, char *fast, size_t size, bool *oscillate);

/* special_points.c: the special points in the notes of the runs, at their places in each panel. */
zw_status zw_figure_special_points(zw_figure *f, const zw_figure_run *run, zw_error *err);

/* table_parts.c: splits a table with parts into further runs (from *n on), which the figure owns.
 * Does nothing if it has none. */
zw_status zw_figure_part(zw_figure *f, const zw_table *t, zw_figure_run *run,
                         zw_figure_style_of_run *run_style, int *n, zw_error *err);
/* The note "drawn" of a table. */
zw_figure_style_of_run zw_figure_drawn_style(const zw_table *t);

/* True if the given run is shown by panels of this text. */
static inline bool zw_figure_shows(const zw_figure *f, int text, int given) {
    return !f->shown || f->shown[(size_t)text * (size_t)f->ngiven + (size_t)given];
}
/* True if panel i draws run r. */
static inline bool zw_figure_draws_run(const zw_figure *f, int i, int r) {
    return f->run_class[r] == f->panel_class[i] &&
           (f->panel_run[i] < 0 || f->panel_run[i] == f->given[r]) &&
           zw_figure_shows(f, f->text[i], f->given[r]);
}
/* runs_shown.c: applies --runs to npanel texts and nrun runs. */
zw_status zw_figure_show(zw_figure *f, const zw_figure_texts *list, int npanel, int nrun,
                         zw_error *err);
/* annotate.c: "red dashed" or "red discs"; *style is unchanged if no colour is given, *shape is 1 +
 * zw_mark_shape, 0: a line. */
zw_status zw_figure_style(const char *text, int *style, int *shape, zw_error *err);
/* annotate.c: puts the texts at points of the options into the panels. */
zw_status zw_figure_annotate(zw_figure *f, const zw_figure_texts *list, zw_error *err);
/* figure.c: "3:" at the beginning of an option selects a panel, -1: all; *text: the rest. */
zw_status zw_figure_in_panel(const char *option, int npanel, const char **text, int *panel,
                             zw_error *err);

/* The classes of the panels; replaces texts that are keywords by formulas. */
zw_status zw_figure_classify(zw_figure *f, const char **panel, int nrun, const zw_figure_run *run,
                             zw_error *err);
/* The maximum number of runs for orbits and multipliers; these runs, from *n on. */
int zw_figure_further_runs(const zw_figure *f, int nrun, const zw_figure_run *run);
zw_status zw_figure_orbit_runs(zw_figure *f, int ngiven, const zw_figure_run *given,
                               zw_figure_run *run, int *n, int room, zw_error *err);
/* The strip of tints and the unit circle of a panel; curve: those of the panel, with space for one
 * more. */
zw_status zw_figure_finish_orbits(zw_figure *f, int panel, zw_curve *curve, zw_error *err);

/* envelope.c: true if two terms are max(x) and min(x) of one quantity. The partner of a term, -1:
 * none. The number of things that the panel shows, where such a pair counts once. */
bool zw_figure_is_envelope(const zw_spec *s, int a, int b);
int zw_figure_partner_in_envelope(const zw_spec *s, int term);
bool zw_figure_is_second(const zw_spec *s, int term); /* of such a pair */
int zw_figure_thing_count(const zw_spec *s);
/* Steady motions next to results with max(x), min(x), mean(x), rms(x): a copy that has these too.
 * NULL in *out if they need none. */
zw_status zw_figure_measure_steady(zw_table **out, int nrun, const zw_figure_run *run, int which,
                                   zw_error *err);

/* inset.c: puts the windows of the options into the panels. */
zw_status zw_figure_insets(zw_figure *f, const zw_figure_texts *inset, zw_error *err);

/* common_unit.c. Changes the formulas of each axis of a panel so that its curves have one unit, as
 * far as their dimensions are equal. True if this is the quantity of that name, in its own unit or
 * in another. */
zw_status zw_figure_common_units(zw_spec *s, int nrun, const zw_figure_run *run, zw_error *err);
bool zw_figure_draws(const char *quantity, const char *name);
/* The axis of the panel to which a coordinate of a term belongs. */
int zw_figure_axis(const zw_spec *s, int term, int coordinate);
/* Curves over one quantity in exactly two units get one axis each. */
zw_status zw_figure_part_units(zw_spec *s, int nrun, const zw_figure_run *run, zw_error *err);

#endif
