/* SPDX-License-Identifier: MIT */
/* A table of many motions as a page: the map, or the points, that zwang plot draws of it, and some
 * of its motions, run again. Columns with the names of parameters or starts of the model are the
 * settings of a motion; from them the page also constructs the command that shows any other motion.
 *
 * The rows of a map are sorted in the order of its grid, and its axes are removed from the table: a
 * million cells with their attractors and times take some ten megabytes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/units.h"
#include "internal.h"
#include "out/plots/grid.h"
#include "zwang/simulate.h"

enum {
    CELLS = 1000000, /* of a page, for maps */
    POINTS = 200000, /* and for points */
    COLUMNS = 8,     /* besides axes and settings */
    CLASSES = 64,
    PLACES = 256,
    WORDS = 200,
    ROWS_MIN = 40, /* rows of a motion */
    NAME = 120
};
#define VALUES_MAX 1.5e6 /* numbers of all motions, of 5.3 bytes each: 8 MB */
#define ROOT_SLACK 1e-9  /* the root of a square number may be below its integer by eps */
#define DURATION 10.0    /* [s]; of a motion, if the table does not say it */

typedef struct survey {
    zw_figure_page *p;
    const zw_table *t;
    const zw_figure_survey_options *o;
    zw_system *sys;
    zw_arena scratch;
    zw_spec spec;
    int axis[2], shown; /* columns of t */
    zw_out_grid grid;
    int stride;
    int nset;
    struct setting {
        int column; /* of t */
        bool start;
        char name[NAME];
        double factor; /* SI value of one unit */
    } * set;
    int *column; /* of t: its column in the page's table, -1: none */
    zw_page_survey *out;
    double until;
    long rows; /* of a motion */
} survey;

static void *allocate_entries(survey *s, size_t n, size_t size) {
    return zw_context_alloc(s->p->ctx, (n + 1) * size);
}

static const char *copy_text(survey *s, const char *text) {
    size_t n = strlen(text) + 1;
    char *out = zw_context_alloc(s->p->ctx, n);
    return out ? memcpy(out, text, n) : NULL;
}

/* ---- axes ---- */

bool zw_figure_is_survey(const zw_table *t) {
    zw_figure_choice choice = {0};
    const char *kind = zw_table_get_note(t, "kind");
    bool over_time = zw_table_find(t, "t") >= 0 && !(kind && strcmp(kind, "sweep") == 0);
    bool shares = zw_table_find(t, "share") >= 0 && zw_table_find(t, "attractor") >= 0;
    return zw_table_get_note(t, "text") && !over_time && !shares &&
           zw_figure_choose_many(&choice, t);
}

static zw_status find_plane(survey *s, zw_error *err) {
    zw_figure_choice choice = {0};
    zw_figure_choose_many(&choice, s->t);
    ZW_TRY(zw_spec_parse(&s->spec, choice.panel[0], err));
    bool map = s->spec.kind == ZW_SPEC_MAP;
    for (int a = 0; a < 2; a++)
        s->axis[a] = zw_table_find(s->t, s->spec.term[0].axis[a]);
    s->shown = map ? zw_table_find(s->t, s->spec.term[0].axis[2]) : s->axis[1];
    if (s->axis[0] < 0 || s->axis[1] < 0 || s->shown < 0)
        return zw_fail(err, ZW_E_FILE, "there is no plane to be shown: %s", choice.panel[0]);
    if (!map)
        return ZW_OK;
    ZW_TRY(zw_out_grid_find(&s->grid, &s->scratch, s->t, s->axis[0], s->axis[1], err));
    s->stride = 1;
    while ((double)s->grid.nx * s->grid.ny / s->stride / s->stride > CELLS)
        s->stride++;
    return ZW_OK;
}

/* ---- settings ---- */

/* "theta(0)" is theta */
static void plain_name(const char *column, char out[NAME]) {
    size_t n = strlen(column);
    bool start = n > 3 && strcmp(column + n - 3, "(0)") == 0;
    snprintf(out, NAME, "%.*s", (int)(start ? n - 3 : n), column);
}

static bool is_start(const zw_system *sys, const char *name) {
    for (int i = 0; i < sys->nq; i++)
        if (strcmp(sys->coord[i].name, name) == 0)
            return true;
    for (int i = 0; i < sys->nv; i++)
        if (strcmp(sys->velocity[i].name, name) == 0)
            return true;
    return false;
}

static bool is_param(const zw_system *sys, const char *name) {
    for (int i = 0; i < sys->np; i++)
        if (strcmp(sys->param[i].name, name) == 0)
            return true;
    return false;
}

static bool is_kind(const zw_table *t, const char *kind) {
    const char *said = zw_table_get_note(t, "kind");
    return said && strcmp(said, kind) == 0;
}

static bool has_axis_notes(const zw_table *t) {
    for (int i = 0; i < zw_table_notes(t); i++)
        if (strncmp(zw_table_note_key(t, i), "axis ", 5) == 0)
            return true;
    return false;
}

/* True for a setting of the motions. A column x may also be a measured one: in sweeps the notes
 * "axis NAME" decide, in basins settings are the columns before the attractor; elsewhere they are
 * parameters, the axes of the map, and NAME(0). */
static bool is_given(const survey *s, int k, const char *name, bool start) {
    char key[NAME + 8];
    snprintf(key, sizeof key, "axis %s", name);
    if (has_axis_notes(s->t))
        return zw_table_get_note(s->t, key) &&
               (!start || strcmp(name, zw_table_name(s->t, k)) != 0);
    if (is_kind(s->t, "basin"))
        return k < zw_table_find(s->t, "attractor");
    return !start || strcmp(name, zw_table_name(s->t, k)) != 0 ||
           (s->spec.kind == ZW_SPEC_MAP && (k == s->axis[0] || k == s->axis[1]));
}

static zw_status find_settings(survey *s, zw_error *err) {
    int n = zw_table_columns(s->t);
    s->set = allocate_entries(s, (size_t)n, sizeof *s->set);
    if (!s->set)
        return zw_out_of_memory(err, "the page");
    for (int k = 0; k < n; k++) {
        struct setting *set = &s->set[s->nset];
        const char *unit = zw_table_unit(s->t, k);
        zw_unit u;
        plain_name(zw_table_name(s->t, k), set->name);
        set->start = is_start(s->sys, set->name);
        if ((!set->start && !is_param(s->sys, set->name)) || !is_given(s, k, set->name, set->start))
            continue;
        set->column = k;
        set->factor = 1;
        if (unit[0] && zw_unit_parse(&u, unit, strlen(unit), (zw_place){0}, NULL) >= 0)
            set->factor = u.factor;
        s->nset++;
    }
    if (s->nset == 0)
        return zw_fail(err, ZW_E_FILE,
                       "no column of the table is a parameter or a start of its model: its motions "
                       "cannot be made again");
    return ZW_OK;
}

/* ---- the table of the page ---- */

static bool is_setting(const survey *s, int k) {
    for (int i = 0; i < s->nset; i++)
        if (s->set[i].column == k)
            return true;
    return false;
}

static zw_status make_columns(survey *s, zw_table *t) {
    int others = 0;
    for (int k = 0; k < zw_table_columns(s->t); k++) {
        bool axis = k == s->axis[0] || k == s->axis[1], wanted = is_setting(s, k) || k == s->shown;
        s->column[k] = -1;
        if ((s->grid.nx && axis) || (!axis && !wanted && others++ >= COLUMNS))
            continue;
        s->column[k] = zw_table_columns(t);
        ZW_TRY(zw_table_column(t, zw_table_name(s->t, k), zw_table_unit(s->t, k)));
    }
    s->out->number = zw_table_columns(t);
    return zw_table_column(t, "row of the file", "");
}

static zw_status put_row(survey *s, zw_table *t, long row, double *v) {
    for (int k = 0; k < zw_table_columns(s->t); k++)
        if (s->column[k] >= 0)
            v[s->column[k]] = row >= 0 ? zw_table_at(s->t, row, k) : (double)NAN;
    v[s->out->number] = row >= 0 ? (double)(row + 1) : (double)NAN;
    return zw_table_row(t, v);
}

static zw_status fill_table(survey *s, zw_table *t, double *v) {
    const zw_out_grid *g = &s->grid;
    long rows = zw_table_rows(s->t), step = (rows + POINTS - 1) / POINTS;
    for (int j = 0; j < g->ny; j += s->stride)
        for (int i = 0; i < g->nx; i += s->stride)
            ZW_TRY(put_row(s, t, g->row[(long)j * g->nx + i], v));
    for (long row = 0; g->nx == 0 && row < rows; row += step)
        ZW_TRY(put_row(s, t, row, v));
    return ZW_OK;
}

static zw_status make_table(survey *s, zw_error *err) {
    zw_table *t = s->p->table = zw_table_create(zw_table_allocator(s->t));
    double *v = allocate_entries(s, (size_t)zw_table_columns(s->t) + 1, sizeof *v);
    s->column = allocate_entries(s, (size_t)zw_table_columns(s->t), sizeof *s->column);
    if (!t || !v || !s->column || make_columns(s, t) < 0 || fill_table(s, t, v) < 0)
        return zw_out_of_memory(err, "the page");
    return ZW_OK;
}

/* ---- descriptions ---- */

static zw_status describe_axes(survey *s, zw_error *err) {
    zw_page_survey *o = s->out;
    for (int a = 0; a < 2; a++) {
        int n = a ? s->grid.ny : s->grid.nx, kept = 0;
        const double *from = a ? s->grid.y : s->grid.x;
        double *to = allocate_entries(s, (size_t)n, sizeof *to);
        o->name[a] = copy_text(s, zw_table_name(s->t, s->axis[a]));
        o->unit[a] = copy_text(s, zw_table_unit(s->t, s->axis[a]));
        if (!to || !o->name[a] || !o->unit[a])
            return zw_out_of_memory(err, "the page");
        for (int i = 0; i < n; i += s->stride)
            to[kept++] = from[i];
        *(a ? &o->ny : &o->nx) = kept;
        *(a ? &o->y : &o->x) = to;
        o->column[a] = s->column[s->axis[a]];
    }
    o->shown = s->column[s->shown];
    o->stride = s->stride;
    return ZW_OK;
}

/* a model without units accepts none */
static zw_status describe_settings(survey *s, zw_error *err) {
    zw_page_setting *set = allocate_entries(s, (size_t)s->nset, sizeof *set);
    if (!set)
        return zw_out_of_memory(err, "the page");
    for (int i = 0; i < s->nset; i++) {
        int k = s->set[i].column, own = s->column[k];
        set[i] =
            (zw_page_setting){.name = s->set[i].name,
                              .unit = copy_text(s, s->sys->no_units ? "" : zw_table_unit(s->t, k)),
                              .column = own >= 0          ? own
                                        : k == s->axis[0] ? -1
                                                          : -2};
        if (!set[i].unit)
            return zw_out_of_memory(err, "the page");
    }
    s->out->setting = set;
    s->out->nsetting = s->nset;
    return ZW_OK;
}

static zw_status describe_classes(survey *s, zw_error *err) {
    const char *name = zw_table_name(s->t, s->shown);
    zw_page_class *item = allocate_entries(s, CLASSES, sizeof *item);
    double(*mark)[2] = allocate_entries(s, PLACES, sizeof *mark);
    if (!item || !mark)
        return zw_out_of_memory(err, "the page");
    bool found = strcmp(name, "attractor") == 0, there[CLASSES] = {false};
    for (long row = 0; row < zw_table_rows(s->t); row++) {
        double z = zw_table_at(s->t, row, s->shown);
        if (isfinite(z) && (z != rint(z) || z < -1 || z > CLASSES - 2))
            return ZW_OK; /* these are not classes */
        if (isfinite(z))
            there[(int)z + 1] = true;
    }
    for (int k = 0; k < CLASSES; k++) {
        char words[WORDS];
        bool said = zw_figure_class_words(s->t, name, k - 1, words, sizeof words);
        found = found || said;
        if (!there[k])
            continue;
        if (!said)
            snprintf(words, sizeof words,
                     k > 1 ? "%.100s %d"
                     : k   ? "not decided"
                           : "failed",
                     name, k - 1);
        item[s->out->nclass++] = (zw_page_class){k - 1, copy_text(s, words)};
        s->out->nmark += zw_figure_class_places(s->t, name, k - 1, zw_table_name(s->t, s->axis[0]),
                                                zw_table_name(s->t, s->axis[1]),
                                                mark + s->out->nmark, PLACES - s->out->nmark);
    }
    if (!found)
        s->out->nclass = s->out->nmark = 0;
    s->out->item = item;
    s->out->mark = mark[0];
    return ZW_OK;
}

/* ---- overlays ---- */

/* the note WORD K, whose first line is a name and whose second one pairs of numbers; NULL if there
 * is none */
static const char *numbered_note(const survey *s, const char *word, int k) {
    char key[NAME];
    snprintf(key, sizeof key, "%s %d", word, k);
    const char *said = zw_table_get_note(s->t, key);
    return said && strchr(said, '\n') ? said : NULL;
}

static const char *first_line(survey *s, const char *said) {
    char name[WORDS];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(said, "\n"), said);
    return copy_text(s, name);
}

static zw_status describe_line(survey *s, const char *said, zw_page_line *out, zw_error *err) {
    const char *at = strchr(said, '\n');
    size_t most = 0;
    for (const char *c = at; *c; c++)
        most += *c == ';';
    double *to = allocate_entries(s, 2 * most + 2, sizeof *to);
    out->name = first_line(s, said);
    if (!to || !out->name)
        return zw_out_of_memory(err, "the page");
    for (out->n = 0; (size_t)out->n <= most; out->n++) {
        char *end[2];
        to[2 * out->n] = strtod(at, &end[0]);
        to[2 * out->n + 1] = strtod(end[0], &end[1]);
        if (end[0] == at || end[1] == end[0])
            break;
        at = end[1] + strspn(end[1], " ;");
    }
    out->at = to;
    return ZW_OK;
}

static zw_status describe_overlay(survey *s, zw_error *err) {
    zw_page_survey *o = s->out;
    int nline = 0, nspot = 0;
    while (nline < PLACES && numbered_note(s, "curve", nline))
        nline++;
    while (nspot < PLACES && numbered_note(s, "specimen", nspot))
        nspot++;
    zw_page_line *line = allocate_entries(s, (size_t)nline, sizeof *line);
    zw_page_spot *spot = allocate_entries(s, (size_t)nspot, sizeof *spot);
    if (!line || !spot)
        return zw_out_of_memory(err, "the page");
    for (int k = 0; k < nline; k++)
        ZW_TRY(describe_line(s, numbered_note(s, "curve", k), &line[k], err));
    for (int k = 0; k < nspot; k++) {
        const char *said = numbered_note(s, "specimen", k);
        zw_page_spot at = {.name = first_line(s, said)};
        if (!at.name)
            return zw_out_of_memory(err, "the page");
        if (sscanf(strchr(said, '\n'), " %lf %lf", &at.x, &at.y) == 2)
            spot[o->nspot++] = at;
    }
    o->line = line;
    o->nline = nline;
    o->spot = spot;
    o->pale = zw_figure_is_chart(s->t);
    return ZW_OK;
}

/* the words of the command that are the same for all motions */
static zw_status describe_command(survey *s, zw_error *err) {
    zw_model_options model;
    ZW_TRY(zw_result_model_options(s->p->ctx, s->t, NULL, &model, err));
    int most = 10 + 2 * (model.nset + model.nwith + model.nwithout + model.nlaw);
    const char **word = allocate_entries(s, (size_t)most, sizeof *word);
    const char *file = zw_table_get_note(s->t, "file");
    char until[40];
    int n = 0;
    if (!word)
        return zw_out_of_memory(err, "the page");
    word[n++] = "zwang";
    word[n++] = "view";
    word[n++] = copy_text(s, file && *file ? file : "MODEL");
    if (model.variant) {
        word[n++] = "--variant";
        word[n++] = model.variant;
    }
    const struct {
        const char *option;
        int n;
        const char *const *item;
    } list[] = {{"--set", model.nset, model.set},
                {"--with", model.nwith, model.with},
                {"--without", model.nwithout, model.without},
                {"--law", model.nlaw, model.law}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (int k = 0; k < list[i].n; k++) {
            word[n++] = list[i].option;
            word[n++] = list[i].item[k];
        }
    snprintf(until, sizeof until, "%.9g", s->until);
    word[n++] = "--until";
    word[n++] = copy_text(s, until);
    s->out->word = word;
    s->out->nword = n;
    const char *state = zw_table_get_note(s->t, "state");
    if (state && strcmp(state, "own starts") != 0)
        s->out->told =
            "The sweep took its state along; motions here begin at the start of the model.";
    return ZW_OK;
}

/* ---- motions ---- */

/* the time that most motions take to arrive, or that of the caller */
static double choose_until(const survey *s) {
    int k = zw_table_find(s->t, "time");
    double sum = 0;
    long n = 0;
    for (long row = 0; k >= 0 && row < zw_table_rows(s->t); row++) {
        double v = zw_table_at(s->t, row, k);
        if (isfinite(v) && v > 0) {
            sum += v;
            n++;
        }
    }
    if (s->o->until > 0 || n == 0)
        return s->o->until > 0 ? s->o->until : DURATION;
    double mean = sum / (double)n, power = pow(10, floor(log10(mean)));
    return ceil(1.2 * mean / power) * power;
}

static zw_status begin_motions(survey *s, zw_sim **sim, zw_error *err) {
    zw_sim_options o = zw_sim_options_default();
    const char *principle = zw_table_get_note(s->t, "principle"),
               *text = zw_table_get_note(s->t, "text"), *file = zw_table_get_note(s->t, "file");
    zw_model_options model;
    ZW_TRY(zw_result_model_options(s->p->ctx, s->t, NULL, &model, err));
    const zw_model_source source = {.text = text,
                                    .length = strlen(text),
                                    .file = file ? file : "the result",
                                    .options = &model};
    o.until = s->until;
    o.step_out = s->until / (double)(s->rows - 1);
    o.principle = principle;
    return zw_sim_create(sim, s->sys, &source, &o, err);
}

/* the settings of row `row` of the page's table; false if it has none */
static bool numbers_of(const survey *s, long row, zw_sim_number *number, zw_sim_numbers *out) {
    const zw_page_survey *o = s->out;
    zw_sim_number *start = number + s->nset;
    *out = (zw_sim_numbers){.param = number, .start = start};
    for (int i = 0; i < s->nset; i++) {
        int column = o->setting[i].column;
        double v = column >= 0    ? zw_table_at(s->p->table, row, column)
                   : column == -1 ? o->x[row % o->nx]
                                  : o->y[row / o->nx];
        const zw_sim_number n = {.name = s->set[i].name, .value = v * s->set[i].factor};
        if (!isfinite(v) || isnan(zw_table_at(s->p->table, row, o->number)))
            return false;
        if (s->set[i].start)
            start[out->nstart++] = n;
        else
            number[out->nparam++] = n;
    }
    return true;
}

static zw_status add_motion(survey *s, zw_sim *sim, long row, zw_page_orbit *orbit, zw_error *err) {
    zw_sim_number *number = ZW_NEW(&s->scratch, zw_sim_number, 2 * s->nset + 1);
    zw_sim_numbers numbers;
    zw_error own = {0};
    zw_figure_view *v;
    if (!number)
        return zw_out_of_memory(err, "the page");
    if (!numbers_of(s, row, number, &numbers))
        return ZW_OK;
    zw_status status = zw_sim_restart(sim, &numbers, &own);
    if (status >= 0)
        status = zw_sim_run(sim, &own);
    if (status == ZW_STOPPED || status == ZW_E_MEMORY) {
        *err = own;
        return status;
    }
    if (status < 0 || zw_table_rows(zw_sim_rows(sim)) < 2) {
        s->p->failed++;
        return ZW_OK;
    }
    ZW_TRY(zw_figure_view_create(&v, zw_sim_rows(sim), s->rows, err));
    char *scene = zw_scene_json(v->scene, v->sys);
    s->p->orbit[s->p->norbit] = v;
    orbit[s->p->norbit++] = (zw_page_orbit){.row = row,
                                            .result = v->result,
                                            .motion = v->scene->motion,
                                            .scene = scene,
                                            .view = &v->view};
    return scene ? ZW_OK : zw_out_of_memory(err, "the page");
}

/* evenly chosen rows; for a map in both directions */
static long choose_row(const survey *s, int k) {
    const zw_page_survey *o = s->out;
    int side = (int)floor(sqrt((double)s->o->motions) + ROOT_SLACK);
    long rows = zw_table_rows(s->p->table), n = rows < s->o->motions ? rows : s->o->motions;
    if (o->nx == 0)
        return k < n ? (long)((k + 0.5) * (double)rows / (double)n) : -1;
    int nx = side < o->nx ? side : o->nx, ny = side < o->ny ? side : o->ny;
    if (k >= nx * ny)
        return -1;
    int column = k % nx, row = k / nx;
    long i = (long)((column + 0.5) * o->nx / nx), j = (long)((row + 0.5) * o->ny / ny);
    return j * o->nx + i;
}

/* fewer rows for the next motions, so that the page does not become too large; the size is
 * estimated from the first one */
static long fewer_rows(const survey *s, const zw_page_orbit *first) {
    double width = zw_table_columns(first->result) +
                   (first->motion ? zw_table_columns(first->motion) : 0),
           most = VALUES_MAX / (width * s->o->motions);
    return most < (double)s->rows ? (long)fmax(most, ROWS_MIN) : s->rows;
}

static zw_status make_motions(survey *s, zw_page_orbit *orbit, zw_error *err) {
    zw_sim *sim = NULL;
    zw_status status = begin_motions(s, &sim, err);
    for (int k = 0; status >= 0; k++) {
        long row = choose_row(s, k);
        if (row < 0)
            break;
        status = add_motion(s, sim, row, orbit, err);
        if (status >= 0 && s->p->norbit == 1)
            s->rows = fewer_rows(s, &orbit[0]);
    }
    zw_sim_destroy(sim);
    return status;
}

/* ---- the whole page ---- */

static zw_status fill_survey(survey *s, zw_page_orbit *orbit, zw_error *err) {
    zw_figure_page *p = s->p;
    s->out = allocate_entries(s, 1, sizeof *s->out);
    if (!s->out)
        return zw_out_of_memory(err, "the page");
    ZW_TRY(zw_result_system(&s->sys, p->ctx, s->t, err));
    ZW_TRY(find_plane(s, err));
    ZW_TRY(find_settings(s, err));
    ZW_TRY(make_table(s, err));
    s->until = choose_until(s);
    ZW_TRY(describe_axes(s, err));
    ZW_TRY(describe_settings(s, err));
    ZW_TRY(describe_classes(s, err));
    ZW_TRY(describe_overlay(s, err));
    ZW_TRY(describe_command(s, err));
    ZW_TRY(make_motions(s, orbit, err));
    if (p->norbit == 0)
        return zw_fail(err, ZW_E_FILE, "none of the motions that were tried could be run (%d)",
                       p->failed);
    int start = p->norbit / 2;
    const zw_page_orbit *first = &orbit[start];
    p->v = p->orbit[start];
    ZW_TRY(zw_figure_page_equations(p, err));
    p->page = (zw_page){.name = p->v->sys->name,
                        .title = p->v->sys->title,
                        .variant = p->v->sys->variant,
                        .result = first->result,
                        .motion = first->motion,
                        .scene = first->scene,
                        .equations = p->equations,
                        .view = first->view,
                        .branch = p->table,
                        .norbit = p->norbit,
                        .orbit = orbit,
                        .start = start,
                        .survey = s->out};
    return ZW_OK;
}

zw_status zw_figure_survey_page_create(zw_figure_page **out, const zw_table *t,
                                       const zw_figure_survey_options *options, zw_error *err) {
    zw_figure_survey_options o = options ? *options : (zw_figure_survey_options){0};
    o.motions = o.motions > 0 ? o.motions : 36;
    o.rows = o.rows > 1 ? o.rows : 400;
    *out = NULL;
    zw_context *ctx = zw_context_create(zw_table_allocator(t));
    zw_figure_page *p = ctx ? zw_context_alloc(ctx, sizeof *p) : NULL;
    if (!p) {
        zw_context_destroy(ctx);
        return zw_out_of_memory(err, "the page");
    }
    p->ctx = ctx;
    survey s = {.p = p, .t = t, .o = &o, .stride = 1, .rows = o.rows};
    p->orbit = zw_context_alloc(ctx, sizeof(zw_figure_view *) * (size_t)(o.motions + 1));
    zw_page_orbit *orbit = zw_context_alloc(ctx, sizeof *orbit * (size_t)(o.motions + 1));
    p->page.orbit = orbit;
    zw_arena_init(&s.scratch, zw_table_allocator(t));
    zw_status status =
        p->orbit && orbit ? fill_survey(&s, orbit, err) : zw_out_of_memory(err, "the page");
    zw_arena_clear(&s.scratch);
    if (status < 0)
        zw_figure_page_destroy(p);
    else
        *out = p;
    return status;
}

int zw_figure_survey_failed(const zw_figure_page *p) {
    return p->failed;
}
