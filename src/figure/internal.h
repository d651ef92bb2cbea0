/* SPDX-License-Identifier: MIT */
#ifndef ZW_FIGURE_INTERNAL_H
#define ZW_FIGURE_INTERNAL_H

#include "base/arena.h"
#include "spec.h"
#include "zwang/figure.h"

enum { ZW_FIGURE_QUANTITIES = 512, ZW_FIGURE_PARTS = 64 };

/* orbits.c: what a panel is about, and where a run comes from. */
typedef enum zw_figure_class {
    ZW_FIGURE_PLAIN,
    ZW_FIGURE_ORBITS,
    ZW_FIGURE_MULTIPLIERS
} zw_figure_class;

/* chunk_file.c: what a run is drawn as, if not as lines. */
typedef struct zw_figure_look {
    bool points, dots;
    int shape;   /* 1 + zw_mark_shape; 0: none */
    bool orbits; /* motions with gaps between them, each with a head */
    int mesh;    /* rows along each line of a surface; 0: it is none */
} zw_figure_look;

struct zw_figure {
    zw_arena arena; /* of everything but the tables */
    int npanel, nrun, nquantity;
    int nplain; /* runs that are neither orbits nor multipliers of a branch: they come first */
    const char *quantity[ZW_FIGURE_QUANTITIES]; /* formulas: the columns of the tables */
    bool optional[ZW_FIGURE_QUANTITIES];        /* not every run need have it */
    int *column;                                /* nrun x nquantity: of the tables; -1: none */
    const struct zw_figure_kind *kind;          /* of the results; NULL: motions */
    zw_spec *spec;                              /* npanel */
    zw_table **drawn;                           /* nrun: the quantities of the run */
    const zw_table **
        whole; /* nrun: what they come from, which may be a table that was given; NULL: of orbits */
    const char **run_label; /* nrun; NULL: none */
    zw_panel *panel;        /* npanel */
    const char *solid,
        *dashed;     /* the quantity that lines are dashed by, and what they are then; NULL: none */
    bool *parted;    /* npanel: its right-hand axis, if any, is our idea */
    zw_table **part; /* npart: tables that were made of parts of others */
    int npart;
    bool has_parts;     /* of a table that was given */
    zw_table **widened; /* nwidened: steady motions with max(x), min(x), ... */
    int nwidened;
    zw_figure_class *panel_class, *run_class; /* npanel, nrun */
    int *panel_run;             /* npanel: the given run that alone is drawn there, -1: all */
    bool *shown;                /* npanel x ngiven: what --runs says; NULL: all */
    int ngiven;                 /* runs that were given */
    int *text;                  /* npanel: the text that it comes from; maps make several of one */
    int *given;                 /* nrun: the given run that it is, or is a part of */
    int *tint;                  /* nrun: of orbits and multipliers, from 0 on */
    zw_span tinted;             /* values of the first and the last tint, */
    const char *tinted_by;      /* and what they are */
    zw_table *circle;           /* about 0, of radius 1; NULL: none */
    const zw_figure_look *look; /* nrun */
    zw_curve *curve;            /* of all panels */
    zw_table *contours;         /* of a surface, NULL: it is none */
    zw_table **bins;            /* nbins: tables of histograms */
    int nbins;
    const char **bin_label; /* 2 npanel: of their axes; NULL: there are none */
    zw_table **lines;       /* npanel: contour lines of maps; NULL: none */
    zw_picture picture;
};

struct zw_figure_view {
    zw_context *ctx;
    zw_table *result; /* as many rows as are shown */
    zw_system *sys;
    zw_scene *scene;
    zw_view view;
};

struct zw_figure_page {
    zw_figure_view
        *v; /* with as many rows as the page has; of a branch, of its orbit in the middle */
    char *drawn, *equations; /* JSON */
    zw_page page;
    /* of a branch: */
    zw_context *ctx; /* of what follows; NULL: it is none */
    int norbit;
    zw_figure_view **orbit; /* norbit; their JSON is in their contexts */
    zw_table *table;
    int failed; /* motions of a survey */
    /* of a result that is drawn: */
    zw_figure *figure; /* of `table`; NULL: it is none */
    zw_page_figure sheet;
};
/* thin.c: which rows of the sources are in a page, at most so many of each; 0: so many that it does
 * not become too large. */
zw_status zw_figure_thin(zw_context *ctx, const zw_picture *p, int n, zw_page_source *source,
                         long most, zw_error *err);
/* page.c: the equations by the principle of the result, unless they are too long. */
zw_status zw_figure_page_equations(zw_figure_page *p, zw_error *err);

/* mean_forces.c: what some rows of `all` tell as a mean since the row before, for contacts of the
 * system, becomes one since the row before of `few`. */
void zw_figure_join_means(zw_table *few, const zw_table *all, const zw_system *s);

/* kind.c: what results of another kind than motions look like if nothing else is said. */
typedef struct zw_figure_quantity {
    const char *name, *label; /* label NULL: the name */
    bool log;                 /* decades */
    bool zero;                /* a line where it is zero */
} zw_figure_quantity;
typedef struct zw_figure_kind {
    const char *name; /* the note "kind" */
    const char *solid,
        *dashed; /* lines are dashed where this column is zero, which means that; NULL: stable */
    const char *series;   /* of the columns NAME(k), thing k is called so; NULL: by its column */
    bool directed;        /* a path has a head */
    bool orbits;          /* with columns max(x), min(x) and the period, these are drawn */
    const char *panel[4]; /* * stands for the first column, # for the second */
    zw_figure_quantity quantity[4];
} zw_figure_kind;
/* That of the first run that has one; NULL if none has. */
const zw_figure_kind *zw_figure_kind_of(int nrun, const zw_figure_run *run);
/* What it says of a quantity; NULL: nothing. kind may be NULL. */
const zw_figure_quantity *zw_figure_kind_says(const zw_figure_kind *kind, const char *quantity);

/* default_panels_many.c: of tables of many motions; false: it is none. */
bool zw_figure_choose_many(zw_figure_choice *out, const zw_table *t);
/* default_panels_fit.c: panels of a fit, and the label of a panel that has x and data(x), or
 * residuals; and is a quantity data(x), which are signs instead of a line? */
bool zw_figure_choose_fit(zw_figure_choice *out, const zw_table *t);
void zw_figure_label_fit(zw_figure *f, const zw_spec *s, zw_panel *p);
bool zw_figure_is_measured(const char *quantity);

/* map.c, for pages: the words for value k of a column, by the notes of the table, and places "NAME
 * = VALUE" of it: at most `most` pairs of the columns x and y. */
/* Regions of a plane: their colours are pale. */
bool zw_figure_is_chart(const zw_table *t);
bool zw_figure_class_words(const zw_table *t, const char *column, long k, char *out, size_t size);
int zw_figure_class_places(const zw_table *t, const char *column, long k, const char *x,
                           const char *y, double (*place)[2], int most);
/* map.c: the map of a panel, whose first curve is there; further curves, marks, classes. curve:
 * those of the panel, with room for ZW_FIGURE_LEVELS more. */
enum { ZW_FIGURE_LEVELS = 56 };
zw_status zw_figure_dress_map(zw_figure *f, const zw_figure_options *o, int panel,
                              const zw_figure_run *run, zw_curve *curve, zw_error *err);

/* histogram.c: of panels hist(NAME) the runs become tables of bins, and the texts formulas of
 * these. Nothing, if there are none; *runs as it was. */
zw_status zw_figure_histograms(zw_figure *f, const char **panel, int nrun,
                               const zw_figure_run **runs, int bins, zw_error *err);
/* band.c: style and label of the curves of a panel that has bands. */
bool zw_figure_has_band(const zw_spec *s);
void zw_figure_name_band(const zw_spec *s, int term, char *out, size_t size);
void zw_figure_label_bands(zw_figure *f, const zw_spec *s, zw_panel *p);

/* contour.c: contour lines of columns x, y, z of a table, whose rows are this grid, at n levels
 * (which NULL chooses: their number and values are told): columns x(LEVEL), y(LEVEL) of a new
 * table. */
struct zw_out_grid;
typedef struct zw_figure_surface {
    const zw_table *t;
    int x, y, z; /* columns */
    int nx, ny;
    const long *row; /* nx x ny: rows of the table, -1: none; NULL: in order */
    bool log;        /* between two rows z runs as an exponential */
} zw_figure_surface;
int zw_figure_choose_levels(const zw_figure_surface *s, double level[ZW_FIGURE_LEVELS]);
zw_status zw_figure_lines(zw_figure *f, const zw_figure_surface *s, int n, const double *level,
                          zw_table **out, zw_error *err);
/* contour.c: lines of a surface, into f->contours; labels, colours and marks of the panel that
 * shows them. */
zw_status zw_figure_contours(zw_figure *f, const zw_table *t, zw_error *err);
zw_status zw_figure_dress_contours(zw_figure *f, const zw_table *t, zw_error *err);

/* pairs.c: which of the tracks re(k), im(k) of a table is the complex conjugate of this one most of
 * the time; "" if none is. How many tracks that do not follow their partner come before this
 * one. */
void zw_figure_partner(const zw_table *t, const char *index, char *out, size_t size);
int zw_figure_track_number(const zw_table *t, const char *index);
/* Lists "1,2,4" of the tracks that are not zero all the time, and of those among them whose real
 * parts would make those of the others flat. *oscillate: is there an imaginary part among the
 * latter? False if all go into one list. */
bool zw_figure_part_tracks(const zw_table *t, char *slow, char *fast, size_t size, bool *oscillate);

/* mark.c: the marks that the notes of the runs tell, where they lie in each panel. */
zw_status zw_figure_marks(zw_figure *f, const zw_figure_run *run, zw_error *err);

/* chunk_file.c: a table that has parts, as further runs (from *n on); the figure owns them.
 * Nothing, if it has none. */
zw_status zw_figure_part(zw_figure *f, const zw_table *t, zw_figure_run *run, zw_figure_look *look,
                         int *n, zw_error *err);
/* What the note "drawn" of a table says. */
zw_figure_look zw_figure_look_of(const zw_table *t);

/* Is the given run shown by panels of this text? */
static inline bool zw_figure_shows(const zw_figure *f, int text, int given) {
    return !f->shown || f->shown[(size_t)text * (size_t)f->ngiven + (size_t)given];
}
/* Does panel i draw run r? */
static inline bool zw_figure_draws_run(const zw_figure *f, int i, int r) {
    return f->run_class[r] == f->panel_class[i] &&
           (f->panel_run[i] < 0 || f->panel_run[i] == f->given[r]) &&
           zw_figure_shows(f, f->text[i], f->given[r]);
}
/* runs_shown.c: what --runs says of npanel texts and nrun runs. */
zw_status zw_figure_show(zw_figure *f, const zw_figure_texts *list, int npanel, int nrun,
                         zw_error *err);
/* annotate.c: "red dashed" or "red discs"; *style stays if no colour is said, *shape is 1 +
 * zw_mark_shape, 0: a line. */
zw_status zw_figure_style(const char *text, int *style, int *shape, zw_error *err);
/* annotate.c: the words at places of the options, into the panels. */
zw_status zw_figure_annotate(zw_figure *f, const zw_figure_texts *list, zw_error *err);
/* figure.c: "3:" in front of the text of an option is a panel, -1: all; *text: what comes after
 * it. */
zw_status zw_figure_in_panel(const char *option, int npanel, const char **text, int *panel,
                             zw_error *err);

/* What the panels are about; texts that are words of ours become formulas. */
zw_status zw_figure_classify(zw_figure *f, const char **panel, int nrun, const zw_figure_run *run,
                             zw_error *err);
/* At most so many runs are needed for orbits and multipliers; these, from *n on. */
int zw_figure_further_runs(const zw_figure *f, int nrun, const zw_figure_run *run);
zw_status zw_figure_orbit_runs(zw_figure *f, int ngiven, const zw_figure_run *given,
                               zw_figure_run *run, int *n, int room, zw_error *err);
/* The strip of tints and the unit circle of a panel; curve: those of the panel, with room for one
 * more. */
zw_status zw_figure_dress_orbits(zw_figure *f, int panel, zw_curve *curve, zw_error *err);

/* envelope.c: are two terms max(x) and min(x) of one quantity? The one that goes with a term, -1:
 * none. How many things the panel shows, such a pair counted once. */
bool zw_figure_is_envelope(const zw_spec *s, int a, int b);
int zw_figure_partner_in_envelope(const zw_spec *s, int term);
bool zw_figure_is_second(const zw_spec *s, int term); /* of such a pair */
int zw_figure_things(const zw_spec *s);
/* Steady motions beside results with max(x), min(x), mean(x), rms(x): a copy that has them too.
 * NULL in *out: they need none. */
zw_status zw_figure_measure_steady(zw_table **out, int nrun, const zw_figure_run *run, int which,
                                   zw_error *err);

/* inset.c: the windows of the options, into the panels. */
zw_status zw_figure_insets(zw_figure *f, const zw_figure_texts *inset, zw_error *err);

/* common_unit.c. The formulas of each axis of a panel so that its curves have one unit, as far as
 * their dimensions are the same. Is this the quantity of that name, in the unit that it has or in
 * another? */
zw_status zw_figure_common_units(zw_spec *s, int nrun, const zw_figure_run *run, zw_error *err);
bool zw_figure_draws(const char *quantity, const char *name);
/* The axis of the panel that a coordinate of a term belongs to. */
int zw_figure_axis(const zw_spec *s, int term, int coordinate);
/* Curves over one quantity in exactly two units get an axis each. */
zw_status zw_figure_part_units(zw_spec *s, int nrun, const zw_figure_run *run, zw_error *err);

#endif
