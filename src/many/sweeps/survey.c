/* SPDX-License-Identifier: MIT */
/* Creates a sweep, and computes blocks of its motions. */
#include "survey.h"
#include "sim/options.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/flag.h"
#include "base/option.h"
#include "zwang/simulate.h"

/* of the public options: of the range for a jump, of the size of a motion for its period */
#define DEFAULT_TOLERANCE 1e-3
/* of a row's step: a duration of whole steps counts as such, also if it is printed with seven
 * digits */
#define WHOLE_STEPS 1e-6
#define LARGEST_COUNT 1e15 /* below 2^53 = 9.007e15: counts are exact as doubles */
/* bytes of rows in one allocation; beyond, each motion allocates its own */
#define LARGEST_ROWS 1e9 /* of a motion: 8 GB for each column */
#define LARGEST_SLAB 4e9

enum {
    SAMPLES_PER_PERIOD = 64,      /* at least */
    SAMPLES_PER_HARMONIC = 16,    /* in a period of the highest harmonic */
    SAMPLES_WITHOUT_DRIVE = 1024, /* in the whole duration */
    FINER_WITH_KINKS = 4          /* factor for nonsmooth quantities */
};

void zw_survey_options_init(zw_survey_options *options, size_t size) {
    const zw_survey_options fallback = {.size = sizeof fallback,
                                        .jump_width = DEFAULT_TOLERANCE,
                                        .period_tolerance = DEFAULT_TOLERANCE};
    zw_options_begin(options, size, &fallback, sizeof fallback);
}

/* ---- creation ---- */

/* Reads the columns of a run, with the default measures if none are given. */
static zw_status read_measures(zw_survey *s, const zw_model_source *source,
                               const zw_ensemble_options *ensemble, zw_error *err) {
    zw_sim_options o = zw_sim_options_default();
    zw_sim *sim;
    zw_text text;
    o.until = 0;
    o.jit = ZW_JIT_NEVER;
    o.principle = ensemble->principle;
    o.run = ensemble->run;
    if (ensemble->contacts)
        zw_sim_options_share(&o, ensemble->contacts);
    ZW_TRY(zw_sim_create(&sim, s->sys, source, &o, err));
    zw_text_init(&text, NULL);
    for (int i = 0; i < s->sys->nq; i++)
        zw_text_printf(&text, "%smax(%s), rms(%s)", i ? ", " : "", s->sys->coord[i].name,
                       s->sys->coord[i].name);
    zw_status status =
        text.failed
            ? zw_out_of_memory(err, NULL)
            : zw_measures_read(&s->measures, s->sys, zw_sim_rows(sim),
                               s->options.measure ? s->options.measure : zw_text_get(&text), err);
    zw_text_clear(&text);
    zw_sim_destroy(sim);
    return status;
}

static zw_status read_rows(zw_survey *s, zw_error *err) {
    const char *rows = s->options.rows;
    bool asked = zw_measures_have(&s->measures, ZW_MEASURE_ROW);
    s->row_event = -1;
    if (!rows && asked) {
        for (int i = 0; i < s->measures.n; i++)
            if (s->measures.item[i].kind == ZW_MEASURE_ROW) {
                const char *name = s->measures.item[i].name;
                zw_fail(err, ZW_E_OPTION, "--measure %s: at which times?", name);
                zw_error_hint(err,
                              "last(%s), or rows within a motion: --rows strobe, --rows EVENT, "
                              "--rows 0.1s",
                              name);
                break;
            }
        return ZW_E_OPTION;
    }
    if (!rows)
        return ZW_OK;
    if (s->options.jump > 0)
        return zw_fail(err, ZW_E_OPTION, "--jump: jumps are located without --rows");
    if (strcmp(rows, "strobe") == 0) {
        s->rows = ZW_SURVEY_STROBE;
        return ZW_OK;
    }
    s->row_event = zw_measure_find_event(s->sys, rows);
    if (s->row_event >= 0) {
        s->rows = ZW_SURVEY_EVENT_ROWS;
        return zw_measures_event(&s->measures, s->row_event) < 0 ? zw_out_of_memory(err, NULL)
                                                                 : ZW_OK;
    }
    zw_duration every;
    if (zw_duration_read(&every, "--rows", rows, NULL) < 0 || every.periods || every.value <= 0) {
        zw_fail(err, ZW_E_OPTION, "--rows %.60s: neither an event of the model nor a time", rows);
        zw_error_hint(err,
                      "--rows strobe (once a period of the excitation), --rows EVENT, --rows 0.1s");
        return ZW_E_OPTION;
    }
    s->rows = ZW_SURVEY_TIME_ROWS;
    s->row_step = every.value;
    return ZW_OK;
}

/* May contacts or events make the motion nonsmooth? */
static bool is_nonsmooth(const zw_system *s) {
    for (int i = 0; i < s->nevent; i++)
        if (s->event[i].naction)
            return true;
    for (int i = 0; i < s->ncontact; i++)
        if (!s->contact[i].off)
            return true;
    return false;
}

/* Harmonics of nonsmooth quantities, by contacts, events, rates or observables, are integrated
 * piece by piece. Roots do not count: motions hardly ever reach the end of their domain. */
static zw_status find_kinks(zw_survey *s, zw_error *err) {
    const zw_measures *m = &s->measures;
    zw_smoothness *list;
    int n;
    if (!zw_measures_have(m, ZW_MEASURE_HARMONIC) && !zw_measures_have(m, ZW_MEASURE_PHASE))
        return ZW_OK;
    s->kinks = is_nonsmooth(s->sys);
    if (!s->kinks) {
        ZW_TRY(zw_equations_smoothness(&s->eq, &list, &n, err));
        for (int i = 0; i < n; i++)
            s->kinks =
                s->kinks || (list[i].kink.op != ZW_OP_PRODUCT && list[i].in != ZW_KINKS_AT_EVENTS);
    }
    s->samples *= s->kinks ? FINER_WITH_KINKS : 1;
    return ZW_OK;
}

/* Chooses the number of samples, and whether the period of the excitation is needed. */
static zw_status choose_samples(zw_survey *s, zw_error *err) {
    const zw_measures *m = &s->measures;
    int highest = 0;
    bool share = zw_measures_have(m, ZW_MEASURE_SHARE);
    bool period = zw_measures_have(m, ZW_MEASURE_PERIOD);
    for (int i = 0; i < m->n; i++)
        if (m->item[i].kind == ZW_MEASURE_HARMONIC || m->item[i].kind == ZW_MEASURE_PHASE)
            highest = m->item[i].harmonic > highest ? m->item[i].harmonic : highest;
    s->strobes = period;
    bool strobes = s->rows == ZW_SURVEY_STROBE || (period && s->rows != ZW_SURVEY_EVENT_ROWS);
    s->driven = highest > 0 || strobes || s->transient.periods || s->duration.periods;
    if ((highest > 0 || strobes) &&
        (!s->duration.periods || s->duration.value != floor(s->duration.value))) {
        zw_fail(err, ZW_E_OPTION, "%s need a whole number of periods to measure",
                highest > 0 ? "harmonics" : "strobes");
        zw_error_hint(err, "--for \"50 periods\"");
        return ZW_E_OPTION;
    }
    if (period && strobes && s->duration.value < 6) {
        zw_fail(err, ZW_E_OPTION, "--measure period: %g periods are too few to see one",
                s->duration.value);
        zw_error_hint(err, "--for \"30 periods\": up to a third of them is found");
        return ZW_E_OPTION;
    }
    if (highest > 0 || (share && s->driven))
        s->samples = SAMPLES_PER_PERIOD > SAMPLES_PER_HARMONIC * highest
                         ? SAMPLES_PER_PERIOD
                         : SAMPLES_PER_HARMONIC * highest;
    else if (share)
        s->samples = SAMPLES_WITHOUT_DRIVE;
    else if (strobes)
        s->samples = 1;
    return ZW_OK;
}

static zw_status read_times(zw_survey *s, zw_error *err) {
    const zw_survey_options *o = &s->options;
    ZW_TRY(zw_duration_read(&s->transient, "--transient", o->transient ? o->transient : "0", err));
    ZW_TRY(zw_duration_read(&s->duration, "--for", o->duration ? o->duration : "10", err));
    if (s->duration.value <= 0)
        return zw_fail(err, ZW_E_OPTION, "--for: the time of measuring must be positive");
    return ZW_OK;
}

static zw_status check_carry(const zw_survey *s, zw_error *err) {
    const zw_axis *a = zw_plan_axis(s->plan, 0);
    if (s->options.jump > 0 && !s->options.carry)
        return zw_fail(err, ZW_E_OPTION,
                       "--jump: jumps are those of a state that is carried on "
                       "(--carry)");
    if (!s->options.carry)
        return ZW_OK;
    if (!a || a->start || a->n < 2 || a->kind == ZW_AXIS_COLUMN) {
        zw_fail(err, ZW_E_OPTION,
                "--carry: the state is carried on along the first --over, which has to be a "
                "parameter with two values at least");
        zw_error_hint(err, "--over Omega=1:8:0.01 --carry both");
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

/* Adds the state if its period is measured; periods of its entries. */
static zw_status watch_state(zw_survey *s, zw_error *err) {
    double p[s->sys->np + 1];
    zw_expr symbol[s->sys->np + 1];
    s->nx = s->sys->nq + s->sys->nv;
    s->period_first = -1;
    s->turn = calloc((size_t)s->nx + 1, sizeof *s->turn);
    if (!s->turn)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_param_values(s->sys, p, err));
    for (int i = 0; i < s->sys->np; i++)
        symbol[i] = s->sys->param[i].sym;
    for (int i = 0; i < s->sys->nq; i++)
        if (s->sys->coord[i].period)
            s->turn[i] = fabs(zw_eval(s->ctx, s->sys->coord[i].period, s->sys->np, symbol, p));
    if (!s->strobes)
        return ZW_OK;
    for (int i = 0; i < s->nx; i++) {
        const char *name =
            i < s->sys->nq ? s->sys->coord[i].name : s->sys->velocity[i - s->sys->nq].name;
        const char **wider =
            realloc(s->measures.quantity, sizeof *wider * (size_t)(s->measures.nquantity + 1));
        char *copy = strdup(name);
        if (wider)
            s->measures.quantity = wider;
        if (!wider || !copy) {
            free(copy);
            return zw_out_of_memory(err, NULL);
        }
        if (i == 0)
            s->period_first = s->measures.nquantity;
        wider[s->measures.nquantity++] = copy;
    }
    return ZW_OK;
}

/* The rows of one motion are in memory until it ends. */
static zw_status check_rows(const zw_survey *s, zw_error *err) {
    const double most = LARGEST_ROWS;
    if (!((double)zw_survey_rows(s) > most))
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "a motion would have %s%.3g rows",
            zw_survey_rows(s) < 1000000000000000u ? "" : "more than ", (double)zw_survey_rows(s));
    zw_error_hint(err, "fewer --rows, a shorter time (--for), fewer values of a continued state");
    return ZW_E_OPTION;
}

/* The step of the noise, if it is not given: the shortest of those that some points need, from the
 * first to the last. */
static zw_status choose_step(zw_survey *s, const zw_model_source *source,
                             const zw_ensemble_options *ensemble, zw_error *err) {
    double axis[ZW_PLAN_AXES];
    zw_sim_number number[2 * ZW_PLAN_AXES];
    s->shared = zw_sim_options_default();
    if (ensemble->contacts)
        zw_sim_options_share(&s->shared, ensemble->contacts);
    s->noise_error = NAN;
    if (!zw_system_is_random(s->sys))
        return ZW_OK;
    if (s->options.carry)
        return zw_fail(err, ZW_E_OPTION, "--carry: with noise every value has its own motions");
    enum { POINTS_LOOKED_AT = 9 }; /* points that are tested for the step of the noise */
    double given = s->shared.noise_step;
    uint64_t last = zw_plan_points(s->plan) - 1,
             looks = last < POINTS_LOOKED_AT ? last : POINTS_LOOKED_AT - 1;
    s->noises_commute = true;
    for (uint64_t k = 0; k <= looks; k++) {
        uint64_t point = looks ? k * (last / looks) + k * (last % looks) / looks : 0;
        bool commute = true;
        zw_sim_options o = s->shared;
        zw_sim_numbers numbers = {.param = number, .start = number + ZW_PLAN_AXES};
        zw_sim *sim;
        zw_plan_point(s->plan, point, axis);
        for (int i = 0; i < s->naxis; i++) {
            const zw_axis *a = zw_plan_axis(s->plan, i);
            number[a->start ? ZW_PLAN_AXES + numbers.nstart++ : numbers.nparam++] =
                (zw_sim_number){.index = a->index, .value = axis[i]};
        }
        double T = s->carries_phase ? zw_survey_period(s, axis, err) : NAN;
        o.path = (long)zw_plan_sample(s->plan, point);
        o.noise_step = given;
        o.until = s->transient.value * (s->transient.periods ? T : 1) +
                  s->duration.value * (s->duration.periods ? T : 1);
        o.principle = ensemble->principle;
        o.run = ensemble->run;
        o.stop = ensemble->stop;
        o.user = ensemble->stop_user;
        o.numbers = &numbers;
        ZW_TRY(zw_sim_create(&sim, s->sys, source, &o, err));
        zw_sim_info info = zw_sim_statistics(sim);
        zw_status status = zw_sim_noises_commute(sim, &commute, err);
        zw_sim_destroy(sim);
        ZW_TRY(status);
        s->noises_commute = s->noises_commute && commute;
        if (given > 0)
            break;
        s->noise_error = k ? fmax(s->noise_error, info.noise_error) : info.noise_error;
        s->shared.noise_step = k ? fmin(s->shared.noise_step, info.noise_step) : info.noise_step;
    }
    return ZW_OK;
}

bool zw_survey_noises_commute(const zw_survey *s) {
    return !zw_system_is_random(s->sys) || s->noises_commute;
}

double zw_survey_noise(const zw_survey *s, double *error) {
    *error = s->noise_error;
    return zw_system_is_random(s->sys) ? s->shared.noise_step : 0;
}

static bool needs_spans(const zw_measures *m) {
    static const zw_measure_kind kinds[] = {ZW_MEASURE_MEAN,      ZW_MEASURE_RMS,
                                            ZW_MEASURE_MIN,       ZW_MEASURE_MAX,
                                            ZW_MEASURE_AMPLITUDE, ZW_MEASURE_PERIOD};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (zw_measures_have(m, kinds[i]))
            return true;
    return false;
}

static bool ask_stop(void *user, double done) {
    zw_survey *s = user;
    if (s->ask && s->ask(s->ask_user, done))
        zw_flag_raise(&s->stop);
    if (s->caller_stop && s->caller_stop(s->caller_user, done))
        return true;
    return zw_flag_is_up(&s->stop);
}

static zw_status make_ensemble(zw_survey *s, const zw_model_source *source,
                               const zw_ensemble_options *given, zw_error *err) {
    zw_ensemble_options o = *given;
    o.nvalue = s->measures.nquantity;
    o.value = s->measures.quantity;
    o.spans = s->kinks || needs_spans(&s->measures);
    o.variations = 0;
    o.nevent = s->measures.nevent;
    o.event = s->measures.event;
    o.memory = s->memory;
    o.contacts = &s->shared;
    s->caller_stop = o.stop;
    s->caller_user = o.stop_user;
    o.stop = ask_stop;
    o.stop_user = s;
    return zw_ensemble_create(&s->e, source, &o, err);
}

static zw_status build_survey(zw_survey *s, const zw_model_source *source,
                              const zw_plan_options *plan, const zw_ensemble_options *ensemble,
                              zw_error *err) {
    s->ctx = zw_context_create(NULL);
    if (!s->ctx)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_model_parse(&s->sys, s->ctx, source->text, source->length,
                          source->file ? source->file : "model", source->options, err));
    ZW_TRY(zw_plan_create(&s->plan, s->sys, plan, err));
    s->naxis = zw_plan_axes(s->plan);
    ZW_TRY(read_measures(s, source, ensemble, err));
    ZW_TRY(read_times(s, err));
    ZW_TRY(check_carry(s, err));
    ZW_TRY(zw_survey_read_disturbances(s, err));
    ZW_TRY(read_rows(s, err));
    ZW_TRY(choose_samples(s, err));
    ZW_TRY(zw_survey_find_drive(s, ensemble->principle, err));
    ZW_TRY(find_kinks(s, err));
    ZW_TRY(check_rows(s, err));
    ZW_TRY(watch_state(s, err));
    zw_survey_lay_out(s);
    s->memory = zw_survey_motion_memory(s);
    ZW_TRY(choose_step(s, source, ensemble, err));
    ZW_TRY(make_ensemble(s, source, ensemble, err));
    ZW_TRY(zw_survey_identify(s, source, plan, ensemble, err));
    return zw_survey_fill_table(s, source, &s->table, err);
}

zw_status zw_survey_create(zw_survey **out, const zw_model_source *source,
                           const zw_plan_options *plan, const zw_ensemble_options *ensemble,
                           const zw_survey_options *options, zw_error *err) {
    assert(out);
    zw_ensemble_options chosen = zw_ensemble_options_default();
    zw_survey *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return zw_out_of_memory(err, NULL);
    pthread_mutex_init(&s->lock, NULL);
    s->options = zw_survey_options_default();
    zw_status status = options ? zw_options_adopt(&s->options, sizeof s->options, options,
                                                  "zw_survey_options", err)
                               : ZW_OK;
    if (status >= 0)
        status = build_survey(s, source, plan, ensemble ? ensemble : &chosen, err);
    if (status < 0)
        zw_survey_destroy(s);
    else
        *out = s;
    return status;
}

void zw_survey_destroy(zw_survey *s) {
    if (!s)
        return;
    zw_ensemble_destroy(s->e);
    zw_table_destroy(s->table);
    zw_text_clear(&s->identity);
    zw_measures_clear(&s->measures);
    zw_survey_clear_disturbances(s);
    zw_plan_destroy(s->plan);
    zw_context_destroy(s->ctx);
    pthread_mutex_destroy(&s->lock);
    free(s->turn);
    free(s->p);
    free(s->given);
    free(s);
}

/* ---- queries ---- */

const zw_plan *zw_survey_plan(const zw_survey *s) {
    return s->plan;
}

void zw_survey_statistics(const zw_survey *s, zw_ensemble_info *info, size_t size) {
    zw_ensemble_statistics(s->e, info, size);
}

uint64_t zw_survey_motions(const zw_survey *s) {
    return s->options.carry ? zw_plan_chains(s->plan) : zw_plan_points(s->plan);
}

uint64_t zw_survey_rows(const zw_survey *s) {
    double n = 1;
    if (s->options.carry)
        n = (double)zw_plan_axis(s->plan, 0)->n * (s->options.carry == ZW_SURVEY_BOTH ? 2 : 1);
    if (s->rows == ZW_SURVEY_EVENT_ROWS)
        return 0;
    if (s->rows == ZW_SURVEY_STROBE)
        n *= s->duration.value;
    if (s->rows == ZW_SURVEY_TIME_ROWS) {
        double axis[ZW_PLAN_AXES], T = 1;
        if (s->duration.periods) {
            zw_plan_point(s->plan, 0, axis);
            T = zw_survey_period((zw_survey *)s, axis, NULL);
        }
        n *= floor(s->duration.value * T / s->row_step + WHOLE_STEPS);
    }
    return n < LARGEST_COUNT ? (uint64_t)n : (uint64_t)LARGEST_COUNT;
}

int zw_survey_columns(const zw_survey *s) {
    return s->ncolumn;
}

int zw_survey_measures(const zw_survey *s) {
    return s->measures.n;
}

int zw_survey_first_measure(const zw_survey *s) {
    return s->column_measure;
}

zw_status zw_survey_table(const zw_survey *s, zw_table **out, zw_error *err) {
    assert(out);
    *out = zw_table_create_like(s->table);
    return *out ? ZW_OK : zw_out_of_memory(err, NULL);
}

/* --------------------------------------------------------------------------------------- blocks */

static void clear_slots(zw_survey *s, uint64_t count) {
    for (uint64_t k = 0; s->slot && k < count; k++) {
        if (s->slot[k].own)
            free(s->slot[k].row);
        free(s->slot[k].why);
        free(s->slot[k].doubt);
    }
    free(s->slot);
    s->slot = NULL;
}

static void note_failure(zw_survey_block *b, uint64_t motion, const zw_survey_slot *slot) {
    enum { KEPT = sizeof b->failure / sizeof *b->failure };
    b->failed++;
    if (b->nfailure == KEPT)
        return;
    zw_survey_failure *f = &b->failure[b->nfailure++];
    f->motion = motion;
    f->point = slot->point;
    snprintf(f->why, sizeof f->why, "%.199s", slot->why ? slot->why : "it failed");
}

static void note_doubt(zw_survey_block *b, uint64_t motion, const zw_survey_slot *slot) {
    if (b->doubtful++ > 0)
        return;
    b->doubt.motion = motion;
    b->doubt.point = slot->point;
    snprintf(b->doubt.why, sizeof b->doubt.why, "%.199s", slot->doubt);
}

/* Collects the finished motions from the first one on. The values measured by an interrupted chain
 * are included: it may be the only one. */
static zw_status gather_rows(zw_survey *s, uint64_t count, zw_survey_block *b, zw_error *err) {
    size_t size = sizeof(double) * (size_t)s->ncolumn;
    while (b->motions < count && s->slot[b->motions].done)
        b->nrow += s->slot[b->motions++].n;
    uint64_t kept = b->motions;
    if (kept < count && s->options.carry)
        b->nrow += s->slot[kept++].n;
    b->row = malloc(size * (size_t)b->nrow + 1);
    if (!b->row)
        return zw_fail(err, ZW_E_MEMORY, "out of memory for %ld rows", b->nrow);
    double *to = b->row;
    for (uint64_t k = 0; k < kept; k++) {
        const zw_survey_slot *slot = &s->slot[k];
        if (slot->n > 0)
            memcpy(to, slot->row, size * (size_t)slot->n);
        to += slot->n * s->ncolumn;
        if (slot->end < 0)
            note_failure(b, b->first + k, slot);
        else if (slot->doubt)
            note_doubt(b, b->first + k, slot);
        b->stopped += slot->end > 0;
    }
    return ZW_OK;
}

zw_status zw_survey_run(zw_survey *s, uint64_t first, uint64_t count, zw_survey_block *out,
                        zw_error *err) {
    uint64_t rows = zw_survey_rows(s);
    size_t size = sizeof(double) * (size_t)s->ncolumn;
    *out = (zw_survey_block){.first = first};
    if (first > zw_survey_motions(s) || count > zw_survey_motions(s) - first)
        return zw_fail(err, ZW_E_OPTION, "the plan has only %llu motions",
                       (unsigned long long)zw_survey_motions(s));
    s->first = first;
    s->slot = calloc(count + 1, sizeof *s->slot);
    bool fits = (double)rows * (double)count * (double)size < LARGEST_SLAB;
    double *slab = s->slot && rows && fits ? malloc(size * (rows * count) + 1) : NULL;
    if (!s->slot)
        return zw_out_of_memory(err, NULL);
    for (uint64_t k = 0; k < count && slab; k++)
        s->slot[k] =
            (zw_survey_slot){.row = slab + k * rows * (uint64_t)s->ncolumn, .capacity = (long)rows};
    atomic_store(&s->no_memory, false);
    zw_ensemble_client client = zw_survey_client;
    client.user = s;
    zw_status status = zw_ensemble_run(s->e, &client, first, count, err);
    if (status >= 0 && atomic_load(&s->no_memory))
        status = zw_out_of_memory(err, "the rows of a motion");
    if (status >= 0) {
        zw_status gathered = gather_rows(s, count, out, err);
        status = gathered < 0 ? gathered : status;
    }
    clear_slots(s, count);
    free(slab);
    return status;
}

void zw_survey_block_clear(zw_survey_block *block) {
    free(block->row);
    *block = (zw_survey_block){0};
}
