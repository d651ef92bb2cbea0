/* SPDX-License-Identifier: MIT */
/* From blocks to a point, and its verdict. Over the measured time T an exponent counts as zero if
 *
 *   |lambda| <= 6/T    (a disturbance that grows as t^2 does so in the second half of the time)
 *   or    |lambda| <= 3 errors.
 *
 *   rests                                   steady
 *   repeats                                 periodic
 *   neither, lambda_1 > 0                   chaotic, if the 0-1 test agrees or a disturbance has
 *                                           grown by more than e^30 in T/2
 *   neither, as many zeros as a torus has   quasi-periodic, if the 0-1 test agrees
 *   neither, only the zero along the motion periodic by its exponents: the period was not found
 *   neither, all < 0                        on its way to rest, or to a forced response
 *
 * and everything else is undecided. Motions of one point with different ends make it undecided too:
 * chaos that ends, or several attractors. Exponents that change over the measured time by more than
 * their errors belong to a transient: nothing is concluded from them.
 *
 * Errors of functions of exponents (dimension, entropy) are found by omitting one group of blocks
 * after the other (jackknife). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "block_mean.h"
#include "lyapunov.h"

#define UNCONFIRMED 0.8    /* factor of the trust in a verdict that only one test supports */
#define TRUST_UNSTABLE 0.9 /* trust of a periodic verdict whose disturbances grow */
/* of the resolution: allowed deviation of the sum from the divergence */
#define RESOLUTION_PART 0.1

enum {
    BLOCKS = ZW_LYAPUNOV_BLOCKS,
    JOINED = 8, /* blocks that the jackknife omits together */
    SPLITS = 4  /* parts of the time at which a change is searched */
};
#define RESOLUTION 6.      /* over T: the resolution, see above */
#define POSITIVE_ERRORS 4. /* standard errors above zero: 3e-5 by chance */
#define ZERO_ERRORS 3.     /* standard errors that count as zero: 0.3 % are outside by chance */
/* log of a growth that only chaos has: t^2 needs a ratio of times of 3e6 for it */
#define CHAOTIC_GROWTH 30.
/* limits of K of the 0-1 test, which is 0 or 1 for long series: below it is regular, */
#define REGULAR_K 0.2
#define IRREGULAR_K 0.8 /* above irregular */
#define LIFETIMES 3.    /* log 20: N lifetimes without an end have a probability of 5 % */
/* standard errors: a larger deviation is no coincidence, 6e-7 */
#define LARGEST_DEVIATION 5.
/* tolerances: integration errors per step add up to some of them in a time scale */
#define TOLERANCES_SUMMED 10.
/* of the largest exponent: error of orthonormalisation and quadrature */
#define EXPONENT_ERROR 1e-4

typedef struct verdict_data {
    zw_lyapunov *s;
    int index, nm, k;     /* point, measured motions, exponents that are finite, */
    int width;            /* and all of them */
    double *b;            /* nm x BLOCKS x (width + 2), exponents sorted */
    double *scratch;      /* nm x BLOCKS */
    double *mean, *error; /* width */
    int drifting;         /* exponent that changes over the measured time; -1 if none */
    double early, late;   /* [1/s]: its means before and after */
    bool came;            /* motions were still settling after it */
    zw_lyapunov_point *out;
} verdict_data;

/* ----------------------------------------------------------------------------------- statistics */

static void sort_exponents(verdict_data *j) {
    int k = j->k, rows = j->nm * BLOCKS;
    double *mean = j->mean, kept;
    for (int i = 0; i < k; i++) {
        mean[i] = 0;
        for (int r = 0; r < rows; r++)
            mean[i] += j->b[r * (j->width + 2) + i] / rows;
    }
    for (int a = 0; a < k; a++) /* few, and nearly sorted */
        for (int i = 0; i + 1 < k - a; i++) {
            if (mean[i] >= mean[i + 1])
                continue;
            double swap = mean[i];
            mean[i] = mean[i + 1];
            mean[i + 1] = swap;
            for (int r = 0; r < rows; r++) {
                double *row = j->b + (size_t)r * (size_t)(j->width + 2);
                kept = row[i];
                row[i] = row[i + 1];
                row[i + 1] = kept;
            }
        }
}

static bool is_zero(const verdict_data *j, int i) {
    return fabs(j->mean[i]) <= fmax(j->out->resolution, ZERO_ERRORS * j->error[i]);
}

/* Dimension from exponents e, some of which count as zero: for a motion that rests or repeats only
 * those that must be zero. NaN if exponents are missing. */
static double dimension_of(const verdict_data *j, const double *e) {
    double sum = 0;
    zw_lyapunov_verdict verdict = j->out->verdict;
    bool closed = verdict == ZW_LYAPUNOV_STEADY || verdict == ZW_LYAPUNOV_PERIODIC;
    int zeros = closed ? j->s->zeros + (j->s->autonomous && verdict == ZW_LYAPUNOV_PERIODIC) : j->k;
    for (int i = 0; i < j->k; i++) {
        double value = is_zero(j, i) && zeros-- > 0 ? 0 : e[i];
        if (sum + value < (closed ? 0 : -j->out->resolution))
            return i + fmax(sum, 0) / -value;
        sum += value;
    }
    return j->k == j->out->n || j->k < j->width ? (double)j->k : (double)NAN; /* or -inf follows */
}

static double entropy_of(const verdict_data *j, const double *e) {
    double sum = 0;
    for (int i = 0; i < j->k && (is_zero(j, i) || e[i] > 0); i++)
        sum += is_zero(j, i) ? 0 : e[i];
    return sum;
}

static double jackknife_error(const verdict_data *j,
                              double (*of)(const verdict_data *j, const double *e), double *e) {
    int per = BLOCKS / JOINED, groups = j->nm * per, k = j->k;
    double mean = 0, square = 0;
    for (int g = 0; g < groups; g++) {
        for (int i = 0; i < k; i++) {
            double part = 0;
            for (int r = 0; r < JOINED; r++)
                part += j->b[(g * JOINED + r) * (j->width + 2) + i] / JOINED;
            e[i] = (j->mean[i] * groups - part) / (groups - 1);
        }
        double value = of(j, e);
        mean += value / groups;
        square += value * value / groups;
    }
    double variance = (groups - 1) * fmax(0, square - mean * mean);
    return sqrt(variance * j->nm / j->out->independent);
}

static void find_means(verdict_data *j, double *e) {
    zw_lyapunov_point *o = j->out;
    int k = j->k, rows = j->nm * BLOCKS;
    double most = 0, growth = j->mean[0];
    double forgets = growth > 0 ? -log(j->s->run.rtol) / growth : INFINITY;
    o->independent = 1 + (j->nm - 1) * fmax(0, 1 - forgets / o->time);
    o->resolution = RESOLUTION / o->time;
    for (int i = 0; i < k; i++) {
        j->mean[i] = zw_block_mean(j->nm, BLOCKS, j->b + i, j->width + 2, o->independent,
                                   &j->error[i], j->scratch);
        most = fmax(most, fabs(j->mean[i]));
    }
    double numeric = j->s->in_step ? ZW_LYAPUNOV_ALLOWED * j->s->run.rtol / j->s->tau[j->index]
                                   : TOLERANCES_SUMMED * j->s->run.rtol * most;
    for (int i = 0; i < k; i++) /* the blocks do not contain the integration error */
        j->error[i] = fmax(j->error[i], numeric);
    o->first = o->second = 0;
    for (int r = 0; r < rows; r++)
        *(r % BLOCKS < BLOCKS / 2 ? &o->first : &o->second) += 2 * j->b[r * (j->width + 2)] / rows;
    o->sum = o->sum_error = o->divergence = o->gap = o->gap_error = o->pairs = NAN;
    if (k < j->width && j->width == o->n)
        o->sum = -INFINITY;
    if (k == o->n) {
        double *sum = j->b; /* in the place of the first exponents, which are known by now */
        o->divergence = zw_block_mean(j->nm, BLOCKS, j->b + k, j->width + 2, o->independent,
                                      &o->gap_error, j->scratch);
        double *total = e; /* `rows` values */
        for (int r = 0; r < rows; r++) {
            total[r] = 0;
            for (int i = 0; i < k; i++)
                total[r] += sum[r * (k + 2) + i];
        }
        o->sum = zw_block_mean(j->nm, BLOCKS, total, 1, o->independent, &o->sum_error, j->scratch);
        for (int r = 0; r < rows; r++)
            total[r] -= j->b[r * (k + 2) + k];
        o->gap = zw_block_mean(j->nm, BLOCKS, total, 1, o->independent, &o->gap_error, j->scratch);
        double ignored, off = zw_block_mean(j->nm, BLOCKS, j->b + k + 1, k + 2, o->independent,
                                            &ignored, j->scratch);
        o->gap_error = hypot(o->gap_error, off);
        if (j->s->jumps || j->s->hybrid) /* volumes change at jumps, too */
            o->divergence = o->gap = o->gap_error = NAN;
        if (j->s->pairs) {
            o->pairs = 0;
            for (int i = 0; 2 * i < k; i++)
                o->pairs = fmax(o->pairs, fabs(j->mean[i] + j->mean[k - 1 - i]));
        }
    }
}

/* Mean of exponent i over some of the blocks of all motions; e: scratch. */
static double mean_of_part(const verdict_data *j, int i, int from, int to, double *error,
                           double *e) {
    int n = to - from;
    for (int m = 0; m < j->nm; m++)
        for (int r = 0; r < n; r++)
            e[m * n + r] = j->b[(m * BLOCKS + from + r) * (j->width + 2) + i];
    return zw_block_mean(j->nm, n, e, 1, j->out->independent, error, j->scratch);
}

/* Do exponents change over the measured time? The later part is compared with the earlier one, each
 * with its own error: that of the whole time grows with the change. */
static void find_drift(verdict_data *j, double *e) {
    double most = 1;
    j->drifting = -1;
    for (int i = 0; i < j->k; i++)
        for (int part = 1; part < SPLITS; part++) {
            int split = part * BLOCKS / SPLITS,
                shorter = split < BLOCKS - split ? split : BLOCKS - split;
            double before, after, early = mean_of_part(j, i, 0, split, &before, e),
                                  late = mean_of_part(j, i, split, BLOCKS, &after, e);
            double least = j->out->resolution * BLOCKS / shorter;
            double size =
                fabs(late - early) / fmax(LARGEST_DEVIATION * hypot(before, after), least);
            if (!(size > most))
                continue;
            most = size;
            j->drifting = i;
            j->early = early;
            j->late = late;
        }
    if (j->drifting >= 0)
        j->s->doubt[j->index] |= ZW_WARNINGS_HALVES;
}

/* ---- ends and tests ---- */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void gather_ends(verdict_data *j) {
    zw_lyapunov *s = j->s;
    zw_lyapunov_point *o = j->out;
    int nK = 0;
    o->K = o->period = NAN;
    o->steady = o->periodic = o->other = o->times = 0;
    for (int i = 0; i < s->motions; i++) {
        const zw_lyapunov_motion *m = &s->motion[zw_lyapunov_index(s, j->index, i)];
        if (m->status < 0)
            s->doubt[j->index] |= ZW_WARNINGS_FAILED;
        if (m->nearly_lost)
            s->doubt[j->index] |= ZW_WARNINGS_STRAINED;
        if (!m->end_known)
            continue;
        o->steady += m->ending == ZW_LYAPUNOV_END_STEADY;
        o->other += m->ending == ZW_LYAPUNOV_END_OTHER;
        if (m->ending == ZW_LYAPUNOV_END_PERIODIC || m->ending == ZW_LYAPUNOV_END_SETTLING) {
            if (o->periodic++ && o->times != m->times)
                s->doubt[j->index] |= ZW_WARNINGS_MIXED;
            o->times = m->times > o->times ? m->times : o->times;
            o->period = isnan(o->period) || m->period > o->period ? m->period : o->period;
            j->came = j->came || m->came;
            if (m->ending == ZW_LYAPUNOV_END_SETTLING)
                s->doubt[j->index] |= ZW_WARNINGS_SETTLING;
        }
        if (isfinite(m->K)) {
            j->scratch[nK++] = m->K;
            o->sampled = m->sampled;
            o->samples = m->samples;
        }
    }
    qsort(j->scratch, (size_t)nK, sizeof *j->scratch, by_size);
    if (nK)
        o->K = 0.5 * (j->scratch[nK / 2] + j->scratch[(nK - 1) / 2]);
}

/* ------------------------------------------------------------------------------------- verdicts */

static double normal_distribution(double z) {
    return 0.5 * erfc(-z / sqrt(2));
}

static void set_verdict(verdict_data *j, zw_lyapunov_verdict verdict, double confidence,
                        const char *reason) {
    j->out->verdict = verdict;
    j->out->confidence = verdict == ZW_LYAPUNOV_UNDECIDED ? 0 : fmax(0, fmin(1, confidence));
    snprintf(j->out->reason, sizeof j->out->reason, "%s", reason);
    if (verdict == ZW_LYAPUNOV_UNDECIDED)
        j->s->doubt[j->index] |= j->s->slows_down ? ZW_WARNINGS_SLOWING : ZW_WARNINGS_UNDECIDED;
}

/* It neither rests nor repeats, and disturbances grow. */
static void judge_growing(verdict_data *j) {
    zw_lyapunov_point *o = j->out;
    double lead = j->mean[0],
           trust = normal_distribution((lead - o->resolution) / fmax(j->error[0], ZW_TINY));
    double grown = 0.5 * lead * o->time;
    char text[400];
    if (o->K >= IRREGULAR_K) {
        snprintf(text, sizeof text,
                 "disturbances grow, the largest exponent is %.3g standard errors above zero, and "
                 "the 0-1 test agrees",
                 lead / fmax(j->error[0], ZW_TINY));
        set_verdict(j, ZW_LYAPUNOV_CHAOTIC, trust * (0.5 + 0.5 * o->K), text);
    } else if (grown > CHAOTIC_GROWTH) {
        snprintf(text, sizeof text,
                 "disturbances grow by exp(%.3g) in half of the time; the 0-1 test is %s", grown,
                 isnan(o->K)        ? "not there"
                 : o->K < REGULAR_K ? "against it"
                                    : "of no opinion");
        if (o->K < 0.5)
            j->s->doubt[j->index] |= ZW_WARNINGS_TEST;
        set_verdict(j, ZW_LYAPUNOV_CHAOTIC, trust * (0.5 + 0.5 * (isnan(o->K) ? 0.5 : o->K)), text);
    } else {
        set_verdict(j, ZW_LYAPUNOV_UNDECIDED, 0,
                    "disturbances grow slowly, and the 0-1 test does not indicate chaos: use a "
                    "longer --time");
    }
}

/* It neither rests nor repeats, and nothing grows. */
static void judge_regular(verdict_data *j) {
    zw_lyapunov *s = j->s;
    zw_lyapunov_point *o = j->out;
    int own = s->autonomous, zeros = 0;
    double trust = 1 - 0.5 * (isnan(o->K) ? 0.5 : fmax(0, o->K));
    for (int i = 0; i < j->k; i++)
        zeros += is_zero(j, i);
    if (j->mean[0] > 0 && !is_zero(j, 0)) {
        set_verdict(j, ZW_LYAPUNOV_UNDECIDED, 0,
                    "disturbances seem to grow, but not significantly: use a longer --time or more "
                    "--motions");
    } else if (!is_zero(j, 0) && s->nonharmonic_time) {
        set_verdict(j, ZW_LYAPUNOV_UNDECIDED, 0,
                    "all disturbances decay, but the excitation is not harmonic: the kind of "
                    "motion is not known");
    } else if (!is_zero(j, 0) && s->has_no_period) {
        set_verdict(j, ZW_LYAPUNOV_QUASI_PERIODIC, trust,
                    "all disturbances decay, and the excitation has several frequencies");
    } else if (!is_zero(j, 0)) {
        s->doubt[j->index] |= own ? ZW_WARNINGS_SETTLING : ZW_WARNINGS_PERIOD;
        set_verdict(j, own ? ZW_LYAPUNOV_STEADY : ZW_LYAPUNOV_PERIODIC, UNCONFIRMED * trust,
                    own ? "all disturbances decay, and it still moves"
                        : "all disturbances decay, so the response has the period of the "
                          "excitation or a multiple of it");
    } else if (own && zeros == 1 && j->width > 1) {
        s->doubt[j->index] |= ZW_WARNINGS_PERIOD;
        set_verdict(j, ZW_LYAPUNOV_PERIODIC, UNCONFIRMED * trust,
                    "all disturbances but that along the motion decay: a limit cycle");
    } else if (o->K <= REGULAR_K) {
        set_verdict(j, ZW_LYAPUNOV_QUASI_PERIODIC, trust * (zeros > own ? 1 : UNCONFIRMED),
                    s->zeros ? "disturbances neither grow nor decay, the motion is not periodic, "
                               "and the 0-1 test indicates no chaos"
                             : "no disturbance grows, at least two neither grow nor decay, the "
                               "motion is not periodic, and the 0-1 test indicates no chaos");
    } else {
        set_verdict(j, ZW_LYAPUNOV_UNDECIDED, 0,
                    o->K >= IRREGULAR_K ? "the exponents do not distinguish growth from zero, and "
                                          "the 0-1 test indicates chaos: use a longer --time"
                                        : "nothing is clearly zero, clearly grows or clearly comes "
                                          "back: use a longer --time or --transient");
    }
}

static void say_returning(verdict_data *j) {
    zw_lyapunov_point *o = j->out;
    bool grows = j->mean[0] > fmax(o->resolution, POSITIVE_ERRORS * j->error[0]);
    double trust =
        fmax(0.5, normal_distribution((o->resolution - j->mean[0]) / fmax(j->error[0], ZW_TINY)));
    bool passed = j->drifting >= 0 || j->came || (!grows && j->mean[0] > o->resolution);
    char text[300];
    if (passed) /* the exponents are those of the transient */
        j->s->doubt[j->index] |= ZW_WARNINGS_HALVES;
    else if (grows)
        j->s->doubt[j->index] |= ZW_WARNINGS_UNSTABLE;
    snprintf(text, sizeof text, "the motion %s%s",
             o->steady                                      ? "is at rest"
             : j->s->doubt[j->index] & ZW_WARNINGS_SETTLING ? "approaches a periodic orbit"
                                                            : "is periodic",
             passed ? ", but the exponents are still those of the transient"
             : grows && o->steady
                 ? ", but this is unstable: the motion stays there only because nothing disturbs it"
             : grows ? ", but this is unstable"
                     : "");
    set_verdict(j, o->steady ? ZW_LYAPUNOV_STEADY : ZW_LYAPUNOV_PERIODIC,
                passed               ? 0.5
                : grows && o->steady ? 1
                : grows              ? TRUST_UNSTABLE
                                     : trust,
                text);
}

static void check_warnings(verdict_data *j) {
    zw_lyapunov *s = j->s;
    zw_lyapunov_point *o = j->out;
    double most = j->k > 0 ? fmax(fabs(j->mean[0]), fabs(j->mean[j->k - 1])) : 0;
    int *doubt = &s->doubt[j->index], zeros = 0;
    if (fabs(o->gap) >
        LARGEST_DEVIATION * o->gap_error + EXPONENT_ERROR * most + RESOLUTION_PART * o->resolution)
        *doubt |= ZW_WARNINGS_GAP;
    if (o->pairs > LARGEST_DEVIATION * 2 * j->error[0] + EXPONENT_ERROR * most + o->resolution)
        *doubt |= ZW_WARNINGS_PAIRS;
    for (int i = 0; i < j->k; i++)
        zeros += is_zero(j, i);
    if (s->autonomous && j->width == o->n && zeros == 0 && o->verdict != ZW_LYAPUNOV_STEADY)
        *doubt |= ZW_WARNINGS_ZEROS;
}

static void decide_verdict(verdict_data *j) {
    zw_lyapunov_point *o = j->out;
    int end_known = o->steady + o->periodic + o->other;
    bool mixed = (o->steady > 0) + (o->periodic > 0) + (o->other > 0) > 1;
    char text[200];
    if (end_known == 0) {
        set_verdict(j, ZW_LYAPUNOV_UNDECIDED, 0, "the motions could not be followed to the end");
    } else if (mixed) {
        j->s->doubt[j->index] |= ZW_WARNINGS_MIXED;
        snprintf(text, sizeof text,
                 "of %d motions %d rest, %d come back and %d do neither: a transient that is not "
                 "over, or several attractors",
                 end_known, o->steady, o->periodic, o->other);
        set_verdict(j, ZW_LYAPUNOV_UNDECIDED, 0, text);
    } else if (o->other == 0) {
        say_returning(j);
    } else if (j->drifting >= 0 && !j->s->slows_down) {
        snprintf(text, sizeof text,
                 "not settled: lambda_%d changes from %.4g to %.4g over the measured time; use a "
                 "longer --transient",
                 j->drifting + 1, j->early, j->late);
        set_verdict(j, ZW_LYAPUNOV_UNDECIDED, 0, text);
    } else if (j->s->slows_down) {
        set_verdict(
            j, ZW_LYAPUNOV_UNDECIDED, 0,
            "the motion slows down as a power of time, and the exponents go to 0 as 1/time");
    } else if (j->mean[0] > fmax(o->resolution, POSITIVE_ERRORS * j->error[0])) {
        judge_growing(j);
    } else {
        judge_regular(j);
    }
}

static void measure_further(verdict_data *j, double *e) {
    zw_lyapunov_point *o = j->out;
    o->dimension = o->dimension_error = o->entropy = o->entropy_error = NAN;
    if (j->s->doubt[j->index] & ZW_WARNINGS_HALVES) /* nothing is concluded from a transient */
        return;
    o->dimension = dimension_of(j, j->mean);
    o->dimension_error = isnan(o->dimension) ? NAN : jackknife_error(j, dimension_of, e);
    o->entropy = entropy_of(j, j->mean);
    o->entropy_error = jackknife_error(j, entropy_of, e);
}

/* -------------------------------------------------------------------------------------- a point */

static zw_status set_up(verdict_data *j, zw_error *err) {
    zw_lyapunov *s = j->s;
    size_t row = (size_t)(s->k + 2), rows = (size_t)s->motions * BLOCKS;
    j->b = ZW_NEW(&s->arena, double, rows *row + 1);
    j->scratch = ZW_NEW(&s->arena, double, rows + 1);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < s->motions; i++) {
        size_t index = zw_lyapunov_index(s, j->index, i);
        if (s->motion[index].measured)
            memcpy(j->b + (size_t)j->nm++ * BLOCKS * row, s->block + index * BLOCKS * row,
                   sizeof(double) * BLOCKS * row);
    }
    return ZW_OK;
}

/* The reason why nothing is known of a point. */
static void take_failure(verdict_data *j) {
    zw_lyapunov *s = j->s;
    for (int i = 0; i < s->motions; i++) {
        const zw_lyapunov_motion *m = &s->motion[zw_lyapunov_index(s, j->index, i)];
        if (m->status >= 0)
            continue;
        j->out->status = m->status;
        memcpy(j->out->why, m->why, sizeof j->out->why);
        s->done[j->index] = true;
        s->doubt[j->index] |= ZW_WARNINGS_FAILED;
        return;
    }
}

/* Exponents are minus infinity if events annihilate disturbances: sooner or later this happens in
 * all motions. */
static void find_lost(verdict_data *j) {
    zw_lyapunov *s = j->s;
    j->k = s->k;
    for (int i = 0; i < s->motions; i++) {
        const zw_lyapunov_motion *m = &s->motion[zw_lyapunov_index(s, j->index, i)];
        if (m->doubt[0])
            s->doubt[j->index] |= ZW_WARNINGS_MOTIONS;
        if (!s->hybrid || !m->measured || m->left >= j->k)
            continue;
        if (j->k < s->k)
            s->doubt[j->index] |= ZW_WARNINGS_LOST;
        j->k = m->left;
    }
    for (int i = 0; i < s->motions && j->k < s->k; i++) {
        const zw_lyapunov_motion *m = &s->motion[zw_lyapunov_index(s, j->index, i)];
        if (m->measured && m->left > j->k)
            s->doubt[j->index] |= ZW_WARNINGS_LOST;
    }
    for (int i = j->k; i < s->k; i++) {
        j->mean[i] = -INFINITY;
        j->error[i] = 0;
    }
}

zw_status zw_lyapunov_judge(zw_lyapunov *s, int point, zw_error *err) {
    zw_lyapunov_point *o = &s->point[point];
    double *mean = ZW_NEW(&s->arena, double, s->k + 1),
           *error = ZW_NEW(&s->arena, double, s->k + 1);
    zw_arena_mark mark = zw_arena_mark_now(&s->arena);
    verdict_data j = {
        .s = s, .index = point, .width = s->k, .out = o, .mean = mean, .error = error};
    double *e = ZW_NEW(&s->arena, double, s->motions *BLOCKS + s->k + 1);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    s->doubt[point] = 0;
    ZW_TRY(set_up(&j, err));
    o->n = s->n;
    o->k = s->k;
    o->exponent = mean;
    o->error = error;
    o->motions = j.nm;
    o->transient = zw_lyapunov_transient(s, point) + s->more[point];
    o->time = zw_lyapunov_time(s, point);
    o->scale = s->tau[point];
    if (j.nm == 0) {
        if (!s->stopped)
            take_failure(&j);
    } else {
        find_lost(&j);
        sort_exponents(&j);
        find_means(&j, e);
        find_drift(&j, e);
        gather_ends(&j);
        decide_verdict(&j);
        /* N motions of which none has ended in the time T each: exp(-N T/lifetime) = 5 %. */
        o->lasting = o->verdict == ZW_LYAPUNOV_CHAOTIC && !s->pairs
                         ? o->independent * o->time / LIFETIMES
                         : NAN;
        measure_further(&j, e);
        check_warnings(&j);
        s->done[point] = true;
    }
    zw_arena_release(&s->arena, mark);
    return ZW_OK;
}
