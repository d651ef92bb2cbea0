/* SPDX-License-Identifier: MIT */
/* All starts of a study of basins. First, some starts drawn at random are followed, to find what
 * attractors there are; then all starts, in chunks. Within a chunk all motions use the same known
 * attractors, and new ones are added after the chunk in the order of the starts, so the result does
 * not depend on the order in which threads finish. Motions that ended at something new are followed
 * once more with the new knowledge: then all times are measured in the same way, and reach and
 * arrival are checked against each other. If they disagree, the reach is made smaller. */
#include "basin.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/flag.h"
#include "base/philox.h"

#define SECONDS_PER_NS 1e-9 /* unit */

enum {
    /* samples in its own cells after which a motion counts as recurrent */
    PATIENCE = 400,
    EXPLORED_FIRST = 16,   /* starts that are explored first, */
    EXPLORED_SECOND = 128, /* and with what these have found */
    CHUNK = 8192,          /* starts that use the same known attractors */
    USE_START = 1,
    USE_EXPLORE = 2,
    USE_CHECK = 5
};

bool zw_basin_is_stopped(const zw_basin *b) {
    return zw_flag_is_up(&b->halt) || zw_flag_is_up(b->options.interrupt);
}

/* ---- starts ---- */

/* k/(n - 1), computed such that the values for k and for n - 1 - k add up to 1 in every bit:
 * mirrored starts are exact mirror images (zw_basin_axis_value). */
static double on_grid(uint64_t k, uint64_t n) {
    uint64_t less = k < n - 1 - k ? k : n - 1 - k;
    double upper = 1 - (double)less / (double)(n - 1);
    return k == less ? 1 - upper : upper;
}

void zw_basin_unit_start(const zw_basin *b, uint64_t k, double *u) {
    for (int i = 0; i < b->naxis; i++) {
        uint64_t n = (uint64_t)b->axis[i].n;
        u[i] = b->options.samples ? zw_philox_unit(b->options.seed + USE_START, k, (uint32_t)i)
                                  : on_grid(k % n, n);
        k = b->options.samples ? k : k / n;
    }
}

/* ---- decisions ---- */

typedef enum follow_mode { PLAIN, BY_THE_KNOWN, FINELY } follow_mode;

static zw_status follow_starts(zw_basin *b, long n, const double *u, zw_basin_outcome *outcome,
                               follow_mode how, zw_error *err) {
    bool own = b->driven && b->varies && !(b->options.step > 0);
    for (long k = 0; k < n && own; k++)
        ZW_TRY(zw_basin_period(b, u + k * b->naxis, &b->steps[k], err));
    zw_basin_job j = {.b = b,
                      .n = n,
                      .outcome = outcome,
                      .u = u,
                      .steps = own ? b->steps : NULL,
                      .match = how == BY_THE_KNOWN && !b->by_kind,
                      .fine = how == FINELY,
                      .most = b->options.looks,
                      .patience = b->patience};
    return zw_basin_follow(&j, err);
}

static bool is_open(const zw_basin_outcome *f) {
    return f->end != BASIN_KNOWN && f->end != BASIN_FAILED && f->end != BASIN_LOST &&
           f->end != BASIN_NOT_ENDED && f->end != BASIN_INTERRUPTED;
}

/* Labels the motions that are not decided yet; new attractors are added. A motion that turns out to
 * be a transient when it is followed longer raises the patience; the other motions that only return
 * to their own cells are then followed anew (their label stays unset). */
static zw_status label_outcomes(zw_basin *b, long n, const zw_basin_outcome *outcome, int *label,
                                zw_error *err) {
    long before = b->patience;
    for (long k = 0; k < n; k++) {
        if (label[k] != BASIN_UNSET)
            continue;
        if (outcome[k].end == BASIN_KNOWN) {
            label[k] = outcome[k].label;
            continue;
        }
        if (!is_open(&outcome[k])) {
            label[k] = outcome[k].end == BASIN_FAILED ? BASIN_NO_MOTION : BASIN_NOWHERE;
            continue;
        }
        int found = zw_basin_match(b, &outcome[k]);
        if (found < 0 && outcome[k].end == BASIN_RECURRENT && b->patience > before)
            continue;
        if (found < 0) {
            zw_status status = zw_basin_learn(b, &outcome[k], &found, err);
            if (status)
                return status;
        }
        label[k] = found >= 0 ? found : BASIN_NOWHERE;
    }
    return ZW_OK;
}

static void count_open(zw_basin *b, const zw_basin_outcome *f, int label) {
    if (label == BASIN_NOWHERE) {
        b->unresolved_slow += f->end != BASIN_RECURRENT;
        b->unresolved_recurrent += f->end == BASIN_RECURRENT;
    }
    if (label == BASIN_NO_MOTION && !b->failure[0])
        snprintf(b->failure, sizeof b->failure, "%s", f->why);
}

/* Copies the starts that are marked to `to`, and their numbers to `index`. */
static long gather_marked(const zw_basin *b, long n, const double *u, const bool *marked,
                          double *to, long *index) {
    long m = 0;
    for (long k = 0; k < n; k++)
        if (marked[k]) {
            memcpy(to + m * b->naxis, u + k * b->naxis, sizeof *u * (size_t)b->naxis);
            index[m++] = k;
        }
    return m;
}

/* A reach that contains starts of another attractor is too large. */
static void shrink_reach(zw_basin *b, int i) {
    zw_basin_limit_set *a = &b->found[i];
    b->conflicts++;
    a->is.reach /= 2;
    a->is.confirmed = 0;
    if (a->cells.n)
        a->cells.n = 0;
}

static zw_status follow_again(zw_basin *b, long n, const double *u, const bool *marked, int *label,
                              double *time, long *index, zw_error *err) {
    long m = gather_marked(b, n, u, marked, b->again, index);
    if (m == 0)
        return ZW_OK;
    zw_status status = follow_starts(b, m, b->again, b->outcome[1], BY_THE_KNOWN, err);
    if (status)
        return status;
    for (long i = 0; i < m; i++) {
        const zw_basin_outcome *f = &b->outcome[1][i];
        long k = index[i];
        if (f->end == BASIN_KNOWN && label[k] >= 0 && f->label != label[k])
            shrink_reach(b, f->label);
        else if (f->end == BASIN_KNOWN || label[k] == BASIN_UNSET)
            time[k] = f->time;
        if (label[k] == BASIN_UNSET) {
            int one = BASIN_UNSET;
            status = label_outcomes(b, 1, f, &one, err);
            if (status)
                return status;
            label[k] = one;
        }
    }
    return ZW_OK;
}

zw_status zw_basin_classify(zw_basin *b, long n, const double *u, int *label, double *time,
                            zw_error *err) {
    bool *marked = malloc(sizeof *marked * (size_t)n);
    long *index = malloc(sizeof *index * (size_t)n);
    double *own = malloc(sizeof *own * (size_t)n);
    zw_status status = marked && index && own ? ZW_OK : zw_out_of_memory(err, NULL);
    if (status == ZW_OK)
        status = follow_starts(b, n, u, b->outcome[0], BY_THE_KNOWN, err);
    for (long k = 0; k < n; k++)
        label[k] = BASIN_UNSET;
    if (status == ZW_OK)
        status = label_outcomes(b, n, b->outcome[0], label, err);
    for (long k = 0; k < n && status == ZW_OK; k++) {
        const zw_basin_outcome *f = &b->outcome[0][k];
        bool reached =
            label[k] >= 0 && (b->found[label[k]].is.reach > 0 || b->found[label[k]].cells.n);
        own[k] = f->time;
        marked[k] = !b->by_kind && (label[k] == BASIN_UNSET || (f->end != BASIN_KNOWN && reached));
        count_open(b, f, label[k]);
    }
    if (status == ZW_OK)
        status = follow_again(b, n, u, marked, label, own, index, err);
    if (time && status == ZW_OK)
        memcpy(time, own, sizeof *own * (size_t)n);
    free(marked);
    free(index);
    free(own);
    return status;
}

/* ---- passes ---- */

static zw_status explore_starts(zw_basin *b, int n, uint64_t from, zw_error *err) {
    int label[EXPLORED_SECOND];
    n = (uint64_t)n < b->n ? n : (int)b->n;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < b->naxis; i++)
            b->u[k * b->naxis + i] =
                zw_philox_unit(b->options.seed + USE_EXPLORE, from + (uint64_t)k, (uint32_t)i);
    b->unresolved_slow = b->unresolved_recurrent = 0;
    zw_status status = zw_basin_classify(b, n, b->u, label, NULL, err);
    b->unresolved_slow = b->unresolved_recurrent = 0;
    return status;
}

static zw_status all_starts(zw_basin *b, zw_error *err) {
    double share = b->work;
    for (uint64_t first = 0; first < b->n; first += (uint64_t)b->chunk) {
        uint64_t left = b->n - first;
        long n = left < (uint64_t)b->chunk ? (long)left : b->chunk;
        for (long k = 0; k < n; k++)
            zw_basin_unit_start(b, first + (uint64_t)k, b->u + k * b->naxis);
        b->work = share * (double)n / (double)b->n;
        zw_status status = zw_basin_classify(b, n, b->u, b->label + first, b->time + first, err);
        if (status)
            return status;
        b->begun += b->work;
        b->info.computed += (uint64_t)n;
    }
    return ZW_OK;
}

/* Compares the outcomes of some starts, with what is known now, with the labels they have. */
static void compare_labels(zw_basin *b, long n, const uint64_t *which, uint64_t *all,
                           uint64_t *differ) {
    for (long k = 0; k < n; k++) {
        const zw_basin_outcome *f = &b->outcome[0][k];
        int found = zw_basin_match(b, f);
        bool open = f->end == BASIN_LOST || (f->end == BASIN_RECURRENT && found < 0);
        *all += !open;
        *differ += !open && found != b->label[which[k]];
    }
}

/* Follows some of the starts once more without the known attractors, so that each motion has to
 * arrive without them. First with the same tolerances, which checks the reaches; then with finer
 * tolerances, which shows how many labels depend on the integration: near fractal boundaries some
 * do. */
static zw_status check_labels(zw_basin *b, zw_error *err) {
    long n = 0, most = b->options.check < b->chunk ? b->options.check : b->chunk;
    uint64_t *which = malloc(sizeof *which * (size_t)(most + 1));
    if (!which)
        return zw_out_of_memory(err, NULL);
    for (long k = 0; k < most && !b->by_kind; k++) {
        uint64_t start = zw_philox_bits(b->options.seed, (uint64_t)k, 0, USE_CHECK) % b->n;
        if (b->label[start] < 0 || (b->computed && !b->computed[start]))
            continue;
        zw_basin_unit_start(b, start, b->u + n * b->naxis);
        which[n++] = start;
    }
    zw_status status = n ? follow_starts(b, n, b->u, b->outcome[0], PLAIN, err) : ZW_OK;
    if (status == ZW_OK)
        compare_labels(b, n, which, &b->info.checked, &b->info.check_differs);
    if (n && status == ZW_OK)
        status = zw_basin_fine_ensemble(b, err);
    if (n && b->fine && status == ZW_OK)
        status = follow_starts(b, n, b->u, b->outcome[0], FINELY, err);
    if (n && b->fine && status == ZW_OK)
        compare_labels(b, n, which, &b->info.fine_checked, &b->info.fine_differs);
    free(which);
    return status;
}

/* ---- a value of the parameter ---- */

void zw_basin_reset(zw_basin *b) {
    b->nfound = 0;
    b->too_many = false;
    b->patience =
        b->by_kind && !b->conserves
            ? b->options.looks / 10
            /* Motions that are only classified by kind are not followed longer, and motions that
             * conserve energy never settle. */
            : PATIENCE;
    b->patience = b->patience < b->options.looks ? b->patience : b->options.looks;
    b->unresolved_slow = b->unresolved_recurrent = b->conflicts = 0;
    b->info.computed = b->info.checked = b->info.check_differs = 0;
    b->info.fine_checked = b->info.fine_differs = 0;
    b->info.filled_checked = b->info.filled_differs = 0;
    for (uint64_t k = 0; k < b->n; k++)
        b->label[k] = BASIN_UNSET;
}

/* `work`: the fraction of the progress that belongs to all starts. The exploration before counts as
 * none, otherwise the progress would go back. */
static zw_status compute_basins(zw_basin *b, double work, zw_error *err) {
    zw_basin_reset(b);
    bool refine = b->options.refine && !b->options.samples;
    zw_status status = b->by_kind ? ZW_OK
                                  : explore_starts(b, EXPLORED_FIRST, 0,
                                                   err); /* kinds need not be found in advance */
    if (status == ZW_OK && !b->by_kind)
        status = explore_starts(b, EXPLORED_SECOND, EXPLORED_FIRST, err);
    b->work = work;
    if (status == ZW_OK)
        status = refine ? zw_basin_refine(b, err) : all_starts(b, err);
    if (status == ZW_OK)
        status = check_labels(b, err);
    if (status == ZW_OK)
        status = zw_basin_continuum_measure(b, err);
    if (status >= 0) { /* starts that are still unset were not followed before the stop */
        zw_basin_sort(b);
        zw_basin_count_shares(b);
    }
    return status;
}

static double clock_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + SECONDS_PER_NS * (double)t.tv_nsec;
}

static zw_status compute_rows(zw_basin *b, zw_error *err) {
    int rows = b->over.rows;
    zw_status status = ZW_OK;
    for (int i = 0; i < rows && status == ZW_OK; i++) {
        b->begun = (double)i / rows;
        b->work = 0;
        ZW_TRY(
            zw_basin_set_base(b, b->over.from + (b->over.to - b->over.from) * i / (rows - 1), err));
        status = i == 0 ? zw_basin_choose_scales(b, err) : ZW_OK;
        if (status == ZW_OK)
            status = compute_basins(b, 1.0 / rows, err);
        if (status == ZW_OK)
            ZW_TRY(zw_basin_add_rows(b, err));
    }
    return status;
}

/* The study was stopped before any start was followed. */
static void forget_all(zw_basin *b) {
    zw_basin_reset(b);
    zw_basin_count_shares(b);
}

zw_status zw_basin_run(zw_basin *b, zw_error *err) {
    double begun = clock_seconds();
    zw_status status;
    b->begun = 0;
    b->work = 0;
    if (b->over.rows) {
        status = compute_rows(b, err);
    } else {
        ZW_TRY(zw_basin_set_base(b, NAN, err));
        status = zw_basin_choose_scales(b, err);
        if (status == ZW_OK)
            status = compute_basins(b, 1, err);
        else if (status > 0)
            forget_all(b);
    }
    b->info.seconds = clock_seconds() - begun;
    b->has_run = true;
    return status;
}

/* ---- life ---- */

static zw_status allocate_arrays(zw_basin *b, zw_error *err) {
    size_t ny = (size_t)b->ny, nx = (size_t)b->nx;
    b->chunk = b->n < CHUNK ? (long)(b->n < EXPLORED_SECOND ? EXPLORED_SECOND : b->n) : CHUNK;
    size_t n = (size_t)b->chunk, tail = (size_t)b->options.period_max * ny;
    b->label = malloc(sizeof *b->label * (size_t)b->n);
    b->time = malloc(sizeof *b->time * (size_t)b->n);
    b->u = ZW_NEW(&b->arena, double, n *(size_t)b->naxis);
    b->again = ZW_NEW(&b->arena, double, n *(size_t)b->naxis);
    b->steps = ZW_NEW(&b->arena, double, n);
    for (int i = 0; i < 2; i++) {
        double *x = ZW_NEW(&b->arena, double, n *nx), *y = ZW_NEW(&b->arena, double, n *tail);
        b->outcome[i] = ZW_NEW(&b->arena, zw_basin_outcome, n);
        for (size_t k = 0; k < n && !b->arena.failed; k++) {
            b->outcome[i][k].x = x + k * nx;
            b->outcome[i][k].tail = y + k * tail;
        }
    }
    if (b->options.refine)
        b->computed = calloc(b->n, sizeof *b->computed);
    if (b->arena.failed || !b->label || !b->time || (b->options.refine && !b->computed))
        return zw_fail(err, ZW_E_MEMORY, "out of memory for %.3g starts", (double)b->n);
    return ZW_OK;
}

static const char *copy_text(zw_arena *a, const char *s) {
    return s ? zw_arena_string(a, s) : NULL;
}

static const char *const *copy_texts(zw_arena *a, int n, const char *const *from) {
    const char **to = ZW_NEW(a, const char *, n + 1);
    for (int i = 0; i < n && to; i++)
        to[i] = zw_arena_string(a, from[i]);
    return to;
}

static zw_status adopt_options(zw_basin *b, const zw_model_source *source,
                               const zw_basin_options *options, zw_error *err) {
    zw_basin_options *o = &b->options;
    *o = zw_basin_options_default();
    if (options)
        memcpy(o, options, options->size < sizeof *o ? options->size : sizeof *o);
    o->axis = copy_texts(&b->arena, o->naxis, o->axis);
    o->box = copy_texts(&b->arena, o->nbox, o->box);
    o->compare = copy_text(&b->arena, o->compare);
    o->section = copy_text(&b->arena, o->section);
    o->over = copy_text(&b->arena, o->over);
    b->source = *source;
    b->doubts = zw_warnings_create(NULL);
    if (b->arena.failed || !b->doubts)
        return zw_out_of_memory(err, NULL);
    return ZW_OK;
}

zw_status zw_basin_create(zw_basin **out, const zw_model_source *source,
                          const zw_basin_options *options, zw_error *err) {
    zw_basin *b = calloc(1, sizeof *b);
    *out = NULL;
    if (!b)
        return zw_out_of_memory(err, NULL);
    zw_arena_init(&b->arena, NULL);
    zw_status status = adopt_options(b, source, options, err);
    if (status >= 0)
        status = zw_basin_setup(b, err);
    if (status >= 0)
        status = allocate_arrays(b, err);
    if (status < 0) {
        zw_basin_destroy(b);
        return status;
    }
    *out = b;
    return ZW_OK;
}

void zw_basin_destroy(zw_basin *b) {
    if (!b)
        return;
    zw_ensemble_destroy(b->e);
    zw_ensemble_destroy(b->tangent);
    zw_ensemble_destroy(b->fine);
    zw_ensemble_destroy(b->trial);
    zw_kernel_destroy(b->kernel);
    zw_table_destroy(b->rows);
    zw_warnings_destroy(b->doubts);
    zw_context_destroy(b->ctx);
    zw_arena_clear(&b->arena);
    free(b->label);
    free(b->time);
    free(b->computed);
    free(b);
}

int zw_basin_attractors(const zw_basin *b) {
    return b->nfound;
}

const zw_basin_attractor *zw_basin_attractor_at(const zw_basin *b, int i) {
    return &b->found[i].is;
}

int zw_basin_label(const zw_basin *b, uint64_t k) {
    int label = b->label[k];
    return label >= 0 ? label + 1 : label == BASIN_NO_MOTION ? -1 : 0;
}

double zw_basin_time(const zw_basin *b, uint64_t k) {
    return b->label[k] >= 0 ? b->time[k] : NAN;
}

void zw_basin_statistics(const zw_basin *b, zw_basin_info *info, size_t size) {
    zw_basin_info i = b->info;
    zw_ensemble_info e = {0};
    zw_ensemble_statistics(b->e, &e, sizeof e);
    i.ny = b->ny;
    for (int k = 0; k < b->ny; k++) {
        i.name[k] = b->quantity[k].name;
        i.unit[k] = b->quantity[k].unit;
        i.scale[k] = b->quantity[k].scale;
    }
    i.step = b->step;
    i.driven = b->driven;
    i.section = b->section >= 0;
    i.starts = b->n;
    i.rate = i.seconds > 0 ? (double)i.computed / i.seconds : 0;
    i.threads = e.threads;
    i.lanes = e.lanes;
    i.engine = e.why;
    i.failure = b->failure[0] ? b->failure : NULL;
    memset(info, 0, size);
    memcpy(info, &i, size < sizeof i ? size : sizeof i);
}
