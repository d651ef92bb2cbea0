/* SPDX-License-Identifier: MIT */
/* Implemented in src/figure. */
/* From results and a few words to a picture, the language of `zwang plot`; from a result to the
 * page of `zwang view`.
 *
 *     y:t              y over t
 *     x+y:t            two curves over t; also x:t+y:s
 *     x;F:t            x over t, and F with an axis of its own on the right-hand side
 *     x,y              the path in the plane of x and y, with equal axes if the units are equal
 *     x,y,z            the path in space
 *     z:x,y            a map: z over x and y in colours
 *     q05(x)..q95(x):t a band between two quantities over t
 *     hist(x)          how often x has which value
 *     re:Omega         all columns re(1), re(2), ... over Omega; re(1-3,7) some of them
 *     multipliers      of a branch of orbits, in the complex plane
 *     deg(theta):t     formulas of columns: + - * / ^ of whole numbers, brackets, deg, abs, sqrt,
 *                      sin,
 *                      cos, tan, exp, log, log10
 *
 * One text is one panel; every run gives its own curves. In a formula all columns are in SI units
 * and the units are reckoned along: x + t is rejected. A column alone keeps the unit that it has.
 * Curves of one panel in two different units get an axis each, the second one on the right-hand
 * side.
 *
 * Notes "mark 0", "mark 1", ... of a table are signs in the picture, their value is
 *     KIND VALUE [RE IM TRACKS] [; words]
 * VALUE is one of the first column; RE and IM are re(k), im(k) there for the TRACKS k, "5,6".
 * Without them the sign stands on all curves.
 *
 *   zw_figure *f;
 *   zw_figure_run run = {.table = zw_sim_rows(sim)};
 *   status = zw_figure_create(&f, 1, (const char *const[]){"deg(theta):t"}, 1, &run, NULL, &err);
 *   if (status >= 0)
 *       status = zw_plot(zw_figure_picture(f), "run.pdf", NULL, &err);
 *   zw_figure_destroy(f);
 *
 * Messages call things by the names that they have in the command: --plot, --range, --at, --set. */
#ifndef ZWANG_FIGURE_H
#define ZWANG_FIGURE_H

#include "model.h"
#include "plot.h"
#include "simulate.h"
#include "view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- columns by formulas ---- */

/* A further column after the others, from a formula of those; name NULL: the formula itself. */
ZW_API zw_status zw_figure_column(zw_table *t, const char *formula, const char *name,
                                  zw_error *err);
/* The formulas as columns of a new table, row by row with `from` and with its notes; to be
 * destroyed. A column is called by its formula, but deg(theta) is still theta, if no other column
 * is, and abs(x) is |x|. */
ZW_API zw_status zw_figure_table(zw_table **out, const zw_table *from, int n,
                                 const char *const *formula, zw_error *err);
/* The rows of one event (of any: "all") from a table of events (zw_sim_events, or its file); a new
 * table, to be destroyed. The names are checked also if there are no rows yet. */
ZW_API zw_status zw_figure_at_event(zw_table **out, const zw_table *events, const char *name,
                                    zw_error *err);

/* Is every name of a panel a column of the table? If not, orbits of a branch may have them
 * (zw_figure_run.orbits). */
ZW_API bool zw_figure_is_drawn_from(const zw_table *t, const char *panel);

/* The orbits of a branch in its table, sampled for pictures and pages: those of zwang orbit, or the
 * motions of zwang response with their harmonics. */
typedef struct zw_figure_branch {
    zw_context *ctx;
    zw_table *orbits, *multipliers; /* for zw_figure_run; NULL: none */
    int all;                        /* number of orbits in the table */
    long row;                       /* row of the orbit that `point` names; -1: none */
} zw_figure_branch;
ZW_API bool zw_figure_has_orbits(const zw_table *t);
/* Does one of the panels need them? To read them takes time. */
ZW_API bool zw_figure_needs_orbits(const zw_table *t, int npanel, const char *const *panel);
/* At most `most` of them, each at `points` instants; point: the name of one that must be among them,
 * or NULL. It must be closed, also after a failure. */
ZW_API zw_status zw_figure_branch_open(zw_figure_branch *b, const zw_table *t, int most, int points,
                                       const char *point, zw_error *err);
ZW_API void zw_figure_branch_close(zw_figure_branch *b);

/* ---- figures ---- */

typedef struct zw_figure zw_figure;

typedef struct zw_figure_run {
    const zw_table *table;
    const char *label; /* in the markup of labels (plot.h); not needed for a single run */
    /* Of a branch of orbits, or NULL: their motions one after the other, and their multipliers. The
     * first column tells the orbit by a number, the second the parameter; t and states follow, or
     * re(mu) and im(mu). */
    const zw_table *orbits, *multipliers;
} zw_figure_run;

typedef struct zw_figure_texts {
    int n;
    const char *const *item;
} zw_figure_texts;

typedef enum zw_figure_axes {
    ZW_FIGURE_AXES_AUTO,  /* equal for paths whose columns have one unit */
    ZW_FIGURE_AXES_EQUAL, /* one unit is as long on all axes */
    ZW_FIGURE_AXES_FREE   /* every axis fills its room */
} zw_figure_axes;

typedef enum zw_figure_colours {
    /* classes where the values have names or the column is called attractor; diverging where there
     * are both signs; otherwise even */
    ZW_FIGURE_COLOURS_AUTO,
    ZW_FIGURE_COLOURS_EVEN,
    ZW_FIGURE_COLOURS_DIVERGING,
    ZW_FIGURE_COLOURS_CLASSES
} zw_figure_colours;

/* How it looks. Begin with zw_figure_options_default(). */
typedef struct zw_figure_options {
    size_t size;              /* of this struct, for the library */
    const char *title;        /* NULL: none */
    zw_figure_texts label[3]; /* of the axes x, y, z: none, one for all panels or one for each */
    zw_figure_texts legend;   /* names of the runs or, of one run, of the curves */
    zw_figure_texts
        range; /* "t=0:5", "x=5:": what the axes of these quantities show; "2:t=0:5": in panel 2 */
    zw_figure_axes axes;           /* ZW_FIGURE_AXES_AUTO */
    int columns;                   /* panels side by side, 1 */
    bool logx, logy;               /* decades */
    bool points;                   /* dots instead of lines */
    bool grid;                     /* light lines at the numbers */
    double width, height;          /* mm; 0: by the number of panels, 120 x 90 for one */
    double azimuth, elevation;     /* deg; from where a space is seen: -60, 25 */
    const zw_allocator *allocator; /* of everything that is made; NULL: malloc */
    const char *font;              /* a family that is installed; NULL: that of the house */
    double font_size;              /* of labels, points; 0: 9 */
    bool logy2;                    /* decades on the right-hand axis */
    zw_figure_texts right;         /* its labels, as those of the others */
    /* a column: lines are dashed where it is zero; NULL: "stable", where results of a kind have
     * it */
    const char *solid;
    bool linear; /* no decades but those of logx, logy, logy2, whatever the kind of results */
    zw_figure_texts
        style; /* of the curves of every panel, run by run: "black", "red dashed", "blue discs" */
    /* windows that are magnified: "30:30.2", with y "30:30.2,1:2", in panel 2 "2:30:30.2", " at
     * upper left" after it */
    zw_figure_texts inset;
    /* of maps: */
    bool logz;                 /* decades of the colours */
    zw_figure_colours colours; /* ZW_FIGURE_COLOURS_AUTO */
    const char *shade;         /* a column: classes are the darker the larger it is; NULL: none */
    const char *levels;        /* contour lines: "auto", or a list of values; NULL: none */
    int bins;                  /* of histograms; 0: chosen */
    /* of several panels, and texts in them: */
    zw_figure_texts titles;   /* above the panels, in their order */
    zw_figure_texts runs;     /* "2:4-6": panel 2 shows the runs 4 to 6 only */
    zw_figure_texts annotate; /* "v1=0.05,1.2", "2:start=1,2,0 black crosses" */
} zw_figure_options;

ZW_API void zw_figure_options_init(zw_figure_options *options, size_t size);
static inline zw_figure_options zw_figure_options_default(void) {
    zw_figure_options o;
    zw_figure_options_init(&o, sizeof o);
    return o;
}

/* What to draw of these runs if nothing is said: texts of panels, where the system is over the
 * time. What has another unit, or would be flat next to the others, has a panel of its own. n is 0
 * if there is nothing to be drawn. */
enum { ZW_FIGURE_CHOICE = 6 };
typedef struct zw_figure_choice {
    int n;
    char panel[ZW_FIGURE_CHOICE][640];
} zw_figure_choice;
ZW_API void zw_figure_choose(zw_figure_choice *out, int nrun, const zw_figure_run *run);

/* A figure of npanel texts, with the curves of nrun runs in each. Tables without rows will do to
 * ask whether it can be drawn, before anything is computed. options may be NULL; nothing of the
 * arguments is needed any more afterwards. *out is NULL after a failure. */
ZW_API zw_status zw_figure_create(zw_figure **out, int npanel, const char *const *panel, int nrun,
                                  const zw_figure_run *run, const zw_figure_options *options,
                                  zw_error *err);
ZW_API void zw_figure_destroy(zw_figure *f);
/* To be drawn by zw_plot or zw_plot_bytes; lives as long as the figure. */
ZW_API const zw_picture *zw_figure_picture(const zw_figure *f);
/* What is drawn of one run: a table of the quantities of all panels, owned by the figure. */
ZW_API const zw_table *zw_figure_drawn(const zw_figure *f, int run);
/* The numbers that the picture shows, into an empty table: rows that lie in the ranges, with the
 * notes of the results. Of several runs, the columns of run k are called NAME#k and stand side by
 * side; a run that has fewer rows than others ends with nan; notes that are not the same in all
 * runs are called KEY#k. */
ZW_API zw_status zw_figure_data(const zw_figure *f, zw_table *to, zw_error *err);

/* The short way: one panel of one result into a file (.svg, .pdf, .png, .tex); panel NULL: those that
 * zwang plot chooses. Orbits of a branch are read if the panel needs them. */
ZW_API zw_status zw_figure_draw(const zw_table *result, const char *panel, const char *path,
                                zw_error *err);

/* ---- pages ---- */

typedef struct zw_figure_page zw_figure_page;

/* A result as a page of the viewer: at most `rows` of its rows (2 or more), the drawings of its
 * model along them and the equations by its principle, unless they are too long to be read. The
 * model is in the notes of the result (ZW_E_FILE if not); the result is not needed any more
 * afterwards. *out is NULL after a failure. */
ZW_API zw_status zw_figure_page_create(zw_figure_page **out, const zw_table *result, long rows,
                                       zw_error *err);
/* A branch of orbits as a page: its table, and of each of branch->orbits the motion, with the
 * multipliers if they are there; of very many orbits some. row: that of the orbit that is shown
 * first, -1: one in the middle. */
ZW_API zw_status zw_figure_branch_page_create(zw_figure_page **out, const zw_figure_run *branch,
                                              long row, zw_error *err);
/* A table of many motions as a page: the map or the points that zwang plot draws of it if nothing
 * is said, and `motions` of its motions, evenly chosen, run again up to `until`; those that fail
 * are left out and counted. */
typedef struct zw_figure_survey_options {
    double until; /* s; 0: chosen */
    int motions;  /* at most; 36 */
    long rows;    /* of a motion; 400 */
} zw_figure_survey_options;
ZW_API zw_status zw_figure_survey_page_create(zw_figure_page **out, const zw_table *t,
                                              const zw_figure_survey_options *options,
                                              zw_error *err);
/* Is it such a table? */
ZW_API bool zw_figure_is_survey(const zw_table *t);
/* How many motions were wanted and failed. */
ZW_API int zw_figure_survey_failed(const zw_figure_page *p);
/* Any result as a page: the panels that zwang plot draws of it (npanel 0: those that it chooses),
 * to be looked at closely, with all columns of each row; of a motion below what moves. At most
 * `rows` rows of each table; 0: 2000 of what moves, and of what is drawn as many as a page can well
 * have. Of the run a label is not needed; orbits are, if panels show them. */
ZW_API zw_status zw_figure_result_page_create(zw_figure_page **out, const zw_figure_run *run,
                                              int npanel, const char *const *panel, long rows,
                                              zw_error *err);
/* The page that zwang view makes of a table: of a branch of orbits, of many motions, of a motion, or
 * its figure. options NULL: all defaults. */
typedef struct zw_figure_page_options {
    int npanel;               /* 0: chosen */
    const char *const *panel; /* as for zw_figure_create */
    long rows;                /* most rows of each motion; 0: chosen */
    int orbits;               /* most orbits or motions; 0: chosen */
    const char *point;        /* the orbit of a branch that is seen first: "LP1"; NULL: chosen */
    double until;             /* end of many motions, s; 0: chosen */
} zw_figure_page_options;
ZW_API zw_status zw_figure_show_page(zw_figure_page **out, const zw_table *t,
                                     const zw_figure_page_options *options, zw_error *err);
/* How many orbits the table of such a page has; 0: it is no branch. */
ZW_API int zw_figure_page_orbits(const zw_figure_page *p);
/* Is there something to be seen in space: is it a motion, and are all columns there that the
 * drawings of its model need? */
ZW_API bool zw_figure_is_motion(const zw_table *t);
/* Of the figure of such a page: how many rows are in it, and how many there are. */
ZW_API void zw_figure_page_rows(const zw_figure_page *p, long *kept, long *all);
/* The orbit of a row of the branch over one period, as the result of a run; a new table. */
ZW_API zw_status zw_figure_orbit_result(zw_table **out, const zw_figure_run *branch, long row,
                                        zw_error *err);
ZW_API void zw_figure_page_destroy(zw_figure_page *p);
/* To be written by zw_page_write or zw_page_bytes; lives as long as the figure page. */
ZW_API const zw_page *zw_figure_page_content(const zw_figure_page *p);
/* What moves in it, and what could not be drawn; NULL where nothing moves. */
ZW_API const zw_scene *zw_figure_page_scene(const zw_figure_page *p);

/* ---- stills and films ---- */

typedef struct zw_figure_view zw_figure_view;

/* A result as a motion in space, to be seen by zw_view_still and zw_film_write: at most `rows` of
 * its rows, the drawings of its model along them. The model is in the notes of the result
 * (ZW_E_FILE if not); the result is not needed any more afterwards. *out is NULL after a
 * failure. */
ZW_API zw_status zw_figure_view_create(zw_figure_view **out, const zw_table *result, long rows,
                                       zw_error *err);
ZW_API void zw_figure_view_destroy(zw_figure_view *v);
/* Lives as long as the figure view. */
ZW_API const zw_view *zw_figure_view_content(const zw_figure_view *v);
/* What is drawn in it, and what could not be; the name of the model. */
ZW_API const zw_scene *zw_figure_view_scene(const zw_figure_view *v);
ZW_API const char *zw_figure_view_name(const zw_figure_view *v);

/* ---- several instants in one picture ---- Instants are said as --strobe says them: "0.1,0.2,0.35"
 * a list, "0:2:0.25" from, to and step, "8" this many at equal distances over the whole motion.
 * Times are in s or have a unit of their own; one after the last is that of all. */

typedef struct zw_figure_strobe zw_figure_strobe;

/* What is shown. Each instant is that of a row of the result, the nearest one: nothing is made up
 * between rows. */
typedef struct zw_figure_instants {
    int n;
    double asked[ZW_STROBE_MAX], t[ZW_STROBE_MAX]; /* s; t: that of the row */
    /* is t away from what was asked by more than a tenth of the time between instants? */
    bool far[ZW_STROBE_MAX];
} zw_figure_instants;

/* Which instants a text means for a motion from first to last. Rejected is what cannot be read,
 * does not ascend, is outside or too much. rows is NULL, or the result whose rows are to be taken;
 * it must have distinct ones. */
ZW_API zw_status zw_figure_instants_read(zw_figure_instants *out, const char *text, double first,
                                         double last, const zw_table *rows, zw_error *err);
/* A step between rows, no longer than `most`, that has all of these instants of a motion from first
 * on; `most` if there is none. */
ZW_API double zw_figure_instants_step(const zw_figure_instants *instants, double first,
                                      double most);

/* A result at the instants of a text, to be drawn by zw_strobe_write. The model is in the notes of
 * the result (ZW_E_FILE if not); the result is not needed any more afterwards. *out is NULL after a
 * failure. */
ZW_API zw_status zw_figure_strobe_create(zw_figure_strobe **out, const zw_table *result,
                                         const char *text, zw_error *err);
ZW_API void zw_figure_strobe_destroy(zw_figure_strobe *s);
ZW_API const zw_figure_instants *zw_figure_strobe_instants(const zw_figure_strobe *s);
/* The motion from the first instant to the last one, what is drawn in it, and the rows of the
 * instants with the notes of the result. */
ZW_API const zw_view *zw_figure_strobe_content(const zw_figure_strobe *s);
ZW_API const zw_scene *zw_figure_strobe_scene(const zw_figure_strobe *s);
ZW_API const zw_table *zw_figure_strobe_rows(const zw_figure_strobe *s);

/* ---- series: several runs of one model ---- A setting with commas outside brackets is a list:
 * "nu=0,5,10 g/s" is three runs, two such lists are all pairs, the last one changing fastest; so is
 * the variant "a,b". A unit after the last value holds for the values that have none; if there is
 * none at all, the SI unit of the name does. */

/* How many runs the settings ask for. */
ZW_API long zw_figure_series_count(const zw_model_options *lists);
/* The settings of run k of them; k = -1: without the lists, which then stand for the value of the
 * model. Strings live in ctx. sys knows the units of names; it may be NULL if every list has a unit
 * or is none. */
ZW_API zw_status zw_figure_series_run(zw_model_options *out, zw_context *ctx,
                                      const zw_model_options *lists, long k, const zw_system *sys,
                                      zw_error *err);
/* What tells a run from the others of its series, in the markup of labels: nu = 5 {g/s}. Units that
 * were not given come from its result. "" if there are no lists. */
ZW_API void zw_figure_series_label(const zw_model_options *run, const zw_model_options *lists,
                                   const zw_table *result, char *label, size_t size);

#ifdef __cplusplus
}
#endif
#endif
