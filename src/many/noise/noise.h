/* SPDX-License-Identifier: MIT */
/* What the files of the study of noise share; what it is, zwang/survey.h says. */
#ifndef ZW_MANY_NOISE_NOISE_H
#define ZW_MANY_NOISE_NOISE_H

#include <pthread.h>
#include <stdio.h>

#include "zwang/simulate.h"
#include "zwang/survey.h"

enum { ZW_NOISE_POWERS = 4 };

typedef struct zw_noise_slot {
    bool done, measured, ended, failed;
    int event; /* that ended it */
    double t;  /* where it ended */
} zw_noise_slot;

struct zw_noise {
    zw_noise_options o;
    zw_run_options run;
    zw_context *ctx;
    zw_system *sys;
    int nof, samples;
    const char **name, **unit; /* nof */
    double step, error;        /* of the noise */
    bool commute;              /* zw_sim_noises_commute */
    uint64_t measured;
    /* by the number of the path */
    zw_noise_slot *slot;
    double
        *sums; /* nof x 2 halves x powers: time means of powers of the deviation from the origin */
    double *origin;   /* nof: of each path, its first sample */
    double *spectrum; /* nof x frequencies */
    pthread_mutex_t lock;
    uint64_t first_failed;
    char why[240];
};

/* Fourier's sum of N values, a power of two, in place: sum over j of x_j exp(-2 pi i j k/N). */
void zw_noise_transform(int N, double *re, double *im);

#endif
